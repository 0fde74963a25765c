#ifndef ELS_SHAPE_CHAT_C
#define ELS_SHAPE_CHAT_C
#include "shape_chat.h"
#include "shape.c"
#include "recovery.h"

/* >> shape_chat */

#ifndef ELELEM_NO_CHAT

/* A chunk: {"choices":[{"index":0,"delta":{…},"finish_reason":null}],"usage":{…},"error":{…}}
   Real ones put their members in any order, so a chunk is worked on when it is whole. */
static const elelem_pattern_node els_chat_paths[] = {
    ELELEM_PATTERN_ROOT(0),
    ELELEM_PATTERN_MEMBER(0, "choices", ELELEM_WANT_BEGIN), /* a chunk may say nothing, and still is one */
    ELELEM_PATTERN_MEMBER(0, "usage", 1),
    ELELEM_PATTERN_MEMBER(0, "x_groq", 0),
    ELELEM_PATTERN_MEMBER(0, "citations", 1),
    ELELEM_PATTERN_MEMBER(0, "search_results", 1),
    ELELEM_PATTERN_MEMBER(0, "error", 1),
    ELELEM_PATTERN_MEMBER(0, "object", 1),
    ELELEM_PATTERN_MEMBER(0, "message", 1),
    ELELEM_PATTERN_MEMBER(0, "code", 1),
    ELELEM_PATTERN_MEMBER(0, "type", 1),
    ELELEM_PATTERN_ELEMENTS(1, 0),
    ELELEM_PATTERN_MEMBER(3, "usage", 1),
    ELELEM_PATTERN_MEMBER(11, "index", 1),
    ELELEM_PATTERN_MEMBER(11, "finish_reason", 1),
    ELELEM_PATTERN_MEMBER(11, "delta", 0),
    ELELEM_PATTERN_MEMBER(15, "content", 1),
    ELELEM_PATTERN_MEMBER(15, "reasoning_content", 1),
    ELELEM_PATTERN_MEMBER(15, "reasoning", 1),
    ELELEM_PATTERN_MEMBER(15, "reasoning_details", 1),
    ELELEM_PATTERN_MEMBER(15, "refusal", 1),
    ELELEM_PATTERN_MEMBER(15, "tool_calls", 1),
    ELELEM_PATTERN_MEMBER(15, "function_call", 1),
    ELELEM_PATTERN_MEMBER(15, "annotations", 1),
    ELELEM_PATTERN_MEMBER(15, "provider_metadata", 1),
};

/* Rows of what is looked up by number; each is its own slot. */
enum {
    ELS_CHAT_USAGE = 2,
    ELS_CHAT_CITED = 4,
    ELS_CHAT_SEARCHED,
    ELS_CHAT_ROOT_LAST = ELS_CHAT_SEARCHED,
    ELS_CHAT_INDEX = 13,
    ELS_CHAT_FINISH_REASON,
    ELS_CHAT_CONTENT = 16,
    ELS_CHAT_REASONING_CONTENT,
    ELS_CHAT_REASONING,
    ELS_CHAT_REASONING_DETAILS,
    ELS_CHAT_REFUSAL_TEXT,
    ELS_CHAT_TOOL_CALLS,
    ELS_CHAT_FUNCTION,
    ELS_CHAT_ANNOTATIONS,
    ELS_CHAT_PROVIDER_METADATA
};

/* Wire numbers of the items that a choice can have besides its calls. */
enum { ELS_CHAT_TEXT, ELS_CHAT_REFUSAL };

/* The key of a call that came as function_call, which has no index. */
#define ELS_CHAT_FUNCTION_CALL 0xfffffffeu

/* The mark of a call whose first piece had no index. */
#define ELS_CHAT_UNNUMBERED 1

/* What memory[] holds: how many citations and search results were told already; whether a chunk came. */
enum { ELS_CHAT_CITATIONS, ELS_CHAT_SEARCH_RESULTS, ELS_CHAT_ANY_CHUNK };

/* What notes[] holds: whether the lists of the chunk were read. */
enum { ELS_CHAT_LISTS_READ };

