/* test_enumerate_sse.c with all states: an event's name, its id and the last id may be known, or not. */
#define ELELEM_STREAM_IMPLEMENTATION
#define ENUMERATE_ALL
#define ROOM "deep_enumerate_sse"
#include "test_enumerate_sse.c"
