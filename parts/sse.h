/* >> sse
 *
 * The event stream of the WHATWG HTML standard (section 9.2, Server-sent events): decodes bytes
 * to frames, and writes events. Data is returned in pieces as it arrives, so that an event of
 * two megabytes does not need two megabytes of memory. It knows nothing of JSON, and does not
 * check that data is UTF-8.
 */
#ifndef ELELEM_SSE_H
#define ELELEM_SSE_H

#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_frame_kind {
    ELELEM_FRAME_DATA,      /* text: a piece of the event's data, never empty, cut at any byte */
    ELELEM_FRAME_DISPATCH,  /* the event is whole: event, id, retry_ms */
    ELELEM_FRAME_DISCARD,   /* the body ended inside an event, after at least one field: its data is not whole */
    ELELEM_FRAME_LINE       /* text: a piece of a line that is no field; line_end on its last piece */
} elelem_frame_kind;

/* One result of the decoder. Slices are valid until the next call on the decoder. A line that the
   end of the body cut sets no name, id or retry. */
typedef struct elelem_frame {
    uint8_t kind;        /* an elelem_frame_kind */
    uint8_t line_end;    /* LINE: nonzero if this is the last piece of its line; the text may then be empty */
    elelem_str text;     /* DATA, LINE */
    elelem_str event;    /* DISPATCH, DISCARD: the event's name; empty if none was sent ("message" in a browser) */
    elelem_str id;       /* DISPATCH, DISCARD: as elelem_sse_decoder_last_id */
    int64_t retry_ms;    /* DISPATCH, DISCARD: as elelem_sse_decoder_retry_ms */
} elelem_frame;

typedef struct elelem_sse_decoder_desc {
    elelem_allocator allocator; /* for names and ids only */
    size_t max_name_bytes;      /* of an event's name or an id; 0: 4096, at most 2^28. A longer one is
                                   ERROR_LINE_SIZE. The decoder holds at most four times this */
    size_t max_data_bytes;      /* of one event's data with the LFs between its lines; 0: no limit.
                                   More is ERROR_FRAME_SIZE */
    uint8_t lines;              /* nonzero: return lines that are no field as LINE, except comments */
} elelem_sse_decoder_desc;

typedef struct elelem_sse_decoder {
    /* private; see sse.c */
    els_block els_texts;       /* four slots of els_stride bytes for names and ids */
    els_input els_lent;
    uint64_t els_offset;       /* bytes read so far; after an error the offset of the error */
    uint64_t els_data_size;    /* of the event so far */
    uint64_t els_data_limit;
    int64_t els_retry;
    int64_t els_number;        /* the digits of a retry so far, -1 if there is none */
    int32_t els_status;        /* an elelem_status: the error that sticks */
    uint32_t els_sizes[4];     /* of the texts in the slots */
    uint32_t els_stride;
    uint32_t els_name_limit;
    uint8_t els_state;
    uint8_t els_field;
    uint8_t els_matched;       /* bytes of the field's name seen */
    uint8_t els_last_id;       /* slots, counted from 1; 0 is the empty text */
    uint8_t els_id;
    uint8_t els_event;
    uint8_t els_value;
    uint8_t els_lines;
    uint8_t els_stopped;       /* an els_sse_stop, once the body is over */
    uint8_t els_begun;         /* nonzero: a byte order mark can no longer come */
    uint8_t els_inside;        /* what came since the last blank line; 1: a retry; 2: a field of an event */
    uint8_t els_has_data;
} elelem_sse_decoder;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first name or id. */
ELELEM_API void elelem_sse_decoder_init(elelem_sse_decoder *decoder, const elelem_sse_decoder_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE
   since the last push, or finish was called, or `bytes` is null. A refused push must be repeated,
   see elelem_error. After an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_sse_decoder_push(elelem_sse_decoder *decoder, const void *bytes, size_t size);

/* OK: a frame. MORE: push again, or finish. END: finish was called and no frame is left.
   ERROR_LINE_SIZE, ERROR_FRAME_SIZE and ERROR_MEMORY stick until reset, and so does
   ERROR_MISUSE if a push was refused and not repeated. */
ELELEM_API elelem_status elelem_sse_decoder_next(elelem_sse_decoder *decoder, elelem_frame *frame);

/* No more bytes will come. An event without its closing blank line is then a DISCARD. */
ELELEM_API void elelem_sse_decoder_finish(elelem_sse_decoder *decoder);

/* Returns the last event id of the stream, empty if there is none. A client that connects again
   sends it as Last-Event-ID. An id takes effect at the blank line that ends its event, even if
   the event has no data. Valid until the next call on the decoder. */
ELELEM_API elelem_str elelem_sse_decoder_last_id(const elelem_sse_decoder *decoder);

/* Returns the last reconnection time, -1 if none was sent, at most INT64_MAX. It takes effect at
   the end of its line. */
ELELEM_API int64_t elelem_sse_decoder_retry_ms(const elelem_sse_decoder *decoder);

/* Returns the error that sticks; status OK if there is none. The offset of ERROR_LINE_SIZE and
   ERROR_FRAME_SIZE is that of the first byte above the limit. If this is the LF between two lines
   of data, it is the offset of the byte after the second line's field name. */
ELELEM_API elelem_error elelem_sse_decoder_error(const elelem_sse_decoder *decoder);

/* Starts a new body and keeps the memory. */
ELELEM_API void elelem_sse_decoder_reset(elelem_sse_decoder *decoder);

/* Frees the memory. A zeroed decoder may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_sse_decoder_free(elelem_sse_decoder *decoder);

/* Writes one event: `name` and `id` if they are not empty, and the data. CR, LF and CRLF in the
   data are all decoded as LF. Returns what the sink returned; or ERROR_MISUSE, if the name has a
   line end, or the id has a line end or a zero byte, and then writes nothing. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_sse_write_event(elelem_sink sink, elelem_str name, elelem_str id, elelem_str data);

#ifdef __cplusplus
}
#endif

#endif
