#ifndef ELS_SHAPE_C
#define ELS_SHAPE_C
#include "shape.h"
#include "base.c"
#include "fragment.c"
#include "value.c"
#include "writer.c"
#include "event.c"
#include "failure.c"
#include "usage.c"

/* >> shape */

typedef elelem_shape_item els_item;

/* What is known of an item. How its JSON begins, a number or not, says whether its last byte can show that it is whole. */
typedef enum els_item_mark {
    ELS_ITEM_NUMBER = 1,
    ELS_ITEM_CLOSES = 2, /* an object, an array, a string or a word; what is no JSON counts too */
    ELS_ITEM_NAMED = 4,  /* a call: its name was emitted */
    ELS_ITEM_EXPECTS = 8 /* the wire said that more is to come */
} els_item_mark;

/* A choice that had a part or a reason. */
typedef struct els_choice {
    uint32_t choice;
    uint8_t had;    /* one bit for each part kind */
    uint8_t reason; /* an elelem_finish_reason + 1; 0 while not known */
    uint8_t wrote;  /* the model wrote something after that */
} els_choice;

/* What is given out of an els_out_text. */
typedef enum els_out_form {
    ELS_OUT_PLAIN,   /* the text */
    ELS_OUT_STRING,  /* the JSON string of the text */
    ELS_OUT_VALUE,   /* the JSON text of a value */
    ELS_OUT_WRITTEN  /* the text in the scratch buffer */
} els_out_form;

ELS_PRIVATE void els_shape_fail(elelem_shape_context *c, elelem_status status)
{
    if (c->els_emits) c->els_status = status;
    c->els_emits = 0;
}

int elelem_shape_is_over(const elelem_shape_context *context)
{
    return !context->els_emits;
}

/* Items and choices. */

/* Rounded up, so that what follows is aligned. */
ELS_INLINE size_t els_aligned(size_t size)
{
    return els_sum(size, 7) / 8 * 8;
}

/* The records of an item and of a choice, each with the shape's memory after it. */
ELS_INLINE size_t els_item_size(const elelem_shape_context *c)
{
    return c->els_item_bytes;
}

ELS_INLINE size_t els_choice_size(const elelem_shape_context *c)
{
    return c->els_choice_bytes;
}

ELS_INLINE els_item *els_items(const elelem_shape_context *c)
{
    return (els_item *)(void *)c->els_items.data;
}

ELS_INLINE els_choice *els_choice_at(const elelem_shape_context *c, uint32_t i)
{
    return (els_choice *)(void *)(c->els_choices.data + i * els_choice_size(c));
}

elelem_shape_item *elelem_shape_item_oldest(const elelem_shape_context *context)
{
    return context->els_item_count > 0 ? els_items(context) : NULL;
}

elelem_shape_item *elelem_shape_item_newest(const elelem_shape_context *context)
{
    if (context->els_item_count == 0) return NULL;
    return (els_item *)(void *)(context->els_items.data + (context->els_item_count - 1) * els_item_size(context));
}

elelem_shape_item *elelem_shape_item_newer(const elelem_shape_context *context, const elelem_shape_item *item)
{
    size_t after = (size_t)((const unsigned char *)item - context->els_items.data) + els_item_size(context);

    if (after == context->els_item_count * els_item_size(context)) return NULL;
    return (els_item *)(void *)(context->els_items.data + after);
}

elelem_shape_item *elelem_shape_item_older(const elelem_shape_context *context, const elelem_shape_item *item)
{
    size_t offset = (size_t)((const unsigned char *)item - context->els_items.data);

    return offset > 0 ? (els_item *)(void *)(context->els_items.data + (offset - els_item_size(context))) : NULL;
}

elelem_shape_item *elelem_shape_item_at(const elelem_shape_context *context, uint32_t index)
{
    els_item *item = elelem_shape_item_newest(context);

    while (item && item->index != index)
        item = elelem_shape_item_older(context, item);
    return item;
}

void *elelem_shape_item_state(const elelem_shape_item *item)
{
    return (void *)(item + 1);
}

ELS_PRIVATE els_choice *els_choice_find(const elelem_shape_context *c, uint32_t choice)
{
    uint32_t i;

    for (i = 0; i < c->els_choice_count; i++)
        if (els_choice_at(c, i)->choice == choice) return els_choice_at(c, i);
    return NULL;
}

/* The record of a choice, which is made if there is none; null beyond the limit. */
ELS_PRIVATE els_choice *els_choice_of(elelem_shape_context *c, uint32_t choice)
{
    els_choice *found = els_choice_find(c, choice);
    elelem_status status;

    if (found) return found;
    status = els_block_reserve(&c->els_choices, els_product(els_sum(c->els_choice_count, 1), els_choice_size(c)),
                               els_product(c->els_max_choices, els_choice_size(c)), ELELEM_ERROR_COUNT);
    if (status != ELELEM_OK) {
        els_shape_fail(c, status);
        return NULL;
    }
    found = els_choice_at(c, c->els_choice_count++);
    memset(found, 0, els_choice_size(c));
    found->choice = choice;
    return found;
}

void *elelem_shape_choice_state(const elelem_shape_context *context, uint32_t choice)
{
    els_choice *found = els_choice_find(context, choice);

    return found ? found + 1 : NULL;
}

void *elelem_shape_stream_state(const elelem_shape_context *context)
{
    return context->els_stream_state.data;
}

/* Makes the shape's memory for the stream, when its first frame comes. */
ELS_PRIVATE elelem_status els_shape_begin(elelem_shape_context *c)
{
    size_t size = c->els_shape->stream_bytes;
    elelem_status status = els_block_reserve(&c->els_stream_state, size, size, ELELEM_ERROR_COUNT);

    if (status == ELELEM_OK && !c->els_has_state && size > 0) memset(c->els_stream_state.data, 0, size);
    if (status == ELELEM_OK) c->els_has_state = 1;
    return status;
}

uint32_t elelem_shape_item_open(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind, uint32_t key)
{
    els_item *item;
    elelem_status status = els_block_reserve(&context->els_items,
                                             els_product(els_sum(context->els_item_count, 1), els_item_size(context)),
                                             els_product(context->els_max_items, els_item_size(context)), ELELEM_ERROR_COUNT);

    if (status != ELELEM_OK || context->els_next_index == ELELEM_NO_INDEX) {
        els_shape_fail(context, status != ELELEM_OK ? status : ELELEM_ERROR_COUNT);
        return ELELEM_NO_INDEX;
    }
    context->els_item_count++;
    item = elelem_shape_item_newest(context);
    memset(item, 0, els_item_size(context));
    item->index = context->els_next_index++;
    item->choice = choice;
    item->kind = (uint8_t)kind;
    item->key = key;
    return item->index;
}

uint32_t elelem_shape_item_find(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                uint32_t key)
{
    const els_item *item = elelem_shape_item_newest(context);

    for (; item; item = elelem_shape_item_older(context, item))
        if (item->choice == choice && item->kind == kind && item->key == key && !item->waits) return item->index;
    return ELELEM_NO_INDEX;
}

