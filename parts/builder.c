#ifndef ELS_BUILDER_C
#define ELS_BUILDER_C
#include "builder.h"
#include "base.c"
#include "text.c"
#include "fragment.c"
#include "value.c"
#include "writer.c"
#include "event.c"

/* >> builder */

/* What the builder waits for. */
typedef enum els_builder_phase {
    ELS_BUILDER_EVENT, /* an event */
    ELS_BUILDER_TEXT,  /* nothing: the JSON text of a part is still to be read */
    ELS_BUILDER_FLUSH  /* nothing: what the flush decides is still to be handed out */
} els_builder_phase;

/* An open item: a row of the table. Rows that are not in use keep what is set up here. */
typedef struct els_row {
    elelem_buffer text;  /* of the parts; of a tool call the arguments, where they are kept */
    elelem_buffer names; /* id and name, in the order they became known */
    els_block notes;     /* metadata: a buffer for each key, and behind these the entries */
    elelem_fragment_parser parser;
    elelem_fragment_aggregator tree;
    elelem_str id; /* where in `names` */
    elelem_str name;
    uint64_t bytes; /* kept in text, names and notes */
    uint32_t index;
    uint32_t choice;
    uint32_t note_count;
    uint32_t note_capacity;
    uint8_t kind;    /* an elelem_part_kind */
    uint8_t is_kept;
    uint8_t state;   /* an elelem_item_state */
    uint8_t root;    /* the type of the root value once it ended */
    uint8_t cut_off; /* its flush said so */
} els_row;

/* Blocks up to this size stay with a row for the item that takes it next. */
#define ELS_BUILDER_SPARE 1024

/* What a key of metadata may take beside its text. */
#define ELS_BUILDER_NOTE 64

const char *elelem_item_state_name(int state)
{
    switch (state) {
    case ELELEM_ITEM_COMPLETE: return "complete";
    case ELELEM_ITEM_CUT_OFF: return "cut_off";
    case ELELEM_ITEM_MALFORMED: return "malformed";
    default: return "open";
    }
}

ELS_NOINLINE elelem_status els_builder_fail(elelem_event_builder *b, elelem_status status)
{
    b->els_status = status;
    b->els_phase = ELS_BUILDER_EVENT;
    return status;
}

/* Two arrays of one length in one block, the second right behind the first: room for
   more elements, at most `most` in all. */
ELS_PRIVATE elelem_status els_twins_grow(els_block *block, uint32_t *capacity, size_t first, size_t second,
                                         uint32_t most)
{
    uint32_t wanted = *capacity == 0 ? 1 : *capacity > most / 2 ? most : *capacity * 2;

    if (*capacity >= most) return ELELEM_ERROR_COUNT;
    if (!els_block_set(block, wanted * (first + second))) {
        wanted = *capacity + 1;
        if (!els_block_set(block, wanted * (first + second))) return ELELEM_ERROR_MEMORY;
    }
    memmove(block->data + wanted * first, block->data + *capacity * first, *capacity * second);
    *capacity = wanted;
    return ELELEM_OK;
}

/* The table: rows, and behind them the order, in which the rows in use come first, by
   index, and then the others, the one used last before the rest. */

ELS_INLINE els_row *els_builder_row(const elelem_event_builder *b, uint32_t place)
{
    return (els_row *)(void *)b->els_table.data + place;
}

ELS_INLINE uint16_t *els_builder_order(const elelem_event_builder *b)
{
    return (uint16_t *)(void *)(b->els_table.data + b->els_capacity * sizeof(els_row));
}

/* How many open items have smaller indices. */
ELS_PRIVATE uint32_t els_builder_seek(const elelem_event_builder *b, uint32_t index)
{
    uint32_t low = 0, high = b->els_open;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (els_builder_row(b, els_builder_order(b)[middle])->index < index) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The open item with this index, null for none; `*at` is its position in the order, or the one it would take. */
ELS_PRIVATE els_row *els_builder_find(const elelem_event_builder *b, uint32_t index, uint32_t *at)
{
    els_row *row;

    *at = els_builder_seek(b, index);
    if (*at == b->els_open) return NULL;
    row = els_builder_row(b, els_builder_order(b)[*at]);
    return row->index == index ? row : NULL;
}

ELS_PRIVATE void els_row_init_parser(els_row *row, elelem_allocator allocator)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    desc.single_document = 1;
    elelem_fragment_parser_init(&row->parser, &desc);
}

ELS_PRIVATE void els_row_init_tree(els_row *row, elelem_allocator allocator)
{
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    elelem_fragment_aggregator_init(&row->tree, &desc);
}

ELS_PRIVATE void els_row_init(els_row *row, elelem_allocator allocator)
{
    memset(row, 0, sizeof *row);
    elelem_buffer_init(&row->text, allocator, 0);
    elelem_buffer_init(&row->names, allocator, 0);
    row->notes.allocator = allocator;
    els_row_init_parser(row, allocator);
    els_row_init_tree(row, allocator);
}

