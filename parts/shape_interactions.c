#ifndef ELS_SHAPE_INTERACTIONS_C
#define ELS_SHAPE_INTERACTIONS_C
#include "shape_interactions.h"
#include "base.c"
#include "shape_interactions_step.c"
#include "recovery.h"

/* >> shape_interactions */

#ifndef ELELEM_NO_INTERACTIONS

/* The response itself. */

/* Adds a value that is known of the response under the key of a row from ID to ENVIRONMENT, if it is new. */
static void els_interactions_add_known(elelem_shape_context *c, unsigned row, elelem_value value)
{
    uint32_t *known = &els_interactions_stream_of(c)->known[row - ELS_INTERACTIONS_ID];
    uint64_t hash;

    if (els_interactions_is_empty(value)) return;
    hash = elelem_value_type(value) == ELELEM_TYPE_STRING ? elelem_shape_hash(elelem_value_text(value))
                                                          : elelem_shape_hash_member(ELELEM_SHAPE_HASH_START, value);
    if (elelem_shape_is_news(known, hash))
        elelem_shape_metadata_value(c, els_interactions_paths[row].key, value);
}

/* Adds the members of an object that the row matches, if they are others than before. */
static void els_interactions_add_rest(elelem_shape_context *c, uint32_t *kept, elelem_value object, unsigned row)
{
    elelem_value first = elelem_shape_row_first(c, object, row), member;
    uint64_t hash = ELELEM_SHAPE_HASH_START;

    for (member = first; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row))
        if (!els_interactions_is_empty(member)) hash = elelem_shape_hash_member(hash, member);
    if (!elelem_shape_is_news(kept, hash)) return;
    for (member = first; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row))
        if (!els_interactions_is_empty(member)) els_interactions_add(c, member);
}

/* What the interaction says of itself, whose members were looked up. */
static void els_interactions_add_interaction(elelem_shape_context *c, elelem_value interaction)
{
    unsigned row;

    if (!elelem_shape_wants_items(c) || elelem_value_type(interaction) != ELELEM_TYPE_OBJECT) return;
    for (row = ELS_INTERACTIONS_ID; row <= ELS_INTERACTIONS_ENVIRONMENT; row++)
        els_interactions_add_known(c, row, elelem_shape_field(c, row));
    els_interactions_add_rest(c, &els_interactions_stream_of(c)->interaction_rest, interaction, ELS_INTERACTIONS_INTERACTION_REST);
}

static void els_interactions_count(elelem_shape_context *c, elelem_value raw)
{
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_count_to(&usage.input, raw, "total_input_tokens");
    elelem_shape_count_to(&usage.output, raw, "total_output_tokens");
    elelem_shape_count_to(&usage.cached, raw, "total_cached_tokens");
    elelem_shape_count_to(&usage.reasoning, raw, "total_thought_tokens");
    elelem_shape_usage(c, usage, raw);
}

/* Looks up the members of the interaction. */
static void els_interactions_look_at(elelem_shape_context *c, elelem_value interaction)
{
    elelem_shape_fields_find(c, interaction, ELS_INTERACTIONS_ID, ELS_INTERACTIONS_INTERACTION_REST, ELS_INTERACTIONS_ID);
}

/* What a frame says of the response in addition to what it is about: totals, its id, and members that are not known. */
ELS_APART void els_interactions_describe(elelem_shape_context *c)
{
    els_interactions_stream *stream = els_interactions_stream_of(c);
    elelem_value interaction = elelem_shape_field(c, ELS_INTERACTIONS_INTERACTION);
    elelem_value metadata = elelem_shape_field(c, ELS_INTERACTIONS_METADATA);

    els_interactions_look_at(c, interaction);
    els_interactions_count(c, elelem_value_get(metadata, "usage"));
    els_interactions_count(c, elelem_shape_field(c, ELS_INTERACTIONS_FRAME_USAGE));
    els_interactions_count(c, elelem_shape_field(c, ELS_INTERACTIONS_USAGE));
    if (!elelem_shape_wants_items(c)) return;
    els_interactions_add_interaction(c, interaction);
    els_interactions_add_known(c, ELS_INTERACTIONS_ID, elelem_shape_field(c, ELS_INTERACTIONS_FRAME_ID));
    els_interactions_add_known(c, ELS_INTERACTIONS_TOKEN, elelem_shape_field(c, ELS_INTERACTIONS_FRAME_TOKEN));
    els_interactions_add_rest(c, &stream->frame_rest, elelem_shape_document(c), ELS_INTERACTIONS_FRAME_REST);
    els_interactions_add_rest(c, &stream->metadata_rest, metadata, ELS_INTERACTIONS_METADATA_REST);
    elelem_shape_response(c);
}

