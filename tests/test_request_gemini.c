/* request_gemini: histories to the contents of Gemini. */
#include "elelem_stream.h"

#include "requests.h"

#define FROM_USER(parts) "{\"role\":\"user\",\"parts\":[" parts "]}"
#define FROM_MODEL(parts) "{\"role\":\"model\",\"parts\":[" parts "]}"
#define TEXT(text) "{\"text\":\"" text "\"}"
#define CALLED(name) "{\"functionCall\":{\"name\":\"" name "\",\"args\":{}}}"
#define CALLED_SIGNED(name, signature) "{\"functionCall\":{\"name\":\"" name "\",\"args\":{}},\"thoughtSignature\":\"" signature "\"}"
#define UNSIGNED "skip_thought_signature_validator"
#define GOT(name, response) "{\"functionResponse\":{\"name\":\"" name "\",\"response\":" response "}}"
#define SIGNED "\"thought_signature\":\"t\""

/* Writes what the settings are tried with. */
#define SAY_HI() HISTORY(USER("Hi"), "[" FROM_USER(TEXT("Hi")) "]")

static void google(void)
{
    ask("google", "gemini-3-pro-preview");
}

TEST(all_results_of_a_step_are_in_one_content_and_the_users_text_in_the_next)
{
    google();
    HISTORY(USER("Hi") SIGNED_CALL("a", "now", "{}", SIGNED) CALL("b", "look", "{}") USER("And?") RESULT("b", "look", "2")
                RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("now", "t") "," CALLED("look")) ","
            FROM_USER(GOT("now", "{\"output\":\"1\"}") "," GOT("look", "{\"output\":\"2\"}")) "," FROM_USER(TEXT("And?")) "]");
}

TEST(there_are_as_many_results_as_calls)
{
    google();
    HISTORY(USER("Hi") SIGNED_CALL("a", "now", "{}", SIGNED),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("now", "t")) ","
            FROM_USER(GOT("now", "{\"error\":\"not run\"}")) "]");
}

TEST(a_history_that_begins_with_a_call_has_a_content_of_the_user_before_it)
{
    google();
    HISTORY(SIGNED_CALL("a", "now", "{}", SIGNED) RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("(start)")) "," FROM_MODEL(CALLED_SIGNED("now", "t")) ","
            FROM_USER(GOT("now", "{\"output\":\"1\"}")) "]");
}

TEST(a_call_after_a_text_with_nothing_of_the_user_between_is_in_its_content) /* Q7 */
{
    google();
    HISTORY(USER("Hi") SAYS("A") USER(" ") SIGNED_CALL("a", "now", "{}", SIGNED) RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A") "," CALLED_SIGNED("now", "t")) ","
            FROM_USER(GOT("now", "{\"output\":\"1\"}")) "]");
}

TEST(a_blank_text_of_the_user_does_not_end_the_turn_at_work) /* Q7 */
{
    google();
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1") USER(" "),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("now", UNSIGNED)) ","
            FROM_USER(GOT("now", "{\"output\":\"1\"}")) "]");
}

TEST(no_part_is_empty_and_no_content_without_parts)
{
    google();
    HISTORY(USER("Hi") SAYS("") THINKS("Hm.", "") SAYS(" ") USER("there"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_USER(TEXT("there")) "]");
}

TEST(ids_are_on_neither_side)
{
    google();
    HISTORY(USER("Hi") SIGNED_CALL("call_0", "now", "{}", SIGNED) RESULT("call_0", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("now", "t")) ","
            FROM_USER(GOT("now", "{\"output\":\"1\"}")) "]");
}

TEST(signatures_go_back_on_the_part_that_they_came_on)
{
    google();
    HISTORY(USER("Hi") THINKS("Hm.", "\"thought_signature\":\"t1\"") "{\"type\":\"message\",\"text\":\"A\",\"metadata\":{\"thought_signature\":\"t2\"}}\n"
                SAYS("B") "{\"type\":\"message\",\"text\":\"\",\"metadata\":{\"thought_signature\":\"t3\"}}\n",
            "[" FROM_USER(TEXT("Hi")) ","
            FROM_MODEL("{\"text\":\"Hm.\",\"thought\":true,\"thoughtSignature\":\"t1\"},{\"text\":\"A\",\"thoughtSignature\":\"t2\"},"
                       TEXT("B") ",{\"text\":\"\",\"thoughtSignature\":\"t3\"}") "]");
}

TEST(the_first_call_of_a_step_of_the_turn_at_work_has_a_signature)
{
    google();
    HISTORY(USER("Hi") CALL("a", "now", "{}") CALL("b", "now", "{}") RESULT("a", "now", "1") RESULT("b", "now", "2")
                CALL("c", "now", "{}") RESULT("c", "now", "3"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("now", UNSIGNED) "," CALLED("now")) ","
            FROM_USER(GOT("now", "{\"output\":\"1\"}") "," GOT("now", "{\"output\":\"2\"}")) ","
            FROM_MODEL(CALLED_SIGNED("now", UNSIGNED)) "," FROM_USER(GOT("now", "{\"output\":\"3\"}")) "]");
}

TEST(calls_of_a_turn_that_is_over_need_no_signature)
{
    google();
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1") USER("B"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED("now")) "," FROM_USER(GOT("now", "{\"output\":\"1\"}")) ","
            FROM_USER(TEXT("B")) "]");
}

