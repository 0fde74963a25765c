/* Messages as Anthropic and others send them: one quirk a test. A body of the test's name and its
   events are in tests/data/messages; what varies only in a word is in tables here. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"

#define QUIRK(name)                           \
    TEST(name)                                \
    {                                         \
        streams_shape(&elelem_shape_messages); \
        STREAM_FILE("messages/" #name);       \
    }

QUIRK(text_comes_in_deltas)
QUIRK(every_text_block_is_an_item)
QUIRK(a_block_may_begin_with_its_text)
QUIRK(a_block_may_pass_before_its_number)
QUIRK(a_block_that_passes_ends_one_of_its_number)
QUIRK(content_of_a_message_may_come_twice)
QUIRK(a_block_without_text_is_no_item)
QUIRK(a_response_may_be_empty)
QUIRK(a_signature_goes_whole_with_the_flush)
QUIRK(a_signature_may_come_in_pieces)
QUIRK(two_blocks_keep_their_signatures_apart)
QUIRK(a_thinking_block_may_hold_only_a_signature)
QUIRK(a_signature_of_a_block_never_stopped_still_comes)
QUIRK(a_signature_of_a_block_never_stopped_comes_without_message_stop)
QUIRK(a_signature_alone_may_come_after_the_block_that_follows)
QUIRK(redacted_thinking_is_metadata)
QUIRK(a_tool_call_streams_its_arguments)
QUIRK(a_tool_without_arguments_has_none)
QUIRK(an_empty_call_is_none)
QUIRK(a_call_without_id_and_name_has_its_arguments)
QUIRK(arguments_may_come_whole_in_the_start)
QUIRK(deltas_after_whole_arguments_repeat_them)
QUIRK(the_caller_of_a_tool_is_metadata)
QUIRK(text_thinking_and_calls_in_their_order)
QUIRK(blocks_may_interleave)
QUIRK(tools_of_the_provider_are_provider_items)
QUIRK(results_and_other_blocks_of_the_provider_are_provider_items)
QUIRK(a_compaction_is_a_provider_item)
QUIRK(a_compaction_keeps_its_signature_and_changes_of_tools)
QUIRK(a_listing_of_tools_is_a_provider_item)
QUIRK(a_paused_turn_may_end_with_a_call_of_the_provider)
QUIRK(a_call_of_a_toolset_keeps_its_name)
QUIRK(a_citation_of_a_search_keeps_its_encrypted_index)
QUIRK(unknown_blocks_are_provider_items_other_unknown_things_are_skipped)
QUIRK(a_delta_that_does_not_fit_its_block_is_ignored)
QUIRK(citations_come_one_by_one_as_arrays)
QUIRK(citations_may_be_in_the_start)
QUIRK(pings_may_come_anywhere)
QUIRK(frames_are_padded_with_blanks)
QUIRK(event_names_are_not_needed)
QUIRK(the_event_name_counts_if_the_data_has_no_type)
QUIRK(the_type_in_the_data_counts_before_the_event_name)
QUIRK(another_message_start_is_ignored)
QUIRK(message_start_may_be_missing)
QUIRK(a_message_start_after_a_block_is_ignored)
QUIRK(a_spliced_response_ends_the_blocks_of_the_first)
QUIRK(a_call_that_begins_twice_is_one_call)
QUIRK(a_number_may_be_used_again_after_its_stop)
QUIRK(a_delta_before_its_start_begins_its_block) /* P4 */
QUIRK(a_delta_after_its_stop_begins_another_block)
QUIRK(a_stop_without_a_start_is_ignored) /* P4 */
QUIRK(a_missing_index_is_zero)
QUIRK(blocks_never_stopped_are_flushed_at_the_reason)
QUIRK(a_call_of_the_provider_never_stopped_ends_with_the_reason)
QUIRK(a_call_of_the_provider_never_stopped_may_be_cut_off)
QUIRK(message_start_may_hold_whole_blocks)
QUIRK(usage_adds_up_over_frames)
QUIRK(the_last_usage_counts_if_frames_disagree)
QUIRK(usage_may_be_missing)
QUIRK(a_refusal_has_its_details)
QUIRK(a_refusal_may_have_no_details)
QUIRK(the_stop_sequence_that_was_met_is_metadata)
QUIRK(context_management_and_containers_are_of_the_response)
QUIRK(members_of_the_message_are_of_the_response)
QUIRK(unknown_members_of_the_message_are_of_the_response)
QUIRK(members_after_blocks_that_pass_count)
QUIRK(the_last_reason_counts)
QUIRK(message_stop_may_be_missing_after_the_reason)
QUIRK(message_stop_without_a_reason_is_completed)
QUIRK(message_stop_without_a_reason_after_calls_is_tool_calls)
QUIRK(message_stop_first_is_no_response)
QUIRK(an_end_without_a_reason_is_an_early_one)
QUIRK(an_end_inside_a_call_leaves_it_open)
QUIRK(nothing_after_message_stop_counts)
QUIRK(done_may_come_instead_of_message_stop)
QUIRK(an_error_event_is_the_end)
QUIRK(an_error_may_come_first)
QUIRK(an_error_may_have_no_event_name)
QUIRK(an_error_may_have_neither_type_nor_name)
QUIRK(an_error_event_may_have_no_type_in_its_data)
QUIRK(an_error_event_may_have_no_error_in_its_data)
QUIRK(an_error_type_may_come_without_an_error)
QUIRK(an_error_after_the_reason_is_an_error)
QUIRK(a_null_error_is_none)
QUIRK(lines_may_end_with_crlf)
QUIRK(a_last_frame_without_its_blank_line_counts)
QUIRK(key_order_does_not_matter)
QUIRK(escapes_and_surrogate_pairs_are_decoded)
QUIRK(a_whole_response_gives_what_its_stream_would)
QUIRK(a_whole_response_may_say_nothing)
QUIRK(a_whole_response_without_a_reason_is_completed)
QUIRK(an_error_in_place_of_a_response)

/* What varies in a word. */

#define START "data: {\"type\":\"message_start\",\"message\":{}}\n\n"
#define TEXT "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n"
#define STOP "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
#define REASON(word) "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" word "\"}}\n\n"
#define LAST "data: {\"type\":\"message_stop\"}\n\n"
#define WHOLE START TEXT STOP REASON("end_turn") LAST
#define WHOLE_GIVES "0 text \"a\"\n0 flush\nFINISHED completed raw=end_turn\nEND\n"

static const char *const reasons[][2] = {
    { "end_turn", "completed" },     { "stop_sequence", "completed" },
    { "max_tokens", "max_tokens" },  { "model_context_window_exceeded", "max_tokens" },
    { "tool_use", "tool_calls" },    { "refusal", "content_filter" },
    { "pause_turn", "continue" },    { "compaction", "continue" },
    { "END_TURN", "other" },         { "a_word_of_tomorrow", "other" },
};

TEST(each_stop_reason_has_its_meaning)
{
    char body[400], expected[200];
    size_t i;

    streams_shape(&elelem_shape_messages);
    for (i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        check_context(reasons[i][0]);
        snprintf(body, sizeof body, START "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"%s\"}}\n\n" LAST, reasons[i][0]);
        snprintf(expected, sizeof expected, "FINISHED %s raw=%s\nEND\n", reasons[i][1], reasons[i][0]);
        STREAM(body, expected);
    }
}

TEST(message_text_is_structured_if_json_was_requested)
{
    streams_shape(&elelem_shape_messages);
    streams_now.desc.structured = 1;
    STREAM(WHOLE, "0 json \"a\"\n0 flush\nFINISHED completed raw=end_turn\nEND\n");
}

#define BLOCK(block) "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{" block "}}\n\n"
#define DELTA(delta) "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{" delta "}}\n\n"
#define TEXT_DELTA(text) DELTA("\"type\":\"text_delta\",\"text\":\"" text "\"")
#define THINK_DELTA(text) DELTA("\"type\":\"thinking_delta\",\"thinking\":\"" text "\"")
#define EMPTY_TEXT BLOCK("\"type\":\"text\",\"text\":\"\"")
#define EMPTY_THOUGHT BLOCK("\"type\":\"thinking\",\"thinking\":\"\"")
#define FINISH STOP REASON("end_turn") LAST
#define FINISHED_WELL "FINISHED completed raw=end_turn\nEND\n"

