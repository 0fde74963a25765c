#ifndef ELS_REQUEST_MESSAGES_C
#define ELS_REQUEST_MESSAGES_C
#include "request_messages.h"
#include "base.c"
#include "writer.c"
#include "recovery.c"
#include "line.c"
#include "talk.c"
#include "request.c"

/* >> request_messages */

#ifndef ELELEM_NO_MESSAGES

#define ELS_MESSAGES_MAX_TOKENS 4096
#define ELS_MESSAGES_MAX_TOKENS_REASONING 16000
#define ELS_MESSAGES_MIN_BUDGET 1024

/* Models, as els_is_one_of takes them. From Opus 4.7 on they refuse a budget of reasoning and sampling; of the others, those
   before 4.6 refuse adaptive thinking, and 4.6 takes all. */
#define ELS_CLAUDE_WITHOUT_BUDGET                                                     \
    "claude-opus-4-7 claude-opus-4-8 claude-opus-4.7 claude-opus-4.8 !claude-opus-4 " \
    "!claude-sonnet-4 !claude-haiku-4 !claude-3 !claude-2 !claude-instant claude-"
#define ELS_CLAUDE_WITHOUT_ADAPTIVE                                                 \
    "!claude-opus-4-6 !claude-opus-4.6 !claude-sonnet-4-6 !claude-sonnet-4.6 "      \
    "claude-opus-4 claude-sonnet-4 claude-haiku-4 claude-3 claude-2 claude-instant"
/* Of those before 4.6, Opus 4.5 takes an effort. From 4.6 on they refuse that the history ends with the model's text. */
#define ELS_CLAUDE_WITH_EFFORT "claude-opus-4-5 claude-opus-4.5"
#define ELS_CLAUDE_WITHOUT_PREFILL \
    "claude-opus-4-6 claude-opus-4.6 claude-sonnet-4-6 claude-sonnet-4.6 " ELS_CLAUDE_WITHOUT_BUDGET
#define ELS_CLAUDE_WITHOUT_FORCED_CALL                                                                    \
    "claude-opus-5-5 claude-opus-5.5 claude-sonnet-5-5 claude-sonnet-5.5 claude-fable-5-1 claude-fable-5.1 " \
    "claude-mythos-5-1 claude-mythos-5.1"

/* Nonzero if reasoning is signed. */
ELS_PRIVATE int els_ask_messages_is_proven(const els_talk_item *item)
{
    return els_talk_meta_text(item, "signature").size > 0 || els_talk_meta_text(item, "redacted_data").size > 0;
}

/* Calls that the provider ran itself are blocks, and so are their results; one without the other is refused. But a call of the
   application's may come between: in a step with such calls, and in the one after it, all blocks go back. So they do if their message
   has blocks of several steps. */
#define ELS_ASK_USES 64

typedef struct els_ask_uses {
    uint32_t ids[ELS_ASK_USES]; /* their hashes */
    uint64_t have_results;      /* a bit for each */
    size_t count;
    uint8_t had_calls;          /* the step before had calls of the application's */
    uint8_t all_go;
} els_ask_uses;

ELS_PRIVATE int els_ask_is_use(const els_talk_item *item)
{
    return els_quoted_is(item->line.type, "server_tool_use") || els_quoted_is(item->line.type, "mcp_tool_use");
}

ELS_PRIVATE uint32_t els_ask_uses_hash(const els_talk_item *item)
{
    char text[ELS_HOSTED_NAME], byte;
    elelem_str id = els_item_member(item, els_ask_is_use(item) ? "id" : "tool_use_id", text);
    els_letters letters = els_letters_of(els_is_string(id) ? id : elelem_str_of("\"\""));
    uint32_t hash = ELS_DEBT_START;
    int letter;

    while ((letter = els_letters_next(&letters)) >= 0) {
        byte = (char)letter;
        hash = els_debt_hash(hash, &byte, 1);
    }
    return hash;
}

