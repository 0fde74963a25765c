#ifndef ELS_METADATA_C
#define ELS_METADATA_C
#include "metadata.h"
#include "base.c"
#include "text.c"
#include "writer.c"
#include "event.c"

/* >> metadata */

/* Bytes kept under one limit. */

ELS_PRIVATE void els_budget_init(els_budget *budget, uint64_t max_bytes)
{
    budget->els_used = 0;
    budget->els_max = max_bytes;
}

/* Zero if more is used already than may be. */
ELS_INLINE uint64_t els_budget_left(const els_budget *budget)
{
    return budget->els_max > budget->els_used ? budget->els_max - budget->els_used : 0;
}

/* Appends to a buffer that counts. OK, ERROR_VALUE_SIZE or ERROR_MEMORY; then nothing was added. */
ELS_PRIVATE elelem_status els_budget_append(els_budget *budget, elelem_buffer *buffer, elelem_str text)
{
    elelem_status status;

    if (text.size > els_budget_left(budget)) return ELELEM_ERROR_VALUE_SIZE;
    status = elelem_buffer_append(buffer, text.data, text.size);
    if (status == ELELEM_OK) budget->els_used += text.size;
    return status;
}

/* Cuts a buffer that counts back to `size` bytes. */
ELS_PRIVATE void els_budget_cut(els_budget *budget, elelem_buffer *buffer, size_t size)
{
    budget->els_used -= buffer->els_size - size;
    buffer->els_size = size;
}

/* Blocks of an empty buffer that are larger than this are given back. */
#define ELS_SPARE_BYTES 1024

/* Empties a buffer that counts; a small block stays with it. */
ELS_PRIVATE void els_budget_empty(els_budget *budget, elelem_buffer *buffer)
{
    els_budget_cut(budget, buffer, 0);
    if (buffer->els_memory.capacity > ELS_SPARE_BYTES) elelem_buffer_free(buffer);
}

ELS_PRIVATE void els_budget_drop(els_budget *budget, elelem_buffer *buffer)
{
    els_budget_cut(budget, buffer, 0);
    elelem_buffer_free(buffer);
}

/* Arrays as text. */

/* Nonzero if a trimmed JSON text is an array. */
ELS_INLINE int els_is_array_text(elelem_str json)
{
    return json.size >= 2 && json.data[0] == '[' && json.data[json.size - 1] == ']';
}

/* Returns what is between the brackets of an array. */
ELS_PRIVATE elelem_str els_array_elements(elelem_str array)
{
    return els_trimmed(els_str(array.data + 1, array.size - 2));
}

/* Returns how many bytes of an array stay if elements are added: all up to its last element. 1 if it has none. */
ELS_PRIVATE size_t els_array_kept(elelem_str array)
{
    return els_trimmed(els_str(array.data, array.size - 1)).size;
}

/* Slots. */

#define ELS_META_KEYS 64     /* the most keys of one item in a record */
#define ELS_META_ENTRIES 256 /* the most entries of one event in a record */
#define ELS_META_KEY 128     /* what a key counts in addition to its text and its JSON: its slot */

typedef struct els_meta_slot {
    elelem_buffer text; /* the key, and after it the JSON */
    size_t array;       /* the bytes of the JSON, an array, that stay if elements are added; 0: no array */
    /* What a merge is going to do to it. */
    size_t from;        /* the first entry of the list that counts */
    size_t kept;        /* the same of an array, when all is done */
    size_t size;        /* of the JSON when all is done */
    size_t room;        /* for the JSON until then; 0: nothing changes */
    uint8_t is_replaced; /* by the entry `from` */
} els_meta_slot;

ELS_INLINE els_meta_slot *els_meta_slots(const els_meta *meta)
{
    return (els_meta_slot *)(void *)meta->els_slots.data;
}

ELS_INLINE elelem_metadata_entry *els_meta_entries(const els_meta *meta)
{
    return (elelem_metadata_entry *)(void *)(meta->els_slots.data + meta->els_capacity * sizeof(els_meta_slot));
}

ELS_PRIVATE void els_meta_init(els_meta *meta, elelem_allocator allocator)
{
    memset(meta, 0, sizeof *meta);
    meta->els_slots.allocator = allocator;
}

/* Returns the merged metadata. Its slices are valid until it changes. */
ELS_PRIVATE elelem_metadata els_meta_list(const els_meta *meta)
{
    elelem_metadata list;

    list.count = meta->els_count;
    list.entries = list.count > 0 ? els_meta_entries(meta) : NULL;
    return list;
}

