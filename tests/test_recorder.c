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
    event.usage.cache_written = 5;
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
        "\"usage\":{\"input\":12,\"output\":34,\"cached\":0,\"reasoning\":0,\"cacheWritten\":5}}\n"
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

TEST(control_bytes_and_newlines_in_a_providers_message_are_escaped) /* P8 */
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

/* A text that ends a string, an object and a line, and begins another line, with each control byte. */
static const char *forger(void)
{
    static char text[200];
    char *at = text;
    int c;

    at += sprintf(at, "x\\\"}\n{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}\r\n\ndata: {\"eventType\":\"Flush\"}\n\n");
    for (c = 1; c < 0x20; c++)
        *at++ = (char)c;
    strcpy(at, "\x7f\xc2\x85\xe2\x80\xa8\\");
    return text;
}

#define FORGERS 10

/* An event with that text as one of its texts. */
static elelem_event forged(int which, elelem_metadata_entry *entry)
{
    const char *text = forger();
    elelem_event event = which < 4 ? start(1, "c", "f") : which < 6 ? provider_item(2, "t", "{}") : which < 8 ? finished(ELELEM_FINISH_OTHER, "r")
                                                                                                  : failed(ELELEM_ERROR_KIND_OTHER, "m");

    if (which == 0) event.part.tool_call.id = text_of(text);
    if (which == 1) event.part.tool_call.name = text_of(text);
    if (which == 2) event.part.tool_call.type = text_of(text);
    if (which == 4) event.part.type = text_of(text);
    if (which == 5) event.part.caption = text_of(text);
    if (which == 6) event.raw_reason = text_of(text);
    if (which == 8) event.error.code = text_of(text);
    if (which == 9) event.error.message = text_of(text);
    entry->key = text_of(which == 3 || which == 7 ? text : "k");
    entry->json = text_of("1");
    event.metadata.entries = entry;
    event.metadata.count = 1;
    return event;
}

/* Nonzero if the bytes are one line: they have no control byte but the line end after them. */
static int is_one_line(elelem_str text)
{
    size_t i;

    for (i = 0; i + 1 < text.size; i++)
        if ((unsigned char)text.data[i] < 0x20) return 0;
    return text.size > 0 && text.data[text.size - 1] == '\n';
}

/* Nonzero if these texts of two events are the same. */
static int same_texts(const elelem_event *a, const elelem_event *b)
{
    const elelem_str texts[][2] = {
        { a->part.tool_call.id, b->part.tool_call.id }, { a->part.tool_call.name, b->part.tool_call.name },
        { a->part.tool_call.type, b->part.tool_call.type }, { a->part.type, b->part.type }, { a->part.caption, b->part.caption },
        { a->raw_reason, b->raw_reason }, { a->error.code, b->error.code }, { a->error.message, b->error.message },
        { a->metadata.entries[0].key, b->metadata.entries[0].key },
    };
    size_t i;

    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!CHECK_BYTES(texts[i][0].data, texts[i][0].size, texts[i][1].data, texts[i][1].size)) return 0;
    return 1;
}

TEST(no_text_of_an_event_can_forge_a_line_and_all_are_read_back) /* P8 */
{
    elelem_metadata_entry entry;
    elelem_replayer replayer;
    elelem_record_item item;
    elelem_event event;
    elelem_str line;
    int i;

    for (i = 0; i < FORGERS; i++) {
        check_cut("text", (size_t)i);
        open_recorder();
        start_recorder();
        event = forged(i, &entry);
        record(event);
        line = elelem_buffer_text(&out);
        CHECK(is_one_line(line));
        elelem_replayer_init(&replayer, NULL);
        elelem_replayer_push(&replayer, line.data, line.size);
        if (CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK) && CHECK_INT(item.event.metadata.count, 1)) {
            CHECK_INT(item.event.kind, event.kind);
            same_texts(&item.event, &event);
        }
        CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_MORE);
        elelem_replayer_free(&replayer);
        close_recorder();
    }
}