/* Returns which call of the provider the block is or is the result of; uses->count if there is none. */
ELS_ALONE size_t els_ask_uses_of(const els_ask_uses *uses, const els_talk_item *item)
{
    uint32_t hash = els_ask_uses_hash(item);
    size_t i = 0;

    while (i < uses->count && uses->ids[i] != hash)
        i++;
    return i;
}

/* Nonzero for a block that is a call of the provider's or the result of one. */
ELS_PRIVATE int els_ask_uses_have(const els_talk_item *item)
{
    if (!els_item_goes_to(item, ELS_HOME_MESSAGES)) return 0;
    return els_ask_is_use(item) || els_quoted_ends(item->line.type, "_tool_result");
}

ELS_PRIVATE void els_ask_uses_add(els_ask_uses *uses, const els_talk_item *item)
{
    size_t which = els_ask_uses_of(uses, item);

    if (which < uses->count) {
        if (!els_ask_is_use(item)) uses->have_results |= (uint64_t)1 << which;
    } else if (which == ELS_ASK_USES) {
        uses->all_go = 1;
    } else if (els_ask_is_use(item)) {
        uses->ids[which] = els_ask_uses_hash(item);
        uses->count++;
    }
}

/* Nonzero if the message that the step's blocks are in has blocks of the step before or after it: what the user said between is blank. */
ELS_PRIVATE int els_ask_uses_are_shared(const els_ask *ask)
{
    els_talk at = ask->step.tail;
    els_talk_item item;

    if (ask->role && strcmp(ask->role, "assistant") == 0) return 1;
    return !els_step_is_last(ask) && !els_next_user(ask, &at, &item);
}

/* Reads those of the step. */
ELS_ALONE void els_ask_uses_read(const els_ask *ask, els_ask_uses *uses)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    int has_calls = els_step_has_calls(&ask->step);

    uses->count = 0;
    uses->have_results = 0;
    uses->all_go = (uint8_t)(has_calls || uses->had_calls || els_ask_uses_are_shared(ask));
    uses->had_calls = (uint8_t)has_calls;
    while (!uses->all_go && els_walk_next(ask, &walk, &item))
        if (els_ask_uses_have(&item)) els_ask_uses_add(uses, &item);
}

/* Nonzero if the block goes back to this shape. A call at the very end may be run yet. */
ELS_PRIVATE int els_ask_messages_takes(const els_ask *ask, const els_ask_uses *uses, const els_talk_item *item)
{
    size_t which;

    if (uses->all_go || !els_ask_uses_have(item)) return els_item_goes_to(item, ELS_HOME_MESSAGES);
    which = els_ask_uses_of(uses, item);
    if (which < uses->count && uses->have_results >> which & 1) return 1;
    return els_ask_is_use(item) && els_step_is_last(ask);
}

/* Nonzero if the item is written, apart from reasoning. */
ELS_PRIVATE int els_ask_messages_writes(const els_ask *ask, const els_ask_uses *uses, const els_walk *walk, const els_talk_item *item)
{
    if (els_is_text(item)) return !els_item_is_blank(item);
    if (item->line.kind == ELS_TALK_CALL) return !ask->step.calls[walk->call].is_left_out;
    return els_ask_messages_takes(ask, uses, item);
}

/* Returns which item of the step is the last that is written: 1 for the first; 0 if none is. */
ELS_ALONE size_t els_ask_messages_last(const els_ask *ask, const els_ask_uses *uses)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    size_t count = 0, last = 0;

    while (els_walk_next(ask, &walk, &item)) {
        count++;
        if (els_ask_messages_writes(ask, uses, &walk, &item)) last = count;
    }
    return last;
}

ELS_PRIVATE void els_ask_messages_put_text(els_ask *ask, const els_talk_item *item)
{
    els_begin_typed(&ask->writer, "text");
    els_put_item_text(&ask->writer, "text", item);
    els_end_object(&ask->writer);
}

