/* bare_metal: a Cortex-M3 without an operating system, a heap or a file reads a recorded response in 16 KB, and moves
 * something for each tool call. The recording is in flash; a modem would give the bytes instead.
 *
 *     make bare-metal     builds it and runs it in qemu-system-arm
 */
#define ELELEM_NO_STDLIB
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

extern const char recording[], recording_end[]; /* see start.s */

static unsigned char memory[16 * 1024];
static elelem_arena arena;
static elelem_turn turn;

/* Semihosting: the debugger, here the emulator, writes for the device. */
static void ask_host(int what, const void *with)
{
    register int number __asm__("r0") = what;
    register const void *block __asm__("r1") = with;

    __asm__ volatile("bkpt 0xab" : "+r"(number) : "r"(block) : "memory");
}

#define HOST_WRITE_CHARACTER 3
#define HOST_EXIT 0x18
#define EXIT_GOOD ((const void *)0x20026)
#define EXIT_BAD ((const void *)0x20023)

static elelem_status put(void *context, const void *bytes, size_t size)
{
    const char *at = (const char *)bytes;

    (void)context;
    for (; size > 0; size--)
        ask_host(HOST_WRITE_CHARACTER, at++);
    return ELELEM_OK;
}

static void say(elelem_str text)
{
    put(NULL, text.data, text.size);
}

static void say_number(size_t number)
{
    elelem_writer writer;
    elelem_sink out;

    out.write = put;
    out.context = NULL;
    elelem_writer_init(&writer, out, 0);
    elelem_writer_uint64(&writer, number);
}

static void run(const elelem_tool_call *call)
{
    elelem_value step;
    int count = 0;

    if (!elelem_value_is_complete(call->arguments)) return;
    for (step = elelem_value_first(elelem_value_get(call->arguments, "steps")); elelem_value_type(step) != ELELEM_TYPE_NONE;
         step = elelem_value_next(step))
        count++; /* here a motor would turn */
    say(call->name);
    say(elelem_str_of(": "));
    say_number((size_t)count);
    say(elelem_str_of(" steps\n"));
}

/* Takes all updates there are now. Nonzero if the last of them is FINISHED. */
static int take(void)
{
    elelem_turn_update update;
    int is_finished = 0;

    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        switch (update.kind) {
        case ELELEM_TURN_TEXT: say(update.text); break;
        case ELELEM_TURN_TOOL_CALL_START: say(elelem_str_of("\n")); break;
        case ELELEM_TURN_TOOL_CALL_DONE: run(&update.tool_call); break;
        case ELELEM_TURN_ERROR: say(update.error.message); break;
        case ELELEM_TURN_FINISHED: is_finished = 1; break;
        default: break;
        }
    return is_finished;
}

int main(void)
{
    elelem_turn_desc desc = ELELEM_INIT;
    const char *at;
    int is_finished = 0;

    desc.shape = &elelem_shape_chat;
    desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    desc.keep = ELELEM_KEEP_TOOL_CALLS;
    desc.without_provider_items = 1;
    elelem_turn_init(&turn, &desc);
    for (at = recording; at < recording_end; at += 64) {
        size_t left = (size_t)(recording_end - at);
        elelem_turn_push(&turn, at, left < 64 ? left : 64);
        is_finished |= take();
    }
    elelem_turn_finish(&turn);
    is_finished |= take();
    elelem_turn_free(&turn);
    say(elelem_str_of("most memory taken: "));
    say_number(elelem_arena_peak(&arena));
    say(elelem_str_of(" bytes, and the turn's own "));
    say_number(sizeof turn);
    say(elelem_str_of("\n"));
    ask_host(HOST_EXIT, is_finished ? EXIT_GOOD : EXIT_BAD);
    return 0;
}
