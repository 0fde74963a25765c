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

TEST(a_result_that_failed_without_saying_why_is_not_empty)
{
    static const char *const results[] = {
        "\"type\":\"tool_result\",\"name\":\"now\",\"text\":\"\"", "\"type\":\"tool_result\",\"name\":\"now\",\"text\":\" \\n\"",
        "\"type\":\"tool_result\",\"name\":\"now\"", "\"type\":\"tool_result\",\"name\":\"now\",\"output\":\"\"",
    };
    static char history[400];
    size_t i;

    for (i = 0; i < sizeof results / sizeof *results; i++) {
        anthropic();
        snprintf(history, sizeof history, USER("Hi") CALL("a", "now", "{}") "{%s,\"id\":\"a\",\"failed\":true}\n", results[i]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("messages[2].content[0]", "{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"failed\",\"is_error\":true}");
    }
    anthropic();
    request.history = elelem_str_of(USER("Hi") CALL("a", "now", "{}") "{\"type\":\"tool_result\",\"id\":\"a\",\"name\":\"now\",\"output\":[],\"failed\":true}\n");
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("messages[2].content[0].content", "\"[]\"");
}

TEST(a_stored_result_that_failed_says_why_whole_and_in_pieces)
{
    static const char *const rows[][2] = {
        { "\"disk full\"", "\"disk full\"" },
        { "\"\"", "\"failed\"" },
        { "\" \\n\"", "\"failed\"" },
        { "\" \\n\\u00a0\"", "\"failed\"" },
        { "\"\\u3000\xe3\x80\x80.\"", "\"\xe3\x80\x80\xe3\x80\x80.\"" },
        { "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"" },
        { "[]", "\"[]\"" },
    };
    static char history[2200], item[200];
    size_t i, cut;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i][0]);
        snprintf(item, sizeof item, "{\"type\":\"function_result\",\"call_id\":\"a\",\"is_error\":true,\"result\":%s}", rows[i][0]);
        for (cut = 0; cut < strlen(item); cut++) {
            if ((item[cut] & 0xc0) == 0x80) continue;
            check_cut("the item", cut);
            snprintf(history, sizeof history, USER("Hi") CALL("a", "now", "{}") "%s", in_pieces("function_result", item, cut));
            if (cut == 0) snprintf(history, sizeof history, USER("Hi") CALL("a", "now", "{}")
                                   "{\"type\":\"provider_item\",\"itemType\":\"function_result\",\"item\":%s}\n", item);
            anthropic();
            request.history = elelem_str_of(history);
            CHECK_INT(write_body().status, ELELEM_OK);
            MEMBER("messages[2].content[0].content", rows[i][1]);
            MEMBER("messages[2].content[0].is_error", "true");
        }
        check_cut(NULL, 0);
        check_context(NULL);
    }
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

TEST(whitespace_at_the_end_goes_though_lines_follow_that_are_left_out) /* Q7 */
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

