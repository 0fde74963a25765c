/* Frames in a wrong order, too often or too many, in every shape: the rows P2, P4 and P5 of docs/threats.md; and items in a wrong place. */
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

static void add_text(char *to, elelem_str text)
{
    size_t size = strlen(to);

    if (text.size == 0 || size + text.size >= sizeof now.text[0]) return;
    memcpy(to + size, text.data, text.size);
    to[size + text.size] = '\0';
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
        if (event.index < ITEMS) add_text(now.text[event.index], event.part.kind == ELELEM_PART_TOOL_CALL ? event.part.tool_call.text : event.part.text);
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

/* Frames without what comes before them, and after the end: Responses and Interactions. */

typedef struct shape_row {
    const char *shape;
    const char *frames;
} shape_row;

#define RESPONSES_BODY RESPONSES("created", "\"response\":{\"output\":[]}") RESPONSES_TEXT("0", "a") RESPONSES_DONE("0", MESSAGE("a"))
#define INTERACTIONS_BODY DATA("\"event_type\":\"interaction.created\",\"interaction\":{\"status\":\"in_progress\"}") STEP_TEXT("0", "a") STEP_STOP("0")

static const char *body_of(const char *shape) { return strcmp(shape, "responses") == 0 ? RESPONSES_BODY : INTERACTIONS_BODY; }

static const char *end_of(const char *shape) { return strcmp(shape, "responses") == 0 ? RESPONSES_END : INTERACTIONS_END; }

#define TEXT_EVENTS "0 text \"a\"\n0 flush\nFINISHED completed raw=completed\nEND\n"
#define EMPTY_EVENTS "FINISHED completed raw=completed\nEND\n"

/* The frames between these texts give these events. */
static void gives(const shape_row *row, const char *before, const char *after, const char *events)
{
    char body[3000];

    check_context(row->frames);
    streams_shape(elelem_shape_find(row->shape));
    snprintf(body, sizeof body, "%s%s%s", before, row->frames, after);
    STREAM(body, events);
}

TEST(a_stop_without_a_start_adds_nothing) /* P4 */
{
    static const shape_row rows[] = {
        { "responses", RESPONSES("output_text.done", "\"output_index\":7,\"content_index\":0,\"text\":\"z\"") },
        { "responses", RESPONSES("content_part.done", "\"output_index\":7,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"z\"}") },
        { "responses", RESPONSES("refusal.done", "\"output_index\":7,\"content_index\":0,\"refusal\":\"z\"") },
        { "responses", RESPONSES("function_call_arguments.done", "\"output_index\":7,\"arguments\":\"{}\"") },
        { "responses", RESPONSES("custom_tool_call_input.done", "\"output_index\":7,\"input\":\"z\"") },
        { "responses", RESPONSES("reasoning_summary_text.done", "\"output_index\":7,\"summary_index\":0,\"text\":\"z\"") },
        { "responses", RESPONSES("reasoning_text.done", "\"output_index\":7,\"content_index\":0,\"text\":\"z\"") },
        { "interactions", STEP_STOP("7") },
        { "interactions", STEP_STOP("7") STEP_STOP("7") },
    };
    size_t k;

    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[1000];
        snprintf(body, sizeof body, "%s%s", body_of(rows[k].shape), end_of(rows[k].shape));
        gives(&rows[k], "", body, TEXT_EVENTS);
        gives(&rows[k], body_of(rows[k].shape), end_of(rows[k].shape), TEXT_EVENTS);
        gives(&rows[k], "", end_of(rows[k].shape), EMPTY_EVENTS);
    }
}

/* A response that is read on after a broken connection begins so (docs/wires.md, R1 and I16). Nothing is lost, and nothing comes twice. */
TEST(a_delta_before_its_start_is_given_once) /* P4 */
{
    static const shape_row rows[] = {
        { "responses", RESPONSES_TEXT("0", "a") RESPONSES("output_item.added", "\"output_index\":0,\"item\":{\"type\":\"message\",\"content\":[]}")
                       RESPONSES_TEXT("0", "b") RESPONSES_DONE("0", MESSAGE("ab")) },
        { "responses", RESPONSES("function_call_arguments.delta", "\"output_index\":0,\"delta\":\"a\"")
                       RESPONSES("output_item.added", "\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"\"}")
                       RESPONSES("function_call_arguments.delta", "\"output_index\":0,\"delta\":\"b\"") },
        { "interactions", STEP_TEXT("0", "a") STEP_START("0", "\"type\":\"model_output\"") STEP_TEXT("0", "b") STEP_STOP("0") },
        { "interactions", STEP_DELTA("0", "\"type\":\"arguments_delta\",\"arguments\":\"a\"")
                          STEP_START("0", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{}")
                          STEP_DELTA("0", "\"type\":\"arguments_delta\",\"arguments\":\"b\"") STEP_STOP("0") },
    };
    char text[50];
    size_t k;

    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        check_context(rows[k].frames);
        begin(rows[k].shape);
        push(rows[k].frames);
        push(end_of(rows[k].shape));
        finish();
        CHECK_INT(now.end, ELELEM_EVENT_FINISHED);
        snprintf(text, sizeof text, "%s%s", now.text[0], now.text[1]);
        CHECK_STR(text, strlen(text), "ab");
        end();
        gives(&rows[k], "", end_of(rows[k].shape), NULL);
    }
}

TEST(nothing_counts_after_the_end_of_responses_and_interactions) /* P4 */
{
    static const shape_row rows[] = {
        { "responses", RESPONSES_TEXT("1", "z") },
        { "responses", RESPONSES_BODY RESPONSES_END },
        { "responses", RESPONSES("output_item.added", "\"output_index\":1,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\"}") },
        { "responses", RESPONSES_END },
        { "responses", RESPONSES("incomplete", "\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}") },
        { "responses", RESPONSES("failed", "\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"m\"}}") },
        { "responses", DATA("\"type\":\"error\",\"code\":\"c\",\"message\":\"m\"") },
        { "responses", "data: [DONE]\n\n" },
        { "responses", "data: {\n\n{\"error\":{\"message\":\"m\"}}\n" },
        { "interactions", STEP_TEXT("1", "z") },
        { "interactions", INTERACTIONS_BODY INTERACTIONS_END },
        { "interactions", STEP_START("1", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\"") },
        { "interactions", STEP_STOP("0") },
        { "interactions", INTERACTIONS_END },
        { "interactions", DATA("\"event_type\":\"interaction.completed\",\"interaction\":{\"status\":\"failed\"}") },
        { "interactions", DATA("\"event_type\":\"error\",\"error\":{\"code\":13,\"message\":\"m\"}") },
        { "interactions", "data: [DONE]\n\n" },
        { "interactions", "data: {\n\n{\"error\":{\"message\":\"m\"}}\n" },
    };
    size_t k;

    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[1000];
        snprintf(body, sizeof body, "%s%s", body_of(rows[k].shape), end_of(rows[k].shape));
        gives(&rows[k], body, "", TEXT_EVENTS);
        gives(&rows[k], end_of(rows[k].shape), body, EMPTY_EVENTS);
    }
}

