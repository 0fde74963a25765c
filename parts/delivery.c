#ifndef ELS_DELIVERY_C
#define ELS_DELIVERY_C
#include "delivery.h"
#include "base.c"
#include "value.c"
#include "writer.c"
#include "usage.c"
#include "shape.c"

/* >> delivery */

ELS_PRIVATE void els_shape_clear_out(elelem_shape_context *c)
{
    c->els_out_count = 0;
    c->els_out_taken = 0;
    c->els_metadata_count = 0;
    c->els_metadata_used = 0;
    c->els_metadata_taken = 0;
    c->els_usage_node = 0;
    elelem_buffer_clear(&c->els_scratch);
}

/* Writes the JSON text of a value or a string, if it is one, as far as it is not written yet. */
ELS_PRIVATE elelem_status els_out_write(elelem_shape_context *c, els_out_text *out)
{
    elelem_writer writer;

    if (out->form != ELS_OUT_STRING && out->form != ELS_OUT_VALUE) return ELELEM_OK;
    out->offset = elelem_buffer_text(&c->els_given).size;
    elelem_writer_init(&writer, elelem_buffer_sink(&c->els_given), 0);
    if (out->form == ELS_OUT_STRING) elelem_writer_string(&writer, out->text);
    else elelem_writer_value(&writer, els_value_of(c->els_document.els_owner, out->node));
    out->text.size = elelem_buffer_text(&c->els_given).size - out->offset;
    return els_writer_status(&writer);
}

/* The text to be given out, after all of the event were written. */
ELS_PRIVATE elelem_str els_out_str(const elelem_shape_context *c, const els_out_text *out)
{
    const elelem_buffer *buffer = out->form == ELS_OUT_WRITTEN ? &c->els_scratch : &c->els_given;

    return out->form == ELS_OUT_PLAIN ? out->text : els_str(elelem_buffer_text(buffer).data + out->offset, out->text.size);
}

/* Writes the texts of the event that is taken next, and makes room for its metadata. */
ELS_PRIVATE elelem_status els_shape_write(elelem_shape_context *c, els_out *out)
{
    uint32_t i;
    elelem_status status = ELELEM_OK;

    if (out->metadata_count > ELS_FEW_METADATA)
        status = els_block_reserve(&c->els_entries, els_product(out->metadata_count, sizeof(elelem_metadata_entry)),
                                   c->els_max_queue, ELELEM_ERROR_FRAME_SIZE);
    elelem_buffer_clear(&c->els_given);
    if (status == ELELEM_OK) status = els_out_write(c, &out->text);
    for (i = 0; i < out->metadata_count && status == ELELEM_OK; i++)
        status = els_out_write(c, &els_out_metadata_at(c, c->els_metadata_taken + i)->json);
    return status;
}

ELS_PRIVATE void els_shape_take_metadata(elelem_shape_context *c, uint32_t count, elelem_metadata *metadata)
{
    elelem_metadata_entry *entries = els_entries_of(c, count);
    uint32_t i;

    for (i = 0; i < count; i++) {
        const els_out_metadata *entry = els_out_metadata_at(c, c->els_metadata_taken++);
        entries[i].key = entry->key;
        entries[i].json = els_out_str(c, &entry->json);
    }
    metadata->entries = count > 0 ? entries : NULL;
    metadata->count = count;
}

/* Flushes what is open at the end of the stream. A call that the wire did not close ended by no reason:
   that came before it, or never. */
ELS_PRIVATE void els_shape_flush_rest(elelem_shape_context *c)
{
    c->els_emits = 1;
    while (c->els_item_count > 0) {
        const els_item *item = els_item_to_flush(c, ELS_ANY_CHOICE);
        int is_left = item->kind == ELELEM_PART_TOOL_CALL && !item->waits;
        elelem_shape_ending ending = is_left ? ELELEM_SHAPE_STOPPED : elelem_shape_choice_ending(c, item->choice);
        elelem_shape_flush_as(c, item->index, ending);
    }
}

ELS_PRIVATE elelem_str els_out_name(const elelem_shape_context *c, const els_out *out)
{
    return out->copied ? els_str(elelem_buffer_text(&c->els_scratch).data + out->name.size, out->copied) : out->name;
}

ELS_PRIVATE void els_shape_take_part(const elelem_shape_context *c, const els_out *out, elelem_event_part *part)
{
    elelem_str text = els_out_str(c, &out->text);

    part->kind = out->part_kind;
    part->tool_call.kind = out->tool_call_kind;
    if (out->part_kind == ELELEM_PART_PROVIDER_ITEM) {
        part->text = text;
        part->type = els_out_name(c, out);
        part->hosted = out->hosted;
    } else if (out->part_kind != ELELEM_PART_TOOL_CALL) {
        part->text = text;
    } else if (out->tool_call_kind == ELELEM_TOOL_CALL_START) {
        part->tool_call.id = text;
        part->tool_call.name = out->name;
    } else {
        part->tool_call.text = text;
    }
}

