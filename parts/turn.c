#ifndef ELS_TURN_C
#define ELS_TURN_C
#include "turn.h"
#include "base.c"
#include "stream.c"
#include "builder.c"

/* >> turn */

/* What the turn takes its next update from. */
typedef enum els_turn_state {
    ELS_TURN_EVENT, /* the next event of the stream */
    ELS_TURN_BUILT, /* what the builder makes of the current event */
    ELS_TURN_BREAK, /* the end of the stream, because the builder failed with an event of which the caller has something */
    ELS_TURN_DRAIN, /* the items that the current error cut off */
    ELS_TURN_OVER
} els_turn_state;

ELS_PRIVATE void els_turn_begin_update(elelem_turn_update *update, elelem_turn_update_kind kind, uint32_t index, uint32_t choice)
{
    memset(update, 0, sizeof *update);
    update->kind = (uint8_t)kind;
    update->index = index;
    update->choice = choice;
}

ELS_PRIVATE elelem_turn_update_kind els_turn_kind_of(const elelem_event_part *part)
{
    switch (part->kind) {
    case ELELEM_PART_REASONING: return ELELEM_TURN_REASONING;
    case ELELEM_PART_TOOL_CALL: return ELELEM_TURN_TOOL_CALL_START;
    case ELELEM_PART_PROVIDER_ITEM: return ELELEM_TURN_PROVIDER_ITEM;
    default: return ELELEM_TURN_TEXT;
    }
}

/* Nonzero if the caller sees something of the part at once; else it is left to the builder. */
ELS_PRIVATE int els_turn_shows(const elelem_event_part *part)
{
    if (part->kind == ELELEM_PART_TOOL_CALL) return part->tool_call.kind == ELELEM_TOOL_CALL_START;
    return part->text.size > 0 || part->caption.size > 0;
}

ELS_PRIVATE void els_turn_part(const elelem_event *event, elelem_turn_update *update)
{
    const elelem_event_part *part = &event->part;

    els_turn_begin_update(update, els_turn_kind_of(part), event->index, event->choice);
    update->metadata = event->metadata;
    if (part->kind == ELELEM_PART_TOOL_CALL) {
        update->tool_call.index = event->index;
        update->tool_call.id = part->tool_call.id;
        update->tool_call.name = part->tool_call.name;
        update->tool_call.type = part->tool_call.type;
    } else if (part->kind == ELELEM_PART_PROVIDER_ITEM) {
        update->part = *part;
    } else {
        update->text = part->text;
    }
}

/* Fills in what the caller sees of an event at once. Returns 0 if that is nothing. */
ELS_PRIVATE int els_turn_event(const elelem_event *event, elelem_turn_update *update)
{
    if (event->kind == ELELEM_EVENT_METADATA) {
        els_turn_begin_update(update, ELELEM_TURN_METADATA, 0, 0);
        update->metadata = event->metadata;
        return 1;
    }
    if (event->kind != ELELEM_EVENT_PART || !els_turn_shows(&event->part)) return 0;
    els_turn_part(event, update);
    return 1;
}

ELS_PRIVATE void els_turn_end(elelem_turn *turn, elelem_turn_update *update)
{
    const elelem_event *event = &turn->els_event;

    els_turn_begin_update(update, event->kind == ELELEM_EVENT_FINISHED ? ELELEM_TURN_FINISHED : ELELEM_TURN_ERROR, 0, 0);
    update->reason = event->reason;
    update->raw_reason = event->raw_reason;
    update->usage = event->usage;
    update->error = event->error;
    update->metadata = event->metadata;
    turn->els_state = ELS_TURN_OVER;
}

/* The builder met a limit, or has no memory: that is the end of the turn. */
ELS_PRIVATE void els_turn_break(elelem_turn *turn, elelem_status status)
{
    els_stream_abort(&turn->els_stream, status, &turn->els_event);
    elelem_event_builder_drain(&turn->els_builder);
    turn->els_state = ELS_TURN_DRAIN;
}

ELS_PRIVATE void els_turn_delta(const elelem_tool_call_argument_progress *progress, elelem_turn_update *update)
{
    els_turn_begin_update(update, ELELEM_TURN_TOOL_CALL_DELTA, progress->index, progress->choice);
    update->tool_call.index = progress->index;
    update->tool_call.id = progress->id;
    update->tool_call.name = progress->name;
    update->fragment = progress->fragment;
}

