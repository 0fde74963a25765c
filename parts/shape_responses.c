#ifndef ELS_SHAPE_RESPONSES_C
#define ELS_SHAPE_RESPONSES_C
#include "shape_responses.h"
#include "base.c"
#include "recovery.h"

/* >> shape_responses */

#ifndef ELELEM_NO_RESPONSES

/* What is read of an output item; N begins the names of the rows. */
#define ELS_RESPONSES_ITEM_PATHS(P, MEMBER, ELEMENTS, N, PARENT)             \
    MEMBER(P, N##TYPE, PARENT, "type", WHOLE)                                \
    MEMBER(P, N##ID, PARENT, "id", WHOLE)                                    \
    MEMBER(P, N##STATUS, PARENT, "status", WHOLE)                            \
    MEMBER(P, N##PHASE, PARENT, "phase", WHOLE)                              \
    MEMBER(P, N##CALL_ID, PARENT, "call_id", WHOLE)                          \
    MEMBER(P, N##NAME, PARENT, "name", WHOLE)                                \
    MEMBER(P, N##NAMESPACE, PARENT, "namespace", WHOLE)                      \
    MEMBER(P, N##CALLER, PARENT, "caller", WHOLE)                            \
    MEMBER(P, N##ARGUMENTS, PARENT, "arguments", WHOLE)                      \
    MEMBER(P, N##INPUT, PARENT, "input", WHOLE)                              \
    MEMBER(P, N##ENCRYPTED, PARENT, "encrypted_content", WHOLE)              \
    MEMBER(P, N##SUMMARY, PARENT, "summary", NOTHING)                        \
    MEMBER(P, N##CONTENT, PARENT, "content", NOTHING)                        \
    ELEMENTS(P, N##SUMMARY_PART, N##SUMMARY, NOTHING)                        \
    MEMBER(P, N##SUMMARY_TEXT, N##SUMMARY_PART, "text", WHOLE)               \
    ELEMENTS(P, N##CONTENT_PART, N##CONTENT, NOTHING)                        \
    MEMBER(P, N##CONTENT_TYPE, N##CONTENT_PART, "type", WHOLE)               \
    MEMBER(P, N##CONTENT_TEXT, N##CONTENT_PART, "text", WHOLE)               \
    MEMBER(P, N##CONTENT_REFUSAL, N##CONTENT_PART, "refusal", WHOLE)         \
    MEMBER(P, N##CONTENT_ANNOTATIONS, N##CONTENT_PART, "annotations", WHOLE)

/* A frame: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"..."}
   The last one repeats the whole response, of which the output is read only if some of it
   may not have been streamed: else the rows from OUTPUT_ITEM on are left off. */
#define ELS_RESPONSES_PATHS(P, MEMBER, ELEMENTS)                       \
    MEMBER(P, TYPE, ROOT, "type", WHOLE)                               \
    MEMBER(P, OUTPUT_INDEX, ROOT, "output_index", WHOLE)               \
    MEMBER(P, CONTENT_INDEX, ROOT, "content_index", WHOLE)             \
    MEMBER(P, SUMMARY_INDEX, ROOT, "summary_index", WHOLE)             \
    MEMBER(P, ITEM_ID, ROOT, "item_id", WHOLE)                         \
    MEMBER(P, DELTA, ROOT, "delta", WHOLE)                             \
    MEMBER(P, WHOLE_TEXT, ROOT, "text", WHOLE)                         \
    MEMBER(P, WHOLE_REFUSAL, ROOT, "refusal", WHOLE)                   \
    MEMBER(P, WHOLE_ARGUMENTS, ROOT, "arguments", WHOLE)               \
    MEMBER(P, WHOLE_INPUT, ROOT, "input", WHOLE)                       \
    MEMBER(P, ANNOTATION, ROOT, "annotation", WHOLE)                   \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                             \
    MEMBER(P, MESSAGE, ROOT, "message", WHOLE)                         \
    MEMBER(P, CODE, ROOT, "code", WHOLE)                               \
    MEMBER(P, OBJECT, ROOT, "object", WHOLE)                           \
    MEMBER(P, PART, ROOT, "part", NOTHING)                             \
    MEMBER(P, ITEM, ROOT, "item", NOTHING)                             \
    MEMBER(P, RESPONSE, ROOT, "response", NOTHING)                     \
    MEMBER(P, PART_TYPE, PART, "type", WHOLE)                          \
    MEMBER(P, PART_TEXT, PART, "text", WHOLE)                          \
    MEMBER(P, PART_REFUSAL, PART, "refusal", WHOLE)                    \
    ELS_RESPONSES_ITEM_PATHS(P, MEMBER, ELEMENTS, ENTRY_, ITEM)        \
    MEMBER(P, STATUS, RESPONSE, "status", WHOLE)                       \
    MEMBER(P, RESPONSE_ERROR, RESPONSE, "error", WHOLE)                \
    MEMBER(P, USAGE, RESPONSE, "usage", WHOLE)                         \
    MEMBER(P, INCOMPLETE, RESPONSE, "incomplete_details", NOTHING)     \
    MEMBER(P, TOOLS, RESPONSE, "tools", NOTHING)                       \
    MEMBER(P, OUTPUT, RESPONSE, "output", NOTHING)                     \
    MEMBER(P, REASON, INCOMPLETE, "reason", WHOLE)                     \
    ELEMENTS(P, TOOL, TOOLS, NOTHING)                                  \
    MEMBER(P, TOOL_TYPE, TOOL, "type", WHOLE)                          \
    ELEMENTS(P, OUTPUT_ITEM, OUTPUT, NOTHING)                          \
    ELS_RESPONSES_ITEM_PATHS(P, MEMBER, ELEMENTS, OUTPUT_ITEM_, OUTPUT_ITEM)

ELELEM_SHAPE_PATHS(ELS_RESPONSES_PATHS, ELS_RESPONSES_, els_responses_paths);

/* An output item is looked up in the rows of a frame's item, also one of the last frame's list. */
static void els_responses_look_at_item(elelem_shape_context *c, elelem_value item, int is_listed)
{
    elelem_shape_fields_find(c, item, is_listed ? ELS_RESPONSES_OUTPUT_ITEM_TYPE : ELS_RESPONSES_ENTRY_TYPE,
                             is_listed ? ELS_RESPONSES_OUTPUT_ITEM_CONTENT : ELS_RESPONSES_ENTRY_CONTENT,
                             ELS_RESPONSES_ENTRY_TYPE);
}

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

/* State of an item. */
typedef struct els_responses_own {
    uint64_t name;        /* a hash of the wire's id for it; 0 for none */
    uint64_t said_hash;   /* of the newest part's text, as much of it as was emitted */
    uint64_t said_size;
    uint32_t said_part;   /* the number of that part */
    uint32_t annotations; /* emitted so far */
    uint8_t is_refusal;
    uint8_t is_custom;
    uint8_t is_raw;
    uint8_t is_quoted;    /* the string of a custom tool call's input is open */
    uint8_t had_text;
    uint8_t is_introduced; /* the metadata of its first part was emitted */
    uint8_t had_caller;   /* namespace and caller were emitted */
    uint8_t had_id;       /* its id was emitted: that of `name` */
} els_responses_own;

/* An item that was closed: its id, its number, and a hash of what it held. */
typedef struct els_responses_closed {
    uint64_t name;
    uint64_t contents;
    uint32_t key;
} els_responses_closed;

#define ELS_RESPONSES_CLOSED 5

/* State of the stream. */
typedef struct els_responses_stream {
    els_responses_closed closed[ELS_RESPONSES_CLOSED]; /* the last ones, whose end may be repeated */
    uint32_t closed_next;  /* where the next goes */
    uint32_t begun;        /* after the index of the item that began last */
    uint32_t listed_kinds; /* in the last frame: kinds of items that were streamed before it */
    int is_refused;        /* it had refusal text */
    int has_own_customs;   /* custom tool calls are the provider's own */
} els_responses_stream;

static els_responses_own *els_responses_state(const elelem_shape_item *item)
{
    return (els_responses_own *)elelem_shape_item_state(item);
}

static els_responses_stream *els_responses_stream_of(const elelem_shape_context *c)
{
    return (els_responses_stream *)elelem_shape_stream_state(c);
}

/* Raw text comes after the summary, in the numbers that are given to an item's parts. */
#define ELS_RESPONSES_RAW_PART 0x80000000u

#define ELS_RESPONSES_NO_KEY 0xffffffffu

/* Where a frame says it belongs: by the number of the output item, else by its id. The number is
   believed first, because some providers give an item a new id in every frame. */
typedef struct els_responses_place {
    elelem_str id;
    uint64_t name; /* a hash of the id; 0 if there is none */
    uint32_t key;
    int has_entry; /* the output item itself is there */
} els_responses_place;

static elelem_str els_responses_text_at(const elelem_shape_context *c, unsigned slot)
{
    return elelem_shape_string(elelem_shape_field(c, slot));
}

static uint64_t els_responses_name(elelem_str id)
{
    return id.size > 0 ? elelem_shape_hash(id) | 1 : 0;
}

/* The place of a frame. Its output item's own id counts before the one that the frame names. */
static els_responses_place els_responses_place_of(const elelem_shape_context *c)
{
    els_responses_place place;

    place.id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);
    if (place.id.size == 0) place.id = els_responses_text_at(c, ELS_RESPONSES_ITEM_ID);
    place.name = els_responses_name(place.id);
    place.key = elelem_shape_number_or(elelem_shape_field(c, ELS_RESPONSES_OUTPUT_INDEX), ELS_RESPONSES_NO_KEY);
    place.has_entry = elelem_shape_is_there(elelem_shape_field(c, ELS_RESPONSES_ITEM));
    return place;
}

/* The place of an item in the last frame's list, which was looked at. */
static els_responses_place els_responses_listed_place(const elelem_shape_context *c, elelem_value listed)
{
    els_responses_place place;

    place.id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);
    place.name = els_responses_name(place.id);
    place.key = (uint32_t)elelem_value_index(listed);
    place.has_entry = 1;
    return place;
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

/* Nonzero if the item may have such text. A message that said nothing yet can become a refusal. */
static int els_responses_is(const elelem_shape_item *item, els_responses_text what)
{
    const els_responses_own *own = els_responses_state(item);
    int is_message = item->kind == ELELEM_PART_MESSAGE || item->kind == ELELEM_PART_STRUCTURED;

    if (item->waits) return 0;
    switch (what) {
    case ELS_RESPONSES_TEXT: return is_message && !own->is_refusal;
    case ELS_RESPONSES_REFUSAL: return is_message && (own->is_refusal || !item->had_part);
    case ELS_RESPONSES_SUMMARY:
    case ELS_RESPONSES_RAW: return item->kind == ELELEM_PART_REASONING;
    default: return item->kind == ELELEM_PART_TOOL_CALL;
    }
}

/* A message's entry is about its text and its refusals. */
static int els_responses_fits(const elelem_shape_item *item, els_responses_text what)
{
    return els_responses_is(item, what) || (what == ELS_RESPONSES_TEXT && els_responses_is(item, ELS_RESPONSES_REFUSAL));
}

/* The open item at a place; without a number the one of that id, else the newest of its kind. An item that was
   added without a number and has no text yet may be the one of any number. */
static elelem_shape_item *els_responses_find(const elelem_shape_context *c, els_responses_text what,
                                    const els_responses_place *place)
{
    elelem_shape_item *newest = NULL, *named = NULL;
    elelem_shape_item *item = elelem_shape_item_newest(c);

    for (; item; item = elelem_shape_item_older(c, item)) {
        if (!els_responses_is(item, what)) continue;
        if (place->key != ELS_RESPONSES_NO_KEY) {
            if (item->key == place->key) return item;
            if (item->key != ELS_RESPONSES_NO_KEY) continue;
        }
        if (!newest && !(place->key != ELS_RESPONSES_NO_KEY && els_responses_state(item)->had_text)) newest = item;
        if (!named && place->name && els_responses_state(item)->name == place->name) named = item;
    }
    return named ? named : newest;
}

static elelem_shape_item *els_responses_open(elelem_shape_context *c, els_responses_text what, const els_responses_place *place)
{
    uint32_t index = elelem_shape_item_open(c, 0, els_responses_kind(c, what), place->key);
    elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (!item) return NULL;
    els_responses_state(item)->name = place->name;
    if (what == ELS_RESPONSES_REFUSAL) els_responses_state(item)->is_refusal = 1;
    if (what == ELS_RESPONSES_INPUT) els_responses_state(item)->is_custom = 1;
    return item;
}

/* The phase in the frame's own item. */
static elelem_str els_responses_phase(const elelem_shape_context *c)
{
    return els_responses_text_at(c, ELS_RESPONSES_ENTRY_PHASE);
}

static void els_responses_true(elelem_shape_context *c, const char *key)
{
    elelem_shape_metadata_json(c, elelem_str_of(key), elelem_str_of("true"));
}

/* Indices count up in the order of first parts: an item that was added before others and has its first part after
   theirs takes a new one. */
static void els_responses_number(elelem_shape_context *c, elelem_shape_item *item)
{
    els_responses_stream *stream = els_responses_stream_of(c);

    if (item->had_part) return;
    if (item->index + 1 < stream->begun) elelem_shape_item_renumber(c, item);
    stream->begun = item->index + 1;
}

/* Metadata of the first part. The phase was kept when the item was added. */
static void els_responses_introduce(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);

    els_responses_number(c, item);
    if (own->is_introduced) return;
    own->is_introduced = 1;
    if (place->id.size > 0) {
        own->name = place->name;
        own->had_id = 1;
        elelem_shape_metadata_text(c, "item_id", place->id);
    }
    if (els_responses_phase(c).size == 0) elelem_shape_metadata_kept(c, item->index, "phase");
    if (own->is_custom) els_responses_true(c, "custom");
}

/* Where a call comes from, for programs of the model that call tools. */
static void els_responses_caller(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);
    elelem_value name_space = elelem_shape_field(c, ELS_RESPONSES_ENTRY_NAMESPACE);
    elelem_value caller = elelem_shape_field(c, ELS_RESPONSES_ENTRY_CALLER);

    if (!place->has_entry || own->had_caller) return;
    own->had_caller = 1;
    if (elelem_shape_is_value(name_space)) elelem_shape_metadata_value(c, "namespace", name_space);
    if (elelem_shape_is_value(caller)) elelem_shape_metadata_value(c, "caller", caller);
}

/* Tells of a call what is known: at first in any case, later what is new. */
static void els_responses_start(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    if (!els_responses_state(item)->is_introduced) {
        els_responses_introduce(c, item, place);
        els_responses_caller(c, item, place);
    }
    elelem_shape_tool_start(c, item->index, els_responses_text_at(c, ELS_RESPONSES_ENTRY_CALL_ID),
                            els_responses_text_at(c, ELS_RESPONSES_ENTRY_NAME));
}

/* The item of a delta, which is opened if nothing announced it. */
static elelem_shape_item *els_responses_item_of(elelem_shape_context *c, els_responses_text what,
                                       const els_responses_place *place)
{
    elelem_shape_item *item = els_responses_find(c, what, place);

    if (item && item->key == ELS_RESPONSES_NO_KEY) item->key = place->key;
    if (item) return item;
    item = els_responses_open(c, what, place);
    if (item && item->kind == ELELEM_PART_TOOL_CALL) els_responses_start(c, item, place);
    return item;
}

/* Texts. Of an item is known how much of its newest part was emitted, and a hash of that: enough to
   emit the rest when the wire repeats it whole, and nothing if it is not the same text. */

static void els_responses_said(elelem_shape_item *item, uint32_t part, elelem_str text)
{
    els_responses_own *own = els_responses_state(item);

    if (!own->had_text || part > own->said_part) {
        own->had_text = 1;
        own->said_part = part;
        own->said_size = 0;
        own->said_hash = ELELEM_SHAPE_HASH_START;
    }
    if (part != own->said_part) return;
    own->said_size += text.size;
    own->said_hash = elelem_shape_hash_more(own->said_hash, text);
}

/* What of a whole part was not emitted yet. A part is over when a later one had text. */
static elelem_str els_responses_rest(const elelem_shape_item *item, uint32_t part, elelem_str whole)
{
    const els_responses_own *own = els_responses_state(item);
    elelem_str none = els_str(NULL, 0);

    if (!own->had_text || part > own->said_part) return whole;
    if (part < own->said_part || whole.size <= own->said_size) return none;
    if (elelem_shape_hash(els_str(whole.data, (size_t)own->said_size)) != own->said_hash) return none;
    return els_str(whole.data + own->said_size, whole.size - (size_t)own->said_size);
}

/* A piece of a JSON string: the quotes that open and close it, and what is between them. */
static void els_responses_quote(elelem_shape_context *c, elelem_shape_item *item, elelem_str text, int is_last)
{
    els_responses_own *own = els_responses_state(item);
    elelem_writer *writer = elelem_shape_write(c);

    if (!own->is_quoted) elelem_writer_string_begin(writer);
    elelem_writer_string_piece(writer, text);
    if (is_last) elelem_shape_write_raw(c, elelem_str_of("\""));
    own->is_quoted = 1;
    elelem_shape_tool_arguments_written(c, item->index);
}

/* Summaries are paragraphs. */
static int els_responses_needs_gap(const elelem_shape_item *item, uint32_t part)
{
    const els_responses_own *own = els_responses_state(item);

    return item->kind == ELELEM_PART_REASONING && own->had_text && part > own->said_part &&
           !(own->said_part & ELS_RESPONSES_RAW_PART);
}

static void els_responses_say(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what, uint32_t part,
                              elelem_str text, const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);
    int is_first_raw = what == ELS_RESPONSES_RAW && !own->is_raw;

    if (text.size == 0) return;
    if (els_responses_needs_gap(item, part)) elelem_shape_text(c, item->index, elelem_str_of("\n\n"));
    els_responses_said(item, part, text);
    if (what == ELS_RESPONSES_REFUSAL) {
        item->kind = ELELEM_PART_MESSAGE;
        own->is_refusal = 1;
        els_responses_true(c, "refusal");
        els_responses_stream_of(c)->is_refused = 1;
    }
    els_responses_introduce(c, item, place);
    if (is_first_raw) {
        own->is_raw = 1;
        els_responses_true(c, "raw");
    }
    elelem_shape_text(c, item->index, text);
}

static void els_responses_argue(elelem_shape_context *c, elelem_shape_item *item, elelem_str text)
{
    if (text.size == 0) return;
    els_responses_said(item, 0, text);
    if (els_responses_state(item)->is_custom)
        els_responses_quote(c, item, text, 0);
    else
        elelem_shape_tool_arguments(c, item->index, text);
}

static void els_responses_emit(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what, uint32_t part,
                               elelem_str text, const els_responses_place *place)
{
    if (item->kind == ELELEM_PART_TOOL_CALL)
        els_responses_argue(c, item, text);
    else
        els_responses_say(c, item, what, part, text, place);
}

/* The number of a part of the item; that of its newest part if the frame has none. */
static uint32_t els_responses_part_number(const elelem_shape_context *c, els_responses_text what, const elelem_shape_item *item)
{
    const els_responses_own *own = els_responses_state(item);
    uint32_t is_raw = what == ELS_RESPONSES_RAW ? ELS_RESPONSES_RAW_PART : 0;
    uint32_t newest = 0;

    if (own->had_text && (own->said_part & ELS_RESPONSES_RAW_PART) == is_raw)
        newest = own->said_part & ~ELS_RESPONSES_RAW_PART;
    return is_raw | elelem_shape_number_or(elelem_shape_field(c, els_responses_members[what].number), newest);
}

/* Frames about a text. */

/* Nonzero if a text of this kind is of a call that the provider runs itself. */
static int els_responses_is_skipped(const elelem_shape_context *c, els_responses_text what)
{
    return what == ELS_RESPONSES_INPUT && els_responses_stream_of(c)->has_own_customs;
}

/* What comes shows that the model ended what waits. */
static void els_responses_release(elelem_shape_context *c)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item))
        if (item->waits && els_responses_state(item)->is_custom) els_responses_quote(c, item, els_str(NULL, 0), 1);
    elelem_shape_release(c, 0);
}

static void els_responses_delta(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    els_responses_text what = (els_responses_text)which;
    elelem_str text = els_responses_text_at(c, ELS_RESPONSES_DELTA);
    elelem_shape_item *item;

    if (text.size == 0 || els_responses_is_skipped(c, what)) return;
    els_responses_release(c);
    item = els_responses_item_of(c, what, place);
    if (item) els_responses_emit(c, item, what, els_responses_part_number(c, what, item), text, place);
}

/* A text that is whole. It opens no item: one that nothing announced comes whole once more when
   it is done. */
static void els_responses_whole(elelem_shape_context *c, els_responses_text what, elelem_value holder,
                                const els_responses_place *place)
{
    elelem_str text = elelem_shape_string_in(holder, els_responses_members[what].whole);
    elelem_shape_item *item = els_responses_find(c, what, place);
    uint32_t part = item ? els_responses_part_number(c, what, item) : 0;

    if (item) els_responses_emit(c, item, what, part, els_responses_rest(item, part, text), place);
}

static void els_responses_text_done(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    els_responses_text what = (els_responses_text)which;

    if (!els_responses_is_skipped(c, what)) els_responses_whole(c, what, elelem_shape_document(c), place);
}

static void els_responses_part(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_value part = elelem_shape_field(c, ELS_RESPONSES_PART);
    elelem_str type = elelem_shape_string_in(part, "type");

    (void)which;
    if (elelem_str_is(type, "output_text")) els_responses_whole(c, ELS_RESPONSES_TEXT, part, place);
    if (elelem_str_is(type, "refusal")) els_responses_whole(c, ELS_RESPONSES_REFUSAL, part, place);
    if (elelem_str_is(type, "reasoning_text")) els_responses_whole(c, ELS_RESPONSES_RAW, part, place);
    if (elelem_str_is(type, "summary_text")) els_responses_whole(c, ELS_RESPONSES_SUMMARY, part, place);
}

static void els_responses_annotation(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_value annotation = elelem_shape_field(c, ELS_RESPONSES_ANNOTATION);
    elelem_shape_item *item = NULL;

    (void)which;
    if (elelem_shape_is_value(annotation)) item = els_responses_item_of(c, ELS_RESPONSES_TEXT, place);
    if (!item) return;
    els_responses_introduce(c, item, place);
    elelem_shape_metadata_in_array(c, "annotations", annotation);
    els_responses_state(item)->annotations++;
    elelem_shape_text(c, item->index, els_str(NULL, 0));
}

/* Frames about an item: it is added, it is done, or it is in the last frame's list. */

typedef enum els_responses_verb { ELS_RESPONSES_ADDED, ELS_RESPONSES_DONE, ELS_RESPONSES_LISTED } els_responses_verb;

/* The calls that xAI's x_search makes are custom tool calls in form, and run by the time they are sent. No
   others can be among them if the request, whose tools the first frames repeat, has no custom tool. */
static void els_responses_created(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_value tool = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_TOOLS));
    int searches = 0, customs = 0;

    (void)which;
    (void)place;
    for (; elelem_shape_is_there(tool); tool = elelem_value_next(tool)) {
        searches |= elelem_str_is(elelem_shape_string_in(tool, "type"), "x_search");
        customs |= elelem_str_is(elelem_shape_string_in(tool, "type"), "custom");
    }
    if (searches && !customs) els_responses_stream_of(c)->has_own_customs = 1;
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

/* What must not be emitted twice: the entry of a frame. */
static els_responses_closed els_responses_entry(const elelem_shape_context *c, const els_responses_place *place)
{
    elelem_str id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_CALL_ID);
    els_responses_closed entry;

    entry.name = els_responses_name(id.size > 0 ? id : els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID));
    entry.contents = elelem_shape_hash(els_responses_text_at(c, ELS_RESPONSES_ENTRY_ENCRYPTED));
    entry.contents = elelem_shape_hash_more(entry.contents, els_responses_text_at(c, ELS_RESPONSES_ENTRY_ARGUMENTS));
    entry.contents = elelem_shape_hash_more(entry.contents, els_responses_text_at(c, ELS_RESPONSES_ENTRY_INPUT));
    entry.key = place->key;
    return entry;
}

/* Nonzero if the entry repeats one that was closed. Two items can share an id by the provider's mistake (xAI): then their
   numbers differ, or without numbers their contents. */
static int els_responses_was_closed(const elelem_shape_context *c, const els_responses_place *place)
{
    const els_responses_closed *closed = els_responses_stream_of(c)->closed;
    els_responses_closed entry = els_responses_entry(c, place);
    unsigned i;

    for (i = 0; i < ELS_RESPONSES_CLOSED; i++) {
        int has_keys = entry.key != ELS_RESPONSES_NO_KEY && closed[i].key != ELS_RESPONSES_NO_KEY;
        if (!entry.name || closed[i].name != entry.name) continue;
        if (has_keys ? entry.key == closed[i].key : entry.contents == closed[i].contents) return 1;
    }
    return 0;
}

static void els_responses_remember_closed(elelem_shape_context *c, const els_responses_place *place)
{
    els_responses_stream *stream = els_responses_stream_of(c);

    stream->closed[stream->closed_next] = els_responses_entry(c, place);
    stream->closed_next = (stream->closed_next + 1) % ELS_RESPONSES_CLOSED;
}

/* Kinds of which something was emitted, as bits. */
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

/* Whether an item may be opened that is not open. The last frame's list repeats what was streamed:
   of a kind that was, nothing more is taken from it. */
static int els_responses_may_open(const elelem_shape_context *c, els_responses_verb verb, els_responses_text what,
                                  const els_responses_place *place)
{
    if (verb == ELS_RESPONSES_ADDED) return 1;
    if (verb == ELS_RESPONSES_LISTED && (els_responses_stream_of(c)->listed_kinds >> what & 1)) return 0;
    return !els_responses_was_closed(c, place);
}

/* An item that is added under the number of an open one ends that, unless it is the same. */
static elelem_shape_item *els_responses_in_the_way(const elelem_shape_context *c, els_responses_text what,
                                          const els_responses_place *place)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item)) {
        if (item->key != place->key || item->key == ELS_RESPONSES_NO_KEY || item->waits) continue;
        if (!els_responses_fits(item, what)) return item;
        if (place->name && els_responses_state(item)->name && els_responses_state(item)->name != place->name) return item;
    }
    return NULL;
}

/* The open item that the entry is about; null if it is a new one. */
static elelem_shape_item *els_responses_known(const elelem_shape_context *c, els_responses_verb verb, els_responses_text what,
                                     const els_responses_place *place)
{
    elelem_shape_item *item = els_responses_find(c, what, place);
    elelem_shape_item *refusal = what == ELS_RESPONSES_TEXT ? els_responses_find(c, ELS_RESPONSES_REFUSAL, place) : NULL;
    int is_sure = place->key != ELS_RESPONSES_NO_KEY;

    if (refusal && item && (els_responses_state(item)->name == place->name || els_responses_state(refusal)->name != place->name))
        refusal = NULL;
    if (refusal) item = refusal;
    if (item && item->key == ELS_RESPONSES_NO_KEY) is_sure = 0;
    if (item && verb == ELS_RESPONSES_ADDED && !is_sure && els_responses_state(item)->name != place->name) return NULL;
    return item;
}

/* Of reasoning that has a summary and raw text, the one that was streamed is emitted, else the raw text:
   they can be the same. */
static elelem_value els_responses_first_part(const elelem_shape_context *c, const elelem_shape_item *item)
{
    elelem_value summary = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_SUMMARY));
    elelem_value content = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_CONTENT));
    int is_summary = els_responses_state(item)->had_text ? !(els_responses_state(item)->said_part & ELS_RESPONSES_RAW_PART)
                                                          : elelem_value_type(content) == ELELEM_TYPE_NONE;

    return item->kind == ELELEM_PART_REASONING && is_summary ? summary : content;
}

/* The item that the entry is about, new or known; null if there is nothing to emit of it. */
static elelem_shape_item *els_responses_entry_item(elelem_shape_context *c, els_responses_verb verb,
                                                   els_responses_text what, const els_responses_place *place)
{
    elelem_shape_item *item;

    if (verb == ELS_RESPONSES_ADDED)
        while ((item = els_responses_in_the_way(c, what, place)) != NULL)
            elelem_shape_flush(c, item->index);
    item = els_responses_known(c, verb, what, place);
    if (!item && els_responses_may_open(c, verb, what, place)) item = els_responses_open(c, what, place);
    return item;
}

/* A message begins with its first text, because a refusal is another kind of item; reasoning at once,
   because it may have no text at all. */
static void els_responses_begin(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_start(c, item, place);
    } else if (item->kind == ELELEM_PART_REASONING) {
        els_responses_introduce(c, item, place);
        elelem_shape_text(c, item->index, els_str(NULL, 0));
    } else if (elelem_shape_kept(c, item).size == 0 && !els_responses_state(item)->is_introduced) {
        elelem_shape_keep(c, item->index, els_responses_phase(c));
    }
}

/* A whole part of the item with this index, of which the rest is emitted. A message can hold text and refusals, which
   are items of their own. Returns the index that the item has then. */
static uint32_t els_responses_entry_part(elelem_shape_context *c, els_responses_text what, elelem_value value,
                                         uint32_t index, const els_responses_place *place)
{
    uint32_t part = (uint32_t)elelem_value_index(value);
    elelem_shape_item *item;
    elelem_str text;
    int is_it;

    if (what == ELS_RESPONSES_TEXT && elelem_str_is(elelem_shape_string_in(value, "type"), "refusal"))
        what = ELS_RESPONSES_REFUSAL;
    if (what == ELS_RESPONSES_SUMMARY && elelem_str_is(elelem_value_key(elelem_value_parent(value)), "content")) {
        what = ELS_RESPONSES_RAW;
        part |= ELS_RESPONSES_RAW_PART;
    }
    text = elelem_shape_string_in(value, els_responses_members[what].whole);
    item = text.size > 0 ? els_responses_item_of(c, what, place) : NULL;
    if (!item) return index;
    is_it = item->index == index;
    els_responses_say(c, item, what, part, els_responses_rest(item, part, text), place);
    return is_it ? item->index : index;
}

/* The arguments of a call, as text, or as the value itself if a server does not write it down. */
static void els_responses_entry_call(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what)
{
    elelem_value value = elelem_shape_field(c, els_responses_members[what].entry);

    if (elelem_value_type(value) == ELELEM_TYPE_STRING) {
        els_responses_argue(c, item, els_responses_rest(item, 0, elelem_value_text(value)));
    } else if (elelem_shape_is_value(value) && what == ELS_RESPONSES_ARGUMENTS && !els_responses_state(item)->had_text) {
        els_responses_state(item)->had_text = 1;
        elelem_shape_tool_arguments_value(c, item->index, value);
    }
}

/* What the item holds whole. Returns the index that it has then. */
static uint32_t els_responses_entry_contents(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what,
                                             const els_responses_place *place)
{
    elelem_value part = els_responses_first_part(c, item);
    uint32_t index = item->index;

    if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_entry_call(c, item, what);
        return index;
    }
    for (; elelem_shape_is_there(part); part = elelem_value_next(part))
        index = els_responses_entry_part(c, what, part, index, place);
    return index;
}

/* Annotations of a whole message that no frame of their own had. */
static void els_responses_annotations(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_value part = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_CONTENT)), note;
    elelem_writer *writer = elelem_shape_write(c);
    uint32_t count = 0, emitted = els_responses_state(item)->annotations;

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; elelem_shape_is_there(part); part = elelem_value_next(part)) {
        note = elelem_value_first(elelem_value_get(part, "annotations"));
        for (; elelem_shape_is_there(note); note = elelem_value_next(note))
            if (count++ >= emitted) elelem_writer_value(writer, note);
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    if (count <= emitted) return;
    els_responses_state(item)->annotations = count;
    elelem_shape_metadata_written(c, elelem_str_of("annotations"));
}