TEST(a_name_in_the_history_may_begin_with_a_digit_or_a_hyphen)
{
    anthropic();
    HISTORY(USER("Hi") CALL("a", "9lives", "{}") CALL("b", "-x", "{}") RESULT("a", "9lives", "1") RESULT("b", "-x", "2"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(USE("a", "9lives") "," USE("b", "-x")) "," FROM_USER(GOT("a", "1") "," GOT("b", "2")) "]");
}

TEST(the_model_is_named)
{
    anthropic();
    HISTORY(USER("Hi"), "[" FROM_USER(TEXT("Hi")) "]");
    MEMBER("model", "\"claude-sonnet-4-5\"");
}

TEST(arguments_that_are_no_object_become_one)
{
    anthropic();
    HISTORY(USER("Hi") CALL("a", "sh", "[1]") RESULT("a", "sh", "2"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"sh\",\"input\":{\"input\":[1]}}") ","
            FROM_USER(GOT("a", "2")) "]");
}

TEST(a_lone_surrogate_becomes_a_replacement_character) /* Q3 */
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

#define BLOCK(type, members) "{\"type\":\"provider_item\",\"itemType\":\"" type "\",\"hosted\":true,\"item\":{\"type\":\"" type "\"," members "}}\n"
#define RUNS(id) BLOCK("server_tool_use", "\"id\":\"" id "\"")
#define RAN(id) BLOCK("web_search_tool_result", "\"tool_use_id\":\"" id "\"")
#define RUN_BLOCK(id) "{\"type\":\"server_tool_use\",\"id\":\"" id "\"}"
#define RAN_BLOCK(id) "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"" id "\"}"
#define HI FROM_USER(TEXT("Hi"))

TEST(a_call_of_the_provider_and_its_result_go_back_together_or_not_at_all)
{
    anthropic();
    HISTORY(USER("Hi") SAYS("A") RUNS("1") USER("Hi"), "[" HI "," FROM_MODEL(TEXT("A")) "," HI "]");
    HISTORY(USER("Hi") SAYS("A") RAN("1") USER("Hi"), "[" HI "," FROM_MODEL(TEXT("A")) "," HI "]");
    HISTORY(USER("Hi") SAYS("A") RAN("1") RUNS("1") USER("Hi"), "[" HI "," FROM_MODEL(TEXT("A")) "," HI "]");
    HISTORY(USER("Hi") RUNS("1") RUNS("1") SAYS("A") USER("Hi"), "[" HI "," FROM_MODEL(TEXT("A")) "," HI "]");
    HISTORY(USER("Hi") RUNS("1") BLOCK("mcp_tool_use", "\"id\":\"2\"") RUNS("3") BLOCK("mcp_tool_result", "\"tool_use_id\":\"2\"") RAN("1") SAYS("A") USER("Hi"),
            "[" HI "," FROM_MODEL(RUN_BLOCK("1") ",{\"type\":\"mcp_tool_use\",\"id\":\"2\"},{\"type\":\"mcp_tool_result\",\"tool_use_id\":\"2\"},"
            RAN_BLOCK("1") "," TEXT("A")) "," HI "]");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"server_tool_use\",\"chunk\":\"{\\\"type\\\":\\\"server_tool_use\\\",\\\"i\"}\n"
            "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"server_tool_use\",\"chunk\":\"d\\\":\\\"1\\\"}\"}\n" RAN("1") SAYS("A"),
            "[" HI "," FROM_MODEL(RUN_BLOCK("1") "," RAN_BLOCK("1") "," TEXT("A")) "]");
}

TEST(a_call_of_the_provider_and_its_result_are_a_pair_over_a_blank_text_of_the_user)
{
    anthropic();
    HISTORY(USER("Hi") RUNS("1") USER(" ") RAN("1") USER("Hi"), "[" HI "," FROM_MODEL(RUN_BLOCK("1") "," RAN_BLOCK("1")) "," HI "]");
}

TEST(ids_of_the_providers_calls_may_be_spelled_with_escapes)
{
    anthropic();
    HISTORY(USER("Hi") RUNS("s\\/1") RAN("s/1") USER("Hi"), "[" HI "," FROM_MODEL(RUN_BLOCK("s/1") "," RAN_BLOCK("s/1")) "," HI "]");
    HISTORY(USER("Hi") RUNS("s\\u0000a") RAN("s\\u0000b") SAYS("A") USER("Hi"), "[" HI "," FROM_MODEL(TEXT("A")) "," HI "]");
    HISTORY(USER("Hi") BLOCK("server_tool_use", "\"id\":7") RAN("7") SAYS("A") USER("Hi"), "[" HI "," FROM_MODEL(TEXT("A")) "," HI "]");
}

TEST(a_call_of_the_provider_at_the_very_end_may_run_yet)
{
    anthropic();
    HISTORY(USER("Hi") SAYS("A") RUNS("1"), "[" HI "," FROM_MODEL(TEXT("A") "," RUN_BLOCK("1")) "]");
}

TEST(a_call_of_the_application_may_come_between_a_call_of_the_provider_and_its_result)
{
    anthropic();
    HISTORY(USER("Hi") RUNS("1") CALL("a", "now", "{}") RESULT("a", "now", "x") RAN("1") SAYS("A") USER("Hi"),
            "[" HI "," FROM_MODEL(RUN_BLOCK("1") "," USE("a", "now")) "," FROM_USER(GOT("a", "x")) "," FROM_MODEL(RAN_BLOCK("1") "," TEXT("A")) "," HI "]");
    HISTORY(USER("Hi") RUNS("1") CALL("a", "now", "{}") RESULT("a", "now", "x") SAYS("A") USER("Hi") RAN("1") SAYS("B"),
            "[" HI "," FROM_MODEL(RUN_BLOCK("1") "," USE("a", "now")) "," FROM_USER(GOT("a", "x")) "," FROM_MODEL(TEXT("A")) "," HI ","
            FROM_MODEL(TEXT("B")) "]");
}

