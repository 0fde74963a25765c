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

/* Appends bytes for which there is room. */
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

/* Small machines have little stack, and those are built with ELELEM_NO_FAST. */
#ifdef ELELEM_NO_FAST
#define ELS_WRITER_BUFFER 16
#else
#define ELS_WRITER_BUFFER 256
#endif

/* Collects what a call writes, so that the sink gets few long pieces instead of many short ones.
   It is empty at the end of each call. */
typedef struct els_buffered_writer {
    elelem_writer *writer;
    size_t size;
    int leaves_open; /* values that are not complete are not ended */
    char bytes[ELS_WRITER_BUFFER];
} els_buffered_writer;

/* Writes to the sink. Does nothing after an error. */
ELS_PRIVATE void els_buffered_write(els_buffered_writer *out, const void *bytes, size_t size)
{
    elelem_writer *writer = out->writer;

    if (writer->els_status) return;
    if (writer->els_sink.write) {
        elelem_status status = writer->els_sink.write(writer->els_sink.context, bytes, size);
        if (status < 0) writer->els_status = status;
        else writer->els_written += size;
    } else {
        writer->els_status = ELELEM_ERROR_MISUSE; /* init was never called */
    }
}

ELS_INLINE void els_buffered_flush(els_buffered_writer *out)
{
    if (out->size > 0) els_buffered_write(out, out->bytes, out->size);
    out->size = 0;
}

ELS_INLINE void els_buffered_put(els_buffered_writer *out, const void *bytes, size_t size)
{
    if (size > sizeof out->bytes - out->size) els_buffered_flush(out);
    if (size > sizeof out->bytes) {
        els_buffered_write(out, bytes, size);
    } else if (size > 0) {
        memcpy(out->bytes + out->size, bytes, size);
        out->size += size;
    }
}

ELS_INLINE void els_buffered_byte(els_buffered_writer *out, char byte)
{
    if (out->size == sizeof out->bytes) els_buffered_flush(out);
    out->bytes[out->size++] = byte;
}

ELS_INLINE void els_buffered_start(els_buffered_writer *out, elelem_writer *writer)
{
    out->writer = writer;
    out->size = 0;
    out->leaves_open = 0;
}

ELS_INLINE elelem_status els_buffered_end(els_buffered_writer *out)
{
    els_buffered_flush(out);
    return (elelem_status)out->writer->els_status;
}

/* Whitespace and commas. */

/* Begins a line, if the output is indented. */
ELS_PRIVATE void els_buffered_line(els_buffered_writer *out)
{
    uint64_t blanks = (uint64_t)out->writer->els_depth * out->writer->els_indent;

    if (out->writer->els_indent == 0) return;
    els_buffered_byte(out, '\n');
    for (; blanks > 0 && !out->writer->els_status; blanks--)
        els_buffered_byte(out, ' ');
}

/* Writes what comes before a key, an element or a value at the top. */
ELS_INLINE void els_buffered_separate(els_buffered_writer *out)
{
    elelem_writer *writer = out->writer;

    if (writer->els_depth == 0) {
        if (writer->els_comma) els_buffered_byte(out, '\n');
    } else {
        if (writer->els_comma) els_buffered_byte(out, ',');
        els_buffered_line(out);
    }
    writer->els_comma = 1;
}

/* Writes what comes before a value; nothing if its key was written. */
ELS_INLINE void els_buffered_value(els_buffered_writer *out)
{
    if (!out->writer->els_after_key) els_buffered_separate(out);
    out->writer->els_after_key = 0;
}

/* Strings. */

