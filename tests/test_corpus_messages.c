/* Recorded responses of Messages and refusals; the long ones are cut off at more places in deep_messages.c. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "recorded_laws.h"

static const char *const signals[] = { "\"stop_reason\":\"", "\"stop_reason\": \"", "message_stop", NULL };
static const laws_options options = { &elelem_shape_messages, signals, 4096, 150 };

TEST(recorded_responses_keep_the_laws)
{
    laws_of_recordings("messages/", &options);
}

TEST(recorded_errors_keep_the_laws)
{
    laws_of_recordings("errors/", &options);
}

CHECK_MAIN("corpus_messages",
    RUN(recorded_responses_keep_the_laws)
    RUN(recorded_errors_keep_the_laws))
