/* Recorder, replayer, coalescer, history entries: whole, per byte, at every cut. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"

static elelem_str text_of(const char *text)
{
    return elelem_str_of(text);
}

static const elelem_allocator no_allocator = ELELEM_INIT;

/* Events as a test spells them. */

static elelem_event part(elelem_part_kind kind, uint32_t index, const char *text)
{
    elelem_event event = ELELEM_INIT;

    event.index = index;
    event.part.kind = (uint8_t)kind;
    event.part.text = text_of(text);
    return event;
}

static elelem_event call_start(uint32_t index, const char *id, const char *name)
{
    elelem_event event = part(ELELEM_PART_TOOL_CALL, index, "");

    event.part.tool_call.id = text_of(id);
    event.part.tool_call.name = text_of(name);
    return event;
}

static elelem_event call_arguments(uint32_t index, const char *text)
{
    elelem_event event = part(ELELEM_PART_TOOL_CALL, index, "");

    event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
    event.part.tool_call.text = text_of(text);
    return event;
}

static elelem_event flush(uint32_t index)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_FLUSH;
    event.index = index;
    return event;
}

static elelem_event finished(elelem_finish_reason reason, const char *raw)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_FINISHED;
    event.reason = (uint8_t)reason;
    event.raw_reason = text_of(raw);
    event.usage.input = event.usage.output = event.usage.cached = event.usage.reasoning = -1;
    return event;
}

static elelem_event failed(elelem_error_kind kind, const char *message)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_ERROR;
    event.error.kind = (uint8_t)kind;
    event.error.retry_after_ms = -1;
    event.error.message = text_of(message);
    return event;
}

/* A recorder into a buffer. */

static elelem_buffer out;
static elelem_recorder recorder;
static elelem_recorder_desc recorder_desc;

static void open_recorder(void)
{
    elelem_buffer_free(&out);
    elelem_recorder_free(&recorder);
    elelem_buffer_init(&out, no_allocator, 0);
    memset(&recorder_desc, 0, sizeof recorder_desc);
    recorder_desc.sink = elelem_buffer_sink(&out);
}

static void start_recorder(void)
{
    elelem_recorder_init(&recorder, &recorder_desc);
}

static void close_recorder(void)
{
    elelem_recorder_free(&recorder);
    elelem_buffer_free(&out);
}

static void record(elelem_event event)
{
    CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_OK);
}

#define CHECK_OUT(expected) CHECK_STR(elelem_buffer_text(&out).data, elelem_buffer_text(&out).size, expected)

TEST(every_kind_of_event_has_its_line)
{
    elelem_metadata_entry entry[2];
    elelem_event event;

    open_recorder();
    start_recorder();
    record(part(ELELEM_PART_MESSAGE, 1, "Let me"));
    event = part(ELELEM_PART_REASONING, 0, "The user\xe2\x80\xa6");
    entry[0].key = text_of("signature");
    entry[0].json = text_of("\"c2ln\"");
    event.metadata.entries = entry;
    event.metadata.count = 1;
    record(event);
    record(part(ELELEM_PART_STRUCTURED, 1, "{\"a\""));
    record(call_start(2, "call_1", "get_weather"));
    record(call_arguments(2, "{\"ci"));
    record(flush(2));
    event = finished(ELELEM_FINISH_TOOL_CALLS, "tool_use");
    event.usage.input = 12;
    event.usage.output = 34;
    event.usage.cached = 0;
    event.usage.reasoning = 0;
    record(event);
    event = failed(ELELEM_ERROR_KIND_RATE_LIMIT, "slow down");
    event.error.retryable = 1;
    event.error.retry_after_ms = 1000;
    event.error.http_status = 429;
    event.error.code = text_of("rate_limit_exceeded");
    record(event);
    CHECK_OUT(
        "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"Let me\"}\n"
        "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"The user\xe2\x80\xa6\",\"metadata\":{\"signature\":\"c2ln\"}}\n"
        "{\"eventType\":\"PartialStructured\",\"index\":1,\"chunk\":\"{\\\"a\\\"\"}\n"
        "{\"eventType\":\"ToolCallStart\",\"index\":2,\"id\":\"call_1\",\"toolName\":\"get_weather\"}\n"
        "{\"eventType\":\"ToolCallArguments\",\"index\":2,\"chunk\":\"{\\\"ci\"}\n"
        "{\"eventType\":\"Flush\",\"index\":2}\n"
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"tool_calls\",\"rawFinishReason\":\"tool_use\","
        "\"usage\":{\"input\":12,\"output\":34,\"cached\":0,\"reasoning\":0}}\n"
        "{\"eventType\":\"Error\",\"kind\":\"rate_limit\",\"retryable\":true,\"retryAfterMs\":1000,\"httpStatus\":429,"
        "\"code\":\"rate_limit_exceeded\",\"message\":\"slow down\"}\n");
    CHECK_U64(elelem_recorder_count(&recorder), 8);
    close_recorder();
}

TEST(what_is_unknown_is_left_out)
{
    elelem_event event;

    open_recorder();
    start_recorder();
    record(call_start(0, "", ""));
    record(finished(ELELEM_FINISH_COMPLETED, ""));
    event = finished(ELELEM_FINISH_MAX_TOKENS, "length");
    event.usage.output = 7;
    record(event);
    record(failed(ELELEM_ERROR_KIND_CONNECT, "gone"));
    event = failed(ELELEM_ERROR_KIND_PROTOCOL, "bad");
    event.error.status = ELELEM_ERROR_UTF8;
    event.error.offset = UINT64_MAX;
    record(event);
    CHECK_OUT("{\"eventType\":\"ToolCallStart\",\"index\":0}\n"
              "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}\n"
              "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"max_tokens\",\"rawFinishReason\":\"length\","
              "\"usage\":{\"output\":7}}\n"
              "{\"eventType\":\"Error\",\"kind\":\"connect\",\"retryable\":false,\"message\":\"gone\"}\n"
              "{\"eventType\":\"Error\",\"kind\":\"protocol\",\"retryable\":false,\"message\":\"bad\","
              "\"status\":\"ERROR_UTF8\",\"offset\":18446744073709551615}\n");
    close_recorder();
}

TEST(another_choice_is_named)
{
    elelem_event event = part(ELELEM_PART_MESSAGE, 4, "b");

    open_recorder();
    start_recorder();
    event.choice = 1;
    record(event);
    event = flush(4);
    event.choice = 1;
    record(event);
    CHECK_OUT("{\"eventType\":\"PartialResponse\",\"index\":4,\"choice\":1,\"chunk\":\"b\"}\n"
              "{\"eventType\":\"Flush\",\"index\":4,\"choice\":1}\n");
    close_recorder();
}

TEST(control_bytes_and_newlines_in_a_providers_message_are_escaped)
{
    elelem_event event = failed(ELELEM_ERROR_KIND_OTHER, "x\"}\n{\"eventType\":\"Flush\",\"index\":1}\r\n\x01\x1b[2J");

    open_recorder();
    start_recorder();
    event.error.code = text_of("a\nb");
    record(event);
    CHECK_OUT("{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":false,\"code\":\"a\\nb\",\"message\":\"x\\\"}\\n"
              "{\\\"eventType\\\":\\\"Flush\\\",\\\"index\\\":1}\\r\\n\\u0001\\u001b[2J\"}\n");
    close_recorder();
}

TEST(metadata_that_is_no_json_is_refused_and_nothing_is_written)
{
    static const char *const bad[] = { "",       "1},\"eventType\":\"x", "1,2",   "\"a", "{\"a\":1",
                                       "nul",    "\"a\nb\"",             "[1}",   "1 2", "{}{}",
                                       "\"\xff\"" };
    elelem_metadata_entry entry[2];
    elelem_event event = flush(1);
    size_t i;

    open_recorder();
    start_recorder();
    entry[0].key = text_of("good");
    entry[0].json = text_of("1");
    entry[1].key = text_of("bad");
    event.metadata.entries = entry;
    event.metadata.count = 2;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_context(bad[i]);
        entry[1].json = text_of(bad[i]);
        CHECK(elelem_recorder_push(&recorder, &event) < 0);
    }
    check_context(NULL);
    CHECK_OUT("");
    entry[1].json = text_of("[ 1,\r\n\t{\"a b\" :\n2}\n]");
    record(event);
    CHECK_OUT("{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"good\":1,\"bad\":[ 1,{\"a b\" :2}]}}\n");
    close_recorder();
}

TEST(time_and_members_of_the_callers_own_go_on_every_line)
{
    elelem_metadata_entry entry;
    elelem_event event = part(ELELEM_PART_MESSAGE, 0, "a");
    elelem_tool_executed executed = ELELEM_INIT;

    open_recorder();
    recorder_desc.extra = text_of(" \"taskId\":\"t-1\",\n\"try\":2");
    start_recorder();
    entry.key = text_of("k");
    entry.json = text_of("null");
    event.metadata.entries = &entry;
    event.metadata.count = 1;
    record(event);
    elelem_recorder_time(&recorder, 1700000000000);
    record(flush(0));
    executed.name = text_of("f");
    CHECK_INT(elelem_recorder_push_executed(&recorder, &executed), ELELEM_OK);
    CHECK_OUT("{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\",\"taskId\":\"t-1\",\"try\":2,"
              "\"metadata\":{\"k\":null}}\n"
              "{\"eventType\":\"Flush\",\"index\":0,\"timeMs\":1700000000000,\"taskId\":\"t-1\",\"try\":2}\n"
              "{\"eventType\":\"ToolExecuted\",\"toolName\":\"f\",\"timeMs\":1700000000000,\"taskId\":\"t-1\",\"try\":2}\n");
    close_recorder();
}

TEST(members_of_the_callers_own_that_are_no_json_or_pass_for_ours_are_refused)
{
    static const char *const bad[] = { "\"a\":1}", "\"a\"", "{\"a\":1}", "\"a\":1,", "\"chunk\":1", "\"a\":1,\"metadata\":{}" };
    elelem_event event = flush(1);
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_context(bad[i]);
        open_recorder();
        recorder_desc.extra = text_of(bad[i]);
        start_recorder();
        CHECK(elelem_recorder_push(&recorder, &event) < 0);
        CHECK_OUT("");
    }
    close_recorder();
}