/* The mark of a choice that had refusal text. */
enum { ELS_CHAT_REFUSED };

/* What is at work: cursor[0] is the choice, cursor[1] a place in a list of its delta; position is the
   choice's number. Of the root, the choice and its delta there are the fields. */

static elelem_value els_chat_field(const elelem_shape_context *c, unsigned row)
{
    return els_field(c, row);
}

static uint32_t els_chat_choice_number(const elelem_shape_context *c)
{
    return c->position;
}

/* Each stage of a choice does a little and answers OK where it is to be called again, MORE
   where the next one is due. */
typedef elelem_status (*els_chat_stage)(elelem_shape_context *c);

/* Reasoning. `reasoning` and `reasoning_content` are the same text where both come, and
   entries of reasoning_details say it once more. */

/* The text of one entry; its name depends on the type. */
static elelem_str els_chat_detail_text(elelem_value entry)
{
    elelem_str text = els_member_text(entry, "text");

    return text.size > 0 ? text : els_member_text(entry, "summary");
}

/* An entry says more than its text where it has a signature or data. */
static int els_chat_detail_says_more(elelem_value entry)
{
    return els_member_text(entry, "signature").size > 0 || els_member_text(entry, "data").size > 0;
}

static int els_chat_any_says_more(elelem_value entry, elelem_value end)
{
    while (entry.els_node != end.els_node && !els_chat_detail_says_more(entry))
        entry = elelem_value_next(entry);
    return entry.els_node != end.els_node;
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
    while (entry.els_node && els_wire_number_or(elelem_value_get(entry, "index"), key) == key);
    return entry;
}

/* Adds what the entries up to `end` say in addition to their text; with `all` also entries that only have their kind. */
static void els_chat_details(elelem_shape_context *c, elelem_value entry, elelem_value end, int all)
{
    elelem_writer writer;
    size_t offset = els_scratch_begin(c, &writer);
    int any = 0;

    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    for (; entry.els_node != end.els_node; entry = elelem_value_next(entry)) {
        if (elelem_value_type(entry) != ELELEM_TYPE_OBJECT || (!all && !els_chat_detail_says_more(entry))) continue;
        els_chat_write_detail(&writer, entry);
        any = 1;
    }
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    if (els_scratch_end(c, &writer) && any) els_metadata_add(c, elelem_str_of("reasoning_details"), offset);
}

static elelem_str els_chat_reasoning_text(const elelem_shape_context *c)
{
    elelem_str text = els_text_of(els_chat_field(c, ELS_CHAT_REASONING_CONTENT));

    return text.size > 0 ? text : els_text_of(els_chat_field(c, ELS_CHAT_REASONING));
}

/* The first entry from here up to `end` that has a text, or `end`. */
static elelem_value els_chat_detail_with_text(elelem_value entry, elelem_value end)
{
    while (entry.els_node != end.els_node && els_chat_detail_text(entry).size == 0)
        entry = elelem_value_next(entry);
    return entry;
}

/* The key of the reasoning that is open; 0 if none is. */
static uint32_t els_chat_open_reasoning(const elelem_shape_context *c)
{
    const els_item *item = els_item_at(c, els_item_find_text(c, els_chat_choice_number(c)));

    return item && item->kind == ELELEM_PART_REASONING ? item->key : 0;
}

static void els_chat_say(elelem_shape_context *c, elelem_part_kind kind, uint32_t key, elelem_str text)
{
    if (text.size == 0) return;
    elelem_shape_text(c, elelem_shape_item_continue(c, els_chat_choice_number(c), kind, key), text);
}

/* Metadata that waits goes on the open item of its kind, or on a new one. That is over at once if it would come between the
   pieces of another text. */
static void els_chat_aside(elelem_shape_context *c, elelem_part_kind kind, uint32_t key)
{
    uint32_t choice = els_chat_choice_number(c);
    uint32_t index = elelem_shape_item_find(c, choice, kind, key);
    uint32_t other = els_item_find_text(c, choice);
    int is_new = index == ELELEM_NO_INDEX;

    if (!elelem_shape_has_metadata(c)) return;
    if (is_new) index = elelem_shape_item_open(c, choice, kind, key);
    elelem_shape_text(c, index, els_str(NULL, 0));
    if (is_new && other != ELELEM_NO_INDEX) elelem_shape_flush(c, index);
}

