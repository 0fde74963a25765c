/* >> base
 *
 * What every room stands on: byte slices, statuses, memory. It knows nothing
 * of JSON or of streams.
 */
#ifndef ELELEM_BASE_H
#define ELELEM_BASE_H

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

/* How public functions and the wire shapes, which are constant data, are declared. Define
   ELELEM_STATIC and the implementation before every include to keep them inside each file. */
#ifndef ELELEM_API
#ifndef ELELEM_STATIC
#define ELELEM_API extern
#elif defined(__GNUC__) || defined(__clang__)
#define ELELEM_API static __attribute__((unused))
#else
#define ELELEM_API static
#endif
#endif

/* C++ has no constant data that is declared first and static: its copies are made one. */
#if !defined(ELELEM_STATIC) || !defined(__cplusplus)
#define ELELEM_DATA ELELEM_API
#else
#define ELELEM_DATA extern
#endif

/* A result that has to be looked at, because ignoring it loses something that no later call
   reports. Where the compiler can warn of that, it does. */
#if defined(__GNUC__) || defined(__clang__)
#define ELELEM_CHECKED __attribute__((warn_unused_result))
#else
#define ELELEM_CHECKED
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

/* The two arguments of printf's "%.*s" for a slice, which may be empty. It is read more than once. Of a
   slice that is longer than an int can say, the beginning is printed. */
#define ELELEM_STR_ARG(slice) \
    (int)((slice).size < ~0u >> 1 ? (slice).size : ~0u >> 1), (slice).size > 0 ? (slice).data : ""

/* Everything a call can answer. Not negative: the three verbs at work.
   Negative: an error, whose fixed sentence follows its number. Data errors and limits stick
   until reset. ELELEM_ERROR_MISUSE, a caller's mistake, changes nothing and does not stick,
   with two exceptions: an object that was never initialised, or was freed, returns it from
   every call; and an object whose caller lost bytes or events returns it for good (see
   elelem_error). */
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

/* "ELELEM_ERROR_SYNTAX" and so on; "ELELEM_STATUS_UNKNOWN" for an unknown status. Names are
   looked up by int everywhere, so that members of a narrower type need no cast. */
ELELEM_API const char *elelem_status_name(int status);

/* The fixed sentence of a status, without a final stop. */
ELELEM_API const char *elelem_status_sentence(int status);

/* Where and why an object stopped. `message` is fixed text, never input.
 *
 * A refused push is a debt. An object takes a push only when it has nothing left to give: at
 * the start, and after next returned MORE. Any earlier push is refused with ERROR_MISUSE and
 * takes nothing. The object then remembers the size and a hash of what it refused, and the
 * next push it takes must begin with the same bytes (or, if it takes events, be the same
 * event). If something else is pushed, or finish is called first, that input is lost: next
 * returns what was pushed before, and then ERROR_MISUSE, which sticks, with the offset of
 * the first byte lost. So the result of push may be ignored, and nothing gets lost unnoticed.
 * A null pointer with a size is refused too, but is no debt. */
typedef struct elelem_error {
    elelem_status status;
    uint64_t offset;     /* for objects that take bytes: from the start of everything pushed, to the first byte that
                            cannot be right; for others something that does not depend on cuts either, see their X_error */
    const char *message; /* never null */
} elelem_error;

/* Where memory comes from. One function does all, as in Lua:
   `block` null: give new_size bytes; new_size 0: take the block back and answer
   null; else give it the new size, moving it if need be. Null for new_size > 0
   is a refusal, and the old block stays as it was. `old_size` is always the size
   asked for last. Blocks are aligned for any object. No block of more than PTRDIFF_MAX
   bytes is asked for: what would need one, whatever its limit, is ERROR_MEMORY.
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

/* Private: bytes that the caller lent, and how far they are read. */
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

/* Private: everything pushed to an object that takes bytes. */
typedef struct els_input {
    els_cursor bytes;  /* lent and not read yet */
    uint64_t offset;   /* absolute, of bytes.end */
    els_debt debt;
    uint8_t state;     /* an els_input_state */
    uint8_t finished;  /* no more bytes will come */
} els_input;

#ifdef __cplusplus
}
#endif

#endif
