/* >> history
 *
 * Writes and reads the entries of a conversation's history.
 */
#ifndef ELELEM_HISTORY_H
#define ELELEM_HISTORY_H

#include "fragment.h"
#include "event.h"
#include "writer.h"
#include "line.h"
#include "recorder.h"
#include "coalescer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* History entries: {"role":"AI"|"USER"[,"text":"..."][,"events":[...]][,"attachments":[...]]
 * [,"incomplete":"cancelled"|"broken"]} with at least one of text, events and attachments. Every event is an object with an
 * eventType. Attachments are the application's own, for example links to files. */
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
    elelem_str events; /* the JSON array; empty if there is none */
    elelem_str attachments; /* likewise; set it before the entry is written */
} elelem_history_entry;

/* Writes the entry as one JSON object without a line end. Returns what the sink returns;
   ERROR_MISUSE, and nothing is written, if it has neither text nor events nor attachments. The JSON is not
   checked: it comes from the builder or the reader. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_history_entry_write(const elelem_history_entry *entry, elelem_sink sink);

/* Sets `*line` to the next event of an entry, as JSON text for elelem_event_coalescer_push_line or a
   replayer. `*at` is 0 at first and is advanced. Returns zero if there is none left. */
ELELEM_API int elelem_history_entry_event(const elelem_history_entry *entry, size_t *at, elelem_str *line);

/* Puts an entry together from a stream, or from a text. A builder holds at most
   8 * max_bytes + 1024 * max_calls + 16384 bytes. */
typedef struct elelem_history_builder_desc {
    elelem_allocator allocator;
    uint32_t max_bytes;  /* of the entry as it is written, so that a reader with the same limit takes it, and of what
                            the coalescer keeps; 0: 64 MiB. ERROR_VALUE_SIZE */
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
   with one that is no string. The reader refuses these too; they do not stick and change nothing. Else
   returns as the coalescer does. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_history_builder_push(elelem_history_builder *builder,
                                                                    const elelem_event *event);
ELELEM_API ELELEM_CHECKED elelem_status elelem_history_builder_push_item(elelem_history_builder *builder,
                                                          const elelem_record_item *item);
ELELEM_API ELELEM_CHECKED elelem_status elelem_history_builder_push_line(elelem_history_builder *builder,
                                                                         elelem_str line);

/* Adds text that is in no event: a user's, or a whole response that was not streamed. Alone it
   makes a complete entry. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_history_builder_push_text(elelem_history_builder *builder,
                                                                         elelem_str text);

/* Sets the text, whatever was pushed: for example one for searching. It is copied. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_history_builder_set_text(elelem_history_builder *builder,
                                                                        elelem_str text);

/* Sets how the turn ended, if that is known better than from its events: a turn is complete
   with a ChatCompleted, and cancelled or broken with an Error. With neither it is broken if events
   were pushed, because every stream has an end; items and lines alone need none and are complete. */
ELELEM_API void elelem_history_builder_mark(elelem_history_builder *builder, elelem_history_state state);

/* Nothing more will come. */
ELELEM_API void elelem_history_builder_finish(elelem_history_builder *builder);

/* OK: the entry, valid until the builder is reset or freed; asking again changes nothing.
   ERROR_MISUSE: before finish, or if nothing was pushed that the entry can hold; else the error that sticks. */
ELELEM_API elelem_status elelem_history_builder_entry(elelem_history_builder *builder, elelem_history_entry *entry);

/* Returns the error that sticks; status OK if there is none. The offset counts the events, items and
   lines taken before. */
ELELEM_API elelem_error elelem_history_builder_error(const elelem_history_builder *builder);
ELELEM_API void elelem_history_builder_reset(elelem_history_builder *builder);
ELELEM_API void elelem_history_builder_free(elelem_history_builder *builder);

/* Reads and checks an entry. A reader holds at most 2 * max_bytes + 1024 bytes. */
typedef struct elelem_history_reader_desc {
    elelem_allocator allocator; /* keeps the whole entry */
    uint32_t max_bytes;         /* of an entry; 0: 64 MiB. ERROR_VALUE_SIZE */
} elelem_history_reader_desc;

typedef struct elelem_history_reader {
    els_input els_lent;
    elelem_fragment_parser els_check;
    els_line_reader els_reader;
    elelem_buffer els_kept;
    uint64_t els_error_offset;
    int32_t els_status; /* an elelem_status: the error that sticks */
    uint8_t els_state;
} elelem_history_reader;

ELELEM_API void elelem_history_reader_init(elelem_history_reader *reader, const elelem_history_reader_desc *desc);

/* Lends `size` bytes until next returns MORE; returns what elelem_replayer_push does. */
ELELEM_API elelem_status elelem_history_reader_push(elelem_history_reader *reader, const void *bytes, size_t size);

/* OK: the entry, once, after finish. MORE and END as in all objects. Errors, which stick: those of
   the fragment parser; ERROR_TYPE: a member of the entry, or an event, has another type;
   ERROR_PROTOCOL: no role or another one, neither text nor events nor attachments, an event without
   eventType, another word for incomplete; ERROR_VALUE_SIZE; ERROR_MEMORY. The offset is
   that of the value that is wrong, or of the object that lacks one. Other members are
   allowed and ignored; of equal ones the last counts. */
ELELEM_API elelem_status elelem_history_reader_next(elelem_history_reader *reader, elelem_history_entry *entry);
ELELEM_API void elelem_history_reader_finish(elelem_history_reader *reader);
ELELEM_API elelem_error elelem_history_reader_error(const elelem_history_reader *reader);
ELELEM_API void elelem_history_reader_reset(elelem_history_reader *reader);
ELELEM_API void elelem_history_reader_free(elelem_history_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
