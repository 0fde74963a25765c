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

#define FAULTS(row) faults_check(row, __FILE__, __LINE__)

#endif
