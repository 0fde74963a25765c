/* request_interactions: histories to the steps of Interactions. */
#include "elelem_stream.h"

#include "requests.h"

#define INPUT(contents) "{\"type\":\"user_input\",\"content\":[" contents "]}"
#define OUTPUT(contents) "{\"type\":\"model_output\",\"content\":[" contents "]}"
#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define THOUGHT(signature) "{\"type\":\"thought\",\"signature\":\"" signature "\"}"
#define CALLED(id, name) "{\"type\":\"function_call\",\"id\":\"" id "\",\"name\":\"" name "\",\"arguments\":{}}"
#define GOT(id, name, members) "{\"type\":\"function_result\",\"call_id\":\"" id "\",\"name\":\"" name "\"," members "}"
#define UNSIGNED "skip_thought_signature_validator"
#define SIGNED "\"step_signature\":\"t\""
#define ITEM(type, step, json) \
    "{\"type\":\"provider_item\",\"itemType\":\"" type "\",\"item\":" json ",\"metadata\":{\"step\":\"" step "\"}}\n"

static void google(void)
{
    ask("google-interactions", "gemini-3-pro-preview");
}

TEST(all_steps_go_back_and_nothing_is_stored)
{
    google();
    HISTORY(USER("Hi") THINKS("", SIGNED) SAYS("Hello") USER("And?"),
            "[" INPUT(TEXT("Hi")) "," THOUGHT("t") "," OUTPUT(TEXT("Hello")) "," INPUT(TEXT("And?")) "]");
    MEMBER("store", "false");
    MEMBER("stream", "true");
    MEMBER("model", "\"gemini-3-pro-preview\"");
    MEMBER("previous_interaction_id", "");
}

TEST(a_stored_response_is_followed_by_what_is_new)
{
    google();
    request.extra = elelem_str_of("\"previous_interaction_id\":\"v1_1\"");
    HISTORY(USER("Hi") SAYS("Hello") USER("And?"), "[" INPUT(TEXT("And?")) "]");
    MEMBER("store", "");
    MEMBER("previous_interaction_id", "\"v1_1\"");
    HISTORY(USER("Hi") THINKS("", SIGNED) CALL("a", "now", "{}") CALL("b", "look", "{}") RESULT("b", "look", "2") RESULT("a", "now", "1") USER("And?"),
            "[" GOT("a", "now", "\"result\":\"1\"") "," GOT("b", "look", "\"result\":\"2\"") "," INPUT(TEXT("And?")) "]");
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1") SAYS("One") USER("Thanks"), "[" INPUT(TEXT("Thanks")) "]");
    REFUSED(USER("Hi") SAYS("Hello"), ELELEM_ERROR_MISUSE, 0);
}

#define RAN(id, index) "{\"eventType\":\"BeforeToolExecution\",\"index\":" index ",\"id\":\"" id "\",\"toolName\":\"now\",\"input\":{}}\n"
#define EXECUTED(id, output) "{\"eventType\":\"ToolExecuted\",\"id\":\"" id "\",\"toolName\":\"now\",\"output\":" output "}\n"
#define COMPLETED "{\"eventType\":\"ChatCompleted\"}\n"

TEST(a_stored_response_gets_the_results_of_calls_that_were_run_before_it_was_over)
{
    google();
    request.extra = elelem_str_of("\"previous_interaction_id\":\"v1_1\"");
    HISTORY(USER("Hi") RAN("z", "0") COMPLETED EXECUTED("z", "0") RAN("a", "0") EXECUTED("a", "1") "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"B\"}\n"
                RAN("b", "2") COMPLETED EXECUTED("b", "2"),
            "[" GOT("a", "now", "\"result\":\"1\"") "," GOT("b", "now", "\"result\":\"2\"") "]");
    HISTORY(RAN("z", "0") EXECUTED("z", "0") COMPLETED USER("Hi") RAN("a", "0") EXECUTED("a", "1") RAN("b", "2") COMPLETED EXECUTED("b", "2") USER("And?"),
            "[" GOT("a", "now", "\"result\":\"1\"") "," GOT("b", "now", "\"result\":\"2\"") "," INPUT(TEXT("And?")) "]");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"T\"}\n" COMPLETED RAN("a", "0") EXECUTED("a", "1") RAN("b", "1") COMPLETED EXECUTED("b", "2"),
            "[" GOT("a", "now", "\"result\":\"1\"") "," GOT("b", "now", "\"result\":\"2\"") "]");
    HISTORY(USER("Hi") RAN("a", "0") EXECUTED("a", "1") COMPLETED CALL("b", "now", "{}") RESULT("b", "now", "2"),
            "[" GOT("b", "now", "\"result\":\"2\"") "]");
}

