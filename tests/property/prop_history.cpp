/* A law of the history: joined index by index, the coalesced events of a turn are the
 * event builder's items of that turn, whether the events were stored as they came or were
 * recorded and replayed first: kind, choice, text, id, name, arguments and metadata. Only
 * what the builder leaves out, blank messages and structured output without any text, is
 * kept in the history. Others: an item reader makes these items of what was stored in any way; and
 * whatever a history takes, its reader reads.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "happening.h"

namespace {

/* Turns, as streams give them. */

/* An item that is being written. */
struct writing {
    happening next; /* of whom it is: kind, index, choice */
    std::string text;
    size_t at;
    bool opened;
};

std::string any_arguments()
{
    return *rc::gen::element<std::string>("{\"a\":[1,{\"b\":\"\\u00e9\\\"\"}]}", " {\"a\" :\n-1.50e3} ", "", " ", "\n\t", "[1]", "42",
                                          "null", "\"\xc3\xa9 \\ud800\"", "{\"a\":", "{\"a\":1,\"a\":2}", "nope(\"\xc3\xa9\")\n",
                                          "{} x", "{}{}", "[");
}

std::string any_writing_of(uint8_t kind)
{
    if (kind == ELELEM_PART_TOOL_CALL || kind == ELELEM_PART_STRUCTURED || kind == ELELEM_PART_PROVIDER_ITEM) return any_arguments();
    return *rc::gen::oneOf(any_text(), rc::gen::element<std::string>("", " \n", "\t \r\n"));
}

void add_metadata(happening &h)
{
    int entries = *rc::gen::weightedElement<int>({ { 6, 0 }, { 2, 1 }, { 1, 3 } });

    for (int i = 0; i < entries; i++)
        h.metadata.emplace_back(*rc::gen::element<std::string>("a", "b", "signature", "\xc3\xa9\n\""),
                                *rc::gen::element<std::string>("", " ", "\n\t") + any_json() + *rc::gen::element<std::string>("", " "));
}

writing any_writing(uint32_t index)
{
    writing w = writing();

    w.next.event.kind = ELELEM_EVENT_PART;
    w.next.event.index = index;
    w.next.event.choice = *rc::gen::weightedElement<uint32_t>({ { 3, 0 }, { 1, 1 } });
    w.next.event.part.kind = *rc::gen::inRange<uint8_t>(0, 5);
    if (w.next.event.part.kind == ELELEM_PART_PROVIDER_ITEM) {
        w.next.event.part.hosted = *rc::gen::inRange<uint8_t>(0, 2);
        w.next.second = *rc::gen::element<std::string>("web_search_call", "image\"\n", "");
    }
    w.text = any_writing_of(w.next.event.part.kind);
    return w;
}

/* The next few characters of what is left, maybe none. */
std::string next_piece(writing &w, bool all)
{
    size_t left = w.text.size() - w.at;
    size_t end = w.at + (all ? left : *rc::gen::inRange<size_t>(0, left + 1));
    std::string piece;

    while (end < w.text.size() && (w.text[end] & 0xc0) == 0x80)
        end++;
    piece = w.text.substr(w.at, end - w.at);
    w.at = end;
    return piece;
}

happening any_start(const writing &w)
{
    happening start = w.next;

    start.event.part.tool_call.kind = ELELEM_TOOL_CALL_START;
    start.first = *rc::gen::element<std::string>("", "call_1", "call_2", "\"\n");
    start.second = *rc::gen::element<std::string>("", "f", "get weather\xc3\xa9");
    return start;
}

/* Continues an item. Argument chunks are never empty, so that a call may begin with its START only. */
void go_on(std::vector<happening> &turn, writing &w, bool all)
{
    bool is_call = w.next.event.part.kind == ELELEM_PART_TOOL_CALL;
    happening part = w.next;

    part.first = next_piece(w, all);
    part.event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
    if (!is_call) part.event.part.tool_call.kind = 0;
    if (is_call && (part.first.empty() || *rc::gen::inRange(0, 3) == 0)) {
        happening start = any_start(w);
        add_metadata(start);
        turn.push_back(start);
    }
    if (!is_call || !part.first.empty()) {
        add_metadata(part);
        turn.push_back(part);
    }
    w.opened = true;
}

