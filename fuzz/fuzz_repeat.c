/* Frames like the frame before, and their slow twin that parses each: the same events, offsets and end for any frames and cuts,
 * within the memory that the desc allows, and in steps in proportion to the bytes and the pushes. Each line of the input is the
 * data of a frame; a line "+", three numbers and a text is the frame before with so many bytes replaced by the text. The first
 * bytes of the input choose the shape and the pieces. */
#include "counted_own.h"

#define FEED_LOG_SIZE (1u << 18)
#include "mutate_values.h"
#include "streams.h"

#define LARGEST 2048
#define SETTINGS 3 /* bytes */
#define STEPS_ALWAYS 20000u
#define STEPS_PER_BYTE 150u /* of the body, fast and slow together */
#define STEPS_PER_PUSH 200u /* likewise */

static feed_log slow_log;
static limits_heap heap;
static char body[1 << 16], before[4096];
static size_t body_size, before_size;

static void put(const char *bytes, size_t size)
{
    if (size > sizeof body - body_size) size = sizeof body - body_size;
    memcpy(body + body_size, bytes, size);
    body_size += size;
}

static void put_text(const char *text)
{
    put(text, strlen(text));
}

static void put_frame(const char *data, size_t size)
{
    put_text("data: ");
    put(data, size);
    put_text("\n\n");
}

/* "+", a place, how much of the frame before is replaced, and by what. */
static void change(const uint8_t *line, size_t size)
{
    size_t at = before_size > 0 ? (line[1] | (size_t)(line[2] & 1) << 8) % before_size : 0;
    size_t gone = line[3] % 16, more = size - 4;

    if (gone > before_size - at) gone = before_size - at;
    if (before_size - gone + more > sizeof before) return;
    memmove(before + at + more, before + at + gone, before_size - at - gone);
    memcpy(before + at, line + 4, more);
    before_size = before_size - gone + more;
}

static void add_line(const uint8_t *line, size_t size)
{
    if (size > 4 && line[0] == '+') {
        change(line, size);
    } else {
        before_size = size < sizeof before ? size : sizeof before;
        memcpy(before, line, before_size);
    }
    put_frame(before, before_size);
}

/* A large frame first, so that there is room. */
static void make_body(const uint8_t *data, size_t size)
{
    static char space[1500];
    size_t at = 0, end;

    body_size = before_size = 0;
    memset(space, ' ', sizeof space);
    put_text("data: {\"choices\":[{\"delta\":{\"content\":\"");
    put(space, sizeof space);
    put_text("\"}}]}\n\n");
    for (; at < size; at = end + 1) {
        for (end = at; end < size && data[end] != '\n'; end++)
            ;
        add_line(data + at, end - at);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_values(data, size, most, seed, SETTINGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                                  &elelem_shape_gemini, &elelem_shape_interactions };
    uint64_t steps = counted_steps, pushes;
    size_t first, step;

    if (size < SETTINGS || size > LARGEST) return 0;
    streams_shape(shapes[(data[0] & 15) % 5]);
    streams_now.offsets = streams_now.usage = 1;
    streams_now.desc.without_provider_items = data[0] >> 4 & 1;
    if (data[0] & 32) streams_now.desc.max_frame_bytes = 4000;
    if (data[0] & 32) streams_now.desc.max_kept_bytes = 300;
    memset(&heap, 0, sizeof heap);
    heap.bound = limits_of_stream(&streams_now.desc);
    streams_now.desc.allocator = limits_allocator(&heap);
    first = 1546 + data[1] * 4u;
    step = data[2] < 128 ? data[2] * 3u + 1 : 100000;
    make_body(data + SETTINGS, size - SETTINGS);
    pushes = 1 + (body_size > first ? (body_size - first + step - 1) / step : 0);
    twins_are_fast = 1;
    feed_once(&streams_fed, &feed_now, body, body_size, first, step, 0);
    twins_are_fast = 0;
    feed_once(&streams_fed, &slow_log, body, body_size, first, step, 0);
    elelem_stream_free(&streams_now.stream);
    if (heap.live != 0 || !limits_held(&heap)) abort();
    if (!work_held(steps, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * body_size + STEPS_PER_PUSH * pushes)) abort();
    if (feed_now.size == slow_log.size && memcmp(feed_now.text, slow_log.text, feed_now.size) == 0) return 0;
    fprintf(stderr, "%.*s\n-- slow:\n%.*s\n", (int)feed_now.size, feed_now.text, (int)slow_log.size, slow_log.text);
    abort();
}

COUNTED_END