TEST(of_more_than_64_calls_of_the_provider_all_go_back)
{
    static char history[16384], path[64];
    int i;

    strcpy(history, USER("Hi"));
    for (i = 0; i < 65; i++)
        snprintf(history + strlen(history), sizeof history - strlen(history), "{\"type\":\"provider_item\",\"itemType\":\"server_tool_use\","
                 "\"item\":{\"type\":\"server_tool_use\",\"id\":\"%d\"}}\n", i);
    strcat(history, RAN("x") USER("Hi"));
    anthropic();
    request.history = elelem_str_of(history);
    CHECK_INT(write_body().status, ELELEM_OK);
    snprintf(path, sizeof path, "messages[1].content[%d].type", 65);
    MEMBER(path, "\"web_search_tool_result\"");
    MEMBER("messages[1].content[64].id", "\"64\"");
}

TEST(an_unknown_item_with_an_id_is_none_of_this_shape)
{
    anthropic();
    HISTORY(USER("Hi") SAYS("A") BLOCK("context_note", "\"id\":\"cn_1\"") BLOCK("note", "\"n\":1"),
            "[" HI "," FROM_MODEL(TEXT("A") ",{\"type\":\"note\",\"n\":1}") "]");
    ask("openai", "gpt-5");
    request.history = elelem_str_of(USER("Hi") BLOCK("context_note", "\"id\":\"cn_1\"") BLOCK("x_tool_use", "\"id\":\"cn_1\""));
    CHECK_INT(write_body().status, ELELEM_OK);
    MEMBER("input[1].type", "\"context_note\"");
    CHECK_INT(elelem_value_type(member_of_body("input[2]")), ELELEM_TYPE_NONE);
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

TEST(the_first_event_of_a_block_may_have_no_json_yet)
{
    anthropic();
    HISTORY(USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"fallback\",\"caption\":\"c\",\"chunk\":\"\"}\n"
                "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"fallback\",\"chunk\":\"{\\\"type\\\":\\\"fallback\\\"}\"}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"type\":\"fallback\"}," TEXT("A")) "]");
}