ELS_INLINE int els_item_says(const els_item *item)
{
    return item->kind != ELELEM_PART_TOOL_CALL && item->kind != ELELEM_PART_PROVIDER_ITEM;
}

uint32_t elelem_shape_item_text(const elelem_shape_context *context, uint32_t choice)
{
    const els_item *item = elelem_shape_item_newest(context);

    for (; item; item = elelem_shape_item_older(context, item))
        if (item->choice == choice && els_item_says(item) && !item->waits) return item->index;
    return ELELEM_NO_INDEX;
}

uint32_t elelem_shape_item_continue(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                    uint32_t key)
{
    uint32_t open = elelem_shape_item_text(context, choice);

    if (open != ELELEM_NO_INDEX) {
        const els_item *item = elelem_shape_item_at(context, open);
        if (item->kind == kind && item->key == key) return open;
        elelem_shape_flush(context, open);
    }
    return elelem_shape_item_open(context, choice, kind, key);
}

#define ELS_SHAPE_HASH_PRIME UINT64_C(0x100000001b3)

/* FNV-1a, 64 bits. Four bytes at a time, since ids are long and every frame has one. */
uint64_t elelem_shape_hash_more(uint64_t hash, elelem_str text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    const unsigned char *end = text.data ? at + text.size : at;

    for (; end - at >= 4; at += 4) {
        hash = (hash ^ at[0]) * ELS_SHAPE_HASH_PRIME;
        hash = (hash ^ at[1]) * ELS_SHAPE_HASH_PRIME;
        hash = (hash ^ at[2]) * ELS_SHAPE_HASH_PRIME;
        hash = (hash ^ at[3]) * ELS_SHAPE_HASH_PRIME;
    }
    for (; at < end; at++)
        hash = (hash ^ *at) * ELS_SHAPE_HASH_PRIME;
    return hash;
}

uint64_t elelem_shape_hash(elelem_str text)
{
    return elelem_shape_hash_more(ELELEM_SHAPE_HASH_START, text);
}

static elelem_status els_shape_hash_bytes(void *context, const void *bytes, size_t size)
{
    uint64_t *hash = (uint64_t *)context;

    *hash = elelem_shape_hash_more(*hash, els_str((const char *)bytes, size));
    return ELELEM_OK;
}

uint64_t elelem_shape_hash_member(uint64_t hash, elelem_value member)
{
    elelem_writer writer;
    elelem_sink sink;

    hash = elelem_shape_hash_more(hash, elelem_value_key(member));
    sink.write = els_shape_hash_bytes;
    sink.context = &hash;
    elelem_writer_init(&writer, sink, 0);
    elelem_writer_value(&writer, member);
    return hash;
}

int elelem_shape_is_news(uint32_t *kept, uint64_t hash)
{
    uint32_t now = hash == ELELEM_SHAPE_HASH_START ? 0 : (uint32_t)(hash ^ hash >> 32) | 1;

    if (now == 0 || now == *kept) return 0;
    *kept = now;
    return 1;
}

int elelem_shape_item_may_be(const elelem_shape_item *item, uint64_t id_hash)
{
    return id_hash == ELELEM_SHAPE_HASH_START || !item->has_id || item->els_id_hash == id_hash;
}

int elelem_shape_choice_had(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind)
{
    const els_choice *found = els_choice_find(context, choice);

    return found && (found->had >> kind & 1);
}

elelem_part_kind elelem_shape_message_kind(const elelem_shape_context *context)
{
    return context->els_structured ? ELELEM_PART_STRUCTURED : ELELEM_PART_MESSAGE;
}

/* The frame. */

elelem_shape_frame elelem_shape_frame_kind(const elelem_shape_context *context)
{
    return (elelem_shape_frame)context->els_frame;
}

elelem_value elelem_shape_document(const elelem_shape_context *context)
{
    return context->els_document;
}

elelem_str elelem_shape_event_name(const elelem_shape_context *context)
{
    return context->els_event_name;
}

void elelem_shape_want(elelem_shape_context *context, size_t count)
{
    context->els_path_count = count;
}

void elelem_shape_paths(elelem_shape_context *context, const elelem_pattern_node *paths)
{
    context->els_paths = paths;
}

void elelem_shape_drop(elelem_shape_context *context, unsigned row)
{
    if (row < 32) context->els_dropped |= (uint32_t)1 << row;
}

/* Nonzero if the row, or one that it is in, is this one. */
ELS_PRIVATE int els_row_is_in(const elelem_shape_context *c, unsigned row, unsigned outer)
{
    while (row > outer)
        row = c->els_shape->paths[row].parent;
    return row == outer;
}

/* The row from `first` to `last` that names the member; `last` + 1 if none does. What is only led through has no
   number of a pattern, and what is inside a value that is wanted whole has that value's. */
ELS_PRIVATE unsigned els_field_row(const elelem_shape_context *c, elelem_value member, unsigned first, unsigned last)
{
    unsigned row = els_value_node_of(member)->pattern;

    if (row >= first && row <= last) return row;
    if (row != ELELEM_NO_PATTERN && !els_row_is_in(c, first, row)) return last + 1;
    for (row = first; row <= last; row++)
        if (els_is_key(&c->els_paths[row], elelem_value_key(member))) return row;
    return row;
}

void elelem_shape_fields_find(elelem_shape_context *context, elelem_value object, unsigned first, unsigned last,
                              unsigned slot)
{
    elelem_value member = elelem_value_first(object);
    const els_value_node *node;

    if (slot > ELELEM_SHAPE_MAX_ROWS || last >= first + ELELEM_SHAPE_MAX_ROWS - slot) return;
    memset(&context->els_fields[slot], 0, (last + 1 - first) * sizeof context->els_fields[0]);
    for (; member.els_node; member.els_node = node->next) {
        unsigned row;
        node = els_tree_node(member.els_owner, member.els_node);
        row = node->pattern >= first && node->pattern <= last ? node->pattern : els_field_row(context, member, first, last);
        if (row <= last) context->els_fields[slot + row - first] = member.els_node;
    }
}

elelem_value elelem_shape_field(const elelem_shape_context *context, unsigned slot)
{
    return els_value_of(context->els_document.els_owner, context->els_fields[slot]);
}

/* Skips members up to one that the row matches. */
ELS_PRIVATE elelem_value els_row_from(const elelem_shape_context *c, elelem_value member, unsigned row)
{
    while (member.els_node && els_field_row(c, member, row, row) != row)
        member = elelem_value_next(member);
    return member;
}

elelem_value elelem_shape_row_first(const elelem_shape_context *context, elelem_value object, unsigned row)
{
    return els_row_from(context, elelem_value_first(object), row);
}

elelem_value elelem_shape_row_next(const elelem_shape_context *context, elelem_value member, unsigned row)
{
    return els_row_from(context, elelem_value_next(member), row);
}

elelem_str elelem_shape_string(elelem_value value)
{
    return els_text_of(value);
}