/* Writes a text of the user that the provider wants and the history lacks. */
ELS_PRIVATE void els_ask_messages_put_stand_in(els_ask *ask, const char *text)
{
    els_open_role(ask, "user", "content");
    els_begin_typed(&ask->writer, "text");
    els_put_word(&ask->writer, "text", text);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_messages_open(els_ask *ask, const char *role)
{
    if (ask->messages == 0 && strcmp(role, "user") != 0) els_ask_messages_put_stand_in(ask, "(start)");
    els_open_role(ask, role, "content");
}

/* A text without the whitespace at its end. */

/* Reads the bytes of the next character; zero at the end. */
ELS_PRIVATE size_t els_next_character(els_letters *letters, char bytes[4])
{
    int byte = els_letters_next(letters);
    size_t size, i;

    if (byte < 0) return 0;
    size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    bytes[0] = (char)byte;
    for (i = 1; i < size; i++)
        bytes[i] = (char)els_letters_next(letters);
    return size;
}

/* Returns how many bytes the text has up to its last character that is no whitespace; if `writer` is not null, writes
   the first `most` of them. */
ELS_PRIVATE size_t els_ask_messages_trim(const els_talk_item *item, elelem_writer *writer, size_t most)
{
    els_talk at = item->from;
    els_talk_line line;
    size_t total = 0, end = 0, size;
    char bytes[4];

    while (els_talk_next_piece(item, &at, &line)) {
        els_letters letters = els_letters_of(line.text.size >= 2 ? line.text : elelem_str_of("\"\""));
        while ((size = els_next_character(&letters, bytes)) > 0) {
            total += size;
            if (els_space_size((const unsigned char *)bytes, size) == 0) end = total;
            if (writer && total <= most) elelem_writer_string_piece(writer, els_str(bytes, size));
        }
    }
    return end;
}

ELS_PRIVATE void els_ask_messages_put_trimmed(els_ask *ask, const els_talk_item *item)
{
    elelem_writer_key(&ask->writer, elelem_str_of("text"));
    elelem_writer_string_begin(&ask->writer);
    els_ask_messages_trim(item, &ask->writer, els_ask_messages_trim(item, NULL, 0));
    elelem_writer_string_end(&ask->writer);
}

ELS_PRIVATE int els_ask_messages_is_citation(elelem_str json)
{
    static const char *const names[] = { "type" };
    elelem_str type;

    if (json.data[0] != '{') return 0;
    els_line_members(json, names, 1, &type);
    return els_quoted_ends(type, "_location");
}

/* Nonzero if the item has citations, and all are of this shape; other shapes have the same key. */
ELS_PRIVATE int els_ask_messages_has_citations(const els_talk_item *item)
{
    els_talk_list citations = els_talk_list_of(item, "citations");
    elelem_str citation;
    int count = 0;

    for (; els_talk_next_element(&citations, &citation); count = 1)
        if (!els_ask_messages_is_citation(citation)) return 0;
    return count;
}

/* A JSON value is not trimmed: it ends with a bracket. */
ELS_PRIVATE void els_ask_messages_put_message(els_ask *ask, const els_talk_item *item, int is_end)
{
    if (els_item_is_blank(item)) return;
    els_ask_messages_open(ask, "assistant");
    els_begin_typed(&ask->writer, "text");
    if (is_end && item->line.json.size == 0) els_ask_messages_put_trimmed(ask, item);
    else els_put_item_text(&ask->writer, "text", item);
    if (els_ask_messages_has_citations(item)) els_put_list(&ask->writer, item, "citations");
    els_end_object(&ask->writer);
    if (is_end && els_is_one_of(ask->request->model, ELS_CLAUDE_WITHOUT_PREFILL)) els_ask_messages_put_stand_in(ask, "(continue)");
}

ELS_PRIVATE void els_ask_messages_put_reasoning(els_ask *ask, const els_talk_item *item)
{
    elelem_str redacted = els_talk_meta_text(item, "redacted_data");

    if (!els_ask_messages_is_proven(item)) return;
    els_ask_messages_open(ask, "assistant");
    if (redacted.size > 0) {
        els_begin_typed(&ask->writer, "redacted_thinking");
        els_put_raw_member(&ask->writer, "data", redacted);
    } else {
        els_begin_typed(&ask->writer, "thinking");
        els_put_item_text(&ask->writer, "thinking", item);
        els_put_raw_member(&ask->writer, "signature", els_talk_meta_text(item, "signature"));
    }
    els_end_object(&ask->writer);
}

/* `caller` is also a key of Responses, with other types. */
ELS_PRIVATE void els_ask_messages_put_caller(els_ask *ask, const els_talk_item *item)
{
    static const char *const names[] = { "type" };
    elelem_str caller = els_talk_meta(item, "caller"), type, toolset = els_talk_meta(item, "toolset_name");
    elelem_str fields = els_talk_meta(item, "provider_specific_fields");

    if (els_is_string(toolset)) els_put_quoted(&ask->writer, "toolset_name", toolset);
    if (fields.size > 0 && fields.data[0] == '{') els_put_raw_member(&ask->writer, "provider_specific_fields", fields);
    if (caller.size == 0 || caller.data[0] != '{') return;
    els_line_members(caller, names, 1, &type);
    if (els_quoted_is(type, "direct") || (type.size > 16 && memcmp(type.data, "\"code_execution_", 16) == 0))
        els_put_raw_member(&ask->writer, "caller", caller);
}

ELS_PRIVATE void els_ask_messages_put_call(els_ask *ask, const els_talk_item *item, size_t which)
{
    if (ask->step.calls[which].is_left_out) return;
    els_ask_messages_open(ask, "assistant");
    els_begin_typed(&ask->writer, "tool_use");
    els_put_call_id(ask, "id", which);
    els_put_tool_name(&ask->writer, "name", item->line.name, 0);
    els_put_arguments(&ask->writer, "input", &item->line);
    els_ask_messages_put_caller(ask, item);
    els_end_object(&ask->writer);
}

/* Writes the items of the step up to the last that is written. */
ELS_ALONE void els_ask_messages_put_items(els_ask *ask, const els_ask_uses *uses, size_t last)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    size_t count = 0;
    int is_last = els_step_is_last(ask);

    while (els_walk_next(ask, &walk, &item) && count++ < last) {
        if (els_is_text(&item)) {
            els_ask_messages_put_message(ask, &item, is_last && count == last);
        } else if (item.line.kind == ELS_TALK_CALL) {
            els_ask_messages_put_call(ask, &item, walk.call);
        } else if (item.line.kind == ELS_TALK_REASONING) {
            els_ask_messages_put_reasoning(ask, &item);
        } else if (els_ask_messages_takes(ask, uses, &item)) {
            els_ask_messages_open(ask, "assistant");
            els_put_provider_item(&ask->writer, &item);
        }
    }
}

