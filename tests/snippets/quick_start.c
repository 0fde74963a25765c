/* snippet: static void print_response(void)
 * prints:
 * Hello
 * -- a file
 * of two lines
 */
#include <stdio.h>
#include <string.h>

#define CALL(arguments) "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"" arguments "\"}}]}}]}\n\n"

static const char *body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n"
                          "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\\n\"}}]}\n\n"
                          CALL("{\\\"path\\\":\\\"a.lua\\\",\\\"content\\\":\\\"-- a file") CALL("\\\\nof two lines\\\\n\\\"}") "data: [DONE]\n\n";

/* A few bytes at a time. */
static size_t receive(char *bytes, size_t room)
{
    size_t size = strlen(body);

    if (size > 7) size = 7;
    if (size > room) size = room;
    memcpy(bytes, body, size);
    body += size;
    return size;
}

#include "snippet.h"

int main(void)
{
    print_response();
    return 0;
}