TEST(without_the_ends_of_responses_a_stored_response_gets_the_results_after_the_last_item)
{
    google();
    request.extra = elelem_str_of("\"previous_interaction_id\":\"v1_1\"");
    HISTORY(USER("Hi") RAN("a", "0") EXECUTED("a", "1") RAN("b", "0") EXECUTED("b", "2"), "[" GOT("b", "now", "\"result\":\"2\"") "]");
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1") CALL("b", "now", "{}") COMPLETED RESULT("b", "now", "2"),
            "[" GOT("b", "now", "\"result\":\"2\"") "]");
}

TEST(a_stored_response_gets_neither_other_ids_nor_results_that_are_stored_too)
{
    static const char stored[] = "{\"type\":\"provider_item\",\"itemType\":\"function_result\",\"item\":"
                                 "{\"type\":\"function_result\",\"call_id\":\"a.b\",\"result\":\"1\"},\"metadata\":{\"step\":\"function_result\"}}\n";
    static const char ran[] = "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":{\"functionResponse\":{\"name\":\"now\",\"response\":\"2\"}}}\n";
    static char history[600];

    google();
    request.extra = elelem_str_of("\"previous_interaction_id\":\"v1_1\"");
    snprintf(history, sizeof history, USER("Hi") CALL("a.b", "now", "{}") "%s" USER("And?"), stored);
    HISTORY(history, "[" INPUT(TEXT("And?")) "]");
    HISTORY(USER("Hi") CALL("a.b", "now", "{}") CALL("", "now", "{}") RESULT("a.b", "now", "1") RESULT("", "now", "2"),
            "[" GOT("a.b", "now", "\"result\":\"1\"") "," GOT("elelem_00000001", "now", "\"result\":\"2\"") "]");
    snprintf(history, sizeof history, USER("Hi") "%s" CALL("a.b", "now", "{}") "%s",
             "{\"type\":\"tool_call\",\"id\":\"x\",\"name\":\"f\",\"state\":\"cut_off\",\"partialArguments\":{}}\n", ran);
    HISTORY(history, "[" GOT("a.b", "now", "\"result\":\"2\"") "]");
}

TEST(a_stored_result_that_failed_says_so_in_every_form)
{
    static const char *const items[] = {
        "\"type\":\"provider_item\",\"itemType\":\"function_result\",\"item\":{\"type\":\"function_result\",\"call_id\":\"a\",\"result\":%s,\"is_error\":true}",
        "\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"function_result\",\"chunk\":\"{\\\"type\\\":\\\"function_result\\\",\\\"call_id\\\":\\\"a\\\","
        "\\\"result\\\":%s,\\\"is_error\\\":true}\"",
    };
    static const char *const results[][2] = { { "\"1\"", "\\\"1\\\"" }, { "{}", "{}" }, { "{\"error\":1}", "{\\\"error\\\":1}" } };
    static const char *const texts[] = { "\"{\\\"error\\\":\\\"1\\\"}\"", "\"{\\\"error\\\":{}}\"", "\"{\\\"error\\\":1}\"" };
    static const char *const responses[] = { "{\"error\":\"1\"}", "{\"error\":{}}", "{\"error\":1}" };
    static char item[300], history[600];
    size_t i, k;

    for (i = 0; i < 2; i++) {
        for (k = 0; k < 3; k++) {
            snprintf(item, sizeof item, items[i], results[k][i]);
            snprintf(history, sizeof history, USER("Hi") CALL("a", "now", "{}") "{%s}\n", item);
            check_context(item);
            ask("chat", "m");
            request.history = elelem_str_of(history);
            CHECK_INT(write_body().status, ELELEM_OK);
            MEMBER("messages[2].content", texts[k]);
            ask("gemini", "m");
            request.history = elelem_str_of(history);
            CHECK_INT(write_body().status, ELELEM_OK);
            MEMBER("contents[2].parts[0].functionResponse.response", responses[k]);
            ask("messages", "m");
            request.history = elelem_str_of(history);
            CHECK_INT(write_body().status, ELELEM_OK);
            MEMBER("messages[2].content[0].is_error", "true");
            check_context(NULL);
        }
    }
}

TEST(a_response_that_requires_continuation_is_continued_without_input)
{
    google();
    request.extra = elelem_str_of("\"previous_interaction_id\":\"v1_1\",\"continuation_token\":\"t\"");
    HISTORY(USER("Hi") SAYS("Hel"), "");
    MEMBER("continuation_token", "\"t\"");
    request.extra = elelem_str_of("\"continuation_token\":\"t\"");
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    MEMBER("store", "false");
}

TEST(an_agent_in_the_background_is_stored)
{
    google();
    request.extra = elelem_str_of("\"agent\":\"deep-research\",\"background\":true");
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    MEMBER("model", "");
    MEMBER("store", "");
}

TEST(results_name_their_calls_and_are_in_their_order)
{
    google();
    HISTORY(USER("Hi") THINKS("", SIGNED) CALL("a", "now", "{}") CALL("b", "look", "{}") USER("And?") RESULT("b", "look", "2") RESULT("a", "now", "1"),
            "[" INPUT(TEXT("Hi")) "," THOUGHT("t") "," CALLED("a", "now") "," CALLED("b", "look") "," GOT("a", "now", "\"result\":\"1\"") ","
            GOT("b", "look", "\"result\":\"2\"") "," INPUT(TEXT("And?")) "]");
}

TEST(a_call_without_a_result_has_one_that_failed)
{
    google();
    HISTORY(USER("Hi") THINKS("", SIGNED) CALL("a", "now", "{}"),
            "[" INPUT(TEXT("Hi")) "," THOUGHT("t") "," CALLED("a", "now") "," GOT("a", "now", "\"result\":\"not run\",\"is_error\":true") "]");
}

TEST(objects_and_lists_of_contents_are_results_as_they_are)
{
    static const char *const rows[][2] = {
        { "\"output\":{\"a\":1}", "{\"a\":1}" },
        { "\"output\":[{\"type\":\"text\",\"text\":\"x\"}]", "[{\"type\":\"text\",\"text\":\"x\"}]" },
        { "\"output\":[1,2]", "\"[1,2]\"" },
        { "\"output\":[]", "\"[]\"" },
        { "\"output\":7", "\"7\"" },
        { "\"text\":\"x\"", "\"x\"" },
    };
    char history[500];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        google();
        snprintf(history, sizeof history, CALL("a", "now", "{}") "{\"type\":\"tool_result\",\"id\":\"a\",\"name\":\"now\",%s}\n", rows[i][0]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("input[2].result", rows[i][1]);
    }
}

TEST(calls_of_the_turn_at_work_follow_a_signed_thought)
{
    google();
    HISTORY(USER("Hi") CALL("a", "now", "{}") CALL("b", "look", "{}") RESULT("a", "now", "1") RESULT("b", "look", "2"),
            "[" INPUT(TEXT("Hi")) "," THOUGHT(UNSIGNED) "," CALLED("a", "now") "," CALLED("b", "look") "," GOT("a", "now", "\"result\":\"1\"") ","
            GOT("b", "look", "\"result\":\"2\"") "]");
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1") SAYS("One") USER("And?"),
            "[" INPUT(TEXT("Hi")) "," CALLED("a", "now") "," GOT("a", "now", "\"result\":\"1\"") "," OUTPUT(TEXT("One")) "," INPUT(TEXT("And?")) "]");
}

