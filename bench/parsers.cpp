/* The race of JSON parsers. Each counts what it finds in a document; those whose counts are not the library's are left out.
 * A parser that its header is not installed for is left out too.
 */
#define ELELEM_STATIC
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "race.h"
#include "texts.h"

#include <cstring>

#if __has_include(<boost/json/basic_parser_impl.hpp>)
#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/version.hpp>
#define HAS_BOOST 1
#endif
#if __has_include(<yajl/yajl_parse.h>)
#include <yajl/yajl_parse.h>
#include <yajl/yajl_version.h>
#define HAS_YAJL 1
#endif
#if __has_include(<json-c/json.h>)
#include <json-c/json.h>
#define HAS_JSON_C 1
#endif
#if __has_include(<libwebsockets.h>)
#include <libwebsockets.h>
#define HAS_LEJP 1
#endif
#if __has_include(<rapidjson/reader.h>)
#define RAPIDJSON_SSE2
#include <rapidjson/reader.h>
#define HAS_RAPIDJSON 1
#endif
#if __has_include(<simdjson.h>)
#include <simdjson.h>
#define HAS_SIMDJSON 1
#endif

namespace {

using std::string;

/* What is in a document. Each parser counts all of it, so that none leaves out work. */
struct counts {
    size_t containers = 0, keys = 0, strings = 0, text_bytes = 0, numbers = 0, literals = 0;
    double sum = 0; /* of the numbers, by those who convert them */

    bool operator==(const counts &c) const
    {
        return containers == c.containers && keys == c.keys && strings == c.strings && text_bytes == c.text_bytes &&
               numbers == c.numbers && literals == c.literals;
    }
    void number(double d)
    {
        numbers++;
        sum += d;
    }
};

/* A parser has begin, push and finish. It is kept from document to document, as far as it can be. */
template <class Parser> bool parse(const string &text, size_t piece, counts &c)
{
    static Parser parser;
    parser.begin(c);
    return in_pieces(text, piece, [&](const char *data, size_t size) { return parser.push(data, size); }) && parser.finish();
}

template <bool makes_doubles> class elelem_parser {
public:
    elelem_parser() { elelem_fragment_parser_init(&parser, nullptr); }
    ~elelem_parser() { elelem_fragment_parser_free(&parser); }
    void begin(counts &to)
    {
        c = &to;
        elelem_fragment_parser_reset(&parser);
    }
    bool push(const char *data, size_t size)
    {
        elelem_fragment f;
        elelem_fragment_parser_push(&parser, data, size);
        while ((status = elelem_fragment_parser_next(&parser, &f)) == ELELEM_OK)
            take(f);
        return status >= 0;
    }
    bool finish() const { return status == ELELEM_END; }

private:
    void take(const elelem_fragment &f)
    {
        switch (f.kind) {
        case ELELEM_FRAGMENT_BEGIN: c->containers++; break;
        case ELELEM_FRAGMENT_STRING: c->text_bytes += f.text.size; break;
        case ELELEM_FRAGMENT_SCALAR: take_scalar(f); break;
        default:
            c->strings += f.type == ELELEM_TYPE_STRING;
            c->keys += f.path->count && f.path->segments[f.path->count - 1].key.data;
        }
    }
    void take_scalar(const elelem_fragment &f)
    {
        double d = 0;
        if (f.type != ELELEM_TYPE_NUMBER) c->literals++;
        else if (makes_doubles && elelem_number_to_double(f.text, &d) != ELELEM_OK) c->literals++;
        else c->number(d);
    }

    elelem_fragment_parser parser;
    elelem_status status = ELELEM_MORE;
    counts *c = nullptr;
};

#ifdef HAS_BOOST
struct boost_handler {
    static constexpr size_t max_object_size = size_t(-1), max_array_size = size_t(-1), max_key_size = size_t(-1),
                            max_string_size = size_t(-1);
    using code = boost::json::error_code;
    using text = boost::json::string_view;
    counts *c = nullptr;

