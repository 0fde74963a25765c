#ifndef ELS_SHAPE_CHAT_C
#define ELS_SHAPE_CHAT_C
#include "shape_chat.h"
#include "base.c"
#include "recovery.h"

/* >> shape_chat */

#ifndef ELELEM_NO_CHAT

/* A chunk: {"choices":[{"index":0,"delta":{...},"finish_reason":null}],"usage":{...},"error":{...}}
   Real ones put their members in any order, so a chunk is worked on when it is whole. Of the choices their BEGIN is wanted,
   because a chunk may say nothing, and still is one.
   Members are looked up from one row to another: of the root from USAGE to SEARCH_RESULTS, of a choice from INDEX to DELTA, of
   a delta from CONTENT to PROVIDER_METADATA. A new one belongs between these. */
#define ELS_CHAT_PATHS(P, MEMBER, ELEMENTS)                            \
    MEMBER(P, CHOICES, ROOT, "choices", BEGIN)                         \
    MEMBER(P, USAGE, ROOT, "usage", WHOLE)                             \
    MEMBER(P, GROQ, ROOT, "x_groq", NOTHING)                           \
    MEMBER(P, CITATIONS, ROOT, "citations", WHOLE)                     \
    MEMBER(P, SEARCH_RESULTS, ROOT, "search_results", WHOLE)           \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                             \
    MEMBER(P, OBJECT, ROOT, "object", WHOLE)                           \
    MEMBER(P, MESSAGE, ROOT, "message", WHOLE)                         \
    MEMBER(P, CODE, ROOT, "code", WHOLE)                               \
    MEMBER(P, TYPE, ROOT, "type", WHOLE)                               \
    ELEMENTS(P, CHOICE, CHOICES, NOTHING)                              \
    MEMBER(P, GROQ_USAGE, GROQ, "usage", WHOLE)                        \
    MEMBER(P, INDEX, CHOICE, "index", WHOLE)                           \
    MEMBER(P, FINISH_REASON, CHOICE, "finish_reason", WHOLE)           \
    MEMBER(P, DELTA, CHOICE, "delta", NOTHING)                         \
    MEMBER(P, CONTENT, DELTA, "content", WHOLE)                        \
    MEMBER(P, REASONING_CONTENT, DELTA, "reasoning_content", WHOLE)    \
    MEMBER(P, REASONING, DELTA, "reasoning", WHOLE)                    \
    MEMBER(P, REASONING_DETAILS, DELTA, "reasoning_details", WHOLE)    \
    MEMBER(P, REFUSAL, DELTA, "refusal", WHOLE)                        \
    MEMBER(P, TOOL_CALLS, DELTA, "tool_calls", WHOLE)                  \
    MEMBER(P, FUNCTION_CALL, DELTA, "function_call", WHOLE)            \
    MEMBER(P, ANNOTATIONS, DELTA, "annotations", WHOLE)                \
    MEMBER(P, PROVIDER_METADATA, DELTA, "provider_metadata", WHOLE)

ELELEM_SHAPE_PATHS(ELS_CHAT_PATHS, ELS_CHAT_, els_chat_paths);

/* Keys of the items that a choice can have besides its calls and its blocks of reasoning. */
enum { ELS_CHAT_TEXT_KEY, ELS_CHAT_REFUSAL_KEY };

/* The key of a call that came as function_call, which has no index. */
#define ELS_CHAT_FUNCTION_CALL_KEY 0xfffffffeu

/* State of the stream. */
typedef struct els_chat_stream {
    uint32_t citations; /* emitted already, of lists that are repeated */
    uint32_t search_results;
    int had_chunk;
    int has_read_lists; /* of this chunk */
} els_chat_stream;

/* State of a choice. */
typedef struct els_chat_choice {
    int is_refused; /* it had refusal text */
} els_chat_choice;

/* State of an item. */
typedef struct els_chat_item {
    int is_unnumbered; /* a call whose first piece had no index */
} els_chat_item;

