/* The law of requests: a random conversation, of which each response may be of another provider, is written as a request
   to any provider, and read back it is the same: what the user said, the model's texts, calls with the results that
   belong to them, what the provider itself made and signed, and nothing of what other shapes signed. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "conversation.h"

typedef std::vector<std::string> texts;

/* What a request says, of which order and pairing are the same for all shapes. */

struct request_call {
    std::string name, signature;
    json_value arguments;
    std::string result; /* T: text, J: JSON, F: that of a call that failed */

    bool operator==(const request_call &other) const
    {
        return name == other.name && signature == other.signature && arguments == other.arguments && result == other.result;
    }
};

/* What the user said, or what the model said up to the results of its calls. */
struct request_step {
    bool is_user = false;
    texts said;
    texts reasoning;
    texts proofs; /* with the text they belong to */
    std::vector<request_call> calls;
    std::vector<json_value> items; /* of the provider's own */

    bool is_empty() const { return said.empty() && reasoning.empty() && proofs.empty() && calls.empty() && items.empty(); }
};

typedef std::vector<request_step> request_steps;

static std::string joined(const texts &all)
{
    std::string out;

    for (const std::string &one : all)
        out += (&one == &all[0] ? "" : "\n\n") + one;
    return out;
}

template <class any> static void append(std::vector<any> &to, const std::vector<any> &more)
{
    to.insert(to.end(), more.begin(), more.end());
}

/* Adds a step. One of the model's ends with results; else what follows is of it. */
static void add_step(request_steps &to, const request_step &step)
{
    if (step.is_empty()) return;
    if (to.empty() || to.back().is_user != step.is_user || !to.back().calls.empty()) {
        to.push_back(step);
        return;
    }
    append(to.back().said, step.said);
    append(to.back().reasoning, step.reasoning);
    append(to.back().proofs, step.proofs);
    append(to.back().calls, step.calls);
    append(to.back().items, step.items);
}

static std::ostream &operator<<(std::ostream &out, const request_step &step)
{
    out << (step.is_user ? "user" : "model") << " said \"" << json_shown(joined(step.said)) << "\" reasoning \""
        << json_shown(joined(step.reasoning)) << "\" proofs \"" << json_shown(joined(step.proofs)) << '"';
    for (const request_call &call : step.calls)
        out << "\n    call " << call.name << ' ' << call.arguments << ' ' << call.signature << " -> " << json_shown(call.result);
    for (const json_value &item : step.items)
        out << "\n    item " << item;
    return out;
}

/* Whom it goes to. */

struct target {
    const char *provider, *model;
    bool keeps_reasoning; /* chat: as text */
    bool keeps_details;
    size_t id_size; /* of ids of calls; 0: up to 64 */
};

static const target targets[] = {
    { "openrouter", "anthropic/claude-sonnet-4", true, true, 0 }, { "openai-chat", "gpt-4.1", false, false, 0 },
    { "mistral", "mistral-medium", true, false, 9 },              { "deepseek", "deepseek-chat", true, false, 0 },
    { "groq", "llama", false, false, 0 },                         { "openai", "gpt-5", false, false, 0 },
    { "anthropic", "claude-sonnet-4", false, false, 0 },          { "google", "gemini-3-pro", false, false, 0 },
    { "google-interactions", "gemini-3-pro", false, false, 0 },
};

/* The history. */

/* An item of choice 0 that a turn gave. */
struct history_item {
    const elelem_shape *shape = nullptr; /* that of its response */
    int kind = 0, state = 0;
    std::string text, id, name, type;
    json_value value;
    std::map<std::string, json_value> metadata;

    bool is(int which) const { return kind == which; }
    bool is_call() const { return kind == ELELEM_PART_TOOL_CALL && state == ELELEM_ITEM_COMPLETE && !name.empty(); }
    bool is_said() const { return kind == ELELEM_PART_MESSAGE || kind == ELELEM_PART_STRUCTURED; }
    bool is_custom() const { return is_call() && value.type == ELELEM_TYPE_STRING; }

    std::string proof(const char *key) const
    {
        auto at = metadata.find(key);
        return at == metadata.end() ? "" : at->second.text;
    }
};

