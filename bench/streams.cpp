/* The race from a provider's bytes to text and arguments: the library, and what a C++ programmer writes by hand, a frame at
 * a time, with RapidJSON or simdjson. What is written by hand knows one wire and the members that it wants. It reports no
 * error, does not notice that a stream was cut off, and gives no ids, names, usage or provider items. Only streams of which
 * all find the same text and arguments are raced.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "race.h"
#include "texts.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#if __has_include(<rapidjson/document.h>)
#define RAPIDJSON_SSE2
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#define HAS_RAPIDJSON 1
#endif
#if __has_include(<simdjson.h>)
#include <simdjson.h>
#define HAS_SIMDJSON 1
#endif

namespace {

using std::string;
using std::string_view;

struct found {
    size_t text = 0, arguments = 0; /* bytes */
    bool in_call = false;           /* for those who read Messages by hand: the block is a tool call of the caller's */

    bool operator==(const found &f) const { return text == f.text && arguments == f.arguments; }
};

/* The library. */

const elelem_shape *shape_named(const string &name)
{
    if (name == "chat") return &elelem_shape_chat;
    if (name == "responses") return &elelem_shape_responses;
    if (name == "messages") return &elelem_shape_messages;
    return name == "gemini" ? &elelem_shape_gemini : &elelem_shape_interactions;
}

size_t allocations;

void *counting_resize(void *, void *block, size_t, size_t size)
{
    if (size == 0) {
        std::free(block);
        return nullptr;
    }
    allocations++;
    return std::realloc(block, size);
}

class library_stream {
public:
    library_stream(const string &shape, bool without_provider_items)
    {
        elelem_stream_desc desc = ELELEM_INIT;
        desc.shape = shape_named(shape);
        desc.without_provider_items = without_provider_items;
        desc.allocator.resize = counting_resize;
        elelem_stream_init(&stream, &desc);
    }
    ~library_stream() { elelem_stream_free(&stream); }
    library_stream(const library_stream &) = delete;
    library_stream &operator=(const library_stream &) = delete;

    void read(const string &body, size_t piece, found &f)
    {
        elelem_stream_reset(&stream);
        in_pieces(body, piece, [&](const char *data, size_t size) {
            elelem_stream_push(&stream, data, size);
            take_events(f);
            return true;
        });
        elelem_stream_finish(&stream);
        take_events(f);
    }

private:
    void take_events(found &f)
    {
        elelem_event event;
        while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
            if (event.kind != ELELEM_EVENT_PART) continue;
            if (event.part.kind == ELELEM_PART_TOOL_CALL) f.arguments += event.part.tool_call.text.size;
            else if (event.part.kind != ELELEM_PART_PROVIDER_ITEM) f.text += event.part.text.size;
        }
    }

    elelem_stream stream;
};

/* By hand: lines are gathered in a buffer; a line of data is one JSON document. */
template <class Frame> void each_frame(const string &body, size_t piece, Frame frame)
{
    static string buffer;
    buffer.clear();
    in_pieces(body, piece, [&](const char *data, size_t size) {
        size_t start = 0, end;
        buffer.append(data, size);
        while ((end = buffer.find('\n', start)) != string::npos) {
            string_view line(buffer.data() + start, end - start);
            start = end + 1;
            if (line.substr(0, 5) != "data:") continue;
            line.remove_prefix(line.size() > 5 && line[5] == ' ' ? 6 : 5);
            if (!line.empty() && line[0] == '{') frame(line);
        }
        buffer.erase(0, start);
        return true;
    });
}

const size_t frame_room = size_t(1) << 22;

#ifdef HAS_RAPIDJSON

