/* test_enumerate_tags.c with tags inside each other. */
#define ELELEM_STREAM_IMPLEMENTATION
#define ENUMERATE_ALL
#define ROOM "deep_enumerate_tags"
#include "test_enumerate_tags.c"