/* The line before a call's flush has its id, name and metadata, and that of a tool what the application says of the call. */
TEST(no_text_of_a_call_can_forge_the_line_before_its_flush_or_that_of_its_result) /* P8 */
{
    elelem_tool_executed executed = ELELEM_INIT;
    elelem_metadata_entry entry;
    size_t lines, i;
    elelem_str text;
    int which;

    for (which = 0; which < 4; which++) {
        check_cut("text", (size_t)which);
        open_recorder();
        recorder_desc.tool_calls = 1;
        start_recorder();
        record(forged(which, &entry));
        record(chunk(1, "{}"));
        record(flush(1));
        executed.id = executed.name = executed.output = text_of(forger());
        executed.output_is_text = 1;
        CHECK_INT(elelem_recorder_push_executed(&recorder, &executed), ELELEM_OK);
        text = elelem_buffer_text(&out);
        for (i = lines = 0; i < text.size; i++) {
            lines += text.data[i] == '\n';
            CHECK((unsigned char)text.data[i] >= 0x20 || text.data[i] == '\n');
            if (text.data[i] == '\n' && i + 1 < text.size) CHECK(strncmp(text.data + i + 1, "{\"eventType\":\"", 14) == 0);
        }
        CHECK_INT(lines, 5);
        close_recorder();
    }
}

TEST(no_text_of_an_event_can_forge_a_frame_of_an_event_stream) /* P8 */
{
    elelem_metadata_entry entry;
    elelem_sse_decoder decoder;
    elelem_frame frame;
    size_t frames;
    elelem_str text;
    int i;

    for (i = 0; i < FORGERS; i++) {
        check_cut("text", (size_t)i);
        open_recorder();
        recorder_desc.format = ELELEM_RECORD_SSE;
        start_recorder();
        record(forged(i, &entry));
        text = elelem_buffer_text(&out);
        elelem_sse_decoder_init(&decoder, NULL);
        elelem_sse_decoder_push(&decoder, text.data, text.size);
        for (frames = 0; elelem_sse_decoder_next(&decoder, &frame) == ELELEM_OK;)
            frames += frame.kind == ELELEM_FRAME_DISPATCH;
        CHECK_INT(frames, 1);
        elelem_sse_decoder_free(&decoder);
        close_recorder();
    }
}

TEST(metadata_that_is_no_json_is_refused_and_nothing_is_written) /* P8 */
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

/* The event with one metadata, of the key k. */
static elelem_event with_metadata(elelem_event event, elelem_metadata_entry *entry, const char *json)
{
    entry->key = text_of("k");
    entry->json = text_of(json);
    event.metadata.entries = entry;
    event.metadata.count = 1;
    return event;
}

/* As the replayer gives it, so that the event is recorded again as it was. */
TEST(metadata_goes_out_without_the_whitespace_around_it)
{
    elelem_metadata_entry entry;
    elelem_event event = flush(1);

    open_recorder();
    start_recorder();
    record(with_metadata(event, &entry, " \n {\"a\": \" \"} \t "));
    CHECK_OUT("{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"k\":{\"a\": \" \"}}}\n");
    close_recorder();
}

