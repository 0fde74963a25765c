/* >> record
 *
 * Events as JSON lines and back, for logs, for resuming and for history. One
 * event is one line; what an application writes between them stays as it is.
 * It knows nothing of providers, and keeps no file and no clock.
 */
#ifndef ELELEM_RECORD_H
#define ELELEM_RECORD_H

#include "event.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The lines. Members stand in this order; what is in brackets is left out where it
 * is 0, empty, unknown or OK.
 *
 *     {"eventType":"PartialResponse","index":1,["choice":1,]"chunk":"Let me"}
 *     {"eventType":"PartialThinking","index":0,"chunk":"..."}
 *     {"eventType":"PartialStructured","index":1,"chunk":"{\"a\""}
 *     {"eventType":"ToolCallStart","index":2[,"id":"call_1"][,"toolName":"get_weather"]}
 *     {"eventType":"ToolCallArguments","index":2,"chunk":"{\"ci"}
 *     {"eventType":"Flush","index":2}
 *     {"eventType":"ChatCompleted","finishReason":"tool_calls"[,"rawFinishReason":"tool_use"]
 *      [,"usage":{["input":12][,"output":34][,"cached":0][,"reasoning":0]}]}
 *     {"eventType":"Error","kind":"rate_limit","retryable":true[,"retryAfterMs":1000]
 *      [,"httpStatus":429][,"code":"..."],"message":"..."[,"status":"ERROR_UTF8"][,"offset":17]}
 *
 * and written by the application or on request:
 *
 *     {"eventType":"BeforeToolExecution"[,"id":"call_1"],"toolName":"get_weather","input":{"city":"Oslo"}}
 *     {"eventType":"ToolExecuted"[,"id":"call_1"],"toolName":"get_weather"[,"input":{...}][,"output":{...}]}
 *
 * Behind these members stand, on any line, "timeMs" where the caller told a time,
 * the caller's own members, and last "metadata":{...} where there is some. Where
 * arguments are no JSON, BeforeToolExecution has "inputText":"..." for "input". */

typedef enum elelem_record_format {
    ELELEM_RECORD_LINES, /* each event as one JSON object and a line feed */
    ELELEM_RECORD_SSE,   /* the same objects as frames of an event stream, with ids counted up (WHATWG HTML, 9.2) */
    ELELEM_RECORD_TEXT   /* nothing but the message text of choice 0, as it is */
} elelem_record_format;

typedef struct elelem_recorder_desc {
    elelem_sink sink;
    elelem_allocator allocator; /* needed for metadata with containers in it and for tool_calls; nothing else takes memory */
    elelem_str extra;           /* members of the caller's for every line, as JSON: "\"taskId\":\"t-1\",\"try\":2";
                                   outlives the recorder. Names of members above are refused */
    uint64_t first;             /* lines written before this recorder came: SSE ids go on behind them */
    uint32_t max_call_bytes;    /* tool_calls: kept of all calls that are open; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_calls;         /* tool_calls: open at one time; 0: 256. ERROR_COUNT */
    uint8_t format;             /* an elelem_record_format */
    uint8_t tool_calls;         /* nonzero: before the Flush of a tool call also its BeforeToolExecution */
} elelem_recorder_desc;

/* What an application did for a tool call. */
typedef struct elelem_tool_executed {
    elelem_str id;          /* the call's, or empty */
    elelem_str name;
    elelem_str input;       /* JSON, or empty: left out */
    elelem_str output;      /* JSON, or any text where output_is_text; empty and no text: left out */
    uint8_t output_is_text; /* nonzero: output becomes a JSON string */
} elelem_tool_executed;

typedef struct elelem_recorder {
    elelem_sink els_sink;
    elelem_fragment_parser els_check;
    elelem_str els_extra;
    int64_t els_time_ms;
    uint64_t els_first;
    uint64_t els_count;
    int32_t els_status; /* an elelem_status: the error that sticks */
    uint8_t els_format;
} elelem_recorder;

/* Zeroes mean the defaults above. Where desc.extra is refused, every push answers why. */
ELELEM_API void elelem_recorder_init(elelem_recorder *recorder, const elelem_recorder_desc *desc);

/* The caller's time for the lines that follow, as "timeMs"; any scale that only goes
   up will do. Negative, as at the start: no time is written. */
ELELEM_API void elelem_recorder_time(elelem_recorder *recorder, int64_t now_ms);

/* Writes the event as one whole line, in one or more pieces. A line never holds a raw
   control byte, whatever the strings and metadata of the event hold; bytes that are
   not UTF-8 become U+FFFD.
   OK. Nothing was written and nothing sticks: ERROR_SYNTAX, ERROR_UTF8,
   ERROR_TRUNCATED, ERROR_DEPTH: JSON text of the event is no JSON value;
   ERROR_MEMORY; ERROR_MISUSE: an event of no known kind. The sink's own error sticks:
   then the last line may be cut. */
ELELEM_API elelem_status elelem_recorder_push(elelem_recorder *recorder, const elelem_event *event);

/* Writes a line of the application's own: one JSON object, which is checked and goes
   out as it stands but for white space between tokens that is not a blank. In the
   format TEXT it is checked and not written. Answers as push does; ERROR_TYPE: JSON,
   but no object. */
ELELEM_API elelem_status elelem_recorder_push_line(elelem_recorder *recorder, elelem_str line);

/* Writes a ToolExecuted line; answers as push does. */
ELELEM_API elelem_status elelem_recorder_push_executed(elelem_recorder *recorder, const elelem_tool_executed *executed);

/* Lines written, with desc.first: the id of the last SSE frame. */
ELELEM_API uint64_t elelem_recorder_count(const elelem_recorder *recorder);

/* Starts over with new output, keeping the memory. */
ELELEM_API void elelem_recorder_reset(elelem_recorder *recorder);

/* Gives the memory back. A zeroed recorder may be freed. */
ELELEM_API void elelem_recorder_free(elelem_recorder *recorder);

#ifdef __cplusplus
}
#endif

#endif
