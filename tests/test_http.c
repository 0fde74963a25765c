/* What an HTTP client hands over in addition to the body: the head of the response line by line, the words of an error of its
   own, and a refusal that is no JSON; and how a reader with little time pauses. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#undef FEED_CUTS /* a build may set it */
#define FEED_CUTS 400

#include "wires.h"
#include "limits.h"

#define REFUSAL "{\"error\":{\"message\":\"no\"}}"
#define LINES 16

static void ready(const char *row)
{
    check_context(row);
    streams_shape(&elelem_shape_chat);
}

/* The head of a response, line by line, and how a refusal after it ends. */
typedef struct head_row {
    const char *name;
    const char *lines[LINES];
    const char *end;
} head_row;

static void heads(const head_row *rows, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        ready(rows[i].name);
        streams_now.lines = rows[i].lines;
        STREAM(REFUSAL, rows[i].end);
    }
}

#define HEADS(rows) heads(rows, sizeof rows / sizeof *rows)

TEST(the_lines_of_a_head_say_what_its_status_and_headers_do)
{
    static const head_row rows[] = {
        { "HTTP/1.1", { "HTTP/1.1 429 Too Many Requests\r\n", "Retry-After: 7\r\n", "\r\n", NULL },
          "ERROR rate_limit retryable after=7000 http=429 \"no\"\nEND\n" },
        { "HTTP/2 and names in small letters", { "HTTP/2 429 \r\n", "retry-after:7\r\n", "\r\n", NULL },
          "ERROR rate_limit retryable after=7000 http=429 \"no\"\nEND\n" },
        { "no line ends, no reason", { "HTTP/1.0 503", "x-should-retry: false", "", NULL },
          "ERROR transient http=503 \"no\"\nEND\n" },
        { "values that contain colons", { "HTTP/1.1 429 a: b\n", "Date: Sun, 06 Nov 1994 08:49:37 GMT\n", "Retry-After-Ms: 20\n", NULL },
          "ERROR rate_limit retryable after=20 http=429 \"no\"\nEND\n" },
    };

    HEADS(rows);
}

TEST(a_status_line_starts_over_whatever_came_before_it)
{
    static const head_row rows[] = {
        { "100", { "HTTP/1.1 100 Continue\r\n", "Retry-After: 9\r\n", "\r\n", "HTTP/1.1 429 Slow\r\n", "\r\n", NULL },
          "ERROR rate_limit retryable http=429 \"no\"\nEND\n" },
        { "103", { "HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n", "\r\n", "HTTP/1.1 429 Slow\r\n", "Retry-After: 1\r\n", "\r\n", NULL },
          "ERROR rate_limit retryable after=1000 http=429 \"no\"\nEND\n" },
        { "a redirect", { "HTTP/1.1 302 Found\r\n", "Location: /b\r\n", "Retry-After: 9\r\n", "\r\n", "HTTP/1.1 500 Bad\r\n", "\r\n", NULL },
          "ERROR transient retryable http=500 \"no\"\nEND\n" },
        { "a proxy", { "HTTP/1.1 407 Who\r\n", "x-should-retry: true\r\n", "\r\n", "HTTP/1.1 200 Connection established\r\n", "Retry-After: 3\r\n",
            "\r\n", "HTTP/1.1 401 No\r\n", "\r\n", NULL },
          "ERROR authentication http=401 \"no\"\nEND\n" },
        { "the same status", { "HTTP/1.1 503 No\r\n", "Retry-After: 9\r\n", "\r\n", "HTTP/1.1 503 No\r\n", "\r\n", NULL },
          "ERROR transient retryable http=503 \"no\"\nEND\n" },
        { "headers without a status line", { "Retry-After: 9\r\n", "HTTP/1.1 503 No\r\n", NULL },
          "ERROR transient retryable http=503 \"no\"\nEND\n" },
    };

    HEADS(rows);
}

