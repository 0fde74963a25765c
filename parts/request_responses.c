#ifndef ELS_REQUEST_RESPONSES_C
#define ELS_REQUEST_RESPONSES_C
#include "request_responses.h"
#include "base.c"
#include "writer.c"
#include "talk.c"
#include "request.c"

/* >> request_responses */

#ifndef ELELEM_NO_RESPONSES

#define ELS_RESPONSES_MIN_TOKENS 16

/* Calls that the caller runs, and their results. */
typedef enum els_ask_responses_kind {
    ELS_ASK_FUNCTION,
    ELS_ASK_CUSTOM,
    ELS_ASK_SHELL,
    ELS_ASK_LOCAL_SHELL,
    ELS_ASK_PATCH,
    ELS_ASK_COMPUTER,
    ELS_ASK_SEARCH,
    ELS_ASK_APPROVAL
} els_ask_responses_kind;

typedef struct els_ask_responses_type {
    const char *call;
    const char *result;
} els_ask_responses_type;

static const els_ask_responses_type els_ask_responses_types[] = {
    { "function_call", "function_call_output" },
    { "custom_tool_call", "custom_tool_call_output" },
    { "shell_call", "shell_call_output" },
    { "local_shell_call", "local_shell_call_output" },
    { "apply_patch_call", "apply_patch_call_output" },
    { "computer_call", "computer_call_output" },
    { "tool_search_call", "tool_search_output" },
    { "mcp_approval_request", "mcp_approval_response" },
};

/* Members of a call that is no function, except those that its arguments become. One of the model's under such a name, or under one that has
   escapes, could make another call of it. */
ELS_PRIVATE int els_ask_responses_is_own(elelem_str key)
{
    static const char *const names[] = { "type", "id", "call_id", "name", "namespace", "caller", "environment", "execution", "status",
                                         "output" };
    size_t i = 0;

    if (memchr(key.data, '\\', key.size)) return 1;
    while (i < ELS_COUNT(names) && !elelem_str_is(key, names[i]))
        i++;
    return i < ELS_COUNT(names);
}

/* The same of a key of a text, which is read after its first quote. */
ELS_PRIVATE int els_ask_responses_is_own_spelled(els_spelled *in)
{
    char key[16]; /* with more bytes than any of them */
    size_t size = 0;
    int byte;

    while ((byte = els_spelled_next(in)) != '"') {
        if (size < sizeof key) key[size++] = (char)byte;
        if (byte != '\\') continue;
        key[0] = '\\';
        els_spelled_next(in);
    }
    return els_ask_responses_is_own(els_str(key, size));
}

/* Nonzero if an object that is the text of arguments has such a member. */
ELS_PRIVATE int els_ask_responses_forges_spelled(els_spelled in)
{
    int end = els_spelled_mark(&in);

    while (end != '}' && els_spelled_mark(&in) == '"') {
        if (els_ask_responses_is_own_spelled(&in)) return 1;
        els_spelled_mark(&in); /* the colon */
        els_spelled_skip(&in, &end);
    }
    return 0;
}

/* The same of arguments that are an object. */
ELS_PRIVATE int els_ask_responses_forges(const els_talk_line *call)
{
    els_cursor in = els_cursor_of(call->json.data + 1, call->json.size - 2);
    els_line_member member;

    if (call->is_text) return els_ask_responses_forges_spelled(els_spelled_in(call->json));
    while (els_line_next_member(&in, &member))
        if (els_ask_responses_is_own(member.key)) return 1;
    return 0;
}

/* Nonzero if a call with these arguments can be of that kind, which is no function. */
ELS_PRIVATE int els_ask_responses_fits(const els_talk_line *call, size_t kind)
{
    if (!els_has_object(call)) return 0;
    return kind == ELS_ASK_SEARCH || kind == ELS_ASK_APPROVAL || !els_ask_responses_forges(call);
}

/* The item is not left out: it has arguments. */
ELS_PRIVATE els_ask_responses_kind els_ask_responses_kind_of(const els_talk_item *item)
{
    size_t i;

    if (els_is_custom(item)) return ELS_ASK_CUSTOM;
    for (i = ELS_ASK_SHELL; i < ELS_COUNT(els_ask_responses_types); i++)
        if (els_quoted_is(item->line.type, els_ask_responses_types[i].call))
            return els_ask_responses_fits(&item->line, i) ? (els_ask_responses_kind)i : ELS_ASK_FUNCTION;
    return ELS_ASK_FUNCTION;
}

