#ifndef ELS_SHAPE_GEMINI_C
#define ELS_SHAPE_GEMINI_C
#include "shape_gemini.h"
#include "base.c"
#include "shape_gemini_part.c"
#include "shape_gemini_call.c"
#include "recovery.h"

/* >> shape_gemini */

#ifndef ELELEM_NO_GEMINI

static const elelem_shape_word els_gemini_reasons[] = {
    { "STOP", ELELEM_FINISH_COMPLETED },
    { "MAX_TOKENS", ELELEM_FINISH_MAX_TOKENS },
    { "CONTINUATION", ELELEM_FINISH_CONTINUE },
    { "SAFETY", ELELEM_FINISH_CONTENT_FILTER },
    { "RECITATION", ELELEM_FINISH_CONTENT_FILTER },
    { "BLOCKLIST", ELELEM_FINISH_CONTENT_FILTER },
    { "PROHIBITED_CONTENT", ELELEM_FINISH_CONTENT_FILTER },
    { "SPII", ELELEM_FINISH_CONTENT_FILTER },
    { "LANGUAGE", ELELEM_FINISH_CONTENT_FILTER },
    { "MODEL_ARMOR", ELELEM_FINISH_CONTENT_FILTER },
    { "IMAGE_SAFETY", ELELEM_FINISH_CONTENT_FILTER },
    { "IMAGE_PROHIBITED_CONTENT", ELELEM_FINISH_CONTENT_FILTER },
    { "IMAGE_RECITATION", ELELEM_FINISH_CONTENT_FILTER },
};

static elelem_str els_gemini_raw_reason(const elelem_shape_context *c)
{
    elelem_str raw = elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_FINISH_REASON));

    return elelem_str_is(raw, "FINISH_REASON_UNSPECIFIED") ? els_str(NULL, 0) : raw;
}

static elelem_finish_reason els_gemini_reason(const elelem_shape_context *c)
{
    return elelem_shape_reason_of(els_gemini_reasons, ELS_COUNT(els_gemini_reasons), els_gemini_raw_reason(c));
}

/* Nonzero if the candidate says that the model has ended its response. */
static int els_gemini_is_ended(const elelem_shape_context *c)
{
    return elelem_shape_ending_of(els_gemini_reason(c)) == ELELEM_SHAPE_ENDED;
}

/* Calls. */

/* The call of the choice that is being written; null if there is none. */
static elelem_shape_item *els_gemini_open_call(const elelem_shape_context *c, uint32_t choice)
{
    return elelem_shape_item_at(c, elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, ELS_GEMINI_CALL_KEY));
}

/* Closes what is open in a call's arguments. */
ELS_APART void els_gemini_close_arguments(elelem_shape_context *c, elelem_shape_item *item)
{
    if (!els_gemini_state(item)->had_pieces) return;
    elelem_shape_write(c);
    els_gemini_end_string(c, item);
    els_gemini_close_levels(c, item, 0);
    elelem_shape_tool_arguments_written(c, item->index);
}

/* Nonzero if the call has a name that is no text, or an empty one: the pieces next to it still belong to a call. */
static int els_gemini_has_odd_name(elelem_value call)
{
    return elelem_shape_is_value(elelem_value_get(call, "name")) && elelem_shape_is_there(elelem_value_first(elelem_value_get(call, "partialArgs")));
}

/* A name begins a call, unless the call that is open repeats it with its id; so do another id, and arguments if
   none is open. */
ELS_APART int els_gemini_begins_call(const elelem_shape_context *c, const elelem_shape_item *open)
{
    elelem_value call = els_gemini_call(c);
    elelem_str id = elelem_shape_string_in(call, "id");
    elelem_str name = elelem_shape_string_in(call, "name");

    if (!open) return name.size > 0 || els_gemini_has_members(elelem_value_get(call, "args")) || els_gemini_has_odd_name(call);
    if (id.size == 0 || (name.size == 0 && !els_gemini_state(open)->has_id)) return name.size > 0;
    return !elelem_shape_item_may_be(open, elelem_shape_hash(id));
}

/* What STOP means, also if it came before: that calls wait for the caller, or that all is done. */
ELS_APART void els_gemini_read_stop(elelem_shape_context *c, uint32_t choice)
{
    const els_gemini_choice *state = (const els_gemini_choice *)elelem_shape_choice_state(c, choice);

    if (!state || !state->has_stopped) return;
    elelem_shape_reason(c, choice, state->unresolved > 0 ? ELELEM_FINISH_TOOL_CALLS : ELELEM_FINISH_COMPLETED,
                        els_str(NULL, 0), 1);
}