TEST(lines_that_are_neither_say_nothing)
{
    static const head_row rows[] = {
        { "a header that is continued", { "HTTP/1.1 503 No\r\n", "X: y\r\n", " Retry-After: 9\r\n", "\tRetry-After: 9\r\n", NULL },
          "ERROR transient retryable http=503 \"no\"\nEND\n" },
        { "no colon, no name", { "HTTP/1.1 503 No\r\n", "Retry-After 9\r\n", ": 9\r\n", ":status: 200\r\n", "\r\n", "", NULL },
          "ERROR transient retryable http=503 \"no\"\nEND\n" },
        { "no status in the line", { "HTTP/1.1 42 No\r\n", NULL }, "ERROR other \"no\"\nEND\n" },
        { "four digits", { "HTTP/1.1 4290\r\n", NULL }, "ERROR other \"no\"\nEND\n" },
        { "only the protocol", { "HTTP/1.1", NULL }, "ERROR other \"no\"\nEND\n" },
        { "another protocol", { "ICY 503 No\r\n", "http/1.1 503 No\r\n", NULL }, "ERROR other \"no\"\nEND\n" },
    };

    HEADS(rows);
}

TEST(a_line_may_hold_zero_bytes_and_end_anywhere)
{
    static const char line[] = "Retry-After\0: 9";
    elelem_stream stream;
    elelem_stream_desc desc = ELELEM_INIT;
    size_t size;

    desc.shape = &elelem_shape_chat;
    elelem_stream_init(&stream, &desc);
    for (size = 0; size < sizeof line; size++) {
        char *copy = (char *)malloc(size + 1);
        if (!copy) abort();
        memcpy(copy + 1, line, size); /* the sanitizer sees what is read beyond it */
        elelem_stream_http_header_line(&stream, elelem_str_from(copy + 1, size));
        free(copy);
    }
    elelem_stream_http_header_line(&stream, elelem_str_from(NULL, 0));
    elelem_stream_free(&stream);
}

TEST(the_transport_fails_with_the_words_of_the_caller)
{
    static const char open[] = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";

    ready("words");
    streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
    streams_now.fail_message = "SSL peer certificate was not OK";
    STREAM("", "ERROR connect retryable \"SSL peer certificate was not OK\"\nEND\n");
    STREAM(open, "0 text \"a\"\nERROR connect retryable \"SSL peer certificate was not OK\"\nEND\n");
    streams_now.fail_message = "";
    STREAM("", "ERROR connect retryable \"the response ended before it was complete\"\nEND\n");
    streams_now.fail_kind = ELELEM_ERROR_KIND_CANCELLED;
    streams_now.fail_message = "the player left";
    STREAM(open, "0 text \"a\"\nERROR cancelled \"the player left\"\nEND\n");
}