/* Arguments of one byte a delta. */

#define UNITS 6700 /* of 15 bytes each: more than 100,000 deltas */
#define UNIT_TEXT "a\\n\\ud83d\\ude00"
#define UNIT_VALUE "a\n\360\237\230\200"

typedef struct argument_row {
    const char *shape;
    const char *first;
    const char *piece; /* the text for %s */
    const char *last;
} argument_row;

static elelem_turn turn;

/* Pushes a delta with this text in it, which is escaped. */
static void push_piece(const char *format, const char *text)
{
    elelem_turn_update update;
    char frame[400];

    snprintf(frame, sizeof frame, format, text);
    CHECK_INT(elelem_turn_push(&turn, frame, strlen(frame)), ELELEM_OK);
    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        CHECK(update.kind != ELELEM_TURN_ERROR && update.kind != ELELEM_TURN_TOOL_CALL_DONE);
}

/* Pushes the bytes of a JSON text, each in a delta of its own. Returns how many. */
static size_t push_bytes(const char *format, const char *text)
{
    char byte[3];
    size_t i;

    for (i = 0; text[i]; i++) {
        snprintf(byte, sizeof byte, text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
        push_piece(format, byte);
    }
    return i;
}

/* The value of the member "s" is all units. */
static void all_units(elelem_str text)
{
    size_t i, size = sizeof UNIT_VALUE - 1;

    if (!CHECK_INT(text.size, UNITS * size)) return;
    for (i = 0; i < UNITS; i++)
        if (!CHECK_BYTES(text.data + i * size, size, UNIT_VALUE, size)) return;
}

static void begin_call(const argument_row *row)
{
    elelem_turn_update update;
    elelem_turn_desc desc = ELELEM_INIT;

    memset(&heap, 0, sizeof heap);
    desc.shape = elelem_shape_find(row->shape);
    desc.keep_argument_text = 1;
    desc.allocator = limits_allocator(&heap);
    heap.bound = limits_of_turn(&desc);
    elelem_turn_init(&turn, &desc);
    elelem_turn_push(&turn, row->first, strlen(row->first));
    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        CHECK(update.kind != ELELEM_TURN_ERROR);
}

/* The only call is complete with this text of arguments; of any size if it is 0. */
static void end_call(const argument_row *row, size_t size)
{
    elelem_turn_update update;
    size_t calls = 0;

    elelem_turn_push(&turn, row->last, strlen(row->last));
    elelem_turn_finish(&turn);
    while (elelem_turn_next(&turn, &update) == ELELEM_OK) {
        if (update.kind != ELELEM_TURN_TOOL_CALL_DONE) continue;
        calls++;
        CHECK_INT(update.item->state, ELELEM_ITEM_COMPLETE);
        if (size > 0) CHECK_INT(update.item->tool_call.text.size, size);
        all_units(elelem_value_text(elelem_value_get(update.item->tool_call.arguments, "s")));
    }
    CHECK_INT(calls, 1);
    elelem_turn_free(&turn);
    CHECK(limits_held(&heap));
    CHECK_INT(heap.live, 0);
}

TEST(arguments_of_a_hundred_thousand_deltas_of_one_byte_are_whole_in_every_shape_that_streams_their_text) /* P5 */
{
    static const argument_row rows[] = {
        { "chat", CALL("0", "\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}"), ARGUMENTS("0", "%s"),
          CHOICE("0", "\"delta\":{},\"finish_reason\":\"tool_calls\"") "data: [DONE]\n\n" },
        { "responses", RESPONSES("output_item.added", "\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\"}"),
          RESPONSES("function_call_arguments.delta", "\"output_index\":0,\"delta\":\"%s\""), RESPONSES_END },
        { "messages", BLOCK("0", "\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}"),
          BLOCK_DELTA("0", "\"type\":\"input_json_delta\",\"partial_json\":\"%s\""),
          BLOCK_STOP("0") DATA("\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}") DATA("\"type\":\"message_stop\"") },
        { "interactions", STEP_START("0", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{}"),
          STEP_DELTA("0", "\"type\":\"arguments_delta\",\"arguments\":\"%s\""), STEP_STOP("0") INTERACTIONS_END },
    };
    size_t i, k, bytes;

    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        check_context(rows[k].shape);
        begin_call(&rows[k]);
        bytes = push_bytes(rows[k].piece, "{\"s\":\"");
        for (i = 0; i < UNITS; i++)
            bytes += push_bytes(rows[k].piece, UNIT_TEXT);
        bytes += push_bytes(rows[k].piece, "\"}");
        CHECK(bytes > 100000);
        end_call(&rows[k], bytes);
    }
}

/* Gemini streams values; each of these pieces has one character. */
TEST(a_string_of_twenty_thousand_pieces_of_one_character_is_whole_in_gemini) /* P5 */
{
    static const argument_row row = {
        "gemini", CANDIDATE("0", "\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":true}}]}"),
        CANDIDATE("0", "\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":["
                       "{\"jsonPath\":\"$.s\",\"stringValue\":\"%s\",\"willContinue\":true}]}}]}"),
        CANDIDATE("0", "\"content\":{\"parts\":[{\"functionCall\":{}}]},\"finishReason\":\"STOP\"")
    };
    size_t i;

    begin_call(&row);
    for (i = 0; i < UNITS; i++) {
        push_piece(row.piece, "a");
        push_piece(row.piece, "\\n");
        push_piece(row.piece, i % 2 == 0 ? "\\ud83d\\ude00" : "\360\237\230\200");
    }
    end_call(&row, 0);
}

