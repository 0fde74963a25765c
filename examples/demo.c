/* demo: shows in ten seconds what the library is for.
 *
 * Replays a recorded response at the pace of a model. Watch the arguments of the tool calls:
 * they are on the screen while the model is still writing them.
 *
 *     demo [FILE [MILLISECONDS BETWEEN FRAMES]]
 */
#define _POSIX_C_SOURCE 199309L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DIM (is_terminal ? "\033[2m" : "")
#define BOLD (is_terminal ? "\033[1m" : "")
#define GREEN (is_terminal ? "\033[32m" : "")
#define PLAIN (is_terminal ? "\033[0m" : "")

static int is_terminal;

static void put(elelem_str text)
{
    fwrite(text.data, 1, text.size, stdout);
}

static void headline(const char *text)
{
    static const char *last = "";

    if (strcmp(last, text) == 0) return;
    last = text;
    printf("%s\n\n%s%s%s\n", PLAIN, BOLD, text, PLAIN);
}

/* A file being written: every piece of its text goes out as soon as it arrives. */
static void show_file(const elelem_fragment *fragment)
{
    if (fragment->kind == ELELEM_FRAGMENT_STRING) {
        printf("%s", GREEN);
        put(fragment->text);
        printf("%s", PLAIN);
    }
    if (fragment->kind == ELELEM_FRAGMENT_DONE && elelem_path_is(fragment->path, "path")) printf("\n----\n");
}

/* Any other call: its arguments so far, on one line that is written again and again. */
static void show_arguments(const elelem_turn *turn, const elelem_tool_call *call)
{
    char json[256];
    elelem_span_sink line = ELELEM_INIT;
    elelem_writer writer;

    if (!is_terminal) return;
    line.data = json;
    line.capacity = sizeof json;
    elelem_writer_init(&writer, elelem_span_sink_of(&line), 0);
    elelem_writer_value(&writer, elelem_turn_arguments(turn, call->index));
    printf("\r\033[K%.*s  %s%.*s%s", ELELEM_STR_ARG(call->id), GREEN, (int)line.size, json, PLAIN);
}

static void show_call(const elelem_tool_call *call)
{
    elelem_str path = elelem_value_text(elelem_value_get(call->arguments, "path"));
    elelem_str town = elelem_value_text(elelem_value_get(call->arguments, "town"));

    if (!elelem_value_is_complete(call->arguments))
        printf("\n%.*s was cut off: do not run it", ELELEM_STR_ARG(call->name));
    else if (elelem_str_is(call->name, "write_file"))
        printf("\n%s(now the game writes %.*s)%s", DIM, ELELEM_STR_ARG(path), PLAIN);
    else
        printf("%s\n%s(now the game asks for the weather in %.*s)%s", is_terminal ? "\r\033[K" : "", DIM,
               ELELEM_STR_ARG(town), PLAIN);
}

static void show(const elelem_turn *turn, const elelem_turn_update *update)
{
    switch (update->kind) {
    case ELELEM_TURN_REASONING:
        headline("the model thinks");
        printf("%s", DIM);
        put(update->text);
        break;
    case ELELEM_TURN_TEXT:
        headline("the model speaks");
        put(update->text);
        break;
    case ELELEM_TURN_TOOL_CALL_START:
        headline(elelem_str_is(update->tool_call.name, "write_file") ? "the model calls write_file"
                                                                     : "the model calls get_weather, twice at once");
        break;
    case ELELEM_TURN_TOOL_CALL_DELTA:
        if (elelem_str_is(update->tool_call.name, "write_file"))
            show_file(&update->fragment);
        else
            show_arguments(turn, &update->tool_call);
        break;
    case ELELEM_TURN_TOOL_CALL_DONE: show_call(&update->tool_call); break;
    case ELELEM_TURN_FINISHED:
        printf("\n\n%sfinished: %s%s, %ld tokens in, %ld out\n", BOLD,
               elelem_finish_reason_name(update->reason), PLAIN, (long)update->usage.input,
               (long)update->usage.output);
        break;
    case ELELEM_TURN_ERROR: printf("\n\nerror: %.*s\n", ELELEM_STR_ARG(update->error.message)); break;
    default: break;
    }
    fflush(stdout);
}

static void pause_for(long milliseconds)
{
    struct timespec time;

    time.tv_sec = milliseconds / 1000;
    time.tv_nsec = milliseconds % 1000 * 1000000;
    nanosleep(&time, NULL);
}

/* One frame of the recording at a time, and a wait between them. */
static void replay(elelem_turn *turn, const char *bytes, size_t size, long pace)
{
    elelem_turn_update update;

    while (size > 0) {
        const char *end = (const char *)memchr(bytes, '\n', size);
        size_t line = end ? (size_t)(end - bytes) + 1 : size;
        elelem_turn_push(turn, bytes, line);
        while (elelem_turn_next(turn, &update) == ELELEM_OK)
            show(turn, &update);
        if (line > 1 && pace > 0) pause_for(pace);
        bytes += line;
        size -= line;
    }
    elelem_turn_finish(turn);
    while (elelem_turn_next(turn, &update) == ELELEM_OK)
        show(turn, &update);
}

int main(int count, char **words)
{
    static char recording[1 << 18];
    static elelem_turn turn;
    const char *name = count > 1 ? words[1] : "examples/demo.sse";
    elelem_turn_desc desc = ELELEM_INIT;
    FILE *file = fopen(name, "rb");
    size_t size;

    if (!file) {
        perror(name);
        return 1;
    }
    size = fread(recording, 1, sizeof recording, file);
    fclose(file);
    is_terminal = isatty(1);
    desc.shape = &elelem_shape_chat;
    elelem_turn_init(&turn, &desc);
    replay(&turn, recording, size, count > 2 ? atol(words[2]) : 35);
    elelem_turn_free(&turn);
    return 0;
}
