#ifndef ELS_TURN_C
#define ELS_TURN_C
#include "turn.h"
#include "base.c"
#include "stream.c"
#include "builder.c"

/* >> turn */

/* What the turn takes its next item from. */
typedef enum els_turn_state {
    ELS_TURN_EVENT, /* the next event of the stream */
    ELS_TURN_BUILT, /* what the builder makes of the event at hand */
    ELS_TURN_DRAIN, /* what is cut off by the error at hand */
    ELS_TURN_OVER
} els_turn_state;

ELS_PRIVATE void els_turn_item_of(elelem_turn_item *item, elelem_turn_item_kind kind, uint32_t index, uint32_t choice)
{
    memset(item, 0, sizeof *item);
    item->kind = (uint8_t)kind;
    item->index = index;
    item->choice = choice;
}

/* What the caller sees of a part itself; 0 where that is left to the builder. */
ELS_PRIVATE int els_turn_part(const elelem_event *event, elelem_turn_item *item)
{
    const elelem_event_part *part = &event->part;
    elelem_turn_item_kind kind = ELELEM_TURN_TEXT;

    if (part->kind == ELELEM_PART_REASONING) kind = ELELEM_TURN_REASONING;
    if (part->kind == ELELEM_PART_TOOL_CALL) {
        if (part->tool_call.kind != ELELEM_TOOL_CALL_START) return 0;
        kind = ELELEM_TURN_TOOL_CALL_START;
    } else if (part->text.size == 0) {
        return 0;
    }
    els_turn_item_of(item, kind, event->index, event->choice);
    item->text = part->text;
    item->tool_call.id = part->tool_call.id;
    item->tool_call.name = part->tool_call.name;
    item->metadata = event->metadata;
    return 1;
}

ELS_PRIVATE void els_turn_end(elelem_turn *turn, elelem_turn_item *item)
{
    const elelem_event *event = &turn->els_event;

    els_turn_item_of(item, event->kind == ELELEM_EVENT_FINISHED ? ELELEM_TURN_FINISHED : ELELEM_TURN_ERROR, 0, 0);
    item->reason = event->reason;
    item->raw_reason = event->raw_reason;
    item->usage = event->usage;
    item->error = event->error;
    item->metadata = event->metadata;
    turn->els_state = ELS_TURN_OVER;
}

/* The builder met a limit, or has no memory: that is the end of the turn. */
ELS_PRIVATE void els_turn_break(elelem_turn *turn, elelem_status status)
{
    els_stream_break(&turn->els_stream, status, els_stream_offset(&turn->els_stream), NULL);
    els_shape_end(&turn->els_stream.els_context, &turn->els_event);
    turn->els_stream.els_state = ELS_STREAM_OVER;
    elelem_event_builder_drain(&turn->els_builder);
    turn->els_state = ELS_TURN_DRAIN;
}

ELS_PRIVATE void els_turn_built(const elelem_built *built, elelem_turn_item *item)
{
    if (built->kind == ELELEM_BUILT_PROGRESS) {
        els_turn_item_of(item, ELELEM_TURN_PROGRESS, built->progress.index, built->progress.choice);
        item->progress = built->progress;
        return;
    }
    els_turn_item_of(item, built->item.kind == ELELEM_PART_TOOL_CALL ? ELELEM_TURN_TOOL_CALL : ELELEM_TURN_ITEM,
                     built->item.index, built->item.choice);
    item->item = built->item;
    item->tool_call = built->item.tool_call;
    item->text = built->item.text;
    item->metadata = built->item.metadata;
}

/* What is known of the call by now, for the start tells only what is new. */
ELS_PRIVATE void els_turn_call_so_far(const elelem_turn *turn, elelem_turn_item *item)
{
    uint32_t at;
    const els_row *row = els_builder_find(&turn->els_builder, item->index, &at);

    if (!row) return;
    if (item->tool_call.id.size == 0) item->tool_call.id = row->id;
    if (item->tool_call.name.size == 0) item->tool_call.name = row->name;
}