TEST(a_text_that_begins_again_is_one_text)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START EMPTY_TEXT TEXT_DELTA("a") EMPTY_TEXT TEXT_DELTA("b") FINISH, "0 text \"ab\"\n0 flush\n" FINISHED_WELL);
    STREAM(START EMPTY_THOUGHT THINK_DELTA("a") EMPTY_THOUGHT THINK_DELTA("b") FINISH, "0 think \"ab\"\n0 flush\n" FINISHED_WELL);
}

TEST(a_text_that_begins_under_the_number_of_another_block_is_another)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START EMPTY_TEXT TEXT_DELTA("a") BLOCK("\"type\":\"text\",\"text\":\"b\"") FINISH,
           "0 text \"a\"\n0 flush\n1 text \"b\"\n1 flush\n" FINISHED_WELL);
    STREAM(START EMPTY_THOUGHT THINK_DELTA("a") BLOCK("\"type\":\"thinking\",\"thinking\":\"b\"") FINISH,
           "0 think \"a\"\n0 flush\n1 think \"b\"\n1 flush\n" FINISHED_WELL);
    STREAM(START EMPTY_THOUGHT THINK_DELTA("a") BLOCK("\"type\":\"redacted_thinking\",\"data\":\"d\"") FINISH,
           "0 think \"a\"\n0 flush\n1 meta redacted_data=\"d\"\n1 flush\n" FINISHED_WELL);
    STREAM(START EMPTY_THOUGHT THINK_DELTA("a") EMPTY_TEXT TEXT_DELTA("b") FINISH,
           "0 think \"a\"\n0 flush\n1 text \"b\"\n1 flush\n" FINISHED_WELL);
    STREAM(START EMPTY_TEXT TEXT_DELTA("a") START EMPTY_TEXT TEXT_DELTA("b") FINISH,
           "0 text \"a\"\n0 flush\n1 text \"b\"\n1 flush\n" FINISHED_WELL);
}

#define USES(input) BLOCK("\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":" input)

TEST(the_input_of_a_call_may_be_a_text)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START USES("\"{\\\"a\\\":1}\"") STOP REASON("tool_use") LAST, "0 call id=c name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
    STREAM(START USES("\"\"") DELTA("\"type\":\"input_json_delta\",\"partial_json\":\"{}\"") STOP REASON("tool_use") LAST,
           "0 call id=c name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
}

TEST(the_raw_usage_has_what_the_last_frame_says_of_each_member)
{
    streams_shape(&elelem_shape_messages);
    streams_now.usage = 1;
    STREAM("data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7,\"service_tier\":\"standard\"}}}\n\n"
           "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1.0}}\n\n" LAST,
           "response service_tier=\"standard\"\nFINISHED completed raw=end_turn in=7 out=1\nmeta usage={\"input_tokens\":7,\"service_tier\":\"standard\",\"output_tokens\":1.0}\nEND\n");
}

TEST(a_broken_transport_after_the_reason_is_a_clean_end)
{
    streams_shape(&elelem_shape_messages);
    streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
    STREAM(START TEXT STOP REASON("end_turn"), WHOLE_GIVES);
    STREAM(START TEXT STOP, "0 text \"a\"\n0 flush\nERROR connect retryable \"the response ended before it was complete\"\nEND\n");
}

TEST(a_refused_request_has_its_request_id)
{
    streams_shape(&elelem_shape_messages);
    streams_now.http_status = 400;
    STREAM("{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"No\"},\"request_id\":\"req_1\"}",
           "ERROR invalid_request http=400 code=invalid_request_error \"No\"\nmeta request_id=\"req_1\"\nEND\n");
}

/* Numbers that no provider sends, and members of other types. */

/* Of two blocks the second has an odd number in one of its frames, or in all. */
TEST(an_index_that_is_no_number_of_a_wire_is_that_of_the_newest_block) /* P2 */
{
    static const char *const words[] = { "-1", "2147483648", "4294967296", "18446744073709551616", "1e300",
                                         "0.5", "\"0\"", "true", "null", "[0]", "{}" };
    char body[1000];
    size_t i;
    unsigned odd;

    streams_shape(&elelem_shape_messages);
    for (i = 0; i < sizeof words / sizeof *words; i++)
        for (odd = 1; odd < 8; odd++) {
            check_context(words[i]);
            snprintf(body, sizeof body, START TEXT STOP
                     "data: {\"type\":\"content_block_start\",\"index\":%s,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\"}}\n\n"
                     "data: {\"type\":\"content_block_delta\",\"index\":%s,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n"
                     "data: {\"type\":\"content_block_stop\",\"index\":%s}\n\n" REASON("tool_use") LAST,
                     odd & 1 ? words[i] : "1", odd & 2 ? words[i] : "1", odd & 4 ? words[i] : "1");
            STREAM(body, "0 text \"a\"\n0 flush\n1 call id=t name=f\n1 args \"{}\"\n1 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
        }
}

TEST(the_event_name_counts_if_the_type_in_the_data_is_unknown)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START "event: content_block_start\ndata: {\"type\":\"odd\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n"
           "event: content_block_delta\ndata: {\"type\":\"ping\"}\n\n" STOP REASON("end_turn")
           "event: message_stop\ndata: {\"type\":\"\"}\n\n", WHOLE_GIVES);
}

TEST(an_index_may_be_null_and_as_large_as_a_wire_number)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START "data: {\"type\":\"content_block_start\",\"index\":null,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n"
           "data: {\"type\":\"content_block_start\",\"index\":2147483647,\"content_block\":{\"type\":\"text\",\"text\":\"b\"}}\n\n"
           STOP "data: {\"type\":\"content_block_stop\",\"index\":2147483647}\n\n" REASON("end_turn") LAST,
           "0 text \"a\"\n1 text \"b\"\n0 flush\n1 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(known_members_of_other_types_are_ignored)
{
    static const char *const frames[] = {
        "{\"type\":7}", "{\"type\":null}", "{\"type\":[]}", "[]", "7", "\"x\"", "null", "{}",
        "{\"type\":\"message_start\",\"message\":7}", "{\"type\":\"message_start\",\"message\":[]}",
        "{\"type\":\"message_start\",\"message\":{\"usage\":7,\"content\":7,\"stop_reason\":7,\"stop_details\":7}}",
        "{\"type\":\"message_start\",\"message\":{\"usage\":[],\"content\":[7,null,[],\"x\",{}],\"stop_reason\":{}}}",
        "{\"type\":\"message_delta\"}", "{\"type\":\"message_delta\",\"delta\":7,\"usage\":7}",
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":7,\"stop_details\":7,\"stop_sequence\":7},\"usage\":[]}",
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"\"},\"usage\":{\"input_tokens\":\"7\",\"output_tokens\":1.5,\"output_tokens_details\":7}}",
        "{\"error\":7}", "{\"error\":[]}", "{\"error\":false}", "{\"error\":\"\"}",
    };
    char body[1000];
    size_t i;

    streams_shape(&elelem_shape_messages);
    for (i = 0; i < sizeof frames / sizeof *frames; i++) {
        check_context(frames[i]);
        snprintf(body, sizeof body, "data: %s\n\n" START "data: {\"type\":\"content_block_start\",\"index\":9,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n"
                 REASON("end_turn") LAST, frames[i]);
        feed_check(&streams_fed, body, strlen(body), NULL, __FILE__, __LINE__);
        feed_whole.text[feed_whole.size] = '\0';
        CHECK(strstr(feed_whole.text, " text \"a\"\n"));
        CHECK(strstr(feed_whole.text, "FINISHED completed raw=end_turn\n"));
        CHECK(!strstr(feed_whole.text, "BROKEN"));
    }
}

