/* What must hold in a fuzzer: it says what does not, and stops. */
#ifndef MUST_H
#define MUST_H

#include <stdio.h>
#include <stdlib.h>

#define MUST(condition)                                         \
    do {                                                        \
        if (!(condition)) {                                     \
            fprintf(stderr, "does not hold: %s\n", #condition); \
            abort();                                            \
        }                                                       \
    } while (0)

#endif
