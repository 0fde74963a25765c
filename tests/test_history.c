/* History entries: built from streams and lines, written and read. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"
#include "records.h"

/* History entries. */

static elelem_history_builder builder;
static elelem_history_reader reader;

static void open_history(uint8_t role)
{
    elelem_history_builder_desc desc = ELELEM_INIT;

    open_recorder();
    desc.role = role;
    elelem_history_builder_init(&builder, &desc);
}

static void history_line(const char *line)
{
    CHECK_INT(elelem_history_builder_push_line(&builder, text_of(line)), ELELEM_OK);
}

/* Writes the entry, reads it back, and writes that: both times the expected text. */
static void close_history(const char *expected)
{
    elelem_history_entry entry;

    elelem_history_builder_finish(&builder);
    CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_OK);
    CHECK_INT(elelem_history_entry_write(&entry, elelem_buffer_sink(&out)), ELELEM_OK);
    CHECK_OUT(expected);
    elelem_buffer_clear(&out);
    elelem_history_reader_init(&reader, NULL);
    CHECK_INT(elelem_history_reader_push(&reader, expected, strlen(expected)), ELELEM_OK);
    elelem_history_reader_finish(&reader);
    if (CHECK_INT(elelem_history_reader_next(&reader, &entry), ELELEM_OK)) {
        CHECK_INT(elelem_history_entry_write(&entry, elelem_buffer_sink(&out)), ELELEM_OK);
        CHECK_OUT(expected);
    }
    CHECK_INT(elelem_history_reader_next(&reader, &entry), ELELEM_END);
    elelem_history_reader_free(&reader);
    elelem_history_builder_free(&builder);
    close_recorder();
}

TEST(scenario_1_an_entry_with_events)
{
    elelem_history_entry entry;
    elelem_str line;
    size_t at = 0, count = 0;

    open_history(ELELEM_HISTORY_AI);
    history_line("{\"eventType\":\"PartialResponse\",\"chunk\":\"Hello\"}");
    history_line("{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"get_weather\"}");
    history_line("{\"eventType\":\"PartialResponse\",\"chunk\":\"The weather is nice\"}");
    elelem_history_builder_mark(&builder, ELELEM_HISTORY_COMPLETE);
    elelem_history_builder_finish(&builder);
    CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_OK);
    CHECK_STR(entry.text.data, entry.text.size, "HelloThe weather is nice");
    while (elelem_history_entry_event(&entry, &at, &line))
        count++;
    CHECK_INT(count, 3);
    close_history("{\"role\":\"AI\",\"text\":\"HelloThe weather is nice\",\"events\":["
                  "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Hello\"},"
                  "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"get_weather\"},"
                  "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"The weather is nice\"}]}");
}

TEST(scenario_2_an_entry_with_text_alone)
{
    open_history(ELELEM_HISTORY_AI);
    CHECK_INT(elelem_history_builder_push_text(&builder, text_of("Simple ")), ELELEM_OK);
    CHECK_INT(elelem_history_builder_push_text(&builder, text_of("message")), ELELEM_OK);
    close_history("{\"role\":\"AI\",\"text\":\"Simple message\"}");
}

TEST(scenario_3_an_entry_with_a_text_of_its_own_and_events)
{
    open_history(ELELEM_HISTORY_AI);
    CHECK_INT(elelem_history_builder_set_text(&builder, text_of("Search-optimized text")), ELELEM_OK);
    history_line("{\"eventType\":\"PartialResponse\",\"chunk\":\"Rich\"}");
    history_line("{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}");
    close_history("{\"role\":\"AI\",\"text\":\"Search-optimized text\",\"events\":["
                  "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Rich\"},"
                  "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}]}");
}

TEST(a_users_entry_is_text)
{
    open_history(ELELEM_HISTORY_USER);
    CHECK_INT(elelem_history_builder_push_text(&builder, text_of("What's the \"weather\"\n?")), ELELEM_OK);
    close_history("{\"role\":\"USER\",\"text\":\"What's the \\\"weather\\\"\\n?\"}");
}

TEST(coalescing_6_the_final_text_is_the_text_events_only_and_unlike_in_the_origin_asking_changes_nothing)
{
    elelem_history_entry entry;

    open_history(ELELEM_HISTORY_AI);
    history_line("{\"eventType\":\"PartialThinking\",\"chunk\":\"hm\"}");
    history_line("{\"eventType\":\"PartialResponse\",\"chunk\":\"a\"}");
    history_line("{\"eventType\":\"PartialResponse\",\"index\":5,\"choice\":1,\"chunk\":\"other choice\"}");
    history_line("{\"eventType\":\"PartialStructured\",\"index\":6,\"chunk\":\"{}\"}");
    history_line("{\"eventType\":\"PartialResponse\",\"chunk\":\"b\"}");
    elelem_history_builder_finish(&builder);
    CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_OK);
    CHECK_STR(entry.text.data, entry.text.size, "ab");
    elelem_history_builder_finish(&builder);
    CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_OK);
    CHECK_STR(entry.text.data, entry.text.size, "ab");
    elelem_history_builder_free(&builder);
    close_recorder();
}

static void push_all(const elelem_event *events, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        CHECK_INT(elelem_history_builder_push(&builder, &events[i]), ELELEM_OK);
}

/* What an application does with a stream: each event is recorded, stored, and handed on. */
static void a_streams_events(elelem_event *events)
{
    events[0] = message(0, "Let ");
    events[1] = message(0, "me");
    events[2] = start(1, "c", "f");
    events[3] = flush(0);
    events[4] = flush(1);
    events[5] = finished(ELELEM_FINISH_TOOL_CALLS, "");
}

#define A_STREAMS_LINES                                                                                       \
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let \"}\n"                                    \
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"me\"}\n" START("1", "c") FLUSH("0") FLUSH("1") \
    "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"tool_calls\"}\n"

TEST(adapter_1_each_event_is_recorded_as_one_line)
{
    elelem_event events[6];
    size_t i;

    a_streams_events(events);
    open_recorder();
    start_recorder();
    for (i = 0; i < 6; i++)
        record(events[i]);
    CHECK_OUT(A_STREAMS_LINES);
    close_recorder();
}

