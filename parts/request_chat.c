#ifndef ELS_REQUEST_CHAT_C
#define ELS_REQUEST_CHAT_C
#include "request_chat.h"
#include "base.c"
#include "writer.c"
#include "line.c"
#include "talk.c"
#include "request.c"

/* >> request_chat */

#ifndef ELELEM_NO_CHAT

/* Ends the message of the user that is open. */
ELS_PRIVATE void els_ask_chat_close(els_ask *ask)
{
    if (ask->role) {
        elelem_writer_string_end(&ask->writer);
        els_end_object(&ask->writer);
    }
    ask->role = NULL;
}

ELS_PRIVATE void els_ask_chat_begin(els_ask *ask, const char *role)
{
    els_ask_chat_close(ask);
    els_begin_object(&ask->writer);
    els_put_word(&ask->writer, "role", role);
    ask->messages++;
}

ELS_PRIVATE void els_ask_chat_put_text_part(els_ask *ask, const els_talk_item *item)
{
    els_begin_typed(&ask->writer, "text");
    els_put_item_text(&ask->writer, "text", item);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_put_images(els_ask *ask, const els_talk_line *line)
{
    els_cursor in = els_images_of(line);
    elelem_str fields[3];

    while (els_next_image(&in, fields)) {
        els_begin_typed(&ask->writer, "image_url");
        els_begin_member(&ask->writer, "image_url", ELELEM_TYPE_OBJECT);
        els_put_image_url(&ask->writer, "url", fields);
        els_end_object(&ask->writer);
        els_end_object(&ask->writer);
    }
}

/* What the user says is one message: a string if there are no images, because not every server takes parts. Some
   templates refuse two messages of the user in a row, so that the message stays open until something else comes. */

ELS_PRIVATE void els_ask_chat_put_user_text(els_ask *ask, const els_talk_item *item)
{
    if (ask->role) {
        elelem_writer_string_piece(&ask->writer, elelem_str_of("\n\n"));
    } else {
        els_ask_chat_begin(ask, "user");
        elelem_writer_key(&ask->writer, elelem_str_of("content"));
        elelem_writer_string_begin(&ask->writer);
        ask->role = "user";
    }
    els_pour_item(&ask->writer, item);
}

ELS_PRIVATE void els_ask_chat_put_user_parts(els_ask *ask)
{
    els_talk at = ask->step.tail;
    els_talk_item item;

    els_ask_chat_begin(ask, "user");
    els_begin_member(&ask->writer, "content", ELELEM_TYPE_ARRAY);
    while (els_next_user(ask, &at, &item)) {
        if (!els_item_is_blank(&item)) els_ask_chat_put_text_part(ask, &item);
        els_ask_chat_put_images(ask, &item.line);
    }
    els_end_array(&ask->writer);
    els_end_object(&ask->writer);
}

ELS_PRIVATE int els_ask_chat_has_images(const els_ask *ask)
{
    els_talk at = ask->step.tail;
    els_talk_item item;

    while (els_next_user(ask, &at, &item))
        if (item.line.images.size > 0) return 1;
    return 0;
}

ELS_PRIVATE void els_ask_chat_user(els_ask *ask)
{
    els_talk at = ask->step.tail;
    els_talk_item item;

    if (els_ask_chat_has_images(ask)) {
        els_ask_chat_put_user_parts(ask);
        return;
    }
    while (els_next_user(ask, &at, &item))
        els_ask_chat_put_user_text(ask, &item);
}

/* The model's texts, joined, into the string that is open. */
ELS_PRIVATE void els_ask_chat_pour(els_ask *ask, int is_reasoning)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    int is_first = 1;

    while (els_walk_next(ask, &walk, &item)) {
        if (is_reasoning ? item.line.kind != ELS_TALK_REASONING : !els_is_text(&item)) continue;
        if (els_item_is_blank(&item)) continue;
        if (!is_first) elelem_writer_string_piece(&ask->writer, elelem_str_of("\n\n"));
        els_pour_item(&ask->writer, &item);
        is_first = 0;
    }
}

ELS_PRIVATE void els_ask_chat_put_joined(els_ask *ask, const char *key, int is_reasoning)
{
    elelem_writer_key(&ask->writer, elelem_str_of(key));
    elelem_writer_string_begin(&ask->writer);
    els_ask_chat_pour(ask, is_reasoning);
    elelem_writer_string_end(&ask->writer);
}

