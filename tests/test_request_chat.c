/* request_chat: histories to the messages of chat completions, and the dialects of its providers. */
#include "elelem_stream.h"

#include "requests.h"

#define C1 "{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}"
#define C2 "{\"id\":\"call_2\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"at\\\":1}\"}}"
#define HI "{\"role\":\"user\",\"content\":\"Hi\"}"
#define TOOL(id, text) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text "\"}"

/* Writes what the settings are tried with. */
#define SAY_HI() HISTORY(USER("Hi"), "[" HI "]")

static void plain(void)
{
    ask("chat", "m");
}

/* Order and pairing. */

TEST(the_results_of_all_calls_follow_the_message_that_has_them)
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") CALL("call_2", "look", "{\"at\":1}") RESULT("call_2", "look", "b")
                RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "," C2 "]}," TOOL("call_1", "a") ","
            TOOL("call_2", "b") "]");
}

TEST(a_call_without_a_result_gets_a_failed_one)
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," 
            TOOL("call_1", "{\\\"error\\\":\\\"not run\\\"}") "]");
}

TEST(ids_that_come_again_in_the_next_step_pair_within_their_step)
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") RESULT("call_1", "now", "a") CALL("call_1", "now", "{}")
                RESULT("call_1", "now", "b"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a")
            ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "b") "]");
}

TEST(text_reasoning_and_calls_of_a_step_are_one_message)
{
    ask("vllm", "m");
    HISTORY(USER("Hi") SAYS("One.") THINKS("Hm.", "") CALL("call_1", "now", "{}") SAYS("Two.") RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"One.\\n\\nTwo.\",\"reasoning\":\"Hm.\",\"tool_calls\":[" C1 "]},"
            TOOL("call_1", "a") "]");
}

TEST(content_without_text_is_null_absent_or_empty_as_the_provider_takes_it)
{
    const char *history = USER("Hi") CALL("call_1", "now", "{}") RESULT("call_1", "now", "a");

    ask("openai-chat", "gpt-4.1");
    HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
    ask("groq", "m");
    HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
    ask("ollama", "m");
    HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
}

TEST(a_message_without_calls_has_a_string_as_its_content)
{
    plain();
    HISTORY(USER("Hi") SAYS("Hello."), "[" HI ",{\"role\":\"assistant\",\"content\":\"Hello.\"}]");
}

TEST(text_of_the_user_before_a_result_comes_after_it)
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") USER("And?") RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a")
            ",{\"role\":\"user\",\"content\":\"And?\"}]");
}

TEST(texts_of_the_user_in_a_row_are_one_message)
{
    plain();
    HISTORY(USER("Hi") USER("there"), "[{\"role\":\"user\",\"content\":\"Hi\\n\\nthere\"}]");
}

TEST(blank_texts_and_messages_of_them_alone_are_left_out)
{
    plain();
    HISTORY(USER("Hi") SAYS(" \\n\\u00a0") USER("\\t") USER("there"), "[{\"role\":\"user\",\"content\":\"Hi\\n\\nthere\"}]");
}

TEST(a_call_that_is_not_whole_is_left_out_with_its_result)
{
    plain();
    HISTORY(USER("Hi") SAYS("Well.")
                "{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"now\",\"argumentsText\":\"{\\\"a\",\"state\":\"cut_off\"}\n"
                RESULT("c", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"Well.\"}]");
    HISTORY(USER("Hi") SAYS("Well.") CALL("c", "", "{}"), "[" HI ",{\"role\":\"assistant\",\"content\":\"Well.\"}]");
}

TEST(the_first_of_several_results_of_one_call_counts)
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") RESULT("call_1", "now", "a") RESULT("call_1", "now", "b"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
}

TEST(two_calls_with_one_id_get_two_and_keep_their_results) /* Q4 */
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") CALL("call_1", "now", "{}") RESULT("call_1", "now", "a")
                RESULT("call_1", "now", "b"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1
            ",{\"id\":\"elelem_00000001\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}]},"
            TOOL("call_1", "a") "," TOOL("elelem_00000001", "b") "]");
}

TEST(calls_and_results_without_ids_pair_by_name_and_order)
{
    plain();
    HISTORY(USER("Hi") CALL("", "now", "{}") CALL("", "look", "{\"at\":1}") "{\"type\":\"tool_result\",\"name\":\"look\",\"text\":\"b\"}\n"
                "{\"type\":\"tool_result\",\"text\":\"a\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
            "{\"id\":\"elelem_00000000\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}},"
            "{\"id\":\"elelem_00000001\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"at\\\":1}\"}}]},"
            TOOL("elelem_00000000", "a") "," TOOL("elelem_00000001", "b") "]");
}

TEST(arguments_that_are_no_object_become_one)
{
    plain();
    HISTORY(USER("Hi") CALL("c", "sh", "\"ls -l\""),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":"
            "{\"name\":\"sh\",\"arguments\":\"{\\\"input\\\":\\\"ls -l\\\"}\"}}]}," TOOL("c", "{\\\"error\\\":\\\"not run\\\"}") "]");
}

TEST(a_custom_call_goes_back_as_one)
{
    plain();
    HISTORY(USER("Hi")
                "{\"type\":\"tool_call\",\"callType\":\"custom\",\"id\":\"c\",\"name\":\"sh\",\"arguments\":\"ls \\\"a\\\"\"}\n"
                RESULT("c", "sh", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"custom\",\"custom\":"
            "{\"name\":\"sh\",\"input\":\"ls \\\"a\\\"\"}}]}," TOOL("c", "a") "]");
}

TEST(a_name_with_odd_characters_gets_underscores) /* Q3 */
{
    plain();
    HISTORY(USER("Hi") CALL("c", "a.b c\\u00fc", "{}") RESULT("c", "a.b", ""),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":"
            "{\"name\":\"a_b_c__\",\"arguments\":\"{}\"}}]}," TOOL("c", "") "]");
}

TEST(results_are_text_json_or_an_error)
{
    plain();
    HISTORY(USER("Hi") CALL("a", "x", "{}") CALL("b", "x", "{}") CALL("c", "x", "{}")
                "{\"type\":\"tool_result\",\"id\":\"a\",\"output\":{\"n\": 1}}\n"
                "{\"type\":\"tool_result\",\"id\":\"b\",\"output\":\"plain\"}\n"
                "{\"type\":\"tool_result\",\"id\":\"c\",\"text\":\"no \\\"x\\\"\",\"failed\":true}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
            "{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}},"
            "{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}},"
            "{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}}]},"
            TOOL("a", "{\\\"n\\\": 1}") "," TOOL("b", "plain") "," TOOL("c", "{\\\"error\\\":\\\"no \\\\\\\"x\\\\\\\"\\\"}") "]");
}

TEST(structured_output_goes_back_as_its_json)
{
    plain();
    HISTORY(USER("Hi") "{\"type\":\"structured\",\"value\":{\"a\":[1,\"\\u00e9\"]}}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":\"{\\\"a\\\":[1,\\\"\\\\u00e9\\\"]}\"}]");
}

TEST(images_of_the_user_are_parts)
{
    plain();
    HISTORY("{\"type\":\"user\",\"text\":\"What?\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA==\"},"
            "{\"url\":\"https://a/b.png\"}]}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"What?\"},"
            "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA==\"}},"
            "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://a/b.png\"}}]}]");
}

/* What goes back with the model's items. */

#define DETAIL "{\"type\":\"reasoning.text\",\"signature\":\"s\",\"index\":0}"

TEST(openrouter_gets_reasoning_details_whole_and_in_order_with_their_text)
{
    ask("openrouter", "m");
    HISTORY(USER("Hi") THINKS("Hm.", "\"reasoning_details\":[" DETAIL ",{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}]")
                SAYS("Hello."),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"Hello.\",\"reasoning\":\"Hm.\",\"reasoning_details\":["
            "{\"type\":\"reasoning.text\",\"signature\":\"s\",\"index\":0,\"text\":\"Hm.\"},"
            "{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}]}]");
    HISTORY(USER("Hi") THINKS("Sum.", "\"reasoning_details\":[{\"type\":\"reasoning.summary\"}]") SAYS("Hello."),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"Hello.\",\"reasoning\":\"Sum.\",\"reasoning_details\":["
            "{\"type\":\"reasoning.summary\",\"summary\":\"Sum.\"}]}]");
}

TEST(extra_content_goes_back_to_servers_that_take_it)
{
    const char *history = USER("Hi") SIGNED_CALL("call_1", "now", "{}", "\"extra_content\":{\"google\":{\"thought_signature\":\"s\"}}")
        RESULT("call_1", "now", "a");

    plain();
    HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\","
            "\"function\":{\"name\":\"now\",\"arguments\":\"{}\"},\"extra_content\":{\"google\":{\"thought_signature\":\"s\"}}}]},"
            TOOL("call_1", "a") "]");
    ask("openai-chat", "gpt-4.1");
    HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
}

