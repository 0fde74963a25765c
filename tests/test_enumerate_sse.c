/* The event stream decoder against the WHATWG HTML standard, 9.2.6, as a machine that keeps the line: every state with every byte,
   whole, byte by byte, and cut, with lines and values made longer. */
#include "elelem_stream.h"

#include "enumerate.h"

#include <stdio.h>
#include <stdlib.h>

#define LOG_SIZE 1024
#define LINE_SIZE 128

typedef struct law {
    const char *name;
    int lines;      /* lines that are no field are returned */
    size_t name_limit, data_limit;
    size_t states;
} law;

static const law *law_now;
static long cases;

/* The log: data and lines as they are, each run with a letter before it; "!D name|id|retry". */
typedef struct log_of {
    char text[LOG_SIZE];
    size_t size;
    char last;
} log_of;

static void put(log_of *log, const void *bytes, size_t size)
{
    if (size > sizeof log->text - log->size) size = sizeof log->text - log->size;
    if (size > 0) memcpy(log->text + log->size, bytes, size);
    log->size += size;
}

static void put_piece(log_of *log, char kind, const void *bytes, size_t size)
{
    if (log->last != kind) put(log, &kind, 1);
    log->last = kind;
    put(log, bytes, size);
}

static void put_end(log_of *log, char kind, elelem_str name, elelem_str id, int64_t retry)
{
    char number[40];

    put_piece(log, kind, name.data, name.size);
    put(log, "|", 1);
    put(log, id.data, id.size);
    snprintf(number, sizeof number, "|%lld\n", (long long)retry);
    put(log, number, strlen(number));
    log->last = 0;
}

/* The standard. */

typedef struct machine {
    unsigned char line[LINE_SIZE];
    size_t line_size, shown, read, data_size;
    int after_cr, has_data, inside, at_start;
    elelem_status status;
    char name[LINE_SIZE], id[LINE_SIZE], last_id[LINE_SIZE];
    size_t name_size, id_size, last_id_size;
    int64_t retry;
    log_of log;
} machine;

static const char *const fields[] = { "data", "event", "id", "retry" };

static void start(machine *m)
{
    memset(m, 0, sizeof *m);
    m->retry = -1;
    m->at_start = 1;
    m->status = ELELEM_MORE;
}

/* The field of a line that has its colon or that is its name only; -1: none. */
static int field_of(const machine *m, size_t *value)
{
    int i;

    for (i = 0; i < 4; i++) {
        size_t size = strlen(fields[i]);
        if (m->line_size < size || memcmp(m->line, fields[i], size) != 0) continue;
        if (m->line_size > size && m->line[size] != ':') continue;
        *value = m->line_size > size ? size + 1 : size;
        if (m->line_size > *value && m->line[*value] == ' ') ++*value;
        return i;
    }
    return -1;
}

/* Nonzero if a longer line may be a field, or the byte order mark. */
static int is_open(const machine *m)
{
    int i;

    for (i = 0; i < 4; i++)
        if (m->line_size <= strlen(fields[i]) && memcmp(m->line, fields[i], m->line_size) == 0) return 1;
    return m->at_start && m->line_size < 3 && memcmp(m->line, "\xef\xbb\xbf", m->line_size) == 0;
}

static void fail(machine *m, elelem_status status)
{
    m->status = status;
}

static void show(machine *m)
{
    if (law_now->lines && m->line[0] != ':') put_piece(&m->log, 'l', m->line + m->shown, m->line_size - m->shown);
    m->shown = m->line_size;
}

static void open_field(machine *m, int field)
{
    m->inside = 1;
    if (field != 0) return;
    if (!m->has_data) {
        m->has_data = 1;
    } else if (law_now->data_limit && m->data_size == law_now->data_limit) {
        fail(m, ELELEM_ERROR_FRAME_SIZE);
    } else {
        m->data_size++;
        put_piece(&m->log, 'd', "\n", 1);
    }
}

/* The last byte of the line is of a value. */
static void value_byte(machine *m, int field, size_t value)
{
    size_t size = m->line_size - value;

    if (size == 0) return;
    if (field == 0) {
        if (law_now->data_limit && m->data_size == law_now->data_limit) {
            fail(m, ELELEM_ERROR_FRAME_SIZE);
            return;
        }
        m->data_size++;
        put_piece(&m->log, 'd', m->line + m->line_size - 1, 1);
    } else if (field < 3 && law_now->name_limit && size > law_now->name_limit) {
        if (field == 1 || !memchr(m->line + value, 0, law_now->name_limit)) fail(m, ELELEM_ERROR_LINE_SIZE);
    }
}

