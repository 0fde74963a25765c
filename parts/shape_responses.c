#ifndef ELS_SHAPE_RESPONSES_C
#define ELS_SHAPE_RESPONSES_C
#include "shape_responses.h"
#include "shape.c"
#include "recovery.h"

/* >> shape_responses */

#ifndef ELELEM_NO_RESPONSES

/* What is read of an output item, at the row of its object; `content` is that of its content. */
#define ELS_RESPONSES_ITEM(row, content)                \
    ELELEM_PATTERN_MEMBER(row, "type", 1),              \
    ELELEM_PATTERN_MEMBER(row, "id", 1),                \
    ELELEM_PATTERN_MEMBER(row, "status", 1),            \
    ELELEM_PATTERN_MEMBER(row, "phase", 1),             \
    ELELEM_PATTERN_MEMBER(row, "call_id", 1),           \
    ELELEM_PATTERN_MEMBER(row, "name", 1),              \
    ELELEM_PATTERN_MEMBER(row, "namespace", 1),         \
    ELELEM_PATTERN_MEMBER(row, "caller", 1),            \
    ELELEM_PATTERN_MEMBER(row, "arguments", 1),         \
    ELELEM_PATTERN_MEMBER(row, "input", 1),             \
    ELELEM_PATTERN_MEMBER(row, "encrypted_content", 1), \
    ELELEM_PATTERN_MEMBER(row, "summary", 0),           \
    ELELEM_PATTERN_MEMBER(row, "content", 0),           \
    ELELEM_PATTERN_ELEMENTS((content) - 1, 0),          \
    ELELEM_PATTERN_MEMBER((content) + 1, "text", 1),    \
    ELELEM_PATTERN_ELEMENTS(content, 0),                \
    ELELEM_PATTERN_MEMBER((content) + 3, "type", 1),    \
    ELELEM_PATTERN_MEMBER((content) + 3, "text", 1),    \
    ELELEM_PATTERN_MEMBER((content) + 3, "refusal", 1), \
    ELELEM_PATTERN_MEMBER((content) + 3, "annotations", 1)

/* A frame: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"…"}
   The last one repeats the whole response, of which its output is read only where some of it
   may not have been streamed: the last rows are left off else. */
static const elelem_pattern_node els_responses_paths[] = {
    ELELEM_PATTERN_ROOT(0),
    ELELEM_PATTERN_MEMBER(0, "type", 1),
    ELELEM_PATTERN_MEMBER(0, "output_index", 1),
    ELELEM_PATTERN_MEMBER(0, "content_index", 1),
    ELELEM_PATTERN_MEMBER(0, "summary_index", 1),
    ELELEM_PATTERN_MEMBER(0, "item_id", 1),
    ELELEM_PATTERN_MEMBER(0, "delta", 1),
    ELELEM_PATTERN_MEMBER(0, "text", 1),
    ELELEM_PATTERN_MEMBER(0, "refusal", 1),
    ELELEM_PATTERN_MEMBER(0, "arguments", 1),
    ELELEM_PATTERN_MEMBER(0, "input", 1),
    ELELEM_PATTERN_MEMBER(0, "annotation", 1),
    ELELEM_PATTERN_MEMBER(0, "error", 1),
    ELELEM_PATTERN_MEMBER(0, "message", 1),
    ELELEM_PATTERN_MEMBER(0, "code", 1),
    ELELEM_PATTERN_MEMBER(0, "object", 1),
    ELELEM_PATTERN_MEMBER(0, "part", 0),
    ELELEM_PATTERN_MEMBER(0, "item", 0),
    ELELEM_PATTERN_MEMBER(0, "response", 0),
    ELELEM_PATTERN_MEMBER(16, "type", 1),
    ELELEM_PATTERN_MEMBER(16, "text", 1),
    ELELEM_PATTERN_MEMBER(16, "refusal", 1),
    ELS_RESPONSES_ITEM(17, 34),
    ELELEM_PATTERN_MEMBER(18, "status", 1),
    ELELEM_PATTERN_MEMBER(18, "error", 1),
    ELELEM_PATTERN_MEMBER(18, "usage", 1),
    ELELEM_PATTERN_MEMBER(18, "incomplete_details", 0),
    ELELEM_PATTERN_MEMBER(18, "tools", 0),
    ELELEM_PATTERN_MEMBER(18, "output", 0),
    ELELEM_PATTERN_MEMBER(45, "reason", 1),
    ELELEM_PATTERN_ELEMENTS(46, 0),
    ELELEM_PATTERN_MEMBER(49, "type", 1),
    ELELEM_PATTERN_ELEMENTS(47, 0),
    ELS_RESPONSES_ITEM(51, 64),
};

#define ELS_RESPONSES_WITHOUT_OUTPUT 51

/* Slots of what is looked up once: the members of the root, of the output item at work, and of the response, in the
   order of their rows. */
enum {
    ELS_RESPONSES_TYPE,
    ELS_RESPONSES_OUTPUT_INDEX,
    ELS_RESPONSES_CONTENT_INDEX,
    ELS_RESPONSES_SUMMARY_INDEX,
    ELS_RESPONSES_ITEM_ID,
    ELS_RESPONSES_PIECE,
    ELS_RESPONSES_ANNOTATION = ELS_RESPONSES_PIECE + 5,
    ELS_RESPONSES_PART_MEMBER = ELS_RESPONSES_ANNOTATION + 5,
    ELS_RESPONSES_ITEM_MEMBER,
    ELS_RESPONSES_RESPONSE,
    ELS_RESPONSES_ENTRY,
    ELS_RESPONSES_ENTRY_TYPE = ELS_RESPONSES_ENTRY,
    ELS_RESPONSES_ENTRY_ID,
    ELS_RESPONSES_ENTRY_STATUS,
    ELS_RESPONSES_ENTRY_PHASE,
    ELS_RESPONSES_ENTRY_CALL_ID,
    ELS_RESPONSES_ENTRY_NAME,
    ELS_RESPONSES_ENTRY_NAMESPACE,
    ELS_RESPONSES_ENTRY_CALLER,
    ELS_RESPONSES_ENTRY_ARGUMENTS,
    ELS_RESPONSES_ENTRY_INPUT,
    ELS_RESPONSES_ENTRY_SEALED,
    ELS_RESPONSES_ENTRY_SUMMARY,
    ELS_RESPONSES_ENTRY_CONTENT,
    ELS_RESPONSES_STATUS,
    ELS_RESPONSES_ERROR,
    ELS_RESPONSES_USAGE,
    ELS_RESPONSES_INCOMPLETE,
    ELS_RESPONSES_TOOLS,
    ELS_RESPONSES_OUTPUT
};

/* The rows they are found at: the first and the last. */
#define ELS_RESPONSES_ROOT_ROWS 1, 18
#define ELS_RESPONSES_ITEM_ROWS 22, 34
#define ELS_RESPONSES_RESPONSE_ROWS 42, 47
#define ELS_RESPONSES_LISTED_ROWS 52, 64

/* What notes[] holds: after the number of the event at work; the place of the output item at work. */
enum { ELS_RESPONSES_EVENT, ELS_RESPONSES_PLACE_KEY, ELS_RESPONSES_PLACE_NAME };