TEST(an_application_line_is_checked_and_kept)
{
    open_recorder();
    start_recorder();
    CHECK_INT(elelem_recorder_push_line(&recorder, text_of(" {\"eventType\":\"ContentFetched\",\n \"n\":[1, 2]}\n")), ELELEM_OK);
    CHECK_INT(elelem_recorder_push_line(&recorder, text_of("[1]")), ELELEM_ERROR_TYPE);
    CHECK_INT(elelem_recorder_push_line(&recorder, text_of("{}{}")), ELELEM_ERROR_SYNTAX);
    CHECK_INT(elelem_recorder_push_line(&recorder, text_of("{\"a\":1")), ELELEM_ERROR_TRUNCATED);
    CHECK_INT(elelem_recorder_push_line(&recorder, text_of("")), ELELEM_ERROR_TRUNCATED);
    CHECK_OUT("{\"eventType\":\"ContentFetched\", \"n\":[1, 2]}\n");
    close_recorder();
}

TEST(a_tool_result_is_written_as_json_or_as_text)
{
    elelem_tool_executed executed = ELELEM_INIT;

    open_recorder();
    start_recorder();
    executed.id = text_of("call_1");
    executed.name = text_of("get_weather");
    executed.input = text_of("{\"city\":\"Seattle\"}");
    executed.output = text_of("{\"temp\":72}");
    CHECK_INT(elelem_recorder_push_executed(&recorder, &executed), ELELEM_OK);
    executed.id = executed.input = text_of("");
    executed.output = text_of("72\xc2\xb0\n");
    CHECK_INT(elelem_recorder_push_executed(&recorder, &executed), ELELEM_ERROR_SYNTAX);
    executed.output_is_text = 1;
    CHECK_INT(elelem_recorder_push_executed(&recorder, &executed), ELELEM_OK);
    CHECK_OUT("{\"eventType\":\"ToolExecuted\",\"id\":\"call_1\",\"toolName\":\"get_weather\",\"input\":{\"city\":\"Seattle\"},"
              "\"output\":{\"temp\":72}}\n"
              "{\"eventType\":\"ToolExecuted\",\"toolName\":\"get_weather\",\"output\":\"72\xc2\xb0\\n\"}\n");
    close_recorder();
}

TEST(on_request_a_tool_call_also_becomes_one_line_before_its_flush)
{
    open_recorder();
    recorder_desc.tool_calls = 1;
    start_recorder();
    record(call_start(2, "", "f"));
    record(call_start(3, "c3", "g"));
    record(call_arguments(2, "{\"a\":"));
    record(call_arguments(3, "{\"a\":"));
    record(call_start(2, "c2", "other"));
    record(call_arguments(2, " \n1}"));
    record(flush(2));
    record(flush(3));
    record(call_start(4, "", "h"));
    record(flush(4));
    CHECK_OUT("{\"eventType\":\"ToolCallStart\",\"index\":2,\"toolName\":\"f\"}\n"
              "{\"eventType\":\"ToolCallStart\",\"index\":3,\"id\":\"c3\",\"toolName\":\"g\"}\n"
              "{\"eventType\":\"ToolCallArguments\",\"index\":2,\"chunk\":\"{\\\"a\\\":\"}\n"
              "{\"eventType\":\"ToolCallArguments\",\"index\":3,\"chunk\":\"{\\\"a\\\":\"}\n"
              "{\"eventType\":\"ToolCallStart\",\"index\":2,\"id\":\"c2\",\"toolName\":\"other\"}\n"
              "{\"eventType\":\"ToolCallArguments\",\"index\":2,\"chunk\":\" \\n1}\"}\n"
              "{\"eventType\":\"BeforeToolExecution\",\"index\":2,\"id\":\"c2\",\"toolName\":\"f\",\"input\":{\"a\": 1}}\n"
              "{\"eventType\":\"Flush\",\"index\":2}\n"
              "{\"eventType\":\"BeforeToolExecution\",\"index\":3,\"id\":\"c3\",\"toolName\":\"g\",\"inputText\":\"{\\\"a\\\":\"}\n"
              "{\"eventType\":\"Flush\",\"index\":3}\n"
              "{\"eventType\":\"ToolCallStart\",\"index\":4,\"toolName\":\"h\"}\n"
              "{\"eventType\":\"BeforeToolExecution\",\"index\":4,\"toolName\":\"h\",\"input\":{}}\n"
              "{\"eventType\":\"Flush\",\"index\":4}\n");
    close_recorder();
}

TEST(the_line_of_a_tool_call_has_the_metadata_of_its_parts_and_of_its_flush)
{
    elelem_metadata_entry entry;
    elelem_event event = call_start(1, "c", "f");

    open_recorder();
    recorder_desc.tool_calls = 1;
    start_recorder();
    entry.key = text_of("list");
    entry.json = text_of("[1]");
    event.metadata.entries = &entry;
    event.metadata.count = 1;
    record(event);
    event = flush(1);
    event.metadata.entries = &entry;
    event.metadata.count = 1;
    entry.json = text_of("[2]");
    record(event);
    CHECK_OUT("{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"metadata\":{\"list\":[1]}}\n"
              "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"input\":{},"
              "\"metadata\":{\"list\":[1,2]}}\n"
              "{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"list\":[2]}}\n");
    close_recorder();
}

TEST(a_call_that_a_broken_stream_left_open_does_not_mix_with_the_next_stream)
{
    open_recorder();
    recorder_desc.tool_calls = 1;
    start_recorder();
    record(call_start(1, "old", "f"));
    record(call_arguments(1, "{\"a\":1"));
    record(failed(ELELEM_ERROR_KIND_CONNECT, "gone"));
    elelem_buffer_clear(&out);
    record(call_start(1, "new", "g"));
    record(flush(1));
    CHECK_OUT("{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":\"new\",\"toolName\":\"g\"}\n"
              "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"new\",\"toolName\":\"g\",\"input\":{}}\n"
              "{\"eventType\":\"Flush\",\"index\":1}\n");
    close_recorder();
}

static int sink_budget;

static elelem_status failing_write(void *context, const void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return sink_budget-- > 0 ? ELELEM_OK : ELELEM_ERROR_SINK;
}

TEST(what_the_sink_answers_sticks)
{
    elelem_event event = flush(1);
    elelem_metadata_entry entry;
    int i;

    entry.key = text_of("k");
    entry.json = text_of("1");
    event.metadata.entries = &entry;
    event.metadata.count = 1;
    for (i = 0; i < 100; i++) {
        elelem_status status;
        open_recorder();
        recorder_desc.sink.write = failing_write;
        recorder_desc.extra = text_of("\"a\":1");
        recorder_desc.format = (uint8_t)(i % 2);
        start_recorder();
        sink_budget = i / 2;
        status = elelem_recorder_push(&recorder, &event);
        if (status == ELELEM_OK) break;
        CHECK_INT(status, ELELEM_ERROR_SINK);
        sink_budget = 1000;
        CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_ERROR_SINK);
        CHECK_U64(elelem_recorder_count(&recorder), 0);
    }
    CHECK(i > 2 && i < 100);
    open_recorder();
    recorder_desc.sink.write = NULL;
    start_recorder();
    CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_ERROR_SINK);
    close_recorder();
}

TEST(an_event_of_no_known_kind_is_a_mistake)
{
    elelem_event event = flush(1);

    open_recorder();
    start_recorder();
    event.kind = 9;
    CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_ERROR_MISUSE);
    event = part((elelem_part_kind)7, 1, "");
    CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_ERROR_MISUSE);
    CHECK_OUT("");
    close_recorder();
}

TEST(the_plain_text_of_a_stream_is_choice_0s_message)
{
    elelem_event event;

    open_recorder();
    recorder_desc.format = ELELEM_RECORD_TEXT;
    start_recorder();
    record(part(ELELEM_PART_REASONING, 0, "hm"));
    record(part(ELELEM_PART_MESSAGE, 1, "Hel"));
    record(part(ELELEM_PART_MESSAGE, 1, "lo\n\""));
    event = part(ELELEM_PART_MESSAGE, 2, "other");
    event.choice = 1;
    record(event);
    record(call_start(3, "", "f"));
    record(finished(ELELEM_FINISH_COMPLETED, ""));
    CHECK_OUT("Hello\n\"");
    close_recorder();
}

/* The replayer. An item's log line is what a recorder makes of it. */

static elelem_replayer replayer;
static elelem_replayer_desc replayer_desc;

static void replayer_start(void *object)
{
    elelem_replayer_free((elelem_replayer *)object);
    elelem_replayer_init((elelem_replayer *)object, &replayer_desc);
}

static elelem_status replayer_push(void *object, const void *bytes, size_t size)
{
    return elelem_replayer_push((elelem_replayer *)object, bytes, size);
}

static void replayer_finish(void *object)
{
    elelem_replayer_finish((elelem_replayer *)object);
}

static elelem_error replayer_error(const void *object)
{
    return elelem_replayer_error((const elelem_replayer *)object);
}

static elelem_status replayer_next(void *object, feed_log *log)
{
    elelem_record_item item;
    elelem_buffer line;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder writer;
    elelem_status status = elelem_replayer_next((elelem_replayer *)object, &item);

    if (status != ELELEM_OK) return status;
    elelem_buffer_init(&line, no_allocator, 0);
    desc.sink = elelem_buffer_sink(&line);
    elelem_recorder_init(&writer, &desc);
    feed_line(log, "%s %d at %d", item.kind == ELELEM_RECORD_EVENT ? "event" : "line", (int)item.number, (int)item.line_number);
    if (elelem_recorder_push_item(&writer, &item) != ELELEM_OK) feed_line(log, "it cannot be written");
    feed_put(log, elelem_buffer_text(&line).data, elelem_buffer_text(&line).size);
    elelem_recorder_free(&writer);
    elelem_buffer_free(&line);
    return status;
}

static const feed_object replay = { &replayer, replayer_start, replayer_push, replayer_next, replayer_finish, replayer_error };

static void replays(const char *bytes, const char *expected)
{
    memset(&replayer_desc, 0, sizeof replayer_desc);
    FEED(&replay, bytes, strlen(bytes), expected);
    elelem_replayer_free(&replayer);
}

#define A "{\"e\":\"A\"}"
#define B "{\"e\":\"B\"}"

TEST(lines_1_whole_lines_at_once)
{
    replays(A "\n" B "\n", "line 1 at 1\n" A "\nline 2 at 2\n" B "\nEND\n");
}

TEST(lines_2_a_line_over_two_chunks)
{
    replays("{\"a\":1}\n{\"b\":\"bc\"}\n", "line 1 at 1\n{\"a\":1}\nline 2 at 2\n{\"b\":\"bc\"}\nEND\n");
}