typedef struct body_row {
    const elelem_shape *shape;
    const char *body, *gives; /* each ~ is a large text */
} body_row;

static void check_rows(const body_row *rows, size_t count)
{
    size_t k;

    for (k = 0; k < count; k++) {
        check_context(rows[k].body);
        streams_shape(rows[k].shape);
        STREAM_LARGE(rows[k].body, rows[k].gives);
    }
    check_context(NULL);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof rows / sizeof *rows)

TEST(a_frame_with_halves_of_characters_may_come_several_times_in_every_shape)
{
#define TIMES(frame) frame frame frame frame
    static const body_row rows[] = {
        { &elelem_shape_chat, CHOICE("0", "\"delta\":{\"content\":\"a\"}") CHOICE("0", "\"delta\":{\"content\":\"\\ud83d\"}")
          TIMES(CHOICE("0", "\"delta\":{\"content\":\"\\ude0a\\ud83d\"}")) CHOICE("0", "\"delta\":{\"content\":\"\\ude0a\"}") CHAT_END,
          "0 text \"a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\"\n0 flush\nFINISHED completed raw=stop\nEND\n" },
        { &elelem_shape_messages, BLOCK_TEXT("0", "") BLOCK_MORE("0", "a") BLOCK_MORE("0", "\\ud83d") TIMES(BLOCK_MORE("0", "\\ude0a\\ud83d"))
          BLOCK_MORE("0", "\\ude0a") BLOCK_STOP("0") MESSAGES_END,
          "0 text \"a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\"\n0 flush\nFINISHED completed raw=end_turn\nEND\n" },
        { &elelem_shape_responses, RESPONSES_TEXT("0", "a") RESPONSES_TEXT("0", "\\ud83d") TIMES(RESPONSES_TEXT("0", "\\ude0a\\ud83d"))
          RESPONSES_TEXT("0", "\\ude0a") RESPONSES_END,
          "0 text \"a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\"\n0 flush\nFINISHED completed raw=completed\nEND\n" },
        { &elelem_shape_interactions, STEP_START("0", "\"type\":\"model_output\"") STEP_TEXT("0", "a") STEP_TEXT("0", "\\ud83d")
          TIMES(STEP_TEXT("0", "\\ude0a\\ud83d")) STEP_TEXT("0", "\\ude0a") STEP_STOP("0") INTERACTIONS_END,
          "0 text \"a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\"\n0 flush\nFINISHED completed raw=completed\nEND\n" },
        { &elelem_shape_gemini, CANDIDATE_TEXT("0", "a") CANDIDATE_TEXT("0", "\\ud83d") TIMES(CANDIDATE_TEXT("0", "\\ude0a\\ud83d"))
          CANDIDATE_TEXT("0", "\\ude0a") CANDIDATE_END("0"),
          "0 text \"a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\xf0\x9f\x98\x8a\"\n0 flush\nFINISHED completed raw=STOP\nEND\n" },
    };

    CHECK_ROWS(rows);
}