/* The provider has run one of its calls, and sends what came of it. */
ELS_APART void els_gemini_response(elelem_shape_context *c, uint32_t choice)
{
    els_gemini_choice *state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);

    if (elelem_value_type(elelem_shape_field(c, ELS_GEMINI_FUNCTION_RESPONSE)) != ELELEM_TYPE_OBJECT) return;
    if (!state || state->unresolved == 0) return;
    state->unresolved--;
    els_gemini_read_stop(c, choice);
}

ELS_APART void els_gemini_start_call(elelem_shape_context *c, uint32_t index)
{
    elelem_str id = elelem_shape_string_in(els_gemini_call(c), "id");
    elelem_str name = elelem_shape_string_in(els_gemini_call(c), "name");

    els_gemini_state(elelem_shape_item_at(c, index))->has_id = id.size > 0;
    if (id.size > 0) elelem_shape_tool_start(c, index, id, name);
    else elelem_shape_tool_start_unnamed(c, index, name);
}

/* Arguments of a call; none if they are empty. Of another type than an object they are passed on as they are. */
static elelem_value els_gemini_args(elelem_value call)
{
    const elelem_value none = ELELEM_INIT;
    elelem_value args = elelem_value_get(call, "args");
    elelem_type type = elelem_value_type(args);
    int is_container = type == ELELEM_TYPE_OBJECT || type == ELELEM_TYPE_ARRAY;
    int is_empty = is_container ? !elelem_shape_is_there(elelem_value_first(args)) : type == ELELEM_TYPE_STRING && elelem_value_text(args).size == 0;

    if (is_empty || !elelem_shape_is_value(args)) return none;
    return args;
}

/* Arguments that are whole, which may come after the call began; if there were pieces they say nothing new. */
static void els_gemini_whole_arguments(elelem_shape_context *c, uint32_t index)
{
    elelem_value args = els_gemini_args(els_gemini_call(c));
    els_gemini_item *state = els_gemini_state(elelem_shape_item_at(c, index));

    if (!elelem_shape_is_there(args) || state->is_whole || state->had_pieces) return;
    elelem_shape_tool_arguments_value(c, index, args);
    els_gemini_state(elelem_shape_item_at(c, index))->is_whole = 1;
}

static void els_gemini_begin_call(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    uint32_t index = elelem_shape_item_open(c, choice, ELELEM_PART_TOOL_CALL, ELS_GEMINI_CALL_KEY);
    els_gemini_choice *state;

    if (index == ELELEM_NO_INDEX) return;
    els_gemini_add_more(c, part);
    els_gemini_start_call(c, index);
    state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->unresolved++;
    els_gemini_read_stop(c, choice);
    els_gemini_whole_arguments(c, index);
}

/* A call that does not say that it continues is over. One without any `args` may have been stopped before them, unless
   the reason next to it says otherwise; if they are there, or an empty object, that is all. */
static void els_gemini_close_call(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_value args = elelem_value_get(els_gemini_call(c), "args");

    els_gemini_close_arguments(c, item);
    if (els_gemini_is_ended(c) || els_gemini_state(item)->is_whole || elelem_value_type(args) == ELELEM_TYPE_OBJECT)
        elelem_shape_flush(c, item->index);
    else
        elelem_shape_item_close(c, item->index);
}

/* Another call ends one that said it would continue. */
ELS_APART void els_gemini_leave_call(elelem_shape_context *c, elelem_shape_item *item)
{
    els_gemini_close_arguments(c, item);
    elelem_shape_item_expect(c, item->index, 0);
    elelem_shape_flush(c, item->index);
}

/* After the pieces of a part. */
ELS_APART void els_gemini_end_pieces(elelem_shape_context *c, elelem_shape_item *item)
{
    int continues = els_gemini_continues(els_gemini_call(c));

    elelem_shape_tool_arguments_written(c, item->index);
    elelem_shape_item_expect(c, item->index, continues && !els_gemini_state(item)->had_pieces);
    if (!continues) els_gemini_close_call(c, item);
}

/* Pieces next to or after whole arguments say nothing new. A call that says it continues and does not is cut
   off, whatever the reason, and its arguments stay open; of one that has none, or had them whole, that must be
   said. */