TEST(pieces_that_are_no_object_together_are_left_out) /* Q2 */
{
#define A_TYPE "{\\\"type\\\":\\\"fallback\\\""
    static const char *const bad[] = { "H", "{}]},", "{},{}", "[1]", "{\\\"a\\\":", "{} {}", "", A_TYPE "}]},", A_TYPE "},{}", "[" A_TYPE "}]",
                                       A_TYPE, A_TYPE "} {}", " " A_TYPE "}" };
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

TEST(adaptive_thinking_has_neither_a_forced_choice_nor_sampling)
{
    ask("anthropic", "claude-sonnet-4-6");
    offer("now", "");
    request.tool_choice = ELELEM_TOOL_CHOICE_REQUIRED;
    request.temperature = request.top_k = elelem_str_of("5");
    request.show_reasoning = 1;
    SAY_HI();
    MEMBER("thinking.type", "\"adaptive\"");
    MEMBER("tool_choice", "");
    MEMBER("temperature", "");
    MEMBER("top_k", "");
    SAID_OF_BODY("the tool choice is left out: the model refuses it while it reasons");
    request.show_reasoning = 0;
    SAY_HI();
    MEMBER("thinking", "");
    MEMBER("tool_choice", "{\"type\":\"any\"}");
    MEMBER("temperature", "5");
}

/* What a model gets if a budget is set, and if the reasoning is to be shown. */
static void thinking_is(const char *model, const char *with_budget, const char *shown, const char *temperature)
{
    ask("anthropic", model);
    request.reasoning_tokens = 2000;
    SAY_HI();
    MEMBER("thinking.type", with_budget);
    ask("anthropic", model);
    request.show_reasoning = 1;
    SAY_HI();
    MEMBER("thinking.type", shown);
    ask("anthropic", model);
    request.temperature = elelem_str_of("0.5");
    request.top_k = elelem_str_of("40");
    SAY_HI();
    MEMBER("temperature", temperature);
    MEMBER("top_k", *temperature ? "40" : "");
}

TEST(models_get_the_thinking_and_the_sampling_that_they_take)
{
    static const char *const newer[] = { "claude-opus-4-7", "claude-opus-4-8", "claude-opus-4-7@20260416", "claude-opus-5", "claude-sonnet-5",
                                         "claude-haiku-5-5", "claude-fable-5", "anthropic/claude-opus-4.7", "anthropic/claude-4.7-opus" };
    static const char *const both[] = { "claude-opus-4-6", "claude-sonnet-4-6", "anthropic/claude-opus-4.6", "deepseek-chat", "kimi-k2.6" };
    static const char *const older[] = { "claude-sonnet-4-5", "claude-haiku-4-5-20251001", "claude-opus-4-20250514", "claude-opus-4-1",
                                         "claude-opus-4-5", "claude-sonnet-4-20250514", "claude-3-7-sonnet-latest", "anthropic/claude-opus-4.5" };
    size_t i;

    for (i = 0; i < sizeof newer / sizeof *newer; i++)
        thinking_is(newer[i], "\"adaptive\"", "\"adaptive\"", "");
    for (i = 0; i < sizeof both / sizeof *both; i++)
        thinking_is(both[i], "\"enabled\"", "\"adaptive\"", "0.5");
    for (i = 0; i < sizeof older / sizeof *older; i++)
        thinking_is(older[i], "\"enabled\"", "", "0.5");
}

TEST(what_a_model_refuses_of_thinking_and_sampling_is_said)
{
    ask("anthropic", "claude-opus-4-8");
    request.reasoning_tokens = 2000;
    SAY_HI();
    MEMBER("max_tokens", "16000");
    SAID_OF_BODY("the reasoning budget is left out: the model decides how much to reason");
    ask("anthropic", "claude-opus-4-8");
    request.top_p = elelem_str_of("0.9");
    SAY_HI();
    MEMBER("top_p", "");
    SAID_OF_BODY("temperature, top_p and top_k are left out: the model refuses them");
    ask("anthropic", "claude-haiku-4-5");
    request.show_reasoning = 1;
    SAY_HI();
    SAID_OF_BODY("show_reasoning is left out: the model reasons only with a budget");
    request.reasoning_tokens = 2000;
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    ask("anthropic", "claude-haiku-4-5");
    request.summary = elelem_str_of("auto");
    SAY_HI();
    SAID_OF_BODY("show_reasoning is left out: the model reasons only with a budget");
}

TEST(the_user_has_the_last_word_with_models_that_do_not_continue_their_own_text)
{
    static const char *const models[] = { "claude-opus-4-6", "claude-sonnet-4-6", "anthropic/claude-sonnet-4.6", "claude-opus-4-8", "claude-sonnet-5" };
    size_t i;

    for (i = 0; i < sizeof models / sizeof *models; i++) {
        ask("anthropic", models[i]);
        HISTORY(USER("Hi") SAYS("One "), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("One")) "," FROM_USER(TEXT("(continue)")) "]");
        HISTORY(USER("Hi") SAYS("One ") USER("B"), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("One ")) "," FROM_USER(TEXT("B")) "]");
        HISTORY(USER("Hi") SAYS("One") CALL("a", "now", "{}") RESULT("a", "now", "1"),
                "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("One") "," USE("a", "now")) "," FROM_USER(GOT("a", "1")) "]");
    }
    ask("anthropic", "claude-haiku-4-5");
    HISTORY(USER("Hi") SAYS("One "), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("One")) "]");
}

TEST(a_forced_call_is_left_out_for_models_that_refuse_it)
{
    static const char *const models[] = { "claude-opus-5-5", "claude-sonnet-5-5", "anthropic/claude-sonnet-5.5", "claude-fable-5-1", "claude-mythos-5-1" };
    size_t i;

    for (i = 0; i < sizeof models / sizeof *models; i++) {
        ask("anthropic", models[i]);
        offer("now", "");
        choose_tool();
        SAY_HI();
        MEMBER("tool_choice", "");
        SAID_OF_BODY("the tool choice is left out: the model refuses to be forced to a call");
        request.one_call = 1;
        SAY_HI();
        MEMBER("tool_choice", "{\"type\":\"auto\",\"disable_parallel_tool_use\":true}");
        request.tool_choice = ELELEM_TOOL_CHOICE_NONE;
        SAY_HI();
        MEMBER("tool_choice", "{\"type\":\"none\"}");
        SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    }
    ask("anthropic", "claude-opus-5");
    offer("now", "");
    choose_tool();
    SAY_HI();
    MEMBER("tool_choice", "{\"type\":\"tool\",\"name\":\"now\"}");
}