/* Nonzero for a provider item that goes back. References name nothing: nothing is stored. */
ELS_PRIVATE int els_ask_responses_takes(const els_talk_item *item)
{
    return els_item_goes_to(item, ELS_HOME_RESPONSES) && !els_quoted_is(item->line.type, "item_reference");
}

/* Nonzero if the item is written, apart from reasoning. */
ELS_PRIVATE int els_ask_responses_writes(const els_ask *ask, const els_walk *walk, const els_talk_item *item)
{
    if (els_is_text(item)) return !els_item_is_blank(item);
    if (item->line.kind == ELS_TALK_CALL) return !ask->step.calls[walk->call].is_left_out;
    return els_ask_responses_takes(item);
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

/* Nonzero if the model may be asked for reasoning and gets it back. */
ELS_PRIVATE int els_ask_responses_reasons(const els_ask *ask)
{
    return !els_is_one_of(ask->request->model, ELS_OPENAI_NO_REASONING);
}

ELS_PRIVATE void els_ask_responses_put_reasoning(els_ask *ask, const els_talk_item *item)
{
    elelem_str encrypted = els_talk_meta_text(item, "encrypted_content");

    if (encrypted.size == 0 || !els_ask_responses_reasons(ask)) return;
    els_begin_typed(&ask->writer, "reasoning");
    els_ask_responses_put_summary(ask, item);
    els_put_quoted(&ask->writer, "encrypted_content", encrypted);
    els_end_object(&ask->writer);
}

/* A member of the call that is metadata of its item. */
ELS_PRIVATE void els_ask_responses_put_meta(els_ask *ask, const els_talk_item *item, const char *key)
{
    elelem_str value = els_talk_meta(item, key);

    if (value.size > 0) els_put_raw_member(&ask->writer, key, value);
}

/* Who made the call: code that the provider runs. The key has other values in Messages. */
ELS_PRIVATE void els_ask_responses_put_caller(els_ask *ask, const els_talk_item *item)
{
    static const char *const names[] = { "type" };
    elelem_str caller = els_talk_meta(item, "caller"), type;

    if (caller.size == 0 || caller.data[0] != '{') return;
    els_line_members(caller, names, 1, &type);
    if (els_quoted_is(type, "program")) els_put_raw_member(&ask->writer, "caller", caller);
}

/* The members that say what a call is to do. */
ELS_PRIVATE void els_ask_responses_put_content(els_ask *ask, const els_talk_item *item, els_ask_responses_kind kind)
{
    switch (kind) {
    case ELS_ASK_CUSTOM: els_put_free_text(&ask->writer, "input", &item->line); break;
    case ELS_ASK_FUNCTION:
    case ELS_ASK_APPROVAL: els_put_arguments_text(&ask->writer, "arguments", &item->line); break;
    case ELS_ASK_SEARCH: els_put_arguments(&ask->writer, "arguments", &item->line); break;
    default: els_put_argument_members(&ask->writer, &item->line); break;
    }
    if (kind == ELS_ASK_SHELL) els_ask_responses_put_meta(ask, item, "environment");
    if (kind == ELS_ASK_SEARCH) els_put_word(&ask->writer, "execution", "client");
    if (kind == ELS_ASK_APPROVAL) els_ask_responses_put_meta(ask, item, "server_label");
}

ELS_PRIVATE int els_ask_responses_has_name(els_ask_responses_kind kind)
{
    return kind == ELS_ASK_FUNCTION || kind == ELS_ASK_CUSTOM || kind == ELS_ASK_APPROVAL;
}

ELS_PRIVATE void els_ask_responses_put_call(els_ask *ask, const els_talk_item *item, size_t which)
{
    els_ask_responses_kind kind;

    if (ask->step.calls[which].is_left_out) return;
    kind = els_ask_responses_kind_of(item);
    els_begin_typed(&ask->writer, els_ask_responses_types[kind].call);
    els_put_call_id(ask, kind == ELS_ASK_APPROVAL ? "id" : "call_id", which);
    if (els_ask_responses_has_name(kind)) els_put_tool_name(&ask->writer, "name", item->line.name, 0);
    els_ask_responses_put_meta(ask, item, "namespace");
    els_ask_responses_put_content(ask, item, kind);
    els_ask_responses_put_caller(ask, item);
    els_end_object(&ask->writer);
    ask->messages++;
}

/* What a shell printed: the result as it is if it is a list. */
ELS_PRIVATE void els_ask_responses_put_shell(els_ask *ask, const els_talk_line *line)
{
    elelem_writer_key(&ask->writer, elelem_str_of("output"));
    if (line->json.size > 0 && line->json.data[0] == '[') {
        els_put_raw(&ask->writer, line->json);
        return;
    }
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    els_begin_object(&ask->writer);
    els_put_result(ask, line->failed ? "stderr" : "stdout", line, 0);
    els_put_word(&ask->writer, line->failed ? "stdout" : "stderr", "");
    elelem_writer_key(&ask->writer, elelem_str_of("outcome"));
    els_begin_typed(&ask->writer, "exit");
    els_put_number(&ask->writer, "exit_code", line->failed);
    els_end_object(&ask->writer);
    els_end_object(&ask->writer);
    els_end_array(&ask->writer);
}

/* The picture of a screen: its address as text, or the object that the provider takes. */
ELS_PRIVATE void els_ask_responses_put_screen(els_ask *ask, const els_talk_line *line)
{
    elelem_writer_key(&ask->writer, elelem_str_of("output"));
    if (line->json.size > 0) {
        els_put_raw(&ask->writer, line->json);
        return;
    }
    els_begin_typed(&ask->writer, "computer_screenshot");
    els_put_quoted(&ask->writer, "image_url", line->text);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_content_of_result(els_ask *ask, const els_talk_line *line, els_ask_responses_kind kind)
{
    int is_list = line->json.size > 0 && line->json.data[0] == '[';

    switch (kind) {
    case ELS_ASK_SHELL: els_ask_responses_put_shell(ask, line); break;
    case ELS_ASK_COMPUTER: els_ask_responses_put_screen(ask, line); break;
    case ELS_ASK_PATCH:
        els_put_word(&ask->writer, "status", line->failed ? "failed" : "completed");
        els_put_result(ask, "output", line, 0);
        break;
    case ELS_ASK_SEARCH:
        els_put_word(&ask->writer, "execution", "client");
        els_put_raw_member(&ask->writer, "tools", is_list ? line->json : elelem_str_of("[]"));
        break;
    case ELS_ASK_APPROVAL:
        els_put_bool(&ask->writer, "approve", !line->failed && !elelem_str_is(line->json, "false"));
        if (line->failed) els_put_result(ask, "reason", line, 0);
        break;
    default: els_put_result(ask, "output", line, 1); break;
    }
}

/* Nonzero for a result that is an object of the provider's form, with its type. */
ELS_PRIVATE int els_ask_responses_is_whole(const els_talk_line *line, els_ask_responses_kind kind)
{
    static const char *const names[] = { "type" };
    elelem_str type;

    if (kind <= ELS_ASK_CUSTOM || line->json.size == 0 || line->json.data[0] != '{') return 0;
    els_line_members(line->json, names, 1, &type);
    return els_quoted_is(type, els_ask_responses_types[kind].result);
}

/* Writes the members of such a result, but not those that say of which call it is. */
ELS_PRIVATE void els_ask_responses_put_members(els_ask *ask, elelem_str object, const char *id)
{
    els_cursor in = els_line_inside(object);
    els_line_member member;

    while (els_line_next_member(&in, &member)) {
        if (els_line_key_is(member.key, "type") || els_line_key_is(member.key, "caller") || els_line_key_is(member.key, id)) continue;
        els_put_members(&ask->writer, member.whole);
    }
}

ELS_PRIVATE void els_ask_responses_put_result(els_ask *ask, const els_talk_item *item, size_t which)
{
    els_ask_responses_kind kind = els_ask_responses_kind_of(item);
    const char *id = kind == ELS_ASK_APPROVAL ? "approval_request_id" : "call_id";
    els_talk_line line;

    els_result_of(ask, which, &line);
    els_begin_typed(&ask->writer, els_ask_responses_types[kind].result);
    els_put_call_id(ask, id, which);
    if (els_ask_responses_is_whole(&line, kind)) els_ask_responses_put_members(ask, line.json, id);
    else els_ask_responses_put_content_of_result(ask, &line, kind);
    els_ask_responses_put_caller(ask, item);
    els_end_object(&ask->writer);
}

/* A screen that was not taken cannot be sent: the call goes with it. */
ELS_PRIVATE void els_ask_responses_leave_out(els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;

    while (els_walk_step(ask, &walk, &item)) {
        els_talk_line line;
        if (item.line.kind != ELS_TALK_CALL || ask->step.calls[walk.call].is_left_out) continue;
        if (els_ask_responses_kind_of(&item) != ELS_ASK_COMPUTER) continue;
        els_result_of(ask, walk.call, &line);
        if (line.failed) ask->step.calls[walk.call].is_left_out = 1;
    }
}

ELS_PRIVATE void els_ask_responses_put_item(els_ask *ask, const els_walk *walk, const els_talk_item *item, int is_followed)
{
    if (els_is_text(item)) {
        els_ask_responses_put_message(ask, item);
    } else if (item->line.kind == ELS_TALK_CALL) {
        els_ask_responses_put_call(ask, item, walk->call);
    } else if (item->line.kind == ELS_TALK_REASONING) {
        if (is_followed) els_ask_responses_put_reasoning(ask, item);
    } else if (els_ask_responses_takes(item)) {
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

    while (els_walk_next(ask, &walk, &item))
        if (item.line.kind == ELS_TALK_CALL && !ask->step.calls[walk.call].is_left_out)
            els_ask_responses_put_result(ask, &item, walk.call);
}

ELS_PRIVATE void els_ask_responses_put_line(els_ask *ask, const els_talk_item *item)
{
    els_cursor in = els_images_of(&item->line);
    elelem_str fields[3];

    if (!els_item_is_blank(item)) {
        els_begin_typed(&ask->writer, "input_text");
        els_put_item_text(&ask->writer, "text", item);
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
        els_ask_responses_put_line(ask, &item);
    }
    els_close_role(ask);
}

/* JSON of any kind is refused if no message has the word; instructions are none. */
ELS_PRIVATE void els_ask_responses_put_words(els_ask *ask)
{
    if (ask->request->schema.size == 0 || els_wants_schema(ask->request)) return;
    els_begin_object(&ask->writer);
    els_put_word(&ask->writer, "role", "developer");
    els_put_word(&ask->writer, "content", ELS_ANY_JSON);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_input(els_ask *ask)
{
    if (!els_ask_key(ask, "input")) return;
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    els_ask_responses_put_words(ask);
    while (els_step_next(ask)) {
        els_ask_responses_leave_out(ask);
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
    els_put_tool_members(&ask->writer, "parameters", tool);
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
    if (ask->request->tool_count == 0) return;
    els_ask_tools(ask, els_ask_responses_put_tool);
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
    if (els_wants_schema(r)) els_put_schema(&ask->writer, r);
    else els_ask_note_schema(ask);
    els_end_object(&ask->writer);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_effort(els_ask *ask)
{
    const elelem_request *r = ask->request;
    elelem_str summary = r->summary;

    if (!els_ask_responses_reasons(ask)) {
        els_ask_note(ask, r->effort.size > 0, ELS_EFFORT_LEFT_OUT);
        els_ask_note(ask, summary.size > 0 || r->show_reasoning, ELS_WORDS("summary and show_reasoning are left out: the model does not reason"));
        return;
    }
    if (summary.size == 0 && r->show_reasoning) summary = elelem_str_of("auto");
    if ((r->effort.size == 0 && summary.size == 0) || !els_ask_key(ask, "reasoning")) return;
    els_begin_object(&ask->writer);
    if (r->effort.size > 0) els_put_text(&ask->writer, "effort", r->effort);
    if (summary.size > 0) els_put_text(&ask->writer, "summary", summary);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_include(els_ask *ask)
{
    els_ask_false(ask, "store", 1);
    if (!els_ask_responses_reasons(ask) || !els_ask_key(ask, "include")) return;
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    elelem_writer_string(&ask->writer, elelem_str_of("reasoning.encrypted_content"));
    els_end_array(&ask->writer);
}

ELS_PRIVATE void els_ask_responses_put_limit(els_ask *ask)
{
    int64_t limit = ask->request->max_tokens;
    int is_refused = limit > 0 && limit < ELS_RESPONSES_MIN_TOKENS;

    els_ask_note(ask, is_refused, ELS_WORDS("max_tokens is 16: the provider refuses less"));
    els_ask_number(ask, "max_output_tokens", is_refused ? ELS_RESPONSES_MIN_TOKENS : limit);
}

/* Models that reason refuse sampling here too. */
ELS_PRIVATE void els_ask_responses_put_settings(els_ask *ask)
{
    const elelem_request *r = ask->request;

    els_ask_responses_put_limit(ask);
    els_ask_sampling(ask, els_is_one_of(r->model, ELS_OPENAI_NO_SAMPLING));
    els_ask_note(ask, r->top_k.size > 0, ELS_NO_MEMBER("top_k"));
    els_ask_note(ask, r->seed.size > 0, ELS_NO_MEMBER("seed"));
    els_ask_note(ask, r->stop_count > 0, ELS_NO_MEMBER("stops"));
    els_ask_note(ask, r->reasoning_tokens > 0, ELS_NO_MEMBER("reasoning_tokens"));
    els_ask_note(ask, r->extra_config.size > 0, ELS_NO_MEMBER("extra_config"));
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
