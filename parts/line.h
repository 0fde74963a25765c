/* >> line
 *
 * How events are written as JSON lines, and read. One event is one line; lines that an
 * application writes between them stay as they are.
 */
#ifndef ELELEM_LINE_H
#define ELELEM_LINE_H

#include "fragment.h"
#include "event.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The lines. Members have this order; what is in brackets is left out if it is 0, empty,
 * unknown or OK.
 *
 *     {"eventType":"PartialResponse","index":1,["choice":1,]"chunk":"Let me"}
 *     {"eventType":"PartialThinking","index":0,"chunk":"..."}
 *     {"eventType":"PartialStructured","index":1,"chunk":"{\"a\""}
 *     {"eventType":"ToolCallStart","index":2[,"type":"shell_call"][,"id":"call_1"][,"toolName":"get_weather"]}
 *     {"eventType":"ToolCallArguments","index":2,"chunk":"{\"ci"}
 *     {"eventType":"PartialProviderItem","index":3,"type":"web_search_call"[,"hosted":true][,"caption":"..."]
 *      ,"chunk":"{\"id\":..."}
 *     {"eventType":"Flush","index":2[,"cutOff":true]}
 *     {"eventType":"ResponseMetadata"[,"metadata":{"id":"resp_1","model":"..."}]}
 *     {"eventType":"ChatCompleted","finishReason":"tool_calls"[,"rawFinishReason":"tool_use"]
 *      [,"usage":{["input":12][,"output":34][,"cached":0][,"reasoning":0]
 *      [,"cacheWritten":0]}]}
 *     {"eventType":"Error","kind":"rate_limit","retryable":true[,"retryAfterMs":1000]
 *      [,"httpStatus":429][,"code":"..."],"message":"..."[,"status":"ERROR_UTF8"][,"offset":17]}
 *
 * and these, which the application writes, without index and choice, or the library on request:
 *
 *     {"eventType":"BeforeToolExecution","index":2[,"choice":1][,"type":"shell_call"][,"id":"call_1"]
 *      ,"toolName":"get_weather","input":{"city":"Oslo"}}
 *     {"eventType":"ToolExecuted"[,"id":"call_1"],"toolName":"get_weather"[,"input":{...}][,"output":{...}]}
 *
 * After these members any line may have "timeMs", if the caller set a time, the caller's own
 * members, and last "metadata":{...}, if there is some. If arguments are not JSON or were cut
 * off, BeforeToolExecution has "inputText":"..." instead of "input"; blank ones that were not
 * cut off are {}.
 *
 * As frames of an event stream, without a name, so that a browser's onmessage has them:
 *
 *     id: 7
 *     data: {"eventType":"Flush","index":2}
 *
 * The id of a frame is the number of its line: from a log that is written at the same time, with
 * the same tool_calls, a replayer whose `first` is the Last-Event-ID reads what the client missed.
 * If an id is not in the log, because it is of another one, elelem_replayer_position shows it.
 * The caller sends pings (": \n\n") between frames. */

/* Reading. A line is an event if its eventType is one of the first ten above, every member
 * that belongs to it has the type and range shown, no required one is missing, and there are
 * at most 256 members of metadata; in PartialResponse and PartialThinking a missing index is
 * 0, and choice may always be missing. PartialThinking may have "text" instead of "chunk", as
 * memory-service writes it. Any other object is a line of the application's. */
typedef enum elelem_record_item_kind {
    ELELEM_RECORD_EVENT,
    ELELEM_RECORD_LINE
} elelem_record_item_kind;

/* What a replayer or a coalescer returns. Slices are valid until the next call on that object. */
typedef struct elelem_record_item {
    uint8_t kind;         /* an elelem_record_item_kind */
    elelem_event event;   /* EVENT */
    elelem_str line;      /* the object as it is, from brace to brace; a coalesced event has none */
    elelem_str type;      /* its eventType; empty if it has none */
    elelem_str extra;     /* EVENT: the other members of the line, as JSON, with commas between */
    int64_t time_ms;      /* timeMs; -1 if there is none */
    uint64_t number;      /* of this item, from 1; 0 from a coalescer */
    uint64_t line_number; /* of its line, from 1; 0 from a coalescer */
} elelem_record_item;

/* Private: reads one checked line. */
typedef struct els_line_reader {
    elelem_fragment_parser els_decoder;
    els_block els_text;    /* decoded strings and extra members */
    els_block els_entries; /* metadata */
    size_t els_room;       /* what the text of this line may need */
    size_t els_used;
} els_line_reader;

#ifdef __cplusplus
}
#endif

#endif
