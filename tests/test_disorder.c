/* Frames in a wrong order, too often or too many, in every shape: the rows P2, P4 and P5 of docs/threats.md. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"
#include "limits.h"

#define DATA(json) "data: {" json "}\n\n"

#define CHOICE(number, members) DATA("\"choices\":[{\"index\":" number "," members "}]")
#define CALL(number, members) CHOICE("0", "\"delta\":{\"tool_calls\":[{\"index\":" number "," members "}]}")
#define ARGUMENTS(number, text) CALL(number, "\"function\":{\"arguments\":\"" text "\"}")
#define CHAT_END CHOICE("0", "\"delta\":{},\"finish_reason\":\"stop\"") "data: [DONE]\n\n"

#define RESPONSES(type, members) DATA("\"type\":\"response." type "\"," members)
#define RESPONSES_TEXT(number, text) RESPONSES("output_text.delta", "\"output_index\":" number ",\"delta\":\"" text "\"")
#define RESPONSES_DONE(number, item) RESPONSES("output_item.done", "\"output_index\":" number ",\"item\":{" item "}")
#define MESSAGE(text) "\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"" text "\"}]"
#define RESPONSES_END RESPONSES("completed", "\"response\":{}")

#define BLOCK(number, block) DATA("\"type\":\"content_block_start\",\"index\":" number ",\"content_block\":{" block "}")
#define BLOCK_TEXT(number, text) BLOCK(number, "\"type\":\"text\",\"text\":\"" text "\"")
#define BLOCK_DELTA(number, delta) DATA("\"type\":\"content_block_delta\",\"index\":" number ",\"delta\":{" delta "}")
#define BLOCK_MORE(number, text) BLOCK_DELTA(number, "\"type\":\"text_delta\",\"text\":\"" text "\"")
#define BLOCK_STOP(number) DATA("\"type\":\"content_block_stop\",\"index\":" number)
#define MESSAGES_END DATA("\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}") DATA("\"type\":\"message_stop\"")

#define CANDIDATE(number, members) DATA("\"candidates\":[{\"index\":" number "," members "}]")
#define CANDIDATE_TEXT(number, text) CANDIDATE(number, "\"content\":{\"parts\":[{\"text\":\"" text "\"}]}")
#define CANDIDATE_END(number) CANDIDATE(number, "\"finishReason\":\"STOP\"")

#define STEP(type, number, members) DATA("\"event_type\":\"step." type "\",\"index\":" number members)
#define STEP_START(number, step) STEP("start", number, ",\"step\":{" step "}")
#define STEP_DELTA(number, delta) STEP("delta", number, ",\"delta\":{" delta "}")
#define STEP_TEXT(number, text) STEP_DELTA(number, "\"type\":\"text\",\"text\":\"" text "\"")
#define STEP_STOP(number) STEP("stop", number, "")
#define INTERACTIONS_END DATA("\"event_type\":\"interaction.completed\",\"interaction\":{\"status\":\"completed\"}")

/* What a stream gave so far: the texts of its items by their index, and its ends. */
#define ITEMS 4

typedef struct outcome {
    char text[ITEMS][20];
    size_t items; /* which began */
    size_t parts;
    int ends;
    elelem_event_kind end;
    elelem_failure error;
} outcome;

static outcome now;
static limits_heap heap;

static void begin(const char *shape)
{
    memset(&now, 0, sizeof now);
    memset(&heap, 0, sizeof heap);
    streams_shape(elelem_shape_find(shape));
    heap.bound = limits_of_stream(&streams_now.desc);
    streams_now.desc.allocator = limits_allocator(&heap);
    streams_start(&streams_now);
}

static void take(void)
{
    elelem_event event;

    while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK) {
        if (event.kind == ELELEM_EVENT_FINISHED || event.kind == ELELEM_EVENT_ERROR) {
            now.ends++;
            now.end = (elelem_event_kind)event.kind;
            now.error = event.error;
        }
        if (event.kind != ELELEM_EVENT_PART) continue;
        now.parts++;
        if (event.index >= now.items) now.items = event.index + (size_t)1;
        if (event.index < ITEMS && strlen(now.text[event.index]) + event.part.text.size < sizeof now.text[0])
            strncat(now.text[event.index], event.part.text.data ? event.part.text.data : "", event.part.text.size);
    }
}

static void push(const char *text)
{
    CHECK_INT(elelem_stream_push(&streams_now.stream, text, strlen(text)), ELELEM_OK);
    take();
}