elelem_str elelem_shape_string_in(elelem_value object, const char *key)
{
    return els_text_of(elelem_value_get(object, key));
}

int elelem_shape_is_there(elelem_value value)
{
    return value.els_node != 0;
}

int elelem_shape_is_same(elelem_value a, elelem_value b)
{
    return a.els_node == b.els_node;
}

int elelem_shape_is_value(elelem_value value)
{
    return els_is_value(value);
}

/* Numbers. */

/* Z.ai numbers its tool calls -1. */
int elelem_shape_number(elelem_value value, uint32_t *number)
{
    int64_t wide;

    if (elelem_value_to_int64(value, &wide) != ELELEM_OK || wide < 0 || wide > INT32_MAX) return 0;
    *number = (uint32_t)wide;
    return 1;
}

uint32_t elelem_shape_number_or(elelem_value value, uint32_t otherwise)
{
    uint32_t number;

    return elelem_shape_number(value, &number) ? number : otherwise;
}

int64_t elelem_shape_count_in(elelem_value object, const char *key)
{
    int64_t count;

    return elelem_value_to_int64(elelem_value_get(object, key), &count) == ELELEM_OK ? count : -1;
}

void elelem_shape_count_to(int64_t *count, elelem_value object, const char *key)
{
    int64_t found = elelem_shape_count_in(object, key);

    if (found >= 0) *count = found;
}

/* Metadata. */

/* The first few events and entries of metadata need no memory of their own. Makes room for what is added after
   `count` of them. */
ELS_PRIVATE elelem_status els_queue_grow(const elelem_shape_context *c, els_block *block, uint32_t count, uint32_t few,
                                         size_t size)
{
    if (ELS_LIKELY(count < few)) return ELELEM_OK;
    return els_block_reserve(block, els_product(els_sum(count - few, 1), size), c->els_max_queue, ELELEM_ERROR_FRAME_SIZE);
}

ELS_PRIVATE els_out *els_out_at(elelem_shape_context *c, uint32_t at)
{
    return at < ELS_FEW_EVENTS ? &c->els_few_events[at] : (els_out *)(void *)c->els_queue.data + (at - ELS_FEW_EVENTS);
}

ELS_PRIVATE els_out_metadata *els_out_metadata_at(elelem_shape_context *c, uint32_t at)
{
    return at < ELS_FEW_METADATA ? &c->els_few_metadata[at]
                                 : (els_out_metadata *)(void *)c->els_metadata.data + (at - ELS_FEW_METADATA);
}

/* Room for the entries of metadata of one event, reserved before. */
ELS_PRIVATE elelem_metadata_entry *els_entries_of(elelem_shape_context *c, uint32_t count)
{
    if (count <= ELS_FEW_METADATA) return c->els_few_entries;
    return (elelem_metadata_entry *)(void *)c->els_entries.data;
}

/* One more entry for the event that is emitted next, to be filled in. Returns null if there is no memory for it. */
ELS_PRIVATE els_out_text *els_metadata_new(elelem_shape_context *c, elelem_str key, els_out_form form)
{
    els_out_metadata *entry;
    elelem_status status = els_queue_grow(c, &c->els_metadata, c->els_metadata_count, ELS_FEW_METADATA, sizeof *entry);

    if (status != ELELEM_OK) {
        els_shape_fail(c, status);
        return NULL;
    }
    entry = els_out_metadata_at(c, c->els_metadata_count++);
    memset(entry, 0, sizeof *entry);
    entry->key = key;
    entry->json.form = (uint8_t)form;
    return &entry->json;
}

/* The scratch buffer from `offset` to its end. */
ELS_PRIVATE void els_metadata_add(elelem_shape_context *c, elelem_str key, size_t offset)
{
    els_out_text *json = ELS_HAS_METADATA ? els_metadata_new(c, key, ELS_OUT_WRITTEN) : NULL;

    if (!json) return;
    json->offset = offset;
    json->text.size = elelem_buffer_text(&c->els_scratch).size - offset;
}

/* Starts writing JSON into the scratch buffer. Returns the offset. */
ELS_PRIVATE size_t els_scratch_begin(elelem_shape_context *c, elelem_writer *writer)
{
    elelem_writer_init(writer, elelem_buffer_sink(&c->els_scratch), 0);
    return elelem_buffer_text(&c->els_scratch).size;
}

ELS_PRIVATE int els_scratch_end(elelem_shape_context *c, const elelem_writer *writer)
{
    elelem_status status = els_writer_status(writer);

    if (status != ELELEM_OK) els_shape_fail(c, status);
    return status == ELELEM_OK;
}

void elelem_shape_metadata_json(elelem_shape_context *context, elelem_str key, elelem_str json)
{
    els_out_text *out = ELS_HAS_METADATA ? els_metadata_new(context, key, ELS_OUT_PLAIN) : NULL;

    if (out) out->text = json;
}

void elelem_shape_metadata_text(elelem_shape_context *context, const char *key, elelem_str text)
{
    els_out_text *out = ELS_HAS_METADATA ? els_metadata_new(context, elelem_str_of(key), ELS_OUT_STRING) : NULL;

    if (out) out->text = text;
}

void elelem_shape_metadata_value(elelem_shape_context *context, const char *key, elelem_value value)
{
    els_out_text *out = ELS_HAS_METADATA ? els_metadata_new(context, elelem_str_of(key), ELS_OUT_VALUE) : NULL;

    if (out) out->node = value.els_node;
}

elelem_writer *elelem_shape_write(elelem_shape_context *context)
{
    context->els_written = els_scratch_begin(context, &context->els_writer);
    return &context->els_writer;
}

elelem_writer *elelem_shape_write_on(elelem_shape_context *context)
{
    els_scratch_end(context, &context->els_writer);
    elelem_writer_init(&context->els_writer, elelem_buffer_sink(&context->els_scratch), 0);
    return &context->els_writer;
}

void elelem_shape_write_raw(elelem_shape_context *context, elelem_str text)
{
    elelem_status status = elelem_buffer_append(&context->els_scratch, text.data, text.size);

    if (status != ELELEM_OK) els_shape_fail(context, status);
}

void elelem_shape_metadata_written(elelem_shape_context *context, elelem_str key)
{
    if (els_scratch_end(context, &context->els_writer)) els_metadata_add(context, key, context->els_written);
}

void elelem_shape_metadata_in_array(elelem_shape_context *context, const char *key, elelem_value value)
{
    elelem_writer *writer = elelem_shape_write(context);

    if (!ELS_HAS_METADATA) return;
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_value(writer, value);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(context, elelem_str_of(key));
}

int elelem_shape_has_metadata(const elelem_shape_context *context)
{
    return context->els_metadata_count > context->els_metadata_used;
}

/* Events. */

/* What few events have: the type of a call, or the caption of a provider item. It waits as the last entry of the metadata of
   its event, under a key of its own. */
static const char els_extra_key[] = "";

