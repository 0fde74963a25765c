/* device: reads a whole response in 16 KB, without malloc.
 *
 *     device FILE
 *
 * Reads a chat stream in small pieces, prints each finished tool call as JSON, how the
 * response ended, and the most memory that was taken. Text passes through and is not kept.
 * Exit 0 if the response finished, 1 if it did not, 2 usage.
 */
#define _POSIX_C_SOURCE 200112L
#define ELELEM_NO_STDLIB
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <fcntl.h>
#include <unistd.h>

static unsigned char memory[16 * 1024];
static elelem_arena arena;
static elelem_turn turn;

static elelem_status send_out(void *context, const void *bytes, size_t size)
{
    (void)context;
    return write(1, bytes, size) == (ssize_t)size ? ELELEM_OK : ELELEM_ERROR_SINK;
}

static elelem_sink output(void)
{
    elelem_sink sink;

    sink.write = send_out;
    sink.context = NULL;
    return sink;
}

static void say(const char *text)
{
    send_out(NULL, text, elelem_str_of(text).size);
}

static void say_number(size_t number)
{
    elelem_writer writer;

    elelem_writer_init(&writer, output(), 0);
    elelem_writer_uint64(&writer, number);
}

static void say_call(const elelem_item *item)
{
    elelem_writer writer;

    elelem_writer_init(&writer, output(), 0);
    elelem_item_write(&writer, item);
    say("\n");
}

/* Takes all updates there are now. Nonzero if the last of them is FINISHED. */
static int work(void)
{
    elelem_turn_update update;
    int finished = 0;

    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        switch (update.kind) {
        case ELELEM_TURN_TOOL_CALL_DONE: say_call(update.item); break;
        case ELELEM_TURN_FINISHED:
            say("finished: ");
            say(elelem_finish_reason_name(update.reason));
            say("\n");
            finished = 1;
            break;
        case ELELEM_TURN_ERROR:
            say("error: ");
            say(elelem_error_kind_name(update.error.kind));
            say("\n");
            break;
        default: break;
        }
    return finished;
}

int main(int count, char **words)
{
    char bytes[256];
    elelem_turn_desc desc = ELELEM_INIT;
    ssize_t size;
    int finished = 0;
    int file = count == 2 ? open(words[1], O_RDONLY) : -1;

    if (file < 0) {
        say("usage: device FILE\n");
        return 2;
    }
    desc.shape = &elelem_shape_chat;
    desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    desc.keep = ELELEM_KEEP_TOOL_CALLS;
    desc.without_provider_items = 1;
    desc.repeat_bytes = 1;
    elelem_turn_init(&turn, &desc);
    while ((size = read(file, bytes, sizeof bytes)) > 0) {
        elelem_turn_push(&turn, bytes, (size_t)size);
        finished |= work();
    }
    elelem_turn_finish(&turn);
    finished |= work();
    elelem_turn_free(&turn);
    say("most memory taken: ");
    say_number(elelem_arena_peak(&arena));
    say(" bytes beside the turn's own ");
    say_number(sizeof turn);
    say("\n");
    return !finished;
}