static void more_of_line(machine *m, unsigned char byte)
{
    size_t value = 0;
    int field;

    m->line[m->line_size++] = byte;
    if (m->at_start && m->line_size == 3 && memcmp(m->line, "\xef\xbb\xbf", 3) == 0) {
        m->line_size = 0;
        m->at_start = 0;
        return;
    }
    if (is_open(m)) return;
    field = field_of(m, &value);
    if (field < 0) show(m);
    else if (m->line_size == strlen(fields[field]) + 1) open_field(m, field);
    else value_byte(m, field, value);
}

static void close_field(machine *m, int field, const unsigned char *value, size_t size)
{
    size_t i;
    int64_t retry = 0;

    if (field == 1) {
        memcpy(m->name, value, m->name_size = size);
    } else if (field == 2 && !memchr(value, 0, size)) {
        memcpy(m->id, value, m->id_size = size);
    } else if (field == 3 && size > 0) {
        for (i = 0; i < size; i++) {
            if (value[i] < '0' || value[i] > '9') return;
            retry = retry > (INT64_MAX - (value[i] - '0')) / 10 ? INT64_MAX : retry * 10 + (value[i] - '0');
        }
        m->retry = retry;
    }
}

static void finish_event(machine *m, char kind)
{
    put_end(&m->log, kind, elelem_str_from(m->name, m->name_size), elelem_str_from(m->last_id, m->last_id_size), m->retry);
}

static void blank(machine *m)
{
    memcpy(m->last_id, m->id, m->last_id_size = m->id_size);
    if (m->has_data) finish_event(m, 'D');
    m->name_size = m->data_size = 0;
    m->has_data = m->inside = 0;
}

static void end_of_line(machine *m)
{
    size_t value = 0;
    int field = field_of(m, &value);

    if (m->line_size == 0) {
        blank(m);
    } else if (field >= 0) {
        if (m->line_size == strlen(fields[field])) open_field(m, field);
        if (m->status == ELELEM_MORE) close_field(m, field, m->line + value, m->line_size - value);
    } else if (m->line[0] != ':' && law_now->lines) {
        show(m);
        put(&m->log, "\n", 1);
        m->log.last = 0;
    }
    m->line_size = m->shown = 0;
    m->at_start = 0;
}

static void byte_of(machine *m, unsigned char byte)
{
    if (m->status != ELELEM_MORE) return;
    if (m->after_cr && byte == '\n') {
        m->after_cr = 0;
    } else {
        m->after_cr = byte == '\r';
        if (byte == '\r' || byte == '\n') end_of_line(m);
        else more_of_line(m, byte);
    }
    if (m->status == ELELEM_MORE) m->read++;
}

/* The end of the body. A line that is no field is complete, one that is a field is not. */
static void end(machine *m)
{
    size_t value;

    if (m->status != ELELEM_MORE) return;
    if (m->line_size > 0 && field_of(m, &value) >= 0) m->inside = 1;
    else if (m->line_size > 0) end_of_line(m);
    if (m->inside) finish_event(m, 'X');
    m->status = ELELEM_END;
}

/* The decoder. */

typedef struct reading {
    elelem_sse_decoder decoder;
    log_of log;
    elelem_status status;
    uint64_t offset;
} reading;

static void start_reading(reading *r)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    desc.lines = law_now->lines != 0;
    desc.max_name_bytes = law_now->name_limit;
    desc.max_data_bytes = law_now->data_limit;
    elelem_sse_decoder_init(&r->decoder, &desc);
    r->log.size = 0;
    r->log.last = 0;
    r->status = ELELEM_MORE;
}

static void drain(reading *r)
{
    elelem_frame frame;

    while ((r->status = elelem_sse_decoder_next(&r->decoder, &frame)) == ELELEM_OK) {
        if (frame.kind == ELELEM_FRAME_DATA) put_piece(&r->log, 'd', frame.text.data, frame.text.size);
        if (frame.kind == ELELEM_FRAME_DISPATCH) put_end(&r->log, 'D', frame.event, frame.id, frame.retry_ms);
        if (frame.kind == ELELEM_FRAME_DISCARD) put_end(&r->log, 'X', frame.event, frame.id, frame.retry_ms);
        if (frame.kind == ELELEM_FRAME_LINE) {
            put_piece(&r->log, 'l', frame.text.data, frame.text.size);
            if (frame.line_end) put(&r->log, "\n", 1);
            if (frame.line_end) r->log.last = 0;
        }
    }
}