static els_chat_stream *els_chat_stream_of(const elelem_shape_context *c)
{
    return (els_chat_stream *)elelem_shape_stream_state(c);
}

static els_chat_item *els_chat_state(const elelem_shape_item *item)
{
    return (els_chat_item *)elelem_shape_item_state(item);
}

/* Reasoning. `reasoning` and `reasoning_content` are the same text if both come, and
   entries of reasoning_details say it once more. */

/* The text of one entry; its name depends on the type. */
static elelem_str els_chat_detail_text(elelem_value entry)
{
    elelem_str text = elelem_shape_string_in(entry, "text");

    return text.size > 0 ? text : elelem_shape_string_in(entry, "summary");
}

/* An entry says more than its text if it has a signature or data. */
static int els_chat_detail_says_more(elelem_value entry)
{
    return elelem_shape_string_in(entry, "signature").size > 0 || elelem_shape_string_in(entry, "data").size > 0;
}

static int els_chat_any_says_more(elelem_value entry, elelem_value end)
{
    while (!elelem_shape_is_same(entry, end) && !els_chat_detail_says_more(entry))
        entry = elelem_value_next(entry);
    return !elelem_shape_is_same(entry, end);
}

static void els_chat_write_detail(elelem_writer *writer, elelem_value entry)
{
    elelem_value member;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(entry); elelem_value_type(member) != ELELEM_TYPE_NONE;
         member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (elelem_str_is(key, "text") || elelem_str_is(key, "summary")) continue;
        elelem_writer_key(writer, key);
        elelem_writer_value(writer, member);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* Entries with one index are one block of reasoning, which is an item whose key is that index. An entry without
   an index belongs to the block before it. Returns the first entry after this one that is of another block, or no value. */
static elelem_value els_chat_block_end(elelem_value entry, uint32_t key)
{
    do
        entry = elelem_value_next(entry);
    while (elelem_shape_is_there(entry) && elelem_shape_number_or(elelem_value_get(entry, "index"), key) == key);
    return entry;
}

/* Adds what the entries up to `end` say in addition to their text; with `all` also entries that only have their kind. */
static void els_chat_details(elelem_shape_context *c, elelem_value entry, elelem_value end, int all)
{
    elelem_writer *writer = elelem_shape_write(c);
    int any = 0;

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; !elelem_shape_is_same(entry, end); entry = elelem_value_next(entry)) {
        if (elelem_value_type(entry) != ELELEM_TYPE_OBJECT || (!all && !els_chat_detail_says_more(entry))) continue;
        els_chat_write_detail(writer, entry);
        any = 1;
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    if (any) elelem_shape_metadata_written(c, elelem_str_of("reasoning_details"));
}

static elelem_str els_chat_reasoning_text(const elelem_shape_context *c)
{
    elelem_str text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REASONING_CONTENT));

    return text.size > 0 ? text : elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REASONING));
}

/* The first entry from here up to `end` that has a text, or `end`. */
static elelem_value els_chat_detail_with_text(elelem_value entry, elelem_value end)
{
    while (!elelem_shape_is_same(entry, end) && els_chat_detail_text(entry).size == 0)
        entry = elelem_value_next(entry);
    return entry;
}

/* The key of the reasoning that is open; 0 if none is. */
static uint32_t els_chat_open_reasoning(const elelem_shape_context *c, uint32_t choice)
{
    const elelem_shape_item *item = elelem_shape_item_at(c, elelem_shape_item_text(c, choice));

    return item && item->kind == ELELEM_PART_REASONING ? item->key : 0;
}

static void els_chat_say(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, uint32_t key, elelem_str text)
{
    if (text.size == 0) return;
    elelem_shape_text(c, elelem_shape_item_continue(c, choice, kind, key), text);
}

/* Metadata that waits goes on the open item of its kind, or on a new one. That is over at once if it would come between the
   pieces of another text. */
