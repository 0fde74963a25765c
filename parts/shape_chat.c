#ifndef ELS_SHAPE_CHAT_C
#define ELS_SHAPE_CHAT_C
#include "shape_chat.h"
#include "base.c"
#include "shape_chat_text.c"
#include "shape_chat_item.c"
#include "recovery.h"

/* >> shape_chat */

#ifndef ELELEM_NO_CHAT

/* Tool calls. */

/* A piece of the JSON string that the input of a custom call is: the quotes that open and close it, and what is between. */
static void els_chat_quote(elelem_shape_context *c, uint32_t index, elelem_str text, int is_last)
{
    els_chat_item *state = els_chat_state(elelem_shape_item_at(c, index));
    elelem_writer *writer = elelem_shape_write(c);

    if (!state->is_quoted) elelem_writer_string_begin(writer);
    elelem_shape_write_piece(c, index, text);
    if (is_last) elelem_shape_write_half(c, index);
    if (is_last) elelem_shape_write_raw(c, elelem_str_of("\""));
    state->is_quoted = 1;
    elelem_shape_tool_arguments_written(c, index);
}

/* Ends the text of a custom call. */
static void els_chat_end_call(elelem_shape_context *c, uint32_t index)
{
    if (els_chat_state(elelem_shape_item_at(c, index))->is_custom) els_chat_quote(c, index, els_str(NULL, 0), 1);
}

/* A piece of a call: the call, and its function. A custom call, whose `custom` has its name and its input, has no function; the function
   of a call that has neither is itself. */
typedef struct els_chat_piece {
    elelem_value call;
    elelem_value function;
    elelem_value arguments;
    elelem_str id;
    elelem_str name;
    uint64_t id_hash;
    int is_custom;
    int is_numbered;
    int has_arguments;
} els_chat_piece;

/* Nonzero if the value is a text that is not empty, or any other value. */
static int els_chat_says_arguments(elelem_value arguments)
{
    if (elelem_value_type(arguments) == ELELEM_TYPE_STRING) return elelem_value_text(arguments).size > 0;
    return elelem_shape_is_value(arguments);
}

static els_chat_piece els_chat_piece_of(elelem_value call, elelem_value function)
{
    els_chat_piece piece;

    piece.is_custom = !elelem_shape_is_value(function) && elelem_value_type(elelem_value_get(call, "custom")) == ELELEM_TYPE_OBJECT;
    piece.call = call;
    piece.function = piece.is_custom ? elelem_value_get(call, "custom") : elelem_shape_is_value(function) ? function : call;
    piece.arguments = elelem_value_get(piece.function, piece.is_custom ? "input" : "arguments");
    piece.id = elelem_shape_string_in(call, "id");
    piece.id_hash = elelem_shape_hash(piece.id);
    piece.name = elelem_shape_string_in(piece.function, "name");
    piece.is_numbered = 0;
    piece.has_arguments = els_chat_says_arguments(piece.arguments);
    return piece;
}

/* Nonzero if the piece can only continue a call: it has no id and no name. */
static int els_chat_continues(const els_chat_piece *piece)
{
    return piece->id.size == 0 && piece->name.size == 0;
}

/* Nonzero if the text is an object, or what has the quotes and brackets of one. */
static int els_chat_is_object_text(elelem_str text)
{
    size_t i, depth = 0;
    int is_string = 0;

    if (text.size < 2 || text.data[0] != '{' || text.data[text.size - 1] != '}') return 0;
    for (i = 0; i < text.size - 1; i++) {
        char byte = text.data[i];
        if (byte == '\\') i++;
        else if (byte == '"') is_string = !is_string;
        else if (!is_string && byte == '{') depth++;
        else if (!is_string && byte == '}' && --depth == 0) return 0;
    }
    return depth == 1 && !is_string;
}

static int els_chat_is_object(elelem_value arguments)
{
    if (elelem_value_type(arguments) == ELELEM_TYPE_STRING) return els_chat_is_object_text(elelem_value_text(arguments));
    return elelem_value_type(arguments) == ELELEM_TYPE_OBJECT;
}

/* Nonzero if the piece has arguments for the index of a call, and no name. It begins none, whatever its id is: LMDeploy makes a new id for
   each piece. */
static int els_chat_is_rest(const els_chat_piece *piece)
{
    return piece->is_numbered && piece->name.size == 0 && piece->has_arguments;
}

/* Nonzero if the piece is another whole call after one that was whole, under its index and without an id: so Gemini's compatible endpoint
   sends several calls of one tool. */
static int els_chat_is_next_whole(const els_chat_item *state, const els_chat_piece *piece)
{
    return state->is_whole && piece->id.size == 0 && piece->name.size > 0 && els_chat_is_object(piece->arguments);
}

