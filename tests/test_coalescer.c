/* The coalescer: lines in, fewer lines out. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"
#include "records.h"

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
    size_t begin = 0, end;

    for (end = 0; end < size; end++) {
        if (lines[end] != '\n') continue;
        elelem_str line;
        line.data = lines + begin;
        line.size = end - begin;
        CHECK_INT(elelem_event_coalescer_push_line(&coalescer, line), ELELEM_OK);
        take_coalesced();
        begin = end + 1;
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

TEST(coalescing_1_adjacent_text_becomes_one)
{
    coalesces("{\"eventType\":\"PartialResponse\",\"chunk\":\"Hello\"}\n"
              "{\"eventType\":\"PartialResponse\",\"chunk\":\" \"}\n"
              "{\"eventType\":\"PartialResponse\",\"chunk\":\"world\"}\n",
              TEXT("Hello world"));
}

TEST(coalescing_2_adjacent_reasoning_becomes_one)
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

TEST(coalescing_5_reasoning_then_text_gives_two)
{
    coalesces(THINKING("a") THINKING("b") TEXT("c") TEXT("d"), THINKING("ab") TEXT("cd"));
}

TEST(texts_whose_other_members_differ_in_blanks_only_are_one)
{
    coalesces("{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\",\"x\":[ 1,\t2]}\n{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"b\",\"x\":[1,2]}\n",
              "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"ab\",\"x\":[ 1,2]}\n");
    coalesces("{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\",\"x\":\"b \"}\n{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"b\",\"x\":\"b\"}\n",
              "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\",\"x\":\"b \"}\n{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"b\",\"x\":\"b\"}\n");
}

TEST(coalescing_7_nothing_gives_nothing)
{
    coalesces("", "");
}

TEST(coalescing_8_reset_forgets_what_was_kept)
{
    elelem_event event = message(0, "old");

    open_coalescer();
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    take_coalesced();
    event = start(1, "c", "f");
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

TEST(flushes_are_left_out_and_end_no_run)
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

TEST(a_flush_stays_with_its_metadata_if_what_it_ends_was_returned_already)
{
    coalesces(TEXT("a") FLUSH_WITH("5", "\"m\":1") TEXT("b"), TEXT("a") FLUSH_WITH("5", "\"m\":1") TEXT("b"));
    coalesces(THINKING("hm") "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"a\"}\n" FLUSH_WITH("0", "\"signature\":\"s\"")
              FLUSH_WITH("1", "\"item_id\":\"m\""),
              THINKING("hm") "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"a\"}\n" FLUSH_WITH("0", "\"signature\":\"s\"")
              FLUSH_WITH("1", "\"item_id\":\"m\""));
    coalesces(TEXT("a") "{\"eventType\":\"Flush\",\"index\":0,\"choice\":1,\"metadata\":{\"m\":1}}\n",
              TEXT("a") "{\"eventType\":\"Flush\",\"index\":0,\"choice\":1,\"metadata\":{\"m\":1}}\n");
}

/* Merged, the null would be gone, and joining the events of an index would add the last array to the first. */
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
                                "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"choice 0\"}\n"
                                "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"c\"}\n"
                                "{\"eventType\":\"PartialStructured\",\"index\":0,\"chunk\":\"d\"}\n";

    coalesces(lines, lines);
}

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

TEST(tool_calls_at_the_same_time_stay_apart_and_text_continues_meanwhile)
{
    coalesces(START("1", "c") TEXT("a") START("2", "d") ARGUMENTS("2", "[2]") ARGUMENTS("1", "[1]") TEXT("b") FLUSH("2") FLUSH("1"),
              TEXT("ab") CALL("2", "d", "[2]") CALL("1", "c", "[1]"));
}

TEST(a_live_record_with_tool_calls_gives_each_call_once)
{
    coalesces(START("1", "c") START("2", "d") ARGUMENTS("2", "{}") CALL("2", "d", "{}") FLUSH("2") CALL("1", "c", "{}") FLUSH("1"),
              CALL("2", "d", "{}") CALL("1", "c", "{}"));
}

TEST(the_line_of_a_call_has_its_choice)
{
    coalesces("{\"eventType\":\"ToolCallStart\",\"index\":3,\"choice\":2,\"toolName\":\"f\"}\n"
              "{\"eventType\":\"Flush\",\"index\":3,\"choice\":2}\n",
              "{\"eventType\":\"BeforeToolExecution\",\"index\":3,\"choice\":2,\"toolName\":\"f\",\"input\":{}}\n");
}

TEST(the_line_of_a_call_has_its_type)
{
    coalesces("{\"eventType\":\"ToolCallStart\",\"index\":3,\"type\":\"custom\",\"toolName\":\"f\"}\n"
              "{\"eventType\":\"Flush\",\"index\":3}\n",
              "{\"eventType\":\"BeforeToolExecution\",\"index\":3,\"type\":\"custom\",\"toolName\":\"f\",\"input\":{}}\n");
}