/* The texts a frame can speak of. */
typedef enum els_responses_text {
    ELS_RESPONSES_TEXT,
    ELS_RESPONSES_REFUSAL,
    ELS_RESPONSES_SUMMARY,
    ELS_RESPONSES_RAW,
    ELS_RESPONSES_ARGUMENTS,
    ELS_RESPONSES_INPUT,
    ELS_RESPONSES_NONE
} els_responses_text;

/* The member that holds one whole, and the slots of the number of its parts and of what an output item has of it. */
typedef struct els_responses_names {
    const char *whole;
    uint8_t number;
    uint8_t entry;
} els_responses_names;

static const els_responses_names els_responses_members[] = {
    { "text", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_CONTENT },
    { "refusal", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_CONTENT },
    { "text", ELS_RESPONSES_SUMMARY_INDEX, ELS_RESPONSES_ENTRY_SUMMARY },
    { "text", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_CONTENT },
    { "arguments", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_ARGUMENTS },
    { "input", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_INPUT },
};

/* Marks of items. */
enum {
    ELS_RESPONSES_IS_REFUSAL = 1,
    ELS_RESPONSES_IS_CUSTOM = 2,
    ELS_RESPONSES_IS_RAW = 4,
    ELS_RESPONSES_IS_QUOTED = 8,   /* the string of a custom tool call's input is open */
    ELS_RESPONSES_HAD_TEXT = 16,
    ELS_RESPONSES_INTRODUCED = 32, /* its first part was told */
    ELS_RESPONSES_HAD_CALLER = 64, /* namespace and caller were told */
    ELS_RESPONSES_HAD_ID = 128     /* its id was told: the one of wire_hash */
};

/* Marks of the choice: it had refusal text; custom tool calls in it are the provider's own. */
enum { ELS_RESPONSES_REFUSED, ELS_RESPONSES_OWN_CUSTOM };

/* What memory[] holds: of the items that were closed last, whose end may be repeated, the names, the numbers and a hash of
   their contents; where the next goes; after the index of the item that began last; and, in the last frame, the kinds of
   items that were streamed before it. */
#define ELS_RESPONSES_CLOSED 5

enum {
    ELS_RESPONSES_CLOSED_NAMES,
    ELS_RESPONSES_CLOSED_KEYS = ELS_RESPONSES_CLOSED,
    ELS_RESPONSES_CLOSED_CONTENTS = ELS_RESPONSES_CLOSED * 2,
    ELS_RESPONSES_CLOSED_NEXT = ELS_RESPONSES_CLOSED * 3,
    ELS_RESPONSES_BEGUN,
    ELS_RESPONSES_STREAMED
};

/* Raw text comes after the summary, in the numbers that are given to an item's parts. */
#define ELS_RESPONSES_RAW_PART 0x80000000u

#define ELS_RESPONSES_NO_KEY 0xffffffffu

/* Where a frame says it belongs: by the number of the output item, else by its id. The number is
   believed first, for some providers give an item a new id in every frame. */
typedef struct els_responses_place {
    elelem_str id;
    uint64_t name; /* a hash of the id; 0 if there is none */
    uint32_t key;
} els_responses_place;

static elelem_str els_responses_text_at(const elelem_shape_context *c, unsigned slot)
{
    return els_text_of(els_field(c, slot));
}

static uint64_t els_responses_name(elelem_str id)
{
    return id.size > 0 ? els_hash(id) | 1 : 0;
}

/* The id of the output item at work, which is of the last frame's list, or the frame's own; else the one that the
   frame names. */
static elelem_str els_responses_id(const elelem_shape_context *c)
{
    elelem_str id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);

    if (id.size > 0 || elelem_value_type(c->cursor[0]) != ELELEM_TYPE_NONE) return id;
    return els_responses_text_at(c, ELS_RESPONSES_ITEM_ID);
}

/* Reads the place of the frame or of the listed item at work. */
static void els_responses_find_place(elelem_shape_context *c)
{
    uint64_t name = els_responses_name(els_responses_id(c));
    int is_listed = elelem_value_type(c->cursor[0]) != ELELEM_TYPE_NONE;

    c->notes[ELS_RESPONSES_PLACE_KEY] =
        is_listed ? (uint32_t)elelem_value_index(c->cursor[0])
                  : els_wire_number_or(els_field(c, ELS_RESPONSES_OUTPUT_INDEX), ELS_RESPONSES_NO_KEY);
    c->notes[ELS_RESPONSES_PLACE_NAME] = (uint32_t)name;
    c->notes[ELS_RESPONSES_PLACE_NAME + 1] = (uint32_t)(name >> 32);
}

static els_responses_place els_responses_place_of(const elelem_shape_context *c)
{
    els_responses_place place;

    place.id = els_responses_id(c);
    place.name = (uint64_t)c->notes[ELS_RESPONSES_PLACE_NAME + 1] << 32 | c->notes[ELS_RESPONSES_PLACE_NAME];
    place.key = c->notes[ELS_RESPONSES_PLACE_KEY];
    return place;
}

/* Nonzero if the frame is about an output item that it holds. */
static int els_responses_has_entry(const elelem_shape_context *c)
{
    return elelem_value_type(c->cursor[0]) != ELELEM_TYPE_NONE ||
           elelem_value_type(els_field(c, ELS_RESPONSES_ITEM_MEMBER)) != ELELEM_TYPE_NONE;
}

/* Items. */

static elelem_part_kind els_responses_kind(const elelem_shape_context *c, els_responses_text what)
{
    switch (what) {
    case ELS_RESPONSES_TEXT: return elelem_shape_message_kind(c);
    case ELS_RESPONSES_REFUSAL: return ELELEM_PART_MESSAGE;
    case ELS_RESPONSES_SUMMARY:
    case ELS_RESPONSES_RAW: return ELELEM_PART_REASONING;
    default: return ELELEM_PART_TOOL_CALL;
    }
}

/* Nonzero where the item may have such text. A message that said nothing yet can become a refusal. */
static int els_responses_is(const els_item *item, els_responses_text what)
{
    int is_message = item->kind == ELELEM_PART_MESSAGE || item->kind == ELELEM_PART_STRUCTURED;

    if (item->waits) return 0;
    switch (what) {
    case ELS_RESPONSES_TEXT: return is_message && !(item->marks & ELS_RESPONSES_IS_REFUSAL);
    case ELS_RESPONSES_REFUSAL: return is_message && ((item->marks & ELS_RESPONSES_IS_REFUSAL) || !item->had_part);
    case ELS_RESPONSES_SUMMARY:
    case ELS_RESPONSES_RAW: return item->kind == ELELEM_PART_REASONING;
    default: return item->kind == ELELEM_PART_TOOL_CALL;
    }
}

/* A message's entry is about its text and its refusals. */
static int els_responses_fits(const els_item *item, els_responses_text what)
{
    return els_responses_is(item, what) || (what == ELS_RESPONSES_TEXT && els_responses_is(item, ELS_RESPONSES_REFUSAL));
}

/* The open item at a place; without a number the one of that id, else the newest of its kind. An item that was
   added without a number and has no text yet may be the one of any number. */
