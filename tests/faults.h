/* The fault law: whichever call for memory is refused, alone or with all calls after it, an object of
 * objects.h ends with ERROR_MEMORY or as if nothing had been refused. What it gives out before the error is
 * the beginning of what it gives with memory, after a reset it gives all of that again, and when freed it
 * holds nothing. The heap of limits.h moves and poisons each block at every call.
 * Include elelem_stream.h first.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "limits.h"
#include "objects.h"

static feed_log faults_whole;
static feed_log faults_now;

/* Nonzero if the log is the beginning of what comes out with memory; all of it, unless memory ran out. */
static inline int faults_fit(const feed_log *log, elelem_status status, elelem_status whole)
{
    if (log->full || log->size > faults_whole.size || memcmp(log->text, faults_whole.text, log->size) != 0) return 0;
    return status == ELELEM_ERROR_MEMORY || (status == whole && log->size == faults_whole.size);
}

/* Nonzero if ERROR_MEMORY sticks in the object whenever a call returns it. That of a stream and of a turn is an event, a text is
   read by one call, and a push of the others that is refused memory changes nothing. */
static inline int faults_stick(const objects_row *row)
{
    return row->run != objects_stream_run && row->run != objects_turn_run && row->run != objects_recorder_run &&
           row->run != objects_coalescer_run && row->run != objects_history_run && row->run != objects_conversation_run &&
           row->run != objects_json_run && row->run != objects_buffer_run;
}

/* After an error that sticks nothing more comes, though there is memory again. */
static inline int faults_stuck(const objects_row *row, const char *file, int line)
{
    if (row->error().status == ELELEM_OK) return check_true(!faults_stick(row), "the error sticks", file, line);
    return check_true(row->error().status == ELELEM_ERROR_MEMORY && objects_once(row, &faults_now) == ELELEM_ERROR_MEMORY &&
                      faults_now.size == 0, "the error stays the same, and nothing comes", file, line);
}

/* One run in which call `refuse` fails; then a reset and a run with memory. */
static inline int faults_one(const objects_row *row, int refuse, int stays, elelem_status whole, const char *file, int line)
{
    limits_heap heap = ELELEM_INIT;
    elelem_status status;
    int good;

    check_cut(stays ? "all calls for memory refused from" : "refused call for memory", (size_t)refuse);
    heap.refuse = refuse;
    heap.stays = stays;
    heap.bound = row->bound();
    objects_allocator = limits_allocator(&heap);
    row->init();
    status = objects_once(row, &faults_now);
    good = check_true(faults_fit(&faults_now, status, whole), "an error, or what comes with memory", file, line);
    heap.refuse = 0;
    if (status == ELELEM_ERROR_MEMORY) good &= faults_stuck(row, file, line);
    row->reset();
    status = objects_once(row, &faults_now);
    good &= check_true(status == whole && faults_fit(&faults_now, status, whole), "after a reset everything comes", file,
                       line);
    row->free();
    good &= check_true(limits_held(&heap), "the memory law", file, line);
    return good & check_true(heap.live == 0 && heap.blocks == 0, "nothing is leaked", file, line);
}

/* Nonzero if the law holds for the object and the input chosen. */
static inline int faults_check(const objects_row *row, const char *file, int line)
{
    limits_heap heap = ELELEM_INIT;
    elelem_status whole;
    int good, k;

    objects_allocator = limits_allocator(&heap);
    row->init();
    whole = objects_once(row, &faults_whole);
    row->free();
    good = check_true(!faults_whole.full && whole != ELELEM_ERROR_MEMORY && heap.live == 0, "the run with memory", file, line);
    for (k = 1; k <= heap.calls && good; k++)
        good = faults_one(row, k, 0, whole, file, line) & faults_one(row, k, 1, whole, file, line);
    check_cut(NULL, 0);
    return good;
}

/* Nonzero if an event that was refused memory can be pushed again, and nothing is missing then: whichever call is refused, unless an
   error sticks. Returns in `again` how often that was so. */
static inline int faults_again(const objects_row *row, int *again, const char *file, int line)
{
    limits_heap heap = ELELEM_INIT;
    elelem_status whole, status;
    int k, good = 1, calls;

    objects_allocator = limits_allocator(&heap);
    row->init();
    whole = objects_once(row, &faults_whole);
    row->free();
    for (k = 1, calls = heap.calls, *again = 0; k <= calls; k++) {
        check_cut("refused call for memory", (size_t)k);
        heap.calls = 0;
        heap.refuse = k;
        row->init();
        objects_again = row->error;
        status = objects_once(row, &faults_now);
        objects_again = NULL;
        good &= check_true(faults_fit(&faults_now, status, whole), "an error, or what comes with memory", file, line);
        good &= check_true(status == whole || row->error().status == status, "an error that does not stick was survived", file, line);
        *again += status == whole;
        row->free();
    }
    check_cut(NULL, 0);
    return good;
}

/* One run in an arena; returns how it ended. Then a reset and a run in the same. */
static inline elelem_status faults_in(const objects_row *row, unsigned char *memory, size_t size, elelem_status whole, const char *file,
                                      int line)
{
    elelem_arena arena;
    elelem_status status;

    check_cut("bytes of an arena", size);
    objects_allocator = elelem_arena_init(&arena, memory, size);
    row->init();
    status = objects_once(row, &faults_now);
    check_true(faults_fit(&faults_now, status, whole), "an error, or what comes with memory", file, line);
    row->reset();
    check_true(faults_fit(&faults_now, objects_once(row, &faults_now), whole), "likewise after a reset", file, line);
    row->free();
    check_true(elelem_arena_used(&arena) == 0, "nothing is leaked", file, line);
    return status;
}

#define FAULTS_ARENA 262144

/* Arenas of every number of grains up to one that is enough, at each alignment in turn. A block is exactly as large as the
   arena, so that sanitizers see each byte outside. */
static inline int faults_arenas(const objects_row *row, const char *file, int line)
{
    static const elelem_allocator none = ELELEM_INIT;
    elelem_status whole, status = ELELEM_ERROR_MEMORY;
    size_t size, skip;

    objects_allocator = none;
    row->init();
    whole = objects_once(row, &faults_whole);
    row->free();
    for (size = 0; status == ELELEM_ERROR_MEMORY && size < FAULTS_ARENA; size += size < 4096 ? 8 : 200) {
        unsigned char *block;
        skip = size * 7 / 8 % 65;
        block = (unsigned char *)malloc(skip + size + 1);
        if (!block) abort();
        memset(block, 0xdd, skip + size + 1);
        status = faults_in(row, block + skip, size, whole, file, line);
        check_true(block[skip + size] == 0xdd && (skip == 0 || block[skip - 1] == 0xdd), "only the arena is written to", file, line);
        free(block);
    }
    check_cut(NULL, 0);
    return check_true(status == whole, "some arena is enough", file, line);
}

#define FAULTS_ARENAS(row) faults_arenas(row, __FILE__, __LINE__)
#define FAULTS(row) faults_check(row, __FILE__, __LINE__)

#endif
