/* demo: shows in ten seconds what the library is for.
 *
 * Replays recorded responses at the pace of a network that cuts them anywhere. Watch the arguments of the tool calls: they are
 * on the screen while the model is still writing them.
 *
 *     demo [-p MILLISECONDS BETWEEN PUSHES] [FILE...]
 *
 * A file is a chat response, unless its name says another shape: quest.responses.sse.
 */
#define _DEFAULT_SOURCE
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"
#include "watch.h"

#include <time.h>

#define PUSH_BYTES 61

static watch screen;

static void pause_for(long milliseconds)
{
    struct timespec time;

    time.tv_sec = milliseconds / 1000;
    time.tv_nsec = milliseconds % 1000 * 1000000;
    nanosleep(&time, NULL);
}

static void show(elelem_turn *turn)
{
    elelem_turn_update update;

    while (elelem_turn_next(turn, &update) == ELELEM_OK)
        watch_update(&screen, &update);
    watch_draw(&screen, turn);
}

/* Pushes of 61 bytes, wherever that cuts, and a wait between them. */
static void replay(elelem_turn *turn, const char *bytes, size_t size, long pace)
{
    while (size > 0) {
        size_t push = size < PUSH_BYTES ? size : PUSH_BYTES;
        elelem_turn_push(turn, bytes, push);
        watch_pushed(&screen, bytes, push);
        show(turn);
        if (pace > 0) pause_for(pace);
        bytes += push;
        size -= push;
    }
    elelem_turn_finish(turn);
    show(turn);
}

/* The shape that the file's name has before its last dot; chat if it has none. */
static const elelem_shape *shape_of(const char *name)
{
    char word[32] = "";
    const char *end = strrchr(name, '.'), *start = end;
    const elelem_shape *shape;

    while (start && start > name && start[-1] != '.')
        start--;
    if (start && start > name && (size_t)(end - start) < sizeof word) memcpy(word, start, (size_t)(end - start));
    shape = elelem_shape_find(word);
    return shape ? shape : &elelem_shape_chat;
}

static int demonstrate(const char *name, long pace)
{
    static char recording[1 << 18];
    static elelem_turn turn;
    elelem_turn_desc desc = ELELEM_INIT;
    FILE *file = fopen(name, "rb");
    size_t size;

    if (!file) {
        perror(name);
        return 1;
    }
    size = fread(recording, 1, sizeof recording, file);
    fclose(file);
    watch_open(&screen);
    desc.shape = shape_of(name);
    desc.allocator = watch_allocator(&screen);
    elelem_turn_init(&turn, &desc);
    replay(&turn, recording, size, pace);
    elelem_turn_free(&turn);
    watch_close(&screen);
    return 0;
}

int main(int count, char **words)
{
    long pace = isatty(1) ? 14 : 0;
    int i = 1, result = 0;

    if (count > 2 && strcmp(words[1], "-p") == 0) {
        pace = atol(words[2]);
        i = 3;
    }
    if (i == count) return demonstrate("examples/demo.sse", pace);
    for (; i < count && result == 0; i++) {
        if (i > 1 && words[i - 1][0] != '-') puts("");
        result = demonstrate(words[i], pace);
    }
    return result;
}
