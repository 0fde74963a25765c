/* The writer: the input is a list of calls in a valid order, which write one document after the other. What comes out, compact and
 * indented, is JSON with what was written: the same keys, strings and numbers, in which bytes that are not UTF-8 are U+FFFD as
 * the Unicode Standard says (3.9). Calls that are misuse write nothing. A sink that refuses at any byte stops the writer, which
 * returns its error from then on and calls it no more. The steps are in
 * proportion to the calls and what they write. The first bytes of the input choose the indent and the sink. */
#include "elelem_stream.h"

#include "feed.h"
#include "must.h"
#include "work_law.h"

#define LARGEST 600
#define SETTINGS 4 /* bytes */
#define STEPS_ALWAYS 1000u
#define STEPS_PER_BYTE 200u
#define REFUSED ELELEM_ERROR_LINE_SIZE /* an error that the writer has not otherwise */

static elelem_str input;       /* the calls that were not made yet */
static elelem_status expected; /* of every call */
static int may_refuse;         /* nonzero: a call may also return `refusal`, and then all return it */
static elelem_status refusal;
static elelem_writer writer;
static uint8_t open[LARGEST];  /* containers, an elelem_type each */
static size_t depth;
static feed_log *said;         /* what is to be in the document */

static const char *const texts[] = { "null", "-1.5e300", "\"a\\u00e9\\ud83d\\ude00\\n\"", "[]", "{}", "[1,[\"\",{\"k\":true}],2]",
                                     " {\"a\" : {\"\":[0]}, \"a\":\"\\\\\" } ", "\"\\ud800\"" };

/* What a document says, as a text without blanks: written for each call, and read from what came out. Sizes are at the end of texts,
 * so that no text looks like another thing. */

static void say(feed_log *log, const char *what)
{
    feed_put(log, what, strlen(what));
}

static void say_size(feed_log *log, size_t size)
{
    char digits[24];

    snprintf(digits, sizeof digits, "|%lu\n", (unsigned long)size);
    say(log, digits);
}

static void say_key(feed_log *log, elelem_str key)
{
    say(log, "key ");
    feed_put(log, key.data, key.size);
    say_size(log, key.size);
}

static void say_scalar(feed_log *log, elelem_str text)
{
    say(log, "scalar ");
    feed_put(log, text.data, text.size);
    say_size(log, text.size);
}

static void say_fragment(feed_log *log, const elelem_fragment *fragment, int *in_string, size_t *size)
{
    const elelem_path *path = fragment->path;
    int begins = fragment->kind != ELELEM_FRAGMENT_DONE || (fragment->type == ELELEM_TYPE_STRING && !*in_string);

    if (begins && !*in_string && path->count > 0 && path->segments[path->count - 1].key.data)
        say_key(log, path->segments[path->count - 1].key);
    if (fragment->type == ELELEM_TYPE_STRING) {
        if (!*in_string) say(log, "string ");
        if (!*in_string) *size = 0;
        *in_string = fragment->kind != ELELEM_FRAGMENT_DONE;
        feed_put(log, fragment->text.data, fragment->text.size);
        *size += fragment->text.size;
        if (!*in_string) say_size(log, *size);
    } else if (fragment->kind == ELELEM_FRAGMENT_SCALAR) {
        say_scalar(log, fragment->text);
    } else if (fragment->type == ELELEM_TYPE_OBJECT || fragment->type == ELELEM_TYPE_ARRAY) {
        say(log, fragment->kind == ELELEM_FRAGMENT_BEGIN ? "begin " : "end ");
        say(log, fragment->type == ELELEM_TYPE_OBJECT ? "object\n" : "array\n");
    }
}