TEST(a_signature_of_a_call_goes_back_with_it)
{
    google();
    HISTORY(USER("Hi") SIGNED_CALL("a", "now", "{}", SIGNED) RESULT("a", "now", "1"),
            "[" INPUT(TEXT("Hi")) ",{\"type\":\"function_call\",\"id\":\"a\",\"name\":\"now\",\"arguments\":{},\"signature\":\"t\"},"
            GOT("a", "now", "\"result\":\"1\"") "]");
}

TEST(thoughts_go_back_only_signed_and_with_their_summary)
{
    google();
    HISTORY(USER("Hi") THINKS("Hm.", "") THINKS("Hm.", "\"signature\":\"x\"") THINKS("Hm.", SIGNED) SAYS("A"),
            "[" INPUT(TEXT("Hi")) ",{\"type\":\"thought\",\"signature\":\"t\",\"summary\":[" TEXT("Hm.") "]}," OUTPUT(TEXT("A")) "]");
    HISTORY(USER("Hi") THINKS("Hm.", SIGNED ",\"summary\":[{\"type\":\"image\",\"data\":\"AA\"}]") SAYS("A"),
            "[" INPUT(TEXT("Hi")) ",{\"type\":\"thought\",\"signature\":\"t\",\"summary\":[" TEXT("Hm.") ",{\"type\":\"image\",\"data\":\"AA\"}]},"
            OUTPUT(TEXT("A")) "]");
}