static void push(reading *r, const unsigned char *bytes, size_t size)
{
    unsigned char *lent;

    if (size == 0 || r->status != ELELEM_MORE) return;
    lent = (unsigned char *)malloc(size);
    if (!lent) abort();
    memcpy(lent, bytes, size);
    CHECK_INT(elelem_sse_decoder_push(&r->decoder, lent, size), ELELEM_OK);
    drain(r);
    free(lent);
}

static void compare(const reading *r, const machine *m, const char *how, const unsigned char *word, size_t size)
{
    uint64_t offset = r->status < 0 ? elelem_sse_decoder_error(&r->decoder).offset : m->read;

    cases++;
    if (r->status == m->status && offset == m->read && r->log.size == m->log.size && memcmp(r->log.text, m->log.text, m->log.size) == 0) return;
    check_context(how);
    CHECK_INT(r->status, m->status);
    CHECK_U64(offset, m->read);
    CHECK_BYTES(r->log.text, r->log.size, m->log.text, m->log.size);
    if (check_now.failures <= CHECK_MAX) check_show(law_now->name, (const char *)word, size, size);
    check_context(NULL);
}

/* The decoder's own fields. Sizes count up to the limits. */
static size_t key_of(const elelem_sse_decoder *d, unsigned char *key)
{
    int in_value = d->els_state == 4, in_text = in_value && (d->els_field == 1 || d->els_field == 2);
    size_t size = 0, kept = in_text ? d->els_sizes[d->els_value - 1] : 0;

    key[size++] = d->els_state;
    key[size++] = (unsigned char)(d->els_state == 2 || d->els_state == 3 || in_value ? d->els_field : 0);
    key[size++] = (unsigned char)(d->els_state == 2 ? d->els_matched : 0);
    key[size++] = d->els_event != 0;
    key[size++] = d->els_id != 0;
    key[size++] = d->els_last_id != 0;
    key[size++] = d->els_id == d->els_last_id;
    key[size++] = d->els_begun;
    key[size++] = d->els_inside;
    key[size++] = d->els_has_data;
    key[size++] = d->els_retry >= 0;
    key[size++] = (unsigned char)(in_value && d->els_field == 3 ? d->els_number >= 0 : 0);
    key[size++] = (unsigned char)(law_now->name_limit || kept == 0 ? kept : 1);
    key[size++] = (unsigned char)(law_now->data_limit ? d->els_data_size : 0);
    return size;
}

/* Names and ids that are known multiply the states; only the deep test has all of them. */
static int goes_on(const unsigned char *key)
{
#ifdef ENUMERATE_ALL
    return key[0] != 0xff;
#else
    return !(key[3] + key[4] + key[5]);
#endif
}

static size_t feed(const unsigned char *word, size_t size, size_t first, size_t step, const machine *m, const machine *done,
                   const char *how, unsigned char *key)
{
    static reading r;
    size_t at = 0, piece = first, key_size = 0;

    start_reading(&r);
    for (; at < size; at += piece, piece = step) {
        if (piece == 0 || piece > size - at) piece = size - at;
        push(&r, word + at, piece);
    }
    compare(&r, m, how, word, size);
    if (r.status == ELELEM_MORE) {
        key_size = key_of(&r.decoder, key);
        elelem_sse_decoder_finish(&r.decoder);
        drain(&r);
        compare(&r, done, "after finish", word, size);
    }
    elelem_sse_decoder_free(&r.decoder);
    return key_size;
}

/* Byte by byte, compared after every byte. */
static void step(const unsigned char *word, size_t size, machine *m)
{
    static reading r;
    size_t at;

    start(m);
    start_reading(&r);
    for (at = 0; at < size; at++) {
        push(&r, word + at, 1);
        byte_of(m, word[at]);
        compare(&r, m, "byte by byte", word, at + 1);
    }
    elelem_sse_decoder_free(&r.decoder);
}

/* One word whole and cut at two places; a short one byte by byte too. (What follows a byte is read byte by byte from the states
   that come after it.) */