TEST(members_of_blocks_of_other_types_are_ignored)
{
    static const char *const types[] = { "text", "thinking", "redacted_thinking", "tool_use" };
    static const char *const members[] = { "text", "citations", "thinking", "signature", "data", "id", "name", "input", "caller" };
    static const char *const values[] = { "null", "true", "7", "\"\"", "{}", "[]", "[[]]", "[null]" };
    char body[1000];
    size_t i, k, n;

    streams_shape(&elelem_shape_messages);
    for (i = 0; i < sizeof types / sizeof *types; i++)
        for (k = 0; k < sizeof members / sizeof *members; k++)
            for (n = 0; n < sizeof values / sizeof *values; n++) {
                snprintf(body, sizeof body, "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"%s\",\"%s\":%s}}\n\n"
                         "data: {\"type\":\"content_block_stop\",\"index\":3}\n\n" WHOLE, types[i], members[k], values[n]);
                check_context(body);
                feed_once(&streams_fed, &feed_whole, body, strlen(body), 60, 60, 0);
                feed_whole.text[feed_whole.size] = '\0';
                CHECK(strstr(feed_whole.text, "1 text \"a\"\n1 flush\nFINISHED ") && strstr(feed_whole.text, " raw=end_turn\nEND\n"));
                CHECK(!strstr(feed_whole.text, "BROKEN"));
            }
}

TEST(members_of_deltas_of_other_types_are_ignored)
{
    static const char *const types[][2] = {
        { "text", "text_delta" }, { "text", "citations_delta" }, { "thinking", "thinking_delta" },
        { "thinking", "signature_delta" }, { "tool_use", "input_json_delta" }
    };
    static const char *const values[] = { "null", "true", "7", "\"\"", "{}", "[]", "[[]]" };
    char body[1000];
    size_t i, n;

    streams_shape(&elelem_shape_messages);
    for (i = 0; i < sizeof types / sizeof *types; i++)
        for (n = 0; n < sizeof values / sizeof *values; n++) {
            snprintf(body, sizeof body, "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"%s\"}}\n\n"
                     "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"%s\",\"text\":%s,\"thinking\":%s,\"signature\":%s,\"partial_json\":%s}}\n\n"
                     "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":%s}\n\n"
                     "data: {\"type\":\"content_block_stop\",\"index\":3}\n\n" WHOLE, types[i][0], types[i][1], values[n], values[n], values[n], values[n], values[n]);
            check_context(body);
            feed_once(&streams_fed, &feed_whole, body, strlen(body), 60, 60, 0);
            feed_whole.text[feed_whole.size] = '\0';
            CHECK(strstr(feed_whole.text, "1 text \"a\"\n1 flush\nFINISHED ") && strstr(feed_whole.text, " raw=end_turn\nEND\n"));
            CHECK(!strstr(feed_whole.text, "BROKEN"));
        }
}

/* Frames that no provider sends, but a faulty proxy may. */

/* A server that fills in the end when it begins. Of a word that is not known nothing is kept. */
TEST(a_reason_in_a_start_without_content_makes_no_body_whole_that_breaks_off)
{
    char body[1000], expected[200], raw[100];
    size_t i;

    streams_shape(&elelem_shape_messages);
    for (i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        check_context(reasons[i][0]);
        snprintf(body, sizeof body, "data: {\"type\":\"message_start\",\"message\":{\"stop_reason\":\"%s\",\"content\":[]}}\n\n" TEXT STOP, reasons[i][0]);
        STREAM(body, "0 text \"a\"\n0 flush\nERROR connect retryable \"the response ended before it was complete\"\nEND\n");
        strcat(body, LAST);
        snprintf(raw, sizeof raw, " raw=%s", reasons[i][0]);
        snprintf(expected, sizeof expected, "0 text \"a\"\n0 flush\nFINISHED %s%s\nEND\n", reasons[i][1], strcmp(reasons[i][1], "other") == 0 ? "" : raw);
        STREAM(body, expected);
    }
    STREAM("data: {\"type\":\"message_start\",\"message\":{\"stop_reason\":\"end_turn\",\"content\":[]}}\n\n" TEXT STOP REASON("max_tokens") LAST,
           "0 text \"a\"\n0 flush\nFINISHED max_tokens raw=max_tokens\nEND\n");
}

#define CALL(index, id) \
    "data: {\"type\":\"content_block_start\",\"index\":" index ",\"content_block\":{\"type\":\"tool_use\"" id ",\"name\":\"f\"}}\n\n"
#define STOP_AT(index) "data: {\"type\":\"content_block_stop\",\"index\":" index "}\n\n"
#define DELTA_OF_NO_BLOCK "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}\n\n"
#define PROTOCOL_ERROR "ERROR protocol \"the input does not follow the provider's protocol\" status=ERROR_PROTOCOL\nEND\n"

TEST(a_delta_without_a_number_is_of_the_newest_block_that_did_not_stop)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START TEXT CALL("1", ",\"id\":\"t\"") STOP_AT("1") DELTA_OF_NO_BLOCK STOP REASON("tool_use") LAST,
           "0 text \"a\"\n1 call id=t name=f\n1 flush\n0 text \"b\"\n0 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
    STREAM(START CALL("0", ",\"id\":\"t\"") STOP DELTA_OF_NO_BLOCK REASON("tool_use") LAST,
           "0 call id=t name=f\n0 flush\n1 text \"b\"\n1 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
    STREAM(START TEXT CALL("1", ",\"id\":\"t\"") STOP_AT("1")
           "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n",
           "0 text \"a\"\n1 call id=t name=f\n" PROTOCOL_ERROR);
    STREAM(START TEXT STOP "data: {\"type\":\"content_block_stop\"}\n\n" REASON("end_turn") LAST, WHOLE_GIVES);
}

#define JSON_DELTA(text) DELTA("\"type\":\"input_json_delta\",\"partial_json\":\"" text "\"")
#define SIGN_DELTA(text) DELTA("\"type\":\"signature_delta\",\"signature\":\"" text "\"")
#define TEXT_DELTA_AT(index, text) \
    "data: {\"type\":\"content_block_delta\",\"index\":" index ",\"delta\":{\"type\":\"text_delta\",\"text\":\"" text "\"}}\n\n"
#define THOUGHT_OF(thinking, signature) BLOCK("\"type\":\"thinking\",\"thinking\":\"" thinking "\",\"signature\":\"" signature "\"")

/* LiteLLM 1.82, of models that stream reasoning_content. */
TEST(reasoning_that_comes_in_a_block_of_text_is_reasoning)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START EMPTY_TEXT THINK_DELTA("a") THINK_DELTA("b") TEXT_DELTA("c") TEXT_DELTA("d") FINISH,
           "1 think \"ab\"\n1 flush\n2 text \"cd\"\n2 flush\n" FINISHED_WELL);
    STREAM(START EMPTY_TEXT TEXT_DELTA("a") THINK_DELTA("b") SIGN_DELTA("s") FINISH,
           "0 text \"a\"\n0 flush\n1 think \"b\"\n1 meta signature=\"s\"\n1 flush\n" FINISHED_WELL);
}

/* SGLang, and vLLM in 2025. */
TEST(text_that_comes_in_the_block_of_a_call_is_text_and_the_call_continues)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START USES("{}") JSON_DELTA("{}") TEXT_DELTA("a") TEXT_DELTA("b") STOP REASON("tool_use") LAST,
           "0 call id=c name=f\n0 args \"{}\"\n1 text \"ab\"\n0 flush\n1 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
    STREAM(START USES("{}") TEXT_DELTA("a") JSON_DELTA("{}") STOP REASON("tool_use") LAST,
           "0 call id=c name=f\n1 text \"a\"\n0 args \"{}\"\n0 flush\n1 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
    STREAM(START USES("{}") THINK_DELTA("a") TEXT_DELTA("b") STOP REASON("tool_use") LAST,
           "0 call id=c name=f\n1 think \"a\"\n1 flush\n2 text \"b\"\n0 flush\n2 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
}

/* Ollama, of text after reasoning after text; claude-code-router, whose number is -1 then. */
TEST(text_and_reasoning_without_a_start_begin_their_block)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START EMPTY_TEXT TEXT_DELTA("a") EMPTY_THOUGHT THINK_DELTA("b") STOP TEXT_DELTA_AT("1", "c") TEXT_DELTA_AT("1", "d") STOP_AT("1") REASON("end_turn") LAST,
           "0 text \"a\"\n0 flush\n1 think \"b\"\n1 flush\n2 text \"cd\"\n2 flush\n" FINISHED_WELL);
    STREAM(START EMPTY_TEXT TEXT_DELTA("a") STOP TEXT_DELTA_AT("-1", "b") TEXT_DELTA_AT("-1", "c") REASON("end_turn") LAST,
           "0 text \"a\"\n0 flush\n1 text \"bc\"\n1 flush\n" FINISHED_WELL);
    STREAM(THINK_DELTA("a") LAST, "0 think \"a\"\n0 flush\nFINISHED completed\nEND\n");
}