TEST(an_effort_goes_to_models_that_take_one)
{
    static const char *const with[] = { "claude-opus-4-5-20251101", "anthropic/claude-opus-4.5", "claude-sonnet-4-6", "claude-opus-4-8", "claude-haiku-5-5" };
    static const char *const without[] = { "claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-1", "claude-opus-4-20250514", "claude-3-7-sonnet-latest" };
    size_t i;

    for (i = 0; i < sizeof with / sizeof *with; i++) {
        ask("anthropic", with[i]);
        request.effort = elelem_str_of("low");
        SAY_HI();
        MEMBER("output_config", "{\"effort\":\"low\"}");
    }
    for (i = 0; i < sizeof without / sizeof *without; i++) {
        ask("anthropic", without[i]);
        request.effort = elelem_str_of("low");
        SAY_HI();
        MEMBER("output_config", "");
        SAID_OF_BODY("the effort is left out: the model refuses it");
        request.schema = elelem_str_of("{}");
        SAY_HI();
        MEMBER("output_config", "{\"format\":{\"type\":\"json_schema\",\"schema\":{}}}");
    }
    request.effort = elelem_str_of("");
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
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
    ask("anthropic", "claude-sonnet-4-6");
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

TEST(items_that_are_left_out_do_not_end_a_step_with_calls)
{
    anthropic();
    request.reasoning_tokens = 2000;
    HISTORY(USER("Hi") SAYS("A") USER("") SIGNED CALL("a", "now", "{}") SIGNED RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A") "," THOUGHT "," USE("a", "now")) "," FROM_USER(GOT("a", "1")) "]");
}

TEST(a_turn_at_work_begins_with_its_first_step_that_has_calls)
{
    anthropic();
    request.reasoning_tokens = 2000;
    HISTORY(USER("Hi") SAYS("A"), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    MEMBER("thinking.budget_tokens", "2000");
    HISTORY(USER("Hi") THINKS("Hm.", "") SIGNED CALL("a", "now", "{}") RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(THOUGHT "," USE("a", "now")) "," FROM_USER(GOT("a", "1")) "]");
    MEMBER("thinking.budget_tokens", "2000");
    HISTORY(USER("Hi") CALL("a", "now", "{}") SIGNED CALL("b", "now", "{}") RESULT("a", "now", "1") RESULT("b", "now", "2"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(USE("a", "now") "," THOUGHT "," USE("b", "now")) ","
            FROM_USER(GOT("a", "1") "," GOT("b", "2")) "]");
    MEMBER("thinking", "");
    HISTORY(USER("Hi") THINKS("", "\"redacted_data\":\"r\"") CALL("a", "now", "{}") RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"type\":\"redacted_thinking\",\"data\":\"r\"}," USE("a", "now")) "," FROM_USER(GOT("a", "1")) "]");
    MEMBER("thinking.budget_tokens", "2000");
    HISTORY(USER("Hi") CALL("a", "", "{}") SAYS("A") RESULT("a", "", "1"), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    MEMBER("thinking.budget_tokens", "2000");
}

TEST(a_signature_that_is_empty_or_no_string_proves_nothing)
{
    static const char *const bad[] = { "\"signature\":\"\"", "\"signature\":12345", "\"signature\":null", "\"redacted_data\":\"\"",
                                       "\"redacted_data\":[1]" };
    static char history[300];
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        anthropic();
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"reasoning\",\"text\":\"Hm.\",\"metadata\":{%s}}\n" SAYS("A"), bad[i]);
        HISTORY(history, "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    }
}

TEST(the_limit_is_at_most_the_largest_number)
{
    anthropic();
    request.reasoning_tokens = INT64_MAX - 4096;
    SAY_HI();
    MEMBER("max_tokens", "9223372036854775807");
    request.reasoning_tokens = INT64_MAX - 4095;
    SAY_HI();
    MEMBER("max_tokens", "9223372036854775807");
    request.reasoning_tokens = INT64_MAX - 4097;
    SAY_HI();
    MEMBER("max_tokens", "9223372036854775806");
    request.reasoning_tokens = 2000;
    SAY_HI();
    MEMBER("max_tokens", "6096");
    request.max_tokens = 2000;
    SAY_HI();
    MEMBER("max_tokens", "4000");
    request.max_tokens = 2001;
    SAY_HI();
    MEMBER("max_tokens", "2001");
}

TEST(a_budget_of_1024_is_enough)
{
    anthropic();
    request.reasoning_tokens = 1024;
    SAY_HI();
    MEMBER("thinking.budget_tokens", "1024");
    request.reasoning_tokens = 1025;
    SAY_HI();
    MEMBER("thinking.budget_tokens", "1025");
    request.reasoning_tokens = 1;
    SAY_HI();
    MEMBER("thinking.budget_tokens", "1024");
    request.reasoning_tokens = -1;
    SAY_HI();
    MEMBER("thinking", "");
    MEMBER("max_tokens", "4096");
}

TEST(a_budget_that_is_left_out_does_not_become_another_kind_of_thinking)
{
    anthropic();
    request.reasoning_tokens = 2000;
    request.show_reasoning = 1;
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(USE("a", "now")) "," FROM_USER(GOT("a", "1")) "]");
    MEMBER("thinking", "");
    request.reasoning_tokens = 0;
    request.show_reasoning = 0;
    request.summary = elelem_str_of("auto");
    request.model = elelem_str_of("claude-sonnet-4-6");
    SAY_HI();
    MEMBER("thinking", "{\"type\":\"adaptive\",\"display\":\"summarized\"}");
}

TEST(a_last_text_in_pieces_loses_its_whitespace_and_structured_output_keeps_all)
{
    anthropic();
    HISTORY(USER("Hi") "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"A\"}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\" b \\u00e9 \"}\n"
                "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"\\n\"}\n{\"eventType\":\"Flush\",\"index\":0}\n",
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A b \xc3\xa9")) "]");
    HISTORY(USER("Hi") "{\"type\":\"structured\",\"value\":{\"a\": 1}}\n", "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("{\\\"a\\\": 1}")) "]");
}

TEST(a_message_is_trimmed_if_what_follows_is_of_another_provider)
{
    anthropic();
    HISTORY(USER("Hi") SAYS("A ") USER(" ") "{\"type\":\"provider_item\",\"itemType\":\"toolCall\",\"item\":{\"toolCall\":{}}}\n",
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    HISTORY(USER("Hi") SAYS("A ") USER(" ") "{\"type\":\"provider_item\",\"itemType\":\"fallback\",\"item\":{\"type\":\"fallback\"}}\n",
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A ") ",{\"type\":\"fallback\"}") "]");
}

TEST(citations_of_several_lines_are_added_up_from_the_last_that_is_no_list)
{
#define CITING(chunk, list) "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"" chunk "\",\"metadata\":{\"citations\":" list "}}\n"
#define CITATION(text) "{\"type\":\"char_location\",\"cited_text\":\"" text "\"}"
    anthropic();
    HISTORY(USER("Hi") CITING("A", "[" CITATION("a") "]") "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"b\",\"metadata\":{\"m\":1}}\n"
                CITING("c", "[" CITATION("c") "]") USER("B"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"type\":\"text\",\"text\":\"Abc\",\"citations\":[" CITATION("a") "," CITATION("c") "]}") ","
            FROM_USER(TEXT("B")) "]");
    HISTORY(USER("Hi") CITING("A", "[" CITATION("a") "]") CITING("b", "null") CITING("c", "[" CITATION("c") "]") USER("B"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL("{\"type\":\"text\",\"text\":\"Abc\",\"citations\":[" CITATION("c") "]}") ","
            FROM_USER(TEXT("B")) "]");
}

TEST(citations_are_of_this_shape_by_the_types_of_all)
{
    static const char *const rows[][2] = {
        { "[{\"type\":\"char_location\"}]", "1" }, { "[{\"type\":\"page_location\"},{\"type\":\"char_location\"}]", "1" },
        { "[{\"type\":\"page_location\"},7]", "" }, { "[]", "" }, { "[ ]", "" }, { "[7]", "" },
        { "[[]]", "" }, { "{\"type\":\"char_location\"}", "" }, { "7", "" }, { "[{\"type\":\"url_citation\"}]", "" }, { "[{}]", "" },
        { "[{\"type\":\"location\"}]", "" },
    };
    static char history[300];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        anthropic();
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"message\",\"text\":\"A\",\"metadata\":{\"citations\":%s}}\n", rows[i][0]);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("messages[1].content[0].citations", *rows[i][1] ? rows[i][0] : "");
    }
}

TEST(callers_and_toolsets_of_this_shape_are_known_by_their_types)
{
    static const char *const rows[][2] = {
        { "{\"type\":\"code_execution_20250825\",\"tool_id\":\"t\"}", "1" }, { "{\"type\":\"direct\"}", "1" },
        { "{\"type\":\"code_execution_2\"}", "1" }, { "{\"type\":\"code_execution\"}", "" }, { "{\"type\":\"code_execution-20250825\"}", "" },
        { "{\"type\":\"direct_\"}", "" }, { "{\"type\":\"program_of_some_kind\"}", "" }, { "{}", "" }, { "7", "" }, { "\"direct\"", "" },
    };
    static char history[300];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        anthropic();
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"now\",\"arguments\":{},"
                 "\"metadata\":{\"caller\":%s,\"toolset_name\":%s}}\n", rows[i][0], *rows[i][1] ? "\"c\"" : "7");
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("messages[1].content[0].caller", *rows[i][1] ? rows[i][0] : "");
        MEMBER("messages[1].content[0].toolset_name", *rows[i][1] ? "\"c\"" : "");
    }
}

