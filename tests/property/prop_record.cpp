/* Laws of the record: recorded and replayed, as lines or as an event stream, events come
 * back as they were however the bytes are cut; coalescing keeps every text, and doing it
 * twice changes nothing; damaged recordings give the same whole and cut.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

namespace {

/* An event that owns its bytes. */
struct happening {
    elelem_event event;
    std::string first;  /* text, id, raw reason or code */
    std::string second; /* name or message */
    std::vector<std::pair<std::string, std::string>> metadata;
    std::string line;   /* not empty: the application's own instead */
};

elelem_str slice(const std::string &text)
{
    elelem_str made;

    made.data = text.data();
    made.size = text.size();
    return made;
}

std::string text_of(elelem_str made)
{
    return std::string(made.data ? made.data : "", made.size);
}

rc::Gen<std::string> any_text()
{
    static const std::vector<std::string> pieces = { "a", "\"", "\\", "\n", "\r", std::string(1, '\0'), "{", "}", "\xc3\xa9",
                                                     "\xe2\x80\xa8", "\xf0\x9f\x98\x80", " ", "\\u0041", "data: ", "eventType", "" };

    return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)),
                        [](const std::vector<std::string> &list) {
                            std::string text;
                            for (const std::string &piece : list)
                                text += piece;
                            return text;
                        });
}

std::string any_json()
{
    static const std::vector<std::string> values = { "null", "true", "-1.5e3", "\"s\"", "\"\\n\\u00e9\\\"]}\"", "[]", "[1]",
                                                     "[{\"a\":[]},2]", "{}", "{\"a\":{\"b\":\"}\"}}", "\"\xc3\xa9\"" };

    return *rc::gen::elementOf(values);
}

int64_t any_count()
{
    return *rc::gen::oneOf(rc::gen::just<int64_t>(-1), rc::gen::just<int64_t>(0), rc::gen::just<int64_t>(INT64_MAX),
                           rc::gen::inRange<int64_t>(0, 1000000));
}

/* Parts and flushes come of a few indexes, as in a stream, in any order. */
happening any_part(bool few)
{
    happening h = happening();

    h.event.index = few ? *rc::gen::inRange<uint32_t>(0, 3) : *rc::gen::arbitrary<uint32_t>();
    h.event.choice = few ? h.event.index % 2 : *rc::gen::arbitrary<uint32_t>();
    h.event.kind = *rc::gen::weightedElement<uint8_t>({ { 5, ELELEM_EVENT_PART }, { 1, ELELEM_EVENT_FLUSH } });
    if (h.event.kind == ELELEM_EVENT_FLUSH) return h;
    h.event.part.kind = *rc::gen::inRange<uint8_t>(0, 4);
    h.event.part.tool_call.kind = h.event.part.kind == ELELEM_PART_TOOL_CALL ? *rc::gen::inRange<uint8_t>(0, 2) : uint8_t(0);
    h.first = *any_text();
    if (h.event.part.kind == ELELEM_PART_TOOL_CALL && h.event.part.tool_call.kind == ELELEM_TOOL_CALL_START) h.second = *any_text();
    return h;
}

happening any_end()
{
    happening h = happening();

    h.event.kind = *rc::gen::element<uint8_t>(ELELEM_EVENT_FINISHED, ELELEM_EVENT_ERROR);
    h.first = *any_text();
    h.second = *any_text();
    h.event.reason = *rc::gen::inRange<uint8_t>(0, ELELEM_FINISH_REASON_COUNT);
    h.event.usage.input = any_count();
    h.event.usage.output = any_count();
    h.event.usage.cached = any_count();
    h.event.usage.reasoning = any_count();
    h.event.error.kind = *rc::gen::inRange<uint8_t>(0, ELELEM_ERROR_KIND_COUNT);
    h.event.error.retryable = *rc::gen::inRange<uint8_t>(0, 2);
    h.event.error.http_status = *rc::gen::arbitrary<int32_t>();
    h.event.error.status = -*rc::gen::inRange<int32_t>(0, 24);
    h.event.error.retry_after_ms = any_count();
    h.event.error.offset = *rc::gen::arbitrary<uint64_t>();
    return h;
}

happening any_happening(bool few)
{
    happening h = *rc::gen::inRange(0, 8) > 0 ? any_part(few) : any_end();
    int entries = *rc::gen::weightedElement<int>({ { 5, 0 }, { 2, 1 }, { 1, 3 } });

    for (int i = 0; i < entries; i++)
        h.metadata.emplace_back(few ? std::string(1, static_cast<char>('a' + *rc::gen::inRange(0, 3))) : *any_text(), any_json());
    return h;
}