/* LiteLLM in 2025 sends one after the reason, of the chunk with usage. */
TEST(an_empty_delta_of_text_needs_no_block)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START TEXT STOP REASON("end_turn") TEXT_DELTA("") LAST, WHOLE_GIVES);
    STREAM(START TEXT STOP JSON_DELTA(""), "0 text \"a\"\n0 flush\n" PROTOCOL_ERROR);
}

/* CLIProxyAPI, if the first part of Gemini has its signature. */
TEST(a_signature_without_a_start_is_of_reasoning)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START SIGN_DELTA("s") EMPTY_TEXT TEXT_DELTA("a") FINISH, "0 meta signature=\"s\"\n0 flush\n1 text \"a\"\n1 flush\n" FINISHED_WELL);
    STREAM(START SIGN_DELTA("s") EMPTY_THOUGHT THINK_DELTA("a") FINISH, "0 think \"a\"\n0 meta signature=\"s\"\n0 flush\n" FINISHED_WELL);
}

/* LiteLLM. */
TEST(reasoning_that_a_block_begins_with_counts_once_if_the_first_delta_repeats_it)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START THOUGHT_OF("a", "") THINK_DELTA("a") THINK_DELTA("a") THINK_DELTA("b") FINISH, "0 think \"aab\"\n0 flush\n" FINISHED_WELL);
    STREAM(START THOUGHT_OF("a", "") THINK_DELTA("b") THINK_DELTA("a") FINISH, "0 think \"aba\"\n0 flush\n" FINISHED_WELL);
    STREAM(START EMPTY_THOUGHT THINK_DELTA("a") THINK_DELTA("a") FINISH, "0 think \"aa\"\n0 flush\n" FINISHED_WELL);
}

TEST(a_signature_that_a_block_begins_with_counts_once_if_a_delta_repeats_it)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START THOUGHT_OF("", "s") SIGN_DELTA("s") FINISH, "0 meta signature=\"s\"\n0 flush\n" FINISHED_WELL);
    STREAM(START THOUGHT_OF("", "s") SIGN_DELTA("t") FINISH, "0 meta signature=\"st\"\n0 flush\n" FINISHED_WELL);
    STREAM(START THOUGHT_OF("", "") SIGN_DELTA("s") SIGN_DELTA("s") FINISH, "0 meta signature=\"ss\"\n0 flush\n" FINISHED_WELL);
}

/* vLLM if the request forced the call, claude-code-router of models of Google. */
TEST(the_end_of_the_turn_after_a_call_means_the_call)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START USES("{\"a\":1}") STOP REASON("end_turn") LAST,
           "0 call id=c name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\nFINISHED tool_calls raw=end_turn\nEND\n");
    STREAM(START USES("{\"a\":1}") REASON("end_turn") LAST,
           "0 call id=c name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\nFINISHED tool_calls raw=end_turn\nEND\n");
    STREAM(START USES("{\"a\":1}") STOP REASON("end_turn"),
           "0 call id=c name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\nFINISHED tool_calls raw=end_turn\nEND\n");
    STREAM("{\"content\":[{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{}}],\"stop_reason\":\"end_turn\"}",
           "0 call id=c name=f\n0 flush\nFINISHED tool_calls raw=end_turn\nEND\n");
    STREAM(START USES("{\"a\":1}") STOP REASON("stop_sequence") LAST,
           "0 call id=c name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\nFINISHED completed raw=stop_sequence\nEND\n");
}

/* LiteLLM has Gemini's signature of a call there, and takes it from there. */
TEST(fields_of_the_provider_of_a_call_are_metadata_of_it)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START BLOCK("\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{},\"provider_specific_fields\":{\"signature\":\"s\"}") JSON_DELTA("{}") STOP REASON("tool_use") LAST,
           "0 meta provider_specific_fields={\"signature\":\"s\"}\n0 call id=c name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
    STREAM(START BLOCK("\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{},\"provider_specific_fields\":null") JSON_DELTA("{}") STOP REASON("tool_use") LAST,
           "0 call id=c name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
}

/* vLLM in 2025, and SGLang. */
TEST(usage_may_be_next_to_the_message_or_in_the_last_frame)
{
    streams_shape(&elelem_shape_messages);
    STREAM("data: {\"type\":\"message_start\",\"message\":{\"content\":[]},\"usage\":{\"input_tokens\":7}}\n\n" TEXT STOP REASON("end_turn") LAST,
           "0 text \"a\"\n0 flush\nFINISHED completed raw=end_turn in=7\nEND\n");
    STREAM(START TEXT STOP "data: {\"type\":\"message_stop\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"usage\":{\"input_tokens\":7,\"output_tokens\":9}}}\n\n",
           "0 text \"a\"\n0 flush\nFINISHED completed in=7 out=9\nEND\n");
}

TEST(another_block_under_the_number_of_an_open_call_ends_the_call)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START CALL("0", ",\"id\":\"t\"") TEXT STOP REASON("end_turn") LAST,
           "0 call id=t name=f\n0 flush cut_off\n1 text \"a\"\n1 flush\nFINISHED completed raw=end_turn\nEND\n");
    STREAM(START CALL("0", ",\"id\":\"t\"") CALL("0", "") STOP REASON("tool_use") LAST,
           "0 call id=t name=f\n0 flush cut_off\n1 call id= name=f\n1 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
    STREAM(START CALL("0", ",\"id\":\"t\"") CALL("0", ",\"id\":\"u\"") STOP REASON("tool_use") LAST,
           "0 call id=t name=f\n0 flush cut_off\n1 call id=u name=f\n1 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
    STREAM(START TEXT CALL("0", ",\"id\":\"t\"") CALL("0", ",\"id\":\"t\"") STOP REASON("tool_use") LAST,
           "0 text \"a\"\n0 flush\n1 call id=t name=f\n1 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
}

TEST(a_fallback_ends_calls_and_no_text)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START TEXT CALL("1", ",\"id\":\"t\"") CALL("2", ",\"id\":\"u\"") STOP_AT("2")
           "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"fallback\"}}\n\n" STOP_AT("3")
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}\n\n" STOP REASON("end_turn") LAST,
           "0 text \"a\"\n1 call id=t name=f\n2 call id=u name=f\n1 flush cut_off\n2 flush cut_off\n3 item fallback hosted \"{\\\"type\\\":\\\"fallback\\\"}\"\n3 flush\n"
           "0 text \"b\"\n0 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(members_that_are_null_say_nothing_of_the_response)
{
    streams_shape(&elelem_shape_messages);
    STREAM("data: {\"type\":\"message_start\",\"novelty\":null,\"message\":{\"id\":null,\"novelty\":null,\"other\":1,\"usage\":{\"service_tier\":null}}}\n\n" TEXT STOP
           "data: {\"type\":\"message_delta\",\"novelty\":null,\"delta\":{\"stop_reason\":\"end_turn\",\"novelty\":null,\"other\":2}}\n\n" LAST,
           "response other=1\n0 text \"a\"\n0 flush\nresponse other=2\nFINISHED completed raw=end_turn\nEND\n");
}

#define LARGE "{\"type\":\"container_upload\",\"x\":\"~\"}"
#define LARGE_GIVES "\"{\\\"type\\\":\\\"container_upload\\\",\\\"x\\\":\\\"~\\\"}\""

TEST(a_block_that_passes_is_of_a_frame_whose_type_is_no_text_but_its_name_says_it)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE(START "event: content_block_start\ndata: {\"type\":null,\"index\":0,\"content_block\":" LARGE "}\n\n" STOP REASON("end_turn") LAST,
           "0 item container_upload hosted " LARGE_GIVES "\n0 flush\nFINISHED completed raw=end_turn\nEND\n");
    STREAM_LARGE(START "data: {\"content_block\":" LARGE ",\"index\":7,\"type\":\"content_block_start\"}\n\n" STOP_AT("7") REASON("end_turn") LAST,
           "0 item container_upload hosted " LARGE_GIVES "\n0 flush\nFINISHED completed raw=end_turn\nEND\n");
    STREAM_LARGE(START "data: {\"type\":\"ping\",\"content_block\":" LARGE ",\"index\":7}\n\n" REASON("end_turn") LAST,
           "FINISHED completed raw=end_turn\nEND\n");
}

