#ifndef ELS_RECORD_C
#define ELS_RECORD_C
#include "record.h"
#include "base.c"
#include "number.c"
#include "fragment.c"
#include "writer.c"
#include "event.c"

/* >> record */

/* Checking JSON text that others wrote: it must be one whole value, or it could forge
   what stands around it. */

static const elelem_pattern_node els_record_nothing[] = { ELELEM_PATTERN_ROOT(0) };
static const elelem_patterns els_record_no_patterns = { els_record_nothing, 0, 0 };

/* A parser that validates and gives out nothing. */
ELS_PRIVATE void els_record_check_init(elelem_fragment_parser *check, elelem_allocator allocator)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    desc.patterns = &els_record_no_patterns;
    desc.single_document = 1;
    elelem_fragment_parser_init(check, &desc);
}

ELS_PRIVATE elelem_status els_record_check_piece(elelem_fragment_parser *check, elelem_str piece)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_push(check, piece.data, piece.size);

    if (status == ELELEM_OK) status = elelem_fragment_parser_next(check, &fragment);
    return status == ELELEM_MORE ? ELELEM_OK : status;
}

ELS_PRIVATE elelem_status els_record_check_end(elelem_fragment_parser *check)
{
    elelem_fragment fragment;
    elelem_status status;

    elelem_fragment_parser_finish(check);
    status = elelem_fragment_parser_next(check, &fragment);
    return status == ELELEM_END ? ELELEM_OK : status;
}

/* OK where the text is one JSON value. */
ELS_PRIVATE elelem_status els_record_check_json(elelem_fragment_parser *check, elelem_str json)
{
    elelem_status status;

    elelem_fragment_parser_reset(check);
    status = els_record_check_piece(check, json);
    return status == ELELEM_OK ? els_record_check_end(check) : status;
}

/* OK where the text is what may stand between the braces of an object, and is not empty. */
ELS_PRIVATE elelem_status els_record_check_members(elelem_fragment_parser *check, elelem_str members)
{
    elelem_status status;

    elelem_fragment_parser_reset(check);
    status = els_record_check_piece(check, els_str("{", 1));
    if (status == ELELEM_OK) status = els_record_check_piece(check, members);
    if (status == ELELEM_OK) status = els_record_check_piece(check, els_str("}", 1));
    return status == ELELEM_OK ? els_record_check_end(check) : status;
}

ELS_PRIVATE elelem_status els_record_check_metadata(elelem_fragment_parser *check, const elelem_metadata *metadata)
{
    elelem_status status = ELELEM_OK;
    size_t i;

    for (i = 0; i < metadata->count && status == ELELEM_OK; i++)
        status = els_record_check_json(check, metadata->entries[i].json);
    return status;
}

/* Lines. */

/* Passes on all but control bytes. Those stand in checked JSON between tokens only,
   where leaving them out changes nothing; so a line has one line feed, its last byte. */
ELS_PRIVATE elelem_status els_line_write(void *context, const void *bytes, size_t size)
{
    const elelem_sink *sink = (const elelem_sink *)context;
    const unsigned char *at = (const unsigned char *)bytes;
    const unsigned char *end = at + size;
    elelem_status status = ELELEM_OK;

    while (at < end && status == ELELEM_OK) {
        const unsigned char *start = at;
        while (at < end && *at >= 0x20)
            at++;
        if (at > start) status = sink->write(sink->context, start, (size_t)(at - start));
        while (at < end && *at < 0x20)
            at++;
    }
    return status;
}

ELS_PRIVATE elelem_sink els_line_sink(elelem_sink *sink)
{
    elelem_sink line;

    line.write = els_line_write;
    line.context = sink;
    return line;
}

ELS_PRIVATE void els_line_put_known_string(elelem_writer *writer, const char *key, elelem_str text)
{
    if (text.size > 0) els_put_text(writer, key, text);
}

/* Numbers that are not known are negative. */
ELS_PRIVATE void els_line_put_known_number(elelem_writer *writer, const char *key, int64_t number)
{
    if (number >= 0) els_put_number(writer, key, number);
}

ELS_PRIVATE void els_line_put_type(elelem_writer *writer, const char *type)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_text(writer, "eventType", elelem_str_of(type));
}

ELS_PRIVATE void els_line_put_place(elelem_writer *writer, uint32_t index, uint32_t choice)
{
    els_put_number(writer, "index", index);
    if (choice > 0) els_put_number(writer, "choice", choice);
}