/* Says what one value or several have. */
static void say_json(feed_log *log, elelem_str text)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_status status;
    size_t size = 0;
    int in_string = 0;

    if (text.size == 0) return;
    desc.max_depth = LARGEST + 64;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, text.data, text.size);
    elelem_fragment_parser_finish(&parser);
    do {
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
            say_fragment(log, &fragment, &in_string, &size);
    } while (status == ELELEM_END && elelem_fragment_parser_unread(&parser) > 0 && elelem_fragment_parser_restart(&parser) == ELELEM_OK);
    if (status != ELELEM_END) fprintf(stderr, "%.*s\n", ELELEM_STR_ARG(text));
    MUST(status == ELELEM_END);
    elelem_fragment_parser_free(&parser);
}

/* Table 3-7 of the Unicode Standard. Returns the size of the character at a byte, or of what one U+FFFD stands for. */
static size_t size_of_character(const unsigned char *at, size_t size, int *is_good)
{
    unsigned low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80, high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
    size_t more = at[0] < 0x80 ? 0 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3, i;

    *is_good = at[0] < 0x80 || (at[0] >= 0xc2 && at[0] <= 0xf4);
    if (!*is_good) return 1;
    for (i = 1; i <= more; i++, low = 0x80, high = 0xbf)
        if (i == size || at[i] < low || at[i] > high) {
            *is_good = 0;
            return i;
        }
    return more + 1;
}

/* Says a text as it must be read, and returns its size. */
static size_t say_text(feed_log *log, elelem_str text)
{
    size_t at, step, said_size = 0;
    int is_good;

    for (at = 0; at < text.size; at += step) {
        step = size_of_character((const unsigned char *)text.data + at, text.size - at, &is_good);
        if (is_good) feed_put(log, text.data + at, step);
        else feed_put(log, "\xef\xbf\xbd", 3);
        said_size += is_good ? step : 3;
    }
    return said_size;
}

/* The calls. */

static unsigned take_byte(void)
{
    unsigned byte;

    if (input.size == 0) return 0;
    byte = (unsigned char)*input.data;
    input = elelem_str_from(input.data + 1, input.size - 1);
    return byte;
}

static elelem_str take_text(void)
{
    size_t size = take_byte() % 64;
    elelem_str text;

    if (size > input.size) size = input.size;
    text = elelem_str_from(input.data, size);
    input = elelem_str_from(input.data + size, input.size - size);
    return text;
}

/* JSON text of the input, or one of the list if that is none. */
static elelem_str take_json(void)
{
    elelem_str text = take_text();
    elelem_json json;
    int is_json = elelem_value_type(elelem_json_read(&json, text, NULL)) != ELELEM_TYPE_NONE;

    elelem_json_free(&json);
    return is_json ? text : elelem_str_of(texts[text.size % (sizeof texts / sizeof *texts)]);
}

/* What a call returned. */
static void returned(elelem_status status)
{
    if (may_refuse && status == refusal) expected = refusal;
    MUST(status == expected);
    MUST(elelem_writer_error(&writer).status == expected);
}

static void write_key(void)
{
    elelem_str key = take_text();

    say(said, "key ");
    say_size(said, say_text(said, key));
    returned(elelem_writer_key(&writer, key));
}

/* A value of an object needs a key. */
static void before_value(void)
{
    if (depth > 0 && open[depth - 1] == ELELEM_TYPE_OBJECT) write_key();
}

static void begin(elelem_type type)
{
    before_value();
    open[depth++] = (uint8_t)type;
    say(said, type == ELELEM_TYPE_OBJECT ? "begin object\n" : "begin array\n");
    returned(elelem_writer_begin(&writer, type));
}

static void end(void)
{
    elelem_type type = (elelem_type)open[--depth];

    say(said, type == ELELEM_TYPE_OBJECT ? "end object\n" : "end array\n");
    returned(elelem_writer_end(&writer, type));
}

static void string(void)
{
    elelem_str text;

    before_value();
    text = take_text();
    say(said, "string ");
    say_size(said, say_text(said, text));
    returned(elelem_writer_string(&writer, text));
}