TEST(signatures_of_other_providers_are_left_out)
{
    google();
    HISTORY(USER("Hi") THINKS("Hm.", "\"signature\":\"s\"") SAYS("A"), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
}

TEST(the_response_of_a_function_is_an_object)
{
    google();
    HISTORY(USER("Hi") SIGNED_CALL("a", "x", "{}", SIGNED) CALL("b", "x", "{}") CALL("c", "x", "{}") CALL("d", "x", "{}")
                "{\"type\":\"tool_result\",\"id\":\"a\",\"output\":{\"n\":1}}\n{\"type\":\"tool_result\",\"id\":\"b\",\"output\":[1]}\n"
                "{\"type\":\"tool_result\",\"id\":\"c\",\"text\":\"no\",\"failed\":true}\n"
                "{\"type\":\"tool_result\",\"id\":\"d\",\"output\":{\"error\":{\"code\":1}},\"failed\":true}\n",
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("x", "t") "," CALLED("x") "," CALLED("x") "," CALLED("x")) ","
            FROM_USER(GOT("x", "{\"n\":1}") "," GOT("x", "{\"output\":[1]}") "," GOT("x", "{\"error\":\"no\"}") ","
                      GOT("x", "{\"error\":{\"code\":1}}")) "]");
}

TEST(code_and_data_of_the_provider_go_back_verbatim)
{
    google();
    HISTORY(USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"executableCode\",\"item\":"
                "{\"executableCode\":{\"language\":\"PYTHON\",\"code\":\"1\"},\"thoughtSignature\":\"t\"}}\n"
                "{\"type\":\"provider_item\",\"itemType\":\"server_tool_use\",\"item\":{\"type\":\"server_tool_use\"}}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) ","
            FROM_MODEL("{\"executableCode\":{\"language\":\"PYTHON\",\"code\":\"1\"},\"thoughtSignature\":\"t\"}," TEXT("A")) "]");
}

TEST(a_part_of_a_kind_that_is_not_known_goes_back)
{
    const char *history = USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"sketch\",\"item\":{\"sketch\":{\"n\":1},\"thoughtSignature\":\"t\"}}\n"
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"sketch\",\"chunk\":\"{\\\"sketch\\\":2}\"}\n"
        "{\"type\":\"provider_item\",\"itemType\":\"sketches\",\"item\":{\"n\":1}}\n" SAYS("A");

    google();
    HISTORY(history, "[" FROM_USER(TEXT("Hi")) ","
            FROM_MODEL("{\"sketch\":{\"n\":1},\"thoughtSignature\":\"t\"},{\"sketch\":2}," TEXT("A")) "]");
    ask("anthropic", "claude");
    HISTORY(history, "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},"
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"A\"}]}]");
}

TEST(a_part_of_a_kind_that_is_not_known_goes_back_though_something_in_it_has_a_type)
{
    const char *history = USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"sketch\","
        "\"chunk\":\"{\\\"sketch\\\":{\\\"type\\\":2}}\"}\n" SAYS("A");

    google();
    HISTORY(history, "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"sketch\":{\"type\":2}}," TEXT("A")) "]");
    ask("anthropic", "claude");
    HISTORY(history, "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},"
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"A\"}]}]");
}

