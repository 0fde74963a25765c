/* For each file whose path is a line of build/inputs: one number that stands for all that the library makes of its bytes, as JSON with
 * its numbers, as a response of every shape, and as record lines. Inputs of fuzzers begin with a few bytes that choose
 * settings, so the bytes after those are read too. `make check-same` compares what builds print. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 18)
#include "streams.h"

static uint64_t sum;

static void add(const void *bytes, size_t size)
{
    const unsigned char *byte = (const unsigned char *)bytes;
    size_t i;

    for (i = 0; i < size; i++)
        sum = (sum ^ byte[i]) * 0x100000001b3u;
}

/* A number of any size, so that the sum does not depend on sizes or on the order of bytes. */
static void add_number(uint64_t number)
{
    unsigned char bytes[8];
    int i;

    for (i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    add(bytes, sizeof bytes);
}

static void add_number_text(elelem_str text)
{
    int64_t whole = 0;
    double real = 0;
    uint64_t bits;

    add_number((uint64_t)(int64_t)elelem_number_to_int64(text, &whole));
    add_number((uint64_t)whole);
    add_number((uint64_t)(int64_t)elelem_number_to_double(text, &real));
    memcpy(&bits, &real, sizeof bits);
    add_number(bits);
}

/* Pieces of a text are joined, because their number is not promised. */
static void add_fragment(const elelem_fragment *fragment)
{
    if (fragment->kind == ELELEM_FRAGMENT_STRING) {
        add(fragment->text.data, fragment->text.size);
        return;
    }
    add_number(fragment->kind);
    add_number(fragment->type);
    add_number(fragment->path->count);
    if (fragment->kind == ELELEM_FRAGMENT_SCALAR && fragment->type == ELELEM_TYPE_NUMBER) add_number_text(fragment->text);
    else add(fragment->text.data, fragment->text.size);
}

/* In pieces, so that the ends of vectors are at many places. */
static void add_json(const char *bytes, size_t size, size_t step)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_status status = ELELEM_MORE;
    size_t at;

    elelem_fragment_parser_init(&parser, NULL);
    for (at = 0; at < size && status == ELELEM_MORE; at += step) {
        elelem_fragment_parser_push(&parser, bytes + at, step < size - at ? step : size - at);
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
            add_fragment(&fragment);
    }
    elelem_fragment_parser_finish(&parser);
    while (status >= 0 && (status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
        add_fragment(&fragment);
    add_number((uint64_t)(int64_t)status);
    add_number(elelem_fragment_parser_error(&parser).offset);
    elelem_fragment_parser_free(&parser);
}

static elelem_status write_to_sum(void *context, const void *bytes, size_t size)
{
    (void)context;
    add(bytes, size);
    return ELELEM_OK;
}

/* The events as lines. */
static void add_record(const elelem_shape *shape, const char *bytes, size_t size)
{
    elelem_stream stream;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_recorder recorder;
    elelem_recorder_desc of_recorder = ELELEM_INIT;
    elelem_event event;

    desc.shape = shape;
    of_recorder.sink.write = write_to_sum;
    elelem_stream_init(&stream, &desc);
    elelem_recorder_init(&recorder, &of_recorder);
    if (elelem_stream_push(&stream, bytes, size) != ELELEM_OK) abort();
    elelem_stream_finish(&stream);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        add_number((uint64_t)(int64_t)elelem_recorder_push(&recorder, &event));
    elelem_recorder_free(&recorder);
    elelem_stream_free(&stream);
}

static void add_streams(const char *bytes, size_t size)
{
    static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                                  &elelem_shape_gemini, &elelem_shape_interactions };
    static const feed_object fed = { &streams_now, streams_start, streams_push, streams_next, streams_finish, NULL };
    size_t i;

    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        streams_shape(shapes[i]);
        streams_now.desc.split_thoughts = 1;
        streams_now.offsets = 1;
        feed_once(&fed, &feed_now, bytes, size, 0, 7, 0);
        add(feed_now.text, feed_now.size);
        add_record(shapes[i], bytes, size);
    }
}

static void add_all(const char *bytes, size_t size)
{
    add_json(bytes, size, size + 1);
    add_json(bytes, size, 7);
    add_streams(bytes, size);
}

int main(void)
{
    static const size_t settings[] = { 0, 1, 2, 3, 5, 6 };
    char path[600];
    FILE *inputs = fopen("build/inputs", "r");

    while (inputs && fgets(path, sizeof path, inputs)) {
        size_t size, i;
        char *bytes;
        path[strcspn(path, "\n")] = '\0';
        bytes = streams_read(path, &size);
        sum = 0xcbf29ce484222325u;
        for (i = 0; i < sizeof settings / sizeof *settings && settings[i] <= size; i++)
            add_all(bytes + settings[i], size - settings[i]);
        printf("%08lx%08lx %s\n", (unsigned long)(sum >> 32), (unsigned long)(sum & 0xffffffffu), path);
        free(bytes);
    }
    return inputs == NULL;
}
