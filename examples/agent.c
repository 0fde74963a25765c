/* agent: asks a model, runs the tools it calls, and asks again until it says something. Plain HTTP, as to a server on
 * this machine or a proxy that adds TLS.
 *
 *     agent HOST PORT PROVIDER MODEL QUESTION        the key, if any, is in AGENT_KEY
 */
#define _POSIX_C_SOURCE 200112L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static elelem_turn turn;
static elelem_conversation talk;
static int called; /* a tool ran in this response */

static int open_socket(const char *host, const char *port)
{
    struct addrinfo hints = ELELEM_INIT, *found;
    int file;

    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
    file = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (file >= 0 && connect(file, found->ai_addr, found->ai_addrlen) != 0) {
        close(file);
        file = -1;
    }
    freeaddrinfo(found);
    return file;
}

static elelem_status send_bytes(void *context, const void *bytes, size_t size)
{
    const char *at = (const char *)bytes;

    for (ssize_t sent; size > 0; at += sent, size -= (size_t)sent)
        if ((sent = send(*(int *)context, at, size, MSG_NOSIGNAL)) <= 0) return ELELEM_ERROR_SINK;
    return ELELEM_OK;
}

static elelem_status count_bytes(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)context += size;
    return ELELEM_OK;
}

/* The one tool: adds two numbers. */
static void run_tool(const elelem_tool_call *call)
{
    char text[64];
    double a = 0, b = 0;

    elelem_value_to_double(elelem_value_get(call->arguments, "a"), &a);
    elelem_value_to_double(elelem_value_get(call->arguments, "b"), &b);
    snprintf(text, sizeof text, "%.15g", a + b);
    printf("[%.*s: %s]\n", ELELEM_STR_ARG(call->name), text);
    if (elelem_conversation_result(&talk, call, elelem_str_of(text), 0) == ELELEM_OK) called = 1;
}

static void take(void)
{
    elelem_turn_update update;
    int fits;

    while (elelem_turn_next(&turn, &update) == ELELEM_OK) {
        fits = elelem_conversation_add(&talk, &update) == ELELEM_OK;
        if (!fits) fputs("the conversation does not fit\n", stderr); /* a call that is not in it must have no result */
        if (update.kind == ELELEM_TURN_TEXT) printf("%.*s", ELELEM_STR_ARG(update.text));
        if (update.kind == ELELEM_TURN_TOOL_CALL_DONE && fits && elelem_value_is_complete(update.tool_call.arguments))
            run_tool(&update.tool_call);
        if (update.kind != ELELEM_TURN_ERROR) continue;
        printf("error: %.*s", ELELEM_STR_ARG(update.error.message));
        called = 0; /* asks no more, though calls before the error are done */
    }
}

/* Sends the request, and reads the response: its head line by line, then the body, which may be in chunks. */
static int ask(const elelem_request *request, elelem_request_head *head, const char *host, const char *port)
{
    char line[4096];
    elelem_sink counter = { count_bytes, &head->content_length }, out = { send_bytes, NULL };
    elelem_error error;
    FILE *in;
    long left = -1; /* of a chunk */
    int file, is_chunked = 0, status = 0;

    head->content_length = 0;
    error = elelem_request_write(request, counter);
    if (error.status != ELELEM_OK) return fprintf(stderr, "%s at byte %lu\n", error.message, (unsigned long)error.offset), 0;
    if ((file = open_socket(host, port)) < 0 || !(in = fdopen(file, "rb"))) return perror(host), 0;
    out.context = &file;
    if (elelem_request_head_write(request, head, out) != ELELEM_OK || elelem_request_write(request, out).status != ELELEM_OK)
        return fclose(in), perror("send"), 0;
    if (fgets(line, sizeof line, in) && sscanf(line, "HTTP/%*s %d", &status)) elelem_turn_http_status(&turn, status);
    while (fgets(line, sizeof line, in) && line[0] != '\r') {
        char *colon = strchr(line, ':');
        if (!colon) continue;
        *colon = 0;
        elelem_turn_http_header(&turn, elelem_str_of(line), elelem_str_of(colon + 1));
        is_chunked |= (line[0] == 'T' || line[0] == 't') && strstr(colon + 1, "chunked") != NULL;
    }
    while (!is_chunked || left > 0 || (fgets(line, sizeof line, in) && (left = strtol(line, NULL, 16)) > 0)) {
        size_t most = is_chunked && left < (long)sizeof line ? (size_t)left : sizeof line;
        size_t size = fread(line, 1, is_chunked ? most : 1, in);
        if (size == 0) break;
        elelem_turn_push(&turn, line, size);
        take();
        left -= (long)size;
        if (is_chunked && left == 0 && !fgets(line, sizeof line, in)) break;
    }
    elelem_turn_finish(&turn);
    take();
    fclose(in);
    return 1;
}

int main(int count, char **words)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_request request = ELELEM_INIT;
    elelem_request_head head = ELELEM_INIT;
    elelem_tool add = ELELEM_INIT;
    char host[300];
    int is_good, is_usual;

    if (count != 6 || !(request.provider = elelem_provider_find(words[3])))
        return fputs("usage: agent HOST PORT PROVIDER MODEL QUESTION\n", stderr), 2;
    add.name = elelem_str_of("add");
    add.parameters = elelem_str_of("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"number\"}},"
                                   "\"required\":[\"a\",\"b\"]}");
    request.model = elelem_str_of(words[4]);
    request.tools = &add;
    request.tool_count = 1;
    is_usual = strcmp(words[2], "80") == 0;
    snprintf(host, sizeof host, "%.250s%s%.40s", words[1], is_usual ? "" : ":", is_usual ? "" : words[2]);
    head.host = elelem_str_of(host);
    head.key = elelem_str_of(getenv("AGENT_KEY"));
    head.headers = elelem_str_of("Connection: close\r\n");
    desc.shape = request.provider->shape;
    elelem_turn_init(&turn, &desc);
    elelem_conversation_init(&talk, desc.allocator, 0);
    is_good = elelem_conversation_user(&talk, elelem_str_of(words[5])) == ELELEM_OK;
    for (called = 1; is_good && called; is_good = ask(&request, &head, words[1], words[2])) {
        called = 0;
        elelem_turn_reset(&turn);
        request.history = elelem_conversation_text(&talk);
    }
    puts("");
    elelem_turn_free(&turn);
    elelem_conversation_free(&talk);
    return !is_good;
}
