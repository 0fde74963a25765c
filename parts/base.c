#ifndef ELS_BASE_C
#define ELS_BASE_C
#include "base.h"

/* >> base */

#include <string.h>
#ifndef ELELEM_NO_STDLIB
#include <stdlib.h>
#endif

/* A build that leaves wire shapes out does not use every private function. */
#if defined(__GNUC__)
#define ELS_PRIVATE static __attribute__((unused))
#define ELS_ALONE static __attribute__((noinline, unused))
#define ELS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define ELS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#else
#define ELS_PRIVATE static
#define ELS_ALONE static
#define ELS_LIKELY(condition) (condition)
#define ELS_UNLIKELY(condition) (condition)
#endif

/* For speed, which functions are inlined is chosen here; for small code, by the compiler. ELS_APART is for functions whose caller
   calls deeper ones too: on small machines they are not inlined, so that their variables are not on the stack then. */
#ifdef ELELEM_NO_FAST
#define ELS_INLINE ELS_PRIVATE
#define ELS_NOINLINE ELS_PRIVATE
#define ELS_APART ELS_ALONE
#else
#ifdef __GNUC__
#define ELS_INLINE static inline __attribute__((always_inline, unused))
#else
#define ELS_INLINE static inline
#endif
#define ELS_NOINLINE ELS_ALONE
#define ELS_APART ELS_PRIVATE
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

/* A fixed sentence for people; an empty one if sentences are left out. */
#ifdef ELELEM_NO_SENTENCES
#define ELS_HAS_WORDS 0
#define ELS_WORDS(text) ""
#else
#define ELS_HAS_WORDS 1
#define ELS_WORDS(text) text
#endif

/* Provider items can be left out: then conditions that ask for them are constant, and compiler and linker drop what they guard. */
#ifdef ELELEM_NO_ITEMS
#define ELS_HAS_ITEMS 0
#else
#define ELS_HAS_ITEMS 1
#endif

/* The same for metadata. */
#ifdef ELELEM_NO_METADATA
#define ELS_HAS_METADATA 0
#else
#define ELS_HAS_METADATA 1
#endif

/* And for responses that are not streamed. */
#ifdef ELELEM_NO_WHOLE
#define ELS_HAS_WHOLE 0
#else
#define ELS_HAS_WHOLE 1
#endif

/* What a shape has for these. */
#define ELS_IF_ITEMS(address) (ELS_HAS_ITEMS ? (address) : NULL)
#define ELS_IF_WHOLE(address) (ELS_HAS_WHOLE ? (address) : NULL)
#define ELS_IF_METADATA(address) (ELS_HAS_METADATA ? (address) : NULL)

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

/* Divides a number by ten and returns the rest. Small builds divide 32 bits at a time: a division of 64 bits is 700 bytes of code
   on machines of 32. */
ELS_PRIVATE unsigned els_take_digit(uint64_t *number)
{
#ifdef ELELEM_NO_FAST
    uint32_t high = (uint32_t)(*number >> 32);
    uint32_t middle = high % 10 << 16 | (uint32_t)(*number >> 16 & 0xffff);
    uint32_t low = middle % 10 << 16 | (uint32_t)(*number & 0xffff);

    *number = (uint64_t)(high / 10) << 32 | (uint64_t)(middle / 10) << 16 | low / 10;
    return low % 10;
#else
    unsigned digit = (unsigned)(*number % 10);

    *number /= 10;
    return digit;
#endif
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

elelem_str elelem_str_from(const void *data, size_t size)
{
    return els_str(data, size);
}

int elelem_str_equal(elelem_str a, elelem_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Most texts that are compared differ in their first byte: 1 to 3 instructions a byte of a response. */
int elelem_str_is(elelem_str slice, const char *text)
{
    if (slice.size > 0 && text && slice.data[0] != *text) return 0;
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
    case ELELEM_##name: return ELS_WORDS(sentence);
        ELELEM_STATUS_LIST(ELS_STATUS_SENTENCE)
#undef ELS_STATUS_SENTENCE
    default: return ELS_WORDS("no status of this library");
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

    error.message = ELS_WORDS("input was lost: a push was refused and not repeated");
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

#endif
