/* The law of the fast paths for whole streams: they give the events of their slow twin. */
#ifndef FAST_LAW_H
#define FAST_LAW_H

#include "twins.h"

#define FEED_LOG_SIZE (1u << 22)
#include "streams.h"
#include "recordings.h"
#include "bodies.h"

static feed_log slow_log;

static inline void same_events(const char *body, size_t size, size_t first, size_t step)
{
    check_cut("pieces of", first);
    twins_are_fast = 1;
    feed_once(&streams_fed, &feed_now, body, size, first, step, 0);
    twins_are_fast = 0;
    feed_once(&streams_fed, &slow_log, body, size, first, step, 0);
    CHECK_BYTES(feed_now.text, feed_now.size, slow_log.text, slow_log.size);
}

static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages, &elelem_shape_gemini,
                                              &elelem_shape_interactions };
static const elelem_shape *shape_now;

static inline void recording_is_same(const recording *r, int without_items, const size_t *pieces, size_t count)
{
    size_t i;

    streams_shape(shape_now);
    streams_now.http_status = r->status;
    streams_now.headers = r->headers;
    streams_now.offsets = streams_now.usage = 1;
    streams_now.desc.without_provider_items = (uint8_t)without_items;
    for (i = 0; i < count; i++)
        same_events(r->body, r->size, pieces[i], pieces[i]);
}

/* A body in two pieces, and in pieces of one size, at so many places spread over it. */
static inline void body_is_same(const char *body, size_t size, size_t places)
{
    size_t cut;

    streams_shape(shape_now);
    streams_now.offsets = streams_now.usage = 1;
    for (cut = 1; cut <= size; cut += 1 + size / places) {
        same_events(body, size, cut, cut);
        same_events(body, size, cut, size);
    }
}

static inline void bodies_are_same(void (*check)(const char *body, size_t size))
{
    size_t i;

    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape_now = shapes[i];
        CHECK(bodies_each(shape_now->name, check) > 10);
    }
}

#endif
