/* The law of calls that are cut off: a random conversation, stopped after every token and ended as its wire
   ends it, has no call that is complete before the model finished its arguments; and every call whose end
   the wire shows is complete. Turn, replayed records and stored history say the same. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "conversation.h"

/* What the model writes. One more token begins each item, and one ends it. */
struct written {
    bool is_call = false;
    std::string id, name, json;
    std::vector<std::string> tokens; /* of the text, or of the arguments */
    std::vector<std::string> pieces; /* Gemini: the same as pieces with their paths */
};

struct talk {
    std::vector<written> items;
    size_t tokens = 0;
    bool closes = true;    /* Messages: blocks are stopped one by one; Responses: also an item that was cut off is done */
    bool tells = true;     /* Responses: what is done has a status */
    bool in_pieces = false; /* Gemini */
};

/* How much of it was written, and what then ended the body. */
struct stop {
    size_t tokens;
    bool is_own; /* the model ended its response */
    bool is_broken; /* the body just stops */
    size_t reason;
};

/* How far one item came. */
struct progress {
    size_t tokens = 0; /* of the item itself */
    bool begun = false, over = false;
};

static std::vector<progress> progress_of(const talk &all, size_t tokens)
{
    std::vector<progress> some;

    for (const written &item : all.items) {
        progress one;
        one.begun = tokens > 0;
        one.over = tokens >= item.tokens.size() + 2;
        one.tokens = tokens > 0 ? std::min(tokens - 1, item.tokens.size()) : 0;
        tokens -= std::min(tokens, item.tokens.size() + 2);
        some.push_back(one);
    }
    return some;
}

/* {"a":"…","b":"…"}, of which each value comes in pieces. */
static void write_pieces(json_dice &dice, talk_pen &pen, written &item)
{
    std::string json;

    for (size_t count = dice.below(3), i = 0; i < count; i++) {
        std::string key(1, (char)('a' + i)), text = talk_any_text(dice);
        std::vector<std::string> pieces = talk_pieces(dice, text);
        for (size_t k = 0; k < pieces.size(); k++) {
            talk_pen::members all = { { "jsonPath", pen.string("$." + key) }, { "stringValue", pen.string(pieces[k]) } };
            if (k + 1 < pieces.size()) all.emplace_back("willContinue", "true");
            item.pieces.push_back(pen.object(all));
            item.tokens.push_back(pieces[k]);
        }
        json += (json.empty() ? "{" : ",") + pen.string(key) + ":" + pen.string(text);
    }
    item.json = json.empty() ? "" : json + "}";
}

static written any_written(json_dice &dice, talk_pen &pen, size_t number, bool is_gemini, bool in_pieces)
{
    static const char *const roots[] = { "1", "-20", "true", "\"a\"", "[1,2]", "null" };
    written item;

    item.is_call = !dice.once_in(4);
    item.id = "c" + std::to_string(number);
    item.name = "f" + std::to_string(number);
    if (!item.is_call) {
        item.tokens = { "a", "b" };
    } else if (in_pieces) {
        write_pieces(dice, pen, item);
    } else {
        if (!dice.once_in(3)) item.json = dice.once_in(5) && !is_gemini ? dice.one_of(roots) : pen.value(talk_any_object(dice));
        if (!item.json.empty())
            for (const std::string &piece : talk_pieces(dice, item.json))
                if (!piece.empty()) item.tokens.push_back(piece);
    }
    return item;
}

static talk any_talk(json_dice dice, bool is_gemini)
{
    talk_pen pen{ json_dice() };
    talk all;

    all.closes = !dice.once_in(3);
    all.tells = !dice.once_in(3);
    all.in_pieces = is_gemini && dice.once_in(2);
    for (size_t count = 1 + dice.below(4), i = 0; i < count; i++) {
        all.items.push_back(any_written(dice, pen, i, is_gemini, all.in_pieces));
        all.tokens += all.items.back().tokens.size() + 2;
    }
    return all;
}