TEST(a_call_that_the_provider_ran_has_its_response_in_its_own_content)
{
    const char *history = USER("Hi") SIGNED_CALL("a", "now", "{}", SIGNED)
        "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"hosted\":true,\"item\":"
        "{\"functionResponse\":{\"name\":\"now\",\"response\":{\"n\":1}}}}\n" SAYS("A");

    google();
    HISTORY(history, "[" FROM_USER(TEXT("Hi")) ","
            FROM_MODEL(CALLED_SIGNED("now", "t") "," GOT("now", "{\"n\":1}") "," TEXT("A")) "]");
    ask("chat", "m");
    HISTORY(history, "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"A\",\"tool_calls\":[{\"id\":\"a\","
            "\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}]},"
            "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"{\\\"n\\\":1}\"}]");
}

/* Writes `text` as what is between the quotes of a JSON string. */
static const char *quoted(const char *text)
{
    static char bytes[400];
    size_t size = 0;

    for (; *text; text++) {
        if (*text == '"' || *text == '\\') bytes[size++] = '\\';
        bytes[size++] = *text;
    }
    bytes[size] = 0;
    return bytes;
}

TEST(a_result_that_interactions_have_is_the_same_for_other_shapes_whole_and_in_pieces)
{
    static const struct {
        const char *result, *gemini, *text;
    } rows[] = {
        { ",\"result\":\"1\"", "{\"output\":\"1\"}", "\"1\"" },
        { ", \"result\" : \"a\\n\\\"\\ud83d\\ude00\" ", "{\"output\":\"a\\n\\\"\xf0\x9f\x98\x80\"}", "\"a\\n\\\"\xf0\x9f\x98\x80\"" },
        { ",\"result\":1", "{\"output\":1}", "\"1\"" },
        { ",\"result\":null", "{\"output\":null}", "\"null\"" },
        { ",\"result\":[\"x\"]", "{\"output\":[\"x\"]}", "\"[\\\"x\\\"]\"" },
        { ",\"result\":{\"n\":1}", "{\"n\":1}", "\"{\\\"n\\\":1}\"" },
        { "", "{\"type\":\"function_result\",\"call_id\":\"a\"}", "\"{\\\"type\\\":\\\"function_result\\\",\\\"call_id\\\":\\\"a\\\"}\"" },
    };
    static char item[200], whole[600], pieces[900];
    size_t i, k;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(item, sizeof item, "{\"type\":\"function_result\",\"call_id\":\"a\"%s}", rows[i].result);
        snprintf(whole, sizeof whole, USER("Hi") SIGNED_CALL("a", "now", "{}", SIGNED)
                 "{\"type\":\"provider_item\",\"itemType\":\"function_result\",\"item\":%s}\n", item);
        snprintf(pieces, sizeof pieces, USER("Hi") SIGNED_CALL("a", "now", "{}", SIGNED)
                 "{\"eventType\":\"PartialProviderItem\",\"index\":2,\"type\":\"function_result\",\"chunk\":\"%.9s\"}\n", quoted(item));
        snprintf(pieces + strlen(pieces), sizeof pieces - strlen(pieces),
                 "{\"eventType\":\"PartialProviderItem\",\"index\":2,\"type\":\"function_result\",\"chunk\":\"%s\"}\n", quoted(item) + 9);
        for (k = 0; k < 2; k++) {
            check_context(rows[i].result);
            google();
            request.history = elelem_str_of(k ? pieces : whole);
            CHECK_INT(write_body().status, ELELEM_OK);
            MEMBER("contents[2].parts[0].functionResponse.response", rows[i].gemini);
            ask("chat", "m");
            request.history = elelem_str_of(k ? pieces : whole);
            CHECK_INT(write_body().status, ELELEM_OK);
            MEMBER("messages[2].content", rows[i].text);
            ask("messages", "m");
            request.history = elelem_str_of(k ? pieces : whole);
            CHECK_INT(write_body().status, ELELEM_OK);
            MEMBER("messages[2].content[0].content", rows[i].text);
            CHECK_INT(elelem_value_type(member_of_body("messages[1].content[1]")), ELELEM_TYPE_NONE);
            check_context(NULL);
        }
    }
}

TEST(the_response_of_a_call_that_the_provider_ran_is_not_that_of_another_call)
{
    google();
    HISTORY(USER("Hi") "{\"role\":\"AI\",\"events\":["
            "{\"eventType\":\"BeforeToolExecution\",\"index\":0,\"id\":\"a\",\"toolName\":\"mine\",\"input\":{},\"metadata\":{" SIGNED "}},"
            "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"b\",\"toolName\":\"now\",\"input\":{}},"
            "{\"eventType\":\"PartialProviderItem\",\"index\":2,\"type\":\"functionResponse\",\"hosted\":true,"
            "\"chunk\":\"{\\\"functionResponse\\\":{\\\"name\\\":\\\"now\\\",\\\"response\\\":{}}}\"}]}\n" RESULT("a", "mine", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("mine", "t") "," CALLED("now") "," GOT("now", "{}")) ","
            FROM_USER(GOT("mine", "{\"output\":\"1\"}")) "]");
}

TEST(the_response_of_a_call_that_is_left_out_is_left_out)
{
    google();
    HISTORY(USER("Hi") "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"now\",\"state\":\"cut_off\",\"partialArguments\":{}}\n" CALL("b", "now", "{}")
                "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"hosted\":true,\"item\":"
                "{\"functionResponse\":{\"id\":\"a\",\"name\":\"now\",\"response\":{\"n\":1}}}}\n"
                "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"hosted\":true,\"item\":"
                "{\"functionResponse\":{\"id\":\"b\",\"name\":\"now\",\"response\":{\"n\":2}}}}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"functionCall\":{\"id\":\"b\",\"name\":\"now\",\"args\":{}},\"thoughtSignature\":\"skip_thought_signature_validator\"},"
            "{\"functionResponse\":{\"id\":\"b\",\"name\":\"now\",\"response\":{\"n\":2}}}," TEXT("A")) "]");
}