struct history_turn {
    texts users;
    std::vector<history_item> items;
    texts results; /* of each call, as in request_call */
};

static elelem_status append_bytes(void *context, const void *bytes, size_t size)
{
    static_cast<std::string *>(context)->append(static_cast<const char *>(bytes), size);
    return ELELEM_OK;
}

static elelem_sink sink_of(std::string &bytes)
{
    elelem_sink sink;

    sink.write = append_bytes;
    sink.context = &bytes;
    return sink;
}

static std::string written(elelem_value value)
{
    std::string bytes;
    elelem_writer writer;

    elelem_writer_init(&writer, sink_of(bytes), 0);
    RC_ASSERT(elelem_writer_value(&writer, value) == ELELEM_OK);
    return bytes;
}

static history_item item_of(const elelem_item &from, const elelem_shape *shape)
{
    history_item item;

    item.shape = shape;
    item.kind = from.kind;
    item.state = from.state;
    item.text = json_bytes_of(from.text);
    item.id = json_bytes_of(from.tool_call.id);
    item.name = json_bytes_of(from.tool_call.name);
    item.type = json_bytes_of(from.type);
    if (item.is(ELELEM_PART_TOOL_CALL)) item.value = json_value_of(from.tool_call.arguments);
    if (item.is(ELELEM_PART_STRUCTURED) && elelem_value_type(from.value) != ELELEM_TYPE_NONE) item.text = written(from.value);
    for (size_t i = 0; i < from.metadata.count; i++)
        item.metadata[json_bytes_of(from.metadata.entries[i].key)] =
            json_value_of_text(json_bytes_of(from.metadata.entries[i].json));
    return item;
}

/* A conversation that is stored as lines, and what they are known to mean. */
class history_writer {
public:
    json_dice dice;
    std::vector<history_turn> turns;

    explicit history_writer(const json_dice &drawn) : dice(drawn)
    {
        elelem_allocator allocator = ELELEM_INIT;

        elelem_conversation_init(&lines, allocator, 0);
    }
    ~history_writer() { elelem_conversation_free(&lines); }
    history_writer(const history_writer &) = delete;

    elelem_str text() const { return elelem_conversation_text(&lines); }

    void say()
    {
        std::string text = dice.once_in(8) ? " \n" : talk_any_text(dice);

        RC_ASSERT(elelem_conversation_user(&lines, slice(text)) == ELELEM_OK);
        if (turns.empty() || !turns.back().items.empty()) turns.emplace_back();
        turns.back().users.push_back(text);
    }

    void hear(const talk_wire &wire)
    {
        elelem_turn_desc desc = ELELEM_INIT;
        elelem_turn_update update;
        elelem_turn turn;

        if (turns.empty() || !turns.back().results.empty()) turns.emplace_back(); /* else the last one continues */
        desc.shape = wire.shape;
        desc.structured = wire.structured;
        elelem_turn_init(&turn, &desc);
        RC_ASSERT(elelem_turn_push(&turn, wire.bytes.data(), wire.bytes.size()) == ELELEM_OK);
        for (int pushed = 0; pushed < 2; pushed++) {
            while (elelem_turn_next(&turn, &update) == ELELEM_OK) {
                RC_ASSERT(elelem_conversation_add(&lines, &update) == ELELEM_OK);
                if (update.item && update.item->choice == 0) turns.back().items.push_back(item_of(*update.item, wire.shape));
            }
            if (pushed == 0) elelem_turn_finish(&turn);
        }
        elelem_turn_free(&turn);
    }

    /* The results of all calls, in any order; some calls may have none. One without an id is of a call of its name, so that
       then all come in order. */
    void run_tools()
    {
        std::vector<const history_item *> calls;
        std::vector<size_t> left;
        bool has_ids = true;

        for (const history_item &item : turns.back().items) {
            if (!item.is(ELELEM_PART_TOOL_CALL)) continue;
            has_ids &= !item.id.empty();
            left.push_back(calls.size());
            calls.push_back(&item);
        }
        turns.back().results.assign(calls.size(), "Fnot run");
        while (!left.empty()) {
            size_t at = has_ids ? dice.below(left.size()) : 0, which = left[at];
            left.erase(left.begin() + (std::ptrdiff_t)at);
            if (has_ids && !left.empty() && dice.once_in(6)) continue;
            turns.back().results[which] = run(*calls[which]);
        }
    }

private:
    elelem_conversation lines;
    int count = 0;

