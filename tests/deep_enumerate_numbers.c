/* test_enumerate_numbers.c with runs of all sizes. */
#define ELELEM_STREAM_IMPLEMENTATION
#define ENUMERATE_ALL
#define ROOM "deep_enumerate_numbers"
#include "test_enumerate_numbers.c"
