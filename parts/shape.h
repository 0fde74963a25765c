/* >> shape
 *
 * The seam between the one driver and a wire shape. A shape names the paths it wants
 * from a frame; the driver parses the frame, keeps those values as a document, calls the
 * shape once, and hands out the events that the shape emitted. It knows no provider's frames.
 */
#ifndef ELELEM_SHAPE_H
#define ELELEM_SHAPE_H

#include "event.h"
#include "failure.h"
#include "value.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct elelem_shape_context elelem_shape_context;
struct elelem_recovery_path; /* see recovery */

/* What the shape is asked to work on. */
typedef enum elelem_shape_frame {
    ELELEM_SHAPE_DATA, /* a frame's document */
    ELELEM_SHAPE_DONE  /* a frame with the text [DONE] */
} elelem_shape_frame;

/* One wire shape, as constant data. */
typedef struct elelem_shape {
    const char *name;
    const elelem_pattern_node *paths; /* what a frame's document holds; see fragment. With a row for `error`, or
                                         elelem_shape_document_error finds none. Found sooner where the rows with one
                                         parent stand together */
    size_t path_count;
    /* Works on one frame, and emits any number of events. OK, also if it ended the stream; ERROR_PROTOCOL: the frame
       is not what the shape sends, and the stream ends after the events emitted before. Its work is linear in the
       frame: what is the same for all elements of a list is looked up once a frame. */
    elelem_status (*frame)(elelem_shape_context *context);
    uint8_t reason_may_change; /* a finish reason counts only when the body has ended */
    uint8_t array_body;        /* a body that is one JSON array holds frames as its elements */
    const struct elelem_recovery_path *recovery; /* where a request holds what a provider may find stale; may be null */
    size_t recovery_count;
} elelem_shape;

#define ELELEM_NO_INDEX 0xffffffff

/* The longest raw finish reason that is kept. */
#define ELELEM_SHAPE_RAW_REASON 64

/* Private: how many members may be looked up once and then read by their slot. */
#define ELS_SHAPE_FIELDS 38

/* Private. */

/* A text that waits to be taken. What is JSON text of a value is written then, so that memory is needed for one
   event of a frame at a time. */
typedef struct els_out_text {
    elelem_str text;
    size_t offset; /* WRITTEN: in the scratch buffer, which moves while the frame is worked on */
    uint32_t node; /* VALUE: of the document */
    uint8_t form;  /* an els_out_form */
} els_out_text;

/* An event that waits to be taken. */
typedef struct els_out {
    els_out_text text;       /* or the id of a call */
    elelem_str name;
    uint32_t index;
    uint32_t choice;
    uint32_t metadata_count; /* entries, after those of the event before it */
    uint8_t kind;            /* an elelem_event_kind */
    uint8_t part_kind;
    uint8_t tool_call_kind;
    uint8_t cut_off;
} els_out;

typedef struct els_out_metadata {
    elelem_str key;
    els_out_text json;
} els_out_metadata;

/* The room for events and metadata that needs no memory of its own: enough for nearly every frame. */
#define ELS_FEW_EVENTS 4
#define ELS_FEW_METADATA 4

/* What the driver and the shape share while a stream lasts. The first group is the
   shape's to use; the rest is private. */
struct elelem_shape_context {
    uint32_t stage;            /* zero when a frame begins */
    uint32_t position;         /* zero when a frame begins */
    uint32_t notes[4];         /* zero when a frame begins */
    elelem_value cursor[2];    /* no value when a frame begins */
    uint32_t memory[20];       /* zero when the stream begins */