ELS_PRIVATE void els_line_put_metadata(elelem_writer *writer, const elelem_metadata *metadata)
{
    size_t i;

    if (metadata->count == 0) return;
    elelem_writer_key(writer, elelem_str_of("metadata"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (i = 0; i < metadata->count; i++) {
        elelem_writer_key(writer, metadata->entries[i].key);
        elelem_writer_json(writer, metadata->entries[i].json);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

ELS_PRIVATE void els_line_put_usage(elelem_writer *writer, const elelem_usage *usage)
{
    if (usage->input < 0 && usage->output < 0 && usage->cached < 0 && usage->reasoning < 0) return;
    elelem_writer_key(writer, elelem_str_of("usage"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_line_put_known_number(writer, "input", usage->input);
    els_line_put_known_number(writer, "output", usage->output);
    els_line_put_known_number(writer, "cached", usage->cached);
    els_line_put_known_number(writer, "reasoning", usage->reasoning);
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* "ERROR_UTF8" for ELELEM_ERROR_UTF8. */
ELS_PRIVATE elelem_str els_line_status_word(int32_t status)
{
    return elelem_str_of(elelem_status_name((elelem_status)status) + sizeof "ELELEM_" - 1);
}

ELS_PRIVATE void els_line_put_error(elelem_writer *writer, const elelem_stream_error *error)
{
    els_line_put_type(writer, "Error");
    els_put_text(writer, "kind", elelem_str_of(elelem_error_kind_name((elelem_error_kind)error->kind)));
    elelem_writer_key(writer, elelem_str_of("retryable"));
    elelem_writer_bool(writer, error->retryable);
    els_line_put_known_number(writer, "retryAfterMs", error->retry_after_ms);
    if (error->http_status != 0) els_put_number(writer, "httpStatus", error->http_status);
    els_line_put_known_string(writer, "code", error->code);
    els_put_text(writer, "message", error->message);
    if (error->status != ELELEM_OK) els_put_text(writer, "status", els_line_status_word(error->status));
    if (error->offset == 0) return;
    elelem_writer_key(writer, elelem_str_of("offset"));
    elelem_writer_uint64(writer, error->offset);
}

ELS_PRIVATE void els_line_put_finished(elelem_writer *writer, const elelem_event *event)
{
    els_line_put_type(writer, "ChatCompleted");
    els_put_text(writer, "finishReason",
                        elelem_str_of(elelem_finish_reason_name((elelem_finish_reason)event->reason)));
    els_line_put_known_string(writer, "rawFinishReason", event->raw_reason);
    els_line_put_usage(writer, &event->usage);
}

ELS_PRIVATE void els_line_put_text(elelem_writer *writer, const char *type, const elelem_event *event, elelem_str text)
{
    els_line_put_type(writer, type);
    els_line_put_place(writer, event->index, event->choice);
    els_put_text(writer, "chunk", text);
}

ELS_PRIVATE void els_line_put_tool_call(elelem_writer *writer, const elelem_event *event)
{
    const elelem_tool_call_part *call = &event->part.tool_call;

    if (call->kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK) {
        els_line_put_text(writer, "ToolCallArguments", event, call->text);
        return;
    }
    els_line_put_type(writer, "ToolCallStart");
    els_line_put_place(writer, event->index, event->choice);
    els_line_put_known_string(writer, "id", call->id);
    els_line_put_known_string(writer, "toolName", call->name);
}

ELS_PRIVATE void els_line_put_part(elelem_writer *writer, const elelem_event *event)
{
    switch (event->part.kind) {
    case ELELEM_PART_MESSAGE: els_line_put_text(writer, "PartialResponse", event, event->part.text); break;
    case ELELEM_PART_REASONING: els_line_put_text(writer, "PartialThinking", event, event->part.text); break;
    case ELELEM_PART_STRUCTURED: els_line_put_text(writer, "PartialStructured", event, event->part.text); break;
    default: els_line_put_tool_call(writer, event); break;
    }
}

ELS_PRIVATE int els_event_is_known(const elelem_event *event)
{
    if (event->kind != ELELEM_EVENT_PART) return event->kind <= ELELEM_EVENT_ERROR;
    if (event->part.kind != ELELEM_PART_TOOL_CALL) return event->part.kind < ELELEM_PART_TOOL_CALL;
    return event->part.tool_call.kind <= ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
}

/* All members of an event but those that any line may have; the object stays open. */
ELS_PRIVATE void els_line_put_event(elelem_writer *writer, const elelem_event *event)
{
    switch (event->kind) {
    case ELELEM_EVENT_PART: els_line_put_part(writer, event); break;
    case ELELEM_EVENT_FLUSH:
        els_line_put_type(writer, "Flush");
        els_line_put_place(writer, event->index, event->choice);
        break;
    case ELELEM_EVENT_FINISHED: els_line_put_finished(writer, event); break;
    default: els_line_put_error(writer, &event->error); break;
    }
}

/* Metadata that merges: one slot a key, its text first and behind it the JSON. */

#define ELS_META_KEYS 64     /* more different ones are not merged */
#define ELS_META_ENTRIES 256 /* of one event; more are not looked at */

typedef struct els_meta_slot {
    elelem_buffer text;
    size_t key_size;
} els_meta_slot;

ELS_PRIVATE els_meta_slot *els_meta_at(const els_meta *meta, size_t i)
{
    return (els_meta_slot *)(void *)meta->els_slots.data + i;
}

ELS_PRIVATE elelem_str els_meta_key(const els_meta_slot *slot)
{
    return els_str(elelem_buffer_text(&slot->text).data, slot->key_size);
}

ELS_PRIVATE elelem_str els_meta_json(const els_meta_slot *slot)
{
    elelem_str text = elelem_buffer_text(&slot->text);

    return els_str(text.data + slot->key_size, text.size - slot->key_size);
}

ELS_PRIVATE els_meta_slot *els_meta_find(const els_meta *meta, elelem_str key)
{
    size_t i;

    for (i = 0; i < meta->els_count; i++)
        if (elelem_str_equal(els_meta_key(els_meta_at(meta, i)), key)) return els_meta_at(meta, i);
    return NULL;
}

/* Text kept under the common limit. */
ELS_PRIVATE elelem_status els_calls_keep(els_calls *calls, elelem_buffer *buffer, elelem_str text)
{
    elelem_status status;

    if (text.size > calls->els_left) return ELELEM_ERROR_VALUE_SIZE;
    status = elelem_buffer_append(buffer, text.data, text.size);
    if (status == ELELEM_OK) calls->els_left -= text.size;
    return status;
}

/* Cuts kept text back to `size` bytes. */
ELS_PRIVATE void els_calls_cut(els_calls *calls, elelem_buffer *buffer, size_t size)
{
    calls->els_left += buffer->els_size - size;
    buffer->els_size = size;
}

ELS_PRIVATE void els_calls_drop(els_calls *calls, elelem_buffer *buffer)
{
    els_calls_cut(calls, buffer, 0);
    elelem_buffer_free(buffer);
}

ELS_PRIVATE elelem_str els_json_trim(elelem_str json)
{
    const char *at = json.data;
    const char *end = json.size > 0 ? at + json.size : at;

    while (at < end && els_is_blank((unsigned char)*at))
        at++;
    while (at < end && els_is_blank((unsigned char)end[-1]))
        end--;
    return els_str(at, (size_t)(end - at));
}

/* What stands between the brackets of an array. */
ELS_PRIVATE elelem_str els_json_elements(elelem_str array)
{
    return els_json_trim(els_str(array.data + 1, array.size - 2));
}

ELS_PRIVATE int els_json_is_array(elelem_str json)
{
    return json.size >= 2 && json.data[0] == '[';
}

/* What the key of an entry stands for before it; empty for nothing. */
ELS_PRIVATE elelem_str els_meta_before(const els_meta *meta, const elelem_metadata *metadata, size_t which)
{
    const els_meta_slot *slot;
    size_t i;

    for (i = which; i > 0; i--)
        if (elelem_str_equal(metadata->entries[i - 1].key, metadata->entries[which].key))
            return els_json_trim(metadata->entries[i - 1].json);
    slot = els_meta_find(meta, metadata->entries[which].key);
    return slot ? els_meta_json(slot) : els_str(NULL, 0);
}

/* Nonzero where the metadata can be merged into what is there. An array and something else under
   one key cannot: which came first could not be told any more, but decides whether the array is to be
   added to one of earlier metadata. */
ELS_PRIVATE int els_meta_fits(const els_meta *meta, const elelem_metadata *metadata)
{
    size_t i, keys = meta->els_count;

    if (metadata->count > ELS_META_ENTRIES) return 0;
    for (i = 0; i < metadata->count; i++) {
        elelem_str before = els_meta_before(meta, metadata, i);
        if (before.size == 0) keys++;
        else if (els_json_is_array(before) != els_json_is_array(els_json_trim(metadata->entries[i].json))) return 0;
    }
    return keys <= ELS_META_KEYS;
}

/* [a] and [b] become [a,b]. */
ELS_PRIVATE elelem_status els_meta_extend(els_calls *calls, els_meta_slot *slot, elelem_str more)
{
    elelem_str array = els_meta_json(slot);
    int needs_comma = els_json_elements(array).size > 0;
    elelem_status status;

    if (more.size == 0) return ELELEM_OK;
    els_calls_cut(calls, &slot->text, slot->text.els_size - 1);
    status = els_calls_keep(calls, &slot->text, els_str(",", needs_comma ? 1 : 0));
    if (status == ELELEM_OK) status = els_calls_keep(calls, &slot->text, more);
    return status == ELELEM_OK ? els_calls_keep(calls, &slot->text, els_str("]", 1)) : status;
}

ELS_PRIVATE elelem_status els_meta_new(els_calls *calls, els_meta *meta, elelem_str key, els_meta_slot **slot)
{
    size_t needed = (meta->els_count + 1) * sizeof(els_meta_slot);
    elelem_status status;

    if (meta->els_count >= ELS_META_KEYS) return ELELEM_ERROR_COUNT;
    meta->els_slots.allocator = calls->els_slots.allocator;
    status = els_block_reserve(&meta->els_slots, needed, SIZE_MAX, ELELEM_ERROR_MEMORY);
    if (status != ELELEM_OK) return status;
    *slot = els_meta_at(meta, meta->els_count++);
    elelem_buffer_init(&(*slot)->text, calls->els_slots.allocator, 0);
    (*slot)->key_size = 0;
    status = els_calls_keep(calls, &(*slot)->text, key);
    if (status == ELELEM_OK) (*slot)->key_size = key.size;
    return status;
}

/* Arrays are kept without blanks at their brackets, so that adding to one costs what is added. */
ELS_PRIVATE elelem_status els_meta_set(els_calls *calls, els_meta_slot *slot, elelem_str json)
{
    elelem_status status;

    els_calls_cut(calls, &slot->text, slot->key_size);
    if (!els_json_is_array(json)) return els_calls_keep(calls, &slot->text, json);
    status = els_calls_keep(calls, &slot->text, els_str("[", 1));
    if (status == ELELEM_OK) status = els_calls_keep(calls, &slot->text, els_json_elements(json));
    return status == ELELEM_OK ? els_calls_keep(calls, &slot->text, els_str("]", 1)) : status;
}

/* The later value of a key counts, save that arrays are added to. */
ELS_PRIVATE elelem_status els_meta_merge(els_calls *calls, els_meta *meta, elelem_str key, elelem_str json)
{
    els_meta_slot *slot = els_meta_find(meta, key);

    if (!slot) {
        elelem_status status = els_meta_new(calls, meta, key, &slot);
        if (status != ELELEM_OK) return status;
    } else if (els_json_is_array(json) && els_json_is_array(els_meta_json(slot))) {
        return els_meta_extend(calls, slot, els_json_elements(json));
    }
    return els_meta_set(calls, slot, json);
}

ELS_PRIVATE elelem_status els_meta_add(els_calls *calls, els_meta *meta, const elelem_metadata *metadata)
{
    elelem_status status = ELELEM_OK;
    size_t i;

    if (metadata->count > ELS_META_ENTRIES) return ELELEM_ERROR_COUNT;
    for (i = 0; i < metadata->count && status == ELELEM_OK; i++)
        status = els_meta_merge(calls, meta, metadata->entries[i].key, els_json_trim(metadata->entries[i].json));
    return status;
}

/* Nonzero where both are the same JSON text but for control bytes, which a line leaves out. */
ELS_PRIVATE int els_json_same(elelem_str a, elelem_str b)
{
    size_t i = 0, j = 0;

    for (;;) {
        while (i < a.size && (unsigned char)a.data[i] < 0x20)
            i++;
        while (j < b.size && (unsigned char)b.data[j] < 0x20)
            j++;
        if (i == a.size || j == b.size) return i == a.size && j == b.size;
        if (a.data[i++] != b.data[j++]) return 0;
    }
}

/* Takes out the keys under which the other has the same. */
ELS_PRIVATE void els_meta_subtract(els_calls *calls, els_meta *meta, const els_meta *other)
{
    size_t i, left = 0;

    for (i = 0; i < meta->els_count; i++) {
        els_meta_slot *slot = els_meta_at(meta, i);
        const els_meta_slot *same = els_meta_find(other, els_meta_key(slot));
        if (same && els_json_same(els_meta_json(slot), els_meta_json(same))) els_calls_drop(calls, &slot->text);
        else *els_meta_at(meta, left++) = *slot;
    }
    meta->els_count = left;
}

ELS_PRIVATE void els_meta_clear(els_calls *calls, els_meta *meta)
{
    for (; meta->els_count > 0; meta->els_count--)
        els_calls_drop(calls, &els_meta_at(meta, meta->els_count - 1)->text);
}

ELS_PRIVATE void els_meta_free(els_calls *calls, els_meta *meta)
{
    els_meta_clear(calls, meta);
    els_block_free(&meta->els_slots);
}

/* The merged metadata as a list, which lies in the calls' block of entries. */
ELS_PRIVATE elelem_status els_meta_list(els_calls *calls, const els_meta *meta, elelem_metadata *list)
{
    elelem_metadata_entry *entries;
    elelem_status status;
    size_t i;

    memset(list, 0, sizeof *list);
    if (meta->els_count == 0) return ELELEM_OK;
    status = els_block_reserve(&calls->els_entries, meta->els_count * sizeof *entries, SIZE_MAX, ELELEM_ERROR_MEMORY);
    if (status != ELELEM_OK) return status;
    entries = (elelem_metadata_entry *)(void *)calls->els_entries.data;
    for (i = 0; i < meta->els_count; i++) {
        entries[i].key = els_meta_key(els_meta_at(meta, i));
        entries[i].json = els_meta_json(els_meta_at(meta, i));
    }
    list->entries = entries;
    list->count = meta->els_count;
    return ELELEM_OK;
}

/* Open tool calls, in the order they were opened. */

typedef struct els_call {
    elelem_buffer id;
    elelem_buffer name;
    elelem_buffer extra; /* members of the line that opened it */
    elelem_buffer arguments;
    els_meta meta;
    int64_t time_ms;
    uint32_t index;
    uint32_t choice;
} els_call;

ELS_PRIVATE void els_calls_init(els_calls *calls, elelem_allocator allocator, uint32_t max_bytes, uint32_t max_calls)
{
    memset(calls, 0, sizeof *calls);
    calls->els_slots.allocator = allocator;
    calls->els_entries.allocator = allocator;
    calls->els_max = ELS_DEFAULT(max_calls, 256u);
    calls->els_max_bytes = ELS_DEFAULT(max_bytes, 64u << 20);
    calls->els_left = calls->els_max_bytes;
}

ELS_PRIVATE els_call *els_call_at(const els_calls *calls, size_t i)
{
    return (els_call *)(void *)calls->els_slots.data + i;
}

ELS_PRIVATE els_call *els_calls_find(const els_calls *calls, uint32_t index)
{
    size_t i;

    for (i = calls->els_count; i > 0; i--)
        if (els_call_at(calls, i - 1)->index == index) return els_call_at(calls, i - 1);
    return NULL;
}

ELS_PRIVATE elelem_status els_calls_open(els_calls *calls, const elelem_event *event, els_call **call)
{
    size_t needed = (calls->els_count + 1) * sizeof **call;
    elelem_status status;

    if (calls->els_count >= calls->els_max) return ELELEM_ERROR_COUNT;
    status = els_block_reserve(&calls->els_slots, needed, SIZE_MAX, ELELEM_ERROR_MEMORY);
    if (status != ELELEM_OK) return status;
    *call = els_call_at(calls, calls->els_count++);
    memset(*call, 0, sizeof **call);
    elelem_buffer_init(&(*call)->id, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->name, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->extra, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->arguments, calls->els_slots.allocator, 0);
    (*call)->time_ms = -1;
    (*call)->index = event->index;
    (*call)->choice = event->choice;
    return ELELEM_OK;
}

ELS_PRIVATE void els_calls_close(els_calls *calls, els_call *call)
{
    size_t behind = (size_t)(els_call_at(calls, calls->els_count) - (call + 1));

    els_calls_drop(calls, &call->id);
    els_calls_drop(calls, &call->name);
    els_calls_drop(calls, &call->extra);
    els_calls_drop(calls, &call->arguments);
    els_meta_free(calls, &call->meta);
    memmove(call, call + 1, behind * sizeof *call);
    calls->els_count--;
}

ELS_PRIVATE void els_calls_clear(els_calls *calls)
{
    while (calls->els_count > 0)
        els_calls_close(calls, els_call_at(calls, calls->els_count - 1));
    calls->els_left = calls->els_max_bytes;
}

ELS_PRIVATE void els_calls_free(els_calls *calls)
{
    els_calls_clear(calls);
    els_block_free(&calls->els_slots);
    els_block_free(&calls->els_entries);
}

/* The first id and the first name that are not empty count. */
ELS_PRIVATE elelem_status els_call_add(els_calls *calls, els_call *call, const elelem_tool_call_part *part)
{
    elelem_status status = ELELEM_OK;

    if (part->kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK) return els_calls_keep(calls, &call->arguments, part->text);
    if (call->id.els_size == 0) status = els_calls_keep(calls, &call->id, part->id);
    if (status == ELELEM_OK && call->name.els_size == 0) status = els_calls_keep(calls, &call->name, part->name);
    return status;
}

/* Adds a part to its call, which is opened if it is new. If that is refused, the call is as it was before. */
ELS_PRIVATE elelem_status els_calls_take(els_calls *calls, const elelem_event *event)
{
    els_call *call = els_calls_find(calls, event->index);
    int is_new = !call;
    size_t id, name, arguments;
    elelem_status status = is_new ? els_calls_open(calls, event, &call) : ELELEM_OK;

    if (status != ELELEM_OK) return status;
    id = call->id.els_size;
    name = call->name.els_size;
    arguments = call->arguments.els_size;
    status = els_call_add(calls, call, &event->part.tool_call);
    if (status == ELELEM_OK) status = els_meta_add(calls, &call->meta, &event->metadata);
    if (status == ELELEM_OK) return status;
    els_calls_cut(calls, &call->id, id);
    els_calls_cut(calls, &call->name, name);
    els_calls_cut(calls, &call->arguments, arguments);
    if (is_new) els_calls_close(calls, call);
    return status;
}

/* Sets `input` to the arguments as JSON ({} if they are blank, as in the event builder), or leaves it empty
   if they are not JSON. OK or ERROR_MEMORY. Memory is needed here only, before the line is begun. */
ELS_PRIVATE elelem_status els_call_input(elelem_fragment_parser *check, const els_call *call, elelem_str *input)
{
    elelem_str json = els_json_trim(elelem_buffer_text(&call->arguments));
    elelem_status status = json.size > 0 ? els_record_check_json(check, json) : ELELEM_OK;

    *input = json.size > 0 ? json : elelem_str_of("{}");
    if (status == ELELEM_OK || status == ELELEM_ERROR_MEMORY) return status;
    *input = els_str(NULL, 0);
    return ELELEM_OK;
}

/* Writes all members of a BeforeToolExecution line but those that any line may have. */
ELS_PRIVATE void els_line_put_call(elelem_writer *writer, const els_call *call, elelem_str input)
{
    els_line_put_type(writer, "BeforeToolExecution");
    els_line_put_place(writer, call->index, call->choice);
    els_line_put_known_string(writer, "id", elelem_buffer_text(&call->id));
    els_put_text(writer, "toolName", elelem_buffer_text(&call->name));
    if (input.size > 0) els_put_json(writer, "input", input);
    else els_put_text(writer, "inputText", elelem_buffer_text(&call->arguments));
}

/* Reading lines that were checked: what follows relies on them being JSON. */

typedef struct els_line_member {
    elelem_str whole; /* key, colon and value */
    elelem_str key;   /* between its quotes, with escapes */
    elelem_str value;
} els_line_member;

/* Behind the string that starts here. */
ELS_PRIVATE const unsigned char *els_line_string_end(const unsigned char *at, const unsigned char *end)
{
    at++;
    while (at < end && *at != '"')
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    return at < end ? at + 1 : end;
}

ELS_INLINE int els_line_ends_value(unsigned char byte)
{
    return byte == ',' || byte == '}' || byte == ']' || els_is_blank(byte);
}

/* Behind the value that starts here. */
ELS_PRIVATE const unsigned char *els_line_value_end(const unsigned char *at, const unsigned char *end)
{
    size_t depth = 0;

    do {
        if (*at == '"') {
            at = els_line_string_end(at, end);
        } else {
            depth += *at == '{' || *at == '[';
            depth -= *at == '}' || *at == ']';
            at++;
        }
    } while (at < end && (depth > 0 || !els_line_ends_value(*at)));
    return at;
}

/* Behind the bracket that opens a container. */
ELS_PRIVATE els_cursor els_line_inside(elelem_str container)
{
    els_cursor in = els_cursor_of(container.data, container.size);

    els_json_find(&in);
    in.at++;
    return in;
}

/* The next element of an array, or the next key of an object; zero where there is none. */
ELS_PRIVATE int els_line_next_value(els_cursor *in, elelem_str *value)
{
    const unsigned char *start;

    while (in->at < in->end && (*in->at == ',' || els_is_blank(*in->at)))
        in->at++;
    if (in->at == in->end || *in->at == '}' || *in->at == ']') return 0;
    start = in->at;
    in->at = *start == '"' ? els_line_string_end(start, in->end) : els_line_value_end(start, in->end);
    *value = els_str(start, (size_t)(in->at - start));
    return 1;
}

ELS_PRIVATE int els_line_next_member(els_cursor *in, els_line_member *member)
{
    elelem_str key;

    if (!els_line_next_value(in, &key)) return 0;
    while (els_json_find(in) && *in->at == ':')
        in->at++;
    if (!els_line_next_value(in, &member->value)) return 0;
    member->key = els_str(key.data + 1, key.size - 2);
    member->whole = els_str(key.data, (size_t)((const char *)in->at - key.data));
    return 1;
}

/* The reader. Decoded strings and extra members together are never longer than their
   line, so its room is taken once and no slice into it moves. */

#define ELS_LONGEST_NAME 15 /* rawFinishReason */

ELS_PRIVATE void els_line_reader_init(els_line_reader *reader, elelem_allocator allocator)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    memset(reader, 0, sizeof *reader);
    desc.allocator = allocator;
    elelem_fragment_parser_init(&reader->els_decoder, &desc);
    reader->els_text.allocator = allocator;
    reader->els_entries.allocator = allocator;
}

ELS_PRIVATE void els_line_reader_free(els_line_reader *reader)
{
    elelem_fragment_parser_free(&reader->els_decoder);
    els_block_free(&reader->els_text);
    els_block_free(&reader->els_entries);
}

/* Begins another line. */
ELS_PRIVATE void els_line_reader_start(els_line_reader *reader, elelem_str line)
{
    reader->els_used = 0;
    reader->els_room = line.size + 4 * ELS_LONGEST_NAME;
}

ELS_PRIVATE elelem_status els_line_reader_reserve(els_line_reader *reader)
{
    return els_block_reserve(&reader->els_text, reader->els_room, SIZE_MAX, ELELEM_ERROR_MEMORY);
}

ELS_PRIVATE void els_line_reader_put(els_line_reader *reader, elelem_str text)
{
    if (text.size > 0) memcpy(reader->els_text.data + reader->els_used, text.data, text.size);
    reader->els_used += text.size;
}

/* Decodes a string with its quotes. */
ELS_PRIVATE elelem_status els_line_reader_decode(els_line_reader *reader, elelem_str quoted, elelem_str *text)
{
    elelem_status status = els_line_reader_reserve(reader);
    size_t start = reader->els_used;
    elelem_fragment fragment;

    if (status != ELELEM_OK) return status;
    elelem_fragment_parser_reset(&reader->els_decoder);
    elelem_fragment_parser_push(&reader->els_decoder, quoted.data, quoted.size);
    while ((status = elelem_fragment_parser_next(&reader->els_decoder, &fragment)) == ELELEM_OK)
        if (fragment.kind == ELELEM_FRAGMENT_STRING) els_line_reader_put(reader, fragment.text);
    *text = els_str(reader->els_text.data + start, reader->els_used - start);
    return status == ELELEM_END ? ELELEM_OK : status;
}

/* OK; ERROR_TYPE: no string. */
ELS_PRIVATE elelem_status els_line_reader_text(els_line_reader *reader, elelem_str value, elelem_str *text)
{
    *text = els_str(NULL, 0);
    if (value.size == 0) return ELELEM_OK;
    if (value.data[0] != '"') return ELELEM_ERROR_TYPE;
    if (memchr(value.data, '\\', value.size)) return els_line_reader_decode(reader, value, text);
    *text = els_str(value.data + 1, value.size - 2);
    return ELELEM_OK;
}

/* Which of the names the key is; `count` for none. */
ELS_PRIVATE elelem_status els_line_reader_name(els_line_reader *reader, elelem_str key, const char *const *names,
                                               size_t count, size_t *which)
{
    elelem_status status = ELELEM_OK;
    size_t used = reader->els_used;

    *which = count;
    if (key.size > 6 * ELS_LONGEST_NAME) return ELELEM_OK;
    if (key.size > 0 && memchr(key.data, '\\', key.size))
        status = els_line_reader_decode(reader, els_str(key.data - 1, key.size + 2), &key);
    reader->els_used = used;
    if (status != ELELEM_OK) return status;
    for (*which = 0; *which < count; (*which)++)
        if (elelem_str_is(key, names[*which])) break;
    return ELELEM_OK;
}

/* The values of the members that have these names, the last of equal ones; empty where there is none. */
ELS_PRIVATE elelem_status els_line_reader_members(els_line_reader *reader, elelem_str object, const char *const *names,
                                                  size_t count, elelem_str *values, int *others)
{
    els_cursor in = els_line_inside(object);
    els_line_member member;
    size_t which;

    memset(values, 0, count * sizeof *values);
    *others = 0;
    while (els_line_next_member(&in, &member)) {
        elelem_status status = els_line_reader_name(reader, member.key, names, count, &which);
        if (status != ELELEM_OK) return status;
        if (which < count)
            values[which] = member.value;
        else
            *others = 1;
    }
    return ELELEM_OK;
}

/* The members of our lines. */
#define ELS_LINE_FIELD_LIST(X)                   \
    X(EVENT_TYPE, "eventType")                   \
    X(TIME_MS, "timeMs")                         \
    X(METADATA, "metadata")                      \
    X(INDEX, "index")                            \
    X(CHOICE, "choice")                          \
    X(CHUNK, "chunk")                            \
    X(ID, "id")                                  \
    X(TOOL_NAME, "toolName")                     \
    X(FINISH_REASON, "finishReason")             \
    X(RAW_FINISH_REASON, "rawFinishReason")      \
    X(USAGE, "usage")                            \
    X(KIND, "kind")                              \
    X(RETRYABLE, "retryable")                    \
    X(RETRY_AFTER_MS, "retryAfterMs")            \
    X(HTTP_STATUS, "httpStatus")                 \
    X(CODE, "code")                              \
    X(MESSAGE, "message")                        \
    X(STATUS, "status")                          \
    X(OFFSET, "offset")

typedef enum els_line_field {
#define ELS_LINE_FIELD_ENUM(name, text) ELS_LINE_FIELD_##name,
    ELS_LINE_FIELD_LIST(ELS_LINE_FIELD_ENUM)
#undef ELS_LINE_FIELD_ENUM
    ELS_LINE_FIELD_COUNT
} els_line_field;

static const char *const els_line_field_names[] = {
#define ELS_LINE_FIELD_NAME(name, text) text,
    ELS_LINE_FIELD_LIST(ELS_LINE_FIELD_NAME)
#undef ELS_LINE_FIELD_NAME
};

/* Names a caller may not use for members of its own. */
static const char *const els_line_more_names[] = { "input", "inputText", "output" };

/* Nonzero in `is_ours` where the key, which may have escapes, is one of those. */
ELS_PRIVATE elelem_status els_line_reader_is_ours(els_line_reader *reader, elelem_str key, int *is_ours)
{
    static const size_t more = sizeof els_line_more_names / sizeof *els_line_more_names;
    size_t which, other;
    elelem_status status = els_line_reader_name(reader, key, els_line_field_names, ELS_LINE_FIELD_COUNT, &which);

    if (status == ELELEM_OK) status = els_line_reader_name(reader, key, els_line_more_names, more, &other);
    if (status == ELELEM_OK) *is_ours = which < ELS_LINE_FIELD_COUNT || other < more;
    return status;
}

#define ELS_LINE_HAS(field) (1u << ELS_LINE_FIELD_##field)
#define ELS_LINE_PLACE (ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(CHOICE))

/* The lines that are events. */
typedef struct els_line_type {
    const char *name;
    uint8_t kind;
    uint8_t part;
    uint8_t call;
    uint32_t needed;
    uint32_t allowed;
} els_line_type;

static const els_line_type els_line_types[] = {
    { "PartialResponse", ELELEM_EVENT_PART, ELELEM_PART_MESSAGE, 0, ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "PartialThinking", ELELEM_EVENT_PART, ELELEM_PART_REASONING, 0, ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "PartialStructured", ELELEM_EVENT_PART, ELELEM_PART_STRUCTURED, 0, ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "ToolCallStart", ELELEM_EVENT_PART, ELELEM_PART_TOOL_CALL, ELELEM_TOOL_CALL_START, ELS_LINE_HAS(INDEX),
      ELS_LINE_PLACE | ELS_LINE_HAS(ID) | ELS_LINE_HAS(TOOL_NAME) },
    { "ToolCallArguments", ELELEM_EVENT_PART, ELELEM_PART_TOOL_CALL, ELELEM_TOOL_CALL_ARGUMENT_CHUNK,
      ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(CHUNK), ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "Flush", ELELEM_EVENT_FLUSH, 0, 0, ELS_LINE_HAS(INDEX), ELS_LINE_PLACE },
    { "ChatCompleted", ELELEM_EVENT_FINISHED, 0, 0, ELS_LINE_HAS(FINISH_REASON),
      ELS_LINE_HAS(FINISH_REASON) | ELS_LINE_HAS(RAW_FINISH_REASON) | ELS_LINE_HAS(USAGE) },
    { "Error", ELELEM_EVENT_ERROR, 0, 0, ELS_LINE_HAS(KIND) | ELS_LINE_HAS(RETRYABLE) | ELS_LINE_HAS(MESSAGE),
      ELS_LINE_HAS(KIND) | ELS_LINE_HAS(RETRYABLE) | ELS_LINE_HAS(RETRY_AFTER_MS) | ELS_LINE_HAS(HTTP_STATUS) |
          ELS_LINE_HAS(CODE) | ELS_LINE_HAS(MESSAGE) | ELS_LINE_HAS(STATUS) | ELS_LINE_HAS(OFFSET) }
};

#define ELS_LINE_TYPES (sizeof els_line_types / sizeof *els_line_types)
#define ELS_ANY_LINE (ELS_LINE_HAS(EVENT_TYPE) | ELS_LINE_HAS(TIME_MS) | ELS_LINE_HAS(METADATA))

ELS_PRIVATE const els_line_type *els_line_type_named(elelem_str name)
{
    size_t i;

    for (i = 0; i < ELS_LINE_TYPES; i++)
        if (elelem_str_is(name, els_line_types[i].name)) return &els_line_types[i];
    return NULL;
}

ELS_PRIVATE elelem_str els_line_event_name(const elelem_event *event)
{
    size_t i;

    for (i = 0; i < ELS_LINE_TYPES; i++) {
        const els_line_type *type = &els_line_types[i];
        if (type->kind != event->kind) continue;
        if (event->kind != ELELEM_EVENT_PART) return elelem_str_of(type->name);
        if (type->part != event->part.kind) continue;
        if (type->part != ELELEM_PART_TOOL_CALL || type->call == event->part.tool_call.kind)
            return elelem_str_of(type->name);
    }
    return els_str(NULL, 0);
}

/* OK if the object has an eventType that is a string; ERROR_PROTOCOL: it has none; ERROR_TYPE: it is no string;
   ERROR_MEMORY. `*type` becomes its value as it is spelled. */
ELS_PRIVATE elelem_status els_line_reader_type(els_line_reader *reader, elelem_str object, elelem_str *type)
{
    int others;
    elelem_status status = els_line_reader_members(reader, object, els_line_field_names, 1, type, &others);

    if (status != ELELEM_OK) return status;
    if (type->size == 0) return ELELEM_ERROR_PROTOCOL;
    return type->data[0] == '"' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

ELS_PRIVATE uint32_t els_line_fields_there(const elelem_str *fields)
{
    uint32_t there = 0;
    unsigned i;

    for (i = 0; i < ELS_LINE_FIELD_COUNT; i++)
        if (fields[i].size > 0) there |= 1u << i;
    return there;
}

/* A number from 0 to `most`; `*number` stays where the member is missing. */
ELS_PRIVATE elelem_status els_line_read_number(elelem_str value, uint64_t most, uint64_t *number)
{
    uint64_t read;

    if (value.size == 0) return ELELEM_OK;
    if (elelem_number_to_uint64(value, &read) != ELELEM_OK || read > most) return ELELEM_ERROR_TYPE;
    *number = read;
    return ELELEM_OK;
}

/* A number that is -1 where the member is missing. */
ELS_PRIVATE elelem_status els_line_read_known(elelem_str value, int64_t *number)
{
    uint64_t read = UINT64_MAX;
    elelem_status status = els_line_read_number(value, INT64_MAX, &read);

    *number = read == UINT64_MAX ? -1 : (int64_t)read;
    return status;
}

ELS_PRIVATE elelem_status els_line_read_32(elelem_str value, uint32_t *number)
{
    uint64_t read = 0;
    elelem_status status = els_line_read_number(value, UINT32_MAX, &read);

    *number = (uint32_t)read;
    return status;
}

ELS_PRIVATE elelem_status els_line_read_bool(elelem_str value, uint8_t *boolean)
{
    *boolean = value.data[0] == 't';
    return *boolean || value.data[0] == 'f' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_metadata(els_line_reader *reader, elelem_str object, elelem_metadata *metadata)
{
    els_cursor in;
    els_line_member member;

    if (object.size == 0) return ELELEM_OK;
    if (object.data[0] != '{') return ELELEM_ERROR_TYPE;
    in = els_line_inside(object);
    while (els_line_next_member(&in, &member)) {
        size_t size = (metadata->count + 1) * sizeof(elelem_metadata_entry);
        elelem_metadata_entry *entries;
        elelem_status status = els_block_reserve(&reader->els_entries, size, SIZE_MAX, ELELEM_ERROR_MEMORY);
        if (status != ELELEM_OK) return status;
        entries = (elelem_metadata_entry *)(void *)reader->els_entries.data;
        metadata->entries = entries;
        entries[metadata->count].json = member.value;
        status = els_line_reader_text(reader, els_str(member.key.data - 1, member.key.size + 2),
                                      &entries[metadata->count].key);
        if (status != ELELEM_OK) return status;
        metadata->count++;
    }
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_line_read_part(els_line_reader *reader, const elelem_str *fields, elelem_event_part *part)
{
    elelem_status status;

    if (part->kind != ELELEM_PART_TOOL_CALL)
        return els_line_reader_text(reader, fields[ELS_LINE_FIELD_CHUNK], &part->text);
    if (part->tool_call.kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK)
        return els_line_reader_text(reader, fields[ELS_LINE_FIELD_CHUNK], &part->tool_call.text);
    status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_ID], &part->tool_call.id);
    if (status != ELELEM_OK) return status;
    return els_line_reader_text(reader, fields[ELS_LINE_FIELD_TOOL_NAME], &part->tool_call.name);
}

static const char *const els_line_usage_names[] = { "input", "output", "cached", "reasoning" };

ELS_PRIVATE elelem_status els_line_read_usage(els_line_reader *reader, elelem_str object, elelem_usage *usage)
{
    elelem_str values[4];
    elelem_status status;
    int others;

    usage->input = usage->output = usage->cached = usage->reasoning = -1;
    if (object.size == 0) return ELELEM_OK;
    if (object.data[0] != '{') return ELELEM_ERROR_TYPE;
    status = els_line_reader_members(reader, object, els_line_usage_names, 4, values, &others);
    if (status == ELELEM_OK && others) status = ELELEM_ERROR_TYPE;
    if (status == ELELEM_OK) status = els_line_read_known(values[0], &usage->input);
    if (status == ELELEM_OK) status = els_line_read_known(values[1], &usage->output);
    if (status == ELELEM_OK) status = els_line_read_known(values[2], &usage->cached);
    return status == ELELEM_OK ? els_line_read_known(values[3], &usage->reasoning) : status;
}

ELS_PRIVATE elelem_status els_line_read_reason(els_line_reader *reader, elelem_str value, uint8_t *reason)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(reader, value, &word);
    unsigned i;

    if (status != ELELEM_OK) return status;
    for (i = 0; i < ELELEM_FINISH_REASON_COUNT; i++) {
        *reason = (uint8_t)i;
        if (elelem_str_is(word, elelem_finish_reason_name((elelem_finish_reason)i))) return ELELEM_OK;
    }
    return ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_kind(els_line_reader *reader, elelem_str value, uint8_t *kind)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(reader, value, &word);
    unsigned i;

    if (status != ELELEM_OK) return status;
    for (i = 0; i < ELELEM_ERROR_KIND_COUNT; i++) {
        *kind = (uint8_t)i;
        if (elelem_str_is(word, elelem_error_kind_name((elelem_error_kind)i))) return ELELEM_OK;
    }
    return ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_status(els_line_reader *reader, elelem_str value, int32_t *result)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(reader, value, &word);

    *result = ELELEM_OK;
    if (status != ELELEM_OK || value.size == 0) return status;
#define ELS_STATUS_READ(name, number, sentence) \
    if (elelem_str_is(word, #name)) *result = number;
    ELELEM_STATUS_LIST(ELS_STATUS_READ)
#undef ELS_STATUS_READ
    return *result < 0 ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_finished(els_line_reader *reader, const elelem_str *fields, elelem_event *event)
{
    elelem_status status = els_line_read_reason(reader, fields[ELS_LINE_FIELD_FINISH_REASON], &event->reason);

    if (status == ELELEM_OK)
        status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_RAW_FINISH_REASON], &event->raw_reason);
    return status == ELELEM_OK ? els_line_read_usage(reader, fields[ELS_LINE_FIELD_USAGE], &event->usage) : status;
}

/* HTTP statuses are small, but whatever was recorded comes back. */
ELS_PRIVATE elelem_status els_line_read_http_status(elelem_str value, int32_t *http_status)
{
    int64_t read = 0;

    if (value.size > 0 && elelem_number_to_int64(value, &read) != ELELEM_OK) return ELELEM_ERROR_TYPE;
    if (read < INT32_MIN || read > INT32_MAX) return ELELEM_ERROR_TYPE;
    *http_status = (int32_t)read;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_line_read_error(els_line_reader *reader, const elelem_str *fields,
                                              elelem_stream_error *error)
{
    elelem_status status = els_line_read_kind(reader, fields[ELS_LINE_FIELD_KIND], &error->kind);

    if (status == ELELEM_OK) status = els_line_read_bool(fields[ELS_LINE_FIELD_RETRYABLE], &error->retryable);
    if (status == ELELEM_OK)
        status = els_line_read_known(fields[ELS_LINE_FIELD_RETRY_AFTER_MS], &error->retry_after_ms);
    if (status == ELELEM_OK)
        status = els_line_read_http_status(fields[ELS_LINE_FIELD_HTTP_STATUS], &error->http_status);
    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_CODE], &error->code);
    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_MESSAGE], &error->message);
    if (status == ELELEM_OK) status = els_line_read_status(reader, fields[ELS_LINE_FIELD_STATUS], &error->status);
    return status == ELELEM_OK ? els_line_read_number(fields[ELS_LINE_FIELD_OFFSET], UINT64_MAX, &error->offset)
                               : status;
}

/* OK; ERROR_TYPE: it is no event after all. */
ELS_PRIVATE elelem_status els_line_read_event(els_line_reader *reader, const els_line_type *type,
                                              const elelem_str *fields, elelem_event *event)
{
    elelem_status status = els_line_read_metadata(reader, fields[ELS_LINE_FIELD_METADATA], &event->metadata);

    event->kind = type->kind;
    if (status != ELELEM_OK) return status;
    if (type->kind == ELELEM_EVENT_FINISHED) return els_line_read_finished(reader, fields, event);
    if (type->kind == ELELEM_EVENT_ERROR) return els_line_read_error(reader, fields, &event->error);
    status = els_line_read_32(fields[ELS_LINE_FIELD_INDEX], &event->index);
    if (status == ELELEM_OK) status = els_line_read_32(fields[ELS_LINE_FIELD_CHOICE], &event->choice);
    if (status != ELELEM_OK || type->kind == ELELEM_EVENT_FLUSH) return status;
    event->part.kind = type->part;
    event->part.tool_call.kind = type->call;
    return els_line_read_part(reader, fields, &event->part);
}

/* The members of an event's line that are not the event's. */
ELS_PRIVATE elelem_status els_line_read_extra(els_line_reader *reader, const els_line_type *type,
                                              elelem_record_item *item)
{
    els_cursor in = els_line_inside(item->line);
    uint32_t allowed = type->allowed | ELS_ANY_LINE;
    size_t start = reader->els_used;
    els_line_member member;
    size_t which;

    while (els_line_next_member(&in, &member)) {
        elelem_status status =
            els_line_reader_name(reader, member.key, els_line_field_names, ELS_LINE_FIELD_COUNT, &which);
        if (status == ELELEM_OK && which < ELS_LINE_FIELD_COUNT && (allowed >> which & 1)) continue;
        if (status == ELELEM_OK) status = els_line_reader_reserve(reader);
        if (status != ELELEM_OK) return status;
        if (reader->els_used > start) els_line_reader_put(reader, els_str(",", 1));
        els_line_reader_put(reader, member.whole);
    }
    if (reader->els_used > start) item->extra = els_str(reader->els_text.data + start, reader->els_used - start);
    return ELELEM_OK;
}

/* Sees whether the line is an event. OK, or ERROR_MEMORY. */
ELS_PRIVATE elelem_status els_line_read_as_event(els_line_reader *reader, const elelem_str *fields,
                                                 elelem_record_item *item)
{
    const els_line_type *type = els_line_type_named(item->type);
    elelem_status status;

    if (!type || (type->needed & ~els_line_fields_there(fields))) return ELELEM_OK;
    status = els_line_read_event(reader, type, fields, &item->event);
    if (status == ELELEM_OK) status = els_line_read_extra(reader, type, item);
    if (status == ELELEM_OK) item->kind = ELELEM_RECORD_EVENT;
    return status == ELELEM_ERROR_TYPE ? ELELEM_OK : status;
}

/* Reads a checked line. OK, or ERROR_MEMORY. */
ELS_PRIVATE elelem_status els_line_read(els_line_reader *reader, elelem_str line, int as_it_is,
                                        elelem_record_item *item)
{
    elelem_str fields[ELS_LINE_FIELD_COUNT];
    elelem_status status;
    int others;

    memset(item, 0, sizeof *item);
    item->kind = ELELEM_RECORD_LINE;
    item->line = line;
    els_line_reader_start(reader, line);
    status = els_line_reader_members(reader, line, els_line_field_names, ELS_LINE_FIELD_COUNT, fields, &others);
    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_EVENT_TYPE], &item->type);
    if (status == ELELEM_ERROR_TYPE) status = ELELEM_OK;
    if (status != ELELEM_OK) return status;
    if (els_line_read_known(fields[ELS_LINE_FIELD_TIME_MS], &item->time_ms) != ELELEM_OK || as_it_is) return ELELEM_OK;
    return els_line_read_as_event(reader, fields, item);
}

/* The recorder. */

/* A private format: the lines as elements of an array. */
#define ELS_RECORD_ELEMENTS 3

ELS_PRIVATE elelem_status els_recorder_fail(elelem_recorder *r, elelem_status status)
{
    if (status != ELELEM_OK) r->els_status = status;
    return status;
}

/* The same for what was refused before anything was written: a refusal of memory changes nothing. */
ELS_PRIVATE elelem_status els_recorder_refuse(elelem_recorder *r, elelem_status status)
{
    return status == ELELEM_ERROR_MEMORY ? status : els_recorder_fail(r, status);
}

ELS_PRIVATE elelem_status els_recorder_open_frame(elelem_recorder *r)
{
    elelem_writer id;
    elelem_status status = els_sink_put(&r->els_sink, elelem_str_of("id: "));

    elelem_writer_init(&id, r->els_sink, 0);
    if (status == ELELEM_OK) status = elelem_writer_uint64(&id, elelem_recorder_count(r) + 1);
    return status == ELELEM_OK ? els_sink_put(&r->els_sink, elelem_str_of("\ndata: ")) : status;
}

/* What stands before the object of a line. */
ELS_PRIVATE elelem_status els_recorder_open(elelem_recorder *r)
{
    if (r->els_format == ELELEM_RECORD_SSE) return els_recorder_open_frame(r);
    if (r->els_format == ELS_RECORD_ELEMENTS)
        return els_sink_put(&r->els_sink, elelem_str_of(r->els_count > 0 ? "," : "["));
    return r->els_sink.write ? ELELEM_OK : ELELEM_ERROR_SINK;
}

/* And behind it. */
ELS_PRIVATE elelem_status els_recorder_close(elelem_recorder *r)
{
    const char *end = r->els_format == ELELEM_RECORD_SSE ? "\n\n" : r->els_format == ELELEM_RECORD_LINES ? "\n" : "";
    elelem_status status = els_sink_put(&r->els_sink, elelem_str_of(end));

    if (status == ELELEM_OK) r->els_count++;
    return els_recorder_fail(r, status);
}

/* Begins a line: what is written to the writer is its object. */
ELS_PRIVATE elelem_status els_recorder_begin(elelem_recorder *r, elelem_writer *writer)
{
    elelem_writer_init(writer, els_line_sink(&r->els_sink), 0);
    return els_recorder_fail(r, els_recorder_open(r));
}

/* Members from outside, behind those that were written. */
ELS_PRIVATE elelem_status els_line_put_extra(elelem_writer *writer, elelem_str extra)
{
    const elelem_sink *sink = &writer->els_sink;
    elelem_status status = elelem_writer_error(writer);

    if (status != ELELEM_OK || extra.size == 0) return status;
    status = sink->write(sink->context, ",", 1);
    return status == ELELEM_OK ? sink->write(sink->context, extra.data, extra.size) : status;
}

/* Ends an object with the members that any line may have. */
ELS_PRIVATE elelem_status els_line_put_rest(elelem_writer *writer, int64_t time_ms, elelem_str extra,
                                            const elelem_metadata *metadata)
{
    elelem_status status;

    els_line_put_known_number(writer, "timeMs", time_ms);
    status = els_line_put_extra(writer, extra);
    if (status != ELELEM_OK) return status;
    els_line_put_metadata(writer, metadata);
    return elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

ELS_PRIVATE elelem_status els_recorder_write(elelem_recorder *r, const elelem_event *event, int64_t time_ms,
                                             elelem_str extra)
{
    elelem_writer writer;
    elelem_status status = els_recorder_begin(r, &writer);

    if (status != ELELEM_OK) return status;
    els_line_put_event(&writer, event);
    status = els_line_put_rest(&writer, time_ms, extra, &event->metadata);
    return status == ELELEM_OK ? els_recorder_close(r) : els_recorder_fail(r, status);
}

/* The plain text of a stream: what a reader of choice 0 sees. */
ELS_PRIVATE elelem_status els_recorder_text(elelem_recorder *r, const elelem_event *event)
{
    int is_text = event->kind == ELELEM_EVENT_PART && event->part.kind == ELELEM_PART_MESSAGE && event->choice == 0;
    elelem_status status;

    if (!is_text || event->part.text.size == 0) return ELELEM_OK;
    status = els_sink_put(&r->els_sink, event->part.text);
    if (status == ELELEM_OK) r->els_count++;
    return els_recorder_fail(r, status);
}

/* The BeforeToolExecution line of a call that is flushed, with the metadata of both. */
ELS_PRIVATE elelem_status els_recorder_call(elelem_recorder *r, els_call *call, const elelem_metadata *of_flush)
{
    elelem_metadata metadata;
    elelem_str input;
    elelem_writer writer;
    elelem_status status = els_call_input(&r->els_check, call, &input);

    if (status != ELELEM_OK) return status;
    status = els_meta_add(&r->els_open, &call->meta, of_flush);
    if (status == ELELEM_OK) status = els_meta_list(&r->els_open, &call->meta, &metadata);
    if (status != ELELEM_OK) return els_recorder_refuse(r, status);
    status = els_recorder_begin(r, &writer);
    if (status != ELELEM_OK) return status;
    els_line_put_call(&writer, call, input);
    status = els_line_put_rest(&writer, r->els_time_ms, r->els_extra, &metadata);
    if (status != ELELEM_OK) return els_recorder_fail(r, status);
    els_calls_close(&r->els_open, call);
    return els_recorder_close(r);
}

/* Follows the tool calls of a stream. What is open at its end stays so: the next stream has
   the same indexes again. */
ELS_PRIVATE elelem_status els_recorder_follow(elelem_recorder *r, const elelem_event *event)
{
    els_call *call;

    if (event->kind == ELELEM_EVENT_PART && event->part.kind == ELELEM_PART_TOOL_CALL)
        return els_recorder_refuse(r, els_calls_take(&r->els_open, event));
    if (event->kind == ELELEM_EVENT_FINISHED || event->kind == ELELEM_EVENT_ERROR) els_calls_clear(&r->els_open);
    if (event->kind != ELELEM_EVENT_FLUSH) return ELELEM_OK;
    call = els_calls_find(&r->els_open, event->index);
    return call ? els_recorder_call(r, call, &event->metadata) : ELELEM_OK;
}

elelem_status elelem_recorder_push(elelem_recorder *recorder, const elelem_event *event)
{
    elelem_status status = (elelem_status)recorder->els_status;

    if (status != ELELEM_OK) return status;
    if (!els_event_is_known(event)) return ELELEM_ERROR_MISUSE;
    if (recorder->els_format == ELELEM_RECORD_TEXT) return els_recorder_text(recorder, event);
    status = els_record_check_metadata(&recorder->els_check, &event->metadata);
    if (status == ELELEM_OK && recorder->els_tool_calls) status = els_recorder_follow(recorder, event);
    if (status != ELELEM_OK) return status;
    return els_recorder_write(recorder, event, recorder->els_time_ms, recorder->els_extra);
}

/* OK where the line is one JSON object. */
ELS_PRIVATE elelem_status els_record_check_object(elelem_fragment_parser *check, elelem_str line)
{
    els_cursor in = els_cursor_of(line.data, line.size);
    elelem_status status = els_record_check_json(check, line);

    if (status != ELELEM_OK) return status;
    return els_json_find(&in) && *in.at == '{' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

elelem_status elelem_recorder_push_line(elelem_recorder *recorder, elelem_str line)
{
    elelem_status status = (elelem_status)recorder->els_status;

    if (status == ELELEM_OK) status = els_record_check_object(&recorder->els_check, line);
    if (status != ELELEM_OK || recorder->els_format == ELELEM_RECORD_TEXT) return status;
    status = els_recorder_open(recorder);
    line = els_json_trim(line);
    if (status == ELELEM_OK) status = els_line_write(&recorder->els_sink, line.data, line.size);
    return status == ELELEM_OK ? els_recorder_close(recorder) : els_recorder_fail(recorder, status);
}

ELS_PRIVATE elelem_status els_record_check_item(elelem_fragment_parser *check, const elelem_record_item *item)
{
    elelem_status status = els_record_check_metadata(check, &item->event.metadata);

    if (status != ELELEM_OK || item->extra.size == 0) return status;
    return els_record_check_members(check, item->extra);
}

elelem_status elelem_recorder_push_item(elelem_recorder *recorder, const elelem_record_item *item)
{
    elelem_status status = (elelem_status)recorder->els_status;

    if (item->kind == ELELEM_RECORD_LINE) return elelem_recorder_push_line(recorder, item->line);
    if (status != ELELEM_OK) return status;
    if (!els_event_is_known(&item->event)) return ELELEM_ERROR_MISUSE;
    if (recorder->els_format == ELELEM_RECORD_TEXT) return els_recorder_text(recorder, &item->event);
    status = els_record_check_item(&recorder->els_check, item);
    if (status != ELELEM_OK) return status;
    return els_recorder_write(recorder, &item->event, item->time_ms, item->extra);
}

ELS_PRIVATE elelem_status els_record_check_executed(elelem_fragment_parser *check, const elelem_tool_executed *executed)
{
    elelem_status status = ELELEM_OK;

    if (executed->input.size > 0) status = els_record_check_json(check, executed->input);
    if (status == ELELEM_OK && executed->output.size > 0 && !executed->output_is_text)
        status = els_record_check_json(check, executed->output);
    return status;
}

ELS_PRIVATE void els_line_put_executed(elelem_writer *writer, const elelem_tool_executed *executed)
{
    els_line_put_type(writer, "ToolExecuted");
    els_line_put_known_string(writer, "id", executed->id);
    els_put_text(writer, "toolName", executed->name);
    if (executed->input.size > 0) els_put_json(writer, "input", executed->input);
    if (executed->output_is_text)
        els_put_text(writer, "output", executed->output);
    else if (executed->output.size > 0)
        els_put_json(writer, "output", executed->output);
}

elelem_status elelem_recorder_push_executed(elelem_recorder *recorder, const elelem_tool_executed *executed)
{
    static const elelem_metadata none = { NULL, 0 };
    elelem_writer writer;
    elelem_status status = (elelem_status)recorder->els_status;

    if (status == ELELEM_OK) status = els_record_check_executed(&recorder->els_check, executed);
    if (status != ELELEM_OK || recorder->els_format == ELELEM_RECORD_TEXT) return status;
    status = els_recorder_begin(recorder, &writer);
    if (status != ELELEM_OK) return status;
    els_line_put_executed(&writer, executed);
    status = els_line_put_rest(&writer, recorder->els_time_ms, recorder->els_extra, &none);
    return status == ELELEM_OK ? els_recorder_close(recorder) : els_recorder_fail(recorder, status);
}

uint64_t elelem_recorder_count(const elelem_recorder *recorder)
{
    return recorder->els_first + recorder->els_count;
}

void elelem_recorder_time(elelem_recorder *recorder, int64_t now_ms)
{
    recorder->els_time_ms = now_ms;
}

/* Members of the caller's own must not pass for ours. */
ELS_PRIVATE elelem_status els_record_check_extra(elelem_fragment_parser *check, elelem_str extra)
{
    elelem_status status = els_record_check_members(check, extra);
    els_cursor in = els_cursor_of(extra.data, extra.size);
    els_line_member member;
    size_t i;

    if (status != ELELEM_OK) return status;
    while (els_line_next_member(&in, &member)) {
        for (i = 0; i < ELS_LINE_FIELD_COUNT; i++)
            if (elelem_str_is(member.key, els_line_field_names[i])) return ELELEM_ERROR_MISUSE;
        for (i = 0; i < sizeof els_line_more_names / sizeof *els_line_more_names; i++)
            if (elelem_str_is(member.key, els_line_more_names[i])) return ELELEM_ERROR_MISUSE;
    }
    return ELELEM_OK;
}

void elelem_recorder_reset(elelem_recorder *recorder)
{
    els_calls_clear(&recorder->els_open);
    recorder->els_status = ELELEM_OK;
    recorder->els_count = 0;
    recorder->els_time_ms = -1;
    recorder->els_extra = els_json_trim(recorder->els_extra);
    if (recorder->els_extra.size > 0)
        recorder->els_status = els_record_check_extra(&recorder->els_check, recorder->els_extra);
}

void elelem_recorder_init(elelem_recorder *recorder, const elelem_recorder_desc *desc)
{
    memset(recorder, 0, sizeof *recorder);
    recorder->els_sink = desc->sink;
    recorder->els_extra = desc->extra;
    recorder->els_first = desc->first;
    recorder->els_format = desc->format;
    recorder->els_tool_calls = desc->tool_calls;
    els_record_check_init(&recorder->els_check, desc->allocator);
    els_calls_init(&recorder->els_open, desc->allocator, desc->max_call_bytes, desc->max_calls);
    elelem_recorder_reset(recorder);
}

void elelem_recorder_free(elelem_recorder *recorder)
{
    elelem_fragment_parser_free(&recorder->els_check);
    els_calls_free(&recorder->els_open);
}

/* The replayer. */

/* What it waits for. */
typedef enum els_replay_state {
    ELS_REPLAY_LINE,   /* an object, behind white space and empty lines */
    ELS_REPLAY_OBJECT, /* the rest of the object */
    ELS_REPLAY_AFTER,  /* the end of the line */
    ELS_REPLAY_FAILED  /* nothing: an error sticks */
} els_replay_state;

ELS_INLINE uint64_t els_replay_offset(const elelem_replayer *p)
{
    return p->els_end_offset - (uint64_t)(p->els_input.end - p->els_input.at);
}

ELS_PRIVATE elelem_status els_replay_fail(elelem_replayer *p, elelem_status status, uint64_t offset)
{
    p->els_status = status;
    p->els_error_offset = offset;
    p->els_state = ELS_REPLAY_FAILED;
    return status;
}

/* The bytes pushed are used up: what lies in them and is still needed is copied. */
ELS_PRIVATE elelem_status els_replay_more(elelem_replayer *p)
{
    elelem_status status = elelem_buffer_append(&p->els_kept, p->els_raw.data, p->els_raw.size);

    p->els_raw = els_str(NULL, 0);
    return status == ELELEM_OK ? ELELEM_MORE : els_replay_fail(p, status, els_replay_offset(p));
}

ELS_PRIVATE void els_replay_line_end(elelem_replayer *p)
{
    p->els_at.lines++;
    p->els_at.offset = els_replay_offset(p);
}

ELS_PRIVATE elelem_status els_replay_line(elelem_replayer *p)
{
    while (p->els_input.at < p->els_input.end) {
        unsigned char byte = *p->els_input.at;
        if (byte == '{') {
            p->els_object = els_replay_offset(p);
            p->els_state = ELS_REPLAY_OBJECT;
            elelem_buffer_clear(&p->els_kept);
            p->els_raw = els_str(p->els_input.at, 0);
            elelem_fragment_parser_reset(&p->els_check);
            return ELS_AGAIN;
        }
        if (!els_is_blank(byte)) return els_replay_fail(p, ELELEM_ERROR_SYNTAX, els_replay_offset(p));
        p->els_input.at++;
        if (byte == '\n') els_replay_line_end(p);
    }
    return p->els_finished ? ELELEM_END : ELELEM_MORE;
}

/* The bytes of the object that may be looked at: up to the line's end, and to the limit. */
ELS_PRIVATE elelem_str els_replay_span(const elelem_replayer *p)
{
    uint64_t left = p->els_max_line - (els_replay_offset(p) - p->els_object);
    size_t size = (size_t)(p->els_input.end - p->els_input.at);
    const void *line_end;

    if (size > left) size = (size_t)left;
    line_end = size > 0 ? memchr(p->els_input.at, '\n', size) : NULL;
    if (line_end) size = (size_t)((const unsigned char *)line_end - p->els_input.at);
    return els_str(p->els_input.at, size);
}

/* The object is not whole, and its bytes so far are read. */
ELS_PRIVATE elelem_status els_replay_stopped(elelem_replayer *p)
{
    uint64_t offset = els_replay_offset(p);

    if (p->els_input.at < p->els_input.end) {
        if (offset - p->els_object >= p->els_max_line) return els_replay_fail(p, ELELEM_ERROR_LINE_SIZE, offset);
        return els_replay_fail(p, ELELEM_ERROR_SYNTAX, offset);
    }
    return p->els_finished ? els_replay_fail(p, ELELEM_ERROR_TRUNCATED, offset) : els_replay_more(p);
}

ELS_PRIVATE elelem_status els_replay_object(elelem_replayer *p)
{
    elelem_str span = els_replay_span(p);
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_push(&p->els_check, span.data, span.size);
    size_t read;

    if (status == ELELEM_OK) status = elelem_fragment_parser_next(&p->els_check, &fragment);
    read = span.size - elelem_fragment_parser_unread(&p->els_check);
    if (!p->els_raw.data) p->els_raw.data = span.data;
    p->els_raw.size += read;
    p->els_input.at += read;
    if (status == ELELEM_MORE) return els_replay_stopped(p);
    if (status < 0)
        return els_replay_fail(p, status, p->els_object + elelem_fragment_parser_error(&p->els_check).offset);
    p->els_state = ELS_REPLAY_AFTER;
    return ELS_AGAIN;
}

/* The object's text, in one piece. */
ELS_PRIVATE elelem_status els_replay_whole(elelem_replayer *p, elelem_str *line)
{
    *line = p->els_raw;
    if (p->els_kept.els_size == 0) return ELELEM_OK;
    if (els_replay_more(p) != ELELEM_MORE) return (elelem_status)p->els_status;
    *line = elelem_buffer_text(&p->els_kept);
    return ELELEM_OK;
}

/* The line is over, the input behind it: gives out its item. */
ELS_PRIVATE elelem_status els_replay_give(elelem_replayer *p, elelem_record_item *item)
{
    elelem_str line;
    elelem_status status = ELELEM_OK;

    if (p->els_at.items >= p->els_first) {
        status = els_replay_whole(p, &line);
        if (status == ELELEM_OK) status = els_line_read(&p->els_reader, line, p->els_lines, item);
        if (status != ELELEM_OK) return els_replay_fail(p, status, p->els_object);
    }
    p->els_raw = els_str(NULL, 0);
    p->els_state = ELS_REPLAY_LINE;
    els_replay_line_end(p);
    p->els_at.items++;
    if (p->els_at.items <= p->els_first) return ELS_AGAIN;
    item->number = p->els_at.items;
    item->line_number = p->els_at.lines;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_replay_after(elelem_replayer *p, elelem_record_item *item)
{
    while (p->els_input.at < p->els_input.end) {
        unsigned char byte = *p->els_input.at;
        if (!els_is_blank(byte)) return els_replay_fail(p, ELELEM_ERROR_SYNTAX, els_replay_offset(p));
        p->els_input.at++;
        if (byte == '\n') return els_replay_give(p, item);
    }
    return p->els_finished ? els_replay_give(p, item) : els_replay_more(p);
}

ELS_PRIVATE elelem_status els_replay_step(elelem_replayer *p, elelem_record_item *item)
{
    switch ((els_replay_state)p->els_state) {
    case ELS_REPLAY_LINE: return els_replay_line(p);
    case ELS_REPLAY_OBJECT: return els_replay_object(p);
    case ELS_REPLAY_AFTER: return els_replay_after(p, item);
    default: return (elelem_status)p->els_status;
    }
}

/* Plain text. A character cut by the end of a push waits in els_carry. */

ELS_PRIVATE elelem_status els_replay_give_text(elelem_replayer *p, elelem_str text, elelem_record_item *item)
{
    memset(item, 0, sizeof *item);
    item->event.part.text = text;
    item->type = elelem_str_of("PartialResponse");
    item->time_ms = -1;
    p->els_at.offset += text.size;
    return ELELEM_OK;
}

/* The byte at the cursor must go on with the character in els_carry. */
ELS_PRIVATE int els_replay_carries(const elelem_replayer *p, unsigned char byte)
{
    els_lead lead = els_lead_of(p->els_carry_size > 0 ? p->els_carry[0] : byte);

    if (p->els_carry_size == 0) return lead.more > 0;
    if (p->els_carry_size == 1) return byte >= lead.low && byte <= lead.high;
    return els_is_continuation(byte);
}

ELS_PRIVATE elelem_status els_replay_character(elelem_replayer *p, elelem_record_item *item)
{
    while (p->els_input.at < p->els_input.end) {
        unsigned char byte = *p->els_input.at;
        if (!els_replay_carries(p, byte)) return els_replay_fail(p, ELELEM_ERROR_UTF8, els_replay_offset(p));
        p->els_carry[p->els_carry_size++] = byte;
        p->els_input.at++;
        if (p->els_carry_size <= els_lead_of(p->els_carry[0]).more) continue;
        p->els_carry_size = 0;
        return els_replay_give_text(p, els_str(p->els_carry, els_lead_of(p->els_carry[0]).more + 1u), item);
    }
    if (!p->els_finished) return ELELEM_MORE;
    if (p->els_carry_size > 0) return els_replay_fail(p, ELELEM_ERROR_TRUNCATED, els_replay_offset(p));
    return ELELEM_END;
}

/* Passes over what the caller has already. */
ELS_PRIVATE void els_replay_skip_text(elelem_replayer *p)
{
    uint64_t size = (uint64_t)(p->els_input.end - p->els_input.at);
    uint64_t skip = p->els_first > p->els_at.offset ? p->els_first - p->els_at.offset : 0;

    if (skip > size) skip = size;
    p->els_input.at += skip;
    p->els_at.offset += skip;
}

ELS_PRIVATE elelem_status els_replay_text(elelem_replayer *p, elelem_record_item *item)
{
    elelem_str text;

    if (p->els_state == ELS_REPLAY_FAILED) return (elelem_status)p->els_status;
    els_replay_skip_text(p);
    text = els_str(p->els_input.at, (size_t)(p->els_input.end - p->els_input.at));
    if (p->els_carry_size > 0) return els_replay_character(p, item);
    if (text.size > 0) text.size = elelem_utf8_valid(text);
    if (text.size == 0) return els_replay_character(p, item);
    p->els_input.at += text.size;
    return els_replay_give_text(p, text, item);
}

elelem_status elelem_replayer_push(elelem_replayer *replayer, const void *bytes, size_t size)
{
    if (replayer->els_state == ELS_REPLAY_FAILED) return (elelem_status)replayer->els_status;
    if (replayer->els_input.at != replayer->els_input.end || replayer->els_finished) return ELELEM_ERROR_MISUSE;
    if (!bytes || size == 0) return ELELEM_OK;
    replayer->els_input = els_cursor_of(bytes, size);
    replayer->els_end_offset += size;
    return ELELEM_OK;
}

elelem_status elelem_replayer_next(elelem_replayer *replayer, elelem_record_item *item)
{
    elelem_status status;

    if (replayer->els_format == ELELEM_RECORD_TEXT) return els_replay_text(replayer, item);
    do
        status = els_replay_step(replayer, item);
    while (status == ELS_AGAIN);
    return status;
}

void elelem_replayer_finish(elelem_replayer *replayer)
{
    replayer->els_finished = 1;
}

elelem_replay_position elelem_replayer_position(const elelem_replayer *replayer)
{
    return replayer->els_at;
}

uint64_t elelem_replayer_line_number(const elelem_replayer *replayer)
{
    return replayer->els_at.lines + 1;
}

elelem_error elelem_replayer_error(const elelem_replayer *replayer)
{
    return els_error((elelem_status)replayer->els_status, replayer->els_error_offset);
}

void elelem_replayer_reset(elelem_replayer *replayer)
{
    elelem_buffer_clear(&replayer->els_kept);
    replayer->els_input = els_cursor_of(NULL, 0);
    replayer->els_raw = els_str(NULL, 0);
    replayer->els_at = replayer->els_start;
    replayer->els_end_offset = replayer->els_start.offset;
    replayer->els_error_offset = 0;
    replayer->els_status = ELELEM_OK;
    replayer->els_state = ELS_REPLAY_LINE;
    replayer->els_carry_size = 0;
    replayer->els_finished = 0;
}

/* A parser that validates one object and stops behind it. */
ELS_PRIVATE void els_record_check_init_object(elelem_fragment_parser *check, elelem_allocator allocator)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    desc.patterns = &els_record_no_patterns;
    elelem_fragment_parser_init(check, &desc);
}

void elelem_replayer_init(elelem_replayer *replayer, const elelem_replayer_desc *desc)
{
    elelem_replayer_desc standard = ELELEM_INIT;
    const elelem_replayer_desc *d = desc ? desc : &standard;

    memset(replayer, 0, sizeof *replayer);
    els_record_check_init_object(&replayer->els_check, d->allocator);
    els_line_reader_init(&replayer->els_reader, d->allocator);
    elelem_buffer_init(&replayer->els_kept, d->allocator, 0);
    replayer->els_start = d->start;
    replayer->els_first = d->first;
    replayer->els_max_line = ELS_DEFAULT(d->max_line_bytes, 16u << 20);
    replayer->els_format = d->format;
    replayer->els_lines = d->lines;
    elelem_replayer_reset(replayer);
}

void elelem_replayer_free(elelem_replayer *replayer)
{
    elelem_fragment_parser_free(&replayer->els_check);
    els_line_reader_free(&replayer->els_reader);
    elelem_buffer_free(&replayer->els_kept);
}

/* The coalescer. */

/* What the last item was made of; it goes with the next call. */
typedef enum els_coalesced {
    ELS_COALESCED_NOTHING,
    ELS_COALESCED_RUN,   /* the run of text */
    ELS_COALESCED_START, /* the start of the first open call, its arguments come next */
    ELS_COALESCED_CALL   /* the last of the first open call */
} els_coalesced;

ELS_PRIVATE elelem_status els_coalesce_fail(elelem_event_coalescer *c, elelem_status status)
{
    if (status != ELELEM_OK) c->els_status = status;
    return status;
}

ELS_PRIVATE void els_coalesce_drop_run(elelem_event_coalescer *c)
{
    els_calls_cut(&c->els_open, &c->els_run, 0);
    els_meta_clear(&c->els_open, &c->els_meta_of_run);
    c->els_has_run = 0;
}

/* Lets go of what the last item was made of. */
ELS_PRIVATE void els_coalesce_settle(elelem_event_coalescer *c)
{
    if (c->els_given == ELS_COALESCED_RUN) els_coalesce_drop_run(c);
    if (c->els_given == ELS_COALESCED_CALL) els_calls_close(&c->els_open, els_call_at(&c->els_open, 0));
    if (c->els_given != ELS_COALESCED_START) c->els_given = ELS_COALESCED_NOTHING;
}

ELS_PRIVATE int els_item_is_text(const elelem_record_item *item)
{
    const elelem_event *event = &item->event;

    return item->kind == ELELEM_RECORD_EVENT && event->kind == ELELEM_EVENT_PART &&
           event->part.kind != ELELEM_PART_TOOL_CALL;
}

ELS_PRIVATE int els_item_is_call(const elelem_record_item *item)
{
    const elelem_event *event = &item->event;

    return item->kind == ELELEM_RECORD_EVENT && event->kind == ELELEM_EVENT_PART &&
           event->part.kind == ELELEM_PART_TOOL_CALL;
}

ELS_PRIVATE int els_item_is_kind(const elelem_record_item *item, elelem_event_kind kind)
{
    return item->kind == ELELEM_RECORD_EVENT && item->event.kind == kind;
}

/* Nonzero where the text goes on with the run. */
ELS_PRIVATE int els_coalesce_run_continues(const elelem_event_coalescer *c, const elelem_record_item *item)
{
    const elelem_event *run = &c->els_run_event;
    const elelem_event *event = &item->event;
    elelem_str extra = els_str(elelem_buffer_text(&c->els_run).data, c->els_run_extra);

    return c->els_has_run && els_item_is_text(item) && run->part.kind == event->part.kind &&
           run->index == event->index && run->choice == event->choice && elelem_str_equal(extra, item->extra) &&
           els_meta_fits(&c->els_meta_of_run, &event->metadata);
}

ELS_PRIVATE elelem_status els_coalesce_run_add(elelem_event_coalescer *c, const elelem_event *event)
{
    elelem_status status = els_calls_keep(&c->els_open, &c->els_run, event->part.text);

    if (status == ELELEM_OK) status = els_meta_add(&c->els_open, &c->els_meta_of_run, &event->metadata);
    return els_coalesce_fail(c, status);
}

ELS_PRIVATE elelem_status els_coalesce_run_start(elelem_event_coalescer *c, const elelem_record_item *item)
{
    elelem_status status = els_calls_keep(&c->els_open, &c->els_run, item->extra);

    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    memset(&c->els_run_event, 0, sizeof c->els_run_event);
    c->els_run_event.index = item->event.index;
    c->els_run_event.choice = item->event.choice;
    c->els_run_event.part.kind = item->event.part.kind;
    c->els_run_extra = item->extra.size;
    c->els_run_time = item->time_ms;
    c->els_has_run = 1;
    return els_coalesce_run_add(c, &item->event);
}

ELS_PRIVATE void els_coalesce_give_event(elelem_record_item *item, const elelem_event *event, elelem_str extra,
                                         int64_t time_ms)
{
    memset(item, 0, sizeof *item);
    item->kind = ELELEM_RECORD_EVENT;
    item->event = *event;
    item->type = els_line_event_name(event);
    item->extra = extra;
    item->time_ms = time_ms;
}

ELS_PRIVATE elelem_status els_coalesce_give_run(elelem_event_coalescer *c, elelem_record_item *item)
{
    elelem_str kept = elelem_buffer_text(&c->els_run);
    elelem_event event = c->els_run_event;
    elelem_status status = els_meta_list(&c->els_open, &c->els_meta_of_run, &event.metadata);

    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    event.part.text = els_str(kept.data + c->els_run_extra, kept.size - c->els_run_extra);
    els_coalesce_give_event(item, &event, els_str(kept.data, c->els_run_extra), c->els_run_time);
    c->els_given = ELS_COALESCED_RUN;
    return ELELEM_OK;
}

/* The first open call, as far as it came: its start, then its arguments. */
ELS_PRIVATE elelem_status els_coalesce_give_open(elelem_event_coalescer *c, elelem_record_item *item)
{
    const els_call *call = els_call_at(&c->els_open, 0);
    elelem_event event;
    elelem_status status = ELELEM_OK;

    memset(&event, 0, sizeof event);
    event.index = call->index;
    event.choice = call->choice;
    event.part.kind = ELELEM_PART_TOOL_CALL;
    if (c->els_given == ELS_COALESCED_START) {
        event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
        event.part.tool_call.text = elelem_buffer_text(&call->arguments);
    } else {
        event.part.tool_call.id = elelem_buffer_text(&call->id);
        event.part.tool_call.name = elelem_buffer_text(&call->name);
        status = els_meta_list(&c->els_open, &call->meta, &event.metadata);
    }
    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    els_coalesce_give_event(item, &event, elelem_buffer_text(&call->extra), call->time_ms);
    c->els_given =
        c->els_given == ELS_COALESCED_START || call->arguments.els_size == 0 ? ELS_COALESCED_CALL : ELS_COALESCED_START;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_coalesce_write_call(elelem_event_coalescer *c, const els_call *call)
{
    elelem_sink sink = elelem_buffer_sink(&c->els_out);
    elelem_metadata metadata;
    elelem_str input;
    elelem_writer writer;
    elelem_status status = els_call_input(&c->els_check, call, &input);

    if (status == ELELEM_OK) status = els_meta_list(&c->els_open, &call->meta, &metadata);
    if (status != ELELEM_OK) return status;
    elelem_buffer_clear(&c->els_out);
    elelem_writer_init(&writer, els_line_sink(&sink), 0);
    els_line_put_call(&writer, call, input);
    return els_line_put_rest(&writer, call->time_ms, elelem_buffer_text(&call->extra), &metadata);
}

/* A call that is flushed becomes its BeforeToolExecution line. */
ELS_PRIVATE elelem_status els_coalesce_give_call(elelem_event_coalescer *c, els_call *call, elelem_record_item *item)
{
    elelem_status status = els_coalesce_write_call(c, call);

    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    memset(item, 0, sizeof *item);
    item->kind = ELELEM_RECORD_LINE;
    item->line = elelem_buffer_text(&c->els_out);
    item->type = elelem_str_of("BeforeToolExecution");
    item->time_ms = call->time_ms;
    els_calls_close(&c->els_open, call);
    return ELELEM_OK;
}

/* The line just before no longer counts. */
ELS_PRIVATE void els_coalesce_forget(elelem_event_coalescer *c)
{
    els_calls_cut(&c->els_open, &c->els_announced, 0);
    els_meta_clear(&c->els_open, &c->els_meta_announced);
    c->els_has_announced = 0;
}

/* Nonzero where the line just before was the call's BeforeToolExecution. */
ELS_PRIVATE int els_coalesce_announced(const elelem_event_coalescer *c, const els_call *call)
{
    elelem_str both = elelem_buffer_text(&c->els_announced);
    elelem_str id = els_str(both.data, c->els_announced_id);
    elelem_str name = els_str(both.data + c->els_announced_id, both.size - c->els_announced_id);

    if (!c->els_has_announced || (c->els_announced_index >= 0 && c->els_announced_index != call->index)) return 0;
    return elelem_str_equal(id, elelem_buffer_text(&call->id)) &&
           elelem_str_equal(name, elelem_buffer_text(&call->name));
}

/* Keeps what a BeforeToolExecution line says. ERROR_TYPE: it is none of ours. */
ELS_PRIVATE elelem_status els_coalesce_keep_announced(elelem_event_coalescer *c, elelem_str line)
{
    elelem_str fields[ELS_LINE_FIELD_COUNT];
    elelem_metadata metadata = ELELEM_INIT;
    elelem_str id, name;
    elelem_status status;
    int others;

    els_line_reader_start(&c->els_reader, line);
    status = els_line_reader_members(&c->els_reader, line, els_line_field_names, ELS_LINE_FIELD_COUNT, fields, &others);
    if (status == ELELEM_OK) status = els_line_reader_text(&c->els_reader, fields[ELS_LINE_FIELD_ID], &id);
    if (status == ELELEM_OK) status = els_line_reader_text(&c->els_reader, fields[ELS_LINE_FIELD_TOOL_NAME], &name);
    if (status == ELELEM_OK) status = els_line_read_known(fields[ELS_LINE_FIELD_INDEX], &c->els_announced_index);
    if (status == ELELEM_OK)
        status = els_line_read_metadata(&c->els_reader, fields[ELS_LINE_FIELD_METADATA], &metadata);
    if (status != ELELEM_OK) return status;
    c->els_announced_id = id.size;
    status = els_calls_keep(&c->els_open, &c->els_announced, id);
    if (status == ELELEM_OK) status = els_calls_keep(&c->els_open, &c->els_announced, name);
    if (status != ELELEM_OK || !els_meta_fits(&c->els_meta_announced, &metadata)) return status;
    return els_meta_add(&c->els_open, &c->els_meta_announced, &metadata);
}

/* Looks whether the line given out is a BeforeToolExecution, whose flush may follow. */
ELS_PRIVATE elelem_status els_coalesce_announce(elelem_event_coalescer *c, elelem_record_item *item)
{
    static const char type[] = "BeforeToolExecution";
    elelem_status status;

    els_coalesce_forget(c);
    if (item->kind != ELELEM_RECORD_LINE || !elelem_str_is(item->type, type)) return ELELEM_OK;
    item->type = elelem_str_of(type); /* it may have been the reader's, which now reads again */
    status = els_coalesce_keep_announced(c, item->line);
    c->els_has_announced = status == ELELEM_OK;
    return status == ELELEM_ERROR_TYPE ? ELELEM_OK : els_coalesce_fail(c, status);
}

/* The pushed item goes out as it is, once nothing stands before it. */
ELS_PRIVATE elelem_status els_coalesce_give_pushed(elelem_event_coalescer *c, elelem_record_item *item)
{
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    *item = c->els_item;
    item->number = item->line_number = 0;
    c->els_pushed = 0;
    return els_coalesce_announce(c, item);
}

/* The pushed item is dealt with and left nothing. */
ELS_PRIVATE void els_coalesce_done(elelem_event_coalescer *c)
{
    c->els_pushed = 0;
    els_coalesce_forget(c);
}

/* The flush of an open call. */
ELS_PRIVATE elelem_status els_coalesce_flush_call(elelem_event_coalescer *c, els_call *call, elelem_record_item *item)
{
    elelem_metadata *metadata = &c->els_item.event.metadata;
    elelem_status status = els_meta_add(&c->els_open, &call->meta, metadata);

    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    metadata->count = 0;
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    els_coalesce_done(c);
    return els_coalesce_give_call(c, call, item);
}

/* What the line just before lacks of the call's metadata. It may know that of the parts, or that of the
   flush too, so that arrays are compared before they are added to and after. */
ELS_PRIVATE elelem_status els_coalesce_rest(elelem_event_coalescer *c, els_meta *meta, const elelem_metadata *of_flush)
{
    elelem_status status;

    els_meta_subtract(&c->els_open, meta, &c->els_meta_announced);
    status = els_meta_add(&c->els_open, meta, of_flush);
    els_meta_subtract(&c->els_open, meta, &c->els_meta_announced);
    return els_coalesce_fail(c, status);
}

/* The flush of a call whose line was given out just before, so that there is no run: it stays
   with the metadata which that line lacks. This lies where that of a run would. */
ELS_PRIVATE elelem_status els_coalesce_flush_announced(elelem_event_coalescer *c, els_call *call,
                                                       elelem_record_item *item)
{
    elelem_record_item flush = c->els_item;
    els_meta none = c->els_meta_of_run;
    elelem_status status = els_coalesce_rest(c, &call->meta, &flush.event.metadata);

    if (status != ELELEM_OK) return status;
    c->els_meta_of_run = call->meta;
    call->meta = none;
    els_calls_close(&c->els_open, call);
    els_coalesce_done(c);
    if (c->els_meta_of_run.els_count == 0) return ELS_AGAIN;
    status = els_meta_list(&c->els_open, &c->els_meta_of_run, &flush.event.metadata);
    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    els_coalesce_give_event(item, &flush.event, flush.extra, flush.time_ms);
    c->els_given = ELS_COALESCED_RUN;
    return ELELEM_OK;
}

/* The flush of anything else: it goes where its metadata has somewhere to go. */
ELS_PRIVATE elelem_status els_coalesce_flush_rest(elelem_event_coalescer *c, elelem_record_item *item)
{
    const elelem_event *flush = &c->els_item.event;
    const elelem_event *run = &c->els_run_event;
    elelem_status status = ELELEM_OK;
    int is_of_run = c->els_has_run && run->index == flush->index && run->choice == flush->choice &&
                    els_meta_fits(&c->els_meta_of_run, &flush->metadata);

    if (flush->metadata.count > 0 && !is_of_run) return els_coalesce_give_pushed(c, item);
    if (is_of_run) status = els_meta_add(&c->els_open, &c->els_meta_of_run, &flush->metadata);
    els_coalesce_done(c);
    return status == ELELEM_OK ? ELS_AGAIN : els_coalesce_fail(c, status);
}

ELS_PRIVATE elelem_status els_coalesce_flush(elelem_event_coalescer *c, elelem_record_item *item)
{
    els_call *call = els_calls_find(&c->els_open, c->els_item.event.index);

    if (!call) return els_coalesce_flush_rest(c, item);
    if (els_coalesce_announced(c, call)) return els_coalesce_flush_announced(c, call, item);
    return els_coalesce_flush_call(c, call, item);
}

/* Keeps the time and the extra members of the line that opened a call, less those that would pass
   for ours on another line: an "id" of ToolCallArguments, say. */
ELS_PRIVATE elelem_status els_coalesce_open_call(elelem_event_coalescer *c, els_call *call)
{
    els_cursor in = els_cursor_of(c->els_item.extra.data, c->els_item.extra.size);
    els_line_member member;
    elelem_status status = ELELEM_OK;
    int is_ours;

    call->time_ms = c->els_item.time_ms;
    while (status == ELELEM_OK && els_line_next_member(&in, &member)) {
        status = els_line_reader_is_ours(&c->els_reader, member.key, &is_ours);
        if (status != ELELEM_OK || is_ours) continue;
        status = els_calls_keep(&c->els_open, &call->extra, els_str(",", call->extra.els_size > 0 ? 1 : 0));
        if (status == ELELEM_OK) status = els_calls_keep(&c->els_open, &call->extra, member.whole);
    }
    return status;
}

ELS_PRIVATE elelem_status els_coalesce_part(elelem_event_coalescer *c)
{
    const elelem_event *event = &c->els_item.event;
    int is_open = els_calls_find(&c->els_open, event->index) != NULL;
    elelem_status status = els_calls_take(&c->els_open, event);

    if (status == ELELEM_OK && !is_open) status = els_coalesce_open_call(c, els_calls_find(&c->els_open, event->index));
    els_coalesce_done(c);
    return status == ELELEM_OK ? ELS_AGAIN : els_coalesce_fail(c, status);
}

ELS_PRIVATE elelem_status els_coalesce_text(elelem_event_coalescer *c, elelem_record_item *item)
{
    int continues = els_coalesce_run_continues(c, &c->els_item);
    elelem_status status;

    if (!continues && (c->els_has_run || !els_meta_fits(&c->els_meta_of_run, &c->els_item.event.metadata)))
        return els_coalesce_give_pushed(c, item);
    status = continues ? els_coalesce_run_add(c, &c->els_item.event) : els_coalesce_run_start(c, &c->els_item);
    els_coalesce_done(c);
    return status == ELELEM_OK ? ELS_AGAIN : status;
}

/* Deals with the pushed item, or with a part of it. */
ELS_PRIVATE elelem_status els_coalesce(elelem_event_coalescer *c, elelem_record_item *item)
{
    const elelem_record_item *pushed = &c->els_item;

    if (els_item_is_text(pushed)) return els_coalesce_text(c, item);
    if (els_item_is_call(pushed)) return els_coalesce_part(c);
    if (els_item_is_kind(pushed, ELELEM_EVENT_FLUSH)) return els_coalesce_flush(c, item);
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    if (pushed->kind == ELELEM_RECORD_EVENT && c->els_open.els_count > 0) return els_coalesce_give_open(c, item);
    return els_coalesce_give_pushed(c, item);
}

ELS_PRIVATE elelem_status els_coalesce_end(elelem_event_coalescer *c, elelem_record_item *item)
{
    if (!c->els_finished) return ELELEM_MORE;
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    return c->els_open.els_count > 0 ? els_coalesce_give_open(c, item) : ELELEM_END;
}

elelem_status elelem_event_coalescer_next(elelem_event_coalescer *coalescer, elelem_record_item *item)
{
    elelem_status status;

    els_coalesce_settle(coalescer);
    do {
        if (coalescer->els_status != ELELEM_OK) return (elelem_status)coalescer->els_status;
        status = coalescer->els_pushed ? els_coalesce(coalescer, item) : els_coalesce_end(coalescer, item);
    } while (status == ELS_AGAIN);
    return status;
}

ELS_PRIVATE elelem_status els_coalescer_ready(const elelem_event_coalescer *c)
{
    if (c->els_status != ELELEM_OK) return (elelem_status)c->els_status;
    return c->els_pushed || c->els_finished ? ELELEM_ERROR_MISUSE : ELELEM_OK;
}

elelem_status elelem_event_coalescer_push_item(elelem_event_coalescer *coalescer, const elelem_record_item *item)
{
    elelem_status status = els_coalescer_ready(coalescer);

    if (status != ELELEM_OK) return status;
    if (item->kind == ELELEM_RECORD_EVENT && !els_event_is_known(&item->event)) return ELELEM_ERROR_MISUSE;
    if (item->kind == ELELEM_RECORD_EVENT)
        status = els_record_check_item(&coalescer->els_check, item);
    else
        status = els_record_check_object(&coalescer->els_check, item->line);
    if (status != ELELEM_OK) return status;
    els_line_reader_start(&coalescer->els_reader, item->extra);
    coalescer->els_item = *item;
    coalescer->els_pushed = 1;
    return ELELEM_OK;
}

elelem_status elelem_event_coalescer_push(elelem_event_coalescer *coalescer, const elelem_event *event)
{
    elelem_record_item item;

    els_coalesce_give_event(&item, event, els_str(NULL, 0), -1);
    return elelem_event_coalescer_push_item(coalescer, &item);
}

elelem_status elelem_event_coalescer_push_line(elelem_event_coalescer *coalescer, elelem_str line)
{
    elelem_record_item item;
    elelem_status status = els_coalescer_ready(coalescer);

    if (status == ELELEM_OK) status = els_record_check_object(&coalescer->els_check, line);
    if (status == ELELEM_OK) status = els_line_read(&coalescer->els_reader, els_json_trim(line), 0, &item);
    if (status != ELELEM_OK) return status;
    coalescer->els_item = item;
    coalescer->els_pushed = 1;
    return ELELEM_OK;
}

void elelem_event_coalescer_finish(elelem_event_coalescer *coalescer)
{
    coalescer->els_finished = 1;
}

elelem_error elelem_event_coalescer_error(const elelem_event_coalescer *coalescer)
{
    return els_error((elelem_status)coalescer->els_status, 0);
}

void elelem_event_coalescer_reset(elelem_event_coalescer *coalescer)
{
    els_coalesce_drop_run(coalescer);
    els_coalesce_forget(coalescer);
    els_calls_clear(&coalescer->els_open);
    coalescer->els_status = ELELEM_OK;
    coalescer->els_given = ELS_COALESCED_NOTHING;
    coalescer->els_pushed = 0;
    coalescer->els_finished = 0;
}

void elelem_event_coalescer_init(elelem_event_coalescer *coalescer, const elelem_event_coalescer_desc *desc)
{
    elelem_event_coalescer_desc standard = ELELEM_INIT;
    const elelem_event_coalescer_desc *d = desc ? desc : &standard;

    memset(coalescer, 0, sizeof *coalescer);
    els_calls_init(&coalescer->els_open, d->allocator, d->max_bytes, d->max_calls);
    els_line_reader_init(&coalescer->els_reader, d->allocator);
    els_record_check_init(&coalescer->els_check, d->allocator);
    elelem_buffer_init(&coalescer->els_run, d->allocator, 0);
    elelem_buffer_init(&coalescer->els_announced, d->allocator, 0);
    elelem_buffer_init(&coalescer->els_out, d->allocator, 0);
}

void elelem_event_coalescer_free(elelem_event_coalescer *coalescer)
{
    els_meta_free(&coalescer->els_open, &coalescer->els_meta_of_run);
    els_meta_free(&coalescer->els_open, &coalescer->els_meta_announced);
    els_calls_free(&coalescer->els_open);
    els_line_reader_free(&coalescer->els_reader);
    elelem_fragment_parser_free(&coalescer->els_check);
    elelem_buffer_free(&coalescer->els_run);
    elelem_buffer_free(&coalescer->els_announced);
    elelem_buffer_free(&coalescer->els_out);
    coalescer->els_has_run = 0;
}

/* History entries. */

static const char *const els_history_words[] = { "", "cancelled", "broken" };

ELS_PRIVATE void els_line_put_history(elelem_writer *writer, const elelem_history_entry *entry)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_text(writer, "role", elelem_str_of(entry->role == ELELEM_HISTORY_USER ? "USER" : "AI"));
    if (entry->has_text) els_put_text(writer, "text", entry->text);
    if (entry->events.size > 0) els_put_json(writer, "events", entry->events);
    if (entry->state > ELELEM_HISTORY_COMPLETE && entry->state <= ELELEM_HISTORY_BROKEN)
        els_put_text(writer, "incomplete", elelem_str_of(els_history_words[entry->state]));
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

elelem_status elelem_history_entry_write(const elelem_history_entry *entry, elelem_sink sink)
{
    elelem_writer writer;

    if (!entry->has_text && entry->events.size == 0) return ELELEM_ERROR_MISUSE;
    elelem_writer_init(&writer, els_line_sink(&sink), 0);
    els_line_put_history(&writer, entry);
    return elelem_writer_error(&writer);
}

int elelem_history_entry_event(const elelem_history_entry *entry, size_t *at, elelem_str *line)
{
    els_cursor in = els_cursor_of(entry->events.data, entry->events.size);

    if (entry->events.size < 2 || *at >= entry->events.size) return 0;
    in.at += *at > 0 ? *at : 1;
    if (!els_line_next_value(&in, line)) return 0;
    *at = entry->events.size - (size_t)(in.end - in.at);
    return 1;
}

/* The builder. */

#define ELS_HISTORY_KEEP_TEXT 1u
#define ELS_HISTORY_KEEP_EVENTS 2u

ELS_PRIVATE elelem_status els_history_fail(elelem_history_builder *b, elelem_status status)
{
    if (status < 0) b->els_status = status;
    return status;
}

/* Moves what the coalescer has into the array of events. */
ELS_PRIVATE elelem_status els_history_drain(elelem_history_builder *b)
{
    elelem_record_item item;
    elelem_status status;

    while ((status = elelem_event_coalescer_next(&b->els_coalescer, &item)) == ELELEM_OK) {
        b->els_recorder.els_sink = elelem_buffer_sink(&b->els_events);
        status = elelem_recorder_push_item(&b->els_recorder, &item);
        if (status != ELELEM_OK) break;
    }
    return status < 0 ? els_history_fail(b, status) : ELELEM_OK;
}

ELS_PRIVATE void els_history_decide(elelem_history_builder *b, elelem_history_state state)
{
    if (!b->els_marked) b->els_state = (uint8_t)state;
    b->els_marked = 1;
}

/* What an item says about how the turn ended. */
ELS_PRIVATE void els_history_see_end(elelem_history_builder *b, const elelem_record_item *item)
{
    if (els_item_is_kind(item, ELELEM_EVENT_ERROR)) {
        int is_cancelled = item->event.error.kind == ELELEM_ERROR_KIND_CANCELLED;
        els_history_decide(b, is_cancelled ? ELELEM_HISTORY_CANCELLED : ELELEM_HISTORY_BROKEN);
    } else if (elelem_str_is(item->type, "ChatCompleted")) {
        els_history_decide(b, ELELEM_HISTORY_COMPLETE);
    }
}

ELS_PRIVATE elelem_status els_history_text(elelem_history_builder *b, elelem_str text)
{
    b->els_has_text = 1;
    return els_history_fail(b, elelem_buffer_append(&b->els_text, text.data, text.size));
}

/* The coalescer took an item and lends it: the text, the end, and then its events. */
ELS_PRIVATE elelem_status els_history_take(elelem_history_builder *b)
{
    const elelem_record_item *item = &b->els_coalescer.els_item;
    const elelem_event *event = &item->event;
    elelem_status status = ELELEM_OK;

    els_history_see_end(b, item);
    if ((b->els_keep & ELS_HISTORY_KEEP_TEXT) && !b->els_text_set && els_item_is_text(item) &&
        event->part.kind == ELELEM_PART_MESSAGE && event->choice == 0)
        status = els_history_text(b, event->part.text);
    if (status != ELELEM_OK) return status;
    if (b->els_keep & ELS_HISTORY_KEEP_EVENTS) return els_history_drain(b);
    b->els_coalescer.els_pushed = 0;
    return ELELEM_OK;
}

/* Takes back the item that the coalescer was given if the reader of entries would refuse it: a line without an
   eventType. Nothing has changed then. */
ELS_PRIVATE elelem_status els_history_check_item(elelem_history_builder *b)
{
    elelem_event_coalescer *c = &b->els_coalescer;
    elelem_str type;
    elelem_status status;

    if (c->els_item.kind == ELELEM_RECORD_EVENT) return ELELEM_OK;
    els_line_reader_start(&c->els_reader, c->els_item.line);
    status = els_line_reader_type(&c->els_reader, c->els_item.line, &type);
    if (status != ELELEM_OK) c->els_pushed = 0;
    return status;
}

ELS_PRIVATE elelem_status els_history_ready(const elelem_history_builder *b)
{
    if (b->els_status != ELELEM_OK) return (elelem_status)b->els_status;
    return b->els_finished ? ELELEM_ERROR_MISUSE : ELELEM_OK;
}

elelem_status elelem_history_builder_push(elelem_history_builder *builder, const elelem_event *event)
{
    elelem_status status = els_history_ready(builder);

    if (status == ELELEM_OK) status = elelem_event_coalescer_push(&builder->els_coalescer, event);
    if (status != ELELEM_OK) return status;
    if (!builder->els_marked) builder->els_state = ELELEM_HISTORY_BROKEN; /* until its stream's end is pushed */
    return els_history_take(builder);
}

elelem_status elelem_history_builder_push_item(elelem_history_builder *builder, const elelem_record_item *item)
{
    elelem_status status = els_history_ready(builder);

    if (status == ELELEM_OK) status = elelem_event_coalescer_push_item(&builder->els_coalescer, item);
    if (status == ELELEM_OK) status = els_history_check_item(builder);
    return status == ELELEM_OK ? els_history_take(builder) : status;
}

elelem_status elelem_history_builder_push_line(elelem_history_builder *builder, elelem_str line)
{
    elelem_status status = els_history_ready(builder);

    if (status == ELELEM_OK) status = elelem_event_coalescer_push_line(&builder->els_coalescer, line);
    if (status == ELELEM_OK) status = els_history_check_item(builder);
    return status == ELELEM_OK ? els_history_take(builder) : status;
}

elelem_status elelem_history_builder_push_text(elelem_history_builder *builder, elelem_str text)
{
    elelem_status status = els_history_ready(builder);

    return status == ELELEM_OK ? els_history_text(builder, text) : status;
}

elelem_status elelem_history_builder_set_text(elelem_history_builder *builder, elelem_str text)
{
    elelem_status status = els_history_ready(builder);

    if (status != ELELEM_OK) return status;
    elelem_buffer_clear(&builder->els_text);
    builder->els_text_set = 1;
    return els_history_text(builder, text);
}

void elelem_history_builder_mark(elelem_history_builder *builder, elelem_history_state state)
{
    builder->els_state = (uint8_t)state;
    builder->els_marked = 1;
}

ELS_PRIVATE elelem_status els_history_close(elelem_history_builder *b)
{
    elelem_status status;

    elelem_event_coalescer_finish(&b->els_coalescer);
    status = els_history_drain(b);
    if (status != ELELEM_OK || b->els_recorder.els_count == 0) return status;
    return els_history_fail(b, elelem_buffer_append(&b->els_events, "]", 1));
}

elelem_status elelem_history_builder_finish(elelem_history_builder *builder, elelem_history_entry *entry)
{
    elelem_status status = (elelem_status)builder->els_status;

    memset(entry, 0, sizeof *entry);
    if (status == ELELEM_OK && !builder->els_finished) status = els_history_close(builder);
    if (status != ELELEM_OK) return status;
    builder->els_finished = 1;
    entry->role = builder->els_role;
    entry->state = builder->els_state;
    entry->has_text = builder->els_has_text;
    entry->text = elelem_buffer_text(&builder->els_text);
    if (builder->els_recorder.els_count > 0) entry->events = elelem_buffer_text(&builder->els_events);
    return entry->has_text || entry->events.size > 0 ? ELELEM_OK : ELELEM_ERROR_MISUSE;
}

void elelem_history_builder_reset(elelem_history_builder *builder)
{
    elelem_event_coalescer_reset(&builder->els_coalescer);
    elelem_recorder_reset(&builder->els_recorder);
    elelem_buffer_clear(&builder->els_text);
    elelem_buffer_clear(&builder->els_events);
    builder->els_status = ELELEM_OK;
    builder->els_state = ELELEM_HISTORY_COMPLETE;
    builder->els_has_text = 0;
    builder->els_text_set = 0;
    builder->els_marked = 0;
    builder->els_finished = 0;
}

void elelem_history_builder_init(elelem_history_builder *builder, const elelem_history_builder_desc *desc)
{
    elelem_history_builder_desc standard = ELELEM_INIT;
    const elelem_history_builder_desc *d = desc ? desc : &standard;
    elelem_event_coalescer_desc coalescer = ELELEM_INIT;
    elelem_recorder_desc recorder = ELELEM_INIT;
    uint32_t max_bytes = ELS_DEFAULT(d->max_bytes, 64u << 20);

    memset(builder, 0, sizeof *builder);
    coalescer.allocator = recorder.allocator = d->allocator;
    coalescer.max_bytes = max_bytes;
    coalescer.max_calls = d->max_calls;
    recorder.format = ELS_RECORD_ELEMENTS;
    elelem_event_coalescer_init(&builder->els_coalescer, &coalescer);
    elelem_recorder_init(&builder->els_recorder, &recorder);
    elelem_buffer_init(&builder->els_text, d->allocator, max_bytes);
    elelem_buffer_init(&builder->els_events, d->allocator, max_bytes);
    builder->els_role = d->role;
    builder->els_keep =
        (uint8_t)((d->events_only ? 0 : ELS_HISTORY_KEEP_TEXT) | (d->text_only ? 0 : ELS_HISTORY_KEEP_EVENTS));
}

void elelem_history_builder_free(elelem_history_builder *builder)
{
    elelem_event_coalescer_free(&builder->els_coalescer);
    elelem_recorder_free(&builder->els_recorder);
    elelem_buffer_free(&builder->els_text);
    elelem_buffer_free(&builder->els_events);
}

/* The reader of entries. */

/* What it waits for. */
typedef enum els_history_reading {
    ELS_HISTORY_ENTRY, /* more of the entry, or its end */
    ELS_HISTORY_GIVEN, /* nothing: the entry was given out */
    ELS_HISTORY_FAILED /* nothing: an error sticks */
} els_history_reading;

typedef enum els_history_member {
    ELS_HISTORY_ROLE,
    ELS_HISTORY_TEXT,
    ELS_HISTORY_EVENTS,
    ELS_HISTORY_INCOMPLETE,
    ELS_HISTORY_MEMBERS
} els_history_member;

static const char *const els_history_names[] = { "role", "text", "events", "incomplete" };

ELS_PRIVATE elelem_status els_history_refuse(elelem_history_reader *r, elelem_status status, uint64_t offset)
{
    r->els_status = status;
    r->els_error_offset = offset;
    r->els_state = ELS_HISTORY_FAILED;
    return status;
}

/* The same, where the fault is in the text that was kept. */
ELS_PRIVATE elelem_status els_history_refuse_at(elelem_history_reader *r, elelem_status status, elelem_str where)
{
    return els_history_refuse(r, status, (uint64_t)(where.data - elelem_buffer_text(&r->els_kept).data));
}

/* Validates and keeps what was pushed. */
ELS_PRIVATE elelem_status els_history_keep(elelem_history_reader *r)
{
    size_t size = (size_t)(r->els_input.end - r->els_input.at);
    size_t left = r->els_kept.els_max - r->els_kept.els_size;
    elelem_str piece = els_str(r->els_input.at, size < left ? size : left);
    elelem_status status = els_record_check_piece(&r->els_check, piece);

    if (status != ELELEM_OK) return els_history_refuse(r, status, elelem_fragment_parser_error(&r->els_check).offset);
    if (size > left) return els_history_refuse(r, ELELEM_ERROR_VALUE_SIZE, r->els_kept.els_max);
    status = elelem_buffer_append(&r->els_kept, piece.data, piece.size);
    if (status != ELELEM_OK) return els_history_refuse(r, status, r->els_kept.els_size);
    r->els_input.at = r->els_input.end;
    return ELELEM_OK;
}

/* A string that must be one of `count` words; `which` is `count` where it is none. */
ELS_PRIVATE elelem_status els_history_word(elelem_history_reader *r, elelem_str value, const char *const *words,
                                           size_t count, uint8_t *which)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(&r->els_reader, value, &word);
    size_t i;

    if (status != ELELEM_OK) return els_history_refuse_at(r, status, value);
    for (i = 0; i < count; i++) {
        *which = (uint8_t)i;
        if (elelem_str_is(word, words[i])) return ELELEM_OK;
    }
    return els_history_refuse_at(r, ELELEM_ERROR_PROTOCOL, value);
}

ELS_PRIVATE elelem_status els_history_check_event(elelem_history_reader *r, elelem_str event)
{
    elelem_str type;
    elelem_status status;

    if (event.data[0] != '{') return els_history_refuse_at(r, ELELEM_ERROR_TYPE, event);
    status = els_line_reader_type(&r->els_reader, event, &type);
    return status == ELELEM_OK ? status : els_history_refuse_at(r, status, status == ELELEM_ERROR_TYPE ? type : event);
}

ELS_PRIVATE elelem_status els_history_check_events(elelem_history_reader *r, elelem_str events)
{
    elelem_status status = ELELEM_OK;
    els_cursor in;
    elelem_str event;

    if (events.size == 0) return ELELEM_OK;
    if (events.data[0] != '[') return els_history_refuse_at(r, ELELEM_ERROR_TYPE, events);
    in = els_line_inside(events);
    while (status == ELELEM_OK && els_line_next_value(&in, &event))
        status = els_history_check_event(r, event);
    return status;
}

ELS_PRIVATE elelem_status els_history_fill(elelem_history_reader *r, const elelem_str *values,
                                           elelem_history_entry *entry)
{
    static const char *const roles[] = { "AI", "USER" };
    elelem_status status = els_history_word(r, values[ELS_HISTORY_ROLE], roles, 2, &entry->role);

    if (status != ELELEM_OK) return status;
    if (values[ELS_HISTORY_INCOMPLETE].size > 0) {
        status = els_history_word(r, values[ELS_HISTORY_INCOMPLETE], els_history_words + 1, 2, &entry->state);
        entry->state++;
    }
    if (status != ELELEM_OK) return status;
    status = els_line_reader_text(&r->els_reader, values[ELS_HISTORY_TEXT], &entry->text);
    if (status != ELELEM_OK) return els_history_refuse_at(r, status, values[ELS_HISTORY_TEXT]);
    entry->has_text = values[ELS_HISTORY_TEXT].size > 0;
    entry->events = values[ELS_HISTORY_EVENTS];
    return els_history_check_events(r, entry->events);
}

/* The whole entry is there and is JSON. */
ELS_PRIVATE elelem_status els_history_read(elelem_history_reader *r, elelem_history_entry *entry)
{
    elelem_str object = els_json_trim(elelem_buffer_text(&r->els_kept));
    elelem_str values[ELS_HISTORY_MEMBERS];
    elelem_status status;
    int others;

    memset(entry, 0, sizeof *entry);
    if (object.data[0] != '{') return els_history_refuse_at(r, ELELEM_ERROR_TYPE, object);
    els_line_reader_start(&r->els_reader, object);
    status = els_line_reader_members(&r->els_reader, object, els_history_names, ELS_HISTORY_MEMBERS, values, &others);
    if (status != ELELEM_OK) return els_history_refuse_at(r, status, object);
    if (values[ELS_HISTORY_ROLE].size == 0 ||
        (values[ELS_HISTORY_TEXT].size == 0 && values[ELS_HISTORY_EVENTS].size == 0))
        return els_history_refuse_at(r, ELELEM_ERROR_PROTOCOL, object);
    return els_history_fill(r, values, entry);
}

elelem_status elelem_history_reader_push(elelem_history_reader *reader, const void *bytes, size_t size)
{
    if (reader->els_state == ELS_HISTORY_FAILED) return (elelem_status)reader->els_status;
    if (reader->els_input.at != reader->els_input.end || reader->els_finished) return ELELEM_ERROR_MISUSE;
    reader->els_input = els_cursor_of(bytes, size);
    return ELELEM_OK;
}

elelem_status elelem_history_reader_next(elelem_history_reader *reader, elelem_history_entry *entry)
{
    elelem_status status;

    if (reader->els_state == ELS_HISTORY_FAILED) return (elelem_status)reader->els_status;
    if (reader->els_state == ELS_HISTORY_GIVEN) return ELELEM_END;
    status = els_history_keep(reader);
    if (status != ELELEM_OK) return status;
    if (!reader->els_finished) return ELELEM_MORE;
    status = els_record_check_end(&reader->els_check);
    if (status != ELELEM_OK)
        return els_history_refuse(reader, status, elelem_fragment_parser_error(&reader->els_check).offset);
    status = els_history_read(reader, entry);
    if (status == ELELEM_OK) reader->els_state = ELS_HISTORY_GIVEN;
    return status;
}

void elelem_history_reader_finish(elelem_history_reader *reader)
{
    reader->els_finished = 1;
}

elelem_error elelem_history_reader_error(const elelem_history_reader *reader)
{
    return els_error((elelem_status)reader->els_status, reader->els_error_offset);
}

void elelem_history_reader_reset(elelem_history_reader *reader)
{
    elelem_fragment_parser_reset(&reader->els_check);
    elelem_buffer_clear(&reader->els_kept);
    reader->els_input = els_cursor_of(NULL, 0);
    reader->els_error_offset = 0;
    reader->els_status = ELELEM_OK;
    reader->els_state = ELS_HISTORY_ENTRY;
    reader->els_finished = 0;
}

void elelem_history_reader_init(elelem_history_reader *reader, const elelem_history_reader_desc *desc)
{
    elelem_history_reader_desc standard = ELELEM_INIT;
    const elelem_history_reader_desc *d = desc ? desc : &standard;

    memset(reader, 0, sizeof *reader);
    els_record_check_init(&reader->els_check, d->allocator);
    els_line_reader_init(&reader->els_reader, d->allocator);
    elelem_buffer_init(&reader->els_kept, d->allocator, ELS_DEFAULT(d->max_bytes, 64u << 20));
    elelem_history_reader_reset(reader);
}

void elelem_history_reader_free(elelem_history_reader *reader)
{
    elelem_fragment_parser_free(&reader->els_check);
    els_line_reader_free(&reader->els_reader);
    elelem_buffer_free(&reader->els_kept);
}

#endif
