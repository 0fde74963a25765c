/* request_write: what is the same for all shapes: checks before the first byte, sinks, members of the caller's own, and
   the forms that lines may have. */
#include "elelem_stream.h"

#include "requests.h"

#define HI "{\"role\":\"user\",\"content\":\"Hi\"}"

static const char *const shapes[] = { "chat", "responses", "messages", "gemini", "interactions" };

#define EACH_SHAPE(i) for (i = 0; i < sizeof shapes / sizeof *shapes; i++)

static void plain(void)
{
    ask("chat", "m");
}

/* A history with everything in it. */
static const char everything[] =
    USER("Hi \\ud83d\\udd11") THINKS("Hm.", "\"signature\":\"s\",\"encrypted_content\":\"e\",\"thought_signature\":\"t\"")
    SAYS("Well.") CALL("call_1", "now", "{\"a\":[1,{\"b\":null}]}") CALL("call_2", "look", "{}")
    RESULT("call_2", "look", "b") "{\"type\":\"tool_result\",\"id\":\"call_1\",\"output\":{\"n\":1}}\n"
    "{\"type\":\"structured\",\"value\":{\"a\":1}}\n"
    "{\"type\":\"user\",\"text\":\"Look.\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA==\"}]}\n";

/* Refused requests. */

static void misuse(const char *history)
{
    REFUSED(history, ELELEM_ERROR_MISUSE, 0);
}

TEST(a_request_without_shape_model_or_anything_to_send_is_refused)
{
    size_t i;

    memset(&request, 0, sizeof request);
    request.model = elelem_str_of("m");
    misuse(USER("Hi"));
    EACH_SHAPE(i) {
        ask(shapes[i], "");
        misuse(USER("Hi"));
        ask(shapes[i], "m");
        request.instructions = elelem_str_of("Be brief.");
        misuse("");
        misuse("\n  \r\n");
        misuse(THINKS("Hm.", "") USER(" "));
    }
}

TEST(names_of_tools_that_providers_refuse_are_refused)
{
    static const char *const bad[] = { "", "a b", "a.b", "\xc3\xbc",
                                       "a1234567890123456789012345678901234567890123456789012345678901234" };
    elelem_tool tools[2];
    size_t i;

    plain();
    memset(tools, 0, sizeof tools);
    request.tools = tools;
    request.tool_count = 1;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        tools[0].name = elelem_str_of(bad[i]);
        misuse(USER("Hi"));
    }
    tools[0].name.size = 64;
    HISTORY(USER("Hi"), "[" HI "]");
    tools[0].name = tools[1].name = elelem_str_of("now");
    request.tool_count = 2;
    misuse(USER("Hi"));
    tools[1].name = elelem_str_of("look");
    request.tool_choice = ELELEM_TOOL_CHOICE_NAMED;
    request.tool_choice_name = elelem_str_of("other");
    misuse(USER("Hi"));
    request.tool_choice = 9;
    misuse(USER("Hi"));
}

TEST(schemas_and_numbers_that_are_no_json_are_refused)
{
    static const char *const bad[] = { "{", "[]", "1", "{}{}", "{\"a\":}", "\xff" };
    elelem_tool tool;
    size_t i;

    memset(&tool, 0, sizeof tool);
    tool.name = elelem_str_of("now");
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        plain();
        request.schema = elelem_str_of(bad[i]);
        misuse(USER("Hi"));
        plain();
        request.tools = &tool;
        request.tool_count = 1;
        tool.parameters = elelem_str_of(bad[i]);
        misuse(USER("Hi"));
    }
    plain();
    request.temperature = elelem_str_of("0.5x");
    misuse(USER("Hi"));
    request.temperature = elelem_str_of("\"0.5\"");
    misuse(USER("Hi"));
    plain();
    request.schema_name = elelem_str_of("a b");
    request.schema = elelem_str_of("{}");
    misuse(USER("Hi"));
}

TEST(members_of_the_callers_own_replace_those_of_the_same_name)
{
    plain();
    request.max_tokens = 5;
    request.extra = elelem_str_of(" \"m\\u0061x_tokens\" : 7, \"user\":\"u\" ");
    HISTORY(USER("Hi"), "[" HI "]");
    MEMBER("max_tokens", "7");
    MEMBER("user", "\"u\"");
    MEMBER("stream", "true");
    request.extra = elelem_str_of("\"messages\":[]");
    HISTORY("", "[]");
    request.extra = elelem_str_of(" ");
    HISTORY(USER("Hi"), "[" HI "]");
}

TEST(members_that_would_break_the_body_are_refused) /* Q2 */
{
    static const char *const bad[] = { "{}", "\"a\":1,", ",", "\"a\"", "\"a\":1}", "\"a\":1},{\"b\":2", "\"a\":[1" };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        plain();
        request.extra = elelem_str_of(bad[i]);
        misuse(USER("Hi"));
        ask("gemini", "m");
        request.extra_config = elelem_str_of(bad[i]);
        misuse(USER("Hi"));
        ask("interactions", "m");
        request.extra_config = elelem_str_of(bad[i]);
        misuse(USER("Hi"));
    }
}

/* Histories that are refused. */

TEST(a_line_that_is_no_json_is_refused_at_its_byte) /* Q1 */
{
    plain();
    REFUSED(USER("Hi") "{\"type\":\"message\",\"text\":x}\n" USER("Hi"), ELELEM_ERROR_SYNTAX, 28 + 25);
    REFUSED(USER("Hi") "{\"type\":\"mess", ELELEM_ERROR_TRUNCATED, 28 + 13);
    REFUSED(USER("Hi") "\n  {\"type\":\"user\",\"text\":\"a\xff\"}", ELELEM_ERROR_UTF8, 28 + 3 + 24);
    REFUSED("{} {}", ELELEM_ERROR_SYNTAX, 3);
}

TEST(a_line_that_is_no_object_or_of_no_known_type_is_refused) /* Q1 */
{
    plain();
    REFUSED(USER("Hi") " [1]\n", ELELEM_ERROR_TYPE, 29);
    REFUSED(USER("Hi") "\"user\"\n", ELELEM_ERROR_TYPE, 28);
    REFUSED(USER("Hi") "{\"type\":\"tool_reslt\"}\n", ELELEM_ERROR_PROTOCOL, 28);
    REFUSED(USER("Hi") "{\"type\":1}\n", ELELEM_ERROR_PROTOCOL, 28);
    REFUSED(USER("Hi") "{\"type\":123456}\n", ELELEM_ERROR_PROTOCOL, 28);
    REFUSED(USER("Hi") "{\"type\":[\"user\"],\"text\":\"Hi\"}\n", ELELEM_ERROR_PROTOCOL, 28);
    REFUSED(USER("Hi") "{}\n", ELELEM_ERROR_PROTOCOL, 28);
}

TEST(members_of_another_type_are_refused) /* Q1 */
{
    plain();
    REFUSED("{\"type\":\"user\",\"text\":1}\n", ELELEM_ERROR_TYPE, 22);
    REFUSED("{\"type\":\"user\"}\n", ELELEM_ERROR_PROTOCOL, 0);
    REFUSED("{\"type\":\"message\",\"text\":null}\n", ELELEM_ERROR_TYPE, 25);
    REFUSED("{\"type\":\"message\",\"text\":\"\",\"metadata\":[]}\n", ELELEM_ERROR_TYPE, 39);
    REFUSED("{\"type\":\"tool_call\",\"id\":7,\"name\":\"x\",\"arguments\":{}}\n", ELELEM_ERROR_TYPE, 25);
    REFUSED("{\"type\":\"user\",\"text\":\"\",\"images\":{}}\n", ELELEM_ERROR_TYPE, 34);
    REFUSED("{\"type\":\"user\",\"text\":\"\",\"images\":[{\"data\":\"AA==\"}]}\n", ELELEM_ERROR_PROTOCOL, 35);
    REFUSED("{\"type\":\"user\",\"text\":\"\",\"images\":[1]}\n", ELELEM_ERROR_PROTOCOL, 35);
}

TEST(a_result_without_its_call_is_refused_in_every_shape) /* Q4 */
{
    size_t i;

    EACH_SHAPE(i) {
        ask(shapes[i], "m");
        REFUSED(RESULT("a", "now", "1"), ELELEM_ERROR_PROTOCOL, 0);
        REFUSED(USER("Hi") CALL("a", "now", "{}") RESULT("b", "now", "1"), ELELEM_ERROR_PROTOCOL, 28 + 58);
        REFUSED(USER("Hi") CALL("a", "now", "{}") SAYS("A") RESULT("a", "now", "1") SAYS("B") RESULT("a", "now", "1"),
                ELELEM_ERROR_PROTOCOL, 28 + 58 + 29 + 58 + 29);
    }
}

TEST(more_than_64_calls_without_a_result_or_a_users_line_between_them_are_refused) /* Q4 */
{
    static char history[16384];
    size_t i, calls;

    for (calls = 64; calls <= 65; calls++) {
        strcpy(history, USER("Hi"));
        for (i = 0; i < calls; i++)
            strcat(history, CALL("", "now", "{}"));
        plain();
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, calls == 64 ? ELELEM_OK : ELELEM_ERROR_COUNT);
    }
    CHECK_U64(write_to(&body, sizeof body.text).offset, 28 + 64 * 57);
    strcpy(history, "");
    for (i = 0; i < 65; i++) /* the end of a response is nothing between them */
        strcat(history, CALL("", "now", "{}") "{\"eventType\":\"ChatCompleted\"}\n");
    request.history = elelem_str_of(history);
    CHECK_INT(write_body().status, ELELEM_ERROR_COUNT);
    strcpy(history, "");
    for (i = 0; i < 100; i++)
        strcat(history, USER("Hi") CALL("", "now", "{}"));
    request.history = elelem_str_of(history);
    CHECK_INT(write_body().status, ELELEM_OK);
}