ELS_APART elelem_status els_gemini_pieces(elelem_shape_context *c, uint32_t choice)
{
    elelem_shape_item *item = els_gemini_open_call(c, choice);
    elelem_value piece = elelem_value_first(elelem_value_get(els_gemini_call(c), "partialArgs"));

    if (!item) return ELELEM_OK;
    elelem_shape_write(c);
    for (; elelem_shape_is_there(piece) && !els_gemini_state(item)->is_whole; piece = elelem_value_next(piece))
        if (!els_gemini_piece(c, item, piece)) return ELELEM_ERROR_PROTOCOL;
    els_gemini_end_pieces(c, item);
    return ELELEM_OK;
}

/* Begins the call of a part, or says more of the one that is open. */
ELS_APART elelem_status els_gemini_enter_call(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_shape_item *open = els_gemini_open_call(c, choice);
    uint32_t text;

    if (els_gemini_begins_call(c, open)) {
        if (open) els_gemini_leave_call(c, open);
        text = elelem_shape_item_text(c, choice);
        if (text != ELELEM_NO_INDEX) elelem_shape_flush(c, text);
        els_gemini_begin_call(c, choice, part);
    } else if (!open) {
        elelem_value pieces = elelem_value_get(els_gemini_call(c), "partialArgs");
        return elelem_shape_is_there(elelem_value_first(pieces)) ? ELELEM_ERROR_PROTOCOL : ELELEM_OK;
    } else {
        if (els_gemini_has_more(c, part)) els_gemini_add_more(c, part);
        elelem_shape_tool_start(c, open->index, els_str(NULL, 0), els_str(NULL, 0));
        els_gemini_whole_arguments(c, open->index);
    }
    return ELELEM_OK;
}

/* A part that is a call, or continues one. Pieces for no call would be lost. */
static elelem_status els_gemini_call_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_status status = els_gemini_enter_call(c, choice, part);

    return status == ELELEM_OK ? els_gemini_pieces(c, choice) : status;
}

/* Nonzero if the candidate says that the model has ended a call that came before: by its reason, or by what comes next. */
ELS_APART int els_gemini_has_moved_on(const elelem_shape_context *c, elelem_value content)
{
    elelem_value call = els_gemini_call(c);

    return els_gemini_is_ended(c) || elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_TEXT)).size > 0 ||
           elelem_shape_is_there(content) || elelem_shape_string_in(call, "name").size > 0 ||
           els_gemini_has_members(elelem_value_get(call, "args"));
}

/* Nonzero if the part that was looked at is a text. */
static int els_gemini_is_text(const elelem_shape_context *c)
{
    return elelem_value_type(elelem_shape_field(c, ELS_GEMINI_TEXT)) == ELELEM_TYPE_STRING;
}

/* Looks at a part, and ends what it shows to be over. Returns nonzero if it is a call. */
ELS_APART int els_gemini_enter_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_value content = ELELEM_INIT;
    int is_call;

    elelem_shape_fields_find(c, part, ELS_GEMINI_TEXT, ELS_GEMINI_FUNCTION_RESPONSE, ELS_GEMINI_TEXT);
    is_call = elelem_value_type(els_gemini_call(c)) == ELELEM_TYPE_OBJECT;
    if (elelem_shape_is_there(part) && !is_call && !els_gemini_is_text(c)) content = els_gemini_content(c, part);
    if (els_gemini_has_moved_on(c, content)) elelem_shape_release(c, choice);
    els_gemini_response(c, choice);
    return is_call;
}

/* A part that is no call. */
ELS_APART void els_gemini_other_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    int is_text = els_gemini_is_text(c);
    elelem_value content = ELELEM_INIT;

    if (!is_text) content = els_gemini_content(c, part);
    if (!elelem_shape_is_there(content)) els_gemini_text(c, choice, part);
    else if (elelem_shape_wants_items(c)) els_gemini_item_part(c, choice, part, content);
}

/* One part; after the last, one that is no value. */
static elelem_status els_gemini_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    if (els_gemini_enter_part(c, choice, part)) return els_gemini_call_part(c, choice, part);
    if (elelem_shape_is_there(part)) els_gemini_other_part(c, choice, part);
    return ELELEM_OK;
}

/* Metadata of a candidate. */

