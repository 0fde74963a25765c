/* Recorded responses of Gemini and refusals cut off after every byte, the very long ones at some
   thousand places. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "recorded_laws.h"

static const char *const signals[] = { "finishReason", "blockReason", NULL };
static const laws_options options = { &elelem_shape_gemini, signals, 65536, 4096 };

TEST(recorded_responses_keep_the_laws)
{
    laws_of_recordings("gemini/", &options);
}

TEST(recorded_errors_keep_the_laws)
{
    laws_of_recordings("errors/", &options);
}

CHECK_MAIN("deep_gemini",
    RUN(recorded_responses_keep_the_laws)
    RUN(recorded_errors_keep_the_laws))