/* Pushes a frame whose %lu are this number. */
static void push_number(const char *format, unsigned long number)
{
    char frame[500];

    snprintf(frame, sizeof frame, format, number, number, number);
    push(frame);
}

static void finish(void)
{
    elelem_stream_finish(&streams_now.stream);
    take();
}

static void end(void)
{
    finish();
    CHECK_INT(now.ends, 1);
    CHECK(limits_held(&heap));
    elelem_stream_free(&streams_now.stream);
    CHECK_INT(heap.live, 0);
    memset(&streams_now.desc.allocator, 0, sizeof streams_now.desc.allocator);
}

/* Indices. */

#define MANY 100000ul

TEST(a_hundred_thousand_open_indices_meet_the_limit_of_their_kind) /* P2 */
{
    static const struct {
        const char *shape;
        const char *frame;
        size_t allowed; /* by default */
    } rows[] = {
        { "chat", CALL("%lu", "\"id\":\"c%lu\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}"), 256 },
        { "chat", CHOICE("%lu", "\"delta\":{\"content\":\"a\"}"), 128 },
        { "responses", RESPONSES_TEXT("%lu", "a"), 256 },
        { "responses", RESPONSES("output_item.added", "\"output_index\":%lu,\"item\":{\"id\":\"i%lu\",\"type\":\"function_call\",\"call_id\":\"c%lu\",\"name\":\"f\"}"),
          256 },
        { "messages", BLOCK_TEXT("%lu", "a"), 256 },
        { "messages", BLOCK("%lu", "\"type\":\"tool_use\",\"id\":\"t%lu\",\"name\":\"f\""), 256 },
        { "gemini", CANDIDATE_TEXT("%lu", "a"), 128 },
        { "interactions", STEP_START("%lu", "\"type\":\"function_call\",\"id\":\"c%lu\",\"name\":\"f\""), 256 },
        { "interactions", STEP_TEXT("%lu", "a"), 256 },
    };
    unsigned long i;
    size_t k;

    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        check_context(rows[k].frame);
        begin(rows[k].shape);
        for (i = 0; i < MANY; i++)
            push_number(rows[k].frame, i);
        CHECK_INT(now.end, ELELEM_EVENT_ERROR);
        CHECK_INT(now.error.kind, ELELEM_ERROR_KIND_LIMIT);
        CHECK_INT(now.error.status, ELELEM_ERROR_COUNT);
        CHECK_INT(now.items, rows[k].allowed);
        end();
    }
}

/* All numbers have six digits, so that frames have one size. */
TEST(a_hundred_thousand_indices_of_which_each_is_over_take_no_more_memory) /* P2 */
{
    static const struct {
        const char *shape;
        const char *frames;
        const char *last;
    } rows[] = {
        { "responses", RESPONSES_TEXT("%lu", "a") RESPONSES_DONE("%lu", MESSAGE("a")), RESPONSES_END },
        { "messages", BLOCK_TEXT("%lu", "a") BLOCK_STOP("%lu"), MESSAGES_END },
        { "interactions", STEP_TEXT("%lu", "a") STEP_STOP("%lu"), INTERACTIONS_END },
    };
    unsigned long i;
    size_t k, peak = 0;

    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        check_context(rows[k].frames);
        begin(rows[k].shape);
        for (i = 0; i < MANY; i++) {
            push_number(rows[k].frames, MANY + i);
            if (i == 100) peak = heap.peak;
        }
        CHECK_INT(heap.peak, peak);
        push(rows[k].last);
        CHECK_INT(now.end, ELELEM_EVENT_FINISHED);
        CHECK_INT(now.items, MANY);
        end();
    }
}

TEST(indices_that_jump_between_open_items_take_no_more_memory) /* P2 */
{
    static const char *const rows[][2] = { { "chat", CHOICE("%lu", "\"delta\":{\"content\":\"a\"}") }, { "chat", ARGUMENTS("%lu", "7") },
                                           { "responses", RESPONSES_TEXT("%lu", "a") }, { "messages", BLOCK_MORE("%lu", "a") },
                                           { "gemini", CANDIDATE_TEXT("%lu", "a") }, { "interactions", STEP_TEXT("%lu", "a") } };
    unsigned long i;
    size_t k, peak = 0;

    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        check_context(rows[k][1]);
        begin(rows[k][0]);
        for (i = 0; i < 90; i++)
            push_number(strcmp(rows[k][0], "messages") == 0 ? BLOCK_TEXT("%lu", "a") : rows[k][1], 10 + i);
        for (i = 0; i < 20000; i++) {
            push_number(rows[k][1], 10 + i * 37 % 90);
            if (i == 100) peak = heap.peak;
        }
        CHECK_INT(now.ends, 0);
        CHECK_INT(now.items, 90);
        CHECK_INT(heap.peak, peak);
        end();
    }
}