/* Nonzero if the piece has nothing of a call: Snowflake sends a call with an empty name and empty arguments in
   responses without any. */
static int els_chat_is_empty(const els_chat_piece *piece)
{
    if (piece->has_arguments) return 0;
    return els_chat_continues(piece) && !elelem_shape_is_value(elelem_value_get(piece->call, "extra_content"));
}

/* Nonzero if the piece can be more of an open call. Another id says that it is another call. So does another name, unless index and id are
   those of the call and that had its name in an earlier list; and any name of a piece without an index, if the call had one in the same
   list. Arguments without a name are of any call that has one. Calls of a whole response are whole. */
static int els_chat_may_be_of(const elelem_shape_context *c, const elelem_shape_item *item, const els_chat_piece *piece)
{
    const els_chat_item *state = els_chat_state(item);
    int is_same_list = state->list == els_chat_stream_of(c)->lists;

    if (els_chat_is_of_whole(c)) return 0;
    if (state->name != 0 && els_chat_is_rest(piece)) return 1;
    if (els_chat_is_next_whole(state, piece)) return 0;
    if (!elelem_shape_item_may_be(item, piece->id_hash)) return 0;
    if (state->name == 0 || piece->name.size == 0) return 1;
    if (is_same_list && !piece->is_numbered) return 0;
    if (!is_same_list && piece->is_numbered && item->has_id) return 1;
    return state->name == els_chat_name_hash(piece->name);
}

/* The newest call of this wire number that is not flushed; null if there is none. */
static elelem_shape_item *els_chat_find_call(const elelem_shape_context *c, uint32_t choice, uint32_t key)
{
    elelem_shape_item *item = elelem_shape_item_newest(c);

    while (item && (item->choice != choice || item->kind != ELELEM_PART_TOOL_CALL || item->key != key))
        item = elelem_shape_item_older(c, item);
    return item;
}

/* The item of the call with this wire number: a new one if there is none, or if another call has begun under the same number. */
static uint32_t els_chat_call_item(elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    elelem_shape_item *item = els_chat_find_call(c, choice, key);
    uint32_t text;

    if (item && els_chat_may_be_of(c, item, piece)) {
        item->waits = 0;
        return item->index;
    }
    if (item) {
        els_chat_end_call(c, item->index);
        elelem_shape_flush(c, item->index);
    }
    text = elelem_shape_item_text(c, choice);
    if (text != ELELEM_NO_INDEX) elelem_shape_flush(c, text);
    return elelem_shape_item_open(c, choice, ELELEM_PART_TOOL_CALL, key);
}

/* Arguments that are no text are JSON as they are, and so is the input of a custom call, unless a text of it began. */
static void els_chat_arguments_value(elelem_shape_context *c, const elelem_shape_item *item, elelem_value arguments)
{
    els_chat_item *state = els_chat_state(item);

    if (state->is_quoted) return;
    state->is_custom = 0;
    elelem_shape_tool_arguments_value(c, item->index, arguments);
}

/* Notes that the call got these arguments. */
static void els_chat_had_arguments(els_chat_item *state, elelem_value arguments)
{
    elelem_str text = elelem_value_text(arguments);

    state->is_closed = elelem_value_type(arguments) != ELELEM_TYPE_STRING || text.data[text.size - 1] == '}';
    state->is_whole = !state->has_arguments && els_chat_is_object(arguments);
    state->has_arguments = 1;
}

static void els_chat_arguments(elelem_shape_context *c, uint32_t index, const els_chat_piece *piece)
{
    elelem_value arguments = piece->arguments;
    int is_text = elelem_value_type(arguments) == ELELEM_TYPE_STRING;
    const elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (!item || !elelem_shape_is_value(arguments)) return;
    if (piece->has_arguments) els_chat_had_arguments(els_chat_state(item), arguments);
    if (!is_text) els_chat_arguments_value(c, item, arguments);
    else if (!els_chat_state(item)->is_custom) elelem_shape_tool_arguments(c, index, elelem_value_text(arguments));
    else if (elelem_value_text(arguments).size > 0) els_chat_quote(c, index, elelem_value_text(arguments), 0);
}

/* The wire's word for a call that is no plain function; empty for one that is. */
static elelem_str els_chat_call_type(const els_chat_piece *piece)
{
    elelem_str type = elelem_shape_string_in(piece->call, "type");

    if (piece->is_custom) return elelem_str_of("custom");
    return elelem_str_is(type, "function") ? els_str(NULL, 0) : type;
}

