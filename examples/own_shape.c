/* own_shape: a wire shape that the library does not have, and a response in it.
 *
 * Its frames are {"say":"text"}, {"call":{"id":"…","name":"…","args":{…}}}, {"error":{…}} and {"stop":"done"}, the last.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>

/* 1. What is read of a frame; all else is checked and skipped, and takes no memory. */
#define OWN_PATHS(P, MEMBER, ELEMENTS)   \
    MEMBER(P, SAY, ROOT, "say", WHOLE)   \
    MEMBER(P, CALL, ROOT, "call", WHOLE) \
    MEMBER(P, ERROR, ROOT, "error", WHOLE) \
    MEMBER(P, STOP, ROOT, "stop", WHOLE)

ELELEM_SHAPE_PATHS(OWN_PATHS, own_, own_paths);

/* 2. What the wire's words for the end mean. */
static const elelem_shape_word own_reasons[] = { { "done", ELELEM_FINISH_COMPLETED }, { "length", ELELEM_FINISH_MAX_TOKENS } };

static void own_call(elelem_shape_context *c, elelem_value call)
{
    uint32_t index;

    elelem_shape_flush_all(c, 0, ELELEM_SHAPE_ENDED); /* a call ends the text before it */
    index = elelem_shape_item_open(c, 0, ELELEM_PART_TOOL_CALL, 0);
    elelem_shape_tool_start(c, index, elelem_shape_string_in(call, "id"), elelem_shape_string_in(call, "name"));
    elelem_shape_tool_arguments_value(c, index, elelem_value_get(call, "args"));
    elelem_shape_flush(c, index);
}

/* 3. What one frame gives. */
static elelem_status own_frame(elelem_shape_context *c)
{
    elelem_str say, stop;

    elelem_shape_fields_find(c, elelem_shape_document(c), own_SAY, own_STOP, own_SAY);
    say = elelem_shape_string(elelem_shape_field(c, own_SAY));
    stop = elelem_shape_string(elelem_shape_field(c, own_STOP));
    if (elelem_shape_document_error(c)) return ELELEM_OK; /* the stream ends with that error */
    if (say.size > 0) elelem_shape_text(c, elelem_shape_item_continue(c, 0, elelem_shape_message_kind(c), 0), say);
    if (elelem_shape_is_there(elelem_shape_field(c, own_CALL))) own_call(c, elelem_shape_field(c, own_CALL));
    if (stop.size > 0) {
        elelem_shape_reason(c, 0, elelem_shape_reason_of(own_reasons, 2, stop), stop, 0);
        elelem_shape_finish(c);
    }
    return ELELEM_OK;
}

/* 4. The shape. The rest is zero: it keeps no state, and has no provider items and no whole responses. */
static const elelem_shape own_shape = { "own", own_paths, own_ROWS, own_frame, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };

static void show(elelem_turn *turn)
{
    elelem_turn_update update;

    while (elelem_turn_next(turn, &update) == ELELEM_OK) {
        if (update.kind == ELELEM_TURN_TEXT) printf("text %.*s\n", ELELEM_STR_ARG(update.text));
        if (update.kind == ELELEM_TURN_TOOL_CALL_DONE)
            printf("call %.*s\n", ELELEM_STR_ARG(elelem_value_text(elelem_value_get(update.tool_call.arguments, "city"))));
        if (update.kind == ELELEM_TURN_FINISHED) printf("finished %s\n", elelem_finish_reason_name(update.reason));
        if (update.kind == ELELEM_TURN_ERROR) printf("error %.*s\n", ELELEM_STR_ARG(update.error.message));
    }
}

int main(void)
{
    static const char body[] = "data: {\"say\":\"Let me \"}\n\ndata: {\"say\":\"look.\"}\n\n"
                               "data: {\"call\":{\"id\":\"c1\",\"name\":\"weather\",\"args\":{\"city\":\"Oslo\"}}}\n\n"
                               "data: {\"stop\":\"done\"}\n\n";
    static elelem_turn turn;
    elelem_turn_desc desc = ELELEM_INIT;

    desc.shape = &own_shape;
    elelem_turn_init(&turn, &desc);
    elelem_turn_push(&turn, body, sizeof body - 1);
    show(&turn);
    elelem_turn_finish(&turn);
    show(&turn);
    elelem_turn_free(&turn);
    return 0;
}
