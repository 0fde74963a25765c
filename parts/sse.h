/* >> sse
 *
 * The event stream of the WHATWG HTML standard (section 9.2, Server-sent events),
 * both ways: bytes to frames, and events to bytes. Data is handed on in spans as
 * it arrives, so a frame of two megabytes needs no two megabytes of memory. It
 * knows nothing of JSON.
 */
#ifndef ELELEM_SSE_H
#define ELELEM_SSE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_frame_kind {
    ELELEM_FRAME_DATA,      /* text: a span of the event's data, never empty */
    ELELEM_FRAME_DISPATCH,  /* the event is whole: name, id, retry */
    ELELEM_FRAME_DISCARD,   /* the body stopped inside an event; name, id, retry as far as they came */
    ELELEM_FRAME_LINE       /* text: a piece of a line that is no field; line_end on its last piece */
} elelem_frame_kind;

/* One item of the decoder. Slices are valid until the next call on the decoder. */
typedef struct elelem_frame {
    uint8_t kind;        /* an elelem_frame_kind */
    uint8_t line_end;    /* LINE: nonzero where this piece is the line's last; its text may then be empty */
    elelem_str text;     /* DATA, LINE */
    elelem_str event;    /* DISPATCH, DISCARD: the event's name, empty where none was sent (a browser says "message") */
    elelem_str id;       /* DISPATCH, DISCARD: the last event id of the stream, which stays until another comes */
    int64_t retry_ms;    /* DISPATCH, DISCARD: the last reconnection time sent, -1 for none; saturates at INT64_MAX */
} elelem_frame;

typedef struct elelem_sse_decoder_desc {
    elelem_allocator allocator; /* for names and ids only */
    size_t max_name_bytes;      /* of an event's name or an id; 0: 4096. ERROR_LINE_SIZE beyond */
    size_t max_data_bytes;      /* of one event's data with the LFs between its lines; 0: no limit. ERROR_FRAME_SIZE beyond */
    uint8_t lines;              /* nonzero: hand out lines that are no field as LINE; comments never */
} elelem_sse_decoder_desc;

typedef struct elelem_sse_decoder {
    /* private; see sse.c */
    int els_todo;
} elelem_sse_decoder;

/* Zeroes mean the defaults above. Takes no memory before the first name or id. */
ELELEM_API void elelem_sse_decoder_init(elelem_sse_decoder *decoder, const elelem_sse_decoder_desc *desc);

/* Lends `size` bytes until next answers MORE. OK; ERROR_MISUSE: bytes are pending,
   or finish was called. After an error it does nothing and answers that error. */
ELELEM_API elelem_status elelem_sse_decoder_push(elelem_sse_decoder *decoder, const void *bytes, size_t size);

/* OK: a frame. MORE: push again, or finish. END: after finish, all is out.
   ERROR_LINE_SIZE, ERROR_FRAME_SIZE, ERROR_MEMORY stick until reset. */
ELELEM_API elelem_status elelem_sse_decoder_next(elelem_sse_decoder *decoder, elelem_frame *frame);

/* No more bytes will come. An event without its closing blank line comes out as DISCARD. */
ELELEM_API void elelem_sse_decoder_finish(elelem_sse_decoder *decoder);

/* Why next answered an error; status OK while there is none. */
ELELEM_API elelem_error elelem_sse_decoder_error(const elelem_sse_decoder *decoder);

/* Starts over, keeping the memory. */
ELELEM_API void elelem_sse_decoder_reset(elelem_sse_decoder *decoder);

/* Gives the memory back. A zeroed decoder may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_sse_decoder_free(elelem_sse_decoder *decoder);

#ifdef __cplusplus
}
#endif

#endif
