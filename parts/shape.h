/* >> shape
 *
 * For authors of shapes: the seam between the one driver and a wire shape. A shape names
 * the paths it wants from a frame; the driver parses the frame, keeps those values as a
 * document, calls the shape once, and hands out the events that the shape emitted. It knows
 * no provider's frames. Shapes are written with this and the rooms before it alone, those of
 * the library too. It is here, not at the end, because a stream contains an elelem_shape_context.
 */
#ifndef ELELEM_SHAPE_H
#define ELELEM_SHAPE_H

#include "event.h"
#include "failure.h"
#include "passage.h"
#include "value.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct elelem_shape_context elelem_shape_context;
struct elelem_recovery_path; /* see recovery */

/* What the shape is asked to work on. */
typedef enum elelem_shape_frame {
    ELELEM_SHAPE_DATA, /* a frame's document */
    ELELEM_SHAPE_DONE, /* a frame with the text [DONE] */
    ELELEM_SHAPE_WHOLE /* the document of a body that is one object: a whole response, if the shape takes them */
} elelem_shape_frame;

/* Provider items: values that pass as they are while their frame still arrives. */
typedef struct elelem_shape_items {
    const elelem_pattern_node *paths; /* the same rows as those of the shape; they want the values of the rules WHOLE */
    const elelem_passage_rule *rules;
    size_t rule_count;
    /* When the type of such a value, an object, is known, or when a string is to pass, returns the item that it becomes, or that its
       text continues, whose JSON is inside a string then. The pieces are emitted, of a string what is between its quotes. In the document
       that `frame` gets then the value is not complete; the shape flushes the item. Or returns ELELEM_NO_INDEX to ignore it: it is not
       complete then either; or ELELEM_SHAPE_STORED: it does not pass, and is stored. The type of a string is the key of the object
       that it is in; see elelem_shape_pass_as. */
    uint32_t (*passes)(elelem_shape_context *context, elelem_value value, elelem_str type);
} elelem_shape_items;

/* What came of the elements of a list that were to be worked off. */
typedef enum elelem_shape_worked {
    ELELEM_SHAPE_NOT_WORKED,     /* nothing: what comes after the list must be known first. The rest of the document is stored */
    ELELEM_SHAPE_WORKED,         /* their events were emitted, and they are removed */
    ELELEM_SHAPE_WORKED_OBJECT   /* so were those of the members before the list in its object: they are removed, too */
} elelem_shape_worked;

/* Lists of a whole response, which are worked off while it still arrives. */
typedef struct elelem_shape_lists {
    const uint16_t *rows; /* of their elements, of which only objects count, with 0 after the last */
    /* Another element begins after those that are in the list now, which take more than 2048 bytes. Emits the events of these, and
       of what came before them. What else comes later: the document that `frame` gets at last has only the elements after
       them. A value of an element is not to be kept. Their numbers stay the same: see elelem_value_index. */
    elelem_shape_worked (*work)(elelem_shape_context *context, unsigned row, elelem_value list);
} elelem_shape_lists;

/* One wire shape, as constant data. */
typedef struct elelem_shape {
    const char *name;
    const elelem_pattern_node *paths; /* what a frame's document holds; see ELELEM_SHAPE_PATHS. With a row for `error`,
                                         or elelem_shape_document_error finds none. Found sooner if the rows with one
                                         parent are adjacent */
    size_t path_count;
    /* Works on one frame, and emits any number of events. OK, also if it ended the stream; ERROR_PROTOCOL: the frame
       is not what the shape sends, and the stream ends after the events emitted before. Its work is linear in the
       frame: what is the same for all elements of a list is looked up once a frame. */
    elelem_status (*frame)(elelem_shape_context *context);
    uint32_t item_bytes;       /* memory of the shape's own for each open item, zeroed when it is opened */
    uint32_t choice_bytes;     /* for each choice, zeroed before its first part or reason */
    uint32_t stream_bytes;     /* for the stream, zeroed when that begins */
    uint8_t reason_may_change; /* a finish reason counts only when the body has ended */
    uint8_t array_body;        /* a body that is one JSON array holds frames as its elements */
    const struct elelem_recovery_path *recovery; /* places of a request that a provider may find stale; may be null; 16 at most are read */
    size_t recovery_count;
    const elelem_shape_items *items; /* how it has provider items; null: it has none */
    uint8_t takes_whole;       /* a body that is one JSON object may be a whole response, and comes as one frame; after it the
                                  stream finishes */
    uint16_t whole_row;        /* the row whose value such an object is: 0, or that of the member of a frame that holds one */
    const elelem_pattern_node *whole_paths; /* the same rows for such an object, if keys differ; null: they do not */
    const elelem_pattern_node *whole_item_paths; /* likewise, as in `items` */
    const elelem_shape_lists *lists; /* those of such an object, and of an element of a body that is an array; null: it is
                                        worked on when it is whole */
} elelem_shape;