    bool on_document_begin(code &) { return true; }
    bool on_document_end(code &) { return true; }
    bool on_object_begin(code &) { return ++c->containers; }
    bool on_object_end(size_t, code &) { return true; }
    bool on_array_begin(code &) { return ++c->containers; }
    bool on_array_end(size_t, code &) { return true; }
    bool on_key_part(text, size_t, code &) { return true; }
    bool on_key(text, size_t, code &) { return ++c->keys; }
    bool on_string_part(text s, size_t, code &) { return add(s); }
    bool on_string(text s, size_t, code &) { return add(s) && ++c->strings; }
    bool on_number_part(text, code &) { return true; }
    bool on_int64(int64_t n, text, code &) { return add(double(n)); }
    bool on_uint64(uint64_t n, text, code &) { return add(double(n)); }
    bool on_double(double d, text, code &) { return add(d); }
    bool on_bool(bool, code &) { return ++c->literals; }
    bool on_null(code &) { return ++c->literals; }
    bool on_comment_part(text, code &) { return true; }
    bool on_comment(text, code &) { return true; }
    bool add(text s)
    {
        c->text_bytes += s.size();
        return true;
    }
    bool add(double d)
    {
        c->number(d);
        return true;
    }
};

class boost_parser {
public:
    void begin(counts &to)
    {
        parser.reset();
        parser.handler().c = &to;
    }
    bool push(const char *data, size_t size)
    {
        boost::json::error_code error;
        parser.write_some(true, data, size, error);
        return !error;
    }
    bool finish() const { return parser.done(); }

private:
    boost::json::basic_parser<boost_handler> parser{ boost::json::parse_options() };
};
#endif

#ifdef HAS_YAJL
/* It has no reset: a handle for each document. */
template <bool makes_doubles> class yajl_parser {
public:
    ~yajl_parser()
    {
        if (handle) yajl_free(handle);
    }
    void begin(counts &to)
    {
        if (handle) yajl_free(handle);
        handle = yajl_alloc(&callbacks, nullptr, &to);
    }
    bool push(const char *data, size_t size)
    {
        return yajl_parse(handle, reinterpret_cast<const unsigned char *>(data), size) == yajl_status_ok;
    }
    bool finish() { return yajl_complete_parse(handle) == yajl_status_ok; }

private:
    static counts &of(void *c) { return *static_cast<counts *>(c); }
    static int open(void *c) { return ++of(c).containers, 1; }
    static int close(void *) { return 1; }
    static int literal(void *c) { return ++of(c).literals, 1; }
    static int boolean(void *c, int) { return literal(c); }
    static int key(void *c, const unsigned char *, size_t) { return ++of(c).keys, 1; }
    static int text(void *c, const unsigned char *, size_t size) { return ++of(c).strings, of(c).text_bytes += size, 1; }
    static int number(void *c, const char *, size_t) { return of(c).number(0), 1; }
    static int whole(void *c, long long n) { return of(c).number(double(n)), 1; }
    static int real(void *c, double d) { return of(c).number(d), 1; }

    yajl_handle handle = nullptr;
    yajl_callbacks callbacks = { literal, boolean, whole, real, makes_doubles ? nullptr : number, text, open, key, close, open, close };
};
#endif

#ifdef HAS_JSON_C
/* Makes a tree, which is counted. */
class json_c_parser {
public:
    json_c_parser() : tokener(json_tokener_new()) {}
    ~json_c_parser()
    {
        json_object_put(value);
        json_tokener_free(tokener);
    }
    void begin(counts &to)
    {
        c = &to;
        json_object_put(value);
        value = nullptr;
        json_tokener_reset(tokener);
    }
    bool push(const char *data, size_t size)
    {
        value = json_tokener_parse_ex(tokener, data, int(size));
        json_tokener_error error = json_tokener_get_error(tokener);
        return error == json_tokener_success || error == json_tokener_continue;
    }
    bool finish()
    {
        if (value) count(value);
        return value != nullptr;
    }

private:
    void count(json_object *o)
    {
        switch (json_object_get_type(o)) {
        case json_type_object: count_object(o); break;
        case json_type_array: count_array(o); break;
        case json_type_string:
            c->strings++;
            c->text_bytes += size_t(json_object_get_string_len(o));
            break;
        case json_type_int:
        case json_type_double: c->number(json_object_get_double(o)); break;
        default: c->literals++;
        }
    }
    void count_object(json_object *o)
    {
        c->containers++;
        json_object_object_foreach(o, key, member)
        {
            c->keys += key != nullptr;
            count(member);
        }
    }
    void count_array(json_object *o)
    {
        c->containers++;
        for (size_t i = 0; i < json_object_array_length(o); i++)
            count(json_object_array_get_idx(o, i));
    }