    static elelem_str slice(const std::string &text)
    {
        elelem_str out;

        out.data = text.data();
        out.size = text.size();
        return out;
    }

    std::string run(const history_item &call)
    {
        std::string number = std::to_string(count++), text = "r" + number;
        elelem_talk_result result = ELELEM_INIT;
        size_t how = dice.below(3);

        if (how == 1) text = "{\"n\":" + number + "}";
        result.id = slice(call.id);
        result.name = slice(call.name);
        (how == 1 ? result.json : result.text) = slice(text);
        result.failed = how == 2;
        RC_ASSERT(elelem_conversation_add_result(&lines, &result) == ELELEM_OK);
        return "TJF"[how] + text;
    }
};

/* What has to go out, by the written rules. */

static const json_value &member(const json_value &of, const std::string &key)
{
    static const json_value none;

    for (const json_value &child : of.children)
        if (child.name.key == key) return child;
    return none;
}

static bool has(const json_value &of, const std::string &key)
{
    return !member(of, key).name.key.empty();
}

static size_t space_at(const std::string &text, size_t at)
{
    static const char *const spaces[] = { " ", "\t", "\n", "\v", "\f", "\r", "\x1c", "\x1d", "\x1e", "\x1f", "\xc2\x85", "\xc2\xa0",
                                          "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf" };

    for (const char *space : spaces)
        if (text.compare(at, strlen(space), space) == 0) return strlen(space);
    return text.compare(at, 2, "\xe2\x80") == 0 && at + 2 < text.size() && (unsigned char)text[at + 2] <= 0x8a ? 3 : 0;
}

/* The text without the whitespace at its end. */
static std::string trimmed(const std::string &text)
{
    size_t end = 0;

    for (size_t at = 0; at < text.size();) {
        size_t size = space_at(text, at);
        at += size > 0 ? size : talk_character(text, at);
        if (size == 0) end = at;
    }
    return text.substr(0, end);
}

static bool shows(const history_item &item)
{
    return item.is_said() && !trimmed(item.text).empty();
}

class expectation {
public:
    request_steps steps;

    expectation(const target &to, const std::vector<history_turn> &turns)
        : with(to), shape(elelem_provider_find(to.provider)->shape), all(turns)
    {
        for (current = 0; current < all.size(); current++)
            add_turn(all[current]);
        if (!steps.empty() && !steps[0].is_user && (is_messages() || is_gemini())) {
            request_step start;
            start.is_user = true;
            start.said.push_back("(start)");
            steps.insert(steps.begin(), start);
        }
        if (is_messages() && ends_with_text) steps.back().said.back() = trimmed(steps.back().said.back());
    }

private:
    const target &with;
    const elelem_shape *shape;
    const std::vector<history_turn> &all;
    size_t current = 0;
    std::map<std::string, bool> uses; /* of the turn, by their ids: whether a result comes after */
    bool had_calls = false;
    bool all_go = false;
    bool ends_with_text = false; /* the last that goes out is a text of the model, and no JSON */

    bool is_chat() const { return shape == &elelem_shape_chat; }
    bool is_messages() const { return shape == &elelem_shape_messages; }
    bool is_gemini() const { return shape == &elelem_shape_gemini; }
    bool is_interactions() const { return shape == &elelem_shape_interactions; }
    bool keeps_order() const { return is_gemini() || is_interactions(); }

    void add_turn(const history_turn &turn)
    {
        request_step user;

        user.is_user = true;
        for (const std::string &text : turn.users)
            if (!trimmed(text).empty()) user.said.push_back(text);
        if (!user.said.empty()) ends_with_text = false;
        add_step(steps, user);
        pair(turn);
        add_step(steps, step_of(turn));
    }