/* Adds lines of calls with ids of numbers up to `count`; the recorder's have indices. */
static void add_lines_of_calls(char *history, int count, int have_indices)
{
    int i;

    for (i = 0; i < count; i++) {
        char line[128], index[24] = "";
        if (have_indices) snprintf(index, sizeof index, "\"index\":%d,", i);
        snprintf(line, sizeof line, "{\"eventType\":\"BeforeToolExecution\",%s\"id\":\"c%d\",\"toolName\":\"now\",\"input\":{}}\n", index, i);
        strcat(history, line);
    }
}

TEST(the_applications_own_lines_of_calls_do_not_count_towards_the_64)
{
    static const char *const lasts[] = { "messages[1].tool_calls[63].id", "input[64].call_id", "messages[1].content[63].id",
                                         "contents[1].parts[63].functionCall.name", "input[65].id" };
    static char history[32768];
    size_t i;
    int are_first;

    for (are_first = 0; are_first < 2; are_first++) {
        EACH_SHAPE(i) {
            ask(shapes[i], "m");
            strcpy(history, USER("Hi"));
            add_lines_of_calls(history, 64, !are_first);
            add_lines_of_calls(history, 64, are_first);
            strcat(history, "{\"eventType\":\"ToolExecuted\",\"id\":\"c63\",\"toolName\":\"now\",\"output\":1}\n");
            request.history = elelem_str_of(history);
            CHECK_INT(write_body().status, ELELEM_OK);
            MEMBER(lasts[i], i == 3 ? "\"now\"" : "\"c63\"");
        }
    }
    plain();
    strcpy(history, USER("Hi"));
    add_lines_of_calls(history, 65, 1);
    add_lines_of_calls(history, 65, 0);
    request.history = elelem_str_of(history);
    CHECK_INT(write_body().status, ELELEM_ERROR_COUNT);
}

TEST(what_proves_reasoning_goes_to_no_other_provider) /* Q8 */
{
    static const char *const own[] = { "extra_content", "encrypted_content", "signature", "thought_signature", "step_signature" };
    static const char *const proofs[] = { "zz-chat", "zz-responses", "zz-messages", "zz-gemini", "zz-interactions" };
    static const char history[] =
        USER("Hi") THINKS("Hm.", "\"extra_content\":{\"x\":\"zz-chat\"}") THINKS("Hm.", "\"encrypted_content\":\"zz-responses\"")
        THINKS("Hm.", "\"signature\":\"zz-messages\"") THINKS("Hm.", "\"thought_signature\":\"zz-gemini\"")
        THINKS("Hm.", "\"step_signature\":\"zz-interactions\"")
        SIGNED_CALL("a", "now", "{}", "\"extra_content\":{\"x\":\"zz-chat\"},\"item_id\":\"zz-id\",\"thought_signature\":\"zz-gemini\"")
        RESULT("a", "now", "1");
    size_t i, k;

    EACH_SHAPE(i) {
        ask(shapes[i], "m");
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        body.text[body.size] = 0;
        CHECK(!strstr(body.text, "zz-id"));
        for (k = 0; k < 5; k++) {
            check_context(own[k]);
            CHECK_INT(strstr(body.text, proofs[k]) != NULL, i == k);
        }
    }
}

/* Sinks. */

TEST(a_sink_that_refuses_at_any_byte_gets_no_whole_json) /* Q5 */
{
    size_t i, at, size;

    EACH_SHAPE(i) {
        ask(shapes[i], "m");
        request.history = elelem_str_of(everything);
        CHECK_INT(write_body().status, ELELEM_OK);
        size = body.size;
        for (at = 0; at < size; at++) {
            elelem_json json;
            elelem_str text;
            if (!CHECK_INT(write_to(&body, at).status, ELELEM_ERROR_SINK)) return;
            text.data = body.text;
            text.size = body.size;
            elelem_value_type(elelem_json_read(&json, text, NULL));
            if (!CHECK(elelem_json_error(&json).status != ELELEM_OK)) return;
            elelem_json_free(&json);
        }
    }
}

TEST(a_sink_without_a_function_is_an_error)
{
    elelem_sink none = ELELEM_INIT;

    plain();
    request.history = elelem_str_of(USER("Hi"));
    CHECK_INT(elelem_request_write(&request, none).status, ELELEM_ERROR_SINK);
}

TEST(long_texts_pass_unchanged)
{
    static char history[20000], expected[20000];
    size_t size, i;

    for (size = 500; size < 530; size++) {
        strcpy(history, "{\"type\":\"user\",\"text\":\"");
        strcpy(expected, "[{\"role\":\"user\",\"content\":\"");
        for (i = 0; i < size; i++) {
            strcat(history, i % 7 ? "a" : "\xc3\xa9");
            strcat(expected, i % 7 ? "a" : "\xc3\xa9");
        }
        strcat(history, "\"}");
        strcat(expected, "\"}]");
        plain();
        HISTORY(history, expected);
    }
}

TEST(every_shape_writes_a_history_of_every_kind)
{
    size_t i;

    EACH_SHAPE(i) {
        ask(shapes[i], "m");
        request.history = elelem_str_of(everything);
        CHECK_INT(write_body().status, ELELEM_OK);
        CHECK(elelem_value_is_complete(member_of_body("")));
    }
}

/* Lines. */

TEST(the_last_line_needs_no_line_feed_and_lines_may_end_with_crlf)
{
    plain();
    HISTORY("\r\n" "{\"type\":\"user\",\"text\":\"Hi\"}\r\n\n{\"type\":\"message\",\"text\":\"A\"}",
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(lines_of_a_recorder_are_read)
{
    ask("messages", "m");
    HISTORY(USER("Hi") "{\"eventType\":\"ResponseMetadata\",\"metadata\":{\"id\":\"x\"}}\n"
                "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"H\"}\n"
                "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"m.\"}\n"
                "{\"eventType\":\"Flush\",\"index\":0,\"metadata\":{\"signature\":\"s\"}}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"A\"}\n"
                "{\"eventType\":\"ContentFetched\",\"index\":1}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"B\"}\n"
                "{\"eventType\":\"Flush\",\"index\":1}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":2,\"chunk\":\"C\"}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":2,\"choice\":1,\"chunk\":\"no\"}\n"
                "{\"eventType\":\"ToolCallStart\",\"index\":3,\"id\":\"a\",\"toolName\":\"now\"}\n"
                "{\"eventType\":\"ToolCallArguments\",\"index\":3,\"chunk\":\"{}\"}\n"
                "{\"eventType\":\"BeforeToolExecution\",\"index\":3,\"id\":\"a\",\"toolName\":\"now\",\"input\":{}}\n"
                "{\"eventType\":\"Flush\",\"index\":3}\n"
                "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"tool_calls\"}\n"
                "{\"eventType\":\"ToolExecuted\",\"id\":\"a\",\"toolName\":\"now\",\"input\":{},\"output\":\"1\"}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"thinking\",\"thinking\":\"Hm.\",\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"AB\"},"
            "{\"type\":\"text\",\"text\":\"C\"},{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"now\",\"input\":{}}]},"
            "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"1\"}]}]");
}

#define LINE_OF_CALL(index, id, name) \
    "{\"eventType\":\"BeforeToolExecution\"" index ",\"id\":\"" id "\",\"toolName\":\"" name "\",\"input\":{}}\n"
#define ASKED(id, name) "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":\"{}\"}}"
#define NOT_RUN(id) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"{\\\"error\\\":\\\"not run\\\"}\"}"

TEST(the_applications_line_of_a_call_is_no_other_call)
{
    plain();
    HISTORY(USER("Hi") LINE_OF_CALL(",\"index\":1", "a", "now") CALL("b", "now", "{}") LINE_OF_CALL("", "b", "now") LINE_OF_CALL("", "a", "now")
                "{\"eventType\":\"ToolExecuted\",\"id\":\"a\",\"toolName\":\"now\",\"output\":\"1\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "," ASKED("b", "now") "]},"
            "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"1\"}," NOT_RUN("b") "]");
    HISTORY(USER("Hi") LINE_OF_CALL("", "a", "now") LINE_OF_CALL(",\"index\":1", "a", "now"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," NOT_RUN("a") "]");
}

TEST(members_of_an_event_that_no_recorder_writes_are_the_callers_own)
{
    static const char own[] = "\"name\":\"Bob\",\"state\":\"running\",\"text\":\"npc\",\"value\":1,\"item\":{},\"images\":1,\"callType\":7,\"itemType\":7";
    static const char *const events[] = {
        "\"eventType\":\"PartialThinking\",\"chunk\":\"hm\"", "\"eventType\":\"PartialResponse\",\"chunk\":\"A\",\"toolName\":7,\"id\":7",
        "\"eventType\":\"BeforeToolExecution\",\"id\":\"a\",\"toolName\":\"now\",\"input\":{},\"chunk\":7",
        "\"eventType\":\"ToolExecuted\",\"id\":\"a\",\"toolName\":\"now\",\"output\":\"1\",\"type\":7",
        "\"eventType\":\"ContentFetched\",\"toolName\":7",
    };
    char history[2000];
    size_t i, size = (size_t)snprintf(history, sizeof history, USER("Hi"));

    for (i = 0; i < sizeof events / sizeof *events; i++)
        size += (size_t)snprintf(history + size, sizeof history - size, "{%s,%s}\n", events[i], own);
    ask("cerebras", "m");
    HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"content\":\"A\",\"reasoning\":\"hm\",\"tool_calls\":[" ASKED("a", "now") "]},"
                     "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"1\"}]");
}

