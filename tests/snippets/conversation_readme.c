/* snippet: if (elelem_conversation_add(&talk, &update) != ELELEM_OK) return 1;
 * prints:
 * {"type":"user","text":"What is the weather in Oslo?"}
 * {"type":"tool_call","index":0,"id":"call_1","name":"get_weather","arguments":{"city":"Oslo"}}
 * {"type":"tool_result","id":"call_1","name":"get_weather","text":"5 C"}
 * {"type":"message","index":0,"text":"It is 5 degrees."}
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <string.h>

static const char *const responses[] = {
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":"
    "{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\\\"Oslo\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is 5 degrees.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
};

static size_t sent, received;

static elelem_status send_bytes(void *context, const void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    sent += size;
    return ELELEM_OK;
}

/* One response for each request. */
static int receive(elelem_turn *turn)
{
    if (sent == 0 || received == 2) return 0;
    elelem_turn_push(turn, responses[received], strlen(responses[received]));
    received++;
    sent = 0;
    return 1;
}

static int report(elelem_str sentence)
{
    printf("failed: %.*s\n", ELELEM_STR_ARG(sentence));
    return 1;
}

static elelem_str run(const elelem_tool_call *call)
{
    (void)call;
    return elelem_str_of("5 C");
}

int main(void)
{
    static elelem_turn turn;
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_allocator allocator = ELELEM_INIT;
    elelem_sink socket_sink = { send_bytes, NULL };

    desc.shape = &elelem_shape_chat;
    elelem_turn_init(&turn, &desc);
    {
#include "snippet.h"
        printf("%.*s", ELELEM_STR_ARG(elelem_conversation_text(&talk)));
        elelem_conversation_free(&talk);
    }
    elelem_turn_free(&turn);
    return 0;
}
