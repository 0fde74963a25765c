/* request_messages: histories to the messages and blocks of Messages. */
#include "elelem_stream.h"

#include "requests.h"

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define FROM_USER(blocks) "{\"role\":\"user\",\"content\":[" blocks "]}"
#define FROM_MODEL(blocks) "{\"role\":\"assistant\",\"content\":[" blocks "]}"
#define USE(id, name) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":{}}"
#define GOT(id, text) "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"" text "\"}"
#define THOUGHT "{\"type\":\"thinking\",\"thinking\":\"Hm.\",\"signature\":\"s\"}"
#define SIGNED THINKS("Hm.", "\"signature\":\"s\"")

/* Writes what the settings are tried with. */
#define SAY_HI() HISTORY(USER("Hi"), "[" FROM_USER(TEXT("Hi")) "]")

static void anthropic(void)
{
    ask("anthropic", "claude-sonnet-4-5");
}

/* Order and pairing. */

TEST(results_come_right_after_their_calls_and_before_any_text)
{
    anthropic();
    HISTORY(USER("Hi") CALL("a", "now", "{}") CALL("b", "look", "{}") USER("And?") RESULT("b", "look", "2") RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(USE("a", "now") "," USE("b", "look")) ","
            FROM_USER(GOT("a", "1") "," GOT("b", "2") "," TEXT("And?")) "]");
}

TEST(a_call_without_a_result_gets_an_error)
{
    anthropic();
    HISTORY(USER("Hi") CALL("a", "now", "{}"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(USE("a", "now")) ","
            FROM_USER("{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"not run\",\"is_error\":true}") "]");
}

TEST(adjacent_texts_of_one_role_are_blocks_of_one_message)
{
    anthropic();
    HISTORY(USER("Hi") USER("there") SAYS("A") SAYS("B"),
            "[" FROM_USER(TEXT("Hi") "," TEXT("there")) "," FROM_MODEL(TEXT("A") "," TEXT("B")) "]");
    HISTORY(USER("Hi") THINKS("no signature", "") USER("there"), "[" FROM_USER(TEXT("Hi") "," TEXT("there")) "]");
}

TEST(the_first_message_is_the_users)
{
    anthropic();
    HISTORY(SAYS("Welcome.") USER("Hi"),
            "[" FROM_USER(TEXT("(start)")) "," FROM_MODEL(TEXT("Welcome.")) "," FROM_USER(TEXT("Hi")) "]");
}

TEST(signed_reasoning_comes_before_its_calls_unchanged_and_in_order)
{
    anthropic();
    HISTORY(USER("Hi") THINKS("A \\u00e9\\n", "\"signature\":\"s1\"") THINKS("", "\"redacted_data\":\"r\"")
                THINKS("", "\"signature\":\"s2\"") CALL("a", "now", "{}") RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) ","
            FROM_MODEL("{\"type\":\"thinking\",\"thinking\":\"A \xc3\xa9\\n\",\"signature\":\"s1\"},"
                       "{\"type\":\"redacted_thinking\",\"data\":\"r\"},"
                       "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s2\"}," USE("a", "now")) ","
            FROM_USER(GOT("a", "1")) "]");
}

TEST(reasoning_without_a_signature_is_left_out)
{
    anthropic();
    HISTORY(USER("Hi") THINKS("Hm.", "\"encrypted_content\":\"e\",\"thought_signature\":\"t\"") SAYS("Hello.") USER("Hi"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("Hello.")) "," FROM_USER(TEXT("Hi")) "]");
}

TEST(reasoning_that_nothing_follows_is_left_out)
{
    anthropic();
    HISTORY(USER("Hi") SAYS("Hello.") SIGNED USER("Hi"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("Hello.")) "," FROM_USER(TEXT("Hi")) "]");
}

