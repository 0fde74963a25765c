/* The laws of the four wires: what comes out is what was said, however it was written down
   and cut; a body that stops too early says so, and makes nothing look whole that is not. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "heard.h"

typedef talk_wire (*talk_writer)(const json_dice &dice);

/* How it differs from what was said. */

static bool is_blank(const std::string &text)
{
    return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

/* Messages of only whitespace give no item. */
static std::vector<talk_item> expected(const talk_wire &wire, uint32_t choice)
{
    std::vector<talk_item> all;

    for (const talk_item &item : wire.items)
        if (item.choice == choice && (item.kind != ELELEM_PART_MESSAGE || !is_blank(item.text) || !item.metadata.empty()))
            all.push_back(item);
    return all;
}

static bool is_same(const talk_item &said, const talk_item &heard)
{
    if (said.is_provider())
        return heard.is_provider() && said.name == heard.name && said.metadata == heard.metadata &&
               (heard.value.type == ELELEM_TYPE_NONE || json_value_of_text(said.text) == heard.value);

    bool text = said.kind == ELELEM_PART_TOOL_CALL || said.text == heard.text;
    bool has_value = said.kind == ELELEM_PART_TOOL_CALL || (said.kind == ELELEM_PART_STRUCTURED && !said.text.empty());
    bool value = !has_value || heard.value.type == ELELEM_TYPE_NONE || said.value == heard.value;

    return said.kind == heard.kind && text && value && said.id == heard.id && said.name == heard.name && said.metadata == heard.metadata;
}

static void compare_items(const talk_wire &wire, const heard &out, uint32_t choice)
{
    std::vector<talk_item> said = expected(wire, choice);
    size_t at = 0;

    for (const auto &entry : out.items) {
        const heard_item &item = entry.second;
        if (!item.over || item.said.choice != choice) continue;
        if (at == said.size()) RC_LOG() << "too much: " << item.said << std::endl;
        RC_ASSERT(at < said.size());
        if (wire.shape->array_body && said[at].kind == ELELEM_PART_TOOL_CALL && said[at].id.empty())
            said[at].id = "call_" + std::to_string(entry.first);
        if (!is_same(said[at], item.said)) RC_LOG() << "said  " << said[at] << "\nheard " << item.said << std::endl;
        RC_ASSERT(is_same(said[at], item.said));
        if (item.state != said[at].state(wire.end.own)) RC_LOG() << "state " << item.state << " of " << said[at] << std::endl;
        RC_ASSERT(item.state == said[at].state(wire.end.own));
        RC_ASSERT((item.state != ELELEM_ITEM_COMPLETE || !said[at].is_call() || item.said.value.type != ELELEM_TYPE_NONE));
        at++;
    }
    if (at < said.size()) RC_LOG() << "missing: " << said[at] << std::endl;
    RC_ASSERT(at == said.size());
}

/* What came in pieces makes what came whole. */
static void compare_pieces(const heard &out)
{
    for (const auto &entry : out.items) {
        const heard_item &item = entry.second;
        std::vector<json_value> roots;
        if (!item.over) RC_ASSERT(is_blank(item.streamed));
        if (!item.over || item.state != ELELEM_ITEM_COMPLETE) continue;
        if (item.said.kind != ELELEM_PART_TOOL_CALL) RC_ASSERT(item.streamed == item.said.text);
        for (const json_step &step : item.progress)
            json_grow(roots, step);
        if (!roots.empty()) RC_ASSERT(roots.at(0) == item.said.value);
        else if (item.said.kind == ELELEM_PART_TOOL_CALL) RC_ASSERT(item.said.value.children.empty());
    }
}

static void compare_end(const talk_end &said, const talk_end &heard)
{
    RC_ASSERT(heard.reason == said.reason);
    RC_ASSERT(heard.raw == said.raw);
    for (size_t i = 0; i < 4; i++)
        RC_ASSERT(heard.usage[i] == said.usage[i]);
}

static talk_wire any_wire(talk_writer writer)
{
    talk_wire wire = writer(*json_any_dice(40));

    RC_LOG() << json_shown(wire.bytes) << std::endl;
    return wire;
}

static bool what_comes_out_is_what_went_in(talk_writer writer, const char *name)
{
    return rc::check(name, [writer] {
        talk_wire wire = any_wire(writer);
        heard out = heard_of(wire, wire.bytes, json_any_cuts(*json_any_dice(), wire.bytes.size()));

        RC_ASSERT(out.finished == 1);
        RC_ASSERT(out.errors == 0);
        RC_ASSERT(!out.late);
        compare_items(wire, out, 0);
        compare_items(wire, out, 1);
        compare_pieces(out);
        compare_end(wire.end, out.end);
    });
}

/* What was said, by the index that it came out with. */
static std::map<uint32_t, talk_item> said_of(const talk_wire &wire, const heard &out)
{
    std::map<uint32_t, talk_item> all;

    for (uint32_t choice = 0; choice < 2; choice++) {
        std::vector<talk_item> said = expected(wire, choice);
        size_t at = 0;
        for (const auto &entry : out.items)
            if (entry.second.over && entry.second.said.choice == choice && at < said.size()) all[entry.first] = said[at++];
    }
    return all;
}

/* An item of a body that stopped is as far as it came that of the whole body. */
static void compare_cut_item(const heard_item &cut, const heard_item &whole)
{
    RC_ASSERT(cut.said.kind == whole.said.kind);
    RC_ASSERT(whole.said.text.compare(0, cut.said.text.size(), cut.said.text) == 0);
    RC_ASSERT((cut.said.id.empty() || cut.said.id == whole.said.id));
    RC_ASSERT((cut.said.name.empty() || cut.said.name == whole.said.name));
    RC_ASSERT((cut.state == ELELEM_ITEM_COMPLETE || cut.state == ELELEM_ITEM_CUT_OFF));
    if (cut.state == ELELEM_ITEM_COMPLETE) RC_ASSERT(is_same(whole.said, cut.said));
}

static bool a_body_that_stops_too_early_says_so(talk_writer writer, const char *name)
{
    return rc::check(name, [writer] {
        talk_wire wire = any_wire(writer);
        heard whole = heard_of(wire, wire.bytes, json_cuts());
        size_t size = *rc::gen::inRange<size_t>(0, wire.undecided + 1);
        heard_short_list = heard_no_list; /* else what is before an element of a chunk's list is over sooner */
        heard cut = heard_of(wire, wire.bytes.substr(0, size), json_any_cuts(*json_any_dice(), size));
        heard_short_list = -1;

        std::map<uint32_t, talk_item> said = said_of(wire, whole);

        RC_LOG() << "stopped at " << size << " of " << wire.bytes.size() << std::endl;
        RC_ASSERT(cut.errors == 1);
        RC_ASSERT(cut.finished == 0);
        if (wire.bytes[0] == '[' || wire.bytes.find('{') < size) RC_ASSERT(cut.retryable); /* words are no event stream */
        RC_ASSERT(!cut.late);
        for (const auto &entry : cut.items) {
            if (!entry.second.over) continue;
            compare_cut_item(entry.second, whole.items[entry.first]);
            if (entry.second.said.kind == ELELEM_PART_TOOL_CALL && entry.second.state == ELELEM_ITEM_COMPLETE)
                RC_ASSERT(size > said[entry.first].whole);
        }
        for (const auto &entry : said)
            if (entry.second.ends && size > entry.second.whole)
                RC_ASSERT((cut.items[entry.first].over && cut.items[entry.first].state == ELELEM_ITEM_COMPLETE));
        compare_pieces(cut);
    });
}

/* Recording. */

static elelem_status append(void *context, const void *bytes, size_t size)
{
    static_cast<std::string *>(context)->append(static_cast<const char *>(bytes), size);
    return ELELEM_OK;
}

/* Writes events down, and can have them built into items. */
struct scribe {
    std::string lines;
    elelem_recorder recorder;

    scribe()
    {
        elelem_recorder_desc desc = ELELEM_INIT;

        desc.sink.write = append;
        desc.sink.context = &lines;
        elelem_recorder_init(&recorder, &desc);
    }
    ~scribe() { elelem_recorder_free(&recorder); }
    scribe(const scribe &) = delete;

    void write(const elelem_event &event) { RC_ASSERT(elelem_recorder_push(&recorder, &event) == ELELEM_OK); }
};

static std::string recorded(const talk_wire &wire, const std::string &bytes)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;
    scribe out;

    desc.shape = wire.shape;
    desc.structured = wire.structured;
    elelem_stream_init(&stream, &desc);
    RC_ASSERT(elelem_stream_push(&stream, bytes.data(), bytes.size()) == ELELEM_OK);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        out.write(event);
    elelem_stream_finish(&stream);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        out.write(event);
    elelem_stream_free(&stream);
    return out.lines;
}