static els_item *els_responses_find(const elelem_shape_context *c, els_responses_text what,
                                    const els_responses_place *place)
{
    els_item *newest = NULL, *named = NULL;
    uint32_t i;

    for (i = c->els_item_count; i > 0; i--) {
        els_item *item = &els_items(c)[i - 1];
        if (!els_responses_is(item, what)) continue;
        if (place->key != ELS_RESPONSES_NO_KEY) {
            if (item->key == place->key) return item;
            if (item->key != ELS_RESPONSES_NO_KEY) continue;
        }
        if (!newest && !(place->key != ELS_RESPONSES_NO_KEY && (item->marks & ELS_RESPONSES_HAD_TEXT))) newest = item;
        if (!named && place->name && item->wire_hash == place->name) named = item;
    }
    return named ? named : newest;
}

static els_item *els_responses_open(elelem_shape_context *c, els_responses_text what, const els_responses_place *place)
{
    uint32_t index = elelem_shape_item_open(c, 0, els_responses_kind(c, what), place->key);
    els_item *item = els_item_at(c, index);

    if (!item) return NULL;
    item->wire_hash = place->name;
    if (what == ELS_RESPONSES_REFUSAL) item->marks |= ELS_RESPONSES_IS_REFUSAL;
    if (what == ELS_RESPONSES_INPUT) item->marks |= ELS_RESPONSES_IS_CUSTOM;
    return item;
}

/* The phase that the item of the frame tells itself. */
static elelem_str els_responses_phase(const elelem_shape_context *c)
{
    return els_responses_text_at(c, ELS_RESPONSES_ENTRY_PHASE);
}

static void els_responses_true(elelem_shape_context *c, const char *key)
{
    elelem_shape_metadata_json(c, elelem_str_of(key), elelem_str_of("true"));
}

/* Indices count up in the order of first parts: an item that was added before others but told after
   them takes a new one. */
static void els_responses_number(elelem_shape_context *c, els_item *item)
{
    if (item->had_part) return;
    if (item->index + 1 < c->memory[ELS_RESPONSES_BEGUN] && c->els_next_index != ELELEM_NO_INDEX) {
        if (c->position == item->index) c->position = c->els_next_index;
        item->index = c->els_next_index++;
    }
    c->memory[ELS_RESPONSES_BEGUN] = item->index + 1;
}

/* Metadata of the first part. The phase was kept when the item was added. */
static void els_responses_introduce(elelem_shape_context *c, els_item *item, const els_responses_place *place)
{
    els_responses_number(c, item);
    if (item->marks & ELS_RESPONSES_INTRODUCED) return;
    item->marks |= ELS_RESPONSES_INTRODUCED;
    if (place->id.size > 0) {
        item->wire_hash = place->name;
        item->marks |= ELS_RESPONSES_HAD_ID;
        elelem_shape_metadata_text(c, "item_id", place->id);
    }
    if (els_responses_phase(c).size == 0) els_metadata_kept(c, item->index, "phase");
    if (item->marks & ELS_RESPONSES_IS_CUSTOM) els_responses_true(c, "custom");
}

/* Where a call comes from, for programs of the model that call tools. */
static void els_responses_caller(elelem_shape_context *c, els_item *item)
{
    elelem_value name_space = els_field(c, ELS_RESPONSES_ENTRY_NAMESPACE);
    elelem_value caller = els_field(c, ELS_RESPONSES_ENTRY_CALLER);

    if (!els_responses_has_entry(c) || (item->marks & ELS_RESPONSES_HAD_CALLER)) return;
    item->marks |= ELS_RESPONSES_HAD_CALLER;
    if (els_is_value(name_space)) elelem_shape_metadata_value(c, "namespace", name_space);
    if (els_is_value(caller)) elelem_shape_metadata_value(c, "caller", caller);
}

/* Tells of a call what is known: at first in any case, later what is new. */
static void els_responses_start(elelem_shape_context *c, els_item *item, const els_responses_place *place)
{
    if (!(item->marks & ELS_RESPONSES_INTRODUCED)) {
        els_responses_introduce(c, item, place);
        els_responses_caller(c, item);
    }
    elelem_shape_tool_start(c, item->index, els_responses_text_at(c, ELS_RESPONSES_ENTRY_CALL_ID),
                            els_responses_text_at(c, ELS_RESPONSES_ENTRY_NAME));
}

/* The item of a delta, which is opened where nothing announced it. */
static els_item *els_responses_item_of(elelem_shape_context *c, els_responses_text what,
                                       const els_responses_place *place)
{
    els_item *item = els_responses_find(c, what, place);

    if (item && item->key == ELS_RESPONSES_NO_KEY) item->key = place->key;
    if (item) return item;
    item = els_responses_open(c, what, place);
    if (item && item->kind == ELELEM_PART_TOOL_CALL) els_responses_start(c, item, place);
    return item;
}

/* Texts. Of an item is known how much of its newest part was told, and a hash of that: enough to
   tell the rest when the wire repeats it whole, and to say nothing where it is not the same text. */

static void els_responses_told(els_item *item, uint32_t part, elelem_str text)
{
    if (!(item->marks & ELS_RESPONSES_HAD_TEXT) || part > item->told_part) {
        item->marks |= ELS_RESPONSES_HAD_TEXT;
        item->told_part = part;
        item->told_size = 0;
        item->told_hash = ELS_HASH_START;
    }
    if (part != item->told_part) return;
    item->told_size += text.size;
    item->told_hash = els_hash_more(item->told_hash, text);
}

/* What of a whole part is not told yet. A part is over when a later one had text. */
static elelem_str els_responses_rest(const els_item *item, uint32_t part, elelem_str whole)
{
    elelem_str none = els_str(NULL, 0);

    if (!(item->marks & ELS_RESPONSES_HAD_TEXT) || part > item->told_part) return whole;
    if (part < item->told_part || whole.size <= item->told_size) return none;
    if (els_hash(els_str(whole.data, (size_t)item->told_size)) != item->told_hash) return none;
    return els_str(whole.data + item->told_size, whole.size - (size_t)item->told_size);
}

/* A piece of a JSON string: the quotes that open and close it, and what stands between. */
static void els_responses_quote(elelem_shape_context *c, els_item *item, elelem_str text, int is_last)
{
    elelem_writer writer;
    size_t offset = els_scratch_begin(c, &writer);

    elelem_writer_string_begin(&writer);
    elelem_writer_string_piece(&writer, text);
    if (is_last) elelem_writer_string_end(&writer);
    if (!els_scratch_end(c, &writer)) return;
    if (item->marks & ELS_RESPONSES_IS_QUOTED) offset++;
    item->marks |= ELS_RESPONSES_IS_QUOTED;
    els_emit_written(c, item->index, offset);
}

/* Summaries are paragraphs. */
static int els_responses_needs_gap(const els_item *item, uint32_t part)
{
    return item->kind == ELELEM_PART_REASONING && (item->marks & ELS_RESPONSES_HAD_TEXT) && part > item->told_part &&
           !(item->told_part & ELS_RESPONSES_RAW_PART);
}

