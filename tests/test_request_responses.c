/* request_responses: histories to the input items of Responses. */
#include "elelem_stream.h"

#include "requests.h"

#define HI "{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"Hi\"}]}"
#define SAID(text) "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"" text "\"}"
#define CALLED(id) "{\"type\":\"function_call\",\"call_id\":\"" id "\",\"name\":\"now\",\"arguments\":\"{}\"}"
#define GOT(id, text) "{\"type\":\"function_call_output\",\"call_id\":\"" id "\",\"output\":\"" text "\"}"
#define REASONED "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"Hm.\"}],\"encrypted_content\":\"e\"}"
#define PROVEN THINKS("Hm.", "\"item_id\":\"rs_1\",\"encrypted_content\":\"e\"")

/* Writes what the settings are tried with. */
#define SAY_HI() HISTORY(USER("Hi"), "[" HI "]")

static void openai(void)
{
    ask("openai", "gpt-5");
}

TEST(each_call_has_its_output_and_each_output_its_call)
{
    openai();
    HISTORY(USER("Hi") CALL("a", "now", "{}") CALL("b", "now", "{}") RESULT("b", "now", "2"),
            "[" HI "," CALLED("a") "," CALLED("b") "," GOT("a", "{\\\"error\\\":\\\"not run\\\"}") "," GOT("b", "2") "]");
    REFUSED(USER("Hi") RESULT("b", "now", "2"), ELELEM_ERROR_PROTOCOL, 28);
}

TEST(ids_that_come_again_in_the_next_step_pair_within_their_step)
{
    openai();
    HISTORY(USER("Hi") CALL("a", "now", "{}") RESULT("a", "now", "1") CALL("a", "now", "{}") RESULT("a", "now", "2"),
            "[" HI "," CALLED("a") "," GOT("a", "1") "," CALLED("a") "," GOT("a", "2") "]");
}

TEST(items_go_back_without_their_ids)
{
    openai();
    HISTORY(USER("Hi") PROVEN "{\"type\":\"message\",\"text\":\"A\",\"metadata\":{\"item_id\":\"msg_1\"}}\n"
                SIGNED_CALL("a", "now", "{}", "\"item_id\":\"fc_1\"") RESULT("a", "now", "1"),
            "[" HI "," REASONED "," SAID("A") "," CALLED("a") "," GOT("a", "1") "]");
}

TEST(reasoning_goes_back_only_with_encrypted_content)
{
    openai();
    HISTORY(USER("Hi") THINKS("Hm.", "\"item_id\":\"rs_1\"") THINKS("Hm.", "\"signature\":\"s\"") SAYS("A"), "[" HI "," SAID("A") "]");
    HISTORY(USER("Hi") THINKS("", "\"encrypted_content\":\"e\"") SAYS("A"),
            "[" HI ",{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"e\"}," SAID("A") "]");
}

TEST(reasoning_is_followed_by_the_item_it_led_to_or_left_out)
{
    openai();
    HISTORY(USER("Hi") PROVEN SAYS("A") PROVEN USER("Hi"), "[" HI "," REASONED "," SAID("A") "," HI "]");
    HISTORY(USER("Hi") PROVEN, "[" HI "]");
    HISTORY(USER("Hi") CALL("a", "now", "{}") PROVEN SAYS("A") RESULT("a", "now", "1"),
            "[" HI "," SAID("A") "," CALLED("a") "," GOT("a", "1") "]");
}

TEST(raw_reasoning_is_no_summary)
{
    openai();
    HISTORY(USER("Hi") THINKS("Hm.", "\"raw\":true,\"encrypted_content\":\"e\"") SAYS("A"),
            "[" HI ",{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"e\"}," SAID("A") "]");
}

TEST(nothing_is_stored_and_the_reasoning_comes_encrypted)
{
    openai();
    SAY_HI();
    MEMBER("store", "false");
    MEMBER("include", "[\"reasoning.encrypted_content\"]");
    request.extra = elelem_str_of("\"store\":true");
    SAY_HI();
    MEMBER("store", "true");
}

TEST(models_that_do_not_reason_are_not_asked_for_reasoning_and_get_none)
{
    static const char *const plain[] = { "gpt-4o", "gpt-4.1-mini", "gpt-3.5-turbo", "gpt-5-chat-latest", "chatgpt-4o-latest",
                                         "openai/gpt-4o", "ft:gpt-4o-mini:acme::1" };
    static const char *const reasoning[] = { "gpt-5", "gpt-5.1-chat-latest", "o4-mini", "gpt-oss-120b", "openai/gpt-5", "gpt-6", "grok-4" };
    size_t i;

    for (i = 0; i < sizeof plain / sizeof *plain; i++) {
        ask("openai", plain[i]);
        HISTORY(USER("Hi") PROVEN SAYS("A"), "[" HI "," SAID("A") "]");
        MEMBER("include", "");
        MEMBER("store", "false");
        request.extra = elelem_str_of("\"include\":[\"message.input_image.image_url\"]");
        SAY_HI();
        MEMBER("include", "[\"message.input_image.image_url\"]");
    }
    for (i = 0; i < sizeof reasoning / sizeof *reasoning; i++) {
        ask("openai", reasoning[i]);
        HISTORY(USER("Hi") PROVEN SAYS("A"), "[" HI "," REASONED "," SAID("A") "]");
        MEMBER("include", "[\"reasoning.encrypted_content\"]");
    }
}

TEST(a_text_between_calls_comes_before_them)
{
    openai();
    HISTORY(USER("Hi") CALL("a", "now", "{}") SAYS("A") CALL("b", "now", "{}") RESULT("a", "now", "1") RESULT("b", "now", "2"),
            "[" HI "," SAID("A") "," CALLED("a") "," CALLED("b") "," GOT("a", "1") "," GOT("b", "2") "]");
}

