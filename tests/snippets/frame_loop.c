/* snippet: else if (body_is_over()) elelem_turn_finish(&turn);
 * prints:
 * text Hel
 * text lo
 * item
 * finished
 * over
 * text Hel
 * text lo
 * item
 * finished
 * over
 * text Hel
 * text lo
 * item
 * finished
 * over
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <string.h>

/* Only the end of the body ends a stream of this shape. */
static const char whole[] = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hel\"}]}}]}\n\n"
                            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"lo\"}]},\"finishReason\":\"STOP\"}]}\n\n";
static size_t at;
static unsigned chance, pace;

/* Nonzero one time in `pace`, in no order. */
static int now_and_then(void)
{
    chance = chance * 1103515245u + 12345u;
    return (chance >> 16) % pace == 0;
}

/* Sometimes nothing has come yet. */
static size_t receive(char *bytes, size_t room)
{
    size_t size = sizeof whole - 1 - at;

    if (now_and_then()) return 0;
    if (size > room) size = room;
    memcpy(bytes, whole + at, size);
    at += size;
    return size;
}

static int body_is_over(void)
{
    return at == sizeof whole - 1;
}

/* Sometimes time is up, also before the first update of a frame. */
static int there_is_time(void)
{
    return !now_and_then();
}

static uint32_t now_ms(void)
{
    return 0;
}

static void show(const elelem_turn_update *update)
{
    if (update->kind == ELELEM_TURN_TEXT) printf("text %.*s\n", ELELEM_STR_ARG(update->text));
    if (update->kind == ELELEM_TURN_ITEM) printf("item\n");
    if (update->kind == ELELEM_TURN_FINISHED) printf("finished\n");
    if (update->kind == ELELEM_TURN_ERROR) printf("error %.*s\n", ELELEM_STR_ARG(update->error.message));
}

int main(void)
{
    elelem_turn turn;
    elelem_turn_update update;
    elelem_turn_desc desc = ELELEM_INIT;
    char bytes[128];
    size_t size;
    int frame;

    desc.shape = &elelem_shape_gemini;
    for (pace = 2; pace <= 4; pace++) {
        elelem_status status = ELELEM_MORE;
        at = 0;
        desc.max_next_bytes = pace == 3 ? 20 : 0;
        elelem_turn_init(&turn, &desc);
        for (frame = 0; frame < 1000; frame++) {
#include "snippet.h"
        }
        if (status == ELELEM_END) printf("over\n");
        elelem_turn_free(&turn);
    }
    return 0;
}
