#ifndef ELS_REQUEST_GEMINI_C
#define ELS_REQUEST_GEMINI_C
#include "request_gemini.h"
#include "base.c"
#include "writer.c"
#include "talk.c"
#include "request.c"

/* >> request_gemini */

#ifndef ELELEM_NO_GEMINI

/* Models that take no schema together with tools. */
#define ELS_GEMINI_SCHEMA_OR_TOOLS "gemini-1 gemini-2"
/* Models whose reasoning has a budget and no effort; and of these, one that reasons only if it has a budget. */
#define ELS_GEMINI_WITHOUT_EFFORT "gemini-1 gemini-2"
#define ELS_GEMINI_WITHOUT_REASONING "gemini-2.5-flash-lite"
#define ELS_GEMINI_STOPS 5

/* Writes a text of the user; of none, the one that stands for it before the model's first. */
ELS_PRIVATE void els_ask_gemini_put_text_part(els_ask *ask, const els_talk_item *item)
{
    els_begin_object(&ask->writer);
    if (item) els_put_item_text(&ask->writer, "text", item);
    else els_put_word(&ask->writer, "text", "(start)");
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_gemini_open(els_ask *ask, const char *role)
{
    if (ask->messages == 0 && strcmp(role, "user") != 0) {
        els_open_role(ask, "user", "parts");
        els_ask_gemini_put_text_part(ask, NULL);
    }
    els_open_role(ask, role, "parts");
}

/* Results and texts of the user are contents of their own. The model's stays open: a step that nothing of the user's
   follows continues it, since a call may not follow another content of the model. */
ELS_PRIVATE void els_ask_gemini_close_user(els_ask *ask)
{
    if (ask->role && strcmp(ask->role, "user") == 0) els_close_role(ask);
}

ELS_PRIVATE elelem_str els_ask_gemini_signature(const els_talk_item *item)
{
    return els_talk_meta_text(item, "thought_signature");
}

/* A signature alone is a part with an empty text. */
ELS_PRIVATE void els_ask_gemini_put_text(els_ask *ask, const els_talk_item *item)
{
    elelem_str signature = els_ask_gemini_signature(item);
    int is_reasoning = item->line.kind == ELS_TALK_REASONING;

    if (signature.size == 0 && (is_reasoning || els_item_is_blank(item))) return;
    els_ask_gemini_open(ask, "model");
    els_begin_object(&ask->writer);
    els_put_item_text(&ask->writer, "text", item);
    if (is_reasoning) els_put_bool(&ask->writer, "thought", 1);
    if (signature.size > 0) els_put_raw_member(&ask->writer, "thoughtSignature", signature);
    els_end_object(&ask->writer);
}

/* A call has an id only if the provider ran it and its response names one: both sides have it, or none. */
ELS_PRIVATE void els_ask_gemini_put_call(els_ask *ask, const els_talk_item *item, const els_step_call *call, int is_first)
{
    elelem_str signature = els_ask_gemini_signature(item);

    els_ask_gemini_open(ask, "model");
    els_begin_object(&ask->writer);
    els_begin_member(&ask->writer, "functionCall", ELELEM_TYPE_OBJECT);
    if (call->is_named && els_result_is_item(call, ELS_HOME_GEMINI)) els_put_quoted(&ask->writer, "id", call->id);
    els_put_tool_name(&ask->writer, "name", item->line.name, 1);
    els_put_arguments(&ask->writer, "args", &item->line);
    els_end_object(&ask->writer);
    if (signature.size > 0) els_put_raw_member(&ask->writer, "thoughtSignature", signature);
    else if (is_first && els_step_is_current(ask))
        els_put_word(&ask->writer, "thoughtSignature", "skip_thought_signature_validator");
    els_end_object(&ask->writer);
}

/* Nonzero for the result of a call that is not written, or of none. */
ELS_PRIVATE int els_ask_gemini_is_stray(const els_ask *ask, const els_talk_item *item)
{
    const els_step_call *call = els_step_hosted_call(ask, item);

    return els_quoted_is(item->line.type, "functionResponse") && (!call || call->is_left_out);
}

/* Items go out in the order in which they came: a part may be signed, and nothing may be moved past it. */
ELS_PRIVATE void els_ask_gemini_put_items(els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    int is_first = 1;

    while (els_walk_step(ask, &walk, &item)) {
        if (item.line.kind == ELS_TALK_CALL) {
            if (ask->step.calls[walk.call].is_left_out) continue;
            els_ask_gemini_put_call(ask, &item, &ask->step.calls[walk.call], is_first);
            is_first = 0;
        } else if (item.line.kind != ELS_TALK_PROVIDER_ITEM) {
            els_ask_gemini_put_text(ask, &item);
        } else if (els_item_goes_to(&item, ELS_HOME_GEMINI) && !els_ask_gemini_is_stray(ask, &item)) {
            els_ask_gemini_open(ask, "model");
            els_put_provider_item(&ask->writer, &item);
        }
    }
}

/* The response of a function is an object. */
ELS_PRIVATE void els_ask_gemini_put_response(els_ask *ask, const els_talk_line *line)
{
    int begin = els_result_begin(ask, line);

    if (begin == '{' && (!line->failed || els_says_error(ask, line))) {
        els_put_result_json(ask, "response", line);
        return;
    }
    els_begin_member(&ask->writer, "response", ELELEM_TYPE_OBJECT);
    if (begin == '"') els_put_result(ask, line->failed ? "error" : "output", line, 0);
    else els_put_result_json(ask, line->failed ? "error" : "output", line);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_gemini_put_results(els_ask *ask)
{
    size_t i;

    for (i = 0; i < ask->step.count; i++) {
        els_talk_line line;
        if (!els_result_shows(&ask->step.calls[i], ELS_HOME_GEMINI)) continue;
        els_result_of(ask, i, &line);
        els_ask_gemini_open(ask, "user");
        els_begin_object(&ask->writer);
        els_begin_member(&ask->writer, "functionResponse", ELELEM_TYPE_OBJECT);
        els_put_tool_name(&ask->writer, "name", ask->step.calls[i].name, 1);
        els_ask_gemini_put_response(ask, &line);
        els_end_object(&ask->writer);
        els_end_object(&ask->writer);
    }
    els_ask_gemini_close_user(ask);
}

ELS_PRIVATE void els_ask_gemini_put_image(els_ask *ask, const elelem_str fields[3])
{
    els_begin_object(&ask->writer);
    els_begin_member(&ask->writer, fields[1].size > 0 ? "inlineData" : "fileData", ELELEM_TYPE_OBJECT);
    if (fields[0].size > 0) els_put_quoted(&ask->writer, "mimeType", fields[0]);
    if (fields[1].size > 0) els_put_quoted(&ask->writer, "data", fields[1]);
    else els_put_quoted(&ask->writer, "fileUri", fields[2]);
    els_end_object(&ask->writer);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_gemini_put_user(els_ask *ask)
{
    els_talk at = ask->step.tail;
    els_talk_item item;
    elelem_str fields[3];

    while (els_next_user(ask, &at, &item)) {
        els_cursor in = els_images_of(&item.line);
        els_ask_gemini_open(ask, "user");
        if (!els_item_is_blank(&item)) els_ask_gemini_put_text_part(ask, &item);
        while (els_next_image(&in, fields))
            els_ask_gemini_put_image(ask, fields);
    }
    els_ask_gemini_close_user(ask);
}

ELS_PRIVATE void els_ask_gemini_put_contents(els_ask *ask)
{
    if (!els_ask_key(ask, "contents")) return;
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    while (els_step_next(ask)) {
        els_ask_gemini_put_items(ask);
        els_ask_gemini_put_results(ask);
        els_ask_gemini_put_user(ask);
    }
    els_close_role(ask);
    els_end_array(&ask->writer);
}

/* Tools. */

/* Nonzero if the model takes no JSON format, because there are tools. */
ELS_PRIVATE int els_ask_gemini_has_no_format(const elelem_request *r)
{
    return r->tool_count > 0 && r->schema.size > 0 && els_is_one_of(r->model, ELS_GEMINI_SCHEMA_OR_TOOLS);
}

/* Nonzero if the schema becomes a tool. */
ELS_PRIVATE int els_ask_gemini_makes_tool(const elelem_request *r)
{
    return els_wants_schema(r) && els_ask_gemini_has_no_format(r);
}

/* Nonzero if JSON of any kind is asked for in words. */
ELS_PRIVATE int els_ask_gemini_in_words(const elelem_request *r)
{
    return !els_wants_schema(r) && els_ask_gemini_has_no_format(r);
}

ELS_PRIVATE void els_ask_gemini_put_tool(els_ask *ask, const elelem_tool *tool)
{
    if (!els_begins_name((unsigned char)tool->name.data[0]))
        els_ask_refuse(ask, ELELEM_ERROR_MISUSE, 0, ELS_WORDS("the name of a tool does not begin with a letter or _"));
    els_ask_note(ask, tool->strict, ELS_NO_MEMBER("strict of a tool"));
    els_begin_object(&ask->writer);
    els_put_text(&ask->writer, "name", tool->name);
    if (tool->description.size > 0) els_put_text(&ask->writer, "description", tool->description);
    if (tool->parameters.size > 0) els_put_raw_member(&ask->writer, "parametersJsonSchema", tool->parameters);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_gemini_put_schema_tool(els_ask *ask)
{
    elelem_tool tool;

    memset(&tool, 0, sizeof tool);
    tool.name = elelem_str_of("json");
    if (els_is_tool(ask->request, tool.name))
        els_ask_refuse(ask, ELELEM_ERROR_MISUSE, 0, ELS_WORDS("a tool has the name json, which this model needs for the tool of the schema"));
    tool.description = ask->request->schema_description;
    tool.parameters = ask->request->schema;
    els_ask_gemini_put_tool(ask, &tool);
}

/* The only tools that the model may call: the one that is chosen, if there is one, and that of the schema. */
ELS_PRIVATE void els_ask_gemini_put_allowed(els_ask *ask, int is_json)
{
    els_begin_member(&ask->writer, "allowedFunctionNames", ELELEM_TYPE_ARRAY);
    if (ask->request->tool_choice == ELELEM_TOOL_CHOICE_NAMED) elelem_writer_string(&ask->writer, ask->request->tool_choice_name);
    if (is_json) elelem_writer_string(&ask->writer, elelem_str_of("json"));
    els_end_array(&ask->writer);
}

ELS_PRIVATE void els_ask_gemini_put_choice(els_ask *ask)
{
    static const char *const modes[] = { "AUTO", "NONE", "ANY", "ANY" };
    const elelem_request *r = ask->request;
    int is_json = els_ask_gemini_makes_tool(r);
    unsigned choice = is_json ? (unsigned)ELELEM_TOOL_CHOICE_REQUIRED : r->tool_choice;

    els_ask_note(ask, is_json, ELS_WORDS("the schema is a tool with the name json: the model takes none together with tools"));
    if (choice == ELELEM_TOOL_CHOICE_AUTO || !els_ask_key(ask, "toolConfig")) return;
    els_begin_object(&ask->writer);
    els_begin_member(&ask->writer, "functionCallingConfig", ELELEM_TYPE_OBJECT);
    els_put_word(&ask->writer, "mode", modes[choice]);
    if (r->tool_choice == ELELEM_TOOL_CHOICE_NAMED || (is_json && r->tool_choice == ELELEM_TOOL_CHOICE_NONE)) els_ask_gemini_put_allowed(ask, is_json);
    els_end_object(&ask->writer);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_gemini_put_tools(els_ask *ask)
{
    size_t i;

    if (ask->request->tool_count == 0) return;
    if (els_ask_key(ask, "tools")) {
        elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
        els_begin_object(&ask->writer);
        els_begin_member(&ask->writer, "functionDeclarations", ELELEM_TYPE_ARRAY);
        for (i = 0; i < ask->request->tool_count; i++)
            els_ask_gemini_put_tool(ask, &ask->request->tools[i]);
        if (els_ask_gemini_makes_tool(ask->request)) els_ask_gemini_put_schema_tool(ask);
        els_end_array(&ask->writer);
        els_end_object(&ask->writer);
        els_end_array(&ask->writer);
    }
    els_ask_gemini_put_choice(ask);
}

/* Settings: members of generationConfig, which the caller's own replace. */

ELS_PRIVATE void els_ask_gemini_put_format(els_ask *ask)
{
    const elelem_request *r = ask->request;

    els_ask_note_schema(ask);
    if (r->schema.size == 0 || els_ask_gemini_has_no_format(r)) return;
    els_config_json(ask, "responseMimeType", elelem_str_of("\"application/json\""));
    if (els_wants_schema(r)) els_config_json(ask, "responseJsonSchema", r->schema);
}

ELS_PRIVATE void els_ask_gemini_put_thinking(els_ask *ask)
{
    const elelem_request *r = ask->request;
    int is_shown = r->show_reasoning || r->summary.size > 0;
    int is_refused = els_is_one_of(r->model, ELS_GEMINI_WITHOUT_EFFORT);
    int has_effort = r->effort.size > 0 && !is_refused;

    els_ask_note(ask, r->effort.size > 0 && is_refused, ELS_EFFORT_LEFT_OUT);
    if (r->reasoning_tokens <= 0 && !has_effort && !is_shown) return;
    if (!els_config_key(ask, "thinkingConfig")) return;
    els_begin_object(&ask->writer);
    els_ask_note(ask, has_effort && r->reasoning_tokens > 0, ELS_BUDGET_LEFT_OUT);
    if (has_effort) els_put_text(&ask->writer, "thinkingLevel", r->effort);
    else if (r->reasoning_tokens > 0) els_put_number(&ask->writer, "thinkingBudget", r->reasoning_tokens);
    else if (els_is_one_of(r->model, ELS_GEMINI_WITHOUT_REASONING)) els_put_number(&ask->writer, "thinkingBudget", -1); /* as much as it wants */
    if (is_shown) els_put_bool(&ask->writer, "includeThoughts", 1);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_gemini_put_config(els_ask *ask)
{
    const elelem_request *r = ask->request;

    els_ask_note(ask, r->tool_count > 0 && r->one_call, ELS_NO_MEMBER("one_call"));
    if (!els_ask_key(ask, "generationConfig")) return;
    els_begin_object(&ask->writer);
    if (r->max_tokens > 0 && els_config_key(ask, "maxOutputTokens")) elelem_writer_int64(&ask->writer, r->max_tokens);
    els_config_json(ask, "temperature", r->temperature);
    els_config_json(ask, "topP", r->top_p);
    els_config_json(ask, "topK", r->top_k);
    els_config_json(ask, "seed", r->seed);
    if (r->stop_count > 0 && els_config_key(ask, "stopSequences")) els_put_stops(ask, ELS_GEMINI_STOPS);
    els_ask_gemini_put_format(ask);
    els_ask_gemini_put_thinking(ask);
    els_put_members(&ask->writer, r->extra_config);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_gemini_put_system(els_ask *ask)
{
    int in_words = els_ask_gemini_in_words(ask->request);

    if (!els_has_instructions(ask, in_words) || !els_ask_key(ask, "systemInstruction")) return;
    els_begin_object(&ask->writer);
    els_begin_member(&ask->writer, "parts", ELELEM_TYPE_ARRAY);
    els_begin_object(&ask->writer);
    elelem_writer_key(&ask->writer, elelem_str_of("text"));
    elelem_writer_string_begin(&ask->writer);
    els_pour_instructions(ask, in_words);
    elelem_writer_string_end(&ask->writer);
    els_end_object(&ask->writer);
    els_end_array(&ask->writer);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_gemini(els_ask *ask)
{
    els_ask_gemini_put_system(ask);
    els_ask_gemini_put_contents(ask);
    els_ask_gemini_put_tools(ask);
    els_ask_gemini_put_config(ask);
}

#endif

#endif