TEST(the_phase_of_a_message_goes_back)
{
    openai();
    HISTORY(USER("Hi") "{\"type\":\"message\",\"text\":\"A\",\"metadata\":{\"phase\":\"commentary\"}}\n",
            "[" HI ",{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"A\",\"phase\":\"commentary\"}]");
}

TEST(a_custom_call_goes_back_with_its_input_as_text)
{
    openai();
    HISTORY(USER("Hi") SIGNED_CALL("a", "sh", "\"ls \\\"x\\\"\"", "\"custom\":true") RESULT("a", "sh", "1"),
            "[" HI ",{\"type\":\"custom_tool_call\",\"call_id\":\"a\",\"name\":\"sh\",\"input\":\"ls \\\"x\\\"\"},"
            "{\"type\":\"custom_tool_call_output\",\"call_id\":\"a\",\"output\":\"1\"}]");
}

/* A call of a type of its own with its result. */
#define TYPED(type, name, arguments, result) \
    USER("Hi") "{\"type\":\"tool_call\",\"callType\":\"" type "\",\"id\":\"a\",\"name\":\"" name "\",\"arguments\":" arguments \
    "}\n{\"type\":\"tool_result\",\"id\":\"a\"," result "}\n"

TEST(a_shell_call_goes_back_with_what_was_printed)
{
    openai();
    HISTORY(TYPED("shell_call", "shell", "{\"action\":{\"commands\":[\"ls\"]}}", "\"text\":\"x\""),
            "[" HI ",{\"type\":\"shell_call\",\"call_id\":\"a\",\"action\":{\"commands\":[\"ls\"]}},"
            "{\"type\":\"shell_call_output\",\"call_id\":\"a\",\"output\":[{\"stdout\":\"x\",\"stderr\":\"\","
            "\"outcome\":{\"type\":\"exit\",\"exit_code\":0}}]}]");
    HISTORY(TYPED("shell_call", "shell", "{\"action\":{}}", "\"text\":\"no\",\"failed\":true"),
            "[" HI ",{\"type\":\"shell_call\",\"call_id\":\"a\",\"action\":{}},"
            "{\"type\":\"shell_call_output\",\"call_id\":\"a\",\"output\":[{\"stderr\":\"no\",\"stdout\":\"\","
            "\"outcome\":{\"type\":\"exit\",\"exit_code\":1}}]}]");
    HISTORY(TYPED("shell_call", "shell", "{\"action\":{}}", "\"output\":[{\"stdout\":\"x\"}]"),
            "[" HI ",{\"type\":\"shell_call\",\"call_id\":\"a\",\"action\":{}},"
            "{\"type\":\"shell_call_output\",\"call_id\":\"a\",\"output\":[{\"stdout\":\"x\"}]}]");
    HISTORY(TYPED("local_shell_call", "local_shell", "{\"action\":{}}", "\"text\":\"x\""),
            "[" HI ",{\"type\":\"local_shell_call\",\"call_id\":\"a\",\"action\":{}},"
            "{\"type\":\"local_shell_call_output\",\"call_id\":\"a\",\"output\":\"x\"}]");
}

TEST(a_patch_call_goes_back_with_its_status)
{
    openai();
    HISTORY(TYPED("apply_patch_call", "apply_patch", "{\"operation\":{\"type\":\"delete_file\"}}", "\"text\":\"no\",\"failed\":true"),
            "[" HI ",{\"type\":\"apply_patch_call\",\"call_id\":\"a\",\"operation\":{\"type\":\"delete_file\"}},"
            "{\"type\":\"apply_patch_call_output\",\"call_id\":\"a\",\"status\":\"failed\",\"output\":\"no\"}]");
}

TEST(a_patch_that_was_applied_is_completed)
{
    openai();
    HISTORY(TYPED("apply_patch_call", "apply_patch", "{\"operation\":{}}", "\"text\":\"ok\""),
            "[" HI ",{\"type\":\"apply_patch_call\",\"call_id\":\"a\",\"operation\":{}},"
            "{\"type\":\"apply_patch_call_output\",\"call_id\":\"a\",\"status\":\"completed\",\"output\":\"ok\"}]");
}

TEST(a_computer_call_goes_back_with_its_screenshot_or_not_at_all)
{
    openai();
    HISTORY(TYPED("computer_call", "computer", "{\"action\":{},\"pending_safety_checks\":[]}", "\"text\":\"data:x\""),
            "[" HI ",{\"type\":\"computer_call\",\"call_id\":\"a\",\"action\":{},\"pending_safety_checks\":[]},"
            "{\"type\":\"computer_call_output\",\"call_id\":\"a\",\"output\":{\"type\":\"computer_screenshot\",\"image_url\":\"data:x\"}}]");
    HISTORY(TYPED("computer_call", "computer", "{\"action\":{}}", "\"text\":\"no\",\"failed\":true"), "[" HI "]");
    HISTORY(TYPED("computer_call", "computer", "{\"action\":{}}",
                  "\"output\":{\"type\":\"computer_call_output\",\"call_id\":\"a\",\"acknowledged_safety_checks\":[]}"),
            "[" HI ",{\"type\":\"computer_call\",\"call_id\":\"a\",\"action\":{}},"
            "{\"type\":\"computer_call_output\",\"call_id\":\"a\",\"acknowledged_safety_checks\":[]}]");
}

