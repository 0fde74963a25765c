/* >> builder
 *
 * Turns events into items: messages, reasoning, structured output and tool calls, each in one
 * piece, and emits every fragment of a tool call's arguments as soon as it is read. Nothing is
 * repaired: an item that did not arrive whole says so.
 */
#ifndef ELELEM_BUILDER_H
#define ELELEM_BUILDER_H

#include "event.h"
#include "metadata.h"
#include "value.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_item_state {
    ELELEM_ITEM_OPEN,     /* not flushed yet; in the partial view only */
    ELELEM_ITEM_COMPLETE, /* flushed, and whole */
    ELELEM_ITEM_CUT_OFF,  /* drained before it was flushed, or flushed as cut off; or its JSON stopped in the middle, or
                             at a limit */
    ELELEM_ITEM_MALFORMED, /* its JSON does not follow the grammar */
    ELELEM_ITEM_LEFT_OUT  /* a provider item that was longer than what max_bytes left; it has no text */
} elelem_item_state;

/* "open", "complete", "cut_off", "malformed", "left_out". */
ELELEM_API const char *elelem_item_state_name(unsigned state);

typedef struct elelem_tool_call {
    uint32_t index;         /* of its item: the key of its events, for elelem_event_builder_arguments and the like */
    elelem_str id;          /* the first that was not empty; empty if there was none */
    elelem_str name;        /* likewise */
    elelem_str type;        /* likewise: the provider's word for a call that is no plain function, such as "shell_call" */
    elelem_value arguments; /* of whatever type they are; {} if the call was flushed without any and not as cut off.
                               Never complete (elelem_value_is_complete) unless the item is */
    elelem_str text;        /* the JSON text of the arguments so far, if desc.keep_argument_text */
} elelem_tool_call;

/* What the parts of one index make together. If the state is not COMPLETE, it has what arrived. */
typedef struct elelem_item {
    uint8_t kind;  /* an elelem_part_kind */
    uint8_t state; /* an elelem_item_state */
    uint32_t index;
    uint32_t choice;
    uint8_t hosted;             /* PROVIDER_ITEM: nonzero: the provider ran it */
    elelem_str type;            /* PROVIDER_ITEM: the provider's word for it */
    elelem_str caption;         /* PROVIDER_ITEM: a text that can be shown for it; may be empty */
    elelem_str text;            /* all but TOOL_CALL; STRUCTURED, PROVIDER_ITEM: the JSON text */
    elelem_value value;         /* STRUCTURED: that text read; like arguments never complete unless the item is */
    elelem_tool_call tool_call; /* TOOL_CALL */
    elelem_metadata metadata;   /* that of all parts and the flush, merged, in order of first appearance */
} elelem_item;

/* A fragment of the arguments of a tool call that is still being written. */
typedef struct elelem_tool_call_argument_progress {
    uint32_t index;
    uint32_t choice;
    elelem_str id;   /* as far as known now */
    elelem_str name; /* as far as known now */
    elelem_fragment fragment;
} elelem_tool_call_argument_progress;

typedef enum elelem_built_kind {
    ELELEM_BUILT_PROGRESS,
    ELELEM_BUILT_ITEM
} elelem_built_kind;

/* What next returns; only the member that `kind` names is set. */
typedef struct elelem_built {
    uint8_t kind; /* an elelem_built_kind */
    elelem_tool_call_argument_progress progress;
    elelem_item item;
} elelem_built;

/* Bit mask of what is kept. A kind that is not kept is not stored and gives no item; the progress
   of tool calls is emitted in any case. */
#define ELELEM_KEEP_MESSAGES 1u
#define ELELEM_KEEP_REASONING 2u
#define ELELEM_KEEP_STRUCTURED 4u
#define ELELEM_KEEP_TOOL_CALLS 8u
#define ELELEM_KEEP_METADATA 16u /* of the kinds that are kept */
#define ELELEM_KEEP_NONE 32u    /* no item at all; 0 stands for the default, which is all */
#define ELELEM_KEEP_PROVIDER_ITEMS 64u
#define ELELEM_KEEP_ALL 95u

/* A builder holds at most 9 * max_bytes + 3072 * max_open + 4096 bytes: max_bytes limits three things,
   and blocks double. */
typedef struct elelem_event_builder_desc {
    elelem_allocator allocator; /* for the open items: a table, and a few blocks each */
    uint64_t max_bytes;         /* of all open items together: of their texts, names and metadata (128 bytes more for
                                   each key); as much again of their values; as much again of what the parsers of
                                   their JSON hold (the keys of a path, a number, 64 bytes a level). 0: 64 MiB.
                                   ERROR_VALUE_SIZE */
    uint32_t max_open;          /* items that are not flushed yet; 0: 256, at most 65535. ERROR_COUNT */
    uint32_t max_metadata;      /* keys of one item; 0: 64, at most 65535. ERROR_COUNT */
    uint32_t keep;              /* ELELEM_KEEP_...; 0: all */
    uint8_t keep_argument_text; /* nonzero: tool calls keep the JSON text of their arguments as well as the value */
} elelem_event_builder_desc;