ELS_APART void els_buffered_escape(els_buffered_writer *out, unsigned char byte)
{
    static const char letters[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";
    static const char digits[] = "0123456789abcdef";
    char escape[6] = { '\\', 'u', '0', '0', '0', '0' };

    escape[1] = byte < 0x20 ? letters[byte] : (char)byte;
    escape[4] = digits[byte >> 4];
    escape[5] = digits[byte & 15];
    els_buffered_put(out, escape, escape[1] == 'u' ? 6 : 2);
}

/* Returns the size of the longest start of a character at a byte at which no character is whole; 1 if
   there is none (the Unicode Standard, 3.9, U+FFFD Substitution of Maximal Subparts). */
ELS_APART size_t els_broken_size(const unsigned char *at, const unsigned char *end)
{
    els_lead lead = els_lead_of(*at);
    size_t size = 1;

    if (lead.more == 0 || end - at < 2 || at[1] < lead.low || at[1] > lead.high) return 1;
    while (size < lead.more && at + size < end && els_is_continuation(at[size]))
        size++;
    return size;
}

ELS_PRIVATE void els_buffered_text(els_buffered_writer *out, elelem_str text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    const unsigned char *end = text.size > 0 ? at + text.size : at;

    while (at < end && !out->writer->els_status) {
        const unsigned char *stop = els_text_plain(at, end);
        els_buffered_put(out, at, (size_t)(stop - at));
        at = stop;
        if (at == end) return;
        if (*at < 0x80) {
            els_buffered_escape(out, *at++);
        } else {
            els_buffered_put(out, "\xef\xbf\xbd", 3);
            at += els_broken_size(at, end);
        }
    }
}

ELS_INLINE void els_buffered_quoted(els_buffered_writer *out, elelem_str text)
{
    els_buffered_byte(out, '"');
    els_buffered_text(out, text);
    els_buffered_byte(out, '"');
}

/* Everything else. */

ELS_PRIVATE void els_buffered_key(els_buffered_writer *out, elelem_str key)
{
    els_buffered_separate(out);
    els_buffered_byte(out, '"');
    els_buffered_text(out, key);
    els_buffered_byte(out, '"');
    els_buffered_byte(out, ':');
    if (out->writer->els_indent > 0) els_buffered_byte(out, ' ');
    out->writer->els_after_key = 1;
}

ELS_PRIVATE void els_buffered_begin(els_buffered_writer *out, unsigned container)
{
    els_buffered_value(out);
    els_buffered_byte(out, container == ELELEM_TYPE_OBJECT ? '{' : '[');
    out->writer->els_depth++;
    out->writer->els_comma = 0;
}

ELS_PRIVATE void els_buffered_finish(els_buffered_writer *out, unsigned container)
{
    elelem_writer *writer = out->writer;

    writer->els_depth--;
    if (writer->els_comma) els_buffered_line(out);
    els_buffered_byte(out, container == ELELEM_TYPE_OBJECT ? '}' : ']');
    writer->els_comma = 1;
    writer->els_after_key = 0;
}

ELS_INLINE void els_buffered_json(els_buffered_writer *out, elelem_str json)
{
    els_buffered_value(out);
    els_buffered_put(out, json.data, json.size);
}

ELS_PRIVATE elelem_status els_writer_json(elelem_writer *writer, const char *json, size_t size)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_json(&out, els_str(json, size));
    return els_buffered_end(&out);
}

/* Values. */

ELS_INLINE int els_buffered_stays_open(const els_buffered_writer *out, elelem_value value)
{
    return out->leaves_open && !elelem_value_is_complete(value);
}

/* Ends a container. */
ELS_PRIVATE void els_buffered_close(els_buffered_writer *out, elelem_value value)
{
    if (els_buffered_stays_open(out, value)) return;
    els_buffered_finish(out, elelem_value_type(value));
}

ELS_APART void els_buffered_string(els_buffered_writer *out, elelem_value value)
{
    els_buffered_value(out);
    els_buffered_byte(out, '"');
    els_buffered_text(out, elelem_value_text(value));
    out->writer->els_open = els_buffered_stays_open(out, value) ? ELELEM_TYPE_STRING : ELELEM_TYPE_NONE;
    if (out->writer->els_open == ELELEM_TYPE_NONE) els_buffered_byte(out, '"');
}

/* Writes a value that is not a container and returns zero, or begins a container and returns nonzero. */
ELS_APART int els_buffered_open(els_buffered_writer *out, elelem_value value)
{
    elelem_type type = elelem_value_type(value);

    if (els_is_container(type)) {
        els_buffered_begin(out, type);
        return 1;
    }
    if (type == ELELEM_TYPE_STRING) els_buffered_string(out, value);
    else els_buffered_json(out, type == ELELEM_TYPE_NONE ? elelem_str_of("null") : elelem_value_text(value));
    return 0;
}