ELS_PRIVATE elelem_status els_builder_grow(elelem_event_builder *b)
{
    uint32_t i = b->els_capacity;
    elelem_status status =
        els_twins_grow(&b->els_table, &b->els_capacity, sizeof(els_row), sizeof(uint16_t), b->els_max_open);

    if (status != ELELEM_OK) return status;
    for (; i < b->els_capacity; i++) {
        els_row_init(els_builder_row(b, i), b->els_table.allocator);
        els_builder_order(b)[i] = (uint16_t)i;
    }
    return ELELEM_OK;
}

/* Puts a row to use, at its position in the order. */
ELS_PRIVATE elelem_status els_builder_take(elelem_event_builder *b, uint32_t at, els_row **row)
{
    elelem_status status = b->els_open < b->els_capacity ? ELELEM_OK : els_builder_grow(b);
    uint16_t *order, place;

    if (status != ELELEM_OK) return status;
    order = els_builder_order(b);
    place = order[b->els_open];
    memmove(order + at + 1, order + at, (b->els_open - at) * sizeof *order);
    order[at] = place;
    b->els_open++;
    *row = els_builder_row(b, place);
    return ELELEM_OK;
}

/* Takes a row out of use. What it holds stays until it is cleared. */
ELS_PRIVATE void els_builder_close(elelem_event_builder *b, uint32_t at)
{
    uint16_t *order = els_builder_order(b);
    uint16_t place = order[at];

    b->els_open--;
    memmove(order + at, order + at + 1, (b->els_open - at) * sizeof *order);
    order[b->els_open] = place;
}

ELS_INLINE elelem_buffer *els_row_notes(const els_row *row)
{
    return (elelem_buffer *)(void *)row->notes.data;
}

ELS_INLINE elelem_metadata_entry *els_row_entries(const els_row *row)
{
    return (elelem_metadata_entry *)(void *)(row->notes.data + row->note_capacity * sizeof(elelem_buffer));
}

ELS_PRIVATE void els_row_free_notes(els_row *row)
{
    uint32_t i;

    for (i = 0; i < row->note_count; i++)
        elelem_buffer_free(&els_row_notes(row)[i]);
    els_block_free(&row->notes);
    row->note_count = 0;
    row->note_capacity = 0;
}

ELS_PRIVATE void els_row_free(els_row *row)
{
    els_row_free_notes(row);
    elelem_buffer_free(&row->text);
    elelem_buffer_free(&row->names);
    elelem_fragment_parser_free(&row->parser);
    elelem_fragment_aggregator_free(&row->tree);
}

ELS_PRIVATE void els_buffer_spare(elelem_buffer *buffer)
{
    elelem_buffer_clear(buffer);
    if (buffer->els_memory.capacity > ELS_BUILDER_SPARE) elelem_buffer_free(buffer);
}

/* Empties a row for the next item, keeping small blocks. */
ELS_PRIVATE void els_row_clear(els_row *row, elelem_allocator allocator)
{
    els_row_free_notes(row);
    els_buffer_spare(&row->text);
    els_buffer_spare(&row->names);
    elelem_fragment_parser_reset(&row->parser);
    elelem_fragment_aggregator_reset(&row->tree);
    if (row->parser.els_memory.capacity > ELS_BUILDER_SPARE) {
        elelem_fragment_parser_free(&row->parser);
        els_row_init_parser(row, allocator);
    }
    if (row->tree.els_memory.capacity > ELS_BUILDER_SPARE) {
        elelem_fragment_aggregator_free(&row->tree);
        els_row_init_tree(row, allocator);
    }
    row->id = row->name = els_str(NULL, 0);
    row->bytes = 0;
}

ELS_PRIVATE void els_builder_clear(elelem_event_builder *b, els_row *row)
{
    b->els_text_bytes -= row->bytes;
    b->els_value_bytes -= row->tree.els_used;
    els_row_clear(row, b->els_table.allocator);
}

/* The item that was handed out is no longer looked at. */
ELS_INLINE void els_builder_settle(elelem_event_builder *b)
{
    if (!b->els_handed_out) return;
    b->els_handed_out = 0;
    els_builder_clear(b, els_builder_row(b, b->els_place));
}

/* Keeping bytes. */

ELS_INLINE uint64_t els_builder_left(const elelem_event_builder *b)
{
    return b->els_max_bytes - b->els_text_bytes;
}

ELS_INLINE void els_builder_count(elelem_event_builder *b, els_row *row, size_t gone, size_t come)
{
    row->bytes = row->bytes - gone + come;
    b->els_text_bytes = b->els_text_bytes - gone + come;
}

ELS_PRIVATE elelem_status els_builder_keep(elelem_event_builder *b, els_row *row, elelem_buffer *buffer,
                                           elelem_str bytes)
{
    elelem_status status;

    if (bytes.size > els_builder_left(b)) return ELELEM_ERROR_VALUE_SIZE;
    status = elelem_buffer_append(buffer, bytes.data, bytes.size);
    if (status == ELELEM_OK) els_builder_count(b, row, 0, bytes.size);
    return status;
}

