/* work WORKLOAD BYTES [PUSH]: does so much of one kind of work and nothing else, so that its
 * instructions can be counted. tests/test_linear.sh compares the counts for two sizes. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An input that is made up as it is pushed: a beginning, then one pattern over and over. */
typedef struct workload {
    const char *name;
    const char *start;
    const char *pattern;
    int kind; /* 'j': JSON, 'v': JSON into a value, 's': event stream, 'c': chat stream */
} workload;

static const workload workloads[] = {
    { "open-string", "\"", "xxxxxxxxxxxxxxxx", 'j' },
    { "escapes", "\"", "\\n", 'j' },
    { "unicode-escapes", "\"", "\\ud83d\\ude00", 'j' },
    { "characters", "\"", "\xd0\xb6\xe4\xb8\xad", 'j' },
    { "key", "{\"", "kkkkkkkkkkkkkkkk", 'j' },
    { "digits", "", "1234567890", 'j' },
    { "spaces", "[", "                ", 'j' },
    { "elements", "[", "1,", 'j' },
    { "members", "{", "\"a\":1,", 'j' },
    { "containers", "[", "[[{\"a\":[]}]],", 'j' },
    { "value-string", "\"", "xxxxxxxxxxxxxxxx", 'v' },
    { "value-elements", "[", "[],", 'v' },
    { "value-members", "{", "\"a\":1,", 'v' },
    { "data-line", "data: ", "xxxxxxxxxxxxxxxx", 's' },
    { "data-lines", "", "data:\n", 's' },
    { "comment", ":", "xxxxxxxxxxxxxxxx", 's' },
    { "frames", "", "data: {}\n\n", 's' },
    { "chat-text", "", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n", 'c' },
    { "chat-arguments", "",
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"a\"}}]}}]}\n\n",
      'c' },
};

static void run_json(const void *bytes, size_t size, elelem_fragment_parser *parser,
                     elelem_fragment_aggregator *aggregator)
{
    elelem_fragment fragment;

    elelem_fragment_parser_push(parser, bytes, size);
    while (elelem_fragment_parser_next(parser, &fragment) == ELELEM_OK)
        if (aggregator) elelem_fragment_aggregator_push(aggregator, &fragment);
}

static void run_sse(const void *bytes, size_t size, elelem_sse_decoder *decoder)
{
    elelem_frame frame;

    elelem_sse_decoder_push(decoder, bytes, size);
    while (elelem_sse_decoder_next(decoder, &frame) == ELELEM_OK)
        ;
}

static void run_stream(const void *bytes, size_t size, elelem_stream *stream)
{
    elelem_event event;

    elelem_stream_push(stream, bytes, size);
    while (elelem_stream_next(stream, &event) == ELELEM_OK)
        ;
}

/* Everything a workload may need, made ready. */
typedef struct workshop {
    elelem_fragment_parser parser;
    elelem_fragment_aggregator aggregator;
    elelem_sse_decoder decoder;
    elelem_stream stream;
} workshop;

/* Limits stand aside: it is the work that is to be seen. */
static void open_shop(workshop *shop)
{
    elelem_fragment_parser_desc json = ELELEM_INIT;
    elelem_fragment_aggregator_desc value = ELELEM_INIT;
    elelem_sse_decoder_desc sse = ELELEM_INIT;
    elelem_stream_desc chat = ELELEM_INIT;

    json.max_key_bytes = json.max_path_bytes = json.max_number_bytes = 1u << 30;
    chat.shape = &elelem_shape_chat;
    elelem_fragment_parser_init(&shop->parser, &json);
    elelem_fragment_aggregator_init(&shop->aggregator, &value);
    elelem_sse_decoder_init(&shop->decoder, &sse);
    elelem_stream_init(&shop->stream, &chat);
}

static void close_shop(workshop *shop)
{
    elelem_fragment_parser_free(&shop->parser);
    elelem_fragment_aggregator_free(&shop->aggregator);
    elelem_sse_decoder_free(&shop->decoder);
    elelem_stream_free(&shop->stream);
}

static void work_on(workshop *shop, int kind, const char *bytes, size_t size)
{
    switch (kind) {
    case 'j': run_json(bytes, size, &shop->parser, NULL); break;
    case 'v': run_json(bytes, size, &shop->parser, &shop->aggregator); break;
    case 's': run_sse(bytes, size, &shop->decoder); break;
    default: run_stream(bytes, size, &shop->stream); break;
    }
}

static const workload *workload_named(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        if (strcmp(name, workloads[i].name) == 0) return &workloads[i];
    return NULL;
}

/* The pattern so often that pushes and patterns end together. */
static char *repeat(const char *pattern, size_t times)
{
    size_t i, size = strlen(pattern);
    char *text = (char *)malloc(size * times);

    for (i = 0; text && i < times; i++)
        memcpy(text + i * size, pattern, size);
    return text;
}

static int work(const workload *w, size_t bytes, size_t push)
{
    static workshop shop;
    size_t at, size = strlen(w->pattern) * push * 16;
    char *text = repeat(w->pattern, push * 16);

    if (!text) return 1;
    open_shop(&shop);
    work_on(&shop, w->kind, w->start, strlen(w->start));
    for (at = 0; at + push <= bytes; at += push)
        work_on(&shop, w->kind, text + at % size, push);
    close_shop(&shop);
    free(text);
    return 0;
}

int main(int count, char **words)
{
    const workload *w = count > 2 ? workload_named(words[1]) : NULL;
    size_t i;

    if (count == 2 && strcmp(words[1], "--list") == 0) {
        for (i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
            puts(workloads[i].name);
        return 0;
    }
    if (!w) {
        fputs("usage: work --list | WORKLOAD BYTES [PUSH]\n", stderr);
        return 2;
    }
    return work(w, (size_t)atol(words[2]), count > 3 ? (size_t)atol(words[3]) : 16);
}