ELS_PRIVATE void els_extra_add_in(elelem_shape_context *c, elelem_str text, els_out_form form, size_t offset)
{
    els_out_text *out = els_metadata_new(c, els_str(els_extra_key, 0), form);

    if (!out) return;
    out->text = text;
    out->offset = offset;
}

ELS_PRIVATE void els_extra_add(elelem_shape_context *c, elelem_str text)
{
    els_extra_add_in(c, text, ELS_OUT_PLAIN, 0);
}

/* Adds an event with the waiting metadata to the queue. Returns null after a failure, because the metadata may lack
   what could not be stored, and after the end. */
ELS_PRIVATE els_out *els_emit_event(elelem_shape_context *c, elelem_event_kind kind)
{
    elelem_status status;
    els_out *out;

    if (!c->els_emits) return NULL;
    status = els_queue_grow(c, &c->els_queue, c->els_out_count, ELS_FEW_EVENTS, sizeof *out);
    if (status != ELELEM_OK) {
        els_shape_fail(c, status);
        return NULL;
    }
    out = els_out_at(c, c->els_out_count++);
    memset(out, 0, sizeof *out);
    out->kind = (uint8_t)kind;
    out->metadata_count = c->els_metadata_count - c->els_metadata_used;
    c->els_metadata_used = c->els_metadata_count;
    return out;
}

/* The same for an event of an item. */
ELS_PRIVATE els_out *els_emit(elelem_shape_context *c, elelem_event_kind kind, const els_item *item)
{
    els_out *out = els_emit_event(c, kind);

    if (!out) return NULL;
    out->index = item->index;
    out->choice = item->choice;
    out->hosted = item->hosted;
    return out;
}

void elelem_shape_response(elelem_shape_context *context)
{
    if (elelem_shape_has_metadata(context)) els_emit_event(context, ELELEM_EVENT_METADATA);
}

/* Notes how the item's JSON begins. */
ELS_PRIVATE void els_item_follow(els_item *item, elelem_str json)
{
    size_t i = 0;

    while (i < json.size && els_is_blank((unsigned char)json.data[i]))
        i++;
    if (i == json.size) return;
    item->els_marks |= json.data[i] == '-' || (json.data[i] >= '0' && json.data[i] <= '9') ? ELS_ITEM_NUMBER : ELS_ITEM_CLOSES;
}

/* A part of the item, of which `json` is arguments or text. */
ELS_PRIVATE els_out *els_emit_part(elelem_shape_context *c, uint32_t index, elelem_str json)
{
    els_item *item = elelem_shape_item_at(c, index);
    els_choice *choice = item ? els_choice_of(c, item->choice) : NULL;
    els_out *out = choice ? els_emit(c, ELELEM_EVENT_PART, item) : NULL;

    if (!out) return NULL;
    out->part_kind = item->kind;
    choice->wrote |= (uint8_t)(json.size > 0 || (item->kind == ELELEM_PART_TOOL_CALL && !item->had_part));
    item->had_part = 1;
    choice->had |= (uint8_t)(1u << item->kind);
    if (!(item->els_marks & (ELS_ITEM_NUMBER | ELS_ITEM_CLOSES))) els_item_follow(item, json);
    return out;
}

ELS_PRIVATE els_out *els_emit_call(elelem_shape_context *c, uint32_t index, elelem_tool_call_part_kind kind, elelem_str arguments)
{
    els_out *out = els_emit_part(c, index, arguments);

    if (out) out->tool_call_kind = (uint8_t)kind;
    return out;
}

/* Arguments, whose text begins with this. A call of which nothing is known yet starts first. */
ELS_PRIVATE els_out *els_emit_arguments(elelem_shape_context *c, uint32_t index, elelem_str begin)
{
    const els_item *item = elelem_shape_item_at(c, index);

    if (item && !item->had_part) els_emit_call(c, index, ELELEM_TOOL_CALL_START, els_str(NULL, 0));
    return els_emit_call(c, index, ELELEM_TOOL_CALL_ARGUMENT_CHUNK, begin);
}

/* Characters whose halves come in two texts. What a surrogate became in a text is U+FFFD, of 3 bytes. */

#define ELS_HALF_SIZE 3u

ELS_INLINE int els_is_low_surrogate(uint16_t surrogate)
{
    return surrogate >= 0xdc00;
}

/* The low surrogate that the text, which is a string of the frame, begins with, or the high one that it ends with; 0 if there is none. */
ELS_APART uint16_t els_half_of(const elelem_shape_context *c, elelem_str text, int is_low)
{
    const els_halves *halves = &c->els_halves_here;
    uint32_t i;

    for (i = 0; text.size >= ELS_HALF_SIZE && i < halves->count; i++) {
        elelem_str string = elelem_value_text(els_value_of(c->els_document.els_owner, halves->strings[i]));
        int is_same = is_low ? string.data == text.data : string.data + string.size == text.data + text.size;
        if (is_same && els_is_low_surrogate(halves->surrogates[i]) == is_low) return halves->surrogates[i];
    }
    return 0;
}

/* Ends the character that was begun before the piece, and takes the high surrogate that it ends with. */
ELS_APART void els_join_halves(const elelem_shape_context *c, uint32_t index, elelem_shape_joined *joined)
{
    const els_item *item = elelem_shape_item_at(c, index);
    uint16_t low, high;

    if (!item) return;
    joined->els_high = item->els_high;
    if (joined->rest.size == 0) return;
    low = els_half_of(c, joined->rest, 1);
    high = els_half_of(c, joined->rest, 0);
    if (item->els_high) {
        uint32_t pair = 0x10000 + ((item->els_high - 0xd800u) << 10) + (low - 0xdc00u);
        joined->size = (uint8_t)elelem_utf8_encode(low ? pair : 0xfffd, joined->first);
        if (low) joined->rest = els_str(joined->rest.data + ELS_HALF_SIZE, joined->rest.size - ELS_HALF_SIZE);
    }
    if (high) joined->rest.size -= ELS_HALF_SIZE;
    joined->els_high = high;
}

ELS_INLINE int els_has_halves(const elelem_shape_context *c)
{
    return (c->els_halves_here.count | c->els_high_count) > 0;
}

elelem_shape_joined elelem_shape_join(const elelem_shape_context *context, uint32_t index, elelem_str piece)
{
    elelem_shape_joined joined;

    joined.rest = piece;
    joined.size = 0;
    joined.els_high = 0;
    if (ELS_UNLIKELY(els_has_halves(context))) els_join_halves(context, index, &joined);
    return joined;
}

/* The high surrogate that the item's text ends with now; 0 for none. */
ELS_APART void els_set_high(elelem_shape_context *c, uint32_t index, uint16_t high)
{
    els_item *item = elelem_shape_item_at(c, index);

    if (!item) return;
    c->els_high_count += (uint32_t)(high != 0);
    c->els_high_count -= (uint32_t)(item->els_high != 0);
    item->els_high = high;
}

