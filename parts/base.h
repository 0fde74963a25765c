/* >> base
 *
 * What every room uses: byte slices, statuses, memory, pushed input. It knows
 * nothing of JSON or of response streams.
 */
#ifndef ELELEM_BASE_H
#define ELELEM_BASE_H

#include <stddef.h>
#include <stdint.h>

#define ELELEM_VERSION_MAJOR 0
#define ELELEM_VERSION_MINOR 2
#define ELELEM_VERSION_PATCH 0
#define ELELEM_VERSION "0.2.0"

/* Starts any struct of this library: `elelem_turn_desc desc = ELELEM_INIT;` */
#ifdef __cplusplus
#define ELELEM_INIT {}
#else
#define ELELEM_INIT {0}
#endif

/* Declares public functions and the wire shapes, which are constant data. Define ELELEM_STATIC
   and ELELEM_STREAM_IMPLEMENTATION before every include to keep them inside each file; ELELEM_DLL
   before every include if they are in a shared library, and then ELELEM_STREAM_IMPLEMENTATION
   before the first include of the one file that is compiled into it. */
#ifndef ELELEM_API
#if defined(ELELEM_STATIC) && (defined(__GNUC__) || defined(__clang__))
#define ELELEM_API static __attribute__((unused))
#elif defined(ELELEM_STATIC)
#define ELELEM_API static
#elif defined(ELELEM_DLL) && defined(_WIN32) && defined(ELELEM_STREAM_IMPLEMENTATION)
#define ELELEM_API __declspec(dllexport) extern
#elif defined(ELELEM_DLL) && defined(_WIN32)
#define ELELEM_API __declspec(dllimport) extern
#elif defined(ELELEM_DLL) && (defined(__GNUC__) || defined(__clang__))
#define ELELEM_API __attribute__((visibility("default"))) extern
#else
#define ELELEM_API extern
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

/* Returns the slice of so many bytes, which are not copied. */
ELELEM_API elelem_str elelem_str_from(const void *data, size_t size);

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
   exceptions: an object that was never initialised, or was freed, returns it from every call (next of
   a stream or a turn as its last event); and if bytes or events were lost (see elelem_error), it
   sticks until reset. */
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

/* Returns "ELELEM_ERROR_SYNTAX" and so on; "ELELEM_STATUS_UNKNOWN" for an unknown status. Functions that look up names take a number,
   so that members of a narrower type need no cast: an int if the enum has negative values, as here, and else an unsigned. */
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
 * the first byte lost. The result of push may therefore be ignored: lost input is reported,
 * except what is pushed after END.
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

#endif