TEST(time_and_the_callers_own_members_are_on_every_line)
{
    elelem_metadata_entry entry;
    elelem_event event = message(0, "a");
    elelem_tool_executed executed = ELELEM_INIT;

    open_recorder();
    recorder_desc.extra = text_of(" \"taskId\":\"t-1\",\n\"try\":2");
    start_recorder();
    record(with_metadata(event, &entry, "null"));
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

TEST(the_callers_own_members_are_refused_if_they_are_no_json_or_have_a_reserved_name)
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

TEST(the_error_of_a_sink_sticks)
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

/* Everything that is pushed to a recorder, with metadata in containers and a call in parts: one push each. */
#define EVERYTHING 13

static elelem_status push_one_of_everything(int which)
{
    static const elelem_metadata_entry more[] = {
        { { "list", 4 }, { "[ {\"a\":[2]}, \"so long that it does not fit into the block that is there already\" ]", 82 } },
        { { "new", 3 }, { "[2]", 3 } },
        { { "new", 3 }, { "[\"and this one neither, which is merged into what the list itself began\"]", 73 } },
    };
    static char deep[1001];
    elelem_event events[10];
    elelem_tool_executed executed = ELELEM_INIT;
    elelem_record_item item = ELELEM_INIT;

    memset(deep, '[', 500);
    memset(deep + 500, ']', 500);
    events[0] = with(message(0, "a\nb"), "k", "[[1]]");
    events[1] = with(start(1, "", "f"), "list", "[1]");
    events[2] = chunk(1, deep);
    events[3] = chunk(1, " ");
    events[3].metadata.entries = more;
    events[3].metadata.count = 3;
    events[4] = with(start(1, "c", "g"), "sign", "\"s\"");
    events[5] = with(flush(1), "list", "[3]");
    events[6] = flush(0);
    events[7] = start(2, "d", "h");
    events[8] = flush(2);
    events[9] = finished(ELELEM_FINISH_TOOL_CALLS, "x");
    executed.name = text_of("f");
    executed.input = text_of("{\"a\":[[1]]}");
    item.kind = ELELEM_RECORD_EVENT;
    item.event = reasoning(4, "hm");
    item.extra = text_of("\"x\":[[[1]]]");
    item.time_ms = -1;
    if (which < 10) return elelem_recorder_push(&recorder, &events[which]);
    if (which == 10) return elelem_recorder_push_executed(&recorder, &executed);
    if (which == 11) return elelem_recorder_push_item(&recorder, &item);
    return elelem_recorder_push_line(&recorder, text_of("{\"eventType\":\"X\",\"a\":[[[]]]}"));
}

static void start_everything(elelem_allocator allocator, elelem_record_format format)
{
    elelem_recorder_free(&recorder);
    recorder_desc.allocator = allocator;
    recorder_desc.tool_calls = 1;
    recorder_desc.format = (uint8_t)format;
    recorder_desc.extra = text_of("\"task\":[[1]]");
    start_recorder();
}

static size_t lines_in(elelem_str text)
{
    size_t i, count = 0;

    for (i = 0; i < text.size; i++)
        count += text.data[i] == '\n';
    return count;
}

TEST(refused_memory_changes_neither_the_record_nor_the_recorder)
{
    elelem_buffer whole;
    int i, k, stays, refused = 0, reached = 1;

    open_recorder();
    start_everything(no_allocator, ELELEM_RECORD_LINES);
    for (i = 0; i < EVERYTHING; i++)
        CHECK_INT(push_one_of_everything(i), ELELEM_OK);
    whole = out;
    for (k = 1; reached && k < 100; k++)
        for (stays = 0; stays < 2; stays++) {
            limits_heap heap = ELELEM_INIT;
            check_cut(stays ? "refused from call" : "refused at call", (size_t)k);
            heap.refuse = k;
            heap.stays = stays;
            elelem_buffer_init(&out, no_allocator, 0);
            start_everything(limits_allocator(&heap), ELELEM_RECORD_LINES);
            for (i = 0; i < EVERYTHING; i++) {
                size_t before = elelem_buffer_text(&out).size;
                elelem_status status = push_one_of_everything(i);
                if (status == ELELEM_OK) continue;
                refused++;
                CHECK_INT(status, ELELEM_ERROR_MEMORY);
                CHECK_U64(elelem_buffer_text(&out).size, before);
                if (!stays) CHECK_INT(push_one_of_everything(i), ELELEM_OK);
            }
            CHECK_U64(elelem_recorder_count(&recorder), lines_in(elelem_buffer_text(&out)));
            if (!stays)
                CHECK_BYTES(elelem_buffer_text(&out).data, elelem_buffer_text(&out).size,
                            elelem_buffer_text(&whole).data, elelem_buffer_text(&whole).size);
            reached = heap.calls >= k;
            elelem_recorder_free(&recorder);
            CHECK_U64(heap.live, 0);
            elelem_buffer_free(&out);
        }
    CHECK(refused > 20 && k < 100);
    elelem_buffer_free(&whole);
    close_recorder();
}

static elelem_str text_before(const char *text, size_t size)
{
    elelem_str slice;

    slice.data = text;
    slice.size = size;
    return slice;
}

/* How many whole lines, or frames, a reader finds in a record that was cut. */
static size_t whole_lines(elelem_str text)
{
    elelem_replayer replayer;
    elelem_record_item item;
    elelem_status status;
    size_t count = 0;

    elelem_replayer_init(&replayer, NULL);
    elelem_replayer_push(&replayer, text.data, text.size);
    elelem_replayer_finish(&replayer);
    while ((status = elelem_replayer_next(&replayer, &item)) == ELELEM_OK)
        count++;
    CHECK(status == ELELEM_END || status == ELELEM_ERROR_TRUNCATED);
    elelem_replayer_free(&replayer);
    return count;
}

static size_t whole_frames(elelem_str text)
{
    elelem_sse_decoder decoder;
    elelem_frame frame;
    size_t count = 0;

    elelem_sse_decoder_init(&decoder, NULL);
    elelem_sse_decoder_push(&decoder, text.data, text.size);
    elelem_sse_decoder_finish(&decoder);
    while (elelem_sse_decoder_next(&decoder, &frame) == ELELEM_OK)
        count += frame.kind == ELELEM_FRAME_DISPATCH;
    elelem_sse_decoder_free(&decoder);
    return count;
}

TEST(a_sink_that_refuses_at_any_byte_is_left_with_what_was_reported_and_nothing_that_looks_whole)
{
    static char text[8000];
    elelem_span_sink span = ELELEM_INIT;
    size_t room, format;
    int i, ended;

    for (format = 0; format < 2; format++)
        for (room = 0, ended = 0; !ended; room++) {
            check_cut("room for", room);
            open_recorder();
            memset(&span, 0, sizeof span);
            span.data = text;
            span.capacity = room;
            recorder_desc.sink = elelem_span_sink_of(&span);
            start_everything(no_allocator, (elelem_record_format)format);
            ended = 1;
            for (i = 0; i < EVERYTHING; i++) {
                size_t before = span.size;
                elelem_status status = push_one_of_everything(i);
                if (!ended) CHECK_U64(span.size, before);
                if (ended && status == ELELEM_OK) continue;
                CHECK_INT(status, ELELEM_ERROR_VALUE_SIZE);
                span.capacity = sizeof text;
                ended = 0;
            }
            CHECK_U64(elelem_recorder_count(&recorder),
                      format == ELELEM_RECORD_SSE ? whole_frames(text_before(text, span.size)) : whole_lines(text_before(text, span.size)));
            close_recorder();
        }
    CHECK(room > 1000);
}

TEST(a_recorder_that_is_reset_forgets_open_calls_and_errors)
{
    elelem_event more = chunk(1, "1");

    open_recorder();
    recorder_desc.tool_calls = 1;
    recorder_desc.max_call_bytes = 3;
    start_recorder();
    record(start(1, "c", "f"));
    elelem_recorder_time(&recorder, 5);
    elelem_recorder_reset(&recorder);
    elelem_buffer_clear(&out);
    record(start(1, "", "g"));
    elelem_recorder_reset(&recorder);
    elelem_buffer_clear(&out);
    record(start(1, "ab", "g"));
    CHECK_INT(elelem_recorder_push(&recorder, &more), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_recorder_push(&recorder, &more), ELELEM_ERROR_VALUE_SIZE);
    elelem_recorder_reset(&recorder);
    elelem_buffer_clear(&out);
    record(start(1, "", "h"));
    record(flush(1));
    CHECK_OUT("{\"eventType\":\"ToolCallStart\",\"index\":1,\"toolName\":\"h\"}\n"
              "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"toolName\":\"h\",\"input\":{}}\n"
              "{\"eventType\":\"Flush\",\"index\":1}\n");
    close_recorder();
}

TEST(an_id_or_name_that_comes_late_is_in_the_line_of_the_call)
{
    open_recorder();
    recorder_desc.tool_calls = 1;
    start_recorder();
    record(chunk(1, "{}"));
    record(start(1, "", "f"));
    record(start(1, "c", "g"));
    elelem_buffer_clear(&out);
    record(flush(1));
    CHECK_OUT("{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"input\":{}}\n"
              "{\"eventType\":\"Flush\",\"index\":1}\n");
    close_recorder();
}

TEST(limits_of_one_are_kept)
{
    elelem_event second = start(2, "", "g");
    elelem_event long_name = start(1, "", "fg");

    open_recorder();
    recorder_desc.tool_calls = 1;
    recorder_desc.max_calls = 1;
    recorder_desc.max_call_bytes = 1;
    start_recorder();
    record(start(1, "", "f"));
    record(flush(1));
    record(start(1, "", "f"));
    CHECK_INT(elelem_recorder_push(&recorder, &second), ELELEM_ERROR_COUNT);
    elelem_recorder_reset(&recorder);
    CHECK_INT(elelem_recorder_push(&recorder, &long_name), ELELEM_ERROR_VALUE_SIZE);
    close_recorder();
}

TEST(reserved_names_are_refused_for_extra_members_however_they_are_spelled)
{
    static const struct {
        const char *extra;
        elelem_status status;
    } rows[] = {
        { "\"\\u0069ndex\":1", ELELEM_ERROR_MISUSE },   { "\"x\":1,\"chun\\u006B\":\"y\"", ELELEM_ERROR_MISUSE },
        { "\"inpu\\u0074\":1", ELELEM_ERROR_MISUSE },   { "\"\\u0169ndex\":1", ELELEM_OK },
        { "\"index\\u0000\":1", ELELEM_OK },            { "\"ind\\nex\":1,\"inde\":2,\"indexx\":3,\"\":4", ELELEM_OK },
    };
    elelem_event event = message(0, "a");
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].extra);
        open_recorder();
        recorder_desc.extra = text_of(rows[i].extra);
        start_recorder();
        CHECK_INT(elelem_recorder_push(&recorder, &event), rows[i].status);
        close_recorder();
    }
}