/* The same as elelem_shape_join of a piece that comes now. */
ELS_PRIVATE elelem_shape_joined els_join_now(elelem_shape_context *c, uint32_t index, elelem_str piece)
{
    elelem_shape_joined joined = elelem_shape_join(c, index, piece);

    if (ELS_UNLIKELY(els_has_halves(c))) els_set_high(c, index, joined.els_high);
    return joined;
}

void elelem_shape_write_piece(elelem_shape_context *context, uint32_t index, elelem_str piece)
{
    elelem_shape_joined joined = els_join_now(context, index, piece);

    elelem_writer_string_piece(&context->els_writer, els_str(joined.first, joined.size));
    elelem_writer_string_piece(&context->els_writer, joined.rest);
}

void elelem_shape_write_json_piece(elelem_shape_context *context, uint32_t index, elelem_str piece)
{
    elelem_shape_joined joined = els_join_now(context, index, piece);

    elelem_shape_write_raw(context, els_str(joined.first, joined.size));
    elelem_shape_write_raw(context, joined.rest);
}

static const char els_half_text[] = "\xef\xbf\xbd";

void elelem_shape_write_half(elelem_shape_context *context, uint32_t index)
{
    const els_item *item = elelem_shape_item_at(context, index);

    if (item && item->els_high) elelem_shape_write_raw(context, els_str(els_half_text, ELS_HALF_SIZE));
    els_set_high(context, index, 0);
}

void elelem_shape_drop_half(elelem_shape_context *context, uint32_t index)
{
    els_set_high(context, index, 0);
}

/* Copies a character into the scratch buffer. Returns its offset. */
ELS_APART size_t els_scratch_character(elelem_shape_context *c, elelem_str character)
{
    size_t offset = elelem_buffer_text(&c->els_scratch).size;

    elelem_shape_write_raw(c, character);
    return offset;
}

/* Emits a character as text of the item, or as arguments. */
ELS_APART void els_emit_character(elelem_shape_context *c, uint32_t index, elelem_str character)
{
    size_t offset = els_scratch_character(c, character);
    int is_call = elelem_shape_item_at(c, index)->kind == ELELEM_PART_TOOL_CALL;
    els_out *out = is_call ? els_emit_arguments(c, index, character) : els_emit_part(c, index, character);

    if (!out) return;
    out->text.text = character;
    out->text.form = ELS_OUT_WRITTEN;
    out->text.offset = offset;
}

/* Emits what comes before the piece, and returns the rest of it. */
ELS_APART elelem_str els_emit_joined(elelem_shape_context *c, uint32_t index, elelem_str piece)
{
    elelem_shape_joined joined = els_join_now(c, index, piece);

    if (joined.size > 0) els_emit_character(c, index, els_str(joined.first, joined.size));
    return joined.rest;
}

/* The text of the item ends. */
ELS_APART void els_end_high(elelem_shape_context *c, const els_item *item)
{
    elelem_shape_drop_half(c, item->index);
    if (item->kind != ELELEM_PART_PROVIDER_ITEM) els_emit_character(c, item->index, els_str(els_half_text, ELS_HALF_SIZE));
}

void elelem_shape_text(elelem_shape_context *context, uint32_t index, elelem_str text)
{
    els_out *out;

    if (ELS_UNLIKELY(els_has_halves(context))) text = els_emit_joined(context, index, text);
    if (text.size == 0 && !elelem_shape_has_metadata(context)) return;
    out = els_emit_part(context, index, text);
    if (out) out->text.text = text;
}

/* A part of a call, of which `arguments` are the beginning of its text, if it is arguments. */
ELS_PRIVATE els_out *els_emit_start(elelem_shape_context *c, uint32_t index, elelem_str id, elelem_str name)
{
    els_item *item = elelem_shape_item_at(c, index);
    els_out *out;

    if (!item) return NULL;
    if (item->has_id) id.size = 0;
    if (item->els_marks & ELS_ITEM_NAMED) name.size = 0;
    if (id.size == 0 && name.size == 0 && !elelem_shape_has_metadata(c)) return NULL;
    if (id.size > 0) {
        item->has_id = 1;
        item->els_id_hash = elelem_shape_hash(id);
    }
    if (name.size > 0) item->els_marks |= ELS_ITEM_NAMED;
    out = els_emit_call(c, index, ELELEM_TOOL_CALL_START, els_str(NULL, 0));
    if (!out) return NULL;
    out->text.text = id;
    out->name = name;
    return out;
}

void elelem_shape_tool_start(elelem_shape_context *context, uint32_t index, elelem_str id, elelem_str name)
{
    els_emit_start(context, index, id, name);
}

void elelem_shape_tool_start_typed(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str id, elelem_str name)
{
    const els_item *item = elelem_shape_item_at(context, index);

    if (item && !item->had_part) els_extra_add(context, type);
    els_emit_start(context, index, id, name);
}

/* Provider items. */

/* Copies a type into the scratch buffer, once for the events of an item that follow each other. Returns its offset. */
ELS_PRIVATE size_t els_type_copy(elelem_shape_context *c, uint32_t index, elelem_str type)
{
    const els_out *last = c->els_out_count > 0 ? els_out_at(c, c->els_out_count - 1) : NULL;
    size_t offset = elelem_buffer_text(&c->els_scratch).size;
    elelem_status status;

    if (last && last->index == index && last->copied) return last->name.size;
    status = elelem_buffer_append(&c->els_scratch, type.data, type.size);
    if (status != ELELEM_OK) els_shape_fail(c, status);
    return offset;
}

/* Of a longer type the characters that fit are given: of that of a value that passes no more is known. One that is kept is copied, because
   what is kept moves and ends with its item. */
ELS_PRIVATE els_out *els_emit_provider(elelem_shape_context *c, uint32_t index, elelem_str type)
{
    int is_kept = type.size > 0 && type.data == elelem_shape_kept(c, elelem_shape_item_at(c, index)).data;
    size_t offset = 0;
    els_out *out;

    if (type.size > ELS_PASSAGE_TYPE) type.size = els_whole_characters((const unsigned char *)type.data, ELS_PASSAGE_TYPE);
    if (is_kept) offset = els_type_copy(c, index, type);
    out = els_emit_part(c, index, els_str(NULL, 0));
    if (!out) return NULL;
    out->name = is_kept ? els_str(NULL, offset) : type;
    out->copied = (uint8_t)(is_kept ? type.size : 0);
    return out;
}

void elelem_shape_provider_json(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str json)
{
    els_out *out = json.size > 0 ? els_emit_provider(context, index, type) : NULL;

    if (out) out->text.text = json;
}

void elelem_shape_provider_value(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_value value)
{
    els_out *out = els_emit_provider(context, index, type);

    if (!out) return;
    out->text.form = ELS_OUT_VALUE;
    out->text.node = value.els_node;
}

void elelem_shape_provider_written(elelem_shape_context *context, uint32_t index, elelem_str type)
{
    size_t offset = context->els_written;
    int is_good = els_scratch_end(context, &context->els_writer);
    size_t size = elelem_buffer_text(&context->els_scratch).size - offset;
    els_out *out = is_good && (size > 0 || elelem_shape_has_metadata(context)) ? els_emit_provider(context, index, type) : NULL;

    if (!out) return;
    out->text.text.size = size;
    out->text.form = ELS_OUT_WRITTEN;
    out->text.offset = offset;
}

