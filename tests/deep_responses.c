/* All recorded streams of the corpus that speak Responses, cut after every byte. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "corpus_responses.h"

TEST(recordings_cut_after_any_byte_end_once)
{
    if (!recordings_each("responses/", "responses", corpus_cut_everywhere))
        check_nothing("no recordings (set ELELEM_CORPUS)");
}

CHECK_MAIN("deep_responses", RUN(recordings_cut_after_any_byte_end_once))
