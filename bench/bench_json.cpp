/* bench_json: how fast JSON is parsed, pushed in pieces of several sizes and whole, compared
 * with parsers that are Debian packages. All in one run, rounds interleaved, the median of
 * each; process CPU time.
 *
 *     build/bench_json [CORPUS]        the folder with twitter.json, citm_catalog.json, canada.json
 *     build/bench_json --once PEER DOCUMENT PIECE     one parse, for count.sh: counted, not timed
 *
 * link: -lyajl -ljson-c -lwebsockets -lboost_json -lsimdjson
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <json-c/json.h>
#include <libwebsockets.h>
#include <rapidjson/reader.h>
#include <simdjson.h>
#include <yajl/yajl_parse.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

double now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/* Everything that a parser returns is added here, so that the compiler cannot leave out any work. */
struct tally {
    size_t bytes = 0, values = 0;
};

/* Each parser takes the text in pieces and returns whether it took all of it. */
using parse = bool (*)(const std::string &text, size_t piece, tally &);

size_t cut(const std::string &text, size_t at, size_t piece)
{
    return std::min(piece, text.size() - at);
}

bool ours(const std::string &text, size_t piece, tally &t, bool doubles)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_status status = ELELEM_MORE;
    elelem_fragment_parser_init(&parser, nullptr);
    for (size_t at = 0; at < text.size() && status == ELELEM_MORE; at += piece) {
        elelem_fragment_parser_push(&parser, text.data() + at, cut(text, at, piece));
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK) {
            t.bytes += fragment.text.size;
            t.values += fragment.kind;
            if (doubles && fragment.kind == ELELEM_FRAGMENT_SCALAR && fragment.type == ELELEM_TYPE_NUMBER) {
                double number = 0;
                elelem_number_to_double(fragment.text, &number);
                t.values += number > 1;
            }
        }
    }
    elelem_fragment_parser_free(&parser);
    return status == ELELEM_END;
}

bool ours_text(const std::string &text, size_t piece, tally &t)
{
    return ours(text, piece, t, false);
}

bool ours_doubles(const std::string &text, size_t piece, tally &t)
{
    return ours(text, piece, t, true);
}

struct boost_handler {
    static constexpr size_t max_object_size = size_t(-1), max_array_size = size_t(-1), max_key_size = size_t(-1),
                            max_string_size = size_t(-1);
    tally *t;
    using code = boost::json::error_code;
    using text = boost::json::string_view;
    bool on_document_begin(code &) { return true; }
    bool on_document_end(code &) { return true; }
    bool on_object_begin(code &) { return true; }
    bool on_object_end(size_t, code &) { return ++t->values; }
    bool on_array_begin(code &) { return true; }
    bool on_array_end(size_t, code &) { return ++t->values; }
    bool on_key_part(text s, size_t, code &) { return take(s); }
    bool on_key(text s, size_t, code &) { return take(s); }
    bool on_string_part(text s, size_t, code &) { return take(s); }
    bool on_string(text s, size_t, code &) { return take(s); }
    bool on_number_part(text, code &) { return true; }
    bool on_int64(int64_t, text, code &) { return ++t->values; }
    bool on_uint64(uint64_t, text, code &) { return ++t->values; }
    bool on_double(double d, text, code &) { return t->values += 1 + (d > 1); }
    bool on_bool(bool, code &) { return ++t->values; }
    bool on_null(code &) { return ++t->values; }
    bool on_comment_part(text, code &) { return true; }
    bool on_comment(text, code &) { return true; }
    bool take(text s)
    {
        t->bytes += s.size();
        return true;
    }
};

bool boost_json(const std::string &text, size_t piece, tally &t)
{
    boost::json::parse_options options;
    boost::json::basic_parser<boost_handler> parser(options);
    boost::json::error_code error;
    parser.handler().t = &t;
    for (size_t at = 0; at < text.size() && !error; at += piece)
        parser.write_some(at + piece < text.size(), text.data() + at, cut(text, at, piece), error);
    return !error && parser.done();
}

int yajl_take(void *t, const unsigned char *, size_t size)
{
    static_cast<tally *>(t)->bytes += size;
    return 1;
}

int yajl_number(void *t, const char *, size_t)
{
    return int(++static_cast<tally *>(t)->values);
}

