/* For compilers without a C library: what the header uses of it. */
#ifndef TARGETS_STDLIB_H
#define TARGETS_STDLIB_H
#include <stddef.h>
void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
#endif