TEST(fields_of_the_provider_of_a_call_go_back_if_they_are_an_object)
{
    anthropic();
    HISTORY(USER("Hi") SIGNED_CALL("a", "now", "{}", "\"provider_specific_fields\":{\"signature\":\"s\"}")
                SIGNED_CALL("b", "now", "{}", "\"provider_specific_fields\":7") RESULT("a", "now", "1") RESULT("b", "now", "2"),
            "[" FROM_USER(TEXT("Hi")) ","
            FROM_MODEL("{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"now\",\"input\":{},\"provider_specific_fields\":{\"signature\":\"s\"}},"
                       USE("b", "now")) "," FROM_USER(GOT("a", "1") "," GOT("b", "2")) "]");
}

TEST(surrogates_pair_only_with_an_escape_of_the_other_half)
{
    anthropic();
    HISTORY(USER("\\ud83d\\nabcd \\ud83d\\uffff \\ud83d\\ud83d\\udd11 \\udbff\\udfff \\ud800\\udc00 \\ud83dabcdef \\ud83d"),
            "[" FROM_USER(TEXT("\xef\xbf\xbd\\nabcd \xef\xbf\xbd\xef\xbf\xbf \xef\xbf\xbd\xf0\x9f\x94\x91 \xf4\x8f\xbf\xbf \xf0\x90\x80\x80 \xef\xbf\xbd" "abcdef \xef\xbf\xbd")) "]");
}