/* Returns the first of `count` slots that has this key; `count` if none has. */
ELS_PRIVATE size_t els_meta_find(const els_meta *meta, size_t count, elelem_str key)
{
    size_t i = 0;

    while (i < count && !elelem_str_equal(els_meta_entries(meta)[i].key, key))
        i++;
    return i;
}

/* Returns the JSON of a key; empty if there is none. */
ELS_PRIVATE elelem_str els_meta_json(const els_meta *meta, elelem_str key)
{
    size_t i = els_meta_find(meta, meta->els_count, key);

    return i < meta->els_count ? els_meta_entries(meta)[i].json : els_str(NULL, 0);
}

/* Points an entry at the bytes of its slot. */
ELS_PRIVATE void els_meta_set_entry(els_meta *meta, size_t i, size_t key_size)
{
    elelem_str text = elelem_buffer_text(&els_meta_slots(meta)[i].text);

    els_meta_entries(meta)[i].key = els_str(text.data, key_size);
    els_meta_entries(meta)[i].json = els_str(text.data + key_size, text.size - key_size);
}

/* Merging, in four steps of which only the last changes anything. */

/* 1. Plans what an entry does to its slot. */
ELS_PRIVATE void els_meta_plan(els_meta_slot *slot, size_t i, elelem_str json)
{
    if (slot->kept > 0 && els_is_array_text(json)) {
        size_t more = els_array_elements(json).size;
        if (more == 0) return;
        slot->kept = els_sum(slot->kept, els_sum(more, slot->kept > 1));
        slot->size = els_sum(slot->kept, 1);
        if (slot->size > slot->room) slot->room = slot->size;
        return;
    }
    slot->from = i;
    slot->kept = els_is_array_text(json) ? els_array_kept(json) : 0;
    slot->size = json.size;
    slot->room = json.size;
    slot->is_replaced = 1;
}

/* Makes a slot ready to be planned. */
ELS_PRIVATE void els_meta_begin_plan(els_meta_slot *slot, elelem_str json)
{
    slot->from = 0;
    slot->kept = slot->array;
    slot->size = json.size;
    slot->room = 0;
    slot->is_replaced = 0;
}

/* Adds an empty slot after the `*count` that there are. Its key is the list's until it is merged. */
ELS_PRIVATE elelem_status els_meta_add_slot(els_meta *meta, const els_budget *budget, uint32_t max_keys, size_t *count,
                                            elelem_str key)
{
    elelem_metadata_entry *entry;

    if (*count >= max_keys) return ELELEM_ERROR_COUNT;
    if (els_product(*count - meta->els_count + 1, ELS_META_KEY) > els_budget_left(budget)) return ELELEM_ERROR_VALUE_SIZE;
    if (*count == meta->els_capacity) {
        elelem_status status = els_parallel_grow(&meta->els_slots, &meta->els_capacity, sizeof(els_meta_slot),
                                                 sizeof *entry, max_keys);
        if (status != ELELEM_OK) return status;
    }
    entry = els_meta_entries(meta) + *count;
    entry->key = key;
    entry->json = els_str(NULL, 0);
    elelem_buffer_init(&els_meta_slots(meta)[*count].text, meta->els_slots.allocator, 0);
    els_meta_slots(meta)[*count].array = 0;
    els_meta_begin_plan(&els_meta_slots(meta)[*count], entry->json);
    ++*count;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_meta_plan_all(els_meta *meta, const els_budget *budget, uint32_t max_keys,
                                            const elelem_metadata *list, size_t *count)
{
    size_t i;

    for (i = 0; i < meta->els_count; i++)
        els_meta_begin_plan(&els_meta_slots(meta)[i], els_meta_entries(meta)[i].json);
    for (i = 0; i < list->count; i++) {
        size_t at = els_meta_find(meta, *count, list->entries[i].key);
        elelem_status status = ELELEM_OK;
        if (at == *count) status = els_meta_add_slot(meta, budget, max_keys, count, list->entries[i].key);
        if (status != ELELEM_OK) return status;
        els_meta_plan(&els_meta_slots(meta)[at], i, els_trimmed(list->entries[i].json));
    }
    return ELELEM_OK;
}

/* Returns what the first `count` slots count for, now or when the plan is done. */
ELS_PRIVATE size_t els_meta_bytes(const els_meta *meta, size_t count, int is_planned)
{
    size_t bytes = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        const elelem_metadata_entry *entry = &els_meta_entries(meta)[i];
        size_t json = is_planned ? els_meta_slots(meta)[i].size : entry->json.size;
        bytes = els_sum(bytes, els_sum(els_sum(ELS_META_KEY, entry->key.size), json));
    }
    return bytes;
}