/* The number before the block counts; a stop of the other ends nothing. */
TEST(a_block_that_passes_keeps_the_number_that_came_before_it)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE(START "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":" LARGE ",\"index\":4}\n\n"
           "data: {\"type\":\"content_block_start\",\"index\":5,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n"
           STOP_AT("4") STOP_AT("3") STOP_AT("5") REASON("end_turn") LAST,
           "0 item container_upload hosted " LARGE_GIVES "\n1 text \"a\"\n0 flush\n1 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(a_large_block_that_passes_ends_the_open_one_whose_number_comes_after_it)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE(START "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n"
           "data: {\"type\":\"content_block_start\",\"content_block\":" LARGE ",\"index\":3}\n\n" STOP_AT("3") REASON("end_turn") LAST,
           "0 text \"a\"\n1 item container_upload hosted " LARGE_GIVES "\n0 flush\n1 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(a_large_block_that_passes_ends_the_open_one_whose_number_came_before_it)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE(START TEXT "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":" LARGE "}\n\n" STOP REASON("end_turn") LAST,
           "0 text \"a\"\n0 flush\n1 item container_upload hosted " LARGE_GIVES "\n1 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(a_block_of_an_unknown_type_that_never_stops_is_whole_though_the_tokens_ran_out)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"new\",\"x\":1}}\n\n" REASON("max_tokens") LAST,
           "0 item new \"{\\\"type\\\":\\\"new\\\",\\\"x\\\":1}\"\n0 flush\nFINISHED max_tokens raw=max_tokens\nEND\n");
}

/* Of JSON that deltas bring, only the input of a call may have been broken off. */
TEST(a_compaction_that_never_stops_is_whole_though_the_tokens_ran_out)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"compaction\",\"content\":null}}\n\n"
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"compaction_delta\",\"content\":\"ab\"}}\n\n"
           REASON("max_tokens") LAST,
           "0 item compaction hosted \"{\\\"type\\\":\\\"compaction\\\",\\\"content\\\":\\\"ab\\\"}\"\n0 flush\n"
           "FINISHED max_tokens raw=max_tokens\nEND\n");
}

#define COMPACTION(members) "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"compaction\"," members "}}\n\n"
#define COMPACTED(members) "0 item compaction hosted \"{\\\"type\\\":\\\"compaction\\\"," members "}\"\n0 flush\n"

TEST(a_compaction_that_failed_keeps_that_its_content_is_null)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START COMPACTION("\"content\":null,\"encrypted_content\":null,\"signature\":\"s\"") STOP REASON("compaction") LAST,
           COMPACTED("\\\"signature\\\":\\\"s\\\",\\\"content\\\":null,\\\"encrypted_content\\\":null")
           "FINISHED continue raw=compaction\nEND\n");
}

TEST(a_compaction_whose_content_is_empty_keeps_it)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START COMPACTION("\"content\":\"\"") STOP REASON("compaction") LAST,
           COMPACTED("\\\"content\\\":\\\"\\\"") "FINISHED continue raw=compaction\nEND\n");
}

TEST(a_compaction_that_begins_with_empty_content_has_what_the_delta_brings_once)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START COMPACTION("\"content\":\"\",\"encrypted_content\":\"\"")
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"compaction_delta\",\"content\":\"ab\"}}\n\n"
           STOP REASON("compaction") LAST,
           COMPACTED("\\\"content\\\":\\\"ab\\\",\\\"encrypted_content\\\":\\\"\\\"")
           "FINISHED continue raw=compaction\nEND\n");
}

TEST(content_of_a_compaction_that_came_at_its_beginning_stays)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START COMPACTION("\"content\":\"a\",\"signature\":\"\"") STOP REASON("compaction") LAST,
           COMPACTED("\\\"content\\\":\\\"a\\\",\\\"signature\\\":\\\"\\\"") "FINISHED continue raw=compaction\nEND\n");
}

TEST(of_a_call_that_the_provider_runs_only_the_input_comes_later)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"s\","
                 "\"content\":null,\"input\":{}}}\n\n" STOP REASON("end_turn") LAST,
           "0 item server_tool_use hosted \"{\\\"type\\\":\\\"server_tool_use\\\",\\\"id\\\":\\\"s\\\",\\\"content\\\":null,\\\"input\\\":{}}\"\n"
           "0 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(members_of_a_compaction_that_are_not_known_are_kept)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START COMPACTION("\"content\":null")
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"compaction_delta\",\"novel\":[1]}}\n\n"
           STOP REASON("compaction") LAST,
           COMPACTED("\\\"novel\\\":[1],\\\"content\\\":null") "FINISHED continue raw=compaction\nEND\n");
}

TEST(a_block_of_an_unknown_type_is_hosted_if_that_ends_with_tool_result)
{
    streams_shape(&elelem_shape_messages);
    STREAM("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"new_tool_result\"}}\n\n" STOP
           "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"new_tool_results\"}}\n\n" STOP_AT("1")
           "data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"_tool_result\"}}\n\n" STOP_AT("2") REASON("end_turn") LAST,
           "0 item new_tool_result hosted \"{\\\"type\\\":\\\"new_tool_result\\\"}\"\n0 flush\n"
           "1 item new_tool_results \"{\\\"type\\\":\\\"new_tool_results\\\"}\"\n1 flush\n"
           "2 item _tool_result \"{\\\"type\\\":\\\"_tool_result\\\"}\"\n2 flush\nFINISHED completed raw=end_turn\nEND\n");
}

#define NEW_BLOCK(members) "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"new\"" members "}}\n\n"
#define NEW_DELTA(members) "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"new_delta\"" members "}}\n\n"
#define NEW_GIVES(members) "0 item new \"{\\\"type\\\":\\\"new\\\"" members "}\"\n0 flush\n"
#define COMPLETED "FINISHED completed raw=end_turn\nEND\n"

TEST(deltas_of_a_block_of_an_unknown_type_are_members_of_it)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START NEW_BLOCK(",\"content\":null,\"note\":\"n\",\"x\":[1]") NEW_DELTA(",\"content\":\"ab\",\"y\":{\"z\":2}") STOP REASON("end_turn") LAST,
           NEW_GIVES(",\\\"note\\\":\\\"n\\\",\\\"x\\\":[1],\\\"content\\\":\\\"ab\\\",\\\"y\\\":{\\\"z\\\":2}") COMPLETED);
}

TEST(a_string_of_a_block_of_an_unknown_type_may_come_in_pieces)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START NEW_BLOCK(",\"text\":\"\",\"signature\":\"\"") NEW_DELTA(",\"text\":\"a\\\"\"") NEW_DELTA(",\"text\":\"b\"")
           NEW_DELTA(",\"signature\":\"s\"") NEW_DELTA(",\"signature\":\"t\"") STOP REASON("end_turn") LAST,
           NEW_GIVES(",\\\"text\\\":\\\"a\\\\\\\"b\\\",\\\"signature\\\":\\\"st\\\"") COMPLETED);
}