#define START_WITH(index, metadata) \
    "{\"eventType\":\"ToolCallStart\",\"index\":" index ",\"id\":\"c\",\"toolName\":\"f\",\"metadata\":{" metadata "}}\n"
#define CALL_WITH(index, metadata) \
    "{\"eventType\":\"BeforeToolExecution\",\"index\":" index ",\"id\":\"c\",\"toolName\":\"f\",\"input\":{},\"metadata\":{" metadata "}}\n"

TEST(after_the_line_of_its_call_a_flush_stays_with_the_metadata_that_the_line_lacks)
{
    coalesces(START_WITH("1", "\"s\":\"t\"") CALL("1", "c", "{}") FLUSH("1"), CALL("1", "c", "{}") FLUSH_WITH("1", "\"s\":\"t\""));
    coalesces(START_WITH("1", "\"s\":\"t\"") CALL("1", "c", "{}") FLUSH("1") TEXT("a"),
              CALL("1", "c", "{}") FLUSH_WITH("1", "\"s\":\"t\"") TEXT("a"));
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
    elelem_event event = start(1, "c", "f");

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

TEST(the_line_of_another_call_is_not_taken_for_this_one)
{
    coalesces(START("1", "c") START("2", "c") CALL("1", "c", "{}") FLUSH("2") FLUSH("1"),
              CALL("1", "c", "{}") CALL("2", "c", "{}") CALL("1", "c", "{}"));
    coalesces(START("1", "c") CALL("0", "c", "{}") FLUSH("1"), CALL("0", "c", "{}") CALL("1", "c", "{}"));
    coalesces(START("1", "c") CALL("1", "d", "{}") FLUSH("1"), CALL("1", "d", "{}") CALL("1", "c", "{}"));
    coalesces(START("1", "c") "{\"eventType\":\"BeforeToolExecution\",\"id\":\"c\",\"toolName\":\"g\"}\n" FLUSH("1"),
              "{\"eventType\":\"BeforeToolExecution\",\"id\":\"c\",\"toolName\":\"g\"}\n" CALL("1", "c", "{}"));
    coalesces(START("1", "c") "{\"eventType\":\"BeforeToolExecution\",\"id\":\"cf\",\"toolName\":\"\"}\n" FLUSH("1"),
              "{\"eventType\":\"BeforeToolExecution\",\"id\":\"cf\",\"toolName\":\"\"}\n" CALL("1", "c", "{}"));
    coalesces(START("1", "c") "{\"eventType\":\"BeforeToolExecution\",\"id\":1,\"toolName\":\"f\"}\n" FLUSH("1"),
              "{\"eventType\":\"BeforeToolExecution\",\"id\":1,\"toolName\":\"f\"}\n" CALL("1", "c", "{}"));
}

TEST(the_coalescer_decodes_escapes_in_the_type_of_a_line)
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
    coalesces("{\"eventType\":\"ToolCallStart\",\"index\":1,\"choice\":2,\"type\":\"t\"}\n",
              "{\"eventType\":\"ToolCallStart\",\"index\":1,\"choice\":2,\"type\":\"t\"}\n");
}

#define TEXT_OF(index, chunk) "{\"eventType\":\"PartialResponse\",\"index\":" index ",\"chunk\":\"" chunk "\"}\n"
#define FLUSH_OF_CHOICE(index, choice) "{\"eventType\":\"Flush\",\"index\":" index ",\"choice\":" choice "}\n"

TEST(before_an_error_is_a_flush_of_each_text_that_was_flushed)
{
    coalesces(TEXT("a") FLUSH("0") TEXT_OF("1", "b") "{\"eventType\":\"PartialResponse\",\"index\":2,\"choice\":1,\"chunk\":\"c\"}\n"
                  FLUSH_OF_CHOICE("2", "1") TEXT_OF("127", "d") FLUSH("127") FLUSH("4") BROKEN,
              TEXT("a") TEXT_OF("1", "b") "{\"eventType\":\"PartialResponse\",\"index\":2,\"choice\":1,\"chunk\":\"c\"}\n"
                  TEXT_OF("127", "d") FLUSH("0") FLUSH_OF_CHOICE("2", "1") FLUSH("127") BROKEN);
}

/* Else it would be the Flush of the call. */
TEST(before_an_error_the_flush_of_a_text_comes_before_an_open_call_that_has_its_index)
{
    coalesces(TEXT("a") FLUSH("0") START("0", "c") ARGUMENTS("0", "{}") BROKEN, TEXT("a") FLUSH("0") START("0", "c") ARGUMENTS("0", "{}") BROKEN);
}

