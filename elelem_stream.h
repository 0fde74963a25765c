/* elelem_stream.h 0.1.0 - incremental JSON, event streams and language model answers in one C99 file
   Assembled from parts/: edit there, then run `make header`.
   Free for any use, without conditions or warranty: BSD Zero Clause License, at the end of this file. */

/* A language model answers over HTTP in bytes that are cut anywhere. This turns
 * them into typed events the moment they can be known: text and reasoning as they
 * are written, the arguments of a tool call while the model is still writing them,
 * and one honest end: finished, or a typed error that says whether to retry.
 *
 * Quick start
 *
 *     #define ELELEM_STREAM_IMPLEMENTATION      // in exactly one file
 *     #include "elelem_stream.h"
 *
 *     elelem_turn turn;
 *     elelem_turn_item item;
 *     elelem_turn_desc desc = ELELEM_INIT;
 *
 *     desc.shape = &elelem_shape_chat;          // what the provider speaks
 *     elelem_turn_init(&turn, &desc);
 *
 *     // for each piece of the body, as it comes from any HTTP stack:
 *     elelem_turn_push(&turn, bytes, size);
 *     while (elelem_turn_next(&turn, &item) == ELELEM_OK)
 *         if (item.kind == ELELEM_TURN_TEXT)
 *             fwrite(item.text.data, 1, item.text.size, stdout);
 *
 *     // after the last one:
 *     elelem_turn_finish(&turn);                // and take items once more
 *     elelem_turn_free(&turn);
 *
 * Contents; search for ">> name". Every room stands on those above it only.
 *
 *     >> base             slices, statuses, memory
 *     >> text             UTF-8
 *     >> number           number text to int64_t, uint64_t, double
 *     >> fragment         JSON in pieces: path, kind, bytes
 *     >> value            fragments to values that can be read while they grow
 *     >> writer           JSON text out
 *     >> sse              the WHATWG event stream, both ways
 *     >> event            what a model's answer is made of
 *     >> shape            what a wire shape is; HTTP errors
 *     >> shape_chat       chat completions
 *     >> shape_responses  responses
 *     >> shape_messages   messages
 *     >> shape_gemini     generate content
 *     >> tags             <think> and its like, out of a text
 *     >> stream           the one driver all shapes go through
 *     >> builder          events to finished messages and tool calls
 *     >> turn             stream, tags and builder behind one loop
 *     >> record           events as JSON lines, and back
 *
 * Layers. Each is public and useful alone.
 *
 *     bytes -> sse -> fragment -> shape -> stream -> events -> builder -> items
 *                                              \-> tags -/  \-> record -> lines
 *
 * The three verbs
 *
 *     X_push(x, bytes, size)  lends bytes; they stay in place until next answers MORE
 *     X_next(x, &item)        OK: an item, valid until the next call. MORE: push again.
 *                             END: complete. Negative: an error, and it stays
 *     X_finish(x)             no more bytes will come
 *
 * However the bytes are cut, the items, errors and offsets are the same, once
 * adjacent pieces of text are joined. Nothing is called back: stop after any item
 * and go on whenever you like.
 *
 * Memory and lifetimes
 *
 * An object owns at most one block, taken through the allocator in its desc: the C
 * library's where it is zeroed, an elelem_arena over a fixed buffer, or your own.
 * Every limit is checked before growing, and what is over it is an error. Bytes
 * are copied only where a token is cut by the end of a push or has an escape in it.
 * Objects are plain structs, do not refer to themselves, and share nothing: use
 * each from one thread at a time. A zeroed object may be freed.
 *
 * Errors
 *
 * X_error tells status, offset of the first byte that cannot be right, and a fixed
 * sentence that never quotes the input. Data errors and limits stick until reset;
 * a caller's mistake (ELELEM_ERROR_MISUSE) changes nothing and does not stick. A
 * stream's next never answers negative: what goes wrong is its last event.
 *
 * Options
 *
 *     ELELEM_STREAM_IMPLEMENTATION  compile the functions here
 *     ELELEM_STATIC                 in every file that includes this: keep them inside it
 *     ELELEM_API                    in every file: how public functions are declared
 *
 * and where the implementation is compiled:
 *
 *     ELELEM_NO_STDLIB              no realloc and free; every desc names an allocator
 */
#ifndef ELELEM_STREAM_H
#define ELELEM_STREAM_H

/* >> base
 *
 * What every room stands on: byte slices, statuses, memory. It knows nothing
 * of JSON or of streams.
 */

#include <stddef.h>
#include <stdint.h>

#define ELELEM_VERSION_MAJOR 0
#define ELELEM_VERSION_MINOR 1
#define ELELEM_VERSION_PATCH 0
#define ELELEM_VERSION "0.1.0"

/* Starts any struct of this library: `elelem_turn_desc desc = ELELEM_INIT;` */
#ifdef __cplusplus
#define ELELEM_INIT {}
#else
#define ELELEM_INIT {0}
#endif

/* How public functions are declared. Define ELELEM_STATIC before every include
   to keep them inside one file. */
#ifndef ELELEM_API
#ifdef ELELEM_STATIC
#define ELELEM_API static
#else
#define ELELEM_API extern
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes somebody else owns; zero bytes may be among them, and none stands at
   the end. An empty slice may have a null pointer. */
typedef struct elelem_str {
    const char *data;
    size_t size; /* bytes */
} elelem_str;

/* The slice over a C string, without its final zero. A null pointer gives the
   empty slice. The text stays the caller's. */
ELELEM_API elelem_str elelem_str_of(const char *text);

/* Nonzero where both slices hold the same bytes. */
ELELEM_API int elelem_str_equal(elelem_str a, elelem_str b);

/* Nonzero where the slice holds just the bytes of the C string. */
ELELEM_API int elelem_str_is(elelem_str slice, const char *text);

/* Everything a call can answer. Not negative: the three verbs at work.
   Negative: an error, whose fixed sentence stands beside it. Data errors and
   limits stick until reset; ELELEM_ERROR_MISUSE, a caller's mistake, changes
   nothing, is answered once and does not stick. */
#define ELELEM_STATUS_LIST(X)                                                              \
    X(OK, 0, "an item was taken")                                                          \
    X(MORE, 1, "everything pushed is used up")                                             \
    X(END, 2, "complete")                                                                  \
    X(ERROR_MISUSE, -1, "the call does not fit the state of the object")                   \
    X(ERROR_MEMORY, -2, "the allocator gave no more memory")                               \
    X(ERROR_SYNTAX, -3, "the text does not follow its grammar")                            \
    X(ERROR_UTF8, -4, "the bytes are not UTF-8")                                           \
    X(ERROR_SURROGATE, -5, "a surrogate escape stands alone")                              \
    X(ERROR_TRUNCATED, -6, "the input ended too early")                                    \
    X(ERROR_DEPTH, -7, "the value is nested more deeply than allowed")                     \
    X(ERROR_KEY_SIZE, -8, "a key is longer than allowed")                                  \
    X(ERROR_PATH_SIZE, -9, "the keys of a path are longer than allowed")                   \
    X(ERROR_STRING_SIZE, -10, "a string is longer than allowed")                           \
    X(ERROR_NUMBER_SIZE, -11, "a number has more characters than allowed")                 \
    X(ERROR_TOTAL_SIZE, -12, "the input is longer than allowed")                           \
    X(ERROR_LINE_SIZE, -13, "a line is longer than allowed")                               \
    X(ERROR_FRAME_SIZE, -14, "an event has more data than allowed")                        \
    X(ERROR_VALUE_SIZE, -15, "a value takes more memory than allowed")                     \
    X(ERROR_COUNT, -16, "there are more items than allowed")                               \
    X(ERROR_PATTERN, -17, "the path pattern is not well formed")                           \
    X(ERROR_TYPE, -18, "the value is of another type")                                     \
    X(ERROR_RANGE, -19, "the number does not fit")                                         \
    X(ERROR_NOT_INTEGER, -20, "the number is not an integer")                              \
    X(ERROR_INCOMPLETE, -21, "the value is not whole")                                     \
    X(ERROR_PROTOCOL, -22, "the input does not follow the provider's protocol")            \
    X(ERROR_SINK, -23, "the caller's sink refused the bytes")

typedef enum elelem_status {
#define ELELEM_STATUS_ENUM(name, value, sentence) ELELEM_##name = value,
    ELELEM_STATUS_LIST(ELELEM_STATUS_ENUM)
#undef ELELEM_STATUS_ENUM
    ELELEM_STATUS_FORCE_32 = 0x7fffffff /* the same width under -fshort-enums */
} elelem_status;

/* "ELELEM_ERROR_SYNTAX" and so on; "ELELEM_STATUS_UNKNOWN" for no status of ours. */
ELELEM_API const char *elelem_status_name(elelem_status status);

/* The fixed sentence of a status, without a final stop. */
ELELEM_API const char *elelem_status_sentence(elelem_status status);

/* Where and why an object stopped. `message` is fixed text, never input. */
typedef struct elelem_error {
    elelem_status status;
    uint64_t offset;     /* bytes from the start of everything pushed, to the first that cannot be right */
    const char *message; /* never null */
} elelem_error;

/* Where memory comes from. One function does all, as in Lua:
   `block` null: give new_size bytes; new_size 0: take the block back and answer
   null; else give it the new size, moving it if need be. Null for new_size > 0
   is a refusal, and the old block stays as it was. `old_size` is always the size
   asked for last. Blocks are aligned for any object.
   A zeroed allocator is the C library's realloc and free; where
   ELELEM_NO_STDLIB is defined it gives nothing. */
typedef void *(*elelem_resize)(void *context, void *block, size_t old_size, size_t new_size);

typedef struct elelem_allocator {
    elelem_resize resize;
    void *context; /* handed to resize; the caller's */
} elelem_allocator;

/* An allocator over one fixed buffer: first fit, free neighbours merged, blocks
   grown in place where the room behind them is free. It keeps no header beside
   the blocks it lends. */
typedef struct elelem_arena {
    unsigned char *els_memory;
    size_t els_size;
    size_t els_free; /* offset of the first free span, els_size if none */
    size_t els_used;
    size_t els_peak;
} elelem_arena;

/* Takes over `size` bytes at `memory`, at any alignment, until the last block
   from it is no longer used. Answers the allocator to put into a desc; `arena`
   must not move while that is in use. A null or tiny buffer makes an arena that
   refuses everything. */
ELELEM_API elelem_allocator elelem_arena_init(elelem_arena *arena, void *memory, size_t size);

/* Bytes lent out now, and the most that ever were at one time, both rounded up to
   whole grains of two pointers. */
ELELEM_API size_t elelem_arena_used(const elelem_arena *arena);
ELELEM_API size_t elelem_arena_peak(const elelem_arena *arena);

/* Private: the one block an object may grow. */
typedef struct els_block {
    unsigned char *data;
    size_t capacity;
    elelem_allocator allocator;
} els_block;

/* Private: bytes lent by whoever stands above, and how far they are read. */
typedef struct els_cursor {
    const unsigned char *at;
    const unsigned char *end;
} els_cursor;

#ifdef __cplusplus
}
#endif

/* >> text
 *
 * UTF-8 (RFC 3629), and the fast scan to the next byte that matters.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* How many bytes from the start are whole, valid characters. Equal to the size
   where all is valid; else the offset of the first character that is not, or not
   whole. Surrogates, overlong forms and what lies beyond U+10FFFF are not valid. */
ELELEM_API size_t elelem_utf8_valid(elelem_str text);

/* Writes the character to `bytes` and answers its size, 1 to 4. A surrogate or
   anything beyond U+10FFFF is written as U+FFFD. */
ELELEM_API size_t elelem_utf8_encode(uint32_t character, char bytes[4]);

#ifdef __cplusplus
}
#endif

/* >> number
 *
 * The text of a JSON number to the machine's numbers: exact or correctly rounded,
 * without locale, memory or the C library's parsers. Nothing on the streaming
 * path calls it: a number stays its text until somebody asks.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* The value of a number's text as an integer. `1e2`, `5.0` and `-0` count as
   integers (RFC 8259, 6: numbers that are equal are the same number).
   OK; ERROR_NOT_INTEGER: it has a fraction; ERROR_RANGE: an integer that does not
   fit; ERROR_SYNTAX: no JSON number. `*value` changes only where the answer is OK. */
ELELEM_API elelem_status elelem_number_to_int64(elelem_str text, int64_t *value);
ELELEM_API elelem_status elelem_number_to_uint64(elelem_str text, uint64_t *value);

/* The nearest double, ties to even, for any count of digits. `-0` keeps its sign.
   OK; ERROR_RANGE: beyond the largest double, `*value` is then an infinity of the
   number's sign; ERROR_SYNTAX: no JSON number, `*value` is untouched. What is too
   small becomes a zero of its sign, which is OK. */
ELELEM_API elelem_status elelem_number_to_double(elelem_str text, double *value);

#ifdef __cplusplus
}
#endif

/* >> fragment
 *
 * JSON (RFC 8259, nothing more) pushed in pieces of any size, fragments taken
 * out: where in the document, what kind, and the bytes. Strings come as they
 * arrive. The parser stores the keys of the current path and nothing else; it
 * knows nothing of values as trees, nor of events.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_type {
    ELELEM_TYPE_NONE, /* no value there */
    ELELEM_TYPE_NULL,
    ELELEM_TYPE_BOOL,
    ELELEM_TYPE_NUMBER,
    ELELEM_TYPE_STRING,
    ELELEM_TYPE_ARRAY,
    ELELEM_TYPE_OBJECT
} elelem_type;

/* "none", "null", "bool", "number", "string", "array", "object". */
ELELEM_API const char *elelem_type_name(elelem_type type);

/* One step of a path: a member of an object or an element of an array. */
typedef struct elelem_segment {
    elelem_str key; /* decoded key; data is null for an array element and never null for a member */
    uint32_t index; /* of the array element, from 0 */
    uint32_t els_base;
    uint16_t els_active;
} elelem_segment;

/* The nesting from the root to a value; no segment is the root itself. */
typedef struct elelem_path {
    const elelem_segment *segments;
    size_t count;
} elelem_path;

/* Nonzero where the path is exactly the one the pattern spells (see below).
   A pattern that is not well formed matches nothing. Builds nothing; the cost is
   that of reading the pattern. */
ELELEM_API int elelem_path_is(const elelem_path *path, const char *pattern);

/* Path patterns.
 *
 *     a.b          member b of member a of the root
 *     [2]          element 2
 *     items[*].x   member x of every element of member items
 *     *            any member            *.x   member x of any member
 *     ["odd.key"]  a key in quotes, where it holds one of  . [ ] * " \  or a byte
 *                  below 0x21; \" and \\ stand for themselves inside
 *     (nothing)    the root
 *
 * A parser given patterns delivers what they name, whole subtrees; the rest is
 * validated and not stored. */
typedef enum elelem_pattern_kind {
    ELELEM_PATTERN_KEY,
    ELELEM_PATTERN_QUOTED_KEY, /* with backslashes still in it */
    ELELEM_PATTERN_ANY_KEY,
    ELELEM_PATTERN_INDEX,
    ELELEM_PATTERN_ANY_INDEX
} elelem_pattern_kind;

/* Patterns as a tree: node 0 is the root, each other one names its parent, which
   stands before it. A table of these can be written down as constant data; see
   ELELEM_PATTERN_ROOT and its like. */
typedef struct elelem_pattern_node {
    const char *key;   /* KEY, QUOTED_KEY; else null */
    uint32_t size;     /* KEY, QUOTED_KEY: bytes; INDEX: the index */
    uint16_t parent;
    uint8_t kind;      /* an elelem_pattern_kind */
    uint8_t wanted;    /* nonzero: values here are delivered whole; else it only leads to others */
} elelem_pattern_node;

/* Rows of a constant table. */
#define ELELEM_PATTERN_ROOT(wanted) { NULL, 0, 0, ELELEM_PATTERN_ANY_KEY, wanted }
#define ELELEM_PATTERN_MEMBER(parent, key, wanted) { "" key, sizeof(key) - 1, parent, ELELEM_PATTERN_KEY, wanted }
#define ELELEM_PATTERN_ELEMENTS(parent, wanted) { NULL, 0, parent, ELELEM_PATTERN_ANY_INDEX, wanted }

typedef struct elelem_patterns {
    const elelem_pattern_node *nodes; /* null: everything is wanted */
    size_t count;
} elelem_patterns;

/* Compiles `count` patterns into `nodes`, the caller's memory, which like the texts
   must live as long as the patterns are used. One node for the root and one for each
   segment is always enough. `which[i]`, where `which` is not null, becomes the node of
   pattern i, which a fragment's `pattern` names.
   OK; ERROR_PATTERN: not well formed, `error->offset` counts the bytes of that text;
   ERROR_COUNT: more than `capacity` (at most 65535) nodes. `error` may be null. */
ELELEM_API elelem_status elelem_patterns_compile(elelem_patterns *patterns, elelem_pattern_node *nodes, size_t capacity,
                                                 const char *const *texts, size_t count, uint16_t *which,
                                                 elelem_error *error);

/* The wanted node that names the whole path, or a value it lies in; the one nearest
   to the root. 0xffff for none. Costs patterns times segments. */
ELELEM_API uint16_t elelem_patterns_find(const elelem_patterns *patterns, const elelem_path *path);

#define ELELEM_NO_PATTERN 0xffff

typedef enum elelem_fragment_kind {
    ELELEM_FRAGMENT_BEGIN,  /* a container opens; type tells which */
    ELELEM_FRAGMENT_STRING, /* text: a piece of a string, decoded, never empty, never ending inside a character */
    ELELEM_FRAGMENT_SCALAR, /* text: null, true, false or a number as it was written; type */
    ELELEM_FRAGMENT_DONE    /* a value ended; type tells which. Every value has exactly one */
} elelem_fragment_kind;

/* Text and path are valid until the next call on the parser. */
typedef struct elelem_fragment {
    const elelem_path *path;
    elelem_str text;
    uint8_t kind;     /* an elelem_fragment_kind */
    uint8_t type;     /* an elelem_type, of the value it belongs to */
    uint16_t pattern; /* with patterns: the wanted node that named this value or the one it lies in; else ELELEM_NO_PATTERN */
} elelem_fragment;

typedef struct elelem_scalar {
    elelem_str text; /* as it was written */
    uint8_t type;    /* an elelem_type: NULL, BOOL, NUMBER */
    uint8_t boolean; /* BOOL: its value */
} elelem_scalar;

/* What a SCALAR fragment says; type NONE for any other kind. The text is the fragment's. */
ELELEM_API elelem_scalar elelem_fragment_scalar(const elelem_fragment *fragment);

typedef struct elelem_fragment_parser_desc {
    elelem_allocator allocator;      /* for one block: the path, a key or number cut by a chunk's end */
    const elelem_patterns *patterns; /* must outlive the parser; null: everything is delivered */
    uint32_t max_depth;              /* containers inside each other; 0: 512. ERROR_DEPTH */
    uint32_t max_key_bytes;          /* of one key, decoded; 0: 65536. ERROR_KEY_SIZE */
    uint32_t max_path_bytes;         /* of all keys of a path; 0: 262144. ERROR_PATH_SIZE */
    uint32_t max_number_bytes;       /* characters of one number; 0: 65536. ERROR_NUMBER_SIZE */
    uint64_t max_string_bytes;       /* of one string value, decoded; 0: no limit, none is stored. ERROR_STRING_SIZE */
    uint64_t max_total_bytes;        /* of everything pushed; 0: no limit. ERROR_TOTAL_SIZE */
    uint8_t strict_surrogates;       /* nonzero: a lone surrogate is ERROR_SURROGATE; else it becomes U+FFFD (RFC 8259, 8.2) */
    uint8_t single_document;         /* nonzero: only white space may follow the value, and END comes after finish */
} elelem_fragment_parser_desc;