TEST(deltas_continue_the_string_that_a_block_of_an_unknown_type_begins_with)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START NEW_BLOCK(",\"text\":\"a\",\"x\":1") NEW_DELTA(",\"text\":\"b\"") STOP REASON("end_turn") LAST,
           NEW_GIVES(",\\\"x\\\":1,\\\"text\\\":\\\"ab\\\"") COMPLETED);
}

TEST(a_block_of_an_unknown_type_keeps_members_that_no_delta_brings)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START NEW_BLOCK(",\"content\":null,\"text\":\"\",\"data\":7") STOP REASON("end_turn") LAST,
           NEW_GIVES(",\\\"data\\\":7,\\\"content\\\":null,\\\"text\\\":\\\"\\\"") COMPLETED);
}

TEST(deltas_bring_the_input_of_a_block_of_an_unknown_type)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START NEW_BLOCK(",\"name\":\"f\",\"input\":{},\"text\":\"t\"")
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"}}\n\n"
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}}\n\n"
           STOP REASON("end_turn") LAST,
           "0 item new \"{\\\"type\\\":\\\"new\\\",\\\"name\\\":\\\"f\\\",\\\"text\\\":\\\"t\\\",\\\"input\\\":\"\n0 caption \"f\"\n"
           "0 item new \"{\\\"a\\\":1}}\"\n0 flush\n" COMPLETED);
}

TEST(a_call_of_an_unknown_type_that_never_stops_may_be_cut_off)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START NEW_BLOCK(",\"input\":{}")
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"}}\n\n"
           REASON("max_tokens") LAST,
           "0 item new \"{\\\"type\\\":\\\"new\\\",\\\"input\\\":{\\\"a\\\":\"\n0 flush\nFINISHED max_tokens raw=max_tokens\nEND\n");
}

TEST(listed_blocks_of_unknown_types_are_as_they_came)
{
    streams_shape(&elelem_shape_messages);
    STREAM("{\"type\":\"message\",\"content\":[{\"type\":\"new\",\"text\":\"\",\"x\":1},{\"type\":\"newer\",\"input\":{},\"x\":1}],\"stop_reason\":\"end_turn\"}",
           "0 item new \"{\\\"type\\\":\\\"new\\\",\\\"text\\\":\\\"\\\",\\\"x\\\":1}\"\n0 flush\n"
           "1 item newer \"{\\\"type\\\":\\\"newer\\\",\\\"input\\\":{},\\\"x\\\":1}\"\n1 flush\n" COMPLETED);
}

/* No deltas follow it, although it is stored, because it has its type after what may be held back. */
TEST(a_listed_block_of_an_unknown_type_that_does_not_pass_is_as_it_came)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE("{\"type\":\"message\",\"content\":[{\"x\":\"~\",\"type\":\"new\",\"text\":\"\"}],\"stop_reason\":\"end_turn\"}",
                 "0 item new \"{\\\"x\\\":\\\"~\\\",\\\"type\\\":\\\"new\\\",\\\"text\\\":\\\"\\\"}\"\n0 flush\n" COMPLETED);
}

TEST(of_a_block_without_a_type_only_its_start_is_kept)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"text\":\"a\"}}\n\n" NEW_DELTA(",\"text\":\"b\"")
           STOP REASON("end_turn") LAST,
           "0 item  \"{\\\"text\\\":\\\"a\\\"}\"\n0 flush\n" COMPLETED);
}

/* It passes while it arrives, so that devices need no room for it; such blocks come whole. */
TEST(a_large_block_of_an_unknown_type_is_what_it_begins_with)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE(START NEW_BLOCK(",\"x\":\"~\"") NEW_DELTA(",\"text\":\"b\"") STOP REASON("end_turn") LAST,
                 NEW_GIVES(",\\\"x\\\":\\\"~\\\"") COMPLETED);
}

TEST(the_id_and_the_model_of_a_message_are_not_those_of_its_last_frames)
{
    streams_shape(&elelem_shape_messages);
    STREAM("data: {\"type\":\"message_start\",\"id\":\"f0\",\"message\":{\"id\":\"m1\",\"model\":\"A\"}}\n\n"
           "data: {\"type\":\"message_delta\",\"id\":\"f1\",\"model\":\"F\",\"delta\":{\"stop_reason\":\"end_turn\",\"id\":\"d1\",\"model\":\"D\",\"container\":{\"id\":\"c\"}}}\n\n"
           "data: {\"type\":\"message_stop\",\"id\":\"f2\"}\n\n",
           "response id=\"m1\"\nresponse model=\"A\"\nresponse container={\"id\":\"c\"}\n" COMPLETED);
}

TEST(an_id_of_the_last_frames_counts_once_if_the_message_has_none)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START "data: {\"type\":\"message_delta\",\"id\":\"f1\",\"delta\":{\"stop_reason\":\"end_turn\",\"id\":\"d1\"}}\n\n" LAST,
           "response id=\"d1\"\n" COMPLETED);
}

#define X63 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define LONG_TYPE X63 "\xc3\xa9yz"

TEST(of_a_large_block_the_type_has_at_most_64_bytes)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE(START "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"" LONG_TYPE "\",\"x\":\"~\"}}\n\n" STOP REASON("end_turn") LAST,
           "0 item " X63 " \"{\\\"type\\\":\\\"" LONG_TYPE "\\\",\\\"x\\\":\\\"~\\\"}\"\n0 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(blocks_of_a_message_whose_list_comes_twice_all_come)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE("data: {\"type\":\"message_start\",\"message\":{\"content\":[" LARGE "],\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}}\n\n" REASON("end_turn") LAST,
           "0 item container_upload hosted " LARGE_GIVES "\n0 flush\n1 text \"a\"\n1 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(redacted_reasoning_may_be_short)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"x\"}}\n\n" STOP REASON("end_turn") LAST,
           "0 meta redacted_data=\"x\"\n0 flush\nFINISHED completed raw=end_turn\nEND\n");
}

/* The first delta is empty, and may be the only one. */
TEST(a_call_of_the_provider_whose_input_is_empty_has_an_object)
{
    streams_shape(&elelem_shape_messages);
    STREAM(START "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"f\",\"input\":{}}}\n\n"
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n" STOP REASON("end_turn") LAST,
           "0 item server_tool_use hosted \"{\\\"type\\\":\\\"server_tool_use\\\",\\\"id\\\":\\\"s\\\",\\\"name\\\":\\\"f\\\",\\\"input\\\":\"\n"
           "0 caption \"f\"\n0 item server_tool_use hosted \"{}}\"\n0 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(what_is_known_of_a_message_does_not_come_between_its_blocks)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE("data: {\"type\":\"message_start\",\"message\":{\"content\":[" LARGE "],\"id\":\"m\",\"content\":[" LARGE "]}}\n\n" REASON("end_turn") LAST,
           "0 item container_upload hosted " LARGE_GIVES "\n0 flush\n1 item container_upload hosted " LARGE_GIVES "\nresponse id=\"m\"\n1 flush\n"
           "FINISHED completed raw=end_turn\nEND\n");
}

TEST(a_list_of_blocks_after_which_the_key_has_no_list_ends_its_block_that_passed)
{
    streams_shape(&elelem_shape_messages);
    STREAM_LARGE("data: {\"type\":\"message_start\",\"message\":{\"content\":[" LARGE "],\"content\":{\"a\":7}}}\n\n" REASON("end_turn") LAST,
           "0 item container_upload hosted " LARGE_GIVES "\n0 flush\nFINISHED completed raw=end_turn\nEND\n");
}

TEST(usage_that_is_no_object_does_not_replace_one)
{
    streams_shape(&elelem_shape_messages);
    streams_now.usage = 1;
    STREAM("data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7}}}\n\n"
           "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":5}\n\n" LAST,
           "FINISHED completed raw=end_turn in=7\nmeta usage={\"input_tokens\":7}\nEND\n");
}

/* Much of something. */

/* Pushes the text `times` times. */
static void push_times(const char *text, size_t times)
{
    elelem_event event;

    while (times-- > 0) {
        elelem_stream_push(&streams_now.stream, text, strlen(text));
        while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
            ;
    }
}

static const char deltas[] = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"7\"}}\n\n";

