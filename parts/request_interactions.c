#ifndef ELS_REQUEST_INTERACTIONS_C
#define ELS_REQUEST_INTERACTIONS_C
#include "request_interactions.h"
#include "base.c"
#include "writer.c"
#include "line.c"
#include "talk.c"
#include "request.c"

/* >> request_interactions */

#ifndef ELELEM_NO_INTERACTIONS

/* Opens a step that holds contents, unless it is open: another one is closed. */
ELS_PRIVATE void els_ask_interactions_open(els_ask *ask, const char *type)
{
    if (ask->role) return;
    ask->role = type;
    els_begin_typed(&ask->writer, type);
    els_begin_member(&ask->writer, "content", ELELEM_TYPE_ARRAY);
    ask->messages++;
}

/* Begins another step. */
ELS_PRIVATE void els_ask_interactions_begin(els_ask *ask, const char *type)
{
    els_close_role(ask);
    els_begin_typed(&ask->writer, type);
    ask->messages++;
}

/* What the model said. */

ELS_PRIVATE elelem_str els_ask_interactions_signature(const els_talk_item *item)
{
    return els_talk_meta_text(item, "step_signature");
}

ELS_PRIVATE void els_ask_interactions_put_thought(els_ask *ask, const els_talk_item *item)
{
    els_talk_list others = els_talk_list_of(item, "summary");
    elelem_str signature = els_ask_interactions_signature(item), other;

    if (signature.size == 0) return;
    els_ask_interactions_begin(ask, "thought");
    els_put_raw_member(&ask->writer, "signature", signature);
    if (!els_item_is_blank(item) || els_talk_next_element(&others, &other)) {
        els_begin_member(&ask->writer, "summary", ELELEM_TYPE_ARRAY);
        if (!els_item_is_blank(item)) {
            els_begin_typed(&ask->writer, "text");
            els_put_item_text(&ask->writer, "text", item);
            els_end_object(&ask->writer);
        }
        els_put_elements(&ask->writer, item, "summary");
        els_end_array(&ask->writer);
    }
    els_end_object(&ask->writer);
}

/* Nonzero if the citation is of a form that this shape has; other shapes have the same key. */
ELS_PRIVATE int els_ask_interactions_takes(elelem_str citation)
{
    static const char *const names[] = { "type", "url", "file_id" };
    static const char *const types[] = { "place_citation", "word_info", "speech" };
    elelem_str values[3];

    els_line_members(citation, names, 3, values);
    if (els_quoted_is(values[0], "url_citation")) return values[1].size > 0;
    if (els_quoted_is(values[0], "file_citation")) return values[2].size == 0;
    return els_quoted_is_any(values[0], types, ELS_COUNT(types));
}

ELS_PRIVATE int els_ask_interactions_has_citations(const els_talk_item *item)
{
    els_talk_list citations = els_talk_list_of(item, "annotations");
    elelem_str citation;
    int has_some = 0;

    while (els_talk_next_element(&citations, &citation)) {
        if (citation.data[0] != '{' || !els_ask_interactions_takes(citation)) return 0;
        has_some = 1;
    }
    return has_some;
}

