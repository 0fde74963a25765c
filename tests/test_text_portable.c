/* The tests of the text room again, over the words that stand in for vectors. */
#ifndef ELELEM_NO_SIMD
#define ELELEM_NO_SIMD
#endif
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define ROOM "text_portable"
#include "test_text.c"
