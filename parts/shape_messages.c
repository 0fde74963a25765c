#ifndef ELS_SHAPE_MESSAGES_C
#define ELS_SHAPE_MESSAGES_C
#include "shape_messages.h"
#include "base.c"
#include "recovery.h"

/* >> shape_messages */

#ifndef ELELEM_NO_MESSAGES

/* What is read of a block; N begins the names of the rows. If provider items are wanted, all of it is. */
#define ELS_MESSAGES_BLOCK(P, MEMBER, N, PARENT)           \
    MEMBER(P, N##TYPE, PARENT, "type", WHOLE)              \
    MEMBER(P, N##TEXT, PARENT, "text", WHOLE)              \
    MEMBER(P, N##CITATIONS, PARENT, "citations", WHOLE)    \
    MEMBER(P, N##THINKING, PARENT, "thinking", WHOLE)      \
    MEMBER(P, N##SIGNATURE, PARENT, "signature", WHOLE)    \
    MEMBER(P, N##DATA, PARENT, "data", WHOLE)              \
    MEMBER(P, N##ID, PARENT, "id", WHOLE)                  \
    MEMBER(P, N##NAME, PARENT, "name", WHOLE)              \
    MEMBER(P, N##INPUT, PARENT, "input", WHOLE)            \
    MEMBER(P, N##CALLER, PARENT, "caller", WHOLE)          \
    MEMBER(P, N##TOOLSET, PARENT, "toolset_name", WHOLE)   \
    MEMBER(P, N##FIELDS, PARENT, "provider_specific_fields", WHOLE)

/* Frames: message_start, then for each block content_block_start, content_block_delta...,
   content_block_stop, then message_delta and message_stop; ping and error anywhere. What no row names is kept of a
   delta as it is, and of a frame or a message MORE of it is wanted. */
#define ELS_MESSAGES_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, WANT, MORE) \
    MEMBER(P, TYPE, ROOT, "type", WHOLE)                            \
    MEMBER(P, INDEX, ROOT, "index", WHOLE)                          \
    MEMBER(P, DELTA, ROOT, "delta", NOTHING)                        \
    MEMBER(P, USAGE, ROOT, "usage", WHOLE)                          \
    MEMBER(P, BLOCK, ROOT, "content_block", WANT)                   \
    MEMBER(P, MESSAGE, ROOT, "message", NOTHING)                    \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                          \
    MEMBER(P, REQUEST_ID, ROOT, "request_id", WHOLE)                \
    MEMBER(P, CONTEXT, ROOT, "context_management", WANT)            \
    MEMBER(P, CHANGES, ROOT, "input_transformations", WANT)         \
    REST(P, FRAME_REST, ROOT, MORE)                                 \
    MEMBER(P, DELTA_TYPE, DELTA, "type", WHOLE)                     \
    MEMBER(P, DELTA_TEXT, DELTA, "text", WHOLE)                     \
    MEMBER(P, DELTA_JSON, DELTA, "partial_json", WHOLE)             \
    MEMBER(P, DELTA_THINKING, DELTA, "thinking", WHOLE)             \
    MEMBER(P, DELTA_SIGNATURE, DELTA, "signature", WHOLE)           \
    MEMBER(P, DELTA_CITATION, DELTA, "citation", WHOLE)             \
    MEMBER(P, DELTA_STOP_REASON, DELTA, "stop_reason", WHOLE)       \
    MEMBER(P, DELTA_STOP_SEQUENCE, DELTA, "stop_sequence", WHOLE)   \
    MEMBER(P, DELTA_STOP_DETAILS, DELTA, "stop_details", WHOLE)     \
    MEMBER(P, DELTA_CONTAINER, DELTA, "container", WANT)            \
    MEMBER(P, DELTA_CONTEXT, DELTA, "context_management", WANT)     \
    MEMBER(P, DELTA_CHANGES, DELTA, "input_transformations", WANT)  \
    REST(P, DELTA_REST, DELTA, WANT)                                \
    ELS_MESSAGES_BLOCK(P, MEMBER, BLOCK_, BLOCK)                    \
    MEMBER(P, MESSAGE_ID, MESSAGE, "id", WANT)                      \
    MEMBER(P, MESSAGE_MODEL, MESSAGE, "model", WANT)                \
    MEMBER(P, MESSAGE_CONTAINER, MESSAGE, "container", WANT)        \
    MEMBER(P, MESSAGE_CONTEXT, MESSAGE, "context_management", WANT) \
    MEMBER(P, MESSAGE_CHANGES, MESSAGE, "input_transformations", WANT) \
    MEMBER(P, MESSAGE_ERROR, MESSAGE, "error", WHOLE)               \
    MEMBER(P, MESSAGE_REQUEST_ID, MESSAGE, "request_id", WHOLE)     \
    MEMBER(P, MESSAGE_USAGE, MESSAGE, "usage", WHOLE)               \
    MEMBER(P, MESSAGE_STOP_REASON, MESSAGE, "stop_reason", WHOLE)   \
    MEMBER(P, MESSAGE_STOP_SEQUENCE, MESSAGE, "stop_sequence", WHOLE) \
    MEMBER(P, MESSAGE_STOP_DETAILS, MESSAGE, "stop_details", WHOLE) \
    MEMBER(P, MESSAGE_TYPE, MESSAGE, "type", SKIP)                  \
    MEMBER(P, MESSAGE_ROLE, MESSAGE, "role", SKIP)                  \
    MEMBER(P, CONTENT, MESSAGE, "content", NOTHING)                 \
    REST(P, MESSAGE_REST, MESSAGE, MORE)                            \
    ELEMENTS(P, CONTENT_BLOCK, CONTENT, WANT)                       \
    ELS_MESSAGES_BLOCK(P, MEMBER, CONTENT_BLOCK_, CONTENT_BLOCK)

#define ELS_MESSAGES_PATHS(P, MEMBER, ELEMENTS, REST) ELS_MESSAGES_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, NOTHING, SKIP)
#define ELS_MESSAGES_ITEM_PATHS(P, MEMBER, ELEMENTS, REST) ELS_MESSAGES_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, WHOLE, SOME)

ELELEM_SHAPE_PATHS_WITH_REST(ELS_MESSAGES_PATHS, ELS_MESSAGES_, els_messages_paths);
ELELEM_SHAPE_MORE_PATHS_WITH_REST(ELS_MESSAGES_ITEM_PATHS, ELS_MESSAGES_, els_messages_item_paths);

/* Which blocks of a frame count. */
typedef enum els_messages_place {
    ELS_MESSAGES_ANYWHERE, /* its type is not known */
    ELS_MESSAGES_LISTED,   /* those of its message */
    ELS_MESSAGES_ALONE,    /* its one block */
    ELS_MESSAGES_NOWHERE
} els_messages_place;

/* State of the stream. */
typedef struct els_messages_stream {
    elelem_value passed;      /* of the message_start at hand: the block that passed last; or none */
    elelem_value looked_at;   /* of the frame at hand, while blocks pass: the last member that was looked at; or none */
    els_messages_place place; /* by the members that were */
    uint32_t key;             /* likewise */
    int has_begun;            /* something of a message came */
    int has_begun_again;      /* and another message_start */
    uint8_t start_reason;     /* 1 + the row of a reason that message_start had, though its content was still to come; 0: it had none */
    uint8_t is_listing;       /* of the frame at hand: what is known of its message was emitted before its blocks */
    uint8_t has_call;         /* a call ended, and no fallback came after it */
    uint8_t ends_turn;        /* the reason is end_turn */
    uint8_t described;        /* one bit for each key of els_messages_describe that was emitted of the message */
} els_messages_stream;

/* State of an item. */
typedef struct els_messages_item {
    uint8_t is_left_out; /* a block of a type that is not emitted */
    uint8_t is_whole;    /* a call: its arguments came whole when it began; reasoning: its signature did */
    uint8_t built;       /* a provider item whose JSON is put together: its type, from 1 in els_messages_built, or ELS_MESSAGES_NEW */
    uint8_t is_open;     /* and its object is not closed */
    uint8_t is_call;     /* and its deltas bring its input */
    uint8_t needs_input; /* and what comes next in it is the value of its input */
    uint8_t late[6];     /* and not a call: for each of els_messages_late the els_messages_late_value it began with */
    uint32_t string;     /* and likewise: a hash of the key of the string that is open in it, never 0; 0: none is.
                            Of reasoning: a hash of what it began with, until a delta brings more */
} els_messages_item;

/* Members that deltas may bring after a block began with them empty. */
static const char *const els_messages_late[] = { "content", "encrypted_content", "text", "thinking", "signature", "data" };

/* What such a member is if no delta brings it. */
typedef enum els_messages_late_value {
    ELS_MESSAGES_WRITTEN, /* it is in the JSON, or never came */
    ELS_MESSAGES_NULL,
    ELS_MESSAGES_EMPTY
} els_messages_late_value;

static elelem_value els_messages_member(const elelem_shape_context *c, const char *key)
{
    return elelem_value_get(elelem_shape_document(c), key);
}

/* Blocks. */

static els_messages_stream *els_messages_stream_of(const elelem_shape_context *c)
{
    return (els_messages_stream *)elelem_shape_stream_state(c);
}

static els_messages_item *els_messages_state(const elelem_shape_item *item)
{
    return (els_messages_item *)elelem_shape_item_state(item);
}

/* The open item of the block with this wire number, left-out ones too; null if there is none. */
static elelem_shape_item *els_messages_find(const elelem_shape_context *c, uint32_t key)
{
    elelem_shape_item *item = elelem_shape_item_newest(c);

    while (item && (item->key != key || item->waits))
        item = elelem_shape_item_older(c, item);
    return item;
}

/* The key of a block whose start has no number. */
#define ELS_MESSAGES_NO_NUMBER 0xffffffffu

static uint32_t els_messages_key(const elelem_shape_context *c)
{
    return elelem_shape_number_or(els_messages_member(c, "index"), ELS_MESSAGES_NO_NUMBER);
}

/* The open block that a delta or a stop is about; null if there is none. Blocks follow one another, so a frame
   without a number is about the newest, and one whose number is no block's is about one that began without. */
static elelem_shape_item *els_messages_block(const elelem_shape_context *c)
{
    uint32_t key = els_messages_key(c);
    elelem_shape_item *item = els_messages_find(c, key);

    if (item) return item;
    if (key != ELS_MESSAGES_NO_NUMBER) return els_messages_find(c, ELS_MESSAGES_NO_NUMBER);
    item = elelem_shape_item_newest(c);
    while (item && item->waits)
        item = elelem_shape_item_older(c, item);
    return item;
}

/* The text of a delta under `member` if it is of that type, else empty. */
static elelem_str els_messages_piece(elelem_value delta, const char *type, const char *member)
{
    if (!elelem_str_is(elelem_shape_string_in(delta, "type"), type)) return els_str(NULL, 0);
    return elelem_shape_string_in(delta, member);
}

/* The kind of a block of this type. Returns 0 if such blocks are left out. */
static int els_messages_kind(const elelem_shape_context *c, elelem_str type, elelem_part_kind *kind)
{
    if (elelem_str_is(type, "text")) *kind = elelem_shape_message_kind(c);
    else if (elelem_str_is(type, "tool_use")) *kind = ELELEM_PART_TOOL_CALL;
    else if (elelem_str_is(type, "thinking") || elelem_str_is(type, "redacted_thinking")) *kind = ELELEM_PART_REASONING;
    else return 0;
    return 1;
}

/* Provider items: blocks of all other types. Most are whole when they begin, and pass. The JSON of the others is put together from
   what their deltas bring, so that it is the block that must go back: of calls that the provider runs, the input; of a
   compaction, its content. Of a block of a type that is not known, the input if it begins with one, else members. */

static const char *const els_messages_built[] = { "server_tool_use", "mcp_tool_use", "compaction" };

/* What is built of a type that is not known, which is kept. */
#define ELS_MESSAGES_NEW (ELS_COUNT(els_messages_built) + 1)

/* The type of a block whose JSON is put together. Every part of an item names its type. */
static elelem_str els_messages_type(const elelem_shape_context *c, uint32_t index)
{
    const elelem_shape_item *item = elelem_shape_item_at(c, index);
    uint8_t built = els_messages_state(item)->built;

    if (built == ELS_MESSAGES_NEW) return elelem_shape_kept(c, item);
    return elelem_str_of(els_messages_built[built - 1]);
}

/* The place of a type among those whose blocks are put together, from 1; 0 if it is none of them. */
static uint8_t els_messages_built_of(elelem_str type)
{
    unsigned i = 0;

    while (i < ELS_COUNT(els_messages_built) && !elelem_str_is(type, els_messages_built[i]))
        i++;
    return (uint8_t)(i < ELS_COUNT(els_messages_built) ? i + 1 : 0);
}

/* Nonzero if the provider ran what the block is about. */
static int els_messages_is_hosted(elelem_str type)
{
    static const char *const types[] = { "server_tool_use", "mcp_tool_use", "mcp_tool_listing", "container_upload",
                                         "compaction", "fallback" };
    static const char result[] = "_tool_result";
    size_t i;

    for (i = 0; i < ELS_COUNT(types); i++)
        if (elelem_str_is(type, types[i])) return 1;
    return type.size > sizeof result - 1 && memcmp(type.data + type.size - (sizeof result - 1), result, sizeof result - 1) == 0;
}

static int els_messages_is_hosted_call(elelem_str type)
{
    return elelem_str_is(type, "server_tool_use") || elelem_str_is(type, "mcp_tool_use");
}

/* Makes the open item a provider item of this type. */
static void els_messages_begin_provider(elelem_shape_context *c, uint32_t index, elelem_str type)
{
    elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (item) item->hosted = (uint8_t)els_messages_is_hosted(type);
}

/* The place of the key in els_messages_late, or ELS_COUNT of it. */
static unsigned els_messages_late_of(elelem_str key)
{
    unsigned i = 0;

    while (i < ELS_COUNT(els_messages_late) && !elelem_str_is(key, els_messages_late[i]))
        i++;
    return i;
}

static els_messages_late_value els_messages_emptiness(elelem_value member)
{
    if (elelem_value_type(member) == ELELEM_TYPE_NULL) return ELS_MESSAGES_NULL;
    if (elelem_value_type(member) == ELELEM_TYPE_STRING && elelem_value_text(member).size == 0) return ELS_MESSAGES_EMPTY;
    return ELS_MESSAGES_WRITTEN;
}

/* Adds a member to the JSON that is being written. */
static void els_messages_add_key(elelem_shape_context *c, elelem_str key)
{
    elelem_shape_write_raw(c, elelem_str_of(","));
    elelem_writer_string(elelem_shape_write_on(c), key);
    elelem_shape_write_raw(c, elelem_str_of(":"));
}

/* A hash of a text, never 0. */
static uint32_t els_messages_hash(elelem_str text)
{
    return (uint32_t)elelem_shape_hash(text) | 1;
}

/* Ends the string that is open, or text of JSON. */
static void els_messages_end_string(elelem_shape_context *c, uint32_t index, els_messages_item *state)
{
    elelem_shape_write_half(c, index);
    if (state->string) elelem_shape_write_raw(c, elelem_str_of("\""));
    state->string = 0;
}

/* Adds a string, which stays open: the next delta may bring more of it. */
static void els_messages_add_string(elelem_shape_context *c, uint32_t index, els_messages_item *state, elelem_value member)
{
    uint32_t hash = els_messages_hash(elelem_value_key(member));

    if (state->string != hash) {
        els_messages_end_string(c, index, state);
        els_messages_add_key(c, elelem_value_key(member));
        elelem_writer_string_begin(elelem_shape_write_on(c));
    }
    elelem_shape_write_piece(c, index, elelem_value_text(member));
    state->string = hash;
}

static void els_messages_add_member(elelem_shape_context *c, uint32_t index, els_messages_item *state, elelem_value member)
{
    if (elelem_value_type(member) == ELELEM_TYPE_STRING) {
        els_messages_add_string(c, index, state, member);
        return;
    }
    els_messages_end_string(c, index, state);
    els_messages_add_key(c, elelem_value_key(member));
    elelem_writer_value(elelem_shape_write_on(c), member);
}

/* Nonzero if a member of the block is not to be written at its beginning, because deltas or its end bring it. */
static int els_messages_comes_later(els_messages_item *state, elelem_value member)
{
    elelem_str key = elelem_value_key(member);
    unsigned late = els_messages_late_of(key);

    if (state->is_call) return elelem_str_is(key, "input");
    if (late == ELS_COUNT(els_messages_late)) return 0;
    state->late[late] = (uint8_t)els_messages_emptiness(member);
    return state->late[late] != ELS_MESSAGES_WRITTEN;
}

/* Returns the first string of a block of an unknown type that deltas may continue; none if there is none. It is written last. */
static elelem_value els_messages_continued(const els_messages_item *state, elelem_value block)
{
    const elelem_value none = ELELEM_INIT;
    elelem_value member = elelem_value_first(block);

    if (state->built != ELS_MESSAGES_NEW || state->is_call) return none;
    while (elelem_shape_is_there(member) && (elelem_shape_string(member).size == 0 ||
                                             els_messages_late_of(elelem_value_key(member)) == ELS_COUNT(els_messages_late)))
        member = elelem_value_next(member);
    return member;
}

/* Begins the input of a call, which is whole or comes in deltas. */
static void els_messages_open_input(els_messages_item *state, elelem_writer *writer, elelem_value input)
{
    elelem_writer_key(writer, elelem_str_of("input"));
    state->is_whole = elelem_shape_is_there(elelem_value_first(input)) != 0;
    state->needs_input = !state->is_whole;
    if (state->is_whole) elelem_writer_value(writer, input);
}

/* Emits the beginning of the JSON of a block, up to what its deltas bring. */
static void els_messages_open_json(elelem_shape_context *c, uint32_t index, elelem_value block)
{
    els_messages_item *state = els_messages_state(elelem_shape_item_at(c, index));
    elelem_str type = els_messages_type(c, index);
    elelem_value input = elelem_value_get(block, "input"), continued, member;
    elelem_writer *writer = elelem_shape_write(c);

    state->is_open = 1;
    state->is_call = els_messages_is_hosted_call(type) || (state->built == ELS_MESSAGES_NEW && elelem_value_type(input) == ELELEM_TYPE_OBJECT);
    continued = els_messages_continued(state, block);
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(block); elelem_shape_is_there(member); member = elelem_value_next(member)) {
        if (els_messages_comes_later(state, member) || elelem_shape_is_same(member, continued)) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
    if (state->is_call) els_messages_open_input(state, writer, input);
    if (elelem_shape_is_there(continued)) els_messages_add_string(c, index, state, continued);
    elelem_shape_provider_written(c, index, type);
    if (state->is_call) elelem_shape_provider_caption(c, index, type, elelem_shape_string_in(block, "name"));
}

/* Adds the members of a delta to the JSON of a block. */
static void els_messages_add_members(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    els_messages_item *state = els_messages_state(elelem_shape_item_at(c, index));
    elelem_value member;

    elelem_shape_write(c);
    for (member = elelem_value_first(delta); elelem_shape_is_there(member); member = elelem_value_next(member)) {
        unsigned late = els_messages_late_of(elelem_value_key(member));
        if (elelem_str_is(elelem_value_key(member), "type")) continue;
        if (late < ELS_COUNT(els_messages_late)) state->late[late] = ELS_MESSAGES_WRITTEN;
        els_messages_add_member(c, index, state, member);
    }
    elelem_shape_provider_written(c, index, els_messages_type(c, index));
}

/* Adds the members that began empty and that no delta brought. */
static void els_messages_add_late(elelem_shape_context *c, uint32_t index, els_messages_item *state)
{
    unsigned i;

    els_messages_end_string(c, index, state);
    for (i = 0; i < ELS_COUNT(els_messages_late); i++) {
        if (state->late[i] == ELS_MESSAGES_WRITTEN) continue;
        els_messages_add_key(c, elelem_str_of(els_messages_late[i]));
        elelem_shape_write_raw(c, elelem_str_of(state->late[i] == ELS_MESSAGES_NULL ? "null" : "\"\""));
    }
}

static void els_messages_provider_delta(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    els_messages_item *state = els_messages_state(elelem_shape_item_at(c, index));

    if (!state->is_open) return;
    if (!state->is_call) {
        els_messages_add_members(c, index, delta);
    } else if (!state->is_whole) {
        elelem_str json = els_messages_piece(delta, "input_json_delta", "partial_json");
        if (json.size > 0) state->needs_input = 0;
        elelem_shape_write(c);
        elelem_shape_write_json_piece(c, index, json);
        elelem_shape_provider_written(c, index, els_messages_type(c, index));
    }
}

/* Ends the JSON of a block whose content_block_stop is here. */
static void els_messages_close_json(elelem_shape_context *c, uint32_t index)
{
    els_messages_item *state = els_messages_state(elelem_shape_item_at(c, index));

    if (!state->is_open) return;
    elelem_shape_write(c);
    els_messages_add_late(c, index, state);
    elelem_shape_write_raw(c, elelem_str_of(state->needs_input ? "{}}" : "}"));
    elelem_shape_provider_written(c, index, els_messages_type(c, index));
}

/* What of a fallback is known of the response: the model that continues. */
static void els_messages_fallback(elelem_shape_context *c, elelem_value block)
{
    elelem_value model = elelem_value_get(elelem_value_get(block, "to"), "model");

    if (!elelem_shape_is_value(model)) return;
    elelem_shape_metadata_value(c, "model", model);
    elelem_shape_response(c);
}

/* Nonzero for a block that is one of a list. No deltas follow it. */
static int els_messages_is_listed(elelem_value block)
{
    return elelem_value_type(elelem_value_parent(block)) == ELELEM_TYPE_ARRAY;
}

/* Nonzero if deltas may follow the block although its type is not known. */
static int els_messages_is_new(elelem_value block, elelem_str type)
{
    return type.size > 0 && !els_messages_is_hosted(type) && !els_messages_is_listed(block);
}

static void els_messages_begin_other(elelem_shape_context *c, uint32_t index, elelem_value block)
{
    elelem_str type = elelem_shape_string_in(block, "type");
    uint8_t built = els_messages_built_of(type);

    els_messages_begin_provider(c, index, type);
    if (els_messages_is_new(block, type)) {
        built = ELS_MESSAGES_NEW;
        elelem_shape_keep(c, index, type);
    }
    els_messages_state(elelem_shape_item_at(c, index))->built = built;
    if (elelem_str_is(type, "fallback")) els_messages_fallback(c, block);
    if (built) els_messages_open_json(c, index, block);
    else elelem_shape_provider_value(c, index, type, block);
}

/* What a block's end adds: its signature, which goes with the FLUSH, or if nothing was to be flushed
   yet, with a part of its own. */
static void els_messages_sign(elelem_shape_context *c, uint32_t index)
{
    if (elelem_shape_item_at(c, index)->kind == ELELEM_PART_PROVIDER_ITEM) return;
    elelem_shape_metadata_kept(c, index, "signature");
    if (!elelem_shape_item_at(c, index)->had_part) elelem_shape_text(c, index, els_str(NULL, 0));
}

/* Ends a block at its content_block_stop, which comes before the reason. */
static void els_messages_stop_block(elelem_shape_context *c, uint32_t index)
{
    if (elelem_shape_item_at(c, index)->kind == ELELEM_PART_PROVIDER_ITEM) els_messages_close_json(c, index);
    if (elelem_shape_item_at(c, index)->kind == ELELEM_PART_TOOL_CALL) els_messages_stream_of(c)->has_call = 1;
    els_messages_sign(c, index);
    elelem_shape_item_close(c, index);
}

/* Ends a block that had no content_block_stop. */
static void els_messages_cut_block(elelem_shape_context *c, uint32_t index)
{
    els_messages_sign(c, index);
    elelem_shape_flush_as(c, index, ELELEM_SHAPE_STOPPED);
}

/* Ends the JSON of a block that had no content_block_stop, if it is whole: that of a call unless the model may have been stopped
   inside its input. */
static void els_messages_close_last(elelem_shape_context *c, uint32_t index)
{
    const elelem_shape_item *item = elelem_shape_item_at(c, index);
    const els_messages_item *state = els_messages_state(item);

    if (item->waits || item->kind != ELELEM_PART_PROVIDER_ITEM || !state->is_open) return;
    if (state->is_whole || !state->is_call || elelem_shape_choice_ending(c, 0) == ELELEM_SHAPE_ENDED)
        els_messages_close_json(c, index);
}

/* Ends what no content_block_stop ended, and what waits for the reason. */
static void els_messages_end_all(elelem_shape_context *c)
{
    const elelem_shape_item *item;

    while ((item = elelem_shape_item_oldest(c)) != NULL) {
        uint32_t index = item->index;
        if (item->kind == ELELEM_PART_TOOL_CALL) els_messages_stream_of(c)->has_call = 1;
        els_messages_close_last(c, index);
        els_messages_sign(c, index);
        elelem_shape_flush_as(c, index, elelem_shape_choice_ending(c, 0));
    }
}

/* Citations may be in the block, or come one by one. */
static void els_messages_cite(elelem_shape_context *c, elelem_value citations)
{
    if (elelem_value_type(elelem_value_first(citations)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "citations", citations);
}

static void els_messages_begin_call(elelem_shape_context *c, uint32_t index, elelem_value block)
{
    elelem_value input = elelem_value_get(block, "input");
    elelem_value caller = elelem_value_get(block, "caller");
    elelem_value toolset = elelem_value_get(block, "toolset_name");
    elelem_value fields = elelem_value_get(block, "provider_specific_fields");

    if (elelem_value_type(caller) == ELELEM_TYPE_OBJECT) elelem_shape_metadata_value(c, "caller", caller);
    if (elelem_shape_is_value(toolset)) elelem_shape_metadata_value(c, "toolset_name", toolset);
    if (elelem_value_type(fields) == ELELEM_TYPE_OBJECT) elelem_shape_metadata_value(c, "provider_specific_fields", fields);
    elelem_shape_tool_start(c, index, elelem_shape_string_in(block, "id"), elelem_shape_string_in(block, "name"));
    if (elelem_shape_string(input).size > 0) elelem_shape_tool_arguments(c, index, elelem_value_text(input));
    else if (elelem_value_type(input) == ELELEM_TYPE_OBJECT && elelem_shape_is_there(elelem_value_first(input)))
        elelem_shape_tool_arguments_value(c, index, input);
    else return;
    els_messages_state(elelem_shape_item_at(c, index))->is_whole = 1;
}

/* Emits the reasoning that a block begins with. */
static void els_messages_begin_thinking(elelem_shape_context *c, uint32_t index, elelem_str thinking)
{
    if (thinking.size > 0) els_messages_state(elelem_shape_item_at(c, index))->string = els_messages_hash(thinking);
    elelem_shape_text(c, index, thinking);
}

/* Keeps the signature that a block begins with. */
static void els_messages_begin_signature(elelem_shape_context *c, uint32_t index, elelem_str signature)
{
    els_messages_state(elelem_shape_item_at(c, index))->is_whole = signature.size > 0;
    elelem_shape_keep(c, index, signature);
}

/* What a block holds when it begins; most hold nothing yet. */
static void els_messages_begin_item(elelem_shape_context *c, uint32_t index, elelem_part_kind kind, elelem_value block)
{
    if (kind == ELELEM_PART_TOOL_CALL) {
        els_messages_begin_call(c, index, block);
    } else if (kind == ELELEM_PART_REASONING) {
        elelem_str data = elelem_shape_string_in(block, "data");
        if (data.size > 0) elelem_shape_metadata_text(c, "redacted_data", data);
        els_messages_begin_thinking(c, index, elelem_shape_string_in(block, "thinking"));
        els_messages_begin_signature(c, index, elelem_shape_string_in(block, "signature"));
    } else {
        els_messages_cite(c, elelem_value_get(block, "citations"));
        elelem_shape_text(c, index, elelem_shape_string_in(block, "text"));
    }
}

/* Nonzero if the block is the text or the reasoning that is open already, which llama.cpp begins again before its last pieces. After
   another message_start it is that of another response. */
static int els_messages_is_text_again(const elelem_shape_context *c, const elelem_shape_item *open, elelem_part_kind kind, elelem_value block)
{
    size_t size = elelem_shape_string_in(block, "text").size + elelem_shape_string_in(block, "thinking").size +
                  elelem_shape_string_in(block, "data").size;

    if (open->kind != kind || kind == ELELEM_PART_TOOL_CALL) return 0;
    return size == 0 && !els_messages_stream_of(c)->has_begun_again;
}

/* Nonzero if the block is the call that is open already. */
static int els_messages_is_call_again(const elelem_shape_item *open, elelem_value block)
{
    elelem_str id = elelem_shape_string_in(block, "id");

    return open->kind == ELELEM_PART_TOOL_CALL && elelem_str_is(elelem_shape_string_in(block, "type"), "tool_use") &&
           id.size > 0 && elelem_shape_item_may_be(open, elelem_shape_hash(id));
}

/* Another model begins after a fallback block, because the one before it refused: no call of that one continues.
   Else what begins shows that the model ended what waits. */
static void els_messages_release(elelem_shape_context *c, elelem_value block)
{
    const elelem_shape_item *item = elelem_shape_item_oldest(c);

    if (!elelem_str_is(elelem_shape_string_in(block, "type"), "fallback")) {
        elelem_shape_release(c, 0);
        return;
    }
    els_messages_stream_of(c)->has_call = 0;
    while (item) {
        int is_call = item->kind == ELELEM_PART_TOOL_CALL;
        if (is_call) elelem_shape_flush_as(c, item->index, ELELEM_SHAPE_STOPPED);
        item = is_call ? elelem_shape_item_oldest(c) : elelem_shape_item_newer(c, item);
    }
}

/* Opens a block. One that is open under the same number ends here, as when a
   proxy splices two responses, unless it is the same call once more. */
static void els_messages_begin_block(elelem_shape_context *c, uint32_t key, elelem_value block)
{
    elelem_part_kind kind = ELELEM_PART_PROVIDER_ITEM;
    const elelem_shape_item *open;
    int is_known = els_messages_kind(c, elelem_shape_string_in(block, "type"), &kind);
    uint32_t index;

    els_messages_release(c, block);
    open = els_messages_find(c, key);
    if (open && (els_messages_is_call_again(open, block) || (is_known && els_messages_is_text_again(c, open, kind, block)))) return;
    if (open) els_messages_cut_block(c, open->index);
    index = elelem_shape_item_open(c, 0, kind, key);
    if (index == ELELEM_NO_INDEX) return;
    if (is_known) els_messages_begin_item(c, index, kind, block);
    else if (elelem_shape_wants_items(c) && elelem_value_type(block) == ELELEM_TYPE_OBJECT)
        els_messages_begin_other(c, index, block);
    else els_messages_state(elelem_shape_item_at(c, index))->is_left_out = 1;
}

/* Adds those members of an object that are known of the response itself: of the message, of its last delta, or of the
   frame of that. `*described` has a bit for each that was added before. */
static void els_messages_describe(elelem_shape_context *c, elelem_value object, uint8_t *described)
{
    static const char *const keys[] = { "id", "model", "container", "context_management", "input_transformations", "service_tier" };
    size_t i;

    if (!elelem_shape_wants_items(c)) return;
    for (i = 0; i < ELS_COUNT(keys); i++) {
        int is_tier = i + 1 == ELS_COUNT(keys);
        elelem_value value = elelem_value_get(is_tier ? elelem_value_get(object, "usage") : object, keys[i]);
        if ((*described >> i & 1) || !elelem_shape_is_value(value)) continue;
        elelem_shape_metadata_value(c, keys[i], value);
        *described |= (uint8_t)(1u << i);
    }
}

/* The bits of the id and the model. */
#define ELS_MESSAGES_NAMES 3u

/* Nonzero for the id or the model of a frame or a delta, if the message has its own. */
static int els_messages_names_again(els_messages_stream *stream, elelem_str key)
{
    uint8_t name = elelem_str_is(key, "id") ? 1 : elelem_str_is(key, "model") ? 2 : 0;
    int is_known = (stream->described & name) != 0;

    stream->described |= name;
    return is_known;
}

/* Adds the members of an object that no row but this one names, under the wire's own names. */
static void els_messages_describe_rest(elelem_shape_context *c, elelem_value object, unsigned row)
{
    elelem_value member;

    if (!elelem_shape_wants_items(c)) return;
    member = elelem_shape_row_first(c, object, row);
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row)) {
        if (!elelem_shape_is_value(member) || els_messages_names_again(els_messages_stream_of(c), elelem_value_key(member))) continue;
        elelem_writer_value(elelem_shape_write(c), member);
        elelem_shape_metadata_written(c, elelem_value_key(member));
    }
}

/* The message: of a frame, or the whole response. */
static elelem_value els_messages_message(const elelem_shape_context *c)
{
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_WHOLE) return elelem_shape_document(c);
    return els_messages_member(c, "message");
}

/* Emits what is known of a message before blocks of it, once: nothing of it comes between them. */
static void els_messages_name(elelem_shape_context *c, elelem_value message)
{
    if (els_messages_stream_of(c)->is_listing) return;
    els_messages_stream_of(c)->is_listing = 1;
    els_messages_describe(c, message, &els_messages_stream_of(c)->described);
    elelem_shape_response(c);
}

static els_messages_place els_messages_place_of(elelem_str type)
{
    if (type.size == 0) return ELS_MESSAGES_ANYWHERE;
    if (elelem_str_is(type, "message_start")) return ELS_MESSAGES_LISTED;
    return elelem_str_is(type, "content_block_start") ? ELS_MESSAGES_ALONE : ELS_MESSAGES_NOWHERE;
}

static void els_messages_look_at(els_messages_stream *stream, elelem_value member)
{
    if (elelem_str_is(elelem_value_key(member), "type")) stream->place = els_messages_place_of(elelem_shape_string(member));
    if (elelem_str_is(elelem_value_key(member), "index")) stream->key = elelem_shape_number_or(member, ELS_MESSAGES_NO_NUMBER);
    stream->looked_at = member;
}

/* Looks which blocks of the frame count and for the key of its block, as far as that is known: at each member once. */
static void els_messages_look(const elelem_shape_context *c)
{
    els_messages_stream *stream = els_messages_stream_of(c);
    int is_begun = elelem_shape_is_there(stream->looked_at);
    elelem_value member = is_begun ? elelem_value_next(stream->looked_at) : elelem_value_first(elelem_shape_document(c));

    if (!is_begun) {
        stream->place = ELS_MESSAGES_ANYWHERE;
        stream->key = ELS_MESSAGES_NO_NUMBER;
    }
    for (; elelem_shape_is_there(member); member = elelem_value_next(member))
        els_messages_look_at(stream, member);
}

/* Nonzero if blocks of the frame count: those of the first message_start, or the one of a content_block_start. */
static int els_messages_takes_blocks(const elelem_shape_context *c, int is_listed)
{
    els_messages_place place = els_messages_stream_of(c)->place;

    if (is_listed && els_messages_stream_of(c)->has_begun) return 0;
    return place == ELS_MESSAGES_ANYWHERE || place == (is_listed ? ELS_MESSAGES_LISTED : ELS_MESSAGES_ALONE);
}

/* Nonzero if the block passed: all of it was emitted already. */
static int els_messages_has_passed(const elelem_shape_context *c, elelem_value block)
{
    return elelem_shape_wants_items(c) && elelem_shape_is_there(block) && !elelem_value_is_complete(block);
}

/* Emits those blocks of the message before `end`, which may be none, that were not, and ends them: they are whole. */
static void els_messages_listed(elelem_shape_context *c, elelem_value list, elelem_value end)
{
    elelem_value passed = els_messages_stream_of(c)->passed;
    elelem_value block = elelem_shape_is_there(passed) ? passed : elelem_value_first(list);

    for (; elelem_shape_is_there(block) && !elelem_shape_is_same(block, end); block = elelem_value_next(block)) {
        uint32_t key = (uint32_t)elelem_value_index(block);
        const elelem_shape_item *item;
        if (!els_messages_has_passed(c, block)) els_messages_begin_block(c, key, block);
        item = els_messages_find(c, key);
        if (item) els_messages_stop_block(c, item->index);
    }
}

/* The block that begins to pass: one of the message's, or the frame's. */
static uint32_t els_messages_passes(elelem_shape_context *c, elelem_value block, elelem_str type)
{
    int is_listed = els_messages_is_listed(block);
    uint32_t key, index;
    const elelem_shape_item *open;

    els_messages_look(c);
    key = is_listed ? (uint32_t)elelem_value_index(block) : els_messages_stream_of(c)->key;
    if (!els_messages_takes_blocks(c, is_listed)) return ELELEM_NO_INDEX;
    if (is_listed) {
        els_messages_name(c, elelem_value_parent(elelem_value_parent(block)));
        els_messages_listed(c, elelem_value_parent(block), block);
        els_messages_stream_of(c)->passed = block;
    }
    elelem_shape_release(c, 0);
    open = els_messages_find(c, key);
    if (open) els_messages_cut_block(c, open->index);
    index = elelem_shape_item_open(c, 0, ELELEM_PART_PROVIDER_ITEM, key);
    els_messages_begin_provider(c, index, type);
    return index;
}

/* Blocks of a whole message, after which another begins. */
static elelem_shape_worked els_messages_work(elelem_shape_context *c, unsigned row, elelem_value list)
{
    els_messages_stream *stream = els_messages_stream_of(c);
    const elelem_value none = ELELEM_INIT;

    (void)row;
    els_messages_name(c, elelem_shape_document(c));
    els_messages_listed(c, list, none);
    stream->passed = none;
    return ELELEM_SHAPE_WORKED;
}

/* Numbers the block that passed, if its number came after it. One that is open under that number ends. */
static void els_messages_number_passed(elelem_shape_context *c)
{
    uint32_t key = els_messages_key(c);
    const elelem_shape_item *open = els_messages_find(c, key);
    elelem_shape_item *passed;

    if (els_messages_stream_of(c)->key == key) return;
    if (open) els_messages_cut_block(c, open->index);
    passed = els_messages_find(c, ELS_MESSAGES_NO_NUMBER);
    if (passed) passed->key = key;
}

static elelem_status els_messages_block_start(elelem_shape_context *c)
{
    elelem_value block = els_messages_member(c, "content_block");

    els_messages_stream_of(c)->has_begun = 1;
    if (els_messages_has_passed(c, block)) els_messages_number_passed(c);
    else els_messages_begin_block(c, els_messages_key(c), block);
    return ELELEM_OK;
}

/* Emits what a delta brings for a message. Returns 0 if it is none of a message. */
static int els_messages_message_delta(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    elelem_str text = els_messages_piece(delta, "text_delta", "text");
    elelem_value citation;

    if (text.size > 0) {
        elelem_shape_text(c, index, text);
        return 1;
    }
    citation = elelem_value_get(delta, "citation");
    if (!elelem_str_is(elelem_shape_string_in(delta, "type"), "citations_delta") || !elelem_shape_is_value(citation)) return 0;
    elelem_shape_metadata_in_array(c, "citations", citation);
    elelem_shape_text(c, index, els_str(NULL, 0));
    return 1;
}

/* Emits or keeps what a delta brings for reasoning, unless LiteLLM's start of the block had it already. Returns 0 if it is none of reasoning. */
static int els_messages_reasoning_delta(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    els_messages_item *state = els_messages_state(elelem_shape_item_at(c, index));
    elelem_str thinking = els_messages_piece(delta, "thinking_delta", "thinking");
    elelem_str signature = els_messages_piece(delta, "signature_delta", "signature");

    if (thinking.size > 0) {
        int ends_character = elelem_shape_join(c, index, thinking).size == 4;
        int is_repeated = !ends_character && state->string != 0 && state->string == els_messages_hash(thinking);
        state->string = 0;
        if (!is_repeated) elelem_shape_text(c, index, thinking);
    } else if (!state->is_whole || !elelem_str_equal(signature, elelem_shape_kept(c, elelem_shape_item_at(c, index)))) {
        elelem_shape_keep(c, index, signature);
    }
    return thinking.size + signature.size > 0;
}

/* Returns 0 if the delta is none of a call. */
static int els_messages_call_delta(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    elelem_str json = els_messages_piece(delta, "input_json_delta", "partial_json");

    if (!els_messages_state(elelem_shape_item_at(c, index))->is_whole) elelem_shape_tool_arguments(c, index, json);
    return json.size > 0;
}

/* Returns the open item for text or reasoning that came for the block of a call, whose arguments may continue: a block without a number. */
static const elelem_shape_item *els_messages_during_call(const elelem_shape_context *c, const elelem_shape_item *open, uint32_t *key)
{
    if (!open || open->kind != ELELEM_PART_TOOL_CALL) return open;
    *key = ELS_MESSAGES_NO_NUMBER;
    return els_messages_find(c, *key);
}

/* Begins the block of a delta that has none. */
static uint32_t els_messages_begin_stray(elelem_shape_context *c, elelem_part_kind kind, uint32_t key)
{
    els_messages_stream_of(c)->has_begun = 1;
    elelem_shape_release(c, 0);
    return elelem_shape_item_open(c, 0, kind, key);
}

/* Emits text or reasoning for which no block is open, or one of another kind: that ends, and one of its own begins.
   Ollama and claude-code-router leave out starts, LiteLLM sends reasoning in blocks of text, SGLang and vLLM text in those of calls. */
static void els_messages_stray(elelem_shape_context *c, const elelem_shape_item *open, elelem_part_kind kind, elelem_str text)
{
    uint32_t key = els_messages_key(c);

    open = els_messages_during_call(c, open, &key);
    if (open && open->kind == kind) {
        elelem_shape_text(c, open->index, text);
        return;
    }
    if (open) els_messages_stop_block(c, open->index);
    elelem_shape_text(c, els_messages_begin_stray(c, kind, key), text);
}

/* A delta for a block that never began or has ended, and of neither text nor reasoning. CLIProxyAPI begins with a signature. What else
   would be lost is a protocol error. */
static elelem_status els_messages_lost_delta(elelem_shape_context *c, elelem_value delta)
{
    elelem_str signature = els_messages_piece(delta, "signature_delta", "signature");

    if (signature.size > 0) elelem_shape_keep(c, els_messages_begin_stray(c, ELELEM_PART_REASONING, els_messages_key(c)), signature);
    else if (!elelem_str_is(elelem_shape_string_in(delta, "type"), "text_delta")) return ELELEM_ERROR_PROTOCOL;
    return ELELEM_OK;
}

/* A delta that no open block takes. One that does not fit the kind of its block is ignored, unless it is text or reasoning. */
static elelem_status els_messages_other_delta(elelem_shape_context *c, const elelem_shape_item *open, elelem_value delta)
{
    elelem_str text = els_messages_piece(delta, "text_delta", "text");
    elelem_str thinking = els_messages_piece(delta, "thinking_delta", "thinking");

    if (text.size > 0) els_messages_stray(c, open, elelem_shape_message_kind(c), text);
    else if (thinking.size > 0) els_messages_stray(c, open, ELELEM_PART_REASONING, thinking);
    else if (!open) return els_messages_lost_delta(c, delta);
    return ELELEM_OK;
}

/* Deltas of blocks left out are ignored. */
static elelem_status els_messages_block_delta(elelem_shape_context *c)
{
    elelem_value delta = els_messages_member(c, "delta");
    const elelem_shape_item *item = els_messages_block(c);
    uint32_t index = item ? item->index : ELELEM_NO_INDEX;
    int is_taken;

    if (!item) return els_messages_other_delta(c, NULL, delta);
    elelem_shape_release(c, 0);
    item = elelem_shape_item_at(c, index);
    if (els_messages_state(item)->is_left_out) return ELELEM_OK;
    if (item->kind == ELELEM_PART_PROVIDER_ITEM) {
        els_messages_provider_delta(c, index, delta);
        return ELELEM_OK;
    }
    if (item->kind == ELELEM_PART_TOOL_CALL) is_taken = els_messages_call_delta(c, index, delta);
    else if (item->kind == ELELEM_PART_REASONING) is_taken = els_messages_reasoning_delta(c, index, delta);
    else is_taken = els_messages_message_delta(c, index, delta);
    if (is_taken) return ELELEM_OK;
    return els_messages_other_delta(c, elelem_shape_item_at(c, index), delta);
}

/* A stop of a block that is not open is ignored. */
static elelem_status els_messages_block_stop(elelem_shape_context *c)
{
    const elelem_shape_item *item = els_messages_block(c);

    if (item) els_messages_stop_block(c, item->index);
    return ELELEM_OK;
}

/* The message. */

static const elelem_shape_word els_messages_reasons[] = {
    { "end_turn", ELELEM_FINISH_COMPLETED },
    { "stop_sequence", ELELEM_FINISH_COMPLETED },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "model_context_window_exceeded", ELELEM_FINISH_MAX_TOKENS },
    { "tool_use", ELELEM_FINISH_TOOL_CALLS },
    { "refusal", ELELEM_FINISH_CONTENT_FILTER },
    { "pause_turn", ELELEM_FINISH_CONTINUE },
    { "compaction", ELELEM_FINISH_CONTINUE },
};

/* After a call end_turn means the call: vLLM says so if the request forced it, and claude-code-router of models of Google. */
static void els_messages_reason_of_call(elelem_shape_context *c)
{
    if (els_messages_stream_of(c)->ends_turn && els_messages_stream_of(c)->has_call)
        elelem_shape_reason(c, 0, ELELEM_FINISH_TOOL_CALLS, els_str(NULL, 0), 1);
}

/* The reason in a message_delta's delta, or in a message that is there at once. Returns 0 if there is none. */
static int els_messages_reason(elelem_shape_context *c, elelem_value from)
{
    elelem_str raw = elelem_shape_string_in(from, "stop_reason");
    elelem_value details = elelem_value_get(from, "stop_details");
    elelem_value sequence = elelem_value_get(from, "stop_sequence");

    if (raw.size == 0) return 0;
    elelem_shape_reason(c, 0, elelem_shape_reason_of(els_messages_reasons, ELS_COUNT(els_messages_reasons), raw), raw, 1);
    els_messages_stream_of(c)->ends_turn = (uint8_t)elelem_str_is(raw, "end_turn");
    if (elelem_value_type(details) == ELELEM_TYPE_OBJECT)
        elelem_shape_end_metadata(c, "stop_details", details);
    else if (elelem_value_type(sequence) == ELELEM_TYPE_STRING)
        elelem_shape_end_metadata(c, "stop_sequence", sequence);
    return 1;
}

/* The reason in a message that begins. If its content is still to come, it counts only at message_stop: no body that breaks off
   before is whole by it. */
static void els_messages_start_reason(elelem_shape_context *c, elelem_value message)
{
    elelem_str raw = elelem_shape_string_in(message, "stop_reason");
    uint8_t row = 0;

    if (elelem_shape_frame_kind(c) != ELELEM_SHAPE_DATA || elelem_shape_is_there(elelem_value_first(elelem_value_get(message, "content")))) {
        els_messages_reason(c, message);
        return;
    }
    while (row < ELS_COUNT(els_messages_reasons) && !elelem_str_is(raw, els_messages_reasons[row].word))
        row++;
    els_messages_stream_of(c)->start_reason = raw.size > 0 ? row + 1 : 0;
}

/* What a message began with is the reason if no frame after it had one. Of a word that is not known nothing is left. */
static void els_messages_recall_reason(elelem_shape_context *c)
{
    uint8_t start = els_messages_stream_of(c)->start_reason;
    const elelem_shape_word *word = start > 0 && start <= ELS_COUNT(els_messages_reasons) ? &els_messages_reasons[start - 1] : NULL;

    if (word) elelem_shape_reason(c, 0, (elelem_finish_reason)word->reason, elelem_str_of(word->word), 0);
    else if (start > 0) elelem_shape_reason(c, 0, ELELEM_FINISH_OTHER, els_str(NULL, 0), 0);
}

/* Counts go up from frame to frame, and a later frame may name only some of them. */
static void els_messages_usage(elelem_shape_context *c, elelem_value raw)
{
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_count_to(&usage.input, raw, "input_tokens");
    elelem_shape_count_to(&usage.output, raw, "output_tokens");
    elelem_shape_count_to(&usage.cached, raw, "cache_read_input_tokens");
    elelem_shape_count_to(&usage.cache_written, raw, "cache_creation_input_tokens");
    elelem_shape_count_to(&usage.reasoning, elelem_value_get(raw, "output_tokens_details"), "thinking_tokens");
    elelem_shape_usage(c, usage, raw);
}

/* What message_start and message_stop count: vLLM has the counts next to the message of the first, SGLang in one of the last.
   Those of a whole response are its own. */
static void els_messages_frame_usage(elelem_shape_context *c)
{
    els_messages_usage(c, els_messages_member(c, "usage"));
    els_messages_usage(c, elelem_value_get(els_messages_member(c, "message"), "usage"));
}

/* Emits what is known of the response, with what the frame has. */
static void els_messages_describe_frame(elelem_shape_context *c)
{
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA) els_messages_describe_rest(c, elelem_shape_document(c), ELS_MESSAGES_FRAME_REST);
    elelem_shape_response(c);
}

/* One comes first; another, from a faulty proxy, is ignored. It holds whole blocks if the model
   only continues with what a tool of the provider's called for. */
static elelem_status els_messages_start(elelem_shape_context *c)
{
    elelem_value message = els_messages_message(c);
    const elelem_value none = ELELEM_INIT;

    if (els_messages_stream_of(c)->has_begun) {
        els_messages_stream_of(c)->has_begun_again = 1;
        return ELELEM_OK;
    }
    els_messages_stream_of(c)->has_begun = 1;
    els_messages_describe(c, message, &els_messages_stream_of(c)->described);
    els_messages_describe_rest(c, message, ELS_MESSAGES_MESSAGE_REST);
    els_messages_describe_frame(c);
    els_messages_frame_usage(c);
    els_messages_start_reason(c, message);
    els_messages_listed(c, elelem_value_get(message, "content"), none);
    return ELELEM_OK;
}

/* A frame with the reason is the last before message_stop, so nothing may stay open. */
static elelem_status els_messages_delta(elelem_shape_context *c)
{
    uint8_t of_delta = ELS_MESSAGES_NAMES, of_frame = ELS_MESSAGES_NAMES;

    els_messages_describe(c, els_messages_member(c, "delta"), &of_delta);
    els_messages_describe_rest(c, els_messages_member(c, "delta"), ELS_MESSAGES_DELTA_REST);
    els_messages_describe(c, elelem_shape_document(c), &of_frame);
    els_messages_describe_frame(c);
    els_messages_usage(c, els_messages_member(c, "usage"));
    if (!els_messages_reason(c, els_messages_member(c, "delta"))) return ELELEM_OK;
    els_messages_stream_of(c)->has_begun = 1;
    els_messages_end_all(c);
    els_messages_reason_of_call(c);
    return ELELEM_OK;
}

/* Without a reason the message counts as completed; without a message it is none. */
static elelem_status els_messages_stop(elelem_shape_context *c)
{
    int had_call = elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL);

    if (!els_messages_stream_of(c)->has_begun) return ELELEM_ERROR_PROTOCOL;
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA) {
        els_messages_describe_frame(c);
        els_messages_frame_usage(c);
    }
    els_messages_recall_reason(c);
    els_messages_end_all(c);
    elelem_shape_reason(c, 0, had_call ? ELELEM_FINISH_TOOL_CALLS : ELELEM_FINISH_COMPLETED, els_str(NULL, 0), 0);
    els_messages_reason_of_call(c);
    elelem_shape_finish(c);
    return ELELEM_OK;
}

/* An error whose JSON has no error member says at best its sentence. */
static elelem_status els_messages_error(elelem_shape_context *c)
{
    if (!elelem_shape_document_error(c)) elelem_shape_error_of(c, elelem_shape_document(c));
    return ELELEM_OK;
}

/* A frame that says nothing may still hold an error. */
static elelem_status els_messages_ping(elelem_shape_context *c)
{
    elelem_shape_document_error(c);
    return ELELEM_OK;
}

typedef struct els_messages_event {
    const char *type;
    elelem_status (*handle)(elelem_shape_context *c);
} els_messages_event;

static const els_messages_event els_messages_events[] = {
    { "message_start", els_messages_start },
    { "content_block_start", els_messages_block_start },
    { "content_block_delta", els_messages_block_delta },
    { "content_block_stop", els_messages_block_stop },
    { "message_delta", els_messages_delta },
    { "message_stop", els_messages_stop },
    { "error", els_messages_error },
    { "ping", els_messages_ping },
};

static const els_messages_event *els_messages_event_of(elelem_str type)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_messages_events); i++)
        if (elelem_str_is(type, els_messages_events[i].type)) return &els_messages_events[i];
    return NULL;
}

/* A whole response is what a message_start can hold too. */
static elelem_status els_messages_whole(elelem_shape_context *c)
{
    if (elelem_shape_document_error(c)) return ELELEM_OK;
    if (!elelem_shape_is_there(els_messages_member(c, "content")) && !elelem_shape_is_there(els_messages_member(c, "stop_reason")))
        return ELELEM_ERROR_PROTOCOL;
    els_messages_start(c);
    return els_messages_stop(c);
}

static elelem_status els_messages_other(elelem_shape_context *c)
{
    elelem_shape_ignore(c);
    return els_messages_ping(c);
}

/* Goes by the type in the data, and by the event's name if that is not known. */
static elelem_status els_messages_data(elelem_shape_context *c)
{
    const els_messages_event *event = els_messages_event_of(elelem_shape_string_in(elelem_shape_document(c), "type"));

    if (!event) event = els_messages_event_of(elelem_shape_event_name(c));
    return event ? event->handle(c) : els_messages_other(c);
}

/* Some gateways send [DONE] after message_stop, or for it. */
static elelem_status els_messages_frame(elelem_shape_context *c)
{
    const elelem_value none = ELELEM_INIT;
    elelem_status status = ELELEM_OK;

    switch (elelem_shape_frame_kind(c)) {
    case ELELEM_SHAPE_DATA: status = els_messages_data(c); break;
    case ELELEM_SHAPE_DONE: status = els_messages_stop(c); break;
    default: status = els_messages_whole(c); break;
    }
    els_messages_stream_of(c)->passed = none;
    els_messages_stream_of(c)->is_listing = 0;
    els_messages_stream_of(c)->looked_at = none;
    return status;
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_messages_recovery[] = {
    { "messages[*].role", NULL, ELELEM_RECOVERY_SPEAKER, 0 },
    { "messages[*].content[*].type", NULL, ELELEM_RECOVERY_BLOCK_TYPE, 0 },
    { "messages[*].content[*].signature", "signature", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_SIGNATURE | ELELEM_REJECTED_CHANGE },
    { "messages[*].content[*].data", "redacted_data", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_CHANGE },
};

/* Blocks of these types do not pass. */
static const char *const els_messages_kept[] = { "text",         "thinking",   "redacted_thinking", "tool_use", "server_tool_use",
                                                 "mcp_tool_use", "compaction", "fallback",          NULL };

/* A small block of a frame is stored, so that what deltas bring can be joined to one of an unknown type. */
static const elelem_passage_rule els_messages_rules[] = {
    { ELS_MESSAGES_BLOCK, 1024, "type", els_messages_kept, NULL, NULL, NULL, NULL },
    { ELS_MESSAGES_CONTENT_BLOCK, 0, "type", els_messages_kept, NULL, NULL, NULL, NULL },
};

static const elelem_shape_items els_messages_items = { els_messages_item_paths, els_messages_rules,
                                                       ELS_COUNT(els_messages_rules), els_messages_passes };

static const uint16_t els_messages_elements[] = { ELS_MESSAGES_CONTENT_BLOCK, 0 };

static const elelem_shape_lists els_messages_lists = { els_messages_elements, els_messages_work };

ELS_DATA const elelem_shape elelem_shape_messages = {
    "messages", els_messages_paths, ELS_MESSAGES_ROWS, els_messages_frame,
    sizeof(els_messages_item), 0, sizeof(els_messages_stream), 0, 0,
    ELS_IF_METADATA(els_messages_recovery), ELS_COUNT(els_messages_recovery) * ELS_HAS_METADATA,
    ELS_IF_ITEMS(&els_messages_items), 1, ELS_MESSAGES_MESSAGE, NULL, NULL,
    ELS_IF_WHOLE(&els_messages_lists),
};

#endif

#endif
