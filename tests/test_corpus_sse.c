/* The event stream vectors of the corpus: the files of $ELELEM_CORPUS/sse, each an array of
 *
 *     {"name", "bytes_base64", "events": [{"event", "data", "id", "retry"}],
 *      "last_event_id", "final_retry", and perhaps "invalid_utf8", "retry_unspecified"}
 *
 * The events are those of a browser: without a name it is "message", U+FFFD is in place of bytes
 * that are not UTF-8, and an event that was cut off is missing. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"

#define VECTOR_MAX (1u << 16) /* bytes of a vector, of one event's data, of a string */

/* A reader for JSON that is known to be valid. */

typedef struct reader {
    const char *at;
    char text[VECTOR_MAX]; /* of the string read last, decoded */
    size_t size;
} reader;

static void skip_space(reader *json)
{
    while (*json->at == ' ' || *json->at == '\n' || *json->at == '\r' || *json->at == '\t')
        json->at++;
}

/* Skips one punctuation mark, if it is the next. */
static int take_mark(reader *json, char mark)
{
    skip_space(json);
    if (*json->at != mark) return 0;
    json->at++;
    return 1;
}

static unsigned read_hex(reader *json)
{
    char digits[5];

    memcpy(digits, json->at, 4);
    digits[4] = '\0';
    json->at += 4;
    return (unsigned)strtoul(digits, NULL, 16);
}

static void keep_byte(reader *json, unsigned byte)
{
    if (json->size == sizeof json->text) abort();
    json->text[json->size++] = (char)byte;
}

static void keep_character(reader *json, unsigned code)
{
    if (code < 0x80) {
        keep_byte(json, code);
        return;
    }
    if (code < 0x800) {
        keep_byte(json, 0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            keep_byte(json, 0xe0 | code >> 12);
        } else {
            keep_byte(json, 0xf0 | code >> 18);
            keep_byte(json, 0x80 | (code >> 12 & 0x3f));
        }
        keep_byte(json, 0x80 | (code >> 6 & 0x3f));
    }
    keep_byte(json, 0x80 | (code & 0x3f));
}

static void read_escape(reader *json)
{
    static const char from[] = "bfnrt";
    static const char to[] = "\b\f\n\r\t";
    char c = *json->at++;
    const char *found = strchr(from, c);
    unsigned code;

    if (c != 'u') {
        keep_byte(json, (unsigned char)(found ? to[found - from] : c));
        return;
    }
    code = read_hex(json);
    if (code >= 0xd800 && code < 0xdc00) {
        json->at += 2; /* \u */
        code = 0x10000 + ((code - 0xd800) << 10) + (read_hex(json) - 0xdc00);
    }
    keep_character(json, code);
}

/* A string, or null as the empty one. */
static void read_string(reader *json)
{
    json->size = 0;
    if (!take_mark(json, '"')) {
        json->at += 4;
        return;
    }
    while (*json->at != '"') {
        if (*json->at == '\\') {
            json->at++;
            read_escape(json);
        } else {
            keep_byte(json, (unsigned char)*json->at++);
        }
    }
    json->at++;
}

/* Reads the next key of an object, if there is one. */
static int read_key(reader *json)
{
    take_mark(json, ',');
    if (take_mark(json, '}')) return 0;
    read_string(json);
    take_mark(json, ':');
    return 1;
}

static int key_is(const reader *json, const char *key)
{
    return json->size == strlen(key) && memcmp(json->text, key, json->size) == 0;
}

/* A number, or null as -1. */
static long long read_number(reader *json)
{
    char *end;
    long long number;

    skip_space(json);
    number = strtoll(json->at, &end, 10);
    if (end == json->at) {
        json->at += 4;
        return -1;
    }
    json->at = end;
    return number;
}

/* Skips a string or a literal; no other field is of another type. */
static void skip_value(reader *json)
{
    skip_space(json);
    if (*json->at == '"') {
        read_string(json);
        return;
    }
    while (*json->at != ',' && *json->at != '}')
        json->at++;
}

/* What an event and an end look like in the log, expected and real alike. */

static void log_text(feed_log *log, const char *label, const char *data, size_t size)
{
    feed_put(log, label, strlen(label));
    feed_put(log, " \"", 2);
    feed_escaped(log, data, size);
    feed_put(log, "\" ", 2);
}