TEST(what_a_call_came_with_goes_back_whatever_it_is)
{
    plain();
    HISTORY(USER("Hi") SIGNED_CALL("call_1", "now", "{}", "\"extra_content\":7") RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\","
            "\"function\":{\"name\":\"now\",\"arguments\":\"{}\"},\"extra_content\":7}]}," TOOL("call_1", "a") "]");
}

TEST(deepseek_gets_reasoning_content)
{
    ask("deepseek", "deepseek-chat");
    HISTORY(USER("Hi") THINKS("Hm.", "\"signature\":\"s\"") CALL("call_1", "now", "{}") RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"\",\"reasoning_content\":\"Hm.\",\"tool_calls\":[" C1 "]},"
            TOOL("call_1", "a") "]");
}

TEST(deepseek_gets_the_reasoning_of_every_response_of_every_turn)
{
    ask("deepseek", "deepseek-chat");
    HISTORY(USER("Hi") THINKS("A", "") CALL("call_1", "now", "{}") RESULT("call_1", "now", "a") THINKS("B", "") SAYS("Yes.")
                USER("Hi"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"\",\"reasoning_content\":\"A\",\"tool_calls\":[" C1 "]},"
            TOOL("call_1", "a") ",{\"role\":\"assistant\",\"content\":\"Yes.\",\"reasoning_content\":\"B\"}," HI "]");
}

TEST(mistral_gets_reasoning_as_parts_before_the_text)
{
    ask("mistral", "mistral-large");
    HISTORY(USER("Hi") THINKS("Hm.", "") SAYS("Hello.") USER("And?"),
            "[" HI ",{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"Hm.\"}]},"
            "{\"type\":\"text\",\"text\":\"Hello.\"}]},{\"role\":\"user\",\"content\":\"And?\"}]");
}

TEST(groq_openai_xai_and_azure_get_no_reasoning)
{
    static const char *const names[] = { "groq", "openai-chat", "xai", "azure" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        ask(names[i], "m");
        HISTORY(USER("Hi") THINKS("Hm.", "\"signature\":\"s\"") SAYS("Hello."),
                "[" HI ",{\"role\":\"assistant\",\"content\":\"Hello.\"}]");
    }
}

TEST(cerebras_ollama_and_vllm_get_reasoning_as_reasoning)
{
    static const char *const names[] = { "cerebras", "ollama", "vllm" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        ask(names[i], "m");
        HISTORY(USER("Hi") THINKS("Hm.", "") SAYS("Hello."),
                "[" HI ",{\"role\":\"assistant\",\"content\":\"Hello.\",\"reasoning\":\"Hm.\"}]");
    }
}

/* Dialects. */

TEST(mistral_gets_ids_of_nine_letters_and_digits)
{
    ask("mistral", "mistral-large");
    HISTORY(USER("Hi") CALL("abc123XYZ", "now", "{}") CALL("call_2", "now", "{}") RESULT("abc123XYZ", "now", "a")
                RESULT("call_2", "now", "b"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":["
            "{\"id\":\"abc123XYZ\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}},"
            "{\"id\":\"e00000001\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}]},"
            TOOL("abc123XYZ", "a") "," TOOL("e00000001", "b") "]");
}

TEST(mistral_gets_prefix_with_a_last_message_of_the_model)
{
    ask("mistral", "mistral-large");
    HISTORY(USER("Hi") SAYS("Hel"), "[" HI ",{\"role\":\"assistant\",\"content\":\"Hel\",\"prefix\":true}]");
    HISTORY(USER("Hi") SAYS("Hello.") USER("Hi"), "[" HI ",{\"role\":\"assistant\",\"content\":\"Hello.\"}," HI "]");
}

TEST(a_message_is_the_last_if_what_follows_is_not_written_to_this_provider)
{
#define PREFIXED "[" HI ",{\"role\":\"assistant\",\"content\":\"Hel\",\"prefix\":true}]"
    ask("mistral", "mistral-large");
    HISTORY(USER("Hi") SAYS("Hel") USER(" ") "{\"type\":\"provider_item\",\"itemType\":\"toolCall\",\"item\":{\"toolCall\":{}}}\n", PREFIXED);
    HISTORY(USER("Hi") SAYS("Hel") USER(" ") "{\"type\":\"provider_item\",\"itemType\":\"images\",\"item\":{\"image_url\":{\"url\":\"u\"}}}\n", PREFIXED);
    HISTORY(USER("Hi") SAYS("Hel") USER(" ") "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"now\",\"state\":\"cut_off\"}\n", PREFIXED);
    HISTORY(USER("Hi") SAYS("Hel") USER(" ") "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"\",\"arguments\":{}}\n", PREFIXED);
}

TEST(a_message_is_the_last_if_only_blank_texts_follow)
{
    ask("mistral", "mistral-large");
    HISTORY(USER("Hi") SAYS("Hel") USER(" "), "[" HI ",{\"role\":\"assistant\",\"content\":\"Hel\",\"prefix\":true}]");
}

TEST(the_limit_has_the_name_that_the_provider_takes)
{
    ask("openai-chat", "gpt-5");
    request.max_tokens = 7;
    SAY_HI();
    MEMBER("max_completion_tokens", "7");
    MEMBER("max_tokens", "");
    ask("deepseek", "deepseek-chat");
    request.max_tokens = 7;
    SAY_HI();
    MEMBER("max_tokens", "7");
    MEMBER("max_completion_tokens", "");
}

static void sample(const char *provider, const char *model)
{
    static elelem_str stop;

    ask(provider, model);
    stop = elelem_str_of("END");
    request.temperature = elelem_str_of("0.5");
    request.top_p = elelem_str_of("0.90");
    request.top_k = elelem_str_of("40");
    request.seed = elelem_str_of("0");
    request.stops = &stop;
    request.stop_count = 1;
    SAY_HI();
}

TEST(sampling_goes_out_as_it_is_spelled)
{
    sample("openai-chat", "gpt-4.1");
    MEMBER("temperature", "0.5");
    MEMBER("top_p", "0.90");
    MEMBER("top_k", "");
    MEMBER("seed", "0");
    MEMBER("stop", "[\"END\"]");
}

TEST(models_that_reason_get_no_sampling_if_they_refuse_it)
{
    sample("openai-chat", "gpt-5-mini");
    MEMBER("temperature", "");
    MEMBER("top_p", "");
    MEMBER("stop", "");
    sample("openai-chat", "gpt-5.1-chat-latest");
    MEMBER("temperature", "");
    sample("openai-chat", "gpt-6-luna");
    MEMBER("temperature", "");
    MEMBER("top_p", "");
    MEMBER("stop", "");
    sample("azure", "gpt-5-chat-latest");
    MEMBER("temperature", "0.5");
    MEMBER("stop", "[\"END\"]");
    sample("openai-chat", "gpt-5-chat-latest");
    MEMBER("temperature", "0.5");
    MEMBER("top_p", "0.90");
    MEMBER("stop", "[\"END\"]");
    sample("xai", "grok-4");
    MEMBER("temperature", "0.5");
    MEMBER("stop", "");
    sample("openrouter", "openai/gpt-5");
    MEMBER("temperature", "0.5");
    MEMBER("top_k", "40");
}

TEST(mistral_calls_the_seed_random_seed_and_some_call_any)
{
    static elelem_tool tools[2];

    sample("mistral", "m");
    MEMBER("seed", "");
    MEMBER("random_seed", "0");
    tools[0].name = elelem_str_of("now");
    tools[1].name = elelem_str_of("look");
    request.tools = tools;
    request.tool_count = 2;
    request.tool_choice = ELELEM_TOOL_CHOICE_REQUIRED;
    SAY_HI();
    MEMBER("tool_choice", "\"any\"");
    request.tool_choice = ELELEM_TOOL_CHOICE_NAMED;
    request.tool_choice_name = elelem_str_of("look");
    SAY_HI();
    MEMBER("tool_choice", "\"any\"");
    MEMBER("tools[*].function.name", "");
    MEMBER("tools[0].function.name", "\"look\"");
    MEMBER("tools[1]", "");
}

TEST(the_model_is_named)
{
    plain();
    SAY_HI();
    MEMBER("model", "\"m\"");
}

TEST(stream_options_go_to_servers_that_need_them)
{
    ask("openai-chat", "m");
    SAY_HI();
    MEMBER("stream", "true");
    MEMBER("stream_options", "{\"include_usage\":true}");
    request.whole = 1;
    SAY_HI();
    MEMBER("stream", "");
    MEMBER("stream_options", "");
    ask("mistral", "m");
    SAY_HI();
    MEMBER("stream", "true");
    MEMBER("stream_options", "");
}

TEST(openrouter_gets_effort_or_budget_in_an_object)
{
    ask("openrouter", "m");
    SAY_HI();
    MEMBER("reasoning", "");
    request.effort = elelem_str_of("low");
    SAY_HI();
    MEMBER("reasoning", "{\"effort\":\"low\"}");
    request.effort = elelem_str_of("");
    request.reasoning_tokens = 2000;
    SAY_HI();
    MEMBER("reasoning", "{\"max_tokens\":2000}");
    ask("openai-chat", "m");
    request.effort = elelem_str_of("low");
    SAY_HI();
    MEMBER("reasoning_effort", "\"low\"");
}

TEST(deepseek_gets_the_schema_in_words_and_json_object)
{
    ask("deepseek", "m");
    request.instructions = elelem_str_of("Be brief.");
    request.schema = elelem_str_of("{\"type\":\"object\"}");
    HISTORY(USER("Hi"), "[{\"role\":\"system\",\"content\":\"Return JSON that conforms to the following schema: "
            "{\\\"type\\\":\\\"object\\\"}\\n\\nBe brief.\"}," HI "]");
    MEMBER("response_format", "{\"type\":\"json_object\"}");
}

TEST(a_schema_has_a_name_and_says_whether_it_is_strict)
{
    plain();
    request.schema = elelem_str_of("{\"type\":\"object\"}");
    SAY_HI();
    MEMBER("response_format", "{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"response\",\"schema\":{\"type\":\"object\"},"
           "\"strict\":false}}");
}

TEST(any_json_is_asked_for_in_words_too_because_a_message_must_have_the_word)
{
    static const char *const providers[] = { "openai-chat", "azure", "groq", "openrouter", "vllm", "chat" };
    size_t i;

    for (i = 0; i < sizeof providers / sizeof *providers; i++) {
        ask(providers[i], "m");
        request.schema = elelem_str_of("true");
        HISTORY(USER("Hi"), "[{\"role\":\"system\",\"content\":\"Return a JSON object.\"}," HI "]");
        MEMBER("response_format", "{\"type\":\"json_object\"}");
    }
    request.instructions = elelem_str_of("Be brief.");
    HISTORY(USER("Hi"), "[{\"role\":\"system\",\"content\":\"Return a JSON object.\\n\\nBe brief.\"}," HI "]");
}

TEST(zai_gets_the_schema_in_words_and_json_object)
{
    ask("zai", "glm-5");
    request.schema = elelem_str_of("{}");
    HISTORY(USER("Hi"), "[{\"role\":\"system\",\"content\":\"Return JSON that conforms to the following schema: {}\"}," HI "]");
    MEMBER("response_format", "{\"type\":\"json_object\"}");
}

TEST(the_parameters_of_a_tool_are_an_object_with_properties)
{
    static const char *const said[][2] = {
        { " { } ", "{\"type\":\"object\",\"properties\":{}}" },
        { "{\"type\":\"object\"}", "{\"type\":\"object\",\"properties\":{}}" },
        { "{\"properties\":{\"type\":{}}}", "{\"properties\":{\"type\":{}},\"type\":\"object\"}" },
        { "{\"type\":\"object\",\"properties\":{}}", "{\"type\":\"object\",\"properties\":{}}" },
        { "{\"$ref\":\"#/$defs/a\"}", "{\"$ref\":\"#/$defs/a\",\"type\":\"object\",\"properties\":{}}" },
    };
    size_t i;

    plain();
    for (i = 0; i < sizeof said / sizeof *said; i++) {
        offer("now", said[i][0]);
        SAY_HI();
        MEMBER("tools[0].function.parameters", said[i][1]);
    }
}

TEST(models_that_refuse_to_be_forced_are_offered_the_tool_alone)
{
    static const char *const refuse[][2] = { { "deepseek", "deepseek-v4-pro" }, { "zai", "glm-5" }, { "moonshot", "kimi-k3" } };
    elelem_tool two[2];
    size_t i;

    memset(two, 0, sizeof two);
    two[0].name = elelem_str_of("now");
    two[1].name = elelem_str_of("look");
    for (i = 0; i < sizeof refuse / sizeof *refuse; i++) {
        ask(refuse[i][0], refuse[i][1]);
        request.tools = two;
        request.tool_count = 2;
        request.tool_choice = ELELEM_TOOL_CHOICE_NAMED;
        request.tool_choice_name = two[1].name;
        SAY_HI();
        MEMBER("tools[0].function.name", "\"look\"");
        MEMBER("tools[1]", "");
        MEMBER("tool_choice", "");
        SAID_OF_BODY("the tool choice is left out: the model refuses to be forced to a call");
        request.tool_choice = ELELEM_TOOL_CHOICE_REQUIRED;
        SAY_HI();
        MEMBER("tools[1].function.name", "\"look\"");
        MEMBER("tool_choice", "");
        request.tool_choice = ELELEM_TOOL_CHOICE_NONE;
        SAY_HI();
        MEMBER("tool_choice", "\"none\"");
        SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    }
    ask("deepseek", "deepseek-chat");
    offer("now", "");
    choose_tool();
    SAY_HI();
    MEMBER("tool_choice", "{\"type\":\"function\",\"function\":{\"name\":\"now\"}}");
}

TEST(litellm_gets_reasoning_content_and_what_openais_models_take)
{
    ask("litellm", "azure/openai/o3");
    request.temperature = elelem_str_of("1");
    HISTORY(USER("Hi") THINKS("Hm.", "") SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\",\"reasoning_content\":\"Hm.\"}]");
    MEMBER("temperature", "");
    request.model = elelem_str_of("o3/llama");
    HISTORY(USER("Hi"), "[" HI "]");
    MEMBER("temperature", "1");
}

/* Writes a request with an effort. */
static void with_effort(const char *provider, const char *model, const char *expected, const char *said)
{
    ask(provider, model);
    request.effort = elelem_str_of("low");
    SAY_HI();
    MEMBER("reasoning_effort", expected);
    SAID_OF_BODY(said);
    request.effort = elelem_str_of("");
    SAY_HI();
    MEMBER("reasoning_effort", "");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
}

TEST(an_effort_goes_to_models_that_take_one)
{
    static const char *const refuse[][2] = { { "xai", "grok-3" }, { "xai", "grok-4-fast-reasoning" }, { "xai", "grok-4-1-fast" },
                                             { "xai", "grok-code-fast-1" }, { "xai", "grok-build" }, { "xai", "grok-4-0709" },
                                             { "xai", "grok-4.20-0309-reasoning" } };
    static const char *const take[][2] = { { "openai-chat", "gpt-5" }, { "openai-chat", "o3" }, { "xai", "grok-3-mini" },
                                           { "xai", "grok-4.3" }, { "xai", "grok-4.20-multi-agent" }, { "vllm", "gpt-4o" } };
    size_t i;

    for (i = 0; i < sizeof refuse / sizeof *refuse; i++)
        with_effort(refuse[i][0], refuse[i][1], "", "the effort is left out: the model refuses it");
    for (i = 0; i < sizeof take / sizeof *take; i++)
        with_effort(take[i][0], take[i][1], "\"low\"", elelem_status_sentence(ELELEM_OK));
}

/* Writes a request with an effort, which goes out, and then with a tool and that effort, or none. */
static void with_effort_and_tool(const char *model, const char *expected, const char *said)
{
    ask("openai-chat", model);
    request.effort = elelem_str_of("low");
    SAY_HI();
    MEMBER("reasoning_effort", "\"low\"");
    offer("now", "");
    SAY_HI();
    MEMBER("reasoning_effort", expected);
    SAID_OF_BODY(said);
    request.effort = elelem_str_of("");
    SAY_HI();
    MEMBER("reasoning_effort", strcmp(expected, "\"none\"") == 0 ? expected : "");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
}

TEST(models_that_refuse_an_effort_together_with_tools_are_not_asked_for_one)
{
    static const char *const refused = "the effort is left out: the model refuses it together with tools";

    with_effort_and_tool("gpt-5.4", "", refused);
    with_effort_and_tool("openai/gpt-5.4-mini", "", refused);
    with_effort_and_tool("gpt-5.4-chat-latest", "\"low\"", elelem_status_sentence(ELELEM_OK));
}

TEST(models_that_refuse_tools_if_they_reason_do_not)
{
    static const char *const models[] = { "gpt-5.5-2026-04-23", "gpt-5.6-mini" };
    size_t i;

    for (i = 0; i < sizeof models / sizeof *models; i++) {
        with_effort_and_tool(models[i], "\"none\"", "the effort is none: the model refuses another together with tools");
        request.effort = elelem_str_of("none");
        SAY_HI();
        MEMBER("reasoning_effort", "\"none\"");
        SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
        request.extra = elelem_str_of("\"reasoning_effort\":\"high\"");
        SAY_HI();
        MEMBER("reasoning_effort", "\"high\"");
    }
    with_effort_and_tool("gpt-5.5-chat-latest", "\"low\"", elelem_status_sentence(ELELEM_OK));
}

TEST(one_call_is_left_out_for_models_that_refuse_it)
{
    ask("openai-chat", "o3-mini");
    request.one_call = 1;
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    offer("now", "");
    SAY_HI();
    MEMBER("parallel_tool_calls", "");
    SAID_OF_BODY("one_call is left out: the model refuses it");
    request.one_call = 0;
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.one_call = 1;
    request.model = elelem_str_of("gpt-4.1");
    SAY_HI();
    MEMBER("parallel_tool_calls", "false");
}

TEST(as_many_stop_sequences_go_out_as_the_provider_takes)
{
    elelem_str stops[17];
    size_t i;

    for (i = 0; i < 17; i++)
        stops[i] = elelem_str_of(i < 4 ? "a" : "b");
    ask("openai-chat", "gpt-4o");
    request.stops = stops;
    request.stop_count = 4;
    SAY_HI();
    MEMBER("stop", "[\"a\",\"a\",\"a\",\"a\"]");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.stop_count = 5;
    SAY_HI();
    MEMBER("stop", "[\"a\",\"a\",\"a\",\"a\"]");
    SAID_OF_BODY("stop sequences are left out: the provider takes fewer");
    request.extra = elelem_str_of("\"stop\":[]");
    SAY_HI();
    MEMBER("stop", "[]");
    ask("deepseek", "deepseek-chat");
    request.stops = stops;
    request.stop_count = 17;
    SAY_HI();
    MEMBER("stop[15]", "\"b\"");
    MEMBER("stop[16]", "");
    ask("zai", "glm-5");
    request.stops = stops;
    request.stop_count = 2;
    SAY_HI();
    MEMBER("stop", "[\"a\"]");
    SAID_OF_BODY("stop sequences are left out: the provider takes fewer");
    ask("vllm", "m");
    request.stops = stops;
    request.stop_count = 17;
    SAY_HI();
    MEMBER("stop[16]", "\"b\"");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
}

#define IMAGE(type) "{\"type\":\"user\",\"images\":[{\"mediaType\":\"" type "\",\"data\":\"AA==\"}]}\n"
#define IMAGE_URL(type) "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:" type ";base64,AA==\"}}]}]"

TEST(the_media_type_of_a_jpeg_is_its_registered_one)
{
    plain();
    HISTORY(IMAGE("image/jpg"), IMAGE_URL("image/jpeg"));
    HISTORY(IMAGE("image\\/jpg"), IMAGE_URL("image/jpeg"));
    HISTORY(IMAGE("image/jp2"), IMAGE_URL("image/jp2"));
}

TEST(tools_have_parameters_and_may_be_strict)
{
    plain();
    offer("now", "")->strict = 1;
    offered.description = elelem_str_of("The time.");
    request.one_call = 1;
    SAY_HI();
    MEMBER("tools", "[{\"type\":\"function\",\"function\":{\"name\":\"now\",\"description\":\"The time.\","
           "\"parameters\":{\"type\":\"object\",\"properties\":{}},\"strict\":true}}]");
    MEMBER("parallel_tool_calls", "false");
    ask("deepseek", "m");
    offer("now", "")->strict = 1;
    SAY_HI();
    MEMBER("tools[0].function.strict", "");
    ask("cerebras", "m");
    offer("now", "")->strict = 1;
    request.one_call = 1;
    SAY_HI();
    MEMBER("parallel_tool_calls", "");
}

/* What servers refuse, or lose, if it is missing. */

TEST(a_response_without_reasoning_has_an_empty_one_if_the_server_requires_it)
{
    static const char *const names[] = { "deepseek", "moonshot" };
    size_t i;

    for (i = 0; i < 2; i++) {
        ask(names[i], "m");
        HISTORY(USER("Hi") CALL("call_1", "now", "{}") RESULT("call_1", "now", "a") SAYS("Yes.") USER("Hi"),
                "[" HI ",{\"role\":\"assistant\",\"content\":\"\",\"reasoning_content\":\"\",\"tool_calls\":[" C1 "]},"
                TOOL("call_1", "a") ",{\"role\":\"assistant\",\"content\":\"Yes.\",\"reasoning_content\":\"\"}," HI "]");
    }
}

TEST(moonshot_zai_and_llamacpp_get_reasoning_content)
{
    static const char *const names[] = { "moonshot", "zai", "llamacpp" };
    size_t i;

    for (i = 0; i < 3; i++) {
        ask(names[i], "m");
        HISTORY(USER("Hi") THINKS("Hm.", "") SAYS("Hello."),
                "[" HI ",{\"role\":\"assistant\",\"content\":\"Hello.\",\"reasoning_content\":\"Hm.\"}]");
    }
    ask("zai", "glm-5");
    HISTORY(USER("Hi") SAYS("Hello."), "[" HI ",{\"role\":\"assistant\",\"content\":\"Hello.\"}]");
}

TEST(cerebras_gets_the_reasoning_of_glm_in_tags)
{
    ask("cerebras", "zai-glm-4.7");
    HISTORY(USER("Hi") THINKS("Hm.", "") THINKS("So.", "") SAYS("Hello.") USER("Hi") THINKS("A", "") CALL("call_1", "now", "{}")
                RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"<think>Hm.\\n\\nSo.</think>Hello.\"}," HI
            ",{\"role\":\"assistant\",\"content\":\"<think>A</think>\",\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
}

TEST(snowflake_gets_reasoning_and_its_details)
{
    ask("snowflake", "claude-sonnet-4");
    HISTORY(USER("Hi") THINKS("Hm.", "\"reasoning_details\":[" DETAIL "]") CALL("call_1", "now", "{}") RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"reasoning\":\"Hm.\",\"reasoning_details\":["
            "{\"type\":\"reasoning.text\",\"signature\":\"s\",\"index\":0,\"text\":\"Hm.\"}],\"tool_calls\":[" C1 "]},"
            TOOL("call_1", "a") "]");
}

#define ITEM(type, json) "{\"type\":\"provider_item\",\"itemType\":\"" type "\",\"item\":" json "}\n"

TEST(reasoning_without_details_goes_to_openrouter_as_text)
{
    ask("openrouter", "m");
    HISTORY(USER("Hi") THINKS("Hm.", "\"signature\":\"s\"") SAYS("A"), "[" HI ",{\"role\":\"assistant\",\"content\":\"A\",\"reasoning\":\"Hm.\"}]");
}

TEST(a_lone_surrogate_in_reasoning_details_becomes_a_replacement_character)
{
    ask("openrouter", "m");
    request.history = elelem_str_of(USER("Hi") THINKS("Hm.", "\"reasoning_details\":[{\"type\":\"reasoning.text\",\"id\":\"\\ud800\"}]") SAYS("A"));
    CHECK_INT(write_body().status, ELELEM_OK);
    body.text[body.size] = 0;
    CHECK(strstr(body.text, "\"id\":\"\\ufffd\",\"text\":\"Hm.\"") != NULL);
}

TEST(images_that_the_model_made_go_back_to_openrouter)
{
    const char *history = USER("Hi") SAYS("Here.") ITEM("image_url", "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:a\"}}")
        ITEM("image_url", "{\"image_url\":{\"url\":\"https://b\"}}") ITEM("images", "{\"type\":\"x\"}") ITEM("images", "\"data:c\"");

    ask("openrouter", "m");
    HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"content\":\"Here.\",\"images\":["
            "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:a\"}},{\"image_url\":{\"url\":\"https://b\"}}]}]");
    HISTORY(USER("Hi") ITEM("image_url", "{\"image_url\":{\"url\":\"https://b\"}}"),
            "[" HI ",{\"role\":\"assistant\",\"images\":[{\"image_url\":{\"url\":\"https://b\"}}]}]");
    ask("groq", "m");
    HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"content\":\"Here.\"}]");
}

TEST(what_the_model_spoke_goes_back_by_its_id)
{
    const char *history = USER("Hi") ITEM("audio", "{\"id\":\"audio_1\",\"data\":\"AA==\",\"transcript\":\"Hello.\"}")
        ITEM("audio", "{\"id\":\"audio_2\"}") USER("Hi");

    ask("openai-chat", "gpt-audio");
    HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"audio\":{\"id\":\"audio_1\"}}," HI "]");
    HISTORY(USER("Hi") ITEM("audio", "{\"id\":\"a\"}"), "[" HI ",{\"role\":\"assistant\",\"audio\":{\"id\":\"a\"}}]");
    HISTORY(USER("Hi") ITEM("audio", "{\"transcript\":\"Hello.\"}") USER("Hi"),
            "[{\"role\":\"user\",\"content\":\"Hi\\n\\nHi\"}]");
    ask("groq", "m");
    HISTORY(history, "[{\"role\":\"user\",\"content\":\"Hi\\n\\nHi\"}]");
}

