/* What the header, and the compiler itself, need of the C library, for programs without one. */
#ifndef TARGETS_LIBC_H
#define TARGETS_LIBC_H
#include <stddef.h>

void *memset(void *to, int byte, size_t size)
{
    unsigned char *at = (unsigned char *)to;

    for (; size > 0; size--)
        *at++ = (unsigned char)byte;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *a = (unsigned char *)to;
    const unsigned char *b = (const unsigned char *)from;

    if (a < b)
        for (; size > 0; size--)
            *a++ = *b++;
    else
        for (; size > 0; size--)
            a[size - 1] = b[size - 1];
    return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
    return memmove(to, from, size);
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;

    for (; size > 0 && *x == *y; size--) {
        x++;
        y++;
    }
    return size > 0 ? *x - *y : 0;
}

void *memchr(const void *in, int byte, size_t size)
{
    const unsigned char *at = (const unsigned char *)in;

    for (; size > 0; size--, at++)
        if (*at == (unsigned char)byte) return (void *)at;
    return NULL;
}

size_t strlen(const char *text)
{
    const char *at = text;

    while (*at)
        at++;
    return (size_t)(at - text);
}

char *strchr(const char *text, int byte)
{
    for (; *text != (char)byte; text++)
        if (!*text) return NULL;
    return (char *)text;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++)
        b++;
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t size)
{
    for (; size > 0 && *a && *a == *b; size--) {
        a++;
        b++;
    }
    return size > 0 ? (unsigned char)*a - (unsigned char)*b : 0;
}

#endif