TEST(a_result_of_the_providers_form_names_its_call_and_who_made_it_whatever_it_says)
{
    static const char *const rows[] = {
        "{\"type\":\"shell_call_output\",\"output\":[],\"max_output_length\":9}",
        "{\"output\":[],\"call_id\":\"z\",\"max_output_length\":9,\"caller\":{},\"type\":\"shell_call_output\"}",
        "{\"call_\\u0069d\":\"z\",\"output\":[],\"t\\u0079pe\":\"shell_call_output\",\"max_output_length\":9}",
    };
    static char history[600];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        openai();
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"tool_call\",\"callType\":\"shell_call\",\"id\":\"a\",\"name\":\"shell\",\"arguments\":{},"
                 "\"metadata\":{\"caller\":{\"type\":\"program\"}}}\n{\"type\":\"tool_result\",\"id\":\"a\",\"name\":\"shell\",\"output\":%s}\n", rows[i]);
        HISTORY(history, "[" HI ",{\"type\":\"shell_call\",\"call_id\":\"a\",\"caller\":{\"type\":\"program\"}},"
                "{\"type\":\"shell_call_output\",\"call_id\":\"a\",\"output\":[],\"max_output_length\":9,\"caller\":{\"type\":\"program\"}}]");
    }
    HISTORY(TYPED("mcp_approval_request", "ask", "{}", "\"output\":{\"type\":\"mcp_approval_response\",\"approve\":true,\"approval_request_id\":\"z\"}"),
            "[" HI ",{\"type\":\"mcp_approval_request\",\"id\":\"a\",\"name\":\"ask\",\"arguments\":\"{}\"},"
            "{\"type\":\"mcp_approval_response\",\"approval_request_id\":\"a\",\"approve\":true}]");
}

TEST(an_approval_is_asked_for_by_id_and_given)
{
    openai();
    HISTORY(USER("Hi") "{\"type\":\"tool_call\",\"callType\":\"mcp_approval_request\",\"id\":\"mcpr_1\",\"name\":\"x\","
                       "\"arguments\":{\"a\":1},\"metadata\":{\"server_label\":\"s\"}}\n"
                       "{\"type\":\"tool_result\",\"id\":\"mcpr_1\",\"text\":\"\"}\n",
            "[" HI ",{\"type\":\"mcp_approval_request\",\"id\":\"mcpr_1\",\"name\":\"x\",\"arguments\":\"{\\\"a\\\":1}\","
            "\"server_label\":\"s\"},{\"type\":\"mcp_approval_response\",\"approval_request_id\":\"mcpr_1\",\"approve\":true}]");
    HISTORY(TYPED("mcp_approval_request", "x", "{}", "\"text\":\"no\",\"failed\":true"),
            "[" HI ",{\"type\":\"mcp_approval_request\",\"id\":\"a\",\"name\":\"x\",\"arguments\":\"{}\"},"
            "{\"type\":\"mcp_approval_response\",\"approval_request_id\":\"a\",\"approve\":false,\"reason\":\"no\"}]");
}

TEST(a_tool_search_goes_back_with_the_tools_that_were_found)
{
    openai();
    HISTORY(TYPED("tool_search_call", "tool_search", "{\"q\":1}", "\"output\":[{\"type\":\"function\"}]"),
            "[" HI ",{\"type\":\"tool_search_call\",\"call_id\":\"a\",\"arguments\":{\"q\":1},\"execution\":\"client\"},"
            "{\"type\":\"tool_search_output\",\"call_id\":\"a\",\"execution\":\"client\",\"tools\":[{\"type\":\"function\"}]}]");
}

TEST(a_call_of_the_providers_code_goes_back_with_its_caller)
{
    openai();
    HISTORY(USER("Hi") SIGNED_CALL("a", "now", "{}", "\"caller\":{\"type\":\"program\",\"caller_id\":\"p\"},\"namespace\":\"n\"")
                RESULT("a", "now", "1"),
            "[" HI ",{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"now\",\"namespace\":\"n\",\"arguments\":\"{}\","
            "\"caller\":{\"type\":\"program\",\"caller_id\":\"p\"}},{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":\"1\","
            "\"caller\":{\"type\":\"program\",\"caller_id\":\"p\"}}]");
}

TEST(a_typed_call_is_a_function_for_other_providers)
{
    ask("chat", "m");
    HISTORY(TYPED("shell_call", "shell", "{\"action\":{}}", "\"text\":\"x\""),
            "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\","
            "\"type\":\"function\",\"function\":{\"name\":\"shell\",\"arguments\":\"{\\\"action\\\":{}}\"}}]},"
            "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"x\"}]");
}

TEST(items_of_the_providers_own_go_back_verbatim)
{
    openai();
    HISTORY(USER("Hi") PROVEN
                "{\"type\":\"provider_item\",\"itemType\":\"web_search_call\",\"item\":{\"type\":\"web_search_call\",\"id\":\"ws_1\"}}\n"
                "{\"type\":\"provider_item\",\"itemType\":\"server_tool_use\",\"item\":{\"type\":\"server_tool_use\",\"id\":\"s\"}}\n"
                SAYS("A"),
            "[" HI "," REASONED ",{\"type\":\"web_search_call\",\"id\":\"ws_1\"}," SAID("A") "]");
}

TEST(images_are_parts_of_the_users_message)
{
    openai();
    HISTORY("{\"type\":\"user\",\"text\":\"What?\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA==\"}]}\n",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"What?\"},"
            "{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,AA==\"}]}]");
}

TEST(tools_say_whether_they_are_strict)
{
    openai();
    offer("now", "");
    choose_tool();
    request.one_call = 1;
    SAY_HI();
    MEMBER("tools", "[{\"type\":\"function\",\"name\":\"now\",\"parameters\":{\"type\":\"object\",\"properties\":{}},\"strict\":false}]");
    MEMBER("tool_choice", "{\"type\":\"function\",\"name\":\"now\"}");
    MEMBER("parallel_tool_calls", "false");
}

