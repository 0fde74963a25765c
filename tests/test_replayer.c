/* The replayer: lines to events, whole, per byte, at every cut. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"
#include "records.h"

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
    if (item.kind == ELELEM_RECORD_EVENT && item.event.kind == ELELEM_EVENT_ERROR) CHECK(feed_is_unknown(&item.event.usage));
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

TEST(lines_12_whitespace_around_an_object_is_left_out_and_not_only_on_the_last_line)
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

TEST(a_recording_that_was_cut_or_is_hostile_is_refused_with_its_offset) /* P9 */
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
    FEED(&replay, A "\n{\"e\n", strlen(A) + 5, "line 1 at 1\n" A "\nERROR_SYNTAX at 13\n");
    FEED(&replay, "{\"e\":12345", 10, "ERROR_LINE_SIZE at 9\n");
    elelem_replayer_free(&replayer);
}

TEST(a_line_without_end_costs_no_more_than_the_limit) /* P9 */
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

TEST(an_event_whose_line_came_whole_takes_no_memory_of_its_size)
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
        "{\"eventType\":\"ToolCallStart\",\"index\":2,\"type\":\"shell_call\"}\n",
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"t\",\"hosted\":true,\"caption\":\"\\u0007\",\"chunk\":\"{\"}\n",
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"t\",\"chunk\":\"\"}\n",
        "{\"eventType\":\"Flush\",\"index\":2,\"cutOff\":true}\n",
        "{\"eventType\":\"ResponseMetadata\",\"metadata\":{\"id\":1}}\n",
        "{\"eventType\":\"ToolCallArguments\",\"index\":2,\"chunk\":\"{\\\"ci\"}\n",
        "{\"eventType\":\"Flush\",\"index\":2,\"choice\":3}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"content_filter\"}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"rawFinishReason\":\"x\",\"usage\":{\"input\":0,\"reasoning\":9223372036854775807,\"cacheWritten\":1}}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"usage\":{\"output\":0}}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"usage\":{\"cached\":0}}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"usage\":{\"reasoning\":0}}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"usage\":{\"cacheWritten\":0}}\n",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"httpStatus\":2147483647,\"message\":\"\",\"offset\":1}\n",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"httpStatus\":-2147483648,\"message\":\"\"}\n",
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

TEST(objects_that_are_no_event_stay_as_they_are)
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
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"httpStatus\":-2147483649}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"httpStatus\":\"429\"}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"status\":5}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"status\":\"\"}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"retryAfterMs\":-1}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"retryAfterMs\":9223372036854775808}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"code\":5}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"offset\":18446744073709551616}",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":5}",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":5}",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"\"}",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"rawFinishReason\":5}",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"usage\":{\"cacheWritten\":null}}",
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":5,\"chunk\":\"{\"}",
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"t\",\"chunk\":{}}",
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"t\",\"hosted\":1,\"chunk\":\"{\"}",
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"t\",\"caption\":1,\"chunk\":\"{\"}",
        "{\"eventType\":\"ToolCallStart\",\"index\":1,\"toolName\":7}",
        "{\"eventType\":\"ToolCallStart\",\"index\":1,\"type\":7}",
        "{\"eventType\":\"ToolCallArguments\",\"index\":1,\"chunk\":{}}",
        "{\"eventType\":\"Flush\",\"index\":1,\"choice\":-1}",
        "{\"eventType\":\"Flush\",\"index\":1,\"cutOff\":null}",
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

TEST(a_client_continues_after_the_items_it_has)
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
        { "a\xe0\x9f\xbf", "a", ELELEM_ERROR_UTF8, 2 },
        { "\xe0\xa0\x80\xf4\x8f\xbf\xbf", "\xe0\xa0\x80\xf4\x8f\xbf\xbf", ELELEM_END, 0 },
        { "\xf4\x90\x80\x80", "", ELELEM_ERROR_UTF8, 1 },
        { "\xf0\x8f\xbf\xbf", "", ELELEM_ERROR_UTF8, 1 },
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

TEST(plain_text_continues_after_the_bytes_a_client_has)
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

/* The server replays its lines after the last event id that the client has. */
TEST(a_client_that_comes_again_with_its_last_event_id_gets_the_frames_after_it)
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