void elelem_shape_provider_caption(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str caption)
{
    if (caption.size == 0 || !elelem_shape_item_at(context, index)) return;
    els_extra_add(context, caption);
    els_emit_provider(context, index, type);
}

/* Emits a character as a caption. */
ELS_APART void els_emit_caption(elelem_shape_context *c, uint32_t index, elelem_str type, elelem_str character)
{
    els_extra_add_in(c, character, ELS_OUT_WRITTEN, els_scratch_character(c, character));
    els_emit_provider(c, index, type);
}

void elelem_shape_provider_caption_piece(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str piece)
{
    elelem_shape_joined joined = els_join_now(context, index, piece);

    if (joined.size > 0) els_emit_caption(context, index, type, els_str(joined.first, joined.size));
    elelem_shape_provider_caption(context, index, type, joined.rest);
}

void elelem_shape_provider_captions(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_value texts)
{
    elelem_value value = elelem_value_first(texts);
    int shown = 0;

    elelem_shape_provider_caption(context, index, type, elelem_shape_string(texts));
    if (elelem_value_type(texts) != ELELEM_TYPE_ARRAY) return;
    for (; elelem_shape_is_there(value) && shown < ELELEM_SHAPE_CAPTIONS; value = elelem_value_next(value)) {
        elelem_str text = elelem_shape_string(value);
        if (text.size == 0) continue;
        if (shown++ > 0) elelem_shape_provider_caption(context, index, type, elelem_str_of(", "));
        elelem_shape_provider_caption(context, index, type, text);
    }
}

void elelem_shape_pass_as(elelem_shape_context *context, const char *type)
{
    context->els_passing_type = type;
}

char elelem_shape_passed_last(const elelem_shape_context *context)
{
    return context->els_passed_last;
}

int elelem_shape_wants_items(const elelem_shape_context *context)
{
    return ELS_HAS_ITEMS && context->els_wants_items;
}

void elelem_shape_tool_start_unnamed(elelem_shape_context *context, uint32_t index, elelem_str name)
{
    size_t offset = elelem_buffer_text(&context->els_scratch).size;
    elelem_status status = elelem_buffer_append(&context->els_scratch, "call_", 5);
    elelem_writer writer;
    elelem_str id;
    els_out *out;

    elelem_writer_init(&writer, elelem_buffer_sink(&context->els_scratch), 0);
    if (status == ELELEM_OK) status = elelem_writer_uint64(&writer, index);
    if (status != ELELEM_OK) els_shape_fail(context, status);
    id = elelem_buffer_text(&context->els_scratch);
    out = els_emit_start(context, index, els_str(id.data + offset, id.size - offset), name);
    if (!out) return;
    out->text.form = ELS_OUT_WRITTEN;
    out->text.offset = offset;
}

void elelem_shape_tool_arguments(elelem_shape_context *context, uint32_t index, elelem_str json)
{
    els_out *out;

    if (ELS_UNLIKELY(els_has_halves(context))) json = els_emit_joined(context, index, json);
    out = json.size > 0 ? els_emit_arguments(context, index, json) : NULL;
    if (out) out->text.text = json;
}

/* Arguments that were written into the scratch buffer, from `offset` to its end. */
ELS_PRIVATE void els_emit_written(elelem_shape_context *c, uint32_t index, size_t offset)
{
    elelem_str scratch = elelem_buffer_text(&c->els_scratch);
    size_t size = scratch.size - offset;
    els_out *out = size > 0 ? els_emit_arguments(c, index, els_str(scratch.data + offset, size)) : NULL;

    if (!out) return;
    out->text.text.size = size;
    out->text.form = ELS_OUT_WRITTEN;
    out->text.offset = offset;
}

void elelem_shape_tool_arguments_written(elelem_shape_context *context, uint32_t index)
{
    if (els_scratch_end(context, &context->els_writer)) els_emit_written(context, index, context->els_written);
}

/* What a value's JSON text begins with, as far as that says whether it closes. */
ELS_PRIVATE elelem_str els_begin_of(elelem_value value)
{
    return elelem_str_of(elelem_value_type(value) == ELELEM_TYPE_NUMBER ? "0" : "{");
}

void elelem_shape_tool_arguments_value(elelem_shape_context *context, uint32_t index, elelem_value value)
{
    els_out *out = els_emit_arguments(context, index, els_begin_of(value));

    if (!out) return;
    out->text.form = ELS_OUT_VALUE;
    out->text.node = value.els_node;
}

/* What is kept: one block, in which each item has its room. */

ELS_PRIVATE unsigned char *els_kept_of(const elelem_shape_context *c, const els_item *item)
{
    return c->els_kept.data + (item->els_kept - 1);
}

/* Makes room for `size` bytes. The last room grows in place; another item's moves to twice its size, and what it leaves is
   free when no item keeps anything. */
ELS_PRIVATE elelem_status els_kept_grow(elelem_shape_context *c, els_item *item, size_t size)
{
    size_t start = item->els_kept ? item->els_kept - 1 : c->els_kept_size;
    int moves = item->els_kept && els_sum(start, item->els_kept_room) != c->els_kept_size;
    elelem_status status;

    if (moves) start = c->els_kept_size;
    if (els_sum(els_sum(start, els_product(size, 2)), 8) < c->els_max_kept) size *= 2;
    if (size < c->els_max_kept) size = els_aligned(size);
    status = els_block_reserve(&c->els_kept, els_sum(start, size), c->els_max_kept, ELELEM_ERROR_VALUE_SIZE);
    if (status != ELELEM_OK) return status;
    if (moves) memcpy(c->els_kept.data + start, els_kept_of(c, item), item->els_kept_size);
    item->els_kept = (uint32_t)start + 1;
    item->els_kept_room = (uint32_t)size;
    c->els_kept_size = els_sum(start, size);
    return ELELEM_OK;
}

void *elelem_shape_kept_resize(elelem_shape_context *context, uint32_t index, size_t size)
{
    els_item *item = elelem_shape_item_at(context, index);
    elelem_status status = ELELEM_OK;

    if (!item || (!item->els_kept && size == 0)) return NULL;
    if (!item->els_kept || size > item->els_kept_room) status = els_kept_grow(context, item, size);
    if (status != ELELEM_OK) {
        els_shape_fail(context, status);
        return NULL;
    }
    item->els_kept_size = (uint32_t)size;
    return els_kept_of(context, item);
}

elelem_str elelem_shape_kept(const elelem_shape_context *context, const elelem_shape_item *item)
{
    if (!item || !item->els_kept) return els_str(NULL, 0);
    return els_str(els_kept_of(context, item), item->els_kept_size);
}