TEST(the_words_of_the_caller_are_forgotten_by_a_reset_and_do_not_replace_a_good_end)
{
    static const char good[] = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n";
    elelem_event event;
    elelem_stream *stream = &streams_now.stream;

    ready("reset");
    streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
    streams_now.fail_message = "broken";
    STREAM(good, "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    streams_start(&streams_now);
    elelem_stream_fail_with(stream, ELELEM_ERROR_KIND_CONNECT, elelem_str_of("broken"));
    elelem_stream_reset(stream);
    elelem_stream_fail_with(stream, ELELEM_ERROR_KIND_CONNECT, elelem_str_from(NULL, 5));
    elelem_stream_fail_with(stream, ELELEM_ERROR_KIND_CANCELLED, elelem_str_of("too late"));
    CHECK_INT(elelem_stream_next(stream, &event), ELELEM_OK);
    CHECK_STR(event.error.message.data, event.error.message.size, "the response ended before it was complete");
}

/* Refusals that are no JSON. */

#define TRANSIENT "ERROR transient retryable http=503 \"the provider failed or is overloaded\"\n"

TEST(a_refusal_that_is_no_json_leaves_its_start_for_the_log)
{
    static const struct {
        const char *body;
        const char *end;
    } rows[] = {
        { "<html>\r\n<head><title>503 Service Unavailable</title></head>\r\n\r\n<body>\t&nbsp;</body>\r\n</html>\r\n",
          TRANSIENT "meta body_excerpt=\"<html> <head><title>503 Service Unavailable</title></head> <body> &nbsp;</body> </html>\"\nEND\n" },
        { "upstream connect error or disconnect/reset before headers\n",
          TRANSIENT "meta body_excerpt=\"upstream connect error or disconnect/reset before headers\"\nEND\n" },
        { "no! way", TRANSIENT "meta body_excerpt=\"no! way\"\nEND\n" },
        { "overloaded", TRANSIENT "meta body_excerpt=\"overloaded\"\nEND\n" },
        { " \n\t overloaded: try \xc3\xa9\xf0\x9f\x8c\x9e\n\n", TRANSIENT "meta body_excerpt=\"overloaded: try \xc3\xa9\xf0\x9f\x8c\x9e\"\nEND\n" },
        { "a\x1b[31mred\x7f\xc2\x9b" "31m \"q\"\\ b\xc2", TRANSIENT "meta body_excerpt=\"a [31mred 31m \\\"q\\\"\\\\ b\xef\xbf\xbd\"\nEND\n" },
        { "event: x\ndata: \n\n", TRANSIENT "meta body_excerpt=\"event: x data:\"\nEND\n" },
        { "event: x\ndata:\n\nno\n\ndata:\n\nway", TRANSIENT "meta body_excerpt=\"event: x data: no data: way\"\nEND\n" },
        { "\xc2\xa7\xc2\xa0" "9\xc2\x9f-", TRANSIENT "meta body_excerpt=\"\xc2\xa7\xc2\xa0" "9 -\"\nEND\n" },
        { "caf\xe9", TRANSIENT "meta body_excerpt=\"caf\xef\xbf\xbd\"\nEND\n" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        ready(rows[i].body);
        streams_now.http_status = 503;
        STREAM(rows[i].body, rows[i].end);
    }
}

TEST(a_refusal_that_is_json_empty_or_compressed_leaves_none)
{
    static const char *const bodies[] = { "", " \n ", "{\"a\":1}", "[1]", "{\"cut", "data: {\"a\":1}\n\n",
                                          "\x1f\x8b\x08\x01\x01words", ("\x7f" "ELF"), "\x80words", "\xc1words", "\xf5words", "\xff\xfe<",
                                          "\xc2\x85 \xc2\x9f\n" };
    size_t i;

    for (i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        ready(bodies[i]);
        streams_now.http_status = 503;
        STREAM(bodies[i], TRANSIENT "END\n");
    }
    ready("a page under a good status");
    STREAM("<html>", "ERROR protocol \"the body is not an event stream\" status=ERROR_PROTOCOL\nEND\n");
}

TEST(json_in_a_refusal_in_words_is_still_the_error)
{
    ready("words and JSON");
    streams_now.http_status = 503;
    STREAM("error follows\n" REFUSAL "\n\n", "ERROR transient retryable http=503 \"no\"\nEND\n");
}

/* At most 512 bytes of the body, and no half of a character. */
TEST(an_excerpt_is_short_and_ends_at_a_whole_character)
{
    static char body[3000], end[1200];
    size_t before;

    for (before = 506; before <= 514; before++) {
        size_t shown = before < 508 ? before + 4 : before < 511 ? before : 511;
        ready("long");
        memset(body, 'x', sizeof body - 1);
        memcpy(body + before, "\xf0\x9f\x8c\x9e", 4);
        sprintf(end, TRANSIENT "meta body_excerpt=\"%.*s", (int)shown, body);
        sprintf(end + strlen(end), "%s\"\nEND\n", before == 506 ? "x" : "");
        streams_now.http_status = 503;
        STREAM(body, end);
    }
}

TEST(an_excerpt_is_left_out_if_there_is_no_memory_for_it)
{
    limits_heap heap = ELELEM_INIT;
    elelem_event event;
    int refuse, excerpts = 0;

    for (refuse = 2; refuse < 40; refuse++) {
        ready("memory");
        memset(&heap, 0, sizeof heap);
        heap.refuse = refuse / 2;
        heap.stays = refuse % 2;
        streams_now.desc.allocator = limits_allocator(&heap);
        streams_now.http_status = 503;
        streams_start(&streams_now);
        elelem_stream_push(&streams_now.stream, "<html>no</html>", 15);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_MORE);
        elelem_stream_finish(&streams_now.stream);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.error.http_status, 503);
        excerpts += elelem_metadata_get(&event.metadata, "body_excerpt").size > 0;
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_END);
        elelem_stream_free(&streams_now.stream);
        CHECK_U64(heap.blocks, 0);
    }
    CHECK(excerpts > 0);
}

