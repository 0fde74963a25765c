#ifndef ELS_BUILDER_C
#define ELS_BUILDER_C
#include "builder.h"
#include "base.c"
#include "text.c"
#include "fragment.c"
#include "parser.c"
#include "value.c"
#include "writer.c"
#include "event.c"
#include "metadata.c"

/* >> builder */

/* What the builder waits for. */
typedef enum els_builder_phase {
    ELS_BUILDER_EVENT, /* an event */
    ELS_BUILDER_TEXT,  /* nothing: the JSON text of a part is still to be read */
    ELS_BUILDER_FLUSH  /* nothing: what the flush decides is still to be returned */
} els_builder_phase;

/* A place in the names of an item. */
typedef struct els_name {
    uint32_t start;
    uint32_t size;
} els_name;

/* An open item: a row of the table. Rows that are not in use keep what is set up here. */
typedef struct els_row {
    elelem_buffer text;  /* of the parts; of a tool call the arguments, if they are kept */
    elelem_buffer names; /* id, name and type, in the order they became known */
    els_meta meta;
    elelem_fragment_parser parser;
    elelem_fragment_aggregator tree; /* of what is read; of a provider item its caption, a string */
    els_name id;
    els_name name;
    els_name type;
    uint32_t index;
    uint32_t choice;
    uint32_t read_bytes; /* what the parser takes of the limit: its nesting, and */
    uint32_t read_most;  /* the most bytes of keys and a number that it held at a time */
    uint8_t kind;    /* an elelem_part_kind */
    uint8_t is_kept;
    uint8_t state;   /* an elelem_item_state */
    uint8_t root;    /* the type of the root value once it ended */
    uint8_t cut_off; /* its flush said so */
    uint8_t hosted;
} els_row;

const char *elelem_item_state_name(unsigned state)
{
    switch (state) {
    case ELELEM_ITEM_COMPLETE: return "complete";
    case ELELEM_ITEM_CUT_OFF: return "cut_off";
    case ELELEM_ITEM_MALFORMED: return "malformed";
    case ELELEM_ITEM_LEFT_OUT: return "left_out";
    default: return "open";
    }
}

ELS_NOINLINE elelem_status els_builder_fail(elelem_event_builder *b, elelem_status status)
{
    b->els_status = status;
    b->els_phase = ELS_BUILDER_EVENT;
    return status;
}

/* The table: rows, and after them the order, in which the rows in use come first, by
   index, and then the others, the one used last before the rest. */

ELS_INLINE els_row *els_builder_row(const elelem_event_builder *b, uint32_t place)
{
    return (els_row *)(void *)b->els_table.data + place;
}

ELS_INLINE uint16_t *els_builder_order(const elelem_event_builder *b)
{
    return (uint16_t *)(void *)(b->els_table.data + b->els_capacity * sizeof(els_row));
}

/* Returns how many open items have smaller indices. */
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

/* Returns the open item with this index, or null; `*at` is its position in the order, or the one it would take. */
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
    els_meta_init(&row->meta, allocator);
    els_row_init_parser(row, allocator);
    els_row_init_tree(row, allocator);
}