/* Keeps what the limit allows, in whole characters, so that what is kept does not depend
   on how the text was cut. The text becomes what was kept. */
ELS_PRIVATE elelem_status els_builder_keep_text(elelem_event_builder *b, els_row *row, elelem_str *text)
{
    elelem_status over = ELELEM_OK;
    elelem_status status;

    if (text->size > els_builder_left(b)) {
        text->size = els_whole_characters((const unsigned char *)text->data, (size_t)els_builder_left(b));
        over = ELELEM_ERROR_VALUE_SIZE;
    }
    status = els_builder_keep(b, row, &row->text, *text);
    return status != ELELEM_OK ? status : over;
}

/* The first that is not empty counts. */
ELS_PRIVATE elelem_status els_builder_name(elelem_event_builder *b, els_row *row, elelem_str *known, elelem_str told)
{
    elelem_status status;
    size_t start = row->names.els_size;
    int id_is_first = row->id.size > 0 && row->id.data == elelem_buffer_text(&row->names).data;

    if (known->size > 0 || told.size == 0) return ELELEM_OK;
    status = els_builder_keep(b, row, &row->names, told);
    if (status != ELELEM_OK) return status;
    *known = els_str(row->names.els_memory.data + start, told.size);
    if (start == 0) return ELELEM_OK;
    /* The one that was known before starts the block, which may have moved. */
    if (id_is_first) row->id.data = elelem_buffer_text(&row->names).data;
    else row->name.data = elelem_buffer_text(&row->names).data;
    return ELELEM_OK;
}

/* Metadata. */

/* Both without white space around them. */
ELS_INLINE int els_is_array_text(elelem_str json)
{
    return json.size >= 2 && json.data[0] == '[' && json.data[json.size - 1] == ']';
}

/* Room for so many bytes in all, so that adding them cannot fail half way. */
ELS_INLINE elelem_status els_note_reserve(elelem_buffer *note, size_t size)
{
    return els_block_reserve(&note->els_memory, size, SIZE_MAX, ELELEM_ERROR_MEMORY);
}

/* Points the entry at its bytes: the key, and behind it the JSON text. */
ELS_PRIVATE void els_row_set_entry(els_row *row, uint32_t i, size_t key_size)
{
    elelem_str bytes = elelem_buffer_text(&els_row_notes(row)[i]);

    els_row_entries(row)[i].key = els_str(bytes.data, key_size);
    els_row_entries(row)[i].json = els_str(bytes.data + key_size, bytes.size - key_size);
}

ELS_PRIVATE elelem_status els_builder_add_note(elelem_event_builder *b, els_row *row, elelem_str key, elelem_str json)
{
    elelem_buffer *note;

    if (row->note_count == b->els_max_metadata) return ELELEM_ERROR_COUNT;
    if (key.size > els_builder_left(b) || json.size > els_builder_left(b) - key.size) return ELELEM_ERROR_VALUE_SIZE;
    if (row->note_count == row->note_capacity) {
        elelem_status status = els_twins_grow(&row->notes, &row->note_capacity, sizeof *note,
                                              sizeof(elelem_metadata_entry), b->els_max_metadata);
        if (status != ELELEM_OK) return status;
    }
    note = els_row_notes(row) + row->note_count;
    elelem_buffer_init(note, b->els_table.allocator, 0);
    if (els_note_reserve(note, key.size + json.size) != ELELEM_OK) return ELELEM_ERROR_MEMORY;
    els_buffer_put(note, key.data, key.size);
    els_buffer_put(note, json.data, json.size);
    els_builder_count(b, row, 0, key.size + json.size);
    els_row_set_entry(row, row->note_count++, key.size);
    return ELELEM_OK;
}

/* Puts other JSON text behind the key. Most of a block that is far too large then is given back. */
ELS_PRIVATE elelem_status els_builder_replace_note(elelem_event_builder *b, els_row *row, uint32_t i, elelem_str key,
                                                   elelem_str json)
{
    elelem_buffer *note = els_row_notes(row) + i;
    size_t before = els_row_entries(row)[i].json.size;
    size_t size = key.size + json.size;

    if (json.size > before && json.size - before > els_builder_left(b)) return ELELEM_ERROR_VALUE_SIZE;
    if (els_note_reserve(note, size) != ELELEM_OK) return ELELEM_ERROR_MEMORY;
    note->els_size = key.size;
    els_buffer_put(note, json.data, json.size);
    if (note->els_memory.capacity / 4 > size + ELS_BUILDER_NOTE)
        els_block_set(&note->els_memory, size + ELS_BUILDER_NOTE);
    els_builder_count(b, row, before, json.size);
    els_row_set_entry(row, i, key.size);
    return ELELEM_OK;
}