static void els_responses_say(elelem_shape_context *c, els_item *item, els_responses_text what, uint32_t part,
                              elelem_str text, const els_responses_place *place)
{
    int is_first_raw = what == ELS_RESPONSES_RAW && !(item->marks & ELS_RESPONSES_IS_RAW);

    if (text.size == 0) return;
    if (els_responses_needs_gap(item, part)) elelem_shape_text(c, item->index, elelem_str_of("\n\n"));
    els_responses_told(item, part, text);
    if (what == ELS_RESPONSES_REFUSAL) {
        item->kind = ELELEM_PART_MESSAGE;
        item->marks |= ELS_RESPONSES_IS_REFUSAL;
        els_responses_true(c, "refusal");
        elelem_shape_choice_mark(c, 0, ELS_RESPONSES_REFUSED);
    }
    els_responses_introduce(c, item, place);
    if (is_first_raw) {
        item->marks |= ELS_RESPONSES_IS_RAW;
        els_responses_true(c, "raw");
    }
    elelem_shape_text(c, item->index, text);
}

static void els_responses_argue(elelem_shape_context *c, els_item *item, elelem_str text)
{
    if (text.size == 0) return;
    els_responses_told(item, 0, text);
    if (item->marks & ELS_RESPONSES_IS_CUSTOM)
        els_responses_quote(c, item, text, 0);
    else
        elelem_shape_tool_arguments(c, item->index, text);
}

static void els_responses_tell(elelem_shape_context *c, els_item *item, els_responses_text what, uint32_t part,
                               elelem_str text, const els_responses_place *place)
{
    if (item->kind == ELELEM_PART_TOOL_CALL)
        els_responses_argue(c, item, text);
    else
        els_responses_say(c, item, what, part, text, place);
}

/* The number of a part of the item; that of its newest part if the frame has none. */
static uint32_t els_responses_part_number(const elelem_shape_context *c, els_responses_text what, const els_item *item)
{
    uint32_t is_raw = what == ELS_RESPONSES_RAW ? ELS_RESPONSES_RAW_PART : 0;
    uint32_t newest = 0;

    if (item->marks & ELS_RESPONSES_HAD_TEXT && (item->told_part & ELS_RESPONSES_RAW_PART) == is_raw)
        newest = item->told_part & ~ELS_RESPONSES_RAW_PART;
    return is_raw | els_wire_number_or(els_field(c, els_responses_members[what].number), newest);
}

/* Frames about a text. */

/* Nonzero where a text of this kind is of a call that the provider runs itself. */
static int els_responses_is_skipped(const elelem_shape_context *c, els_responses_text what)
{
    return what == ELS_RESPONSES_INPUT && elelem_shape_choice_is_marked(c, 0, ELS_RESPONSES_OWN_CUSTOM);
}

/* What comes shows that the model ended what waits. 0 where nothing does. */
static int els_responses_release(elelem_shape_context *c)
{
    uint32_t i;

    for (i = 0; i < c->els_item_count; i++) {
        els_item *item = &els_items(c)[i];
        if (!item->waits) continue;
        if (item->marks & ELS_RESPONSES_IS_CUSTOM) els_responses_quote(c, item, els_str(NULL, 0), 1);
        elelem_shape_flush(c, item->index);
        return 1;
    }
    return 0;
}

static elelem_status els_responses_delta(elelem_shape_context *c, unsigned which)
{
    els_responses_text what = (els_responses_text)which;
    elelem_str text = els_responses_text_at(c, ELS_RESPONSES_PIECE);
    els_responses_place place = els_responses_place_of(c);
    els_item *item;

    if (els_responses_is_skipped(c, what)) return ELELEM_MORE;
    if (text.size > 0 && els_responses_release(c)) return ELELEM_OK;
    item = text.size > 0 ? els_responses_item_of(c, what, &place) : NULL;
    if (item) els_responses_tell(c, item, what, els_responses_part_number(c, what, item), text, &place);
    return ELELEM_MORE;
}

/* A text that is whole. It opens no item: one that nothing announced comes whole once more when
   it is done. */
static elelem_status els_responses_whole(elelem_shape_context *c, els_responses_text what, elelem_value holder)
{
    elelem_str text = els_member_text(holder, els_responses_members[what].whole);
    els_responses_place place = els_responses_place_of(c);
    els_item *item = els_responses_find(c, what, &place);
    uint32_t part = item ? els_responses_part_number(c, what, item) : 0;

    if (item) els_responses_tell(c, item, what, part, els_responses_rest(item, part, text), &place);
    return ELELEM_MORE;
}

static elelem_status els_responses_text_done(elelem_shape_context *c, unsigned which)
{
    els_responses_text what = (els_responses_text)which;

    return els_responses_is_skipped(c, what) ? ELELEM_MORE : els_responses_whole(c, what, elelem_shape_document(c));
}

static elelem_status els_responses_part(elelem_shape_context *c, unsigned which)
{
    elelem_value part = els_field(c, ELS_RESPONSES_PART_MEMBER);
    elelem_str type = els_member_text(part, "type");

    (void)which;
    if (elelem_str_is(type, "output_text")) return els_responses_whole(c, ELS_RESPONSES_TEXT, part);
    if (elelem_str_is(type, "refusal")) return els_responses_whole(c, ELS_RESPONSES_REFUSAL, part);
    if (elelem_str_is(type, "reasoning_text")) return els_responses_whole(c, ELS_RESPONSES_RAW, part);
    if (elelem_str_is(type, "summary_text")) return els_responses_whole(c, ELS_RESPONSES_SUMMARY, part);
    return ELELEM_MORE;
}

static elelem_status els_responses_annotation(elelem_shape_context *c, unsigned which)
{
    elelem_value annotation = els_field(c, ELS_RESPONSES_ANNOTATION);
    els_responses_place place = els_responses_place_of(c);
    els_item *item;
    elelem_writer writer;
    size_t offset;

    (void)which;
    item = els_is_value(annotation) ? els_responses_item_of(c, ELS_RESPONSES_TEXT, &place) : NULL;
    if (!item) return ELELEM_MORE;
    els_responses_introduce(c, item, &place);
    offset = els_scratch_begin(c, &writer);
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_value(&writer, annotation);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    if (els_scratch_end(c, &writer)) els_metadata_add(c, elelem_str_of("annotations"), offset);
    item->told_list++;
    elelem_shape_text(c, item->index, els_str(NULL, 0));
    return ELELEM_MORE;
}

/* Frames about an item: it is added, it is done, or it stands in the last frame's list. An item is
   worked on in stages: begin it, tell its parts, close it. */

typedef enum els_responses_verb { ELS_RESPONSES_ADDED, ELS_RESPONSES_DONE, ELS_RESPONSES_LISTED } els_responses_verb;

enum { ELS_RESPONSES_BEGIN, ELS_RESPONSES_PARTS, ELS_RESPONSES_CLOSE, ELS_RESPONSES_CLOSE_REST, ELS_RESPONSES_END };

/* The calls that xAI's x_search makes are custom tool calls in form, and run by the time they are told. Nobody
   else's can be among them where the request, whose tools the first frames repeat, has no custom tool. */
