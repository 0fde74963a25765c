/* test_enumerate_utf8.c with runs of all sizes. */
#define ELELEM_STREAM_IMPLEMENTATION
#define ENUMERATE_ALL
#define ROOM "deep_enumerate_utf8"
#include "test_enumerate_utf8.c"