/* Appends the elements of an array to those that are there. */
ELS_PRIVATE elelem_status els_builder_extend_note(elelem_event_builder *b, els_row *row, uint32_t i, elelem_str key,
                                                  elelem_str json)
{
    elelem_buffer *note = els_row_notes(row) + i;
    elelem_str there = els_row_entries(row)[i].json;
    elelem_str more = els_trimmed(els_str(json.data + 1, json.size - 2));
    size_t before = there.size;
    size_t kept = els_trimmed(els_str(there.data, there.size - 1)).size;

    if (more.size == 0) return ELELEM_OK;
    if (more.size + 1 > els_builder_left(b)) return ELELEM_ERROR_VALUE_SIZE;
    if (els_note_reserve(note, note->els_size + more.size + 1) != ELELEM_OK) return ELELEM_ERROR_MEMORY;
    note->els_size = key.size + kept;
    if (kept > 1) els_buffer_put(note, ",", 1);
    els_buffer_put(note, more.data, more.size);
    els_buffer_put(note, "]", 1);
    els_builder_count(b, row, before, note->els_size - key.size);
    els_row_set_entry(row, i, key.size);
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_builder_note(elelem_event_builder *b, els_row *row, const elelem_metadata_entry *entry)
{
    elelem_str json = els_trimmed(entry->json);
    uint32_t i = 0;

    while (i < row->note_count && !elelem_str_equal(els_row_entries(row)[i].key, entry->key))
        i++;
    if (i == row->note_count) return els_builder_add_note(b, row, entry->key, json);
    if (els_is_array_text(json) && els_is_array_text(els_row_entries(row)[i].json))
        return els_builder_extend_note(b, row, i, entry->key, json);
    return els_builder_replace_note(b, row, i, entry->key, json);
}

ELS_PRIVATE elelem_status els_builder_merge(elelem_event_builder *b, els_row *row, const elelem_metadata *metadata)
{
    elelem_status status = ELELEM_OK;
    size_t i;

    if (!row->is_kept || !(b->els_keep & ELELEM_KEEP_METADATA)) return ELELEM_OK;
    for (i = 0; i < metadata->count && status == ELELEM_OK; i++)
        status = els_builder_note(b, row, &metadata->entries[i]);
    return status;
}

/* Values. The end of the root is kept back until the flush: until then nothing makes the
   value look whole, for something else may follow. */

/* Nonzero where the item's text is read as JSON. */
ELS_INLINE int els_row_is_read(const els_row *row)
{
    return row->kind == ELELEM_PART_TOOL_CALL || (row->kind == ELELEM_PART_STRUCTURED && row->is_kept);
}

ELS_PRIVATE elelem_status els_builder_add(elelem_event_builder *b, els_row *row, const elelem_fragment *fragment)
{
    elelem_fragment_aggregator *tree = &row->tree;
    uint64_t most = b->els_max_bytes - b->els_value_bytes + tree->els_used;
    uint32_t before = tree->els_used;
    elelem_status status;

    tree->els_max_bytes = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    status = elelem_fragment_aggregator_push(tree, fragment);
    b->els_value_bytes += tree->els_used - before;
    return status;
}

/* Adds a piece of a string, of which the tree takes whole characters up to the limit. The fragment's text becomes
   what was added: all that the tree grew by, less the node and key of a string that begins. */
ELS_PRIVATE elelem_status els_builder_add_string(elelem_event_builder *b, els_row *row, elelem_fragment *fragment)
{
    uint32_t before = row->tree.els_used;
    elelem_status status = els_builder_add(b, row, fragment);
    size_t grown = row->tree.els_used - before, added = 0;

    if (status == ELELEM_OK) return status;
    if (grown > 0) added = els_tree_node(&row->tree, row->tree.els_current)->in.text.size;
    fragment->text.size = added < grown ? added : grown;
    return status;
}

/* Adds a fragment to the item's value. A string that meets the limit becomes what was added. */
ELS_PRIVATE elelem_status els_builder_collect(elelem_event_builder *b, els_row *row, elelem_fragment *fragment)
{
    if (fragment->path->count == 0 && fragment->kind == ELELEM_FRAGMENT_DONE) {
        row->root = fragment->type;
        return ELELEM_OK;
    }
    if (!row->is_kept) return ELELEM_OK;
    if (fragment->kind != ELELEM_FRAGMENT_STRING) return els_builder_add(b, row, fragment);
    return els_builder_add_string(b, row, fragment);
}

/* Adds the beginning or the end of the root. */
ELS_PRIVATE elelem_status els_builder_add_root(elelem_event_builder *b, els_row *row, elelem_fragment_kind kind,
                                               unsigned type)
{
    elelem_path root = ELELEM_INIT;
    elelem_fragment fragment = ELELEM_INIT;

    if (!row->is_kept) return ELELEM_OK;
    fragment.path = &root;
    fragment.kind = (uint8_t)kind;
    fragment.type = (uint8_t)type;
    fragment.pattern = ELELEM_NO_PATTERN;
    return els_builder_add(b, row, &fragment);
}

/* The text stops being JSON, or ended too early: the value stays as it is. */
ELS_PRIVATE void els_row_break(els_row *row, elelem_status status)
{
    elelem_value_state reason = ELELEM_VALUE_CUT_LIMIT;

    row->state = ELELEM_ITEM_CUT_OFF;
    if (status == ELELEM_ERROR_TRUNCATED) reason = ELELEM_VALUE_CUT_END;
    if (status == ELELEM_ERROR_SYNTAX || status == ELELEM_ERROR_UTF8) {
        reason = ELELEM_VALUE_CUT_ERROR;
        row->state = ELELEM_ITEM_MALFORMED;
    }
    elelem_fragment_aggregator_cut(&row->tree, reason);
}

/* Giving out. */

ELS_PRIVATE elelem_status els_row_progress(const els_row *row, const elelem_fragment *fragment, elelem_built *built)
{
    elelem_tool_call_argument_progress *progress = &built->progress;

    built->kind = ELELEM_BUILT_PROGRESS;
    progress->index = row->index;
    progress->choice = row->choice;
    progress->id = row->id;
    progress->name = row->name;
    progress->fragment = *fragment;
    return ELELEM_OK;
}

ELS_PRIVATE void els_row_item(const els_row *row, elelem_item *item)
{
    elelem_str text = elelem_buffer_text(&row->text);
    elelem_value value = elelem_fragment_aggregator_value(&row->tree);

    memset(item, 0, sizeof *item);
    item->kind = row->kind;
    item->state = row->state;
    item->index = row->index;
    item->choice = row->choice;
    item->metadata.count = row->note_count;
    item->metadata.entries = row->note_count > 0 ? els_row_entries(row) : NULL;
    if (row->kind == ELELEM_PART_TOOL_CALL) {
        item->tool_call.index = row->index;
        item->tool_call.id = row->id;
        item->tool_call.name = row->name;
        item->tool_call.arguments = value;
        item->tool_call.text = text;
    } else {
        item->text = text;
        item->value = value;
    }
}

ELS_PRIVATE int els_is_all_blank(elelem_str text)
{
    return els_trimmed(text).size == 0;
}

/* Nonzero where there is something in the item that anybody could want. */
ELS_PRIVATE int els_row_matters(const els_row *row)
{
    if (!row->is_kept) return 0;
    if (row->note_count > 0) return 1;
    if (row->kind == ELELEM_PART_MESSAGE) return !els_is_all_blank(elelem_buffer_text(&row->text));
    return row->kind != ELELEM_PART_STRUCTURED || row->text.els_size > 0;
}

/* The item at a position of the order is over: hands it out, or drops it. */
ELS_PRIVATE elelem_status els_builder_hand_out(elelem_event_builder *b, uint32_t at, elelem_built *built)
{
    uint32_t place = els_builder_order(b)[at];
    els_row *row = els_builder_row(b, place);

    b->els_phase = ELS_BUILDER_EVENT;
    if (!b->els_status) b->els_finished++;
    els_builder_close(b, at);
    if (!els_row_matters(row)) {
        els_builder_clear(b, row);
        return ELS_AGAIN;
    }
    built->kind = ELELEM_BUILT_ITEM;
    els_row_item(row, &built->item);
    b->els_place = place;
    b->els_handed_out = 1;
    return ELELEM_OK;
}

/* Takes in a fragment of the item's JSON and gives it out where it is an argument's. An
   error waits until that is done. */
ELS_PRIVATE elelem_status els_builder_fragment(elelem_event_builder *b, els_row *row, elelem_fragment *fragment,
                                               elelem_built *built)
{
    elelem_status status = els_builder_collect(b, row, fragment);

    if (status != ELELEM_OK) {
        row->state = ELELEM_ITEM_CUT_OFF;
        b->els_late = status;
        if (fragment->kind != ELELEM_FRAGMENT_STRING || fragment->text.size == 0) return ELS_AGAIN;
    }
    if (row->kind != ELELEM_PART_TOOL_CALL) return ELS_AGAIN;
    return els_row_progress(row, fragment, built);
}

/* Reads on in the text that the event lent. */
ELS_PRIVATE elelem_status els_builder_read(elelem_event_builder *b, elelem_built *built)
{
    els_row *row = els_builder_row(b, b->els_place);
    elelem_fragment fragment;
    elelem_status status = ELELEM_MORE;

    if (row->state == ELELEM_ITEM_OPEN) status = els_fragment_next(&row->parser, &b->els_input, &fragment);
    if (status == ELELEM_OK) return els_builder_fragment(b, row, &fragment, built);
    if (status == ELELEM_ERROR_MEMORY) return els_builder_fail(b, status);
    if (status < 0) els_row_break(row, status);
    if (b->els_late) return els_builder_fail(b, (elelem_status)b->els_late);
    b->els_phase = ELS_BUILDER_EVENT;
    return ELS_AGAIN;
}

/* Nothing but white space came. */
ELS_INLINE int els_row_is_blank(const els_row *row)
{
    return row->parser.els_state == ELS_JSON_VALUE && row->parser.els_path.count == 0;
}

/* A call without arguments has none: that is {}. */
ELS_PRIVATE elelem_status els_builder_add_none(elelem_event_builder *b, els_row *row)
{
    row->root = ELELEM_TYPE_OBJECT;
    return els_builder_add_root(b, row, ELELEM_FRAGMENT_BEGIN, ELELEM_TYPE_OBJECT);
}

/* The text is read to its end and the root is whole. */
ELS_PRIVATE elelem_status els_builder_complete(elelem_event_builder *b, els_row *row)
{
    elelem_status status = ELELEM_OK;

    if (row->root != ELELEM_TYPE_NONE) status = els_builder_add_root(b, row, ELELEM_FRAGMENT_DONE, row->root);
    if (status != ELELEM_OK) return els_builder_fail(b, status);
    row->state = ELELEM_ITEM_COMPLETE;
    return ELS_AGAIN;
}

/* What the end of the text decides: a number at the root, and whether all is there. */
ELS_PRIVATE elelem_status els_builder_end_text(elelem_event_builder *b, els_row *row, elelem_built *built)
{
    elelem_fragment fragment;
    elelem_status status;

    elelem_fragment_parser_finish(&row->parser);
    status = elelem_fragment_parser_next(&row->parser, &fragment);
    if (status == ELELEM_OK) return els_builder_fragment(b, row, &fragment, built);
    if (status == ELELEM_END) return els_builder_complete(b, row);
    if (status == ELELEM_ERROR_MEMORY) return els_builder_fail(b, status);
    els_row_break(row, status);
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_builder_flush(elelem_event_builder *b, elelem_built *built)
{
    els_row *row = els_builder_row(b, b->els_place);
    elelem_status status;

    if (b->els_late) return els_builder_fail(b, (elelem_status)b->els_late);
    if (row->state != ELELEM_ITEM_OPEN) return els_builder_hand_out(b, els_builder_seek(b, row->index), built);
    if (!els_row_is_read(row)) return els_builder_complete(b, row);
    if (row->cut_off) {
        els_row_break(row, ELELEM_ERROR_TRUNCATED);
        return ELS_AGAIN;
    }
    if (row->kind == ELELEM_PART_STRUCTURED && row->text.els_size == 0) return els_builder_complete(b, row);
    if (row->kind == ELELEM_PART_STRUCTURED || !els_row_is_blank(row)) return els_builder_end_text(b, row, built);
    status = els_builder_add_none(b, row);
    return status == ELELEM_OK ? els_builder_complete(b, row) : els_builder_fail(b, status);
}

/* Hands out the first item that is open as cut off. */
ELS_PRIVATE elelem_status els_builder_cut(elelem_event_builder *b, elelem_built *built)
{
    els_row *row = els_builder_row(b, els_builder_order(b)[0]);

    if (row->state == ELELEM_ITEM_OPEN) els_row_break(row, ELELEM_ERROR_TRUNCATED);
    return els_builder_hand_out(b, 0, built);
}

ELS_PRIVATE elelem_status els_builder_step(elelem_event_builder *b, elelem_built *built)
{
    switch ((els_builder_phase)b->els_phase) {
    case ELS_BUILDER_TEXT: return els_builder_read(b, built);
    case ELS_BUILDER_FLUSH: return els_builder_flush(b, built);
    default: break;
    }
    if (b->els_draining && b->els_open > 0) return els_builder_cut(b, built);
    if (b->els_status) return (elelem_status)b->els_status;
    if (b->els_debt.state == ELS_DEBT_LOST) return els_builder_fail(b, ELELEM_ERROR_MISUSE);
    return b->els_over ? ELELEM_END : ELELEM_MORE;
}

/* Taking events. */

ELS_PRIVATE int els_builder_keeps(const elelem_event_builder *b, unsigned kind)
{
    switch (kind) {
    case ELELEM_PART_MESSAGE: return (b->els_keep & ELELEM_KEEP_MESSAGES) != 0;
    case ELELEM_PART_REASONING: return (b->els_keep & ELELEM_KEEP_REASONING) != 0;
    case ELELEM_PART_STRUCTURED: return (b->els_keep & ELELEM_KEEP_STRUCTURED) != 0;
    default: return (b->els_keep & ELELEM_KEEP_TOOL_CALLS) != 0;
    }
}

ELS_PRIVATE elelem_status els_builder_open(elelem_event_builder *b, const elelem_event *event, uint32_t at,
                                           els_row **row)
{
    elelem_status status = els_builder_take(b, at, row);

    if (status != ELELEM_OK) return status;
    (*row)->index = event->index;
    (*row)->choice = event->choice;
    (*row)->kind = event->part.kind;
    (*row)->is_kept = (uint8_t)els_builder_keeps(b, event->part.kind);
    (*row)->state = ELELEM_ITEM_OPEN;
    (*row)->root = ELELEM_TYPE_NONE;
    (*row)->cut_off = 0;
    return ELELEM_OK;
}

/* Has next read a piece of JSON, of which the text is kept first where it is wanted. What
   that refuses is told when the rest is read. */
ELS_PRIVATE elelem_status els_builder_lend(elelem_event_builder *b, els_row *row, elelem_str text)
{
    int is_wanted = row->is_kept && (row->kind == ELELEM_PART_STRUCTURED || b->els_keep_argument_text);

    if (is_wanted) b->els_late = els_builder_keep_text(b, row, &text);
    b->els_input = els_cursor_of(text.data, text.size);
    if (row->state == ELELEM_ITEM_OPEN) els_fragment_lend(&row->parser, &b->els_input);
    b->els_place = (uint32_t)(row - els_builder_row(b, 0));
    b->els_phase = ELS_BUILDER_TEXT;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_builder_start_call(elelem_event_builder *b, els_row *row,
                                                 const elelem_tool_call_part *call)
{
    elelem_status status = els_builder_name(b, row, &row->id, call->id);

    return status == ELELEM_OK ? els_builder_name(b, row, &row->name, call->name) : status;
}

ELS_PRIVATE elelem_status els_builder_take_part(elelem_event_builder *b, els_row *row, const elelem_event *event)
{
    elelem_str text = event->part.text;
    elelem_status status = els_builder_merge(b, row, &event->metadata);

    if (status != ELELEM_OK) return status;
    if (row->kind == ELELEM_PART_TOOL_CALL) {
        const elelem_tool_call_part *call = &event->part.tool_call;
        if (call->kind == ELELEM_TOOL_CALL_START) return els_builder_start_call(b, row, call);
        return els_builder_lend(b, row, call->text);
    }
    if (!row->is_kept) return ELELEM_OK;
    if (row->kind == ELELEM_PART_STRUCTURED) return els_builder_lend(b, row, text);
    return els_builder_keep_text(b, row, &text);
}

ELS_PRIVATE int els_is_part(const elelem_event_part *part)
{
    if (part->kind != ELELEM_PART_TOOL_CALL) return part->kind < ELELEM_PART_TOOL_CALL;
    return part->tool_call.kind <= ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
}

ELS_PRIVATE elelem_status els_builder_push_part(elelem_event_builder *b, const elelem_event *event)
{
    uint32_t at;
    els_row *row = els_builder_find(b, event->index, &at);
    elelem_status status;

    if (!els_is_part(&event->part)) return ELELEM_ERROR_MISUSE;
    if (row && (row->kind != event->part.kind || row->choice != event->choice)) return ELELEM_ERROR_MISUSE;
    status = row ? ELELEM_OK : els_builder_open(b, event, at, &row);
    if (status == ELELEM_OK) status = els_builder_take_part(b, row, event);
    return status == ELELEM_OK ? status : els_builder_fail(b, status);
}

ELS_PRIVATE elelem_status els_builder_push_flush(elelem_event_builder *b, const elelem_event *event)
{
    uint32_t at;
    els_row *row = els_builder_find(b, event->index, &at);
    elelem_status status;

    if (!row || row->choice != event->choice) return ELELEM_ERROR_MISUSE;
    status = els_builder_merge(b, row, &event->metadata);
    if (status != ELELEM_OK) return els_builder_fail(b, status);
    row->cut_off = event->cut_off != 0;
    b->els_place = els_builder_order(b)[at];
    b->els_phase = ELS_BUILDER_FLUSH;
    return ELELEM_OK;
}

ELS_INLINE uint32_t els_most(uint32_t value, uint32_t standard)
{
    return value == 0 ? standard : value > 65535u ? 65535u : value;
}

void elelem_event_builder_init(elelem_event_builder *builder, const elelem_event_builder_desc *desc)
{
    elelem_event_builder_desc standard = ELELEM_INIT;
    const elelem_event_builder_desc *d = desc ? desc : &standard;

    memset(builder, 0, sizeof *builder);
    builder->els_table.allocator = d->allocator;
    builder->els_max_bytes = ELS_DEFAULT(d->max_bytes, (uint64_t)64 << 20);
    builder->els_max_open = els_most(d->max_open, 256);
    builder->els_max_metadata = els_most(d->max_metadata, 64);
    builder->els_keep = (uint8_t)(d->keep ? d->keep & ELELEM_KEEP_ALL : ELELEM_KEEP_ALL);
    builder->els_keep_argument_text = d->keep_argument_text != 0;
}

ELS_PRIVATE elelem_status els_builder_push_event(elelem_event_builder *b, const elelem_event *event)
{
    els_builder_settle(b);
    switch (event->kind) {
    case ELELEM_EVENT_PART: return els_builder_push_part(b, event);
    case ELELEM_EVENT_FLUSH: return els_builder_push_flush(b, event);
    case ELELEM_EVENT_FINISHED:
    case ELELEM_EVENT_ERROR: b->els_over = 1; return ELELEM_OK;
    default: return ELELEM_ERROR_MISUSE;
    }
}

elelem_status elelem_event_builder_push(elelem_event_builder *builder, const elelem_event *event)
{
    if (builder->els_status) return (elelem_status)builder->els_status;
    if (builder->els_max_open == 0 || builder->els_over) return ELELEM_ERROR_MISUSE;
    if (!els_debt_takes_event(&builder->els_debt, event, builder->els_phase == ELS_BUILDER_EVENT))
        return ELELEM_ERROR_MISUSE;
    return els_builder_push_event(builder, event);
}

elelem_status elelem_event_builder_next(elelem_event_builder *builder, elelem_built *built)
{
    elelem_status status;

    if (builder->els_max_open == 0) return ELELEM_ERROR_MISUSE;
    els_builder_settle(builder);
    do
        status = els_builder_step(builder, built);
    while (status == ELS_AGAIN);
    return status;
}

void elelem_event_builder_drain(elelem_event_builder *builder)
{
    builder->els_over = 1;
    builder->els_draining = 1;
}

elelem_status elelem_event_builder_partial(const elelem_event_builder *builder, size_t *position, elelem_item *item)
{
    while (*position < builder->els_open) {
        const els_row *row = els_builder_row(builder, els_builder_order(builder)[*position]);
        ++*position;
        if (!row->is_kept) continue;
        els_row_item(row, item);
        return ELELEM_OK;
    }
    return ELELEM_END;
}

elelem_value elelem_event_builder_arguments(const elelem_event_builder *builder, uint32_t index)
{
    elelem_value none = ELELEM_INIT;
    uint32_t at;
    const els_row *row = els_builder_find(builder, index, &at);

    return row ? elelem_fragment_aggregator_value(&row->tree) : none;
}

elelem_error elelem_event_builder_error(const elelem_event_builder *builder)
{
    if (builder->els_max_open == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    if (builder->els_status == ELELEM_ERROR_MISUSE) return els_lost_error(builder->els_finished);
    return els_error((elelem_status)builder->els_status, builder->els_status ? builder->els_finished : 0);
}

void elelem_event_builder_reset(elelem_event_builder *builder)
{
    uint32_t i;

    for (i = 0; i < builder->els_capacity; i++)
        els_row_clear(els_builder_row(builder, i), builder->els_table.allocator);
    builder->els_input = els_cursor_of(NULL, 0);
    builder->els_debt.state = ELS_DEBT_NONE;
    builder->els_finished = 0;
    builder->els_text_bytes = 0;
    builder->els_value_bytes = 0;
    builder->els_open = 0;
    builder->els_status = ELELEM_OK;
    builder->els_late = ELELEM_OK;
    builder->els_phase = ELS_BUILDER_EVENT;
    builder->els_over = 0;
    builder->els_draining = 0;
    builder->els_handed_out = 0;
}

void elelem_event_builder_free(elelem_event_builder *builder)
{
    uint32_t i;

    for (i = 0; i < builder->els_capacity; i++)
        els_row_free(els_builder_row(builder, i));
    els_block_free(&builder->els_table);
    memset(builder, 0, sizeof *builder);
}

/* Writing. */

static const char *const els_part_names[] = { "message", "reasoning", "structured", "tool_call" };

ELS_PRIVATE void els_write_call(elelem_writer *writer, const elelem_tool_call *call)
{
    els_put_text(writer, "id", call->id);
    els_put_text(writer, "name", call->name);
    if (elelem_value_is_complete(call->arguments)) els_put_value(writer, "arguments", call->arguments);
    else if (call->text.size > 0) els_put_text(writer, "argumentsText", call->text);
    else els_put_value(writer, "partialArguments", call->arguments);
}

ELS_PRIVATE void els_write_metadata(elelem_writer *writer, const elelem_metadata *metadata)
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

elelem_status elelem_item_write(elelem_writer *writer, const elelem_item *item)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_text(writer, "type", elelem_str_of(els_part_names[item->kind & 3]));
    els_put_number(writer, "index", item->index);
    if (item->choice > 0) els_put_number(writer, "choice", item->choice);
    if (item->kind == ELELEM_PART_TOOL_CALL) els_write_call(writer, &item->tool_call);
    else if (elelem_value_is_complete(item->value)) els_put_value(writer, "value", item->value);
    else els_put_text(writer, "text", item->text);
    if (item->state != ELELEM_ITEM_COMPLETE)
        els_put_text(writer, "state", elelem_str_of(elelem_item_state_name(item->state)));
    els_write_metadata(writer, &item->metadata);
    return elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

#endif