static void log_retry(feed_log *log, long long retry)
{
    feed_line(log, "retry %lld", retry);
}

/* A vector. */

typedef struct vector {
    char name[100];
    char bytes[VECTOR_MAX];
    size_t size;
    int any_retry; /* the standard leaves open what it is */
} vector;

static feed_log wanted;
static feed_log wanted_end;

static unsigned base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    return (unsigned)(strchr(digits, c) - digits);
}

static void decode_base64(vector *row, const reader *json)
{
    unsigned bits = 0;
    unsigned count = 0;
    size_t i;

    row->size = 0;
    for (i = 0; i < json->size && json->text[i] != '='; i++) {
        bits = bits << 6 | base64_value(json->text[i]);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        row->bytes[row->size++] = (char)(bits >> count & 0xff);
    }
}

static void read_event(reader *json)
{
    while (read_key(json)) {
        if (key_is(json, "retry")) {
            log_retry(&wanted, read_number(json));
            continue;
        }
        if (key_is(json, "event")) feed_put(&wanted, "event", 5);
        else if (key_is(json, "data")) feed_put(&wanted, "data", 4);
        else feed_put(&wanted, "id", 2);
        read_string(json);
        log_text(&wanted, "", json->text, json->size);
    }
}

static void read_field(reader *json, vector *row)
{
    if (key_is(json, "name")) {
        read_string(json);
        snprintf(row->name, sizeof row->name, "%.*s", (int)json->size, json->text);
    } else if (key_is(json, "bytes_base64")) {
        read_string(json);
        decode_base64(row, json);
    } else if (key_is(json, "last_event_id")) {
        read_string(json);
        log_text(&wanted_end, "end id", json->text, json->size);
    } else if (key_is(json, "final_retry")) {
        log_retry(&wanted_end, read_number(json));
    } else if (key_is(json, "events")) {
        take_mark(json, '[');
        for (; take_mark(json, '{'); take_mark(json, ','))
            read_event(json);
        take_mark(json, ']');
    } else {
        row->any_retry |= key_is(json, "retry_unspecified");
        skip_value(json);
    }
}

static void begin_log(feed_log *log)
{
    log->size = 0;
    log->in_text = 0;
    log->full = 0;
}

/* Reads the next vector and, into `wanted`, what it must give. */
static int read_vector(reader *json, vector *row)
{
    take_mark(json, ',');
    if (!take_mark(json, '{')) return 0;
    begin_log(&wanted);
    begin_log(&wanted_end);
    row->any_retry = 0;
    while (read_key(json))
        read_field(json, row);
    feed_put(&wanted, wanted_end.text, wanted_end.size);
    feed_line(&wanted, "END");
    feed_put(&wanted, "", 1); /* so that it is a C string */
    return 1;
}

/* The decoder as a browser would use it. */

typedef struct browser {
    elelem_sse_decoder decoder;
    char data[VECTOR_MAX];
    size_t size;
    int any_retry;
} browser;

/* Nonzero if `next` may follow these bytes of a sequence (Unicode, table 3-7). */
static int goes_on(const unsigned char *sequence, size_t size, unsigned char next)
{
    unsigned char lead = sequence[0];

    if (size == 1 && lead == 0xe0) return next >= 0xa0 && next < 0xc0;
    if (size == 1 && lead == 0xed) return next >= 0x80 && next < 0xa0;
    if (size == 1 && lead == 0xf0) return next >= 0x90 && next < 0xc0;
    if (size == 1 && lead == 0xf4) return next >= 0x80 && next < 0x90;
    return next >= 0x80 && next < 0xc0;
}

