/* A chat response through a turn, without a C library: what the compilers of small targets compile, and WebAssembly runs.
   Nothing of the C library but what this file gives. */
#define ELELEM_NO_STDLIB
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#if defined(_MSC_VER) || defined(__wasm__)
/* The compiler calls these, whatever a program includes. */
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
#endif

#ifdef __wasm__
#define SHOWN(name) __attribute__((export_name(name)))
#else
#define SHOWN(name)
#endif

static char memory[16 * 1024];
static char pushed[4096];
static char text[4096];
static size_t text_size;
static elelem_arena arena;
static elelem_turn turn;

char *begin(void);
int give(size_t size);
int finish(void);
const char *said(void);
size_t said_size(void);

/* Returns the place of the bytes of a push, at most 4096. */
SHOWN("begin") char *begin(void)
{
    elelem_turn_desc desc = ELELEM_INIT;

    desc.shape = &elelem_shape_chat;
    desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    desc.keep = ELELEM_KEEP_TOOL_CALLS;
    desc.without_provider_items = 1;
    elelem_turn_init(&turn, &desc);
    text_size = 0;
    return pushed;
}

static void say(elelem_str more)
{
    if (more.size > sizeof text - text_size) return;
    memcpy(text + text_size, more.data, more.size);
    text_size += more.size;
}

/* Takes what there is. Returns nonzero after FINISHED. */
static int take(void)
{
    elelem_turn_update update;
    int is_finished = 0;

    while (elelem_turn_next(&turn, &update) == ELELEM_OK) {
        if (update.kind == ELELEM_TURN_TEXT) say(update.text);
        if (update.kind == ELELEM_TURN_TOOL_CALL_DONE) say(update.tool_call.name);
        is_finished = update.kind == ELELEM_TURN_FINISHED;
    }
    return is_finished;
}

SHOWN("give") int give(size_t size)
{
    elelem_turn_push(&turn, pushed, size);
    return take();
}

SHOWN("finish") int finish(void)
{
    elelem_turn_finish(&turn);
    return take();
}

SHOWN("said") const char *said(void)
{
    return text;
}

SHOWN("said_size") size_t said_size(void)
{
    return text_size;
}
