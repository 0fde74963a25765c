/* Laws that every recording of a shape keeps, whatever it holds:
 *
 *     the same events however the bytes are cut, within the rules that streams.h watches;
 *     cut off after any byte, the events up to there and exactly one end, which is no
 *     FINISHED before the body held a reason or its terminal signal, nor inside a frame
 *     if the reason may still change.
 */
#ifndef RECORDED_LAWS_H
#define RECORDED_LAWS_H

#include "streams.h"
#include "recordings.h"

typedef struct laws_options {
    const elelem_shape *shape;
    const char *const *signals; /* texts of which the body holds one before it may finish; then a null */
    size_t most;                /* longer bodies are not cut off after every byte, */
    size_t cuts;                /* but so many times, evenly spread */
} laws_options;

static const laws_options *laws_now;
static feed_log laws_log;

static inline int laws_may_finish(char *body, size_t size)
{
    char kept = body[size];
    int may = 0, i;

    body[size] = '\0';
    for (i = 0; laws_now->signals[i]; i++)
        may |= strstr(body, laws_now->signals[i]) != NULL;
    body[size] = kept;
    return may;
}

/* The body is cut off after `size` bytes. */
static inline int laws_of_end(const recording *r, size_t size)
{
    size_t before;

    feed_once(&streams_fed, &laws_log, r->body, size, size, size, 0);
    check_cut("cut off at", size);
    before = streams_before_error(&laws_log);
    if (!CHECK(!strstr(laws_log.text, "BROKEN")) || !CHECK_INT(streams_now.ends, 1)) return 0;
    if (strstr(laws_log.text, "FINISHED "))
        return CHECK(r->status < 300) && CHECK(laws_may_finish(r->body, size)) &&
               CHECK(!laws_now->shape->reason_may_change || !streams_stops_inside(r->body, r->size, size));
    return CHECK(before <= feed_whole.size && memcmp(laws_log.text, feed_whole.text, before) == 0);
}

static inline void laws_of_recording(const recording *r)
{
    static const size_t pieces[] = { 1, 2, 3, 7, 64, 4096 };
    size_t i, step = r->size <= laws_now->most ? 1 : r->size / laws_now->cuts + 1;

    streams_shape(laws_now->shape);
    streams_now.http_status = r->status;
    streams_now.headers = r->headers;
    feed_once(&streams_fed, &feed_whole, r->body, r->size, r->size, r->size, 0);
    if (!CHECK(!feed_whole.full) || !CHECK_INT(streams_now.ends, 1)) return;
    feed_whole.text[feed_whole.size] = '\0';
    CHECK(!strstr(feed_whole.text, "BROKEN"));
    for (i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        feed_once(&streams_fed, &feed_now, r->body, r->size, pieces[i], pieces[i], 0);
        check_cut("pieces of", pieces[i]);
        if (!CHECK_BYTES(feed_now.text, feed_now.size, feed_whole.text, feed_whole.size)) return;
    }
    for (i = 0; i < r->size; i += step)
        if (!laws_of_end(r, i)) return;
}

static inline void laws_of_recordings(const char *folder, const laws_options *options)
{
    laws_now = options;
    if (!recordings_each(folder, options->shape->name, laws_of_recording))
        check_nothing("no recordings (set ELELEM_CORPUS)");
    elelem_stream_free(&streams_now.stream);
}

#endif