TEST(an_item_whose_extra_members_would_change_its_event_is_refused)
{
    elelem_record_item item = ELELEM_INIT;

    open_recorder();
    start_recorder();
    item.kind = ELELEM_RECORD_EVENT;
    item.event = flush(1);
    item.time_ms = -1;
    item.extra = text_of("\"inde\\u0078\":2");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_ERROR_MISUSE);
    item.extra = text_of("\"timeMs\":2");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_ERROR_MISUSE);
    item.extra = text_of("\"chunk\":2");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    CHECK_OUT("{\"eventType\":\"Flush\",\"index\":1,\"chunk\":2}\n");
    close_recorder();
}

/* A value of so many arrays inside each other. */
static const char *nested(char *text, size_t depth)
{
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
    return text;
}

TEST(what_is_nested_as_deeply_as_a_recorder_takes_is_read_again)
{
    static char text[1200], line[1300];
    elelem_event event;
    size_t i;

    open_recorder();
    recorder_desc.tool_calls = 1;
    start_recorder();
    record(with(flush(1), "k", nested(text, 512)));
    record(chunk(2, text));
    record(flush(2));
    event = with(flush(1), "k", nested(text, 513));
    CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_ERROR_DEPTH);
    for (i = 513; i < 515; i++) {
        snprintf(line, sizeof line, "{\"eventType\":\"X\",\"x\":%s}", nested(text, i));
        CHECK_INT(elelem_recorder_push_line(&recorder, text_of(line)), i > 513 ? ELELEM_ERROR_DEPTH : ELELEM_OK);
    }
    CHECK_U64(whole_lines(elelem_buffer_text(&out)), 5);
    close_recorder();
}

