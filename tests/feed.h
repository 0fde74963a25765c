/* Chunk invariance for everything that takes bytes: one input is fed whole, byte by
 * byte, in pieces of several sizes and at every cut into two, and must give the same
 * results, the same end and the same offsets each time.
 *
 * The object under test is described by functions; `take` takes one result and writes
 * it into the log, which joins adjacent pieces of text that have the same label:
 *
 *     static elelem_status take(void *object, feed_log *log)
 *     {
 *         elelem_frame frame;
 *         elelem_status status = elelem_sse_decoder_next((elelem_sse_decoder *)object, &frame);
 *         if (status == ELELEM_OK && frame.kind == ELELEM_FRAME_DATA)
 *             feed_bytes(log, "data", frame.text.data, frame.text.size);
 *         ...
 *         return status;
 *     }
 *
 *     feed_object decoder = { &the_decoder, start, push, take, finish, error };
 *     FEED(&decoder, "data: a\n\n", 9, "data \"a\"\nDISPATCH\nEND\n");
 *
 * Every log ends with one line for the end: "END", or "ERROR_SYNTAX at 12". Each push
 * is a block of exactly its size, which is freed when the object has returned MORE, so that
 * the sanitizer reports reading outside of it or too late. Include elelem_stream.h first.
 */
#ifndef FEED_H
#define FEED_H

#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FEED_LOG_SIZE
#define FEED_LOG_SIZE (1u << 20)
#endif

/* Longer inputs are cut in two at this many places: half of them at the start, byte after
   byte, the others evenly spread over the rest. */
#ifndef FEED_CUTS
#define FEED_CUTS 2048
#endif

typedef struct feed_log {
    char text[FEED_LOG_SIZE];
    char label[512]; /* of the text being joined; "" may be one too */
    size_t size;
    int in_text;
    int full;
} feed_log;

typedef struct feed_object {
    void *object;
    void (*start)(void *object); /* begins a new input: init once, or reset */
    elelem_status (*push)(void *object, const void *bytes, size_t size);
    elelem_status (*next)(void *object, feed_log *log);
    void (*finish)(void *object);
    elelem_error (*error)(const void *object); /* may be null: then no offset is written */
} feed_object;

/* The log. */

static inline void feed_put(feed_log *log, const char *data, size_t size)
{
    if (size > sizeof log->text - log->size) {
        log->full = 1;
        return;
    }
    if (size > 0) memcpy(log->text + log->size, data, size);
    log->size += size;
}

static inline void feed_close(feed_log *log)
{
    if (log->in_text) feed_put(log, "\"\n", 2);
    log->in_text = 0;
}

/* Appends one formatted line; the line end is added. */
static inline void feed_line(feed_log *log, const char *format, ...)
{
    size_t room;
    int size;
    va_list list;

    feed_close(log);
    room = sizeof log->text - log->size;
    va_start(list, format);
    size = vsnprintf(log->text + log->size, room, format, list);
    va_end(list);
    if (size < 0 || (size_t)size >= room) log->full = 1;
    else log->size += (size_t)size;
    feed_put(log, "\n", 1);
}

/* Appends bytes inside quotes; control bytes, DEL, quotes and backslashes are escaped as in
   C, bytes of 0x80 and above are not. */