/* Writing it down. */

static talk_pen pen{ json_dice() };

static std::string written_so_far(const written &item, const progress &how)
{
    std::string text;

    for (size_t i = 0; i < how.tokens; i++)
        text += item.tokens[i];
    return text;
}

static std::string frame(const std::string &data)
{
    return "data: " + data + "\n\n";
}

struct wire {
    const elelem_shape *shape;
    std::string (*body)(const talk &all, const stop &at);
    bool (*is_shown)(const talk &all, const stop &at, const std::vector<progress> &some, size_t item);
};

/* JSON closes by itself once all of it was written, except numbers. */
static bool has_closed(const written &item, const progress &how)
{
    return how.tokens == item.tokens.size() && !item.json.empty() && item.json[0] != '-' && !(item.json[0] >= '0' && item.json[0] <= '9');
}

static bool is_followed(const std::vector<progress> &some, size_t item)
{
    return item + 1 < some.size() && some[item + 1].begun;
}

/* Chat: only a reason ends calls. */

static std::string chat_choice(const std::string &choice)
{
    return frame("{\"choices\":[{\"index\":0," + choice + "}]}");
}

static std::string chat_call(size_t number, const talk_pen::members &call, const talk_pen::members &function)
{
    talk_pen::members all = call;

    all.emplace_back("index", std::to_string(number));
    all.emplace_back("function", pen.object(function));
    return chat_choice("\"delta\":{\"tool_calls\":[" + pen.object(all) + "]}");
}

static std::string chat_body(const talk &all, const stop &at)
{
    static const char *const reasons[] = { "length", "content_filter", "unknown", "max_tokens" };
    std::vector<progress> some = progress_of(all, at.tokens);
    std::string bytes;

    for (size_t i = 0; i < some.size() && some[i].begun; i++) {
        const written &item = all.items[i];
        if (item.is_call) bytes += chat_call(i, { { "id", pen.string(item.id) } }, { { "name", pen.string(item.name) }, { "arguments", "\"\"" } });
        for (size_t k = 0; k < some[i].tokens; k++)
            bytes += item.is_call ? chat_call(i, {}, { { "arguments", pen.string(item.tokens[k]) } })
                                  : chat_choice("\"delta\":{\"content\":" + pen.string(item.tokens[k]) + "}");
    }
    if (at.is_broken) return bytes;
    std::string reason = at.is_own ? (at.reason % 2 ? "stop" : "tool_calls") : reasons[at.reason % 4];
    return bytes + chat_choice("\"delta\":{},\"finish_reason\":" + pen.string(reason)) + frame("[DONE]");
}

static bool chat_shows(const talk &all, const stop &at, const std::vector<progress> &some, size_t item)
{
    return !at.is_broken && (at.is_own || has_closed(all.items[item], some[item]));
}

/* Messages and Interactions: a stop ends a block, and comes also when the model was stopped inside it. */

static std::string messages_frame(const char *type, talk_pen::members members)
{
    members.insert(members.begin(), { "type", pen.string(type) });
    return frame(pen.object(members));
}

static std::string messages_body(const talk &all, const stop &at)
{
    static const char *const reasons[] = { "max_tokens", "refusal", "model_context_window_exceeded", "pause_turn" };
    std::vector<progress> some = progress_of(all, at.tokens);
    std::string bytes = messages_frame("message_start", { { "message", "{}" } });

    for (size_t i = 0; i < some.size() && some[i].begun; i++) {
        const written &item = all.items[i];
        talk_pen::member index = { "index", std::to_string(i) };
        talk_pen::members block = { { "type", item.is_call ? "\"tool_use\"" : "\"text\"" }, { "id", pen.string(item.id) }, { "name", pen.string(item.name) } };
        bytes += messages_frame("content_block_start", { index, { "content_block", pen.object(block) } });
        for (size_t k = 0; k < some[i].tokens; k++) {
            talk_pen::members delta = { { "type", item.is_call ? "\"input_json_delta\"" : "\"text_delta\"" },
                                        { item.is_call ? "partial_json" : "text", pen.string(item.tokens[k]) } };
            bytes += messages_frame("content_block_delta", { index, { "delta", pen.object(delta) } });
        }
        if (all.closes && (some[i].over || !at.is_broken)) bytes += messages_frame("content_block_stop", { index });
    }
    if (at.is_broken) return bytes;
    std::string reason = at.is_own ? (at.reason % 2 ? "end_turn" : "tool_use") : reasons[at.reason % 4];
    return bytes + messages_frame("message_delta", { { "delta", "{\"stop_reason\":" + pen.string(reason) + "}" } }) + messages_frame("message_stop", {});
}