/* Returns the value to be written after `at`; no value after `top`. Ends the containers in between. */
ELS_APART elelem_value els_buffered_leave(els_buffered_writer *out, elelem_value at, elelem_value top)
{
    elelem_value next = ELELEM_INIT;

    while (at.els_node != top.els_node) {
        next = elelem_value_next(at);
        if (next.els_node) break;
        at = elelem_value_parent(at);
        els_buffered_close(out, at);
    }
    return next;
}

/* Writes the key of a value below `top`, if that is in an object. */
ELS_APART void els_buffered_member_key(els_buffered_writer *out, elelem_value at, elelem_value top)
{
    if (at.els_node != top.els_node && elelem_value_type(elelem_value_parent(at)) == ELELEM_TYPE_OBJECT)
        els_buffered_key(out, elelem_value_key(at));
}

ELS_PRIVATE void els_buffered_tree(els_buffered_writer *out, elelem_value top)
{
    elelem_value at = top;

    do {
        elelem_value first = elelem_value_first(at);
        els_buffered_member_key(out, at, top);
        if (els_buffered_open(out, at) && !first.els_node) els_buffered_close(out, at);
        at = first.els_node ? first : els_buffered_leave(out, at, top);
    } while (at.els_node && !out->writer->els_status);
}

/* Fragments. */

/* Writes the key of a value that begins with a fragment. */
ELS_INLINE void els_buffered_fragment_key(els_buffered_writer *out, const elelem_path *path)
{
    if (out->writer->els_depth > 0 && path && path->count > 0 && path->segments[path->count - 1].key.data)
        els_buffered_key(out, path->segments[path->count - 1].key);
}

/* Writes the first quote of a string, if it was not written yet. */
ELS_PRIVATE void els_buffered_fragment_quote(els_buffered_writer *out, const elelem_path *path)
{
    if (out->writer->els_open == ELELEM_TYPE_STRING) return;
    els_buffered_fragment_key(out, path);
    els_buffered_value(out);
    els_buffered_byte(out, '"');
    out->writer->els_open = ELELEM_TYPE_STRING;
}

ELS_PRIVATE void els_buffered_fragment_done(els_buffered_writer *out, const elelem_fragment *fragment)
{
    if (fragment->type == ELELEM_TYPE_STRING) {
        els_buffered_fragment_quote(out, fragment->path);
        els_buffered_byte(out, '"');
    } else if (els_is_container(fragment->type)) {
        els_buffered_finish(out, fragment->type);
    }
    out->writer->els_open = ELELEM_TYPE_NONE;
}

/* Nonzero if the value of the last fragment is open, and this next one shows that the rest was skipped. */
ELS_PRIVATE int els_writer_is_skipped(const elelem_writer *writer, const elelem_path *path)
{
    if (writer->els_open == ELELEM_TYPE_NONE || !path || path != writer->els_path) return 0;
    return path->els_skipped > 0 && path->els_skipped == writer->els_serial;
}

/* Ends that value. */
ELS_PRIVATE void els_buffered_end_skipped(els_buffered_writer *out)
{
    elelem_writer *writer = out->writer;

    if (writer->els_open == ELELEM_TYPE_STRING) els_buffered_byte(out, '"');
    else els_buffered_finish(out, writer->els_open);
    writer->els_open = ELELEM_TYPE_NONE;
}