/* Takes what was built of an event. */
static void hear_built(heard &out, elelem_event_builder &builder, const elelem_event &event)
{
    elelem_built built;

    RC_ASSERT(elelem_event_builder_push(&builder, &event) == ELELEM_OK);
    while (elelem_event_builder_next(&builder, &built) == ELELEM_OK)
        if (built.kind == ELELEM_BUILT_ITEM) hear_item(out, built.item);
}

/* Plays lines: what they say once more as lines, and the items they make. */
static std::string replayed(const std::string &lines, const json_cuts &cuts, heard &out)
{
    elelem_replayer replayer;
    elelem_event_builder builder;
    elelem_record_item item;
    scribe again;

    elelem_replayer_init(&replayer, nullptr);
    elelem_event_builder_init(&builder, nullptr);
    for (size_t i = 0, at = 0; at <= lines.size(); i++) {
        size_t size = std::min(i < cuts.size() ? cuts[i] : SIZE_MAX, lines.size() - at);
        json_lent lent(lines, at, size);
        if (at == lines.size()) elelem_replayer_finish(&replayer);
        else RC_ASSERT(elelem_replayer_push(&replayer, lent.bytes.get(), size) == ELELEM_OK);
        while (elelem_replayer_next(&replayer, &item) == ELELEM_OK) {
            RC_ASSERT(item.kind == ELELEM_RECORD_EVENT);
            again.write(item.event);
            hear_built(out, builder, item.event);
        }
        at += at == lines.size() ? 1 : size;
    }
    elelem_replayer_free(&replayer);
    elelem_event_builder_free(&builder);
    return again.lines;
}

