/* >> thought
 *
 * Events in, events out: what a model thinks aloud inside its message, in <think> tags
 * and their like, becomes REASONING of its own index. All else passes, under indices
 * counted anew. It knows no wire, and of tags only what the tag splitter tells.
 *
 * A message with tagged thinking in it comes out as several items in order: the text before,
 * the thinking, the text behind, each flushed before the next begins; thinking is flushed at
 * its closing tag. Its first part carries the metadata
 *
 *     tag  {"name":"think","id":"think-1"} and, where the tag has attributes,
 *          "attributes":[["key","value"],["key without value"]]
 *
 * Tags inside thinking are part of its text; an end tag that closes nothing is left out.
 */
#ifndef ELELEM_THOUGHT_H
#define ELELEM_THOUGHT_H

#include "event.h"
#include "tags.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct elelem_thought_splitter_desc {
    elelem_allocator allocator;
    const elelem_str *names; /* of the tags; must outlive the splitter; null: think, thinking, reasoning */
    uint32_t name_count;
    uint32_t max_open;       /* items open at one time; 0: 256. ERROR_COUNT */
} elelem_thought_splitter_desc;

typedef struct elelem_thought_splitter {
    els_block els_items;       /* the open items of the stream, each with its place in the output */
    elelem_tag_splitter_desc els_tags;
    elelem_event els_event;    /* the one at work */
    elelem_tag_piece els_piece;
    els_cursor els_text;       /* of the event, as far as it is not split yet */
    elelem_buffer els_json;    /* of the metadata of a tag */
    elelem_metadata_entry els_entry;
    uint64_t els_finished;     /* items that were flushed */
    els_debt els_owed;
    uint32_t els_count;
    uint32_t els_max;
    uint32_t els_at;           /* the item at work */
    uint32_t els_next_index;
    int32_t els_status;        /* an elelem_status: the error that sticks */
    uint8_t els_phase;
} elelem_thought_splitter;

/* Zeroes mean the defaults above; `desc` may be null. */
ELELEM_API void elelem_thought_splitter_init(elelem_thought_splitter *splitter, const elelem_thought_splitter_desc *desc);

/* Takes an event; its slices must stay until next has returned MORE. OK; ERROR_MISUSE: next
   has not returned MORE, which is a debt (see elelem_error) that only the same event pays; or
   a flush of an index that is not open. ERROR_MEMORY and ERROR_COUNT stick, and so does
   ERROR_MISUSE when another event is pushed than the one refused. */
ELELEM_API elelem_status elelem_thought_splitter_push(elelem_thought_splitter *splitter, const elelem_event *event);

/* OK: an event, valid until the next call. MORE: push the next one. Negative: the error that sticks. */
ELELEM_API elelem_status elelem_thought_splitter_next(elelem_thought_splitter *splitter, elelem_event *event);

/* Why push or next returned an error that sticks; status OK while there is none. The offset
   counts the items that were flushed before. */
ELELEM_API elelem_error elelem_thought_splitter_error(const elelem_thought_splitter *splitter);
ELELEM_API void elelem_thought_splitter_reset(elelem_thought_splitter *splitter);
ELELEM_API void elelem_thought_splitter_free(elelem_thought_splitter *splitter);

#ifdef __cplusplus
}
#endif

#endif
