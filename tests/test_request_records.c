/* coalescer and request_write: of a record of chance the request is the same in every shape whether it was made short or not.
 *
 * Up to twenty items are open at a time. Texts, reasoning, provider items and calls come in pieces that are mixed, and each ends
 * with a Flush, which may have metadata. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "records.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 60
#define MOST_ITEMS 20

typedef struct lines {
    char text[1 << 15];
    size_t size;
} lines;

static lines raw, made_short;
static unsigned long long chance_state;

static unsigned chance(unsigned most)
{
    chance_state = chance_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(chance_state >> 33) % most;
}

static void put(const char *format, ...)
{
    va_list list;
    int size;

    va_start(list, format);
    size = vsnprintf(raw.text + raw.size, sizeof raw.text - raw.size, format, list);
    va_end(list);
    if (size < 0 || (size_t)size >= sizeof raw.text - raw.size) abort();
    raw.size += (size_t)size;
}

/* The items of a response. */

typedef struct item {
    unsigned index;
    unsigned kind;   /* 0 text, 1 reasoning, 2 a provider item, 3 a call */
    unsigned pieces; /* that are still to come */
    unsigned came;
} item;

static item items[MOST_ITEMS];
static unsigned item_count, letter;

static void begin_items(unsigned high)
{
    unsigned i;

    item_count = 1 + chance(MOST_ITEMS);
    for (i = 0; i < item_count; i++) {
        items[i].index = i + (chance(12) == 0 ? high : 0);
        items[i].kind = chance(4);
        items[i].pieces = 1 + chance(3);
        items[i].came = 0;
    }
}

static void put_piece(item *one)
{
    static const char *const item_pieces[] = { "{\\\"type\\\":\\\"x_call\\\",", "\\\"n\\\":", "7}" };

    if (one->kind < 2) {
        put("{\"eventType\":\"%s\",\"index\":%u,\"chunk\":\"%c\"}\n", one->kind ? "PartialThinking" : "PartialResponse", one->index, (int)('a' + letter++ % 26));
    } else if (one->kind == 2) {
        one->pieces += one->came == 0 ? 3 - one->pieces : 0;
        put("{\"eventType\":\"PartialProviderItem\",\"index\":%u,\"type\":\"x_call\",\"chunk\":\"%s\"}\n", one->index, item_pieces[one->came % 3]);
    } else if (one->came == 0) {
        put("{\"eventType\":\"ToolCallStart\",\"index\":%u,\"id\":\"c%u\",\"toolName\":\"now\"}\n", one->index, one->index);
    } else {
        put("{\"eventType\":\"ToolCallArguments\",\"index\":%u,\"chunk\":\" \"}\n", one->index);
    }
    one->came++;
    one->pieces--;
}

/* Each call has its line just before its Flush, as a recorder writes it. */
static void put_flush(const item *one)
{
    static const char *const metadata[] = { "", "", ",\"metadata\":{\"encrypted_content\":\"e\",\"signature\":\"s\",\"thought_signature\":\"t\"}" };

    if (one->kind == 3)
        put("{\"eventType\":\"BeforeToolExecution\",\"index\":%u,\"id\":\"c%u\",\"toolName\":\"now\",\"input\":{}}\n", one->index, one->index);
    put("{\"eventType\":\"Flush\",\"index\":%u%s}\n", one->index, metadata[chance(3)]);
}

/* Some of the items are open at a time, from `first`; those that end make place for the next. */
static void put_response(unsigned high)
{
    unsigned open = 1 + chance(MOST_ITEMS), left, i;

    begin_items(high);
    for (left = item_count; left > 0;) {
        unsigned tries = 0;
        for (i = 0; tries < open && i < item_count; i++)
            tries += items[i].came < 100;
        i = chance(i);
        if (items[i].came >= 100) continue;
        if (items[i].pieces > 0) {
            put_piece(&items[i]);
            continue;
        }
        put_flush(&items[i]);
        items[i].came = 100;
        left--;
    }
    put("{\"eventType\":\"ChatCompleted\",\"finishReason\":\"stop\"}\n");
}

static void put_results(void)
{
    unsigned i;

    for (i = 0; i < item_count; i++)
        if (items[i].kind == 3) put("{\"eventType\":\"ToolExecuted\",\"id\":\"c%u\",\"toolName\":\"now\",\"output\":%u}\n", items[i].index, i);
}

/* Making it short. */

static void take(elelem_event_coalescer *coalescer)
{
    elelem_record_item one;

    while (elelem_event_coalescer_next(coalescer, &one) == ELELEM_OK)
        CHECK_INT(elelem_recorder_push_item(&recorder, &one), ELELEM_OK);
}

static void make_short(void)
{
    elelem_event_coalescer coalescer;
    const char *at = raw.text, *end;

    open_recorder();
    start_recorder();
    elelem_event_coalescer_init(&coalescer, NULL);
    for (; *at; at = end + 1) {
        elelem_str line;
        end = strchr(at, '\n');
        line.data = at;
        line.size = (size_t)(end - at);
        CHECK_INT(elelem_event_coalescer_push_line(&coalescer, line), ELELEM_OK);
        take(&coalescer);
    }
    elelem_event_coalescer_finish(&coalescer);
    take(&coalescer);
    elelem_event_coalescer_free(&coalescer);
    made_short.size = elelem_buffer_text(&out).size;
    memcpy(made_short.text, elelem_buffer_text(&out).data, made_short.size);
    made_short.text[made_short.size] = 0;
    close_recorder();
}

/* Requests. */

static elelem_str request_of(const lines *history, const char *shape, lines *body)
{
    elelem_request request = ELELEM_INIT;
    elelem_span_sink span;
    elelem_str text;

    request.shape = elelem_shape_find(shape);
    request.model = elelem_str_of("m");
    request.history.data = history->text;
    request.history.size = history->size;
    span.data = body->text;
    span.capacity = sizeof body->text;
    span.size = 0;
    CHECK_INT(elelem_request_write(&request, elelem_span_sink_of(&span)).status, ELELEM_OK);
    text.data = body->text;
    text.size = span.size;
    return text;
}

static void check_requests(void)
{
    static const char *const shapes[] = { "chat", "responses", "messages", "gemini", "interactions" };
    static lines bodies[2];
    size_t i;

    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        elelem_str of_raw = request_of(&raw, shapes[i], &bodies[0]), of_short = request_of(&made_short, shapes[i], &bodies[1]);
        check_context(shapes[i]);
        CHECK_BYTES(of_short.data, of_short.size, of_raw.data, of_raw.size);
        check_context(NULL);
    }
}

static void check_records(unsigned high)
{
    unsigned round;

    for (round = 0; round < ROUNDS && check_now.failures == 0; round++) {
        chance_state = round * 2654435761u + high;
        raw.size = letter = 0;
        put("{\"type\":\"user\",\"text\":\"Hi\"}\n");
        put_response(high);
        put_results();
        if (chance(2)) put_response(high);
        make_short();
        check_requests();
    }
}

TEST(a_record_and_the_same_made_short_give_one_request)
{
    check_records(0);
}

TEST(a_record_with_high_indices_and_the_same_made_short_give_one_request)
{
    check_records(200);
}

CHECK_MAIN("request_records",
    RUN(a_record_and_the_same_made_short_give_one_request)
    RUN(a_record_with_high_indices_and_the_same_made_short_give_one_request))