TEST(an_event_has_as_much_metadata_as_a_replayer_reads)
{
    static elelem_metadata_entry entries[257];
    elelem_replayer replayer;
    elelem_record_item item;
    elelem_event event = flush(1);
    size_t i;

    for (i = 0; i < 257; i++)
        entries[i] = with(flush(1), "k", "1").metadata.entries[0];
    event.metadata.entries = entries;
    event.metadata.count = 257;
    open_recorder();
    start_recorder();
    CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_ERROR_COUNT);
    event.metadata.count = 256;
    CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_OK);
    elelem_replayer_init(&replayer, NULL);
    elelem_replayer_push(&replayer, elelem_buffer_text(&out).data, elelem_buffer_text(&out).size);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
    CHECK_INT(item.kind, ELELEM_RECORD_EVENT);
    CHECK_U64(item.event.metadata.count, 256);
    elelem_replayer_free(&replayer);
    close_recorder();
}

TEST(a_status_that_is_no_error_is_left_out)
{
    elelem_event event = failed(ELELEM_ERROR_KIND_PROTOCOL, "m");
    static const int32_t statuses[] = { ELELEM_MORE, ELELEM_END, 77, -99 };
    size_t i;

    for (i = 0; i < 4; i++) {
        open_recorder();
        start_recorder();
        event.error.status = statuses[i];
        record(event);
        CHECK_OUT("{\"eventType\":\"Error\",\"kind\":\"protocol\",\"retryable\":false,\"message\":\"m\"}\n");
        close_recorder();
    }
}

TEST(zeroed_objects_may_be_freed)
{
    elelem_recorder zeroed = ELELEM_INIT;

    elelem_recorder_free(&zeroed);
    CHECK(1);
}

