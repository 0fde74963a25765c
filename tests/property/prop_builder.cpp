/* One law of the event builder: items and progress are a function of what was written,
 * not of how it was cut into parts or how parts of different items are mixed; and only
 * JSON that is whole and was flushed ever looks whole.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <rapidcheck.h>

namespace {

/* An item as the model writes it. */
struct writing {
    int kind;
    std::string text;
    int flushed;
};

struct result {
    std::map<uint32_t, std::string> items;
    std::map<uint32_t, std::string> progress;
    std::map<uint32_t, bool> complete;
};

std::string text_of(elelem_str slice)
{
    return std::string(slice.data ? slice.data : "", slice.size);
}

std::string written(const elelem_item &item)
{
    elelem_allocator plain = ELELEM_INIT;
    elelem_buffer buffer;
    elelem_writer writer;

    elelem_buffer_init(&buffer, plain, 0);
    elelem_writer_init(&writer, elelem_buffer_sink(&buffer), 0);
    elelem_item_write(&writer, &item);
    std::string text = text_of(elelem_buffer_text(&buffer));
    elelem_buffer_free(&buffer);
    return text;
}

/* One fragment as a line; pieces of one string are joined. */
void add_progress(std::string &log, const elelem_fragment &fragment)
{
    std::string place;

    for (size_t i = 0; i < fragment.path->count; i++) {
        const elelem_segment &segment = fragment.path->segments[i];
        place += segment.key.data ? "." + text_of(segment.key) : "[" + std::to_string(segment.index) + "]";
    }
    bool is_string = fragment.kind == ELELEM_FRAGMENT_STRING;
    bool goes_on = is_string && log.size() > 1 && log.substr(log.size() - 2) == "\"\n";

    if (goes_on) log.resize(log.size() - 2);
    else log += place + " " + std::to_string(fragment.kind) + (is_string ? " \"" : " ");
    log += text_of(fragment.text) + (is_string ? "\"\n" : "\n");
}

void take(elelem_event_builder *builder, result &result)
{
    elelem_built built;

    while (elelem_event_builder_next(builder, &built) == ELELEM_OK) {
        if (built.kind == ELELEM_BUILT_PROGRESS) {
            add_progress(result.progress[built.progress.index], built.progress.fragment);
            RC_ASSERT(!elelem_value_is_complete(elelem_event_builder_arguments(builder, built.progress.index)));
            continue;
        }
        result.items[built.item.index] = written(built.item);
        elelem_value value =
            built.item.kind == ELELEM_PART_TOOL_CALL ? built.item.tool_call.arguments : built.item.value;
        result.complete[built.item.index] = elelem_value_is_complete(value) != 0;
        RC_ASSERT(built.item.state != ELELEM_ITEM_OPEN);
        RC_ASSERT(!elelem_value_is_complete(value) || built.item.state == ELELEM_ITEM_COMPLETE);
    }
}

/* Pushes a copy of just these bytes. */
void push(elelem_event_builder *builder, result &result, uint32_t index, int kind, const std::string &text)
{
    elelem_event event = ELELEM_INIT;
    char *copy = static_cast<char *>(std::malloc(text.size() + !text.size()));
    elelem_str slice = { copy, text.size() };

    text.copy(copy, text.size());
    event.kind = ELELEM_EVENT_PART;
    event.index = index;
    event.part.kind = static_cast<uint8_t>(kind);
    event.part.text = slice;
    event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
    event.part.tool_call.text = slice;
    RC_ASSERT(elelem_event_builder_push(builder, &event) == ELELEM_OK);
    take(builder, result);
    std::free(copy);
}

void flush(elelem_event_builder *builder, result &result, uint32_t index)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_FLUSH;
    event.index = index;
    RC_ASSERT(elelem_event_builder_push(builder, &event) == ELELEM_OK);
    take(builder, result);
}

