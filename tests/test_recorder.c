/* The recorder: events to lines, to an event stream, to text. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "limits.h"
#include "records.h"

TEST(every_kind_of_event_has_its_line)
{
    elelem_metadata_entry entry[2];
    elelem_event event;

    open_recorder();
    start_recorder();
    record(message(1, "Let me"));
    event = reasoning(0, "The user\xe2\x80\xa6");
    entry[0].key = text_of("signature");
    entry[0].json = text_of("\"c2ln\"");
    event.metadata.entries = entry;
    event.metadata.count = 1;
    record(event);
    record(structured(1, "{\"a\""));
    record(start(2, "call_1", "get_weather"));
    record(chunk(2, "{\"ci"));
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
    record(start(0, "", ""));
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
    elelem_event event = message(4, "b");

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
    elelem_event event = message(0, "a");
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
    record(start(2, "", "f"));
    record(start(3, "c3", "g"));
    record(chunk(2, "{\"a\":"));
    record(chunk(3, "{\"a\":"));
    record(start(2, "c2", "other"));
    record(chunk(2, " \n1}"));
    record(flush(2));
    record(flush(3));
    record(start(4, "", "h"));
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
    elelem_event event = start(1, "c", "f");

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
    record(start(1, "old", "f"));
    record(chunk(1, "{\"a\":1"));
    record(failed(ELELEM_ERROR_KIND_CONNECT, "gone"));
    elelem_buffer_clear(&out);
    record(start(1, "new", "g"));
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
    event = part(1, (elelem_part_kind)7, "");
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
    record(reasoning(0, "hm"));
    record(message(1, "Hel"));
    record(message(1, "lo\n\""));
    event = message(2, "other");
    event.choice = 1;
    record(event);
    record(start(3, "", "f"));
    record(finished(ELELEM_FINISH_COMPLETED, ""));
    CHECK_OUT("Hello\n\"");
    close_recorder();
}

/* Event streams. */

TEST(an_event_stream_carries_the_same_lines_with_ids_counted_up)
{
    open_recorder();
    recorder_desc.format = ELELEM_RECORD_SSE;
    recorder_desc.first = 16;
    start_recorder();
    record(message(0, "a\nb"));
    CHECK_INT(elelem_recorder_push_line(&recorder, text_of("{\"eventType\":\"X\"}")), ELELEM_OK);
    CHECK_OUT("id: 17\ndata: {\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\\nb\"}\n\n"
              "id: 18\ndata: {\"eventType\":\"X\"}\n\n");
    CHECK_U64(elelem_recorder_count(&recorder), 18);
    close_recorder();
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
    events[0] = start(0, "c", "f");
    events[1] = chunk(0, arguments);
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
    elelem_buffer whole;
    int k, refused = 0;

    elelem_buffer_init(&whole, no_allocator, 0);
    open_recorder();
    record_a_deep_call(no_allocator);
    CHECK_INT(elelem_buffer_append(&whole, elelem_buffer_text(&out).data, elelem_buffer_text(&out).size), ELELEM_OK);
    for (k = 1; k < 20; k++) {
        limits_heap heap = ELELEM_INIT;
        check_cut("refused at call", (size_t)k);
        heap.refuse = k;
        elelem_buffer_clear(&out);
        refused += record_a_deep_call(limits_allocator(&heap));
        CHECK_U64(heap.live, 0);
        CHECK_BYTES(elelem_buffer_text(&out).data, elelem_buffer_text(&out).size, elelem_buffer_text(&whole).data,
                    elelem_buffer_text(&whole).size);
        if (heap.calls < k) break;
    }
    CHECK(refused > 1 && k < 20);
    elelem_buffer_free(&whole);
    close_recorder();
}

TEST(zeroed_objects_may_be_freed)
{
    elelem_recorder zeroed = ELELEM_INIT;

    elelem_recorder_free(&zeroed);
    CHECK(1);
}

CHECK_MAIN("recorder",
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
           RUN(an_event_stream_carries_the_same_lines_with_ids_counted_up)
           RUN(a_tool_call_without_memory_for_its_line_leaves_no_part_of_it_and_is_written_at_the_next_flush)
           RUN(zeroed_objects_may_be_freed))