void elelem_shape_keep(elelem_shape_context *context, uint32_t index, elelem_str text)
{
    size_t size = elelem_shape_kept(context, elelem_shape_item_at(context, index)).size;
    char *kept;

    if (text.size == 0) return;
    kept = (char *)elelem_shape_kept_resize(context, index, els_sum(size, text.size));
    if (kept) memcpy(kept + size, text.data, text.size);
}

void elelem_shape_metadata_kept(elelem_shape_context *context, uint32_t index, const char *key)
{
    elelem_str kept = elelem_shape_kept(context, elelem_shape_item_at(context, index));

    if (kept.size == 0 || !ELS_HAS_METADATA) return;
    elelem_writer_string(elelem_shape_write(context), kept);
    elelem_shape_metadata_written(context, elelem_str_of(key));
}

/* The block starts over when no item keeps anything. */
ELS_PRIVATE void els_kept_release(elelem_shape_context *c)
{
    const els_item *item = elelem_shape_item_oldest(c);

    while (item && !item->els_kept)
        item = elelem_shape_item_newer(c, item);
    if (!item) c->els_kept_size = 0;
}

/* Nonzero if only the way the item ended says whether its JSON is whole. Structured text that is empty is no item. */
ELS_PRIVATE int els_item_is_undecided(const els_item *item)
{
    if (item->kind == ELELEM_PART_TOOL_CALL) return !(item->els_marks & ELS_ITEM_CLOSES);
    return item->kind == ELELEM_PART_STRUCTURED && (item->els_marks & ELS_ITEM_NUMBER);
}

ELS_PRIVATE int els_item_is_cut_off(const els_item *item, elelem_shape_ending ending)
{
    if ((item->els_marks & ELS_ITEM_EXPECTS) || ending == ELELEM_SHAPE_INCOMPLETE)
        return item->kind == ELELEM_PART_TOOL_CALL || item->kind == ELELEM_PART_STRUCTURED;
    return ending == ELELEM_SHAPE_STOPPED && els_item_is_undecided(item);
}

ELS_PRIVATE void els_item_forget(elelem_shape_context *c, els_item *item)
{
    unsigned char *next = (unsigned char *)item + els_item_size(c);
    unsigned char *end = c->els_items.data + c->els_item_count * els_item_size(c);
    int had_kept = item->els_kept != 0;

    memmove(item, next, (size_t)(end - next));
    c->els_item_count--;
    if (had_kept) els_kept_release(c);
}

/* An item that never had a part is closed without a word. */
void elelem_shape_flush_as(elelem_shape_context *context, uint32_t index, elelem_shape_ending ending)
{
    els_item *item = elelem_shape_item_at(context, index);
    els_out *out;

    if (item && item->els_high) els_end_high(context, item);
    out = item && item->had_part ? els_emit(context, ELELEM_EVENT_FLUSH, item) : NULL;
    if (out) out->cut_off = (uint8_t)els_item_is_cut_off(item, ending);
    if (item) els_item_forget(context, item);
}

void elelem_shape_flush(elelem_shape_context *context, uint32_t index)
{
    elelem_shape_flush_as(context, index, ELELEM_SHAPE_ENDED);
}

void elelem_shape_item_expect(elelem_shape_context *context, uint32_t index, int more)
{
    els_item *item = elelem_shape_item_at(context, index);

    if (!item) return;
    if (more) item->els_marks |= ELS_ITEM_EXPECTS;
    else item->els_marks &= (uint8_t)~ELS_ITEM_EXPECTS;
}

void elelem_shape_item_close(elelem_shape_context *context, uint32_t index)
{
    const els_item *item = elelem_shape_item_at(context, index);

    if (item && item->had_part && els_item_is_undecided(item)) elelem_shape_item_wait(context, index);
    else elelem_shape_flush(context, index);
}

/* Metadata that would go with a flush goes before one that waits. */
void elelem_shape_item_wait(elelem_shape_context *context, uint32_t index)
{
    els_item *item = elelem_shape_item_at(context, index);

    if (!item) return;
    item->waits = 1;
    if (!elelem_shape_has_metadata(context)) return;
    if (item->kind == ELELEM_PART_TOOL_CALL) elelem_shape_tool_start(context, index, els_str(NULL, 0), els_str(NULL, 0));
    else elelem_shape_text(context, index, els_str(NULL, 0));
}

#define ELS_ANY_CHOICE 0xffffffffu

/* The item to be flushed next: those of the choice that wait were closed before all others of it. */
ELS_PRIVATE els_item *els_item_to_flush(const elelem_shape_context *c, uint32_t choice)
{
    els_item *item = elelem_shape_item_oldest(c);
    els_item *first = NULL;

    for (; item; item = elelem_shape_item_newer(c, item)) {
        if (item->choice != choice && choice != ELS_ANY_CHOICE) continue;
        if (item->waits) return item;
        if (!first) first = item;
    }
    return first;
}

void elelem_shape_release(elelem_shape_context *context, uint32_t choice)
{
    const els_item *item = elelem_shape_item_oldest(context);

    while (item) {
        int is_due = item->waits && item->choice == choice;
        if (is_due) elelem_shape_flush(context, item->index);
        item = is_due ? elelem_shape_item_oldest(context) : elelem_shape_item_newer(context, item);
    }
}

void elelem_shape_flush_all(elelem_shape_context *context, uint32_t choice, elelem_shape_ending ending)
{
    const els_item *item = els_item_to_flush(context, choice);

    for (; item; item = els_item_to_flush(context, choice))
        elelem_shape_flush_as(context, item->index, ending);
}

elelem_shape_ending elelem_shape_ending_of(elelem_finish_reason reason)
{
    return reason == ELELEM_FINISH_COMPLETED || reason == ELELEM_FINISH_TOOL_CALLS ? ELELEM_SHAPE_ENDED
                                                                                   : ELELEM_SHAPE_STOPPED;
}

elelem_shape_ending elelem_shape_choice_ending(const elelem_shape_context *context, uint32_t choice)
{
    const els_choice *found = els_choice_find(context, choice);

    return found && found->reason ? elelem_shape_ending_of((elelem_finish_reason)(found->reason - 1))
                                  : ELELEM_SHAPE_STOPPED;
}

/* The end. */

void elelem_shape_reason(elelem_shape_context *context, uint32_t choice, elelem_finish_reason reason, elelem_str raw,
                         int replace)
{
    els_choice *found = context->els_emits ? els_choice_of(context, choice) : NULL;

    if (!found) return;
    found->wrote = 0;
    if (found->reason && !replace) return;
    found->reason = (uint8_t)(reason + 1);
    if (choice != 0 || raw.size == 0) return;
    if (raw.size > ELELEM_SHAPE_RAW_REASON)
        raw.size = els_whole_characters((const unsigned char *)raw.data, ELELEM_SHAPE_RAW_REASON);
    memcpy(context->els_raw_reason, raw.data, raw.size);
    context->els_end.raw_reason = els_str(context->els_raw_reason, raw.size);
}

int elelem_shape_has_reason(const elelem_shape_context *context, uint32_t choice)
{
    const els_choice *found = els_choice_find(context, choice);

    return found && found->reason;
}