typedef struct elelem_fragment_parser {
    els_cursor els_input;
    elelem_path els_path;
    els_block els_memory;
    const elelem_patterns *els_patterns;
    uint64_t els_end_offset; /* absolute, of els_input.end */
    uint64_t els_string_left;
    uint64_t els_total_left;
    uint64_t els_max_string;
    uint64_t els_max_total;
    uint64_t els_error_offset;
    uint32_t els_stack_size;  /* bytes on the byte stack */
    uint32_t els_stack_start; /* where it starts in the block: behind the segments */
    uint32_t els_max_depth;
    uint32_t els_max_key;
    uint32_t els_max_path;
    uint32_t els_max_number;
    uint32_t els_path_bytes;
    uint32_t els_token_size;  /* of the key or number being put together */
    uint32_t els_skip_depth;  /* containers open inside a value that nobody wants */
    uint32_t els_inside;      /* path count + 1 of the wanted value we are in, 0 for none */
    int32_t els_status;       /* an elelem_status: the error that sticks */
    uint16_t els_pattern;
    uint16_t els_high;        /* high surrogate that waits for its other half */
    uint16_t els_unit;        /* \u digits so far */
    uint8_t els_state;
    uint8_t els_after;        /* type of the scalar being read */
    uint8_t els_last;         /* kind of the fragment that was given out last */
    uint8_t els_in_key;
    uint8_t els_in_object;
    uint8_t els_skipping;     /* nobody wants the value being read */
    uint8_t els_count;        /* digits of \u, letters of a literal */
    uint8_t els_carry_size;
    uint8_t els_need;         /* bytes of a character that are still to come */
    uint8_t els_low;          /* range of the next of them */
    uint8_t els_limit;
    uint8_t els_strict;
    uint8_t els_single;
    uint8_t els_finished;
    uint8_t els_over;         /* max_total_bytes cut the input off */
    uint8_t els_started;      /* a value was complete before: restart was called */
    unsigned char els_carry[4];
    unsigned char els_decoded[8];
} elelem_fragment_parser;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first container. */
ELELEM_API void elelem_fragment_parser_init(elelem_fragment_parser *parser, const elelem_fragment_parser_desc *desc);

/* Lends `size` bytes until next answers MORE or END. OK; ERROR_MISUSE: bytes are
   pending, or finish was called. After an error it does nothing and answers that error. */
ELELEM_API elelem_status elelem_fragment_parser_push(elelem_fragment_parser *parser, const void *bytes, size_t size);

/* OK: a fragment. MORE: push again, or finish. END: the root value is complete.
   Data errors, which stick until reset: ERROR_SYNTAX, ERROR_UTF8, ERROR_SURROGATE,
   ERROR_TRUNCATED (only after finish), ERROR_MEMORY, and those of the limits. */
ELELEM_API elelem_status elelem_fragment_parser_next(elelem_fragment_parser *parser, elelem_fragment *fragment);

/* No more bytes will come. A number at the root ends here. */
ELELEM_API void elelem_fragment_parser_finish(elelem_fragment_parser *parser);

/* Why next answered an error; status OK while there is none. */
ELELEM_API elelem_error elelem_fragment_parser_error(const elelem_fragment_parser *parser);

/* The path of the value being read or just refused: where an error happened. Valid until the next call. */
ELELEM_API const elelem_path *elelem_fragment_parser_path(const elelem_fragment_parser *parser);

/* How many of the pushed bytes are not read yet. After END: what stands behind the value. */
ELELEM_API size_t elelem_fragment_parser_unread(const elelem_fragment_parser *parser);

/* Absolute offset of the next byte to be read. */
ELELEM_API uint64_t elelem_fragment_parser_offset(const elelem_fragment_parser *parser);

/* After a container's BEGIN or a string's first piece: nothing more of that value is
   delivered, not even its DONE; it is still validated. ERROR_MISUSE at any other time. */
ELELEM_API elelem_status elelem_fragment_parser_skip(elelem_fragment_parser *parser);

/* After END: the next value of the same input, for values that follow one another,
   in lines or not. Unread bytes stay lent and offsets go on. Where only white space
   comes before finish, next answers END at once. ERROR_MISUSE before END. */
ELELEM_API elelem_status elelem_fragment_parser_restart(elelem_fragment_parser *parser);

/* Starts over with new input, keeping the memory. */
ELELEM_API void elelem_fragment_parser_reset(elelem_fragment_parser *parser);

/* Gives the memory back. A zeroed parser may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_fragment_parser_free(elelem_fragment_parser *parser);

#ifdef __cplusplus
}
#endif

/* >> value
 *
 * Fragments in, a value that can be read at any time out, whole or still growing.
 * Where the fragments come from, and whether their containers were announced,
 * does not matter. It parses nothing.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_value_state {
    ELELEM_VALUE_OPEN,      /* still growing */
    ELELEM_VALUE_COMPLETE,  /* whole, and so is all in it */
    ELELEM_VALUE_CUT_LIMIT, /* cut off: it, or something in it, met a limit */
    ELELEM_VALUE_CUT_END,   /* cut off: the input ended */
    ELELEM_VALUE_CUT_ERROR  /* cut off: the input was not what it should be */
} elelem_value_state;

typedef struct elelem_fragment_aggregator_desc {
    elelem_allocator allocator;      /* for one block: the nodes, keys and strings */
    const elelem_patterns *patterns; /* which values next tells about; must outlive it; null: the root */
    uint32_t max_bytes;              /* of that block; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_string_bytes;       /* of one string; 0: no limit but max_bytes. ERROR_STRING_SIZE */
    uint32_t max_depth;              /* 0: 512. ERROR_DEPTH */
} elelem_fragment_aggregator_desc;

typedef struct elelem_fragment_aggregator {
    /* private; see value.c */
    els_block els_memory;
} elelem_fragment_aggregator;

/* A handle on a value inside an aggregator: valid until the next fragment is added
   or the aggregator is cut, reset or freed. A zeroed handle is no value (type NONE);
   every question below takes it and answers NONE, 0 or empty. Slices that come from
   a value live as long as the handle. */
typedef struct elelem_value {
    const elelem_fragment_aggregator *els_owner;
    uint32_t els_node;
} elelem_value;

/* What next answers: a value that is now complete. */
typedef struct elelem_completed_value {
    elelem_value value;
    uint16_t pattern; /* the node of desc.patterns that names it; ELELEM_NO_PATTERN for the root without patterns */
} elelem_completed_value;

ELELEM_API void elelem_fragment_aggregator_init(elelem_fragment_aggregator *aggregator,
                                                const elelem_fragment_aggregator_desc *desc);

/* Adds a fragment; its path and text are copied where they are new. BEGIN may be left
   out: a path or a DONE that names a container makes it. A member whose DONE was seen is
   over; a further fragment for the same key begins another member of that name.
   OK. ERROR_MISUSE: the fragment does not fit what is there (text for a number, anything
   behind the root's DONE) and nothing changed; it does not stick. ERROR_MEMORY and those
   of the limits stick, and what was open is then cut off by it. */
ELELEM_API elelem_status elelem_fragment_aggregator_push(elelem_fragment_aggregator *aggregator,
                                                         const elelem_fragment *fragment);

/* OK: a value that the last fragment completed. MORE: push the next. END: the root is
   complete and was told. Negative: the error that sticks. */
ELELEM_API elelem_status elelem_fragment_aggregator_next(elelem_fragment_aggregator *aggregator,
                                                         elelem_completed_value *completed);

/* No more fragments will come: what is open is cut off by the end. */
ELELEM_API void elelem_fragment_aggregator_finish(elelem_fragment_aggregator *aggregator);

/* The same for a reason of the caller's: one of the CUT states. */
ELELEM_API void elelem_fragment_aggregator_cut(elelem_fragment_aggregator *aggregator, elelem_value_state reason);

ELELEM_API elelem_error elelem_fragment_aggregator_error(const elelem_fragment_aggregator *aggregator);
ELELEM_API void elelem_fragment_aggregator_reset(elelem_fragment_aggregator *aggregator);
ELELEM_API void elelem_fragment_aggregator_free(elelem_fragment_aggregator *aggregator);

/* The value so far, at no cost. No value before the first fragment. */
ELELEM_API elelem_value elelem_fragment_aggregator_value(const elelem_fragment_aggregator *aggregator);

ELELEM_API elelem_type elelem_value_type(elelem_value value);
ELELEM_API elelem_value_state elelem_value_how(elelem_value value); /* OPEN for no value */
ELELEM_API int elelem_value_is_complete(elelem_value value);

/* STRING: its bytes so far, whole characters. NUMBER, BOOL, NULL: the text as it was written. Else empty. */
ELELEM_API elelem_str elelem_value_text(elelem_value value);

/* The key it has as a member, the index it has as an element. */
ELELEM_API elelem_str elelem_value_key(elelem_value value);
ELELEM_API size_t elelem_value_index(elelem_value value);

/* Members and elements in document order, duplicates too: first, then next until no value. */
ELELEM_API elelem_value elelem_value_first(elelem_value value);
ELELEM_API elelem_value elelem_value_next(elelem_value value);
ELELEM_API elelem_value elelem_value_parent(elelem_value value);
ELELEM_API size_t elelem_value_count(elelem_value value); /* linear */

/* The member of that key, the last where there are several; the element of that index.
   No value where there is none. Linear in the members. */
ELELEM_API elelem_value elelem_value_get(elelem_value value, const char *key);
ELELEM_API elelem_value elelem_value_member(elelem_value value, elelem_str key);
ELELEM_API elelem_value elelem_value_at(elelem_value value, size_t index);

/* The value at a path below this one, spelled as a pattern without wildcards ("a.b[2]"). */
ELELEM_API elelem_value elelem_value_find(elelem_value value, const char *path);

/* OK; ERROR_TYPE: of another type; else as elelem_number_to_… says. */
ELELEM_API elelem_status elelem_value_to_bool(elelem_value value, int *boolean);
ELELEM_API elelem_status elelem_value_to_int64(elelem_value value, int64_t *number);
ELELEM_API elelem_status elelem_value_to_uint64(elelem_value value, uint64_t *number);
ELELEM_API elelem_status elelem_value_to_double(elelem_value value, double *number);

#ifdef __cplusplus
}
#endif

/* >> writer
 *
 * JSON text out (RFC 8259), into a sink of the caller's, compact or indented.
 * Nothing is built up first, so it needs no memory.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Where written bytes go. `write` takes all `size` bytes and answers OK, or a negative
   status, which the writer then keeps. A null `write` refuses with ERROR_SINK. */
typedef struct elelem_sink {
    elelem_status (*write)(void *context, const void *bytes, size_t size);
    void *context; /* the caller's */
} elelem_sink;

/* A sink that keeps the bytes in one growing block. */
typedef struct elelem_buffer {
    els_block els_memory;
    size_t els_size;
    size_t els_max;
} elelem_buffer;

/* `max_bytes` 0: no limit. A zeroed allocator is the C library's. */
ELELEM_API void elelem_buffer_init(elelem_buffer *buffer, elelem_allocator allocator, size_t max_bytes);
ELELEM_API elelem_sink elelem_buffer_sink(elelem_buffer *buffer);
/* Valid until the buffer is written to, cleared or freed. */
ELELEM_API elelem_str elelem_buffer_text(const elelem_buffer *buffer);
/* OK, ERROR_MEMORY, or ERROR_VALUE_SIZE beyond max_bytes; then nothing was added. */
ELELEM_API elelem_status elelem_buffer_append(elelem_buffer *buffer, const void *bytes, size_t size);
ELELEM_API void elelem_buffer_clear(elelem_buffer *buffer); /* keeps the memory */
ELELEM_API void elelem_buffer_free(elelem_buffer *buffer);

/* A sink over a fixed array: what does not fit is refused with ERROR_VALUE_SIZE. */
typedef struct elelem_span_sink {
    char *data;
    size_t capacity;
    size_t size;
} elelem_span_sink;
ELELEM_API elelem_sink elelem_span_sink_of(elelem_span_sink *span);

typedef struct elelem_writer {
    elelem_sink els_sink;
    int32_t els_status;
    uint32_t els_depth;
    uint8_t els_indent; /* blanks a level, 0: compact */
    uint8_t els_comma;  /* something stands before in this container */
    uint8_t els_after_key;
} elelem_writer;

/* `indent`: blanks a level; 0 writes no white space at all. */
ELELEM_API void elelem_writer_init(elelem_writer *writer, elelem_sink sink, unsigned indent);

/* All of these answer OK or the first error, which sticks; they put commas, colons
   and line ends where they belong. That calls come in an order which makes sense is
   the caller's business. Text must be UTF-8; what is not is written as U+FFFD. */
ELELEM_API elelem_status elelem_writer_begin(elelem_writer *writer, elelem_type container);
ELELEM_API elelem_status elelem_writer_end(elelem_writer *writer, elelem_type container);
ELELEM_API elelem_status elelem_writer_key(elelem_writer *writer, elelem_str key);
ELELEM_API elelem_status elelem_writer_string(elelem_writer *writer, elelem_str text);
ELELEM_API elelem_status elelem_writer_null(elelem_writer *writer);
ELELEM_API elelem_status elelem_writer_bool(elelem_writer *writer, int boolean);
ELELEM_API elelem_status elelem_writer_int64(elelem_writer *writer, int64_t number);
ELELEM_API elelem_status elelem_writer_uint64(elelem_writer *writer, uint64_t number);
/* JSON text as it is: a number kept as its text, or a value written elsewhere. */
ELELEM_API elelem_status elelem_writer_json(elelem_writer *writer, elelem_str json);
/* A string in pieces that end at whole characters: begin, any number of pieces, end. */
ELELEM_API elelem_status elelem_writer_string_begin(elelem_writer *writer);
ELELEM_API elelem_status elelem_writer_string_piece(elelem_writer *writer, elelem_str text);
ELELEM_API elelem_status elelem_writer_string_end(elelem_writer *writer);
/* A value, whole or partial, numbers as they were written. What is open is closed; no value is null. */
ELELEM_API elelem_status elelem_writer_value(elelem_writer *writer, elelem_value value);
ELELEM_API elelem_status elelem_writer_error(const elelem_writer *writer);

#ifdef __cplusplus
}
#endif

/* >> sse
 *
 * The event stream of the WHATWG HTML standard (section 9.2, Server-sent events),
 * both ways: bytes to frames, and events to bytes. Data is handed on in spans as
 * it arrives, so a frame of two megabytes needs no two megabytes of memory. It
 * knows nothing of JSON.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_frame_kind {
    ELELEM_FRAME_DATA,      /* text: a span of the event's data, never empty */
    ELELEM_FRAME_DISPATCH,  /* the event is whole: name, id, retry */
    ELELEM_FRAME_DISCARD,   /* the body stopped inside an event; name, id, retry as far as they came */
    ELELEM_FRAME_LINE       /* text: a piece of a line that is no field; line_end on its last piece */
} elelem_frame_kind;

/* One item of the decoder. Slices are valid until the next call on the decoder. */
typedef struct elelem_frame {
    uint8_t kind;        /* an elelem_frame_kind */
    uint8_t line_end;    /* LINE: nonzero where this piece is the line's last; its text may then be empty */
    elelem_str text;     /* DATA, LINE */
    elelem_str event;    /* DISPATCH, DISCARD: the event's name, empty where none was sent (a browser says "message") */
    elelem_str id;       /* DISPATCH, DISCARD: the last event id of the stream, which stays until another comes */
    int64_t retry_ms;    /* DISPATCH, DISCARD: the last reconnection time sent, -1 for none; saturates at INT64_MAX */
} elelem_frame;

typedef struct elelem_sse_decoder_desc {
    elelem_allocator allocator; /* for names and ids only */
    size_t max_name_bytes;      /* of an event's name or an id; 0: 4096. ERROR_LINE_SIZE beyond */
    size_t max_data_bytes;      /* of one event's data with the LFs between its lines; 0: no limit. ERROR_FRAME_SIZE beyond */
    uint8_t lines;              /* nonzero: hand out lines that are no field as LINE; comments never */
} elelem_sse_decoder_desc;

typedef struct elelem_sse_decoder {
    /* private; see sse.c */
    int els_todo;
} elelem_sse_decoder;

/* Zeroes mean the defaults above. Takes no memory before the first name or id. */
ELELEM_API void elelem_sse_decoder_init(elelem_sse_decoder *decoder, const elelem_sse_decoder_desc *desc);

/* Lends `size` bytes until next answers MORE. OK; ERROR_MISUSE: bytes are pending,
   or finish was called. After an error it does nothing and answers that error. */
ELELEM_API elelem_status elelem_sse_decoder_push(elelem_sse_decoder *decoder, const void *bytes, size_t size);

/* OK: a frame. MORE: push again, or finish. END: after finish, all is out.
   ERROR_LINE_SIZE, ERROR_FRAME_SIZE, ERROR_MEMORY stick until reset. */
ELELEM_API elelem_status elelem_sse_decoder_next(elelem_sse_decoder *decoder, elelem_frame *frame);

/* No more bytes will come. An event without its closing blank line comes out as DISCARD. */
ELELEM_API void elelem_sse_decoder_finish(elelem_sse_decoder *decoder);

/* Why next answered an error; status OK while there is none. */
ELELEM_API elelem_error elelem_sse_decoder_error(const elelem_sse_decoder *decoder);

/* Starts over, keeping the memory. */
ELELEM_API void elelem_sse_decoder_reset(elelem_sse_decoder *decoder);

/* Gives the memory back. A zeroed decoder may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_sse_decoder_free(elelem_sse_decoder *decoder);

#ifdef __cplusplus
}
#endif

/* >> event
 *
 * What comes out of a stream, whatever the provider: parts, flushes and one end.
 * Types and their names only.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_event_kind {
    ELELEM_EVENT_PART,     /* a piece of the item with this index */
    ELELEM_EVENT_FLUSH,    /* no more pieces of it will come; whether it is whole, its content says */
    ELELEM_EVENT_FINISHED, /* the one good end, last */
    ELELEM_EVENT_ERROR     /* the one bad end, last */
} elelem_event_kind;

typedef enum elelem_part_kind {
    ELELEM_PART_MESSAGE,    /* text for the reader */
    ELELEM_PART_REASONING,  /* text of the model's thinking */
    ELELEM_PART_STRUCTURED, /* JSON text of the answer the caller asked for as JSON */
    ELELEM_PART_TOOL_CALL
} elelem_part_kind;

typedef enum elelem_tool_call_part_kind {
    ELELEM_TOOL_CALL_START,         /* id and name, as far as known; more than one may come, the first that is not empty counts */
    ELELEM_TOOL_CALL_ARGUMENT_CHUNK /* a piece of the arguments' JSON text */
} elelem_tool_call_part_kind;

/* One entry of metadata: a key of this library's or of the provider's, and the JSON
   text of its value. Entries of one item merge: where a key comes again the later
   value counts, save that arrays are added to. */
typedef struct elelem_metadata_entry {
    elelem_str key;
    elelem_str json;
} elelem_metadata_entry;

typedef struct elelem_metadata {
    const elelem_metadata_entry *entries;
    size_t count;
} elelem_metadata;

/* The JSON text under a key; empty where there is none. */
ELELEM_API elelem_str elelem_metadata_get(const elelem_metadata *metadata, const char *key);

typedef struct elelem_tool_call_part {
    uint8_t kind;    /* an elelem_tool_call_part_kind */
    elelem_str id;   /* START: empty where not known (yet) */
    elelem_str name; /* START: empty where not known (yet) */
    elelem_str text; /* ARGUMENT_CHUNK: JSON text, never empty, cut anywhere but inside a character */
} elelem_tool_call_part;

typedef struct elelem_event_part {
    uint8_t kind;    /* an elelem_part_kind */
    elelem_str text; /* all but TOOL_CALL: whole characters; may be empty where metadata is the point */
    elelem_tool_call_part tool_call;
} elelem_event_part;

/* Why the model stopped. X(name, the name in records) */
#define ELELEM_FINISH_REASON_LIST(X) \
    X(COMPLETED, "completed")        \
    X(MAX_TOKENS, "max_tokens")      \
    X(TOOL_CALLS, "tool_calls")      \
    X(CONTENT_FILTER, "content_filter") \
    X(OTHER, "other")

typedef enum elelem_finish_reason {
#define ELELEM_FINISH_REASON_ENUM(name, text) ELELEM_FINISH_##name,
    ELELEM_FINISH_REASON_LIST(ELELEM_FINISH_REASON_ENUM)
#undef ELELEM_FINISH_REASON_ENUM
    ELELEM_FINISH_REASON_COUNT
} elelem_finish_reason;

/* Tokens, in the provider's own counting; -1 where it did not say. */
typedef struct elelem_usage {
    int64_t input;
    int64_t output;
    int64_t cached;    /* read from a cache */
    int64_t reasoning; /* spent on thinking */
} elelem_usage;