TEST(a_reset_forgets_the_excerpt)
{
    elelem_event event;
    elelem_stream *stream = &streams_now.stream;
    elelem_str excerpt;

    ready("reset");
    streams_start(&streams_now);
    elelem_stream_http_status(stream, 503);
    elelem_stream_push(stream, "<old>", 5);
    CHECK_INT(elelem_stream_next(stream, &event), ELELEM_MORE);
    elelem_stream_reset(stream);
    elelem_stream_http_status(stream, 503);
    elelem_stream_push(stream, "<n>", 3);
    elelem_stream_finish(stream);
    CHECK_INT(elelem_stream_next(stream, &event), ELELEM_OK);
    excerpt = elelem_metadata_get(&event.metadata, "body_excerpt");
    CHECK_STR(excerpt.data, excerpt.size, "\"<n>\"");
}

/* A reader with little time. */

TEST(a_push_that_is_read_in_several_calls_gives_the_same)
{
    static const uint32_t most[] = { 1, 2, 7, 100, 4096 };
    feed_log *meant = (feed_log *)malloc(sizeof *meant);
    size_t i, k;

    if (!meant) abort();
    for (k = 0; k < WIRES; k++) {
        const char *bodies[5];
        bodies[0] = wires[k]->good;
        bodies[1] = wires[k]->text;
        bodies[2] = wires[k]->error;
        bodies[3] = "data: {\"a\":\n\n";
        bodies[4] = "<html>";
        for (i = 0; i < 5 * sizeof most / sizeof *most; i++) {
            const char *body = bodies[i % 5];
            check_context(wires[k]->name);
            streams_shape(wires[k]->shape);
            streams_now.offsets = 1;
            feed_once(&streams_fed, meant, body, strlen(body), 1u << 20, 1u << 20, 0);
            meant->text[meant->size] = '\0';
            streams_now.desc.max_next_bytes = most[i / 5];
            feed_check(&streams_fed, body, strlen(body), meant->text, __FILE__, __LINE__);
        }
    }
    free(meant);
}

TEST(one_call_reads_no_more_bytes_than_it_may)
{
    static const char *const bodies[] = { ": comment\n\n", "event: ping\ndata: {}\n\n", "data: {\"other\":[1,2,3]}\n\n", "x", "\n" };
    static char body[100000];
    elelem_event event;
    size_t i, size, left;

    for (i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        ready(bodies[i]);
        for (size = 0; size + strlen(bodies[i]) <= sizeof body; size += strlen(bodies[i]))
            memcpy(body + size, bodies[i], strlen(bodies[i]));
        streams_now.desc.max_next_bytes = 1000;
        streams_start(&streams_now);
        CHECK_INT(elelem_stream_push(&streams_now.stream, body, size), ELELEM_OK);
        CHECK_U64(elelem_stream_unread(&streams_now.stream), size);
        CHECK_INT(elelem_stream_push(&streams_now.stream, body, size), ELELEM_ERROR_MISUSE);
        for (left = size; left > 0; left -= left < 1000 ? left : 1000) {
            CHECK_U64(elelem_stream_unread(&streams_now.stream), left);
            CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_MORE);
        }
        CHECK_U64(elelem_stream_unread(&streams_now.stream), 0);
        CHECK_INT(elelem_stream_push(&streams_now.stream, body, size), ELELEM_OK);
    }
}