/* Members of a call that are not known. */
static void els_chat_call_rest(elelem_shape_context *c, elelem_value call)
{
    static const char *const known[] = { "index", "id", "type", "function", "custom", "extra_content", "name", "arguments" };
    elelem_value member = elelem_value_first(call);

    for (; elelem_shape_is_there(member); member = elelem_value_next(member))
        if (!els_chat_is_known(member, known, ELS_COUNT(known)) && !els_chat_says_nothing(member)) els_chat_note(c, member);
}

/* A piece with a name is of the call. */
static void els_chat_named(const elelem_shape_context *c, const elelem_shape_item *item, elelem_str name)
{
    els_chat_item *state = els_chat_state(item);

    if (state->name == 0) state->name = els_chat_name_hash(name);
    state->list = els_chat_stream_of(c)->lists;
}

/* `stop` before a call was not why the model stopped. */
static void els_chat_call_after_reason(elelem_shape_context *c, uint32_t choice)
{
    if (elelem_shape_choice_ending(c, choice) == ELELEM_SHAPE_ENDED)
        elelem_shape_reason(c, choice, ELELEM_FINISH_TOOL_CALLS, els_str(NULL, 0), 1);
}

/* Returns the index of the call's item. */
static uint32_t els_chat_call(elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    elelem_value extra = elelem_value_get(piece->call, "extra_content");
    uint32_t index = els_chat_call_item(c, choice, key, piece);
    elelem_str type = els_chat_call_type(piece);
    elelem_shape_item *item = elelem_shape_item_at(c, index);

    els_chat_call_after_reason(c, choice);
    if (item && !item->had_part && piece->is_custom) els_chat_state(item)->is_custom = 1;
    if (item && piece->name.size > 0) els_chat_named(c, item, piece->name);
    if (elelem_shape_is_value(extra)) elelem_shape_metadata_value(c, "extra_content", extra);
    if (elelem_shape_wants_items(c)) els_chat_call_rest(c, piece->call);
    if (type.size > 0) elelem_shape_tool_start_typed(c, index, type, piece->id, piece->name);
    else elelem_shape_tool_start(c, index, piece->id, piece->name);
    els_chat_arguments(c, index, piece);
    return index;
}

/* The open call of the choice that began last, or with an id the one that has it, first that of this key; null if there is none that
   the piece may be of. */
static elelem_shape_item *els_chat_open_call(const elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    elelem_shape_item *item = els_chat_find_call(c, choice, key);

    if (item && piece->id.size > 0 && item->has_id && els_chat_may_be_of(c, item, piece)) return item;
    item = elelem_shape_item_newest(c);
    for (; item; item = elelem_shape_item_older(c, item)) {
        if (item->choice != choice || item->kind != ELELEM_PART_TOOL_CALL) continue;
        if ((piece->id.size == 0 || item->has_id) && els_chat_may_be_of(c, item, piece)) return item;
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

    if (piece->id.size > 0 || (is_alone && els_chat_continues(piece))) item = els_chat_open_call(c, choice, place, piece);
    index = els_chat_call(c, choice, item ? item->key : place, piece);
    if (item) return;
    item = elelem_shape_item_at(c, index);
    if (item) els_chat_state(item)->is_unnumbered = 1;
}

/* Nonzero if a piece with an index that no call has can be of the call: that began without an index, or it has no arguments yet and the
   piece has. */
static int els_chat_takes_index(const elelem_shape_item *item, const els_chat_piece *piece)
{
    const els_chat_item *state = els_chat_state(item);

    return state->is_unnumbered || (!state->has_arguments && els_chat_is_rest(piece));
}

/* A piece with an index. If it begins nothing and no call has that index, it continues one that began without, or under another index:
   some servers give the name and the arguments different ones. */
static void els_chat_numbered_call(elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    int begins = !els_chat_continues(piece) && !els_chat_is_rest(piece);
    elelem_shape_item *newest = begins ? NULL : els_chat_open_call(c, choice, key, piece);

    if (newest && els_chat_takes_index(newest, piece) && !els_chat_find_call(c, choice, key)) {
        newest->key = key;
        els_chat_state(newest)->is_unnumbered = 0;
    }
    els_chat_call(c, choice, key, piece);
}

static void els_chat_tool_calls(elelem_shape_context *c, uint32_t choice)
{
    elelem_value call = elelem_value_first(elelem_shape_field(c, ELS_CHAT_TOOL_CALLS));

    els_chat_stream_of(c)->lists++;
    for (; elelem_shape_is_there(call); call = elelem_value_next(call)) {
        els_chat_piece piece = els_chat_piece_of(call, elelem_value_get(call, "function"));
        uint32_t key;
        if (elelem_value_type(call) != ELELEM_TYPE_OBJECT || els_chat_is_empty(&piece)) continue;
        piece.is_numbered = elelem_shape_number(elelem_value_get(call, "index"), &key);
        if (piece.is_numbered) els_chat_numbered_call(c, choice, key, &piece);
        else els_chat_unnumbered_call(c, choice, &piece);
    }
}

/* Most deltas have none. */
ELS_APART void els_chat_function_call(elelem_shape_context *c, uint32_t choice)
{
    elelem_value function = elelem_shape_field(c, ELS_CHAT_FUNCTION_CALL);
    els_chat_piece piece;

    if (elelem_value_type(function) != ELELEM_TYPE_OBJECT) return;
    piece = els_chat_piece_of(function, function);
    if (!els_chat_is_empty(&piece)) els_chat_call(c, choice, ELS_CHAT_FUNCTION_CALL_KEY, &piece);
}

/* The end of a choice. */

static const elelem_shape_word els_chat_reasons[] = {
    { "stop", ELELEM_FINISH_COMPLETED },
    { "eos", ELELEM_FINISH_COMPLETED },
    { "eos_token", ELELEM_FINISH_COMPLETED },
    { "end_turn", ELELEM_FINISH_COMPLETED },
    { "stop_sequence", ELELEM_FINISH_COMPLETED },
    { "length", ELELEM_FINISH_MAX_TOKENS },
    { "model_length", ELELEM_FINISH_MAX_TOKENS },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "tool_calls", ELELEM_FINISH_TOOL_CALLS },
    { "function_call", ELELEM_FINISH_TOOL_CALLS },
    { "tool_use", ELELEM_FINISH_TOOL_CALLS },
    { "content_filter", ELELEM_FINISH_CONTENT_FILTER },
    { "sensitive", ELELEM_FINISH_CONTENT_FILTER },
};