/* The end. */

static const elelem_shape_word els_interactions_reasons[] = {
    { "completed", ELELEM_FINISH_COMPLETED },
    { "requires_action", ELELEM_FINISH_TOOL_CALLS },
    { "incomplete", ELELEM_FINISH_MAX_TOKENS },
};

/* Nonzero if the status says that the response is not over. */
static int els_interactions_continues(elelem_str status)
{
    return elelem_str_is(status, "in_progress") || elelem_str_is(status, "queued");
}

/* Ends what is open by a status that is an end. */
static void els_interactions_end(elelem_shape_context *c, elelem_str status)
{
    elelem_finish_reason reason = elelem_shape_reason_of(els_interactions_reasons, ELS_COUNT(els_interactions_reasons), status);

    if (reason == ELELEM_FINISH_COMPLETED && els_interactions_stream_of(c)->unresolved > 0) reason = ELELEM_FINISH_TOOL_CALLS;
    elelem_shape_reason(c, 0, reason, status, 1);
    els_interactions_end_all(c);
}

/* What a code of gRPC means. */
static elelem_error_kind els_interactions_fault_kind(uint64_t code)
{
    switch (code) {
    case 3: case 5: case 6: case 9: case 11: case 12: return ELELEM_ERROR_KIND_INVALID_REQUEST;
    case 7: case 16: return ELELEM_ERROR_KIND_AUTHENTICATION;
    case 8: return ELELEM_ERROR_KIND_RATE_LIMIT;
    default: return ELELEM_ERROR_KIND_TRANSIENT;
    }
}

/* Ends the stream with the error that was kept, or with one that says no more than that there is one. One that could not be kept has no
   end. */
static void els_interactions_give_fault(elelem_shape_context *c)
{
    const elelem_shape_item *item =
        elelem_shape_item_at(c, elelem_shape_item_find(c, 0, ELELEM_PART_PROVIDER_ITEM, ELS_INTERACTIONS_FAULT_KEY));
    uint32_t code = item ? (uint32_t)els_interactions_state(item)->bytes : 0;

    if (elelem_shape_is_over(c)) return;
    elelem_shape_error(c, els_interactions_fault_kind(code), elelem_str_of("failed"),
                       item ? elelem_shape_kept(c, item).data : ELS_WORDS("the provider stopped the response with an error"));
}

/* Ends the stream with the error of the interaction, or the first in its list; 0 if the frame has neither. */
static int els_interactions_says_why(elelem_shape_context *c, elelem_value interaction)
{
    elelem_value first = elelem_value_first(elelem_shape_field(c, ELS_INTERACTIONS_ERRORS));
    uint32_t code;

    if (elelem_shape_error_in(c, interaction) || elelem_shape_document_error(c)) return 1;
    if (elelem_value_type(first) != ELELEM_TYPE_OBJECT) return 0;
    if (!elelem_shape_number(elelem_value_get(first, "code"), &code) || code > 16) {
        elelem_shape_error_of(c, first);
    } else {
        els_interactions_keep_fault(c, first);
        els_interactions_give_fault(c);
    }
    return 1;
}

/* The status of the interaction, or that of the frame. */
static elelem_str els_interactions_status_at(const elelem_shape_context *c)
{
    elelem_str status = els_interactions_text_at(c, ELS_INTERACTIONS_STATUS);

    return status.size > 0 ? status : els_interactions_text_at(c, ELS_INTERACTIONS_FRAME_STATUS);
}

