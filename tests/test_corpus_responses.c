/* The recorded streams of the corpus that speak Responses, and the errors of their providers. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "corpus_responses.h"

/* The same events however the body is cut; the notation shows broken rules. */
static void check_file(const char *folder, const char *name)
{
    static const size_t steps[] = { 1, 2, 3, 7, 64, 4096 };
    size_t size, i;
    char *body = corpus_open(folder, name, &size);

    CHECK(body != NULL);
    if (!body) return;
    streams_now.usage = 1;
    streams_now.offsets = 1;
    feed_once(&streams_fed, &feed_whole, body, size, size, size, 0);
    CHECK(!feed_whole.full && feed_whole.size < sizeof feed_whole.text);
    feed_whole.text[feed_whole.size < sizeof feed_whole.text ? feed_whole.size : 0] = '\0';
    CHECK(!strstr(feed_whole.text, "BROKEN") && !strstr(feed_whole.text, "(torn)"));
    CHECK(strstr(feed_whole.text, strstr(folder, "errors") ? "ERROR " : "FINISHED "));
    for (i = 0; i < sizeof steps / sizeof *steps; i++) {
        check_cut("pieces of", steps[i]);
        feed_once(&streams_fed, &feed_now, body, size, steps[i], steps[i], 0);
        CHECK_BYTES(feed_now.text, feed_now.size, feed_whole.text, feed_whole.size);
    }
    free(body);
}

static void check_files(const char *folder, const char *begin)
{
    static corpus_list list;
    size_t i;

    if (!corpus_files(&list, folder, begin)) return;
    for (i = 0; i < list.count; i++)
        check_file(folder, list.names[i]);
}

TEST(recordings_give_the_same_events_however_they_are_cut) { check_files("responses", ""); }

TEST(errors_give_the_same_error_however_they_are_cut) { check_files("errors", "responses-"); }

TEST(short_recordings_cut_after_any_byte_end_once) { corpus_cut_files("responses", "", 6 * 1024); }

TEST(errors_cut_after_any_byte_are_one_error) { corpus_cut_files("errors", "responses-", 6 * 1024); }

CHECK_MAIN("corpus_responses",
    RUN(recordings_give_the_same_events_however_they_are_cut)
    RUN(errors_give_the_same_error_however_they_are_cut)
    RUN(short_recordings_cut_after_any_byte_end_once)
    RUN(errors_cut_after_any_byte_are_one_error))