TEST(lines_3_json_cut_inside_a_string)
{
    replays("{\"e\":\"A\\\"\\u00e9\xc3\xa9\"}\n", "line 1 at 1\n{\"e\":\"A\\\"\\u00e9\xc3\xa9\"}\nEND\n");
}

TEST(lines_4_the_last_line_needs_no_newline)
{
    replays(A, "line 1 at 1\n" A "\nEND\n");
}

TEST(lines_5_empty_lines_are_skipped)
{
    replays(A "\n\n \n\t\r\n" B "\n", "line 1 at 1\n" A "\nline 2 at 5\n" B "\nEND\n");
}

TEST(lines_6_no_input_gives_no_line)
{
    replays("", "END\n");
}

static void pieces(const char *const *piece, size_t count, const char *expected)
{
    size_t i;

    memset(&replayer_desc, 0, sizeof replayer_desc);
    feed_now.size = 0;
    replayer_start(&replayer);
    for (i = 0; i < count; i++)
        CHECK_INT(feed_push(&replay, &feed_now, piece[i], strlen(piece[i])), ELELEM_MORE);
    elelem_replayer_finish(&replayer);
    CHECK_INT(feed_drain(&replay, &feed_now, NULL), ELELEM_END);
    CHECK_STR(feed_now.text, feed_now.size, expected);
    elelem_replayer_free(&replayer);
}

TEST(lines_7_four_chunks_one_line)
{
    static const char *const four[] = { "{\"ev", "entTy", "pe\":\"X", "\"}\n" };

    pieces(four, 4, "line 1 at 1\n{\"eventType\":\"X\"}\n");
}

TEST(lines_8_whole_and_part_mixed)
{
    static const char *const mixed[] = { A "\n{\"e\"", ":\"B\"}\n" A };

    pieces(mixed, 2, "line 1 at 1\n" A "\nline 2 at 2\n" B "\nline 3 at 3\n" A "\n");
}

TEST(lines_9_a_realistic_stream)
{
    replays("{\"eventType\":\"PartialResponse\",\"chunk\":\"Let me check\"}\n"
            "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"get_weather\",\"input\":{\"city\":\"Seattle\"}}\n"
            "{\"eventType\":\"ToolExecuted\",\"toolName\":\"get_weather\",\"output\":{\"temp\":72}}\n"
            "{\"chunk\":\"The weather\",\"eventType\":\"PartialResponse\"}\n",
            "event 1 at 1\n{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"Let me check\"}\n"
            "line 2 at 2\n{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"get_weather\",\"input\":{\"city\":\"Seattle\"}}\n"
            "line 3 at 3\n{\"eventType\":\"ToolExecuted\",\"toolName\":\"get_weather\",\"output\":{\"temp\":72}}\n"
            "event 4 at 4\n{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"The weather\"}\n"
            "END\n");
}

TEST(lines_10_an_empty_chunk_changes_nothing)
{
    static const char *const gaps[] = { "", "{\"e\":", "", "\"A\"}\n", "" };

    pieces(gaps, 5, "line 1 at 1\n" A "\n");
}

TEST(lines_11_nothing_but_empty_chunks_gives_nothing)
{
    static const char *const gaps[] = { "", "", "" };

    pieces(gaps, 3, "");
}

TEST(lines_12_white_space_around_an_object_goes_and_not_only_on_the_last_line)
{
    replays("  " A " \t\n" B "  ", "line 1 at 1\n" A "\nline 2 at 2\n" B "\nEND\n");
}

TEST(lines_13_when_the_source_fails_the_caller_finishes_and_gets_what_is_whole_but_never_half_a_line)
{
    replays(A "\n" B, "line 1 at 1\n" A "\nline 2 at 2\n" B "\nEND\n");
    replays(A "\n{\"e\":", "line 1 at 1\n" A "\nERROR_TRUNCATED at 15\n");
}

TEST(lines_14_single_characters)
{
    static const char *const single[] = { "{", "}", "\n", "{", "}" };

    pieces(single, 5, "line 1 at 1\n{}\nline 2 at 2\n{}\n");
}

TEST(lines_15_only_newlines_give_nothing)
{
    replays("\n\n\r\n\n", "END\n");
}

TEST(lines_16_ten_thousand_characters_over_two_chunks)
{
    static char line[10050];
    static char expected[10100];
    const char *two[2];
    static char half[2][6000];
    size_t size;

    memset(line, 0, sizeof line);
    memcpy(line, "{\"e\":\"", 6);
    memset(line + 6, 'x', 10000);
    memcpy(line + 10006, "\"}\n", 3);
    size = strlen(line);
    memcpy(half[0], line, 5000);
    memcpy(half[1], line + 5000, size - 5000);
    two[0] = half[0];
    two[1] = half[1];
    memcpy(expected, "line 1 at 1\n", 12);
    memcpy(expected + 12, line, size);
    pieces(two, 2, expected);
}

TEST(crlf_ends_a_line_like_lf)
{
    replays(A "\r\n" B "\r\n", "line 1 at 1\n" A "\nline 2 at 2\n" B "\nEND\n");
}

TEST(a_recording_that_was_cut_or_is_hostile_is_refused_with_its_offset)
{
    static const char *const rows[][2] = {
        { "{", "ERROR_TRUNCATED at 1\n" },
        { "{\"a\"", "ERROR_TRUNCATED at 4\n" },
        { "\n\n{\"a\":1,}\n", "ERROR_SYNTAX at 9\n" },
        { "{\"a\":\n1}\n", "ERROR_SYNTAX at 5\n" },
        { "{\"a\n\":1}\n", "ERROR_SYNTAX at 3\n" },
        { "[1]\n", "ERROR_SYNTAX at 0\n" },
        { "12\n", "ERROR_SYNTAX at 0\n" },
        { "null\n", "ERROR_SYNTAX at 0\n" },
        { "hello\n", "ERROR_SYNTAX at 0\n" },
        { "\xef\xbb\xbf{}\n", "ERROR_SYNTAX at 0\n" },
        { "{}{}\n", "ERROR_SYNTAX at 2\n" },
        { "{},\n", "ERROR_SYNTAX at 2\n" },
        { "{} x\n", "ERROR_SYNTAX at 3\n" },
        { "{'a':1}\n", "ERROR_SYNTAX at 1\n" },
        { "{\"a\":NaN}\n", "ERROR_SYNTAX at 5\n" },
        { "{\"a\":01}\n", "ERROR_SYNTAX at 6\n" },
        { "{\"a\":\"\x01\"}\n", "ERROR_SYNTAX at 6\n" },
        { "{\"a\":\"\xc0\xaf\"}\n", "ERROR_UTF8 at 6\n" },
        { "{\"a\":\"\xed\xa0\x80\"}\n", "ERROR_UTF8 at 7\n" },
        { "{\"a\":\"\xe2\x82\"}\n", "ERROR_UTF8 at 8\n" },
        { "{\"a\":\"\\x\"}\n", "ERROR_SYNTAX at 7\n" },
        { A "\n{]\n", "line 1 at 1\n" A "\nERROR_SYNTAX at 11\n" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i][0]);
        replays(rows[i][0], rows[i][1]);
    }
}

TEST(the_line_that_was_refused_has_a_number)
{
    static const char bytes[] = "\n" A "\n\n{]\n";
    elelem_record_item item;
    elelem_replay_position position;

    elelem_replayer_init(&replayer, NULL);
    CHECK_INT(elelem_replayer_push(&replayer, bytes, sizeof bytes - 1), ELELEM_OK);
    CHECK_INT(elelem_replayer_push(&replayer, bytes, 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_ERROR_SYNTAX);
    CHECK_U64(elelem_replayer_line_number(&replayer), 4);
    CHECK_U64(elelem_replayer_error(&replayer).offset, 13);
    position = elelem_replayer_position(&replayer);
    CHECK_U64(position.items, 1);
    CHECK_U64(position.lines, 3);
    CHECK_U64(position.offset, 12);
    elelem_replayer_reset(&replayer);
    CHECK_INT(elelem_replayer_error(&replayer).status, ELELEM_OK);
    CHECK_INT(elelem_replayer_push(&replayer, "{}", 2), ELELEM_OK);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_MORE);
    elelem_replayer_finish(&replayer);
    CHECK_INT(elelem_replayer_push(&replayer, "{}", 2), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_END);
    elelem_replayer_free(&replayer);
}

TEST(a_line_has_a_limit)
{
    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.max_line_bytes = 9;
    FEED(&replay, A "\n  " B "   \n", 24, "line 1 at 1\n" A "\nline 2 at 2\n" B "\nEND\n");
    FEED(&replay, A "\n{\"e\":\"AB\"}\n", 21, "line 1 at 1\n" A "\nERROR_LINE_SIZE at 19\n");
    FEED(&replay, "{\"e\":\"AB\n", 9, "ERROR_SYNTAX at 8\n");
    FEED(&replay, "{\"e\":12345", 10, "ERROR_LINE_SIZE at 9\n");
    elelem_replayer_free(&replayer);
}

TEST(a_line_without_end_costs_no_more_than_the_limit)
{
    static unsigned char memory[8192];
    static char piece[512];
    elelem_arena arena;
    elelem_record_item item;
    elelem_status status = ELELEM_MORE;
    int i;

    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    replayer_desc.max_line_bytes = 4000;
    elelem_replayer_init(&replayer, &replayer_desc);
    memset(piece, 'x', sizeof piece);
    memcpy(piece, "{\"a\":\"", 6);
    for (i = 0; i < 1000 && status == ELELEM_MORE; i++) {
        CHECK_INT(elelem_replayer_push(&replayer, piece, sizeof piece), ELELEM_OK);
        status = elelem_replayer_next(&replayer, &item);
        memset(piece, 'x', 6);
    }
    CHECK_INT(status, ELELEM_ERROR_LINE_SIZE);
    CHECK_U64(elelem_replayer_error(&replayer).offset, 4000);
    elelem_replayer_free(&replayer);
}

TEST(empty_lines_without_end_cost_nothing)
{
    elelem_allocator none;
    elelem_arena arena;
    elelem_record_item item;
    int i;

    none = elelem_arena_init(&arena, NULL, 0);
    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.allocator = none;
    replayer_desc.max_line_bytes = 4;
    elelem_replayer_init(&replayer, &replayer_desc);
    for (i = 0; i < 1000; i++) {
        CHECK_INT(elelem_replayer_push(&replayer, " \n\r \t\n", 6), ELELEM_OK);
        CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_MORE);
    }
    elelem_replayer_free(&replayer);
}