TEST(before_the_line_of_a_call_is_a_flush_of_each_text_that_was_flushed)
{
    coalesces(TEXT("a") FLUSH("0") TEXT_OF("1", "b") TEXT_OF("2", "c") FLUSH("2") START("3", "c") ARGUMENTS("3", "{}") FLUSH("3") EXECUTED TEXT_OF("2", "d"),
              TEXT("a") TEXT_OF("1", "b") TEXT_OF("2", "c") FLUSH("0") FLUSH("2")
                  "{\"eventType\":\"BeforeToolExecution\",\"index\":3,\"id\":\"c\",\"toolName\":\"f\",\"input\":{}}\n" EXECUTED TEXT_OF("2", "d"));
    coalesces(TEXT("a") FLUSH("0") EXECUTED BEFORE EXECUTED BEFORE, TEXT("a") EXECUTED FLUSH("0") BEFORE EXECUTED BEFORE);
}

TEST(before_a_flush_that_stays_with_its_metadata_is_a_flush_of_each_text_that_was_flushed)
{
#define SIGNED_FLUSH(index) FLUSH_WITH(index, "\"signature\":\"s\"")
    coalesces(TEXT("a") TEXT_OF("1", "b") TEXT("c") FLUSH("0") SIGNED_FLUSH("1"), TEXT("a") TEXT_OF("1", "b") TEXT("c") FLUSH("0") SIGNED_FLUSH("1"));
    coalesces(TEXT("a") TEXT_OF("1", "b") SIGNED_FLUSH("0") FLUSH("1"), TEXT("a") TEXT_OF("1", "b") SIGNED_FLUSH("0"));
}

TEST(a_text_that_continues_after_its_flush_is_not_whole_at_an_error)
{
    coalesces(TEXT("a") FLUSH("0") TEXT("b") BROKEN, TEXT("ab") BROKEN);
}

TEST(a_response_that_ended_well_leaves_no_flushes_to_the_next)
{
#define ENDED "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}\n"
    coalesces(TEXT("a") FLUSH("0") ENDED BROKEN, TEXT("a") ENDED BROKEN);
}

/* A reader keeps eight items open. */
TEST(when_a_ninth_text_comes_only_the_first_flush_is_returned)
{
    char texts[1000], lines[2000], expected[2000];
    size_t size = 0;
    int i;

    for (i = 0; i < 8; i++)
        size += (size_t)sprintf(texts + size, "{\"eventType\":\"PartialResponse\",\"index\":%d,\"chunk\":\"a\"}\n", i);
    snprintf(lines, sizeof lines, "%s%s", texts, FLUSH("0") FLUSH("1") FLUSH("2") TEXT_OF("8", "b") TEXT_OF("9", "c"));
    snprintf(expected, sizeof expected, "%s%s", texts, FLUSH("0") TEXT_OF("8", "b") FLUSH("1") TEXT_OF("9", "c"));
    coalesces(lines, expected);
}

TEST(a_flush_stays_if_its_index_or_choice_is_too_large_to_be_remembered)
{
    coalesces(TEXT_OF("128", "a") FLUSH("128") TEXT_OF("128", "b"), TEXT_OF("128", "a") FLUSH("128") TEXT_OF("128", "b"));
    coalesces(TEXT("a") FLUSH_OF_CHOICE("0", "253") FLUSH_OF_CHOICE("0", "254"), TEXT("a") FLUSH_OF_CHOICE("0", "254"));
}

TEST(members_with_reserved_names_are_left_out_of_the_line_of_a_call)
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
    elelem_event event = message(0, "0123456789");
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
        event = start(i, "", "f");
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
    elelem_event event = start(1, "c", "f");
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
    elelem_event event = message(0, "a");

    open_coalescer();
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_ERROR_MISUSE);
    take_coalesced();
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    take_coalesced();
    elelem_event_coalescer_finish(&coalescer);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_ERROR_MISUSE);
    take_coalesced();
    take_coalesced();
    CHECK_OUT(TEXT("aa"));
    close_coalescer();
}

TEST(after_a_line_that_was_refused_only_that_line_may_be_pushed)
{
    static const char *const next[] = { TEXT("b"), TEXT("c") };
    elelem_record_item item;
    size_t i;

    for (i = 0; i < 2; i++) {
        open_coalescer();
        CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of(TEXT("a"))), ELELEM_OK);
        CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of(TEXT("b"))), ELELEM_ERROR_MISUSE);
        take_coalesced();
        CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of(next[i])), i == 0 ? ELELEM_OK : ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_event_coalescer_error(&coalescer).status, ELELEM_OK);
        if (i == 0) take_coalesced();
        elelem_event_coalescer_finish(&coalescer);
        if (i == 0) take_coalesced();
        if (i == 0) CHECK_OUT(TEXT("ab"));
        else CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_ERROR_MISUSE);
        close_coalescer();
    }
}