std::vector<happening> any_stream(bool few)
{
    std::vector<happening> stream;
    int count = *rc::gen::inRange(0, 30);

    for (int i = 0; i < count; i++)
        stream.push_back(any_happening(few));
    return stream;
}

/* Points the event at the bytes, for as long as both stay where they are. */
elelem_event event_of(const happening &h, std::vector<elelem_metadata_entry> &entries)
{
    elelem_event event = h.event;

    entries.clear();
    for (const auto &pair : h.metadata) {
        elelem_metadata_entry entry;
        entry.key = slice(pair.first);
        entry.json = slice(pair.second);
        entries.push_back(entry);
    }
    event.metadata.entries = entries.data();
    event.metadata.count = entries.size();
    if (event.kind == ELELEM_EVENT_PART && event.part.kind != ELELEM_PART_TOOL_CALL) event.part.text = slice(h.first);
    else if (event.kind == ELELEM_EVENT_PART && event.part.tool_call.kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK)
        event.part.tool_call.text = slice(h.first);
    else if (event.kind == ELELEM_EVENT_PART) {
        event.part.tool_call.id = slice(h.first);
        event.part.tool_call.name = slice(h.second);
    } else if (event.kind == ELELEM_EVENT_FINISHED) event.raw_reason = slice(h.first);
    else if (event.kind == ELELEM_EVENT_ERROR) {
        event.error.code = slice(h.first);
        event.error.message = slice(h.second);
    }
    return event;
}

/* Everything an event says, so that two can be compared. */
std::string all_of(const elelem_event &event)
{
    std::string all = std::to_string(event.kind) + ";";

    if (event.kind == ELELEM_EVENT_PART || event.kind == ELELEM_EVENT_FLUSH)
        all += std::to_string(event.index) + "/" + std::to_string(event.choice) + ";";
    if (event.kind == ELELEM_EVENT_PART && event.part.kind != ELELEM_PART_TOOL_CALL)
        all += std::to_string(event.part.kind) + ";" + text_of(event.part.text);
    else if (event.kind == ELELEM_EVENT_PART)
        all += "call" + std::to_string(event.part.tool_call.kind) + ";" + text_of(event.part.tool_call.id) + ";" +
               text_of(event.part.tool_call.name) + ";" + text_of(event.part.tool_call.text);
    if (event.kind == ELELEM_EVENT_FINISHED)
        all += std::to_string(event.reason) + ";" + text_of(event.raw_reason) + ";" + std::to_string(event.usage.input) + ";" +
               std::to_string(event.usage.output) + ";" + std::to_string(event.usage.cached) + ";" +
               std::to_string(event.usage.reasoning);
    if (event.kind == ELELEM_EVENT_ERROR)
        all += std::to_string(event.error.kind) + ";" + std::to_string(event.error.retryable) + ";" +
               std::to_string(event.error.http_status) + ";" + std::to_string(event.error.status) + ";" +
               std::to_string(event.error.retry_after_ms) + ";" + std::to_string(event.error.offset) + ";" +
               text_of(event.error.code) + ";" + text_of(event.error.message);
    for (size_t i = 0; i < event.metadata.count; i++)
        all += "|" + text_of(event.metadata.entries[i].key) + "=" + text_of(event.metadata.entries[i].json);
    return all;
}

std::string all_of(const elelem_record_item &item)
{
    if (item.kind == ELELEM_RECORD_LINE) return "line " + text_of(item.line);
    return all_of(item.event) + "|" + text_of(item.extra) + "|" + std::to_string(item.time_ms);
}

elelem_status append(void *context, const void *bytes, size_t size)
{
    static_cast<std::string *>(context)->append(static_cast<const char *>(bytes), size);
    return ELELEM_OK;
}

std::string recorded(const std::vector<happening> &stream, uint8_t format, const char *extra, int64_t time_ms,
                     std::vector<std::string> *said)
{
    std::string out;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder recorder;
    std::vector<elelem_metadata_entry> entries;

    desc.sink.write = append;
    desc.sink.context = &out;
    desc.format = format;
    desc.extra = elelem_str_of(extra);
    elelem_recorder_init(&recorder, &desc);
    elelem_recorder_time(&recorder, time_ms);
    for (const happening &h : stream) {
        elelem_event event = event_of(h, entries);
        RC_ASSERT(elelem_recorder_push(&recorder, &event) == ELELEM_OK);
        if (said) said->push_back(all_of(event) + "|" + extra + "|" + std::to_string(time_ms));
    }
    elelem_recorder_free(&recorder);
    return out;
}