TEST(bytes_that_are_held_back_are_read_before_the_end_and_dropped_after_it)
{
    elelem_event event;
    elelem_stream *stream = &streams_now.stream;
    const char *body = wire_chat.good;
    size_t events = 0;
    elelem_status status;

    ready("finish at once");
    streams_now.desc.max_next_bytes = 3;
    streams_now.desc.idle_timeout_ms = 10;
    streams_start(&streams_now);
    elelem_stream_push(stream, body, strlen(body));
    elelem_stream_tick(stream, 0);
    elelem_stream_finish(stream);
    CHECK_INT(elelem_stream_push(stream, body, strlen(body)), ELELEM_ERROR_MISUSE);
    while ((status = elelem_stream_next(stream, &event)) != ELELEM_END) {
        elelem_stream_tick(stream, 1000);
        events += status == ELELEM_OK;
        CHECK(status == ELELEM_OK || elelem_stream_unread(stream) > 0);
    }
    CHECK_INT(event.kind, ELELEM_EVENT_FINISHED);
    CHECK(events > 5);
    ready("an end in the middle");
    streams_now.desc.max_next_bytes = 3;
    streams_start(&streams_now);
    elelem_stream_push(stream, "data: [DONE]\n\nand some more of it", 33);
    while (elelem_stream_next(stream, &event) != ELELEM_END)
        continue;
    CHECK_U64(elelem_stream_unread(stream), 0);
    elelem_stream_reset(stream);
    elelem_stream_push(stream, body, strlen(body));
    elelem_stream_next(stream, &event);
    elelem_stream_reset(stream);
    CHECK_U64(elelem_stream_unread(stream), 0);
    CHECK_INT(elelem_stream_next(stream, &event), ELELEM_MORE);
}

TEST(a_turn_hands_all_of_this_on)
{
    static const char *const lines[] = { "HTTP/1.1 100 Continue", "Retry-After: 1", "HTTP/1.1 503 No", "Retry-After: 2", "" };
    elelem_turn turn;
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn_update update;
    elelem_str excerpt;
    size_t i;

    desc.shape = &elelem_shape_chat;
    desc.max_next_bytes = 2;
    elelem_turn_init(&turn, &desc);
    for (i = 0; i < sizeof lines / sizeof *lines; i++)
        elelem_turn_http_header_line(&turn, elelem_str_of(lines[i]));
    elelem_turn_push(&turn, "<p>no", 5);
    CHECK_U64(elelem_turn_unread(&turn), 5);
    CHECK_INT(elelem_turn_next(&turn, &update), ELELEM_MORE);
    CHECK_U64(elelem_turn_unread(&turn), 3);
    elelem_turn_finish(&turn);
    CHECK_INT(elelem_turn_next(&turn, &update), ELELEM_MORE);
    CHECK_INT(elelem_turn_next(&turn, &update), ELELEM_OK);
    CHECK_INT(update.error.http_status, 503);
    CHECK_INT(update.error.retry_after_ms, 2000);
    excerpt = elelem_metadata_get(&update.metadata, "body_excerpt");
    CHECK_STR(excerpt.data, excerpt.size, "\"<p>no\"");
    elelem_turn_reset(&turn);
    elelem_turn_fail_with(&turn, ELELEM_ERROR_KIND_TIMEOUT, elelem_str_of("no route"));
    CHECK_INT(elelem_turn_next(&turn, &update), ELELEM_OK);
    CHECK_INT(update.error.kind, ELELEM_ERROR_KIND_TIMEOUT);
    CHECK_STR(update.error.message.data, update.error.message.size, "no route");
    elelem_turn_free(&turn);
}

static void all_done(void)
{
    elelem_stream_free(&streams_now.stream);
}

CHECK_MAIN("http",
    RUN(the_lines_of_a_head_say_what_its_status_and_headers_do)
    RUN(a_status_line_starts_over_whatever_came_before_it)
    RUN(lines_that_are_neither_say_nothing)
    RUN(a_line_may_hold_zero_bytes_and_end_anywhere)
    RUN(the_transport_fails_with_the_words_of_the_caller)
    RUN(the_words_of_the_caller_are_forgotten_by_a_reset_and_do_not_replace_a_good_end)
    RUN(a_refusal_that_is_no_json_leaves_its_start_for_the_log)
    RUN(a_refusal_that_is_json_empty_or_compressed_leaves_none)
    RUN(json_in_a_refusal_in_words_is_still_the_error)
    RUN(an_excerpt_is_short_and_ends_at_a_whole_character)
    RUN(an_excerpt_is_left_out_if_there_is_no_memory_for_it)
    RUN(a_reset_forgets_the_excerpt)
    RUN(a_push_that_is_read_in_several_calls_gives_the_same)
    RUN(one_call_reads_no_more_bytes_than_it_may)
    RUN(bytes_that_are_held_back_are_read_before_the_end_and_dropped_after_it)
    RUN(a_turn_hands_all_of_this_on)
    all_done();)