static bool messages_shows(const talk &all, const stop &at, const std::vector<progress> &some, size_t item)
{
    if (!all.closes && at.is_broken) return false;
    if (has_closed(all.items[item], some[item])) return !at.is_broken || some[item].over;
    return at.is_own || (all.closes && some[item].over && is_followed(some, item));
}

/* Responses: an item that is done may say whether it is complete. */

static std::string responses_item(const talk &all, const char *verb, size_t number, const std::string &text, const char *status)
{
    const written &item = all.items[number];
    talk_pen::members members = { { "type", item.is_call ? "\"function_call\"" : "\"message\"" }, { "id", pen.string("i" + item.id) } };

    if (item.is_call) members.insert(members.end(), { { "call_id", pen.string(item.id) }, { "name", pen.string(item.name) }, { "arguments", pen.string(text) } });
    if (all.tells) members.emplace_back("status", pen.string(status));
    return frame(pen.object({ { "type", pen.string(std::string("response.output_item.") + verb) },
                              { "output_index", std::to_string(number) },
                              { "item", pen.object(members) } }));
}

static std::string responses_body(const talk &all, const stop &at)
{
    static const char *const reasons[] = { "max_output_tokens", "content_filter", "unknown" };
    std::vector<progress> some = progress_of(all, at.tokens);
    std::string bytes;

    for (size_t i = 0; i < some.size() && some[i].begun; i++) {
        const written &item = all.items[i];
        bytes += responses_item(all, "added", i, "", "in_progress");
        for (size_t k = 0; k < some[i].tokens; k++)
            bytes += frame(pen.object({ { "type", item.is_call ? "\"response.function_call_arguments.delta\"" : "\"response.output_text.delta\"" },
                                        { "output_index", std::to_string(i) },
                                        { "delta", pen.string(item.tokens[k]) } }));
        if (some[i].over) bytes += responses_item(all, "done", i, item.json, "completed");
        else if (all.closes && !at.is_broken) bytes += responses_item(all, "done", i, written_so_far(item, some[i]), "incomplete");
    }
    if (at.is_broken) return bytes;
    talk_pen::members end = { { "status", at.is_own ? "\"completed\"" : "\"incomplete\"" } };
    if (!at.is_own) end.emplace_back("incomplete_details", "{\"reason\":" + pen.string(reasons[at.reason % 3]) + "}");
    return bytes + frame(pen.object({ { "type", at.is_own ? "\"response.completed\"" : "\"response.incomplete\"" }, { "response", pen.object(end) } }));
}

static bool responses_shows(const talk &all, const stop &at, const std::vector<progress> &some, size_t item)
{
    if (!some[item].over && (at.is_broken || (all.closes && all.tells))) return false;
    return has_closed(all.items[item], some[item]) || at.is_own || (some[item].over && is_followed(some, item));
}

/* Gemini: calls come whole, or in pieces that say that more is to come. */

static std::string gemini_part(const talk_pen::members &part)
{
    return frame("{\"candidates\":[{\"content\":{\"parts\":[" + pen.object(part) + "]}}]}");
}

