/* The work law on bodies that repeat: the input is a body in which any span can be written many times over, inside others
 * too, so that a few bytes become N of one thing and M of another in one frame. Reading it may take no more steps than
 * the law of work_law.h allows for its bytes; and an object no more memory than limits.h says. The first bytes choose the
 * shape, the HTTP status and the pieces. */
#include "elelem_stream.h"

#include "mutate_values.h"
#include "work_law.h"

#define LARGEST 1024u          /* bytes of input */
#define WRITTEN (1u << 18)     /* and of the body */
#define SETTINGS 2
/* An element of a list of blocks (Messages) or parts (Gemini) may have two bytes, and takes 400 steps, however many there are;
   an unknown part, which is an item of its own, may have seven, and takes 1900. */
#define WORK_PER_COMMA 200
#define WORK_PER_PART 1000
#define BEGIN 0x01             /* and a byte: write what follows so many times, up to END */
#define END 0x02
#define NESTED 8

static const uint8_t *input, *input_end;
static work_text body;

/* How often a span is written: the byte, in steps that grow. */
static size_t times(uint8_t byte)
{
    return (size_t)(1 + byte % 16) << byte / 32;
}

/* A span that is being written again and again. */
typedef struct span {
    const uint8_t *start;
    size_t left;
} span;

static void write_body(void)
{
    span open[NESTED];
    size_t depth = 0;

    body.size = 0;
    while (input < input_end && body.size < WRITTEN) {
        uint8_t byte = *input++;
        if (byte == BEGIN && input < input_end && depth < NESTED) {
            open[depth].left = times(*input++);
            open[depth++].start = input;
        } else if (byte == END && depth > 0) {
            if (--open[depth - 1].left > 0) input = open[depth - 1].start;
            else depth--;
        } else {
            work_put(&body, (const char *)&byte, 1);
        }
    }
}

/* Counts what may be an element of a list; with an object, those that are one. */
static size_t elements(int is_object)
{
    size_t at, count = 0;

    for (at = 0; at + 1 < body.size; at++)
        count += body.bytes[at] == ',' && (!is_object || body.bytes[at + 1] == '{');
    return count;
}

static uint64_t most_for_elements(const elelem_shape *shape)
{
    uint64_t most = 0;

    if (shape == &elelem_shape_messages || shape == &elelem_shape_gemini) most += WORK_PER_COMMA * elements(0);
    if (shape == &elelem_shape_gemini) most += WORK_PER_PART * elements(1);
    return most;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_values(data, size, most, seed, SETTINGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                                  &elelem_shape_gemini, &elelem_shape_interactions };
    work_reading how = WORK_LIMITS(&elelem_shape_chat, 0);
    uint64_t steps, most;

    if (size < SETTINGS || size > LARGEST) return 0;
    how.shape = shapes[data[0] & 32 ? 4 : data[0] & 3];
    how.http_status = data[0] & 4 ? 429 : 0;
    how.split_thoughts = data[0] >> 3 & 1;
    if (data[0] & 16) how.max_frame_bytes = how.max_kept_bytes = how.max_item_bytes = 5000;
    input = data + SETTINGS;
    input_end = data + size;
    write_body();
    steps = work_of(&how, body.bytes, body.size, 4096);
    most = work_most(&how, body.bytes, body.size) + most_for_elements(how.shape);
    if (work_memory_broken) abort();
    if (steps <= most) return 0;
    fprintf(stderr, "%s: %llu steps for %lu bytes, of %llu allowed: %.*s\n", how.shape->name, (unsigned long long)steps,
            (unsigned long)body.size, (unsigned long long)most, body.size < 2000 ? (int)body.size : 2000, body.bytes);
    abort();
}