TEST(a_line_of_ours_that_came_whole_takes_no_memory_of_its_size)
{
    static char line[20000] = "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"";
    static unsigned char memory[256];
    size_t size = strlen(line);
    elelem_arena arena;
    elelem_record_item item;

    memset(line + size, 'x', 10000);
    memcpy(line + size + 10000, "\"}\n", 4);
    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    elelem_replayer_init(&replayer, &replayer_desc);
    CHECK_INT(elelem_replayer_push(&replayer, line, size + 10003), ELELEM_OK);
    if (CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK)) {
        CHECK_INT(item.event.part.text.size, 10000);
        CHECK(item.event.part.text.data == line + size);
    }
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_MORE);
    elelem_replayer_free(&replayer);
}

TEST(our_lines_come_back_as_events)
{
    static const char *const rows[] = {
        "{\"eventType\":\"PartialResponse\",\"index\":4294967295,\"choice\":7,\"chunk\":\"a\\n\\\"\"}\n",
        "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"\",\"metadata\":{\"a\":{\"b\":[1,\"]}\"]},\"c\\n\":\"\\u00e9\"}}\n",
        "{\"eventType\":\"PartialStructured\",\"index\":1,\"chunk\":\"{\\\"a\\\"\"}\n",
        "{\"eventType\":\"ToolCallStart\",\"index\":2}\n",
        "{\"eventType\":\"ToolCallStart\",\"index\":2,\"choice\":1,\"id\":\"c\",\"toolName\":\"f\"}\n",
        "{\"eventType\":\"ToolCallArguments\",\"index\":2,\"chunk\":\"{\\\"ci\"}\n",
        "{\"eventType\":\"Flush\",\"index\":2,\"choice\":3}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"content_filter\"}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"rawFinishReason\":\"x\",\"usage\":{\"input\":0,\"reasoning\":9223372036854775807}}\n",
        "{\"eventType\":\"Error\",\"kind\":\"recoverable\",\"retryable\":false,\"retryAfterMs\":0,\"httpStatus\":400,\"code\":\"c\",\"message\":\"m\",\"status\":\"ERROR_TRUNCATED\",\"offset\":18446744073709551615}\n",
        "{\"eventType\":\"Flush\",\"index\":2,\"timeMs\":12,\"taskId\":\"\\u0041\",\"x\":{\"y\":[]},\"metadata\":{}}\n",
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[400];
        const char *line = rows[i];
        check_context(line);
        snprintf(expected, sizeof expected, "event 1 at 1\n%sEND\n", line);
        if (strstr(line, ",\"metadata\":{}}")) strcpy(strstr(expected, ",\"metadata\""), "}\nEND\n");
        replays(line, expected);
    }
}

TEST(objects_that_are_no_event_of_ours_stay_as_they_are)
{
    static const char *const rows[] = {
        "{}",
        "{\"eventType\":1}",
        "{\"eventType\":\"partialresponse\",\"chunk\":\"a\"}",
        "{\"eventType\":\"ContentFetched\",\"content\":[1,2]}",
        "{\"eventType\":\"PartialResponse\"}",
        "{\"eventType\":\"PartialResponse\",\"chunk\":null}",
        "{\"eventType\":\"PartialResponse\",\"chunk\":1,\"index\":0}",
        "{\"eventType\":\"PartialResponse\",\"chunk\":\"\",\"index\":-1}",
        "{\"eventType\":\"PartialResponse\",\"chunk\":\"\",\"index\":4294967296}",
        "{\"eventType\":\"PartialResponse\",\"chunk\":\"\",\"index\":0.5}",
        "{\"eventType\":\"PartialResponse\",\"chunk\":\"\",\"index\":\"0\"}",
        "{\"eventType\":\"PartialResponse\",\"chunk\":\"\",\"index\":1e300}",
        "{\"eventType\":\"PartialResponse\",\"chunk\":\"\",\"metadata\":[]}",
        "{\"eventType\":\"PartialResponse\",\"chunk\":\"\",\"timeMs\":\"now\"}",
        "{\"eventType\":\"PartialStructured\",\"chunk\":\"\"}",
        "{\"eventType\":\"Flush\"}",
        "{\"eventType\":\"ToolCallStart\",\"id\":\"c\"}",
        "{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":7}",
        "{\"eventType\":\"ChatCompleted\"}",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"STOP\"}",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"usage\":{\"input\":\"1\"}}",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"usage\":{\"input\":1,\"more\":2}}",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"usage\":null}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"message\":\"m\"}",
        "{\"eventType\":\"Error\",\"kind\":\"new\",\"retryable\":true,\"message\":\"m\"}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":1,\"message\":\"m\"}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"status\":\"OK\"}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"httpStatus\":2147483648}",
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char input[400];
        char expected[400];
        check_context(rows[i]);
        snprintf(input, sizeof input, "%s\n", rows[i]);
        snprintf(expected, sizeof expected, "line 1 at 1\n%s\nEND\n", rows[i]);
        replays(input, expected);
    }
}

TEST(keys_count_by_what_they_spell_and_the_last_of_equal_ones)
{
    replays("{\"event\\u0054ype\":\"Flush\",\"index\":1,\"in\\u0064ex\":2}\n",
            "event 1 at 1\n{\"eventType\":\"Flush\",\"index\":2}\nEND\n");
}

TEST(all_lines_come_as_they_are_where_asked)
{
    static const char bytes[] = "{\"chunk\":\"a\",\"eventType\":\"PartialResponse\"}\n" A "\n";

    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.lines = 1;
    FEED(&replay, bytes, sizeof bytes - 1,
         "line 1 at 1\n{\"chunk\":\"a\",\"eventType\":\"PartialResponse\"}\nline 2 at 2\n" A "\nEND\n");
    elelem_replayer_free(&replayer);
}

TEST(a_client_goes_on_behind_the_items_it_has)
{
    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.first = 2;
    FEED(&replay, A "\n\n" B "\n" A "\n", 31, "line 3 at 4\n" A "\nEND\n");
    FEED(&replay, A "\n", 10, "END\n");
    FEED(&replay, A "\n{]\n", 13, "ERROR_SYNTAX at 11\n");
    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.start.items = 2;
    replayer_desc.start.lines = 3;
    replayer_desc.start.offset = 100;
    FEED(&replay, A "\n{]\n", 13, "line 3 at 4\n" A "\nERROR_SYNTAX at 111\n");
    elelem_replayer_free(&replayer);
}

TEST(times_are_kept_so_a_recording_can_be_replayed_at_its_own_pace)
{
    static const char line[] = "{\"eventType\":\"Flush\",\"index\":0,\"timeMs\":1234}\n{\"eventType\":\"X\",\"timeMs\":5}\n{}";
    elelem_record_item item;

    elelem_replayer_init(&replayer, NULL);
    elelem_replayer_push(&replayer, line, sizeof line - 1);
    elelem_replayer_finish(&replayer);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
    CHECK_INT(item.time_ms, 1234);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
    CHECK_INT(item.time_ms, 5);
    CHECK_STR(item.type.data, item.type.size, "X");
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
    CHECK_INT(item.time_ms, -1);
    elelem_replayer_free(&replayer);
}

TEST(plain_text_comes_back_in_whole_characters)
{
    static const struct {
        const char *bytes;
        const char *text;
        elelem_status status;
        unsigned offset;
    } rows[] = {
        { "Hello", "Hello", ELELEM_END, 0 },
        { "", "", ELELEM_END, 0 },
        { "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z\n", "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z\n", ELELEM_END, 0 },
        { "ab\xe2\x82", "ab", ELELEM_ERROR_TRUNCATED, 4 },
        { "ab\xff", "ab", ELELEM_ERROR_UTF8, 2 },
        { "\xed\xa0\x80", "", ELELEM_ERROR_UTF8, 1 },
        { "\xe2\x82x", "", ELELEM_ERROR_UTF8, 2 },
    };
    size_t row, step;

    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.format = ELELEM_RECORD_TEXT;
    for (row = 0; row < sizeof rows / sizeof *rows; row++) {
        for (step = 1; step <= 12; step++) {
            size_t at, size = strlen(rows[row].bytes);
            char text[64];
            size_t got = 0;
            elelem_record_item item;
            elelem_status status = ELELEM_MORE;
            check_context(rows[row].bytes);
            elelem_replayer_init(&replayer, &replayer_desc);
            for (at = 0; at <= size && status >= 0; at += step) {
                if (at < size) elelem_replayer_push(&replayer, rows[row].bytes + at, size - at < step ? size - at : step);
                if (at + step > size) elelem_replayer_finish(&replayer);
                while ((status = elelem_replayer_next(&replayer, &item)) == ELELEM_OK) {
                    CHECK(feed_is_whole(item.event.part.text.data, item.event.part.text.size));
                    memcpy(text + got, item.event.part.text.data, item.event.part.text.size);
                    got += item.event.part.text.size;
                }
            }
            CHECK_STR(text, got, rows[row].text);
            CHECK_INT(status, rows[row].status);
            if (status < 0) CHECK_U64(elelem_replayer_error(&replayer).offset, rows[row].offset);
            elelem_replayer_free(&replayer);
        }
    }
}

TEST(plain_text_goes_on_behind_the_bytes_a_client_has)
{
    elelem_record_item item;

    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.format = ELELEM_RECORD_TEXT;
    replayer_desc.first = 4;
    elelem_replayer_init(&replayer, &replayer_desc);
    elelem_replayer_push(&replayer, "Hel", 3);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_MORE);
    elelem_replayer_push(&replayer, "lo!", 3);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
    CHECK_STR(item.event.part.text.data, item.event.part.text.size, "o!");
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_MORE);
    CHECK_U64(elelem_replayer_position(&replayer).offset, 6);
    elelem_replayer_free(&replayer);
}

/* Event streams. */

TEST(an_event_stream_carries_the_same_lines_with_ids_counted_up)
{
    open_recorder();
    recorder_desc.format = ELELEM_RECORD_SSE;
    recorder_desc.first = 16;
    start_recorder();
    record(part(ELELEM_PART_MESSAGE, 0, "a\nb"));
    CHECK_INT(elelem_recorder_push_line(&recorder, text_of("{\"eventType\":\"X\"}")), ELELEM_OK);
    CHECK_OUT("id: 17\ndata: {\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\\nb\"}\n\n"
              "id: 18\ndata: {\"eventType\":\"X\"}\n\n");
    CHECK_U64(elelem_recorder_count(&recorder), 18);
    close_recorder();
}