static size_t sequence_size(unsigned char lead)
{
    if (lead < 0x80) return 1;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* Text with U+FFFD for each maximal part that is not UTF-8, as in the Encoding standard. */
static void log_replaced(feed_log *log, const char *label, const char *data, size_t size)
{
    static char text[3 * VECTOR_MAX];
    const unsigned char *bytes = (const unsigned char *)data;
    size_t length = 0;
    size_t at = 0;

    while (at < size) {
        size_t whole = sequence_size(bytes[at]);
        size_t have = 1;
        while (have < whole && at + have < size && goes_on(bytes + at, have, bytes[at + have]))
            have++;
        if (have == whole) memcpy(text + length, bytes + at, have);
        else memcpy(text + length, "\xef\xbf\xbd", 3);
        length += have == whole ? have : 3;
        at += have;
    }
    log_text(log, label, text, length);
}

static void log_dispatch(browser *object, feed_log *log, const elelem_frame *frame)
{
    elelem_str event = frame->event.size > 0 ? frame->event : elelem_str_of("message");

    log_replaced(log, "event", event.data, event.size);
    log_replaced(log, "data", object->data, object->size);
    log_replaced(log, "id", frame->id.data, frame->id.size);
    log_retry(log, object->any_retry ? -1 : (long long)frame->retry_ms);
    object->size = 0;
}

static void start(void *object)
{
    elelem_sse_decoder_reset(&((browser *)object)->decoder);
    ((browser *)object)->size = 0;
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    return elelem_sse_decoder_push(&((browser *)object)->decoder, bytes, size);
}

static elelem_status take(void *object, feed_log *log)
{
    browser *us = (browser *)object;
    elelem_frame frame;
    elelem_status status = elelem_sse_decoder_next(&us->decoder, &frame);

    if (status != ELELEM_OK) return status;
    if (frame.kind == ELELEM_FRAME_DISPATCH) log_dispatch(us, log, &frame);
    if (frame.kind != ELELEM_FRAME_DATA) return status;
    if (frame.text.size > sizeof us->data - us->size) abort();
    memcpy(us->data + us->size, frame.text.data, frame.text.size);
    us->size += frame.text.size;
    return status;
}

static void finish(void *object)
{
    elelem_sse_decoder_finish(&((browser *)object)->decoder);
}

static elelem_error error(const void *object)
{
    return elelem_sse_decoder_error(&((const browser *)object)->decoder);
}

/* The id and the reconnection time are logged once, before feed.h writes END. */
static elelem_status take_all(void *object, feed_log *log)
{
    browser *us = (browser *)object;
    elelem_status status = take(object, log);
    elelem_str id = elelem_sse_decoder_last_id(&us->decoder);

    if (status != ELELEM_END) return status;
    if (log->size >= 4 && memcmp(log->text + log->size - 4, "END\n", 4) == 0) return status;
    log_replaced(log, "end id", id.data, id.size);
    log_retry(log, us->any_retry ? -1 : (long long)elelem_sse_decoder_retry_ms(&us->decoder));
    return status;
}

/* Reading the files. */

static char *read_file(const char *name)
{
    const char *corpus = getenv("ELELEM_CORPUS");
    char path[1000];
    char *text;
    size_t size;
    FILE *file;

    snprintf(path, sizeof path, "%s/sse/%s", corpus ? corpus : "../shared/corpus", name);
    file = fopen(path, "rb");
    if (!file) return NULL;
    text = (char *)malloc(1u << 20);
    if (!text) abort();
    size = fread(text, 1, (1u << 20) - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static int check_file(const char *name)
{
    static reader json;
    static vector row;
    static browser us;
    static const feed_object fed = { &us, start, push, take_all, finish, error };
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    char *text = read_file(name);
    int count = 0;

    if (!text) return 0;
    elelem_sse_decoder_init(&us.decoder, &desc);
    json.at = text;
    for (take_mark(&json, '['); read_vector(&json, &row); count++) {
        check_context(row.name);
        us.any_retry = row.any_retry;
        FEED(&fed, row.bytes, row.size, wanted.text);
    }
    CHECK(take_mark(&json, ']'));
    elelem_sse_decoder_free(&us.decoder);
    free(text);
    return count;
}

TEST(every_vector_gives_the_events_of_the_standard)
{
    static const char *const names[] = { "wpt.json", "esp.json",  "spec.json", "retry.json",
                                         "own.json", "llm.json", "rand.json" };
    int count = 0;
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        count += check_file(names[i]);
    if (count == 0) check_nothing("no vectors in $ELELEM_CORPUS/sse");
}

CHECK_MAIN("corpus_sse",
    RUN(every_vector_gives_the_events_of_the_standard))