TEST(a_setting_that_is_left_out_is_said)
{
    sample("openai-chat", "gpt-5-mini");
    SAID_OF_BODY("temperature and top_p are left out: the model refuses them");
    sample("xai", "grok-4");
    SAID_OF_BODY("top_k is left out: the provider has no member for it");
    sample("openrouter", "openai/gpt-5");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    ask("xai", "grok-4");
    request.stops = &request.model;
    request.stop_count = 1;
    SAY_HI();
    SAID_OF_BODY("stop sequences are left out: the model refuses them");
    sample("moonshot", "kimi-k2.6");
    MEMBER("temperature", "");
    ask("deepseek", "m");
    request.effort = elelem_str_of("low");
    SAY_HI();
    SAID_OF_BODY("effort is left out: the provider has no member for it");
}

TEST(a_budget_together_with_an_effort_is_left_out_and_said)
{
    ask("openrouter", "m");
    request.effort = elelem_str_of("low");
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.reasoning_tokens = 5;
    SAY_HI();
    MEMBER("reasoning", "{\"effort\":\"low\"}");
    SAID_OF_BODY("the reasoning budget is left out: the effort counts");
    request.effort.size = 0;
    SAY_HI();
    MEMBER("reasoning", "{\"max_tokens\":5}");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    ask("moonshot", "m");
    offer("now", "")->strict = 1;
    SAY_HI();
    SAID_OF_BODY("strict of a tool is left out: the provider has no member for it");
}