TEST(settings_have_the_names_of_this_shape)
{
    ask("openai", "gpt-4.1");
    request.instructions = elelem_str_of("Be brief.");
    request.max_tokens = 100;
    request.temperature = elelem_str_of("1e0");
    request.effort = elelem_str_of("low");
    request.show_reasoning = 1;
    request.schema = elelem_str_of("{}");
    request.schema_strict = 1;
    SAY_HI();
    MEMBER("model", "\"gpt-4.1\"");
    MEMBER("instructions", "\"Be brief.\"");
    MEMBER("max_output_tokens", "100");
    MEMBER("temperature", "1e0");
    MEMBER("text", "{\"format\":{\"type\":\"json_schema\",\"name\":\"response\",\"schema\":{},\"strict\":true}}");
    request.model = elelem_str_of("gpt-5-chat-latest");
    SAY_HI();
    MEMBER("temperature", "1e0");
    request.model = elelem_str_of("gpt-5");
    SAY_HI();
    MEMBER("reasoning", "{\"effort\":\"low\",\"summary\":\"auto\"}");
    MEMBER("temperature", "");
}

TEST(models_that_do_not_reason_are_not_asked_for_an_effort_or_a_summary)
{
    ask("openai", "gpt-4.1");
    request.effort = elelem_str_of("low");
    SAY_HI();
    MEMBER("reasoning", "");
    SAID_OF_BODY("the effort is left out: the model refuses it");
    ask("openai", "gpt-4.1");
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.show_reasoning = 1;
    SAY_HI();
    MEMBER("reasoning", "");
    SAID_OF_BODY("summary and show_reasoning are left out: the model does not reason");
    request.show_reasoning = 0;
    request.summary = elelem_str_of("auto");
    SAY_HI();
    MEMBER("reasoning", "");
    SAID_OF_BODY("summary and show_reasoning are left out: the model does not reason");
}

TEST(the_limit_is_at_least_16)
{
    ask("openai", "gpt-5");
    SAY_HI();
    MEMBER("max_output_tokens", "");
    request.max_tokens = 1;
    SAY_HI();
    MEMBER("max_output_tokens", "16");
    SAID_OF_BODY("max_tokens is 16: the provider refuses less");
    request.max_tokens = 15;
    SAY_HI();
    MEMBER("max_output_tokens", "16");
    request.max_tokens = 16;
    SAY_HI();
    MEMBER("max_output_tokens", "16");
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
}

TEST(any_json_is_asked_for_in_a_message_because_one_must_have_the_word)
{
    ask("openai", "gpt-5");
    request.schema = elelem_str_of("true");
    HISTORY(USER("Hi"), "[{\"role\":\"developer\",\"content\":\"Return a JSON object.\"}," HI "]");
    MEMBER("text", "{\"format\":{\"type\":\"json_object\"}}");
    request.history = elelem_str_of("");
    CHECK_INT(write_body().status, ELELEM_ERROR_MISUSE);
}

TEST(a_reference_to_an_item_names_nothing_and_is_left_out)
{
    openai();
    HISTORY(USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"item_reference\",\"item\":{\"type\":\"item_reference\",\"id\":\"rs_1\"}}\n"
                SAYS("A"),
            "[" HI "," SAID("A") "]");
}

TEST(a_setting_that_is_left_out_is_said)
{
    openai();
    request.temperature = elelem_str_of("0.5");
    SAY_HI();
    MEMBER("temperature", "");
    SAID_OF_BODY("temperature and top_p are left out: the model refuses them");
    request.temperature = elelem_str_of("");
    SAY_HI();
    SAID_OF_BODY(elelem_status_sentence(ELELEM_OK));
    request.seed = elelem_str_of("1");
    SAY_HI();
    SAID_OF_BODY("seed is left out: the provider has no member for it");
    openai();
    request.reasoning_tokens = 1;
    SAY_HI();
    SAID_OF_BODY("reasoning_tokens is left out: the provider has no member for it");
}

TEST(a_call_of_a_type_without_arguments_is_left_out_with_its_result)
{
    static const char *const types[] = { "shell_call", "computer_call", "custom_tool_call", "mcp_approval_request", "function_call" };
    static char history[300];
    size_t i;

    for (i = 0; i < sizeof types / sizeof *types; i++) {
        openai();
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"tool_call\",\"callType\":\"%s\",\"id\":\"a\",\"name\":\"x\"}\n"
                 RESULT("a", "x", "1"), types[i]);
        HISTORY(history, "[" HI "]");
    }
}

TEST(a_typed_call_whose_arguments_are_no_object_is_a_function)
{
    openai();
    HISTORY(TYPED("shell_call", "sh", "[1]", "\"text\":\"x\""),
            "[" HI ",{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"sh\",\"arguments\":\"{\\\"input\\\":[1]}\"},"
            "{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":\"x\"}]");
}

/* Members of the arguments become members of the item, and may not be those that say what it is and whose. */
TEST(arguments_with_a_member_that_the_call_has_itself_are_those_of_a_function)
{
    static const char *const members[] = { "type", "id", "call_id", "name", "namespace", "caller", "environment", "execution", "status", "output",
                                           "\\u0074ype" };
    char history[600], written[100], expected[600];
    size_t i;

    for (i = 0; i < sizeof members / sizeof *members; i++) {
        openai();
        snprintf(history, sizeof history, TYPED("local_shell_call", "sh", "{\"action\":1,\"%s\":\"x\"}", "\"text\":\"x\""), members[i]);
        snprintf(written, sizeof written, "%s%s", members[i][0] == '\\' ? "\\" : "", members[i]);
        snprintf(expected, sizeof expected,
                 "[" HI ",{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"sh\",\"arguments\":\"{\\\"action\\\":1,\\\"%s\\\":\\\"x\\\"}\"},"
                 "{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":\"x\"}]", written);
        HISTORY(history, expected);
    }
}