/* `stop` after tool calls means that they are to be run, whatever a forced tool_choice or a
   compatibility layer calls it. */
static elelem_finish_reason els_chat_completed(const elelem_shape_context *c, uint32_t choice)
{
    const els_chat_choice *state = els_chat_choice_state(c, choice);

    if (elelem_shape_choice_had(c, choice, ELELEM_PART_TOOL_CALL)) return ELELEM_FINISH_TOOL_CALLS;
    return state && state->is_refused ? ELELEM_FINISH_CONTENT_FILTER : ELELEM_FINISH_COMPLETED;
}

/* Ends the JSON of an item that is open, if it is put together: that of a provider item, and if the model ended it, the text of
   a custom call. */
static void els_chat_end_json(elelem_shape_context *c, const elelem_shape_item *item, elelem_shape_ending ending)
{
    if (elelem_shape_wants_items(c) && item->kind == ELELEM_PART_PROVIDER_ITEM) els_chat_end_item(c, item);
    else if (item->kind == ELELEM_PART_TOOL_CALL && ending == ELELEM_SHAPE_ENDED) els_chat_end_call(c, item->index);
}

/* Nonzero for a call whose arguments may continue after the reason. Some servers send that with each chunk, or before the calls. */
static int els_chat_may_continue(const elelem_shape_context *c, const elelem_shape_item *item)
{
    const els_chat_item *state = els_chat_state(item);

    return item->kind == ELELEM_PART_TOOL_CALL && !state->is_custom && !state->is_closed && !els_chat_is_of_whole(c);
}

static const elelem_shape_item *els_chat_newest(const elelem_shape_context *c, uint32_t choice)
{
    const elelem_shape_item *item = elelem_shape_item_newest(c);

    while (item && item->choice != choice)
        item = elelem_shape_item_older(c, item);
    return item;
}

/* The model wrote these before its last item. */
static void els_chat_flush_before(elelem_shape_context *c, uint32_t choice, uint32_t last)
{
    const elelem_shape_item *item = elelem_shape_item_oldest(c);

    while (item->index != last) {
        const elelem_shape_item *newer = elelem_shape_item_newer(c, item);
        uint32_t next = newer->index;
        if (item->choice == choice) {
            elelem_shape_flush(c, item->index);
            newer = elelem_shape_item_at(c, next);
        }
        item = newer;
    }
}

/* A call that waits is over if the model wrote something after it. */
static void els_chat_end_earlier(elelem_shape_context *c, uint32_t choice)
{
    const elelem_shape_item *item = els_chat_newest(c, choice);

    if (item && !item->waits) elelem_shape_release(c, choice);
}