/* The entries have one name at Google's API and another at Vertex. */
static void els_gemini_citations(elelem_shape_context *c, elelem_value metadata)
{
    elelem_value entries = elelem_value_get(metadata, "citationSources");

    if (elelem_value_type(entries) != ELELEM_TYPE_ARRAY) entries = elelem_value_get(metadata, "citations");
    if (elelem_value_type(entries) == ELELEM_TYPE_ARRAY && elelem_value_type(elelem_value_first(entries)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "citations", entries);
}

static void els_gemini_member_metadata(elelem_shape_context *c, unsigned row, const char *key)
{
    if (els_gemini_has_members(elelem_shape_field(c, row))) elelem_shape_metadata_value(c, key, elelem_shape_field(c, row));
}

/* It goes on the open message, or on a new one, which is over at once if it would come between the
   pieces of another text. */
ELS_APART void els_gemini_metadata(elelem_shape_context *c, uint32_t choice)
{
    elelem_part_kind kind = elelem_shape_message_kind(c);
    uint32_t index = elelem_shape_item_find(c, choice, kind, ELS_GEMINI_TEXT_KEY);
    uint32_t other = elelem_shape_item_text(c, choice);
    int is_new = index == ELELEM_NO_INDEX;

    els_gemini_citations(c, elelem_shape_field(c, ELS_GEMINI_CITATIONS));
    els_gemini_member_metadata(c, ELS_GEMINI_GROUNDING, "grounding_metadata");
    els_gemini_member_metadata(c, ELS_GEMINI_URLS, "url_context_metadata");
    if (!elelem_shape_has_metadata(c)) return;
    if (is_new) index = elelem_shape_item_open(c, choice, kind, ELS_GEMINI_TEXT_KEY);
    elelem_shape_text(c, index, els_str(NULL, 0));
    if (is_new && other != ELELEM_NO_INDEX) elelem_shape_flush(c, index);
}

static const char *const els_gemini_candidate_keys[] = { "safety_ratings", "avg_logprobs", "logprobs_result", "token_count",
                                                         "continuation_token" };

/* Members that no row names. They may come with every chunk, and are emitted when they are new. */

/* Adds those that the row matches to a hash. Returns the hash. */
static uint64_t els_gemini_hash_rest(const elelem_shape_context *c, uint64_t hash, elelem_value object, unsigned row)
{
    elelem_value member = elelem_shape_row_first(c, object, row);

    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row))
        hash = elelem_shape_hash_member(hash, member);
    return hash;
}

static void els_gemini_add_rest(elelem_shape_context *c, elelem_value object, unsigned row)
{
    elelem_value member = elelem_shape_row_first(c, object, row);

    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row)) {
        elelem_writer_value(elelem_shape_write(c), member);
        elelem_shape_metadata_written(c, elelem_value_key(member));
    }
}

/* Writes them as members. */
static void els_gemini_put_rest(const elelem_shape_context *c, elelem_writer *writer, elelem_value object, unsigned row)
{
    elelem_value member = elelem_shape_row_first(c, object, row);

    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row)) {
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
}

/* Nonzero if the candidate at hand or its content has such members, and they are new. */
static int els_gemini_has_new_rest(elelem_shape_context *c, uint32_t choice, elelem_value candidate)
{
    els_gemini_choice *state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);
    uint64_t hash = els_gemini_hash_rest(c, ELELEM_SHAPE_HASH_START, candidate, ELS_GEMINI_CANDIDATE_REST);
    uint32_t none = 0;

    hash = els_gemini_hash_rest(c, hash, elelem_shape_field(c, ELS_GEMINI_CONTENT), ELS_GEMINI_CONTENT_REST);
    return elelem_shape_is_news(state ? &state->rest : &none, hash);
}

/* What is known of the first choice. */
ELS_APART void els_gemini_describe_first(elelem_shape_context *c, elelem_value candidate)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_gemini_candidate_keys); i++) {
        elelem_value value = elelem_shape_field(c, ELS_GEMINI_RATINGS + (unsigned)i);
        if (elelem_shape_is_value(value)) elelem_shape_metadata_value(c, els_gemini_candidate_keys[i], value);
    }
    if (els_gemini_has_new_rest(c, 0, candidate)) {
        els_gemini_add_rest(c, candidate, ELS_GEMINI_CANDIDATE_REST);
        els_gemini_add_rest(c, elelem_shape_field(c, ELS_GEMINI_CONTENT), ELS_GEMINI_CONTENT_REST);
    }
    elelem_shape_response(c);
}

/* Writes the field as a member, if it is there. Returns nonzero if it is. */
static int els_gemini_put_field(elelem_shape_context *c, elelem_writer *writer, unsigned row, const char *key)
{
    elelem_value value = elelem_shape_field(c, row);

    if (!elelem_shape_is_value(value)) return 0;
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_value(writer, value);
    return 1;
}