TEST(adapter_2_at_the_streams_end_the_history_has_the_events_coalesced)
{
    elelem_event events[6];

    a_streams_events(events);
    open_history(ELELEM_HISTORY_AI);
    push_all(events, 6);
    close_history("{\"role\":\"AI\",\"text\":\"Let me\",\"events\":["
                  "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let me\"},"
                  "{\"eventType\":\"Flush\",\"index\":0},{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"input\":{}},"
                  "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"tool_calls\"}]}");
}

TEST(adapter_3_events_that_were_recorded_and_stored_are_passed_on_unchanged)
{
    elelem_event events[6];
    elelem_recorder downstream;
    elelem_buffer received;
    elelem_recorder_desc desc = ELELEM_INIT;
    size_t i;

    elelem_buffer_init(&received, no_allocator, 0);
    desc.sink = elelem_buffer_sink(&received);
    elelem_recorder_init(&downstream, &desc);
    a_streams_events(events);
    open_history(ELELEM_HISTORY_AI);
    recorder_desc.tool_calls = 1;
    start_recorder();
    for (i = 0; i < 6; i++) {
        record(events[i]);
        push_all(&events[i], 1);
        CHECK_INT(elelem_recorder_push(&downstream, &events[i]), ELELEM_OK);
    }
    CHECK_STR(elelem_buffer_text(&received).data, elelem_buffer_text(&received).size, A_STREAMS_LINES);
    elelem_recorder_free(&downstream);
    elelem_buffer_free(&received);
    elelem_history_builder_free(&builder);
    close_recorder();
}

TEST(adapter_4_a_cancelled_turn_keeps_what_came_and_is_marked)
{
    elelem_event events[2];

    events[0] = message(0, "Let");
    events[1] = failed(ELELEM_ERROR_KIND_CANCELLED, "cancelled");
    open_history(ELELEM_HISTORY_AI);
    push_all(events, 2);
    close_history("{\"role\":\"AI\",\"text\":\"Let\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let\"},"
                  "{\"eventType\":\"Error\",\"kind\":\"cancelled\",\"retryable\":false,\"message\":\"cancelled\"}],"
                  "\"incomplete\":\"cancelled\"}");
    open_history(ELELEM_HISTORY_AI);
    push_all(events, 1);
    elelem_history_builder_mark(&builder, ELELEM_HISTORY_CANCELLED);
    close_history("{\"role\":\"AI\",\"text\":\"Let\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let\"}],"
                  "\"incomplete\":\"cancelled\"}");
}

TEST(adapter_5_a_broken_turn_keeps_what_came_and_is_marked)
{
    elelem_event events[2];

    events[0] = message(0, "Let");
    events[1] = failed(ELELEM_ERROR_KIND_CONNECT, "gone");
    open_history(ELELEM_HISTORY_AI);
    push_all(events, 2);
    close_history("{\"role\":\"AI\",\"text\":\"Let\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let\"},"
                  "{\"eventType\":\"Error\",\"kind\":\"connect\",\"retryable\":false,\"message\":\"gone\"}],\"incomplete\":\"broken\"}");
    open_history(ELELEM_HISTORY_AI);
    push_all(events, 1);
    close_history("{\"role\":\"AI\",\"text\":\"Let\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let\"}],"
                  "\"incomplete\":\"broken\"}");
}

/* Else what was flushed would look cut off. */
TEST(a_broken_entry_says_which_texts_were_whole)
{
    static const char whole[] = "{\"role\":\"AI\",\"text\":\"Let\",\"events\":[{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"hm\"},"
                                "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"Let\"},{\"eventType\":\"Flush\",\"index\":0}";
    char expected[1000];
    elelem_event events[4];

    memset(events, 0, sizeof events);
    events[0] = message(0, "hm");
    events[0].part.kind = ELELEM_PART_REASONING;
    events[1].kind = ELELEM_EVENT_FLUSH;
    events[2] = message(1, "Let");
    events[3] = failed(ELELEM_ERROR_KIND_CONNECT, "gone");
    open_history(ELELEM_HISTORY_AI);
    push_all(events, 4);
    snprintf(expected, sizeof expected, "%s,{\"eventType\":\"Error\",\"kind\":\"connect\",\"retryable\":false,\"message\":\"gone\"}],\"incomplete\":\"broken\"}", whole);
    close_history(expected);
    open_history(ELELEM_HISTORY_AI);
    push_all(events, 3);
    snprintf(expected, sizeof expected, "%s],\"incomplete\":\"broken\"}", whole);
    close_history(expected);
}

TEST(a_broken_entry_ends_its_texts_before_an_open_call_that_has_the_index_of_one)
{
    elelem_event events[3];

    memset(events, 0, sizeof events);
    events[0] = message(0, "Let");
    events[1].kind = ELELEM_EVENT_FLUSH;
    events[2] = start(0, "c", "f");
    open_history(ELELEM_HISTORY_AI);
    push_all(events, 3);
    close_history("{\"role\":\"AI\",\"text\":\"Let\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let\"},"
                  "{\"eventType\":\"Flush\",\"index\":0},{\"eventType\":\"ToolCallStart\",\"index\":0,\"id\":\"c\",\"toolName\":\"f\"}],"
                  "\"incomplete\":\"broken\"}");
}

TEST(an_entry_of_lines_is_not_broken_unless_a_line_says_so)
{
    open_history(ELELEM_HISTORY_AI);
    history_line("{\"eventType\":\"PartialResponse\",\"chunk\":\"Let me check\"}");
    history_line("{\"eventType\":\"ToolExecuted\",\"toolName\":\"f\",\"output\":{}}");
    close_history("{\"role\":\"AI\",\"text\":\"Let me check\",\"events\":["
                  "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let me check\"},"
                  "{\"eventType\":\"ToolExecuted\",\"toolName\":\"f\",\"output\":{}}]}");
    open_history(ELELEM_HISTORY_AI);
    history_line("{\"eventType\":\"PartialResponse\",\"chunk\":\"Let\"}");
    history_line("{\"eventType\":\"Error\",\"kind\":\"connect\",\"retryable\":true,\"message\":\"gone\"}");
    close_history("{\"role\":\"AI\",\"text\":\"Let\",\"events\":["
                  "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let\"},"
                  "{\"eventType\":\"Error\",\"kind\":\"connect\",\"retryable\":true,\"message\":\"gone\"}],"
                  "\"incomplete\":\"broken\"}");
}