static elelem_status els_responses_created(elelem_shape_context *c, unsigned which)
{
    elelem_value tool = elelem_value_first(els_field(c, ELS_RESPONSES_TOOLS));
    int searches = 0, customs = 0;

    (void)which;
    for (; elelem_value_type(tool) != ELELEM_TYPE_NONE; tool = elelem_value_next(tool)) {
        searches |= elelem_str_is(els_member_text(tool, "type"), "x_search");
        customs |= elelem_str_is(els_member_text(tool, "type"), "custom");
    }
    if (searches && !customs) elelem_shape_choice_mark(c, 0, ELS_RESPONSES_OWN_CUSTOM);
    return ELELEM_MORE;
}

static els_responses_text els_responses_what(const elelem_shape_context *c)
{
    elelem_str type = els_responses_text_at(c, ELS_RESPONSES_ENTRY_TYPE);

    if (elelem_str_is(type, "message")) return ELS_RESPONSES_TEXT;
    if (elelem_str_is(type, "reasoning")) return ELS_RESPONSES_SUMMARY;
    if (elelem_str_is(type, "function_call")) return ELS_RESPONSES_ARGUMENTS;
    if (elelem_str_is(type, "custom_tool_call")) return ELS_RESPONSES_INPUT;
    return ELS_RESPONSES_NONE;
}

/* A name for what must not be emitted twice. */
static uint32_t els_responses_entry_name(const elelem_shape_context *c)
{
    elelem_str id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_CALL_ID);

    return (uint32_t)els_responses_name(id.size > 0 ? id : els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID));
}

static uint32_t els_responses_entry_contents(const elelem_shape_context *c)
{
    uint64_t hash = els_hash(els_responses_text_at(c, ELS_RESPONSES_ENTRY_SEALED));

    hash = els_hash_more(hash, els_responses_text_at(c, ELS_RESPONSES_ENTRY_ARGUMENTS));
    return (uint32_t)els_hash_more(hash, els_responses_text_at(c, ELS_RESPONSES_ENTRY_INPUT));
}

/* Nonzero if the entry repeats one that was closed. Two items can share an id by the provider's mistake (xAI): then their
   numbers differ, or without numbers their contents. */
static int els_responses_was_closed(const elelem_shape_context *c)
{
    uint32_t name = els_responses_entry_name(c), contents = els_responses_entry_contents(c);
    uint32_t key = c->notes[ELS_RESPONSES_PLACE_KEY];
    unsigned i;

    for (i = 0; i < ELS_RESPONSES_CLOSED; i++) {
        uint32_t closed = c->memory[ELS_RESPONSES_CLOSED_KEYS + i];
        int has_keys = key != ELS_RESPONSES_NO_KEY && closed != ELS_RESPONSES_NO_KEY;
        if (!name || c->memory[ELS_RESPONSES_CLOSED_NAMES + i] != name) continue;
        if (has_keys ? key == closed : contents == c->memory[ELS_RESPONSES_CLOSED_CONTENTS + i]) return 1;
    }
    return 0;
}

static void els_responses_remember_closed(elelem_shape_context *c)
{
    uint32_t *next = &c->memory[ELS_RESPONSES_CLOSED_NEXT];

    c->memory[ELS_RESPONSES_CLOSED_NAMES + *next] = els_responses_entry_name(c);
    c->memory[ELS_RESPONSES_CLOSED_KEYS + *next] = c->notes[ELS_RESPONSES_PLACE_KEY];
    c->memory[ELS_RESPONSES_CLOSED_CONTENTS + *next] = els_responses_entry_contents(c);
    *next = (*next + 1) % ELS_RESPONSES_CLOSED;
}

/* Kinds of which something was told, as bits. */
static uint32_t els_responses_streamed(const elelem_shape_context *c)
{
    uint32_t kinds = 0;

    if (elelem_shape_choice_had(c, 0, ELELEM_PART_MESSAGE) || elelem_shape_choice_had(c, 0, ELELEM_PART_STRUCTURED))
        kinds |= 1u << ELS_RESPONSES_TEXT;
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_REASONING)) kinds |= 1u << ELS_RESPONSES_SUMMARY;
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL))
        kinds |= 1u << ELS_RESPONSES_ARGUMENTS | 1u << ELS_RESPONSES_INPUT;
    return kinds;
}

/* Whether an item may be opened that is not open. The last frame's list tells again what was streamed:
   of a kind that was, nothing more is taken from it. */
static int els_responses_may_open(const elelem_shape_context *c, els_responses_verb verb, els_responses_text what)
{
    if (verb == ELS_RESPONSES_ADDED) return 1;
    if (verb == ELS_RESPONSES_LISTED && (c->memory[ELS_RESPONSES_STREAMED] >> what & 1)) return 0;
    return !els_responses_was_closed(c);
}

/* An item that is added under the number of an open one ends that, unless it is the same. */
static els_item *els_responses_in_the_way(const elelem_shape_context *c, els_responses_text what,
                                          const els_responses_place *place)
{
    uint32_t i;

    for (i = 0; i < c->els_item_count; i++) {
        els_item *item = &els_items(c)[i];
        if (item->key != place->key || item->key == ELS_RESPONSES_NO_KEY || item->waits) continue;
        if (!els_responses_fits(item, what)) return item;
        if (place->name && item->wire_hash && item->wire_hash != place->name) return item;
    }
    return NULL;
}

/* The open item that the entry is about; null where it is a new one. */
static els_item *els_responses_known(const elelem_shape_context *c, els_responses_verb verb, els_responses_text what,
                                     const els_responses_place *place)
{
    els_item *item = els_responses_find(c, what, place);
    els_item *refusal = what == ELS_RESPONSES_TEXT ? els_responses_find(c, ELS_RESPONSES_REFUSAL, place) : NULL;
    int is_sure = place->key != ELS_RESPONSES_NO_KEY;

    if (refusal && (!item || (item->wire_hash != place->name && refusal->wire_hash == place->name))) item = refusal;
    if (item && item->key == ELS_RESPONSES_NO_KEY) is_sure = 0;
    if (item && verb == ELS_RESPONSES_ADDED && !is_sure && item->wire_hash != place->name) return NULL;
    return item;
}

/* Of reasoning that has a summary and raw text, that is told which was streamed, else the raw text:
   they can be the same. */
static elelem_value els_responses_first_part(const elelem_shape_context *c, const els_item *item)
{
    elelem_value summary = elelem_value_first(els_field(c, ELS_RESPONSES_ENTRY_SUMMARY));
    elelem_value content = elelem_value_first(els_field(c, ELS_RESPONSES_ENTRY_CONTENT));
    int is_summary = item->marks & ELS_RESPONSES_HAD_TEXT ? !(item->told_part & ELS_RESPONSES_RAW_PART)
                                                          : elelem_value_type(content) == ELELEM_TYPE_NONE;

    return item->kind == ELELEM_PART_REASONING && is_summary ? summary : content;
}

/* A message is told with its first text, for a refusal is another kind of item; reasoning at once,
   for it may have no text at all. */