/* What went wrong. X(name, the name in records, whether trying again can help) */
#define ELELEM_ERROR_KIND_LIST(X)                                                               \
    X(OTHER, "other", 0)                                                                        \
    X(TIMEOUT, "timeout", 1)                   /* nothing came for the time the caller set */   \
    X(CONNECT, "connect", 1)                   /* the transport broke, or the body ended early */ \
    X(CANCELLED, "cancelled", 0)               /* by the caller */                              \
    X(RATE_LIMIT, "rate_limit", 1)             /* too many requests; wait */                    \
    X(QUOTA, "quota", 0)                       /* the account has nothing left */               \
    X(TRANSIENT, "transient", 1)               /* the provider is overloaded or failed */       \
    X(AUTHENTICATION, "authentication", 0)     /* key refused */                                \
    X(INVALID_REQUEST, "invalid_request", 0)                                                    \
    X(CONTENT_TOO_LONG, "content_too_long", 0) /* the request does not fit the model */         \
    X(CONTENT_FILTER, "content_filter", 0)                                                      \
    X(PROTOCOL, "protocol", 0)                 /* the bytes are not what the shape sends */     \
    X(LIMIT, "limit", 0)                       /* one of this library's limits, see desc */     \
    X(OUT_OF_MEMORY, "out_of_memory", 0)       /* the caller's allocator refused */             \
    X(RECOVERABLE, "recoverable", 0)           /* stale metadata in the request: patch it, see elelem_recovery_find */

typedef enum elelem_error_kind {
#define ELELEM_ERROR_KIND_ENUM(name, text, retryable) ELELEM_ERROR_KIND_##name,
    ELELEM_ERROR_KIND_LIST(ELELEM_ERROR_KIND_ENUM)
#undef ELELEM_ERROR_KIND_ENUM
    ELELEM_ERROR_KIND_COUNT
} elelem_error_kind;

typedef struct elelem_stream_error {
    uint8_t kind;           /* an elelem_error_kind */
    uint8_t retryable;      /* nonzero: the same request may succeed later */
    int32_t http_status;    /* 0 where none was told */
    int32_t status;         /* an elelem_status: PROTOCOL, LIMIT, OUT_OF_MEMORY: what this library found; else OK */
    int64_t retry_after_ms; /* the wait the server asked for; -1 for none */
    uint64_t offset;        /* bytes of the body read when it happened */
    elelem_str code;        /* the provider's own word for it, or empty */
    elelem_str message;     /* the provider's own sentence, or one of this library's; never empty */
} elelem_stream_error;

typedef struct elelem_event {
    uint8_t kind;             /* an elelem_event_kind */
    uint8_t reason;           /* FINISHED: an elelem_finish_reason, that of choice 0 */
    uint32_t index;           /* PART, FLUSH: which item; an opaque key, never used again in the stream */
    uint32_t choice;          /* PART, FLUSH: which of the answers asked for, from 0 */
    elelem_event_part part;   /* PART */
    elelem_str raw_reason;    /* FINISHED: the provider's own word */
    elelem_usage usage;       /* FINISHED */
    elelem_stream_error error; /* ERROR */
    elelem_metadata metadata; /* any kind */
} elelem_event;

/* A history entry to be mended: in the metadata list where `match_key` has this value, drop `remove_key`. */
typedef struct elelem_patch {
    elelem_str match_key;
    elelem_str match_value; /* decoded text, not JSON */
    elelem_str remove_key;
} elelem_patch;

/* "completed", "rate_limit" and so on, as in records; "other" for a number that is none. */
ELELEM_API const char *elelem_finish_reason_name(elelem_finish_reason reason);
ELELEM_API const char *elelem_error_kind_name(elelem_error_kind kind);

/* Nonzero for kinds where trying again can help when nothing else is known. */
ELELEM_API int elelem_error_kind_is_retryable(elelem_error_kind kind);

#ifdef __cplusplus
}
#endif

/* >> shape
 *
 * The seam between the one driver and a wire shape. A shape names the paths it wants
 * from a frame; the driver parses the frame, keeps those values as a document, and then
 * has the shape work on it in small steps. The room also reads what providers say when
 * they refuse: HTTP status, headers, error bodies. It knows no provider's frames.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct elelem_shape_context elelem_shape_context;

/* What the shape is asked to work on. */
typedef enum elelem_shape_frame {
    ELELEM_SHAPE_DATA, /* a frame's document */
    ELELEM_SHAPE_DONE  /* a frame with the text [DONE] */
} elelem_shape_frame;

/* One wire shape, as constant data. */
typedef struct elelem_shape {
    const char *name;
    const elelem_pattern_node *paths; /* what a frame's document holds; see fragment */
    size_t path_count;
    /* One step of work on the frame: emits at most ELELEM_SHAPE_EVENTS events.
       OK: call again; MORE: done with this frame; ERROR_PROTOCOL: the frame is not what
       the shape sends. It goes by the context's stage, position and cursors, which are
       zero when a frame begins. */
    elelem_status (*step)(elelem_shape_context *context);
    uint8_t reason_may_change; /* a finish reason counts only when the body has ended */
    uint8_t array_body;        /* a body that is one JSON array holds frames as its elements */
} elelem_shape;

/* Events that one step may emit at most, and the metadata entries they may carry together. */
#define ELELEM_SHAPE_EVENTS 4
#define ELELEM_SHAPE_METADATA 12
#define ELELEM_NO_INDEX 0xffffffff

/* The longest raw finish reason that is kept. */
#define ELELEM_SHAPE_RAW_REASON 64

/* Private: an event waiting to be taken. */
typedef struct els_out {
    elelem_event event;
    size_t text_offset; /* of the text in the scratch buffer, which may move until it is taken */
    uint8_t text_in_scratch;
    uint8_t metadata_first;
    uint8_t metadata_count;
} els_out;

typedef struct els_out_metadata {
    elelem_str key;
    size_t offset; /* in the scratch buffer */
    size_t size;
} els_out_metadata;

/* What a HTTP answer says beside its body. Private. */
typedef struct els_http {
    int64_t unix_seconds;   /* the caller's time, 0 for unknown */
    int64_t retry_after_ms; /* by retry-after-ms, -1 for none; the next ones likewise */
    int64_t retry_after;
    int64_t rate_reset;
    int32_t status;         /* 0: not told */
    int8_t should_retry;    /* x-should-retry: 1, 0; -1 for none */
} els_http;

/* What the driver and the shape share while a stream lasts. The first group is the
   shape's to use; the rest is private. */
struct elelem_shape_context {
    uint32_t stage;            /* zero when a frame begins */
    uint32_t position;         /* zero when a frame begins */
    elelem_value cursor[2];    /* no value when a frame begins */
    uint32_t memory[8];        /* zero when the stream begins */

    const elelem_shape *els_shape;
    elelem_value els_document;
    elelem_str els_event_name;
    elelem_event els_end;      /* FINISHED or ERROR as it will be given out */
    els_http els_answer;
    els_out els_queue[ELELEM_SHAPE_EVENTS];
    els_out_metadata els_metadata[ELELEM_SHAPE_METADATA];
    elelem_metadata_entry els_entries[ELELEM_SHAPE_METADATA];
    elelem_buffer els_scratch; /* JSON text of the events in els_queue */
    elelem_buffer els_usage;   /* the last raw usage */
    els_block els_items;
    els_block els_choices;
    els_block els_kept;
    size_t els_kept_size;
    size_t els_max_kept;
    uint32_t els_item_count;
    uint32_t els_choice_count;
    uint32_t els_max_items;
    uint32_t els_max_choices;
    uint32_t els_next_index;
    int32_t els_status;        /* an elelem_status: what emitting ran into */
    uint8_t els_out_count;
    uint8_t els_out_taken;
    uint8_t els_metadata_count;
    uint8_t els_metadata_used; /* entries that belong to events already emitted */
    uint8_t els_frame;         /* an elelem_shape_frame */
    uint8_t els_structured;
    uint8_t els_ended;         /* els_end is set */
    uint8_t els_any_frame;
    char els_raw_reason[ELELEM_SHAPE_RAW_REASON];
};

/* The frame. */

ELELEM_API elelem_shape_frame elelem_shape_frame_kind(const elelem_shape_context *context);

/* The values of the frame that the shape's paths name; the containers on the way to them
   are there too. Valid until the step that answers MORE has returned. */
ELELEM_API elelem_value elelem_shape_document(const elelem_shape_context *context);

/* The name of the SSE event; empty where there is none. */
ELELEM_API elelem_str elelem_shape_event_name(const elelem_shape_context *context);

/* Items: what a part index stands for while it is open. `key` is the wire's own number for
   it and belongs to the kind and choice. Where memory or a limit forbids, the answers are
   ELELEM_NO_INDEX, emitting to that does nothing, and the stream ends in an error. */

ELELEM_API uint32_t elelem_shape_item_open(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                           uint32_t key);
ELELEM_API uint32_t elelem_shape_item_find(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                           uint32_t key);

/* For wires that do not say where an item ends: the open text item of this kind and key in
   the choice, or a new one, before which the choice's other open text item is flushed. */
ELELEM_API uint32_t elelem_shape_item_continue(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                               uint32_t key);

/* Nonzero where the item has this id already or none yet; see elelem_shape_tool_start. */
ELELEM_API int elelem_shape_item_may_be(const elelem_shape_context *context, uint32_t index, elelem_str id);

/* Nonzero where a part of that kind was ever emitted for the choice. */
ELELEM_API int elelem_shape_choice_had(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind);

/* The kind that message text has in this stream: STRUCTURED where the caller asked for JSON. */
ELELEM_API elelem_part_kind elelem_shape_message_kind(const elelem_shape_context *context);

/* Metadata for the event that is emitted next. The key must live as long as the document. */

ELELEM_API void elelem_shape_metadata_json(elelem_shape_context *context, elelem_str key, elelem_str json);
ELELEM_API void elelem_shape_metadata_text(elelem_shape_context *context, const char *key, elelem_str text);
ELELEM_API void elelem_shape_metadata_value(elelem_shape_context *context, const char *key, elelem_value value);
ELELEM_API int elelem_shape_has_metadata(const elelem_shape_context *context);

/* Events. Texts must live as long as the document. Empty text is emitted only where
   metadata waits for it. */

ELELEM_API void elelem_shape_text(elelem_shape_context *context, uint32_t index, elelem_str text);

/* A tool call's id and name. Emits only what is new: the first id and the first name that
   are not empty; at the first call in any case. */
ELELEM_API void elelem_shape_tool_start(elelem_shape_context *context, uint32_t index, elelem_str id, elelem_str name);
ELELEM_API void elelem_shape_tool_arguments(elelem_shape_context *context, uint32_t index, elelem_str json);
ELELEM_API void elelem_shape_tool_arguments_value(elelem_shape_context *context, uint32_t index, elelem_value value);
ELELEM_API void elelem_shape_flush(elelem_shape_context *context, uint32_t index);

/* Flushes the open item of the choice with the lowest index; 0 where there is none left. */
ELELEM_API int elelem_shape_flush_one(elelem_shape_context *context, uint32_t choice);

/* The end. */

/* Why a choice stopped. `replace`: the last one counts, else the first. */
ELELEM_API void elelem_shape_reason(elelem_shape_context *context, uint32_t choice, elelem_finish_reason reason,
                                    elelem_str raw, int replace);
/* Nonzero where a reason for the choice is known. */
ELELEM_API int elelem_shape_has_reason(const elelem_shape_context *context, uint32_t choice);

/* The provider's counts, -1 for unknown, and its own JSON for them; the last call counts. */
ELELEM_API void elelem_shape_usage(elelem_shape_context *context, elelem_usage usage, elelem_value raw);

/* The shape's terminal signal: what is open is flushed, then FINISHED comes. */
ELELEM_API void elelem_shape_finish(elelem_shape_context *context);

/* Ends the stream with the error that the document tells of (an `error` member, or `object`
   "error"); 0 where it tells of none. */
ELELEM_API int elelem_shape_document_error(elelem_shape_context *context);

/* Ends the stream with an error of the shape's own. Retryable as its kind says. */
ELELEM_API void elelem_shape_error(elelem_shape_context *context, elelem_error_kind kind, elelem_str code,
                                   const char *message);

#ifdef __cplusplus
}
#endif

#endif

#if defined(ELELEM_STREAM_IMPLEMENTATION) && !defined(ELELEM_STREAM_IMPLEMENTED)
#define ELELEM_STREAM_IMPLEMENTED

/* >> base */

#include <string.h>
#ifndef ELELEM_NO_STDLIB
#include <stdlib.h>
#endif

/* Which private functions a build needs depends on the rooms it leaves in. */
#if defined(__GNUC__)
#define ELS_PRIVATE static __attribute__((unused))
#define ELS_INLINE static inline __attribute__((always_inline, unused))
#define ELS_NOINLINE static __attribute__((noinline, unused))
#define ELS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define ELS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#else
#define ELS_PRIVATE static
#define ELS_INLINE static inline
#define ELS_NOINLINE static
#define ELS_LIKELY(condition) (condition)
#define ELS_UNLIKELY(condition) (condition)
#endif

/* What a step of a state machine answers where the loop is to go on. */
#define ELS_AGAIN ((elelem_status)100)

elelem_str elelem_str_of(const char *text)
{
    elelem_str slice;

    slice.data = text;
    slice.size = text ? strlen(text) : 0;
    return slice;
}

ELS_INLINE elelem_str els_str(const void *data, size_t size)
{
    elelem_str slice;

    slice.data = (const char *)data;
    slice.size = size;
    return slice;
}

int elelem_str_equal(elelem_str a, elelem_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

int elelem_str_is(elelem_str slice, const char *text)
{
    return elelem_str_equal(slice, elelem_str_of(text));
}

const char *elelem_status_name(elelem_status status)
{
    switch (status) {
#define ELS_STATUS_NAME(name, value, sentence) \
    case ELELEM_##name: return "ELELEM_" #name;
        ELELEM_STATUS_LIST(ELS_STATUS_NAME)
#undef ELS_STATUS_NAME
    default: return "ELELEM_STATUS_UNKNOWN";
    }
}

const char *elelem_status_sentence(elelem_status status)
{
    switch (status) {
#define ELS_STATUS_SENTENCE(name, value, sentence) \
    case ELELEM_##name: return sentence;
        ELELEM_STATUS_LIST(ELS_STATUS_SENTENCE)
#undef ELS_STATUS_SENTENCE
    default: return "no status of this library";
    }
}

ELS_PRIVATE elelem_error els_error(elelem_status status, uint64_t offset)
{
    elelem_error error;

    error.status = status;
    error.offset = offset;
    error.message = elelem_status_sentence(status);
    return error;
}

/* The arena. A free span says its size and where the next one starts; spans lie
   in order of address, so neighbours are found when a block comes back. */

typedef struct els_span {
    size_t size;
    size_t next; /* offset, or the size of the memory for none */
} els_span;

#define ELS_GRAIN sizeof(els_span)

ELS_INLINE els_span *els_span_at(const elelem_arena *arena, size_t offset)
{
    return (els_span *)(void *)(arena->els_memory + offset);
}

/* Rounded up to whole grains; 0 where that does not fit a size. */
ELS_INLINE size_t els_grains(size_t size)
{
    return size > SIZE_MAX - (ELS_GRAIN - 1) ? 0 : (size + (ELS_GRAIN - 1)) / ELS_GRAIN * ELS_GRAIN;
}

/* The link that names the first free span at or behind `offset`. */
ELS_PRIVATE size_t *els_arena_link(elelem_arena *arena, size_t offset)
{
    size_t *link = &arena->els_free;

    while (*link < offset)
        link = &els_span_at(arena, *link)->next;
    return link;
}

ELS_PRIVATE void els_arena_count(elelem_arena *arena, size_t gone, size_t come)
{
    arena->els_used = arena->els_used - gone + come;
    if (arena->els_used > arena->els_peak) arena->els_peak = arena->els_used;
}

/* Cuts `size` bytes off the front of the free span that `link` names. */
ELS_PRIVATE void *els_arena_cut(elelem_arena *arena, size_t *link, size_t size)
{
    size_t offset = *link;
    els_span span = *els_span_at(arena, offset);

    if (span.size > size) {
        els_span *rest = els_span_at(arena, offset + size);
        rest->size = span.size - size;
        rest->next = span.next;
        *link = offset + size;
    } else {
        *link = span.next;
    }
    return arena->els_memory + offset;
}

ELS_PRIVATE void *els_arena_take(elelem_arena *arena, size_t size)
{
    size_t *link = &arena->els_free;

    while (*link < arena->els_size) {
        els_span *span = els_span_at(arena, *link);
        if (span->size >= size) {
            els_arena_count(arena, 0, size);
            return els_arena_cut(arena, link, size);
        }
        link = &span->next;
    }
    return NULL;
}

/* Puts a span back into the list and merges it with free neighbours. */
ELS_PRIVATE void els_arena_give(elelem_arena *arena, size_t offset, size_t size)
{
    size_t *link = &arena->els_free;
    els_span *before = NULL;
    els_span *span = els_span_at(arena, offset);

    while (*link < offset) {
        before = els_span_at(arena, *link);
        link = &before->next;
    }
    span->size = size;
    span->next = *link;
    *link = offset;
    if (span->next == offset + size && span->next < arena->els_size) {
        els_span *after = els_span_at(arena, span->next);
        span->size += after->size;
        span->next = after->next;
    }
    if (before && (unsigned char *)before + before->size == arena->els_memory + offset) {
        before->size += span->size;
        before->next = span->next;
    }
    els_arena_count(arena, size, 0);
}

/* Grows a block into the free span right behind it; 0 where there is not enough. */
ELS_PRIVATE int els_arena_extend(elelem_arena *arena, size_t offset, size_t old_size, size_t new_size)
{
    size_t *link = els_arena_link(arena, offset + old_size);
    size_t more = new_size - old_size;

    if (*link != offset + old_size || *link >= arena->els_size) return 0;
    if (els_span_at(arena, *link)->size < more) return 0;
    els_arena_cut(arena, link, more);
    els_arena_count(arena, 0, more);
    return 1;
}

ELS_PRIVATE void *els_arena_move(elelem_arena *arena, void *block, size_t old_size, size_t new_size)
{
    void *moved = els_arena_take(arena, new_size);

    if (!moved) return NULL;
    memcpy(moved, block, old_size);
    els_arena_give(arena, (size_t)((unsigned char *)block - arena->els_memory), old_size);
    return moved;
}

ELS_PRIVATE void *els_arena_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    elelem_arena *arena = (elelem_arena *)context;
    size_t before = els_grains(old_size);
    size_t after = els_grains(new_size);
    size_t offset;

    if (new_size > 0 && after == 0) return NULL;
    if (!block) return after > 0 ? els_arena_take(arena, after) : NULL;
    offset = (size_t)((unsigned char *)block - arena->els_memory);
    if (after <= before) {
        if (after < before) els_arena_give(arena, offset + after, before - after);
        return after > 0 ? block : NULL;
    }
    if (els_arena_extend(arena, offset, before, after)) return block;
    return els_arena_move(arena, block, before, after);
}

elelem_allocator elelem_arena_init(elelem_arena *arena, void *memory, size_t size)
{
    elelem_allocator allocator;
    size_t skip = (ELS_GRAIN - (size_t)((uintptr_t)memory % ELS_GRAIN)) % ELS_GRAIN;
    size_t room = memory && size > skip ? (size - skip) / ELS_GRAIN * ELS_GRAIN : 0;

    memset(arena, 0, sizeof *arena);
    arena->els_memory = room > 0 ? (unsigned char *)memory + skip : NULL;
    arena->els_size = room;
    if (room > 0) {
        els_span_at(arena, 0)->size = room;
        els_span_at(arena, 0)->next = room;
    }
    allocator.resize = els_arena_resize;
    allocator.context = arena;
    return allocator;
}

size_t elelem_arena_used(const elelem_arena *arena)
{
    return arena->els_used;
}

size_t elelem_arena_peak(const elelem_arena *arena)
{
    return arena->els_peak;
}

/* Blocks. */

ELS_PRIVATE void *els_resize(const elelem_allocator *allocator, void *block, size_t old_size, size_t new_size)
{
    if (allocator->resize) return allocator->resize(allocator->context, block, old_size, new_size);
#ifndef ELELEM_NO_STDLIB
    if (new_size > 0) return realloc(block, new_size);
    free(block);
#endif
    return NULL;
}

ELS_PRIVATE void els_block_free(els_block *block)
{
    if (block->data) els_resize(&block->allocator, block->data, block->capacity, 0);
    block->data = NULL;
    block->capacity = 0;
}

ELS_PRIVATE int els_block_set(els_block *block, size_t size)
{
    unsigned char *data = (unsigned char *)els_resize(&block->allocator, block->data, block->capacity, size);

    if (!data) return 0;
    block->data = data;
    block->capacity = size;
    return 1;
}

