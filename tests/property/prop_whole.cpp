/* The law of whole responses: the same random conversation gives the same items and the same end whether it is streamed or
   comes as one JSON document, in each wire and however the document is cut. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "heard.h"

/* The documents. */

static std::string usage_of(talk_pen &pen, const talk_end &end, const char *const (&keys)[4], const char *const (&inside)[4])
{
    talk_pen::members all = { { "x_tier", "\"standard\"" } };

    for (size_t i = 0; i < 4; i++)
        if (end.usage[i] >= 0)
            all.emplace_back(keys[i], inside[i] ? pen.object({ { inside[i], pen.number(end.usage[i]) } }) : pen.number(end.usage[i]));
    return pen.object(all);
}

static talk_items items_of(const talk_wire &wire, uint32_t choice)
{
    talk_items all;

    for (const talk_item &item : wire.items)
        if (item.choice == choice) all.push_back(item);
    return all;
}

static bool has_choice(const talk_wire &wire, uint32_t choice)
{
    return choice == 0 || !items_of(wire, choice).empty();
}

/* Chat: what a message holds. */
struct chat_message {
    talk_pen &pen;
    bool in_parts; /* reasoning is a part of the content */
    talk_pen::members members;
    std::vector<std::string> calls, images, content;

    chat_message(talk_pen &with, const talk_items &items) : pen(with), in_parts(with.dice.once_in(4))
    {
        for (const talk_item &item : items)
            add(item);
        if (!content.empty()) members.emplace_back("content", pen.array(content));
        else if (!has("content") && pen.dice.once_in(2)) members.emplace_back("content", "null");
        if (!calls.empty()) members.emplace_back("tool_calls", pen.array(calls));
        if (!images.empty()) members.emplace_back("images", pen.array(images));
        members.emplace_back("role", "\"assistant\"");
    }

    bool has(const char *key) const
    {
        return std::any_of(members.begin(), members.end(), [key](const talk_pen::member &one) { return one.first == key; });
    }

    void add(const talk_item &item)
    {
        if (item.is_provider()) add_provider(item);
        else if (item.is_call()) add_call(item);
        else if (item.is_thought()) add_reasoning(item);
        else if (item.refusal) members.emplace_back("refusal", pen.string(item.text));
        else if (in_parts) content.push_back(pen.object({ { "type", "\"text\"" }, { "text", pen.string(item.text) } }, false));
        else members.emplace_back("content", pen.string(item.text));
    }

    void add_provider(const talk_item &item)
    {
        if (item.name == "image_url") images.push_back(item.text);
        else members.emplace_back(item.name, item.text);
    }

    void add_call(const talk_item &item)
    {
        std::string arguments = item.bare ? "\"\"" : pen.string(pen.value(item.value));
        talk_pen::members call = { { "type", "\"function\"" },
                                   { "function", pen.object({ { "name", pen.string(item.name) }, { "arguments", arguments } }, false) } };
        auto extra = item.metadata.find("extra_content");

        if (!item.id.empty()) call.emplace_back("id", pen.string(item.id));
        if (extra != item.metadata.end()) call.emplace_back("extra_content", pen.value(extra->second));
        calls.push_back(pen.object(call, false));
    }

    void add_reasoning(const talk_item &item)
    {
        std::string text = pen.string(item.text);
        talk_pen::members detail = { { "type", item.sealed ? "\"reasoning.encrypted\"" : "\"reasoning.text\"" },
                                     { item.sealed ? "data" : "signature", pen.string(item.signature) } };

        if (in_parts)
            content.push_back(pen.object({ { "type", "\"thinking\"" },
                                           { "thinking", pen.array({ pen.object({ { "type", "\"text\"" }, { "text", text } }, false) }) } }, false));
        else members.emplace_back(pen.dice.once_in(2) ? "reasoning" : "reasoning_content", text);
        if (item.signature.empty()) return;
        if (!item.sealed && !in_parts) detail.emplace_back("text", text);
        members.emplace_back("reasoning_details", pen.array({ pen.object(detail) }));
    }
};

static std::string whole_chat(talk_pen &pen, const talk_wire &wire)
{
    static const char *const keys[] = { "prompt_tokens", "completion_tokens", "prompt_tokens_details", "completion_tokens_details" };
    static const char *const inside[] = { nullptr, nullptr, "cached_tokens", "reasoning_tokens" };
    std::vector<std::string> choices;

    for (uint32_t number = 0; number < 2; number++)
        if (has_choice(wire, number))
            choices.push_back(pen.object({ { "index", pen.number(number) },
                                           { "message", pen.object(chat_message(pen, items_of(wire, number)).members, false) },
                                           { "finish_reason", wire.end.raw.empty() ? "null" : pen.string(wire.end.raw) } }));
    return pen.object({ { "id", "\"chatcmpl-1\"" }, { "object", "\"chat.completion\"" }, { "choices", pen.array(choices) },
                        { "usage", usage_of(pen, wire.end, keys, inside) } });
}

