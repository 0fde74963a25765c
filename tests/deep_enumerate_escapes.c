/* test_enumerate_escapes.c with runs of all sizes. */
#define ELELEM_STREAM_IMPLEMENTATION
#define ENUMERATE_ALL
#define ROOM "deep_enumerate_escapes"
#include "test_enumerate_escapes.c"