    /* No text of the user follows that shows. */
    bool is_at_work() const
    {
        for (size_t i = current + 1; i < all.size(); i++)
            for (const std::string &text : all[i].users)
                if (!trimmed(text).empty()) return false;
        return true;
    }

    bool takes_custom() const
    {
        return is_chat() ? elelem_provider_dialect(elelem_provider_find(with.provider))->takes_custom : !is_messages() && !keeps_order();
    }

    /* Nothing that shows follows the turn. */
    bool is_last() const
    {
        for (size_t i = current + 1; i < all.size(); i++)
            for (const history_item &item : all[i].items)
                if (shows(item) || item.is_call() || is_of_shape(item)) return false;
        return is_at_work();
    }

    static bool shows_any(const std::vector<std::string> &users)
    {
        return std::any_of(users.begin(), users.end(), [](const std::string &text) { return !trimmed(text).empty(); });
    }

    /* The model's message began before the turn, or has more after it. */
    bool is_shared() const
    {
        if (!steps.empty() && !steps.back().is_user) return true;
        return !is_last() && current + 1 < all.size() && !shows_any(all[current + 1].users);
    }

    static std::string id_of_use(const history_item &item)
    {
        json_value value = json_value_of_text(item.text);

        return member(value, item.type == "server_tool_use" ? "id" : "tool_use_id").text;
    }

    bool is_pair_part(const history_item &item) const
    {
        return is_messages() && is_of_shape(item) && (item.type == "server_tool_use" || item.type == "web_search_tool_result");
    }

    /* In Messages a call that the provider ran goes back with its result only, unless calls of the application's may be between, or
       the message is not that of the turn alone. */
    void pair(const history_turn &turn)
    {
        bool has_calls = false;

        uses.clear();
        if (turn.items.empty()) return;
        for (const history_item &item : turn.items) {
            has_calls |= item.is_call();
            if (!is_pair_part(item)) continue;
            if (item.type == "server_tool_use") uses.emplace(id_of_use(item), false);
            else if (uses.count(id_of_use(item)) > 0) uses[id_of_use(item)] = true;
        }
        all_go = has_calls || had_calls || is_shared();
        had_calls = has_calls;
    }

    bool goes_back(const history_item &item) const
    {
        if (!is_of_shape(item)) return false;
        if (all_go || !is_pair_part(item)) return true;
        auto use = uses.find(id_of_use(item));
        return (use != uses.end() && use->second) || (item.type == "server_tool_use" && is_last());
    }

    /* An item of the provider's own goes back to its shape. One whose type is not known says by its id that it is of Responses, by its
       metadata that it is of Interactions, and else, if it has a type, that it is of Messages. */
    bool is_of_shape(const history_item &item) const
    {
        if (!item.is(ELELEM_PART_PROVIDER_ITEM) || item.state != ELELEM_ITEM_COMPLETE) return false;
        if (item.type == "image_url") return std::string(with.provider) == "openrouter";
        if (item.type == "audio") return std::string(with.provider) == "openai-chat" && item.shape == &elelem_shape_chat;
        if (item.type == "x_items") return false;
        if (item.type == "x_new" && item.shape == &elelem_shape_responses && !has(json_value_of_text(item.text), "id")) return is_messages();
        return item.shape == shape;
    }

    bool is_written(const history_item &item) const { return shows(item) || item.is_call() || goes_back(item); }

    /* The order in which items go out: texts before the first call, but to Google. */
    std::vector<const history_item *> ordered(const history_turn &turn) const
    {
        std::vector<const history_item *> before, after;
        bool had_call = false;

        for (const history_item &item : turn.items) {
            had_call |= item.is(ELELEM_PART_TOOL_CALL);
            (had_call && !item.is_said() && !keeps_order() ? after : before).push_back(&item);
        }
        append(before, after);
        return before;
    }

    request_step step_of(const history_turn &turn)
    {
        std::vector<const history_item *> items = ordered(turn);
        request_step step;
        size_t call = 0;

        while (!keeps_order() && !is_chat() && !items.empty() && !is_written(*items.back()))
            items.pop_back();
        for (const history_item *item : items) {
            if (is_written(*item)) ends_with_text = item->is(ELELEM_PART_MESSAGE);
            if (item->is(ELELEM_PART_TOOL_CALL)) add_call(step, *item, turn.results, call++);
            else if (item->is(ELELEM_PART_PROVIDER_ITEM)) add_item(step, *item);
            else if (item->is(ELELEM_PART_REASONING)) add_reasoning(step, *item);
            else add_said(step, *item);
        }
        if (is_chat()) join(step);
        return step;
    }