/* By hand with RapidJSON: a tree for each frame, parsed in place, its memory from one buffer. */
namespace rapid {

using value = rapidjson::Value;

const value *member(const value *object, const char *key)
{
    if (!object || !object->IsObject()) return nullptr;
    auto m = object->FindMember(key);
    return m == object->MemberEnd() ? nullptr : &m->value;
}

size_t size_of(const value *object, const char *key)
{
    const value *v = member(object, key);
    return v && v->IsString() ? v->GetStringLength() : 0;
}

string_view text_of(const value *object, const char *key)
{
    const value *v = member(object, key);
    return v && v->IsString() ? string_view(v->GetString(), v->GetStringLength()) : string_view();
}

template <class Take> void each(const value *array, Take take)
{
    if (array && array->IsArray())
        for (const value &v : array->GetArray())
            take(&v);
}

void chat(const value *frame, found &f)
{
    each(member(frame, "choices"), [&](const value *choice) {
        const value *delta = member(choice, "delta");
        size_t reasoning = size_of(delta, "reasoning_content");
        f.text += size_of(delta, "content") + (reasoning ? reasoning : size_of(delta, "reasoning"));
        each(member(delta, "tool_calls"),
             [&](const value *call) { f.arguments += size_of(member(call, "function"), "arguments"); });
    });
}

void responses(const value *frame, found &f)
{
    string_view type = text_of(frame, "type");
    if (type == "response.output_text.delta" || type == "response.reasoning_summary_text.delta" ||
        type == "response.reasoning_text.delta" || type == "response.refusal.delta")
        f.text += size_of(frame, "delta");
    else if (type == "response.function_call_arguments.delta") f.arguments += size_of(frame, "delta");
}

void messages(const value *frame, found &f)
{
    string_view type = text_of(frame, "type");
    if (type == "content_block_start") f.in_call = text_of(member(frame, "content_block"), "type") == "tool_use";
    if (type != "content_block_delta") return;
    const value *delta = member(frame, "delta");
    f.text += size_of(delta, "text") + size_of(delta, "thinking");
    if (f.in_call) f.arguments += size_of(delta, "partial_json");
}

/* Calls come with their arguments as a value, which is written as JSON again. */
void gemini_part(const value *part, found &f)
{
    f.text += size_of(part, "text");
    const value *arguments = member(member(part, "functionCall"), "args");
    if (!arguments) return;
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    arguments->Accept(writer);
    f.arguments += text.GetSize();
}

void gemini(const value *frame, found &f)
{
    each(member(frame, "candidates"), [&](const value *candidate) {
        each(member(member(candidate, "content"), "parts"), [&](const value *part) { gemini_part(part, f); });
    });
}

void interactions(const value *frame, found &f)
{
    const value *delta = member(frame, "delta");
    f.text += size_of(delta, "text") + size_of(member(delta, "content"), "text");
    f.arguments += size_of(delta, "arguments");
}

void (*reader_of(const string &shape))(const value *, found &)
{
    if (shape == "chat") return chat;
    if (shape == "responses") return responses;
    if (shape == "messages") return messages;
    return shape == "gemini" ? gemini : interactions;
}

void read(const string &shape, const string &body, size_t piece, found &f)
{
    static char copy[frame_room], pool[frame_room];
    auto take = reader_of(shape);
    each_frame(body, piece, [&](string_view line) {
        std::memcpy(copy, line.data(), line.size());
        copy[line.size()] = 0;
        rapidjson::MemoryPoolAllocator<> allocator(pool, sizeof pool);
        rapidjson::Document document(&allocator);
        if (!document.ParseInsitu(copy).HasParseError()) take(&document, f);
    });
}

} // namespace rapid
#endif

#ifdef HAS_SIMDJSON

/* By hand with simdjson: On-Demand, whose members are read in their order, from a copy with room after it. */
namespace simd {

using value = simdjson::simdjson_result<simdjson::ondemand::value>;
using object = simdjson::ondemand::object;

size_t size_of(value v)
{
    string_view text;
    return v.get_string().get(text) ? 0 : text.size();
}

/* Calls take(key, value) for the members of a value that is an object. */
template <class Take> void members(value v, Take take)
{
    object o;
    if (v.get_object().get(o)) return;
    for (auto field : o) {
        string_view key;
        if (field.unescaped_key().get(key)) return;
        take(key, field.value());
    }
}

template <class Take> void elements(value v, Take take)
{
    simdjson::ondemand::array array;
    if (v.get_array().get(array)) return;
    for (auto element : array)
        take(element);
}

void tool_call(value v, found &f)
{
    members(v, [&](string_view key, value function) {
        if (key == "function") members(function, [&](string_view name, value text) {
            if (name == "arguments") f.arguments += size_of(text);
        });
    });
}

void chat_delta(value v, found &f)
{
    size_t content = 0, reasoning = 0;
    members(v, [&](string_view key, value member) {
        if (key == "content") content = size_of(member);
        else if (key == "reasoning_content" || key == "reasoning") reasoning = std::max(reasoning, size_of(member));
        else if (key == "tool_calls") elements(member, [&](value call) { tool_call(call, f); });
    });
    f.text += content + reasoning;
}

void chat(simdjson::ondemand::document &frame, found &f)
{
    elements(frame["choices"], [&](value choice) {
        members(choice, [&](string_view key, value member) {
            if (key == "delta") chat_delta(member, f);
        });
    });
}

void responses(simdjson::ondemand::document &frame, found &f)
{
    string_view type;
    if (frame["type"].get_string().get(type)) return;
    if (type == "response.output_text.delta" || type == "response.reasoning_summary_text.delta" ||
        type == "response.reasoning_text.delta" || type == "response.refusal.delta")
        f.text += size_of(frame["delta"]);
    else if (type == "response.function_call_arguments.delta") f.arguments += size_of(frame["delta"]);
}

void messages_start(value block, found &f)
{
    string_view type;
    f.in_call = !block["type"].get_string().get(type) && type == "tool_use";
}

void messages(simdjson::ondemand::document &frame, found &f)
{
    string_view type;
    if (frame["type"].get_string().get(type)) return;
    if (type == "content_block_start") messages_start(frame["content_block"], f);
    if (type != "content_block_delta") return;
    members(frame["delta"], [&](string_view key, value member) {
        if (key == "text" || key == "thinking") f.text += size_of(member);
        else if (key == "partial_json" && f.in_call) f.arguments += size_of(member);
    });
}

/* Calls come with their arguments as a value, whose JSON is written without the whitespace. */
void gemini_call(value v, found &f)
{
    members(v, [&](string_view key, value member) {
        object arguments;
        string_view json;
        if (key != "args" || member.get_object().get(arguments) || arguments.raw_json().get(json)) return;
        string text(json.size(), ' ');
        size_t size = text.size();
        if (!simdjson::minify(json.data(), json.size(), text.data(), size)) f.arguments += size;
    });
}

void gemini_part(value v, found &f)
{
    members(v, [&](string_view key, value member) {
        if (key == "text") f.text += size_of(member);
        else if (key == "functionCall") gemini_call(member, f);
    });
}

void gemini(simdjson::ondemand::document &frame, found &f)
{
    elements(frame["candidates"], [&](value candidate) {
        members(candidate, [&](string_view key, value content) {
            if (key == "content") members(content, [&](string_view name, value parts) {
                if (name == "parts") elements(parts, [&](value part) { gemini_part(part, f); });
            });
        });
    });
}

void interactions(simdjson::ondemand::document &frame, found &f)
{
    members(frame["delta"], [&](string_view key, value member) {
        if (key == "text") f.text += size_of(member);
        else if (key == "arguments") f.arguments += size_of(member);
        else if (key == "content") members(member, [&](string_view name, value text) {
            if (name == "text") f.text += size_of(text);
        });
    });
}

void (*reader_of(const string &shape))(simdjson::ondemand::document &, found &)
{
    if (shape == "chat") return chat;
    if (shape == "responses") return responses;
    if (shape == "messages") return messages;
    return shape == "gemini" ? gemini : interactions;
}

void read(const string &shape, const string &body, size_t piece, found &f)
{
    static simdjson::padded_string copy(frame_room);
    static simdjson::ondemand::parser parser;
    auto take = reader_of(shape);
    each_frame(body, piece, [&](string_view line) {
        simdjson::ondemand::document document;
        std::memcpy(copy.data(), line.data(), line.size());
        if (!parser.iterate(copy.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING).get(document))
            take(document, f);
    });
}

} // namespace simd
#endif