/* Makes room for `needed` bytes in all, never for more than `limit`: doubles, and
   where that is refused tries the exact size. OK, ERROR_MEMORY, or `over` where
   the limit is too small. */
ELS_PRIVATE elelem_status els_block_reserve(els_block *block, size_t needed, size_t limit, elelem_status over)
{
    size_t doubled;

    if (ELS_LIKELY(needed <= block->capacity)) return ELELEM_OK;
    if (needed > limit) return over;
    doubled = block->capacity < 32 ? 64 : block->capacity > limit / 2 ? limit : block->capacity * 2;
    if (doubled > limit) doubled = limit;
    if (doubled > needed && els_block_set(block, doubled)) return ELELEM_OK;
    return els_block_set(block, needed) ? ELELEM_OK : ELELEM_ERROR_MEMORY;
}

/* >> text */

#if !defined(ELELEM_NO_SIMD) && defined(__SSE2__)
#define ELS_SSE2
#include <emmintrin.h>
#elif !defined(ELELEM_NO_SIMD) && defined(__ARM_NEON) && defined(__aarch64__)
#define ELS_NEON
#include <arm_neon.h>
#endif

/* A byte of a JSON string that is not simply itself: a quote, a backslash, a control
   or part of a longer character. */
ELS_INLINE int els_is_special(unsigned char byte)
{
    return byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
}

ELS_INLINE const unsigned char *els_text_span_bytes(const unsigned char *at, const unsigned char *end)
{
    while (at < end && !els_is_special(*at))
        at++;
    return at;
}

#if defined(ELS_SSE2) || defined(ELS_NEON)

/* How far the first set bit of a mask stands; a mask has one bit a byte (SSE2) or four (NEON). */
ELS_INLINE unsigned els_first_bit(uint64_t mask)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(mask);
#else
    unsigned bit = 0;
    while (!(mask >> bit & 1))
        bit++;
    return bit;
#endif
}

#endif

#if defined(ELS_SSE2)

/* One bit for each special byte. As signed bytes, controls and all that is not ASCII
   lie below a blank, so one comparison finds both. */
ELS_INLINE unsigned els_special_mask(__m128i bytes)
{
    __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));

    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, slashes), low));
}

ELS_INLINE unsigned els_special_16(const unsigned char *at)
{
    return els_special_mask(_mm_loadu_si128((const __m128i *)(const void *)at));
}

ELS_INLINE unsigned els_special_8(const unsigned char *at)
{
    return els_special_mask(_mm_loadl_epi64((const __m128i *)(const void *)at)) & 0xff;
}

ELS_INLINE unsigned els_special_4(const unsigned char *at)
{
    int32_t word;

    memcpy(&word, at, sizeof word);
    return els_special_mask(_mm_cvtsi32_si128(word)) & 0xf;
}

/* Fewer than 16 bytes: overlapping loads that stay inside the bytes given. */
ELS_INLINE const unsigned char *els_text_span_tail(const unsigned char *at, const unsigned char *end)
{
    unsigned mask;

    if (end - at >= 8) {
        mask = els_special_8(at) | els_special_8(end - 8) << (end - at - 8);
        return mask ? at + els_first_bit(mask) : end;
    }
    if (end - at >= 4) {
        mask = els_special_4(at) | els_special_4(end - 4) << (end - at - 4);
        return mask ? at + els_first_bit(mask) : end;
    }
    return els_text_span_bytes(at, end);
}

/* The first special byte, or the end. */
ELS_INLINE const unsigned char *els_text_span(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 16) {
        unsigned mask = els_special_16(at);
        if (mask) return at + els_first_bit(mask);
        at += 16;
    }
    return els_text_span_tail(at, end);
}

#elif defined(ELS_NEON)

/* Four bits for each special byte. */
ELS_INLINE uint64_t els_special_16(const unsigned char *at)
{
    uint8x16_t bytes = vld1q_u8(at);
    uint8x16_t quotes = vceqq_u8(bytes, vdupq_n_u8('"'));
    uint8x16_t slashes = vceqq_u8(bytes, vdupq_n_u8('\\'));
    uint8x16_t low = vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20));
    uint8x16_t special = vorrq_u8(vorrq_u8(quotes, slashes), low);

    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(special), 4)), 0);
}

ELS_INLINE const unsigned char *els_text_span(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 16) {
        uint64_t mask = els_special_16(at);
        if (mask) return at + els_first_bit(mask) / 4;
        at += 16;
    }
    return els_text_span_bytes(at, end);
}

#else

/* Nonzero where one of eight bytes is special. The subtractions may mark bytes that are
   not, but only beside one that is. */
ELS_INLINE uint64_t els_special_8(const unsigned char *at)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t word, quotes, slashes;

    memcpy(&word, at, sizeof word);
    quotes = word ^ ones * '"';
    slashes = word ^ ones * '\\';
    return ((word - ones * 0x20) | word | ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes)) & ones * 0x80;
}

ELS_INLINE const unsigned char *els_text_span(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 8 && !els_special_8(at))
        at += 8;
    return els_text_span_bytes(at, end);
}

#endif

/* What may follow the first byte of a character (RFC 3629, 4). */
typedef struct els_lead {
    uint8_t more; /* bytes to come; 0: no character starts like this */
    uint8_t low;  /* range of the first of them; the others are 80 to BF */
    uint8_t high;
} els_lead;

ELS_INLINE els_lead els_lead_of(unsigned char byte)
{
    els_lead lead;

    lead.more = (uint8_t)(byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : byte < 0xf5 ? 3 : 0);
    lead.low = (uint8_t)(byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80);
    lead.high = (uint8_t)(byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf);
    return lead;
}

ELS_INLINE int els_is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* The size of the valid character of more than one byte at the start of four or more bytes, else 0. */
ELS_INLINE size_t els_character_size(const unsigned char *at)
{
    els_lead lead;

    if (at[0] < 0xe0) return at[0] >= 0xc2 && els_is_continuation(at[1]) ? 2 : 0;
    lead = els_lead_of(at[0]);
    if (at[1] < lead.low || at[1] > lead.high || !els_is_continuation(at[2])) return 0;
    if (at[0] < 0xf0) return 3;
    return lead.more == 3 && els_is_continuation(at[3]) ? 4 : 0;
}

/* Behind the whole valid characters of more than one byte that stand at the start; one
   that is cut by the end, or not valid, is left. */
ELS_INLINE const unsigned char *els_utf8_run(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 4 && *at >= 0x80) {
        size_t size = els_character_size(at);
        if (size == 0) return at;
        at += size;
    }
    while (at < end && *at >= 0x80) {
        unsigned char padded[4] = { 0, 0, 0, 0 };
        size_t size, left = (size_t)(end - at);
        memcpy(padded, at, left < 4 ? left : 4);
        size = els_character_size(padded);
        if (size == 0) return at;
        at += size;
    }
    return at;
}

/* The first byte of a JSON string that is not valid plain text: a quote, a backslash, a
   control, a character cut by the end or not valid; or the end. */
ELS_INLINE const unsigned char *els_text_plain(const unsigned char *at, const unsigned char *end)
{
    for (;;) {
        const unsigned char *run;
        at = els_text_span(at, end);
        if (ELS_LIKELY(at == end || *at < 0x80)) return at;
        run = els_utf8_run(at, end);
        if (run == at) return at;
        at = run;
    }
}

/* `size` or a little less, so that it does not end inside a character of the text. */
ELS_PRIVATE size_t els_whole_characters(const unsigned char *text, size_t size)
{
    while (size > 0 && els_is_continuation(text[size]))
        size--;
    return size;
}

size_t elelem_utf8_valid(elelem_str text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    const unsigned char *end = text.size > 0 ? at + text.size : at;

    while (at < end) {
        const unsigned char *run = *at < 0x80 ? at + 1 : els_utf8_run(at, end);
        if (run == at) break;
        at = run;
    }
    return text.size - (size_t)(end - at);
}

size_t elelem_utf8_encode(uint32_t character, char bytes[4])
{
    if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) character = 0xfffd;
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        bytes[0] = (char)(0xc0 | character >> 6);
        bytes[1] = (char)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character < 0x10000) {
        bytes[0] = (char)(0xe0 | character >> 12);
        bytes[1] = (char)(0x80 | (character >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (character & 0x3f));
        return 3;
    }
    bytes[0] = (char)(0xf0 | character >> 18);
    bytes[1] = (char)(0x80 | (character >> 12 & 0x3f));
    bytes[2] = (char)(0x80 | (character >> 6 & 0x3f));
    bytes[3] = (char)(0x80 | (character & 0x3f));
    return 4;
}

/* >> fragment */

/* What the parser waits for. */
typedef enum els_json_state {
    ELS_JSON_VALUE,         /* a value */
    ELS_JSON_FIRST_ELEMENT, /* a value, or ] */
    ELS_JSON_FIRST_KEY,     /* a key, or } */
    ELS_JSON_KEY,           /* a key */
    ELS_JSON_COLON,         /* the colon behind a key */
    ELS_JSON_COMMA,         /* what follows a value: a comma or the container's end */
    ELS_JSON_OPENED,        /* nothing: BEGIN was given out, its level is still to be entered */
    ELS_JSON_TEXT,          /* the text of a string or key, or its closing quote */
    ELS_JSON_CHARACTER,     /* the rest of a character in such a text */
    ELS_JSON_ESCAPE,        /* the letter behind a backslash */
    ELS_JSON_UNIT,          /* the four digits behind \u */
    ELS_JSON_LOW_BACKSLASH, /* behind a high surrogate: the backslash of the low one */
    ELS_JSON_LOW_LETTER,    /* and its u */
    ELS_JSON_LITERAL,       /* the rest of null, true or false */
    ELS_JSON_NUMBER,        /* the minus or first digit of a number */
    ELS_JSON_MINUS,         /* the first digit behind the minus */
    ELS_JSON_ZERO,          /* what follows a leading zero */
    ELS_JSON_INTEGER,       /* more digits, a point, an exponent or the end */
    ELS_JSON_POINT,         /* the first digit behind the point */
    ELS_JSON_FRACTION,      /* more digits, an exponent or the end */
    ELS_JSON_EXPONENT,      /* a sign or the first digit */
    ELS_JSON_SIGN,          /* the first digit behind the sign */
    ELS_JSON_POWER,         /* more digits or the end */
    ELS_JSON_SCALAR_DONE,   /* nothing: a scalar was given out, its DONE is next */
    ELS_JSON_TRAIL,         /* nothing but white space, in a single document */
    ELS_JSON_END,           /* nothing: the root value is complete */
    ELS_JSON_FAILED         /* nothing: an error sticks */
} els_json_state;

/* In place of the kind that was given out last. */
#define ELS_JSON_NOTHING 0xff

#define ELS_DEFAULT(value, standard) ((value) ? (value) : (standard))

const char *elelem_type_name(elelem_type type)
{
    switch (type) {
    case ELELEM_TYPE_NULL: return "null";
    case ELELEM_TYPE_BOOL: return "bool";
    case ELELEM_TYPE_NUMBER: return "number";
    case ELELEM_TYPE_STRING: return "string";
    case ELELEM_TYPE_ARRAY: return "array";
    case ELELEM_TYPE_OBJECT: return "object";
    default: return "none";
    }
}

/* Patterns.

   pattern = [ first *( "." member / element ) ]      first = member / element
   member  = "*" / 1*plain / quoted                   element = "[" ( "*" / digits / quoted ) "]"

   A quoted key stands in brackets only. */

ELS_PRIVATE int els_is_plain_key(unsigned char byte)
{
    return byte > 0x20 && !strchr(".[]*\"\\", byte);
}

