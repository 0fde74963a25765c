#ifndef ELS_METADATA_C
#define ELS_METADATA_C
#include "metadata.h"
#include "base.c"
#include "fragment.c"
#include "writer.c"
#include "event.c"

/* >> metadata */

/* Bytes kept under one limit. */

ELS_PRIVATE void els_store_init(els_store *store, elelem_allocator allocator, size_t max_bytes)
{
    memset(store, 0, sizeof *store);
    store->els_entries.allocator = allocator;
    store->els_max_bytes = max_bytes;
    store->els_left = max_bytes;
}

ELS_PRIVATE void els_store_clear(els_store *store)
{
    store->els_left = store->els_max_bytes;
}

ELS_PRIVATE void els_store_free(els_store *store)
{
    els_block_free(&store->els_entries);
}

ELS_PRIVATE elelem_status els_store_keep(els_store *store, elelem_buffer *buffer, elelem_str text)
{
    elelem_status status;

    if (text.size > store->els_left) return ELELEM_ERROR_VALUE_SIZE;
    status = elelem_buffer_append(buffer, text.data, text.size);
    if (status == ELELEM_OK) store->els_left -= text.size;
    return status;
}

/* Cuts kept text back to `size` bytes. */
ELS_PRIVATE void els_store_cut(els_store *store, elelem_buffer *buffer, size_t size)
{
    store->els_left += buffer->els_size - size;
    buffer->els_size = size;
}

ELS_PRIVATE void els_store_drop(els_store *store, elelem_buffer *buffer)
{
    els_store_cut(store, buffer, 0);
    elelem_buffer_free(buffer);
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

/* What stands between the brackets of an array. */
ELS_PRIVATE elelem_str els_json_elements(elelem_str array)
{
    return els_trimmed(els_str(array.data + 1, array.size - 2));
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
            return els_trimmed(metadata->entries[i - 1].json);
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
        else if (els_json_is_array(before) != els_json_is_array(els_trimmed(metadata->entries[i].json))) return 0;
    }
    return keys <= ELS_META_KEYS;
}

/* [a] and [b] become [a,b]. */
ELS_PRIVATE elelem_status els_meta_extend(els_store *store, els_meta_slot *slot, elelem_str more)
{
    elelem_str array = els_meta_json(slot);
    int needs_comma = els_json_elements(array).size > 0;
    elelem_status status;

    if (more.size == 0) return ELELEM_OK;
    els_store_cut(store, &slot->text, slot->text.els_size - 1);
    status = els_store_keep(store, &slot->text, els_str(",", needs_comma ? 1 : 0));
    if (status == ELELEM_OK) status = els_store_keep(store, &slot->text, more);
    return status == ELELEM_OK ? els_store_keep(store, &slot->text, els_str("]", 1)) : status;
}

ELS_PRIVATE elelem_status els_meta_new(els_store *store, els_meta *meta, elelem_str key, els_meta_slot **slot)
{
    size_t needed = (meta->els_count + 1) * sizeof(els_meta_slot);
    elelem_status status;

    if (meta->els_count >= ELS_META_KEYS) return ELELEM_ERROR_COUNT;
    meta->els_slots.allocator = store->els_entries.allocator;
    status = els_block_reserve(&meta->els_slots, needed, SIZE_MAX, ELELEM_ERROR_MEMORY);
    if (status != ELELEM_OK) return status;
    *slot = els_meta_at(meta, meta->els_count++);
    elelem_buffer_init(&(*slot)->text, store->els_entries.allocator, 0);
    (*slot)->key_size = 0;
    status = els_store_keep(store, &(*slot)->text, key);
    if (status == ELELEM_OK) (*slot)->key_size = key.size;
    return status;
}

/* Arrays are kept without blanks at their brackets, so that adding to one costs what is added. */
ELS_PRIVATE elelem_status els_meta_set(els_store *store, els_meta_slot *slot, elelem_str json)
{
    elelem_status status;

    els_store_cut(store, &slot->text, slot->key_size);
    if (!els_json_is_array(json)) return els_store_keep(store, &slot->text, json);
    status = els_store_keep(store, &slot->text, els_str("[", 1));
    if (status == ELELEM_OK) status = els_store_keep(store, &slot->text, els_json_elements(json));
    return status == ELELEM_OK ? els_store_keep(store, &slot->text, els_str("]", 1)) : status;
}

/* The later value of a key counts, save that arrays are added to. */
ELS_PRIVATE elelem_status els_meta_merge(els_store *store, els_meta *meta, elelem_str key, elelem_str json)
{
    els_meta_slot *slot = els_meta_find(meta, key);

    if (!slot) {
        elelem_status status = els_meta_new(store, meta, key, &slot);
        if (status != ELELEM_OK) return status;
    } else if (els_json_is_array(json) && els_json_is_array(els_meta_json(slot))) {
        return els_meta_extend(store, slot, els_json_elements(json));
    }
    return els_meta_set(store, slot, json);
}

ELS_PRIVATE elelem_status els_meta_add(els_store *store, els_meta *meta, const elelem_metadata *metadata)
{
    elelem_status status = ELELEM_OK;
    size_t i;

    if (metadata->count > ELS_META_ENTRIES) return ELELEM_ERROR_COUNT;
    for (i = 0; i < metadata->count && status == ELELEM_OK; i++)
        status = els_meta_merge(store, meta, metadata->entries[i].key, els_trimmed(metadata->entries[i].json));
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
ELS_PRIVATE void els_meta_subtract(els_store *store, els_meta *meta, const els_meta *other)
{
    size_t i, left = 0;

    for (i = 0; i < meta->els_count; i++) {
        els_meta_slot *slot = els_meta_at(meta, i);
        const els_meta_slot *same = els_meta_find(other, els_meta_key(slot));
        if (same && els_json_same(els_meta_json(slot), els_meta_json(same))) els_store_drop(store, &slot->text);
        else *els_meta_at(meta, left++) = *slot;
    }
    meta->els_count = left;
}

ELS_PRIVATE void els_meta_clear(els_store *store, els_meta *meta)
{
    for (; meta->els_count > 0; meta->els_count--)
        els_store_drop(store, &els_meta_at(meta, meta->els_count - 1)->text);
}

ELS_PRIVATE void els_meta_free(els_store *store, els_meta *meta)
{
    els_meta_clear(store, meta);
    els_block_free(&meta->els_slots);
}

/* The merged metadata as a list, which lies in the calls' block of entries. */
ELS_PRIVATE elelem_status els_meta_list(els_store *store, const els_meta *meta, elelem_metadata *list)
{
    elelem_metadata_entry *entries;
    elelem_status status;
    size_t i;

    memset(list, 0, sizeof *list);
    if (meta->els_count == 0) return ELELEM_OK;
    status = els_block_reserve(&store->els_entries, meta->els_count * sizeof *entries, SIZE_MAX, ELELEM_ERROR_MEMORY);
    if (status != ELELEM_OK) return status;
    entries = (elelem_metadata_entry *)(void *)store->els_entries.data;
    for (i = 0; i < meta->els_count; i++) {
        entries[i].key = els_meta_key(els_meta_at(meta, i));
        entries[i].json = els_meta_json(els_meta_at(meta, i));
    }
    list->entries = entries;
    list->count = meta->els_count;
    return ELELEM_OK;
}

#endif