/* What is not UTF-8 in a piece is so by itself, whatever comes next. */
static void string_in_pieces(void)
{
    unsigned pieces;
    size_t size = 0;

    before_value();
    say(said, "string ");
    returned(elelem_writer_string_begin(&writer));
    for (pieces = take_byte() % 4; pieces > 0; pieces--) {
        elelem_str text = take_text();
        size += say_text(said, text);
        returned(elelem_writer_string_piece(&writer, text));
    }
    say_size(said, size);
    returned(elelem_writer_string_end(&writer));
}

static void number(int is_signed)
{
    uint64_t bits = 0;
    char text[32];
    unsigned i, size;

    before_value();
    size = take_byte() % 9;
    for (i = 0; i < size; i++)
        bits = bits << 8 | take_byte();
    if (size > 0 && take_byte() & 1) bits = ~bits;
    if (is_signed) snprintf(text, sizeof text, "%lld", (long long)(int64_t)bits);
    else snprintf(text, sizeof text, "%llu", (unsigned long long)bits);
    say_scalar(said, elelem_str_of(text));
    if (is_signed) returned(elelem_writer_int64(&writer, (int64_t)bits));
    else returned(elelem_writer_uint64(&writer, bits));
}

static void word(void)
{
    unsigned which;

    before_value();
    which = take_byte() % 3;
    say_scalar(said, elelem_str_of(which == 0 ? "null" : which == 1 ? "true" : "false"));
    if (which == 0) returned(elelem_writer_null(&writer));
    else returned(elelem_writer_bool(&writer, which == 1 ? 17 : 0));
}

static void json(void)
{
    elelem_str text;

    before_value();
    text = take_json();
    say_json(said, text);
    returned(elelem_writer_json(&writer, text));
}

/* A value that was read; one that is cut off is closed; none at all is null. */
static void value(void)
{
    static const char *const cut[] = { "[1,\"a", "{\"k\":[", "[[[{\"a\":true" }, *const closed[] = { "[1,\"a\"]", "{\"k\":[]}", "[[[{\"a\":true}]]]" };
    elelem_value none = ELELEM_INIT;
    unsigned how;
    elelem_fragment_parser parser;
    elelem_fragment_aggregator tree;
    elelem_fragment fragment;
    elelem_str text;

    before_value();
    how = take_byte() % 8;
    if (how == 3) {
        say_scalar(said, elelem_str_of("null"));
        returned(elelem_writer_value(&writer, none));
        return;
    }
    text = how < 3 ? elelem_str_of(cut[how]) : take_json();
    say_json(said, how < 3 ? elelem_str_of(closed[how]) : text);
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_aggregator_init(&tree, NULL);
    elelem_fragment_parser_push(&parser, text.data, text.size);
    if (how >= 3) elelem_fragment_parser_finish(&parser);
    while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
        MUST(elelem_fragment_aggregator_push(&tree, &fragment) == ELELEM_OK);
    returned(elelem_writer_value(&writer, elelem_fragment_aggregator_value(&tree)));
    elelem_fragment_aggregator_free(&tree);
    elelem_fragment_parser_free(&parser);
}

/* The fragments of a text, in pieces: of all of it, or of the one element that it has in an array or an object, whose key is then
   written if a container is open. */