TEST(arguments_that_are_no_object_become_one)
{
    google();
    HISTORY(USER("Hi") CALL("a", "sh", "[1]") RESULT("a", "sh", "2"),
            "[" INPUT(TEXT("Hi")) "," THOUGHT(UNSIGNED) ",{\"type\":\"function_call\",\"id\":\"a\",\"name\":\"sh\",\"arguments\":{\"input\":[1]}},"
            GOT("a", "sh", "\"result\":\"2\"") "]");
}

TEST(contents_that_follow_each_other_are_one_output)
{
    google();
    HISTORY(USER("Hi") SAYS("See ") ITEM("image", "model_output", "{\"type\":\"image\",\"data\":\"AA\"}") SAYS("this"),
            "[" INPUT(TEXT("Hi")) "," OUTPUT(TEXT("See ") ",{\"type\":\"image\",\"data\":\"AA\"}," TEXT("this")) "]");
}

TEST(citations_go_back_with_their_text_if_they_are_of_this_shape)
{
    static const char *const rows[][2] = {
        { "[{\"type\":\"url_citation\",\"url\":\"https://x.test\",\"start_index\":0}]", "1" },
        { "[{\"type\":\"place_citation\",\"place_id\":\"p\"},{\"type\":\"word_info\"},{\"type\":\"speech\"}]", "1" },
        { "[{\"type\":\"file_citation\",\"document_uri\":\"d\"}]", "1" },
        { "[{\"type\":\"file_citation\",\"file_id\":\"f\"}]", "" },
        { "[{\"type\":\"url_citation\",\"url\":\"https://x.test\"},{\"type\":\"file_path\"}]", "" },
        { "[{\"type\":\"url_citation\",\"url_citation\":{\"url\":\"https://x.test\"}}]", "" },
        { "{\"type\":\"speech\"}", "" }, { "[{}]", "" }, { "[7]", "" }, { "[]", "" }, { "7", "" },
    };
    char history[500];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        google();
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"message\",\"text\":\"A\",\"metadata\":{\"annotations\":%s}}\n" USER("B"), rows[i][0]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("input[1].content[0].annotations", *rows[i][1] ? rows[i][0] : "");
    }
}

TEST(steps_of_the_provider_go_back_as_they_are)
{
    google();
    HISTORY(USER("Hi") ITEM("google_search_call", "google_search_call", "{\"type\":\"google_search_call\",\"id\":\"s\",\"signature\":\"x\"}")
                ITEM("google_search_result", "google_search_result", "{\"type\":\"google_search_result\",\"call_id\":\"s\"}") SAYS("A")
                    ITEM("dream", "dream", "{\"type\":\"dream\"}"),
            "[" INPUT(TEXT("Hi")) ",{\"type\":\"google_search_call\",\"id\":\"s\",\"signature\":\"x\"},{\"type\":\"google_search_result\",\"call_id\":\"s\"},"
            OUTPUT(TEXT("A")) ",{\"type\":\"dream\"}]");
}

TEST(steps_of_the_provider_go_to_no_other_shape)
{
    static const char *const others[] = { "chat", "responses", "messages", "gemini" };
    size_t i;

    for (i = 0; i < sizeof others / sizeof *others; i++) {
        ask(others[i], "m");
        request.history = elelem_str_of(USER("Hi") ITEM("file_search_call", "file_search_call", "{\"type\":\"file_search_call\",\"id\":\"zz\"}")
                                        ITEM("dream", "dream", "{\"type\":\"dream\",\"id\":\"zz\"}") SAYS("A"));
        CHECK_INT(write_body().status, ELELEM_OK);
        body.text[body.size] = 0;
        CHECK(!strstr(body.text, "zz"));
    }
}

TEST(a_result_that_was_stored_is_that_of_its_call)
{
    static const char history[] = USER("Hi") CALL("a", "now", "{}")
        ITEM("function_result", "function_result", "{\"type\":\"function_result\",\"call_id\":\"a\",\"name\":\"now\",\"result\":\"1\"}") SAYS("One");

    google();
    HISTORY(history, "[" INPUT(TEXT("Hi")) "," THOUGHT(UNSIGNED) "," CALLED("a", "now") "," GOT("a", "now", "\"result\":\"1\"") "," OUTPUT(TEXT("One")) "]");
    ask("openai", "gpt-5");
    request.history = elelem_str_of(history);
    CHECK_INT(write_body().status, ELELEM_OK);
    body.text[body.size] = 0;
    CHECK(strstr(body.text, "\"output\":\"\\\"1\\\"\"") || strstr(body.text, "\"output\":\"1\""));
}

