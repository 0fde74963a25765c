/* Recorded responses of Gemini and refusals; the long ones are cut off at more places in deep_gemini.c. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "recorded_laws.h"

static const char *const signals[] = { "finishReason", "blockReason", NULL };
static const laws_options options = { &elelem_shape_gemini, signals, 4096, 150 };

TEST(recorded_responses_keep_the_laws)
{
    laws_of_recordings("gemini/", &options);
}

TEST(recorded_errors_keep_the_laws)
{
    laws_of_recordings("errors/", &options);
}

CHECK_MAIN("corpus_gemini",
    RUN(recorded_responses_keep_the_laws)
    RUN(recorded_errors_keep_the_laws))
