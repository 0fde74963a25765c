/* What it costs to parse all that came so far again at every delta, which is what clients without an incremental parser do
 * to show arguments while they are written: the arguments of one call, in deltas of 8 bytes. Those who parse again get the
 * text so far with what closes it, and look the string up.
 */
#define ELELEM_STATIC
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "race.h"
#include "texts.h"

#include <cstdio>
#include <cstdlib>

#if __has_include(<rapidjson/document.h>)
#define RAPIDJSON_SSE2
#include <rapidjson/document.h>
#define HAS_RAPIDJSON 1
#endif
#if __has_include(<simdjson.h>)
#include <simdjson.h>
#define HAS_SIMDJSON 1
#endif

namespace {

using std::string;

const size_t delta = 8;

/* A document, and the last place before each delta's end that a string can be closed at: not inside an escape. */
struct arguments {
    string text;
    std::vector<size_t> ends;
};

/* Whether an odd number of backslashes comes before this place. */
bool is_escaped(const string &text, size_t at)
{
    size_t n = 0;
    while (n < at && text[at - 1 - n] == '\\')
        n++;
    return n % 2;
}

bool is_inside_character(const string &text, size_t at)
{
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

arguments arguments_of(size_t bytes)
{
    arguments a;
    a.text = file_arguments(bytes);
    size_t first = a.text.find("\"content\":\"") + 11;
    for (size_t at = delta; at + 2 < a.text.size(); at += delta) {
        size_t end = at;
        while (end > first && (is_escaped(a.text, end) || is_inside_character(a.text, end)))
            end--;
        if (end >= first) a.ends.push_back(end);
    }
    return a;
}

/* Each returns how many bytes of the content it has in the end. */

size_t pushed(const arguments &a)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    size_t bytes = 0;
    elelem_fragment_parser_init(&parser, nullptr);
    in_pieces(a.text, delta, [&](const char *data, size_t size) {
        elelem_fragment_parser_push(&parser, data, size);
        while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
            bytes += elelem_fragment_text(&fragment, "content").size;
        return true;
    });
    elelem_fragment_parser_free(&parser);
    return bytes;
}

/* Calls read(text) for each prefix, closed, and for the whole text. */
template <class Read> size_t prefixes(const arguments &a, Read read)
{
    static string closed;
    closed.reserve(a.text.size() + 100);
    for (size_t end : a.ends) {
        closed.assign(a.text, 0, end);
        closed += "\"}";
        read(closed);
    }
    return read(a.text);
}

size_t library_again(const arguments &a)
{
    return prefixes(a, [](const string &text) {
        elelem_json json;
        elelem_str whole = { text.data(), text.size() };
        size_t size = elelem_value_text(elelem_value_get(elelem_json_read(&json, whole, nullptr), "content")).size;
        elelem_json_free(&json);
        return size;
    });
}

#ifdef HAS_RAPIDJSON
size_t rapidjson_again(const arguments &a)
{
    return prefixes(a, [](const string &text) {
        rapidjson::Document document;
        document.Parse(text.c_str());
        return document.HasParseError() ? size_t(0) : size_t(document["content"].GetStringLength());
    });
}
#endif

#ifdef HAS_SIMDJSON
size_t simdjson_again(const arguments &a)
{
    static simdjson::dom::parser parser;
    return prefixes(a, [](const string &text) {
        std::string_view content;
        return parser.parse(text)["content"].get(content) ? size_t(0) : content.size();
    });
}
#endif

const struct {
    const char *name;
    size_t (*run)(const arguments &);
} all[] = {
    { "elelem", pushed },
    { "elelem_json_read again", library_again },
#ifdef HAS_RAPIDJSON
    { "RapidJSON again", rapidjson_again },
#endif
#ifdef HAS_SIMDJSON
    { "simdjson again", simdjson_again },
#endif
};

void race_size(report &out, size_t bytes)
{
    arguments a = arguments_of(bytes);
    std::vector<entrant> entrants;
    for (const auto &who : all) {
        if (who.run(a) != all[0].run(a)) {
            out.comment(string(who.name) + ", prefixes: another text; not raced");
            continue;
        }
        entrants.push_back({ who.name, a.text.size(), [&a, &who] { who.run(a); } });
    }
    race_rows(out, "prefix", "arguments", std::to_string(delta), entrants, bytes < 50000 ? 7 : 3);
}

} // namespace

void race_prefixes(report &out)
{
    for (size_t kilobytes = 1; kilobytes <= 128; kilobytes *= 2)
        race_size(out, kilobytes * 1000);
}