static void fragments(void)
{
    int in_object = depth > 0 && open[depth - 1] == ELELEM_TYPE_OBJECT;
    unsigned how = take_byte();
    int is_inside = how & 1;
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_buffer text;
    elelem_allocator plain = ELELEM_INIT;
    size_t at, piece = 1u + (how >> 1) % 16u;
    elelem_str all;

    elelem_buffer_init(&text, plain, 0);
    if (!is_inside) before_value();
    if (is_inside) MUST(elelem_buffer_append(&text, in_object ? "{\"k\\u00e9\":" : "[", in_object ? 11 : 1) == ELELEM_OK);
    if (is_inside && in_object) say_key(said, elelem_str_of("k\xc3\xa9"));
    all = take_json();
    say_json(said, all);
    MUST(elelem_buffer_append(&text, all.data, all.size) == ELELEM_OK);
    if (is_inside) MUST(elelem_buffer_append(&text, in_object ? "}" : "]", 1) == ELELEM_OK);
    all = elelem_buffer_text(&text);
    elelem_fragment_parser_init(&parser, NULL);
    for (at = 0; at <= all.size; at += piece) {
        if (at < all.size) elelem_fragment_parser_push(&parser, all.data + at, piece < all.size - at ? piece : all.size - at);
        if (at + piece > all.size) elelem_fragment_parser_finish(&parser);
        while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
            if (!is_inside || fragment.path->count > 0) returned(elelem_writer_fragment(&writer, &fragment));
    }
    MUST(elelem_fragment_parser_error(&parser).status == ELELEM_OK);
    elelem_fragment_parser_free(&parser);
    elelem_buffer_free(&text);
}

/* The sinks. */

static elelem_buffer compact, indented, limited;

typedef struct refusing {
    size_t room;
    size_t size;    /* bytes taken */
    size_t whole;   /* of them, in calls that were not refused */
    int is_partial; /* nonzero: takes what fits, and refuses the call all the same */
    int refused;    /* calls */
} refusing;

static elelem_status refuse(void *context, const void *bytes, size_t size)
{
    refusing *sink = (refusing *)context;
    int fits = size <= sink->room - sink->size;
    size_t taken = fits ? size : sink->is_partial ? sink->room - sink->size : 0;

    MUST(size > 0 && sink->refused == 0);
    MUST(taken <= elelem_buffer_text(&compact).size - sink->size);
    MUST(memcmp(elelem_buffer_text(&compact).data + sink->size, bytes, taken) == 0);
    sink->size += taken;
    if (fits) sink->whole += size;
    sink->refused = !fits;
    return fits ? ELELEM_OK : REFUSED;
}

/* Calls that are misuse, whenever they come. After an error they return that. */
static void misuse(void)
{
    static const elelem_type none[] = { ELELEM_TYPE_NONE, ELELEM_TYPE_STRING, ELELEM_TYPE_NUMBER };
    elelem_type type = none[take_byte() % 3];
    elelem_status wrong = expected == ELELEM_OK ? ELELEM_ERROR_MISUSE : expected;
    elelem_path root = ELELEM_INIT;
    elelem_fragment fragment = ELELEM_INIT;

    MUST(elelem_writer_begin(&writer, type) == wrong && elelem_writer_end(&writer, type) == wrong);
    fragment.path = &root;
    fragment.kind = ELELEM_FRAGMENT_BEGIN;
    fragment.type = (uint8_t)type;
    MUST(elelem_writer_fragment(&writer, &fragment) == wrong);
    if (depth == 0) {
        fragment.kind = ELELEM_FRAGMENT_DONE;
        fragment.type = ELELEM_TYPE_ARRAY;
        MUST(elelem_writer_end(&writer, ELELEM_TYPE_OBJECT) == wrong && elelem_writer_fragment(&writer, &fragment) == wrong);
    }
    MUST(elelem_writer_error(&writer).status == expected);
}

static void call(unsigned which)
{
    switch (which % 12) {
    case 0: begin(ELELEM_TYPE_OBJECT); break;
    case 1: begin(ELELEM_TYPE_ARRAY); break;
    case 2:
        if (depth > 0) end();
        break;
    case 3: string(); break;
    case 4: string_in_pieces(); break;
    case 5: number(1); break;
    case 6: number(0); break;
    case 7: word(); break;
    case 8: json(); break;
    case 9: value(); break;
    case 10: fragments(); break;
    default: misuse(); break;
    }
}

static void write_all(elelem_str calls, elelem_sink sink, unsigned indent, feed_log *log)
{
    input = calls;
    said = log;
    log->size = 0;
    log->in_text = log->full = 0;
    depth = 0;
    expected = ELELEM_OK;
    elelem_writer_init(&writer, sink, indent);
    while (input.size > 0)
        call(take_byte());
    while (depth > 0)
        end();
}