static elelem_status els_responses_begin(elelem_shape_context *c, els_responses_verb verb, els_responses_text what,
                                         const els_responses_place *place)
{
    els_item *item = verb == ELS_RESPONSES_ADDED ? els_responses_in_the_way(c, what, place) : NULL;

    if (item) {
        elelem_shape_flush(c, item->index);
        return ELELEM_OK;
    }
    item = els_responses_known(c, verb, what, place);
    if (!item && els_responses_may_open(c, verb, what)) item = els_responses_open(c, what, place);
    if (!item) return ELELEM_MORE;
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_start(c, item, place);
    } else if (item->kind == ELELEM_PART_REASONING) {
        els_responses_introduce(c, item, place);
        elelem_shape_text(c, item->index, els_str(NULL, 0));
    } else if (!item->kept_first && !(item->marks & ELS_RESPONSES_INTRODUCED)) {
        els_keep(c, item->index, els_responses_phase(c));
    }
    c->position = item->index;
    c->cursor[1] = els_responses_first_part(c, item);
    c->stage = ELS_RESPONSES_PARTS;
    return ELELEM_OK;
}

/* The whole text of the item, of which the rest is told. A message can hold text and refusals, which
   are items of their own. */
static void els_responses_part_of_entry(elelem_shape_context *c, els_responses_text what,
                                        const els_responses_place *place)
{
    elelem_value value = c->cursor[1];
    uint32_t part = (uint32_t)elelem_value_index(value);
    elelem_str text;
    els_item *item;

    if (what == ELS_RESPONSES_TEXT && elelem_str_is(els_member_text(value, "type"), "refusal"))
        what = ELS_RESPONSES_REFUSAL;
    if (what == ELS_RESPONSES_SUMMARY && elelem_str_is(elelem_value_key(elelem_value_parent(value)), "content")) {
        what = ELS_RESPONSES_RAW;
        part |= ELS_RESPONSES_RAW_PART;
    }
    text = els_member_text(value, els_responses_members[what].whole);
    item = text.size > 0 ? els_responses_item_of(c, what, place) : NULL;
    if (item) els_responses_say(c, item, what, part, els_responses_rest(item, part, text), place);
}

/* The arguments of a call, as text, or as the value itself where a server does not write it down. */
static void els_responses_call_of_entry(elelem_shape_context *c, els_responses_text what)
{
    els_item *item = els_item_at(c, c->position);
    elelem_value value = els_field(c, els_responses_members[what].entry);

    if (!item) return;
    if (elelem_value_type(value) == ELELEM_TYPE_STRING)
        els_responses_argue(c, item, els_responses_rest(item, 0, elelem_value_text(value)));
    else if (els_is_value(value) && what == ELS_RESPONSES_ARGUMENTS && !(item->marks & ELS_RESPONSES_HAD_TEXT)) {
        item->marks |= ELS_RESPONSES_HAD_TEXT;
        elelem_shape_tool_arguments_value(c, item->index, value);
    }
}

static elelem_status els_responses_parts(elelem_shape_context *c, els_responses_verb verb, els_responses_text what,
                                         const els_responses_place *place)
{
    if (what == ELS_RESPONSES_ARGUMENTS || what == ELS_RESPONSES_INPUT) {
        els_responses_call_of_entry(c, what);
    } else if (elelem_value_type(c->cursor[1]) != ELELEM_TYPE_NONE) {
        els_responses_part_of_entry(c, what, place);
        c->cursor[1] = elelem_value_next(c->cursor[1]);
        return ELELEM_OK;
    }
    c->stage = ELS_RESPONSES_CLOSE;
    return verb == ELS_RESPONSES_ADDED ? ELELEM_MORE : ELELEM_OK;
}

/* Annotations of a whole message that no frame of their own told. */
static void els_responses_annotations(elelem_shape_context *c, els_item *item)
{
    elelem_value part, note;
    elelem_writer writer;
    size_t offset = els_scratch_begin(c, &writer);
    uint32_t count = 0, told = item->told_list;

    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    for (part = elelem_value_first(els_field(c, ELS_RESPONSES_ENTRY_CONTENT)); elelem_value_type(part) != ELELEM_TYPE_NONE;
         part = elelem_value_next(part))
        for (note = elelem_value_first(elelem_value_get(part, "annotations"));
             elelem_value_type(note) != ELELEM_TYPE_NONE; note = elelem_value_next(note))
            if (count++ >= told) elelem_writer_value(&writer, note);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    if (count <= told || !els_scratch_end(c, &writer)) return;
    item->told_list = count;
    els_metadata_add(c, elelem_str_of("annotations"), offset);
}

/* The place of the output item at work by its own id alone, not by one that the frame names. */
static els_responses_place els_responses_entry_place(const elelem_shape_context *c)
{
    els_responses_place place = els_responses_place_of(c);
    elelem_str id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);

    if (id.size == 0) place.name = 0;
    place.id = id;
    return place;
}

/* What the end of an item tells, and what its first part did not. The encrypted content of an item
   that is only added is another, and of no use. */
static void els_responses_last_metadata(elelem_shape_context *c, els_item *item)
{
    els_responses_place place = els_responses_entry_place(c);
    elelem_str phase = els_responses_phase(c);
    elelem_str sealed = els_responses_text_at(c, ELS_RESPONSES_ENTRY_SEALED);

    if (!(item->marks & ELS_RESPONSES_INTRODUCED)) els_responses_introduce(c, item, &place);
    else if (place.id.size > 0 && (!(item->marks & ELS_RESPONSES_HAD_ID) || item->wire_hash != place.name))
        elelem_shape_metadata_text(c, "item_id", place.id);
    if (item->kind == ELELEM_PART_REASONING) {
        if (sealed.size > 0) elelem_shape_metadata_text(c, "encrypted_content", sealed);
    } else if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_caller(c, item);
    } else {
        if (phase.size > 0) elelem_shape_metadata_text(c, "phase", phase);
        if (!(item->marks & ELS_RESPONSES_IS_REFUSAL)) els_responses_annotations(c, item);
    }
}

/* Flushes an item that is done, or has it wait. The string of an input has no end of its own: it is closed if the
   status says so, and stays open if that says otherwise; without a word, what comes next decides. */
static void els_responses_flush(elelem_shape_context *c, els_item *item)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_ENTRY_STATUS);
    int is_incomplete = elelem_str_is(status, "incomplete");

    if (!(item->marks & ELS_RESPONSES_IS_CUSTOM)) {
        if (is_incomplete) elelem_shape_flush_as(c, item->index, ELELEM_SHAPE_INCOMPLETE);
        else elelem_shape_item_close(c, item->index);
    } else if (is_incomplete) {
        elelem_shape_flush_as(c, item->index, ELELEM_SHAPE_STOPPED);
    } else if (elelem_str_is(status, "completed")) {
        elelem_shape_flush(c, item->index);
    } else {
        elelem_shape_item_wait(c, item->index);
    }
}

