/* The recorded streams of the corpus that speak Responses, and the errors of their providers. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "corpus_responses.h"

/* The same events however the body is cut; the notation shows broken rules. */
static void check_chunks(const recording *r)
{
    static const size_t steps[] = { 1, 2, 3, 7, 64, 4096 };
    size_t i;

    streams_shape(&elelem_shape_responses);
    streams_now.http_status = r->status;
    streams_now.headers = r->headers;
    streams_now.usage = 1;
    streams_now.offsets = 1;
    feed_once(&streams_fed, &feed_whole, r->body, r->size, r->size, r->size, 0);
    CHECK(!feed_whole.full && feed_whole.size < sizeof feed_whole.text);
    feed_whole.text[feed_whole.size < sizeof feed_whole.text ? feed_whole.size : 0] = '\0';
    CHECK(!strstr(feed_whole.text, "BROKEN") && !strstr(feed_whole.text, "(torn)"));
    CHECK(strstr(feed_whole.text, strncmp(r->name, "errors/", 7) == 0 ? "ERROR " : "FINISHED "));
    for (i = 0; i < sizeof steps / sizeof *steps; i++) {
        check_cut("pieces of", steps[i]);
        feed_once(&streams_fed, &feed_now, r->body, r->size, steps[i], steps[i], 0);
        CHECK_BYTES(feed_now.text, feed_now.size, feed_whole.text, feed_whole.size);
    }
}

static void check_short(const recording *r)
{
    if (r->size <= 6 * 1024) corpus_cut_everywhere(r);
}

TEST(recordings_give_the_same_events_however_they_are_cut)
{
    if (!recordings_each("responses/", "responses", check_chunks)) check_nothing("no recordings (set ELELEM_CORPUS)");
}

TEST(errors_give_the_same_error_however_they_are_cut)
{
    if (!recordings_each("errors/", "responses", check_chunks)) check_nothing("no recordings (set ELELEM_CORPUS)");
}

TEST(short_recordings_cut_after_any_byte_end_once)
{
    if (!recordings_each("responses/", "responses", check_short)) check_nothing("no recordings (set ELELEM_CORPUS)");
}

TEST(errors_cut_after_any_byte_are_one_error)
{
    if (!recordings_each("errors/", "responses", check_short)) check_nothing("no recordings (set ELELEM_CORPUS)");
    elelem_stream_free(&streams_now.stream);
}

CHECK_MAIN("corpus_responses",
    RUN(recordings_give_the_same_events_however_they_are_cut)
    RUN(errors_give_the_same_error_however_they_are_cut)
    RUN(short_recordings_cut_after_any_byte_end_once)
    RUN(errors_cut_after_any_byte_are_one_error))