    json_tokener *tokener;
    json_object *value = nullptr;
    counts *c = nullptr;
};
#endif

#ifdef HAS_LEJP
class lejp_parser {
public:
    void begin(counts &to)
    {
        lejp_construct(&context, take, &to, nullptr, 0);
        status = LEJP_CONTINUE;
    }
    bool push(const char *data, size_t size)
    {
        status = lejp_parse(&context, reinterpret_cast<const unsigned char *>(data), int(size));
        return status >= 0 || status == LEJP_CONTINUE;
    }
    bool finish() const { return status >= 0; }

private:
    static signed char take(lejp_ctx *context, char reason)
    {
        counts &c = *static_cast<counts *>(context->user);
        switch (reason) {
        case LEJPCB_OBJECT_START:
        case LEJPCB_ARRAY_START: c.containers++; break;
        case LEJPCB_PAIR_NAME: c.keys++; break;
        case LEJPCB_VAL_STR_CHUNK: c.text_bytes += context->npos; break;
        case LEJPCB_VAL_STR_END:
            c.text_bytes += context->npos;
            c.strings++;
            break;
        case LEJPCB_VAL_NUM_INT:
        case LEJPCB_VAL_NUM_FLOAT: c.number(0); break;
        case LEJPCB_VAL_TRUE:
        case LEJPCB_VAL_FALSE:
        case LEJPCB_VAL_NULL: c.literals++; break;
        default: break;
        }
        return 0;
    }

    lejp_ctx context;
    int status = LEJP_CONTINUE;
};
#endif

#ifdef HAS_RAPIDJSON
struct rapidjson_handler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, rapidjson_handler> {
    counts *c;

