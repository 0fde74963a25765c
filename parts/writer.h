/* >> writer
 *
 * JSON text out (RFC 8259), into a sink of the caller's, compact or indented.
 * Nothing is built up first, so it needs no memory.
 */
#ifndef ELELEM_WRITER_H
#define ELELEM_WRITER_H

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where written bytes go. `write` takes all `size` bytes and answers OK, or a negative
   status, which the writer then keeps. A null `write` refuses with ERROR_SINK. */
typedef struct elelem_sink {
    elelem_status (*write)(void *context, const void *bytes, size_t size);
    void *context; /* the caller's */
} elelem_sink;

/* A sink that keeps the bytes in one growing block. */
typedef struct elelem_buffer {
    els_block els_memory;
    size_t els_size;
    size_t els_max;
} elelem_buffer;

/* `max_bytes` 0: no limit. A zeroed allocator is the C library's. */
ELELEM_API void elelem_buffer_init(elelem_buffer *buffer, elelem_allocator allocator, size_t max_bytes);
ELELEM_API elelem_sink elelem_buffer_sink(elelem_buffer *buffer);
/* Valid until the buffer is written to, cleared or freed. */
ELELEM_API elelem_str elelem_buffer_text(const elelem_buffer *buffer);
/* OK. Nothing was added: ERROR_MEMORY; ERROR_VALUE_SIZE beyond max_bytes; ERROR_MISUSE: a null
   pointer with a size, or a buffer that was never initialised. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_buffer_append(elelem_buffer *buffer, const void *bytes, size_t size);
ELELEM_API void elelem_buffer_clear(elelem_buffer *buffer); /* keeps the memory */
ELELEM_API void elelem_buffer_free(elelem_buffer *buffer);

/* A sink over a fixed array, which the caller fills in with size 0: a write that does not
   fit is refused with ERROR_VALUE_SIZE and adds nothing. No zero byte is put behind it. */
typedef struct elelem_span_sink {
    char *data;
    size_t capacity;
    size_t size;
} elelem_span_sink;
ELELEM_API elelem_sink elelem_span_sink_of(elelem_span_sink *span);

typedef struct elelem_writer {
    elelem_sink els_sink;
    uint64_t els_written; /* bytes the sink took */
    int32_t els_status;
    uint32_t els_depth;
    uint8_t els_indent; /* blanks a level, 0: compact */
    uint8_t els_comma;  /* something stands before in this container */
    uint8_t els_after_key;
    uint8_t els_in_string;
} elelem_writer;

/* `indent`: blanks a level; 0 writes no white space at all. An empty container is {} or []
   either way. */
ELELEM_API void elelem_writer_init(elelem_writer *writer, elelem_sink sink, unsigned indent);

/* All of these answer OK or the first error of the sink, which sticks; they put commas,
   colons and line ends where they belong, and a line feed between values at the top.
   That calls come in an order which makes sense is the caller's business; only a type
   that is no container, and an end where nothing is open, are ERROR_MISUSE and write
   nothing. Text must be UTF-8; of what is not, each longest start of a character, or
   else each byte, is written as U+FFFD. Quotes, backslashes and controls are escaped,
   all else stands as it is. */
ELELEM_API elelem_status elelem_writer_begin(elelem_writer *writer, elelem_type container);
ELELEM_API elelem_status elelem_writer_end(elelem_writer *writer, elelem_type container);
ELELEM_API elelem_status elelem_writer_key(elelem_writer *writer, elelem_str key);
ELELEM_API elelem_status elelem_writer_string(elelem_writer *writer, elelem_str text);
ELELEM_API elelem_status elelem_writer_null(elelem_writer *writer);
ELELEM_API elelem_status elelem_writer_bool(elelem_writer *writer, int boolean);
ELELEM_API elelem_status elelem_writer_int64(elelem_writer *writer, int64_t number);
ELELEM_API elelem_status elelem_writer_uint64(elelem_writer *writer, uint64_t number);

/* JSON text as it is: a number kept as its text, or a value written elsewhere. */
ELELEM_API elelem_status elelem_writer_json(elelem_writer *writer, elelem_str json);

/* A string in pieces that end at whole characters: begin, any number of pieces, end. */
ELELEM_API elelem_status elelem_writer_string_begin(elelem_writer *writer);
ELELEM_API elelem_status elelem_writer_string_piece(elelem_writer *writer, elelem_str text);
ELELEM_API elelem_status elelem_writer_string_end(elelem_writer *writer);

/* A value, whole or partial, numbers as they were written. What is open is closed; no value is null.
   Elements come in the order they began, without what is missing between their indices. */
ELELEM_API elelem_status elelem_writer_value(elelem_writer *writer, elelem_value value);

/* The fragments of a parser straight to JSON text, one after the other, all of them: BEGIN may
   not be left out. The first may be anywhere in its document; its key is not written then. */
ELELEM_API elelem_status elelem_writer_fragment(elelem_writer *writer, const elelem_fragment *fragment);

/* Why the calls above returned an error that sticks; status OK while there is none. The offset
   counts the bytes that the sink took before. */
ELELEM_API elelem_error elelem_writer_error(const elelem_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