/* The interaction is over; one that says no status, and said none before, is completed. */
static void els_interactions_finish(elelem_shape_context *c, elelem_value interaction)
{
    elelem_str status = els_interactions_status_at(c);

    if (elelem_str_is(status, "failed") || (status.size == 0 && els_interactions_stream_of(c)->has_failed)) {
        if (!els_interactions_says_why(c, interaction)) els_interactions_give_fault(c);
        return;
    }
    if (status.size == 0 && !elelem_shape_has_reason(c, 0)) status = elelem_str_of("completed");
    if (status.size > 0) els_interactions_end(c, status);
    elelem_shape_finish(c);
}

/* Events. */

static uint32_t els_interactions_key(const elelem_shape_context *c)
{
    return elelem_shape_number_or(elelem_shape_field(c, ELS_INTERACTIONS_INDEX), ELS_INTERACTIONS_NO_NUMBER);
}

static void els_interactions_step_start(elelem_shape_context *c)
{
    elelem_value step = elelem_shape_field(c, ELS_INTERACTIONS_STEP);

    els_interactions_stream_of(c)->had_step = 1;
    if (elelem_value_type(step) == ELELEM_TYPE_OBJECT) els_interactions_begin(c, els_interactions_key(c), step, 0);
}

static void els_interactions_step_delta(elelem_shape_context *c)
{
    elelem_value delta = elelem_shape_field(c, ELS_INTERACTIONS_DELTA);

    els_interactions_stream_of(c)->had_step = 1;
    if (elelem_value_type(delta) == ELELEM_TYPE_OBJECT) els_interactions_delta(c, els_interactions_key(c), delta);
}

/* A stop of a step that is not open is ignored. */
static void els_interactions_step_stop(elelem_shape_context *c)
{
    elelem_shape_item *item = els_interactions_current(c, els_interactions_key(c));
    elelem_value usage = elelem_shape_field(c, ELS_INTERACTIONS_STEP_USAGE);
    /* Not reached: usage that is not wanted, which no path names; builds without items leave it out by this */
    int is_said = !els_interactions_is_empty(usage) && elelem_shape_wants_items(c);

    if (is_said) elelem_shape_metadata_value(c, "step_usage", usage);
    if (is_said && !(item && item->had_part)) elelem_shape_response(c);
    if (item) els_interactions_stop(c, item);
}

/* Emits the steps of the list before `end`, which may be none, that were not, and ends them: they are whole. */
static void els_interactions_listed(elelem_shape_context *c, elelem_value list, elelem_value end)
{
    els_interactions_stream *stream = els_interactions_stream_of(c);
    int is_begun = elelem_shape_is_there(stream->passed);
    elelem_value step = is_begun ? stream->passed : elelem_value_first(list);

    for (; elelem_shape_is_there(step) && !elelem_shape_is_same(step, end); step = elelem_value_next(step)) {
        uint32_t key = (uint32_t)elelem_value_index(step);
        elelem_shape_item *item;
        if (!elelem_shape_is_same(step, stream->passed) && elelem_value_type(step) == ELELEM_TYPE_OBJECT)
            els_interactions_begin(c, key, step, 1);
        item = els_interactions_find(c, key);
        if (item) els_interactions_stop(c, item);
    }
}

/* Its steps are normally absent. */
static void els_interactions_completed(elelem_shape_context *c)
{
    const elelem_value none = ELELEM_INIT;

    if (!els_interactions_stream_of(c)->had_step) els_interactions_listed(c, elelem_shape_field(c, ELS_INTERACTIONS_STEPS), none);
    els_interactions_finish(c, elelem_shape_field(c, ELS_INTERACTIONS_INTERACTION));
}

/* A status that is an end, although the frame is not the last. What failed may be said by one that follows. */
static void els_interactions_status(elelem_shape_context *c)
{
    els_interactions_stream *stream = els_interactions_stream_of(c);
    elelem_str status = els_interactions_status_at(c);

    if (status.size == 0) return;
    stream->is_queued = (uint8_t)elelem_str_is(status, "queued");
    stream->has_failed = (uint8_t)elelem_str_is(status, "failed");
    if (stream->has_failed) els_interactions_says_why(c, elelem_shape_field(c, ELS_INTERACTIONS_INTERACTION));
    else if (!els_interactions_continues(status)) els_interactions_end(c, status);
}