static void els_chat_end_choice(elelem_shape_context *c, uint32_t choice, elelem_shape_ending ending)
{
    const elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item))
        if (item->choice == choice) els_chat_end_json(c, item, ending);
    els_chat_end_earlier(c, choice);
    item = els_chat_newest(c, choice);
    if (item && ending == ELELEM_SHAPE_ENDED && els_chat_may_continue(c, item)) {
        uint32_t last = item->index;
        els_chat_flush_before(c, choice, last);
        elelem_shape_item_wait(c, last);
    } else {
        elelem_shape_flush_all(c, choice, ending);
    }
}

/* The word that is looked up. Gemini's compatible endpoint says more after it: "content_filter: RECITATION". */
static elelem_str els_chat_reason_word(elelem_str raw)
{
    const char *colon = (const char *)memchr(raw.data, ':', raw.size);

    if (colon) raw.size = (size_t)(colon - raw.data);
    return raw;
}

/* Usage: a chunk of its own, on the last chunk, on every chunk, in a choice (Moonshot), or Groq's x_groq. */

ELS_APART void els_chat_usage_of(elelem_shape_context *c, elelem_value raw)
{
    elelem_usage usage = elelem_shape_last_usage(c);
    elelem_value details;

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    details = elelem_value_get(raw, "prompt_tokens_details");
    elelem_shape_count_to(&usage.input, raw, "prompt_tokens");
    elelem_shape_count_to(&usage.output, raw, "completion_tokens");
    elelem_shape_count_to(&usage.cached, raw, "prompt_cache_hit_tokens"); /* DeepSeek */
    elelem_shape_count_to(&usage.cached, raw, "num_cached_tokens");       /* Mistral */
    elelem_shape_count_to(&usage.cached, raw, "cached_tokens");           /* Together */
    elelem_shape_count_to(&usage.cached, details, "cached_tokens");
    elelem_shape_count_to(&usage.cache_written, details, "cache_write_tokens");
    elelem_shape_count_to(&usage.reasoning, raw, "reasoning_tokens"); /* SGLang */
    elelem_shape_count_to(&usage.reasoning, elelem_value_get(raw, "completion_tokens_details"), "reasoning_tokens");
    elelem_shape_usage(c, usage, raw);
}

/* Nonzero if the reason counts though there is one: that said only that the model was done, and this says more. */
static int els_chat_says_more_than_done(const elelem_shape_context *c, uint32_t choice, elelem_finish_reason reason)
{
    if (reason == ELELEM_FINISH_COMPLETED || reason == ELELEM_FINISH_OTHER) return 0;
    return elelem_shape_choice_ending(c, choice) == ELELEM_SHAPE_ENDED;
}

/* What a later chunk opens is closed by a reason that comes after it, not by one that was there before. */
ELS_APART void els_chat_finish(elelem_shape_context *c, uint32_t choice)
{
    elelem_str raw = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_FINISH_REASON));
    elelem_finish_reason reason;
    elelem_shape_ending ending;
    int replaces;

    if (raw.size == 0) return;
    els_chat_usage_of(c, elelem_shape_field(c, ELS_CHAT_CHOICE_USAGE));
    reason = elelem_shape_reason_of(els_chat_reasons, ELS_COUNT(els_chat_reasons), els_chat_reason_word(raw));
    replaces = els_chat_says_more_than_done(c, choice, reason);
    ending = elelem_shape_ending_of(reason);
    if (reason == ELELEM_FINISH_COMPLETED) reason = els_chat_completed(c, choice);
    if (elelem_str_is(raw, "error") && !elelem_shape_document_error(c))
        elelem_shape_error(c, ELELEM_ERROR_KIND_TRANSIENT, raw, ELS_WORDS("the provider stopped the response with an error"));
    els_chat_end_choice(c, choice, ending);
    elelem_shape_reason(c, choice, reason, raw, replaces);
}

static void els_chat_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, ELS_CHAT_USAGE);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT)
        raw = elelem_value_get(elelem_shape_field(c, ELS_CHAT_GROQ), "usage");
    els_chat_usage_of(c, raw);
}

/* Images come first, as those that pass do. */
static void els_chat_images_and_reasoning(elelem_shape_context *c, uint32_t number)
{
    /* Not reached: images that are not wanted, which no path names; builds without items leave the function out by this */
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_IMAGES)) && elelem_shape_wants_items(c)) els_chat_images(c, number);
    els_chat_reasoning(c, number);
}

static void els_chat_texts(elelem_shape_context *c, uint32_t number)
{
    els_chat_content(c, number);
    els_chat_refusal(c, number);
    els_chat_metadata(c, number);
}

static void els_chat_calls(elelem_shape_context *c, uint32_t number)
{
    els_chat_tool_calls(c, number);
    els_chat_function_call(c, number);
}

