/* Recorded responses of Interactions, streamed and whole, and refusals; the long ones are cut off at every byte in
   deep_interactions.c. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "recorded_laws.h"

static const char *const signals[] = { "\"completed\"", "\"requires_action\"", "\"incomplete\"", "\"agent\"", NULL };
static const laws_options options = { &elelem_shape_interactions, signals, 8192, 400 };

/* Cut into two at every byte. */
static void gives_the_same(const recording *r)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.http_status = r->status;
    if (r->size <= 8192) streams_give(r->body, r->size, NULL, __FILE__, __LINE__);
}

TEST(recorded_responses_give_the_same_events_however_they_are_cut)
{
    recordings_folder = "interactions";
    if (!recordings_each("", "interactions", gives_the_same)) check_nothing("no recordings (set ELELEM_CORPUS)");
    elelem_stream_free(&streams_now.stream);
}

TEST(recorded_responses_keep_the_laws)
{
    recordings_folder = "interactions";
    laws_of_recordings("", &options);
}

CHECK_MAIN("corpus_interactions",
    RUN(recorded_responses_give_the_same_events_however_they_are_cut)
    RUN(recorded_responses_keep_the_laws))