TEST(plain_text_has_no_empty_pieces_and_takes_items_too)
{
    elelem_record_item item = ELELEM_INIT;

    open_recorder();
    recorder_desc.format = ELELEM_RECORD_TEXT;
    start_recorder();
    item.kind = ELELEM_RECORD_EVENT;
    item.event = message(1, "Hel");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    record(message(1, ""));
    item.event = message(1, "");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    item.event = reasoning(0, "hm");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    record(message(1, "lo"));
    CHECK_OUT("Hello");
    CHECK_U64(elelem_recorder_count(&recorder), 2);
    close_recorder();
}

TEST(a_tool_result_whose_input_is_no_json_is_refused_and_nothing_is_written)
{
    elelem_tool_executed executed = ELELEM_INIT;

    open_recorder();
    start_recorder();
    executed.name = text_of("f");
    executed.input = text_of("{]");
    executed.output = text_of("{}");
    CHECK_INT(elelem_recorder_push_executed(&recorder, &executed), ELELEM_ERROR_SYNTAX);
    CHECK_OUT("");
    executed.input = text_of("[]");
    executed.output = text_of("");
    CHECK_INT(elelem_recorder_push_executed(&recorder, &executed), ELELEM_OK);
    CHECK_OUT("{\"eventType\":\"ToolExecuted\",\"toolName\":\"f\",\"input\":[]}\n");
    close_recorder();
}

TEST(an_item_is_checked_before_anything_of_it_is_written)
{
    elelem_record_item item = ELELEM_INIT;

    open_recorder();
    start_recorder();
    item.kind = ELELEM_RECORD_EVENT;
    item.event = with(flush(1), "k", "1,");
    item.extra = text_of("\"x\":1");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_ERROR_SYNTAX);
    item.event = flush(1);
    item.extra = text_of("\"x\":1},{");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_ERROR_SYNTAX);
    item.event.kind = 77;
    item.extra = text_of("");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_ERROR_MISUSE);
    item.event = flush(1);
    item.extra = text_of("\n\"te\\u0078t\" :\t1\n,\r\"a\":[ 2 ]");
    item.time_ms = -1;
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    CHECK_OUT("{\"eventType\":\"Flush\",\"index\":1,\"te\\u0078t\" :1,\"a\":[ 2 ]}\n");
    close_recorder();
}

TEST(extra_members_that_are_only_whitespace_are_none)
{
    elelem_record_item item = ELELEM_INIT;

    open_recorder();
    start_recorder();
    item.kind = ELELEM_RECORD_EVENT;
    item.event = flush(1);
    item.time_ms = -1;
    item.extra = text_of(" \n\t");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    item.extra = text_of("\n\"a\":1 ");
    CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    CHECK_OUT("{\"eventType\":\"Flush\",\"index\":1}\n{\"eventType\":\"Flush\",\"index\":1,\"a\":1}\n");
    close_recorder();
}

/* No line has a member "text" that this library writes. */
TEST(text_is_a_name_that_callers_may_use)
{
    open_recorder();
    recorder_desc.extra = text_of("\"text\":\"mine\"");
    start_recorder();
    record(message(1, "a"));
    CHECK_OUT("{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"a\",\"text\":\"mine\"}\n");
    close_recorder();
}

/* Starts a recorder of tool calls for which memory is refused from call `k` on; 0: never. */
static void start_refusing(limits_heap *heap, int k)
{
    heap->refuse = k;
    heap->stays = 1;
    open_recorder();
    recorder_desc.tool_calls = 1;
    recorder_desc.allocator = limits_allocator(heap);
    start_recorder();
}

TEST(arguments_for_whose_nesting_there_is_no_memory_are_not_taken_for_broken_ones)
{
    int calls = 0, k, refused = 0;

    for (k = 0; k <= calls; k++) {
        limits_heap heap = ELELEM_INIT;
        elelem_event events[3];
        size_t i;
        start_refusing(&heap, k);
        events[0] = start(1, "c", "f");
        events[1] = chunk(1, "[[1]]");
        events[2] = flush(1);
        for (i = 0; i < 3; i++) {
            elelem_status status = elelem_recorder_push(&recorder, &events[i]);
            if (status == ELELEM_OK) continue;
            refused++;
            CHECK_INT(status, ELELEM_ERROR_MEMORY);
            heap.refuse = 0;
            CHECK_INT(elelem_recorder_push(&recorder, &events[i]), ELELEM_OK);
        }
        CHECK_OUT(START("1", "c") ARGUMENTS("1", "[[1]]") CALL("1", "c", "[[1]]") FLUSH("1"));
        if (k == 0) calls = heap.calls;
        close_recorder();
    }
    CHECK(refused > 2 && refused == calls);
}