static bool what_is_replayed_is_what_was_recorded(talk_writer writer, const char *name)
{
    return rc::check(name, [writer] {
        talk_wire wire = any_wire(writer);
        std::string lines = recorded(wire, wire.bytes);
        heard out;

        RC_ASSERT(replayed(lines, json_any_cuts(*json_any_dice(), lines.size()), out) == lines);
        compare_items(wire, out, 0);
        compare_items(wire, out, 1);
    });
}

#define LAWS(wire)                                                                                                \
    TEST(what_comes_out_of_##wire##_is_what_went_in)                                                              \
    {                                                                                                             \
        CHECK(what_comes_out_is_what_went_in(talk_##wire, #wire ": what comes out is what went in, however cut")); \
    }                                                                                                             \
    TEST(a_body_of_##wire##_that_stops_too_early_says_so)                                                         \
    {                                                                                                             \
        CHECK(a_body_that_stops_too_early_says_so(                                                                \
            talk_##wire, #wire ": a body that stops too early says so, and makes nothing look whole"));           \
    }                                                                                                             \
    TEST(what_is_replayed_of_##wire##_is_what_was_recorded)                                                       \
    {                                                                                                             \
        CHECK(what_is_replayed_is_what_was_recorded(talk_##wire, #wire ": what is replayed is what was recorded")); \
    }

LAWS(chat)
LAWS(responses)
LAWS(messages)
LAWS(gemini)
LAWS(interactions)

#define RUN_LAWS(wire)                                \
    RUN(what_comes_out_of_##wire##_is_what_went_in)   \
    RUN(a_body_of_##wire##_that_stops_too_early_says_so) \
    RUN(what_is_replayed_of_##wire##_is_what_was_recorded)

CHECK_MAIN("prop_conversation",
    RUN_LAWS(chat)
    RUN_LAWS(responses)
    RUN_LAWS(messages)
    RUN_LAWS(gemini)
    RUN_LAWS(interactions))