static void els_chat_aside(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, uint32_t key)
{
    uint32_t index = elelem_shape_item_find(c, choice, kind, key);
    uint32_t other = elelem_shape_item_text(c, choice);
    int is_new = index == ELELEM_NO_INDEX;

    if (!elelem_shape_has_metadata(c)) return;
    if (is_new) index = elelem_shape_item_open(c, choice, kind, key);
    elelem_shape_text(c, index, els_str(NULL, 0));
    if (is_new && other != ELELEM_NO_INDEX) elelem_shape_flush(c, index);
}

/* Ends a block of reasoning that is open, if it is another than that of the key. */
static void els_chat_end_block(elelem_shape_context *c, uint32_t choice, uint32_t key)
{
    const elelem_shape_item *open = elelem_shape_item_at(c, elelem_shape_item_text(c, choice));

    if (open && open->kind == ELELEM_PART_REASONING && open->key != key) elelem_shape_flush(c, open->index);
}

/* The entries of one block: the texts, or in their place the delta's own, and on the first of them what else the entries say. */
static void els_chat_block(elelem_shape_context *c, uint32_t choice, elelem_value first, elelem_value end, uint32_t key,
                           elelem_str own)
{
    int is_new = elelem_shape_item_find(c, choice, ELELEM_PART_REASONING, key) == ELELEM_NO_INDEX;
    elelem_value entry = own.size > 0 ? end : els_chat_detail_with_text(first, end);
    int has_text = own.size > 0 || !elelem_shape_is_same(entry, end);

    if (has_text) {
        uint32_t index = elelem_shape_item_continue(c, choice, ELELEM_PART_REASONING, key);
        els_chat_details(c, first, end, is_new);
        elelem_shape_text(c, index, own.size > 0 ? own : els_chat_detail_text(entry));
    } else if (els_chat_any_says_more(first, end)) {
        els_chat_end_block(c, choice, key);
        els_chat_details(c, first, end, 0);
        els_chat_aside(c, choice, ELELEM_PART_REASONING, key);
    }
    while (!elelem_shape_is_same(entry, end)) {
        entry = els_chat_detail_with_text(elelem_value_next(entry), end);
        if (!elelem_shape_is_same(entry, end))
            els_chat_say(c, choice, ELELEM_PART_REASONING, key, els_chat_detail_text(entry));
    }
}

/* The delta's own text repeats the texts of the entries. It counts unless those are of several blocks. */
static void els_chat_reasoning(elelem_shape_context *c, uint32_t choice)
{
    static const elelem_value none = ELELEM_INIT;
    elelem_value entry = elelem_value_first(elelem_shape_field(c, ELS_CHAT_REASONING_DETAILS));
    uint32_t key = elelem_shape_number_or(elelem_value_get(entry, "index"), els_chat_open_reasoning(c, choice));
    elelem_str own = els_chat_reasoning_text(c);

    if (!elelem_shape_is_there(entry)) els_chat_say(c, choice, ELELEM_PART_REASONING, key, own);
    else if (elelem_shape_is_there(els_chat_block_end(entry, key)) &&
             elelem_shape_is_there(els_chat_detail_with_text(entry, none))) own.size = 0;
    while (elelem_shape_is_there(entry)) {
        elelem_value end = els_chat_block_end(entry, key);
        els_chat_block(c, choice, entry, end, key, own);
        own.size = 0;
        entry = end;
        key = elelem_shape_number_or(elelem_value_get(entry, "index"), key);
    }
}

/* Content: a string, or an array of parts {"type":"text","text":...} and
   {"type":"thinking","thinking":[{"type":"text","text":...}]} (Mistral). */

static void els_chat_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_value inner = elelem_value_first(elelem_value_get(part, "thinking"));

    els_chat_say(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY, elelem_shape_string_in(part, "text"));
    for (; elelem_shape_is_there(inner); inner = elelem_value_next(inner))
        els_chat_say(c, choice, ELELEM_PART_REASONING, ELS_CHAT_TEXT_KEY, elelem_shape_string_in(inner, "text"));
}