/* Ends a block of reasoning that is open, if it is another than that of the key. */
static void els_chat_end_block(elelem_shape_context *c, uint32_t key)
{
    const els_item *open = els_item_at(c, els_item_find_text(c, els_chat_choice_number(c)));

    if (open && open->kind == ELELEM_PART_REASONING && open->key != key) elelem_shape_flush(c, open->index);
}

/* The entries of one block: the texts, or in their place the delta's own, and on the first of them what else the entries say. */
static void els_chat_block(elelem_shape_context *c, elelem_value first, elelem_value end, uint32_t key, elelem_str own)
{
    uint32_t choice = els_chat_choice_number(c);
    int is_new = elelem_shape_item_find(c, choice, ELELEM_PART_REASONING, key) == ELELEM_NO_INDEX;
    elelem_value entry = own.size > 0 ? end : els_chat_detail_with_text(first, end);
    int has_text = own.size > 0 || entry.els_node != end.els_node;

    if (has_text) {
        uint32_t index = elelem_shape_item_continue(c, choice, ELELEM_PART_REASONING, key);
        els_chat_details(c, first, end, is_new);
        elelem_shape_text(c, index, own.size > 0 ? own : els_chat_detail_text(entry));
    } else if (els_chat_any_says_more(first, end)) {
        els_chat_end_block(c, key);
        els_chat_details(c, first, end, 0);
        els_chat_aside(c, ELELEM_PART_REASONING, key);
    }
    while (entry.els_node != end.els_node) {
        entry = els_chat_detail_with_text(elelem_value_next(entry), end);
        if (entry.els_node != end.els_node) els_chat_say(c, ELELEM_PART_REASONING, key, els_chat_detail_text(entry));
    }
}

/* The delta's own text repeats the texts of the entries. It counts unless those are of several blocks. */
static elelem_status els_chat_reasoning(elelem_shape_context *c)
{
    static const elelem_value none = ELELEM_INIT;
    elelem_value entry = elelem_value_first(els_chat_field(c, ELS_CHAT_REASONING_DETAILS));
    uint32_t key = els_wire_number_or(elelem_value_get(entry, "index"), els_chat_open_reasoning(c));
    elelem_str own = els_chat_reasoning_text(c);

    c->cursor[1] = elelem_value_first(els_chat_field(c, ELS_CHAT_CONTENT));
    if (!entry.els_node) els_chat_say(c, ELELEM_PART_REASONING, key, own);
    else if (els_chat_block_end(entry, key).els_node && els_chat_detail_with_text(entry, none).els_node) own.size = 0;
    while (entry.els_node) {
        elelem_value end = els_chat_block_end(entry, key);
        els_chat_block(c, entry, end, key, own);
        own.size = 0;
        entry = end;
        key = els_wire_number_or(elelem_value_get(entry, "index"), key);
    }
    return ELELEM_MORE;
}

/* Content: a string, or an array of parts {"type":"text","text":…} and
   {"type":"thinking","thinking":[{"type":"text","text":…}]} (Mistral). */

/* A place in a content array is a part, or a text inside a thinking part. */
static int els_chat_is_thought(elelem_value part)
{
    return elelem_str_is(elelem_value_key(elelem_value_parent(part)), "thinking");
}

/* The place behind this one: the texts inside a thinking part come before the part behind it. */
static elelem_value els_chat_next_part(elelem_value part)
{
    elelem_value inner = elelem_value_first(elelem_value_get(part, "thinking"));
    elelem_value next = elelem_value_next(part);

    if (!els_chat_is_thought(part)) return elelem_value_type(inner) == ELELEM_TYPE_NONE ? next : inner;
    if (elelem_value_type(next) != ELELEM_TYPE_NONE) return next;
    return elelem_value_next(elelem_value_parent(elelem_value_parent(part)));
}

