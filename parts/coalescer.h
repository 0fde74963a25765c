/* >> coalescer
 *
 * Makes records short for storage: adjacent text becomes one event, a tool call one line.
 */
#ifndef ELELEM_COALESCER_H
#define ELELEM_COALESCER_H

#include "fragment.h"
#include "event.h"
#include "writer.h"
#include "metadata.h"
#include "line.h"
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of the events of a record.
 *
 * Adjacent text of one kind, index and choice with the same extra members becomes one
 * event with the first one's time. Its metadata merges as in elelem_metadata_entry; if it
 * cannot (more than 64 keys; an array and something else under one key, whose order
 * counts), another event begins. A tool call becomes one BeforeToolExecution line at its
 * flush; directly after such a line of the same id and name (and index, if it has one) it
 * becomes nothing. A tool call that is never flushed is written before the end as one
 * ToolCallStart and one ToolCallArguments. All these keep the extra members of the line
 * that opened the call, except members with names of these lines. Everything else stays, in
 * order.
 *
 * Flushes are dropped, except those of structured output that was cut off, and of indices over 127. But before
 * an Error, and before the calls that are open then, comes a Flush of each text that was flushed: what has none was
 * not whole; and before a BeforeToolExecution line and a Flush that stays with its metadata, so that a reader has
 * the items in their order; and before another text opens if 8 came in the response or one of an index over 127,
 * so that a reader ends none that continues. Their metadata, which
 * may come with nothing else (a signature, encrypted reasoning), is merged into the text or call
 * that they end. If that was returned already, because other text came between, a Flush with
 * metadata stays; after the line of a tool call, with what that line lacks. So nothing is lost:
 * joining the texts and merging the metadata of each index gives what an event builder makes of
 * the same events. What leaves nothing ends no run of text. Coalescing twice changes nothing. */

/* A coalescer holds at most 6 * max_bytes + 1024 * max_calls + 16384 bytes. */
typedef struct elelem_event_coalescer_desc {
    elelem_allocator allocator;
    uint32_t max_bytes; /* kept at one time (each key of metadata counts 128 bytes more), and of one line; 0: 64 MiB.
                           ERROR_VALUE_SIZE, ERROR_LINE_SIZE */
    uint32_t max_calls; /* tool calls open at one time; 0: 256. ERROR_COUNT, also for over 64 keys of metadata of one */
} elelem_event_coalescer_desc;

/* Private: of so many indices is known if they were flushed. */
#define ELS_COALESCER_TEXTS 128

typedef struct elelem_event_coalescer {
    els_calls els_open;          /* its budget counts everything kept here */
    els_meta els_meta_of_run;    /* or of the flush returned last */
    els_meta els_meta_announced;
    elelem_buffer els_run;       /* the extra members of the run, its type, and after them its text */
    elelem_buffer els_caption;   /* of the run */
    elelem_buffer els_announced; /* id and name of the BeforeToolExecution line just before */
    elelem_buffer els_out;
    els_line_reader els_reader;
    elelem_fragment_parser els_check;
    elelem_record_item els_item; /* pushed and not yet done */
    uint64_t els_taken;          /* events, items and lines pushed so far */
    els_debt els_owed;
    elelem_event els_run_event;
    int64_t els_run_time;
    size_t els_run_extra;        /* bytes of the extra members */
    size_t els_run_type;         /* bytes of the type */
    size_t els_announced_id;     /* bytes of the id */
    int64_t els_announced_index; /* -1 if it has none */
    uint32_t els_flushed;        /* how many of these were flushed */
    uint32_t els_unsaid;         /* how many came whose Flush was not returned */
    int32_t els_status;          /* an elelem_status: the error that sticks */
    uint8_t els_texts[ELS_COALESCER_TEXTS]; /* of an index; 1: open; above: flushed, its choice + 2 */
    uint8_t els_has_high;        /* a text of another index came */
    uint8_t els_pushed;
    uint8_t els_has_run;
    uint8_t els_has_announced;
    uint8_t els_given;           /* what the item returned last was made of */
    uint8_t els_finished;
    uint8_t els_is_broken;       /* the history's: the record ends without an end, as if with an Error */
} elelem_event_coalescer;

ELELEM_API void elelem_event_coalescer_init(elelem_event_coalescer *coalescer, const elelem_event_coalescer_desc *desc);

/* Lends an event, an item of a replayer, or a line (one JSON object) until next returns
   MORE. OK; ERROR_MISUSE: next has not returned MORE since the last push, and the same thing must
   be pushed again (see elelem_error), or finish was called; ERROR_LINE_SIZE, ERROR_MEMORY and the
   errors of elelem_recorder_push_item and elelem_recorder_push_line: these do not stick and change
   nothing. After ERROR_MEMORY, ERROR_VALUE_SIZE or ERROR_COUNT of next, which stick, that error. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_event_coalescer_push(elelem_event_coalescer *coalescer,
                                                                    const elelem_event *event);
ELELEM_API ELELEM_CHECKED elelem_status elelem_event_coalescer_push_item(elelem_event_coalescer *coalescer,
                                                          const elelem_record_item *item);
ELELEM_API ELELEM_CHECKED elelem_status elelem_event_coalescer_push_line(elelem_event_coalescer *coalescer,
                                                                         elelem_str line);

/* OK: an item. MORE: push the next, or finish. END: finish was called and no item is left. */
ELELEM_API elelem_status elelem_event_coalescer_next(elelem_event_coalescer *coalescer, elelem_record_item *item);
ELELEM_API void elelem_event_coalescer_finish(elelem_event_coalescer *coalescer);

/* Returns the error that sticks; status OK if there is none. The offset is the number of events,
   items and lines taken before. */
ELELEM_API elelem_error elelem_event_coalescer_error(const elelem_event_coalescer *coalescer);
ELELEM_API void elelem_event_coalescer_reset(elelem_event_coalescer *coalescer);
ELELEM_API void elelem_event_coalescer_free(elelem_event_coalescer *coalescer);

#ifdef __cplusplus
}
#endif

#endif
