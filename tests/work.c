/* work WORKLOAD BYTES [PUSH]: does only one kind of work, for so many bytes, so that its
 * instructions can be counted. If a workload pushes events, BYTES is their number.
 * work --all BYTES: all workloads, each twice, the second time with four times as much; less if
 * a byte costs much. tests/test_linear.sh compares the counts. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Items open at a time. */
#define OPEN_ITEMS 256u

typedef struct workshop workshop;

/* An input that is generated while it is pushed: a beginning, then one pattern again and again. */
typedef struct workload {
    const char *name;
    const char *start;
    const char *pattern;
    void (*work)(workshop *shop, const char *bytes, size_t size);
    int cost; /* the cost of a byte, compared with others */
    void (*end)(workshop *shop, size_t bytes); /* comes after all of these; may be null */
} workload;

/* Everything that a workload may need. */
struct workshop {
    elelem_fragment_parser parser;
    elelem_fragment_parser matcher;
    elelem_fragment_aggregator aggregator;
    elelem_sse_decoder decoder;
    elelem_stream stream;
    elelem_stream steps; /* of Interactions */
    elelem_turn turn;
    elelem_tag_splitter splitter;
    elelem_event_builder builder;
    elelem_pattern_node nodes[16];
    elelem_patterns patterns;
    elelem_buffer history;
    uint32_t events;
};

static void read_json(elelem_fragment_parser *parser, elelem_fragment_aggregator *aggregator, const char *bytes,
                      size_t size)
{
    elelem_fragment fragment;

    elelem_fragment_parser_push(parser, bytes, size);
    while (elelem_fragment_parser_next(parser, &fragment) == ELELEM_OK)
        if (aggregator) elelem_fragment_aggregator_push(aggregator, &fragment);
}

static void parse(workshop *shop, const char *bytes, size_t size)
{
    read_json(&shop->parser, NULL, bytes, size);
}

static void match(workshop *shop, const char *bytes, size_t size)
{
    read_json(&shop->matcher, NULL, bytes, size);
}

static void collect(workshop *shop, const char *bytes, size_t size)
{
    read_json(&shop->parser, &shop->aggregator, bytes, size);
}

static void decode(workshop *shop, const char *bytes, size_t size)
{
    elelem_frame frame;

    elelem_sse_decoder_push(&shop->decoder, bytes, size);
    while (elelem_sse_decoder_next(&shop->decoder, &frame) == ELELEM_OK)
        ;
}

static void read_stream(elelem_stream *from, const char *bytes, size_t size)
{
    elelem_event event;

    elelem_stream_push(from, bytes, size);
    while (elelem_stream_next(from, &event) == ELELEM_OK)
        ;
}

static void stream(workshop *shop, const char *bytes, size_t size)
{
    read_stream(&shop->stream, bytes, size);
}

static void stream_steps(workshop *shop, const char *bytes, size_t size)
{
    read_stream(&shop->steps, bytes, size);
}

static void split(workshop *shop, const char *bytes, size_t size)
{
    elelem_tag_piece piece;

    elelem_tag_splitter_push(&shop->splitter, bytes, size);
    while (elelem_tag_splitter_next(&shop->splitter, &piece) == ELELEM_OK)
        ;
}

/* Events for the builder. */

static void push_event(workshop *shop, const elelem_event *event)
{
    elelem_built built;

    elelem_event_builder_push(&shop->builder, event);
    while (elelem_event_builder_next(&shop->builder, &built) == ELELEM_OK)
        ;
    shop->events++;
}

static void push_arguments(workshop *shop, uint32_t index, const char *text, size_t size)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_PART;
    event.index = index;
    event.part.kind = ELELEM_PART_TOOL_CALL;
    event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
    event.part.tool_call.text.data = text;
    event.part.tool_call.text.size = size;
    push_event(shop, &event);
}

static void push_flush(workshop *shop, uint32_t index)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_FLUSH;
    event.index = index;
    push_event(shop, &event);
}

/* One call, one byte a chunk. */
static void build(workshop *shop, const char *bytes, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++)
        push_arguments(shop, 0, bytes + i, 1);
}