/* What the end of an item says, and what its first part did not. The encrypted content of an item
   that is only added is another, and of no use. Of the place, the item's own id counts, not one that the frame names. */
static void els_responses_last_metadata(elelem_shape_context *c, elelem_shape_item *item, els_responses_place place)
{
    els_responses_own *own = els_responses_state(item);
    elelem_str phase = els_responses_phase(c);
    elelem_str encrypted = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ENCRYPTED);

    place.id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);
    if (place.id.size == 0) place.name = 0;
    if (!own->is_introduced) els_responses_introduce(c, item, &place);
    else if (place.id.size > 0 && (!own->had_id || own->name != place.name))
        elelem_shape_metadata_text(c, "item_id", place.id);
    if (item->kind == ELELEM_PART_REASONING) {
        if (encrypted.size > 0) elelem_shape_metadata_text(c, "encrypted_content", encrypted);
    } else if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_caller(c, item, &place);
    } else {
        if (phase.size > 0) elelem_shape_metadata_text(c, "phase", phase);
        if (!own->is_refusal) els_responses_annotations(c, item);
    }
}

/* Flushes an item that is done, or has it wait. The string of an input has no end of its own: it is closed if the
   status says so, and stays open if that says otherwise; without a word, what comes next decides. */
static void els_responses_flush(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_ENTRY_STATUS);
    int is_incomplete = elelem_str_is(status, "incomplete");

    if (!els_responses_state(item)->is_custom) {
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

/* Closes an item. Its last metadata goes on the flush, or on a part without text if there was none. */
static void els_responses_close(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_ENTRY_STATUS);

    if (item->kind == ELELEM_PART_TOOL_CALL && !item->has_id)
        elelem_shape_tool_start(c, item->index, els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID), els_str(NULL, 0));
    if (els_responses_state(item)->is_custom && elelem_str_is(status, "completed"))
        els_responses_quote(c, item, els_str(NULL, 0), 1);
    els_responses_last_metadata(c, item, *place);
    if (!item->had_part) {
        els_responses_number(c, item);
        if (item->kind == ELELEM_PART_STRUCTURED) item->kind = ELELEM_PART_MESSAGE;
        elelem_shape_text(c, item->index, els_str(NULL, 0));
    }
    els_responses_flush(c, item);
}