void flush(std::vector<happening> &turn, writing &w)
{
    happening end = happening();

    go_on(turn, w, true);
    end.event.kind = ELELEM_EVENT_FLUSH;
    end.event.index = w.next.event.index;
    end.event.choice = w.next.event.choice;
    add_metadata(end);
    turn.push_back(end);
}

/* FINISHED after the flush of all, or an ERROR, or nothing more. */
void end_turn(std::vector<happening> &turn, std::vector<writing> &open)
{
    happening end = happening();
    int how = *rc::gen::inRange(0, 4);

    if (how == 0) return;
    for (writing &w : open)
        if (how > 1 && w.opened) flush(turn, w);
    end.event.kind = how > 1 ? ELELEM_EVENT_FINISHED : ELELEM_EVENT_ERROR;
    end.first = "word";
    end.second = "sentence";
    turn.push_back(end);
}

std::vector<happening> any_turn()
{
    std::vector<happening> turn;
    std::vector<writing> open;
    uint32_t index = 0;
    int steps = *rc::gen::inRange(0, 25);

    for (int i = 0; i < steps; i++) {
        size_t which = *rc::gen::inRange<size_t>(0, open.size() + 1);
        if (which == open.size()) open.push_back(any_writing(index += *rc::gen::inRange<uint32_t>(0, 3) + 1));
        if (*rc::gen::inRange(0, 4) > 0) {
            go_on(turn, open[which], false);
            continue;
        }
        flush(turn, open[which]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
    end_turn(turn, open);
    return turn;
}

/* What a turn made, by the builder or out of a history. JSON is spelled one way, so that it can be compared. */

typedef std::vector<std::pair<std::string, std::string>> pairs;

struct result {
    uint8_t kind;
    uint32_t choice;
    std::string text, id, name;
    std::string arguments; /* JSON, or the word text and what there was */
    pairs metadata;
};

std::string written(elelem_value value)
{
    std::string text;
    elelem_sink sink = { append, &text };
    elelem_writer writer;

    elelem_writer_init(&writer, sink, 0);
    RC_ASSERT(elelem_writer_value(&writer, value) == ELELEM_OK);
    return text;
}

/* One JSON value, read. */
struct document {
    elelem_fragment_aggregator tree;

    explicit document(const std::string &json)
    {
        elelem_fragment_parser parser;
        elelem_fragment fragment;
        elelem_status status;

        elelem_fragment_aggregator_init(&tree, nullptr);
        elelem_fragment_parser_init(&parser, nullptr);
        elelem_fragment_parser_push(&parser, json.data(), json.size());
        elelem_fragment_parser_finish(&parser);
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
            RC_ASSERT(elelem_fragment_aggregator_push(&tree, &fragment) == ELELEM_OK);
        elelem_fragment_parser_free(&parser);
        RC_ASSERT(status == ELELEM_END);
    }

    document(const document &) = delete;
    document &operator=(const document &) = delete;

    ~document()
    {
        elelem_fragment_aggregator_free(&tree);
    }

    elelem_value root() const
    {
        return elelem_fragment_aggregator_value(&tree);
    }
};

std::string one_way(const std::string &json)
{
    return written(document(json).root());
}

/* Merges as elelem_metadata_entry says. */
void merge(pairs &into, const std::string &key, const std::string &json)
{
    std::string come = one_way(json);

    for (auto &pair : into) {
        std::string &there = pair.second;
        if (pair.first != key) continue;
        if (come[0] != '[' || there[0] != '[') there = come;
        else if (come != "[]") there = there.substr(0, there.size() - 1) + (there == "[]" ? "" : ",") + come.substr(1);
        return;
    }
    into.emplace_back(key, come);
}

void merge(pairs &into, const elelem_metadata &metadata)
{
    for (size_t i = 0; i < metadata.count; i++)
        merge(into, text_of(metadata.entries[i].key), text_of(metadata.entries[i].json));
}

/* The builder leaves these out. */
bool is_nothing(const result &r)
{
    if (!r.metadata.empty()) return false;
    if (r.kind == ELELEM_PART_MESSAGE) return r.text.find_first_not_of(" \t\r\n") == std::string::npos;
    return r.kind == ELELEM_PART_STRUCTURED && r.text.empty();
}

std::map<uint32_t, std::string> all_of(const std::map<uint32_t, result> &results)
{
    std::map<uint32_t, std::string> all;

    for (const auto &pair : results) {
        const result &r = pair.second;
        if (is_nothing(r)) continue;
        std::string &line = all[pair.first];
        line = std::to_string(r.kind) + "@" + std::to_string(r.choice) + " " + r.text + "|" + r.id + "|" + r.name + "|" + r.arguments;
        for (const auto &entry : r.metadata)
            line += "|" + entry.first + "=" + entry.second;
    }
    return all;
}

/* The builder's side. */

result result_of(const elelem_item &item)
{
    const elelem_tool_call &call = item.tool_call;
    result r = result();

    r.kind = item.kind;
    r.choice = item.choice;
    merge(r.metadata, item.metadata);
    if (item.kind != ELELEM_PART_TOOL_CALL) {
        r.text = text_of(item.text);
        r.id = text_of(item.type);
        r.name = item.hosted ? "hosted" : "";
        return r;
    }
    r.id = text_of(call.id);
    r.name = text_of(call.name);
    r.arguments = item.state == ELELEM_ITEM_COMPLETE ? written(call.arguments) : "text " + text_of(call.text);
    return r;
}

void take(elelem_event_builder *builder, std::map<uint32_t, result> &results)
{
    elelem_built built;
    elelem_status status;

    while ((status = elelem_event_builder_next(builder, &built)) == ELELEM_OK) {
        if (built.kind != ELELEM_BUILT_ITEM) continue;
        RC_ASSERT(results.count(built.item.index) == 0u);
        results[built.item.index] = result_of(built.item);
    }
    RC_ASSERT(status >= 0);
}

std::map<uint32_t, std::string> items_of(const std::vector<happening> &turn)
{
    std::map<uint32_t, result> results;
    std::vector<elelem_metadata_entry> entries;
    elelem_event_builder_desc desc = ELELEM_INIT;
    elelem_event_builder builder;

    desc.keep_argument_text = 1;
    elelem_event_builder_init(&builder, &desc);
    for (const happening &h : turn) {
        elelem_event event = event_of(h, entries);
        RC_ASSERT(elelem_event_builder_push(&builder, &event) == ELELEM_OK);
        take(&builder, results);
    }
    elelem_event_builder_drain(&builder);
    take(&builder, results);
    elelem_event_builder_free(&builder);
    return all_of(results);
}

/* The history's side: its events, joined index by index. */

void join_part(result &r, const elelem_event &event)
{
    const elelem_tool_call_part &call = event.part.tool_call;

    r.kind = event.part.kind;
    r.choice = event.choice;
    r.text += text_of(event.part.text);
    if (event.part.kind == ELELEM_PART_PROVIDER_ITEM) {
        r.id = text_of(event.part.type);
        r.name = event.part.hosted ? "hosted" : "";
    }
    if (event.part.kind != ELELEM_PART_TOOL_CALL) return;
    r.arguments += r.arguments.empty() ? "text " : "";
    r.arguments += text_of(call.text);
    r.id += text_of(call.id);
    r.name += text_of(call.name);
}

uint32_t number_of(elelem_value value)
{
    uint64_t number = 0;

    elelem_value_to_uint64(value, &number);
    return static_cast<uint32_t>(number);
}

void join_call(std::map<uint32_t, result> &results, elelem_value line)
{
    elelem_value input = elelem_value_get(line, "input");
    result &r = results[number_of(elelem_value_get(line, "index"))];

    RC_ASSERT(r.arguments.empty());
    r.kind = ELELEM_PART_TOOL_CALL;
    r.choice = number_of(elelem_value_get(line, "choice"));
    r.id = text_of(elelem_value_text(elelem_value_get(line, "id")));
    r.name = text_of(elelem_value_text(elelem_value_get(line, "toolName")));
    if (elelem_value_type(input) != ELELEM_TYPE_NONE) r.arguments = written(input);
    else r.arguments = "text " + text_of(elelem_value_text(elelem_value_get(line, "inputText")));
    for (elelem_value entry = elelem_value_first(elelem_value_get(line, "metadata")); elelem_value_type(entry) != ELELEM_TYPE_NONE;
         entry = elelem_value_next(entry))
        merge(r.metadata, text_of(elelem_value_key(entry)), written(entry));
}

void join(std::map<uint32_t, result> &results, const elelem_record_item &item)
{
    if (item.kind == ELELEM_RECORD_LINE) {
        RC_ASSERT(text_of(item.type) == "BeforeToolExecution");
        join_call(results, document(text_of(item.line)).root());
        return;
    }
    if (item.event.kind != ELELEM_EVENT_PART && item.event.kind != ELELEM_EVENT_FLUSH) return;
    result &r = results[item.event.index];
    if (item.event.kind == ELELEM_EVENT_PART) join_part(r, item.event);
    merge(r.metadata, item.event.metadata);
}

/* By way of the entry's JSON, and of the reader. */
std::map<uint32_t, std::string> items_of(elelem_history_builder *builder)
{
    std::map<uint32_t, result> results;
    std::string json, lines;
    elelem_sink sink = { append, &json };
    elelem_history_entry entry;
    elelem_history_reader reader;
    elelem_replayer replayer;
    elelem_record_item item;
    elelem_str line;
    size_t at = 0;

    elelem_history_builder_finish(builder);
    if (elelem_history_builder_entry(builder, &entry) == ELELEM_ERROR_MISUSE) return all_of(results); /* nothing came */
    RC_ASSERT(elelem_history_entry_write(&entry, sink) == ELELEM_OK);
    elelem_history_reader_init(&reader, nullptr);
    elelem_history_reader_push(&reader, json.data(), json.size());
    elelem_history_reader_finish(&reader);
    RC_ASSERT(elelem_history_reader_next(&reader, &entry) == ELELEM_OK);
    while (elelem_history_entry_event(&entry, &at, &line))
        lines += text_of(line) + "\n";
    elelem_history_reader_free(&reader);
    elelem_replayer_init(&replayer, nullptr);
    elelem_replayer_push(&replayer, lines.data(), lines.size());
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK)
        join(results, item);
    elelem_replayer_free(&replayer);
    return all_of(results);
}

/* The events straight into a history. */
std::map<uint32_t, std::string> stored(const std::vector<happening> &turn)
{
    std::map<uint32_t, std::string> items;
    std::vector<elelem_metadata_entry> entries;
    elelem_history_builder builder;

    elelem_history_builder_init(&builder, nullptr);
    for (const happening &h : turn) {
        elelem_event event = event_of(h, entries);
        RC_ASSERT(elelem_history_builder_push(&builder, &event) == ELELEM_OK);
    }
    items = items_of(&builder);
    elelem_history_builder_free(&builder);
    return items;
}

std::string recorded(const std::vector<happening> &turn, bool tool_calls)
{
    std::string lines;
    std::vector<elelem_metadata_entry> entries;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder recorder;

    desc.sink.write = append;
    desc.sink.context = &lines;
    desc.tool_calls = tool_calls;
    elelem_recorder_init(&recorder, &desc);
    for (const happening &h : turn) {
        elelem_event event = event_of(h, entries);
        RC_ASSERT(elelem_recorder_push(&recorder, &event) == ELELEM_OK);
    }
    elelem_recorder_free(&recorder);
    return lines;
}

/* The events recorded, replayed, and then into a history. */
std::map<uint32_t, std::string> stored_later(const std::vector<happening> &turn, bool tool_calls)
{
    std::map<uint32_t, std::string> items;
    std::string lines = recorded(turn, tool_calls);
    elelem_history_builder builder;
    elelem_replayer replayer;
    elelem_record_item item;

    elelem_history_builder_init(&builder, nullptr);
    elelem_replayer_init(&replayer, nullptr);
    elelem_replayer_push(&replayer, lines.data(), lines.size());
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK)
        RC_ASSERT(elelem_history_builder_push_item(&builder, &item) == ELELEM_OK);
    items = items_of(&builder);
    elelem_replayer_free(&replayer);
    elelem_history_builder_free(&builder);
    return items;
}