TEST(a_call_whose_first_part_was_refused_memory_is_not_open)
{
    int calls = 0, k;

    for (k = 0; k <= calls; k++) {
        limits_heap heap = ELELEM_INIT;
        elelem_event event = with(start(1, "c", "f"), "k", "1");
        start_refusing(&heap, k);
        CHECK_INT(elelem_recorder_push(&recorder, &event), k > 0 ? ELELEM_ERROR_MEMORY : ELELEM_OK);
        if (k == 0) calls = heap.calls;
        heap.refuse = 0;
        elelem_buffer_clear(&out);
        record(flush(1));
        if (k > 0) CHECK_OUT(FLUSH("1"));
        close_recorder();
    }
    CHECK(calls > 3);
}

/* What it refused is not written, so that the line of the call must not have it either. */
TEST(a_part_that_was_refused_memory_leaves_the_call_as_it_was)
{
    elelem_event parts[4];
    size_t i;

    for (i = 0; i < 4; i++)
        parts[i] = start(1, i == 0 ? "c" : "", i == 1 ? "f" : "");
    parts[2].part.tool_call.type = text_of("custom");
    parts[3] = chunk(1, "[]");
    for (i = 0; i < 4; i++) {
        int calls = 0, k;
        check_cut("part", i);
        for (k = 0; k <= calls; k++) {
            limits_heap heap = ELELEM_INIT;
            elelem_event event = with(parts[i], "k", "1");
            open_recorder();
            recorder_desc.tool_calls = 1;
            recorder_desc.allocator = limits_allocator(&heap);
            start_recorder();
            record(start(1, "", ""));
            heap.calls = 0;
            heap.refuse = k; /* 0: none */
            heap.stays = 1;
            CHECK_INT(elelem_recorder_push(&recorder, &event), k > 0 ? ELELEM_ERROR_MEMORY : ELELEM_OK);
            if (k == 0) calls = heap.calls;
            heap.refuse = 0;
            elelem_buffer_clear(&out);
            record(flush(1));
            if (k > 0)
                CHECK_OUT("{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"toolName\":\"\",\"input\":{}}\n" FLUSH("1"));
            close_recorder();
        }
        CHECK(calls > 2);
    }
}

TEST(extra_members_for_which_there_was_no_memory_are_checked_later)
{
    int calls = 0, k;

    for (k = 0; k <= calls; k++) {
        limits_heap heap = ELELEM_INIT;
        elelem_event event = flush(1);
        heap.refuse = k; /* 0: none */
        heap.stays = 1;
        open_recorder();
        recorder_desc.allocator = limits_allocator(&heap);
        recorder_desc.extra = text_of("\"a\":[{\"b\":[1]}],\"chunk\":2");
        start_recorder();
        CHECK_INT(elelem_recorder_push(&recorder, &event), k > 0 ? ELELEM_ERROR_MEMORY : ELELEM_ERROR_MISUSE);
        if (k == 0) calls = heap.calls;
        heap.refuse = 0;
        CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_ERROR_MISUSE);
        CHECK_OUT("");
        close_recorder();
    }
    CHECK(calls > 0);
}

TEST(extra_members_may_be_nested_as_deeply_as_metadata)
{
    static char text[1200], extra[1300];
    elelem_event event = flush(1);
    size_t depth;

    for (depth = 512; depth < 514; depth++) {
        snprintf(extra, sizeof extra, "\"x\":%s", nested(text, depth));
        open_recorder();
        recorder_desc.extra = text_of(extra);
        start_recorder();
        CHECK_INT(elelem_recorder_push(&recorder, &event), depth > 512 ? ELELEM_ERROR_DEPTH : ELELEM_OK);
        close_recorder();
    }
}