/* A message's text or refusal, in addition to the item that was closed. */
static elelem_shape_item *els_responses_beside(const elelem_shape_context *c, const els_responses_place *place)
{
    int has_key = place->key != ELS_RESPONSES_NO_KEY;
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item)) {
        if (!els_responses_fits(item, ELS_RESPONSES_TEXT)) continue;
        if (has_key ? item->key == place->key : place->name && els_responses_state(item)->name == place->name) return item;
    }
    return NULL;
}

static void els_responses_item(elelem_shape_context *c, els_responses_verb verb, const els_responses_place *place)
{
    els_responses_text what = els_responses_what(c);
    elelem_shape_item *item;
    uint32_t index;

    if (verb == ELS_RESPONSES_ADDED) els_responses_release(c);
    if (what == ELS_RESPONSES_NONE || els_responses_is_skipped(c, what)) return;
    item = els_responses_entry_item(c, verb, what, place);
    if (!item) return;
    els_responses_begin(c, item, place);
    index = els_responses_entry_contents(c, item, what, place);
    if (verb == ELS_RESPONSES_ADDED) return;
    item = elelem_shape_item_at(c, index);
    if (item) els_responses_close(c, item, place);
    while (what == ELS_RESPONSES_TEXT && (item = els_responses_beside(c, place)) != NULL)
        els_responses_close(c, item, place);
    els_responses_remember_closed(c, place);
}