static void check_text(elelem_buffer *written)
{
    static feed_log read;

    read.size = 0;
    read.in_text = read.full = 0;
    say_json(&read, elelem_buffer_text(written));
    if (read.full || said->full) return;
    if (read.size != said->size || memcmp(read.text, said->text, read.size) != 0)
        fprintf(stderr, "-- said:\n%.*s-- read:\n%.*s", (int)said->size, said->text, (int)read.size, read.text);
    MUST(read.size == said->size && memcmp(read.text, said->text, read.size) == 0);
}

static void check_sink(elelem_str calls, size_t room, int is_partial)
{
    refusing refuser = ELELEM_INIT;
    elelem_sink sink;
    elelem_error error;

    refuser.room = room;
    refuser.is_partial = is_partial;
    sink.write = refuse;
    sink.context = &refuser;
    refusal = REFUSED;
    write_all(calls, sink, 0, &feed_now);
    error = elelem_writer_error(&writer);
    MUST((error.status == REFUSED) == (room < elelem_buffer_text(&compact).size));
    MUST(error.offset == (error.status == REFUSED ? refuser.whole : 0));
    MUST(!is_partial || refuser.size == room);
}

/* A buffer or a fixed array with too little room has the beginning of the text. */
static void check_room(elelem_str calls, size_t room)
{
    static char bytes[1 << 16];
    elelem_str whole = elelem_buffer_text(&compact);
    elelem_allocator plain = ELELEM_INIT;
    elelem_span_sink span = ELELEM_INIT;
    elelem_error error;

    refusal = ELELEM_ERROR_VALUE_SIZE;
    elelem_buffer_init(&limited, plain, room > 0 ? room : 1);
    write_all(calls, elelem_buffer_sink(&limited), 0, &feed_now);
    error = elelem_writer_error(&writer);
    MUST((error.status == refusal) == ((room > 0 ? room : 1) < whole.size));
    MUST(error.status == ELELEM_OK || error.offset == elelem_buffer_text(&limited).size);
    MUST(elelem_buffer_text(&limited).size <= whole.size);
    MUST(memcmp(elelem_buffer_text(&limited).data, whole.data, elelem_buffer_text(&limited).size) == 0);
    elelem_buffer_free(&limited);
    span.data = bytes;
    span.capacity = room < sizeof bytes ? room : sizeof bytes;
    write_all(calls, elelem_span_sink_of(&span), 0, &feed_now);
    MUST((elelem_writer_error(&writer).status == refusal) == (span.capacity < whole.size));
    MUST(span.size <= span.capacity && memcmp(bytes, whole.data, span.size) == 0);
}

static void write_in_time(elelem_str calls, elelem_buffer *text, unsigned indent)
{
    uint64_t before = counted_steps;

    write_all(calls, elelem_buffer_sink(text), indent, &feed_whole);
    MUST(work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * (calls.size + elelem_buffer_text(text).size)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned indents[] = { 1, 2, 4, 9 };
    elelem_str calls;
    elelem_allocator plain = ELELEM_INIT;
    size_t room;

    if (size < SETTINGS || size > LARGEST) return 0;
    calls = elelem_str_from(data + SETTINGS, size - SETTINGS);
    elelem_buffer_init(&compact, plain, 0);
    elelem_buffer_init(&indented, plain, 0);
    may_refuse = 0;
    write_in_time(calls, &compact, 0);
    check_text(&compact);
    write_in_time(calls, &indented, indents[data[0] & 3]);
    check_text(&indented);
    may_refuse = 1;
    room = elelem_buffer_text(&compact).size + 1;
    room = ((size_t)data[1] << 8 | data[2]) % room;
    if (data[0] & 4) check_sink(calls, room, data[0] >> 3 & 1);
    else check_room(calls, room);
    elelem_buffer_free(&compact);
    elelem_buffer_free(&indented);
    return 0;
}