/* What is known of another choice: an object with its number. */
ELS_APART void els_gemini_describe_other(elelem_shape_context *c, uint32_t choice, elelem_value candidate)
{
    elelem_writer *writer = elelem_shape_write(c);
    int any, has_rest = els_gemini_has_new_rest(c, choice, candidate);
    size_t i;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(writer, elelem_str_of("index"));
    elelem_writer_uint64(writer, choice);
    any = els_gemini_put_field(c, writer, ELS_GEMINI_FINISH_REASON, "finish_reason");
    any |= els_gemini_put_field(c, writer, ELS_GEMINI_FINISH_MESSAGE, "finish_message");
    for (i = 0; i < ELS_COUNT(els_gemini_candidate_keys); i++)
        any |= els_gemini_put_field(c, writer, ELS_GEMINI_RATINGS + (unsigned)i, els_gemini_candidate_keys[i]);
    if (has_rest) {
        els_gemini_put_rest(c, writer, candidate, ELS_GEMINI_CANDIDATE_REST);
        els_gemini_put_rest(c, writer, elelem_shape_field(c, ELS_GEMINI_CONTENT), ELS_GEMINI_CONTENT_REST);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
    if (any || has_rest) elelem_shape_metadata_written(c, elelem_str_of("candidate"));
    elelem_shape_response(c);
}

/* Nonzero if the document has what only a chunk of a response has. */
static int els_gemini_is_chunk(const elelem_shape_context *c)
{
    return elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_CANDIDATES)) ||
           elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_FEEDBACK)) ||
           elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_USAGE));
}

/* What is known of the response. It comes with every chunk, is the same in all, and is no longer read once it came. */
ELS_APART void els_gemini_describe_response(elelem_shape_context *c)
{
    static const char *const keys[] = { "id", "model", "create_time", "turn_token", "model_status" };
    elelem_value root = elelem_shape_document(c);
    unsigned i;

    for (i = 0; i < ELS_COUNT(keys); i++) {
        elelem_value value = elelem_shape_field(c, ELS_GEMINI_RESPONSE_ID + i);
        if (!elelem_shape_is_value(value)) continue;
        elelem_shape_metadata_value(c, keys[i], value);
        elelem_shape_drop(c, ELS_GEMINI_RESPONSE_ID + i);
    }
    if (els_gemini_is_chunk(c) && elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_ROOT_REST)) &&
        elelem_shape_is_news(&els_gemini_stream_of(c)->rest,
                          els_gemini_hash_rest(c, ELELEM_SHAPE_HASH_START, root, ELS_GEMINI_ROOT_REST)))
        els_gemini_add_rest(c, root, ELS_GEMINI_ROOT_REST);
    elelem_shape_response(c);
}

/* The end. */

/* Returns nonzero if a token to continue the choice with came: in this chunk, or of the first choice in one before. */
static int els_gemini_has_token(elelem_shape_context *c, uint32_t choice)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);
    int has_token = elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_CONTINUATION)).size > 0;

    if (choice != 0) return has_token;
    stream->has_token |= has_token != 0;
    return stream->has_token;
}

/* A reason may come with every chunk, so items stay open. FINISH_REASON_UNSPECIFIED is none. CONTINUATION comes with a token
   for the next request; without one the response cannot be continued. */
ELS_APART void els_gemini_finish(elelem_shape_context *c, uint32_t choice)
{
    elelem_value message = elelem_shape_field(c, ELS_GEMINI_FINISH_MESSAGE);
    elelem_str raw = els_gemini_raw_reason(c);
    elelem_finish_reason reason;
    els_gemini_choice *state;
    int has_token = els_gemini_has_token(c, choice);

    if (raw.size == 0) return;
    reason = els_gemini_reason(c);
    if (reason == ELELEM_FINISH_CONTINUE && !has_token) reason = ELELEM_FINISH_MAX_TOKENS;
    elelem_shape_reason(c, choice, reason, raw, 1);
    state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->has_stopped = reason == ELELEM_FINISH_COMPLETED;
    els_gemini_read_stop(c, choice);
    if (choice == 0 && elelem_value_type(message) == ELELEM_TYPE_STRING)
        elelem_shape_end_metadata(c, "finish_message", message);
}