static void els_responses_item_added(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    els_responses_item(c, ELS_RESPONSES_ADDED, place);
}

static void els_responses_item_done(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    els_responses_item(c, ELS_RESPONSES_DONE, place);
}

/* The end. */

/* In addition to an error of its own, a frame that is one can be flat: its type says only that. */
static void els_responses_error(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    (void)place;
    if (!elelem_shape_document_error(c)) elelem_shape_error_of(c, elelem_shape_document(c));
}

static void els_responses_failed(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    (void)place;
    if (elelem_shape_document_error(c) || elelem_shape_error_in(c, elelem_shape_field(c, ELS_RESPONSES_RESPONSE))) return;
    elelem_shape_error(c, ELELEM_ERROR_KIND_TRANSIENT, elelem_str_of("failed"),
                       "the provider stopped the response with an error");
}

static void els_responses_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, ELS_RESPONSES_USAGE);
    elelem_value details = elelem_value_get(raw, "input_tokens_details");
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_count_to(&usage.input, raw, "input_tokens");
    elelem_shape_count_to(&usage.output, raw, "output_tokens");
    elelem_shape_count_to(&usage.cached, details, "cached_tokens");
    elelem_shape_count_to(&usage.cache_written, details, "cache_write_tokens");
    elelem_shape_count_to(&usage.reasoning, elelem_value_get(raw, "output_tokens_details"), "reasoning_tokens");
    elelem_shape_usage(c, usage, raw);
}