#define RAN(members) "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"hosted\":true,\"item\":{\"functionResponse\":{" members "}}}\n"

TEST(a_call_that_the_provider_ran_has_its_id_if_its_response_has_it)
{
    google();
    HISTORY(USER("Hi") SIGNED_CALL("a", "now", "{}", SIGNED) CALL("b", "now", "{}") CALL("c", "mine", "{}") RAN("\"id\":\"b\",\"name\":\"now\",\"response\":{}")
                RAN("\"name\":\"now\",\"response\":{}") RESULT("c", "mine", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("now", "t") ",{\"functionCall\":{\"id\":\"b\",\"name\":\"now\",\"args\":{}}}," CALLED("mine") ","
            "{\"functionResponse\":{\"id\":\"b\",\"name\":\"now\",\"response\":{}}}," GOT("now", "{}")) ","
            FROM_USER(GOT("mine", "{\"output\":\"1\"}")) "]");
}

TEST(a_response_of_the_provider_is_left_out_if_its_call_is_none_or_has_one)
{
    google();
    HISTORY(USER("Hi") SIGNED_CALL("a b", "now", "{}", SIGNED) RAN("\"id\":\"a b\",\"name\":\"now\",\"response\":{}"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"functionCall\":{\"id\":\"a b\",\"name\":\"now\",\"args\":{}},\"thoughtSignature\":\"t\"},"
            "{\"functionResponse\":{\"id\":\"a b\",\"name\":\"now\",\"response\":{}}}") "]");
    HISTORY(USER("Hi") SIGNED_CALL("a", "now", "{}", SIGNED) RAN("\"id\":\"a\",\"name\":\"now\",\"response\":{}") RAN("\"id\":\"z\",\"name\":\"now\",\"response\":{}")
                RAN("\"id\":\"a\",\"name\":\"now\",\"response\":{\"n\":2}"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"functionCall\":{\"id\":\"a\",\"name\":\"now\",\"args\":{}},\"thoughtSignature\":\"t\"},"
            "{\"functionResponse\":{\"id\":\"a\",\"name\":\"now\",\"response\":{}}}") "]");
}

TEST(the_line_of_a_call_that_counts_has_the_response_that_came_before_it)
{
    google();
    HISTORY(USER("Hi") "{\"eventType\":\"BeforeToolExecution\",\"id\":\"a\",\"toolName\":\"now\",\"input\":{}}\n" RAN("\"id\":\"a\",\"name\":\"now\",\"response\":{}")
                "{\"eventType\":\"BeforeToolExecution\",\"index\":1,\"id\":\"a\",\"toolName\":\"now\",\"input\":{},\"metadata\":{" SIGNED "}}\n",
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"functionResponse\":{\"id\":\"a\",\"name\":\"now\",\"response\":{}}},"
            "{\"functionCall\":{\"id\":\"a\",\"name\":\"now\",\"args\":{}},\"thoughtSignature\":\"t\"}") "]");
}

TEST(a_response_of_the_provider_that_does_not_go_back_is_none)
{
    static const char *const rows[] = {
        "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"state\":\"cut_off\",\"item\":{\"functionResponse\":{\"name\":\"now\"}}}",
        "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":[]}",
        "{\"eventType\":\"PartialProviderItem\",\"index\":2,\"type\":\"functionResponse\",\"chunk\":\"{\\\"functionResponse\\\":\"}",
    };
    static char history[500];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        google();
        snprintf(history, sizeof history, USER("Hi") SIGNED_CALL("a", "now", "{}", SIGNED) "%s\n", rows[i]);
        HISTORY(history, "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("now", "t")) "," FROM_USER(GOT("now", "{\"error\":\"not run\"}")) "]");
    }
}

TEST(images_are_parts_with_a_type)
{
    google();
    HISTORY("{\"type\":\"user\",\"text\":\"What?\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA==\"},"
            "{\"mediaType\":\"image/png\",\"url\":\"gs://a\"}]}\n",
            "[" FROM_USER(TEXT("What?") ",{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AA==\"}},"
                          "{\"fileData\":{\"mimeType\":\"image/png\",\"fileUri\":\"gs://a\"}}") "]");
}

#define OBJECT_SCHEMA "{\"type\":\"object\",\"additionalProperties\":false}"