/* A prompt that was blocked has no candidate, and no finish reason will come. Feedback that blocks nothing is only known. */
ELS_APART void els_gemini_feedback(elelem_shape_context *c)
{
    elelem_value feedback = elelem_shape_field(c, ELS_GEMINI_FEEDBACK);
    elelem_str raw = elelem_shape_string_in(feedback, "blockReason");

    if (raw.size > 0 && !elelem_shape_has_reason(c, 0)) {
        elelem_shape_reason(c, 0, ELELEM_FINISH_CONTENT_FILTER, raw, 1);
        elelem_shape_end_metadata(c, "prompt_feedback", feedback);
    } else if (els_gemini_has_members(feedback) && elelem_shape_wants_items(c)) {
        elelem_shape_metadata_value(c, "prompt_feedback", feedback);
        elelem_shape_response(c);
    }
}

/* On every chunk. One of Vertex may have only some of the counts, or none. */
ELS_APART void els_gemini_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, ELS_GEMINI_USAGE);
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_count_to(&usage.input, raw, "promptTokenCount");
    elelem_shape_count_to(&usage.output, raw, "candidatesTokenCount");
    elelem_shape_count_to(&usage.cached, raw, "cachedContentTokenCount");
    elelem_shape_count_to(&usage.reasoning, raw, "thoughtsTokenCount");
    elelem_shape_usage(c, usage, raw);
}

/* Candidates. */

/* Looks up the members of the candidate. Returns the number of its choice, `otherwise` if it has none. */
ELS_APART uint32_t els_gemini_look_at(elelem_shape_context *c, elelem_value candidate, uint32_t otherwise)
{
    elelem_shape_fields_find(c, candidate, ELS_GEMINI_INDEX, ELS_GEMINI_CONTINUATION, ELS_GEMINI_INDEX);
    return elelem_shape_number_or(elelem_shape_field(c, ELS_GEMINI_INDEX), otherwise);
}

/* Nonzero if parts of the candidate were worked on. */
static int els_gemini_is_begun(const elelem_shape_context *c, elelem_value candidate)
{
    return elelem_shape_is_same(els_gemini_stream_of(c)->candidate, candidate);
}

/* Looks at a candidate that is whole. One without a number is the first; in a whole response, which has them all, its place counts,
   and one that is begun is what it was taken for. */
ELS_APART uint32_t els_gemini_choice_of(elelem_shape_context *c, elelem_value candidate)
{
    int is_whole = elelem_shape_frame_kind(c) == ELELEM_SHAPE_WHOLE;
    uint32_t choice = els_gemini_look_at(c, candidate, is_whole ? (uint32_t)elelem_value_index(candidate) : 0);

    return is_whole && els_gemini_is_begun(c, candidate) ? els_gemini_stream_of(c)->choice : choice;
}

/* Works on the parts of a candidate's list before `end`, which may be none, that were not worked on. */
static elelem_status els_gemini_parts(elelem_shape_context *c, uint32_t choice, elelem_value list, elelem_value end)
{
    elelem_value passed = els_gemini_stream_of(c)->passed;
    int is_begun = elelem_shape_is_there(passed) && elelem_shape_is_same(elelem_value_parent(passed), list);
    elelem_value part = is_begun ? elelem_value_next(passed) : elelem_value_first(list);
    elelem_status status = ELELEM_OK;

    while (elelem_shape_is_there(part) && !elelem_shape_is_same(part, end) && status == ELELEM_OK && !elelem_shape_is_over(c)) {
        status = els_gemini_part(c, choice, part);
        part = elelem_value_next(part);
    }
    return status;
}

static elelem_status els_gemini_candidate(elelem_shape_context *c, elelem_value candidate)
{
    const elelem_value none = ELELEM_INIT;
    uint32_t choice = els_gemini_choice_of(c, candidate);
    elelem_value list = elelem_value_get(elelem_shape_field(c, ELS_GEMINI_CONTENT), "parts");
    elelem_status status = els_gemini_parts(c, choice, list, none);

    els_gemini_stream_of(c)->has_others |= choice > 0;
    els_gemini_stream_of(c)->has_numbers |= (uint8_t)elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_INDEX));
    if (status == ELELEM_OK) status = els_gemini_part(c, choice, none);
    if (status != ELELEM_OK) return status;
    els_gemini_metadata(c, choice);
    if (elelem_shape_wants_items(c) && choice == 0) els_gemini_describe_first(c, candidate);
    else if (elelem_shape_wants_items(c)) els_gemini_describe_other(c, choice, candidate);
    els_gemini_finish(c, choice);
    return ELELEM_OK;
}