TEST(a_result_that_gemini_has_goes_to_interactions_as_the_callers)
{
    google();
    HISTORY(USER("Hi") CALL("a", "now", "{}")
                "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\",\"item\":{\"functionResponse\":{\"name\":\"now\",\"response\":{\"n\":1}}}}\n",
            "[" INPUT(TEXT("Hi")) "," THOUGHT(UNSIGNED) "," CALLED("a", "now") "," GOT("a", "now", "\"result\":{\"n\":1}") "]");
}

TEST(a_stored_result_without_its_call_is_left_out)
{
    google();
    HISTORY(USER("Hi") ITEM("function_result", "function_result", "{\"type\":\"function_result\",\"call_id\":\"a\",\"result\":\"1\"}") SAYS("A"),
            "[" INPUT(TEXT("Hi")) "," OUTPUT(TEXT("A")) "]");
}

TEST(images_of_the_user_are_contents)
{
    google();
    HISTORY("{\"type\":\"user\",\"text\":\"See\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA\"},{\"url\":\"https://x.test/i\"}]}\n",
            "[" INPUT(TEXT("See") ",{\"type\":\"image\",\"mime_type\":\"image/png\",\"data\":\"AA\"},{\"type\":\"image\",\"uri\":\"https://x.test/i\"}") "]");
}

TEST(settings_are_in_the_config_of_generation)
{
    elelem_str stop = elelem_str_of("X");

    google();
    offer("now", "{\"type\":\"object\"}");
    choose_tool();
    request.instructions = elelem_str_of("Be brief.");
    request.max_tokens = 7;
    request.temperature = elelem_str_of("0.5");
    request.top_p = elelem_str_of("0.9");
    request.top_k = elelem_str_of("40");
    request.seed = elelem_str_of("3");
    request.stops = &stop;
    request.stop_count = 1;
    request.effort = elelem_str_of("low");
    request.show_reasoning = 1;
    request.schema = elelem_str_of("{\"type\":\"object\"}");
    request.extra_config = elelem_str_of("\"seed\":4");
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    MEMBER("generation_config", "{\"max_output_tokens\":7,\"temperature\":0.5,\"top_p\":0.9,\"top_k\":40,\"stop_sequences\":[\"X\"],"
                                "\"thinking_level\":\"low\",\"thinking_summaries\":\"auto\","
                                "\"tool_choice\":{\"allowed_tools\":{\"mode\":\"any\",\"tools\":[\"now\"]}},\"seed\":4}");
    MEMBER("tools", "[{\"type\":\"function\",\"name\":\"now\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}]");
    MEMBER("response_format", "{\"type\":\"text\",\"mime_type\":\"application/json\",\"schema\":{\"type\":\"object\"}}");
    MEMBER("system_instruction", "\"Be brief.\"");
    SAID_OF_BODY("no error");
    request.reasoning_tokens = 100;
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    SAID_OF_BODY("reasoning_tokens is left out: the provider has no member for it");
}

TEST(citations_of_several_lines_are_one_list)
{
#define CITING(chunk, list) "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"" chunk "\",\"metadata\":{\"annotations\":" list "}}\n"
#define CITATION(url) "{\"type\":\"url_citation\",\"url\":\"" url "\"}"
    google();
    HISTORY(USER("Hi") CITING("A", "[]") CITING("b", "[" CITATION("u") "," CITATION("v") "]") CITING("c", "[" CITATION("w") "]") USER("B"),
            "[" INPUT(TEXT("Hi")) "," OUTPUT("{\"type\":\"text\",\"text\":\"Abc\",\"annotations\":[" CITATION("u") "," CITATION("v") "," CITATION("w") "]}")
            "," INPUT(TEXT("B")) "]");
    HISTORY(USER("Hi") CITING("A", "[" CITATION("u") "]") CITING("b", "[\"other\"]") USER("B"),
            "[" INPUT(TEXT("Hi")) "," OUTPUT(TEXT("Ab")) "," INPUT(TEXT("B")) "]");
}