TEST(an_entry_takes_no_line_that_its_reader_refuses)
{
    static const struct {
        const char *line;
        elelem_status status;
    } rows[] = {
        { "{\"a\":1}", ELELEM_ERROR_PROTOCOL },       { "{}", ELELEM_ERROR_PROTOCOL },
        { "{\"eventType\":5}", ELELEM_ERROR_TYPE },    { "{\"eventType\":null,\"x\":1}", ELELEM_ERROR_TYPE },
        { "{\"event\\u0054ype\":[]}", ELELEM_ERROR_TYPE }, { "{\"x\":{\"eventType\":\"A\"}}", ELELEM_ERROR_PROTOCOL },
        { "{\"eventType\":\"A\",\"eventType\":1}", ELELEM_ERROR_TYPE },
    };
    elelem_record_item item = ELELEM_INIT;
    size_t i;

    open_history(ELELEM_HISTORY_AI);
    item.kind = ELELEM_RECORD_LINE;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].line);
        CHECK_INT(elelem_history_builder_push_line(&builder, text_of(rows[i].line)), rows[i].status);
        item.line = text_of(rows[i].line);
        CHECK_INT(elelem_history_builder_push_item(&builder, &item), rows[i].status);
    }
    history_line("{\"eventType\":\"\"}");
    history_line("{\"event\\u0054ype\":\"A\"}");
    close_history("{\"role\":\"AI\",\"events\":[{\"eventType\":\"\"},{\"event\\u0054ype\":\"A\"}]}");
}

/* The history of what a provider sends. */
static void history_of(const elelem_shape *shape, const char *body, const char *expected)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;

    desc.shape = shape;
    elelem_stream_init(&stream, &desc);
    elelem_stream_push(&stream, body, strlen(body));
    elelem_stream_finish(&stream);
    open_history(ELELEM_HISTORY_AI);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        if (event.kind != ELELEM_EVENT_FINISHED) push_all(&event, 1);
    elelem_history_builder_mark(&builder, ELELEM_HISTORY_COMPLETE);
    close_history(expected);
    elelem_stream_free(&stream);
}

#define FRAME(json) "data: " json "\n\n"

TEST(the_signature_of_reasoning_is_in_the_history)
{
    history_of(&elelem_shape_messages,
               FRAME("{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}}")
               FRAME("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}")
               FRAME("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm\"}}")
               FRAME("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"c2ln\"}}")
               FRAME("{\"type\":\"content_block_stop\",\"index\":0}")
               FRAME("{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}")
               FRAME("{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"4\"}}")
               FRAME("{\"type\":\"content_block_stop\",\"index\":1}")
               FRAME("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}")
               FRAME("{\"type\":\"message_stop\"}"),
               "{\"role\":\"AI\",\"text\":\"4\",\"events\":[{\"eventType\":\"ResponseMetadata\",\"metadata\":{\"id\":\"m\"}},"
               "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"Hm\",\"metadata\":{\"signature\":\"c2ln\"}},"
               "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"4\"}]}");
}

#define RESPONSES_MESSAGE                                                                                              \
    FRAME("{\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"id\":\"m\",\"type\":\"message\",\"content\":[]}}") \
    FRAME("{\"type\":\"response.output_text.delta\",\"output_index\":1,\"item_id\":\"m\",\"delta\":\"4\"}")
#define RESPONSES_THOUGHT                                                                                              \
    FRAME("{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"r\",\"type\":\"reasoning\",\"summary\":[]}}") \
    FRAME("{\"type\":\"response.reasoning_summary_text.delta\",\"output_index\":0,\"item_id\":\"r\",\"summary_index\":0,\"delta\":\"Hm\"}")
#define RESPONSES_SEALED                                                                                         \
    FRAME("{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"r\",\"type\":\"reasoning\"," \
          "\"summary\":[{\"type\":\"summary_text\",\"text\":\"Hm\"}],\"encrypted_content\":\"gAAA\"}}")
#define RESPONSES_COMPLETED                                                                                      \
    FRAME("{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"id\":\"m\",\"type\":\"message\","  \
          "\"content\":[{\"type\":\"output_text\",\"text\":\"4\"}]}}")                                               \
    FRAME("{\"type\":\"response.completed\",\"response\":{\"output\":[]}}")

TEST(encrypted_reasoning_is_in_the_history)
{
    history_of(&elelem_shape_responses, RESPONSES_THOUGHT RESPONSES_SEALED RESPONSES_MESSAGE RESPONSES_COMPLETED,
               "{\"role\":\"AI\",\"text\":\"4\",\"events\":["
               "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"Hm\",\"metadata\":{\"item_id\":\"r\",\"encrypted_content\":\"gAAA\"}},"
               "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"4\",\"metadata\":{\"item_id\":\"m\"}}]}");
}

TEST(encrypted_reasoning_that_comes_after_other_text_is_in_the_history_as_a_flush)
{
    history_of(&elelem_shape_responses, RESPONSES_THOUGHT RESPONSES_MESSAGE RESPONSES_SEALED RESPONSES_COMPLETED,
               "{\"role\":\"AI\",\"text\":\"4\",\"events\":["
               "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"Hm\",\"metadata\":{\"item_id\":\"r\"}},"
               "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"4\",\"metadata\":{\"item_id\":\"m\"}},"
               "{\"eventType\":\"Flush\",\"index\":0,\"metadata\":{\"encrypted_content\":\"gAAA\"}}]}");
}

TEST(a_turn_without_text_is_no_entry_of_text_alone)
{
    elelem_history_builder_desc desc = ELELEM_INIT;
    elelem_history_entry entry;
    elelem_event end = finished(ELELEM_FINISH_COMPLETED, "");

    desc.text_only = 1;
    elelem_history_builder_init(&builder, &desc);
    CHECK_INT(elelem_history_builder_push(&builder, &end), ELELEM_OK);
    elelem_history_builder_finish(&builder);
    CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_ERROR_MISUSE);
    elelem_history_builder_free(&builder);
}