ELS_PRIVATE int els_ask_chat_has_reasoning(const els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;

    while (els_walk_next(ask, &walk, &item))
        if (item.line.kind == ELS_TALK_REASONING && !els_item_is_blank(&item)) return 1;
    return 0;
}

/* reasoning_details: the entries as they came. The stream gives them without their text, which is the item's. */

/* Returns the member that the text of an entry is in; null if the entry has none, or has it already. */
ELS_PRIVATE const char *els_ask_chat_detail_member(elelem_str entry)
{
    static const char *const names[] = { "type", "text", "summary" };
    elelem_str fields[3];

    els_line_members(entry, names, 3, fields);
    if (els_quoted_is(fields[0], "reasoning.text") && fields[1].size == 0) return "text";
    if (els_quoted_is(fields[0], "reasoning.summary") && fields[2].size == 0) return "summary";
    return NULL;
}

/* Writes an entry; if `item` is not null, with its text. */
ELS_PRIVATE void els_ask_chat_put_detail(els_ask *ask, elelem_str entry, const char *member, const els_talk_item *item)
{
    if (!item) {
        els_put_raw(&ask->writer, entry);
        return;
    }
    els_begin_object(&ask->writer);
    els_put_members(&ask->writer, els_str(entry.data + 1, entry.size - 2));
    els_put_item_text(&ask->writer, member, item);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_put_item_details(els_ask *ask, const els_talk_item *item)
{
    els_talk_list details = els_talk_list_of(item, "reasoning_details");
    elelem_str entry;
    int has_text = els_item_is_blank(item);

    while (els_talk_next_element(&details, &entry)) {
        const char *member = entry.data[0] == '{' && !has_text ? els_ask_chat_detail_member(entry) : NULL;
        els_ask_chat_put_detail(ask, entry, member, member ? item : NULL);
        has_text |= member != NULL;
    }
}

ELS_PRIVATE int els_ask_chat_has_details(const els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;

    while (els_walk_next(ask, &walk, &item))
        if (item.line.kind == ELS_TALK_REASONING && els_talk_meta(&item, "reasoning_details").size > 0) return 1;
    return 0;
}

ELS_PRIVATE void els_ask_chat_put_details(els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;

    if (!els_ask_chat_has_details(ask)) return;
    els_begin_member(&ask->writer, "reasoning_details", ELELEM_TYPE_ARRAY);
    while (els_walk_next(ask, &walk, &item))
        if (item.line.kind == ELS_TALK_REASONING) els_ask_chat_put_item_details(ask, &item);
    els_end_array(&ask->writer);
}

/* Returns how reasoning goes back to this model. */
ELS_PRIVATE elelem_reasoning_member els_ask_chat_reasoning(const els_ask *ask)
{
    if (els_is_one_of(ask->request->model, ask->dialect->tagged)) return ELELEM_REASONING_TAGS;
    return (elelem_reasoning_member)ask->dialect->reasoning;
}

ELS_PRIVATE void els_ask_chat_put_reasoning(els_ask *ask)
{
    elelem_reasoning_member member = els_ask_chat_reasoning(ask);
    int has_any = els_ask_chat_has_reasoning(ask);

    if (member == ELELEM_REASONING_REQUIRED || (has_any && member == ELELEM_REASONING_CONTENT))
        els_ask_chat_put_joined(ask, "reasoning_content", 1);
    if (has_any && (member == ELELEM_REASONING_TEXT || member == ELELEM_REASONING_DETAILS))
        els_ask_chat_put_joined(ask, "reasoning", 1);
    if (member == ELELEM_REASONING_DETAILS) els_ask_chat_put_details(ask);
}

/* Content that is parts: reasoning before the text. */
ELS_PRIVATE void els_ask_chat_put_reasoning_parts(els_ask *ask, int has_text)
{
    els_begin_member(&ask->writer, "content", ELELEM_TYPE_ARRAY);
    els_begin_typed(&ask->writer, "thinking");
    els_begin_member(&ask->writer, "thinking", ELELEM_TYPE_ARRAY);
    els_begin_typed(&ask->writer, "text");
    els_ask_chat_put_joined(ask, "text", 1);
    els_end_object(&ask->writer);
    els_end_array(&ask->writer);
    els_end_object(&ask->writer);
    if (has_text) {
        els_begin_typed(&ask->writer, "text");
        els_ask_chat_put_joined(ask, "text", 0);
        els_end_object(&ask->writer);
    }
    els_end_array(&ask->writer);
}

/* Content that begins with the reasoning in tags. */
ELS_PRIVATE void els_ask_chat_put_tagged(els_ask *ask)
{
    elelem_writer_key(&ask->writer, elelem_str_of("content"));
    elelem_writer_string_begin(&ask->writer);
    elelem_writer_string_piece(&ask->writer, elelem_str_of("<think>"));
    els_ask_chat_pour(ask, 1);
    elelem_writer_string_piece(&ask->writer, elelem_str_of("</think>"));
    els_ask_chat_pour(ask, 0);
    elelem_writer_string_end(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_put_content(els_ask *ask, int has_text, int has_calls)
{
    elelem_reasoning_member member = els_ask_chat_has_reasoning(ask) ? els_ask_chat_reasoning(ask) : ELELEM_REASONING_LEFT_OUT;

    if (member == ELELEM_REASONING_PARTS) els_ask_chat_put_reasoning_parts(ask, has_text);
    else if (member == ELELEM_REASONING_TAGS) els_ask_chat_put_tagged(ask);
    else if (has_text) els_ask_chat_put_joined(ask, "content", 0);
    else if (!has_calls || ask->dialect->no_content == ELELEM_NO_CONTENT_LEFT_OUT) return;
    else if (ask->dialect->no_content == ELELEM_NO_CONTENT_NULL) els_put_json(&ask->writer, "content", elelem_str_of("null"));
    else els_put_word(&ask->writer, "content", "");
}

/* What the model drew or spoke. */

/* Reads the value of a member of a provider item, an object: into one of the two, as its JSON is whole or in pieces. Returns the
   value's size. */
ELS_PRIVATE size_t els_ask_chat_item_member(const els_talk_item *item, const char *name, elelem_str *whole, els_spelled *pieces)
{
    *whole = els_str(NULL, 0);
    *pieces = els_spelled_of(item);
    if (item->line.json.size == 0) return els_spelled_enter(pieces, name) ? pieces->left : 0;
    els_line_members(item->line.json, &name, 1, whole);
    return whole->size;
}

/* Nonzero for an image or audio that goes back. */
ELS_PRIVATE int els_ask_chat_takes(const els_ask *ask, const els_talk_item *item, int is_audio)
{
    const char *name = is_audio ? "id" : "image_url";
    elelem_str whole;
    els_spelled pieces;

    if (!(is_audio ? ask->dialect->takes_audio : ask->dialect->takes_images)) return 0;
    if (!els_item_goes_to(item, ELS_HOME_CHAT) || els_quoted_is(item->line.type, "audio") != is_audio) return 0;
    return els_ask_chat_item_member(item, name, &whole, &pieces) > 2;
}

/* Reads the next image or audio of the step; zero if there is none. */
ELS_PRIVATE int els_ask_chat_next_media(const els_ask *ask, els_walk *walk, els_talk_item *item, int is_audio)
{
    while (els_walk_next(ask, walk, item))
        if (els_ask_chat_takes(ask, item, is_audio)) return 1;
    return 0;
}

ELS_PRIVATE int els_ask_chat_has_media(const els_ask *ask, int is_audio)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;

    return els_ask_chat_next_media(ask, &walk, &item, is_audio);
}

/* Images go back as they came, audio by its id: the first of the step, since a message has one. */
ELS_APART void els_ask_chat_put_made_images(els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    int has_images = 0;

    for (; els_ask_chat_next_media(ask, &walk, &item, 0); has_images = 1) {
        if (!has_images) els_begin_member(&ask->writer, "images", ELELEM_TYPE_ARRAY);
        els_put_provider_item(&ask->writer, &item);
    }
    if (has_images) els_end_array(&ask->writer);
}

ELS_APART void els_ask_chat_put_audio(els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    elelem_str whole;
    els_spelled pieces;

    if (!els_ask_chat_next_media(ask, &walk, &item, 1)) return;
    els_begin_member(&ask->writer, "audio", ELELEM_TYPE_OBJECT);
    els_ask_chat_item_member(&item, "id", &whole, &pieces);
    elelem_writer_key(&ask->writer, elelem_str_of("id"));
    if (whole.size > 0) els_put_raw(&ask->writer, whole);
    else els_put_spelled(&ask->writer, &pieces);
    els_end_object(&ask->writer);
}

/* A custom call's input is free text, and its arguments are a JSON string of it. */
ELS_PRIVATE void els_ask_chat_put_custom(els_ask *ask, const els_talk_item *item)
{
    els_put_word(&ask->writer, "type", "custom");
    els_begin_member(&ask->writer, "custom", ELELEM_TYPE_OBJECT);
    els_put_tool_name(&ask->writer, "name", item->line.name, 0);
    els_put_free_text(&ask->writer, "input", &item->line);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_put_function(els_ask *ask, const els_talk_item *item)
{
    els_put_word(&ask->writer, "type", "function");
    els_begin_member(&ask->writer, "function", ELELEM_TYPE_OBJECT);
    els_put_tool_name(&ask->writer, "name", item->line.name, 0);
    els_put_arguments_text(&ask->writer, "arguments", &item->line);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_put_call(els_ask *ask, const els_talk_item *item, size_t which)
{
    elelem_str extra = els_talk_meta(item, "extra_content");

    els_begin_object(&ask->writer);
    els_put_call_id(ask, "id", which);
    if (ask->dialect->takes_custom && els_is_custom(item)) els_ask_chat_put_custom(ask, item);
    else els_ask_chat_put_function(ask, item);
    if (extra.size > 0 && ask->dialect->takes_extra_content)
        els_put_raw_member(&ask->writer, "extra_content", extra);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_put_calls(els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;

    els_begin_member(&ask->writer, "tool_calls", ELELEM_TYPE_ARRAY);
    while (els_walk_next(ask, &walk, &item))
        if (item.line.kind == ELS_TALK_CALL && !ask->step.calls[walk.call].is_left_out)
            els_ask_chat_put_call(ask, &item, walk.call);
    els_end_array(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_assistant(els_ask *ask)
{
    int has_calls = els_step_has_calls(&ask->step), has_text = els_step_has_text(ask);

    if (!has_calls && !has_text && !els_ask_chat_has_media(ask, 0) && !els_ask_chat_has_media(ask, 1)) return;
    els_ask_chat_begin(ask, "assistant");
    els_ask_chat_put_content(ask, has_text, has_calls);
    els_ask_chat_put_reasoning(ask);
    els_ask_chat_put_made_images(ask);
    els_ask_chat_put_audio(ask);
    if (has_calls) els_ask_chat_put_calls(ask);
    else if (ask->dialect->prefix && els_step_is_last(ask))
        els_put_bool(&ask->writer, "prefix", 1);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_results(els_ask *ask)
{
    size_t i;

    for (i = 0; i < ask->step.count; i++) {
        els_talk_line line;
        if (ask->step.calls[i].is_left_out) continue;
        els_result_of(ask, i, &line);
        els_ask_chat_begin(ask, "tool");
        els_put_call_id(ask, "tool_call_id", i);
        els_put_result(ask, "content", &line, 1);
        els_end_object(&ask->writer);
    }
}

ELS_PRIVATE void els_ask_chat_put_instructions(els_ask *ask)
{
    const elelem_request *r = ask->request;
    int in_words = r->schema.size > 0 && (ask->dialect->no_schema || !els_wants_schema(r)); /* "JSON" has to be in a message */

    if (!els_has_instructions(ask, in_words)) return;
    els_ask_chat_begin(ask, ask->dialect->role);
    elelem_writer_key(&ask->writer, elelem_str_of("content"));
    elelem_writer_string_begin(&ask->writer);
    els_pour_instructions(ask, in_words);
    elelem_writer_string_end(&ask->writer);
    els_end_object(&ask->writer);
    ask->messages--; /* the instructions alone are nothing to send */
}

ELS_PRIVATE void els_ask_chat_put_messages(els_ask *ask)
{
    if (!els_ask_key(ask, "messages")) return;
    els_ask_find_end(ask, ELS_HOME_CHAT);
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    els_ask_chat_put_instructions(ask);
    while (els_step_next(ask)) {
        els_ask_chat_assistant(ask);
        els_ask_chat_results(ask);
        els_ask_chat_user(ask);
    }
    els_ask_chat_close(ask);
    els_end_array(&ask->writer);
}

/* Tools. */

/* Nonzero if a call is wanted and the model refuses to be forced. */
ELS_PRIVATE int els_ask_chat_refuses_choice(const els_ask *ask)
{
    return ask->request->tool_choice >= ELELEM_TOOL_CHOICE_REQUIRED && els_is_one_of(ask->request->model, ask->dialect->no_forced_call);
}

/* Nonzero if only the named tool is offered. */
ELS_PRIVATE int els_ask_chat_offers_one(const els_ask *ask)
{
    if (ask->request->tool_choice != ELELEM_TOOL_CHOICE_NAMED) return 0;
    return ask->dialect->no_named_choice || els_ask_chat_refuses_choice(ask);
}

ELS_PRIVATE void els_ask_chat_put_tool(els_ask *ask, const elelem_tool *tool)
{
    if (els_ask_chat_offers_one(ask) && !elelem_str_equal(tool->name, ask->request->tool_choice_name)) return;
    els_begin_typed(&ask->writer, "function");
    els_begin_member(&ask->writer, "function", ELELEM_TYPE_OBJECT);
    els_put_tool_members(&ask->writer, "parameters", tool);
    if (tool->strict && !ask->dialect->no_strict_tools) els_put_bool(&ask->writer, "strict", 1);
    els_ask_note(ask, tool->strict && ask->dialect->no_strict_tools, ELS_NO_MEMBER("strict of a tool"));
    els_end_object(&ask->writer);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_put_choice(els_ask *ask)
{
    const elelem_request *r = ask->request;
    int is_refused = els_ask_chat_refuses_choice(ask);

    els_ask_note(ask, is_refused, ELS_CHOICE_LEFT_OUT);
    if (r->tool_choice == ELELEM_TOOL_CHOICE_AUTO || is_refused || !els_ask_key(ask, "tool_choice")) return;
    if (r->tool_choice == ELELEM_TOOL_CHOICE_NONE) {
        elelem_writer_string(&ask->writer, elelem_str_of("none"));
    } else if (r->tool_choice == ELELEM_TOOL_CHOICE_REQUIRED || els_ask_chat_offers_one(ask)) {
        elelem_writer_string(&ask->writer, elelem_str_of(ask->dialect->required));
    } else {
        els_begin_typed(&ask->writer, "function");
        els_begin_member(&ask->writer, "function", ELELEM_TYPE_OBJECT);
        els_put_text(&ask->writer, "name", r->tool_choice_name);
        els_end_object(&ask->writer);
        els_end_object(&ask->writer);
    }
}

ELS_PRIVATE void els_ask_chat_put_tools(els_ask *ask)
{
    const elelem_request *r = ask->request;
    int is_refused = els_is_one_of(r->model, ask->dialect->no_one_call);

    if (r->tool_count == 0) return;
    els_ask_tools(ask, els_ask_chat_put_tool);
    els_ask_chat_put_choice(ask);
    els_ask_false(ask, "parallel_tool_calls", r->one_call && !ask->dialect->no_parallel && !is_refused);
    els_ask_note(ask, r->one_call && ask->dialect->no_parallel, ELS_NO_MEMBER("one_call"));
    els_ask_note(ask, r->one_call && is_refused, ELS_WORDS("one_call is left out: the model refuses it"));
}

/* Settings. */

ELS_PRIVATE void els_ask_chat_put_stops(els_ask *ask)
{
    const elelem_request *r = ask->request;
    int is_refused = els_is_one_of(r->model, ask->dialect->fixed_stops);

    els_ask_note(ask, r->stop_count > 0 && is_refused, ELS_WORDS("stop sequences are left out: the model refuses them"));
    if (r->stop_count > 0 && !is_refused && els_ask_key(ask, "stop")) els_put_stops(ask, ask->dialect->max_stops);
}

ELS_PRIVATE void els_ask_chat_put_format(els_ask *ask)
{
    const elelem_request *r = ask->request;

    if (r->schema.size == 0 || !els_ask_key(ask, "response_format")) return;
    if (ask->dialect->no_schema || !els_wants_schema(r)) {
        els_begin_typed(&ask->writer, "json_object");
        els_ask_note_schema(ask);
    } else {
        els_begin_typed(&ask->writer, "json_schema");
        els_begin_member(&ask->writer, "json_schema", ELELEM_TYPE_OBJECT);
        els_put_schema(&ask->writer, r);
        els_end_object(&ask->writer);
    }
    els_end_object(&ask->writer);
}

/* The effort in a word, if there are tools. Some models refuse any; some all but "none", which is not what they do by themselves. */
ELS_PRIVATE void els_ask_chat_put_effort_with_tools(els_ask *ask)
{
    const elelem_request *r = ask->request;
    int is_refused = els_is_one_of(r->model, ask->dialect->no_effort_with_tools);
    int is_none = els_is_one_of(r->model, ask->dialect->none_with_tools);

    els_ask_note(ask, r->effort.size > 0 && is_refused, ELS_WORDS("the effort is left out: the model refuses it together with tools"));
    els_ask_note(ask, r->effort.size > 0 && is_none && !elelem_str_is(r->effort, "none"),
                 ELS_WORDS("the effort is none: the model refuses another together with tools"));
    if (!is_refused) els_ask_text(ask, "reasoning_effort", is_none ? elelem_str_of("none") : r->effort);
}

ELS_PRIVATE void els_ask_chat_put_effort_word(els_ask *ask)
{
    const elelem_request *r = ask->request;

    if (els_is_one_of(r->model, ask->dialect->no_effort)) els_ask_note(ask, r->effort.size > 0, ELS_EFFORT_LEFT_OUT);
    else if (r->tool_count > 0) els_ask_chat_put_effort_with_tools(ask);
    else els_ask_text(ask, "reasoning_effort", r->effort);
}

ELS_PRIVATE void els_ask_chat_put_effort(els_ask *ask)
{
    const elelem_request *r = ask->request;

    if (ask->dialect->effort == ELELEM_EFFORT_WORD) els_ask_chat_put_effort_word(ask);
    else els_ask_note(ask, r->effort.size > 0 && ask->dialect->effort == ELELEM_EFFORT_LEFT_OUT, ELS_NO_MEMBER("effort"));
    els_ask_note(ask, r->reasoning_tokens > 0 && ask->dialect->effort != ELELEM_EFFORT_OBJECT, ELS_NO_MEMBER("reasoning_tokens"));
    els_ask_note(ask, r->summary.size > 0, ELS_NO_MEMBER("summary"));
    els_ask_note(ask, r->show_reasoning, ELS_NO_MEMBER("show_reasoning"));
    if (ask->dialect->effort != ELELEM_EFFORT_OBJECT || (r->effort.size == 0 && r->reasoning_tokens <= 0)) return;
    if (!els_ask_key(ask, "reasoning")) return;
    els_begin_object(&ask->writer);
    els_ask_note(ask, r->effort.size > 0 && r->reasoning_tokens > 0, ELS_BUDGET_LEFT_OUT);
    if (r->effort.size > 0) els_put_text(&ask->writer, "effort", r->effort);
    else els_put_number(&ask->writer, "max_tokens", r->reasoning_tokens);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_chat_put_settings(els_ask *ask)
{
    const elelem_request *r = ask->request;
    const elelem_dialect *d = ask->dialect;

    els_ask_number(ask, d->max_tokens, r->max_tokens);
    els_ask_sampling(ask, els_is_one_of(r->model, d->fixed_sampling));
    if (d->takes_top_k) els_ask_json(ask, "top_k", r->top_k);
    else els_ask_note(ask, r->top_k.size > 0, ELS_NO_MEMBER("top_k"));
    els_ask_json(ask, d->seed, r->seed);
    els_ask_chat_put_stops(ask);
    els_ask_chat_put_effort(ask);
    els_ask_chat_put_format(ask);
    els_ask_note(ask, r->extra_config.size > 0, ELS_NO_MEMBER("extra_config"));
}

ELS_PRIVATE void els_ask_chat_put_stream(els_ask *ask)
{
    els_ask_true(ask, "stream", !ask->request->whole);
    if (ask->request->whole || !ask->dialect->stream_usage || !els_ask_key(ask, "stream_options")) return;
    els_begin_object(&ask->writer);
    els_put_bool(&ask->writer, "include_usage", 1);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_chat(els_ask *ask)
{
    els_ask_text(ask, "model", ask->request->model);
    els_ask_chat_put_messages(ask);
    els_ask_chat_put_tools(ask);
    els_ask_chat_put_settings(ask);
    els_ask_chat_put_stream(ask);
}

#endif

#endif
