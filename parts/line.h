/* >> line
 *
 * Events as JSON lines: how each is written and read. One event is one line; what an
 * application writes between them stays as it is.
 */
#ifndef ELELEM_LINE_H
#define ELELEM_LINE_H

#include "fragment.h"
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
 *     {"eventType":"Flush","index":2[,"cutOff":true]}
 *     {"eventType":"ChatCompleted","finishReason":"tool_calls"[,"rawFinishReason":"tool_use"]
 *      [,"usage":{["input":12][,"output":34][,"cached":0][,"reasoning":0]}]}
 *     {"eventType":"Error","kind":"rate_limit","retryable":true[,"retryAfterMs":1000]
 *      [,"httpStatus":429][,"code":"..."],"message":"..."[,"status":"ERROR_UTF8"][,"offset":17]}
 *
 * and written by the application or on request, by the application without index and choice:
 *
 *     {"eventType":"BeforeToolExecution","index":2[,"choice":1][,"id":"call_1"],"toolName":"get_weather"
 *      ,"input":{"city":"Oslo"}}
 *     {"eventType":"ToolExecuted"[,"id":"call_1"],"toolName":"get_weather"[,"input":{...}][,"output":{...}]}
 *
 * Behind these members stand, on any line, "timeMs" where the caller told a time,
 * the caller's own members, and last "metadata":{...} where there is some. If
 * arguments are no JSON or were cut off, BeforeToolExecution has "inputText":"..." for
 * "input"; blank ones that were not are {}.
 *
 * As frames of an event stream, without a name, so that a browser's onmessage has them:
 *
 *     id: 7
 *     data: {"eventType":"Flush","index":2}
 *
 * The id of a frame is the number of its line: a log written beside it, with the same
 * tool_calls, tells a replayer whose `first` is the Last-Event-ID what the client missed. An
 * id beyond the log, as of another log, shows in elelem_replayer_position. Pings (": \n\n")
 * between frames are the caller's to send. */

/* Reading. A line is an event if its eventType is one of the first eight above, every member
 * that belongs to it has the type and range shown, no required one is missing, and there are
 * at most 256 members of metadata; in PartialResponse and PartialThinking a missing index is
 * 0, and choice may always be missing. Any other object is a line of the application's. */
typedef enum elelem_record_item_kind {
    ELELEM_RECORD_EVENT,
    ELELEM_RECORD_LINE
} elelem_record_item_kind;

/* Slices are valid until the next call on the object that gave it. */
typedef struct elelem_record_item {
    uint8_t kind;         /* an elelem_record_item_kind */
    elelem_event event;   /* EVENT */
    elelem_str line;      /* the object as it stands, from brace to brace; a coalesced event has none */
    elelem_str type;      /* its eventType; empty where it has none */
    elelem_str extra;     /* EVENT: members that are not ours, as JSON, with commas between */
    int64_t time_ms;      /* timeMs, -1 where there is none */
    uint64_t number;      /* of this item, from 1; 0 from a coalescer */
    uint64_t line_number; /* of its line, from 1; 0 from a coalescer */
} elelem_record_item;

/* Private: reads one checked line. */
typedef struct els_line_reader {
    elelem_fragment_parser els_decoder;
    els_block els_text;    /* decoded strings and extra members */
    els_block els_entries; /* metadata */
    size_t els_room;       /* of text, for this line */
    size_t els_used;
} els_line_reader;

#ifdef __cplusplus
}
#endif

#endif