TEST(schemas_of_tools_are_json_schemas)
{
    google();
    offer("now", OBJECT_SCHEMA);
    choose_tool();
    SAY_HI();
    MEMBER("tools", "[{\"functionDeclarations\":[{\"name\":\"now\",\"parametersJsonSchema\":"
           "{\"type\":\"object\",\"additionalProperties\":false}}]}]");
    MEMBER("toolConfig", "{\"functionCallingConfig\":{\"mode\":\"ANY\",\"allowedFunctionNames\":[\"now\"]}}");
}

TEST(a_schema_that_is_a_tool_leaves_the_choice_of_the_others)
{
    static const struct {
        uint8_t choice;
        const char *config;
    } rows[] = {
        { ELELEM_TOOL_CHOICE_AUTO, "{\"mode\":\"ANY\"}" },
        { ELELEM_TOOL_CHOICE_NONE, "{\"mode\":\"ANY\",\"allowedFunctionNames\":[\"json\"]}" },
        { ELELEM_TOOL_CHOICE_REQUIRED, "{\"mode\":\"ANY\"}" },
        { ELELEM_TOOL_CHOICE_NAMED, "{\"mode\":\"ANY\",\"allowedFunctionNames\":[\"now\",\"json\"]}" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        ask("google", "gemini-2.5-flash");
        offer("now", OBJECT_SCHEMA);
        request.schema = elelem_str_of(OBJECT_SCHEMA);
        request.tool_choice = rows[i].choice;
        request.tool_choice_name = offered.name;
        SAY_HI();
        MEMBER("toolConfig.functionCallingConfig", rows[i].config);
    }
}

TEST(a_schema_together_with_tools_is_a_tool_before_gemini_3)
{
    google();
    offer("now", OBJECT_SCHEMA);
    request.schema = elelem_str_of("{\"type\":\"object\"}");
    SAY_HI();
    MEMBER("generationConfig", "{\"responseMimeType\":\"application/json\",\"responseJsonSchema\":{\"type\":\"object\"}}");
    MEMBER("toolConfig", "");
    request.model = elelem_str_of("models/gemini-2.5-pro");
    SAY_HI();
    MEMBER("generationConfig", "{}");
    MEMBER("tools[0].functionDeclarations[1]", "{\"name\":\"json\",\"parametersJsonSchema\":{\"type\":\"object\"}}");
    MEMBER("toolConfig.functionCallingConfig.mode", "\"ANY\"");
}

TEST(any_json_together_with_tools_is_asked_for_in_words_before_gemini_3)
{
    google();
    offer("now", OBJECT_SCHEMA);
    request.schema = elelem_str_of("true");
    SAY_HI();
    MEMBER("generationConfig", "{\"responseMimeType\":\"application/json\"}");
    MEMBER("systemInstruction", "");
    request.model = elelem_str_of("gemini-2.5-flash");
    request.instructions = elelem_str_of("Be brief.");
    SAY_HI();
    MEMBER("generationConfig", "{}");
    MEMBER("systemInstruction.parts[0].text", "\"Return a JSON object.\\n\\nBe brief.\"");
    MEMBER("toolConfig", "");
}

TEST(settings_are_in_generation_config_and_the_callers_replace_them)
{
    elelem_str stop = elelem_str_of("END");

    google();
    request.instructions = elelem_str_of("Be brief.");
    request.max_tokens = 10;
    request.temperature = elelem_str_of("0");
    request.top_k = elelem_str_of("40");
    request.seed = elelem_str_of("7");
    request.stops = &stop;
    request.stop_count = 1;
    request.reasoning_tokens = 100;
    request.show_reasoning = 1;
    request.extra_config = elelem_str_of(" \"topK\": 3 , \"candidateCount\":2 ");
    SAY_HI();
    MEMBER("systemInstruction", "{\"parts\":[{\"text\":\"Be brief.\"}]}");
    MEMBER("generationConfig", "{\"maxOutputTokens\":10,\"temperature\":0,\"seed\":7,\"stopSequences\":[\"END\"],"
           "\"thinkingConfig\":{\"thinkingBudget\":100,\"includeThoughts\":true},\"topK\":3,\"candidateCount\":2}");
    MEMBER("model", "");
    MEMBER("stream", "");
    request.effort = elelem_str_of("low");
    SAY_HI();
    MEMBER("generationConfig.thinkingConfig", "{\"thinkingLevel\":\"low\",\"includeThoughts\":true}");
}

TEST(a_name_of_a_tool_begins_with_a_letter_or_an_underscore)
{
    static const char *const bad[] = { "3d", "-now" };
    size_t i;

    for (i = 0; i < 2; i++) {
        google();
        offer("now", OBJECT_SCHEMA);
        offered.name = elelem_str_of(bad[i]);
        REFUSED(USER("Hi"), ELELEM_ERROR_MISUSE, 0);
    }
    offered.name = elelem_str_of("_3d");
    SAY_HI();
}

TEST(a_name_in_the_history_that_begins_with_a_digit_gets_an_underscore_before_it)
{
    google();
    HISTORY(USER("Hi") SIGNED_CALL("a", "3d", "{}", SIGNED) RESULT("a", "3d", "1") USER("B"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("_3d", "t")) ","
            FROM_USER(GOT("_3d", "{\"output\":\"1\"}")) "," FROM_USER(TEXT("B")) "]");
}

TEST(no_tool_has_the_name_of_the_tool_that_the_schema_becomes)
{
    google();
    offer("now", OBJECT_SCHEMA);
    offered.name = elelem_str_of("json");
    request.schema = elelem_str_of("{}");
    SAY_HI();
    request.model = elelem_str_of("gemini-2.5-pro");
    REFUSED(USER("Hi"), ELELEM_ERROR_MISUSE, 0);
}

TEST(a_setting_that_is_left_out_is_said)
{
    google();
    offer("now", OBJECT_SCHEMA);
    request.one_call = 1;
    SAY_HI();
    SAID_OF_BODY("one_call is left out: the provider has no member for it");
    request.one_call = 0;
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.effort = elelem_str_of("low");
    request.reasoning_tokens = 5;
    SAY_HI();
    SAID_OF_BODY("the reasoning budget is left out: the effort counts");
    request.model = elelem_str_of("gemini-2.5-pro");
    request.schema = elelem_str_of("{}");
    SAY_HI();
    SAID_OF_BODY("the schema is a tool with the name json: the model takes none together with tools");
}

TEST(models_before_gemini_3_have_a_budget_and_no_effort)
{
    ask("google", "gemini-2.5-flash");
    request.effort = elelem_str_of("low");
    SAY_HI();
    MEMBER("generationConfig.thinkingConfig", "");
    SAID_OF_BODY("the effort is left out: the model refuses it");
    request.reasoning_tokens = 100;
    SAY_HI();
    MEMBER("generationConfig.thinkingConfig", "{\"thinkingBudget\":100}");
    request.effort = elelem_str_of("");
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
}

TEST(a_model_that_reasons_only_with_a_budget_gets_one_if_reasoning_is_to_be_shown)
{
    ask("google", "gemini-2.5-flash-lite");
    SAY_HI();
    MEMBER("generationConfig.thinkingConfig", "");
    request.show_reasoning = 1;
    SAY_HI();
    MEMBER("generationConfig.thinkingConfig", "{\"thinkingBudget\":-1,\"includeThoughts\":true}");
    request.reasoning_tokens = 100;
    SAY_HI();
    MEMBER("generationConfig.thinkingConfig", "{\"thinkingBudget\":100,\"includeThoughts\":true}");
}

TEST(five_stop_sequences_go_out)
{
    elelem_str stops[6];
    size_t i;

    for (i = 0; i < 6; i++)
        stops[i] = elelem_str_of("a");
    ask("google", "gemini-3-pro");
    request.stops = stops;
    request.stop_count = 5;
    SAY_HI();
    MEMBER("generationConfig.stopSequences", "[\"a\",\"a\",\"a\",\"a\",\"a\"]");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.stop_count = 6;
    SAY_HI();
    MEMBER("generationConfig.stopSequences", "[\"a\",\"a\",\"a\",\"a\",\"a\"]");
    SAID_OF_BODY("stop sequences are left out: the provider takes fewer");
}

TEST(an_image_of_the_user_needs_no_text)
{
    google();
    HISTORY("{\"type\":\"user\",\"text\":\"\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA==\"}]}\n",
            "[" FROM_USER("{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AA==\"}}") "]");
}

TEST(a_failed_response_is_an_error)
{
    static const char *const rows[][2] = {
        { "\"output\":{\"error\":1},\"failed\":true", "{\"error\":1}" },
        { "\"output\":{\"n\":1},\"failed\":true", "{\"error\":{\"n\":1}}" },
        { "\"output\":[1],\"failed\":true", "{\"error\":[1]}" },
        { "\"text\":\"no\",\"failed\":true", "{\"error\":\"no\"}" },
        { "\"output\":{\"n\":1}", "{\"n\":1}" },
        { "\"output\":7", "{\"output\":7}" },
        { "\"text\":\"x\"", "{\"output\":\"x\"}" },
    };
    static char history[300];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        google();
        snprintf(history, sizeof history, USER("Hi") CALL("a", "x", "{}") "{\"type\":\"tool_result\",\"id\":\"a\",%s}\n", rows[i][0]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("contents[2].parts[0].functionResponse.response", rows[i][1]);
    }
}

TEST(a_signature_that_is_empty_or_no_string_is_none)
{
    google();
    HISTORY(USER("Hi") SIGNED_CALL("a", "x", "{}", "\"thought_signature\":\"\"") SIGNED_CALL("b", "x", "{}", "\"thought_signature\":12345")
                THINKS("Hm.", "\"thought_signature\":\"\"") RESULT("a", "x", "1") RESULT("b", "x", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(CALLED_SIGNED("x", "skip_thought_signature_validator") "," CALLED("x")) ","
            FROM_USER(GOT("x", "{\"output\":\"1\"}") "," GOT("x", "{\"output\":\"1\"}")) "]");
}

TEST(a_name_begins_with_a_letter_or_an_underscore_whatever_it_was)
{
    static const char *const rows[][2] = {
        { "-a", "\"_-a\"" }, { "9", "\"_9\"" }, { " a", "\"_a\"" }, { ".a", "\"_a\"" }, { "_a", "\"_a\"" }, { "Za", "\"Za\"" }, { "@a", "\"_a\"" },
        { "[a", "\"_a\"" }, { "`a", "\"_a\"" }, { "{a", "\"_a\"" }, { "a/b:c", "\"a_b_c\"" },
        { "0123456789012345678901234567890123456789012345678901234567890123456789", "\"_012345678901234567890123456789012345678901234567890123456789012\"" },
    };
    static char history[300];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        google();
        snprintf(history, sizeof history, "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"%s\",\"arguments\":{}}\n", rows[i][0]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("contents[1].parts[0].functionCall.name", rows[i][1]);
    }
}

TEST(a_part_is_of_this_shape_if_its_type_names_a_member_of_it)
{
#define LETTERS_62 "a1234567890123456789012345678901234567890123456789012345678901"
    static const struct {
        const char *type, *member;
        int goes_back;
    } rows[] = {
        { "sketch", "sketch", 1 }, { "sketch", "sketches", 0 }, { "s", "s", 1 }, { "", "", 0 }, { "a\\u0062", "ab", 0 },
        { LETTERS_62 "b", LETTERS_62 "b", 1 }, { LETTERS_62 "bc", LETTERS_62 "bc", 0 },
    };
    static char history[500], item[200];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        google();
        snprintf(item, sizeof item, "{\"%s\":1}", rows[i].member);
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"%s\",\"item\":%s}\n" SAYS("A"), rows[i].type, item);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        check_context(rows[i].type);
        MEMBER("contents[1].parts[0]", rows[i].goes_back ? item : "{\"text\":\"A\"}");
        check_context(NULL);
    }
}