TEST(pieces_of_a_provider_item_stay_one_that_the_provider_ran)
{
    coalesces("{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"t\",\"hosted\":true,\"chunk\":\"{\"}\n"
              "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"t\",\"hosted\":true,\"chunk\":\"}\"}\n",
              "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"t\",\"hosted\":true,\"chunk\":\"{}\"}\n");
}

/* Everything that a coalescer keeps: a run with extra members and metadata, calls, announced and not, flushes. */
static const char *const everything[] = {
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\\nb\",\"taskId\":1,\"metadata\":{\"k\":[[1]],\"\\u0041\":2}}\n",
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"c\",\"taskId\":1,\"metadata\":{\"k\":[{\"x\":2}]}}\n",
    "{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":\"i\",\"toolName\":\"f\",\"timeMs\":3,\"x\":1,\"y\":[2],\"metadata\":{\"s\":\"t\"}}\n",
    "{\"eventType\":\"ToolCallArguments\",\"index\":1,\"chunk\":\"{\\\"a\\\":[[[[[1]]]]]}\"}\n",
    "{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"s\":\"u\"}}\n",
    "{\"eventType\":\"ToolCallStart\",\"index\":3,\"toolName\":\"g\",\"metadata\":{\"s\":\"t\",\"k\":[0]}}\n",
    "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"\\u0067\",\"metadata\":{\"s\":\"t\",\"\\u006b\":[0]}}\n",
    "{\"eventType\":\"Flush\",\"index\":3,\"metadata\":{\"k\":[1]}}\n",
    "{\"eventType\":\"ToolCallStart\",\"index\":2}\n",
    "{\"eventType\":\"Error\",\"kind\":\"cancelled\",\"retryable\":false,\"message\":\"\\u00e9\"}\n",
};

/* Coalesces everything; a push that is refused is repeated once. Returns what next ended with. */
static elelem_status coalesce_everything(elelem_allocator allocator)
{
    elelem_event_coalescer_desc desc = ELELEM_INIT;
    elelem_record_item item;
    elelem_status status = ELELEM_MORE;
    size_t i;

    desc.allocator = allocator;
    open_recorder();
    start_recorder();
    elelem_event_coalescer_init(&coalescer, &desc);
    for (i = 0; i <= sizeof everything / sizeof *everything && status == ELELEM_MORE; i++) {
        if (i == sizeof everything / sizeof *everything) {
            elelem_event_coalescer_finish(&coalescer);
        } else if ((status = elelem_event_coalescer_push_line(&coalescer, text_of(everything[i]))) != ELELEM_OK) {
            CHECK_INT(status, ELELEM_ERROR_MEMORY);
            CHECK_INT(elelem_event_coalescer_error(&coalescer).status, ELELEM_OK);
            status = elelem_event_coalescer_push_line(&coalescer, text_of(everything[i]));
            if (status != ELELEM_OK) break;
        }
        while ((status = elelem_event_coalescer_next(&coalescer, &item)) == ELELEM_OK)
            CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
    }
    return status;
}

TEST(refused_memory_changes_nothing_in_push_and_sticks_in_next)
{
    elelem_buffer whole;
    int k, stays, refused = 0, reached = 1;

    CHECK_INT(coalesce_everything(no_allocator), ELELEM_END);
    whole = out;
    memset(&out, 0, sizeof out);
    close_coalescer();
    for (k = 1; reached && k < 200; k++)
        for (stays = 0; stays < 2; stays++) {
            limits_heap heap = ELELEM_INIT;
            elelem_status status;
            elelem_str given;
            check_cut(stays ? "refused from call" : "refused at call", (size_t)k);
            heap.refuse = k;
            heap.stays = stays;
            status = coalesce_everything(limits_allocator(&heap));
            given = elelem_buffer_text(&out);
            CHECK_BYTES(given.data, given.size, elelem_buffer_text(&whole).data, given.size);
            if (status == ELELEM_END) {
                CHECK_U64(given.size, elelem_buffer_text(&whole).size);
            } else if (elelem_event_coalescer_error(&coalescer).status != ELELEM_OK) {
                refused++;
                CHECK_INT(status, ELELEM_ERROR_MEMORY);
                CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of("{}")), ELELEM_ERROR_MEMORY);
            } else {
                CHECK(stays);
            }
            reached = heap.calls >= k;
            elelem_event_coalescer_free(&coalescer);
            CHECK_U64(heap.live, 0);
            close_recorder();
        }
    CHECK(refused > 10 && k < 200);
    elelem_buffer_free(&whole);
}