TEST(a_thought_has_a_summary_if_it_has_a_text_or_others)
{
    static const char image[] = "{\"type\":\"image\",\"data\":\"AA\"}";
    static char history[300], expected[300];
    static const char *const none[] = { "[]", "7", "{\"a\":1}", "\"a\"", "[ ]" };
    size_t i;

    google();
    snprintf(history, sizeof history, USER("Hi") "{\"type\":\"reasoning\",\"text\":\"\",\"metadata\":{" SIGNED ",\"summary\":[%s]}}\n", image);
    snprintf(expected, sizeof expected, "[" INPUT(TEXT("Hi")) ",{\"type\":\"thought\",\"signature\":\"t\",\"summary\":[%s]}]", image);
    HISTORY(history, expected);
    for (i = 0; i < sizeof none / sizeof *none; i++) {
        google();
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"reasoning\",\"text\":\"\",\"metadata\":{" SIGNED ",\"summary\":%s}}\n", none[i]);
        HISTORY(history, "[" INPUT(TEXT("Hi")) "," THOUGHT("t") "]");
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"reasoning\",\"text\":\"Hm.\",\"metadata\":{" SIGNED ",\"summary\":%s}}\n", none[i]);
        HISTORY(history, "[" INPUT(TEXT("Hi")) ",{\"type\":\"thought\",\"signature\":\"t\",\"summary\":[" TEXT("Hm.") "]}]");
    }
}

TEST(a_signature_that_is_empty_or_no_string_is_none)
{
    google();
    HISTORY(USER("Hi") THINKS("Hm.", "\"step_signature\":\"\"") THINKS("Hm.", "\"step_signature\":12345")
                SIGNED_CALL("a", "now", "{}", "\"step_signature\":[\"t\"]") RESULT("a", "now", "1"),
            "[" INPUT(TEXT("Hi")) "," THOUGHT(UNSIGNED) "," CALLED("a", "now") "," GOT("a", "now", "\"result\":\"1\"") "]");
}

TEST(steps_that_other_lines_stand_for_are_no_items)
{
    google();
    HISTORY(USER("Hi") ITEM("function_call", "function_call", "{\"type\":\"function_call\",\"id\":\"a\"}")
                ITEM("thought", "thought", "{\"type\":\"thought\",\"signature\":\"x\"}") SAYS("A"),
            "[" INPUT(TEXT("Hi")) "," OUTPUT(TEXT("A")) "]");
}

#define STORED(members) ITEM("function_result", "function_result", "{\"type\":\"function_result\"," members "}")

TEST(a_stored_result_goes_back_only_as_that_of_its_call)
{
    google();
    HISTORY(USER("Hi") THINKS("", SIGNED) CALL("a", "now", "{}") CALL("b", "now", "{}") STORED("\"call_id\":\"b\",\"result\":\"2\"")
                STORED("\"call_id\":\"c\",\"result\":\"3\"") RESULT("a", "now", "1"),
            "[" INPUT(TEXT("Hi")) "," THOUGHT("t") "," CALLED("a", "now") "," CALLED("b", "now")
            ",{\"type\":\"function_result\",\"call_id\":\"b\",\"result\":\"2\"}," GOT("a", "now", "\"result\":\"1\"") "]");
    HISTORY(USER("Hi") THINKS("", SIGNED) CALL("a", "now", "{}") CALL("b", "now", "{}") STORED("\"call_id\":\"b\",\"result\":\"2\"")
                STORED("\"call_id\":\"a\",\"result\":\"1\""),
            "[" INPUT(TEXT("Hi")) "," THOUGHT("t") "," CALLED("a", "now") "," CALLED("b", "now")
            ",{\"type\":\"function_result\",\"call_id\":\"b\",\"result\":\"2\"},{\"type\":\"function_result\",\"call_id\":\"a\",\"result\":\"1\"}]");
    HISTORY(USER("Hi") CALL("a", "", "{}") STORED("\"call_id\":\"a\",\"result\":\"1\"") SAYS("A"),
            "[" INPUT(TEXT("Hi")) "," OUTPUT(TEXT("A")) "]");
}

TEST(a_stored_result_of_a_call_whose_id_changes_names_the_new_one)
{
    google();
    HISTORY(USER("Hi") THINKS("", SIGNED) CALL("a", "now", "{}") CALL("a", "now", "{}") STORED("\"call_id\":\"a\",\"result\":\"1\"")
                STORED("\"call_id\":\"a\",\"result\":\"2\""),
            "[" INPUT(TEXT("Hi")) "," THOUGHT("t") "," CALLED("a", "now") "," CALLED("elelem_00000001", "now")
            ",{\"type\":\"function_result\",\"call_id\":\"a\",\"result\":\"1\"}," GOT("elelem_00000001", "now", "\"result\":\"2\"") "]");
}