static void els_chat_content(elelem_shape_context *c, uint32_t choice)
{
    elelem_value content = elelem_shape_field(c, ELS_CHAT_CONTENT);
    elelem_value part;

    els_chat_say(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY, elelem_shape_string(content));
    if (elelem_value_type(content) != ELELEM_TYPE_ARRAY) return;
    for (part = elelem_value_first(content); elelem_shape_is_there(part); part = elelem_value_next(part))
        els_chat_part(c, choice, part);
}

static void els_chat_refusal(elelem_shape_context *c, uint32_t choice)
{
    elelem_str text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REFUSAL));
    els_chat_choice *state;
    uint32_t index;

    if (text.size == 0) return;
    index = elelem_shape_item_continue(c, choice, ELELEM_PART_MESSAGE, ELS_CHAT_REFUSAL_KEY);
    elelem_shape_metadata_json(c, elelem_str_of("refusal"), elelem_str_of("true"));
    elelem_shape_text(c, index, text);
    state = (els_chat_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->is_refused = 1;
}

/* Some providers repeat the list in every chunk, and it may grow: only what is new is emitted. */
static void els_chat_list(elelem_shape_context *c, unsigned row, uint32_t *emitted)
{
    elelem_value list = elelem_shape_field(c, row);
    elelem_value entry;
    elelem_writer *writer;
    uint32_t count = 0;

    if (elelem_value_type(list) != ELELEM_TYPE_ARRAY) return;
    writer = elelem_shape_write(c);
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (entry = elelem_value_first(list); elelem_shape_is_there(entry); entry = elelem_value_next(entry))
        if (count++ >= *emitted) elelem_writer_value(writer, entry);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    if (count <= *emitted) return;
    *emitted = count;
    elelem_shape_metadata_written(c, els_str(els_chat_paths[row].key, els_chat_paths[row].size));
}

/* Once a chunk. */
static void els_chat_lists(elelem_shape_context *c)
{
    els_chat_stream *stream = els_chat_stream_of(c);

    if (stream->has_read_lists) return;
    stream->has_read_lists = 1;
    els_chat_list(c, ELS_CHAT_CITATIONS, &stream->citations);
    els_chat_list(c, ELS_CHAT_SEARCH_RESULTS, &stream->search_results);
}

static void els_chat_metadata(elelem_shape_context *c, uint32_t choice)
{
    elelem_value annotations = elelem_shape_field(c, ELS_CHAT_ANNOTATIONS);
    elelem_value provider = elelem_shape_field(c, ELS_CHAT_PROVIDER_METADATA);

    if (elelem_value_type(elelem_value_first(annotations)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "annotations", annotations);
    if (elelem_shape_is_value(provider)) elelem_shape_metadata_value(c, "provider_metadata", provider);
    if (choice == 0) els_chat_lists(c);
    els_chat_aside(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY);
}

/* Tool calls. */

/* The item of the call with this wire number: a new one if there is none, or if the id
   says that another call has begun under the same number. */
static uint32_t els_chat_call_item(elelem_shape_context *c, uint32_t choice, uint32_t key, elelem_str id)
{
    uint32_t index = elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, key);
    uint32_t text;

    if (index != ELELEM_NO_INDEX) {
        if (elelem_shape_item_may_be(c, index, id)) return index;
        elelem_shape_flush(c, index);
    }
    text = elelem_shape_item_text(c, choice);
    if (text != ELELEM_NO_INDEX) elelem_shape_flush(c, text);
    return elelem_shape_item_open(c, choice, ELELEM_PART_TOOL_CALL, key);
}

/* A piece of a call: the call, and its function. */
typedef struct els_chat_piece {
    elelem_value call;
    elelem_value function;
    elelem_str id;
    elelem_str name;
} els_chat_piece;

static els_chat_piece els_chat_piece_of(elelem_value call, elelem_value function)
{
    els_chat_piece piece;

    piece.call = call;
    piece.function = function;
    piece.id = elelem_shape_string_in(call, "id");
    piece.name = elelem_shape_string_in(function, "name");
    return piece;
}