/* What an item reader makes of lines. */
std::map<uint32_t, std::string> read_back(const std::string &lines)
{
    std::map<uint32_t, result> results;
    elelem_item_reader_desc desc = ELELEM_INIT;
    elelem_item_reader reader;
    elelem_read_item read;
    elelem_status status;

    desc.keep_argument_text = 1;
    elelem_item_reader_init(&reader, &desc);
    RC_ASSERT(elelem_item_reader_push(&reader, lines.data(), lines.size()) == ELELEM_OK);
    elelem_item_reader_finish(&reader);
    while ((status = elelem_item_reader_next(&reader, &read)) == ELELEM_OK) {
        if (read.kind != ELELEM_READ_ITEM) continue;
        RC_ASSERT(results.count(read.item.index) == 0u);
        results[read.item.index] = result_of(read.item);
    }
    elelem_item_reader_free(&reader);
    RC_ASSERT(status == ELELEM_END);
    return all_of(results);
}

/* The entry of a turn, as it is written; empty if nothing came. */
std::string entry_of(const std::vector<happening> &turn)
{
    std::string json;
    elelem_sink sink = { append, &json };
    std::vector<elelem_metadata_entry> entries;
    elelem_history_builder builder;
    elelem_history_entry entry;

    elelem_history_builder_init(&builder, nullptr);
    for (const happening &h : turn) {
        elelem_event event = event_of(h, entries);
        RC_ASSERT(elelem_history_builder_push(&builder, &event) == ELELEM_OK);
    }
    elelem_history_builder_finish(&builder);
    if (elelem_history_builder_entry(&builder, &entry) == ELELEM_OK)
        RC_ASSERT(elelem_history_entry_write(&entry, sink) == ELELEM_OK);
    elelem_history_builder_free(&builder);
    return json;
}