/* The server replays its lines behind the last event id that the client has. */
TEST(a_client_that_comes_again_with_its_last_event_id_gets_the_frames_behind_it)
{
    static const char lines[] = "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\"}\n"
                                "{\"eventType\":\"X\"}\n{\"eventType\":\"Flush\",\"index\":0}\n";
    elelem_replayer_desc desc = ELELEM_INIT;
    elelem_record_item item;
    uint64_t last_event_id = 1;

    open_recorder();
    recorder_desc.format = ELELEM_RECORD_SSE;
    recorder_desc.first = desc.first = last_event_id;
    start_recorder();
    elelem_replayer_init(&replayer, &desc);
    elelem_replayer_push(&replayer, lines, sizeof lines - 1);
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK)
        CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    CHECK_OUT("id: 2\ndata: {\"eventType\":\"X\"}\n\n"
              "id: 3\ndata: {\"eventType\":\"Flush\",\"index\":0}\n\n");
    elelem_replayer_free(&replayer);
    close_recorder();
}

/* The coalescer: lines in, lines out. */

static elelem_event_coalescer coalescer;

static void take_coalesced(void)
{
    elelem_record_item item;
    elelem_status status;

    while ((status = elelem_event_coalescer_next(&coalescer, &item)) == ELELEM_OK)
        CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    CHECK(status == ELELEM_MORE || status == ELELEM_END);
}

static void coalesce_text(const char *lines, size_t size)
{
    size_t start = 0, end;

    for (end = 0; end < size; end++) {
        if (lines[end] != '\n') continue;
        elelem_str line;
        line.data = lines + start;
        line.size = end - start;
        CHECK_INT(elelem_event_coalescer_push_line(&coalescer, line), ELELEM_OK);
        take_coalesced();
        start = end + 1;
    }
    elelem_event_coalescer_finish(&coalescer);
    take_coalesced();
}

static void open_coalescer(void)
{
    open_recorder();
    start_recorder();
    elelem_event_coalescer_init(&coalescer, NULL);
}

static void close_coalescer(void)
{
    elelem_event_coalescer_free(&coalescer);
    close_recorder();
}

/* Coalescing gives this, and coalescing that changes nothing. */
static void coalesces(const char *lines, const char *expected)
{
    open_coalescer();
    coalesce_text(lines, strlen(lines));
    CHECK_OUT(expected);
    close_coalescer();
    open_coalescer();
    coalesce_text(expected, strlen(expected));
    CHECK_OUT(expected);
    close_coalescer();
}

#define TEXT(chunk) "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"" chunk "\"}\n"
#define THINKING(chunk) "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"" chunk "\"}\n"
#define BEFORE "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"get_weather\",\"input\":{\"city\":\"Seattle\"}}\n"
#define EXECUTED "{\"eventType\":\"ToolExecuted\",\"toolName\":\"get_weather\",\"output\":{\"temp\":72}}\n"

TEST(coalescing_1_adjacent_text_becomes_one)
{
    coalesces("{\"eventType\":\"PartialResponse\",\"chunk\":\"Hello\"}\n"
              "{\"eventType\":\"PartialResponse\",\"chunk\":\" \"}\n"
              "{\"eventType\":\"PartialResponse\",\"chunk\":\"world\"}\n",
              TEXT("Hello world"));
}

TEST(coalescing_2_adjacent_thinking_becomes_one)
{
    coalesces(THINKING("a") THINKING("b"), THINKING("ab"));
}

TEST(coalescing_3_other_events_pass_unchanged)
{
    coalesces(BEFORE EXECUTED "{\"eventType\":\"ContentFetched\",\"x\":[ 1 ]}\n",
              BEFORE EXECUTED "{\"eventType\":\"ContentFetched\",\"x\":[ 1 ]}\n");
}

TEST(coalescing_4_text_tool_text_gives_three)
{
    coalesces(TEXT("Let") TEXT(" me check") BEFORE TEXT("The") TEXT(" weather"),
              TEXT("Let me check") BEFORE TEXT("The weather"));
}

TEST(coalescing_5_thinking_then_text_gives_two)
{
    coalesces(THINKING("a") THINKING("b") TEXT("c") TEXT("d"), THINKING("ab") TEXT("cd"));
}

TEST(coalescing_7_nothing_gives_nothing)
{
    coalesces("", "");
}

TEST(coalescing_8_reset_forgets_what_was_kept)
{
    elelem_event event = part(ELELEM_PART_MESSAGE, 0, "old");

    open_coalescer();
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    take_coalesced();
    event = call_start(1, "c", "f");
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    take_coalesced();
    elelem_event_coalescer_reset(&coalescer);
    coalesce_text(TEXT("new"), strlen(TEXT("new")));
    CHECK_OUT(TEXT("new"));
    close_coalescer();
}

TEST(coalescing_9_a_tool_result_passes_with_its_output)
{
    coalesces(EXECUTED, EXECUTED);
}

TEST(coalescing_10_input_may_be_an_object_or_a_string)
{
    coalesces(BEFORE "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"f\",\"input\":\"{\\\"a\\\":1}\"}\n",
              BEFORE "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"f\",\"input\":\"{\\\"a\\\":1}\"}\n");
}

TEST(coalescing_11_a_line_that_is_no_json_is_refused_and_unlike_in_the_origin_ends_no_run)
{
    open_coalescer();
    CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of(TEXT("a"))), ELELEM_OK);
    take_coalesced();
    CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of("not json")), ELELEM_ERROR_SYNTAX);
    CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of("[]")), ELELEM_ERROR_TYPE);
    CHECK_INT(elelem_event_coalescer_error(&coalescer).status, ELELEM_OK);
    coalesce_text(TEXT("b"), strlen(TEXT("b")));
    CHECK_OUT(TEXT("ab"));
    close_coalescer();
}

TEST(coalescing_12_a_single_event_stays_itself)
{
    coalesces(TEXT("a"), TEXT("a"));
}

TEST(coalescing_13_text_without_a_chunk_is_not_merged_and_passes)
{
    coalesces(TEXT("a") "{\"eventType\":\"PartialResponse\"}\n" TEXT("b"),
              TEXT("a") "{\"eventType\":\"PartialResponse\"}\n" TEXT("b"));
}

TEST(coalescing_13b_a_null_chunk_passes_and_unlike_in_the_origin_is_not_the_word_null)
{
    coalesces(TEXT("a") "{\"eventType\":\"PartialResponse\",\"chunk\":null}\n",
              TEXT("a") "{\"eventType\":\"PartialResponse\",\"chunk\":null}\n");
}

TEST(coalescing_14_the_completion_after_text_is_kept)
{
    coalesces(TEXT("a") TEXT("b") "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}\n",
              TEXT("ab") "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}\n");
    coalesces(TEXT("a") "{\"eventType\":\"ChatCompleted\",\"chatResponse\":{}}\n",
              TEXT("a") "{\"eventType\":\"ChatCompleted\",\"chatResponse\":{}}\n");
}

TEST(unlike_in_the_origin_merged_events_keep_their_other_members)
{
    coalesces("{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\",\"timeMs\":1,\"taskId\":\"t\"}\n"
              "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"b\",\"timeMs\":2,\"taskId\":\"t\"}\n"
              "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"c\",\"timeMs\":3,\"taskId\":\"u\"}\n",
              "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"ab\",\"timeMs\":1,\"taskId\":\"t\"}\n"
              "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"c\",\"timeMs\":3,\"taskId\":\"u\"}\n");
}

TEST(metadata_of_merged_events_merges_and_arrays_are_added_to)
{
    coalesces("{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\",\"metadata\":{\"c\":[ ],\"s\":1,\"k\":1}}\n"
              "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"b\",\"metadata\":{\"c\":[ {\"x\":2} ],\"s\":2,\"k\":3}}\n"
              "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"\",\"metadata\":{\"c\":[3,4],\"c\":[],\"n\":null}}\n",
              "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"ab\",\"metadata\":"
              "{\"c\":[{\"x\":2},3,4],\"s\":2,\"k\":3,\"n\":null}}\n");
}

TEST(metadata_with_very_many_keys_ends_a_run_and_is_never_lost)
{
    static char line[20000];
    static char lines[41000];
    size_t size = 0;
    int i;

    size += (size_t)snprintf(line, sizeof line, "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\",\"metadata\":{");
    for (i = 0; i < 70; i++)
        size += (size_t)snprintf(line + size, sizeof line - size, "%s\"k%d\":%d", i ? "," : "", i, i);
    snprintf(line + size, sizeof line - size, "}}\n");
    snprintf(lines, sizeof lines, "%s%s%s", line, line, TEXT("z"));
    coalesces(lines, lines);
}

TEST(flushes_go_and_end_no_run)
{
    coalesces("{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"a\"}\n{\"eventType\":\"Flush\",\"index\":0}\n"
              "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"b\"}\n{\"eventType\":\"Flush\",\"index\":1}\n",
              "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"ab\"}\n");
}

/* A Flush with metadata, and lines as they are coalesced. */
#define FLUSH_WITH(index, metadata) "{\"eventType\":\"Flush\",\"index\":" index ",\"metadata\":{" metadata "}}\n"
#define LINE_WITH(type, index, chunk, metadata) \
    "{\"eventType\":\"" type "\",\"index\":" index ",\"chunk\":\"" chunk "\",\"metadata\":{" metadata "}}\n"

TEST(metadata_that_comes_only_with_the_flush_is_kept_with_what_it_ends)
{
    coalesces(TEXT("a") FLUSH_WITH("0", "\"item_id\":\"m\""), LINE_WITH("PartialResponse", "0", "a", "\"item_id\":\"m\""));
    coalesces(THINKING("a") THINKING("b") FLUSH_WITH("0", "\"signature\":\"c2ln\"") TEXT("c"),
              LINE_WITH("PartialThinking", "0", "ab", "\"signature\":\"c2ln\"") TEXT("c"));
    coalesces("{\"eventType\":\"PartialStructured\",\"index\":0,\"chunk\":\"{}\"}\n" FLUSH_WITH("0", "\"m\":1"),
              LINE_WITH("PartialStructured", "0", "{}", "\"m\":1"));
    coalesces("{\"eventType\":\"ToolCallStart\",\"index\":1,\"toolName\":\"f\"}\n" TEXT("a") FLUSH_WITH("1", "\"signature\":\"s\""),
              TEXT("a") "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"toolName\":\"f\",\"input\":{},"
                        "\"metadata\":{\"signature\":\"s\"}}\n");
}

