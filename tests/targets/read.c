/* A chat response through a turn, without a C library: what the compilers of small targets compile, and WebAssembly runs.
   Nothing of the C library but what this file gives. */
#define ELELEM_NO_STDLIB
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#if defined(_MSC_VER) || defined(__wasm__)
#include "libc.h"
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