static elelem_status els_chat_content(elelem_shape_context *c)
{
    elelem_value content = els_chat_field(c, ELS_CHAT_CONTENT);
    elelem_value part = c->cursor[1];

    if (elelem_value_type(content) == ELELEM_TYPE_STRING)
        els_chat_say(c, elelem_shape_message_kind(c), ELS_CHAT_TEXT, elelem_value_text(content));
    if (elelem_value_type(content) != ELELEM_TYPE_ARRAY || elelem_value_type(part) == ELELEM_TYPE_NONE)
        return ELELEM_MORE;
    if (els_chat_is_thought(part))
        els_chat_say(c, ELELEM_PART_REASONING, ELS_CHAT_TEXT, els_member_text(part, "text"));
    else
        els_chat_say(c, elelem_shape_message_kind(c), ELS_CHAT_TEXT, els_member_text(part, "text"));
    c->cursor[1] = els_chat_next_part(part);
    return ELELEM_OK;
}

static elelem_status els_chat_refusal(elelem_shape_context *c)
{
    elelem_str text = els_text_of(els_chat_field(c, ELS_CHAT_REFUSAL_TEXT));

    if (text.size > 0) {
        uint32_t index =
            elelem_shape_item_continue(c, els_chat_choice_number(c), ELELEM_PART_MESSAGE, ELS_CHAT_REFUSAL);
        elelem_shape_metadata_json(c, elelem_str_of("refusal"), elelem_str_of("true"));
        elelem_shape_text(c, index, text);
        elelem_shape_choice_mark(c, els_chat_choice_number(c), ELS_CHAT_REFUSED);
    }
    return ELELEM_MORE;
}

/* Some providers repeat the list in every chunk, and it may grow: only what is new is told. */
static void els_chat_list(elelem_shape_context *c, unsigned row, unsigned memory)
{
    elelem_value list = els_chat_field(c, row);
    elelem_value entry;
    elelem_writer writer;
    size_t offset;
    uint32_t count = 0;

    if (elelem_value_type(list) != ELELEM_TYPE_ARRAY) return;
    offset = els_scratch_begin(c, &writer);
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    for (entry = elelem_value_first(list); elelem_value_type(entry) != ELELEM_TYPE_NONE; entry = elelem_value_next(entry))
        if (count++ >= c->memory[memory]) elelem_writer_value(&writer, entry);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    if (count <= c->memory[memory] || !els_scratch_end(c, &writer)) return;
    c->memory[memory] = count;
    els_metadata_add(c, els_str(els_chat_paths[row].key, els_chat_paths[row].size), offset);
}

/* Once a chunk. */
static void els_chat_lists(elelem_shape_context *c)
{
    if (c->notes[ELS_CHAT_LISTS_READ]) return;
    c->notes[ELS_CHAT_LISTS_READ] = 1;
    els_chat_list(c, ELS_CHAT_CITED, ELS_CHAT_CITATIONS);
    els_chat_list(c, ELS_CHAT_SEARCHED, ELS_CHAT_SEARCH_RESULTS);
}

static elelem_status els_chat_citations(elelem_shape_context *c)
{
    elelem_value annotations = els_chat_field(c, ELS_CHAT_ANNOTATIONS);
    elelem_value provider = els_chat_field(c, ELS_CHAT_PROVIDER_METADATA);

    if (elelem_value_type(elelem_value_first(annotations)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "annotations", annotations);
    if (els_is_value(provider)) elelem_shape_metadata_value(c, "provider_metadata", provider);
    if (els_chat_choice_number(c) == 0) els_chat_lists(c);
    els_chat_aside(c, elelem_shape_message_kind(c), ELS_CHAT_TEXT);
    c->cursor[1] = elelem_value_first(els_chat_field(c, ELS_CHAT_TOOL_CALLS));
    return ELELEM_MORE;
}

/* Tool calls. */

/* The item of the call with this wire number: a new one where there is none, or where the id
   tells that another call has begun under the same number. */
static uint32_t els_chat_call_item(elelem_shape_context *c, uint32_t key, elelem_str id)
{
    uint32_t choice = els_chat_choice_number(c);
    uint32_t index = elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, key);
    uint32_t text;

    if (index != ELELEM_NO_INDEX) {
        if (elelem_shape_item_may_be(c, index, id)) return index;
        elelem_shape_flush(c, index);
    }
    text = els_item_find_text(c, choice);
    if (text != ELELEM_NO_INDEX) elelem_shape_flush(c, text);
    return elelem_shape_item_open(c, choice, ELELEM_PART_TOOL_CALL, key);
}

