#ifndef ELS_REQUEST_RESPONSES_C
#define ELS_REQUEST_RESPONSES_C
#include "request_responses.h"
#include "base.c"
#include "writer.c"
#include "talk.c"
#include "request.c"

/* >> request_responses */

#ifndef ELELEM_NO_RESPONSES

ELS_PRIVATE int els_ask_responses_is_custom(const els_talk_item *item)
{
    int is_custom = els_quoted_is(item->line.type, "custom_tool_call") || els_is_true(els_talk_meta(item, "custom"));

    return is_custom && els_is_string(item->line.json);
}

/* Nonzero if the item is written, apart from reasoning. */
ELS_PRIVATE int els_ask_responses_writes(const els_ask *ask, const els_walk *walk, const els_talk_item *item)
{
    if (els_is_text(item)) return !els_item_is_blank(item);
    if (item->line.kind == ELS_TALK_CALL) return !ask->step.calls[walk->call].is_left_out;
    return els_item_goes_to(item, ELS_HOME_RESPONSES);
}

/* Returns how many items come up to the last one that is written. */
ELS_PRIVATE size_t els_ask_responses_last(const els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    size_t count = 0, last = 0;

    while (els_walk_next(ask, &walk, &item)) {
        count++;
        if (els_ask_responses_writes(ask, &walk, &item)) last = count;
    }
    return last;
}

ELS_PRIVATE void els_ask_responses_put_message(els_ask *ask, const els_talk_item *item)
{
    elelem_str phase = els_talk_meta(item, "phase");

    if (els_item_is_blank(item)) return;
    els_begin_typed(&ask->writer, "message");
    els_put_word(&ask->writer, "role", "assistant");
    els_put_item_text(&ask->writer, "content", item);
    if (els_is_string(phase)) els_put_quoted(&ask->writer, "phase", phase);
    els_end_object(&ask->writer);
    ask->messages++;
}