/* What a delta brings, or a message. */
ELS_APART void els_chat_delta(elelem_shape_context *c, uint32_t number)
{
    elelem_value delta = elelem_shape_field(c, ELS_CHAT_DELTA);

    elelem_shape_fields_find(c, delta, ELS_CHAT_CONTENT, ELS_CHAT_DELTA_REST, ELS_CHAT_CONTENT);
    els_chat_images_and_reasoning(c, number);
    els_chat_texts(c, number);
    els_chat_calls(c, number);
    if (elelem_shape_wants_items(c)) els_chat_items(c, number, delta);
}

/* The number of the choice that is looked at. One of a whole response of which something was worked on is what it was taken for, and
   one without a number has that of its place. */
ELS_APART uint32_t els_chat_number(const elelem_shape_context *c, elelem_value choice)
{
    const els_chat_stream *stream = els_chat_stream_of(c);
    int is_whole = els_chat_is_of_whole(c);

    if (is_whole && elelem_shape_is_same(stream->passing, choice)) return stream->passing_number;
    return elelem_shape_number_or(elelem_shape_field(c, ELS_CHAT_INDEX), is_whole ? (uint32_t)elelem_value_index(choice) : 0);
}

/* What a choice has in addition to the delta. Its rows are skipped if no provider items are wanted. */
ELS_APART void els_chat_more_of_choice(elelem_shape_context *c, uint32_t number, elelem_value choice)
{
    if (!elelem_shape_wants_items(c)) return;
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_LOGPROBS))) els_chat_logprobs(c, number);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_CHOICE_REST))) els_chat_choice_rest(c, number, choice);
}

/* A chunk that is an error has it as a member, or says so. */
static int els_chat_is_error(const elelem_shape_context *c)
{
    return elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_ERROR)) ||
           elelem_str_is(elelem_shape_string(elelem_shape_field(c, ELS_CHAT_OBJECT)), "error");
}

/* Nonzero if a message can only say again what was streamed of the choice: its text, its calls, or (MiniMax) the reasoning that the model was
   stopped in. */
static int els_chat_is_said(const elelem_shape_context *c, uint32_t number)
{
    if (elelem_shape_choice_had(c, number, elelem_shape_message_kind(c)) || elelem_shape_choice_had(c, number, ELELEM_PART_TOOL_CALL)) return 1;
    return elelem_shape_choice_had(c, number, ELELEM_PART_REASONING) &&
           elelem_str_is(elelem_shape_string(elelem_shape_field(c, ELS_CHAT_FINISH_REASON)), "length");
}

/* Nonzero for a choice of a stream that has its message whole, and no delta, and for one of a whole response that has only a delta,
   if not all of it came before: what it says would be lost. */
static int els_chat_is_other_form(const elelem_shape_context *c, uint32_t number)
{
    return elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_REPETITION)) && !elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_DELTA)) &&
           !els_chat_is_said(c, number);
}

/* Returns the number of the choice. An error in it counts for more than its reason, as one of the chunk does. */
static uint32_t els_chat_choice_of(elelem_shape_context *c, elelem_value choice)
{
    uint32_t number;

    elelem_shape_fields_find(c, choice, ELS_CHAT_INDEX, ELS_CHAT_CHOICE_REST, ELS_CHAT_INDEX);
    number = els_chat_number(c, choice);
    els_chat_delta(c, number);
    els_chat_more_of_choice(c, number, choice);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_CHOICE_ERROR))) elelem_shape_error_in(c, choice);
    if (els_chat_is_other_form(c, number) && !els_chat_is_error(c))
        elelem_shape_error(c, ELELEM_ERROR_KIND_PROTOCOL, els_str(NULL, 0), ELS_WORDS("a choice is not of the form of this response"));
    els_chat_finish(c, number);
    return number;
}

/* Works on the choices before `end`, which may be none, from the one on of which something was worked off. Returns the number of the
   last one; 0 if there is none. */
static uint32_t els_chat_choices(elelem_shape_context *c, elelem_value list, elelem_value end)
{
    els_chat_stream *stream = els_chat_stream_of(c);
    elelem_value choice = elelem_shape_is_there(stream->worked) ? stream->worked : elelem_value_first(list);
    uint32_t number = 0;

    for (; elelem_shape_is_there(choice) && !elelem_shape_is_same(choice, end); choice = elelem_value_next(choice))
        number = els_chat_choice_of(c, choice);
    stream->worked = end;
    return number;
}

