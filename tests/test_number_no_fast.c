/* The tests of number once more, as built for a small machine. */
#define ELELEM_NO_FAST
#define NUMBER_ROOM "number_no_fast"
#include "test_number.c"