TEST(data_in_pieces_goes_back_if_it_is_an_object)
{
    static const char *const bad[] = { "", "{", "[", "[1]", "1", "[{}]", "\\\"{}\\\"", " {}" };
    static char history[300];
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        google();
        snprintf(history, sizeof history,
                 USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"inlineData\",\"chunk\":\"%s\"}\n" SAYS("A"), bad[i]);
        HISTORY(history, "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    }
    HISTORY(USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"inlineData\",\"chunk\":\"{}\"}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{}," TEXT("A")) "]");
    HISTORY(USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"inlineData\"}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
}

TEST(without_tools_or_a_schema_nothing_is_said_of_them)
{
    ask("google", "gemini-2.5-flash");
    SAY_HI();
    MEMBER("tools", "");
    MEMBER("toolConfig", "");
    MEMBER("systemInstruction", "");
    offer("now", "")->description = elelem_str_of("X");
    SAY_HI();
    MEMBER("tools", "[{\"functionDeclarations\":[{\"name\":\"now\",\"description\":\"X\"}]}]");
    MEMBER("systemInstruction", "");
}

TEST(a_schema_without_tools_is_the_format_of_every_model)
{
    ask("google", "gemini-2.5-flash");
    request.schema = elelem_str_of("{\"type\":\"object\"}");
    SAY_HI();
    MEMBER("generationConfig", "{\"responseMimeType\":\"application/json\",\"responseJsonSchema\":{\"type\":\"object\"}}");
    MEMBER("tools", "");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.schema = elelem_str_of("true");
    SAY_HI();
    MEMBER("generationConfig", "{\"responseMimeType\":\"application/json\"}");
    MEMBER("systemInstruction", "");
}

TEST(arguments_that_are_no_object_become_one)
{
    google();
    HISTORY(USER("Hi") CALL("a", "sh", "[1]") RESULT("a", "sh", "2"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"functionCall\":{\"name\":\"sh\",\"args\":{\"input\":[1]}},\"thoughtSignature\":\"" UNSIGNED "\"}")
            "," FROM_USER(GOT("sh", "{\"output\":\"2\"}")) "]");
}

TEST(each_setting_of_reasoning_goes_out_alone)
{
    google();
    SAY_HI();
    MEMBER("generationConfig", "{}");
    request.effort = elelem_str_of("x");
    SAY_HI();
    MEMBER("generationConfig", "{\"thinkingConfig\":{\"thinkingLevel\":\"x\"}}");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.reasoning_tokens = 1;
    SAY_HI();
    MEMBER("generationConfig", "{\"thinkingConfig\":{\"thinkingLevel\":\"x\"}}");
    SAID_OF_BODY("the reasoning budget is left out: the effort counts");
    google();
    request.reasoning_tokens = 1;
    SAY_HI();
    MEMBER("generationConfig", "{\"thinkingConfig\":{\"thinkingBudget\":1}}");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    google();
    request.show_reasoning = 1;
    SAY_HI();
    MEMBER("generationConfig", "{\"thinkingConfig\":{\"includeThoughts\":true}}");
    google();
    request.summary = elelem_str_of("x");
    SAY_HI();
    MEMBER("generationConfig", "{\"thinkingConfig\":{\"includeThoughts\":true}}");
    google();
    request.max_tokens = 1;
    request.top_p = elelem_str_of("1");
    SAY_HI();
    MEMBER("generationConfig", "{\"maxOutputTokens\":1,\"topP\":1}");
}

CHECK_MAIN("request_gemini",
    RUN(all_results_of_a_step_are_in_one_content_and_the_users_text_in_the_next)
    RUN(there_are_as_many_results_as_calls)
    RUN(a_history_that_begins_with_a_call_has_a_content_of_the_user_before_it)
    RUN(no_part_is_empty_and_no_content_without_parts)
    RUN(ids_are_on_neither_side)
    RUN(signatures_go_back_on_the_part_that_they_came_on)
    RUN(the_first_call_of_a_step_of_the_turn_at_work_has_a_signature)
    RUN(calls_of_a_turn_that_is_over_need_no_signature)
    RUN(signatures_of_other_providers_are_left_out)
    RUN(the_response_of_a_function_is_an_object)
    RUN(code_and_data_of_the_provider_go_back_verbatim)
    RUN(a_part_of_a_kind_that_is_not_known_goes_back)
    RUN(a_part_of_a_kind_that_is_not_known_goes_back_though_something_in_it_has_a_type)
    RUN(a_call_that_the_provider_ran_has_its_response_in_its_own_content)
    RUN(a_result_that_interactions_have_is_the_same_for_other_shapes_whole_and_in_pieces)
    RUN(the_response_of_a_call_that_the_provider_ran_is_not_that_of_another_call)
    RUN(the_response_of_a_call_that_is_left_out_is_left_out)
    RUN(a_call_that_the_provider_ran_has_its_id_if_its_response_has_it)
    RUN(a_response_of_the_provider_is_left_out_if_its_call_is_none_or_has_one)
    RUN(the_line_of_a_call_that_counts_has_the_response_that_came_before_it)
    RUN(a_response_of_the_provider_that_does_not_go_back_is_none)
    RUN(images_are_parts_with_a_type)
    RUN(schemas_of_tools_are_json_schemas)
    RUN(a_schema_that_is_a_tool_leaves_the_choice_of_the_others)
    RUN(a_schema_together_with_tools_is_a_tool_before_gemini_3)
    RUN(settings_are_in_generation_config_and_the_callers_replace_them)
    RUN(a_call_after_a_text_with_nothing_of_the_user_between_is_in_its_content)
    RUN(a_blank_text_of_the_user_does_not_end_the_turn_at_work)
    RUN(any_json_together_with_tools_is_asked_for_in_words_before_gemini_3)
    RUN(a_name_of_a_tool_begins_with_a_letter_or_an_underscore)
    RUN(a_name_in_the_history_that_begins_with_a_digit_gets_an_underscore_before_it)
    RUN(no_tool_has_the_name_of_the_tool_that_the_schema_becomes)
    RUN(a_setting_that_is_left_out_is_said)
    RUN(models_before_gemini_3_have_a_budget_and_no_effort)
    RUN(a_model_that_reasons_only_with_a_budget_gets_one_if_reasoning_is_to_be_shown)
    RUN(five_stop_sequences_go_out)
    RUN(an_image_of_the_user_needs_no_text)
    RUN(a_failed_response_is_an_error)
    RUN(a_signature_that_is_empty_or_no_string_is_none)
    RUN(a_name_begins_with_a_letter_or_an_underscore_whatever_it_was)
    RUN(a_part_is_of_this_shape_if_its_type_names_a_member_of_it)
    RUN(data_in_pieces_goes_back_if_it_is_an_object)
    RUN(without_tools_or_a_schema_nothing_is_said_of_them)
    RUN(a_schema_without_tools_is_the_format_of_every_model)
    RUN(arguments_that_are_no_object_become_one)
    RUN(each_setting_of_reasoning_goes_out_alone))
