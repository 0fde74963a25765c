#ifndef ELS_WRITER_C
#define ELS_WRITER_C
#include "writer.h"
#include "base.c"
#include "text.c"
#include "value.c"

/* >> writer */

/* Sinks. */

void elelem_buffer_init(elelem_buffer *buffer, elelem_allocator allocator, size_t max_bytes)
{
    memset(buffer, 0, sizeof *buffer);
    buffer->els_memory.allocator = allocator;
    buffer->els_max = max_bytes ? max_bytes : SIZE_MAX;
}

/* Appends what room was made for. */
ELS_INLINE void els_buffer_put(elelem_buffer *buffer, const void *bytes, size_t size)
{
    if (size > 0) memcpy(buffer->els_memory.data + buffer->els_size, bytes, size);
    buffer->els_size += size;
}

elelem_status elelem_buffer_append(elelem_buffer *buffer, const void *bytes, size_t size)
{
    elelem_status status;

    if (size == 0) return ELELEM_OK;
    if (!bytes || buffer->els_max == 0) return ELELEM_ERROR_MISUSE;
    if (size > buffer->els_max - buffer->els_size) return ELELEM_ERROR_VALUE_SIZE;
    status = els_block_reserve(&buffer->els_memory, els_sum(buffer->els_size, size), buffer->els_max,
                               ELELEM_ERROR_VALUE_SIZE);
    if (status != ELELEM_OK) return status;
    els_buffer_put(buffer, bytes, size);
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_buffer_write(void *context, const void *bytes, size_t size)
{
    return elelem_buffer_append((elelem_buffer *)context, bytes, size);
}

elelem_sink elelem_buffer_sink(elelem_buffer *buffer)
{
    elelem_sink sink;

    sink.write = els_buffer_write;
    sink.context = buffer;
    return sink;
}

elelem_str elelem_buffer_text(const elelem_buffer *buffer)
{
    return els_str(buffer->els_size > 0 ? (const char *)buffer->els_memory.data : "", buffer->els_size);
}

void elelem_buffer_clear(elelem_buffer *buffer)
{
    buffer->els_size = 0;
}

void elelem_buffer_free(elelem_buffer *buffer)
{
    buffer->els_size = 0;
    els_block_free(&buffer->els_memory);
}

ELS_PRIVATE elelem_status els_span_write(void *context, const void *bytes, size_t size)
{
    elelem_span_sink *span = (elelem_span_sink *)context;

    if (size > span->capacity - span->size) return ELELEM_ERROR_VALUE_SIZE;
    if (size > 0) memcpy(span->data + span->size, bytes, size);
    span->size += size;
    return ELELEM_OK;
}

elelem_sink elelem_span_sink_of(elelem_span_sink *span)
{
    elelem_sink sink;

    sink.write = els_span_write;
    sink.context = span;
    return sink;
}

ELS_PRIVATE elelem_status els_sink_put(const elelem_sink *sink, elelem_str text)
{
    if (!sink->write) return ELELEM_ERROR_SINK;
    return text.size > 0 ? sink->write(sink->context, text.data, text.size) : ELELEM_OK;
}

/* The pen gathers small things, so that a call writes a few long pieces instead of many
   short ones. It lives no longer than the call. */
typedef struct els_pen {
    elelem_writer *writer;
    size_t size;
    char bytes[256];
} els_pen;

/* After an error nothing more is written. */
ELS_PRIVATE void els_pen_write(els_pen *pen, const void *bytes, size_t size)
{
    elelem_writer *writer = pen->writer;

    if (size == 0 || writer->els_status) return;
    if (writer->els_sink.write) {
        elelem_status status = writer->els_sink.write(writer->els_sink.context, bytes, size);
        if (status < 0) writer->els_status = status;
        else writer->els_written += size;
    } else {
        writer->els_status = ELELEM_ERROR_MISUSE; /* init was never called */
    }
}

ELS_INLINE void els_pen_flush(els_pen *pen)
{
    if (pen->size > 0) els_pen_write(pen, pen->bytes, pen->size);
    pen->size = 0;
}

ELS_INLINE void els_pen_put(els_pen *pen, const void *bytes, size_t size)
{
    if (size > sizeof pen->bytes - pen->size) els_pen_flush(pen);
    if (size > sizeof pen->bytes) {
        els_pen_write(pen, bytes, size);
    } else if (size > 0) {
        memcpy(pen->bytes + pen->size, bytes, size);
        pen->size += size;
    }
}

ELS_INLINE void els_pen_byte(els_pen *pen, char byte)
{
    if (pen->size == sizeof pen->bytes) els_pen_flush(pen);
    pen->bytes[pen->size++] = byte;
}

ELS_INLINE void els_pen_start(els_pen *pen, elelem_writer *writer)
{
    pen->writer = writer;
    pen->size = 0;
}

ELS_INLINE elelem_status els_pen_end(els_pen *pen)
{
    els_pen_flush(pen);
    return (elelem_status)pen->writer->els_status;
}

/* White space and commas. */

ELS_PRIVATE void els_pen_line(els_pen *pen)
{
    uint64_t blanks = (uint64_t)pen->writer->els_depth * pen->writer->els_indent;

    if (pen->writer->els_indent == 0) return;
    els_pen_byte(pen, '\n');
    for (; blanks > 0 && !pen->writer->els_status; blanks--)
        els_pen_byte(pen, ' ');
}

/* What stands before a key, an element or a value at the top. */
ELS_INLINE void els_pen_separate(els_pen *pen)
{
    elelem_writer *writer = pen->writer;

    if (writer->els_depth == 0) {
        if (writer->els_comma) els_pen_byte(pen, '\n');
    } else {
        if (writer->els_comma) els_pen_byte(pen, ',');
        els_pen_line(pen);
    }
    writer->els_comma = 1;
}

ELS_INLINE void els_pen_value(els_pen *pen)
{
    if (!pen->writer->els_after_key) els_pen_separate(pen);
    pen->writer->els_after_key = 0;
}

/* Strings. */

ELS_PRIVATE void els_pen_escape(els_pen *pen, unsigned char byte)
{
    static const char letters[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";
    static const char digits[] = "0123456789abcdef";
    char escape[6] = { '\\', 'u', '0', '0', '0', '0' };

    escape[1] = byte < 0x20 ? letters[byte] : (char)byte;
    escape[4] = digits[byte >> 4];
    escape[5] = digits[byte & 15];
    els_pen_put(pen, escape, escape[1] == 'u' ? 6 : 2);
}

/* The size of the longest start of a character at a byte where none is whole, or 1
   (the Unicode Standard, 3.9, U+FFFD substitution of maximal subparts). */
ELS_PRIVATE size_t els_broken_size(const unsigned char *at, const unsigned char *end)
{
    els_lead lead = els_lead_of(*at);
    size_t size = 1;

    if (lead.more == 0 || end - at < 2 || at[1] < lead.low || at[1] > lead.high) return 1;
    while (size < lead.more && at + size < end && els_is_continuation(at[size]))
        size++;
    return size;
}

ELS_PRIVATE void els_pen_text(els_pen *pen, elelem_str text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    const unsigned char *end = text.size > 0 ? at + text.size : at;

    while (at < end && !pen->writer->els_status) {
        const unsigned char *stop = els_text_plain(at, end);
        els_pen_put(pen, at, (size_t)(stop - at));
        at = stop;
        if (at == end) return;
        if (*at < 0x80) {
            els_pen_escape(pen, *at++);
        } else {
            els_pen_put(pen, "\xef\xbf\xbd", 3);
            at += els_broken_size(at, end);
        }
    }
}

ELS_INLINE void els_pen_quoted(els_pen *pen, elelem_str text)
{
    els_pen_byte(pen, '"');
    els_pen_text(pen, text);
    els_pen_byte(pen, '"');
}

/* Everything else. */

ELS_PRIVATE void els_pen_key(els_pen *pen, elelem_str key)
{
    els_pen_separate(pen);
    els_pen_quoted(pen, key);
    els_pen_byte(pen, ':');
    if (pen->writer->els_indent > 0) els_pen_byte(pen, ' ');
    pen->writer->els_after_key = 1;
}

ELS_PRIVATE void els_pen_begin(els_pen *pen, unsigned container)
{
    els_pen_value(pen);
    els_pen_byte(pen, container == ELELEM_TYPE_OBJECT ? '{' : '[');
    pen->writer->els_depth++;
    pen->writer->els_comma = 0;
}

ELS_PRIVATE void els_pen_finish(els_pen *pen, unsigned container)
{
    elelem_writer *writer = pen->writer;

    writer->els_depth--;
    if (writer->els_comma) els_pen_line(pen);
    els_pen_byte(pen, container == ELELEM_TYPE_OBJECT ? '}' : ']');
    writer->els_comma = 1;
    writer->els_after_key = 0;
}

ELS_INLINE void els_pen_json(els_pen *pen, elelem_str json)
{
    els_pen_value(pen);
    els_pen_put(pen, json.data, json.size);
}

ELS_PRIVATE elelem_status els_writer_json(elelem_writer *writer, const char *json, size_t size)
{
    els_pen pen;

    els_pen_start(&pen, writer);
    els_pen_json(&pen, els_str(json, size));
    return els_pen_end(&pen);
}

/* What a value says before what is in it. Nonzero where it is a container. */
ELS_PRIVATE int els_pen_open(els_pen *pen, elelem_value value)
{
    elelem_type type = elelem_value_type(value);

    if (els_is_container(type)) {
        els_pen_begin(pen, type);
        return 1;
    }
    if (type == ELELEM_TYPE_STRING) {
        els_pen_value(pen);
        els_pen_quoted(pen, elelem_value_text(value));
    } else {
        els_pen_json(pen, type == ELELEM_TYPE_NONE ? elelem_str_of("null") : elelem_value_text(value));
    }
    return 0;
}

/* Ends `at` and all containers that end with it, up to `top`. Answers what comes next, no value after the top. */
ELS_PRIVATE elelem_value els_pen_leave(els_pen *pen, elelem_value at, elelem_value top)
{
    elelem_value next = ELELEM_INIT;

    while (at.els_node != top.els_node) {
        next = elelem_value_next(at);
        if (next.els_node) break;
        at = elelem_value_parent(at);
        els_pen_finish(pen, elelem_value_type(at));
    }
    return next;
}

ELS_PRIVATE void els_pen_tree(els_pen *pen, elelem_value top)
{
    elelem_value at = top;

    do {
        elelem_value first = elelem_value_first(at);
        if (at.els_node != top.els_node && elelem_value_type(elelem_value_parent(at)) == ELELEM_TYPE_OBJECT)
            els_pen_key(pen, elelem_value_key(at));
        if (els_pen_open(pen, at) && !first.els_node) els_pen_finish(pen, elelem_value_type(at));
        at = first.els_node ? first : els_pen_leave(pen, at, top);
    } while (at.els_node && !pen->writer->els_status);
}

/* Fragments. */

/* The key of a value that begins with this fragment. */
ELS_INLINE void els_pen_fragment_key(els_pen *pen, const elelem_path *path)
{
    if (pen->writer->els_depth > 0 && path->count > 0 && path->segments[path->count - 1].key.data)
        els_pen_key(pen, path->segments[path->count - 1].key);
}

/* The opening quote, where it was not written yet. */
ELS_PRIVATE void els_pen_fragment_quote(els_pen *pen, const elelem_path *path)
{
    if (pen->writer->els_in_string) return;
    els_pen_fragment_key(pen, path);
    els_pen_value(pen);
    els_pen_byte(pen, '"');
    pen->writer->els_in_string = 1;
}

ELS_PRIVATE void els_pen_fragment_done(els_pen *pen, const elelem_fragment *fragment)
{
    if (fragment->type == ELELEM_TYPE_STRING) {
        els_pen_fragment_quote(pen, fragment->path);
        els_pen_byte(pen, '"');
        pen->writer->els_in_string = 0;
    } else if (els_is_container(fragment->type)) {
        els_pen_finish(pen, fragment->type);
    }
}

ELS_PRIVATE void els_pen_fragment(els_pen *pen, const elelem_fragment *fragment)
{
    switch (fragment->kind) {
    case ELELEM_FRAGMENT_STRING:
        els_pen_fragment_quote(pen, fragment->path);
        els_pen_text(pen, fragment->text);
        break;
    case ELELEM_FRAGMENT_BEGIN:
        els_pen_fragment_key(pen, fragment->path);
        els_pen_begin(pen, fragment->type);
        break;
    case ELELEM_FRAGMENT_SCALAR:
        els_pen_fragment_key(pen, fragment->path);
        els_pen_json(pen, fragment->text);
        break;
    default: els_pen_fragment_done(pen, fragment); break;
    }
}

ELS_PRIVATE int els_writer_takes(const elelem_writer *writer, const elelem_fragment *fragment)
{
    if (fragment->kind == ELELEM_FRAGMENT_BEGIN) return els_is_container(fragment->type);
    return fragment->kind != ELELEM_FRAGMENT_DONE || !els_is_container(fragment->type) || writer->els_depth > 0;
}

void elelem_writer_init(elelem_writer *writer, elelem_sink sink, unsigned indent)
{
    memset(writer, 0, sizeof *writer);
    writer->els_sink = sink;
    writer->els_status = sink.write ? ELELEM_OK : ELELEM_ERROR_SINK;
    writer->els_indent = (uint8_t)(indent < UINT8_MAX ? indent : UINT8_MAX);
}

elelem_status elelem_writer_begin(elelem_writer *writer, elelem_type container)
{
    els_pen pen;

    if (writer->els_status) return (elelem_status)writer->els_status;
    if (!els_is_container(container)) return ELELEM_ERROR_MISUSE;
    els_pen_start(&pen, writer);
    els_pen_begin(&pen, container);
    return els_pen_end(&pen);
}

elelem_status elelem_writer_end(elelem_writer *writer, elelem_type container)
{
    els_pen pen;

    if (writer->els_status) return (elelem_status)writer->els_status;
    if (!els_is_container(container) || writer->els_depth == 0) return ELELEM_ERROR_MISUSE;
    els_pen_start(&pen, writer);
    els_pen_finish(&pen, container);
    return els_pen_end(&pen);
}

elelem_status elelem_writer_key(elelem_writer *writer, elelem_str key)
{
    els_pen pen;

    els_pen_start(&pen, writer);
    els_pen_key(&pen, key);
    return els_pen_end(&pen);
}

elelem_status elelem_writer_string(elelem_writer *writer, elelem_str text)
{
    els_pen pen;

    els_pen_start(&pen, writer);
    els_pen_value(&pen);
    els_pen_quoted(&pen, text);
    return els_pen_end(&pen);
}

elelem_status elelem_writer_null(elelem_writer *writer)
{
    return els_writer_json(writer, "null", 4);
}

elelem_status elelem_writer_bool(elelem_writer *writer, int boolean)
{
    return boolean ? els_writer_json(writer, "true", 4) : els_writer_json(writer, "false", 5);
}

/* The digits of a number, with a minus where wanted, at the end of 24 bytes. Answers where they start. */
ELS_PRIVATE const char *els_digits(char bytes[24], uint64_t number, int is_negative)
{
    char *at = bytes + 24;

    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    if (is_negative) *--at = '-';
    return at;
}

elelem_status elelem_writer_int64(elelem_writer *writer, int64_t number)
{
    char bytes[24];
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    const char *digits = els_digits(bytes, size, number < 0);

    return els_writer_json(writer, digits, (size_t)(bytes + sizeof bytes - digits));
}

elelem_status elelem_writer_uint64(elelem_writer *writer, uint64_t number)
{
    char bytes[24];
    const char *digits = els_digits(bytes, number, 0);

    return els_writer_json(writer, digits, (size_t)(bytes + sizeof bytes - digits));
}

elelem_status elelem_writer_json(elelem_writer *writer, elelem_str json)
{
    return els_writer_json(writer, json.data, json.size);
}

elelem_status elelem_writer_string_begin(elelem_writer *writer)
{
    return els_writer_json(writer, "\"", 1);
}

elelem_status elelem_writer_string_piece(elelem_writer *writer, elelem_str text)
{
    els_pen pen;

    els_pen_start(&pen, writer);
    els_pen_text(&pen, text);
    return els_pen_end(&pen);
}

elelem_status elelem_writer_string_end(elelem_writer *writer)
{
    els_pen pen;

    els_pen_start(&pen, writer);
    els_pen_byte(&pen, '"');
    return els_pen_end(&pen);
}

elelem_status elelem_writer_value(elelem_writer *writer, elelem_value value)
{
    els_pen pen;

    els_pen_start(&pen, writer);
    els_pen_tree(&pen, value);
    return els_pen_end(&pen);
}

elelem_status elelem_writer_fragment(elelem_writer *writer, const elelem_fragment *fragment)
{
    els_pen pen;

    if (writer->els_status) return (elelem_status)writer->els_status;
    if (!els_writer_takes(writer, fragment)) return ELELEM_ERROR_MISUSE;
    els_pen_start(&pen, writer);
    els_pen_fragment(&pen, fragment);
    return els_pen_end(&pen);
}

ELS_PRIVATE elelem_status els_writer_status(const elelem_writer *writer)
{
    return (elelem_status)writer->els_status;
}

elelem_error elelem_writer_error(const elelem_writer *writer)
{
    return els_error((elelem_status)writer->els_status, writer->els_status ? writer->els_written : 0);
}

/* A member and its value. */

ELS_PRIVATE void els_put_text(elelem_writer *writer, const char *key, elelem_str text)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string(writer, text);
}

ELS_PRIVATE void els_put_json(elelem_writer *writer, const char *key, elelem_str json)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_json(writer, json);
}

ELS_PRIVATE void els_put_number(elelem_writer *writer, const char *key, int64_t number)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_int64(writer, number);
}

ELS_PRIVATE void els_put_value(elelem_writer *writer, const char *key, elelem_value value)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_value(writer, value);
}

#endif