TEST(a_setting_that_is_refused_goes_out_as_the_callers_own)
{
    ask("openai-chat", "gpt-5");
    request.extra = elelem_str_of("\"temperature\":0.5");
    SAY_HI();
    MEMBER("temperature", "0.5");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
}

#define STEP_ITEM(type, step, json) \
    "{\"type\":\"provider_item\",\"itemType\":\"" type "\",\"item\":" json ",\"metadata\":{\"step\":\"" step "\"}}\n"

/* Pairing. */

TEST(a_result_without_an_id_goes_to_the_call_that_it_names)
{
    plain();
    HISTORY(USER("Hi") CALL("a", "", "{}") CALL("call_1", "now", "{}")
                "{\"type\":\"tool_result\",\"name\":\"now\",\"text\":\"a\"}\n{\"type\":\"tool_result\",\"name\":\"now\",\"text\":\"no\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
    HISTORY(USER("Hi") CALL("", "", "{}") CALL("call_1", "now", "{}") RESULT("", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") CALL("call_2", "look", "{\"at\":1}") RESULT("", "look", "b") RESULT("", "", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "," C2 "]}," TOOL("call_1", "a") "," TOOL("call_2", "b") "]");
}

#define NAMELESS "{\"id\":\"elelem_00000001\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}"

TEST(a_result_without_an_id_is_rather_of_a_call_without_one)
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") CALL("", "now", "{}") RESULT("", "now", "b") RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "," NAMELESS "]}," TOOL("call_1", "a") "," TOOL("elelem_00000001", "b") "]");
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") CALL("", "now", "{}") RESULT("", "", "b"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "," NAMELESS "]},"
            TOOL("call_1", "{\\\"error\\\":\\\"not run\\\"}") "," TOOL("elelem_00000001", "b") "]");
}

