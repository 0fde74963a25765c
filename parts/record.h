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
 * and written by the application or on request, by the application without index and choice:
 *
 *     {"eventType":"BeforeToolExecution","index":2[,"choice":1][,"id":"call_1"],"toolName":"get_weather"
 *      ,"input":{"city":"Oslo"}}
 *     {"eventType":"ToolExecuted"[,"id":"call_1"],"toolName":"get_weather"[,"input":{...}][,"output":{...}]}
 *
 * Behind these members stand, on any line, "timeMs" where the caller told a time,
 * the caller's own members, and last "metadata":{...} where there is some. Where
 * arguments are no JSON, BeforeToolExecution has "inputText":"..." for "input"; blank
 * ones are {}.
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

typedef enum elelem_record_format {
    ELELEM_RECORD_LINES, /* each event as one JSON object and a line feed */
    ELELEM_RECORD_SSE,   /* the same objects as frames of an event stream, with ids counted up (WHATWG HTML, 9.2) */
    ELELEM_RECORD_TEXT   /* nothing but the message text of choice 0, as it is */
} elelem_record_format;

typedef struct elelem_recorder_desc {
    elelem_sink sink;
    elelem_allocator allocator; /* takes memory for metadata with containers in it, and for tool_calls */
    elelem_str extra;           /* members of the caller's for every line, as JSON: "\"taskId\":\"t-1\",\"try\":2";
                                   outlives the recorder. Names of members above are refused */
    uint64_t first;             /* lines written before this recorder came: SSE ids go on behind them */
    uint32_t max_call_bytes;    /* tool_calls: kept of all calls that are open; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_calls;         /* tool_calls: open at a time; 0: 256. ERROR_COUNT, also for over 64 keys of metadata */
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

struct elelem_record_item;

/* Private: tool calls that are open, with their arguments, and how much more may be kept. */
typedef struct els_calls {
    els_block els_slots;
    els_block els_entries; /* metadata of the call or run given out */
    size_t els_count;
    size_t els_max;
    size_t els_left; /* bytes */
    size_t els_max_bytes;
} els_calls;

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
   ERROR_MEMORY; ERROR_MISUSE: an event of no known kind; with tool_calls also
   ERROR_VALUE_SIZE and ERROR_COUNT, which stick. The sink's own error sticks: then
   the last line may be cut. */
ELELEM_API elelem_status elelem_recorder_push(elelem_recorder *recorder, const elelem_event *event);

/* Writes a line of the application's own: one JSON object, which is checked and goes
   out as it stands, without extra members, less the white space between tokens that
   is not a blank. In the format TEXT it is checked and not written. Answers as push
   does; ERROR_TYPE: JSON, but no object. */
ELELEM_API elelem_status elelem_recorder_push_line(elelem_recorder *recorder, elelem_str line);

/* Writes a ToolExecuted line; answers as push does. */
ELELEM_API elelem_status elelem_recorder_push_executed(elelem_recorder *recorder, const elelem_tool_executed *executed);

/* Writes what a replayer or a coalescer gave: an event with the time and the extra
   members it has itself, else its line. The recorder's own are added to neither. */
ELELEM_API elelem_status elelem_recorder_push_item(elelem_recorder *recorder, const struct elelem_record_item *item);

/* Lines written, with desc.first: the id of the last SSE frame. */
ELELEM_API uint64_t elelem_recorder_count(const elelem_recorder *recorder);

/* Starts over with new output, keeping the memory. */
ELELEM_API void elelem_recorder_reset(elelem_recorder *recorder);

/* Gives the memory back. A zeroed recorder may be freed. */
ELELEM_API void elelem_recorder_free(elelem_recorder *recorder);

/* The way back. A line is an event where its eventType is one of the first eight above,
 * every member that belongs to it has the type and range shown, and no required one is
 * missing; in PartialResponse and PartialThinking a missing index is 0, and choice may
 * always be missing. Any other object is a line of somebody else's. */
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

/* How far a replayer has come: what was given out or passed over. */
typedef struct elelem_replay_position {
    uint64_t items;
    uint64_t lines;
    uint64_t offset; /* bytes, to behind the last of these lines */
} elelem_replay_position;

typedef struct elelem_replayer_desc {
    elelem_allocator allocator;    /* for lines cut by the end of a push, escapes, metadata and extra members */
    elelem_replay_position start;  /* where the first byte pushed stands, for those who seek in a file */
    uint64_t first;                /* items up to this number are checked and passed over; TEXT: bytes */
    uint64_t max_line_bytes;       /* of one object; 0: 16 MiB. ERROR_LINE_SIZE */
    uint8_t format;                /* LINES or TEXT; an SSE decoder gives lines to those who receive SSE */
    uint8_t lines;                 /* nonzero: everything comes as LINE */
} elelem_replayer_desc;

/* Private: reads one checked line. */
typedef struct els_line_reader {
    elelem_fragment_parser els_decoder;
    els_block els_text;    /* decoded strings and extra members */
    els_block els_entries; /* metadata */
    size_t els_room;       /* of text, for this line */
    size_t els_used;
} els_line_reader;

typedef struct elelem_replayer {
    els_cursor els_input;
    elelem_fragment_parser els_check;
    els_line_reader els_reader;
    elelem_buffer els_kept;     /* the object so far, where it was cut */
    elelem_str els_raw;         /* the object, where it lies in the bytes that are lent */
    elelem_replay_position els_start;
    elelem_replay_position els_at;
    uint64_t els_end_offset;    /* absolute, of els_input.end */
    uint64_t els_first;
    uint64_t els_max_line;
    uint64_t els_object;        /* offset of the object's brace */
    uint64_t els_error_offset;
    int32_t els_status;         /* an elelem_status: the error that sticks */
    uint8_t els_state;
    uint8_t els_finished;
    uint8_t els_format;
    uint8_t els_lines;
    uint8_t els_carry_size;
    unsigned char els_carry[4];
} elelem_replayer;

/* Zeroes mean the defaults above; `desc` may be null. */
ELELEM_API void elelem_replayer_init(elelem_replayer *replayer, const elelem_replayer_desc *desc);

/* Lends `size` bytes until next answers MORE. OK; ERROR_MISUSE: bytes are pending, or
   finish was called. After an error it does nothing and answers that error. */
ELELEM_API elelem_status elelem_replayer_push(elelem_replayer *replayer, const void *bytes, size_t size);

/* OK: an item, as soon as its line ends. MORE: push again, or finish. END: after
   finish, all is out. Lines end with LF or CRLF; empty ones and white space around an
   object do not count. Errors, which stick until reset: those of the fragment parser,
   as strict; ERROR_SYNTAX also at the first byte of what is no object, and at a line
   end inside one; ERROR_TRUNCATED: finish inside one; ERROR_LINE_SIZE; ERROR_MEMORY.
   In the format TEXT the items are message parts of index 0 holding whole characters. */
ELELEM_API elelem_status elelem_replayer_next(elelem_replayer *replayer, elelem_record_item *item);

/* No more bytes will come: the last line needs no line feed. */
ELELEM_API void elelem_replayer_finish(elelem_replayer *replayer);

/* How far it has come: what stands before `offset` is whole, also where a recording was
   cut off or went bad behind it. */
ELELEM_API elelem_replay_position elelem_replayer_position(const elelem_replayer *replayer);

/* The number of the line being read, from 1: where an error happened. */
ELELEM_API uint64_t elelem_replayer_line_number(const elelem_replayer *replayer);

ELELEM_API elelem_error elelem_replayer_error(const elelem_replayer *replayer);
ELELEM_API void elelem_replayer_reset(elelem_replayer *replayer); /* keeps the memory; back to desc.start */
ELELEM_API void elelem_replayer_free(elelem_replayer *replayer);

/* Coalescing, for storage.
 *
 * Adjacent text of one kind, index and choice with the same extra members becomes one
 * event with the first one's time; metadata merges as in elelem_metadata_entry, and where
 * it cannot (more than 64 keys; an array and something else under one key, whose order
 * counts) another event begins. A tool call becomes one BeforeToolExecution line at its
 * flush; right behind such a line of the same id and name (and index, where it tells one)
 * it becomes nothing. A tool call that is never flushed comes out before the end as one
 * ToolCallStart and one ToolCallArguments. All these keep the extra members of the line
 * that opened the call, less those with names of ours. Everything else stays, in order.
 *
 * Flushes go, and their metadata, which may come with nothing else (a signature, encrypted
 * reasoning), is merged into the text or call they end. Where that was given out already,
 * because other text came between, a Flush with metadata stays; behind the line of a tool
 * call, with what that line lacks. So nothing is lost: whoever joins texts and merges
 * metadata index by index has what an event builder makes of the same events. What leaves
 * nothing behind ends no run of text. Coalescing twice changes nothing. */
typedef struct elelem_event_coalescer_desc {
    elelem_allocator allocator;
    uint32_t max_bytes; /* kept at one time; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_calls; /* tool calls open at one time; 0: 256. ERROR_COUNT, also for over 64 keys of metadata of one */
} elelem_event_coalescer_desc;

/* Private: metadata being merged. */
typedef struct els_meta {
    els_block els_slots;
    size_t els_count;
} els_meta;

typedef struct elelem_event_coalescer {
    els_calls els_open;          /* its els_left counts everything kept here */
    els_meta els_meta_of_run;    /* or of the flush given out last */
    els_meta els_meta_announced;
    elelem_buffer els_run;       /* extra members of the run, and behind them its text */
    elelem_buffer els_announced; /* id and name of the BeforeToolExecution line just before */
    elelem_buffer els_out;
    els_line_reader els_reader;
    elelem_fragment_parser els_check;
    elelem_record_item els_item; /* pushed and not yet dealt with */
    elelem_event els_run_event;
    int64_t els_run_time;
    size_t els_run_extra;        /* bytes of the extra members */
    size_t els_announced_id;     /* bytes of the id */
    int64_t els_announced_index; /* -1 where it tells none */
    int32_t els_status;          /* an elelem_status: the error that sticks */
    uint8_t els_pushed;
    uint8_t els_has_run;
    uint8_t els_has_announced;
    uint8_t els_given;           /* what the last item was made of */
    uint8_t els_finished;
} elelem_event_coalescer;

ELELEM_API void elelem_event_coalescer_init(elelem_event_coalescer *coalescer, const elelem_event_coalescer_desc *desc);

/* Lends an event, an item of a replayer, or a line (one JSON object) until next answers
   MORE. OK; ERROR_MISUSE: one is pending, or finish was called; the errors of
   elelem_recorder_push_line for a line that is none, which do not stick and change
   nothing; after ERROR_MEMORY, ERROR_VALUE_SIZE and ERROR_COUNT, which stick, that. */
ELELEM_API elelem_status elelem_event_coalescer_push(elelem_event_coalescer *coalescer, const elelem_event *event);
ELELEM_API elelem_status elelem_event_coalescer_push_item(elelem_event_coalescer *coalescer,
                                                          const elelem_record_item *item);
ELELEM_API elelem_status elelem_event_coalescer_push_line(elelem_event_coalescer *coalescer, elelem_str line);

/* OK: an item. MORE: push the next, or finish. END: after finish, all is out. */
ELELEM_API elelem_status elelem_event_coalescer_next(elelem_event_coalescer *coalescer, elelem_record_item *item);
ELELEM_API void elelem_event_coalescer_finish(elelem_event_coalescer *coalescer);
ELELEM_API elelem_error elelem_event_coalescer_error(const elelem_event_coalescer *coalescer); /* offset 0 */
ELELEM_API void elelem_event_coalescer_reset(elelem_event_coalescer *coalescer);
ELELEM_API void elelem_event_coalescer_free(elelem_event_coalescer *coalescer);

/* History entries: {"role":"AI"|"USER"[,"text":"..."][,"events":[...]][,"incomplete":"cancelled"|"broken"]}
 * with text or events or both. Every event is an object with an eventType. */
typedef enum elelem_history_role {
    ELELEM_HISTORY_AI,
    ELELEM_HISTORY_USER
} elelem_history_role;

typedef enum elelem_history_state {
    ELELEM_HISTORY_COMPLETE,
    ELELEM_HISTORY_CANCELLED, /* by the caller, before its end */
    ELELEM_HISTORY_BROKEN     /* it ended with another error, or its stream was left before its end */
} elelem_history_state;

typedef struct elelem_history_entry {
    uint8_t role;      /* an elelem_history_role */
    uint8_t state;     /* an elelem_history_state */
    uint8_t has_text;  /* nonzero: there is a text, maybe an empty one */
    elelem_str text;
    elelem_str events; /* the JSON array; empty where there is none */
} elelem_history_entry;

/* Writes the entry as one JSON object without a line end. What the sink answers;
   ERROR_MISUSE, and nothing is written: neither text nor events. The events are not
   checked: they come from the builder or the reader. */
ELELEM_API elelem_status elelem_history_entry_write(const elelem_history_entry *entry, elelem_sink sink);

/* The next event of an entry as JSON text, for elelem_event_coalescer_push_line or a
   replayer. `*at` starts at 0 and is this function's own. Zero: there was none left. */
ELELEM_API int elelem_history_entry_event(const elelem_history_entry *entry, size_t *at, elelem_str *line);

/* Puts an entry together from a stream, or from a text. */
typedef struct elelem_history_builder_desc {
    elelem_allocator allocator;
    uint32_t max_bytes;  /* each of the text, the events, and what the coalescer keeps; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_calls;  /* as in the coalescer */
    uint8_t role;        /* an elelem_history_role */
    uint8_t text_only;   /* nonzero: keep no events */
    uint8_t events_only; /* nonzero: keep no text */
} elelem_history_builder_desc;

typedef struct elelem_history_builder {
    elelem_event_coalescer els_coalescer;
    elelem_recorder els_recorder;
    elelem_buffer els_text;
    elelem_buffer els_events;
    int32_t els_status; /* an elelem_status: the error that sticks */
    uint8_t els_role;
    uint8_t els_keep;
    uint8_t els_state;
    uint8_t els_has_text;
    uint8_t els_text_set; /* by the caller: no other text counts */
    uint8_t els_marked;   /* the state is decided */
    uint8_t els_finished;
} elelem_history_builder;

ELELEM_API void elelem_history_builder_init(elelem_history_builder *builder, const elelem_history_builder_desc *desc);

/* Takes an event of a stream, an item, or a line of the application's. The text is the message text
   of choice 0. OK; ERROR_MISUSE after finish; ERROR_PROTOCOL: a line without an eventType, and ERROR_TYPE:
   with one that is no string, for the reader refuses these: they do not stick and change nothing; else as
   the coalescer answers. */
ELELEM_API elelem_status elelem_history_builder_push(elelem_history_builder *builder, const elelem_event *event);
ELELEM_API elelem_status elelem_history_builder_push_item(elelem_history_builder *builder,
                                                          const elelem_record_item *item);
ELELEM_API elelem_status elelem_history_builder_push_line(elelem_history_builder *builder, elelem_str line);

/* Adds text that comes from nowhere else: a user's, or a whole answer that was never
   streamed. Alone it makes a complete entry. */
ELELEM_API elelem_status elelem_history_builder_push_text(elelem_history_builder *builder, elelem_str text);

/* Sets the text, whatever was pushed: one made for searching, say. It must outlive nothing. */
ELELEM_API elelem_status elelem_history_builder_set_text(elelem_history_builder *builder, elelem_str text);

/* Sets how the turn ended, if that is known better than from its events: a turn is complete
   with a ChatCompleted, and cancelled or broken with an Error. With neither it is broken if events
   were pushed, because every stream has an end; items and lines alone need none and are complete. */
ELELEM_API void elelem_history_builder_mark(elelem_history_builder *builder, elelem_history_state state);

/* Nothing more will come. OK: `entry` is valid until the builder is reset or freed.
   ERROR_MISUSE: nothing was pushed at all; else the error that sticks. */
ELELEM_API elelem_status elelem_history_builder_finish(elelem_history_builder *builder, elelem_history_entry *entry);
ELELEM_API void elelem_history_builder_reset(elelem_history_builder *builder);
ELELEM_API void elelem_history_builder_free(elelem_history_builder *builder);

/* Reads and checks an entry. */
typedef struct elelem_history_reader_desc {
    elelem_allocator allocator; /* keeps the whole entry */
    uint32_t max_bytes;         /* of an entry; 0: 64 MiB. ERROR_VALUE_SIZE */
} elelem_history_reader_desc;

typedef struct elelem_history_reader {
    els_cursor els_input;
    elelem_fragment_parser els_check;
    els_line_reader els_reader;
    elelem_buffer els_kept;
    uint64_t els_error_offset;
    int32_t els_status; /* an elelem_status: the error that sticks */
    uint8_t els_state;
    uint8_t els_finished;
} elelem_history_reader;

ELELEM_API void elelem_history_reader_init(elelem_history_reader *reader, const elelem_history_reader_desc *desc);
ELELEM_API elelem_status elelem_history_reader_push(elelem_history_reader *reader, const void *bytes, size_t size);

/* OK: the entry, once, after finish. MORE, END as ever. Errors, which stick: those of
   the fragment parser; ERROR_TYPE: a member of the entry, or an event, has another type;
   ERROR_PROTOCOL: no role or another one, neither text nor events, an event without
   eventType, another word for incomplete; ERROR_VALUE_SIZE; ERROR_MEMORY. The offset is
   that of the value that is wrong, or of the object that lacks one. Other members are
   allowed and passed over; of equal ones the last counts. */
ELELEM_API elelem_status elelem_history_reader_next(elelem_history_reader *reader, elelem_history_entry *entry);
ELELEM_API void elelem_history_reader_finish(elelem_history_reader *reader);
ELELEM_API elelem_error elelem_history_reader_error(const elelem_history_reader *reader);
ELELEM_API void elelem_history_reader_reset(elelem_history_reader *reader);
ELELEM_API void elelem_history_reader_free(elelem_history_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