TEST(a_coalescer_that_is_reset_forgets_runs_calls_errors_and_what_was_pushed)
{
    elelem_event_coalescer_desc desc = ELELEM_INIT;
    elelem_record_item item;
    elelem_event event = message(0, "old");
    size_t lines, kept;

    desc.max_bytes = 300;
    for (lines = 0; lines <= sizeof everything / sizeof *everything; lines++)
        for (kept = 0; kept < 2; kept++) {
            size_t i;
            open_recorder();
            start_recorder();
            elelem_event_coalescer_init(&coalescer, &desc);
            for (i = 0; i < lines; i++) {
                if (elelem_event_coalescer_push_line(&coalescer, text_of(everything[i])) != ELELEM_OK) break;
                while (elelem_event_coalescer_next(&coalescer, &item) == ELELEM_OK)
                    if (kept && i + 1 == lines) break;
            }
            if (kept) CHECK(elelem_event_coalescer_push(&coalescer, &event) != ELELEM_MORE);
            else elelem_event_coalescer_finish(&coalescer);
            elelem_event_coalescer_reset(&coalescer);
            coalesce_text(BROKEN TEXT("a") START("1", "c") FLUSH("1"), strlen(BROKEN TEXT("a") START("1", "c") FLUSH("1")));
            CHECK_OUT(BROKEN TEXT("a") CALL("1", "c", "{}"));
            close_coalescer();
        }
}

TEST(an_id_or_name_that_comes_late_is_in_the_line_of_the_call)
{
    coalesces(ARGUMENTS("1", "{}") "{\"eventType\":\"ToolCallStart\",\"index\":1,\"toolName\":\"f\"}\n" START("1", "c")
              FLUSH("1"), CALL("1", "c", "{}"));
}

TEST(limits_of_one_are_kept)
{
    elelem_event_coalescer_desc desc = ELELEM_INIT;
    elelem_record_item item;
    elelem_event one = message(0, "a"), more = message(0, "b"), call = start(1, "", "f"), other = start(2, "", "");

    desc.max_bytes = 1;
    desc.max_calls = 1;
    elelem_event_coalescer_init(&coalescer, &desc);
    CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of("{}")), ELELEM_ERROR_LINE_SIZE);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &one), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_MORE);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &more), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_ERROR_VALUE_SIZE);
    elelem_event_coalescer_reset(&coalescer);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &call), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_MORE);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &other), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_ERROR_COUNT);
    elelem_event_coalescer_free(&coalescer);
}

TEST(zeroed_objects_may_be_freed)
{
    elelem_event_coalescer zeroed = ELELEM_INIT;

    elelem_event_coalescer_free(&zeroed);
    CHECK(1);
}

/* The flush repeats what the line of the call lacks, and that is decided by the JSON but for whitespace between its tokens. */
TEST(metadata_is_the_same_if_only_whitespace_between_its_tokens_differs)
{
    static const struct {
        const char *of_parts;
        const char *of_line;
        int is_same;
    } rows[] = {
        { "{ \"a\" :\t[1 , 2] }", "{\"a\":[1,2]}", 1 },   { "1", "12", 0 },
        { "12", "1", 0 },                                 { "[1]", "[1,1]", 0 },
        { "\"a b\"", "\"a b\"", 1 },                      { "\"a b\"", "\"ab\"", 0 },
        { "\"a\\\" b\"", "\"a\\\" b\"", 1 },              { "\"a\\\" b\"", "\"a\\\"b\"", 0 },
        { "[\"a\\\\\" , 1]", "[\"a\\\\\",1]", 1 },        { "[\"\\\\\\\" , \"]", "[\"\\\\\\\",\"]", 0 },
        { "[\"a\\nb\" ,1]", "[\"a\\nb\",1 ]", 1 },        { "[\"\\\\n \"]", "[\"\\\\n\"]", 0 },
        { "{\"a\":1}", "{\"a\":2}", 0 },                  { "\"\"", "\"\"", 1 },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char lines[512], expected[512], flushed[128] = "";
        check_context(rows[i].of_parts);
        snprintf(lines, sizeof lines,
                 "{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"metadata\":{\"k\":%s}}\n"
                 "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"input\":{},\"metadata\":{\"k\":%s}}\n"
                 FLUSH("1"), rows[i].of_parts, rows[i].of_line);
        if (!rows[i].is_same)
            snprintf(flushed, sizeof flushed, "{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"k\":%s}}\n", rows[i].of_parts);
        snprintf(expected, sizeof expected,
                 "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\",\"input\":{},\"metadata\":{\"k\":%s}}\n%s",
                 rows[i].of_line, flushed);
        coalesces(lines, expected);
    }
}

TEST(a_line_of_a_call_whose_metadata_cannot_be_kept_lacks_all_of_it)
{
    coalesces(START_WITH("1", "\"l\":[2]") CALL_WITH("1", "\"l\":1,\"l\":[2]") FLUSH("1"),
              CALL_WITH("1", "\"l\":1,\"l\":[2]") FLUSH_WITH("1", "\"l\":[2]"));
}

