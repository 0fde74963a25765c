#ifndef ELS_COLLECTOR_C
#define ELS_COLLECTOR_C
#include "collector.h"
#include "base.c"
#include "number.c"
#include "fragment.c"
#include "value.c"
#include "json.c"
#include "writer.c"
#include "event.c"
#include "builder.c"

/* >> collector */

/* What is kept. */
typedef enum els_collected {
    ELS_COLLECTED_CALLS,    /* JSON, which becomes values at the end */
    ELS_COLLECTED_ITEMS,
    ELS_COLLECTED_METADATA,
    ELS_COLLECTED_VALUES,
    ELS_COLLECTED_TEXT = ELS_COLLECTED_VALUES,
    ELS_COLLECTED_REASONING,
    ELS_COLLECTED_END       /* the raw reason, code and message of the end */
} els_collected;

#define ELS_COLLECTED_TEXTS 6

/* Values are nested in a list, an item and its metadata. */
#define ELS_COLLECTED_DEPTH 1024u

/* What a sink writes to. */
typedef struct els_collecting {
    elelem_collector *collector;
    elelem_buffer *buffer;
} els_collecting;

ELS_PRIVATE elelem_status els_collector_add(elelem_collector *c, elelem_buffer *buffer, elelem_str text)
{
    elelem_status status = text.size > c->els_max - c->els_used ? ELELEM_ERROR_VALUE_SIZE : ELELEM_OK;

    if (status == ELELEM_OK) status = elelem_buffer_append(buffer, text.data, text.size);
    if (status == ELELEM_OK) c->els_used += text.size;
    return status;
}

ELS_PRIVATE elelem_status els_collector_write(void *context, const void *bytes, size_t size)
{
    const els_collecting *to = (const els_collecting *)context;

    return els_collector_add(to->collector, to->buffer, els_str(bytes, size));
}

ELS_PRIVATE elelem_writer els_collector_writer(els_collecting *to, elelem_collector *c, els_collected which)
{
    elelem_sink sink;
    elelem_writer writer;

    to->collector = c;
    to->buffer = &c->els_texts[which];
    sink.write = els_collector_write;
    sink.context = to;
    elelem_writer_init(&writer, sink, 0);
    return writer;
}

/* Writes what is before the next element or member. */
ELS_PRIVATE elelem_status els_collector_next(elelem_collector *c, els_collected which)
{
    elelem_buffer *buffer = &c->els_texts[which];
    const char *first = which == ELS_COLLECTED_METADATA ? "{" : "[";

    return els_collector_add(c, buffer, els_str(elelem_buffer_text(buffer).size == 0 ? first : ",", 1));
}

/* Items. */

ELS_PRIVATE elelem_status els_collector_list(elelem_collector *c, els_collected which, const elelem_item *item)
{
    els_collecting to;
    elelem_writer writer = els_collector_writer(&to, c, which);
    elelem_status status = els_collector_next(c, which);

    return status == ELELEM_OK ? elelem_item_write(&writer, item) : status;
}

ELS_PRIVATE elelem_status els_collector_item(elelem_collector *c, const elelem_item *item)
{
    elelem_status status = ELELEM_OK;

    if (item->choice != c->els_choice) return ELELEM_OK;
    if (item->kind == ELELEM_PART_TOOL_CALL) status = els_collector_list(c, ELS_COLLECTED_CALLS, item);
    if (item->kind == ELELEM_PART_MESSAGE || item->kind == ELELEM_PART_STRUCTURED)
        status = els_collector_add(c, &c->els_texts[ELS_COLLECTED_TEXT], item->text);
    if (item->kind == ELELEM_PART_REASONING) status = els_collector_add(c, &c->els_texts[ELS_COLLECTED_REASONING], item->text);
    return status == ELELEM_OK ? els_collector_list(c, ELS_COLLECTED_ITEMS, item) : status;
}

/* Metadata. */

