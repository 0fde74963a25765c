/* >> item_reader
 *
 * Turns stored lines back into items: those of elelem_item_write, of a recorder or a coalescer,
 * and entries of a history, those of memory-service too. Lines that make no item are returned
 * unchanged, in their place.
 */
#ifndef ELELEM_ITEM_READER_H
#define ELELEM_ITEM_READER_H

#include "builder.h"
#include "replayer.h"
#include "history.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_read_item_kind {
    ELELEM_READ_ITEM,
    ELELEM_READ_LINE
} elelem_read_item_kind;

/* What a reader returns. Slices are valid until the next call on the reader. */
typedef struct elelem_read_item {
    uint8_t kind;     /* an elelem_read_item_kind */
    uint8_t role;     /* an elelem_history_role: that of the entry; AI for items that are in none */
    elelem_item item; /* ITEM: the same as an event builder gave, less what was not written: the text of JSON that is
                         a value. A call from a line without an index has the index 0xffffffff */
    elelem_str line;  /* LINE: any other object: an end, ResponseMetadata, ToolExecuted, the application's own */
    elelem_str type;  /* LINE: its eventType; empty if it has none */
} elelem_read_item;

/* A reader holds at most 4 * max_line_bytes + 9 * max_bytes + 3072 * max_open + 40960 bytes. */
typedef struct elelem_item_reader_desc {
    elelem_allocator allocator;
    uint64_t max_line_bytes;    /* as in the replayer. ERROR_LINE_SIZE */
    uint64_t max_bytes;         /* this and the next as in the event builder. ERROR_VALUE_SIZE */
    uint32_t max_open;          /* ERROR_COUNT */
    uint8_t keep_argument_text; /* as in the event builder */
} elelem_item_reader_desc;

typedef struct elelem_item_reader {
    elelem_replayer els_replayer;
    els_line_reader els_reader;       /* of the members of a line, and of the lines in an entry */
    elelem_event_builder els_builder;
    elelem_record_item els_item;      /* the current line */
    elelem_built els_built;
    elelem_event els_queue[3];        /* what the current line means for the builder */
    elelem_buffer els_given;          /* the calls of the response that were returned */
    elelem_history_entry els_entry;   /* the entry whose events are being read */
    elelem_metadata_entry els_attachments; /* of it */
    elelem_str els_entry_text;        /* its text as a JSON string, if it has events and that was in none so far */
    size_t els_entry_at;
    uint32_t els_before_index;        /* of the call of the BeforeToolExecution line just before */
    uint32_t els_before_choice;
    int32_t els_status;               /* an elelem_status: the error that sticks */
    uint8_t els_phase;
    uint8_t els_queued;
    uint8_t els_taken;
    uint8_t els_state;                /* an elelem_item_state: of the item that the current line is */
    uint8_t els_before;               /* that call is open; 2: and not whole */
    uint8_t els_is_over;              /* the response that els_given is of */
} elelem_item_reader;

/* Zeroes mean the defaults above; `desc` may be null. */
ELELEM_API void elelem_item_reader_init(elelem_item_reader *reader, const elelem_item_reader_desc *desc);

/* Lends `size` bytes until next returns MORE. Returns what elelem_replayer_push does. */
ELELEM_API elelem_status elelem_item_reader_push(elelem_item_reader *reader, const void *bytes, size_t size);

/* OK: an item or a line. MORE: push again, or finish. END: finish was called and nothing is left.
   Errors, which stick until reset: those of the replayer and of the event builder; ERROR_TYPE: an event of an entry is
   no object.
   Items come as they end: at their Flush, when a part of another kind or choice has their index, when a ChatCompleted shows that all is whole, when another
   entry or an item's own line begins. What is open at an Error, at the end of an incomplete entry or of the input is cut off.
   A BeforeToolExecution line is a call, unless the events of that call are there too: those of its index, or if the line
   has none those of its id and name. It comes with the next line, which may be a Flush with more of its metadata, or, if it has no
   index, the line of the same call that has one: then this is the call. It may have "arguments" instead of
   "input": their value, or as a string their JSON text. Attachments of an entry are metadata of a message, under that key:
   of its text, or of one without text before its events. The text of an entry counts, after its events, if none of these has
   text of the message. */
ELELEM_API elelem_status elelem_item_reader_next(elelem_item_reader *reader, elelem_read_item *item);

/* No more bytes will come: the last line needs no line feed. */
ELELEM_API void elelem_item_reader_finish(elelem_item_reader *reader);

/* Returns the error that sticks; status OK if there is none. The offset is that of the replayer, or of the end of
   the line whose item met a limit. */
ELELEM_API elelem_error elelem_item_reader_error(const elelem_item_reader *reader);
ELELEM_API void elelem_item_reader_reset(elelem_item_reader *reader);
ELELEM_API void elelem_item_reader_free(elelem_item_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
