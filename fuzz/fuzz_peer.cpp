/* The same bytes to the library and to RapidJSON (Debian's rapidjson-dev), which must agree
 * on whether they are JSON, and on every key, string, literal and number in order.
 * Numbers are compared as text; fuzz_number.c compares doubles. The library takes no more memory than the desc
 * allows, and steps in proportion to the bytes.
 *
 * Inputs for which RapidJSON differs from RFC 8259 are skipped:
 * - a zero byte ends its input (is_cut_by_zero);
 * - it takes the low half of a surrogate pair without a high one (is_lone_low);
 * - it refuses numbers beyond the largest double, some that are not beyond it, such as
 *   0e309 (is_too_big; everything before that number must still agree). */
#include "elelem_stream.h"

extern "C" {
#include "../tests/work_law.h"
}

/* Undefined behaviour of the peer is not searched for. */
#pragma clang attribute push(__attribute__((no_sanitize("undefined"))), apply_to = function)
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#pragma clang attribute pop

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace json = rapidjson;

#define LARGEST 4096
#define STEPS_ALWAYS 15000u
#define STEPS_PER_BYTE 25u

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool held)
{
    if (!held) abort();
}

/* What was read: for each token its letter, its size and its bytes. */
struct log {
    std::string text;

    void add(char letter, const char *bytes, size_t size)
    {
        text += letter + std::to_string(size) + ':';
        text.append(bytes, size);
    }
};

struct peer : json::BaseReaderHandler<json::UTF8<>, peer> {
    log seen;

    bool Null() { return token('n'); }
    bool Bool(bool is_true) { return token(is_true ? 't' : 'f'); }
    bool RawNumber(const char *text, json::SizeType size, bool) { return token('d', text, size); }
    bool String(const char *text, json::SizeType size, bool) { return token('s', text, size); }
    bool Key(const char *text, json::SizeType size, bool) { return token('k', text, size); }
    bool StartObject() { return token('{'); }
    bool EndObject(json::SizeType) { return token('}'); }
    bool StartArray() { return token('['); }
    bool EndArray(json::SizeType) { return token(']'); }

private:
    bool token(char letter, const char *text = "", size_t size = 0)
    {
        seen.add(letter, text, size);
        return true;
    }
};

static json::ParseResult read_as_peer(const std::string &text, log &seen)
{
    const unsigned flags =
        json::kParseIterativeFlag | json::kParseValidateEncodingFlag | json::kParseNumbersAsStringsFlag;
    json::MemoryStream stream(text.data(), text.size());
    json::Reader reader;
    peer handler;
    json::ParseResult result = reader.Parse<flags>(stream, handler);

    seen = handler.seen;
    return result;
}

/* The library's side: fragments as the same tokens. */
struct ours {
    log seen;
    std::string string;

    void take(const elelem_fragment &fragment)
    {
        if (starts(fragment)) key(*fragment.path);
        switch (fragment.kind) {
        case ELELEM_FRAGMENT_BEGIN: seen.add(fragment.type == ELELEM_TYPE_OBJECT ? '{' : '[', "", 0); break;
        case ELELEM_FRAGMENT_STRING: string.append(fragment.text.data, fragment.text.size); break;
        case ELELEM_FRAGMENT_SCALAR: scalar(fragment); break;
        default: done(fragment.type); break;
        }
    }

private:
    bool in_string = false;

    /* An empty string starts with its DONE. */
    bool starts(const elelem_fragment &fragment)
    {
        bool goes_on = in_string;

        in_string = fragment.kind == ELELEM_FRAGMENT_STRING;
        if (fragment.kind == ELELEM_FRAGMENT_DONE) return fragment.type == ELELEM_TYPE_STRING && !goes_on;
        return !goes_on;
    }

    void key(const elelem_path &path)
    {
        if (path.count == 0 || !path.segments[path.count - 1].key.data) return;
        seen.add('k', path.segments[path.count - 1].key.data, path.segments[path.count - 1].key.size);
    }

    void scalar(const elelem_fragment &fragment)
    {
        if (fragment.type == ELELEM_TYPE_NUMBER) seen.add('d', fragment.text.data, fragment.text.size);
        else seen.add(fragment.text.data[0], "", 0);
    }

    void done(int type)
    {
        if (type == ELELEM_TYPE_STRING) {
            seen.add('s', string.data(), string.size());
            string.clear();
        } else if (type == ELELEM_TYPE_OBJECT || type == ELELEM_TYPE_ARRAY) {
            seen.add(type == ELELEM_TYPE_OBJECT ? '}' : ']', "", 0);
        }
    }
};

static elelem_error read_as_us(const std::string &text, log &seen)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_error error;
    elelem_status status;
    limits_heap heap = ELELEM_INIT;
    uint64_t before = counted_steps;
    ours reader;

    desc.max_depth = LARGEST + 1;
    desc.strict_surrogates = 1;
    desc.single_document = 1;
    heap.bound = limits_of_parser(&desc);
    desc.allocator = limits_allocator(&heap);
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, text.data(), text.size());
    elelem_fragment_parser_finish(&parser);
    while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
        reader.take(fragment);
    error = elelem_fragment_parser_error(&parser);
    must(status == (error.status ? error.status : ELELEM_END));
    elelem_fragment_parser_free(&parser);
    must(heap.live == 0 && limits_held(&heap));
    must(work_held(before, STEPS_ALWAYS + STEPS_PER_BYTE * static_cast<uint64_t>(text.size())));
    seen = reader.seen;
    return error;
}

/* How RapidJSON differs. */

static bool is_cut_by_zero(const std::string &text)
{
    return text.find('\0') != std::string::npos;
}

/* The second digit after \u shows that it is a low half. */
static bool is_lone_low(const std::string &text, const elelem_error &error)
{
    size_t at = (size_t)error.offset;

    return error.status == ELELEM_ERROR_SURROGATE && at >= 2 && (text[at - 1] | 0x20) == 'd' &&
           text[at - 2] == 'u' && strchr("cdefCDEF", text[at]) != nullptr;
}

static bool is_too_big(const json::ParseResult &result)
{
    return result.Code() == json::kParseErrorNumberTooBig;
}

/* One of them may have read more. */
static bool is_same_start(const std::string &a, const std::string &b)
{
    size_t size = a.size() < b.size() ? a.size() : b.size();

    return a.compare(0, size, b, 0, size) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string text(reinterpret_cast<const char *>(data), size);
    log theirs, own;

    if (size > LARGEST || is_cut_by_zero(text)) return 0;
    json::ParseResult result = read_as_peer(text, theirs);
    elelem_error error = read_as_us(text, own);
    if (is_lone_low(text, error)) return 0;
    if (is_too_big(result)) {
        must(error.status == ELELEM_OK || error.offset >= result.Offset());
        must(is_same_start(own.text, theirs.text));
        return 0;
    }
    must(result.IsError() == (error.status != ELELEM_OK));
    if (!result.IsError()) must(theirs.text == own.text);
    return 0;
}