/* Lines that need memory: cut ones, escapes, metadata, extra members. */
static const char everything[] =
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\\nb\",\"taskId\":1,\"metadata\":{\"k\":[[1]],\"\\u0041\":2}}\n"
    "{\"eventType\":\"ContentFetched\",\"deep\":[[[[{\"x\":1}]]]]}\n"
    "{\"eventType\":\"Error\",\"kind\":\"cancelled\",\"retryable\":false,\"message\":\"\\u00e9\"}\n";

TEST(refused_memory_sticks_after_the_items_that_were_whole)
{
    static feed_log log;
    int k, stays, refused = 0, reached = 1;

    memset(&replayer_desc, 0, sizeof replayer_desc);
    feed_once(&replay, &feed_whole, everything, sizeof everything - 1, 30, 30, 0);
    for (k = 1; reached && k < 100; k++)
        for (stays = 0; stays < 2; stays++) {
            limits_heap heap = ELELEM_INIT;
            elelem_error error;
            check_cut(stays ? "refused from call" : "refused at call", (size_t)k);
            heap.refuse = k;
            heap.stays = stays;
            replayer_desc.allocator = limits_allocator(&heap);
            feed_once(&replay, &log, everything, sizeof everything - 1, 30, 30, 0);
            error = elelem_replayer_error(&replayer);
            if (error.status == ELELEM_OK) {
                CHECK_BYTES(log.text, log.size, feed_whole.text, feed_whole.size);
            } else {
                refused++;
                CHECK_INT(error.status, ELELEM_ERROR_MEMORY);
                log.size -= strlen("ERROR_MEMORY at \n") + (size_t)snprintf(NULL, 0, "%lu", (unsigned long)error.offset);
                CHECK_BYTES(log.text, log.size, feed_whole.text, log.size);
            }
            reached = heap.calls >= k;
            elelem_replayer_free(&replayer);
            CHECK_U64(heap.live, 0);
        }
    CHECK(refused > 5 && k < 100);
    replayer_desc.allocator = no_allocator;
}

TEST(a_replayer_that_is_reset_anywhere_in_a_line_starts_over)
{
    elelem_record_item item;
    size_t cut;

    for (cut = 0; cut < sizeof everything - 1; cut++) {
        check_cut("reset after", cut);
        elelem_replayer_init(&replayer, NULL);
        CHECK_INT(elelem_replayer_push(&replayer, everything, cut), ELELEM_OK);
        while (elelem_replayer_next(&replayer, &item) == ELELEM_OK)
            continue;
        if (cut % 3 == 0) CHECK_INT(elelem_replayer_push(&replayer, "{\"", 2), ELELEM_OK);
        if (cut % 3 == 1) elelem_replayer_finish(&replayer);
        if (cut % 2) while (elelem_replayer_next(&replayer, &item) == ELELEM_OK) continue;
        elelem_replayer_reset(&replayer);
        CHECK_INT(elelem_replayer_push(&replayer, "{\"a\":1}\n", 8), ELELEM_OK);
        CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
        CHECK_STR(item.line.data, item.line.size, "{\"a\":1}");
        CHECK_U64(item.number, 1);
        CHECK_U64(item.line_number, 1);
        CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_MORE);
        CHECK_INT(elelem_replayer_error(&replayer).status, ELELEM_OK);
        elelem_replayer_free(&replayer);
    }
}

TEST(a_replayer_of_text_that_is_reset_inside_a_character_starts_over)
{
    elelem_replayer_desc desc = ELELEM_INIT;
    elelem_record_item item;

    desc.format = ELELEM_RECORD_TEXT;
    elelem_replayer_init(&replayer, &desc);
    elelem_replayer_push(&replayer, "\xe2\x82", 2);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_MORE);
    elelem_replayer_reset(&replayer);
    elelem_replayer_push(&replayer, "a", 1);
    CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
    CHECK_STR(item.event.part.text.data, item.event.part.text.size, "a");
    elelem_replayer_free(&replayer);
}