typedef struct elelem_event_builder {
    els_block els_table;     /* the open items, and after them their places in order of index */
    els_cursor els_lent;    /* JSON text of the event pushed last that is still to be read */
    els_budget els_texts;    /* texts, names and metadata */
    els_budget els_values;
    els_budget els_reading;  /* what parsers hold */
    uint64_t els_finished;   /* items that are over */
    els_debt els_owed;
    uint32_t els_capacity;   /* of the table */
    uint32_t els_open;       /* places in use: the first ones of the order */
    uint32_t els_place;      /* of the item that is read, flushed or returned */
    uint32_t els_max_open;
    uint32_t els_max_metadata;
    int32_t els_status;      /* an elelem_status: the error that sticks */
    int32_t els_late;        /* the error to return once the input is read */
    uint8_t els_phase;
    uint8_t els_keep;
    uint8_t els_keep_argument_text;
    uint8_t els_over;        /* no more events are taken */
    uint8_t els_draining;
    uint8_t els_handed_out;  /* the item at els_place is the caller's until the next call */
} elelem_event_builder;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first part. */
ELELEM_API void elelem_event_builder_init(elelem_event_builder *builder, const elelem_event_builder_desc *desc);

/* Takes an event. It and its slices must stay until next has returned MORE or END.
   OK. ERROR_MISUSE, which changes nothing and does not stick: next has not returned MORE; a
   part of another kind or choice than those before it with this index; a flush of an index
   that is not open; an event after the end (FINISHED, ERROR, drain), or of an unknown kind.
   After the first of these the same event must be pushed again (see elelem_error): after any
   other, ERROR_MISUSE sticks. ERROR_MEMORY and the errors of the limits stick; what was kept
   until then can be drained. */
ELELEM_API elelem_status elelem_event_builder_push(elelem_event_builder *builder, const elelem_event *event);

/* OK: progress or an item, valid until the next call of push, next, reset or free. MORE: push
   the next event. END: the end was pushed, or drain was called, and nothing is left. Negative: the
   error that sticks.
   A message of whitespace alone gives no item, and neither does structured output without any
   text, unless there is metadata; reasoning does. After a chunk that breaks the grammar of JSON
   or a limit of the parser (the defaults of fragment) no more progress is emitted for that call.
   When a value meets max_bytes, the JSON text kept with it may reach to the end of its part. */
ELELEM_API elelem_status elelem_event_builder_next(elelem_event_builder *builder, elelem_built *built);

/* Ends early: no more events are taken. After the results of the last event, next returns all items
   that are open as CUT_OFF or MALFORMED, in order of index, even after an error, and then END, or
   that error. */
ELELEM_API void elelem_event_builder_drain(elelem_event_builder *builder);

/* Returns the items that are kept and not flushed yet, in order of index: OK, one at a time, then
   END. `*position` is 0 at first and is advanced. Their state is OPEN, or already what is wrong with
   their JSON. Nothing changes; the item is valid until the next call of push, next, reset or free. */
ELELEM_API elelem_status elelem_event_builder_partial(const elelem_event_builder *builder, size_t *position,
                                                      elelem_item *item);

/* Returns what there is of the arguments (or structured value) of an open index, never complete; no
   value if there is nothing yet, or for any other item. Valid as long as the item of the partial view. */
ELELEM_API elelem_value elelem_event_builder_arguments(const elelem_event_builder *builder, uint32_t index);

/* Returns the error that sticks; status OK if there is none. The offset is the number of items that
   were finished before. */
ELELEM_API elelem_error elelem_event_builder_error(const elelem_event_builder *builder);

/* Removes all that is open, and keeps the table and small blocks. */
ELELEM_API void elelem_event_builder_reset(elelem_event_builder *builder);

/* Frees the memory. A zeroed builder may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_event_builder_free(elelem_event_builder *builder);

/* Writes an item as one JSON object:
   {"type":"message","index":0,"choice":1,"text":"...","state":"cut_off","metadata":{"k":...}}
   {"type":"tool_call","index":2,"callType":"custom","id":"...","name":"...","arguments":{...}}
   {"type":"provider_item","index":3,"itemType":"web_search_call","hosted":true,"caption":"...","item":{...}}
   Types: message, reasoning, structured, tool_call, provider_item. Left out are choice 0, an empty type of a call or caption,
   hosted if it is not, state complete and empty metadata. A structured value is "value" if it is complete, else its text is "text".
   Arguments that are not complete are "argumentsText", a string, if their text was kept, else
   "partialArguments", as far as they came, and left out if nothing of them came. A provider item that is not complete has its JSON, as far
   as it came, as "text". A writer that does not indent makes one line of it. OK or the writer's error. */
ELELEM_API elelem_status elelem_item_write(elelem_writer *writer, const elelem_item *item);

#ifdef __cplusplus
}
#endif

#endif