    void add_said(request_step &step, const history_item &item) const
    {
        std::string signature = is_gemini() ? item.proof("thought_signature") : "";

        if (!signature.empty()) step.proofs.push_back(item.text + " <- " + signature);
        if (shows(item) || !signature.empty()) step.said.push_back(item.text);
    }

    void add_item(request_step &step, const history_item &item) const
    {
        if (!goes_back(item)) return;
        json_value value = json_value_of_text(item.text);
        if (item.type == "audio" && !step.items.empty()) return;
        step.items.push_back(item.type == "audio" ? talk_object_of("id", member(value, "id")) : value);
    }

    void add_reasoning(request_step &step, const history_item &item) const
    {
        std::string text = item.text, proof;

        if (is_chat()) {
            if (!trimmed(text).empty() && with.keeps_reasoning) step.reasoning.push_back(text);
            add_details(step, item);
            return;
        }
        if (is_messages()) proof = item.metadata.count("redacted_data") ? item.proof("redacted_data") : item.proof("signature");
        else if (is_gemini()) proof = item.proof("thought_signature");
        else if (is_interactions()) proof = item.proof("step_signature");
        else proof = item.proof("encrypted_content");
        if (is_messages() ? item.metadata.count("redacted_data") > 0 : item.metadata.count("raw") > 0) text = "";
        if (!is_messages() && !is_gemini() && trimmed(text).empty()) text = "";
        if (!proof.empty()) step.proofs.push_back(text + " <- " + proof);
    }

    void add_details(request_step &step, const history_item &item) const
    {
        auto details = item.metadata.find("reasoning_details");

        if (!with.keeps_details || details == item.metadata.end()) return;
        for (const json_value &entry : details->second.children)
            for (const json_value &member : entry.children)
                if (member.name.key == "signature" || member.name.key == "data") step.proofs.push_back(member.text);
    }

    void add_call(request_step &step, const history_item &item, const texts &results, size_t number) const
    {
        request_call call;
        bool is_first = step.calls.empty();

        if (!item.is_call()) return;
        call.name = item.name;
        call.arguments = item.value;
        call.result = results.empty() ? "Fnot run" : results.at(number);
        if (item.is_custom() && !takes_custom()) call.arguments = talk_object_of("input", item.value);
        if (is_gemini()) call.signature = item.proof("thought_signature");
        if (is_gemini() && is_first && call.signature.empty() && is_at_work()) call.signature = "skip_thought_signature_validator";
        if (is_interactions()) sign(step, item, call);
        step.calls.push_back(call);
    }

    /* A thought that is signed comes before the first call that is not signed itself. */
    void sign(request_step &step, const history_item &item, request_call &call) const
    {
        call.signature = item.proof("step_signature");
        if (step.proofs.empty() && step.calls.empty() && call.signature.empty() && is_at_work())
            step.proofs.push_back(" <- skip_thought_signature_validator");
    }

    /* A step is one message in chat. Reasoning alone is none. */
    void join(request_step &step) const
    {
        if (step.said.empty() && step.calls.empty() && step.items.empty()) step = request_step();
        if (step.said.size() > 1) step.said = { joined(step.said) };
        if (step.reasoning.size() > 1) step.reasoning = { joined(step.reasoning) };
    }
};

/* Reading a request back. */

/* The value as it would be alone. */
static json_value bare(json_value value)
{
    value.name = json_name();
    return value;
}

class request_reader {
public:
    request_steps steps;