/* Works on the candidates before `end`, which may be none, from `first` on or from the one that was not finished. */
static elelem_status els_gemini_candidates(elelem_shape_context *c, elelem_value first, elelem_value end)
{
    const els_gemini_stream *stream = els_gemini_stream_of(c);
    elelem_value candidate = elelem_shape_is_there(stream->candidate) ? stream->candidate : first;
    elelem_status status = ELELEM_OK;

    while (elelem_shape_is_there(candidate) && !elelem_shape_is_same(candidate, end) && status == ELELEM_OK) {
        status = els_gemini_candidate(c, candidate);
        candidate = elelem_value_next(candidate);
    }
    return status;
}

/* Parts that pass. */

ELS_APART void els_gemini_end_passing(elelem_shape_context *c)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);

    if (stream->passing) elelem_shape_flush(c, stream->passing - 1);
    stream->passing = 0;
}

/* Emits what came before `end`, a part of the list that begins to pass, or none. A candidate whose number did not come yet is taken
   for the choice of its place. */
static void els_gemini_catch_up(elelem_shape_context *c, elelem_value list, elelem_value end)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);
    elelem_value candidate = elelem_value_parent(elelem_value_parent(list));
    elelem_status status = ELELEM_OK;

    if (!els_gemini_is_begun(c, candidate)) {
        status = els_gemini_candidates(c, elelem_value_first(elelem_value_parent(candidate)), candidate);
        stream->choice = els_gemini_look_at(c, candidate, (uint32_t)elelem_value_index(candidate));
    }
    if (status == ELELEM_OK) status = els_gemini_parts(c, stream->choice, list, end);
    stream->candidate = candidate;
    stream->passed = end;
    stream->is_bad |= status != ELELEM_OK;
}

/* Nonzero if the choice of the list's parts shows only later: the number of its candidate did not come yet. It is looked for once. */
static int els_gemini_is_unnumbered(const elelem_shape_context *c, elelem_value list)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);
    elelem_value candidate = elelem_value_parent(elelem_value_parent(list));
    uint32_t number;

    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_WHOLE) return 0;
    if (!elelem_shape_is_same(stream->looked_at, candidate))
        stream->is_unnumbered = !elelem_shape_number(elelem_value_get(candidate, "index"), &number);
    stream->looked_at = candidate;
    return stream->is_unnumbered;
}

/* Finds that a candidate comes again after another, because the key of the list came twice: no provider sends that, and how far each of
   them was read is not kept. */
static void els_gemini_check_order(const elelem_shape_context *c, elelem_value list)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);
    size_t index = elelem_value_index(elelem_value_parent(elelem_value_parent(list)));

    if (index < elelem_value_index(stream->candidate) || index < elelem_value_index(stream->looked_at)) stream->is_bad = 1;
}

/* The candidates that were looked at are no longer there. */
static void els_gemini_forget_candidates(const elelem_shape_context *c)
{
    const elelem_value none = ELELEM_INIT;
    els_gemini_stream *stream = els_gemini_stream_of(c);

    stream->candidate = none;
    stream->looked_at = none;
    stream->passed = none;
}

/* If there are no other candidates, a part passes as one of the first, even if the number of its candidate did not come yet: mostly
   that comes last. */
static uint32_t els_gemini_passes(elelem_shape_context *c, elelem_value part, elelem_str type)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);
    uint32_t index;

    els_gemini_end_passing(c);
    els_gemini_check_order(c, elelem_value_parent(part));
    if (stream->is_bad) return ELELEM_NO_INDEX;
    if (stream->has_others && els_gemini_is_unnumbered(c, elelem_value_parent(part))) return ELELEM_SHAPE_STORED;
    els_gemini_catch_up(c, elelem_value_parent(part), part);
    if (stream->is_bad) return ELELEM_NO_INDEX;
    elelem_shape_fields_find(c, part, ELS_GEMINI_TEXT, ELS_GEMINI_FUNCTION_RESPONSE, ELS_GEMINI_TEXT);
    elelem_shape_release(c, stream->choice);
    els_gemini_response(c, stream->choice);
    index = els_gemini_open_item(c, stream->choice, type);
    stream->passing = index + 1;
    return index;
}

/* Lists of a whole response, or of a chunk in an array. */

/* Parts of a candidate, after which another begins. If candidates have numbers, a chunk's parts are stored until its number is
   known, as in an event stream. */