TEST(of_equal_keys_that_of_the_flush_counts_and_arrays_are_added_to)
{
    coalesces(LINE_WITH("PartialResponse", "0", "a", "\"m\":1,\"l\":[1],\"n\":0") FLUSH_WITH("0", "\"m\":2,\"l\":[2]"),
              LINE_WITH("PartialResponse", "0", "a", "\"m\":2,\"l\":[1,2],\"n\":0"));
}

TEST(a_flush_stays_with_its_metadata_where_what_it_ends_was_given_out_already)
{
    coalesces(TEXT("a") FLUSH_WITH("5", "\"m\":1") TEXT("b"), TEXT("a") FLUSH_WITH("5", "\"m\":1") TEXT("b"));
    coalesces(THINKING("hm") "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"a\"}\n" FLUSH_WITH("0", "\"signature\":\"s\"")
              FLUSH_WITH("1", "\"item_id\":\"m\""),
              THINKING("hm") "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"a\"}\n" FLUSH_WITH("0", "\"signature\":\"s\"")
              FLUSH_WITH("1", "\"item_id\":\"m\""));
    coalesces(TEXT("a") "{\"eventType\":\"Flush\",\"index\":0,\"choice\":1,\"metadata\":{\"m\":1}}\n",
              TEXT("a") "{\"eventType\":\"Flush\",\"index\":0,\"choice\":1,\"metadata\":{\"m\":1}}\n");
}

/* Merged, the null would be gone, and the last array be added to the first by whoever joins the events of an index. */
TEST(an_array_and_something_else_under_one_key_do_not_merge_for_their_order_counts)
{
    static const char lines[] = LINE_WITH("PartialResponse", "0", "a", "\"l\":[1]") THINKING("hm")
        LINE_WITH("PartialResponse", "0", "b", "\"l\":null") LINE_WITH("PartialResponse", "0", "c", "\"l\":[2]")
        LINE_WITH("PartialResponse", "0", "d", "\"l\":3") LINE_WITH("PartialResponse", "0", "e", "\"l\":4,\"l\":[]") TEXT("f");

    coalesces(lines, lines);
    coalesces(LINE_WITH("PartialResponse", "0", "a", "\"l\":null") FLUSH_WITH("0", "\"l\":[2]"),
              LINE_WITH("PartialResponse", "0", "a", "\"l\":null") FLUSH_WITH("0", "\"l\":[2]"));
    coalesces(LINE_WITH("PartialResponse", "0", "a", "\"l\":null") LINE_WITH("PartialResponse", "0", "b", "\"l\":{},\"l\":\"\""),
              LINE_WITH("PartialResponse", "0", "ab", "\"l\":\"\""));
}

TEST(indexes_and_choices_stay_apart)
{
    static const char lines[] = "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\"}\n"
                                "{\"eventType\":\"PartialResponse\",\"index\":1,\"choice\":1,\"chunk\":\"b\"}\n"
                                "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"c\"}\n"
                                "{\"eventType\":\"PartialStructured\",\"index\":0,\"chunk\":\"d\"}\n";

    coalesces(lines, lines);
}

#define START(index, id) "{\"eventType\":\"ToolCallStart\",\"index\":" index ",\"id\":\"" id "\",\"toolName\":\"f\"}\n"
#define ARGUMENTS(index, text) "{\"eventType\":\"ToolCallArguments\",\"index\":" index ",\"chunk\":\"" text "\"}\n"
#define FLUSH(index) "{\"eventType\":\"Flush\",\"index\":" index "}\n"
#define CALL(index, id, input) \
    "{\"eventType\":\"BeforeToolExecution\",\"index\":" index ",\"id\":\"" id "\",\"toolName\":\"f\",\"input\":" input "}\n"

TEST(a_tool_call_becomes_one_line_when_it_is_flushed)
{
    coalesces(TEXT("a") START("1", "c") ARGUMENTS("1", "{\\\"x\\\"") ARGUMENTS("1", ":1}") FLUSH("1") TEXT("b"),
              TEXT("a") CALL("1", "c", "{\"x\":1}") TEXT("b"));
    coalesces(START("1", "c") FLUSH("1"), CALL("1", "c", "{}"));
    coalesces(START("1", "c") ARGUMENTS("1", " \\n") FLUSH("1"), CALL("1", "c", "{}"));
    coalesces(START("1", "c") ARGUMENTS("1", " [1, 2]\\n") FLUSH("1"), CALL("1", "c", "[1, 2]"));
    coalesces(START("1", "c") ARGUMENTS("1", "{\\\"x") FLUSH("1"),
              "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"inputText\":\"{\\\"x\"}\n");
}

TEST(arguments_cannot_forge_a_line)
{
    coalesces(START("1", "c") ARGUMENTS("1", "1},{\\n") FLUSH("1"),
              "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"inputText\":\"1},{\\n\"}\n");
}

TEST(tool_calls_side_by_side_stay_apart_and_text_goes_on_meanwhile)
{
    coalesces(START("1", "c") TEXT("a") START("2", "d") ARGUMENTS("2", "[2]") ARGUMENTS("1", "[1]") TEXT("b") FLUSH("2") FLUSH("1"),
              TEXT("ab") CALL("2", "d", "[2]") CALL("1", "c", "[1]"));
}

TEST(a_live_record_with_tool_calls_gives_each_call_once)
{
    coalesces(START("1", "c") START("2", "d") ARGUMENTS("2", "{}") CALL("2", "d", "{}") FLUSH("2") CALL("1", "c", "{}") FLUSH("1"),
              CALL("2", "d", "{}") CALL("1", "c", "{}"));
}

TEST(the_line_of_a_call_that_another_choice_made_says_so)
{
    coalesces("{\"eventType\":\"ToolCallStart\",\"index\":3,\"choice\":2,\"toolName\":\"f\"}\n"
              "{\"eventType\":\"Flush\",\"index\":3,\"choice\":2}\n",
              "{\"eventType\":\"BeforeToolExecution\",\"index\":3,\"choice\":2,\"toolName\":\"f\",\"input\":{}}\n");
}

#define START_WITH(index, metadata) \
    "{\"eventType\":\"ToolCallStart\",\"index\":" index ",\"id\":\"c\",\"toolName\":\"f\",\"metadata\":{" metadata "}}\n"
#define CALL_WITH(index, metadata) \
    "{\"eventType\":\"BeforeToolExecution\",\"index\":" index ",\"id\":\"c\",\"toolName\":\"f\",\"input\":{},\"metadata\":{" metadata "}}\n"

TEST(behind_the_line_of_its_call_a_flush_stays_with_the_metadata_that_the_line_lacks)
{
    coalesces(START_WITH("1", "\"s\":\"t\"") CALL("1", "c", "{}") FLUSH("1"), CALL("1", "c", "{}") FLUSH_WITH("1", "\"s\":\"t\""));
    coalesces(START_WITH("1", "\"s\":\"t\",\"k\":1") CALL_WITH("1", "\"k\":1") FLUSH_WITH("1", "\"l\":[2]"),
              CALL_WITH("1", "\"k\":1") FLUSH_WITH("1", "\"s\":\"t\",\"l\":[2]"));
    coalesces(START_WITH("1", "\"l\":[ 1 ]") CALL_WITH("1", "\"l\":[1]") FLUSH_WITH("1", "\"l\":[2]"),
              CALL_WITH("1", "\"l\":[1]") FLUSH_WITH("1", "\"l\":[2]"));
    coalesces(START_WITH("1", "\"l\":[ 1 ]") CALL_WITH("1", "\"l\":[1,2]") FLUSH_WITH("1", "\"l\":[2]"),
              CALL_WITH("1", "\"l\":[1,2]"));
    coalesces(TEXT("a") START_WITH("1", "\"s\":\"t\"") CALL_WITH("1", "\"s\":\"t\"") FLUSH("1") TEXT("b"),
              TEXT("a") CALL_WITH("1", "\"s\":\"t\"") TEXT("b"));
}

/* A line leaves out control bytes between tokens, an event may have them. */
TEST(metadata_that_the_line_of_a_call_has_on_one_line_and_its_event_on_several_is_the_same)
{
    elelem_metadata_entry entry;
    elelem_event event = call_start(1, "c", "f");

    open_coalescer();
    entry.key = text_of("k");
    entry.json = text_of("[ 1,\r\n2\n]");
    event.metadata.entries = &entry;
    event.metadata.count = 1;
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    take_coalesced();
    CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of(CALL_WITH("1", "\"k\":[1,2]"))), ELELEM_OK);
    take_coalesced();
    event = flush(1);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    take_coalesced();
    CHECK_OUT(CALL_WITH("1", "\"k\":[1,2]"));
    close_coalescer();
}

TEST(the_line_of_another_call_does_not_stand_for_this_one)
{
    coalesces(START("1", "c") START("2", "c") CALL("1", "c", "{}") FLUSH("2") FLUSH("1"),
              CALL("1", "c", "{}") CALL("2", "c", "{}") CALL("1", "c", "{}"));
    coalesces(START("1", "c") CALL("1", "d", "{}") FLUSH("1"), CALL("1", "d", "{}") CALL("1", "c", "{}"));
    coalesces(START("1", "c") "{\"eventType\":\"BeforeToolExecution\",\"id\":1,\"toolName\":\"f\"}\n" FLUSH("1"),
              "{\"eventType\":\"BeforeToolExecution\",\"id\":1,\"toolName\":\"f\"}\n" CALL("1", "c", "{}"));
}

TEST(the_type_of_a_line_is_what_it_spells_also_for_the_coalescer)
{
    elelem_record_item item;

    elelem_event_coalescer_init(&coalescer, NULL);
    CHECK_INT(elelem_event_coalescer_push_line(
                  &coalescer, text_of("{\"\\u0069d\":\"c\",\"eventType\":\"BeforeTool\\u0045xecution\",\"toolName\":\"\\u0066\"}")),
              ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_OK);
    CHECK_STR(item.type.data, item.type.size, "BeforeToolExecution");
    elelem_event_coalescer_free(&coalescer);
}