    request_reader(const target &from, const json_value &body) : with(from)
    {
        const elelem_shape *shape = elelem_provider_find(from.provider)->shape;


        if (shape == &elelem_shape_chat) read_chat(member(body, "messages"));
        else if (shape == &elelem_shape_responses) read_responses(member(body, "input"));
        else if (shape == &elelem_shape_messages) read_messages(member(body, "messages"));
        else if (shape == &elelem_shape_gemini) read_gemini(member(body, "contents"));
        else read_interactions(member(body, "input"));
        close();
        for (const request_step &made : steps)
            for (const request_call &one : made.calls)
                RC_ASSERT(!one.result.empty());
    }

private:
    const target &with;
    request_step step;
    texts ids; /* of the step's calls */

    bool is_id(const std::string &id) const
    {
        if (id.empty() || id.size() > 64 || (with.id_size > 0 && id.size() != with.id_size)) return false;
        return std::all_of(id.begin(), id.end(), [this](char c) { return isalnum((unsigned char)c) || (with.id_size == 0 && (c == '_' || c == '-')); });
    }

    void close()
    {
        add_step(steps, step);
        step = request_step();
        ids.clear();
    }

    /* Opens a step of this side. What the model says after results is the next one. */
    void open(bool is_user)
    {
        bool has_results = !step.calls.empty() && !step.calls[0].result.empty();

        if (step.is_user != is_user || (!is_user && has_results)) close();
        step.is_user = is_user;
    }

    void say(bool is_user, const std::string &text)
    {
        open(is_user);
        step.said.push_back(text);
    }

    void call(const json_value &id, const json_value &name, const json_value &arguments)
    {
        open(false);
        RC_ASSERT(std::find(ids.begin(), ids.end(), id.text) == ids.end());
        RC_ASSERT((id.type != ELELEM_TYPE_STRING || is_id(id.text)));
        if (id.type == ELELEM_TYPE_STRING) ids.push_back(id.text);
        step.calls.push_back({ name.text, "", bare(arguments), "" });
    }

    /* Results come in the order of their calls, before anything else. */
    void result(const json_value &id, const std::string &text)
    {
        size_t at = 0;

        while (at < step.calls.size() && !step.calls[at].result.empty())
            at++;
        RC_ASSERT(at < step.calls.size());
        if (!ids.empty()) RC_ASSERT(ids.at(at) == id.text);
        step.calls[at].result = text;
    }

    static std::string result_of(const std::string &text)
    {
        if (text.empty() || text[0] != '{') return "T" + text;
        json_value value = json_value_of_text(text);
        return has(value, "error") ? "F" + member(value, "error").text : "J" + text;
    }

    void prove(const std::string &text, const json_value &proof)
    {
        open(false);
        step.proofs.push_back(text + " <- " + proof.text);
    }

    void item(const json_value &value)
    {
        open(false);
        step.items.push_back(bare(value));
    }

    static std::string text_of(const json_value &content)
    {
        std::string text = content.type == ELELEM_TYPE_STRING ? content.text : "";

        for (const json_value &part : content.children)
            if (member(part, "type").text == "text") text += member(part, "text").text;
        return text;
    }

    void read_chat_reasoning(const json_value &message)
    {
        std::string text = member(message, "reasoning_content").text + member(message, "reasoning").text;

        for (const json_value &part : member(message, "content").children)
            for (const json_value &one : member(part, "thinking").children)
                text += member(one, "text").text;
        if (!text.empty()) step.reasoning.push_back(text);
        for (const json_value &entry : member(message, "reasoning_details").children)
            for (const json_value &one : entry.children)
                if (one.name.key == "signature" || one.name.key == "data") step.proofs.push_back(one.text);
    }

    void read_chat_message(const json_value &message)
    {
        std::string text = text_of(member(message, "content"));

        close();
        open(false);
        if (!text.empty()) step.said.push_back(text);
        read_chat_reasoning(message);
        for (const json_value &one : member(message, "images").children)
            item(one);
        if (has(message, "audio")) item(member(message, "audio"));
        for (const json_value &one : member(message, "tool_calls").children) {
            const json_value &function = member(one, "function"), &free_text = member(one, "custom");
            if (has(one, "custom")) call(member(one, "id"), member(free_text, "name"), member(free_text, "input"));
            else call(member(one, "id"), member(function, "name"), json_value_of_text(member(function, "arguments").text));
        }
    }