TEST(a_hundred_thousand_deltas_of_one_byte_need_no_more_memory) /* P5 */
{
    size_t most;

    streams_shape(&elelem_shape_messages);
    streams_start(&streams_now);
    push_times("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\"}}\n\n", 1);
    push_times(deltas, 1);
    most = streams_now.stream.els_response.document.els_memory.capacity;
    push_times(deltas, 100000);
    CHECK_INT(streams_now.stream.els_response.document.els_memory.capacity, most);
    CHECK_INT(streams_now.stream.els_context.els_kept_size, 0);
    push_times(REASON("tool_use"), 1);
    CHECK_INT(streams_now.stream.els_context.els_status, ELELEM_OK);
}

TEST(a_delta_may_end_inside_an_escape_of_the_arguments)
{
    streams_shape(&elelem_shape_messages);
    STREAM("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\"}}\n\n"
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"s\\\":\\\"\\\\ud83d\\\\u\"}}\n\n"
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"de00\\\\\"}}\n\n"
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"n\\\"}\"}}\n\n"
           STOP REASON("tool_use") LAST,
           "0 call id=t name=f\n0 args \"{\\\"s\\\":\\\"\\\\ud83d\\\\ude00\\\\n\\\"}\"\n0 flush\nFINISHED tool_calls raw=tool_use\nEND\n");
}

TEST(blocks_without_number_that_never_stop_meet_a_limit)
{
    char frame[200];
    size_t i;
    elelem_event event;

    streams_shape(&elelem_shape_messages);
    streams_start(&streams_now);
    for (i = 0; i < 257; i++) {
        snprintf(frame, sizeof frame, "data: {\"type\":\"content_block_start\",\"index\":%lu,\"content_block\":{\"type\":\"novelty\"}}\n\n", (unsigned long)i);
        elelem_stream_push(&streams_now.stream, frame, strlen(frame));
        while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK && event.kind != ELELEM_EVENT_ERROR)
            ;
        CHECK_INT(event.kind == ELELEM_EVENT_ERROR, i == 256);
    }
    CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_LIMIT);
    CHECK_INT(event.error.status, ELELEM_ERROR_COUNT);
}

TEST(a_signature_without_end_meets_a_limit)
{
    elelem_event event;
    int i;

    streams_shape(&elelem_shape_messages);
    streams_now.desc.max_kept_bytes = 100;
    streams_start(&streams_now);
    push_times("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\"}}\n\n", 1);
    for (i = 0; i < 20; i++) {
        static const char piece[] = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"0123456789\"}}\n\n";
        elelem_stream_push(&streams_now.stream, piece, sizeof piece - 1);
        if (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK) break;
    }
    CHECK_INT(i, 10); /* ten pieces of 10 bytes fit */
    CHECK_INT(event.error.status, ELELEM_ERROR_VALUE_SIZE);
}

TEST(by_default_a_mebibyte_of_a_signature_is_kept)
{
    char zeroes[1025];
    elelem_event event;
    int i;

    if (!check_has_memory((size_t)4 << 20)) return;
    memset(zeroes, '0', 1024);
    zeroes[1024] = '\0';
    streams_shape(&elelem_shape_messages);
    streams_start(&streams_now);
    push_times("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\"}}\n\n", 1);
    for (i = 0; i < 20; i++) {
        push_times("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"", 1);
        push_times(zeroes, 64);
        elelem_stream_push(&streams_now.stream, "\"}}\n\n", 5);
        if (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK) break;
    }
    CHECK_INT(i, 16);
    CHECK_INT(event.error.status, ELELEM_ERROR_VALUE_SIZE);
}

TEST(a_reset_gives_back_what_was_kept_of_a_signature)
{
    static const char body[] = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\"}}\n\n"
                               "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\","
                               "\"signature\":\"0123456789012345678901234567890123456789\"}}\n\n";
    elelem_event event;
    int i;

    streams_shape(&elelem_shape_messages);
    streams_now.desc.max_kept_bytes = 50;
    streams_start(&streams_now);
    for (i = 0; i < 10; i++) {
        elelem_stream_push(&streams_now.stream, body, sizeof body - 1);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_MORE);
        elelem_stream_reset(&streams_now.stream);
    }
}

/* Without provider items what a result holds is read past, also if its type comes last: megabytes of it need no memory. */
TEST(a_result_of_two_megabytes_that_is_not_wanted_passes_through_sixteen_kilobytes)
{
    static char memory[16384];
    static char much[1001];
    elelem_arena arena;

    streams_shape(&elelem_shape_messages);
    streams_now.desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    streams_now.desc.without_provider_items = 1;
    streams_start(&streams_now);
    push_times(START "data: {\"type\":\"content_block_start\",\"index\":7,\"content_block\":{\"content\":[{\"encrypted_content\":\"", 1);
    memset(much, 'x', sizeof much - 1);
    push_times(much, 2000);
    push_times("\"}],\"type\":\"web_search_tool_result\"}}\n\n", 1);
    push_times(TEXT STOP REASON("end_turn"), 1);
    CHECK(elelem_shape_has_reason(&streams_now.stream.els_context, 0));
    CHECK(elelem_arena_peak(&arena) <= sizeof memory);
    elelem_stream_free(&streams_now.stream);
    CHECK_INT(elelem_arena_used(&arena), 0);
}

static void all_done(void)
{
    elelem_stream_free(&streams_now.stream);
}

