/* Recorded responses of Messages and refusals cut off after every byte, the very long ones at some
   thousand places. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "recorded_laws.h"

static const char *const signals[] = { "\"stop_reason\":\"", "\"stop_reason\": \"", "message_stop", NULL };
static const laws_options options = { &elelem_shape_messages, signals, 65536, 4096 };

TEST(recorded_responses_keep_the_laws)
{
    laws_of_recordings("messages/", &options);
}

TEST(recorded_errors_keep_the_laws)
{
    laws_of_recordings("errors/", &options);
}

CHECK_MAIN("deep_messages",
    RUN(recorded_responses_keep_the_laws)
    RUN(recorded_errors_keep_the_laws))