bool yajl(const std::string &text, size_t piece, tally &t)
{
    static yajl_callbacks callbacks = { nullptr, nullptr, nullptr, nullptr, yajl_number, yajl_take,
                                        nullptr, yajl_take, nullptr, nullptr, nullptr };
    yajl_handle handle = yajl_alloc(&callbacks, nullptr, &t);
    bool good = true;
    for (size_t at = 0; at < text.size() && good; at += piece)
        good = yajl_parse(handle, reinterpret_cast<const unsigned char *>(text.data()) + at, cut(text, at, piece)) ==
               yajl_status_ok;
    good = good && yajl_complete_parse(handle) == yajl_status_ok;
    yajl_free(handle);
    return good;
}

bool json_c(const std::string &text, size_t piece, tally &t)
{
    json_tokener *tokener = json_tokener_new();
    json_object *value = nullptr;
    for (size_t at = 0; at < text.size() && !value; at += piece)
        value = json_tokener_parse_ex(tokener, text.data() + at, int(cut(text, at, piece)));
    t.values += value != nullptr;
    json_object_put(value);
    json_tokener_free(tokener);
    return value != nullptr;
}

signed char lejp_take(lejp_ctx *context, char reason)
{
    tally *t = static_cast<tally *>(context->user);
    if (reason & LEJP_FLAG_CB_IS_VALUE) t->bytes += context->npos;
    return 0;
}

bool lejp(const std::string &text, size_t piece, tally &t)
{
    static const char *const paths[] = { "content" };
    lejp_ctx context;
    int left = LEJP_CONTINUE;
    lejp_construct(&context, lejp_take, &t, paths, 1);
    for (size_t at = 0; at < text.size() && left == LEJP_CONTINUE; at += piece)
        left = lejp_parse(&context, reinterpret_cast<const unsigned char *>(text.data()) + at, int(cut(text, at, piece)));
    lejp_destruct(&context);
    return left >= 0;
}

struct rapid_handler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, rapid_handler> {
    tally *t;
    bool String(const char *, rapidjson::SizeType size, bool)
    {
        t->bytes += size;
        return true;
    }
    bool Default() { return ++t->values; }
};

bool rapid(const std::string &text, size_t, tally &t)
{
    rapidjson::Reader reader;
    rapid_handler handler;
    rapidjson::StringStream stream(text.c_str());
    handler.t = &t;
    return bool(reader.Parse<rapidjson::kParseValidateEncodingFlag>(stream, handler));
}

bool simd(const std::string &text, size_t, tally &t)
{
    static simdjson::dom::parser parser;
    simdjson::dom::element element;
    bool good = parser.parse(text).get(element) == simdjson::SUCCESS;
    t.values += good;
    return good;
}

struct peer {
    const char *name;
    parse run;
    bool whole_only;
    bool quadratic; /* in long strings pushed in small pieces */
};

const peer peers[] = {
    { "elelem", ours_text, false, false },      { "elelem+doubles", ours_doubles, false, false },
    { "Boost.JSON", boost_json, false, false }, { "yajl", yajl, false, true },
    { "json-c", json_c, false, true },          { "lejp", lejp, false, false },
    { "RapidJSON", rapid, true, false },        { "simdjson", simd, true, false },
};

struct document {
    std::string name, text;
    bool long_strings;
};

std::string source_text(size_t size)
{
    static const char *const lines[] = {
        "    if (value == NULL) return -1;   /* nothing to do */\\n",
        "    printf(\\\"%d of %d done so far\\\", count, total);\\n",
        "static int compute_something_useful(int first, int second)\\n",
        "    result = first * second + offset_of(result) - 17;\\n",
    };
    std::string text = "{\"path\":\"src/main.c\",\"content\":\"";
    for (size_t i = 0; text.size() < size; i++)
        text += lines[i % 4];
    return text + "\"}";
}

std::string repeated(const std::string &start, const std::string &pattern, const std::string &end, size_t size)
{
    std::string text = start;
    while (text.size() < size)
        text += pattern;
    return text + end;
}