/* Takes all items there are; the end's name where it has come. */
bool drained(elelem_replayer &replayer, std::vector<std::string> &said)
{
    elelem_record_item item;
    elelem_status status;

    while ((status = elelem_replayer_next(&replayer, &item)) == ELELEM_OK)
        said.push_back(all_of(item));
    if (status == ELELEM_MORE) return false;
    said.push_back(std::string(elelem_status_name(status)) + " " + std::to_string(elelem_replayer_error(&replayer).offset) + " " +
                   std::to_string(elelem_replayer_position(&replayer).offset));
    return true;
}

/* `largest` 0: all in one push. */
std::vector<std::string> replayed(const std::string &bytes, size_t largest)
{
    std::vector<std::string> said;
    elelem_replayer replayer;
    bool over = false;

    elelem_replayer_init(&replayer, nullptr);
    for (size_t at = 0; at < bytes.size() && !over;) {
        size_t size = largest ? *rc::gen::inRange<size_t>(1, largest + 1) : bytes.size();
        std::string piece = bytes.substr(at, size);
        RC_ASSERT(elelem_replayer_push(&replayer, piece.data(), piece.size()) == ELELEM_OK);
        over = drained(replayer, said);
        at += piece.size();
    }
    elelem_replayer_finish(&replayer);
    if (!over) RC_ASSERT(drained(replayer, said));
    elelem_replayer_free(&replayer);
    return said;
}

/* The lines that an event stream carries, by our own decoder. */
std::string decoded(const std::string &bytes, size_t count)
{
    std::string lines;
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    elelem_sse_decoder decoder;
    elelem_frame frame;
    elelem_status status = ELELEM_MORE;
    size_t dispatched = 0;

    elelem_sse_decoder_init(&decoder, &desc);
    for (size_t at = 0; at < bytes.size();) {
        std::string piece = bytes.substr(at, *rc::gen::inRange<size_t>(1, 40));
        elelem_sse_decoder_push(&decoder, piece.data(), piece.size());
        while ((status = elelem_sse_decoder_next(&decoder, &frame)) == ELELEM_OK) {
            if (frame.kind == ELELEM_FRAME_DATA) lines += text_of(frame.text);
            if (frame.kind != ELELEM_FRAME_DISPATCH) continue;
            lines += "\n";
            RC_ASSERT(text_of(frame.id) == std::to_string(++dispatched));
        }
        at += piece.size();
    }
    RC_ASSERT(status == ELELEM_MORE && dispatched == count);
    elelem_sse_decoder_free(&decoder);
    return lines;
}

/* Lines through the coalescer, by way of the replayer. */
std::string coalesced(const std::string &lines)
{
    std::string out;
    elelem_replayer replayer;
    elelem_event_coalescer coalescer;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder recorder;
    elelem_record_item item;

    desc.sink.write = append;
    desc.sink.context = &out;
    elelem_replayer_init(&replayer, nullptr);
    elelem_event_coalescer_init(&coalescer, nullptr);
    elelem_recorder_init(&recorder, &desc);
    elelem_replayer_push(&replayer, lines.data(), lines.size());
    elelem_replayer_finish(&replayer);
    for (bool over = false; !over;) {
        elelem_record_item made;
        elelem_status status = elelem_replayer_next(&replayer, &item);
        RC_ASSERT(status == ELELEM_OK || status == ELELEM_END);
        over = status == ELELEM_END;
        if (over) elelem_event_coalescer_finish(&coalescer);
        else RC_ASSERT(elelem_event_coalescer_push_item(&coalescer, &item) == ELELEM_OK);
        while ((status = elelem_event_coalescer_next(&coalescer, &made)) == ELELEM_OK)
            RC_ASSERT(elelem_recorder_push_item(&recorder, &made) == ELELEM_OK);
        RC_ASSERT(status == (over ? ELELEM_END : ELELEM_MORE));
    }
    elelem_replayer_free(&replayer);
    elelem_event_coalescer_free(&coalescer);
    elelem_recorder_free(&recorder);
    return out;
}