static std::string gemini_body(const talk &all, const stop &at)
{
    static const char *const reasons[] = { "MAX_TOKENS", "SAFETY", "OTHER", "MALFORMED_FUNCTION_CALL" };
    std::vector<progress> some = progress_of(all, at.tokens);
    std::string bytes;

    for (size_t i = 0; i < some.size() && some[i].begun; i++) {
        const written &item = all.items[i];
        talk_pen::members call = { { "name", pen.string(item.name) } };
        if (!item.is_call) {
            for (size_t k = 0; k < some[i].tokens; k++)
                bytes += gemini_part({ { "text", pen.string(item.tokens[k]) } });
        } else if (!all.in_pieces) {
            if (!item.json.empty()) call.emplace_back("args", item.json);
            if (some[i].over) bytes += gemini_part({ { "functionCall", pen.object(call) } });
        } else {
            call.emplace_back("willContinue", "true");
            bytes += gemini_part({ { "functionCall", pen.object(call) } });
            for (size_t k = 0; k < some[i].tokens; k++)
                bytes += gemini_part({ { "functionCall", "{\"willContinue\":true,\"partialArgs\":[" + item.pieces[k] + "]}" } });
            if (some[i].over) bytes += gemini_part({ { "functionCall", "{}" } });
        }
    }
    if (at.is_broken) return bytes;
    return bytes + frame("{\"candidates\":[{\"content\":{},\"finishReason\":" + pen.string(at.is_own ? "STOP" : reasons[at.reason % 4]) + "}]}");
}

static bool gemini_shows(const talk &all, const stop &at, const std::vector<progress> &some, size_t item)
{
    bool is_followed = false;

    if (!some[item].over) return false;
    for (size_t i = item + 1; i < some.size(); i++)
        is_followed |= all.items[i].is_call ? (all.in_pieces ? some[i].begun : some[i].over) : some[i].tokens > 0;
    return !all.items[item].json.empty() || at.is_own || is_followed;
}

/* Interactions: a step is stopped, also if the model was stopped inside it; arguments come whole or in pieces. */

static std::string interactions_frame(const char *type, talk_pen::members members)
{
    members.emplace_back("event_type", pen.string(type));
    return frame(pen.object(members));
}

static std::string interactions_body(const talk &all, const stop &at)
{
    static const char *const statuses[] = { "incomplete", "budget_exceeded", "cancelled", "requires_continuation" };
    std::vector<progress> some = progress_of(all, at.tokens);
    std::string bytes = interactions_frame("interaction.created", { { "interaction", "{\"status\":\"in_progress\"}" } });

    for (size_t i = 0; i < some.size() && some[i].begun; i++) {
        const written &item = all.items[i];
        talk_pen::member index = { "index", std::to_string(i) };
        talk_pen::members step = { { "type", item.is_call ? "\"function_call\"" : "\"model_output\"" } };
        if (item.is_call) step.insert(step.end(), { { "id", pen.string(item.id) }, { "name", pen.string(item.name) }, { "arguments", "{}" } });
        bytes += interactions_frame("step.start", { index, { "step", pen.object(step) } });
        for (size_t k = 0; k < some[i].tokens; k++) {
            talk_pen::members delta = { { item.is_call ? "arguments" : "text", pen.string(item.tokens[k]) },
                                        { "type", item.is_call ? "\"arguments_delta\"" : "\"text\"" } };
            bytes += interactions_frame("step.delta", { index, { "delta", pen.object(delta) } });
        }
        if (all.closes && (some[i].over || !at.is_broken)) bytes += interactions_frame("step.stop", { index });
    }
    if (at.is_broken) return bytes;
    std::string status = at.is_own ? (at.reason % 2 ? "completed" : "requires_action") : statuses[at.reason % 4];
    return bytes + interactions_frame("interaction.completed", { { "interaction", "{\"status\":" + pen.string(status) + "}" } });
}

/* The result. */

