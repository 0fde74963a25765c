/* serve: plays responses, one for each request, on a port of this machine; for tests without a network.
 *
 *     serve REQUESTS RESPONSE...     prints the port, and appends a line to REQUESTS for each request: its body, a blank, its Host
 *
 * The first response goes out in chunks, the others up to the end of the connection.
 */
#define _POSIX_C_SOURCE 200112L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* Reads a request, and keeps its body and its Host. */
static void take(FILE *in, FILE *requests)
{
    char line[4096], host[200] = "";
    unsigned long size = 0;
    int c;

    while (fgets(line, sizeof line, in) && line[0] != '\r') {
        if (strncasecmp(line, "content-length:", 15) == 0) size = strtoul(line + 15, NULL, 10);
        if (strncasecmp(line, "host:", 5) == 0) sscanf(line + 5, "%199s", host);
    }
    while (size-- > 0 && (c = fgetc(in)) != EOF)
        fputc(c, requests);
    fprintf(requests, " %s\n", host);
    fflush(requests);
}

static void give(FILE *out, const char *name, int in_chunks)
{
    char bytes[50];
    size_t size;
    FILE *file = fopen(name, "rb");

    if (!file) return;
    fprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n%s\r\n", in_chunks ? "Transfer-Encoding: chunked\r\n" : "");
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0) {
        if (in_chunks) fprintf(out, "%lx\r\n", (unsigned long)size);
        fwrite(bytes, 1, size, out);
        if (in_chunks) fputs("\r\n", out);
    }
    if (in_chunks) fputs("0\r\n\r\n", out);
    fclose(file);
}

int main(int count, char **words)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    int i, server = socket(AF_INET, SOCK_STREAM, 0);
    FILE *requests = count > 1 ? fopen(words[1], "wb") : NULL;

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!requests || bind(server, (struct sockaddr *)&address, sizeof address) != 0 || listen(server, 4) != 0 ||
        getsockname(server, (struct sockaddr *)&address, &size) != 0)
        return 1;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (i = 2; i < count; i++) {
        int file = accept(server, NULL, NULL), copy = dup(file);
        FILE *in = fdopen(file, "rb"), *out = fdopen(copy, "wb");
        if (!in || !out) return 1;
        take(in, requests);
        give(out, words[i], i == 2);
        fclose(out);
        fclose(in);
    }
    return 0;
}