TEST(of_two_lines_of_a_call_the_one_with_an_index_counts)
{
    ask("google", "gemini-3-pro-preview");
    request.history = elelem_str_of(USER("Hi") LINE_OF_CALL("", "a", "now") LINE_OF_CALL(",\"index\":0,\"metadata\":{\"thought_signature\":\"t\"}", "a", "now")
                                    LINE_OF_CALL("", "b", "now")
                                    "{\"eventType\":\"ToolExecuted\",\"toolName\":\"now\",\"output\":\"1\"}\n"
                                    "{\"eventType\":\"ToolExecuted\",\"toolName\":\"now\",\"output\":\"2\"}\n");
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("contents[1].parts[0].thoughtSignature", "\"t\"");
    MEMBER("contents[1].parts[2]", "");
    MEMBER("contents[2].parts[0].functionResponse.response.output", "\"1\"");
    MEMBER("contents[2].parts[1].functionResponse.response.output", "\"2\"");
}

TEST(a_flush_of_another_call_adds_nothing_to_the_applications_line)
{
#define START_OF_CALL(id) "{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":\"" id "\",\"toolName\":\"now\"}\n"
#define FLUSH_WITH_SIGNATURE "{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"thought_signature\":\"t\"}}\n"
    ask("google", "gemini-3-pro-preview");
    request.history = elelem_str_of(USER("Hi") START_OF_CALL("a") LINE_OF_CALL("", "a", "now") START_OF_CALL("b") FLUSH_WITH_SIGNATURE LINE_OF_CALL("", "b", "now"));
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("contents[1].parts[0].thoughtSignature", "\"skip_thought_signature_validator\"");
    MEMBER("contents[1].parts[1].functionCall.name", "\"now\"");
    request.history = elelem_str_of(USER("Hi") START_OF_CALL("a") LINE_OF_CALL("", "a", "now") FLUSH_WITH_SIGNATURE LINE_OF_CALL(",\"index\":2", "b", "now")
                                    START_OF_CALL("c") FLUSH_WITH_SIGNATURE);
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("contents[1].parts[0].thoughtSignature", "\"t\"");
    MEMBER("contents[1].parts[1].thoughtSignature", "");
}

#define LINE_OF_RESULT(id, name, output) \
    "{\"eventType\":\"ToolExecuted\",\"id\":\"" id "\",\"toolName\":\"" name "\",\"output\":\"" output "\"}\n"
#define RETURNED(id, text) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text "\"}"