/* Nonzero for a result without content, which may not have failed. */
ELS_ALONE int els_ask_messages_is_blank(const els_ask *ask, const els_talk_line *result)
{
    els_talk_item item;
    els_spelled value;

    if (!els_result_is_spelled(result)) return result->json.size == 0 && els_quoted_is_blank(result->text);
    els_result_spelled(ask, result, &item, &value);
    return els_spelled_next(&value) == '"' && els_spelled_is_blank(&value);
}

ELS_ALONE void els_ask_messages_put_results(els_ask *ask)
{
    size_t i;

    for (i = 0; i < ask->step.count; i++) {
        els_talk_line line;
        if (ask->step.calls[i].is_left_out) continue;
        els_result_of(ask, i, &line);
        els_ask_messages_open(ask, "user");
        els_begin_typed(&ask->writer, "tool_result");
        els_put_call_id(ask, "tool_use_id", i);
        if (line.failed && els_ask_messages_is_blank(ask, &line)) els_put_word(&ask->writer, "content", "failed");
        else els_put_result(ask, "content", &line, 0);
        if (line.failed) els_put_bool(&ask->writer, "is_error", 1);
        els_end_object(&ask->writer);
    }
}

ELS_PRIVATE void els_ask_messages_put_image(els_ask *ask, const elelem_str fields[3])
{
    els_begin_typed(&ask->writer, "image");
    elelem_writer_key(&ask->writer, elelem_str_of("source"));
    els_begin_typed(&ask->writer, fields[1].size > 0 ? "base64" : "url");
    if (fields[1].size > 0) {
        els_put_quoted(&ask->writer, "media_type", fields[0]);
        els_put_quoted(&ask->writer, "data", fields[1]);
    } else {
        els_put_quoted(&ask->writer, "url", fields[2]);
    }
    els_end_object(&ask->writer);
    els_end_object(&ask->writer);
}