    explicit rapidjson_handler(counts &to) : c(&to) {}
    bool Null() { return ++c->literals; }
    bool Bool(bool) { return ++c->literals; }
    bool Int(int n) { return Double(n); }
    bool Uint(unsigned n) { return Double(n); }
    bool Int64(int64_t n) { return Double(double(n)); }
    bool Uint64(uint64_t n) { return Double(double(n)); }
    bool Double(double d)
    {
        c->number(d);
        return true;
    }
    bool String(const char *, rapidjson::SizeType size, bool)
    {
        c->text_bytes += size;
        return ++c->strings;
    }
    bool Key(const char *, rapidjson::SizeType, bool) { return ++c->keys; }
    bool StartObject() { return ++c->containers; }
    bool StartArray() { return ++c->containers; }
};

template <unsigned flags> bool rapidjson_parse(const string &text, size_t, counts &c)
{
    static rapidjson::Reader reader;
    rapidjson_handler handler(c);
    rapidjson::StringStream stream(text.c_str());
    return bool(reader.Parse<flags>(stream, handler));
}
#endif

#ifdef HAS_SIMDJSON
void simdjson_count(simdjson::dom::element e, counts &c)
{
    switch (e.type()) {
    case simdjson::dom::element_type::OBJECT:
        c.containers++;
        for (auto member : simdjson::dom::object(e)) {
            c.keys += member.key.data() != nullptr;
            simdjson_count(member.value, c);
        }
        break;
    case simdjson::dom::element_type::ARRAY:
        c.containers++;
        for (auto element : simdjson::dom::array(e))
            simdjson_count(element, c);
        break;
    case simdjson::dom::element_type::STRING:
        c.strings++;
        c.text_bytes += e.get_string_length().value_unsafe();
        break;
    case simdjson::dom::element_type::BOOL:
    case simdjson::dom::element_type::NULL_VALUE: c.literals++; break;
    default: c.number(double(e));
    }
}

bool simdjson_parse(const string &text, size_t, counts &c)
{
    static simdjson::dom::parser parser;
    simdjson::dom::element e;
    if (parser.parse(text).get(e)) return false;
    simdjson_count(e, c);
    return true;
}
#endif

struct contestant {
    const char *name;
    bool (*parse)(const string &text, size_t piece, counts &);
    bool is_push;      /* else it takes whole documents only */
    bool is_quadratic; /* in long strings that are pushed in small pieces */
};

const contestant as_text[] = {
    { "elelem", parse<elelem_parser<false>>, true, false },
#ifdef HAS_BOOST
    { "Boost.JSON", parse<boost_parser>, true, false },
#endif
#ifdef HAS_YAJL
    { "yajl", parse<yajl_parser<false>>, true, true },
#endif
#ifdef HAS_JSON_C
    { "json-c", parse<json_c_parser>, true, false },
#endif
#ifdef HAS_LEJP
    { "lejp", parse<lejp_parser>, true, false },
#endif
#ifdef HAS_RAPIDJSON
    { "RapidJSON", rapidjson_parse<rapidjson::kParseValidateEncodingFlag>, false, false },
#endif
#ifdef HAS_SIMDJSON
    { "simdjson", simdjson_parse, false, false },
#endif
};

/* Those that convert numbers: the library then does too. Boost.JSON rounds some of them to a neighbour. */
const contestant to_doubles[] = {
    { "elelem", parse<elelem_parser<true>>, true, false },
#ifdef HAS_BOOST
    { "Boost.JSON", parse<boost_parser>, true, false },
#endif
#ifdef HAS_YAJL
    { "yajl", parse<yajl_parser<true>>, true, true },
#endif
#ifdef HAS_RAPIDJSON
    { "RapidJSON", rapidjson_parse<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag>, false, false },
#endif
#ifdef HAS_SIMDJSON
    { "simdjson", simdjson_parse, false, false },
#endif
};

/* A peer, its Debian package, and its version if it is here. */
struct peer {
    const char *name, *package;
    string version;
};

std::vector<peer> all_peers()
{
    std::vector<peer> all = { { "Boost.JSON", "libboost-json1.81-dev", "" }, { "yajl", "libyajl-dev", "" },
                              { "json-c", "libjson-c-dev", "" },             { "lejp", "libwebsockets-dev", "" },
                              { "RapidJSON", "rapidjson-dev", "" },          { "simdjson", "libsimdjson-dev", "" } };
#ifdef HAS_BOOST
    all[0].version = std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
#endif
#ifdef HAS_YAJL
    all[1].version = TEXT(YAJL_MAJOR) "." TEXT(YAJL_MINOR) "." TEXT(YAJL_MICRO);
#endif
#ifdef HAS_JSON_C
    all[2].version = json_c_version();
#endif
#ifdef HAS_LEJP
    all[3].version = "of libwebsockets " LWS_LIBRARY_VERSION;
#endif
#ifdef HAS_RAPIDJSON
    all[4].version = RAPIDJSON_VERSION_STRING;
#endif
#ifdef HAS_SIMDJSON
    all[5].version = TEXT(SIMDJSON_VERSION) " as " + simdjson::get_active_implementation()->name();
#endif
    return all;
}

void report_peers(report &out)
{
    string here;
    for (const peer &p : all_peers())
        if (p.version.empty()) out.comment(string(p.name) + " is not installed and was not raced (" + p.package + ")");
        else here += (here.empty() ? "" : ", ") + string(p.name) + " " + p.version;
    if (!here.empty()) out.comment("raced with " + here);
}

bool counted_all(const contestant &who, const std::vector<string> &documents, size_t piece, counts &c)
{
    for (const string &text : documents)
        if (!who.parse(text, piece, c)) return false;
    return true;
}

/* Whether it finds in all documents what the library does. */
bool counts_agree(report &out, const contestant &who, const document_set &set, size_t piece)
{
    counts expected, found;
    bool is_ours = counted_all(as_text[0], set.documents, 0, expected);
    bool is_read = counted_all(who, set.documents, piece, found);
    if (is_ours && is_read && found == expected) return true;
    out.comment(string(who.name) + ", " + set.name + ", " + piece_name(piece) + ": " +
                (is_read ? "finds other things; not raced" : "does not read it; not raced"));
    return false;
}

bool may_race(const contestant &who, const document_set &set, size_t piece)
{
    return piece == 0 || (who.is_push && !(who.is_quadratic && set.has_long_strings));
}

template <size_t n> void race_set(report &out, const document_set &set, const string &name, size_t piece, const contestant (&all)[n])
{
    std::vector<entrant> entrants;
    if (!is_raced("parse", piece)) return;
    for (const contestant &who : all)
        if (may_race(who, set, piece) && counts_agree(out, who, set, piece))
            entrants.push_back({ who.name, bytes_of(set.documents), [&set, &who, piece] {
                                    counts c;
                                    counted_all(who, set.documents, piece, c);
                                } });
    race_rows(out, "parse", name, piece_name(piece), entrants, 11);
}

template <size_t n> void race_all_pieces(report &out, const document_set &set, const string &name, const contestant (&all)[n])
{
    for (size_t piece : { size_t(1), size_t(8), size_t(16), size_t(64), size_t(1024), size_t(0) })
        race_set(out, set, name, piece, all);
}

/* Whether a push of 8 bytes costs the same in a small document and in a large one. */
void race_sizes(report &out)
{
    std::vector<string> documents;
    std::vector<entrant> entrants;
    for (size_t bytes : { size_t(100000), size_t(1000000), size_t(10000000) })
        documents.push_back(file_arguments(bytes));
    for (const string &text : documents)
        entrants.push_back({ "elelem", text.size(), [&text] {
                                counts c;
                                as_text[0].parse(text, 8, c);
                            } });
    race_rows(out, "size", "arguments", "8", entrants, 11);
}

} // namespace

void race_parsers(report &out)
{
    report_peers(out);
    out.comment("yajl reads an open string again at every push, so it is raced in small pieces only if strings are short");
    for (const document_set &set : document_sets()) {
        race_all_pieces(out, set, set.name, as_text);
        if (set.name.find("canada") != string::npos) race_all_pieces(out, set, set.name + " to doubles", to_doubles);
    }
    if (is_raced("size", 8)) race_sizes(out);
    out.figure("memory", "elelem_fragment_parser", sizeof(elelem_fragment_parser));
}