static size_t check_word(const unsigned char *word, size_t size, size_t loop, size_t at, int is_short, unsigned char *key)
{
    static machine m, done;
    unsigned char other[ENUMERATE_KEY];
    size_t cuts[3], i, key_size;

    start(&m);
    if (is_short) step(word, size, &m);
    for (i = m.read; !is_short && i < size; i++)
        byte_of(&m, word[i]);
    done = m;
    end(&done);
    cuts[0] = size;
    cuts[1] = loop;
    cuts[2] = at;
    key_size = feed(word, size, is_short ? 1 : size, is_short ? 1 : size, &m, &done, is_short ? "byte by byte" : "whole", key);
    for (i = is_short ? 0 : 1; i < (loop == at ? 2u : 3u); i++) {
        size_t other_size = feed(word, size, cuts[i], size, &m, &done, i ? "cut" : "whole", other);
        CHECK(other_size == key_size && memcmp(other, key, key_size) == 0);
    }
    return key_size;
}

/* Nonzero if text that follows the word belongs to what the last state is of, and does not change it. */
static int takes_text(unsigned char *text, size_t size)
{
    unsigned char key[ENUMERATE_KEY], other[ENUMERATE_KEY];
    size_t key_size = check_word(text, size, 0, 0, 1, key), other_size;

    text[size] = 'y';
    other_size = check_word(text, size + 1, size, size, 1, other);
    return other_size == key_size && memcmp(key, other, key_size) == 0;
}

/* Compares what comes after reset with the same from the start. */
static void check_reset(const unsigned char *word, size_t size)
{
    static const char text[] = "\xef\xbb\xbf" "data: y\n\nevent: n\ndata: z\nid:\n\n";
    static machine m;
    static reading r;
    size_t i;

    start_reading(&r);
    push(&r, word, size);
    elelem_sse_decoder_reset(&r.decoder);
    r.log.size = 0;
    r.log.last = 0;
    r.status = ELELEM_MORE;
    push(&r, (const unsigned char *)text, sizeof text - 1);
    start(&m);
    for (i = 0; i + 1 < sizeof text; i++)
        byte_of(&m, (unsigned char)text[i]);
    compare(&r, &m, "after reset", word, size);
    elelem_sse_decoder_free(&r.decoder);
}

static size_t visit(const unsigned char *word, size_t size, unsigned char byte, unsigned char *key)
{
    static const char *const rests[] = { "", "\n\n", "\r\r\n\r", "yyyyyyyyyyyyyyyyyyyy\r\n\r\n", ":z\n\ndata: end\n\n", ": 12\n \n", "ta: \n\n" };
    unsigned char text[LINE_SIZE], other[ENUMERATE_KEY];
    size_t pad, rest, key_size;
    static int repeats; /* of the word, which is the same for all bytes */

    memcpy(text, word, size);
    if (byte == 0) repeats = takes_text(text, size);
    for (pad = 0; pad < (repeats ? 18u : 1u); pad = enumerate_next_pad(pad))
        for (rest = 0; rest < (pad ? 2 : sizeof rests / sizeof *rests); rest++) {
            size_t after = strlen(rests[rest]);
            memset(text + size, 'y', pad);
            text[size + pad] = byte;
            memcpy(text + size + pad + 1, rests[rest], after);
            check_cut("byte", byte);
            check_word(text, size + pad + 1 + after, size, size + pad, 0, other);
        }
    text[size] = byte;
    check_reset(text, size + 1);
    key_size = check_word(text, size + 1, size, size, 1, key);
    return goes_on(key) ? key_size : 0;
}

static const law laws[] = {
    { "fields", 0, 0, 0, ENUMERATE_COUNT(201, 1327) },
    { "fields and lines", 1, 0, 0, ENUMERATE_COUNT(209, 1375) },
    { "limits of a byte", 0, 1, 1, ENUMERATE_COUNT(261, 1927) },
};

TEST(every_state_of_an_event_stream_with_every_byte)
{
    size_t i, found;

    for (i = 0; i < sizeof laws / sizeof *laws; i++) {
        law_now = &laws[i];
        cases = 0;
        found = enumerate_all(visit);
        printf("%s: %lu states, %ld comparisons\n", law_now->name, (unsigned long)found, cases);
        check_cut(NULL, 0);
        check_context(law_now->name);
        CHECK_INT(found, law_now->states);
    }
}

#ifndef ROOM
#define ROOM "enumerate_sse"
#endif

CHECK_MAIN(ROOM, RUN(every_state_of_an_event_stream_with_every_byte))