/* 2. Nonzero if the limit allows what is planned. */
ELS_PRIVATE int els_meta_fits_budget(const els_meta *meta, const els_budget *budget, size_t count)
{
    size_t now = els_meta_bytes(meta, meta->els_count, 0);
    size_t then = els_meta_bytes(meta, count, 1);

    return then <= now || then - now <= els_budget_left(budget);
}

/* 3. Takes all memory that the plan needs. Blocks may move. */
ELS_PRIVATE elelem_status els_meta_reserve(els_meta *meta, size_t count)
{
    elelem_status status = ELELEM_OK;
    size_t i;

    for (i = 0; i < count && status == ELELEM_OK; i++) {
        els_meta_slot *slot = &els_meta_slots(meta)[i];
        size_t key_size = els_meta_entries(meta)[i].key.size;
        int is_new = i >= meta->els_count;
        if (slot->room == 0 && !is_new) continue;
        status = els_block_reserve(&slot->text.els_memory, els_sum(key_size, slot->room), SIZE_MAX, ELELEM_ERROR_MEMORY);
        if (!is_new) els_meta_set_entry(meta, i, key_size);
    }
    return status;
}

/* Frees slots that were added for a plan that is not carried out. */
ELS_PRIVATE void els_meta_forget_plan(els_meta *meta, size_t count)
{
    for (; count > meta->els_count; count--)
        elelem_buffer_free(&els_meta_slots(meta)[count - 1].text);
}

/* Adds elements to the array of a slot; the memory is there. */
ELS_PRIVATE void els_meta_extend(els_meta_slot *slot, size_t key_size, elelem_str elements)
{
    if (elements.size == 0) return;
    slot->text.els_size = key_size + slot->array;
    if (slot->array > 1) els_buffer_put(&slot->text, ",", 1);
    els_buffer_put(&slot->text, elements.data, elements.size);
    slot->array = slot->text.els_size - key_size;
    els_buffer_put(&slot->text, "]", 1);
}

/* 4. Does what was planned for an entry. */
ELS_PRIVATE void els_meta_apply(els_meta *meta, size_t at, size_t i, elelem_str json)
{
    els_meta_slot *slot = &els_meta_slots(meta)[at];
    size_t key_size = els_meta_entries(meta)[at].key.size;

    if (i < slot->from) return;
    if (i > slot->from || !slot->is_replaced) {
        els_meta_extend(slot, key_size, els_array_elements(json));
        return;
    }
    slot->text.els_size = key_size;
    els_buffer_put(&slot->text, json.data, json.size);
    slot->array = els_is_array_text(json) ? els_array_kept(json) : 0;
}

/* Gives back most of a block that is far too large for what replaced its text. */
ELS_PRIVATE void els_meta_trim(els_meta_slot *slot)
{
    size_t enough = els_sum(slot->text.els_size, 64);

    if (slot->is_replaced && slot->text.els_memory.capacity / 4 > enough) els_block_set(&slot->text.els_memory, enough);
}

ELS_PRIVATE void els_meta_apply_all(els_meta *meta, const elelem_metadata *list, size_t count)
{
    size_t i;

    for (i = meta->els_count; i < count; i++) {
        elelem_metadata_entry *entry = &els_meta_entries(meta)[i];
        els_buffer_put(&els_meta_slots(meta)[i].text, entry->key.data, entry->key.size);
    }
    for (i = 0; i < list->count; i++)
        els_meta_apply(meta, els_meta_find(meta, count, list->entries[i].key), i, els_trimmed(list->entries[i].json));
    for (i = 0; i < count; i++) {
        els_meta_trim(&els_meta_slots(meta)[i]);
        els_meta_set_entry(meta, i, els_meta_entries(meta)[i].key.size);
    }
    meta->els_count = (uint32_t)count;
}

/* Merges a list into what is there: of equal keys the later value counts, but arrays are added to.
   OK; ERROR_COUNT: more than `max_keys` keys; ERROR_VALUE_SIZE; ERROR_MEMORY: nothing has changed. */