ELS_PRIVATE void els_turn_built(const elelem_built *built, elelem_turn_update *update)
{
    const elelem_item *item = &built->item;

    if (built->kind == ELELEM_BUILT_PROGRESS) {
        els_turn_delta(&built->progress, update);
        return;
    }
    els_turn_begin_update(update, item->kind == ELELEM_PART_TOOL_CALL ? ELELEM_TURN_TOOL_CALL_DONE : ELELEM_TURN_ITEM,
                          item->index, item->choice);
    update->item = item;
    update->tool_call = item->tool_call;
    update->metadata = item->metadata;
}

/* Adds what is known of the call by now, because a START event holds only what is new. */
ELS_PRIVATE void els_turn_call_so_far(const elelem_turn *turn, elelem_turn_update *update)
{
    uint32_t at;
    const els_row *row = els_builder_find(&turn->els_builder, update->index, &at);

    if (!row) return;
    if (update->tool_call.id.size == 0) update->tool_call.id = els_row_name(row, row->id);
    if (update->tool_call.name.size == 0) update->tool_call.name = els_row_name(row, row->name);
    if (update->tool_call.type.size == 0) update->tool_call.type = els_row_name(row, row->type);
}

/* Takes the next event and gives it to the builder. OK if the caller sees something of it at once. */
ELS_PRIVATE elelem_status els_turn_next_event(elelem_turn *turn, elelem_turn_update *update)
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
        els_turn_end(turn, update);
        return ELELEM_OK;
    }
    turn->els_state = ELS_TURN_BUILT;
    is_seen = els_turn_event(&turn->els_event, update);
    status = elelem_event_builder_push(&turn->els_builder, &turn->els_event);
    if (is_seen && update->kind == ELELEM_TURN_TOOL_CALL_START) els_turn_call_so_far(turn, update);
    if (status < 0 && is_seen) {
        turn->els_failed = (int8_t)status;
        turn->els_state = ELS_TURN_BREAK;
    } else if (status < 0) {
        els_turn_break(turn, status);
    }
    return is_seen ? ELELEM_OK : ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_turn_next_built(elelem_turn *turn, elelem_turn_update *update)
{
    elelem_status status = elelem_event_builder_next(&turn->els_builder, &turn->els_built);

    if (status == ELELEM_OK) {
        els_turn_built(&turn->els_built, update);
        return ELELEM_OK;
    }
    if (turn->els_state == ELS_TURN_DRAIN) {
        els_turn_end(turn, update);
        return ELELEM_OK;
    }
    turn->els_state = ELS_TURN_EVENT;
    if (status < 0) els_turn_break(turn, status);
    return ELS_AGAIN;
}

/* Drops what the stream still held back when the builder failed. */
ELS_PRIVATE elelem_status els_turn_next_dropped(elelem_turn *turn)
{
    elelem_status status;

    do
        status = elelem_stream_next(&turn->els_stream, &turn->els_event);
    while (status == ELELEM_OK);
    return status;
}

elelem_status elelem_turn_next(elelem_turn *turn, elelem_turn_update *update)
{
    elelem_status status;

    do {
        if (turn->els_state == ELS_TURN_BREAK) els_turn_break(turn, (elelem_status)turn->els_failed);
        if (turn->els_state == ELS_TURN_EVENT) status = els_turn_next_event(turn, update);
        else if (turn->els_state == ELS_TURN_OVER) status = els_turn_next_dropped(turn);
        else status = els_turn_next_built(turn, update);
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
        stream.repeat_bytes = desc->repeat_bytes;
        stream.max_next_bytes = desc->max_next_bytes;
        stream.structured = desc->structured;
        stream.without_provider_items = desc->without_provider_items;
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

void elelem_turn_http_header_line(elelem_turn *turn, elelem_str line)
{
    elelem_stream_http_header_line(&turn->els_stream, line);
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

void elelem_turn_fail_with(elelem_turn *turn, elelem_error_kind kind, elelem_str message)
{
    elelem_stream_fail_with(&turn->els_stream, kind, message);
}

size_t elelem_turn_unread(const elelem_turn *turn)
{
    return elelem_stream_unread(&turn->els_stream);
}

void elelem_turn_tick(elelem_turn *turn, uint32_t now_ms)
{
    elelem_stream_tick(&turn->els_stream, now_ms);
}

elelem_str elelem_turn_last_event_id(const elelem_turn *turn)
{
    return elelem_stream_last_event_id(&turn->els_stream);
}

void elelem_turn_set_unix_time(elelem_turn *turn, int64_t unix_seconds)
{
    elelem_stream_set_unix_time(&turn->els_stream, unix_seconds);
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
    turn->els_state = ELS_TURN_EVENT;
}

#endif