/* The rows of a table of paths, with a name each. A list of them is a macro of three parameters, and each of its rows
   names its parent, a row before it or ROOT:

       #define MY_PATHS(P, MEMBER, ELEMENTS)       \
           MEMBER(P, CHOICES, ROOT, "choices", BEGIN) \
           ELEMENTS(P, CHOICE, CHOICES, NOTHING)      \
           MEMBER(P, TEXT, CHOICE, "text", WHOLE)

   ELELEM_SHAPE_PATHS(MY_PATHS, my_, my_paths) defines the table my_paths and an enum of its rows: my_ROOT, which
   nothing is wanted of, my_CHOICES, my_CHOICE, my_TEXT, and their number, my_ROWS. */
#define ELELEM_SHAPE_PATHS(list, prefix, table)                                                                         \
    enum { prefix##ROOT, list(prefix, ELELEM_SHAPE_MEMBER_NAME, ELELEM_SHAPE_ELEMENTS_NAME) prefix##ROWS };             \
    typedef char prefix##ROWS_fit[prefix##ROWS <= ELELEM_SHAPE_MAX_ROWS ? 1 : -1];                                      \
    static const elelem_pattern_node table[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),                              \
                                                 list(prefix, ELELEM_SHAPE_MEMBER_ROW, ELELEM_SHAPE_ELEMENTS_ROW) }
/* The same with a fourth parameter, for rows of all members that no row before it names: REST(P, OTHERS, CHOICE, WHOLE). Of
   the rows with one parent only the first that matches counts. */
#define ELELEM_SHAPE_PATHS_WITH_REST(list, prefix, table)                                                               \
    enum { prefix##ROOT,                                                                                                \
           list(prefix, ELELEM_SHAPE_MEMBER_NAME, ELELEM_SHAPE_ELEMENTS_NAME, ELELEM_SHAPE_ELEMENTS_NAME) prefix##ROWS }; \
    typedef char prefix##ROWS_fit[prefix##ROWS <= ELELEM_SHAPE_MAX_ROWS ? 1 : -1];                                      \
    ELELEM_SHAPE_MORE_PATHS_WITH_REST(list, prefix, table)
#define ELELEM_SHAPE_MORE_PATHS_WITH_REST(list, prefix, table)                                                          \
    static const elelem_pattern_node table[] = {                                                                        \
        ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),                                                                       \
        list(prefix, ELELEM_SHAPE_MEMBER_ROW, ELELEM_SHAPE_ELEMENTS_ROW, ELELEM_SHAPE_REST_ROW) }
/* Another table of the same rows, for elelem_shape_items, from a list that wants other things of them. */
#define ELELEM_SHAPE_MORE_PATHS(list, prefix, table)                                                                    \
    static const elelem_pattern_node table[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),                              \
                                                 list(prefix, ELELEM_SHAPE_MEMBER_ROW, ELELEM_SHAPE_ELEMENTS_ROW) }
