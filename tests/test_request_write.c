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

TEST(members_that_would_break_the_body_are_refused)
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

TEST(a_line_that_is_no_json_is_refused_at_its_byte)
{
    plain();
    REFUSED(USER("Hi") "{\"type\":\"message\",\"text\":x}\n" USER("Hi"), ELELEM_ERROR_SYNTAX, 28 + 25);
    REFUSED(USER("Hi") "{\"type\":\"mess", ELELEM_ERROR_TRUNCATED, 28 + 13);
    REFUSED(USER("Hi") "\n  {\"type\":\"user\",\"text\":\"a\xff\"}", ELELEM_ERROR_UTF8, 28 + 3 + 24);
    REFUSED("{} {}", ELELEM_ERROR_SYNTAX, 3);
}

TEST(a_line_that_is_no_object_or_of_no_known_type_is_refused)
{
    plain();
    REFUSED(USER("Hi") " [1]\n", ELELEM_ERROR_TYPE, 29);
    REFUSED(USER("Hi") "\"user\"\n", ELELEM_ERROR_TYPE, 28);
    REFUSED(USER("Hi") "{\"type\":\"tool_reslt\"}\n", ELELEM_ERROR_PROTOCOL, 28);
    REFUSED(USER("Hi") "{\"type\":1}\n", ELELEM_ERROR_PROTOCOL, 28);
    REFUSED(USER("Hi") "{}\n", ELELEM_ERROR_PROTOCOL, 28);
}

TEST(members_of_another_type_are_refused)
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

TEST(a_result_without_its_call_is_refused_in_every_shape)
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

TEST(more_than_64_calls_in_one_response_are_refused)
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
    for (i = 0; i < 100; i++)
        strcat(history, USER("Hi") CALL("", "now", "{}"));
    request.history = elelem_str_of(history);
    CHECK_INT(write_body().status, ELELEM_OK);
}

TEST(what_proves_reasoning_goes_to_no_other_provider)
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

TEST(a_sink_that_refuses_at_any_byte_gets_no_whole_json)
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

TEST(a_call_that_was_never_whole_in_a_record_is_none)
{
    plain();
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

TEST(an_event_of_the_next_entry_continues_nothing)
{
    ask("messages", "m");
    HISTORY("{\"role\":\"USER\",\"text\":\"Hi\"}\n"
            "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"A\"}]}\n"
            "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"B\"}]}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},{\"role\":\"assistant\",\"content\":["
            "{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"text\",\"text\":\"B\"}]}]");
}

TEST(values_may_be_nested_as_deeply_as_a_line_allows)
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
    RUN(more_than_64_calls_in_one_response_are_refused)
    RUN(a_sink_that_refuses_at_any_byte_gets_no_whole_json)
    RUN(a_sink_without_a_function_is_an_error)
    RUN(long_texts_pass_unchanged)
    RUN(every_shape_writes_a_history_of_every_kind)
    RUN(the_last_line_needs_no_line_feed_and_lines_may_end_with_crlf)
    RUN(lines_of_a_recorder_are_read)
    RUN(a_call_that_was_never_whole_in_a_record_is_none)
    RUN(entries_of_a_history_are_read)
    RUN(an_event_of_the_next_entry_continues_nothing)
    RUN(values_may_be_nested_as_deeply_as_a_line_allows)
    RUN(what_proves_reasoning_goes_to_no_other_provider)
    RUN(a_history_that_ends_anywhere_in_a_line_is_refused_there)
    RUN(a_byte_that_is_never_right_is_refused_at_its_place)
    RUN(a_schema_that_is_cut_anywhere_is_refused))