/* The application's line of a call whose arguments are a text. */
static const char *call_with_text(const char *type, const char *arguments)
{
    static char line[2048], quoted[1024];
    elelem_span_sink span;
    elelem_writer writer;

    span.data = quoted;
    span.capacity = sizeof quoted;
    span.size = 0;
    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    CHECK_INT(elelem_writer_string(&writer, elelem_str_of(arguments)), ELELEM_OK);
    snprintf(line, sizeof line, "{\"eventType\":\"BeforeToolExecution\",\"type\":\"%s\",\"id\":\"a\",\"toolName\":\"x\",\"arguments\":%.*s}\n",
             type, (int)span.size, quoted);
    return line;
}

TEST(arguments_that_are_text_keep_the_type_of_their_call)
{
    static const struct {
        const char *type, *arguments, *expected;
    } rows[] = {
        { "shell_call", "{\"action\":{\"commands\":[\"l\\u0073\"]}}",
          "{\"type\":\"shell_call\",\"call_id\":\"a\",\"action\":{\"commands\":[\"ls\"]}}" },
        { "local_shell_call", " { } ", "{\"type\":\"local_shell_call\",\"call_id\":\"a\"}" },
        { "apply_patch_call", "\n{ \"operation\":{},\"b\":\"}\" }\n", "{\"type\":\"apply_patch_call\",\"call_id\":\"a\",\"operation\":{},\"b\":\"}\"}" },
        { "tool_search_call", "{\"q\":1}", "{\"type\":\"tool_search_call\",\"call_id\":\"a\",\"arguments\":{\"q\":1},\"execution\":\"client\"}" },
        { "mcp_approval_request", "{\"q\":1}", "{\"type\":\"mcp_approval_request\",\"id\":\"a\",\"name\":\"x\",\"arguments\":\"{\\\"q\\\":1}\"}" },
        { "custom_tool_call", " \" ls \\\"x\\\\\\ud83d\\udd11\\ud83d \" ",
          "{\"type\":\"custom_tool_call\",\"call_id\":\"a\",\"name\":\"x\",\"input\":\" ls \\\"x\\\\\xf0\x9f\x94\x91\xef\xbf\xbd \"}" },
        { "custom_tool_call", "\"\"", "{\"type\":\"custom_tool_call\",\"call_id\":\"a\",\"name\":\"x\",\"input\":\"\"}" },
        { "custom_tool_call", "{}", "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"x\",\"arguments\":\"{}\"}" },
        { "shell_call", "{ \"action\":{\"type\":1} , \"types\":2, \"a_name_of_20_letters\":3}",
          "{\"type\":\"shell_call\",\"call_id\":\"a\",\"action\":{\"type\":1},\"types\":2,\"a_name_of_20_letters\":3}" },
        { "shell_call", "{\"a\":1, \"call_id\":2}",
          "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"x\",\"arguments\":\"{\\\"a\\\":1, \\\"call_id\\\":2}\"}" },
        { "shell_call", "{\"\\u0074ype\":1}",
          "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"x\",\"arguments\":\"{\\\"\\\\u0074ype\\\":1}\"}" },
        { "shell_call", "{\"\\\"\":1}", "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"x\",\"arguments\":\"{\\\"\\\\\\\"\\\":1}\"}" },
        { "shell_call", "[1]", "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"x\",\"arguments\":\"{\\\"input\\\":[1]}\"}" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].arguments);
        openai();
        request.history = elelem_str_of(call_with_text(rows[i].type, rows[i].arguments));
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("input[0]", rows[i].expected);
    }
    request.history = elelem_str_of(call_with_text("computer_call", "{\"action\":{}}"));
    CHECK_INT(write_body().status, ELELEM_ERROR_MISUSE); /* its screen was not taken, and nothing else is there */
}

TEST(free_text_in_arguments_that_are_text_may_be_long)
{
    static char arguments[512], expected[512];
    size_t size;

    for (size = 100; size < 140; size++) { /* over the end of a run */
        memset(arguments, 'a', sizeof arguments);
        arguments[0] = '"';
        memcpy(arguments + size, "\xc3\xa9\\\\b\"", 7);
        memset(expected, 'a', sizeof expected);
        expected[0] = '"';
        memcpy(expected + size, "\xc3\xa9\\\\b\"", 7);
        openai();
        request.history = elelem_str_of(call_with_text("custom_tool_call", arguments));
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("input[0].input", expected);
    }
}

TEST(what_a_shell_printed_may_be_any_json)
{
    openai();
    HISTORY(TYPED("shell_call", "shell", "{\"action\":{}}", "\"output\":{\"n\":1}"),
            "[" HI ",{\"type\":\"shell_call\",\"call_id\":\"a\",\"action\":{}},"
            "{\"type\":\"shell_call_output\",\"call_id\":\"a\",\"output\":[{\"stdout\":\"{\\\"n\\\":1}\",\"stderr\":\"\","
            "\"outcome\":{\"type\":\"exit\",\"exit_code\":0}}]}]");
}

TEST(a_screen_may_be_the_object_that_the_provider_takes)
{
    openai();
    HISTORY(TYPED("computer_call", "computer", "{\"action\":{}}", "\"output\":{\"type\":\"computer_screenshot\",\"file_id\":\"f\"}"),
            "[" HI ",{\"type\":\"computer_call\",\"call_id\":\"a\",\"action\":{}},"
            "{\"type\":\"computer_call_output\",\"call_id\":\"a\",\"output\":{\"type\":\"computer_screenshot\",\"file_id\":\"f\"}}]");
}

