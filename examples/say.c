/* say: an answer as it is written, from a chat stream on standard input.
 *
 *     curl -N … | say
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>

static elelem_turn turn;

static void put(elelem_str text)
{
    fwrite(text.data, 1, text.size, stdout);
    fflush(stdout);
}

/* Takes whatever there is to take now. */
static void work(void)
{
    elelem_turn_item item;

    while (elelem_turn_next(&turn, &item) == ELELEM_OK)
        switch (item.kind) {
        case ELELEM_TURN_TEXT: /* message text as it is written */
            put(item.text);
            break;
        case ELELEM_TURN_TOOL_CALL_START:
            printf("\n[");
            put(item.tool_call.name);
            printf("]\n");
            break;
        case ELELEM_TURN_PROGRESS: /* a tool call's arguments as they are written */
            if (elelem_path_is(item.progress.fragment.path, "content")) put(item.progress.fragment.text);
            break;
        case ELELEM_TURN_TOOL_CALL: /* whole, or marked cut off */
            if (elelem_value_is_complete(item.tool_call.arguments)) {
                elelem_str path = elelem_value_text(elelem_value_get(item.tool_call.arguments, "path"));
                printf("[run %.*s %.*s]\n", (int)item.tool_call.name.size, item.tool_call.name.data, (int)path.size,
                       path.data);
            }
            break;
        case ELELEM_TURN_FINISHED:
            printf("[%s]\n", elelem_finish_reason_name((elelem_finish_reason)item.reason));
            break;
        case ELELEM_TURN_ERROR:
            printf("[error: %.*s%s]\n", (int)item.error.message.size, item.error.message.data,
                   item.error.retryable ? "; try again" : "");
            break;
        default: break;
        }
}

int main(void)
{
    char bytes[4096];
    size_t size;
    elelem_turn_desc desc = ELELEM_INIT;

    desc.shape = &elelem_shape_chat;
    elelem_turn_init(&turn, &desc);
    while ((size = fread(bytes, 1, sizeof bytes, stdin)) > 0) {
        elelem_turn_push(&turn, bytes, size); /* lent until next answers MORE */
        work();
    }
    elelem_turn_finish(&turn);
    work();
    elelem_turn_free(&turn);
    return 0;
}