TEST(text_alone_or_events_alone_on_request)
{
    elelem_history_builder_desc desc = ELELEM_INIT;
    elelem_event events[2];

    events[0] = message(0, "a");
    events[1] = finished(ELELEM_FINISH_COMPLETED, "");
    open_recorder();
    desc.text_only = 1;
    elelem_history_builder_init(&builder, &desc);
    push_all(events, 2);
    close_history("{\"role\":\"AI\",\"text\":\"a\"}");
    open_recorder();
    desc.text_only = 0;
    desc.events_only = 1;
    elelem_history_builder_init(&builder, &desc);
    push_all(events, 2);
    close_history("{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\"},"
                  "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}]}");
}

TEST(an_entry_of_nothing_is_a_mistake)
{
    elelem_history_entry entry;

    open_history(ELELEM_HISTORY_AI);
    elelem_history_builder_finish(&builder);
    CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_history_entry_write(&entry, elelem_buffer_sink(&out)), ELELEM_ERROR_MISUSE);
    CHECK_OUT("");
    elelem_history_builder_reset(&builder);
    CHECK_INT(elelem_history_builder_push_text(&builder, text_of("")), ELELEM_OK);
    close_history("{\"role\":\"AI\",\"text\":\"\"}");
}

static void history_start(void *object)
{
    elelem_history_reader_free((elelem_history_reader *)object);
    elelem_history_reader_init((elelem_history_reader *)object, NULL);
}

static elelem_status history_push(void *object, const void *bytes, size_t size)
{
    return elelem_history_reader_push((elelem_history_reader *)object, bytes, size);
}

static void history_finish(void *object)
{
    elelem_history_reader_finish((elelem_history_reader *)object);
}

static elelem_error history_error(const void *object)
{
    return elelem_history_reader_error((const elelem_history_reader *)object);
}

static elelem_status history_next(void *object, feed_log *log)
{
    elelem_history_entry entry;
    elelem_str line;
    size_t at = 0;
    elelem_status status = elelem_history_reader_next((elelem_history_reader *)object, &entry);

    if (status != ELELEM_OK) return status;
    feed_line(log, "role %d state %d", entry.role, entry.state);
    if (entry.has_text) feed_bytes(log, "text", entry.text.data, entry.text.size);
    while (elelem_history_entry_event(&entry, &at, &line))
        feed_line(log, "%.*s", (int)line.size, line.data);
    return status;
}

static const feed_object history = { &reader, history_start, history_push, history_next, history_finish, history_error };

TEST(entries_are_read_and_checked) /* P9 */
{
    static const char *const rows[][2] = {
        { "{\"role\":\"USER\",\"text\":\"What's\"}", "role 1 state 0\ntext \"What's\"\nEND\n" },
        { " {\"text\":\"a\\nb\",\"role\":\"A\\u0049\"}\n", "role 0 state 0\ntext \"a\\nb\"\nEND\n" },
        { "{\"role\":\"AI\",\"events\":[]}", "role 0 state 0\nEND\n" },
        { "{\"role\":\"AI\",\"more\":[{}],\"events\":[ {\"eventType\":\"X\"} , {\"a\":[\"]\"],\"eventType\":\"Y\"}]}",
          "role 0 state 0\n{\"eventType\":\"X\"}\n{\"a\":[\"]\"],\"eventType\":\"Y\"}\nEND\n" },
        { "{\"role\":\"AI\",\"text\":\"\",\"incomplete\":\"broken\"}", "role 0 state 2\ntext (empty)\nEND\n" },
        { "{\"role\":\"AI\",\"role\":\"USER\",\"text\":1,\"text\":\"a\"}", "role 1 state 0\ntext \"a\"\nEND\n" },
        { "", "ERROR_TRUNCATED at 0\n" },
        { "{\"role\":\"AI\"", "ERROR_TRUNCATED at 12\n" },
        { "{\"role\":\"AI\",}", "ERROR_SYNTAX at 13\n" },
        { "{\"role\":\"AI\",\"text\":\"a\"}x", "ERROR_SYNTAX at 24\n" },
        { " []", "ERROR_TYPE at 1\n" },
        { "{\"text\":\"a\"}", "ERROR_PROTOCOL at 0\n" },
        { " {\"role\":\"AI\"}", "ERROR_PROTOCOL at 1\n" },
        { "{\"role\":\"AI\",\"attachments\":null}", "ERROR_PROTOCOL at 0\n" },
        { "{\"role\":\"ai\",\"text\":\"a\"}", "ERROR_PROTOCOL at 8\n" },
        { "{\"role\":7,\"text\":\"a\"}", "ERROR_TYPE at 8\n" },
        { "{\"role\":\"AI\",\"text\":null}", "ERROR_TYPE at 20\n" },
        { "{\"role\":\"AI\",\"events\":{}}", "ERROR_TYPE at 22\n" },
        { "{\"role\":\"AI\",\"events\":[1]}", "ERROR_TYPE at 23\n" },
        { "{\"role\":\"AI\",\"events\":[{}]}", "ERROR_PROTOCOL at 23\n" },
        { "{\"role\":\"AI\",\"events\":[{\"eventType\":1}]}", "ERROR_TYPE at 36\n" },
        { "{\"role\":\"AI\",\"text\":\"\",\"incomplete\":\"x\"}", "ERROR_PROTOCOL at 36\n" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i][0]);
        FEED(&history, rows[i][0], strlen(rows[i][0]), rows[i][1]);
    }
    elelem_history_reader_free(&reader);
}

TEST(an_entry_has_a_limit)
{
    elelem_history_reader_desc desc = ELELEM_INIT;
    elelem_history_entry entry;
    static const char text[] = "{\"role\":\"AI\",\"text\":\"a\"}";

    desc.max_bytes = sizeof text - 2;
    elelem_history_reader_init(&reader, &desc);
    elelem_history_reader_push(&reader, text, sizeof text - 1);
    CHECK_INT(elelem_history_reader_next(&reader, &entry), ELELEM_ERROR_VALUE_SIZE);
    CHECK_U64(elelem_history_reader_error(&reader).offset, sizeof text - 2);
    elelem_history_reader_free(&reader);
}

/* Everything once, with an allocator that refuses. */