ELS_PRIVATE elelem_status els_collector_member(elelem_collector *c, const elelem_metadata_entry *entry)
{
    els_collecting to;
    elelem_writer writer = els_collector_writer(&to, c, ELS_COLLECTED_METADATA);
    elelem_status status = els_collector_next(c, ELS_COLLECTED_METADATA);

    if (status == ELELEM_OK) status = elelem_writer_string(&writer, entry->key);
    if (status == ELELEM_OK) status = els_collector_add(c, to.buffer, els_str(":", 1));
    return status == ELELEM_OK ? els_collector_add(c, to.buffer, entry->json) : status;
}

ELS_PRIVATE elelem_status els_collector_members(elelem_collector *c, const elelem_metadata *metadata)
{
    elelem_status status = ELELEM_OK;
    size_t i;

    for (i = 0; status == ELELEM_OK && i < metadata->count; i++)
        status = els_collector_member(c, &metadata->entries[i]);
    return status;
}

/* The end. */

/* Closes the JSON, reads it, and frees its text. */
ELS_PRIVATE elelem_status els_collector_read(elelem_collector *c, els_collected which)
{
    elelem_buffer *buffer = &c->els_texts[which];
    int is_object = which == ELS_COLLECTED_METADATA;
    int is_empty = elelem_buffer_text(buffer).size == 0;
    elelem_json_desc desc = ELELEM_INIT;
    elelem_status status = is_empty ? els_collector_next(c, which) : ELELEM_OK;

    if (status == ELELEM_OK) status = els_collector_add(c, buffer, els_str(is_object ? "}" : "]", 1));
    if (status != ELELEM_OK) return status;
    desc.allocator = c->els_allocator;
    desc.max_bytes = (uint32_t)c->els_max;
    desc.max_depth = ELS_COLLECTED_DEPTH;
    if (elelem_value_type(elelem_json_read(&c->els_values[which], elelem_buffer_text(buffer), &desc)) == ELELEM_TYPE_NONE)
        return elelem_json_error(&c->els_values[which]).status;
    elelem_buffer_free(buffer);
    return ELELEM_OK;
}

ELS_PRIVATE elelem_value els_collector_value(const elelem_collector *c, els_collected which)
{
    return elelem_fragment_aggregator_value(&c->els_values[which].els_tree);
}

/* The reason of a choice other than 0, which is in the metadata. */
ELS_PRIVATE elelem_finish_reason els_collector_reason(const elelem_collector *c)
{
    elelem_value reason = elelem_value_first(elelem_value_get(els_collector_value(c, ELS_COLLECTED_METADATA), "finish_reasons"));
    uint64_t choice;
    unsigned i;

    for (; elelem_value_type(reason) != ELELEM_TYPE_NONE; reason = elelem_value_next(reason)) {
        if (elelem_number_to_uint64(elelem_value_key(reason), &choice) != ELELEM_OK || choice != c->els_choice) continue;
        for (i = 0; i < ELELEM_FINISH_REASON_COUNT; i++)
            if (elelem_str_is(elelem_value_text(reason), elelem_finish_reason_name(i))) return (elelem_finish_reason)i;
    }
    return ELELEM_FINISH_OTHER;
}

/* Copies the texts of the end, one after the other. */
ELS_PRIVATE elelem_status els_collector_end_texts(elelem_collector *c, const elelem_turn_update *update)
{
    elelem_buffer *buffer = &c->els_texts[ELS_COLLECTED_END];
    elelem_str raw = c->els_choice == 0 ? update->raw_reason : els_str(NULL, 0);
    elelem_status status = els_collector_add(c, buffer, raw);

    c->els_raw_size = raw.size;
    c->els_code_size = update->error.code.size;
    if (status == ELELEM_OK) status = els_collector_add(c, buffer, update->error.code);
    return status == ELELEM_OK ? els_collector_add(c, buffer, update->error.message) : status;
}