TEST(a_tool_call_that_is_never_flushed_stays_a_start_and_its_arguments)
{
#define BROKEN "{\"eventType\":\"Error\",\"kind\":\"connect\",\"retryable\":true,\"message\":\"gone\"}\n"
    coalesces(START("1", "c") TEXT("a") ARGUMENTS("1", "{\\\"x") ARGUMENTS("1", "\\\"") START("2", "d") BROKEN,
              TEXT("a") START("1", "c") ARGUMENTS("1", "{\\\"x\\\"") START("2", "d") BROKEN);
    coalesces(START("1", "c") ARGUMENTS("1", "{}"), START("1", "c") ARGUMENTS("1", "{}"));
}

TEST(members_that_would_pass_for_ours_on_the_line_of_a_call_are_left_out)
{
    coalesces("{\"eventType\":\"ToolCallArguments\",\"index\":1,\"chunk\":\"{}\",\"id\":\"forged\",\"taskId\":7,\"toolName\":\"forged\",\"x\":[\",\"]}\n",
              "{\"eventType\":\"ToolCallStart\",\"index\":1,\"taskId\":7,\"x\":[\",\"]}\n"
              "{\"eventType\":\"ToolCallArguments\",\"index\":1,\"chunk\":\"{}\",\"taskId\":7,\"x\":[\",\"]}\n");
    coalesces("{\"eventType\":\"ToolCallStart\",\"index\":1,\"toolName\":\"f\",\"in\\u0070ut\":{\"forged\":1},\"inputText\":\"\"}\n" FLUSH("1"),
              "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"toolName\":\"f\",\"input\":{}}\n");
}

TEST(a_tool_calls_metadata_and_members_come_with_it)
{
    coalesces("{\"eventType\":\"ToolCallStart\",\"index\":1,\"toolName\":\"f\",\"timeMs\":3,\"taskId\":1,\"metadata\":{\"a\":[1]}}\n"
              "{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"a\":[2]}}\n",
              "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"toolName\":\"f\",\"input\":{},\"timeMs\":3,\"taskId\":1,\"metadata\":{\"a\":[1,2]}}\n");
}

TEST(the_coalescer_has_limits)
{
    elelem_event_coalescer_desc desc = ELELEM_INIT;
    elelem_event event = part(ELELEM_PART_MESSAGE, 0, "0123456789");
    elelem_record_item item;
    elelem_status status = ELELEM_OK;
    uint32_t i;

    desc.max_bytes = 35;
    desc.max_calls = 3;
    elelem_event_coalescer_init(&coalescer, &desc);
    for (i = 0; status != ELELEM_ERROR_VALUE_SIZE && i < 10; i++) {
        CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
        status = elelem_event_coalescer_next(&coalescer, &item);
    }
    CHECK_INT(i, 4);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_ERROR_VALUE_SIZE);
    elelem_event_coalescer_reset(&coalescer);
    for (i = 0, status = ELELEM_OK; status != ELELEM_ERROR_COUNT && i < 10; i++) {
        event = call_start(i, "", "f");
        CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
        status = elelem_event_coalescer_next(&coalescer, &item);
    }
    CHECK_INT(i, 4);
    elelem_event_coalescer_free(&coalescer);
}

TEST(a_tool_calls_metadata_has_at_most_64_keys)
{
    elelem_metadata_entry entries[65];
    char keys[65][4];
    elelem_event event = call_start(1, "c", "f");
    elelem_record_item item;
    size_t count;
    unsigned i;

    for (i = 0; i < 65; i++) {
        snprintf(keys[i], sizeof keys[i], "k%u", i);
        entries[i].key = text_of(keys[i]);
        entries[i].json = text_of("1");
    }
    event.metadata.entries = entries;
    for (count = 64; count < 66; count++) {
        event.metadata.count = count;
        elelem_event_coalescer_init(&coalescer, NULL);
        CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
        CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), count > 64 ? ELELEM_ERROR_COUNT : ELELEM_MORE);
        elelem_event_coalescer_free(&coalescer);
    }
}

TEST(the_coalescer_takes_one_thing_at_a_time)
{
    elelem_event event = part(ELELEM_PART_MESSAGE, 0, "a");

    open_coalescer();
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_ERROR_MISUSE);
    take_coalesced();
    elelem_event_coalescer_finish(&coalescer);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_ERROR_MISUSE);
    take_coalesced();
    take_coalesced();
    CHECK_OUT(TEXT("a"));
    close_coalescer();
}

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

    CHECK_INT(elelem_history_builder_finish(&builder, &entry), ELELEM_OK);
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
    CHECK_INT(elelem_history_builder_finish(&builder, &entry), ELELEM_OK);
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
    CHECK_INT(elelem_history_builder_finish(&builder, &entry), ELELEM_OK);
    CHECK_STR(entry.text.data, entry.text.size, "ab");
    CHECK_INT(elelem_history_builder_finish(&builder, &entry), ELELEM_OK);
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
    events[0] = part(ELELEM_PART_MESSAGE, 0, "Let ");
    events[1] = part(ELELEM_PART_MESSAGE, 0, "me");
    events[2] = call_start(1, "c", "f");
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
                  "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"input\":{}},"
                  "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"tool_calls\"}]}");
}

TEST(adapter_3_events_that_were_recorded_and_stored_are_handed_on_as_they_were)
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

TEST(adapter_4_a_cancelled_turn_keeps_what_came_and_says_so)
{
    elelem_event events[2];

    events[0] = part(ELELEM_PART_MESSAGE, 0, "Let");
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

TEST(adapter_5_a_broken_turn_keeps_what_came_and_says_so)
{
    elelem_event events[2];

    events[0] = part(ELELEM_PART_MESSAGE, 0, "Let");
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

TEST(the_signature_of_a_thought_is_in_the_history)
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
               "{\"role\":\"AI\",\"text\":\"4\",\"events\":["
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
    FRAME("{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}")

TEST(encrypted_reasoning_is_in_the_history)
{
    history_of(&elelem_shape_responses, RESPONSES_THOUGHT RESPONSES_SEALED RESPONSES_MESSAGE RESPONSES_COMPLETED,
               "{\"role\":\"AI\",\"text\":\"4\",\"events\":["
               "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"Hm\",\"metadata\":{\"item_id\":\"r\",\"encrypted_content\":\"gAAA\"}},"
               "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"4\",\"metadata\":{\"item_id\":\"m\"}}]}");
}

TEST(encrypted_reasoning_that_comes_behind_other_text_is_in_the_history_as_a_flush)
{
    history_of(&elelem_shape_responses, RESPONSES_THOUGHT RESPONSES_MESSAGE RESPONSES_SEALED RESPONSES_COMPLETED,
               "{\"role\":\"AI\",\"text\":\"4\",\"events\":["
               "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"Hm\",\"metadata\":{\"item_id\":\"r\"}},"
               "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"4\",\"metadata\":{\"item_id\":\"m\"}},"
               "{\"eventType\":\"Flush\",\"index\":0,\"metadata\":{\"encrypted_content\":\"gAAA\"}}]}");
}

TEST(text_alone_or_events_alone_where_asked)
{
    elelem_history_builder_desc desc = ELELEM_INIT;
    elelem_event events[2];

    events[0] = part(ELELEM_PART_MESSAGE, 0, "a");
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
    CHECK_INT(elelem_history_builder_finish(&builder, &entry), ELELEM_ERROR_MISUSE);
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

TEST(entries_are_read_and_checked)
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

typedef struct refusing {
    int calls;
    int refuse; /* the call that is refused */
    int onward; /* and all behind it */
    size_t lent;
} refusing;

static void *refusing_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    refusing *r = (refusing *)context;
    void *moved;

    if (new_size > 0) {
        r->calls++;
        if (r->calls == r->refuse || (r->onward && r->calls > r->refuse)) return NULL;
    }
    moved = new_size > 0 ? malloc(new_size) : NULL;
    if (block && moved) memcpy(moved, block, old_size < new_size ? old_size : new_size);
    if (block) {
        memset(block, 0xdd, old_size);
        free(block);
    }
    r->lent += new_size - (block ? old_size : 0);
    return moved;
}

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
    if (status == ELELEM_MORE) status = elelem_history_builder_finish(&b, &entry);
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
            refusing r = { 0, 0, 0, 0 };
            elelem_allocator allocator;
            elelem_buffer into;
            elelem_status status;
            int reached;
            check_cut(onward ? "refused from call" : "refused at call", (size_t)k);
            r.refuse = k;
            r.onward = onward;
            allocator.resize = refusing_resize;
            allocator.context = &r;
            elelem_buffer_init(&into, no_allocator, 0);
            status = replay_all(allocator, &into);
            reached = r.calls >= k;
            CHECK_INT(r.lent, 0);
            if (status == ELELEM_OK)
                CHECK_STR(elelem_buffer_text(&into).data, elelem_buffer_text(&into).size, history_of_everything);
            else
                CHECK_INT(status, ELELEM_ERROR_MEMORY);
            if (status == ELELEM_OK) {
                r.calls = 0;
                status = read_all(allocator, elelem_buffer_text(&into));
                CHECK(status == ELELEM_OK || status == ELELEM_ERROR_MEMORY);
                CHECK_INT(r.lent, 0);
            }
            elelem_buffer_free(&into);
            if (!reached) break;
        }
        CHECK(k > 20);
    }
}

/* A call with arguments that need memory to be looked at, and its flush; counts the pushes that were refused, each
   of which is repeated. */
static int record_a_deep_call(elelem_allocator allocator)
{
    static char arguments[601];
    elelem_event events[4];
    elelem_recorder_desc desc = ELELEM_INIT;
    int i, refused = 0;

    memset(arguments, '[', 300);
    memset(arguments + 300, ']', 300);
    events[0] = call_start(0, "c", "f");
    events[1] = call_arguments(0, arguments);
    events[2] = flush(0);
    events[3] = finished(ELELEM_FINISH_TOOL_CALLS, "");
    desc.sink = elelem_buffer_sink(&out);
    desc.allocator = allocator;
    desc.tool_calls = 1;
    elelem_recorder_init(&recorder, &desc);
    for (i = 0; i < 4; i++) {
        size_t before = elelem_buffer_text(&out).size;
        elelem_status status = elelem_recorder_push(&recorder, &events[i]);
        if (status == ELELEM_OK) continue;
        CHECK_INT(status, ELELEM_ERROR_MEMORY);
        CHECK_U64(elelem_buffer_text(&out).size, before);
        refused++;
        if (elelem_recorder_push(&recorder, &events[i]) != ELELEM_OK) break;
    }
    elelem_recorder_free(&recorder);
    return refused;
}

