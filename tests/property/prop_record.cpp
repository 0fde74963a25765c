/* Laws of the record: recorded and replayed, as lines or as an event stream, events come
 * back as they were however the bytes are cut, and what came back is recorded as it was;
 * a client continues after any frame; coalescing keeps every text, and doing it twice
 * changes nothing; damaged recordings give the same whole and cut; whatever a recorder takes
 * a replayer reads, and what it refuses leaves nothing.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "happening.h"

namespace {

/* What a recorder is given: an event at a time, or a line of the application's own. */
struct step {
    happening h;
    int64_t time_ms;
    std::string own;
};

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
    h.event.usage.cache_written = any_count();
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

step any_step(bool few)
{
    static const std::vector<std::string> own = { "{\"eventType\":\"ToolExecuted\",\"toolName\":\"f\"}",
                                                  "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"a\",\"input\":{}}",
                                                  "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"toolName\":\"a\",\"metadata\":{\"a\":[1]}}",
                                                  "{\"eventType\":\"PartialResponse\"}",
                                                  "{\"a\":[ 1,{\"\\n\":\"}\"}],\"timeMs\":7}",
                                                  "{}" };
    step s = step();

    s.time_ms = -1;
    if (*rc::gen::inRange(0, 7) == 0) s.own = *rc::gen::elementOf(own);
    else s.h = any_happening(few);
    return s;
}

std::vector<step> any_stream(bool few)
{
    std::vector<step> stream;
    int count = *rc::gen::inRange(0, 30);

    for (int i = 0; i < count; i++)
        stream.push_back(any_step(few));
    return stream;
}

std::vector<step> at_any_times(std::vector<step> stream)
{
    for (step &s : stream)
        s.time_ms = any_count();
    return stream;
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
               std::to_string(event.usage.reasoning) + ";" + std::to_string(event.usage.cache_written);
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

std::string recorded(const std::vector<step> &stream, uint8_t format, const char *extra = "",
                     std::vector<std::string> *said = nullptr)
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
    for (const step &s : stream) {
        elelem_event event = event_of(s.h, entries);
        elelem_recorder_time(&recorder, s.time_ms);
        if (s.own.empty()) RC_ASSERT(elelem_recorder_push(&recorder, &event) == ELELEM_OK);
        else RC_ASSERT(elelem_recorder_push_line(&recorder, slice(s.own)) == ELELEM_OK);
        if (said) said->push_back(!s.own.empty() ? "line " + s.own : all_of(event) + "|" + extra + "|" + std::to_string(s.time_ms));
    }
    elelem_recorder_free(&recorder);
    return out;
}

std::string lines_of(const std::vector<step> &stream)
{
    return recorded(stream, ELELEM_RECORD_LINES);
}

/* Takes all items there are; the end's name if it has come. */
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

/* What a replayer returns after the first items, recorded again. */
std::string recorded_again(const std::string &lines, uint8_t format, uint64_t first)
{
    std::string out;
    elelem_replayer_desc from = ELELEM_INIT;
    elelem_recorder_desc to = ELELEM_INIT;
    elelem_replayer replayer;
    elelem_recorder recorder;
    elelem_record_item item;

    to.sink.write = append;
    to.sink.context = &out;
    to.format = format;
    to.first = from.first = first;
    elelem_replayer_init(&replayer, &from);
    elelem_recorder_init(&recorder, &to);
    elelem_replayer_push(&replayer, lines.data(), lines.size());
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK)
        RC_ASSERT(elelem_recorder_push_item(&recorder, &item) == ELELEM_OK);
    elelem_replayer_free(&replayer);
    elelem_recorder_free(&recorder);
    return out;
}

/* An event stream after its first frames. */
std::string after(const std::string &frames, uint64_t count)
{
    size_t at = 0;

    for (; count > 0; count--)
        at = frames.find("\n\n", at) + 2;
    return frames.substr(at);
}

/* The plain text of a stream, recorded, and replayed after `first` bytes. */
std::string plain_text(const std::vector<step> &stream, size_t first, size_t largest)
{
    std::string text = recorded(stream, ELELEM_RECORD_TEXT), said;
    elelem_replayer_desc desc = ELELEM_INIT;
    elelem_replayer replayer;
    elelem_record_item item;

    desc.format = ELELEM_RECORD_TEXT;
    desc.first = first;
    elelem_replayer_init(&replayer, &desc);
    for (size_t at = 0; at < text.size();) {
        std::string piece = text.substr(at, *rc::gen::inRange<size_t>(1, largest + 1));
        elelem_replayer_push(&replayer, piece.data(), piece.size());
        while (elelem_replayer_next(&replayer, &item) == ELELEM_OK)
            said += text_of(item.event.part.text);
        at += piece.size();
    }
    elelem_replayer_finish(&replayer);
    RC_ASSERT(elelem_replayer_next(&replayer, &item) == ELELEM_END);
    elelem_replayer_free(&replayer);
    return said;
}

