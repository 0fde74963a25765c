/* The reader of items: stored lines of every kind become the items they were made from. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"
#include "records.h"

static elelem_item_reader reader;
static elelem_item_reader_desc desc;

static void start_reading(void *object)
{
    (void)object;
    elelem_item_reader_free(&reader);
    elelem_item_reader_init(&reader, &desc);
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    (void)object;
    return elelem_item_reader_push(&reader, bytes, size);
}

static void log_item(feed_log *log, const elelem_item *item)
{
    elelem_buffer written;
    elelem_writer writer;

    elelem_buffer_init(&written, no_allocator, 0);
    elelem_writer_init(&writer, elelem_buffer_sink(&written), 0);
    CHECK_INT(elelem_item_write(&writer, item), ELELEM_OK);
    feed_line(log, "%.*s", ELELEM_STR_ARG(elelem_buffer_text(&written)));
    elelem_buffer_free(&written);
}

static elelem_status next(void *object, feed_log *log)
{
    elelem_read_item item;
    elelem_status status = elelem_item_reader_next(&reader, &item);

    (void)object;
    if (status != ELELEM_OK) return status;
    if (item.role == ELELEM_HISTORY_USER) feed_line(log, "user:");
    if (item.kind == ELELEM_READ_ITEM) log_item(log, &item.item);
    else feed_line(log, "line %.*s", ELELEM_STR_ARG(item.type));
    return ELELEM_OK;
}

static void finish(void *object)
{
    (void)object;
    elelem_item_reader_finish(&reader);
}

static elelem_error error(const void *object)
{
    (void)object;
    return elelem_item_reader_error(&reader);
}

static const feed_object fed = { NULL, start_reading, push, next, finish, error };

/* However the lines are cut, they give this. */
static void reads(const char *lines, const char *expected)
{
    FEED(&fed, lines, strlen(lines), expected);
    elelem_item_reader_free(&reader);
}

/* The lines of items are read as the same items. */
static void reads_itself(const char *lines)
{
    static char expected[8192];

    snprintf(expected, sizeof expected, "%sEND\n", lines);
    reads(lines, expected);
}

#define MESSAGE(index, text) "{\"type\":\"message\",\"index\":" index ",\"text\":\"" text "\"}\n"
#define REASONED(index, text) "{\"type\":\"reasoning\",\"index\":" index ",\"text\":\"" text "\"}\n"
#define ITEM_CALL(index, id, arguments) \
    "{\"type\":\"tool_call\",\"index\":" index ",\"id\":\"" id "\",\"name\":\"f\",\"arguments\":" arguments "}\n"
#define SAID(index, chunk) "{\"eventType\":\"PartialResponse\",\"index\":" index ",\"chunk\":\"" chunk "\"}\n"
#define THOUGHT(index, chunk) "{\"eventType\":\"PartialThinking\",\"index\":" index ",\"chunk\":\"" chunk "\"}\n"
#define COMPLETED "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}\n"
#define FAILED "{\"eventType\":\"Error\",\"kind\":\"connect\",\"retryable\":true,\"message\":\"gone\"}\n"

TEST(lines_of_items_are_read_as_the_same_items)
{
    reads_itself(REASONED("0", "hm") MESSAGE("1", "h\\u0001i \xc3\xa9") ITEM_CALL("2", "c1", "{\"a\":[1.50,\"x\"]}")
                 "{\"type\":\"structured\",\"index\":3,\"choice\":1,\"value\":{\"n\":1e3}}\n"
                 "{\"type\":\"tool_call\",\"index\":4,\"callType\":\"shell_call\",\"id\":\"c2\",\"name\":\"\",\"arguments\":{}}\n"
                 "{\"type\":\"provider_item\",\"index\":5,\"itemType\":\"web_search_call\",\"hosted\":true,\"caption\":\"w\","
                 "\"item\":{\"id\":1},\"metadata\":{\"k\":[1]}}\n");
}