TEST(the_output_of_a_function_is_never_a_form_of_the_provider)
{
    openai();
    HISTORY(TYPED("function_call", "now", "{}", "\"output\":{\"type\":\"function_call_output\",\"x\":1}"),
            "[" HI "," CALLED("a") ",{\"type\":\"function_call_output\",\"call_id\":\"a\","
            "\"output\":\"{\\\"type\\\":\\\"function_call_output\\\",\\\"x\\\":1}\"}]");
    HISTORY(TYPED("custom", "sh", "\"ls\"", "\"output\":{\"type\":\"custom_tool_call_output\",\"x\":1}"),
            "[" HI ",{\"type\":\"custom_tool_call\",\"call_id\":\"a\",\"name\":\"sh\",\"input\":\"ls\"},"
            "{\"type\":\"custom_tool_call_output\",\"call_id\":\"a\","
            "\"output\":\"{\\\"type\\\":\\\"custom_tool_call_output\\\",\\\"x\\\":1}\"}]");
    HISTORY(TYPED("tool_search_call", "tool_search", "{}", "\"output\":{\"type\":\"x\"}"),
            "[" HI ",{\"type\":\"tool_search_call\",\"call_id\":\"a\",\"arguments\":{},\"execution\":\"client\"},"
            "{\"type\":\"tool_search_output\",\"call_id\":\"a\",\"execution\":\"client\",\"tools\":[]}]");
}

TEST(an_approval_is_refused_by_false)
{
    openai();
    HISTORY(TYPED("mcp_approval_request", "x", "{}", "\"output\":false"),
            "[" HI ",{\"type\":\"mcp_approval_request\",\"id\":\"a\",\"name\":\"x\",\"arguments\":\"{}\"},"
            "{\"type\":\"mcp_approval_response\",\"approval_request_id\":\"a\",\"approve\":false}]");
}

TEST(the_environment_of_a_shell_call_goes_back)
{
    openai();
    HISTORY(USER("Hi") "{\"type\":\"tool_call\",\"callType\":\"shell_call\",\"id\":\"a\",\"name\":\"shell\",\"arguments\":{\"action\":{}},"
                "\"metadata\":{\"environment\":{\"type\":\"local\"}}}\n" RESULT("a", "shell", "x"),
            "[" HI ",{\"type\":\"shell_call\",\"call_id\":\"a\",\"action\":{},\"environment\":{\"type\":\"local\"}},"
            "{\"type\":\"shell_call_output\",\"call_id\":\"a\",\"output\":[{\"stdout\":\"x\",\"stderr\":\"\","
            "\"outcome\":{\"type\":\"exit\",\"exit_code\":0}}]}]");
}

TEST(a_summary_is_asked_for_by_its_word_or_by_showing_the_reasoning)
{
    openai();
    SAY_HI();
    MEMBER("reasoning", "");
    request.show_reasoning = 1;
    SAY_HI();
    MEMBER("reasoning", "{\"summary\":\"auto\"}");
    request.summary = elelem_str_of("detailed");
    SAY_HI();
    MEMBER("reasoning", "{\"summary\":\"detailed\"}");
    request.show_reasoning = 0;
    SAY_HI();
    MEMBER("reasoning", "{\"summary\":\"detailed\"}");
    request.summary = elelem_str_of("x");
    SAY_HI();
    MEMBER("reasoning", "{\"summary\":\"x\"}");
}

TEST(provider_items_are_of_the_shape_that_their_types_say)
{
    static const struct {
        const char *type, *item;
        int goes_back;
    } rows[] = {
        { "web_search_call", "{\"type\":\"web_search_call\"}", 1 },
        { "image_generation_call", "{\"type\":\"x\"}", 1 },
        { "code_output", "{\"type\":\"code_output\"}", 1 },
        { "mcp_list_tools", "{\"type\":\"mcp_list_tools\"}", 1 },
        { "agent_message", "{\"type\":\"agent_message\"}", 1 },
        { "compaction", "{\"type\":\"compaction\",\"id\":\"c\"}", 1 },
        { "compaction", "{\"type\":\"compaction\"}", 0 },
        { "call", "{\"type\":\"call\"}", 0 },
        { "_call", "{\"type\":\"_call\"}", 1 },
        { "_cal", "{\"type\":\"_cal\"}", 0 },
        { "web_search_call", "{\"id\":\"w\"}", 0 },
        { "web_search_call", "[\"type\"]", 0 },
        { "audio", "{\"type\":\"audio\"}", 0 },
        { "toolCall", "{\"type\":\"x_call\"}", 0 },
    };
    static char history[300];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        openai();
        snprintf(history, sizeof history, USER("Hi") "{\"type\":\"provider_item\",\"itemType\":\"%s\",\"item\":%s}\n", rows[i].type, rows[i].item);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        check_context(rows[i].item);
        MEMBER("input[1]", rows[i].goes_back ? rows[i].item : "");
        check_context(NULL);
    }
}

/* In a record the item is text, and its members are found in it. */
TEST(provider_items_in_pieces_are_of_the_shape_that_their_text_says)
{
    static const struct {
        const char *type, *item;
        int goes_back;
    } rows[] = {
        { "web_search_call", "{\\\"type\\\":\\\"web_search_call\\\"}", 1 },
        { "web_search_call", "{\\\"typed\\\":\\\"web_search_call\\\"}", 0 },
        { "web_search_call", "{\\\"typ\\\":\\\"web_search_call\\\"}", 0 },
        { "web_search_call", "{\\\"a\\\":1}", 0 },
        { "web_search_call", "{}", 0 },
    };
    static char history[9000], expected[400];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        openai();
        snprintf(history, sizeof history, USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"%s\",\"chunk\":\"%s\"}\n",
                 rows[i].type, rows[i].item);
        snprintf(expected, sizeof expected, rows[i].goes_back ? "[" HI ",{\"type\":\"web_search_call\"}]" : "[" HI "]");
        check_context(rows[i].item);
        HISTORY(history, expected);
        check_context(NULL);
    }
    openai();
    for (i = 4000; i < 4200; i += 199) { /* a type far inside is found */
        size_t k;
        strcpy(history, USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"{\\\"a\\\":\\\"");
        for (k = 0; k < i; k++)
            strcat(history, "b");
        strcat(history, "\\\",\\\"type\\\":\\\"x_call\\\"}\"}\n");
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        MEMBER("input[1].type", "\"x_call\"");
    }
}

