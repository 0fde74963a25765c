/* snippet: elelem_collector_response(&collector, &response) == ELELEM_OK
 * prints:
 * [Let me see]
 * [get_weather] Oslo
 * tool_calls OK
 * [Let me see]
 * failed: the response ended before it was complete
 * OK
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <string.h>

static const char body[] =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Let me see\"}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"get_weather\","
    "\"arguments\":\"{\\\"city\\\":\\\"Oslo\\\"}\"}}]}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";

static void show(elelem_str text)
{
    printf("[%.*s]\n", ELELEM_STR_ARG(text));
}

static void report(elelem_str sentence)
{
    printf("failed: %.*s\n", ELELEM_STR_ARG(sentence));
}

static void run(elelem_str name, elelem_value arguments)
{
    elelem_str city = elelem_value_text(elelem_value_get(arguments, "city"));

    printf("[%.*s] %.*s\n", ELELEM_STR_ARG(name), ELELEM_STR_ARG(city));
}

/* So much of the body as a whole response. */
static void collect(size_t size)
{
    elelem_turn turn;
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn_update update;
    elelem_collector collector;
    elelem_response response;
    elelem_value call;
    elelem_status status = ELELEM_OK;

    desc.shape = &elelem_shape_chat;
    elelem_turn_init(&turn, &desc);
    elelem_collector_init(&collector, NULL);
    elelem_turn_push(&turn, body, size);
    elelem_turn_finish(&turn);
#include "snippet.h"
    if (!response.is_error) printf("%s ", elelem_finish_reason_name(response.reason));
    printf("%s\n", status == ELELEM_OK ? "OK" : "lost");
    elelem_collector_free(&collector);
    elelem_turn_free(&turn);
}

int main(void)
{
    collect(sizeof body - 1);
    collect((size_t)(strstr(body, "Oslo") - body)); /* the call is cut off, so it is not run */
    return 0;
}