TEST(an_array_that_came_with_whitespace_is_added_to_at_its_last_element)
{
    coalesces(LINE_WITH("PartialResponse", "0", "a", "\"l\":[1            \t],\"l\":[ 2 ],\"l\":[ ]"),
              LINE_WITH("PartialResponse", "0", "a", "\"l\":[1,2]"));
}

TEST(text_is_a_member_that_the_line_of_a_call_keeps)
{
    coalesces("{\"eventType\":\"ToolCallStart\",\"index\":1,\"toolName\":\"f\",\"text\":7,\"a\":1,\"output\":2}\n" FLUSH("1"),
              "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"toolName\":\"f\",\"input\":{},\"text\":7,\"a\":1}\n");
}

TEST(an_event_of_no_known_kind_is_a_mistake)
{
    elelem_event event = ELELEM_INIT;

    open_coalescer();
    event.kind = 77;
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_ERROR_MISUSE);
    event = part(0, (elelem_part_kind)99, "x");
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_ERROR_MISUSE);
    event = with(message(0, "x"), "k", "[1");
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_ERROR_TRUNCATED);
    CHECK_INT(elelem_event_coalescer_error(&coalescer).status, ELELEM_OK);
    take_coalesced();
    CHECK_OUT("");
    close_coalescer();
}

/* Whatever the limit, what comes out is the beginning of what comes without one, all of it if no error came. */
TEST(any_limit_is_an_error_or_changes_nothing)
{
    static char whole[2048];
    size_t size;
    uint32_t most;

    CHECK_INT(coalesce_everything(no_allocator), ELELEM_END);
    size = elelem_buffer_text(&out).size;
    memcpy(whole, elelem_buffer_text(&out).data, size);
    close_coalescer();
    for (most = 1; most < 1200; most++) {
        elelem_event_coalescer_desc desc = ELELEM_INIT;
        limits_heap heap = ELELEM_INIT;
        elelem_record_item item;
        elelem_status status = ELELEM_MORE;
        size_t i;
        check_cut("limit", most);
        desc.max_bytes = most;
        desc.allocator = limits_allocator(&heap);
        heap.bound = 6 * (uint64_t)most + 1024 * 256 + 16384;
        open_recorder();
        start_recorder();
        elelem_event_coalescer_init(&coalescer, &desc);
        for (i = 0; i < sizeof everything / sizeof *everything && status == ELELEM_MORE; i++) {
            status = elelem_event_coalescer_push_line(&coalescer, text_of(everything[i]));
            if (status != ELELEM_OK) break;
            while ((status = elelem_event_coalescer_next(&coalescer, &item)) == ELELEM_OK)
                CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
        }
        if (status != ELELEM_MORE) CHECK(status == ELELEM_ERROR_VALUE_SIZE || status == ELELEM_ERROR_LINE_SIZE);
        CHECK_BYTES(elelem_buffer_text(&out).data, elelem_buffer_text(&out).size, whole, status == ELELEM_MORE ? size : elelem_buffer_text(&out).size);
        CHECK(limits_held(&heap));
        close_coalescer();
        CHECK_U64(heap.live, 0);
    }
}

static void push_and_take(elelem_event event)
{
    elelem_record_item item;

    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    while (elelem_event_coalescer_next(&coalescer, &item) == ELELEM_OK) {}
    CHECK_INT(elelem_event_coalescer_error(&coalescer).status, ELELEM_OK);
}

/* Each text here is as long as the limit and so cut that its block is nearly twice as long. Five such blocks would be
   more than a coalescer may hold. */
TEST(blocks_of_long_texts_are_given_back_when_the_texts_are_over)
{
    enum { MOST = 20000 };
    static char letters[MOST], line[MOST + 100];
    elelem_event_coalescer_desc desc = ELELEM_INIT;
    elelem_event event = ELELEM_INIT;
    limits_heap heap = ELELEM_INIT;
    elelem_record_item item;

    memset(letters, 'x', sizeof letters);
    desc.allocator = limits_allocator(&heap);
    desc.max_bytes = MOST;
    desc.max_calls = 1;
    heap.bound = limits_of_coalescer(&desc);
    elelem_event_coalescer_init(&coalescer, &desc);
    event = message(1, "");
    event.part.text = elelem_str_from(letters, MOST - 1);
    push_and_take(event);
    push_and_take(message(1, "x"));
    event = provider_item(2, "", "");
    event.part.caption = elelem_str_from(letters, MOST - 1);
    push_and_take(event);
    event.part.caption = elelem_str_of("x");
    push_and_take(event);
    snprintf(line, sizeof line, "{\"eventType\":\"BeforeToolExecution\",\"id\":\"%.*s\",\"toolName\":\"f\"}", MOST - 100, letters);
    CHECK_INT(elelem_event_coalescer_push_line(&coalescer, elelem_str_of(line)), ELELEM_OK);
    while (elelem_event_coalescer_next(&coalescer, &item) == ELELEM_OK) {}
    push_and_take(flush(9)); /* of nothing: the line is no longer the one just before */
    push_and_take(chunk_of(3, letters, MOST - 1));
    push_and_take(chunk(3, "x"));
    push_and_take(flush(3));
    CHECK(limits_held(&heap));
    elelem_event_coalescer_free(&coalescer);
    CHECK_U64(heap.live, 0);
}