ELS_PRIVATE void els_buffered_fragment(els_buffered_writer *out, const elelem_fragment *fragment)
{
    switch (fragment->kind) {
    case ELELEM_FRAGMENT_STRING:
        els_buffered_fragment_quote(out, fragment->path);
        els_buffered_text(out, fragment->text);
        break;
    case ELELEM_FRAGMENT_BEGIN:
        els_buffered_fragment_key(out, fragment->path);
        els_buffered_begin(out, fragment->type);
        out->writer->els_open = fragment->type;
        break;
    case ELELEM_FRAGMENT_SCALAR:
        els_buffered_fragment_key(out, fragment->path);
        els_buffered_json(out, fragment->text);
        out->writer->els_open = ELELEM_TYPE_NONE;
        break;
    default: els_buffered_fragment_done(out, fragment); break;
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
    els_buffered_writer out;

    if (writer->els_status) return (elelem_status)writer->els_status;
    if (!els_is_container(container)) return ELELEM_ERROR_MISUSE;
    els_buffered_start(&out, writer);
    els_buffered_begin(&out, container);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_end(elelem_writer *writer, elelem_type container)
{
    els_buffered_writer out;

    if (writer->els_status) return (elelem_status)writer->els_status;
    if (!els_is_container(container) || writer->els_depth == 0) return ELELEM_ERROR_MISUSE;
    els_buffered_start(&out, writer);
    els_buffered_finish(&out, container);
    writer->els_open = ELELEM_TYPE_NONE;
    return els_buffered_end(&out);
}

elelem_status elelem_writer_key(elelem_writer *writer, elelem_str key)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_key(&out, key);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_string(elelem_writer *writer, elelem_str text)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_value(&out);
    els_buffered_quoted(&out, text);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_null(elelem_writer *writer)
{
    return els_writer_json(writer, "null", 4);
}

elelem_status elelem_writer_bool(elelem_writer *writer, int boolean)
{
    return boolean ? els_writer_json(writer, "true", 4) : els_writer_json(writer, "false", 5);
}

/* Writes the digits of a number, after a minus if it is negative, to the end of 24 bytes. Returns their start. */
ELS_PRIVATE const char *els_digits(char bytes[24], uint64_t number, int is_negative)
{
    char *at = bytes + 24;

    do
        *--at = (char)('0' + els_take_digit(&number));
    while (number > 0);
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
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_text(&out, text);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_string_end(elelem_writer *writer)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_byte(&out, '"');
    writer->els_open = ELELEM_TYPE_NONE;
    return els_buffered_end(&out);
}

elelem_status elelem_writer_value(elelem_writer *writer, elelem_value value)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_tree(&out, value);
    return els_buffered_end(&out);
}

/* Writes a value as far as it is there. What is open stays so: the fragments that come next continue it. */
ELS_PRIVATE void els_writer_open_value(elelem_writer *writer, elelem_value value)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    out.leaves_open = 1;
    els_buffered_tree(&out, value);
    els_buffered_end(&out);
}

elelem_status elelem_writer_fragment(elelem_writer *writer, const elelem_fragment *fragment)
{
    els_buffered_writer out;
    elelem_status status;
    int takes;

    if (writer->els_status) return (elelem_status)writer->els_status;
    els_buffered_start(&out, writer);
    if (els_writer_is_skipped(writer, fragment->path)) els_buffered_end_skipped(&out);
    takes = els_writer_takes(writer, fragment);
    if (takes) els_buffered_fragment(&out, fragment);
    writer->els_path = fragment->path;
    writer->els_serial = fragment->path ? fragment->path->els_serial : 0;
    status = els_buffered_end(&out);
    return takes ? status : ELELEM_ERROR_MISUSE;
}

ELS_PRIVATE elelem_status els_writer_status(const elelem_writer *writer)
{
    return (elelem_status)writer->els_status;
}

elelem_error elelem_writer_error(const elelem_writer *writer)
{
    return els_error((elelem_status)writer->els_status, writer->els_status ? writer->els_written : 0);
}

/* Members: a key and its value. */

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

/* Writes valid JSON as one line: control bytes are between its tokens only, and are left out. */
ELS_PRIVATE void els_put_json_line(elelem_writer *writer, const char *key, elelem_str json)
{
    els_buffered_writer out;
    const char *at = json.data, *end = json.data + json.size;

    elelem_writer_key(writer, elelem_str_of(key));
    els_buffered_start(&out, writer);
    els_buffered_value(&out);
    while (at < end) {
        const char *start = at;
        while (at < end && (unsigned char)*at >= 0x20)
            at++;
        els_buffered_put(&out, start, (size_t)(at - start));
        while (at < end && (unsigned char)*at < 0x20)
            at++;
    }
    els_buffered_end(&out);
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