/* Closes an item. Its last metadata goes on the flush, or on a part without text where there was none. */
static void els_responses_close(elelem_shape_context *c, els_item *item)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_ENTRY_STATUS);

    if (item->kind == ELELEM_PART_TOOL_CALL && !item->has_id)
        elelem_shape_tool_start(c, item->index, els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID), els_str(NULL, 0));
    if ((item->marks & ELS_RESPONSES_IS_CUSTOM) && elelem_str_is(status, "completed"))
        els_responses_quote(c, item, els_str(NULL, 0), 1);
    els_responses_last_metadata(c, item);
    if (!item->had_part) {
        els_responses_number(c, item);
        if (item->kind == ELELEM_PART_STRUCTURED) item->kind = ELELEM_PART_MESSAGE;
        elelem_shape_text(c, item->index, els_str(NULL, 0));
    }
    els_responses_flush(c, item);
}

/* A message's text or refusal, beside the item that was closed. */
static els_item *els_responses_beside(const elelem_shape_context *c, const els_responses_place *place)
{
    int has_key = place->key != ELS_RESPONSES_NO_KEY;
    uint32_t i;

    for (i = 0; i < c->els_item_count; i++) {
        els_item *item = &els_items(c)[i];
        if (!els_responses_fits(item, ELS_RESPONSES_TEXT)) continue;
        if (has_key ? item->key == place->key : place->name && item->wire_hash == place->name) return item;
    }
    return NULL;
}

static elelem_status els_responses_item(elelem_shape_context *c, els_responses_verb verb)
{
    els_responses_text what = els_responses_what(c);
    els_responses_place place = els_responses_place_of(c);
    els_item *item;

    if (verb == ELS_RESPONSES_ADDED && c->stage == ELS_RESPONSES_BEGIN && els_responses_release(c)) return ELELEM_OK;
    if (what == ELS_RESPONSES_NONE || els_responses_is_skipped(c, what)) return ELELEM_MORE;
    switch (c->stage) {
    case ELS_RESPONSES_BEGIN: return els_responses_begin(c, verb, what, &place);
    case ELS_RESPONSES_PARTS: return els_responses_parts(c, verb, what, &place);
    case ELS_RESPONSES_CLOSE:
        item = els_item_at(c, c->position);
        if (item) els_responses_close(c, item);
        c->stage = ELS_RESPONSES_CLOSE_REST;
        return ELELEM_OK;
    default:
        item = what == ELS_RESPONSES_TEXT ? els_responses_beside(c, &place) : NULL;
        if (item) els_responses_close(c, item);
        if (item) return ELELEM_OK;
        els_responses_remember_closed(c);
        return ELELEM_MORE;
    }
}

static elelem_status els_responses_item_added(elelem_shape_context *c, unsigned which)
{
    (void)which;
    return els_responses_item(c, ELS_RESPONSES_ADDED);
}

static elelem_status els_responses_item_done(elelem_shape_context *c, unsigned which)
{
    (void)which;
    return els_responses_item(c, ELS_RESPONSES_DONE);
}

/* The end. */

/* Beside an error of its own, a frame that is one can be flat: its type says only that. */
static elelem_status els_responses_error(elelem_shape_context *c, unsigned which)
{
    (void)which;
    if (!elelem_shape_document_error(c) && !c->els_ended) els_end_with_document(c, elelem_shape_document(c));
    return ELELEM_MORE;
}

static elelem_status els_responses_failed(elelem_shape_context *c, unsigned which)
{
    elelem_value response = els_field(c, ELS_RESPONSES_RESPONSE);

    (void)which;
    if (elelem_shape_document_error(c) || c->els_ended) return ELELEM_MORE;
    if (els_is_error_document(response))
        els_end_with_document(c, response);
    else
        elelem_shape_error(c, ELELEM_ERROR_KIND_TRANSIENT, elelem_str_of("failed"),
                           "the provider stopped the answer with an error");
    return ELELEM_MORE;
}

static void els_responses_usage(elelem_shape_context *c)
{
    elelem_value raw = els_field(c, ELS_RESPONSES_USAGE);
    elelem_usage usage;

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    usage.input = els_count_in(raw, "input_tokens");
    usage.output = els_count_in(raw, "output_tokens");
    usage.cached = els_count_in(elelem_value_get(raw, "input_tokens_details"), "cached_tokens");
    usage.reasoning = els_count_in(elelem_value_get(raw, "output_tokens_details"), "reasoning_tokens");
    elelem_shape_usage(c, usage, raw);
}

static const els_reason_word els_responses_reasons[] = {
    { "max_output_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "content_filter", ELELEM_FINISH_CONTENT_FILTER },
};

static elelem_finish_reason els_responses_completed(const elelem_shape_context *c)
{
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL)) return ELELEM_FINISH_TOOL_CALLS;
    if (elelem_shape_choice_is_marked(c, 0, ELS_RESPONSES_REFUSED)) return ELELEM_FINISH_CONTENT_FILTER;
    return ELELEM_FINISH_COMPLETED;
}

/* The status that the last frame tells, else that of its name. */
static elelem_str els_responses_status(const elelem_shape_context *c, unsigned is_incomplete)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_STATUS);

    if (status.size > 0 && !elelem_str_is(status, "in_progress")) return status;
    return elelem_str_of(is_incomplete ? "incomplete" : "completed");
}

static void els_responses_finish(elelem_shape_context *c, elelem_str status)
{
    elelem_str raw = els_member_text(els_field(c, ELS_RESPONSES_INCOMPLETE), "reason");
    elelem_finish_reason reason = ELELEM_FINISH_OTHER;

    if (elelem_str_is(status, "incomplete"))
        reason = els_reason_of(els_responses_reasons, ELS_COUNT(els_responses_reasons), raw);
    else
        raw = status;
    if (elelem_str_is(status, "completed")) reason = els_responses_completed(c);
    elelem_shape_reason(c, 0, reason, raw.size > 0 ? raw : status, 0);
    elelem_shape_finish(c);
}

/* Ends the string of a custom tool call that nothing closed; 0 where there is none. */
static int els_responses_close_string(elelem_shape_context *c)
{
    uint32_t i;

    for (i = 0; i < c->els_item_count; i++) {
        els_item *item = &els_items(c)[i];
        if (!(item->marks & ELS_RESPONSES_IS_CUSTOM)) continue;
        els_responses_quote(c, item, els_str(NULL, 0), 1);
        item->marks &= (uint8_t)~ELS_RESPONSES_IS_CUSTOM;
        return 1;
    }
    return 0;
}

/* Ends what nothing closed, or what waits, as the response ended: one event. 0 where nothing is left. */
static int els_responses_end_one(elelem_shape_context *c, elelem_str status)
{
    int is_completed = elelem_str_is(status, "completed");

    if (is_completed && els_responses_close_string(c)) return 1;
    if (c->els_item_count == 0) return 0;
    elelem_shape_flush_as(c, els_item_to_flush(c)->index, is_completed ? ELELEM_SHAPE_ENDED : ELELEM_SHAPE_STOPPED);
    return 1;
}

/* Goes on to the next item of the last frame's list. */
static void els_responses_next_listed(elelem_shape_context *c, elelem_value next)
{
    c->cursor[0] = next;
    c->stage = elelem_value_type(next) == ELELEM_TYPE_NONE ? ELS_RESPONSES_END : ELS_RESPONSES_BEGIN;
    els_fields_find(c, next, ELS_RESPONSES_LISTED_ROWS, ELS_RESPONSES_ENTRY);
    els_responses_find_place(c);
}