static const elelem_shape_word els_responses_reasons[] = {
    { "max_output_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "content_filter", ELELEM_FINISH_CONTENT_FILTER },
};

static elelem_finish_reason els_responses_completed(const elelem_shape_context *c)
{
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL)) return ELELEM_FINISH_TOOL_CALLS;
    if (els_responses_stream_of(c)->is_refused) return ELELEM_FINISH_CONTENT_FILTER;
    return ELELEM_FINISH_COMPLETED;
}

/* The status in the last frame, else that of its name. */
static elelem_str els_responses_status(const elelem_shape_context *c, unsigned is_incomplete)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_STATUS);

    if (status.size > 0 && !elelem_str_is(status, "in_progress")) return status;
    return elelem_str_of(is_incomplete ? "incomplete" : "completed");
}

static void els_responses_finish(elelem_shape_context *c, elelem_str status)
{
    elelem_str raw = elelem_shape_string_in(elelem_shape_field(c, ELS_RESPONSES_INCOMPLETE), "reason");
    elelem_finish_reason reason = ELELEM_FINISH_OTHER;

    if (elelem_str_is(status, "incomplete"))
        reason = elelem_shape_reason_of(els_responses_reasons, ELS_COUNT(els_responses_reasons), raw);
    else
        raw = status;
    if (elelem_str_is(status, "completed")) reason = els_responses_completed(c);
    elelem_shape_reason(c, 0, reason, raw.size > 0 ? raw : status, 0);
    elelem_shape_finish(c);
}