/* Nonzero if the piece can only continue a call: it has no id and no name. */
static int els_chat_continues(const els_chat_piece *piece)
{
    return piece->id.size == 0 && piece->name.size == 0;
}

/* Nonzero if the piece has nothing of a call: Snowflake sends a call with an empty name and empty arguments in
   responses without any. */
static int els_chat_is_empty(const els_chat_piece *piece)
{
    elelem_value arguments = elelem_value_get(piece->function, "arguments");
    int is_text = elelem_value_type(arguments) == ELELEM_TYPE_STRING;

    if (is_text ? elelem_value_text(arguments).size > 0 : elelem_shape_is_value(arguments)) return 0;
    return els_chat_continues(piece) && !elelem_shape_is_value(elelem_value_get(piece->call, "extra_content"));
}

/* Returns the index of the call's item. */
static uint32_t els_chat_call(elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    elelem_value arguments = elelem_value_get(piece->function, "arguments");
    elelem_value extra = elelem_value_get(piece->call, "extra_content");
    uint32_t index = els_chat_call_item(c, choice, key, piece->id);

    if (elelem_shape_is_value(extra)) elelem_shape_metadata_value(c, "extra_content", extra);
    elelem_shape_tool_start(c, index, piece->id, piece->name);
    if (elelem_value_type(arguments) == ELELEM_TYPE_STRING)
        elelem_shape_tool_arguments(c, index, elelem_value_text(arguments));
    else if (elelem_shape_is_value(arguments))
        elelem_shape_tool_arguments_value(c, index, arguments);
    return index;
}

/* The open call of the choice that began last, or with an id the one that has it; null if there is none. */
static elelem_shape_item *els_chat_open_call(const elelem_shape_context *c, uint32_t choice, elelem_str id)
{
    elelem_shape_item *item = elelem_shape_item_newest(c);

    for (; item; item = elelem_shape_item_older(c, item)) {
        if (item->choice != choice || item->kind != ELELEM_PART_TOOL_CALL) continue;
        if (id.size == 0 || (item->has_id && elelem_shape_item_may_be(c, item->index, id))) return item;
    }
    return NULL;
}

/* A piece without an index. Its id or, for a piece that is alone in its array, being the newest call identifies it; else
   its place in the array, which is how older Mistral models number calls. */
static void els_chat_unnumbered_call(elelem_shape_context *c, uint32_t choice, const els_chat_piece *piece)
{
    uint32_t place = (uint32_t)elelem_value_index(piece->call);
    int is_alone = place == 0 && elelem_value_type(elelem_value_next(piece->call)) == ELELEM_TYPE_NONE;
    elelem_shape_item *item = NULL;
    uint32_t index;

    if (piece->id.size > 0 || (is_alone && els_chat_continues(piece))) item = els_chat_open_call(c, choice, piece->id);
    index = els_chat_call(c, choice, item ? item->key : place, piece);
    if (item) return;
    item = elelem_shape_item_at(c, index);
    if (item) els_chat_state(item)->is_unnumbered = 1;
}

/* A piece with an index. If it begins nothing and no call has that index, it continues one that began without. */
static void els_chat_numbered_call(elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    elelem_shape_item *newest = els_chat_open_call(c, choice, els_str(NULL, 0));

    if (newest && els_chat_state(newest)->is_unnumbered && els_chat_continues(piece) &&
        elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, key) == ELELEM_NO_INDEX) {
        newest->key = key;
        els_chat_state(newest)->is_unnumbered = 0;
    }
    els_chat_call(c, choice, key, piece);
}

static void els_chat_tool_calls(elelem_shape_context *c, uint32_t choice)
{
    elelem_value call = elelem_value_first(elelem_shape_field(c, ELS_CHAT_TOOL_CALLS));

    for (; elelem_shape_is_there(call); call = elelem_value_next(call)) {
        els_chat_piece piece = els_chat_piece_of(call, elelem_value_get(call, "function"));
        uint32_t key;
        if (elelem_value_type(call) != ELELEM_TYPE_OBJECT || els_chat_is_empty(&piece)) continue;
        if (elelem_shape_number(elelem_value_get(call, "index"), &key)) els_chat_numbered_call(c, choice, key, &piece);
        else els_chat_unnumbered_call(c, choice, &piece);
    }
}

