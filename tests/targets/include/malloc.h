/* For compilers without a C library: what intrinsics include. */
#ifndef TARGETS_MALLOC_H
#define TARGETS_MALLOC_H
#include <stddef.h>
void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
#ifdef _MSC_VER
void *_aligned_malloc(size_t size, size_t alignment);
void _aligned_free(void *block);
#endif
#endif