/* The message text of choice 0. */
std::string message_of(const std::vector<step> &stream)
{
    std::string text;

    for (const step &s : stream)
        if (s.own.empty() && s.h.event.kind == ELELEM_EVENT_PART && s.h.event.part.kind == ELELEM_PART_MESSAGE && s.h.event.choice == 0)
            text += s.h.first;
    return text;
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

/* Bytes that are mostly no text and JSON that is mostly none. */
std::string any_bytes()
{
    return *rc::gen::container<std::string>(rc::gen::oneOf(rc::gen::arbitrary<char>(), rc::gen::element<char>('"', '\\', '{', '\xc3', '\n')));
}

std::string any_hostile_json()
{
    static const std::vector<std::string> pieces = { "{", "}", "[", "]", "\"", "\\", "a", ":", ",", "1", "-", "null", " ", "\n",
                                                     "\"a\":", "\"\\u0041\"", "\\ud800", std::string(200, '['), std::string(200, ']') };
    std::string text;
    size_t depth = *rc::gen::element<size_t>(1, 510, 512, 513, 514);

    if (*rc::gen::inRange(0, 3) == 0) return std::string(depth, '[') + std::string(depth, ']');
    if (*rc::gen::inRange(0, 2) == 0) return any_json();
    for (const std::string &piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)))
        text += piece;
    return text;
}

happening any_hostile()
{
    happening h = any_happening(true);
    int entries = *rc::gen::weightedElement<int>({ { 3, 0 }, { 3, 1 }, { 1, 3 } });

    if (*rc::gen::inRange(0, 10) == 0) h.event.kind = *rc::gen::arbitrary<uint8_t>();
    if (*rc::gen::inRange(0, 10) == 0) h.event.part.kind = *rc::gen::arbitrary<uint8_t>();
    if (*rc::gen::inRange(0, 10) == 0) h.event.part.tool_call.kind = *rc::gen::arbitrary<uint8_t>();
    h.event.reason = *rc::gen::arbitrary<uint8_t>();
    h.event.cut_off = *rc::gen::arbitrary<uint8_t>();
    h.event.error.kind = *rc::gen::arbitrary<uint8_t>();
    h.event.error.retryable = *rc::gen::arbitrary<uint8_t>();
    h.event.error.status = *rc::gen::inRange<int32_t>(-30, 10);
    h.event.error.retry_after_ms = *rc::gen::arbitrary<int64_t>();
    h.event.usage.input = *rc::gen::arbitrary<int64_t>();
    h.first = any_bytes();
    h.second = any_bytes();
    for (int i = 0; i < entries; i++)
        h.metadata.emplace_back(any_bytes(), any_hostile_json());
    return h;
}

std::string any_extra()
{
    return *rc::gen::element<std::string>("", "", "\"x\":1", "\"\\n\" : [ ]", "\"chunk\":\"y\"", "\"inde\\u0078\":3", "\"i\\u006ed\":{}",
                                          "\"eventType\":1", "\"timeMs\":\"\"", "\"a\":1}", "x", "\"kind\":0", "\"cutOff\":true");
}