TEST(a_result_without_an_id_does_not_take_the_place_of_one_that_has_it)
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") RESULT("", "now", "no") RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
}

TEST(results_that_a_provider_has_itself_are_paired_by_what_they_name)
{
    static const char *const results[] = {
        "{\"functionResponse\":{\"id\":\"call_1\",\"name\":\"now\",\"response\":\"a\"}}",
        "{\"functionResponse\":{\"id\":7,\"name\":\"now\",\"response\":\"a\"}}",
        "{\"functionResponse\":{\"id\":\"call_1\",\"name\":[],\"response\":\"a\"}}",
        "{\"functionResponse\":{\"response\":\"a\"}}",
    };
    static const char *const nothing[] = {
        "{\"functionResponse\":7}", "{\"functionResponse\":{}}", "{\"other\":{}}", "{}",
    };
    static char history[400];
    size_t i;

    for (i = 0; i < sizeof results / sizeof *results; i++) {
        plain();
        snprintf(history, sizeof history,
                 USER("Hi") CALL("call_1", "now", "{}") "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":%s}\n", results[i]);
        HISTORY(history, "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
    }
    for (i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        plain();
        snprintf(history, sizeof history,
                 USER("Hi") CALL("call_1", "now", "{}") "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":%s}\n", nothing[i]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("messages[2].tool_call_id", "\"call_1\"");
    }
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":[1]}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "{\\\"error\\\":\\\"not run\\\"}") "]");
    HISTORY(USER("Hi") CALL("call_1", "now", "{}")
                "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"functionResponse\",\"chunk\":\"{}\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "{}") "]");
}

TEST(a_result_that_a_provider_has_itself_is_the_item_if_it_has_no_response)
{
    static const char *const rows[][2] = {
        { "{\"functionResponse\":7}", "{\\\"functionResponse\\\":7}" },
        { "{\"functionResponse\":\"a\"}", "{\\\"functionResponse\\\":\\\"a\\\"}" },
        { "{\"other\":{}}", "{\\\"other\\\":{}}" },
        { "{}", "{}" },
    };
    static char history[400], expected[400];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        plain();
        snprintf(history, sizeof history,
                 USER("Hi") CALL("call_1", "now", "{}") "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":%s}\n",
                 rows[i][0]);
        snprintf(expected, sizeof expected, "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]},"
                 "{\"role\":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"%s\"}]", rows[i][1]);
        HISTORY(history, expected);
    }
}

