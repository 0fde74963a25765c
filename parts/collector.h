/* >> collector
 *
 * Collects what a turn gives into one response, for callers who want it whole, at its end: the
 * text, the reasoning, the tool calls, all items, and how it ended.
 */
#ifndef ELELEM_COLLECTOR_H
#define ELELEM_COLLECTOR_H

#include "turn.h"
#include "json.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One choice of a response. What arrived before an error is there too. */
typedef struct elelem_response {
    uint8_t is_error;        /* nonzero: it ended in `error`, else for `reason` */
    uint8_t reason;          /* an elelem_finish_reason: that of this choice */
    elelem_str raw_reason;   /* the provider's own word; empty for choices other than 0 */
    elelem_usage usage;      /* of all choices; the provider's own JSON for it is metadata */
    elelem_failure error;
    elelem_str text;         /* of all messages, joined, or the JSON text of structured output */
    elelem_str reasoning;    /* likewise */
    elelem_value tool_calls; /* an array of them: "id", "name", "arguments" and so on, as elelem_item_write writes items. One
                                without "arguments" is not whole: do not run it */
    elelem_value items;      /* an array of all items in the order in which they ended, with metadata; the calls too */
    elelem_value metadata;   /* an object: of the response and of its end. If a key came twice, lookups find the later */
} elelem_response;

/* A collector holds at most 6 * max_bytes + 65536 bytes. */
typedef struct elelem_collector_desc {
    elelem_allocator allocator;
    uint32_t max_bytes; /* of the texts, and of the JSON of items and metadata, tool calls twice, together; and of each of
                           the three values; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t choice;    /* which of the choices asked for, from 0 */
} elelem_collector_desc;

typedef struct elelem_collector {
    elelem_buffer els_texts[6];  /* by els_collected */
    elelem_json els_values[3];   /* of the JSON among them */
    elelem_response els_response; /* its slices and values are set when it is returned */
    elelem_allocator els_allocator;
    size_t els_used;             /* of els_max */
    size_t els_max;
    size_t els_raw_size;         /* of the texts of the end */
    size_t els_code_size;
    uint32_t els_choice;
    int32_t els_status;          /* an elelem_status: the error that sticks */
    uint8_t els_is_over;
} elelem_collector;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory yet. A collector must not be moved after the end was
   pushed. */
ELELEM_API void elelem_collector_init(elelem_collector *collector, const elelem_collector_desc *desc);

/* Takes an update of a turn, which must keep the kinds of items that are wanted; what it needs is copied. Those that are
   no item, metadata or end are ignored. OK. ERROR_MISUSE: the end was pushed already; it changes nothing and does not stick.
   ERROR_VALUE_SIZE and ERROR_MEMORY stick: there is no response then. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_collector_push(elelem_collector *collector, const elelem_turn_update *update);

/* OK: the response, valid until the collector is reset or freed. MORE: the end was not pushed yet. Else the error that
   sticks. */
ELELEM_API elelem_status elelem_collector_response(const elelem_collector *collector, elelem_response *response);

/* Returns the error that sticks; status OK if there is none. The offset is the number of bytes kept before. */
ELELEM_API elelem_error elelem_collector_error(const elelem_collector *collector);

/* Starts another response, and keeps the memory of the texts. */
ELELEM_API void elelem_collector_reset(elelem_collector *collector);

/* Frees the memory. A zeroed collector may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_collector_free(elelem_collector *collector);

#ifdef __cplusplus
}
#endif

#endif