std::string read_file(const std::string &name)
{
    std::ifstream file(name, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<document> documents(const std::string &corpus)
{
    std::string arguments = "{\"path\":\"src/level.lua\",\"line\":12,\"flags\":[true,false,null],"
                            "\"edit\":{\"old\":\"speed = 4\",\"new\":\"speed = 5\"}}";
    std::vector<document> all = {
        { "tool arguments", source_text(1000000), true },
        { "text without escapes", repeated("\"", "The quick brown fox jumps over it. ", "\"", 1000000), true },
        { "Russian", repeated("\"", "Съешь ещё этих мягких французских булок. ", "\"", 1000000), true },
        { "Chinese", repeated("\"", "天地玄黄宇宙洪荒日月盈昃辰宿列张，", "\"", 1000000), true },
        { "small objects", repeated("[" + arguments, "," + arguments, "]", 1000000), false },
    };
    for (const char *name : { "twitter", "citm_catalog", "canada" }) {
        std::string text = read_file(corpus + "/" + name + ".json");
        while (!text.empty() && strchr(" \n\r\t", text.back()))
            text.pop_back();
        if (!text.empty()) all.push_back({ name, text, false });
    }
    return all;
}

double median(std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void measure(const document &d, size_t piece, int rounds)
{
    std::vector<std::vector<double>> times(std::size(peers));
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < std::size(peers); i++) {
            const peer &p = peers[i];
            tally t;
            if (piece < d.text.size() && (p.whole_only || (p.quadratic && d.long_strings && piece < 4096))) continue;
            if (p.run == ours_doubles && d.name != "canada") continue;
            double start = now();
            bool good = p.run(d.text, std::min(piece, d.text.size()), t);
            times[i].push_back(good ? now() - start : 0);
        }
    printf("%-22s %8s ", d.name.c_str(), piece < d.text.size() ? std::to_string(piece).c_str() : "whole");
    for (size_t i = 0; i < std::size(peers); i++)
        if (!times[i].empty() && median(times[i]) > 0)
            printf("  %s %.0f", peers[i].name, double(d.text.size()) / median(times[i]) / 1e6);
    printf("\n");
}

/* The cost of a push, compared with a call through a pointer and with a memcpy. */
typedef void (*nothing)(void);
void do_nothing() {}

double per_call(size_t calls, double start)
{
    return (now() - start) / double(calls) * 1e9;
}

void measure_calls()
{
    volatile nothing call = do_nothing;
    std::string text = source_text(4000000);
    char piece[8];
    size_t calls = text.size() / 8;
    double start = now();
    for (size_t i = 0; i < 10 * calls; i++)
        call();
    double empty = per_call(10 * calls, start);
    volatile size_t eight = 8;
    start = now();
    for (size_t i = 0; i < calls; i++)
        memcpy(piece, text.data() + i * 8, eight);
    double copy = per_call(calls, start);
    for (size_t size : { size_t(1), size_t(8) }) {
        tally t;
        std::string part = text.substr(0, text.size() * size / 8);
        start = now();
        ours(part, size, t, false);
        printf("a push of %zu bytes: %.1f ns; a call through a pointer %.1f, a memcpy of 8 bytes %.1f\n", size,
               per_call(part.size() / size, start), empty, copy);
    }
    for (size_t size : { size_t(100000), size_t(1000000), size_t(10000000) }) {
        tally t;
        std::string whole = source_text(size);
        double best = 1e9;
        for (int i = 0; i < 9; i++) {
            start = now();
            ours(whole, 8, t, false);
            best = std::min(best, per_call(whole.size() / 8, start));
        }
        printf("a push of 8 bytes in a document of %zu: %.2f ns\n", size, best);
    }
}

} // namespace

/* What callgrind counts, by this name. */
extern "C" __attribute__((noinline)) bool counted(const peer &p, const std::string &text, size_t piece)
{
    tally t;
    bool good = p.run(text, piece, t);
    return good && t.bytes + t.values > 0;
}

namespace {

/* Prints how many bytes were parsed, by which the count is divided; 0 if the peer does not accept the document. */
int run_once(const std::string &folder, const std::string &name, const std::string &document_name, size_t piece)
{
    for (const document &d : documents(folder))
        for (const peer &p : peers)
            if (d.name == document_name && p.name == name)
                printf("bytes %zu\n", counted(p, d.text, std::min(piece, d.text.size())) ? d.text.size() : 0);
    return 0;
}

} // namespace

int main(int count, char **words)
{
    const char *corpus = getenv("ELELEM_CORPUS");
    std::string folder = std::string(corpus ? corpus : "../shared/corpus") + "/bench";
    if (count == 5 && !strcmp(words[1], "--once"))
        return run_once(folder, words[2], words[3], std::strtoul(words[4], nullptr, 10));
    if (count > 1) folder = words[1];
    printf("MB/s, medians\n");
    for (const document &d : documents(folder))
        for (size_t piece : { size_t(1), size_t(8), size_t(16), size_t(64), size_t(1024), size_t(-1) })
            measure(d, piece, 9);
    measure_calls();
    return 0;
}