/* Takes the last entry of metadata for what it is, if it is no metadata. */
ELS_PRIVATE void els_shape_take_extra(elelem_event *event)
{
    elelem_metadata *metadata = &event->metadata;
    elelem_str text;

    if (metadata->entries[metadata->count - 1].key.data != els_extra_key) return;
    text = metadata->entries[--metadata->count].json;
    if (event->part.kind == ELELEM_PART_TOOL_CALL) event->part.tool_call.type = text;
    else event->part.caption = text;
}

/* The next event of the frame: OK; MORE: there is none; or there is no memory for it, or for the usage, which is kept when the events
   were taken and their memory is free. */
ELS_PRIVATE elelem_status els_shape_take(elelem_shape_context *c, elelem_event *event)
{
    els_out *out;
    elelem_status status;

    if (c->els_out_taken == c->els_out_count) {
        status = ELS_HAS_METADATA ? els_shape_keep_usage(c) : ELELEM_OK;
        return status == ELELEM_OK ? ELELEM_MORE : status;
    }
    out = els_out_at(c, c->els_out_taken++);
    status = out->metadata_count > 0 || out->text.form != ELS_OUT_PLAIN ? els_shape_write(c, out) : ELELEM_OK;
    if (status != ELELEM_OK) return status;
    memset(event, 0, sizeof *event);
    event->kind = out->kind;
    event->cut_off = out->cut_off;
    event->index = out->index;
    event->choice = out->choice;
    if (out->kind == ELELEM_EVENT_PART) els_shape_take_part(c, out, &event->part);
    if (out->metadata_count == 0) return ELELEM_OK;
    els_shape_take_metadata(c, out->metadata_count, &event->metadata);
    els_shape_take_extra(event);
    return ELELEM_OK;
}

/* The reasons of the choices but the first, as an object. */
ELS_PRIVATE void els_shape_other_reasons(elelem_shape_context *c)
{
    elelem_writer writer;
    size_t offset = els_scratch_begin(c, &writer);
    uint32_t i;
    int any = 0;

    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    for (i = 0; i < c->els_choice_count; i++) {
        const els_choice *choice = els_choice_at(c, i);
        char digits[12];
        elelem_span_sink span;
        elelem_writer number;
        if (choice->choice == 0 || !choice->reason) continue;
        any = 1;
        span.data = digits;
        span.capacity = sizeof digits;
        span.size = 0;
        elelem_writer_init(&number, elelem_span_sink_of(&span), 0);
        elelem_writer_uint64(&number, choice->choice);
        elelem_writer_key(&writer, els_str(digits, span.size));
        elelem_writer_string(&writer, elelem_str_of(elelem_finish_reason_name((choice->reason - 1))));
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    if (els_scratch_end(c, &writer) && any) els_metadata_add(c, elelem_str_of("finish_reasons"), offset);
}

/* The number of the last frame. */
ELS_PRIVATE void els_shape_last_sequence(elelem_shape_context *c)
{
    elelem_writer_int64(elelem_shape_write(c), c->els_sequence);
    elelem_shape_metadata_written(c, elelem_str_of("sequence_number"));
}

/* Metadata of the end. */
ELS_PRIVATE void els_shape_end_metadata(elelem_shape_context *c)
{
    elelem_str aside = elelem_buffer_text(&c->els_aside);

    if (c->els_end.kind == ELELEM_EVENT_FINISHED) {
        elelem_str usage = els_usage_text(&c->els_usage);
        if (usage.size > 0) elelem_shape_metadata_json(c, elelem_str_of("usage"), usage);
        if (c->els_choice_count > 1) els_shape_other_reasons(c);
    }
    if (aside.size > 0) elelem_shape_metadata_json(c, elelem_str_of(c->els_aside_key), aside);
    if (c->els_sequence >= 0) els_shape_last_sequence(c);
    if (elelem_buffer_text(&c->els_event_id).size > 0)
        elelem_shape_metadata_json(c, elelem_str_of("event_id"), elelem_buffer_text(&c->els_event_id));
}

/* The end event with its metadata; the error if there is no room for that. */
ELS_PRIVATE elelem_status els_shape_end(elelem_shape_context *c, elelem_event *event)
{
    els_shape_clear_out(c);
    c->els_emits = 1;
    if (ELS_HAS_METADATA) els_shape_end_metadata(c);
    *event = c->els_end;
    if (ELS_HAS_METADATA) els_shape_take_metadata(c, c->els_metadata_count, &event->metadata);
    c->els_emits = 0;
    return event->kind == ELELEM_EVENT_FINISHED ? (elelem_status)c->els_status : ELELEM_OK;
}

#endif
