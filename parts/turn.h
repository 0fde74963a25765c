/* >> turn
 *
 * A stream and an event builder behind one loop, which is what most callers want: text
 * and arguments as they are written, items when they are done, one end. It adds no rule
 * of its own.
 */
#ifndef ELELEM_TURN_H
#define ELELEM_TURN_H

#include "stream.h"
#include "builder.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_turn_item_kind {
    ELELEM_TURN_TEXT,            /* text: a piece of a message, or of the JSON asked for */
    ELELEM_TURN_REASONING,       /* text: a piece of the model's thinking */
    ELELEM_TURN_TOOL_CALL_START, /* tool_call: id and name, as far as known; comes again where one comes late */
    ELELEM_TURN_PROGRESS,        /* progress: a fragment of a tool call's arguments */
    ELELEM_TURN_TOOL_CALL,       /* tool_call, item: it is over; whole, or marked cut off */
    ELELEM_TURN_ITEM,            /* item: a message, reasoning or structured answer is over */
    ELELEM_TURN_FINISHED,        /* reason, raw_reason, usage; the good end, last */
    ELELEM_TURN_ERROR            /* error; the bad end, last, behind what was cut off by it */
} elelem_turn_item_kind;

/* Members that the kind does not name are zero. Valid until the next call of push, next, reset or free. */
typedef struct elelem_turn_item {
    uint8_t kind;               /* an elelem_turn_item_kind */
    uint8_t reason;             /* an elelem_finish_reason */
    uint32_t index;             /* all but the ends: which item, an opaque key */
    uint32_t choice;            /* all but the ends: which of the answers asked for */
    elelem_str text;
    elelem_tool_call tool_call;
    elelem_tool_call_argument_progress progress;
    elelem_item item;
    elelem_str raw_reason;      /* the provider's own word */
    elelem_usage usage;
    elelem_stream_error error;
    elelem_metadata metadata;   /* of the event */
} elelem_turn_item;

typedef struct elelem_turn_desc {
    const elelem_shape *shape;    /* which wire; must not be null */
    elelem_allocator allocator;
    uint32_t keep;                /* which kinds become items: ELELEM_KEEP_…; 0: all. Pieces come in any case */
    int64_t unix_seconds;         /* from here on as in elelem_stream_desc */
    uint32_t idle_timeout_ms;
    uint32_t max_frame_bytes;
    uint32_t max_kept_bytes;
    uint32_t max_open_items;
    uint32_t max_choices;
    uint8_t structured;
    uint8_t split_thoughts;
    const elelem_str *thought_tags;
    uint32_t thought_tag_count;
    uint8_t keep_argument_text;   /* as in elelem_event_builder_desc */
    uint64_t max_item_bytes;      /* as its max_bytes */
} elelem_turn_desc;

typedef struct elelem_turn {
    elelem_stream els_stream;
    elelem_event_builder els_builder;
    elelem_event els_event;    /* the one at work */
    uint8_t els_state;
} elelem_turn;

/* OK; ERROR_MISUSE where desc or its shape is null: next then gives an error that says so. */
ELELEM_API elelem_status elelem_turn_init(elelem_turn *turn, const elelem_turn_desc *desc);

/* As the functions of these names in stream. */
ELELEM_API void elelem_turn_http_status(elelem_turn *turn, int status);
ELELEM_API void elelem_turn_http_header(elelem_turn *turn, elelem_str name, elelem_str value);
ELELEM_API elelem_status elelem_turn_push(elelem_turn *turn, const void *bytes, size_t size);
ELELEM_API elelem_status elelem_turn_push_data(elelem_turn *turn, elelem_str event_name, elelem_str data);
ELELEM_API void elelem_turn_finish(elelem_turn *turn);
ELELEM_API void elelem_turn_fail(elelem_turn *turn, elelem_error_kind kind);
ELELEM_API void elelem_turn_tick(elelem_turn *turn, uint32_t now_ms);
ELELEM_API void elelem_turn_time(elelem_turn *turn, int64_t unix_seconds);

/* OK: an item. MORE: push again, finish or fail. END: the end was given out. Never negative. */
ELELEM_API elelem_status elelem_turn_next(elelem_turn *turn, elelem_turn_item *item);

/* The arguments of a tool call that is still open, as far as they came: readable at any time,
   never complete, valid until the next call on the turn. No value for any other index. */
ELELEM_API elelem_value elelem_turn_arguments(const elelem_turn *turn, uint32_t index);

/* Starts over with a new answer of the same shape, keeping memory. */
ELELEM_API void elelem_turn_reset(elelem_turn *turn);

/* Gives the memory back. A zeroed turn may be freed. */
ELELEM_API void elelem_turn_free(elelem_turn *turn);

#ifdef __cplusplus
}
#endif

#endif
