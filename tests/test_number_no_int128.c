/* The tests of number once more, as on a machine without integers of 128 bits. */
#ifndef ELELEM_NO_INT128
#define ELELEM_NO_INT128
#endif
#define NUMBER_ROOM "number_no_int128"
#include "test_number.c"