    const elelem_shape *els_shape;
    elelem_value els_document;
    uint32_t els_fields[ELS_SHAPE_FIELDS]; /* nodes of the document, 0 for no value; see els_fields_find */
    elelem_str els_event_name;
    elelem_event els_end;      /* FINISHED or ERROR as it will be given out */
    els_http els_answer;
    els_out els_few_events[ELS_FEW_EVENTS]; /* the events of the frame that are not taken yet */
    els_block els_queue;                    /* and those after them */
    els_out_metadata els_few_metadata[ELS_FEW_METADATA];
    els_block els_metadata;
    elelem_metadata_entry els_few_entries[ELS_FEW_METADATA]; /* the metadata of one event, as it is given out */
    els_block els_entries;
    elelem_buffer els_scratch; /* JSON text that the frame wrote */
    elelem_buffer els_given;   /* JSON text of the event that was taken last */
    elelem_buffer els_usage;   /* the last raw usage */
    uint32_t els_usage_node;   /* of the document, if the frame has one */
    elelem_buffer els_aside;   /* one more entry of the end's metadata */
    const char *els_aside_key;
    els_block els_items;
    els_block els_choices;
    els_block els_kept;
    size_t els_kept_size;
    size_t els_max_kept;
    size_t els_max_queue;      /* bytes of els_queue, and of els_metadata */
    uint32_t els_item_count;
    uint32_t els_choice_count;
    uint32_t els_max_items;
    uint32_t els_max_choices;
    uint32_t els_next_index;
    uint32_t els_out_count;
    uint32_t els_out_taken;
    uint32_t els_metadata_count;
    uint32_t els_metadata_used; /* entries that belong to events already emitted */
    uint32_t els_metadata_taken;
    size_t els_path_count;     /* see elelem_shape_want */
    int32_t els_status;        /* an elelem_status: what emitting ran into */
    uint8_t els_frame;         /* an elelem_shape_frame */
    uint8_t els_structured;
    uint8_t els_ended;         /* els_end is set */
    uint8_t els_emits;         /* what is emitted counts: nothing failed and the stream did not end */
    char els_raw_reason[ELELEM_SHAPE_RAW_REASON];
};

/* The frame. */

ELELEM_API elelem_shape_frame elelem_shape_frame_kind(const elelem_shape_context *context);

/* The values of the frame that the shape's paths name; the containers on the way to them
   are there too. Valid until the events of the frame were taken. */
ELELEM_API elelem_value elelem_shape_document(const elelem_shape_context *context);

/* The name of the SSE event; empty where there is none. */
ELELEM_API elelem_str elelem_shape_event_name(const elelem_shape_context *context);

/* Nonzero if nothing that the frame does counts any more: something failed, or the stream ended. */
ELELEM_API int elelem_shape_is_over(const elelem_shape_context *context);

/* From the next frame on only the first `count` rows of the shape's paths are wanted, for what is
   looked at only now and then. When the stream begins all are. */
ELELEM_API void elelem_shape_want(elelem_shape_context *context, size_t count);

/* Items: what a part index stands for while it is open. `key` is the wire's own number for
   it and belongs to the kind and choice. Where memory or a limit forbids, the answers are
   ELELEM_NO_INDEX, emitting to that does nothing, and the stream ends in an error. */

ELELEM_API uint32_t elelem_shape_item_open(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                           uint32_t key);
ELELEM_API uint32_t elelem_shape_item_find(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                           uint32_t key);

/* The open item of the choice with the lowest index. */
ELELEM_API uint32_t elelem_shape_item_first(const elelem_shape_context *context, uint32_t choice);

/* For wires that do not say where an item ends: the open text item of this kind and key in
   the choice, or a new one, before which the choice's other open text item is flushed. */
ELELEM_API uint32_t elelem_shape_item_continue(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                               uint32_t key);

/* Nonzero where the item has this id already or none yet; see elelem_shape_tool_start. */
ELELEM_API int elelem_shape_item_may_be(const elelem_shape_context *context, uint32_t index, elelem_str id);

/* Nonzero where a part of that kind was ever emitted for the choice. */
ELELEM_API int elelem_shape_choice_had(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind);

/* Marks of the shape's own on a choice, numbered 0 to 3; none is set when the stream begins. */
ELELEM_API void elelem_shape_choice_mark(elelem_shape_context *context, uint32_t choice, unsigned mark);
ELELEM_API int elelem_shape_choice_is_marked(const elelem_shape_context *context, uint32_t choice, unsigned mark);

/* The kind that message text has in this stream: STRUCTURED where the caller asked for JSON. */
ELELEM_API elelem_part_kind elelem_shape_message_kind(const elelem_shape_context *context);

/* Metadata for the event that is emitted next. The key must live as long as the document. */

ELELEM_API void elelem_shape_metadata_json(elelem_shape_context *context, elelem_str key, elelem_str json);
ELELEM_API void elelem_shape_metadata_text(elelem_shape_context *context, const char *key, elelem_str text);
ELELEM_API void elelem_shape_metadata_value(elelem_shape_context *context, const char *key, elelem_value value);
ELELEM_API int elelem_shape_has_metadata(const elelem_shape_context *context);

/* Events. Texts must live as long as the document. Empty text is emitted only where
   metadata waits for it. */

ELELEM_API void elelem_shape_text(elelem_shape_context *context, uint32_t index, elelem_str text);