static void els_chat_function_call(elelem_shape_context *c, uint32_t choice)
{
    elelem_value function = elelem_shape_field(c, ELS_CHAT_FUNCTION_CALL);
    els_chat_piece piece = els_chat_piece_of(function, function);

    if (elelem_value_type(function) == ELELEM_TYPE_OBJECT && !els_chat_is_empty(&piece))
        els_chat_call(c, choice, ELS_CHAT_FUNCTION_CALL_KEY, &piece);
}

/* The end of a choice. */

static const elelem_shape_word els_chat_reasons[] = {
    { "stop", ELELEM_FINISH_COMPLETED },
    { "eos", ELELEM_FINISH_COMPLETED },
    { "end_turn", ELELEM_FINISH_COMPLETED },
    { "stop_sequence", ELELEM_FINISH_COMPLETED },
    { "length", ELELEM_FINISH_MAX_TOKENS },
    { "model_length", ELELEM_FINISH_MAX_TOKENS },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "tool_calls", ELELEM_FINISH_TOOL_CALLS },
    { "function_call", ELELEM_FINISH_TOOL_CALLS },
    { "tool_use", ELELEM_FINISH_TOOL_CALLS },
    { "content_filter", ELELEM_FINISH_CONTENT_FILTER },
};

/* `stop` after tool calls means that they are to be run, whatever a forced tool_choice or a
   compatibility layer calls it. */
static elelem_finish_reason els_chat_completed(const elelem_shape_context *c, uint32_t choice)
{
    const els_chat_choice *state = (const els_chat_choice *)elelem_shape_choice_state(c, choice);

    if (elelem_shape_choice_had(c, choice, ELELEM_PART_TOOL_CALL)) return ELELEM_FINISH_TOOL_CALLS;
    return state && state->is_refused ? ELELEM_FINISH_CONTENT_FILTER : ELELEM_FINISH_COMPLETED;
}

/* What a later chunk opens is closed by a reason that comes after it, not by one that was there before. */
static void els_chat_finish(elelem_shape_context *c, uint32_t choice)
{
    elelem_str raw = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_FINISH_REASON));
    elelem_finish_reason reason = elelem_shape_reason_of(els_chat_reasons, ELS_COUNT(els_chat_reasons), raw);
    elelem_shape_ending ending = elelem_shape_ending_of(reason);

    if (raw.size == 0) return;
    if (reason == ELELEM_FINISH_COMPLETED) reason = els_chat_completed(c, choice);
    if (elelem_str_is(raw, "error") && !elelem_shape_document_error(c))
        elelem_shape_error(c, ELELEM_ERROR_KIND_TRANSIENT, raw, "the provider stopped the response with an error");
    elelem_shape_reason(c, choice, reason, raw, 0);
    elelem_shape_flush_all(c, choice, ending);
}

/* Usage: a chunk of its own, on the last chunk, on every chunk, or Groq's x_groq. */

static void els_chat_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, ELS_CHAT_USAGE);
    elelem_usage usage = elelem_shape_last_usage(c);
    elelem_value details;

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT)
        raw = elelem_value_get(elelem_shape_field(c, ELS_CHAT_GROQ), "usage");
    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    details = elelem_value_get(raw, "prompt_tokens_details");
    elelem_shape_count_to(&usage.input, raw, "prompt_tokens");
    elelem_shape_count_to(&usage.output, raw, "completion_tokens");
    elelem_shape_count_to(&usage.cached, raw, "prompt_cache_hit_tokens"); /* DeepSeek */
    elelem_shape_count_to(&usage.cached, raw, "num_cached_tokens");       /* Mistral */
    elelem_shape_count_to(&usage.cached, details, "cached_tokens");
    elelem_shape_count_to(&usage.cache_written, details, "cache_write_tokens");
    elelem_shape_count_to(&usage.reasoning, elelem_value_get(raw, "completion_tokens_details"), "reasoning_tokens");
    elelem_shape_usage(c, usage, raw);
}