TEST(a_result_that_a_provider_has_itself_says_the_same_in_pieces)
{
    static const char *const rows[][3] = {
        { "functionResponse", "{\"functionResponse\":{\"id\":\"call_2\",\"response\":{\"a\":\"\\\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\x91\"}}}", "{\\\"a\\\":\\\"\\\\\\\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\x91\\\"}" },
        { "functionResponse", "{ \"functionResponse\" : { \"name\" : \"look\" , \"response\" : [ 1 , {} ] } }", "[ 1 , {} ]" },
        { "functionResponse", "{\"functionResponse\":{\"id\":\"call_2\",\"response\":\"\\\"\\u00e9\\ud83d\\udd11\\ud800\\ud800\\u0041\"}}", "\\\"\xc3\xa9\xf0\x9f\x94\x91\xef\xbf\xbd\xef\xbf\xbd" "A" },
        { "functionResponse", "{\"functionResponse\":{\"id\":\"call_2\",\"response\":\"\\ud800\" } }", "\xef\xbf\xbd" },
        { "functionResponse", "{\"functionResponse\":{\"id\":\"call_2\",\"name\":7}}", "{\\\"id\\\":\\\"call_2\\\",\\\"name\\\":7}" },
        { "function_result", "{\"type\":\"function_result\",\"call_id\":\"call_2\",\"name\":\"now\",\"result\":\"x\"}", "x" },
        { "function_result", "{\"call_id\":\"call_2\",\"result\":\"x\",\"result\":5}", "5" },
    };
    static char history[3000], expected[1000];
    size_t i, cut;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i][1]);
        snprintf(expected, sizeof expected, "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "," C2 "]}," TOOL("call_1", "mine") ","
                 TOOL("call_2", "%s") "]", rows[i][2]);
        plain();
        snprintf(history, sizeof history, USER("Hi") CALL("call_1", "now", "{}") CALL("call_2", "look", "{\"at\":1}")
                 "{\"type\":\"provider_item\",\"itemType\":\"%s\",\"item\":%s}\n" RESULT("call_1", "now", "mine"), rows[i][0], rows[i][1]);
        HISTORY(history, expected);
        for (cut = 1; cut < strlen(rows[i][1]); cut++) {
            if ((rows[i][1][cut] & 0xc0) == 0x80) continue;
            snprintf(history, sizeof history, USER("Hi") CALL("call_1", "now", "{}") CALL("call_2", "look", "{\"at\":1}") "%s" RESULT("call_1", "now", "mine"),
                     in_pieces(rows[i][0], rows[i][1], cut));
            check_cut("the item", cut);
            HISTORY(history, expected);
        }
        check_cut(NULL, 0);
        check_context(NULL);
    }
}

TEST(a_result_in_pieces_whose_members_are_no_names_is_of_the_first_call)
{
    static char id[300], history[800];
    size_t size;

    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}")
                "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"functionResponse\",\"chunk\":\"{\\\"functionResponse\\\":7}\"}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "{\\\"functionResponse\\\":7}") "]");
    for (size = 253; size < 255; size++) { /* with its quotes the longest id that is read, and one that is ignored */
        memset(id, 'a', size);
        snprintf(history, sizeof history, USER("Hi") CALL("call_1", "now", "{}")
                 "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"function_result\",\"chunk\":\"{\\\"call_id\\\":\\\"%.*s\\\",\\\"result\\\":5}\"}\n",
                 (int)size, id);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("messages[2].content", size == 253 ? "\"{\\\"error\\\":\\\"not run\\\"}\"" : "\"5\"");
    }
}

TEST(a_result_that_was_stored_without_a_value_is_the_item)
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") STEP_ITEM("function_result", "function_result", "{\"call_id\":\"call_1\"}"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "{\\\"call_id\\\":\\\"call_1\\\"}") "]");
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") STEP_ITEM("function_result", "function_result", "{\"call_id\":\"call_1\",\"result\":5}"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "5") "]");
}

TEST(a_failed_result_says_error_once)
{
    static const char *const rows[][2] = {
        { "\"output\":{\"error\":1}", "{\\\"error\\\":1}" },
        { "\"output\":{\"n\":1}", "{\\\"error\\\":{\\\"n\\\":1}}" },
        { "\"output\":[\"error\"]", "{\\\"error\\\":[\\\"error\\\"]}" },
        { "\"output\":7", "{\\\"error\\\":7}" },
        { "\"text\":\"\"", "{\\\"error\\\":\\\"\\\"}" },
    };
    static char history[300], expected[400];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        plain();
        snprintf(history, sizeof history, USER("Hi") CALL("call_1", "now", "{}") "{\"type\":\"tool_result\",\"id\":\"call_1\",%s,\"error\":true}\n",
                 rows[i][0]);
        snprintf(expected, sizeof expected, "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]},"
                 "{\"role\":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"%s\"}]", rows[i][1]);
        HISTORY(history, expected);
    }
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") "{\"type\":\"tool_result\",\"id\":\"call_1\",\"failed\":true}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "{\\\"error\\\":\\\"\\\"}") "]");
    HISTORY(USER("Hi") CALL("call_1", "now", "{}") "{\"type\":\"tool_result\",\"id\":\"call_1\",\"text\":\"a\",\"failed\":false}\n",
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
}

TEST(a_custom_call_is_a_function_for_providers_that_have_no_other_calls)
{
    ask("groq", "m");
    HISTORY(USER("Hi") "{\"type\":\"tool_call\",\"callType\":\"custom\",\"id\":\"c\",\"name\":\"sh\",\"arguments\":\"ls \\\"a\\\"\"}\n" RESULT("c", "sh", "x"),
            "[" HI ",{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":"
            "{\"name\":\"sh\",\"arguments\":\"{\\\"input\\\":\\\"ls \\\\\\\"a\\\\\\\"\\\"}\"}}]}," TOOL("c", "x") "]");
}

TEST(a_lone_surrogate_in_json_that_is_a_text_becomes_a_replacement_character) /* Q3 */
{
    static const char *const calls[] = {
        "\"arguments\":{\"q\":\"\\ud83d\"},\"type\":\"tool_call\",\"id\":\"call_1\",\"name\":\"now\"",
        "\"arguments\":\"{\\\"q\\\":\\\"\\\\ud83d\\\"}\",\"eventType\":\"BeforeToolExecution\",\"id\":\"call_1\",\"toolName\":\"now\"",
    };
    static char history[500];
    size_t i;

    for (i = 0; i < 2; i++) {
        plain();
        snprintf(history, sizeof history, USER("Hi") "{%s}\n{\"type\":\"tool_result\",\"id\":\"call_1\",\"name\":\"now\",\"output\":{\"r\":\"\\ude00\"}}\n", calls[i]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("messages[1].tool_calls[0].function.arguments", "\"{\\\"q\\\":\\\"\\\\ufffd\\\"}\"");
        MEMBER("messages[2].content", "\"{\\\"r\\\":\\\"\\\\ufffd\\\"}\"");
    }
    plain();
    request.history = elelem_str_of(USER("Hi") "{\"type\":\"structured\",\"value\":{\"s\":\"\\udc00x\"}}\n");
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[1].content", "\"{\\\"s\\\":\\\"\\\\ufffdx\\\"}\"");
}

TEST(a_call_is_custom_if_its_type_says_so_or_nothing_but_its_metadata)
{
    static const char *const rows[][2] = {
        { "\"callType\":\"custom_tool_call\",\"arguments\":\"x\"", "\"custom\"" },
        { "\"callType\":\"custom\",\"arguments\":\"x\"", "\"custom\"" },
        { "\"arguments\":\"x\",\"metadata\":{\"custom\":true}", "\"custom\"" },
        { "\"arguments\":\"x\",\"metadata\":{\"custom\":false}", "\"function\"" },
        { "\"arguments\":\"x\",\"metadata\":{\"custom\":null}", "\"function\"" },
        { "\"callType\":\"shell_call\",\"arguments\":\"x\",\"metadata\":{\"custom\":true}", "\"function\"" },
        { "\"callType\":\"custom\",\"arguments\":{}", "\"function\"" },
    };
    static char history[300];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        plain();
        snprintf(history, sizeof history, "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"sh\",%s}\n", rows[i][0]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("messages[0].tool_calls[0].type", rows[i][1]);
    }
}

TEST(a_custom_call_may_have_its_arguments_as_their_json_text)
{
    plain();
    request.history = elelem_str_of("{\"eventType\":\"BeforeToolExecution\",\"type\":\"custom\",\"id\":\"a\",\"toolName\":\"sh\",\"arguments\":\"\\\"l\\\\\\\"s\\\"\"}\n");
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[0].tool_calls[0]", "{\"id\":\"a\",\"type\":\"custom\",\"custom\":{\"name\":\"sh\",\"input\":\"l\\\"s\"}}");
    request.history = elelem_str_of("{\"eventType\":\"BeforeToolExecution\",\"id\":\"a\",\"toolName\":\"sh\",\"arguments\":\"\\\"ls\\\"\",\"metadata\":{\"custom\":true}}\n");
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[0].tool_calls[0].custom.input", "\"ls\"");
}

TEST(a_long_name_is_cut_at_64)
{
    plain();
    request.history = elelem_str_of(CALL("a", "n123456789012345678901234567890123456789012345678901234567890123456789", "{}"));
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[0].tool_calls[0].function.name", "\"n123456789012345678901234567890123456789012345678901234567890123\"");
}

