/* The tests of text again, with words instead of vectors. */
#ifndef ELELEM_NO_SIMD
#define ELELEM_NO_SIMD
#endif
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define ROOM "text_portable"
#include "test_text.c"
