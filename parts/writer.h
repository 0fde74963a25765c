/* >> writer
 *
 * Writes JSON text (RFC 8259), compact or indented, to a sink that the caller provides.
 * It writes at once, so it needs no memory.
 */
#ifndef ELELEM_WRITER_H
#define ELELEM_WRITER_H

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the bytes that are written. `write` takes all `size` bytes and returns OK, or a
   negative status, which then sticks in the writer. A sink whose `write` is null refuses
   everything with ERROR_SINK. */
typedef struct elelem_sink {
    elelem_status (*write)(void *context, const void *bytes, size_t size);
    void *context; /* passed to write, not used otherwise */
} elelem_sink;

/* A sink that keeps the bytes in one growing block. */
typedef struct elelem_buffer {
    els_block els_memory;
    size_t els_size;
    size_t els_max;
} elelem_buffer;

/* Takes no memory yet. `max_bytes`: how much it may hold, 0: no limit. A zeroed allocator is the C
   library's. */
ELELEM_API void elelem_buffer_init(elelem_buffer *buffer, elelem_allocator allocator, size_t max_bytes);
/* Returns a sink that appends to the buffer, which must not move as long as the sink is used. */
ELELEM_API elelem_sink elelem_buffer_sink(elelem_buffer *buffer);
/* Returns the bytes written so far; valid until the buffer is written to, cleared or freed. */
ELELEM_API elelem_str elelem_buffer_text(const elelem_buffer *buffer);
/* Appends all bytes or, if it returns an error, none. OK; ERROR_MEMORY; ERROR_VALUE_SIZE: more than
   max_bytes; ERROR_MISUSE: a null pointer with a size, or a buffer that was never initialised. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_buffer_append(elelem_buffer *buffer, const void *bytes, size_t size);
ELELEM_API void elelem_buffer_clear(elelem_buffer *buffer); /* keeps the memory */
ELELEM_API void elelem_buffer_free(elelem_buffer *buffer);

/* A sink over a fixed array. Set data and capacity, and size to 0. A write that does not fit is
   refused with ERROR_VALUE_SIZE and adds nothing. No zero byte is added at the end. */
typedef struct elelem_span_sink {
    char *data;
    size_t capacity;
    size_t size;
} elelem_span_sink;
/* Returns a sink that appends to `span`, which must not move as long as the sink is used. */
ELELEM_API elelem_sink elelem_span_sink_of(elelem_span_sink *span);

typedef struct elelem_writer {
    elelem_sink els_sink;
    uint64_t els_written; /* bytes the sink took */
    const elelem_path *els_path; /* of the last fragment: compared, never read */
    int32_t els_status;
    uint32_t els_depth;
    uint32_t els_serial; /* likewise */
    uint8_t els_indent; /* spaces for each level, 0: compact */
    uint8_t els_comma;  /* nonzero: the container, or the top, already has a value */
    uint8_t els_after_key;
    uint8_t els_open;   /* an elelem_type: STRING inside a string in pieces, that of a container after its BEGIN; else NONE */
} elelem_writer;

/* `indent`: spaces for each level, at most 255; 0: no whitespace inside a value. An empty container
   is {} or [] in any case. */
ELELEM_API void elelem_writer_init(elelem_writer *writer, elelem_sink sink, unsigned indent);

/* All of these return OK or the first error of the sink, which sticks. They write commas, colons
   and line ends as needed, and a line feed between values at the top. They do not check that
   calls come in a valid order, except that begin or end with a type that is no container, and end
   if no container is open, are ERROR_MISUSE and write nothing. Text must be UTF-8; the longest
   start of a character that is cut or invalid, or else one byte, is written as U+FFFD. Quotes,
   backslashes and control characters are escaped, nothing else. */
ELELEM_API elelem_status elelem_writer_begin(elelem_writer *writer, elelem_type container);
ELELEM_API elelem_status elelem_writer_end(elelem_writer *writer, elelem_type container);
ELELEM_API elelem_status elelem_writer_key(elelem_writer *writer, elelem_str key);
ELELEM_API elelem_status elelem_writer_string(elelem_writer *writer, elelem_str text);
ELELEM_API elelem_status elelem_writer_null(elelem_writer *writer);
ELELEM_API elelem_status elelem_writer_bool(elelem_writer *writer, int boolean);
ELELEM_API elelem_status elelem_writer_int64(elelem_writer *writer, int64_t number);
ELELEM_API elelem_status elelem_writer_uint64(elelem_writer *writer, uint64_t number);

/* Writes JSON text unchanged and unchecked: a number as text, or a value that was written before. */
ELELEM_API elelem_status elelem_writer_json(elelem_writer *writer, elelem_str json);

/* Write a string in pieces, each of whole characters: begin, any number of pieces, end. */
ELELEM_API elelem_status elelem_writer_string_begin(elelem_writer *writer);
ELELEM_API elelem_status elelem_writer_string_piece(elelem_writer *writer, elelem_str text);
ELELEM_API elelem_status elelem_writer_string_end(elelem_writer *writer);

/* Writes a value, complete or not, with numbers as in the input. Open strings and containers are
   closed; no value is written as null. Elements are written in the order in which they began;
   nothing is written for indices that are missing. */
ELELEM_API elelem_status elelem_writer_value(elelem_writer *writer, elelem_value value);

/* Writes a fragment of a parser as JSON text. Call it for all fragments of a value in their order,
   BEGIN too. The value may be anywhere in its document; its own key is written only if a container
   is open in the writer. A value whose rest the parser skipped has no DONE: it is ended before the
   next fragment of this parser, or by elelem_writer_string_end or elelem_writer_end; by the caller, if it wrote values
   of its own in it, if the parser was moved, or if the path is a copy. A fragment without a path has no key. ERROR_MISUSE, and nothing of it is written: a BEGIN of
   a type that is no container, or the DONE of a container if none is open. */
ELELEM_API elelem_status elelem_writer_fragment(elelem_writer *writer, const elelem_fragment *fragment);

/* Returns the error that sticks; status OK if there is none. The offset is the number of bytes that
   the sink took before. */
ELELEM_API elelem_error elelem_writer_error(const elelem_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
