/* test_changed_bodies.c with more of the changes. */
#define ROOM "deep_changed_bodies"
#ifndef STRIDE
#define STRIDE 17
#endif
#include "test_changed_bodies.c"