static void els_chat_choice_of(elelem_shape_context *c, uint32_t choice, elelem_value delta)
{
    elelem_shape_fields_find(c, delta, ELS_CHAT_CONTENT, ELS_CHAT_PROVIDER_METADATA, ELS_CHAT_CONTENT);
    els_chat_reasoning(c, choice);
    els_chat_content(c, choice);
    els_chat_refusal(c, choice);
    els_chat_metadata(c, choice);
    els_chat_tool_calls(c, choice);
    els_chat_function_call(c, choice);
    els_chat_finish(c, choice);
}

/* What belongs to the whole chunk comes last. Citations may come in one that has no choice. */
static elelem_status els_chat_chunk(elelem_shape_context *c)
{
    elelem_value root = elelem_shape_document(c);
    elelem_value choices = elelem_value_get(root, "choices");
    elelem_value choice;
    uint32_t number = 0;

    els_chat_stream_of(c)->had_chunk |= elelem_value_type(choices) == ELELEM_TYPE_ARRAY;
    els_chat_stream_of(c)->has_read_lists = 0;
    elelem_shape_fields_find(c, root, ELS_CHAT_USAGE, ELS_CHAT_SEARCH_RESULTS, ELS_CHAT_USAGE);
    for (choice = elelem_value_first(choices); elelem_shape_is_there(choice); choice = elelem_value_next(choice)) {
        elelem_shape_fields_find(c, choice, ELS_CHAT_INDEX, ELS_CHAT_DELTA, ELS_CHAT_INDEX);
        number = elelem_shape_number_or(elelem_shape_field(c, ELS_CHAT_INDEX), 0);
        els_chat_choice_of(c, number, elelem_shape_field(c, ELS_CHAT_DELTA));
    }
    els_chat_lists(c);
    els_chat_aside(c, number, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY);
    els_chat_usage(c);
    elelem_shape_document_error(c);
    return ELELEM_OK;
}

/* [DONE] without a reason comes from Snowflake and some others. */
static elelem_status els_chat_frame(elelem_shape_context *c)
{
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA) return els_chat_chunk(c);
    if (!els_chat_stream_of(c)->had_chunk) return ELELEM_ERROR_PROTOCOL;
    if (!elelem_shape_has_reason(c, 0)) elelem_shape_reason(c, 0, els_chat_completed(c, 0), els_str(NULL, 0), 0);
    elelem_shape_finish(c);
    return ELELEM_OK;
}

/* What a router may have a provider's model find stale. */
static const elelem_recovery_path els_chat_recovery[] = {
    { "messages[*].role", NULL, ELELEM_RECOVERY_SPEAKER, 0 },
    { "messages[*].reasoning_details[*].signature", "reasoning_details", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_SIGNATURE | ELELEM_REJECTED_CHANGE | ELELEM_REJECTED_THOUGHT },
    { "messages[*].reasoning_details[*].data", "reasoning_details", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_CHANGE | ELELEM_REJECTED_THOUGHT | ELELEM_REJECTED_ENCRYPTED },
    { "messages[*].reasoning_details[*].id", "reasoning_details", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ITEM },
    { "messages[*].tool_calls[*].extra_content.google.thought_signature", "extra_content", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_THOUGHT },
};

ELS_DATA const elelem_shape elelem_shape_chat = {
    "chat", els_chat_paths, ELS_CHAT_ROWS, els_chat_frame,
    sizeof(els_chat_item), sizeof(els_chat_choice), sizeof(els_chat_stream), 0, 0,
    els_chat_recovery, ELS_COUNT(els_chat_recovery), NULL, 0, 0,
};

#endif

#endif
