/* The recorded chat streams of $ELELEM_CORPUS/streams, and the refusals: the rules of events hold,
   and the events do not depend on the cuts. Short ones are also cut in two at many places, and cut off
   after every byte; deep_chat does that with all. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 22)
#include "streams.h"
#include "recordings.h"
#include "recorded_laws.h"

#define SHORT_BYTES 6144
#define CUTS 300

static int good_responses;
static int errors;

static void check_recording(const recording *r)
{
    static const size_t pieces[] = { 1, 2, 3, 7, 64, 4096 };
    size_t i;

    streams_shape(&elelem_shape_chat);
    streams_now.http_status = r->status;
    streams_now.headers = r->headers;
    streams_now.offsets = 1;
    feed_once(&streams_fed, &feed_whole, r->body, r->size, r->size, r->size, 0);
    feed_whole.text[feed_whole.size] = '\0';
    CHECK(!feed_whole.full);
    CHECK(!strstr(feed_whole.text, "BROKEN"));
    CHECK(!strstr(feed_whole.text, "torn"));
    if (strstr(feed_whole.text, "\nFINISHED ") || strncmp(feed_whole.text, "FINISHED ", 9) == 0) good_responses++;
    else errors++;
    for (i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        check_cut("pieces of", pieces[i]);
        feed_once(&streams_fed, &feed_now, r->body, r->size, pieces[i], pieces[i], 0);
        CHECK_BYTES(feed_now.text, feed_now.size, feed_whole.text, feed_whole.size);
    }
    for (i = 1; r->size <= SHORT_BYTES && i < r->size; i += r->size / CUTS + 1) {
        check_cut("cut at", i);
        feed_once(&streams_fed, &feed_now, r->body, r->size, i, r->size, 0);
        CHECK_BYTES(feed_now.text, feed_now.size, feed_whole.text, feed_whole.size);
    }
}

TEST(recorded_responses_end_in_finished_however_they_are_cut)
{
    int count = recordings_each("chat/", "chat", check_recording);

    if (count == 0) check_nothing("no recordings (set ELELEM_CORPUS)");
    CHECK_INT(good_responses, count);
}

TEST(recorded_errors_end_in_an_error_however_they_are_cut)
{
    int count;

    errors = 0;
    count = recordings_each("errors/", "chat", check_recording);
    if (count == 0) check_nothing("no recordings (set ELELEM_CORPUS)");
    CHECK_INT(errors, count);
}

/* With and without a space; or the end of a response without a reason. */
static const char *const signals[] = { "\"finish_reason\":\"", "\"finish_reason\": \"", "[DONE]", NULL };

TEST(short_responses_cut_off_after_any_byte_end_once_and_finish_only_with_a_reason)
{
    static const laws_options options = { &elelem_shape_chat, signals, 2000, 10 };

    laws_of_recordings("chat/", &options);
}

static void all_done(void)
{
    elelem_stream_free(&streams_now.stream);
}

CHECK_MAIN("corpus_chat",
    RUN(recorded_responses_end_in_finished_however_they_are_cut)
    RUN(recorded_errors_end_in_an_error_however_they_are_cut)
    RUN(short_responses_cut_off_after_any_byte_end_once_and_finish_only_with_a_reason)
    all_done();)