#define ELELEM_SHAPE_MEMBER_NAME(prefix, name, parent, key, want) prefix##name,
#define ELELEM_SHAPE_ELEMENTS_NAME(prefix, name, parent, want) prefix##name,
#define ELELEM_SHAPE_MEMBER_ROW(prefix, name, parent, key, want) \
    ELELEM_PATTERN_MEMBER(prefix##parent, key, ELELEM_WANT_##want),
#define ELELEM_SHAPE_ELEMENTS_ROW(prefix, name, parent, want) ELELEM_PATTERN_ELEMENTS(prefix##parent, ELELEM_WANT_##want),
#define ELELEM_SHAPE_REST_ROW(prefix, name, parent, want) ELELEM_PATTERN_MEMBERS(prefix##parent, ELELEM_WANT_##want),

/* Rows that a table may have. */
#define ELELEM_SHAPE_MAX_ROWS 112

/* What a part index identifies while it is open. */
typedef struct elelem_shape_item {
    uint32_t index;   /* of its events */
    uint32_t choice;
    uint32_t key;     /* the wire's own number for it; may be changed */
    uint8_t kind;     /* an elelem_part_kind; may be changed until a part was emitted */
    uint8_t hosted;   /* of a provider item: the provider ran it; the shape sets it */
    uint8_t had_part; /* a part was emitted */
    uint8_t has_id;   /* of a call: its id was emitted */
    uint8_t waits;    /* it was closed on the wire and not flushed yet */
    uint8_t els_marks;  /* bits of els_item_mark */
    uint16_t els_high;  /* the high surrogate that its text ended with so far, which waits for a low one; 0 for none */
    uint32_t els_kept; /* the offset of what is kept, + 1; 0 for none */
    uint32_t els_kept_size;
    uint32_t els_kept_room;
    uint64_t els_id_hash;
} elelem_shape_item;

#define ELELEM_NO_INDEX 0xffffffff
#define ELELEM_SHAPE_STORED 0xfffffffe /* see elelem_shape_items */

/* The longest raw finish reason that is kept. */
#define ELELEM_SHAPE_RAW_REASON 64

/* Private. */

/* A text that waits to be taken. What is JSON text of a value is written then, so that memory is needed for one
   event of a frame at a time. */
typedef struct els_out_text {
    elelem_str text;
    size_t offset; /* WRITTEN: in the scratch buffer, which moves while the frame is worked on */
    uint32_t node; /* VALUE: of the document */
    uint8_t form;  /* an els_out_form */
} els_out_text;

/* An event that waits to be taken. */
typedef struct els_out {
    els_out_text text;       /* or the id of a call */
    elelem_str name;         /* of a call, or the type of a provider item; of a copied type, the size is its offset in the scratch buffer */
    uint32_t index;
    uint32_t choice;
    uint32_t metadata_count; /* entries, after those of the event before it */
    uint8_t kind;            /* an elelem_event_kind */
    uint8_t part_kind;
    uint8_t tool_call_kind;
    uint8_t cut_off;
    uint8_t hosted;
    uint8_t copied;          /* bytes of a type that was copied into the scratch buffer; 0 for any other name */
} els_out;

typedef struct els_out_metadata {
    elelem_str key;
    els_out_text json;
} els_out_metadata;

/* The room for events and metadata that needs no memory of its own: enough for nearly every frame. */
#define ELS_FEW_EVENTS 4
#define ELS_FEW_METADATA 4

/* What the driver and the shape share while a stream lasts. */
struct elelem_shape_context {
    const elelem_shape *els_shape;
    elelem_value els_document;
    uint32_t els_fields[ELELEM_SHAPE_MAX_ROWS]; /* nodes of the document, 0 for no value */
    elelem_str els_event_name;
    const char *els_passing_type; /* see elelem_shape_pass_as; null: that of the passage */
    elelem_event els_end;      /* FINISHED or ERROR as it will be given out */
    els_http els_answer;
    els_out els_few_events[ELS_FEW_EVENTS]; /* the events of the frame that are not taken yet */
    els_block els_queue;                    /* and those after them */
    els_out_metadata els_few_metadata[ELS_FEW_METADATA];
    els_block els_metadata;
    elelem_metadata_entry els_few_entries[ELS_FEW_METADATA]; /* the metadata of one event, as it is given out */
    els_block els_entries;
    elelem_buffer els_scratch; /* JSON text that the frame wrote */
    elelem_buffer els_given;   /* JSON text of the event that was taken last */
    elelem_buffer els_usage;   /* the members of the raw usage, each after an els_usage_head */
    uint32_t els_usage_node;   /* of the document, if the frame has one */
    elelem_buffer els_aside;   /* one more entry of the end's metadata */
    const char *els_aside_key;
    int64_t els_sequence;      /* -1 for none */
    elelem_buffer els_event_id; /* likewise, as JSON; empty for none */
    els_block els_items;
    els_block els_choices;
    els_block els_kept;
    els_block els_stream_state;
    elelem_writer els_writer;  /* into the scratch buffer */
    size_t els_written;        /* where that began */
    size_t els_kept_size;
    size_t els_max_kept;
    size_t els_max_queue;      /* bytes of els_queue, and of els_metadata */
    size_t els_item_bytes;     /* of an element of els_items, and of els_choices */
    size_t els_choice_bytes;
    els_halves els_halves_here; /* of the frame */
    uint32_t els_high_count;    /* items with a high surrogate */
    uint32_t els_item_count;
    uint32_t els_choice_count;
    uint32_t els_max_items;
    uint32_t els_max_choices;
    uint32_t els_next_index;
    uint32_t els_out_count;
    uint32_t els_out_taken;
    uint32_t els_metadata_count;
    uint32_t els_metadata_used; /* entries that belong to events already emitted */
    uint32_t els_metadata_taken;
    size_t els_path_count;     /* see elelem_shape_want */
    const elelem_pattern_node *els_paths;
    uint32_t els_dropped;      /* see elelem_shape_drop */
    int32_t els_status;        /* an elelem_status: what emitting ran into */
    uint8_t els_frame;         /* an elelem_shape_frame */
    uint8_t els_structured;
    uint8_t els_wants_items;
    uint8_t els_has_state;     /* the shape's memory for the stream is there */
    uint8_t els_ended;         /* els_end is set */
    uint8_t els_ignores;       /* the shape ignores the frame at hand */
    uint8_t els_frames;        /* bits of els_frames_seen */
    char els_passed_last;      /* see elelem_shape_passed_last */
    uint8_t els_emits;         /* what is emitted counts: nothing failed and the stream did not end */
    char els_raw_reason[ELELEM_SHAPE_RAW_REASON];
};

/* The frame. */

ELELEM_API elelem_shape_frame elelem_shape_frame_kind(const elelem_shape_context *context);

/* The values of the frame that the shape's paths name; the containers on the way to them
   are there too. Valid until the events of the frame were taken. */
ELELEM_API elelem_value elelem_shape_document(const elelem_shape_context *context);

/* The name of the SSE event; empty if it has none. */
ELELEM_API elelem_str elelem_shape_event_name(const elelem_shape_context *context);

/* The frame is none of the shape. The error of a response that ends early and had no other frames says so: the caller may
   have chosen the wrong shape. */
ELELEM_API void elelem_shape_ignore(elelem_shape_context *context);

/* Nonzero if nothing that the frame does counts any more: something failed, or the stream ended. */
ELELEM_API int elelem_shape_is_over(const elelem_shape_context *context);

/* From the next frame on only the first `count` rows of the shape's paths are wanted, for what is
   needed only now and then. When the stream begins all are. */
ELELEM_API void elelem_shape_want(elelem_shape_context *context, size_t count);

/* From the next frame on this table is used instead of the shape's paths, or of those for provider items. It has the same
   rows, and rows with one parent are adjacent in it if they are in the shape's. */
ELELEM_API void elelem_shape_paths(elelem_shape_context *context, const elelem_pattern_node *paths);

/* From the next frame on the values of a row are skipped, one of the first 32: enough is known of it. */
ELELEM_API void elelem_shape_drop(elelem_shape_context *context, unsigned row);

/* Values. */

/* Looks up the members of an object that the rows from `first` to `last` of the shape's paths name, the last of each, in one
   pass. elelem_shape_field then returns the member of row `slot`, `slot` + 1 and so on; no value if there is none. A row that
   was not looked up is no value, or what an earlier call left. */
ELELEM_API void elelem_shape_fields_find(elelem_shape_context *context, elelem_value object, unsigned first, unsigned last,
                                         unsigned slot);
ELELEM_API elelem_value elelem_shape_field(const elelem_shape_context *context, unsigned slot);

/* Returns the first member of the object that the row matches, and the next after a member; no value if there is none. */
ELELEM_API elelem_value elelem_shape_row_first(const elelem_shape_context *context, elelem_value object, unsigned row);
ELELEM_API elelem_value elelem_shape_row_next(const elelem_shape_context *context, elelem_value member, unsigned row);

/* The text of a string; empty for any other value. */
ELELEM_API elelem_str elelem_shape_string(elelem_value value);
ELELEM_API elelem_str elelem_shape_string_in(elelem_value object, const char *key);

/* Nonzero if there is a value. */
ELELEM_API int elelem_shape_is_there(elelem_value value);

/* Nonzero if both are one value of the document, or none. */
ELELEM_API int elelem_shape_is_same(elelem_value a, elelem_value b);

/* Nonzero if there is a value other than null. */
ELELEM_API int elelem_shape_is_value(elelem_value value);

/* Reads a number by which a wire groups what belongs together, from 0 to 2^31 - 1. Returns 0 if there is none: the value
   is missing, of another type, negative, a fraction or too large. elelem_shape_number_or returns `otherwise` then. */
ELELEM_API int elelem_shape_number(elelem_value value, uint32_t *number);
ELELEM_API uint32_t elelem_shape_number_or(elelem_value value, uint32_t otherwise);

/* A count of tokens; -1 if there is none. elelem_shape_count_to: sets `*count` to it if there is one. */
ELELEM_API int64_t elelem_shape_count_in(elelem_value object, const char *key);
ELELEM_API void elelem_shape_count_to(int64_t *count, elelem_value object, const char *key);

/* A hash to compare texts by (FNV-1a). */
#define ELELEM_SHAPE_HASH_START 0xcbf29ce484222325u
ELELEM_API uint64_t elelem_shape_hash(elelem_str text);
ELELEM_API uint64_t elelem_shape_hash_more(uint64_t hash, elelem_str text);
/* Adds the key of a member, and its value as JSON text. */
ELELEM_API uint64_t elelem_shape_hash_member(uint64_t hash, elelem_value member);

/* Nonzero if the hash is another than the one that was kept of it last, 0 at first. It is kept then. That of nothing is no news. */
ELELEM_API int elelem_shape_is_news(uint32_t *kept, uint64_t hash);

/* What a wire's words for finish reasons mean; OTHER for a word that is not among them. */
typedef struct elelem_shape_word {
    const char *word;
    uint8_t reason; /* an elelem_finish_reason */
} elelem_shape_word;

ELELEM_API elelem_finish_reason elelem_shape_reason_of(const elelem_shape_word *words, size_t count, elelem_str raw);

/* Memory of the shape's own, as large as it says; aligned for any type. */

ELELEM_API void *elelem_shape_stream_state(const elelem_shape_context *context);
ELELEM_API void *elelem_shape_item_state(const elelem_shape_item *item);

/* Null if the choice had no part and no reason yet. Valid until one has its first part or reason. */
ELELEM_API void *elelem_shape_choice_state(const elelem_shape_context *context, uint32_t choice);

/* Items. `key` is the wire's own number for one and belongs to the kind and choice. If memory or a limit forbids to open one,
   ELELEM_NO_INDEX is returned, emitting to that does nothing, and the stream ends in an error. Items that wait are not
   found by their keys. */

ELELEM_API uint32_t elelem_shape_item_open(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                           uint32_t key);
ELELEM_API uint32_t elelem_shape_item_find(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                           uint32_t key);

/* The item with this index; null if it is not open. Pointers to items are valid until one is opened or flushed. */
ELELEM_API elelem_shape_item *elelem_shape_item_at(const elelem_shape_context *context, uint32_t index);

/* All open items, from the one opened first or last. Null after the last of them. */
ELELEM_API elelem_shape_item *elelem_shape_item_oldest(const elelem_shape_context *context);
ELELEM_API elelem_shape_item *elelem_shape_item_newest(const elelem_shape_context *context);
ELELEM_API elelem_shape_item *elelem_shape_item_newer(const elelem_shape_context *context, const elelem_shape_item *item);
ELELEM_API elelem_shape_item *elelem_shape_item_older(const elelem_shape_context *context, const elelem_shape_item *item);

/* The newest open item of the choice that is text, no call and no provider item, and does not wait. */
ELELEM_API uint32_t elelem_shape_item_text(const elelem_shape_context *context, uint32_t choice);

/* For wires that do not say when an item ends: the open text item of this kind and key in
   the choice, or a new one, before which the choice's other open text item is flushed. */
ELELEM_API uint32_t elelem_shape_item_continue(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                               uint32_t key);

/* Nonzero if the item has the id of which this is the elelem_shape_hash, or none yet, or the id is empty; see elelem_shape_tool_start. */
ELELEM_API int elelem_shape_item_may_be(const elelem_shape_item *item, uint64_t id_hash);

/* Nonzero if a part of that kind was ever emitted for the choice. */
ELELEM_API int elelem_shape_choice_had(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind);

/* The kind that message text has in this stream: STRUCTURED if the caller asked for JSON. */
ELELEM_API elelem_part_kind elelem_shape_message_kind(const elelem_shape_context *context);

/* Metadata for the event that is emitted next. The key and a text must live until that is taken, like the document, whose
   the value is. */

ELELEM_API void elelem_shape_metadata_json(elelem_shape_context *context, elelem_str key, elelem_str json);
ELELEM_API void elelem_shape_metadata_text(elelem_shape_context *context, const char *key, elelem_str text);
ELELEM_API void elelem_shape_metadata_value(elelem_shape_context *context, const char *key, elelem_value value);

/* The value as the only element of an array, for lists that come element by element. */
ELELEM_API void elelem_shape_metadata_in_array(elelem_shape_context *context, const char *key, elelem_value value);
ELELEM_API int elelem_shape_has_metadata(const elelem_shape_context *context);

/* For JSON that is no value of the document: a writer of it, whose text lasts until the events of the frame were taken.
   What was written since this was called last becomes metadata or arguments by one of the functions called ..._written; without
   them it is nothing. */
ELELEM_API elelem_writer *elelem_shape_write(elelem_shape_context *context);
ELELEM_API elelem_writer *elelem_shape_write_on(elelem_shape_context *context); /* continues what was begun, with a new writer */
ELELEM_API void elelem_shape_write_raw(elelem_shape_context *context, elelem_str text);
ELELEM_API void elelem_shape_metadata_written(elelem_shape_context *context, elelem_str key);
ELELEM_API void elelem_shape_tool_arguments_written(elelem_shape_context *context, uint32_t index);

/* Characters whose UTF-16 halves come in two texts of an item, one after the other. A half that a text ends with waits for the next one: if
   that does not begin with the other half, it is U+FFFD. That is so for what elelem_shape_text, elelem_shape_tool_arguments and the
   functions called ..._piece get; an item has one such text, of which these are the pieces. */
typedef struct elelem_shape_joined {
    elelem_str rest; /* the piece without its halves of characters that are in `first`, or wait */
    char first[4];   /* what comes before it: a character that it ended, of 4 bytes; or U+FFFD, of 3 */
    uint8_t size;    /* of `first`; 0 for none */
    uint16_t els_high;
} elelem_shape_joined;

/* What this piece will be, if it is the next one. An empty piece is none. */
ELELEM_API elelem_shape_joined elelem_shape_join(const elelem_shape_context *context, uint32_t index, elelem_str piece);

/* Writes a piece of a JSON string, without quotes; elelem_shape_write_json_piece: of JSON as it is. */
ELELEM_API void elelem_shape_write_piece(elelem_shape_context *context, uint32_t index, elelem_str piece);
ELELEM_API void elelem_shape_write_json_piece(elelem_shape_context *context, uint32_t index, elelem_str piece);

/* Writes U+FFFD if a half waits: the string ends here. elelem_shape_drop_half: without that, because the next piece has the
   character whole. An item that is flushed ends its text likewise; a provider item drops it. */
ELELEM_API void elelem_shape_write_half(elelem_shape_context *context, uint32_t index);
ELELEM_API void elelem_shape_drop_half(elelem_shape_context *context, uint32_t index);

/* Events. Texts must live until the events of the frame were taken. Empty text is emitted only if
   metadata waits for it. */

ELELEM_API void elelem_shape_text(elelem_shape_context *context, uint32_t index, elelem_str text);

/* A tool call's id and name. Emits only what is new: the first id and the first name that are not empty. A call of which
   neither is known starts with its first arguments or metadata, and without those is none. */
ELELEM_API void elelem_shape_tool_start(elelem_shape_context *context, uint32_t index, elelem_str id, elelem_str name);

/* The same for a call that is no plain function, with the wire's word for it, such as "shell_call". */
ELELEM_API void elelem_shape_tool_start_typed(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str id,
                                              elelem_str name);

/* The same for wires without ids of calls: the id is "call_" and the item's index. */
ELELEM_API void elelem_shape_tool_start_unnamed(elelem_shape_context *context, uint32_t index, elelem_str name);
ELELEM_API void elelem_shape_tool_arguments(elelem_shape_context *context, uint32_t index, elelem_str json);
ELELEM_API void elelem_shape_tool_arguments_value(elelem_shape_context *context, uint32_t index, elelem_value value);

/* Pieces of a provider item, whose type is the same in all of them: of its JSON, or of a text that can be shown for it. The type may be
   what is kept of the item, which need not live longer: it is copied.
   elelem_shape_provider_value: a value of the document is all or the next of its JSON. */
ELELEM_API void elelem_shape_provider_json(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str json);
ELELEM_API void elelem_shape_provider_value(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_value value);
ELELEM_API void elelem_shape_provider_written(elelem_shape_context *context, uint32_t index, elelem_str type);
ELELEM_API void elelem_shape_provider_caption(elelem_shape_context *context, uint32_t index, elelem_str type,
                                              elelem_str caption);
ELELEM_API void elelem_shape_provider_caption_piece(elelem_shape_context *context, uint32_t index, elelem_str type,
                                                    elelem_str piece);

/* Of a list no more texts are shown: many short ones would be more events than a frame may have. */
#define ELELEM_SHAPE_CAPTIONS 16

/* The same of a value that is a text, or a list of which the first ELELEM_SHAPE_CAPTIONS texts are shown, with ", " between them. */
ELELEM_API void elelem_shape_provider_captions(elelem_shape_context *context, uint32_t index, elelem_str type,
                                               elelem_value texts);

/* In `passes`: what passes is of this type, a text that lives as long as the library, not of the one that `passes` got. */
ELELEM_API void elelem_shape_pass_as(elelem_shape_context *context, const char *type);

/* The last byte of the value that passed last, as JSON text; of a string, of what is between its quotes. */
ELELEM_API char elelem_shape_passed_last(const elelem_shape_context *context);

/* Nonzero if provider items are to be emitted. If not, the caller does without them, and their values are not in
   the document. */
ELELEM_API int elelem_shape_wants_items(const elelem_shape_context *context);

/* The provider's number of the frame, by which a response can be resumed after it: the end, good or bad, has the last one as metadata
   `sequence_number`. Nothing if the value is no whole number. */
ELELEM_API void elelem_shape_sequence(elelem_shape_context *context, elelem_value number);

/* The same for a frame whose name is a string: metadata `event_id`. Nothing if the value is no string, is empty, or takes more than
   1024 bytes: then the one before counts. */
ELELEM_API void elelem_shape_event_id(elelem_shape_context *context, elelem_value id);

/* Emits the metadata that waits as what is known of the response itself; nothing if none waits. */
ELELEM_API void elelem_shape_response(elelem_shape_context *context);

/* Text of an item that grows over frames and is emitted whole, or state that has no fixed size. Limited by max_kept_bytes; all
   of it is gone when the item is flushed. elelem_shape_keep adds to its end. */
ELELEM_API void elelem_shape_keep(elelem_shape_context *context, uint32_t index, elelem_str text);

/* What is kept; empty if nothing is. Valid until something is kept, or an item is flushed. */
ELELEM_API elelem_str elelem_shape_kept(const elelem_shape_context *context, const elelem_shape_item *item);

/* Makes it so many bytes, of which the caller writes those that are new. Returns the first byte, aligned for any type; null if
   memory or the limit forbids, or if nothing was kept and nothing is to be. */
ELELEM_API void *elelem_shape_kept_resize(elelem_shape_context *context, uint32_t index, size_t size);

/* Adds what is kept as metadata, a string; nothing if nothing is. */
ELELEM_API void elelem_shape_metadata_kept(elelem_shape_context *context, uint32_t index, const char *key);

/* How an item ended. Text is flushed alike in every case. JSON that is still empty or a number may
   continue or not; only how it ended says whether that is all. */
typedef enum elelem_shape_ending {
    ELELEM_SHAPE_ENDED,     /* the model ended it: a call without arguments has none */
    ELELEM_SHAPE_STOPPED,   /* the model was stopped, or nothing shows that it was not: JSON that closed by itself is
                               whole, all other is cut off */
    ELELEM_SHAPE_INCOMPLETE /* the provider says that it is not whole: JSON is cut off even if it closed */
} elelem_shape_ending;

/* Emits FLUSH if the item had a part, and forgets the item. elelem_shape_flush: it ENDED. elelem_shape_flush_all: all
   items of the choice, those that wait first. */
ELELEM_API void elelem_shape_flush(elelem_shape_context *context, uint32_t index);
ELELEM_API void elelem_shape_flush_as(elelem_shape_context *context, uint32_t index, elelem_shape_ending ending);
ELELEM_API void elelem_shape_flush_all(elelem_shape_context *context, uint32_t choice, elelem_shape_ending ending);

/* The wire says whether more of the item is to come. While it does, every flush is as INCOMPLETE. */
ELELEM_API void elelem_shape_item_expect(elelem_shape_context *context, uint32_t index, int more);

/* For wires that close an item before they report why the model stopped. The item is no longer found by its key, and
   waits until elelem_shape_release flushes it, or another flush does; or else the end of the stream by the reason of its
   choice. elelem_shape_item_close waits only while its JSON is still empty or a number, and else flushes it. */
ELELEM_API void elelem_shape_item_wait(elelem_shape_context *context, uint32_t index);
ELELEM_API void elelem_shape_item_close(elelem_shape_context *context, uint32_t index);

/* Flushes the items of the choice that wait, as ENDED: the model has written more after them. */
ELELEM_API void elelem_shape_release(elelem_shape_context *context, uint32_t choice);

/* ENDED for COMPLETED and TOOL_CALLS, else STOPPED. */
ELELEM_API elelem_shape_ending elelem_shape_ending_of(elelem_finish_reason reason);

/* The same for the reason of the choice; STOPPED if it has none yet. */
ELELEM_API elelem_shape_ending elelem_shape_choice_ending(const elelem_shape_context *context, uint32_t choice);

/* The end. */

/* Why a choice stopped. `replace`: the last one counts, else the first. An empty word leaves the one before. If the model writes on
   after the reason, the end of the body is early until the reason comes again. */
ELELEM_API void elelem_shape_reason(elelem_shape_context *context, uint32_t choice, elelem_finish_reason reason,
                                    elelem_str raw, int replace);

/* Nonzero if a reason for the choice is known. */
ELELEM_API int elelem_shape_has_reason(const elelem_shape_context *context, uint32_t choice);

/* The provider's counts, -1 for unknown, and its own JSON for them, an object of the document. The last counts are those
   that are given out. Of the JSON each member is, as the last call had it that named it with a value; but what earlier calls
   had is dropped if that is more than 32 members or 4096 bytes. */
ELELEM_API void elelem_shape_usage(elelem_shape_context *context, elelem_usage usage, elelem_value raw);

/* The counts set last. */
ELELEM_API elelem_usage elelem_shape_last_usage(const elelem_shape_context *context);

/* One more entry of FINISHED's metadata, under a key that is fixed text; the last call counts. */
ELELEM_API void elelem_shape_end_metadata(elelem_shape_context *context, const char *key, elelem_value value);

/* The shape's terminal signal: what is open is flushed, then FINISHED comes; with COMPLETED if
   no reason is known. */
ELELEM_API void elelem_shape_finish(elelem_shape_context *context);

/* Ends the stream with the error that the document reports (an `error` member, or `object`
   "error"); 0 if it reports none. elelem_shape_error_in: with that of another object. */
ELELEM_API int elelem_shape_document_error(elelem_shape_context *context);
ELELEM_API int elelem_shape_error_in(elelem_shape_context *context, elelem_value object);

/* Ends the stream with what the object says of an error, although it may not be the form of one. */
ELELEM_API void elelem_shape_error_of(elelem_shape_context *context, elelem_value object);

/* Ends the stream with an error of the shape's own. Retryable as its kind says. */
ELELEM_API void elelem_shape_error(elelem_shape_context *context, elelem_error_kind kind, elelem_str code,
                                   const char *message);

#ifdef __cplusplus
}
#endif

#endif