ELS_PRIVATE elelem_status els_pattern_index(els_cursor *in, elelem_pattern_node *node)
{
    uint64_t index = 0;
    const unsigned char *start = in->at;

    while (in->at < in->end && *in->at >= '0' && *in->at <= '9' && index <= UINT32_MAX)
        index = index * 10 + (uint64_t)(*in->at++ - '0');
    if (in->at == start || index > UINT32_MAX) return ELELEM_ERROR_PATTERN;
    node->kind = ELELEM_PATTERN_INDEX;
    node->size = (uint32_t)index;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_pattern_quoted(els_cursor *in, elelem_pattern_node *node)
{
    const unsigned char *start = ++in->at;

    node->kind = ELELEM_PATTERN_KEY;
    while (in->at < in->end && *in->at != '"') {
        if (*in->at == '\\') {
            node->kind = ELELEM_PATTERN_QUOTED_KEY;
            in->at++;
            if (in->at == in->end || (*in->at != '"' && *in->at != '\\')) return ELELEM_ERROR_PATTERN;
        }
        in->at++;
    }
    if (in->at == in->end) return ELELEM_ERROR_PATTERN;
    node->key = (const char *)start;
    node->size = (uint32_t)(in->at - start);
    in->at++;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_pattern_brackets(els_cursor *in, elelem_pattern_node *node)
{
    elelem_status status = ELELEM_OK;

    in->at++;
    if (in->at < in->end && *in->at == '*') {
        node->kind = ELELEM_PATTERN_ANY_INDEX;
        in->at++;
    } else if (in->at < in->end && *in->at == '"') {
        status = els_pattern_quoted(in, node);
    } else {
        status = els_pattern_index(in, node);
    }
    if (status != ELELEM_OK) return status;
    if (in->at == in->end || *in->at != ']') return ELELEM_ERROR_PATTERN;
    in->at++;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_pattern_member(els_cursor *in, elelem_pattern_node *node)
{
    const unsigned char *start = in->at;

    if (in->at < in->end && *in->at == '*') {
        node->kind = ELELEM_PATTERN_ANY_KEY;
        in->at++;
        return ELELEM_OK;
    }
    while (in->at < in->end && els_is_plain_key(*in->at))
        in->at++;
    if (in->at == start) return ELELEM_ERROR_PATTERN;
    node->kind = ELELEM_PATTERN_KEY;
    node->key = (const char *)start;
    node->size = (uint32_t)(in->at - start);
    return ELELEM_OK;
}

/* Reads the next step of a pattern that starts at `start`; END where it is over. */
ELS_PRIVATE elelem_status els_pattern_step(els_cursor *in, const unsigned char *start, elelem_pattern_node *node)
{
    memset(node, 0, sizeof *node);
    if (in->at == in->end) return ELELEM_END;
    if (*in->at == '[') return els_pattern_brackets(in, node);
    if (in->at != start) {
        if (*in->at != '.') return ELELEM_ERROR_PATTERN;
        in->at++;
    }
    return els_pattern_member(in, node);
}

ELS_PRIVATE els_cursor els_cursor_of(const void *bytes, size_t size)
{
    els_cursor cursor;

    cursor.at = bytes ? (const unsigned char *)bytes : (const unsigned char *)"";
    cursor.end = cursor.at + (bytes ? size : 0);
    return cursor;
}

/* Compares a key with one that has backslashes before quotes and backslashes. */
ELS_PRIVATE int els_quoted_key_is(const elelem_pattern_node *node, elelem_str key)
{
    size_t i, read = 0;

    for (i = 0; i < node->size; i++) {
        if (node->key[i] == '\\') i++;
        if (read == key.size || node->key[i] != key.data[read]) return 0;
        read++;
    }
    return read == key.size;
}

ELS_INLINE int els_node_matches(const elelem_pattern_node *node, const elelem_segment *segment)
{
    int is_member = segment->key.data != NULL;

    switch (node->kind) {
    case ELELEM_PATTERN_KEY:
        return is_member && segment->key.size == node->size && memcmp(segment->key.data, node->key, node->size) == 0;
    case ELELEM_PATTERN_QUOTED_KEY: return is_member && els_quoted_key_is(node, segment->key);
    case ELELEM_PATTERN_ANY_KEY: return is_member;
    case ELELEM_PATTERN_INDEX: return !is_member && segment->index == node->size;
    default: return !is_member;
    }
}

int elelem_path_is(const elelem_path *path, const char *pattern)
{
    els_cursor in = els_cursor_of(pattern, elelem_str_of(pattern).size);
    const unsigned char *start = in.at;
    elelem_pattern_node node;
    size_t i;

    for (i = 0; i < path->count; i++) {
        if (els_pattern_step(&in, start, &node) != ELELEM_OK) return 0;
        if (!els_node_matches(&node, &path->segments[i])) return 0;
    }
    return els_pattern_step(&in, start, &node) == ELELEM_END;
}

ELS_PRIVATE int els_same_node(const elelem_pattern_node *a, const elelem_pattern_node *b)
{
    return a->parent == b->parent && a->kind == b->kind && a->size == b->size &&
           (!a->key || memcmp(a->key, b->key, a->size) == 0);
}

/* The node like `wanted` in the tree, which is added where it is new; `capacity` where it does not fit. */
ELS_PRIVATE size_t els_pattern_place(elelem_pattern_node *nodes, size_t *count, size_t capacity,
                                     const elelem_pattern_node *wanted)
{
    size_t i;

    for (i = 1; i < *count; i++)
        if (els_same_node(&nodes[i], wanted)) return i;
    if (*count >= capacity) return capacity;
    nodes[*count] = *wanted;
    return (*count)++;
}

/* Adds one pattern to the tree and says which node it ends at. */
ELS_PRIVATE elelem_status els_pattern_add(elelem_pattern_node *nodes, size_t *count, size_t capacity, els_cursor *in,
                                          uint16_t *which)
{
    const unsigned char *start = in->at;
    elelem_pattern_node node;
    elelem_status status;
    size_t at = 0;

    while ((status = els_pattern_step(in, start, &node)) == ELELEM_OK) {
        node.parent = (uint16_t)at;
        at = els_pattern_place(nodes, count, capacity, &node);
        if (at == capacity) return ELELEM_ERROR_COUNT;
    }
    if (status != ELELEM_END) return status;
    nodes[at].wanted = 1;
    *which = (uint16_t)at;
    return ELELEM_OK;
}

elelem_status elelem_patterns_compile(elelem_patterns *patterns, elelem_pattern_node *nodes, size_t capacity,
                                      const char *const *texts, size_t count, uint16_t *which, elelem_error *error)
{
    elelem_status status = ELELEM_OK;
    size_t i, used = 1;
    uint16_t node = 0;

    if (capacity > ELELEM_NO_PATTERN) capacity = ELELEM_NO_PATTERN;
    patterns->nodes = nodes;
    patterns->count = 0;
    if (error) *error = els_error(ELELEM_OK, 0);
    if (capacity == 0) {
        if (error) *error = els_error(ELELEM_ERROR_COUNT, 0);
        return ELELEM_ERROR_COUNT;
    }
    memset(&nodes[0], 0, sizeof nodes[0]);
    for (i = 0; i < count && status == ELELEM_OK; i++) {
        els_cursor in = els_cursor_of(texts[i], elelem_str_of(texts[i]).size);
        const unsigned char *start = in.at;
        status = els_pattern_add(nodes, &used, capacity, &in, &node);
        if (which) which[i] = node;
        if (status != ELELEM_OK && error) *error = els_error(status, (uint64_t)(in.at - start));
    }
    if (status == ELELEM_OK) patterns->count = used;
    return status;
}

/* Whether the path from the root to the segment with this index is the one that leads to the node. */
ELS_PRIVATE int els_node_names(const elelem_patterns *patterns, size_t node, const elelem_path *path, size_t count)
{
    while (node != 0 && count > 0) {
        const elelem_pattern_node *step = &patterns->nodes[node];
        if (!els_node_matches(step, &path->segments[count - 1])) return 0;
        node = step->parent;
        count--;
    }
    return node == 0 && count == 0;
}

ELS_PRIVATE size_t els_node_depth(const elelem_patterns *patterns, size_t node)
{
    size_t depth = 0;

    for (; node != 0; node = patterns->nodes[node].parent)
        depth++;
    return depth;
}

uint16_t elelem_patterns_find(const elelem_patterns *patterns, const elelem_path *path)
{
    size_t i, best = ELELEM_NO_PATTERN, best_depth = path->count + 1;

    for (i = 0; i < patterns->count; i++) {
        size_t depth;
        if (!patterns->nodes[i].wanted) continue;
        depth = els_node_depth(patterns, i);
        if (depth >= best_depth || !els_node_names(patterns, i, path, depth)) continue;
        best = i;
        best_depth = depth;
    }
    return (uint16_t)best;
}

elelem_scalar elelem_fragment_scalar(const elelem_fragment *fragment)
{
    elelem_scalar scalar = ELELEM_INIT;

    if (fragment->kind != ELELEM_FRAGMENT_SCALAR) return scalar;
    scalar.text = fragment->text;
    scalar.type = fragment->type;
    scalar.boolean = fragment->type == ELELEM_TYPE_BOOL && fragment->text.size == 4;
    return scalar;
}

/* Errors and offsets. */

ELS_INLINE uint64_t els_json_offset(const elelem_fragment_parser *p, const els_cursor *in)
{
    return p->els_end_offset - (uint64_t)(in->end - in->at);
}

ELS_NOINLINE elelem_status els_json_fail_at(elelem_fragment_parser *p, elelem_status status, uint64_t offset)
{
    p->els_status = status;
    p->els_error_offset = offset;
    p->els_state = ELS_JSON_FAILED;
    return status;
}

/* The byte at the cursor is the first that cannot be right. */
ELS_NOINLINE elelem_status els_json_fail(elelem_fragment_parser *p, const els_cursor *in, elelem_status status)
{
    return els_json_fail_at(p, status, els_json_offset(p, in));
}

/* The block: the segments of the path, and behind them the byte stack, on which the keys
   of the path lie in order, each with the pattern nodes that are still possible there. A
   key or number being put together, or the bracket bits of a skipped value, lie on top. */

ELS_INLINE elelem_segment *els_json_segments(const elelem_fragment_parser *p)
{
    return (elelem_segment *)(void *)p->els_memory.data;
}

ELS_INLINE unsigned char *els_json_stack(const elelem_fragment_parser *p)
{
    return p->els_memory.data + p->els_stack_start;
}

ELS_INLINE elelem_segment *els_json_top(const elelem_fragment_parser *p)
{
    return els_json_segments(p) + (p->els_path.count - 1);
}

/* Points keys and path at the block, which may have moved. */
ELS_PRIVATE void els_json_rebase(elelem_fragment_parser *p)
{
    elelem_segment *segments = els_json_segments(p);
    size_t i;

    for (i = 0; i < p->els_path.count; i++)
        if (segments[i].key.data) segments[i].key.data = (const char *)els_json_stack(p) + segments[i].els_base;
    p->els_path.segments = segments;
}

/* Room for so many segments and so many bytes on the stack. `used` bytes of it are kept. */
ELS_NOINLINE elelem_status els_json_grow(elelem_fragment_parser *p, size_t segments, size_t used, size_t bytes)
{
    uint64_t start = (uint64_t)segments * sizeof(elelem_segment);
    elelem_status status;

    if (start > UINT32_MAX || bytes > UINT32_MAX || start + bytes > SIZE_MAX) return ELELEM_ERROR_MEMORY;
    status = els_block_reserve(&p->els_memory, (size_t)start + bytes, SIZE_MAX, ELELEM_ERROR_MEMORY);
    if (status != ELELEM_OK) return status;
    if (start != p->els_stack_start) {
        memmove(p->els_memory.data + start, els_json_stack(p), used);
        p->els_stack_start = (uint32_t)start;
    }
    els_json_rebase(p);
    return ELELEM_OK;
}

/* Room for `more` bytes above the `used` ones of the stack. */
ELS_INLINE elelem_status els_json_reserve(elelem_fragment_parser *p, size_t used, size_t more)
{
    if (ELS_LIKELY(p->els_stack_start + used + more <= p->els_memory.capacity)) return ELELEM_OK;
    return els_json_grow(p, p->els_stack_start / sizeof(elelem_segment), used, used + more);
}

/* Enters the container that was opened: a segment for what is in it. */
ELS_PRIVATE elelem_status els_json_descend(elelem_fragment_parser *p)
{
    elelem_segment *segment;
    size_t count = p->els_path.count;

    if ((count + 1) * sizeof *segment > p->els_stack_start) {
        elelem_status status = els_json_grow(p, count < 4 ? 4 : count * 2, p->els_stack_size, p->els_stack_size + 32u);
        if (status != ELELEM_OK) return status;
    }
    segment = els_json_segments(p) + count;
    segment->key.data = p->els_in_object ? (const char *)els_json_stack(p) + p->els_stack_size : NULL;
    segment->key.size = 0;
    segment->index = 0;
    segment->els_base = p->els_stack_size;
    segment->els_active = 0;
    p->els_path.count = count + 1;
    return ELELEM_OK;
}

/* Leaves the innermost container of the path. */
ELS_INLINE void els_json_ascend(elelem_fragment_parser *p)
{
    elelem_segment *segment = els_json_top(p);

    p->els_stack_size = segment->els_base;
    p->els_path_bytes -= (uint32_t)segment->key.size;
    p->els_path.count--;
    p->els_in_object = p->els_path.count > 0 && els_json_top(p)->key.data != NULL;
}

/* Forgets the key of the member before, to make place for the next one. */
ELS_INLINE void els_json_drop_key(elelem_fragment_parser *p)
{
    elelem_segment *segment = els_json_top(p);

    p->els_stack_size = segment->els_base;
    p->els_path_bytes -= (uint32_t)segment->key.size;
    segment->key.size = 0;
    segment->els_active = 0;
}

/* Which kinds of bracket are open inside a value that is skipped: one bit each. */

ELS_PRIVATE elelem_status els_json_skip_into(elelem_fragment_parser *p, int is_object)
{
    unsigned char *bits;
    size_t byte = p->els_skip_depth / 8;
    unsigned mask = 1u << p->els_skip_depth % 8;
    elelem_status status = els_json_reserve(p, p->els_stack_size + byte, 1);

    if (status != ELELEM_OK) return status;
    bits = els_json_stack(p) + p->els_stack_size;
    if (mask == 1) bits[byte] = 0;
    bits[byte] = (unsigned char)(is_object ? bits[byte] | mask : bits[byte] & ~mask);
    p->els_skip_depth++;
    p->els_in_object = (uint8_t)is_object;
    return ELELEM_OK;
}

ELS_PRIVATE void els_json_skip_out(elelem_fragment_parser *p)
{
    p->els_skip_depth--;
    if (p->els_skip_depth == 0) {
        p->els_in_object = p->els_path.count > 0 && els_json_top(p)->key.data != NULL;
    } else {
        const unsigned char *bits = els_json_stack(p) + p->els_stack_size;
        uint32_t i = p->els_skip_depth - 1;
        p->els_in_object = bits[i / 8] >> i % 8 & 1;
    }
}

/* Who wants the value that begins? */

ELS_INLINE uint16_t els_json_active(const unsigned char *list, size_t i)
{
    uint16_t node;

    memcpy(&node, list + i * sizeof node, sizeof node);
    return node;
}

/* Whether a node is in a list of them, which is in order. */
ELS_PRIVATE int els_json_is_active(const unsigned char *list, size_t count, uint16_t node)
{
    while (count > 1) {
        size_t half = count / 2;
        if (els_json_active(list, half) <= node) {
            list += half * sizeof node;
            count -= half;
        } else {
            count = half;
        }
    }
    return count == 1 && els_json_active(list, 0) == node;
}

/* Adds a node to the list on top of the stack. */
ELS_PRIVATE elelem_status els_json_activate(elelem_fragment_parser *p, uint16_t node)
{
    elelem_status status = els_json_reserve(p, p->els_stack_size, sizeof node);

    if (status != ELELEM_OK) return status;
    memcpy(els_json_stack(p) + p->els_stack_size, &node, sizeof node);
    p->els_stack_size += (uint32_t)sizeof node;
    els_json_top(p)->els_active++;
    return ELELEM_OK;
}

/* Whether the innermost segment may lie below the node: one on the list of the segment before. */
ELS_INLINE int els_json_continues(const elelem_fragment_parser *p, uint16_t node)
{
    const elelem_segment *before;

    if (p->els_path.count == 1) return node == 0;
    before = els_json_top(p) - 1;
    return els_json_is_active(els_json_stack(p) + before->els_base + before->key.size, before->els_active, node);
}

/* Lists in the innermost segment the pattern nodes that the path to this value can be. */
ELS_PRIVATE elelem_status els_json_match_segment(elelem_fragment_parser *p)
{
    elelem_segment *top = els_json_top(p);
    size_t i;

    p->els_stack_size = top->els_base + (uint32_t)top->key.size;
    top->els_active = 0;
    for (i = 1; i < p->els_patterns->count; i++) {
        const elelem_pattern_node *node = &p->els_patterns->nodes[i];
        if (!els_json_continues(p, node->parent) || !els_node_matches(node, els_json_top(p))) continue;
        if (node->wanted && p->els_pattern == ELELEM_NO_PATTERN) p->els_pattern = (uint16_t)i;
        if (els_json_activate(p, (uint16_t)i) != ELELEM_OK) return ELELEM_ERROR_MEMORY;
    }
    return ELELEM_OK;
}

/* Decides for the value that begins whether it is given out, only led through, or skipped. */
ELS_PRIVATE elelem_status els_json_match(elelem_fragment_parser *p)
{
    int possible;

    p->els_pattern = ELELEM_NO_PATTERN;
    if (p->els_path.count == 0) {
        possible = p->els_patterns->count > 0;
        if (possible && p->els_patterns->nodes[0].wanted) p->els_pattern = 0;
    } else {
        elelem_status status = els_json_match_segment(p);
        if (status != ELELEM_OK) return status;
        possible = els_json_top(p)->els_active > 0;
    }
    if (p->els_pattern != ELELEM_NO_PATTERN) p->els_inside = (uint32_t)p->els_path.count + 1;
    p->els_skipping = !possible;
    return ELELEM_OK;
}

/* Nonzero where fragments of the value being read go out. */
ELS_INLINE int els_json_is_wanted(const elelem_fragment_parser *p)
{
    return !p->els_patterns || p->els_inside;
}

/* Giving out. */

ELS_INLINE elelem_status els_json_give(elelem_fragment_parser *p, elelem_fragment *out, elelem_fragment_kind kind,
                                       elelem_type type, const void *text, size_t size)
{
    out->path = &p->els_path;
    out->text.data = (const char *)text;
    out->text.size = size;
    out->kind = (uint8_t)kind;
    out->type = (uint8_t)type;
    out->pattern = p->els_pattern;
    p->els_last = (uint8_t)kind;
    return ELELEM_OK;
}

/* A value ended: gives out its DONE, where somebody wants it. */
ELS_INLINE elelem_status els_json_done(elelem_fragment_parser *p, elelem_fragment *out, elelem_type type)
{
    int wanted = els_json_is_wanted(p) && !p->els_skipping;

    p->els_state = ELS_JSON_COMMA;
    if (p->els_skip_depth > 0) return ELS_AGAIN;
    p->els_skipping = 0;
    if (p->els_path.count == 0) p->els_state = p->els_single ? ELS_JSON_TRAIL : ELS_JSON_END;
    if (p->els_inside == p->els_path.count + 1) p->els_inside = 0;
    if (!wanted) return ELS_AGAIN;
    return els_json_give(p, out, ELELEM_FRAGMENT_DONE, type, NULL, 0);
}

/* Text of strings and keys. */

/* The whole characters of the text that a limit still allows; nothing where the text came from an escape. */
ELS_PRIVATE size_t els_json_allowed(const unsigned char *text, size_t size, uint64_t left, int is_plain)
{
    if (size <= left) return size;
    return is_plain ? els_whole_characters(text, (size_t)left) : 0;
}

/* Adds text to the key on top of the stack. `back` is how far behind the cursor the text starts in the input. */
ELS_PRIVATE elelem_status els_json_key_text(elelem_fragment_parser *p, const els_cursor *in, const unsigned char *text,
                                            size_t size, size_t back)
{
    uint32_t key_left = p->els_max_key - p->els_token_size;
    uint32_t path_left = p->els_max_path - p->els_path_bytes - p->els_token_size;
    uint32_t left = key_left < path_left ? key_left : path_left;
    size_t used = p->els_stack_size + (size_t)p->els_token_size;

    if (ELS_UNLIKELY(size > left)) {
        uint64_t allowed = els_json_allowed(text, size, left, size == back);
        return els_json_fail_at(p, left == key_left ? ELELEM_ERROR_KEY_SIZE : ELELEM_ERROR_PATH_SIZE,
                                els_json_offset(p, in) - back + allowed);
    }
    if (els_json_reserve(p, used, size) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    memcpy(els_json_stack(p) + used, text, size);
    p->els_token_size += (uint32_t)size;
    return ELS_AGAIN;
}

/* A string that runs into its limit: gives out what is allowed, and fails where that is nothing. */
ELS_NOINLINE elelem_status els_json_long_string(elelem_fragment_parser *p, els_cursor *in, const unsigned char *text,
                                                size_t size, size_t back, elelem_fragment *out)
{
    size_t allowed = els_json_allowed(text, size, p->els_string_left, size == back);

    if (allowed == 0) return els_json_fail_at(p, ELELEM_ERROR_STRING_SIZE, els_json_offset(p, in) - back);
    in->at -= size - allowed;
    p->els_string_left -= allowed;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, text, allowed);
}

/* Text of a string or key, decoded. `back` is how far behind the cursor it starts in the input; it differs
   from `size` only for escapes. */
ELS_INLINE elelem_status els_json_text(elelem_fragment_parser *p, els_cursor *in, const unsigned char *text, size_t size,
                                       size_t back, elelem_fragment *out)
{
    if (ELS_UNLIKELY(p->els_skipping)) return ELS_AGAIN;
    if (p->els_in_key) return els_json_key_text(p, in, text, size, back);
    if (ELS_UNLIKELY(size > p->els_string_left)) return els_json_long_string(p, in, text, size, back, out);
    p->els_string_left -= size;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, text, size);
}

/* The key is whole: it becomes the innermost segment. */
ELS_INLINE elelem_status els_json_key_done(elelem_fragment_parser *p)
{
    p->els_in_key = 0;
    p->els_state = ELS_JSON_COLON;
    if (!p->els_skipping) {
        elelem_segment *top = els_json_top(p);
        top->key.size = p->els_token_size;
        p->els_stack_size += p->els_token_size;
        p->els_path_bytes += p->els_token_size;
    }
    return ELS_AGAIN;
}

ELS_INLINE elelem_status els_json_quote(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    in->at++;
    if (p->els_in_key) return els_json_key_done(p);
    return els_json_done(p, out, ELELEM_TYPE_STRING);
}

/* The first byte of a character that is cut by the end of the chunk, or is none. */
ELS_PRIVATE elelem_status els_json_lead(elelem_fragment_parser *p, els_cursor *in)
{
    els_lead lead = els_lead_of(*in->at);

    if (lead.more == 0) return els_json_fail(p, in, ELELEM_ERROR_UTF8);
    p->els_need = lead.more;
    p->els_low = lead.low;
    p->els_limit = lead.high;
    p->els_carry[0] = *in->at++;
    p->els_carry_size = 1;
    p->els_state = ELS_JSON_CHARACTER;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_json_character(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    while (p->els_need > 0) {
        if (in->at == in->end) return ELELEM_MORE;
        if (*in->at < p->els_low || *in->at > p->els_limit) return els_json_fail(p, in, ELELEM_ERROR_UTF8);
        p->els_low = 0x80;
        p->els_limit = 0xbf;
        p->els_carry[p->els_carry_size++] = *in->at++;
        p->els_need--;
    }
    p->els_state = ELS_JSON_TEXT;
    return els_json_text(p, in, p->els_carry, p->els_carry_size, p->els_carry_size, out);
}

/* A byte that ends a run of plain text. */
ELS_INLINE elelem_status els_json_special(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    unsigned char byte = *in->at;

    if (byte == '"') return els_json_quote(p, in, out);
    if (byte >= 0x80) return els_json_lead(p, in);
    if (byte != '\\') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    p->els_state = ELS_JSON_ESCAPE;
    return ELS_AGAIN;
}

/* Plain text from `start`, which lies before or at the cursor. */
ELS_INLINE elelem_status els_json_run(elelem_fragment_parser *p, els_cursor *in, const unsigned char *start,
                                      elelem_fragment *out)
{
    size_t size;

    in->at = els_text_plain(in->at, in->end);
    size = (size_t)(in->at - start);
    if (size > 0) return els_json_text(p, in, start, size, size, out);
    if (in->at == in->end) return ELELEM_MORE;
    return els_json_special(p, in, out);
}

/* escape = "\" ( quote / "\" / "/" / b / f / n / r / t / u 4HEX )   (RFC 8259, 7) */
static const char els_escape_letters[] = "bfnrt";
static const unsigned char els_escape_bytes[] = { '\b', '\f', '\n', '\r', '\t' };

/* The half of a pair that never got its other half is given out as U+FFFD. */
static const unsigned char els_replacement[3] = { 0xef, 0xbf, 0xbd };

ELS_PRIVATE elelem_status els_json_escape(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const char *letter;
    unsigned char byte;

    if (in->at == in->end) return ELELEM_MORE;
    byte = *in->at;
    if (byte == '"' || byte == '\\' || byte == '/') {
        /* The byte stands for itself, so a run of plain text may start with it. */
        p->els_state = ELS_JSON_TEXT;
        in->at++;
        return els_json_run(p, in, in->at - 1, out);
    }
    if (byte == 'u') {
        in->at++;
        p->els_unit = 0;
        p->els_count = 0;
        p->els_state = ELS_JSON_UNIT;
        return ELS_AGAIN;
    }
    letter = byte ? strchr(els_escape_letters, byte) : NULL;
    if (!letter) return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    p->els_state = ELS_JSON_TEXT;
    return els_json_text(p, in, &els_escape_bytes[letter - els_escape_letters], 1, 1, out);
}

ELS_INLINE int els_hex_digit(unsigned char byte)
{
    if (byte >= '0' && byte <= '9') return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* In strict mode the second digit of a unit settles whether it may be a surrogate here. */
ELS_PRIVATE int els_json_unit_allowed(const elelem_fragment_parser *p, unsigned unit, unsigned digits)
{
    if (!p->els_strict) return 1;
    if (p->els_high) return digits == 1 ? unit == 0xd : digits == 2 ? (unit & 0xfc) == 0xdc : 1;
    return digits != 2 || (unit & 0xfc) != 0xdc;
}

/* Gives out what a high surrogate and the unit behind it make together, or either alone. */
ELS_PRIVATE elelem_status els_json_unit_done(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    char *bytes = (char *)p->els_decoded;
    uint32_t unit = p->els_unit;
    int is_low = unit >= 0xdc00 && unit < 0xe000;
    size_t size = 0;

    if (p->els_high && is_low) {
        size = elelem_utf8_encode(0x10000 + ((uint32_t)(p->els_high - 0xd800) << 10) + (unit - 0xdc00), bytes);
        p->els_high = 0;
    } else {
        if (p->els_high) size = elelem_utf8_encode(0xfffd, bytes);
        p->els_high = unit >= 0xd800 && unit < 0xdc00 ? (uint16_t)unit : 0;
        if (!p->els_high) size += elelem_utf8_encode(unit, bytes + size);
    }
    p->els_state = p->els_high ? ELS_JSON_LOW_BACKSLASH : ELS_JSON_TEXT;
    if (size == 0) return ELS_AGAIN;
    return els_json_text(p, in, p->els_decoded, size, 1, out);
}

ELS_PRIVATE elelem_status els_json_unit(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    while (p->els_count < 4) {
        int digit;
        unsigned unit;
        if (in->at == in->end) return ELELEM_MORE;
        digit = els_hex_digit(*in->at);
        if (digit < 0) return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
        unit = (unsigned)p->els_unit << 4 | (unsigned)digit;
        if (!els_json_unit_allowed(p, unit, p->els_count + 1u)) return els_json_fail(p, in, ELELEM_ERROR_SURROGATE);
        p->els_unit = (uint16_t)unit;
        p->els_count++;
        in->at++;
    }
    return els_json_unit_done(p, in, out);
}

/* The high surrogate that waits stays alone: the byte at the cursor begins something else. */
ELS_PRIVATE elelem_status els_json_lone(elelem_fragment_parser *p, els_cursor *in, els_json_state next,
                                        elelem_fragment *out)
{
    if (p->els_strict) return els_json_fail(p, in, ELELEM_ERROR_SURROGATE);
    p->els_high = 0;
    p->els_state = (uint8_t)next;
    return els_json_text(p, in, els_replacement, sizeof els_replacement, 0, out);
}

ELS_PRIVATE elelem_status els_json_low_backslash(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (in->at == in->end) return ELELEM_MORE;
    if (*in->at != '\\') return els_json_lone(p, in, ELS_JSON_TEXT, out);
    in->at++;
    p->els_state = ELS_JSON_LOW_LETTER;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_json_low_letter(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (in->at == in->end) return ELELEM_MORE;
    if (*in->at != 'u') return els_json_lone(p, in, ELS_JSON_ESCAPE, out);
    in->at++;
    p->els_unit = 0;
    p->els_count = 0;
    p->els_state = ELS_JSON_UNIT;
    return ELS_AGAIN;
}

/* Scalars. */

ELS_INLINE elelem_status els_json_scalar(elelem_fragment_parser *p, elelem_fragment *out, elelem_type type,
                                         const void *text, size_t size)
{
    p->els_after = (uint8_t)type;
    p->els_state = ELS_JSON_SCALAR_DONE;
    if (p->els_skipping || !els_json_is_wanted(p)) return ELS_AGAIN;
    return els_json_give(p, out, ELELEM_FRAGMENT_SCALAR, type, text, size);
}

ELS_PRIVATE const char *els_literal_text(elelem_type type, int boolean)
{
    return type == ELELEM_TYPE_NULL ? "null" : boolean ? "true" : "false";
}

/* els_unit tells true from false. */
ELS_PRIVATE elelem_status els_json_literal(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_type type = (elelem_type)p->els_after;
    const char *literal = els_literal_text(type, p->els_unit);

    while (literal[p->els_count]) {
        if (in->at == in->end) return ELELEM_MORE;
        if (*in->at != (unsigned char)literal[p->els_count]) return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
        in->at++;
        p->els_count++;
    }
    return els_json_scalar(p, out, type, literal, p->els_count);
}

ELS_PRIVATE elelem_status els_json_begin_literal(elelem_fragment_parser *p, els_cursor *in)
{
    unsigned char byte = *in->at;

    if (byte != 'n' && byte != 't' && byte != 'f') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    p->els_after = byte == 'n' ? ELELEM_TYPE_NULL : ELELEM_TYPE_BOOL;
    p->els_unit = byte == 't';
    p->els_count = 0;
    p->els_state = ELS_JSON_LITERAL;
    return ELS_AGAIN;
}

/* number = [ "-" ] ( "0" / digit1-9 *DIGIT ) [ "." 1*DIGIT ] [ ("e" / "E") [ "+" / "-" ] 1*DIGIT ]
   (RFC 8259, 6). Answers the state behind one byte, or FAILED where the number ends before it. */
ELS_INLINE els_json_state els_number_step(els_json_state state, unsigned char byte)
{
    int is_digit = byte >= '0' && byte <= '9';
    int is_e = (byte | 0x20) == 'e';

    switch (state) {
    case ELS_JSON_NUMBER:
        if (byte == '-') return ELS_JSON_MINUS;
        return byte == '0' ? ELS_JSON_ZERO : ELS_JSON_INTEGER;
    case ELS_JSON_MINUS: return byte == '0' ? ELS_JSON_ZERO : is_digit ? ELS_JSON_INTEGER : ELS_JSON_FAILED;
    case ELS_JSON_ZERO: return byte == '.' ? ELS_JSON_POINT : is_e ? ELS_JSON_EXPONENT : ELS_JSON_FAILED;
    case ELS_JSON_INTEGER:
        return is_digit ? ELS_JSON_INTEGER : byte == '.' ? ELS_JSON_POINT : is_e ? ELS_JSON_EXPONENT : ELS_JSON_FAILED;
    case ELS_JSON_POINT: return is_digit ? ELS_JSON_FRACTION : ELS_JSON_FAILED;
    case ELS_JSON_FRACTION: return is_digit ? ELS_JSON_FRACTION : is_e ? ELS_JSON_EXPONENT : ELS_JSON_FAILED;
    case ELS_JSON_EXPONENT:
        return is_digit ? ELS_JSON_POWER : byte == '+' || byte == '-' ? ELS_JSON_SIGN : ELS_JSON_FAILED;
    default: return is_digit ? ELS_JSON_POWER : ELS_JSON_FAILED;
    }
}

/* Nonzero where a number may end in this state. */
ELS_INLINE int els_number_may_end(unsigned state)
{
    return state == ELS_JSON_ZERO || state == ELS_JSON_INTEGER || state == ELS_JSON_FRACTION || state == ELS_JSON_POWER;
}

/* A number is followed by white space, a comma or a bracket; at the root by anything that cannot be
   taken for more of it. */
ELS_INLINE int els_json_delimits(const elelem_fragment_parser *p, unsigned char byte)
{
    if (byte <= 0x20 || byte == ',' || byte == ']' || byte == '}') return 1;
    return p->els_path.count + p->els_skip_depth == 0 && (byte == '[' || byte == '{' || byte == '"');
}

/* Keeps the piece of a number that the end of the chunk cut off. */
ELS_PRIVATE elelem_status els_json_keep_number(elelem_fragment_parser *p, const els_cursor *in,
                                               const unsigned char *start)
{
    size_t size = (size_t)(in->at - start);
    size_t used = p->els_stack_size + (size_t)p->els_token_size;

    if (p->els_skipping || size == 0) return ELELEM_OK;
    if (size > p->els_max_number - p->els_token_size)
        return els_json_fail_at(p, ELELEM_ERROR_NUMBER_SIZE,
                                els_json_offset(p, in) - size + (p->els_max_number - p->els_token_size));
    if (els_json_reserve(p, used, size) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    memcpy(els_json_stack(p) + used, start, size);
    p->els_token_size += (uint32_t)size;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_json_number_end(elelem_fragment_parser *p, els_cursor *in, const unsigned char *start,
                                              elelem_fragment *out)
{
    size_t size = (size_t)(in->at - start);

    if (!p->els_skipping && (p->els_token_size > 0 || size > p->els_max_number)) {
        elelem_status status = els_json_keep_number(p, in, start);
        if (status != ELELEM_OK) return status;
        start = els_json_stack(p) + p->els_stack_size;
        size = p->els_token_size;
    }
    if (in->at < in->end && !els_json_delimits(p, *in->at)) return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    return els_json_scalar(p, out, ELELEM_TYPE_NUMBER, start, size);
}

ELS_PRIVATE elelem_status els_json_number(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *start = in->at;
    els_json_state state = (els_json_state)p->els_state;

    while (in->at < in->end) {
        els_json_state next = els_number_step(state, *in->at);
        if (next == ELS_JSON_FAILED) break;
        state = next;
        in->at++;
    }
    p->els_state = (uint8_t)state;
    if (in->at < in->end) {
        if (els_number_may_end(state)) return els_json_number_end(p, in, start, out);
        if (els_json_keep_number(p, in, start) != ELELEM_OK) return (elelem_status)p->els_status;
        return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    }
    if (els_json_keep_number(p, in, start) != ELELEM_OK) return (elelem_status)p->els_status;
    return ELELEM_MORE;
}

/* Structure. */

ELS_INLINE int els_is_blank(unsigned char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Behind white space; MORE where nothing else is there. */
ELS_INLINE int els_json_find(els_cursor *in)
{
    while (in->at < in->end && els_is_blank(*in->at))
        in->at++;
    return in->at < in->end;
}

ELS_PRIVATE elelem_status els_json_begin_string(elelem_fragment_parser *p, els_cursor *in)
{
    in->at++;
    p->els_in_key = 0;
    p->els_string_left = p->els_max_string;
    p->els_skipping |= !els_json_is_wanted(p);
    p->els_state = ELS_JSON_TEXT;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_json_begin_container(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    int is_object = *in->at == '{';

    if (p->els_path.count + p->els_skip_depth >= p->els_max_depth) return els_json_fail(p, in, ELELEM_ERROR_DEPTH);
    if (p->els_skipping) {
        if (els_json_skip_into(p, is_object) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
        in->at++;
        p->els_state = is_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
        return ELS_AGAIN;
    }
    in->at++;
    p->els_in_object = (uint8_t)is_object;
    p->els_state = ELS_JSON_OPENED;
    if (!els_json_is_wanted(p)) return ELS_AGAIN;
    return els_json_give(p, out, ELELEM_FRAGMENT_BEGIN, is_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY, NULL, 0);
}

ELS_PRIVATE elelem_status els_json_opened(elelem_fragment_parser *p, els_cursor *in)
{
    if (els_json_descend(p) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    p->els_state = p->els_in_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
    return ELS_AGAIN;
}

/* The bracket at the cursor closes the innermost container. */
ELS_PRIVATE elelem_status els_json_end_container(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_type type = p->els_in_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY;

    in->at++;
    if (p->els_skip_depth > 0)
        els_json_skip_out(p);
    else
        els_json_ascend(p);
    return els_json_done(p, out, type);
}

ELS_PRIVATE elelem_status els_json_value(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_json_find(in)) return ELELEM_MORE;
    if (*in->at == ']' && p->els_state == ELS_JSON_FIRST_ELEMENT) return els_json_end_container(p, in, out);
    if (p->els_patterns && !p->els_inside && !p->els_skipping)
        if (els_json_match(p) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    switch (*in->at) {
    case '"': return els_json_begin_string(p, in);
    case '{':
    case '[': return els_json_begin_container(p, in, out);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        p->els_token_size = 0;
        p->els_skipping |= !els_json_is_wanted(p);
        p->els_state = ELS_JSON_NUMBER;
        return els_json_number(p, in, out);
    default: return els_json_begin_literal(p, in);
    }
}

ELS_PRIVATE elelem_status els_json_key(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_json_find(in)) return ELELEM_MORE;
    if (*in->at == '}' && p->els_state == ELS_JSON_FIRST_KEY) return els_json_end_container(p, in, out);
    if (*in->at != '"') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    if (!p->els_skipping) els_json_drop_key(p);
    p->els_token_size = 0;
    p->els_in_key = 1;
    p->els_state = ELS_JSON_TEXT;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_json_colon(elelem_fragment_parser *p, els_cursor *in)
{
    if (!els_json_find(in)) return ELELEM_MORE;
    if (*in->at != ':') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    p->els_state = ELS_JSON_VALUE;
    return ELS_AGAIN;
}

/* A comma in an array: the next element. */
ELS_INLINE elelem_status els_json_next_element(elelem_fragment_parser *p, els_cursor *in)
{
    if (!p->els_skipping) {
        elelem_segment *top = els_json_top(p);
        if (top->index == UINT32_MAX) return els_json_fail(p, in, ELELEM_ERROR_COUNT);
        top->index++;
    }
    p->els_state = ELS_JSON_VALUE;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_json_comma(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_json_find(in)) return ELELEM_MORE;
    if (*in->at == (p->els_in_object ? '}' : ']')) return els_json_end_container(p, in, out);
    if (*in->at != ',') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    if (!p->els_in_object) return els_json_next_element(p, in);
    p->els_state = ELS_JSON_KEY;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_json_trail(elelem_fragment_parser *p, els_cursor *in)
{
    if (!els_json_find(in)) return ELELEM_MORE;
    return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
}

ELS_INLINE elelem_status els_json_step(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    switch ((els_json_state)p->els_state) {
    case ELS_JSON_TEXT: return els_json_run(p, in, in->at, out);
    case ELS_JSON_VALUE:
    case ELS_JSON_FIRST_ELEMENT: return els_json_value(p, in, out);
    case ELS_JSON_FIRST_KEY:
    case ELS_JSON_KEY: return els_json_key(p, in, out);
    case ELS_JSON_COLON: return els_json_colon(p, in);
    case ELS_JSON_COMMA: return els_json_comma(p, in, out);
    case ELS_JSON_OPENED: return els_json_opened(p, in);
    case ELS_JSON_CHARACTER: return els_json_character(p, in, out);
    case ELS_JSON_ESCAPE: return els_json_escape(p, in, out);
    case ELS_JSON_UNIT: return els_json_unit(p, in, out);
    case ELS_JSON_LOW_BACKSLASH: return els_json_low_backslash(p, in, out);
    case ELS_JSON_LOW_LETTER: return els_json_low_letter(p, in, out);
    case ELS_JSON_LITERAL: return els_json_literal(p, in, out);
    case ELS_JSON_NUMBER:
    case ELS_JSON_MINUS:
    case ELS_JSON_ZERO:
    case ELS_JSON_INTEGER:
    case ELS_JSON_POINT:
    case ELS_JSON_FRACTION:
    case ELS_JSON_EXPONENT:
    case ELS_JSON_SIGN:
    case ELS_JSON_POWER: return els_json_number(p, in, out);
    case ELS_JSON_SCALAR_DONE: return els_json_done(p, out, (elelem_type)p->els_after);
    case ELS_JSON_TRAIL: return els_json_trail(p, in);
    case ELS_JSON_END: return ELELEM_END;
    default: return (elelem_status)p->els_status;
    }
}

/* Everything pushed is read and no more will come: what does that decide? */
ELS_PRIVATE elelem_status els_json_finished(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    int at_root = p->els_path.count + p->els_skip_depth == 0;

    if (p->els_state == ELS_JSON_TRAIL || (p->els_state == ELS_JSON_VALUE && at_root && p->els_started)) {
        p->els_state = ELS_JSON_END;
        return ELELEM_END;
    }
    if (at_root && els_number_may_end(p->els_state)) return els_json_number_end(p, in, in->at, out);
    return els_json_fail(p, in, ELELEM_ERROR_TRUNCATED);
}

/* Takes the next fragment from bytes that the caller holds. */
ELS_PRIVATE elelem_status els_fragment_next(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_status status;

    p->els_last = ELS_JSON_NOTHING;
    do
        status = els_json_step(p, in, out);
    while (status == ELS_AGAIN);
    return status;
}

/* Counts bytes that are about to be read and cuts off what a limit forbids. */
ELS_INLINE void els_fragment_lend(elelem_fragment_parser *p, els_cursor *in)
{
    uint64_t size = (uint64_t)(in->end - in->at);

    if (ELS_UNLIKELY(size > p->els_total_left)) {
        in->end = in->at + p->els_total_left;
        size = p->els_total_left;
        p->els_over = 1;
    }
    p->els_total_left -= size;
    p->els_end_offset += size;
}

elelem_status elelem_fragment_parser_push(elelem_fragment_parser *parser, const void *bytes, size_t size)
{
    if (ELS_UNLIKELY(parser->els_state == ELS_JSON_FAILED)) return (elelem_status)parser->els_status;
    if (ELS_UNLIKELY(parser->els_input.at != parser->els_input.end || parser->els_finished)) return ELELEM_ERROR_MISUSE;
    if (ELS_UNLIKELY(!bytes)) size = 0;
    if (size == 0) return ELELEM_OK;
    parser->els_input.at = (const unsigned char *)bytes;
    parser->els_input.end = (const unsigned char *)bytes + size;
    els_fragment_lend(parser, &parser->els_input);
    return ELELEM_OK;
}

elelem_status elelem_fragment_parser_next(elelem_fragment_parser *parser, elelem_fragment *fragment)
{
    elelem_status status;

    do {
        status = els_fragment_next(parser, &parser->els_input, fragment);
        if (ELS_LIKELY(status != ELELEM_MORE)) return status;
        if (parser->els_over) return els_json_fail(parser, &parser->els_input, ELELEM_ERROR_TOTAL_SIZE);
        if (!parser->els_finished) return ELELEM_MORE;
        status = els_json_finished(parser, &parser->els_input, fragment);
    } while (status == ELS_AGAIN);
    return status;
}

void elelem_fragment_parser_finish(elelem_fragment_parser *parser)
{
    parser->els_finished = 1;
}

elelem_error elelem_fragment_parser_error(const elelem_fragment_parser *parser)
{
    return els_error((elelem_status)parser->els_status, parser->els_error_offset);
}

const elelem_path *elelem_fragment_parser_path(const elelem_fragment_parser *parser)
{
    return &parser->els_path;
}

size_t elelem_fragment_parser_unread(const elelem_fragment_parser *parser)
{
    return (size_t)(parser->els_input.end - parser->els_input.at);
}

uint64_t elelem_fragment_parser_offset(const elelem_fragment_parser *parser)
{
    return els_json_offset(parser, &parser->els_input);
}

elelem_status elelem_fragment_parser_skip(elelem_fragment_parser *parser)
{
    int is_object = parser->els_in_object;

    if (parser->els_last != ELELEM_FRAGMENT_BEGIN && parser->els_last != ELELEM_FRAGMENT_STRING)
        return ELELEM_ERROR_MISUSE;
    if (parser->els_last == ELELEM_FRAGMENT_BEGIN) {
        if (els_json_skip_into(parser, is_object) != ELELEM_OK)
            return els_json_fail(parser, &parser->els_input, ELELEM_ERROR_MEMORY);
        parser->els_state = is_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
    }
    parser->els_skipping = 1;
    parser->els_last = ELS_JSON_NOTHING;
    return ELELEM_OK;
}

/* Everything that belongs to one value, so that the next can begin. */
ELS_PRIVATE void els_json_begin(elelem_fragment_parser *p)
{
    p->els_path.count = 0;
    p->els_stack_size = 0;
    p->els_path_bytes = 0;
    p->els_token_size = 0;
    p->els_skip_depth = 0;
    p->els_inside = 0;
    p->els_pattern = ELELEM_NO_PATTERN;
    p->els_high = 0;
    p->els_in_key = 0;
    p->els_in_object = 0;
    p->els_skipping = 0;
    p->els_last = ELS_JSON_NOTHING;
    p->els_state = ELS_JSON_VALUE;
}

elelem_status elelem_fragment_parser_restart(elelem_fragment_parser *parser)
{
    if (parser->els_state != ELS_JSON_END || parser->els_single) return ELELEM_ERROR_MISUSE;
    els_json_begin(parser);
    parser->els_started = 1;
    return ELELEM_OK;
}

void elelem_fragment_parser_reset(elelem_fragment_parser *parser)
{
    els_json_begin(parser);
    parser->els_input.at = parser->els_input.end = NULL;
    parser->els_end_offset = 0;
    parser->els_total_left = parser->els_max_total;
    parser->els_status = ELELEM_OK;
    parser->els_error_offset = 0;
    parser->els_over = 0;
    parser->els_finished = 0;
    parser->els_started = 0;
}

void elelem_fragment_parser_init(elelem_fragment_parser *parser, const elelem_fragment_parser_desc *desc)
{
    elelem_fragment_parser_desc standard = ELELEM_INIT;
    const elelem_fragment_parser_desc *d = desc ? desc : &standard;

    memset(parser, 0, sizeof *parser);
    parser->els_memory.allocator = d->allocator;
    parser->els_patterns = d->patterns && d->patterns->nodes ? d->patterns : NULL;
    parser->els_max_depth = ELS_DEFAULT(d->max_depth, 512u);
    parser->els_max_key = ELS_DEFAULT(d->max_key_bytes, 65536u);
    parser->els_max_path = ELS_DEFAULT(d->max_path_bytes, 262144u);
    parser->els_max_number = ELS_DEFAULT(d->max_number_bytes, 65536u);
    parser->els_max_string = ELS_DEFAULT(d->max_string_bytes, UINT64_MAX);
    parser->els_max_total = ELS_DEFAULT(d->max_total_bytes, UINT64_MAX);
    parser->els_strict = d->strict_surrogates != 0;
    parser->els_single = d->single_document != 0;
    elelem_fragment_parser_reset(parser);
}

void elelem_fragment_parser_free(elelem_fragment_parser *parser)
{
    els_block_free(&parser->els_memory);
    parser->els_stack_start = 0;
    parser->els_path.count = 0;
    parser->els_state = ELS_JSON_FAILED;
    parser->els_status = ELELEM_ERROR_MISUSE;
}

/* >> event */

elelem_str elelem_metadata_get(const elelem_metadata *metadata, const char *key)
{
    size_t i;

    for (i = metadata->count; i > 0; i--)
        if (elelem_str_is(metadata->entries[i - 1].key, key)) return metadata->entries[i - 1].json;
    return els_str(NULL, 0);
}

const char *elelem_finish_reason_name(elelem_finish_reason reason)
{
    switch (reason) {
#define ELS_FINISH_NAME(name, text) \
    case ELELEM_FINISH_##name: return text;
        ELELEM_FINISH_REASON_LIST(ELS_FINISH_NAME)
#undef ELS_FINISH_NAME
    default: return "other";
    }
}

const char *elelem_error_kind_name(elelem_error_kind kind)
{
    switch (kind) {
#define ELS_KIND_NAME(name, text, retryable) \
    case ELELEM_ERROR_KIND_##name: return text;
        ELELEM_ERROR_KIND_LIST(ELS_KIND_NAME)
#undef ELS_KIND_NAME
    default: return "other";
    }
}

int elelem_error_kind_is_retryable(elelem_error_kind kind)
{
    switch (kind) {
#define ELS_KIND_RETRYABLE(name, text, retryable) \
    case ELELEM_ERROR_KIND_##name: return retryable;
        ELELEM_ERROR_KIND_LIST(ELS_KIND_RETRYABLE)
#undef ELS_KIND_RETRYABLE
    default: return 0;
    }
}

/* >> shape */

/* An item that is open. */
typedef struct els_item {
    uint64_t id_hash;
    uint32_t index;
    uint32_t choice;
    uint32_t key;
    uint32_t kept_first; /* pieces of a text that grows over frames: offset + 1 of the first and last */
    uint32_t kept_last;
    uint8_t kind;
    uint8_t had_part;
    uint8_t has_id;
    uint8_t has_name;
} els_item;

/* A choice that had a part or a reason. */
typedef struct els_choice {
    uint32_t choice;
    uint8_t had;    /* one bit for each part kind */
    uint8_t reason; /* an elelem_finish_reason + 1; 0 while not known */
} els_choice;

ELS_PRIVATE void els_shape_fail(elelem_shape_context *c, elelem_status status)
{
    if (c->els_status == ELELEM_OK) c->els_status = status;
}

/* Items and choices. */

ELS_INLINE els_item *els_items(const elelem_shape_context *c)
{
    return (els_item *)(void *)c->els_items.data;
}

ELS_INLINE els_choice *els_choices(const elelem_shape_context *c)
{
    return (els_choice *)(void *)c->els_choices.data;
}

ELS_PRIVATE els_item *els_item_at(const elelem_shape_context *c, uint32_t index)
{
    uint32_t i;

    for (i = c->els_item_count; i > 0; i--)
        if (els_items(c)[i - 1].index == index) return &els_items(c)[i - 1];
    return NULL;
}

ELS_PRIVATE els_choice *els_choice_find(const elelem_shape_context *c, uint32_t choice)
{
    uint32_t i;

    for (i = 0; i < c->els_choice_count; i++)
        if (els_choices(c)[i].choice == choice) return &els_choices(c)[i];
    return NULL;
}

/* The record of a choice, which is made where there is none; null beyond the limit. */
ELS_PRIVATE els_choice *els_choice_of(elelem_shape_context *c, uint32_t choice)
{
    els_choice *found = els_choice_find(c, choice);
    elelem_status status;

    if (found) return found;
    status = els_block_reserve(&c->els_choices, (c->els_choice_count + (size_t)1) * sizeof *found,
                               c->els_max_choices * sizeof *found, ELELEM_ERROR_COUNT);
    if (status != ELELEM_OK) {
        els_shape_fail(c, status);
        return NULL;
    }
    found = &els_choices(c)[c->els_choice_count++];
    memset(found, 0, sizeof *found);
    found->choice = choice;
    return found;
}

uint32_t elelem_shape_item_open(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind, uint32_t key)
{
    els_item *item;
    elelem_status status = els_block_reserve(&context->els_items, (context->els_item_count + (size_t)1) * sizeof *item,
                                             context->els_max_items * sizeof *item, ELELEM_ERROR_COUNT);

    if (status != ELELEM_OK || context->els_next_index == ELELEM_NO_INDEX) {
        els_shape_fail(context, status != ELELEM_OK ? status : ELELEM_ERROR_COUNT);
        return ELELEM_NO_INDEX;
    }
    item = &els_items(context)[context->els_item_count++];
    memset(item, 0, sizeof *item);
    item->index = context->els_next_index++;
    item->choice = choice;
    item->kind = (uint8_t)kind;
    item->key = key;
    return item->index;
}

uint32_t elelem_shape_item_find(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                uint32_t key)
{
    uint32_t i;

    for (i = context->els_item_count; i > 0; i--) {
        const els_item *item = &els_items(context)[i - 1];
        if (item->choice == choice && item->kind == kind && item->key == key) return item->index;
    }
    return ELELEM_NO_INDEX;
}

ELS_PRIVATE uint32_t els_item_find_text(const elelem_shape_context *c, uint32_t choice)
{
    uint32_t i;

    for (i = c->els_item_count; i > 0; i--) {
        const els_item *item = &els_items(c)[i - 1];
        if (item->choice == choice && item->kind != ELELEM_PART_TOOL_CALL) return item->index;
    }
    return ELELEM_NO_INDEX;
}

uint32_t elelem_shape_item_continue(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                    uint32_t key)
{
    uint32_t open = els_item_find_text(context, choice);

    if (open != ELELEM_NO_INDEX) {
        const els_item *item = els_item_at(context, open);
        if (item->kind == kind && item->key == key) return open;
        elelem_shape_flush(context, open);
    }
    return elelem_shape_item_open(context, choice, kind, key);
}

ELS_PRIVATE uint64_t els_hash(elelem_str text)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    size_t i;

    for (i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3u;
    return hash;
}

int elelem_shape_item_may_be(const elelem_shape_context *context, uint32_t index, elelem_str id)
{
    const els_item *item = els_item_at(context, index);

    return item && (id.size == 0 || !item->has_id || item->id_hash == els_hash(id));
}

int elelem_shape_choice_had(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind)
{
    const els_choice *found = els_choice_find(context, choice);

    return found && (found->had >> kind & 1);
}

elelem_part_kind elelem_shape_message_kind(const elelem_shape_context *context)
{
    return context->els_structured ? ELELEM_PART_STRUCTURED : ELELEM_PART_MESSAGE;
}

/* The frame. */

elelem_shape_frame elelem_shape_frame_kind(const elelem_shape_context *context)
{
    return (elelem_shape_frame)context->els_frame;
}

elelem_value elelem_shape_document(const elelem_shape_context *context)
{
    return context->els_document;
}

elelem_str elelem_shape_event_name(const elelem_shape_context *context)
{
    return context->els_event_name;
}

/* Metadata. */

ELS_PRIVATE void els_metadata_add(elelem_shape_context *c, elelem_str key, size_t offset)
{
    els_out_metadata *entry;

    if (c->els_metadata_count == ELELEM_SHAPE_METADATA) {
        els_shape_fail(c, ELELEM_ERROR_MISUSE);
        return;
    }
    entry = &c->els_metadata[c->els_metadata_count++];
    entry->key = key;
    entry->offset = offset;
    entry->size = elelem_buffer_text(&c->els_scratch).size - offset;
}

/* Starts writing JSON into the scratch buffer; answers where it begins. */
ELS_PRIVATE size_t els_scratch_begin(elelem_shape_context *c, elelem_writer *writer)
{
    elelem_writer_init(writer, elelem_buffer_sink(&c->els_scratch), 0);
    return elelem_buffer_text(&c->els_scratch).size;
}

ELS_PRIVATE int els_scratch_end(elelem_shape_context *c, const elelem_writer *writer)
{
    elelem_status status = elelem_writer_error(writer);

    if (status != ELELEM_OK) els_shape_fail(c, status);
    return status == ELELEM_OK;
}

void elelem_shape_metadata_json(elelem_shape_context *context, elelem_str key, elelem_str json)
{
    elelem_writer writer;
    size_t offset = els_scratch_begin(context, &writer);

    elelem_writer_json(&writer, json);
    if (els_scratch_end(context, &writer)) els_metadata_add(context, key, offset);
}

void elelem_shape_metadata_text(elelem_shape_context *context, const char *key, elelem_str text)
{
    elelem_writer writer;
    size_t offset = els_scratch_begin(context, &writer);

    elelem_writer_string(&writer, text);
    if (els_scratch_end(context, &writer)) els_metadata_add(context, elelem_str_of(key), offset);
}

void elelem_shape_metadata_value(elelem_shape_context *context, const char *key, elelem_value value)
{
    elelem_writer writer;
    size_t offset = els_scratch_begin(context, &writer);

    elelem_writer_value(&writer, value);
    if (els_scratch_end(context, &writer)) els_metadata_add(context, elelem_str_of(key), offset);
}

int elelem_shape_has_metadata(const elelem_shape_context *context)
{
    return context->els_metadata_count > context->els_metadata_used;
}

/* Events. */

/* A new event in the queue, with the metadata that waits; null where a step emits too many. */
ELS_PRIVATE els_out *els_emit(elelem_shape_context *c, elelem_event_kind kind, const els_item *item)
{
    els_out *out;

    if (c->els_out_count == ELELEM_SHAPE_EVENTS) {
        els_shape_fail(c, ELELEM_ERROR_MISUSE);
        return NULL;
    }
    out = &c->els_queue[c->els_out_count++];
    memset(out, 0, sizeof *out);
    out->event.kind = (uint8_t)kind;
    out->event.index = item->index;
    out->event.choice = item->choice;
    out->metadata_first = c->els_metadata_used;
    out->metadata_count = (uint8_t)(c->els_metadata_count - c->els_metadata_used);
    c->els_metadata_used = c->els_metadata_count;
    return out;
}

ELS_PRIVATE els_out *els_emit_part(elelem_shape_context *c, uint32_t index)
{
    els_item *item = els_item_at(c, index);
    els_choice *choice = item ? els_choice_of(c, item->choice) : NULL;
    els_out *out = choice ? els_emit(c, ELELEM_EVENT_PART, item) : NULL;

    if (!out) return NULL;
    out->event.part.kind = item->kind;
    item->had_part = 1;
    choice->had |= (uint8_t)(1u << item->kind);
    return out;
}

void elelem_shape_text(elelem_shape_context *context, uint32_t index, elelem_str text)
{
    els_out *out;

    if (text.size == 0 && !elelem_shape_has_metadata(context)) return;
    out = els_emit_part(context, index);
    if (out) out->event.part.text = text;
}

void elelem_shape_tool_start(elelem_shape_context *context, uint32_t index, elelem_str id, elelem_str name)
{
    els_item *item = els_item_at(context, index);
    els_out *out;

    if (!item) return;
    if (item->has_id) id.size = 0;
    if (item->has_name) name.size = 0;
    if (item->had_part && id.size == 0 && name.size == 0 && !elelem_shape_has_metadata(context)) return;
    if (id.size > 0) {
        item->has_id = 1;
        item->id_hash = els_hash(id);
    }
    item->has_name |= name.size > 0;
    out = els_emit_part(context, index);
    if (!out) return;
    out->event.part.tool_call.kind = ELELEM_TOOL_CALL_START;
    out->event.part.tool_call.id = id;
    out->event.part.tool_call.name = name;
}

void elelem_shape_tool_arguments(elelem_shape_context *context, uint32_t index, elelem_str json)
{
    els_out *out = json.size > 0 ? els_emit_part(context, index) : NULL;

    if (!out) return;
    out->event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
    out->event.part.tool_call.text = json;
}

void elelem_shape_tool_arguments_value(elelem_shape_context *context, uint32_t index, elelem_value value)
{
    elelem_writer writer;
    size_t offset = els_scratch_begin(context, &writer);
    els_out *out;

    elelem_writer_value(&writer, value);
    if (!els_scratch_end(context, &writer)) return;
    out = els_emit_part(context, index);
    if (!out) return;
    out->event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
    out->event.part.tool_call.text.size = elelem_buffer_text(&context->els_scratch).size - offset;
    out->text_in_scratch = 1;
    out->text_offset = offset;
}

/* Text of an item that grows over frames and goes out whole, as a linked list of pieces in one block. */

typedef struct els_piece {
    uint32_t next; /* offset + 1 of the next piece, 0 for none */
    uint32_t size; /* bytes that follow */
} els_piece;

ELS_INLINE els_piece *els_piece_at(const elelem_shape_context *c, uint32_t link)
{
    return (els_piece *)(void *)(c->els_kept.data + (link - 1));
}

ELS_PRIVATE void els_keep(elelem_shape_context *c, uint32_t index, elelem_str text)
{
    els_item *item = els_item_at(c, index);
    size_t needed = c->els_kept_size + sizeof(els_piece) + (text.size + 7) / 8 * 8;
    elelem_status status;
    els_piece *piece;
    uint32_t link = (uint32_t)c->els_kept_size + 1;

    if (!item || text.size == 0) return;
    if (text.size > c->els_max_kept) {
        els_shape_fail(c, ELELEM_ERROR_VALUE_SIZE);
        return;
    }
    status = els_block_reserve(&c->els_kept, needed, c->els_max_kept, ELELEM_ERROR_VALUE_SIZE);
    if (status != ELELEM_OK) {
        els_shape_fail(c, status);
        return;
    }
    piece = els_piece_at(c, link);
    piece->next = 0;
    piece->size = (uint32_t)text.size;
    memcpy(piece + 1, text.data, text.size);
    if (item->kept_last) els_piece_at(c, item->kept_last)->next = link;
    if (!item->kept_first) item->kept_first = link;
    item->kept_last = link;
    c->els_kept_size = needed;
}

/* Adds what was kept for the item as metadata under `key`. */
ELS_PRIVATE void els_metadata_kept(elelem_shape_context *c, uint32_t index, const char *key)
{
    const els_item *item = els_item_at(c, index);
    uint32_t link = item ? item->kept_first : 0;
    elelem_writer writer;
    size_t offset = els_scratch_begin(c, &writer);

    if (!link) return;
    elelem_writer_string_begin(&writer);
    for (; link; link = els_piece_at(c, link)->next)
        elelem_writer_string_piece(&writer, els_str(els_piece_at(c, link) + 1, els_piece_at(c, link)->size));
    elelem_writer_string_end(&writer);
    if (els_scratch_end(c, &writer)) els_metadata_add(c, elelem_str_of(key), offset);
}

/* The block starts over when nobody has anything in it. */
ELS_PRIVATE void els_kept_release(elelem_shape_context *c)
{
    uint32_t i;

    for (i = 0; i < c->els_item_count; i++)
        if (els_items(c)[i].kept_first) return;
    c->els_kept_size = 0;
}

/* An item that never had a part is closed without a word. */
void elelem_shape_flush(elelem_shape_context *context, uint32_t index)
{
    els_item *item = els_item_at(context, index);
    els_item *last;
    int had_kept;

    if (!item) return;
    if (item->had_part && !els_emit(context, ELELEM_EVENT_FLUSH, item)) return;
    had_kept = item->kept_first != 0;
    last = els_items(context) + context->els_item_count;
    memmove(item, item + 1, (size_t)(last - (item + 1)) * sizeof *item);
    context->els_item_count--;
    if (had_kept) els_kept_release(context);
}

int elelem_shape_flush_one(elelem_shape_context *context, uint32_t choice)
{
    uint32_t i;

    for (i = 0; i < context->els_item_count; i++) {
        if (els_items(context)[i].choice != choice) continue;
        elelem_shape_flush(context, els_items(context)[i].index);
        return 1;
    }
    return 0;
}

/* The end. */

void elelem_shape_reason(elelem_shape_context *context, uint32_t choice, elelem_finish_reason reason, elelem_str raw,
                         int replace)
{
    els_choice *found = els_choice_of(context, choice);

    if (!found || (found->reason && !replace)) return;
    found->reason = (uint8_t)(reason + 1);
    if (choice != 0) return;
    if (raw.size > ELELEM_SHAPE_RAW_REASON)
        raw.size = els_whole_characters((const unsigned char *)raw.data, ELELEM_SHAPE_RAW_REASON);
    if (raw.size > 0) memcpy(context->els_raw_reason, raw.data, raw.size);
    context->els_end.raw_reason = els_str(context->els_raw_reason, raw.size);
}

int elelem_shape_has_reason(const elelem_shape_context *context, uint32_t choice)
{
    const els_choice *found = els_choice_find(context, choice);

    return found && found->reason;
}

void elelem_shape_usage(elelem_shape_context *context, elelem_usage usage, elelem_value raw)
{
    elelem_writer writer;

    context->els_end.usage = usage;
    elelem_buffer_clear(&context->els_usage);
    elelem_writer_init(&writer, elelem_buffer_sink(&context->els_usage), 0);
    if (elelem_writer_value(&writer, raw) != ELELEM_OK) els_shape_fail(context, elelem_writer_error(&writer));
}

ELS_PRIVATE void els_finish(elelem_shape_context *c)
{
    const els_choice *first = els_choice_find(c, 0);

    c->els_ended = 1;
    c->els_end.kind = ELELEM_EVENT_FINISHED;
    c->els_end.reason = first && first->reason ? (uint8_t)(first->reason - 1) : ELELEM_FINISH_COMPLETED;
}

void elelem_shape_finish(elelem_shape_context *context)
{
    if (!context->els_ended) els_finish(context);
}

/* Nonzero where every choice that had a part has a reason, and there is one. */
ELS_PRIVATE int els_reasons_known(const elelem_shape_context *c)
{
    uint32_t i;

    for (i = 0; i < c->els_choice_count; i++)
        if (!els_choices(c)[i].reason) return 0;
    return c->els_choice_count > 0;
}

/* Errors: what providers say, and what kind that is. */

/* Nonzero where the first bytes of the text hold the words, letters of either case. */
ELS_PRIVATE int els_says(elelem_str text, const char *words)
{
    size_t i, k, size = text.size < 4096 ? text.size : 4096;

    for (i = 0; i < size; i++) {
        for (k = 0; words[k] && i + k < size; k++) {
            char letter = text.data[i + k];
            if (letter >= 'A' && letter <= 'Z') letter = (char)(letter + ('a' - 'A'));
            if (letter != words[k]) break;
        }
        if (!words[k]) return 1;
    }
    return 0;
}

typedef struct els_error_word {
    const char *word; /* lower case */
    uint8_t kind;     /* an elelem_error_kind */
} els_error_word;

/* Codes, types and statuses that mean one thing wherever they stand. */
static const els_error_word els_error_codes[] = {
    { "insufficient_quota", ELELEM_ERROR_KIND_QUOTA },
    { "billing_hard_limit_reached", ELELEM_ERROR_KIND_QUOTA },
    { "billing_error", ELELEM_ERROR_KIND_QUOTA },
    { "rate_limit_exceeded", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "rate_limit_error", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "too_many_requests", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "resource_exhausted", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "overloaded_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "server_is_overloaded", ELELEM_ERROR_KIND_TRANSIENT },
    { "service_unavailable_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "service_unavailable", ELELEM_ERROR_KIND_TRANSIENT },
    { "server_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "api_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "timeout_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "internal_server_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "unavailable", ELELEM_ERROR_KIND_TRANSIENT },
    { "internal", ELELEM_ERROR_KIND_TRANSIENT },
    { "deadline_exceeded", ELELEM_ERROR_KIND_TRANSIENT },
    { "invalid_api_key", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "authentication_error", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "permission_error", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "unauthenticated", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "permission_denied", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "context_length_exceeded", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "request_too_large", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "string_above_max_length", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "content_filter", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "content_policy_violation", ELELEM_ERROR_KIND_CONTENT_FILTER },
};

/* Words of messages, for bodies whose codes say less than their sentences. */
static const els_error_word els_error_sentences[] = {
    { "credit balance is too low", ELELEM_ERROR_KIND_QUOTA },
    { "api key", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "prompt is too long", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "prompt too long", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "maximum context length", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "exceeds the context window", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "too many tokens", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "input token count", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
};

/* Codes that only say that the request was bad; the sentence may say why. */
static const els_error_word els_error_vague[] = {
    { "invalid_request_error", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "invalid_argument", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "not_found_error", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "not_found", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "failed_precondition", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "invalid_prompt", ELELEM_ERROR_KIND_INVALID_REQUEST },
};

ELS_PRIVATE int els_word_kind(const els_error_word *words, size_t count, elelem_str text)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (text.size == strlen(words[i].word) && els_says(text, words[i].word)) return words[i].kind;
    return -1;
}

ELS_PRIVATE int els_sentence_kind(elelem_str message)
{
    size_t i;

    for (i = 0; i < sizeof els_error_sentences / sizeof els_error_sentences[0]; i++)
        if (els_says(message, els_error_sentences[i].word)) return els_error_sentences[i].kind;
    return -1;
}

ELS_PRIVATE int els_status_kind(int32_t status)
{
    switch (status) {
    case 401:
    case 403: return ELELEM_ERROR_KIND_AUTHENTICATION;
    case 402: return ELELEM_ERROR_KIND_QUOTA;
    case 413: return ELELEM_ERROR_KIND_CONTENT_TOO_LONG;
    case 429: return ELELEM_ERROR_KIND_RATE_LIMIT;
    case 408:
    case 409: return ELELEM_ERROR_KIND_TRANSIENT;
    default: break;
    }
    if (status >= 500 && status < 600) return ELELEM_ERROR_KIND_TRANSIENT;
    if (status >= 400 && status < 500) return ELELEM_ERROR_KIND_INVALID_REQUEST;
    return -1;
}

/* What an error says, as slices of the document or of fixed text. */
typedef struct els_complaint {
    elelem_str message;
    elelem_str code;    /* the most telling word */
    elelem_str type;    /* another, or empty */
    elelem_value details;
    int32_t status;     /* as the body or the HTTP answer tells it */
    int has_retry_info;
    int64_t retry_info_ms;
} els_complaint;

#define ELS_COUNT(array) (sizeof(array) / sizeof((array)[0]))

ELS_PRIVATE elelem_error_kind els_complaint_kind(const els_complaint *complaint)
{
    int kind = els_word_kind(els_error_codes, ELS_COUNT(els_error_codes), complaint->code);

    if (kind < 0) kind = els_word_kind(els_error_codes, ELS_COUNT(els_error_codes), complaint->type);
    if (kind < 0) kind = els_sentence_kind(complaint->message);
    if (kind < 0) kind = els_status_kind(complaint->status);
    if (kind < 0) kind = els_word_kind(els_error_vague, ELS_COUNT(els_error_vague), complaint->code);
    if (kind < 0) kind = els_word_kind(els_error_vague, ELS_COUNT(els_error_vague), complaint->type);
    return kind < 0 ? ELELEM_ERROR_KIND_OTHER : (elelem_error_kind)kind;
}

/* Waits. */

#define ELS_LONGEST_WAIT_MS ((int64_t)1000 * 60 * 60 * 24 * 365)

/* Digits with an optional fraction, times `unit_ms`; -1 where no digit stands there. */
ELS_PRIVATE int64_t els_read_number(els_cursor *in, int64_t unit_ms)
{
    int64_t whole = 0, scale = 1, part = 0;
    const unsigned char *start = in->at;

    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        if (whole < ELS_LONGEST_WAIT_MS) whole = whole * 10 + (*in->at - '0');
        in->at++;
    }
    if (in->at == start) return -1;
    if (in->at < in->end && *in->at == '.')
        for (in->at++; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++)
            if (scale < 1000000) {
                part = part * 10 + (*in->at - '0');
                scale *= 10;
            }
    if (whole > ELS_LONGEST_WAIT_MS / unit_ms) return ELS_LONGEST_WAIT_MS;
    return whole * unit_ms + part * unit_ms / scale;
}

/* The milliseconds of the unit that stands there, which is stepped over; seconds where none does. */
ELS_PRIVATE int64_t els_read_unit(els_cursor *in)
{
    elelem_str rest;

    while (in->at < in->end && *in->at == ' ')
        in->at++;
    rest = els_str(in->at, (size_t)(in->end - in->at));
    if (rest.size == 0) return 1000;
    in->at++;
    if (rest.data[0] == 'm') {
        if (rest.size > 1 && (rest.data[1] == 's' || rest.data[1] == 'i')) in->at++;
        return rest.size > 1 && rest.data[1] == 's' ? 1 : 60000;
    }
    if (rest.data[0] == 'h') return 3600000;
    if (rest.data[0] == 'd') return 86400000;
    if (rest.data[0] != 's') in->at--;
    return 1000;
}

/* A time like 6m0s, 1h30m, 200ms, 2.398s, 20 or 20 seconds, in milliseconds; -1 where there is none. */
ELS_PRIVATE int64_t els_read_duration(els_cursor *in)
{
    int64_t total = -1;

    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        els_cursor number = *in;
        int64_t unit;
        els_read_number(in, 1);
        unit = els_read_unit(in);
        total = (total < 0 ? 0 : total) + els_read_number(&number, unit);
        if (total > ELS_LONGEST_WAIT_MS) total = ELS_LONGEST_WAIT_MS;
    }
    return total;
}

ELS_PRIVATE int64_t els_duration_of(elelem_str text)
{
    els_cursor in = els_cursor_of(text.data, text.size);

    return els_read_duration(&in);
}

/* The words that stand before a time in a provider's sentence. */
static const char *const els_wait_words[] = { "try again in ", "retry after ", "retry in ", "retry-after: ", "please wait " };

ELS_PRIVATE int64_t els_wait_in_sentence(elelem_str message)
{
    size_t i, word;

    if (message.size > 4096) message.size = 4096;
    for (word = 0; word < ELS_COUNT(els_wait_words); word++) {
        size_t size = strlen(els_wait_words[word]);
        for (i = 0; i + size <= message.size; i++)
            if (els_says(els_str(message.data + i, size), els_wait_words[word])) {
                int64_t wait = els_duration_of(els_str(message.data + i + size, message.size - i - size));
                if (wait >= 0) return wait;
            }
    }
    return -1;
}

/* The order in which hints are believed. */
ELS_PRIVATE int64_t els_wait(const els_http *http, const els_complaint *complaint)
{
    if (http->retry_after_ms > 0) return http->retry_after_ms;
    if (http->retry_after >= 0) return http->retry_after;
    if (http->retry_after_ms >= 0) return http->retry_after_ms;
    if (complaint->has_retry_info) return complaint->retry_info_ms;
    if (els_wait_in_sentence(complaint->message) >= 0) return els_wait_in_sentence(complaint->message);
    return http->rate_reset;
}

/* Error bodies. */

ELS_PRIVATE elelem_str els_text_of(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_STRING ? elelem_value_text(value) : els_str(NULL, 0);
}

ELS_PRIVATE elelem_str els_member_text(elelem_value value, const char *key)
{
    return els_text_of(elelem_value_get(value, key));
}

/* Google's details: how long to wait, and whether a quota counts by the day. */
ELS_PRIVATE void els_read_details(els_complaint *complaint)
{
    elelem_value detail;

    for (detail = elelem_value_first(complaint->details); elelem_value_type(detail) != ELELEM_TYPE_NONE;
         detail = elelem_value_next(detail)) {
        elelem_str delay = els_member_text(detail, "retryDelay");
        if (delay.size == 0) continue;
        complaint->has_retry_info = 1;
        complaint->retry_info_ms = els_duration_of(delay);
    }
}

ELS_PRIVATE void els_read_code(els_complaint *complaint, elelem_value node)
{
    int64_t number;
    elelem_value code = elelem_value_get(node, "code");

    complaint->code = els_text_of(code);
    complaint->type = els_member_text(node, "type");
    if (elelem_value_to_int64(code, &number) == ELELEM_OK && number >= 400 && number < 600)
        complaint->status = (int32_t)number;
    if (complaint->code.size == 0) complaint->code = els_member_text(node, "status");
    if (complaint->code.size == 0) {
        complaint->code = complaint->type;
        complaint->type = els_str(NULL, 0);
    }
}

/* Reads an error body of any of the known forms; 0 where it is none. */
ELS_PRIVATE int els_read_complaint(elelem_value root, els_complaint *complaint)
{
    elelem_value error, node;

    if (elelem_value_type(root) == ELELEM_TYPE_ARRAY) root = elelem_value_first(root);
    error = elelem_value_get(root, "error");
    node = elelem_value_type(error) == ELELEM_TYPE_OBJECT ? error : root;
    complaint->message = elelem_value_type(error) == ELELEM_TYPE_STRING ? elelem_value_text(error)
                                                                        : els_member_text(node, "message");
    if (complaint->message.size == 0) complaint->message = els_member_text(root, "detail");
    complaint->details = elelem_value_get(node, "details");
    els_read_code(complaint, node);
    els_read_details(complaint);
    return complaint->message.size > 0 || elelem_value_type(error) == ELELEM_TYPE_OBJECT;
}

/* Nonzero where a document of a 200 stream is, or holds, an error. */
ELS_PRIVATE int els_is_error_document(elelem_value root)
{
    elelem_type type = elelem_value_type(elelem_value_get(root, "error"));

    if (type == ELELEM_TYPE_OBJECT || type == ELELEM_TYPE_STRING) return 1;
    return elelem_str_is(els_member_text(root, "object"), "error");
}

ELS_PRIVATE const char *els_kind_sentence(elelem_error_kind kind)
{
    switch (kind) {
    case ELELEM_ERROR_KIND_TIMEOUT: return "nothing came for longer than the idle timeout";
    case ELELEM_ERROR_KIND_CONNECT: return "the answer ended before it was complete";
    case ELELEM_ERROR_KIND_CANCELLED: return "cancelled by the caller";
    case ELELEM_ERROR_KIND_RATE_LIMIT: return "the provider's rate limit is reached";
    case ELELEM_ERROR_KIND_QUOTA: return "the account's quota is used up";
    case ELELEM_ERROR_KIND_TRANSIENT: return "the provider failed or is overloaded";
    case ELELEM_ERROR_KIND_AUTHENTICATION: return "the provider refused the credentials";
    case ELELEM_ERROR_KIND_INVALID_REQUEST: return "the provider refused the request";
    case ELELEM_ERROR_KIND_CONTENT_TOO_LONG: return "the request is too long for the model";
    case ELELEM_ERROR_KIND_CONTENT_FILTER: return "the provider's content filter stopped the answer";
    case ELELEM_ERROR_KIND_PROTOCOL: return "the answer is not what this wire shape sends";
    case ELELEM_ERROR_KIND_LIMIT: return "the answer meets a limit set for this stream";
    case ELELEM_ERROR_KIND_OUT_OF_MEMORY: return "the allocator gave no more memory";
    case ELELEM_ERROR_KIND_RECOVERABLE: return "the provider rejects metadata of an earlier turn";
    default: return "the provider reported an error";
    }
}

/* Ends the stream with an error of this kind; the first end counts. */
ELS_PRIVATE elelem_stream_error *els_end_with(elelem_shape_context *c, elelem_error_kind kind)
{
    static const elelem_event none = { 0, 0, 0, 0, { 0, { NULL, 0 }, { 0, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } } },
                                       { NULL, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, { NULL, 0 }, { NULL, 0 } },
                                       { NULL, 0 } };
    elelem_stream_error *error = &c->els_end.error;

    c->els_end = none;
    c->els_end.kind = ELELEM_EVENT_ERROR;
    c->els_ended = 1;
    error->kind = (uint8_t)kind;
    error->retryable = (uint8_t)elelem_error_kind_is_retryable(kind);
    error->http_status = c->els_answer.status;
    error->retry_after_ms = -1;
    error->message = elelem_str_of(els_kind_sentence(kind));
    return error;
}

void elelem_shape_error(elelem_shape_context *context, elelem_error_kind kind, elelem_str code, const char *message)
{
    elelem_stream_error *error;

    if (context->els_ended) return;
    error = els_end_with(context, kind);
    error->code = code;
    if (message) error->message = elelem_str_of(message);
}

/* Ends the stream with what the provider complains of. */
ELS_PRIVATE void els_end_with_complaint(elelem_shape_context *c, const els_complaint *complaint)
{
    elelem_error_kind kind = els_complaint_kind(complaint);
    elelem_stream_error *error = els_end_with(c, kind);

    error->code = complaint->code;
    if (complaint->message.size > 0) error->message = complaint->message;
    error->retry_after_ms = els_wait(&c->els_answer, complaint);
    if (c->els_answer.should_retry >= 0) error->retryable = (uint8_t)c->els_answer.should_retry;
}

ELS_PRIVATE void els_end_with_document(elelem_shape_context *c, elelem_value root)
{
    els_complaint complaint;

    memset(&complaint, 0, sizeof complaint);
    complaint.status = c->els_answer.status;
    els_read_complaint(root, &complaint);
    els_end_with_complaint(c, &complaint);
}

int elelem_shape_document_error(elelem_shape_context *context)
{
    if (context->els_ended || !els_is_error_document(context->els_document)) return 0;
    els_end_with_document(context, context->els_document);
    return 1;
}

/* What is read of a body that is an error, at its root or in the array that wraps it. */
static const elelem_pattern_node els_error_paths[] = {
    ELELEM_PATTERN_ROOT(0),
    ELELEM_PATTERN_MEMBER(0, "error", 1),
    ELELEM_PATTERN_MEMBER(0, "message", 1),
    ELELEM_PATTERN_MEMBER(0, "code", 1),
    ELELEM_PATTERN_MEMBER(0, "type", 1),
    ELELEM_PATTERN_MEMBER(0, "status", 1),
    ELELEM_PATTERN_MEMBER(0, "detail", 1),
    ELELEM_PATTERN_ELEMENTS(0, 0),
    ELELEM_PATTERN_MEMBER(7, "error", 1),
};

static const elelem_patterns els_error_patterns = { els_error_paths, ELS_COUNT(els_error_paths) };

/* HTTP headers. */

/* Nonzero where both are the same but for the case of letters; `lower` has no capitals. */
ELS_PRIVATE int els_is_header(elelem_str name, const char *lower)
{
    return name.size == strlen(lower) && els_says(name, lower);
}

ELS_PRIVATE int els_two_digits(elelem_str text, size_t at)
{
    if (text.data[at] < '0' || text.data[at] > '9' || text.data[at + 1] < '0' || text.data[at + 1] > '9') return -1;
    return (text.data[at] - '0') * 10 + (text.data[at + 1] - '0');
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
ELS_PRIVATE int64_t els_days(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month > 2 ? year : year - 1;
    int64_t era = y / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* IMF-fixdate, as in "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7), in seconds since 1970; -1 for
   anything else. */
ELS_PRIVATE int64_t els_http_date(elelem_str text)
{
    static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    int day, month, century, year, hour, minute, second;

    if (text.size != 29 || text.data[3] != ',') return -1;
    for (month = 0; month < 12; month++) {
        char name[4];
        memcpy(name, months + month * 3, 3);
        name[3] = 0;
        if (els_says(els_str(text.data + 8, 3), name)) break;
    }
    day = els_two_digits(text, 5);
    century = els_two_digits(text, 12);
    year = els_two_digits(text, 14);
    hour = els_two_digits(text, 17);
    minute = els_two_digits(text, 20);
    second = els_two_digits(text, 23);
    if (month == 12 || day < 0 || century < 0 || year < 0 || hour < 0 || minute < 0 || second < 0) return -1;
    return ((els_days(century * 100 + year, month + 1, day) * 24 + hour) * 60 + minute) * 60 + second;
}

/* Seconds with a fraction, or a date, which needs the caller's time. */
ELS_PRIVATE int64_t els_retry_after(const els_http *http, elelem_str value)
{
    int64_t date = els_http_date(value);

    if (date < 0) return els_duration_of(value);
    if (http->unix_seconds <= 0) return -1;
    if (date <= http->unix_seconds) return 0;
    return (date - http->unix_seconds) * 1000;
}

/* OpenRouter's reset is a time in milliseconds since 1970; others send seconds, or how long it takes. */
ELS_PRIVATE int64_t els_rate_reset(const els_http *http, elelem_str value)
{
    els_cursor in = els_cursor_of(value.data, value.size);
    int64_t number = els_read_number(&in, 1);

    if (number < 1000000000 || in.at < in.end) return els_duration_of(value);
    if (number < (int64_t)100000000000) number *= 1000;
    if (http->unix_seconds <= 0) return -1;
    return number > http->unix_seconds * 1000 ? number - http->unix_seconds * 1000 : -1;
}

/* RateLimit of the IETF draft: limit, remaining and t, the seconds until more is allowed. */
ELS_PRIVATE int64_t els_rate_limit(elelem_str value)
{
    size_t i;

    for (i = 0; i + 2 < value.size; i++)
        if (value.data[i] == 't' && value.data[i + 1] == '=' && (i == 0 || value.data[i - 1] == ';' || value.data[i - 1] == ' '))
            return els_duration_of(els_str(value.data + i + 2, value.size - i - 2));
    return -1;
}

ELS_PRIVATE void els_longer(int64_t *wait, int64_t other)
{
    if (other > *wait) *wait = other;
}

ELS_PRIVATE void els_http_header(els_http *http, elelem_str name, elelem_str value)
{
    while (value.size > 0 && value.data[0] == ' ')
        value = els_str(value.data + 1, value.size - 1);
    while (value.size > 0 && (value.data[value.size - 1] == ' ' || value.data[value.size - 1] == '\r'))
        value.size--;
    if (els_is_header(name, "x-should-retry")) {
        http->should_retry = elelem_str_is(value, "true") ? 1 : elelem_str_is(value, "false") ? 0 : -1;
    } else if (els_is_header(name, "retry-after-ms")) {
        els_cursor in = els_cursor_of(value.data, value.size);
        http->retry_after_ms = els_read_number(&in, 1);
    } else if (els_is_header(name, "retry-after")) {
        http->retry_after = els_retry_after(http, value);
    } else if (els_is_header(name, "x-ratelimit-reset-requests") || els_is_header(name, "x-ratelimit-reset-tokens")) {
        els_longer(&http->rate_reset, els_duration_of(value));
    } else if (els_is_header(name, "x-ratelimit-reset")) {
        els_longer(&http->rate_reset, els_rate_reset(http, value));
    } else if (els_is_header(name, "ratelimit")) {
        els_longer(&http->rate_reset, els_rate_limit(value));
    }
}

/* Taking events out, for the driver. */

ELS_PRIVATE void els_shape_clear_out(elelem_shape_context *c)
{
    c->els_out_count = 0;
    c->els_out_taken = 0;
    c->els_metadata_count = 0;
    c->els_metadata_used = 0;
    elelem_buffer_clear(&c->els_scratch);
}

ELS_PRIVATE void els_shape_metadata_of(elelem_shape_context *c, size_t first, size_t count, elelem_metadata *metadata)
{
    const char *scratch = elelem_buffer_text(&c->els_scratch).data;
    size_t i;

    for (i = 0; i < count; i++) {
        const els_out_metadata *entry = &c->els_metadata[first + i];
        c->els_entries[i].key = entry->key;
        c->els_entries[i].json = els_str(scratch + entry->offset, entry->size);
    }
    metadata->entries = count > 0 ? c->els_entries : NULL;
    metadata->count = count;
}

/* The next event that a step emitted; 0 where there is none. */
ELS_PRIVATE int els_shape_take(elelem_shape_context *c, elelem_event *event)
{
    const els_out *out;

    if (c->els_out_taken == c->els_out_count) return 0;
    out = &c->els_queue[c->els_out_taken++];
    *event = out->event;
    if (out->text_in_scratch)
        event->part.tool_call.text.data = elelem_buffer_text(&c->els_scratch).data + out->text_offset;
    els_shape_metadata_of(c, out->metadata_first, out->metadata_count, &event->metadata);
    return 1;
}

/* The reasons of the choices but the first, as an object. */
ELS_PRIVATE void els_shape_other_reasons(elelem_shape_context *c)
{
    elelem_writer writer;
    size_t offset = els_scratch_begin(c, &writer);
    uint32_t i;

    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    for (i = 0; i < c->els_choice_count; i++) {
        const els_choice *choice = &els_choices(c)[i];
        char digits[12];
        elelem_span_sink span;
        elelem_writer number;
        if (choice->choice == 0 || !choice->reason) continue;
        span.data = digits;
        span.capacity = sizeof digits;
        span.size = 0;
        elelem_writer_init(&number, elelem_span_sink_of(&span), 0);
        elelem_writer_uint64(&number, choice->choice);
        elelem_writer_key(&writer, els_str(digits, span.size));
        elelem_writer_string(&writer, elelem_str_of(elelem_finish_reason_name((elelem_finish_reason)(choice->reason - 1))));
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    if (els_scratch_end(c, &writer)) els_metadata_add(c, elelem_str_of("finish_reasons"), offset);
}

/* The end event with its metadata. */
ELS_PRIVATE void els_shape_end(elelem_shape_context *c, elelem_event *event)
{
    elelem_str usage = elelem_buffer_text(&c->els_usage);

    els_shape_clear_out(c);
    if (c->els_end.kind == ELELEM_EVENT_FINISHED) {
        if (usage.size > 0) elelem_shape_metadata_json(c, elelem_str_of("usage"), usage);
        if (c->els_choice_count > 1) els_shape_other_reasons(c);
    }
    *event = c->els_end;
    els_shape_metadata_of(c, 0, c->els_metadata_count, &event->metadata);
}

#endif

/* BSD Zero Clause License
 *
 * Copyright (c) 2026 the authors of elelem_stream.h
 *
 * Permission to use, copy, modify, and/or distribute this software for any
 * purpose with or without fee is hereby granted.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
 * REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY
 * AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
 * INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
 * LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
 * OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
 * PERFORMANCE OF THIS SOFTWARE.
 */