/* Nonzero if the piece can only continue a call: it has no id and no name. */
static int els_chat_continues(elelem_value call, elelem_value function)
{
    return els_member_text(call, "id").size == 0 && els_member_text(function, "name").size == 0;
}

/* Nonzero if the piece has nothing of a call: Snowflake sends a call with an empty name and empty arguments in
   responses without any. */
static int els_chat_is_empty_call(elelem_value call, elelem_value function)
{
    elelem_value arguments = elelem_value_get(function, "arguments");

    if (elelem_value_type(arguments) == ELELEM_TYPE_STRING ? elelem_value_text(arguments).size > 0 : els_is_value(arguments))
        return 0;
    return els_chat_continues(call, function) && !els_is_value(elelem_value_get(call, "extra_content"));
}

/* Returns the index of the call's item. */
static uint32_t els_chat_call(elelem_shape_context *c, uint32_t key, elelem_value call, elelem_value function)
{
    elelem_value arguments = elelem_value_get(function, "arguments");
    elelem_value extra = elelem_value_get(call, "extra_content");
    elelem_str id = els_member_text(call, "id");
    uint32_t index = els_chat_call_item(c, key, id);

    if (els_is_value(extra)) elelem_shape_metadata_value(c, "extra_content", extra);
    elelem_shape_tool_start(c, index, id, els_member_text(function, "name"));
    if (elelem_value_type(arguments) == ELELEM_TYPE_STRING)
        elelem_shape_tool_arguments(c, index, elelem_value_text(arguments));
    else if (els_is_value(arguments))
        elelem_shape_tool_arguments_value(c, index, arguments);
    return index;
}

/* The open call of the choice that began last, or the one that has this id; null if there is none. */
static els_item *els_chat_open_call(const elelem_shape_context *c, elelem_str id)
{
    uint64_t hash = els_hash(id);
    uint32_t i;

    for (i = c->els_item_count; i > 0; i--) {
        els_item *item = &els_items(c)[i - 1];
        if (item->choice != els_chat_choice_number(c) || item->kind != ELELEM_PART_TOOL_CALL) continue;
        if (id.size == 0 || (item->has_id && item->id_hash == hash)) return item;
    }
    return NULL;
}

/* A piece without an index. Its id or, for a piece that is alone in its array, being the newest call identifies it; else
   its place in the array, which is how older Mistral models number calls. */
static void els_chat_unnumbered_call(elelem_shape_context *c, elelem_value call, elelem_value function)
{
    elelem_str id = els_member_text(call, "id");
    int is_alone = elelem_value_index(call) == 0 && elelem_value_type(elelem_value_next(call)) == ELELEM_TYPE_NONE;
    els_item *item = NULL;
    uint32_t index;

    if (id.size > 0 || (is_alone && els_chat_continues(call, function))) item = els_chat_open_call(c, id);
    index = els_chat_call(c, item ? item->key : (uint32_t)elelem_value_index(call), call, function);
    if (!item && els_item_at(c, index)) els_item_at(c, index)->marks = ELS_CHAT_UNNUMBERED;
}

/* A piece with an index. If it begins nothing and no call has that index, it continues one that began without. */
static void els_chat_numbered_call(elelem_shape_context *c, uint32_t key, elelem_value call, elelem_value function)
{
    els_item *newest = els_chat_open_call(c, els_str(NULL, 0));

    if (newest && newest->marks == ELS_CHAT_UNNUMBERED && els_chat_continues(call, function) &&
        elelem_shape_item_find(c, els_chat_choice_number(c), ELELEM_PART_TOOL_CALL, key) == ELELEM_NO_INDEX) {
        newest->key = key;
        newest->marks = 0;
    }
    els_chat_call(c, key, call, function);
}