/* Ends the strings of custom tool calls that nothing closed. */
static void els_responses_close_strings(elelem_shape_context *c)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item))
        if (els_responses_state(item)->is_custom) els_responses_quote(c, item, els_str(NULL, 0), 1);
}

/* The items of the last frame's list, of which some may not have been streamed. */
static void els_responses_list(elelem_shape_context *c)
{
    elelem_value item = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_OUTPUT));

    els_responses_stream_of(c)->listed_kinds = els_responses_streamed(c);
    for (; elelem_shape_is_there(item); item = elelem_value_next(item)) {
        els_responses_place place;
        els_responses_look_at_item(c, item, 1);
        place = els_responses_listed_place(c, item);
        els_responses_item(c, ELS_RESPONSES_LISTED, &place);
    }
}

/* What nothing closed, or what waits, ends as the response ended. */
static void els_responses_last(elelem_shape_context *c, unsigned is_incomplete, const els_responses_place *place)
{
    elelem_str status = els_responses_status(c, is_incomplete);
    int is_completed = elelem_str_is(status, "completed");

    if (elelem_str_is(status, "failed")) {
        els_responses_failed(c, 0, place);
        return;
    }
    els_responses_usage(c);
    els_responses_list(c);
    if (is_completed) els_responses_close_strings(c);
    elelem_shape_flush_all(c, 0, is_completed ? ELELEM_SHAPE_ENDED : ELELEM_SHAPE_STOPPED);
    els_responses_finish(c, status);
}

