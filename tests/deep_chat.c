/* Every recorded chat stream and refusal of $ELELEM_CORPUS/streams cut in two after every byte, and
   ended after every byte: the same events, and exactly one end, which is never a good one too early. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 22)
#include "streams.h"
#include "recordings.h"

static void check_cuts(const recording *r)
{
    size_t i;

    streams_shape(&elelem_shape_chat);
    streams_now.http_status = r->status;
    streams_now.headers = r->headers;
    streams_now.offsets = 1;
    feed_once(&streams_fed, &feed_whole, r->body, r->size, r->size, r->size, 0);
    for (i = 1; i < r->size; i++) {
        check_cut("cut at", i);
        feed_once(&streams_fed, &feed_now, r->body, r->size, i, r->size, 0);
        CHECK_BYTES(feed_now.text, feed_now.size, feed_whole.text, feed_whole.size);
    }
}

/* The body may end after every byte. A stream cannot be copied, so that it starts over for each. */
static void check_ends(const recording *r)
{
    char last = 0;
    size_t i;

    streams_shape(&elelem_shape_chat);
    streams_now.http_status = r->status;
    streams_now.headers = r->headers;
    for (i = 0; i < r->size; i++) {
        check_cut("ends after", i);
        feed_once(&streams_fed, &feed_now, r->body, i, i, i, 0);
        feed_now.text[feed_now.size] = '\0';
        CHECK(!strstr(feed_now.text, "BROKEN"));
        if (strstr(feed_now.text, "FINISHED ")) last = 'F';
        else CHECK(last != 'F'); /* what was settled stays so */
        if (last != 'F' && r->status == 200 && strncmp(r->name, "chat/", 5) == 0)
            CHECK(strstr(feed_now.text, "ERROR connect retryable "));
    }
}

TEST(recorded_responses_are_the_same_cut_after_every_byte)
{
    if (!recordings_each("chat/", "chat", check_cuts)) check_nothing("no recordings (set ELELEM_CORPUS)");
}

TEST(recorded_errors_are_the_same_cut_after_every_byte)
{
    if (!recordings_each("errors/", "chat", check_cuts)) check_nothing("no recordings (set ELELEM_CORPUS)");
}

TEST(recorded_responses_have_one_end_after_every_byte)
{
    if (!recordings_each("chat/", "chat", check_ends)) check_nothing("no recordings (set ELELEM_CORPUS)");
}

TEST(recorded_errors_have_one_end_after_every_byte)
{
    if (!recordings_each("errors/", "chat", check_ends)) check_nothing("no recordings (set ELELEM_CORPUS)");
}

static void all_done(void)
{
    elelem_stream_free(&streams_now.stream);
}

CHECK_MAIN("deep_chat",
    RUN(recorded_responses_are_the_same_cut_after_every_byte)
    RUN(recorded_errors_are_the_same_cut_after_every_byte)
    RUN(recorded_responses_have_one_end_after_every_byte)
    RUN(recorded_errors_have_one_end_after_every_byte)
    all_done();)