    void read_chat(const json_value &messages)
    {
        for (const json_value &message : messages.children) {
            const std::string &role = member(message, "role").text;
            if (role == "user") say(true, text_of(member(message, "content")));
            else if (role == "tool") result(member(message, "tool_call_id"), result_of(member(message, "content").text));
            else read_chat_message(message);
        }
    }

    void read_responses(const json_value &input)
    {
        for (const json_value &one : input.children) {
            const std::string &type = member(one, "type").text;
            if (type.empty())
                for (const json_value &part : member(one, "content").children)
                    say(true, member(part, "text").text);
            else if (type == "message") say(false, member(one, "content").text);
            else if (type == "function_call") call(member(one, "call_id"), member(one, "name"), json_value_of_text(member(one, "arguments").text));
            else if (type == "custom_tool_call") call(member(one, "call_id"), member(one, "name"), member(one, "input"));
            else if (type == "function_call_output" || type == "custom_tool_call_output")
                result(member(one, "call_id"), result_of(member(one, "output").text));
            else if (type == "reasoning") {
                std::string text;
                for (const json_value &part : member(one, "summary").children)
                    text += member(part, "text").text;
                prove(text, member(one, "encrypted_content"));
            } else item(one);
        }
    }

    void read_block(bool is_user, const json_value &block)
    {
        const std::string &type = member(block, "type").text;

        if (type == "text") say(is_user, member(block, "text").text);
        else if (type == "thinking") prove(member(block, "thinking").text, member(block, "signature"));
        else if (type == "redacted_thinking") prove("", member(block, "data"));
        else if (type == "tool_use") call(member(block, "id"), member(block, "name"), member(block, "input"));
        else if (type == "tool_result" && has(block, "is_error")) result(member(block, "tool_use_id"), "F" + member(block, "content").text);
        else if (type == "tool_result") result(member(block, "tool_use_id"), result_of(member(block, "content").text));
        else item(block);
    }

    void read_messages(const json_value &messages)
    {
        for (const json_value &message : messages.children)
            for (const json_value &block : member(message, "content").children)
                read_block(member(message, "role").text == "user", block);
    }

    void read_gemini_call(const json_value &part)
    {
        const json_value &function = member(part, "functionCall");

        call(json_value(), member(function, "name"), member(function, "args"));
        step.calls.back().signature = member(part, "thoughtSignature").text;
    }

    void read_gemini_result(const json_value &response)
    {
        const json_value none;

        if (has(response, "error")) result(none, "F" + member(response, "error").text);
        else if (has(response, "output")) result(none, "T" + member(response, "output").text);
        else result(none, "J{\"n\":" + member(response, "n").text + "}");
    }

    void read_gemini_text(bool is_user, const json_value &part)
    {
        std::string text = member(part, "text").text;

        if (!has(part, "thought")) say(is_user, text);
        if (has(part, "thoughtSignature")) prove(text, member(part, "thoughtSignature"));
        else RC_ASSERT(!has(part, "thought"));
    }

    void read_gemini(const json_value &contents)
    {
        for (const json_value &content : contents.children)
            for (const json_value &part : member(content, "parts").children)
                if (has(part, "functionCall")) read_gemini_call(part);
                else if (has(part, "functionResponse")) read_gemini_result(member(member(part, "functionResponse"), "response"));
                else if (has(part, "text")) read_gemini_text(member(content, "role").text == "user", part);
                else item(part);
    }

    void read_interactions_result(const json_value &one)
    {
        const json_value &result_value = member(one, "result");
        bool failed = has(one, "is_error");

        if (result_value.type == ELELEM_TYPE_STRING) result(member(one, "call_id"), (failed ? "F" : "T") + result_value.text);
        else result(member(one, "call_id"), "J{\"n\":" + member(result_value, "n").text + "}");
    }

    void read_interactions_content(const json_value &content, bool is_user)
    {
        for (const json_value &part : content.children)
            if (member(part, "type").text == "text") say(is_user, member(part, "text").text);
            else item(part);
    }