TEST(items_that_are_not_whole_stay_what_they_are)
{
    reads_itself("{\"type\":\"message\",\"index\":0,\"text\":\"x\",\"state\":\"cut_off\"}\n"
                 "{\"type\":\"tool_call\",\"index\":1,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":{\"a\":1},\"state\":\"cut_off\"}\n"
                 "{\"type\":\"tool_call\",\"index\":2,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":{\"a\":1},\"state\":\"malformed\"}\n"
                 "{\"type\":\"structured\",\"index\":3,\"text\":\"{\\\"a\",\"state\":\"cut_off\"}\n"
                 "{\"type\":\"structured\",\"index\":4,\"text\":\"{\\\"a]\",\"state\":\"malformed\"}\n"
                 "{\"type\":\"provider_item\",\"index\":5,\"itemType\":\"image\",\"text\":\"\",\"state\":\"left_out\"}\n"
                 "{\"type\":\"provider_item\",\"index\":6,\"itemType\":\"image\",\"text\":\"{\\\"d\",\"state\":\"cut_off\"}\n");
}

TEST(a_call_that_was_cut_off_before_its_arguments_has_none)
{
    static const char lines[] = "{\"type\":\"tool_call\",\"index\":1,\"id\":\"c\",\"name\":\"f\",\"state\":\"cut_off\"}\n"
                                "{\"type\":\"tool_call\",\"index\":2,\"id\":\"c\",\"name\":\"f\",\"state\":\"malformed\"}\n";
    static const char live[] = START("1", "c");

    reads_itself(lines);
    reads(live, "{\"type\":\"tool_call\",\"index\":1,\"id\":\"c\",\"name\":\"f\",\"state\":\"cut_off\"}\nEND\n");
    desc.keep_argument_text = 1;
    reads_itself(lines);
    desc.keep_argument_text = 0;
}

TEST(the_text_of_arguments_is_read_if_it_is_to_be_kept)
{
    desc.keep_argument_text = 1;
    reads_itself("{\"type\":\"tool_call\",\"index\":1,\"id\":\"c\",\"name\":\"f\",\"argumentsText\":\"{\\\"a\\\":1,\\\"b\",\"state\":\"cut_off\"}\n"
                 "{\"type\":\"tool_call\",\"index\":1,\"id\":\"c\",\"name\":\"f\",\"argumentsText\":\"{]\",\"state\":\"malformed\"}\n"
                 "{\"type\":\"tool_call\",\"index\":2,\"id\":\"d\",\"name\":\"f\",\"argumentsText\":\"-{\",\"state\":\"malformed\"}\n"
                 "{\"type\":\"tool_call\",\"index\":3,\"id\":\"e\",\"name\":\"f\",\"argumentsText\":\"7\",\"state\":\"cut_off\"}\n");
    desc.keep_argument_text = 0;
}

TEST(a_live_record_gives_its_items)
{
    reads(THOUGHT("0", "h") THOUGHT("0", "m") FLUSH("0") SAID("1", "hi") START("2", "c1") ARGUMENTS("2", "{\\\"a\\\":")
              ARGUMENTS("2", "1}") FLUSH("1") FLUSH("2") COMPLETED,
          REASONED("0", "hm") MESSAGE("1", "hi") ITEM_CALL("2", "c1", "{\"a\":1}") "line ChatCompleted\nEND\n");
}

TEST(a_live_record_with_the_line_of_a_call_gives_the_call_once)
{
    reads(START("2", "c1") ARGUMENTS("2", "{}") CALL("2", "c1", "{}") FLUSH("2") COMPLETED,
          ITEM_CALL("2", "c1", "{}") "line ChatCompleted\nEND\n");
}

TEST(a_record_made_short_has_no_flushes_and_its_end_shows_that_all_is_whole)
{
    reads(THOUGHT("0", "hm") SAID("1", "hi") CALL("2", "c1", "{\"a\":1}") COMPLETED,
          ITEM_CALL("2", "c1", "{\"a\":1}") REASONED("0", "hm") MESSAGE("1", "hi") "line ChatCompleted\nEND\n");
}

TEST(what_is_open_at_an_error_or_at_the_end_of_the_lines_is_cut_off)
{
    reads(SAID("0", "hi") FAILED SAID("0", "ho"),
          "{\"type\":\"message\",\"index\":0,\"text\":\"hi\",\"state\":\"cut_off\"}\nline Error\n"
          "{\"type\":\"message\",\"index\":0,\"text\":\"ho\",\"state\":\"cut_off\"}\nEND\n");
}

TEST(what_was_flushed_before_an_error_is_whole_in_a_record_made_short)
{
    reads(THOUGHT("0", "hm") SAID("1", "hi") FLUSH("0") FAILED,
          REASONED("0", "hm") "{\"type\":\"message\",\"index\":1,\"text\":\"hi\",\"state\":\"cut_off\"}\nline Error\nEND\n");
}

TEST(what_is_open_at_the_end_of_an_incomplete_entry_is_cut_off)
{
    reads("{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"hi\"}],\"incomplete\":\"cancelled\"}\n" SAID("0", "a")
              SAID("0", "b") COMPLETED,
          "{\"type\":\"message\",\"index\":0,\"text\":\"hi\",\"state\":\"cut_off\"}\n" MESSAGE("0", "ab") "line ChatCompleted\nEND\n");
}

#define SIGNED_FLUSH(index) "{\"eventType\":\"Flush\",\"index\":" index ",\"metadata\":{\"s\":\"t\"}}\n"
#define CALL_WITHOUT_INDEX "{\"eventType\":\"BeforeToolExecution\",\"choice\":1,\"id\":\"c1\",\"toolName\":\"f\",\"input\":{}}\n"

TEST(a_flush_directly_after_the_line_of_a_call_has_more_of_its_metadata)
{
    reads(CALL("2", "c1", "{}") SIGNED_FLUSH("2") SIGNED_FLUSH("2") COMPLETED,
          "{\"type\":\"tool_call\",\"index\":2,\"id\":\"c1\",\"name\":\"f\",\"arguments\":{},\"metadata\":{\"s\":\"t\"}}\nline ChatCompleted\nEND\n");
    reads(CALL("2", "c1", "{}") SIGNED_FLUSH("3"), ITEM_CALL("2", "c1", "{}") "END\n");
    reads("{\"eventType\":\"BeforeToolExecution\",\"index\":2,\"id\":\"c1\",\"toolName\":\"f\",\"inputText\":\"{}\"}\n" SIGNED_FLUSH("2"),
          "{\"type\":\"tool_call\",\"index\":2,\"id\":\"c1\",\"name\":\"f\",\"partialArguments\":{},\"state\":\"cut_off\",\"metadata\":{\"s\":\"t\"}}\nEND\n");
}

/* Nothing ends it: a call that is not whole has no flush. */
TEST(a_number_that_the_arguments_of_a_call_are_is_whole_though_the_call_is_not)
{
    reads("{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":-12,\"state\":\"malformed\"}\n",
          "{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":-12,\"state\":\"malformed\"}\nEND\n");
    reads("{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":7,\"state\":\"cut_off\"}\n",
          "{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":7,\"state\":\"cut_off\"}\nEND\n");
    reads("{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":\"a\",\"state\":\"malformed\"}\n",
          "{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":\"a\",\"state\":\"malformed\"}\nEND\n");
    reads("{\"type\":\"tool_call\",\"argumentsText\":\"1 2\",\"state\":\"malformed\"}\n", "{\"type\":\"tool_call\",\"index\":0,\"id\":\"\",\"name\":\"\",\"partialArguments\":1,\"state\":\"malformed\"}\nEND\n");
}

/* A line may have 256, and an item several lines. */
TEST(an_item_may_have_more_keys_of_metadata_than_an_event_builder_takes_by_default)
{
    static char lines[6000];
    size_t size = (size_t)sprintf(lines, "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\",\"metadata\":{\"k\":0");
    elelem_item_reader_desc defaults = ELELEM_INIT;
    elelem_item_reader many;
    elelem_read_item item;
    int i;

    for (i = 0; i < 200; i++)
        size += (size_t)sprintf(lines + size, ",\"k%d\":%d", i, i);
    size += (size_t)sprintf(lines + size, "}}\n");
    elelem_item_reader_init(&many, &defaults);
    CHECK_INT(elelem_item_reader_push(&many, lines, size), ELELEM_OK);
    elelem_item_reader_finish(&many);
    CHECK_INT(elelem_item_reader_next(&many, &item), ELELEM_OK);
    CHECK_INT(item.item.metadata.count, 201);
    CHECK_INT(elelem_item_reader_next(&many, &item), ELELEM_END);
    elelem_item_reader_free(&many);
}

TEST(the_line_of_that_call_may_lack_the_index)
{
    static const char call[] = "{\"type\":\"tool_call\",\"index\":4294967295,\"choice\":1,\"id\":\"c1\",\"name\":\"f\",\"arguments\":{}}\n";
    char expected[400];

    reads(CALL_WITHOUT_INDEX SIGNED_FLUSH("2"),
          "{\"type\":\"tool_call\",\"index\":4294967295,\"choice\":1,\"id\":\"c1\",\"name\":\"f\",\"arguments\":{},\"metadata\":{\"s\":\"t\"}}\nEND\n");
    snprintf(expected, sizeof expected, "%s%sEND\n", call,
             "{\"type\":\"message\",\"index\":0,\"text\":\"hi\",\"metadata\":{\"s\":\"t\"}}\n");
    reads(SAID("0", "hi") CALL_WITHOUT_INDEX SIGNED_FLUSH("0"), expected);
}

TEST(the_call_of_a_line_that_is_the_last_of_its_entry_is_whole)
{
    reads("{\"role\":\"USER\",\"events\":[{\"eventType\":\"BeforeToolExecution\",\"index\":2,\"id\":\"c1\",\"toolName\":\"f\",\"input\":{}}],"
          "\"incomplete\":\"broken\"}\n" SIGNED_FLUSH("2"),
          "user:\n" ITEM_CALL("2", "c1", "{}") "END\n");
}

#define OWN_CALL(id, name) "{\"eventType\":\"BeforeToolExecution\",\"id\":\"" id "\",\"toolName\":\"" name "\",\"input\":{}}\n"
#define OWN_ITEM(id, name) \
    "{\"type\":\"tool_call\",\"index\":4294967295,\"id\":\"" id "\",\"name\":\"" name "\",\"arguments\":{}}\n"

TEST(the_applications_line_of_a_call_that_is_open_or_was_given_is_no_other_call)
{
    reads(SAID("0", "hi") START("1", "") START("2", "c1") ARGUMENTS("2", "{}") OWN_CALL("c1", "f") FLUSH("0") FLUSH("2"),
          MESSAGE("0", "hi") ITEM_CALL("2", "c1", "{}") "{\"type\":\"tool_call\",\"index\":1,\"id\":\"\",\"name\":\"f\",\"state\":\"cut_off\"}\nEND\n");
    reads(START("2", "c1") FLUSH("2") OWN_CALL("c1", "f") SAID("0", "hi") FLUSH("0"), ITEM_CALL("2", "c1", "{}") MESSAGE("0", "hi") "END\n");
    reads(CALL("2", "c1", "{}") CALL("3", "c2", "{}") OWN_CALL("c2", "f") OWN_CALL("c1", "f"),
          ITEM_CALL("2", "c1", "{}") ITEM_CALL("3", "c2", "{}") "END\n");
    reads(OWN_CALL("c1", "f") SAID("0", "hi") FLUSH("0") CALL("2", "c1", "{}"), OWN_ITEM("c1", "f") MESSAGE("0", "hi") "END\n");
    reads(CALL("2", "c1", "{}") COMPLETED OWN_CALL("c1", "f"), ITEM_CALL("2", "c1", "{}") "line ChatCompleted\nEND\n");
    reads(CALL("2", "c1", "{}") FAILED OWN_CALL("c1", "f"), ITEM_CALL("2", "c1", "{}") "line Error\nEND\n");
    reads(START("2", "c1") FAILED OWN_CALL("c1", "f"),
          "{\"type\":\"tool_call\",\"index\":2,\"id\":\"c1\",\"name\":\"f\",\"state\":\"cut_off\"}\nline Error\n" OWN_ITEM("c1", "f") "END\n");
}

TEST(of_two_lines_of_a_call_the_one_with_an_index_counts)
{
#define RECORDED_CALL(id, members) "{\"eventType\":\"BeforeToolExecution\",\"index\":2,\"id\":\"" id "\",\"toolName\":\"f\"," members "}\n"
    reads(OWN_CALL("c1", "f") RECORDED_CALL("c1", "\"input\":{},\"metadata\":{\"s\":\"t\"}"),
          "{\"type\":\"tool_call\",\"index\":2,\"id\":\"c1\",\"name\":\"f\",\"arguments\":{},\"metadata\":{\"s\":\"t\"}}\nEND\n");
    reads(OWN_CALL("c1", "f") RECORDED_CALL("c2", "\"input\":{}"), OWN_ITEM("c1", "f") ITEM_CALL("2", "c2", "{}") "END\n");
    reads(OWN_CALL("c1", "f") RECORDED_CALL("c1", "\"inputText\":\"{\""), OWN_ITEM("c1", "f") "END\n");
    reads(OWN_CALL("c1", "f") RECORDED_CALL("c1", "\"input\":{},\"metadata\":7"), OWN_ITEM("c1", "f") "line BeforeToolExecution\nEND\n");
}

TEST(an_event_without_text_does_not_stand_for_the_text_of_its_entry)
{
    reads("{\"role\":\"AI\",\"text\":\"a\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"\",\"metadata\":{\"id\":\"msg_1\"}}]}\n",
          "{\"type\":\"message\",\"index\":0,\"text\":\"\",\"metadata\":{\"id\":\"msg_1\"}}\n" MESSAGE("0", "a") "END\n");
}

TEST(calls_of_another_id_or_name_or_response_are_others)
{
    reads(START("2", "c1") OWN_CALL("c2", "f") OWN_CALL("c1", "g") OWN_CALL("", "f") FLUSH("2"),
          OWN_ITEM("c2", "f") OWN_ITEM("c1", "g") OWN_ITEM("", "f") ITEM_CALL("2", "c1", "{}") "END\n");
    reads(CALL("2", "c1", "{}") OWN_CALL("c2", "f") OWN_CALL("c1", "g"),
          ITEM_CALL("2", "c1", "{}") OWN_ITEM("c2", "f") OWN_ITEM("c1", "g") "END\n");
    reads(CALL("2", "c1", "{}") CALL("3", "c1", "{}") OWN_CALL("c1", "f") OWN_CALL("c1", "f") OWN_CALL("c1", "f"),
          ITEM_CALL("2", "c1", "{}") ITEM_CALL("3", "c1", "{}") OWN_ITEM("c1", "f") "END\n");
    reads(CALL("2", "c1", "{}") COMPLETED SAID("0", "a") OWN_CALL("c1", "f") FLUSH("0") FAILED CALL("2", "c1", "{}"),
          ITEM_CALL("2", "c1", "{}") "line ChatCompleted\n" OWN_ITEM("c1", "f") MESSAGE("0", "a") "line Error\n" ITEM_CALL("2", "c1", "{}") "END\n");
    reads(OWN_CALL("c1", "f") COMPLETED CALL("2", "c1", "{}") CALL("3", "c2", "{}") MESSAGE("0", "a") OWN_CALL("c2", "f"),
          OWN_ITEM("c1", "f") "line ChatCompleted\n" ITEM_CALL("2", "c1", "{}") ITEM_CALL("3", "c2", "{}") MESSAGE("0", "a") OWN_ITEM("c2", "f") "END\n");
}

TEST(of_very_many_calls_or_long_ids_only_the_last_are_known)
{
    static char id[5000], lines[16384], expected[16384];
    size_t i;

    memset(id, 'x', 3000);
    snprintf(lines, sizeof lines, CALL("2", "%s", "{}") CALL("3", "c1", "{}") CALL("4", "y%s", "{}") OWN_CALL("c1", "f"), id, id);
    snprintf(expected, sizeof expected, ITEM_CALL("2", "%s", "{}") ITEM_CALL("3", "c1", "{}") ITEM_CALL("4", "y%s", "{}") OWN_ITEM("c1", "f") "END\n", id, id);
    reads(lines, expected);
    for (i = 3000; i < 4500; i++)
        id[i] = 'x';
    snprintf(lines, sizeof lines, CALL("2", "%s", "{}") OWN_CALL("%s", "f"), id, id);
    snprintf(expected, sizeof expected, ITEM_CALL("2", "%s", "{}") OWN_ITEM("%s", "f") "END\n", id, id);
    reads(lines, expected);
}

TEST(several_responses_may_follow_each_other)
{
    reads(SAID("0", "a") COMPLETED SAID("0", "b") COMPLETED,
          MESSAGE("0", "a") "line ChatCompleted\n" MESSAGE("0", "b") "line ChatCompleted\nEND\n");
}

TEST(the_line_of_a_call_whose_arguments_are_no_json_is_a_call_that_is_not_whole)
{
    desc.keep_argument_text = 1;
    reads("{\"eventType\":\"BeforeToolExecution\",\"index\":2,\"id\":\"c1\",\"toolName\":\"f\",\"inputText\":\"{\\\"a\"}\n"
          "{\"eventType\":\"BeforeToolExecution\",\"index\":3,\"id\":\"c2\",\"toolName\":\"f\",\"inputText\":\"{]\"}\n"
          "{\"eventType\":\"BeforeToolExecution\",\"index\":4,\"id\":\"c3\",\"toolName\":\"f\",\"inputText\":\"{}\"}\n",
          "{\"type\":\"tool_call\",\"index\":2,\"id\":\"c1\",\"name\":\"f\",\"argumentsText\":\"{\\\"a\",\"state\":\"cut_off\"}\n"
          "{\"type\":\"tool_call\",\"index\":3,\"id\":\"c2\",\"name\":\"f\",\"argumentsText\":\"{]\",\"state\":\"malformed\"}\n"
          "{\"type\":\"tool_call\",\"index\":4,\"id\":\"c3\",\"name\":\"f\",\"argumentsText\":\"{}\",\"state\":\"cut_off\"}\nEND\n");
    desc.keep_argument_text = 0;
}

TEST(lines_of_the_application_come_in_their_place)
{
    reads(BEFORE EXECUTED "{\"eventType\":\"ContentFetched\"}\n{\"x\":1}\n{\"type\":\"message\",\"index\":\"one\"}\n"
          "{\"type\":\"message\",\"index\":1,\"state\":\"great\"}\n",
          "{\"type\":\"tool_call\",\"index\":4294967295,\"id\":\"\",\"name\":\"get_weather\",\"arguments\":{\"city\":\"Seattle\"}}\n"
          "line ToolExecuted\nline ContentFetched\nline \nline \nline \nEND\n");
}

TEST(entries_of_a_history_give_the_items_of_their_events)
{
    reads("{\"role\":\"USER\",\"text\":\"h\\u00efho\"}\n"
          "{\"role\":\"AI\",\"text\":\"ok\",\"events\":[{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"hm\"},"
          "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"ok\"},{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}]}\n"
          "{\"role\":\"AI\",\"text\":\"bye\"}\n",
          "user:\n" MESSAGE("0", "h\xc3\xafho") REASONED("0", "hm") MESSAGE("1", "ok") "line ChatCompleted\n" MESSAGE("0", "bye") "END\n");
}

TEST(the_text_of_an_entry_that_is_in_no_event_comes_after_them)
{
    reads("{\"role\":\"USER\",\"text\":\"h\\u00efho\",\"attachments\":[1],\"events\":[{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"hm\"},"
          "{\"eventType\":\"PartialResponse\",\"index\":1,\"choice\":1,\"chunk\":\"b\"}]}\n" SAID("0", "c") COMPLETED,
          "user:\n{\"type\":\"message\",\"index\":0,\"text\":\"\",\"metadata\":{\"attachments\":[1]}}\nuser:\n" REASONED("0", "hm")
          "user:\n{\"type\":\"message\",\"index\":1,\"choice\":1,\"text\":\"b\"}\nuser:\n" MESSAGE("0", "h\xc3\xafho") MESSAGE("0", "c")
          "line ChatCompleted\nEND\n");
    reads("{\"role\":\"AI\",\"text\":\"a\",\"events\":[{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"hm\"}],\"incomplete\":\"broken\"}\n",
          "{\"type\":\"reasoning\",\"index\":0,\"text\":\"hm\",\"state\":\"cut_off\"}\n" MESSAGE("0", "a") "END\n");
    reads("{\"role\":\"AI\",\"text\":\"\",\"events\":[]}\n{\"role\":\"AI\",\"text\":true,\"events\":[]}\n", "END\n");
}

TEST(an_entry_without_an_end_is_as_whole_as_what_follows_it)
{
    reads("{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"ok\"}]}\n"
          "{\"role\":\"USER\",\"text\":\"so\"}\n",
          MESSAGE("1", "ok") "user:\n" MESSAGE("0", "so") "END\n");
}

TEST(a_line_that_is_no_object_is_an_error_at_its_offset)
{
    reads(MESSAGE("0", "a") "nonsense\n", MESSAGE("0", "a") "ERROR_SYNTAX at 40\n");
}

TEST(an_item_over_the_limit_is_an_error_that_sticks)
{
    desc.max_bytes = 4;
    reads(MESSAGE("0", "abcdef"), "ERROR_VALUE_SIZE at 45\n");
    desc.max_bytes = 0;
    desc.max_line_bytes = 10;
    reads(MESSAGE("0", "abcdef"), "ERROR_LINE_SIZE at 10\n");
    desc.max_line_bytes = 0;
}

#define FIFTY "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

TEST(refused_memory_is_an_error_at_every_request)
{
    static const char lines[] = THOUGHT("0", "h\\u00e9") CALL("2", "c1", "{\"a\":[1]}") COMPLETED
        "{\"type\":\"message\",\"index\":0,\"text\":\"\\u00e9\",\"metadata\":{\"a\":1}}\n"
        "{\"role\":\"AI\",\"events\":[{}],\"text\":\"" FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY "\\u00e9\"}\n";
    limits_heap heap = ELELEM_INIT;
    int refused;

    for (refused = 2; refused < 400; refused++) {
        elelem_item_reader_desc with_heap = ELELEM_INIT;
        elelem_read_item item;
        elelem_status status;
        memset(&heap, 0, sizeof heap);
        with_heap.allocator = limits_allocator(&heap);
        heap.refuse = refused / 2;
        heap.stays = refused % 2; /* from then on, or once */
        elelem_item_reader_init(&reader, &with_heap);
        CHECK_INT(elelem_item_reader_push(&reader, lines, sizeof lines - 1), ELELEM_OK);
        elelem_item_reader_finish(&reader);
        while ((status = elelem_item_reader_next(&reader, &item)) == ELELEM_OK)
            continue;
        if (status != ELELEM_END) CHECK_INT(status, ELELEM_ERROR_MEMORY);
        elelem_item_reader_free(&reader);
        CHECK_U64(heap.live, 0);
        if (heap.calls < heap.refuse) break;
    }
    CHECK(refused > 10);
}

TEST(a_value_above_the_limit_is_an_error_before_the_next_line_is_pushed)
{
    static const char lines[] = "{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":\"c\",\"toolName\":\"f\"}\n"
        "{\"eventType\":\"ToolCallArguments\",\"index\":1,\"chunk\":\"[1,2,3,4,5,6,7,8,9,[1],[2],[3],[4],[5]]\"}\n";
    elelem_read_item item;

    desc.max_bytes = 100;
    start_reading(NULL);
    CHECK_INT(push(NULL, lines, sizeof lines - 1), ELELEM_OK);
    CHECK_INT(elelem_item_reader_next(&reader, &item), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_item_reader_error(&reader).status, ELELEM_ERROR_VALUE_SIZE);
    CHECK_U64(elelem_item_reader_error(&reader).offset, sizeof lines - 1);
    desc.max_bytes = 0;
    elelem_item_reader_free(&reader);
}

TEST(an_entry_for_whose_role_there_is_no_memory_is_not_taken_for_a_bad_one)
{
    static const char line[] = "{\"role\":\"\\u0055SER\",\"text\":\"a\"}\n";
    elelem_read_item item;
    int calls = 0, refused;

    for (refused = 0; refused <= calls; refused++) {
        limits_heap heap = ELELEM_INIT;
        elelem_item_reader_desc with_heap = ELELEM_INIT;
        with_heap.allocator = limits_allocator(&heap);
        heap.refuse = refused; /* 0: none */
        heap.stays = 1;
        elelem_item_reader_init(&reader, &with_heap);
        CHECK_INT(elelem_item_reader_push(&reader, line, sizeof line - 1), ELELEM_OK);
        CHECK_INT(elelem_item_reader_next(&reader, &item), refused > 0 ? ELELEM_ERROR_MEMORY : ELELEM_OK);
        if (refused == 0) {
            CHECK_INT(item.role, ELELEM_HISTORY_USER);
            calls = heap.calls;
        }
        elelem_item_reader_free(&reader);
        CHECK_U64(heap.live, 0);
    }
    CHECK(calls > 0);
}

TEST(a_reader_that_is_reset_forgets_what_is_open_and_its_error)
{
    static const char open_item[] = SAID("0", "a") CALL("1", "c", "{}"), bad[] = "nonsense\n", line[] = MESSAGE("0", "b");
    static feed_log log;

    start_reading(NULL);
    CHECK_INT(push(NULL, open_item, sizeof open_item - 1), ELELEM_OK);
    CHECK_INT(next(NULL, &log), ELELEM_MORE);
    CHECK_INT(push(NULL, bad, sizeof bad - 1), ELELEM_OK);
    CHECK_INT(next(NULL, &log), ELELEM_ERROR_SYNTAX);
    elelem_item_reader_reset(&reader);
    CHECK_INT(elelem_item_reader_error(&reader).status, ELELEM_OK);
    CHECK_INT(push(NULL, line, sizeof line - 1), ELELEM_OK);
    CHECK_INT(next(NULL, &log), ELELEM_OK);
    CHECK_STR(log.text, log.size, MESSAGE("0", "b"));
    CHECK_INT(next(NULL, &log), ELELEM_MORE);
    elelem_item_reader_free(&reader);
}

TEST(a_reader_that_was_freed_refuses_everything_as_a_zeroed_one_does)
{
    elelem_read_item item;

    start_reading(NULL);
    elelem_item_reader_free(&reader);
    CHECK_INT(elelem_item_reader_push(&reader, "{", 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_item_reader_next(&reader, &item), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_item_reader_error(&reader).status, ELELEM_ERROR_MISUSE);
}

TEST(a_reader_that_is_reset_within_an_entry_reads_the_next_from_its_beginning)
{
    static const char line[] = "{\"role\":\"AI\",\"events\":["
        "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\"},{\"eventType\":\"Flush\",\"index\":0},"
        "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"b\"},{\"eventType\":\"Flush\",\"index\":1}]}\n";
    static feed_log log;
    size_t taken, i;

    for (taken = 0; taken < 3; taken++) {
        start_reading(NULL);
        CHECK_INT(push(NULL, line, sizeof line - 1), ELELEM_OK);
        for (i = 0; i < taken; i++)
            CHECK_INT(next(NULL, &log), ELELEM_OK);
        elelem_item_reader_reset(&reader);
        log.size = 0;
        CHECK_INT(push(NULL, line, sizeof line - 1), ELELEM_OK);
        while (next(NULL, &log) == ELELEM_OK) {}
        CHECK_STR(log.text, log.size, MESSAGE("0", "a") MESSAGE("1", "b"));
        elelem_item_reader_free(&reader);
    }
}

TEST(a_zeroed_reader_refuses_everything)
{
    elelem_item_reader zeroed = ELELEM_INIT;
    elelem_read_item item;

    CHECK_INT(elelem_item_reader_push(&zeroed, "{", 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_item_reader_next(&zeroed, &item), ELELEM_ERROR_MISUSE);
    elelem_item_reader_finish(&zeroed);
    elelem_item_reader_reset(&zeroed);
    elelem_item_reader_free(&zeroed);
}

/* What memory-service writes. */

TEST(thinking_may_be_under_text)
{
    reads("{\"eventType\":\"PartialThinking\",\"text\":\"hm\"}\n{\"eventType\":\"PartialThinking\",\"chunk\":\"!\",\"text\":\"other\"}\n"
          "{\"eventType\":\"PartialResponse\",\"index\":1,\"text\":\"none\"}\n{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}\n",
          "line PartialResponse\n{\"type\":\"reasoning\",\"index\":0,\"text\":\"hm!\"}\nline ChatCompleted\nEND\n");
}

TEST(a_call_may_have_arguments_as_json_text_or_as_a_value)
{
    reads("{\"eventType\":\"BeforeToolExecution\",\"id\":\"a\",\"toolName\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}\n"
          "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"b\",\"toolName\":\"f\",\"arguments\":{\"b\":2}}\n"
          "{\"eventType\":\"BeforeToolExecution\",\"index\":2,\"id\":\"c\",\"toolName\":\"f\",\"arguments\":\"\"}\n"
          "{\"eventType\":\"BeforeToolExecution\",\"index\":3,\"id\":\"d\",\"toolName\":\"f\",\"arguments\":\"{\\\"a\\\":\"}\n"
          "{\"eventType\":\"BeforeToolExecution\",\"index\":4,\"id\":\"e\",\"toolName\":\"f\",\"input\":{\"c\":3},\"arguments\":\"no\"}\n",
          "{\"type\":\"tool_call\",\"index\":4294967295,\"id\":\"a\",\"name\":\"f\",\"arguments\":{\"a\":1}}\n"
          "{\"type\":\"tool_call\",\"index\":1,\"id\":\"b\",\"name\":\"f\",\"arguments\":{\"b\":2}}\n"
          "{\"type\":\"tool_call\",\"index\":2,\"id\":\"c\",\"name\":\"f\",\"arguments\":{}}\n"
          "{\"type\":\"tool_call\",\"index\":3,\"id\":\"d\",\"name\":\"f\",\"partialArguments\":{},\"state\":\"cut_off\"}\n"
          "{\"type\":\"tool_call\",\"index\":4,\"id\":\"e\",\"name\":\"f\",\"arguments\":{\"c\":3}}\nEND\n");
}

TEST(attachments_of_an_entry_are_metadata_of_a_message)
{
    reads("{\"role\":\"USER\",\"attachments\":[{\"href\":\"a\"}]}\n"
          "{\"role\":\"USER\",\"text\":\"look\",\"attachments\":[{\"href\":\"b\"},{}]}\n"
          "{\"role\":\"AI\",\"text\":\"t\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"x\"}],\"attachments\":[1]}\n"
          "{\"role\":\"USER\",\"text\":\"plain\",\"attachments\":null}\n",
          "user:\n{\"type\":\"message\",\"index\":0,\"text\":\"\",\"metadata\":{\"attachments\":[{\"href\":\"a\"}]}}\n"
          "user:\n{\"type\":\"message\",\"index\":0,\"text\":\"look\",\"metadata\":{\"attachments\":[{\"href\":\"b\"},{}]}}\n"
          "{\"type\":\"message\",\"index\":0,\"text\":\"\",\"metadata\":{\"attachments\":[1]}}\n"
          "{\"type\":\"message\",\"index\":0,\"text\":\"x\"}\n"
          "user:\n{\"type\":\"message\",\"index\":0,\"text\":\"plain\"}\nEND\n");
}

TEST(an_entry_whose_attachments_or_events_are_no_array_is_a_line)
{
    reads("{\"role\":\"AI\",\"text\":\"a\",\"attachments\":7}\n{\"role\":\"AI\",\"events\":{\"a\":{}}}\n", "line \nline \nEND\n");
}

/* Lines as they are, which tell what was not read. */
static void reads_as_lines(const char *const *rows, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        elelem_read_item item;
        check_context(rows[i]);
        elelem_item_reader_init(&reader, NULL);
        CHECK_INT(elelem_item_reader_push(&reader, rows[i], strlen(rows[i])), ELELEM_OK);
        elelem_item_reader_finish(&reader);
        if (CHECK_INT(elelem_item_reader_next(&reader, &item), ELELEM_OK)) {
            CHECK_INT(item.kind, ELELEM_READ_LINE);
            CHECK_STR(item.line.data, item.line.size, rows[i]);
        }
        CHECK_INT(elelem_item_reader_next(&reader, &item), ELELEM_END);
        elelem_item_reader_free(&reader);
    }
}

TEST(objects_whose_members_are_of_another_type_are_lines)
{
    static const char *const rows[] = {
        "{\"type\":7}",
        "{\"type\":\"message\",\"choice\":-1,\"text\":\"a\"}",
        "{\"type\":\"message\",\"index\":4294967296,\"text\":\"a\"}",
        "{\"type\":\"message\",\"index\":0,\"text\":7}",
        "{\"type\":\"message\",\"index\":0,\"state\":7}",
        "{\"type\":\"message\",\"index\":0,\"text\":\"a\",\"metadata\":[]}",
        "{\"type\":\"tool_call\",\"index\":0,\"id\":7}",
        "{\"type\":\"tool_call\",\"index\":0,\"name\":7}",
        "{\"type\":\"tool_call\",\"index\":0,\"callType\":7}",
        "{\"type\":\"tool_call\",\"index\":0,\"argumentsText\":7}",
        "{\"type\":\"provider_item\",\"index\":0,\"itemType\":7,\"item\":{}}",
        "{\"type\":\"provider_item\",\"index\":0,\"itemType\":\"a\",\"hosted\":1,\"item\":{}}",
        "{\"type\":\"provider_item\",\"index\":0,\"itemType\":\"a\",\"caption\":1,\"item\":{}}",
        "{\"type\":\"provider_item\",\"index\":0,\"itemType\":\"a\",\"text\":1}",
        "{\"type\":\"provider_item_and_more\",\"index\":0,\"itemType\":\"a\",\"item\":{}}",
        "{\"eventType\":\"BeforeToolExecution\",\"index\":-1,\"toolName\":\"f\"}",
        "{\"eventType\":\"BeforeToolExecution\",\"choice\":\"\",\"toolName\":\"f\"}",
        "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"toolName\":7}",
        "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":7}",
        "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"metadata\":7}",
        "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"inputText\":7}",
        "{\"role\":7,\"text\":\"a\"}",
        "{\"role\":\"SYSTEM\",\"text\":\"a\"}",
        "{\"role\":\"AI\",\"text\":7}",
        "{\"role\":\"AI\",\"text\":\"a\",\"events\":7}",
    };

    reads_as_lines(rows, sizeof rows / sizeof *rows);
}

TEST(a_call_whose_line_has_no_arguments_has_none)
{
    reads("{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"b\",\"type\":\"shell_call\",\"toolName\":\"f\"}\n",
          "{\"type\":\"tool_call\",\"index\":1,\"callType\":\"shell_call\",\"id\":\"b\",\"name\":\"f\",\"arguments\":{}}\nEND\n");
}

TEST(the_line_of_a_call_keeps_its_choice_and_metadata)
{
    reads("{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"choice\":2,\"id\":\"b\",\"toolName\":\"f\",\"input\":1,\"metadata\":{\"s\":\"t\"}}\n",
          "{\"type\":\"tool_call\",\"index\":1,\"choice\":2,\"id\":\"b\",\"name\":\"f\",\"arguments\":1,\"metadata\":{\"s\":\"t\"}}\nEND\n");
}

TEST(objects_among_the_events_of_an_entry_are_lines_but_other_values_an_error)
{
    reads("{\"role\":\"USER\",\"events\":[{\"x\":1},{\"role\":\"AI\",\"text\":\"no entry\"},{\"eventType\":\"PartialResponse\",\"chunk\":\"a\"}]}\n",
          "user:\nline \nuser:\nline \nuser:\n{\"type\":\"message\",\"index\":0,\"text\":\"a\",\"state\":\"cut_off\"}\nEND\n");
    reads("{\"role\":\"AI\",\"events\":[{\"eventType\":\"X\"},[]]}\n" MESSAGE("0", "a"), "line X\nERROR_TYPE at 46\n");
}

TEST(an_entry_of_nothing_gives_nothing)
{
    reads("{\"role\":\"AI\"}\n{\"role\":\"AI\",\"events\":[]}\n{\"role\":\"AI\",\"attachments\":[]}\n" MESSAGE("0", "a"),
          "{\"type\":\"message\",\"index\":0,\"text\":\"\",\"metadata\":{\"attachments\":[]}}\n" MESSAGE("0", "a") "END\n");
}

#define USERS "{\"role\":\"USER\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":3,\"chunk\":\"a\"}]}\n"

TEST(an_item_has_the_role_of_its_entry_whatever_ends_it)
{
    reads(USERS MESSAGE("0", "b"), "user:\n" MESSAGE("3", "a") MESSAGE("0", "b") "END\n");
    reads(USERS "{\"x\":1}\n", "user:\n" MESSAGE("3", "a") "line \nEND\n");
    reads(USERS EXECUTED FAILED SAID("0", "b") COMPLETED,
          "line ToolExecuted\nuser:\n{\"type\":\"message\",\"index\":3,\"text\":\"a\",\"state\":\"cut_off\"}\nline Error\n"
          MESSAGE("0", "b") "line ChatCompleted\nEND\n");
    reads(USERS COMPLETED SAID("0", "b") COMPLETED,
          "user:\n" MESSAGE("3", "a") "line ChatCompleted\n" MESSAGE("0", "b") "line ChatCompleted\nEND\n");
    reads("{\"role\":\"USER\",\"text\":\"a\"}\n" SAID("0", "b") COMPLETED,
          "user:\n" MESSAGE("0", "a") MESSAGE("0", "b") "line ChatCompleted\nEND\n");
}

/* A partial item may have been stored. */
TEST(an_item_that_was_open_when_it_was_written_is_cut_off)
{
    reads("{\"type\":\"message\",\"index\":0,\"text\":\"x\",\"state\":\"open\"}\n",
          "{\"type\":\"message\",\"index\":0,\"text\":\"x\",\"state\":\"cut_off\"}\nEND\n");
}

#define SAYS(chunk) "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"" chunk "\"}]}\n"

TEST(entries_with_events_may_follow_each_other_and_a_reset_inside_one)
{
    static const char open_entry[] = SAYS("first"), line[] = SAYS("b") "{}\n";
    static feed_log log;

    reads(SAYS("a long one") SAYS("b") SAYS("") SAYS("another") "{\"x\":1}\n",
          MESSAGE("1", "a long one") MESSAGE("1", "b") MESSAGE("1", "another") "line \nEND\n");
    start_reading(NULL);
    CHECK_INT(push(NULL, open_entry, sizeof open_entry - 1), ELELEM_OK);
    CHECK_INT(next(NULL, &log), ELELEM_MORE);
    elelem_item_reader_reset(&reader);
    CHECK_INT(push(NULL, line, sizeof line - 1), ELELEM_OK);
    CHECK_INT(next(NULL, &log), ELELEM_OK);
    CHECK_STR(log.text, log.size, MESSAGE("1", "b"));
    elelem_item_reader_free(&reader);
}

TEST(a_part_of_another_kind_or_choice_ends_the_item_of_its_index)
{
    reads("{\"role\":\"AI\",\"text\":\"Hello\",\"events\":[{\"eventType\":\"PartialThinking\",\"text\":\"hmm\"},"
          "{\"eventType\":\"PartialResponse\",\"chunk\":\"Hel\"},{\"eventType\":\"PartialResponse\",\"chunk\":\"lo\"},{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}]}\n",
          REASONED("0", "hmm") MESSAGE("0", "Hello") "line ChatCompleted\nEND\n");
    reads(SAID("0", "a") "{\"eventType\":\"PartialResponse\",\"index\":0,\"choice\":1,\"chunk\":\"b\"}\n" COMPLETED,
          MESSAGE("0", "a") "{\"type\":\"message\",\"index\":0,\"choice\":1,\"text\":\"b\"}\nline ChatCompleted\nEND\n");
}

CHECK_MAIN("item_reader", RUN(thinking_may_be_under_text)
           RUN(a_call_may_have_arguments_as_json_text_or_as_a_value)
           RUN(attachments_of_an_entry_are_metadata_of_a_message)
           RUN(an_entry_whose_attachments_or_events_are_no_array_is_a_line)
          
    RUN(lines_of_items_are_read_as_the_same_items)
    RUN(items_that_are_not_whole_stay_what_they_are)
    RUN(a_call_that_was_cut_off_before_its_arguments_has_none)
    RUN(the_text_of_arguments_is_read_if_it_is_to_be_kept)
    RUN(a_live_record_gives_its_items)
    RUN(a_live_record_with_the_line_of_a_call_gives_the_call_once)
    RUN(a_record_made_short_has_no_flushes_and_its_end_shows_that_all_is_whole)
    RUN(what_is_open_at_an_error_or_at_the_end_of_the_lines_is_cut_off)
    RUN(what_was_flushed_before_an_error_is_whole_in_a_record_made_short)
    RUN(what_is_open_at_the_end_of_an_incomplete_entry_is_cut_off)
    RUN(a_flush_directly_after_the_line_of_a_call_has_more_of_its_metadata)
    RUN(a_number_that_the_arguments_of_a_call_are_is_whole_though_the_call_is_not)
    RUN(an_item_may_have_more_keys_of_metadata_than_an_event_builder_takes_by_default)
    RUN(the_line_of_that_call_may_lack_the_index)
    RUN(the_call_of_a_line_that_is_the_last_of_its_entry_is_whole)
    RUN(the_applications_line_of_a_call_that_is_open_or_was_given_is_no_other_call)
    RUN(of_two_lines_of_a_call_the_one_with_an_index_counts)
    RUN(an_event_without_text_does_not_stand_for_the_text_of_its_entry)
    RUN(calls_of_another_id_or_name_or_response_are_others)
    RUN(of_very_many_calls_or_long_ids_only_the_last_are_known)
    RUN(several_responses_may_follow_each_other)
    RUN(a_part_of_another_kind_or_choice_ends_the_item_of_its_index)
    RUN(the_line_of_a_call_whose_arguments_are_no_json_is_a_call_that_is_not_whole)
    RUN(lines_of_the_application_come_in_their_place)
    RUN(entries_of_a_history_give_the_items_of_their_events)
    RUN(the_text_of_an_entry_that_is_in_no_event_comes_after_them)
    RUN(an_entry_without_an_end_is_as_whole_as_what_follows_it)
    RUN(a_line_that_is_no_object_is_an_error_at_its_offset)
    RUN(an_item_over_the_limit_is_an_error_that_sticks)
    RUN(refused_memory_is_an_error_at_every_request)
           RUN(a_value_above_the_limit_is_an_error_before_the_next_line_is_pushed)
           RUN(an_entry_for_whose_role_there_is_no_memory_is_not_taken_for_a_bad_one)
    RUN(a_reader_that_is_reset_forgets_what_is_open_and_its_error)
           RUN(a_reader_that_is_reset_within_an_entry_reads_the_next_from_its_beginning)
    RUN(a_zeroed_reader_refuses_everything)
           RUN(a_reader_that_was_freed_refuses_everything_as_a_zeroed_one_does)
    RUN(objects_whose_members_are_of_another_type_are_lines)
    RUN(a_call_whose_line_has_no_arguments_has_none)
    RUN(the_line_of_a_call_keeps_its_choice_and_metadata)
    RUN(objects_among_the_events_of_an_entry_are_lines_but_other_values_an_error)
    RUN(an_entry_of_nothing_gives_nothing)
    RUN(an_item_has_the_role_of_its_entry_whatever_ends_it)
    RUN(an_item_that_was_open_when_it_was_written_is_cut_off)
    RUN(entries_with_events_may_follow_each_other_and_a_reset_inside_one))