/* One letter a call in the order of their ends: C complete, x cut off, M malformed. */
static char letter_of(const elelem_item &item)
{
    return item.state == ELELEM_ITEM_COMPLETE ? 'C' : item.state == ELELEM_ITEM_CUT_OFF ? 'x' : 'M';
}

typedef std::map<std::string, char> states; /* by name */

static states states_of_turn(const wire &of, const std::string &bytes, const json_cuts &cuts)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn turn;
    elelem_turn_update update;
    states out;

    desc.shape = of.shape;
    elelem_turn_init(&turn, &desc);
    for (size_t i = 0, at = 0; at <= bytes.size(); i++) {
        size_t size = std::min(i < cuts.size() ? cuts[i] : SIZE_MAX, bytes.size() - at);
        json_lent lent(bytes, at, size);
        if (at == bytes.size()) elelem_turn_finish(&turn);
        else RC_ASSERT(elelem_turn_push(&turn, lent.bytes.get(), size) == ELELEM_OK);
        while (elelem_turn_next(&turn, &update) == ELELEM_OK)
            if (update.kind == ELELEM_TURN_TOOL_CALL_DONE) out[json_bytes_of(update.tool_call.name)] = letter_of(*update.item);
        at += at == bytes.size() ? 1 : size;
    }
    elelem_turn_free(&turn);
    return out;
}

static elelem_status append(void *context, const void *bytes, size_t size)
{
    static_cast<std::string *>(context)->append(static_cast<const char *>(bytes), size);
    return ELELEM_OK;
}

static void record(elelem_recorder &recorder, std::string &lines)
{
    elelem_recorder_desc desc = ELELEM_INIT;

    desc.sink.write = append;
    desc.sink.context = &lines;
    elelem_recorder_init(&recorder, &desc);
}

static std::string lines_of(const wire &of, const std::string &bytes)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_recorder recorder;
    elelem_event event;
    std::string lines;

    desc.shape = of.shape;
    record(recorder, lines);
    elelem_stream_init(&stream, &desc);
    RC_ASSERT(elelem_stream_push(&stream, bytes.data(), bytes.size()) == ELELEM_OK);
    for (int pass = 0; pass < 2; pass++) {
        while (elelem_stream_next(&stream, &event) == ELELEM_OK)
            RC_ASSERT(elelem_recorder_push(&recorder, &event) == ELELEM_OK);
        elelem_stream_finish(&stream);
    }
    elelem_stream_free(&stream);
    elelem_recorder_free(&recorder);
    return lines;
}

static void take_built(elelem_event_builder &builder, states &out)
{
    elelem_built built;

    while (elelem_event_builder_next(&builder, &built) == ELELEM_OK)
        if (built.kind == ELELEM_BUILT_ITEM && built.item.kind == ELELEM_PART_TOOL_CALL)
            out[json_bytes_of(built.item.tool_call.name)] = letter_of(built.item);
}

/* What a builder makes of the lines, and how many calls have an input when they are stored. */
static states states_of_lines(const std::string &lines, size_t &inputs)
{
    elelem_replayer replayer;
    elelem_event_builder builder;
    elelem_event_coalescer coalescer;
    elelem_recorder recorder;
    elelem_record_item item, stored;
    std::string history;
    states out;

    record(recorder, history);
    elelem_replayer_init(&replayer, nullptr);
    elelem_event_builder_init(&builder, nullptr);
    elelem_event_coalescer_init(&coalescer, nullptr);
    RC_ASSERT(elelem_replayer_push(&replayer, lines.data(), lines.size()) == ELELEM_OK);
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK) {
        RC_ASSERT(elelem_event_builder_push(&builder, &item.event) == ELELEM_OK);
        if (item.event.kind == ELELEM_EVENT_ERROR) elelem_event_builder_drain(&builder);
        take_built(builder, out);
        RC_ASSERT(elelem_event_coalescer_push_item(&coalescer, &item) == ELELEM_OK);
        while (elelem_event_coalescer_next(&coalescer, &stored) == ELELEM_OK)
            RC_ASSERT(elelem_recorder_push_item(&recorder, &stored) == ELELEM_OK);
    }
    inputs = 0;
    for (size_t at = 0; (at = history.find("\"input\":", at)) != std::string::npos; at++)
        inputs++;
    elelem_recorder_free(&recorder);
    elelem_event_coalescer_free(&coalescer);
    elelem_event_builder_free(&builder);
    elelem_replayer_free(&replayer);
    return out;
}