/* Looks at what there is of the response, and emits what is known of it. Returns its choices. */
ELS_APART elelem_value els_chat_begin(elelem_shape_context *c)
{
    els_chat_stream *stream = els_chat_stream_of(c);
    elelem_value choices;
    int is_chunk;

    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_CHAT_OBJECT, ELS_CHAT_ROOT_REST, ELS_CHAT_OBJECT);
    choices = elelem_shape_field(c, ELS_CHAT_CHOICES);
    is_chunk = elelem_value_type(choices) == ELELEM_TYPE_ARRAY;
    stream->had_chunk |= (uint8_t)is_chunk;
    if (!is_chunk) elelem_shape_ignore(c);
    stream->has_read_lists = 0;
    if (is_chunk && elelem_shape_wants_items(c)) els_chat_response(c);
    return choices;
}

/* Nonzero for an error that is the frame itself: a sentence, and the type "error" or the status of HTTP as its code. */
static int els_chat_is_bare_error(const elelem_shape_context *c)
{
    elelem_str code = elelem_value_text(elelem_shape_field(c, ELS_CHAT_CODE));
    int64_t status;

    if (elelem_shape_string(elelem_shape_field(c, ELS_CHAT_MESSAGE)).size == 0) return 0;
    if (elelem_str_is(elelem_shape_string(elelem_shape_field(c, ELS_CHAT_TYPE)), "error")) return 1;
    return elelem_number_to_int64(code, &status) == ELELEM_OK && status >= 400 && status < 600;
}

/* What MiniMax's codes mean, which come under status 200. All others are its own failures. */
typedef struct els_chat_code {
    const char *code;
    uint8_t kind; /* an elelem_error_kind */
} els_chat_code;

static const els_chat_code els_chat_codes[] = {
    { "1002", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "1004", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "1008", ELELEM_ERROR_KIND_QUOTA },
    { "1026", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "1027", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "1042", ELELEM_ERROR_KIND_INVALID_REQUEST }, /* too many invisible characters */
    { "2013", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "2049", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "2056", ELELEM_ERROR_KIND_QUOTA },
};

static elelem_error_kind els_chat_kind_of(elelem_str code)
{
    size_t i = 0;

    while (i < ELS_COUNT(els_chat_codes) && !elelem_str_is(code, els_chat_codes[i].code))
        i++;
    return i < ELS_COUNT(els_chat_codes) ? (elelem_error_kind)els_chat_codes[i].kind : ELELEM_ERROR_KIND_TRANSIENT;
}

/* The status that MiniMax adds, 0 in a good chunk. Its sentence is metadata of the response. */
static void els_chat_base_resp(elelem_shape_context *c)
{
    elelem_value status = elelem_shape_field(c, ELS_CHAT_BASE_RESP);
    elelem_value number = elelem_value_get(status, "status_code");
    elelem_str code = elelem_value_text(number);

    if (!elelem_shape_is_value(number) || code.size == 0 || elelem_str_is(code, "0")) return;
    if (elelem_shape_wants_items(c)) els_chat_note(c, status);
    elelem_shape_response(c);
    elelem_shape_error(c, els_chat_kind_of(code), code, NULL);
}

/* What a chunk without choices may report that has no member for errors. */
ELS_APART void els_chat_without_choices(elelem_shape_context *c)
{
    if (els_chat_is_bare_error(c)) elelem_shape_error_of(c, elelem_shape_document(c));
    else els_chat_base_resp(c);
}

/* What belongs to the whole chunk comes last, but for what is known of the response. Citations may come in one that has no
   choice. */
ELS_APART void els_chat_end_chunk(elelem_shape_context *c, elelem_value choices, uint32_t number)
{
    els_chat_lists(c);
    els_chat_aside(c, number, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY);
    if (els_chat_stream_of(c)->has_passed) els_chat_end_passed(c);
    els_chat_usage(c);
    if (elelem_value_type(choices) == ELELEM_TYPE_ARRAY && elelem_shape_wants_items(c)) els_chat_late(c, elelem_shape_document(c));
    if (els_chat_is_error(c)) elelem_shape_document_error(c);
    else if (!elelem_shape_is_there(elelem_value_first(choices))) els_chat_without_choices(c);
}

ELS_APART void els_chat_chunk(elelem_shape_context *c)
{
    const elelem_value none = ELELEM_INIT;
    elelem_value choices = els_chat_begin(c);

    els_chat_end_chunk(c, choices, els_chat_choices(c, choices, none));
}

/* Lists of a whole response. Nothing of the response itself comes inside of them. */

/* The choices before the one that a list of calls is in, unless they were worked off with an earlier list. (Apart from the calls,
   because most of the stack is needed here.) */
ELS_APART void els_chat_work_earlier(elelem_shape_context *c, elelem_value list)
{
    elelem_value choice = elelem_value_parent(elelem_value_parent(list));

    if (!elelem_shape_is_same(els_chat_stream_of(c)->worked, choice)) els_chat_choices(c, elelem_value_parent(choice), choice);
}