ELS_ALONE void els_ask_messages_put_user(els_ask *ask)
{
    els_talk at = ask->step.tail;
    els_talk_item item;
    elelem_str fields[3];

    while (els_next_user(ask, &at, &item)) {
        els_cursor in = els_images_of(&item.line);
        els_ask_messages_open(ask, "user");
        if (!els_item_is_blank(&item)) els_ask_messages_put_text(ask, &item);
        while (els_next_image(&in, fields))
            els_ask_messages_put_image(ask, fields);
    }
}

ELS_PRIVATE void els_ask_messages_put_messages(els_ask *ask)
{
    els_ask_uses uses;

    if (!els_ask_key(ask, "messages")) return;
    memset(&uses, 0, sizeof uses);
    els_ask_find_end(ask, ELS_HOME_MESSAGES);
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    while (els_step_next(ask)) {
        els_ask_uses_read(ask, &uses);
        els_ask_messages_put_items(ask, &uses, els_ask_messages_last(ask, &uses));
        els_ask_messages_put_results(ask);
        els_ask_messages_put_user(ask);
    }
    els_close_role(ask);
    els_end_array(&ask->writer);
}

/* Tools. */

ELS_PRIVATE void els_ask_messages_put_tool(els_ask *ask, const elelem_tool *tool)
{
    els_begin_object(&ask->writer);
    els_put_tool_members(&ask->writer, "input_schema", tool);
    if (tool->strict) els_put_bool(&ask->writer, "strict", 1);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_messages_put_choice(els_ask *ask, int is_thinking)
{
    static const char *const words[] = { "auto", "none", "any", "tool" };
    const elelem_request *r = ask->request;
    int is_forced = r->tool_choice >= ELELEM_TOOL_CHOICE_REQUIRED;
    int is_refused = is_forced && els_is_one_of(r->model, ELS_CLAUDE_WITHOUT_FORCED_CALL);
    unsigned choice = is_refused || (is_forced && is_thinking) ? 0u : r->tool_choice;

    els_ask_note(ask, is_refused, ELS_CHOICE_LEFT_OUT);
    els_ask_note(ask, is_forced && is_thinking, ELS_WORDS("the tool choice is left out: the model refuses it while it reasons"));
    if ((choice == ELELEM_TOOL_CHOICE_AUTO && !r->one_call) || !els_ask_key(ask, "tool_choice")) return;
    els_begin_typed(&ask->writer, words[choice]);
    if (choice == ELELEM_TOOL_CHOICE_NAMED) els_put_text(&ask->writer, "name", r->tool_choice_name);
    if (r->one_call && choice != ELELEM_TOOL_CHOICE_NONE)
        els_put_bool(&ask->writer, "disable_parallel_tool_use", 1);
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_messages_put_tools(els_ask *ask, int is_thinking)
{
    if (ask->request->tool_count == 0) return;
    els_ask_tools(ask, els_ask_messages_put_tool);
    els_ask_messages_put_choice(ask, is_thinking);
}

/* Settings. */

/* Nonzero if the step begins with reasoning of which some is signed. */
ELS_PRIVATE int els_ask_messages_begins_signed(const els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;
    int is_start = 1, is_signed = 0;

    while (els_walk_next(ask, &walk, &item)) {
        is_start &= item.line.kind == ELS_TALK_REASONING;
        is_signed |= is_start && els_ask_messages_is_proven(&item);
    }
    return is_signed;
}

/* Zero if the turn that is not over has calls, and no signed reasoning before the first of them. The provider refuses
   that such a turn continues with thinking. */
ELS_PRIVATE int els_ask_messages_may_think(els_ask *ask)
{
    int may_think = 1;

    els_step_restart(ask);
    while (els_step_next(ask)) {
        if (!els_step_is_current(ask) || !els_step_has_calls(&ask->step)) continue;
        may_think = els_ask_messages_begins_signed(ask);
        break;
    }
    els_step_restart(ask);
    return may_think;
}

/* Nonzero for models that decide themselves how much to reason, and refuse both a budget and sampling. */
ELS_PRIVATE int els_ask_messages_decides(const elelem_request *r)
{
    return els_is_one_of(r->model, ELS_CLAUDE_WITHOUT_BUDGET);
}

/* Nonzero for models that reason only with a budget. */
ELS_PRIVATE int els_ask_messages_needs_budget(const elelem_request *r)
{
    return !els_ask_messages_decides(r) && els_is_one_of(r->model, ELS_CLAUDE_WITHOUT_ADAPTIVE);
}

/* Nonzero for one of these, if there is none. */
ELS_PRIVATE int els_ask_messages_lacks_budget(const elelem_request *r)
{
    return r->reasoning_tokens <= 0 && els_ask_messages_needs_budget(r);
}

ELS_PRIVATE int els_ask_messages_refuses_effort(const elelem_request *r)
{
    return els_ask_messages_needs_budget(r) && !els_is_one_of(r->model, ELS_CLAUDE_WITH_EFFORT);
}

/* Nonzero if the reasoning is to come. */
ELS_PRIVATE int els_ask_messages_shows(const elelem_request *r)
{
    return r->show_reasoning || r->summary.size > 0;
}

ELS_PRIVATE int64_t els_ask_messages_budget(els_ask *ask)
{
    int64_t budget = ask->request->reasoning_tokens;

    if (budget <= 0 || els_ask_messages_decides(ask->request) || !els_ask_messages_may_think(ask)) return 0;
    if (budget == INT64_MAX) budget--; /* the limit is more than the budget */
    return budget < ELS_MESSAGES_MIN_BUDGET ? ELS_MESSAGES_MIN_BUDGET : budget;
}

/* The limit counts the reasoning too. */
ELS_PRIVATE int64_t els_ask_messages_limit(const els_ask *ask, int64_t budget)
{
    const elelem_request *r = ask->request;
    int64_t usual = els_ask_messages_decides(r) ? ELS_MESSAGES_MAX_TOKENS_REASONING : ELS_MESSAGES_MAX_TOKENS;
    int64_t limit = r->max_tokens > 0 ? r->max_tokens : usual;

    if (limit > budget && r->max_tokens > 0) return limit;
    return limit > INT64_MAX - budget ? INT64_MAX : limit + budget;
}

/* Nonzero if adaptive thinking is asked for. */
ELS_PRIVATE int els_ask_messages_is_adaptive(const elelem_request *r)
{
    if (r->reasoning_tokens > 0) return els_ask_messages_decides(r);
    return els_ask_messages_shows(r) && !els_ask_messages_lacks_budget(r);
}

ELS_PRIVATE void els_ask_messages_put_thinking(els_ask *ask, int64_t budget)
{
    if ((budget == 0 && !els_ask_messages_is_adaptive(ask->request)) || !els_ask_key(ask, "thinking")) return;
    els_begin_typed(&ask->writer, budget > 0 ? "enabled" : "adaptive");
    if (budget > 0) els_put_number(&ask->writer, "budget_tokens", budget);
    else els_put_word(&ask->writer, "display", "summarized");
    els_end_object(&ask->writer);
}

ELS_PRIVATE void els_ask_messages_put_output(els_ask *ask)
{
    const elelem_request *r = ask->request;
    int is_refused = els_ask_messages_refuses_effort(r), has_effort = r->effort.size > 0 && !is_refused;

    els_ask_note(ask, r->effort.size > 0 && is_refused, ELS_EFFORT_LEFT_OUT);
    els_ask_note_schema(ask);
    if ((!has_effort && !els_wants_schema(r)) || !els_ask_key(ask, "output_config")) return;
    els_begin_object(&ask->writer);
    if (has_effort) els_put_text(&ask->writer, "effort", r->effort);
    if (els_wants_schema(r)) {
        elelem_writer_key(&ask->writer, elelem_str_of("format"));
        els_begin_typed(&ask->writer, "json_schema");
        els_put_raw_member(&ask->writer, "schema", r->schema);
        els_end_object(&ask->writer);
    }
    els_end_object(&ask->writer);
}

/* Newer models refuse temperature and top_p together. */
ELS_PRIVATE void els_ask_messages_put_sampling(els_ask *ask, int is_thinking)
{
    const elelem_request *r = ask->request;

    if (r->stop_count > 0 && els_ask_key(ask, "stop_sequences")) els_put_stops(ask, 0);
    els_ask_note(ask, r->seed.size > 0, ELS_NO_MEMBER("seed"));
    els_ask_note(ask, r->extra_config.size > 0, ELS_NO_MEMBER("extra_config"));
    if (is_thinking) {
        els_ask_note(ask, r->temperature.size + r->top_p.size + r->top_k.size > 0,
                     ELS_WORDS("temperature, top_p and top_k are left out: the model refuses them while it reasons"));
        return;
    }
    if (els_ask_messages_decides(r)) {
        els_ask_note(ask, r->temperature.size + r->top_p.size + r->top_k.size > 0,
                     ELS_WORDS("temperature, top_p and top_k are left out: the model refuses them"));
        return;
    }
    els_ask_json(ask, "temperature", r->temperature);
    if (r->temperature.size == 0) els_ask_json(ask, "top_p", r->top_p);
    else els_ask_note(ask, r->top_p.size > 0, ELS_WORDS("top_p is left out: models refuse it together with temperature"));
    els_ask_json(ask, "top_k", r->top_k);
}

ELS_PRIVATE void els_ask_messages_put_system(els_ask *ask)
{
    int in_words = ask->request->schema.size > 0 && !els_wants_schema(ask->request);

    if (!els_has_instructions(ask, in_words) || !els_ask_key(ask, "system")) return;
    elelem_writer_string_begin(&ask->writer);
    els_pour_instructions(ask, in_words);
    elelem_writer_string_end(&ask->writer);
}

/* Says what of the reasoning that was asked for is left out. */
ELS_PRIVATE void els_ask_messages_note_thinking(els_ask *ask, int64_t budget)
{
    const elelem_request *r = ask->request;
    int is_left_out = budget == 0 && r->reasoning_tokens > 0;

    els_ask_note(ask, is_left_out && els_ask_messages_decides(r),
                 ELS_WORDS("the reasoning budget is left out: the model decides how much to reason"));
    els_ask_note(ask, is_left_out,
                 ELS_WORDS("the reasoning budget is left out: the turn has a tool call without signed reasoning"));
    els_ask_note(ask, els_ask_messages_shows(r) && els_ask_messages_lacks_budget(r),
                 ELS_WORDS("show_reasoning is left out: the model reasons only with a budget"));
}

ELS_PRIVATE void els_ask_messages(els_ask *ask)
{
    int64_t budget = els_ask_messages_budget(ask);
    int is_thinking = budget > 0 || els_ask_messages_is_adaptive(ask->request);

    els_ask_messages_note_thinking(ask, budget);
    els_ask_text(ask, "model", ask->request->model);
    els_ask_number(ask, "max_tokens", els_ask_messages_limit(ask, budget));
    els_ask_messages_put_system(ask);
    els_ask_messages_put_messages(ask);
    els_ask_messages_put_tools(ask, is_thinking);
    els_ask_messages_put_thinking(ask, budget);
    els_ask_messages_put_output(ask);
    els_ask_messages_put_sampling(ask, is_thinking);
    els_ask_true(ask, "stream", !ask->request->whole);
}

#endif

#endif