CHECK_MAIN("shape_messages",
    RUN(text_comes_in_deltas)
    RUN(every_text_block_is_an_item)
    RUN(a_block_may_begin_with_its_text)
    RUN(a_block_may_pass_before_its_number)
    RUN(a_block_that_passes_ends_one_of_its_number)
    RUN(content_of_a_message_may_come_twice)
    RUN(a_block_without_text_is_no_item)
    RUN(a_response_may_be_empty)
    RUN(a_signature_goes_whole_with_the_flush)
    RUN(a_signature_may_come_in_pieces)
    RUN(two_blocks_keep_their_signatures_apart)
    RUN(a_thinking_block_may_hold_only_a_signature)
    RUN(a_signature_of_a_block_never_stopped_still_comes)
    RUN(a_signature_of_a_block_never_stopped_comes_without_message_stop)
    RUN(a_signature_alone_may_come_after_the_block_that_follows)
    RUN(redacted_thinking_is_metadata)
    RUN(a_tool_call_streams_its_arguments)
    RUN(a_tool_without_arguments_has_none)
    RUN(an_empty_call_is_none)
    RUN(a_call_without_id_and_name_has_its_arguments)
    RUN(arguments_may_come_whole_in_the_start)
    RUN(deltas_after_whole_arguments_repeat_them)
    RUN(the_caller_of_a_tool_is_metadata)
    RUN(text_thinking_and_calls_in_their_order)
    RUN(blocks_may_interleave)
    RUN(tools_of_the_provider_are_provider_items)
    RUN(results_and_other_blocks_of_the_provider_are_provider_items)
    RUN(a_compaction_is_a_provider_item)
    RUN(a_compaction_keeps_its_signature_and_changes_of_tools)
    RUN(a_listing_of_tools_is_a_provider_item)
    RUN(a_paused_turn_may_end_with_a_call_of_the_provider)
    RUN(a_call_of_a_toolset_keeps_its_name)
    RUN(a_citation_of_a_search_keeps_its_encrypted_index)
    RUN(unknown_blocks_are_provider_items_other_unknown_things_are_skipped)
    RUN(a_delta_that_does_not_fit_its_block_is_ignored)
    RUN(citations_come_one_by_one_as_arrays)
    RUN(citations_may_be_in_the_start)
    RUN(pings_may_come_anywhere)
    RUN(frames_are_padded_with_blanks)
    RUN(event_names_are_not_needed)
    RUN(the_event_name_counts_if_the_data_has_no_type)
    RUN(the_type_in_the_data_counts_before_the_event_name)
    RUN(another_message_start_is_ignored)
    RUN(message_start_may_be_missing)
    RUN(a_message_start_after_a_block_is_ignored)
    RUN(a_spliced_response_ends_the_blocks_of_the_first)
    RUN(a_call_that_begins_twice_is_one_call)
    RUN(a_number_may_be_used_again_after_its_stop)
    RUN(a_delta_before_its_start_begins_its_block)
    RUN(a_delta_after_its_stop_begins_another_block)
    RUN(a_stop_without_a_start_is_ignored)
    RUN(a_missing_index_is_zero)
    RUN(blocks_never_stopped_are_flushed_at_the_reason)
    RUN(a_call_of_the_provider_never_stopped_ends_with_the_reason)
    RUN(a_call_of_the_provider_never_stopped_may_be_cut_off)
    RUN(message_start_may_hold_whole_blocks)
    RUN(usage_adds_up_over_frames)
    RUN(the_last_usage_counts_if_frames_disagree)
    RUN(usage_may_be_missing)
    RUN(a_refusal_has_its_details)
    RUN(a_refusal_may_have_no_details)
    RUN(the_stop_sequence_that_was_met_is_metadata)
    RUN(context_management_and_containers_are_of_the_response)
    RUN(members_of_the_message_are_of_the_response)
    RUN(unknown_members_of_the_message_are_of_the_response)
    RUN(members_after_blocks_that_pass_count)
    RUN(the_last_reason_counts)
    RUN(message_stop_may_be_missing_after_the_reason)
    RUN(message_stop_without_a_reason_is_completed)
    RUN(message_stop_without_a_reason_after_calls_is_tool_calls)
    RUN(message_stop_first_is_no_response)
    RUN(an_end_without_a_reason_is_an_early_one)
    RUN(an_end_inside_a_call_leaves_it_open)
    RUN(nothing_after_message_stop_counts)
    RUN(done_may_come_instead_of_message_stop)
    RUN(an_error_event_is_the_end)
    RUN(an_error_may_come_first)
    RUN(an_error_may_have_no_event_name)
    RUN(an_error_may_have_neither_type_nor_name)
    RUN(an_error_event_may_have_no_type_in_its_data)
    RUN(an_error_event_may_have_no_error_in_its_data)
    RUN(an_error_type_may_come_without_an_error)
    RUN(an_error_after_the_reason_is_an_error)
    RUN(a_null_error_is_none)
    RUN(lines_may_end_with_crlf)
    RUN(a_last_frame_without_its_blank_line_counts)
    RUN(key_order_does_not_matter)
    RUN(escapes_and_surrogate_pairs_are_decoded)
    RUN(a_whole_response_gives_what_its_stream_would)
    RUN(a_whole_response_may_say_nothing)
    RUN(a_whole_response_without_a_reason_is_completed)
    RUN(an_error_in_place_of_a_response)
    RUN(each_stop_reason_has_its_meaning)
    RUN(message_text_is_structured_if_json_was_requested)
    RUN(a_text_that_begins_again_is_one_text)
    RUN(a_text_that_begins_under_the_number_of_another_block_is_another)
    RUN(the_input_of_a_call_may_be_a_text)
    RUN(the_raw_usage_has_what_the_last_frame_says_of_each_member)
    RUN(a_broken_transport_after_the_reason_is_a_clean_end)
    RUN(a_refused_request_has_its_request_id)
    RUN(an_index_that_is_no_number_of_a_wire_is_that_of_the_newest_block)
    RUN(the_event_name_counts_if_the_type_in_the_data_is_unknown)
    RUN(an_index_may_be_null_and_as_large_as_a_wire_number)
    RUN(known_members_of_other_types_are_ignored)
    RUN(members_of_blocks_of_other_types_are_ignored)
    RUN(members_of_deltas_of_other_types_are_ignored)
    RUN(a_delta_without_a_number_is_of_the_newest_block_that_did_not_stop)
    RUN(reasoning_that_comes_in_a_block_of_text_is_reasoning)
    RUN(text_that_comes_in_the_block_of_a_call_is_text_and_the_call_continues)
    RUN(text_and_reasoning_without_a_start_begin_their_block)
    RUN(an_empty_delta_of_text_needs_no_block)
    RUN(a_signature_without_a_start_is_of_reasoning)
    RUN(reasoning_that_a_block_begins_with_counts_once_if_the_first_delta_repeats_it)
    RUN(a_signature_that_a_block_begins_with_counts_once_if_a_delta_repeats_it)
    RUN(the_end_of_the_turn_after_a_call_means_the_call)
    RUN(fields_of_the_provider_of_a_call_are_metadata_of_it)
    RUN(usage_may_be_next_to_the_message_or_in_the_last_frame)
    RUN(another_block_under_the_number_of_an_open_call_ends_the_call)
    RUN(a_fallback_ends_calls_and_no_text)
    RUN(members_that_are_null_say_nothing_of_the_response)
    RUN(a_block_that_passes_is_of_a_frame_whose_type_is_no_text_but_its_name_says_it)
    RUN(a_block_that_passes_keeps_the_number_that_came_before_it)
    RUN(a_large_block_that_passes_ends_the_open_one_whose_number_comes_after_it)
    RUN(a_large_block_that_passes_ends_the_open_one_whose_number_came_before_it)
    RUN(a_block_of_an_unknown_type_that_never_stops_is_whole_though_the_tokens_ran_out)
    RUN(a_compaction_that_never_stops_is_whole_though_the_tokens_ran_out)
    RUN(a_compaction_that_failed_keeps_that_its_content_is_null)
    RUN(a_compaction_whose_content_is_empty_keeps_it)
    RUN(a_compaction_that_begins_with_empty_content_has_what_the_delta_brings_once)
    RUN(content_of_a_compaction_that_came_at_its_beginning_stays)
    RUN(of_a_call_that_the_provider_runs_only_the_input_comes_later)
    RUN(members_of_a_compaction_that_are_not_known_are_kept)
    RUN(a_block_of_an_unknown_type_is_hosted_if_that_ends_with_tool_result)
    RUN(deltas_of_a_block_of_an_unknown_type_are_members_of_it)
    RUN(a_string_of_a_block_of_an_unknown_type_may_come_in_pieces)
    RUN(deltas_continue_the_string_that_a_block_of_an_unknown_type_begins_with)
    RUN(a_block_of_an_unknown_type_keeps_members_that_no_delta_brings)
    RUN(deltas_bring_the_input_of_a_block_of_an_unknown_type)
    RUN(a_call_of_an_unknown_type_that_never_stops_may_be_cut_off)
    RUN(listed_blocks_of_unknown_types_are_as_they_came)
    RUN(a_listed_block_of_an_unknown_type_that_does_not_pass_is_as_it_came)
    RUN(of_a_block_without_a_type_only_its_start_is_kept)
    RUN(a_large_block_of_an_unknown_type_is_what_it_begins_with)
    RUN(the_id_and_the_model_of_a_message_are_not_those_of_its_last_frames)
    RUN(an_id_of_the_last_frames_counts_once_if_the_message_has_none)
    RUN(of_a_large_block_the_type_has_at_most_64_bytes)
    RUN(blocks_of_a_message_whose_list_comes_twice_all_come)
    RUN(redacted_reasoning_may_be_short)
    RUN(a_call_of_the_provider_whose_input_is_empty_has_an_object)
    RUN(what_is_known_of_a_message_does_not_come_between_its_blocks)
    RUN(a_list_of_blocks_after_which_the_key_has_no_list_ends_its_block_that_passed)
    RUN(usage_that_is_no_object_does_not_replace_one)
    RUN(a_hundred_thousand_deltas_of_one_byte_need_no_more_memory)
    RUN(a_delta_may_end_inside_an_escape_of_the_arguments)
    RUN(blocks_without_number_that_never_stop_meet_a_limit)
    RUN(a_signature_without_end_meets_a_limit)
    RUN(by_default_a_mebibyte_of_a_signature_is_kept)
    RUN(a_reset_gives_back_what_was_kept_of_a_signature)
    RUN(a_reason_in_a_start_without_content_makes_no_body_whole_that_breaks_off)
    RUN(a_result_of_two_megabytes_that_is_not_wanted_passes_through_sixteen_kilobytes)
    all_done();)
