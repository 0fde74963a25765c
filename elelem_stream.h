/* elelem_stream.h 0.1.0 - incremental JSON, event streams and language model responses in one C99 file
   Assembled from parts/: edit there, then run `make header`.
   Free for any use, without conditions or warranty: BSD Zero Clause License, at the end of this file. */

/* A language model responds over HTTP in bytes that are cut anywhere. This library turns
 * them into typed events as soon as they can be known: text and reasoning as they are
 * written, the arguments of a tool call while the model is still writing them, and exactly
 * one end: finished, or a typed error that says whether to retry.
 *
 * The name is LLM spoken letter by letter: el-el-em.
 *
 * Quick start
 *
 *     #define ELELEM_STREAM_IMPLEMENTATION              // in exactly one C or C++ file
 *     #include "elelem_stream.h"
 *
 *     static void print(elelem_str text)
 *     {
 *         fwrite(text.data, 1, text.size, stdout);
 *     }
 *
 *     static void take(elelem_turn *turn)               // every update there is now
 *     {
 *         elelem_turn_update update;
 *
 *         while (elelem_turn_next(turn, &update) == ELELEM_OK)
 *             if (update.kind == ELELEM_TURN_TEXT)
 *                 print(update.text);
 *             else if (update.kind == ELELEM_TURN_TOOL_CALL_DELTA) // a file, while a call writes it
 *                 print(elelem_fragment_text(&update.fragment, "content"));
 *             else if (update.kind == ELELEM_TURN_ERROR)
 *                 fprintf(stderr, "%.*s\n", ELELEM_STR_ARG(update.error.message));
 *     }
 *
 *     static void print_response(void)
 *     {
 *         elelem_turn turn;
 *         elelem_turn_desc desc = ELELEM_INIT;
 *         char bytes[4096];
 *         size_t size;
 *
 *         desc.shape = &elelem_shape_chat;              // what the provider speaks
 *         elelem_turn_init(&turn, &desc);
 *         while ((size = receive(bytes, sizeof bytes)) > 0) {
 *             elelem_turn_push(&turn, bytes, size);     // the body, from any HTTP library
 *             take(&turn);
 *         }
 *         elelem_turn_finish(&turn);                    // elelem_turn_fail, if the transport broke
 *         take(&turn);                                  // the end comes here at the latest
 *         elelem_turn_free(&turn);
 *     }
 *
 * JSON alone, when it is whole. In pieces it is for fragment, which returns it as it arrives:
 *
 *     elelem_json json;
 *     elelem_value root = elelem_json_read(&json, text, NULL);  // no value if it is not JSON
 *     elelem_value name = elelem_value_find(root, "tools[0].name");
 *
 *     if (elelem_json_error(&json).status == ELELEM_OK) print(elelem_value_text(name));
 *     elelem_json_free(&json);
 *
 * Contents; search for ">> name". Every room uses only rooms above it.
 *
 *     >> base             slices, statuses, memory
 *     >> text             UTF-8
 *     >> number           number text to int64_t, uint64_t, double
 *     >> path             paths to values in a document, and patterns
 *     >> fragment         JSON in pieces: path, kind, bytes
 *     >> value            fragments to values that can be read while they grow
 *     >> json             a whole JSON text to a value
 *     >> writer           JSON text out
 *     >> passage          large values passed on while they arrive
 *     >> sse              the WHATWG event stream, both ways
 *     >> event            the events of a response: parts, metadata, errors, usage
 *     >> failure          what providers say when they refuse: status, headers, bodies
 *     >> shape            for authors of shapes: what a wire shape is, and all it can call
 *     >> recovery         signatures that a provider no longer accepts
 *     >> shape_chat       chat completions
 *     >> shape_responses  responses
 *     >> shape_messages   messages
 *     >> shape_gemini     generate content
 *     >> provider         which shape a provider speaks, and where
 *     >> tags             <think> and its like, out of a text
 *     >> thought          reasoning in tags inside message text
 *     >> body             the documents in a response body
 *     >> stream           a response body to events and one end
 *     >> metadata         the metadata of an item's parts, merged
 *     >> builder          events to finished messages and tool calls
 *     >> turn             stream and builder in one loop
 *     >> line             an event as a JSON line, and back
 *     >> call             tool calls of a record while they are open
 *     >> recorder         events to JSON lines
 *     >> replayer         JSON lines to events
 *     >> coalescer        records made short for storage
 *     >> history          entries of a conversation
 *     >> item_reader      stored lines to items
 *
 * Layers. Every one with public functions is useful alone.
 *
 *     bytes -> body -> frame -> shape -> stream -> events -> builder -> items
 *              sse     fragment          thought            recorder -> lines
 *                      value
 *
 * The three verbs
 *
 *     X_push(x, bytes, size)  lends bytes. They stay in place until next has returned MORE; an
 *                             earlier push takes nothing and returns ERROR_MISUSE. Repeat it,
 *                             or the input ends in an error
 *     X_next(x, &result)      OK: one result, valid until the next call. MORE: push again.
 *                             END: complete. Negative: an error, which sticks
 *     X_finish(x)             no more bytes will come
 *
 * However the bytes are cut, results, errors and offsets are the same, once adjacent text is
 * joined. Nothing is called back, so a game stops after any update and continues in its next
 * frame. There, `status` begins as ELELEM_MORE and is kept from frame to frame; ELELEM_END in
 * it says that the last update was shown:
 *
 *     if (status == ELELEM_MORE) {
 *         size = receive(bytes, sizeof bytes);          // what came since the last frame
 *         if (size > 0) elelem_turn_push(&turn, bytes, size);
 *         else if (body_is_over()) elelem_turn_finish(&turn);
 *         status = ELELEM_OK;
 *     }
 *     while (status == ELELEM_OK && there_is_time())
 *         if ((status = elelem_turn_next(&turn, &update)) == ELELEM_OK) show(&update);
 *
 * Memory and lifetimes
 *
 * Objects take memory through the allocator in their desc: the C library's if it is zeroed,
 * an elelem_arena over a fixed buffer, or your own. Whatever grows, grows geometrically, in
 * one block each. Every limit is checked before growing; exceeding it is an error. Bytes are
 * copied only if a token is cut by the end of a push or contains an escape. Objects are plain
 * structs and share nothing: use each from one thread at a time, and do not move one that is
 * in use. A zeroed object may be freed.
 *
 * Errors
 *
 * X_error returns a status, the offset of the first byte that cannot be right, and a fixed
 * sentence that never quotes the input. Data errors and limits stick until reset. A caller's
 * mistake is ELELEM_ERROR_MISUSE; it changes nothing and does not stick, except for a push that
 * was refused and not repeated (see elelem_error). A stream and a turn have no X_error, because
 * their next is never negative: whatever goes wrong is their last event.
 *
 * What providers do differently, and what becomes of it
 *
 *     chat        The wire does not end items: text is flushed when another kind begins, calls
 *                 when their choice finishes. [DONE] may be missing after a finish reason. Whole
 *                 calls in one chunk, ids that come late, twice or never: one call each
 *     responses   Texts that the wire repeats when they are whole are emitted once. The free
 *                 text of custom tools is emitted as a JSON string
 *     messages    A block is an item. Signatures come whole, on the flush
 *     gemini      Only the end of the body ends the stream, so a finish reason counts only then.
 *                 Calls without an id get one. Partial arguments become JSON text
 *     any         A body that ends early is an error that may be retried, unless every choice
 *                 that had a part had a finish reason. What comes after the end is dropped
 *
 * Options
 *
 *     ELELEM_STREAM_IMPLEMENTATION  compile the functions here
 *     ELELEM_STATIC                 in every file that includes this, with the implementation:
 *                                   keep all of it inside
 *     ELELEM_API                    in every file: how public functions and shapes are declared,
 *                                   with extern at the end
 *
 * and where the implementation is compiled:
 *
 *     ELELEM_NO_STDLIB              no realloc and free; every desc names an allocator. Still used
 *                                   from the C library: memchr, memcmp, memcpy, memmove, memset,
 *                                   strchr, strcmp, strlen
 *     ELELEM_NO_SIMD                portable words in place of SSE2 and NEON
 *     ELELEM_NO_INT128              64-bit multiplications only
 *     ELELEM_NO_CHAT, ELELEM_NO_RESPONSES, ELELEM_NO_MESSAGES, ELELEM_NO_GEMINI
 *                                   leave a wire shape out, in every file
 */
#ifndef ELELEM_STREAM_H
#define ELELEM_STREAM_H

/* >> base
 *
 * What every room uses: byte slices, statuses, memory, pushed input. It knows
 * nothing of JSON or of response streams.
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

/* Declares public functions and the wire shapes, which are constant data. Define ELELEM_STATIC
   and ELELEM_STREAM_IMPLEMENTATION before every include to keep them inside each file. */
#ifndef ELELEM_API
#ifndef ELELEM_STATIC
#define ELELEM_API extern
#elif defined(__GNUC__) || defined(__clang__)
#define ELELEM_API static __attribute__((unused))
#else
#define ELELEM_API static
#endif
#endif

/* Declares constant data. C++ cannot declare static data before its definition, so that there
   it has external linkage, and the linker merges the copies. */
#if !defined(ELELEM_STATIC) || !defined(__cplusplus)
#define ELELEM_DATA ELELEM_API
#else
#define ELELEM_DATA extern
#endif

/* Marks a result that must not be ignored, because no later call reports what it says.
   GCC and Clang warn if it is ignored. */
#if defined(__GNUC__) || defined(__clang__)
#define ELELEM_CHECKED __attribute__((warn_unused_result))
#else
#define ELELEM_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A slice of bytes that it does not own. It may contain zero bytes and does not end with
   one. An empty slice may have a null pointer. */
typedef struct elelem_str {
    const char *data;
    size_t size; /* bytes */
} elelem_str;

/* Returns a slice of a C string, without its final zero; an empty slice for a null pointer.
   The text is not copied. */
ELELEM_API elelem_str elelem_str_of(const char *text);

/* Nonzero if both slices hold the same bytes. */
ELELEM_API int elelem_str_equal(elelem_str a, elelem_str b);

/* Nonzero if the slice holds exactly the bytes of the C string, without its final zero. */
ELELEM_API int elelem_str_is(elelem_str slice, const char *text);

/* Expands to the two arguments of printf's "%.*s" for a slice, which may be empty. The macro
   evaluates `slice` more than once. At most INT_MAX bytes are printed. */
#define ELELEM_STR_ARG(slice) \
    (int)((slice).size < ~0u >> 1 ? (slice).size : ~0u >> 1), (slice).size > 0 ? (slice).data : ""

/* Everything that a call can return, with its number and its fixed sentence. OK, MORE and END
   are no errors; errors are negative. Data errors and limits stick until reset.
   ELELEM_ERROR_MISUSE, a caller's mistake, changes nothing and does not stick, with two
   exceptions: an object that was never initialised, or was freed, returns it from every call;
   and if bytes or events were lost (see elelem_error), it sticks until reset. */
#define ELELEM_STATUS_LIST(X)                                                              \
    X(OK, 0, "no error")                                                                   \
    X(MORE, 1, "all input so far is read")                                                 \
    X(END, 2, "complete")                                                                  \
    X(ERROR_MISUSE, -1, "the call does not fit the state of the object")                   \
    X(ERROR_MEMORY, -2, "the allocator gave no more memory")                               \
    X(ERROR_SYNTAX, -3, "the text does not follow its grammar")                            \
    X(ERROR_UTF8, -4, "the bytes are not UTF-8")                                           \
    X(ERROR_SURROGATE, -5, "a surrogate escape is not one of a pair")                      \
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

/* Returns "ELELEM_ERROR_SYNTAX" and so on; "ELELEM_STATUS_UNKNOWN" for an unknown status. All
   functions that look up names take an int, so that members of a narrower type need no cast. */
ELELEM_API const char *elelem_status_name(int status);

/* Returns the fixed sentence of a status, without a final full stop. */
ELELEM_API const char *elelem_status_sentence(int status);

/* Says where and why an object stopped. `message` is fixed text, never input.
 *
 * Refused pushes. An object takes a push at the start, and after next returned MORE. It refuses
 * any earlier push with ERROR_MISUSE, takes nothing of it, and remembers its size and a hash.
 * The next push must begin with the refused bytes (or, if the object takes events, be the same
 * event). If something else is pushed, or finish is called first, that input is lost: next
 * returns what was pushed before, and then ERROR_MISUSE, which sticks, with the offset of
 * the first byte lost. The result of push may therefore be ignored: lost input is reported.
 * A null pointer with a size is refused too, but need not be repeated. */
typedef struct elelem_error {
    elelem_status status;
    uint64_t offset;     /* for objects that take bytes: the number of bytes pushed before the first one that
                            cannot be right; for others see their X_error. Never depends on how input is cut */
    const char *message; /* never null */
} elelem_error;

/* Allocates, resizes and frees, as in Lua:
   if `block` is null, allocates new_size bytes; if new_size is 0, frees the block and returns
   null; else resizes the block, which may move, and returns it. To refuse a new_size > 0 it
   returns null and leaves the old block as it was. `old_size` is the size requested last for
   `block`; 0 if it is null. Blocks must be aligned for any object. No call requests more than
   PTRDIFF_MAX bytes: whatever needs a larger block, under any limit, is ERROR_MEMORY.
   A zeroed allocator is the C library's realloc and free; with ELELEM_NO_STDLIB it refuses
   everything. */
typedef void *(*elelem_resize)(void *context, void *block, size_t old_size, size_t new_size);

typedef struct elelem_allocator {
    elelem_resize resize;
    void *context; /* passed to resize, not used otherwise */
} elelem_allocator;

/* An allocator over one fixed buffer. It takes the first free span that is large enough, merges
   adjacent free spans, and grows a block in place if the memory after it is free. Blocks have
   no header. */
typedef struct elelem_arena {
    unsigned char *els_memory;
    size_t els_size;
    size_t els_free; /* offset of the first free span, els_size if none */
    size_t els_used;
    size_t els_peak;
} elelem_arena;

/* Uses `size` bytes at `memory`, which may have any alignment, and which must stay valid until
   the last block in it is no longer used. Returns the allocator to put into a desc; `arena`
   must not move while that is in use. If the buffer is null or too small for one block, the
   arena refuses everything. */
ELELEM_API elelem_allocator elelem_arena_init(elelem_arena *arena, void *memory, size_t size);

/* Return the number of bytes in blocks now, and the largest such number since init. The size of
   each block is rounded up to a multiple of 2 * sizeof(size_t). */
ELELEM_API size_t elelem_arena_used(const elelem_arena *arena);
ELELEM_API size_t elelem_arena_peak(const elelem_arena *arena);

/* Private: a block of memory and where it is from. */
typedef struct els_block {
    unsigned char *data;
    size_t capacity;
    elelem_allocator allocator;
} els_block;

/* Private: bytes that the caller lent, from the next one to be read. */
typedef struct els_cursor {
    const unsigned char *at;
    const unsigned char *end;
} els_cursor;

/* Private: a push that was refused, which the next one has to repeat. */
typedef struct els_debt {
    size_t size;
    uint32_t hash;
    uint8_t state; /* an els_debt_state */
} els_debt;

/* Private: the input of an object that takes bytes. */
typedef struct els_input {
    els_cursor bytes;  /* lent and not read yet */
    uint64_t offset;   /* of bytes.end, from the start of everything pushed */
    els_debt debt;
    uint8_t state;     /* an els_input_state */
    uint8_t finished;  /* no more bytes will come */
} els_input;

#ifdef __cplusplus
}
#endif

/* >> text
 *
 * UTF-8 (RFC 3629), and the fast scan to the next byte that matters to a JSON parser.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Returns how many bytes from the start are whole, valid characters: the size of the text
   if it is valid UTF-8, else the offset of the first character that is invalid or cut off by
   the end. Surrogates, overlong forms and characters above U+10FFFF are invalid. */
ELELEM_API size_t elelem_utf8_valid(elelem_str text);

/* Writes the character to `bytes` and returns its size, 1 to 4. Instead of a surrogate or a
   character above U+10FFFF, U+FFFD is written. */
ELELEM_API size_t elelem_utf8_encode(uint32_t character, char bytes[4]);

#ifdef __cplusplus
}
#endif

/* >> number
 *
 * Converts the text of a JSON number to the machine's numbers, exactly or correctly
 * rounded, without locale, memory or the C library's parsers. Parsers do not convert:
 * a number stays text until the caller reads it.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Convert a number's text to an integer. `1e2`, `5.0` and `-0` are integers too, because the
   value decides, not the spelling (RFC 8259, 6).
   OK; ERROR_NOT_INTEGER: it has a fraction; ERROR_RANGE: an integer that does not
   fit; ERROR_SYNTAX: no JSON number. `*value` is set only if OK is returned. */
ELELEM_API elelem_status elelem_number_to_int64(elelem_str text, int64_t *value);
ELELEM_API elelem_status elelem_number_to_uint64(elelem_str text, uint64_t *value);

/* Converts a number's text to the nearest double, ties to even, for any number of digits.
   `-0` keeps its sign.
   OK; ERROR_RANGE: it rounds to more than the largest double, `*value` is then an infinity of
   the number's sign; ERROR_SYNTAX: no JSON number, `*value` is not set. A number that is too
   small becomes a zero of its sign, which is OK. */
ELELEM_API elelem_status elelem_number_to_double(elelem_str text, double *value);

#ifdef __cplusplus
}
#endif

/* >> path
 *
 * Paths, which say where a value is in a JSON document, and patterns, which say which values a
 * caller wants. It reads no JSON: paths are made by a parser or by the caller.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* One step of a path: a member of an object or an element of an array. */
typedef struct elelem_segment {
    elelem_str key; /* decoded key; data is null for an array element and never null for a member */
    uint32_t index; /* of the array element, from 0 */
    uint32_t els_base;
    uint32_t els_changed; /* serial of the last fragment before this segment changed */
    uint16_t els_active;
} elelem_segment;

/* The steps from the root to a value; the path of the root has none. */
typedef struct elelem_path {
    const elelem_segment *segments;
    size_t count;
    uint32_t els_serial; /* counts the fragments of the parser; 0 for a path that no parser made */
} elelem_path;

/* Return a step of a path that the caller makes. The key is not copied and must stay valid as
   long as the segment is used; a null pointer is the empty key. */
ELELEM_API elelem_segment elelem_segment_of_key(elelem_str key);
ELELEM_API elelem_segment elelem_segment_of_index(uint32_t index);

/* Nonzero if the pattern matches the whole path (see below). A pattern that is not well formed
   matches nothing, and this is not reported; elelem_patterns_compile reports it. Takes no memory,
   and time for reading the pattern and comparing its keys. */
ELELEM_API int elelem_path_is(const elelem_path *path, const char *pattern);

/* Path patterns.
 *
 *     a.b          member b of member a of the root
 *     [2]          element 2
 *     items[*].x   member x of every element of member items
 *     *            any member            *.x   member x of any member
 *     ["odd.key"]  a key in quotes, which it needs if it is empty or has one of
 *                  . [ ] * " \  or a byte below 0x21; write \" and \\ for " and \
 *     (nothing)    the root
 *
 * A parser with patterns delivers the values that match, with all that is in them. It validates
 * the rest and stores none of it, except a key until it is compared. */
typedef enum elelem_pattern_kind {
    ELELEM_PATTERN_KEY,
    ELELEM_PATTERN_QUOTED_KEY, /* a key in quotes that has a backslash */
    ELELEM_PATTERN_ANY_KEY,
    ELELEM_PATTERN_INDEX,
    ELELEM_PATTERN_ANY_INDEX
} elelem_pattern_kind;

/* What a parser delivers of the values that match a node. */
typedef enum elelem_pattern_want {
    ELELEM_WANT_NOTHING, /* the node only leads to others */
    ELELEM_WANT_WHOLE,
    ELELEM_WANT_BEGIN    /* only the BEGIN of a container, without a DONE, and inside it what its nodes want; of any
                            other value nothing */
} elelem_pattern_want;

/* Patterns as a tree: node 0 is the root; each other node has a parent, which comes before it in
   the table. Such a table can be constant data; see ELELEM_PATTERN_ROOT and what follows it. */
typedef struct elelem_pattern_node {
    const char *key;   /* KEY, QUOTED_KEY; else null */
    uint32_t size;     /* KEY, QUOTED_KEY: bytes of the key; INDEX: the index */
    uint16_t parent;   /* position in the table */
    uint8_t kind;      /* an elelem_pattern_kind */
    uint8_t wanted;    /* an elelem_pattern_want; WHOLE if a compiled pattern ends here */
} elelem_pattern_node;

/* Rows of a constant table. */
#define ELELEM_PATTERN_ROOT(wanted) { NULL, 0, 0, ELELEM_PATTERN_ANY_KEY, wanted }
#define ELELEM_PATTERN_MEMBER(parent, key, wanted) { "" key, sizeof(key) - 1, parent, ELELEM_PATTERN_KEY, wanted }
#define ELELEM_PATTERN_ELEMENTS(parent, wanted) { NULL, 0, parent, ELELEM_PATTERN_ANY_INDEX, wanted }

typedef struct elelem_patterns {
    const elelem_pattern_node *nodes; /* null: everything is wanted */
    size_t count;
    uint8_t els_order;                /* an els_patterns_order, which makes the search faster */
} elelem_patterns;

/* Compiles `count` patterns into `nodes`, which is the caller's memory. Nodes and texts must stay
   valid as long as the patterns are used. One node for the root and one for each step of each
   pattern is always enough. If `which` is not null, `which[i]` is set to the node of pattern i,
   as in a fragment's `pattern`.
   OK; ERROR_PATTERN: a text is not well formed, or has a key of 4 GiB; `error->offset` is the
   position in that text; ERROR_COUNT: more nodes than `capacity` or 65535. After an error the
   patterns match nothing, and `which` is set only for the texts before. `error` may be null. */
ELELEM_API elelem_status elelem_patterns_compile(elelem_patterns *patterns, elelem_pattern_node *nodes, size_t capacity,
                                                 const char *const *texts, size_t count, uint16_t *which,
                                                 elelem_error *error);

#define ELELEM_NO_PATTERN 0xffff

/* Returns the node, wanted WHOLE, that matches the path or a value that contains it: of several
   the one nearest to the root. ELELEM_NO_PATTERN if there is none. The time is in proportion to
   the number of nodes multiplied by the depth of the patterns. */
ELELEM_API uint16_t elelem_patterns_find(const elelem_patterns *patterns, const elelem_path *path);

#ifdef __cplusplus
}
#endif

/* >> fragment
 *
 * Parses JSON (RFC 8259, nothing more) that is pushed in pieces of any size, and returns
 * fragments: a path in the document, a kind, and bytes. Strings are returned as they arrive.
 * The parser stores only the keys of the current path, and a key or number that a push cuts. It
 * knows nothing of values as trees, or of events.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_type {
    ELELEM_TYPE_NONE, /* no value */
    ELELEM_TYPE_NULL,
    ELELEM_TYPE_BOOL,
    ELELEM_TYPE_NUMBER,
    ELELEM_TYPE_STRING,
    ELELEM_TYPE_ARRAY,
    ELELEM_TYPE_OBJECT
} elelem_type;

/* Returns "null", "bool", "number", "string", "array" or "object"; "none" for any other number. */
ELELEM_API const char *elelem_type_name(int type);

typedef enum elelem_fragment_kind {
    ELELEM_FRAGMENT_BEGIN,  /* a container begins; type */
    ELELEM_FRAGMENT_STRING, /* text: a piece of a string, decoded, never empty, of whole characters */
    ELELEM_FRAGMENT_SCALAR, /* text: null, true, false or a number as in the input; type */
    ELELEM_FRAGMENT_DONE    /* a value ended; type. Each value has one; without it only a container of which a pattern
                               wants no more than its BEGIN, and a value that was skipped */
} elelem_fragment_kind;

/* Text and path are valid until the next call on the parser. */
typedef struct elelem_fragment {
    const elelem_path *path;
    elelem_str text;
    uint8_t kind;     /* an elelem_fragment_kind */
    uint8_t type;     /* an elelem_type: of the value that the fragment belongs to */
    uint16_t pattern; /* with patterns: the node that matches this value or one around it, of several the one nearest to
                         the root; ELELEM_NO_PATTERN without patterns, and if only the BEGIN is wanted */
} elelem_fragment;

typedef struct elelem_scalar {
    elelem_str text; /* as in the input */
    uint8_t type;    /* an elelem_type: NULL, BOOL, NUMBER */
    uint8_t boolean; /* BOOL: its value */
} elelem_scalar;

/* Returns the value of a SCALAR fragment; type NONE for any other kind. The text is the fragment's. */
ELELEM_API elelem_scalar elelem_fragment_scalar(const elelem_fragment *fragment);

/* Returns the piece of text that the fragment adds to the string at this path, which is written as for elelem_path_is.
   Empty, with data that is not null, if the fragment is anything else: at another path, a null or a number instead of
   the string, a BEGIN or DONE, a zeroed fragment. The pieces up to the DONE at that path are the string; an empty string
   has none. If the key comes twice, pieces begin again after that DONE, and the value has the last string. */
ELELEM_API elelem_str elelem_fragment_text(const elelem_fragment *fragment, const char *pattern);

/* A parser holds one block of at most 2 * (max_path_bytes + max_number_bytes + 65 * (max_depth + 4) + 2 * patterns +
   32) bytes; `patterns` is the number of nodes in the pattern tree, and 65 is for two segments on a 64-bit machine.
   Blocks double, so that much is held only by a document that meets all limits. What would take more than 4 GiB is
   ERROR_MEMORY, whatever the limits are. */
typedef struct elelem_fragment_parser_desc {
    elelem_allocator allocator;      /* for one block: the path, a key or number cut by a chunk's end */
    const elelem_patterns *patterns; /* must outlive the parser; null: everything is delivered */
    uint32_t max_depth;              /* containers inside each other; 0: 512. ERROR_DEPTH */
    uint32_t max_key_bytes;          /* of one key, decoded; 0: 65536. ERROR_KEY_SIZE */
    uint32_t max_path_bytes;         /* of all keys of a path; 0: 262144. ERROR_PATH_SIZE */
    uint32_t max_number_bytes;       /* of one number; 0: 65536. ERROR_NUMBER_SIZE */
    uint64_t max_string_bytes;       /* of one string value, decoded, none is stored; 0: no limit. ERROR_STRING_SIZE */
    uint64_t max_total_bytes;        /* of everything pushed; 0: no limit. ERROR_TOTAL_SIZE */
    uint8_t strict_surrogates;       /* nonzero: a lone surrogate is ERROR_SURROGATE; else it becomes U+FFFD (RFC 8259, 8.2) */
    uint8_t single_document;         /* nonzero: only whitespace may follow the value, and END comes after finish */
} elelem_fragment_parser_desc;

typedef struct elelem_fragment_parser {
    els_input els_lent;
    elelem_path els_path;
    els_block els_memory;
    const elelem_patterns *els_patterns;
    uint64_t els_string_left;
    uint64_t els_max_string;
    uint64_t els_max_total;
    uint64_t els_error_offset;
    uint32_t els_stack_size;  /* bytes on the byte stack */
    uint32_t els_stack_start; /* its offset in the block: after the segments */
    uint32_t els_max_depth;
    uint32_t els_max_key;
    uint32_t els_max_path;
    uint32_t els_max_number;
    uint32_t els_path_bytes;
    uint32_t els_token_size;  /* of the key or number being put together */
    uint32_t els_skip_depth;  /* how many containers are open inside a value that is skipped */
    uint32_t els_inside;      /* path count + 1 of the wanted value around the current one, 0 if there is none; without
                                 patterns ELS_JSON_EVERYWHERE */
    int32_t els_status;       /* an elelem_status: the error that sticks */
    uint16_t els_pattern;
    uint16_t els_high;        /* high surrogate that waits for its low one */
    uint16_t els_unit;        /* \u digits so far */
    uint8_t els_state;
    uint8_t els_after;        /* type of the current scalar */
    uint8_t els_last;         /* kind of the last fragment */
    uint8_t els_in_key;
    uint8_t els_in_object;
    uint8_t els_skipping;     /* the current value is skipped */
    uint8_t els_count;        /* digits of \u, letters of a literal */
    uint8_t els_carry_size;
    uint8_t els_need;         /* how many bytes of a character are still to come */
    uint8_t els_low;          /* the next of them is from els_low to els_limit */
    uint8_t els_limit;
    uint8_t els_strict;
    uint8_t els_single;
    uint8_t els_over;         /* max_total_bytes cut the input off */
    uint8_t els_started;      /* restart was called: a value was complete before */
    unsigned char els_carry[4];
    unsigned char els_decoded[8];
} elelem_fragment_parser;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first container. */
ELELEM_API void elelem_fragment_parser_init(elelem_fragment_parser *parser, const elelem_fragment_parser_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE since
   the last push, even if it returned END (call restart and then next, until it returns MORE); or
   finish was called; or `bytes` is null. A refused push must be repeated, see elelem_error. After
   an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_fragment_parser_push(elelem_fragment_parser *parser, const void *bytes, size_t size);

/* OK: a fragment. MORE: push again, or finish. END: the root value is complete.
   Errors, which stick until reset: ERROR_SYNTAX, ERROR_UTF8, ERROR_SURROGATE,
   ERROR_TRUNCATED (only after finish), ERROR_COUNT (more than 2^32 elements), ERROR_MEMORY,
   those of the limits, and ERROR_MISUSE if a push was refused and not repeated. */
ELELEM_API elelem_status elelem_fragment_parser_next(elelem_fragment_parser *parser, elelem_fragment *fragment);

/* No more bytes will come. A number at the root ends here. */
ELELEM_API void elelem_fragment_parser_finish(elelem_fragment_parser *parser);

/* Returns the error that sticks; status OK if there is none. */
ELELEM_API elelem_error elelem_fragment_parser_error(const elelem_fragment_parser *parser);

/* Returns the path of the current value; after an error that of the value in which it happened. Valid until the next
   call on the parser. */
ELELEM_API const elelem_path *elelem_fragment_parser_path(const elelem_fragment_parser *parser);

/* Returns how many of the pushed bytes are not read yet. After END these follow the value. */
ELELEM_API size_t elelem_fragment_parser_unread(const elelem_fragment_parser *parser);

/* Returns the offset of the next byte to be read, from the start of everything pushed. */
ELELEM_API uint64_t elelem_fragment_parser_offset(const elelem_fragment_parser *parser);

/* After a container's BEGIN or a piece of a string: delivers nothing more of that value, not even
   its DONE. It is still validated. OK; ERROR_MISUSE at any other time; ERROR_MEMORY, which sticks. */
ELELEM_API elelem_status elelem_fragment_parser_skip(elelem_fragment_parser *parser);

/* After END: reads the next value of the same input, for values that follow one another, in lines
   or not. Unread bytes stay lent, and offsets continue. If only whitespace comes before finish,
   next returns END without a fragment. With patterns it does so too if nothing of a value is
   wanted; the input is over if finish was called and unread returns 0. OK; ERROR_MISUSE before
   END, and with single_document. */
ELELEM_API elelem_status elelem_fragment_parser_restart(elelem_fragment_parser *parser);

/* Starts a new input and keeps the memory. */
ELELEM_API void elelem_fragment_parser_reset(elelem_fragment_parser *parser);

/* Frees the memory. A zeroed parser may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_fragment_parser_free(elelem_fragment_parser *parser);

#ifdef __cplusplus
}
#endif

/* >> value
 *
 * Builds a value from fragments. It can be read at any time, complete or still growing. The
 * fragments may come from anywhere, with or without the BEGIN of their containers. It parses
 * nothing.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_value_state {
    ELELEM_VALUE_OPEN,      /* still growing */
    ELELEM_VALUE_COMPLETE,  /* whole, and so is everything in it */
    /* The value, or something in it, was cut off and must not be taken for the whole. */
    ELELEM_VALUE_CUT_LIMIT, /* a limit was exceeded, or memory ran out */
    ELELEM_VALUE_CUT_END,   /* the input, or a container around it, ended before it */
    ELELEM_VALUE_CUT_ERROR  /* the input was invalid */
} elelem_value_state;

typedef struct elelem_fragment_aggregator_desc {
    elelem_allocator allocator;      /* for one block: the nodes, keys and strings */
    const elelem_patterns *patterns; /* which values next returns; must outlive it; null: the root */
    uint32_t max_bytes;              /* of that block, which is all the memory held; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_string_bytes;       /* of one string; 0: no limit but max_bytes. ERROR_STRING_SIZE */
    uint32_t max_depth;              /* containers inside each other; 0: 512. ERROR_DEPTH */
} elelem_fragment_aggregator_desc;

typedef struct elelem_fragment_aggregator {
    els_block els_memory;
    const elelem_patterns *els_patterns;
    uint32_t els_used;       /* bytes of the block */
    uint32_t els_current;    /* the open node of the last fragment, or around it; 0 if there is none */
    uint32_t els_depth;      /* segments from the root to it */
    uint32_t els_serial;     /* of the last fragment's path */
    const elelem_path *els_path;
    uint64_t els_finished;   /* how many DONEs were pushed */
    uint32_t els_completed;  /* the node that next returns; 0 if there is none */
    uint32_t els_max_bytes;
    uint32_t els_max_string;
    uint32_t els_max_depth;
    int32_t els_status;      /* an elelem_status: the error that sticks */
    uint16_t els_pattern;    /* of els_completed */
    uint8_t els_over;        /* the root ended or was cut off */
} elelem_fragment_aggregator;

/* A handle to a value inside an aggregator. It is valid until the next fragment is added, or the
   aggregator is cut, reset or freed, and so are slices that are read from it. A zeroed handle is
   no value (type NONE); all functions below take it, and return NONE, 0, empty or no value. */
typedef struct elelem_value {
    const elelem_fragment_aggregator *els_owner;
    uint32_t els_node;
} elelem_value;

/* What next returns: a value that is now complete, with everything in it. */
typedef struct elelem_completed_value {
    elelem_value value;
    uint16_t pattern; /* the node of desc.patterns that matches this value; ELELEM_NO_PATTERN without patterns */
} elelem_completed_value;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first fragment. */
ELELEM_API void elelem_fragment_aggregator_init(elelem_fragment_aggregator *aggregator,
                                                const elelem_fragment_aggregator_desc *desc);

/* Adds a fragment. Its path and text are copied, and must not point into this aggregator. BEGIN
   may be left out: a path through a container, or its DONE, adds the container too, and the DONE
   of a string adds an empty one.
   A fragment continues the open value of its path, even if other values came in between: in each
   container the 32 open members or elements that began last are searched, so that work stays
   linear. After the DONE of a member, another fragment for its key begins another member with
   that key. So does a second BEGIN, which cuts the first member off.
   OK. ERROR_MISUSE: the fragment does not fit what is there (text for a number, an index into an
   object, anything after the root's DONE or after finish); nothing changed, and it does not
   stick. ERROR_MEMORY and the errors of the limits stick; all that is open is then cut off, a
   string after the last character that fits. */
ELELEM_API elelem_status elelem_fragment_aggregator_push(elelem_fragment_aggregator *aggregator,
                                                         const elelem_fragment *fragment);

/* OK: a value that the last fragment completed: one that a pattern matches, or without patterns
   the root. It is lost if another fragment is pushed before this call. MORE: push the next
   fragment. END: the root has ended or finish was called. Negative: the error that sticks. */
ELELEM_API elelem_status elelem_fragment_aggregator_next(elelem_fragment_aggregator *aggregator,
                                                         elelem_completed_value *completed);

/* No more fragments will come: what is open is cut off by the end. */
ELELEM_API void elelem_fragment_aggregator_finish(elelem_fragment_aggregator *aggregator);

/* The same with a reason that the caller chooses: one of the CUT states; any other is CUT_ERROR. */
ELELEM_API void elelem_fragment_aggregator_cut(elelem_fragment_aggregator *aggregator, elelem_value_state reason);

/* Returns the error that sticks; status OK if there is none. The offset is the number of values that
   ended before. */
ELELEM_API elelem_error elelem_fragment_aggregator_error(const elelem_fragment_aggregator *aggregator);

/* Removes all values and keeps the memory. This may be done between fragments of the same input:
   if it is called after each value that next returned, a list of any length is read in the memory
   of one of its elements. */
ELELEM_API void elelem_fragment_aggregator_reset(elelem_fragment_aggregator *aggregator);

/* Frees the memory. A zeroed aggregator may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_fragment_aggregator_free(elelem_fragment_aggregator *aggregator);

/* Returns the root as far as it came; no value before the first fragment. */
ELELEM_API elelem_value elelem_fragment_aggregator_value(const elelem_fragment_aggregator *aggregator);

ELELEM_API elelem_type elelem_value_type(elelem_value value);
ELELEM_API elelem_value_state elelem_value_state_of(elelem_value value); /* OPEN for no value */
ELELEM_API int elelem_value_is_complete(elelem_value value);

/* Returns the bytes of a STRING so far, in whole characters; of a NUMBER, BOOL or NULL the text as in
   the input; of any other type nothing. */
ELELEM_API elelem_str elelem_value_text(elelem_value value);

/* Return the key of a member, and the index of an element; empty and 0 if the value is none. */
ELELEM_API elelem_str elelem_value_key(elelem_value value);
ELELEM_API size_t elelem_value_index(elelem_value value);

/* Members or elements in the order in which they began, duplicates too: first, then next until it
   returns no value. */
ELELEM_API elelem_value elelem_value_first(elelem_value value);
ELELEM_API elelem_value elelem_value_next(elelem_value value);
ELELEM_API elelem_value elelem_value_parent(elelem_value value);
ELELEM_API size_t elelem_value_count(elelem_value value); /* linear */

/* Return the member with this key, or the element with this index; if there are several, the one that
   began last. No value if there is none. The time is linear in the number of members or elements. */
ELELEM_API elelem_value elelem_value_get(elelem_value value, const char *key);
ELELEM_API elelem_value elelem_value_member(elelem_value value, elelem_str key);
ELELEM_API elelem_value elelem_value_at(elelem_value value, size_t index);

/* Returns the value at a path inside this one, which is written as a pattern without wildcards
   ("a.b[2]"); the empty path is this value. No value if there is none, or if the pattern is not well
   formed. */
ELELEM_API elelem_value elelem_value_find(elelem_value value, const char *path);

/* Convert a BOOL or a NUMBER. OK; ERROR_TYPE: another type or no value; else the errors of
   elelem_number_to_... */
ELELEM_API elelem_status elelem_value_to_bool(elelem_value value, int *boolean);
ELELEM_API elelem_status elelem_value_to_int64(elelem_value value, int64_t *number);
ELELEM_API elelem_status elelem_value_to_uint64(elelem_value value, uint64_t *number);
ELELEM_API elelem_status elelem_value_to_double(elelem_value value, double *number);

#ifdef __cplusplus
}
#endif

/* >> json
 *
 * Reads a whole JSON text to a value in one call, for callers who have all of it: a file, the
 * result of a tool, the input of a call in a history. Use fragment and value for text that comes
 * in pieces.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* A text holds at most max_bytes bytes once it is read. While it is being read, a fragment parser with this
   max_depth holds memory as well; of its limits those of keys, paths and numbers are the defaults. */
typedef struct elelem_json_desc {
    elelem_allocator allocator; /* for the value, and the parser while it reads */
    uint32_t max_bytes;         /* of the value in memory; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_depth;         /* containers inside each other; 0: 512. ERROR_DEPTH */
    uint8_t strict_surrogates;  /* nonzero: a lone surrogate is ERROR_SURROGATE; else it becomes U+FFFD */
} elelem_json_desc;

/* What was read. It owns the value, which points into it: do not move it. */
typedef struct elelem_json {
    elelem_fragment_aggregator els_tree;
    elelem_error els_error;
} elelem_json;

/* Reads a text that is one JSON value (RFC 8259, nothing more) with or without whitespace around it.
   Returns the value, valid until free. If there is an error, returns no value, of which every function returns
   something empty: elelem_json_error then returns the error, and no memory is held. A text without a value is
   ERROR_TRUNCATED. Anything after the value except whitespace is ERROR_SYNTAX, and so is a byte order mark. If
   a key comes twice, lookups find the last one. `*json` is overwritten: free it first if it has a value. The
   text is copied; `desc` may be null. */
ELELEM_API ELELEM_CHECKED elelem_value elelem_json_read(elelem_json *json, elelem_str text, const elelem_json_desc *desc);

/* Returns the error of the last read: one of the fragment parser or of the aggregator, ERROR_MEMORY, or
   ERROR_MISUSE if the text is null and has a size, or if nothing was read into a zeroed json. The offset is that
   of the first byte that cannot be right; for memory and max_bytes, that of the end of the piece that did not
   fit. Status OK if there is a value. */
ELELEM_API elelem_error elelem_json_error(const elelem_json *json);

/* Frees the memory and so the value. A zeroed json may be freed. */
ELELEM_API void elelem_json_free(elelem_json *json);

#ifdef __cplusplus
}
#endif

/* >> writer
 *
 * Writes JSON text (RFC 8259), compact or indented, to a sink that the caller provides.
 * It writes at once, so it needs no memory.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the bytes that are written. `write` takes all `size` bytes and returns OK, or a
   negative status, which then sticks in the writer. A sink whose `write` is null refuses
   everything with ERROR_SINK. */
typedef struct elelem_sink {
    elelem_status (*write)(void *context, const void *bytes, size_t size);
    void *context; /* passed to write, not used otherwise */
} elelem_sink;

/* A sink that keeps the bytes in one growing block. */
typedef struct elelem_buffer {
    els_block els_memory;
    size_t els_size;
    size_t els_max;
} elelem_buffer;

/* Takes no memory yet. `max_bytes`: how much it may hold, 0: no limit. A zeroed allocator is the C
   library's. */
ELELEM_API void elelem_buffer_init(elelem_buffer *buffer, elelem_allocator allocator, size_t max_bytes);
/* Returns a sink that appends to the buffer, which must not move as long as the sink is used. */
ELELEM_API elelem_sink elelem_buffer_sink(elelem_buffer *buffer);
/* Returns the bytes written so far; valid until the buffer is written to, cleared or freed. */
ELELEM_API elelem_str elelem_buffer_text(const elelem_buffer *buffer);
/* Appends all bytes or, if it returns an error, none. OK; ERROR_MEMORY; ERROR_VALUE_SIZE: more than
   max_bytes; ERROR_MISUSE: a null pointer with a size, or a buffer that was never initialised. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_buffer_append(elelem_buffer *buffer, const void *bytes, size_t size);
ELELEM_API void elelem_buffer_clear(elelem_buffer *buffer); /* keeps the memory */
ELELEM_API void elelem_buffer_free(elelem_buffer *buffer);

/* A sink over a fixed array. Set data and capacity, and size to 0. A write that does not fit is
   refused with ERROR_VALUE_SIZE and adds nothing. No zero byte is added at the end. */
typedef struct elelem_span_sink {
    char *data;
    size_t capacity;
    size_t size;
} elelem_span_sink;
/* Returns a sink that appends to `span`, which must not move as long as the sink is used. */
ELELEM_API elelem_sink elelem_span_sink_of(elelem_span_sink *span);

typedef struct elelem_writer {
    elelem_sink els_sink;
    uint64_t els_written; /* bytes the sink took */
    int32_t els_status;
    uint32_t els_depth;
    uint8_t els_indent; /* spaces for each level, 0: compact */
    uint8_t els_comma;  /* nonzero: the container, or the top, already has a value */
    uint8_t els_after_key;
    uint8_t els_in_string;
} elelem_writer;

/* `indent`: spaces for each level, at most 255; 0: no whitespace inside a value. An empty container
   is {} or [] in any case. */
ELELEM_API void elelem_writer_init(elelem_writer *writer, elelem_sink sink, unsigned indent);

/* All of these return OK or the first error of the sink, which sticks. They write commas, colons
   and line ends as needed, and a line feed between values at the top. They do not check that
   calls come in a valid order, except that begin or end with a type that is no container, and end
   if no container is open, are ERROR_MISUSE and write nothing. Text must be UTF-8; the longest
   start of a character that is cut or invalid, or else one byte, is written as U+FFFD. Quotes,
   backslashes and control characters are escaped, nothing else. */
ELELEM_API elelem_status elelem_writer_begin(elelem_writer *writer, elelem_type container);
ELELEM_API elelem_status elelem_writer_end(elelem_writer *writer, elelem_type container);
ELELEM_API elelem_status elelem_writer_key(elelem_writer *writer, elelem_str key);
ELELEM_API elelem_status elelem_writer_string(elelem_writer *writer, elelem_str text);
ELELEM_API elelem_status elelem_writer_null(elelem_writer *writer);
ELELEM_API elelem_status elelem_writer_bool(elelem_writer *writer, int boolean);
ELELEM_API elelem_status elelem_writer_int64(elelem_writer *writer, int64_t number);
ELELEM_API elelem_status elelem_writer_uint64(elelem_writer *writer, uint64_t number);

/* Writes JSON text unchanged and unchecked: a number as text, or a value that was written before. */
ELELEM_API elelem_status elelem_writer_json(elelem_writer *writer, elelem_str json);

/* Write a string in pieces, each of whole characters: begin, any number of pieces, end. */
ELELEM_API elelem_status elelem_writer_string_begin(elelem_writer *writer);
ELELEM_API elelem_status elelem_writer_string_piece(elelem_writer *writer, elelem_str text);
ELELEM_API elelem_status elelem_writer_string_end(elelem_writer *writer);

/* Writes a value, complete or not, with numbers as in the input. Open strings and containers are
   closed; no value is written as null. Elements are written in the order in which they began;
   nothing is written for indices that are missing. */
ELELEM_API elelem_status elelem_writer_value(elelem_writer *writer, elelem_value value);

/* Writes a fragment of a parser as JSON text. Call it for all fragments of a value in their order,
   BEGIN too. The value may be anywhere in its document; its own key is written only if a container
   is open in the writer. ERROR_MISUSE, and nothing is written: a BEGIN of a type that is no
   container, or the DONE of a container if none is open. */
ELELEM_API elelem_status elelem_writer_fragment(elelem_writer *writer, const elelem_fragment *fragment);

/* Returns the error that sticks; status OK if there is none. The offset is the number of bytes that
   the sink took before. */
ELELEM_API elelem_error elelem_writer_error(const elelem_writer *writer);

#ifdef __cplusplus
}
#endif

/* >> passage
 *
 * Passes large values of a document on as JSON text while they arrive, so that they need not be
 * stored: images, results of searches, and what else a wire shape does not read itself. It belongs
 * to body and has no public functions.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Which values pass. Until the type of one is known, it is stored, and no more than 4096 bytes of it are held
   back; one whose type comes later does not pass. */
typedef struct elelem_passage_rule {
    uint16_t row;              /* the row of the patterns that names the values; it wants them WHOLE */
    const char *type_key;      /* the member whose string is a value's type. Null: the type is the key of its first
                                  member that is not in `ignored` */
    const char *const *kept;   /* the types that do not pass, with a null pointer after the last */
    const char *const *ignored; /* if type_key is null: likewise, keys that are no type */
} elelem_passage_rule;

/* Private. */
typedef struct els_passage {
    const elelem_passage_rule *rules;
    uint32_t rule_count;
    uint32_t rule;         /* of the value at hand */
    uint32_t depth;        /* segments of its path */
    uint8_t state;         /* an els_passage_state */
    uint8_t is_last;       /* the fragment at hand ends the value */
    uint8_t has_fragment;  /* the fragment at hand is not all written yet */
    uint8_t is_given;      /* the text was passed on */
    elelem_fragment fragment;
    size_t text_at;        /* bytes of its text that are written */
    elelem_buffer text;    /* what is written and not passed on yet */
    elelem_writer writer;  /* into it */
    char type[64];         /* of a value that passes, as far as it fits */
    uint32_t type_size;
} els_passage;

#ifdef __cplusplus
}
#endif

/* >> sse
 *
 * The event stream of the WHATWG HTML standard (section 9.2, Server-sent events): decodes bytes
 * to frames, and writes events. Data is returned in pieces as it arrives, so that an event of
 * two megabytes does not need two megabytes of memory. It knows nothing of JSON, and does not
 * check that data is UTF-8.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_frame_kind {
    ELELEM_FRAME_DATA,      /* text: a piece of the event's data, never empty, cut at any byte */
    ELELEM_FRAME_DISPATCH,  /* the event is whole: event, id, retry_ms */
    ELELEM_FRAME_DISCARD,   /* the body ended inside an event, after at least one field: its data is not whole */
    ELELEM_FRAME_LINE       /* text: a piece of a line that is no field; line_end on its last piece */
} elelem_frame_kind;

/* One result of the decoder. Slices are valid until the next call on the decoder. A line that the
   end of the body cut sets no name, id or retry. */
typedef struct elelem_frame {
    uint8_t kind;        /* an elelem_frame_kind */
    uint8_t line_end;    /* LINE: nonzero if this is the last piece of its line; the text may then be empty */
    elelem_str text;     /* DATA, LINE */
    elelem_str event;    /* DISPATCH, DISCARD: the event's name; empty if none was sent ("message" in a browser) */
    elelem_str id;       /* DISPATCH, DISCARD: as elelem_sse_decoder_last_id */
    int64_t retry_ms;    /* DISPATCH, DISCARD: as elelem_sse_decoder_retry_ms */
} elelem_frame;

typedef struct elelem_sse_decoder_desc {
    elelem_allocator allocator; /* for names and ids only */
    size_t max_name_bytes;      /* of an event's name or an id; 0: 4096, at most 2^28. A longer one is
                                   ERROR_LINE_SIZE. The decoder holds at most four times this */
    size_t max_data_bytes;      /* of one event's data with the LFs between its lines; 0: no limit.
                                   More is ERROR_FRAME_SIZE */
    uint8_t lines;              /* nonzero: return lines that are no field as LINE, except comments */
} elelem_sse_decoder_desc;

typedef struct elelem_sse_decoder {
    /* private; see sse.c */
    els_block els_texts;       /* four slots of els_stride bytes for names and ids */
    els_input els_lent;
    uint64_t els_offset;       /* bytes read so far; after an error the offset of the error */
    uint64_t els_data_size;    /* of the event so far */
    uint64_t els_data_limit;
    int64_t els_retry;
    int64_t els_number;        /* the digits of a retry so far, -1 if there is none */
    int32_t els_status;        /* an elelem_status: the error that sticks */
    uint32_t els_sizes[4];     /* of the texts in the slots */
    uint32_t els_stride;
    uint32_t els_name_limit;
    uint8_t els_state;
    uint8_t els_field;
    uint8_t els_matched;       /* bytes of the field's name seen */
    uint8_t els_last_id;       /* slots, counted from 1; 0 is the empty text */
    uint8_t els_id;
    uint8_t els_event;
    uint8_t els_value;
    uint8_t els_lines;
    uint8_t els_stopped;       /* an els_sse_stop, once the body is over */
    uint8_t els_begun;         /* nonzero: a byte order mark can no longer come */
    uint8_t els_inside;        /* what came since the last blank line; 1: a retry; 2: a field of an event */
    uint8_t els_has_data;
} elelem_sse_decoder;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first name or id. */
ELELEM_API void elelem_sse_decoder_init(elelem_sse_decoder *decoder, const elelem_sse_decoder_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE
   since the last push, or finish was called, or `bytes` is null. A refused push must be repeated,
   see elelem_error. After an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_sse_decoder_push(elelem_sse_decoder *decoder, const void *bytes, size_t size);

/* OK: a frame. MORE: push again, or finish. END: finish was called and no frame is left.
   ERROR_LINE_SIZE, ERROR_FRAME_SIZE and ERROR_MEMORY stick until reset, and so does
   ERROR_MISUSE if a push was refused and not repeated. */
ELELEM_API elelem_status elelem_sse_decoder_next(elelem_sse_decoder *decoder, elelem_frame *frame);

/* No more bytes will come. An event without its closing blank line is then a DISCARD. */
ELELEM_API void elelem_sse_decoder_finish(elelem_sse_decoder *decoder);

/* Returns the last event id of the stream, empty if there is none. A client that connects again
   sends it as Last-Event-ID. An id takes effect at the blank line that ends its event, even if
   the event has no data. Valid until the next call on the decoder. */
ELELEM_API elelem_str elelem_sse_decoder_last_id(const elelem_sse_decoder *decoder);

/* Returns the last reconnection time, -1 if none was sent, at most INT64_MAX. It takes effect at
   the end of its line. */
ELELEM_API int64_t elelem_sse_decoder_retry_ms(const elelem_sse_decoder *decoder);

/* Returns the error that sticks; status OK if there is none. The offset of ERROR_LINE_SIZE and
   ERROR_FRAME_SIZE is that of the first byte above the limit. If this is the LF between two lines
   of data, it is the offset of the byte after the second line's field name. */
ELELEM_API elelem_error elelem_sse_decoder_error(const elelem_sse_decoder *decoder);

/* Starts a new body and keeps the memory. */
ELELEM_API void elelem_sse_decoder_reset(elelem_sse_decoder *decoder);

/* Frees the memory. A zeroed decoder may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_sse_decoder_free(elelem_sse_decoder *decoder);

/* Writes one event: `name` and `id` if they are not empty, and the data. CR, LF and CRLF in the
   data are all decoded as LF. Returns what the sink returned; or ERROR_MISUSE, if the name has a
   line end, or the id has a line end or a zero byte, and then writes nothing. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_sse_write_event(elelem_sink sink, elelem_str name, elelem_str id, elelem_str data);

#ifdef __cplusplus
}
#endif

/* >> event
 *
 * The events of a response, which are the same for all providers: parts, flushes and one end.
 * Only types and their names.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_event_kind {
    ELELEM_EVENT_PART,     /* a piece of the item with this index */
    ELELEM_EVENT_FLUSH,    /* no more pieces of it will come; its content and cut_off decide whether it is whole */
    ELELEM_EVENT_METADATA, /* metadata of the response itself: its id, its model and so on */
    ELELEM_EVENT_FINISHED, /* the one good end, last */
    ELELEM_EVENT_ERROR     /* the one bad end, last */
} elelem_event_kind;

typedef enum elelem_part_kind {
    ELELEM_PART_MESSAGE,    /* text for the reader */
    ELELEM_PART_REASONING,  /* text of the model's reasoning */
    ELELEM_PART_STRUCTURED, /* JSON text, if the caller asked for the response as JSON */
    ELELEM_PART_TOOL_CALL,
    ELELEM_PART_PROVIDER_ITEM /* anything else in the response: a search that the provider ran, an image, a type that
                                 this library does not know; as JSON, which must go back unchanged */
} elelem_part_kind;

typedef enum elelem_tool_call_part_kind {
    ELELEM_TOOL_CALL_START,         /* id and name, if they are known. May come again: the first id, and the first name,
                                       that is not empty counts */
    ELELEM_TOOL_CALL_ARGUMENT_CHUNK /* a piece of the arguments' JSON text */
} elelem_tool_call_part_kind;

/* One entry of metadata: a key, which is this library's or the provider's, and the JSON text of
   its value. The entries of one item are merged: if a key comes again, the later value replaces
   the earlier one, but the elements of an array are added to an earlier array. */
typedef struct elelem_metadata_entry {
    elelem_str key;
    elelem_str json;
} elelem_metadata_entry;

typedef struct elelem_metadata {
    const elelem_metadata_entry *entries;
    size_t count;
} elelem_metadata;

/* Returns the JSON text of the value under a key, of the last one if there are several; empty if
   there is none. */
ELELEM_API elelem_str elelem_metadata_get(const elelem_metadata *metadata, const char *key);

typedef struct elelem_tool_call_part {
    uint8_t kind;    /* an elelem_tool_call_part_kind */
    elelem_str id;   /* START: empty if it is not known yet */
    elelem_str name; /* START: empty if it is not known yet */
    elelem_str type; /* START: the provider's word for a call that is no plain function, such as "shell_call"; else empty */
    elelem_str text; /* ARGUMENT_CHUNK: JSON text, never empty, cut anywhere but inside a character */
} elelem_tool_call_part;

typedef struct elelem_event_part {
    uint8_t kind;       /* an elelem_part_kind */
    uint8_t hosted;     /* PROVIDER_ITEM: nonzero: the provider ran it; nothing is left to do */
    elelem_str text;    /* all but TOOL_CALL: whole characters; may be empty if the part has metadata or a caption.
                           PROVIDER_ITEM: a piece of its JSON */
    elelem_str type;    /* PROVIDER_ITEM: the provider's word for it, the same in all its parts */
    elelem_str caption; /* PROVIDER_ITEM: a piece of a text to show for it, such as a query, or code while it is
                           written */
    elelem_tool_call_part tool_call;
} elelem_event_part;

/* Why the model stopped. X(name, the name in records) */
#define ELELEM_FINISH_REASON_LIST(X) \
    X(COMPLETED, "completed")        \
    X(MAX_TOKENS, "max_tokens")      \
    X(TOOL_CALLS, "tool_calls")      \
    X(CONTENT_FILTER, "content_filter") \
    X(CONTINUE, "continue") /* the provider paused: send the response back unchanged to continue */ \
    X(OTHER, "other")

typedef enum elelem_finish_reason {
#define ELELEM_FINISH_REASON_ENUM(name, text) ELELEM_FINISH_##name,
    ELELEM_FINISH_REASON_LIST(ELELEM_FINISH_REASON_ENUM)
#undef ELELEM_FINISH_REASON_ENUM
    ELELEM_FINISH_REASON_COUNT
} elelem_finish_reason;

/* Numbers of tokens as the provider counts them; -1 if it did not report one. */
typedef struct elelem_usage {
    int64_t input;
    int64_t output;
    int64_t cached;        /* read from a cache */
    int64_t reasoning;     /* of the output */
    int64_t cache_written; /* written to a cache */
} elelem_usage;

/* What went wrong. X(name, the name in records, 1 if the same request may succeed later) */
#define ELELEM_ERROR_KIND_LIST(X)                                                               \
    X(OTHER, "other", 0)                                                                        \
    X(TIMEOUT, "timeout", 1)                   /* nothing came for idle_timeout_ms */           \
    X(CONNECT, "connect", 1)                   /* the transport broke, or the body ended early */ \
    X(CANCELLED, "cancelled", 0)               /* by the caller */                              \
    X(RATE_LIMIT, "rate_limit", 1)             /* too many requests; wait */                    \
    X(QUOTA, "quota", 0)                       /* no money or daily quota is left */         \
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

/* The error that ended a stream or a turn: `event.error`, `update.error`. Not an elelem_error, which the error functions of
   the other objects return. */
typedef struct elelem_failure {
    uint8_t kind;           /* an elelem_error_kind */
    uint8_t retryable;      /* nonzero: the same request may succeed later */
    int32_t http_status;    /* 0 if it was not set */
    int32_t status;         /* an elelem_status, for the kinds PROTOCOL, LIMIT, OUT_OF_MEMORY and a lost push: what this library
                               found, such as ERROR_SYNTAX or ERROR_FRAME_SIZE; else OK */
    int64_t retry_after_ms; /* the delay that the server asked for, even if `retryable` is zero; -1 if there is none */
    uint64_t offset;        /* in the body: of the byte that is not JSON; of the start of the frame in which memory or
                               a limit ran out; else the bytes read when it happened */
    elelem_str code;        /* the provider's own word for the error, or empty */
    elelem_str message;     /* the provider's own sentence, or else one of this library; never empty */
} elelem_failure;

typedef struct elelem_event {
    uint8_t kind;             /* an elelem_event_kind */
    uint8_t reason;           /* FINISHED: an elelem_finish_reason, that of choice 0 */
    uint8_t cut_off;          /* FLUSH of TOOL_CALL or STRUCTURED: nonzero: the item is not whole even if its JSON is,
                                 because the model was stopped before it wrote any or inside a number, or because
                                 the provider marks the item as incomplete. Zero: its JSON shows whether it is */
    uint32_t index;           /* PART, FLUSH: which item; an opaque key, which is not used again in the stream. It grows
                                 in the order in which items begin on the wire, which may be before their first part */
    uint32_t choice;          /* PART, FLUSH: which of the choices asked for, from 0 */
    elelem_event_part part;   /* PART */
    elelem_str raw_reason;    /* FINISHED: the provider's own word */
    elelem_usage usage;       /* FINISHED */
    elelem_failure error;     /* ERROR */
    elelem_metadata metadata; /* any kind */
} elelem_event;

/* Return "completed", "rate_limit" and so on, as in records; "other" for an unknown number. */
ELELEM_API const char *elelem_finish_reason_name(int reason);
ELELEM_API const char *elelem_error_kind_name(int kind);

/* Nonzero if, by this kind alone, the same request may succeed later. */
ELELEM_API int elelem_error_kind_is_retryable(int kind);

#ifdef __cplusplus
}
#endif

/* >> failure
 *
 * Reads how providers report errors: the HTTP status, the headers that ask to wait, and error
 * bodies. It finds the kind of an error. It ends no stream and knows no frames.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Why a provider rejects metadata of an earlier turn. One bit each. */
typedef enum elelem_rejection {
    ELELEM_REJECTED_SIGNATURE = 1, /* Anthropic: the signature of a thinking block is not valid */
    ELELEM_REJECTED_CHANGE = 2,    /* Anthropic: thinking blocks of the latest turn were changed */
    ELELEM_REJECTED_THOUGHT = 4,   /* Google: a thought signature is corrupt, not valid or missing */
    ELELEM_REJECTED_ENCRYPTED = 8, /* OpenAI: encrypted reasoning cannot be verified */
    ELELEM_REJECTED_ITEM = 16      /* OpenAI: an item that the request names is not stored, or lacks the item that must
                                      follow it */
} elelem_rejection;

/* Private: the status and headers of an HTTP response. Waits are in milliseconds, -1 if there is none. */
typedef struct els_http {
    int64_t unix_seconds;   /* the caller's time; 0: not known */
    int64_t retry_after_ms; /* of the header of that name; the next ones likewise */
    int64_t retry_after;
    int64_t rate_reset;
    int32_t status;         /* 0: not set */
    int8_t should_retry;    /* x-should-retry: 1, 0; -1 if there is none */
} els_http;

#ifdef __cplusplus
}
#endif

/* >> shape
 *
 * For authors of shapes: the seam between the one driver and a wire shape. A shape names
 * the paths it wants from a frame; the driver parses the frame, keeps those values as a
 * document, calls the shape once, and hands out the events that the shape emitted. It knows
 * no provider's frames. Shapes are written with this and the rooms before it alone, those of
 * the library too. It is here, not at the end, because a stream contains an elelem_shape_context.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct elelem_shape_context elelem_shape_context;
struct elelem_recovery_path; /* see recovery */

/* What the shape is asked to work on. */
typedef enum elelem_shape_frame {
    ELELEM_SHAPE_DATA, /* a frame's document */
    ELELEM_SHAPE_DONE  /* a frame with the text [DONE] */
} elelem_shape_frame;

/* Provider items: values that pass as they are while their frame still arrives. */
typedef struct elelem_shape_items {
    const elelem_pattern_node *paths; /* the same rows as those of the shape; they want the values of the rules WHOLE */
    const elelem_passage_rule *rules;
    size_t rule_count;
    /* When the first piece of such a value, an object, is there, returns the item that it becomes, or ELELEM_NO_INDEX to ignore it. The
       pieces are emitted. In the document that `frame` gets then the value is not complete; the shape flushes the item. */
    uint32_t (*passes)(elelem_shape_context *context, elelem_value value, elelem_str type);
} elelem_shape_items;

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
    const struct elelem_recovery_path *recovery; /* places of a request that a provider may find stale; may be null */
    size_t recovery_count;
    const elelem_shape_items *items; /* how it has provider items; null: it has none */
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
/* Another table of the same rows, for elelem_shape_items, from a list that wants other things of them. */
#define ELELEM_SHAPE_MORE_PATHS(list, prefix, table)                                                                    \
    static const elelem_pattern_node table[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),                              \
                                                 list(prefix, ELELEM_SHAPE_MEMBER_ROW, ELELEM_SHAPE_ELEMENTS_ROW) }
#define ELELEM_SHAPE_MEMBER_NAME(prefix, name, parent, key, want) prefix##name,
#define ELELEM_SHAPE_ELEMENTS_NAME(prefix, name, parent, want) prefix##name,
#define ELELEM_SHAPE_MEMBER_ROW(prefix, name, parent, key, want) \
    ELELEM_PATTERN_MEMBER(prefix##parent, key, ELELEM_WANT_##want),
#define ELELEM_SHAPE_ELEMENTS_ROW(prefix, name, parent, want) ELELEM_PATTERN_ELEMENTS(prefix##parent, ELELEM_WANT_##want),

/* Rows that a table may have. */
#define ELELEM_SHAPE_MAX_ROWS 80

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
    uint8_t els_has_name;
    uint8_t els_json; /* an els_item_json: how far its arguments or structured text are */
    uint8_t els_more; /* the wire said that more is to come */
    uint32_t els_kept; /* the offset of what is kept, + 1; 0 for none */
    uint32_t els_kept_size;
    uint32_t els_kept_room;
    uint64_t els_id_hash;
} elelem_shape_item;

#define ELELEM_NO_INDEX 0xffffffff

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
    elelem_str name;         /* of a call, or the type of a provider item */
    uint32_t index;
    uint32_t choice;
    uint32_t metadata_count; /* entries, after those of the event before it */
    uint8_t kind;            /* an elelem_event_kind */
    uint8_t part_kind;
    uint8_t tool_call_kind;
    uint8_t cut_off;
    uint8_t hosted;
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
    int32_t els_status;        /* an elelem_status: what emitting ran into */
    uint8_t els_frame;         /* an elelem_shape_frame */
    uint8_t els_structured;
    uint8_t els_wants_items;
    uint8_t els_has_state;     /* the shape's memory for the stream is there */
    uint8_t els_ended;         /* els_end is set */
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

/* Nonzero if nothing that the frame does counts any more: something failed, or the stream ended. */
ELELEM_API int elelem_shape_is_over(const elelem_shape_context *context);

/* From the next frame on only the first `count` rows of the shape's paths are wanted, for what is
   needed only now and then. When the stream begins all are. */
ELELEM_API void elelem_shape_want(elelem_shape_context *context, size_t count);

/* Values. */

/* Looks up the members of an object that the rows from `first` to `last` of the shape's paths name, the last of each, in one
   pass. elelem_shape_field then returns the member of row `slot`, `slot` + 1 and so on; no value if there is none. A row that
   was not looked up is no value, or what an earlier call left. */
ELELEM_API void elelem_shape_fields_find(elelem_shape_context *context, elelem_value object, unsigned first, unsigned last,
                                         unsigned slot);
ELELEM_API elelem_value elelem_shape_field(const elelem_shape_context *context, unsigned slot);

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

/* The newest open item of the choice that is no call and does not wait. */
ELELEM_API uint32_t elelem_shape_item_text(const elelem_shape_context *context, uint32_t choice);

/* For wires that do not say when an item ends: the open text item of this kind and key in
   the choice, or a new one, before which the choice's other open text item is flushed. */
ELELEM_API uint32_t elelem_shape_item_continue(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                               uint32_t key);

/* Gives an item that had no part the next index, so that indices count up in the order of first parts. Returns the
   index. */
ELELEM_API uint32_t elelem_shape_item_renumber(elelem_shape_context *context, elelem_shape_item *item);

/* Nonzero if the item has this id or none yet; see elelem_shape_tool_start. */
ELELEM_API int elelem_shape_item_may_be(const elelem_shape_context *context, uint32_t index, elelem_str id);

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

/* Pieces of a provider item, whose type is the same in all of them: of its JSON, or of a text that can be shown for it.
   elelem_shape_provider_value: a value of the document is all or the next of its JSON. */
ELELEM_API void elelem_shape_provider_json(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str json);
ELELEM_API void elelem_shape_provider_value(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_value value);
ELELEM_API void elelem_shape_provider_written(elelem_shape_context *context, uint32_t index, elelem_str type);
ELELEM_API void elelem_shape_provider_caption(elelem_shape_context *context, uint32_t index, elelem_str type,
                                              elelem_str caption);

/* Nonzero if provider items are to be emitted. If not, the caller does without them, and their values are not in
   the document. */
ELELEM_API int elelem_shape_wants_items(const elelem_shape_context *context);

/* Emits the metadata that waits as what is known of the response itself; nothing if none waits. */
ELELEM_API void elelem_shape_response(elelem_shape_context *context);

/* Text of an item that grows over frames and is emitted whole, or state that has no fixed size. Limited by max_kept_bytes; all
   of it is gone when the item is flushed. elelem_shape_keep adds to its end. */
ELELEM_API void elelem_shape_keep(elelem_shape_context *context, uint32_t index, elelem_str text);

/* What is kept; empty if nothing is. Valid until something is kept, or an item is flushed. */
ELELEM_API elelem_str elelem_shape_kept(const elelem_shape_context *context, const elelem_shape_item *item);

/* Makes it so many bytes, of which the caller writes those that are new. Returns the first byte, aligned for any type; null if
   memory or the limit forbids. */
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

/* Why a choice stopped. `replace`: the last one counts, else the first. An empty word leaves the one before. */
ELELEM_API void elelem_shape_reason(elelem_shape_context *context, uint32_t choice, elelem_finish_reason reason,
                                    elelem_str raw, int replace);

/* Nonzero if a reason for the choice is known. */
ELELEM_API int elelem_shape_has_reason(const elelem_shape_context *context, uint32_t choice);

/* The provider's counts, -1 for unknown, and its own JSON for them, an object of the document. The last counts are those
   that are given out. Of the JSON each member is, as the last frame has it that names it with a value; but what earlier frames
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

/* >> recovery
 *
 * Providers sign the reasoning of their models, and refuse a request that sends back a signature
 * which they no longer accept. This room recognizes such a refusal by its words, finds the stale
 * values in the request that was sent, and removes them from the metadata that the caller
 * keeps. It knows no frames, and sends nothing.
 *
 *     if (error.kind == ELELEM_ERROR_KIND_RECOVERABLE) {       // the same request would fail again: retryable is 0
 *         size_t i, removed = 0, found = elelem_recovery_find(shape, &error, request, patches, 16);
 *         for (i = 0; i < item_count; i++)                     // metadata of your own history, copied from the items
 *             removed += elelem_patch_apply(patches, found, items[i].entries, &items[i].entry_count);
 *         if (removed > 0) send_again_with(items);             // else show the error
 *     }
 *
 * The error's slices and the request must stay valid until the patches were applied.
 * elelem_recovery_role and elelem_recovery_path are for authors of shapes.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_recovery_role {
    ELELEM_RECOVERY_VALUE,      /* a string that may be stale */
    ELELEM_RECOVERY_SPEAKER,    /* the role of a message */
    ELELEM_RECOVERY_BLOCK_TYPE, /* if it is "tool_result", the message is the result of a tool call and begins no turn */
    ELELEM_RECOVERY_RESULT      /* if anything is here, likewise */
} elelem_recovery_role;

/* A place in a request. The second segment of every path is the index of the message. */
typedef struct elelem_recovery_path {
    const char *path;    /* a pattern, see path */
    const char *key;     /* VALUE: the metadata key under which the shape emits the value */
    uint8_t role;        /* an elelem_recovery_role */
    uint8_t rejections;  /* VALUE: the bits of the elelem_rejections for which it may be the reason */
} elelem_recovery_path;

/* What to remove from a list of metadata: if the value under `match_key` is this string, or contains
   it, the entry under `remove_key`. */
typedef struct elelem_patch {
    elelem_str match_key;
    elelem_str match_value; /* a JSON string, with quotes and escapes as in the request */
    elelem_str remove_key;
} elelem_patch;

/* Finds what to remove from the history after a RECOVERABLE error, so that the provider accepts
   the request. `request` is the body of the request that was sent, in the JSON of this shape.
   If the error names a value, or a place that can be trusted, the patches are for that one; else
   for all of its kind. Returns the number of patches written, at most `capacity`; those for which
   there is no room are found when the request is refused again. If it returns 0, there is nothing
   to remove: show the error. Keys are fixed text, values are slices of `request`. Takes no memory
   except about 4 KB of stack. The time is at most in proportion to the size of the request
   multiplied by `capacity`.

   Apply the patches with elelem_patch_apply, build the request again and send it. What lost its
   signature is sent like this: to Messages, reasoning as plain text or not at all; to Gemini, a call
   with the signature "skip_thought_signature_validator"; to Responses, reasoning with its encrypted
   content or not at all, unless it is stored there. */
ELELEM_API size_t elelem_recovery_find(const elelem_shape *shape, const elelem_failure *error, elelem_str request,
                                       elelem_patch *patches, size_t capacity);

/* Applies patches to the metadata of one item: `*count` entries at `entries`. If the value under
   match_key is the string match_value, or contains it, all entries under remove_key are removed;
   the others stay in order. Returns the number of entries removed. If it returns 0 for all items of
   a history, show the provider's error and do not send again, because nothing has changed. Each
   repair removes something, and a patch that was applied finds nothing again, so that repairing
   ends. Takes no memory except about 4 KB of stack. The metadata is read once for every 64 patches,
   before any of these 64 is applied; each of its strings is compared with each patch, up to the
   first difference. */
ELELEM_API size_t elelem_patch_apply(const elelem_patch *patches, size_t patch_count, elelem_metadata_entry *entries,
                                     size_t *count);

#ifdef __cplusplus
}
#endif

/* >> shape_chat
 *
 * Chat Completions, as OpenAI shaped it and some thirty providers send it. Left out
 * where ELELEM_NO_CHAT is defined.
 *
 * Metadata it puts on parts:
 *
 *     reasoning_details  entries of delta.reasoning_details without their text, which the
 *                        item's text is; signatures, encrypted data, ids and formats
 *                        (entries with another index are another item)
 *     annotations        citations in the text
 *     citations, search_results
 *                        what the answer was made from (Perplexity, xAI), each entry once
 *     refusal            true: the text is the model's refusal
 *     extra_content      on a tool call: what must go back with it (Gemini's thought signature)
 *     provider_metadata  as it came (Vercel's gateway)
 */

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ELELEM_NO_CHAT
ELELEM_DATA const elelem_shape elelem_shape_chat;
#endif

#ifdef __cplusplus
}
#endif

/* >> shape_responses
 *
 * Responses, as OpenAI shaped it and Azure, xAI, DeepSeek, OpenRouter, LM Studio and
 * others send it. Left out where ELELEM_NO_RESPONSES is defined.
 *
 * An output item of the wire is an item here: message, reasoning, function call or custom
 * tool call. Reasoning is the raw text if the provider shows it, else the summary, whose
 * parts are set apart by a blank line. Texts that the wire repeats when they are whole add
 * only what their deltas left out. A custom tool call's input is free text: it goes out as
 * one JSON string, so that the arguments of all calls are JSON. Calls that run at the
 * provider (web_search_call, mcp_call, code_interpreter_call, ...; the custom tool calls
 * of xAI's x_search, if the request had no custom tool), their results and compaction
 * items are skipped.
 *
 * Metadata it puts on an item's first part and, where only the end tells it or tells
 * otherwise, on its flush; what must go back with the next request is among it:
 *
 *     item_id            the provider's id of the item; a call's own id is another
 *     encrypted_content  of reasoning, on the flush
 *     phase              of a message: "commentary" or "final_answer"; the flush repeats it
 *     annotations        citations in a message's text; each entry once, arrays add up
 *     refusal            true, on every part: the text is the model's refusal
 *     raw                true: the reasoning is raw text, not a summary
 *     custom             true: a custom tool call, whose arguments are its input as a JSON string
 *     namespace, caller  of a function call, as they came
 */

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ELELEM_NO_RESPONSES
ELELEM_DATA const elelem_shape elelem_shape_responses;
#endif

#ifdef __cplusplus
}
#endif

/* >> shape_messages
 *
 * Messages, as Anthropic shaped it, at its own endpoint and through Vertex and others.
 * Left out where ELELEM_NO_MESSAGES is defined.
 *
 * Each content block is an item; its content_block_stop is the FLUSH. Blocks other than text,
 * reasoning and tool_use are provider items: those of the provider's own tools (server_tool_use,
 * *_tool_result, mcp_*), container_upload, compaction, fallback, and types that are not known.
 * The JSON of one is the block that must go back, put together from its deltas.
 *
 * Metadata, all of it to be sent back with the block in the next turn:
 *
 *     signature      of a thinking block, whole, on the item's FLUSH; if the thinking itself
 *                    was withheld, on a REASONING part without text
 *     redacted_data  the data of a redacted_thinking block, on a REASONING part without text
 *     citations      an array, on message parts; the arrays of one item add up
 *     caller         who made a tool call, the model itself or code of its own, on the START
 *     toolset_name   the toolset of a call that has one, likewise
 *
 * of the response itself, in METADATA:
 *
 *     id, model, service_tier
 *     container              its id and when it expires
 *     context_management     what the provider removed from the history
 *     input_transformations  thinking of earlier turns that it did not use
 *
 * and on FINISHED:
 *
 *     stop_details   why the model refused
 *     stop_sequence  the one that was met
 */

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ELELEM_NO_MESSAGES
ELELEM_DATA const elelem_shape elelem_shape_messages;
#endif

#ifdef __cplusplus
}
#endif

/* >> shape_gemini
 *
 * Gemini's streamGenerateContent, at Google's API and at Vertex, as an event stream
 * (alt=sse) or as one JSON array. Left out where ELELEM_NO_GEMINI is defined.
 *
 * The wire has no ids of its own for most tool calls, and no end but that of the body:
 *
 *     A call without an id gets "call_" and its index in this stream. Google's own never
 *     look so; leave it out when the call is sent back.
 *     A finish reason may come with every chunk, and the last counts when the body has
 *     ended. A body that broke off is an error although a reason was seen.
 *     Arguments that come piece by piece with their paths (partialArgs) go out as the
 *     JSON text they make up. A path that was left is not continued: a piece that
 *     does not fit after those before it is a protocol error.
 *     A call that the provider runs itself, as those to a server of tools that it was
 *     told of, comes like any other, and its functionResponse after it. The finish
 *     reason is TOOL_CALLS only if a call has no functionResponse.
 *     A call that says that it continues (willContinue) and is neither continued nor followed
 *     by another is cut off, whatever the finish reason.
 *     RESOURCE_EXHAUSTED is a QUOTA error if it names a quota of the day, and else a
 *     RATE_LIMIT. Google may ask for a wait of seconds in either case.
 *
 * Left out: executableCode, codeExecutionResult, inlineData, fileData, functionResponse,
 * toolCall, toolResponse, with their signatures; safetyRatings.
 *
 * Metadata it puts on parts:
 *
 *     thought_signature   of a text or a call, to be sent back with it in the next turn. An
 *                         item has one at most and ends with it. One that comes on an
 *                         empty text belongs to the open item of its kind, or to one of its
 *                         own without text
 *     citations           an array, from citationMetadata; the arrays of one item add up
 *     grounding_metadata, url_context_metadata
 *                         as they came, on the message or on one of their own without text
 *
 * and on FINISHED:
 *
 *     prompt_feedback     why the prompt was blocked, if it was
 *     finish_message      what the provider says in addition to the reason
 */

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ELELEM_NO_GEMINI
ELELEM_DATA const elelem_shape elelem_shape_gemini;
#endif

#ifdef __cplusplus
}
#endif

/* >> provider
 *
 * Which wire shape a provider uses, the path of its address and the header for its key, as
 * constant data. No request is built or sent here.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* All texts are constant and never null. */
typedef struct elelem_provider {
    const char *name;          /* in lower case, such as "openrouter" */
    const elelem_shape *shape; /* null if that shape is left out */
    const char *path;          /* on the provider's host; replace {model} by the model's name */
    const char *key_header;    /* the header for the key, such as "authorization" */
    const char *key_prefix;    /* comes before the key in that header, such as "Bearer "; may be empty */
    const char *other_header;  /* another header that is required, and its value; else empty */
    const char *other_value;
} elelem_provider;

/* Returns the provider with this name; null if the name is unknown or null. Names:
   anthropic, azure, cerebras, deepseek, fireworks, google, groq, litellm, llamacpp,
   mistral, ollama, openai, openai-chat, openrouter, openrouter-responses, perplexity,
   together, vercel, vllm, writer, xai. */
ELELEM_API const elelem_provider *elelem_provider_find(const char *name);

/* Returns the shape of the provider with this name, or the shape with this name ("chat",
   "responses", "messages", "gemini"); null if the name is unknown or null, or the shape is left
   out. */
ELELEM_API const elelem_shape *elelem_shape_find(const char *name);

#ifdef __cplusplus
}
#endif

/* >> tags
 *
 * Splits text, which is pushed in pieces of any size, into text and tags, in order:
 *
 *     Hm. <think id="a">two and two</think> Four.
 *
 *     TEXT "Hm. "   BEGIN think   TEXT "two and two"   END think   TEXT " Four."
 *
 * Only the names that the caller lists are tags. Everything else passes unchanged, and at
 * once: a < b, generics, HTML, code. Only what may still become a listed tag is held back,
 * and a character until it is whole. It knows nothing of JSON, of events, or of what a name
 * means.
 *
 * A tag is
 *
 *     begin     = "<" name *( 1*blank attribute ) *blank [ "/" ] ">"
 *     end       = "</" name *blank ">"
 *     attribute = key [ *blank "=" *blank ( DQUOTE text DQUOTE / "'" text "'" / bare ) ]
 *
 * A blank is a space, tab, CR or LF. A key has none of  " ' < = / >  and a bare value none of
 * " ' < >  and does not start with =. A quoted value may have any characters, < and > too.
 * Whatever does not follow this grammar is text, up to the next <, which may begin a tag.
 * Entities are not decoded. Code fences are not known: a listed tag inside one is a tag.
 *
 * Nesting. An end tag closes the innermost open tag of its name, and all tags inside it; each
 * of them gets an END. An end tag that closes nothing is an END too (ORPHAN), not text. A tag
 * that is open at the end of the text gets an END (UNCLOSED); its content was returned already
 * and is not returned again as text. A begin tag that the end of the text cuts is text.
 *
 * Limits never lead to an error, but to text: a begin tag that is longer than max_tag_bytes or
 * has more than max_attributes is text (its end tag is then an orphan), and so is a tag inside
 * max_depth others, together with its end tag.
 *
 * Some splitters of this kind differ. In this one nothing depends on how the input is cut, not
 * even whitespace; a lone < neither holds back nor loses the text after it; a tag that is not
 * closed takes no memory for its content, which is never read again; tags of the same name
 * nest; > in quotes does not end a tag; a repeated attribute is two attributes.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_tag_kind {
    ELELEM_TAG_TEXT,  /* text, never empty; a valid character is never cut */
    ELELEM_TAG_BEGIN, /* a tag opens: name, id, attributes */
    ELELEM_TAG_END    /* a tag ends: how, an elelem_tag_end */
} elelem_tag_kind;

typedef enum elelem_tag_end {
    ELELEM_TAG_OPEN,        /* TEXT, BEGIN: no end yet */
    ELELEM_TAG_CLOSED,      /* by its end tag */
    ELELEM_TAG_SELF_CLOSED, /* <name/>: in its BEGIN and in its END, which follows at once */
    ELELEM_TAG_IMPLIED,     /* by the end tag of a tag around it, whose END follows */
    ELELEM_TAG_UNCLOSED,    /* by the end of the text */
    ELELEM_TAG_ORPHAN       /* an end tag that closes nothing; id is empty */
} elelem_tag_end;

/* A bit mask: which whitespace next to a tag is left out. */
typedef enum elelem_tag_trim {
    ELELEM_TAG_TRIM_OUTSIDE = 1, /* before a begin tag, after an end tag, on both sides of an orphan */
    ELELEM_TAG_TRIM_INSIDE = 2   /* after a begin tag, before an end tag */
} elelem_tag_trim;

/* An attribute as in the text, without the quotes around its value. */
typedef struct elelem_tag_attribute {
    elelem_str name;
    elelem_str value;
    uint8_t has_value; /* zero for <cite draft>, nonzero for draft="" */
} elelem_tag_attribute;

#define ELELEM_NO_TAG 0xffffffffu

/* One result of the splitter. Slices and attributes are valid until the next call on the
   splitter; the name is the caller's own. The name, id and name_index of a TEXT are those of the
   innermost tag around it. */
typedef struct elelem_tag_piece {
    elelem_str text;        /* TEXT: a slice of the pushed bytes, unless it was held back */
    elelem_str raw;         /* BEGIN, END: the tag as in the text, in the first piece that it leads to; else empty.
                               Without trimming, all text and raw in order are the input */
    elelem_str name;        /* as listed; empty for TEXT outside of all tags */
    elelem_str id;          /* BEGIN, END, TEXT: the first id="..." of the tag that is not empty, else a generated
                               one: think-1, cite-2; the number counts all that were generated since init or reset */
    const elelem_tag_attribute *attributes; /* BEGIN: in order, id and repeated ones too */
    uint32_t attribute_count;
    uint32_t name_index;    /* position in the list of names; ELELEM_NO_TAG for TEXT outside of all tags */
    uint32_t depth;         /* BEGIN, END: of the tag; the outermost has 1. TEXT, ORPHAN: how many tags are open around it */
    uint8_t kind;           /* an elelem_tag_kind */
    uint8_t how;            /* an elelem_tag_end */
    uint8_t id_generated;   /* nonzero: the id is not from the tag */
} elelem_tag_piece;

/* A splitter holds one block of at most 4 * max_depth * (max_tag_bytes + 33) + 8 * max_tag_bytes +
   80 * max_attributes + 16 * name_count + 32 bytes. Blocks double, so that much is held only by a text whose tags
   meet all limits. */
typedef struct elelem_tag_splitter_desc {
    elelem_allocator allocator; /* for one block: ids of the open tags, attributes, a tag cut by a chunk's end */
    const elelem_str *names;    /* must outlive the splitter; null: think, thinking, reasoning. A name that is empty, or
                                   has a blank or one of < > /, is never found */
    uint32_t name_count;
    uint32_t max_tag_bytes;     /* from < to >; 0: 4096, at most 16777216. Whitespace that may be trimmed before a tag
                                   is held back too: a run of this many bytes or more is not trimmed */
    uint32_t max_attributes;    /* of one tag; 0: 64, at most 16777216 */
    uint32_t max_depth;         /* tags inside each other; 0: 64, at most 65536 */
    uint8_t trim;               /* bits of elelem_tag_trim; 0: no whitespace is left out */
    uint8_t ignore_case;        /* nonzero: A to Z are equal to a to z in names and in the key id */
} elelem_tag_splitter_desc;

typedef struct elelem_tag_splitter {
    els_input els_lent;
    els_block els_memory;      /* counts of open tags by name, frames of the open tags; held bytes; attributes */
    const elelem_str *els_names;
    uint64_t els_offset;       /* bytes read so far */
    uint64_t els_generated;    /* how many ids were generated */
    size_t els_stack_size;     /* bytes of counts and frames */
    size_t els_stack_room;     /* offset of the held bytes */
    size_t els_held_at;        /* how many of the held bytes were returned */
    size_t els_held_size;
    size_t els_known;          /* how many of the next bytes are known to be text */
    uint32_t els_name_count;
    uint32_t els_max_tag;
    uint32_t els_max_attributes;
    uint32_t els_max_depth;
    uint32_t els_max_ids;      /* open tags whose ids are kept; those inside them have none */
    uint32_t els_depth;        /* tags open */
    uint32_t els_ends;         /* how many ENDs are still to be returned */
    uint64_t els_beyond;       /* begin tags that are text because of their depth, and have no end tag yet */
    uint32_t els_blanks;       /* of the current tag: whitespace before it that may be trimmed */
    uint32_t els_tag_size;     /* of the current tag: bytes from its < */
    uint32_t els_attributes;
    uint32_t els_name;         /* the first listed name that begins with what was read */
    uint32_t els_name_size;    /* how many bytes of it were read */
    int32_t els_status;        /* an elelem_status: the error that sticks */
    uint8_t els_state;
    uint8_t els_is_end;
    uint8_t els_self_closing;
    uint8_t els_replay;        /* the held bytes do not begin with a tag: read them as text */
    uint8_t els_how;           /* of the last of els_ends */
    uint8_t els_after;         /* the next whitespace is trimmed */
    uint8_t els_long_run;      /* the next whitespace is not trimmed */
    uint8_t els_trim;
    uint8_t els_ignore_case;
    uint8_t els_carry_size;    /* bytes of a character cut by a chunk's end */
    unsigned char els_carry[4];
} elelem_tag_splitter;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first tag, or
   the first piece of text that may become one and is cut by the end of a push. */
ELELEM_API void elelem_tag_splitter_init(elelem_tag_splitter *splitter, const elelem_tag_splitter_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE
   since the last push, or finish was called, or `bytes` is null. A refused push must be repeated,
   see elelem_error. After an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_tag_splitter_push(elelem_tag_splitter *splitter, const void *bytes, size_t size);

/* OK: a piece. MORE: push again, or finish. END: finish was called and no piece is left.
   ERROR_MEMORY sticks until reset, and so does ERROR_MISUSE if a push was refused and not
   repeated; no input is an error. Bytes that are not UTF-8 pass like all others. */
ELELEM_API elelem_status elelem_tag_splitter_next(elelem_tag_splitter *splitter, elelem_tag_piece *piece);

/* No more bytes will come. Next then returns what was held back as text, and an END for each tag
   that is open. */
ELELEM_API void elelem_tag_splitter_finish(elelem_tag_splitter *splitter);

/* Returns the error that sticks; status OK if there is none. The offset is that of the first byte
   not read. */
ELELEM_API elelem_error elelem_tag_splitter_error(const elelem_tag_splitter *splitter);

/* Starts a new text and keeps the memory. Generated ids count from 1 again. */
ELELEM_API void elelem_tag_splitter_reset(elelem_tag_splitter *splitter);

/* Frees the memory. A zeroed splitter may be freed; one that was freed may be used again after
   init. */
ELELEM_API void elelem_tag_splitter_free(elelem_tag_splitter *splitter);

#ifdef __cplusplus
}
#endif

/* >> thought
 *
 * Changes events: reasoning that a model writes inside its message, in <think> tags and similar
 * ones, becomes REASONING with an index of its own. Everything else passes, with new indices. It
 * knows no wire shape, and of tags only what the tag splitter returns.
 *
 * A message with reasoning in tags becomes several items in order: the text before, the
 * reasoning, the text after. Each is flushed before the next one begins, and reasoning at its end
 * tag. The first part of reasoning has the metadata
 *
 *     tag  {"name":"think","id":"think-1"} and, if the tag has attributes,
 *          "attributes":[["key","value"],["key without value"]]
 *
 * Tags inside reasoning are part of its text. An end tag without a start tag is left out.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* A splitter holds at most (58000 + 16 * name_count) * max_open + 102400 bytes: that much only if the texts of all
   items are cut inside a long tag. */
typedef struct elelem_thought_splitter_desc {
    elelem_allocator allocator;
    const elelem_str *names; /* of the tags; must outlive the splitter; null: think, thinking, reasoning */
    uint32_t name_count;
    uint32_t max_open;       /* items open at one time; 0: 256. More is ERROR_COUNT */
} elelem_thought_splitter_desc;

typedef struct elelem_thought_splitter {
    els_block els_items;       /* the open items of the stream, each with its place in the output */
    elelem_tag_splitter_desc els_tags;
    elelem_event els_event;    /* the one that was pushed last */
    elelem_tag_piece els_piece;
    els_cursor els_text;       /* of the event, what is not split yet */
    elelem_buffer els_json;    /* of the metadata of a tag */
    elelem_metadata_entry els_entry;
    uint64_t els_finished;     /* items that were flushed */
    els_debt els_owed;
    uint32_t els_count;
    uint32_t els_max;
    uint32_t els_at;           /* position of the event's item */
    uint32_t els_next_index;
    int32_t els_status;        /* an elelem_status: the error that sticks */
    uint8_t els_phase;
} elelem_thought_splitter;

/* Zeroes mean the defaults above; `desc` may be null. */
ELELEM_API void elelem_thought_splitter_init(elelem_thought_splitter *splitter, const elelem_thought_splitter_desc *desc);

/* Takes an event; its slices must stay valid until next has returned MORE. OK; ERROR_MISUSE: next
   has not returned MORE since the last push, and the same event must be pushed again (see
   elelem_error); or a flush of an index that is not open. ERROR_MEMORY and ERROR_COUNT stick, and
   so does ERROR_MISUSE if another event is pushed after one was refused. */
ELELEM_API elelem_status elelem_thought_splitter_push(elelem_thought_splitter *splitter, const elelem_event *event);

/* OK: an event, valid until the next call. MORE: push the next event. Negative: the error that sticks. */
ELELEM_API elelem_status elelem_thought_splitter_next(elelem_thought_splitter *splitter, elelem_event *event);

/* Returns the error that sticks; status OK if there is none. The offset is the number of items
   flushed before. */
ELELEM_API elelem_error elelem_thought_splitter_error(const elelem_thought_splitter *splitter);
ELELEM_API void elelem_thought_splitter_reset(elelem_thought_splitter *splitter);
ELELEM_API void elelem_thought_splitter_free(elelem_thought_splitter *splitter);

#ifdef __cplusplus
}
#endif

/* >> body
 *
 * Reads the body of an HTTP response as JSON documents: one for each frame of an event stream,
 * or for each element of an array. It reports when a body is neither. It belongs to stream and
 * has no public functions; what a document means, and when a response is over, it does not know.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Private. */
typedef struct els_body {
    elelem_sse_decoder decoder;
    elelem_fragment_parser parser;
    elelem_fragment_aggregator document;
    els_passage passage;    /* of a value that is passed on and not stored in the document */
    elelem_str piece;       /* of it, found last */
    els_cursor rest;        /* of the text that is being read: what comes after that piece, if has_rest */
    const elelem_patterns *patterns; /* what documents keep, looked at when one begins; stream sets it */
    elelem_str event_name;  /* of the frame found last, empty if it has none */
    elelem_error error;     /* of what was found last */
    uint64_t begin;         /* offset of the first byte that may belong to the current document */
    uint8_t has_rest;       /* `rest` is to be read first */
    uint8_t kind;           /* an els_body_kind: what the body turned out to be */
    uint8_t json;           /* an els_body_json: how much of a document the current text is */
    uint8_t source;         /* an els_body_source: data or lines */
    uint8_t done;           /* how many bytes of [DONE] it is, ELS_BODY_NOT_DONE for none */
    uint8_t is_found;       /* the document was returned, and the next call forgets it */
    uint8_t mark;           /* bytes of a byte order mark at the start */
    uint8_t array;          /* an els_body_array: what the array waits for */
    uint8_t line;           /* an els_body_line: how far a line is that is no field */
    uint8_t heard;          /* an els_body_heard: what the event stream held so far */
    uint8_t is_cut;         /* the body ended inside an event */
    uint8_t has_frame;      /* the input is a whole frame from the caller's own client */
    uint8_t may_be_array;   /* an array is a list of documents; stream sets it, as the next */
    uint8_t is_refusal;     /* anything may come, and only the first document counts */
} els_body;

#ifdef __cplusplus
}
#endif

/* >> stream
 *
 * Turns the body of an HTTP response into events and exactly one end. It drives a wire shape,
 * owns the rules that are the same for all providers, and knows no wire format itself.
 *
 * The body comes decompressed and without HTTP's own framing. It is an event stream, or, if the
 * status is an error, whatever the provider sent. A whole response as one JSON object, which comes
 * when the request lacks "stream": true, ends in an error (but see shape_gemini for arrays).
 *
 * Metadata of the end, in addition to the shape's own:
 *
 *     usage           FINISHED: the provider's own JSON for the tokens used
 *     finish_reasons  FINISHED: an object of the reasons of choices 1, 2, ... by number, if there are any
 *     request_id      ERROR: if the body has one and there is memory for it
 */

#ifdef __cplusplus
extern "C" {
#endif

/* A stream holds at most 15 * max_frame_bytes + 3 * max_kept_bytes + (264 + item_bytes) * max_open_items +
   (16 + choice_bytes) * max_choices + stream_bytes + 102400 bytes, of which item_bytes, choice_bytes and stream_bytes
   are the shape's, and with split_thoughts what a thought splitter of so many items holds. Most of it is for the events
   of one frame, and is taken only if that is full of them. */
typedef struct elelem_stream_desc {
    const elelem_shape *shape;    /* the wire format, such as &elelem_shape_chat; must not be null */
    elelem_allocator allocator;
    int64_t unix_seconds;         /* now, since 1970, to read a Retry-After that is a date; 0: unknown */
    uint32_t idle_timeout_ms;     /* the stream fails after so long without a byte, up to 49 days; 0: never. See
                                     elelem_stream_tick */
    uint32_t max_frame_bytes;     /* memory for what the shape wants of one frame; 0: 16 MiB. No key and no number may
                                     be longer, beyond 4096 bytes */
    uint32_t max_kept_bytes;      /* of what must outlive its frame, such as signatures, and of Gemini's partialArgs
                                     8 bytes a member of the objects that are open; 0: 1 MiB */
    uint32_t max_open_items;      /* items open at one time; 0: 256 */
    uint32_t max_choices;         /* choices in one response; 0: 128 */
    uint8_t structured;           /* nonzero: the caller asked for JSON, so message text is STRUCTURED */
    uint8_t without_provider_items; /* nonzero: what is no text, no reasoning and no call for the caller does not come as
                                     PROVIDER_ITEM, nor what is known of the response as METADATA, and takes no memory */
    uint8_t split_thoughts;       /* nonzero: reasoning in tags inside message text is REASONING; see thought */
    const elelem_str *thought_tags; /* names of these tags; must outlive the stream; null: think, thinking, reasoning */
    uint32_t thought_tag_count;
} elelem_stream_desc;

typedef struct elelem_stream {
    elelem_shape_context els_context;
    els_body els_response;
    elelem_patterns els_patterns;  /* the paths of the shape that are wanted now */
    elelem_thought_splitter els_thoughts;
    els_input els_lent;           /* pushed bytes, or the data of a pushed frame */
    uint32_t els_idle_ms;
    uint32_t els_last_ms;          /* the time of the last tick */
    uint32_t els_waited_ms;        /* without a byte, up to that tick */
    uint8_t els_state;             /* an els_stream_state */
    uint32_t els_passing;          /* the item whose pieces come, if els_passes */
    uint8_t els_passes;            /* a value of the frame is passing */
    uint8_t els_splits;            /* message text goes through els_thoughts */
    uint8_t els_failed_kind;       /* 1 + the elelem_error_kind that the caller reported; 0 for none */
    uint8_t els_is_quiet;          /* no byte came since the last tick */
} elelem_stream;

/* OK; ERROR_MISUSE if desc or its shape is null: the stream's only event is then an ERROR that says so. */
ELELEM_API elelem_status elelem_stream_init(elelem_stream *stream, const elelem_stream_desc *desc);

/* Sets the time, as desc.unix_seconds does; set it again before a response that comes much later. */
ELELEM_API void elelem_stream_set_unix_time(elelem_stream *stream, int64_t unix_seconds);

/* Passes in the status and the headers of the HTTP response, before its body is pushed. Without a
   status it counts as 200. A second status begins another response to the same request (after 100,
   103, a redirect or a proxy's 407) and forgets the headers before it; a first one does not. The
   headers that matter are picked out, in any order, names in any case, whitespace and line ends
   around both ignored: x-should-retry, retry-after-ms, retry-after, ratelimit, x-ratelimit-reset
   and its -requests and -tokens. */
ELELEM_API void elelem_stream_http_status(elelem_stream *stream, int status);
ELELEM_API void elelem_stream_http_header(elelem_stream *stream, elelem_str name, elelem_str value);

/* Lends bytes of the body until next returns MORE or END. OK; ERROR_MISUSE: next has not
   returned MORE since the last push, or finish or fail was called, or `bytes` is null. A
   refused push must be repeated, see elelem_error: if it is not, the last event is an ERROR of
   kind OTHER, not retryable, with status ERROR_MISUSE. After the end everything is taken and
   dropped.
   A body under a good status that is a page, plain words or JSON of something else is a
   PROTOCOL error; JSON that holds an error is that error. */
ELELEM_API elelem_status elelem_stream_push(elelem_stream *stream, const void *bytes, size_t size);

/* Lends one whole frame of a caller with its own SSE or WebSocket client: its data and the name of
   its event, empty if it has none. Returns what push returns; a refused frame must be repeated.
   The two ways cannot be mixed: push is refused after push_data, and push_data after push. */
ELELEM_API elelem_status elelem_stream_push_data(elelem_stream *stream, elelem_str event_name, elelem_str data);

/* OK: an event, whose slices are valid until the next call on the stream. MORE: push again, finish
   or fail. END: the end was returned. Never negative: whatever goes wrong is the last event. */
ELELEM_API elelem_status elelem_stream_next(elelem_stream *stream, elelem_event *event);

/* Says that the body is over. What was pushed and not taken yet still comes. */
ELELEM_API void elelem_stream_finish(elelem_stream *stream);

/* Says that the transport broke, or that the caller gave up: an ERROR of that kind, after what was
   pushed before. A number that is no kind counts as OTHER. Ignored after the end. FINISHED comes
   instead if every finish reason was already seen and can no longer change. */
ELELEM_API void elelem_stream_fail(elelem_stream *stream, elelem_error_kind kind);

/* Sets the time in milliseconds, from any start, wrapping at 32 bits; call it now and then. If
   nothing was pushed for idle_timeout_ms, the stream ends with a TIMEOUT. A clock that steps back
   starts the wait again; so does one that advances by 2^31 or more (24 days) from one tick to the
   next, because the two look the same. */
ELELEM_API void elelem_stream_tick(elelem_stream *stream, uint32_t now_ms);

/* Starts a new response of the same shape, and keeps the memory and the time. */
ELELEM_API void elelem_stream_reset(elelem_stream *stream);

/* Frees the memory. A zeroed stream may be freed. */
ELELEM_API void elelem_stream_free(elelem_stream *stream);

#ifdef __cplusplus
}
#endif

/* >> metadata
 *
 * The metadata of the parts of one item, merged into one list: arrays are added to, anything
 * else is replaced. What is kept counts for a limit that all items of one object share.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Private: the bytes that the items of one object keep, and the most that they may. */
typedef struct els_budget {
    uint64_t els_used;
    uint64_t els_max;
} els_budget;

/* Private: the metadata of one item. */
typedef struct els_meta {
    els_block els_slots; /* a slot for each key, and after all of them an entry for each key */
    uint32_t els_count;
    uint32_t els_capacity;
} els_meta;

#ifdef __cplusplus
}
#endif

/* >> builder
 *
 * Turns events into items: messages, reasoning, structured output and tool calls, each in one
 * piece, and emits every fragment of a tool call's arguments as soon as it is read. Nothing is
 * repaired: an item that did not arrive whole says so.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_item_state {
    ELELEM_ITEM_OPEN,     /* not flushed yet; in the partial view only */
    ELELEM_ITEM_COMPLETE, /* flushed, and whole */
    ELELEM_ITEM_CUT_OFF,  /* drained before it was flushed, or flushed as cut off; or its JSON stopped in the middle, or
                             at a limit */
    ELELEM_ITEM_MALFORMED, /* its JSON does not follow the grammar */
    ELELEM_ITEM_LEFT_OUT  /* a provider item that was longer than what max_bytes left; it has no text */
} elelem_item_state;

/* "open", "complete", "cut_off", "malformed", "left_out". */
ELELEM_API const char *elelem_item_state_name(int state);

typedef struct elelem_tool_call {
    uint32_t index;         /* of its item: the key of its events, for elelem_event_builder_arguments and the like */
    elelem_str id;          /* the first that was not empty; empty if there was none */
    elelem_str name;        /* likewise */
    elelem_str type;        /* likewise: the provider's word for a call that is no plain function, such as "shell_call" */
    elelem_value arguments; /* of whatever type they are; {} if the call was flushed without any and not as cut off.
                               Never complete (elelem_value_is_complete) unless the item is */
    elelem_str text;        /* the JSON text of the arguments so far, if desc.keep_argument_text */
} elelem_tool_call;

/* What the parts of one index make together. If the state is not COMPLETE, it has what arrived. */
typedef struct elelem_item {
    uint8_t kind;  /* an elelem_part_kind */
    uint8_t state; /* an elelem_item_state */
    uint32_t index;
    uint32_t choice;
    uint8_t hosted;             /* PROVIDER_ITEM: nonzero: the provider ran it */
    elelem_str type;            /* PROVIDER_ITEM: the provider's word for it */
    elelem_str caption;         /* PROVIDER_ITEM: a text that can be shown for it; may be empty */
    elelem_str text;            /* all but TOOL_CALL; STRUCTURED, PROVIDER_ITEM: the JSON text */
    elelem_value value;         /* STRUCTURED: that text read; like arguments never complete unless the item is */
    elelem_tool_call tool_call; /* TOOL_CALL */
    elelem_metadata metadata;   /* that of all parts and the flush, merged, in order of first appearance */
} elelem_item;

/* A fragment of the arguments of a tool call that is still being written. */
typedef struct elelem_tool_call_argument_progress {
    uint32_t index;
    uint32_t choice;
    elelem_str id;   /* as far as known now */
    elelem_str name; /* as far as known now */
    elelem_fragment fragment;
} elelem_tool_call_argument_progress;

typedef enum elelem_built_kind {
    ELELEM_BUILT_PROGRESS,
    ELELEM_BUILT_ITEM
} elelem_built_kind;

/* What next returns; only the member that `kind` names is set. */
typedef struct elelem_built {
    uint8_t kind; /* an elelem_built_kind */
    elelem_tool_call_argument_progress progress;
    elelem_item item;
} elelem_built;

/* Bit mask of what is kept. A kind that is not kept is not stored and gives no item; the progress
   of tool calls is emitted in any case. */
#define ELELEM_KEEP_MESSAGES 1u
#define ELELEM_KEEP_REASONING 2u
#define ELELEM_KEEP_STRUCTURED 4u
#define ELELEM_KEEP_TOOL_CALLS 8u
#define ELELEM_KEEP_METADATA 16u /* of the kinds that are kept */
#define ELELEM_KEEP_NONE 32u    /* no item at all; 0 stands for the default, which is all */
#define ELELEM_KEEP_PROVIDER_ITEMS 64u
#define ELELEM_KEEP_ALL 95u

/* A builder holds at most 9 * max_bytes + 3072 * max_open + 4096 bytes: max_bytes limits three things,
   and blocks double. */
typedef struct elelem_event_builder_desc {
    elelem_allocator allocator; /* for the open items: a table, and a few blocks each */
    uint64_t max_bytes;         /* of all open items together: of their texts, names and metadata (128 bytes more for
                                   each key); as much again of their values; as much again of what the parsers of
                                   their JSON hold (the keys of a path, a number, 64 bytes a level). 0: 64 MiB.
                                   ERROR_VALUE_SIZE */
    uint32_t max_open;          /* items that are not flushed yet; 0: 256, at most 65535. ERROR_COUNT */
    uint32_t max_metadata;      /* keys of one item; 0: 64, at most 65535. ERROR_COUNT */
    uint32_t keep;              /* ELELEM_KEEP_...; 0: all */
    uint8_t keep_argument_text; /* nonzero: tool calls keep the JSON text of their arguments as well as the value */
} elelem_event_builder_desc;

typedef struct elelem_event_builder {
    els_block els_table;     /* the open items, and after them their places in order of index */
    els_cursor els_lent;    /* JSON text of the event pushed last that is still to be read */
    els_budget els_texts;    /* texts, names and metadata */
    els_budget els_values;
    els_budget els_reading;  /* what parsers hold */
    uint64_t els_finished;   /* items that are over */
    els_debt els_owed;
    uint32_t els_capacity;   /* of the table */
    uint32_t els_open;       /* places in use: the first ones of the order */
    uint32_t els_place;      /* of the item that is read, flushed or returned */
    uint32_t els_max_open;
    uint32_t els_max_metadata;
    int32_t els_status;      /* an elelem_status: the error that sticks */
    int32_t els_late;        /* the error to return once the input is read */
    uint8_t els_phase;
    uint8_t els_keep;
    uint8_t els_keep_argument_text;
    uint8_t els_over;        /* no more events are taken */
    uint8_t els_draining;
    uint8_t els_handed_out;  /* the item at els_place is the caller's until the next call */
} elelem_event_builder;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first part. */
ELELEM_API void elelem_event_builder_init(elelem_event_builder *builder, const elelem_event_builder_desc *desc);

/* Takes an event. It and its slices must stay until next has returned MORE or END.
   OK. ERROR_MISUSE, which changes nothing and does not stick: next has not returned MORE; a
   part of another kind or choice than those before it with this index; a flush of an index
   that is not open; an event after the end (FINISHED, ERROR, drain), or of an unknown kind.
   After the first of these the same event must be pushed again (see elelem_error): after any
   other, ERROR_MISUSE sticks. ERROR_MEMORY and the errors of the limits stick; what was kept
   until then can be drained. */
ELELEM_API elelem_status elelem_event_builder_push(elelem_event_builder *builder, const elelem_event *event);

/* OK: progress or an item, valid until the next call of push, next, reset or free. MORE: push
   the next event. END: the end was pushed, or drain was called, and nothing is left. Negative: the
   error that sticks.
   A message of whitespace alone gives no item, and neither does structured output without any
   text, unless there is metadata; reasoning does. After a chunk that breaks the grammar of JSON
   or a limit of the parser (the defaults of fragment) no more progress is emitted for that call.
   When a value meets max_bytes, the JSON text kept with it may reach to the end of its part. */
ELELEM_API elelem_status elelem_event_builder_next(elelem_event_builder *builder, elelem_built *built);

/* Ends early: no more events are taken. After the results of the last event, next returns all items
   that are open as CUT_OFF or MALFORMED, in order of index, even after an error, and then END, or
   that error. */
ELELEM_API void elelem_event_builder_drain(elelem_event_builder *builder);

/* Returns the items that are kept and not flushed yet, in order of index: OK, one at a time, then
   END. `*position` is 0 at first and is advanced. Their state is OPEN, or already what is wrong with
   their JSON. Nothing changes; the item is valid until the next call of push, next, reset or free. */
ELELEM_API elelem_status elelem_event_builder_partial(const elelem_event_builder *builder, size_t *position,
                                                      elelem_item *item);

/* Returns what there is of the arguments (or structured value) of an open index, never complete; no
   value if there is nothing yet. Valid as long as the item of the partial view. */
ELELEM_API elelem_value elelem_event_builder_arguments(const elelem_event_builder *builder, uint32_t index);

/* Returns the error that sticks; status OK if there is none. The offset is the number of items that
   were finished before. */
ELELEM_API elelem_error elelem_event_builder_error(const elelem_event_builder *builder);

/* Removes all that is open, and keeps the table and small blocks. */
ELELEM_API void elelem_event_builder_reset(elelem_event_builder *builder);

/* Frees the memory. A zeroed builder may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_event_builder_free(elelem_event_builder *builder);

/* Writes an item as one JSON object:
   {"type":"message","index":0,"choice":1,"text":"...","state":"cut_off","metadata":{"k":...}}
   {"type":"tool_call","index":2,"id":"...","name":"...","arguments":{...}}
   Types: message, reasoning, structured, tool_call. Choice 0, state complete and empty metadata
   are left out. A structured value is "value" if it is complete, else its text is "text".
   Arguments that are not complete are "argumentsText", a string, if their text was kept, else
   "partialArguments", as far as they came. OK or the writer's error. */
ELELEM_API elelem_status elelem_item_write(elelem_writer *writer, const elelem_item *item);

#ifdef __cplusplus
}
#endif

/* >> turn
 *
 * One loop over a whole response, which is what most callers want: a stream and an event
 * builder that yield text and tool call arguments as they are written, items when they are
 * done, and one end. It adds no rule of its own.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_turn_update_kind {
    ELELEM_TURN_TEXT,            /* text: a delta of a message, or of the JSON that was asked for */
    ELELEM_TURN_REASONING,       /* text: a delta of the model's reasoning */
    ELELEM_TURN_TOOL_CALL_START, /* tool_call begins. Comes again when its id or name comes late: then there may have been
                                    fragments before, with an empty name, which elelem_turn_arguments has */
    ELELEM_TURN_TOOL_CALL_DELTA, /* tool_call, fragment: one fragment of its arguments. After text that is no JSON no more
                                    come, and the item is MALFORMED */
    ELELEM_TURN_TOOL_CALL_DONE,  /* tool_call with its arguments, item: it is over; whole, or marked cut off. It may come
                                    long after the last fragment; that a value is whole, its own DONE fragment says */
    ELELEM_TURN_PROVIDER_ITEM,   /* part: a piece of anything else in the response, such as a search that the provider
                                    ran: its type, its JSON and a caption to show; see elelem_event_part */
    ELELEM_TURN_METADATA,        /* metadata: what is known of the response itself: its id, its model and so on */
    ELELEM_TURN_ITEM,            /* item: a message, reasoning, a structured value or a provider item is over */
    ELELEM_TURN_FINISHED,        /* reason, raw_reason, usage: the good end, last */
    ELELEM_TURN_ERROR            /* error: the bad end, last, after the items that it cut off */
} elelem_turn_update_kind;

/* One update. Members that its kind does not use are zero. Slices, values, the path of the fragment, and what `item`
   points to, are valid until the next call of push, next, reset or free. */
typedef struct elelem_turn_update {
    uint8_t kind;               /* an elelem_turn_update_kind */
    uint8_t reason;             /* an elelem_finish_reason */
    uint32_t index;             /* all but the ends: which item, an opaque key */
    uint32_t choice;            /* all but the ends: which of the choices asked for */
    elelem_str text;
    elelem_tool_call tool_call; /* index, id and name as far as they are known: the same in START, DELTA and DONE.
                                   The rest only in DONE; run no call whose arguments are not complete */
    elelem_fragment fragment;
    elelem_event_part part;     /* PROVIDER_ITEM; for all other kinds the members above have what it says */
    const elelem_item *item;    /* as the builder gave it; null for all kinds that do not name it */
    elelem_str raw_reason;      /* the provider's own word */
    elelem_usage usage;
    elelem_failure error;
    elelem_metadata metadata;   /* of the event; of the whole item, when one is over */
} elelem_turn_update;

/* A turn holds what a stream and an event builder of the same limits hold. */
typedef struct elelem_turn_desc {
    const elelem_shape *shape;    /* the wire format; must not be null */
    elelem_allocator allocator;
    uint32_t keep;                /* which kinds become items: ELELEM_KEEP_...; 0: all. Text and fragments come in any
                                     case; with ELELEM_KEEP_NONE nothing is stored after it was returned */
    int64_t unix_seconds;         /* this and the next as in elelem_stream_desc */
    uint32_t idle_timeout_ms;
    uint32_t max_frame_bytes;
    uint32_t max_kept_bytes;
    uint32_t max_open_items;
    uint32_t max_choices;
    uint8_t structured;
    uint8_t without_provider_items;
    uint8_t split_thoughts;
    const elelem_str *thought_tags;
    uint32_t thought_tag_count;
    uint8_t keep_argument_text;   /* as in elelem_event_builder_desc */
    uint64_t max_item_bytes;      /* as its max_bytes */
} elelem_turn_desc;

typedef struct elelem_turn {
    elelem_stream els_stream;
    elelem_event_builder els_builder;
    elelem_event els_event;    /* the one taken from the stream last */
    elelem_built els_built;    /* what update.item points to */
    uint8_t els_state;
} elelem_turn;

/* OK; ERROR_MISUSE if desc or its shape is null: the only update is then an error that says so. */
ELELEM_API elelem_status elelem_turn_init(elelem_turn *turn, const elelem_turn_desc *desc);

/* The same as the functions of these names in stream. */
ELELEM_API void elelem_turn_http_status(elelem_turn *turn, int status);
ELELEM_API void elelem_turn_http_header(elelem_turn *turn, elelem_str name, elelem_str value);
ELELEM_API elelem_status elelem_turn_push(elelem_turn *turn, const void *bytes, size_t size);
ELELEM_API elelem_status elelem_turn_push_data(elelem_turn *turn, elelem_str event_name, elelem_str data);
ELELEM_API void elelem_turn_finish(elelem_turn *turn);
ELELEM_API void elelem_turn_fail(elelem_turn *turn, elelem_error_kind kind);
ELELEM_API void elelem_turn_tick(elelem_turn *turn, uint32_t now_ms);
ELELEM_API void elelem_turn_set_unix_time(elelem_turn *turn, int64_t unix_seconds);

/* OK: an update. MORE: push again, finish or fail. END: the end was returned. Never negative. */
ELELEM_API elelem_status elelem_turn_next(elelem_turn *turn, elelem_turn_update *update);

/* Returns the arguments of a tool call that is still open, as far as they came, the fragment of the update returned last
   among them: readable at any time, never complete, valid as long as that update. No value for any other index, or if
   tool calls are not kept. */
ELELEM_API elelem_value elelem_turn_arguments(const elelem_turn *turn, uint32_t index);

/* Starts a new response of the same shape, and keeps the memory and the time. */
ELELEM_API void elelem_turn_reset(elelem_turn *turn);

/* Frees the memory. A zeroed turn may be freed. */
ELELEM_API void elelem_turn_free(elelem_turn *turn);

#ifdef __cplusplus
}
#endif

/* >> line
 *
 * How events are written as JSON lines, and read. One event is one line; lines that an
 * application writes between them stay as they are.
 */

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
 * 0, and choice may always be missing. Any other object is a line of the application's. */
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

/* >> call
 *
 * Joins the parts of the tool calls of a record, so that one line can have the whole call.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Private: the tool calls that are open, with their arguments. */
typedef struct els_calls {
    els_budget els_allowance; /* of all that is kept of them */
    els_block els_slots;
    size_t els_count;
    size_t els_max;
} els_calls;

#ifdef __cplusplus
}
#endif

/* >> recorder
 *
 * Writes events, as they come, as JSON lines or as an event stream, into a sink of the
 * caller's. It keeps no file and no clock.
 */

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

/* >> replayer
 *
 * Reads JSON lines and returns the events, from pieces of a recording cut anywhere.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* How far a replayer has come: what was returned or passed over. */
typedef struct elelem_replay_position {
    uint64_t items;
    uint64_t lines;
    uint64_t offset; /* of the byte after the last of these lines */
} elelem_replay_position;

/* A replayer holds at most 2 * max_line_bytes + 16384 bytes. It reads whatever a recorder writes, if the lines are
   not longer than it allows. */
typedef struct elelem_replayer_desc {
    elelem_allocator allocator;    /* for lines cut by the end of a push, escapes, metadata and extra members */
    elelem_replay_position start;  /* the position of the first byte pushed, if the caller seeks in a file */
    uint64_t first;                /* items up to this number are checked and passed over; TEXT: bytes */
    uint64_t max_line_bytes;       /* of one object; 0: 16 MiB. ERROR_LINE_SIZE */
    uint8_t format;                /* LINES or TEXT. To read SSE, push the data that a decoder returns */
    uint8_t lines;                 /* nonzero: every item is a LINE */
} elelem_replayer_desc;

typedef struct elelem_replayer {
    els_input els_lent;
    elelem_fragment_parser els_check;
    els_line_reader els_reader;
    elelem_buffer els_kept;     /* the object so far, if it was cut */
    elelem_str els_raw;         /* the part of the object that is in the bytes lent now */
    elelem_replay_position els_start;
    elelem_replay_position els_at;
    uint64_t els_first;
    uint64_t els_max_line;
    uint64_t els_object;        /* offset of the object's brace */
    uint64_t els_error_offset;
    int32_t els_status;         /* an elelem_status: the error that sticks */
    uint8_t els_state;
    uint8_t els_format;
    uint8_t els_lines;
    uint8_t els_carry_size;
    unsigned char els_carry[4];
} elelem_replayer;

/* Zeroes mean the defaults above; `desc` may be null. */
ELELEM_API void elelem_replayer_init(elelem_replayer *replayer, const elelem_replayer_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE
   since the last push, or finish was called, or `bytes` is null. A refused push must be repeated,
   see elelem_error. After an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_replayer_push(elelem_replayer *replayer, const void *bytes, size_t size);

/* OK: an item, as soon as its line ends. MORE: push again, or finish. END: finish was
   called and no item is left. Lines end with LF or CRLF; empty lines and whitespace around an
   object are ignored. Errors, which stick until reset: those of the fragment parser,
   as strict; ERROR_SYNTAX also at the first byte of what is not an object, and at a line
   end inside one; ERROR_TRUNCATED: finish inside one; ERROR_LINE_SIZE; ERROR_MEMORY;
   ERROR_MISUSE: a push was refused and not repeated.
   In the format TEXT the items are message parts of index 0 holding whole characters. */
ELELEM_API elelem_status elelem_replayer_next(elelem_replayer *replayer, elelem_record_item *item);

/* No more bytes will come: the last line needs no line feed. */
ELELEM_API void elelem_replayer_finish(elelem_replayer *replayer);

/* Returns how far it has come: all before `offset` is whole, even if the recording was cut off or
   is bad after it. */
ELELEM_API elelem_replay_position elelem_replayer_position(const elelem_replayer *replayer);

/* Returns the number of the line being read, from 1: that of an error. */
ELELEM_API uint64_t elelem_replayer_line_number(const elelem_replayer *replayer);

ELELEM_API elelem_error elelem_replayer_error(const elelem_replayer *replayer);
ELELEM_API void elelem_replayer_reset(elelem_replayer *replayer); /* keeps the memory; back to desc.start */
ELELEM_API void elelem_replayer_free(elelem_replayer *replayer);

#ifdef __cplusplus
}
#endif

/* >> coalescer
 *
 * Makes records short for storage: adjacent text becomes one event, a tool call one line.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of the events of a record.
 *
 * Adjacent text of one kind, index and choice with the same extra members becomes one
 * event with the first one's time. Its metadata merges as in elelem_metadata_entry; if it
 * cannot (more than 64 keys; an array and something else under one key, whose order
 * counts), another event begins. A tool call becomes one BeforeToolExecution line at its
 * flush; directly after such a line of the same id and name (and index, if it has one) it
 * becomes nothing. A tool call that is never flushed is written before the end as one
 * ToolCallStart and one ToolCallArguments. All these keep the extra members of the line
 * that opened the call, except members with names of these lines. Everything else stays, in
 * order.
 *
 * Flushes are dropped, except those of structured output that was cut off. Their metadata, which
 * may come with nothing else (a signature, encrypted reasoning), is merged into the text or call
 * that they end. If that was returned already, because other text came between, a Flush with
 * metadata stays; after the line of a tool call, with what that line lacks. So nothing is lost:
 * joining the texts and merging the metadata of each index gives what an event builder makes of
 * the same events. What leaves nothing ends no run of text. Coalescing twice changes nothing. */

/* A coalescer holds at most 6 * max_bytes + 1024 * max_calls + 16384 bytes. */
typedef struct elelem_event_coalescer_desc {
    elelem_allocator allocator;
    uint32_t max_bytes; /* kept at one time (each key of metadata counts 128 bytes more), and of one line; 0: 64 MiB.
                           ERROR_VALUE_SIZE, ERROR_LINE_SIZE */
    uint32_t max_calls; /* tool calls open at one time; 0: 256. ERROR_COUNT, also for over 64 keys of metadata of one */
} elelem_event_coalescer_desc;

typedef struct elelem_event_coalescer {
    els_calls els_open;          /* its budget counts everything kept here */
    els_meta els_meta_of_run;    /* or of the flush returned last */
    els_meta els_meta_announced;
    elelem_buffer els_run;       /* the extra members of the run, its type, and after them its text */
    elelem_buffer els_caption;   /* of the run */
    elelem_buffer els_announced; /* id and name of the BeforeToolExecution line just before */
    elelem_buffer els_out;
    els_line_reader els_reader;
    elelem_fragment_parser els_check;
    elelem_record_item els_item; /* pushed and not yet done */
    uint64_t els_taken;          /* events, items and lines pushed so far */
    els_debt els_owed;
    elelem_event els_run_event;
    int64_t els_run_time;
    size_t els_run_extra;        /* bytes of the extra members */
    size_t els_run_type;         /* bytes of the type */
    size_t els_announced_id;     /* bytes of the id */
    int64_t els_announced_index; /* -1 if it has none */
    int32_t els_status;          /* an elelem_status: the error that sticks */
    uint8_t els_pushed;
    uint8_t els_has_run;
    uint8_t els_has_announced;
    uint8_t els_given;           /* what the item returned last was made of */
    uint8_t els_finished;
} elelem_event_coalescer;

ELELEM_API void elelem_event_coalescer_init(elelem_event_coalescer *coalescer, const elelem_event_coalescer_desc *desc);

/* Lends an event, an item of a replayer, or a line (one JSON object) until next returns
   MORE. OK; ERROR_MISUSE: next has not returned MORE since the last push, and the same thing must
   be pushed again (see elelem_error), or finish was called; ERROR_LINE_SIZE, ERROR_MEMORY and the
   errors of elelem_recorder_push_item and elelem_recorder_push_line: these do not stick and change
   nothing. After ERROR_MEMORY, ERROR_VALUE_SIZE or ERROR_COUNT of next, which stick, that error. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_event_coalescer_push(elelem_event_coalescer *coalescer,
                                                                    const elelem_event *event);
ELELEM_API ELELEM_CHECKED elelem_status elelem_event_coalescer_push_item(elelem_event_coalescer *coalescer,
                                                          const elelem_record_item *item);
ELELEM_API ELELEM_CHECKED elelem_status elelem_event_coalescer_push_line(elelem_event_coalescer *coalescer,
                                                                         elelem_str line);

/* OK: an item. MORE: push the next, or finish. END: finish was called and no item is left. */
ELELEM_API elelem_status elelem_event_coalescer_next(elelem_event_coalescer *coalescer, elelem_record_item *item);
ELELEM_API void elelem_event_coalescer_finish(elelem_event_coalescer *coalescer);

/* Returns the error that sticks; status OK if there is none. The offset is the number of events,
   items and lines taken before. */
ELELEM_API elelem_error elelem_event_coalescer_error(const elelem_event_coalescer *coalescer);
ELELEM_API void elelem_event_coalescer_reset(elelem_event_coalescer *coalescer);
ELELEM_API void elelem_event_coalescer_free(elelem_event_coalescer *coalescer);

#ifdef __cplusplus
}
#endif

/* >> history
 *
 * Writes and reads the entries of a conversation's history.
 */

#ifdef __cplusplus
extern "C" {
#endif

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
    elelem_str events; /* the JSON array; empty if there is none */
} elelem_history_entry;

/* Writes the entry as one JSON object without a line end. Returns what the sink returns;
   ERROR_MISUSE, and nothing is written, if it has neither text nor events. The events are not
   checked: they come from the builder or the reader. */
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
   ERROR_MISUSE: before finish, or when nothing was pushed at all; else the error that sticks. */
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
   ERROR_PROTOCOL: no role or another one, neither text nor events, an event without
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

/* >> item_reader
 *
 * Turns stored lines back into items: those of elelem_item_write, of a recorder or a coalescer,
 * and entries of a history. Lines that make no item are returned unchanged, in their place.
 */

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

/* A reader holds at most 4 * max_line_bytes + 9 * max_bytes + 3072 * max_open + 32768 bytes. */
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
    elelem_history_entry els_entry;   /* the entry whose events are being read */
    size_t els_entry_at;
    int32_t els_status;               /* an elelem_status: the error that sticks */
    uint8_t els_phase;
    uint8_t els_queued;
    uint8_t els_taken;
    uint8_t els_state;                /* an elelem_item_state: of the item that the current line is */
} elelem_item_reader;

/* Zeroes mean the defaults above; `desc` may be null. */
ELELEM_API void elelem_item_reader_init(elelem_item_reader *reader, const elelem_item_reader_desc *desc);

/* Lends `size` bytes until next returns MORE. Returns what elelem_replayer_push does. */
ELELEM_API elelem_status elelem_item_reader_push(elelem_item_reader *reader, const void *bytes, size_t size);

/* OK: an item or a line. MORE: push again, or finish. END: finish was called and nothing is left.
   Errors, which stick until reset: those of the replayer and of the event builder; ERROR_TYPE: an event of an entry is
   no object.
   Items come as they end: at their Flush, when a ChatCompleted shows that all is whole, when another
   entry or an item's own line begins. What is open at an Error or at the end of the input is cut off.
   A BeforeToolExecution line is a call, unless the events of that call are there too. */
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

#if defined(ELELEM_STREAM_IMPLEMENTATION) && !defined(ELELEM_STREAM_IMPLEMENTED)
#define ELELEM_STREAM_IMPLEMENTED

/* >> base */

#include <string.h>
#ifndef ELELEM_NO_STDLIB
#include <stdlib.h>
#endif

/* A build that leaves wire shapes out does not use every private function. */
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

/* Defines what ELELEM_DATA declares. */
#ifndef ELELEM_STATIC
#define ELS_DATA
#elif !defined(__cplusplus)
#define ELS_DATA static
#elif defined(_MSC_VER)
#define ELS_DATA extern __declspec(selectany)
#else
#define ELS_DATA extern __attribute__((weak))
#endif

#define ELS_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A member of a desc: zero means the default. */
#define ELS_DEFAULT(value, fallback) ((value) ? (value) : (fallback))

/* Returns a member of a desc that has a largest value. */
ELS_INLINE uint32_t els_limit(uint32_t value, uint32_t fallback, uint32_t most)
{
    return value == 0 ? fallback : value < most ? value : most;
}

/* These two compute sizes to allocate. A result that does not fit is SIZE_MAX, which is never requested from an
   allocator, so that no size wraps and becomes small. (Sizes of what is in memory already need no checks.) */
ELS_INLINE size_t els_sum(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

ELS_INLINE size_t els_product(size_t a, size_t b)
{
    return b > 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* The largest size of a block: the difference of two pointers into it fits a ptrdiff_t. */
#define ELS_BLOCK_MAX ((size_t)PTRDIFF_MAX)

/* Returned by a step of a state machine if the loop continues. */
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

const char *elelem_status_name(int status)
{
    switch (status) {
#define ELS_STATUS_NAME(name, value, sentence) \
    case ELELEM_##name: return "ELELEM_" #name;
        ELELEM_STATUS_LIST(ELS_STATUS_NAME)
#undef ELS_STATUS_NAME
    default: return "ELELEM_STATUS_UNKNOWN";
    }
}

const char *elelem_status_sentence(int status)
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

/* The arena. A free span begins with its size and the offset of the next one. Spans are linked in
   order of address, so that a block that is freed finds the free spans next to it. */

typedef struct els_span {
    size_t size;
    size_t next; /* offset; the size of the whole memory if there is none */
} els_span;

#define ELS_GRAIN sizeof(els_span)

ELS_INLINE els_span *els_span_at(const elelem_arena *arena, size_t offset)
{
    return (els_span *)(void *)(arena->els_memory + offset);
}

/* Rounds a size up to whole grains; 0 if the result does not fit. */
ELS_INLINE size_t els_grains(size_t size)
{
    return size > SIZE_MAX - (ELS_GRAIN - 1) ? 0 : (size + (ELS_GRAIN - 1)) / ELS_GRAIN * ELS_GRAIN;
}

/* Returns the link to the first free span at or after `offset`. */
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

/* Takes `size` bytes from the start of the free span that `link` refers to. */
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

/* Grows a block into the free span directly after it; 0 if there is none, or it is too small. */
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
    unsigned char *data = NULL;

    if (size <= ELS_BLOCK_MAX)
        data = (unsigned char *)els_resize(&block->allocator, block->data, block->capacity, size);
    if (!data) return 0;
    block->data = data;
    block->capacity = size;
    return 1;
}

/* Makes room for `needed` bytes in all, at most `limit`: doubles the block, and if the allocator
   refuses that, requests the exact size. OK; ERROR_MEMORY; `over` if `needed` is above the limit. */
ELS_PRIVATE elelem_status els_block_reserve(els_block *block, size_t needed, size_t limit, elelem_status over)
{
    size_t most = limit < ELS_BLOCK_MAX ? limit : ELS_BLOCK_MAX;
    size_t doubled;

    if (ELS_LIKELY(needed <= block->capacity)) return ELELEM_OK;
    if (needed > limit) return over;
    doubled = block->capacity < 32 ? 64 : els_product(block->capacity, 2);
    if (doubled > most) doubled = most;
    if (doubled > needed && els_block_set(block, doubled)) return ELELEM_OK;
    return els_block_set(block, needed) ? ELELEM_OK : ELELEM_ERROR_MEMORY;
}

/* Returns a cursor over bytes. Its pointers are not null even if `bytes` is, so that they can be subtracted. */
ELS_INLINE els_cursor els_cursor_of(const void *bytes, size_t size)
{
    els_cursor cursor;

    cursor.at = bytes ? (const unsigned char *)bytes : (const unsigned char *)"";
    cursor.end = cursor.at + (bytes ? size : 0);
    return cursor;
}

/* A push that was refused and not repeated yet is owed. */

typedef enum els_debt_state {
    ELS_DEBT_NONE,
    ELS_DEBT_OPEN,
    ELS_DEBT_LOST /* something else was pushed, or the end came first */
} els_debt_state;

#define ELS_DEBT_START 2166136261u

/* FNV-1a, 32 bits. `hash` is ELS_DEBT_START for the first bytes, and for those that follow what it returned. */
ELS_PRIVATE uint32_t els_debt_hash(uint32_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t i;

    for (i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

/* Nonzero if the bytes begin with those that are owed, or if none are owed. */
ELS_PRIVATE int els_debt_allows(const els_debt *debt, const void *bytes, size_t size)
{
    if (debt->state == ELS_DEBT_NONE) return 1;
    return debt->state == ELS_DEBT_OPEN && size >= debt->size &&
           els_debt_hash(ELS_DEBT_START, bytes, debt->size) == debt->hash;
}

/* The same for what is pushed as a whole: its size and its hash must be equal to those that are owed. */
ELS_PRIVATE int els_debt_allows_only(const els_debt *debt, size_t size, uint32_t hash)
{
    if (debt->state == ELS_DEBT_NONE) return 1;
    return debt->state == ELS_DEBT_OPEN && size == debt->size && hash == debt->hash;
}

/* Refuses a push, which is then owed. If another one was owed (is_allowed is 0), that one is lost. */
ELS_PRIVATE elelem_status els_debt_refuse(els_debt *debt, size_t size, uint32_t hash, int is_allowed)
{
    debt->size = size;
    debt->hash = hash;
    debt->state = (uint8_t)(is_allowed ? ELS_DEBT_OPEN : ELS_DEBT_LOST);
    return ELELEM_ERROR_MISUSE;
}

/* Ends the input: what is still owed is lost. Nonzero if something was lost. */
ELS_PRIVATE int els_debt_close(els_debt *debt)
{
    if (debt->state == ELS_DEBT_OPEN) debt->state = ELS_DEBT_LOST;
    return debt->state == ELS_DEBT_LOST;
}

ELS_PRIVATE elelem_error els_lost_error(uint64_t offset)
{
    elelem_error error = els_error(ELELEM_ERROR_MISUSE, offset);

    error.message = "input was lost: a push was refused and not repeated";
    return error;
}

/* Input. */

typedef enum els_input_state {
    ELS_INPUT_NONE,       /* the object was never initialised, or was freed */
    ELS_INPUT_READY,
    ELS_INPUT_LENT,       /* something was pushed, and next has not returned MORE since */
    ELS_INPUT_WATCHED = 4 /* a bit added to either: it was finished, or a push was refused and not repeated. If it
                             is not set, a ready input takes any push, and MORE is returned when all is read, so
                             that small pushes are cheap */
} els_input_state;

ELS_INLINE int els_input_is_lent(const els_input *in)
{
    return (in->state & ELS_INPUT_LENT) != 0;
}

ELS_INLINE void els_input_watch(els_input *in)
{
    if (in->state != ELS_INPUT_NONE) in->state |= ELS_INPUT_WATCHED;
}

/* Starts an empty input whose first byte has this offset. */
ELS_PRIVATE void els_input_start(els_input *in, uint64_t offset)
{
    memset(in, 0, sizeof *in);
    in->bytes = els_cursor_of(NULL, 0);
    in->offset = offset;
    in->state = ELS_INPUT_READY;
}

/* Returns the offset of the next byte to be read, from the start of everything pushed. */
ELS_INLINE uint64_t els_input_offset(const els_input *in)
{
    return in->offset - (uint64_t)(in->bytes.end - in->bytes.at);
}

/* Lends bytes to an input that is ready, and for which nothing is owed. */
ELS_INLINE void els_input_lend(els_input *in, const void *bytes, size_t size)
{
    in->bytes = els_cursor_of(bytes, size);
    in->offset += size;
    in->state = ELS_INPUT_LENT;
}

ELS_PRIVATE elelem_status els_input_refuse(els_input *in, size_t size, uint32_t hash, int is_allowed)
{
    els_input_watch(in);
    return els_debt_refuse(&in->debt, size, hash, is_allowed);
}

ELS_NOINLINE elelem_status els_input_push_watched(els_input *in, const void *bytes, size_t size)
{
    int is_allowed;

    if (in->state == ELS_INPUT_NONE) return ELELEM_ERROR_MISUSE;
    if (size == 0) return ELELEM_OK;
    if (!bytes || in->finished) return ELELEM_ERROR_MISUSE;
    is_allowed = els_debt_allows(&in->debt, bytes, size);
    if (!is_allowed || els_input_is_lent(in))
        return els_input_refuse(in, size, els_debt_hash(ELS_DEBT_START, bytes, size), is_allowed);
    in->debt.state = ELS_DEBT_NONE;
    els_input_lend(in, bytes, size);
    return ELELEM_OK;
}

/* Lends `size` bytes. OK, or ERROR_MISUSE. */
ELS_INLINE elelem_status els_input_push(els_input *in, const void *bytes, size_t size)
{
    if (ELS_UNLIKELY(in->state != ELS_INPUT_READY || !bytes || size == 0)) return els_input_push_watched(in, bytes, size);
    els_input_lend(in, bytes, size);
    return ELELEM_OK;
}

/* No more bytes will come. Ignored if bytes were lost, because the input then has no known end. */
ELS_PRIVATE void els_input_finish(els_input *in)
{
    if (in->state != ELS_INPUT_NONE && !els_debt_close(&in->debt)) in->finished = 1;
    els_input_watch(in);
}

ELS_NOINLINE elelem_status els_input_more_watched(els_input *in)
{
    if (in->state == ELS_INPUT_NONE || in->debt.state == ELS_DEBT_LOST) return ELELEM_ERROR_MISUSE;
    in->state = (uint8_t)((in->state & ELS_INPUT_WATCHED) | ELS_INPUT_READY);
    return ELELEM_MORE;
}

/* Returns what next returns when all bytes are read and no end was seen: MORE, or ERROR_MISUSE
   if the bytes that follow were lost. */
ELS_INLINE elelem_status els_input_more(els_input *in)
{
    if (ELS_UNLIKELY(in->state != ELS_INPUT_LENT)) return els_input_more_watched(in);
    in->state = ELS_INPUT_READY;
    return ELELEM_MORE;
}

/* Returns the error of an object that has this input and stopped with this status. ERROR_MISUSE
   sticks only if input was lost. */
ELS_PRIVATE elelem_error els_input_error(const els_input *in, elelem_status status, uint64_t offset)
{
    if (in->state == ELS_INPUT_NONE) return els_error(ELELEM_ERROR_MISUSE, 0);
    return status == ELELEM_ERROR_MISUSE ? els_lost_error(offset) : els_error(status, status == ELELEM_OK ? 0 : offset);
}

/* Makes room for more elements, at most `most` in all, in a block that holds two arrays of one length, one after
   the other. OK; ERROR_COUNT: there are as many already; ERROR_MEMORY. */
ELS_PRIVATE elelem_status els_parallel_grow(els_block *block, uint32_t *capacity, size_t first, size_t second,
                                            uint32_t most)
{
    uint32_t wanted = *capacity == 0 ? 1 : *capacity > most / 2 ? most : *capacity * 2;
    size_t both = first + second;

    if (*capacity >= most) return ELELEM_ERROR_COUNT;
    if (!els_block_set(block, els_product(wanted, both))) {
        wanted = *capacity + 1;
        if (!els_block_set(block, els_product(wanted, both))) return ELELEM_ERROR_MEMORY;
    }
    memmove(block->data + wanted * first, block->data + *capacity * first, *capacity * second);
    *capacity = wanted;
    return ELELEM_OK;
}

/* >> text */

#if !defined(ELELEM_NO_SIMD) && defined(__SSE2__)
#define ELS_SSE2
#include <emmintrin.h>
#elif !defined(ELELEM_NO_SIMD) && defined(__ARM_NEON) && defined(__aarch64__)
#define ELS_NEON
#include <arm_neon.h>
#endif

/* Nonzero for a byte of a JSON string that a parser must look at: a quote, a backslash, a control
   character, or a byte of a character that is not ASCII. */
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

/* Returns the position of the lowest bit that is set. A mask has one bit for each byte with SSE2, four with NEON. */
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

/* Loads 1 to 15 bytes and fills up with zeros. The loads overlap, and read none but these bytes. */
ELS_INLINE __m128i els_load_few(const unsigned char *at, size_t size)
{
    uint64_t low, high = 0;

    if (size >= 8) {
        memcpy(&low, at, 8);
        memcpy(&high, at + size - 8, 8);
        high = high >> 1 >> (127 - size * 8);
    } else if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, at, 4);
        memcpy(&last, at + size - 4, 4);
        low = first | (uint64_t)last << (size - 4) * 8;
    } else {
        low = at[0] | (uint64_t)at[size / 2] << size / 2 * 8 | (uint64_t)at[size - 1] << (size - 1) * 8;
    }
    return _mm_set_epi64x((long long)high, (long long)low);
}

/* Loads the next 16 bytes; if fewer are left, those, filled up with zeros. */
ELS_INLINE __m128i els_load(const unsigned char *at, size_t left)
{
    return left >= 16 ? _mm_loadu_si128((const __m128i *)(const void *)at) : els_load_few(at, left);
}

ELS_INLINE unsigned els_mask(__m128i bytes)
{
    return (unsigned)_mm_movemask_epi8(bytes);
}

ELS_INLINE __m128i els_equal(__m128i bytes, unsigned char byte)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)byte));
}

/* Compares as signed bytes, in which 80 to FF are less than all others. */
ELS_INLINE __m128i els_below(__m128i bytes, int limit)
{
    return _mm_cmplt_epi8(bytes, _mm_set1_epi8((char)limit));
}

/* Returns a mask with one bit for each special byte. As signed bytes, control characters and all
   that is not ASCII are less than a space, so that one comparison finds both. */
ELS_INLINE unsigned els_special_mask(__m128i bytes)
{
    __m128i marks = _mm_or_si128(els_equal(bytes, '"'), els_equal(bytes, '\\'));
    __m128i others = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(0x1f));

    return els_mask(_mm_andnot_si128(marks, others)) ^ 0xffff;
}

/* Copies the next 16 bytes to `to`, or those that are left, and returns how many of the 16 come
   before the first special one. `to` has 16 bytes; those after the special one are undefined. */
ELS_INLINE size_t els_text_start(const unsigned char *at, size_t left, unsigned char *to)
{
    __m128i bytes = els_load(at, left);

    _mm_storeu_si128((__m128i *)(void *)to, bytes);
    return els_first_bit(els_special_mask(bytes) | 0x10000);
}

/* Skips whole, valid characters of one to three bytes, and returns the first byte that is none of
   them. It stops at a character of four bytes, one that is cut or invalid, a special ASCII
   character, and at 16 bytes of plain ASCII, because els_text_span is faster there. The first byte
   of a character says which bytes must be continuations; no other byte may be one (RFC 3629, 4).
   `due` has a bit for each of these, in bits 16 and up for the next 16 bytes. */
ELS_PRIVATE const unsigned char *els_text_characters(const unsigned char *at, const unsigned char *end)
{
    unsigned due = 0, after_e0 = 0, after_ed = 0, bad = 0;

    while (at < end) {
        __m128i bytes = els_load(at, (size_t)(end - at));
        unsigned special = els_special_mask(bytes);
        unsigned below_a0 = els_mask(els_below(bytes, 0xa0 - 0x100));
        unsigned tail = els_mask(els_below(bytes, 0xc0 - 0x100));
        unsigned lead = els_mask(els_below(bytes, 0xf0 - 0x100)) & ~els_mask(els_below(bytes, 0xc2 - 0x100));
        unsigned lead_of_3 = lead & ~els_mask(els_below(bytes, 0xe0 - 0x100));
        if (!(special | due >> 16)) return at;
        due = due >> 16 | lead << 1 | lead_of_3 << 2;
        after_e0 = after_e0 >> 16 | els_mask(els_equal(bytes, 0xe0)) << 1;
        after_ed = after_ed >> 16 | els_mask(els_equal(bytes, 0xed)) << 1;
        bad = ((due ^ tail) & 0xffff) | (special & ~(lead | tail)) | (after_e0 & below_a0) |
              (after_ed & tail & ~below_a0);
        if (bad) {
            at += els_first_bit(bad);
            due >>= els_first_bit(bad);
            break;
        }
        at += 16;
        if (at == end) due >>= 16;
    }
    if (due & 1) at -= at[-1] >= 0xc0 ? 1 : 2;
    return at;
}

/* Returns the first special byte, or the end. */
ELS_INLINE const unsigned char *els_text_span(const unsigned char *at, const unsigned char *end)
{
    unsigned special;

    while (end - at >= 16) {
        special = els_special_mask(els_load(at, 16));
        if (special) return at + els_first_bit(special);
        at += 16;
    }
    if (end - at < 4) return els_text_span_bytes(at, end);
    special = els_special_mask(els_load_few(at, (size_t)(end - at)));
    return at + els_first_bit(special);
}

/* Returns the first byte that is not a digit, or the end. */
ELS_INLINE const unsigned char *els_digit_span(const unsigned char *at, const unsigned char *end)
{
    while (at < end) {
        __m128i bytes = els_load(at, (size_t)(end - at));
        __m128i shifted = _mm_add_epi8(bytes, _mm_set1_epi8(0x7f - '9'));
        unsigned digits = els_mask(_mm_cmpgt_epi8(shifted, _mm_set1_epi8(0x7f - 10)));
        if (digits != 0xffff) return at + els_first_bit(~digits);
        at += 16;
    }
    return at;
}

/* Returns the first byte that is not whitespace, or the end. */
ELS_NOINLINE const unsigned char *els_blank_span(const unsigned char *at, const unsigned char *end)
{
    while (at < end) {
        __m128i bytes = els_load(at, (size_t)(end - at));
        __m128i ends = _mm_or_si128(els_equal(bytes, '\n'), els_equal(bytes, '\r'));
        unsigned blank = els_mask(_mm_or_si128(_mm_or_si128(els_equal(bytes, ' '), els_equal(bytes, '\t')), ends));
        if (blank != 0xffff) return at + els_first_bit(~blank);
        at += 16;
    }
    return at;
}

#elif defined(ELS_NEON)

/* Returns a mask with four bits for each special byte. */
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

/* Nonzero if one of eight bytes is special. The subtractions may also mark others, but only if
   one is special. */
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
    uint8_t more; /* how many bytes follow; 0: no character of more than one byte starts with it */
    uint8_t low;  /* the second byte is from low to high, the others from 80 to BF */
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

/* Returns the size of the valid character of more than one byte that begins here; 0 if none does. Reads four bytes. */
ELS_INLINE size_t els_character_size(const unsigned char *at)
{
    els_lead lead;

    if (at[0] < 0xe0) return at[0] >= 0xc2 && els_is_continuation(at[1]) ? 2 : 0;
    lead = els_lead_of(at[0]);
    if (at[1] < lead.low || at[1] > lead.high || !els_is_continuation(at[2])) return 0;
    if (at[0] < 0xf0) return 3;
    return lead.more == 3 && els_is_continuation(at[3]) ? 4 : 0;
}

/* Skips whole, valid characters of more than one byte. Returns the first byte of ASCII, or of a
   character that is invalid or cut off by the end; or the end. */
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

#ifndef ELS_SSE2

ELS_INLINE const unsigned char *els_text_characters(const unsigned char *at, const unsigned char *end)
{
    (void)end;
    return at;
}

ELS_INLINE size_t els_text_start(const unsigned char *at, size_t left, unsigned char *to)
{
    size_t i, size = left < 16 ? left : 16;

    for (i = 0; i < size && !els_is_special(at[i]); i++)
        to[i] = at[i];
    return i;
}

ELS_INLINE const unsigned char *els_digit_span(const unsigned char *at, const unsigned char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

ELS_NOINLINE const unsigned char *els_blank_span(const unsigned char *at, const unsigned char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

#endif

/* Does what els_text_plain does, from a byte that is not ASCII. */
ELS_NOINLINE const unsigned char *els_text_beyond_ascii(const unsigned char *at, const unsigned char *end)
{
    while (at < end && *at >= 0x80) {
        const unsigned char *run;
        if (end - at <= els_lead_of(*at).more) return at;
        run = els_text_characters(at, end);
        if (run == at) run = els_utf8_run(at, end);
        if (run == at) return at;
        at = els_text_span(run, end);
    }
    return at;
}

/* Returns the first byte of a JSON string that is not valid plain text: a quote, a backslash, a
   control character, a character that is invalid or cut off by the end; or the end. */
ELS_INLINE const unsigned char *els_text_plain(const unsigned char *at, const unsigned char *end)
{
    at = els_text_span(at, end);
    return ELS_LIKELY(at == end || *at < 0x80) ? at : els_text_beyond_ascii(at, end);
}

/* Returns `size`, or up to three less, so that the text does not end inside a character. Reads text[size]. */
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

/* Digits, and whitespace as in JSON, tags and headers. */

/* Returns the value of a hexadecimal digit, -1 for any other byte. */

ELS_INLINE int els_hex_digit(unsigned char byte)
{
    if (byte >= '0' && byte <= '9') return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

ELS_INLINE int els_is_blank(unsigned char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Returns a text without the whitespace around it. */
ELS_PRIVATE elelem_str els_trimmed(elelem_str text)
{
    while (text.size > 0 && els_is_blank((unsigned char)text.data[text.size - 1]))
        text.size--;
    while (text.size > 0 && els_is_blank((unsigned char)text.data[0]))
        text = els_str(text.data + 1, text.size - 1);
    return text;
}

/* Skips whitespace; zero if nothing else is left. */
ELS_INLINE int els_skip_blanks(els_cursor *in)
{
    const unsigned char *at = in->at;

    if (at < in->end && els_is_blank(*at)) {
        at++;
        if (at < in->end && els_is_blank(*at)) at = els_blank_span(at, in->end);
        in->at = at;
    }
    return at < in->end;
}

/* >> number */

#include <float.h>

#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "elelem_number_to_double makes doubles of IEEE 754 binary64; this compiler has others."
#endif

/* From text to double: the digits are read into a 64-bit integer and a power of ten.
   If both are small, one floating point operation gives the result (Clinger). Else their
   product is computed in 128 bits, with a bound on its error (the method of Eisel and Lemire).
   If the number may be on either side of a rounding point within that error, big integers
   decide. Only the first of these three uses the floating point unit, and only if it rounds
   to nearest. */

/* A number as it was read. Leading zeros are among its digits until els_number_skip_zeros;
   the decimal point is always among them. */
typedef struct els_number {
    const char *digits;   /* the first digit */
    const char *end;      /* after the last digit */
    int64_t top;          /* the place of the first digit is 10^top */
    uint64_t significand; /* the first digits, up to 19 from the first that is not 0 ... */
    int64_t exponent;     /* ... and the place of the last of them is 10^exponent */
    int cut;              /* nonzero: more digits follow those */
    int negative;
} els_number;

/* An exponent stops growing when it reaches this. Larger ones give the same result, because
   no text has enough digits to make up for them; and the sum of an exponent and the size of a
   text fits 64 bits. */
#define ELS_EXPONENT_MAX INT64_C(100000000000000000)

ELS_INLINE int els_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Returns eight characters, the first in the lowest byte. Compilers make one load of it. */
ELS_INLINE uint64_t els_eight_characters(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;

    return (uint64_t)byte[0] | (uint64_t)byte[1] << 8 | (uint64_t)byte[2] << 16 | (uint64_t)byte[3] << 24 |
           (uint64_t)byte[4] << 32 | (uint64_t)byte[5] << 40 | (uint64_t)byte[6] << 48 | (uint64_t)byte[7] << 56;
}

/* The upper four bits of a digit are 3, and still are after 6 is added. Only a byte that is not a
   digit can carry into the next one. */
ELS_INLINE int els_eight_are_digits(uint64_t eight)
{
    const uint64_t upper = UINT64_C(0xf0f0f0f0f0f0f0f0);

    return ((eight & upper) | ((eight + UINT64_C(0x0606060606060606)) & upper) >> 4) == UINT64_C(0x3333333333333333);
}

/* Joins adjacent digits to numbers of two, four and eight digits. Each product adds the number in
   the upper half to 10, 100 or 10000 times the one in the lower half, which is more significant. */
ELS_INLINE uint64_t els_eight_value(uint64_t eight)
{
    eight = ((eight & UINT64_C(0x0f0f0f0f0f0f0f0f)) * (10 * 256 + 1)) >> 8;
    eight = ((eight & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 65536 + 1)) >> 16;
    return ((eight & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) * 4294967296 + 1)) >> 32;
}

/* Appends digits to `value`, modulo 2^64, and returns the end of the digits. */
ELS_INLINE const char *els_digits_read(const char *at, const char *end, uint64_t *value)
{
    uint64_t sum = *value;

    while (end - at >= 8 && els_eight_are_digits(els_eight_characters(at))) {
        sum = sum * 100000000 + els_eight_value(els_eight_characters(at));
        at += 8;
    }
    for (; at < end; at++) {
        unsigned digit = (unsigned char)(*at - '0');
        if (digit > 9) break;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return at;
}

/* exp = e [ minus / plus ] 1*DIGIT. Reads what follows the e, and returns its end; null if there is no digit. */
ELS_PRIVATE const char *els_exponent_read(const char *at, const char *end, int64_t *exponent)
{
    int negative = at < end && *at == '-';
    const char *first;
    int64_t value = 0;

    if (at < end && (*at == '-' || *at == '+')) at++;
    for (first = at; at < end && els_is_digit(*at); at++)
        if (value < ELS_EXPONENT_MAX) value = value * 10 + (*at - '0');
    *exponent = negative ? -value : value;
    return at > first ? at : NULL;
}

/* Moves `digits` to the first digit that is not 0, or to the end if all are 0. */
ELS_PRIVATE void els_number_skip_zeros(els_number *number)
{
    for (; number->digits < number->end; number->digits++) {
        if (*number->digits == '0') number->top--;
        else if (*number->digits != '.') return;
    }
}

/* Reads the significand again, from at most 19 digits, because more may not fit. */
ELS_PRIVATE void els_number_cut(els_number *number)
{
    const char *at;
    int count = 0;

    els_number_skip_zeros(number);
    number->significand = 0;
    for (at = number->digits; at < number->end && count < 19; at++) {
        if (*at == '.') continue;
        number->significand = number->significand * 10 + (uint64_t)(*at - '0');
        count++;
    }
    number->exponent = number->top - count + 1;
    number->cut = at < number->end;
}

/* number = [ minus ] int [ frac ] [ exp ]     (RFC 8259, 6)
   int = zero / ( digit1-9 *DIGIT )            frac = decimal-point 1*DIGIT
   Zero if the text is anything else. */
ELS_PRIVATE int els_number_read(elelem_str text, els_number *number)
{
    const char *at = text.data;
    const char *end;
    int64_t whole;
    int64_t fraction = 0;
    int64_t scale = 0;

    if (text.size == 0) return 0;
    end = at + text.size;
    number->negative = *at == '-';
    at += number->negative;
    number->digits = at;
    number->significand = 0;
    number->cut = 0;
    at = els_digits_read(at, end, &number->significand);
    whole = at - number->digits;
    if (whole == 0 || (whole > 1 && *number->digits == '0')) return 0;
    if (at < end && *at == '.') {
        const char *first = at + 1;
        at = els_digits_read(first, end, &number->significand);
        fraction = at - first;
        if (fraction == 0) return 0;
    }
    number->end = at;
    if (at < end && (*at == 'e' || *at == 'E')) at = els_exponent_read(at + 1, end, &scale);
    number->top = whole - 1 + scale;
    number->exponent = scale - fraction;
    if (whole + fraction > 19) els_number_cut(number);
    return at == end;
}

/* Integers. */

/* Returns the number of digits. */
ELS_PRIVATE int64_t els_number_count(const els_number *number)
{
    const char *at;
    int64_t count = 0;

    for (at = number->digits; at < number->end; at++)
        count += *at != '.';
    return count;
}

/* Computes the integer of `top` + 1 digits: those of the text, and zeros after them. Zero if it
   does not fit. */
ELS_PRIVATE int els_number_expand(const els_number *number, uint64_t *value)
{
    const char *at = number->digits;
    uint64_t sum = 0;
    int64_t left;

    for (left = number->top; left >= 0; left--) {
        unsigned digit;
        if (at < number->end && *at == '.') at++;
        digit = at < number->end ? (unsigned)(*at++ - '0') : 0;
        if (sum > (UINT64_MAX - digit) / 10) return 0;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return 1;
}

/* Computes the value without its sign, if it is an integer, in whatever form it is written. */
ELS_PRIVATE elelem_status els_number_magnitude(els_number *number, uint64_t *value)
{
    *value = number->significand;
    if (number->exponent == 0 && !number->cut) return ELELEM_OK;
    els_number_skip_zeros(number);
    while (number->end > number->digits && (number->end[-1] == '0' || number->end[-1] == '.'))
        number->end--;
    if (number->end == number->digits) return ELELEM_OK; /* all were zeros, and so is *value */
    if (number->top - els_number_count(number) + 1 < 0) return ELELEM_ERROR_NOT_INTEGER;
    if (number->top > 19) return ELELEM_ERROR_RANGE;
    return els_number_expand(number, value) ? ELELEM_OK : ELELEM_ERROR_RANGE;
}

/* Reads a text as an integer, in two parts. `negative` is zero for a zero. */
ELS_NOINLINE elelem_status els_number_integer(elelem_str text, uint64_t *magnitude, int *negative)
{
    els_number number;
    elelem_status status;

    if (!els_number_read(text, &number)) return ELELEM_ERROR_SYNTAX;
    status = els_number_magnitude(&number, magnitude);
    *negative = number.negative && *magnitude > 0;
    return status;
}

elelem_status elelem_number_to_uint64(elelem_str text, uint64_t *value)
{
    uint64_t magnitude = 0;
    int negative = 0;
    elelem_status status = els_number_integer(text, &magnitude, &negative);

    if (status != ELELEM_OK) return status;
    if (negative) return ELELEM_ERROR_RANGE;
    *value = magnitude;
    return ELELEM_OK;
}

elelem_status elelem_number_to_int64(elelem_str text, int64_t *value)
{
    uint64_t magnitude = 0;
    int negative = 0;
    elelem_status status = els_number_integer(text, &magnitude, &negative);

    if (status != ELELEM_OK) return status;
    if (magnitude > (uint64_t)INT64_MAX + (uint64_t)negative) return ELELEM_ERROR_RANGE;
    if (magnitude > (uint64_t)INT64_MAX) *value = INT64_MIN;
    else *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return ELELEM_OK;
}

/* Products of 128 bits. */

typedef struct els_wide {
    uint64_t high;
    uint64_t low;
} els_wide;

#if defined(__SIZEOF_INT128__) && !defined(ELELEM_NO_INT128)

__extension__ typedef unsigned __int128 els_uint128;

ELS_INLINE els_wide els_multiply(uint64_t a, uint64_t b)
{
    els_uint128 product = (els_uint128)a * b;
    els_wide wide;

    wide.high = (uint64_t)(product >> 64);
    wide.low = (uint64_t)product;
    return wide;
}

#else

/* Multiplies halves of 32 bits, as on paper. No sum here exceeds 2^64 - 1. */
ELS_INLINE els_wide els_multiply(uint64_t a, uint64_t b)
{
    const uint64_t half = 0xffffffffu;
    uint64_t low = (a & half) * (b & half);
    uint64_t left = (a >> 32) * (b & half) + (low >> 32);
    uint64_t right = (a & half) * (b >> 32) + (left & half);
    els_wide wide;

    wide.high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
    wide.low = right << 32 | (low & half);
    return wide;
}

#endif

/* Returns a * b / 2^64, rounded down; `*rest` is the remainder. No carry is lost, because with
   b below 2^128 and a below 2^64 the quotient is below 2^128. */
ELS_INLINE els_wide els_multiply_wide(uint64_t a, els_wide b, uint64_t *rest)
{
    els_wide upper = els_multiply(a, b.high);
    els_wide lower = els_multiply(a, b.low);

    upper.low += lower.high;
    upper.high += upper.low < lower.high;
    *rest = lower.low;
    return upper;
}

/* Returns how many zero bits are above the highest one; `value` is not 0. */
ELS_INLINE int els_leading_zeros(uint64_t value)
{
#if defined(__GNUC__)
    return __builtin_clzll(value);
#else
    int zeros = 0;

    for (; !(value >> 63); value <<= 1)
        zeros++;
    return zeros;
#endif
}

/* 5^-364 to 5^308 in steps of 28: row i is 5^(28 * (i - 13)), multiplied by the power of two
   that makes it 2^127 or more and less than 2^128, rounded down. */
static const els_wide els_powers_of_five[25] = {
    {UINT64_C(0xe1afa13afbd14d6d), UINT64_C(0x82189c09a3a1ec21)}, /* 5^-364 */
    {UINT64_C(0xe3e27a444d8d98b7), UINT64_C(0xfd1b1b2308169b25)}, /* 5^-336 */
    {UINT64_C(0xe61acf033d1a45df), UINT64_C(0x6fb92487298e33bd)}, /* 5^-308 */
    {UINT64_C(0xe858ad248f5c22c9), UINT64_C(0xd1b3400f8f9cff68)}, /* 5^-280 */
    {UINT64_C(0xea9c227723ee8bcb), UINT64_C(0x465e15a979c1cadc)}, /* 5^-252 */
    {UINT64_C(0xece53cec4a314ebd), UINT64_C(0xa4f8bf5635246428)}, /* 5^-224 */
    {UINT64_C(0xef340a98172aace4), UINT64_C(0x86fb897116c87c34)}, /* 5^-196 */
    {UINT64_C(0xf18899b1bc3f8ca1), UINT64_C(0xdc44e6c3cb279ac1)}, /* 5^-168 */
    {UINT64_C(0xf3e2f893dec3f126), UINT64_C(0x5a89dba3c3efccfa)}, /* 5^-140 */
    {UINT64_C(0xf64335bcf065d37d), UINT64_C(0x4d4617b5ff4a16d5)}, /* 5^-112 */
    {UINT64_C(0xf8a95fcf88747d94), UINT64_C(0x75a44c6397ce912a)}, /* 5^-84 */
    {UINT64_C(0xfb158592be068d2e), UINT64_C(0xeed6e2f0f0d56712)}, /* 5^-56 */
    {UINT64_C(0xfd87b5f28300ca0d), UINT64_C(0x8bca9d6e188853fc)}, /* 5^-28 */
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000)}, /* 5^0 */
    {UINT64_C(0x813f3978f8940984), UINT64_C(0x4000000000000000)}, /* 5^28 */
    {UINT64_C(0x82818f1281ed449f), UINT64_C(0xbff8f10e7a8921a4)}, /* 5^56 */
    {UINT64_C(0x83c7088e1aab65db), UINT64_C(0x792667c6da79e0fa)}, /* 5^84 */
    {UINT64_C(0x850fadc09923329e), UINT64_C(0x03e2cf6bc604ddb0)}, /* 5^112 */
    {UINT64_C(0x865b86925b9bc5c2), UINT64_C(0x0b8a2392ba45a9b2)}, /* 5^140 */
    {UINT64_C(0x87aa9aff79042286), UINT64_C(0x90fb44d2f05d0842)}, /* 5^168 */
    {UINT64_C(0x88fcf317f22241e2), UINT64_C(0x441fece3bdf81f03)}, /* 5^196 */
    {UINT64_C(0x8a5296ffe33cc92f), UINT64_C(0x82bd6b70d99aaa6f)}, /* 5^224 */
    {UINT64_C(0x8bab8eefb6409c1a), UINT64_C(0x1ad089b6c2f7548e)}, /* 5^252 */
    {UINT64_C(0x8d07e33455637eb2), UINT64_C(0xdb0b487b6423e1e8)}, /* 5^280 */
    {UINT64_C(0x8e679c2f5e44ff8f), UINT64_C(0x570f09eaa7ea7648)}  /* 5^308 */
};

/* 5^0 to 5^27: all that fit 64 bits. */
static const uint64_t els_small_powers_of_five[28] = {
    UINT64_C(1), UINT64_C(5), UINT64_C(25), UINT64_C(125), UINT64_C(625), UINT64_C(3125), UINT64_C(15625),
    UINT64_C(78125), UINT64_C(390625), UINT64_C(1953125), UINT64_C(9765625), UINT64_C(48828125),
    UINT64_C(244140625), UINT64_C(1220703125), UINT64_C(6103515625), UINT64_C(30517578125),
    UINT64_C(152587890625), UINT64_C(762939453125), UINT64_C(3814697265625), UINT64_C(19073486328125),
    UINT64_C(95367431640625), UINT64_C(476837158203125), UINT64_C(2384185791015625),
    UINT64_C(11920928955078125), UINT64_C(59604644775390625), UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625), UINT64_C(7450580596923828125)
};

/* The powers of ten that a double can need; see els_number_bits. */
#define ELS_POWER_MIN (-342)
#define ELS_POWER_MAX 308

/* Powers of ten from 10^0 to this one are exact, because 5^55 is below 2^128. */
#define ELS_POWER_EXACT 55

/* Returns 10^power, multiplied by the power of two that makes it 2^127 or more and less than
   2^128. The result is exact or too small, by less than 3.

   The error: a row r is too small by less than 1, and the small power f, shifted to 64 bits, is
   exact. So the product r * f, which is 2^190 or more, is too small by less than f < 2^64.
   If it is 2^191 or more, its upper 128 bits are too small by less than 1 from the row and by
   less than 1 from dropping the lower bits. If it is less it is doubled first: by less than 2,
   and by less than 1. Whether to double is decided by the product that was computed. It would
   be wrong if only the exact product reached 2^191; this is not so for any power in use. The
   tests compare each of them with exact integers. */
ELS_INLINE els_wide els_power_of_ten(int power)
{
    unsigned steps = (unsigned)(power + 364);
    uint64_t factor = els_small_powers_of_five[steps % 28];
    uint64_t rest;
    els_wide wide = els_multiply_wide(factor << els_leading_zeros(factor), els_powers_of_five[steps / 28], &rest);

    if (!(wide.high >> 63)) {
        wide.high = wide.high << 1 | wide.low >> 63;
        wide.low = wide.low << 1 | rest >> 63;
    }
    return wide;
}

/* Returns the binary logarithm of 10^power, rounded down: 217706 / 65536 is a little less than
   log2(10), which is exact enough for the powers in use. Adding 2048 keeps the number that is
   shifted from being negative. */
ELS_INLINE int els_log2_of_ten(int power)
{
    return (int)((uint32_t)(217706 * power + 2048 * 65536) >> 16) - 2048;
}

/* Big integers. */

/* 32 bits for each limb, the least significant first. All values are below 2^2592, see
   els_number_compare. Two of these, 656 bytes of stack, are all the memory that an exact
   comparison needs. */
#define ELS_BIG_LIMBS 81

typedef struct els_big {
    uint32_t limbs[ELS_BIG_LIMBS];
    int count; /* limbs in use; the last of them is not 0 */
} els_big;

ELS_PRIVATE void els_big_set(els_big *big, uint64_t value)
{
    for (big->count = 0; value > 0; value >>= 32)
        big->limbs[big->count++] = (uint32_t)value;
}

/* big * factor + addend */
ELS_PRIVATE void els_big_multiply(els_big *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    int i;

    for (i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) big->limbs[big->count++] = (uint32_t)carry;
}

/* big * 5^power */
ELS_PRIVATE void els_big_multiply_fives(els_big *big, int power)
{
    for (; power >= 13; power -= 13)
        els_big_multiply(big, 1220703125u, 0); /* 5^13, the last below 2^32 */
    els_big_multiply(big, (uint32_t)els_small_powers_of_five[power], 0);
}

/* big * 2^power; `big` is not 0. */
ELS_PRIVATE void els_big_multiply_twos(els_big *big, int power)
{
    int whole = power / 32;
    int i;

    els_big_multiply(big, (uint32_t)1 << power % 32, 0);
    if (whole == 0) return;
    memmove(big->limbs + whole, big->limbs, (size_t)big->count * sizeof big->limbs[0]);
    for (i = 0; i < whole; i++)
        big->limbs[i] = 0;
    big->count += whole;
}

ELS_PRIVATE int els_big_compare(const els_big *a, const els_big *b)
{
    int i;

    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (i = a->count - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* A point halfway between two adjacent doubles is an odd number below 2^54, multiplied by
   2^-1075 or a larger power of two. It has at most 768 digits, as many as 2^54 * 5^1075. The
   first digit of the number that is compared with it may be one place higher. Of the digits
   after the 769th only counts whether one of them is not 0. */
#define ELS_DIGITS_MAX 769

/* Reads the first ELS_DIGITS_MAX digits, in groups of up to nine. Returns how many were read;
   `*rest` is nonzero if a digit that is not 0 follows. */
ELS_PRIVATE int els_big_set_digits(els_big *big, const els_number *number, int *rest)
{
    const char *at = number->digits;
    uint32_t group = 0;
    uint32_t unit = 1;
    int count = 0;

    big->count = 0;
    for (; at < number->end && count < ELS_DIGITS_MAX; at++) {
        if (*at == '.') continue;
        group = group * 10 + (uint32_t)(*at - '0');
        unit *= 10;
        count++;
        if (unit < 1000000000) continue;
        els_big_multiply(big, unit, group);
        group = 0;
        unit = 1;
    }
    els_big_multiply(big, unit, group);
    for (*rest = 0; at < number->end && !*rest; at++)
        *rest = *at != '0' && *at != '.';
    return count;
}

/* Returns -1, 0 or 1 if the number, without its sign, is less than, equal to or more than
   odd * 2^scale, which is a halfway point next to it.

   Both sides are multiplied by powers of five and two until no exponent is negative, so that
   integers are compared. Their size: both sides are nearly equal, so that the one that is not
   multiplied by a power of two bounds both. It is one of these: the digits, below
   10^769 < 2^2555; the number itself if its exponent is 0 or more, below 2^1025; `odd`; or
   odd * 5^1075 < 2^2551. */
ELS_NOINLINE int els_number_compare(els_number number, uint64_t odd, int scale)
{
    els_big left;
    els_big right;
    int rest;
    int power;
    int order;

    els_number_skip_zeros(&number);
    power = (int)(number.top + 1 - els_big_set_digits(&left, &number, &rest));
    els_big_set(&right, odd);
    if (power >= 0) els_big_multiply_fives(&left, power);
    else els_big_multiply_fives(&right, -power);
    if (power >= scale) els_big_multiply_twos(&left, power - scale);
    else els_big_multiply_twos(&right, scale - power);
    order = els_big_compare(&left, &right);
    return order == 0 && rest ? 1 : order;
}

/* Rounding. */

/* What is known of a number, without its sign:
       value <= number < value + error, or value = number if the error is 0,
       value = (high + low / 2^64 + a last bit or more if `rest`) * 2^(exponent - 61),
       2^61 <= high < 2^62.
   The error has the same unit as high and low. */
typedef struct els_estimate {
    uint64_t high;
    uint64_t low;
    int rest;
    int exponent;
    els_wide error;
} els_estimate;

/* Shifts the significand s, which is not 0, to 2^63 or more and multiplies it by the power of
   ten. The product may be too small, in units of 2^64: by less than 3 from the power, whose
   error of less than 3 is multiplied by less than 2^64. If the significand was cut, less than
   one unit of s is missing, which is 2^4 after the shift (s has 19 digits), multiplied by the
   power, below 2^128: less than 2^132, or 16 in the upper word, in addition to the 3. The error
   is set to 4 instead of 3 because the shift to the right drops bits below `low`. That shift
   makes the errors smaller too, which is not used. */
ELS_INLINE els_estimate els_number_estimate(const els_number *number)
{
    int power = (int)number->exponent;
    int zeros = els_leading_zeros(number->significand);
    int inexact = power < 0 || power > ELS_POWER_EXACT;
    uint64_t rest;
    els_wide product = els_multiply_wide(number->significand << zeros, els_power_of_ten(power), &rest);
    int carry = (int)(product.high >> 63);
    int shift = 1 + carry;
    els_estimate estimate;

    estimate.high = product.high >> shift;
    estimate.low = product.high << (64 - shift) | product.low >> shift;
    estimate.rest = (product.low << (64 - shift) | rest) != 0;
    estimate.exponent = els_log2_of_ten(power) + 63 - zeros + carry;
    estimate.error.high = number->cut ? 16 : 0;
    estimate.error.low = inexact || number->cut ? 4 : 0;
    return estimate;
}

/* On which side of the middle between two adjacent doubles a number is; OPEN: not known. */
enum { ELS_SIDE_BELOW = -1, ELS_SIDE_MIDDLE = 0, ELS_SIDE_ABOVE = 1, ELS_SIDE_OPEN = 2 };

/* Returns the side of the middle for rounding off the lowest `shift` bits of `high` and all bits below. */
ELS_INLINE int els_estimate_side(const els_estimate *estimate, int shift)
{
    uint64_t middle = (uint64_t)1 << (shift - 1);
    uint64_t high = estimate->high & (middle * 2 - 1);
    uint64_t most_low = estimate->low + estimate->error.low;
    uint64_t most_high = high + estimate->error.high + (most_low < estimate->low);

    if (most_high < middle) return ELS_SIDE_BELOW;
    if (high > middle || (high == middle && (estimate->low > 0 || estimate->rest))) return ELS_SIDE_ABOVE;
    return estimate->error.low > 0 ? ELS_SIDE_OPEN : ELS_SIDE_MIDDLE;
}

#define ELS_INFINITY_BITS UINT64_C(0x7ff0000000000000)

/* Returns the bits of the nearest double, ties to even, without the sign.

   10^309 and more are too large. A significand plus one is at most 10^19, and 10^19 * 10^-343 is
   below 2^-1075, half of the smallest double, so that the result is 0. Numbers below 2^-1022 have
   one bit of precision less for each power of two; below 2^-1076, with any error, the result is
   0. If rounding makes the significand 2^53, the carry adds one to the exponent, which is in the
   bits above; the result is right, and may be infinity. */
ELS_INLINE uint64_t els_number_bits(const els_number *number)
{
    els_estimate estimate;
    uint64_t significand;
    uint64_t bits;
    int shift = 62 - 53;
    int side;

    if (number->significand == 0 || number->exponent < ELS_POWER_MIN) return 0;
    if (number->exponent > ELS_POWER_MAX) return ELS_INFINITY_BITS;
    estimate = els_number_estimate(number);
    if (estimate.exponent > 1023) return ELS_INFINITY_BITS;
    if (estimate.exponent < -1076) return 0;
    if (estimate.exponent < -1022) shift += -1022 - estimate.exponent;
    significand = estimate.high >> shift;
    side = els_estimate_side(&estimate, shift);
    if (ELS_UNLIKELY(side == ELS_SIDE_OPEN))
        side = els_number_compare(*number, significand * 2 + 1, estimate.exponent - 62 + shift);
    bits = significand;
    if (estimate.exponent >= -1022) bits += (uint64_t)(estimate.exponent + 1022) << 52;
    return bits + (side == ELS_SIDE_ABOVE || (side == ELS_SIDE_MIDDLE && (significand & 1)));
}

/* Only if doubles are computed in double precision, by the rules of IEEE 754. */
#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1) && !defined(__FAST_MATH__)

/* Nonzero if the floating point unit rounds to nearest. Only then are 1 + tiny and 1 - tiny both
   rounded to 1. */
ELS_INLINE int els_rounds_to_nearest(void)
{
    volatile double tiny = DBL_MIN;
    double seen = tiny;

    return 1.0 + seen == 1.0 - seen;
}

/* Computes a double from an integer up to 2^53 and a power of ten up to 10^22. Both are exact as
   doubles, so that their product or quotient is rounded once. Zero if the number is not of these. */
ELS_INLINE int els_number_quick(const els_number *number, double *value)
{
    static const double tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double found;

    if (number->cut || number->significand > (uint64_t)1 << 53) return 0;
    if (number->exponent < -22 || number->exponent > 22 || !els_rounds_to_nearest()) return 0;
    found = (double)(int64_t)number->significand;
    if (number->exponent < 0) found /= tens[-number->exponent];
    else found *= tens[number->exponent];
    *value = number->negative ? -found : found;
    return 1;
}

#else

ELS_INLINE int els_number_quick(const els_number *number, double *value)
{
    (void)number;
    (void)value;
    return 0;
}

#endif

elelem_status elelem_number_to_double(elelem_str text, double *value)
{
    els_number number;
    uint64_t bits;
    uint64_t image;

    if (!els_number_read(text, &number)) return ELELEM_ERROR_SYNTAX;
    if (els_number_quick(&number, value)) return ELELEM_OK;
    bits = els_number_bits(&number);
    image = bits | (uint64_t)number.negative << 63;
    memcpy(value, &image, sizeof *value);
    return bits == ELS_INFINITY_BITS ? ELELEM_ERROR_RANGE : ELELEM_OK;
}

/* >> path */

elelem_segment elelem_segment_of_key(elelem_str key)
{
    elelem_segment segment = ELELEM_INIT;

    segment.key = els_str(key.data ? key.data : "", key.data ? key.size : 0);
    return segment;
}

elelem_segment elelem_segment_of_index(uint32_t index)
{
    elelem_segment segment = ELELEM_INIT;

    segment.index = index;
    return segment;
}

/* Patterns.

   pattern = [ first *( "." member / element ) ]      first = member / element
   member  = "*" / 1*plain / quoted                   element = "[" ( "*" / digits / quoted ) "]"

   A quoted key is always in brackets. */

ELS_PRIVATE int els_is_plain_key(unsigned char byte)
{
    return byte > 0x20 && !strchr(".[]*\"\\", byte);
}

ELS_PRIVATE elelem_status els_pattern_index(els_cursor *in, elelem_pattern_node *node)
{
    uint64_t index = 0;
    const unsigned char *start = in->at;

    for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
        index = index * 10 + (uint64_t)(*in->at - '0');
        if (index > UINT32_MAX) return ELELEM_ERROR_PATTERN;
    }
    if (in->at == start) return ELELEM_ERROR_PATTERN;
    node->kind = ELELEM_PATTERN_INDEX;
    node->size = (uint32_t)index;
    return ELELEM_OK;
}

/* Sets the key of a node. ERROR_PATTERN if its size does not fit; no parser has such keys. */
ELS_PRIVATE elelem_status els_pattern_set_key(elelem_pattern_node *node, const unsigned char *start,
                                              const unsigned char *end)
{
    uint64_t size = (uint64_t)(end - start);

    node->key = (const char *)start;
    node->size = (uint32_t)size;
    return size > UINT32_MAX ? ELELEM_ERROR_PATTERN : ELELEM_OK;
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
    in->at++;
    return els_pattern_set_key(node, start, in->at - 1);
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
    return els_pattern_set_key(node, start, in->at);
}

/* Reads the next step of a pattern that begins at `start`; END if there is none. */
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

/* Nonzero if the key is that of a node in which quotes and backslashes have a backslash before them. */
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

/* Nonzero if the key is that of the node. Most keys differ in size or in their first byte. */
ELS_INLINE int els_is_key(const elelem_pattern_node *node, elelem_str key)
{
    if (key.size != node->size) return 0;
    return key.size == 0 || (key.data[0] == node->key[0] && memcmp(key.data, node->key, key.size) == 0);
}

ELS_INLINE int els_node_matches(const elelem_pattern_node *node, const elelem_segment *segment)
{
    int is_member = segment->key.data != NULL;

    switch (node->kind) {
    case ELELEM_PATTERN_KEY: return is_member && els_is_key(node, segment->key);
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

/* Returns the node that is equal to `wanted`, and adds it if there is none; `capacity` if it does not fit. */
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

/* Adds one pattern to the tree; `*which` is the node that it ends at. */
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

/* The order of the nodes of a table. */
typedef enum els_patterns_order {
    ELS_PATTERNS_UNORDERED,
    ELS_PATTERNS_GROUPED,  /* the nodes with the same parent are adjacent */
    ELS_PATTERNS_DISTINCT  /* and no two of them match the same value */
} els_patterns_order;

/* Only up to this number of nodes is their order found out. */
#define ELS_ORDERED_MAX 256

/* Nonzero if for every parent its nodes are adjacent. */
ELS_PRIVATE int els_patterns_are_grouped(const elelem_pattern_node *nodes, size_t count)
{
    size_t i, before;

    for (i = 2; i < count; i++) {
        if (nodes[i].parent == nodes[i - 1].parent) continue;
        for (before = 1; before + 1 < i; before++)
            if (nodes[before].parent == nodes[i].parent) return 0;
    }
    return 1;
}

/* Nonzero if of grouped nodes those with the same parent are different plain keys, or there is one. */
ELS_PRIVATE int els_patterns_are_distinct(const elelem_pattern_node *nodes, size_t count)
{
    size_t i, before;

    for (i = 2; i < count; i++)
        for (before = i; before-- > 1 && nodes[before].parent == nodes[i].parent;)
            if (nodes[i].kind != ELELEM_PATTERN_KEY || nodes[before].kind != ELELEM_PATTERN_KEY ||
                els_same_node(&nodes[before], &nodes[i]))
                return 0;
    return 1;
}

ELS_PRIVATE uint8_t els_patterns_order_of(const elelem_pattern_node *nodes, size_t count)
{
    if (count > ELS_ORDERED_MAX || !els_patterns_are_grouped(nodes, count)) return ELS_PATTERNS_UNORDERED;
    return els_patterns_are_distinct(nodes, count) ? ELS_PATTERNS_DISTINCT : ELS_PATTERNS_GROUPED;
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
    patterns->els_order = ELS_PATTERNS_UNORDERED;
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
    if (status != ELELEM_OK) return status;
    patterns->count = used;
    patterns->els_order = els_patterns_order_of(nodes, used);
    return ELELEM_OK;
}

/* Nonzero if the first `count` segments of the path are the steps to this node. */
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
        if (patterns->nodes[i].wanted != ELELEM_WANT_WHOLE) continue;
        depth = els_node_depth(patterns, i);
        if (depth >= best_depth || !els_node_names(patterns, i, path, depth)) continue;
        best = i;
        best_depth = depth;
    }
    return (uint16_t)best;
}

/* >> fragment */

/* What the parser waits for. */
typedef enum els_json_state {
    ELS_JSON_VALUE,         /* a value */
    ELS_JSON_FIRST_ELEMENT, /* a value, or ] */
    ELS_JSON_FIRST_KEY,     /* a key, or } */
    ELS_JSON_KEY,           /* a key */
    ELS_JSON_COLON,         /* the colon after a key */
    ELS_JSON_COMMA,         /* what follows a value: a comma or the container's end */
    ELS_JSON_TEXT,          /* the text of a string or key, or its closing quote */
    ELS_JSON_CHARACTER,     /* the rest of a character in such a text */
    ELS_JSON_ESCAPE,        /* the letter after a backslash */
    ELS_JSON_UNIT,          /* the four digits after \u */
    ELS_JSON_LOW_BACKSLASH, /* after a high surrogate: the backslash of the low one */
    ELS_JSON_LOW_LETTER,    /* and its u */
    ELS_JSON_LITERAL,       /* the rest of null, true or false */
    ELS_JSON_NUMBER,        /* the minus or first digit of a number */
    ELS_JSON_MINUS,         /* the first digit after the minus */
    ELS_JSON_ZERO,          /* what follows a leading zero */
    ELS_JSON_INTEGER,       /* more digits, a point, an exponent or the end */
    ELS_JSON_POINT,         /* the first digit after the point */
    ELS_JSON_FRACTION,      /* more digits, an exponent or the end */
    ELS_JSON_EXPONENT,      /* a sign or the first digit */
    ELS_JSON_SIGN,          /* the first digit after the sign */
    ELS_JSON_POWER,         /* more digits or the end */
    ELS_JSON_TRAIL,         /* only whitespace, after a single document */
    ELS_JSON_OPENED,        /* nothing: a container began, its level is still to be entered */
    ELS_JSON_SCALAR_DONE,   /* nothing: a scalar was returned, its DONE is next */
    ELS_JSON_END,           /* nothing: the root value is complete */
    ELS_JSON_FAILED         /* nothing: an error sticks */
} els_json_state;

/* Instead of the kind of the last fragment: there is none. */
#define ELS_JSON_NOTHING 0xff

/* Instead of the depth of a wanted value: everything is wanted, because there are no patterns. */
#define ELS_JSON_EVERYWHERE UINT32_MAX

const char *elelem_type_name(int type)
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

elelem_scalar elelem_fragment_scalar(const elelem_fragment *fragment)
{
    elelem_scalar scalar = ELELEM_INIT;

    if (fragment->kind != ELELEM_FRAGMENT_SCALAR) return scalar;
    scalar.text = fragment->text;
    scalar.type = fragment->type;
    scalar.boolean = fragment->type == ELELEM_TYPE_BOOL && fragment->text.size == 4;
    return scalar;
}

elelem_str elelem_fragment_text(const elelem_fragment *fragment, const char *pattern)
{
    int is_piece = fragment->kind == ELELEM_FRAGMENT_STRING && elelem_path_is(fragment->path, pattern);

    return is_piece ? fragment->text : els_str("", 0);
}

/* Errors and offsets. */

ELS_INLINE uint64_t els_json_offset(const elelem_fragment_parser *p, const els_cursor *in)
{
    return p->els_lent.offset - (uint64_t)(in->end - in->at);
}

ELS_NOINLINE elelem_status els_json_fail_at(elelem_fragment_parser *p, elelem_status status, uint64_t offset)
{
    p->els_status = status;
    p->els_error_offset = offset;
    p->els_state = ELS_JSON_FAILED;
    return status;
}

/* Fails at the byte at the cursor, which is the first that cannot be right. */
ELS_NOINLINE elelem_status els_json_fail(elelem_fragment_parser *p, const els_cursor *in, elelem_status status)
{
    return els_json_fail_at(p, status, els_json_offset(p, in));
}

/* The block: the segments of the path, and after them a stack of bytes. The stack has the keys of
   the path in order, each followed by the list of pattern nodes that match the path up to it. On
   top is the key or number that is being put together, or the bracket bits of a skipped value. */

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

/* Sets the pointers of keys and path into the block, which may have moved. */
ELS_PRIVATE void els_json_rebase(elelem_fragment_parser *p)
{
    elelem_segment *segments = els_json_segments(p);
    size_t i;

    for (i = 0; i < p->els_path.count; i++)
        if (segments[i].key.data) segments[i].key.data = (const char *)els_json_stack(p) + segments[i].els_base;
    p->els_path.segments = segments;
}

/* Makes room for `segments` segments and `bytes` bytes on the stack, of which the first `used` are kept. Offsets in
   the block have 32 bits, which limits its size. */
ELS_NOINLINE elelem_status els_json_grow(elelem_fragment_parser *p, size_t segments, size_t used, size_t bytes)
{
    size_t start = els_product(segments, sizeof(elelem_segment));
    elelem_status status = els_block_reserve(&p->els_memory, els_sum(start, bytes), UINT32_MAX, ELELEM_ERROR_MEMORY);

    if (status != ELELEM_OK) return status;
    if (start != p->els_stack_start) {
        memmove(p->els_memory.data + start, els_json_stack(p), used);
        p->els_stack_start = (uint32_t)start;
    }
    els_json_rebase(p);
    return ELELEM_OK;
}

/* Adds bytes to the key or number that is being put together. If pushes are small, it is often one byte. */
ELS_INLINE void els_json_add_bytes(elelem_fragment_parser *p, size_t used, const unsigned char *bytes, size_t size)
{
    unsigned char *to = els_json_stack(p) + used;

    if (size == 1) *to = *bytes;
    else memcpy(to, bytes, size);
    p->els_token_size += (uint32_t)size;
}

/* Makes room for `more` bytes on the stack, after the first `used`. */
ELS_INLINE elelem_status els_json_reserve(elelem_fragment_parser *p, size_t used, size_t more)
{
    if (ELS_LIKELY(more <= p->els_memory.capacity - p->els_stack_start - used)) return ELELEM_OK;
    return els_json_grow(p, p->els_stack_start / sizeof(elelem_segment), used, els_sum(used, more));
}

/* Enters the container that was opened: adds a segment for its members or elements. */
ELS_NOINLINE elelem_status els_json_descend(elelem_fragment_parser *p)
{
    elelem_segment *segment;
    size_t count = p->els_path.count;

    if ((count + 1) * sizeof *segment > p->els_stack_start) {
        size_t segments = count < 4 ? 4 : els_product(count, 2);
        elelem_status status = els_json_grow(p, segments, p->els_stack_size, els_sum(p->els_stack_size, 32));
        if (status != ELELEM_OK) return status;
    }
    segment = els_json_segments(p) + count;
    segment->key.data = p->els_in_object ? (const char *)els_json_stack(p) + p->els_stack_size : NULL;
    segment->key.size = 0;
    segment->index = 0;
    segment->els_base = p->els_stack_size;
    segment->els_changed = p->els_path.els_serial;
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

/* Removes the key of the previous member from the stack. */
ELS_INLINE void els_json_drop_key(elelem_fragment_parser *p)
{
    elelem_segment *segment = els_json_top(p);

    p->els_stack_size = segment->els_base;
    p->els_path_bytes -= (uint32_t)segment->key.size;
    segment->key.size = 0;
    segment->els_changed = p->els_path.els_serial;
}

/* The brackets that are open inside a value that is skipped, as one bit each: 1 for an object. */

ELS_NOINLINE elelem_status els_json_skip_into(elelem_fragment_parser *p, int is_object)
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

/* Patterns: whether the value that begins is wanted. */

ELS_INLINE uint16_t els_json_active(const unsigned char *list, size_t i)
{
    uint16_t node;

    memcpy(&node, list + i * sizeof node, sizeof node);
    return node;
}

/* Nonzero if a node is in a list, which is sorted. */
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

/* Returns the list of nodes that match the path to the container of this value, sorted; the root node at the top. */
ELS_INLINE const unsigned char *els_json_parents(const elelem_fragment_parser *p, size_t *count)
{
    static const unsigned char root[2] = { 0, 0 };
    const elelem_segment *before;

    *count = 1;
    if (p->els_path.count == 1) return root;
    before = els_json_top(p) - 1;
    *count = before->els_active;
    return els_json_stack(p) + before->els_base + before->key.size;
}

/* Node `i` matches the path to this value: adds it to the list. The first one that is wanted is the value's pattern. */
ELS_PRIVATE elelem_status els_json_found(elelem_fragment_parser *p, size_t i)
{
    int is_wanted = p->els_patterns->nodes[i].wanted == ELELEM_WANT_WHOLE;

    if (is_wanted && p->els_pattern == ELELEM_NO_PATTERN) p->els_pattern = (uint16_t)i;
    return els_json_activate(p, (uint16_t)i);
}

/* Matches the nodes that have this parent, if these are adjacent. Most of them are keys of another size. */
ELS_INLINE elelem_status els_json_match_group(elelem_fragment_parser *p, uint16_t parent)
{
    const elelem_pattern_node *nodes = p->els_patterns->nodes;
    const elelem_pattern_node *end = nodes + p->els_patterns->count;
    const elelem_pattern_node *node = nodes + parent + 1;
    size_t size = els_json_top(p)->key.size;

    while (node < end && node->parent != parent)
        node++;
    for (; node < end && node->parent == parent; node++) {
        if (node->size != size && node->kind == ELELEM_PATTERN_KEY) continue;
        if (!els_node_matches(node, els_json_top(p))) continue;
        if (els_json_found(p, (size_t)(node - nodes)) != ELELEM_OK) return ELELEM_ERROR_MEMORY;
        if (p->els_patterns->els_order == ELS_PATTERNS_DISTINCT) break;
    }
    return ELELEM_OK;
}

/* Matches the nodes whose parent is in a list. */
ELS_NOINLINE elelem_status els_json_match_list(elelem_fragment_parser *p, const unsigned char *parents, size_t parents_count)
{
    const elelem_pattern_node *nodes = p->els_patterns->nodes;
    size_t i, count = p->els_patterns->count;
    uint16_t first = els_json_active(parents, 0);

    for (i = first + (size_t)1; i < count; i++) {
        uint16_t parent = nodes[i].parent;
        if (parent != first && (parents_count == 1 || !els_json_is_active(parents, parents_count, parent))) continue;
        if (!els_node_matches(&nodes[i], els_json_top(p))) continue;
        if (els_json_found(p, i) != ELELEM_OK) return ELELEM_ERROR_MEMORY;
        parents = els_json_parents(p, &parents_count);
    }
    return ELELEM_OK;
}

/* Makes the list of the innermost segment: the nodes that match the path to this value. The parent of
   each is in the list of the segment before, which mostly has one node. */
ELS_INLINE elelem_status els_json_match_segment(elelem_fragment_parser *p)
{
    elelem_segment *top = els_json_top(p);
    size_t parents_count;
    const unsigned char *parents = els_json_parents(p, &parents_count);

    p->els_stack_size = top->els_base + (uint32_t)top->key.size;
    top->els_active = 0;
    if (parents_count == 1 && p->els_patterns->els_order != ELS_PATTERNS_UNORDERED) return els_json_match_group(p, els_json_active(parents, 0));
    return els_json_match_list(p, parents, parents_count);
}

/* Decides whether the value that begins is delivered, skipped, or may contain values to be delivered. */
ELS_NOINLINE elelem_status els_json_match(elelem_fragment_parser *p)
{
    int possible;

    p->els_pattern = ELELEM_NO_PATTERN;
    if (p->els_path.count == 0) {
        possible = p->els_patterns->count > 0;
        if (possible && p->els_patterns->nodes[0].wanted == ELELEM_WANT_WHOLE) p->els_pattern = 0;
    } else {
        elelem_status status = els_json_match_segment(p);
        if (status != ELELEM_OK) return status;
        possible = els_json_top(p)->els_active > 0;
    }
    if (p->els_pattern != ELELEM_NO_PATTERN) p->els_inside = (uint32_t)p->els_path.count + 1;
    p->els_skipping = !possible;
    return ELELEM_OK;
}

/* Nonzero if fragments of the current value are delivered. */
ELS_INLINE int els_json_is_wanted(const elelem_fragment_parser *p)
{
    return p->els_inside != 0;
}

/* Fragments that are delivered. */

ELS_INLINE elelem_status els_json_give(elelem_fragment_parser *p, elelem_fragment *out, elelem_fragment_kind kind,
                                       elelem_type type, const void *text, size_t size)
{
    p->els_path.els_serial++;
    out->path = &p->els_path;
    out->text.data = (const char *)text;
    out->text.size = size;
    out->kind = (uint8_t)kind;
    out->type = (uint8_t)type;
    out->pattern = p->els_pattern;
    p->els_last = (uint8_t)kind;
    return ELELEM_OK;
}

/* Ends a value. Delivers its DONE if it is wanted. */
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

/* Returns how many bytes of the text a limit of `left` bytes allows: whole characters, none if the text is from an
   escape. */
ELS_PRIVATE size_t els_json_allowed(const unsigned char *text, size_t size, uint64_t left, int is_plain)
{
    if (size <= left) return size;
    return is_plain ? els_whole_characters(text, (size_t)left) : 0;
}

/* Adds text to the key on top of the stack. `back` is the distance from where the text starts in the input to the
   cursor. */
ELS_NOINLINE elelem_status els_json_key_text(elelem_fragment_parser *p, const els_cursor *in, const unsigned char *text,
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
    els_json_add_bytes(p, used, text, size);
    return ELS_AGAIN;
}

/* Delivers what the limit still allows of a string, and fails if that is nothing. */
ELS_NOINLINE elelem_status els_json_long_string(elelem_fragment_parser *p, els_cursor *in, const unsigned char *text,
                                                size_t size, size_t back, elelem_fragment *out)
{
    size_t allowed = els_json_allowed(text, size, p->els_string_left, size == back);

    if (allowed == 0) return els_json_fail_at(p, ELELEM_ERROR_STRING_SIZE, els_json_offset(p, in) - back);
    in->at -= size - allowed;
    p->els_string_left -= allowed;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, text, allowed);
}

/* Takes decoded text of a string or key. `back` is the distance from where it starts in the input to the cursor; it
   differs from `size` only for escapes. */
ELS_INLINE elelem_status els_json_text(elelem_fragment_parser *p, els_cursor *in, const unsigned char *text, size_t size,
                                       size_t back, elelem_fragment *out)
{
    if (ELS_UNLIKELY(p->els_skipping)) return ELS_AGAIN;
    if (p->els_in_key) return els_json_key_text(p, in, text, size, back);
    if (ELS_UNLIKELY(size > p->els_string_left)) return els_json_long_string(p, in, text, size, back, out);
    p->els_string_left -= size;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, text, size);
}

/* Ends a key, which becomes that of the innermost segment. */
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

/* Reads the first byte of a character that is cut by the end of the chunk, or fails if none begins like this. */
ELS_NOINLINE elelem_status els_json_lead(elelem_fragment_parser *p, els_cursor *in)
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

ELS_NOINLINE elelem_status els_json_character(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
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

/* Reads a byte that ends a run of plain text. */
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

/* Reads plain text from `start`, which is before or at the cursor. */
ELS_NOINLINE elelem_status els_json_run(elelem_fragment_parser *p, els_cursor *in, const unsigned char *start,
                                        elelem_fragment *out)
{
    const unsigned char *stop = els_text_plain(in->at, in->end);
    size_t size = (size_t)(stop - start);

    in->at = stop;
    if (size > 0) return els_json_text(p, in, start, size, size, out);
    if (stop == in->end) return ELELEM_MORE;
    return els_json_special(p, in, out);
}

/* escape = "\" ( quote / "\" / "/" / b / f / n / r / t / u 4HEX )   (RFC 8259, 7) */
static const char els_escape_letters[] = "bfnrt";
static const unsigned char els_escape_bytes[] = { '\b', '\f', '\n', '\r', '\t' };

/* Returns a pointer to the byte that is escaped by this letter; null for any other letter. */
ELS_INLINE const unsigned char *els_escaped(unsigned char letter)
{
    size_t i;

    for (i = 0; i < sizeof els_escape_bytes; i++)
        if ((unsigned char)els_escape_letters[i] == letter) return &els_escape_bytes[i];
    return NULL;
}

/* U+FFFD, delivered instead of a surrogate that is not one of a pair. */
static const unsigned char els_replacement[3] = { 0xef, 0xbf, 0xbd };

ELS_NOINLINE elelem_status els_json_escape(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *escaped;
    unsigned char byte;

    if (in->at == in->end) return ELELEM_MORE;
    byte = *in->at;
    if (byte == '"' || byte == '\\' || byte == '/') {
        /* The byte is its own value, so that a run of plain text may start with it. */
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
    escaped = els_escaped(byte);
    if (!escaped) return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    p->els_state = ELS_JSON_TEXT;
    return els_json_text(p, in, escaped, 1, 1, out);
}

/* Nonzero if a unit may begin with these digits. In strict mode the first two decide whether it is a surrogate that is
   not allowed here. */
ELS_PRIVATE int els_json_unit_allowed(const elelem_fragment_parser *p, unsigned unit, unsigned digits)
{
    if (!p->els_strict) return 1;
    if (p->els_high) return digits == 1 ? unit == 0xd : digits == 2 ? (unit & 0xfc) == 0xdc : 1;
    return digits != 2 || (unit & 0xfc) != 0xdc;
}

/* Delivers the character of a unit, or of a high surrogate and the unit after it, if these are a pair. */
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

ELS_NOINLINE elelem_status els_json_unit(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
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

/* Ends a high surrogate without its low one: the byte at the cursor begins something else. */
ELS_PRIVATE elelem_status els_json_lone(elelem_fragment_parser *p, els_cursor *in, els_json_state next,
                                        elelem_fragment *out)
{
    if (p->els_strict) return els_json_fail(p, in, ELELEM_ERROR_SURROGATE);
    p->els_high = 0;
    p->els_state = (uint8_t)next;
    return els_json_text(p, in, els_replacement, sizeof els_replacement, 0, out);
}

ELS_NOINLINE elelem_status els_json_low_backslash(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (in->at == in->end) return ELELEM_MORE;
    if (*in->at != '\\') return els_json_lone(p, in, ELS_JSON_TEXT, out);
    in->at++;
    p->els_state = ELS_JSON_LOW_LETTER;
    return ELS_AGAIN;
}

ELS_NOINLINE elelem_status els_json_low_letter(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
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
    if (p->els_skipping || !els_json_is_wanted(p)) return els_json_done(p, out, type);
    p->els_after = (uint8_t)type;
    p->els_state = ELS_JSON_SCALAR_DONE;
    return els_json_give(p, out, ELELEM_FRAGMENT_SCALAR, type, text, size);
}

ELS_PRIVATE const char *els_literal_text(elelem_type type, int boolean)
{
    return type == ELELEM_TYPE_NULL ? "null" : boolean ? "true" : "false";
}

/* Reads the rest of a literal. els_unit is 1 for true, 0 for false. */
ELS_NOINLINE elelem_status els_json_literal(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
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

/* Begins the literal at the cursor. If it is whole in the chunk, ends it too. */
ELS_NOINLINE elelem_status els_json_begin_literal(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    unsigned char byte = *in->at;
    size_t left = (size_t)(in->end - in->at);

    if (left >= 4 && memcmp(in->at, "true", 4) == 0) {
        in->at += 4;
        return els_json_scalar(p, out, ELELEM_TYPE_BOOL, "true", 4);
    }
    if (left >= 4 && memcmp(in->at, "null", 4) == 0) {
        in->at += 4;
        return els_json_scalar(p, out, ELELEM_TYPE_NULL, "null", 4);
    }
    if (left >= 5 && memcmp(in->at, "false", 5) == 0) {
        in->at += 5;
        return els_json_scalar(p, out, ELELEM_TYPE_BOOL, "false", 5);
    }
    if (byte != 'n' && byte != 't' && byte != 'f') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    p->els_after = byte == 'n' ? ELELEM_TYPE_NULL : ELELEM_TYPE_BOOL;
    p->els_unit = byte == 't';
    p->els_count = 0;
    p->els_state = ELS_JSON_LITERAL;
    return ELS_AGAIN;
}

/* number = [ "-" ] ( "0" / digit1-9 *DIGIT ) [ "." 1*DIGIT ] [ ("e" / "E") [ "+" / "-" ] 1*DIGIT ]
   (RFC 8259, 6). Returns the state after one byte; FAILED if the byte does not belong to the number. */
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

/* Nonzero if a number may end in this state. */
ELS_INLINE int els_number_may_end(unsigned state)
{
    return state == ELS_JSON_ZERO || state == ELS_JSON_INTEGER || state == ELS_JSON_FRACTION || state == ELS_JSON_POWER;
}

/* Nonzero if digits do not change this state. */
ELS_INLINE int els_number_takes_digits(els_json_state state)
{
    return state == ELS_JSON_INTEGER || state == ELS_JSON_FRACTION || state == ELS_JSON_POWER;
}

/* Nonzero if the byte may follow a number: whitespace, a comma, a bracket that closes; at the root also what begins
   the next value, unless it is a literal or a number. */
ELS_INLINE int els_json_delimits(const elelem_fragment_parser *p, unsigned char byte)
{
    if (byte <= 0x20 || byte == ',' || byte == ']' || byte == '}') return 1;
    return p->els_path.count + p->els_skip_depth == 0 && (byte == '[' || byte == '{' || byte == '"');
}

/* Stores the piece of a number from `start` to the cursor. */
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
    els_json_add_bytes(p, used, start, size);
    return ELELEM_OK;
}

ELS_NOINLINE elelem_status els_json_number_end(elelem_fragment_parser *p, els_cursor *in, const unsigned char *start,
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

ELS_NOINLINE elelem_status els_json_number(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *start = in->at;
    els_json_state state = (els_json_state)p->els_state;

    while (in->at < in->end) {
        els_json_state next = els_number_step(state, *in->at);
        if (next == ELS_JSON_FAILED) break;
        state = next;
        in->at++;
        if (els_number_takes_digits(state)) in->at = els_digit_span(in->at, in->end);
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

/* Returns the end of the number that starts here, if it has no exponent, and if all of it and one more byte
   are in the chunk; else null. */
ELS_INLINE const unsigned char *els_number_whole(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *digits = at + (*at == '-');

    at = els_digit_span(digits, end);
    if (at == digits || at == end || (*digits == '0' && at - digits > 1)) return NULL;
    if (*at == '.') {
        digits = at + 1;
        at = els_digit_span(digits, end);
        if (at == digits || at == end) return NULL;
    }
    return (*at | 0x20) == 'e' ? NULL : at;
}

/* Begins the number at the cursor. If it is whole in the chunk, ends it too. */
ELS_NOINLINE elelem_status els_json_begin_number(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *start = in->at;
    const unsigned char *stop = els_number_whole(start, in->end);

    p->els_skipping |= !els_json_is_wanted(p);
    if (stop && (size_t)(stop - start) <= p->els_max_number && els_json_delimits(p, *stop)) {
        in->at = stop;
        return els_json_scalar(p, out, ELELEM_TYPE_NUMBER, start, (size_t)(stop - start));
    }
    p->els_token_size = 0;
    p->els_state = ELS_JSON_NUMBER;
    return els_json_number(p, in, out);
}

/* Structure. */

ELS_PRIVATE elelem_status els_json_begin_string(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    in->at++;
    p->els_in_key = 0;
    p->els_string_left = p->els_max_string;
    p->els_skipping |= !els_json_is_wanted(p);
    p->els_state = ELS_JSON_TEXT;
    return els_json_run(p, in, in->at, out);
}

/* Nonzero if the BEGIN of a container that is not wanted whole is delivered. */
ELS_PRIVATE int els_json_wants_begin(const elelem_fragment_parser *p)
{
    const elelem_pattern_node *nodes = p->els_patterns->nodes;
    const elelem_segment *top;
    const unsigned char *active;
    size_t i;

    if (p->els_path.count == 0) return nodes[0].wanted == ELELEM_WANT_BEGIN;
    top = els_json_top(p);
    active = els_json_stack(p) + top->els_base + top->key.size;
    for (i = 0; i < top->els_active; i++)
        if (nodes[els_json_active(active, i)].wanted == ELELEM_WANT_BEGIN) return 1;
    return 0;
}

ELS_NOINLINE elelem_status els_json_begin_container(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
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
    if (!els_json_is_wanted(p) && !els_json_wants_begin(p)) return ELS_AGAIN;
    return els_json_give(p, out, ELELEM_FRAGMENT_BEGIN, is_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY, NULL, 0);
}

/* Ends the innermost container at the bracket at the cursor. */
ELS_NOINLINE elelem_status els_json_end_container(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_type type = p->els_in_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY;

    in->at++;
    if (p->els_skip_depth > 0)
        els_json_skip_out(p);
    else
        els_json_ascend(p);
    return els_json_done(p, out, type);
}

ELS_INLINE elelem_status els_json_value(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
    if (*in->at == ']' && p->els_state == ELS_JSON_FIRST_ELEMENT) return els_json_end_container(p, in, out);
    if (!els_json_is_wanted(p) && !p->els_skipping)
        if (els_json_match(p) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    switch (*in->at) {
    case '"': return els_json_begin_string(p, in, out);
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
    case '9': return els_json_begin_number(p, in, out);
    default: return els_json_begin_literal(p, in, out);
    }
}

ELS_INLINE elelem_status els_json_colon(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
    if (*in->at != ':') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    p->els_state = ELS_JSON_VALUE;
    return els_json_value(p, in, out);
}

/* Reads a plain key of fewer than 16 bytes that is whole in the chunk, from after its first quote, and makes it
   that of the innermost segment. Zero if it is no such key; then only bytes of the previous member, which are no
   longer needed, may have changed. */
ELS_INLINE int els_json_short_key(elelem_fragment_parser *p, els_cursor *in)
{
    elelem_segment *top = els_json_top(p);
    size_t left = (size_t)(in->end - in->at);
    size_t size, others = p->els_path_bytes - top->key.size;

    if (left == 0 || p->els_memory.capacity - p->els_stack_start - top->els_base < 16) return 0;
    size = els_text_start(in->at, left, els_json_stack(p) + top->els_base);
    if (size >= 16 || size == left || in->at[size] != '"') return 0;
    if (size > p->els_max_key || size > p->els_max_path - others) return 0;
    top->key.size = size;
    top->els_changed = p->els_path.els_serial;
    p->els_stack_size = (uint32_t)(top->els_base + size);
    p->els_path_bytes = (uint32_t)(others + size);
    in->at += size + 1;
    return 1;
}

ELS_INLINE elelem_status els_json_key(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
    if (*in->at == '}' && p->els_state == ELS_JSON_FIRST_KEY) return els_json_end_container(p, in, out);
    if (*in->at != '"') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    if (!p->els_skipping) {
        if (ELS_LIKELY(els_json_short_key(p, in))) {
            p->els_state = ELS_JSON_COLON;
            return els_json_colon(p, in, out);
        }
        els_json_drop_key(p);
    }
    p->els_token_size = 0;
    p->els_in_key = 1;
    p->els_state = ELS_JSON_TEXT;
    return ELS_AGAIN;
}

/* Begins the next element, after a comma in an array. */
ELS_INLINE elelem_status els_json_next_element(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!p->els_skipping) {
        elelem_segment *top = els_json_top(p);
        if (top->index == UINT32_MAX) return els_json_fail_at(p, ELELEM_ERROR_COUNT, els_json_offset(p, in) - 1);
        top->index++;
        top->els_changed = p->els_path.els_serial;
    }
    p->els_state = ELS_JSON_VALUE;
    return els_json_value(p, in, out);
}

ELS_INLINE elelem_status els_json_comma(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
    if (*in->at != ',') {
        if (*in->at == (p->els_in_object ? '}' : ']')) return els_json_end_container(p, in, out);
        return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    }
    in->at++;
    if (!p->els_in_object) return els_json_next_element(p, in, out);
    p->els_state = ELS_JSON_KEY;
    return els_json_key(p, in, out);
}

ELS_INLINE elelem_status els_json_opened(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (els_json_descend(p) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    if (p->els_in_object) {
        p->els_state = ELS_JSON_FIRST_KEY;
        return els_json_key(p, in, out);
    }
    p->els_state = ELS_JSON_FIRST_ELEMENT;
    return els_json_value(p, in, out);
}

ELS_PRIVATE elelem_status els_json_trail(elelem_fragment_parser *p, els_cursor *in)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
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
    case ELS_JSON_COLON: return els_json_colon(p, in, out);
    case ELS_JSON_COMMA: return els_json_comma(p, in, out);
    case ELS_JSON_OPENED: return els_json_opened(p, in, out);
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

ELS_NOINLINE elelem_status els_json_steps(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_status status;

    do
        status = els_json_step(p, in, out);
    while (status == ELS_AGAIN);
    return status;
}

/* Ends the input, when all of it is read. */
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

/* Shortcuts. The most frequent cases are decided without the loop over the steps. All others go to
   the loop. */

/* Delivers the text from the cursor to `stop`. */
ELS_INLINE elelem_status els_json_piece(elelem_fragment_parser *p, els_cursor *in, const unsigned char *stop,
                                        elelem_fragment *out)
{
    const unsigned char *start = in->at;
    size_t size = (size_t)(stop - start);

    in->at = stop;
    p->els_string_left -= size;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, start, size);
}

/* Delivers text in which the byte at `stop` is the first that is not ASCII. */
ELS_NOINLINE elelem_status els_json_wide_piece(elelem_fragment_parser *p, els_cursor *in, const unsigned char *stop,
                                               elelem_fragment *out)
{
    elelem_status status;

    stop = els_text_beyond_ascii(stop, in->end);
    if (stop > in->at) return els_json_piece(p, in, stop, out);
    status = els_json_lead(p, in);
    return status == ELS_AGAIN ? els_json_steps(p, in, out) : status;
}

/* Delivers what the backslash at the cursor escapes. */
ELS_PRIVATE elelem_status els_json_short_escape(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *escaped = in->end - in->at >= 2 ? els_escaped(in->at[1]) : NULL;

    if (!escaped) return els_json_steps(p, in, out);
    in->at += 2;
    p->els_string_left--;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, escaped, 1);
}

/* Delivers the next piece of a string, or its end. */
ELS_PRIVATE elelem_status els_json_string(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *stop;

    if (*in->at == '"') return els_json_quote(p, in, out);
    if (ELS_UNLIKELY((size_t)(in->end - in->at) > p->els_string_left)) return els_json_steps(p, in, out);
    if (*in->at == '\\') return els_json_short_escape(p, in, out);
    stop = els_text_span(in->at, in->end);
    if (stop < in->end && *stop >= 0x80) return els_json_wide_piece(p, in, stop, out);
    if (stop > in->at) return els_json_piece(p, in, stop, out);
    return els_json_steps(p, in, out);
}

/* Nonzero if the state waits for a byte. */
ELS_INLINE int els_json_waits(const elelem_fragment_parser *p)
{
    return p->els_state < ELS_JSON_OPENED;
}

/* Continues with what the state waits for, or has to deliver. */
ELS_PRIVATE elelem_status els_fragment_take(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (p->els_state == ELS_JSON_SCALAR_DONE) return els_json_done(p, out, (elelem_type)p->els_after);
    if (p->els_state == ELS_JSON_TEXT && !p->els_in_key && !p->els_skipping) return els_json_string(p, in, out);
    return els_json_steps(p, in, out);
}

/* Reads the next fragment from a cursor that the caller keeps. */
ELS_INLINE elelem_status els_fragment_next(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    p->els_last = ELS_JSON_NOTHING;
    return in->at == in->end && els_json_waits(p) ? ELELEM_MORE : els_fragment_take(p, in, out);
}

/* Cuts off bytes that were counted and are above max_total_bytes. */
ELS_NOINLINE void els_fragment_cut(elelem_fragment_parser *p, els_cursor *in)
{
    in->end -= p->els_lent.offset - p->els_max_total;
    p->els_lent.offset = p->els_max_total;
    p->els_over = 1;
    els_input_watch(&p->els_lent);
}

/* Counts the bytes of a cursor that the caller keeps, before they are read. */
ELS_INLINE void els_fragment_lend(elelem_fragment_parser *p, els_cursor *in)
{
    p->els_lent.offset += (uint64_t)(in->end - in->at);
    if (ELS_UNLIKELY(p->els_lent.offset > p->els_max_total)) els_fragment_cut(p, in);
}

elelem_status elelem_fragment_parser_push(elelem_fragment_parser *parser, const void *bytes, size_t size)
{
    elelem_status status;

    if (ELS_UNLIKELY(parser->els_state == ELS_JSON_FAILED)) return (elelem_status)parser->els_status;
    status = els_input_push(&parser->els_lent, bytes, size);
    if (ELS_UNLIKELY(parser->els_lent.offset > parser->els_max_total))
        els_fragment_cut(parser, &parser->els_lent.bytes);
    return status;
}

/* Returns the next fragment after all bytes are read, if the end of the input gives one; MORE; or an error. */
ELS_NOINLINE elelem_status els_fragment_dry(elelem_fragment_parser *p, elelem_fragment *out)
{
    els_cursor *in = &p->els_lent.bytes;
    elelem_status status;

    do {
        if (p->els_over) return els_json_fail(p, in, ELELEM_ERROR_TOTAL_SIZE);
        if (!p->els_lent.finished) {
            status = els_input_more(&p->els_lent);
            return status == ELELEM_MORE ? status : els_json_fail(p, in, status);
        }
        status = els_json_finished(p, in, out);
        if (status == ELS_AGAIN) status = els_fragment_next(p, in, out);
    } while (status == ELELEM_MORE);
    return status;
}

elelem_status elelem_fragment_parser_next(elelem_fragment_parser *parser, elelem_fragment *fragment)
{
    els_input *in = &parser->els_lent;
    elelem_status status = els_fragment_next(parser, &in->bytes, fragment);

    if (status != ELELEM_MORE) return status;
    return in->state == ELS_INPUT_LENT ? els_input_more(in) : els_fragment_dry(parser, fragment);
}

void elelem_fragment_parser_finish(elelem_fragment_parser *parser)
{
    els_input_finish(&parser->els_lent);
}

elelem_error elelem_fragment_parser_error(const elelem_fragment_parser *parser)
{
    return els_input_error(&parser->els_lent, (elelem_status)parser->els_status, parser->els_error_offset);
}

const elelem_path *elelem_fragment_parser_path(const elelem_fragment_parser *parser)
{
    return &parser->els_path;
}

size_t elelem_fragment_parser_unread(const elelem_fragment_parser *parser)
{
    return (size_t)(parser->els_lent.bytes.end - parser->els_lent.bytes.at);
}

uint64_t elelem_fragment_parser_offset(const elelem_fragment_parser *parser)
{
    return els_input_offset(&parser->els_lent);
}

elelem_status elelem_fragment_parser_skip(elelem_fragment_parser *parser)
{
    int is_object = parser->els_in_object;

    if (parser->els_lent.state == ELS_INPUT_NONE) return ELELEM_ERROR_MISUSE;
    if (parser->els_last != ELELEM_FRAGMENT_BEGIN && parser->els_last != ELELEM_FRAGMENT_STRING)
        return ELELEM_ERROR_MISUSE;
    if (parser->els_last == ELELEM_FRAGMENT_BEGIN) {
        if (els_json_skip_into(parser, is_object) != ELELEM_OK)
            return els_json_fail(parser, &parser->els_lent.bytes, ELELEM_ERROR_MEMORY);
        parser->els_state = is_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
    }
    parser->els_skipping = 1;
    parser->els_last = ELS_JSON_NOTHING;
    return ELELEM_OK;
}

/* Prepares for the next value at the root. */
ELS_PRIVATE void els_json_begin(elelem_fragment_parser *p)
{
    p->els_path.count = 0;
    p->els_stack_size = 0;
    p->els_path_bytes = 0;
    p->els_token_size = 0;
    p->els_skip_depth = 0;
    p->els_inside = p->els_patterns ? 0 : ELS_JSON_EVERYWHERE;
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

ELS_PRIVATE void els_json_start(elelem_fragment_parser *p)
{
    els_json_begin(p);
    els_input_start(&p->els_lent, 0);
    p->els_status = ELELEM_OK;
    p->els_error_offset = 0;
    p->els_over = 0;
    p->els_started = 0;
}

void elelem_fragment_parser_reset(elelem_fragment_parser *parser)
{
    if (parser->els_lent.state != ELS_INPUT_NONE) els_json_start(parser);
}

void elelem_fragment_parser_init(elelem_fragment_parser *parser, const elelem_fragment_parser_desc *desc)
{
    elelem_fragment_parser_desc defaults = ELELEM_INIT;
    const elelem_fragment_parser_desc *d = desc ? desc : &defaults;

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
    els_json_start(parser);
}

void elelem_fragment_parser_free(elelem_fragment_parser *parser)
{
    els_block_free(&parser->els_memory);
    memset(parser, 0, sizeof *parser);
}

/* >> value */

/* A tree is one block: nodes, each followed by its key, and texts, in the order in which they
   came. Nodes refer to each other by their offset, because the block moves. The offset 0 means no
   node, so that the root is not at the start. */

typedef elelem_fragment_aggregator els_tree;

typedef struct els_children {
    uint32_t first;
    uint32_t last;
    uint32_t opened; /* of the children that may be open, the one that began last */
} els_children;

typedef struct els_text {
    uint32_t start;
    uint32_t size;
    uint32_t room; /* bytes reserved for it */
} els_text;

typedef struct els_value_node {
    uint32_t parent;
    uint32_t next;   /* the sibling that began after it */
    uint32_t opened; /* of the siblings that may be open, the one that began before it */
    uint32_t name;   /* bytes of its key; of an element its index */
    union {
        els_children children; /* ARRAY, OBJECT */
        els_text text;         /* the others */
    } in;
    uint16_t pattern;
    uint8_t type;  /* an elelem_type */
    uint8_t flags; /* an elelem_value_state, and the flags below */
} els_value_node;

#define ELS_VALUE_STATE 0x07
#define ELS_VALUE_ELEMENT 0x08 /* has an index, not a key */
#define ELS_VALUE_BEGUN 0x10   /* its BEGIN was seen */
#define ELS_VALUE_MIXED 0x20   /* the indices of its elements are not in rising order */
#define ELS_VALUE_BROKEN 0x40  /* something in it was cut off */

#define ELS_VALUE_ALIGN 4u
#define ELS_VALUE_ROOT ELS_VALUE_ALIGN

/* How many open children are searched for the one that a fragment continues. */
#define ELS_VALUE_SEARCH 32

ELS_INLINE els_value_node *els_tree_node(const els_tree *tree, uint32_t at)
{
    return (els_value_node *)(void *)(tree->els_memory.data + at);
}

ELS_INLINE elelem_value_state els_tree_state(const els_value_node *node)
{
    return (elelem_value_state)(node->flags & ELS_VALUE_STATE);
}

ELS_INLINE int els_is_container(unsigned type)
{
    return type == ELELEM_TYPE_ARRAY || type == ELELEM_TYPE_OBJECT;
}

/* Returns the type of the container that has this segment. */
ELS_INLINE elelem_type els_segment_container(const elelem_segment *segment)
{
    return segment->key.data ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY;
}

ELS_INLINE elelem_str els_tree_key(const els_value_node *node)
{
    return els_str(node + 1, node->flags & ELS_VALUE_ELEMENT ? 0 : node->name);
}

ELS_INLINE int els_tree_is(const els_value_node *node, const elelem_segment *segment)
{
    if (node->flags & ELS_VALUE_ELEMENT) return !segment->key.data && node->name == segment->index;
    return segment->key.data && node->name == segment->key.size && memcmp(node + 1, segment->key.data, node->name) == 0;
}

/* Finding the node of a path. */

ELS_INLINE void els_tree_up(els_tree *tree)
{
    tree->els_current = els_tree_node(tree, tree->els_current)->parent;
    tree->els_depth--;
}

/* Returns the serial of the previous fragment if both came from the same parser, one directly after
   the other: segments that have not changed since need not be compared. Else 0. */
ELS_INLINE uint32_t els_tree_since(els_tree *tree, const elelem_path *path)
{
    int follows = path->els_serial - 1 == tree->els_serial && path == tree->els_path;
    uint32_t since = follows ? tree->els_serial : 0;

    tree->els_serial = path->els_serial;
    tree->els_path = path;
    return since;
}

/* Moves up from the current node to the deepest one that is on the path. */
ELS_INLINE void els_tree_climb(els_tree *tree, const elelem_path *path)
{
    uint32_t since = els_tree_since(tree, path);
    uint32_t at, depth;

    while (tree->els_depth > path->count)
        els_tree_up(tree);
    at = tree->els_current;
    for (depth = tree->els_depth; depth > 0; depth--) {
        const els_value_node *node = els_tree_node(tree, at);
        const elelem_segment *segment = &path->segments[depth - 1];
        if (since > 0 && segment->els_changed < since) return;
        at = node->parent;
        if (els_tree_is(node, segment)) continue;
        tree->els_current = at;
        tree->els_depth = depth - 1;
    }
}

/* Returns the open child of this segment, 0 if there is none. Removes children from the list that are
   no longer open. */
ELS_PRIVATE uint32_t els_tree_opened(els_tree *tree, els_value_node *node, const elelem_segment *segment)
{
    uint32_t *link = &node->in.children.opened;
    unsigned looked = 0;

    if (*link && !segment->key.data && !(node->flags & ELS_VALUE_MIXED) &&
        els_tree_node(tree, node->in.children.last)->name < segment->index)
        return 0;
    while (*link && looked < ELS_VALUE_SEARCH) {
        els_value_node *child = els_tree_node(tree, *link);
        if (els_tree_state(child) != ELELEM_VALUE_OPEN) {
            *link = child->opened;
            continue;
        }
        if (els_tree_is(child, segment)) return *link;
        link = &child->opened;
        looked++;
    }
    return 0;
}

/* Makes the deepest open node on the path the current one. */
ELS_PRIVATE void els_tree_find(els_tree *tree, const elelem_path *path)
{
    if (!tree->els_current) return;
    els_tree_climb(tree, path);
    while (tree->els_depth < path->count) {
        const elelem_segment *segment = &path->segments[tree->els_depth];
        els_value_node *node = els_tree_node(tree, tree->els_current);
        uint32_t child;
        if (node->type != els_segment_container(segment)) return;
        child = els_tree_opened(tree, node, segment);
        if (!child) return;
        tree->els_current = child;
        tree->els_depth++;
    }
}

/* Whether a fragment is valid, and fits what is there. */

ELS_PRIVATE int els_fragment_is_valid(const elelem_fragment *fragment)
{
    if (!fragment->path || (fragment->path->count > 0 && !fragment->path->segments)) return 0;
    switch (fragment->kind) {
    case ELELEM_FRAGMENT_BEGIN: return els_is_container(fragment->type);
    case ELELEM_FRAGMENT_STRING: return 1;
    case ELELEM_FRAGMENT_SCALAR:
        return fragment->text.size > 0 && fragment->type >= ELELEM_TYPE_NULL && fragment->type <= ELELEM_TYPE_NUMBER;
    case ELELEM_FRAGMENT_DONE: return fragment->type >= ELELEM_TYPE_NULL && fragment->type <= ELELEM_TYPE_OBJECT;
    default: return 0;
    }
}

/* Nonzero if a fragment may begin a new value. The DONE of a number, bool or null may not: it has no text. */
ELS_INLINE int els_fragment_may_start(const elelem_fragment *fragment)
{
    return fragment->kind != ELELEM_FRAGMENT_DONE || fragment->type >= ELELEM_TYPE_STRING;
}

/* Nonzero if a BEGIN belongs to a container that was added for the path of something in it. */
ELS_INLINE int els_tree_awaits(const els_value_node *node, const elelem_fragment *fragment)
{
    return node->type == fragment->type && !(node->flags & ELS_VALUE_BEGUN);
}

ELS_PRIVATE int els_tree_fits(const els_tree *tree, const elelem_fragment *fragment)
{
    const els_value_node *node;

    if (!tree->els_current) return els_fragment_may_start(fragment);
    node = els_tree_node(tree, tree->els_current);
    if (tree->els_depth < fragment->path->count)
        return node->type == els_segment_container(&fragment->path->segments[tree->els_depth]) &&
               els_fragment_may_start(fragment);
    switch (fragment->kind) {
    case ELELEM_FRAGMENT_BEGIN: return tree->els_depth > 0 || els_tree_awaits(node, fragment);
    case ELELEM_FRAGMENT_STRING: return node->type == ELELEM_TYPE_STRING;
    case ELELEM_FRAGMENT_SCALAR: return 0;
    default: return node->type == fragment->type;
    }
}

/* Growing. */

/* Makes room for `size` bytes after those in use. */
ELS_INLINE elelem_status els_tree_reserve(els_tree *tree, uint64_t size)
{
    if (size > tree->els_max_bytes - tree->els_used) return ELELEM_ERROR_VALUE_SIZE;
    return els_block_reserve(&tree->els_memory, els_sum(tree->els_used, (size_t)size), tree->els_max_bytes,
                             ELELEM_ERROR_VALUE_SIZE);
}

/* Makes the new node `at` the last child of the current one. */
ELS_INLINE void els_tree_link(els_tree *tree, uint32_t at)
{
    els_value_node *node = els_tree_node(tree, at);
    els_value_node *parent = els_tree_node(tree, tree->els_current);
    els_children *children = &parent->in.children;

    node->parent = tree->els_current;
    node->opened = children->opened;
    if (children->last) {
        els_value_node *last = els_tree_node(tree, children->last);
        last->next = at;
        if (node->flags & ELS_VALUE_ELEMENT && node->name <= last->name) parent->flags |= ELS_VALUE_MIXED;
    } else {
        children->first = at;
    }
    children->last = at;
    children->opened = at;
    tree->els_depth++;
}

/* Adds a child of the current node, or the root, and makes it the current one. If it is a text, `size`
   bytes are reserved after it. */
ELS_PRIVATE elelem_status els_tree_add(els_tree *tree, const elelem_segment *segment, elelem_type type, size_t size)
{
    size_t key = segment && segment->key.data ? segment->key.size : 0;
    uint32_t at = tree->els_used ? (tree->els_used + (ELS_VALUE_ALIGN - 1)) & ~(ELS_VALUE_ALIGN - 1) : ELS_VALUE_ROOT;
    els_value_node *node;
    elelem_status status;

    if (key > tree->els_max_bytes || size > tree->els_max_bytes) return ELELEM_ERROR_VALUE_SIZE;
    if (at < tree->els_used) return ELELEM_ERROR_VALUE_SIZE;
    status = els_tree_reserve(tree, (uint64_t)(at - tree->els_used) + sizeof *node + key + size);
    if (status != ELELEM_OK) return status;
    node = els_tree_node(tree, at);
    memset(node, 0, sizeof *node);
    node->pattern = ELELEM_NO_PATTERN;
    node->type = (uint8_t)type;
    node->name = segment && !segment->key.data ? segment->index : (uint32_t)key;
    if (segment && !segment->key.data) node->flags = ELS_VALUE_ELEMENT;
    if (key > 0) memcpy(node + 1, segment->key.data, key);
    tree->els_used = (uint32_t)(at + sizeof *node + key);
    if (!els_is_container(type)) {
        node->in.text.start = tree->els_used;
        node->in.text.room = (uint32_t)size;
        tree->els_used += (uint32_t)size;
    }
    if (segment) els_tree_link(tree, at);
    tree->els_current = at;
    return ELELEM_OK;
}

/* Makes room for `size` bytes in all in the text of the current node. If it is not the last one in
   the block, it moves to the end and gets twice that, or if there is less, that. */
ELS_PRIVATE elelem_status els_tree_widen(els_tree *tree, uint64_t size)
{
    els_text *text = &els_tree_node(tree, tree->els_current)->in.text;
    int is_last = text->start + text->room == tree->els_used;
    uint64_t more = is_last ? size - text->room : size * 2;
    elelem_status status = els_tree_reserve(tree, more);

    if (status != ELELEM_OK && !is_last) {
        more = size;
        status = els_tree_reserve(tree, more);
    }
    if (status != ELELEM_OK) return status;
    text = &els_tree_node(tree, tree->els_current)->in.text;
    if (!is_last) {
        memcpy(tree->els_memory.data + tree->els_used, tree->els_memory.data + text->start, text->size);
        text->start = tree->els_used;
        text->room = 0;
    }
    text->room += (uint32_t)more;
    tree->els_used += (uint32_t)more;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_tree_append(els_tree *tree, const char *bytes, size_t size)
{
    els_text *text = &els_tree_node(tree, tree->els_current)->in.text;

    if (size == 0) return ELELEM_OK;
    if (size > text->room - text->size) {
        elelem_status status = els_tree_widen(tree, (uint64_t)text->size + size);
        if (status != ELELEM_OK) return status;
        text = &els_tree_node(tree, tree->els_current)->in.text;
    }
    memcpy(tree->els_memory.data + text->start + text->size, bytes, size);
    text->size += (uint32_t)size;
    return ELELEM_OK;
}

/* Returns `size`, or if that is more than `left`, what fits in whole characters. */
ELS_INLINE size_t els_tree_fitting(elelem_str bytes, size_t size, size_t left)
{
    return size <= left ? size : els_whole_characters((const unsigned char *)bytes.data, left);
}

/* Appends to a string what the limits allow, so that the result does not depend on how the input was cut. */
ELS_PRIVATE elelem_status els_tree_append_string(els_tree *tree, elelem_str bytes)
{
    const els_text *text = &els_tree_node(tree, tree->els_current)->in.text;
    size_t left = tree->els_max_string - text->size;
    size_t fitting = els_tree_fitting(bytes, bytes.size, left);
    elelem_status over = fitting < bytes.size ? ELELEM_ERROR_STRING_SIZE : ELELEM_OK;
    elelem_status status;

    left = (size_t)(text->room - text->size) + (tree->els_max_bytes - tree->els_used);
    if (fitting > left) {
        fitting = els_tree_fitting(bytes, fitting, left);
        over = ELELEM_ERROR_VALUE_SIZE;
    }
    status = els_tree_append(tree, bytes.data, fitting);
    return status != ELELEM_OK ? status : over;
}

/* Ending. */

/* Removes the first child from the list of those that may be open, and returns it; 0 if there is none. */
ELS_INLINE uint32_t els_tree_take_opened(els_tree *tree, els_value_node *node)
{
    uint32_t child;

    if (!els_is_container(node->type)) return 0;
    child = node->in.children.opened;
    if (child) node->in.children.opened = els_tree_node(tree, child)->opened;
    return child;
}

ELS_INLINE void els_tree_set_state(els_value_node *node, elelem_value_state state)
{
    node->flags = (uint8_t)((node->flags & (0xff ^ ELS_VALUE_STATE)) | (unsigned)state);
}

/* Cuts off all that is open inside a node. Nonzero if there was something. */
ELS_PRIVATE int els_tree_cut_below(els_tree *tree, uint32_t top, elelem_value_state reason)
{
    uint32_t at = top;
    int found = 0;

    for (;;) {
        els_value_node *node = els_tree_node(tree, at);
        uint32_t child = els_tree_take_opened(tree, node);
        if (child) {
            if (els_tree_state(els_tree_node(tree, child)) == ELELEM_VALUE_OPEN) at = child;
            continue;
        }
        if (at == top) return found;
        els_tree_set_state(node, reason);
        found = 1;
        at = node->parent;
    }
}

/* Ends the current node with a state; its parent becomes the current one. */
ELS_INLINE void els_tree_close(els_tree *tree, elelem_value_state state)
{
    els_value_node *node = els_tree_node(tree, tree->els_current);
    uint32_t at = tree->els_current;

    els_tree_set_state(node, state);
    if (!node->parent) {
        tree->els_over = 1;
        return;
    }
    els_tree_up(tree);
    node = els_tree_node(tree, tree->els_current);
    if (state != ELELEM_VALUE_COMPLETE) node->flags |= ELS_VALUE_BROKEN;
    if (node->in.children.opened == at) els_tree_take_opened(tree, node);
}

ELS_PRIVATE void els_tree_cut(els_tree *tree, elelem_value_state reason)
{
    if (!tree->els_over && tree->els_current) {
        els_tree_cut_below(tree, ELS_VALUE_ROOT, reason);
        els_tree_set_state(els_tree_node(tree, ELS_VALUE_ROOT), reason);
    }
    tree->els_over = 1;
}

/* Returns the node, wanted WHOLE, that matches exactly this path; ELELEM_NO_PATTERN if there is none. */
ELS_PRIVATE uint16_t els_patterns_exact(const elelem_patterns *patterns, const elelem_path *path)
{
    size_t i;

    for (i = 0; i < patterns->count; i++)
        if (patterns->nodes[i].wanted == ELELEM_WANT_WHOLE && els_node_names(patterns, i, path, path->count)) return (uint16_t)i;
    return ELELEM_NO_PATTERN;
}

/* The current node is complete: next returns it if a pattern matches it, or without patterns if it is the root. */
ELS_INLINE void els_tree_complete(els_tree *tree, const elelem_path *path)
{
    if (tree->els_patterns) {
        tree->els_pattern = els_patterns_exact(tree->els_patterns, path);
        if (tree->els_pattern != ELELEM_NO_PATTERN) tree->els_completed = tree->els_current;
    } else if (path->count == 0) {
        tree->els_pattern = ELELEM_NO_PATTERN;
        tree->els_completed = tree->els_current;
    }
}

ELS_PRIVATE void els_tree_done(els_tree *tree, const elelem_path *path)
{
    int is_cut = els_tree_cut_below(tree, tree->els_current, ELELEM_VALUE_CUT_END);

    if (els_tree_node(tree, tree->els_current)->flags & ELS_VALUE_BROKEN) is_cut = 1;
    if (!is_cut) els_tree_complete(tree, path);
    els_tree_close(tree, is_cut ? ELELEM_VALUE_CUT_END : ELELEM_VALUE_COMPLETE);
}

/* Adding. */

ELS_INLINE elelem_type els_fragment_type(const elelem_fragment *fragment)
{
    return fragment->kind == ELELEM_FRAGMENT_STRING ? ELELEM_TYPE_STRING : (elelem_type)fragment->type;
}

/* Ends a value that is open and gets a second BEGIN, which begins another one. */
ELS_INLINE void els_tree_begin_another(els_tree *tree, const elelem_fragment *fragment)
{
    if (fragment->kind != ELELEM_FRAGMENT_BEGIN || !tree->els_current || tree->els_depth < fragment->path->count) return;
    if (els_tree_awaits(els_tree_node(tree, tree->els_current), fragment)) return;
    els_tree_cut_below(tree, tree->els_current, ELELEM_VALUE_CUT_END);
    els_tree_close(tree, ELELEM_VALUE_CUT_END);
}

/* Adds the nodes of the path that are not there. */
ELS_PRIVATE elelem_status els_tree_build(els_tree *tree, const elelem_fragment *fragment)
{
    const elelem_path *path = fragment->path;
    elelem_type target = els_fragment_type(fragment);
    elelem_status status = ELELEM_OK;

    if (path->count > tree->els_max_depth) return ELELEM_ERROR_DEPTH;
    if (path->count == tree->els_max_depth && els_is_container(target)) return ELELEM_ERROR_DEPTH;
    while (status == ELELEM_OK && (!tree->els_current || tree->els_depth < path->count)) {
        size_t depth = tree->els_current ? tree->els_depth + (size_t)1 : 0;
        elelem_type type = depth == path->count ? target : els_segment_container(&path->segments[depth]);
        size_t size = depth == path->count && fragment->kind == ELELEM_FRAGMENT_SCALAR ? fragment->text.size : 0;
        status = els_tree_add(tree, depth > 0 ? &path->segments[depth - 1] : NULL, type, size);
    }
    return status;
}

/* Applies a fragment to the current node, which is that of its path. */
ELS_PRIVATE elelem_status els_tree_apply(els_tree *tree, const elelem_fragment *fragment)
{
    els_value_node *node = els_tree_node(tree, tree->els_current);

    if (fragment->pattern != ELELEM_NO_PATTERN) node->pattern = fragment->pattern;
    switch (fragment->kind) {
    case ELELEM_FRAGMENT_BEGIN: node->flags |= ELS_VALUE_BEGUN; return ELELEM_OK;
    case ELELEM_FRAGMENT_STRING: return els_tree_append_string(tree, fragment->text);
    case ELELEM_FRAGMENT_SCALAR: return els_tree_append(tree, fragment->text.data, fragment->text.size);
    default: els_tree_done(tree, fragment->path); return ELELEM_OK;
    }
}

void elelem_fragment_aggregator_init(elelem_fragment_aggregator *aggregator,
                                     const elelem_fragment_aggregator_desc *desc)
{
    elelem_fragment_aggregator_desc defaults = ELELEM_INIT;
    const elelem_fragment_aggregator_desc *d = desc ? desc : &defaults;

    memset(aggregator, 0, sizeof *aggregator);
    aggregator->els_memory.allocator = d->allocator;
    aggregator->els_patterns = d->patterns && d->patterns->nodes ? d->patterns : NULL;
    aggregator->els_max_bytes = ELS_DEFAULT(d->max_bytes, (uint32_t)64 << 20);
    aggregator->els_max_string = ELS_DEFAULT(d->max_string_bytes, UINT32_MAX);
    aggregator->els_max_depth = ELS_DEFAULT(d->max_depth, 512u);
}

/* Adds a fragment that fits, and whose path was found. */
ELS_INLINE elelem_status els_tree_take(els_tree *tree, const elelem_fragment *fragment)
{
    elelem_status status = els_tree_build(tree, fragment);

    if (status == ELELEM_OK) status = els_tree_apply(tree, fragment);
    if (ELS_LIKELY(status == ELELEM_OK)) return status;
    els_tree_cut(tree, ELELEM_VALUE_CUT_LIMIT);
    tree->els_status = status;
    return status;
}

/* Ends values on the path that are not containers of the kind that it needs: their key came again, for another
   value. */
ELS_INLINE void els_tree_leave_others(els_tree *tree, const elelem_path *path)
{
    const els_value_node *node;

    while (tree->els_current && tree->els_depth < path->count) {
        node = els_tree_node(tree, tree->els_current);
        if (!node->parent || node->type == els_segment_container(&path->segments[tree->els_depth])) return;
        els_tree_cut_below(tree, tree->els_current, ELELEM_VALUE_CUT_END);
        els_tree_close(tree, ELELEM_VALUE_CUT_END);
    }
}

/* Adds a fragment of a parser if all its fragments before were added. It fits, except that containers that
   are not wanted whole have no DONE. */
ELS_INLINE elelem_status els_tree_follow(els_tree *tree, const elelem_fragment *fragment)
{
    if (tree->els_status) return (elelem_status)tree->els_status;
    els_tree_find(tree, fragment->path);
    els_tree_leave_others(tree, fragment->path);
    els_tree_begin_another(tree, fragment);
    return els_tree_take(tree, fragment);
}

elelem_status elelem_fragment_aggregator_push(elelem_fragment_aggregator *aggregator, const elelem_fragment *fragment)
{
    elelem_status status = (elelem_status)aggregator->els_status;

    if (status != ELELEM_OK) return status;
    if (aggregator->els_max_depth == 0 || aggregator->els_over) return ELELEM_ERROR_MISUSE;
    if (!els_fragment_is_valid(fragment)) return ELELEM_ERROR_MISUSE;
    els_tree_find(aggregator, fragment->path);
    if (!els_tree_fits(aggregator, fragment)) return ELELEM_ERROR_MISUSE;
    aggregator->els_completed = 0;
    els_tree_begin_another(aggregator, fragment);
    status = els_tree_take(aggregator, fragment);
    if (status == ELELEM_OK && fragment->kind == ELELEM_FRAGMENT_DONE) aggregator->els_finished++;
    return status;
}

ELS_INLINE elelem_value els_value_of(const els_tree *tree, uint32_t at)
{
    elelem_value value;

    value.els_owner = at ? tree : NULL;
    value.els_node = at;
    return value;
}

elelem_status elelem_fragment_aggregator_next(elelem_fragment_aggregator *aggregator, elelem_completed_value *completed)
{
    if (aggregator->els_completed) {
        completed->value = els_value_of(aggregator, aggregator->els_completed);
        completed->pattern = aggregator->els_pattern;
        aggregator->els_completed = 0;
        return ELELEM_OK;
    }
    if (aggregator->els_status) return (elelem_status)aggregator->els_status;
    if (aggregator->els_max_depth == 0) return ELELEM_ERROR_MISUSE;
    return aggregator->els_over ? ELELEM_END : ELELEM_MORE;
}

void elelem_fragment_aggregator_finish(elelem_fragment_aggregator *aggregator)
{
    els_tree_cut(aggregator, ELELEM_VALUE_CUT_END);
}

void elelem_fragment_aggregator_cut(elelem_fragment_aggregator *aggregator, elelem_value_state reason)
{
    int is_reason = reason == ELELEM_VALUE_CUT_LIMIT || reason == ELELEM_VALUE_CUT_END;

    els_tree_cut(aggregator, is_reason ? reason : ELELEM_VALUE_CUT_ERROR);
}

elelem_error elelem_fragment_aggregator_error(const elelem_fragment_aggregator *aggregator)
{
    if (aggregator->els_max_depth == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    return els_error((elelem_status)aggregator->els_status, aggregator->els_status ? aggregator->els_finished : 0);
}

void elelem_fragment_aggregator_reset(elelem_fragment_aggregator *aggregator)
{
    aggregator->els_finished = 0;
    aggregator->els_used = 0;
    aggregator->els_current = 0;
    aggregator->els_depth = 0;
    aggregator->els_completed = 0;
    aggregator->els_status = ELELEM_OK;
    aggregator->els_over = 0;
}

void elelem_fragment_aggregator_free(elelem_fragment_aggregator *aggregator)
{
    els_block_free(&aggregator->els_memory);
    memset(aggregator, 0, sizeof *aggregator);
}

elelem_value elelem_fragment_aggregator_value(const elelem_fragment_aggregator *aggregator)
{
    return els_value_of(aggregator, aggregator->els_used ? ELS_VALUE_ROOT : 0);
}

/* Reading. The node of no value is an empty one. */

static const els_value_node els_no_value = { 0, 0, 0, 0, { { 0, 0, 0 } }, ELELEM_NO_PATTERN, ELELEM_TYPE_NONE, 0 };

ELS_INLINE const els_value_node *els_value_node_of(elelem_value value)
{
    return value.els_owner && value.els_node ? els_tree_node(value.els_owner, value.els_node) : &els_no_value;
}

elelem_type elelem_value_type(elelem_value value)
{
    return (elelem_type)els_value_node_of(value)->type;
}

elelem_value_state elelem_value_state_of(elelem_value value)
{
    return els_tree_state(els_value_node_of(value));
}

int elelem_value_is_complete(elelem_value value)
{
    return elelem_value_state_of(value) == ELELEM_VALUE_COMPLETE;
}

elelem_str elelem_value_text(elelem_value value)
{
    const els_value_node *node = els_value_node_of(value);

    if (node->type == ELELEM_TYPE_NONE || els_is_container(node->type)) return els_str("", 0);
    return els_str(value.els_owner->els_memory.data + node->in.text.start, node->in.text.size);
}

elelem_str elelem_value_key(elelem_value value)
{
    return els_tree_key(els_value_node_of(value));
}

size_t elelem_value_index(elelem_value value)
{
    const els_value_node *node = els_value_node_of(value);

    return node->flags & ELS_VALUE_ELEMENT ? node->name : 0;
}

elelem_value elelem_value_first(elelem_value value)
{
    const els_value_node *node = els_value_node_of(value);

    return els_value_of(value.els_owner, els_is_container(node->type) ? node->in.children.first : 0);
}

elelem_value elelem_value_next(elelem_value value)
{
    return els_value_of(value.els_owner, els_value_node_of(value)->next);
}

elelem_value elelem_value_parent(elelem_value value)
{
    return els_value_of(value.els_owner, els_value_node_of(value)->parent);
}

size_t elelem_value_count(elelem_value value)
{
    elelem_value child = elelem_value_first(value);
    size_t count = 0;

    for (; child.els_node; child = elelem_value_next(child))
        count++;
    return count;
}

/* Returns the member with this key that began last. */
ELS_NOINLINE elelem_value els_value_member(elelem_value value, const char *key, size_t size)
{
    const els_value_node *object = els_value_node_of(value);
    uint32_t at = object->type == ELELEM_TYPE_OBJECT ? object->in.children.first : 0;
    uint32_t found = 0;

    while (at) {
        const els_value_node *child = els_tree_node(value.els_owner, at);
        const char *name = (const char *)(child + 1);
        if (child->name == size && (size == 0 || (*name == *key && memcmp(name, key, size) == 0))) found = at;
        at = child->next;
    }
    return els_value_of(value.els_owner, found);
}

elelem_value elelem_value_member(elelem_value value, elelem_str key)
{
    return els_value_member(value, key.data, key.size);
}

elelem_value elelem_value_get(elelem_value value, const char *key)
{
    return els_value_member(value, key, key ? strlen(key) : 0);
}

elelem_value elelem_value_at(elelem_value value, size_t index)
{
    elelem_value found = ELELEM_INIT;
    elelem_value child;

    if (elelem_value_type(value) != ELELEM_TYPE_ARRAY) return found;
    for (child = elelem_value_first(value); child.els_node; child = elelem_value_next(child)) {
        if (elelem_value_index(child) == index) found = child;
        if (elelem_value_index(child) >= index && !(els_value_node_of(value)->flags & ELS_VALUE_MIXED)) break;
    }
    return found;
}

/* Returns the last child that matches a step of a pattern without wildcards. */
ELS_PRIVATE elelem_value els_value_step(elelem_value value, const elelem_pattern_node *step)
{
    elelem_value found = ELELEM_INIT;
    elelem_value child;

    switch (step->kind) {
    case ELELEM_PATTERN_KEY: return elelem_value_member(value, els_str(step->key, step->size));
    case ELELEM_PATTERN_INDEX: return elelem_value_at(value, step->size);
    case ELELEM_PATTERN_QUOTED_KEY: break;
    default: return found;
    }
    if (elelem_value_type(value) != ELELEM_TYPE_OBJECT) return found;
    for (child = elelem_value_first(value); child.els_node; child = elelem_value_next(child))
        if (els_quoted_key_is(step, elelem_value_key(child))) found = child;
    return found;
}

elelem_value elelem_value_find(elelem_value value, const char *path)
{
    els_cursor in = els_cursor_of(path, elelem_str_of(path).size);
    const unsigned char *start = in.at;
    elelem_pattern_node step;
    elelem_status status;

    while ((status = els_pattern_step(&in, start, &step)) == ELELEM_OK)
        value = els_value_step(value, &step);
    return status == ELELEM_END ? value : els_value_of(NULL, 0);
}

elelem_status elelem_value_to_bool(elelem_value value, int *boolean)
{
    if (elelem_value_type(value) != ELELEM_TYPE_BOOL) return ELELEM_ERROR_TYPE;
    *boolean = elelem_str_is(elelem_value_text(value), "true");
    return ELELEM_OK;
}

elelem_status elelem_value_to_int64(elelem_value value, int64_t *number)
{
    if (elelem_value_type(value) != ELELEM_TYPE_NUMBER) return ELELEM_ERROR_TYPE;
    return elelem_number_to_int64(elelem_value_text(value), number);
}

elelem_status elelem_value_to_uint64(elelem_value value, uint64_t *number)
{
    if (elelem_value_type(value) != ELELEM_TYPE_NUMBER) return ELELEM_ERROR_TYPE;
    return elelem_number_to_uint64(elelem_value_text(value), number);
}

elelem_status elelem_value_to_double(elelem_value value, double *number)
{
    if (elelem_value_type(value) != ELELEM_TYPE_NUMBER) return ELELEM_ERROR_TYPE;
    return elelem_number_to_double(elelem_value_text(value), number);
}

/* Helpers for rooms that read documents. */

/* Returns the text of a string; empty for anything else. */
ELS_PRIVATE elelem_str els_text_of(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_STRING ? elelem_value_text(value) : els_str(NULL, 0);
}

ELS_INLINE elelem_str els_member_text(elelem_value value, const char *key)
{
    return els_text_of(elelem_value_get(value, key));
}

/* Nonzero if there is a value, and it is not null. */
ELS_PRIVATE int els_is_value(elelem_value value)
{
    return elelem_value_type(value) != ELELEM_TYPE_NONE && elelem_value_type(value) != ELELEM_TYPE_NULL;
}

/* >> json */

/* Reads all of the text. END, or an error. */
ELS_PRIVATE elelem_status els_json_read_all(elelem_fragment_parser *parser, elelem_str text, elelem_fragment_aggregator *tree)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_push(parser, text.data, text.size);

    elelem_fragment_parser_finish(parser);
    while (status == ELELEM_OK && (status = elelem_fragment_parser_next(parser, &fragment)) == ELELEM_OK)
        status = els_tree_follow(tree, &fragment);
    return status;
}

/* Returns the error of a read that ended with this status. A tree knows no offset in the text. */
ELS_PRIVATE elelem_error els_json_error_of(const elelem_fragment_parser *parser, elelem_status status)
{
    elelem_error error = elelem_fragment_parser_error(parser);

    if (status == ELELEM_END) return els_error(ELELEM_OK, 0);
    return error.status != ELELEM_OK ? error : els_error(status, elelem_fragment_parser_offset(parser));
}

elelem_value elelem_json_read(elelem_json *json, elelem_str text, const elelem_json_desc *desc)
{
    elelem_json_desc defaults = ELELEM_INIT;
    const elelem_json_desc *d = desc ? desc : &defaults;
    elelem_fragment_parser_desc parser_desc = ELELEM_INIT;
    elelem_fragment_aggregator_desc tree_desc = ELELEM_INIT;
    elelem_fragment_parser parser;

    parser_desc.allocator = tree_desc.allocator = d->allocator;
    parser_desc.max_depth = tree_desc.max_depth = d->max_depth;
    parser_desc.strict_surrogates = d->strict_surrogates;
    parser_desc.single_document = 1;
    tree_desc.max_bytes = d->max_bytes;
    elelem_fragment_parser_init(&parser, &parser_desc);
    elelem_fragment_aggregator_init(&json->els_tree, &tree_desc);
    json->els_error = els_json_error_of(&parser, els_json_read_all(&parser, text, &json->els_tree));
    elelem_fragment_parser_free(&parser);
    if (json->els_error.status != ELELEM_OK) elelem_fragment_aggregator_free(&json->els_tree);
    return elelem_fragment_aggregator_value(&json->els_tree);
}

elelem_error elelem_json_error(const elelem_json *json)
{
    return json->els_error.message ? json->els_error : els_error(ELELEM_ERROR_MISUSE, 0);
}

void elelem_json_free(elelem_json *json)
{
    elelem_fragment_aggregator_free(&json->els_tree);
    memset(json, 0, sizeof *json);
}

/* >> writer */

/* Sinks. */

void elelem_buffer_init(elelem_buffer *buffer, elelem_allocator allocator, size_t max_bytes)
{
    memset(buffer, 0, sizeof *buffer);
    buffer->els_memory.allocator = allocator;
    buffer->els_max = max_bytes ? max_bytes : SIZE_MAX;
}

/* Appends bytes for which there is room. */
ELS_INLINE void els_buffer_put(elelem_buffer *buffer, const void *bytes, size_t size)
{
    if (size > 0) memcpy(buffer->els_memory.data + buffer->els_size, bytes, size);
    buffer->els_size += size;
}

elelem_status elelem_buffer_append(elelem_buffer *buffer, const void *bytes, size_t size)
{
    elelem_status status;

    if (size == 0) return ELELEM_OK;
    if (!bytes || buffer->els_max == 0) return ELELEM_ERROR_MISUSE;
    if (size > buffer->els_max - buffer->els_size) return ELELEM_ERROR_VALUE_SIZE;
    status = els_block_reserve(&buffer->els_memory, els_sum(buffer->els_size, size), buffer->els_max,
                               ELELEM_ERROR_VALUE_SIZE);
    if (status != ELELEM_OK) return status;
    els_buffer_put(buffer, bytes, size);
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_buffer_write(void *context, const void *bytes, size_t size)
{
    return elelem_buffer_append((elelem_buffer *)context, bytes, size);
}

elelem_sink elelem_buffer_sink(elelem_buffer *buffer)
{
    elelem_sink sink;

    sink.write = els_buffer_write;
    sink.context = buffer;
    return sink;
}

elelem_str elelem_buffer_text(const elelem_buffer *buffer)
{
    return els_str(buffer->els_size > 0 ? (const char *)buffer->els_memory.data : "", buffer->els_size);
}

void elelem_buffer_clear(elelem_buffer *buffer)
{
    buffer->els_size = 0;
}

void elelem_buffer_free(elelem_buffer *buffer)
{
    buffer->els_size = 0;
    els_block_free(&buffer->els_memory);
}

ELS_PRIVATE elelem_status els_span_write(void *context, const void *bytes, size_t size)
{
    elelem_span_sink *span = (elelem_span_sink *)context;

    if (size > span->capacity - span->size) return ELELEM_ERROR_VALUE_SIZE;
    if (size > 0) memcpy(span->data + span->size, bytes, size);
    span->size += size;
    return ELELEM_OK;
}

elelem_sink elelem_span_sink_of(elelem_span_sink *span)
{
    elelem_sink sink;

    sink.write = els_span_write;
    sink.context = span;
    return sink;
}

ELS_PRIVATE elelem_status els_sink_put(const elelem_sink *sink, elelem_str text)
{
    if (!sink->write) return ELELEM_ERROR_SINK;
    return text.size > 0 ? sink->write(sink->context, text.data, text.size) : ELELEM_OK;
}

/* Collects what a call writes, so that the sink gets few long pieces instead of many short ones.
   It is empty at the end of each call. */
typedef struct els_buffered_writer {
    elelem_writer *writer;
    size_t size;
    char bytes[256];
} els_buffered_writer;

/* Writes to the sink. Does nothing after an error. */
ELS_PRIVATE void els_buffered_write(els_buffered_writer *out, const void *bytes, size_t size)
{
    elelem_writer *writer = out->writer;

    if (size == 0 || writer->els_status) return;
    if (writer->els_sink.write) {
        elelem_status status = writer->els_sink.write(writer->els_sink.context, bytes, size);
        if (status < 0) writer->els_status = status;
        else writer->els_written += size;
    } else {
        writer->els_status = ELELEM_ERROR_MISUSE; /* init was never called */
    }
}

ELS_INLINE void els_buffered_flush(els_buffered_writer *out)
{
    if (out->size > 0) els_buffered_write(out, out->bytes, out->size);
    out->size = 0;
}

ELS_INLINE void els_buffered_put(els_buffered_writer *out, const void *bytes, size_t size)
{
    if (size > sizeof out->bytes - out->size) els_buffered_flush(out);
    if (size > sizeof out->bytes) {
        els_buffered_write(out, bytes, size);
    } else if (size > 0) {
        memcpy(out->bytes + out->size, bytes, size);
        out->size += size;
    }
}

ELS_INLINE void els_buffered_byte(els_buffered_writer *out, char byte)
{
    if (out->size == sizeof out->bytes) els_buffered_flush(out);
    out->bytes[out->size++] = byte;
}

ELS_INLINE void els_buffered_start(els_buffered_writer *out, elelem_writer *writer)
{
    out->writer = writer;
    out->size = 0;
}

ELS_INLINE elelem_status els_buffered_end(els_buffered_writer *out)
{
    els_buffered_flush(out);
    return (elelem_status)out->writer->els_status;
}

/* Whitespace and commas. */

/* Begins a line, if the output is indented. */
ELS_PRIVATE void els_buffered_line(els_buffered_writer *out)
{
    uint64_t blanks = (uint64_t)out->writer->els_depth * out->writer->els_indent;

    if (out->writer->els_indent == 0) return;
    els_buffered_byte(out, '\n');
    for (; blanks > 0 && !out->writer->els_status; blanks--)
        els_buffered_byte(out, ' ');
}

/* Writes what comes before a key, an element or a value at the top. */
ELS_INLINE void els_buffered_separate(els_buffered_writer *out)
{
    elelem_writer *writer = out->writer;

    if (writer->els_depth == 0) {
        if (writer->els_comma) els_buffered_byte(out, '\n');
    } else {
        if (writer->els_comma) els_buffered_byte(out, ',');
        els_buffered_line(out);
    }
    writer->els_comma = 1;
}

/* Writes what comes before a value; nothing if its key was written. */
ELS_INLINE void els_buffered_value(els_buffered_writer *out)
{
    if (!out->writer->els_after_key) els_buffered_separate(out);
    out->writer->els_after_key = 0;
}

/* Strings. */

ELS_PRIVATE void els_buffered_escape(els_buffered_writer *out, unsigned char byte)
{
    static const char letters[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";
    static const char digits[] = "0123456789abcdef";
    char escape[6] = { '\\', 'u', '0', '0', '0', '0' };

    escape[1] = byte < 0x20 ? letters[byte] : (char)byte;
    escape[4] = digits[byte >> 4];
    escape[5] = digits[byte & 15];
    els_buffered_put(out, escape, escape[1] == 'u' ? 6 : 2);
}

/* Returns the size of the longest start of a character at a byte at which no character is whole; 1 if
   there is none (the Unicode Standard, 3.9, U+FFFD Substitution of Maximal Subparts). */
ELS_PRIVATE size_t els_broken_size(const unsigned char *at, const unsigned char *end)
{
    els_lead lead = els_lead_of(*at);
    size_t size = 1;

    if (lead.more == 0 || end - at < 2 || at[1] < lead.low || at[1] > lead.high) return 1;
    while (size < lead.more && at + size < end && els_is_continuation(at[size]))
        size++;
    return size;
}

ELS_PRIVATE void els_buffered_text(els_buffered_writer *out, elelem_str text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    const unsigned char *end = text.size > 0 ? at + text.size : at;

    while (at < end && !out->writer->els_status) {
        const unsigned char *stop = els_text_plain(at, end);
        els_buffered_put(out, at, (size_t)(stop - at));
        at = stop;
        if (at == end) return;
        if (*at < 0x80) {
            els_buffered_escape(out, *at++);
        } else {
            els_buffered_put(out, "\xef\xbf\xbd", 3);
            at += els_broken_size(at, end);
        }
    }
}

ELS_INLINE void els_buffered_quoted(els_buffered_writer *out, elelem_str text)
{
    els_buffered_byte(out, '"');
    els_buffered_text(out, text);
    els_buffered_byte(out, '"');
}

/* Everything else. */

ELS_PRIVATE void els_buffered_key(els_buffered_writer *out, elelem_str key)
{
    els_buffered_separate(out);
    els_buffered_quoted(out, key);
    els_buffered_byte(out, ':');
    if (out->writer->els_indent > 0) els_buffered_byte(out, ' ');
    out->writer->els_after_key = 1;
}

ELS_PRIVATE void els_buffered_begin(els_buffered_writer *out, unsigned container)
{
    els_buffered_value(out);
    els_buffered_byte(out, container == ELELEM_TYPE_OBJECT ? '{' : '[');
    out->writer->els_depth++;
    out->writer->els_comma = 0;
}

ELS_PRIVATE void els_buffered_finish(els_buffered_writer *out, unsigned container)
{
    elelem_writer *writer = out->writer;

    writer->els_depth--;
    if (writer->els_comma) els_buffered_line(out);
    els_buffered_byte(out, container == ELELEM_TYPE_OBJECT ? '}' : ']');
    writer->els_comma = 1;
    writer->els_after_key = 0;
}

ELS_INLINE void els_buffered_json(els_buffered_writer *out, elelem_str json)
{
    els_buffered_value(out);
    els_buffered_put(out, json.data, json.size);
}

ELS_PRIVATE elelem_status els_writer_json(elelem_writer *writer, const char *json, size_t size)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_json(&out, els_str(json, size));
    return els_buffered_end(&out);
}

/* Writes a value that is not a container and returns zero, or begins a container and returns nonzero. */
ELS_PRIVATE int els_buffered_open(els_buffered_writer *out, elelem_value value)
{
    elelem_type type = elelem_value_type(value);

    if (els_is_container(type)) {
        els_buffered_begin(out, type);
        return 1;
    }
    if (type == ELELEM_TYPE_STRING) {
        els_buffered_value(out);
        els_buffered_quoted(out, elelem_value_text(value));
    } else {
        els_buffered_json(out, type == ELELEM_TYPE_NONE ? elelem_str_of("null") : elelem_value_text(value));
    }
    return 0;
}

/* Returns the value to be written after `at`; no value after `top`. Ends the containers in between. */
ELS_PRIVATE elelem_value els_buffered_leave(els_buffered_writer *out, elelem_value at, elelem_value top)
{
    elelem_value next = ELELEM_INIT;

    while (at.els_node != top.els_node) {
        next = elelem_value_next(at);
        if (next.els_node) break;
        at = elelem_value_parent(at);
        els_buffered_finish(out, elelem_value_type(at));
    }
    return next;
}

ELS_PRIVATE void els_buffered_tree(els_buffered_writer *out, elelem_value top)
{
    elelem_value at = top;

    do {
        elelem_value first = elelem_value_first(at);
        if (at.els_node != top.els_node && elelem_value_type(elelem_value_parent(at)) == ELELEM_TYPE_OBJECT)
            els_buffered_key(out, elelem_value_key(at));
        if (els_buffered_open(out, at) && !first.els_node) els_buffered_finish(out, elelem_value_type(at));
        at = first.els_node ? first : els_buffered_leave(out, at, top);
    } while (at.els_node && !out->writer->els_status);
}

/* Fragments. */

/* Writes the key of a value that begins with a fragment. */
ELS_INLINE void els_buffered_fragment_key(els_buffered_writer *out, const elelem_path *path)
{
    if (out->writer->els_depth > 0 && path->count > 0 && path->segments[path->count - 1].key.data)
        els_buffered_key(out, path->segments[path->count - 1].key);
}

/* Writes the first quote of a string, if it was not written yet. */
ELS_PRIVATE void els_buffered_fragment_quote(els_buffered_writer *out, const elelem_path *path)
{
    if (out->writer->els_in_string) return;
    els_buffered_fragment_key(out, path);
    els_buffered_value(out);
    els_buffered_byte(out, '"');
    out->writer->els_in_string = 1;
}

ELS_PRIVATE void els_buffered_fragment_done(els_buffered_writer *out, const elelem_fragment *fragment)
{
    if (fragment->type == ELELEM_TYPE_STRING) {
        els_buffered_fragment_quote(out, fragment->path);
        els_buffered_byte(out, '"');
        out->writer->els_in_string = 0;
    } else if (els_is_container(fragment->type)) {
        els_buffered_finish(out, fragment->type);
    }
}

ELS_PRIVATE void els_buffered_fragment(els_buffered_writer *out, const elelem_fragment *fragment)
{
    switch (fragment->kind) {
    case ELELEM_FRAGMENT_STRING:
        els_buffered_fragment_quote(out, fragment->path);
        els_buffered_text(out, fragment->text);
        break;
    case ELELEM_FRAGMENT_BEGIN:
        els_buffered_fragment_key(out, fragment->path);
        els_buffered_begin(out, fragment->type);
        break;
    case ELELEM_FRAGMENT_SCALAR:
        els_buffered_fragment_key(out, fragment->path);
        els_buffered_json(out, fragment->text);
        break;
    default: els_buffered_fragment_done(out, fragment); break;
    }
}

ELS_PRIVATE int els_writer_takes(const elelem_writer *writer, const elelem_fragment *fragment)
{
    if (fragment->kind == ELELEM_FRAGMENT_BEGIN) return els_is_container(fragment->type);
    return fragment->kind != ELELEM_FRAGMENT_DONE || !els_is_container(fragment->type) || writer->els_depth > 0;
}

void elelem_writer_init(elelem_writer *writer, elelem_sink sink, unsigned indent)
{
    memset(writer, 0, sizeof *writer);
    writer->els_sink = sink;
    writer->els_status = sink.write ? ELELEM_OK : ELELEM_ERROR_SINK;
    writer->els_indent = (uint8_t)(indent < UINT8_MAX ? indent : UINT8_MAX);
}

elelem_status elelem_writer_begin(elelem_writer *writer, elelem_type container)
{
    els_buffered_writer out;

    if (writer->els_status) return (elelem_status)writer->els_status;
    if (!els_is_container(container)) return ELELEM_ERROR_MISUSE;
    els_buffered_start(&out, writer);
    els_buffered_begin(&out, container);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_end(elelem_writer *writer, elelem_type container)
{
    els_buffered_writer out;

    if (writer->els_status) return (elelem_status)writer->els_status;
    if (!els_is_container(container) || writer->els_depth == 0) return ELELEM_ERROR_MISUSE;
    els_buffered_start(&out, writer);
    els_buffered_finish(&out, container);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_key(elelem_writer *writer, elelem_str key)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_key(&out, key);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_string(elelem_writer *writer, elelem_str text)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_value(&out);
    els_buffered_quoted(&out, text);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_null(elelem_writer *writer)
{
    return els_writer_json(writer, "null", 4);
}

elelem_status elelem_writer_bool(elelem_writer *writer, int boolean)
{
    return boolean ? els_writer_json(writer, "true", 4) : els_writer_json(writer, "false", 5);
}

/* Writes the digits of a number, after a minus if it is negative, to the end of 24 bytes. Returns their start. */
ELS_PRIVATE const char *els_digits(char bytes[24], uint64_t number, int is_negative)
{
    char *at = bytes + 24;

    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    if (is_negative) *--at = '-';
    return at;
}

elelem_status elelem_writer_int64(elelem_writer *writer, int64_t number)
{
    char bytes[24];
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    const char *digits = els_digits(bytes, size, number < 0);

    return els_writer_json(writer, digits, (size_t)(bytes + sizeof bytes - digits));
}

elelem_status elelem_writer_uint64(elelem_writer *writer, uint64_t number)
{
    char bytes[24];
    const char *digits = els_digits(bytes, number, 0);

    return els_writer_json(writer, digits, (size_t)(bytes + sizeof bytes - digits));
}

elelem_status elelem_writer_json(elelem_writer *writer, elelem_str json)
{
    return els_writer_json(writer, json.data, json.size);
}

elelem_status elelem_writer_string_begin(elelem_writer *writer)
{
    return els_writer_json(writer, "\"", 1);
}

elelem_status elelem_writer_string_piece(elelem_writer *writer, elelem_str text)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_text(&out, text);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_string_end(elelem_writer *writer)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_byte(&out, '"');
    return els_buffered_end(&out);
}

elelem_status elelem_writer_value(elelem_writer *writer, elelem_value value)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_tree(&out, value);
    return els_buffered_end(&out);
}

elelem_status elelem_writer_fragment(elelem_writer *writer, const elelem_fragment *fragment)
{
    els_buffered_writer out;

    if (writer->els_status) return (elelem_status)writer->els_status;
    if (!els_writer_takes(writer, fragment)) return ELELEM_ERROR_MISUSE;
    els_buffered_start(&out, writer);
    els_buffered_fragment(&out, fragment);
    return els_buffered_end(&out);
}

ELS_PRIVATE elelem_status els_writer_status(const elelem_writer *writer)
{
    return (elelem_status)writer->els_status;
}

elelem_error elelem_writer_error(const elelem_writer *writer)
{
    return els_error((elelem_status)writer->els_status, writer->els_status ? writer->els_written : 0);
}

/* Members: a key and its value. */

ELS_PRIVATE void els_put_text(elelem_writer *writer, const char *key, elelem_str text)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string(writer, text);
}

ELS_PRIVATE void els_put_json(elelem_writer *writer, const char *key, elelem_str json)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_json(writer, json);
}

ELS_PRIVATE void els_put_number(elelem_writer *writer, const char *key, int64_t number)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_int64(writer, number);
}

ELS_PRIVATE void els_put_value(elelem_writer *writer, const char *key, elelem_value value)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_value(writer, value);
}

/* >> passage */

typedef enum els_passage_state {
    ELS_PASSAGE_OUTSIDE, /* no value that may pass is open */
    ELS_PASSAGE_OPEN,    /* one is, and its type is not known: it is stored and held back at once */
    ELS_PASSAGE_KEPT,    /* it does not pass */
    ELS_PASSAGE_PASSES
} els_passage_state;

/* What is held back at most while a type is not known, and what is passed on at a time. */
#define ELS_PASSAGE_HELD 4096u
#define ELS_PASSAGE_PIECE 512u

ELS_PRIVATE int els_passage_is_among(elelem_str word, const char *const *words)
{
    for (; words && *words; words++)
        if (elelem_str_is(word, *words)) return 1;
    return 0;
}

/* Returns the rule for values that the fragment begins; rule_count if there is none. */
ELS_PRIVATE uint32_t els_passage_rule_of(const els_passage *p, const elelem_fragment *fragment)
{
    uint32_t i = 0;

    if (fragment->kind != ELELEM_FRAGMENT_BEGIN || fragment->type != ELELEM_TYPE_OBJECT) return p->rule_count;
    while (i < p->rule_count && p->rules[i].row != fragment->pattern)
        i++;
    return i;
}

ELS_PRIVATE void els_passage_begin(els_passage *p, uint32_t rule, const elelem_fragment *fragment)
{
    p->rule = rule;
    p->depth = (uint32_t)fragment->path->count;
    p->state = ELS_PASSAGE_OPEN;
    p->type_size = 0;
    p->is_last = 0;
    elelem_buffer_clear(&p->text);
    elelem_writer_init(&p->writer, elelem_buffer_sink(&p->text), 0);
}

ELS_PRIVATE int els_passage_keep(els_passage *p)
{
    p->state = ELS_PASSAGE_KEPT;
    elelem_buffer_clear(&p->text);
    return 0;
}

/* Adds to the type, which may come in pieces. */
ELS_PRIVATE void els_passage_add_type(els_passage *p, elelem_str text)
{
    size_t room = sizeof p->type - p->type_size;

    if (text.size > room) text.size = els_whole_characters((const unsigned char *)text.data, room);
    if (text.size > 0) memcpy(p->type + p->type_size, text.data, text.size);
    p->type_size += (uint32_t)text.size;
}

ELS_PRIVATE elelem_str els_passage_type(const els_passage *p)
{
    return els_str(p->type, p->type_size);
}

/* Nonzero if the fragment makes the type of the value known. */
ELS_PRIVATE int els_passage_finds_type(els_passage *p, const elelem_fragment *fragment)
{
    const elelem_passage_rule *rule = &p->rules[p->rule];
    elelem_str key;

    if (fragment->path->count != p->depth + 1) return 0;
    key = fragment->path->segments[p->depth].key;
    if (!rule->type_key) {
        if (els_passage_is_among(key, rule->ignored)) return 0;
        els_passage_add_type(p, key);
        return 1;
    }
    if (fragment->type != ELELEM_TYPE_STRING || !elelem_str_is(key, rule->type_key)) return 0;
    if (fragment->kind == ELELEM_FRAGMENT_STRING) els_passage_add_type(p, fragment->text);
    return fragment->kind == ELELEM_FRAGMENT_DONE;
}

/* Nonzero if the fragment ends the value at hand. */
ELS_PRIVATE int els_passage_is_end(const els_passage *p, const elelem_fragment *fragment)
{
    return fragment->kind == ELELEM_FRAGMENT_DONE && fragment->path->count == p->depth;
}

/* Holds the fragment of a value back whose type is not known. */
ELS_PRIVATE int els_passage_hold(els_passage *p, const elelem_fragment *fragment)
{
    int is_known = els_passage_finds_type(p, fragment);

    if (els_passage_is_end(p, fragment) || (is_known && els_passage_is_among(els_passage_type(p), p->rules[p->rule].kept)) ||
        elelem_buffer_text(&p->text).size + fragment->text.size > ELS_PASSAGE_HELD)
        return els_passage_keep(p);
    elelem_writer_fragment(&p->writer, fragment);
    if (is_known) p->state = ELS_PASSAGE_PASSES;
    return 0;
}

/* Takes a fragment of the document. Nonzero if it is not to be stored. Then, or if the type became known, there are pieces. */
ELS_PRIVATE int els_passage_take(els_passage *p, const elelem_fragment *fragment)
{
    if (p->state == ELS_PASSAGE_OUTSIDE) {
        uint32_t rule = els_passage_rule_of(p, fragment);
        if (rule == p->rule_count) return 0;
        els_passage_begin(p, rule, fragment);
    }
    if (p->state == ELS_PASSAGE_OPEN) return els_passage_hold(p, fragment);
    if (p->state == ELS_PASSAGE_PASSES) {
        p->fragment = *fragment;
        p->has_fragment = 1;
        p->text_at = 0;
        return 1;
    }
    if (els_passage_is_end(p, fragment)) p->state = ELS_PASSAGE_OUTSIDE;
    return 0;
}

/* Writes the next part of the fragment at hand. */
ELS_PRIVATE void els_passage_write(els_passage *p)
{
    elelem_fragment part = p->fragment;
    const char *text = part.text.data ? part.text.data + p->text_at : NULL;
    size_t left = part.text.size - p->text_at;

    if (left > ELS_PASSAGE_PIECE && part.kind == ELELEM_FRAGMENT_STRING)
        left = els_whole_characters((const unsigned char *)text, ELS_PASSAGE_PIECE);
    part.text = els_str(text, left);
    p->text_at += left;
    elelem_writer_fragment(&p->writer, &part);
    if (p->text_at < p->fragment.text.size) return;
    p->has_fragment = 0;
    p->is_last = (uint8_t)els_passage_is_end(p, &part);
}

/* Sets `*piece` to the next piece of a value that passes, valid until the next call; `is_last` says whether the value ends
   with it. Returns 0 if there is none yet. Pieces are small, but no smaller than they must be. */
ELS_PRIVATE int els_passage_piece(els_passage *p, elelem_str *piece)
{
    if (p->state != ELS_PASSAGE_PASSES) return 0;
    if (p->is_given) elelem_buffer_clear(&p->text);
    p->is_given = 0;
    if (p->is_last) {
        p->state = ELS_PASSAGE_OUTSIDE;
        return 0;
    }
    while (p->has_fragment && elelem_buffer_text(&p->text).size < ELS_PASSAGE_PIECE)
        els_passage_write(p);
    if (els_writer_status(&p->writer) < 0 || (!p->is_last && elelem_buffer_text(&p->text).size < ELS_PASSAGE_PIECE)) return 0;
    *piece = elelem_buffer_text(&p->text);
    p->is_given = 1;
    return 1;
}

/* OK, or why a piece could not be written. */
ELS_PRIVATE elelem_status els_passage_status(const els_passage *p)
{
    return p->state == ELS_PASSAGE_PASSES ? els_writer_status(&p->writer) : ELELEM_OK;
}

/* Forgets the value at hand. */
ELS_PRIVATE void els_passage_start(els_passage *p)
{
    p->state = ELS_PASSAGE_OUTSIDE;
    p->has_fragment = 0;
    p->is_given = 0;
    p->is_last = 0;
}

ELS_PRIVATE void els_passage_init(els_passage *p, elelem_allocator allocator)
{
    memset(p, 0, sizeof *p);
    elelem_buffer_init(&p->text, allocator, 0);
}

ELS_PRIVATE void els_passage_free(els_passage *p)
{
    elelem_buffer_free(&p->text);
}

/* >> sse */

/* What the decoder waits for. */
typedef enum els_sse_state {
    ELS_SSE_LINE,     /* the first byte of a line */
    ELS_SSE_AFTER_CR, /* the same, but an LF here still belongs to the CR */
    ELS_SSE_NAME,     /* more of a field's name, or the byte after it */
    ELS_SSE_SPACE,    /* the one space that may follow the colon */
    ELS_SSE_VALUE,    /* more of the field's value, or the line's end */
    ELS_SSE_TEXT,     /* more of a line that is no field and is returned */
    ELS_SSE_SKIP,     /* the end of a line that is ignored */
    ELS_SSE_ENDED     /* nothing */
} els_sse_state;

/* What a line can begin with. The first byte identifies a name, because no two begin with the same
   byte. A byte order mark is one only at the start of the body. */
typedef enum els_sse_field {
    ELS_SSE_DATA,
    ELS_SSE_EVENT,
    ELS_SSE_ID,
    ELS_SSE_RETRY,
    ELS_SSE_BOM,
    ELS_SSE_FIELDS
} els_sse_field;

/* What the body ended in. */
typedef enum els_sse_stop {
    ELS_SSE_STOP_BETWEEN, /* between events, or not yet. A retry does not begin an event: it takes effect at once */
    ELS_SSE_STOP_EVENT,   /* after a line of an event */
    ELS_SSE_STOP_NAME,    /* in a line that might have become a field */
    ELS_SSE_STOP_DATA,    /* in the value of a data field */
    ELS_SSE_STOP_LINE     /* in another line */
} els_sse_stop;

typedef struct els_sse_name {
    const char *text;
    uint8_t size;
} els_sse_name;

static const els_sse_name els_sse_names[ELS_SSE_FIELDS] = {
    {"data", 4}, {"event", 5}, {"id", 2}, {"retry", 5}, {"\xEF\xBB\xBF", 3}
};

#define ELS_SSE_SLOTS 4
#define ELS_SSE_NAME_MAX ((size_t)1 << 28) /* four times this fits a size of 32 bits */

/* Line ends. */

ELS_INLINE int els_is_line_end(unsigned char byte)
{
    return byte == '\n' || byte == '\r';
}

/* Nonzero if one of eight bytes is below 0x0E. CR and LF are, and few other bytes of a text. */
ELS_INLINE uint64_t els_word_has_low(const unsigned char *at)
{
    const uint64_t ones = ~(uint64_t)0 / 255;
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return (word - ones * 0x0E) & ~word & ones * 0x80;
}

/* Returns the first CR or LF, or the end. */
ELS_PRIVATE const unsigned char *els_line_end(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *stop;

    while (end - at >= 16) {
        if (!(els_word_has_low(at) | els_word_has_low(at + 8))) {
            at += 16;
            continue;
        }
        for (stop = at + 16; at < stop; at++)
            if (els_is_line_end(*at)) return at;
    }
    while (at < end && !els_is_line_end(*at))
        at++;
    return at;
}

ELS_INLINE void els_sse_take_line_end(elelem_sse_decoder *decoder, els_cursor *in)
{
    decoder->els_state = *in->at == '\r' ? ELS_SSE_AFTER_CR : ELS_SSE_LINE;
    in->at++;
}

/* Names and ids. They are stored in four slots of the same size: the last id of the stream, the id
   that becomes the last one at the next blank line, the event's name, and the value that is being
   read. When a value is whole only the numbers of the slots change; no bytes are moved. */

ELS_PRIVATE elelem_str els_sse_text(const elelem_sse_decoder *decoder, uint8_t slot)
{
    if (slot == 0) return els_str("", 0);
    return els_str(decoder->els_texts.data + (size_t)(slot - 1) * decoder->els_stride, decoder->els_sizes[slot - 1]);
}

ELS_PRIVATE void els_sse_open_value(elelem_sse_decoder *decoder)
{
    uint8_t slot = 1;

    while (slot == decoder->els_last_id || slot == decoder->els_id || slot == decoder->els_event)
        slot++;
    decoder->els_value = slot;
    decoder->els_sizes[slot - 1] = 0;
}

/* Makes room for `size` bytes in each slot. */
ELS_PRIVATE elelem_status els_sse_widen(elelem_sse_decoder *decoder, size_t size)
{
    size_t before = decoder->els_stride;
    size_t limit = els_product(decoder->els_name_limit, ELS_SSE_SLOTS);
    size_t slot;
    size_t stride;
    elelem_status status;

    if (size <= before) return ELELEM_OK;
    status = els_block_reserve(&decoder->els_texts, els_product(size, ELS_SSE_SLOTS), limit, ELELEM_ERROR_LINE_SIZE);
    if (status != ELELEM_OK) return status;
    stride = decoder->els_texts.capacity / ELS_SSE_SLOTS;
    for (slot = ELS_SSE_SLOTS - 1; slot > 0; slot--)
        memmove(decoder->els_texts.data + slot * stride, decoder->els_texts.data + slot * before, before);
    decoder->els_stride = (uint32_t)stride;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_sse_keep(elelem_sse_decoder *decoder, const unsigned char *bytes, size_t size)
{
    size_t slot = (size_t)decoder->els_value - 1;
    size_t have = decoder->els_sizes[slot];
    elelem_status status = els_sse_widen(decoder, els_sum(have, size));

    if (status != ELELEM_OK || size == 0) return status;
    memcpy(decoder->els_texts.data + slot * decoder->els_stride + have, bytes, size);
    decoder->els_sizes[slot] = (uint32_t)(have + size);
    return ELELEM_OK;
}

/* Frames. */

ELS_INLINE elelem_status els_sse_give(elelem_frame *frame, elelem_frame_kind kind, const void *text, size_t size)
{
    frame->kind = (uint8_t)kind;
    frame->line_end = 0;
    frame->text = els_str(text, size);
    frame->event = els_str("", 0);
    frame->id = els_str("", 0);
    frame->retry_ms = -1;
    return ELELEM_OK;
}

/* Returns the end of an event and prepares for the next one. */
ELS_PRIVATE elelem_status els_sse_give_end(elelem_sse_decoder *decoder, elelem_frame *frame, elelem_frame_kind kind)
{
    els_sse_give(frame, kind, "", 0);
    frame->event = els_sse_text(decoder, decoder->els_event);
    frame->id = els_sse_text(decoder, decoder->els_last_id);
    frame->retry_ms = decoder->els_retry;
    decoder->els_event = 0;
    decoder->els_has_data = 0;
    decoder->els_data_size = 0;
    decoder->els_inside = 0;
    return ELELEM_OK;
}

/* Ends an event at a blank line. The id takes effect in any case, the rest only if there was data. */
ELS_PRIVATE elelem_status els_sse_blank(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    decoder->els_last_id = decoder->els_id;
    if (decoder->els_has_data) return els_sse_give_end(decoder, frame, ELELEM_FRAME_DISPATCH);
    decoder->els_event = 0;
    decoder->els_inside = 0;
    return ELS_AGAIN;
}

/* Begins a line of data. If it is not the event's first, an LF is added to the data before it. */
ELS_PRIVATE elelem_status els_sse_open_data(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    if (!decoder->els_has_data) {
        decoder->els_has_data = 1;
        return ELS_AGAIN;
    }
    if (decoder->els_data_size == decoder->els_data_limit) return ELELEM_ERROR_FRAME_SIZE;
    decoder->els_data_size++;
    return els_sse_give(frame, ELELEM_FRAME_DATA, "\n", 1);
}

/* The steps: each reads bytes for one state. */

/* Returns the field that may begin with this byte, or ELS_SSE_FIELDS. */
ELS_PRIVATE els_sse_field els_sse_field_of(const elelem_sse_decoder *decoder, unsigned char byte)
{
    switch (byte) {
    case 'd': return ELS_SSE_DATA;
    case 'e': return ELS_SSE_EVENT;
    case 'i': return ELS_SSE_ID;
    case 'r': return ELS_SSE_RETRY;
    case 0xEF: return decoder->els_begun ? ELS_SSE_FIELDS : ELS_SSE_BOM;
    default: return ELS_SSE_FIELDS;
    }
}

ELS_PRIVATE elelem_status els_sse_line(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    els_sse_field field = els_sse_field_of(decoder, *in->at);

    decoder->els_begun = 1;
    if (els_is_line_end(*in->at)) {
        els_sse_take_line_end(decoder, in);
        return els_sse_blank(decoder, frame);
    }
    if (field != ELS_SSE_FIELDS) {
        decoder->els_field = (uint8_t)field;
        decoder->els_matched = 0;
        decoder->els_state = ELS_SSE_NAME;
    } else if (*in->at != ':' && decoder->els_lines) {
        decoder->els_state = ELS_SSE_TEXT;
    } else {
        decoder->els_state = ELS_SSE_SKIP;
    }
    return ELS_AGAIN;
}

/* Treats the line as no field. Its text so far is the matched part of a name. */
ELS_PRIVATE elelem_status els_sse_no_field(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    if (!decoder->els_lines) {
        decoder->els_state = ELS_SSE_SKIP;
        return ELS_AGAIN;
    }
    decoder->els_state = ELS_SSE_TEXT;
    return els_sse_give(frame, ELELEM_FRAME_LINE, els_sse_names[decoder->els_field].text, decoder->els_matched);
}

ELS_PRIVATE elelem_status els_sse_open_field(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    if (decoder->els_field != ELS_SSE_RETRY) decoder->els_inside = 2;
    else if (decoder->els_inside == 0) decoder->els_inside = 1;
    switch (decoder->els_field) {
    case ELS_SSE_DATA: return els_sse_open_data(decoder, frame);
    case ELS_SSE_RETRY: decoder->els_number = -1; break;
    default: els_sse_open_value(decoder); break;
    }
    return ELS_AGAIN;
}

/* Reads the byte after a name. If it is a line end, the value is empty. */
ELS_PRIVATE elelem_status els_sse_after_name(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    elelem_status status;

    if (*in->at != ':' && !els_is_line_end(*in->at)) return els_sse_no_field(decoder, frame);
    status = els_sse_open_field(decoder, frame);
    if (status < 0) return status;
    decoder->els_state = *in->at == ':' ? ELS_SSE_SPACE : ELS_SSE_VALUE;
    if (*in->at == ':') in->at++;
    return status;
}

ELS_PRIVATE elelem_status els_sse_name_more(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    els_sse_name name = els_sse_names[decoder->els_field];

    while (decoder->els_matched < name.size && in->at < in->end) {
        if (*in->at != (unsigned char)name.text[decoder->els_matched]) return els_sse_no_field(decoder, frame);
        decoder->els_matched++;
        in->at++;
    }
    if (decoder->els_matched < name.size) return ELS_AGAIN;
    if (decoder->els_field == ELS_SSE_BOM) {
        decoder->els_state = ELS_SSE_LINE;
        return ELS_AGAIN;
    }
    return in->at < in->end ? els_sse_after_name(decoder, in, frame) : ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_data(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    const unsigned char *at = in->at;
    size_t size = (size_t)(els_line_end(at, in->end) - at);
    uint64_t room = decoder->els_data_limit - decoder->els_data_size;

    if (size > room) {
        if (room == 0) return ELELEM_ERROR_FRAME_SIZE;
        size = (size_t)room;
        in->at += size;
    } else {
        in->at += size;
        if (in->at < in->end) els_sse_take_line_end(decoder, in);
        if (size == 0) return ELS_AGAIN;
    }
    decoder->els_data_size += size;
    return els_sse_give(frame, ELELEM_FRAME_DATA, at, size);
}

ELS_PRIVATE void els_sse_close_value(elelem_sse_decoder *decoder)
{
    uint8_t slot = decoder->els_sizes[decoder->els_value - 1] > 0 ? decoder->els_value : 0;

    if (decoder->els_field == ELS_SSE_EVENT) decoder->els_event = slot;
    else decoder->els_id = slot;
}

/* Reads the value of `event` or `id`. An id with a zero byte is ignored. */
ELS_PRIVATE elelem_status els_sse_name_or_id(elelem_sse_decoder *decoder, els_cursor *in)
{
    size_t size = (size_t)(els_line_end(in->at, in->end) - in->at);
    size_t room = decoder->els_name_limit - decoder->els_sizes[decoder->els_value - 1];
    size_t fits = size < room ? size : room;
    elelem_status status;

    if (decoder->els_field == ELS_SSE_ID && fits > 0 && memchr(in->at, 0, fits)) {
        decoder->els_state = ELS_SSE_SKIP;
        return ELS_AGAIN;
    }
    if (size > room) {
        in->at += room;
        return ELELEM_ERROR_LINE_SIZE;
    }
    status = els_sse_keep(decoder, in->at, size);
    if (status != ELELEM_OK) return status;
    in->at += size;
    if (in->at == in->end) return ELS_AGAIN;
    els_sse_close_value(decoder);
    els_sse_take_line_end(decoder, in);
    return ELS_AGAIN;
}

/* Appends a digit to a number; INT64_MAX if the result does not fit. */
ELS_PRIVATE int64_t els_sse_digit(int64_t number, unsigned char byte)
{
    int64_t digit = byte - '0';

    if (number < 0) return digit;
    return number > (INT64_MAX - digit) / 10 ? INT64_MAX : number * 10 + digit;
}

/* Reads the value of `retry`. It is ignored if it is empty or has any byte that is not a digit. */
ELS_PRIVATE elelem_status els_sse_retry(elelem_sse_decoder *decoder, els_cursor *in)
{
    for (; in->at < in->end; in->at++) {
        if (els_is_line_end(*in->at)) {
            if (decoder->els_number >= 0) decoder->els_retry = decoder->els_number;
            els_sse_take_line_end(decoder, in);
            return ELS_AGAIN;
        }
        if (*in->at < '0' || *in->at > '9') {
            decoder->els_state = ELS_SSE_SKIP;
            return ELS_AGAIN;
        }
        decoder->els_number = els_sse_digit(decoder->els_number, *in->at);
    }
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_value(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    switch (decoder->els_field) {
    case ELS_SSE_DATA: return els_sse_data(decoder, in, frame);
    case ELS_SSE_RETRY: return els_sse_retry(decoder, in);
    default: return els_sse_name_or_id(decoder, in);
    }
}

ELS_PRIVATE elelem_status els_sse_space(elelem_sse_decoder *decoder, els_cursor *in)
{
    if (*in->at == ' ') in->at++;
    decoder->els_state = ELS_SSE_VALUE;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_after_cr(elelem_sse_decoder *decoder, els_cursor *in)
{
    if (*in->at == '\n') in->at++;
    decoder->els_state = ELS_SSE_LINE;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_text_line(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    const unsigned char *at = in->at;

    in->at = els_line_end(at, in->end);
    els_sse_give(frame, ELELEM_FRAME_LINE, at, (size_t)(in->at - at));
    if (in->at < in->end) {
        frame->line_end = 1;
        els_sse_take_line_end(decoder, in);
    }
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_sse_skip(elelem_sse_decoder *decoder, els_cursor *in)
{
    in->at = els_line_end(in->at, in->end);
    if (in->at < in->end) els_sse_take_line_end(decoder, in);
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_step(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    switch (decoder->els_state) {
    case ELS_SSE_LINE: return els_sse_line(decoder, in, frame);
    case ELS_SSE_AFTER_CR: return els_sse_after_cr(decoder, in);
    case ELS_SSE_NAME: return els_sse_name_more(decoder, in, frame);
    case ELS_SSE_SPACE: return els_sse_space(decoder, in);
    case ELS_SSE_VALUE: return els_sse_value(decoder, in, frame);
    case ELS_SSE_TEXT: return els_sse_text_line(decoder, in, frame);
    default: return els_sse_skip(decoder, in);
    }
}

/* The end of the body. If the last line has no line end, it is complete if it is no field; a field
   was cut. */

ELS_PRIVATE els_sse_stop els_sse_stop_of(const elelem_sse_decoder *decoder)
{
    switch (decoder->els_state) {
    case ELS_SSE_LINE:
    case ELS_SSE_AFTER_CR: return decoder->els_inside > 1 ? ELS_SSE_STOP_EVENT : ELS_SSE_STOP_BETWEEN;
    case ELS_SSE_ENDED: return ELS_SSE_STOP_BETWEEN;
    case ELS_SSE_NAME: return ELS_SSE_STOP_NAME;
    case ELS_SSE_SPACE:
    case ELS_SSE_VALUE: return decoder->els_field == ELS_SSE_DATA ? ELS_SSE_STOP_DATA : ELS_SSE_STOP_LINE;
    default: return ELS_SSE_STOP_LINE;
    }
}

ELS_PRIVATE elelem_status els_sse_close_line(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    size_t matched = decoder->els_state == ELS_SSE_NAME ? decoder->els_matched : 0;

    els_sse_give(frame, ELELEM_FRAME_LINE, els_sse_names[decoder->els_field].text, matched);
    frame->line_end = 1;
    decoder->els_state = ELS_SSE_LINE;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_sse_close(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    if (decoder->els_stopped == ELS_SSE_STOP_BETWEEN) decoder->els_stopped = (uint8_t)els_sse_stop_of(decoder);
    if (decoder->els_state == ELS_SSE_TEXT) return els_sse_close_line(decoder, frame);
    if (decoder->els_state == ELS_SSE_NAME) {
        int whole = decoder->els_matched == els_sse_names[decoder->els_field].size;
        if (whole) decoder->els_inside = 1;
        else if (decoder->els_lines) return els_sse_close_line(decoder, frame);
    }
    decoder->els_state = ELS_SSE_ENDED;
    if (decoder->els_inside) return els_sse_give_end(decoder, frame, ELELEM_FRAME_DISCARD);
    return ELELEM_END;
}

/* Reads the next frame from a cursor; MORE if no bytes are left. Only after MORE may els_sse_close
   be called, if the body ends there. */
ELS_PRIVATE elelem_status els_sse_next(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    const unsigned char *start = in->at;
    elelem_status status = ELS_AGAIN;

    if (decoder->els_status != ELELEM_OK) return (elelem_status)decoder->els_status;
    while (status == ELS_AGAIN && in->at < in->end)
        status = els_sse_step(decoder, in, frame);
    decoder->els_offset += (uint64_t)(in->at - start);
    if (status < 0) decoder->els_status = status;
    return status == ELS_AGAIN ? ELELEM_MORE : status;
}

/* The decoder. */

ELS_PRIVATE void els_sse_start(elelem_sse_decoder *decoder)
{
    els_input_start(&decoder->els_lent, 0);
    decoder->els_offset = 0;
    decoder->els_data_size = 0;
    decoder->els_retry = -1;
    decoder->els_status = ELELEM_OK;
    decoder->els_state = ELS_SSE_LINE;
    decoder->els_last_id = 0;
    decoder->els_id = 0;
    decoder->els_event = 0;
    decoder->els_begun = 0;
    decoder->els_inside = 0;
    decoder->els_has_data = 0;
    decoder->els_stopped = ELS_SSE_STOP_BETWEEN;
}

void elelem_sse_decoder_init(elelem_sse_decoder *decoder, const elelem_sse_decoder_desc *desc)
{
    elelem_sse_decoder_desc defaults = ELELEM_INIT;
    size_t name;

    if (!desc) desc = &defaults;
    name = desc->max_name_bytes;
    memset(decoder, 0, sizeof *decoder);
    decoder->els_texts.allocator = desc->allocator;
    decoder->els_name_limit = (uint32_t)(name == 0 ? 4096 : name > ELS_SSE_NAME_MAX ? ELS_SSE_NAME_MAX : name);
    decoder->els_data_limit = desc->max_data_bytes > 0 ? desc->max_data_bytes : UINT64_MAX;
    decoder->els_lines = desc->lines;
    els_sse_start(decoder);
}

elelem_status elelem_sse_decoder_push(elelem_sse_decoder *decoder, const void *bytes, size_t size)
{
    if (decoder->els_status != ELELEM_OK) return (elelem_status)decoder->els_status;
    return els_input_push(&decoder->els_lent, bytes, size);
}

elelem_status elelem_sse_decoder_next(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    elelem_status status = els_sse_next(decoder, &decoder->els_lent.bytes, frame);

    if (status != ELELEM_MORE) return status;
    if (decoder->els_lent.finished) return els_sse_close(decoder, frame);
    status = els_input_more(&decoder->els_lent);
    if (status < 0) decoder->els_status = status;
    return status;
}

void elelem_sse_decoder_finish(elelem_sse_decoder *decoder)
{
    els_input_finish(&decoder->els_lent);
}

elelem_str elelem_sse_decoder_last_id(const elelem_sse_decoder *decoder)
{
    return els_sse_text(decoder, decoder->els_last_id);
}

int64_t elelem_sse_decoder_retry_ms(const elelem_sse_decoder *decoder)
{
    return decoder->els_retry;
}

elelem_error elelem_sse_decoder_error(const elelem_sse_decoder *decoder)
{
    return els_input_error(&decoder->els_lent, (elelem_status)decoder->els_status, decoder->els_offset);
}

void elelem_sse_decoder_reset(elelem_sse_decoder *decoder)
{
    if (decoder->els_lent.state != ELS_INPUT_NONE) els_sse_start(decoder);
}

void elelem_sse_decoder_free(elelem_sse_decoder *decoder)
{
    els_block_free(&decoder->els_texts);
    memset(decoder, 0, sizeof *decoder);
}

/* Writing. */

ELS_PRIVATE int els_sse_has(elelem_str text, char byte)
{
    return text.size > 0 && memchr(text.data, byte, text.size) != NULL;
}

ELS_PRIVATE int els_sse_has_line_end(elelem_str text)
{
    return els_sse_has(text, '\n') || els_sse_has(text, '\r');
}

ELS_PRIVATE elelem_status els_sse_put_field(const elelem_sink *sink, const char *name, elelem_str value)
{
    elelem_status status = els_sink_put(sink, elelem_str_of(name));

    if (status == ELELEM_OK) status = els_sink_put(sink, value);
    return status == ELELEM_OK ? els_sink_put(sink, els_str("\n", 1)) : status;
}

/* Writes one data line for each line of the data. */
ELS_PRIVATE elelem_status els_sse_put_data(const elelem_sink *sink, elelem_str data)
{
    const char *at = data.size > 0 ? data.data : "";
    const char *end = at + data.size;

    for (;;) {
        const char *start = at;
        elelem_status status;
        while (at < end && *at != '\n' && *at != '\r')
            at++;
        status = els_sse_put_field(sink, "data: ", els_str(start, (size_t)(at - start)));
        if (status != ELELEM_OK || at == end) return status;
        at += *at == '\r' && end - at > 1 && at[1] == '\n' ? 2 : 1;
    }
}

elelem_status elelem_sse_write_event(elelem_sink sink, elelem_str name, elelem_str id, elelem_str data)
{
    elelem_status status = ELELEM_OK;

    if (els_sse_has_line_end(name) || els_sse_has_line_end(id) || els_sse_has(id, '\0'))
        return ELELEM_ERROR_MISUSE;
    if (name.size > 0) status = els_sse_put_field(&sink, "event: ", name);
    if (status == ELELEM_OK && id.size > 0) status = els_sse_put_field(&sink, "id: ", id);
    if (status == ELELEM_OK) status = els_sse_put_data(&sink, data);
    return status == ELELEM_OK ? els_sink_put(&sink, els_str("\n", 1)) : status;
}

/* >> event */

/* Sets all counts to unknown. */
ELS_PRIVATE void els_usage_unknown(elelem_usage *usage)
{
    usage->input = usage->output = usage->cached = usage->reasoning = usage->cache_written = -1;
}

elelem_str elelem_metadata_get(const elelem_metadata *metadata, const char *key)
{
    size_t i;

    for (i = metadata->count; i > 0; i--)
        if (elelem_str_is(metadata->entries[i - 1].key, key)) return metadata->entries[i - 1].json;
    return els_str(NULL, 0);
}

const char *elelem_finish_reason_name(int reason)
{
    switch (reason) {
#define ELS_FINISH_NAME(name, text) \
    case ELELEM_FINISH_##name: return text;
        ELELEM_FINISH_REASON_LIST(ELS_FINISH_NAME)
#undef ELS_FINISH_NAME
    default: return "other";
    }
}

const char *elelem_error_kind_name(int kind)
{
    switch (kind) {
#define ELS_KIND_NAME(name, text, retryable) \
    case ELELEM_ERROR_KIND_##name: return text;
        ELELEM_ERROR_KIND_LIST(ELS_KIND_NAME)
#undef ELS_KIND_NAME
    default: return "other";
    }
}

int elelem_error_kind_is_retryable(int kind)
{
    switch (kind) {
#define ELS_KIND_RETRYABLE(name, text, retryable) \
    case ELELEM_ERROR_KIND_##name: return retryable;
        ELELEM_ERROR_KIND_LIST(ELS_KIND_RETRYABLE)
#undef ELS_KIND_RETRYABLE
    default: return 0;
    }
}

/* The hash by which an object that takes events recognizes a refused one. */

ELS_PRIVATE uint32_t els_debt_hash_text(uint32_t hash, elelem_str text)
{
    uint64_t size = text.size;

    return els_debt_hash(els_debt_hash(hash, &size, sizeof size), text.data, text.size);
}

ELS_PRIVATE uint32_t els_event_hash(const elelem_event *event)
{
    uint32_t hash = els_debt_hash(ELS_DEBT_START, &event->kind, sizeof event->kind);
    size_t i;

    hash = els_debt_hash(hash, &event->index, sizeof event->index);
    hash = els_debt_hash(hash, &event->choice, sizeof event->choice);
    hash = els_debt_hash(hash, &event->part.kind, sizeof event->part.kind);
    hash = els_debt_hash(hash, &event->part.tool_call.kind, sizeof event->part.tool_call.kind);
    hash = els_debt_hash(hash, &event->part.hosted, sizeof event->part.hosted);
    hash = els_debt_hash_text(hash, event->part.text);
    hash = els_debt_hash_text(hash, event->part.type);
    hash = els_debt_hash_text(hash, event->part.caption);
    hash = els_debt_hash_text(hash, event->part.tool_call.type);
    hash = els_debt_hash_text(hash, event->part.tool_call.id);
    hash = els_debt_hash_text(hash, event->part.tool_call.name);
    hash = els_debt_hash_text(hash, event->part.tool_call.text);
    for (i = 0; i < event->metadata.count; i++) {
        hash = els_debt_hash_text(hash, event->metadata.entries[i].key);
        hash = els_debt_hash_text(hash, event->metadata.entries[i].json);
    }
    return hash;
}

/* Nonzero if the event may be taken: the object is ready, and no other event is owed. Else it is owed. */
ELS_PRIVATE int els_debt_takes_event(els_debt *debt, const elelem_event *event, int is_ready)
{
    uint32_t hash = is_ready && debt->state == ELS_DEBT_NONE ? 0 : els_event_hash(event);
    int is_allowed = els_debt_allows_only(debt, 0, hash);

    if (is_ready && is_allowed) debt->state = ELS_DEBT_NONE;
    else els_debt_refuse(debt, 0, hash, is_allowed);
    return is_ready && is_allowed;
}

/* >> failure */

/* Words are searched only in the first bytes of a text. */
#define ELS_SENTENCE 4096

ELS_INLINE char els_lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + ('a' - 'A')) : letter;
}

/* Returns the offset after the words in the text, whose letters may have either case; 0 if they are not there. `words`
   has no capital letters. The first letter is compared first, because it differs from most bytes. */
ELS_PRIVATE size_t els_find_end(elelem_str text, const char *words)
{
    size_t i, k, size = text.size < ELS_SENTENCE ? text.size : ELS_SENTENCE;

    for (i = 0; i < size; i++) {
        if ((text.data[i] | 0x20) != (words[0] | 0x20)) continue;
        for (k = 0; words[k] && i + k < size && els_lower(text.data[i + k]) == words[k];)
            k++;
        if (!words[k]) return i + k;
    }
    return 0;
}

ELS_PRIVATE int els_contains_nocase(elelem_str text, const char *words)
{
    return !words[0] || els_find_end(text, words) > 0;
}

/* Nonzero if both are the same apart from the case of letters. */
ELS_PRIVATE int els_is_nocase(elelem_str text, const char *word)
{
    return text.size == strlen(word) && els_contains_nocase(text, word);
}

/* Rejections. */

/* The words that identify a rejection; both must be there. What the provider names follows the first. */
typedef struct els_rejection_words {
    const char *words;
    const char *also;
    uint8_t rejection; /* an elelem_rejection */
} els_rejection_words;

static const els_rejection_words els_rejections[] = {
    { "invalid `signature` in `thinking` block", "", ELELEM_REJECTED_SIGNATURE },
    { "`redacted_thinking` blocks in the latest assistant message cannot be modified", "", ELELEM_REJECTED_CHANGE },
    { "corrupted thought signature", "", ELELEM_REJECTED_THOUGHT },
    { "thought signature is not valid", "", ELELEM_REJECTED_THOUGHT },
    { "missing a thought_signature", "", ELELEM_REJECTED_THOUGHT },
    { "the encrypted content ", "could not be verified", ELELEM_REJECTED_ENCRYPTED },
    { "invalid_encrypted_content", "", ELELEM_REJECTED_ENCRYPTED },
    { "item with id '", "items are not persisted when", ELELEM_REJECTED_ITEM },
    { "item '", "was provided without its required following item", ELELEM_REJECTED_ITEM },
};

/* Returns the rejection that a provider's sentence reports; null if it reports none. */
ELS_PRIVATE const els_rejection_words *els_rejection_in(elelem_str message)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_rejections); i++)
        if (els_contains_nocase(message, els_rejections[i].words) && els_contains_nocase(message, els_rejections[i].also))
            return &els_rejections[i];
    return NULL;
}

/* Kinds. */

typedef struct els_error_word {
    const char *word; /* lower case */
    uint8_t kind;     /* an elelem_error_kind */
} els_error_word;

/* Codes that say what happened whatever the sentence is, because its wording may change. A star stands for any ending. Of
   those that refuse the history the caller has to change it: no patch is known that would repair it. */
static const els_error_word els_error_exact[] = {
    { "thread_continue_in_flight", ELELEM_ERROR_KIND_TRANSIENT }, /* Anthropic's error.details.error_code, to the next blank line */
    { "compaction_unavailable", ELELEM_ERROR_KIND_TRANSIENT },
    { "cmek_context_unavailable", ELELEM_ERROR_KIND_TRANSIENT },
    { "cmek_key_unreachable", ELELEM_ERROR_KIND_TRANSIENT },
    { "cmek_key_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "ramp_limit_exceeded", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "contract_spend_limit_reached", ELELEM_ERROR_KIND_QUOTA },
    { "enforced_spend_limit_reached", ELELEM_ERROR_KIND_QUOTA },
    { "linked_organization_spend_limit_reached", ELELEM_ERROR_KIND_QUOTA },
    { "linked_organization_billing_unavailable", ELELEM_ERROR_KIND_QUOTA },
    { "organization_on_hold", ELELEM_ERROR_KIND_QUOTA },
    { "request_body_too_large_after_decoding", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "request_body_encoding_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "compaction_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "thread_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "tool_reference_unresolved", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "tool_name_conflict", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "available_tools_limit_exceeded", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "claude_code_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "user_profile_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "sandbox_egress_restricted", ELELEM_ERROR_KIND_INVALID_REQUEST },

    { "data_residency_mismatch", ELELEM_ERROR_KIND_INVALID_REQUEST }, /* OpenAI's codes */
    { "bio_policy", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "misalignment_policy_violation", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "misalignment", ELELEM_ERROR_KIND_CONTENT_FILTER },
};

/* Codes, types and statuses that have the same meaning in any member. */
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
    { "timeout_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "internal_server_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "unavailable", ELELEM_ERROR_KIND_TRANSIENT },
    { "internal", ELELEM_ERROR_KIND_TRANSIENT },
    { "deadline_exceeded", ELELEM_ERROR_KIND_TRANSIENT },
    { "cancelled", ELELEM_ERROR_KIND_TRANSIENT }, /* by the provider: the caller reports its own */
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

/* Words of messages, for bodies whose codes are less exact than their sentences. */
static const els_error_word els_error_sentences[] = {
    { "credit balance is too low", ELELEM_ERROR_KIND_QUOTA },
    { "api key", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "prompt is too long", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "prompt too long", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "maximum context length", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "exceeds the context window", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "too many tokens", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "input token count", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "input tokens exceed", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
};

/* The words with which OpenAI and Groq refuse a request that is larger than the rate allows at any time. Its code and
   status are those of a rate that is used up, but waiting does not help. */
#define ELS_TOO_LARGE "request too large for"

/* Codes that are less exact than a sentence or a status. Ollama's cloud reports a wrong key as an api_error. */
static const els_error_word els_error_vague[] = {
    { "api_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "invalid_request_error", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "invalid_argument", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "not_found_error", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "not_found", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "failed_precondition", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "invalid_prompt", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "tokens", ELELEM_ERROR_KIND_RATE_LIMIT }, /* OpenAI's types of rates: too many tokens, or requests, a minute */
    { "requests", ELELEM_ERROR_KIND_RATE_LIMIT },
};

/* Each of these four returns an elelem_error_kind, or -1 if it recognizes none. */

ELS_PRIVATE int els_exact_kind(elelem_str code)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_error_exact); i++) {
        const char *word = els_error_exact[i].word;
        size_t size = strlen(word);
        int is_start = word[size - 1] == '*';
        if (is_start) size--;
        if (code.size >= size && memcmp(code.data, word, size) == 0 && (is_start || code.size == size))
            return els_error_exact[i].kind;
    }
    return -1;
}

ELS_PRIVATE int els_word_kind(const els_error_word *words, size_t count, elelem_str text)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (els_is_nocase(text, words[i].word)) return words[i].kind;
    return -1;
}

/* If the status is that of a rate limit or of missing money, the sentence may mention keys or too many tokens for
   other reasons; then it counts only if it reports that the account has no money left. */
ELS_PRIVATE int els_sentence_kind(elelem_str message, int32_t status)
{
    int is_clear = status != 402 && status != 429;
    size_t i;

    for (i = 0; i < ELS_COUNT(els_error_sentences); i++)
        if ((is_clear || els_error_sentences[i].kind == ELELEM_ERROR_KIND_QUOTA) &&
            els_contains_nocase(message, els_error_sentences[i].word))
            return els_error_sentences[i].kind;
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
    case 409:
    case 425: return ELELEM_ERROR_KIND_TRANSIENT;
    default: break;
    }
    if (status >= 500 && status < 600) return ELELEM_ERROR_KIND_TRANSIENT;
    if (status >= 400 && status < 500) return ELELEM_ERROR_KIND_INVALID_REQUEST;
    return -1;
}

/* What is read of an error body, as slices of its document. */
typedef struct els_error_body {
    elelem_str message;
    elelem_str code;    /* the most specific word of the details' error_code, code, status and type */
    elelem_str type;    /* the type, if it is another word; else empty */
    elelem_value details;
    elelem_str reset;   /* the X-RateLimit-Reset header of the provider that a router called */
    int32_t status;     /* of the body or the HTTP response */
    int has_retry_info;
    int is_daily;       /* a quota of the day is used up */
    int64_t retry_info_ms;
} els_error_body;

ELS_PRIVATE elelem_error_kind els_error_body_kind(const els_error_body *body)
{
    int kind = els_exact_kind(body->code);

    if (kind < 0 && (els_rejection_in(body->message) || els_rejection_in(body->code))) kind = ELELEM_ERROR_KIND_RECOVERABLE;
    if (kind < 0 && els_contains_nocase(body->message, ELS_TOO_LARGE)) kind = ELELEM_ERROR_KIND_CONTENT_TOO_LONG;
    if (kind < 0) kind = els_word_kind(els_error_codes, ELS_COUNT(els_error_codes), body->code);
    if (kind < 0) kind = els_word_kind(els_error_codes, ELS_COUNT(els_error_codes), body->type);
    if (kind < 0) kind = els_sentence_kind(body->message, body->status);
    if (kind < 0) kind = els_status_kind(body->status);
    if (kind < 0) kind = els_word_kind(els_error_vague, ELS_COUNT(els_error_vague), body->code);
    if (kind < 0) kind = els_word_kind(els_error_vague, ELS_COUNT(els_error_vague), body->type);
    if (kind == ELELEM_ERROR_KIND_RATE_LIMIT && body->is_daily) kind = ELELEM_ERROR_KIND_QUOTA;
    return kind < 0 ? ELELEM_ERROR_KIND_OTHER : (elelem_error_kind)kind;
}

/* Waits, in milliseconds; -1 if there is none. */

#define ELS_WAIT_MAX_MS ((int64_t)1000 * 60 * 60 * 24 * 365)

/* Reads digits with an optional fraction, times `unit_ms`. Returns -1 if there is no digit. */
ELS_PRIVATE int64_t els_read_number(els_cursor *in, int64_t unit_ms)
{
    int64_t whole = 0, scale = 1, part = 0;
    const unsigned char *start = in->at;

    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        if (whole < ELS_WAIT_MAX_MS) whole = whole * 10 + (*in->at - '0');
        in->at++;
    }
    if (in->at == start) return -1;
    if (in->at < in->end && *in->at == '.')
        for (in->at++; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++)
            if (scale < 1000000) {
                part = part * 10 + (*in->at - '0');
                scale *= 10;
            }
    if (whole > ELS_WAIT_MAX_MS / unit_ms) return ELS_WAIT_MAX_MS;
    return whole * unit_ms + part * unit_ms / scale;
}

/* Reads a unit and returns its milliseconds; those of a second if there is none. */
ELS_PRIVATE int64_t els_read_unit(els_cursor *in)
{
    elelem_str rest;

    while (in->at < in->end && *in->at == ' ')
        in->at++;
    rest = els_str(in->at, (size_t)(in->end - in->at));
    if (rest.size == 0) return 1000;
    in->at++;
    if (rest.data[0] == 'm') {
        int is_milli = els_contains_nocase(els_str(rest.data, rest.size < 5 ? rest.size : 5), "milli");
        if (rest.size > 1 && (rest.data[1] == 's' || rest.data[1] == 'i')) in->at++;
        return is_milli || (rest.size > 1 && rest.data[1] == 's') ? 1 : 60000;
    }
    if (rest.data[0] == 'h') return 3600000;
    if (rest.data[0] == 'd') return 86400000;
    if (rest.data[0] != 's') in->at--;
    return 1000;
}

/* Reads a time such as 6m0s, 1h30m, 200ms, 2.398s, 20 or 20 seconds. */
ELS_PRIVATE int64_t els_read_duration(els_cursor *in)
{
    int64_t total = -1;

    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        els_cursor number = *in;
        int64_t unit;
        els_read_number(in, 1);
        unit = els_read_unit(in);
        total = (total < 0 ? 0 : total) + els_read_number(&number, unit);
        if (total > ELS_WAIT_MAX_MS) total = ELS_WAIT_MAX_MS;
    }
    return total;
}

/* Returns the duration that a text begins with. */
ELS_PRIVATE int64_t els_duration_in(elelem_str text)
{
    els_cursor in = els_cursor_of(text.data, text.size);

    return els_read_duration(&in);
}

/* Returns the duration that is the whole text, so that a date is not taken for one. */
ELS_PRIVATE int64_t els_duration_of(elelem_str text)
{
    els_cursor in = els_cursor_of(text.data, text.size);
    int64_t wait = els_read_duration(&in);

    return in.at == in.end ? wait : -1;
}

/* Returns how long it is until a time in milliseconds since 1970, at most a year. */
ELS_PRIVATE int64_t els_wait_until(const els_http *http, int64_t time_ms)
{
    int64_t now = http->unix_seconds;
    int64_t wait;

    if (now <= 0 || now >= time_ms / 1000 + (time_ms % 1000 != 0)) return -1;
    wait = time_ms - now * 1000;
    return wait < ELS_WAIT_MAX_MS ? wait : ELS_WAIT_MAX_MS;
}

/* Returns the time until a rate limit is reset. OpenRouter sends a time in milliseconds since 1970, others one in
   seconds, or a duration. */
ELS_PRIVATE int64_t els_rate_reset(const els_http *http, elelem_str value)
{
    int64_t number;

    if (elelem_number_to_int64(value, &number) != ELELEM_OK || number < 1000000000) return els_duration_of(value);
    if (number < (int64_t)100000000000) number *= 1000;
    if (number > (int64_t)100000000000000) return -1;
    return els_wait_until(http, number);
}

/* The words after which a provider's sentence has a duration. */
static const char *const els_wait_words[] = { "try again in ", "retry after ", "retry in ", "retry-after: ", "wait " };

/* Returns the first duration that follows the words in a sentence. */
ELS_PRIVATE int64_t els_wait_after(elelem_str message, const char *words)
{
    size_t end;

    if (message.size > ELS_SENTENCE) message.size = ELS_SENTENCE;
    while ((end = els_find_end(message, words)) > 0) {
        int64_t wait;
        message = els_str(message.data + end, message.size - end);
        wait = els_duration_in(message);
        if (wait >= 0) return wait;
    }
    return -1;
}

ELS_PRIVATE int64_t els_wait_in_sentence(elelem_str message)
{
    int64_t wait = -1;
    size_t i;

    for (i = 0; i < ELS_COUNT(els_wait_words) && wait < 0; i++)
        wait = els_wait_after(message, els_wait_words[i]);
    return wait;
}

/* Returns the most exact wait. Every response carries the rate-limit reset; it is used as a wait only for
   RATE_LIMIT. */
ELS_PRIVATE int64_t els_wait(const els_http *http, const els_error_body *body, elelem_error_kind kind)
{
    int64_t wait;

    if (http->retry_after_ms > 0) return http->retry_after_ms;
    if (http->retry_after >= 0) return http->retry_after;
    if (http->retry_after_ms >= 0) return http->retry_after_ms;
    if (body->has_retry_info) return body->retry_info_ms;
    wait = els_wait_in_sentence(body->message);
    if (wait >= 0 || kind != ELELEM_ERROR_KIND_RATE_LIMIT) return wait;
    return http->rate_reset >= 0 ? http->rate_reset : els_rate_reset(http, body->reset);
}

/* Error bodies. */

/* Nonzero if one of the quotas that were exceeded is a daily one. */
ELS_PRIVATE int els_is_daily(elelem_value violations)
{
    elelem_value violation;

    for (violation = elelem_value_first(violations); elelem_value_type(violation) != ELELEM_TYPE_NONE;
         violation = elelem_value_next(violation))
        if (els_contains_nocase(els_member_text(violation, "quotaId"), "perday") ||
            els_contains_nocase(els_member_text(violation, "quotaMetric"), "per_day"))
            return 1;
    return 0;
}

/* Reads the details of Google's error bodies: how long to wait, and which quotas were exceeded. */
ELS_PRIVATE void els_read_details(els_error_body *body)
{
    elelem_value detail;

    for (detail = elelem_value_first(body->details); elelem_value_type(detail) != ELELEM_TYPE_NONE;
         detail = elelem_value_next(detail)) {
        elelem_str delay = els_member_text(detail, "retryDelay");
        body->is_daily |= els_is_daily(elelem_value_get(detail, "violations"));
        if (delay.size == 0) continue;
        body->retry_info_ms = els_duration_of(delay);
        body->has_retry_info = body->retry_info_ms >= 0;
    }
}

/* Reads the code, type and status. A type without a message is that of the frame, and the type "error" says nothing. */
ELS_PRIVATE void els_read_code(els_error_body *body, elelem_value node, int is_error)
{
    int64_t number;
    elelem_value code = elelem_value_get(node, "code");

    body->code = els_text_of(code);
    body->type = els_member_text(node, "type");
    if (elelem_str_is(body->type, "error") || !(is_error || body->message.size > 0)) body->type.size = 0;
    if ((elelem_value_to_int64(code, &number) == ELELEM_OK || elelem_number_to_int64(body->code, &number) == ELELEM_OK) &&
        number >= 400 && number < 600)
        body->status = (int32_t)number;
    if (body->code.size == 0) body->code = els_member_text(node, "status");
    if (body->code.size == 0) {
        body->code = body->type;
        body->type = els_str(NULL, 0);
    }
    if (els_member_text(body->details, "error_code").size == 0) return;
    body->type = body->code;
    body->code = els_member_text(body->details, "error_code");
}

/* Reads an error body of any known form; returns 0 if it has none. `status` is that of the HTTP response. */
ELS_PRIVATE int els_error_body_read(els_error_body *body, elelem_value root, int32_t status)
{
    elelem_value error, node, metadata;
    elelem_str raw;

    memset(body, 0, sizeof *body);
    body->status = status;
    if (elelem_value_type(root) == ELELEM_TYPE_ARRAY) root = elelem_value_first(root);
    error = elelem_value_get(root, "error");
    node = elelem_value_type(error) == ELELEM_TYPE_OBJECT ? error : root;
    body->message = elelem_value_type(error) == ELELEM_TYPE_STRING ? elelem_value_text(error)
                                                                   : els_member_text(node, "message");
    if (body->message.size == 0) body->message = els_member_text(root, "detail");
    metadata = elelem_value_get(node, "metadata"); /* a router's, about the provider that it called */
    raw = els_member_text(metadata, "raw");
    if (els_rejection_in(raw)) body->message = raw;
    body->reset = els_member_text(elelem_value_get(metadata, "headers"), "X-RateLimit-Reset");
    body->details = elelem_value_get(node, "details");
    els_read_code(body, node, elelem_value_type(error) == ELELEM_TYPE_OBJECT);
    els_read_details(body);
    return body->message.size > 0 || elelem_value_type(error) == ELELEM_TYPE_OBJECT;
}

/* Nonzero if a document of a response that is a refusal is its error body. Other documents can come before it. */
ELS_PRIVATE int els_is_error_body(elelem_value root)
{
    els_error_body body;

    return els_error_body_read(&body, root, 0);
}

/* Nonzero if a document of a stream with status 200 is, or contains, an error. */
ELS_PRIVATE int els_is_error_document(elelem_value root)
{
    if (elelem_value_type(elelem_value_get(root, "error")) == ELELEM_TYPE_OBJECT) return 1;
    if (els_member_text(root, "error").size > 0) return 1;
    return elelem_str_is(els_member_text(root, "object"), "error");
}

/* What is read of an error body, at the root or in an array. */
static const elelem_pattern_node els_error_paths[] = {
    ELELEM_PATTERN_ROOT(0),
    ELELEM_PATTERN_MEMBER(0, "error", 1),
    ELELEM_PATTERN_MEMBER(0, "message", 1),
    ELELEM_PATTERN_MEMBER(0, "code", 1),
    ELELEM_PATTERN_MEMBER(0, "type", 1),
    ELELEM_PATTERN_MEMBER(0, "status", 1),
    ELELEM_PATTERN_MEMBER(0, "detail", 1),
    ELELEM_PATTERN_MEMBER(0, "request_id", 1),
    ELELEM_PATTERN_ELEMENTS(0, 0),
    ELELEM_PATTERN_MEMBER(8, "error", 1),
};

static const elelem_patterns els_error_patterns = { els_error_paths, ELS_COUNT(els_error_paths), 1 };

/* Errors. */

ELS_PRIVATE const char *els_kind_sentence(elelem_error_kind kind)
{
    switch (kind) {
    case ELELEM_ERROR_KIND_TIMEOUT: return "nothing came for longer than the idle timeout";
    case ELELEM_ERROR_KIND_CONNECT: return "the response ended before it was complete";
    case ELELEM_ERROR_KIND_CANCELLED: return "cancelled by the caller";
    case ELELEM_ERROR_KIND_RATE_LIMIT: return "the provider's rate limit is reached";
    case ELELEM_ERROR_KIND_QUOTA: return "the account's quota is used up";
    case ELELEM_ERROR_KIND_TRANSIENT: return "the provider failed or is overloaded";
    case ELELEM_ERROR_KIND_AUTHENTICATION: return "the provider refused the credentials";
    case ELELEM_ERROR_KIND_INVALID_REQUEST: return "the provider refused the request";
    case ELELEM_ERROR_KIND_CONTENT_TOO_LONG: return "the request is too long for the model";
    case ELELEM_ERROR_KIND_CONTENT_FILTER: return "the provider's content filter stopped the response";
    case ELELEM_ERROR_KIND_PROTOCOL: return "the response does not follow the provider's protocol";
    case ELELEM_ERROR_KIND_LIMIT: return "the response exceeds a limit of this stream";
    case ELELEM_ERROR_KIND_OUT_OF_MEMORY: return "the allocator gave no more memory";
    case ELELEM_ERROR_KIND_RECOVERABLE: return "the provider rejects metadata of an earlier turn";
    default: return "the provider reported an error";
    }
}

/* Sets an error of this kind, with the sentence of its kind. */
ELS_PRIVATE void els_failure_of_kind(elelem_failure *error, const els_http *http, elelem_error_kind kind)
{
    memset(error, 0, sizeof *error);
    error->kind = (uint8_t)kind;
    error->retryable = (uint8_t)elelem_error_kind_is_retryable((int)kind);
    error->http_status = http->status;
    error->retry_after_ms = -1;
    error->message = elelem_str_of(els_kind_sentence(kind));
}

/* Sets the error that a document reports. An unknown error with a wait is TRANSIENT. */
ELS_PRIVATE void els_failure_of_document(elelem_failure *error, const els_http *http, elelem_value root)
{
    els_error_body body;
    elelem_error_kind kind;
    int64_t wait;

    els_error_body_read(&body, root, http->status);
    kind = els_error_body_kind(&body);
    wait = els_wait(http, &body, kind);
    if (kind == ELELEM_ERROR_KIND_OTHER && wait >= 0) kind = ELELEM_ERROR_KIND_TRANSIENT;
    els_failure_of_kind(error, http, kind);
    error->code = body.code;
    if (body.message.size > 0) error->message = body.message;
    error->retry_after_ms = wait;
    if (http->should_retry >= 0) error->retryable = (uint8_t)http->should_retry;
}

/* Dates. */

/* Returns the days from 1970-01-01 to a date of the Gregorian calendar. */
ELS_PRIVATE int64_t els_days(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month > 2 ? year : year - 1;
    int64_t era = y / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* HTTP dates, in the three forms that a recipient has to accept (RFC 9110, 5.6.7). Letters of a form are fields, see
   els_date_field; any other character is itself. */

static const char *const els_date_forms[] = { "W, D n Y h:m:s GMT", "W, D-n-y h:m:s GMT", "W n e h:m:s Y" };

typedef struct els_date {
    int64_t year;
    int64_t month;
    int64_t day;
    int64_t hour;
    int64_t minute;
    int64_t second;
} els_date;

/* Reads `count` digits. Returns -1 if there are fewer. */
ELS_PRIVATE int64_t els_date_digits(els_cursor *in, int count)
{
    int64_t number = 0;

    for (; count > 0; count--) {
        if (in->at == in->end || *in->at < '0' || *in->at > '9') return -1;
        number = number * 10 + (*in->at++ - '0');
    }
    return number;
}

/* Reads a name of three letters. Returns its place in the list, counted from 1; -1 if it is not in it. */
ELS_PRIVATE int64_t els_date_name(els_cursor *in, const char *names)
{
    int64_t i;

    for (i = 0; in->end - in->at >= 3 && names[i * 3]; i++) {
        char name[4];
        memcpy(name, names + i * 3, 3);
        name[3] = 0;
        if (!els_is_nocase(els_str(in->at, 3), name)) continue;
        in->at += 3;
        return i + 1;
    }
    return -1;
}

/* Reads a day of the week, short or in full. Any day is accepted, because the date already determines it. */
ELS_PRIVATE int els_date_weekday(els_cursor *in)
{
    int is_one = els_date_name(in, "sunmontuewedthufrisat") > 0;

    while (in->at < in->end && *in->at >= 'a' && *in->at <= 'z')
        in->at++;
    return is_one;
}

/* Reads the field of this letter; 0 if it is not there. */
ELS_PRIVATE int els_date_field(els_cursor *in, char letter, els_date *date)
{
    switch (letter) {
    case 'W': return els_date_weekday(in);
    case 'n': return (date->month = els_date_name(in, "janfebmaraprmayjunjulaugsepoctnovdec")) > 0;
    case 'Y': return (date->year = els_date_digits(in, 4)) >= 0;
    case 'y': return (date->year = els_date_digits(in, 2)) >= 0;
    case 'h': return (date->hour = els_date_digits(in, 2)) >= 0;
    case 'm': return (date->minute = els_date_digits(in, 2)) >= 0;
    case 's': return (date->second = els_date_digits(in, 2)) >= 0;
    case 'e':
        if (in->at < in->end && *in->at == ' ') {
            in->at++;
            return (date->day = els_date_digits(in, 1)) >= 0;
        }
        return (date->day = els_date_digits(in, 2)) >= 0;
    case 'D': return (date->day = els_date_digits(in, 2)) >= 0;
    default: return in->at < in->end && *in->at++ == (unsigned char)letter;
    }
}

ELS_PRIVATE int els_date_read(elelem_str text, const char *form, els_date *date)
{
    els_cursor in = els_cursor_of(text.data, text.size);

    for (; *form; form++)
        if (!els_date_field(&in, *form, date)) return 0;
    return in.at == in.end;
}

/* Nonzero if this time exists; a minute may have a leap second. */
ELS_PRIVATE int els_date_is_real(const els_date *date)
{
    int64_t next = date->month == 12 ? els_days(date->year + 1, 1, 1) : els_days(date->year, date->month + 1, 1);

    return date->day >= 1 && date->day <= next - els_days(date->year, date->month, 1) && date->hour < 24 &&
           date->minute < 60 && date->second <= 60;
}

/* Returns the year of two digits that is not more than 50 years in the future (RFC 9110, 5.6.7). */
ELS_PRIVATE int64_t els_date_century(int64_t year, int64_t unix_seconds)
{
    int64_t now = 1970 + unix_seconds / 31556952;

    year += now / 100 * 100;
    return year > now + 50 ? year - 100 : year + 50 <= now ? year + 100 : year;
}

/* Returns an HTTP date in seconds since 1970. It is negative if the text is not a date, if that date does not exist, or
   if it is before 1970. */
ELS_PRIVATE int64_t els_http_date(elelem_str text, int64_t unix_seconds)
{
    els_date date;
    size_t form;

    for (form = 0; form < ELS_COUNT(els_date_forms); form++) {
        memset(&date, 0, sizeof date);
        if (!els_date_read(text, els_date_forms[form], &date)) continue;
        if (form == 1) date.year = els_date_century(date.year, unix_seconds);
        if (!els_date_is_real(&date)) return -1;
        return ((els_days(date.year, date.month, date.day) * 24 + date.hour) * 60 + date.minute) * 60 + date.second;
    }
    return -1;
}

/* HTTP headers. */

/* Retry-After: a duration in seconds, or a date, which needs the current time. A date in the past is a wait of 0. */
ELS_PRIVATE int64_t els_retry_after(const els_http *http, elelem_str value)
{
    int64_t date = http->unix_seconds > 0 ? els_http_date(value, http->unix_seconds) : -1;

    if (date < 0) return els_duration_of(value);
    return date <= http->unix_seconds ? 0 : els_wait_until(http, date * 1000);
}

/* RateLimit of the IETF draft (RateLimit header fields for HTTP). Returns t, the time until more is allowed. */
ELS_PRIVATE int64_t els_rate_limit(elelem_str value)
{
    size_t i;

    for (i = 0; i + 2 < value.size; i++)
        if (value.data[i] == 't' && value.data[i + 1] == '=' &&
            (i == 0 || value.data[i - 1] == ';' || els_is_blank((unsigned char)value.data[i - 1])))
            return els_duration_in(els_str(value.data + i + 2, value.size - i - 2));
    return -1;
}

ELS_PRIVATE void els_wait_max(int64_t *wait, int64_t other)
{
    if (other > *wait) *wait = other;
}

/* Prepares for the next response and keeps the time. */
ELS_PRIVATE void els_http_start(els_http *http)
{
    http->retry_after_ms = http->retry_after = http->rate_reset = -1;
    http->status = 0;
    http->should_retry = -1;
}

/* Takes a header. Whitespace around a name or value is not part of it (RFC 9110, 5.6.3), nor is the line end that some
   HTTP libraries leave there. */
ELS_PRIVATE void els_http_header(els_http *http, elelem_str name, elelem_str value)
{
    name = els_trimmed(name);
    value = els_trimmed(value);
    if (els_is_nocase(name, "x-should-retry")) {
        http->should_retry = elelem_str_is(value, "true") ? 1 : elelem_str_is(value, "false") ? 0 : -1;
    } else if (els_is_nocase(name, "retry-after-ms")) {
        els_cursor in = els_cursor_of(value.data, value.size);
        http->retry_after_ms = els_read_number(&in, 1);
    } else if (els_is_nocase(name, "retry-after")) {
        http->retry_after = els_retry_after(http, value);
    } else if (els_is_nocase(name, "x-ratelimit-reset-requests") || els_is_nocase(name, "x-ratelimit-reset-tokens")) {
        els_wait_max(&http->rate_reset, els_duration_of(value));
    } else if (els_is_nocase(name, "x-ratelimit-reset")) {
        els_wait_max(&http->rate_reset, els_rate_reset(http, value));
    } else if (els_is_nocase(name, "ratelimit")) {
        els_wait_max(&http->rate_reset, els_rate_limit(value));
    }
}

/* >> shape */

typedef elelem_shape_item els_item;

/* How JSON begins says whether its last byte can show that it is whole. */
typedef enum els_item_json {
    ELS_ITEM_BLANK,
    ELS_ITEM_NUMBER,
    ELS_ITEM_CLOSES /* an object, an array, a string or a word; what is no JSON counts too */
} els_item_json;

/* A choice that had a part or a reason. */
typedef struct els_choice {
    uint32_t choice;
    uint8_t had;    /* one bit for each part kind */
    uint8_t reason; /* an elelem_finish_reason + 1; 0 while not known */
} els_choice;

/* What is given out of an els_out_text. */
typedef enum els_out_form {
    ELS_OUT_PLAIN,   /* the text */
    ELS_OUT_STRING,  /* the JSON string of the text */
    ELS_OUT_VALUE,   /* the JSON text of a value */
    ELS_OUT_WRITTEN  /* the text in the scratch buffer */
} els_out_form;

ELS_PRIVATE void els_shape_fail(elelem_shape_context *c, elelem_status status)
{
    if (c->els_emits) c->els_status = status;
    c->els_emits = 0;
}

int elelem_shape_is_over(const elelem_shape_context *context)
{
    return !context->els_emits;
}

/* Items and choices. */

/* Rounded up, so that what follows is aligned. */
ELS_INLINE size_t els_aligned(size_t size)
{
    return els_sum(size, 7) / 8 * 8;
}

/* The records of an item and of a choice, each with the shape's memory after it. */
ELS_INLINE size_t els_item_size(const elelem_shape_context *c)
{
    return c->els_item_bytes;
}

ELS_INLINE size_t els_choice_size(const elelem_shape_context *c)
{
    return c->els_choice_bytes;
}

ELS_INLINE els_item *els_items(const elelem_shape_context *c)
{
    return (els_item *)(void *)c->els_items.data;
}

ELS_INLINE els_choice *els_choice_at(const elelem_shape_context *c, uint32_t i)
{
    return (els_choice *)(void *)(c->els_choices.data + i * els_choice_size(c));
}

elelem_shape_item *elelem_shape_item_oldest(const elelem_shape_context *context)
{
    return context->els_item_count > 0 ? els_items(context) : NULL;
}

elelem_shape_item *elelem_shape_item_newest(const elelem_shape_context *context)
{
    if (context->els_item_count == 0) return NULL;
    return (els_item *)(void *)(context->els_items.data + (context->els_item_count - 1) * els_item_size(context));
}

elelem_shape_item *elelem_shape_item_newer(const elelem_shape_context *context, const elelem_shape_item *item)
{
    size_t after = (size_t)((const unsigned char *)item - context->els_items.data) + els_item_size(context);

    if (after == context->els_item_count * els_item_size(context)) return NULL;
    return (els_item *)(void *)(context->els_items.data + after);
}

elelem_shape_item *elelem_shape_item_older(const elelem_shape_context *context, const elelem_shape_item *item)
{
    size_t offset = (size_t)((const unsigned char *)item - context->els_items.data);

    return offset > 0 ? (els_item *)(void *)(context->els_items.data + (offset - els_item_size(context))) : NULL;
}

elelem_shape_item *elelem_shape_item_at(const elelem_shape_context *context, uint32_t index)
{
    els_item *item = elelem_shape_item_newest(context);

    while (item && item->index != index)
        item = elelem_shape_item_older(context, item);
    return item;
}

void *elelem_shape_item_state(const elelem_shape_item *item)
{
    return (void *)(item + 1);
}

ELS_PRIVATE els_choice *els_choice_find(const elelem_shape_context *c, uint32_t choice)
{
    uint32_t i;

    for (i = 0; i < c->els_choice_count; i++)
        if (els_choice_at(c, i)->choice == choice) return els_choice_at(c, i);
    return NULL;
}

/* The record of a choice, which is made if there is none; null beyond the limit. */
ELS_PRIVATE els_choice *els_choice_of(elelem_shape_context *c, uint32_t choice)
{
    els_choice *found = els_choice_find(c, choice);
    elelem_status status;

    if (found) return found;
    status = els_block_reserve(&c->els_choices, els_product(els_sum(c->els_choice_count, 1), els_choice_size(c)),
                               els_product(c->els_max_choices, els_choice_size(c)), ELELEM_ERROR_COUNT);
    if (status != ELELEM_OK) {
        els_shape_fail(c, status);
        return NULL;
    }
    found = els_choice_at(c, c->els_choice_count++);
    memset(found, 0, els_choice_size(c));
    found->choice = choice;
    return found;
}

void *elelem_shape_choice_state(const elelem_shape_context *context, uint32_t choice)
{
    els_choice *found = els_choice_find(context, choice);

    return found ? found + 1 : NULL;
}

void *elelem_shape_stream_state(const elelem_shape_context *context)
{
    return context->els_stream_state.data;
}

/* Makes the shape's memory for the stream, when its first frame comes. */
ELS_PRIVATE elelem_status els_shape_begin(elelem_shape_context *c)
{
    size_t size = c->els_shape->stream_bytes;
    elelem_status status = els_block_reserve(&c->els_stream_state, size, size, ELELEM_ERROR_COUNT);

    if (status == ELELEM_OK && !c->els_has_state && size > 0) memset(c->els_stream_state.data, 0, size);
    if (status == ELELEM_OK) c->els_has_state = 1;
    return status;
}

uint32_t elelem_shape_item_open(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind, uint32_t key)
{
    els_item *item;
    elelem_status status = els_block_reserve(&context->els_items,
                                             els_product(els_sum(context->els_item_count, 1), els_item_size(context)),
                                             els_product(context->els_max_items, els_item_size(context)), ELELEM_ERROR_COUNT);

    if (status != ELELEM_OK || context->els_next_index == ELELEM_NO_INDEX) {
        els_shape_fail(context, status != ELELEM_OK ? status : ELELEM_ERROR_COUNT);
        return ELELEM_NO_INDEX;
    }
    context->els_item_count++;
    item = elelem_shape_item_newest(context);
    memset(item, 0, els_item_size(context));
    item->index = context->els_next_index++;
    item->choice = choice;
    item->kind = (uint8_t)kind;
    item->key = key;
    return item->index;
}

uint32_t elelem_shape_item_find(const elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                uint32_t key)
{
    const els_item *item = elelem_shape_item_newest(context);

    for (; item; item = elelem_shape_item_older(context, item))
        if (item->choice == choice && item->kind == kind && item->key == key && !item->waits) return item->index;
    return ELELEM_NO_INDEX;
}

uint32_t elelem_shape_item_text(const elelem_shape_context *context, uint32_t choice)
{
    const els_item *item = elelem_shape_item_newest(context);

    for (; item; item = elelem_shape_item_older(context, item))
        if (item->choice == choice && item->kind != ELELEM_PART_TOOL_CALL && !item->waits) return item->index;
    return ELELEM_NO_INDEX;
}

uint32_t elelem_shape_item_renumber(elelem_shape_context *context, elelem_shape_item *item)
{
    if (context->els_next_index == ELELEM_NO_INDEX) els_shape_fail(context, ELELEM_ERROR_COUNT);
    else item->index = context->els_next_index++;
    return item->index;
}

uint32_t elelem_shape_item_continue(elelem_shape_context *context, uint32_t choice, elelem_part_kind kind,
                                    uint32_t key)
{
    uint32_t open = elelem_shape_item_text(context, choice);

    if (open != ELELEM_NO_INDEX) {
        const els_item *item = elelem_shape_item_at(context, open);
        if (item->kind == kind && item->key == key) return open;
        elelem_shape_flush(context, open);
    }
    return elelem_shape_item_open(context, choice, kind, key);
}

uint64_t elelem_shape_hash_more(uint64_t hash, elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3u;
    return hash;
}

uint64_t elelem_shape_hash(elelem_str text)
{
    return elelem_shape_hash_more(ELELEM_SHAPE_HASH_START, text);
}

int elelem_shape_item_may_be(const elelem_shape_context *context, uint32_t index, elelem_str id)
{
    const els_item *item = elelem_shape_item_at(context, index);

    return item && (id.size == 0 || !item->has_id || item->els_id_hash == elelem_shape_hash(id));
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

void elelem_shape_want(elelem_shape_context *context, size_t count)
{
    context->els_path_count = count;
}

/* Nonzero if the row, or one that it is in, is this one. */
ELS_PRIVATE int els_row_is_in(const elelem_shape_context *c, unsigned row, unsigned outer)
{
    while (row > outer)
        row = c->els_shape->paths[row].parent;
    return row == outer;
}

/* The row from `first` to `last` that names the member; `last` + 1 if none does. What is only led through has no
   number of a pattern, and what is inside a value that is wanted whole has that value's. */
ELS_PRIVATE unsigned els_field_row(const elelem_shape_context *c, elelem_value member, unsigned first, unsigned last)
{
    unsigned row = els_value_node_of(member)->pattern;

    if (row >= first && row <= last) return row;
    if (row != ELELEM_NO_PATTERN && !els_row_is_in(c, first, row)) return last + 1;
    for (row = first; row <= last; row++)
        if (els_is_key(&c->els_shape->paths[row], elelem_value_key(member))) return row;
    return row;
}

void elelem_shape_fields_find(elelem_shape_context *context, elelem_value object, unsigned first, unsigned last,
                              unsigned slot)
{
    elelem_value member = elelem_value_first(object);

    if (slot > ELELEM_SHAPE_MAX_ROWS || last >= first + ELELEM_SHAPE_MAX_ROWS - slot) return;
    memset(&context->els_fields[slot], 0, (last + 1 - first) * sizeof context->els_fields[0]);
    for (; member.els_node; member = elelem_value_next(member)) {
        unsigned row = els_field_row(context, member, first, last);
        if (row <= last) context->els_fields[slot + row - first] = member.els_node;
    }
}

elelem_value elelem_shape_field(const elelem_shape_context *context, unsigned slot)
{
    return els_value_of(context->els_document.els_owner, context->els_fields[slot]);
}

elelem_str elelem_shape_string(elelem_value value)
{
    return els_text_of(value);
}

elelem_str elelem_shape_string_in(elelem_value object, const char *key)
{
    return els_text_of(elelem_value_get(object, key));
}

int elelem_shape_is_there(elelem_value value)
{
    return value.els_node != 0;
}

int elelem_shape_is_same(elelem_value a, elelem_value b)
{
    return a.els_node == b.els_node;
}

int elelem_shape_is_value(elelem_value value)
{
    return els_is_value(value);
}

/* Numbers. */

/* Z.ai numbers its tool calls -1. */
int elelem_shape_number(elelem_value value, uint32_t *number)
{
    int64_t wide;

    if (elelem_value_to_int64(value, &wide) != ELELEM_OK || wide < 0 || wide > INT32_MAX) return 0;
    *number = (uint32_t)wide;
    return 1;
}

uint32_t elelem_shape_number_or(elelem_value value, uint32_t otherwise)
{
    uint32_t number;

    return elelem_shape_number(value, &number) ? number : otherwise;
}

int64_t elelem_shape_count_in(elelem_value object, const char *key)
{
    int64_t count;

    return elelem_value_to_int64(elelem_value_get(object, key), &count) == ELELEM_OK ? count : -1;
}

void elelem_shape_count_to(int64_t *count, elelem_value object, const char *key)
{
    int64_t found = elelem_shape_count_in(object, key);

    if (found >= 0) *count = found;
}

/* Metadata. */

/* The first few events and entries of metadata need no memory of their own. Makes room for what is added after
   `count` of them. */
ELS_PRIVATE elelem_status els_queue_grow(const elelem_shape_context *c, els_block *block, uint32_t count, uint32_t few,
                                         size_t size)
{
    if (ELS_LIKELY(count < few)) return ELELEM_OK;
    return els_block_reserve(block, els_product(els_sum(count - few, 1), size), c->els_max_queue, ELELEM_ERROR_FRAME_SIZE);
}

ELS_PRIVATE els_out *els_out_at(elelem_shape_context *c, uint32_t at)
{
    return at < ELS_FEW_EVENTS ? &c->els_few_events[at] : (els_out *)(void *)c->els_queue.data + (at - ELS_FEW_EVENTS);
}

ELS_PRIVATE els_out_metadata *els_out_metadata_at(elelem_shape_context *c, uint32_t at)
{
    return at < ELS_FEW_METADATA ? &c->els_few_metadata[at]
                                 : (els_out_metadata *)(void *)c->els_metadata.data + (at - ELS_FEW_METADATA);
}

/* Room for the entries of metadata of one event, reserved before. */
ELS_PRIVATE elelem_metadata_entry *els_entries_of(elelem_shape_context *c, uint32_t count)
{
    if (count <= ELS_FEW_METADATA) return c->els_few_entries;
    return (elelem_metadata_entry *)(void *)c->els_entries.data;
}

/* One more entry for the event that is emitted next, to be filled in. Returns null if there is no memory for it. */
ELS_PRIVATE els_out_text *els_metadata_new(elelem_shape_context *c, elelem_str key, els_out_form form)
{
    els_out_metadata *entry;
    elelem_status status = els_queue_grow(c, &c->els_metadata, c->els_metadata_count, ELS_FEW_METADATA, sizeof *entry);

    if (status != ELELEM_OK) {
        els_shape_fail(c, status);
        return NULL;
    }
    entry = els_out_metadata_at(c, c->els_metadata_count++);
    memset(entry, 0, sizeof *entry);
    entry->key = key;
    entry->json.form = (uint8_t)form;
    return &entry->json;
}

/* The scratch buffer from `offset` to its end. */
ELS_PRIVATE void els_metadata_add(elelem_shape_context *c, elelem_str key, size_t offset)
{
    els_out_text *json = els_metadata_new(c, key, ELS_OUT_WRITTEN);

    if (!json) return;
    json->offset = offset;
    json->text.size = elelem_buffer_text(&c->els_scratch).size - offset;
}

/* Starts writing JSON into the scratch buffer. Returns the offset. */
ELS_PRIVATE size_t els_scratch_begin(elelem_shape_context *c, elelem_writer *writer)
{
    elelem_writer_init(writer, elelem_buffer_sink(&c->els_scratch), 0);
    return elelem_buffer_text(&c->els_scratch).size;
}

ELS_PRIVATE int els_scratch_end(elelem_shape_context *c, const elelem_writer *writer)
{
    elelem_status status = els_writer_status(writer);

    if (status != ELELEM_OK) els_shape_fail(c, status);
    return status == ELELEM_OK;
}

void elelem_shape_metadata_json(elelem_shape_context *context, elelem_str key, elelem_str json)
{
    els_out_text *out = els_metadata_new(context, key, ELS_OUT_PLAIN);

    if (out) out->text = json;
}

void elelem_shape_metadata_text(elelem_shape_context *context, const char *key, elelem_str text)
{
    els_out_text *out = els_metadata_new(context, elelem_str_of(key), ELS_OUT_STRING);

    if (out) out->text = text;
}

void elelem_shape_metadata_value(elelem_shape_context *context, const char *key, elelem_value value)
{
    els_out_text *out = els_metadata_new(context, elelem_str_of(key), ELS_OUT_VALUE);

    if (out) out->node = value.els_node;
}

elelem_writer *elelem_shape_write(elelem_shape_context *context)
{
    context->els_written = els_scratch_begin(context, &context->els_writer);
    return &context->els_writer;
}

elelem_writer *elelem_shape_write_on(elelem_shape_context *context)
{
    els_scratch_end(context, &context->els_writer);
    elelem_writer_init(&context->els_writer, elelem_buffer_sink(&context->els_scratch), 0);
    return &context->els_writer;
}

void elelem_shape_write_raw(elelem_shape_context *context, elelem_str text)
{
    elelem_status status = elelem_buffer_append(&context->els_scratch, text.data, text.size);

    if (status != ELELEM_OK) els_shape_fail(context, status);
}

void elelem_shape_metadata_written(elelem_shape_context *context, elelem_str key)
{
    if (els_scratch_end(context, &context->els_writer)) els_metadata_add(context, key, context->els_written);
}

void elelem_shape_metadata_in_array(elelem_shape_context *context, const char *key, elelem_value value)
{
    elelem_writer *writer = elelem_shape_write(context);

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_value(writer, value);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(context, elelem_str_of(key));
}

int elelem_shape_has_metadata(const elelem_shape_context *context)
{
    return context->els_metadata_count > context->els_metadata_used;
}

/* Events. */

/* What few events have: the type of a call, or the caption of a provider item. It waits as the last entry of the metadata of
   its event, under a key of its own. */
static const char els_extra_key[] = "";

ELS_PRIVATE void els_extra_add(elelem_shape_context *c, elelem_str text)
{
    els_out_text *out = els_metadata_new(c, els_str(els_extra_key, 0), ELS_OUT_PLAIN);

    if (out) out->text = text;
}

/* Adds an event with the waiting metadata to the queue. Returns null after a failure, because the metadata may lack
   what could not be stored, and after the end. */
ELS_PRIVATE els_out *els_emit_event(elelem_shape_context *c, elelem_event_kind kind)
{
    elelem_status status;
    els_out *out;

    if (!c->els_emits) return NULL;
    status = els_queue_grow(c, &c->els_queue, c->els_out_count, ELS_FEW_EVENTS, sizeof *out);
    if (status != ELELEM_OK) {
        els_shape_fail(c, status);
        return NULL;
    }
    out = els_out_at(c, c->els_out_count++);
    memset(out, 0, sizeof *out);
    out->kind = (uint8_t)kind;
    out->metadata_count = c->els_metadata_count - c->els_metadata_used;
    c->els_metadata_used = c->els_metadata_count;
    return out;
}

/* The same for an event of an item. */
ELS_PRIVATE els_out *els_emit(elelem_shape_context *c, elelem_event_kind kind, const els_item *item)
{
    els_out *out = els_emit_event(c, kind);

    if (!out) return NULL;
    out->index = item->index;
    out->choice = item->choice;
    out->hosted = item->hosted;
    return out;
}

void elelem_shape_response(elelem_shape_context *context)
{
    if (elelem_shape_has_metadata(context)) els_emit_event(context, ELELEM_EVENT_METADATA);
}

/* Notes how the item's JSON begins. */
ELS_PRIVATE void els_item_follow(els_item *item, elelem_str json)
{
    size_t i = 0;

    while (i < json.size && els_is_blank((unsigned char)json.data[i]))
        i++;
    if (i == json.size) return;
    item->els_json = json.data[i] == '-' || (json.data[i] >= '0' && json.data[i] <= '9') ? ELS_ITEM_NUMBER : ELS_ITEM_CLOSES;
}

/* A part of the item, of which `json` is arguments or text. */
ELS_PRIVATE els_out *els_emit_part(elelem_shape_context *c, uint32_t index, elelem_str json)
{
    els_item *item = elelem_shape_item_at(c, index);
    els_choice *choice = item ? els_choice_of(c, item->choice) : NULL;
    els_out *out = choice ? els_emit(c, ELELEM_EVENT_PART, item) : NULL;

    if (!out) return NULL;
    out->part_kind = item->kind;
    item->had_part = 1;
    choice->had |= (uint8_t)(1u << item->kind);
    if (item->els_json == ELS_ITEM_BLANK) els_item_follow(item, json);
    return out;
}

void elelem_shape_text(elelem_shape_context *context, uint32_t index, elelem_str text)
{
    els_out *out;

    if (text.size == 0 && !elelem_shape_has_metadata(context)) return;
    out = els_emit_part(context, index, text);
    if (out) out->text.text = text;
}

/* A part of a call, of which `arguments` are the beginning of its text, if it is arguments. */
ELS_PRIVATE els_out *els_emit_call(elelem_shape_context *c, uint32_t index, elelem_tool_call_part_kind kind, elelem_str arguments)
{
    els_out *out = els_emit_part(c, index, arguments);

    if (out) out->tool_call_kind = (uint8_t)kind;
    return out;
}

ELS_PRIVATE els_out *els_emit_start(elelem_shape_context *c, uint32_t index, elelem_str id, elelem_str name)
{
    els_item *item = elelem_shape_item_at(c, index);
    els_out *out;

    if (!item) return NULL;
    if (item->has_id) id.size = 0;
    if (item->els_has_name) name.size = 0;
    if (id.size == 0 && name.size == 0 && !elelem_shape_has_metadata(c)) return NULL;
    if (id.size > 0) {
        item->has_id = 1;
        item->els_id_hash = elelem_shape_hash(id);
    }
    item->els_has_name |= name.size > 0;
    out = els_emit_call(c, index, ELELEM_TOOL_CALL_START, els_str(NULL, 0));
    if (!out) return NULL;
    out->text.text = id;
    out->name = name;
    return out;
}

void elelem_shape_tool_start(elelem_shape_context *context, uint32_t index, elelem_str id, elelem_str name)
{
    els_emit_start(context, index, id, name);
}

void elelem_shape_tool_start_typed(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str id, elelem_str name)
{
    const els_item *item = elelem_shape_item_at(context, index);

    if (item && !item->had_part) els_extra_add(context, type);
    els_emit_start(context, index, id, name);
}

/* Provider items. */

ELS_PRIVATE els_out *els_emit_provider(elelem_shape_context *c, uint32_t index, elelem_str type)
{
    els_out *out = els_emit_part(c, index, els_str(NULL, 0));

    if (out) out->name = type;
    return out;
}

void elelem_shape_provider_json(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str json)
{
    els_out *out = json.size > 0 ? els_emit_provider(context, index, type) : NULL;

    if (out) out->text.text = json;
}

void elelem_shape_provider_value(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_value value)
{
    els_out *out = els_emit_provider(context, index, type);

    if (!out) return;
    out->text.form = ELS_OUT_VALUE;
    out->text.node = value.els_node;
}

void elelem_shape_provider_written(elelem_shape_context *context, uint32_t index, elelem_str type)
{
    size_t offset = context->els_written;
    els_out *out = els_scratch_end(context, &context->els_writer) ? els_emit_provider(context, index, type) : NULL;

    if (!out) return;
    out->text.text.size = elelem_buffer_text(&context->els_scratch).size - offset;
    out->text.form = ELS_OUT_WRITTEN;
    out->text.offset = offset;
}

void elelem_shape_provider_caption(elelem_shape_context *context, uint32_t index, elelem_str type, elelem_str caption)
{
    if (caption.size == 0) return;
    els_extra_add(context, caption);
    els_emit_provider(context, index, type);
}

int elelem_shape_wants_items(const elelem_shape_context *context)
{
    return context->els_wants_items;
}

void elelem_shape_tool_start_unnamed(elelem_shape_context *context, uint32_t index, elelem_str name)
{
    size_t offset = elelem_buffer_text(&context->els_scratch).size;
    elelem_status status = elelem_buffer_append(&context->els_scratch, "call_", 5);
    elelem_writer writer;
    elelem_str id;
    els_out *out;

    elelem_writer_init(&writer, elelem_buffer_sink(&context->els_scratch), 0);
    if (status == ELELEM_OK) status = elelem_writer_uint64(&writer, index);
    if (status != ELELEM_OK) els_shape_fail(context, status);
    id = elelem_buffer_text(&context->els_scratch);
    out = els_emit_start(context, index, els_str(id.data + offset, id.size - offset), name);
    if (!out) return;
    out->text.form = ELS_OUT_WRITTEN;
    out->text.offset = offset;
}

/* Arguments, whose text begins with this. A call of which nothing is known yet starts first. */
ELS_PRIVATE els_out *els_emit_arguments(elelem_shape_context *c, uint32_t index, elelem_str begin)
{
    const els_item *item = elelem_shape_item_at(c, index);

    if (item && !item->had_part) els_emit_call(c, index, ELELEM_TOOL_CALL_START, els_str(NULL, 0));
    return els_emit_call(c, index, ELELEM_TOOL_CALL_ARGUMENT_CHUNK, begin);
}

void elelem_shape_tool_arguments(elelem_shape_context *context, uint32_t index, elelem_str json)
{
    els_out *out = json.size > 0 ? els_emit_arguments(context, index, json) : NULL;

    if (out) out->text.text = json;
}

/* Arguments that were written into the scratch buffer, from `offset` to its end. */
ELS_PRIVATE void els_emit_written(elelem_shape_context *c, uint32_t index, size_t offset)
{
    elelem_str scratch = elelem_buffer_text(&c->els_scratch);
    size_t size = scratch.size - offset;
    els_out *out = size > 0 ? els_emit_arguments(c, index, els_str(scratch.data + offset, size)) : NULL;

    if (!out) return;
    out->text.text.size = size;
    out->text.form = ELS_OUT_WRITTEN;
    out->text.offset = offset;
}

void elelem_shape_tool_arguments_written(elelem_shape_context *context, uint32_t index)
{
    if (els_scratch_end(context, &context->els_writer)) els_emit_written(context, index, context->els_written);
}

/* What a value's JSON text begins with, as far as that says whether it closes. */
ELS_PRIVATE elelem_str els_begin_of(elelem_value value)
{
    return elelem_str_of(elelem_value_type(value) == ELELEM_TYPE_NUMBER ? "0" : "{");
}

void elelem_shape_tool_arguments_value(elelem_shape_context *context, uint32_t index, elelem_value value)
{
    els_out *out = els_emit_arguments(context, index, els_begin_of(value));

    if (!out) return;
    out->text.form = ELS_OUT_VALUE;
    out->text.node = value.els_node;
}

/* What is kept: one block, in which each item has its room. */

ELS_PRIVATE unsigned char *els_kept_of(const elelem_shape_context *c, const els_item *item)
{
    return c->els_kept.data + (item->els_kept - 1);
}

/* Makes room for `size` bytes. The last room grows in place; another item's moves to twice its size, and what it leaves is
   free when no item keeps anything. */
ELS_PRIVATE elelem_status els_kept_grow(elelem_shape_context *c, els_item *item, size_t size)
{
    size_t start = item->els_kept ? item->els_kept - 1 : c->els_kept_size;
    elelem_status status;

    if (item->els_kept && els_sum(start, item->els_kept_room) != c->els_kept_size) start = c->els_kept_size;
    if (els_sum(els_sum(start, els_product(size, 2)), 8) < c->els_max_kept) size *= 2;
    if (size < c->els_max_kept) size = els_aligned(size);
    status = els_block_reserve(&c->els_kept, els_sum(start, size), c->els_max_kept, ELELEM_ERROR_VALUE_SIZE);
    if (status != ELELEM_OK) return status;
    if (item->els_kept_size > 0) memmove(c->els_kept.data + start, els_kept_of(c, item), item->els_kept_size);
    item->els_kept = (uint32_t)start + 1;
    item->els_kept_room = (uint32_t)size;
    c->els_kept_size = els_sum(start, size);
    return ELELEM_OK;
}

void *elelem_shape_kept_resize(elelem_shape_context *context, uint32_t index, size_t size)
{
    els_item *item = elelem_shape_item_at(context, index);
    elelem_status status = ELELEM_OK;

    if (!item) return NULL;
    if (!item->els_kept || size > item->els_kept_room) status = els_kept_grow(context, item, size);
    if (status != ELELEM_OK) {
        els_shape_fail(context, status);
        return NULL;
    }
    item->els_kept_size = (uint32_t)size;
    return els_kept_of(context, item);
}

elelem_str elelem_shape_kept(const elelem_shape_context *context, const elelem_shape_item *item)
{
    return item && item->els_kept ? els_str(els_kept_of(context, item), item->els_kept_size) : els_str(NULL, 0);
}

void elelem_shape_keep(elelem_shape_context *context, uint32_t index, elelem_str text)
{
    size_t size = elelem_shape_kept(context, elelem_shape_item_at(context, index)).size;
    char *kept;

    if (text.size == 0) return;
    kept = (char *)elelem_shape_kept_resize(context, index, els_sum(size, text.size));
    if (kept) memcpy(kept + size, text.data, text.size);
}

void elelem_shape_metadata_kept(elelem_shape_context *context, uint32_t index, const char *key)
{
    elelem_str kept = elelem_shape_kept(context, elelem_shape_item_at(context, index));

    if (kept.size == 0) return;
    elelem_writer_string(elelem_shape_write(context), kept);
    elelem_shape_metadata_written(context, elelem_str_of(key));
}

/* The block starts over when no item keeps anything. */
ELS_PRIVATE void els_kept_release(elelem_shape_context *c)
{
    const els_item *item = elelem_shape_item_oldest(c);

    while (item && !item->els_kept)
        item = elelem_shape_item_newer(c, item);
    if (!item) c->els_kept_size = 0;
}

/* Nonzero if only the way the item ended says whether its JSON is whole. Structured text that is empty is no item. */
ELS_PRIVATE int els_item_is_undecided(const els_item *item)
{
    if (item->kind == ELELEM_PART_TOOL_CALL) return item->els_json != ELS_ITEM_CLOSES;
    return item->kind == ELELEM_PART_STRUCTURED && item->els_json == ELS_ITEM_NUMBER;
}

ELS_PRIVATE int els_item_is_cut_off(const els_item *item, elelem_shape_ending ending)
{
    if (item->els_more || ending == ELELEM_SHAPE_INCOMPLETE)
        return item->kind == ELELEM_PART_TOOL_CALL || item->kind == ELELEM_PART_STRUCTURED;
    return ending == ELELEM_SHAPE_STOPPED && els_item_is_undecided(item);
}

ELS_PRIVATE void els_item_forget(elelem_shape_context *c, els_item *item)
{
    unsigned char *next = (unsigned char *)item + els_item_size(c);
    unsigned char *end = c->els_items.data + c->els_item_count * els_item_size(c);
    int had_kept = item->els_kept != 0;

    memmove(item, next, (size_t)(end - next));
    c->els_item_count--;
    if (had_kept) els_kept_release(c);
}

/* An item that never had a part is closed without a word. */
void elelem_shape_flush_as(elelem_shape_context *context, uint32_t index, elelem_shape_ending ending)
{
    els_item *item = elelem_shape_item_at(context, index);
    els_out *out = item && item->had_part ? els_emit(context, ELELEM_EVENT_FLUSH, item) : NULL;

    if (out) out->cut_off = (uint8_t)els_item_is_cut_off(item, ending);
    if (item) els_item_forget(context, item);
}

void elelem_shape_flush(elelem_shape_context *context, uint32_t index)
{
    elelem_shape_flush_as(context, index, ELELEM_SHAPE_ENDED);
}

void elelem_shape_item_expect(elelem_shape_context *context, uint32_t index, int more)
{
    els_item *item = elelem_shape_item_at(context, index);

    if (item) item->els_more = more != 0;
}

void elelem_shape_item_close(elelem_shape_context *context, uint32_t index)
{
    const els_item *item = elelem_shape_item_at(context, index);

    if (item && item->had_part && els_item_is_undecided(item)) elelem_shape_item_wait(context, index);
    else elelem_shape_flush(context, index);
}

/* Metadata that would go with a flush goes before one that waits. */
void elelem_shape_item_wait(elelem_shape_context *context, uint32_t index)
{
    els_item *item = elelem_shape_item_at(context, index);

    if (!item) return;
    item->waits = 1;
    if (!elelem_shape_has_metadata(context)) return;
    if (item->kind == ELELEM_PART_TOOL_CALL) elelem_shape_tool_start(context, index, els_str(NULL, 0), els_str(NULL, 0));
    else elelem_shape_text(context, index, els_str(NULL, 0));
}

#define ELS_ANY_CHOICE 0xffffffffu

/* The item to be flushed next: those of the choice that wait were closed before all others of it. */
ELS_PRIVATE els_item *els_item_to_flush(const elelem_shape_context *c, uint32_t choice)
{
    els_item *item = elelem_shape_item_oldest(c);
    els_item *first = NULL;

    for (; item; item = elelem_shape_item_newer(c, item)) {
        if (item->choice != choice && choice != ELS_ANY_CHOICE) continue;
        if (item->waits) return item;
        if (!first) first = item;
    }
    return first;
}

void elelem_shape_release(elelem_shape_context *context, uint32_t choice)
{
    const els_item *item = elelem_shape_item_oldest(context);

    while (item) {
        int is_due = item->waits && item->choice == choice;
        if (is_due) elelem_shape_flush(context, item->index);
        item = is_due ? elelem_shape_item_oldest(context) : elelem_shape_item_newer(context, item);
    }
}

void elelem_shape_flush_all(elelem_shape_context *context, uint32_t choice, elelem_shape_ending ending)
{
    const els_item *item = els_item_to_flush(context, choice);

    for (; item; item = els_item_to_flush(context, choice))
        elelem_shape_flush_as(context, item->index, ending);
}

elelem_shape_ending elelem_shape_ending_of(elelem_finish_reason reason)
{
    return reason == ELELEM_FINISH_COMPLETED || reason == ELELEM_FINISH_TOOL_CALLS ? ELELEM_SHAPE_ENDED
                                                                                   : ELELEM_SHAPE_STOPPED;
}

elelem_shape_ending elelem_shape_choice_ending(const elelem_shape_context *context, uint32_t choice)
{
    const els_choice *found = els_choice_find(context, choice);

    return found && found->reason ? elelem_shape_ending_of((elelem_finish_reason)(found->reason - 1))
                                  : ELELEM_SHAPE_STOPPED;
}

/* The end. */

void elelem_shape_reason(elelem_shape_context *context, uint32_t choice, elelem_finish_reason reason, elelem_str raw,
                         int replace)
{
    els_choice *found = context->els_emits ? els_choice_of(context, choice) : NULL;

    if (!found || (found->reason && !replace)) return;
    found->reason = (uint8_t)(reason + 1);
    if (choice != 0 || raw.size == 0) return;
    if (raw.size > ELELEM_SHAPE_RAW_REASON)
        raw.size = els_whole_characters((const unsigned char *)raw.data, ELELEM_SHAPE_RAW_REASON);
    memcpy(context->els_raw_reason, raw.data, raw.size);
    context->els_end.raw_reason = els_str(context->els_raw_reason, raw.size);
}

int elelem_shape_has_reason(const elelem_shape_context *context, uint32_t choice)
{
    const els_choice *found = els_choice_find(context, choice);

    return found && found->reason;
}

void elelem_shape_usage(elelem_shape_context *context, elelem_usage usage, elelem_value raw)
{
    if (!context->els_emits) return;
    context->els_end.usage = usage;
    context->els_usage_node = raw.els_node;
}

elelem_usage elelem_shape_last_usage(const elelem_shape_context *context)
{
    return context->els_end.usage;
}

/* Before each member of the raw usage. Members are found by it without reading their text. */
typedef struct els_usage_head {
    uint64_t hash; /* of the key */
    size_t size;   /* of the text */
} els_usage_head;

/* What earlier frames had is kept if it is not more than this, so that a frame costs little more than its own bytes. */
#define ELS_USAGE_MEMBERS 32
#define ELS_USAGE_BYTES 4096

/* The head at this offset of the members, and where the next one is. */
ELS_PRIVATE els_usage_head els_usage_head_at(const elelem_buffer *usage, size_t offset, size_t *next)
{
    els_usage_head head;

    memcpy(&head, usage->els_memory.data + offset, sizeof head);
    *next = offset + sizeof head + head.size;
    return head;
}

/* The offset of the member with this hash among the first `size` bytes; `size` if there is none. */
ELS_PRIVATE size_t els_usage_find(const elelem_buffer *usage, size_t size, uint64_t hash)
{
    size_t offset = 0, next;

    while (offset < size && els_usage_head_at(usage, offset, &next).hash != hash)
        offset = next;
    return offset;
}

ELS_PRIVATE void els_usage_remove(elelem_buffer *usage, size_t offset)
{
    size_t next;

    els_usage_head_at(usage, offset, &next);
    memmove(usage->els_memory.data + offset, usage->els_memory.data + next, usage->els_size - next);
    usage->els_size -= next - offset;
}

/* Nonzero if what earlier frames had may be kept. */
ELS_PRIVATE int els_usage_is_small(const elelem_buffer *usage)
{
    size_t offset, count = 0;

    if (usage->els_size > ELS_USAGE_BYTES) return 0;
    for (offset = 0; offset < usage->els_size; count++)
        els_usage_head_at(usage, offset, &offset);
    return count <= ELS_USAGE_MEMBERS;
}

/* Removes what the object has too. A member that is null replaces none. */
ELS_PRIVATE void els_usage_forget(elelem_buffer *usage, elelem_value raw)
{
    elelem_value member;

    if (!els_usage_is_small(usage)) usage->els_size = 0;
    for (member = elelem_value_first(raw); usage->els_size > 0 && elelem_shape_is_there(member); member = elelem_value_next(member)) {
        size_t offset = els_usage_find(usage, usage->els_size, elelem_shape_hash(elelem_value_key(member)));
        if (offset < usage->els_size && elelem_shape_is_value(member)) els_usage_remove(usage, offset);
    }
}

/* Adds the member, or nothing if it returns an error. */
ELS_PRIVATE elelem_status els_usage_add(elelem_buffer *usage, elelem_value member, uint64_t hash)
{
    els_usage_head head;
    elelem_writer key, value;
    size_t offset = usage->els_size;
    elelem_status status;

    head.hash = hash;
    head.size = 0;
    status = elelem_buffer_append(usage, &head, sizeof head);
    elelem_writer_init(&key, elelem_buffer_sink(usage), 0);
    elelem_writer_init(&value, elelem_buffer_sink(usage), 0);
    if (status == ELELEM_OK) status = elelem_writer_string(&key, elelem_value_key(member));
    if (status == ELELEM_OK) status = elelem_buffer_append(usage, ":", 1);
    if (status == ELELEM_OK) status = elelem_writer_value(&value, member);
    if (status != ELELEM_OK) {
        usage->els_size = offset;
        return status;
    }
    head.size = usage->els_size - offset - sizeof head;
    memcpy(usage->els_memory.data + offset, &head, sizeof head);
    return ELELEM_OK;
}

/* Adds the members of the object to those of earlier frames, which it does not have. */
ELS_PRIVATE elelem_status els_usage_extend(elelem_buffer *usage, elelem_value raw)
{
    size_t earlier = usage->els_size;
    elelem_status status = ELELEM_OK;
    elelem_value member;

    for (member = elelem_value_first(raw); status == ELELEM_OK && elelem_shape_is_there(member); member = elelem_value_next(member)) {
        uint64_t hash = elelem_shape_hash(elelem_value_key(member));
        if (elelem_shape_is_value(member) || els_usage_find(usage, earlier, hash) == earlier)
            status = els_usage_add(usage, member, hash);
    }
    return status;
}

/* Keeps what must outlive the frame, when its events were taken and their memory is free. If both do not fit into the limit,
   only what the frame has. */
ELS_PRIVATE elelem_status els_shape_keep_usage(elelem_shape_context *c)
{
    elelem_value raw = els_value_of(c->els_document.els_owner, c->els_usage_node);
    elelem_status status;
    size_t earlier;

    c->els_usage_node = 0;
    els_usage_forget(&c->els_usage, raw);
    earlier = c->els_usage.els_size;
    status = els_usage_extend(&c->els_usage, raw);
    if (status != ELELEM_ERROR_VALUE_SIZE || earlier == 0) return status;
    elelem_buffer_clear(&c->els_usage);
    return els_usage_extend(&c->els_usage, raw);
}

/* Makes one object of the members, in place: it is shorter than they are with their heads. */
ELS_PRIVATE elelem_str els_usage_text(elelem_buffer *usage)
{
    unsigned char *data = usage->els_memory.data;
    size_t from = 0, to = 0, next;

    if (usage->els_size == 0) return els_str(NULL, 0);
    for (; from < usage->els_size; from = next) {
        els_usage_head head = els_usage_head_at(usage, from, &next);
        data[to] = from == 0 ? '{' : ',';
        memmove(data + to + 1, data + from + sizeof head, head.size);
        to += 1 + head.size;
    }
    data[to++] = '}';
    usage->els_size = to;
    return elelem_buffer_text(usage);
}

ELS_PRIVATE elelem_status els_end_metadata(elelem_shape_context *c, const char *key, elelem_value value)
{
    elelem_writer writer;

    c->els_aside_key = key;
    elelem_buffer_clear(&c->els_aside);
    elelem_writer_init(&writer, elelem_buffer_sink(&c->els_aside), 0);
    return elelem_writer_value(&writer, value);
}

void elelem_shape_end_metadata(elelem_shape_context *context, const char *key, elelem_value value)
{
    elelem_status status = context->els_emits ? els_end_metadata(context, key, value) : ELELEM_OK;

    if (status != ELELEM_OK) els_shape_fail(context, status);
}

elelem_finish_reason elelem_shape_reason_of(const elelem_shape_word *words, size_t count, elelem_str raw)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (elelem_str_is(raw, words[i].word)) return (elelem_finish_reason)words[i].reason;
    return ELELEM_FINISH_OTHER;
}

ELS_PRIVATE void els_finish(elelem_shape_context *c)
{
    const els_choice *first = els_choice_find(c, 0);

    c->els_ended = 1;
    c->els_emits = 0;
    c->els_end.kind = ELELEM_EVENT_FINISHED;
    if (first && first->reason) c->els_end.reason = (uint8_t)(first->reason - 1);
}

void elelem_shape_finish(elelem_shape_context *context)
{
    if (!context->els_ended) els_finish(context);
}

/* Nonzero if the first choice, and every other that had a part, has a reason. */
ELS_PRIVATE int els_reasons_known(const elelem_shape_context *c)
{
    uint32_t i;

    for (i = 0; i < c->els_choice_count; i++)
        if (!els_choice_at(c, i)->reason) return 0;
    return elelem_shape_has_reason(c, 0);
}

/* Errors. */

/* Makes the end an error and returns it, to be filled in. */
ELS_PRIVATE elelem_failure *els_end(elelem_shape_context *c)
{
    elelem_buffer_clear(&c->els_aside);
    memset(&c->els_end, 0, sizeof c->els_end);
    c->els_end.kind = ELELEM_EVENT_ERROR;
    c->els_ended = 1;
    c->els_emits = 0;
    return &c->els_end.error;
}

/* Ends the stream with an error of this kind. */
ELS_PRIVATE elelem_failure *els_end_with(elelem_shape_context *c, elelem_error_kind kind)
{
    elelem_failure *error = els_end(c);

    els_failure_of_kind(error, &c->els_answer, kind);
    return error;
}

/* Ends the stream with the error that a document reports. */
ELS_PRIVATE void els_end_with_document(elelem_shape_context *c, elelem_value root)
{
    els_failure_of_document(els_end(c), &c->els_answer, root);
    if (els_member_text(root, "request_id").size > 0 &&
        els_end_metadata(c, "request_id", elelem_value_get(root, "request_id")) != ELELEM_OK)
        elelem_buffer_clear(&c->els_aside);
}

void elelem_shape_error(elelem_shape_context *context, elelem_error_kind kind, elelem_str code, const char *message)
{
    elelem_failure *error;

    if (context->els_ended) return;
    error = els_end_with(context, kind);
    error->code = code;
    if (message) error->message = elelem_str_of(message);
}

void elelem_shape_error_of(elelem_shape_context *context, elelem_value object)
{
    if (!context->els_ended) els_end_with_document(context, object);
}

int elelem_shape_error_in(elelem_shape_context *context, elelem_value object)
{
    if (context->els_ended || !els_is_error_document(object)) return 0;
    els_end_with_document(context, object);
    return 1;
}

int elelem_shape_document_error(elelem_shape_context *context)
{
    return elelem_shape_error_in(context, context->els_document);
}

/* Taking events out, for the driver. */

ELS_PRIVATE void els_shape_clear_out(elelem_shape_context *c)
{
    c->els_out_count = 0;
    c->els_out_taken = 0;
    c->els_metadata_count = 0;
    c->els_metadata_used = 0;
    c->els_metadata_taken = 0;
    c->els_usage_node = 0;
    elelem_buffer_clear(&c->els_scratch);
}

/* Writes the JSON text of a value or a string, if it is one, as far as it is not written yet. */
ELS_PRIVATE elelem_status els_out_write(elelem_shape_context *c, els_out_text *out)
{
    elelem_writer writer;

    if (out->form != ELS_OUT_STRING && out->form != ELS_OUT_VALUE) return ELELEM_OK;
    out->offset = elelem_buffer_text(&c->els_given).size;
    elelem_writer_init(&writer, elelem_buffer_sink(&c->els_given), 0);
    if (out->form == ELS_OUT_STRING) elelem_writer_string(&writer, out->text);
    else elelem_writer_value(&writer, els_value_of(c->els_document.els_owner, out->node));
    out->text.size = elelem_buffer_text(&c->els_given).size - out->offset;
    return els_writer_status(&writer);
}

/* The text to be given out, after all of the event were written. */
ELS_PRIVATE elelem_str els_out_str(const elelem_shape_context *c, const els_out_text *out)
{
    const elelem_buffer *buffer = out->form == ELS_OUT_WRITTEN ? &c->els_scratch : &c->els_given;

    return out->form == ELS_OUT_PLAIN ? out->text : els_str(elelem_buffer_text(buffer).data + out->offset, out->text.size);
}

/* Writes the texts of the event that is taken next, and makes room for its metadata. */
ELS_PRIVATE elelem_status els_shape_write(elelem_shape_context *c, els_out *out)
{
    uint32_t i;
    elelem_status status = ELELEM_OK;

    if (out->metadata_count > ELS_FEW_METADATA)
        status = els_block_reserve(&c->els_entries, els_product(out->metadata_count, sizeof(elelem_metadata_entry)),
                                   c->els_max_queue, ELELEM_ERROR_FRAME_SIZE);
    elelem_buffer_clear(&c->els_given);
    if (status == ELELEM_OK) status = els_out_write(c, &out->text);
    for (i = 0; i < out->metadata_count && status == ELELEM_OK; i++)
        status = els_out_write(c, &els_out_metadata_at(c, c->els_metadata_taken + i)->json);
    return status;
}

ELS_PRIVATE void els_shape_take_metadata(elelem_shape_context *c, uint32_t count, elelem_metadata *metadata)
{
    elelem_metadata_entry *entries = els_entries_of(c, count);
    uint32_t i;

    for (i = 0; i < count; i++) {
        const els_out_metadata *entry = els_out_metadata_at(c, c->els_metadata_taken++);
        entries[i].key = entry->key;
        entries[i].json = els_out_str(c, &entry->json);
    }
    metadata->entries = count > 0 ? entries : NULL;
    metadata->count = count;
}

/* Flushes what is open at the end of the stream. A call that the wire did not close ended by no reason:
   that came before it, or never. */
ELS_PRIVATE void els_shape_flush_rest(elelem_shape_context *c)
{
    c->els_emits = 1;
    while (c->els_emits && c->els_item_count > 0) {
        const els_item *item = els_item_to_flush(c, ELS_ANY_CHOICE);
        int is_left = item->kind == ELELEM_PART_TOOL_CALL && !item->waits;
        elelem_shape_ending ending = is_left ? ELELEM_SHAPE_STOPPED : elelem_shape_choice_ending(c, item->choice);
        elelem_shape_flush_as(c, item->index, ending);
    }
}

ELS_PRIVATE void els_shape_take_part(const elelem_shape_context *c, const els_out *out, elelem_event_part *part)
{
    elelem_str text = els_out_str(c, &out->text);

    part->kind = out->part_kind;
    part->tool_call.kind = out->tool_call_kind;
    if (out->part_kind == ELELEM_PART_PROVIDER_ITEM) {
        part->text = text;
        part->type = out->name;
        part->hosted = out->hosted;
    } else if (out->part_kind != ELELEM_PART_TOOL_CALL) {
        part->text = text;
    } else if (out->tool_call_kind == ELELEM_TOOL_CALL_START) {
        part->tool_call.id = text;
        part->tool_call.name = out->name;
    } else {
        part->tool_call.text = text;
    }
}

ELS_PRIVATE void els_shape_take_extra(elelem_event *event)
{
    elelem_metadata *metadata = &event->metadata;
    elelem_str text;

    if (metadata->count == 0 || metadata->entries[metadata->count - 1].key.data != els_extra_key) return;
    text = metadata->entries[--metadata->count].json;
    if (event->part.kind == ELELEM_PART_TOOL_CALL) event->part.tool_call.type = text;
    else event->part.caption = text;
}

/* The next event of the frame: OK; MORE: there is none; or there is no memory for it. */
ELS_PRIVATE elelem_status els_shape_take(elelem_shape_context *c, elelem_event *event)
{
    els_out *out;
    elelem_status status;

    if (c->els_out_taken == c->els_out_count) {
        status = c->els_usage_node ? els_shape_keep_usage(c) : ELELEM_OK;
        return status == ELELEM_OK ? ELELEM_MORE : status;
    }
    out = els_out_at(c, c->els_out_taken++);
    status = out->metadata_count > 0 || out->text.form != ELS_OUT_PLAIN ? els_shape_write(c, out) : ELELEM_OK;
    if (status != ELELEM_OK) return status;
    memset(event, 0, sizeof *event);
    event->kind = out->kind;
    event->cut_off = out->cut_off;
    event->index = out->index;
    event->choice = out->choice;
    if (out->kind == ELELEM_EVENT_PART) els_shape_take_part(c, out, &event->part);
    if (out->metadata_count == 0) return ELELEM_OK;
    els_shape_take_metadata(c, out->metadata_count, &event->metadata);
    els_shape_take_extra(event);
    return ELELEM_OK;
}

/* The reasons of the choices but the first, as an object. */
ELS_PRIVATE void els_shape_other_reasons(elelem_shape_context *c)
{
    elelem_writer writer;
    size_t offset = els_scratch_begin(c, &writer);
    uint32_t i;
    int any = 0;

    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    for (i = 0; i < c->els_choice_count; i++) {
        const els_choice *choice = els_choice_at(c, i);
        char digits[12];
        elelem_span_sink span;
        elelem_writer number;
        if (choice->choice == 0 || !choice->reason) continue;
        any = 1;
        span.data = digits;
        span.capacity = sizeof digits;
        span.size = 0;
        elelem_writer_init(&number, elelem_span_sink_of(&span), 0);
        elelem_writer_uint64(&number, choice->choice);
        elelem_writer_key(&writer, els_str(digits, span.size));
        elelem_writer_string(&writer, elelem_str_of(elelem_finish_reason_name((choice->reason - 1))));
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    if (els_scratch_end(c, &writer) && any) els_metadata_add(c, elelem_str_of("finish_reasons"), offset);
}

/* The end event with its metadata; the error if there is no room for that. */
ELS_PRIVATE elelem_status els_shape_end(elelem_shape_context *c, elelem_event *event)
{
    elelem_str usage = els_usage_text(&c->els_usage);
    elelem_str aside = elelem_buffer_text(&c->els_aside);

    els_shape_clear_out(c);
    c->els_emits = 1;
    if (c->els_end.kind == ELELEM_EVENT_FINISHED) {
        if (usage.size > 0) elelem_shape_metadata_json(c, elelem_str_of("usage"), usage);
        if (c->els_choice_count > 1) els_shape_other_reasons(c);
    }
    if (aside.size > 0) elelem_shape_metadata_json(c, elelem_str_of(c->els_aside_key), aside);
    *event = c->els_end;
    els_shape_take_metadata(c, c->els_metadata_count, &event->metadata);
    c->els_emits = 0;
    return event->kind == ELELEM_EVENT_FINISHED ? (elelem_status)c->els_status : ELELEM_OK;
}

/* >> recovery */

/* JSON strings with their escapes, which are compared without storing the decoded ones. */

/* A reader of the decoded bytes of such a string. */
typedef struct els_letters {
    const unsigned char *at;
    const unsigned char *end;
    unsigned char bytes[4]; /* of the character that was escaped */
    uint8_t count;          /* of these bytes */
    uint8_t taken;          /* how many of them were read */
} els_letters;

ELS_PRIVATE els_letters els_letters_of(elelem_str json)
{
    els_letters letters;

    memset(&letters, 0, sizeof letters);
    letters.at = (const unsigned char *)json.data + 1;
    letters.end = letters.at + (json.size - 2);
    return letters;
}

ELS_PRIVATE uint32_t els_letters_unit(els_letters *letters)
{
    uint32_t unit = 0;
    int i;

    for (i = 0; i < 4 && letters->at < letters->end; i++)
        unit = unit << 4 | (uint32_t)els_hex_digit(*letters->at++);
    return unit;
}

/* Reads the character of a \u, or of a pair of surrogates. */
ELS_PRIVATE uint32_t els_letters_character(els_letters *letters)
{
    uint32_t character = els_letters_unit(letters);
    els_letters ahead = *letters;
    uint32_t low;

    if (character < 0xd800 || character >= 0xdc00 || letters->end - letters->at < 6) return character;
    if (letters->at[0] != '\\' || letters->at[1] != 'u') return character;
    ahead.at += 2;
    low = els_letters_unit(&ahead);
    if (low < 0xdc00 || low >= 0xe000) return character;
    *letters = ahead;
    return 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
}

/* Decodes the escape after a backslash into `bytes`. */
ELS_PRIVATE void els_letters_escape(els_letters *letters)
{
    unsigned char letter = *letters->at++;
    const char *place = letter ? strchr(els_escape_letters, letter) : NULL;
    uint32_t character = letter;

    if (letter == 'u') {
        character = els_letters_character(letters);
    } else if (place) {
        character = els_escape_bytes[place - els_escape_letters];
    }
    letters->count = (uint8_t)elelem_utf8_encode(character, (char *)letters->bytes);
    letters->taken = 0;
}

/* Returns the next decoded byte, -1 at the end. */
ELS_PRIVATE int els_letters_next(els_letters *letters)
{
    if (letters->taken < letters->count) return letters->bytes[letters->taken++];
    if (letters->at >= letters->end) return -1;
    if (*letters->at != '\\' || letters->end - letters->at < 2) return *letters->at++;
    letters->at++;
    els_letters_escape(letters);
    return letters->bytes[letters->taken++];
}

/* Nonzero if both strings, which have their quotes, are equal when decoded. Most are not, and differ before any
   escape. */
ELS_PRIVATE int els_same_string(elelem_str a, elelem_str b)
{
    els_letters first, second;
    size_t size = a.size < b.size ? a.size : b.size;
    size_t same = 1;
    int letter;

    while (same < size && a.data[same] == b.data[same] && a.data[same] != '\\')
        same++;
    if (same < size && a.data[same] != '\\' && b.data[same] != '\\') return 0;
    first = els_letters_of(a);
    second = els_letters_of(b);
    first.at += same - 1;
    second.at += same - 1;
    do {
        letter = els_letters_next(&first);
        if (letter != els_letters_next(&second)) return 0;
    } while (letter >= 0);
    return 1;
}

/* Returns the string that ends at `end`, with its quotes: it begins at the last quote before that is not escaped. */
ELS_PRIVATE elelem_str els_string_before(const char *start, size_t end)
{
    size_t at = end - 1;

    for (;;) {
        size_t slashes = 0;
        at--;
        while (start[at] != '"')
            at--;
        while (at > slashes && start[at - 1 - slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0) return els_str(start + at, end - at);
    }
}

/* Reads JSON text that is whole in memory, string by string. The path is stored in a small arena; if it
   does not fit, reading stops. */

#define ELS_REQUEST_NODES 64

typedef struct els_request {
    elelem_fragment_parser parser;
    elelem_patterns patterns;
    elelem_pattern_node nodes[ELS_REQUEST_NODES];
    uint16_t which[16]; /* the node of each path */
    elelem_str text;
    elelem_arena arena;
    size_t memory[256];
} els_request;

/* If `patterns` is null, every value is read. */
ELS_PRIVATE void els_request_open(els_request *r, elelem_str text, const elelem_patterns *patterns)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.patterns = patterns;
    desc.allocator = elelem_arena_init(&r->arena, r->memory, sizeof r->memory);
    r->text = text;
    elelem_fragment_parser_init(&r->parser, &desc);
    elelem_fragment_parser_push(&r->parser, text.data, text.size);
}

/* Reads up to the end of the next string (DONE) or the next BEGIN of a container; 0 at the end. `*json` is the
   string. */
ELS_PRIVATE int els_request_next(els_request *r, elelem_fragment *fragment, elelem_str *json)
{
    while (elelem_fragment_parser_next(&r->parser, fragment) == ELELEM_OK) {
        if (fragment->kind == ELELEM_FRAGMENT_BEGIN) return 1;
        if (fragment->kind != ELELEM_FRAGMENT_DONE || fragment->type != ELELEM_TYPE_STRING) continue;
        *json = els_string_before(r->text.data, (size_t)elelem_fragment_parser_offset(&r->parser));
        return 1;
    }
    return 0;
}

/* As many patches as a mask has bits are tried together. */
#define ELS_PATCHES_AT_ONCE 64

/* Returns the mask of the patches that have this match_key. */
ELS_PRIVATE uint64_t els_patches_under(const elelem_patch *patches, size_t count, elelem_str key)
{
    uint64_t mask = 0;
    size_t i;

    for (i = 0; i < count; i++)
        if (patches[i].match_value.size >= 2 && elelem_str_equal(patches[i].match_key, key)) mask |= (uint64_t)1 << i;
    return mask;
}

/* Returns those patches of the mask whose match_value the JSON value is, or contains. */
ELS_PRIVATE uint64_t els_patches_held(const elelem_patch *patches, uint64_t mask, elelem_str json)
{
    els_request reading;
    elelem_fragment fragment;
    elelem_str found;
    uint64_t left, held = 0;
    size_t i;

    els_request_open(&reading, json, NULL);
    while (held != mask && els_request_next(&reading, &fragment, &found)) {
        if (fragment.kind != ELELEM_FRAGMENT_DONE) continue;
        for (i = 0, left = mask & ~held; left; i++, left >>= 1)
            if (left & 1 && els_same_string(found, patches[i].match_value)) held |= (uint64_t)1 << i;
    }
    return held;
}

ELS_PRIVATE uint64_t els_patches_fit(const elelem_patch *patches, size_t count, const elelem_metadata_entry *entries,
                                     size_t entry_count)
{
    uint64_t mask = 0;
    size_t i;

    for (i = 0; i < entry_count; i++) {
        uint64_t under = els_patches_under(patches, count, entries[i].key) & ~mask;
        if (under) mask |= els_patches_held(patches, under, entries[i].json);
    }
    return mask;
}

ELS_PRIVATE size_t els_entries_remove(elelem_metadata_entry *entries, size_t count, elelem_str key)
{
    size_t i, kept = 0;

    for (i = 0; i < count; i++)
        if (!elelem_str_equal(entries[i].key, key)) entries[kept++] = entries[i];
    return kept;
}

size_t elelem_patch_apply(const elelem_patch *patches, size_t patch_count, elelem_metadata_entry *entries, size_t *count)
{
    size_t first, i, before = *count;

    for (first = 0; first < patch_count; first += ELS_PATCHES_AT_ONCE) {
        size_t left = patch_count - first;
        size_t some = left < ELS_PATCHES_AT_ONCE ? left : ELS_PATCHES_AT_ONCE;
        uint64_t fit = els_patches_fit(patches + first, some, entries, *count);
        for (i = 0; i < some; i++)
            if (fit >> i & 1) *count = els_entries_remove(entries, *count, patches[first + i].remove_key);
    }
    return before - *count;
}

/* The search for stale values. */

/* What is searched for in a request. */
typedef struct els_search {
    const elelem_recovery_path *paths;
    size_t path_count;
    unsigned rejection;
    elelem_str named;   /* the value that the provider's sentence names, or the beginning of a shortened one */
    elelem_str ending;  /* the end of a shortened value */
    int is_shortened;   /* the sentence has only the beginning and the end of the value */
    int64_t slot;       /* the message and block that the sentence names, -1 if it names none */
    int64_t block;
    int64_t turn;       /* the turn that is rejected begins after this message of the user's own */
} els_search;

ELS_PRIVATE void els_search_open(const els_search *s, els_request *r, elelem_str request)
{
    const char *texts[16];
    size_t i, count = s->path_count < 16 ? s->path_count : 16;

    for (i = 0; i < count; i++)
        texts[i] = s->paths[i].path;
    if (elelem_patterns_compile(&r->patterns, r->nodes, ELS_REQUEST_NODES, texts, count, r->which, NULL) != ELELEM_OK)
        request.size = 0;
    els_request_open(r, request, &r->patterns);
}

/* Returns the path that is exactly that of the fragment; null if none is. */
ELS_PRIVATE const elelem_recovery_path *els_search_path(const els_search *s, const els_request *r,
                                                        const elelem_fragment *fragment)
{
    size_t i;

    for (i = 0; i < s->path_count && i < 16; i++)
        if (r->which[i] == fragment->pattern && els_node_depth(&r->patterns, r->which[i]) == fragment->path->count)
            return &s->paths[i];
    return NULL;
}

/* Returns the decimal number after `words` in the message, -1 if there is none. */
ELS_PRIVATE int64_t els_number_after(elelem_str message, const char *words)
{
    size_t i, size = strlen(words);
    int64_t number = -1;

    for (i = 0; i + size < message.size && i < 4096 && number < 0; i++) {
        size_t at = i + size;
        if (memcmp(message.data + i, words, size) != 0) continue;
        for (; at < message.size && message.data[at] >= '0' && message.data[at] <= '9' && number < 1000000; at++)
            number = (number < 0 ? 0 : number) * 10 + (message.data[at] - '0');
    }
    return number;
}

/* Reads what the message names at this offset, up to the next space or quote: an id, or the first and last letters
   of encrypted content with dots between them. */
ELS_PRIVATE void els_search_name(els_search *s, elelem_str message, size_t at)
{
    size_t end = at, dots;

    while (end < message.size && message.data[end] != ' ' && message.data[end] != '\'' && message.data[end] != '"')
        end++;
    s->named = els_str(message.data + at, end - at);
    s->ending = els_str(NULL, 0);
    s->is_shortened = 0;
    for (dots = at; dots + 3 <= end; dots++) {
        if (memcmp(message.data + dots, "...", 3) != 0) continue;
        s->named.size = dots - at;
        s->ending = els_str(message.data + dots + 3, end - dots - 3);
        s->is_shortened = 1;
        return;
    }
}

/* The position in the messages of a request, which are read in order. */
typedef struct els_slots {
    int64_t slot;    /* the current message, -1 before the first */
    int64_t own;     /* the last message of the user's own */
    int64_t logical; /* its index if round trips to tools are not counted */
    int is_user;
    int is_result;
    int was_assistant;
} els_slots;

/* Ends a message. One of the user's own, which has no result of a tool call, begins a turn. A CHANGE is rejected in the
   latest turn that has a message of the model. */
ELS_PRIVATE void els_slots_close(els_search *s, els_slots *seen)
{
    if (seen->slot < 0 || (seen->is_user && seen->is_result)) return;
    if (seen->is_user) seen->own = seen->slot;
    if (!seen->is_user || s->rejection != ELELEM_REJECTED_CHANGE) s->turn = seen->own;
    if (seen->is_user || !seen->was_assistant) seen->logical++;
    seen->was_assistant = !seen->is_user;
    /* The provider may or may not count round trips to tools. Before the first one both numbers are
       the same; after it the provider's number cannot be trusted. */
    if (seen->slot == s->slot && seen->logical != seen->slot) s->slot = -1;
}

ELS_PRIVATE void els_slots_at(els_search *s, els_slots *seen, int64_t slot)
{
    if (slot == seen->slot) return;
    els_slots_close(s, seen);
    seen->slot = slot;
    seen->is_user = seen->is_result = 0;
}

/* Reads up to the next value that a path names; null at the end. What is in a container is skipped. */
ELS_PRIVATE const elelem_recovery_path *els_search_next(const els_search *s, els_request *r, elelem_fragment *fragment,
                                                        elelem_str *json)
{
    while (els_request_next(r, fragment, json)) {
        const elelem_recovery_path *path = els_search_path(s, r, fragment);
        if (!path || fragment->path->count < 2) continue;
        if (fragment->kind == ELELEM_FRAGMENT_BEGIN && elelem_fragment_parser_skip(&r->parser) != ELELEM_OK) return NULL;
        return path;
    }
    return NULL;
}

/* Reads the request for the first time: finds where the rejected turn begins, and whether the place that the
   sentence names can be trusted. */
ELS_PRIVATE void els_search_turns(els_search *s, elelem_str request)
{
    els_request reading;
    els_slots seen = { -1, -1, -1, 0, 0, 0 };
    elelem_fragment fragment;
    elelem_str json = els_str(NULL, 0);
    const elelem_recovery_path *path;

    els_search_open(s, &reading, request);
    while ((path = els_search_next(s, &reading, &fragment, &json)) != NULL) {
        int is_string = fragment.kind == ELELEM_FRAGMENT_DONE;
        els_slots_at(s, &seen, fragment.path->segments[1].index);
        if (path->role == ELELEM_RECOVERY_RESULT) seen.is_result = 1;
        if (path->role == ELELEM_RECOVERY_BLOCK_TYPE && is_string && elelem_str_is(json, "\"tool_result\""))
            seen.is_result = 1;
        if (path->role == ELELEM_RECOVERY_SPEAKER && is_string) seen.is_user = elelem_str_is(json, "\"user\"");
    }
    els_slots_close(s, &seen);
}

/* How sure it is that a value is the rejected one. */
enum { ELS_SURE_NOT, ELS_SURE_SOME, ELS_SURE_TURN, ELS_SURE_EXACT };

ELS_PRIVATE int els_search_names(const els_search *s, elelem_str json)
{
    elelem_str text = els_str(json.data + 1, json.size - 2);

    if (!s->is_shortened) return elelem_str_equal(text, s->named);
    return text.size >= s->named.size + s->ending.size &&
           elelem_str_equal(els_str(text.data, s->named.size), s->named) &&
           elelem_str_equal(els_str(text.data + (text.size - s->ending.size), s->ending.size), s->ending);
}

ELS_PRIVATE int els_search_sure(const els_search *s, const elelem_path *path, elelem_str json)
{
    int64_t slot = path->segments[1].index;
    int64_t block = path->count > 3 ? (int64_t)path->segments[3].index : -1;

    if (s->rejection == ELELEM_REJECTED_SIGNATURE && slot == s->slot && block == s->block) return ELS_SURE_EXACT;
    if (s->rejection & (ELELEM_REJECTED_ITEM | ELELEM_REJECTED_ENCRYPTED) && els_search_names(s, json))
        return ELS_SURE_EXACT;
    if (s->rejection & (ELELEM_REJECTED_CHANGE | ELELEM_REJECTED_THOUGHT) && slot > s->turn) return ELS_SURE_TURN;
    return ELS_SURE_SOME;
}

/* Nonzero for the values that Google accepts instead of a signature; they are never stale. */
ELS_PRIVATE int els_is_dummy_signature(elelem_str json)
{
    return elelem_str_is(json, "\"skip_thought_signature_validator\"") ||
           elelem_str_is(json, "\"context_engineering_is_the_way_to_go\"");
}

ELS_PRIVATE int els_is_candidate(const els_search *s, const elelem_recovery_path *path, elelem_str json)
{
    if (path->role != ELELEM_RECOVERY_VALUE || !(path->rejections & s->rejection) || json.size <= 2) return 0;
    if (s->rejection == ELELEM_REJECTED_ITEM && (json.size < 6 || memcmp(json.data, "\"rs_", 4) != 0))
        return els_search_names(s, json);
    return !els_is_dummy_signature(json);
}

/* Adds a patch if there is room and no equal one. */
ELS_PRIVATE size_t els_search_add(elelem_patch *patches, size_t count, size_t capacity, const char *key, elelem_str json)
{
    size_t i;

    if (count == capacity) return count;
    for (i = 0; i < count; i++)
        if (elelem_str_is(patches[i].match_key, key) && elelem_str_equal(patches[i].match_value, json)) return count;
    patches[count].match_key = patches[count].remove_key = elelem_str_of(key);
    patches[count].match_value = json;
    return count + 1;
}

/* Reads the request for the second time: makes patches for the surest candidates only. */
ELS_PRIVATE size_t els_search_values(const els_search *s, elelem_str request, elelem_patch *patches, size_t capacity)
{
    els_request reading;
    elelem_fragment fragment;
    elelem_str json = els_str(NULL, 0);
    size_t count = 0;
    int best = ELS_SURE_SOME;
    const elelem_recovery_path *path;

    els_search_open(s, &reading, request);
    while ((path = els_search_next(s, &reading, &fragment, &json)) != NULL) {
        int sure;
        if (fragment.kind != ELELEM_FRAGMENT_DONE || !els_is_candidate(s, path, json)) continue;
        sure = els_search_sure(s, fragment.path, json);
        if (sure > best) count = 0;
        if (sure < best) continue;
        best = sure;
        count = els_search_add(patches, count, capacity, path->key, json);
    }
    return count;
}

/* Finds the patches for the rejection that the message reports. */
ELS_PRIVATE size_t els_recovery_search(const elelem_recovery_path *paths, size_t path_count, elelem_str message,
                                       elelem_str request, elelem_patch *patches, size_t capacity)
{
    const els_rejection_words *rejection = els_rejection_in(message);
    els_search search;

    if (!rejection || !request.data) return 0;
    search.paths = paths;
    search.path_count = path_count;
    search.rejection = rejection->rejection;
    els_search_name(&search, message, els_find_end(message, rejection->words));
    search.slot = els_number_after(message, "messages.");
    search.block = els_number_after(message, ".content.");
    search.turn = -1;
    els_search_turns(&search, request);
    return els_search_values(&search, request, patches, capacity);
}

size_t elelem_recovery_find(const elelem_shape *shape, const elelem_failure *error, elelem_str request,
                            elelem_patch *patches, size_t capacity)
{
    elelem_str report;

    if (!shape || !error || error->kind != ELELEM_ERROR_KIND_RECOVERABLE) return 0;
    report = els_rejection_in(error->message) ? error->message : error->code;
    return els_recovery_search(shape->recovery, shape->recovery_count, report, request, patches, capacity);
}

/* >> shape_chat */

#ifndef ELELEM_NO_CHAT

/* A chunk: {"choices":[{"index":0,"delta":{...},"finish_reason":null}],"usage":{...},"error":{...}}
   Real ones put their members in any order, so a chunk is worked on when it is whole. Of the choices their BEGIN is wanted,
   because a chunk may say nothing, and still is one.
   Members are looked up from one row to another: of the root from USAGE to SEARCH_RESULTS, of a choice from INDEX to DELTA, of
   a delta from CONTENT to PROVIDER_METADATA. A new one belongs between these. */
#define ELS_CHAT_PATHS(P, MEMBER, ELEMENTS)                            \
    MEMBER(P, CHOICES, ROOT, "choices", BEGIN)                         \
    MEMBER(P, USAGE, ROOT, "usage", WHOLE)                             \
    MEMBER(P, GROQ, ROOT, "x_groq", NOTHING)                           \
    MEMBER(P, CITATIONS, ROOT, "citations", WHOLE)                     \
    MEMBER(P, SEARCH_RESULTS, ROOT, "search_results", WHOLE)           \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                             \
    MEMBER(P, OBJECT, ROOT, "object", WHOLE)                           \
    MEMBER(P, MESSAGE, ROOT, "message", WHOLE)                         \
    MEMBER(P, CODE, ROOT, "code", WHOLE)                               \
    MEMBER(P, TYPE, ROOT, "type", WHOLE)                               \
    ELEMENTS(P, CHOICE, CHOICES, NOTHING)                              \
    MEMBER(P, GROQ_USAGE, GROQ, "usage", WHOLE)                        \
    MEMBER(P, INDEX, CHOICE, "index", WHOLE)                           \
    MEMBER(P, FINISH_REASON, CHOICE, "finish_reason", WHOLE)           \
    MEMBER(P, DELTA, CHOICE, "delta", NOTHING)                         \
    MEMBER(P, CONTENT, DELTA, "content", WHOLE)                        \
    MEMBER(P, REASONING_CONTENT, DELTA, "reasoning_content", WHOLE)    \
    MEMBER(P, REASONING, DELTA, "reasoning", WHOLE)                    \
    MEMBER(P, REASONING_DETAILS, DELTA, "reasoning_details", WHOLE)    \
    MEMBER(P, REFUSAL, DELTA, "refusal", WHOLE)                        \
    MEMBER(P, TOOL_CALLS, DELTA, "tool_calls", WHOLE)                  \
    MEMBER(P, FUNCTION_CALL, DELTA, "function_call", WHOLE)            \
    MEMBER(P, ANNOTATIONS, DELTA, "annotations", WHOLE)                \
    MEMBER(P, PROVIDER_METADATA, DELTA, "provider_metadata", WHOLE)

ELELEM_SHAPE_PATHS(ELS_CHAT_PATHS, ELS_CHAT_, els_chat_paths);

/* Keys of the items that a choice can have besides its calls and its blocks of reasoning. */
enum { ELS_CHAT_TEXT_KEY, ELS_CHAT_REFUSAL_KEY };

/* The key of a call that came as function_call, which has no index. */
#define ELS_CHAT_FUNCTION_CALL_KEY 0xfffffffeu

/* State of the stream. */
typedef struct els_chat_stream {
    uint32_t citations; /* emitted already, of lists that are repeated */
    uint32_t search_results;
    int had_chunk;
    int has_read_lists; /* of this chunk */
} els_chat_stream;

/* State of a choice. */
typedef struct els_chat_choice {
    int is_refused; /* it had refusal text */
} els_chat_choice;

/* State of an item. */
typedef struct els_chat_item {
    int is_unnumbered; /* a call whose first piece had no index */
} els_chat_item;

static els_chat_stream *els_chat_stream_of(const elelem_shape_context *c)
{
    return (els_chat_stream *)elelem_shape_stream_state(c);
}

static els_chat_item *els_chat_state(const elelem_shape_item *item)
{
    return (els_chat_item *)elelem_shape_item_state(item);
}

/* Reasoning. `reasoning` and `reasoning_content` are the same text if both come, and
   entries of reasoning_details say it once more. */

/* The text of one entry; its name depends on the type. */
static elelem_str els_chat_detail_text(elelem_value entry)
{
    elelem_str text = elelem_shape_string_in(entry, "text");

    return text.size > 0 ? text : elelem_shape_string_in(entry, "summary");
}

/* An entry says more than its text if it has a signature or data. */
static int els_chat_detail_says_more(elelem_value entry)
{
    return elelem_shape_string_in(entry, "signature").size > 0 || elelem_shape_string_in(entry, "data").size > 0;
}

static int els_chat_any_says_more(elelem_value entry, elelem_value end)
{
    while (!elelem_shape_is_same(entry, end) && !els_chat_detail_says_more(entry))
        entry = elelem_value_next(entry);
    return !elelem_shape_is_same(entry, end);
}

static void els_chat_write_detail(elelem_writer *writer, elelem_value entry)
{
    elelem_value member;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(entry); elelem_value_type(member) != ELELEM_TYPE_NONE;
         member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (elelem_str_is(key, "text") || elelem_str_is(key, "summary")) continue;
        elelem_writer_key(writer, key);
        elelem_writer_value(writer, member);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* Entries with one index are one block of reasoning, which is an item whose key is that index. An entry without
   an index belongs to the block before it. Returns the first entry after this one that is of another block, or no value. */
static elelem_value els_chat_block_end(elelem_value entry, uint32_t key)
{
    do
        entry = elelem_value_next(entry);
    while (elelem_shape_is_there(entry) && elelem_shape_number_or(elelem_value_get(entry, "index"), key) == key);
    return entry;
}

/* Adds what the entries up to `end` say in addition to their text; with `all` also entries that only have their kind. */
static void els_chat_details(elelem_shape_context *c, elelem_value entry, elelem_value end, int all)
{
    elelem_writer *writer = elelem_shape_write(c);
    int any = 0;

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; !elelem_shape_is_same(entry, end); entry = elelem_value_next(entry)) {
        if (elelem_value_type(entry) != ELELEM_TYPE_OBJECT || (!all && !els_chat_detail_says_more(entry))) continue;
        els_chat_write_detail(writer, entry);
        any = 1;
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    if (any) elelem_shape_metadata_written(c, elelem_str_of("reasoning_details"));
}

static elelem_str els_chat_reasoning_text(const elelem_shape_context *c)
{
    elelem_str text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REASONING_CONTENT));

    return text.size > 0 ? text : elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REASONING));
}

/* The first entry from here up to `end` that has a text, or `end`. */
static elelem_value els_chat_detail_with_text(elelem_value entry, elelem_value end)
{
    while (!elelem_shape_is_same(entry, end) && els_chat_detail_text(entry).size == 0)
        entry = elelem_value_next(entry);
    return entry;
}

/* The key of the reasoning that is open; 0 if none is. */
static uint32_t els_chat_open_reasoning(const elelem_shape_context *c, uint32_t choice)
{
    const elelem_shape_item *item = elelem_shape_item_at(c, elelem_shape_item_text(c, choice));

    return item && item->kind == ELELEM_PART_REASONING ? item->key : 0;
}

static void els_chat_say(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, uint32_t key, elelem_str text)
{
    if (text.size == 0) return;
    elelem_shape_text(c, elelem_shape_item_continue(c, choice, kind, key), text);
}

/* Metadata that waits goes on the open item of its kind, or on a new one. That is over at once if it would come between the
   pieces of another text. */
static void els_chat_aside(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, uint32_t key)
{
    uint32_t index = elelem_shape_item_find(c, choice, kind, key);
    uint32_t other = elelem_shape_item_text(c, choice);
    int is_new = index == ELELEM_NO_INDEX;

    if (!elelem_shape_has_metadata(c)) return;
    if (is_new) index = elelem_shape_item_open(c, choice, kind, key);
    elelem_shape_text(c, index, els_str(NULL, 0));
    if (is_new && other != ELELEM_NO_INDEX) elelem_shape_flush(c, index);
}

/* Ends a block of reasoning that is open, if it is another than that of the key. */
static void els_chat_end_block(elelem_shape_context *c, uint32_t choice, uint32_t key)
{
    const elelem_shape_item *open = elelem_shape_item_at(c, elelem_shape_item_text(c, choice));

    if (open && open->kind == ELELEM_PART_REASONING && open->key != key) elelem_shape_flush(c, open->index);
}

/* The entries of one block: the texts, or in their place the delta's own, and on the first of them what else the entries say. */
static void els_chat_block(elelem_shape_context *c, uint32_t choice, elelem_value first, elelem_value end, uint32_t key,
                           elelem_str own)
{
    int is_new = elelem_shape_item_find(c, choice, ELELEM_PART_REASONING, key) == ELELEM_NO_INDEX;
    elelem_value entry = own.size > 0 ? end : els_chat_detail_with_text(first, end);
    int has_text = own.size > 0 || !elelem_shape_is_same(entry, end);

    if (has_text) {
        uint32_t index = elelem_shape_item_continue(c, choice, ELELEM_PART_REASONING, key);
        els_chat_details(c, first, end, is_new);
        elelem_shape_text(c, index, own.size > 0 ? own : els_chat_detail_text(entry));
    } else if (els_chat_any_says_more(first, end)) {
        els_chat_end_block(c, choice, key);
        els_chat_details(c, first, end, 0);
        els_chat_aside(c, choice, ELELEM_PART_REASONING, key);
    }
    while (!elelem_shape_is_same(entry, end)) {
        entry = els_chat_detail_with_text(elelem_value_next(entry), end);
        if (!elelem_shape_is_same(entry, end))
            els_chat_say(c, choice, ELELEM_PART_REASONING, key, els_chat_detail_text(entry));
    }
}

/* The delta's own text repeats the texts of the entries. It counts unless those are of several blocks. */
static void els_chat_reasoning(elelem_shape_context *c, uint32_t choice)
{
    static const elelem_value none = ELELEM_INIT;
    elelem_value entry = elelem_value_first(elelem_shape_field(c, ELS_CHAT_REASONING_DETAILS));
    uint32_t key = elelem_shape_number_or(elelem_value_get(entry, "index"), els_chat_open_reasoning(c, choice));
    elelem_str own = els_chat_reasoning_text(c);

    if (!elelem_shape_is_there(entry)) els_chat_say(c, choice, ELELEM_PART_REASONING, key, own);
    else if (elelem_shape_is_there(els_chat_block_end(entry, key)) &&
             elelem_shape_is_there(els_chat_detail_with_text(entry, none))) own.size = 0;
    while (elelem_shape_is_there(entry)) {
        elelem_value end = els_chat_block_end(entry, key);
        els_chat_block(c, choice, entry, end, key, own);
        own.size = 0;
        entry = end;
        key = elelem_shape_number_or(elelem_value_get(entry, "index"), key);
    }
}

/* Content: a string, or an array of parts {"type":"text","text":...} and
   {"type":"thinking","thinking":[{"type":"text","text":...}]} (Mistral). */

static void els_chat_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_value inner = elelem_value_first(elelem_value_get(part, "thinking"));

    els_chat_say(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY, elelem_shape_string_in(part, "text"));
    for (; elelem_shape_is_there(inner); inner = elelem_value_next(inner))
        els_chat_say(c, choice, ELELEM_PART_REASONING, ELS_CHAT_TEXT_KEY, elelem_shape_string_in(inner, "text"));
}

static void els_chat_content(elelem_shape_context *c, uint32_t choice)
{
    elelem_value content = elelem_shape_field(c, ELS_CHAT_CONTENT);
    elelem_value part;

    els_chat_say(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY, elelem_shape_string(content));
    if (elelem_value_type(content) != ELELEM_TYPE_ARRAY) return;
    for (part = elelem_value_first(content); elelem_shape_is_there(part); part = elelem_value_next(part))
        els_chat_part(c, choice, part);
}

static void els_chat_refusal(elelem_shape_context *c, uint32_t choice)
{
    elelem_str text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REFUSAL));
    els_chat_choice *state;
    uint32_t index;

    if (text.size == 0) return;
    index = elelem_shape_item_continue(c, choice, ELELEM_PART_MESSAGE, ELS_CHAT_REFUSAL_KEY);
    elelem_shape_metadata_json(c, elelem_str_of("refusal"), elelem_str_of("true"));
    elelem_shape_text(c, index, text);
    state = (els_chat_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->is_refused = 1;
}

/* Some providers repeat the list in every chunk, and it may grow: only what is new is emitted. */
static void els_chat_list(elelem_shape_context *c, unsigned row, uint32_t *emitted)
{
    elelem_value list = elelem_shape_field(c, row);
    elelem_value entry;
    elelem_writer *writer;
    uint32_t count = 0;

    if (elelem_value_type(list) != ELELEM_TYPE_ARRAY) return;
    writer = elelem_shape_write(c);
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (entry = elelem_value_first(list); elelem_shape_is_there(entry); entry = elelem_value_next(entry))
        if (count++ >= *emitted) elelem_writer_value(writer, entry);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    if (count <= *emitted) return;
    *emitted = count;
    elelem_shape_metadata_written(c, els_str(els_chat_paths[row].key, els_chat_paths[row].size));
}

/* Once a chunk. */
static void els_chat_lists(elelem_shape_context *c)
{
    els_chat_stream *stream = els_chat_stream_of(c);

    if (stream->has_read_lists) return;
    stream->has_read_lists = 1;
    els_chat_list(c, ELS_CHAT_CITATIONS, &stream->citations);
    els_chat_list(c, ELS_CHAT_SEARCH_RESULTS, &stream->search_results);
}

static void els_chat_metadata(elelem_shape_context *c, uint32_t choice)
{
    elelem_value annotations = elelem_shape_field(c, ELS_CHAT_ANNOTATIONS);
    elelem_value provider = elelem_shape_field(c, ELS_CHAT_PROVIDER_METADATA);

    if (elelem_value_type(elelem_value_first(annotations)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "annotations", annotations);
    if (elelem_shape_is_value(provider)) elelem_shape_metadata_value(c, "provider_metadata", provider);
    if (choice == 0) els_chat_lists(c);
    els_chat_aside(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY);
}

/* Tool calls. */

/* The item of the call with this wire number: a new one if there is none, or if the id
   says that another call has begun under the same number. */
static uint32_t els_chat_call_item(elelem_shape_context *c, uint32_t choice, uint32_t key, elelem_str id)
{
    uint32_t index = elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, key);
    uint32_t text;

    if (index != ELELEM_NO_INDEX) {
        if (elelem_shape_item_may_be(c, index, id)) return index;
        elelem_shape_flush(c, index);
    }
    text = elelem_shape_item_text(c, choice);
    if (text != ELELEM_NO_INDEX) elelem_shape_flush(c, text);
    return elelem_shape_item_open(c, choice, ELELEM_PART_TOOL_CALL, key);
}

/* A piece of a call: the call, and its function. */
typedef struct els_chat_piece {
    elelem_value call;
    elelem_value function;
    elelem_str id;
    elelem_str name;
} els_chat_piece;

static els_chat_piece els_chat_piece_of(elelem_value call, elelem_value function)
{
    els_chat_piece piece;

    piece.call = call;
    piece.function = function;
    piece.id = elelem_shape_string_in(call, "id");
    piece.name = elelem_shape_string_in(function, "name");
    return piece;
}

/* Nonzero if the piece can only continue a call: it has no id and no name. */
static int els_chat_continues(const els_chat_piece *piece)
{
    return piece->id.size == 0 && piece->name.size == 0;
}

/* Nonzero if the piece has nothing of a call: Snowflake sends a call with an empty name and empty arguments in
   responses without any. */
static int els_chat_is_empty(const els_chat_piece *piece)
{
    elelem_value arguments = elelem_value_get(piece->function, "arguments");
    int is_text = elelem_value_type(arguments) == ELELEM_TYPE_STRING;

    if (is_text ? elelem_value_text(arguments).size > 0 : elelem_shape_is_value(arguments)) return 0;
    return els_chat_continues(piece) && !elelem_shape_is_value(elelem_value_get(piece->call, "extra_content"));
}

/* Returns the index of the call's item. */
static uint32_t els_chat_call(elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    elelem_value arguments = elelem_value_get(piece->function, "arguments");
    elelem_value extra = elelem_value_get(piece->call, "extra_content");
    uint32_t index = els_chat_call_item(c, choice, key, piece->id);

    if (elelem_shape_is_value(extra)) elelem_shape_metadata_value(c, "extra_content", extra);
    elelem_shape_tool_start(c, index, piece->id, piece->name);
    if (elelem_value_type(arguments) == ELELEM_TYPE_STRING)
        elelem_shape_tool_arguments(c, index, elelem_value_text(arguments));
    else if (elelem_shape_is_value(arguments))
        elelem_shape_tool_arguments_value(c, index, arguments);
    return index;
}

/* The open call of the choice that began last, or with an id the one that has it; null if there is none. */
static elelem_shape_item *els_chat_open_call(const elelem_shape_context *c, uint32_t choice, elelem_str id)
{
    elelem_shape_item *item = elelem_shape_item_newest(c);

    for (; item; item = elelem_shape_item_older(c, item)) {
        if (item->choice != choice || item->kind != ELELEM_PART_TOOL_CALL) continue;
        if (id.size == 0 || (item->has_id && elelem_shape_item_may_be(c, item->index, id))) return item;
    }
    return NULL;
}

/* A piece without an index. Its id or, for a piece that is alone in its array, being the newest call identifies it; else
   its place in the array, which is how older Mistral models number calls. */
static void els_chat_unnumbered_call(elelem_shape_context *c, uint32_t choice, const els_chat_piece *piece)
{
    uint32_t place = (uint32_t)elelem_value_index(piece->call);
    int is_alone = place == 0 && elelem_value_type(elelem_value_next(piece->call)) == ELELEM_TYPE_NONE;
    elelem_shape_item *item = NULL;
    uint32_t index;

    if (piece->id.size > 0 || (is_alone && els_chat_continues(piece))) item = els_chat_open_call(c, choice, piece->id);
    index = els_chat_call(c, choice, item ? item->key : place, piece);
    if (item) return;
    item = elelem_shape_item_at(c, index);
    if (item) els_chat_state(item)->is_unnumbered = 1;
}

/* A piece with an index. If it begins nothing and no call has that index, it continues one that began without. */
static void els_chat_numbered_call(elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    elelem_shape_item *newest = els_chat_open_call(c, choice, els_str(NULL, 0));

    if (newest && els_chat_state(newest)->is_unnumbered && els_chat_continues(piece) &&
        elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, key) == ELELEM_NO_INDEX) {
        newest->key = key;
        els_chat_state(newest)->is_unnumbered = 0;
    }
    els_chat_call(c, choice, key, piece);
}

static void els_chat_tool_calls(elelem_shape_context *c, uint32_t choice)
{
    elelem_value call = elelem_value_first(elelem_shape_field(c, ELS_CHAT_TOOL_CALLS));

    for (; elelem_shape_is_there(call); call = elelem_value_next(call)) {
        els_chat_piece piece = els_chat_piece_of(call, elelem_value_get(call, "function"));
        uint32_t key;
        if (elelem_value_type(call) != ELELEM_TYPE_OBJECT || els_chat_is_empty(&piece)) continue;
        if (elelem_shape_number(elelem_value_get(call, "index"), &key)) els_chat_numbered_call(c, choice, key, &piece);
        else els_chat_unnumbered_call(c, choice, &piece);
    }
}

static void els_chat_function_call(elelem_shape_context *c, uint32_t choice)
{
    elelem_value function = elelem_shape_field(c, ELS_CHAT_FUNCTION_CALL);
    els_chat_piece piece = els_chat_piece_of(function, function);

    if (elelem_value_type(function) == ELELEM_TYPE_OBJECT && !els_chat_is_empty(&piece))
        els_chat_call(c, choice, ELS_CHAT_FUNCTION_CALL_KEY, &piece);
}

/* The end of a choice. */

static const elelem_shape_word els_chat_reasons[] = {
    { "stop", ELELEM_FINISH_COMPLETED },
    { "eos", ELELEM_FINISH_COMPLETED },
    { "end_turn", ELELEM_FINISH_COMPLETED },
    { "stop_sequence", ELELEM_FINISH_COMPLETED },
    { "length", ELELEM_FINISH_MAX_TOKENS },
    { "model_length", ELELEM_FINISH_MAX_TOKENS },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "tool_calls", ELELEM_FINISH_TOOL_CALLS },
    { "function_call", ELELEM_FINISH_TOOL_CALLS },
    { "tool_use", ELELEM_FINISH_TOOL_CALLS },
    { "content_filter", ELELEM_FINISH_CONTENT_FILTER },
};

/* `stop` after tool calls means that they are to be run, whatever a forced tool_choice or a
   compatibility layer calls it. */
static elelem_finish_reason els_chat_completed(const elelem_shape_context *c, uint32_t choice)
{
    const els_chat_choice *state = (const els_chat_choice *)elelem_shape_choice_state(c, choice);

    if (elelem_shape_choice_had(c, choice, ELELEM_PART_TOOL_CALL)) return ELELEM_FINISH_TOOL_CALLS;
    return state && state->is_refused ? ELELEM_FINISH_CONTENT_FILTER : ELELEM_FINISH_COMPLETED;
}

/* What a later chunk opens is closed by a reason that comes after it, not by one that was there before. */
static void els_chat_finish(elelem_shape_context *c, uint32_t choice)
{
    elelem_str raw = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_FINISH_REASON));
    elelem_finish_reason reason = elelem_shape_reason_of(els_chat_reasons, ELS_COUNT(els_chat_reasons), raw);
    elelem_shape_ending ending = elelem_shape_ending_of(reason);

    if (raw.size == 0) return;
    if (reason == ELELEM_FINISH_COMPLETED) reason = els_chat_completed(c, choice);
    if (elelem_str_is(raw, "error") && !elelem_shape_document_error(c))
        elelem_shape_error(c, ELELEM_ERROR_KIND_TRANSIENT, raw, "the provider stopped the response with an error");
    elelem_shape_reason(c, choice, reason, raw, 0);
    elelem_shape_flush_all(c, choice, ending);
}

/* Usage: a chunk of its own, on the last chunk, on every chunk, or Groq's x_groq. */

static void els_chat_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, ELS_CHAT_USAGE);
    elelem_usage usage = elelem_shape_last_usage(c);
    elelem_value details;

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT)
        raw = elelem_value_get(elelem_shape_field(c, ELS_CHAT_GROQ), "usage");
    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    details = elelem_value_get(raw, "prompt_tokens_details");
    elelem_shape_count_to(&usage.input, raw, "prompt_tokens");
    elelem_shape_count_to(&usage.output, raw, "completion_tokens");
    elelem_shape_count_to(&usage.cached, raw, "prompt_cache_hit_tokens"); /* DeepSeek */
    elelem_shape_count_to(&usage.cached, raw, "num_cached_tokens");       /* Mistral */
    elelem_shape_count_to(&usage.cached, details, "cached_tokens");
    elelem_shape_count_to(&usage.cache_written, details, "cache_write_tokens");
    elelem_shape_count_to(&usage.reasoning, elelem_value_get(raw, "completion_tokens_details"), "reasoning_tokens");
    elelem_shape_usage(c, usage, raw);
}

static void els_chat_choice_of(elelem_shape_context *c, uint32_t choice, elelem_value delta)
{
    elelem_shape_fields_find(c, delta, ELS_CHAT_CONTENT, ELS_CHAT_PROVIDER_METADATA, ELS_CHAT_CONTENT);
    els_chat_reasoning(c, choice);
    els_chat_content(c, choice);
    els_chat_refusal(c, choice);
    els_chat_metadata(c, choice);
    els_chat_tool_calls(c, choice);
    els_chat_function_call(c, choice);
    els_chat_finish(c, choice);
}

/* What belongs to the whole chunk comes last. Citations may come in one that has no choice. */
static elelem_status els_chat_chunk(elelem_shape_context *c)
{
    elelem_value root = elelem_shape_document(c);
    elelem_value choices = elelem_value_get(root, "choices");
    elelem_value choice;
    uint32_t number = 0;

    els_chat_stream_of(c)->had_chunk |= elelem_value_type(choices) == ELELEM_TYPE_ARRAY;
    els_chat_stream_of(c)->has_read_lists = 0;
    elelem_shape_fields_find(c, root, ELS_CHAT_USAGE, ELS_CHAT_SEARCH_RESULTS, ELS_CHAT_USAGE);
    for (choice = elelem_value_first(choices); elelem_shape_is_there(choice); choice = elelem_value_next(choice)) {
        elelem_shape_fields_find(c, choice, ELS_CHAT_INDEX, ELS_CHAT_DELTA, ELS_CHAT_INDEX);
        number = elelem_shape_number_or(elelem_shape_field(c, ELS_CHAT_INDEX), 0);
        els_chat_choice_of(c, number, elelem_shape_field(c, ELS_CHAT_DELTA));
    }
    els_chat_lists(c);
    els_chat_aside(c, number, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY);
    els_chat_usage(c);
    elelem_shape_document_error(c);
    return ELELEM_OK;
}

/* [DONE] without a reason comes from Snowflake and some others. */
static elelem_status els_chat_frame(elelem_shape_context *c)
{
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA) return els_chat_chunk(c);
    if (!els_chat_stream_of(c)->had_chunk) return ELELEM_ERROR_PROTOCOL;
    if (!elelem_shape_has_reason(c, 0)) elelem_shape_reason(c, 0, els_chat_completed(c, 0), els_str(NULL, 0), 0);
    elelem_shape_finish(c);
    return ELELEM_OK;
}

/* What a router may have a provider's model find stale. */
static const elelem_recovery_path els_chat_recovery[] = {
    { "messages[*].role", NULL, ELELEM_RECOVERY_SPEAKER, 0 },
    { "messages[*].reasoning_details[*].signature", "reasoning_details", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_SIGNATURE | ELELEM_REJECTED_CHANGE | ELELEM_REJECTED_THOUGHT },
    { "messages[*].reasoning_details[*].data", "reasoning_details", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_CHANGE | ELELEM_REJECTED_THOUGHT | ELELEM_REJECTED_ENCRYPTED },
    { "messages[*].reasoning_details[*].id", "reasoning_details", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ITEM },
    { "messages[*].tool_calls[*].extra_content.google.thought_signature", "extra_content", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_THOUGHT },
};

ELS_DATA const elelem_shape elelem_shape_chat = {
    "chat", els_chat_paths, ELS_CHAT_ROWS, els_chat_frame,
    sizeof(els_chat_item), sizeof(els_chat_choice), sizeof(els_chat_stream), 0, 0,
    els_chat_recovery, ELS_COUNT(els_chat_recovery), NULL,
};

#endif

/* >> shape_responses */

#ifndef ELELEM_NO_RESPONSES

/* What is read of an output item; N begins the names of the rows. */
#define ELS_RESPONSES_ITEM_PATHS(P, MEMBER, ELEMENTS, N, PARENT)             \
    MEMBER(P, N##TYPE, PARENT, "type", WHOLE)                                \
    MEMBER(P, N##ID, PARENT, "id", WHOLE)                                    \
    MEMBER(P, N##STATUS, PARENT, "status", WHOLE)                            \
    MEMBER(P, N##PHASE, PARENT, "phase", WHOLE)                              \
    MEMBER(P, N##CALL_ID, PARENT, "call_id", WHOLE)                          \
    MEMBER(P, N##NAME, PARENT, "name", WHOLE)                                \
    MEMBER(P, N##NAMESPACE, PARENT, "namespace", WHOLE)                      \
    MEMBER(P, N##CALLER, PARENT, "caller", WHOLE)                            \
    MEMBER(P, N##ARGUMENTS, PARENT, "arguments", WHOLE)                      \
    MEMBER(P, N##INPUT, PARENT, "input", WHOLE)                              \
    MEMBER(P, N##ENCRYPTED, PARENT, "encrypted_content", WHOLE)              \
    MEMBER(P, N##SUMMARY, PARENT, "summary", NOTHING)                        \
    MEMBER(P, N##CONTENT, PARENT, "content", NOTHING)                        \
    ELEMENTS(P, N##SUMMARY_PART, N##SUMMARY, NOTHING)                        \
    MEMBER(P, N##SUMMARY_TEXT, N##SUMMARY_PART, "text", WHOLE)               \
    ELEMENTS(P, N##CONTENT_PART, N##CONTENT, NOTHING)                        \
    MEMBER(P, N##CONTENT_TYPE, N##CONTENT_PART, "type", WHOLE)               \
    MEMBER(P, N##CONTENT_TEXT, N##CONTENT_PART, "text", WHOLE)               \
    MEMBER(P, N##CONTENT_REFUSAL, N##CONTENT_PART, "refusal", WHOLE)         \
    MEMBER(P, N##CONTENT_ANNOTATIONS, N##CONTENT_PART, "annotations", WHOLE)

/* A frame: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"..."}
   The last one repeats the whole response, of which the output is read only if some of it
   may not have been streamed: else the rows from OUTPUT_ITEM on are left off. */
#define ELS_RESPONSES_PATHS(P, MEMBER, ELEMENTS)                       \
    MEMBER(P, TYPE, ROOT, "type", WHOLE)                               \
    MEMBER(P, OUTPUT_INDEX, ROOT, "output_index", WHOLE)               \
    MEMBER(P, CONTENT_INDEX, ROOT, "content_index", WHOLE)             \
    MEMBER(P, SUMMARY_INDEX, ROOT, "summary_index", WHOLE)             \
    MEMBER(P, ITEM_ID, ROOT, "item_id", WHOLE)                         \
    MEMBER(P, DELTA, ROOT, "delta", WHOLE)                             \
    MEMBER(P, WHOLE_TEXT, ROOT, "text", WHOLE)                         \
    MEMBER(P, WHOLE_REFUSAL, ROOT, "refusal", WHOLE)                   \
    MEMBER(P, WHOLE_ARGUMENTS, ROOT, "arguments", WHOLE)               \
    MEMBER(P, WHOLE_INPUT, ROOT, "input", WHOLE)                       \
    MEMBER(P, ANNOTATION, ROOT, "annotation", WHOLE)                   \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                             \
    MEMBER(P, MESSAGE, ROOT, "message", WHOLE)                         \
    MEMBER(P, CODE, ROOT, "code", WHOLE)                               \
    MEMBER(P, OBJECT, ROOT, "object", WHOLE)                           \
    MEMBER(P, PART, ROOT, "part", NOTHING)                             \
    MEMBER(P, ITEM, ROOT, "item", NOTHING)                             \
    MEMBER(P, RESPONSE, ROOT, "response", NOTHING)                     \
    MEMBER(P, PART_TYPE, PART, "type", WHOLE)                          \
    MEMBER(P, PART_TEXT, PART, "text", WHOLE)                          \
    MEMBER(P, PART_REFUSAL, PART, "refusal", WHOLE)                    \
    ELS_RESPONSES_ITEM_PATHS(P, MEMBER, ELEMENTS, ENTRY_, ITEM)        \
    MEMBER(P, STATUS, RESPONSE, "status", WHOLE)                       \
    MEMBER(P, RESPONSE_ERROR, RESPONSE, "error", WHOLE)                \
    MEMBER(P, USAGE, RESPONSE, "usage", WHOLE)                         \
    MEMBER(P, INCOMPLETE, RESPONSE, "incomplete_details", NOTHING)     \
    MEMBER(P, TOOLS, RESPONSE, "tools", NOTHING)                       \
    MEMBER(P, OUTPUT, RESPONSE, "output", NOTHING)                     \
    MEMBER(P, REASON, INCOMPLETE, "reason", WHOLE)                     \
    ELEMENTS(P, TOOL, TOOLS, NOTHING)                                  \
    MEMBER(P, TOOL_TYPE, TOOL, "type", WHOLE)                          \
    ELEMENTS(P, OUTPUT_ITEM, OUTPUT, NOTHING)                          \
    ELS_RESPONSES_ITEM_PATHS(P, MEMBER, ELEMENTS, OUTPUT_ITEM_, OUTPUT_ITEM)

ELELEM_SHAPE_PATHS(ELS_RESPONSES_PATHS, ELS_RESPONSES_, els_responses_paths);

/* An output item is looked up in the rows of a frame's item, also one of the last frame's list. */
static void els_responses_look_at_item(elelem_shape_context *c, elelem_value item, int is_listed)
{
    elelem_shape_fields_find(c, item, is_listed ? ELS_RESPONSES_OUTPUT_ITEM_TYPE : ELS_RESPONSES_ENTRY_TYPE,
                             is_listed ? ELS_RESPONSES_OUTPUT_ITEM_CONTENT : ELS_RESPONSES_ENTRY_CONTENT,
                             ELS_RESPONSES_ENTRY_TYPE);
}

/* The texts a frame can speak of. */
typedef enum els_responses_text {
    ELS_RESPONSES_TEXT,
    ELS_RESPONSES_REFUSAL,
    ELS_RESPONSES_SUMMARY,
    ELS_RESPONSES_RAW,
    ELS_RESPONSES_ARGUMENTS,
    ELS_RESPONSES_INPUT,
    ELS_RESPONSES_NONE
} els_responses_text;

/* The member that holds one whole, and the slots of the number of its parts and of what an output item has of it. */
typedef struct els_responses_names {
    const char *whole;
    uint8_t number;
    uint8_t entry;
} els_responses_names;

static const els_responses_names els_responses_members[] = {
    { "text", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_CONTENT },
    { "refusal", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_CONTENT },
    { "text", ELS_RESPONSES_SUMMARY_INDEX, ELS_RESPONSES_ENTRY_SUMMARY },
    { "text", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_CONTENT },
    { "arguments", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_ARGUMENTS },
    { "input", ELS_RESPONSES_CONTENT_INDEX, ELS_RESPONSES_ENTRY_INPUT },
};

/* State of an item. */
typedef struct els_responses_own {
    uint64_t name;        /* a hash of the wire's id for it; 0 for none */
    uint64_t said_hash;   /* of the newest part's text, as much of it as was emitted */
    uint64_t said_size;
    uint32_t said_part;   /* the number of that part */
    uint32_t annotations; /* emitted so far */
    uint8_t is_refusal;
    uint8_t is_custom;
    uint8_t is_raw;
    uint8_t is_quoted;    /* the string of a custom tool call's input is open */
    uint8_t had_text;
    uint8_t is_introduced; /* the metadata of its first part was emitted */
    uint8_t had_caller;   /* namespace and caller were emitted */
    uint8_t had_id;       /* its id was emitted: that of `name` */
} els_responses_own;

/* An item that was closed: its id, its number, and a hash of what it held. */
typedef struct els_responses_closed {
    uint64_t name;
    uint64_t contents;
    uint32_t key;
} els_responses_closed;

#define ELS_RESPONSES_CLOSED 5

/* State of the stream. */
typedef struct els_responses_stream {
    els_responses_closed closed[ELS_RESPONSES_CLOSED]; /* the last ones, whose end may be repeated */
    uint32_t closed_next;  /* where the next goes */
    uint32_t begun;        /* after the index of the item that began last */
    uint32_t listed_kinds; /* in the last frame: kinds of items that were streamed before it */
    int is_refused;        /* it had refusal text */
    int has_own_customs;   /* custom tool calls are the provider's own */
} els_responses_stream;

static els_responses_own *els_responses_state(const elelem_shape_item *item)
{
    return (els_responses_own *)elelem_shape_item_state(item);
}

static els_responses_stream *els_responses_stream_of(const elelem_shape_context *c)
{
    return (els_responses_stream *)elelem_shape_stream_state(c);
}

/* Raw text comes after the summary, in the numbers that are given to an item's parts. */
#define ELS_RESPONSES_RAW_PART 0x80000000u

#define ELS_RESPONSES_NO_KEY 0xffffffffu

/* Where a frame says it belongs: by the number of the output item, else by its id. The number is
   believed first, because some providers give an item a new id in every frame. */
typedef struct els_responses_place {
    elelem_str id;
    uint64_t name; /* a hash of the id; 0 if there is none */
    uint32_t key;
    int has_entry; /* the output item itself is there */
} els_responses_place;

static elelem_str els_responses_text_at(const elelem_shape_context *c, unsigned slot)
{
    return elelem_shape_string(elelem_shape_field(c, slot));
}

static uint64_t els_responses_name(elelem_str id)
{
    return id.size > 0 ? elelem_shape_hash(id) | 1 : 0;
}

/* The place of a frame. Its output item's own id counts before the one that the frame names. */
static els_responses_place els_responses_place_of(const elelem_shape_context *c)
{
    els_responses_place place;

    place.id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);
    if (place.id.size == 0) place.id = els_responses_text_at(c, ELS_RESPONSES_ITEM_ID);
    place.name = els_responses_name(place.id);
    place.key = elelem_shape_number_or(elelem_shape_field(c, ELS_RESPONSES_OUTPUT_INDEX), ELS_RESPONSES_NO_KEY);
    place.has_entry = elelem_shape_is_there(elelem_shape_field(c, ELS_RESPONSES_ITEM));
    return place;
}

/* The place of an item in the last frame's list, which was looked at. */
static els_responses_place els_responses_listed_place(const elelem_shape_context *c, elelem_value listed)
{
    els_responses_place place;

    place.id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);
    place.name = els_responses_name(place.id);
    place.key = (uint32_t)elelem_value_index(listed);
    place.has_entry = 1;
    return place;
}

/* Items. */

static elelem_part_kind els_responses_kind(const elelem_shape_context *c, els_responses_text what)
{
    switch (what) {
    case ELS_RESPONSES_TEXT: return elelem_shape_message_kind(c);
    case ELS_RESPONSES_REFUSAL: return ELELEM_PART_MESSAGE;
    case ELS_RESPONSES_SUMMARY:
    case ELS_RESPONSES_RAW: return ELELEM_PART_REASONING;
    default: return ELELEM_PART_TOOL_CALL;
    }
}

/* Nonzero if the item may have such text. A message that said nothing yet can become a refusal. */
static int els_responses_is(const elelem_shape_item *item, els_responses_text what)
{
    const els_responses_own *own = els_responses_state(item);
    int is_message = item->kind == ELELEM_PART_MESSAGE || item->kind == ELELEM_PART_STRUCTURED;

    if (item->waits) return 0;
    switch (what) {
    case ELS_RESPONSES_TEXT: return is_message && !own->is_refusal;
    case ELS_RESPONSES_REFUSAL: return is_message && (own->is_refusal || !item->had_part);
    case ELS_RESPONSES_SUMMARY:
    case ELS_RESPONSES_RAW: return item->kind == ELELEM_PART_REASONING;
    default: return item->kind == ELELEM_PART_TOOL_CALL;
    }
}

/* A message's entry is about its text and its refusals. */
static int els_responses_fits(const elelem_shape_item *item, els_responses_text what)
{
    return els_responses_is(item, what) || (what == ELS_RESPONSES_TEXT && els_responses_is(item, ELS_RESPONSES_REFUSAL));
}

/* The open item at a place; without a number the one of that id, else the newest of its kind. An item that was
   added without a number and has no text yet may be the one of any number. */
static elelem_shape_item *els_responses_find(const elelem_shape_context *c, els_responses_text what,
                                    const els_responses_place *place)
{
    elelem_shape_item *newest = NULL, *named = NULL;
    elelem_shape_item *item = elelem_shape_item_newest(c);

    for (; item; item = elelem_shape_item_older(c, item)) {
        if (!els_responses_is(item, what)) continue;
        if (place->key != ELS_RESPONSES_NO_KEY) {
            if (item->key == place->key) return item;
            if (item->key != ELS_RESPONSES_NO_KEY) continue;
        }
        if (!newest && !(place->key != ELS_RESPONSES_NO_KEY && els_responses_state(item)->had_text)) newest = item;
        if (!named && place->name && els_responses_state(item)->name == place->name) named = item;
    }
    return named ? named : newest;
}

static elelem_shape_item *els_responses_open(elelem_shape_context *c, els_responses_text what, const els_responses_place *place)
{
    uint32_t index = elelem_shape_item_open(c, 0, els_responses_kind(c, what), place->key);
    elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (!item) return NULL;
    els_responses_state(item)->name = place->name;
    if (what == ELS_RESPONSES_REFUSAL) els_responses_state(item)->is_refusal = 1;
    if (what == ELS_RESPONSES_INPUT) els_responses_state(item)->is_custom = 1;
    return item;
}

/* The phase in the frame's own item. */
static elelem_str els_responses_phase(const elelem_shape_context *c)
{
    return els_responses_text_at(c, ELS_RESPONSES_ENTRY_PHASE);
}

static void els_responses_true(elelem_shape_context *c, const char *key)
{
    elelem_shape_metadata_json(c, elelem_str_of(key), elelem_str_of("true"));
}

/* Indices count up in the order of first parts: an item that was added before others and has its first part after
   theirs takes a new one. */
static void els_responses_number(elelem_shape_context *c, elelem_shape_item *item)
{
    els_responses_stream *stream = els_responses_stream_of(c);

    if (item->had_part) return;
    if (item->index + 1 < stream->begun) elelem_shape_item_renumber(c, item);
    stream->begun = item->index + 1;
}

/* Metadata of the first part. The phase was kept when the item was added. */
static void els_responses_introduce(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);

    els_responses_number(c, item);
    if (own->is_introduced) return;
    own->is_introduced = 1;
    if (place->id.size > 0) {
        own->name = place->name;
        own->had_id = 1;
        elelem_shape_metadata_text(c, "item_id", place->id);
    }
    if (els_responses_phase(c).size == 0) elelem_shape_metadata_kept(c, item->index, "phase");
    if (own->is_custom) els_responses_true(c, "custom");
}

/* Where a call comes from, for programs of the model that call tools. */
static void els_responses_caller(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);
    elelem_value name_space = elelem_shape_field(c, ELS_RESPONSES_ENTRY_NAMESPACE);
    elelem_value caller = elelem_shape_field(c, ELS_RESPONSES_ENTRY_CALLER);

    if (!place->has_entry || own->had_caller) return;
    own->had_caller = 1;
    if (elelem_shape_is_value(name_space)) elelem_shape_metadata_value(c, "namespace", name_space);
    if (elelem_shape_is_value(caller)) elelem_shape_metadata_value(c, "caller", caller);
}

/* Tells of a call what is known: at first in any case, later what is new. */
static void els_responses_start(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    if (!els_responses_state(item)->is_introduced) {
        els_responses_introduce(c, item, place);
        els_responses_caller(c, item, place);
    }
    elelem_shape_tool_start(c, item->index, els_responses_text_at(c, ELS_RESPONSES_ENTRY_CALL_ID),
                            els_responses_text_at(c, ELS_RESPONSES_ENTRY_NAME));
}

/* The item of a delta, which is opened if nothing announced it. */
static elelem_shape_item *els_responses_item_of(elelem_shape_context *c, els_responses_text what,
                                       const els_responses_place *place)
{
    elelem_shape_item *item = els_responses_find(c, what, place);

    if (item && item->key == ELS_RESPONSES_NO_KEY) item->key = place->key;
    if (item) return item;
    item = els_responses_open(c, what, place);
    if (item && item->kind == ELELEM_PART_TOOL_CALL) els_responses_start(c, item, place);
    return item;
}

/* Texts. Of an item is known how much of its newest part was emitted, and a hash of that: enough to
   emit the rest when the wire repeats it whole, and nothing if it is not the same text. */

static void els_responses_said(elelem_shape_item *item, uint32_t part, elelem_str text)
{
    els_responses_own *own = els_responses_state(item);

    if (!own->had_text || part > own->said_part) {
        own->had_text = 1;
        own->said_part = part;
        own->said_size = 0;
        own->said_hash = ELELEM_SHAPE_HASH_START;
    }
    if (part != own->said_part) return;
    own->said_size += text.size;
    own->said_hash = elelem_shape_hash_more(own->said_hash, text);
}

/* What of a whole part was not emitted yet. A part is over when a later one had text. */
static elelem_str els_responses_rest(const elelem_shape_item *item, uint32_t part, elelem_str whole)
{
    const els_responses_own *own = els_responses_state(item);
    elelem_str none = els_str(NULL, 0);

    if (!own->had_text || part > own->said_part) return whole;
    if (part < own->said_part || whole.size <= own->said_size) return none;
    if (elelem_shape_hash(els_str(whole.data, (size_t)own->said_size)) != own->said_hash) return none;
    return els_str(whole.data + own->said_size, whole.size - (size_t)own->said_size);
}

/* A piece of a JSON string: the quotes that open and close it, and what is between them. */
static void els_responses_quote(elelem_shape_context *c, elelem_shape_item *item, elelem_str text, int is_last)
{
    els_responses_own *own = els_responses_state(item);
    elelem_writer *writer = elelem_shape_write(c);

    if (!own->is_quoted) elelem_writer_string_begin(writer);
    elelem_writer_string_piece(writer, text);
    if (is_last) elelem_shape_write_raw(c, elelem_str_of("\""));
    own->is_quoted = 1;
    elelem_shape_tool_arguments_written(c, item->index);
}

/* Summaries are paragraphs. */
static int els_responses_needs_gap(const elelem_shape_item *item, uint32_t part)
{
    const els_responses_own *own = els_responses_state(item);

    return item->kind == ELELEM_PART_REASONING && own->had_text && part > own->said_part &&
           !(own->said_part & ELS_RESPONSES_RAW_PART);
}

static void els_responses_say(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what, uint32_t part,
                              elelem_str text, const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);
    int is_first_raw = what == ELS_RESPONSES_RAW && !own->is_raw;

    if (text.size == 0) return;
    if (els_responses_needs_gap(item, part)) elelem_shape_text(c, item->index, elelem_str_of("\n\n"));
    els_responses_said(item, part, text);
    if (what == ELS_RESPONSES_REFUSAL) {
        item->kind = ELELEM_PART_MESSAGE;
        own->is_refusal = 1;
        els_responses_true(c, "refusal");
        els_responses_stream_of(c)->is_refused = 1;
    }
    els_responses_introduce(c, item, place);
    if (is_first_raw) {
        own->is_raw = 1;
        els_responses_true(c, "raw");
    }
    elelem_shape_text(c, item->index, text);
}

static void els_responses_argue(elelem_shape_context *c, elelem_shape_item *item, elelem_str text)
{
    if (text.size == 0) return;
    els_responses_said(item, 0, text);
    if (els_responses_state(item)->is_custom)
        els_responses_quote(c, item, text, 0);
    else
        elelem_shape_tool_arguments(c, item->index, text);
}

static void els_responses_emit(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what, uint32_t part,
                               elelem_str text, const els_responses_place *place)
{
    if (item->kind == ELELEM_PART_TOOL_CALL)
        els_responses_argue(c, item, text);
    else
        els_responses_say(c, item, what, part, text, place);
}

/* The number of a part of the item; that of its newest part if the frame has none. */
static uint32_t els_responses_part_number(const elelem_shape_context *c, els_responses_text what, const elelem_shape_item *item)
{
    const els_responses_own *own = els_responses_state(item);
    uint32_t is_raw = what == ELS_RESPONSES_RAW ? ELS_RESPONSES_RAW_PART : 0;
    uint32_t newest = 0;

    if (own->had_text && (own->said_part & ELS_RESPONSES_RAW_PART) == is_raw)
        newest = own->said_part & ~ELS_RESPONSES_RAW_PART;
    return is_raw | elelem_shape_number_or(elelem_shape_field(c, els_responses_members[what].number), newest);
}

/* Frames about a text. */

/* Nonzero if a text of this kind is of a call that the provider runs itself. */
static int els_responses_is_skipped(const elelem_shape_context *c, els_responses_text what)
{
    return what == ELS_RESPONSES_INPUT && els_responses_stream_of(c)->has_own_customs;
}

/* What comes shows that the model ended what waits. */
static void els_responses_release(elelem_shape_context *c)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item))
        if (item->waits && els_responses_state(item)->is_custom) els_responses_quote(c, item, els_str(NULL, 0), 1);
    elelem_shape_release(c, 0);
}

static void els_responses_delta(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    els_responses_text what = (els_responses_text)which;
    elelem_str text = els_responses_text_at(c, ELS_RESPONSES_DELTA);
    elelem_shape_item *item;

    if (text.size == 0 || els_responses_is_skipped(c, what)) return;
    els_responses_release(c);
    item = els_responses_item_of(c, what, place);
    if (item) els_responses_emit(c, item, what, els_responses_part_number(c, what, item), text, place);
}

/* A text that is whole. It opens no item: one that nothing announced comes whole once more when
   it is done. */
static void els_responses_whole(elelem_shape_context *c, els_responses_text what, elelem_value holder,
                                const els_responses_place *place)
{
    elelem_str text = elelem_shape_string_in(holder, els_responses_members[what].whole);
    elelem_shape_item *item = els_responses_find(c, what, place);
    uint32_t part = item ? els_responses_part_number(c, what, item) : 0;

    if (item) els_responses_emit(c, item, what, part, els_responses_rest(item, part, text), place);
}

static void els_responses_text_done(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    els_responses_text what = (els_responses_text)which;

    if (!els_responses_is_skipped(c, what)) els_responses_whole(c, what, elelem_shape_document(c), place);
}

static void els_responses_part(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_value part = elelem_shape_field(c, ELS_RESPONSES_PART);
    elelem_str type = elelem_shape_string_in(part, "type");

    (void)which;
    if (elelem_str_is(type, "output_text")) els_responses_whole(c, ELS_RESPONSES_TEXT, part, place);
    if (elelem_str_is(type, "refusal")) els_responses_whole(c, ELS_RESPONSES_REFUSAL, part, place);
    if (elelem_str_is(type, "reasoning_text")) els_responses_whole(c, ELS_RESPONSES_RAW, part, place);
    if (elelem_str_is(type, "summary_text")) els_responses_whole(c, ELS_RESPONSES_SUMMARY, part, place);
}

static void els_responses_annotation(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_value annotation = elelem_shape_field(c, ELS_RESPONSES_ANNOTATION);
    elelem_shape_item *item = NULL;

    (void)which;
    if (elelem_shape_is_value(annotation)) item = els_responses_item_of(c, ELS_RESPONSES_TEXT, place);
    if (!item) return;
    els_responses_introduce(c, item, place);
    elelem_shape_metadata_in_array(c, "annotations", annotation);
    els_responses_state(item)->annotations++;
    elelem_shape_text(c, item->index, els_str(NULL, 0));
}

/* Frames about an item: it is added, it is done, or it is in the last frame's list. */

typedef enum els_responses_verb { ELS_RESPONSES_ADDED, ELS_RESPONSES_DONE, ELS_RESPONSES_LISTED } els_responses_verb;

/* The calls that xAI's x_search makes are custom tool calls in form, and run by the time they are sent. No
   others can be among them if the request, whose tools the first frames repeat, has no custom tool. */
static void els_responses_created(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_value tool = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_TOOLS));
    int searches = 0, customs = 0;

    (void)which;
    (void)place;
    for (; elelem_shape_is_there(tool); tool = elelem_value_next(tool)) {
        searches |= elelem_str_is(elelem_shape_string_in(tool, "type"), "x_search");
        customs |= elelem_str_is(elelem_shape_string_in(tool, "type"), "custom");
    }
    if (searches && !customs) els_responses_stream_of(c)->has_own_customs = 1;
}

static els_responses_text els_responses_what(const elelem_shape_context *c)
{
    elelem_str type = els_responses_text_at(c, ELS_RESPONSES_ENTRY_TYPE);

    if (elelem_str_is(type, "message")) return ELS_RESPONSES_TEXT;
    if (elelem_str_is(type, "reasoning")) return ELS_RESPONSES_SUMMARY;
    if (elelem_str_is(type, "function_call")) return ELS_RESPONSES_ARGUMENTS;
    if (elelem_str_is(type, "custom_tool_call")) return ELS_RESPONSES_INPUT;
    return ELS_RESPONSES_NONE;
}

/* What must not be emitted twice: the entry of a frame. */
static els_responses_closed els_responses_entry(const elelem_shape_context *c, const els_responses_place *place)
{
    elelem_str id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_CALL_ID);
    els_responses_closed entry;

    entry.name = els_responses_name(id.size > 0 ? id : els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID));
    entry.contents = elelem_shape_hash(els_responses_text_at(c, ELS_RESPONSES_ENTRY_ENCRYPTED));
    entry.contents = elelem_shape_hash_more(entry.contents, els_responses_text_at(c, ELS_RESPONSES_ENTRY_ARGUMENTS));
    entry.contents = elelem_shape_hash_more(entry.contents, els_responses_text_at(c, ELS_RESPONSES_ENTRY_INPUT));
    entry.key = place->key;
    return entry;
}

/* Nonzero if the entry repeats one that was closed. Two items can share an id by the provider's mistake (xAI): then their
   numbers differ, or without numbers their contents. */
static int els_responses_was_closed(const elelem_shape_context *c, const els_responses_place *place)
{
    const els_responses_closed *closed = els_responses_stream_of(c)->closed;
    els_responses_closed entry = els_responses_entry(c, place);
    unsigned i;

    for (i = 0; i < ELS_RESPONSES_CLOSED; i++) {
        int has_keys = entry.key != ELS_RESPONSES_NO_KEY && closed[i].key != ELS_RESPONSES_NO_KEY;
        if (!entry.name || closed[i].name != entry.name) continue;
        if (has_keys ? entry.key == closed[i].key : entry.contents == closed[i].contents) return 1;
    }
    return 0;
}

static void els_responses_remember_closed(elelem_shape_context *c, const els_responses_place *place)
{
    els_responses_stream *stream = els_responses_stream_of(c);

    stream->closed[stream->closed_next] = els_responses_entry(c, place);
    stream->closed_next = (stream->closed_next + 1) % ELS_RESPONSES_CLOSED;
}

/* Kinds of which something was emitted, as bits. */
static uint32_t els_responses_streamed(const elelem_shape_context *c)
{
    uint32_t kinds = 0;

    if (elelem_shape_choice_had(c, 0, ELELEM_PART_MESSAGE) || elelem_shape_choice_had(c, 0, ELELEM_PART_STRUCTURED))
        kinds |= 1u << ELS_RESPONSES_TEXT;
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_REASONING)) kinds |= 1u << ELS_RESPONSES_SUMMARY;
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL))
        kinds |= 1u << ELS_RESPONSES_ARGUMENTS | 1u << ELS_RESPONSES_INPUT;
    return kinds;
}

/* Whether an item may be opened that is not open. The last frame's list repeats what was streamed:
   of a kind that was, nothing more is taken from it. */
static int els_responses_may_open(const elelem_shape_context *c, els_responses_verb verb, els_responses_text what,
                                  const els_responses_place *place)
{
    if (verb == ELS_RESPONSES_ADDED) return 1;
    if (verb == ELS_RESPONSES_LISTED && (els_responses_stream_of(c)->listed_kinds >> what & 1)) return 0;
    return !els_responses_was_closed(c, place);
}

/* An item that is added under the number of an open one ends that, unless it is the same. */
static elelem_shape_item *els_responses_in_the_way(const elelem_shape_context *c, els_responses_text what,
                                          const els_responses_place *place)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item)) {
        if (item->key != place->key || item->key == ELS_RESPONSES_NO_KEY || item->waits) continue;
        if (!els_responses_fits(item, what)) return item;
        if (place->name && els_responses_state(item)->name && els_responses_state(item)->name != place->name) return item;
    }
    return NULL;
}

/* The open item that the entry is about; null if it is a new one. */
static elelem_shape_item *els_responses_known(const elelem_shape_context *c, els_responses_verb verb, els_responses_text what,
                                     const els_responses_place *place)
{
    elelem_shape_item *item = els_responses_find(c, what, place);
    elelem_shape_item *refusal = what == ELS_RESPONSES_TEXT ? els_responses_find(c, ELS_RESPONSES_REFUSAL, place) : NULL;
    int is_sure = place->key != ELS_RESPONSES_NO_KEY;

    if (refusal && item && (els_responses_state(item)->name == place->name || els_responses_state(refusal)->name != place->name))
        refusal = NULL;
    if (refusal) item = refusal;
    if (item && item->key == ELS_RESPONSES_NO_KEY) is_sure = 0;
    if (item && verb == ELS_RESPONSES_ADDED && !is_sure && els_responses_state(item)->name != place->name) return NULL;
    return item;
}

/* Of reasoning that has a summary and raw text, the one that was streamed is emitted, else the raw text:
   they can be the same. */
static elelem_value els_responses_first_part(const elelem_shape_context *c, const elelem_shape_item *item)
{
    elelem_value summary = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_SUMMARY));
    elelem_value content = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_CONTENT));
    int is_summary = els_responses_state(item)->had_text ? !(els_responses_state(item)->said_part & ELS_RESPONSES_RAW_PART)
                                                          : elelem_value_type(content) == ELELEM_TYPE_NONE;

    return item->kind == ELELEM_PART_REASONING && is_summary ? summary : content;
}

/* The item that the entry is about, new or known; null if there is nothing to emit of it. */
static elelem_shape_item *els_responses_entry_item(elelem_shape_context *c, els_responses_verb verb,
                                                   els_responses_text what, const els_responses_place *place)
{
    elelem_shape_item *item;

    if (verb == ELS_RESPONSES_ADDED)
        while ((item = els_responses_in_the_way(c, what, place)) != NULL)
            elelem_shape_flush(c, item->index);
    item = els_responses_known(c, verb, what, place);
    if (!item && els_responses_may_open(c, verb, what, place)) item = els_responses_open(c, what, place);
    return item;
}

/* A message begins with its first text, because a refusal is another kind of item; reasoning at once,
   because it may have no text at all. */
static void els_responses_begin(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_start(c, item, place);
    } else if (item->kind == ELELEM_PART_REASONING) {
        els_responses_introduce(c, item, place);
        elelem_shape_text(c, item->index, els_str(NULL, 0));
    } else if (elelem_shape_kept(c, item).size == 0 && !els_responses_state(item)->is_introduced) {
        elelem_shape_keep(c, item->index, els_responses_phase(c));
    }
}

/* A whole part of the item with this index, of which the rest is emitted. A message can hold text and refusals, which
   are items of their own. Returns the index that the item has then. */
static uint32_t els_responses_entry_part(elelem_shape_context *c, els_responses_text what, elelem_value value,
                                         uint32_t index, const els_responses_place *place)
{
    uint32_t part = (uint32_t)elelem_value_index(value);
    elelem_shape_item *item;
    elelem_str text;
    int is_it;

    if (what == ELS_RESPONSES_TEXT && elelem_str_is(elelem_shape_string_in(value, "type"), "refusal"))
        what = ELS_RESPONSES_REFUSAL;
    if (what == ELS_RESPONSES_SUMMARY && elelem_str_is(elelem_value_key(elelem_value_parent(value)), "content")) {
        what = ELS_RESPONSES_RAW;
        part |= ELS_RESPONSES_RAW_PART;
    }
    text = elelem_shape_string_in(value, els_responses_members[what].whole);
    item = text.size > 0 ? els_responses_item_of(c, what, place) : NULL;
    if (!item) return index;
    is_it = item->index == index;
    els_responses_say(c, item, what, part, els_responses_rest(item, part, text), place);
    return is_it ? item->index : index;
}

/* The arguments of a call, as text, or as the value itself if a server does not write it down. */
static void els_responses_entry_call(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what)
{
    elelem_value value = elelem_shape_field(c, els_responses_members[what].entry);

    if (elelem_value_type(value) == ELELEM_TYPE_STRING) {
        els_responses_argue(c, item, els_responses_rest(item, 0, elelem_value_text(value)));
    } else if (elelem_shape_is_value(value) && what == ELS_RESPONSES_ARGUMENTS && !els_responses_state(item)->had_text) {
        els_responses_state(item)->had_text = 1;
        elelem_shape_tool_arguments_value(c, item->index, value);
    }
}

/* What the item holds whole. Returns the index that it has then. */
static uint32_t els_responses_entry_contents(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what,
                                             const els_responses_place *place)
{
    elelem_value part = els_responses_first_part(c, item);
    uint32_t index = item->index;

    if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_entry_call(c, item, what);
        return index;
    }
    for (; elelem_shape_is_there(part); part = elelem_value_next(part))
        index = els_responses_entry_part(c, what, part, index, place);
    return index;
}

/* Annotations of a whole message that no frame of their own had. */
static void els_responses_annotations(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_value part = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_CONTENT)), note;
    elelem_writer *writer = elelem_shape_write(c);
    uint32_t count = 0, emitted = els_responses_state(item)->annotations;

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; elelem_shape_is_there(part); part = elelem_value_next(part)) {
        note = elelem_value_first(elelem_value_get(part, "annotations"));
        for (; elelem_shape_is_there(note); note = elelem_value_next(note))
            if (count++ >= emitted) elelem_writer_value(writer, note);
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    if (count <= emitted) return;
    els_responses_state(item)->annotations = count;
    elelem_shape_metadata_written(c, elelem_str_of("annotations"));
}

/* What the end of an item says, and what its first part did not. The encrypted content of an item
   that is only added is another, and of no use. Of the place, the item's own id counts, not one that the frame names. */
static void els_responses_last_metadata(elelem_shape_context *c, elelem_shape_item *item, els_responses_place place)
{
    els_responses_own *own = els_responses_state(item);
    elelem_str phase = els_responses_phase(c);
    elelem_str encrypted = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ENCRYPTED);

    place.id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);
    if (place.id.size == 0) place.name = 0;
    if (!own->is_introduced) els_responses_introduce(c, item, &place);
    else if (place.id.size > 0 && (!own->had_id || own->name != place.name))
        elelem_shape_metadata_text(c, "item_id", place.id);
    if (item->kind == ELELEM_PART_REASONING) {
        if (encrypted.size > 0) elelem_shape_metadata_text(c, "encrypted_content", encrypted);
    } else if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_caller(c, item, &place);
    } else {
        if (phase.size > 0) elelem_shape_metadata_text(c, "phase", phase);
        if (!own->is_refusal) els_responses_annotations(c, item);
    }
}

/* Flushes an item that is done, or has it wait. The string of an input has no end of its own: it is closed if the
   status says so, and stays open if that says otherwise; without a word, what comes next decides. */
static void els_responses_flush(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_ENTRY_STATUS);
    int is_incomplete = elelem_str_is(status, "incomplete");

    if (!els_responses_state(item)->is_custom) {
        if (is_incomplete) elelem_shape_flush_as(c, item->index, ELELEM_SHAPE_INCOMPLETE);
        else elelem_shape_item_close(c, item->index);
    } else if (is_incomplete) {
        elelem_shape_flush_as(c, item->index, ELELEM_SHAPE_STOPPED);
    } else if (elelem_str_is(status, "completed")) {
        elelem_shape_flush(c, item->index);
    } else {
        elelem_shape_item_wait(c, item->index);
    }
}

/* Closes an item. Its last metadata goes on the flush, or on a part without text if there was none. */
static void els_responses_close(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_ENTRY_STATUS);

    if (item->kind == ELELEM_PART_TOOL_CALL && !item->has_id)
        elelem_shape_tool_start(c, item->index, els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID), els_str(NULL, 0));
    if (els_responses_state(item)->is_custom && elelem_str_is(status, "completed"))
        els_responses_quote(c, item, els_str(NULL, 0), 1);
    els_responses_last_metadata(c, item, *place);
    if (!item->had_part) {
        els_responses_number(c, item);
        if (item->kind == ELELEM_PART_STRUCTURED) item->kind = ELELEM_PART_MESSAGE;
        elelem_shape_text(c, item->index, els_str(NULL, 0));
    }
    els_responses_flush(c, item);
}

/* A message's text or refusal, in addition to the item that was closed. */
static elelem_shape_item *els_responses_beside(const elelem_shape_context *c, const els_responses_place *place)
{
    int has_key = place->key != ELS_RESPONSES_NO_KEY;
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item)) {
        if (!els_responses_fits(item, ELS_RESPONSES_TEXT)) continue;
        if (has_key ? item->key == place->key : place->name && els_responses_state(item)->name == place->name) return item;
    }
    return NULL;
}

static void els_responses_item(elelem_shape_context *c, els_responses_verb verb, const els_responses_place *place)
{
    els_responses_text what = els_responses_what(c);
    elelem_shape_item *item;
    uint32_t index;

    if (verb == ELS_RESPONSES_ADDED) els_responses_release(c);
    if (what == ELS_RESPONSES_NONE || els_responses_is_skipped(c, what)) return;
    item = els_responses_entry_item(c, verb, what, place);
    if (!item) return;
    els_responses_begin(c, item, place);
    index = els_responses_entry_contents(c, item, what, place);
    if (verb == ELS_RESPONSES_ADDED) return;
    item = elelem_shape_item_at(c, index);
    if (item) els_responses_close(c, item, place);
    while (what == ELS_RESPONSES_TEXT && (item = els_responses_beside(c, place)) != NULL)
        els_responses_close(c, item, place);
    els_responses_remember_closed(c, place);
}

static void els_responses_item_added(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    els_responses_item(c, ELS_RESPONSES_ADDED, place);
}

static void els_responses_item_done(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    els_responses_item(c, ELS_RESPONSES_DONE, place);
}

/* The end. */

/* In addition to an error of its own, a frame that is one can be flat: its type says only that. */
static void els_responses_error(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    (void)place;
    if (!elelem_shape_document_error(c)) elelem_shape_error_of(c, elelem_shape_document(c));
}

static void els_responses_failed(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    (void)place;
    if (elelem_shape_document_error(c) || elelem_shape_error_in(c, elelem_shape_field(c, ELS_RESPONSES_RESPONSE))) return;
    elelem_shape_error(c, ELELEM_ERROR_KIND_TRANSIENT, elelem_str_of("failed"),
                       "the provider stopped the response with an error");
}

static void els_responses_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, ELS_RESPONSES_USAGE);
    elelem_value details = elelem_value_get(raw, "input_tokens_details");
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_count_to(&usage.input, raw, "input_tokens");
    elelem_shape_count_to(&usage.output, raw, "output_tokens");
    elelem_shape_count_to(&usage.cached, details, "cached_tokens");
    elelem_shape_count_to(&usage.cache_written, details, "cache_write_tokens");
    elelem_shape_count_to(&usage.reasoning, elelem_value_get(raw, "output_tokens_details"), "reasoning_tokens");
    elelem_shape_usage(c, usage, raw);
}

static const elelem_shape_word els_responses_reasons[] = {
    { "max_output_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "content_filter", ELELEM_FINISH_CONTENT_FILTER },
};

static elelem_finish_reason els_responses_completed(const elelem_shape_context *c)
{
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL)) return ELELEM_FINISH_TOOL_CALLS;
    if (els_responses_stream_of(c)->is_refused) return ELELEM_FINISH_CONTENT_FILTER;
    return ELELEM_FINISH_COMPLETED;
}

/* The status in the last frame, else that of its name. */
static elelem_str els_responses_status(const elelem_shape_context *c, unsigned is_incomplete)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_STATUS);

    if (status.size > 0 && !elelem_str_is(status, "in_progress")) return status;
    return elelem_str_of(is_incomplete ? "incomplete" : "completed");
}

static void els_responses_finish(elelem_shape_context *c, elelem_str status)
{
    elelem_str raw = elelem_shape_string_in(elelem_shape_field(c, ELS_RESPONSES_INCOMPLETE), "reason");
    elelem_finish_reason reason = ELELEM_FINISH_OTHER;

    if (elelem_str_is(status, "incomplete"))
        reason = elelem_shape_reason_of(els_responses_reasons, ELS_COUNT(els_responses_reasons), raw);
    else
        raw = status;
    if (elelem_str_is(status, "completed")) reason = els_responses_completed(c);
    elelem_shape_reason(c, 0, reason, raw.size > 0 ? raw : status, 0);
    elelem_shape_finish(c);
}

/* Ends the strings of custom tool calls that nothing closed. */
static void els_responses_close_strings(elelem_shape_context *c)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item))
        if (els_responses_state(item)->is_custom) els_responses_quote(c, item, els_str(NULL, 0), 1);
}

/* The items of the last frame's list, of which some may not have been streamed. */
static void els_responses_list(elelem_shape_context *c)
{
    elelem_value item = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_OUTPUT));

    els_responses_stream_of(c)->listed_kinds = els_responses_streamed(c);
    for (; elelem_shape_is_there(item); item = elelem_value_next(item)) {
        els_responses_place place;
        els_responses_look_at_item(c, item, 1);
        place = els_responses_listed_place(c, item);
        els_responses_item(c, ELS_RESPONSES_LISTED, &place);
    }
}

/* What nothing closed, or what waits, ends as the response ended. */
static void els_responses_last(elelem_shape_context *c, unsigned is_incomplete, const els_responses_place *place)
{
    elelem_str status = els_responses_status(c, is_incomplete);
    int is_completed = elelem_str_is(status, "completed");

    if (elelem_str_is(status, "failed")) {
        els_responses_failed(c, 0, place);
        return;
    }
    els_responses_usage(c);
    els_responses_list(c);
    if (is_completed) els_responses_close_strings(c);
    elelem_shape_flush_all(c, 0, is_completed ? ELELEM_SHAPE_ENDED : ELELEM_SHAPE_STOPPED);
    els_responses_finish(c, status);
}

/* Frames by type; all others are only signs of life. */

typedef struct els_responses_event {
    const char *type;
    void (*work)(elelem_shape_context *c, unsigned which, const els_responses_place *place);
    uint8_t which;
} els_responses_event;

static const els_responses_event els_responses_events[] = {
    { "response.output_text.delta", els_responses_delta, ELS_RESPONSES_TEXT },
    { "response.function_call_arguments.delta", els_responses_delta, ELS_RESPONSES_ARGUMENTS },
    { "response.reasoning_summary_text.delta", els_responses_delta, ELS_RESPONSES_SUMMARY },
    { "response.reasoning_text.delta", els_responses_delta, ELS_RESPONSES_RAW },
    { "response.refusal.delta", els_responses_delta, ELS_RESPONSES_REFUSAL },
    { "response.custom_tool_call_input.delta", els_responses_delta, ELS_RESPONSES_INPUT },
    { "response.output_item.added", els_responses_item_added, 0 },
    { "response.output_item.done", els_responses_item_done, 0 },
    { "response.output_text.done", els_responses_text_done, ELS_RESPONSES_TEXT },
    { "response.function_call_arguments.done", els_responses_text_done, ELS_RESPONSES_ARGUMENTS },
    { "response.reasoning_summary_text.done", els_responses_text_done, ELS_RESPONSES_SUMMARY },
    { "response.reasoning_text.done", els_responses_text_done, ELS_RESPONSES_RAW },
    { "response.refusal.done", els_responses_text_done, ELS_RESPONSES_REFUSAL },
    { "response.custom_tool_call_input.done", els_responses_text_done, ELS_RESPONSES_INPUT },
    { "response.content_part.added", els_responses_part, 0 },
    { "response.content_part.done", els_responses_part, 0 },
    { "response.reasoning_summary_part.added", els_responses_part, 0 },
    { "response.reasoning_summary_part.done", els_responses_part, 0 },
    { "response.output_text.annotation.added", els_responses_annotation, 0 },
    { "response.completed", els_responses_last, 0 },
    { "response.incomplete", els_responses_last, 1 },
    { "response.failed", els_responses_failed, 0 },
    { "error", els_responses_error, 0 },
    { "response.created", els_responses_created, 0 },
    { "response.in_progress", els_responses_created, 0 },
    /* names that older servers and gateways use */
    { "response.reasoning_summary.delta", els_responses_delta, ELS_RESPONSES_SUMMARY },
    { "response.reasoning_summary.done", els_responses_text_done, ELS_RESPONSES_SUMMARY },
    { "response.reasoning.delta", els_responses_delta, ELS_RESPONSES_RAW },
    { "response.reasoning.done", els_responses_text_done, ELS_RESPONSES_RAW },
    { "response.output_text_annotation.added", els_responses_annotation, 0 },
    { "response.done", els_responses_last, 0 },
    { "response.error", els_responses_error, 0 },
};

/* The event of this name; null for an unknown one. */
static const els_responses_event *els_responses_event_of(elelem_str type)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_responses_events); i++)
        if (elelem_str_is(type, els_responses_events[i].type)) return &els_responses_events[i];
    return NULL;
}

/* The event's name counts if the type in the data is not known. A frame with neither may be an error. */
static void els_responses_data(elelem_shape_context *c)
{
    const els_responses_event *event;
    els_responses_place place;
    elelem_str type;

    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_RESPONSES_TYPE, ELS_RESPONSES_RESPONSE, ELS_RESPONSES_TYPE);
    els_responses_look_at_item(c, elelem_shape_field(c, ELS_RESPONSES_ITEM), 0);
    elelem_shape_fields_find(c, elelem_shape_field(c, ELS_RESPONSES_RESPONSE), ELS_RESPONSES_STATUS, ELS_RESPONSES_OUTPUT,
                             ELS_RESPONSES_STATUS);
    place = els_responses_place_of(c);
    type = els_responses_text_at(c, ELS_RESPONSES_TYPE);
    event = els_responses_event_of(type);
    if (!event) event = els_responses_event_of(elelem_shape_event_name(c));
    if (event) event->work(c, event->which, &place);
    else if (type.size == 0 && elelem_shape_event_name(c).size == 0) elelem_shape_document_error(c);
}

/* [DONE] says nothing here: it comes after the last frame, or in its stead, and then the response is cut off. */
static elelem_status els_responses_frame(elelem_shape_context *c)
{
    int is_enough;

    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA) els_responses_data(c);
    is_enough = !elelem_shape_item_oldest(c) && (els_responses_streamed(c) & ~(1u << ELS_RESPONSES_SUMMARY));
    elelem_shape_want(c, is_enough ? ELS_RESPONSES_OUTPUT_ITEM : ELS_RESPONSES_ROWS);
    return ELELEM_OK;
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_responses_recovery[] = {
    { "input[*].encrypted_content", "encrypted_content", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ENCRYPTED },
    { "input[*].id", "item_id", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ITEM },
};

ELS_DATA const elelem_shape elelem_shape_responses = {
    "responses", els_responses_paths, ELS_RESPONSES_ROWS, els_responses_frame,
    sizeof(els_responses_own), 0, sizeof(els_responses_stream), 0, 0,
    els_responses_recovery, ELS_COUNT(els_responses_recovery), NULL,
};

#endif

/* >> shape_messages */

#ifndef ELELEM_NO_MESSAGES

/* What is read of a block; N begins the names of the rows. If provider items are wanted, all of it is. */
#define ELS_MESSAGES_BLOCK(P, MEMBER, N, PARENT)           \
    MEMBER(P, N##TYPE, PARENT, "type", WHOLE)              \
    MEMBER(P, N##TEXT, PARENT, "text", WHOLE)              \
    MEMBER(P, N##CITATIONS, PARENT, "citations", WHOLE)    \
    MEMBER(P, N##THINKING, PARENT, "thinking", WHOLE)      \
    MEMBER(P, N##SIGNATURE, PARENT, "signature", WHOLE)    \
    MEMBER(P, N##DATA, PARENT, "data", WHOLE)              \
    MEMBER(P, N##ID, PARENT, "id", WHOLE)                  \
    MEMBER(P, N##NAME, PARENT, "name", WHOLE)              \
    MEMBER(P, N##INPUT, PARENT, "input", WHOLE)            \
    MEMBER(P, N##CALLER, PARENT, "caller", WHOLE)          \
    MEMBER(P, N##TOOLSET, PARENT, "toolset_name", WHOLE)

/* Frames: message_start, then for each block content_block_start, content_block_delta...,
   content_block_stop, then message_delta and message_stop; ping and error anywhere. */
#define ELS_MESSAGES_PATHS_WANTING(P, MEMBER, ELEMENTS, WANT)       \
    MEMBER(P, TYPE, ROOT, "type", WHOLE)                            \
    MEMBER(P, INDEX, ROOT, "index", WHOLE)                          \
    MEMBER(P, DELTA, ROOT, "delta", WANT)                           \
    MEMBER(P, USAGE, ROOT, "usage", WHOLE)                          \
    MEMBER(P, BLOCK, ROOT, "content_block", WANT)                   \
    MEMBER(P, MESSAGE, ROOT, "message", NOTHING)                    \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                          \
    MEMBER(P, REQUEST_ID, ROOT, "request_id", WHOLE)                \
    MEMBER(P, CONTEXT, ROOT, "context_management", WANT)            \
    MEMBER(P, CHANGES, ROOT, "input_transformations", WANT)         \
    MEMBER(P, DELTA_TYPE, DELTA, "type", WHOLE)                     \
    MEMBER(P, DELTA_TEXT, DELTA, "text", WHOLE)                     \
    MEMBER(P, DELTA_JSON, DELTA, "partial_json", WHOLE)             \
    MEMBER(P, DELTA_THINKING, DELTA, "thinking", WHOLE)             \
    MEMBER(P, DELTA_SIGNATURE, DELTA, "signature", WHOLE)           \
    MEMBER(P, DELTA_CITATION, DELTA, "citation", WHOLE)             \
    MEMBER(P, DELTA_STOP_REASON, DELTA, "stop_reason", WHOLE)       \
    MEMBER(P, DELTA_STOP_SEQUENCE, DELTA, "stop_sequence", WHOLE)   \
    MEMBER(P, DELTA_STOP_DETAILS, DELTA, "stop_details", WHOLE)     \
    MEMBER(P, DELTA_CONTAINER, DELTA, "container", WANT)            \
    ELS_MESSAGES_BLOCK(P, MEMBER, BLOCK_, BLOCK)                    \
    MEMBER(P, MESSAGE_ID, MESSAGE, "id", WANT)                      \
    MEMBER(P, MESSAGE_MODEL, MESSAGE, "model", WANT)                \
    MEMBER(P, MESSAGE_CONTAINER, MESSAGE, "container", WANT)        \
    MEMBER(P, MESSAGE_CONTEXT, MESSAGE, "context_management", WANT) \
    MEMBER(P, MESSAGE_CHANGES, MESSAGE, "input_transformations", WANT) \
    MEMBER(P, MESSAGE_USAGE, MESSAGE, "usage", WHOLE)               \
    MEMBER(P, MESSAGE_STOP_REASON, MESSAGE, "stop_reason", WHOLE)   \
    MEMBER(P, MESSAGE_STOP_SEQUENCE, MESSAGE, "stop_sequence", WHOLE) \
    MEMBER(P, MESSAGE_STOP_DETAILS, MESSAGE, "stop_details", WHOLE) \
    MEMBER(P, CONTENT, MESSAGE, "content", NOTHING)                 \
    ELEMENTS(P, CONTENT_BLOCK, CONTENT, WANT)                       \
    ELS_MESSAGES_BLOCK(P, MEMBER, CONTENT_BLOCK_, CONTENT_BLOCK)

#define ELS_MESSAGES_PATHS(P, MEMBER, ELEMENTS) ELS_MESSAGES_PATHS_WANTING(P, MEMBER, ELEMENTS, NOTHING)
#define ELS_MESSAGES_ITEM_PATHS(P, MEMBER, ELEMENTS) ELS_MESSAGES_PATHS_WANTING(P, MEMBER, ELEMENTS, WHOLE)

ELELEM_SHAPE_PATHS(ELS_MESSAGES_PATHS, ELS_MESSAGES_, els_messages_paths);
ELELEM_SHAPE_MORE_PATHS(ELS_MESSAGES_ITEM_PATHS, ELS_MESSAGES_, els_messages_item_paths);

/* State of the stream: nonzero if anything of a message came. */
typedef struct els_messages_stream {
    int has_begun;
} els_messages_stream;

/* State of an item. */
typedef struct els_messages_item {
    uint8_t is_left_out; /* a block of a type that is not emitted */
    uint8_t is_whole;    /* a call: its arguments came whole when it began */
    uint8_t is_open;     /* a provider item whose JSON is put together: its object is not closed */
    uint8_t needs_input; /* and what comes next in it is the value of its input */
} els_messages_item;

static elelem_value els_messages_member(const elelem_shape_context *c, const char *key)
{
    return elelem_value_get(elelem_shape_document(c), key);
}

/* Blocks. */

static els_messages_stream *els_messages_stream_of(const elelem_shape_context *c)
{
    return (els_messages_stream *)elelem_shape_stream_state(c);
}

static els_messages_item *els_messages_state(const elelem_shape_item *item)
{
    return (els_messages_item *)elelem_shape_item_state(item);
}

/* The open item of the block with this wire number, left-out ones too; null if there is none. */
static elelem_shape_item *els_messages_find(const elelem_shape_context *c, uint32_t key)
{
    elelem_shape_item *item = elelem_shape_item_newest(c);

    while (item && (item->key != key || item->waits))
        item = elelem_shape_item_older(c, item);
    return item;
}

/* The key of a block whose start has no number. */
#define ELS_MESSAGES_NO_NUMBER 0xffffffffu

static uint32_t els_messages_key(const elelem_shape_context *c)
{
    return elelem_shape_number_or(els_messages_member(c, "index"), ELS_MESSAGES_NO_NUMBER);
}

/* The open block that a delta or a stop is about; null if there is none. Blocks follow one another, so a frame
   without a number is about the newest, and one whose number is no block's is about one that began without. */
static elelem_shape_item *els_messages_block(const elelem_shape_context *c)
{
    uint32_t key = els_messages_key(c);
    elelem_shape_item *item = els_messages_find(c, key);

    if (item) return item;
    if (key != ELS_MESSAGES_NO_NUMBER) return els_messages_find(c, ELS_MESSAGES_NO_NUMBER);
    item = elelem_shape_item_newest(c);
    while (item && item->waits)
        item = elelem_shape_item_older(c, item);
    return item;
}

/* The text of a delta under `member` if it is of that type, else empty. */
static elelem_str els_messages_piece(elelem_value delta, const char *type, const char *member)
{
    if (!elelem_str_is(elelem_shape_string_in(delta, "type"), type)) return els_str(NULL, 0);
    return elelem_shape_string_in(delta, member);
}

/* The kind of a block of this type. Returns 0 if such blocks are left out. */
static int els_messages_kind(const elelem_shape_context *c, elelem_str type, elelem_part_kind *kind)
{
    if (elelem_str_is(type, "text")) *kind = elelem_shape_message_kind(c);
    else if (elelem_str_is(type, "tool_use")) *kind = ELELEM_PART_TOOL_CALL;
    else if (elelem_str_is(type, "thinking") || elelem_str_is(type, "redacted_thinking")) *kind = ELELEM_PART_REASONING;
    else return 0;
    return 1;
}

/* Provider items: blocks of all other types. Most are whole when they begin, and pass. The JSON of the others is put together from
   what their deltas bring, so that it is the block that must go back: of calls that the provider runs, the input; of a
   compaction, its content. An item's type is kept, because all its parts name it. */

static elelem_str els_messages_type(const elelem_shape_context *c, uint32_t index)
{
    return elelem_shape_kept(c, elelem_shape_item_at(c, index));
}

/* Nonzero if the provider ran what the block is about. */
static int els_messages_is_hosted(elelem_str type)
{
    static const char *const types[] = { "server_tool_use", "mcp_tool_use", "mcp_tool_listing", "container_upload",
                                         "compaction", "fallback" };
    static const char result[] = "_tool_result";
    size_t i;

    for (i = 0; i < ELS_COUNT(types); i++)
        if (elelem_str_is(type, types[i])) return 1;
    return type.size > sizeof result - 1 && memcmp(type.data + type.size - (sizeof result - 1), result, sizeof result - 1) == 0;
}

static int els_messages_is_hosted_call(elelem_str type)
{
    return elelem_str_is(type, "server_tool_use") || elelem_str_is(type, "mcp_tool_use");
}

/* Makes the open item a provider item of this type. */
static void els_messages_begin_provider(elelem_shape_context *c, uint32_t index, elelem_str type)
{
    elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (!item) return;
    item->hosted = (uint8_t)els_messages_is_hosted(type);
    elelem_shape_keep(c, index, type);
}

/* Nonzero if a member of the block comes again in a delta. */
static int els_messages_comes_later(elelem_value member, int is_call)
{
    elelem_str key = elelem_value_key(member);

    if (is_call) return elelem_str_is(key, "input");
    return (elelem_str_is(key, "content") || elelem_str_is(key, "encrypted_content")) && !elelem_shape_is_value(member);
}

/* Emits the beginning of the JSON of a block, up to what its deltas bring. */
static void els_messages_open_json(elelem_shape_context *c, uint32_t index, elelem_value block)
{
    elelem_str type = els_messages_type(c, index);
    int is_call = els_messages_is_hosted_call(type);
    elelem_value input = elelem_value_get(block, "input"), member;
    els_messages_item *state = els_messages_state(elelem_shape_item_at(c, index));
    elelem_writer *writer = elelem_shape_write(c);

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(block); elelem_shape_is_there(member); member = elelem_value_next(member)) {
        if (els_messages_comes_later(member, is_call)) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
    state->is_open = 1;
    if (is_call) {
        elelem_writer_key(writer, elelem_str_of("input"));
        state->is_whole = elelem_shape_is_there(elelem_value_first(input)) != 0;
        state->needs_input = !state->is_whole;
        if (state->is_whole) elelem_writer_value(writer, input);
    }
    elelem_shape_provider_written(c, index, type);
    elelem_shape_provider_caption(c, index, type, elelem_shape_string_in(block, "name"));
}

/* Adds the members of a delta to the JSON of a block. */
static void els_messages_add_members(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    elelem_value member;

    elelem_shape_write(c);
    for (member = elelem_value_first(delta); elelem_shape_is_there(member); member = elelem_value_next(member)) {
        elelem_writer *writer;
        if (elelem_str_is(elelem_value_key(member), "type")) continue;
        elelem_shape_write_raw(c, elelem_str_of(","));
        writer = elelem_shape_write_on(c);
        elelem_writer_string(writer, elelem_value_key(member));
        elelem_shape_write_raw(c, elelem_str_of(":"));
        elelem_writer_value(elelem_shape_write_on(c), member);
    }
    elelem_shape_provider_written(c, index, els_messages_type(c, index));
}

static void els_messages_provider_delta(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    els_messages_item *state = els_messages_state(elelem_shape_item_at(c, index));
    elelem_str type = els_messages_type(c, index);

    if (!state->is_open) return;
    if (!els_messages_is_hosted_call(type)) {
        els_messages_add_members(c, index, delta);
    } else if (!state->is_whole) {
        elelem_str json = els_messages_piece(delta, "input_json_delta", "partial_json");
        if (json.size > 0) state->needs_input = 0;
        elelem_shape_provider_json(c, index, type, json);
    }
}

/* Ends the JSON of a block whose content_block_stop is here. */
static void els_messages_close_json(elelem_shape_context *c, uint32_t index)
{
    const els_messages_item *state = els_messages_state(elelem_shape_item_at(c, index));

    if (state->is_open)
        elelem_shape_provider_json(c, index, els_messages_type(c, index), elelem_str_of(state->needs_input ? "{}}" : "}"));
}

/* A block that is whole when it begins, and is in the document. */
static void els_messages_whole_block(elelem_shape_context *c, uint32_t index, elelem_value block)
{
    elelem_shape_provider_value(c, index, els_messages_type(c, index), block);
}

/* What of a fallback is known of the response: the model that continues. */
static void els_messages_fallback(elelem_shape_context *c, elelem_value block)
{
    elelem_value model = elelem_value_get(elelem_value_get(block, "to"), "model");

    if (!elelem_shape_is_value(model)) return;
    elelem_shape_metadata_value(c, "model", model);
    elelem_shape_response(c);
}

static void els_messages_begin_other(elelem_shape_context *c, uint32_t index, elelem_value block)
{
    elelem_str type = elelem_shape_string_in(block, "type");

    els_messages_begin_provider(c, index, type);
    if (elelem_str_is(type, "fallback")) els_messages_fallback(c, block);
    if (els_messages_is_hosted_call(type) || elelem_str_is(type, "compaction")) els_messages_open_json(c, index, block);
    else els_messages_whole_block(c, index, block);
}

/* What a block's end adds: its signature, which goes with the FLUSH, or if nothing was to be flushed
   yet, with a part of its own. */
static void els_messages_sign(elelem_shape_context *c, uint32_t index)
{
    if (elelem_shape_item_at(c, index)->kind == ELELEM_PART_PROVIDER_ITEM) return;
    elelem_shape_metadata_kept(c, index, "signature");
    if (!elelem_shape_item_at(c, index)->had_part) elelem_shape_text(c, index, els_str(NULL, 0));
}

/* Ends a block at its content_block_stop, which comes before the reason. */
static void els_messages_stop_block(elelem_shape_context *c, uint32_t index)
{
    if (elelem_shape_item_at(c, index)->kind == ELELEM_PART_PROVIDER_ITEM) els_messages_close_json(c, index);
    els_messages_sign(c, index);
    elelem_shape_item_close(c, index);
}

/* Ends a block that had no content_block_stop. */
static void els_messages_cut_block(elelem_shape_context *c, uint32_t index)
{
    els_messages_sign(c, index);
    elelem_shape_flush_as(c, index, ELELEM_SHAPE_STOPPED);
}

/* Ends what no content_block_stop ended, and what waits for the reason. */
static void els_messages_end_all(elelem_shape_context *c)
{
    const elelem_shape_item *item;

    while ((item = elelem_shape_item_oldest(c)) != NULL) {
        uint32_t index = item->index;
        els_messages_sign(c, index);
        elelem_shape_flush_as(c, index, elelem_shape_choice_ending(c, 0));
    }
}

/* Citations may be in the block, or come one by one. */
static void els_messages_cite(elelem_shape_context *c, elelem_value citations)
{
    if (elelem_value_type(elelem_value_first(citations)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "citations", citations);
}

static void els_messages_begin_call(elelem_shape_context *c, uint32_t index, elelem_value block)
{
    elelem_value input = elelem_value_get(block, "input");
    elelem_value caller = elelem_value_get(block, "caller");
    elelem_value toolset = elelem_value_get(block, "toolset_name");

    if (elelem_value_type(caller) == ELELEM_TYPE_OBJECT) elelem_shape_metadata_value(c, "caller", caller);
    if (elelem_shape_is_value(toolset)) elelem_shape_metadata_value(c, "toolset_name", toolset);
    elelem_shape_tool_start(c, index, elelem_shape_string_in(block, "id"), elelem_shape_string_in(block, "name"));
    if (elelem_value_type(input) != ELELEM_TYPE_OBJECT || elelem_value_type(elelem_value_first(input)) == ELELEM_TYPE_NONE)
        return;
    elelem_shape_tool_arguments_value(c, index, input);
    els_messages_state(elelem_shape_item_at(c, index))->is_whole = 1;
}

/* What a block holds when it begins; most hold nothing yet. */
static void els_messages_begin_item(elelem_shape_context *c, uint32_t index, elelem_part_kind kind, elelem_value block)
{
    if (kind == ELELEM_PART_TOOL_CALL) {
        els_messages_begin_call(c, index, block);
    } else if (kind == ELELEM_PART_REASONING) {
        elelem_str data = elelem_shape_string_in(block, "data");
        if (data.size > 0) elelem_shape_metadata_text(c, "redacted_data", data);
        elelem_shape_text(c, index, elelem_shape_string_in(block, "thinking"));
        elelem_shape_keep(c, index, elelem_shape_string_in(block, "signature"));
    } else {
        els_messages_cite(c, elelem_value_get(block, "citations"));
        elelem_shape_text(c, index, elelem_shape_string_in(block, "text"));
    }
}

/* Nonzero if the block is the call that is open already. */
static int els_messages_is_call_again(const elelem_shape_context *c, const elelem_shape_item *open, elelem_value block)
{
    elelem_str id = elelem_shape_string_in(block, "id");

    return open->kind == ELELEM_PART_TOOL_CALL && elelem_str_is(elelem_shape_string_in(block, "type"), "tool_use") &&
           id.size > 0 && elelem_shape_item_may_be(c, open->index, id);
}

/* Another model begins after a fallback block, because the one before it refused: no call of that one continues.
   Else what begins shows that the model ended what waits. */
static void els_messages_release(elelem_shape_context *c, elelem_value block)
{
    const elelem_shape_item *item = elelem_shape_item_oldest(c);

    if (!elelem_str_is(elelem_shape_string_in(block, "type"), "fallback")) {
        elelem_shape_release(c, 0);
        return;
    }
    while (item) {
        int is_call = item->kind == ELELEM_PART_TOOL_CALL;
        if (is_call) elelem_shape_flush_as(c, item->index, ELELEM_SHAPE_STOPPED);
        item = is_call ? elelem_shape_item_oldest(c) : elelem_shape_item_newer(c, item);
    }
}

/* Opens a block. One that is open under the same number ends here, as when a
   proxy splices two responses, unless it is the same call once more. */
static void els_messages_begin_block(elelem_shape_context *c, uint32_t key, elelem_value block)
{
    elelem_part_kind kind = ELELEM_PART_PROVIDER_ITEM;
    const elelem_shape_item *open;
    int is_known = els_messages_kind(c, elelem_shape_string_in(block, "type"), &kind);
    uint32_t index;

    els_messages_release(c, block);
    open = els_messages_find(c, key);
    if (open && els_messages_is_call_again(c, open, block)) return;
    if (open) els_messages_cut_block(c, open->index);
    index = elelem_shape_item_open(c, 0, kind, key);
    if (index == ELELEM_NO_INDEX) return;
    if (is_known) els_messages_begin_item(c, index, kind, block);
    else if (elelem_shape_wants_items(c) && elelem_value_type(block) == ELELEM_TYPE_OBJECT)
        els_messages_begin_other(c, index, block);
    else els_messages_state(elelem_shape_item_at(c, index))->is_left_out = 1;
}

/* Nonzero if blocks of the frame count: those of the first message_start, or the one of a content_block_start. */
static int els_messages_takes_blocks(const elelem_shape_context *c, int is_listed)
{
    elelem_str type = elelem_shape_string_in(elelem_shape_document(c), "type");

    if (is_listed && els_messages_stream_of(c)->has_begun) return 0;
    return type.size == 0 || elelem_str_is(type, is_listed ? "message_start" : "content_block_start");
}

/* The block that begins to pass: one of the message's, or the frame's. */
static uint32_t els_messages_passes(elelem_shape_context *c, elelem_value block, elelem_str type)
{
    int is_listed = elelem_value_type(elelem_value_parent(block)) == ELELEM_TYPE_ARRAY;
    uint32_t key = is_listed ? (uint32_t)elelem_value_index(block) : els_messages_key(c);
    uint32_t index;
    const elelem_shape_item *open;

    if (!els_messages_takes_blocks(c, is_listed)) return ELELEM_NO_INDEX;
    elelem_shape_release(c, 0);
    open = els_messages_find(c, key);
    if (open) els_messages_cut_block(c, open->index);
    index = elelem_shape_item_open(c, 0, ELELEM_PART_PROVIDER_ITEM, key);
    els_messages_begin_provider(c, index, type);
    return index;
}

/* Nonzero if the block passed: all of it was emitted already. */
static int els_messages_has_passed(const elelem_shape_context *c, elelem_value block)
{
    return elelem_shape_wants_items(c) && elelem_shape_is_there(block) && !elelem_value_is_complete(block);
}

static elelem_status els_messages_block_start(elelem_shape_context *c)
{
    elelem_value block = els_messages_member(c, "content_block");

    els_messages_stream_of(c)->has_begun = 1;
    if (!els_messages_has_passed(c, block)) els_messages_begin_block(c, els_messages_key(c), block);
    return ELELEM_OK;
}

static void els_messages_message_delta(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    elelem_value citation = elelem_value_get(delta, "citation");

    elelem_shape_text(c, index, els_messages_piece(delta, "text_delta", "text"));
    if (elelem_str_is(elelem_shape_string_in(delta, "type"), "citations_delta") && elelem_shape_is_value(citation)) {
        elelem_shape_metadata_in_array(c, "citations", citation);
        elelem_shape_text(c, index, els_str(NULL, 0));
    }
}

/* A delta for a block that never began or has ended is a protocol error: its text would be lost.
   One that does not fit the kind of its block, and those of blocks left out, are ignored. */
static elelem_status els_messages_block_delta(elelem_shape_context *c)
{
    elelem_value delta = els_messages_member(c, "delta");
    const elelem_shape_item *item = els_messages_block(c);
    uint32_t index = item ? item->index : ELELEM_NO_INDEX;

    if (!item) return ELELEM_ERROR_PROTOCOL;
    elelem_shape_release(c, 0);
    item = elelem_shape_item_at(c, index);
    if (els_messages_state(item)->is_left_out) return ELELEM_OK;
    if (item->kind == ELELEM_PART_PROVIDER_ITEM) {
        els_messages_provider_delta(c, index, delta);
    } else if (item->kind == ELELEM_PART_TOOL_CALL) {
        if (!els_messages_state(item)->is_whole)
            elelem_shape_tool_arguments(c, index, els_messages_piece(delta, "input_json_delta", "partial_json"));
    } else if (item->kind == ELELEM_PART_REASONING) {
        elelem_shape_text(c, index, els_messages_piece(delta, "thinking_delta", "thinking"));
        elelem_shape_keep(c, index, els_messages_piece(delta, "signature_delta", "signature"));
    } else {
        els_messages_message_delta(c, index, delta);
    }
    return ELELEM_OK;
}

/* A stop of a block that is not open is ignored. */
static elelem_status els_messages_block_stop(elelem_shape_context *c)
{
    const elelem_shape_item *item = els_messages_block(c);

    if (item) els_messages_stop_block(c, item->index);
    return ELELEM_OK;
}

/* The message. */

static const elelem_shape_word els_messages_reasons[] = {
    { "end_turn", ELELEM_FINISH_COMPLETED },
    { "stop_sequence", ELELEM_FINISH_COMPLETED },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "model_context_window_exceeded", ELELEM_FINISH_MAX_TOKENS },
    { "tool_use", ELELEM_FINISH_TOOL_CALLS },
    { "refusal", ELELEM_FINISH_CONTENT_FILTER },
    { "pause_turn", ELELEM_FINISH_CONTINUE },
    { "compaction", ELELEM_FINISH_CONTINUE },
};

/* The reason in a message_delta's delta, or already in message_start if the response is there at once.
   Returns 0 if there is none. */
static int els_messages_reason(elelem_shape_context *c, elelem_value from)
{
    elelem_str raw = elelem_shape_string_in(from, "stop_reason");
    elelem_value details = elelem_value_get(from, "stop_details");
    elelem_value sequence = elelem_value_get(from, "stop_sequence");

    if (raw.size == 0) return 0;
    elelem_shape_reason(c, 0, elelem_shape_reason_of(els_messages_reasons, ELS_COUNT(els_messages_reasons), raw), raw, 1);
    if (elelem_value_type(details) == ELELEM_TYPE_OBJECT)
        elelem_shape_end_metadata(c, "stop_details", details);
    else if (elelem_value_type(sequence) == ELELEM_TYPE_STRING)
        elelem_shape_end_metadata(c, "stop_sequence", sequence);
    return 1;
}

/* Counts go up from frame to frame, and a later frame may name only some of them. */
static void els_messages_usage(elelem_shape_context *c, elelem_value raw)
{
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_count_to(&usage.input, raw, "input_tokens");
    elelem_shape_count_to(&usage.output, raw, "output_tokens");
    elelem_shape_count_to(&usage.cached, raw, "cache_read_input_tokens");
    elelem_shape_count_to(&usage.cache_written, raw, "cache_creation_input_tokens");
    elelem_shape_count_to(&usage.reasoning, elelem_value_get(raw, "output_tokens_details"), "thinking_tokens");
    elelem_shape_usage(c, usage, raw);
}

/* Adds those members of an object that are known of the response itself: of the message, of its last delta, or of the
   frame of that. */
static void els_messages_describe(elelem_shape_context *c, elelem_value object)
{
    static const char *const keys[] = { "id", "model", "container", "context_management", "input_transformations" };
    elelem_value tier = elelem_value_get(elelem_value_get(object, "usage"), "service_tier");
    size_t i;

    if (!elelem_shape_wants_items(c)) return;
    for (i = 0; i < ELS_COUNT(keys); i++) {
        elelem_value value = elelem_value_get(object, keys[i]);
        if (elelem_shape_is_value(value)) elelem_shape_metadata_value(c, keys[i], value);
    }
    if (elelem_shape_is_value(tier)) elelem_shape_metadata_value(c, "service_tier", tier);
}

/* One comes first; another, from a faulty proxy, is ignored. It holds whole blocks if the model
   only continues with what a tool of the provider's called for. */
static elelem_status els_messages_start(elelem_shape_context *c)
{
    elelem_value message = els_messages_member(c, "message");
    elelem_value block = elelem_value_first(elelem_value_get(message, "content"));

    if (els_messages_stream_of(c)->has_begun) return ELELEM_OK;
    els_messages_stream_of(c)->has_begun = 1;
    els_messages_describe(c, message);
    elelem_shape_response(c);
    els_messages_usage(c, elelem_value_get(message, "usage"));
    els_messages_reason(c, message);
    for (; elelem_value_type(block) != ELELEM_TYPE_NONE; block = elelem_value_next(block)) {
        uint32_t key = (uint32_t)elelem_value_index(block);
        const elelem_shape_item *item;
        if (!els_messages_has_passed(c, block)) els_messages_begin_block(c, key, block);
        item = els_messages_find(c, key);
        if (item) els_messages_stop_block(c, item->index);
    }
    return ELELEM_OK;
}

/* A frame with the reason is the last before message_stop, so nothing may stay open. */
static elelem_status els_messages_delta(elelem_shape_context *c)
{
    els_messages_describe(c, els_messages_member(c, "delta"));
    els_messages_describe(c, elelem_shape_document(c));
    elelem_shape_response(c);
    els_messages_usage(c, els_messages_member(c, "usage"));
    if (!els_messages_reason(c, els_messages_member(c, "delta"))) return ELELEM_OK;
    els_messages_stream_of(c)->has_begun = 1;
    els_messages_end_all(c);
    return ELELEM_OK;
}

/* Without a reason the message counts as completed; without a message it is none. */
static elelem_status els_messages_stop(elelem_shape_context *c)
{
    int had_call = elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL);

    if (!els_messages_stream_of(c)->has_begun) return ELELEM_ERROR_PROTOCOL;
    els_messages_end_all(c);
    elelem_shape_reason(c, 0, had_call ? ELELEM_FINISH_TOOL_CALLS : ELELEM_FINISH_COMPLETED, els_str(NULL, 0), 0);
    elelem_shape_finish(c);
    return ELELEM_OK;
}

/* An error whose JSON has no error member says at best its sentence. */
static elelem_status els_messages_error(elelem_shape_context *c)
{
    if (!elelem_shape_document_error(c)) elelem_shape_error_of(c, elelem_shape_document(c));
    return ELELEM_OK;
}

/* A frame that says nothing, such as ping, may still hold an error. */
static elelem_status els_messages_other(elelem_shape_context *c)
{
    elelem_shape_document_error(c);
    return ELELEM_OK;
}

typedef struct els_messages_event {
    const char *type;
    elelem_status (*handle)(elelem_shape_context *c);
} els_messages_event;

static const els_messages_event els_messages_events[] = {
    { "message_start", els_messages_start },
    { "content_block_start", els_messages_block_start },
    { "content_block_delta", els_messages_block_delta },
    { "content_block_stop", els_messages_block_stop },
    { "message_delta", els_messages_delta },
    { "message_stop", els_messages_stop },
    { "error", els_messages_error },
    { "ping", els_messages_other },
};

static const els_messages_event *els_messages_event_of(elelem_str type)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_messages_events); i++)
        if (elelem_str_is(type, els_messages_events[i].type)) return &els_messages_events[i];
    return NULL;
}

/* Goes by the type in the data, and by the event's name if that is not known. Some gateways send [DONE] after
   message_stop, or for it. */
static elelem_status els_messages_frame(elelem_shape_context *c)
{
    const els_messages_event *event = els_messages_event_of(elelem_shape_string_in(elelem_shape_document(c), "type"));

    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DONE) return els_messages_stop(c);
    if (!event) event = els_messages_event_of(elelem_shape_event_name(c));
    return event ? event->handle(c) : els_messages_other(c);
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_messages_recovery[] = {
    { "messages[*].role", NULL, ELELEM_RECOVERY_SPEAKER, 0 },
    { "messages[*].content[*].type", NULL, ELELEM_RECOVERY_BLOCK_TYPE, 0 },
    { "messages[*].content[*].signature", "signature", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_SIGNATURE | ELELEM_REJECTED_CHANGE },
    { "messages[*].content[*].data", "redacted_data", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_CHANGE },
};

/* Blocks of these types do not pass. */
static const char *const els_messages_kept[] = { "text",         "thinking",   "redacted_thinking", "tool_use", "server_tool_use",
                                                 "mcp_tool_use", "compaction", "fallback",          NULL };

static const elelem_passage_rule els_messages_rules[] = {
    { ELS_MESSAGES_BLOCK, "type", els_messages_kept, NULL },
    { ELS_MESSAGES_CONTENT_BLOCK, "type", els_messages_kept, NULL },
};

static const elelem_shape_items els_messages_items = { els_messages_item_paths, els_messages_rules,
                                                       ELS_COUNT(els_messages_rules), els_messages_passes };

ELS_DATA const elelem_shape elelem_shape_messages = {
    "messages", els_messages_paths, ELS_MESSAGES_ROWS, els_messages_frame,
    sizeof(els_messages_item), 0, sizeof(els_messages_stream), 0, 0,
    els_messages_recovery, ELS_COUNT(els_messages_recovery), &els_messages_items,
};

#endif

/* >> shape_gemini */

#ifndef ELELEM_NO_GEMINI

/* A chunk: {"candidates":[{"content":{"parts":[...]},"finishReason":...,"index":0}],"usageMetadata":{...}} */
#define ELS_GEMINI_PATHS(P, MEMBER, ELEMENTS)                              \
    MEMBER(P, CANDIDATES, ROOT, "candidates", NOTHING)                     \
    MEMBER(P, FEEDBACK, ROOT, "promptFeedback", WHOLE)                     \
    MEMBER(P, USAGE, ROOT, "usageMetadata", WHOLE)                         \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                                 \
    ELEMENTS(P, CANDIDATE, CANDIDATES, NOTHING)                            \
    MEMBER(P, INDEX, CANDIDATE, "index", WHOLE)                            \
    MEMBER(P, FINISH_REASON, CANDIDATE, "finishReason", WHOLE)             \
    MEMBER(P, FINISH_MESSAGE, CANDIDATE, "finishMessage", WHOLE)           \
    MEMBER(P, GROUNDING, CANDIDATE, "groundingMetadata", WHOLE)            \
    MEMBER(P, URLS, CANDIDATE, "urlContextMetadata", WHOLE)                \
    MEMBER(P, CITATIONS, CANDIDATE, "citationMetadata", WHOLE)             \
    MEMBER(P, CONTENT, CANDIDATE, "content", NOTHING)                      \
    MEMBER(P, PARTS, CONTENT, "parts", NOTHING)                            \
    ELEMENTS(P, PART, PARTS, NOTHING)                                      \
    MEMBER(P, TEXT, PART, "text", WHOLE)                                   \
    MEMBER(P, THOUGHT, PART, "thought", WHOLE)                             \
    MEMBER(P, SIGNATURE, PART, "thoughtSignature", WHOLE)                  \
    MEMBER(P, FUNCTION_CALL, PART, "functionCall", WHOLE)                  \
    MEMBER(P, FUNCTION_RESPONSE, PART, "functionResponse", NOTHING)        \
    MEMBER(P, FUNCTION_RESPONSE_NAME, FUNCTION_RESPONSE, "name", WHOLE)

ELELEM_SHAPE_PATHS(ELS_GEMINI_PATHS, ELS_GEMINI_, els_gemini_paths);

/* Keys of the items of a choice: its text, and the call that is being written. */
enum { ELS_GEMINI_TEXT_KEY, ELS_GEMINI_CALL_KEY };

/* State of a choice. */
typedef struct els_gemini_choice {
    uint32_t unanswered; /* calls that the provider did not run itself */
    int has_stopped;     /* its reason is STOP */
} els_gemini_choice;

/* State of an item. Of a call with partial arguments the levels that are open are kept, see els_gemini_level. */
typedef struct els_gemini_item {
    uint32_t last_level;  /* where the innermost of them begins */
    uint8_t is_signed;    /* a text: it has a signature, so nothing may be added */
    uint8_t is_whole;     /* a call: its arguments came whole */
    uint8_t is_in_string; /* a call: the string that was written last is open */
    uint8_t had_pieces;   /* a call: some of its arguments came in pieces */
} els_gemini_item;

static elelem_value els_gemini_call(const elelem_shape_context *c)
{
    return elelem_shape_field(c, ELS_GEMINI_FUNCTION_CALL);
}

static els_gemini_item *els_gemini_state(const elelem_shape_item *item)
{
    return (els_gemini_item *)elelem_shape_item_state(item);
}

static int els_gemini_is_true(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_BOOL && elelem_str_is(elelem_value_text(value), "true");
}

/* Nonzero if a call or a string continues: what is neither missing nor null nor false is taken for true, because what
   has ended cannot continue, but what continues is ended by whatever follows. */
static int els_gemini_continues(elelem_value holder)
{
    elelem_value value = elelem_value_get(holder, "willContinue");

    return elelem_shape_is_value(value) && !(elelem_value_type(value) == ELELEM_TYPE_BOOL && !els_gemini_is_true(value));
}

static int els_gemini_has_members(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_OBJECT &&
           elelem_value_type(elelem_value_first(value)) != ELELEM_TYPE_NONE;
}

static void els_gemini_sign(elelem_shape_context *c)
{
    elelem_str signature = elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_SIGNATURE));

    if (signature.size > 0) elelem_shape_metadata_text(c, "thought_signature", signature);
}

/* Text. */

/* The open text item of this kind to which more may be added, or a new one. */
static uint32_t els_gemini_text_item(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind)
{
    uint32_t index = elelem_shape_item_continue(c, choice, kind, ELS_GEMINI_TEXT_KEY);
    const elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (!item || !els_gemini_state(item)->is_signed) return index;
    elelem_shape_flush(c, index);
    return elelem_shape_item_open(c, choice, kind, ELS_GEMINI_TEXT_KEY);
}

/* A text that is empty counts only for the signature it may have. */
static void els_gemini_text(elelem_shape_context *c, uint32_t choice)
{
    elelem_value text = elelem_shape_field(c, ELS_GEMINI_TEXT);
    int is_signed = elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_SIGNATURE)).size > 0;
    int is_thought = els_gemini_is_true(elelem_shape_field(c, ELS_GEMINI_THOUGHT));
    const elelem_shape_item *item;
    uint32_t index;

    if (elelem_value_type(text) != ELELEM_TYPE_STRING || (elelem_value_text(text).size == 0 && !is_signed)) return;
    index = els_gemini_text_item(c, choice, is_thought ? ELELEM_PART_REASONING : elelem_shape_message_kind(c));
    els_gemini_sign(c);
    elelem_shape_text(c, index, elelem_value_text(text));
    item = elelem_shape_item_at(c, index);
    if (is_signed && item) els_gemini_state(item)->is_signed = 1;
}

/* Arguments in pieces, each with the path of its value. Of the
   call that is open is kept how far that text is: a level for each container that is open, from the root on, with the
   member that was written last in it. A path may continue in an open container with a member that it does not have yet, so
   of an object's members a hash each is kept. */

static void els_gemini_put(elelem_shape_context *c, const char *json)
{
    elelem_shape_write_raw(c, elelem_str_of(json));
}

static elelem_str els_gemini_after(elelem_str text, size_t size)
{
    return els_str(text.data + size, text.size - size);
}

/* A segment of a path: .name, ['name'] with escapes, or [n] (RFC 9535, 2.3). */
typedef struct els_gemini_segment {
    elelem_str name; /* as it is written, without quotes */
    uint64_t member; /* of an array its index, of an object a hash of the name */
    uint8_t is_index;
    uint8_t has_escapes;
} els_gemini_segment;

static int els_gemini_digit(char byte)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *digit = (const char *)memchr(digits, byte, sizeof digits - 1);

    if (!digit) return -1;
    return (int)(digit - digits) < 16 ? (int)(digit - digits) : (int)(digit - digits) - 6;
}

/* Returns the value of four hexadecimal digits, or -1. */
static int32_t els_gemini_unit(elelem_str text)
{
    int32_t unit = 0;
    size_t i;

    if (text.size < 4) return -1;
    for (i = 0; i < 4; i++) {
        int digit = els_gemini_digit(text.data[i]);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

/* Steps over \uXXXX, or two of them that make one character, and returns the character; a lone surrogate is U+FFFD. */
static uint32_t els_gemini_take_unit(elelem_str *text)
{
    uint32_t unit = (uint32_t)els_gemini_unit(els_gemini_after(*text, 2));
    int has_low = text->size >= 12 && text->data[6] == '\\' && text->data[7] == 'u';
    int32_t low = has_low ? els_gemini_unit(els_gemini_after(*text, 8)) : -1;
    int is_pair = unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000;

    *text = els_gemini_after(*text, is_pair ? 12 : 6);
    if (is_pair) return 0x10000 + ((unit - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
    return unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit;
}

/* Steps over an escape and returns the character that it stands for. Escapes were checked. */
static uint32_t els_gemini_take_escape(elelem_str *text)
{
    static const char names[] = "bfnrt", characters[] = "\b\f\n\r\t";
    char escape = text->data[1];
    const char *name = (const char *)memchr(names, escape, 5);

    if (escape == 'u') return els_gemini_take_unit(text);
    *text = els_gemini_after(*text, 2);
    return (unsigned char)(name ? characters[name - names] : escape);
}

/* Returns a hash of the name, however its characters are written. */
static uint64_t els_gemini_hash(const els_gemini_segment *segment)
{
    elelem_str rest = segment->name;
    uint64_t hash = ELELEM_SHAPE_HASH_START;

    if (!segment->has_escapes) return elelem_shape_hash(rest);
    while (rest.size > 0) {
        const char *escape = (const char *)memchr(rest.data, '\\', rest.size);
        size_t plain = escape ? (size_t)(escape - rest.data) : rest.size;
        char bytes[4];
        hash = elelem_shape_hash_more(hash, els_str(rest.data, plain));
        rest = els_gemini_after(rest, plain);
        if (escape) hash = elelem_shape_hash_more(hash, els_str(bytes, elelem_utf8_encode(els_gemini_take_escape(&rest), bytes)));
    }
    return hash;
}

/* The size of the escape at the start of the text, which begins with its backslash; 0 if it is none. */
static size_t els_gemini_escape_size(elelem_str text)
{
    if (text.size < 2 || !memchr("\"\\/bfnrtu'", text.data[1], 10)) return 0;
    if (text.data[1] != 'u') return 2;
    return els_gemini_unit(els_gemini_after(text, 2)) < 0 ? 0 : 6;
}

/* Reads a name in quotes, and the bracket after it. Returns 0 if that is none. */
static int els_gemini_read_quoted(elelem_str *path, els_gemini_segment *segment)
{
    char quote = path->data[0];
    size_t size = 1;

    while (size < path->size && path->data[size] != quote) {
        size_t escape = path->data[size] == '\\' ? els_gemini_escape_size(els_gemini_after(*path, size)) : 1;
        if (escape == 0) return 0;
        segment->has_escapes |= path->data[size] == '\\';
        size += escape;
    }
    if (size + 1 >= path->size || path->data[size + 1] != ']') return 0;
    segment->name = els_str(path->data + 1, size - 1);
    *path = els_gemini_after(*path, size + 2);
    return 1;
}

/* An index has nine digits at most, and none too many. */
static int els_gemini_read_index(elelem_str *path, els_gemini_segment *segment)
{
    size_t size = 0;

    while (size < path->size && path->data[size] >= '0' && path->data[size] <= '9')
        segment->member = segment->member * 10 + (uint64_t)(path->data[size++] - '0');
    if (size == 0 || size > 9 || size == path->size || path->data[size] != ']') return 0;
    if (size > 1 && path->data[0] == '0') return 0;
    segment->is_index = 1;
    *path = els_gemini_after(*path, size + 1);
    return 1;
}

static int els_gemini_read_name(elelem_str *path, els_gemini_segment *segment)
{
    size_t size = 0;

    while (size < path->size && path->data[size] != '.' && path->data[size] != '[')
        size++;
    segment->name = els_str(path->data, size);
    *path = els_gemini_after(*path, size);
    return size > 0;
}

/* Reads the next segment of a path. Returns 0 if there is none. */
static int els_gemini_read_segment(elelem_str *path, els_gemini_segment *segment)
{
    char first = path->data[0];
    int is_good;

    memset(segment, 0, sizeof *segment);
    *path = els_gemini_after(*path, 1);
    if (path->size == 0) return 0;
    if (first == '.') is_good = els_gemini_read_name(path, segment);
    else if (first != '[') return 0;
    else if (path->data[0] == '\'' || path->data[0] == '"') is_good = els_gemini_read_quoted(path, segment);
    else is_good = els_gemini_read_index(path, segment);
    if (is_good && !segment->is_index) segment->member = els_gemini_hash(segment);
    return is_good;
}

/* Writes the name of a member. Escapes of JSON stay as they are, and \' is only a quote. */
static void els_gemini_put_name(elelem_shape_context *c, const els_gemini_segment *segment)
{
    elelem_writer *writer = elelem_shape_write_on(c);
    elelem_str rest = segment->name;

    elelem_writer_string_begin(writer);
    while (rest.size > 0) {
        const char *escape = segment->has_escapes ? (const char *)memchr(rest.data, '\\', rest.size) : NULL;
        size_t plain = escape ? (size_t)(escape - rest.data) : rest.size;
        size_t size = escape ? els_gemini_escape_size(els_gemini_after(rest, plain)) : 0;
        elelem_writer_string_piece(writer, els_str(rest.data, plain));
        if (escape) elelem_shape_write_raw(c, escape[1] == '\'' ? elelem_str_of("'") : els_str(escape, size));
        rest = els_gemini_after(rest, plain + size);
    }
    elelem_writer_string_end(writer);
    els_gemini_put(c, ":");
}

/* Levels. */

/* A container that is open. After that of an object are the hashes of its members. */
typedef struct els_gemini_level {
    uint64_t member; /* the one written last: its index, or the hash of its name */
    uint32_t count;  /* of hashes */
    uint32_t before; /* where the level before it begins, a multiple of 8; + 1 if this is an array */
} els_gemini_level;

static int els_gemini_is_array(const els_gemini_level *level)
{
    return (int)(level->before & 1);
}

/* The level that begins at `at`, of a call that has one there. */
static els_gemini_level *els_gemini_level_at(const elelem_shape_context *c, const elelem_shape_item *item, size_t at)
{
    return (els_gemini_level *)(void *)(elelem_shape_kept(c, item).data + at);
}

static size_t els_gemini_levels_size(const elelem_shape_context *c, const elelem_shape_item *item)
{
    return elelem_shape_kept(c, item).size;
}

static uint64_t *els_gemini_hashes(els_gemini_level *level)
{
    return (uint64_t *)(void *)(level + 1);
}

static size_t els_gemini_level_size(const els_gemini_level *level)
{
    return sizeof *level + level->count * sizeof(uint64_t);
}

/* Hashes are looked up in runs that are sorted: one of 2^n for each bit n that their number has, the longest first. */

static int els_gemini_is_in_run(const uint64_t *run, uint32_t size, uint64_t hash)
{
    uint32_t low = 0;

    for (; size > 1; size -= size / 2)
        if (run[low + size / 2] <= hash) low += size / 2;
    return run[low] == hash;
}

static int els_gemini_has_member(els_gemini_level *level, uint64_t hash)
{
    const uint64_t *run = els_gemini_hashes(level);
    uint32_t size;

    for (size = 0x80000000u; size > 0; size /= 2) {
        if (!(level->count & size)) continue;
        if (els_gemini_is_in_run(run, size, hash)) return 1;
        run += size;
    }
    return 0;
}

/* Lets the hash at `at` sink to where the heap below it is in order. */
static void els_gemini_sink(uint64_t *heap, uint32_t size, uint32_t at)
{
    while (at * 2 + 1 < size) {
        uint32_t child = at * 2 + 1;
        uint64_t hash = heap[at];
        if (child + 1 < size && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= hash) return;
        heap[at] = heap[child];
        heap[child] = hash;
        at = child;
    }
}

static void els_gemini_sort(uint64_t *run, uint32_t size)
{
    uint32_t i;

    for (i = size / 2; i > 0; i--)
        els_gemini_sink(run, size, i - 1);
    for (i = size; i > 1; i--) {
        uint64_t greatest = run[0];
        run[0] = run[i - 1];
        run[i - 1] = greatest;
        els_gemini_sink(run, i - 1, 0);
    }
}

/* Keeps `size` bytes from the level at `at` on, which is the last. Returns null if there is no room. */
static els_gemini_level *els_gemini_keep_level(elelem_shape_context *c, elelem_shape_item *item, size_t at, size_t size)
{
    char *levels = (char *)elelem_shape_kept_resize(c, item->index, els_sum(at, size));

    return levels ? (els_gemini_level *)(void *)(levels + at) : NULL;
}

/* Writes a new member of the container that is open at this level, which is the last. Returns 0 if it has that, or if an
   array's index is not the next. */
static int els_gemini_add_member(elelem_shape_context *c, elelem_shape_item *item, size_t at, const els_gemini_segment *segment)
{
    els_gemini_level *level = els_gemini_level_at(c, item, at);
    uint32_t run;

    if (els_gemini_is_array(level)) {
        if (segment->member != level->member + 1) return 0;
        level->member = segment->member;
        return 1;
    }
    if (els_gemini_has_member(level, segment->member)) return 0;
    level = els_gemini_keep_level(c, item, at, els_gemini_level_size(level) + sizeof(uint64_t));
    if (!level) return 0;
    level->member = els_gemini_hashes(level)[level->count++] = segment->member;
    run = level->count & (0 - level->count);
    els_gemini_sort(els_gemini_hashes(level) + (level->count - run), run);
    els_gemini_put_name(c, segment);
    return 1;
}

/* Opens a container with its first member, at a level after all others. Returns 0 if an array does not begin with 0. */
static int els_gemini_open_container(elelem_shape_context *c, elelem_shape_item *item, size_t at,
                                     const els_gemini_segment *segment)
{
    els_gemini_item *state = els_gemini_state(item);
    els_gemini_level *level = els_gemini_keep_level(c, item, at, sizeof *level);

    if (!level) return 0;
    memset(level, 0, sizeof *level);
    level->member = UINT64_MAX; /* before index 0 */
    level->before = state->last_level + segment->is_index;
    state->last_level = (uint32_t)at;
    els_gemini_put(c, segment->is_index ? "[" : "{");
    return els_gemini_add_member(c, item, at, segment);
}

/* Closes the containers from the level at `at` on, the innermost first, and forgets their levels. */
static void els_gemini_close_levels(elelem_shape_context *c, elelem_shape_item *item, size_t at)
{
    els_gemini_item *state = els_gemini_state(item);
    size_t end = els_gemini_levels_size(c, item);

    while (at < end) {
        const els_gemini_level *level = els_gemini_level_at(c, item, state->last_level);
        els_gemini_put(c, els_gemini_is_array(level) ? "]" : "}");
        end = state->last_level;
        state->last_level = level->before & ~(uint32_t)1;
    }
    elelem_shape_kept_resize(c, item->index, end);
}

static void els_gemini_end_string(elelem_shape_context *c, elelem_shape_item *item)
{
    if (els_gemini_state(item)->is_in_string) els_gemini_put(c, "\"");
    els_gemini_state(item)->is_in_string = 0;
}

/* Goes from the value written last to a new member of the container at this level. Returns 0 if that cannot be. */
static int els_gemini_leave(elelem_shape_context *c, elelem_shape_item *item, size_t at, const els_gemini_segment *segment)
{
    const els_gemini_level *level = els_gemini_level_at(c, item, at);

    if (els_gemini_is_array(level) != segment->is_index) return 0;
    els_gemini_end_string(c, item);
    els_gemini_close_levels(c, item, at + els_gemini_level_size(level));
    els_gemini_put(c, ",");
    return els_gemini_add_member(c, item, at, segment);
}

/* Where a path being read has come to. */
typedef struct els_gemini_way {
    size_t at;  /* bytes of the levels that it has gone through */
    int is_new; /* it has left the value written last */
} els_gemini_way;

/* Follows one segment. Returns 0 if that leads into a value that is over, or to one that there is already. */
static int els_gemini_go(elelem_shape_context *c, elelem_shape_item *item, els_gemini_way *way, const els_gemini_segment *segment)
{
    size_t end = els_gemini_levels_size(c, item);
    const els_gemini_level *level = way->at < end ? els_gemini_level_at(c, item, way->at) : NULL;
    int is_same = !way->is_new && level && els_gemini_is_array(level) == segment->is_index && level->member == segment->member;
    int is_good = 1;

    if (!way->is_new && level && !is_same) is_good = els_gemini_leave(c, item, way->at, segment);
    else if (!is_same && way->at > 0 && !way->is_new) return 0;
    else if (!is_same) is_good = (way->at > 0 || !segment->is_index) && els_gemini_open_container(c, item, way->at, segment);
    if (!is_good || elelem_shape_is_over(c)) return 0;
    way->is_new |= !is_same;
    way->at += els_gemini_level_size(els_gemini_level_at(c, item, way->at));
    return 1;
}

/* The value of a piece; none if it has none of these. A nullValue is null of whatever type it is. */
static elelem_value els_gemini_piece_value(elelem_value piece)
{
    elelem_value value = elelem_value_get(piece, "stringValue");

    if (elelem_value_type(value) == ELELEM_TYPE_STRING) return value;
    value = elelem_value_get(piece, "numberValue");
    if (elelem_value_type(value) == ELELEM_TYPE_NUMBER) return value;
    value = elelem_value_get(piece, "boolValue");
    if (elelem_value_type(value) == ELELEM_TYPE_BOOL) return value;
    return elelem_value_get(piece, "nullValue");
}

/* A string continues if `is_same`, else it begins. */
static void els_gemini_put_string(elelem_shape_context *c, elelem_shape_item *item, elelem_value value, int is_same)
{
    elelem_writer *writer = elelem_shape_write_on(c);

    if (!is_same) elelem_writer_string_begin(writer);
    elelem_writer_string_piece(writer, elelem_value_text(value));
    els_gemini_state(item)->is_in_string = 1;
    if (!els_gemini_continues(elelem_value_parent(value))) els_gemini_end_string(c, item);
}

/* Goes to the place that the piece names. Returns 0 if it does not fit after those before it. */
static int els_gemini_find_way(elelem_shape_context *c, elelem_shape_item *item, elelem_str path, els_gemini_way *way)
{
    els_gemini_segment segment;

    way->at = 0;
    way->is_new = 0;
    if (path.size < 2 || path.data[0] != '$') return 0;
    path = els_gemini_after(path, 1);
    while (path.size > 0)
        if (!els_gemini_read_segment(&path, &segment) || !els_gemini_go(c, item, way, &segment)) return 0;
    return 1;
}

/* Returns 0 if the piece does not fit after those before it. One without a value says nothing. */
static int els_gemini_piece(elelem_shape_context *c, elelem_shape_item *item, elelem_value piece)
{
    elelem_value value = els_gemini_piece_value(piece);
    int is_string = elelem_value_type(value) == ELELEM_TYPE_STRING &&
                    elelem_str_is(elelem_value_key(value), "stringValue");
    int continues;
    els_gemini_way way;

    if (!elelem_shape_is_there(value)) return 1;
    if (!els_gemini_find_way(c, item, elelem_shape_string_in(piece, "jsonPath"), &way)) return 0;
    continues = is_string && els_gemini_state(item)->is_in_string && way.at == els_gemini_levels_size(c, item);
    if (!way.is_new && !continues) return 0;
    els_gemini_state(item)->had_pieces = 1;
    if (is_string) els_gemini_put_string(c, item, value, !way.is_new);
    else if (elelem_str_is(elelem_value_key(value), "nullValue")) els_gemini_put(c, "null");
    else elelem_shape_write_raw(c, elelem_value_text(value));
    return 1;
}

static const elelem_shape_word els_gemini_reasons[] = {
    { "STOP", ELELEM_FINISH_COMPLETED },
    { "MAX_TOKENS", ELELEM_FINISH_MAX_TOKENS },
    { "CONTINUATION", ELELEM_FINISH_MAX_TOKENS },
    { "SAFETY", ELELEM_FINISH_CONTENT_FILTER },
    { "RECITATION", ELELEM_FINISH_CONTENT_FILTER },
    { "BLOCKLIST", ELELEM_FINISH_CONTENT_FILTER },
    { "PROHIBITED_CONTENT", ELELEM_FINISH_CONTENT_FILTER },
    { "SPII", ELELEM_FINISH_CONTENT_FILTER },
    { "LANGUAGE", ELELEM_FINISH_CONTENT_FILTER },
    { "IMAGE_SAFETY", ELELEM_FINISH_CONTENT_FILTER },
    { "IMAGE_PROHIBITED_CONTENT", ELELEM_FINISH_CONTENT_FILTER },
    { "IMAGE_RECITATION", ELELEM_FINISH_CONTENT_FILTER },
};

static elelem_str els_gemini_raw_reason(const elelem_shape_context *c)
{
    elelem_str raw = elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_FINISH_REASON));

    return elelem_str_is(raw, "FINISH_REASON_UNSPECIFIED") ? els_str(NULL, 0) : raw;
}

static elelem_finish_reason els_gemini_reason(const elelem_shape_context *c)
{
    return elelem_shape_reason_of(els_gemini_reasons, ELS_COUNT(els_gemini_reasons), els_gemini_raw_reason(c));
}

/* Nonzero if the candidate says that the model has ended its response. */
static int els_gemini_is_ended(const elelem_shape_context *c)
{
    return elelem_shape_ending_of(els_gemini_reason(c)) == ELELEM_SHAPE_ENDED;
}

/* Calls. */

/* The call of the choice that is being written; null if there is none. */
static elelem_shape_item *els_gemini_open_call(const elelem_shape_context *c, uint32_t choice)
{
    return elelem_shape_item_at(c, elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, ELS_GEMINI_CALL_KEY));
}

/* Closes what is open in a call's arguments. */
static void els_gemini_close_arguments(elelem_shape_context *c, elelem_shape_item *item)
{
    if (!els_gemini_state(item)->had_pieces) return;
    elelem_shape_write(c);
    els_gemini_end_string(c, item);
    els_gemini_close_levels(c, item, 0);
    elelem_shape_tool_arguments_written(c, item->index);
}

/* A name begins a call, unless the call that is open repeats it with its id; so do arguments if
   none is open. */
static int els_gemini_begins_call(const elelem_shape_context *c, const elelem_shape_item *open)
{
    elelem_value call = els_gemini_call(c);
    elelem_str id = elelem_shape_string_in(call, "id");
    elelem_str name = elelem_shape_string_in(call, "name");

    if (!open) return name.size > 0 || els_gemini_has_members(elelem_value_get(call, "args"));
    if (name.size == 0) return 0;
    return id.size == 0 || !elelem_shape_item_may_be(c, open->index, id);
}

/* What STOP means, also if it came before: that calls wait for the caller, or that all is done. */
static void els_gemini_read_stop(elelem_shape_context *c, uint32_t choice)
{
    const els_gemini_choice *state = (const els_gemini_choice *)elelem_shape_choice_state(c, choice);

    if (!state || !state->has_stopped) return;
    elelem_shape_reason(c, choice, state->unanswered > 0 ? ELELEM_FINISH_TOOL_CALLS : ELELEM_FINISH_COMPLETED,
                        els_str(NULL, 0), 1);
}

/* The provider has run one of its calls, and sends what came of it. */
static void els_gemini_response(elelem_shape_context *c, uint32_t choice)
{
    els_gemini_choice *state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);

    if (elelem_value_type(elelem_shape_field(c, ELS_GEMINI_FUNCTION_RESPONSE)) != ELELEM_TYPE_OBJECT) return;
    if (!state || state->unanswered == 0) return;
    state->unanswered--;
    els_gemini_read_stop(c, choice);
}

static void els_gemini_begin_call(elelem_shape_context *c, uint32_t choice)
{
    elelem_value call = els_gemini_call(c);
    elelem_value args = elelem_value_get(call, "args");
    elelem_str id = elelem_shape_string_in(call, "id");
    elelem_str name = elelem_shape_string_in(call, "name");
    uint32_t index = elelem_shape_item_open(c, choice, ELELEM_PART_TOOL_CALL, ELS_GEMINI_CALL_KEY);
    els_gemini_choice *state;

    if (index == ELELEM_NO_INDEX) return;
    els_gemini_sign(c);
    if (id.size > 0) elelem_shape_tool_start(c, index, id, name);
    else elelem_shape_tool_start_unnamed(c, index, name);
    state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->unanswered++;
    els_gemini_read_stop(c, choice);
    if (!els_gemini_has_members(args)) return;
    elelem_shape_tool_arguments_value(c, index, args);
    els_gemini_state(elelem_shape_item_at(c, index))->is_whole = 1;
}

/* A call that does not say that it continues is over. One without any `args` may have been stopped before them, unless
   the reason next to it says otherwise; if they are an empty object, that is all. */
static void els_gemini_close_call(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_value args = elelem_value_get(els_gemini_call(c), "args");

    els_gemini_close_arguments(c, item);
    if (els_gemini_is_ended(c) || elelem_value_type(args) == ELELEM_TYPE_OBJECT)
        elelem_shape_flush(c, item->index);
    else
        elelem_shape_item_close(c, item->index);
}

/* Another call ends one that said it would continue. */
static void els_gemini_leave_call(elelem_shape_context *c, elelem_shape_item *item)
{
    els_gemini_close_arguments(c, item);
    elelem_shape_item_expect(c, item->index, 0);
    elelem_shape_flush(c, item->index);
}

/* Pieces next to or after whole arguments say nothing new. A call that says it continues and does not is cut
   off, whatever the reason, and its arguments stay open; of one that has none, or had them whole, that must be
   said. */
static elelem_status els_gemini_pieces(elelem_shape_context *c, uint32_t choice)
{
    elelem_shape_item *item = els_gemini_open_call(c, choice);
    elelem_value call = els_gemini_call(c);
    elelem_value piece = elelem_value_first(elelem_value_get(call, "partialArgs"));
    int continues = els_gemini_continues(call);

    if (!item) return ELELEM_OK;
    elelem_shape_write(c);
    for (; elelem_shape_is_there(piece) && !els_gemini_state(item)->is_whole; piece = elelem_value_next(piece))
        if (!els_gemini_piece(c, item, piece)) return ELELEM_ERROR_PROTOCOL;
    elelem_shape_tool_arguments_written(c, item->index);
    elelem_shape_item_expect(c, item->index, continues && !els_gemini_state(item)->had_pieces);
    if (!continues) els_gemini_close_call(c, item);
    return ELELEM_OK;
}

/* A part that is a call, or continues one. Pieces for no call would be lost. */
static elelem_status els_gemini_call_part(elelem_shape_context *c, uint32_t choice)
{
    elelem_shape_item *open = els_gemini_open_call(c, choice);
    elelem_value pieces = elelem_value_get(els_gemini_call(c), "partialArgs");
    uint32_t text;

    if (els_gemini_begins_call(c, open)) {
        if (open) els_gemini_leave_call(c, open);
        text = elelem_shape_item_text(c, choice);
        if (text != ELELEM_NO_INDEX) elelem_shape_flush(c, text);
        els_gemini_begin_call(c, choice);
    } else if (!open) {
        return elelem_shape_is_there(elelem_value_first(pieces)) ? ELELEM_ERROR_PROTOCOL : ELELEM_OK;
    }
    return els_gemini_pieces(c, choice);
}

/* Nonzero if the candidate says that the model has ended a call that came before: by its reason, or by what comes next. */
static int els_gemini_has_moved_on(const elelem_shape_context *c)
{
    elelem_value call = els_gemini_call(c);

    return els_gemini_is_ended(c) || elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_TEXT)).size > 0 ||
           elelem_value_type(elelem_shape_field(c, ELS_GEMINI_FUNCTION_RESPONSE)) == ELELEM_TYPE_OBJECT ||
           elelem_shape_string_in(call, "name").size > 0 || els_gemini_has_members(elelem_value_get(call, "args"));
}

/* One part; after the last, one that is no value. */
static elelem_status els_gemini_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_shape_fields_find(c, part, ELS_GEMINI_TEXT, ELS_GEMINI_FUNCTION_RESPONSE, ELS_GEMINI_TEXT);
    if (els_gemini_has_moved_on(c)) elelem_shape_release(c, choice);
    els_gemini_response(c, choice);
    if (elelem_value_type(els_gemini_call(c)) == ELELEM_TYPE_OBJECT) return els_gemini_call_part(c, choice);
    els_gemini_text(c, choice);
    return ELELEM_OK;
}

/* Metadata of a candidate. */

/* The entries have one name at Google's API and another at Vertex. */
static void els_gemini_citations(elelem_shape_context *c, elelem_value metadata)
{
    elelem_value entries = elelem_value_get(metadata, "citationSources");

    if (elelem_value_type(entries) != ELELEM_TYPE_ARRAY) entries = elelem_value_get(metadata, "citations");
    if (elelem_value_type(entries) == ELELEM_TYPE_ARRAY && elelem_value_type(elelem_value_first(entries)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "citations", entries);
}

static void els_gemini_member_metadata(elelem_shape_context *c, unsigned row, const char *key)
{
    if (els_gemini_has_members(elelem_shape_field(c, row))) elelem_shape_metadata_value(c, key, elelem_shape_field(c, row));
}

/* It goes on the open message, or on a new one, which is over at once if it would come between the
   pieces of another text. */
static void els_gemini_metadata(elelem_shape_context *c, uint32_t choice)
{
    elelem_part_kind kind = elelem_shape_message_kind(c);
    uint32_t index = elelem_shape_item_find(c, choice, kind, ELS_GEMINI_TEXT_KEY);
    uint32_t other = elelem_shape_item_text(c, choice);
    int is_new = index == ELELEM_NO_INDEX;

    els_gemini_citations(c, elelem_shape_field(c, ELS_GEMINI_CITATIONS));
    els_gemini_member_metadata(c, ELS_GEMINI_GROUNDING, "grounding_metadata");
    els_gemini_member_metadata(c, ELS_GEMINI_URLS, "url_context_metadata");
    if (!elelem_shape_has_metadata(c)) return;
    if (is_new) index = elelem_shape_item_open(c, choice, kind, ELS_GEMINI_TEXT_KEY);
    elelem_shape_text(c, index, els_str(NULL, 0));
    if (is_new && other != ELELEM_NO_INDEX) elelem_shape_flush(c, index);
}

/* The end. */

/* A reason may come with every chunk, so items stay open. FINISH_REASON_UNSPECIFIED is none. */
static void els_gemini_finish(elelem_shape_context *c, uint32_t choice)
{
    elelem_value message = elelem_shape_field(c, ELS_GEMINI_FINISH_MESSAGE);
    elelem_str raw = els_gemini_raw_reason(c);
    elelem_finish_reason reason = els_gemini_reason(c);
    els_gemini_choice *state;

    if (raw.size == 0) return;
    elelem_shape_reason(c, choice, reason, raw, 1);
    state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->has_stopped = reason == ELELEM_FINISH_COMPLETED;
    els_gemini_read_stop(c, choice);
    if (choice == 0 && elelem_value_type(message) == ELELEM_TYPE_STRING)
        elelem_shape_end_metadata(c, "finish_message", message);
}

/* A prompt that was blocked has no candidate, and no finish reason will come. */
static void els_gemini_block(elelem_shape_context *c)
{
    elelem_value feedback = elelem_value_get(elelem_shape_document(c), "promptFeedback");
    elelem_str raw = elelem_shape_string_in(feedback, "blockReason");

    if (raw.size == 0 || elelem_shape_has_reason(c, 0)) return;
    elelem_shape_reason(c, 0, ELELEM_FINISH_CONTENT_FILTER, raw, 1);
    elelem_shape_end_metadata(c, "prompt_feedback", feedback);
}

/* On every chunk. One of Vertex may have only some of the counts, or none. */
static void els_gemini_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_value_get(elelem_shape_document(c), "usageMetadata");
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_count_to(&usage.input, raw, "promptTokenCount");
    elelem_shape_count_to(&usage.output, raw, "candidatesTokenCount");
    elelem_shape_count_to(&usage.cached, raw, "cachedContentTokenCount");
    elelem_shape_count_to(&usage.reasoning, raw, "thoughtsTokenCount");
    elelem_shape_usage(c, usage, raw);
}

/* A candidate without a number is the first. */
static elelem_status els_gemini_candidate(elelem_shape_context *c, elelem_value candidate)
{
    elelem_status status = ELELEM_OK;
    elelem_value part;
    uint32_t choice;

    elelem_shape_fields_find(c, candidate, ELS_GEMINI_INDEX, ELS_GEMINI_CONTENT, ELS_GEMINI_INDEX);
    choice = elelem_shape_number_or(elelem_shape_field(c, ELS_GEMINI_INDEX), 0);
    part = elelem_value_first(elelem_value_get(elelem_shape_field(c, ELS_GEMINI_CONTENT), "parts"));
    for (; elelem_shape_is_there(part) && status == ELELEM_OK && !elelem_shape_is_over(c); part = elelem_value_next(part))
        status = els_gemini_part(c, choice, part);
    if (status == ELELEM_OK) status = els_gemini_part(c, choice, part);
    if (status != ELELEM_OK) return status;
    els_gemini_metadata(c, choice);
    els_gemini_finish(c, choice);
    return ELELEM_OK;
}

/* [DONE] is not of this wire and says nothing. */
static elelem_status els_gemini_frame(elelem_shape_context *c)
{
    elelem_value candidate = elelem_value_first(elelem_value_get(elelem_shape_document(c), "candidates"));
    elelem_status status = ELELEM_OK;

    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DONE) return ELELEM_OK;
    for (; elelem_shape_is_there(candidate) && status == ELELEM_OK; candidate = elelem_value_next(candidate))
        status = els_gemini_candidate(c, candidate);
    if (status != ELELEM_OK) return status;
    els_gemini_block(c);
    els_gemini_usage(c);
    elelem_shape_document_error(c);
    return ELELEM_OK;
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_gemini_recovery[] = {
    { "contents[*].role", NULL, ELELEM_RECOVERY_SPEAKER, 0 },
    { "contents[*].parts[*].functionResponse", NULL, ELELEM_RECOVERY_RESULT, 0 },
    { "contents[*].parts[*].thoughtSignature", "thought_signature", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_THOUGHT },
};

ELS_DATA const elelem_shape elelem_shape_gemini = {
    "gemini", els_gemini_paths, ELS_GEMINI_ROWS, els_gemini_frame,
    sizeof(els_gemini_item), sizeof(els_gemini_choice), 0, 1, 1,
    els_gemini_recovery, ELS_COUNT(els_gemini_recovery), NULL,
};

#endif

/* >> provider */

#ifdef ELELEM_NO_CHAT
#define ELS_CHAT_SHAPE NULL
#else
#define ELS_CHAT_SHAPE &elelem_shape_chat
#endif
#ifdef ELELEM_NO_RESPONSES
#define ELS_RESPONSES_SHAPE NULL
#else
#define ELS_RESPONSES_SHAPE &elelem_shape_responses
#endif
#ifdef ELELEM_NO_MESSAGES
#define ELS_MESSAGES_SHAPE NULL
#else
#define ELS_MESSAGES_SHAPE &elelem_shape_messages
#endif
#ifdef ELELEM_NO_GEMINI
#define ELS_GEMINI_SHAPE NULL
#else
#define ELS_GEMINI_SHAPE &elelem_shape_gemini
#endif

#define ELS_BEARER "authorization", "Bearer ", "", ""

/* Each name is also in provider.h and in tests/test_provider.c, and README has their number. */
static const elelem_provider els_providers[] = {
    { "anthropic", ELS_MESSAGES_SHAPE, "/v1/messages", "x-api-key", "", "anthropic-version", "2023-06-01" },
    { "azure", ELS_CHAT_SHAPE, "/openai/v1/chat/completions", "api-key", "", "", "" },
    { "cerebras", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "deepseek", ELS_CHAT_SHAPE, "/chat/completions", ELS_BEARER },
    { "fireworks", ELS_CHAT_SHAPE, "/inference/v1/chat/completions", ELS_BEARER },
    { "google", ELS_GEMINI_SHAPE, "/v1beta/models/{model}:streamGenerateContent?alt=sse", "x-goog-api-key", "", "", "" },
    { "groq", ELS_CHAT_SHAPE, "/openai/v1/chat/completions", ELS_BEARER },
    { "litellm", ELS_CHAT_SHAPE, "/chat/completions", ELS_BEARER },
    { "llamacpp", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "mistral", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "ollama", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "openai", ELS_RESPONSES_SHAPE, "/v1/responses", ELS_BEARER },
    { "openai-chat", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "openrouter", ELS_CHAT_SHAPE, "/api/v1/chat/completions", ELS_BEARER },
    { "openrouter-responses", ELS_RESPONSES_SHAPE, "/api/v1/responses", ELS_BEARER },
    { "perplexity", ELS_CHAT_SHAPE, "/chat/completions", ELS_BEARER },
    { "together", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "vercel", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "vllm", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "writer", ELS_CHAT_SHAPE, "/v1/chat", ELS_BEARER },
    { "xai", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
};

const elelem_provider *elelem_provider_find(const char *name)
{
    size_t i;

    for (i = 0; name && i < sizeof els_providers / sizeof els_providers[0]; i++)
        if (strcmp(els_providers[i].name, name) == 0) return &els_providers[i];
    return NULL;
}

const elelem_shape *elelem_shape_find(const char *name)
{
    static const elelem_shape *const shapes[] = { ELS_CHAT_SHAPE, ELS_RESPONSES_SHAPE, ELS_MESSAGES_SHAPE,
                                                  ELS_GEMINI_SHAPE };
    const elelem_provider *provider = elelem_provider_find(name);
    size_t i;

    if (provider) return provider->shape;
    for (i = 0; name && i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i] && strcmp(shapes[i]->name, name) == 0) return shapes[i];
    return NULL;
}

/* >> tags */

/* A candidate is what may become a listed tag: the bytes from a <, and the blanks before it if
   whitespace is trimmed. If it fails, it is text up to and with its <, and the bytes after that are
   read again. The work stays linear: a < outside of quotes ends every candidate, and each quote
   either opens or closes in all of them, so that no byte is in more than three.

   Candidates are read in place. One that the end of a chunk cuts is held: it is copied into the
   block, and continued there with the next chunk. It becomes a tag or, if it fails, is replayed as
   text. */

/* What a candidate waits for. */
typedef enum els_tags_state {
    ELS_TAGS_BLANK,     /* more whitespace, or the < after it */
    ELS_TAGS_OPEN,      /* the first letter of a name, or the slash of an end tag */
    ELS_TAGS_NAME,      /* more of the name, or what ends it */
    ELS_TAGS_SPACE,     /* an attribute, or the end of the tag */
    ELS_TAGS_KEY,       /* more of an attribute's name, or what ends it */
    ELS_TAGS_AFTER_KEY, /* an equals sign, another attribute, or the end of the tag */
    ELS_TAGS_VALUE,     /* the first character of a value */
    ELS_TAGS_DOUBLE,    /* the closing " */
    ELS_TAGS_SINGLE,    /* the closing ' */
    ELS_TAGS_QUOTED,    /* what follows a closing quote */
    ELS_TAGS_BARE,      /* more of a value without quotes */
    ELS_TAGS_SLASH_BARE, /* after a slash in such a value: >, or more of the value */
    ELS_TAGS_SLASH,     /* > after the slash of <name/> */
    ELS_TAGS_CLOSE,     /* > of an end tag */
    ELS_TAGS_TAG,       /* nothing: it is a tag */
    ELS_TAGS_FAILED     /* nothing: it is not a tag */
} els_tags_state;

/* An open tag. The bytes of its id are before it on the stack. */
typedef struct els_tags_frame {
    uint32_t name;
    uint32_t id_size;
    uint32_t is_generated; /* the id is */
} els_tags_frame;

#define ELS_TAGS_COUNTER 20 /* digits of the largest number in a generated id */

static const elelem_str els_tags_names[] = { { "think", 5 }, { "thinking", 8 }, { "reasoning", 9 } };

ELS_PRIVATE elelem_status els_tags_fail(elelem_tag_splitter *s, elelem_status status)
{
    s->els_status = status;
    return status;
}

/* Names. */

ELS_INLINE unsigned char els_tags_fold(const elelem_tag_splitter *s, char letter)
{
    return (unsigned char)(s->els_ignore_case && letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter);
}

ELS_PRIVATE int els_tags_same(const elelem_tag_splitter *s, const char *a, const char *b, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++)
        if (els_tags_fold(s, a[i]) != els_tags_fold(s, b[i])) return 0;
    return 1;
}

/* Nonzero if a listed name begins with what was read of the tag's name. That of els_name does. */
ELS_PRIVATE int els_tags_fits(const elelem_tag_splitter *s, uint32_t index)
{
    elelem_str name = s->els_names[index];
    elelem_str current = s->els_names[s->els_name];

    if (index == s->els_name) return 1;
    return name.size >= s->els_name_size && els_tags_same(s, name.data, current.data, s->els_name_size);
}

/* Adds a byte to the name. Finds the first listed name that begins with it, not before els_name:
   names that did not begin with less do not begin with more. */
ELS_PRIVATE els_tags_state els_tags_read_name(elelem_tag_splitter *s, unsigned char byte)
{
    uint32_t i;

    for (i = s->els_name; i < s->els_name_count; i++) {
        const elelem_str *name = &s->els_names[i];
        if (name->size <= s->els_name_size) continue;
        if (els_tags_fold(s, name->data[s->els_name_size]) != els_tags_fold(s, (char)byte)) continue;
        if (!els_tags_fits(s, i)) continue;
        s->els_name = i;
        s->els_name_size++;
        return ELS_TAGS_NAME;
    }
    return ELS_TAGS_FAILED;
}

/* Nonzero if the name that was read is a listed one. */
ELS_PRIVATE int els_tags_find_name(elelem_tag_splitter *s)
{
    uint32_t i;

    for (i = s->els_name; i < s->els_name_count; i++) {
        if (s->els_names[i].size != s->els_name_size || !els_tags_fits(s, i)) continue;
        s->els_name = i;
        return 1;
    }
    return 0;
}

/* The candidate. For each state a function or a line returns the next state. */

ELS_PRIVATE els_tags_state els_tags_self_close(elelem_tag_splitter *s, unsigned char byte)
{
    if (byte != '>') return ELS_TAGS_FAILED;
    s->els_self_closing = 1;
    return ELS_TAGS_TAG;
}

ELS_PRIVATE els_tags_state els_tags_in_name(elelem_tag_splitter *s, unsigned char byte)
{
    if (!els_is_blank(byte) && byte != '/' && byte != '>') return els_tags_read_name(s, byte);
    if (s->els_name_size == 0 || !els_tags_find_name(s)) return ELS_TAGS_FAILED;
    if (byte == '>') return ELS_TAGS_TAG;
    if (byte == '/') return s->els_is_end ? ELS_TAGS_FAILED : ELS_TAGS_SLASH;
    return s->els_is_end ? ELS_TAGS_CLOSE : ELS_TAGS_SPACE;
}

ELS_PRIVATE els_tags_state els_tags_open_byte(elelem_tag_splitter *s, unsigned char byte)
{
    if (byte != '/' || s->els_is_end) return els_tags_in_name(s, byte);
    s->els_is_end = 1;
    return ELS_TAGS_OPEN;
}

ELS_PRIVATE els_tags_state els_tags_in_key(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_AFTER_KEY;
    switch (byte) {
    case '=': return ELS_TAGS_VALUE;
    case '/': return ELS_TAGS_SLASH;
    case '>': return ELS_TAGS_TAG;
    case '"':
    case '\'':
    case '<': return ELS_TAGS_FAILED;
    default: return ELS_TAGS_KEY;
    }
}

ELS_PRIVATE els_tags_state els_tags_in_space(elelem_tag_splitter *s, unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_SPACE;
    if (byte == '=') return ELS_TAGS_FAILED;
    if (byte != '/' && byte != '>' && ++s->els_attributes > s->els_max_attributes) return ELS_TAGS_FAILED;
    return els_tags_in_key(byte);
}

ELS_PRIVATE els_tags_state els_tags_after_key(elelem_tag_splitter *s, unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_AFTER_KEY;
    return byte == '=' ? ELS_TAGS_VALUE : els_tags_in_space(s, byte);
}

ELS_PRIVATE els_tags_state els_tags_in_value(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_VALUE;
    switch (byte) {
    case '"': return ELS_TAGS_DOUBLE;
    case '\'': return ELS_TAGS_SINGLE;
    case '=':
    case '<':
    case '>': return ELS_TAGS_FAILED;
    default: return ELS_TAGS_BARE;
    }
}

ELS_PRIVATE els_tags_state els_tags_after_quote(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_SPACE;
    if (byte == '/') return ELS_TAGS_SLASH;
    return byte == '>' ? ELS_TAGS_TAG : ELS_TAGS_FAILED;
}

ELS_PRIVATE els_tags_state els_tags_in_bare(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_SPACE;
    switch (byte) {
    case '/': return ELS_TAGS_SLASH_BARE;
    case '>': return ELS_TAGS_TAG;
    case '"':
    case '\'':
    case '<': return ELS_TAGS_FAILED;
    default: return ELS_TAGS_BARE;
    }
}

ELS_PRIVATE els_tags_state els_tags_in_close(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_CLOSE;
    return byte == '>' ? ELS_TAGS_TAG : ELS_TAGS_FAILED;
}

ELS_PRIVATE els_tags_state els_tags_after_byte(elelem_tag_splitter *s, unsigned char byte)
{
    switch ((els_tags_state)s->els_state) {
    case ELS_TAGS_OPEN: return els_tags_open_byte(s, byte);
    case ELS_TAGS_NAME: return els_tags_in_name(s, byte);
    case ELS_TAGS_SPACE: return els_tags_in_space(s, byte);
    case ELS_TAGS_KEY: return els_tags_in_key(byte);
    case ELS_TAGS_AFTER_KEY: return els_tags_after_key(s, byte);
    case ELS_TAGS_VALUE: return els_tags_in_value(byte);
    case ELS_TAGS_DOUBLE: return byte == '"' ? ELS_TAGS_QUOTED : ELS_TAGS_DOUBLE;
    case ELS_TAGS_SINGLE: return byte == '\'' ? ELS_TAGS_QUOTED : ELS_TAGS_SINGLE;
    case ELS_TAGS_QUOTED: return els_tags_after_quote(byte);
    case ELS_TAGS_BARE: return els_tags_in_bare(byte);
    case ELS_TAGS_SLASH_BARE: return byte == '>' ? els_tags_self_close(s, byte) : els_tags_in_bare(byte);
    case ELS_TAGS_SLASH: return els_tags_self_close(s, byte);
    case ELS_TAGS_CLOSE: return els_tags_in_close(byte);
    default: return ELS_TAGS_FAILED;
    }
}

/* Starts a candidate with its <. */
ELS_PRIVATE void els_tags_begin(elelem_tag_splitter *s)
{
    s->els_state = ELS_TAGS_OPEN;
    s->els_tag_size = 1;
    s->els_attributes = 0;
    s->els_name = 0;
    s->els_name_size = 0;
    s->els_is_end = 0;
    s->els_self_closing = 0;
}

ELS_PRIVATE void els_tags_read_blank(elelem_tag_splitter *s, unsigned char byte)
{
    if (byte == '<') {
        els_tags_begin(s);
    } else if (!els_is_blank(byte)) {
        s->els_state = ELS_TAGS_FAILED;
    } else if (++s->els_blanks >= s->els_max_tag) {
        s->els_state = ELS_TAGS_FAILED;
        s->els_long_run = 1;
    }
}

/* Reads until the candidate is a tag or failed, or no byte is left. Returns the first byte not read. */
ELS_PRIVATE const unsigned char *els_tags_scan(elelem_tag_splitter *s, const unsigned char *at,
                                               const unsigned char *end)
{
    while (at < end && s->els_state < ELS_TAGS_TAG) {
        unsigned char byte = *at++;
        if (s->els_state == ELS_TAGS_BLANK) {
            els_tags_read_blank(s, byte);
            continue;
        }
        s->els_state = (uint8_t)els_tags_after_byte(s, byte);
        if (++s->els_tag_size >= s->els_max_tag && s->els_state < ELS_TAGS_TAG) s->els_state = ELS_TAGS_FAILED;
    }
    return at;
}

/* Open tags: first a count for each name, then a frame for each tag. */

ELS_INLINE uint32_t *els_tags_open_counts(elelem_tag_splitter *s)
{
    return (uint32_t *)(void *)s->els_memory.data;
}

/* Nonzero if a tag with the name that was read is open. */
ELS_PRIVATE int els_tags_is_open(elelem_tag_splitter *s)
{
    return s->els_depth > 0 && els_tags_open_counts(s)[s->els_name] > 0;
}

ELS_PRIVATE els_tags_frame els_tags_frame_before(const elelem_tag_splitter *s, size_t end)
{
    els_tags_frame frame;

    memcpy(&frame, s->els_memory.data + end - sizeof frame, sizeof frame);
    return frame;
}

/* Sets what all pieces have: kind, depth, and the innermost open tag. */
ELS_PRIVATE void els_tags_piece(const elelem_tag_splitter *s, elelem_tag_piece *piece, elelem_tag_kind kind)
{
    els_tags_frame frame;

    memset(piece, 0, sizeof *piece);
    piece->kind = (uint8_t)kind;
    piece->depth = s->els_depth;
    piece->name_index = ELELEM_NO_TAG;
    if (s->els_depth == 0) return;
    frame = els_tags_frame_before(s, s->els_stack_size);
    piece->name = s->els_names[frame.name];
    piece->name_index = frame.name;
    piece->id = els_str(s->els_memory.data + s->els_stack_size - sizeof frame - frame.id_size, frame.id_size);
    piece->id_generated = frame.is_generated != 0;
}

ELS_PRIVATE size_t els_tags_generate_id(const elelem_tag_splitter *s, elelem_str name, unsigned char *id)
{
    char digits[ELS_TAGS_COUNTER];
    uint64_t number = s->els_generated;
    size_t size = name.size, count = 0;

    memcpy(id, name.data, name.size);
    id[size++] = '-';
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        id[size++] = (unsigned char)digits[--count];
    return size;
}

/* Nonzero if the id of the tag just read is kept. */
ELS_INLINE int els_tags_keeps_id(const elelem_tag_splitter *s)
{
    return s->els_depth < s->els_max_ids;
}

/* Puts the tag on the stack, which has room for it. Generates an id if `id` is empty. */
ELS_PRIVATE void els_tags_enter(elelem_tag_splitter *s, elelem_str id)
{
    unsigned char *at = s->els_memory.data + s->els_stack_size;
    els_tags_frame frame;

    frame.name = s->els_name;
    frame.is_generated = id.size == 0;
    if (frame.is_generated) s->els_generated++;
    if (!els_tags_keeps_id(s)) {
        frame.id_size = 0;
    } else if (frame.is_generated) {
        frame.id_size = (uint32_t)els_tags_generate_id(s, s->els_names[s->els_name], at);
    } else {
        memcpy(at, id.data, id.size);
        frame.id_size = (uint32_t)id.size;
    }
    memcpy(at + frame.id_size, &frame, sizeof frame);
    s->els_stack_size += frame.id_size + sizeof frame;
    els_tags_open_counts(s)[s->els_name]++;
    s->els_depth++;
}

ELS_PRIVATE void els_tags_leave(elelem_tag_splitter *s)
{
    els_tags_frame frame = els_tags_frame_before(s, s->els_stack_size);

    s->els_stack_size -= frame.id_size + sizeof frame;
    els_tags_open_counts(s)[frame.name]--;
    s->els_depth--;
}

/* Returns how many tags the end tag that was read closes. One of its name is open. */
ELS_PRIVATE uint32_t els_tags_levels(const elelem_tag_splitter *s)
{
    size_t end = s->els_stack_size;
    els_tags_frame frame = els_tags_frame_before(s, end);
    uint32_t levels = 1;

    while (frame.name != s->els_name) {
        end -= frame.id_size + sizeof frame;
        frame = els_tags_frame_before(s, end);
        levels++;
    }
    return levels;
}

/* The block: counts and frames, held bytes, attributes. */

ELS_INLINE unsigned char *els_tags_held(const elelem_tag_splitter *s)
{
    return s->els_memory.data + s->els_stack_room;
}

ELS_PRIVATE elelem_status els_tags_reserve(elelem_tag_splitter *s, size_t room, size_t tail)
{
    size_t needed = els_sum(els_sum(room, s->els_held_size), tail);
    elelem_status status = els_block_reserve(&s->els_memory, needed, SIZE_MAX, ELELEM_ERROR_MEMORY);

    if (status != ELELEM_OK || room == s->els_stack_room) return status;
    memmove(s->els_memory.data + room, els_tags_held(s), s->els_held_size);
    s->els_stack_room = room;
    return ELELEM_OK;
}

/* Makes room for `frame` more bytes on the stack and for `tail` bytes after the held ones. If bytes
   are held, `in` is a cursor over them, which is changed if they move. */
ELS_PRIVATE elelem_status els_tags_grow(elelem_tag_splitter *s, els_cursor *in, size_t frame, size_t tail)
{
    size_t needed = els_sum(s->els_stack_size, frame);
    size_t at = s->els_held_size > 0 ? (size_t)(in->at - els_tags_held(s)) : 0;
    size_t end = s->els_held_size > 0 ? (size_t)(in->end - els_tags_held(s)) : 0;
    elelem_status status;

    if (needed <= s->els_stack_room) {
        status = els_tags_reserve(s, s->els_stack_room, tail);
    } else {
        status = els_tags_reserve(s, els_product(needed, 2), tail);
        if (status != ELELEM_OK) status = els_tags_reserve(s, needed, tail);
    }
    if (status == ELELEM_OK && s->els_held_size > 0) {
        in->at = els_tags_held(s) + at;
        in->end = els_tags_held(s) + end;
    }
    return status;
}

/* Adds bytes to the held ones. */
ELS_PRIVATE elelem_status els_tags_append(elelem_tag_splitter *s, els_cursor *in, const unsigned char *to)
{
    size_t size = (size_t)(to - in->at);
    elelem_status status = els_tags_reserve(s, s->els_stack_room, size);

    if (status != ELELEM_OK) return els_tags_fail(s, status);
    if (size > 0) memcpy(els_tags_held(s) + s->els_held_size, in->at, size);
    s->els_held_size += size;
    in->at = to;
    return ELELEM_OK;
}

/* Holds the candidate from the cursor to the end of the chunk, which cuts it. */
ELS_PRIVATE elelem_status els_tags_hold(elelem_tag_splitter *s, els_cursor *in)
{
    elelem_status status;

    if (s->els_replay) {
        s->els_held_size = (size_t)(in->end - in->at);
        memmove(els_tags_held(s), in->at, s->els_held_size);
        s->els_replay = 0;
        s->els_held_at = 0;
        in->at = in->end;
        return ELS_AGAIN;
    }
    status = els_tags_append(s, in, in->end);
    return status == ELELEM_OK ? ELS_AGAIN : status;
}

/* Tags. */

/* Returns the end of a value without quotes. The slash of <name key=value/> does not belong to it. */
ELS_PRIVATE const unsigned char *els_tags_bare_end(const elelem_tag_splitter *s, const unsigned char *at)
{
    while (!els_is_blank(*at) && *at != '>')
        at++;
    return *at == '>' && s->els_self_closing && at[-1] == '/' ? at - 1 : at;
}

/* Reads a value, whose first character is at the cursor. */
ELS_PRIVATE elelem_str els_tags_value(const elelem_tag_splitter *s, els_cursor *in)
{
    const unsigned char *start = in->at;
    elelem_str value;

    if (*start != '"' && *start != '\'') {
        in->at = els_tags_bare_end(s, start);
        return els_str(start, (size_t)(in->at - start));
    }
    in->at = (const unsigned char *)memchr(start + 1, *start, (size_t)(in->end - start - 1));
    value = els_str(start + 1, (size_t)(in->at - start - 1));
    in->at++;
    return value;
}

/* Reads one attribute. The tag is well formed, so that every search ends inside it. */
ELS_PRIVATE void els_tags_attribute(const elelem_tag_splitter *s, els_cursor *in, elelem_tag_attribute *attribute)
{
    const unsigned char *start = els_blank_span(in->at, in->end);
    const unsigned char *at = start;

    memset(attribute, 0, sizeof *attribute);
    while (!els_is_blank(*at) && *at != '=' && *at != '/' && *at != '>')
        at++;
    attribute->name = els_str(start, (size_t)(at - start));
    in->at = at;
    at = els_blank_span(at, in->end);
    if (*at != '=') return;
    in->at = els_blank_span(at + 1, in->end);
    attribute->value = els_tags_value(s, in);
    attribute->has_value = 1;
}

/* Reads the attributes of a begin tag into the block and returns the id among them, which may be empty. */
ELS_PRIVATE elelem_str els_tags_attributes(const elelem_tag_splitter *s, els_cursor head,
                                           elelem_tag_attribute *attributes)
{
    elelem_str id = els_str("", 0);
    uint32_t i;

    head.at += 1 + s->els_name_size;
    for (i = 0; i < s->els_attributes; i++) {
        els_tags_attribute(s, &head, &attributes[i]);
        if (id.size > 0 || attributes[i].name.size != 2) continue;
        if (els_tags_same(s, attributes[i].name.data, "id", 2)) id = attributes[i].value;
    }
    return id;
}

/* Returns the offset of the attributes in the block: after the held bytes, aligned. */
ELS_INLINE size_t els_tags_attributes_at(const elelem_tag_splitter *s)
{
    return (s->els_stack_room + s->els_held_size + sizeof(elelem_str) - 1) / sizeof(elelem_str) * sizeof(elelem_str);
}

ELS_PRIVATE elelem_status els_tags_make_room(elelem_tag_splitter *s, els_cursor *in)
{
    size_t counts = els_product(s->els_name_count, sizeof(uint32_t));
    size_t id = els_sum(els_sum(s->els_tag_size, s->els_name_size), 1 + ELS_TAGS_COUNTER);
    size_t frame = els_sum(els_tags_keeps_id(s) ? id : 0, sizeof(els_tags_frame));
    size_t tail = els_sum(sizeof(elelem_str), els_product(s->els_attributes, sizeof(elelem_tag_attribute)));
    elelem_status status;

    if (s->els_stack_size > 0) return els_tags_grow(s, in, frame, tail);
    status = els_tags_grow(s, in, els_sum(counts, frame), tail);
    if (status != ELELEM_OK) return status;
    memset(s->els_memory.data, 0, counts);
    s->els_stack_size = counts;
    return ELELEM_OK;
}

/* Returns the BEGIN of the tag at the cursor. */
ELS_PRIVATE elelem_status els_tags_give_begin(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    elelem_status status = els_tags_make_room(s, in);
    elelem_tag_attribute *attributes;
    els_cursor head = *in;

    if (status != ELELEM_OK) return els_tags_fail(s, status);
    attributes = (elelem_tag_attribute *)(void *)(s->els_memory.data + els_tags_attributes_at(s));
    head.end = head.at + s->els_tag_size;
    els_tags_enter(s, els_tags_attributes(s, head, attributes));
    els_tags_piece(s, piece, ELELEM_TAG_BEGIN);
    piece->attributes = s->els_attributes > 0 ? attributes : NULL;
    piece->attribute_count = s->els_attributes;
    if (s->els_self_closing) {
        s->els_ends = 1;
        s->els_how = ELELEM_TAG_SELF_CLOSED;
        piece->how = ELELEM_TAG_SELF_CLOSED;
    }
    s->els_after = (s->els_trim & ELELEM_TAG_TRIM_INSIDE) != 0;
    return ELELEM_OK;
}

/* Returns the END of the innermost tag, one of els_ends. */
ELS_PRIVATE elelem_status els_tags_give_end(elelem_tag_splitter *s, elelem_tag_piece *piece)
{
    els_tags_piece(s, piece, ELELEM_TAG_END);
    els_tags_leave(s);
    s->els_ends--;
    piece->how = s->els_ends == 0 || s->els_how == ELELEM_TAG_UNCLOSED ? s->els_how : (uint8_t)ELELEM_TAG_IMPLIED;
    s->els_after = (s->els_trim & ELELEM_TAG_TRIM_OUTSIDE) != 0;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_tags_give_orphan(elelem_tag_splitter *s, elelem_tag_piece *piece)
{
    els_tags_piece(s, piece, ELELEM_TAG_END);
    piece->how = ELELEM_TAG_ORPHAN;
    piece->name = s->els_names[s->els_name];
    piece->name_index = s->els_name;
    piece->id = els_str("", 0);
    piece->id_generated = 0;
    s->els_after = (s->els_trim & ELELEM_TAG_TRIM_OUTSIDE) != 0;
    return ELELEM_OK;
}

/* Returns the first piece of the tag at the cursor, and skips the tag. */
ELS_PRIVATE elelem_status els_tags_give_tag(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    elelem_status status = ELELEM_OK;

    if (!s->els_is_end) {
        status = els_tags_give_begin(s, in, piece);
    } else if (els_tags_is_open(s)) {
        s->els_ends = els_tags_levels(s);
        s->els_how = ELELEM_TAG_CLOSED;
        els_tags_give_end(s, piece);
    } else {
        els_tags_give_orphan(s, piece);
    }
    if (status != ELELEM_OK) return status;
    piece->raw = els_str(in->at, s->els_tag_size);
    in->at += s->els_tag_size;
    return ELELEM_OK;
}

/* Nonzero if the tag that was read is text, because it is nested too deeply or is the end tag of one
   that is. Counts these tags, so it must be called once for each. */
ELS_PRIVATE int els_tags_is_beyond(elelem_tag_splitter *s)
{
    if (s->els_is_end) {
        if (s->els_beyond == 0) return 0;
        s->els_beyond--;
        return 1;
    }
    if (s->els_depth < s->els_max_depth) return 0;
    if (!s->els_self_closing) s->els_beyond++;
    return 1;
}

/* Nonzero if whitespace before the tag that was read is trimmed. */
ELS_PRIVATE int els_tags_trims_before(elelem_tag_splitter *s)
{
    return s->els_trim & (s->els_is_end && els_tags_is_open(s) ? ELELEM_TAG_TRIM_INSIDE : ELELEM_TAG_TRIM_OUTSIDE);
}

/* Text. */

ELS_PRIVATE int els_tags_second_fits(const unsigned char *at)
{
    els_lead lead = els_lead_of(at[0]);

    return at[1] >= lead.low && at[1] <= lead.high;
}

/* Nonzero if the bytes may be the start of a longer character. */
ELS_PRIVATE int els_tags_is_partial(const unsigned char *at, size_t size)
{
    return els_lead_of(at[0]).more >= size && (size < 2 || els_tags_second_fits(at));
}

/* Returns how many bytes before `end` are the start of a character that is cut there. */
ELS_PRIVATE size_t els_tags_cut_size(const unsigned char *end, size_t size)
{
    size_t back;

    for (back = 1; back <= 3 && back <= size; back++)
        if (!els_is_continuation(*(end - back))) return els_tags_is_partial(end - back, back) ? back : 0;
    return 0;
}

ELS_PRIVATE elelem_status els_tags_give_text(const elelem_tag_splitter *s, const unsigned char *text, size_t size,
                                             elelem_tag_piece *piece)
{
    els_tags_piece(s, piece, ELELEM_TAG_TEXT);
    piece->text = els_str(text, size);
    return ELELEM_OK;
}

/* Returns the text before `stop`. If that is the end of the chunk, and it cuts a character, its bytes are carried. */
ELS_PRIVATE elelem_status els_tags_give_run(elelem_tag_splitter *s, els_cursor *in, const unsigned char *stop,
                                            elelem_tag_piece *piece)
{
    const unsigned char *text = in->at;
    size_t size = (size_t)(stop - text);
    size_t cut = stop == in->end ? els_tags_cut_size(stop, size) : 0;

    memcpy(s->els_carry, stop - cut, cut);
    s->els_carry_size = (uint8_t)cut;
    in->at = stop;
    return size > cut ? els_tags_give_text(s, text, size - cut, piece) : ELS_AGAIN;
}

/* Returns the carried bytes with those that complete the character; alone if they are not one. */
ELS_PRIVATE elelem_status els_tags_give_carry(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    size_t size = s->els_carry_size;
    size_t whole = (size_t)els_lead_of(s->els_carry[0]).more + 1;

    while (in->at < in->end && size < whole && els_is_continuation(*in->at)) {
        s->els_carry[size] = *in->at;
        if (!els_tags_second_fits(s->els_carry)) break;
        size++;
        in->at++;
    }
    s->els_carry_size = (uint8_t)size;
    if (in->at == in->end && size < whole && !s->els_lent.finished) return ELS_AGAIN;
    s->els_carry_size = 0;
    return els_tags_give_text(s, s->els_carry, size, piece);
}

/* Returns the start of the whitespace before `stop`, not before `from`; `stop` if nothing is trimmed, or
   if the run is too long, in which case whitespace that follows is not trimmed either. */
ELS_PRIVATE const unsigned char *els_tags_back(elelem_tag_splitter *s, const unsigned char *from,
                                               const unsigned char *stop)
{
    const unsigned char *at = stop;

    if (!s->els_trim) return stop;
    while (at > from && els_is_blank(at[-1]))
        at--;
    if ((size_t)(stop - at) >= s->els_max_tag) {
        s->els_long_run = 1;
        return stop;
    }
    s->els_blanks = (uint32_t)(stop - at);
    return at;
}

/* Finds the first candidate at or after `from` that is a tag (els_state is TAG) or, unless these are
   the last bytes, may become one. Returns its start, or that of the whitespace before it that may be
   trimmed; the end if there is no candidate. */
ELS_PRIVATE const unsigned char *els_tags_search(elelem_tag_splitter *s, const unsigned char *from,
                                                 const unsigned char *end, int last)
{
    const unsigned char *start;

    while (from < end && (start = (const unsigned char *)memchr(from, '<', (size_t)(end - from))) != NULL) {
        const unsigned char *at;
        els_tags_begin(s);
        at = els_tags_scan(s, start + 1, end);
        if (s->els_state == ELS_TAGS_TAG) {
            if (!els_tags_is_beyond(s)) return els_tags_trims_before(s) ? els_tags_back(s, from, start) : start;
            from = at;
        } else {
            if (s->els_state != ELS_TAGS_FAILED && !last) return els_tags_back(s, from, start);
            from = start + 1;
        }
    }
    s->els_state = ELS_TAGS_BLANK;
    return last ? end : els_tags_back(s, from, end);
}

/* Reads the next piece from a cursor over text with tags. */
ELS_PRIVATE elelem_status els_tags_read(elelem_tag_splitter *s, els_cursor *in, int last, elelem_tag_piece *piece)
{
    const unsigned char *from, *stop;

    if (s->els_carry_size > 0) return els_tags_give_carry(s, in, piece);
    if (s->els_after) in->at = els_blank_span(in->at, in->end);
    if (in->at == in->end) return ELS_AGAIN;
    s->els_after = 0;
    from = in->at + s->els_known;
    s->els_known = 0;
    s->els_blanks = 0;
    if (s->els_long_run) from = els_blank_span(from, in->end);
    if (from < in->end) s->els_long_run = 0;
    stop = els_tags_search(s, from, in->end, last);
    if (stop > in->at) return els_tags_give_run(s, in, stop, piece);
    if (s->els_state != ELS_TAGS_TAG) return els_tags_hold(s, in);
    in->at += s->els_blanks;
    return els_tags_give_tag(s, in, piece);
}

/* Held bytes. */

/* The held bytes do not begin with a tag: the first `known` of them are text, the others are read
   again. */
ELS_PRIVATE elelem_status els_tags_give_up(elelem_tag_splitter *s, size_t known)
{
    s->els_known = known < s->els_held_size ? known : s->els_held_size;
    s->els_replay = 1;
    return ELS_AGAIN;
}

/* Called when all held bytes were returned. Pointers to them stay valid until the next call. */
ELS_PRIVATE void els_tags_drop_held(elelem_tag_splitter *s)
{
    s->els_held_at = 0;
    s->els_held_size = 0;
    s->els_replay = 0;
}

ELS_PRIVATE els_cursor els_tags_held_cursor(const elelem_tag_splitter *s)
{
    els_cursor held;

    held.at = els_tags_held(s) + s->els_held_at;
    held.end = els_tags_held(s) + s->els_held_size;
    return held;
}

ELS_PRIVATE elelem_status els_tags_replay(elelem_tag_splitter *s, const els_cursor *in, elelem_tag_piece *piece)
{
    els_cursor held = els_tags_held_cursor(s);
    elelem_status status = els_tags_read(s, &held, s->els_lent.finished && in->at == in->end, piece);

    if (!s->els_replay) return status;
    s->els_held_at = s->els_held_size - (size_t)(held.end - held.at);
    if (held.at == held.end) els_tags_drop_held(s);
    return status;
}

/* Returns the held candidate, which is a tag, or first the whitespace before it that is not trimmed. */
ELS_PRIVATE elelem_status els_tags_give_held(elelem_tag_splitter *s, elelem_tag_piece *piece)
{
    els_cursor held = els_tags_held_cursor(s);
    elelem_status status;

    if (s->els_blanks > 0 && !els_tags_trims_before(s)) {
        s->els_held_at = s->els_blanks;
        s->els_blanks = 0;
        return els_tags_give_text(s, held.at, s->els_held_at, piece);
    }
    held.at += s->els_blanks;
    status = els_tags_give_tag(s, &held, piece);
    if (status == ELELEM_OK) els_tags_drop_held(s);
    return status;
}

/* Continues the held candidate. */
ELS_PRIVATE elelem_status els_tags_resume(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    const unsigned char *to = els_tags_scan(s, in->at, in->end);
    elelem_status status;

    if (s->els_state < ELS_TAGS_TAG && to == in->at && !s->els_lent.finished) return ELELEM_MORE;
    if (s->els_state == ELS_TAGS_FAILED || (s->els_state < ELS_TAGS_TAG && s->els_lent.finished))
        return els_tags_give_up(s, (size_t)s->els_blanks + 1);
    status = els_tags_append(s, in, to);
    if (status != ELELEM_OK) return status;
    if (s->els_state != ELS_TAGS_TAG) return ELS_AGAIN;
    if (els_tags_is_beyond(s)) return els_tags_give_up(s, s->els_held_size);
    return els_tags_give_held(s, piece);
}

/* Ends the text: finish was called and everything is read. */
ELS_PRIVATE elelem_status els_tags_over(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    if (s->els_carry_size > 0) return els_tags_give_carry(s, in, piece);
    if (s->els_depth == 0) return ELELEM_END;
    s->els_ends = s->els_depth;
    s->els_how = ELELEM_TAG_UNCLOSED;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_tags_step(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    if (s->els_status != ELELEM_OK) return (elelem_status)s->els_status;
    if (s->els_ends > 0) return els_tags_give_end(s, piece);
    if (s->els_replay) return els_tags_replay(s, in, piece);
    if (s->els_held_size > 0) return els_tags_resume(s, in, piece);
    if (in->at < in->end) return els_tags_read(s, in, s->els_lent.finished, piece);
    return s->els_lent.finished ? els_tags_over(s, in, piece) : ELELEM_MORE;
}

/* Reads the next piece from a cursor that the caller keeps. The bytes must stay valid until MORE is
   returned. */
ELS_PRIVATE elelem_status els_tags_next(elelem_tag_splitter *splitter, els_cursor *in, elelem_tag_piece *piece)
{
    const unsigned char *start = in->at;
    elelem_status status;

    do
        status = els_tags_step(splitter, in, piece);
    while (status == ELS_AGAIN);
    splitter->els_offset += (uint64_t)(in->at - start);
    return status;
}

ELS_PRIVATE void els_tags_start(elelem_tag_splitter *s)
{
    els_input_start(&s->els_lent, 0);
    s->els_offset = 0;
    s->els_generated = 0;
    s->els_stack_size = 0;
    s->els_known = 0;
    s->els_depth = 0;
    s->els_ends = 0;
    s->els_beyond = 0;
    s->els_status = ELELEM_OK;
    s->els_after = 0;
    s->els_long_run = 0;
    s->els_carry_size = 0;
    els_tags_drop_held(s);
}

void elelem_tag_splitter_init(elelem_tag_splitter *splitter, const elelem_tag_splitter_desc *desc)
{
    elelem_tag_splitter_desc defaults = ELELEM_INIT;
    const elelem_tag_splitter_desc *d = desc ? desc : &defaults;

    memset(splitter, 0, sizeof *splitter);
    splitter->els_memory.allocator = d->allocator;
    splitter->els_names = d->names ? d->names : els_tags_names;
    splitter->els_name_count = d->names ? d->name_count : (uint32_t)(sizeof els_tags_names / sizeof *els_tags_names);
    splitter->els_max_tag = els_limit(d->max_tag_bytes, 4096, (uint32_t)1 << 24);
    splitter->els_max_attributes = els_limit(d->max_attributes, 64, (uint32_t)1 << 24);
    splitter->els_max_depth = els_limit(d->max_depth, 64, (uint32_t)1 << 16);
    splitter->els_max_ids = splitter->els_max_depth;
    splitter->els_trim = d->trim & (ELELEM_TAG_TRIM_OUTSIDE | ELELEM_TAG_TRIM_INSIDE);
    splitter->els_ignore_case = d->ignore_case != 0;
    els_tags_start(splitter);
}

elelem_status elelem_tag_splitter_push(elelem_tag_splitter *splitter, const void *bytes, size_t size)
{
    if (splitter->els_status != ELELEM_OK) return (elelem_status)splitter->els_status;
    return els_input_push(&splitter->els_lent, bytes, size);
}

elelem_status elelem_tag_splitter_next(elelem_tag_splitter *splitter, elelem_tag_piece *piece)
{
    elelem_status status = els_tags_next(splitter, &splitter->els_lent.bytes, piece);

    if (status != ELELEM_MORE) return status;
    status = els_input_more(&splitter->els_lent);
    if (status < 0) splitter->els_status = status;
    return status;
}

void elelem_tag_splitter_finish(elelem_tag_splitter *splitter)
{
    els_input_finish(&splitter->els_lent);
}

elelem_error elelem_tag_splitter_error(const elelem_tag_splitter *splitter)
{
    return els_input_error(&splitter->els_lent, (elelem_status)splitter->els_status, splitter->els_offset);
}

void elelem_tag_splitter_reset(elelem_tag_splitter *splitter)
{
    if (splitter->els_lent.state != ELS_INPUT_NONE) els_tags_start(splitter);
}

void elelem_tag_splitter_free(elelem_tag_splitter *splitter)
{
    els_block_free(&splitter->els_memory);
    memset(splitter, 0, sizeof *splitter);
}

/* >> thought */

/* What the splitter does next. */
typedef enum els_thought_phase {
    ELS_THOUGHT_IDLE,  /* wait for an event */
    ELS_THOUGHT_PASS,  /* return a part, with another index, or begin to split it */
    ELS_THOUGHT_SPLIT, /* take pieces of the message's text */
    ELS_THOUGHT_PIECE, /* return the current piece */
    ELS_THOUGHT_CLOSE, /* take the last pieces of an item that is flushed */
    ELS_THOUGHT_FLUSH, /* return the flush */
    ELS_THOUGHT_AS_IS, /* return the event unchanged: it belongs to no item */
    ELS_THOUGHT_DRAIN  /* before an end: take the text that items hold back */
} els_thought_phase;

/* An item of the stream that is open. */
typedef struct els_thought {
    elelem_tag_splitter splitter; /* messages only */
    uint32_t in;      /* its index in the stream */
    uint32_t out;     /* the index of its events now */
    uint32_t choice;
    uint8_t kind;     /* the elelem_part_kind of its events now */
    uint8_t is_open;  /* a part with that index was returned, and not flushed */
    uint8_t is_split; /* a message */
} els_thought;

ELS_INLINE els_thought *els_thoughts(const elelem_thought_splitter *s)
{
    return (els_thought *)(void *)s->els_items.data;
}

ELS_PRIVATE elelem_status els_thought_fail(elelem_thought_splitter *s, elelem_status status)
{
    s->els_status = status;
    return status;
}

ELS_PRIVATE int els_thought_find(elelem_thought_splitter *s, uint32_t index)
{
    for (s->els_at = 0; s->els_at < s->els_count; s->els_at++)
        if (els_thoughts(s)[s->els_at].in == index) return 1;
    return 0;
}

/* Finds the item of the event; adds it if this is its first event. */
ELS_PRIVATE elelem_status els_thought_enter(elelem_thought_splitter *s)
{
    els_thought *item;
    elelem_status status;

    if (els_thought_find(s, s->els_event.index)) return ELELEM_OK;
    status = els_block_reserve(&s->els_items, els_product(els_sum(s->els_count, 1), sizeof *item),
                               els_product(s->els_max, sizeof *item), ELELEM_ERROR_COUNT);
    if (status != ELELEM_OK) return els_thought_fail(s, status);
    item = &els_thoughts(s)[s->els_count++];
    memset(item, 0, sizeof *item);
    item->in = s->els_event.index;
    item->choice = s->els_event.choice;
    item->is_split = s->els_event.part.kind == ELELEM_PART_MESSAGE;
    if (!item->is_split) return ELELEM_OK;
    elelem_tag_splitter_init(&item->splitter, &s->els_tags);
    item->splitter.els_max_ids = 1; /* of the outermost tag; those inside it are text */
    return ELELEM_OK;
}

ELS_PRIVATE void els_thought_leave(elelem_thought_splitter *s)
{
    els_thought *item = &els_thoughts(s)[s->els_at];

    if (item->is_split) elelem_tag_splitter_free(&item->splitter);
    memmove(item, item + 1, (s->els_count - s->els_at - 1) * sizeof *item);
    s->els_count--;
}

/* Events that are returned. */

ELS_PRIVATE elelem_status els_thought_event(const els_thought *item, elelem_event *event, elelem_event_kind kind)
{
    memset(event, 0, sizeof *event);
    event->kind = (uint8_t)kind;
    event->index = item->out;
    event->choice = item->choice;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_thought_flush(els_thought *item, elelem_event *event)
{
    item->is_open = 0;
    return els_thought_event(item, event, ELELEM_EVENT_FLUSH);
}

ELS_PRIVATE void els_thought_open(elelem_thought_splitter *s, els_thought *item, elelem_part_kind kind)
{
    if (item->is_open) return;
    item->is_open = 1;
    item->kind = (uint8_t)kind;
    item->out = s->els_next_index++;
}

/* The metadata about a tag. */

ELS_PRIVATE void els_thought_write_attributes(elelem_writer *writer, const elelem_tag_piece *piece)
{
    uint32_t i;

    elelem_writer_key(writer, elelem_str_of("attributes"));
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (i = 0; i < piece->attribute_count; i++) {
        elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
        elelem_writer_string(writer, piece->attributes[i].name);
        if (piece->attributes[i].has_value) elelem_writer_string(writer, piece->attributes[i].value);
        elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

ELS_PRIVATE elelem_status els_thought_describe_tag(elelem_thought_splitter *s, elelem_event *event)
{
    const elelem_tag_piece *piece = &s->els_piece;
    elelem_writer writer;

    elelem_buffer_clear(&s->els_json);
    elelem_writer_init(&writer, elelem_buffer_sink(&s->els_json), 0);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(&writer, elelem_str_of("name"));
    elelem_writer_string(&writer, piece->name);
    elelem_writer_key(&writer, elelem_str_of("id"));
    elelem_writer_string(&writer, piece->id);
    if (piece->attribute_count > 0) els_thought_write_attributes(&writer, piece);
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    if (els_writer_status(&writer) != ELELEM_OK) return els_thought_fail(s, els_writer_status(&writer));
    s->els_entry.key = elelem_str_of("tag");
    s->els_entry.json = elelem_buffer_text(&s->els_json);
    event->metadata.entries = &s->els_entry;
    event->metadata.count = 1;
    return ELELEM_OK;
}

/* Pieces. Tags inside the outermost one are text of the reasoning. */

ELS_PRIVATE elelem_str els_thought_text(const elelem_tag_piece *piece)
{
    if (piece->kind == ELELEM_TAG_TEXT) return piece->text;
    return piece->depth > 1 ? piece->raw : els_str(NULL, 0);
}

ELS_PRIVATE int els_thought_is_inside(const elelem_tag_piece *piece)
{
    return piece->depth > 0 && piece->how != ELELEM_TAG_ORPHAN;
}

/* Returns the current piece, or first the flush of what was before it. */
ELS_PRIVATE elelem_status els_thought_piece(elelem_thought_splitter *s, elelem_event *event)
{
    els_thought *item = &els_thoughts(s)[s->els_at];
    elelem_part_kind kind = els_thought_is_inside(&s->els_piece) ? ELELEM_PART_REASONING : ELELEM_PART_MESSAGE;
    int is_first = s->els_piece.kind == ELELEM_TAG_BEGIN && s->els_piece.depth == 1;

    if (item->is_open && (item->kind != kind || is_first)) return els_thought_flush(item, event);
    els_thought_open(s, item, kind);
    els_thought_event(item, event, ELELEM_EVENT_PART);
    event->part.kind = (uint8_t)kind;
    event->part.text = els_thought_text(&s->els_piece);
    s->els_phase = s->els_event.kind == ELELEM_EVENT_PART    ? ELS_THOUGHT_SPLIT
                   : s->els_event.kind == ELELEM_EVENT_FLUSH ? ELS_THOUGHT_CLOSE
                                                             : ELS_THOUGHT_DRAIN;
    return is_first ? els_thought_describe_tag(s, event) : ELELEM_OK;
}

/* Takes the next piece. OK: the flush of reasoning that an end tag closed; AGAIN: a piece to be returned, or one that
   adds nothing; MORE, END as from the tag splitter. */
ELS_PRIVATE elelem_status els_thought_take(elelem_thought_splitter *s, elelem_event *event)
{
    els_thought *item = &els_thoughts(s)[s->els_at];
    elelem_status status = els_tags_next(&item->splitter, &s->els_text, &s->els_piece);

    if (status < 0) return els_thought_fail(s, status);
    if (status != ELELEM_OK) return status;
    if (s->els_piece.kind == ELELEM_TAG_END && s->els_piece.depth == 1 && s->els_piece.how != ELELEM_TAG_ORPHAN) {
        if (s->els_piece.how == ELELEM_TAG_UNCLOSED || !item->is_open) return ELS_AGAIN;
        return els_thought_flush(item, event);
    }
    if (els_thought_text(&s->els_piece).size > 0 || (s->els_piece.kind == ELELEM_TAG_BEGIN && s->els_piece.depth == 1))
        s->els_phase = ELS_THOUGHT_PIECE;
    return ELS_AGAIN;
}

/* Phases. */

/* Returns the metadata of a message's part in a part without text, of the item that is open or of a new one. */
ELS_PRIVATE elelem_status els_thought_pass_metadata(elelem_thought_splitter *s, els_thought *item, elelem_event *event)
{
    els_thought_open(s, item, ELELEM_PART_MESSAGE);
    els_thought_event(item, event, ELELEM_EVENT_PART);
    event->part.kind = item->kind;
    event->metadata = s->els_event.metadata;
    return ELELEM_OK;
}

/* Begins to split the text of a message; returns any other part with its new index. */
ELS_PRIVATE elelem_status els_thought_part(elelem_thought_splitter *s, elelem_event *event)
{
    els_thought *item = &els_thoughts(s)[s->els_at];

    if (item->is_split) {
        s->els_text = els_cursor_of(s->els_event.part.text.data, s->els_event.part.text.size);
        s->els_phase = ELS_THOUGHT_SPLIT;
        return s->els_event.metadata.count > 0 ? els_thought_pass_metadata(s, item, event) : ELS_AGAIN;
    }
    els_thought_open(s, item, (elelem_part_kind)s->els_event.part.kind);
    *event = s->els_event;
    event->index = item->out;
    s->els_phase = ELS_THOUGHT_IDLE;
    return ELELEM_OK;
}

/* Returns the flush of an item. If none is open but the flush has metadata, an empty one is opened first. */
ELS_PRIVATE elelem_status els_thought_end(elelem_thought_splitter *s, elelem_event *event)
{
    els_thought *item = &els_thoughts(s)[s->els_at];
    if (!item->is_open && s->els_event.metadata.count > 0) {
        els_thought_open(s, item, ELELEM_PART_MESSAGE);
        els_thought_event(item, event, ELELEM_EVENT_PART);
        event->part.kind = ELELEM_PART_MESSAGE;
        return ELELEM_OK;
    }
    s->els_phase = ELS_THOUGHT_IDLE;
    if (!item->is_open) {
        els_thought_leave(s);
        return ELS_AGAIN;
    }
    els_thought_flush(item, event);
    event->cut_off = s->els_event.cut_off;
    event->metadata = s->els_event.metadata;
    els_thought_leave(s);
    return ELELEM_OK;
}

/* Returns an end of the stream, after all text that was held back because it might have become a tag. */
ELS_PRIVATE elelem_status els_thought_drain(elelem_thought_splitter *s, elelem_event *event)
{
    for (; s->els_at < s->els_count; s->els_at++) {
        els_thought *item = &els_thoughts(s)[s->els_at];
        elelem_status status;
        if (!item->is_split) continue;
        elelem_tag_splitter_finish(&item->splitter);
        status = els_thought_take(s, event);
        if (status != ELELEM_END) return status;
    }
    *event = s->els_event;
    s->els_phase = ELS_THOUGHT_IDLE;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_thought_step(elelem_thought_splitter *s, elelem_event *event)
{
    elelem_status status;

    switch ((els_thought_phase)s->els_phase) {
    case ELS_THOUGHT_PASS: return els_thought_part(s, event);
    case ELS_THOUGHT_PIECE: return els_thought_piece(s, event);
    case ELS_THOUGHT_FLUSH: return els_thought_end(s, event);
    case ELS_THOUGHT_DRAIN: return els_thought_drain(s, event);
    case ELS_THOUGHT_AS_IS:
        *event = s->els_event;
        s->els_phase = ELS_THOUGHT_IDLE;
        return ELELEM_OK;
    case ELS_THOUGHT_SPLIT:
        status = els_thought_take(s, event);
        if (status == ELELEM_MORE) s->els_phase = ELS_THOUGHT_IDLE;
        return status;
    case ELS_THOUGHT_CLOSE:
        status = els_thought_take(s, event);
        if (status == ELELEM_END) s->els_phase = ELS_THOUGHT_FLUSH;
        return status == ELELEM_END ? ELS_AGAIN : status;
    default: return s->els_owed.state == ELS_DEBT_LOST ? els_thought_fail(s, ELELEM_ERROR_MISUSE) : ELELEM_MORE;
    }
}

elelem_status elelem_thought_splitter_next(elelem_thought_splitter *splitter, elelem_event *event)
{
    elelem_status status;

    if (splitter->els_status != ELELEM_OK) return (elelem_status)splitter->els_status;
    if (splitter->els_max == 0) return ELELEM_ERROR_MISUSE;
    do
        status = els_thought_step(splitter, event);
    while (status == ELS_AGAIN);
    return status;
}

ELS_PRIVATE elelem_status els_thought_take_event(elelem_thought_splitter *s, const elelem_event *event)
{
    elelem_status status = ELELEM_OK;

    s->els_event = *event;
    if (event->kind == ELELEM_EVENT_PART) {
        status = els_thought_enter(s);
        if (status == ELELEM_OK) s->els_phase = ELS_THOUGHT_PASS;
    } else if (event->kind == ELELEM_EVENT_FLUSH) {
        if (!els_thought_find(s, event->index)) return ELELEM_ERROR_MISUSE;
        s->els_phase = ELS_THOUGHT_FLUSH;
        s->els_finished++;
        if (els_thoughts(s)[s->els_at].is_split) {
            elelem_tag_splitter_finish(&els_thoughts(s)[s->els_at].splitter);
            s->els_phase = ELS_THOUGHT_CLOSE;
        }
    } else if (event->kind == ELELEM_EVENT_METADATA) {
        s->els_phase = ELS_THOUGHT_AS_IS;
    } else {
        s->els_at = 0;
        s->els_phase = ELS_THOUGHT_DRAIN;
    }
    return status;
}

elelem_status elelem_thought_splitter_push(elelem_thought_splitter *splitter, const elelem_event *event)
{
    elelem_status status = (elelem_status)splitter->els_status;

    if (status != ELELEM_OK) return status;
    if (splitter->els_max == 0) return ELELEM_ERROR_MISUSE;
    if (!els_debt_takes_event(&splitter->els_owed, event, splitter->els_phase == ELS_THOUGHT_IDLE))
        return ELELEM_ERROR_MISUSE;
    return els_thought_take_event(splitter, event);
}

elelem_error elelem_thought_splitter_error(const elelem_thought_splitter *splitter)
{
    if (splitter->els_max == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    if (splitter->els_status == ELELEM_ERROR_MISUSE) return els_lost_error(splitter->els_finished);
    return els_error((elelem_status)splitter->els_status, splitter->els_status ? splitter->els_finished : 0);
}

void elelem_thought_splitter_reset(elelem_thought_splitter *splitter)
{
    splitter->els_at = 0;
    while (splitter->els_count > 0)
        els_thought_leave(splitter);
    splitter->els_text = els_cursor_of(NULL, 0);
    splitter->els_owed.state = ELS_DEBT_NONE;
    splitter->els_finished = 0;
    splitter->els_next_index = 0;
    splitter->els_status = ELELEM_OK;
    splitter->els_phase = ELS_THOUGHT_IDLE;
}

void elelem_thought_splitter_init(elelem_thought_splitter *splitter, const elelem_thought_splitter_desc *desc)
{
    elelem_thought_splitter_desc defaults = ELELEM_INIT;
    const elelem_thought_splitter_desc *d = desc ? desc : &defaults;

    memset(splitter, 0, sizeof *splitter);
    splitter->els_items.allocator = d->allocator;
    splitter->els_tags.allocator = d->allocator;
    splitter->els_tags.names = d->names;
    splitter->els_tags.name_count = d->name_count;
    splitter->els_max = ELS_DEFAULT(d->max_open, 256u);
    elelem_buffer_init(&splitter->els_json, d->allocator, 0);
}

void elelem_thought_splitter_free(elelem_thought_splitter *splitter)
{
    elelem_thought_splitter_reset(splitter);
    els_block_free(&splitter->els_items);
    elelem_buffer_free(&splitter->els_json);
    memset(splitter, 0, sizeof *splitter);
}

/* >> body */

/* What reading came upon. */
typedef enum els_body_found {
    ELS_BODY_NOTHING, /* read on; only inside this room */
    ELS_BODY_MORE,    /* all bytes are read */
    ELS_BODY_PIECE,   /* a piece of a value that passes; the frame is not over */
    ELS_BODY_FRAME,   /* a frame whose data is one JSON value: the document */
    ELS_BODY_DONE,    /* a frame whose data is [DONE] */
    ELS_BODY_EMPTY,   /* a frame without data */
    ELS_BODY_BROKEN,  /* a frame whose data is no JSON value: the error, and the document as far as it goes */
    ELS_BODY_STRAY,   /* a JSON value in lines between frames: the document */
    ELS_BODY_STRAY_LIMIT, /* one that met a limit: the error, and the document as far as it goes */
    ELS_BODY_NOT_A_STREAM, /* nothing of all this: the error, and the document as far as it goes */
    ELS_BODY_ERROR,   /* the body cannot be read further: the error */
    ELS_BODY_END      /* the body is over */
} els_body_found;

typedef enum els_body_kind {
    ELS_BODY_UNKNOWN, /* nothing but whitespace came */
    ELS_BODY_EVENTS,  /* an event stream */
    ELS_BODY_VALUE,   /* one JSON value */
    ELS_BODY_ARRAY,   /* an array whose elements are documents */
    ELS_BODY_TEXT,    /* something else */
    ELS_BODY_FRAMES   /* whole frames from the caller's own client */
} els_body_kind;

typedef enum els_body_json {
    ELS_BODY_JSON_NONE, /* no byte but whitespace */
    ELS_BODY_JSON_PART,
    ELS_BODY_JSON_WHOLE,
    ELS_BODY_JSON_BAD   /* not JSON */
} els_body_json;

typedef enum els_body_source {
    ELS_BODY_IN_DATA, /* the data of a frame, or the body itself */
    ELS_BODY_IN_LINES /* lines between frames that are no fields */
} els_body_source;

/* What the lines of an event stream held so far, except for comments and fields without data. */
typedef enum els_body_heard {
    ELS_BODY_HEARD_NOTHING,
    ELS_BODY_HEARD_WORDS, /* a line that cannot be meant for a field */
    ELS_BODY_HEARD_JSON,  /* a line of JSON */
    ELS_BODY_HEARD_DATA
} els_body_heard;

/* How far a line is that is no field of the standard. */
typedef enum els_body_line {
    ELS_BODY_LINE_NONE,
    ELS_BODY_LINE_BEGUN, /* inside what may be a name */
    ELS_BODY_LINE_KNOWN  /* after the name, or it has none */
} els_body_line;

typedef enum els_body_array {
    ELS_BODY_ARRAY_BRACKET, /* the bracket that opens it */
    ELS_BODY_ARRAY_FIRST,   /* its first element, or the bracket that closes it */
    ELS_BODY_ARRAY_ELEMENT, /* an element, after a comma */
    ELS_BODY_ARRAY_COMMA,   /* a comma, or the bracket that closes it */
    ELS_BODY_ARRAY_CLOSED   /* nothing but whitespace */
} els_body_array;

#define ELS_BODY_NOT_DONE 7

ELS_PRIVATE els_body_found els_body_fail(els_body *b, elelem_error error)
{
    b->error = error;
    return ELS_BODY_ERROR;
}

/* The document, whole or as far as it goes. Valid until the next call of els_body_next. */
ELS_INLINE elelem_value els_body_document(const els_body *b)
{
    return elelem_fragment_aggregator_value(&b->document);
}

/* The value that passes, as far as it was stored before its type was known. */
ELS_PRIVATE elelem_value els_body_passing(const els_body *b)
{
    elelem_value value = els_value_of(&b->document, b->document.els_current);
    uint32_t depth = b->document.els_depth;

    for (; depth > b->passage.depth; depth--)
        value = elelem_value_parent(value);
    return value;
}

ELS_INLINE int els_body_is_whole(const els_body *b)
{
    return b->json == ELS_BODY_JSON_WHOLE;
}

/* Reading JSON. */

/* Begins the text of another document. */
ELS_PRIVATE void els_body_begin_text(els_body *b)
{
    b->parser.els_patterns = b->patterns;
    elelem_fragment_parser_reset(&b->parser);
    elelem_fragment_aggregator_reset(&b->document);
    els_passage_start(&b->passage);
    b->has_rest = 0;
    b->json = ELS_BODY_JSON_NONE;
    b->source = ELS_BODY_IN_DATA;
    b->done = 0;
}

ELS_PRIVATE void els_body_begin_document(els_body *b, const els_input *in)
{
    els_body_begin_text(b);
    b->begin = els_input_offset(in);
    b->is_found = 0;
}

/* Takes fragments into the document. Returns what the parser returned at last, or why the document cannot grow. */
ELS_PRIVATE elelem_status els_body_follow(els_body *b, els_cursor *bytes)
{
    elelem_fragment fragment;
    elelem_status status;

    do {
        status = els_fragment_next(&b->parser, bytes, &fragment);
        if (status != ELELEM_OK) return status;
        status = els_tree_follow(&b->document, &fragment);
    } while (status >= 0);
    return status;
}

/* The same when values may pass. ELS_AGAIN: a piece of one was found. */
ELS_PRIVATE elelem_status els_body_follow_passing(els_body *b, els_cursor *bytes)
{
    elelem_fragment fragment;
    elelem_status status;

    do {
        if (els_passage_piece(&b->passage, &b->piece)) return ELS_AGAIN;
        status = els_passage_status(&b->passage);
        if (status == ELELEM_OK) status = els_fragment_next(&b->parser, bytes, &fragment);
        if (status != ELELEM_OK) return status;
        if (!els_passage_take(&b->passage, &fragment)) status = els_tree_follow(&b->document, &fragment);
    } while (status >= 0);
    return status;
}

/* Reads a value into the document, up to the end of the bytes or of the value. OK; ELS_AGAIN: a piece of a value that
   passes was found first; or an error that is not in the text. How far the value came is in b->json. */
ELS_PRIVATE elelem_status els_body_read_json(els_body *b, els_cursor *bytes)
{
    int may_pass = b->passage.rule_count > 0 && b->source == ELS_BODY_IN_DATA && !b->is_refusal;
    elelem_status status = may_pass ? els_body_follow_passing(b, bytes) : els_body_follow(b, bytes);

    b->json = ELS_BODY_JSON_PART;
    if (status == ELS_AGAIN) return status;
    if (status == ELELEM_END) b->json = ELS_BODY_JSON_WHOLE;
    if (status == ELELEM_ERROR_SYNTAX || status == ELELEM_ERROR_UTF8) b->json = ELS_BODY_JSON_BAD;
    return status < 0 && b->json != ELS_BODY_JSON_BAD ? status : ELELEM_OK;
}

/* After the value, the text may only hold whitespace. */
ELS_PRIVATE void els_body_read_blanks(els_body *b, els_cursor *bytes)
{
    if (!els_skip_blanks(bytes)) return;
    b->json = ELS_BODY_JSON_BAD;
    els_json_fail(&b->parser, bytes, ELELEM_ERROR_SYNTAX);
}

/* Reads a piece of text that holds one value and nothing else. After ELS_AGAIN it is called again with the rest. */
ELS_PRIVATE elelem_status els_body_read_text(els_body *b, els_cursor bytes)
{
    elelem_status status = ELELEM_OK;

    if (b->json == ELS_BODY_JSON_NONE && els_skip_blanks(&bytes)) b->json = ELS_BODY_JSON_PART;
    if (b->json == ELS_BODY_JSON_PART) status = els_body_read_json(b, &bytes);
    b->has_rest = status == ELS_AGAIN;
    b->rest = bytes;
    if (status == ELELEM_OK && b->json == ELS_BODY_JSON_WHOLE) els_body_read_blanks(b, &bytes);
    return status;
}

/* Only the end of the text ends a number. */
ELS_PRIVATE void els_body_end_text(els_body *b)
{
    if (b->json == ELS_BODY_JSON_PART && b->parser.els_path.count == 0 && els_number_may_end(b->parser.els_state))
        b->json = ELS_BODY_JSON_WHOLE;
}

/* The error of reading JSON. A tree that met a limit does not know where: then it is where the document began. */
ELS_PRIVATE els_body_found els_body_fail_json(els_body *b, elelem_status status)
{
    elelem_error error = elelem_fragment_parser_error(&b->parser);

    return els_body_fail(b, error.status != ELELEM_OK ? error : els_error(status, b->begin));
}

/* Reads a piece of a line. If the bytes held the line's end too, the decoder has stepped over it. */
ELS_PRIVATE els_body_found els_body_read_line(els_body *b, const els_input *in, elelem_str text)
{
    unsigned state = b->decoder.els_state;
    elelem_status status;

    b->parser.els_lent.offset = els_input_offset(in) - (state == ELS_SSE_LINE || state == ELS_SSE_AFTER_CR);
    status = els_body_read_text(b, els_cursor_of(text.data, text.size));
    if (status == ELS_AGAIN) return ELS_BODY_PIECE;
    return status < 0 ? els_body_fail_json(b, status) : ELS_BODY_NOTHING;
}

/* Reads the rest of such a piece. */
ELS_PRIVATE els_body_found els_body_read_rest(els_body *b, const els_input *in)
{
    return els_body_read_line(b, in, els_str(b->rest.at, (size_t)(b->rest.end - b->rest.at)));
}

/* Frames. */

/* Compares more of a frame's data with [DONE], which may have whitespace around it. */
ELS_PRIVATE void els_body_match_done(els_body *b, elelem_str text)
{
    static const char done[] = "[DONE]";
    size_t i;

    for (i = 0; i < text.size && b->done != ELS_BODY_NOT_DONE; i++) {
        char byte = text.data[i];
        if (els_is_blank((unsigned char)byte) && (b->done == 0 || b->done == sizeof done - 1)) continue;
        if (b->done < sizeof done - 1 && byte == done[b->done]) b->done++;
        else b->done = ELS_BODY_NOT_DONE;
    }
}

ELS_PRIVATE int els_body_is_done(const els_body *b)
{
    return b->done == sizeof "[DONE]" - 1;
}

ELS_PRIVATE els_body_found els_body_data(els_body *b, const els_input *in, elelem_str text)
{
    if (b->source == ELS_BODY_IN_LINES) els_body_begin_text(b);
    b->heard = ELS_BODY_HEARD_DATA;
    els_body_match_done(b, text);
    return els_body_read_line(b, in, text);
}

/* What a frame that is whole holds. */
ELS_PRIVATE els_body_found els_body_frame(els_body *b, const els_input *in, elelem_str event_name)
{
    b->event_name = event_name;
    b->is_found = 1;
    els_body_end_text(b);
    if (els_body_is_done(b)) return ELS_BODY_DONE;
    if (b->json == ELS_BODY_JSON_NONE) return ELS_BODY_EMPTY;
    if (b->json == ELS_BODY_JSON_WHOLE) return ELS_BODY_FRAME;
    b->error = elelem_fragment_parser_error(&b->parser);
    if (b->error.status == ELELEM_OK) b->error = els_error(ELELEM_ERROR_TRUNCATED, els_input_offset(in));
    return ELS_BODY_BROKEN;
}

/* A frame without data ends the value that its lines broke off. */
ELS_PRIVATE els_body_found els_body_dispatch(els_body *b, const els_input *in, elelem_str event_name)
{
    if (b->source == ELS_BODY_IN_LINES) els_body_begin_text(b);
    return els_body_frame(b, in, event_name);
}

/* The body ended before the blank line of a frame: it counts if its data is whole. */
ELS_PRIVATE els_body_found els_body_last_frame(els_body *b, const els_input *in, elelem_str event_name)
{
    els_body_found found = ELS_BODY_NOTHING;

    if (b->source == ELS_BODY_IN_DATA) found = els_body_frame(b, in, event_name);
    if (found == ELS_BODY_FRAME || found == ELS_BODY_DONE) return found;
    b->is_cut = b->source == ELS_BODY_IN_LINES || b->decoder.els_stopped != ELS_SSE_STOP_BETWEEN;
    return ELS_BODY_NOTHING;
}

/* Lines that are no fields. */

/* Nonzero for bytes that appear in the names of fields that the standard does not know. */
ELS_PRIVATE int els_body_is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' ||
           byte == '_' || byte == '.';
}

/* A field has a name and a colon. A line without them is words, unless the body ended in it and it might have
   become a field. */
ELS_PRIVATE void els_body_listen(els_body *b, const elelem_frame *frame)
{
    size_t i;

    if (b->heard != ELS_BODY_HEARD_NOTHING) return;
    for (i = 0; i < frame->text.size && b->line == ELS_BODY_LINE_BEGUN; i++) {
        if (els_body_is_name(frame->text.data[i])) continue;
        if (frame->text.data[i] != ':') b->heard = ELS_BODY_HEARD_WORDS;
        b->line = ELS_BODY_LINE_KNOWN;
    }
    if (frame->line_end && b->line == ELS_BODY_LINE_BEGUN && b->decoder.els_stopped != ELS_SSE_STOP_NAME)
        b->heard = ELS_BODY_HEARD_WORDS;
}

/* Nonzero if a line that begins with this piece begins a JSON value: some gateways put a bare error between
   frames, on one line or on several. */
ELS_PRIVATE int els_body_begins_json(const els_body *b, elelem_str text)
{
    return b->json == ELS_BODY_JSON_NONE && text.size > 0 && text.data[0] == '{';
}

/* A stray value met a limit. What is left of its line is ignored, as everything is between frames that is not known to
   be an error. Memory that was refused ends the body. */
ELS_PRIVATE els_body_found els_body_stray_limit(els_body *b)
{
    if (b->error.status == ELELEM_ERROR_MEMORY) return ELS_BODY_ERROR;
    b->json = ELS_BODY_JSON_BAD;
    return ELS_BODY_STRAY_LIMIT;
}

/* Reads a piece of the lines that a stray value is written on. */
ELS_PRIVATE els_body_found els_body_stray(els_body *b, const els_input *in, const elelem_frame *frame)
{
    els_body_found found = els_body_read_line(b, in, frame->text);

    if (found == ELS_BODY_NOTHING && frame->line_end) found = els_body_read_line(b, in, elelem_str_of("\n"));
    if (found != ELS_BODY_NOTHING) return els_body_stray_limit(b);
    if (b->json == ELS_BODY_JSON_BAD) els_body_begin_text(b);
    if (b->json != ELS_BODY_JSON_WHOLE || !frame->line_end) return ELS_BODY_NOTHING;
    b->is_found = 1;
    return ELS_BODY_STRAY;
}

ELS_PRIVATE els_body_found els_body_line_piece(els_body *b, const els_input *in, const elelem_frame *frame)
{
    if (b->line == ELS_BODY_LINE_NONE) {
        b->line = ELS_BODY_LINE_BEGUN;
        if (els_body_begins_json(b, frame->text)) {
            b->source = ELS_BODY_IN_LINES;
            if (b->heard == ELS_BODY_HEARD_NOTHING) b->heard = ELS_BODY_HEARD_JSON;
        }
    }
    if (b->source == ELS_BODY_IN_LINES) b->line = ELS_BODY_LINE_KNOWN;
    els_body_listen(b, frame);
    if (frame->line_end) b->line = ELS_BODY_LINE_NONE;
    return b->source == ELS_BODY_IN_LINES ? els_body_stray(b, in, frame) : ELS_BODY_NOTHING;
}

/* Reading a body of each kind. */

/* All bytes are read. */
ELS_INLINE els_body_found els_body_wait(const els_input *in)
{
    return in->finished ? ELS_BODY_END : ELS_BODY_MORE;
}

ELS_PRIVATE els_body_found els_body_read_events(els_body *b, els_input *in)
{
    elelem_frame frame;
    elelem_status status;

    if (b->has_rest) return els_body_read_rest(b, in);
    status = els_sse_next(&b->decoder, &in->bytes, &frame);
    if (status == ELELEM_MORE && in->finished) status = els_sse_close(&b->decoder, &frame);
    if (status < 0) return els_body_fail(b, elelem_sse_decoder_error(&b->decoder));
    if (status != ELELEM_OK) return els_body_wait(in);
    switch ((elelem_frame_kind)frame.kind) {
    case ELELEM_FRAME_DATA: return els_body_data(b, in, frame.text);
    case ELELEM_FRAME_LINE: return els_body_line_piece(b, in, &frame);
    case ELELEM_FRAME_DISCARD: return els_body_last_frame(b, in, frame.event);
    default: return els_body_dispatch(b, in, frame.event);
    }
}

/* A body that is one value is read until it is known to be one, or to be none. */
ELS_PRIVATE els_body_found els_body_read_value(els_body *b, els_input *in)
{
    elelem_status status;

    if (in->bytes.at == in->bytes.end) return els_body_wait(in);
    b->parser.els_lent.offset = in->offset;
    status = els_body_read_json(b, &in->bytes);
    if (status < 0 || (b->json == ELS_BODY_JSON_BAD && b->is_refusal)) return els_body_fail_json(b, status);
    if (b->json == ELS_BODY_JSON_PART) return ELS_BODY_NOTHING;
    b->error = els_error(ELELEM_ERROR_PROTOCOL, 0);
    return ELS_BODY_NOT_A_STREAM;
}

/* What an array waits for after this byte; the same as before if the byte begins an element or is wrong. */
ELS_PRIVATE els_body_array els_body_array_after(els_body_array state, unsigned char byte)
{
    switch (state) {
    case ELS_BODY_ARRAY_BRACKET: return ELS_BODY_ARRAY_FIRST; /* the byte that made the body an array */
    case ELS_BODY_ARRAY_FIRST: return byte == ']' ? ELS_BODY_ARRAY_CLOSED : state;
    case ELS_BODY_ARRAY_COMMA: return byte == ',' ? ELS_BODY_ARRAY_ELEMENT : byte == ']' ? ELS_BODY_ARRAY_CLOSED : state;
    default: return state;
    }
}

/* Reads what is between the elements of an array: a bracket or a comma. Nothing is found if an element begins. */
ELS_PRIVATE els_body_found els_body_read_between(els_body *b, els_input *in)
{
    while (els_skip_blanks(&in->bytes)) {
        els_body_array state = (els_body_array)b->array;
        els_body_array after = els_body_array_after(state, *in->bytes.at);
        if (after == state && (state == ELS_BODY_ARRAY_FIRST || state == ELS_BODY_ARRAY_ELEMENT)) return ELS_BODY_NOTHING;
        if (after == state) return els_body_fail_json(b, els_json_fail(&b->parser, &in->bytes, ELELEM_ERROR_SYNTAX));
        b->array = (uint8_t)after;
        in->bytes.at++;
    }
    return els_body_wait(in);
}

ELS_PRIVATE els_body_found els_body_read_array(els_body *b, els_input *in)
{
    els_body_found found = ELS_BODY_NOTHING;
    elelem_status status;

    b->parser.els_lent.offset = in->offset;
    if (b->json == ELS_BODY_JSON_NONE) found = els_body_read_between(b, in);
    if (found != ELS_BODY_NOTHING) return found;
    if (in->bytes.at == in->bytes.end && !b->passage.has_fragment) return els_body_wait(in);
    status = els_body_read_json(b, &in->bytes);
    if (status == ELS_AGAIN) return ELS_BODY_PIECE;
    if (status < 0 || b->json == ELS_BODY_JSON_BAD) return els_body_fail_json(b, status);
    if (b->json == ELS_BODY_JSON_PART) return ELS_BODY_NOTHING;
    b->array = ELS_BODY_ARRAY_COMMA;
    return els_body_frame(b, in, els_str(NULL, 0));
}

/* A refusal in words says no more than its status does. */
ELS_PRIVATE els_body_found els_body_read_words(els_body *b, els_input *in)
{
    if (!b->is_refusal) {
        b->error = els_error(ELELEM_ERROR_PROTOCOL, els_input_offset(in));
        return ELS_BODY_NOT_A_STREAM;
    }
    in->bytes.at = in->bytes.end;
    return els_body_wait(in);
}

/* The frame that the caller pushed whole. */
ELS_PRIVATE els_body_found els_body_read_frame(els_body *b, els_input *in)
{
    elelem_str data = els_str(in->bytes.at, (size_t)(in->bytes.end - in->bytes.at));
    elelem_status status;

    if (!b->has_frame) return els_body_wait(in);
    if (!b->has_rest) els_body_match_done(b, data);
    b->parser.els_lent.offset = in->offset;
    status = els_body_read_text(b, b->has_rest ? b->rest : in->bytes);
    if (status == ELS_AGAIN) return ELS_BODY_PIECE;
    b->has_frame = 0;
    in->bytes.at = in->bytes.end;
    return status < 0 ? els_body_fail_json(b, status) : els_body_frame(b, in, b->event_name);
}

/* The start. */

/* No line of an event stream begins with a control byte or inside a character. Gzip does. */
ELS_PRIVATE int els_body_is_binary(unsigned char byte)
{
    return byte < 0x20 || byte == 0x7f || (byte >= 0x80 && byte < 0xc2) || byte > 0xf4;
}

/* Finds the first byte of the body that is not whitespace nor of a byte order mark. 0 if it is still to come. */
ELS_PRIVATE int els_body_find_start(els_body *b, els_cursor *in)
{
    static const unsigned char mark[] = { 0xef, 0xbb, 0xbf };

    if (b->mark == 0 && !els_skip_blanks(in)) return 0;
    while (b->mark < sizeof mark && in->at < in->end && *in->at == mark[b->mark]) {
        b->mark++;
        in->at++;
    }
    return b->mark == sizeof mark ? els_skip_blanks(in) : in->at < in->end;
}

ELS_PRIVATE els_body_kind els_body_kind_of(const els_body *b, unsigned char byte)
{
    if (b->mark % 3 > 0) return ELS_BODY_TEXT; /* half a mark */
    switch (byte) {
    case '{': return ELS_BODY_VALUE;
    case '[': return b->may_be_array && !b->is_refusal ? ELS_BODY_ARRAY : ELS_BODY_VALUE;
    case '<': return ELS_BODY_TEXT;
    default: return els_body_is_binary(byte) ? ELS_BODY_TEXT : ELS_BODY_EVENTS;
    }
}

/* The first byte decides what the body is. */
ELS_PRIVATE els_body_found els_body_read_start(els_body *b, els_input *in)
{
    if (!els_body_find_start(b, &in->bytes)) return els_body_wait(in);
    b->kind = (uint8_t)els_body_kind_of(b, *in->bytes.at);
    b->decoder.els_offset = els_input_offset(in);
    els_body_begin_document(b, in);
    return ELS_BODY_NOTHING;
}

ELS_PRIVATE els_body_found els_body_read(els_body *b, els_input *in)
{
    switch ((els_body_kind)b->kind) {
    case ELS_BODY_EVENTS: return els_body_read_events(b, in);
    case ELS_BODY_VALUE: return els_body_read_value(b, in);
    case ELS_BODY_ARRAY: return els_body_read_array(b, in);
    case ELS_BODY_TEXT: return els_body_read_words(b, in);
    case ELS_BODY_FRAMES: return els_body_read_frame(b, in);
    default: return els_body_read_start(b, in);
    }
}

/* For stream. */

/* Reads up to the next thing found, and forgets the one before. */
ELS_PRIVATE els_body_found els_body_next(els_body *b, els_input *in)
{
    els_body_found found;

    if (b->is_found) els_body_begin_document(b, in);
    if (b->source == ELS_BODY_IN_LINES && b->json == ELS_BODY_JSON_BAD) els_body_begin_text(b);
    do
        found = els_body_read(b, in);
    while (found == ELS_BODY_NOTHING);
    return found;
}

/* The input's bytes are the data of one whole frame. */
ELS_PRIVATE void els_body_give_frame(els_body *b, elelem_str event_name)
{
    b->kind = ELS_BODY_FRAMES;
    b->event_name = event_name;
    b->has_frame = 1;
}

/* Nonzero if bytes were read, so that frames are refused. */
ELS_PRIVATE int els_body_is_bytes(const els_body *b)
{
    return b->kind != ELS_BODY_UNKNOWN && b->kind != ELS_BODY_FRAMES;
}

/* At the end: nonzero if what came is no stream. */
ELS_PRIVATE int els_body_is_no_stream(const els_body *b)
{
    return b->kind == ELS_BODY_VALUE || b->kind == ELS_BODY_TEXT || b->heard == ELS_BODY_HEARD_WORDS;
}

/* Nonzero if the body itself said that it is complete. */
ELS_PRIVATE int els_body_is_closed(const els_body *b)
{
    return b->array == ELS_BODY_ARRAY_CLOSED;
}

/* At the end: nonzero if the body stopped inside an array, a line or a frame. Data that is whole counts, even
   if its line has no end. */
ELS_PRIVATE int els_body_was_cut(const els_body *b)
{
    unsigned stopped = b->decoder.els_stopped;

    if (b->kind == ELS_BODY_ARRAY) return !els_body_is_closed(b);
    return b->is_cut || b->json == ELS_BODY_JSON_PART || stopped == ELS_SSE_STOP_NAME || stopped == ELS_SSE_STOP_LINE;
}

/* Starts over, keeping memory and what stream set. */
ELS_PRIVATE void els_body_start(els_body *b)
{
    elelem_sse_decoder_reset(&b->decoder);
    els_body_begin_text(b);
    b->event_name = els_str(NULL, 0);
    b->error = els_error(ELELEM_OK, 0);
    b->begin = 0;
    b->kind = ELS_BODY_UNKNOWN;
    b->is_found = 1;
    b->mark = 0;
    b->array = ELS_BODY_ARRAY_BRACKET;
    b->line = ELS_BODY_LINE_NONE;
    b->heard = ELS_BODY_HEARD_NOTHING;
    b->is_cut = 0;
    b->has_frame = 0;
}

#define ELS_BODY_LEAST_TOKEN 4096u

/* The longest keys and numbers that are read: a document could not hold longer ones. Those of a document that is
   allowed next to nothing are read still, since most of them are only compared. */
ELS_INLINE uint32_t els_body_token(uint32_t max_document_bytes)
{
    return max_document_bytes > ELS_BODY_LEAST_TOKEN ? max_document_bytes : ELS_BODY_LEAST_TOKEN;
}

ELS_PRIVATE void els_body_init(els_body *b, elelem_allocator allocator, uint32_t max_document_bytes)
{
    elelem_sse_decoder_desc decoder = ELELEM_INIT;
    elelem_fragment_parser_desc parser = ELELEM_INIT;
    elelem_fragment_aggregator_desc document = ELELEM_INIT;

    decoder.allocator = parser.allocator = document.allocator = allocator;
    decoder.lines = 1;
    parser.max_key_bytes = els_limit(els_body_token(max_document_bytes), 0, 65536);
    parser.max_path_bytes = els_limit(els_body_token(max_document_bytes), 0, 262144);
    parser.max_number_bytes = parser.max_key_bytes;
    document.max_bytes = max_document_bytes;
    elelem_sse_decoder_init(&b->decoder, &decoder);
    elelem_fragment_parser_init(&b->parser, &parser);
    elelem_fragment_aggregator_init(&b->document, &document);
    els_passage_init(&b->passage, allocator);
}

ELS_PRIVATE void els_body_free(els_body *b)
{
    elelem_sse_decoder_free(&b->decoder);
    elelem_fragment_parser_free(&b->parser);
    elelem_fragment_aggregator_free(&b->document);
    els_passage_free(&b->passage);
}

/* >> stream */

/* What the stream does next. */
typedef enum els_stream_state {
    ELS_STREAM_READ,  /* read the body up to what is found next */
    ELS_STREAM_END,   /* return the end */
    ELS_STREAM_OVER   /* nothing: what still comes is dropped */
} els_stream_state;

ELS_PRIVATE uint64_t els_stream_offset(const elelem_stream *s)
{
    return els_input_offset(&s->els_lent);
}

/* Errors of this library's own. */

ELS_PRIVATE elelem_error_kind els_stream_error_kind(elelem_status status)
{
    switch (status) {
    case ELELEM_ERROR_MEMORY: return ELELEM_ERROR_KIND_OUT_OF_MEMORY;
    case ELELEM_ERROR_DEPTH:
    case ELELEM_ERROR_KEY_SIZE:
    case ELELEM_ERROR_PATH_SIZE:
    case ELELEM_ERROR_STRING_SIZE:
    case ELELEM_ERROR_NUMBER_SIZE:
    case ELELEM_ERROR_TOTAL_SIZE:
    case ELELEM_ERROR_LINE_SIZE:
    case ELELEM_ERROR_FRAME_SIZE:
    case ELELEM_ERROR_VALUE_SIZE:
    case ELELEM_ERROR_COUNT: return ELELEM_ERROR_KIND_LIMIT;
    case ELELEM_ERROR_MISUSE: return ELELEM_ERROR_KIND_OTHER; /* the caller's mistake, or its shape's */
    default: return ELELEM_ERROR_KIND_PROTOCOL;
    }
}

/* The body breaks a rule at this offset. */
ELS_PRIVATE void els_stream_break(elelem_stream *s, elelem_status status, uint64_t offset, const char *message)
{
    elelem_failure *error = els_end_with(&s->els_context, els_stream_error_kind(status));

    error->status = status;
    error->offset = offset;
    error->message = elelem_str_of(message ? message : elelem_status_sentence(status));
    s->els_state = ELS_STREAM_END;
}

/* Flushes what is open, before FINISHED. */
ELS_PRIVATE void els_stream_close(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;

    els_shape_flush_rest(c);
    if (c->els_status != ELELEM_OK) els_stream_break(s, (elelem_status)c->els_status, els_stream_offset(s), NULL);
}

/* The same before the events that were emitted are taken. */
ELS_PRIVATE void els_stream_break_off(elelem_stream *s, elelem_status status)
{
    els_stream_break(s, status, els_stream_offset(s), NULL);
    els_shape_clear_out(&s->els_context);
}

/* The end of a frame, or what ends the stream, was decided by the shape or by an error document. */
ELS_PRIVATE void els_stream_ended(elelem_stream *s)
{
    s->els_context.els_end.error.offset = els_stream_offset(s);
    s->els_state = ELS_STREAM_END;
    if (s->els_context.els_end.kind == ELELEM_EVENT_FINISHED) els_stream_close(s);
}

/* What the body holds. */

/* Nonzero if the response is an error by its status. */
ELS_PRIVATE int els_stream_is_refused(const elelem_stream *s)
{
    int32_t status = s->els_context.els_answer.status;

    return status != 0 && (status < 200 || status >= 300);
}

/* Has the shape work on the frame. What it emitted is taken before the next is read. */
ELS_PRIVATE void els_stream_work(elelem_stream *s, elelem_shape_frame kind)
{
    elelem_shape_context *c = &s->els_context;
    elelem_status status;

    c->els_frame = (uint8_t)kind;
    c->els_event_name = s->els_response.event_name;
    c->els_document = els_body_document(&s->els_response);
    status = c->els_has_state ? ELELEM_OK : els_shape_begin(c);
    if (status == ELELEM_OK) status = c->els_shape->frame(c);
    if (c->els_status != ELELEM_OK) status = (elelem_status)c->els_status;
    if (status < 0)
        els_stream_break(s, status, els_stream_offset(s), NULL);
    else if (c->els_ended)
        els_stream_ended(s);
}

/* A piece of a value that passes, while its frame still arrives. */
ELS_PRIVATE void els_stream_piece(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    const els_passage *passage = &s->els_response.passage;
    elelem_status status = ELELEM_OK;

    c->els_event_name = els_str(NULL, 0);
    c->els_document = els_body_document(&s->els_response);
    if (!s->els_passes) {
        status = els_shape_begin(c);
        s->els_passing = ELELEM_NO_INDEX;
        if (status == ELELEM_OK)
            s->els_passing = c->els_shape->items->passes(c, els_body_passing(&s->els_response), els_passage_type(passage));
        s->els_passes = 1;
    }
    elelem_shape_provider_json(c, s->els_passing, els_passage_type(passage), s->els_response.piece);
    if (passage->is_last) s->els_passes = 0;
    if (c->els_status != ELELEM_OK) status = (elelem_status)c->els_status;
    if (status < 0) els_stream_break(s, status, els_stream_offset(s), NULL);
}

/* Ends the stream with the error of the provider that the document is. */
ELS_PRIVATE void els_stream_end_with_document(elelem_stream *s)
{
    els_end_with_document(&s->els_context, els_body_document(&s->els_response));
    els_stream_ended(s);
}

/* A frame of a response that was accepted. One named error is an error even if its document does not say so. */
ELS_PRIVATE void els_stream_frame(elelem_stream *s, els_body_found found)
{
    elelem_error error = s->els_response.error;

    if (found == ELS_BODY_DONE)
        els_stream_work(s, ELELEM_SHAPE_DONE);
    else if (elelem_str_is(s->els_response.event_name, "error") && !els_is_error_document(els_body_document(&s->els_response)))
        els_stream_end_with_document(s);
    else if (found == ELS_BODY_FRAME)
        els_stream_work(s, ELELEM_SHAPE_DATA);
    else if (found == ELS_BODY_BROKEN)
        els_stream_break(s, error.status, error.offset, NULL);
}

/* A value between the frames of such a response counts only if it is an error. */
ELS_PRIVATE void els_stream_stray(elelem_stream *s)
{
    if (els_is_error_document(els_body_document(&s->els_response))) els_stream_end_with_document(s);
}

/* Of a response that was refused, the document that says why counts, wherever it is. */
ELS_PRIVATE void els_stream_refusal(elelem_stream *s, els_body_found found)
{
    int is_document = found == ELS_BODY_FRAME || found == ELS_BODY_STRAY;

    if (is_document && els_is_error_body(els_body_document(&s->els_response))) els_stream_end_with_document(s);
}

/* A value between frames that met a limit: if it is an error as far as it was read, it ends the stream at the byte
   that was too much. */
ELS_PRIVATE void els_stream_stray_limit(elelem_stream *s)
{
    uint64_t offset = s->els_response.error.offset;

    if (els_stream_is_refused(s)) els_stream_refusal(s, ELS_BODY_STRAY);
    else els_stream_stray(s);
    if (s->els_state == ELS_STREAM_END) s->els_context.els_end.error.offset = offset;
}

/* The body is no stream. At best it is an error. */
ELS_PRIVATE void els_stream_not_a_stream(elelem_stream *s, uint64_t offset)
{
    int is_error = els_body_is_whole(&s->els_response) && els_is_error_document(els_body_document(&s->els_response));

    if (els_stream_is_refused(s) || is_error) els_stream_end_with_document(s);
    else els_stream_break(s, ELELEM_ERROR_PROTOCOL, offset, "the body is not an event stream");
}

/* The body cannot be read further. It is still refused, if its status says so. */
ELS_PRIVATE void els_stream_unreadable(elelem_stream *s)
{
    elelem_error error = s->els_response.error;

    if (els_stream_is_refused(s)) {
        els_stream_end_with_document(s);
        s->els_context.els_end.error.offset = error.offset;
    } else {
        els_stream_break(s, error.status, error.offset, NULL);
    }
}

/* Nonzero if the reasons that were seen settle nothing: they may change, and the body stopped too early. */
ELS_PRIVATE int els_stream_is_cut(const elelem_stream *s)
{
    if (!s->els_context.els_shape->reason_may_change || els_body_is_closed(&s->els_response)) return 0;
    return s->els_failed_kind || els_body_was_cut(&s->els_response);
}

/* The body is over, or broken, and the shape did not end the stream. */
ELS_PRIVATE void els_stream_conclude(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    int is_broken = s->els_failed_kind > 0;

    if ((els_stream_is_refused(s) || els_body_is_no_stream(&s->els_response)) && !is_broken) {
        els_stream_not_a_stream(s, 0);
    } else if (els_reasons_known(c) && !els_stream_is_cut(s)) {
        els_finish(c);
        els_stream_ended(s);
    } else {
        els_end_with(c, is_broken ? (elelem_error_kind)(s->els_failed_kind - 1) : ELELEM_ERROR_KIND_CONNECT);
        els_stream_ended(s);
    }
}

/* All bytes are read. MORE; or OK, if the caller lost those that come next: then the stream ended. */
ELS_PRIVATE elelem_status els_stream_more(elelem_stream *s)
{
    elelem_error error;

    if (els_input_more(&s->els_lent) == ELELEM_MORE) return ELELEM_MORE;
    if (s->els_failed_kind) {
        els_end_with(&s->els_context, (elelem_error_kind)(s->els_failed_kind - 1));
        els_stream_ended(s);
        return ELELEM_OK;
    }
    error = els_input_error(&s->els_lent, ELELEM_ERROR_MISUSE, els_stream_offset(s));
    els_stream_break(s, error.status, error.offset, error.message);
    return ELELEM_OK;
}

ELS_PRIVATE void els_stream_take(elelem_stream *s, els_body_found found)
{
    switch (found) {
    case ELS_BODY_NOT_A_STREAM: els_stream_not_a_stream(s, s->els_response.error.offset); return;
    case ELS_BODY_ERROR: els_stream_unreadable(s); return;
    case ELS_BODY_STRAY_LIMIT: els_stream_stray_limit(s); return;
    case ELS_BODY_END: els_stream_conclude(s); return;
    case ELS_BODY_PIECE: els_stream_piece(s); return;
    default: break;
    }
    if (els_stream_is_refused(s)) els_stream_refusal(s, found);
    else if (found == ELS_BODY_STRAY) els_stream_stray(s);
    else els_stream_frame(s, found);
}

ELS_PRIVATE elelem_status els_stream_do_read(elelem_stream *s)
{
    els_body *body = &s->els_response;
    els_body_found found;

    els_shape_clear_out(&s->els_context);
    s->els_context.els_emits = 1;
    s->els_patterns.count = s->els_context.els_path_count;
    body->is_refusal = (uint8_t)els_stream_is_refused(s);
    body->patterns = body->is_refusal ? &els_error_patterns : &s->els_patterns;
    found = els_body_next(body, &s->els_lent);
    if (found == ELS_BODY_MORE) return els_stream_more(s);
    els_stream_take(s, found);
    return ELELEM_OK;
}

/* Returns the end, or an error if there is no memory for its metadata. */
ELS_PRIVATE void els_stream_do_end(elelem_stream *s, elelem_event *event)
{
    elelem_status status = els_shape_end(&s->els_context, event);

    if (status < 0) {
        els_stream_break(s, status, els_stream_offset(s), NULL);
        els_shape_end(&s->els_context, event);
    }
    s->els_state = ELS_STREAM_OVER;
}

/* Takes the next event of the shape. */
ELS_PRIVATE elelem_status els_stream_next(elelem_stream *stream, elelem_event *event)
{
    elelem_status status = els_shape_take(&stream->els_context, event);

    while (status != ELELEM_OK) {
        if (status < 0) els_stream_break_off(stream, status);
        switch ((els_stream_state)stream->els_state) {
        case ELS_STREAM_READ:
            if (els_stream_do_read(stream) == ELELEM_MORE) return ELELEM_MORE;
            break;
        case ELS_STREAM_END:
            els_stream_do_end(stream, event);
            return ELELEM_OK;
        default: stream->els_lent.bytes.at = stream->els_lent.bytes.end; return ELELEM_END;
        }
        status = els_shape_take(&stream->els_context, event);
    }
    return ELELEM_OK;
}

/* The same with reasoning taken out of message text. An error of the splitter ends the stream. */
ELS_PRIVATE elelem_status els_stream_next_split(elelem_stream *s, elelem_event *event)
{
    elelem_status status = elelem_thought_splitter_error(&s->els_thoughts).status;

    if (status < 0) return els_stream_next(s, event); /* it failed before, and only the error comes now */
    status = elelem_thought_splitter_next(&s->els_thoughts, event);
    while (status == ELELEM_MORE) {
        elelem_event whole;
        status = els_stream_next(s, &whole);
        if (status != ELELEM_OK) return status;
        status = elelem_thought_splitter_push(&s->els_thoughts, &whole);
        if (status == ELELEM_OK) status = elelem_thought_splitter_next(&s->els_thoughts, event);
    }
    if (status >= 0) return status;
    els_stream_break_off(s, status);
    return els_stream_next(s, event);
}

elelem_status elelem_stream_next(elelem_stream *stream, elelem_event *event)
{
    return stream->els_splits ? els_stream_next_split(stream, event) : els_stream_next(stream, event);
}

/* Ends the stream with an error of the layer above, which takes the end from here. */
ELS_PRIVATE void els_stream_abort(elelem_stream *s, elelem_status status, elelem_event *end)
{
    els_stream_break(s, status, els_stream_offset(s), NULL);
    els_shape_end(&s->els_context, end);
    s->els_state = ELS_STREAM_OVER;
}

elelem_status elelem_stream_push(elelem_stream *stream, const void *bytes, size_t size)
{
    els_input *in = &stream->els_lent;
    elelem_status status;

    if (stream->els_state == ELS_STREAM_OVER) return ELELEM_OK;
    if (stream->els_response.kind == ELS_BODY_FRAMES && bytes && size > 0 && !in->finished)
        return els_input_refuse(in, size, els_debt_hash(ELS_DEBT_START, bytes, size),
                                els_debt_allows(&in->debt, bytes, size));
    status = els_input_push(in, bytes, size);
    if (status == ELELEM_OK && size > 0) stream->els_is_quiet = 0;
    return status;
}

/* Identifies a whole frame, to recognize it when it is pushed again. */
ELS_PRIVATE uint32_t els_stream_frame_hash(elelem_str event_name, elelem_str data)
{
    uint32_t hash = els_debt_hash(ELS_DEBT_START, event_name.data, event_name.size);

    return els_debt_hash(els_debt_hash(hash, "", 1), data.data, data.size);
}

/* OK if the frame may be taken; then nothing is owed. */
ELS_PRIVATE elelem_status els_stream_may_take(elelem_stream *s, elelem_str event_name, elelem_str data)
{
    els_input *in = &s->els_lent;
    int is_busy = els_body_is_bytes(&s->els_response) || els_input_is_lent(in);
    int is_allowed;
    uint32_t hash;

    if (!is_busy && in->debt.state == ELS_DEBT_NONE) return ELELEM_OK;
    hash = els_stream_frame_hash(event_name, data);
    is_allowed = els_debt_allows_only(&in->debt, data.size, hash);
    if (!is_allowed || is_busy) return els_input_refuse(in, data.size, hash, is_allowed);
    in->debt.state = ELS_DEBT_NONE;
    return ELELEM_OK;
}

elelem_status elelem_stream_push_data(elelem_stream *stream, elelem_str event_name, elelem_str data)
{
    els_input *in = &stream->els_lent;
    int is_null = (!data.data && data.size > 0) || (!event_name.data && event_name.size > 0);
    elelem_status status;

    if (stream->els_state == ELS_STREAM_OVER) return ELELEM_OK;
    if (in->state == ELS_INPUT_NONE || in->finished || is_null) return ELELEM_ERROR_MISUSE;
    status = els_stream_may_take(stream, event_name, data);
    if (status != ELELEM_OK) return status;
    els_body_give_frame(&stream->els_response, event_name);
    els_input_lend(in, data.data, data.size);
    stream->els_is_quiet = 0;
    return ELELEM_OK;
}

void elelem_stream_finish(elelem_stream *stream)
{
    els_input_finish(&stream->els_lent);
}

void elelem_stream_fail(elelem_stream *stream, elelem_error_kind kind)
{
    int is_known = (int)kind >= 0 && kind < ELELEM_ERROR_KIND_COUNT;

    if (stream->els_lent.finished || stream->els_state == ELS_STREAM_OVER) return;
    stream->els_failed_kind = (uint8_t)((is_known ? kind : ELELEM_ERROR_KIND_OTHER) + 1);
    elelem_stream_finish(stream);
}

void elelem_stream_tick(elelem_stream *stream, uint32_t now_ms)
{
    uint32_t passed = now_ms - stream->els_last_ms;
    uint32_t room = UINT32_MAX - stream->els_waited_ms;
    int is_waiting = stream->els_state == ELS_STREAM_READ && stream->els_lent.bytes.at == stream->els_lent.bytes.end &&
                     !stream->els_lent.finished;

    stream->els_last_ms = now_ms;
    if (!stream->els_is_quiet || passed > UINT32_MAX / 2 || !is_waiting) {
        stream->els_is_quiet = 1;
        stream->els_waited_ms = 0;
        return;
    }
    stream->els_waited_ms += passed < room ? passed : room;
    if (stream->els_idle_ms > 0 && stream->els_waited_ms >= stream->els_idle_ms)
        elelem_stream_fail(stream, ELELEM_ERROR_KIND_TIMEOUT);
}

void elelem_stream_http_status(elelem_stream *stream, int status)
{
    els_http *answer = &stream->els_context.els_answer;

    if (answer->status != 0) els_http_start(answer);
    answer->status = status;
}

void elelem_stream_set_unix_time(elelem_stream *stream, int64_t unix_seconds)
{
    stream->els_context.els_answer.unix_seconds = unix_seconds;
}

void elelem_stream_http_header(elelem_stream *stream, elelem_str name, elelem_str value)
{
    els_http_header(&stream->els_context.els_answer, name, value);
}

/* Forgets what belongs to one response, in the part that the shape shares. */
ELS_PRIVATE void els_shape_start(elelem_shape_context *c)
{
    els_shape_clear_out(c);
    elelem_buffer_clear(&c->els_usage);
    elelem_buffer_clear(&c->els_aside);
    memset(&c->els_end, 0, sizeof c->els_end);
    els_usage_unknown(&c->els_end.usage);
    els_http_start(&c->els_answer);
    c->els_has_state = 0;
    c->els_item_count = 0;
    c->els_choice_count = 0;
    c->els_kept_size = 0;
    c->els_next_index = 0;
    c->els_path_count = c->els_shape ? c->els_shape->path_count : 0;
    c->els_status = ELELEM_OK;
    c->els_ended = 0;
}

ELS_PRIVATE void els_stream_start(elelem_stream *stream)
{
    els_shape_start(&stream->els_context);
    els_body_start(&stream->els_response);
    elelem_thought_splitter_reset(&stream->els_thoughts);
    els_input_start(&stream->els_lent, 0);
    stream->els_failed_kind = 0;
    stream->els_is_quiet = 0;
    stream->els_passes = 0;
    stream->els_state = ELS_STREAM_READ;
    if (!stream->els_context.els_shape) els_stream_break(stream, ELELEM_ERROR_MISUSE, 0, "no wire shape was named");
}

void elelem_stream_reset(elelem_stream *stream)
{
    if (stream->els_lent.state != ELS_INPUT_NONE) els_stream_start(stream);
}

ELS_PRIVATE void els_shape_init(elelem_shape_context *c, const elelem_stream_desc *desc)
{
    uint32_t frame = ELS_DEFAULT(desc->max_frame_bytes, (uint32_t)1 << 24);

    c->els_shape = desc->shape;
    c->els_item_bytes = els_sum(sizeof(els_item), els_aligned(desc->shape->item_bytes));
    c->els_choice_bytes = els_sum(sizeof(els_choice), els_aligned(desc->shape->choice_bytes));
    c->els_structured = desc->structured != 0;
    c->els_answer.unix_seconds = desc->unix_seconds;
    c->els_items.allocator = desc->allocator;
    c->els_choices.allocator = desc->allocator;
    c->els_kept.allocator = desc->allocator;
    c->els_stream_state.allocator = desc->allocator;
    c->els_queue.allocator = desc->allocator;
    c->els_metadata.allocator = desc->allocator;
    c->els_entries.allocator = desc->allocator;
    c->els_max_kept = ELS_DEFAULT(desc->max_kept_bytes, (uint32_t)1 << 20);
    /* Of els_queue, els_metadata and els_entries each: their elements are of no more than 64 bytes, and every one is of a value
       of the frame, which takes 32 there, or of an item that was open. The formula in the desc counts three of these, and
       the two buffers below. */
    c->els_max_queue = els_sum(els_product(frame, 2), els_product(ELS_DEFAULT(desc->max_open_items, 256u), sizeof(els_out)));
    c->els_max_items = ELS_DEFAULT(desc->max_open_items, 256u);
    c->els_max_choices = ELS_DEFAULT(desc->max_choices, 128u);
    elelem_buffer_init(&c->els_scratch, desc->allocator, els_product(frame, 2));
    elelem_buffer_init(&c->els_given, desc->allocator, els_product(frame, 2));
    elelem_buffer_init(&c->els_usage, desc->allocator, ELS_DEFAULT(desc->max_kept_bytes, (uint32_t)1 << 20));
    elelem_buffer_init(&c->els_aside, desc->allocator, ELS_DEFAULT(desc->max_kept_bytes, (uint32_t)1 << 20));
}

/* Provider items are wanted: their values are whole in the document, or pass. */
ELS_PRIVATE void els_stream_pass_items(elelem_stream *s, const elelem_shape *shape)
{
    s->els_patterns.nodes = shape->items->paths;
    s->els_response.passage.rules = shape->items->rules;
    s->els_response.passage.rule_count = (uint32_t)shape->items->rule_count;
    s->els_context.els_wants_items = 1;
}

elelem_status elelem_stream_init(elelem_stream *stream, const elelem_stream_desc *desc)
{
    elelem_thought_splitter_desc thoughts = ELELEM_INIT;

    memset(stream, 0, sizeof *stream);
    if (!desc || !desc->shape) {
        els_stream_start(stream);
        return ELELEM_ERROR_MISUSE;
    }
    thoughts.allocator = desc->allocator;
    thoughts.max_open = desc->max_open_items;
    thoughts.names = desc->thought_tags;
    thoughts.name_count = desc->thought_tag_count;
    stream->els_splits = desc->split_thoughts != 0;
    elelem_thought_splitter_init(&stream->els_thoughts, &thoughts);
    els_body_init(&stream->els_response, desc->allocator, ELS_DEFAULT(desc->max_frame_bytes, (uint32_t)1 << 24));
    stream->els_response.may_be_array = desc->shape->array_body;
    stream->els_patterns.nodes = desc->shape->paths;
    if (desc->shape->items && !desc->without_provider_items) els_stream_pass_items(stream, desc->shape);
    stream->els_patterns.count = desc->shape->path_count;
    stream->els_patterns.els_order = els_patterns_order_of(desc->shape->paths, desc->shape->path_count);
    stream->els_idle_ms = desc->idle_timeout_ms;
    els_shape_init(&stream->els_context, desc);
    els_stream_start(stream);
    return ELELEM_OK;
}

void elelem_stream_free(elelem_stream *stream)
{
    elelem_shape_context *c = &stream->els_context;

    if (stream->els_lent.state == ELS_INPUT_NONE) return;
    els_body_free(&stream->els_response);
    elelem_thought_splitter_free(&stream->els_thoughts);
    elelem_buffer_free(&c->els_scratch);
    elelem_buffer_free(&c->els_given);
    elelem_buffer_free(&c->els_usage);
    elelem_buffer_free(&c->els_aside);
    els_block_free(&c->els_items);
    els_block_free(&c->els_choices);
    els_block_free(&c->els_kept);
    els_block_free(&c->els_stream_state);
    els_block_free(&c->els_queue);
    els_block_free(&c->els_metadata);
    els_block_free(&c->els_entries);
    memset(stream, 0, sizeof *stream);
    stream->els_state = ELS_STREAM_OVER;
}

/* >> metadata */

/* Bytes kept under one limit. */

ELS_PRIVATE void els_budget_init(els_budget *budget, uint64_t max_bytes)
{
    budget->els_used = 0;
    budget->els_max = max_bytes;
}

/* Zero if more is used already than may be. */
ELS_INLINE uint64_t els_budget_left(const els_budget *budget)
{
    return budget->els_max > budget->els_used ? budget->els_max - budget->els_used : 0;
}

/* Appends to a buffer that counts. OK, ERROR_VALUE_SIZE or ERROR_MEMORY; then nothing was added. */
ELS_PRIVATE elelem_status els_budget_append(els_budget *budget, elelem_buffer *buffer, elelem_str text)
{
    elelem_status status;

    if (text.size > els_budget_left(budget)) return ELELEM_ERROR_VALUE_SIZE;
    status = elelem_buffer_append(buffer, text.data, text.size);
    if (status == ELELEM_OK) budget->els_used += text.size;
    return status;
}

/* Cuts a buffer that counts back to `size` bytes. */
ELS_PRIVATE void els_budget_cut(els_budget *budget, elelem_buffer *buffer, size_t size)
{
    budget->els_used -= buffer->els_size - size;
    buffer->els_size = size;
}

/* Blocks of an empty buffer that are larger than this are given back. */
#define ELS_SPARE_BYTES 1024

/* Empties a buffer that counts; a small block stays with it. */
ELS_PRIVATE void els_budget_empty(els_budget *budget, elelem_buffer *buffer)
{
    els_budget_cut(budget, buffer, 0);
    if (buffer->els_memory.capacity > ELS_SPARE_BYTES) elelem_buffer_free(buffer);
}

ELS_PRIVATE void els_budget_drop(els_budget *budget, elelem_buffer *buffer)
{
    els_budget_cut(budget, buffer, 0);
    elelem_buffer_free(buffer);
}

/* Arrays as text. */

/* Nonzero if a trimmed JSON text is an array. */
ELS_INLINE int els_is_array_text(elelem_str json)
{
    return json.size >= 2 && json.data[0] == '[' && json.data[json.size - 1] == ']';
}

/* Returns what is between the brackets of an array. */
ELS_PRIVATE elelem_str els_array_elements(elelem_str array)
{
    return els_trimmed(els_str(array.data + 1, array.size - 2));
}

/* Returns how many bytes of an array stay if elements are added: all up to its last element. 1 if it has none. */
ELS_PRIVATE size_t els_array_kept(elelem_str array)
{
    return els_trimmed(els_str(array.data, array.size - 1)).size;
}

/* Slots. */

#define ELS_META_KEYS 64     /* the most keys of one item in a record */
#define ELS_META_ENTRIES 256 /* the most entries of one event in a record */
#define ELS_META_KEY 128     /* what a key counts in addition to its text and its JSON: its slot */

typedef struct els_meta_slot {
    elelem_buffer text; /* the key, and after it the JSON */
    /* What a merge is going to do to it. */
    size_t from;        /* the first entry of the list that counts */
    size_t kept;        /* the bytes of an array that stay if elements are added; 0: no array */
    size_t size;        /* of the JSON when all is done */
    size_t room;        /* for the JSON until then; 0: nothing changes */
    uint8_t is_replaced; /* by the entry `from` */
} els_meta_slot;

ELS_INLINE els_meta_slot *els_meta_slots(const els_meta *meta)
{
    return (els_meta_slot *)(void *)meta->els_slots.data;
}

ELS_INLINE elelem_metadata_entry *els_meta_entries(const els_meta *meta)
{
    return (elelem_metadata_entry *)(void *)(meta->els_slots.data + meta->els_capacity * sizeof(els_meta_slot));
}

ELS_PRIVATE void els_meta_init(els_meta *meta, elelem_allocator allocator)
{
    memset(meta, 0, sizeof *meta);
    meta->els_slots.allocator = allocator;
}

/* Returns the merged metadata. Its slices are valid until it changes. */
ELS_PRIVATE elelem_metadata els_meta_list(const els_meta *meta)
{
    elelem_metadata list;

    list.count = meta->els_count;
    list.entries = list.count > 0 ? els_meta_entries(meta) : NULL;
    return list;
}

/* Returns the first of `count` slots that has this key; `count` if none has. */
ELS_PRIVATE size_t els_meta_find(const els_meta *meta, size_t count, elelem_str key)
{
    size_t i = 0;

    while (i < count && !elelem_str_equal(els_meta_entries(meta)[i].key, key))
        i++;
    return i;
}

/* Returns the JSON of a key; empty if there is none. */
ELS_PRIVATE elelem_str els_meta_json(const els_meta *meta, elelem_str key)
{
    size_t i = els_meta_find(meta, meta->els_count, key);

    return i < meta->els_count ? els_meta_entries(meta)[i].json : els_str(NULL, 0);
}

/* Points an entry at the bytes of its slot. */
ELS_PRIVATE void els_meta_set_entry(els_meta *meta, size_t i, size_t key_size)
{
    elelem_str text = elelem_buffer_text(&els_meta_slots(meta)[i].text);

    els_meta_entries(meta)[i].key = els_str(text.data, key_size);
    els_meta_entries(meta)[i].json = els_str(text.data + key_size, text.size - key_size);
}

/* Merging, in four steps of which only the last changes anything. */

/* 1. Plans what an entry does to its slot. */
ELS_PRIVATE void els_meta_plan(els_meta_slot *slot, size_t i, elelem_str json)
{
    if (slot->kept > 0 && els_is_array_text(json)) {
        size_t more = els_array_elements(json).size;
        if (more == 0) return;
        slot->kept = els_sum(slot->kept, els_sum(more, slot->kept > 1));
        slot->size = els_sum(slot->kept, 1);
        if (slot->size > slot->room) slot->room = slot->size;
        return;
    }
    slot->from = i;
    slot->kept = els_is_array_text(json) ? els_array_kept(json) : 0;
    slot->size = json.size;
    slot->room = json.size;
    slot->is_replaced = 1;
}

/* Makes a slot ready to be planned. */
ELS_PRIVATE void els_meta_begin_plan(els_meta_slot *slot, elelem_str json)
{
    slot->from = 0;
    slot->kept = els_is_array_text(json) ? els_array_kept(json) : 0;
    slot->size = json.size;
    slot->room = 0;
    slot->is_replaced = 0;
}

/* Adds an empty slot after the `*count` that there are. Its key is the list's until it is merged. */
ELS_PRIVATE elelem_status els_meta_add_slot(els_meta *meta, const els_budget *budget, uint32_t max_keys, size_t *count,
                                            elelem_str key)
{
    elelem_metadata_entry *entry;

    if (*count >= max_keys) return ELELEM_ERROR_COUNT;
    if (els_product(*count - meta->els_count + 1, ELS_META_KEY) > els_budget_left(budget)) return ELELEM_ERROR_VALUE_SIZE;
    if (*count == meta->els_capacity) {
        elelem_status status = els_parallel_grow(&meta->els_slots, &meta->els_capacity, sizeof(els_meta_slot),
                                                 sizeof *entry, max_keys);
        if (status != ELELEM_OK) return status;
    }
    entry = els_meta_entries(meta) + *count;
    entry->key = key;
    entry->json = els_str(NULL, 0);
    elelem_buffer_init(&els_meta_slots(meta)[*count].text, meta->els_slots.allocator, 0);
    els_meta_begin_plan(&els_meta_slots(meta)[*count], entry->json);
    ++*count;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_meta_plan_all(els_meta *meta, const els_budget *budget, uint32_t max_keys,
                                            const elelem_metadata *list, size_t *count)
{
    size_t i;

    for (i = 0; i < meta->els_count; i++)
        els_meta_begin_plan(&els_meta_slots(meta)[i], els_meta_entries(meta)[i].json);
    for (i = 0; i < list->count; i++) {
        size_t at = els_meta_find(meta, *count, list->entries[i].key);
        elelem_status status = ELELEM_OK;
        if (at == *count) status = els_meta_add_slot(meta, budget, max_keys, count, list->entries[i].key);
        if (status != ELELEM_OK) return status;
        els_meta_plan(&els_meta_slots(meta)[at], i, els_trimmed(list->entries[i].json));
    }
    return ELELEM_OK;
}

/* Returns what the first `count` slots count for, now or when the plan is done. */
ELS_PRIVATE size_t els_meta_bytes(const els_meta *meta, size_t count, int is_planned)
{
    size_t bytes = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        const elelem_metadata_entry *entry = &els_meta_entries(meta)[i];
        size_t json = is_planned ? els_meta_slots(meta)[i].size : entry->json.size;
        bytes = els_sum(bytes, els_sum(els_sum(ELS_META_KEY, entry->key.size), json));
    }
    return bytes;
}

/* 2. Nonzero if the limit allows what is planned. */
ELS_PRIVATE int els_meta_fits_budget(const els_meta *meta, const els_budget *budget, size_t count)
{
    size_t now = els_meta_bytes(meta, meta->els_count, 0);
    size_t then = els_meta_bytes(meta, count, 1);

    return then <= now || then - now <= els_budget_left(budget);
}

/* 3. Takes all memory that the plan needs. Blocks may move. */
ELS_PRIVATE elelem_status els_meta_reserve(els_meta *meta, size_t count)
{
    elelem_status status = ELELEM_OK;
    size_t i;

    for (i = 0; i < count && status == ELELEM_OK; i++) {
        els_meta_slot *slot = &els_meta_slots(meta)[i];
        size_t key_size = els_meta_entries(meta)[i].key.size;
        int is_new = i >= meta->els_count;
        if (slot->room == 0 && !is_new) continue;
        status = els_block_reserve(&slot->text.els_memory, els_sum(key_size, slot->room), SIZE_MAX, ELELEM_ERROR_MEMORY);
        if (!is_new) els_meta_set_entry(meta, i, key_size);
    }
    return status;
}

/* Frees slots that were added for a plan that is not carried out. */
ELS_PRIVATE void els_meta_forget_plan(els_meta *meta, size_t count)
{
    for (; count > meta->els_count; count--)
        elelem_buffer_free(&els_meta_slots(meta)[count - 1].text);
}

/* Adds elements to the array of a slot; the memory is there. */
ELS_PRIVATE void els_meta_extend(els_meta_slot *slot, size_t key_size, elelem_str elements)
{
    elelem_str text = elelem_buffer_text(&slot->text);
    size_t kept = els_array_kept(els_str(text.data + key_size, text.size - key_size));

    if (elements.size == 0) return;
    slot->text.els_size = key_size + kept;
    if (kept > 1) els_buffer_put(&slot->text, ",", 1);
    els_buffer_put(&slot->text, elements.data, elements.size);
    els_buffer_put(&slot->text, "]", 1);
}

/* 4. Does what was planned for an entry. */
ELS_PRIVATE void els_meta_apply(els_meta *meta, size_t at, size_t i, elelem_str json)
{
    els_meta_slot *slot = &els_meta_slots(meta)[at];
    size_t key_size = els_meta_entries(meta)[at].key.size;

    if (i < slot->from) return;
    if (i > slot->from || !slot->is_replaced) {
        els_meta_extend(slot, key_size, els_array_elements(json));
        return;
    }
    slot->text.els_size = key_size;
    els_buffer_put(&slot->text, json.data, json.size);
}

/* Gives back most of a block that is far too large for what replaced its text. */
ELS_PRIVATE void els_meta_trim(els_meta_slot *slot)
{
    size_t enough = els_sum(slot->text.els_size, 64);

    if (slot->is_replaced && slot->text.els_memory.capacity / 4 > enough) els_block_set(&slot->text.els_memory, enough);
}

ELS_PRIVATE void els_meta_apply_all(els_meta *meta, const elelem_metadata *list, size_t count)
{
    size_t i;

    for (i = meta->els_count; i < count; i++) {
        elelem_metadata_entry *entry = &els_meta_entries(meta)[i];
        els_buffer_put(&els_meta_slots(meta)[i].text, entry->key.data, entry->key.size);
    }
    for (i = 0; i < list->count; i++)
        els_meta_apply(meta, els_meta_find(meta, count, list->entries[i].key), i, els_trimmed(list->entries[i].json));
    for (i = 0; i < count; i++) {
        els_meta_trim(&els_meta_slots(meta)[i]);
        els_meta_set_entry(meta, i, els_meta_entries(meta)[i].key.size);
    }
    meta->els_count = (uint32_t)count;
}

/* Merges a list into what is there: of equal keys the later value counts, but arrays are added to.
   OK; ERROR_COUNT: more than `max_keys` keys; ERROR_VALUE_SIZE; ERROR_MEMORY: nothing has changed. */
ELS_PRIVATE elelem_status els_meta_merge(els_meta *meta, els_budget *budget, uint32_t max_keys,
                                         const elelem_metadata *list)
{
    size_t before = els_meta_bytes(meta, meta->els_count, 0);
    size_t count = meta->els_count;
    elelem_status status;

    if (list->count == 0) return ELELEM_OK;
    status = els_meta_plan_all(meta, budget, max_keys, list, &count);
    if (status == ELELEM_OK && !els_meta_fits_budget(meta, budget, count)) status = ELELEM_ERROR_VALUE_SIZE;
    if (status == ELELEM_OK) status = els_meta_reserve(meta, count);
    if (status != ELELEM_OK) {
        els_meta_forget_plan(meta, count);
        return status;
    }
    els_meta_apply_all(meta, list, count);
    budget->els_used = budget->els_used - before + els_meta_bytes(meta, count, 0);
    return ELELEM_OK;
}

/* Gives all memory back. */
ELS_PRIVATE void els_meta_free(els_meta *meta, els_budget *budget)
{
    uint32_t i;

    budget->els_used -= els_meta_bytes(meta, meta->els_count, 0);
    for (i = 0; i < meta->els_count; i++)
        elelem_buffer_free(&els_meta_slots(meta)[i].text);
    els_block_free(&meta->els_slots);
    meta->els_count = 0;
    meta->els_capacity = 0;
}

/* Writes it as the member "metadata" of an object, if there is any. */
ELS_PRIVATE void els_put_metadata(elelem_writer *writer, const elelem_metadata *metadata)
{
    size_t i;

    if (metadata->count == 0) return;
    elelem_writer_key(writer, elelem_str_of("metadata"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (i = 0; i < metadata->count; i++) {
        elelem_writer_key(writer, metadata->entries[i].key);
        elelem_writer_json(writer, metadata->entries[i].json);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* Comparing. */

/* Returns what the key of an entry has before the entry is merged; empty if nothing. */
ELS_PRIVATE elelem_str els_meta_before(const els_meta *meta, const elelem_metadata *list, size_t which)
{
    size_t i;

    for (i = which; i > 0; i--)
        if (elelem_str_equal(list->entries[i - 1].key, list->entries[which].key))
            return els_trimmed(list->entries[i - 1].json);
    return els_meta_json(meta, list->entries[which].key);
}

/* Nonzero if the list can be merged into what is there and nothing is lost. An array and something else under
   one key cannot: which came first would be forgotten, but it decides whether the array is to be added to one
   of earlier metadata. */
ELS_PRIVATE int els_meta_fits(const els_meta *meta, uint32_t max_keys, const elelem_metadata *list)
{
    size_t i, keys = meta->els_count;

    if (list->count > ELS_META_ENTRIES) return 0;
    for (i = 0; i < list->count; i++) {
        elelem_str before = els_meta_before(meta, list, i);
        if (before.size == 0) keys++;
        else if (els_is_array_text(before) != els_is_array_text(els_trimmed(list->entries[i].json))) return 0;
    }
    return keys <= max_keys;
}

/* Returns the offset of the next byte that is not whitespace between tokens. */
ELS_INLINE size_t els_json_skip_blanks(elelem_str json, size_t at, int in_string)
{
    while (!in_string && at < json.size && els_is_blank((unsigned char)json.data[at]))
        at++;
    return at;
}

/* Nonzero if both are the same JSON text but for whitespace between tokens. */
ELS_PRIVATE int els_json_same(elelem_str a, elelem_str b)
{
    size_t i = 0, j = 0;
    int in_string = 0, is_escaped = 0;

    for (;;) {
        char byte;
        i = els_json_skip_blanks(a, i, in_string);
        j = els_json_skip_blanks(b, j, in_string);
        if (i == a.size || j == b.size) return i == a.size && j == b.size;
        byte = a.data[i++];
        if (byte != b.data[j++]) return 0;
        if (byte == '"' && !is_escaped) in_string = !in_string;
        is_escaped = in_string && byte == '\\' && !is_escaped;
    }
}

/* Removes the keys under which the other has the same. */
ELS_PRIVATE void els_meta_subtract(els_meta *meta, els_budget *budget, const els_meta *other)
{
    size_t before = els_meta_bytes(meta, meta->els_count, 0);
    uint32_t i, left = 0;

    for (i = 0; i < meta->els_count; i++) {
        elelem_metadata_entry entry = els_meta_entries(meta)[i];
        elelem_str same = els_meta_json(other, entry.key);
        if (same.size > 0 && els_json_same(entry.json, same)) {
            elelem_buffer_free(&els_meta_slots(meta)[i].text);
            continue;
        }
        els_meta_entries(meta)[left] = entry;
        els_meta_slots(meta)[left++] = els_meta_slots(meta)[i];
    }
    meta->els_count = left;
    budget->els_used -= before - els_meta_bytes(meta, left, 0);
}

/* >> builder */

/* What the builder waits for. */
typedef enum els_builder_phase {
    ELS_BUILDER_EVENT, /* an event */
    ELS_BUILDER_TEXT,  /* nothing: the JSON text of a part is still to be read */
    ELS_BUILDER_FLUSH  /* nothing: what the flush decides is still to be returned */
} els_builder_phase;

/* A place in the names of an item. */
typedef struct els_name {
    uint32_t start;
    uint32_t size;
} els_name;

/* An open item: a row of the table. Rows that are not in use keep what is set up here. */
typedef struct els_row {
    elelem_buffer text;  /* of the parts; of a tool call the arguments, if they are kept */
    elelem_buffer names; /* id, name and type, in the order they became known */
    els_meta meta;
    elelem_fragment_parser parser;
    elelem_fragment_aggregator tree; /* of what is read; of a provider item its caption, a string */
    els_name id;
    els_name name;
    els_name type;
    uint32_t index;
    uint32_t choice;
    uint32_t read_bytes; /* what the parser takes of the limit: its nesting, and */
    uint32_t read_most;  /* the most bytes of keys and a number that it held at a time */
    uint8_t kind;    /* an elelem_part_kind */
    uint8_t is_kept;
    uint8_t state;   /* an elelem_item_state */
    uint8_t root;    /* the type of the root value once it ended */
    uint8_t cut_off; /* its flush said so */
    uint8_t hosted;
} els_row;

const char *elelem_item_state_name(int state)
{
    switch (state) {
    case ELELEM_ITEM_COMPLETE: return "complete";
    case ELELEM_ITEM_CUT_OFF: return "cut_off";
    case ELELEM_ITEM_MALFORMED: return "malformed";
    case ELELEM_ITEM_LEFT_OUT: return "left_out";
    default: return "open";
    }
}

ELS_NOINLINE elelem_status els_builder_fail(elelem_event_builder *b, elelem_status status)
{
    b->els_status = status;
    b->els_phase = ELS_BUILDER_EVENT;
    return status;
}

/* The table: rows, and after them the order, in which the rows in use come first, by
   index, and then the others, the one used last before the rest. */

ELS_INLINE els_row *els_builder_row(const elelem_event_builder *b, uint32_t place)
{
    return (els_row *)(void *)b->els_table.data + place;
}

ELS_INLINE uint16_t *els_builder_order(const elelem_event_builder *b)
{
    return (uint16_t *)(void *)(b->els_table.data + b->els_capacity * sizeof(els_row));
}

/* Returns how many open items have smaller indices. */
ELS_PRIVATE uint32_t els_builder_seek(const elelem_event_builder *b, uint32_t index)
{
    uint32_t low = 0, high = b->els_open;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (els_builder_row(b, els_builder_order(b)[middle])->index < index) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Returns the open item with this index, or null; `*at` is its position in the order, or the one it would take. */
ELS_PRIVATE els_row *els_builder_find(const elelem_event_builder *b, uint32_t index, uint32_t *at)
{
    els_row *row;

    *at = els_builder_seek(b, index);
    if (*at == b->els_open) return NULL;
    row = els_builder_row(b, els_builder_order(b)[*at]);
    return row->index == index ? row : NULL;
}

ELS_PRIVATE void els_row_init_parser(els_row *row, elelem_allocator allocator)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    desc.single_document = 1;
    elelem_fragment_parser_init(&row->parser, &desc);
}

ELS_PRIVATE void els_row_init_tree(els_row *row, elelem_allocator allocator)
{
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    elelem_fragment_aggregator_init(&row->tree, &desc);
}

ELS_PRIVATE void els_row_init(els_row *row, elelem_allocator allocator)
{
    memset(row, 0, sizeof *row);
    elelem_buffer_init(&row->text, allocator, 0);
    elelem_buffer_init(&row->names, allocator, 0);
    els_meta_init(&row->meta, allocator);
    els_row_init_parser(row, allocator);
    els_row_init_tree(row, allocator);
}

ELS_PRIVATE elelem_status els_builder_grow(elelem_event_builder *b)
{
    uint32_t i = b->els_capacity;
    elelem_status status =
        els_parallel_grow(&b->els_table, &b->els_capacity, sizeof(els_row), sizeof(uint16_t), b->els_max_open);

    if (status != ELELEM_OK) return status;
    for (; i < b->els_capacity; i++) {
        els_row_init(els_builder_row(b, i), b->els_table.allocator);
        els_builder_order(b)[i] = (uint16_t)i;
    }
    return ELELEM_OK;
}

/* Puts a row to use, at its position in the order. */
ELS_PRIVATE elelem_status els_builder_take(elelem_event_builder *b, uint32_t at, els_row **row)
{
    elelem_status status = b->els_open < b->els_capacity ? ELELEM_OK : els_builder_grow(b);
    uint16_t *order, place;

    if (status != ELELEM_OK) return status;
    order = els_builder_order(b);
    place = order[b->els_open];
    memmove(order + at + 1, order + at, (b->els_open - at) * sizeof *order);
    order[at] = place;
    b->els_open++;
    *row = els_builder_row(b, place);
    return ELELEM_OK;
}

/* Takes a row out of use. What it holds stays until it is cleared. */
ELS_PRIVATE void els_builder_close(elelem_event_builder *b, uint32_t at)
{
    uint16_t *order = els_builder_order(b);
    uint16_t place = order[at];

    b->els_open--;
    memmove(order + at, order + at + 1, (b->els_open - at) * sizeof *order);
    order[b->els_open] = place;
}

/* Gives back all memory of a row, which can be used again. */
ELS_PRIVATE void els_row_free(els_row *row, els_budget *texts)
{
    elelem_allocator allocator = row->meta.els_slots.allocator;

    els_meta_free(&row->meta, texts);
    elelem_buffer_free(&row->text);
    elelem_buffer_free(&row->names);
    elelem_fragment_parser_free(&row->parser);
    elelem_fragment_aggregator_free(&row->tree);
    els_row_init(row, allocator);
}

ELS_INLINE size_t els_row_spare(const els_row *row)
{
    return row->text.els_memory.capacity + row->names.els_memory.capacity + row->parser.els_memory.capacity +
           row->tree.els_memory.capacity;
}

/* Empties a row. Its blocks stay for the next item if they are small. */
ELS_PRIVATE void els_row_clear(els_row *row, els_budget *texts)
{
    els_meta_free(&row->meta, texts);
    els_budget_cut(texts, &row->text, 0);
    els_budget_cut(texts, &row->names, 0);
    if (els_row_spare(row) > ELS_SPARE_BYTES) {
        els_row_free(row, texts);
        return;
    }
    elelem_fragment_parser_reset(&row->parser);
    elelem_fragment_aggregator_reset(&row->tree);
    row->id.size = row->name.size = row->type.size = 0;
    row->read_most = 0;
    row->read_bytes = 0;
}

/* Empties the row that was closed last. It alone has spare blocks: those of the one closed before go. */
ELS_PRIVATE void els_builder_clear(elelem_event_builder *b, els_row *row)
{
    b->els_values.els_used -= row->tree.els_used;
    b->els_reading.els_used -= row->read_bytes;
    els_row_clear(row, &b->els_texts);
    if (b->els_open + 1 >= b->els_capacity) return;
    row = els_builder_row(b, els_builder_order(b)[b->els_open + 1]);
    if (els_row_spare(row) > 0) els_row_free(row, &b->els_texts);
}

/* Empties the row of the item that was returned last: the caller no longer uses it. */
ELS_INLINE void els_builder_settle(elelem_event_builder *b)
{
    if (!b->els_handed_out) return;
    b->els_handed_out = 0;
    els_builder_clear(b, els_builder_row(b, b->els_place));
}

/* Keeping bytes. */

/* Keeps what the limit allows, in whole characters, so that what is kept does not depend
   on how the text was cut. The text becomes what was kept. */
ELS_PRIVATE elelem_status els_builder_keep_text(elelem_event_builder *b, els_row *row, elelem_str *text)
{
    elelem_status over = ELELEM_OK;
    elelem_status status;

    if (text->size > els_budget_left(&b->els_texts)) {
        text->size = els_whole_characters((const unsigned char *)text->data, (size_t)els_budget_left(&b->els_texts));
        over = ELELEM_ERROR_VALUE_SIZE;
    }
    status = els_budget_append(&b->els_texts, &row->text, *text);
    return status != ELELEM_OK ? status : over;
}

/* The first that is not empty counts. */
ELS_PRIVATE elelem_status els_builder_name(elelem_event_builder *b, els_row *row, els_name *known, elelem_str text)
{
    size_t start = row->names.els_size;
    elelem_status status;

    if (known->size > 0 || text.size == 0) return ELELEM_OK;
    if (text.size > UINT32_MAX - start) return ELELEM_ERROR_VALUE_SIZE;
    status = els_budget_append(&b->els_texts, &row->names, text);
    if (status != ELELEM_OK) return status;
    known->start = (uint32_t)start;
    known->size = (uint32_t)text.size;
    return ELELEM_OK;
}

ELS_INLINE elelem_str els_row_name(const els_row *row, els_name name)
{
    return els_str(name.size > 0 ? row->names.els_memory.data + name.start : NULL, name.size);
}

/* Metadata. */

ELS_PRIVATE elelem_status els_builder_merge(elelem_event_builder *b, els_row *row, const elelem_metadata *metadata)
{
    if (!row->is_kept || !(b->els_keep & ELELEM_KEEP_METADATA)) return ELELEM_OK;
    return els_meta_merge(&row->meta, &b->els_texts, b->els_max_metadata, metadata);
}

/* Values. The end of the root is kept back until the flush: until then nothing makes the
   value look whole, for something else may follow. */

/* Nonzero if the item's text is read as JSON. */
ELS_INLINE int els_row_is_read(const els_row *row)
{
    int is_json = row->kind == ELELEM_PART_STRUCTURED || row->kind == ELELEM_PART_PROVIDER_ITEM;

    return row->kind == ELELEM_PART_TOOL_CALL || (is_json && row->is_kept);
}

/* Nonzero if what is read becomes a value. The JSON of a provider item is only checked. */
ELS_INLINE int els_row_has_value(const els_row *row)
{
    return row->is_kept && row->kind != ELELEM_PART_PROVIDER_ITEM;
}

ELS_PRIVATE elelem_status els_builder_add(elelem_event_builder *b, els_row *row, const elelem_fragment *fragment)
{
    elelem_fragment_aggregator *tree = &row->tree;
    uint64_t most = els_budget_left(&b->els_values) + tree->els_used;
    uint32_t before = tree->els_used;
    elelem_status status;

    tree->els_max_bytes = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    status = elelem_fragment_aggregator_push(tree, fragment);
    b->els_values.els_used += tree->els_used - before;
    return status;
}

/* Drops what is kept of a provider item, which does not fit. The response continues without it. */
ELS_PRIVATE void els_builder_leave_out(elelem_event_builder *b, els_row *row)
{
    row->state = ELELEM_ITEM_LEFT_OUT;
    els_budget_cut(&b->els_texts, &row->text, 0);
    b->els_values.els_used -= row->tree.els_used;
    elelem_fragment_aggregator_reset(&row->tree);
}

ELS_PRIVATE elelem_status els_builder_add_caption(elelem_event_builder *b, els_row *row, elelem_str text)
{
    elelem_path root = ELELEM_INIT;
    elelem_fragment fragment = ELELEM_INIT;

    if (text.size == 0) return ELELEM_OK;
    fragment.path = &root;
    fragment.kind = ELELEM_FRAGMENT_STRING;
    fragment.type = ELELEM_TYPE_STRING;
    fragment.text = text;
    fragment.pattern = ELELEM_NO_PATTERN;
    return els_builder_add(b, row, &fragment);
}

/* Adds to the JSON and the caption of a provider item. */
ELS_PRIVATE elelem_status els_builder_add_provider_item(elelem_event_builder *b, els_row *row,
                                                        const elelem_event_part *part)
{
    elelem_status status;

    if (row->state == ELELEM_ITEM_LEFT_OUT) return ELELEM_OK;
    status = els_budget_append(&b->els_texts, &row->text, part->text);
    if (status == ELELEM_OK) status = els_builder_add_caption(b, row, part->caption);
    if (status != ELELEM_ERROR_VALUE_SIZE) return status;
    els_builder_leave_out(b, row);
    return ELELEM_OK;
}

/* Adds a piece of a string, of which the tree takes whole characters up to the limit. The fragment's text becomes
   what was added: all that the tree grew by, less the node and key of a string that begins. */
ELS_PRIVATE elelem_status els_builder_add_string(elelem_event_builder *b, els_row *row, elelem_fragment *fragment)
{
    uint32_t before = row->tree.els_used;
    elelem_status status = els_builder_add(b, row, fragment);
    size_t grown = row->tree.els_used - before, added = 0;

    if (status == ELELEM_OK) return status;
    if (grown > 0) added = els_tree_node(&row->tree, row->tree.els_current)->in.text.size;
    fragment->text.size = added < grown ? added : grown;
    return status;
}

/* Adds a fragment to the item's value. A string that meets the limit becomes what was added. */
ELS_PRIVATE elelem_status els_builder_collect(elelem_event_builder *b, els_row *row, elelem_fragment *fragment)
{
    if (fragment->path->count == 0 && fragment->kind == ELELEM_FRAGMENT_DONE) {
        row->root = fragment->type;
        return ELELEM_OK;
    }
    if (!els_row_has_value(row)) return ELELEM_OK;
    if (fragment->kind != ELELEM_FRAGMENT_STRING) return els_builder_add(b, row, fragment);
    return els_builder_add_string(b, row, fragment);
}

/* Reading. What the parsers of open items hold counts for a limit of its own: the keys that lead to a value, a
   number, and 64 bytes for each level. It is the largest that each held at a time, so that it does not depend on how
   the text was cut. */

/* The limits of a parser as it is by default. */
#define ELS_READ_PATH 262144u
#define ELS_READ_KEY 65536u
#define ELS_READ_NUMBER 65536u
#define ELS_READ_DEPTH 512u

/* A share of what is left in addition to what every parser may hold. */
ELS_INLINE uint32_t els_read_share(uint32_t least, uint64_t share, uint32_t most)
{
    return share > most - least ? most : least + (uint32_t)share;
}

ELS_INLINE uint32_t els_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The bytes of a key or number of which not all is there. */
ELS_PRIVATE uint32_t els_row_token(const els_row *row)
{
    unsigned state = row->parser.els_state;
    int is_number = state >= ELS_JSON_NUMBER && state <= ELS_JSON_POWER;

    return row->parser.els_in_key || is_number ? row->parser.els_token_size : 0;
}

/* Gives the parser its share of what the others leave. What it holds already it may keep. */
ELS_PRIVATE void els_builder_limit_reading(const elelem_event_builder *b, els_row *row)
{
    elelem_fragment_parser *p = &row->parser;
    uint64_t others = b->els_reading.els_used - row->read_bytes;
    uint64_t left = b->els_reading.els_max > others ? b->els_reading.els_max - others : 0;
    uint32_t token = els_row_token(row);
    uint32_t path = els_read_share(64, left / 2, ELS_READ_PATH);

    p->els_max_path = els_larger(path, p->els_path_bytes + token);
    p->els_max_key = els_larger(path < ELS_READ_KEY ? path : ELS_READ_KEY, token);
    p->els_max_number = els_larger(els_read_share(64, left / 4, ELS_READ_NUMBER), token);
    p->els_max_depth = els_read_share(4, left / 256, ELS_READ_DEPTH);
}

/* Nonzero if the parser failed at a limit that was lowered. */
ELS_PRIVATE int els_row_read_too_much(const els_row *row, elelem_status status)
{
    switch (status) {
    case ELELEM_ERROR_DEPTH: return row->parser.els_max_depth < ELS_READ_DEPTH;
    case ELELEM_ERROR_KEY_SIZE: return row->parser.els_max_key < ELS_READ_KEY;
    case ELELEM_ERROR_PATH_SIZE: return row->parser.els_max_path < ELS_READ_PATH;
    case ELELEM_ERROR_NUMBER_SIZE: return row->parser.els_max_number < ELS_READ_NUMBER;
    default: return 0;
    }
}

/* Counts what the parser holds now, with `token` bytes of a number or key. */
ELS_PRIVATE void els_builder_count_reading(elelem_event_builder *b, els_row *row, size_t token)
{
    uint32_t bytes = row->parser.els_stack_size + (uint32_t)token;

    row->read_most = els_larger(row->read_most, bytes);
    bytes = row->parser.els_stack_start + row->read_most;
    b->els_reading.els_used += bytes - row->read_bytes;
    row->read_bytes = bytes;
}

/* Adds the beginning or the end of the root. */
ELS_PRIVATE elelem_status els_builder_add_root(elelem_event_builder *b, els_row *row, elelem_fragment_kind kind,
                                               unsigned type)
{
    elelem_path root = ELELEM_INIT;
    elelem_fragment fragment = ELELEM_INIT;

    if (!els_row_has_value(row)) return ELELEM_OK;
    fragment.path = &root;
    fragment.kind = (uint8_t)kind;
    fragment.type = (uint8_t)type;
    fragment.pattern = ELELEM_NO_PATTERN;
    return els_builder_add(b, row, &fragment);
}

/* Ends a value early, because the text is no longer JSON or stopped: it stays as it is. */
ELS_PRIVATE void els_row_break(els_row *row, elelem_status status)
{
    elelem_value_state reason = ELELEM_VALUE_CUT_LIMIT;

    row->state = ELELEM_ITEM_CUT_OFF;
    if (status == ELELEM_ERROR_TRUNCATED) reason = ELELEM_VALUE_CUT_END;
    if (status == ELELEM_ERROR_SYNTAX || status == ELELEM_ERROR_UTF8) {
        reason = ELELEM_VALUE_CUT_ERROR;
        row->state = ELELEM_ITEM_MALFORMED;
    }
    elelem_fragment_aggregator_cut(&row->tree, reason);
}

/* Returning items and progress. */

ELS_PRIVATE elelem_status els_row_progress(const els_row *row, const elelem_fragment *fragment, elelem_built *built)
{
    elelem_tool_call_argument_progress *progress = &built->progress;

    built->kind = ELELEM_BUILT_PROGRESS;
    progress->index = row->index;
    progress->choice = row->choice;
    progress->id = els_row_name(row, row->id);
    progress->name = els_row_name(row, row->name);
    progress->fragment = *fragment;
    return ELELEM_OK;
}

ELS_PRIVATE void els_row_item(const els_row *row, elelem_item *item)
{
    elelem_str text = elelem_buffer_text(&row->text);
    elelem_value value = elelem_fragment_aggregator_value(&row->tree);

    memset(item, 0, sizeof *item);
    item->kind = row->kind;
    item->state = row->state;
    item->index = row->index;
    item->choice = row->choice;
    item->metadata = els_meta_list(&row->meta);
    if (row->kind == ELELEM_PART_TOOL_CALL) {
        item->tool_call.index = row->index;
        item->tool_call.id = els_row_name(row, row->id);
        item->tool_call.name = els_row_name(row, row->name);
        item->tool_call.type = els_row_name(row, row->type);
        item->tool_call.arguments = value;
        item->tool_call.text = text;
    } else if (row->kind == ELELEM_PART_PROVIDER_ITEM) {
        item->hosted = row->hosted;
        item->type = els_row_name(row, row->type);
        item->caption = elelem_value_text(value);
        item->text = text;
    } else {
        item->text = text;
        item->value = value;
    }
}

ELS_PRIVATE int els_is_all_blank(elelem_str text)
{
    return els_trimmed(text).size == 0;
}

/* Nonzero if there is anything in the item. */
ELS_PRIVATE int els_row_matters(const els_row *row)
{
    if (!row->is_kept) return 0;
    if (row->meta.els_count > 0) return 1;
    if (row->kind == ELELEM_PART_MESSAGE) return !els_is_all_blank(elelem_buffer_text(&row->text));
    return row->kind != ELELEM_PART_STRUCTURED || row->text.els_size > 0;
}

/* Returns the finished item at a position of the order, or drops it if there is nothing in it. */
ELS_PRIVATE elelem_status els_builder_hand_out(elelem_event_builder *b, uint32_t at, elelem_built *built)
{
    uint32_t place = els_builder_order(b)[at];
    els_row *row = els_builder_row(b, place);

    b->els_phase = ELS_BUILDER_EVENT;
    if (!b->els_status) b->els_finished++;
    els_builder_close(b, at);
    if (!els_row_matters(row)) {
        els_builder_clear(b, row);
        return ELS_AGAIN;
    }
    built->kind = ELELEM_BUILT_ITEM;
    els_row_item(row, &built->item);
    b->els_place = place;
    b->els_handed_out = 1;
    return ELELEM_OK;
}

/* Adds a fragment of the item's JSON to its value, and returns it if it is an argument's. An
   error waits until that is done. */
ELS_PRIVATE elelem_status els_builder_fragment(elelem_event_builder *b, els_row *row, elelem_fragment *fragment,
                                               elelem_built *built)
{
    elelem_status status = els_builder_collect(b, row, fragment);

    if (status != ELELEM_OK) {
        row->state = ELELEM_ITEM_CUT_OFF;
        b->els_late = status;
        if (fragment->kind != ELELEM_FRAGMENT_STRING || fragment->text.size == 0) return ELS_AGAIN;
    }
    if (row->kind != ELELEM_PART_TOOL_CALL) return ELS_AGAIN;
    return els_row_progress(row, fragment, built);
}

/* The JSON of a row needs more than the limit leaves to read it. */
ELS_PRIVATE void els_builder_read_too_much(elelem_event_builder *b, els_row *row)
{
    if (row->kind == ELELEM_PART_PROVIDER_ITEM) els_builder_leave_out(b, row);
    else b->els_late = ELELEM_ERROR_VALUE_SIZE;
}

/* Reads the next fragment of the text that the event lent. */
ELS_PRIVATE elelem_status els_builder_read(elelem_event_builder *b, elelem_built *built)
{
    els_row *row = els_builder_row(b, b->els_place);
    elelem_fragment fragment;
    elelem_status status = ELELEM_MORE;

    if (row->state == ELELEM_ITEM_OPEN) status = els_fragment_next(&row->parser, &b->els_lent, &fragment);
    if (status == ELELEM_OK) {
        els_builder_count_reading(b, row, fragment.kind == ELELEM_FRAGMENT_SCALAR ? fragment.text.size : 0);
        return els_builder_fragment(b, row, &fragment, built);
    }
    els_builder_count_reading(b, row, els_row_token(row));
    if (status == ELELEM_ERROR_MEMORY) return els_builder_fail(b, status);
    if (status < 0) els_row_break(row, status);
    if (els_row_read_too_much(row, status)) els_builder_read_too_much(b, row);
    if (b->els_late) return els_builder_fail(b, (elelem_status)b->els_late);
    b->els_phase = ELS_BUILDER_EVENT;
    return ELS_AGAIN;
}

/* Nonzero if only whitespace came. */
ELS_INLINE int els_row_is_blank(const els_row *row)
{
    return row->parser.els_state == ELS_JSON_VALUE && row->parser.els_path.count == 0;
}

/* Makes the value of a call without arguments: {}. */
ELS_PRIVATE elelem_status els_builder_add_none(elelem_event_builder *b, els_row *row)
{
    row->root = ELELEM_TYPE_OBJECT;
    return els_builder_add_root(b, row, ELELEM_FRAGMENT_BEGIN, ELELEM_TYPE_OBJECT);
}

/* Completes a value whose text is read to its end and whose root is whole. */
ELS_PRIVATE elelem_status els_builder_complete(elelem_event_builder *b, els_row *row)
{
    elelem_status status = ELELEM_OK;

    if (row->root != ELELEM_TYPE_NONE) status = els_builder_add_root(b, row, ELELEM_FRAGMENT_DONE, row->root);
    if (status != ELELEM_OK) return els_builder_fail(b, status);
    row->state = ELELEM_ITEM_COMPLETE;
    return ELS_AGAIN;
}

/* Reads what the end of the text decides: a number at the root, and whether all is there. */
ELS_PRIVATE elelem_status els_builder_end_text(elelem_event_builder *b, els_row *row, elelem_built *built)
{
    elelem_fragment fragment;
    elelem_status status;

    elelem_fragment_parser_finish(&row->parser);
    status = elelem_fragment_parser_next(&row->parser, &fragment);
    if (status == ELELEM_OK) return els_builder_fragment(b, row, &fragment, built);
    if (status == ELELEM_END) return els_builder_complete(b, row);
    if (status == ELELEM_ERROR_MEMORY) return els_builder_fail(b, status);
    els_row_break(row, status);
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_builder_flush(elelem_event_builder *b, elelem_built *built)
{
    els_row *row = els_builder_row(b, b->els_place);
    elelem_status status;

    if (b->els_late) return els_builder_fail(b, (elelem_status)b->els_late);
    if (row->state != ELELEM_ITEM_OPEN) return els_builder_hand_out(b, els_builder_seek(b, row->index), built);
    if (!els_row_is_read(row)) return els_builder_complete(b, row);
    if (row->cut_off) {
        els_row_break(row, ELELEM_ERROR_TRUNCATED);
        return ELS_AGAIN;
    }
    if (row->kind == ELELEM_PART_STRUCTURED && row->text.els_size == 0) return els_builder_complete(b, row);
    if (row->kind != ELELEM_PART_TOOL_CALL || !els_row_is_blank(row)) return els_builder_end_text(b, row, built);
    status = els_builder_add_none(b, row);
    return status == ELELEM_OK ? els_builder_complete(b, row) : els_builder_fail(b, status);
}

/* Returns the first open item as cut off. */
ELS_PRIVATE elelem_status els_builder_cut(elelem_event_builder *b, elelem_built *built)
{
    els_row *row = els_builder_row(b, els_builder_order(b)[0]);

    if (row->state == ELELEM_ITEM_OPEN) els_row_break(row, ELELEM_ERROR_TRUNCATED);
    return els_builder_hand_out(b, 0, built);
}

ELS_PRIVATE elelem_status els_builder_step(elelem_event_builder *b, elelem_built *built)
{
    switch ((els_builder_phase)b->els_phase) {
    case ELS_BUILDER_TEXT: return els_builder_read(b, built);
    case ELS_BUILDER_FLUSH: return els_builder_flush(b, built);
    default: break;
    }
    if (b->els_draining && b->els_open > 0) return els_builder_cut(b, built);
    if (b->els_status) return (elelem_status)b->els_status;
    if (b->els_owed.state == ELS_DEBT_LOST) return els_builder_fail(b, ELELEM_ERROR_MISUSE);
    return b->els_over ? ELELEM_END : ELELEM_MORE;
}

/* Taking events. */

ELS_PRIVATE int els_builder_keeps(const elelem_event_builder *b, unsigned kind)
{
    switch (kind) {
    case ELELEM_PART_MESSAGE: return (b->els_keep & ELELEM_KEEP_MESSAGES) != 0;
    case ELELEM_PART_REASONING: return (b->els_keep & ELELEM_KEEP_REASONING) != 0;
    case ELELEM_PART_STRUCTURED: return (b->els_keep & ELELEM_KEEP_STRUCTURED) != 0;
    case ELELEM_PART_PROVIDER_ITEM: return (b->els_keep & ELELEM_KEEP_PROVIDER_ITEMS) != 0;
    default: return (b->els_keep & ELELEM_KEEP_TOOL_CALLS) != 0;
    }
}

ELS_PRIVATE elelem_status els_builder_open(elelem_event_builder *b, const elelem_event *event, uint32_t at,
                                           els_row **row)
{
    elelem_status status = els_builder_take(b, at, row);

    if (status != ELELEM_OK) return status;
    (*row)->index = event->index;
    (*row)->choice = event->choice;
    (*row)->kind = event->part.kind;
    (*row)->is_kept = (uint8_t)els_builder_keeps(b, event->part.kind);
    (*row)->state = ELELEM_ITEM_OPEN;
    (*row)->root = ELELEM_TYPE_NONE;
    (*row)->cut_off = 0;
    (*row)->hosted = event->part.hosted;
    return ELELEM_OK;
}

/* Has next read a piece of JSON. */
ELS_PRIVATE void els_builder_lend(elelem_event_builder *b, els_row *row, elelem_str text)
{
    b->els_lent = els_cursor_of(text.data, text.size);
    if (row->state == ELELEM_ITEM_OPEN) {
        els_builder_limit_reading(b, row);
        els_fragment_lend(&row->parser, &b->els_lent);
    }
    b->els_place = (uint32_t)(row - els_builder_row(b, 0));
    b->els_phase = ELS_BUILDER_TEXT;
}

/* The same for JSON that becomes a value. Its text is kept first, if it is wanted; if that is refused, the error is
   returned when the rest is read. */
ELS_PRIVATE void els_builder_lend_value(elelem_event_builder *b, els_row *row, elelem_str text)
{
    int is_wanted = row->is_kept && (row->kind == ELELEM_PART_STRUCTURED || b->els_keep_argument_text);

    if (is_wanted) b->els_late = els_builder_keep_text(b, row, &text);
    els_builder_lend(b, row, text);
}

ELS_PRIVATE elelem_status els_builder_start_call(elelem_event_builder *b, els_row *row,
                                                 const elelem_tool_call_part *call)
{
    elelem_status status = els_builder_name(b, row, &row->id, call->id);

    if (status == ELELEM_OK) status = els_builder_name(b, row, &row->name, call->name);
    return status == ELELEM_OK ? els_builder_name(b, row, &row->type, call->type) : status;
}

ELS_PRIVATE elelem_status els_builder_take_call(elelem_event_builder *b, els_row *row, const elelem_tool_call_part *call)
{
    if (call->kind == ELELEM_TOOL_CALL_START) return els_builder_start_call(b, row, call);
    els_builder_lend_value(b, row, call->text);
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_builder_take_provider_item(elelem_event_builder *b, els_row *row,
                                                         const elelem_event_part *part)
{
    elelem_status status = els_builder_name(b, row, &row->type, part->type);

    if (status == ELELEM_OK) status = els_builder_add_provider_item(b, row, part);
    if (status == ELELEM_OK) els_builder_lend(b, row, part->text);
    return status;
}

ELS_PRIVATE elelem_status els_builder_take_part(elelem_event_builder *b, els_row *row, const elelem_event *event)
{
    elelem_str text = event->part.text;
    elelem_status status = els_builder_merge(b, row, &event->metadata);

    if (status != ELELEM_OK) return status;
    if (row->kind == ELELEM_PART_TOOL_CALL) return els_builder_take_call(b, row, &event->part.tool_call);
    if (!row->is_kept) return ELELEM_OK;
    if (row->kind == ELELEM_PART_PROVIDER_ITEM) return els_builder_take_provider_item(b, row, &event->part);
    if (row->kind != ELELEM_PART_STRUCTURED) return els_builder_keep_text(b, row, &text);
    els_builder_lend_value(b, row, text);
    return ELELEM_OK;
}

ELS_PRIVATE int els_is_part(const elelem_event_part *part)
{
    if (part->kind != ELELEM_PART_TOOL_CALL) return part->kind <= ELELEM_PART_PROVIDER_ITEM;
    return part->tool_call.kind <= ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
}

ELS_PRIVATE elelem_status els_builder_push_part(elelem_event_builder *b, const elelem_event *event)
{
    uint32_t at;
    els_row *row = els_builder_find(b, event->index, &at);
    elelem_status status;

    if (!els_is_part(&event->part)) return ELELEM_ERROR_MISUSE;
    if (row && (row->kind != event->part.kind || row->choice != event->choice)) return ELELEM_ERROR_MISUSE;
    status = row ? ELELEM_OK : els_builder_open(b, event, at, &row);
    if (status == ELELEM_OK) status = els_builder_take_part(b, row, event);
    return status == ELELEM_OK ? status : els_builder_fail(b, status);
}

ELS_PRIVATE elelem_status els_builder_push_flush(elelem_event_builder *b, const elelem_event *event)
{
    uint32_t at;
    els_row *row = els_builder_find(b, event->index, &at);
    elelem_status status;

    if (!row || row->choice != event->choice) return ELELEM_ERROR_MISUSE;
    status = els_builder_merge(b, row, &event->metadata);
    if (status != ELELEM_OK) return els_builder_fail(b, status);
    row->cut_off = event->cut_off != 0;
    b->els_place = els_builder_order(b)[at];
    b->els_phase = ELS_BUILDER_FLUSH;
    return ELELEM_OK;
}

void elelem_event_builder_init(elelem_event_builder *builder, const elelem_event_builder_desc *desc)
{
    elelem_event_builder_desc defaults = ELELEM_INIT;
    const elelem_event_builder_desc *d = desc ? desc : &defaults;

    uint64_t max_bytes = ELS_DEFAULT(d->max_bytes, (uint64_t)64 << 20);

    memset(builder, 0, sizeof *builder);
    builder->els_table.allocator = d->allocator;
    els_budget_init(&builder->els_texts, max_bytes);
    els_budget_init(&builder->els_values, max_bytes);
    els_budget_init(&builder->els_reading, max_bytes);
    builder->els_max_open = els_limit(d->max_open, 256, 65535);
    builder->els_max_metadata = els_limit(d->max_metadata, 64, 65535);
    builder->els_keep = (uint8_t)(d->keep ? d->keep & ELELEM_KEEP_ALL : ELELEM_KEEP_ALL);
    builder->els_keep_argument_text = d->keep_argument_text != 0;
}

ELS_PRIVATE elelem_status els_builder_push_event(elelem_event_builder *b, const elelem_event *event)
{
    els_builder_settle(b);
    switch (event->kind) {
    case ELELEM_EVENT_PART: return els_builder_push_part(b, event);
    case ELELEM_EVENT_FLUSH: return els_builder_push_flush(b, event);
    case ELELEM_EVENT_METADATA: return ELELEM_OK;
    case ELELEM_EVENT_FINISHED:
    case ELELEM_EVENT_ERROR: b->els_over = 1; return ELELEM_OK;
    default: return ELELEM_ERROR_MISUSE;
    }
}

elelem_status elelem_event_builder_push(elelem_event_builder *builder, const elelem_event *event)
{
    if (builder->els_status) return (elelem_status)builder->els_status;
    if (builder->els_max_open == 0 || builder->els_over) return ELELEM_ERROR_MISUSE;
    if (!els_debt_takes_event(&builder->els_owed, event, builder->els_phase == ELS_BUILDER_EVENT))
        return ELELEM_ERROR_MISUSE;
    return els_builder_push_event(builder, event);
}

elelem_status elelem_event_builder_next(elelem_event_builder *builder, elelem_built *built)
{
    elelem_status status;

    if (builder->els_max_open == 0) return ELELEM_ERROR_MISUSE;
    els_builder_settle(builder);
    do
        status = els_builder_step(builder, built);
    while (status == ELS_AGAIN);
    return status;
}

void elelem_event_builder_drain(elelem_event_builder *builder)
{
    builder->els_over = 1;
    builder->els_draining = 1;
}

elelem_status elelem_event_builder_partial(const elelem_event_builder *builder, size_t *position, elelem_item *item)
{
    while (*position < builder->els_open) {
        const els_row *row = els_builder_row(builder, els_builder_order(builder)[*position]);
        ++*position;
        if (!row->is_kept) continue;
        els_row_item(row, item);
        return ELELEM_OK;
    }
    return ELELEM_END;
}

elelem_value elelem_event_builder_arguments(const elelem_event_builder *builder, uint32_t index)
{
    elelem_value none = ELELEM_INIT;
    uint32_t at;
    const els_row *row = els_builder_find(builder, index, &at);

    return row ? elelem_fragment_aggregator_value(&row->tree) : none;
}

elelem_error elelem_event_builder_error(const elelem_event_builder *builder)
{
    if (builder->els_max_open == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    if (builder->els_status == ELELEM_ERROR_MISUSE) return els_lost_error(builder->els_finished);
    return els_error((elelem_status)builder->els_status, builder->els_status ? builder->els_finished : 0);
}

void elelem_event_builder_reset(elelem_event_builder *builder)
{
    uint32_t i;

    for (i = 0; i < builder->els_capacity; i++) {
        els_row *row = els_builder_row(builder, els_builder_order(builder)[i]);
        if (i == 0) els_row_clear(row, &builder->els_texts);
        else els_row_free(row, &builder->els_texts);
    }
    builder->els_lent = els_cursor_of(NULL, 0);
    builder->els_owed.state = ELS_DEBT_NONE;
    builder->els_finished = 0;
    builder->els_texts.els_used = 0;
    builder->els_values.els_used = 0;
    builder->els_reading.els_used = 0;
    builder->els_open = 0;
    builder->els_status = ELELEM_OK;
    builder->els_late = ELELEM_OK;
    builder->els_phase = ELS_BUILDER_EVENT;
    builder->els_over = 0;
    builder->els_draining = 0;
    builder->els_handed_out = 0;
}

void elelem_event_builder_free(elelem_event_builder *builder)
{
    uint32_t i;

    for (i = 0; i < builder->els_capacity; i++)
        els_row_free(els_builder_row(builder, i), &builder->els_texts);
    els_block_free(&builder->els_table);
    memset(builder, 0, sizeof *builder);
}

/* Writing. */

ELS_PRIVATE const char *els_part_name(int kind)
{
    static const char *const names[] = { "message", "reasoning", "structured", "tool_call", "provider_item" };

    return kind >= 0 && (size_t)kind < ELS_COUNT(names) ? names[kind] : "";
}

ELS_PRIVATE void els_write_call(elelem_writer *writer, const elelem_tool_call *call)
{
    if (call->type.size > 0) els_put_text(writer, "callType", call->type);
    els_put_text(writer, "id", call->id);
    els_put_text(writer, "name", call->name);
    if (elelem_value_is_complete(call->arguments)) els_put_value(writer, "arguments", call->arguments);
    else if (call->text.size > 0) els_put_text(writer, "argumentsText", call->text);
    else els_put_value(writer, "partialArguments", call->arguments);
}

/* JSON that is not whole goes out as text. */
ELS_PRIVATE void els_write_provider_item(elelem_writer *writer, const elelem_item *item)
{
    els_put_text(writer, "itemType", item->type);
    if (item->hosted) els_put_json(writer, "hosted", elelem_str_of("true"));
    if (item->caption.size > 0) els_put_text(writer, "caption", item->caption);
    if (item->state == ELELEM_ITEM_COMPLETE) els_put_json(writer, "item", item->text);
    else els_put_text(writer, "text", item->text);
}

ELS_PRIVATE void els_write_content(elelem_writer *writer, const elelem_item *item)
{
    if (item->kind == ELELEM_PART_TOOL_CALL) els_write_call(writer, &item->tool_call);
    else if (item->kind == ELELEM_PART_PROVIDER_ITEM) els_write_provider_item(writer, item);
    else if (elelem_value_is_complete(item->value)) els_put_value(writer, "value", item->value);
    else els_put_text(writer, "text", item->text);
}

elelem_status elelem_item_write(elelem_writer *writer, const elelem_item *item)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_text(writer, "type", elelem_str_of(els_part_name(item->kind)));
    els_put_number(writer, "index", item->index);
    if (item->choice > 0) els_put_number(writer, "choice", item->choice);
    els_write_content(writer, item);
    if (item->state != ELELEM_ITEM_COMPLETE)
        els_put_text(writer, "state", elelem_str_of(elelem_item_state_name(item->state)));
    els_put_metadata(writer, &item->metadata);
    return elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* >> turn */

/* What the turn takes its next update from. */
typedef enum els_turn_state {
    ELS_TURN_EVENT, /* the next event of the stream */
    ELS_TURN_BUILT, /* what the builder makes of the current event */
    ELS_TURN_DRAIN, /* the items that the current error cut off */
    ELS_TURN_OVER
} els_turn_state;

ELS_PRIVATE void els_turn_begin_update(elelem_turn_update *update, elelem_turn_update_kind kind, uint32_t index, uint32_t choice)
{
    memset(update, 0, sizeof *update);
    update->kind = (uint8_t)kind;
    update->index = index;
    update->choice = choice;
}

ELS_PRIVATE elelem_turn_update_kind els_turn_kind_of(const elelem_event_part *part)
{
    switch (part->kind) {
    case ELELEM_PART_REASONING: return ELELEM_TURN_REASONING;
    case ELELEM_PART_TOOL_CALL: return ELELEM_TURN_TOOL_CALL_START;
    case ELELEM_PART_PROVIDER_ITEM: return ELELEM_TURN_PROVIDER_ITEM;
    default: return ELELEM_TURN_TEXT;
    }
}

/* Nonzero if the caller sees something of the part at once; else it is left to the builder. */
ELS_PRIVATE int els_turn_shows(const elelem_event_part *part)
{
    if (part->kind == ELELEM_PART_TOOL_CALL) return part->tool_call.kind == ELELEM_TOOL_CALL_START;
    return part->text.size > 0 || part->caption.size > 0;
}

ELS_PRIVATE void els_turn_part(const elelem_event *event, elelem_turn_update *update)
{
    const elelem_event_part *part = &event->part;

    els_turn_begin_update(update, els_turn_kind_of(part), event->index, event->choice);
    update->metadata = event->metadata;
    if (part->kind == ELELEM_PART_TOOL_CALL) {
        update->tool_call.index = event->index;
        update->tool_call.id = part->tool_call.id;
        update->tool_call.name = part->tool_call.name;
        update->tool_call.type = part->tool_call.type;
    } else if (part->kind == ELELEM_PART_PROVIDER_ITEM) {
        update->part = *part;
    } else {
        update->text = part->text;
    }
}

/* Fills in what the caller sees of an event at once. Returns 0 if that is nothing. */
ELS_PRIVATE int els_turn_event(const elelem_event *event, elelem_turn_update *update)
{
    if (event->kind == ELELEM_EVENT_METADATA) {
        els_turn_begin_update(update, ELELEM_TURN_METADATA, 0, 0);
        update->metadata = event->metadata;
        return 1;
    }
    if (event->kind != ELELEM_EVENT_PART || !els_turn_shows(&event->part)) return 0;
    els_turn_part(event, update);
    return 1;
}

ELS_PRIVATE void els_turn_end(elelem_turn *turn, elelem_turn_update *update)
{
    const elelem_event *event = &turn->els_event;

    els_turn_begin_update(update, event->kind == ELELEM_EVENT_FINISHED ? ELELEM_TURN_FINISHED : ELELEM_TURN_ERROR, 0, 0);
    update->reason = event->reason;
    update->raw_reason = event->raw_reason;
    update->usage = event->usage;
    update->error = event->error;
    update->metadata = event->metadata;
    turn->els_state = ELS_TURN_OVER;
}

/* The builder met a limit, or has no memory: that is the end of the turn. */
ELS_PRIVATE void els_turn_break(elelem_turn *turn, elelem_status status)
{
    els_stream_abort(&turn->els_stream, status, &turn->els_event);
    elelem_event_builder_drain(&turn->els_builder);
    turn->els_state = ELS_TURN_DRAIN;
}

ELS_PRIVATE void els_turn_delta(const elelem_tool_call_argument_progress *progress, elelem_turn_update *update)
{
    els_turn_begin_update(update, ELELEM_TURN_TOOL_CALL_DELTA, progress->index, progress->choice);
    update->tool_call.index = progress->index;
    update->tool_call.id = progress->id;
    update->tool_call.name = progress->name;
    update->fragment = progress->fragment;
}

ELS_PRIVATE void els_turn_built(const elelem_built *built, elelem_turn_update *update)
{
    const elelem_item *item = &built->item;

    if (built->kind == ELELEM_BUILT_PROGRESS) {
        els_turn_delta(&built->progress, update);
        return;
    }
    els_turn_begin_update(update, item->kind == ELELEM_PART_TOOL_CALL ? ELELEM_TURN_TOOL_CALL_DONE : ELELEM_TURN_ITEM,
                          item->index, item->choice);
    update->item = item;
    update->tool_call = item->tool_call;
    update->metadata = item->metadata;
}

/* Adds what is known of the call by now, because a START event holds only what is new. */
ELS_PRIVATE void els_turn_call_so_far(const elelem_turn *turn, elelem_turn_update *update)
{
    uint32_t at;
    const els_row *row = els_builder_find(&turn->els_builder, update->index, &at);

    if (!row) return;
    if (update->tool_call.id.size == 0) update->tool_call.id = els_row_name(row, row->id);
    if (update->tool_call.name.size == 0) update->tool_call.name = els_row_name(row, row->name);
    if (update->tool_call.type.size == 0) update->tool_call.type = els_row_name(row, row->type);
}

/* Takes the next event and gives it to the builder. OK if the caller sees something of it at once. */
ELS_PRIVATE elelem_status els_turn_next_event(elelem_turn *turn, elelem_turn_update *update)
{
    elelem_status status = elelem_stream_next(&turn->els_stream, &turn->els_event);
    int is_seen;

    if (status != ELELEM_OK) return status;
    if (turn->els_event.kind == ELELEM_EVENT_ERROR) {
        elelem_event_builder_drain(&turn->els_builder);
        turn->els_state = ELS_TURN_DRAIN;
        return ELS_AGAIN;
    }
    if (turn->els_event.kind == ELELEM_EVENT_FINISHED) {
        els_turn_end(turn, update);
        return ELELEM_OK;
    }
    turn->els_state = ELS_TURN_BUILT;
    is_seen = els_turn_event(&turn->els_event, update);
    status = elelem_event_builder_push(&turn->els_builder, &turn->els_event);
    if (is_seen && update->kind == ELELEM_TURN_TOOL_CALL_START) els_turn_call_so_far(turn, update);
    if (status < 0) els_turn_break(turn, status);
    return is_seen ? ELELEM_OK : ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_turn_next_built(elelem_turn *turn, elelem_turn_update *update)
{
    elelem_status status = elelem_event_builder_next(&turn->els_builder, &turn->els_built);

    if (status == ELELEM_OK) {
        els_turn_built(&turn->els_built, update);
        return ELELEM_OK;
    }
    if (turn->els_state == ELS_TURN_DRAIN) {
        els_turn_end(turn, update);
        return ELELEM_OK;
    }
    turn->els_state = ELS_TURN_EVENT;
    if (status < 0) els_turn_break(turn, status);
    return ELS_AGAIN;
}

/* Drops what the stream still held back when the builder failed. */
ELS_PRIVATE elelem_status els_turn_next_dropped(elelem_turn *turn)
{
    elelem_status status;

    do
        status = elelem_stream_next(&turn->els_stream, &turn->els_event);
    while (status == ELELEM_OK);
    return status;
}

elelem_status elelem_turn_next(elelem_turn *turn, elelem_turn_update *update)
{
    elelem_status status;

    do {
        if (turn->els_state == ELS_TURN_EVENT) status = els_turn_next_event(turn, update);
        else if (turn->els_state == ELS_TURN_OVER) status = els_turn_next_dropped(turn);
        else status = els_turn_next_built(turn, update);
    } while (status == ELS_AGAIN);
    return status;
}

elelem_status elelem_turn_init(elelem_turn *turn, const elelem_turn_desc *desc)
{
    elelem_stream_desc stream = ELELEM_INIT;
    elelem_event_builder_desc builder = ELELEM_INIT;
    elelem_status status;

    memset(turn, 0, sizeof *turn);
    if (desc) {
        stream.shape = desc->shape;
        stream.allocator = builder.allocator = desc->allocator;
        stream.unix_seconds = desc->unix_seconds;
        stream.idle_timeout_ms = desc->idle_timeout_ms;
        stream.max_frame_bytes = desc->max_frame_bytes;
        stream.max_kept_bytes = desc->max_kept_bytes;
        stream.max_open_items = builder.max_open = desc->max_open_items;
        stream.max_choices = desc->max_choices;
        stream.structured = desc->structured;
        stream.without_provider_items = desc->without_provider_items;
        stream.split_thoughts = desc->split_thoughts;
        stream.thought_tags = desc->thought_tags;
        stream.thought_tag_count = desc->thought_tag_count;
        builder.keep = desc->keep;
        builder.keep_argument_text = desc->keep_argument_text;
        builder.max_bytes = desc->max_item_bytes;
    }
    elelem_event_builder_init(&turn->els_builder, &builder);
    status = elelem_stream_init(&turn->els_stream, &stream);
    return status;
}

void elelem_turn_http_status(elelem_turn *turn, int status)
{
    elelem_stream_http_status(&turn->els_stream, status);
}

void elelem_turn_http_header(elelem_turn *turn, elelem_str name, elelem_str value)
{
    elelem_stream_http_header(&turn->els_stream, name, value);
}

elelem_status elelem_turn_push(elelem_turn *turn, const void *bytes, size_t size)
{
    return elelem_stream_push(&turn->els_stream, bytes, size);
}

elelem_status elelem_turn_push_data(elelem_turn *turn, elelem_str event_name, elelem_str data)
{
    return elelem_stream_push_data(&turn->els_stream, event_name, data);
}

void elelem_turn_finish(elelem_turn *turn)
{
    elelem_stream_finish(&turn->els_stream);
}

void elelem_turn_fail(elelem_turn *turn, elelem_error_kind kind)
{
    elelem_stream_fail(&turn->els_stream, kind);
}

void elelem_turn_tick(elelem_turn *turn, uint32_t now_ms)
{
    elelem_stream_tick(&turn->els_stream, now_ms);
}

void elelem_turn_set_unix_time(elelem_turn *turn, int64_t unix_seconds)
{
    elelem_stream_set_unix_time(&turn->els_stream, unix_seconds);
}

elelem_value elelem_turn_arguments(const elelem_turn *turn, uint32_t index)
{
    return elelem_event_builder_arguments(&turn->els_builder, index);
}

void elelem_turn_reset(elelem_turn *turn)
{
    elelem_stream_reset(&turn->els_stream);
    elelem_event_builder_reset(&turn->els_builder);
    turn->els_state = ELS_TURN_EVENT;
}

void elelem_turn_free(elelem_turn *turn)
{
    elelem_stream_free(&turn->els_stream);
    elelem_event_builder_free(&turn->els_builder);
    turn->els_state = ELS_TURN_EVENT;
}

/* >> line */

/* Checking JSON text from outside: it must be one whole value, or it could forge what is around it. */

static const elelem_pattern_node els_line_nothing[] = { ELELEM_PATTERN_ROOT(0) };
static const elelem_patterns els_line_no_patterns = { els_line_nothing, 0, 0 };

/* How deeply things may be nested: values as everywhere, a line so that metadata of such values fits, an entry
   of a history so that such a line fits. What is written can be read. */
#define ELS_LINE_VALUE_DEPTH 512u
#define ELS_LINE_DEPTH (ELS_LINE_VALUE_DEPTH + 2)
#define ELS_LINE_ENTRY_DEPTH (ELS_LINE_DEPTH + 2)

/* A parser that validates and delivers nothing. It stores no keys, so only nesting needs memory: a bit for each level. */
ELS_PRIVATE void els_line_check_init(elelem_fragment_parser *check, elelem_allocator allocator, uint32_t max_depth,
                                     int is_single)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    desc.patterns = &els_line_no_patterns;
    desc.max_depth = max_depth;
    desc.single_document = is_single != 0;
    elelem_fragment_parser_init(check, &desc);
}

ELS_PRIVATE void els_line_check_begin(elelem_fragment_parser *check, uint32_t max_depth)
{
    elelem_fragment_parser_reset(check);
    check->els_max_depth = max_depth;
}

ELS_PRIVATE elelem_status els_line_check_piece(elelem_fragment_parser *check, elelem_str piece)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_push(check, piece.data, piece.size);

    if (status == ELELEM_OK) status = elelem_fragment_parser_next(check, &fragment);
    return status == ELELEM_MORE ? ELELEM_OK : status;
}

ELS_PRIVATE elelem_status els_line_check_end(elelem_fragment_parser *check)
{
    elelem_fragment fragment;
    elelem_status status;

    elelem_fragment_parser_finish(check);
    status = elelem_fragment_parser_next(check, &fragment);
    return status == ELELEM_END ? ELELEM_OK : status;
}

ELS_PRIVATE elelem_status els_line_check_whole(elelem_fragment_parser *check, elelem_str json, uint32_t max_depth)
{
    elelem_status status;

    els_line_check_begin(check, max_depth);
    status = els_line_check_piece(check, json);
    return status == ELELEM_OK ? els_line_check_end(check) : status;
}

/* OK if the text is one JSON value. */
ELS_PRIVATE elelem_status els_line_check_json(elelem_fragment_parser *check, elelem_str json)
{
    return els_line_check_whole(check, json, ELS_LINE_VALUE_DEPTH);
}

/* OK if the text can be between the braces of an object, and is not empty. */
ELS_PRIVATE elelem_status els_line_check_members(elelem_fragment_parser *check, elelem_str members)
{
    elelem_status status;

    els_line_check_begin(check, ELS_LINE_VALUE_DEPTH + 1);
    status = els_line_check_piece(check, els_str("{", 1));
    if (status == ELELEM_OK) status = els_line_check_piece(check, members);
    if (status == ELELEM_OK) status = els_line_check_piece(check, els_str("}", 1));
    return status == ELELEM_OK ? els_line_check_end(check) : status;
}

/* OK; ERROR_COUNT: more entries than a line may have; else why the JSON of an entry is no value. */
ELS_PRIVATE elelem_status els_line_check_metadata(elelem_fragment_parser *check, const elelem_metadata *metadata)
{
    elelem_status status = metadata->count > ELS_META_ENTRIES ? ELELEM_ERROR_COUNT : ELELEM_OK;
    size_t i;

    for (i = 0; i < metadata->count && status == ELELEM_OK; i++)
        status = els_line_check_json(check, metadata->entries[i].json);
    return status;
}

/* OK if the line is one JSON object. */
ELS_PRIVATE elelem_status els_line_check_object(elelem_fragment_parser *check, elelem_str line)
{
    els_cursor in = els_cursor_of(line.data, line.size);
    elelem_status status = els_line_check_whole(check, line, ELS_LINE_DEPTH);

    if (status != ELELEM_OK) return status;
    return els_skip_blanks(&in) && *in.at == '{' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

/* Writing lines. */

/* Passes on all but control bytes. In checked JSON these are between tokens only, so that leaving them out changes
   nothing and a line has one line feed, its last byte. */
ELS_PRIVATE elelem_status els_line_write(void *context, const void *bytes, size_t size)
{
    const elelem_sink *sink = (const elelem_sink *)context;
    const unsigned char *at = (const unsigned char *)bytes;
    const unsigned char *end = at + size;
    elelem_status status = ELELEM_OK;

    while (at < end && status == ELELEM_OK) {
        const unsigned char *start = at;
        while (at < end && *at >= 0x20)
            at++;
        if (at > start) status = sink->write(sink->context, start, (size_t)(at - start));
        while (at < end && *at < 0x20)
            at++;
    }
    return status;
}

ELS_PRIVATE elelem_sink els_line_sink(elelem_sink *sink)
{
    elelem_sink line;

    line.write = els_line_write;
    line.context = sink;
    return line;
}

ELS_PRIVATE void els_line_put_known_string(elelem_writer *writer, const char *key, elelem_str text)
{
    if (text.size > 0) els_put_text(writer, key, text);
}

/* Writes a number unless it is negative, which means unknown. */
ELS_PRIVATE void els_line_put_known_number(elelem_writer *writer, const char *key, int64_t number)
{
    if (number >= 0) els_put_number(writer, key, number);
}

ELS_PRIVATE void els_line_put_type(elelem_writer *writer, const char *type)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_text(writer, "eventType", elelem_str_of(type));
}

ELS_PRIVATE void els_line_put_place(elelem_writer *writer, uint32_t index, uint32_t choice)
{
    els_put_number(writer, "index", index);
    if (choice > 0) els_put_number(writer, "choice", choice);
}

ELS_PRIVATE void els_line_put_usage(elelem_writer *writer, const elelem_usage *usage)
{
    if (usage->input < 0 && usage->output < 0 && usage->cached < 0 && usage->reasoning < 0 && usage->cache_written < 0) return;
    elelem_writer_key(writer, elelem_str_of("usage"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_line_put_known_number(writer, "input", usage->input);
    els_line_put_known_number(writer, "output", usage->output);
    els_line_put_known_number(writer, "cached", usage->cached);
    els_line_put_known_number(writer, "reasoning", usage->reasoning);
    els_line_put_known_number(writer, "cacheWritten", usage->cache_written);
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* "ERROR_UTF8" for ELELEM_ERROR_UTF8; empty for anything but an error of this library. */
ELS_PRIVATE elelem_str els_line_status_word(int32_t status)
{
    switch (status) {
#define ELS_LINE_STATUS_WORD(name, number, sentence) \
    case number: return elelem_str_of(number < 0 ? #name : "");
        ELELEM_STATUS_LIST(ELS_LINE_STATUS_WORD)
#undef ELS_LINE_STATUS_WORD
    default: return elelem_str_of("");
    }
}

ELS_PRIVATE void els_line_put_error(elelem_writer *writer, const elelem_failure *error)
{
    els_line_put_type(writer, "Error");
    els_put_text(writer, "kind", elelem_str_of(elelem_error_kind_name(error->kind)));
    elelem_writer_key(writer, elelem_str_of("retryable"));
    elelem_writer_bool(writer, error->retryable);
    els_line_put_known_number(writer, "retryAfterMs", error->retry_after_ms);
    if (error->http_status != 0) els_put_number(writer, "httpStatus", error->http_status);
    els_line_put_known_string(writer, "code", error->code);
    els_put_text(writer, "message", error->message);
    els_line_put_known_string(writer, "status", els_line_status_word(error->status));
    if (error->offset == 0) return;
    elelem_writer_key(writer, elelem_str_of("offset"));
    elelem_writer_uint64(writer, error->offset);
}

ELS_PRIVATE void els_line_put_finished(elelem_writer *writer, const elelem_event *event)
{
    els_line_put_type(writer, "ChatCompleted");
    els_put_text(writer, "finishReason",
                        elelem_str_of(elelem_finish_reason_name(event->reason)));
    els_line_put_known_string(writer, "rawFinishReason", event->raw_reason);
    els_line_put_usage(writer, &event->usage);
}

ELS_PRIVATE void els_line_put_text(elelem_writer *writer, const char *type, const elelem_event *event, elelem_str text)
{
    els_line_put_type(writer, type);
    els_line_put_place(writer, event->index, event->choice);
    els_put_text(writer, "chunk", text);
}

ELS_PRIVATE void els_line_put_tool_call(elelem_writer *writer, const elelem_event *event)
{
    const elelem_tool_call_part *call = &event->part.tool_call;

    if (call->kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK) {
        els_line_put_text(writer, "ToolCallArguments", event, call->text);
        return;
    }
    els_line_put_type(writer, "ToolCallStart");
    els_line_put_place(writer, event->index, event->choice);
    els_line_put_known_string(writer, "type", call->type);
    els_line_put_known_string(writer, "id", call->id);
    els_line_put_known_string(writer, "toolName", call->name);
}

ELS_PRIVATE void els_line_put_true(elelem_writer *writer, const char *key, int is_true)
{
    if (!is_true) return;
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_bool(writer, 1);
}

ELS_PRIVATE void els_line_put_provider_item(elelem_writer *writer, const elelem_event *event)
{
    els_line_put_type(writer, "PartialProviderItem");
    els_line_put_place(writer, event->index, event->choice);
    els_put_text(writer, "type", event->part.type);
    els_line_put_true(writer, "hosted", event->part.hosted);
    els_line_put_known_string(writer, "caption", event->part.caption);
    els_put_text(writer, "chunk", event->part.text);
}

ELS_PRIVATE void els_line_put_part(elelem_writer *writer, const elelem_event *event)
{
    switch (event->part.kind) {
    case ELELEM_PART_MESSAGE: els_line_put_text(writer, "PartialResponse", event, event->part.text); break;
    case ELELEM_PART_REASONING: els_line_put_text(writer, "PartialThinking", event, event->part.text); break;
    case ELELEM_PART_STRUCTURED: els_line_put_text(writer, "PartialStructured", event, event->part.text); break;
    case ELELEM_PART_PROVIDER_ITEM: els_line_put_provider_item(writer, event); break;
    default: els_line_put_tool_call(writer, event); break;
    }
}

/* All members of an event but those that any line may have; the object stays open. */
ELS_PRIVATE void els_line_put_event(elelem_writer *writer, const elelem_event *event)
{
    switch (event->kind) {
    case ELELEM_EVENT_PART: els_line_put_part(writer, event); break;
    case ELELEM_EVENT_FLUSH:
        els_line_put_type(writer, "Flush");
        els_line_put_place(writer, event->index, event->choice);
        els_line_put_true(writer, "cutOff", event->cut_off);
        break;
    case ELELEM_EVENT_METADATA: els_line_put_type(writer, "ResponseMetadata"); break;
    case ELELEM_EVENT_FINISHED: els_line_put_finished(writer, event); break;
    default: els_line_put_error(writer, &event->error); break;
    }
}

/* Members from outside, after those that were written. */
ELS_PRIVATE elelem_status els_line_put_extra(elelem_writer *writer, elelem_str extra)
{
    const elelem_sink *sink = &writer->els_sink;
    elelem_status status = els_writer_status(writer);

    if (status != ELELEM_OK || extra.size == 0) return status;
    status = sink->write(sink->context, ",", 1);
    return status == ELELEM_OK ? sink->write(sink->context, extra.data, extra.size) : status;
}

/* Writes the members that any line may have. The object stays open: its brace is written together with the end of
   the line, so that what a sink refuses leaves no line that is whole. */
ELS_PRIVATE elelem_status els_line_put_rest(elelem_writer *writer, int64_t time_ms, elelem_str extra,
                                            const elelem_metadata *metadata)
{
    elelem_status status;

    els_line_put_known_number(writer, "timeMs", time_ms);
    status = els_line_put_extra(writer, extra);
    if (status != ELELEM_OK) return status;
    els_put_metadata(writer, metadata);
    return els_writer_status(writer);
}

/* Reading lines that were checked: what follows relies on them being JSON. */

typedef struct els_line_member {
    elelem_str whole; /* key, colon and value */
    elelem_str key;   /* between its quotes, with escapes */
    elelem_str value;
} els_line_member;

/* Returns the end of the string that starts here. */
ELS_PRIVATE const unsigned char *els_line_string_end(const unsigned char *at, const unsigned char *end)
{
    at++;
    while (at < end && *at != '"')
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    return at < end ? at + 1 : end;
}

ELS_INLINE int els_line_ends_value(unsigned char byte)
{
    return byte == ',' || byte == '}' || byte == ']' || els_is_blank(byte);
}

/* Returns the end of the value that starts here. */
ELS_PRIVATE const unsigned char *els_line_value_end(const unsigned char *at, const unsigned char *end)
{
    size_t depth = 0;

    do {
        if (*at == '"') {
            at = els_line_string_end(at, end);
        } else {
            depth += *at == '{' || *at == '[';
            depth -= *at == '}' || *at == ']';
            at++;
        }
    } while (at < end && (depth > 0 || !els_line_ends_value(*at)));
    return at;
}

/* Returns what is after the bracket that opens a container. */
ELS_PRIVATE els_cursor els_line_inside(elelem_str container)
{
    els_cursor in = els_cursor_of(container.data, container.size);

    els_skip_blanks(&in);
    in.at++;
    return in;
}

/* Reads the next element of an array, or the next key of an object; zero if there is none. */
ELS_PRIVATE int els_line_next_value(els_cursor *in, elelem_str *value)
{
    const unsigned char *start;

    while (in->at < in->end && (*in->at == ',' || els_is_blank(*in->at)))
        in->at++;
    if (in->at == in->end || *in->at == '}' || *in->at == ']') return 0;
    start = in->at;
    in->at = *start == '"' ? els_line_string_end(start, in->end) : els_line_value_end(start, in->end);
    *value = els_str(start, (size_t)(in->at - start));
    return 1;
}

ELS_PRIVATE int els_line_next_member(els_cursor *in, els_line_member *member)
{
    elelem_str key;

    if (!els_line_next_value(in, &key)) return 0;
    while (els_skip_blanks(in) && *in->at == ':')
        in->at++;
    if (!els_line_next_value(in, &member->value)) return 0;
    member->key = els_str(key.data + 1, key.size - 2);
    member->whole = els_str(key.data, (size_t)((const char *)in->at - key.data));
    return 1;
}

/* The reader. Decoded strings and extra members together are never longer than their
   line, so its room is taken once and no slice into it moves. */

ELS_PRIVATE void els_line_reader_init(els_line_reader *reader, elelem_allocator allocator)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    memset(reader, 0, sizeof *reader);
    desc.allocator = allocator;
    elelem_fragment_parser_init(&reader->els_decoder, &desc);
    reader->els_text.allocator = allocator;
    reader->els_entries.allocator = allocator;
}

ELS_PRIVATE void els_line_reader_free(els_line_reader *reader)
{
    elelem_fragment_parser_free(&reader->els_decoder);
    els_block_free(&reader->els_text);
    els_block_free(&reader->els_entries);
}

/* Begins another line. */
ELS_PRIVATE void els_line_reader_start(els_line_reader *reader, elelem_str line)
{
    reader->els_used = 0;
    reader->els_room = line.size;
}

ELS_PRIVATE elelem_status els_line_reader_reserve(els_line_reader *reader)
{
    return els_block_reserve(&reader->els_text, reader->els_room, reader->els_room, ELELEM_ERROR_MEMORY);
}

ELS_PRIVATE void els_line_reader_put(els_line_reader *reader, elelem_str text)
{
    if (text.size > 0) memcpy(reader->els_text.data + reader->els_used, text.data, text.size);
    reader->els_used += text.size;
}

/* Decodes a string with its quotes. */
ELS_PRIVATE elelem_status els_line_reader_decode(els_line_reader *reader, elelem_str quoted, elelem_str *text)
{
    elelem_status status = els_line_reader_reserve(reader);
    size_t start = reader->els_used;
    elelem_fragment fragment;

    if (status != ELELEM_OK) return status;
    elelem_fragment_parser_reset(&reader->els_decoder);
    elelem_fragment_parser_push(&reader->els_decoder, quoted.data, quoted.size);
    while ((status = elelem_fragment_parser_next(&reader->els_decoder, &fragment)) == ELELEM_OK)
        if (fragment.kind == ELELEM_FRAGMENT_STRING) els_line_reader_put(reader, fragment.text);
    *text = els_str(reader->els_text.data + start, reader->els_used - start);
    return status == ELELEM_END ? ELELEM_OK : status;
}

/* OK; ERROR_TYPE: no string. */
ELS_PRIVATE elelem_status els_line_reader_text(els_line_reader *reader, elelem_str value, elelem_str *text)
{
    *text = els_str(NULL, 0);
    if (value.size == 0) return ELELEM_OK;
    if (value.data[0] != '"') return ELELEM_ERROR_TYPE;
    if (memchr(value.data, '\\', value.size)) return els_line_reader_decode(reader, value, text);
    *text = els_str(value.data + 1, value.size - 2);
    return ELELEM_OK;
}

/* Returns the four digits after \u as a number. */
ELS_PRIVATE unsigned els_line_unit(const char *digits)
{
    unsigned unit = 0;
    size_t i;

    for (i = 0; i < 4; i++)
        unit = unit << 4 | (unsigned)els_hex_digit((unsigned char)digits[i]);
    return unit;
}

/* Nonzero if a key, which may have escapes, spells a name. Names are letters, which only \u escapes stand for. */
ELS_PRIVATE int els_line_key_is(elelem_str key, const char *name)
{
    size_t i;

    for (i = 0; i < key.size; i++) {
        unsigned letter = (unsigned char)key.data[i];
        if (letter == '\\') {
            if (key.data[++i] != 'u') return 0;
            letter = els_line_unit(key.data + i + 1);
            i += 4;
        }
        if (letter != (unsigned char)*name || letter == 0) return 0;
        name++;
    }
    return *name == '\0';
}

/* Returns which of the names the key is; `count` if none. */
ELS_PRIVATE size_t els_line_name_of(elelem_str key, const char *const *names, size_t count)
{
    size_t which = 0;

    while (which < count && !els_line_key_is(key, names[which]))
        which++;
    return which;
}

/* Finds the values of the members that have these names, the last of equal ones; empty if there is none. Nonzero
   if there are members of other names. */
ELS_PRIVATE int els_line_members(elelem_str object, const char *const *names, size_t count, elelem_str *values)
{
    els_cursor in = els_line_inside(object);
    els_line_member member;
    int others = 0;

    memset(values, 0, count * sizeof *values);
    while (els_line_next_member(&in, &member)) {
        size_t which = els_line_name_of(member.key, names, count);
        if (which < count) values[which] = member.value;
        else others = 1;
    }
    return others;
}

/* The members of lines that are events. */
#define ELS_LINE_FIELD_LIST(X)                   \
    X(EVENT_TYPE, "eventType")                   \
    X(TIME_MS, "timeMs")                         \
    X(METADATA, "metadata")                      \
    X(INDEX, "index")                            \
    X(CHOICE, "choice")                          \
    X(CUT_OFF, "cutOff")                         \
    X(CHUNK, "chunk")                            \
    X(TYPE, "type")                              \
    X(HOSTED, "hosted")                          \
    X(CAPTION, "caption")                        \
    X(ID, "id")                                  \
    X(TOOL_NAME, "toolName")                     \
    X(FINISH_REASON, "finishReason")             \
    X(RAW_FINISH_REASON, "rawFinishReason")      \
    X(USAGE, "usage")                            \
    X(KIND, "kind")                              \
    X(RETRYABLE, "retryable")                    \
    X(RETRY_AFTER_MS, "retryAfterMs")            \
    X(HTTP_STATUS, "httpStatus")                 \
    X(CODE, "code")                              \
    X(MESSAGE, "message")                        \
    X(STATUS, "status")                          \
    X(OFFSET, "offset")

typedef enum els_line_field {
#define ELS_LINE_FIELD_ENUM(name, text) ELS_LINE_FIELD_##name,
    ELS_LINE_FIELD_LIST(ELS_LINE_FIELD_ENUM)
#undef ELS_LINE_FIELD_ENUM
    ELS_LINE_FIELD_COUNT
} els_line_field;

static const char *const els_line_field_names[] = {
#define ELS_LINE_FIELD_NAME(name, text) text,
    ELS_LINE_FIELD_LIST(ELS_LINE_FIELD_NAME)
#undef ELS_LINE_FIELD_NAME
};

/* Other names that a caller may not use for its own members. */
static const char *const els_line_more_names[] = { "input", "inputText", "output" };

#define ELS_LINE_MORE_NAMES (sizeof els_line_more_names / sizeof *els_line_more_names)

/* Nonzero if the key, which may have escapes, is one that a caller may not use. */
ELS_PRIVATE int els_line_is_reserved(elelem_str key)
{
    return els_line_name_of(key, els_line_field_names, ELS_LINE_FIELD_COUNT) < ELS_LINE_FIELD_COUNT ||
           els_line_name_of(key, els_line_more_names, ELS_LINE_MORE_NAMES) < ELS_LINE_MORE_NAMES;
}

#define ELS_LINE_HAS(field) (1u << ELS_LINE_FIELD_##field)
#define ELS_LINE_PLACE (ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(CHOICE))

/* The lines that are events. */
typedef struct els_line_type {
    const char *name;
    uint8_t kind;
    uint8_t part;
    uint8_t call;
    uint32_t needed;
    uint32_t allowed;
} els_line_type;

static const els_line_type els_line_types[] = {
    { "PartialResponse", ELELEM_EVENT_PART, ELELEM_PART_MESSAGE, 0, ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "PartialThinking", ELELEM_EVENT_PART, ELELEM_PART_REASONING, 0, ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "PartialStructured", ELELEM_EVENT_PART, ELELEM_PART_STRUCTURED, 0, ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "ToolCallStart", ELELEM_EVENT_PART, ELELEM_PART_TOOL_CALL, ELELEM_TOOL_CALL_START, ELS_LINE_HAS(INDEX),
      ELS_LINE_PLACE | ELS_LINE_HAS(TYPE) | ELS_LINE_HAS(ID) | ELS_LINE_HAS(TOOL_NAME) },
    { "ToolCallArguments", ELELEM_EVENT_PART, ELELEM_PART_TOOL_CALL, ELELEM_TOOL_CALL_ARGUMENT_CHUNK,
      ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(CHUNK), ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "PartialProviderItem", ELELEM_EVENT_PART, ELELEM_PART_PROVIDER_ITEM, 0,
      ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(TYPE) | ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(TYPE) | ELS_LINE_HAS(HOSTED) | ELS_LINE_HAS(CAPTION) | ELS_LINE_HAS(CHUNK) },
    { "ResponseMetadata", ELELEM_EVENT_METADATA, 0, 0, 0, 0 },
    { "Flush", ELELEM_EVENT_FLUSH, 0, 0, ELS_LINE_HAS(INDEX), ELS_LINE_PLACE | ELS_LINE_HAS(CUT_OFF) },
    { "ChatCompleted", ELELEM_EVENT_FINISHED, 0, 0, ELS_LINE_HAS(FINISH_REASON),
      ELS_LINE_HAS(FINISH_REASON) | ELS_LINE_HAS(RAW_FINISH_REASON) | ELS_LINE_HAS(USAGE) },
    { "Error", ELELEM_EVENT_ERROR, 0, 0, ELS_LINE_HAS(KIND) | ELS_LINE_HAS(RETRYABLE) | ELS_LINE_HAS(MESSAGE),
      ELS_LINE_HAS(KIND) | ELS_LINE_HAS(RETRYABLE) | ELS_LINE_HAS(RETRY_AFTER_MS) | ELS_LINE_HAS(HTTP_STATUS) |
          ELS_LINE_HAS(CODE) | ELS_LINE_HAS(MESSAGE) | ELS_LINE_HAS(STATUS) | ELS_LINE_HAS(OFFSET) }
};

#define ELS_LINE_TYPES (sizeof els_line_types / sizeof *els_line_types)
#define ELS_ANY_LINE (ELS_LINE_HAS(EVENT_TYPE) | ELS_LINE_HAS(TIME_MS) | ELS_LINE_HAS(METADATA))

ELS_PRIVATE const els_line_type *els_line_type_named(elelem_str name)
{
    size_t i;

    for (i = 0; i < ELS_LINE_TYPES; i++)
        if (elelem_str_is(name, els_line_types[i].name)) return &els_line_types[i];
    return NULL;
}

/* Returns what kind of line an event has; null for an event of an unknown kind. */
ELS_PRIVATE const els_line_type *els_line_type_of(const elelem_event *event)
{
    size_t i;

    for (i = 0; i < ELS_LINE_TYPES; i++) {
        const els_line_type *type = &els_line_types[i];
        if (type->kind != event->kind) continue;
        if (event->kind != ELELEM_EVENT_PART) return type;
        if (type->part != event->part.kind) continue;
        if (type->part != ELELEM_PART_TOOL_CALL || type->call == event->part.tool_call.kind) return type;
    }
    return NULL;
}

/* OK if the object has an eventType that is a string; ERROR_PROTOCOL: it has none; ERROR_TYPE: it is no string.
   `*type` becomes its value as it is spelled. */
ELS_PRIVATE elelem_status els_line_find_type(elelem_str object, elelem_str *type)
{
    els_line_members(object, els_line_field_names, 1, type);
    if (type->size == 0) return ELELEM_ERROR_PROTOCOL;
    return type->data[0] == '"' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

ELS_PRIVATE uint32_t els_line_fields_there(const elelem_str *fields)
{
    uint32_t there = 0;
    unsigned i;

    for (i = 0; i < ELS_LINE_FIELD_COUNT; i++)
        if (fields[i].size > 0) there |= 1u << i;
    return there;
}

/* Reads a number from 0 to `most`; `*number` stays if the member is missing. */
ELS_PRIVATE elelem_status els_line_read_number(elelem_str value, uint64_t most, uint64_t *number)
{
    uint64_t read;

    if (value.size == 0) return ELELEM_OK;
    if (elelem_number_to_uint64(value, &read) != ELELEM_OK || read > most) return ELELEM_ERROR_TYPE;
    *number = read;
    return ELELEM_OK;
}

/* Reads a number that is -1 if the member is missing. */
ELS_PRIVATE elelem_status els_line_read_known(elelem_str value, int64_t *number)
{
    uint64_t read = UINT64_MAX;
    elelem_status status = els_line_read_number(value, INT64_MAX, &read);

    *number = read == UINT64_MAX ? -1 : (int64_t)read;
    return status;
}

ELS_PRIVATE elelem_status els_line_read_32(elelem_str value, uint32_t *number)
{
    uint64_t read = 0;
    elelem_status status = els_line_read_number(value, UINT32_MAX, &read);

    *number = (uint32_t)read;
    return status;
}

ELS_PRIVATE elelem_status els_line_read_metadata(els_line_reader *reader, elelem_str object, elelem_metadata *metadata)
{
    els_cursor in;
    els_line_member member;

    if (object.size == 0) return ELELEM_OK;
    if (object.data[0] != '{') return ELELEM_ERROR_TYPE;
    in = els_line_inside(object);
    while (els_line_next_member(&in, &member)) {
        size_t most = ELS_META_ENTRIES * sizeof(elelem_metadata_entry);
        size_t size = els_product(els_sum(metadata->count, 1), sizeof(elelem_metadata_entry));
        elelem_metadata_entry *entries;
        elelem_status status = els_block_reserve(&reader->els_entries, size, most, ELELEM_ERROR_TYPE);
        if (status != ELELEM_OK) return status;
        entries = (elelem_metadata_entry *)(void *)reader->els_entries.data;
        metadata->entries = entries;
        entries[metadata->count].json = member.value;
        status = els_line_reader_text(reader, els_str(member.key.data - 1, member.key.size + 2),
                                      &entries[metadata->count].key);
        if (status != ELELEM_OK) return status;
        metadata->count++;
    }
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_line_read_bool(elelem_str value, uint8_t *boolean)
{
    *boolean = value.size > 0 && value.data[0] == 't';
    return *boolean || value.size == 0 || value.data[0] == 'f' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_call_start(els_line_reader *reader, const elelem_str *fields,
                                                   elelem_tool_call_part *call)
{
    elelem_status status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_ID], &call->id);

    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_TOOL_NAME], &call->name);
    return status == ELELEM_OK ? els_line_reader_text(reader, fields[ELS_LINE_FIELD_TYPE], &call->type) : status;
}

ELS_PRIVATE elelem_status els_line_read_provider_item(els_line_reader *reader, const elelem_str *fields,
                                                      elelem_event_part *part)
{
    elelem_status status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_TYPE], &part->type);

    if (status == ELELEM_OK) status = els_line_read_bool(fields[ELS_LINE_FIELD_HOSTED], &part->hosted);
    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_CAPTION], &part->caption);
    return status == ELELEM_OK ? els_line_reader_text(reader, fields[ELS_LINE_FIELD_CHUNK], &part->text) : status;
}

ELS_PRIVATE elelem_status els_line_read_part(els_line_reader *reader, const elelem_str *fields, elelem_event_part *part)
{
    if (part->kind == ELELEM_PART_PROVIDER_ITEM) return els_line_read_provider_item(reader, fields, part);
    if (part->kind != ELELEM_PART_TOOL_CALL)
        return els_line_reader_text(reader, fields[ELS_LINE_FIELD_CHUNK], &part->text);
    if (part->tool_call.kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK)
        return els_line_reader_text(reader, fields[ELS_LINE_FIELD_CHUNK], &part->tool_call.text);
    return els_line_read_call_start(reader, fields, &part->tool_call);
}

static const char *const els_line_usage_names[] = { "input", "output", "cached", "reasoning", "cacheWritten" };

ELS_PRIVATE elelem_status els_line_read_usage(elelem_str object, elelem_usage *usage)
{
    elelem_str values[ELS_COUNT(els_line_usage_names)];
    elelem_status status = ELELEM_OK;

    els_usage_unknown(usage);
    if (object.size == 0) return ELELEM_OK;
    if (object.data[0] != '{') return ELELEM_ERROR_TYPE;
    if (els_line_members(object, els_line_usage_names, ELS_COUNT(els_line_usage_names), values)) status = ELELEM_ERROR_TYPE;
    if (status == ELELEM_OK) status = els_line_read_known(values[0], &usage->input);
    if (status == ELELEM_OK) status = els_line_read_known(values[1], &usage->output);
    if (status == ELELEM_OK) status = els_line_read_known(values[2], &usage->cached);
    if (status == ELELEM_OK) status = els_line_read_known(values[3], &usage->reasoning);
    return status == ELELEM_OK ? els_line_read_known(values[4], &usage->cache_written) : status;
}

/* Reads a word that must be one of `count` names. */
ELS_PRIVATE elelem_status els_line_read_word(els_line_reader *reader, elelem_str value, const char *(*name)(int),
                                             int count, uint8_t *which)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(reader, value, &word);
    int i;

    if (status != ELELEM_OK) return status;
    for (i = 0; i < count; i++) {
        *which = (uint8_t)i;
        if (elelem_str_is(word, name(i))) return ELELEM_OK;
    }
    return ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_status(els_line_reader *reader, elelem_str value, int32_t *result)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(reader, value, &word);

    *result = ELELEM_OK;
    if (status != ELELEM_OK || value.size == 0) return status;
#define ELS_STATUS_READ(name, number, sentence) \
    if (elelem_str_is(word, #name)) *result = number;
    ELELEM_STATUS_LIST(ELS_STATUS_READ)
#undef ELS_STATUS_READ
    return *result < 0 ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_finished(els_line_reader *reader, const elelem_str *fields, elelem_event *event)
{
    elelem_status status = els_line_read_word(reader, fields[ELS_LINE_FIELD_FINISH_REASON], elelem_finish_reason_name,
                                              ELELEM_FINISH_REASON_COUNT, &event->reason);

    if (status == ELELEM_OK)
        status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_RAW_FINISH_REASON], &event->raw_reason);
    return status == ELELEM_OK ? els_line_read_usage(fields[ELS_LINE_FIELD_USAGE], &event->usage) : status;
}

/* HTTP statuses are small, but any number that was recorded is read. */
ELS_PRIVATE elelem_status els_line_read_http_status(elelem_str value, int32_t *http_status)
{
    int64_t read = 0;

    if (value.size > 0 && elelem_number_to_int64(value, &read) != ELELEM_OK) return ELELEM_ERROR_TYPE;
    if (read < INT32_MIN || read > INT32_MAX) return ELELEM_ERROR_TYPE;
    *http_status = (int32_t)read;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_line_read_error(els_line_reader *reader, const elelem_str *fields,
                                              elelem_failure *error)
{
    elelem_status status = els_line_read_word(reader, fields[ELS_LINE_FIELD_KIND], elelem_error_kind_name,
                                              ELELEM_ERROR_KIND_COUNT, &error->kind);

    if (status == ELELEM_OK) status = els_line_read_bool(fields[ELS_LINE_FIELD_RETRYABLE], &error->retryable);
    if (status == ELELEM_OK)
        status = els_line_read_known(fields[ELS_LINE_FIELD_RETRY_AFTER_MS], &error->retry_after_ms);
    if (status == ELELEM_OK)
        status = els_line_read_http_status(fields[ELS_LINE_FIELD_HTTP_STATUS], &error->http_status);
    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_CODE], &error->code);
    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_MESSAGE], &error->message);
    if (status == ELELEM_OK) status = els_line_read_status(reader, fields[ELS_LINE_FIELD_STATUS], &error->status);
    return status == ELELEM_OK ? els_line_read_number(fields[ELS_LINE_FIELD_OFFSET], UINT64_MAX, &error->offset)
                               : status;
}

/* OK; ERROR_TYPE: it is no event after all. */
ELS_PRIVATE elelem_status els_line_read_event(els_line_reader *reader, const els_line_type *type,
                                              const elelem_str *fields, elelem_event *event)
{
    elelem_status status = els_line_read_metadata(reader, fields[ELS_LINE_FIELD_METADATA], &event->metadata);

    event->kind = type->kind;
    if (status != ELELEM_OK) return status;
    if (type->kind == ELELEM_EVENT_FINISHED) return els_line_read_finished(reader, fields, event);
    if (type->kind == ELELEM_EVENT_ERROR) return els_line_read_error(reader, fields, &event->error);
    if (type->kind == ELELEM_EVENT_METADATA) return ELELEM_OK;
    status = els_line_read_32(fields[ELS_LINE_FIELD_INDEX], &event->index);
    if (status == ELELEM_OK) status = els_line_read_32(fields[ELS_LINE_FIELD_CHOICE], &event->choice);
    if (status == ELELEM_OK)
        status = els_line_read_bool(fields[ELS_LINE_FIELD_CUT_OFF], &event->cut_off);
    if (status != ELELEM_OK || type->kind == ELELEM_EVENT_FLUSH) return status;
    event->part.kind = type->part;
    event->part.tool_call.kind = type->call;
    return els_line_read_part(reader, fields, &event->part);
}

/* Collects the members of an event's line that are not the event's. */
ELS_PRIVATE elelem_status els_line_read_extra(els_line_reader *reader, const els_line_type *type,
                                              elelem_record_item *item)
{
    els_cursor in = els_line_inside(item->line);
    uint32_t allowed = type->allowed | ELS_ANY_LINE;
    size_t start = reader->els_used;
    els_line_member member;

    while (els_line_next_member(&in, &member)) {
        size_t which = els_line_name_of(member.key, els_line_field_names, ELS_LINE_FIELD_COUNT);
        elelem_status status;
        if (which < ELS_LINE_FIELD_COUNT && (allowed >> which & 1)) continue;
        status = els_line_reader_reserve(reader);
        if (status != ELELEM_OK) return status;
        if (reader->els_used > start) els_line_reader_put(reader, els_str(",", 1));
        els_line_reader_put(reader, member.whole);
    }
    if (reader->els_used > start) item->extra = els_str(reader->els_text.data + start, reader->els_used - start);
    return ELELEM_OK;
}

/* Reads the line as an event if it is one. OK, or ERROR_MEMORY. */
ELS_PRIVATE elelem_status els_line_read_as_event(els_line_reader *reader, const elelem_str *fields,
                                                 elelem_record_item *item)
{
    const els_line_type *type = els_line_type_named(item->type);
    elelem_status status;

    if (!type || (type->needed & ~els_line_fields_there(fields))) return ELELEM_OK;
    status = els_line_read_event(reader, type, fields, &item->event);
    if (status == ELELEM_OK) status = els_line_read_extra(reader, type, item);
    if (status == ELELEM_OK) item->kind = ELELEM_RECORD_EVENT;
    return status == ELELEM_ERROR_TYPE ? ELELEM_OK : status;
}

/* Reads a checked line. OK, or ERROR_MEMORY. */
ELS_PRIVATE elelem_status els_line_read(els_line_reader *reader, elelem_str line, int as_it_is,
                                        elelem_record_item *item)
{
    elelem_str fields[ELS_LINE_FIELD_COUNT];
    elelem_status status;

    memset(item, 0, sizeof *item);
    item->kind = ELELEM_RECORD_LINE;
    item->line = line;
    els_line_reader_start(reader, line);
    els_line_members(line, els_line_field_names, ELS_LINE_FIELD_COUNT, fields);
    status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_EVENT_TYPE], &item->type);
    if (status == ELELEM_ERROR_TYPE) status = ELELEM_OK;
    if (status != ELELEM_OK) return status;
    if (els_line_read_known(fields[ELS_LINE_FIELD_TIME_MS], &item->time_ms) != ELELEM_OK || as_it_is) return ELELEM_OK;
    return els_line_read_as_event(reader, fields, item);
}

ELS_PRIVATE int els_item_is_text(const elelem_record_item *item)
{
    const elelem_event *event = &item->event;

    return item->kind == ELELEM_RECORD_EVENT && event->kind == ELELEM_EVENT_PART &&
           event->part.kind != ELELEM_PART_TOOL_CALL; /* a provider item is text too: its JSON */
}

ELS_PRIVATE int els_item_is_call(const elelem_record_item *item)
{
    const elelem_event *event = &item->event;

    return item->kind == ELELEM_RECORD_EVENT && event->kind == ELELEM_EVENT_PART &&
           event->part.kind == ELELEM_PART_TOOL_CALL;
}

ELS_PRIVATE int els_item_is_kind(const elelem_record_item *item, elelem_event_kind kind)
{
    return item->kind == ELELEM_RECORD_EVENT && item->event.kind == kind;
}

ELS_PRIVATE int els_item_is_end(const elelem_record_item *item)
{
    return els_item_is_kind(item, ELELEM_EVENT_FINISHED) || els_item_is_kind(item, ELELEM_EVENT_ERROR);
}

/* Makes an item of an event that has no line. */
ELS_PRIVATE void els_item_of_event(elelem_record_item *item, const elelem_event *event, elelem_str extra,
                                   int64_t time_ms)
{
    const els_line_type *type = els_line_type_of(event);

    memset(item, 0, sizeof *item);
    item->kind = ELELEM_RECORD_EVENT;
    item->event = *event;
    item->type = elelem_str_of(type ? type->name : NULL);
    item->extra = extra;
    item->time_ms = time_ms;
}

/* Nonzero if one of the members has a name that is among these fields. */
ELS_PRIVATE int els_line_has_field(elelem_str members, uint32_t fields)
{
    els_cursor in = els_cursor_of(members.data, members.size);
    els_line_member member;

    while (els_line_next_member(&in, &member)) {
        size_t which = els_line_name_of(member.key, els_line_field_names, ELS_LINE_FIELD_COUNT);
        if (which < ELS_LINE_FIELD_COUNT && (fields >> which & 1)) return 1;
    }
    return 0;
}

/* OK if the line of an event's item is read as the same event. ERROR_MISUSE: the event is of an unknown kind, or an
   extra member has the name of one of its own; else why its JSON is refused. */
ELS_PRIVATE elelem_status els_line_check_item(elelem_fragment_parser *check, const elelem_record_item *item)
{
    const els_line_type *type = els_line_type_of(&item->event);
    elelem_status status;

    if (!type) return ELELEM_ERROR_MISUSE;
    status = els_line_check_metadata(check, &item->event.metadata);
    if (status != ELELEM_OK || item->extra.size == 0) return status;
    status = els_line_check_members(check, item->extra);
    if (status != ELELEM_OK) return status;
    return els_line_has_field(item->extra, type->allowed | ELS_ANY_LINE) ? ELELEM_ERROR_MISUSE : ELELEM_OK;
}

/* >> call */

/* Open tool calls, in the order they were opened. */

typedef struct els_call {
    elelem_buffer id;
    elelem_buffer name;
    elelem_buffer type;
    elelem_buffer extra; /* members of the line that opened it */
    elelem_buffer arguments;
    els_meta meta;
    int64_t time_ms;
    uint32_t index;
    uint32_t choice;
    uint8_t cut_off; /* its flush said so */
} els_call;

ELS_PRIVATE void els_calls_init(els_calls *calls, elelem_allocator allocator, uint32_t max_bytes, uint32_t max_calls)
{
    memset(calls, 0, sizeof *calls);
    calls->els_slots.allocator = allocator;
    calls->els_max = ELS_DEFAULT(max_calls, 256u);
    els_budget_init(&calls->els_allowance, ELS_DEFAULT(max_bytes, 64u << 20));
}

ELS_PRIVATE els_call *els_call_at(const els_calls *calls, size_t i)
{
    return (els_call *)(void *)calls->els_slots.data + i;
}

ELS_PRIVATE els_call *els_calls_find(const els_calls *calls, uint32_t index)
{
    size_t i;

    for (i = calls->els_count; i > 0; i--)
        if (els_call_at(calls, i - 1)->index == index) return els_call_at(calls, i - 1);
    return NULL;
}

ELS_PRIVATE elelem_status els_calls_open(els_calls *calls, const elelem_event *event, els_call **call)
{
    size_t needed = els_product(els_sum(calls->els_count, 1), sizeof **call);
    size_t limit = els_product(calls->els_max, sizeof **call);
    elelem_status status;

    if (calls->els_count >= calls->els_max) return ELELEM_ERROR_COUNT;
    status = els_block_reserve(&calls->els_slots, needed, limit, ELELEM_ERROR_COUNT);
    if (status != ELELEM_OK) return status;
    *call = els_call_at(calls, calls->els_count++);
    memset(*call, 0, sizeof **call);
    elelem_buffer_init(&(*call)->id, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->name, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->type, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->extra, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->arguments, calls->els_slots.allocator, 0);
    els_meta_init(&(*call)->meta, calls->els_slots.allocator);
    (*call)->time_ms = -1;
    (*call)->index = event->index;
    (*call)->choice = event->choice;
    return ELELEM_OK;
}

ELS_PRIVATE void els_calls_close(els_calls *calls, els_call *call)
{
    size_t after = (size_t)(els_call_at(calls, calls->els_count) - (call + 1));

    els_budget_drop(&calls->els_allowance, &call->id);
    els_budget_drop(&calls->els_allowance, &call->name);
    els_budget_drop(&calls->els_allowance, &call->type);
    els_budget_drop(&calls->els_allowance, &call->extra);
    els_budget_drop(&calls->els_allowance, &call->arguments);
    els_meta_free(&call->meta, &calls->els_allowance);
    memmove(call, call + 1, after * sizeof *call);
    calls->els_count--;
}

ELS_PRIVATE void els_calls_clear(els_calls *calls)
{
    while (calls->els_count > 0)
        els_calls_close(calls, els_call_at(calls, calls->els_count - 1));
}

ELS_PRIVATE void els_calls_free(els_calls *calls)
{
    els_calls_clear(calls);
    els_block_free(&calls->els_slots);
}

/* Keeps a name of the call: the first that is not empty counts. */
ELS_PRIVATE elelem_status els_call_name(els_budget *budget, elelem_buffer *known, elelem_str name)
{
    return known->els_size > 0 ? ELELEM_OK : els_budget_append(budget, known, name);
}

ELS_PRIVATE elelem_status els_call_add(els_budget *budget, els_call *call, const elelem_tool_call_part *part)
{
    elelem_status status;

    if (part->kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK) return els_budget_append(budget, &call->arguments, part->text);
    status = els_call_name(budget, &call->id, part->id);
    if (status == ELELEM_OK) status = els_call_name(budget, &call->name, part->name);
    return status == ELELEM_OK ? els_call_name(budget, &call->type, part->type) : status;
}

/* Merges metadata into that of a call. If that is refused, nothing has changed. */
ELS_PRIVATE elelem_status els_calls_merge(els_calls *calls, els_call *call, const elelem_metadata *metadata)
{
    return els_meta_merge(&call->meta, &calls->els_allowance, ELS_META_KEYS, metadata);
}

/* Adds a part to its call, which is opened if it is new. If that is refused, the call is as it was before. */
ELS_PRIVATE elelem_status els_calls_take(els_calls *calls, const elelem_event *event)
{
    els_call *call = els_calls_find(calls, event->index);
    int is_new = !call;
    size_t id, name, type, arguments;
    elelem_status status = is_new ? els_calls_open(calls, event, &call) : ELELEM_OK;

    if (status != ELELEM_OK) return status;
    id = call->id.els_size;
    name = call->name.els_size;
    type = call->type.els_size;
    arguments = call->arguments.els_size;
    status = els_call_add(&calls->els_allowance, call, &event->part.tool_call);
    if (status == ELELEM_OK) status = els_calls_merge(calls, call, &event->metadata);
    if (status == ELELEM_OK) return status;
    els_budget_cut(&calls->els_allowance, &call->id, id);
    els_budget_cut(&calls->els_allowance, &call->name, name);
    els_budget_cut(&calls->els_allowance, &call->type, type);
    els_budget_cut(&calls->els_allowance, &call->arguments, arguments);
    if (is_new) els_calls_close(calls, call);
    return status;
}

/* Sets `input` to the arguments as JSON ({} if they are blank, as in the event builder), or leaves it empty
   if they are not JSON or were cut off. OK or ERROR_MEMORY. Memory is needed here only, before the line is begun. */
ELS_PRIVATE elelem_status els_call_input(elelem_fragment_parser *check, const els_call *call, elelem_str *input)
{
    elelem_str json = els_trimmed(elelem_buffer_text(&call->arguments));
    elelem_status status = json.size > 0 ? els_line_check_json(check, json) : ELELEM_OK;

    *input = json.size > 0 ? json : elelem_str_of("{}");
    if ((status == ELELEM_OK && !call->cut_off) || status == ELELEM_ERROR_MEMORY) return status;
    *input = els_str(NULL, 0);
    return ELELEM_OK;
}

/* Writes all members of a BeforeToolExecution line but those that any line may have. */
ELS_PRIVATE void els_line_put_call(elelem_writer *writer, const els_call *call, elelem_str input)
{
    els_line_put_type(writer, "BeforeToolExecution");
    els_line_put_place(writer, call->index, call->choice);
    els_line_put_known_string(writer, "type", elelem_buffer_text(&call->type));
    els_line_put_known_string(writer, "id", elelem_buffer_text(&call->id));
    els_put_text(writer, "toolName", elelem_buffer_text(&call->name));
    if (input.size > 0) els_put_json(writer, "input", input);
    else els_put_text(writer, "inputText", elelem_buffer_text(&call->arguments));
}

/* >> recorder */

/* A private format: the lines as elements of an array. */
#define ELS_RECORD_ELEMENTS 3

ELS_PRIVATE elelem_status els_recorder_fail(elelem_recorder *r, elelem_status status)
{
    if (status != ELELEM_OK) r->els_status = status;
    return status;
}

/* The same for what was refused before anything was written: a refusal of memory changes nothing. */
ELS_PRIVATE elelem_status els_recorder_refuse(elelem_recorder *r, elelem_status status)
{
    return status == ELELEM_ERROR_MEMORY ? status : els_recorder_fail(r, status);
}

/* The caller's own members must not have names that lines have. */
ELS_PRIVATE elelem_status els_recorder_check_extra(elelem_fragment_parser *check, elelem_str extra)
{
    elelem_status status = els_line_check_members(check, extra);
    els_cursor in = els_cursor_of(extra.data, extra.size);
    els_line_member member;

    if (status != ELELEM_OK) return status;
    while (els_line_next_member(&in, &member))
        if (els_line_is_reserved(member.key)) return ELELEM_ERROR_MISUSE;
    return ELELEM_OK;
}

/* OK, or why nothing can be pushed: an error that sticks, or extra members that could not be checked yet. */
ELS_PRIVATE elelem_status els_recorder_ready(elelem_recorder *r)
{
    elelem_status status = (elelem_status)r->els_status;

    if (r->els_open.els_max == 0) return ELELEM_ERROR_MISUSE;
    if (status != ELELEM_OK || r->els_extra_is_checked) return status;
    if (r->els_extra.size > 0) status = els_recorder_check_extra(&r->els_check, r->els_extra);
    r->els_extra_is_checked = status == ELELEM_OK;
    return els_recorder_refuse(r, status);
}

ELS_PRIVATE elelem_status els_recorder_open_frame(elelem_recorder *r)
{
    elelem_writer id;
    elelem_status status = els_sink_put(&r->els_sink, elelem_str_of("id: "));

    elelem_writer_init(&id, r->els_sink, 0);
    if (status == ELELEM_OK) status = elelem_writer_uint64(&id, elelem_recorder_count(r) + 1);
    return status == ELELEM_OK ? els_sink_put(&r->els_sink, elelem_str_of("\ndata: ")) : status;
}

/* Writes what is before the object of a line. */
ELS_PRIVATE elelem_status els_recorder_open(elelem_recorder *r)
{
    if (r->els_format == ELELEM_RECORD_SSE) return els_recorder_open_frame(r);
    if (r->els_format == ELS_RECORD_ELEMENTS)
        return els_sink_put(&r->els_sink, elelem_str_of(r->els_count > 0 ? "," : "["));
    return r->els_sink.write ? ELELEM_OK : ELELEM_ERROR_SINK;
}

/* Ends the object and its line in one piece: a line that was cut is no object. */
ELS_PRIVATE elelem_status els_recorder_close(elelem_recorder *r)
{
    const char *end = r->els_format == ELELEM_RECORD_SSE ? "}\n\n" : r->els_format == ELELEM_RECORD_LINES ? "}\n" : "}";
    elelem_status status = els_sink_put(&r->els_sink, elelem_str_of(end));

    if (status == ELELEM_OK) r->els_count++;
    return els_recorder_fail(r, status);
}

/* Begins a line: what is written to the writer is its object. */
ELS_PRIVATE elelem_status els_recorder_begin(elelem_recorder *r, elelem_writer *writer)
{
    elelem_writer_init(writer, els_line_sink(&r->els_sink), 0);
    return els_recorder_fail(r, els_recorder_open(r));
}

ELS_PRIVATE elelem_status els_recorder_write(elelem_recorder *r, const elelem_event *event, int64_t time_ms,
                                             elelem_str extra)
{
    elelem_writer writer;
    elelem_status status = els_recorder_begin(r, &writer);

    if (status != ELELEM_OK) return status;
    els_line_put_event(&writer, event);
    status = els_line_put_rest(&writer, time_ms, extra, &event->metadata);
    return status == ELELEM_OK ? els_recorder_close(r) : els_recorder_fail(r, status);
}

/* Writes the plain text of a stream: what a reader of choice 0 sees. */
ELS_PRIVATE elelem_status els_recorder_text(elelem_recorder *r, const elelem_event *event)
{
    int is_text = event->kind == ELELEM_EVENT_PART && event->part.kind == ELELEM_PART_MESSAGE && event->choice == 0;
    elelem_status status;

    if (!is_text || event->part.text.size == 0) return ELELEM_OK;
    status = els_sink_put(&r->els_sink, event->part.text);
    if (status == ELELEM_OK) r->els_count++;
    return els_recorder_fail(r, status);
}

/* Writes the BeforeToolExecution line of a call that is flushed, with the metadata of both. */
ELS_PRIVATE elelem_status els_recorder_call(elelem_recorder *r, els_call *call, const elelem_metadata *of_flush)
{
    elelem_metadata metadata;
    elelem_str input;
    elelem_writer writer;
    elelem_status status = els_call_input(&r->els_check, call, &input);

    if (status == ELELEM_OK) status = els_calls_merge(&r->els_open, call, of_flush);
    if (status != ELELEM_OK) return els_recorder_refuse(r, status);
    metadata = els_meta_list(&call->meta);
    status = els_recorder_begin(r, &writer);
    if (status != ELELEM_OK) return status;
    els_line_put_call(&writer, call, input);
    status = els_line_put_rest(&writer, r->els_time_ms, r->els_extra, &metadata);
    if (status != ELELEM_OK) return els_recorder_fail(r, status);
    els_calls_close(&r->els_open, call);
    return els_recorder_close(r);
}

/* Follows the tool calls of a stream. What is open at its end stays so: the next stream has
   the same indexes again. */
ELS_PRIVATE elelem_status els_recorder_follow(elelem_recorder *r, const elelem_event *event)
{
    els_call *call;

    if (event->kind == ELELEM_EVENT_PART && event->part.kind == ELELEM_PART_TOOL_CALL)
        return els_recorder_refuse(r, els_calls_take(&r->els_open, event));
    if (event->kind == ELELEM_EVENT_FINISHED || event->kind == ELELEM_EVENT_ERROR) els_calls_clear(&r->els_open);
    if (event->kind != ELELEM_EVENT_FLUSH) return ELELEM_OK;
    call = els_calls_find(&r->els_open, event->index);
    if (call) call->cut_off = event->cut_off;
    return call ? els_recorder_call(r, call, &event->metadata) : ELELEM_OK;
}

elelem_status elelem_recorder_push(elelem_recorder *recorder, const elelem_event *event)
{
    elelem_status status = els_recorder_ready(recorder);

    if (status != ELELEM_OK) return status;
    if (!els_line_type_of(event)) return ELELEM_ERROR_MISUSE;
    if (recorder->els_format == ELELEM_RECORD_TEXT) return els_recorder_text(recorder, event);
    status = els_line_check_metadata(&recorder->els_check, &event->metadata);
    if (status == ELELEM_OK && recorder->els_tool_calls) status = els_recorder_follow(recorder, event);
    if (status != ELELEM_OK) return status;
    return els_recorder_write(recorder, event, recorder->els_time_ms, recorder->els_extra);
}

elelem_status elelem_recorder_push_line(elelem_recorder *recorder, elelem_str line)
{
    elelem_status status = els_recorder_ready(recorder);

    if (status == ELELEM_OK) status = els_line_check_object(&recorder->els_check, line);
    if (status != ELELEM_OK || recorder->els_format == ELELEM_RECORD_TEXT) return status;
    status = els_recorder_open(recorder);
    line = els_trimmed(line);
    if (status == ELELEM_OK) status = els_line_write(&recorder->els_sink, line.data, line.size - 1);
    return status == ELELEM_OK ? els_recorder_close(recorder) : els_recorder_fail(recorder, status);
}

elelem_status elelem_recorder_push_item(elelem_recorder *recorder, const elelem_record_item *item)
{
    elelem_status status = els_recorder_ready(recorder);

    if (status != ELELEM_OK) return status;
    if (item->kind == ELELEM_RECORD_LINE) return elelem_recorder_push_line(recorder, item->line);
    status = els_line_check_item(&recorder->els_check, item);
    if (status != ELELEM_OK) return status;
    if (recorder->els_format == ELELEM_RECORD_TEXT) return els_recorder_text(recorder, &item->event);
    return els_recorder_write(recorder, &item->event, item->time_ms, item->extra);
}

ELS_PRIVATE elelem_status els_line_check_executed(elelem_fragment_parser *check, const elelem_tool_executed *executed)
{
    elelem_status status = ELELEM_OK;

    if (executed->input.size > 0) status = els_line_check_json(check, executed->input);
    if (status == ELELEM_OK && executed->output.size > 0 && !executed->output_is_text)
        status = els_line_check_json(check, executed->output);
    return status;
}

ELS_PRIVATE void els_line_put_executed(elelem_writer *writer, const elelem_tool_executed *executed)
{
    els_line_put_type(writer, "ToolExecuted");
    els_line_put_known_string(writer, "id", executed->id);
    els_put_text(writer, "toolName", executed->name);
    if (executed->input.size > 0) els_put_json(writer, "input", executed->input);
    if (executed->output_is_text)
        els_put_text(writer, "output", executed->output);
    else if (executed->output.size > 0)
        els_put_json(writer, "output", executed->output);
}

elelem_status elelem_recorder_push_executed(elelem_recorder *recorder, const elelem_tool_executed *executed)
{
    static const elelem_metadata none = { NULL, 0 };
    elelem_writer writer;
    elelem_status status = els_recorder_ready(recorder);

    if (status == ELELEM_OK) status = els_line_check_executed(&recorder->els_check, executed);
    if (status != ELELEM_OK || recorder->els_format == ELELEM_RECORD_TEXT) return status;
    status = els_recorder_begin(recorder, &writer);
    if (status != ELELEM_OK) return status;
    els_line_put_executed(&writer, executed);
    status = els_line_put_rest(&writer, recorder->els_time_ms, recorder->els_extra, &none);
    return status == ELELEM_OK ? els_recorder_close(recorder) : els_recorder_fail(recorder, status);
}

uint64_t elelem_recorder_count(const elelem_recorder *recorder)
{
    return recorder->els_first + recorder->els_count;
}

void elelem_recorder_time(elelem_recorder *recorder, int64_t now_ms)
{
    recorder->els_time_ms = now_ms;
}

elelem_error elelem_recorder_error(const elelem_recorder *recorder)
{
    elelem_status status = (elelem_status)recorder->els_status;

    if (recorder->els_open.els_max == 0) status = ELELEM_ERROR_MISUSE;
    return els_error(status, status == ELELEM_OK ? 0 : elelem_recorder_count(recorder));
}

void elelem_recorder_reset(elelem_recorder *recorder)
{
    if (recorder->els_open.els_max == 0) return;
    els_calls_clear(&recorder->els_open);
    recorder->els_status = ELELEM_OK;
    recorder->els_count = 0;
    recorder->els_time_ms = -1;
    recorder->els_extra = els_trimmed(recorder->els_extra);
    recorder->els_extra_is_checked = 0;
}

void elelem_recorder_init(elelem_recorder *recorder, const elelem_recorder_desc *desc)
{
    memset(recorder, 0, sizeof *recorder);
    recorder->els_sink = desc->sink;
    recorder->els_extra = desc->extra;
    recorder->els_first = desc->first;
    recorder->els_format = desc->format;
    recorder->els_tool_calls = desc->tool_calls;
    els_line_check_init(&recorder->els_check, desc->allocator, ELS_LINE_DEPTH, 1);
    els_calls_init(&recorder->els_open, desc->allocator, desc->max_call_bytes, desc->max_calls);
    elelem_recorder_reset(recorder);
}

void elelem_recorder_free(elelem_recorder *recorder)
{
    elelem_fragment_parser_free(&recorder->els_check);
    els_calls_free(&recorder->els_open);
    memset(recorder, 0, sizeof *recorder);
}

/* >> replayer */

/* What it waits for. */
typedef enum els_replay_state {
    ELS_REPLAY_LINE,   /* an object, after whitespace and empty lines */
    ELS_REPLAY_OBJECT, /* the rest of the object */
    ELS_REPLAY_AFTER,  /* the end of the line */
    ELS_REPLAY_FAILED  /* nothing: an error sticks */
} els_replay_state;

ELS_INLINE uint64_t els_replay_offset(const elelem_replayer *p)
{
    return els_input_offset(&p->els_lent);
}

ELS_PRIVATE elelem_status els_replay_fail(elelem_replayer *p, elelem_status status, uint64_t offset)
{
    p->els_status = status;
    p->els_error_offset = offset;
    p->els_state = ELS_REPLAY_FAILED;
    return status;
}

/* Copies what is still needed of the bytes pushed, which are used up. */
ELS_PRIVATE elelem_status els_replay_more(elelem_replayer *p)
{
    elelem_status status = elelem_buffer_append(&p->els_kept, p->els_raw.data, p->els_raw.size);

    p->els_raw = els_str(NULL, 0);
    return status == ELELEM_OK ? ELELEM_MORE : els_replay_fail(p, status, els_replay_offset(p));
}

ELS_PRIVATE void els_replay_line_end(elelem_replayer *p)
{
    p->els_at.lines++;
    p->els_at.offset = els_replay_offset(p);
}

ELS_PRIVATE elelem_status els_replay_line(elelem_replayer *p)
{
    while (p->els_lent.bytes.at < p->els_lent.bytes.end) {
        unsigned char byte = *p->els_lent.bytes.at;
        if (byte == '{') {
            p->els_object = els_replay_offset(p);
            p->els_state = ELS_REPLAY_OBJECT;
            elelem_buffer_clear(&p->els_kept);
            p->els_raw = els_str(p->els_lent.bytes.at, 0);
            elelem_fragment_parser_reset(&p->els_check);
            return ELS_AGAIN;
        }
        if (!els_is_blank(byte)) return els_replay_fail(p, ELELEM_ERROR_SYNTAX, els_replay_offset(p));
        p->els_lent.bytes.at++;
        if (byte == '\n') els_replay_line_end(p);
    }
    return p->els_lent.finished ? ELELEM_END : ELELEM_MORE;
}

/* Returns the bytes of the object that may be read: up to the line's end, and to the limit. */
ELS_PRIVATE elelem_str els_replay_span(const elelem_replayer *p)
{
    uint64_t left = p->els_max_line - (els_replay_offset(p) - p->els_object);
    size_t size = (size_t)(p->els_lent.bytes.end - p->els_lent.bytes.at);
    const void *line_end;

    if (size > left) size = (size_t)left;
    line_end = size > 0 ? memchr(p->els_lent.bytes.at, '\n', size) : NULL;
    if (line_end) size = (size_t)((const unsigned char *)line_end - p->els_lent.bytes.at);
    return els_str(p->els_lent.bytes.at, size);
}

/* Decides what an object is that is not whole when its bytes so far are read. */
ELS_PRIVATE elelem_status els_replay_stopped(elelem_replayer *p)
{
    uint64_t offset = els_replay_offset(p);

    if (p->els_lent.bytes.at < p->els_lent.bytes.end) {
        if (offset - p->els_object >= p->els_max_line) return els_replay_fail(p, ELELEM_ERROR_LINE_SIZE, offset);
        return els_replay_fail(p, ELELEM_ERROR_SYNTAX, offset);
    }
    return p->els_lent.finished ? els_replay_fail(p, ELELEM_ERROR_TRUNCATED, offset) : els_replay_more(p);
}

ELS_PRIVATE elelem_status els_replay_object(elelem_replayer *p)
{
    elelem_str span = els_replay_span(p);
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_push(&p->els_check, span.data, span.size);
    size_t read;

    if (status == ELELEM_OK) status = elelem_fragment_parser_next(&p->els_check, &fragment);
    read = span.size - elelem_fragment_parser_unread(&p->els_check);
    if (!p->els_raw.data) p->els_raw.data = span.data;
    p->els_raw.size += read;
    p->els_lent.bytes.at += read;
    if (status == ELELEM_MORE) return els_replay_stopped(p);
    if (status < 0)
        return els_replay_fail(p, status, p->els_object + elelem_fragment_parser_error(&p->els_check).offset);
    p->els_state = ELS_REPLAY_AFTER;
    return ELS_AGAIN;
}

/* Returns the object's text in one piece. */
ELS_PRIVATE elelem_status els_replay_whole(elelem_replayer *p, elelem_str *line)
{
    *line = p->els_raw;
    if (p->els_kept.els_size == 0) return ELELEM_OK;
    if (els_replay_more(p) != ELELEM_MORE) return (elelem_status)p->els_status;
    *line = elelem_buffer_text(&p->els_kept);
    return ELELEM_OK;
}

/* Returns the item of a line whose end was read. */
ELS_PRIVATE elelem_status els_replay_give(elelem_replayer *p, elelem_record_item *item)
{
    elelem_str line;
    elelem_status status = ELELEM_OK;

    if (p->els_at.items >= p->els_first) {
        status = els_replay_whole(p, &line);
        if (status == ELELEM_OK) status = els_line_read(&p->els_reader, line, p->els_lines, item);
        if (status != ELELEM_OK) return els_replay_fail(p, status, p->els_object);
    }
    p->els_raw = els_str(NULL, 0);
    p->els_state = ELS_REPLAY_LINE;
    els_replay_line_end(p);
    p->els_at.items++;
    if (p->els_at.items <= p->els_first) return ELS_AGAIN;
    item->number = p->els_at.items;
    item->line_number = p->els_at.lines;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_replay_after(elelem_replayer *p, elelem_record_item *item)
{
    while (p->els_lent.bytes.at < p->els_lent.bytes.end) {
        unsigned char byte = *p->els_lent.bytes.at;
        if (!els_is_blank(byte)) return els_replay_fail(p, ELELEM_ERROR_SYNTAX, els_replay_offset(p));
        p->els_lent.bytes.at++;
        if (byte == '\n') return els_replay_give(p, item);
    }
    return p->els_lent.finished ? els_replay_give(p, item) : els_replay_more(p);
}

ELS_PRIVATE elelem_status els_replay_step(elelem_replayer *p, elelem_record_item *item)
{
    switch ((els_replay_state)p->els_state) {
    case ELS_REPLAY_LINE: return els_replay_line(p);
    case ELS_REPLAY_OBJECT: return els_replay_object(p);
    case ELS_REPLAY_AFTER: return els_replay_after(p, item);
    default: return (elelem_status)p->els_status;
    }
}

/* Plain text. A character cut by the end of a push waits in els_carry. */

ELS_PRIVATE elelem_status els_replay_give_text(elelem_replayer *p, elelem_str text, elelem_record_item *item)
{
    memset(item, 0, sizeof *item);
    item->event.part.text = text;
    item->type = elelem_str_of("PartialResponse");
    item->time_ms = -1;
    p->els_at.offset += text.size;
    return ELELEM_OK;
}

/* Nonzero if the byte at the cursor continues the character in els_carry. */
ELS_PRIVATE int els_replay_carries(const elelem_replayer *p, unsigned char byte)
{
    els_lead lead = els_lead_of(p->els_carry_size > 0 ? p->els_carry[0] : byte);

    if (p->els_carry_size == 0) return lead.more > 0;
    if (p->els_carry_size == 1) return byte >= lead.low && byte <= lead.high;
    return els_is_continuation(byte);
}

ELS_PRIVATE elelem_status els_replay_character(elelem_replayer *p, elelem_record_item *item)
{
    while (p->els_lent.bytes.at < p->els_lent.bytes.end) {
        unsigned char byte = *p->els_lent.bytes.at;
        if (!els_replay_carries(p, byte)) return els_replay_fail(p, ELELEM_ERROR_UTF8, els_replay_offset(p));
        p->els_carry[p->els_carry_size++] = byte;
        p->els_lent.bytes.at++;
        if (p->els_carry_size <= els_lead_of(p->els_carry[0]).more) continue;
        p->els_carry_size = 0;
        return els_replay_give_text(p, els_str(p->els_carry, els_lead_of(p->els_carry[0]).more + 1u), item);
    }
    if (!p->els_lent.finished) return ELELEM_MORE;
    if (p->els_carry_size > 0) return els_replay_fail(p, ELELEM_ERROR_TRUNCATED, els_replay_offset(p));
    return ELELEM_END;
}

/* Passes over what the caller already has. */
ELS_PRIVATE void els_replay_skip_text(elelem_replayer *p)
{
    uint64_t size = (uint64_t)(p->els_lent.bytes.end - p->els_lent.bytes.at);
    uint64_t skip = p->els_first > p->els_at.offset ? p->els_first - p->els_at.offset : 0;

    if (skip > size) skip = size;
    if (skip == 0) return;
    p->els_lent.bytes.at += skip;
    p->els_at.offset += skip;
}

ELS_PRIVATE elelem_status els_replay_text(elelem_replayer *p, elelem_record_item *item)
{
    elelem_str text;

    if (p->els_state == ELS_REPLAY_FAILED) return (elelem_status)p->els_status;
    els_replay_skip_text(p);
    text = els_str(p->els_lent.bytes.at, (size_t)(p->els_lent.bytes.end - p->els_lent.bytes.at));
    if (p->els_carry_size > 0) return els_replay_character(p, item);
    if (text.size > 0) text.size = elelem_utf8_valid(text);
    if (text.size == 0) return els_replay_character(p, item);
    p->els_lent.bytes.at += text.size;
    return els_replay_give_text(p, text, item);
}

elelem_status elelem_replayer_push(elelem_replayer *replayer, const void *bytes, size_t size)
{
    if (replayer->els_state == ELS_REPLAY_FAILED) return (elelem_status)replayer->els_status;
    return els_input_push(&replayer->els_lent, bytes, size);
}

elelem_status elelem_replayer_next(elelem_replayer *replayer, elelem_record_item *item)
{
    elelem_status status;

    if (replayer->els_format == ELELEM_RECORD_TEXT) {
        status = els_replay_text(replayer, item);
    } else {
        do
            status = els_replay_step(replayer, item);
        while (status == ELS_AGAIN);
    }
    if (status == ELELEM_MORE) status = els_input_more(&replayer->els_lent);
    return status == ELELEM_ERROR_MISUSE ? els_replay_fail(replayer, status, els_replay_offset(replayer)) : status;
}

void elelem_replayer_finish(elelem_replayer *replayer)
{
    els_input_finish(&replayer->els_lent);
}

elelem_replay_position elelem_replayer_position(const elelem_replayer *replayer)
{
    return replayer->els_at;
}

uint64_t elelem_replayer_line_number(const elelem_replayer *replayer)
{
    return replayer->els_at.lines + 1;
}

elelem_error elelem_replayer_error(const elelem_replayer *replayer)
{
    return els_input_error(&replayer->els_lent, (elelem_status)replayer->els_status, replayer->els_error_offset);
}

ELS_PRIVATE void els_replay_start(elelem_replayer *replayer)
{
    elelem_buffer_clear(&replayer->els_kept);
    els_input_start(&replayer->els_lent, replayer->els_start.offset);
    replayer->els_raw = els_str(NULL, 0);
    replayer->els_at = replayer->els_start;
    replayer->els_error_offset = 0;
    replayer->els_status = ELELEM_OK;
    replayer->els_state = ELS_REPLAY_LINE;
    replayer->els_carry_size = 0;
}

void elelem_replayer_reset(elelem_replayer *replayer)
{
    if (replayer->els_lent.state != ELS_INPUT_NONE) els_replay_start(replayer);
}

void elelem_replayer_init(elelem_replayer *replayer, const elelem_replayer_desc *desc)
{
    elelem_replayer_desc defaults = ELELEM_INIT;
    const elelem_replayer_desc *d = desc ? desc : &defaults;

    memset(replayer, 0, sizeof *replayer);
    els_line_check_init(&replayer->els_check, d->allocator, ELS_LINE_DEPTH, 0);
    els_line_reader_init(&replayer->els_reader, d->allocator);
    replayer->els_start = d->start;
    replayer->els_first = d->first;
    replayer->els_max_line = ELS_DEFAULT(d->max_line_bytes, 16u << 20);
    if (replayer->els_max_line > SIZE_MAX) replayer->els_max_line = SIZE_MAX;
    elelem_buffer_init(&replayer->els_kept, d->allocator, (size_t)replayer->els_max_line);
    replayer->els_format = d->format;
    replayer->els_lines = d->lines;
    els_replay_start(replayer);
}

void elelem_replayer_free(elelem_replayer *replayer)
{
    elelem_fragment_parser_free(&replayer->els_check);
    els_line_reader_free(&replayer->els_reader);
    elelem_buffer_free(&replayer->els_kept);
    memset(replayer, 0, sizeof *replayer);
}

/* >> coalescer */

/* What the last item was made of; the next call drops it. */
typedef enum els_coalesced {
    ELS_COALESCED_NOTHING,
    ELS_COALESCED_RUN,   /* the run of text */
    ELS_COALESCED_START, /* the start of the first open call, its arguments come next */
    ELS_COALESCED_CALL   /* the last of the first open call */
} els_coalesced;

ELS_PRIVATE elelem_status els_coalesce_fail(elelem_event_coalescer *c, elelem_status status)
{
    if (status != ELELEM_OK) c->els_status = status;
    return status;
}

ELS_PRIVATE void els_coalesce_drop_run(elelem_event_coalescer *c)
{
    els_budget_empty(&c->els_open.els_allowance, &c->els_run);
    els_budget_empty(&c->els_open.els_allowance, &c->els_caption);
    els_meta_free(&c->els_meta_of_run, &c->els_open.els_allowance);
    c->els_has_run = 0;
}

/* Drops what the last item was made of. */
ELS_PRIVATE void els_coalesce_settle(elelem_event_coalescer *c)
{
    if (c->els_given == ELS_COALESCED_RUN) els_coalesce_drop_run(c);
    if (c->els_given == ELS_COALESCED_CALL) els_calls_close(&c->els_open, els_call_at(&c->els_open, 0));
    if (c->els_given != ELS_COALESCED_START) c->els_given = ELS_COALESCED_NOTHING;
}

ELS_PRIVATE elelem_status els_coalesce_merge(elelem_event_coalescer *c, els_meta *meta, const elelem_metadata *metadata)
{
    return els_meta_merge(meta, &c->els_open.els_allowance, ELS_META_KEYS, metadata);
}

/* Nonzero if both are pieces of one item. */
ELS_PRIVATE int els_is_same_item(const elelem_event *a, const elelem_event *b)
{
    return a->index == b->index && a->choice == b->choice && a->part.kind == b->part.kind &&
           a->part.hosted == b->part.hosted;
}

ELS_PRIVATE elelem_str els_coalesce_run_extra(const elelem_event_coalescer *c)
{
    return els_str(elelem_buffer_text(&c->els_run).data, c->els_run_extra);
}

ELS_PRIVATE elelem_str els_coalesce_run_type(const elelem_event_coalescer *c)
{
    return els_str(elelem_buffer_text(&c->els_run).data + c->els_run_extra, c->els_run_type);
}

/* Nonzero if the text continues the run. */
ELS_PRIVATE int els_coalesce_run_continues(const elelem_event_coalescer *c, const elelem_record_item *item)
{
    return c->els_has_run && els_item_is_text(item) && els_is_same_item(&c->els_run_event, &item->event) &&
           elelem_str_equal(els_coalesce_run_extra(c), item->extra) &&
           elelem_str_equal(els_coalesce_run_type(c), item->event.part.type) &&
           els_meta_fits(&c->els_meta_of_run, ELS_META_KEYS, &item->event.metadata);
}

ELS_PRIVATE elelem_status els_coalesce_run_add(elelem_event_coalescer *c, const elelem_event *event)
{
    elelem_status status = els_budget_append(&c->els_open.els_allowance, &c->els_run, event->part.text);

    if (status == ELELEM_OK) status = els_budget_append(&c->els_open.els_allowance, &c->els_caption, event->part.caption);
    if (status == ELELEM_OK) status = els_coalesce_merge(c, &c->els_meta_of_run, &event->metadata);
    return els_coalesce_fail(c, status);
}

ELS_PRIVATE elelem_status els_coalesce_run_start(elelem_event_coalescer *c, const elelem_record_item *item)
{
    elelem_status status = els_budget_append(&c->els_open.els_allowance, &c->els_run, item->extra);

    if (status == ELELEM_OK)
        status = els_budget_append(&c->els_open.els_allowance, &c->els_run, item->event.part.type);
    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    memset(&c->els_run_event, 0, sizeof c->els_run_event);
    c->els_run_event.index = item->event.index;
    c->els_run_event.choice = item->event.choice;
    c->els_run_event.part.kind = item->event.part.kind;
    c->els_run_event.part.hosted = item->event.part.hosted;
    c->els_run_extra = item->extra.size;
    c->els_run_type = item->event.part.type.size;
    c->els_run_time = item->time_ms;
    c->els_has_run = 1;
    return els_coalesce_run_add(c, &item->event);
}

ELS_PRIVATE elelem_status els_coalesce_give_run(elelem_event_coalescer *c, elelem_record_item *item)
{
    elelem_str kept = elelem_buffer_text(&c->els_run);
    size_t text = c->els_run_extra + c->els_run_type;
    elelem_event event = c->els_run_event;

    event.metadata = els_meta_list(&c->els_meta_of_run);
    event.part.text = els_str(kept.data + text, kept.size - text);
    event.part.type = els_coalesce_run_type(c);
    event.part.caption = elelem_buffer_text(&c->els_caption);
    els_item_of_event(item, &event, els_coalesce_run_extra(c), c->els_run_time);
    c->els_given = ELS_COALESCED_RUN;
    return ELELEM_OK;
}

/* Returns the first open call, as far as it came: its start, then its arguments. */
ELS_PRIVATE elelem_status els_coalesce_give_open(elelem_event_coalescer *c, elelem_record_item *item)
{
    const els_call *call = els_call_at(&c->els_open, 0);
    elelem_event event;

    memset(&event, 0, sizeof event);
    event.index = call->index;
    event.choice = call->choice;
    event.part.kind = ELELEM_PART_TOOL_CALL;
    if (c->els_given == ELS_COALESCED_START) {
        event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
        event.part.tool_call.text = elelem_buffer_text(&call->arguments);
    } else {
        event.part.tool_call.id = elelem_buffer_text(&call->id);
        event.part.tool_call.name = elelem_buffer_text(&call->name);
        event.part.tool_call.type = elelem_buffer_text(&call->type);
        event.metadata = els_meta_list(&call->meta);
    }
    els_item_of_event(item, &event, elelem_buffer_text(&call->extra), call->time_ms);
    c->els_given =
        c->els_given == ELS_COALESCED_START || call->arguments.els_size == 0 ? ELS_COALESCED_CALL : ELS_COALESCED_START;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_coalesce_write_call(elelem_event_coalescer *c, const els_call *call)
{
    elelem_sink sink = elelem_buffer_sink(&c->els_out);
    elelem_metadata metadata;
    elelem_str input;
    elelem_writer writer;
    elelem_status status = els_call_input(&c->els_check, call, &input);

    if (status != ELELEM_OK) return status;
    metadata = els_meta_list(&call->meta);
    elelem_buffer_clear(&c->els_out);
    elelem_writer_init(&writer, els_line_sink(&sink), 0);
    els_line_put_call(&writer, call, input);
    status = els_line_put_rest(&writer, call->time_ms, elelem_buffer_text(&call->extra), &metadata);
    return status == ELELEM_OK ? elelem_buffer_append(&c->els_out, "}", 1) : status;
}

/* Returns the BeforeToolExecution line of a call that is flushed. */
ELS_PRIVATE elelem_status els_coalesce_give_call(elelem_event_coalescer *c, els_call *call, elelem_record_item *item)
{
    elelem_status status = els_coalesce_write_call(c, call);

    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    memset(item, 0, sizeof *item);
    item->kind = ELELEM_RECORD_LINE;
    item->line = elelem_buffer_text(&c->els_out);
    item->type = elelem_str_of("BeforeToolExecution");
    item->time_ms = call->time_ms;
    els_calls_close(&c->els_open, call);
    return ELELEM_OK;
}

/* Forgets the line just before. */
ELS_PRIVATE void els_coalesce_forget(elelem_event_coalescer *c)
{
    els_budget_empty(&c->els_open.els_allowance, &c->els_announced);
    els_meta_free(&c->els_meta_announced, &c->els_open.els_allowance);
    c->els_has_announced = 0;
}

/* Nonzero if the line just before was the call's BeforeToolExecution. */
ELS_PRIVATE int els_coalesce_announced(const elelem_event_coalescer *c, const els_call *call)
{
    elelem_str both = elelem_buffer_text(&c->els_announced);
    elelem_str id = els_str(both.data, c->els_announced_id);
    elelem_str name = els_str(both.data + c->els_announced_id, both.size - c->els_announced_id);

    if (!c->els_has_announced || (c->els_announced_index >= 0 && c->els_announced_index != call->index)) return 0;
    return elelem_str_equal(id, elelem_buffer_text(&call->id)) &&
           elelem_str_equal(name, elelem_buffer_text(&call->name));
}

/* Keeps what a BeforeToolExecution line says. ERROR_TYPE: it is not one that a recorder writes. */
ELS_PRIVATE elelem_status els_coalesce_keep_announced(elelem_event_coalescer *c, elelem_str line)
{
    elelem_str fields[ELS_LINE_FIELD_COUNT];
    elelem_metadata metadata = ELELEM_INIT;
    elelem_str id = els_str(NULL, 0), name = els_str(NULL, 0);
    elelem_status status;

    els_line_reader_start(&c->els_reader, line);
    els_line_members(line, els_line_field_names, ELS_LINE_FIELD_COUNT, fields);
    status = els_line_reader_text(&c->els_reader, fields[ELS_LINE_FIELD_ID], &id);
    if (status == ELELEM_OK) status = els_line_reader_text(&c->els_reader, fields[ELS_LINE_FIELD_TOOL_NAME], &name);
    if (status == ELELEM_OK) status = els_line_read_known(fields[ELS_LINE_FIELD_INDEX], &c->els_announced_index);
    if (status == ELELEM_OK)
        status = els_line_read_metadata(&c->els_reader, fields[ELS_LINE_FIELD_METADATA], &metadata);
    if (status != ELELEM_OK) return status;
    c->els_announced_id = id.size;
    status = els_budget_append(&c->els_open.els_allowance, &c->els_announced, id);
    if (status == ELELEM_OK) status = els_budget_append(&c->els_open.els_allowance, &c->els_announced, name);
    if (status != ELELEM_OK || !els_meta_fits(&c->els_meta_announced, ELS_META_KEYS, &metadata)) return status;
    return els_coalesce_merge(c, &c->els_meta_announced, &metadata);
}

/* Remembers the line returned if it is a BeforeToolExecution, whose flush may follow. */
ELS_PRIVATE elelem_status els_coalesce_announce(elelem_event_coalescer *c, elelem_record_item *item)
{
    static const char type[] = "BeforeToolExecution";
    elelem_status status;

    els_coalesce_forget(c);
    if (item->kind != ELELEM_RECORD_LINE || !elelem_str_is(item->type, type)) return ELELEM_OK;
    item->type = elelem_str_of(type); /* it may have been the reader's, which reads again now */
    status = els_coalesce_keep_announced(c, item->line);
    c->els_has_announced = status == ELELEM_OK;
    return status == ELELEM_ERROR_TYPE ? ELELEM_OK : els_coalesce_fail(c, status);
}

/* Returns the pushed item as it is, after the run if there is one. */
ELS_PRIVATE elelem_status els_coalesce_give_pushed(elelem_event_coalescer *c, elelem_record_item *item)
{
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    *item = c->els_item;
    item->number = item->line_number = 0;
    c->els_pushed = 0;
    return els_coalesce_announce(c, item);
}

/* Ends the pushed item, which left nothing to return. */
ELS_PRIVATE void els_coalesce_done(elelem_event_coalescer *c)
{
    c->els_pushed = 0;
    els_coalesce_forget(c);
}

/* Flushes an open call. */
ELS_PRIVATE elelem_status els_coalesce_flush_call(elelem_event_coalescer *c, els_call *call, elelem_record_item *item)
{
    elelem_metadata *metadata = &c->els_item.event.metadata;
    elelem_status status = els_calls_merge(&c->els_open, call, metadata);

    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    metadata->count = 0;
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    els_coalesce_done(c);
    return els_coalesce_give_call(c, call, item);
}

/* Leaves what the line just before lacks of the call's metadata. It may have that of the parts, or that of the
   flush too, so that arrays are compared before they are added to and after. */
ELS_PRIVATE elelem_status els_coalesce_rest(elelem_event_coalescer *c, els_meta *meta, const elelem_metadata *of_flush)
{
    elelem_status status;

    els_meta_subtract(meta, &c->els_open.els_allowance, &c->els_meta_announced);
    status = els_coalesce_merge(c, meta, of_flush);
    els_meta_subtract(meta, &c->els_open.els_allowance, &c->els_meta_announced);
    return els_coalesce_fail(c, status);
}

/* Flushes a call whose line was returned just before, so that there is no run: the Flush stays, with the metadata
   that the line lacks. This is kept in the place of a run's. */
ELS_PRIVATE elelem_status els_coalesce_flush_announced(elelem_event_coalescer *c, els_call *call,
                                                       elelem_record_item *item)
{
    elelem_record_item flush = c->els_item;
    els_meta none = c->els_meta_of_run;
    elelem_status status = els_coalesce_rest(c, &call->meta, &flush.event.metadata);

    if (status != ELELEM_OK) return status;
    c->els_meta_of_run = call->meta;
    call->meta = none;
    els_calls_close(&c->els_open, call);
    els_coalesce_done(c);
    if (c->els_meta_of_run.els_count == 0) return ELS_AGAIN;
    flush.event.metadata = els_meta_list(&c->els_meta_of_run);
    els_item_of_event(item, &flush.event, flush.extra, flush.time_ms);
    c->els_given = ELS_COALESCED_RUN;
    return ELELEM_OK;
}

/* Flushes anything else: the Flush is dropped if its metadata can be merged. */
ELS_PRIVATE elelem_status els_coalesce_flush_rest(elelem_event_coalescer *c, elelem_record_item *item)
{
    const elelem_event *flush = &c->els_item.event;
    const elelem_event *run = &c->els_run_event;
    elelem_status status = ELELEM_OK;
    int is_of_run = c->els_has_run && run->index == flush->index && run->choice == flush->choice &&
                    els_meta_fits(&c->els_meta_of_run, ELS_META_KEYS, &flush->metadata);

    if (flush->cut_off || (flush->metadata.count > 0 && !is_of_run)) return els_coalesce_give_pushed(c, item);
    if (is_of_run) status = els_coalesce_merge(c, &c->els_meta_of_run, &flush->metadata);
    els_coalesce_done(c);
    return status == ELELEM_OK ? ELS_AGAIN : els_coalesce_fail(c, status);
}

ELS_PRIVATE elelem_status els_coalesce_flush(elelem_event_coalescer *c, elelem_record_item *item)
{
    els_call *call = els_calls_find(&c->els_open, c->els_item.event.index);

    if (!call) return els_coalesce_flush_rest(c, item);
    call->cut_off = c->els_item.event.cut_off;
    if (els_coalesce_announced(c, call)) return els_coalesce_flush_announced(c, call, item);
    return els_coalesce_flush_call(c, call, item);
}

/* Keeps the time and the extra members of the line that opened a call, except those that have the name of a member
   of another line, as "id" of ToolCallArguments. */
ELS_PRIVATE elelem_status els_coalesce_open_call(elelem_event_coalescer *c, els_call *call)
{
    els_cursor in = els_cursor_of(c->els_item.extra.data, c->els_item.extra.size);
    els_budget *budget = &c->els_open.els_allowance;
    els_line_member member;
    elelem_status status = ELELEM_OK;

    call->time_ms = c->els_item.time_ms;
    while (status == ELELEM_OK && els_line_next_member(&in, &member)) {
        if (els_line_is_reserved(member.key)) continue;
        if (call->extra.els_size > 0) status = els_budget_append(budget, &call->extra, els_str(",", 1));
        if (status == ELELEM_OK) status = els_budget_append(budget, &call->extra, member.whole);
    }
    return status;
}

ELS_PRIVATE elelem_status els_coalesce_part(elelem_event_coalescer *c)
{
    const elelem_event *event = &c->els_item.event;
    int is_open = els_calls_find(&c->els_open, event->index) != NULL;
    elelem_status status = els_calls_take(&c->els_open, event);

    if (status == ELELEM_OK && !is_open) status = els_coalesce_open_call(c, els_calls_find(&c->els_open, event->index));
    els_coalesce_done(c);
    return status == ELELEM_OK ? ELS_AGAIN : els_coalesce_fail(c, status);
}

ELS_PRIVATE elelem_status els_coalesce_text(elelem_event_coalescer *c, elelem_record_item *item)
{
    const elelem_metadata *metadata = &c->els_item.event.metadata;
    int continues = els_coalesce_run_continues(c, &c->els_item);
    elelem_status status;

    if (!continues && (c->els_has_run || !els_meta_fits(&c->els_meta_of_run, ELS_META_KEYS, metadata)))
        return els_coalesce_give_pushed(c, item);
    status = continues ? els_coalesce_run_add(c, &c->els_item.event) : els_coalesce_run_start(c, &c->els_item);
    els_coalesce_done(c);
    return status == ELELEM_OK ? ELS_AGAIN : status;
}

/* Takes the pushed item in, or a part of it. */
ELS_PRIVATE elelem_status els_coalesce(elelem_event_coalescer *c, elelem_record_item *item)
{
    const elelem_record_item *pushed = &c->els_item;

    if (els_item_is_text(pushed)) return els_coalesce_text(c, item);
    if (els_item_is_call(pushed)) return els_coalesce_part(c);
    if (els_item_is_kind(pushed, ELELEM_EVENT_FLUSH)) return els_coalesce_flush(c, item);
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    if (els_item_is_end(pushed) && c->els_open.els_count > 0) return els_coalesce_give_open(c, item);
    return els_coalesce_give_pushed(c, item);
}

ELS_PRIVATE elelem_status els_coalesce_end(elelem_event_coalescer *c, elelem_record_item *item)
{
    if (c->els_owed.state == ELS_DEBT_LOST) return els_coalesce_fail(c, ELELEM_ERROR_MISUSE);
    if (!c->els_finished) return ELELEM_MORE;
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    return c->els_open.els_count > 0 ? els_coalesce_give_open(c, item) : ELELEM_END;
}

elelem_status elelem_event_coalescer_next(elelem_event_coalescer *coalescer, elelem_record_item *item)
{
    elelem_status status;

    els_coalesce_settle(coalescer);
    do {
        if (coalescer->els_status != ELELEM_OK) return (elelem_status)coalescer->els_status;
        if (coalescer->els_open.els_max == 0) return ELELEM_ERROR_MISUSE;
        status = coalescer->els_pushed ? els_coalesce(coalescer, item) : els_coalesce_end(coalescer, item);
    } while (status == ELS_AGAIN);
    return status;
}

/* What a refused item is known by. */
ELS_PRIVATE uint32_t els_item_hash(const elelem_record_item *item)
{
    if (item->kind != ELELEM_RECORD_EVENT) return els_debt_hash_text(ELS_DEBT_START, item->line);
    return els_debt_hash_text(els_event_hash(&item->event), item->extra);
}

/* OK when the item may be taken. */
ELS_PRIVATE elelem_status els_coalescer_ready(elelem_event_coalescer *c, const elelem_record_item *item)
{
    uint32_t hash;
    int is_allowed;

    if (c->els_status != ELELEM_OK) return (elelem_status)c->els_status;
    if (c->els_open.els_max == 0 || c->els_finished) return ELELEM_ERROR_MISUSE;
    if (!c->els_pushed && c->els_owed.state == ELS_DEBT_NONE) return ELELEM_OK;
    hash = els_item_hash(item);
    is_allowed = els_debt_allows_only(&c->els_owed, 0, hash);
    if (c->els_pushed || !is_allowed) return els_debt_refuse(&c->els_owed, 0, hash, is_allowed);
    c->els_owed.state = ELS_DEBT_NONE;
    return ELELEM_OK;
}

ELS_PRIVATE void els_coalescer_take(elelem_event_coalescer *c, const elelem_record_item *item)
{
    c->els_item = *item;
    c->els_pushed = 1;
    c->els_taken++;
}

/* OK, or why the item is refused: it is checked before anything of it is kept. */
ELS_PRIVATE elelem_status els_coalescer_check(elelem_event_coalescer *c, const elelem_record_item *item)
{
    size_t size = item->kind == ELELEM_RECORD_EVENT ? item->extra.size : item->line.size;

    if (size > c->els_open.els_allowance.els_max) return ELELEM_ERROR_LINE_SIZE;
    if (item->kind == ELELEM_RECORD_EVENT) return els_line_check_item(&c->els_check, item);
    return els_line_check_object(&c->els_check, item->line);
}

elelem_status elelem_event_coalescer_push_item(elelem_event_coalescer *coalescer, const elelem_record_item *item)
{
    elelem_status status = els_coalescer_ready(coalescer, item);

    if (status == ELELEM_OK) status = els_coalescer_check(coalescer, item);
    if (status != ELELEM_OK) return status;
    els_coalescer_take(coalescer, item);
    return ELELEM_OK;
}

elelem_status elelem_event_coalescer_push(elelem_event_coalescer *coalescer, const elelem_event *event)
{
    elelem_record_item item;

    els_item_of_event(&item, event, els_str(NULL, 0), -1);
    return elelem_event_coalescer_push_item(coalescer, &item);
}

elelem_status elelem_event_coalescer_push_line(elelem_event_coalescer *coalescer, elelem_str line)
{
    elelem_record_item item;
    elelem_status status;

    memset(&item, 0, sizeof item);
    item.kind = ELELEM_RECORD_LINE;
    item.line = line;
    status = els_coalescer_ready(coalescer, &item);
    if (status == ELELEM_OK) status = els_coalescer_check(coalescer, &item);
    if (status == ELELEM_OK) status = els_line_read(&coalescer->els_reader, els_trimmed(line), 0, &item);
    if (status == ELELEM_OK) els_coalescer_take(coalescer, &item);
    return status;
}

void elelem_event_coalescer_finish(elelem_event_coalescer *coalescer)
{
    if (coalescer->els_open.els_max > 0 && !els_debt_close(&coalescer->els_owed)) coalescer->els_finished = 1;
}

elelem_error elelem_event_coalescer_error(const elelem_event_coalescer *coalescer)
{
    if (coalescer->els_open.els_max == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    if (coalescer->els_status == ELELEM_ERROR_MISUSE) return els_lost_error(coalescer->els_taken);
    return els_error((elelem_status)coalescer->els_status, coalescer->els_status ? coalescer->els_taken : 0);
}

void elelem_event_coalescer_reset(elelem_event_coalescer *coalescer)
{
    els_coalesce_drop_run(coalescer);
    els_coalesce_forget(coalescer);
    els_calls_clear(&coalescer->els_open);
    coalescer->els_status = ELELEM_OK;
    coalescer->els_given = ELS_COALESCED_NOTHING;
    coalescer->els_owed.state = ELS_DEBT_NONE;
    coalescer->els_taken = 0;
    coalescer->els_pushed = 0;
    coalescer->els_finished = 0;
}

/* The most bytes of the line of a call: those it is made of, again what escapes add to them, and its names. */
ELS_PRIVATE size_t els_coalesce_line_limit(const elelem_event_coalescer *c)
{
    return els_sum(els_product((size_t)c->els_open.els_allowance.els_max, 2), 1024);
}

void elelem_event_coalescer_init(elelem_event_coalescer *coalescer, const elelem_event_coalescer_desc *desc)
{
    elelem_event_coalescer_desc defaults = ELELEM_INIT;
    const elelem_event_coalescer_desc *d = desc ? desc : &defaults;

    memset(coalescer, 0, sizeof *coalescer);
    els_calls_init(&coalescer->els_open, d->allocator, d->max_bytes, d->max_calls);
    els_line_reader_init(&coalescer->els_reader, d->allocator);
    els_line_check_init(&coalescer->els_check, d->allocator, ELS_LINE_DEPTH, 1);
    els_meta_init(&coalescer->els_meta_of_run, d->allocator);
    els_meta_init(&coalescer->els_meta_announced, d->allocator);
    elelem_buffer_init(&coalescer->els_run, d->allocator, 0);
    elelem_buffer_init(&coalescer->els_caption, d->allocator, 0);
    elelem_buffer_init(&coalescer->els_announced, d->allocator, 0);
    elelem_buffer_init(&coalescer->els_out, d->allocator, els_coalesce_line_limit(coalescer));
}

void elelem_event_coalescer_free(elelem_event_coalescer *coalescer)
{
    els_meta_free(&coalescer->els_meta_of_run, &coalescer->els_open.els_allowance);
    els_meta_free(&coalescer->els_meta_announced, &coalescer->els_open.els_allowance);
    els_calls_free(&coalescer->els_open);
    els_line_reader_free(&coalescer->els_reader);
    elelem_fragment_parser_free(&coalescer->els_check);
    elelem_buffer_free(&coalescer->els_run);
    elelem_buffer_free(&coalescer->els_caption);
    elelem_buffer_free(&coalescer->els_announced);
    elelem_buffer_free(&coalescer->els_out);
    memset(coalescer, 0, sizeof *coalescer);
}

/* >> history */

static const char *const els_history_words[] = { "", "cancelled", "broken" };

ELS_PRIVATE void els_line_put_history(elelem_writer *writer, const elelem_history_entry *entry)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_text(writer, "role", elelem_str_of(entry->role == ELELEM_HISTORY_USER ? "USER" : "AI"));
    if (entry->has_text) els_put_text(writer, "text", entry->text);
    if (entry->events.size > 0) els_put_json(writer, "events", entry->events);
    if (entry->state > ELELEM_HISTORY_COMPLETE && entry->state <= ELELEM_HISTORY_BROKEN)
        els_put_text(writer, "incomplete", elelem_str_of(els_history_words[entry->state]));
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

elelem_status elelem_history_entry_write(const elelem_history_entry *entry, elelem_sink sink)
{
    elelem_writer writer;

    if (!entry->has_text && entry->events.size == 0) return ELELEM_ERROR_MISUSE;
    elelem_writer_init(&writer, els_line_sink(&sink), 0);
    els_line_put_history(&writer, entry);
    return els_writer_status(&writer);
}

int elelem_history_entry_event(const elelem_history_entry *entry, size_t *at, elelem_str *line)
{
    els_cursor in = els_cursor_of(entry->events.data, entry->events.size);

    if (entry->events.size < 2 || *at >= entry->events.size) return 0;
    in.at += *at > 0 ? *at : 1;
    if (!els_line_next_value(&in, line)) return 0;
    *at = entry->events.size - (size_t)(in.end - in.at);
    return 1;
}

/* The builder. */

#define ELS_HISTORY_KEEP_TEXT 1u
#define ELS_HISTORY_KEEP_EVENTS 2u

ELS_PRIVATE elelem_status els_history_fail(elelem_history_builder *b, elelem_status status)
{
    if (status < 0) b->els_status = status;
    return status;
}

/* Moves what the coalescer has into the array of events. */
ELS_PRIVATE elelem_status els_history_drain(elelem_history_builder *b)
{
    elelem_record_item item;
    elelem_status status;

    while ((status = elelem_event_coalescer_next(&b->els_coalescer, &item)) == ELELEM_OK) {
        b->els_recorder.els_sink = elelem_buffer_sink(&b->els_events);
        status = elelem_recorder_push_item(&b->els_recorder, &item);
        if (status != ELELEM_OK) break;
    }
    return status < 0 ? els_history_fail(b, status) : ELELEM_OK;
}

ELS_PRIVATE void els_history_decide(elelem_history_builder *b, elelem_history_state state)
{
    if (!b->els_marked) b->els_state = (uint8_t)state;
    b->els_marked = 1;
}

/* Reads from an item how the turn ended. */
ELS_PRIVATE void els_history_see_end(elelem_history_builder *b, const elelem_record_item *item)
{
    if (els_item_is_kind(item, ELELEM_EVENT_ERROR)) {
        int is_cancelled = item->event.error.kind == ELELEM_ERROR_KIND_CANCELLED;
        els_history_decide(b, is_cancelled ? ELELEM_HISTORY_CANCELLED : ELELEM_HISTORY_BROKEN);
    } else if (elelem_str_is(item->type, "ChatCompleted")) {
        els_history_decide(b, ELELEM_HISTORY_COMPLETE);
    }
}

ELS_PRIVATE elelem_status els_history_text(elelem_history_builder *b, elelem_str text)
{
    b->els_has_text = 1;
    return els_history_fail(b, elelem_buffer_append(&b->els_text, text.data, text.size));
}

/* Takes the text, the end and the events of the item that the coalescer was given. */
ELS_PRIVATE elelem_status els_history_take(elelem_history_builder *b)
{
    const elelem_record_item *item = &b->els_coalescer.els_item;
    const elelem_event *event = &item->event;
    elelem_status status = ELELEM_OK;

    els_history_see_end(b, item);
    if ((b->els_keep & ELS_HISTORY_KEEP_TEXT) && !b->els_text_set && els_item_is_text(item) &&
        event->part.kind == ELELEM_PART_MESSAGE && event->choice == 0)
        status = els_history_text(b, event->part.text);
    if (status != ELELEM_OK) return status;
    if (b->els_keep & ELS_HISTORY_KEEP_EVENTS) return els_history_drain(b);
    b->els_coalescer.els_pushed = 0;
    return ELELEM_OK;
}

/* Takes back the item that the coalescer was given if the reader of entries would refuse it: a line without an
   eventType. Nothing has changed then. */
ELS_PRIVATE elelem_status els_history_check_item(elelem_history_builder *b)
{
    elelem_event_coalescer *c = &b->els_coalescer;
    elelem_str type;
    elelem_status status;

    if (c->els_item.kind == ELELEM_RECORD_EVENT) return ELELEM_OK;
    status = els_line_find_type(c->els_item.line, &type);
    if (status != ELELEM_OK) {
        c->els_pushed = 0;
        c->els_taken--;
    }
    return status;
}

ELS_PRIVATE elelem_status els_history_ready(const elelem_history_builder *b)
{
    if (b->els_status != ELELEM_OK) return (elelem_status)b->els_status;
    return b->els_finished || b->els_text.els_max == 0 ? ELELEM_ERROR_MISUSE : ELELEM_OK;
}

elelem_status elelem_history_builder_push(elelem_history_builder *builder, const elelem_event *event)
{
    elelem_status status = els_history_ready(builder);

    if (status == ELELEM_OK) status = elelem_event_coalescer_push(&builder->els_coalescer, event);
    if (status != ELELEM_OK) return status;
    if (!builder->els_marked) builder->els_state = ELELEM_HISTORY_BROKEN; /* until its stream's end is pushed */
    return els_history_take(builder);
}

elelem_status elelem_history_builder_push_item(elelem_history_builder *builder, const elelem_record_item *item)
{
    elelem_status status = els_history_ready(builder);

    if (status == ELELEM_OK) status = elelem_event_coalescer_push_item(&builder->els_coalescer, item);
    if (status == ELELEM_OK) status = els_history_check_item(builder);
    return status == ELELEM_OK ? els_history_take(builder) : status;
}

elelem_status elelem_history_builder_push_line(elelem_history_builder *builder, elelem_str line)
{
    elelem_status status = els_history_ready(builder);

    if (status == ELELEM_OK) status = elelem_event_coalescer_push_line(&builder->els_coalescer, line);
    if (status == ELELEM_OK) status = els_history_check_item(builder);
    return status == ELELEM_OK ? els_history_take(builder) : status;
}

elelem_status elelem_history_builder_push_text(elelem_history_builder *builder, elelem_str text)
{
    elelem_status status = els_history_ready(builder);

    return status == ELELEM_OK ? els_history_text(builder, text) : status;
}

elelem_status elelem_history_builder_set_text(elelem_history_builder *builder, elelem_str text)
{
    elelem_status status = els_history_ready(builder);

    if (status != ELELEM_OK) return status;
    elelem_buffer_clear(&builder->els_text);
    builder->els_text_set = 1;
    return els_history_text(builder, text);
}

void elelem_history_builder_mark(elelem_history_builder *builder, elelem_history_state state)
{
    builder->els_state = (uint8_t)state;
    builder->els_marked = 1;
}

ELS_PRIVATE elelem_status els_history_add_size(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)context += size;
    return ELELEM_OK;
}

/* How many bytes the entry has when it is written. */
ELS_PRIVATE uint64_t els_history_size(const elelem_history_entry *entry)
{
    uint64_t size = 0;
    elelem_sink counter;
    elelem_writer writer;

    counter.write = els_history_add_size;
    counter.context = &size;
    elelem_writer_init(&writer, els_line_sink(&counter), 0);
    els_line_put_history(&writer, entry);
    return size;
}

ELS_PRIVATE void els_history_fill_entry(const elelem_history_builder *b, elelem_history_entry *entry)
{
    entry->role = b->els_role;
    entry->state = b->els_state;
    entry->has_text = b->els_has_text;
    entry->text = elelem_buffer_text(&b->els_text);
    if (b->els_recorder.els_count > 0) entry->events = elelem_buffer_text(&b->els_events);
}

/* Ends the events. An entry that is longer than max_bytes when it is written would be refused by a reader with the
   same limit. */
ELS_PRIVATE elelem_status els_history_close(elelem_history_builder *b)
{
    elelem_history_entry entry = ELELEM_INIT;
    elelem_status status;

    elelem_event_coalescer_finish(&b->els_coalescer);
    status = els_history_drain(b);
    if (status == ELELEM_OK && b->els_recorder.els_count > 0)
        status = els_history_fail(b, elelem_buffer_append(&b->els_events, "]", 1));
    if (status != ELELEM_OK) return status;
    els_history_fill_entry(b, &entry);
    if (els_history_size(&entry) <= b->els_text.els_max) return ELELEM_OK;
    return els_history_fail(b, ELELEM_ERROR_VALUE_SIZE);
}

void elelem_history_builder_finish(elelem_history_builder *builder)
{
    if (els_history_ready(builder) != ELELEM_OK) return;
    builder->els_finished = 1;
    els_history_close(builder); /* an error sticks, and is the entry's */
}

elelem_status elelem_history_builder_entry(elelem_history_builder *builder, elelem_history_entry *entry)
{
    memset(entry, 0, sizeof *entry);
    if (builder->els_status != ELELEM_OK) return (elelem_status)builder->els_status;
    if (!builder->els_finished) return ELELEM_ERROR_MISUSE;
    els_history_fill_entry(builder, entry);
    return entry->has_text || entry->events.size > 0 ? ELELEM_OK : ELELEM_ERROR_MISUSE;
}

elelem_error elelem_history_builder_error(const elelem_history_builder *builder)
{
    elelem_status status = (elelem_status)builder->els_status;

    if (builder->els_text.els_max == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    return els_error(status, status == ELELEM_OK ? 0 : builder->els_coalescer.els_taken);
}

void elelem_history_builder_reset(elelem_history_builder *builder)
{
    elelem_event_coalescer_reset(&builder->els_coalescer);
    elelem_recorder_reset(&builder->els_recorder);
    elelem_buffer_clear(&builder->els_text);
    elelem_buffer_clear(&builder->els_events);
    builder->els_status = ELELEM_OK;
    builder->els_state = ELELEM_HISTORY_COMPLETE;
    builder->els_has_text = 0;
    builder->els_text_set = 0;
    builder->els_marked = 0;
    builder->els_finished = 0;
}

void elelem_history_builder_init(elelem_history_builder *builder, const elelem_history_builder_desc *desc)
{
    elelem_history_builder_desc defaults = ELELEM_INIT;
    const elelem_history_builder_desc *d = desc ? desc : &defaults;
    elelem_event_coalescer_desc coalescer = ELELEM_INIT;
    elelem_recorder_desc recorder = ELELEM_INIT;
    uint32_t max_bytes = ELS_DEFAULT(d->max_bytes, 64u << 20);

    memset(builder, 0, sizeof *builder);
    coalescer.allocator = recorder.allocator = d->allocator;
    coalescer.max_bytes = max_bytes;
    coalescer.max_calls = d->max_calls;
    recorder.format = ELS_RECORD_ELEMENTS;
    elelem_event_coalescer_init(&builder->els_coalescer, &coalescer);
    elelem_recorder_init(&builder->els_recorder, &recorder);
    elelem_buffer_init(&builder->els_text, d->allocator, max_bytes);
    elelem_buffer_init(&builder->els_events, d->allocator, max_bytes);
    builder->els_role = d->role;
    builder->els_keep =
        (uint8_t)((d->events_only ? 0 : ELS_HISTORY_KEEP_TEXT) | (d->text_only ? 0 : ELS_HISTORY_KEEP_EVENTS));
}

void elelem_history_builder_free(elelem_history_builder *builder)
{
    elelem_event_coalescer_free(&builder->els_coalescer);
    elelem_recorder_free(&builder->els_recorder);
    elelem_buffer_free(&builder->els_text);
    elelem_buffer_free(&builder->els_events);
    memset(builder, 0, sizeof *builder);
}

/* The reader of entries. */

/* What it waits for. */
typedef enum els_history_reading {
    ELS_HISTORY_ENTRY, /* more of the entry, or its end */
    ELS_HISTORY_GIVEN, /* nothing: the entry was returned */
    ELS_HISTORY_FAILED /* nothing: an error sticks */
} els_history_reading;

typedef enum els_history_member {
    ELS_HISTORY_ROLE,
    ELS_HISTORY_TEXT,
    ELS_HISTORY_EVENTS,
    ELS_HISTORY_INCOMPLETE,
    ELS_HISTORY_MEMBERS
} els_history_member;

static const char *const els_history_names[] = { "role", "text", "events", "incomplete" };

ELS_PRIVATE elelem_status els_history_refuse(elelem_history_reader *r, elelem_status status, uint64_t offset)
{
    r->els_status = status;
    r->els_error_offset = offset;
    r->els_state = ELS_HISTORY_FAILED;
    return status;
}

/* The same, if the fault is in the text that was kept. */
ELS_PRIVATE elelem_status els_history_refuse_at(elelem_history_reader *r, elelem_status status, elelem_str where)
{
    return els_history_refuse(r, status, (uint64_t)(where.data - elelem_buffer_text(&r->els_kept).data));
}

/* Validates and keeps what was pushed. */
ELS_PRIVATE elelem_status els_history_keep(elelem_history_reader *r)
{
    size_t size = (size_t)(r->els_lent.bytes.end - r->els_lent.bytes.at);
    size_t left = r->els_kept.els_max - r->els_kept.els_size;
    elelem_str piece = els_str(r->els_lent.bytes.at, size < left ? size : left);
    elelem_status status = els_line_check_piece(&r->els_check, piece);

    if (status != ELELEM_OK) return els_history_refuse(r, status, elelem_fragment_parser_error(&r->els_check).offset);
    if (size > left) return els_history_refuse(r, ELELEM_ERROR_VALUE_SIZE, r->els_kept.els_max);
    status = elelem_buffer_append(&r->els_kept, piece.data, piece.size);
    if (status != ELELEM_OK) return els_history_refuse(r, status, r->els_kept.els_size);
    r->els_lent.bytes.at = r->els_lent.bytes.end;
    return ELELEM_OK;
}

/* Reads a string that must be one of `count` words. */
ELS_PRIVATE elelem_status els_history_word(elelem_history_reader *r, elelem_str value, const char *const *words,
                                           size_t count, uint8_t *which)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(&r->els_reader, value, &word);
    size_t i;

    if (status != ELELEM_OK) return els_history_refuse_at(r, status, value);
    for (i = 0; i < count; i++) {
        *which = (uint8_t)i;
        if (elelem_str_is(word, words[i])) return ELELEM_OK;
    }
    return els_history_refuse_at(r, ELELEM_ERROR_PROTOCOL, value);
}

ELS_PRIVATE elelem_status els_history_check_event(elelem_history_reader *r, elelem_str event)
{
    elelem_str type;
    elelem_status status;

    if (event.data[0] != '{') return els_history_refuse_at(r, ELELEM_ERROR_TYPE, event);
    status = els_line_find_type(event, &type);
    return status == ELELEM_OK ? status : els_history_refuse_at(r, status, status == ELELEM_ERROR_TYPE ? type : event);
}

ELS_PRIVATE elelem_status els_history_check_events(elelem_history_reader *r, elelem_str events)
{
    elelem_status status = ELELEM_OK;
    els_cursor in;
    elelem_str event;

    if (events.size == 0) return ELELEM_OK;
    if (events.data[0] != '[') return els_history_refuse_at(r, ELELEM_ERROR_TYPE, events);
    in = els_line_inside(events);
    while (status == ELELEM_OK && els_line_next_value(&in, &event))
        status = els_history_check_event(r, event);
    return status;
}

ELS_PRIVATE elelem_status els_history_fill(elelem_history_reader *r, const elelem_str *values,
                                           elelem_history_entry *entry)
{
    static const char *const roles[] = { "AI", "USER" };
    elelem_status status = els_history_word(r, values[ELS_HISTORY_ROLE], roles, 2, &entry->role);

    if (status != ELELEM_OK) return status;
    if (values[ELS_HISTORY_INCOMPLETE].size > 0) {
        status = els_history_word(r, values[ELS_HISTORY_INCOMPLETE], els_history_words + 1, 2, &entry->state);
        entry->state++;
    }
    if (status != ELELEM_OK) return status;
    status = els_line_reader_text(&r->els_reader, values[ELS_HISTORY_TEXT], &entry->text);
    if (status != ELELEM_OK) return els_history_refuse_at(r, status, values[ELS_HISTORY_TEXT]);
    entry->has_text = values[ELS_HISTORY_TEXT].size > 0;
    entry->events = values[ELS_HISTORY_EVENTS];
    return els_history_check_events(r, entry->events);
}

/* Reads the entry, which is whole and JSON. */
ELS_PRIVATE elelem_status els_history_read(elelem_history_reader *r, elelem_history_entry *entry)
{
    elelem_str object = els_trimmed(elelem_buffer_text(&r->els_kept));
    elelem_str values[ELS_HISTORY_MEMBERS];

    memset(entry, 0, sizeof *entry);
    if (object.data[0] != '{') return els_history_refuse_at(r, ELELEM_ERROR_TYPE, object);
    els_line_reader_start(&r->els_reader, object);
    els_line_members(object, els_history_names, ELS_HISTORY_MEMBERS, values);
    if (values[ELS_HISTORY_ROLE].size == 0 ||
        (values[ELS_HISTORY_TEXT].size == 0 && values[ELS_HISTORY_EVENTS].size == 0))
        return els_history_refuse_at(r, ELELEM_ERROR_PROTOCOL, object);
    return els_history_fill(r, values, entry);
}

elelem_status elelem_history_reader_push(elelem_history_reader *reader, const void *bytes, size_t size)
{
    if (reader->els_state == ELS_HISTORY_FAILED) return (elelem_status)reader->els_status;
    return els_input_push(&reader->els_lent, bytes, size);
}

elelem_status elelem_history_reader_next(elelem_history_reader *reader, elelem_history_entry *entry)
{
    elelem_status status;

    if (reader->els_state == ELS_HISTORY_FAILED) return (elelem_status)reader->els_status;
    if (reader->els_state == ELS_HISTORY_GIVEN) return ELELEM_END;
    status = els_history_keep(reader);
    if (status != ELELEM_OK) return status;
    if (!reader->els_lent.finished) {
        status = els_input_more(&reader->els_lent);
        if (status == ELELEM_MORE) return status;
        return els_history_refuse(reader, status, els_input_offset(&reader->els_lent));
    }
    status = els_line_check_end(&reader->els_check);
    if (status != ELELEM_OK)
        return els_history_refuse(reader, status, elelem_fragment_parser_error(&reader->els_check).offset);
    status = els_history_read(reader, entry);
    if (status == ELELEM_OK) reader->els_state = ELS_HISTORY_GIVEN;
    return status;
}

void elelem_history_reader_finish(elelem_history_reader *reader)
{
    els_input_finish(&reader->els_lent);
}

elelem_error elelem_history_reader_error(const elelem_history_reader *reader)
{
    return els_input_error(&reader->els_lent, (elelem_status)reader->els_status, reader->els_error_offset);
}

ELS_PRIVATE void els_history_reader_start(elelem_history_reader *reader)
{
    elelem_fragment_parser_reset(&reader->els_check);
    elelem_buffer_clear(&reader->els_kept);
    els_input_start(&reader->els_lent, 0);
    reader->els_error_offset = 0;
    reader->els_status = ELELEM_OK;
    reader->els_state = ELS_HISTORY_ENTRY;
}

void elelem_history_reader_reset(elelem_history_reader *reader)
{
    if (reader->els_lent.state != ELS_INPUT_NONE) els_history_reader_start(reader);
}

void elelem_history_reader_init(elelem_history_reader *reader, const elelem_history_reader_desc *desc)
{
    elelem_history_reader_desc defaults = ELELEM_INIT;
    const elelem_history_reader_desc *d = desc ? desc : &defaults;

    memset(reader, 0, sizeof *reader);
    els_line_check_init(&reader->els_check, d->allocator, ELS_LINE_ENTRY_DEPTH, 1);
    els_line_reader_init(&reader->els_reader, d->allocator);
    elelem_buffer_init(&reader->els_kept, d->allocator, ELS_DEFAULT(d->max_bytes, 64u << 20));
    els_history_reader_start(reader);
}

void elelem_history_reader_free(elelem_history_reader *reader)
{
    elelem_fragment_parser_free(&reader->els_check);
    els_line_reader_free(&reader->els_reader);
    elelem_buffer_free(&reader->els_kept);
    memset(reader, 0, sizeof *reader);
}

/* >> item_reader */

/* What the reader does next, once the builder has nothing more to return. */
typedef enum els_item_reading {
    ELS_READ_NEXT,  /* takes the next line of the entry, else of the input */
    ELS_READ_TAKE,  /* finds out what the current line means */
    ELS_READ_QUEUE, /* pushes the events that it means */
    ELS_READ_CUT,   /* drains the builder */
    ELS_READ_GIVE,  /* returns the current line unchanged */
    ELS_READ_OVER
} els_item_reading;

/* The members of a line that elelem_item_write wrote. */
typedef enum els_stored {
    ELS_STORED_TYPE,
    ELS_STORED_INDEX,
    ELS_STORED_CHOICE,
    ELS_STORED_STATE,
    ELS_STORED_METADATA,
    ELS_STORED_TEXT,
    ELS_STORED_VALUE,
    ELS_STORED_ID,
    ELS_STORED_NAME,
    ELS_STORED_CALL_TYPE,
    ELS_STORED_ARGUMENTS,
    ELS_STORED_ARGUMENTS_TEXT,
    ELS_STORED_PARTIAL_ARGUMENTS,
    ELS_STORED_ITEM_TYPE,
    ELS_STORED_HOSTED,
    ELS_STORED_CAPTION,
    ELS_STORED_ITEM,
    ELS_STORED_MEMBERS
} els_stored;

static const char *const els_stored_names[] = {
    "type",      "index",         "choice",           "state",    "metadata", "text",    "value", "id", "name", "callType",
    "arguments", "argumentsText", "partialArguments", "itemType", "hosted",   "caption", "item",
};

/* The members of a BeforeToolExecution line that no other line has. */
static const char *const els_before_names[] = { "input", "inputText" };

#define ELS_READ_NO_INDEX 0xffffffffu

ELS_PRIVATE elelem_status els_read_fail(elelem_item_reader *r, elelem_status status)
{
    r->els_status = status;
    r->els_phase = ELS_READ_OVER;
    return status;
}

/* The queue. */

ELS_PRIVATE elelem_event *els_read_add(elelem_item_reader *r, elelem_event_kind kind, uint32_t index, uint32_t choice)
{
    elelem_event *event = &r->els_queue[r->els_queued++];

    memset(event, 0, sizeof *event);
    event->kind = (uint8_t)kind;
    event->index = index;
    event->choice = choice;
    return event;
}

/* Adds the end of the item whose parts are in the queue. */
ELS_PRIVATE void els_read_add_flush(elelem_item_reader *r, int cut_off)
{
    const elelem_event *first = &r->els_queue[0];

    els_read_add(r, ELELEM_EVENT_FLUSH, first->index, first->choice)->cut_off = cut_off != 0;
}

ELS_PRIVATE void els_read_add_arguments(elelem_item_reader *r, elelem_str json)
{
    const elelem_event *first = &r->els_queue[0];
    elelem_event *event;

    if (json.size == 0) return;
    event = els_read_add(r, ELELEM_EVENT_PART, first->index, first->choice);
    event->part.kind = ELELEM_PART_TOOL_CALL;
    event->part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
    event->part.tool_call.text = json;
}

/* Ends what is open: the response is over, and whole. Returns 0 if nothing is. */
ELS_PRIVATE int els_read_flush_one(elelem_item_reader *r)
{
    elelem_event flush = ELELEM_INIT;
    const els_row *row;

    if (r->els_builder.els_open == 0) return 0;
    row = els_builder_row(&r->els_builder, els_builder_order(&r->els_builder)[0]);
    flush.kind = ELELEM_EVENT_FLUSH;
    flush.index = row->index;
    flush.choice = row->choice;
    elelem_event_builder_push(&r->els_builder, &flush); /* cannot be refused: the item is open and has no metadata */
    return 1;
}

/* Lines of items. */

ELS_PRIVATE elelem_status els_read_call(elelem_item_reader *r, const elelem_str *stored, elelem_event *event)
{
    elelem_tool_call_part *call = &event->part.tool_call;
    elelem_str arguments = stored[ELS_STORED_ARGUMENTS];
    elelem_status status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_ID], &call->id);

    if (status == ELELEM_OK) status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_NAME], &call->name);
    if (status == ELELEM_OK) status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_CALL_TYPE], &call->type);
    if (arguments.size == 0) arguments = stored[ELS_STORED_PARTIAL_ARGUMENTS];
    if (status == ELELEM_OK && stored[ELS_STORED_ARGUMENTS_TEXT].size > 0)
        status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_ARGUMENTS_TEXT], &arguments);
    els_read_add_arguments(r, arguments);
    return status;
}

ELS_PRIVATE elelem_status els_read_provider_item(elelem_item_reader *r, const elelem_str *stored, elelem_event_part *part)
{
    elelem_status status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_ITEM_TYPE], &part->type);

    if (status == ELELEM_OK) status = els_line_read_bool(stored[ELS_STORED_HOSTED], &part->hosted);
    if (status == ELELEM_OK) status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_CAPTION], &part->caption);
    part->text = stored[ELS_STORED_ITEM];
    if (status != ELELEM_OK || part->text.size > 0) return status;
    return els_line_reader_text(&r->els_reader, stored[ELS_STORED_TEXT], &part->text);
}

ELS_PRIVATE elelem_status els_read_content(elelem_item_reader *r, const elelem_str *stored, elelem_event *event)
{
    if (event->part.kind == ELELEM_PART_TOOL_CALL) return els_read_call(r, stored, event);
    if (event->part.kind == ELELEM_PART_PROVIDER_ITEM) return els_read_provider_item(r, stored, &event->part);
    event->part.text = stored[ELS_STORED_VALUE];
    if (event->part.text.size > 0) return ELELEM_OK;
    return els_line_reader_text(&r->els_reader, stored[ELS_STORED_TEXT], &event->part.text);
}

/* Puts the events of an item's own line into the queue. ERROR_TYPE: it is not such a line. */
ELS_PRIVATE elelem_status els_read_stored(elelem_item_reader *r)
{
    elelem_str stored[ELS_STORED_MEMBERS];
    elelem_event *event;
    uint32_t index = 0, choice = 0;
    uint8_t kind;
    elelem_status status;

    r->els_queued = 0;
    r->els_state = ELELEM_ITEM_COMPLETE;
    els_line_reader_start(&r->els_reader, r->els_item.line);
    els_line_members(r->els_item.line, els_stored_names, ELS_STORED_MEMBERS, stored);
    status = els_line_read_word(&r->els_reader, stored[ELS_STORED_TYPE], els_part_name, ELELEM_PART_PROVIDER_ITEM + 1, &kind);
    if (status == ELELEM_OK && stored[ELS_STORED_STATE].size > 0)
        status = els_line_read_word(&r->els_reader, stored[ELS_STORED_STATE], elelem_item_state_name,
                                    ELELEM_ITEM_LEFT_OUT + 1, &r->els_state);
    if (status == ELELEM_OK) status = els_line_read_32(stored[ELS_STORED_INDEX], &index);
    if (status == ELELEM_OK) status = els_line_read_32(stored[ELS_STORED_CHOICE], &choice);
    if (status != ELELEM_OK) return status;
    event = els_read_add(r, ELELEM_EVENT_PART, index, choice);
    event->part.kind = kind;
    status = els_line_read_metadata(&r->els_reader, stored[ELS_STORED_METADATA], &event->metadata);
    if (status == ELELEM_OK) status = els_read_content(r, stored, event);
    if (r->els_state == ELELEM_ITEM_COMPLETE) els_read_add_flush(r, 0);
    return status;
}

/* Puts the events of a BeforeToolExecution line into the queue. ERROR_TYPE: it is not one that a recorder writes. */
ELS_PRIVATE elelem_status els_read_before(elelem_item_reader *r)
{
    elelem_str fields[ELS_LINE_FIELD_COUNT], input[2], text = els_str(NULL, 0);
    elelem_event *event;
    uint32_t index = 0, choice = 0;
    elelem_status status;

    r->els_queued = 0;
    els_line_reader_start(&r->els_reader, r->els_item.line);
    els_line_members(r->els_item.line, els_line_field_names, ELS_LINE_FIELD_COUNT, fields);
    els_line_members(r->els_item.line, els_before_names, 2, input);
    status = els_line_read_32(fields[ELS_LINE_FIELD_INDEX], &index);
    if (status == ELELEM_OK) status = els_line_read_32(fields[ELS_LINE_FIELD_CHOICE], &choice);
    if (status != ELELEM_OK) return status;
    if (fields[ELS_LINE_FIELD_INDEX].size == 0) index = ELS_READ_NO_INDEX;
    event = els_read_add(r, ELELEM_EVENT_PART, index, choice);
    event->part.kind = ELELEM_PART_TOOL_CALL;
    status = els_line_read_metadata(&r->els_reader, fields[ELS_LINE_FIELD_METADATA], &event->metadata);
    if (status == ELELEM_OK) status = els_line_read_call_start(&r->els_reader, fields, &event->part.tool_call);
    if (status == ELELEM_OK) status = els_line_reader_text(&r->els_reader, input[1], &text);
    if (status != ELELEM_OK) return status;
    els_read_add_arguments(r, input[0].size > 0 ? input[0] : text);
    els_read_add_flush(r, input[0].size == 0 && input[1].size > 0);
    return ELELEM_OK;
}

/* Nonzero if the events of the call in the queue come too. */
ELS_PRIVATE int els_read_is_open(const elelem_item_reader *r)
{
    uint32_t at;

    return els_builder_find(&r->els_builder, r->els_queue[0].index, &at) != NULL;
}

/* Entries of a history. */

/* Reads an entry. ERROR_TYPE: the line is none. */
ELS_PRIVATE elelem_status els_read_entry(elelem_item_reader *r)
{
    static const char *const roles[] = { "AI", "USER" };
    elelem_str values[ELS_HISTORY_MEMBERS], role;
    elelem_history_entry *entry = &r->els_entry;
    elelem_status status;

    els_line_reader_start(&r->els_reader, r->els_item.line);
    els_line_members(r->els_item.line, els_history_names, ELS_HISTORY_MEMBERS, values);
    status = els_line_reader_text(&r->els_reader, values[ELS_HISTORY_ROLE], &role);
    if (status != ELELEM_OK) return status;
    if (!elelem_str_is(role, roles[0]) && !elelem_str_is(role, roles[1])) return ELELEM_ERROR_TYPE;
    memset(entry, 0, sizeof *entry);
    entry->role = elelem_str_is(role, roles[1]) ? ELELEM_HISTORY_USER : ELELEM_HISTORY_AI;
    entry->events = values[ELS_HISTORY_EVENTS];
    if (entry->events.size > 0) return entry->events.data[0] == '[' ? ELELEM_OK : ELELEM_ERROR_TYPE;
    entry->has_text = 1;
    return els_line_reader_text(&r->els_reader, values[ELS_HISTORY_TEXT], &entry->text);
}

/* Puts the text of an entry that has no events into the queue. */
ELS_PRIVATE void els_read_entry_text(elelem_item_reader *r)
{
    r->els_queued = 0;
    els_read_add(r, ELELEM_EVENT_PART, 0, 0)->part.text = r->els_entry.text;
    els_read_add_flush(r, 0);
}

/* Taking lines. */

ELS_PRIVATE elelem_status els_read_give(elelem_item_reader *r, elelem_read_item *item)
{
    item->kind = ELELEM_READ_LINE;
    item->role = r->els_entry.role;
    item->line = r->els_item.line;
    item->type = r->els_item.type;
    r->els_phase = ELS_READ_NEXT;
    return ELELEM_OK;
}

/* The next line: of the entry, else of the input. */
ELS_PRIVATE elelem_status els_read_next(elelem_item_reader *r)
{
    elelem_str line;
    elelem_status status;

    r->els_state = ELELEM_ITEM_COMPLETE;
    if (elelem_history_entry_event(&r->els_entry, &r->els_entry_at, &line)) {
        status = line.data[0] == '{' ? els_line_read(&r->els_reader, line, 0, &r->els_item) : ELELEM_ERROR_TYPE;
    } else {
        memset(&r->els_entry, 0, sizeof r->els_entry);
        r->els_entry_at = 0;
        status = elelem_replayer_next(&r->els_replayer, &r->els_item);
    }
    if (status == ELELEM_END && r->els_builder.els_open > 0) {
        r->els_phase = ELS_READ_CUT;
        r->els_item.line = els_str(NULL, 0);
        return ELS_AGAIN;
    }
    if (status == ELELEM_OK) r->els_phase = ELS_READ_TAKE;
    return status == ELELEM_OK ? ELS_AGAIN : status < 0 ? els_read_fail(r, status) : status;
}

/* What the current line does, if it is one of those that are not events. */
ELS_PRIVATE elelem_status els_read_line(elelem_item_reader *r)
{
    elelem_status status = ELELEM_ERROR_TYPE;

    r->els_phase = ELS_READ_GIVE;
    if (elelem_str_is(r->els_item.type, "BeforeToolExecution")) {
        r->els_item.type = elelem_str_of("BeforeToolExecution"); /* what it points to is read again */
        status = els_read_before(r);
        if (status == ELELEM_OK) r->els_phase = els_read_is_open(r) ? ELS_READ_NEXT : ELS_READ_QUEUE;
        return status;
    }
    if (r->els_item.type.size > 0) return ELELEM_OK;
    status = els_read_stored(r);
    if (status == ELELEM_ERROR_TYPE) {
        status = r->els_entry.events.size > 0 ? ELELEM_ERROR_TYPE : els_read_entry(r);
        if (status != ELELEM_OK) return status;
        if (r->els_entry.has_text) els_read_entry_text(r);
        r->els_phase = r->els_entry.has_text ? ELS_READ_QUEUE : ELS_READ_NEXT;
    } else if (status == ELELEM_OK) {
        r->els_phase = ELS_READ_QUEUE;
    }
    return status;
}

/* Nonzero if the current line says that nothing more of what is open will come. */
ELS_PRIVATE int els_read_ends_open(const elelem_item_reader *r)
{
    if (r->els_item.kind == ELELEM_RECORD_LINE) return r->els_item.type.size == 0;
    return r->els_item.event.kind == ELELEM_EVENT_FINISHED;
}

ELS_PRIVATE elelem_status els_read_take(elelem_item_reader *r)
{
    const elelem_event *event = &r->els_item.event;
    elelem_status status;

    if (els_read_ends_open(r)) {
        if (els_read_flush_one(r)) return ELS_AGAIN;
        elelem_event_builder_reset(&r->els_builder);
    }
    if (r->els_item.kind == ELELEM_RECORD_LINE) {
        status = els_read_line(r);
        return status == ELELEM_OK || status == ELELEM_ERROR_TYPE ? ELS_AGAIN : els_read_fail(r, status);
    }
    r->els_queued = 0;
    r->els_phase = event->kind == ELELEM_EVENT_ERROR ? ELS_READ_CUT : ELS_READ_GIVE;
    if (event->kind != ELELEM_EVENT_PART && event->kind != ELELEM_EVENT_FLUSH) return ELS_AGAIN;
    r->els_queue[r->els_queued++] = *event;
    r->els_phase = ELS_READ_QUEUE;
    return ELS_AGAIN;
}

/* Pushes the next event of the queue. An event that fits no open item changes nothing. */
ELS_PRIVATE elelem_status els_read_push(elelem_item_reader *r)
{
    elelem_status status;

    if (r->els_taken == r->els_queued) {
        r->els_taken = 0;
        r->els_phase = r->els_state == ELELEM_ITEM_COMPLETE ? ELS_READ_NEXT : ELS_READ_CUT;
        r->els_item.line = els_str(NULL, 0);
        return ELS_AGAIN;
    }
    status = elelem_event_builder_push(&r->els_builder, &r->els_queue[r->els_taken++]);
    return status == ELELEM_OK || status == ELELEM_ERROR_MISUSE ? ELS_AGAIN : els_read_fail(r, status);
}

ELS_PRIVATE elelem_status els_read_built(elelem_item_reader *r, elelem_read_item *item)
{
    if (r->els_built.kind != ELELEM_BUILT_ITEM) return ELS_AGAIN;
    item->kind = ELELEM_READ_ITEM;
    item->role = r->els_entry.role;
    item->item = r->els_built.item;
    if (r->els_state == ELELEM_ITEM_MALFORMED || r->els_state == ELELEM_ITEM_LEFT_OUT) item->item.state = r->els_state;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_read_step(elelem_item_reader *r, elelem_read_item *item)
{
    elelem_status status;

    if (r->els_phase == ELS_READ_OVER) return (elelem_status)r->els_status;
    status = elelem_event_builder_next(&r->els_builder, &r->els_built);
    if (status == ELELEM_OK) return els_read_built(r, item);
    if (status < 0) return els_read_fail(r, status);
    if (status == ELELEM_END) {
        elelem_event_builder_reset(&r->els_builder);
        r->els_phase = r->els_item.line.size > 0 ? ELS_READ_GIVE : ELS_READ_NEXT;
        return ELS_AGAIN;
    }
    switch ((els_item_reading)r->els_phase) {
    case ELS_READ_TAKE: return els_read_take(r);
    case ELS_READ_QUEUE: return els_read_push(r);
    case ELS_READ_CUT: elelem_event_builder_drain(&r->els_builder); return ELS_AGAIN;
    case ELS_READ_GIVE: return els_read_give(r, item);
    default: return els_read_next(r);
    }
}

elelem_status elelem_item_reader_push(elelem_item_reader *reader, const void *bytes, size_t size)
{
    if (reader->els_status != ELELEM_OK) return (elelem_status)reader->els_status;
    return elelem_replayer_push(&reader->els_replayer, bytes, size);
}

elelem_status elelem_item_reader_next(elelem_item_reader *reader, elelem_read_item *item)
{
    elelem_status status;

    if (reader->els_builder.els_max_open == 0) return ELELEM_ERROR_MISUSE;
    memset(item, 0, sizeof *item);
    do
        status = els_read_step(reader, item);
    while (status == ELS_AGAIN);
    return status;
}

void elelem_item_reader_finish(elelem_item_reader *reader)
{
    elelem_replayer_finish(&reader->els_replayer);
}

elelem_error elelem_item_reader_error(const elelem_item_reader *reader)
{
    elelem_error error = elelem_replayer_error(&reader->els_replayer);

    if (error.status != ELELEM_OK || reader->els_status == ELELEM_OK) return error;
    return els_error((elelem_status)reader->els_status, elelem_replayer_position(&reader->els_replayer).offset);
}

ELS_PRIVATE void els_item_reader_start(elelem_item_reader *r)
{
    memset(&r->els_entry, 0, sizeof r->els_entry);
    r->els_entry_at = 0;
    r->els_status = ELELEM_OK;
    r->els_phase = ELS_READ_NEXT;
    r->els_queued = r->els_taken = 0;
    r->els_state = ELELEM_ITEM_COMPLETE;
}

void elelem_item_reader_reset(elelem_item_reader *reader)
{
    elelem_replayer_reset(&reader->els_replayer);
    elelem_event_builder_reset(&reader->els_builder);
    els_item_reader_start(reader);
}

void elelem_item_reader_init(elelem_item_reader *reader, const elelem_item_reader_desc *desc)
{
    elelem_item_reader_desc defaults = ELELEM_INIT;
    const elelem_item_reader_desc *d = desc ? desc : &defaults;
    elelem_replayer_desc replayer = ELELEM_INIT;
    elelem_event_builder_desc builder = ELELEM_INIT;

    memset(reader, 0, sizeof *reader);
    replayer.allocator = builder.allocator = d->allocator;
    replayer.max_line_bytes = d->max_line_bytes;
    builder.max_bytes = d->max_bytes;
    builder.max_open = d->max_open;
    builder.keep_argument_text = d->keep_argument_text;
    elelem_replayer_init(&reader->els_replayer, &replayer);
    reader->els_replayer.els_check.els_max_depth = ELS_LINE_ENTRY_DEPTH;
    els_line_reader_init(&reader->els_reader, d->allocator);
    elelem_event_builder_init(&reader->els_builder, &builder);
    els_item_reader_start(reader);
}

void elelem_item_reader_free(elelem_item_reader *reader)
{
    elelem_replayer_free(&reader->els_replayer);
    els_line_reader_free(&reader->els_reader);
    elelem_event_builder_free(&reader->els_builder);
    memset(reader, 0, sizeof *reader);
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