/* Plays all writings, in turns of what `turns` says: whose, and how many bytes. Then flushes or drains. */
result play(const std::vector<writing> &writings, const std::vector<std::pair<size_t, size_t>> &turns)
{
    elelem_event_builder builder;
    elelem_event_builder_desc desc = ELELEM_INIT;
    std::vector<size_t> at(writings.size(), 0);
    result result;

    desc.keep_argument_text = 1;
    elelem_event_builder_init(&builder, &desc);
    auto go = [&](size_t which, size_t size) {
        const writing &w = writings[which];
        size_t end = std::min(at[which] + size, w.text.size());
        while (end < w.text.size() && (w.text[end] & 0xc0) == 0x80)
            end++;
        push(&builder, result, static_cast<uint32_t>(which), w.kind, w.text.substr(at[which], end - at[which]));
        at[which] = end;
    };
    for (const auto &turn : turns)
        go(turn.first % writings.size(), turn.second);
    for (size_t i = 0; i < writings.size(); i++) {
        go(i, writings[i].text.size());
        if (writings[i].flushed) flush(&builder, result, static_cast<uint32_t>(i));
    }
    elelem_event_builder_drain(&builder);
    take(&builder, result);
    elelem_event_builder_free(&builder);
    return result;
}

/* JSON and what is nearly JSON. */
std::string json_text(int depth);

std::string json_leaf()
{
    return *rc::gen::element<std::string>("null", "true", "-12.50e3", "0", "\"\"", "\"text\"",
                                          "\"\\u00e9\\ud83d\\ude00\\n\"", "\"\xc3\xa9\"", "{}", "[]", "", "tru",
                                          "01", "\"\\x\"", "{\"a\"}", "\"open");
}

std::string json_text(int depth)
{
    int kind = depth > 3 ? 0 : *rc::gen::inRange(0, 4);
    int count = *rc::gen::inRange(1, 4);
    std::string text;

    if (kind < 2) return json_leaf();
    for (int i = 0; i < count; i++) {
        std::string key = kind == 2 ? "\"k" + std::to_string(i) + "\" : " : std::string();
        text += (i > 0 ? ", " : " ") + key + json_text(depth + 1);
    }
    return kind == 2 ? "{" + text + "}" : "[" + text + " ]";
}

/* By the parser alone: nonzero if the text is one value; blank text is one of a tool call. */
bool is_whole(const writing &w)
{
    elelem_fragment_parser parser;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment fragment;
    elelem_status status;

    if (w.text.find_first_not_of(" \t\r\n") == std::string::npos) return w.kind == ELELEM_PART_TOOL_CALL;
    desc.single_document = 1;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, w.text.data(), w.text.size());
    elelem_fragment_parser_finish(&parser);
    while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
        ;
    elelem_fragment_parser_free(&parser);
    return status == ELELEM_END;
}

std::vector<writing> some_writings()
{
    std::vector<writing> writings(*rc::gen::inRange<size_t>(1, 6));

    for (writing &w : writings) {
        w.kind = *rc::gen::inRange<int>(ELELEM_PART_MESSAGE, ELELEM_PART_TOOL_CALL + 1);
        w.text = json_text(0) + *rc::gen::element<std::string>("", "", "", " ", "\n", "x", "}");
        w.flushed = *rc::gen::inRange(0, 3) > 0;
    }
    return writings;
}

} // namespace

int main()
{
    int passed = 0, failed = 0;
    auto check = [&](const char *law, void (*test)()) { rc::check(law, test) ? passed++ : failed++; };

    check("cuts and turns change nothing", [] {
        std::vector<writing> writings = some_writings();
        auto turns = *rc::gen::container<std::vector<std::pair<size_t, size_t>>>(
            rc::gen::pair(rc::gen::inRange<size_t>(0, 6), rc::gen::inRange<size_t>(0, 7)));
        result whole = play(writings, {});
        result cut = play(writings, turns);
        RC_ASSERT(cut.items == whole.items);
        RC_ASSERT(cut.progress == whole.progress);
    });
    check("what looks whole is whole and was flushed", [] {
        std::vector<writing> writings = some_writings();
        result result = play(writings, {});
        for (size_t i = 0; i < writings.size(); i++) {
            const writing &w = writings[i];
            if (w.kind != ELELEM_PART_TOOL_CALL && w.kind != ELELEM_PART_STRUCTURED) continue;
            RC_ASSERT(result.complete[static_cast<uint32_t>(i)] == (w.flushed && is_whole(w)));
        }
    });
    std::printf("prop_builder: %d passed, %d failed\n", passed, failed);
    return failed > 0;
}