TEST(nine_letters_for_mistral_are_letters_and_digits)
{
    static const char *const rows[][2] = {
        { "aZ3456789", "\"aZ3456789\"" }, { "a2345-789", "\"e00000000\"" }, { "a2345_789", "\"e00000000\"" },
        { "a23456789x", "\"e00000000\"" }, { "a2345678", "\"e00000000\"" }, { "a2345{789", "\"e00000000\"" },
        { "a2345@789", "\"e00000000\"" }, { "a2345[789", "\"e00000000\"" }, { "a2345:789", "\"e00000000\"" }, { "a2345/789", "\"e00000000\"" },
    };
    static char history[200];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        ask("mistral", "m");
        snprintf(history, sizeof history, "{\"type\":\"tool_call\",\"id\":\"%s\",\"name\":\"now\",\"arguments\":{}}\n", rows[i][0]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("messages[0].tool_calls[0].id", rows[i][1]);
    }
}

TEST(an_id_of_up_to_64_letters_digits_and_marks_goes_out_unchanged)
{
    static const char good[] = "a_-.:6789012345678901234567890123456789012345678901234567890123Z";
    static char history[200], expected[80];

    plain();
    snprintf(history, sizeof history, "{\"type\":\"tool_call\",\"id\":\"%s\",\"name\":\"now\",\"arguments\":{}}\n", good);
    snprintf(expected, sizeof expected, "\"%s\"", good);
    request.history = elelem_str_of(history);
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[0].tool_calls[0].id", expected);
    snprintf(history, sizeof history, "{\"type\":\"tool_call\",\"id\":\"%s5\",\"name\":\"now\",\"arguments\":{}}\n", good);
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[0].tool_calls[0].id", "\"elelem_00000000\"");
    request.history = elelem_str_of(CALL("a b", "now", "{}"));
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[0].tool_calls[0].id", "\"elelem_00000000\"");
    request.history = elelem_str_of(CALL("ab!", "now", "{}"));
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[0].tool_calls[0].id", "\"elelem_00000000\"");
    request.history = elelem_str_of(CALL("elelem_a0000000", "now", "{}"));
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[0].tool_calls[0].id", "\"elelem_a0000000\"");
}

TEST(a_zero_byte_in_a_name_is_a_byte_like_others)
{
    plain();
    request.history = elelem_str_of(CALL("a", "n\\u0000w", "{}"));
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[0].tool_calls[0].function.name", "\"n_w\"");
}

TEST(instructions_that_end_inside_a_blank_are_not_blank)
{
    plain();
    request.instructions = elelem_str_from(" \xe2\x80\xa8", 3);
    HISTORY(USER("Hi"), "[{\"role\":\"system\",\"content\":\" \xef\xbf\xbd\"}," HI "]");
    request.instructions = elelem_str_from(" \xe2\x80\xa8", 4);
    SAY_HI();
}

TEST(a_thought_with_a_chunk_may_have_a_text_of_any_kind_too)
{
    ask("openrouter", "m");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"Hm.\",\"text\":5}\n"
            "{\"eventType\":\"PartialThinking\",\"index\":1,\"chunk\":\"So.\",\"text\":\"x\"}\n" SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\",\"reasoning\":\"Hm.\\n\\nSo.\"}]");
}

TEST(details_of_reasoning_that_are_no_list_are_left_out)
{
    ask("openrouter", "m");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"H\"}\n"
                "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"m.\",\"metadata\":{\"a\":1}}\n"
                "{\"eventType\":\"Flush\",\"index\":0,\"metadata\":{\"reasoning_details\":[" DETAIL "]}}\n"
                THINKS("", "\"reasoning_details\":7") SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\",\"reasoning\":\"Hm.\",\"reasoning_details\":["
            "{\"type\":\"reasoning.text\",\"signature\":\"s\",\"index\":0,\"text\":\"Hm.\"}]}]");
}

TEST(reasoning_before_calls_alone_is_parts_without_a_text)
{
    ask("mistral", "m");
    HISTORY(USER("Hi") THINKS("Hm.", "") CALL("a23456789", "now", "{}") RESULT("a23456789", "now", "1"),
            "[" HI ",{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"Hm.\"}]}],"
            "\"tool_calls\":[{\"id\":\"a23456789\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}]},"
            TOOL("a23456789", "1") "]");
}

TEST(images_and_audio_in_pieces_go_back)
{
    const char *const image = USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"image_url\",\"chunk\":\"\"}\n"
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"image_url\",\"chunk\":\"{\\\"image_url\\\":{\\\"url\\\":\"}\n"
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"image_url\",\"chunk\":\"\\\"u\\\"}}\"}\n";
    const char *const audio = USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"audio\",\"chunk\":\"{\\\"id\\\": \\\"audio\"}\n"
        "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"audio\",\"chunk\":\"_1\\\" ,\\\"data\\\":\\\"AA==\\\"}\"}\n";

    ask("openrouter", "m");
    HISTORY(image, "[" HI ",{\"role\":\"assistant\",\"images\":[{\"image_url\":{\"url\":\"u\"}}]}]");
    ask("openai-chat", "gpt-audio");
    HISTORY(audio, "[" HI ",{\"role\":\"assistant\",\"audio\":{\"id\":\"audio_1\"}}]");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"audio\",\"chunk\":\"{\\\"data\\\":\\\"AA==\\\"}\"}\n", "[" HI "]");
}