ELS_PRIVATE void els_ask_interactions_put_text(els_ask *ask, const els_talk_item *item)
{
    if (els_item_is_blank(item)) return;
    els_ask_interactions_open(ask, "model_output");
    els_begin_typed(&ask->writer, "text");
    els_put_item_text(&ask->writer, "text", item);
    if (els_ask_interactions_has_citations(item)) els_put_list(&ask->writer, item, "annotations");
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_interactions_put_call(els_ask *ask, const els_talk_item *item, size_t which, int is_signed)
{
    elelem_str signature = els_ask_interactions_signature(item);

    if (!is_signed && signature.size == 0 && els_step_is_current(ask)) {
        els_ask_interactions_begin(ask, "thought");
        els_put_word(&ask->writer, "signature", "skip_thought_signature_validator");
        els_end_object(&ask->writer);
    }
    els_ask_interactions_begin(ask, "function_call");
    els_put_call_id(ask, "id", which);
    els_put_tool_name(&ask->writer, "name", item->line.name, 1);
    els_put_arguments(&ask->writer, "arguments", &item->line);
    if (signature.size > 0) els_put_raw_member(&ask->writer, "signature", signature);
    els_end_object(&ask->writer);
}

/* Nonzero for a result that goes back only with its call, and for steps that are no provider items. */
ELS_PRIVATE int els_ask_interactions_is_stray(const els_ask *ask, const els_talk_item *item)
{
    const els_step_call *call;

    if (els_quoted_is(item->line.type, "function_call") || els_quoted_is(item->line.type, "thought")) return 1;
    if (!els_is_hosted_result(item)) return 0;
    call = els_step_hosted_call(ask, item);
    return !call || call->is_left_out || !els_result_is_item(call, ELS_HOME_INTERACTIONS);
}

/* A step of another type, or a content of a model_output. */
ELS_PRIVATE void els_ask_interactions_put_item(els_ask *ask, const els_talk_item *item)
{
    if (!els_item_goes_to(item, ELS_HOME_INTERACTIONS) || els_ask_interactions_is_stray(ask, item)) return;
    if (els_quoted_is(els_talk_meta(item, "step"), "model_output")) {
        els_ask_interactions_open(ask, "model_output");
    } else {
        els_close_role(ask);
        ask->messages++;
    }
    els_put_provider_item(&ask->writer, item);
}

/* Items go out in the order in which they came: a thought signs what comes after it. */
ELS_PRIVATE void els_ask_interactions_put_items(els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    int is_signed = 0;

    while (els_walk_step(ask, &walk, &item)) {
        if (item.line.kind == ELS_TALK_CALL) {
            if (ask->step.calls[walk.call].is_left_out) continue;
            els_ask_interactions_put_call(ask, &item, walk.call, is_signed);
            is_signed = 1;
        } else if (item.line.kind == ELS_TALK_REASONING) {
            is_signed |= els_ask_interactions_signature(&item).size > 0;
            els_ask_interactions_put_thought(ask, &item);
        } else if (item.line.kind == ELS_TALK_PROVIDER_ITEM) {
            els_ask_interactions_put_item(ask, &item);
        } else {
            els_ask_interactions_put_text(ask, &item);
        }
    }
    els_close_role(ask);
}

/* Results, and what the user said. */

/* Nonzero for a list whose first element is an object with a type: one of contents. */
ELS_PRIVATE int els_ask_interactions_is_list(elelem_str json)
{
    static const char *const names[] = { "type" };
    els_cursor in = els_line_inside(json);
    elelem_str first, type;

    if (!els_line_next_value(&in, &first) || first.data[0] != '{') return 0;
    els_line_members(first, names, 1, &type);
    return els_is_string(type);
}

/* The same of a list in pieces. */
ELS_PRIVATE int els_ask_interactions_is_spelled_list(const els_ask *ask, const els_talk_line *line)
{
    els_talk_item item;
    els_spelled in;

    els_result_spelled(ask, line, &item, &in);
    els_spelled_next(&in); /* the bracket */
    els_spelled_skip_blanks(&in);
    return els_spelled_first(&in) == '{' && els_spelled_enter(&in, "type") && els_spelled_first(&in) == '"';
}

/* Nonzero if a result can be sent as it is: an object, or a list of contents. */
ELS_ALONE int els_ask_interactions_is_result(const els_ask *ask, const els_talk_line *line)
{
    int begin = els_result_begin(ask, line);

    if (begin != '[') return begin == '{';
    return line->json.size > 0 ? els_ask_interactions_is_list(line->json) : els_ask_interactions_is_spelled_list(ask, line);
}

/* A response that is stored has its calls with the ids that the model gave them. */
ELS_PRIVATE void els_ask_interactions_put_result(els_ask *ask, size_t which, int is_stored)
{
    const els_step_call *call = &ask->step.calls[which];
    els_talk_line line;

    els_result_of(ask, which, &line);
    els_ask_interactions_begin(ask, "function_result");
    if (is_stored && call->id.size > 2) els_put_quoted(&ask->writer, "call_id", call->id);
    else els_put_call_id(ask, "call_id", which);
    els_put_tool_name(&ask->writer, "name", call->name, 1);
    if (els_ask_interactions_is_result(ask, &line)) els_put_result_json(ask, "result", &line);
    else els_put_result(ask, "result", &line, 0);
    if (line.failed) els_put_bool(&ask->writer, "is_error", 1);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_interactions_put_results(els_ask *ask)
{
    size_t i;

    for (i = 0; i < ask->step.count; i++)
        if (els_result_shows(&ask->step.calls[i], ELS_HOME_INTERACTIONS)) els_ask_interactions_put_result(ask, i, 0);
}

/* The results that a stored response awaits: of calls after this place, that are not stored too. */
ELS_PRIVATE void els_ask_interactions_put_awaited(els_ask *ask, size_t start)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;

    while (els_walk_step(ask, &walk, &item)) {
        const els_step_call *call = &ask->step.calls[walk.call];
        if (item.line.kind != ELS_TALK_CALL || item.line.first < start || call->is_left_out) continue;
        if (call->home != ELS_HOME_INTERACTIONS) els_ask_interactions_put_result(ask, walk.call, 1);
    }
}

ELS_PRIVATE void els_ask_interactions_put_image(els_ask *ask, const elelem_str fields[3])
{
    els_begin_typed(&ask->writer, "image");
    if (fields[0].size > 0) els_put_quoted(&ask->writer, "mime_type", fields[0]);
    if (fields[1].size > 0) els_put_quoted(&ask->writer, "data", fields[1]);
    else els_put_quoted(&ask->writer, "uri", fields[2]);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_interactions_put_user(els_ask *ask)
{
    els_talk at = ask->step.tail;
    els_talk_item item;
    elelem_str fields[3];

    while (els_next_user(ask, &at, &item)) {
        els_cursor in = els_images_of(&item.line);
        els_ask_interactions_open(ask, "user_input");
        if (!els_item_is_blank(&item)) {
            els_begin_typed(&ask->writer, "text");
            els_put_item_text(&ask->writer, "text", &item);
            els_end_object(&ask->writer);
        }
        while (els_next_image(&in, fields))
            els_ask_interactions_put_image(ask, fields);
    }
    els_close_role(ask);
}

/* Returns the place in the history after which all results are of the last response, some of whose calls may have been run before
   others came. Only the events of a response that ended say which it has; for other lines, no place is. */
ELS_PRIVATE size_t els_ask_interactions_start(const els_ask *ask)
{
    els_talk talk = els_talk_of(ask->request->history);
    els_talk_line line;
    size_t end = 0, next = SIZE_MAX, start = SIZE_MAX;

    while (els_talk_next_line(&talk, &line)) {
        if (line.kind == ELS_TALK_END) start = next;
        if (line.kind == ELS_TALK_END || line.kind == ELS_TALK_USER) end = talk.at;
        if (line.kind < ELS_TALK_MESSAGE) continue;
        next = line.is_event ? end : SIZE_MAX;
        start = SIZE_MAX;
    }
    return start;
}

/* Nonzero if the model says nothing more after the step. */
ELS_PRIVATE int els_ask_interactions_is_last(const els_ask *ask)
{
    els_talk ahead = ask->step.to;
    els_talk_item item;

    return !els_talk_next(&ahead, &item);
}

/* What is new to a response that is stored. */
ELS_PRIVATE void els_ask_interactions_put_new(els_ask *ask, size_t start)
{
    int is_last = els_ask_interactions_is_last(ask);

    els_ask_interactions_put_awaited(ask, is_last && start == SIZE_MAX ? 0 : start);
    if (is_last) els_ask_interactions_put_user(ask);
}

ELS_PRIVATE void els_ask_interactions_put_step(els_ask *ask)
{
    els_ask_interactions_put_items(ask);
    els_ask_interactions_put_results(ask);
    els_ask_interactions_put_user(ask);
}

/* Nonzero if the caller's own members have this one. */
ELS_PRIVATE int els_ask_interactions_has(const els_ask *ask, const char *name)
{
    return ask->request->extra.size > 0 && els_has_member(ask->request->extra, name);
}

ELS_PRIVATE void els_ask_interactions_put_input(els_ask *ask)
{
    int is_stored = els_ask_interactions_has(ask, "previous_interaction_id");
    size_t start = is_stored ? els_ask_interactions_start(ask) : 0;

    if (is_stored && els_ask_interactions_has(ask, "continuation_token")) {
        ask->messages++;
        return;
    }
    if (!els_ask_key(ask, "input")) return;
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    while (els_step_next(ask)) {
        if (is_stored) els_ask_interactions_put_new(ask, start);
        else els_ask_interactions_put_step(ask);
    }
    els_end_array(&ask->writer);
}

/* Tools and settings. */

ELS_PRIVATE void els_ask_interactions_put_tool(els_ask *ask, const elelem_tool *tool)
{
    els_ask_note(ask, tool->strict, ELS_NO_MEMBER("strict of a tool"));
    els_begin_typed(&ask->writer, "function");
    els_put_tool_members(&ask->writer, "parameters", tool);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_interactions_put_choice(els_ask *ask)
{
    static const char *const words[] = { "auto", "none", "any" };
    const elelem_request *r = ask->request;

    if (r->tool_count == 0 || r->tool_choice == ELELEM_TOOL_CHOICE_AUTO || !els_config_key(ask, "tool_choice")) return;
    if (r->tool_choice != ELELEM_TOOL_CHOICE_NAMED) {
        elelem_writer_string(&ask->writer, elelem_str_of(words[r->tool_choice]));
        return;
    }
    els_begin_object(&ask->writer);
    els_begin_member(&ask->writer, "allowed_tools", ELELEM_TYPE_OBJECT);
    els_put_word(&ask->writer, "mode", "any");
    els_begin_member(&ask->writer, "tools", ELELEM_TYPE_ARRAY);
    elelem_writer_string(&ask->writer, r->tool_choice_name);
    els_end_array(&ask->writer);
    els_end_object(&ask->writer);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_interactions_put_config(els_ask *ask)
{
    const elelem_request *r = ask->request;

    els_ask_note(ask, r->tool_count > 0 && r->one_call, ELS_NO_MEMBER("one_call"));
    els_ask_note(ask, r->reasoning_tokens > 0, ELS_NO_MEMBER("reasoning_tokens"));
    if (!els_ask_key(ask, "generation_config")) return;
    els_begin_object(&ask->writer);
    if (r->max_tokens > 0 && els_config_key(ask, "max_output_tokens")) elelem_writer_int64(&ask->writer, r->max_tokens);
    els_config_json(ask, "temperature", r->temperature);
    els_config_json(ask, "top_p", r->top_p);
    els_config_json(ask, "top_k", r->top_k);
    els_config_json(ask, "seed", r->seed);
    if (r->stop_count > 0 && els_config_key(ask, "stop_sequences")) els_put_stops(ask, 0);
    if (r->effort.size > 0 && els_config_key(ask, "thinking_level")) elelem_writer_string(&ask->writer, r->effort);
    if ((r->show_reasoning || r->summary.size > 0) && els_config_key(ask, "thinking_summaries"))
        elelem_writer_string(&ask->writer, r->summary.size > 0 ? r->summary : elelem_str_of("auto"));
    els_ask_interactions_put_choice(ask);
    els_put_members(&ask->writer, r->extra_config);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_interactions_put_format(els_ask *ask)
{
    const elelem_request *r = ask->request;

    els_ask_note_schema(ask);
    if (r->schema.size == 0 || !els_ask_key(ask, "response_format")) return;
    els_begin_typed(&ask->writer, "text");
    els_put_word(&ask->writer, "mime_type", "application/json");
    if (els_wants_schema(r)) els_put_raw_member(&ask->writer, "schema", r->schema);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_interactions(els_ask *ask)
{
    const elelem_request *r = ask->request;
    int is_kept = els_ask_interactions_has(ask, "previous_interaction_id") || els_ask_interactions_has(ask, "background");

    if (!els_ask_interactions_has(ask, "agent")) els_ask_text(ask, "model", r->model);
    if (els_has_instructions(ask, 0)) els_ask_text(ask, "system_instruction", r->instructions);
    els_ask_interactions_put_input(ask);
    if (r->tool_count > 0) els_ask_tools(ask, els_ask_interactions_put_tool);
    els_ask_interactions_put_config(ask);
    els_ask_interactions_put_format(ask);
    els_ask_false(ask, "store", !is_kept);
    els_ask_true(ask, "stream", !r->whole);
}

#endif

#endif