/* Frames by type; all others are only signs of life. */

typedef struct els_responses_event {
    const char *type;
    void (*work)(elelem_shape_context *c, unsigned which, const els_responses_place *place);
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

/* The event of this name; null for an unknown one. */
static const els_responses_event *els_responses_event_of(elelem_str type)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_responses_events); i++)
        if (elelem_str_is(type, els_responses_events[i].type)) return &els_responses_events[i];
    return NULL;
}

/* The event's name counts if the type in the data is not known. A frame with neither may be an error. */
static void els_responses_data(elelem_shape_context *c)
{
    const els_responses_event *event;
    els_responses_place place;
    elelem_str type;

    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_RESPONSES_TYPE, ELS_RESPONSES_RESPONSE, ELS_RESPONSES_TYPE);
    els_responses_look_at_item(c, elelem_shape_field(c, ELS_RESPONSES_ITEM), 0);
    elelem_shape_fields_find(c, elelem_shape_field(c, ELS_RESPONSES_RESPONSE), ELS_RESPONSES_STATUS, ELS_RESPONSES_OUTPUT,
                             ELS_RESPONSES_STATUS);
    place = els_responses_place_of(c);
    type = els_responses_text_at(c, ELS_RESPONSES_TYPE);
    event = els_responses_event_of(type);
    if (!event) event = els_responses_event_of(elelem_shape_event_name(c));
    if (event) event->work(c, event->which, &place);
    else if (type.size == 0 && elelem_shape_event_name(c).size == 0) elelem_shape_document_error(c);
}

/* [DONE] says nothing here: it comes after the last frame, or in its stead, and then the response is cut off. */
static elelem_status els_responses_frame(elelem_shape_context *c)
{
    int is_enough;

    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA) els_responses_data(c);
    is_enough = !elelem_shape_item_oldest(c) && (els_responses_streamed(c) & ~(1u << ELS_RESPONSES_SUMMARY));
    elelem_shape_want(c, is_enough ? ELS_RESPONSES_OUTPUT_ITEM : ELS_RESPONSES_ROWS);
    return ELELEM_OK;
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_responses_recovery[] = {
    { "input[*].encrypted_content", "encrypted_content", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ENCRYPTED },
    { "input[*].id", "item_id", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ITEM },
};

ELS_DATA const elelem_shape elelem_shape_responses = {
    "responses", els_responses_paths, ELS_RESPONSES_ROWS, els_responses_frame,
    sizeof(els_responses_own), 0, sizeof(els_responses_stream), 0, 0,
    els_responses_recovery, ELS_COUNT(els_responses_recovery), NULL, 0, 0,
};

#endif

#endif
