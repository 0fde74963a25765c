/* request_responses: histories to the input items of Responses. */
#include "elelem_stream.h"

#include "requests.h"

#define HI "{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"Hi\"}]}"
#define SAID(text) "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"" text "\"}"
#define CALLED(id) "{\"type\":\"function_call\",\"call_id\":\"" id "\",\"name\":\"now\",\"arguments\":\"{}\"}"
#define GOT(id, text) "{\"type\":\"function_call_output\",\"call_id\":\"" id "\",\"output\":\"" text "\"}"
#define REASONED "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"Hm.\"}],\"encrypted_content\":\"e\"}"
#define PROVEN THINKS("Hm.", "\"item_id\":\"rs_1\",\"encrypted_content\":\"e\"")

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
    HISTORY(USER("Hi"), "[" HI "]");
    MEMBER("store", "false");
    MEMBER("include", "[\"reasoning.encrypted_content\"]");
    request.extra = elelem_str_of("\"store\":true");
    HISTORY(USER("Hi"), "[" HI "]");
    MEMBER("store", "true");
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
    elelem_tool tool;

    openai();
    memset(&tool, 0, sizeof tool);
    tool.name = elelem_str_of("now");
    request.tools = &tool;
    request.tool_count = 1;
    request.tool_choice = ELELEM_TOOL_CHOICE_NAMED;
    request.tool_choice_name = tool.name;
    request.one_call = 1;
    HISTORY(USER("Hi"), "[" HI "]");
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
    HISTORY(USER("Hi"), "[" HI "]");
    MEMBER("instructions", "\"Be brief.\"");
    MEMBER("max_output_tokens", "100");
    MEMBER("temperature", "1e0");
    MEMBER("reasoning", "{\"effort\":\"low\",\"summary\":\"auto\"}");
    MEMBER("text", "{\"format\":{\"type\":\"json_schema\",\"name\":\"response\",\"schema\":{},\"strict\":true}}");
    request.model = elelem_str_of("gpt-5");
    HISTORY(USER("Hi"), "[" HI "]");
    MEMBER("temperature", "");
}

CHECK_MAIN("request_responses",
    RUN(each_call_has_its_output_and_each_output_its_call)
    RUN(items_go_back_without_their_ids)
    RUN(reasoning_goes_back_only_with_encrypted_content)
    RUN(reasoning_is_followed_by_the_item_it_led_to_or_left_out)
    RUN(raw_reasoning_is_no_summary)
    RUN(nothing_is_stored_and_the_reasoning_comes_encrypted)
    RUN(a_text_between_calls_comes_before_them)
    RUN(the_phase_of_a_message_goes_back)
    RUN(a_custom_call_goes_back_with_its_input_as_text)
    RUN(items_of_the_providers_own_go_back_verbatim)
    RUN(images_are_parts_of_the_users_message)
    RUN(tools_say_whether_they_are_strict)
    RUN(settings_have_the_names_of_this_shape))