TEST(calls_that_run_one_after_the_other_are_of_one_response)
{
    plain();
    HISTORY(USER("Hi") LINE_OF_CALL(",\"index\":0", "a", "now") LINE_OF_CALL(",\"index\":1", "b", "now")
                "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"tool_calls\"}\n" LINE_OF_CALL("", "a", "now") LINE_OF_RESULT("a", "now", "1")
                LINE_OF_CALL("", "b", "now") LINE_OF_RESULT("b", "now", "2") SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "," ASKED("b", "now") "]}," RETURNED("a", "1") ","
            RETURNED("b", "2") ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(calls_of_one_id_that_run_one_after_the_other_are_of_one_response_too)
{
    plain();
    HISTORY(USER("Hi") LINE_OF_CALL(",\"index\":0", "a", "now") LINE_OF_CALL(",\"index\":1", "a", "now") LINE_OF_CALL(",\"index\":2", "a", "then")
                "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"tool_calls\"}\n" LINE_OF_CALL("", "a", "then") LINE_OF_RESULT("a", "then", "1")
                LINE_OF_CALL("", "a", "now") LINE_OF_RESULT("a", "now", "2") LINE_OF_CALL("", "a", "now") LINE_OF_RESULT("a", "now", "3") SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "," ASKED("elelem_00000001", "now") ","
            ASKED("elelem_00000002", "then") "]}," RETURNED("a", "2") "," RETURNED("elelem_00000001", "3") "," RETURNED("elelem_00000002", "1")
            ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(a_result_with_a_name_is_left_out_with_its_call_that_has_none)
{
    plain();
    HISTORY(USER("Hi") SAYS("A") "{\"type\":\"tool_call\",\"id\":\"a\",\"arguments\":{}}\n" RESULT("a", "now", "1"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(of_calls_of_one_id_a_result_is_rather_of_the_one_that_it_names)
{
    plain();
    HISTORY(USER("Hi") CALL("a", "now", "{}") CALL("a", "then", "{}") CALL("a", "now", "{}") RESULT("a", "then", "1") RESULT("a", "now", "2") RESULT("a", "", "3"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "," ASKED("elelem_00000001", "then") ","
            ASKED("elelem_00000002", "now") "]}," RETURNED("a", "2") "," RETURNED("elelem_00000001", "1") "," RETURNED("elelem_00000002", "3") "]");
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "then", "1"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," RETURNED("a", "1") "]");
}

TEST(a_call_after_results_that_is_none_before_is_of_the_next_response)
{
    plain();
    HISTORY(USER("Hi") LINE_OF_CALL(",\"index\":0", "a", "now") LINE_OF_RESULT("a", "now", "1") LINE_OF_CALL("", "a", "now") LINE_OF_RESULT("a", "now", "2"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," RETURNED("a", "1") ","
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," RETURNED("a", "2") "]");
    HISTORY(USER("Hi") LINE_OF_CALL(",\"index\":0", "a", "now") LINE_OF_RESULT("", "now", "1") LINE_OF_CALL("", "", "now") LINE_OF_RESULT("", "now", "2"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," RETURNED("a", "1") ","
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("elelem_00000001", "now") "]}," RETURNED("elelem_00000001", "2") "]");
    HISTORY(USER("Hi") LINE_OF_CALL(",\"index\":0", "a", "now") LINE_OF_RESULT("a", "now", "1") LINE_OF_CALL(",\"index\":0", "a", "now"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," RETURNED("a", "1") ","
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," NOT_RUN("a") "]");
    HISTORY(USER("Hi") LINE_OF_CALL(",\"index\":0", "a", "now") LINE_OF_RESULT("a", "", "1") LINE_OF_CALL("", "a", ""),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," RETURNED("a", "1") "]");
}

TEST(an_id_of_the_form_of_those_that_are_generated_is_no_calls_own)
{
    plain();
    HISTORY(USER("Hi") CALL("elelem_00000001", "now", "{}") CALL("", "now", "{}") CALL("elelem_0000000x", "now", "{}") CALL("elelem_000000001", "now", "{}") CALL("elelem_0000000-", "now", "{}")
                RESULT("elelem_00000001", "now", "1") RESULT("", "now", "2") RESULT("elelem_0000000x", "now", "3") RESULT("elelem_000000001", "now", "4"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("elelem_00000000", "now") "," ASKED("elelem_00000001", "now") ","
            ASKED("elelem_0000000x", "now") "," ASKED("elelem_000000001", "now") "," ASKED("elelem_0000000-", "now") "]}," RETURNED("elelem_00000000", "1") "," RETURNED("elelem_00000001", "2") ","
            RETURNED("elelem_0000000x", "3") "," RETURNED("elelem_000000001", "4") "," NOT_RUN("elelem_0000000-") "]");
}

#define CUT_CALL(id, name) "{\"type\":\"tool_call\",\"id\":\"" id "\",\"name\":\"" name "\",\"state\":\"cut_off\",\"partialArguments\":{}}\n"

TEST(a_result_is_rather_of_a_call_that_is_not_left_out)
{
    plain();
    HISTORY(USER("Hi") CUT_CALL("a", "now") CALL("a", "now", "{}") RESULT("a", "now", "1"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," RETURNED("a", "1") "]");
    HISTORY(USER("Hi") CUT_CALL("", "now") CALL("b", "now", "{}") CALL("", "now", "{}") RESULT("", "now", "1") RESULT("b", "now", "2"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("b", "now") "," ASKED("elelem_00000002", "now") "]},"
            RETURNED("b", "2") "," RETURNED("elelem_00000002", "1") "]");
    HISTORY(USER("Hi") CUT_CALL("a", "now") LINE_OF_CALL(",\"index\":2", "a", "now") RESULT("a", "now", "1") LINE_OF_CALL("", "a", "now") RESULT("a", "now", "2"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," RETURNED("a", "1")
            ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," RETURNED("a", "2") "]");
}

/* The application may say of a call that is not whole that it was not run, or leave it out. */
TEST(results_without_an_id_are_of_calls_without_one_in_their_order)
{
#define ASKS(calls) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" calls "]}"
#define HOSTED_RESULT(name, text) "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":{\"functionResponse\":{\"name\":\"" name \
                                  "\",\"response\":\"" text "\"}}}\n"
#define NAMELESS_CALL "{\"type\":\"tool_call\",\"arguments\":{}}\n"
#define FIRST "elelem_00000000"
#define SECOND "elelem_00000001"
#define THIRD "elelem_00000002"
    static const struct {
        const char *history, *messages;
    } rows[] = {
        { CALL("", "now", "{}") CALL("", "now", "{}") RESULT("", "now", "1"),
          ASKS(ASKED(FIRST, "now") "," ASKED(SECOND, "now")) "," RETURNED(FIRST, "1") "," NOT_RUN(SECOND) },
        { CUT_CALL("", "now") CALL("", "now", "{}") RESULT("", "now", "1"), ASKS(ASKED(SECOND, "now")) "," RETURNED(SECOND, "1") },
        { CUT_CALL("", "now") CALL("", "now", "{}") RESULT("", "now", "1") RESULT("", "now", "2"), ASKS(ASKED(SECOND, "now")) "," RETURNED(SECOND, "2") },
        { CUT_CALL("", "now") CALL("", "now", "{}") CALL("", "now", "{}") RESULT("", "now", "1") RESULT("", "now", "2") RESULT("", "now", "3"),
          ASKS(ASKED(SECOND, "now") "," ASKED(THIRD, "now")) "," RETURNED(SECOND, "2") "," RETURNED(THIRD, "3") },
        { CUT_CALL("", "now") CALL("", "then", "{}") CALL("", "now", "{}") RESULT("", "then", "1") RESULT("", "now", "2") RESULT("", "now", "3"),
          ASKS(ASKED(SECOND, "then") "," ASKED(THIRD, "now")) "," RETURNED(SECOND, "1") "," RETURNED(THIRD, "3") },
        { CUT_CALL("", "now") CALL("", "then", "{}") CALL("", "now", "{}") RESULT("", "now", "2") RESULT("", "now", "3"),
          ASKS(ASKED(SECOND, "then") "," ASKED(THIRD, "now")) "," NOT_RUN(SECOND) "," RETURNED(THIRD, "3") },
        { CUT_CALL("", "now") CALL("b", "now", "{}") CALL("", "now", "{}") RESULT("", "now", "2") RESULT("", "now", "3") RESULT("b", "now", "1"),
          ASKS(ASKED("b", "now") "," ASKED(THIRD, "now")) "," RETURNED("b", "1") "," RETURNED(THIRD, "3") },
        { CUT_CALL("", "now") CALL("", "now", "{}") HOSTED_RESULT("now", "1") RESULT("", "now", "2"), ASKS(ASKED(SECOND, "now")) "," RETURNED(SECOND, "1") },
        { CUT_CALL("a", "now") CALL("", "now", "{}") RESULT("", "now", "1") RESULT("", "now", "2"), ASKS(ASKED(SECOND, "now")) "," RETURNED(SECOND, "1") },
        { NAMELESS_CALL CALL("", "now", "{}") RESULT("", "now", "1") RESULT("", "then", "2"), ASKS(ASKED(SECOND, "now")) "," RETURNED(SECOND, "1") },
        { CUT_CALL("", "now") NAMELESS_CALL CALL("", "now", "{}") RESULT("", "then", "1") RESULT("", "now", "2") RESULT("", "now", "3"),
          ASKS(ASKED(THIRD, "now")) "," RETURNED(THIRD, "3") },
    };
    char history[1000], messages[1000];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        plain();
        snprintf(history, sizeof history, USER("Hi") "%s", rows[i].history);
        snprintf(messages, sizeof messages, "[" HI ",%s]", rows[i].messages);
        HISTORY(history, messages);
    }
}

TEST(calls_of_one_id_with_indices_or_other_names_are_several)
{
    plain();
    HISTORY(USER("Hi") LINE_OF_CALL(",\"index\":1", "a", "now") LINE_OF_CALL("", "a", "then") LINE_OF_CALL(",\"index\":2", "a", "now")
                LINE_OF_CALL("", "a", "now") LINE_OF_CALL("", "a", "now") LINE_OF_CALL("", "", "now"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "," ASKED("elelem_00000001", "then") ","
            ASKED("elelem_00000002", "now") "," ASKED("elelem_00000003", "now") "]}," NOT_RUN("a") "," NOT_RUN("elelem_00000001") ","
            NOT_RUN("elelem_00000002") "," NOT_RUN("elelem_00000003") "]");
    HISTORY(USER("Hi") "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"a\",\"toolName\":\"now\",\"inputText\":\"{\"}\n" LINE_OF_CALL("", "a", "now"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" ASKED("a", "now") "]}," NOT_RUN("a") "]");
}

TEST(the_arguments_of_the_line_of_a_call_may_be_a_text)
{
    static const struct {
        const char *members, *arguments;
    } rows[] = {
        { "\"arguments\":\"{\\\"a\\\":1}\"", "{\"a\":1}" },
        { "\"arguments\":\" \\n{ \\\"a\\\":\\\"\\\\\\\"\\\" }\"", "{\"a\":\"\\\"\"}" },
        { "\"arguments\":\"[1]\",\"type\":\"custom\"", "{\"input\":[1]}" },
        { "\"arguments\":\"\"", "{}" },
        { "\"arguments\":\" \"", "{}" },
        { "\"arguments\":{\"a\":1}", "{\"a\":1}" },
        { "\"arguments\":\"{}\",\"input\":{\"a\":1}", "{\"a\":1}" },
        { "\"arguments\":{},\"input\":\"{}\"", "{\"input\":\"{}\"}" },
    };
    static const char *const bad[] = { "{\\\"a\\\":", "{} {}", "x" };
    char history[400], expected[100];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_str arguments;
        elelem_json json;
        elelem_value root;
        check_context(rows[i].members);
        snprintf(history, sizeof history, USER("Hi") "{\"eventType\":\"BeforeToolExecution\",\"id\":\"a\",\"toolName\":\"now\",%s}\n", rows[i].members);
        ask("messages", "m");
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("messages[1].content[0].input", rows[i].arguments);
        plain();
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        arguments = elelem_value_text(member_of_body("messages[1].tool_calls[0].function.arguments"));
        memset(&json, 0, sizeof json);
        root = elelem_json_read(&json, arguments, NULL);
        check_value(root, rows[i].arguments, __FILE__, __LINE__);
        elelem_json_free(&json);
    }
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        plain();
        snprintf(history, sizeof history, USER("Hi") "{\"eventType\":\"BeforeToolExecution\",\"id\":\"a\",\"toolName\":\"now\",\"arguments\":\"%s\"}\n", bad[i]);
        snprintf(expected, sizeof expected, "[" HI "]");
        HISTORY(history, expected);
    }
}

TEST(a_call_that_was_never_whole_in_a_record_is_none)
{
    plain();
    HISTORY(USER("Hi") "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"a\",\"toolName\":\"now\",\"inputText\":\"{\","
                "\"arguments\":{\"own\":1}}\n" SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
    HISTORY(USER("Hi") "{\"eventType\":\"BeforeToolExecution\",\"id\":\"a\",\"toolName\":\"now\",\"inputText\":\"{\"}\n"
                "{\"eventType\":\"ToolExecuted\",\"id\":\"a\",\"toolName\":\"now\"}\n" SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(entries_of_a_history_are_read)
{
    plain();
    HISTORY("{\"role\":\"USER\",\"text\":\"Hi\"}\n"
            "{\"role\":\"AI\",\"text\":\"not this\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"A\"} ,"
            " {\"eventType\":\"BeforeToolExecution\",\"id\":\"a\",\"toolName\":\"now\",\"input\":{}},"
            "{\"eventType\":\"ToolExecuted\",\"id\":\"a\",\"toolName\":\"now\",\"output\":{\"n\":1}},"
            "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"B\"}]}\n"
            "{\"role\":\"USER\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"And?\"}]}\n"
            "{\"role\":\"AI\",\"text\":\"C\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\",\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":"
            "{\"name\":\"now\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"{\\\"n\\\":1}\"},"
            "{\"role\":\"assistant\",\"content\":\"B\"},{\"role\":\"user\",\"content\":\"And?\"},{\"role\":\"assistant\",\"content\":\"C\"}]");
    REFUSED(USER("Hi") "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"A\"},7]}\n", ELELEM_ERROR_TYPE,
            28 + 67);
}

TEST(the_text_of_an_entry_that_is_in_no_event_counts_after_them)
{
    plain();
    HISTORY("{\"role\":\"USER\",\"text\":\"Hi\",\"events\":[]}\n"
            "{\"role\":\"AI\",\"text\":\"A\",\"events\":[{\"eventType\":\"BeforeToolExecution\",\"id\":\"a\",\"toolName\":\"now\",\"input\":{}},"
            "{\"eventType\":\"ToolExecuted\",\"id\":\"a\",\"toolName\":\"now\",\"output\":1},{\"eventType\":\"PartialThinking\",\"chunk\":\"hm\"}]}\n"
            "{\"role\":\"USER\",\"text\":\"no\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"And?\"}]}\n"
            "{\"role\":\"AI\",\"text\":\"\",\"events\":[]}\n{\"role\":\"AI\",\"text\":true,\"events\":[]}\n" SAYS("B"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":"
            "{\"name\":\"now\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"1\"},"
            "{\"role\":\"assistant\",\"content\":\"A\"},{\"role\":\"user\",\"content\":\"And?\"},{\"role\":\"assistant\",\"content\":\"B\"}]");
}

TEST(a_text_or_reasoning_without_an_index_has_index_0)
{
    ask("messages", "m");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialThinking\",\"chunk\":\"H\"}\n{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"m.\"}\n"
                "{\"eventType\":\"Flush\",\"index\":0,\"metadata\":{\"signature\":\"s\"}}\n"
                "{\"eventType\":\"PartialResponse\",\"chunk\":\"A\"}\n" LINE_OF_CALL("", "a", "now") "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"B\"}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"thinking\",\"thinking\":\"Hm.\",\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"AB\"},"
            "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"now\",\"input\":{}}]},{\"role\":\"user\",\"content\":["
            "{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"not run\",\"is_error\":true}]}]");
}

TEST(an_event_without_text_does_not_stand_for_the_text_of_its_entry)
{
    plain();
    HISTORY("{\"role\":\"USER\",\"text\":\"Hi\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"\"}]}\n"
            "{\"role\":\"AI\",\"text\":\"A\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"\",\"metadata\":{\"id\":\"msg_1\"}}]}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(an_entry_of_another_role_is_refused)
{
    plain();
    REFUSED(USER("Hi") "{\"role\":\"user\",\"text\":\"A\"}\n", ELELEM_ERROR_PROTOCOL, 28);
    REFUSED(USER("Hi") "{\"role\":\"SYSTEM\",\"choice\":1,\"events\":[]}\n", ELELEM_ERROR_PROTOCOL, 28);
    REFUSED(USER("Hi") "{\"role\":7,\"text\":\"A\"}\n", ELELEM_ERROR_PROTOCOL, 28);
}

TEST(an_entry_of_attachments_alone_is_left_out)
{
    plain();
    HISTORY("{\"role\":\"USER\",\"attachments\":[{\"href\":\"x\"}]}\n" SAYS("A") USER("Hi"), "[{\"role\":\"assistant\",\"content\":\"A\"}," HI "]");
    REFUSED("{\"role\":\"USER\"}\n", ELELEM_ERROR_PROTOCOL, 0);
    REFUSED("{\"type\":\"user\",\"attachments\":[]}\n", ELELEM_ERROR_PROTOCOL, 0);
}

TEST(other_members_of_an_entry_are_ignored)
{
    plain();
    HISTORY("{\"role\":\"USER\",\"id\":17,\"text\":\"Hi\",\"images\":7,\"events\":[]}\n"
            "{\"role\":\"AI\",\"id\":17,\"name\":7,\"metadata\":null,\"text\":\"A\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"A\"}]}\n"
            "{\"role\":\"USER\",\"metadata\":[],\"choice\":1,\"text\":\"Hi\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}," HI "]");
    REFUSED("{\"role\":\"USER\",\"text\":7}\n", ELELEM_ERROR_TYPE, 22);
}

TEST(an_entry_may_have_a_type_that_is_no_items)
{
    plain();
    HISTORY("{\"type\":\"entry\",\"role\":\"USER\",\"text\":\"Hi\"}\n"
            "{\"type\":\"entry\",\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"A\"}]}\n"
            "{\"type\":\"message\",\"role\":\"AI\",\"text\":\"B\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"C\"}]}\n"
            "{\"type\":7,\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"D\"}]}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\\n\\nB\\n\\nD\"}]");
}

TEST(an_event_of_the_next_entry_continues_nothing)
{
    ask("messages", "m");
    HISTORY("{\"role\":\"USER\",\"text\":\"Hi\"}\n"
            "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"A\"}]}\n"
            "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"B\"}]}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"text\",\"text\":\"B\"}]}]");
}

TEST(an_event_of_an_entry_continues_no_line_before_it)
{
    ask("messages", "m");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"A\"}\n"
            "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"B\"}]}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"text\",\"text\":\"B\"}]}]");
}

TEST(values_may_be_nested_as_deeply_as_a_line_allows) /* Q3 */
{
    static char history[4096];
    size_t i;

    strcpy(history, USER("Hi") "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"x\",\"arguments\":");
    for (i = 0; i < 510; i++) strcat(history, "{\"a\":");
    strcat(history, "1");
    for (i = 0; i < 510; i++) strcat(history, "}");
    strcat(history, "}");
    ask("messages", "m");
    request.history = elelem_str_of(history);
    CHECK_INT(write_body().status, ELELEM_OK);
    strcpy(history, "{\"type\":\"user\",\"text\":\"Hi\",\"x\":");
    for (i = 0; i < 600; i++) strcat(history, "[");
    REFUSED(history, ELELEM_ERROR_DEPTH, 31 + 515);
}

/* Each byte of a history is taken away, with all after it, or is replaced. */

TEST(a_history_that_ends_anywhere_in_a_line_is_refused_there)
{
    static char history[sizeof everything];
    size_t at;

    plain();
    for (at = 1; at + 1 < sizeof everything; at++) {
        int is_whole = everything[at] == '\n' || everything[at - 1] == '\n';
        elelem_error error;
        memcpy(history, everything, at);
        request.history.data = history;
        request.history.size = at;
        error = write_body();
        if (is_whole) continue; /* a line may still be missing that the next one needs */
        if (!CHECK_INT(error.status, ELELEM_ERROR_TRUNCATED)) return;
        if (!CHECK(error.offset <= at && at - error.offset < 12)) return; /* an escape that is cut is wrong from its start */
    }
}

TEST(a_byte_that_is_never_right_is_refused_at_its_place)
{
    static char history[sizeof everything];
    size_t i, at;

    EACH_SHAPE(i) {
        ask(shapes[i], "m");
        for (at = 0; at + 1 < sizeof everything; at++) {
            elelem_error error;
            memcpy(history, everything, sizeof everything);
            history[at] = '\1';
            request.history.data = history;
            request.history.size = sizeof everything - 1;
            error = write_body();
            if (!CHECK_INT(error.status, ELELEM_ERROR_SYNTAX) || !CHECK_U64(error.offset, at)) return;
        }
    }
}

TEST(a_schema_that_is_cut_anywhere_is_refused)
{
    static const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[1,\"\\u00e9\",null]}}}";
    elelem_tool tool;
    size_t size;

    memset(&tool, 0, sizeof tool);
    tool.name = elelem_str_of("now");
    for (size = 1; size < sizeof schema - 1; size++) {
        plain();
        request.schema.data = tool.parameters.data = schema;
        request.schema.size = size;
        misuse(USER("Hi"));
        plain();
        tool.parameters.size = size;
        request.tools = &tool;
        request.tool_count = 1;
        misuse(USER("Hi"));
    }
}

TEST(numbers_of_every_sign_and_digit_are_taken_and_nothing_else)
{
    static const char *const good[] = { "-1", "-0.5", "0", "9", "1e-3" };
    static const char *const bad[] = { "true", "[1]", "{}", "+1", ":", "\"1\"", "null", "1,\"a\":2", "/" };
    elelem_str *const settings[] = { &request.temperature, &request.top_p, &request.top_k, &request.seed };
    size_t i, k;

    for (i = 0; i < sizeof settings / sizeof *settings; i++) {
        for (k = 0; k < sizeof good / sizeof *good; k++) {
            plain();
            *settings[i] = elelem_str_of(good[k]);
            HISTORY(USER("Hi"), "[" HI "]");
        }
        for (k = 0; k < sizeof bad / sizeof *bad; k++) {
            plain();
            *settings[i] = elelem_str_of(bad[k]);
            misuse(USER("Hi"));
        }
    }
}

TEST(a_schema_has_the_name_and_description_that_it_is_given)
{
    plain();
    request.schema = elelem_str_of("{}");
    request.schema_name = elelem_str_of("person-1_A");
    request.schema_description = elelem_str_of("Who?");
    HISTORY(USER("Hi"), "[" HI "]");
    MEMBER("response_format.json_schema", "{\"name\":\"person-1_A\",\"description\":\"Who?\",\"schema\":{},\"strict\":false}");
    request.schema_name = elelem_str_of("a1234567890123456789012345678901234567890123456789012345678901234");
    misuse(USER("Hi"));
    request.schema_name.size = 64;
    HISTORY(USER("Hi"), "[" HI "]");
}

TEST(the_first_tool_that_is_refused_says_why)
{
    elelem_tool tools[3];

    plain();
    memset(tools, 0, sizeof tools);
    tools[0].name = elelem_str_of("now");
    tools[0].parameters = elelem_str_of("[]");
    tools[1].name = elelem_str_of("b c");
    tools[2].name = elelem_str_of("now");
    request.tools = tools;
    request.tool_count = 3;
    misuse(USER("Hi"));
    SAID_OF_BODY("the parameters of a tool are no JSON object");
    tools[0].parameters.size = 0;
    misuse(USER("Hi"));
    SAID_OF_BODY("the name of a tool has other characters than letters, digits, _ and -");
    tools[1].name = elelem_str_of("look");
    misuse(USER("Hi"));
    SAID_OF_BODY("two tools have one name");
}

TEST(extra_members_that_are_whitespace_are_none_only_if_it_is_that_of_json)
{
    static const char *const bad[] = { "\xc2\xa0", "\v", "\x1c", "\xe2\x80\x83" };
    size_t i;

    plain();
    request.extra = elelem_str_of(" \t\r\n");
    HISTORY(USER("Hi"), "[" HI "]");
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        request.extra = elelem_str_of(bad[i]);
        misuse(USER("Hi"));
    }
}

/* Sets one member. */
static void set_member(const char *name)
{
    elelem_str *const texts[] = { &request.summary, &request.effort, &request.top_k, &request.seed, &request.schema_name, &request.schema_description,
                                  &request.extra_config };
    static const char *const names[] = { "summary", "effort", "top_k", "seed", "schema_name", "schema_description", "extra_config" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) *texts[i] = elelem_str_of(i == 2 || i == 3 ? "1" : i == 6 ? "\"a\":1" : "auto");
    if (strcmp(name, "strict of a tool") == 0) offered.strict = 1;
    if (strcmp(name, "one_call") == 0) request.one_call = 1;
    if (strcmp(name, "show_reasoning") == 0) request.show_reasoning = 1;
    if (strcmp(name, "schema_strict") == 0) request.schema_strict = 1;
    if (strcmp(name, "reasoning_tokens") == 0) request.reasoning_tokens = 1;
    request.stops = &request.model;
    request.stop_count = strcmp(name, "stops") == 0;
}

TEST(a_setting_that_the_provider_has_no_member_for_is_named)
{
    static const char *const rows[][2] = { /* those that it has no member for, with commas between them */
        { "openai-chat", "reasoning_tokens,top_k,summary,show_reasoning,extra_config," },
        { "openrouter", "summary,show_reasoning,extra_config," },
        { "cerebras", "reasoning_tokens,top_k,summary,show_reasoning,extra_config,one_call," },
        { "deepseek", "effort,reasoning_tokens,top_k,summary,show_reasoning,extra_config,strict of a tool,schema_name,schema_description,schema_strict," },
        { "openai", "reasoning_tokens,top_k,seed,stops,extra_config," },
        { "anthropic", "seed,extra_config,schema_name,schema_description,schema_strict," },
        { "google", "one_call,strict of a tool,schema_name,schema_description,schema_strict," },
        { "google-interactions", "reasoning_tokens,one_call,strict of a tool,schema_name,schema_description,schema_strict," },
    };
    static const char *const settings[] = { "effort", "reasoning_tokens", "summary", "show_reasoning", "top_k", "seed", "stops", "extra_config", "one_call",
                                            "strict of a tool", "schema_name", "schema_description", "schema_strict" };
    static char sentence[100], listed[40];
    size_t i, k;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (k = 0; k < sizeof settings / sizeof *settings; k++) {
            ask(rows[i][0], "m");
            offer("now", "");
            request.schema = elelem_str_of("{\"type\":\"object\"}");
            request.history = elelem_str_of(USER("Hi"));
            set_member(settings[k]);
            CHECK_INT(write_body().status, ELELEM_OK);
            snprintf(listed, sizeof listed, "%s,", settings[k]);
            snprintf(sentence, sizeof sentence, "%s is left out: the provider has no member for it", settings[k]);
            check_context(rows[i][0]);
            SAID_OF_BODY(strstr(rows[i][1], listed) ? sentence : elelem_status_sentence(ELELEM_OK));
            check_context(NULL);
        }
}

TEST(what_belongs_to_a_schema_is_left_out_if_any_json_is_asked_for)
{
    size_t i;

    EACH_SHAPE(i) {
        ask(shapes[i], "m");
        request.history = elelem_str_of(USER("Hi"));
        request.schema_name = elelem_str_of("a");
        CHECK_INT(write_body().status, ELELEM_OK);
        SAID_OF_BODY(elelem_status_sentence(ELELEM_OK)); /* without a schema it says nothing */
        request.schema = elelem_str_of("true");
        CHECK_INT(write_body().status, ELELEM_OK);
        SAID_OF_BODY("schema_name is left out: the provider has no member for it");
    }
}

TEST(what_is_left_out_is_not_said_if_the_sink_refuses)
{
    ask("openai", "gpt-4.1");
    request.history = elelem_str_of(USER("Hi"));
    request.top_k = elelem_str_of("5");
    CHECK_INT(write_body().status, ELELEM_OK);
    SAID_OF_BODY("top_k is left out: the provider has no member for it");
    body_message = write_to(&body, 10).message;
    SAID_OF_BODY(elelem_status_sentence(ELELEM_ERROR_SINK));
}

TEST(keys_and_types_may_be_spelled_with_escapes)
{
    plain();
    HISTORY("{\"t\\u0079pe\":\"us\\u0065r\",\"\":1,\"te\\u0078t\":\"Hi\"}\n{\"type\":\"message\",\"t\\n\":\"x\",\"text\":\"A\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(an_image_needs_a_url_or_a_media_type_and_data_that_are_texts)
{
    static const char *const bad[] = {
        "{}", "7", "{\"url\":7}", "{\"url\":\"\"}", "{\"url\":null}", "{\"mediaType\":\"image/png\"}", "{\"data\":\"AA==\"}",
        "{\"mediaType\":\"image/png\",\"data\":null}", "{\"mediaType\":\"image/png\",\"data\":\"\"}",
        "{\"mediaType\":\"\",\"data\":\"AA==\"}", "{\"mediaType\":{\"a\":1},\"data\":\"AA==\"}",
    };
    static const char *const by_url[] = {
        "{\"url\":\"https://a\",\"data\":null,\"mediaType\":null}", "{\"url\":\"https://a\",\"data\":\"AA==\"}",
        "{\"url\":\"https://a\",\"data\":12345,\"mediaType\":\"image/png\"}",
        "{\"url\":\"https://a\",\"data\":\"\",\"mediaType\":\"image/png\"}",
    };
    static char history[200];
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        plain();
        snprintf(history, sizeof history, "{\"type\":\"user\",\"text\":\"Hi\",\"images\":[%s]}\n", bad[i]);
        REFUSED(history, ELELEM_ERROR_PROTOCOL, 37);
    }
    for (i = 0; i < sizeof by_url / sizeof *by_url; i++) {
        ask("messages", "m");
        snprintf(history, sizeof history, "{\"type\":\"user\",\"images\":[%s]}\n", by_url[i]);
        HISTORY(history, "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://a\"}}]}]");
    }
}

TEST(a_list_without_images_is_none)
{
    size_t i;

    EACH_SHAPE(i) {
        ask(shapes[i], "m");
        misuse("{\"type\":\"user\",\"text\":\"\",\"images\":[ ]}\n");
        REFUSED("{\"type\":\"user\",\"images\":[]}\n", ELELEM_ERROR_PROTOCOL, 0);
    }
    plain();
    HISTORY("{\"type\":\"user\",\"text\":\"Hi\",\"images\":[\t]}\n", "[" HI "]");
}

TEST(images_of_the_user_need_no_text_in_any_shape)
{
    static const char *const expected[] = {
        "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://a\"}}]}]",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\",\"image_url\":\"https://a\"}]}]",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://a\"}}]}]",
        "[{\"role\":\"user\",\"parts\":[{\"fileData\":{\"fileUri\":\"https://a\"}}]}]",
        "[{\"type\":\"user_input\",\"content\":[{\"type\":\"image\",\"uri\":\"https://a\"}]}]",
    };
    size_t i;

    EACH_SHAPE(i) {
        ask(shapes[i], "m");
        HISTORY("{\"type\":\"user\",\"images\":[{\"url\":\"https://a\"}]}\n", expected[i]);
        HISTORY("{\"type\":\"user\",\"text\":\"\\n\",\"images\":[{\"url\":\"https://a\"}]}\n", expected[i]);
    }
}

TEST(what_a_flush_adds_is_checked_as_what_it_ends)
{
    plain();
    REFUSED(USER("Hi") "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"A\"}\n"
                "{\"eventType\":\"Flush\",\"index\":0,\"metadata\":\"a,b\"}\n", ELELEM_ERROR_TYPE, 28 + 54 + 42);
    HISTORY(USER("Hi") "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"A\"}\n"
                "{\"eventType\":\"Flush\",\"index\":0,\"chunk\":[1]}\n", "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
    HISTORY(USER("Hi") "{\"eventType\":\"ContentFetched\",\"index\":0,\"metadata\":\"a,b\",\"chunk\":[1]}\n", "[" HI "]");
}

TEST(a_user_of_an_entry_and_of_a_line_says_the_same)
{
    plain();
    HISTORY("{\"role\":\"USER\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"Hi\"},"
            "{\"eventType\":\"PartialThinking\",\"chunk\":\"Hm.\"}]}\n",
            "[" HI "]");
    HISTORY("{\"role\":\"USER\",\"text\":\"Hi\",\"events\":7}\n", "[" HI "]");
    HISTORY("{\"role\":\"AI\",\"type\":\"user\",\"text\":\"Hi\",\"events\":[]}\n", "[" HI "]");
    HISTORY("{\"role\":\"AI\",\"eventType\":\"ContentFetched\",\"events\":[{\"type\":\"user\",\"text\":\"no\"}]}\n" USER("Hi"), "[" HI "]");
}

TEST(events_of_one_index_in_an_entry_of_the_users_are_one_text)
{
#define SAID(index, chunk) "{\"eventType\":\"PartialResponse\",\"index\":" index ",\"chunk\":\"" chunk "\"}"
    static const char *const expected[] = {
        "[{\"role\":\"user\",\"content\":\"Hi there.\\n\\nAnd?\\n\\nA\"}]",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"Hi there.\"},{\"type\":\"input_text\",\"text\":\"And?\"},"
        "{\"type\":\"input_text\",\"text\":\"A\"}]}]",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi there.\"},{\"type\":\"text\",\"text\":\"And?\"},"
        "{\"type\":\"text\",\"text\":\"A\"}]}]",
        "[{\"role\":\"user\",\"parts\":[{\"text\":\"Hi there.\"},{\"text\":\"And?\"},{\"text\":\"A\"}]}]",
        "[{\"type\":\"user_input\",\"content\":[{\"type\":\"text\",\"text\":\"Hi there.\"},{\"type\":\"text\",\"text\":\"And?\"},"
        "{\"type\":\"text\",\"text\":\"A\"}]}]",
    };
    size_t i;

    EACH_SHAPE(i) {
        ask(shapes[i], "m");
        HISTORY("{\"role\":\"USER\",\"events\":[" SAID("0", "") "," SAID("0", "Hi") "," SAID("1", "An") "," SAID("0", " ") "," SAID("0", "there.")
                    "," SAID("1", "d?") ",{\"eventType\":\"Flush\",\"index\":0}," SAID("0", "A") "]}\n",
                expected[i]);
    }
    plain();
    HISTORY("{\"role\":\"USER\",\"events\":[" SAID("0", "H") "," SAID("0", "i") "]}\n" USER("A") "{\"role\":\"USER\",\"events\":["
                SAID("0", "B") "," SAID("0", " ") "]}\n{\"type\":\"user\",\"text\":\"C\",\"images\":[{\"url\":\"x\"}]}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"},{\"type\":\"text\",\"text\":\"A\"},"
            "{\"type\":\"text\",\"text\":\"B \"},{\"type\":\"text\",\"text\":\"C\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}}]}]");
}

TEST(only_the_first_choice_of_a_response_goes_back)
{
    plain();
    HISTORY(USER("Hi") "{\"type\":\"message\",\"choice\":1,\"text\":\"B\"}\n{\"type\":\"message\",\"choice\":0,\"text\":\"A\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(what_continues_an_item_is_of_its_index_and_kind_and_has_text)
{
    ask("messages", "m");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"A\"}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":2,\"chunk\":\"B\"}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":2,\"chunk\":\"C\"}\n"
                "{\"eventType\":\"PartialStructured\",\"index\":2,\"chunk\":\"{\\\"a\\\":1}\"}\n"
                "{\"eventType\":\"PartialStructured\",\"index\":2}\n"
                "{\"eventType\":\"PartialStructured\",\"index\":2,\"chunk\":\"{\\\"b\\\":1}\"}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":3,\"chunk\":\"D\"}\n{\"eventType\":\"Flush\",\"index\":3}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":3,\"chunk\":\"E\"}\n" USER("Hi"),
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"text\",\"text\":\"BC\"},{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"},"
            "{\"type\":\"text\",\"text\":\"{\\\"b\\\":1}\"},{\"type\":\"text\",\"text\":\"D\"},{\"type\":\"text\",\"text\":\"E\"}]},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]}]");
}

#define PART(kind, index, chunk) "{\"eventType\":\"Partial" kind "\",\"index\":" index ",\"chunk\":\"" chunk "\"}\n"

TEST(an_item_continues_over_events_of_other_indices)
{
    ask("messages", "m");
    HISTORY(USER("Hi") PART("Thinking", "0", "H") PART("Response", "1", "hel") PART("Thinking", "0", "m.") PART("Response", "1", "lo")
                "{\"eventType\":\"Flush\",\"index\":7}\n{\"eventType\":\"Flush\",\"index\":0,\"metadata\":{\"signature\":\"s\"}}\n"
                "{\"eventType\":\"Flush\",\"index\":1}\n" PART("Response", "1", "A"),
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"thinking\",\"thinking\":\"Hm.\",\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"hello\"},"
            "{\"type\":\"text\",\"text\":\"A\"}]}]");
}

#define BEFORE(index) "{\"eventType\":\"BeforeToolExecution\"" index ",\"id\":\"a\",\"toolName\":\"now\",\"input\":{}}\n"
#define SIGNED_FLUSH "{\"eventType\":\"Flush\",\"index\":3,\"metadata\":{\"thought_signature\":\"s\"}}\n"

TEST(a_flush_after_the_line_of_a_call_has_more_of_its_metadata)
{
    static const char *const calls[] = { BEFORE(",\"index\":3"), BEFORE("") };
    char history[1000];
    size_t i;

    for (i = 0; i < 2; i++) {
        ask("gemini", "m");
        snprintf(history, sizeof history, "%s%s%s", USER("Hi"), calls[i], SIGNED_FLUSH);
        HISTORY(history, "[{\"role\":\"user\",\"parts\":[{\"text\":\"Hi\"}]},{\"role\":\"model\",\"parts\":["
                         "{\"functionCall\":{\"name\":\"now\",\"args\":{}},\"thoughtSignature\":\"s\"}]},{\"role\":\"user\",\"parts\":["
                         "{\"functionResponse\":{\"name\":\"now\",\"response\":{\"error\":\"not run\"}}}]}]");
    }
    HISTORY(USER("Hi") BEFORE(",\"index\":2") SIGNED_FLUSH PART("Response", "0", "A") SIGNED_FLUSH,
            "[{\"role\":\"user\",\"parts\":[{\"text\":\"Hi\"}]},{\"role\":\"model\",\"parts\":["
            "{\"functionCall\":{\"name\":\"now\",\"args\":{}},\"thoughtSignature\":\"skip_thought_signature_validator\"},{\"text\":\"A\"}]},"
            "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"now\",\"response\":{\"error\":\"not run\"}}}]}]");
}

TEST(an_index_that_is_no_number_counts_as_missing)
{
    plain();
    HISTORY(USER("Hi") PART("Response", "\"0\"", "A") PART("Response", "-1", "b") "{\"eventType\":\"PartialResponse\",\"chunk\":\"c\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":\"Abc\"}]");
}

TEST(an_index_that_no_event_can_have_is_of_its_line_alone)
{
    ask("messages", "m");
    HISTORY(USER("Hi") PART("Response", "0", "A") PART("Response", "4294967296", "B") PART("Response", "0", "a") PART("Response", "4294967296", "C"),
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"text\",\"text\":\"Aa\"},{\"type\":\"text\",\"text\":\"B\"},{\"type\":\"text\",\"text\":\"C\"}]}]");
}

TEST(the_last_index_that_an_event_can_have_is_not_a_missing_one)
{
    ask("gemini", "gemini-3-pro");
    HISTORY(USER("Hi") BEFORE(",\"index\":4294967295") SIGNED_FLUSH,
            "[{\"role\":\"user\",\"parts\":[{\"text\":\"Hi\"}]},{\"role\":\"model\",\"parts\":["
            "{\"functionCall\":{\"name\":\"now\",\"args\":{}},\"thoughtSignature\":\"skip_thought_signature_validator\"}]},"
            "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"now\",\"response\":{\"error\":\"not run\"}}}]}]");
}

TEST(an_item_ends_with_its_response)
{
    ask("messages", "m");
    HISTORY(USER("Hi") PART("Response", "0", "A") PART("Response", "1", "B") "{\"eventType\":\"ChatCompleted\"}\n"
                PART("Response", "0", "C") "{\"eventType\":\"Error\"}\n" PART("Response", "0", "D") SAYS("E") PART("Response", "0", "F"),
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"text\",\"text\":\"B\"},{\"type\":\"text\",\"text\":\"C\"},"
            "{\"type\":\"text\",\"text\":\"D\"},{\"type\":\"text\",\"text\":\"E\"},{\"type\":\"text\",\"text\":\"F\"}]}]");
}

TEST(of_more_than_eight_open_items_the_one_that_is_longest_without_an_event_ends)
{
    ask("messages", "m");
    HISTORY(USER("Hi") PART("Response", "0", "A") PART("Response", "1", "B") PART("Response", "2", "C") PART("Response", "3", "D")
                PART("Response", "4", "E") PART("Response", "5", "F") PART("Response", "6", "G") PART("Response", "0", "a")
                PART("Response", "7", "H") PART("Response", "8", "I") PART("Response", "2", "c") PART("Response", "0", "a")
                PART("Response", "1", "b"),
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"text\",\"text\":\"Aaa\"},{\"type\":\"text\",\"text\":\"B\"},{\"type\":\"text\",\"text\":\"Cc\"},"
            "{\"type\":\"text\",\"text\":\"D\"},{\"type\":\"text\",\"text\":\"E\"},{\"type\":\"text\",\"text\":\"F\"},"
            "{\"type\":\"text\",\"text\":\"G\"},{\"type\":\"text\",\"text\":\"H\"},{\"type\":\"text\",\"text\":\"I\"},"
            "{\"type\":\"text\",\"text\":\"b\"}]}]");
}

/* The whitespace of Unicode, and characters next to it that are none. */
TEST(a_text_is_blank_if_all_of_it_is_whitespace)
{
    static const char *const blank[] = {
        "\\t", "\\u000b", "\\r", "\\u001c", "\\u001f", " ", "\\u0085", "\\u00a0", "\\u1680", "\\u2000", "\\u200a", "\\u2028",
        "\\u2029", "\\u202f", "\\u205f", "\\u3000", "\\ufeff", "", " \\u2003\\n\\u00a0 ",
    };
    static const char *const seen[] = {
        "\\b", "\\u000e", "\\u001b", "!", "\\u0084", "\\u00a1", "\\u1681", "\\u1fff", "\\u200b", "\\u2027", "\\u202a",
        "\\u202e", "\\u2030", "\\u205e", "\\u2060", "\\u3001", "\\ufefe", "\\u00e9", "\\u00c2", " \\u2003.", "\\u2043",
        "\\u2080", "\\u20ac", "\\u0000",
    };
    static char history[100];
    size_t i;

    for (i = 0; i < sizeof blank / sizeof *blank; i++) {
        plain();
        snprintf(history, sizeof history, "{\"type\":\"user\",\"text\":\"%s\"}\n", blank[i]);
        misuse(history);
        snprintf(history, sizeof history, "{\"eventType\":\"PartialResponse\",\"chunk\":\"%s\"}\n{\"eventType\":\"Flush\"}\n", blank[i]);
        misuse(history);
    }
    for (i = 0; i < sizeof seen / sizeof *seen; i++) {
        plain();
        snprintf(history, sizeof history, "{\"type\":\"user\",\"text\":\"%s\"}\n", seen[i]);
        request.history = elelem_str_of(history);
        check_context(seen[i]);
        CHECK_INT(write_body().status, ELELEM_OK);
        check_context(NULL);
    }
}

TEST(instructions_that_are_whitespace_are_none)
{
    static const char *const blank[] = { " ", "\t\n\v\f\r", "\x1c\x1d\x1e\x1f", "\xc2\xa0", "\xe2\x80\x80\xe2\x80\x8a", "\xef\xbb\xbf\xe3\x80\x80" };
    static const char *const seen[] = { "\x08", "\x0e", "\x1b", " !", "\xe2\x80\x8b", "\xe2\x81\x80", "\xe2\x80\x7f", "\xe2\x80", "\xe2\x7f\x80", "\xc2" };
    size_t i;

    for (i = 0; i < sizeof blank / sizeof *blank; i++) {
        ask("openai", "m");
        request.instructions = elelem_str_of(blank[i]);
        request.history = elelem_str_of(USER("Hi"));
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("instructions", "");
    }
    for (i = 0; i < sizeof seen / sizeof *seen; i++) {
        ask("openai", "m");
        request.instructions = elelem_str_of(seen[i]);
        request.history = elelem_str_of(USER("Hi"));
        CHECK_INT(write_body().status, ELELEM_OK);
        CHECK_INT(elelem_value_type(member_of_body("instructions")), ELELEM_TYPE_STRING);
    }
}

TEST(a_choice_of_a_tool_without_tools_is_ignored)
{
    static const char *const bad[] = { ".a", "a.", "\n" };
    elelem_tool tool;
    size_t i;

    plain();
    request.tool_choice = ELELEM_TOOL_CHOICE_NAMED;
    request.tool_choice_name = elelem_str_of("now");
    HISTORY(USER("Hi"), "[" HI "]");
    MEMBER("tool_choice", "");
    memset(&tool, 0, sizeof tool);
    request.tools = &tool;
    request.tool_count = 1;
    tool.name = elelem_str_of("look");
    misuse(USER("Hi"));
    tool.name = elelem_str_of("now");
    HISTORY(USER("Hi"), "[" HI "]");
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        tool.name = request.tool_choice_name = elelem_str_of(bad[i]);
        misuse(USER("Hi"));
    }
}

TEST(an_entry_has_a_role_and_an_address_a_letter)
{
    plain();
    REFUSED("{\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"A\"}]}\n", ELELEM_ERROR_PROTOCOL, 0);
    HISTORY("{\"type\":\"user\",\"images\":[{\"url\":\"x\"}]}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}}]}]");
}

CHECK_MAIN("request_write",
    RUN(a_request_without_shape_model_or_anything_to_send_is_refused)
    RUN(names_of_tools_that_providers_refuse_are_refused)
    RUN(schemas_and_numbers_that_are_no_json_are_refused)
    RUN(members_of_the_callers_own_replace_those_of_the_same_name)
    RUN(members_that_would_break_the_body_are_refused)
    RUN(a_line_that_is_no_json_is_refused_at_its_byte)
    RUN(a_line_that_is_no_object_or_of_no_known_type_is_refused)
    RUN(members_of_another_type_are_refused)
    RUN(a_result_without_its_call_is_refused_in_every_shape)
    RUN(more_than_64_calls_without_a_result_or_a_users_line_between_them_are_refused)
    RUN(a_sink_that_refuses_at_any_byte_gets_no_whole_json)
    RUN(a_sink_without_a_function_is_an_error)
    RUN(long_texts_pass_unchanged)
    RUN(every_shape_writes_a_history_of_every_kind)
    RUN(the_last_line_needs_no_line_feed_and_lines_may_end_with_crlf)
    RUN(lines_of_a_recorder_are_read)
    RUN(the_applications_line_of_a_call_is_no_other_call)
    RUN(members_of_an_event_that_no_recorder_writes_are_the_callers_own)
    RUN(of_two_lines_of_a_call_the_one_with_an_index_counts)
    RUN(a_flush_of_another_call_adds_nothing_to_the_applications_line)
    RUN(calls_that_run_one_after_the_other_are_of_one_response)
    RUN(calls_of_one_id_that_run_one_after_the_other_are_of_one_response_too)
    RUN(a_result_with_a_name_is_left_out_with_its_call_that_has_none)
    RUN(of_calls_of_one_id_a_result_is_rather_of_the_one_that_it_names)
    RUN(a_call_after_results_that_is_none_before_is_of_the_next_response)
    RUN(an_id_of_the_form_of_those_that_are_generated_is_no_calls_own)
    RUN(a_result_is_rather_of_a_call_that_is_not_left_out)
    RUN(results_without_an_id_are_of_calls_without_one_in_their_order)
    RUN(calls_of_one_id_with_indices_or_other_names_are_several)
    RUN(the_arguments_of_the_line_of_a_call_may_be_a_text)
    RUN(a_call_that_was_never_whole_in_a_record_is_none)
    RUN(entries_of_a_history_are_read)
    RUN(the_text_of_an_entry_that_is_in_no_event_counts_after_them)
    RUN(a_text_or_reasoning_without_an_index_has_index_0)
    RUN(an_event_without_text_does_not_stand_for_the_text_of_its_entry)
    RUN(an_entry_of_another_role_is_refused)
    RUN(an_entry_of_attachments_alone_is_left_out)
    RUN(other_members_of_an_entry_are_ignored)
    RUN(an_entry_may_have_a_type_that_is_no_items)
    RUN(an_event_of_the_next_entry_continues_nothing)
    RUN(an_event_of_an_entry_continues_no_line_before_it)
    RUN(values_may_be_nested_as_deeply_as_a_line_allows)
    RUN(the_applications_own_lines_of_calls_do_not_count_towards_the_64)
    RUN(what_proves_reasoning_goes_to_no_other_provider)
    RUN(a_history_that_ends_anywhere_in_a_line_is_refused_there)
    RUN(a_byte_that_is_never_right_is_refused_at_its_place)
    RUN(a_schema_that_is_cut_anywhere_is_refused)
    RUN(numbers_of_every_sign_and_digit_are_taken_and_nothing_else)
    RUN(a_schema_has_the_name_and_description_that_it_is_given)
    RUN(the_first_tool_that_is_refused_says_why)
    RUN(extra_members_that_are_whitespace_are_none_only_if_it_is_that_of_json)
    RUN(a_setting_that_the_provider_has_no_member_for_is_named)
    RUN(what_belongs_to_a_schema_is_left_out_if_any_json_is_asked_for)
    RUN(what_is_left_out_is_not_said_if_the_sink_refuses)
    RUN(keys_and_types_may_be_spelled_with_escapes)
    RUN(an_image_needs_a_url_or_a_media_type_and_data_that_are_texts)
    RUN(a_list_without_images_is_none)
    RUN(images_of_the_user_need_no_text_in_any_shape)
    RUN(what_a_flush_adds_is_checked_as_what_it_ends)
    RUN(a_user_of_an_entry_and_of_a_line_says_the_same)
    RUN(events_of_one_index_in_an_entry_of_the_users_are_one_text)
    RUN(only_the_first_choice_of_a_response_goes_back)
    RUN(what_continues_an_item_is_of_its_index_and_kind_and_has_text)
    RUN(an_item_continues_over_events_of_other_indices)
    RUN(a_flush_after_the_line_of_a_call_has_more_of_its_metadata)
    RUN(an_index_that_is_no_number_counts_as_missing)
    RUN(an_index_that_no_event_can_have_is_of_its_line_alone)
    RUN(the_last_index_that_an_event_can_have_is_not_a_missing_one)
    RUN(an_item_ends_with_its_response)
    RUN(of_more_than_eight_open_items_the_one_that_is_longest_without_an_event_ends)
    RUN(a_text_is_blank_if_all_of_it_is_whitespace)
    RUN(instructions_that_are_whitespace_are_none)
    RUN(a_choice_of_a_tool_without_tools_is_ignored)
    RUN(an_entry_has_a_role_and_an_address_a_letter))