#define STORED_IN_PIECES(members) \
    "{\"eventType\":\"PartialProviderItem\",\"index\":9,\"type\":\"function_result\",\"chunk\":\"{\\\"type\\\":\\\"function_result\\\",\"}\n" \
    "{\"eventType\":\"PartialProviderItem\",\"index\":9,\"type\":\"function_result\",\"chunk\":\"" members "}\"}\n"

TEST(a_stored_result_that_names_no_call_gets_the_id_of_its_call)
{
    static const char *const results[] = {
        STORED("\"name\":\"now\",\"result\":\"1\""),
        STORED("\"call_id\":\"\",\"name\":\"now\",\"result\":\"1\""),
        STORED_IN_PIECES("\\\"name\\\":\\\"now\\\",\\\"result\\\":\\\"1\\\""),
    };
    static char history[900];
    size_t i;

    for (i = 0; i < sizeof results / sizeof *results; i++) {
        google();
        snprintf(history, sizeof history, USER("Hi") THINKS("", SIGNED) CALL("a", "now", "{}") "%s", results[i]);
        check_context(history);
        HISTORY(history, "[" INPUT(TEXT("Hi")) "," THOUGHT("t") "," CALLED("a", "now") "," GOT("a", "now", "\"result\":\"1\"") "]");
    }
}

/* No provider sends such a step: it is the result of another shape that has this type. */
TEST(a_step_with_the_type_of_another_shapes_result_goes_back_once)
{
    google();
    HISTORY(USER("Hi") THINKS("", SIGNED) CALL("a", "now", "{}")
            ITEM("functionResponse", "functionResponse", "{\"type\":\"functionResponse\",\"functionResponse\":{\"name\":\"now\",\"response\":\"1\"}}"),
            "[" INPUT(TEXT("Hi")) "," THOUGHT("t") "," CALLED("a", "now") "," GOT("a", "now", "\"result\":\"1\"") "]");
}

TEST(what_a_provider_ran_goes_from_gemini_to_interactions_the_same_whole_and_in_pieces)
{
    static const char *const rows[][2] = {
        { "{\"n\":1}", "{\"n\":1}" },
        { "\"x\"", "\"x\"" },
        { "12", "\"12\"" },
        { "[]", "\"[]\"" },
        { "[1]", "\"[1]\"" },
        { "[{\"type\":1}]", "\"[{\\\"type\\\":1}]\"" },
        { "[{}]", "\"[{}]\"" },
        { "[ {\"type\":\"text\",\"text\":\"x\"},2]", "[{\"type\":\"text\",\"text\":\"x\"},2]" },
    };
    static char history[2][900], quoted[400], squeezed[400];
    size_t i, k, size;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at;
        for (at = rows[i][0], size = 0; *at; at++) {
            if (*at == '"') quoted[size++] = '\\';
            quoted[size++] = *at;
        }
        quoted[size] = 0;
        snprintf(history[0], sizeof history[0], USER("Hi") CALL("a", "now", "{}") "{\"type\":\"provider_item\",\"itemType\":\"functionResponse\","
                 "\"item\":{\"functionResponse\":{\"name\":\"now\",\"response\":%s}}}\n", rows[i][0]);
        snprintf(history[1], sizeof history[1], USER("Hi") CALL("a", "now", "{}") "{\"eventType\":\"PartialProviderItem\",\"index\":1,"
                 "\"type\":\"functionResponse\",\"chunk\":\"{\\\"functionResponse\\\":{\\\"name\\\":\\\"now\\\",\\\"response\\\":%s}}\"}\n", quoted);
        for (k = 0; k < 2; k++) {
            google();
            request.history = elelem_str_of(history[k]);
            check_context(rows[i][0]);
            CHECK_INT(write_body().status, ELELEM_OK);
            snprintf(squeezed, sizeof squeezed, "%s", rows[i][1]);
            MEMBER("input[3].result", squeezed);
            check_context(NULL);
        }
    }
}

TEST(an_item_alone_is_something_to_send)
{
    google();
    HISTORY(USER("Hi") ITEM("dream", "dream", "{\"type\":\"dream\"}"), "[" INPUT(TEXT("Hi")) ",{\"type\":\"dream\"}]");
    HISTORY(ITEM("dream", "dream", "{\"type\":\"dream\"}"), "[{\"type\":\"dream\"}]");
    HISTORY(ITEM("image", "model_output", "{\"type\":\"image\"}"), "[" OUTPUT("{\"type\":\"image\"}") "]");
    HISTORY(THINKS("", SIGNED), "[" THOUGHT("t") "]");
}