static std::string whole_responses(talk_pen &, const talk_wire &wire)
{
    return wire.whole;
}

static std::string whole_interaction(talk_pen &, const talk_wire &wire)
{
    return wire.whole;
}

static std::string messages_block(talk_pen &pen, const talk_item &item)
{
    if (item.is_provider()) return item.text;
    if (item.is_call())
        return pen.object({ { "type", "\"tool_use\"" }, { "id", pen.string(item.id) }, { "name", pen.string(item.name) }, { "input", pen.value(item.value) } });
    if (!item.is_thought()) return pen.object({ { "type", "\"text\"" }, { "text", pen.string(item.text) } });
    if (item.sealed) return pen.object({ { "type", "\"redacted_thinking\"" }, { "data", pen.string(item.signature) } });
    talk_pen::members block = { { "type", "\"thinking\"" }, { "thinking", pen.string(item.text) } };
    if (!item.signature.empty()) block.emplace_back("signature", pen.string(item.signature));
    return pen.object(block);
}

static std::string whole_messages(talk_pen &pen, const talk_wire &wire)
{
    static const char *const keys[] = { "input_tokens", "output_tokens", "cache_read_input_tokens", "output_tokens_details" };
    static const char *const inside[] = { nullptr, nullptr, nullptr, "thinking_tokens" };
    std::vector<std::string> blocks;

    for (const talk_item &item : wire.items)
        blocks.push_back(messages_block(pen, item));
    return pen.object({ { "id", "\"msg_1\"" }, { "type", "\"message\"" }, { "role", "\"assistant\"" }, { "content", pen.array(blocks) },
                        { "stop_reason", pen.string(wire.end.raw) }, { "stop_sequence", wire.end.raw == "stop_sequence" ? "\"END\"" : "null" },
                        { "usage", usage_of(pen, wire.end, keys, inside) } });
}

static std::string gemini_part(talk_pen &pen, const talk_item &item)
{
    talk_pen::members part, call = { { "name", pen.string(item.name) } };

    if (item.is_provider()) return item.text;
    if (!item.id.empty()) call.emplace_back("id", pen.string(item.id));
    if (!item.bare) call.emplace_back("args", pen.value(item.value));
    if (item.is_call()) part.emplace_back("functionCall", pen.object(call));
    else part.emplace_back("text", pen.string(item.text));
    if (item.is_thought()) part.emplace_back("thought", "true");
    if (!item.signature.empty()) part.emplace_back("thoughtSignature", pen.string(item.signature));
    return pen.object(part, false);
}

static std::string whole_gemini(talk_pen &pen, const talk_wire &wire)
{
    static const char *const keys[] = { "promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount", "thoughtsTokenCount" };
    static const char *const inside[] = { nullptr, nullptr, nullptr, nullptr };
    std::vector<std::string> candidates;

    for (uint32_t number = 0; number < 2; number++) {
        std::vector<std::string> parts;
        if (!has_choice(wire, number)) continue;
        for (const talk_item &item : items_of(wire, number))
            parts.push_back(gemini_part(pen, item));
        candidates.push_back(pen.object({ { "index", pen.number(number) },
                                          { "content", pen.object({ { "role", "\"model\"" }, { "parts", pen.array(parts) } }) },
                                          { "finishReason", pen.string(wire.end.raw) } }));
    }
    std::string body = pen.object({ { "candidates", pen.array(candidates) }, { "usageMetadata", usage_of(pen, wire.end, keys, inside) } });
    return pen.dice.once_in(4) ? "[" + body + "]" : body;
}

/* What both give. */

static std::vector<heard_item> over(const heard &out, uint32_t choice)
{
    std::vector<heard_item> all;

    for (const auto &entry : out.items)
        if (entry.second.over && entry.second.said.choice == choice) all.push_back(entry.second);
    return all;
}

/* A call of whose arguments, which are {}, no byte is written, or text that is a number: if the model did not end its response itself, what follows
   shows whether it is whole, and a stream shows another order than a list. */
static bool is_undecided(const heard_item &a, const heard_item &b)
{
    const heard_item &whole = a.state == ELELEM_ITEM_COMPLETE ? a : b, &cut = a.state == ELELEM_ITEM_COMPLETE ? b : a;

    bool is_number = whole.said.kind == ELELEM_PART_STRUCTURED && whole.said.value.type == ELELEM_TYPE_NUMBER && cut.said.text == whole.said.text;

    if (whole.state != ELELEM_ITEM_COMPLETE || cut.state != ELELEM_ITEM_CUT_OFF || cut.said.value.type != ELELEM_TYPE_NONE) return false;
    return is_number || (whole.said.is_call() && whole.said.value.children.empty());
}