static const char everything[] =
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\\nb\",\"taskId\":1,\"metadata\":{\"k\":[[1]],\"\\u0041\":2}}\n"
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"c\",\"taskId\":1,\"metadata\":{\"k\":[{\"x\":2}]}}\n"
    "{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":\"i\",\"toolName\":\"f\",\"timeMs\":3,\"metadata\":{\"s\":\"t\"}}\n"
    "{\"eventType\":\"ToolCallArguments\",\"index\":1,\"chunk\":\"{\\\"a\\\":[1]}\"}\n"
    "{\"eventType\":\"Flush\",\"index\":1}\n"
    "{\"eventType\":\"ContentFetched\",\"deep\":[[[[{\"x\":1}]]]]}\n"
    "{\"eventType\":\"ToolCallStart\",\"index\":3,\"toolName\":\"g\",\"metadata\":{\"s\":\"t\",\"k\":[0]}}\n"
    "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"\\u0067\",\"metadata\":{\"s\":\"t\",\"\\u006b\":[0]}}\n"
    "{\"eventType\":\"Flush\",\"index\":3,\"metadata\":{\"k\":[1]}}\n"
    "{\"eventType\":\"ToolCallStart\",\"index\":2}\n"
    "{\"eventType\":\"Error\",\"kind\":\"cancelled\",\"retryable\":false,\"message\":\"\\u00e9\"}\n";

static elelem_status replay_all(elelem_allocator allocator, elelem_buffer *into)
{
    elelem_replayer_desc desc = ELELEM_INIT;
    elelem_replayer p;
    elelem_history_builder_desc history_desc = ELELEM_INIT;
    elelem_history_builder b;
    elelem_history_entry entry;
    elelem_recorder_desc live_desc = ELELEM_INIT;
    elelem_recorder live;
    elelem_record_item item;
    elelem_status status = ELELEM_MORE;
    size_t at = 0, size = sizeof everything - 1;

    desc.allocator = history_desc.allocator = live_desc.allocator = allocator;
    live_desc.sink = elelem_buffer_sink(into);
    live_desc.tool_calls = 1;
    elelem_replayer_init(&p, &desc);
    elelem_history_builder_init(&b, &history_desc);
    elelem_recorder_init(&live, &live_desc);
    while (status == ELELEM_MORE && at < size) {
        size_t piece = size - at < 100 ? size - at : 100;
        status = elelem_replayer_push(&p, everything + at, piece);
        at += piece;
        while (status >= 0 && (status = elelem_replayer_next(&p, &item)) == ELELEM_OK) {
            if (item.kind == ELELEM_RECORD_EVENT) status = elelem_recorder_push(&live, &item.event);
            if (status == ELELEM_OK) status = elelem_history_builder_push_item(&b, &item);
            if (status < 0) break;
        }
    }
    elelem_history_builder_finish(&b);
    if (status == ELELEM_MORE) status = elelem_history_builder_entry(&b, &entry);
    elelem_buffer_clear(into);
    if (status == ELELEM_OK) status = elelem_history_entry_write(&entry, elelem_buffer_sink(into));
    elelem_replayer_free(&p);
    elelem_history_builder_free(&b);
    elelem_recorder_free(&live);
    return status;
}

static elelem_status read_all(elelem_allocator allocator, elelem_str text)
{
    elelem_history_reader_desc desc = ELELEM_INIT;
    elelem_history_reader r;
    elelem_history_entry entry;
    elelem_status status;
    size_t half = text.size / 2;

    desc.allocator = allocator;
    elelem_history_reader_init(&r, &desc);
    status = elelem_history_reader_push(&r, text.data, half);
    if (status == ELELEM_OK) status = elelem_history_reader_next(&r, &entry);
    if (status == ELELEM_MORE) status = elelem_history_reader_push(&r, text.data + half, text.size - half);
    elelem_history_reader_finish(&r);
    if (status == ELELEM_OK) status = elelem_history_reader_next(&r, &entry);
    elelem_history_reader_free(&r);
    return status;
}

static const char history_of_everything[] =
    "{\"role\":\"AI\",\"text\":\"a\\nbc\",\"events\":["
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\\nbc\",\"taskId\":1,\"metadata\":{\"k\":[[1],{\"x\":2}],\"A\":2}},"
    "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"i\",\"toolName\":\"f\",\"input\":{\"a\":[1]},\"timeMs\":3,\"metadata\":{\"s\":\"t\"}},"
    "{\"eventType\":\"ContentFetched\",\"deep\":[[[[{\"x\":1}]]]]},"
    "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"\\u0067\",\"metadata\":{\"s\":\"t\",\"\\u006b\":[0]}},"
    "{\"eventType\":\"Flush\",\"index\":3,\"metadata\":{\"k\":[1]}},"
    "{\"eventType\":\"ToolCallStart\",\"index\":2},"
    "{\"eventType\":\"Error\",\"kind\":\"cancelled\",\"retryable\":false,\"message\":\"\xc3\xa9\"}],\"incomplete\":\"cancelled\"}";

TEST(memory_refused_at_any_call_is_an_error_or_survived_and_never_leaks)
{
    int onward, k;

    for (onward = 0; onward < 2; onward++) {
        for (k = 1;; k++) {
            limits_heap heap = ELELEM_INIT;
            elelem_buffer into;
            elelem_status status;
            int reached;
            check_cut(onward ? "refused from call" : "refused at call", (size_t)k);
            heap.refuse = k;
            heap.stays = onward;
            elelem_buffer_init(&into, no_allocator, 0);
            status = replay_all(limits_allocator(&heap), &into);
            reached = heap.calls >= k;
            CHECK_U64(heap.live, 0);
            if (status == ELELEM_OK)
                CHECK_STR(elelem_buffer_text(&into).data, elelem_buffer_text(&into).size, history_of_everything);
            else
                CHECK_INT(status, ELELEM_ERROR_MEMORY);
            if (status == ELELEM_OK) {
                heap.calls = 0;
                status = read_all(limits_allocator(&heap), elelem_buffer_text(&into));
                CHECK(status == ELELEM_OK || status == ELELEM_ERROR_MEMORY);
                CHECK_U64(heap.live, 0);
            }
            elelem_buffer_free(&into);
            if (!reached) break;
        }
        CHECK(k > 20);
    }
}