/* The law. */

static states expected(const wire &of, const talk &all, const stop &at)
{
    std::vector<progress> some = progress_of(all, at.tokens);
    states out;

    for (size_t i = 0; i < some.size() && some[i].begun; i++) {
        const written &item = all.items[i];
        if (!item.is_call || (of.shape == &elelem_shape_gemini && !all.in_pieces && !some[i].over)) continue;
        out[item.name] = of.is_shown(all, at, some, i) ? 'C' : 'x';
    }
    return out;
}

static std::ostream &operator<<(std::ostream &out, const states &some)
{
    for (const auto &one : some)
        out << one.first << ' ' << one.second << ' ';
    return out;
}

static void check_stop(const wire &of, const talk &all, const stop &at, json_dice cuts)
{
    std::string bytes = of.body(all, at);
    states said = expected(of, all, at);
    states heard = states_of_turn(of, bytes, json_any_cuts(cuts, bytes.size()));
    size_t inputs, complete = 0;
    states replayed = states_of_lines(lines_of(of, bytes), inputs);

    for (const auto &one : said)
        complete += one.second == 'C';
    if (heard != said || replayed != said || inputs != complete)
        RC_LOG() << json_shown(bytes) << "\nshould be " << said << "\nis        " << heard << "\nreplayed  " << replayed << "\ninputs " << inputs
                 << std::endl;
    RC_ASSERT(heard == said);
    RC_ASSERT(replayed == said);
    RC_ASSERT(inputs == complete);
}

static bool no_call_is_complete_before_it_is_finished(const wire &of, const char *name)
{
    return rc::check(name, [&of] {
        talk all = any_talk(*json_any_dice(4), of.shape == &elelem_shape_gemini);
        json_dice cuts = *json_any_dice();

        for (size_t tokens = 0; tokens <= all.tokens; tokens++) {
            check_stop(of, all, { tokens, false, true, 0 }, cuts);
            check_stop(of, all, { tokens, false, false, tokens + cuts.below(4) }, cuts);
        }
        check_stop(of, all, { all.tokens, true, false, cuts.below(2) }, cuts);
    });
}

static const wire chat = { &elelem_shape_chat, chat_body, chat_shows };
static const wire messages = { &elelem_shape_messages, messages_body, messages_shows };
static const wire responses = { &elelem_shape_responses, responses_body, responses_shows };
static const wire interactions = { &elelem_shape_interactions, interactions_body, messages_shows };
static const wire gemini = { &elelem_shape_gemini, gemini_body, gemini_shows };

#define LAW(wire)                                                                                               \
    TEST(no_call_of_##wire##_is_complete_before_the_model_finished_it)                                          \
    {                                                                                                           \
        CHECK(no_call_is_complete_before_it_is_finished(                                                        \
            wire, #wire ": stopped after any token, no call is complete before the model finished it"));        \
    }

LAW(chat)
LAW(messages)
LAW(responses)
LAW(gemini)
LAW(interactions)

CHECK_MAIN("prop_truncation",
    RUN(no_call_of_chat_is_complete_before_the_model_finished_it)
    RUN(no_call_of_messages_is_complete_before_the_model_finished_it)
    RUN(no_call_of_responses_is_complete_before_the_model_finished_it)
    RUN(no_call_of_gemini_is_complete_before_the_model_finished_it)
    RUN(no_call_of_interactions_is_complete_before_the_model_finished_it))