ELS_PRIVATE elelem_status els_meta_merge(els_meta *meta, els_budget *budget, uint32_t max_keys,
                                         const elelem_metadata *list)
{
    size_t count = meta->els_count, before;
    elelem_status status;

    if (list->count == 0) return ELELEM_OK;
    before = els_meta_bytes(meta, count, 0);
    status = els_meta_plan_all(meta, budget, max_keys, list, &count);
    if (status == ELELEM_OK && !els_meta_fits_budget(meta, budget, count)) status = ELELEM_ERROR_VALUE_SIZE;
    if (status == ELELEM_OK) status = els_meta_reserve(meta, count);
    if (status != ELELEM_OK) {
        els_meta_forget_plan(meta, count);
        return status;
    }
    els_meta_apply_all(meta, list, count);
    budget->els_used = budget->els_used - before + els_meta_bytes(meta, count, 0);
    return ELELEM_OK;
}

/* Gives all memory back. */
ELS_PRIVATE void els_meta_free(els_meta *meta, els_budget *budget)
{
    uint32_t i;

    budget->els_used -= els_meta_bytes(meta, meta->els_count, 0);
    for (i = 0; i < meta->els_count; i++)
        elelem_buffer_free(&els_meta_slots(meta)[i].text);
    els_block_free(&meta->els_slots);
    meta->els_count = 0;
    meta->els_capacity = 0;
}

/* Writes it as the member "metadata" of an object, if there is any. The JSON loses the whitespace around it, as a reader leaves it
   out: so an event that is read gives its line again. */
ELS_PRIVATE void els_put_metadata(elelem_writer *writer, const elelem_metadata *metadata)
{
    size_t i;

    if (metadata->count == 0) return;
    elelem_writer_key(writer, elelem_str_of("metadata"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (i = 0; i < metadata->count; i++) {
        elelem_writer_key(writer, metadata->entries[i].key);
        elelem_writer_json(writer, els_trimmed(metadata->entries[i].json));
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* Comparing. */

/* Returns what the key of an entry has before the entry is merged; empty if nothing. */
ELS_PRIVATE elelem_str els_meta_before(const els_meta *meta, const elelem_metadata *list, size_t which)
{
    size_t i;

    for (i = which; i > 0; i--)
        if (elelem_str_equal(list->entries[i - 1].key, list->entries[which].key))
            return els_trimmed(list->entries[i - 1].json);
    return els_meta_json(meta, list->entries[which].key);
}

/* Nonzero if the list can be merged into what is there and nothing is lost. An array and something else under
   one key cannot: which came first would be forgotten, but it decides whether the array is to be added to one
   of earlier metadata. */
ELS_PRIVATE int els_meta_fits(const els_meta *meta, uint32_t max_keys, const elelem_metadata *list)
{
    size_t i, keys = meta->els_count;

    for (i = 0; i < list->count; i++) {
        elelem_str before = els_meta_before(meta, list, i);
        if (before.size == 0) keys++;
        else if (els_is_array_text(before) != els_is_array_text(els_trimmed(list->entries[i].json))) return 0;
    }
    return keys <= max_keys;
}

/* Returns the offset of the next byte that is not whitespace between tokens. */
ELS_INLINE size_t els_json_skip_blanks(elelem_str json, size_t at, int in_string)
{
    while (!in_string && at < json.size && els_is_blank((unsigned char)json.data[at]))
        at++;
    return at;
}

/* Nonzero if both are the same JSON text but for whitespace between tokens. */
ELS_PRIVATE int els_json_same(elelem_str a, elelem_str b)
{
    size_t i = 0, j = 0;
    int in_string = 0, is_escaped = 0;

    for (;;) {
        char byte;
        i = els_json_skip_blanks(a, i, in_string);
        j = els_json_skip_blanks(b, j, in_string);
        if (i == a.size || j == b.size) return i == a.size && j == b.size;
        byte = a.data[i++];
        if (byte != b.data[j++]) return 0;
        if (byte == '"' && !is_escaped) in_string = !in_string;
        is_escaped = in_string && byte == '\\' && !is_escaped;
    }
}

/* Removes the keys under which the other has the same. */
ELS_PRIVATE void els_meta_subtract(els_meta *meta, els_budget *budget, const els_meta *other)
{
    size_t before = els_meta_bytes(meta, meta->els_count, 0);
    uint32_t i, left = 0;

    for (i = 0; i < meta->els_count; i++) {
        elelem_metadata_entry entry = els_meta_entries(meta)[i];
        elelem_str same = els_meta_json(other, entry.key);
        if (same.size > 0 && els_json_same(entry.json, same)) {
            elelem_buffer_free(&els_meta_slots(meta)[i].text);
            continue;
        }
        els_meta_entries(meta)[left] = entry;
        els_meta_slots(meta)[left++] = els_meta_slots(meta)[i];
    }
    meta->els_count = left;
    budget->els_used -= before - els_meta_bytes(meta, left, 0);
}

#endif