/* One call a step. */
static elelem_status els_chat_tool_calls(elelem_shape_context *c)
{
    elelem_value call = c->cursor[1];
    elelem_value function = elelem_value_get(call, "function");
    uint32_t key;

    if (elelem_value_type(call) == ELELEM_TYPE_NONE) return ELELEM_MORE;
    c->cursor[1] = elelem_value_next(call);
    if (elelem_value_type(call) != ELELEM_TYPE_OBJECT || els_chat_is_empty_call(call, function)) return ELELEM_OK;
    if (els_wire_number(elelem_value_get(call, "index"), &key)) els_chat_numbered_call(c, key, call, function);
    else els_chat_unnumbered_call(c, call, function);
    return ELELEM_OK;
}

static elelem_status els_chat_function_call(elelem_shape_context *c)
{
    elelem_value function = els_chat_field(c, ELS_CHAT_FUNCTION);

    if (elelem_value_type(function) == ELELEM_TYPE_OBJECT && !els_chat_is_empty_call(function, function))
        els_chat_call(c, ELS_CHAT_FUNCTION_CALL, function, function);
    return ELELEM_MORE;
}

/* The end of a choice. */

static const els_reason_word els_chat_reasons[] = {
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
    if (elelem_shape_choice_had(c, choice, ELELEM_PART_TOOL_CALL)) return ELELEM_FINISH_TOOL_CALLS;
    if (elelem_shape_choice_is_marked(c, choice, ELS_CHAT_REFUSED)) return ELELEM_FINISH_CONTENT_FILTER;
    return ELELEM_FINISH_COMPLETED;
}

static elelem_status els_chat_finish(elelem_shape_context *c)
{
    elelem_str raw = els_text_of(els_chat_field(c, ELS_CHAT_FINISH_REASON));
    uint32_t choice = els_chat_choice_number(c);
    elelem_finish_reason reason = els_reason_of(els_chat_reasons, ELS_COUNT(els_chat_reasons), raw);

    if (raw.size == 0) return ELELEM_MORE;
    if (reason == ELELEM_FINISH_COMPLETED) reason = els_chat_completed(c, choice);
    if (elelem_str_is(raw, "error") && !elelem_shape_document_error(c)) {
        elelem_shape_error(c, ELELEM_ERROR_KIND_TRANSIENT, raw, "the provider stopped the answer with an error");
        return ELELEM_MORE;
    }
    elelem_shape_reason(c, choice, reason, raw, 0);
    return ELELEM_MORE;
}

/* What a later chunk opens is closed by a reason that comes after it, not by one that was there before. */
static elelem_status els_chat_close(elelem_shape_context *c)
{
    elelem_str raw = els_text_of(els_chat_field(c, ELS_CHAT_FINISH_REASON));
    uint32_t index = elelem_shape_item_first(c, els_chat_choice_number(c));
    elelem_finish_reason reason = els_reason_of(els_chat_reasons, ELS_COUNT(els_chat_reasons), raw);

    if (raw.size == 0 || index == ELELEM_NO_INDEX) return ELELEM_MORE;
    elelem_shape_flush_as(c, index, elelem_shape_ending_of(reason));
    return ELELEM_OK;
}

static const els_chat_stage els_chat_stages[] = {
    els_chat_reasoning,     els_chat_content, els_chat_refusal, els_chat_citations, els_chat_tool_calls,
    els_chat_function_call, els_chat_finish,  els_chat_close,
};

/* Usage: a chunk of its own, on the last chunk, on every chunk, or Groq's x_groq. */

