/* The functions in the file of a fuzzer that needs them there, and which is compiled with -fsanitize-coverage=trace-pc. Their steps
   are counted as tests/counted.h says; those of what comes after this header are not. Include it first, and write COUNTED_END at
   the end of the file. */
#ifndef COUNTED_OWN_H
#define COUNTED_OWN_H

static int twins_are_fast;
#define ELS_IS_FAST twins_are_fast
#define ELELEM_STREAM_IMPLEMENTATION
#include "../tests/counted.h"
#include "elelem_stream.h"

#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef memchr
#undef strlen

#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)
#define COUNTED_END _Pragma("clang attribute pop")

#include "twins.h"
#include "work_law.h"

#endif