TEST(settings_of_one_letter_are_settings)
{
    anthropic();
    request.schema = elelem_str_of("{}");
    request.top_p = elelem_str_of("1");
    request.top_k = elelem_str_of("1");
    SAY_HI();
    MEMBER("output_config", "{\"format\":{\"type\":\"json_schema\",\"schema\":{}}}");
    MEMBER("top_p", "1");
    MEMBER("top_k", "1");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.temperature = elelem_str_of("0");
    SAY_HI();
    MEMBER("temperature", "0");
    MEMBER("top_p", "");
    SAID_OF_BODY("top_p is left out: models refuse it together with temperature");
    ask("anthropic", "claude-sonnet-4-6");
    request.effort = elelem_str_of("x");
    SAY_HI();
    MEMBER("output_config", "{\"effort\":\"x\"}");
    request.seed = elelem_str_of("1");
    SAY_HI();
    SAID_OF_BODY("seed is left out: the provider has no member for it");
    anthropic();
    request.top_k = elelem_str_of("1");
    request.reasoning_tokens = 1;
    SAY_HI();
    MEMBER("top_k", "");
    SAID_OF_BODY("temperature, top_p and top_k are left out: the model refuses them while it reasons");
}

TEST(the_model_and_nothing_that_is_not_set_goes_out)
{
    anthropic();
    SAY_HI();
    MEMBER("", "{\"model\":\"claude-sonnet-4-5\",\"max_tokens\":4096,\"messages\":[" FROM_USER(TEXT("Hi")) "],\"stream\":true}");
    request.reasoning_tokens = 2000;
    request.top_p = request.top_k = elelem_str_of("1");
    SAY_HI();
    SAID_OF_BODY("temperature, top_p and top_k are left out: the model refuses them while it reasons");
}