/* The item that began first has "ac", the other one "b". */
TEST(an_index_that_goes_back_continues_the_open_item_that_has_it) /* P2 */
{
    static const char *const rows[][2] = {
        { "chat", CHOICE("1", "\"delta\":{\"content\":\"a\"}") CHOICE("0", "\"delta\":{\"content\":\"b\"}") CHOICE("1", "\"delta\":{\"content\":\"c\"}")
                  CHOICE("1", "\"delta\":{},\"finish_reason\":\"stop\"") CHAT_END },
        { "responses", RESPONSES_TEXT("1", "a") RESPONSES_TEXT("0", "b") RESPONSES_TEXT("1", "c") RESPONSES_DONE("1", MESSAGE("ac"))
                       RESPONSES_DONE("0", MESSAGE("b")) RESPONSES_END },
        { "messages", BLOCK_TEXT("1", "a") BLOCK_TEXT("0", "b") BLOCK_MORE("1", "c") BLOCK_STOP("1") BLOCK_STOP("0") MESSAGES_END },
        { "gemini", CANDIDATE_TEXT("1", "a") CANDIDATE_TEXT("0", "b") CANDIDATE_TEXT("1", "c") CANDIDATE_END("1") CANDIDATE_END("0") },
        { "interactions", STEP_TEXT("1", "a") STEP_TEXT("0", "b") STEP_TEXT("1", "c") STEP_STOP("1") STEP_STOP("0") INTERACTIONS_END },
    };
    size_t k;

    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        check_context(rows[k][1]);
        begin(rows[k][0]);
        push(rows[k][1]);
        finish();
        CHECK_INT(now.end, ELELEM_EVENT_FINISHED);
        CHECK_INT(now.items, 2);
        CHECK_STR(now.text[0], strlen(now.text[0]), "ac");
        CHECK_STR(now.text[1], strlen(now.text[1]), "b");
        end();
        STREAM(rows[k][1], NULL);
    }
}

TEST(an_index_that_goes_back_to_an_item_that_is_over_begins_another) /* P2 */
{
    static const char *const rows[][2] = {
        { "responses", RESPONSES_TEXT("1", "a") RESPONSES_DONE("1", MESSAGE("a")) RESPONSES_TEXT("0", "b") RESPONSES_DONE("0", MESSAGE("b"))
                       RESPONSES_TEXT("1", "c") RESPONSES_DONE("1", MESSAGE("c")) RESPONSES_END },
        { "messages", BLOCK_TEXT("1", "a") BLOCK_STOP("1") BLOCK_TEXT("0", "b") BLOCK_STOP("0") BLOCK_TEXT("1", "c") BLOCK_STOP("1") MESSAGES_END },
        { "interactions", STEP_TEXT("1", "a") STEP_STOP("1") STEP_TEXT("0", "b") STEP_STOP("0") STEP_TEXT("1", "c") STEP_STOP("1") INTERACTIONS_END },
    };
    size_t k;

    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        check_context(rows[k][1]);
        begin(rows[k][0]);
        push(rows[k][1]);
        CHECK_INT(now.end, ELELEM_EVENT_FINISHED);
        CHECK_INT(now.items, 3);
        CHECK_STR(now.text[0], strlen(now.text[0]), "a");
        CHECK_STR(now.text[1], strlen(now.text[1]), "b");
        CHECK_STR(now.text[2], strlen(now.text[2]), "c");
        end();
        STREAM(rows[k][1], NULL);
    }
}

CHECK_MAIN("disorder",
    RUN(a_hundred_thousand_open_indices_meet_the_limit_of_their_kind)
    RUN(a_hundred_thousand_indices_of_which_each_is_over_take_no_more_memory)
    RUN(indices_that_jump_between_open_items_take_no_more_memory)
    RUN(an_index_that_goes_back_continues_the_open_item_that_has_it)
    RUN(an_index_that_goes_back_to_an_item_that_is_over_begins_another))
