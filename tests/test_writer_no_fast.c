/* The tests of writer once more, as built for a small machine, which divides numbers in another way. */
#define ELELEM_NO_FAST
#define WRITER_ROOM "writer_no_fast"
#include "test_writer.c"