/* As many calls at a time as may be open, their chunks in turn. */
static void build_interleaved(workshop *shop, const char *bytes, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++) {
        int is_first = shop->events < OPEN_ITEMS;
        push_arguments(shop, shop->events % OPEN_ITEMS, is_first ? "\"" : bytes + i, 1);
    }
}

/* One call after another, while as many others as may be open stay so. */
static void build_many(workshop *shop, const char *bytes, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++) {
        if (shop->events < OPEN_ITEMS - 1)
            push_arguments(shop, shop->events, bytes, 1);
        else if (shop->events % 2)
            push_arguments(shop, OPEN_ITEMS + shop->events / 2, bytes, 1);
        else
            push_flush(shop, OPEN_ITEMS + shop->events / 2 - 1);
    }
}

/* The same through a whole turn: chunks of as many calls as may be open, in turn. */
static void turn_interleaved(workshop *shop, const char *bytes, size_t size)
{
    char frame[200];
    elelem_turn_update update;
    size_t i;

    (void)bytes;
    for (i = 0; i < size; i++) {
        unsigned n = shop->events++;
        int length = snprintf(frame, sizeof frame,
                              "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":%u,"
                              "\"function\":{\"arguments\":\"%s\"}}]}}]}\n\n",
                              n % OPEN_ITEMS, n < OPEN_ITEMS ? "[" : "1,");
        elelem_turn_push(&shop->turn, frame, (size_t)length);
        while (elelem_turn_next(&shop->turn, &update) == ELELEM_OK)
            ;
    }
}

static void nothing(workshop *shop, const char *bytes, size_t size)
{
    (void)shop;
    (void)bytes;
    (void)size;
}

/* One chunk of arguments whose string meets the limit in its middle, under a long path: bytes in the
   string and an eighth as many in the key. */
static void build_up_to_limit(workshop *shop, size_t bytes)
{
    elelem_event_builder_desc desc = ELELEM_INIT;
    size_t key = bytes / 8 < 60000 ? bytes / 8 : 60000;
    char *text = (char *)malloc(key + bytes + 5);

    if (!text) return;
    memcpy(text, "{\"", 2);
    memset(text + 2, 'k', key);
    memcpy(text + 2 + key, "\":\"", 3);
    memset(text + 5 + key, 's', bytes);
    desc.max_bytes = key + bytes / 2;
    elelem_event_builder_free(&shop->builder);
    elelem_event_builder_init(&shop->builder, &desc);
    push_arguments(shop, 0, text, key + bytes + 5);
    free(text);
}

/* A history, from which requests are written when it is whole. */
static void gather(workshop *shop, const char *bytes, size_t size)
{
    if (elelem_buffer_append(&shop->history, bytes, size) != ELELEM_OK) abort();
}

static elelem_status count_bytes(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return ELELEM_OK;
}

static void write_requests(workshop *shop, size_t bytes)
{
    static const char *const shapes[] = { "chat", "responses", "messages", "gemini", "interactions", "openrouter", "mistral" };
    elelem_request request = ELELEM_INIT;
    elelem_sink sink;
    size_t i, count = 0;

    (void)bytes;
    request.model = elelem_str_of("m");
    request.reasoning_tokens = 2000;
    request.history = elelem_buffer_text(&shop->history);
    while (request.history.size > 0 && request.history.data[request.history.size - 1] != '\n')
        request.history.size--;
    sink.write = count_bytes;
    sink.context = &count;
    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        request.provider = elelem_provider_find(shapes[i]);
        request.shape = elelem_shape_find(shapes[i]);
        if (elelem_request_write(&request, sink).status != ELELEM_OK) abort();
    }
}

#define ASK_USER "{\"type\":\"user\",\"text\":\"a\"}\n"
#define ASK_CALL "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"x\",\"arguments\":{\"a\":1}}\n"
#define ASK_RESULT "{\"type\":\"tool_result\",\"id\":\"a\",\"name\":\"x\",\"text\":\"1\"}\n"
#define ASK_EVENT(name, members) "{\"eventType\":\"" name "\",\"index\":1" members "}\n"
/* Members of a usage, which each frame after it keeps. */
#define USAGE_2 "\"k\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"k\":[1,2,3],"
#define USAGE_8 USAGE_2 USAGE_2 USAGE_2 USAGE_2