TEST(a_setting_that_is_left_out_is_said)
{
    google();
    offer("now", "")->strict = 1;
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    SAID_OF_BODY("strict of a tool is left out: the provider has no member for it");
    offer("now", "");
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.one_call = 1;
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    SAID_OF_BODY("one_call is left out: the provider has no member for it");
    request.tool_count = 0;
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.reasoning_tokens = 1;
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    SAID_OF_BODY("reasoning_tokens is left out: the provider has no member for it");
}

TEST(a_choice_of_tools_is_a_word_or_the_tool)
{
    static const char *const words[] = { "", "\"none\"", "\"any\"" };
    unsigned i;

    google();
    offer("now", "");
    for (i = 0; i < 3; i++) {
        request.tool_choice = (uint8_t)i;
        HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
        MEMBER("generation_config.tool_choice", words[i]);
    }
    request.tool_count = 0;
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    MEMBER("generation_config", "{}");
    MEMBER("tools", "");
    MEMBER("response_format", "");
    MEMBER("system_instruction", "");
    request.whole = 1;
    request.schema = elelem_str_of("true");
    request.summary = elelem_str_of("x");
    request.effort = elelem_str_of("y");
    request.max_tokens = 1;
    HISTORY(USER("Hi"), "[" INPUT(TEXT("Hi")) "]");
    MEMBER("generation_config", "{\"max_output_tokens\":1,\"thinking_level\":\"y\",\"thinking_summaries\":\"x\"}");
    MEMBER("response_format", "{\"type\":\"text\",\"mime_type\":\"application/json\"}");
    MEMBER("stream", "");
}

CHECK_MAIN("request_interactions",
    RUN(all_steps_go_back_and_nothing_is_stored)
    RUN(a_stored_response_is_followed_by_what_is_new)
    RUN(a_stored_response_gets_the_results_of_calls_that_were_run_before_it_was_over)
    RUN(without_the_ends_of_responses_a_stored_response_gets_the_results_after_the_last_item)
    RUN(a_stored_response_gets_neither_other_ids_nor_results_that_are_stored_too)
    RUN(a_stored_result_that_failed_says_so_in_every_form)
    RUN(a_response_that_requires_continuation_is_continued_without_input)
    RUN(an_agent_in_the_background_is_stored)
    RUN(results_name_their_calls_and_are_in_their_order)
    RUN(a_call_without_a_result_has_one_that_failed)
    RUN(objects_and_lists_of_contents_are_results_as_they_are)
    RUN(calls_of_the_turn_at_work_follow_a_signed_thought)
    RUN(a_signature_of_a_call_goes_back_with_it)
    RUN(thoughts_go_back_only_signed_and_with_their_summary)
    RUN(arguments_that_are_no_object_become_one)
    RUN(contents_that_follow_each_other_are_one_output)
    RUN(citations_go_back_with_their_text_if_they_are_of_this_shape)
    RUN(steps_of_the_provider_go_back_as_they_are)
    RUN(steps_of_the_provider_go_to_no_other_shape)
    RUN(a_result_that_was_stored_is_that_of_its_call)
    RUN(a_result_that_gemini_has_goes_to_interactions_as_the_callers)
    RUN(a_stored_result_without_its_call_is_left_out)
    RUN(images_of_the_user_are_contents)
    RUN(settings_are_in_the_config_of_generation)
    RUN(citations_of_several_lines_are_one_list)
    RUN(a_thought_has_a_summary_if_it_has_a_text_or_others)
    RUN(a_signature_that_is_empty_or_no_string_is_none)
    RUN(steps_that_other_lines_stand_for_are_no_items)
    RUN(a_stored_result_goes_back_only_as_that_of_its_call)
    RUN(a_stored_result_of_a_call_whose_id_changes_names_the_new_one)
    RUN(a_stored_result_that_names_no_call_gets_the_id_of_its_call)
    RUN(a_step_with_the_type_of_another_shapes_result_goes_back_once)
    RUN(what_a_provider_ran_goes_from_gemini_to_interactions_the_same_whole_and_in_pieces)
    RUN(an_item_alone_is_something_to_send)
    RUN(a_setting_that_is_left_out_is_said)
    RUN(a_choice_of_tools_is_a_word_or_the_tool))
