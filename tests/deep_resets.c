/* test_resets.c with every byte of the bodies. */
#define ELELEM_STREAM_IMPLEMENTATION
#define ROOM "deep_resets"
#define PLACES 100000
#include "test_resets.c"
