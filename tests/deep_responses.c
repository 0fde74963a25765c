/* All recorded streams of the corpus that speak Responses, cut after every byte. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "corpus_responses.h"

TEST(recordings_cut_after_any_byte_end_once) { corpus_cut_files("responses", "", (size_t)-1); }

CHECK_MAIN("deep_responses", RUN(recordings_cut_after_any_byte_end_once))