static const workload workloads[] = {
    { "open-string", "\"", "xxxxxxxxxxxxxxxx", parse, 1, NULL },
    { "escapes", "\"", "\\n", parse, 1, NULL },
    { "unicode-escapes", "\"", "\\ud83d\\ude00", parse, 1, NULL },
    { "characters", "\"", "\xd0\xb6\xe4\xb8\xad", parse, 1, NULL },
    { "key", "{\"", "kkkkkkkkkkkkkkkk", parse, 1, NULL },
    { "digits", "", "1234567890", parse, 1, NULL },
    { "spaces", "[", "                ", parse, 1, NULL },
    { "elements", "[", "1,", parse, 1, NULL },
    { "members", "{", "\"a\":1,", parse, 1, NULL },
    { "containers", "[", "[[{\"a\":[]}]],", parse, 1, NULL },
    { "depth", "", "[", parse, 1, NULL },
    { "matched", "[", "{\"a\":{\"b\":[{\"c\":1}]}},", match, 1, NULL },
    { "skipped", "{\"z\":[", "[[{\"a\":[]}]],", match, 1, NULL },
    { "skipped-depth", "{\"z\":", "[", match, 1, NULL },
    { "value-string", "\"", "xxxxxxxxxxxxxxxx", collect, 1, NULL },
    { "value-elements", "[", "[],", collect, 1, NULL },
    { "value-members", "{", "\"a\":1,", collect, 1, NULL },
    { "value-depth", "", "{\"a\":", collect, 1, NULL },
    { "data-line", "data: ", "xxxxxxxxxxxxxxxx", decode, 1, NULL },
    { "data-lines", "", "data:\n", decode, 1, NULL },
    { "comment", ":", "xxxxxxxxxxxxxxxx", decode, 1, NULL },
    { "frames", "", "data: {}\n\n", decode, 1, NULL },
    { "chat-text", "", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n", stream, 1, NULL },
    { "chat-arguments", "",
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"a\"}}]}}]}\n\n",
      stream, 1, NULL },
    { "usage-frames", "data: {\"choices\":[],\"usage\":{" USAGE_8 USAGE_8 USAGE_8 "\"k\":1}}\n\n",
      "data: {\"choices\":[],\"usage\":{\"a\":1}}\n\n", stream, 1, NULL },
    { "interactions-text", "", "data: {\"index\":0,\"delta\":{\"text\":\"word \",\"type\":\"text\"},\"event_type\":\"step.delta\"}\n\n",
      stream_steps, 1, NULL },
    { "interactions-arguments", "",
      "data: {\"index\":0,\"delta\":{\"arguments\":\"a\",\"type\":\"arguments_delta\"},\"event_type\":\"step.delta\"}\n\n", stream_steps, 1, NULL },
    { "interactions-audio", "",
      "data: {\"index\":0,\"delta\":{\"data\":\"QUJD\",\"type\":\"audio\"},\"event_type\":\"step.delta\"}\n\n", stream_steps, 1, NULL },
    { "interactions-data", "data: {\"index\":0,\"delta\":{\"mime_type\":\"image/png\",\"data\":\"", "QUJDQUJDQUJDQUJD", stream_steps, 1, NULL },
    { "nested-tags", "", "<think>", split, 1, NULL },
    { "open-angles", "", "<", split, 1, NULL },
    { "almost-tags", "", "<thin", split, 1, NULL },
    { "almost-heads", "", "<think a=\"1\" <", split, 1, NULL },
    { "blanks-before-tags", "", "                <think/>", split, 1, NULL },
    { "attributes", "<think ", "a=\"<think>\" ", split, 1, NULL },
    { "argument-deltas", "\"", "x", build, 4, NULL },
    { "interleaved-calls", "", "x", build_interleaved, 4, NULL },
    { "many-calls", "", "1", build_many, 4, NULL },
    { "interleaved-wire", "", "x", turn_interleaved, 32, NULL },
    { "string-at-limit", "", "x", nothing, 1, build_up_to_limit },
    { "request-users", "", ASK_USER, gather, 4, write_requests },
    { "request-steps", ASK_USER, ASK_CALL ASK_RESULT, gather, 4, write_requests },
    { "request-turns", "", ASK_USER ASK_CALL ASK_RESULT "{\"type\":\"message\",\"text\":\"b\"}\n", gather, 4, write_requests },
    { "request-results", ASK_USER ASK_CALL ASK_CALL ASK_CALL, ASK_RESULT, gather, 4, write_requests },
    { "request-results-without-ids", ASK_USER ASK_CALL ASK_CALL ASK_CALL, "{\"type\":\"tool_result\",\"text\":\"1\"}\n", gather, 4,
      write_requests },
    { "request-reasoning", ASK_USER, "{\"type\":\"reasoning\",\"text\":\"a\",\"metadata\":{\"signature\":\"s\",\"encrypted_content\":\"e\"}}\n",
      gather, 4, write_requests },
    { "request-blank-turns", ASK_USER, "{\"type\":\"reasoning\",\"text\":\"a\"}\n{\"type\":\"user\",\"text\":\" \"}\n", gather, 4, write_requests },
    { "request-texts-after-a-call", ASK_USER ASK_CALL, "{\"type\":\"message\",\"text\":\"b\"}\n", gather, 4, write_requests },
    { "request-blank-texts", ASK_USER, "{\"type\":\"message\",\"text\":\" \\n\"}\n", gather, 4, write_requests },
    { "request-pieces", ASK_USER, ASK_EVENT("PartialThinking", ",\"chunk\":\"a\",\"metadata\":{\"reasoning_details\":[]}"), gather, 4,
      write_requests },
    { "request-flushes", ASK_USER ASK_EVENT("PartialResponse", ",\"chunk\":\"a\""), ASK_EVENT("Flush", ""), gather, 4, write_requests },
    { "request-item-pieces", ASK_USER ASK_EVENT("PartialProviderItem", ",\"type\":\"fallback\",\"chunk\":\"{\\\"type\\\":\\\"\""),
      ASK_EVENT("PartialProviderItem", ",\"type\":\"fallback\",\"chunk\":\"xx\""), gather, 4, write_requests },
    { "request-lines-between", ASK_USER ASK_EVENT("PartialResponse", ",\"chunk\":\"a\""), "{\"eventType\":\"ContentFetched\"}\n", gather, 4,
      write_requests },
    { "request-lines-between-steps", ASK_USER, ASK_CALL ASK_RESULT "{\"eventType\":\"X\"}\n{\"eventType\":\"Y\"}\n", gather, 4, write_requests },
    { "request-entries", "", "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"a\"}]}\n", gather, 4, write_requests },
    { "request-entry", "", "{\"role\":\"USER\",\"text\":\"a\"}\n", gather, 4, write_requests },
    { "request-empty-lines", ASK_USER, "\n\r\n  \n", gather, 1, write_requests },
};

/* Limits are as large as possible, so that they do not end the work. */
static void open_json(workshop *shop)
{
    static const char *const texts[] = { "[*].a.b[*].c", "*.a", "a.*.b", "[*].*.*[0]" };
    elelem_fragment_parser_desc json = ELELEM_INIT;
    elelem_fragment_aggregator_desc value = ELELEM_INIT;

    json.max_key_bytes = json.max_path_bytes = json.max_number_bytes = json.max_depth = 1u << 30;
    value.max_depth = 1u << 30;
    elelem_fragment_parser_init(&shop->parser, &json);
    elelem_patterns_compile(&shop->patterns, shop->nodes, 16, texts, 4, NULL, NULL);
    json.patterns = &shop->patterns;
    elelem_fragment_parser_init(&shop->matcher, &json);
    elelem_fragment_aggregator_init(&shop->aggregator, &value);
}

static void open_shop(workshop *shop)
{
    elelem_sse_decoder_desc sse = ELELEM_INIT;
    elelem_stream_desc chat = ELELEM_INIT;
    elelem_turn_desc turn = ELELEM_INIT;
    elelem_tag_splitter_desc tags = ELELEM_INIT;
    elelem_event_builder_desc build_desc = ELELEM_INIT;

    open_json(shop);
    chat.shape = turn.shape = &elelem_shape_chat;
    turn.max_open_items = build_desc.max_open = OPEN_ITEMS;
    tags.max_depth = 65536;
    tags.trim = ELELEM_TAG_TRIM_OUTSIDE | ELELEM_TAG_TRIM_INSIDE;
    elelem_sse_decoder_init(&shop->decoder, &sse);
    elelem_stream_init(&shop->stream, &chat);
    chat.shape = &elelem_shape_interactions;
    elelem_stream_init(&shop->steps, &chat);
    elelem_turn_init(&shop->turn, &turn);
    elelem_tag_splitter_init(&shop->splitter, &tags);
    elelem_event_builder_init(&shop->builder, &build_desc);
    elelem_buffer_init(&shop->history, turn.allocator, 0);
    shop->events = 0;
}

static void close_shop(workshop *shop)
{
    elelem_fragment_parser_free(&shop->parser);
    elelem_fragment_parser_free(&shop->matcher);
    elelem_fragment_aggregator_free(&shop->aggregator);
    elelem_sse_decoder_free(&shop->decoder);
    elelem_stream_free(&shop->stream);
    elelem_stream_free(&shop->steps);
    elelem_turn_free(&shop->turn);
    elelem_tag_splitter_free(&shop->splitter);
    elelem_event_builder_free(&shop->builder);
    elelem_buffer_free(&shop->history);
}

static const workload *workload_named(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        if (strcmp(name, workloads[i].name) == 0) return &workloads[i];
    return NULL;
}

/* The pattern, repeated so that a push ends at the end of a pattern. */
static char *repeat(const char *pattern, size_t times)
{
    size_t i, size = strlen(pattern);
    char *text = (char *)malloc(size * times);

    for (i = 0; text && i < times; i++)
        memcpy(text + i * size, pattern, size);
    return text;
}

/* What is counted: it goes by this name. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
void work_on(workshop *shop, const workload *w, const char *text, size_t bytes, size_t push);

void work_on(workshop *shop, const workload *w, const char *text, size_t bytes, size_t push)
{
    size_t at, size = strlen(w->pattern) * push * 16;

    open_shop(shop);
    w->work(shop, w->start, strlen(w->start));
    for (at = 0; at + push <= bytes; at += push)
        w->work(shop, text + at % size, push);
    if (w->end) w->end(shop, bytes);
    close_shop(shop);
}

static int work(const workload *w, size_t bytes, size_t push)
{
    static workshop shop;
    char *text = repeat(w->pattern, push * 16);

    if (!text) return 1;
    work_on(&shop, w, text, bytes, push);
    free(text);
    return 0;
}

/* Each workload, so much of it and then four times as much; prints its name. An open string always
   has 1 MB and 4 MB. */
static int work_all(size_t most)
{
    size_t i;

    for (i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        size_t bytes = (i == 0 ? (size_t)1 << 20 : most) / (size_t)workloads[i].cost;
        printf("%s %lu\n", workloads[i].name, (unsigned long)bytes);
        if (work(&workloads[i], bytes, 16) != 0 || work(&workloads[i], bytes * 4, 16) != 0) return 1;
    }
    return 0;
}

int main(int count, char **words)
{
    const workload *w = count > 2 ? workload_named(words[1]) : NULL;

    if (count == 3 && strcmp(words[1], "--all") == 0) return work_all((size_t)atol(words[2]));
    if (!w) {
        fputs("usage: work --all BYTES | WORKLOAD BYTES [PUSH]\n", stderr);
        return 2;
    }
    return work(w, (size_t)atol(words[2]), count > 3 ? (size_t)atol(words[3]) : 16);
}