static elelem_shape_worked els_gemini_work_parts(elelem_shape_context *c, elelem_value list)
{
    const elelem_value none = ELELEM_INIT;

    els_gemini_end_passing(c);
    els_gemini_check_order(c, list);
    if (els_gemini_stream_of(c)->is_bad) return ELELEM_SHAPE_WORKED;
    if (els_gemini_stream_of(c)->has_numbers && els_gemini_is_unnumbered(c, list)) return ELELEM_SHAPE_NOT_WORKED;
    els_gemini_catch_up(c, list, none);
    return ELELEM_SHAPE_WORKED;
}

/* The same of candidates. */
static elelem_shape_worked els_gemini_work_candidates(elelem_shape_context *c, elelem_value list)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);
    const elelem_value none = ELELEM_INIT;

    els_gemini_end_passing(c);
    if (!stream->is_bad) stream->is_bad = els_gemini_candidates(c, elelem_value_first(list), none) != ELELEM_OK;
    els_gemini_forget_candidates(c);
    return ELELEM_SHAPE_WORKED;
}

static elelem_shape_worked els_gemini_work(elelem_shape_context *c, unsigned row, elelem_value list)
{
    return row == ELS_GEMINI_PART ? els_gemini_work_parts(c, list) : els_gemini_work_candidates(c, list);
}

/* The chunk. */

/* Nonzero if the document has what every response has: candidates, or why there are none. */
ELS_APART int els_gemini_is_whole(const elelem_shape_context *c)
{
    return elelem_shape_is_there(elelem_value_get(elelem_shape_document(c), "candidates")) ||
           elelem_shape_is_there(elelem_value_get(elelem_shape_document(c), "promptFeedback"));
}

/* [DONE] is not of this wire and says nothing. */
static elelem_status els_gemini_frame(elelem_shape_context *c)
{
    const elelem_value none = ELELEM_INIT;
    els_gemini_stream *stream = els_gemini_stream_of(c);
    elelem_status status;

    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DONE) return ELELEM_OK;
    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_GEMINI_CANDIDATES, ELS_GEMINI_ROOT_REST, ELS_GEMINI_CANDIDATES);
    els_gemini_end_passing(c);
    if (stream->is_bad) return ELELEM_ERROR_PROTOCOL;
    if (!els_gemini_is_chunk(c)) elelem_shape_ignore(c);
    if (elelem_shape_wants_items(c)) els_gemini_describe_response(c);
    status = els_gemini_candidates(c, elelem_value_first(elelem_shape_field(c, ELS_GEMINI_CANDIDATES)), none);
    els_gemini_forget_candidates(c);
    if (status != ELELEM_OK) return status;
    els_gemini_feedback(c);
    els_gemini_usage(c);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_ERROR)) && elelem_shape_document_error(c)) return ELELEM_OK;
    return elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA || els_gemini_is_whole(c) ? ELELEM_OK : ELELEM_ERROR_PROTOCOL;
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_gemini_recovery[] = {
    { "contents[*].role", NULL, ELELEM_RECOVERY_SPEAKER, 0 },
    { "contents[*].parts[*].functionResponse", NULL, ELELEM_RECOVERY_RESULT, 0 },
    { "contents[*].parts[*].thoughtSignature", "thought_signature", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_THOUGHT },
};

/* Parts with these members do not pass: they are read here. */
static const char *const els_gemini_kept[] = { "text", "functionCall", "executableCode", "codeExecutionResult", "toolCall", NULL };

/* A small part is stored, so that all of it and of its candidate is known. */
static const elelem_passage_rule els_gemini_rules[] = {
    { ELS_GEMINI_PART, 1024, NULL, els_gemini_kept, NULL, els_gemini_passing, NULL, NULL },
};

static const elelem_shape_items els_gemini_items = { els_gemini_item_paths, els_gemini_rules, ELS_COUNT(els_gemini_rules),
                                                     els_gemini_passes };

static const uint16_t els_gemini_elements[] = { ELS_GEMINI_PART, ELS_GEMINI_CANDIDATE, 0 };

static const elelem_shape_lists els_gemini_lists = { els_gemini_elements, els_gemini_work };

ELS_DATA const elelem_shape elelem_shape_gemini = {
    "gemini", els_gemini_paths, ELS_GEMINI_ROWS, els_gemini_frame,
    sizeof(els_gemini_item), sizeof(els_gemini_choice), sizeof(els_gemini_stream), 1, 1,
    ELS_IF_METADATA(els_gemini_recovery), ELS_COUNT(els_gemini_recovery) * ELS_HAS_METADATA,
    ELS_IF_ITEMS(&els_gemini_items), 1, 0, NULL, NULL,
    ELS_IF_WHOLE(&els_gemini_lists),
};

#endif

#endif