TEST(only_members_of_the_item_itself_say_of_which_shape_its_pieces_are)
{
    static const struct {
        const char *item;
        int goes_back;
    } rows[] = {
        { "{\\\"a\\\":{\\\"type\\\":1}}", 0 },
        { "{\\\"a\\\":[{\\\"type\\\":1},[]],\\\"b\\\":\\\",\\\\\\\"type\\\\\\\":\\\"}", 0 },
        { "{\\\"a\\\":{\\\"type\\\":1},\\\"type\\\":[1,2]}", 1 },
        { "{ \\\"a\\\" : [ \\\"}\\\" , {} ] ,\\n\\\"type\\\"\\t: 1 }", 1 },
        { "{\\\"ty\\\\u0070e\\\":1}", 1 },
        { "{\\\"ty\\\\u0070\\\":1,\\\"type\\\\u0000\\\":1,\\\"\\\\\\\"\\\":1,\\\"\\\\ud83d\\\\ude00\\\":1}", 0 },
        { "{ }", 0 },
    };
    static char history[400];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        openai();
        snprintf(history, sizeof history, USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"%s\"}\n", rows[i].item);
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        check_context(rows[i].item);
        CHECK_INT(elelem_value_type(member_of_body("input[1]")) != ELELEM_TYPE_NONE, rows[i].goes_back);
        check_context(NULL);
    }
}