TEST(whitespace_goes_after_any_character)
{
    anthropic();
    HISTORY(USER("Hi") SAYS("\\u007f\\u0080\\u07ff\\u0800\\uffff\\ud800\\udc00\\u007f \\n"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\x7f")) "]");
}

TEST(an_item_that_is_cut_off_is_left_out_though_it_is_an_object)
{
    anthropic();
    HISTORY(USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"fallback\",\"item\":{\"type\":\"fallback\"},\"state\":\"cut_off\"}\n" SAYS("A"),
            "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
    HISTORY(USER("Hi") SAYS("A ") THINKS("{\\\"type\\\":1}", "\"signature\":\"s\""), "[" FROM_USER(TEXT("Hi")) "," FROM_MODEL(TEXT("A")) "]");
}

CHECK_MAIN("request_messages",
    RUN(results_come_right_after_their_calls_and_before_any_text)
    RUN(a_call_without_a_result_gets_an_error)
    RUN(a_result_that_failed_without_saying_why_is_not_empty)
    RUN(a_stored_result_that_failed_says_why_whole_and_in_pieces)
    RUN(adjacent_texts_of_one_role_are_blocks_of_one_message)
    RUN(the_first_message_is_the_users)
    RUN(signed_reasoning_comes_before_its_calls_unchanged_and_in_order)
    RUN(reasoning_without_a_signature_is_left_out)
    RUN(reasoning_that_nothing_follows_is_left_out)
    RUN(blank_texts_are_left_out)
    RUN(a_last_text_of_the_model_loses_the_whitespace_at_its_end)
    RUN(a_text_after_a_call_comes_before_it)
    RUN(ids_have_only_letters_digits_underscores_and_hyphens)
    RUN(a_name_in_the_history_may_begin_with_a_digit_or_a_hyphen)
    RUN(the_model_is_named)
    RUN(arguments_that_are_no_object_become_one)
    RUN(a_lone_surrogate_becomes_a_replacement_character)
    RUN(blocks_of_the_providers_own_go_back_verbatim_in_their_place)
    RUN(a_call_of_the_provider_and_its_result_go_back_together_or_not_at_all)
    RUN(a_call_of_the_provider_and_its_result_are_a_pair_over_a_blank_text_of_the_user)
    RUN(ids_of_the_providers_calls_may_be_spelled_with_escapes)
    RUN(a_call_of_the_provider_at_the_very_end_may_run_yet)
    RUN(a_call_of_the_application_may_come_between_a_call_of_the_provider_and_its_result)
    RUN(of_more_than_64_calls_of_the_provider_all_go_back)
    RUN(an_unknown_item_with_an_id_is_none_of_this_shape)
    RUN(items_of_other_providers_and_items_that_are_not_whole_are_left_out)
    RUN(a_block_may_be_in_pieces_of_a_record)
    RUN(the_first_event_of_a_block_may_have_no_json_yet)
    RUN(pieces_that_are_no_object_together_are_left_out)
    RUN(citations_toolset_and_caller_go_back_if_they_are_of_this_shape)
    RUN(images_are_blocks_with_a_source)
    RUN(there_is_always_a_limit)
    RUN(the_user_has_the_last_word_with_models_that_do_not_continue_their_own_text)
    RUN(a_forced_call_is_left_out_for_models_that_refuse_it)
    RUN(an_effort_goes_to_models_that_take_one)
    RUN(a_budget_is_at_least_1024_and_below_the_limit)
    RUN(no_call_is_forced_and_no_sampling_set_while_thinking)
    RUN(adaptive_thinking_has_neither_a_forced_choice_nor_sampling)
    RUN(models_get_the_thinking_and_the_sampling_that_they_take)
    RUN(what_a_model_refuses_of_thinking_and_sampling_is_said)
    RUN(a_turn_that_began_without_thinking_continues_without)
    RUN(choices_of_a_tool_are_objects)
    RUN(temperature_and_top_p_do_not_go_together)
    RUN(schema_effort_and_summary_have_their_places)
    RUN(whitespace_at_the_end_goes_though_lines_follow_that_are_left_out)
    RUN(a_setting_that_is_left_out_is_said)
    RUN(items_that_are_left_out_do_not_end_a_step_with_calls)
    RUN(a_turn_at_work_begins_with_its_first_step_that_has_calls)
    RUN(a_signature_that_is_empty_or_no_string_proves_nothing)
    RUN(the_limit_is_at_most_the_largest_number)
    RUN(a_budget_of_1024_is_enough)
    RUN(a_budget_that_is_left_out_does_not_become_another_kind_of_thinking)
    RUN(a_last_text_in_pieces_loses_its_whitespace_and_structured_output_keeps_all)
    RUN(a_message_is_trimmed_if_what_follows_is_of_another_provider)
    RUN(citations_of_several_lines_are_added_up_from_the_last_that_is_no_list)
    RUN(citations_are_of_this_shape_by_the_types_of_all)
    RUN(callers_and_toolsets_of_this_shape_are_known_by_their_types)
    RUN(fields_of_the_provider_of_a_call_go_back_if_they_are_an_object)
    RUN(surrogates_pair_only_with_an_escape_of_the_other_half)
    RUN(settings_of_one_letter_are_settings)
    RUN(the_model_and_nothing_that_is_not_set_goes_out)
    RUN(whitespace_goes_after_any_character)
    RUN(an_item_that_is_cut_off_is_left_out_though_it_is_an_object))