static void els_chat_usage(elelem_shape_context *c)
{
    elelem_value raw = els_chat_field(c, ELS_CHAT_USAGE);
    elelem_usage usage;

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT)
        raw = elelem_value_get(elelem_value_get(elelem_shape_document(c), "x_groq"), "usage");
    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    usage.input = els_count_in(raw, "prompt_tokens");
    usage.output = els_count_in(raw, "completion_tokens");
    usage.cached = els_count_in(elelem_value_get(raw, "prompt_tokens_details"), "cached_tokens");
    usage.reasoning = els_count_in(elelem_value_get(raw, "completion_tokens_details"), "reasoning_tokens");
    elelem_shape_usage(c, usage, raw);
}

/* The chunk's first choice. */
static elelem_value els_chat_first_choice(elelem_shape_context *c)
{
    elelem_value choices = elelem_value_get(elelem_shape_document(c), "choices");

    if (elelem_value_type(choices) == ELELEM_TYPE_ARRAY) c->memory[ELS_CHAT_ANY_CHUNK] = 1;
    els_fields_find(c, elelem_shape_document(c), ELS_CHAT_USAGE, ELS_CHAT_ROOT_LAST, ELS_CHAT_USAGE);
    return elelem_value_first(choices);
}

/* Goes on to the next choice: OK; MORE where there is none left. */
static elelem_status els_chat_next_choice(elelem_shape_context *c)
{
    int is_first = elelem_value_type(c->cursor[0]) == ELELEM_TYPE_NONE;

    c->cursor[0] = is_first ? els_chat_first_choice(c) : elelem_value_next(c->cursor[0]);
    if (elelem_value_type(c->cursor[0]) == ELELEM_TYPE_NONE) return ELELEM_MORE;
    els_fields_find(c, c->cursor[0], ELS_CHAT_INDEX, ELS_CHAT_FINISH_REASON, ELS_CHAT_INDEX);
    els_fields_find(c, elelem_value_get(c->cursor[0], "delta"), ELS_CHAT_CONTENT, ELS_CHAT_PROVIDER_METADATA,
                    ELS_CHAT_CONTENT);
    c->position = els_wire_number_or(els_chat_field(c, ELS_CHAT_INDEX), 0);
    return ELELEM_OK;
}

/* What belongs to the whole chunk. Citations may come in one that has no choice. */
static void els_chat_end(elelem_shape_context *c)
{
    els_chat_lists(c);
    els_chat_aside(c, elelem_shape_message_kind(c), ELS_CHAT_TEXT);
    els_chat_usage(c);
    elelem_shape_document_error(c);
}

/* stage 0 chooses a choice; stage n is its n-th stage. Goes on until there is something to be taken. */
static elelem_status els_chat_data(elelem_shape_context *c)
{
    elelem_status status = ELELEM_OK;

    if (c->stage == 0) {
        status = els_chat_next_choice(c);
        if (status == ELELEM_MORE) els_chat_end(c);
        if (status != ELELEM_OK) return status;
        c->stage = 1;
    }
    while (c->stage > 0 && status >= 0 && !elelem_shape_is_over(c)) {
        status = els_chat_stages[c->stage - 1](c);
        if (status == ELELEM_MORE) c->stage = c->stage == ELS_COUNT(els_chat_stages) ? 0 : c->stage + 1;
    }
    return status < 0 ? status : ELELEM_OK;
}

/* [DONE] without a reason comes from Snowflake and some others. */
static elelem_status els_chat_step(elelem_shape_context *c)
{
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA) return els_chat_data(c);
    if (!c->memory[ELS_CHAT_ANY_CHUNK]) return ELELEM_ERROR_PROTOCOL;
    if (!elelem_shape_has_reason(c, 0)) elelem_shape_reason(c, 0, els_chat_completed(c, 0), els_str(NULL, 0), 0);
    elelem_shape_finish(c);
    return ELELEM_MORE;
}

static elelem_status els_chat_frame(elelem_shape_context *c)
{
    elelem_status status = ELELEM_OK;

    while (status == ELELEM_OK && !elelem_shape_is_over(c))
        status = els_chat_step(c);
    return status < 0 ? status : ELELEM_OK;
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
    "chat", els_chat_paths, ELS_COUNT(els_chat_paths), els_chat_frame, 0, 0, els_chat_recovery, ELS_COUNT(els_chat_recovery),
};

#endif

#endif