TEST(reading_an_entry_survives_memory_refused_at_any_call)
{
    int k;

    for (k = 1; k < 100; k++) {
        limits_heap heap = ELELEM_INIT;
        elelem_status status;
        heap.refuse = k;
        heap.stays = 1;
        status = read_all(limits_allocator(&heap), text_of(history_of_everything));
        CHECK_U64(heap.live, 0);
        if (heap.calls < k) CHECK_INT(status, ELELEM_OK);
        if (heap.calls < k) break;
        CHECK(status == ELELEM_OK || status == ELELEM_ERROR_MEMORY);
    }
    CHECK(k > 2 && k < 100);
}

TEST(a_history_without_memory_takes_an_event_again_or_never_gives_an_entry)
{
    elelem_event events[6];
    elelem_buffer whole;
    int k, reached = 1, refused = 0;

    a_streams_events(events);
    elelem_buffer_init(&whole, no_allocator, 0);
    for (k = 0; reached && k < 200; k++) {
        elelem_history_builder_desc desc = ELELEM_INIT;
        elelem_history_entry entry;
        limits_heap heap = ELELEM_INIT;
        elelem_status status;
        size_t i;
        check_cut("refused at call", (size_t)k);
        heap.refuse = k; /* 0: none */
        desc.allocator = limits_allocator(&heap);
        open_recorder();
        elelem_history_builder_init(&builder, &desc);
        for (i = 0; i < 6; i++)
            if (elelem_history_builder_push(&builder, &events[i]) == ELELEM_ERROR_MEMORY)
                CHECK(elelem_history_builder_push(&builder, &events[i]) <= ELELEM_OK);
        elelem_history_builder_finish(&builder);
        status = elelem_history_builder_entry(&builder, &entry);
        if (status == ELELEM_OK) {
            CHECK_INT(elelem_history_entry_write(&entry, elelem_buffer_sink(&out)), ELELEM_OK);
            if (k == 0)
                CHECK_INT(elelem_buffer_append(&whole, elelem_buffer_text(&out).data, elelem_buffer_text(&out).size), ELELEM_OK);
            CHECK_BYTES(elelem_buffer_text(&out).data, elelem_buffer_text(&out).size, elelem_buffer_text(&whole).data,
                        elelem_buffer_text(&whole).size);
        } else {
            refused++;
            CHECK_INT(status, ELELEM_ERROR_MEMORY);
            CHECK_INT(elelem_history_builder_push(&builder, &events[0]), ELELEM_ERROR_MEMORY);
        }
        reached = heap.calls >= k;
        elelem_history_builder_free(&builder);
        CHECK_U64(heap.live, 0);
        close_recorder();
    }
    CHECK(refused > 0 && k < 200);
    elelem_buffer_free(&whole);
}

TEST(a_history_that_is_reset_inside_a_turn_starts_over)
{
    elelem_event events[6];
    size_t count, finish;

    a_streams_events(events);
    for (count = 0; count <= 6; count++)
        for (finish = 0; finish < 2; finish++) {
            open_history(ELELEM_HISTORY_AI);
            push_all(events, count);
            CHECK_INT(elelem_history_builder_set_text(&builder, text_of("text")), ELELEM_OK);
            elelem_history_builder_mark(&builder, ELELEM_HISTORY_CANCELLED);
            if (finish) elelem_history_builder_finish(&builder);
            elelem_history_builder_reset(&builder);
            history_line("{\"eventType\":\"X\"}");
            close_history("{\"role\":\"AI\",\"events\":[{\"eventType\":\"X\"}]}");
        }
}

TEST(a_reader_that_is_reset_inside_an_entry_starts_over)
{
    static const char first[] = "{\"role\":\"AI\",\"text\":\"\\u00e9\",\"events\":[{\"eventType\":\"A\"}]}";
    static const char second[] = "{\"role\":\"USER\",\"text\":\"b\"}";
    elelem_history_entry entry;
    size_t cut;

    for (cut = 0; cut < sizeof first; cut++) {
        check_cut("reset after", cut);
        elelem_history_reader_init(&reader, NULL);
        CHECK_INT(elelem_history_reader_push(&reader, first, cut), ELELEM_OK);
        elelem_history_reader_next(&reader, &entry);
        if (cut % 2) {
            elelem_history_reader_finish(&reader);
            elelem_history_reader_next(&reader, &entry);
        }
        elelem_history_reader_reset(&reader);
        CHECK_INT(elelem_history_reader_error(&reader).status, ELELEM_OK);
        CHECK_INT(elelem_history_reader_push(&reader, second, sizeof second - 1), ELELEM_OK);
        elelem_history_reader_finish(&reader);
        CHECK_INT(elelem_history_reader_next(&reader, &entry), ELELEM_OK);
        CHECK_STR(entry.text.data, entry.text.size, "b");
        elelem_history_reader_free(&reader);
    }
}

TEST(an_entry_that_its_reader_would_find_too_long_is_refused)
{
    static const char expected[] = "{\"role\":\"AI\",\"text\":\"\\u0001\\u0002\",\"events\":[{\"eventType\":\"X\"}]}";
    uint32_t limit;

    for (limit = 1; limit < sizeof expected + 5; limit++) {
        elelem_history_builder_desc desc = ELELEM_INIT;
        elelem_history_reader_desc reader_desc = ELELEM_INIT;
        elelem_history_entry entry;
        elelem_status status;
        check_cut("limit", limit);
        desc.max_bytes = reader_desc.max_bytes = limit;
        open_recorder();
        elelem_history_builder_init(&builder, &desc);
        status = elelem_history_builder_push_text(&builder, text_of("\x01\x02"));
        if (status == ELELEM_OK) status = elelem_history_builder_push_line(&builder, text_of("{\"eventType\":\"X\"}"));
        CHECK(status == ELELEM_OK || status == ELELEM_ERROR_VALUE_SIZE || status == ELELEM_ERROR_LINE_SIZE);
        elelem_history_builder_finish(&builder);
        status = elelem_history_builder_entry(&builder, &entry);
        if (limit >= sizeof expected - 1) CHECK_INT(status, ELELEM_OK);
        if (status == ELELEM_OK) {
            elelem_str text;
            CHECK_INT(elelem_history_entry_write(&entry, elelem_buffer_sink(&out)), ELELEM_OK);
            text = elelem_buffer_text(&out);
            elelem_history_reader_init(&reader, &reader_desc);
            CHECK_INT(elelem_history_reader_push(&reader, text.data, text.size), ELELEM_OK);
            elelem_history_reader_finish(&reader);
            CHECK_INT(elelem_history_reader_next(&reader, &entry), ELELEM_OK);
            elelem_history_reader_free(&reader);
        }
        elelem_history_builder_free(&builder);
        close_recorder();
    }
}

