/* The fault law: whichever call for memory is refused, alone or with all calls after it, an object
 * ends with ERROR_MEMORY or as if nothing had been refused. What it gives out before the error is the
 * beginning of what it gives with memory, after a reset it gives all of that again, and when freed it
 * holds nothing. The heap of limits.h moves and poisons each block at every call.
 *
 * The object under test is described by four functions. `run` feeds it the whole input and logs what
 * comes out; it returns ERROR_MEMORY if that is how it ended, else any other status:
 *
 *     faults_object parser = { &reading, init_reading, run_reading, reset_reading, free_reading };
 *     FAULTS(&parser);
 *
 * Include elelem_stream.h first.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "feed.h"
#include "limits.h"

typedef struct faults_object {
    void *object;
    void (*init)(void *object, elelem_allocator allocator);
    elelem_status (*run)(void *object, feed_log *log);
    void (*reset)(void *object);
    void (*free)(void *object);
} faults_object;

static feed_log faults_whole;
static feed_log faults_now;

static inline elelem_status faults_run(const faults_object *o, feed_log *log)
{
    log->size = 0;
    log->in_text = 0;
    log->full = 0;
    return o->run(o->object, log);
}

/* Nonzero if the log is the beginning of what comes out with memory; all of it, unless memory ran out. */
static inline int faults_fit(const feed_log *log, elelem_status status, elelem_status whole)
{
    if (log->full || log->size > faults_whole.size || memcmp(log->text, faults_whole.text, log->size) != 0) return 0;
    return status == ELELEM_ERROR_MEMORY || (status == whole && log->size == faults_whole.size);
}

/* One run in which call `refuse` fails; then a reset and a run with memory. */
static inline int faults_one(const faults_object *o, int refuse, int stays, elelem_status whole, const char *file, int line)
{
    limits_heap heap = ELELEM_INIT;
    elelem_status status;
    int good;

    check_cut(stays ? "all calls for memory refused from" : "refused call for memory", (size_t)refuse);
    heap.refuse = refuse;
    heap.stays = stays;
    o->init(o->object, limits_allocator(&heap));
    status = faults_run(o, &faults_now);
    good = check_true(faults_fit(&faults_now, status, whole), "an error, or what comes with memory", file, line);
    heap.refuse = 0;
    o->reset(o->object);
    status = faults_run(o, &faults_now);
    good &= check_true(status != ELELEM_ERROR_MEMORY && faults_fit(&faults_now, status, whole),
                       "after a reset everything comes", file, line);
    o->free(o->object);
    return good & check_true(heap.live == 0 && heap.blocks == 0, "nothing is leaked", file, line);
}

/* Nonzero if the law holds. Counts the calls for memory in `*calls`, if that is not null. */
static inline int faults_check(const faults_object *o, int *calls, const char *file, int line)
{
    limits_heap heap = ELELEM_INIT;
    elelem_status whole;
    int good, k;

    o->init(o->object, limits_allocator(&heap));
    whole = faults_run(o, &faults_whole);
    o->free(o->object);
    good = check_true(!faults_whole.full && whole != ELELEM_ERROR_MEMORY && heap.live == 0, "the run with memory", file, line);
    for (k = 1; k <= heap.calls && good; k++)
        good = faults_one(o, k, 0, whole, file, line) & faults_one(o, k, 1, whole, file, line);
    check_cut(NULL, 0);
    if (calls) *calls = heap.calls;
    return good;
}

#define FAULTS(object) faults_check(object, NULL, __FILE__, __LINE__)

/* Appends to a log, never refuses. */
static inline elelem_status faults_write(void *context, const void *bytes, size_t size)
{
    feed_put((feed_log *)context, (const char *)bytes, size);
    return ELELEM_OK;
}

static inline elelem_sink faults_sink(feed_log *log)
{
    elelem_sink sink;

    sink.write = faults_write;
    sink.context = log;
    return sink;
}

#endif
