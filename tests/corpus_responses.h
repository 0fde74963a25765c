/* Recorded bodies of the Responses API, cut after every byte, for test_corpus_responses.c and
 * deep_responses.c. After each byte the stream and its arena, which are plain memory, are saved; the body is
 * ended, and the stream is restored for the next byte. */
#ifndef CORPUS_RESPONSES_H
#define CORPUS_RESPONSES_H

#include "streams.h"
#include "recordings.h"

#define CORPUS_ARENA (1u << 20)

/* Returns the end of the JSON text of the frame that ends the response: the first error, or the last response. */
static inline size_t corpus_terminal(const char *body)
{
    static const char *const types[] = { "\"response.completed\"", "\"response.incomplete\"", "\"response.failed\"",
                                         "\"type\":\"error\"" };
    const char *line = body;

    while (line && *line) {
        const char *end = strchr(line, '\n');
        size_t size = end ? (size_t)(end - line) : strlen(line), i;
        for (i = 0; i < sizeof types / sizeof *types; i++) {
            const char *found = strstr(line, types[i]);
            if (strncmp(line, "data:", 5) != 0 || !found || found > line + size) continue;
            while (line[size - 1] != '}')
                size--;
            return (size_t)(line - body) + size;
        }
        line = end ? end + 1 : NULL;
    }
    return (size_t)-1;
}

typedef struct corpus_snapshot {
    unsigned char memory[CORPUS_ARENA];
    elelem_arena arena;
    elelem_stream stream;
} corpus_snapshot;

static corpus_snapshot corpus_now, corpus_kept;
static size_t corpus_room; /* bytes of the arena in use */

static inline void corpus_copy(corpus_snapshot *to, const corpus_snapshot *from)
{
    memcpy(to->memory, from->memory, corpus_room);
    to->arena = from->arena;
    to->stream = from->stream;
}

static inline void corpus_start(const recording *r, size_t room)
{
    elelem_stream_desc desc = ELELEM_INIT;

    corpus_room = room;
    desc.shape = &elelem_shape_responses;
    desc.allocator = elelem_arena_init(&corpus_now.arena, corpus_now.memory, room);
    elelem_stream_init(&corpus_now.stream, &desc);
    elelem_stream_http_status(&corpus_now.stream, r->status);
}

/* Takes all events; counts the ends and keeps the last event. */
static inline int corpus_take(elelem_event *last)
{
    elelem_event event;
    int ends = 0;

    while (elelem_stream_next(&corpus_now.stream, &event) == ELELEM_OK) {
        *last = event;
        ends += event.kind == ELELEM_EVENT_FINISHED || event.kind == ELELEM_EVENT_ERROR;
    }
    return ends;
}

/* Returns the smallest arena, a power of two, that is enough for this body; 0 if none is. */
static inline size_t corpus_fit(const recording *r)
{
    size_t room;

    for (room = 8192; room <= CORPUS_ARENA; room *= 2) {
        elelem_event last = ELELEM_INIT;
        size_t at;
        int ends = 0;
        corpus_start(r, room);
        for (at = 0; at < r->size; at++) {
            elelem_stream_push(&corpus_now.stream, r->body + at, 1);
            ends += corpus_take(&last);
        }
        elelem_stream_finish(&corpus_now.stream);
        ends += corpus_take(&last);
        if (ends == 1 && last.error.kind != ELELEM_ERROR_KIND_OUT_OF_MEMORY) return room;
    }
    return 0;
}

/* A response that is cut before the frame that ends it is an error that may be retried; after it the end does not
   change. If the status is one of refusal, it is an error in any case. */
static inline void corpus_cut_everywhere(const recording *r)
{
    size_t terminal = r->status == 200 ? corpus_terminal(r->body) : 0;
    size_t room = corpus_fit(r);
    size_t at;
    int ended = 0;

    CHECK(room > 0);
    if (room == 0) return;
    corpus_start(r, room);
    for (at = 0; at <= r->size; at++) {
        elelem_event last = ELELEM_INIT;
        int ends;
        corpus_copy(&corpus_kept, &corpus_now);
        elelem_stream_finish(&corpus_now.stream);
        ends = corpus_take(&last);
        check_cut("cut after", at);
        CHECK_INT(ends, ended ? 0 : 1);
        if (!ended && at < terminal) {
            CHECK_INT(last.kind, ELELEM_EVENT_ERROR);
            CHECK_INT(last.error.kind, ELELEM_ERROR_KIND_CONNECT);
            CHECK(last.error.retryable);
        } else if (!ended) {
            CHECK_INT(last.kind == ELELEM_EVENT_FINISHED, r->status == 200 && !strstr(r->body, "\"type\":\"error\""));
        }
        corpus_copy(&corpus_now, &corpus_kept);
        if (at < r->size) elelem_stream_push(&corpus_now.stream, r->body + at, 1);
        if (corpus_take(&last) > 0) {
            CHECK(at >= terminal);
            ended = 1;
        }
    }
    check_cut(NULL, 0);
}

#endif