/* All text of each kind, index and choice. */
std::map<std::string, std::string> texts(const std::string &lines)
{
    std::map<std::string, std::string> all;
    elelem_replayer replayer;
    elelem_record_item item;

    elelem_replayer_init(&replayer, nullptr);
    elelem_replayer_push(&replayer, lines.data(), lines.size());
    elelem_replayer_finish(&replayer);
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK)
        if (item.kind == ELELEM_RECORD_EVENT && item.event.kind == ELELEM_EVENT_PART && item.event.part.kind != ELELEM_PART_TOOL_CALL)
            all[std::to_string(item.event.part.kind) + "/" + std::to_string(item.event.index) + "/" + std::to_string(item.event.choice)] +=
                text_of(item.event.part.text);
    elelem_replayer_free(&replayer);
    return all;
}

/* Lines of the application's own among the events. */
std::string mixed(const std::string &lines)
{
    static const std::vector<std::string> own = { "{\"eventType\":\"ToolExecuted\",\"toolName\":\"f\"}\n",
                                                  "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"a\",\"input\":{}}\n",
                                                  "{\"eventType\":\"PartialResponse\"}\n" };
    std::string out;

    for (size_t at = 0; at < lines.size();) {
        size_t end = lines.find('\n', at) + 1;
        out += lines.substr(at, end - at);
        at = end;
        if (*rc::gen::inRange(0, 6) == 0) out += *rc::gen::elementOf(own);
    }
    return out;
}

std::string damaged(std::string bytes)
{
    int times = *rc::gen::inRange(0, 3);

    for (int i = 0; i < times && !bytes.empty(); i++) {
        size_t at = *rc::gen::inRange<size_t>(0, bytes.size());
        switch (*rc::gen::inRange(0, 3)) {
        case 0: bytes.erase(at, 1); break;
        case 1: bytes[at] = *rc::gen::element<char>('\n', '\r', '"', '{', '}', '\\', ' ', '\xff', 'x'); break;
        default: bytes.insert(at, 1, *rc::gen::element<char>('\n', '\r', '"', '{', '}', '\\', ' ', '\xc3', '0')); break;
        }
    }
    return bytes;
}

} // namespace

static int passed, failed;

template <class Law> static void law(const char *name, Law holds)
{
    if (rc::check(name, holds)) passed++;
    else failed++;
}

int main()
{
    law("what was recorded comes back, however it is cut", [] {
        std::vector<happening> stream = any_stream(false);
        std::vector<std::string> said;
        const char *extra = *rc::gen::element("", "\"taskId\":\"t\",\"x\":[1]");
        std::string lines = recorded(stream, ELELEM_RECORD_LINES, extra, any_count(), &said);
        said.push_back("ELELEM_END 0 " + std::to_string(lines.size()));
        RC_ASSERT(replayed(lines, *rc::gen::inRange<size_t>(0, 40)) == said);
    });
    law("an event stream carries the same lines", [] {
        std::vector<happening> stream = any_stream(false);
        std::string lines = recorded(stream, ELELEM_RECORD_LINES, "", -1, nullptr);
        RC_ASSERT(decoded(recorded(stream, ELELEM_RECORD_SSE, "", -1, nullptr), stream.size()) == lines);
    });
    law("a line feed is a line's last byte and stands nowhere else", [] {
        std::vector<happening> stream = any_stream(false);
        std::string lines = recorded(stream, ELELEM_RECORD_LINES, "", -1, nullptr);
        size_t count = 0;
        for (char byte : lines) {
            count += byte == '\n';
            RC_ASSERT(byte == '\n' || static_cast<unsigned char>(byte) >= 0x20);
        }
        RC_ASSERT(count == stream.size());
    });
    law("coalescing keeps every text", [] {
        std::string lines = mixed(recorded(any_stream(true), ELELEM_RECORD_LINES, "", -1, nullptr));
        std::map<std::string, std::string> before = texts(lines);
        RC_ASSERT(texts(coalesced(lines)) == before);
    });
    law("coalescing twice changes nothing", [] {
        std::string once = coalesced(mixed(recorded(any_stream(true), ELELEM_RECORD_LINES, "", -1, nullptr)));
        RC_ASSERT(coalesced(once) == once);
    });
    law("a damaged recording gives the same whole and cut", [] {
        std::string bytes = damaged(mixed(recorded(any_stream(true), ELELEM_RECORD_LINES, "", -1, nullptr)));
        RC_ASSERT(replayed(bytes, *rc::gen::inRange<size_t>(1, 40)) == replayed(bytes, 0));
    });
    std::printf("prop_record: %d passed, %d failed\n", passed, failed);
    return failed > 0;
}
