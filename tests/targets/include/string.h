/* For compilers without a C library: what the header uses of it. */
#ifndef TARGETS_STRING_H
#define TARGETS_STRING_H
#include <stddef.h>
void *memchr(const void *in, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
char *strchr(const char *text, int byte);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
size_t strlen(const char *text);
#endif
