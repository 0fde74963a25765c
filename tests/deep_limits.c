/* test_limits.c with more of the pairs. */
#define ELELEM_STREAM_IMPLEMENTATION
#define ROOM "deep_limits"
#ifndef PAIRS
#define PAIRS 31
#endif
#include "test_limits.c"