ELS_PRIVATE void els_ask_responses_put_summary(els_ask *ask, const els_talk_item *item)
{
    els_begin_member(&ask->writer, "summary", ELELEM_TYPE_ARRAY);
    if (!els_item_is_blank(item) && !els_is_true(els_talk_meta(item, "raw"))) {
        els_begin_typed(&ask->writer, "summary_text");
        els_put_item_text(&ask->writer, "text", item);
        els_end_object(&ask->writer);
    }
    els_end_array(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_reasoning(els_ask *ask, const els_talk_item *item)
{
    elelem_str encrypted = els_talk_meta(item, "encrypted_content");

    if (!els_is_string(encrypted) || encrypted.size == 2) return;
    els_begin_typed(&ask->writer, "reasoning");
    els_ask_responses_put_summary(ask, item);
    els_put_quoted(&ask->writer, "encrypted_content", encrypted);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_call(els_ask *ask, const els_talk_item *item, size_t which)
{
    int is_custom = els_ask_responses_is_custom(item);
    elelem_str name_space = els_talk_meta(item, "namespace");

    if (ask->step.calls[which].is_left_out) return;
    els_begin_typed(&ask->writer, is_custom ? "custom_tool_call" : "function_call");
    els_put_call_id(ask, "call_id", which);
    els_put_tool_name(&ask->writer, "name", item->line.name);
    if (els_is_string(name_space)) els_put_quoted(&ask->writer, "namespace", name_space);
    if (is_custom) els_put_quoted(&ask->writer, "input", item->line.json);
    else els_put_arguments_text(&ask->writer, "arguments", item->line.json);
    els_end_object(&ask->writer);
    ask->messages++;
}

ELS_PRIVATE void els_ask_responses_put_item(els_ask *ask, const els_walk *walk, const els_talk_item *item, int is_followed)
{
    if (els_is_text(item)) {
        els_ask_responses_put_message(ask, item);
    } else if (item->line.kind == ELS_TALK_CALL) {
        els_ask_responses_put_call(ask, item, walk->call);
    } else if (item->line.kind == ELS_TALK_REASONING) {
        if (is_followed) els_ask_responses_put_reasoning(ask, item);
    } else if (els_item_goes_to(item, ELS_HOME_RESPONSES)) {
        els_put_provider_item(&ask->writer, item);
        ask->messages++;
    }
}

ELS_PRIVATE void els_ask_responses_put_items(els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    size_t last = els_ask_responses_last(ask), count = 0;

    while (els_walk_next(ask, &walk, &item))
        els_ask_responses_put_item(ask, &walk, &item, ++count < last);
}

/* The results, in the order of their calls. */
ELS_PRIVATE void els_ask_responses_put_results(els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    els_talk_line line;

    while (els_walk_next(ask, &walk, &item)) {
        if (item.line.kind != ELS_TALK_CALL || ask->step.calls[walk.call].is_left_out) continue;
        els_result_of(ask, walk.call, &line);
        els_begin_typed(&ask->writer, els_ask_responses_is_custom(&item) ? "custom_tool_call_output" : "function_call_output");
        els_put_call_id(ask, "call_id", walk.call);
        els_put_result(&ask->writer, "output", &line, 1);
        els_end_object(&ask->writer);
    }
}

ELS_PRIVATE void els_ask_responses_put_line(els_ask *ask, const els_talk_line *line)
{
    els_cursor in = els_images_of(line);
    elelem_str fields[3];

    if (!els_quoted_is_blank(line->text)) {
        els_begin_typed(&ask->writer, "input_text");
        els_put_quoted(&ask->writer, "text", line->text);
        els_end_object(&ask->writer);
    }
    while (els_next_image(&in, fields)) {
        els_begin_typed(&ask->writer, "input_image");
        els_put_image_url(&ask->writer, "image_url", fields);
        els_end_object(&ask->writer);
    }
}

ELS_PRIVATE void els_ask_responses_put_user(els_ask *ask)
{
    els_talk at = ask->step.tail;
    els_talk_item item;

    while (els_next_user(ask, &at, &item)) {
        els_open_role(ask, "user", "content");
        els_ask_responses_put_line(ask, &item.line);
    }
    els_close_role(ask);
}

ELS_PRIVATE void els_ask_responses_put_input(els_ask *ask)
{
    if (!els_ask_key(ask, "input")) return;
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    while (els_step_next(ask)) {
        els_ask_responses_put_items(ask);
        els_ask_responses_put_results(ask);
        els_ask_responses_put_user(ask);
    }
    els_end_array(&ask->writer);
}

/* `strict` is written in any case: without it the server tries whether the schema fits. */
ELS_PRIVATE void els_ask_responses_put_tool(els_ask *ask, const elelem_tool *tool)
{
    els_begin_typed(&ask->writer, "function");
    els_put_text(&ask->writer, "name", tool->name);
    if (tool->description.size > 0) els_put_text(&ask->writer, "description", tool->description);
    els_put_parameters(&ask->writer, "parameters", tool);
    els_put_bool(&ask->writer, "strict", tool->strict);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_choice(els_ask *ask)
{
    static const char *const words[] = { "auto", "none", "required" };
    const elelem_request *r = ask->request;

    if (r->tool_choice == ELELEM_TOOL_CHOICE_AUTO || !els_ask_key(ask, "tool_choice")) return;
    if (r->tool_choice != ELELEM_TOOL_CHOICE_NAMED) {
        elelem_writer_string(&ask->writer, elelem_str_of(words[r->tool_choice]));
        return;
    }
    els_begin_typed(&ask->writer, "function");
    els_put_text(&ask->writer, "name", r->tool_choice_name);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_tools(els_ask *ask)
{
    size_t i;

    if (ask->request->tool_count == 0) return;
    if (els_ask_key(ask, "tools")) {
        elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
        for (i = 0; i < ask->request->tool_count; i++)
            els_ask_responses_put_tool(ask, &ask->request->tools[i]);
        els_end_array(&ask->writer);
    }
    els_ask_responses_put_choice(ask);
    els_ask_false(ask, "parallel_tool_calls", ask->request->one_call);
}

ELS_PRIVATE void els_ask_responses_put_format(els_ask *ask)
{
    const elelem_request *r = ask->request;

    if (r->schema.size == 0 || !els_ask_key(ask, "text")) return;
    els_begin_object(&ask->writer);
    elelem_writer_key(&ask->writer, elelem_str_of("format"));
    els_begin_typed(&ask->writer, els_wants_schema(r) ? "json_schema" : "json_object");
    if (els_wants_schema(r)) {
        els_put_text(&ask->writer, "name", els_schema_name(r));
        if (r->schema_description.size > 0) els_put_text(&ask->writer, "description", r->schema_description);
        els_put_json(&ask->writer, "schema", r->schema);
        els_put_bool(&ask->writer, "strict", r->schema_strict);
    }
    els_end_object(&ask->writer);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_effort(els_ask *ask)
{
    const elelem_request *r = ask->request;
    elelem_str summary = r->summary.size == 0 && r->show_reasoning ? elelem_str_of("auto") : r->summary;

    if ((r->effort.size == 0 && summary.size == 0) || !els_ask_key(ask, "reasoning")) return;
    els_begin_object(&ask->writer);
    if (r->effort.size > 0) els_put_text(&ask->writer, "effort", r->effort);
    if (summary.size > 0) els_put_text(&ask->writer, "summary", summary);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_include(els_ask *ask)
{
    els_ask_false(ask, "store", 1);
    if (!els_ask_key(ask, "include")) return;
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    elelem_writer_string(&ask->writer, elelem_str_of("reasoning.encrypted_content"));
    els_end_array(&ask->writer);
}

/* Models that reason refuse sampling here too. */
ELS_PRIVATE void els_ask_responses_put_settings(els_ask *ask)
{
    const elelem_request *r = ask->request;

    els_ask_number(ask, "max_output_tokens", r->max_tokens);
    if (!els_is_one_of(r->model, ELS_OPENAI_REASONING)) {
        els_ask_json(ask, "temperature", r->temperature);
        els_ask_json(ask, "top_p", r->top_p);
    }
    els_ask_responses_put_effort(ask);
    els_ask_responses_put_format(ask);
    els_ask_responses_put_include(ask);
}

ELS_PRIVATE void els_ask_responses(els_ask *ask)
{
    els_ask_text(ask, "model", ask->request->model);
    if (els_has_instructions(ask, 0)) els_ask_text(ask, "instructions", ask->request->instructions);
    els_ask_responses_put_input(ask);
    els_ask_responses_put_tools(ask);
    els_ask_responses_put_settings(ask);
    els_ask_true(ask, "stream", !ask->request->whole);
}

#endif

#endif
