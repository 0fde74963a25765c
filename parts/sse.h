/* >> sse
 *
 * The event stream of the WHATWG HTML standard (section 9.2, Server-sent events):
 * bytes to frames, and events to bytes. Data is handed on in spans as it arrives, so a
 * frame of two megabytes needs no two megabytes of memory. It knows nothing of JSON, and does not look whether data is UTF-8.
 */
#ifndef ELELEM_SSE_H
#define ELELEM_SSE_H

#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_frame_kind {
    ELELEM_FRAME_DATA,      /* text: a span of the event's data, never empty, cut at any byte */
    ELELEM_FRAME_DISPATCH,  /* the event is whole: name, id, retry */
    ELELEM_FRAME_DISCARD,   /* the body stopped behind a field of an event: the data so far was not all */
    ELELEM_FRAME_LINE       /* text: a piece of a line that is no field; line_end on its last piece */
} elelem_frame_kind;

/* One item of the decoder. Slices are valid until the next call on the decoder.
   What only a cut line said is in no name, id or retry. */
typedef struct elelem_frame {
    uint8_t kind;        /* an elelem_frame_kind */
    uint8_t line_end;    /* LINE: nonzero where this piece is the line's last; its text may then be empty */
    elelem_str text;     /* DATA, LINE */
    elelem_str event;    /* DISPATCH, DISCARD: the event's name, empty where none was sent (a browser says "message") */
    elelem_str id;       /* DISPATCH, DISCARD: as elelem_sse_decoder_last_id */
    int64_t retry_ms;    /* DISPATCH, DISCARD: as elelem_sse_decoder_retry_ms */
} elelem_frame;

typedef struct elelem_sse_decoder_desc {
    elelem_allocator allocator; /* for names and ids only */
    size_t max_name_bytes;      /* of an event's name or an id; 0: 4096, at most 2^28; memory is at most four
                                   times this. ERROR_LINE_SIZE beyond */
    size_t max_data_bytes;      /* of one event's data with the LFs between its lines; 0: no limit.
                                   ERROR_FRAME_SIZE beyond */
    uint8_t lines;              /* nonzero: hand out lines that are no field as LINE; comments never */
} elelem_sse_decoder_desc;

typedef struct elelem_sse_decoder {
    /* private; see sse.c */
    els_block els_texts;       /* four slots of els_stride bytes for names and ids */
    els_input els_lent;
    uint64_t els_offset;       /* bytes taken so far: where an error happened */
    uint64_t els_data_size;    /* of the event so far */
    uint64_t els_data_limit;
    int64_t els_retry;
    int64_t els_number;        /* the digits of a retry so far, -1 for none */
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
    uint8_t els_begun;         /* no BOM can come any more */
    uint8_t els_inside;        /* since the last blank line came 1: a retry; 2: a field of an event */
    uint8_t els_has_data;
} elelem_sse_decoder;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first name or id. */
ELELEM_API void elelem_sse_decoder_init(elelem_sse_decoder *decoder, const elelem_sse_decoder_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE
   since the last push, or finish was called, or `bytes` is null. A refused push is a debt, see
   elelem_error. After an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_sse_decoder_push(elelem_sse_decoder *decoder, const void *bytes, size_t size);

/* OK: a frame. MORE: push again, or finish. END: after finish, all is out.
   ERROR_LINE_SIZE, ERROR_FRAME_SIZE and ERROR_MEMORY stick until reset, and so does
   ERROR_MISUSE when a push was refused and not repeated. */
ELELEM_API elelem_status elelem_sse_decoder_next(elelem_sse_decoder *decoder, elelem_frame *frame);

/* No more bytes will come. An event without its closing blank line comes out as DISCARD. */
ELELEM_API void elelem_sse_decoder_finish(elelem_sse_decoder *decoder);

/* The last event id of the stream, empty where there is none. It is what a client that
   connects again sends as Last-Event-ID: an id counts from the blank line behind it
   on, also where no data came with it. Valid until the next call. */
ELELEM_API elelem_str elelem_sse_decoder_last_id(const elelem_sse_decoder *decoder);

/* The last reconnection time sent, -1 for none; saturates at INT64_MAX. It counts
   from the end of its line on. */
ELELEM_API int64_t elelem_sse_decoder_retry_ms(const elelem_sse_decoder *decoder);

/* Why next answered an error; status OK while there is none. The offset of
   ERROR_LINE_SIZE and ERROR_FRAME_SIZE is that of the first byte too many; where that
   is an LF between two lines of data, of the byte that ends the second one's field name. */
ELELEM_API elelem_error elelem_sse_decoder_error(const elelem_sse_decoder *decoder);

/* Starts over, keeping the memory. */
ELELEM_API void elelem_sse_decoder_reset(elelem_sse_decoder *decoder);

/* Gives the memory back. A zeroed decoder may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_sse_decoder_free(elelem_sse_decoder *decoder);

/* Writes one event: `name` and `id` if they are not empty, and the data; CR, LF and CRLF in
   it all arrive as LF. Returns what the sink returns; ERROR_MISUSE, and nothing is written:
   a line end in the name, a line end or zero byte in the id. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_sse_write_event(elelem_sink sink, elelem_str name, elelem_str id, elelem_str data);

#ifdef __cplusplus
}
#endif

#endif