/* 128 bytes count for each key. */
TEST(metadata_that_was_refused_memory_does_not_count_for_the_limit)
{
    static char long_json[100];
    int calls = 0, k, refused = 0;

    memset(long_json, '1', sizeof long_json - 1);
    for (k = 0; k <= calls; k++) {
        limits_heap heap = ELELEM_INIT;
        elelem_event event = with(start(1, "", ""), "k", "1");
        elelem_status status;
        open_recorder();
        recorder_desc.tool_calls = 1;
        recorder_desc.max_call_bytes = 300;
        recorder_desc.allocator = limits_allocator(&heap);
        start_recorder();
        CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_OK);
        heap.calls = 0;
        heap.refuse = k; /* 0: none */
        heap.stays = 1;
        event = with(start(1, "", ""), "k", long_json);
        status = elelem_recorder_push(&recorder, &event);
        CHECK_INT(status, k > 0 ? ELELEM_ERROR_MEMORY : ELELEM_OK);
        if (k == 0) calls = heap.calls;
        heap.refuse = 0;
        event = with(start(1, "", ""), "j", "2");
        CHECK_INT(elelem_recorder_push(&recorder, &event), status == ELELEM_OK ? ELELEM_ERROR_VALUE_SIZE : ELELEM_OK);
        refused += status != ELELEM_OK;
        close_recorder();
    }
    CHECK(refused > 0);
}

CHECK_MAIN("recorder",
           RUN(every_kind_of_event_has_its_line)
           RUN(what_is_unknown_is_left_out)
           RUN(another_choice_is_named)
           RUN(control_bytes_and_newlines_in_a_providers_message_are_escaped)
           RUN(no_text_of_an_event_can_forge_a_line_and_all_are_read_back)
           RUN(no_text_of_a_call_can_forge_the_line_before_its_flush_or_that_of_its_result)
           RUN(no_text_of_an_event_can_forge_a_frame_of_an_event_stream)
           RUN(metadata_that_is_no_json_is_refused_and_nothing_is_written)
           RUN(metadata_goes_out_without_the_whitespace_around_it)
           RUN(time_and_the_callers_own_members_are_on_every_line)
           RUN(the_callers_own_members_are_refused_if_they_are_no_json_or_have_a_reserved_name)
           RUN(an_application_line_is_checked_and_kept)
           RUN(a_tool_result_is_written_as_json_or_as_text)
           RUN(on_request_a_tool_call_also_becomes_one_line_before_its_flush)
           RUN(the_line_of_a_tool_call_has_the_metadata_of_its_parts_and_of_its_flush)
           RUN(a_call_that_a_broken_stream_left_open_does_not_mix_with_the_next_stream)
           RUN(the_error_of_a_sink_sticks)
           RUN(an_event_of_no_known_kind_is_a_mistake)
           RUN(the_plain_text_of_a_stream_is_choice_0s_message)
           RUN(an_event_stream_carries_the_same_lines_with_ids_counted_up)
           RUN(refused_memory_changes_neither_the_record_nor_the_recorder)
           RUN(a_sink_that_refuses_at_any_byte_is_left_with_what_was_reported_and_nothing_that_looks_whole)
           RUN(a_recorder_that_is_reset_forgets_open_calls_and_errors)
           RUN(an_id_or_name_that_comes_late_is_in_the_line_of_the_call)
           RUN(limits_of_one_are_kept)
           RUN(reserved_names_are_refused_for_extra_members_however_they_are_spelled)
           RUN(an_item_whose_extra_members_would_change_its_event_is_refused)
           RUN(what_is_nested_as_deeply_as_a_recorder_takes_is_read_again)
           RUN(an_event_has_as_much_metadata_as_a_replayer_reads)
           RUN(a_status_that_is_no_error_is_left_out)
           RUN(zeroed_objects_may_be_freed)
           RUN(plain_text_has_no_empty_pieces_and_takes_items_too)
           RUN(a_tool_result_whose_input_is_no_json_is_refused_and_nothing_is_written)
           RUN(an_item_is_checked_before_anything_of_it_is_written)
           RUN(extra_members_that_are_only_whitespace_are_none)
           RUN(text_is_a_name_that_callers_may_use)
           RUN(arguments_for_whose_nesting_there_is_no_memory_are_not_taken_for_broken_ones)
           RUN(a_call_whose_first_part_was_refused_memory_is_not_open)
           RUN(a_part_that_was_refused_memory_leaves_the_call_as_it_was)
           RUN(extra_members_for_which_there_was_no_memory_are_checked_later)
           RUN(extra_members_may_be_nested_as_deeply_as_metadata)
           RUN(metadata_that_was_refused_memory_does_not_count_for_the_limit))