TEST(metadata_that_the_line_of_a_call_has_already_no_longer_counts_for_the_limit)
{
    elelem_event_coalescer_desc desc = ELELEM_INIT;
    elelem_record_item item;
    int i;

    desc.max_bytes = 1000;
    elelem_event_coalescer_init(&coalescer, &desc);
    for (i = 0; i < 100; i++) {
        push_and_take(with(start(1, "c", "f"), "k", "1"));
        CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of("{\"eventType\":\"BeforeToolExecution\",\"id\":\"c\","
            "\"toolName\":\"f\",\"input\":{},\"metadata\":{\"k\":1}}")), ELELEM_OK);
        CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_OK);
        CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_MORE);
        push_and_take(flush(1));
    }
    elelem_event_coalescer_free(&coalescer);
}

TEST(by_default_64_mebibytes_are_kept)
{
    size_t size = (size_t)64 << 20;
    char *zeroes;
    elelem_event event;
    elelem_record_item item;

    if (!check_has_memory(2 * size)) return;
    zeroes = (char *)malloc(size);
    if (!zeroes) abort();
    memset(zeroes, '0', size);
    elelem_event_coalescer_init(&coalescer, NULL);
    push_and_take(chunk_of(1, zeroes, size));
    event = chunk(1, "0");
    CHECK_INT(elelem_event_coalescer_push(&coalescer, &event), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_ERROR_VALUE_SIZE);
    elelem_event_coalescer_free(&coalescer);
    free(zeroes);
}

TEST(the_names_of_a_line_of_a_call_count_for_the_limit)
{
    static const char line[] = "{\"eventType\":\"BeforeToolExecution\",\"id\":\"0123456789\",\"toolName\":\"0123456789\"}";
    static const char zeroes[] = "00000000000000000000000000000000000000000000000000000000000000000000000000000000000";
    elelem_record_item item;
    size_t size;

    for (size = 59; size <= 80; size++) {
        elelem_event_coalescer_desc desc = ELELEM_INIT;
        elelem_event open = chunk_of(1, zeroes, size);
        check_cut("arguments", size);
        desc.max_bytes = 80;
        elelem_event_coalescer_init(&coalescer, &desc);
        CHECK_INT(elelem_event_coalescer_push(&coalescer, &open), ELELEM_OK);
        CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_MORE);
        CHECK_INT(elelem_event_coalescer_push_line(&coalescer, text_of(line)), ELELEM_OK);
        CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), size > 60 ? ELELEM_ERROR_VALUE_SIZE : ELELEM_OK);
        elelem_event_coalescer_free(&coalescer);
    }
}

TEST(arguments_for_whose_nesting_there_is_no_memory_are_an_error)
{
    elelem_event events[2];
    elelem_record_item item;
    int calls = 0, k;

    events[0] = chunk(1, "[[1]]");
    events[1] = flush(1);
    for (k = 0; k <= calls; k++) {
        elelem_event_coalescer_desc desc = ELELEM_INIT;
        limits_heap heap = ELELEM_INIT;
        elelem_status status = ELELEM_MORE;
        size_t i;
        heap.refuse = k; /* 0: none */
        heap.stays = 1;
        desc.allocator = limits_allocator(&heap);
        elelem_event_coalescer_init(&coalescer, &desc);
        for (i = 0; i < 2 && status == ELELEM_MORE; i++) {
            CHECK_INT(elelem_event_coalescer_push(&coalescer, &events[i]), ELELEM_OK);
            status = elelem_event_coalescer_next(&coalescer, &item);
        }
        CHECK_INT(status, k > 0 ? ELELEM_ERROR_MEMORY : ELELEM_OK);
        if (k == 0) calls = heap.calls;
        elelem_event_coalescer_free(&coalescer);
        CHECK_U64(heap.live, 0);
    }
    CHECK(calls > 1);
}