/* A tool call's id and name. Emits only what is new: the first id and the first name that are not empty. A call of which
   neither is known starts with its first arguments or metadata, and without those is none. */
ELELEM_API void elelem_shape_tool_start(elelem_shape_context *context, uint32_t index, elelem_str id, elelem_str name);

/* The same for wires without ids of calls: the id is "call_" and the item's index. */
ELELEM_API void elelem_shape_tool_start_unnamed(elelem_shape_context *context, uint32_t index, elelem_str name);
ELELEM_API void elelem_shape_tool_arguments(elelem_shape_context *context, uint32_t index, elelem_str json);
ELELEM_API void elelem_shape_tool_arguments_value(elelem_shape_context *context, uint32_t index, elelem_value value);

/* How an item ended. Text is flushed alike in every case. JSON that is still empty or a number may
   go on or not; only how it ended says whether that is all. */
typedef enum elelem_shape_ending {
    ELELEM_SHAPE_ENDED,     /* the model ended it: a call without arguments has none */
    ELELEM_SHAPE_STOPPED,   /* the model was stopped, or nothing shows that it was not: JSON that closed by itself is
                               whole, all other is cut off */
    ELELEM_SHAPE_INCOMPLETE /* the provider says that it is not whole: JSON is cut off even if it closed */
} elelem_shape_ending;

/* Emits FLUSH and forgets the item. elelem_shape_flush: it ENDED. */
ELELEM_API void elelem_shape_flush(elelem_shape_context *context, uint32_t index);
ELELEM_API void elelem_shape_flush_as(elelem_shape_context *context, uint32_t index, elelem_shape_ending ending);

/* The wire says whether more of the item is to come. While it does, every flush is as INCOMPLETE. */
ELELEM_API void elelem_shape_item_expect(elelem_shape_context *context, uint32_t index, int more);

/* For wires that close an item before they tell why the model stopped. The item is no longer found by its key, and
   waits until elelem_shape_release flushes it, or another flush does; or else the end of the stream by the reason of its
   choice. elelem_shape_item_close waits only while its JSON is still empty or a number, and else flushes it. */
ELELEM_API void elelem_shape_item_wait(elelem_shape_context *context, uint32_t index);
ELELEM_API void elelem_shape_item_close(elelem_shape_context *context, uint32_t index);

/* Flushes one item of the choice that waits, as ENDED: the model has written more after it. Returns 0
   if none waits. */
ELELEM_API int elelem_shape_release(elelem_shape_context *context, uint32_t choice);

/* ENDED for COMPLETED and TOOL_CALLS, else STOPPED. */
ELELEM_API elelem_shape_ending elelem_shape_ending_of(elelem_finish_reason reason);

/* Flushes the open item of the choice with the lowest index, as the reason of the choice says; STOPPED if it has
   none yet. Returns 0 if no item is open. */
ELELEM_API int elelem_shape_flush_one(elelem_shape_context *context, uint32_t choice);

/* The end. */

/* Why a choice stopped. `replace`: the last one counts, else the first. */
ELELEM_API void elelem_shape_reason(elelem_shape_context *context, uint32_t choice, elelem_finish_reason reason,
                                    elelem_str raw, int replace);
/* Nonzero where a reason for the choice is known. */
ELELEM_API int elelem_shape_has_reason(const elelem_shape_context *context, uint32_t choice);

/* The provider's counts, -1 for unknown, and its own JSON for them; the last call counts. */
ELELEM_API void elelem_shape_usage(elelem_shape_context *context, elelem_usage usage, elelem_value raw);

/* One more entry of FINISHED's metadata, under a key that is fixed text; the last call counts. */
ELELEM_API void elelem_shape_end_metadata(elelem_shape_context *context, const char *key, elelem_value value);

/* The shape's terminal signal: what is open is flushed, then FINISHED comes; with COMPLETED where
   no reason was told. */
ELELEM_API void elelem_shape_finish(elelem_shape_context *context);

/* Ends the stream with the error that the document tells of (an `error` member, or `object`
   "error"); 0 where it tells of none. */
ELELEM_API int elelem_shape_document_error(elelem_shape_context *context);

/* Ends the stream with an error of the shape's own. Retryable as its kind says. */
ELELEM_API void elelem_shape_error(elelem_shape_context *context, elelem_error_kind kind, elelem_str code,
                                   const char *message);

#ifdef __cplusplus
}
#endif

#endif