static bool is_same(const heard_item &streamed, const heard_item &whole, bool own_end)
{
    const talk_item &a = streamed.said, &b = whole.said;
    bool text = a.is_provider() || a.kind == ELELEM_PART_STRUCTURED || a.text == b.text; /* their JSON is compared as a value */
    bool id = a.id == b.id || (a.id.compare(0, 5, "call_") == 0 && b.id.compare(0, 5, "call_") == 0); /* generated for Gemini */
    bool state = streamed.state == whole.state && a.value == b.value;

    return a.kind == b.kind && a.name == b.name && id && text && a.metadata == b.metadata &&
           (state || (!own_end && is_undecided(streamed, whole)));
}

/* The items of chat, images after all others: a message does not say if one comes before its text, small ones come after that, and large
   ones before. If lists are worked off early, which puts what was worked off first, by all that they are. */
static void sort_kinds(std::vector<heard_item> &items, bool by_all)
{
    auto rank = [by_all](const heard_item &item) {
        if (item.said.is_provider() && item.said.name == "image_url") return 5;
        if (!by_all || item.said.is_thought()) return 0;
        if (item.said.is_provider()) return 4;
        return item.said.is_call() ? 3 : item.said.metadata.count("refusal") ? 2 : 1;
    };

    std::stable_sort(items.begin(), items.end(), [rank](const heard_item &a, const heard_item &b) { return rank(a) < rank(b); });
}

static void compare(const talk_wire &wire, const heard &streamed, const heard &whole)
{
    RC_ASSERT(whole.finished == streamed.finished);
    RC_ASSERT(whole.errors == 0);
    for (uint32_t choice = 0; choice < 2; choice++) {
        std::vector<heard_item> a = over(streamed, choice), b = over(whole, choice);
        if (wire.shape == &elelem_shape_chat) {
            sort_kinds(a, heard_short_list != heard_no_list);
            sort_kinds(b, heard_short_list != heard_no_list);
        }
        for (size_t i = 0; i < a.size() && i < b.size(); i++) {
            bool same = is_same(a[i], b[i], wire.end.own);
            if (!same) RC_LOG() << "streamed " << a[i].said << ' ' << a[i].state << "\nwhole    " << b[i].said << ' ' << b[i].state << std::endl;
            RC_ASSERT(same);
        }
        RC_ASSERT(a.size() == b.size());
    }
    RC_ASSERT(whole.end.reason == streamed.end.reason);
    RC_ASSERT(whole.end.raw == streamed.end.raw);
    for (size_t i = 0; i < 4; i++)
        RC_ASSERT(whole.end.usage[i] == streamed.end.usage[i]);
}

typedef talk_wire (*talk_writer)(const json_dice &dice);
typedef std::string (*whole_writer)(talk_pen &pen, const talk_wire &wire);

static bool both_give_the_same(talk_writer stream, whole_writer document, const char *name)
{
    return rc::check(name, [stream, document] {
        talk_wire wire = stream(*json_any_dice(40));
        talk_pen pen(*json_any_dice(40));
        std::string bytes = pen.blanks() + document(pen, wire) + pen.blanks();

        RC_LOG() << json_shown(wire.bytes) << "\n\n" << json_shown(bytes) << std::endl;
        heard_short_list = heard_no_list;
        heard streamed = heard_of(wire, wire.bytes, json_cuts());
        compare(wire, streamed, heard_of(wire, bytes, json_any_cuts(*json_any_dice(), bytes.size())));
        json_dice first = *json_any_dice();
        for (size_t at = 1 + first.below(32); at < bytes.size(); at += 32)
            compare(wire, streamed, heard_of(wire, bytes, { at }));
        heard_short_list = static_cast<int>(first.below(3) * first.below(300)); /* lists are worked off early */
        compare(wire, streamed, heard_of(wire, bytes, json_any_cuts(*json_any_dice(), bytes.size())));
        for (size_t at = 1 + first.below(32); at < bytes.size(); at += 64)
            compare(wire, streamed, heard_of(wire, bytes, { at }));
    });
}

TEST(a_chat_message_gives_what_its_stream_gives)
{
    CHECK(both_give_the_same(talk_chat_message, whole_chat, "a chat message gives what its stream gives"));
}

TEST(a_response_gives_what_its_stream_gives)
{
    CHECK(both_give_the_same(talk_responses_in_order, whole_responses, "a response gives what its stream gives"));
}

TEST(a_message_gives_what_its_stream_gives)
{
    CHECK(both_give_the_same(talk_messages_in_order, whole_messages, "a message gives what its stream gives"));
}

TEST(a_gemini_response_gives_what_its_stream_gives)
{
    CHECK(both_give_the_same(talk_gemini, whole_gemini, "a Gemini response gives what its stream gives"));
}

TEST(an_interaction_gives_what_its_stream_gives)
{
    CHECK(both_give_the_same(talk_interactions_in_order, whole_interaction, "an interaction gives what its stream gives"));
}

CHECK_MAIN("prop_whole",
    RUN(a_chat_message_gives_what_its_stream_gives)
    RUN(a_response_gives_what_its_stream_gives)
    RUN(a_message_gives_what_its_stream_gives)
    RUN(a_gemini_response_gives_what_its_stream_gives)
    RUN(an_interaction_gives_what_its_stream_gives))