/* Takes the next event and gives it to the builder. OK where the caller sees something of it at once. */
ELS_PRIVATE elelem_status els_turn_next_event(elelem_turn *turn, elelem_turn_item *item)
{
    elelem_status status = elelem_stream_next(&turn->els_stream, &turn->els_event);
    int is_seen;

    if (status != ELELEM_OK) return status;
    if (turn->els_event.kind == ELELEM_EVENT_ERROR) {
        elelem_event_builder_drain(&turn->els_builder);
        turn->els_state = ELS_TURN_DRAIN;
        return ELS_AGAIN;
    }
    if (turn->els_event.kind == ELELEM_EVENT_FINISHED) {
        els_turn_end(turn, item);
        return ELELEM_OK;
    }
    turn->els_state = ELS_TURN_BUILT;
    is_seen = turn->els_event.kind == ELELEM_EVENT_PART && els_turn_part(&turn->els_event, item);
    status = elelem_event_builder_push(&turn->els_builder, &turn->els_event);
    if (is_seen && item->kind == ELELEM_TURN_TOOL_CALL_START) els_turn_call_so_far(turn, item);
    if (status < 0) els_turn_break(turn, status);
    return is_seen ? ELELEM_OK : ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_turn_next_built(elelem_turn *turn, elelem_turn_item *item)
{
    elelem_built built;
    elelem_status status = elelem_event_builder_next(&turn->els_builder, &built);

    if (status == ELELEM_OK) {
        els_turn_built(&built, item);
        return ELELEM_OK;
    }
    if (turn->els_state == ELS_TURN_DRAIN) {
        els_turn_end(turn, item);
        return ELELEM_OK;
    }
    turn->els_state = ELS_TURN_EVENT;
    if (status < 0) els_turn_break(turn, status);
    return ELS_AGAIN;
}

/* What the stream still held back when the builder broke off is dropped. */
ELS_PRIVATE elelem_status els_turn_next_dropped(elelem_turn *turn)
{
    elelem_status status;

    do
        status = elelem_stream_next(&turn->els_stream, &turn->els_event);
    while (status == ELELEM_OK);
    return status;
}

elelem_status elelem_turn_next(elelem_turn *turn, elelem_turn_item *item)
{
    elelem_status status;

    do {
        if (turn->els_state == ELS_TURN_EVENT) status = els_turn_next_event(turn, item);
        else if (turn->els_state == ELS_TURN_OVER) status = els_turn_next_dropped(turn);
        else status = els_turn_next_built(turn, item);
    } while (status == ELS_AGAIN);
    return status;
}

elelem_status elelem_turn_init(elelem_turn *turn, const elelem_turn_desc *desc)
{
    elelem_stream_desc stream = ELELEM_INIT;
    elelem_event_builder_desc builder = ELELEM_INIT;
    elelem_status status;

    memset(turn, 0, sizeof *turn);
    if (desc) {
        stream.shape = desc->shape;
        stream.allocator = builder.allocator = desc->allocator;
        stream.unix_seconds = desc->unix_seconds;
        stream.idle_timeout_ms = desc->idle_timeout_ms;
        stream.max_frame_bytes = desc->max_frame_bytes;
        stream.max_kept_bytes = desc->max_kept_bytes;
        stream.max_open_items = builder.max_open = desc->max_open_items;
        stream.max_choices = desc->max_choices;
        stream.structured = desc->structured;
        stream.split_thoughts = desc->split_thoughts;
        stream.thought_tags = desc->thought_tags;
        stream.thought_tag_count = desc->thought_tag_count;
        builder.keep = desc->keep;
        builder.keep_argument_text = desc->keep_argument_text;
        builder.max_bytes = desc->max_item_bytes;
    }
    elelem_event_builder_init(&turn->els_builder, &builder);
    status = elelem_stream_init(&turn->els_stream, &stream);
    return status;
}

void elelem_turn_http_status(elelem_turn *turn, int status)
{
    elelem_stream_http_status(&turn->els_stream, status);
}

void elelem_turn_http_header(elelem_turn *turn, elelem_str name, elelem_str value)
{
    elelem_stream_http_header(&turn->els_stream, name, value);
}

elelem_status elelem_turn_push(elelem_turn *turn, const void *bytes, size_t size)
{
    return elelem_stream_push(&turn->els_stream, bytes, size);
}

elelem_status elelem_turn_push_data(elelem_turn *turn, elelem_str event_name, elelem_str data)
{
    return elelem_stream_push_data(&turn->els_stream, event_name, data);
}

void elelem_turn_finish(elelem_turn *turn)
{
    elelem_stream_finish(&turn->els_stream);
}

void elelem_turn_fail(elelem_turn *turn, elelem_error_kind kind)
{
    elelem_stream_fail(&turn->els_stream, kind);
}

void elelem_turn_tick(elelem_turn *turn, uint32_t now_ms)
{
    elelem_stream_tick(&turn->els_stream, now_ms);
}

void elelem_turn_time(elelem_turn *turn, int64_t unix_seconds)
{
    elelem_stream_time(&turn->els_stream, unix_seconds);
}

elelem_value elelem_turn_arguments(const elelem_turn *turn, uint32_t index)
{
    return elelem_event_builder_arguments(&turn->els_builder, index);
}

void elelem_turn_reset(elelem_turn *turn)
{
    elelem_stream_reset(&turn->els_stream);
    elelem_event_builder_reset(&turn->els_builder);
    turn->els_state = ELS_TURN_EVENT;
}

void elelem_turn_free(elelem_turn *turn)
{
    elelem_stream_free(&turn->els_stream);
    elelem_event_builder_free(&turn->els_builder);
    turn->els_state = ELS_TURN_OVER;
}

#endif