/* The message text of choice 0. */
std::string text_of(const std::vector<happening> &turn)
{
    std::string text;

    for (const happening &h : turn)
        if (h.event.kind == ELELEM_EVENT_PART && h.event.part.kind == ELELEM_PART_MESSAGE && h.event.choice == 0) text += h.first;
    return text;
}

/* Lines of an application's, some of which are none. */
std::string any_line()
{
    static const std::vector<std::string> members = { "\"eventType\":\"A\"", "\"event\\u0054ype\":\"B\"", "\"eventType\":5",
                                                      "\"eventType\":null", "\"a\":1", "\"metadata\":{\"k\":[1]}", "\"index\":1",
                                                      "\"eventType\":\"PartialResponse\"", "\"chunk\":\"\\n\"", "\"chunk\":7",
                                                      "\"eventType\":\"Flush\"", "\"eventType\":\"ToolCallStart\"", "\"id\":\"i\"",
                                                      "\"eventType\":\"BeforeToolExecution\"", "\"toolName\":\"f\"", "\"input\":{}",
                                                      "\"eventType\":\"ChatCompleted\"", "\"finishReason\":\"completed\"" };
    std::string line = "{";
    size_t depth = *rc::gen::weightedElement<size_t>({ { 20, 0 }, { 1, 512 }, { 1, 513 }, { 1, 514 } });

    for (const std::string &member : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(members)))
        line += (line == "{" ? "" : ",") + member;
    if (depth > 0) line += (line == "{" ? "\"x\":" : ",\"x\":") + std::string(depth, '[') + std::string(depth, ']');
    return line + *rc::gen::weightedElement<std::string>({ { 10, "}" }, { 1, "" }, { 1, "} x" }, { 1, " }\n" } });
}

