/* >> recorder
 *
 * Writes events, as they come, as JSON lines or as an event stream, into a sink of the
 * caller's. It keeps no file and no clock.
 */
#ifndef ELELEM_RECORDER_H
#define ELELEM_RECORDER_H

#include "fragment.h"
#include "event.h"
#include "writer.h"
#include "line.h"
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_record_format {
    ELELEM_RECORD_LINES, /* each event as one JSON object and a line feed */
    ELELEM_RECORD_SSE,   /* the same objects as frames of an event stream, with ids counted up (WHATWG HTML, 9.2) */
    ELELEM_RECORD_TEXT   /* nothing but the message text of choice 0, as it is */
} elelem_record_format;

/* A recorder holds at most 128 bytes, and with tool_calls 3 * max_call_bytes + 1024 * max_calls more. */
typedef struct elelem_recorder_desc {
    elelem_sink sink;
    elelem_allocator allocator; /* takes memory for metadata with containers in it, and for tool_calls */
    elelem_str extra;           /* the caller's own members of every line, as JSON: "\"taskId\":\"t-1\",\"try\":2".
                                   Must stay as long as the recorder. Names of members above are refused */
    uint64_t first;             /* lines written before, by another recorder: SSE ids continue after them */
    uint32_t max_call_bytes;    /* tool_calls: kept of all open calls together; each key of metadata counts 128 bytes
                                   more; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_calls;         /* tool_calls: open at a time; 0: 256. ERROR_COUNT, also for over 64 keys of metadata */
    uint8_t format;             /* an elelem_record_format */
    uint8_t tool_calls;         /* nonzero: before the Flush of a tool call also its BeforeToolExecution */
} elelem_recorder_desc;

/* What an application did for a tool call. */
typedef struct elelem_tool_executed {
    elelem_str id;          /* the call's, or empty */
    elelem_str name;
    elelem_str input;       /* JSON, or empty: left out */
    elelem_str output;      /* JSON, or any text if output_is_text; empty JSON is left out */
    uint8_t output_is_text; /* nonzero: output becomes a JSON string */
} elelem_tool_executed;

typedef struct elelem_recorder {
    elelem_sink els_sink;
    elelem_fragment_parser els_check;
    els_calls els_open;
    elelem_str els_extra;
    int64_t els_time_ms;
    uint64_t els_first;
    uint64_t els_count;
    int32_t els_status; /* an elelem_status: the error that sticks */
    uint8_t els_format;
    uint8_t els_tool_calls;
    uint8_t els_extra_is_checked;
} elelem_recorder;

/* Zeroes mean the defaults above. If desc.extra is refused, every push returns why. */
ELELEM_API void elelem_recorder_init(elelem_recorder *recorder, const elelem_recorder_desc *desc);

/* Sets the time of the lines that follow, "timeMs", on any scale of the caller's that only rises.
   Negative, as at the start: no time is written. */
ELELEM_API void elelem_recorder_time(elelem_recorder *recorder, int64_t now_ms);

/* Writes the event as one whole line, in one or more pieces. A line never holds a raw
   control byte, whatever the strings and metadata of the event hold; bytes that are
   not UTF-8 become U+FFFD.
   OK. Nothing was written, nothing has changed and nothing sticks, so that the same event may
   be pushed again: ERROR_SYNTAX, ERROR_UTF8, ERROR_TRUNCATED: JSON text of the event is no JSON
   value; ERROR_DEPTH: it is nested more than 512 deep; ERROR_COUNT: more than 256 entries of
   metadata; ERROR_MEMORY; ERROR_MISUSE: an event of an unknown kind. With tool_calls ERROR_VALUE_SIZE
   and ERROR_COUNT of the calls stick. The sink's own error sticks: then the last line may be
   cut, and is no JSON object. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_recorder_push(elelem_recorder *recorder, const elelem_event *event);

/* Writes a line of the application's own: one JSON object, nested at most 514 deep, which is
   checked and goes out as it is, without extra members, less the whitespace between tokens that
   is not a blank. In the format TEXT it is checked and not written. Returns as push does;
   ERROR_TYPE: JSON, but no object. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_recorder_push_line(elelem_recorder *recorder, elelem_str line);

/* Writes a ToolExecuted line. Returns as push does. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_recorder_push_executed(elelem_recorder *recorder,
                                                                      const elelem_tool_executed *executed);

/* Writes what a replayer or a coalescer returned: an event with its own time and extra members,
   else its line. The recorder adds its own to neither. Returns as push does; ERROR_MISUSE also if
   an extra member has the name of one of the event's. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_recorder_push_item(elelem_recorder *recorder,
                                                                  const elelem_record_item *item);

/* Returns the number of lines written and of desc.first: the id of the last SSE frame. */
ELELEM_API uint64_t elelem_recorder_count(const elelem_recorder *recorder);

/* Returns the error that sticks; status OK if there is none. The offset is the count of lines. */
ELELEM_API elelem_error elelem_recorder_error(const elelem_recorder *recorder);

/* Starts over with new output, keeping the memory. */
ELELEM_API void elelem_recorder_reset(elelem_recorder *recorder);

/* Gives the memory back. A zeroed recorder may be freed. */
ELELEM_API void elelem_recorder_free(elelem_recorder *recorder);

#ifdef __cplusplus
}
#endif

#endif