TEST(lines_of_one_and_two_bytes_have_limits)
{
    memset(&replayer_desc, 0, sizeof replayer_desc);
    replayer_desc.max_line_bytes = 1;
    FEED(&replay, "\n \n{}\n", 6, "ERROR_LINE_SIZE at 4\n");
    replayer_desc.max_line_bytes = 2;
    FEED(&replay, "\n{}\n{ }\n", 8, "line 1 at 2\n{}\nERROR_LINE_SIZE at 6\n");
    elelem_replayer_free(&replayer);
}

TEST(zeroed_objects_may_be_freed)
{
    elelem_replayer zeroed = ELELEM_INIT;

    elelem_replayer_free(&zeroed);
    CHECK(1);
}

/* Each line needs memory for one thing only, so that each place is refused it first. */
TEST(memory_that_one_member_alone_needs_may_be_refused)
{
    static const char *const rows[] = {
        "{\"event\\u0054ype\":\"Fl\\u0075sh\",\"index\":1}\n",
        "{\"eventType\":\"Flush\",\"index\":1,\"taskId\":7}\n",
        "{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"k\":1}}\n",
        "{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"\\u006b\":1}}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"o\\u0074her\"}\n",
        "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"other\",\"rawFinishReason\":\"\\u0074\"}\n",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"code\":\"\\u0074\"}\n",
        "{\"eventType\":\"Error\",\"kind\":\"other\",\"retryable\":true,\"message\":\"m\",\"status\":\"ERROR_\\u0053INK\"}\n",
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"\\u0074\",\"chunk\":\"\"}\n",
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"\",\"caption\":\"\\u0074\",\"chunk\":\"\"}\n",
        "{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":\"\\u0074\"}\n",
        "{\"eventType\":\"ToolCallStart\",\"index\":1,\"toolName\":\"\\u0074\"}\n",
    };
    size_t i;

    memset(&replayer_desc, 0, sizeof replayer_desc);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_record_item item;
        int calls, k;
        check_context(rows[i]);
        for (k = 0, calls = 0; k <= calls; k++) {
            limits_heap heap = ELELEM_INIT;
            heap.refuse = k; /* 0: none */
            heap.stays = 1;
            replayer_desc.allocator = limits_allocator(&heap);
            elelem_replayer_init(&replayer, &replayer_desc);
            CHECK_INT(elelem_replayer_push(&replayer, rows[i], strlen(rows[i])), ELELEM_OK);
            CHECK_INT(elelem_replayer_next(&replayer, &item), k > 0 ? ELELEM_ERROR_MEMORY : ELELEM_OK);
            if (k == 0) calls = heap.calls;
            if (k == 0) CHECK_INT(item.kind, ELELEM_RECORD_EVENT);
            elelem_replayer_free(&replayer);
            CHECK_U64(heap.live, 0);
        }
        CHECK(calls > 0);
    }
    replayer_desc.allocator = no_allocator;
}

CHECK_MAIN("replayer",
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
           RUN(lines_12_whitespace_around_an_object_is_left_out_and_not_only_on_the_last_line)
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
           RUN(an_event_whose_line_came_whole_takes_no_memory_of_its_size)
           RUN(our_lines_come_back_as_events)
           RUN(objects_that_are_no_event_stay_as_they_are)
           RUN(keys_count_by_what_they_spell_and_the_last_of_equal_ones)
           RUN(all_lines_come_as_they_are_where_asked)
           RUN(a_client_continues_after_the_items_it_has)
           RUN(times_are_kept_so_a_recording_can_be_replayed_at_its_own_pace)
           RUN(plain_text_comes_back_in_whole_characters)
           RUN(plain_text_continues_after_the_bytes_a_client_has)
           RUN(a_client_that_comes_again_with_its_last_event_id_gets_the_frames_after_it)
           RUN(refused_memory_sticks_after_the_items_that_were_whole)
           RUN(a_replayer_that_is_reset_anywhere_in_a_line_starts_over)
           RUN(a_replayer_of_text_that_is_reset_inside_a_character_starts_over)
           RUN(lines_of_one_and_two_bytes_have_limits)
           RUN(zeroed_objects_may_be_freed)
           RUN(memory_that_one_member_alone_needs_may_be_refused))
