/* Counts the work of the library's functions. It is put before the header when they are
   compiled with -fsanitize-coverage=trace-pc, which calls a function at each basic block: so each of them is a step,
   and no loop can be forgotten. The C library's functions are not compiled so; here they count a step for each eight
   bytes that they touch. A test gives counted_steps and the function that counts; see work_law.h. */
#ifndef COUNTED_H
#define COUNTED_H

#include <stdint.h>
#include <string.h>

extern uint64_t counted_steps;

static inline size_t counted(size_t bytes)
{
    counted_steps += bytes / 8;
    return bytes;
}

static inline const void *counted_chr(const void *text, int byte, size_t size)
{
    const void *found = memchr(text, byte, size);

    counted(found ? (size_t)((const char *)found - (const char *)text) : size);
    return found;
}

#define memcpy(to, from, size) (memcpy)(to, from, counted(size))
#define memmove(to, from, size) (memmove)(to, from, counted(size))
#define memset(to, byte, size) (memset)(to, byte, counted(size))
#define memcmp(a, b, size) (memcmp)(a, b, counted(size))
#define memchr(text, byte, size) ((void *)(uintptr_t)counted_chr(text, byte, size))
#define strlen(text) counted((strlen)(text))

#endif