TEST(an_image_without_an_address_or_of_another_form_is_left_out)
{
    ask("openrouter", "m");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"image_url\",\"chunk\":\"{\\\"image_url\\\":{}}\"}\n"
                "{\"type\":\"provider_item\",\"itemType\":\"image_url\",\"item\":[1]}\n" SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(an_image_of_the_user_without_a_text_is_a_message_of_parts)
{
    plain();
    HISTORY(USER("Hi") "{\"type\":\"user\",\"text\":\" \",\"images\":[{\"url\":\"https://a\"}]}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://a\"}}]}]");
}

TEST(blank_reasoning_is_none)
{
    ask("vllm", "m");
    HISTORY(USER("Hi") THINKS(" \\n", "") SAYS("A"), "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(items_that_are_said_to_be_complete_are)
{
    plain();
    HISTORY(USER("Hi") "{\"type\":\"tool_call\",\"id\":\"call_1\",\"name\":\"now\",\"arguments\":{},\"state\":\"complete\"}\n" RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
    HISTORY(USER("Hi") "{\"type\":\"tool_call\",\"id\":\"call_1\",\"name\":\"now\",\"arguments\":{},\"state\":\"completed\"}\n" RESULT("call_1", "now", "a")
                SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(a_provider_item_between_a_call_and_its_result_is_no_result)
{
    plain();
    HISTORY(USER("Hi") CALL("call_1", "now", "{}")
                "{\"type\":\"provider_item\",\"itemType\":\"web_search_call\",\"item\":{\"type\":\"web_search_call\",\"id\":\"call_1\"}}\n"
                RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C1 "]}," TOOL("call_1", "a") "]");
}

TEST(a_result_of_the_provider_goes_to_the_call_of_its_name)
{
    static char history[20000];
    size_t i;

    plain();
    HISTORY(USER("Hi") CALL("call_2", "look", "{\"at\":1}") CALL("call_1", "now", "{}")
                "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":{\"functionResponse\":{\"name\":\"now\",\"response\":1}}}\n"
                RESULT("call_2", "look", "b"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" C2 "," C1 "]}," TOOL("call_2", "b") "," TOOL("call_1", "1") "]");
    strcpy(history, "");
    for (i = 0; i < 64; i++)
        strcat(history, CALL("", "now", "{}"));
    for (i = 0; i < 65; i++) /* the last one is of no call */
        strcat(history, "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":{\"functionResponse\":{\"response\":1}}}\n");
    request.history = elelem_str_of(history);
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[64].content", "\"1\"");
    MEMBER("messages[65]", "");
}

TEST(the_text_of_reasoning_goes_to_the_first_detail_that_lacks_it)
{
    ask("openrouter", "m");
    HISTORY(USER("Hi") THINKS("Hm.", "\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"d\"},"
                                     "{\"type\":\"reasoning.summary\",\"summary\":\"\"},{\"type\":\"reasoning.text\",\"text\":\"x\"},"
                                     "{\"type\":\"reasoning.text\"},{\"type\":\"reasoning.text\"}]") SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\",\"reasoning\":\"Hm.\",\"reasoning_details\":["
            "{\"type\":\"reasoning.encrypted\",\"data\":\"d\"},{\"type\":\"reasoning.summary\",\"summary\":\"\"},"
            "{\"type\":\"reasoning.text\",\"text\":\"x\"},{\"type\":\"reasoning.text\",\"text\":\"Hm.\"},{\"type\":\"reasoning.text\"}]}]");
}

TEST(an_image_with_an_id_is_no_audio_and_an_item_of_another_shape_is_no_image)
{
    ask("openai-chat", "gpt-audio");
    HISTORY(USER("Hi") ITEM("image_url", "{\"id\":\"img_1\",\"image_url\":{\"url\":\"u\"}}") SAYS("A"), "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
    ask("openrouter", "m");
    HISTORY(USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"x_call\",\"item\":{\"type\":\"x_call\",\"image_url\":{\"url\":\"u\"}}}\n" SAYS("A"),
            "[" HI ",{\"role\":\"assistant\",\"content\":\"A\"}]");
}

TEST(a_call_without_an_id_has_no_result_with_one)
{
    plain();
    REFUSED(CALL("", "now", "{}") RESULT("x", "now", "1"), ELELEM_ERROR_PROTOCOL, 57);
    HISTORY(USER("Hi") CALL("", "now", "{}") CALL("call_1", "now", "{}") RESULT("call_1", "now", "a"),
            "[" HI ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
            "{\"id\":\"elelem_00000000\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}," C1 "]},"
            TOOL("elelem_00000000", "{\\\"error\\\":\\\"not run\\\"}") "," TOOL("call_1", "a") "]");
}

CHECK_MAIN("request_chat",
    RUN(the_results_of_all_calls_follow_the_message_that_has_them)
    RUN(a_call_without_a_result_gets_a_failed_one)
    RUN(ids_that_come_again_in_the_next_step_pair_within_their_step)
    RUN(text_reasoning_and_calls_of_a_step_are_one_message)
    RUN(content_without_text_is_null_absent_or_empty_as_the_provider_takes_it)
    RUN(a_message_without_calls_has_a_string_as_its_content)
    RUN(text_of_the_user_before_a_result_comes_after_it)
    RUN(texts_of_the_user_in_a_row_are_one_message)
    RUN(blank_texts_and_messages_of_them_alone_are_left_out)
    RUN(a_call_that_is_not_whole_is_left_out_with_its_result)
    RUN(the_first_of_several_results_of_one_call_counts)
    RUN(two_calls_with_one_id_get_two_and_keep_their_results)
    RUN(calls_and_results_without_ids_pair_by_name_and_order)
    RUN(arguments_that_are_no_object_become_one)
    RUN(a_custom_call_goes_back_as_one)
    RUN(a_name_with_odd_characters_gets_underscores)
    RUN(results_are_text_json_or_an_error)
    RUN(structured_output_goes_back_as_its_json)
    RUN(images_of_the_user_are_parts)
    RUN(openrouter_gets_reasoning_details_whole_and_in_order_with_their_text)
    RUN(extra_content_goes_back_to_servers_that_take_it)
    RUN(what_a_call_came_with_goes_back_whatever_it_is)
    RUN(deepseek_gets_reasoning_content)
    RUN(mistral_gets_reasoning_as_parts_before_the_text)
    RUN(groq_openai_xai_and_azure_get_no_reasoning)
    RUN(cerebras_ollama_and_vllm_get_reasoning_as_reasoning)
    RUN(mistral_gets_ids_of_nine_letters_and_digits)
    RUN(mistral_gets_prefix_with_a_last_message_of_the_model)
    RUN(the_limit_has_the_name_that_the_provider_takes)
    RUN(sampling_goes_out_as_it_is_spelled)
    RUN(models_that_reason_get_no_sampling_if_they_refuse_it)
    RUN(mistral_calls_the_seed_random_seed_and_some_call_any)
    RUN(the_model_is_named)
    RUN(stream_options_go_to_servers_that_need_them)
    RUN(openrouter_gets_effort_or_budget_in_an_object)
    RUN(deepseek_gets_the_schema_in_words_and_json_object)
    RUN(a_schema_has_a_name_and_says_whether_it_is_strict)
    RUN(any_json_is_asked_for_in_words_too_because_a_message_must_have_the_word)
    RUN(zai_gets_the_schema_in_words_and_json_object)
    RUN(the_parameters_of_a_tool_are_an_object_with_properties)
    RUN(models_that_refuse_to_be_forced_are_offered_the_tool_alone)
    RUN(litellm_gets_reasoning_content_and_what_openais_models_take)
    RUN(an_effort_goes_to_models_that_take_one)
    RUN(models_that_refuse_an_effort_together_with_tools_are_not_asked_for_one)
    RUN(models_that_refuse_tools_if_they_reason_do_not)
    RUN(one_call_is_left_out_for_models_that_refuse_it)
    RUN(as_many_stop_sequences_go_out_as_the_provider_takes)
    RUN(the_media_type_of_a_jpeg_is_its_registered_one)
    RUN(tools_have_parameters_and_may_be_strict)
    RUN(deepseek_gets_the_reasoning_of_every_response_of_every_turn)
    RUN(a_message_is_the_last_if_what_follows_is_not_written_to_this_provider)
    RUN(a_message_is_the_last_if_only_blank_texts_follow)
    RUN(a_response_without_reasoning_has_an_empty_one_if_the_server_requires_it)
    RUN(moonshot_zai_and_llamacpp_get_reasoning_content)
    RUN(cerebras_gets_the_reasoning_of_glm_in_tags)
    RUN(snowflake_gets_reasoning_and_its_details)
    RUN(reasoning_without_details_goes_to_openrouter_as_text)
    RUN(a_lone_surrogate_in_reasoning_details_becomes_a_replacement_character)
    RUN(images_that_the_model_made_go_back_to_openrouter)
    RUN(what_the_model_spoke_goes_back_by_its_id)
    RUN(a_setting_that_is_left_out_is_said)
    RUN(a_budget_together_with_an_effort_is_left_out_and_said)
    RUN(a_setting_that_is_refused_goes_out_as_the_callers_own)
    RUN(a_result_without_an_id_goes_to_the_call_that_it_names)
    RUN(a_result_without_an_id_is_rather_of_a_call_without_one)
    RUN(a_result_without_an_id_does_not_take_the_place_of_one_that_has_it)
    RUN(results_that_a_provider_has_itself_are_paired_by_what_they_name)
    RUN(a_result_that_a_provider_has_itself_is_the_item_if_it_has_no_response)
    RUN(a_result_that_a_provider_has_itself_says_the_same_in_pieces)
    RUN(a_result_in_pieces_whose_members_are_no_names_is_of_the_first_call)
    RUN(a_result_that_was_stored_without_a_value_is_the_item)
    RUN(a_failed_result_says_error_once)
    RUN(a_custom_call_is_a_function_for_providers_that_have_no_other_calls)
    RUN(a_lone_surrogate_in_json_that_is_a_text_becomes_a_replacement_character)
    RUN(a_call_is_custom_if_its_type_says_so_or_nothing_but_its_metadata)
    RUN(a_custom_call_may_have_its_arguments_as_their_json_text)
    RUN(a_long_name_is_cut_at_64)
    RUN(nine_letters_for_mistral_are_letters_and_digits)
    RUN(an_id_of_up_to_64_letters_digits_and_marks_goes_out_unchanged)
    RUN(a_zero_byte_in_a_name_is_a_byte_like_others)
    RUN(instructions_that_end_inside_a_blank_are_not_blank)
    RUN(a_thought_with_a_chunk_may_have_a_text_of_any_kind_too)
    RUN(details_of_reasoning_that_are_no_list_are_left_out)
    RUN(reasoning_before_calls_alone_is_parts_without_a_text)
    RUN(images_and_audio_in_pieces_go_back)
    RUN(an_image_without_an_address_or_of_another_form_is_left_out)
    RUN(an_image_of_the_user_without_a_text_is_a_message_of_parts)
    RUN(blank_reasoning_is_none)
    RUN(items_that_are_said_to_be_complete_are)
    RUN(a_provider_item_between_a_call_and_its_result_is_no_result)
    RUN(a_result_of_the_provider_goes_to_the_call_of_its_name)
    RUN(the_text_of_reasoning_goes_to_the_first_detail_that_lacks_it)
    RUN(an_image_with_an_id_is_no_audio_and_an_item_of_another_shape_is_no_image)
    RUN(a_call_without_an_id_has_no_result_with_one))