/* The entry written, read with the same limit, and written again. */
void is_read(const elelem_history_entry &entry, uint32_t max_bytes)
{
    std::string json, again;
    elelem_sink sink = { append, &json }, second = { append, &again };
    elelem_history_reader_desc desc = ELELEM_INIT;
    elelem_history_reader reader;
    elelem_history_entry other;

    RC_ASSERT(elelem_history_entry_write(&entry, sink) == ELELEM_OK);
    RC_LOG() << json << "\n";
    desc.max_bytes = max_bytes;
    elelem_history_reader_init(&reader, &desc);
    RC_ASSERT(elelem_history_reader_push(&reader, json.data(), json.size()) == ELELEM_OK);
    elelem_history_reader_finish(&reader);
    RC_ASSERT(elelem_history_reader_next(&reader, &other) == ELELEM_OK);
    RC_ASSERT(elelem_history_entry_write(&other, second) == ELELEM_OK);
    elelem_history_reader_free(&reader);
    RC_ASSERT(again == json);
}

} // namespace

int main()
{
    int passed = 0, failed = 0;
    auto check = [&](const char *law, void (*test)()) { rc::check(law, test) ? passed++ : failed++; };

    check("the history of a turn is the builder's items of that turn", [] {
        std::vector<happening> turn = any_turn();
        RC_ASSERT(stored(turn) == items_of(turn));
    });
    check("so it is when the turn was recorded and replayed", [] {
        std::vector<happening> turn = any_turn();
        RC_ASSERT(stored_later(turn, false) == items_of(turn));
    });
    check("and when the record names each tool call", [] {
        std::vector<happening> turn = any_turn();
        RC_ASSERT(stored_later(turn, true) == items_of(turn));
    });
    check("an item reader makes the builder's items of a record", [] {
        std::vector<happening> turn = any_turn();
        RC_ASSERT(read_back(recorded(turn, *rc::gen::arbitrary<bool>())) == items_of(turn));
    });
    check("and of an entry of a history", [] {
        std::vector<happening> turn = any_turn();
        RC_ASSERT(read_back(entry_of(turn)) == items_of(turn));
    });
    check("the text of the entry is what a reader of choice 0 saw", [] {
        std::vector<happening> turn = any_turn();
        elelem_history_builder builder;
        elelem_history_entry entry;
        std::vector<elelem_metadata_entry> entries;
        elelem_history_builder_init(&builder, nullptr);
        for (const happening &h : turn) {
            elelem_event event = event_of(h, entries);
            RC_ASSERT(elelem_history_builder_push(&builder, &event) == ELELEM_OK);
        }
        elelem_history_builder_finish(&builder);
        if (elelem_history_builder_entry(&builder, &entry) == ELELEM_OK) RC_ASSERT(text_of(entry.text) == text_of(turn));
        elelem_history_builder_free(&builder);
    });
    check("what a history takes its reader reads, with the same limit", [] {
        std::vector<happening> turn = any_turn();
        std::vector<elelem_metadata_entry> entries;
        elelem_history_builder_desc desc = ELELEM_INIT;
        elelem_history_builder builder;
        elelem_history_entry entry;
        desc.max_bytes = *rc::gen::weightedElement<uint32_t>({ { 4, 0 }, { 1, 1 }, { 1, 60 }, { 1, 300 } });
        elelem_history_builder_init(&builder, &desc);
        for (const happening &h : turn) {
            elelem_event event = event_of(h, entries);
            if (*rc::gen::arbitrary<bool>()) (void)elelem_history_builder_push(&builder, &event);
        }
        for (int i = *rc::gen::inRange(0, 6); i > 0; i--) {
            std::string line = any_line(), text = *any_text() + *rc::gen::element<std::string>("", "\xff");
            (void)elelem_history_builder_push_line(&builder, slice(line));
            if (*rc::gen::inRange(0, 4) == 0) (void)elelem_history_builder_push_text(&builder, slice(text));
        }
        (void)elelem_history_builder_finish(&builder);
        if (elelem_history_builder_entry(&builder, &entry) == ELELEM_OK) is_read(entry, desc.max_bytes);
        elelem_history_builder_free(&builder);
    });
    std::printf("prop_history: %d passed, %d failed\n", passed, failed);
    return failed > 0;
}