/* Of a run that is over and comes again this event has its last status already, although the steps follow: then that is no end. */
static void els_interactions_created(elelem_shape_context *c)
{
    if (els_interactions_continues(els_interactions_status_at(c))) els_interactions_status(c);
}

/* An event of the interaction that is not known, such as interaction.failed. */
static void els_interactions_other_event(elelem_shape_context *c)
{
    if (!elelem_shape_document_error(c)) els_interactions_status(c);
}

/* An error whose JSON has no error member says at best its sentence. */
static void els_interactions_error(elelem_shape_context *c)
{
    if (!elelem_shape_document_error(c)) elelem_shape_error_of(c, elelem_shape_document(c));
}

typedef struct els_interactions_event {
    const char *type;
    void (*work)(elelem_shape_context *c);
} els_interactions_event;

static const els_interactions_event els_interactions_events[] = {
    { "step.delta", els_interactions_step_delta },
    { "step.start", els_interactions_step_start },
    { "step.stop", els_interactions_step_stop },
    { "interaction.completed", els_interactions_completed },
    { "interaction.created", els_interactions_created },
    { "interaction.status_update", els_interactions_status },
    { "interaction.in_progress", els_interactions_status },
    { "interaction.requires_action", els_interactions_status },
    { "error", els_interactions_error },
};

ELS_APART const els_interactions_event *els_interactions_event_of(elelem_str type)
{
    static const els_interactions_event other = { "interaction.", els_interactions_other_event };
    size_t i;

    for (i = 0; i < ELS_COUNT(els_interactions_events); i++)
        if (elelem_str_is(type, els_interactions_events[i].type)) return &els_interactions_events[i];
    return type.size > 12 && memcmp(type.data, other.type, 12) == 0 ? &other : NULL;
}

/* The event by the type in the data, or by the event's name if that is not known; null if neither is. */
ELS_APART const els_interactions_event *els_interactions_look_at_data(elelem_shape_context *c)
{
    const els_interactions_event *event;

    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_INTERACTIONS_TYPE, ELS_INTERACTIONS_FRAME_REST, ELS_INTERACTIONS_TYPE);
    elelem_shape_event_id(c, elelem_shape_field(c, ELS_INTERACTIONS_EVENT_ID));
    event = els_interactions_event_of(els_interactions_text_at(c, ELS_INTERACTIONS_TYPE));
    return event ? event : els_interactions_event_of(elelem_shape_event_name(c));
}

/* A frame that is none of the events may still hold an error. */
static void els_interactions_data(elelem_shape_context *c)
{
    const els_interactions_event *event = els_interactions_look_at_data(c);

    if (!event) {
        elelem_shape_ignore(c);
        elelem_shape_document_error(c);
        return;
    }
    els_interactions_stream_of(c)->has_begun = 1;
    els_interactions_describe(c);
    event->work(c);
}

/* [DONE] says that no more comes. Without an end before it, the interaction continues in the background. */
ELS_APART void els_interactions_done(elelem_shape_context *c)
{
    const els_interactions_stream *stream = els_interactions_stream_of(c);

    if (!stream->has_begun) return;
    if (stream->has_failed) {
        els_interactions_give_fault(c);
        return;
    }
    if (!elelem_shape_has_reason(c, 0)) els_interactions_end(c, elelem_str_of(stream->is_queued ? "queued" : "in_progress"));
    elelem_shape_finish(c);
}

/* Whole responses. */

/* Emits what is known of a whole interaction, before steps of it once. */
static void els_interactions_name(elelem_shape_context *c)
{
    els_interactions_stream *stream = els_interactions_stream_of(c);

    if (stream->is_listing) return;
    stream->is_listing = 1;
    els_interactions_look_at(c, elelem_shape_document(c));
    els_interactions_add_interaction(c, elelem_shape_document(c));
    elelem_shape_response(c);
}

/* Steps of a whole interaction, after which another begins. */
static elelem_shape_worked els_interactions_work(elelem_shape_context *c, unsigned row, elelem_value list)
{
    const elelem_value none = ELELEM_INIT;

    (void)row;
    els_interactions_name(c);
    els_interactions_listed(c, list, none);
    els_interactions_stream_of(c)->passed = none;
    return ELELEM_SHAPE_WORKED;
}

