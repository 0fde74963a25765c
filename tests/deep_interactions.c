/* Recorded responses of Interactions, cut off at every byte.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "recorded_laws.h"

static const char *const signals[] = { "\"completed\"", "\"requires_action\"", "\"incomplete\"", "\"agent\"", NULL };
static const laws_options options = { &elelem_shape_interactions, signals, 1 << 20, 1 };

TEST(recorded_responses_keep_the_laws)
{
    recordings_folder = "interactions";
    laws_of_recordings("", &options);
}

CHECK_MAIN("deep_interactions", RUN(recorded_responses_keep_the_laws))