static inline void feed_escaped(feed_log *log, const char *data, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++) {
        unsigned char c = (unsigned char)data[i];
        char escape[8];
        int length = 1;

        escape[0] = data[i];
        if (c == '\n' || c == '\r' || c == '\t')
            length = snprintf(escape, sizeof escape, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else if (c == '"' || c == '\\')
            length = snprintf(escape, sizeof escape, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            length = snprintf(escape, sizeof escape, "\\%03o", c);
        feed_put(log, escape, (size_t)length);
    }
}

/* Appends a piece of text as `label "..."`, joined to the line before if that is
   text with the same label. An empty piece, which is never allowed, is shown. */
static inline void feed_bytes(feed_log *log, const char *label, const char *data, size_t size)
{
    if (size == 0) {
        feed_line(log, "%s (empty)", label);
        return;
    }
    if (!log->in_text || strcmp(log->label, label) != 0) {
        feed_close(log);
        snprintf(log->label, sizeof log->label, "%s", label);
        feed_put(log, label, strlen(label));
        feed_put(log, label[0] ? " \"" : "\"", label[0] ? 2 : 1);
        log->in_text = 1;
    }
    feed_escaped(log, data, size);
}

/* Nonzero if valid UTF-8 was not cut inside a character at either end. */
static inline int feed_is_whole(const char *data, size_t size)
{
    size_t i = 0;

    while (i < size) {
        unsigned char lead = (unsigned char)data[i];
        if (lead >= 0x80 && lead < 0xc0) return 0;
        i += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    }
    return i == size;
}

/* Nonzero if nothing is known of the usage. */
static inline int feed_is_unknown(const elelem_usage *usage)
{
    return usage->input == -1 && usage->output == -1 && usage->cached == -1 && usage->reasoning == -1 && usage->cache_written == -1;
}

/* The same for a piece that must have whole characters: one that is cut is shown. */
static inline void feed_text(feed_log *log, const char *label, const char *data, size_t size)
{
    if (!feed_is_whole(data, size)) feed_line(log, "%s (torn)", label);
    feed_bytes(log, label, data, size);
}

/* Feeding. */

/* Takes results until there are none, and frees what was lent. */
static inline elelem_status feed_drain(const feed_object *object, feed_log *log, char *lent)
{
    elelem_status status;

    do
        status = object->next(object->object, log);
    while (status == ELELEM_OK);
    free(lent);
    return status;
}

static inline elelem_status feed_push(const feed_object *object, feed_log *log, const char *bytes, size_t size)
{
    char *lent = NULL;
    elelem_status status;

    if (size > 0) {
        lent = (char *)malloc(size);
        if (!lent) abort();
        memcpy(lent, bytes, size);
    }
    status = object->push(object->object, lent, size);
    if (status != ELELEM_OK) feed_line(log, "push returned %s", elelem_status_name(status));
    return feed_drain(object, log, lent);
}

/* An end must be the same if next is called again. */
static inline void feed_end(const feed_object *object, feed_log *log, elelem_status status)
{
    const char *name = elelem_status_name(status) + (sizeof "ELELEM_" - 1);
    elelem_status again;

    if (status < 0 && object->error) {
        elelem_error error = object->error(object->object);
        feed_line(log, "%s at %llu", name, (unsigned long long)error.offset);
        if (error.status != status) feed_line(log, "error tells %s", elelem_status_name(error.status));
    } else {
        feed_line(log, "%s", name);
    }
    again = object->next(object->object, log);
    if (again != status) feed_line(log, "then next returned %s", elelem_status_name(again));
    if (status >= 0) return;
    again = object->push(object->object, "x", 1);
    if (again != status) feed_line(log, "then push returned %s", elelem_status_name(again));
    object->finish(object->object);
    again = object->next(object->object, log);
    if (again != status) feed_line(log, "after finish next returned %s", elelem_status_name(again));
}

/* Feeds `size` bytes: the first `first`, then `step` at a time; with `gaps` also an
   empty push before each piece. */
static inline void feed_once(const feed_object *object, feed_log *log, const char *bytes, size_t size, size_t first,
                             size_t step, int gaps)
{
    elelem_status status = ELELEM_MORE;
    size_t at = 0;
    size_t piece = first;

    log->size = 0;
    log->in_text = 0;
    log->full = 0;
    object->start(object->object);
    while (status == ELELEM_MORE && at < size) {
        if (piece > size - at) piece = size - at;
        if (gaps) status = feed_push(object, log, NULL, 0);
        if (status == ELELEM_MORE) status = feed_push(object, log, bytes + at, piece);
        at += piece;
        piece = step;
    }
    if (status == ELELEM_MORE) {
        object->finish(object->object);
        status = feed_drain(object, log, NULL);
    }
    feed_end(object, log, status);
}

static feed_log feed_now;
static feed_log feed_whole;

typedef struct feed_case {
    const feed_object *object;
    const char *bytes;
    size_t size;
    const char *expected;
    size_t expected_size;
    const char *file;
    int line;
} feed_case;

static inline int feed_one(const feed_case *row, feed_log *log, const char *cut, size_t at, size_t first, size_t step,
                           int gaps)
{
    check_cut(cut, at);
    feed_once(row->object, log, row->bytes, row->size, first, step, gaps);
    if (log->full) return check_true(0, "the log is full", row->file, row->line);
    if (!row->expected) return 1;
    return check_bytes(log->text, log->size, row->expected, row->expected_size, "what the input gives", row->file,
                       row->line);
}

/* Whole, byte by byte and in pieces. */
static inline int feed_in_pieces(feed_case *row)
{
    static const size_t steps[] = { 1, 2, 3, 5, 7, 16, 64, 1000 };
    size_t i;
    int good = feed_one(row, &feed_whole, "whole", row->size, row->size, row->size, 0);

    if (!row->expected) {
        row->expected = feed_whole.text;
        row->expected_size = feed_whole.size;
    }
    good &= feed_one(row, &feed_now, "byte by byte, with empty pushes between", 1, 1, 1, 1);
    for (i = 0; i < sizeof steps / sizeof *steps; i++)
        good &= feed_one(row, &feed_now, "pieces of", steps[i], steps[i], steps[i], 0);
    check_cut(NULL, 0);
    return good;
}

/* The same, and at every cut into two from this one on. */
static inline int feed_all(feed_case *row, size_t from)
{
    size_t stride = row->size <= FEED_CUTS ? 1 : row->size / (FEED_CUTS / 2) + 1;
    size_t i;
    int good = feed_in_pieces(row);

    for (i = from; i < row->size; i += i < FEED_CUTS / 2 ? 1 : stride)
        good &= feed_one(row, &feed_now, "cut at", i, i, row->size, 0);
    check_cut(NULL, 0);
    return good;
}

static inline feed_case feed_case_of(const feed_object *object, const char *bytes, size_t size, const char *expected, const char *file,
                                     int line)
{
    feed_case row;

    row.object = object;
    row.bytes = bytes;
    row.size = size;
    row.expected = expected;
    row.expected_size = expected ? strlen(expected) : 0;
    row.file = file;
    row.line = line;
    return row;
}

/* Nonzero if `size` bytes give the log `expected` however they are cut. A null
   `expected` means the log of the whole. */
static inline int feed_check(const feed_object *object, const char *bytes, size_t size, const char *expected,
                             const char *file, int line)
{
    feed_case row = feed_case_of(object, bytes, size, expected, file, line);

    return feed_all(&row, 1);
}

/* The same for inputs that begin alike: of the cuts into two only those from this one on, since one of them has had the others. */
static inline int feed_check_from(const feed_object *object, const char *bytes, size_t size, size_t from, const char *expected,
                                  const char *file, int line)
{
    feed_case row = feed_case_of(object, bytes, size, expected, file, line);

    return feed_all(&row, from);
}

/* Nonzero if they give this log whole. */
static inline int feed_check_whole(const feed_object *object, const char *bytes, size_t size, const char *expected, const char *file,
                                   int line)
{
    feed_case row = feed_case_of(object, bytes, size, expected, file, line);

    return feed_one(&row, &feed_whole, "whole", size, size, size, 0);
}

/* Nonzero if they give in pieces what they give whole: for beginnings of one input, of which there are many. */
static inline int feed_check_pieces(const feed_object *object, const char *bytes, size_t size, const char *file, int line)
{
    feed_case row = feed_case_of(object, bytes, size, NULL, file, line);

    return feed_in_pieces(&row);
}

#define FEED(object, bytes, size, expected) feed_check(object, bytes, size, expected, __FILE__, __LINE__)

#endif