/* Data of a delta that begin to pass, or a step of a whole interaction. Those in a frame are stored. */
static uint32_t els_interactions_passes(elelem_shape_context *c, elelem_value step, elelem_str type)
{
    const elelem_shape_item *item;

    if (elelem_value_type(step) == ELELEM_TYPE_STRING) return els_interactions_pass_data(c, step);
    if (elelem_shape_frame_kind(c) != ELELEM_SHAPE_WHOLE) return ELELEM_SHAPE_STORED;
    els_interactions_name(c);
    els_interactions_listed(c, elelem_value_parent(step), step);
    elelem_shape_release(c, 0);
    item = els_interactions_open_other(c, (uint32_t)elelem_value_index(step), type);
    els_interactions_stream_of(c)->passed = step;
    elelem_shape_metadata_text(c, "step", type);
    return item ? item->index : ELELEM_NO_INDEX;
}

ELS_APART elelem_status els_interactions_whole(elelem_shape_context *c)
{
    elelem_value interaction = elelem_shape_document(c);
    const elelem_value none = ELELEM_INIT;

    els_interactions_look_at(c, interaction);
    if (!elelem_shape_is_there(elelem_shape_field(c, ELS_INTERACTIONS_STATUS)) &&
        !elelem_shape_is_there(elelem_shape_field(c, ELS_INTERACTIONS_STEPS)))
        return elelem_shape_document_error(c) ? ELELEM_OK : ELELEM_ERROR_PROTOCOL;
    els_interactions_count(c, elelem_shape_field(c, ELS_INTERACTIONS_USAGE));
    if (!els_interactions_stream_of(c)->is_listing) els_interactions_name(c);
    els_interactions_listed(c, elelem_shape_field(c, ELS_INTERACTIONS_STEPS), none);
    els_interactions_add_interaction(c, interaction);
    elelem_shape_response(c);
    if (!elelem_shape_document_error(c)) els_interactions_finish(c, interaction);
    return ELELEM_OK;
}

static elelem_status els_interactions_frame(elelem_shape_context *c)
{
    els_interactions_stream *stream = els_interactions_stream_of(c);
    elelem_shape_frame kind = elelem_shape_frame_kind(c);
    elelem_status status = ELELEM_OK;
    const elelem_value none = ELELEM_INIT;

    if (kind == ELELEM_SHAPE_WHOLE) status = els_interactions_whole(c);
    else if (kind == ELELEM_SHAPE_DONE) els_interactions_done(c);
    else els_interactions_data(c);
    stream->passed = none;
    stream->data = none;
    stream->is_listing = 0;
    return status;
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_interactions_recovery[] = {
    { "input[*].signature", "step_signature", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_THOUGHT },
};

/* Steps of these types do not pass: they are read here. */
static const char *const els_interactions_kept[] = { "model_output", "thought", "function_call", "google_search_call",
                                                     "code_execution_call", "code_execution_result", "url_context_call",
                                                     "google_maps_call", "mcp_server_tool_call", NULL };

static const elelem_passage_rule els_interactions_rules[] = {
    { ELS_INTERACTIONS_LISTED, 0, "type", els_interactions_kept, NULL, NULL, NULL, NULL },
    { ELS_INTERACTIONS_DELTA_DATA, 1024, "", NULL, NULL, NULL, NULL, NULL },
};

static const elelem_shape_items els_interactions_items = { els_interactions_item_paths, els_interactions_rules,
                                                           ELS_COUNT(els_interactions_rules), els_interactions_passes };

static const uint16_t els_interactions_elements[] = { ELS_INTERACTIONS_LISTED, 0 };

static const elelem_shape_lists els_interactions_lists = { els_interactions_elements, els_interactions_work };

ELS_DATA const elelem_shape elelem_shape_interactions = {
    "interactions", els_interactions_paths, ELS_INTERACTIONS_ROWS, els_interactions_frame,
    sizeof(els_interactions_item), 0, sizeof(els_interactions_stream), 0, 0,
    els_interactions_recovery, ELS_COUNT(els_interactions_recovery), ELS_IF_ITEMS(&els_interactions_items), 1,
    ELS_INTERACTIONS_INTERACTION, NULL, NULL, ELS_IF_WHOLE(&els_interactions_lists),
};

#endif

#endif
