/* >> stream
 *
 * Turns the body of an HTTP response into events and exactly one end. It drives a wire shape,
 * owns the rules that are the same for all providers, and knows no wire format itself.
 *
 * The body comes decompressed and without HTTP's own framing. It is an event stream, or, if the
 * status is an error, whatever the provider sent. A response that was not streamed, which comes as
 * one JSON object if the request lacks "stream": true, gives the same items, usage and end as its
 * stream would (but see shape_gemini for arrays).
 *
 * Such a response takes the memory of one element of its lists, not of the whole document: of
 * Messages' content, Responses' output, Gemini's candidates and parts, Chat's choices and tool calls, Interactions' steps.
 * When more than 2048 bytes of a list are stored and another element begins, what is stored is given
 * out. What comes after such a list is known later: METADATA that the provider writes after it comes after
 * those items, and texts of a chat message that come after its calls are after those calls. An
 * element larger than max_frame_bytes is a LIMIT, as a frame is; large provider items pass in pieces.
 * Responses' items from a custom call or a function named parallel on are stored, if the tools of the request, which say what
 * that is, come after them; so is all of a document that has an error before the list.
 *
 * Metadata of the end, in addition to the shape's own:
 *
 *     usage           FINISHED: the provider's own JSON for the tokens used
 *     finish_reasons  FINISHED: an object of the reasons of choices 1, 2, ... by number, if there are any
 *     request_id      ERROR: if the body has one and there is memory for it
 *     body_excerpt    ERROR: a string to be logged, the start of a body that was refused by its HTTP status and begins
 *                     with no JSON object or array, such as a proxy's page: at most 512 bytes of it, without control
 *                     characters
 */
#ifndef ELELEM_STREAM_ROOM_H
#define ELELEM_STREAM_ROOM_H

#include "body.h"
#include "shape.h"
#include "thought.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A stream holds at most 15 * max_frame_bytes + 3 * max_kept_bytes + (264 + item_bytes) * max_open_items +
   (16 + choice_bytes) * max_choices + stream_bytes + 102400 bytes, of which item_bytes, choice_bytes and stream_bytes
   are the shape's, and with split_thoughts what a thought splitter of so many items holds. Most of it is for the events
   of one frame, and is taken only if that is full of them. */
typedef struct elelem_stream_desc {
    const elelem_shape *shape;    /* the wire format, such as &elelem_shape_chat; must not be null */
    elelem_allocator allocator;
    int64_t unix_seconds;         /* now, since 1970, to read a Retry-After that is a date; 0: unknown */
    uint32_t idle_timeout_ms;     /* the stream fails after so long without a byte, up to 49 days; 0: never. See
                                     elelem_stream_tick */
    uint32_t max_frame_bytes;     /* memory for what the shape wants of one frame, or of a response that was not streamed,
                                     without elements of lists that were given out; 0: 16 MiB. No key and no number may
                                     be longer, beyond 4096 bytes */
    uint32_t max_kept_bytes;      /* of what must outlive its frame, such as signatures, and of Gemini's partialArgs
                                     8 bytes a member of the objects that are open; 0: 1 MiB */
    uint32_t max_open_items;      /* items open at one time; 0: 256 */
    uint32_t max_choices;         /* choices in one response; 0: 128 */
    uint32_t repeat_bytes;        /* at least so many bytes become the block of frames, once there was one, if max_frame_bytes
                                     allows that and memory is there: most frames are not parsed then, because they are the
                                     frame before but for some values. 0: 2048; 1: no more than frames need */
    uint32_t max_next_bytes;      /* how many bytes of a push one call of next reads, see there; 0: all of them */
    uint8_t structured;           /* nonzero: the caller asked for JSON, so message text is STRUCTURED */
    uint8_t without_provider_items; /* nonzero: what is no text, no reasoning and no call for the caller does not come as
                                     PROVIDER_ITEM, nor what is known of the response as METADATA, and takes no memory.
                                     Responses: if text or calls were streamed and no item is open, the list in the last
                                     frame is not read then, so that what only that list has is missing */
    uint8_t split_thoughts;       /* nonzero: reasoning in tags inside message text is REASONING; see thought */
    const elelem_str *thought_tags; /* names of these tags; must outlive the stream; null: think, thinking, reasoning */
    uint32_t thought_tag_count;
} elelem_stream_desc;

typedef struct elelem_stream {
    elelem_shape_context els_context;
    els_body els_response;
    elelem_patterns els_patterns;  /* the paths of the shape that are wanted now */
    elelem_patterns els_whole;   /* those of a whole response */
    elelem_thought_splitter els_thoughts;
    els_input els_lent;           /* pushed bytes, or the data of a pushed frame */
    size_t els_held;              /* bytes of the push after those, for later calls of next */
    elelem_str els_failed_message; /* the caller's; empty: that of the kind */
    uint32_t els_next_bytes;
    uint32_t els_idle_ms;
    uint32_t els_last_ms;          /* the time of the last tick */
    uint32_t els_waited_ms;        /* without a byte, up to that tick */
    uint8_t els_state;             /* an els_stream_state */
    uint32_t els_passing;          /* the item whose pieces come, if els_passes */
    uint8_t els_passes;            /* a value of the frame is passing */
    uint8_t els_splits;            /* message text goes through els_thoughts */
    uint8_t els_failed_kind;       /* 1 + the elelem_error_kind that the caller reported; 0 for none */
    uint8_t els_is_quiet;          /* no byte came since the last tick */
} elelem_stream;

