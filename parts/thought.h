/* >> thought
 *
 * Changes events: reasoning that a model writes inside its message, in <think> tags and similar
 * ones, becomes REASONING with an index of its own. Everything else passes, with new indices. It
 * knows no wire shape, and of tags only what the tag splitter returns.
 *
 * A message with reasoning in tags becomes several items in order: the text before, the
 * reasoning, the text after. Each is flushed before the next one begins, and reasoning at its end
 * tag. The first part of reasoning has the metadata
 *
 *     tag  {"name":"think","id":"think-1"} and, if the tag has attributes,
 *          "attributes":[["key","value"],["key without value"]]
 *
 * Tags inside reasoning are part of its text. An end tag without a start tag is left out.
 */
#ifndef ELELEM_THOUGHT_H
#define ELELEM_THOUGHT_H

#include "event.h"
#include "tags.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A splitter holds at most (58000 + 16 * name_count) * max_open + 102400 bytes: that much only if the texts of all
   items are cut inside a long tag. */
typedef struct elelem_thought_splitter_desc {
    elelem_allocator allocator;
    const elelem_str *names; /* of the tags; must outlive the splitter; null: think, thinking, reasoning */
    uint32_t name_count;
    uint32_t max_open;       /* items open at one time; 0: 256. More is ERROR_COUNT */
} elelem_thought_splitter_desc;

typedef struct elelem_thought_splitter {
    els_block els_items;       /* the open items of the stream, each with its place in the output */
    elelem_tag_splitter_desc els_tags;
    elelem_event els_event;    /* the one that was pushed last */
    elelem_tag_piece els_piece;
    els_cursor els_text;       /* of the event, what is not split yet */
    elelem_buffer els_json;    /* of the metadata of a tag */
    elelem_metadata_entry els_entry;
    uint64_t els_finished;     /* items that were flushed */
    els_debt els_owed;
    uint32_t els_count;
    uint32_t els_max;
    uint32_t els_at;           /* position of the event's item */
    uint32_t els_next_index;
    int32_t els_status;        /* an elelem_status: the error that sticks */
    uint8_t els_phase;
} elelem_thought_splitter;

/* Zeroes mean the defaults above; `desc` may be null. */
ELELEM_API void elelem_thought_splitter_init(elelem_thought_splitter *splitter, const elelem_thought_splitter_desc *desc);

/* Takes an event; its slices must stay valid until next has returned MORE. OK; ERROR_MISUSE: next
   has not returned MORE since the last push, and the same event must be pushed again (see
   elelem_error); or a flush of an index that is not open. After an end none is open, and parts that
   come then begin others. ERROR_MEMORY and ERROR_COUNT stick, and
   so does ERROR_MISUSE if another event is pushed after one was refused. */
ELELEM_API elelem_status elelem_thought_splitter_push(elelem_thought_splitter *splitter, const elelem_event *event);

/* OK: an event, valid until the next call. MORE: push the next event. Negative: the error that sticks. */
ELELEM_API elelem_status elelem_thought_splitter_next(elelem_thought_splitter *splitter, elelem_event *event);

/* Returns the error that sticks; status OK if there is none. The offset is the number of items
   flushed before. */
ELELEM_API elelem_error elelem_thought_splitter_error(const elelem_thought_splitter *splitter);
ELELEM_API void elelem_thought_splitter_reset(elelem_thought_splitter *splitter);
ELELEM_API void elelem_thought_splitter_free(elelem_thought_splitter *splitter);

#ifdef __cplusplus
}
#endif

#endif