TEST(pieces_of_a_provider_item_may_be_empty_the_first_too)
{
    openai();
    HISTORY(USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"\"}\n"
                "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"{\\\"type\\\":\\\"x_\"}\n"
                "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"\"}\n"
                "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"call\\\"}\"}\n"
                "{\"eventType\":\"Flush\",\"index\":0}\n",
            "[" HI ",{\"type\":\"x_call\"}]");
    HISTORY(USER("Hi") "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"\"},"
                "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"{\\\"type\\\":\\\"x_call\\\"}\"}]}\n",
            "[" HI ",{\"type\":\"x_call\"}]");
}

/* What is a pair stays one, in whatever lines its halves are. */
TEST(a_lone_surrogate_in_the_pieces_of_an_item_becomes_a_replacement_character)
{
    static const char *const pieces[] = { "{\\\"type\\\":\\\"x_call\\\",\\\"a\\\":\\\"", "\\\\", "ud83", "d", "\\\\u", "dd11", "\\\\ud800", "\\\\u00e9\\\\udc00", "\\\\\\\\ud800\\\\n", "\xc3\xa9\\\\ud800\xe2\x82\xac\\\\ud800\xf0\x9f\x94\x91\\\\ud800\\\"}" };
    static char history[2000];
    size_t i, size, filled;

    for (filled = 0; filled < 130; filled++) {
        openai();
        size = (size_t)snprintf(history, sizeof history, USER("Hi"));
        for (i = 0; i < sizeof pieces / sizeof *pieces; i++)
            size += (size_t)snprintf(history + size, sizeof history - size, "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"%s%.*s\"}\n", pieces[i],
                                     i == 0 ? (int)filled : 0, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
        request.history = elelem_str_of(history);
        CHECK_INT(write_body().status, ELELEM_OK);
        body.text[body.size] = 0;
        CHECK(strstr(body.text, "\\ud83d\\udd11\\ufffd\\u00e9\\ufffd\\\\ud800\\n\xc3\xa9\\ufffd\xe2\x82\xac\\ufffd\xf0\x9f\x94\x91\\ufffd\"}") != NULL);
    }
}

TEST(a_lone_surrogate_in_what_a_call_is_to_do_becomes_a_replacement_character)
{
    openai();
    HISTORY(USER("Hi") "{\"type\":\"tool_call\",\"callType\":\"shell_call\",\"id\":\"a\",\"name\":\"shell\",\"arguments\":{\"action\":\"\\ud800\"}}\n"
                "{\"type\":\"tool_call\",\"callType\":\"tool_search_call\",\"id\":\"b\",\"name\":\"s\",\"arguments\":{}}\n"
                "{\"type\":\"tool_result\",\"id\":\"a\",\"output\":[]}\n{\"type\":\"tool_result\",\"id\":\"b\",\"output\":[\"\\udc00\"]}\n",
            "[" HI ",{\"type\":\"shell_call\",\"call_id\":\"a\",\"action\":\"\xef\xbf\xbd\"},"
            "{\"type\":\"tool_search_call\",\"call_id\":\"b\",\"arguments\":{},\"execution\":\"client\"},"
            "{\"type\":\"shell_call_output\",\"call_id\":\"a\",\"output\":[]},"
            "{\"type\":\"tool_search_output\",\"call_id\":\"b\",\"execution\":\"client\",\"tools\":[\"\xef\xbf\xbd\"]}]");
    body.text[body.size] = 0;
    CHECK(strstr(body.text, "\"\\ufffd\"}") && strstr(body.text, "[\"\\ufffd\"]"));
}

TEST(pieces_of_a_provider_item_of_any_length_are_one_object)
{
    static char history[2000], expected[1000];
    size_t size, k;

    for (size = 60; size < 320; size++) {
        openai();
        strcpy(history, USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"{\\\"type\\\":\\\"x_call\\\",\\\"a\\\":\\\"");
        strcpy(expected, "[" HI ",{\"type\":\"x_call\",\"a\":\"");
        for (k = 0; k < size; k++) {
            strcat(history, k % 50 == 49 ? "\\u00e9" : "b");
            strcat(expected, k % 50 == 49 ? "\xc3\xa9" : "b");
        }
        strcat(history, "\"}\n{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"c\\\"}\"}\n");
        strcat(expected, "c\"}]");
        HISTORY(history, expected);
    }
    strcpy(history + strlen(history) - 6, "\\\",}\"}\n"); /* what is wrong after much that was right */
    HISTORY(history, "[" HI "]");
    strcpy(history, USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"{\\\"type\\\":1,,");
    for (k = 0; k < 300; k++)
        strcat(history, " ");
    strcat(history, "\\\"a\\\":1}\"}\n");
    HISTORY(history, "[" HI "]");
    HISTORY(USER("Hi") "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"{\\\"type\\\":1]\"}\n"
                "{\"eventType\":\"PartialProviderItem\",\"index\":0,\"type\":\"x_call\",\"chunk\":\"}\"}\n", "[" HI "]");
}

TEST(what_a_call_came_with_goes_back_whatever_it_is)
{
    openai();
    HISTORY(USER("Hi") SIGNED_CALL("a", "now", "{}", "\"namespace\":7,\"environment\":1,\"server_label\":\"s\"") RESULT("a", "now", "1"),
            "[" HI ",{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"now\",\"namespace\":7,\"arguments\":\"{}\"}," GOT("a", "1") "]");
}

TEST(reasoning_is_followed_by_a_call_that_is_written)
{
    openai();
    HISTORY(USER("Hi") PROVEN CALL("a", "now", "{}") RESULT("a", "now", "1"), "[" HI "," REASONED "," CALLED("a") "," GOT("a", "1") "]");
    HISTORY(USER("Hi") PROVEN CALL("a", "", "{}") SAYS(" "), "[" HI "]");
    HISTORY(USER("Hi") PROVEN "{\"type\":\"provider_item\",\"itemType\":\"x_call\",\"item\":{\"type\":\"x_call\"}}\n",
            "[" HI "," REASONED ",{\"type\":\"x_call\"}]");
}

TEST(a_history_may_have_the_models_items_alone)
{
    openai();
    HISTORY(CALL("a", "now", "{}") RESULT("a", "now", "1"), "[" CALLED("a") "," GOT("a", "1") "]");
    HISTORY(SAYS("A"), "[" SAID("A") "]");
    HISTORY("{\"type\":\"provider_item\",\"itemType\":\"x_call\",\"item\":{\"type\":\"x_call\"}}\n", "[{\"type\":\"x_call\"}]");
}

CHECK_MAIN("request_responses",
    RUN(each_call_has_its_output_and_each_output_its_call)
    RUN(items_go_back_without_their_ids)
    RUN(reasoning_goes_back_only_with_encrypted_content)
    RUN(reasoning_is_followed_by_the_item_it_led_to_or_left_out)
    RUN(raw_reasoning_is_no_summary)
    RUN(nothing_is_stored_and_the_reasoning_comes_encrypted)
    RUN(models_that_do_not_reason_are_not_asked_for_reasoning_and_get_none)
    RUN(a_text_between_calls_comes_before_them)
    RUN(the_phase_of_a_message_goes_back)
    RUN(a_custom_call_goes_back_with_its_input_as_text)
    RUN(a_shell_call_goes_back_with_what_was_printed)
    RUN(a_patch_call_goes_back_with_its_status)
    RUN(a_patch_that_was_applied_is_completed)
    RUN(a_computer_call_goes_back_with_its_screenshot_or_not_at_all)
    RUN(a_result_of_the_providers_form_names_its_call_and_who_made_it_whatever_it_says)
    RUN(an_approval_is_asked_for_by_id_and_given)
    RUN(a_tool_search_goes_back_with_the_tools_that_were_found)
    RUN(a_call_of_the_providers_code_goes_back_with_its_caller)
    RUN(a_typed_call_is_a_function_for_other_providers)
    RUN(items_of_the_providers_own_go_back_verbatim)
    RUN(images_are_parts_of_the_users_message)
    RUN(tools_say_whether_they_are_strict)
    RUN(settings_have_the_names_of_this_shape)
    RUN(ids_that_come_again_in_the_next_step_pair_within_their_step)
    RUN(models_that_do_not_reason_are_not_asked_for_an_effort_or_a_summary)
    RUN(the_limit_is_at_least_16)
    RUN(any_json_is_asked_for_in_a_message_because_one_must_have_the_word)
    RUN(a_reference_to_an_item_names_nothing_and_is_left_out)
    RUN(a_setting_that_is_left_out_is_said)
    RUN(a_call_of_a_type_without_arguments_is_left_out_with_its_result)
    RUN(a_typed_call_whose_arguments_are_no_object_is_a_function)
    RUN(arguments_with_a_member_that_the_call_has_itself_are_those_of_a_function)
    RUN(arguments_that_are_text_keep_the_type_of_their_call)
    RUN(free_text_in_arguments_that_are_text_may_be_long)
    RUN(what_a_shell_printed_may_be_any_json)
    RUN(a_screen_may_be_the_object_that_the_provider_takes)
    RUN(the_output_of_a_function_is_never_a_form_of_the_provider)
    RUN(an_approval_is_refused_by_false)
    RUN(the_environment_of_a_shell_call_goes_back)
    RUN(a_summary_is_asked_for_by_its_word_or_by_showing_the_reasoning)
    RUN(provider_items_are_of_the_shape_that_their_types_say)
    RUN(provider_items_in_pieces_are_of_the_shape_that_their_text_says)
    RUN(only_members_of_the_item_itself_say_of_which_shape_its_pieces_are)
    RUN(pieces_of_a_provider_item_may_be_empty_the_first_too)
    RUN(a_lone_surrogate_in_the_pieces_of_an_item_becomes_a_replacement_character)
    RUN(a_lone_surrogate_in_what_a_call_is_to_do_becomes_a_replacement_character)
    RUN(pieces_of_a_provider_item_of_any_length_are_one_object)
    RUN(what_a_call_came_with_goes_back_whatever_it_is)
    RUN(reasoning_is_followed_by_a_call_that_is_written)
    RUN(a_history_may_have_the_models_items_alone))