/* OK; ERROR_MISUSE if desc or its shape is null: the stream's only event is then an ERROR that says so. */
ELELEM_API elelem_status elelem_stream_init(elelem_stream *stream, const elelem_stream_desc *desc);

/* Sets the time, as desc.unix_seconds does; set it again before a response that comes much later. */
ELELEM_API void elelem_stream_set_unix_time(elelem_stream *stream, int64_t unix_seconds);

/* Passes in the status and the headers of the HTTP response, before its body is pushed. Without a
   status it counts as 200. A second status begins another response to the same request (after 100,
   103, a redirect or a proxy's 407) and forgets the headers before it; a first one does not. The
   headers that matter are picked out, in any order, names in any case, whitespace and line ends
   around both ignored: x-should-retry, retry-after-ms, retry-after, ratelimit, x-ratelimit-reset
   and its -requests and -tokens. */
ELELEM_API void elelem_stream_http_status(elelem_stream *stream, int status);
ELELEM_API void elelem_stream_http_header(elelem_stream *stream, elelem_str name, elelem_str value);

/* The same for HTTP libraries that pass on the head line by line, such as libcurl: takes a status line ("HTTP/1.1 429 Too
   Many Requests"), a header ("Retry-After: 7") or the empty line, each whole, with or without its line end. Every status
   line starts over, so that nothing counts that came with 100, 103, a redirect or a proxy's response. Any other line is
   ignored. Do not set the status by elelem_stream_http_status in addition: a second one forgets the headers. */
ELELEM_API void elelem_stream_http_header_line(elelem_stream *stream, elelem_str line);

/* Lends bytes of the body until next returns MORE, with nothing unread, or END. OK; ERROR_MISUSE: next has not
   returned MORE since the last push, or finish or fail was called, or `bytes` is null. A
   refused push must be repeated, see elelem_error: if it is not, the last event is an ERROR of
   kind OTHER, not retryable, with status ERROR_MISUSE. After the end everything is taken and
   dropped.
   A body under a good status that is a page, plain words or JSON of something else is a
   PROTOCOL error; JSON that holds an error is that error. */
ELELEM_API elelem_status elelem_stream_push(elelem_stream *stream, const void *bytes, size_t size);

/* Lends one whole frame of a caller with its own SSE or WebSocket client: its data and the name of
   its event, empty if it has none. Returns what push returns; a refused frame must be repeated.
   The two ways cannot be mixed: push is refused after push_data, and push_data after push. */
ELELEM_API elelem_status elelem_stream_push_data(elelem_stream *stream, elelem_str event_name, elelem_str data);

/* OK: an event, whose slices are valid until the next call on the stream. MORE: push again, finish
   or fail. END: the end was returned. Never negative: whatever goes wrong is the last event.

   How long a call takes: it reads bytes until there is an event. If a push has none, as when it is all comments, pings
   and frames that say nothing, one call reads all of it. If desc.max_next_bytes is set, a call reads at most so many
   bytes of a push, and then returns MORE while elelem_stream_unread is not 0: call next again, at any time, before the
   next push. Either way the work is linear in the bytes that are read and in the size of the frame that ends in them,
   of which at most max_frame_bytes are kept. A frame of elelem_stream_push_data is read in one call. */
ELELEM_API elelem_status elelem_stream_next(elelem_stream *stream, elelem_event *event);

/* Returns how many bytes of the last push next has not read yet, which therefore have to stay in place. Events of bytes
   that were read may still come: only MORE says that all were returned. */
ELELEM_API size_t elelem_stream_unread(const elelem_stream *stream);

/* Says that the body is over. What was pushed and not taken yet still comes. */
ELELEM_API void elelem_stream_finish(elelem_stream *stream);

/* Says that the transport broke, or that the caller gave up: an ERROR of that kind, after what was
   pushed before. A number that is no kind counts as OTHER. Ignored after the end. FINISHED comes
   instead if every finish reason was already seen and can no longer change. If the status refuses the
   request, the error has the wait of the headers, and it is retryable only if that status, or
   x-should-retry, allows it: the body that broke could only have said why. */
ELELEM_API void elelem_stream_fail(elelem_stream *stream, elelem_error_kind kind);

/* The same with a message of the caller's, such as that of its HTTP library. It is not copied: it has to stay in place
   until next has returned END. If it is empty, the message is that of the kind. */
ELELEM_API void elelem_stream_fail_with(elelem_stream *stream, elelem_error_kind kind, elelem_str message);

/* Sets the time in milliseconds, from any start, wrapping at 32 bits; call it now and then. If
   nothing was pushed for idle_timeout_ms, the stream ends with a TIMEOUT. A clock that steps back
   starts the wait again; so does one that advances by 2^31 or more (24 days) from one tick to the
   next, because the two look the same. */
ELELEM_API void elelem_stream_tick(elelem_stream *stream, uint32_t now_ms);

/* Returns the id of the last event of the event stream that was whole, which a client that connects again sends as
   Last-Event-ID; empty if there was none, and for frames that were pushed by elelem_stream_push_data. It is there after an
   error too. Valid until the next call on the stream. Responses that number their events themselves have that number in
   the metadata of the end. */
ELELEM_API elelem_str elelem_stream_last_event_id(const elelem_stream *stream);

/* Starts a new response of the same shape, and keeps the memory and the time. */
ELELEM_API void elelem_stream_reset(elelem_stream *stream);

/* Frees the memory. A zeroed stream may be freed. */
ELELEM_API void elelem_stream_free(elelem_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