TEST(a_tool_call_without_memory_for_its_line_leaves_no_part_of_it_and_is_written_at_the_next_flush)
{
    elelem_allocator allocator;
    elelem_buffer whole;
    int k, refused = 0;

    elelem_buffer_init(&whole, no_allocator, 0);
    open_recorder();
    record_a_deep_call(no_allocator);
    elelem_buffer_append(&whole, elelem_buffer_text(&out).data, elelem_buffer_text(&out).size);
    allocator.resize = refusing_resize;
    for (k = 1; k < 20; k++) {
        refusing r = { 0, 0, 0, 0 };
        check_cut("refused at call", (size_t)k);
        r.refuse = k;
        allocator.context = &r;
        elelem_buffer_clear(&out);
        refused += record_a_deep_call(allocator);
        CHECK_INT(r.lent, 0);
        CHECK_BYTES(elelem_buffer_text(&out).data, elelem_buffer_text(&out).size, elelem_buffer_text(&whole).data,
                    elelem_buffer_text(&whole).size);
        if (r.calls < k) break;
    }
    CHECK(refused > 1 && k < 20);
    elelem_buffer_free(&whole);
    close_recorder();
}

TEST(reading_an_entry_survives_memory_refused_at_any_call)
{
    int k;

    for (k = 1; k < 100; k++) {
        refusing r = { 0, 0, 1, 0 };
        elelem_allocator allocator;
        elelem_status status;
        r.refuse = k;
        allocator.resize = refusing_resize;
        allocator.context = &r;
        status = read_all(allocator, text_of(history_of_everything));
        CHECK_INT(r.lent, 0);
        if (r.calls < k) CHECK_INT(status, ELELEM_OK);
        if (r.calls < k) break;
        CHECK(status == ELELEM_OK || status == ELELEM_ERROR_MEMORY);
    }
    CHECK(k > 2 && k < 100);
}

TEST(zeroed_objects_may_be_freed)
{
    elelem_recorder a = ELELEM_INIT;
    elelem_replayer b = ELELEM_INIT;
    elelem_event_coalescer c = ELELEM_INIT;
    elelem_history_builder d = ELELEM_INIT;
    elelem_history_reader e = ELELEM_INIT;

    elelem_recorder_free(&a);
    elelem_replayer_free(&b);
    elelem_event_coalescer_free(&c);
    elelem_history_builder_free(&d);
    elelem_history_reader_free(&e);
    CHECK(1);
}

CHECK_MAIN("record",
           RUN(every_kind_of_event_has_its_line)
           RUN(what_is_unknown_is_left_out)
           RUN(another_choice_is_named)
           RUN(control_bytes_and_newlines_in_a_providers_message_are_escaped)
           RUN(metadata_that_is_no_json_is_refused_and_nothing_is_written)
           RUN(time_and_members_of_the_callers_own_go_on_every_line)
           RUN(members_of_the_callers_own_that_are_no_json_or_pass_for_ours_are_refused)
           RUN(an_application_line_is_checked_and_kept)
           RUN(a_tool_result_is_written_as_json_or_as_text)
           RUN(on_request_a_tool_call_also_becomes_one_line_before_its_flush)
           RUN(the_line_of_a_tool_call_has_the_metadata_of_its_parts_and_of_its_flush)
           RUN(a_call_that_a_broken_stream_left_open_does_not_mix_with_the_next_stream)
           RUN(what_the_sink_answers_sticks)
           RUN(an_event_of_no_known_kind_is_a_mistake)
           RUN(the_plain_text_of_a_stream_is_choice_0s_message)
           RUN(lines_1_whole_lines_at_once)
           RUN(lines_2_a_line_over_two_chunks)
           RUN(lines_3_json_cut_inside_a_string)
           RUN(lines_4_the_last_line_needs_no_newline)
           RUN(lines_5_empty_lines_are_skipped)
           RUN(lines_6_no_input_gives_no_line)
           RUN(lines_7_four_chunks_one_line)
           RUN(lines_8_whole_and_part_mixed)
           RUN(lines_9_a_realistic_stream)
           RUN(lines_10_an_empty_chunk_changes_nothing)
           RUN(lines_11_nothing_but_empty_chunks_gives_nothing)
           RUN(lines_12_white_space_around_an_object_goes_and_not_only_on_the_last_line)
           RUN(lines_13_when_the_source_fails_the_caller_finishes_and_gets_what_is_whole_but_never_half_a_line)
           RUN(lines_14_single_characters)
           RUN(lines_15_only_newlines_give_nothing)
           RUN(lines_16_ten_thousand_characters_over_two_chunks)
           RUN(crlf_ends_a_line_like_lf)
           RUN(a_recording_that_was_cut_or_is_hostile_is_refused_with_its_offset)
           RUN(the_line_that_was_refused_has_a_number)
           RUN(a_line_has_a_limit)
           RUN(a_line_without_end_costs_no_more_than_the_limit)
           RUN(empty_lines_without_end_cost_nothing)
           RUN(a_line_of_ours_that_came_whole_takes_no_memory_of_its_size)
           RUN(our_lines_come_back_as_events)
           RUN(objects_that_are_no_event_of_ours_stay_as_they_are)
           RUN(keys_count_by_what_they_spell_and_the_last_of_equal_ones)
           RUN(all_lines_come_as_they_are_where_asked)
           RUN(a_client_goes_on_behind_the_items_it_has)
           RUN(times_are_kept_so_a_recording_can_be_replayed_at_its_own_pace)
           RUN(plain_text_comes_back_in_whole_characters)
           RUN(plain_text_goes_on_behind_the_bytes_a_client_has)
           RUN(an_event_stream_carries_the_same_lines_with_ids_counted_up)
           RUN(a_client_that_comes_again_with_its_last_event_id_gets_the_frames_behind_it)
           RUN(coalescing_1_adjacent_text_becomes_one)
           RUN(coalescing_2_adjacent_thinking_becomes_one)
           RUN(coalescing_3_other_events_pass_unchanged)
           RUN(coalescing_4_text_tool_text_gives_three)
           RUN(coalescing_5_thinking_then_text_gives_two)
           RUN(coalescing_6_the_final_text_is_the_text_events_only_and_unlike_in_the_origin_asking_changes_nothing)
           RUN(coalescing_7_nothing_gives_nothing)
           RUN(coalescing_8_reset_forgets_what_was_kept)
           RUN(coalescing_9_a_tool_result_passes_with_its_output)
           RUN(coalescing_10_input_may_be_an_object_or_a_string)
           RUN(coalescing_11_a_line_that_is_no_json_is_refused_and_unlike_in_the_origin_ends_no_run)
           RUN(coalescing_12_a_single_event_stays_itself)
           RUN(coalescing_13_text_without_a_chunk_is_not_merged_and_passes)
           RUN(coalescing_13b_a_null_chunk_passes_and_unlike_in_the_origin_is_not_the_word_null)
           RUN(coalescing_14_the_completion_after_text_is_kept)
           RUN(unlike_in_the_origin_merged_events_keep_their_other_members)
           RUN(metadata_of_merged_events_merges_and_arrays_are_added_to)
           RUN(metadata_with_very_many_keys_ends_a_run_and_is_never_lost)
           RUN(flushes_go_and_end_no_run)
           RUN(metadata_that_comes_only_with_the_flush_is_kept_with_what_it_ends)
           RUN(of_equal_keys_that_of_the_flush_counts_and_arrays_are_added_to)
           RUN(a_flush_stays_with_its_metadata_where_what_it_ends_was_given_out_already)
           RUN(an_array_and_something_else_under_one_key_do_not_merge_for_their_order_counts)
           RUN(indexes_and_choices_stay_apart)
           RUN(a_tool_call_becomes_one_line_when_it_is_flushed)
           RUN(arguments_cannot_forge_a_line)
           RUN(tool_calls_side_by_side_stay_apart_and_text_goes_on_meanwhile)
           RUN(a_live_record_with_tool_calls_gives_each_call_once)
           RUN(the_line_of_a_call_that_another_choice_made_says_so)
           RUN(behind_the_line_of_its_call_a_flush_stays_with_the_metadata_that_the_line_lacks)
           RUN(metadata_that_the_line_of_a_call_has_on_one_line_and_its_event_on_several_is_the_same)
           RUN(the_line_of_another_call_does_not_stand_for_this_one)
           RUN(the_type_of_a_line_is_what_it_spells_also_for_the_coalescer)
           RUN(a_tool_call_that_is_never_flushed_stays_a_start_and_its_arguments)
           RUN(members_that_would_pass_for_ours_on_the_line_of_a_call_are_left_out)
           RUN(a_tool_calls_metadata_and_members_come_with_it)
           RUN(the_coalescer_has_limits)
           RUN(a_tool_calls_metadata_has_at_most_64_keys)
           RUN(the_coalescer_takes_one_thing_at_a_time)
           RUN(scenario_1_an_entry_with_events)
           RUN(scenario_2_an_entry_with_text_alone)
           RUN(scenario_3_an_entry_with_a_text_of_its_own_and_events)
           RUN(a_users_entry_is_text)
           RUN(adapter_1_each_event_is_recorded_as_one_line)
           RUN(adapter_2_at_the_streams_end_the_history_has_the_events_coalesced)
           RUN(adapter_3_events_that_were_recorded_and_stored_are_handed_on_as_they_were)
           RUN(adapter_4_a_cancelled_turn_keeps_what_came_and_says_so)
           RUN(adapter_5_a_broken_turn_keeps_what_came_and_says_so)
           RUN(an_entry_of_lines_is_not_broken_unless_a_line_says_so)
           RUN(an_entry_takes_no_line_that_its_reader_refuses)
           RUN(the_signature_of_a_thought_is_in_the_history)
           RUN(encrypted_reasoning_is_in_the_history)
           RUN(encrypted_reasoning_that_comes_behind_other_text_is_in_the_history_as_a_flush)
           RUN(text_alone_or_events_alone_where_asked)
           RUN(an_entry_of_nothing_is_a_mistake)
           RUN(entries_are_read_and_checked)
           RUN(an_entry_has_a_limit)
           RUN(memory_refused_at_any_call_is_an_error_or_survived_and_never_leaks)
           RUN(a_tool_call_without_memory_for_its_line_leaves_no_part_of_it_and_is_written_at_the_next_flush)
           RUN(reading_an_entry_survives_memory_refused_at_any_call)
           RUN(zeroed_objects_may_be_freed))