ELS_PRIVATE elelem_status els_builder_grow(elelem_event_builder *b)
{
    uint32_t i = b->els_capacity;
    elelem_status status =
        els_parallel_grow(&b->els_table, &b->els_capacity, sizeof(els_row), sizeof(uint16_t), b->els_max_open);

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

/* Gives back all memory of a row, which can be used again. */
ELS_PRIVATE void els_row_free(els_row *row, els_budget *texts)
{
    elelem_allocator allocator = row->meta.els_slots.allocator;

    if (ELS_HAS_METADATA) els_meta_free(&row->meta, texts);
    elelem_buffer_free(&row->text);
    elelem_buffer_free(&row->names);
    elelem_fragment_parser_free(&row->parser);
    elelem_fragment_aggregator_free(&row->tree);
    els_row_init(row, allocator);
}

ELS_INLINE size_t els_row_spare(const els_row *row)
{
    return row->text.els_memory.capacity + row->names.els_memory.capacity + row->parser.els_memory.capacity +
           row->tree.els_memory.capacity;
}

/* Empties a row. Its blocks stay for the next item if they are small. */
ELS_PRIVATE void els_row_clear(els_row *row, els_budget *texts)
{
    if (ELS_HAS_METADATA) els_meta_free(&row->meta, texts);
    els_budget_cut(texts, &row->text, 0);
    els_budget_cut(texts, &row->names, 0);
    if (els_row_spare(row) > ELS_SPARE_BYTES) {
        els_row_free(row, texts);
        return;
    }
    elelem_fragment_parser_reset(&row->parser);
    elelem_fragment_aggregator_reset(&row->tree);
    row->id.size = row->name.size = row->type.size = 0;
    row->read_most = 0;
    row->read_bytes = 0;
}

/* Empties the row that was closed last. It alone has spare blocks: those of the one closed before go. */
ELS_PRIVATE void els_builder_clear(elelem_event_builder *b, els_row *row)
{
    b->els_values.els_used -= row->tree.els_used;
    b->els_reading.els_used -= row->read_bytes;
    els_row_clear(row, &b->els_texts);
    if (b->els_open + 1 >= b->els_capacity) return;
    row = els_builder_row(b, els_builder_order(b)[b->els_open + 1]);
    if (els_row_spare(row) > 0) els_row_free(row, &b->els_texts);
}

/* Empties the row of the item that was returned last: the caller no longer uses it. */
ELS_INLINE void els_builder_settle(elelem_event_builder *b)
{
    if (!b->els_handed_out) return;
    b->els_handed_out = 0;
    els_builder_clear(b, els_builder_row(b, b->els_place));
}

/* Keeping bytes. */

/* Keeps what the limit allows, in whole characters, so that what is kept does not depend
   on how the text was cut. The text becomes what was kept. */
ELS_PRIVATE elelem_status els_builder_keep_text(elelem_event_builder *b, els_row *row, elelem_str *text)
{
    elelem_status over = ELELEM_OK;
    elelem_status status;

    if (text->size > els_budget_left(&b->els_texts)) {
        text->size = els_whole_characters((const unsigned char *)text->data, (size_t)els_budget_left(&b->els_texts));
        over = ELELEM_ERROR_VALUE_SIZE;
    }
    status = els_budget_append(&b->els_texts, &row->text, *text);
    return status != ELELEM_OK ? status : over;
}

/* The first that is not empty counts. */
ELS_PRIVATE elelem_status els_builder_name(elelem_event_builder *b, els_row *row, els_name *known, elelem_str text)
{
    size_t start = row->names.els_size;
    elelem_status status;

    if (known->size > 0 || text.size == 0) return ELELEM_OK;
    /* Not reached: it takes 4 GB of names. */
    if (text.size > UINT32_MAX - start) return ELELEM_ERROR_VALUE_SIZE;
    status = els_budget_append(&b->els_texts, &row->names, text);
    if (status != ELELEM_OK) return status;
    known->start = (uint32_t)start;
    known->size = (uint32_t)text.size;
    return ELELEM_OK;
}

ELS_INLINE elelem_str els_row_name(const els_row *row, els_name name)
{
    return els_str(name.size > 0 ? row->names.els_memory.data + name.start : NULL, name.size);
}

/* Metadata. */

ELS_PRIVATE elelem_status els_builder_merge(elelem_event_builder *b, els_row *row, const elelem_metadata *metadata)
{
    if (!ELS_HAS_METADATA) return ELELEM_OK;
    if (!row->is_kept || !(b->els_keep & ELELEM_KEEP_METADATA)) return ELELEM_OK;
    return els_meta_merge(&row->meta, &b->els_texts, b->els_max_metadata, metadata);
}

/* Values. The end of the root is kept back until the flush: until then nothing makes the
   value look whole, for something else may follow. */

/* Nonzero if the item's text is read as JSON. */
ELS_INLINE int els_row_is_read(const els_row *row)
{
    int is_json = row->kind == ELELEM_PART_STRUCTURED || row->kind == ELELEM_PART_PROVIDER_ITEM;

    return row->kind == ELELEM_PART_TOOL_CALL || (is_json && row->is_kept);
}

/* Nonzero if what is read becomes a value. The JSON of a provider item is only checked. */
ELS_INLINE int els_row_has_value(const els_row *row)
{
    return row->is_kept && row->kind != ELELEM_PART_PROVIDER_ITEM;
}

ELS_PRIVATE elelem_status els_builder_add(elelem_event_builder *b, els_row *row, const elelem_fragment *fragment)
{
    elelem_fragment_aggregator *tree = &row->tree;
    uint64_t most = els_budget_left(&b->els_values) + tree->els_used;
    uint32_t before = tree->els_used;
    elelem_status status;

    tree->els_max_bytes = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    status = elelem_fragment_aggregator_push(tree, fragment);
    b->els_values.els_used += tree->els_used - before;
    return status;
}

/* Drops what is kept of a provider item, which does not fit. The response continues without it. */
ELS_PRIVATE void els_builder_leave_out(elelem_event_builder *b, els_row *row)
{
    row->state = ELELEM_ITEM_LEFT_OUT;
    els_budget_cut(&b->els_texts, &row->text, 0);
    b->els_values.els_used -= row->tree.els_used;
    elelem_fragment_aggregator_reset(&row->tree);
}

ELS_PRIVATE elelem_status els_builder_add_caption(elelem_event_builder *b, els_row *row, elelem_str text)
{
    elelem_path root = ELELEM_INIT;
    elelem_fragment fragment = ELELEM_INIT;

    if (text.size == 0) return ELELEM_OK;
    fragment.path = &root;
    fragment.kind = ELELEM_FRAGMENT_STRING;
    fragment.type = ELELEM_TYPE_STRING;
    fragment.text = text;
    fragment.pattern = ELELEM_NO_PATTERN;
    return els_builder_add(b, row, &fragment);
}

/* Adds to the JSON and the caption of a provider item. */
ELS_PRIVATE elelem_status els_builder_add_provider_item(elelem_event_builder *b, els_row *row,
                                                        const elelem_event_part *part)
{
    elelem_status status;

    if (row->state == ELELEM_ITEM_LEFT_OUT) return ELELEM_OK;
    status = els_budget_append(&b->els_texts, &row->text, part->text);
    if (status == ELELEM_OK) status = els_builder_add_caption(b, row, part->caption);
    if (status != ELELEM_ERROR_VALUE_SIZE) return status;
    els_builder_leave_out(b, row);
    return ELELEM_OK;
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

/* Adds a fragment of the root without text. */
ELS_PRIVATE elelem_status els_builder_add_root(elelem_event_builder *b, els_row *row, elelem_fragment_kind kind,
                                               unsigned type)
{
    elelem_path root = ELELEM_INIT;
    elelem_fragment fragment = ELELEM_INIT;

    if (!els_row_has_value(row)) return ELELEM_OK;
    fragment.path = &root;
    fragment.kind = (uint8_t)kind;
    fragment.type = (uint8_t)type;
    fragment.pattern = ELELEM_NO_PATTERN;
    return els_builder_add(b, row, &fragment);
}

/* The root is over; its end waits. An empty string has only an end, and the memory for it is needed now. */
ELS_PRIVATE elelem_status els_builder_collect_end(elelem_event_builder *b, els_row *row, unsigned type)
{
    row->root = (uint8_t)type;
    return type == ELELEM_TYPE_STRING ? els_builder_add_root(b, row, ELELEM_FRAGMENT_STRING, type) : ELELEM_OK;
}

/* Adds a fragment to the item's value. A string that meets the limit becomes what was added. */
ELS_PRIVATE elelem_status els_builder_collect(elelem_event_builder *b, els_row *row, elelem_fragment *fragment)
{
    if (fragment->path->count == 0 && fragment->kind == ELELEM_FRAGMENT_DONE) return els_builder_collect_end(b, row, fragment->type);
    if (!els_row_has_value(row)) return ELELEM_OK;
    if (fragment->kind != ELELEM_FRAGMENT_STRING) return els_builder_add(b, row, fragment);
    return els_builder_add_string(b, row, fragment);
}

/* Reading. What the parsers of open items hold counts for a limit of its own: the keys that lead to a value, a
   number, and 64 bytes for each level. It is the largest that each held at a time, so that it does not depend on how
   the text was cut. */

/* The limits of a parser as it is by default. */
#define ELS_READ_PATH 262144u
#define ELS_READ_KEY 65536u
#define ELS_READ_NUMBER 65536u
#define ELS_READ_DEPTH 512u

/* A share of what is left in addition to what every parser may hold. */
ELS_INLINE uint32_t els_read_share(uint32_t least, uint64_t share, uint32_t most)
{
    return share > most - least ? most : least + (uint32_t)share;
}

ELS_INLINE uint32_t els_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The bytes of a key or number of which not all is there. */
ELS_PRIVATE uint32_t els_row_token(const els_row *row)
{
    unsigned state = row->parser.els_state;
    int is_number = state >= ELS_JSON_NUMBER && state <= ELS_JSON_POWER;

    return row->parser.els_in_key || is_number ? row->parser.els_token_size : 0;
}

/* Gives the parser its share of what the others leave. What it holds already it may keep. */
ELS_PRIVATE void els_builder_limit_reading(const elelem_event_builder *b, els_row *row)
{
    elelem_fragment_parser *p = &row->parser;
    uint64_t others = b->els_reading.els_used - row->read_bytes;
    uint64_t left = b->els_reading.els_max > others ? b->els_reading.els_max - others : 0;
    uint32_t token = els_row_token(row);
    uint32_t path = els_read_share(64, left / 2, ELS_READ_PATH);

    p->els_max_path = els_larger(path, els_json_path_bytes(p) + token);
    p->els_max_key = els_larger(path < ELS_READ_KEY ? path : ELS_READ_KEY, token);
    els_json_find_short_room(p);
    p->els_max_number = els_larger(els_read_share(64, left / 4, ELS_READ_NUMBER), token);
    p->els_max_depth = els_read_share(4, left / 256, ELS_READ_DEPTH);
}

/* Nonzero if the parser failed at a limit that was lowered. */
ELS_PRIVATE int els_row_read_too_much(const els_row *row, elelem_status status)
{
    switch (status) {
    case ELELEM_ERROR_DEPTH: return row->parser.els_max_depth < ELS_READ_DEPTH;
    case ELELEM_ERROR_KEY_SIZE: return row->parser.els_max_key < ELS_READ_KEY;
    case ELELEM_ERROR_PATH_SIZE: return row->parser.els_max_path < ELS_READ_PATH;
    case ELELEM_ERROR_NUMBER_SIZE: return row->parser.els_max_number < ELS_READ_NUMBER;
    default: return 0;
    }
}

/* Counts what the parser holds now, with `token` bytes of a number or key. */
ELS_PRIVATE void els_builder_count_reading(elelem_event_builder *b, els_row *row, size_t token)
{
    uint32_t bytes = row->parser.els_stack_size + (uint32_t)token;

    row->read_most = els_larger(row->read_most, bytes);
    bytes = row->parser.els_stack_start + row->read_most;
    b->els_reading.els_used += bytes - row->read_bytes;
    row->read_bytes = bytes;
}

/* Ends a value early, because the text is no longer JSON or stopped: it stays as it is. */
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

/* Returning items and progress. */

ELS_PRIVATE elelem_status els_row_progress(const els_row *row, const elelem_fragment *fragment, elelem_built *built)
{
    elelem_tool_call_argument_progress *progress = &built->progress;

    built->kind = ELELEM_BUILT_PROGRESS;
    progress->index = row->index;
    progress->choice = row->choice;
    progress->id = els_row_name(row, row->id);
    progress->name = els_row_name(row, row->name);
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
    if (ELS_HAS_METADATA) item->metadata = els_meta_list(&row->meta);
    if (row->kind == ELELEM_PART_TOOL_CALL) {
        item->tool_call.index = row->index;
        item->tool_call.id = els_row_name(row, row->id);
        item->tool_call.name = els_row_name(row, row->name);
        item->tool_call.type = els_row_name(row, row->type);
        item->tool_call.arguments = value;
        item->tool_call.text = text;
    } else if (row->kind == ELELEM_PART_PROVIDER_ITEM) {
        item->hosted = row->hosted;
        item->type = els_row_name(row, row->type);
        item->caption = elelem_value_text(value);
        item->text = text;
    } else {
        item->text = text;
        item->value = value;
    }
}

ELS_PRIVATE int els_is_all_blank(elelem_str text)
{
    return els_trimmed(text).size == 0;
}

/* Nonzero if there is anything in the item. */
ELS_PRIVATE int els_row_matters(const els_row *row)
{
    if (!row->is_kept) return 0;
    if (row->meta.els_count > 0) return 1;
    if (row->kind == ELELEM_PART_MESSAGE) return !els_is_all_blank(elelem_buffer_text(&row->text));
    return row->kind != ELELEM_PART_STRUCTURED || row->text.els_size > 0;
}

/* Returns the finished item at a position of the order, or drops it if there is nothing in it. */
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

/* Adds a fragment of the item's JSON to its value, and returns it if it is an argument's. An
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

/* The JSON of a row needs more than the limit leaves to read it. */
ELS_PRIVATE void els_builder_read_too_much(elelem_event_builder *b, els_row *row)
{
    if (row->kind == ELELEM_PART_PROVIDER_ITEM) els_builder_leave_out(b, row);
    else b->els_late = ELELEM_ERROR_VALUE_SIZE;
}

/* Reads the next fragment of the text that the event lent. */
ELS_PRIVATE elelem_status els_builder_read(elelem_event_builder *b, elelem_built *built)
{
    els_row *row = els_builder_row(b, b->els_place);
    elelem_fragment fragment;
    elelem_status status = ELELEM_MORE;

    if (row->state == ELELEM_ITEM_OPEN) status = els_fragment_next(&row->parser, &b->els_lent, &fragment);
    if (status == ELELEM_OK) {
        els_builder_count_reading(b, row, fragment.kind == ELELEM_FRAGMENT_SCALAR ? fragment.text.size : 0);
        return els_builder_fragment(b, row, &fragment, built);
    }
    els_builder_count_reading(b, row, els_row_token(row));
    if (status == ELELEM_ERROR_MEMORY) return els_builder_fail(b, status);
    if (status < 0) els_row_break(row, status);
    if (els_row_read_too_much(row, status)) els_builder_read_too_much(b, row);
    if (b->els_late) return els_builder_fail(b, (elelem_status)b->els_late);
    b->els_phase = ELS_BUILDER_EVENT;
    return ELS_AGAIN;
}

/* Nonzero if only whitespace came. */
ELS_INLINE int els_row_is_blank(const els_row *row)
{
    return row->parser.els_state == ELS_JSON_VALUE && row->parser.els_path.count == 0;
}

/* Makes the value of a call without arguments: {}. */
ELS_PRIVATE elelem_status els_builder_add_none(elelem_event_builder *b, els_row *row)
{
    row->root = ELELEM_TYPE_OBJECT;
    return els_builder_add_root(b, row, ELELEM_FRAGMENT_BEGIN, ELELEM_TYPE_OBJECT);
}

/* Completes a value whose text is read to its end and whose root is whole. That takes no memory. */
ELS_PRIVATE elelem_status els_builder_complete(elelem_event_builder *b, els_row *row)
{
    if (row->root != ELELEM_TYPE_NONE) els_builder_add_root(b, row, ELELEM_FRAGMENT_DONE, row->root);
    row->state = ELELEM_ITEM_COMPLETE;
    return ELS_AGAIN;
}

/* Reads what the end of the text decides, without memory: a number at the root, and whether all is there. */
ELS_PRIVATE elelem_status els_builder_end_text(elelem_event_builder *b, els_row *row, elelem_built *built)
{
    elelem_fragment fragment;
    elelem_status status;

    elelem_fragment_parser_finish(&row->parser);
    status = elelem_fragment_parser_next(&row->parser, &fragment);
    if (status == ELELEM_OK) return els_builder_fragment(b, row, &fragment, built);
    if (status == ELELEM_END) return els_builder_complete(b, row);
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
    if (row->kind != ELELEM_PART_TOOL_CALL || !els_row_is_blank(row)) return els_builder_end_text(b, row, built);
    status = els_builder_add_none(b, row);
    return status == ELELEM_OK ? els_builder_complete(b, row) : els_builder_fail(b, status);
}

/* Returns the first open item as cut off. */
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
    if (b->els_owed.state == ELS_DEBT_LOST) return els_builder_fail(b, ELELEM_ERROR_MISUSE);
    return b->els_over ? ELELEM_END : ELELEM_MORE;
}

/* Taking events. */

ELS_PRIVATE int els_builder_keeps(const elelem_event_builder *b, unsigned kind)
{
    switch (kind) {
    case ELELEM_PART_MESSAGE: return (b->els_keep & ELELEM_KEEP_MESSAGES) != 0;
    case ELELEM_PART_REASONING: return (b->els_keep & ELELEM_KEEP_REASONING) != 0;
    case ELELEM_PART_STRUCTURED: return (b->els_keep & ELELEM_KEEP_STRUCTURED) != 0;
    case ELELEM_PART_PROVIDER_ITEM: return (b->els_keep & ELELEM_KEEP_PROVIDER_ITEMS) != 0;
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
    (*row)->hosted = event->part.hosted;
    return ELELEM_OK;
}

/* Has next read a piece of JSON. */
ELS_PRIVATE void els_builder_lend(elelem_event_builder *b, els_row *row, elelem_str text)
{
    b->els_lent = els_cursor_of(text.data, text.size);
    if (row->state == ELELEM_ITEM_OPEN) {
        els_builder_limit_reading(b, row);
        els_fragment_lend(&row->parser, &b->els_lent);
    }
    b->els_place = (uint32_t)(row - els_builder_row(b, 0));
    b->els_phase = ELS_BUILDER_TEXT;
}

/* The same for JSON that becomes a value. Its text is kept first, if it is wanted; if that is refused, the error is
   returned when the rest is read. */
ELS_PRIVATE void els_builder_lend_value(elelem_event_builder *b, els_row *row, elelem_str text)
{
    int is_wanted = row->is_kept && (row->kind == ELELEM_PART_STRUCTURED || b->els_keep_argument_text);

    if (is_wanted) b->els_late = els_builder_keep_text(b, row, &text);
    els_builder_lend(b, row, text);
}

ELS_PRIVATE elelem_status els_builder_start_call(elelem_event_builder *b, els_row *row,
                                                 const elelem_tool_call_part *call)
{
    elelem_status status = els_builder_name(b, row, &row->id, call->id);

    if (status == ELELEM_OK) status = els_builder_name(b, row, &row->name, call->name);
    return status == ELELEM_OK ? els_builder_name(b, row, &row->type, call->type) : status;
}

ELS_PRIVATE elelem_status els_builder_take_call(elelem_event_builder *b, els_row *row, const elelem_tool_call_part *call)
{
    if (call->kind == ELELEM_TOOL_CALL_START) return els_builder_start_call(b, row, call);
    els_builder_lend_value(b, row, call->text);
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_builder_take_provider_item(elelem_event_builder *b, els_row *row,
                                                         const elelem_event_part *part)
{
    elelem_status status = els_builder_name(b, row, &row->type, part->type);

    if (status == ELELEM_OK) status = els_builder_add_provider_item(b, row, part);
    if (status == ELELEM_OK) els_builder_lend(b, row, part->text);
    return status;
}

ELS_PRIVATE elelem_status els_builder_take_part(elelem_event_builder *b, els_row *row, const elelem_event *event)
{
    elelem_str text = event->part.text;
    elelem_status status = els_builder_merge(b, row, &event->metadata);

    if (status != ELELEM_OK) return status;
    if (row->kind == ELELEM_PART_TOOL_CALL) return els_builder_take_call(b, row, &event->part.tool_call);
    if (!row->is_kept) return ELELEM_OK;
    if (row->kind == ELELEM_PART_PROVIDER_ITEM) return els_builder_take_provider_item(b, row, &event->part);
    if (row->kind != ELELEM_PART_STRUCTURED) return els_builder_keep_text(b, row, &text);
    els_builder_lend_value(b, row, text);
    return ELELEM_OK;
}

ELS_PRIVATE int els_is_part(const elelem_event_part *part)
{
    if (part->kind != ELELEM_PART_TOOL_CALL) return part->kind <= ELELEM_PART_PROVIDER_ITEM;
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

void elelem_event_builder_init(elelem_event_builder *builder, const elelem_event_builder_desc *desc)
{
    elelem_event_builder_desc defaults = ELELEM_INIT;
    const elelem_event_builder_desc *d = desc ? desc : &defaults;

    uint64_t max_bytes = ELS_DEFAULT(d->max_bytes, (uint64_t)64 << 20);

    memset(builder, 0, sizeof *builder);
    builder->els_table.allocator = d->allocator;
    els_budget_init(&builder->els_texts, max_bytes);
    els_budget_init(&builder->els_values, max_bytes);
    els_budget_init(&builder->els_reading, max_bytes);
    builder->els_max_open = els_limit(d->max_open, 256, 65535);
    builder->els_max_metadata = els_limit(d->max_metadata, 64, 65535);
    builder->els_keep = (uint8_t)(d->keep ? d->keep & ELELEM_KEEP_ALL : ELELEM_KEEP_ALL);
    builder->els_keep_argument_text = d->keep_argument_text != 0;
}

ELS_PRIVATE elelem_status els_builder_push_event(elelem_event_builder *b, const elelem_event *event)
{
    els_builder_settle(b);
    switch (event->kind) {
    case ELELEM_EVENT_PART: return els_builder_push_part(b, event);
    case ELELEM_EVENT_FLUSH: return els_builder_push_flush(b, event);
    case ELELEM_EVENT_METADATA: return ELELEM_OK;
    case ELELEM_EVENT_FINISHED:
    case ELELEM_EVENT_ERROR: b->els_over = 1; return ELELEM_OK;
    default: return ELELEM_ERROR_MISUSE;
    }
}

elelem_status elelem_event_builder_push(elelem_event_builder *builder, const elelem_event *event)
{
    if (builder->els_status) return (elelem_status)builder->els_status;
    if (builder->els_max_open == 0 || builder->els_over) return ELELEM_ERROR_MISUSE;
    if (!els_debt_takes_event(&builder->els_owed, event, builder->els_phase == ELS_BUILDER_EVENT))
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

    if (!row || row->kind == ELELEM_PART_PROVIDER_ITEM) return none;
    return elelem_fragment_aggregator_value(&row->tree);
}

elelem_error elelem_event_builder_error(const elelem_event_builder *builder)
{
    if (builder->els_max_open == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    if (builder->els_status == ELELEM_ERROR_MISUSE) return els_lost_error(builder->els_finished);
    return els_error((elelem_status)builder->els_status, builder->els_status ? builder->els_finished : 0);
}

/* Of the rows that are not open only the one that was closed last has spare blocks, and before it what was returned and is not emptied
   yet: so a reset costs what is open, and not what once was. */
void elelem_event_builder_reset(elelem_event_builder *builder)
{
    uint32_t i, held = builder->els_open + 1u + builder->els_handed_out;

    for (i = 0; i < builder->els_capacity && i < held; i++) {
        els_row *row = els_builder_row(builder, els_builder_order(builder)[i]);
        if (i == 0) els_row_clear(row, &builder->els_texts);
        else els_row_free(row, &builder->els_texts);
    }
    builder->els_lent = els_cursor_of(NULL, 0);
    builder->els_owed.state = ELS_DEBT_NONE;
    builder->els_finished = 0;
    builder->els_texts.els_used = 0;
    builder->els_values.els_used = 0;
    builder->els_reading.els_used = 0;
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
        els_row_free(els_builder_row(builder, i), &builder->els_texts);
    els_block_free(&builder->els_table);
    memset(builder, 0, sizeof *builder);
}

/* Writing. */

ELS_PRIVATE const char *els_part_name(unsigned kind)
{
    static const char *const names[] = { "message", "reasoning", "structured", "tool_call", "provider_item" };

    return kind < ELS_COUNT(names) ? names[kind] : "";
}

ELS_PRIVATE void els_write_call(elelem_writer *writer, const elelem_tool_call *call)
{
    if (call->type.size > 0) els_put_text(writer, "callType", call->type);
    els_put_text(writer, "id", call->id);
    els_put_text(writer, "name", call->name);
    if (elelem_value_is_complete(call->arguments)) els_put_value(writer, "arguments", call->arguments);
    else if (call->text.size > 0) els_put_text(writer, "argumentsText", call->text);
    else if (elelem_value_type(call->arguments) != ELELEM_TYPE_NONE)
        els_put_value(writer, "partialArguments", call->arguments);
}

/* JSON that is not whole goes out as text. */
ELS_PRIVATE void els_write_provider_item(elelem_writer *writer, const elelem_item *item)
{
    els_put_text(writer, "itemType", item->type);
    if (item->hosted) els_put_json(writer, "hosted", elelem_str_of("true"));
    if (item->caption.size > 0) els_put_text(writer, "caption", item->caption);
    if (item->state == ELELEM_ITEM_COMPLETE) els_put_json_line(writer, "item", item->text);
    else els_put_text(writer, "text", item->text);
}

ELS_PRIVATE void els_write_content(elelem_writer *writer, const elelem_item *item)
{
    if (item->kind == ELELEM_PART_TOOL_CALL) els_write_call(writer, &item->tool_call);
    else if (item->kind == ELELEM_PART_PROVIDER_ITEM) els_write_provider_item(writer, item);
    else if (elelem_value_is_complete(item->value)) els_put_value(writer, "value", item->value);
    else els_put_text(writer, "text", item->text);
}

elelem_status elelem_item_write(elelem_writer *writer, const elelem_item *item)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_text(writer, "type", elelem_str_of(els_part_name(item->kind)));
    els_put_number(writer, "index", item->index);
    if (item->choice > 0) els_put_number(writer, "choice", item->choice);
    els_write_content(writer, item);
    if (item->state != ELELEM_ITEM_COMPLETE)
        els_put_text(writer, "state", elelem_str_of(elelem_item_state_name(item->state)));
    els_put_metadata(writer, &item->metadata);
    return elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

#endif
