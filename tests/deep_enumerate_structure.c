/* test_enumerate_structure.c with runs of all sizes, and a container that is skipped inside another. */
#define ELELEM_STREAM_IMPLEMENTATION
#define ENUMERATE_ALL
#define ROOM "deep_enumerate_structure"
#include "test_enumerate_structure.c"