TEST(a_zeroed_coalescer_may_be_finished_and_refuses_everything)
{
    elelem_event_coalescer zeroed = ELELEM_INIT;
    elelem_event event = message(0, "a");
    elelem_record_item item;

    elelem_event_coalescer_finish(&zeroed);
    CHECK_INT(elelem_event_coalescer_push(&zeroed, &event), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_event_coalescer_next(&zeroed, &item), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_event_coalescer_error(&zeroed).status, ELELEM_ERROR_MISUSE);
    elelem_event_coalescer_free(&zeroed);
}

CHECK_MAIN("coalescer",
           RUN(coalescing_1_adjacent_text_becomes_one)
           RUN(coalescing_2_adjacent_reasoning_becomes_one)
           RUN(coalescing_3_other_events_pass_unchanged)
           RUN(coalescing_4_text_tool_text_gives_three)
           RUN(coalescing_5_reasoning_then_text_gives_two)
           RUN(texts_whose_other_members_differ_in_blanks_only_are_one)
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
           RUN(flushes_are_left_out_and_end_no_run)
           RUN(metadata_that_comes_only_with_the_flush_is_kept_with_what_it_ends)
           RUN(of_equal_keys_that_of_the_flush_counts_and_arrays_are_added_to)
           RUN(a_flush_stays_with_its_metadata_if_what_it_ends_was_returned_already)
           RUN(an_array_and_something_else_under_one_key_do_not_merge_for_their_order_counts)
           RUN(indexes_and_choices_stay_apart)
           RUN(a_tool_call_becomes_one_line_when_it_is_flushed)
           RUN(arguments_cannot_forge_a_line)
           RUN(tool_calls_at_the_same_time_stay_apart_and_text_continues_meanwhile)
           RUN(a_live_record_with_tool_calls_gives_each_call_once)
           RUN(the_line_of_a_call_has_its_choice)
           RUN(the_line_of_a_call_has_its_type)
           RUN(after_a_line_that_was_refused_only_that_line_may_be_pushed)
           RUN(pieces_of_a_provider_item_stay_one_that_the_provider_ran)
           RUN(blocks_of_long_texts_are_given_back_when_the_texts_are_over)
           RUN(metadata_that_the_line_of_a_call_has_already_no_longer_counts_for_the_limit)
           RUN(by_default_64_mebibytes_are_kept)
           RUN(after_the_line_of_its_call_a_flush_stays_with_the_metadata_that_the_line_lacks)
           RUN(metadata_that_the_line_of_a_call_has_on_one_line_and_its_event_on_several_is_the_same)
           RUN(the_line_of_another_call_is_not_taken_for_this_one)
           RUN(the_coalescer_decodes_escapes_in_the_type_of_a_line)
           RUN(a_tool_call_that_is_never_flushed_stays_a_start_and_its_arguments)
           RUN(before_an_error_is_a_flush_of_each_text_that_was_flushed)
           RUN(before_an_error_the_flush_of_a_text_comes_before_an_open_call_that_has_its_index)
    RUN(before_the_line_of_a_call_is_a_flush_of_each_text_that_was_flushed)
    RUN(before_a_flush_that_stays_with_its_metadata_is_a_flush_of_each_text_that_was_flushed)
    RUN(a_text_that_continues_after_its_flush_is_not_whole_at_an_error)
    RUN(a_response_that_ended_well_leaves_no_flushes_to_the_next)
    RUN(when_a_ninth_text_comes_only_the_first_flush_is_returned)
    RUN(a_flush_stays_if_its_index_or_choice_is_too_large_to_be_remembered)
    RUN(members_with_reserved_names_are_left_out_of_the_line_of_a_call)
           RUN(a_tool_calls_metadata_and_members_come_with_it)
           RUN(the_coalescer_has_limits)
           RUN(a_tool_calls_metadata_has_at_most_64_keys)
           RUN(the_coalescer_takes_one_thing_at_a_time)
           RUN(refused_memory_changes_nothing_in_push_and_sticks_in_next)
           RUN(a_coalescer_that_is_reset_forgets_runs_calls_errors_and_what_was_pushed)
           RUN(an_id_or_name_that_comes_late_is_in_the_line_of_the_call)
           RUN(limits_of_one_are_kept)
           RUN(zeroed_objects_may_be_freed)
           RUN(metadata_is_the_same_if_only_whitespace_between_its_tokens_differs)
           RUN(a_line_of_a_call_whose_metadata_cannot_be_kept_lacks_all_of_it)
           RUN(an_array_that_came_with_whitespace_is_added_to_at_its_last_element)
           RUN(text_is_a_member_that_the_line_of_a_call_keeps)
           RUN(an_event_of_no_known_kind_is_a_mistake)
           RUN(any_limit_is_an_error_or_changes_nothing)
           RUN(the_names_of_a_line_of_a_call_count_for_the_limit)
           RUN(arguments_for_whose_nesting_there_is_no_memory_are_an_error)
           RUN(a_zeroed_coalescer_may_be_finished_and_refuses_everything))