/* Every line of what was written is one event that is written again as it was. */
void reads_as_events(const std::string &lines, size_t count)
{
    std::string again;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder recorder;
    elelem_replayer replayer;
    elelem_record_item item;
    elelem_status status;

    desc.sink.write = append;
    desc.sink.context = &again;
    elelem_recorder_init(&recorder, &desc);
    elelem_replayer_init(&replayer, nullptr);
    elelem_replayer_push(&replayer, lines.data(), lines.size());
    elelem_replayer_finish(&replayer);
    while ((status = elelem_replayer_next(&replayer, &item)) == ELELEM_OK) {
        RC_ASSERT(item.kind == ELELEM_RECORD_EVENT);
        RC_ASSERT(elelem_recorder_push_item(&recorder, &item) == ELELEM_OK);
        count--;
    }
    RC_ASSERT(status == ELELEM_END && count == 0);
    elelem_replayer_free(&replayer);
    elelem_recorder_free(&recorder);
    RC_LOG() << lines << "--again\n" << again;
    RC_ASSERT(again == lines);
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
        std::vector<step> stream = at_any_times(any_stream(false));
        std::vector<std::string> said;
        const char *extra = *rc::gen::element("", "\"taskId\":\"t\",\"x\":[1]");
        std::string lines = recorded(stream, ELELEM_RECORD_LINES, extra, &said);
        said.push_back("ELELEM_END 0 " + std::to_string(lines.size()));
        RC_ASSERT(replayed(lines, *rc::gen::inRange<size_t>(0, 40)) == said);
    });
    law("what comes back is recorded as it was", [] {
        const char *extra = *rc::gen::element("", "\"taskId\":\"t\",\"x\":[1]");
        std::string lines = recorded(at_any_times(any_stream(false)), ELELEM_RECORD_LINES, extra);
        RC_ASSERT(recorded_again(lines, ELELEM_RECORD_LINES, 0) == lines);
    });
    law("an event stream carries the same lines", [] {
        std::vector<step> stream = at_any_times(any_stream(false));
        RC_ASSERT(decoded(recorded(stream, ELELEM_RECORD_SSE), stream.size()) == lines_of(stream));
    });
    law("a client that comes again after any frame gets the others as they were", [] {
        std::vector<step> stream = at_any_times(any_stream(false));
        uint64_t seen = *rc::gen::inRange<uint64_t>(0, stream.size() + 1);
        std::string rest = recorded_again(lines_of(stream), ELELEM_RECORD_SSE, seen);
        RC_ASSERT(rest == after(recorded(stream, ELELEM_RECORD_SSE), seen));
    });
    law("plain text is the message of choice 0, and comes back after any character", [] {
        std::vector<step> stream = any_stream(true);
        std::string text = message_of(stream);
        size_t first = *rc::gen::inRange<size_t>(0, text.size() + 1);
        while (first < text.size() && (text[first] & 0xc0) == 0x80)
            first++;
        RC_ASSERT(plain_text(stream, first, *rc::gen::element<size_t>(1, 3, 20)) == text.substr(first));
    });
    law("a line feed is a line's last byte and stands nowhere else", [] {
        std::vector<step> stream = any_stream(false);
        std::string lines = lines_of(stream);
        size_t count = 0;
        for (char byte : lines) {
            count += byte == '\n';
            RC_ASSERT(byte == '\n' || static_cast<unsigned char>(byte) >= 0x20);
        }
        RC_ASSERT(count == stream.size());
    });
    law("coalescing keeps every text", [] {
        std::string lines = lines_of(any_stream(true));
        std::map<std::string, std::string> before = texts(lines);
        RC_ASSERT(texts(coalesced(lines)) == before);
    });
    law("coalescing twice changes nothing", [] {
        std::string lines = lines_of(any_stream(true));
        std::string once = coalesced(lines);
        RC_LOG() << lines << "--once\n" << once;
        RC_ASSERT(coalesced(once) == once);
    });
    law("a damaged recording gives the same whole and cut", [] {
        std::string bytes = damaged(lines_of(any_stream(true)));
        RC_ASSERT(replayed(bytes, *rc::gen::inRange<size_t>(1, 40)) == replayed(bytes, 0));
    });
    law("what a recorder takes is read as the same event, and what it refuses leaves nothing", [] {
        std::string out;
        elelem_recorder_desc desc = ELELEM_INIT;
        elelem_recorder recorder;
        std::vector<elelem_metadata_entry> entries;
        size_t taken = 0;
        int count = *rc::gen::inRange(1, 10);
        desc.sink.write = append;
        desc.sink.context = &out;
        elelem_recorder_init(&recorder, &desc);
        for (int i = 0; i < count; i++) {
            happening h = any_hostile();
            std::string before = out, extra = any_extra();
            elelem_record_item item = ELELEM_INIT;
            item.event = event_of(h, entries);
            item.extra = slice(extra);
            item.time_ms = -1;
            bool is_item = *rc::gen::arbitrary<bool>();
            elelem_status status = is_item ? elelem_recorder_push_item(&recorder, &item) : elelem_recorder_push(&recorder, &item.event);
            if (status == ELELEM_OK) taken++;
            else RC_ASSERT(out == before);
        }
        RC_ASSERT(elelem_recorder_count(&recorder) == taken);
        elelem_recorder_free(&recorder);
        reads_as_events(out, taken);
    });
    std::printf("prop_record: %d passed, %d failed\n", passed, failed);
    return failed > 0;
}