TEST(an_entry_is_read_whose_events_are_nested_as_deeply_as_they_may_be)
{
    static char line[1200], arrays[1100];
    size_t depth;

    for (depth = 512; depth < 515; depth++) {
        elelem_history_entry entry;
        elelem_str text;
        check_cut("nested", depth);
        memset(arrays, '[', depth);
        memset(arrays + depth, ']', depth);
        arrays[2 * depth] = '\0';
        snprintf(line, sizeof line, "{\"eventType\":\"X\",\"x\":%s}", arrays);
        open_history(ELELEM_HISTORY_AI);
        CHECK_INT(elelem_history_builder_push_line(&builder, text_of(line)),
                  depth > 513 ? ELELEM_ERROR_DEPTH : ELELEM_OK);
        elelem_history_builder_finish(&builder);
        if (depth <= 513 && CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_OK)) {
            CHECK_INT(elelem_history_entry_write(&entry, elelem_buffer_sink(&out)), ELELEM_OK);
            text = elelem_buffer_text(&out);
            elelem_history_reader_init(&reader, NULL);
            elelem_history_reader_push(&reader, text.data, text.size);
            elelem_history_reader_finish(&reader);
            CHECK_INT(elelem_history_reader_next(&reader, &entry), ELELEM_OK);
            elelem_history_reader_free(&reader);
        }
        elelem_history_builder_free(&builder);
        close_recorder();
    }
}

TEST(a_zeroed_builder_has_no_entry_and_says_why)
{
    elelem_history_builder zeroed = ELELEM_INIT;
    elelem_history_entry entry;
    elelem_event event = message(0, "a");

    CHECK_INT(elelem_history_builder_push(&zeroed, &event), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_history_builder_entry(&zeroed, &entry), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_history_builder_error(&zeroed).status, ELELEM_ERROR_MISUSE);
}

TEST(there_is_no_entry_before_finish)
{
    elelem_event events[2];
    elelem_history_entry entry;
    size_t i;

    events[0] = message(0, "a");
    events[1] = finished(ELELEM_FINISH_COMPLETED, "");
    open_history(ELELEM_HISTORY_AI);
    for (i = 0; i < 2; i++) {
        CHECK_INT(elelem_history_builder_push(&builder, &events[i]), ELELEM_OK);
        CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_ERROR_MISUSE);
    }
    elelem_history_builder_finish(&builder);
    CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_OK);
    elelem_history_builder_free(&builder);
    close_recorder();
}

TEST(zeroed_objects_may_be_freed)
{
    elelem_history_builder zeroed = ELELEM_INIT;
    elelem_history_reader zeroed_reader = ELELEM_INIT;

    elelem_history_builder_free(&zeroed);
    elelem_history_reader_free(&zeroed_reader);
    CHECK(1);
}

/* Reads the entry and writes it: the same text. */
static void entry_comes_back(const char *text)
{
    elelem_history_entry entry;

    open_recorder();
    elelem_history_reader_init(&reader, NULL);
    CHECK_INT(elelem_history_reader_push(&reader, text, strlen(text)), ELELEM_OK);
    elelem_history_reader_finish(&reader);
    if (CHECK_INT(elelem_history_reader_next(&reader, &entry), ELELEM_OK)) {
        CHECK_INT(elelem_history_entry_write(&entry, elelem_buffer_sink(&out)), ELELEM_OK);
        CHECK_OUT(text);
    }
    elelem_history_reader_free(&reader);
    close_recorder();
}

TEST(an_entry_may_have_attachments_with_or_without_all_else)
{
    entry_comes_back("{\"role\":\"USER\",\"attachments\":[{\"href\":\"a\",\"contentType\":\"image/png\"}]}");
    entry_comes_back("{\"role\":\"USER\",\"text\":\"look\",\"attachments\":[]}");
    entry_comes_back("{\"role\":\"AI\",\"text\":\"a\",\"events\":[{\"eventType\":\"PartialThinking\",\"text\":\"hm\"}],\"attachments\":[1]"
                     ",\"incomplete\":\"broken\"}");
}

TEST(attachments_that_are_no_array_are_refused)
{
    static const char text[] = "{\"role\":\"USER\",\"attachments\":{}}";
    elelem_history_entry entry;

    elelem_history_reader_init(&reader, NULL);
    CHECK_INT(elelem_history_reader_push(&reader, text, sizeof text - 1), ELELEM_OK);
    elelem_history_reader_finish(&reader);
    CHECK_INT(elelem_history_reader_next(&reader, &entry), ELELEM_ERROR_TYPE);
    CHECK_U64(elelem_history_reader_error(&reader).offset, 29);
    elelem_history_reader_free(&reader);
}

TEST(thinking_under_text_becomes_one_event)
{
    open_history(ELELEM_HISTORY_AI);
    history_line("{\"eventType\":\"PartialThinking\",\"text\":\"a\"}");
    history_line("{\"eventType\":\"PartialThinking\",\"text\":\"b\"}");
    elelem_history_builder_mark(&builder, ELELEM_HISTORY_COMPLETE);
    close_history("{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"ab\"}]}");
}

TEST(the_first_end_counts)
{
    elelem_event events[3];

    events[0] = message(0, "Let");
    events[1] = failed(ELELEM_ERROR_KIND_CANCELLED, "stop");
    events[2] = finished(ELELEM_FINISH_COMPLETED, "");
    open_history(ELELEM_HISTORY_AI);
    push_all(events, 3);
    close_history("{\"role\":\"AI\",\"text\":\"Let\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let\"},"
                  "{\"eventType\":\"Error\",\"kind\":\"cancelled\",\"retryable\":false,\"message\":\"stop\"},"
                  "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}],\"incomplete\":\"cancelled\"}");
    open_history(ELELEM_HISTORY_AI);
    elelem_history_builder_mark(&builder, ELELEM_HISTORY_COMPLETE);
    events[1] = failed(ELELEM_ERROR_KIND_CONNECT, "gone");
    push_all(events, 2);
    close_history("{\"role\":\"AI\",\"text\":\"Let\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let\"},"
                  "{\"eventType\":\"Error\",\"kind\":\"connect\",\"retryable\":false,\"message\":\"gone\"}]}");
}