/* Keeps the usage of the frame, which is to outlive it. */
ELS_PRIVATE elelem_status els_shape_keep_usage(elelem_shape_context *c)
{
    elelem_value raw = els_value_of(c->els_document.els_owner, c->els_usage_node);

    if (raw.els_node == 0) return ELELEM_OK;
    c->els_usage_node = 0;
    return els_usage_merge(&c->els_usage, raw);
}

/* The last usage of a frame is kept when its events were taken; those before it at once. */
void elelem_shape_usage(elelem_shape_context *context, elelem_usage usage, elelem_value raw)
{
    elelem_status status;

    if (!context->els_emits) return;
    context->els_end.usage = usage;
    if (!ELS_HAS_METADATA) return;
    status = els_shape_keep_usage(context);
    if (status != ELELEM_OK) els_shape_fail(context, status);
    context->els_usage_node = raw.els_node;
}

elelem_usage elelem_shape_last_usage(const elelem_shape_context *context)
{
    return context->els_end.usage;
}

void elelem_shape_sequence(elelem_shape_context *context, elelem_value number)
{
    int64_t sequence;

    if (elelem_value_to_int64(number, &sequence) == ELELEM_OK && sequence >= 0) context->els_sequence = sequence;
}

/* The most bytes of an event's id. */
#define ELS_EVENT_ID 1024

void elelem_shape_event_id(elelem_shape_context *context, elelem_value id)
{
    size_t size = elelem_shape_string(id).size;
    elelem_writer writer;
    elelem_status status;

    if (size == 0 || size > ELS_EVENT_ID || !context->els_emits || !ELS_HAS_METADATA) return;
    elelem_buffer_clear(&context->els_event_id);
    elelem_writer_init(&writer, elelem_buffer_sink(&context->els_event_id), 0);
    status = elelem_writer_value(&writer, id);
    if (status != ELELEM_OK) els_shape_fail(context, status);
}

ELS_PRIVATE elelem_status els_end_metadata(elelem_shape_context *c, const char *key, elelem_value value)
{
    elelem_writer writer;

    c->els_aside_key = key;
    elelem_buffer_clear(&c->els_aside);
    elelem_writer_init(&writer, elelem_buffer_sink(&c->els_aside), 0);
    return elelem_writer_value(&writer, value);
}

void elelem_shape_end_metadata(elelem_shape_context *context, const char *key, elelem_value value)
{
    elelem_status status = context->els_emits && ELS_HAS_METADATA ? els_end_metadata(context, key, value) : ELELEM_OK;

    if (status != ELELEM_OK) els_shape_fail(context, status);
}

elelem_finish_reason elelem_shape_reason_of(const elelem_shape_word *words, size_t count, elelem_str raw)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (elelem_str_is(raw, words[i].word)) return (elelem_finish_reason)words[i].reason;
    return ELELEM_FINISH_OTHER;
}

ELS_PRIVATE void els_finish(elelem_shape_context *c)
{
    const els_choice *first = els_choice_find(c, 0);

    c->els_ended = 1;
    c->els_emits = 0;
    c->els_end.kind = ELELEM_EVENT_FINISHED;
    if (first && first->reason) c->els_end.reason = (uint8_t)(first->reason - 1);
}

void elelem_shape_finish(elelem_shape_context *context)
{
    if (!context->els_ended) els_finish(context);
}

/* What frames there were. */
enum els_frames_seen { ELS_FRAMES_OWN = 1, ELS_FRAMES_IGNORED = 2 };

void elelem_shape_ignore(elelem_shape_context *context)
{
    context->els_ignores = 1;
}

/* Has the shape work on a frame. */
ELS_PRIVATE elelem_status els_shape_frame(elelem_shape_context *c)
{
    elelem_status status;

    c->els_ignores = 0;
    status = c->els_shape->frame(c);
    if (c->els_frame == ELELEM_SHAPE_DATA) c->els_frames |= (uint8_t)(c->els_ignores ? ELS_FRAMES_IGNORED : ELS_FRAMES_OWN);
    return status;
}

/* Nonzero if there were frames, and all are another shape's. */
ELS_PRIVATE int els_is_other_shape(const elelem_shape_context *c)
{
    return c->els_frames == ELS_FRAMES_IGNORED;
}

/* If all choices have reasons: nonzero if the model wrote after one of them. */
ELS_PRIVATE int els_wrote_on(const elelem_shape_context *c)
{
    uint32_t i = 0;

    while (i < c->els_choice_count && !els_choice_at(c, i)->wrote)
        i++;
    return i < c->els_choice_count;
}

/* Nonzero if the first choice, and every other that had a part, has a reason. */
ELS_PRIVATE int els_reasons_known(const elelem_shape_context *c)
{
    uint32_t i;

    for (i = 0; i < c->els_choice_count; i++)
        if (!els_choice_at(c, i)->reason) return 0;
    return elelem_shape_has_reason(c, 0);
}

/* Errors. */

/* Makes the end an error and returns it, to be filled in. */
ELS_PRIVATE elelem_failure *els_end(elelem_shape_context *c)
{
    elelem_buffer_clear(&c->els_aside);
    memset(&c->els_end, 0, sizeof c->els_end);
    els_usage_unknown(&c->els_end.usage);
    c->els_end.kind = ELELEM_EVENT_ERROR;
    c->els_ended = 1;
    c->els_emits = 0;
    return &c->els_end.error;
}

/* Ends the stream with an error of this kind. */
ELS_PRIVATE elelem_failure *els_end_with(elelem_shape_context *c, elelem_error_kind kind)
{
    elelem_failure *error = els_end(c);

    els_failure_of_kind(error, &c->els_answer, kind);
    return error;
}

/* Ends the stream with the error that a document reports. */
ELS_PRIVATE void els_end_with_document(elelem_shape_context *c, elelem_value root)
{
    els_failure_of_document(els_end(c), &c->els_answer, root);
    if (ELS_HAS_METADATA && els_member_text(root, "request_id").size > 0 &&
        els_end_metadata(c, "request_id", elelem_value_get(root, "request_id")) != ELELEM_OK)
        elelem_buffer_clear(&c->els_aside);
}

void elelem_shape_error(elelem_shape_context *context, elelem_error_kind kind, elelem_str code, const char *message)
{
    elelem_failure *error;

    if (context->els_ended) return;
    error = els_end_with(context, kind);
    error->code = code;
    if (message && message[0]) error->message = elelem_str_of(message);
}

void elelem_shape_error_of(elelem_shape_context *context, elelem_value object)
{
    if (!context->els_ended) els_end_with_document(context, object);
}

int elelem_shape_error_in(elelem_shape_context *context, elelem_value object)
{
    if (context->els_ended || !els_is_error_document(object)) return 0;
    els_end_with_document(context, object);
    return 1;
}

int elelem_shape_document_error(elelem_shape_context *context)
{
    return elelem_shape_error_in(context, context->els_document);
}

#endif