TEST(blank_texts_are_left_out)
{
    anthropic();
    HISTORY(USER("Hi") SAYS("") SAYS(" \\n\\t\\u2003\\ufeff") SAYS("A") USER(" ") USER("B"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "," FROM_USER(TEXT("B")) "]");
}

TEST(a_last_text_of_the_model_loses_the_whitespace_at_its_end)
{
    anthropic();
    HISTORY(USER("Hi") SAYS("A \xf0\x9f\x97\x9d b \\n\\u00a0\\u3000"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A \xf0\x9f\x97\x9d b")) "]");
    HISTORY(USER("Hi") SAYS("A \\n") USER("B"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A \\n")) "," FROM_USER(TEXT("B")) "]");
}

TEST(whitespace_at_the_end_goes_though_lines_follow_that_are_left_out)
{
    anthropic();
    HISTORY(USER("Hi") SAYS("A \\n") USER(" "), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    HISTORY(USER("Hi") SAYS("A \\n") USER("") THINKS("Hm.", "") SAYS(" "), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    HISTORY(USER("Hi") SAYS("A ") USER("") SAYS("B "), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A ") "," TEXT("B")) "]");
}

TEST(a_text_after_a_call_comes_before_it)
{
    anthropic();
    HISTORY(USER("Hi") SIGNED CALL("a", "now", "{}") SAYS("B") CALL("b", "now", "{}") RESULT("a", "now", "1") RESULT("b", "now", "2"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(THOUGHT "," TEXT("B") "," USE("a", "now") "," USE("b", "now")) ","
            FROM_USER(GOT("a", "1") "," GOT("b", "2")) "]");
}

TEST(ids_have_only_letters_digits_underscores_and_hyphens)
{
    anthropic();
    HISTORY(USER("Hi") CALL("functions.now:0", "now", "{}") RESULT("functions.now:0", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(USE("elelem_00000000", "now")) ","
            FROM_USER(GOT("elelem_00000000", "1")) "]");
}

TEST(a_lone_surrogate_becomes_a_replacement_character)
{
    anthropic();
    HISTORY(USER("a\\ud83db") CALL("a", "now", "{\"x\":\"\\\\\\udc00\\ud83d\\udd11\\ud800\"}"),
            "[" FROM_USER(TEXT("a\xef\xbf\xbd" "b")) ","
            FROM_MODEL("{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"now\",\"input\":"
                       "{\"x\":\"\\\\\xef\xbf\xbd\xf0\x9f\x94\x91\xef\xbf\xbd\"}}") ","
            FROM_USER("{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"not run\",\"is_error\":true}") "]");
}

/* What goes back. */

TEST(blocks_of_the_providers_own_go_back_verbatim_in_their_place)
{
    anthropic();
    HISTORY(USER("Hi")
                "{\"type\":\"provider_item\",\"itemType\":\"server_tool_use\",\"hosted\":true,"
                "\"item\":{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{\"query\":\"x\"}}}\n"
                "{\"type\":\"provider_item\",\"itemType\":\"web_search_tool_result\",\"item\":{\"type\":\"web_search_tool_result\","
                "\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"encrypted_content\":\"e\"}]}}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) ","
            FROM_MODEL("{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{\"query\":\"x\"}},"
                       "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"encrypted_content\":\"e\"}]},"
                       TEXT("A")) "]");
}

TEST(items_of_other_providers_and_items_that_are_not_whole_are_left_out)
{
    anthropic();
    HISTORY(USER("Hi")
                "{\"type\":\"provider_item\",\"itemType\":\"web_search_call\",\"item\":{\"type\":\"web_search_call\",\"id\":\"ws_1\"}}\n"
                "{\"type\":\"provider_item\",\"itemType\":\"compaction\",\"item\":{\"type\":\"compaction\",\"id\":\"cmp_1\"}}\n"
                "{\"type\":\"provider_item\",\"itemType\":\"executableCode\",\"item\":{\"executableCode\":{}}}\n"
                "{\"type\":\"provider_item\",\"itemType\":\"server_tool_use\",\"text\":\"{\\\"ty\",\"state\":\"cut_off\"}\n"
                "{\"type\":\"provider_item\",\"itemType\":\"fallback\",\"text\":\"\",\"state\":\"left_out\"}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    HISTORY(USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"compaction\",\"item\":{\"type\":\"compaction\",\"content\":\"c\"}}\n",
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"type\":\"compaction\",\"content\":\"c\"}") "]");
}

TEST(a_block_may_be_in_pieces_of_a_record)
{
    anthropic();
    HISTORY(USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"fallback\",\"chunk\":\"{\\\"type\\\":\\\"fall\"}\n"
                "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"fallback\",\"chunk\":\"back\\\"}\"}\n"
                "{\"eventType\":\"Flush\",\"index\":1}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"type\":\"fallback\"}," TEXT("A")) "]");
}

TEST(pieces_that_are_no_object_together_are_left_out)
{
    static const char *const bad[] = { "H", "{}]},", "{},{}", "[1]", "{\\\"a\\\":", "{} {}", "" };
    static char history[512];
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        anthropic();
        strcpy(history, USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"fallback\",\"chunk\":\"");
        strcat(history, bad[i]);
        strcat(history, "\"}\n" SAYS("A"));
        HISTORY(history, "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    }
    HISTORY(USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"fallback\",\"item\":7}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
}

TEST(citations_toolset_and_caller_go_back_if_they_are_of_this_shape)
{
    anthropic();
    HISTORY(USER("Hi")
                "{\"type\":\"message\",\"text\":\"A\",\"metadata\":{\"citations\":[{\"type\":\"web_search_result_location\",\"encrypted_index\":\"e\"}]}}\n"
                "{\"type\":\"message\",\"text\":\"B\",\"metadata\":{\"citations\":[\"https://x\"]}}\n"
                SIGNED_CALL("a", "now", "{}", "\"caller\":{\"type\":\"direct\"},\"toolset_name\":\"computer\"")
                SIGNED_CALL("b", "now", "{}", "\"caller\":{\"type\":\"program\"}") RESULT("a", "now", "1") RESULT("b", "now", "2"),
            "[" FROM_USER(TEXT("Hi")) ","
            FROM_MODEL("{\"type\":\"text\",\"text\":\"A\",\"citations\":[{\"type\":\"web_search_result_location\",\"encrypted_index\":\"e\"}]},"
                       TEXT("B") ",{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"now\",\"input\":{},\"toolset_name\":\"computer\","
                       "\"caller\":{\"type\":\"direct\"}}," USE("b", "now")) ","
            FROM_USER(GOT("a", "1") "," GOT("b", "2")) "]");
}

TEST(images_are_blocks_with_a_source)
{
    anthropic();
    HISTORY("{\"type\":\"user\",\"text\":\"\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA==\"},{\"url\":\"https://a\"}]}\n",
            "[" FROM_USER("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"AA==\"}},"
                          "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://a\"}}") "]");
}

/* Settings. */

TEST(there_is_always_a_limit)
{
    anthropic();
    SAY_HI();
    MEMBER("max_tokens", "4096");
    request.max_tokens = 100;
    SAY_HI();
    MEMBER("max_tokens", "100");
}

TEST(a_budget_is_at_least_1024_and_below_the_limit)
{
    anthropic();
    request.reasoning_tokens = 10;
    request.max_tokens = 100;
    SAY_HI();
    MEMBER("thinking", "{\"type\":\"enabled\",\"budget_tokens\":1024}");
    MEMBER("max_tokens", "1124");
    request.max_tokens = INT64_MAX;
    request.reasoning_tokens = INT64_MAX;
    SAY_HI();
    MEMBER("max_tokens", "9223372036854775807");
    MEMBER("thinking.budget_tokens", "9223372036854775806");
}

TEST(no_call_is_forced_and_no_sampling_set_while_thinking)
{
    anthropic();
    offer("now", "");
    request.reasoning_tokens = 2000;
    request.tool_choice = ELELEM_TOOL_CHOICE_REQUIRED;
    request.temperature = elelem_str_of("0.5");
    SAY_HI();
    MEMBER("tool_choice", "");
    MEMBER("temperature", "");
    request.one_call = 1;
    SAY_HI();
    MEMBER("tool_choice", "{\"type\":\"auto\",\"disable_parallel_tool_use\":true}");
}

TEST(a_turn_that_began_without_thinking_continues_without)
{
    anthropic();
    request.reasoning_tokens = 2000;
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(USE("a", "now")) "," FROM_USER(GOT("a", "1")) "]");
    MEMBER("thinking", "");
    MEMBER("max_tokens", "4096");
    HISTORY(USER("Hi") SIGNED CALL("a", "now", "{}") RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(THOUGHT "," USE("a", "now")) "," FROM_USER(GOT("a", "1")) "]");
    MEMBER("thinking.budget_tokens", "2000");
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1") USER("B"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(USE("a", "now")) "," FROM_USER(GOT("a", "1") "," TEXT("B")) "]");
    MEMBER("thinking.budget_tokens", "2000");
}

TEST(choices_of_a_tool_are_objects)
{
    anthropic();
    offer("now", "");
    choose_tool();
    SAY_HI();
    MEMBER("tool_choice", "{\"type\":\"tool\",\"name\":\"now\"}");
    MEMBER("tools", "[{\"name\":\"now\",\"input_schema\":{\"type\":\"object\",\"properties\":{}}}]");
    request.tool_choice = ELELEM_TOOL_CHOICE_NONE;
    request.one_call = 1;
    SAY_HI();
    MEMBER("tool_choice", "{\"type\":\"none\"}");
    request.tool_count = 0;
    SAY_HI();
    MEMBER("tool_choice", "");
}

TEST(temperature_and_top_p_do_not_go_together)
{
    anthropic();
    request.temperature = elelem_str_of("0.5");
    request.top_p = elelem_str_of("0.9");
    SAY_HI();
    MEMBER("temperature", "0.5");
    MEMBER("top_p", "");
}

TEST(schema_effort_and_summary_have_their_places)
{
    anthropic();
    request.schema = elelem_str_of("{\"type\":\"object\"}");
    request.effort = elelem_str_of("low");
    request.show_reasoning = 1;
    request.instructions = elelem_str_of("Be brief.");
    SAY_HI();
    MEMBER("output_config", "{\"effort\":\"low\",\"format\":{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\"}}}");
    MEMBER("thinking", "{\"type\":\"adaptive\",\"display\":\"summarized\"}");
    MEMBER("system", "\"Be brief.\"");
    request.schema = elelem_str_of("true");
    SAY_HI();
    MEMBER("system", "\"Return a JSON object.\\n\\nBe brief.\"");
}

TEST(a_setting_that_is_left_out_is_said)
{
    anthropic();
    request.temperature = elelem_str_of("0.5");
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.top_p = elelem_str_of("0.9");
    SAY_HI();
    SAID_OF_BODY("top_p is left out: models refuse it together with temperature");
    request.reasoning_tokens = 2000;
    SAY_HI();
    SAID_OF_BODY("temperature, top_p and top_k are left out: the model refuses them while it reasons");
    offer("now", "");
    request.tool_choice = ELELEM_TOOL_CHOICE_REQUIRED;
    SAY_HI();
    SAID_OF_BODY("the tool choice is left out: the model refuses it while it reasons");
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(USE("a", "now")) "," FROM_USER(GOT("a", "1")) "]");
    SAID_OF_BODY("the reasoning budget is left out: the turn has a tool call without signed reasoning");
}

CHECK_MAIN("request_messages",
    RUN(results_come_right_after_their_calls_and_before_any_text)
    RUN(a_call_without_a_result_gets_an_error)
    RUN(adjacent_texts_of_one_role_are_blocks_of_one_message)
    RUN(the_first_message_is_the_users)
    RUN(signed_reasoning_comes_before_its_calls_unchanged_and_in_order)
    RUN(reasoning_without_a_signature_is_left_out)
    RUN(reasoning_that_nothing_follows_is_left_out)
    RUN(blank_texts_are_left_out)
    RUN(a_last_text_of_the_model_loses_the_whitespace_at_its_end)
    RUN(a_text_after_a_call_comes_before_it)
    RUN(ids_have_only_letters_digits_underscores_and_hyphens)
    RUN(a_lone_surrogate_becomes_a_replacement_character)
    RUN(blocks_of_the_providers_own_go_back_verbatim_in_their_place)
    RUN(items_of_other_providers_and_items_that_are_not_whole_are_left_out)
    RUN(a_block_may_be_in_pieces_of_a_record)
    RUN(pieces_that_are_no_object_together_are_left_out)
    RUN(citations_toolset_and_caller_go_back_if_they_are_of_this_shape)
    RUN(images_are_blocks_with_a_source)
    RUN(there_is_always_a_limit)
    RUN(a_budget_is_at_least_1024_and_below_the_limit)
    RUN(no_call_is_forced_and_no_sampling_set_while_thinking)
    RUN(a_turn_that_began_without_thinking_continues_without)
    RUN(choices_of_a_tool_are_objects)
    RUN(temperature_and_top_p_do_not_go_together)
    RUN(schema_effort_and_summary_have_their_places)
    RUN(whitespace_at_the_end_goes_though_lines_follow_that_are_left_out)
    RUN(a_setting_that_is_left_out_is_said))