TEST(a_part_of_reasoning_that_ends_inside_a_character_is_over_there)
{
    streams_shape(&elelem_shape_responses);
    STREAM(RESPONSES("reasoning_text.delta", "\"output_index\":0,\"content_index\":0,\"delta\":\"a\\ud83d\"")
           RESPONSES("reasoning_text.delta", "\"output_index\":0,\"content_index\":1,\"delta\":\"\\ude0axy\"")
           RESPONSES("reasoning_text.done", "\"output_index\":0,\"content_index\":1,\"text\":\"\\ude0axyz\"") RESPONSES_END,
           "0 meta raw=true\n0 think \"a\xef\xbf\xbd\"\n0 meta part_offsets=[4]\n0 think \"\xef\xbf\xbdxyz\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

/* A gateway that cuts JavaScript's strings anywhere cuts between the halves of a character too. */
TEST(a_character_whose_halves_come_in_two_texts_is_one_in_every_shape)
{
#define HIGH "\\ud83d"
#define LOW "\\ude0a"
#define SMILE "\xf0\x9f\x98\x8a"
#define FFFD "\xef\xbf\xbd"
    static const body_row rows[] = {
        { &elelem_shape_chat, CHOICE("0", "\"delta\":{\"content\":\"a" HIGH "\"}") CHOICE("0", "\"delta\":{\"content\":\"" LOW "b\"}") CHAT_END,
          "0 text \"a" SMILE "b\"\n0 flush\nFINISHED completed raw=stop\nEND\n" },
        { &elelem_shape_chat, CHOICE("0", "\"delta\":{\"reasoning\":\"" HIGH "\"}") CHOICE("0", "\"delta\":{\"reasoning\":\"" LOW "\"}") CHAT_END,
          "0 think \"" SMILE "\"\n0 flush\nFINISHED completed raw=stop\nEND\n" },
        { &elelem_shape_chat, CALL("0", "\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"[\\\"" HIGH "\"}") ARGUMENTS("0", LOW "\\\"]") CHAT_END,
          "0 call id=c name=f\n0 args \"[\\\"" SMILE "\\\"]\"\n0 flush\nFINISHED tool_calls raw=stop\nEND\n" },
        { &elelem_shape_responses, RESPONSES_TEXT("0", "a" HIGH) RESPONSES_TEXT("0", LOW "b") RESPONSES_DONE("0", MESSAGE("a" HIGH LOW "b")) RESPONSES_END,
          "0 text \"a" SMILE "b\"\n0 flush\nFINISHED completed raw=completed\nEND\n" },
        { &elelem_shape_messages, BLOCK_TEXT("0", "") BLOCK_MORE("0", "a" HIGH) BLOCK_MORE("0", LOW "b") BLOCK_STOP("0") MESSAGES_END,
          "0 text \"a" SMILE "b\"\n0 flush\nFINISHED completed raw=end_turn\nEND\n" },
        { &elelem_shape_gemini, CANDIDATE_TEXT("0", "a" HIGH) CANDIDATE_TEXT("0", LOW "b") CANDIDATE_END("0"),
          "0 text \"a" SMILE "b\"\n0 flush\nFINISHED completed raw=STOP\nEND\n" },
        { &elelem_shape_interactions, STEP_START("0", "\"type\":\"model_output\"") STEP_TEXT("0", "a" HIGH) STEP_TEXT("0", LOW "b") STEP_STOP("0") INTERACTIONS_END,
          "0 text \"a" SMILE "b\"\n0 flush\nFINISHED completed raw=completed\nEND\n" },
    };

    CHECK_ROWS(rows);
}

TEST(a_half_of_a_character_without_the_other_is_u_fffd)
{
#define SAYS(text) CHOICE("0", "\"delta\":{\"content\":\"" text "\"}")
#define THINKS(text) CHOICE("0", "\"delta\":{\"reasoning\":\"" text "\"}")
    streams_shape(&elelem_shape_chat);
    STREAM(SAYS("a" HIGH) CHAT_END, "0 text \"a" FFFD "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(HIGH) CHAT_END, "0 text \"" FFFD "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(HIGH) SAYS("b") CHAT_END, "0 text \"" FFFD "b\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(HIGH) SAYS(HIGH) SAYS(LOW) CHAT_END, "0 text \"" FFFD SMILE "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(HIGH) SAYS("b" LOW) CHAT_END, "0 text \"" FFFD "b" FFFD "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(HIGH) SAYS(FFFD "b") CHAT_END, "0 text \"" FFFD FFFD "b\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(LOW) SAYS(LOW) CHAT_END, "0 text \"" FFFD FFFD "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(HIGH) THINKS("b") SAYS(LOW) CHAT_END,
           "0 text \"" FFFD "\"\n0 flush\n1 think \"b\"\n1 flush\n2 text \"" FFFD "\"\n2 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(HIGH "\\\"") SAYS(LOW) CHAT_END, "0 text \"" FFFD "\\\"" FFFD "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(HIGH) SAYS(LOW HIGH) SAYS(LOW) CHAT_END, "0 text \"" SMILE SMILE "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS(HIGH) SAYS("") SAYS(LOW) CHAT_END, "0 text \"" SMILE "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(SAYS("a" HIGH), "0 text \"a\"\nERROR connect retryable \"the response ended before it was complete\"\nEND\n");
    STREAM(CHOICE("0", "\"delta\":{\"content\":\"a" HIGH "\",\"x\":\"" LOW "\",\"" LOW "-" HIGH "\":\"" HIGH "\"}") SAYS(LOW) CHAT_END,
           "0 text \"a\"\n0 meta x=[\"" FFFD "\"]\n0 meta " FFFD "-" FFFD "=[\"" FFFD "\"]\n0 text \"" SMILE "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(DATA("\"id\":\"\",\"" LOW "\":1,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a" HIGH "\"}}]") SAYS(LOW) CHAT_END,
           "0 text \"a\"\nresponse " FFFD "=1\n0 text \"" SMILE "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(DATA("\"p\":\"" LOW HIGH "\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a" HIGH "\"}}]") SAYS(LOW) CHAT_END,
           "0 text \"a" SMILE "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(a_text_for_which_there_is_no_item_may_end_inside_a_character)
{
    streams_shape(&elelem_shape_chat);
    streams_now.desc.max_open_items = 1;
    STREAM(CALL("0", "\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"[\"}") SAYS("a" HIGH) CHAT_END,
           "0 call id=c name=f\n0 args \"[\"\nERROR limit \"there are more items than allowed\" status=ERROR_COUNT\nEND\n");
}

TEST(halves_of_characters_in_more_than_four_texts_of_a_frame_are_u_fffd)
{
#define PARTS(a, b, c, d, e) CHOICE("0", "\"delta\":{\"content\":[" PART(a) "," PART(b) "," PART(c) "," PART(d) "," PART(e) "]}")
#define PART(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
    streams_shape(&elelem_shape_chat);
    STREAM(PARTS("a" HIGH, LOW HIGH, LOW, "b", "c" HIGH) SAYS(LOW) CHAT_END,
           "0 text \"a" SMILE SMILE "bc" FFFD FFFD "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(PARTS("a" HIGH, LOW HIGH, LOW, "b", "c") SAYS(HIGH) SAYS(LOW) CHAT_END,
           "0 text \"a" SMILE SMILE "bc" SMILE "\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

/* The elements of a list of a whole response are removed as they are worked off, and their strings make room for others. */
TEST(a_half_of_a_character_in_an_element_that_is_worked_off_is_of_no_later_text)
{
#define CHAT_OF(text) "{\"message\":{\"content\":\"" text "\"},\"finish_reason\":\"stop\"}"
#define OUTPUT_OF(text) "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"" text "\"}]}"
#define BLOCK_OF(text) "{\"text\":\"" text "\",\"type\":\"text\"}"
#define STEP_OF(text) "{\"type\":\"model_output\",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"
#define PART_OF(text) "{\"text\":\"" text "\"}"
#define THREE(of) of(HIGH) "," of("~") "," of("x")
#define GEMINI_OF(parts) "{\"candidates\":[{\"content\":{\"parts\":[" parts "]},\"finishReason\":\"STOP\"}]}"
#define THREE_TEXTS "0 text \"" FFFD "\"\n0 flush\n1 text \"~\"\n1 flush\n2 text \"x\"\n2 flush\n"
    static const body_row rows[] = {
        { &elelem_shape_chat, "{\"choices\":[" THREE(CHAT_OF) "]}", "0 text \"" FFFD "\"\n0 flush\n1@1 text \"~\"\n1@1 flush\n2@2 text \"x\"\n2@2 flush\nFINISHED completed raw=stop\n"
          "meta finish_reasons={\"1\":\"completed\",\"2\":\"completed\"}\nEND\n" },
        { &elelem_shape_responses, "{\"status\":\"completed\",\"tools\":[],\"output\":[" THREE(OUTPUT_OF) "]}", "response status=\"completed\"\n" THREE_TEXTS "FINISHED completed raw=completed\nEND\n" },
        { &elelem_shape_messages, "{\"type\":\"message\",\"content\":[" THREE(BLOCK_OF) "],\"stop_reason\":\"end_turn\"}",
          THREE_TEXTS "FINISHED completed raw=end_turn\nEND\n" },
        { &elelem_shape_interactions, "{\"status\":\"completed\",\"steps\":[" THREE(STEP_OF) "]}", THREE_TEXTS "FINISHED completed raw=completed\nEND\n" },
        { &elelem_shape_gemini, GEMINI_OF(THREE(PART_OF)), "0 text \"" FFFD "~x\"\n0 flush\nFINISHED completed raw=STOP\nEND\n" },
        { &elelem_shape_gemini, "[" GEMINI_OF(THREE(PART_OF)) "]", "0 text \"" FFFD "~x\"\n0 flush\nFINISHED completed raw=STOP\nEND\n" },
    };

    CHECK_ROWS(rows);
}

TEST(a_character_whose_halves_are_in_two_elements_that_are_worked_off_is_one)
{
    streams_shape(&elelem_shape_gemini);
    STREAM_LARGE("[" GEMINI_OF(PART_OF("~" HIGH) "," PART_OF(LOW "x")) "]", "0 text \"~" SMILE "x\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
    STREAM_LARGE("[" GEMINI_OF(PART_OF(HIGH) "," PART_OF(LOW "~") "," PART_OF("x")) "]", "0 text \"" SMILE "~x\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
}

TEST(arguments_that_begin_inside_a_character_begin_their_call)
{
    streams_shape(&elelem_shape_chat);
    STREAM(ARGUMENTS("0", HIGH) ARGUMENTS("0", "x") CHAT_END, "0 call id= name=\n0 args \"" FFFD "x\"\n0 flush\nFINISHED tool_calls raw=stop\nEND\n");
}

#define CUSTOM(text) CALL("0", "\"id\":\"c\",\"type\":\"custom\",\"custom\":{\"name\":\"f\",\"input\":\"" text "\"}")
#define INPUT(text) CALL("0", "\"custom\":{\"input\":\"" text "\"}")
#define CUSTOM_BEGINS "0 call id=c name=f type=custom\n"
#define CALLS_END "0 flush\nFINISHED tool_calls raw=stop\nEND\n"
#define PARTIAL(member, text, more) CANDIDATE("0", "\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":[" \
                                              "{\"jsonPath\":\"$." member "\",\"stringValue\":\"" text "\"" more "}]}}]}")
#define PARTIAL_CALL CANDIDATE("0", "\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":true}}]}")
#define PARTIAL_END CANDIDATE("0", "\"content\":{\"parts\":[{\"functionCall\":{}}]},\"finishReason\":\"STOP\"")
#define CONTINUES ",\"willContinue\":true"
#define RESPONSES_ITEM(item) RESPONSES("output_item.added", "\"output_index\":0,\"item\":{" item "}")
#define RESPONSES_PIECE(type, text) RESPONSES(type, "\"output_index\":0,\"delta\":\"" text "\"")
#define RESPONSES_INPUT(text) "\"type\":\"custom_tool_call\",\"call_id\":\"c\",\"name\":\"f\",\"input\":\"" text "\""
#define RESPONSES_FUNCTION(text) "\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"" text "\""
#define PATCH(text) "\"type\":\"apply_patch_call\",\"call_id\":\"c\",\"status\":\"completed\",\"operation\":{\"type\":\"t\",\"path\":\"p\",\"diff\":\"" text "\"}"
#define SHELL(commands) "\"type\":\"shell_call\",\"call_id\":\"c\",\"status\":\"completed\",\"action\":{\"commands\":[" commands "]}"
#define COMMAND(number, text) RESPONSES("shell_call_command.delta", "\"output_index\":0,\"command_index\":" number ",\"delta\":\"" text "\"")
#define RESPONSES_CALLED "0 flush\nFINISHED tool_calls raw=completed\nEND\n"

TEST(a_character_whose_halves_come_in_two_pieces_of_arguments_is_one) /* P5 */
{
    static const body_row rows[] = {
        { &elelem_shape_chat, CUSTOM("a" HIGH) INPUT(LOW "b" HIGH) INPUT(LOW) CHAT_END, CUSTOM_BEGINS "0 args \"\\\"a" SMILE "b" SMILE "\\\"\"\n" CALLS_END },
        { &elelem_shape_responses, RESPONSES_ITEM(RESPONSES_INPUT("")) RESPONSES_PIECE("custom_tool_call_input.delta", "a" HIGH)
          RESPONSES_PIECE("custom_tool_call_input.delta", LOW "b") RESPONSES_DONE("0", RESPONSES_INPUT("a" HIGH LOW "b")) RESPONSES_END,
          "0 call id=c name=f type=custom_tool_call\n0 args \"\\\"a" SMILE "b\\\"\"\n" RESPONSES_CALLED },
        { &elelem_shape_responses, RESPONSES_ITEM(RESPONSES_INPUT(HIGH)) RESPONSES_PIECE("custom_tool_call_input.delta", LOW "b")
          RESPONSES_DONE("0", RESPONSES_INPUT(HIGH LOW "b")) RESPONSES_END,
          "0 call id=c name=f type=custom_tool_call\n0 args \"\\\"" SMILE "b\\\"\"\n" RESPONSES_CALLED },
        { &elelem_shape_responses, RESPONSES_ITEM(PATCH("a" HIGH)) RESPONSES_PIECE("apply_patch_call_operation_diff.delta", LOW "b" HIGH)
          RESPONSES_PIECE("apply_patch_call_operation_diff.delta", LOW) RESPONSES_DONE("0", PATCH("a" HIGH LOW "b" HIGH LOW "c")) RESPONSES_END,
          "0 call id=c name=apply_patch type=apply_patch_call\n0 args \"{\\\"operation\\\":{\\\"type\\\":\\\"t\\\",\\\"path\\\":\\\"p\\\",\\\"diff\\\":\\\"a"
          SMILE "b" SMILE "c\\\"}}\"\n" RESPONSES_CALLED },
        { &elelem_shape_responses, RESPONSES_ITEM("\"type\":\"shell_call\",\"call_id\":\"c\"") COMMAND("0", "a" HIGH) COMMAND("0", LOW) COMMAND("1", "b" HIGH)
          RESPONSES_DONE("0", SHELL("\"a" HIGH LOW "\",\"b" HIGH LOW "\"")) RESPONSES_END,
          "0 call id=c name=shell type=shell_call\n0 args \"{\\\"action\\\":{\\\"commands\\\":[\\\"a" SMILE "\\\",\\\"b" SMILE "\\\"]}}\"\n" RESPONSES_CALLED },
        { &elelem_shape_gemini, PARTIAL_CALL PARTIAL("a", "x" HIGH, CONTINUES) PARTIAL("a", LOW "y" HIGH, CONTINUES) PARTIAL("a", LOW, "") PARTIAL_END,
          "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":\\\"x" SMILE "y" SMILE "\\\"}\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n" },
    };

    CHECK_ROWS(rows);
}

TEST(a_half_of_a_character_without_the_other_is_u_fffd_in_arguments_that_are_written)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CUSTOM("a" HIGH) CHAT_END, CUSTOM_BEGINS "0 args \"\\\"a" FFFD "\\\"\"\n" CALLS_END);
    STREAM(CUSTOM(HIGH) INPUT(HIGH) INPUT(LOW) CHAT_END, CUSTOM_BEGINS "0 args \"\\\"" FFFD SMILE "\\\"\"\n" CALLS_END);
    STREAM(CUSTOM(HIGH) INPUT("b") CHAT_END, CUSTOM_BEGINS "0 args \"\\\"" FFFD "b\\\"\"\n" CALLS_END);
    streams_shape(&elelem_shape_gemini);
    STREAM(PARTIAL_CALL PARTIAL("a", "x" HIGH, CONTINUES) PARTIAL("b", LOW, CONTINUES) PARTIAL_END,
           "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":\\\"x" FFFD "\\\",\\\"b\\\":\\\"" FFFD "\\\"}\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n");
    streams_shape(&elelem_shape_responses);
    STREAM(RESPONSES_ITEM("\"type\":\"shell_call\",\"call_id\":\"c\"") COMMAND("0", "a" HIGH) COMMAND("1", LOW "b") RESPONSES_DONE("0", SHELL("\"x\",\"y\"")) RESPONSES_END,
           "0 call id=c name=shell type=shell_call\n0 args \"{\\\"action\\\":{\\\"commands\\\":[\\\"a" FFFD "\\\",\\\"" FFFD "b\\\"]}}\"\n" RESPONSES_CALLED);
}

#define HOSTED(text) BLOCK_DELTA("0", "\"type\":\"input_json_delta\",\"partial_json\":\"" text "\"")
#define SERVER_TOOL BLOCK("0", "\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"f\",\"input\":{}")
#define SERVER_TOOL_BEGINS "0 item server_tool_use hosted \"{\\\"type\\\":\\\"server_tool_use\\\",\\\"id\\\":\\\"s\\\",\\\"name\\\":\\\"f\\\",\\\"input\\\":\"\n" \
                           "0 caption \"f\"\n"
#define COMPACTION BLOCK("0", "\"type\":\"compaction\",\"content\":\"\"")
#define COMPACTED(text) BLOCK_DELTA("0", "\"type\":\"compaction_delta\",\"content\":\"" text "\"")
#define COMPACTION_BEGINS "0 item compaction hosted \"{\\\"type\\\":\\\"compaction\\\""
#define BLOCKS_END "0 flush\nFINISHED completed raw=end_turn\nEND\n"
#define SOUND(members) CHOICE("0", "\"delta\":{\"audio\":{" members "}}")

TEST(a_character_whose_halves_come_in_two_pieces_of_a_provider_item_is_one)
{
    static const body_row rows[] = {
        { &elelem_shape_messages, SERVER_TOOL HOSTED("[\\\"" HIGH) HOSTED(LOW "\\\"]") BLOCK_STOP("0") MESSAGES_END,
          SERVER_TOOL_BEGINS "0 item server_tool_use hosted \"[\\\"" SMILE "\\\"]}\"\n" BLOCKS_END },
        { &elelem_shape_messages, COMPACTION COMPACTED("a" HIGH) COMPACTED(LOW HIGH) COMPACTED(LOW "b") BLOCK_STOP("0") MESSAGES_END,
          COMPACTION_BEGINS ",\\\"content\\\":\\\"a" SMILE SMILE "b\\\"}\"\n" BLOCKS_END },
        { &elelem_shape_messages, BLOCK("0", "\"type\":\"new\",\"text\":\"" HIGH "\"") BLOCK_MORE("0", LOW) BLOCK_STOP("0") MESSAGES_END,
          "0 item new \"{\\\"type\\\":\\\"new\\\",\\\"text\\\":\\\"" SMILE "\\\"}\"\n" BLOCKS_END },
        { &elelem_shape_chat, SOUND("\"transcript\":\"a" HIGH "\"") SOUND("\"transcript\":\"" LOW "b\"") CHAT_END,
          "0 caption \"a" SMILE "b\"\n0 item audio \"{\\\"transcript\\\":\\\"a" SMILE "b\\\"}\"\n0 flush\nFINISHED completed raw=stop\nEND\n" },
        { &elelem_shape_responses, RESPONSES("audio.transcript.delta", "\"delta\":\"a" HIGH "\"") RESPONSES("audio.transcript.delta", "\"delta\":\"" LOW "b\"") RESPONSES_END,
          "0 caption \"a" SMILE "b\"\n0 item audio \"{\\\"transcript\\\":\\\"a" SMILE "b\\\"}\"\n0 flush\nFINISHED completed raw=completed\nEND\n" },
        { &elelem_shape_responses, RESPONSES_ITEM("\"type\":\"code_interpreter_call\",\"code\":\"\"") RESPONSES_PIECE("code_interpreter_call_code.delta", "a" HIGH)
          RESPONSES_PIECE("code_interpreter_call_code.delta", LOW "b") RESPONSES_DONE("0", "\"type\":\"code_interpreter_call\",\"code\":\"a" HIGH LOW "bc\"") RESPONSES_END,
          "0 caption \"a" SMILE "b\"\n0 item code_interpreter_call hosted \"{\\\"type\\\":\\\"code_interpreter_call\\\",\\\"code\\\":\\\"a" SMILE "bc\\\"}\"\n"
          "0 caption \"c\"\n0 flush\nFINISHED completed raw=completed\nEND\n" },
    };

    CHECK_ROWS(rows);
}

/* What shows an item has no end of its own: a half that nothing follows is left out of it, and of JSON that is not whole. */
TEST(a_half_of_a_character_without_the_other_is_u_fffd_in_a_provider_item_that_is_whole)
{
    streams_shape(&elelem_shape_messages);
    STREAM(COMPACTION COMPACTED("a" HIGH) BLOCK_STOP("0") MESSAGES_END, COMPACTION_BEGINS ",\\\"content\\\":\\\"a" FFFD "\\\"}\"\n" BLOCKS_END);
    STREAM(COMPACTION COMPACTED("a" HIGH) BLOCK_DELTA("0", "\"type\":\"compaction_delta\",\"text\":\"" LOW "\"") BLOCK_STOP("0") MESSAGES_END,
           COMPACTION_BEGINS ",\\\"content\\\":\\\"a" FFFD "\\\",\\\"text\\\":\\\"" FFFD "\\\"}\"\n" BLOCKS_END);
    STREAM(SERVER_TOOL HOSTED("\\\"" HIGH) HOSTED("\\\"") BLOCK_STOP("0") MESSAGES_END,
           SERVER_TOOL_BEGINS "0 item server_tool_use hosted \"\\\"" FFFD "\\\"}\"\n" BLOCKS_END);
    STREAM(SERVER_TOOL HOSTED("\\\"a" HIGH) BLOCK_TEXT("0", "b") BLOCK_STOP("0") MESSAGES_END,
           SERVER_TOOL_BEGINS "0 item server_tool_use hosted \"\\\"a\"\n0 flush\n1 text \"b\"\n1 flush\nFINISHED completed raw=end_turn\nEND\n");
    streams_shape(&elelem_shape_chat);
    STREAM(SOUND("\"transcript\":\"a" HIGH "\"") CHAT_END,
           "0 caption \"a\"\n0 item audio \"{\\\"transcript\\\":\\\"a" FFFD "\\\"}\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    streams_shape(&elelem_shape_responses);
    STREAM(RESPONSES("audio.transcript.delta", "\"delta\":\"a" HIGH "\"") RESPONSES_END,
           "0 caption \"a\"\n0 item audio \"{\\\"transcript\\\":\\\"a" FFFD "\\\"}\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

/* Responses compares what was said with the whole text that comes after it. */
TEST(a_whole_text_adds_what_its_deltas_left_out_though_they_were_cut_inside_a_character)
{
#define TEXT_DONE(text) RESPONSES("output_text.done", "\"output_index\":0,\"text\":\"" text "\"")
#define ARGUMENTS_PIECE(text) RESPONSES_PIECE("function_call_arguments.delta", text)
#define ARGUMENTS_DONE(text) RESPONSES("function_call_arguments.done", "\"output_index\":0,\"arguments\":\"" text "\"")
#define SUMMARY(number, text) RESPONSES("reasoning_summary_text.delta", "\"output_index\":0,\"summary_index\":" number ",\"delta\":\"" text "\"")
#define SUMMARY_DONE(number, text) RESPONSES("reasoning_summary_text.done", "\"output_index\":0,\"summary_index\":" number ",\"text\":\"" text "\"")
#define FUNCTION_BEGINS "0 call id=c name=f\n"
#define TEXTS_END "0 flush\nFINISHED completed raw=completed\nEND\n"
    streams_shape(&elelem_shape_responses);
    STREAM(RESPONSES_TEXT("0", "a" HIGH) RESPONSES_TEXT("0", LOW "b") TEXT_DONE("a" HIGH LOW "bc") RESPONSES_END, "0 text \"a" SMILE "bc\"\n" TEXTS_END);
    STREAM(RESPONSES_TEXT("0", "a" HIGH) TEXT_DONE("a" HIGH LOW "bc") RESPONSES_END, "0 text \"a" SMILE "bc\"\n" TEXTS_END);
    STREAM(RESPONSES_TEXT("0", HIGH) TEXT_DONE(HIGH LOW) RESPONSES_END, "0 text \"" SMILE "\"\n" TEXTS_END);
    STREAM(RESPONSES_TEXT("0", "a" HIGH) TEXT_DONE("a" HIGH) RESPONSES_END, "0 text \"a" FFFD "\"\n" TEXTS_END);
    STREAM(RESPONSES_TEXT("0", "a" HIGH) TEXT_DONE("a") RESPONSES_END, "0 text \"a" FFFD "\"\n" TEXTS_END);
    STREAM(RESPONSES_TEXT("0", "a" HIGH) RESPONSES_TEXT("0", "b") TEXT_DONE("a" HIGH "bc") RESPONSES_END, "0 text \"a" FFFD "bc\"\n" TEXTS_END);
    STREAM(RESPONSES_ITEM(RESPONSES_FUNCTION("")) ARGUMENTS_PIECE("[\\\"" HIGH) ARGUMENTS_DONE("[\\\"" HIGH LOW "\\\"]") RESPONSES_END,
           FUNCTION_BEGINS "0 args \"[\\\"" SMILE "\\\"]\"\n" RESPONSES_CALLED);
    STREAM(RESPONSES_ITEM(RESPONSES_FUNCTION("[\\\"" HIGH)) ARGUMENTS_PIECE("[\\\"" HIGH LOW "\\\"]") RESPONSES_DONE("0", RESPONSES_FUNCTION("[\\\"" HIGH LOW "\\\"]")) RESPONSES_END,
           FUNCTION_BEGINS "0 args \"[\\\"" SMILE "\\\"]\"\n" RESPONSES_CALLED);
    STREAM(RESPONSES_ITEM(RESPONSES_FUNCTION("")) ARGUMENTS_PIECE(HIGH) RESPONSES("function_call_arguments.done", "\"output_index\":0") RESPONSES_DONE("0", RESPONSES_FUNCTION("[]"))
           RESPONSES_END, FUNCTION_BEGINS "0 args \"[]\"\n" RESPONSES_CALLED);
    STREAM(RESPONSES_ITEM(RESPONSES_INPUT("")) RESPONSES_PIECE("custom_tool_call_input.delta", "a" HIGH) RESPONSES_DONE("0", RESPONSES_INPUT("a" HIGH LOW "b")) RESPONSES_END,
           "0 call id=c name=f type=custom_tool_call\n0 args \"\\\"a" SMILE "b\\\"\"\n" RESPONSES_CALLED);
    STREAM(SUMMARY("0", "a" HIGH) SUMMARY("1", "b" HIGH) SUMMARY("1", LOW) SUMMARY_DONE("1", "b" HIGH LOW "c") RESPONSES_END,
           "0 think \"a" FFFD "\\n\\n\"\n0 meta part_offsets=[6]\n0 think \"b" SMILE "c\"\n" TEXTS_END);
}

/* The start of a block may have what its first delta brings again; halves of two characters look the same there. */
TEST(reasoning_that_begins_with_half_a_character_is_not_taken_for_its_repetition)
{
#define THOUGHT(text) BLOCK("0", "\"type\":\"thinking\",\"thinking\":\"" text "\"")
#define THINKING(text) BLOCK_DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"" text "\"")
    streams_shape(&elelem_shape_messages);
    STREAM(THOUGHT(HIGH) THINKING(LOW) THINKING("b") BLOCK_STOP("0") MESSAGES_END, "0 think \"" SMILE "b\"\n" BLOCKS_END);
    STREAM(THOUGHT("a" HIGH) THINKING(LOW "b") BLOCK_STOP("0") MESSAGES_END, "0 think \"a" SMILE "b\"\n" BLOCKS_END);
    STREAM(THOUGHT(HIGH) THINKING(HIGH) THINKING(LOW) BLOCK_STOP("0") MESSAGES_END, "0 think \"" SMILE "\"\n" BLOCKS_END);
}

/* A list or an object with an item in it, in place of the item: what comes of it does not depend on the size. */
TEST(an_item_inside_of_another_value_comes_the_same_small_and_large)
{
    static const struct { const elelem_shape *shape; const char *body, *events; } rows[] = {
        { &elelem_shape_chat,
          "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\",\"images\":[[{\"image_url\":{\"url\":\"~\"}}]]},\"finish_reason\":\"stop\"}]}",
          "0 item images \"[{\\\"image_url\\\":{\\\"url\\\":\\\"~\\\"}}]\"\n0 flush\n1 text \"a\"\n1 flush\nFINISHED completed raw=stop\nEND\n" },
        { &elelem_shape_chat,
          "data: {\"choices\":[{\"index\":0,\"delta\":{\"index\":5,\"audio\":{\"id\":\"i\",\"data\":{\"y\":\"~\",\"z\":1}}}}]}\n\n"
          "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
          "response index=[5]\n0 item audio \"{\\\"id\\\":\\\"i\\\",\\\"data\\\":{\\\"y\\\":\\\"~\\\",\\\"z\\\":1}}\"\n0 flush\nFINISHED completed raw=stop\nEND\n" },
        { &elelem_shape_gemini,
          "data: {\"candidates\":[{\"content\":{\"parts\":[[{\"inlineData\":{\"data\":\"~\"}}],{\"text\":\"a\"}]},\"finishReason\":\"STOP\"}]}\n\n",
          "0 item  \"[{\\\"inlineData\\\":{\\\"data\\\":\\\"~\\\"}}]\"\n0 flush\n1 text \"a\"\n1 flush\nFINISHED completed raw=STOP\nEND\n" },
        { &elelem_shape_messages,
          "{\"type\":\"message\",\"content\":[[{\"type\":\"x\",\"a\":\"~\"}],{\"type\":\"text\",\"text\":\"a\"}],\"stop_reason\":\"end_turn\"}",
          "1 text \"a\"\n1 flush\nFINISHED completed raw=end_turn\nEND\n" },
        { &elelem_shape_responses,
          "{\"object\":\"response\",\"status\":\"completed\",\"output\":[[{\"type\":\"x\",\"a\":\"~\"}],"
          "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]}]}",
          "response status=\"completed\"\n0 text \"a\"\n0 flush\nFINISHED completed raw=completed\nEND\n" },
        { &elelem_shape_interactions,
          "{\"status\":\"completed\",\"steps\":[[{\"type\":\"x\",\"a\":\"~\"}],{\"type\":\"model_output\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}]}",
          "0 text \"a\"\n0 flush\nFINISHED completed raw=completed\nEND\n" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].body);
        streams_shape(rows[i].shape);
        STREAM(rows[i].body, rows[i].events);
        STREAM_LARGE(rows[i].body, rows[i].events);
    }
}

CHECK_MAIN("disorder",
    RUN(a_hundred_thousand_open_indices_meet_the_limit_of_their_kind)
    RUN(a_hundred_thousand_indices_of_which_each_is_over_take_no_more_memory)
    RUN(indices_that_jump_between_open_items_take_no_more_memory)
    RUN(an_index_that_goes_back_continues_the_open_item_that_has_it)
    RUN(an_index_that_goes_back_to_an_item_that_is_over_begins_another)
    RUN(a_stop_without_a_start_adds_nothing)
    RUN(a_delta_before_its_start_is_given_once)
    RUN(nothing_counts_after_the_end_of_responses_and_interactions)
    RUN(arguments_of_a_hundred_thousand_deltas_of_one_byte_are_whole_in_every_shape_that_streams_their_text)
    RUN(a_string_of_twenty_thousand_pieces_of_one_character_is_whole_in_gemini)
    RUN(a_frame_with_halves_of_characters_may_come_several_times_in_every_shape)
    RUN(a_part_of_reasoning_that_ends_inside_a_character_is_over_there)
    RUN(a_character_whose_halves_come_in_two_texts_is_one_in_every_shape)
    RUN(a_half_of_a_character_without_the_other_is_u_fffd)
    RUN(a_text_for_which_there_is_no_item_may_end_inside_a_character)
    RUN(halves_of_characters_in_more_than_four_texts_of_a_frame_are_u_fffd)
    RUN(a_half_of_a_character_in_an_element_that_is_worked_off_is_of_no_later_text)
    RUN(a_character_whose_halves_are_in_two_elements_that_are_worked_off_is_one)
    RUN(arguments_that_begin_inside_a_character_begin_their_call)
    RUN(a_character_whose_halves_come_in_two_pieces_of_arguments_is_one)
    RUN(a_half_of_a_character_without_the_other_is_u_fffd_in_arguments_that_are_written)
    RUN(a_character_whose_halves_come_in_two_pieces_of_a_provider_item_is_one)
    RUN(a_half_of_a_character_without_the_other_is_u_fffd_in_a_provider_item_that_is_whole)
    RUN(a_whole_text_adds_what_its_deltas_left_out_though_they_were_cut_inside_a_character)
    RUN(reasoning_that_begins_with_half_a_character_is_not_taken_for_its_repetition)
    RUN(an_item_inside_of_another_value_comes_the_same_small_and_large))