/* Calls of a message, and what is before them in it. */
ELS_APART elelem_shape_worked els_chat_work_calls(elelem_shape_context *c, elelem_value list)
{
    elelem_value message = elelem_value_parent(list);
    uint32_t number;

    els_chat_passing_choice(c, elelem_value_first(list), &number);
    elelem_shape_fields_find(c, message, ELS_CHAT_CONTENT, ELS_CHAT_DELTA_REST, ELS_CHAT_CONTENT);
    els_chat_images_and_reasoning(c, number);
    if (elelem_value_type(elelem_shape_field(c, ELS_CHAT_CONTENT)) != ELELEM_TYPE_ARRAY) els_chat_wait(c, number); /* else it may continue */
    els_chat_stream_of(c)->is_early = 1;
    els_chat_texts(c, number);
    els_chat_stream_of(c)->is_early = 0;
    els_chat_wait(c, number);
    els_chat_calls(c, number);
    if (elelem_shape_wants_items(c)) els_chat_items(c, number, message);
    return ELELEM_SHAPE_WORKED_OBJECT;
}

ELS_APART elelem_shape_worked els_chat_work_choices(elelem_shape_context *c, elelem_value list)
{
    els_chat_stream *stream = els_chat_stream_of(c);
    const elelem_value none = ELELEM_INIT;

    els_chat_choices(c, list, none);
    stream->passing = none;
    stream->image = none;
    return ELELEM_SHAPE_WORKED;
}

static elelem_shape_worked els_chat_work(elelem_shape_context *c, unsigned row, elelem_value list)
{
    els_chat_stream *stream = els_chat_stream_of(c);

    if (!stream->is_begun) els_chat_begin(c);
    stream->is_begun = 1;
    if (row != ELS_CHAT_CALL) return els_chat_work_choices(c, list);
    els_chat_work_earlier(c, list);
    return els_chat_work_calls(c, list);
}

/* What follows a chunk. [DONE] without a reason comes from Snowflake and some others. */
ELS_APART elelem_status els_chat_end_frame(elelem_shape_context *c)
{
    const elelem_shape_item *item;
    const elelem_value none = ELELEM_INIT;

    els_chat_stream_of(c)->passing = none;
    els_chat_stream_of(c)->image = none;
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA || elelem_shape_is_over(c)) return ELELEM_OK;
    if (!els_chat_stream_of(c)->had_chunk) return ELELEM_ERROR_PROTOCOL;
    if (!elelem_shape_has_reason(c, 0)) elelem_shape_reason(c, 0, els_chat_completed(c, 0), els_str(NULL, 0), 0);
    for (item = elelem_shape_item_oldest(c); item; item = elelem_shape_item_newer(c, item))
        els_chat_end_json(c, item, elelem_shape_choice_ending(c, item->choice));
    elelem_shape_finish(c);
    return ELELEM_OK;
}

static elelem_status els_chat_frame(elelem_shape_context *c)
{
    if (elelem_shape_frame_kind(c) != ELELEM_SHAPE_DONE) els_chat_chunk(c);
    return els_chat_end_frame(c);
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

static const elelem_passage_rule els_chat_rules[] = {
    { ELS_CHAT_IMAGE, 256, NULL, NULL, els_chat_no_type, NULL, NULL, NULL },
    { ELS_CHAT_AUDIO_DATA, 1024, "", NULL, NULL, NULL, NULL, NULL },
};

static const elelem_shape_items els_chat_shape_items = { els_chat_item_paths, els_chat_rules, ELS_COUNT(els_chat_rules),
                                                         els_chat_passes };

static const uint16_t els_chat_elements[] = { ELS_CHAT_CALL, ELS_CHAT_CHOICE, 0 };

static const elelem_shape_lists els_chat_lists_of = { els_chat_elements, els_chat_work };

ELS_DATA const elelem_shape elelem_shape_chat = {
    "chat", els_chat_paths, ELS_CHAT_ROWS, els_chat_frame,
    sizeof(els_chat_item), sizeof(els_chat_choice), sizeof(els_chat_stream), 0, 0,
    ELS_IF_METADATA(els_chat_recovery), ELS_COUNT(els_chat_recovery) * ELS_HAS_METADATA,
    ELS_IF_ITEMS(&els_chat_shape_items), 1, 0,
    ELS_IF_WHOLE(els_chat_whole_paths), ELS_IF_WHOLE(ELS_IF_ITEMS(els_chat_whole_item_paths)),
    ELS_IF_WHOLE(&els_chat_lists_of),
};

#endif

#endif