static elelem_status els_responses_last(elelem_shape_context *c, unsigned is_incomplete)
{
    elelem_str status = els_responses_status(c, is_incomplete);

    if (elelem_str_is(status, "failed")) return els_responses_failed(c, 0);
    if (c->stage == ELS_RESPONSES_END) {
        if (els_responses_end_one(c, status)) return ELELEM_OK;
        els_responses_finish(c, status);
        return ELELEM_MORE;
    }
    if (elelem_value_type(c->cursor[0]) == ELELEM_TYPE_NONE) {
        els_responses_usage(c);
        c->memory[ELS_RESPONSES_STREAMED] = els_responses_streamed(c);
        els_responses_next_listed(c, elelem_value_first(els_field(c, ELS_RESPONSES_OUTPUT)));
        return ELELEM_OK;
    }
    if (els_responses_item(c, ELS_RESPONSES_LISTED) == ELELEM_MORE)
        els_responses_next_listed(c, elelem_value_next(c->cursor[0]));
    return ELELEM_OK;
}

/* Frames by type; all others are only signs of life. */

typedef struct els_responses_event {
    const char *type;
    elelem_status (*work)(elelem_shape_context *c, unsigned which);
    uint8_t which;
} els_responses_event;

static const els_responses_event els_responses_events[] = {
    { "response.output_text.delta", els_responses_delta, ELS_RESPONSES_TEXT },
    { "response.function_call_arguments.delta", els_responses_delta, ELS_RESPONSES_ARGUMENTS },
    { "response.reasoning_summary_text.delta", els_responses_delta, ELS_RESPONSES_SUMMARY },
    { "response.reasoning_text.delta", els_responses_delta, ELS_RESPONSES_RAW },
    { "response.refusal.delta", els_responses_delta, ELS_RESPONSES_REFUSAL },
    { "response.custom_tool_call_input.delta", els_responses_delta, ELS_RESPONSES_INPUT },
    { "response.output_item.added", els_responses_item_added, 0 },
    { "response.output_item.done", els_responses_item_done, 0 },
    { "response.output_text.done", els_responses_text_done, ELS_RESPONSES_TEXT },
    { "response.function_call_arguments.done", els_responses_text_done, ELS_RESPONSES_ARGUMENTS },
    { "response.reasoning_summary_text.done", els_responses_text_done, ELS_RESPONSES_SUMMARY },
    { "response.reasoning_text.done", els_responses_text_done, ELS_RESPONSES_RAW },
    { "response.refusal.done", els_responses_text_done, ELS_RESPONSES_REFUSAL },
    { "response.custom_tool_call_input.done", els_responses_text_done, ELS_RESPONSES_INPUT },
    { "response.content_part.added", els_responses_part, 0 },
    { "response.content_part.done", els_responses_part, 0 },
    { "response.reasoning_summary_part.added", els_responses_part, 0 },
    { "response.reasoning_summary_part.done", els_responses_part, 0 },
    { "response.output_text.annotation.added", els_responses_annotation, 0 },
    { "response.completed", els_responses_last, 0 },
    { "response.incomplete", els_responses_last, 1 },
    { "response.failed", els_responses_failed, 0 },
    { "error", els_responses_error, 0 },
    { "response.created", els_responses_created, 0 },
    { "response.in_progress", els_responses_created, 0 },
    /* names that older servers and gateways use */
    { "response.reasoning_summary.delta", els_responses_delta, ELS_RESPONSES_SUMMARY },
    { "response.reasoning_summary.done", els_responses_text_done, ELS_RESPONSES_SUMMARY },
    { "response.reasoning.delta", els_responses_delta, ELS_RESPONSES_RAW },
    { "response.reasoning.done", els_responses_text_done, ELS_RESPONSES_RAW },
    { "response.output_text_annotation.added", els_responses_annotation, 0 },
    { "response.done", els_responses_last, 0 },
    { "response.error", els_responses_error, 0 },
};

/* The number of the event of this name, counted from 1; 0 for an unknown one. */
static uint32_t els_responses_event_of(elelem_str type)
{
    uint32_t i;

    for (i = 0; i < ELS_COUNT(els_responses_events); i++)
        if (elelem_str_is(type, els_responses_events[i].type)) return i + 1;
    return 0;
}

/* Looks up what the steps for a frame need, once. The event's name counts if the type in the data is not known. */
static void els_responses_look(elelem_shape_context *c)
{
    uint32_t event;

    els_fields_find(c, elelem_shape_document(c), ELS_RESPONSES_ROOT_ROWS, ELS_RESPONSES_TYPE);
    els_fields_find(c, els_field(c, ELS_RESPONSES_ITEM_MEMBER), ELS_RESPONSES_ITEM_ROWS, ELS_RESPONSES_ENTRY);
    els_fields_find(c, els_field(c, ELS_RESPONSES_RESPONSE), ELS_RESPONSES_RESPONSE_ROWS, ELS_RESPONSES_STATUS);
    els_responses_find_place(c);
    event = els_responses_event_of(els_responses_text_at(c, ELS_RESPONSES_TYPE));
    c->notes[ELS_RESPONSES_EVENT] = event ? event : els_responses_event_of(elelem_shape_event_name(c));
}

static elelem_status els_responses_data(elelem_shape_context *c)
{
    const els_responses_event *event;

    if (!c->notes[ELS_RESPONSES_EVENT]) els_responses_look(c);
    if (!c->notes[ELS_RESPONSES_EVENT]) {
        if (els_responses_text_at(c, ELS_RESPONSES_TYPE).size == 0 && elelem_shape_event_name(c).size == 0)
            elelem_shape_document_error(c);
        return ELELEM_MORE;
    }
    event = &els_responses_events[c->notes[ELS_RESPONSES_EVENT] - 1];
    return event->work(c, event->which);
}

/* [DONE] says nothing here: it comes after the last frame, or in its stead, and then the answer is cut off. */
static elelem_status els_responses_step(elelem_shape_context *c)
{
    elelem_status status = elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA ? els_responses_data(c) : ELELEM_MORE;
    uint32_t said = els_responses_streamed(c) & ~(1u << ELS_RESPONSES_SUMMARY);

    if (status == ELELEM_MORE)
        elelem_shape_want(c, said && c->els_item_count == 0 ? ELS_RESPONSES_WITHOUT_OUTPUT
                                                            : ELS_COUNT(els_responses_paths));
    return status;
}

static elelem_status els_responses_frame(elelem_shape_context *c)
{
    elelem_status status = ELELEM_OK;

    while (status == ELELEM_OK && !elelem_shape_is_over(c))
        status = els_responses_step(c);
    return status < 0 ? status : ELELEM_OK;
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_responses_recovery[] = {
    { "input[*].encrypted_content", "encrypted_content", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ENCRYPTED },
    { "input[*].id", "item_id", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ITEM },
};

ELS_DATA const elelem_shape elelem_shape_responses = {
    "responses", els_responses_paths, ELS_COUNT(els_responses_paths), els_responses_frame, 0, 0,
    els_responses_recovery, ELS_COUNT(els_responses_recovery),
};

#endif

#endif