using by_hand = void (*)(const string &shape, const string &body, size_t piece, found &);

const struct {
    const char *name;
    by_hand read;
} peers[] = {
#ifdef HAS_RAPIDJSON
    { "RapidJSON by hand", rapid::read },
#endif
#ifdef HAS_SIMDJSON
    { "simdjson by hand", simd::read },
#endif
    { nullptr, nullptr },
};

/* Whether all find the same in it, and anything at all. */
bool all_agree(library_stream &stream, const string &shape, const string &body)
{
    found expected;
    if (body.size() >= frame_room) return false;
    stream.read(body, 0, expected);
    for (const auto *peer = peers; peer->name; peer++) {
        found f;
        peer->read(shape, body, 64, f);
        if (!(f == expected)) return false;
    }
    return expected.text + expected.arguments > 0;
}

std::vector<string> agreed(library_stream &stream, const stream_set &set, report &out)
{
    std::vector<string> bodies;
    for (const string &body : set.bodies)
        if (all_agree(stream, set.name, body)) bodies.push_back(body);
    out.comment("streams, " + set.name + ": " + (set.recorded ? "recordings, " : "our own, ") + std::to_string(bodies.size()) +
                " of " + std::to_string(set.bodies.size()) + " in which all find the same text and arguments");
    return bodies;
}

template <class Read> std::function<void()> over(const std::vector<string> &bodies, Read read)
{
    return [&bodies, read] {
        found f;
        for (const string &body : bodies)
            read(body, f);
    };
}

/* After everything was read once: a stream keeps its memory. */
size_t allocations_of(library_stream &stream, const std::vector<string> &bodies)
{
    found f;
    for (int time = 0; time < 2; time++) {
        allocations = 0;
        for (const string &body : bodies)
            stream.read(body, 1024, f);
    }
    return allocations;
}

void race_set(report &out, const stream_set &set)
{
    library_stream all(set.name, false), without(set.name, true);
    std::vector<string> bodies = agreed(all, set, out);
    size_t bytes = bytes_of(bodies);
    if (bytes == 0) return;
    string name = set.recorded ? set.name : "like " + set.name;
    for (size_t piece : { size_t(64), size_t(1024), size_t(16384) }) {
        if (!is_raced("stream", piece)) continue;
        std::vector<entrant> entrants = {
            { "elelem", bytes, over(bodies, [&all, piece](const string &body, found &f) { all.read(body, piece, f); }) },
            { "elelem without provider items", bytes,
              over(bodies, [&without, piece](const string &body, found &f) { without.read(body, piece, f); }) },
        };
        for (const auto *peer = peers; peer->name; peer++)
            entrants.push_back({ peer->name, bytes, over(bodies, [&set, peer, piece](const string &body, found &f) {
                                    peer->read(set.name, body, piece, f);
                                }) });
        race_rows(out, "stream", name, piece_name(piece), entrants, 11);
    }
    out.figure("allocations", name, allocations_of(all, bodies));
}

} // namespace

void race_streams(report &out)
{
    for (const stream_set &set : stream_sets())
        race_set(out, set);
}