TEST(nothing_is_taken_after_the_end_of_an_entry)
{
    elelem_history_entry entry;
    elelem_record_item item = ELELEM_INIT;
    elelem_event event = message(0, "more");

    item.kind = ELELEM_RECORD_LINE;
    item.line = text_of("{\"eventType\":\"X\"}");
    elelem_history_builder_init(&builder, NULL);
    history_line("{\"eventType\":\"PartialResponse\",\"chunk\":\"a\"}");
    elelem_history_builder_finish(&builder);
    CHECK_INT(elelem_history_builder_push(&builder, &event), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_history_builder_push_item(&builder, &item), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_history_builder_push_line(&builder, item.line), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_history_builder_push_text(&builder, text_of("b")), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_history_builder_set_text(&builder, text_of("c")), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_history_builder_entry(&builder, &entry), ELELEM_OK);
    CHECK_INT(entry.role, ELELEM_HISTORY_AI);
    CHECK_STR(entry.text.data, entry.text.size, "a");
    elelem_history_builder_free(&builder);
}

TEST(an_entry_of_an_unknown_state_is_written_without_one)
{
    elelem_history_entry entry = ELELEM_INIT;
    unsigned state;

    entry.has_text = 1;
    entry.text = text_of("a");
    for (state = ELELEM_HISTORY_BROKEN; state < 256; state += 10) {
        open_recorder();
        entry.state = (uint8_t)state;
        CHECK_INT(elelem_history_entry_write(&entry, elelem_buffer_sink(&out)), ELELEM_OK);
        if (state == ELELEM_HISTORY_BROKEN) CHECK_OUT("{\"role\":\"AI\",\"text\":\"a\",\"incomplete\":\"broken\"}");
        else CHECK_OUT("{\"role\":\"AI\",\"text\":\"a\"}");
        close_recorder();
    }
}

/* An entry may be filled in by the caller, and its events were not checked then. */
TEST(events_that_are_no_array_are_read_to_their_end_and_not_further)
{
    static const char *const rows[] = {
        "", "[", "[\"a", "[\"a\\", "[\"a\\\"", "[\"a\\\\", "[{\"a\":[1", "[ ", "[,", "[]", "[{\"a\"", "[1,2", "[{}]]", "[\"\",",
        "[\"\t\001", "[\"a\001\\\"", "[\"\200\"",
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size = strlen(rows[i]), at = 0, count = 0, before = 0;
        char *exactly = (char *)malloc(size + 1);
        elelem_history_entry entry = ELELEM_INIT;
        elelem_str event;
        if (!exactly) abort();
        check_context(rows[i]);
        memcpy(exactly + 1, rows[i], size);
        entry.events.data = exactly + 1;
        entry.events.size = size;
        while (elelem_history_entry_event(&entry, &at, &event) && ++count < 10) {
            CHECK(at > before && at <= size);
            CHECK(event.size > 0 && event.data > exactly && event.data + event.size <= exactly + 1 + size);
            before = at;
        }
        CHECK(count < 3);
        at = size;
        CHECK_INT(elelem_history_entry_event(&entry, &at, &event), 0);
        at = SIZE_MAX;
        CHECK_INT(elelem_history_entry_event(&entry, &at, &event), 0);
        free(exactly);
    }
}

CHECK_MAIN("history",
    RUN(an_entry_may_have_attachments_with_or_without_all_else)
    RUN(attachments_that_are_no_array_are_refused)
    RUN(thinking_under_text_becomes_one_event)
           RUN(coalescing_6_the_final_text_is_the_text_events_only_and_unlike_in_the_origin_asking_changes_nothing)
           RUN(scenario_1_an_entry_with_events)
           RUN(scenario_2_an_entry_with_text_alone)
           RUN(scenario_3_an_entry_with_a_text_of_its_own_and_events)
           RUN(a_users_entry_is_text)
           RUN(adapter_1_each_event_is_recorded_as_one_line)
           RUN(adapter_2_at_the_streams_end_the_history_has_the_events_coalesced)
           RUN(adapter_3_events_that_were_recorded_and_stored_are_passed_on_unchanged)
           RUN(adapter_4_a_cancelled_turn_keeps_what_came_and_is_marked)
           RUN(adapter_5_a_broken_turn_keeps_what_came_and_is_marked)
           RUN(a_broken_entry_says_which_texts_were_whole)
           RUN(a_broken_entry_ends_its_texts_before_an_open_call_that_has_the_index_of_one)
    RUN(an_entry_of_lines_is_not_broken_unless_a_line_says_so)
           RUN(an_entry_takes_no_line_that_its_reader_refuses)
           RUN(the_signature_of_reasoning_is_in_the_history)
           RUN(encrypted_reasoning_is_in_the_history)
           RUN(encrypted_reasoning_that_comes_after_other_text_is_in_the_history_as_a_flush)
           RUN(a_turn_without_text_is_no_entry_of_text_alone)
    RUN(text_alone_or_events_alone_on_request)
           RUN(an_entry_of_nothing_is_a_mistake)
           RUN(a_zeroed_builder_has_no_entry_and_says_why)
           RUN(there_is_no_entry_before_finish)
           RUN(entries_are_read_and_checked)
           RUN(an_entry_has_a_limit)
           RUN(memory_refused_at_any_call_is_an_error_or_survived_and_never_leaks)
           RUN(reading_an_entry_survives_memory_refused_at_any_call)
           RUN(a_history_without_memory_takes_an_event_again_or_never_gives_an_entry)
           RUN(a_history_that_is_reset_inside_a_turn_starts_over)
           RUN(a_reader_that_is_reset_inside_an_entry_starts_over)
           RUN(an_entry_that_its_reader_would_find_too_long_is_refused)
           RUN(an_entry_is_read_whose_events_are_nested_as_deeply_as_they_may_be)
           RUN(zeroed_objects_may_be_freed)
           RUN(the_first_end_counts)
           RUN(nothing_is_taken_after_the_end_of_an_entry)
           RUN(an_entry_of_an_unknown_state_is_written_without_one)
           RUN(events_that_are_no_array_are_read_to_their_end_and_not_further))
