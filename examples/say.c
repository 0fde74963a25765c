/* say: prints a response as it is written, from a chat stream on standard input.
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

/* Takes all updates there are now. */
static void work(void)
{
    elelem_turn_update update;

    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        switch (update.kind) {
        case ELELEM_TURN_TEXT: /* message text as it is written */
            put(update.text);
            break;
        case ELELEM_TURN_TOOL_CALL_START: /* comes again if the name or the id comes late */
            printf("\n[%.*s]\n", ELELEM_STR_ARG(update.tool_call.name));
            break;
        case ELELEM_TURN_TOOL_CALL_DELTA: /* its arguments as they are written */
            put(elelem_fragment_text(&update.fragment, "content")); /* of its argument of that name: the piece that came */
            break;
        case ELELEM_TURN_TOOL_CALL_DONE: /* whole, or marked cut off */
            if (elelem_value_is_complete(update.tool_call.arguments)) {
                elelem_str path = elelem_value_text(elelem_value_get(update.tool_call.arguments, "path"));
                printf("[run %.*s %.*s]\n", ELELEM_STR_ARG(update.tool_call.name), ELELEM_STR_ARG(path));
            }
            break;
        case ELELEM_TURN_FINISHED:
            printf("[%s]\n", elelem_finish_reason_name(update.reason));
            break;
        case ELELEM_TURN_ERROR:
            printf("[error: %.*s%s]\n", ELELEM_STR_ARG(update.error.message), update.error.retryable ? "; try again" : "");
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
        elelem_turn_push(&turn, bytes, size); /* lent until next returns MORE */
        work();
    }
    elelem_turn_finish(&turn);
    work();
    elelem_turn_free(&turn);
    return 0;
}