ELS_PRIVATE elelem_status els_collector_end(elelem_collector *c, const elelem_turn_update *update)
{
    elelem_response *response = &c->els_response;
    elelem_status status = els_collector_members(c, &update->metadata);
    int i;

    if (status == ELELEM_OK) status = els_collector_end_texts(c, update);
    for (i = 0; status == ELELEM_OK && i < ELS_COLLECTED_VALUES; i++)
        status = els_collector_read(c, (els_collected)i);
    if (status != ELELEM_OK) return status;
    response->is_error = update->kind == ELELEM_TURN_ERROR;
    response->usage = update->usage;
    response->error = update->error;
    response->reason = update->reason;
    if (!response->is_error && c->els_choice > 0) response->reason = (uint8_t)els_collector_reason(c);
    c->els_is_over = 1;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_collector_take(elelem_collector *c, const elelem_turn_update *update)
{
    switch (update->kind) {
    case ELELEM_TURN_ITEM:
    case ELELEM_TURN_TOOL_CALL_DONE: return els_collector_item(c, update->item);
    case ELELEM_TURN_METADATA: return els_collector_members(c, &update->metadata);
    case ELELEM_TURN_FINISHED:
    case ELELEM_TURN_ERROR: return els_collector_end(c, update);
    default: return ELELEM_OK;
    }
}

elelem_status elelem_collector_push(elelem_collector *collector, const elelem_turn_update *update)
{
    if (collector->els_max == 0 || collector->els_is_over) return ELELEM_ERROR_MISUSE;
    if (collector->els_status == ELELEM_OK) collector->els_status = els_collector_take(collector, update);
    return (elelem_status)collector->els_status;
}

elelem_status elelem_collector_response(const elelem_collector *collector, elelem_response *response)
{
    elelem_str end = elelem_buffer_text(&collector->els_texts[ELS_COLLECTED_END]);
    size_t code = collector->els_raw_size, message = code + collector->els_code_size;

    memset(response, 0, sizeof *response);
    if (collector->els_max == 0) return ELELEM_ERROR_MISUSE;
    if (collector->els_status != ELELEM_OK) return (elelem_status)collector->els_status;
    if (!collector->els_is_over) return ELELEM_MORE;
    *response = collector->els_response;
    response->raw_reason = els_str(end.data, collector->els_raw_size);
    response->error.code = els_str(end.data + code, collector->els_code_size);
    response->error.message = els_str(end.data + message, end.size - message);
    response->text = elelem_buffer_text(&collector->els_texts[ELS_COLLECTED_TEXT]);
    response->reasoning = elelem_buffer_text(&collector->els_texts[ELS_COLLECTED_REASONING]);
    response->tool_calls = els_collector_value(collector, ELS_COLLECTED_CALLS);
    response->items = els_collector_value(collector, ELS_COLLECTED_ITEMS);
    response->metadata = els_collector_value(collector, ELS_COLLECTED_METADATA);
    return ELELEM_OK;
}

elelem_error elelem_collector_error(const elelem_collector *collector)
{
    elelem_status status = (elelem_status)collector->els_status;

    if (collector->els_max == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    return els_error(status, status == ELELEM_OK ? 0 : collector->els_used);
}

void elelem_collector_reset(elelem_collector *collector)
{
    int i;

    for (i = 0; i < ELS_COLLECTED_TEXTS; i++)
        elelem_buffer_clear(&collector->els_texts[i]);
    for (i = 0; i < ELS_COLLECTED_VALUES; i++)
        elelem_json_free(&collector->els_values[i]);
    memset(&collector->els_response, 0, sizeof collector->els_response);
    collector->els_used = collector->els_raw_size = collector->els_code_size = 0;
    collector->els_status = ELELEM_OK;
    collector->els_is_over = 0;
}

void elelem_collector_init(elelem_collector *collector, const elelem_collector_desc *desc)
{
    elelem_collector_desc defaults = ELELEM_INIT;
    const elelem_collector_desc *d = desc ? desc : &defaults;
    int i;

    memset(collector, 0, sizeof *collector);
    collector->els_allocator = d->allocator;
    collector->els_max = ELS_DEFAULT(d->max_bytes, 64u << 20);
    collector->els_choice = d->choice;
    for (i = 0; i < ELS_COLLECTED_TEXTS; i++)
        elelem_buffer_init(&collector->els_texts[i], d->allocator, collector->els_max);
}

void elelem_collector_free(elelem_collector *collector)
{
    int i;

    for (i = 0; i < ELS_COLLECTED_TEXTS; i++)
        elelem_buffer_free(&collector->els_texts[i]);
    for (i = 0; i < ELS_COLLECTED_VALUES; i++)
        elelem_json_free(&collector->els_values[i]);
    memset(collector, 0, sizeof *collector);
}

#endif