    void read_interactions(const json_value &input)
    {
        for (const json_value &one : input.children) {
            const std::string &type = member(one, "type").text;
            if (type == "user_input" || type == "model_output") {
                read_interactions_content(member(one, "content"), type == "user_input");
            } else if (type == "thought") {
                prove(text_of(member(one, "summary")), member(one, "signature"));
            } else if (type == "function_call") {
                call(member(one, "id"), member(one, "name"), member(one, "arguments"));
                step.calls.back().signature = member(one, "signature").text;
            } else if (type == "function_result") {
                read_interactions_result(one);
            } else {
                item(one);
            }
        }
    }
};

static void compare(const request_steps &expected, const request_steps &found)
{
    size_t i;

    for (i = 0; i < expected.size() && i < found.size(); i++) {
        RC_LOG() << "said  " << expected[i] << "\nfound " << found[i] << std::endl;
        RC_ASSERT(found[i].is_user == expected[i].is_user);
        RC_ASSERT(joined(found[i].said) == joined(expected[i].said));
        RC_ASSERT(joined(found[i].reasoning) == joined(expected[i].reasoning));
        RC_ASSERT(found[i].proofs == expected[i].proofs);
        RC_ASSERT(found[i].calls == expected[i].calls);
        RC_ASSERT(found[i].items == expected[i].items);
    }
    RC_ASSERT(found.size() == expected.size());
}

/* Nothing is written if there is nothing to send. */
static std::string body_of(const target &to, elelem_str history, bool is_anything)
{
    elelem_request request = ELELEM_INIT;
    std::string body;

    request.provider = elelem_provider_find(to.provider);
    request.model = elelem_str_of(to.model);
    request.history = history;
    elelem_error error = elelem_request_write(&request, sink_of(body));
    if (error.status != ELELEM_OK) RC_LOG() << error.message << " at " << error.offset << std::endl;
    RC_ASSERT(error.status == (is_anything ? ELELEM_OK : ELELEM_ERROR_MISUSE));
    RC_ASSERT(body.empty() == !is_anything);
    return body;
}

typedef talk_wire (*talk_writer)(const json_dice &dice);

/* Whose responses are in the history: of one shape, or of all. */
static void converse(history_writer &history, talk_writer own)
{
    static const talk_writer writers[] = { talk_chat, talk_responses, talk_messages, talk_gemini, talk_interactions };

    history.say();
    for (size_t turns = 1 + history.dice.below(3); turns > 0; turns--) {
        if (history.dice.once_in(4)) history.say();
        history.hear((own ? own : writers[history.dice.below(5)])(*json_any_dice(20)));
        history.run_tools();
    }
    if (!history.dice.once_in(3)) history.say();
}

static void compare_request(const target &to, const history_writer &history)
{
    request_steps expected = expectation(to, history.turns).steps;
    std::string body = body_of(to, history.text(), !expected.empty());

    RC_LOG() << "to " << to.provider << ":\n" << json_bytes_of(history.text()) << '\n' << body << std::endl;
    if (!body.empty())
        compare(expected, request_reader(to, json_value_of_text(body)).steps);
}

static bool it_comes_back_the_same(talk_writer own, const char *name)
{
    return rc::check(name, [own] {
        history_writer history(*json_any_dice(20));

        converse(history, own);
        for (const target &to : targets)
            compare_request(to, history);
    });
}

#define LAW(wire, writer)                                                                     \
    TEST(a_conversation_##wire##_comes_back_the_same_from_a_request_to_any_provider)          \
    {                                                                                         \
        CHECK(it_comes_back_the_same(writer, "a conversation " #wire " comes back the same")); \
    }

LAW(of_chat, talk_chat)
LAW(of_responses, talk_responses)
LAW(of_messages, talk_messages)
LAW(of_gemini, talk_gemini)
LAW(of_interactions, talk_interactions)
LAW(of_several_shapes, nullptr)

#define RUN_LAW(wire) RUN(a_conversation_##wire##_comes_back_the_same_from_a_request_to_any_provider)

CHECK_MAIN("prop_request",
    RUN_LAW(of_chat)
    RUN_LAW(of_responses)
    RUN_LAW(of_messages)
    RUN_LAW(of_gemini)
    RUN_LAW(of_interactions)
    RUN_LAW(of_several_shapes))
