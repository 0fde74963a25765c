/* >> turn
 *
 * One loop over a whole response, which is what most callers want: a stream and an event
 * builder that yield text and tool call arguments as they are written, items when they are
 * done, and one end. It adds no rule of its own.
 */
#ifndef ELELEM_TURN_H
#define ELELEM_TURN_H

#include "stream.h"
#include "builder.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_turn_update_kind {
    ELELEM_TURN_TEXT,            /* text: a delta of a message, or of the JSON that was asked for */
    ELELEM_TURN_REASONING,       /* text: a delta of the model's reasoning */
    ELELEM_TURN_TOOL_CALL_START, /* tool_call begins. Comes again when its id or name comes late: then there may have been
                                    fragments before, with an empty name, which elelem_turn_arguments has */
    ELELEM_TURN_TOOL_CALL_DELTA, /* tool_call, fragment: one fragment of its arguments. After text that is no JSON no more
                                    come, and the item is MALFORMED */
    ELELEM_TURN_TOOL_CALL_DONE,  /* tool_call with its arguments, item: it is over; whole, or marked cut off. It may come
                                    long after the last fragment; that a value is whole, its own DONE fragment says.
                                    Only if tool calls are kept */
    ELELEM_TURN_PROVIDER_ITEM,   /* part: a piece of anything else in the response, such as a search that the provider
                                    ran: its type, its JSON and a caption to show; see elelem_event_part */
    ELELEM_TURN_METADATA,        /* metadata: what is known of the response itself: its id, its model and so on */
    ELELEM_TURN_ITEM,            /* item: a message, reasoning, a structured value or a provider item is over */
    ELELEM_TURN_FINISHED,        /* reason, raw_reason, usage: the good end, last */
    ELELEM_TURN_ERROR            /* error: the bad end, last, after the items that it cut off */
} elelem_turn_update_kind;

/* One update. A switch over (elelem_turn_update_kind)update.kind without a default is checked by compilers: they name the
   kinds that are missing. Members that its kind does not use are zero. Slices, values, the path of the fragment, and what `item`
   points to, are valid until the next call of push, next, reset or free. */
typedef struct elelem_turn_update {
    uint8_t kind;               /* an elelem_turn_update_kind */
    uint8_t reason;             /* an elelem_finish_reason */
    uint32_t index;             /* all but the ends: which item, an opaque key */
    uint32_t choice;            /* all but the ends: which of the choices asked for */
    elelem_str text;
    elelem_tool_call tool_call; /* index, id and name as far as they are known: the same in START, DELTA and DONE.
                                   The rest only in DONE; run no call whose arguments are not complete */
    elelem_fragment fragment;
    elelem_event_part part;     /* PROVIDER_ITEM; for all other kinds the members above have what it says */
    const elelem_item *item;    /* as the builder gave it; null for all kinds that do not name it */
    elelem_str raw_reason;      /* the provider's own word */
    elelem_usage usage;
    elelem_failure error;
    elelem_metadata metadata;   /* of the event; of the whole item, when one is over */
} elelem_turn_update;

/* A turn holds what a stream and an event builder of the same limits hold. */
typedef struct elelem_turn_desc {
    const elelem_shape *shape;    /* the wire format; must not be null */
    elelem_allocator allocator;
    uint32_t keep;                /* which kinds become items: ELELEM_KEEP_...; 0: all. Text and fragments come in any
                                     case, TOOL_CALL_DONE and ITEM of kinds that are kept; with ELELEM_KEEP_NONE nothing is
                                     stored after it was returned */
    int64_t unix_seconds;         /* this and the next as in elelem_stream_desc */
    uint32_t idle_timeout_ms;
    uint32_t max_frame_bytes;
    uint32_t max_kept_bytes;
    uint32_t max_open_items;
    uint32_t max_choices;
    uint32_t repeat_bytes;
    uint32_t max_next_bytes;
    uint8_t structured;
    uint8_t without_provider_items;
    uint8_t split_thoughts;
    const elelem_str *thought_tags;
    uint32_t thought_tag_count;
    uint8_t keep_argument_text;   /* as in elelem_event_builder_desc */
    uint64_t max_item_bytes;      /* as its max_bytes */
} elelem_turn_desc;

typedef struct elelem_turn {
    elelem_stream els_stream;
    elelem_event_builder els_builder;
    elelem_event els_event;    /* the one taken from the stream last */
    elelem_built els_built;    /* what update.item points to */
    uint8_t els_state;
    int8_t els_failed;         /* if the builder failed: its status */
} elelem_turn;

/* OK; ERROR_MISUSE if desc or its shape is null: the only update is then an error that says so. */
ELELEM_API elelem_status elelem_turn_init(elelem_turn *turn, const elelem_turn_desc *desc);

/* The same as the functions of these names in stream. */
ELELEM_API void elelem_turn_http_status(elelem_turn *turn, int status);
ELELEM_API void elelem_turn_http_header(elelem_turn *turn, elelem_str name, elelem_str value);
ELELEM_API void elelem_turn_http_header_line(elelem_turn *turn, elelem_str line);
ELELEM_API elelem_status elelem_turn_push(elelem_turn *turn, const void *bytes, size_t size);
ELELEM_API elelem_status elelem_turn_push_data(elelem_turn *turn, elelem_str event_name, elelem_str data);
ELELEM_API void elelem_turn_finish(elelem_turn *turn);
ELELEM_API void elelem_turn_fail(elelem_turn *turn, elelem_error_kind kind);
ELELEM_API void elelem_turn_fail_with(elelem_turn *turn, elelem_error_kind kind, elelem_str message);
ELELEM_API size_t elelem_turn_unread(const elelem_turn *turn);
ELELEM_API void elelem_turn_tick(elelem_turn *turn, uint32_t now_ms);
ELELEM_API void elelem_turn_set_unix_time(elelem_turn *turn, int64_t unix_seconds);
ELELEM_API elelem_str elelem_turn_last_event_id(const elelem_turn *turn);

/* OK: an update. MORE: push again, finish or fail; if max_next_bytes is set and elelem_turn_unread is not 0, call next
   again first. END: the end was returned. Never negative. How long a call takes is said at elelem_stream_next. */
ELELEM_API elelem_status elelem_turn_next(elelem_turn *turn, elelem_turn_update *update);

/* Returns the arguments of a tool call, or the value of structured output, that is still open, as far as it came, the fragment
   of the update returned last among it: never complete, valid until the next call of push, next, reset or free. No value for
   any other index, or if that kind is not kept. */
ELELEM_API elelem_value elelem_turn_arguments(const elelem_turn *turn, uint32_t index);

/* Starts a new response of the same shape, and keeps the memory and the time. */
ELELEM_API void elelem_turn_reset(elelem_turn *turn);

/* Frees the memory. A zeroed turn may be freed. */
ELELEM_API void elelem_turn_free(elelem_turn *turn);

#ifdef __cplusplus
}
#endif

#endif
