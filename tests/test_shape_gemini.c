/* Gemini as Google's API and Vertex send it: one quirk a test. A body of the test's name and its events
   are in tests/data/gemini; what varies only in a word is in tables here. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"
#include "limits.h"

#define QUIRK(name)                         \
    TEST(name)                              \
    {                                       \
        streams_shape(&elelem_shape_gemini); \
        STREAM_FILE("gemini/" #name);       \
    }

QUIRK(text_comes_in_chunks)
QUIRK(an_empty_call_is_none)
QUIRK(several_parts_of_one_kind_are_one_item)
QUIRK(parts_that_are_thoughts_are_reasoning)
QUIRK(reasoning_after_text_is_an_item_of_its_own)
QUIRK(empty_text_is_nothing)
QUIRK(a_response_may_be_empty)
QUIRK(content_may_be_missing_empty_or_without_parts)
QUIRK(a_signature_on_an_empty_text_belongs_to_the_open_item)
QUIRK(a_signature_on_an_empty_text_alone_has_its_own_item)
QUIRK(a_signature_on_an_empty_text_after_reasoning_is_not_reasoning)
QUIRK(a_signature_may_come_with_its_text)
QUIRK(reasoning_may_have_a_signature)
QUIRK(text_after_a_signature_is_an_item_of_its_own)
QUIRK(a_call_comes_whole)
QUIRK(arguments_may_be_missing_or_empty)
QUIRK(a_call_without_an_id_gets_one)
QUIRK(the_signature_of_a_call_is_on_its_start)
QUIRK(parallel_calls_have_one_signature)
QUIRK(a_call_may_come_with_the_finish_reason)
QUIRK(a_call_after_the_finish_reason_counts)
QUIRK(a_call_that_the_provider_runs_does_not_wait)
QUIRK(a_call_next_to_one_that_the_provider_ran_waits)
QUIRK(a_result_of_a_call_after_the_reason_counts)
QUIRK(a_call_after_one_that_the_provider_ran_waits)
QUIRK(text_and_calls_in_their_order)
QUIRK(arguments_may_come_in_pieces)
QUIRK(pieces_may_come_with_the_name)
QUIRK(pieces_open_objects_and_arrays)
QUIRK(pieces_keep_their_numbers_as_written)
QUIRK(names_in_paths_may_be_quoted)
QUIRK(one_name_may_be_spelled_in_two_ways)
QUIRK(strings_in_pieces_are_escaped)
QUIRK(a_string_may_be_empty)
QUIRK(another_path_ends_an_open_string)
QUIRK(an_empty_call_ends_the_call_and_closes_all)
QUIRK(another_call_ends_the_call_and_closes_all)
QUIRK(no_finish_reason_ends_a_call_that_continues)
QUIRK(a_call_that_was_cut_off_stays_open)
QUIRK(an_end_inside_a_call_leaves_it_open)
QUIRK(a_call_in_pieces_without_pieces_has_no_arguments)
QUIRK(a_piece_without_a_value_is_ignored)
QUIRK(text_between_pieces_leaves_the_call_open)
QUIRK(a_name_repeated_with_its_id_is_the_same_call)
QUIRK(pieces_after_whole_arguments_are_ignored)
QUIRK(pieces_for_no_call_are_a_protocol_error)
QUIRK(candidates_write_their_calls_at_the_same_time)
QUIRK(parts_of_other_kinds_are_provider_items)
QUIRK(provider_items_part_the_text)
QUIRK(executable_code_and_its_result_are_items)
QUIRK(a_server_tool_has_its_call_and_its_response)
QUIRK(images_and_files_are_items_with_their_signatures)
QUIRK(what_accompanies_a_part_goes_with_it)
QUIRK(the_processing_of_media_accompanies_them)
QUIRK(a_part_that_is_not_known_is_an_item)
QUIRK(parts_keep_their_order_around_one_that_passes)
QUIRK(parts_of_an_array_body_pass_too)
QUIRK(a_large_result_of_a_call_counts_too)
QUIRK(candidates_may_hold_parts_that_pass)
QUIRK(what_is_known_of_the_response_comes_first)
QUIRK(what_is_known_of_the_response_may_come_late)
QUIRK(a_token_continues_the_response)
QUIRK(a_token_of_a_chunk_before_continues_the_response)
QUIRK(a_signature_may_come_without_a_text)
QUIRK(a_signature_may_come_with_a_later_piece)
QUIRK(a_provider_item_between_pieces_leaves_the_call_open)
QUIRK(pieces_with_a_name_that_is_no_text_still_are_a_call)
QUIRK(grounding_belongs_to_the_message)
QUIRK(late_grounding_has_its_own_item)
QUIRK(grounding_between_reasoning_does_not_part_it)
QUIRK(empty_grounding_is_nothing)
QUIRK(citations_are_an_array_at_both_endpoints)
QUIRK(what_is_known_of_a_candidate_is_metadata)
QUIRK(unknown_members_are_of_the_response)
QUIRK(a_reason_on_every_chunk_the_last_counts)
QUIRK(a_later_reason_replaces_stop)
QUIRK(an_unspecified_reason_is_none)
QUIRK(an_end_without_a_reason_is_an_early_one)
QUIRK(an_end_inside_a_chunk_is_an_early_one)
QUIRK(an_end_inside_a_chunk_on_two_lines_is_an_early_one)
QUIRK(a_last_frame_without_its_blank_line_counts)
QUIRK(lines_may_end_with_lf)
QUIRK(done_is_ignored)
QUIRK(done_is_no_reason)
QUIRK(a_blocked_prompt_finishes_as_filtered)
QUIRK(a_block_reason_after_a_finish_reason_is_ignored)
QUIRK(a_response_stopped_for_safety_keeps_its_text)
QUIRK(a_malformed_call_has_its_message)
QUIRK(an_unexpected_call_still_is_a_call)
QUIRK(usage_on_every_chunk_the_last_counts)
QUIRK(a_usage_without_counts_does_not_replace_one_with)
QUIRK(candidates_are_choices)
QUIRK(an_end_before_every_candidate_is_done_is_early)
QUIRK(a_missing_index_is_the_first_candidate)
QUIRK(an_error_chunk_is_the_end)
QUIRK(an_error_after_the_reason_is_an_error)
QUIRK(an_error_has_a_wait)
QUIRK(a_bare_error_between_frames_is_the_end)
QUIRK(a_bare_error_at_the_end_may_lack_its_line_end)
QUIRK(a_bare_error_that_is_cut_is_an_early_end)
QUIRK(a_null_error_is_none)
QUIRK(a_body_may_be_an_array)
QUIRK(an_array_may_be_written_over_lines)
QUIRK(an_array_may_hold_an_error)
QUIRK(an_array_may_hold_an_error_after_text)
QUIRK(an_array_that_is_not_closed_is_an_early_end)
QUIRK(an_array_that_is_cut_inside_an_element_is_an_early_end)
QUIRK(an_empty_array_is_an_early_end)
QUIRK(escapes_and_surrogate_pairs_are_decoded)
QUIRK(a_whole_response_gives_what_its_stream_would)
QUIRK(a_whole_response_to_a_blocked_prompt)
QUIRK(a_whole_response_without_a_reason_is_completed)

/* What varies in a word. */

#define BAD "ERROR protocol \"the input does not follow the provider's protocol\" status=ERROR_PROTOCOL\nEND\n"
#define OK_CHUNK "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"ok\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n"
#define OK_GIVES "0 text \"ok\"\n0 flush\nFINISHED completed raw=STOP\nEND\n"

TEST(each_finish_reason_has_its_meaning)
{
    static const char *const rows[][2] = {
        { "STOP", "completed" },
        { "MAX_TOKENS", "max_tokens" },
        { "CONTINUATION", "max_tokens" }, /* without a token */
        { "SAFETY", "content_filter" },
        { "RECITATION", "content_filter" },
        { "BLOCKLIST", "content_filter" },
        { "PROHIBITED_CONTENT", "content_filter" },
        { "SPII", "content_filter" },
        { "LANGUAGE", "content_filter" },
        { "MODEL_ARMOR", "content_filter" },
        { "IMAGE_SAFETY", "content_filter" },
        { "IMAGE_PROHIBITED_CONTENT", "content_filter" },
        { "IMAGE_RECITATION", "content_filter" },
        { "MALFORMED_FUNCTION_CALL", "other" },
        { "UNEXPECTED_TOOL_CALL", "other" },
        { "TOO_MANY_TOOL_CALLS", "other" },
        { "MALFORMED_RESPONSE", "other" },
        { "OTHER", "other" },
        { "NO_IMAGE", "other" },
        { "IMAGE_OTHER", "other" },
        { "A_WORD_OF_TOMORROW", "other" },
    };
    char body[400], expected[200];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i][0]);
        snprintf(body, sizeof body, "data: {\"candidates\":[{\"finishReason\":\"%s\"}]}\r\n\r\n", rows[i][0]);
        snprintf(expected, sizeof expected, "FINISHED %s raw=%s\nEND\n", rows[i][1], rows[i][0]);
        STREAM(body, expected);
    }
}

TEST(each_block_reason_is_a_filter)
{
    static const char *const rows[] = { "SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "MODEL_ARMOR", "JAILBREAK" };
    char body[400], expected[400];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i]);
        snprintf(body, sizeof body, "data: {\"promptFeedback\":{\"blockReason\":\"%s\"}}\r\n\r\n", rows[i]);
        snprintf(expected, sizeof expected, "FINISHED content_filter raw=%s\nmeta prompt_feedback={\"blockReason\":\"%s\"}\nEND\n", rows[i], rows[i]);
        STREAM(body, expected);
    }
}

TEST(feedback_without_a_reason_is_only_known)
{
    static const char *const words[] = { "{\"blockReason\":7}", "{\"blockReason\":\"\"}", "{\"blockReason\":null,\"safetyRatings\":[]}" };
    char body[600], expected[300];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        check_context(words[i]);
        snprintf(body, sizeof body, "data: {\"promptFeedback\":%s}\n\n" OK_CHUNK, words[i]);
        snprintf(expected, sizeof expected, "response prompt_feedback=%s\n" OK_GIVES, words[i]);
        STREAM(body, expected);
    }
}

TEST(message_text_is_structured_if_json_was_requested)
{
    streams_shape(&elelem_shape_gemini);
    streams_now.desc.structured = 1;
    STREAM(OK_CHUNK, "0 json \"ok\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
}

TEST(the_last_raw_usage_is_metadata_of_the_end)
{
    streams_shape(&elelem_shape_gemini);
    streams_now.usage = 1;
    STREAM("data: {\"usageMetadata\":{\"promptTokenCount\":1}}\n\n"
           "data: {\"candidates\":[{\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":2,\"trafficType\":\"x\"}}\n\n",
           "FINISHED completed raw=STOP in=2\nmeta usage={\"promptTokenCount\":2,\"trafficType\":\"x\"}\nEND\n");
}

TEST(a_broken_transport_is_an_error_although_a_reason_was_seen)
{
    streams_shape(&elelem_shape_gemini);
    streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
    STREAM(OK_CHUNK, "0 text \"ok\"\nERROR connect retryable \"the response ended before it was complete\"\nEND\n");
    STREAM("[{\"candidates\":[{\"finishReason\":\"STOP\"}]}", "ERROR connect retryable \"the response ended before it was complete\"\nEND\n");
}

TEST(a_transport_that_breaks_after_a_closed_array_does_no_harm)
{
    streams_shape(&elelem_shape_gemini);
    streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
    STREAM("[{\"candidates\":[{\"finishReason\":\"STOP\"}]}]", "FINISHED completed raw=STOP\nEND\n");
}

TEST(a_byte_order_mark_may_come_before_an_array)
{
    streams_shape(&elelem_shape_gemini);
    STREAM("\xEF\xBB\xBF [{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"ok\"}]},\"finishReason\":\"STOP\"}]}]", OK_GIVES);
}

#define SAYS(text) "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" text "\"}]}}]}"
#define STOPS "{\"candidates\":[{\"finishReason\":\"STOP\"}]}"
#define NO_JSON(offset) "ERROR protocol \"the text does not follow its grammar\" status=ERROR_SYNTAX offset=" #offset "\nEND\n"

TEST(between_the_elements_of_an_array_may_be_one_comma_and_whitespace)
{
    streams_shape(&elelem_shape_gemini);
    STREAM(" [ " SAYS("a") " \r\n\t,\n" STOPS " ]\n ", "0 text \"a\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
    STREAM("[" SAYS("a") "," STOPS ",{\"candidates\":[]},7,\"]\",null]", "0 text \"a\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
}

TEST(an_array_that_is_not_json_is_a_protocol_error_at_its_first_wrong_byte)
{
    static const struct {
        const char *body, *end;
    } rows[] = {
        { "[,", NO_JSON(1) },
        { "[[]" STOPS "]", NO_JSON(3) },
        { "[}", NO_JSON(1) },
        { "[" STOPS STOPS "]", NO_JSON(41) },
        { "[" STOPS ",]", NO_JSON(42) },
        { "[" STOPS ",," STOPS "]", NO_JSON(42) },
        { "[" STOPS "[", NO_JSON(41) },
        { "[" STOPS "]]", NO_JSON(42) },
        { "[" STOPS "]" STOPS, NO_JSON(42) },
        { "[" STOPS "],", NO_JSON(42) },
        { "[" STOPS "] data: x", NO_JSON(43) },
        { "[" STOPS ",{\"candidates\": x", NO_JSON(57) },
        { "[" STOPS ",5 5]", NO_JSON(44) },
        { "[" STOPS " data: {}", NO_JSON(42) },
        { "[" STOPS "\xEF\xBB\xBF]", NO_JSON(41) },
    };
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].body);
        streams_now.offsets = 1;
        STREAM(rows[i].body, rows[i].end);
    }
    check_context(NULL);
    streams_now.offsets = 0;
}

TEST(an_array_that_ends_before_its_bracket_is_an_early_end)
{
    static const char body[] = "[\n" SAYS("a") ",\r\n" STOPS ", " SAYS("b") "\n]\n";
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof body; i++) {
        check_cut("ends after", i);
        feed_once(&streams_fed, &feed_now, body, i, i, i, 0);
        feed_now.text[feed_now.size] = '\0';
        if (i < sizeof body - 2) CHECK(strstr(feed_now.text, "ERROR connect retryable \"the response ended before it was complete\"\nEND\n"));
        else CHECK(strstr(feed_now.text, "FINISHED completed raw=STOP\nEND\n"));
    }
    check_cut(NULL, 0);
}

TEST(calls_that_the_provider_runs_are_counted_for_each_candidate)
{
    static const int numbers[] = { 1, 7, 8, 1000 };
    char body[600], expected[500];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < 4; i++) {
        snprintf(body, sizeof body, "data: {\"candidates\":[{\"finishReason\":\"STOP\"},{\"index\":%d,\"content\":{\"parts\":["
                 "{\"functionCall\":{\"name\":\"f\"}},{\"functionResponse\":{\"name\":\"f\"}}]},\"finishReason\":\"STOP\"}]}\n\n", numbers[i]);
        snprintf(expected, sizeof expected, "0@%d call id=call_0 name=f\n0@%d flush\n"
                 "1@%d item functionResponse hosted \"{\\\"functionResponse\\\":{\\\"name\\\":\\\"f\\\"}}\"\n1@%d flush\n"
                 "response candidate={\"index\":%d,\"finish_reason\":\"STOP\"}\n"
                 "FINISHED completed raw=STOP\nmeta finish_reasons={\"%d\":\"completed\"}\nEND\n",
                 numbers[i], numbers[i], numbers[i], numbers[i], numbers[i], numbers[i]);
        STREAM(body, expected);
    }
}

TEST(a_refused_request_may_be_an_array)
{
    streams_shape(&elelem_shape_gemini);
    streams_now.http_status = 400;
    STREAM("[{\"error\":{\"code\":400,\"message\":\"API key not valid.\",\"status\":\"INVALID_ARGUMENT\"}}]",
           "ERROR authentication http=400 code=INVALID_ARGUMENT \"API key not valid.\"\nEND\n");
}

/* Paths. */

/* The arguments that come of pieces with these paths, each with the value 1, in a call that then ends. */
static void check_paths(const char *const *paths, size_t count, const char *expected)
{
    char body[4000];
    size_t size = (size_t)snprintf(body, sizeof body, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"partialArgs\":[");
    size_t i;

    for (i = 0; i < count; i++)
        size += (size_t)snprintf(body + size, sizeof body - size, "%s{\"jsonPath\":\"%s\",\"numberValue\":1}", i > 0 ? "," : "", paths[i]);
    snprintf(body + size, sizeof body - size, "]}}]},\"finishReason\":\"STOP\"}]}\n\n");
    check_context(body + 70);
    streams_shape(&elelem_shape_gemini);
    STREAM(body, expected);
}

TEST(paths_that_are_none_are_a_protocol_error)
{
    static const char *const paths[] = {
        "", "$", "a", ".a", "x.a", "$a", "$.", "$..a", "$.a.", "$.a..b", "$[", "$[]", "$[a]", "$[-1]", "$['a", "$['a'", "$['a'b]", "$['a'b.c", "$['a\\\\",
        "$['a\\\\'", "$['\\\\x']", "$['\\\\u12']", "$['\\\\u12g4']", "$['a']b", "$.a[", "$.a[0", "$.a[00]", "$.a[01]", "$.a[0]b",
        "$.a[1000000000]", "$.a[99999999999999999999]", "$.a[18446744073709551616]", "$.a[0.5]", "$[\\\"a']",
        "$ab", "$['a']bc", "$.a[0]bc", "$['\\\\u", "$['\\\\u123", "$['\\\\u123g']", "$['\\\\u12:4']", "$['\\\\u12G4']", "$['\\\\u12@4']",
        "$['\\\\u000\\u0000']", /* a zero byte is no digit */
    };
    size_t i;

    for (i = 0; i < sizeof paths / sizeof *paths; i++)
        check_paths(&paths[i], 1, "0 call id=call_0 name=f\n" BAD);
}

TEST(pieces_that_do_not_fit_those_before_are_a_protocol_error)
{
    static const char *const rows[][2] = {
        { "$.a", "$.a" },       { "$.a.b", "$.a" },     { "$.a", "$.a.b" },      { "$.a", "$.a[0]" },   { "$.a[0]", "$.a[0]" },
        { "$.a[0]", "$.a[2]" }, { "$.a[0]", "$.a.b" },  { "$.a.b", "$.a[0]" },   { "$.a[0].b", "$.a[0]" },
        { "$.a[0][0]", "$.a[2][0]" }, { "$.a[0][0]", "$.a[1][1]" },
    };
    static const char *const first[] = { "$[0]", "$.a[1]", "$.a[0][1]", "$.a[999999999]" };
    size_t i;
    char expected[300];

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        check_paths(rows[i], 2, "0 call id=call_0 name=f\n" BAD);
    for (i = 0; i < sizeof first / sizeof *first; i++)
        check_paths(&first[i], 1, "0 call id=call_0 name=f\n" BAD);
    snprintf(expected, sizeof expected, "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":[[1],[1]]}\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n");
    {
        static const char *const good[] = { "$.a[0][0]", "$.a[1][0]" };
        check_paths(good, 2, expected);
    }
}

TEST(a_path_that_was_left_cannot_be_continued)
{
    static const char *const rows[][3] = {
        { "$.a", "$.b", "$.a" },
        { "$.a.x", "$.b", "$.a.y" },
        { "$.a.x", "$.a.y", "$.a.x" },
        { "$.a.x.p", "$.a.y", "$.a.x.q" },
        { "$.a[0].x", "$.a[1].x", "$.a[0].y" },
        { "$.a[0].x", "$.b", "$.a[1].x" },
        { "$.a[0].x", "$.a[0].y", "$.a[0].x" },
        { "$.a", "$.b", "$['a']" },
        { "$.a", "$.b", "$['\\u0061']" },
        { "$['\\ud83d\\ude00']", "$.b", "$['\xf0\x9f\x98\x80']" },
        { "$['\\n']", "$.b", "$['\\u000a']" },
        { "$['\\ud800']", "$.b", "$['\\udc00']" }, /* both are read as U+FFFD */
        /* The same with escapes in the path itself. */
        { "$['\\\\b\\\\f\\\\n\\\\r\\\\t\\\\/\\\\\\\\']", "$.b", "$['\\\\u0008\\\\u000C\\\\u000a\\\\u000D\\\\u0009/\\\\u005c']" },
        { "$['\\\\u0061bc']", "$.b", "$.abc" },
        { "$['\\\\u00E9\\\\u00fF']", "$.b", "$.\xc3\xa9\xc3\xbf" },
        { "$['\\\\ud83d\\\\ude00']", "$.b", "$.\xf0\x9f\x98\x80" },
        { "$['\\\\ud800\\\\udc00']", "$.b", "$.\xf0\x90\x80\x80" },
        { "$['\\\\udbff\\\\udfffx']", "$.b", "$.\xf4\x8f\xbf\xbfx" },
        { "$['\\\\ud7ff\\\\ue000']", "$.b", "$.\xed\x9f\xbf\xee\x80\x80" },
        { "$['\\\\ud7ff\\\\udc00']", "$.b", "$['\xed\x9f\xbf\\\\ufffd']" },
        { "$['\\\\ue000\\\\udc00']", "$.b", "$['\\\\ue000\\\\ufffd']" },
        { "$['\\\\udc00\\\\udc00']", "$.b", "$['\\\\ufffd\\\\ufffd']" },
        { "$['\\\\ud83d\\\\udbff']", "$.b", "$['\\\\ufffd\\\\ufffd']" },
        { "$['\\\\ud83d\\\\ue000']", "$.b", "$['\\\\ufffd\\\\ue000']" },
        { "$['\\\\ud83d\\\\u0041']", "$.b", "$['\\\\ufffdA']" },
        { "$['\\\\ud83d\\\\ndead']", "$.b", "$['\\\\ufffd\\\\ndead']" },
        { "$['\\\\ud83dudead!']", "$.b", "$['\\\\ufffdudead!']" },
        { "$['\\\\ud83d\\\\u005c']", "$.b", "$['\\\\ufffd\\\\\\\\']" },
        { "$['\\\\ud83d']", "$.b", "$['\\\\udfff']" },
        { "$['\\\\udbff']", "$.b", "$['\xef\xbf\xbd']" },
        { "$['a\\\\'b']", "$.b", "$.a'b" },
        { "$[\\\"a\\\\\\\"b\\\"]", "$.b", "$.a\\\"b" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        check_paths(rows[i], 3, "0 call id=call_0 name=f\n" BAD);
}

TEST(a_name_may_come_again_in_another_container)
{
    static const char *const rows[][4] = {
        { "$.a.x", "$.b.x", "$.x", "{\\\"a\\\":{\\\"x\\\":1},\\\"b\\\":{\\\"x\\\":1},\\\"x\\\":1}" },
        { "$.a[0].x", "$.a[1].x", "$.a[2].x", "{\\\"a\\\":[{\\\"x\\\":1},{\\\"x\\\":1},{\\\"x\\\":1}]}" },
        { "$.a.a", "$.a.b", "$.b", "{\\\"a\\\":{\\\"a\\\":1,\\\"b\\\":1},\\\"b\\\":1}" },
    };
    char expected[300];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(expected, sizeof expected, "0 call id=call_0 name=f\n0 args \"%s\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n", rows[i][3]);
        check_paths(rows[i], 3, expected);
    }
}

/* Each member of a large object comes once, in one order or another; then one of them comes again. */
TEST(any_of_many_members_that_comes_again_is_a_protocol_error)
{
    enum { MEMBERS = 70 };
    char body[MEMBERS * 50 + 300];
    int again, step;

    streams_shape(&elelem_shape_gemini);
    for (again = -1; again < MEMBERS; again++)
        for (step = 1; step < MEMBERS; step += 32) {
            size_t size = (size_t)snprintf(body, sizeof body, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"partialArgs\":[");
            int i;
            for (i = 0; i < MEMBERS; i++)
                size += (size_t)snprintf(body + size, sizeof body - size, "%s{\"jsonPath\":\"$.k%d\",\"numberValue\":1}", i > 0 ? "," : "", i * step % 71);
            if (again >= 0)
                size += (size_t)snprintf(body + size, sizeof body - size, ",{\"jsonPath\":\"$.k%d\",\"numberValue\":1}", again * step % 71);
            snprintf(body + size, sizeof body - size, "]}}]},\"finishReason\":\"STOP\"}]}\n\n");
            feed_once(&streams_fed, &feed_now, body, strlen(body), strlen(body), 1, 0);
            feed_now.text[feed_now.size] = '\0';
            check_cut("member again", (size_t)(again + 1));
            CHECK((strstr(feed_now.text, "ERROR protocol") != NULL) == (again >= 0));
        }
}

TEST(names_that_differ_in_one_character_are_two_members)
{
    static const char *const rows[][3] = {
        { "$['\\\\u0061']", "$['\\\\u0062']", "{\\\"\\\\u0061\\\":1,\\\"\\\\u0062\\\":1}" },
        { "$['\\\\ud83d\\\\ude00']", "$['\\\\ud83d\\\\ude01']", "{\\\"\\\\ud83d\\\\ude00\\\":1,\\\"\\\\ud83d\\\\ude01\\\":1}" },
        { "$['\\\\ud83d\\\\ude00']", "$['\\\\ud83e\\\\ude00']", "{\\\"\\\\ud83d\\\\ude00\\\":1,\\\"\\\\ud83e\\\\ude00\\\":1}" },
        { "$['\\\\n']", "$.n", "{\\\"\\\\n\\\":1,\\\"n\\\":1}" },
        { "$['a\\\\tb']", "$['a\\\\tc']", "{\\\"a\\\\tb\\\":1,\\\"a\\\\tc\\\":1}" },
    };
    char expected[300];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(expected, sizeof expected, "0 call id=call_0 name=f\n0 args \"%s\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n", rows[i][2]);
        check_paths(rows[i], 2, expected);
    }
}

TEST(paths_lead_out_of_and_into_containers)
{
    static const char *const up[] = { "$.a.b.c.d", "$.e" };
    static const char *const across[] = { "$.a[0].b[0]", "$.a[0].b[1]", "$.a[1].b[0]", "$.c" };
    static const char *const names[] = { "$.a", "$.ab", "$.a-b c", "$['a']['b'][0]" };

    check_paths(up, 2, "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":{\\\"b\\\":{\\\"c\\\":{\\\"d\\\":1}}},\\\"e\\\":1}\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n");
    check_paths(across, 4, "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":[{\\\"b\\\":[1,1]},{\\\"b\\\":[1]}],\\\"c\\\":1}\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n");
    check_paths(names, 3, "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":1,\\\"ab\\\":1,\\\"a-b c\\\":1}\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n");
}

TEST(an_array_in_pieces_may_have_many_elements)
{
    static const char *const paths[] = {
        "$.a[0]", "$.a[1]", "$.a[2]", "$.a[3]", "$.a[4]", "$.a[5]", "$.a[6]", "$.a[7]", "$.a[8]", "$.a[9]", "$.a[10]", "$.a[11]",
    };

    check_paths(paths, 12, "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":[1,1,1,1,1,1,1,1,1,1,1,1]}\"\n0 flush\n"
                           "FINISHED tool_calls raw=STOP\nEND\n");
}

TEST(a_string_continues_only_if_it_announced_more)
{
    streams_shape(&elelem_shape_gemini);
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":true,\"partialArgs\":["
           "{\"jsonPath\":\"$.a\",\"stringValue\":\"x\"}]}}]}}]}\n\n"
           "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":["
           "{\"jsonPath\":\"$.a\",\"stringValue\":\"y\"}]}}]}}]}\n\n",
           "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":\\\"x\\\"\"\n" BAD);
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":true,\"partialArgs\":["
           "{\"jsonPath\":\"$.a\",\"stringValue\":\"x\",\"willContinue\":true}]}}]}}]}\n\n"
           "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":["
           "{\"jsonPath\":\"$.a\",\"numberValue\":1}]}}]}}]}\n\n",
           "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":\\\"x\"\n" BAD);
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":true,\"partialArgs\":["
           "{\"jsonPath\":\"$.a.b\",\"stringValue\":\"x\",\"willContinue\":true}]}}]}}]}\n\n"
           "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":["
           "{\"jsonPath\":\"$.a\",\"stringValue\":\"y\"}]}}]}}]}\n\n",
           "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":{\\\"b\\\":\\\"x\"\n" BAD);
}

/* Numbers that no provider sends, and members of other types. */

TEST(a_candidate_whose_index_is_no_number_of_a_wire_is_the_first) /* P2 */
{
    static const char *const words[] = { "-1", "2147483648", "4294967296", "18446744073709551616", "1e300",
                                         "0.5", "\"0\"", "true", "null", "[0]", "{}" };
    char body[400];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        check_context(words[i]);
        snprintf(body, sizeof body, "data: {\"candidates\":[{\"index\":%s,\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n" OK_CHUNK, words[i]);
        STREAM(body, "0 text \"aok\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
    }
}

TEST(a_null_value_is_null_whatever_its_type)
{
    static const char *const words[] = { "null", "\"NULL_VALUE\"", "0", "-1", "\"\"", "true", "[]", "{\"a\":1}" };
    char body[500];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        check_context(words[i]);
        snprintf(body, sizeof body,
                 "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"partialArgs\":["
                 "{\"jsonPath\":\"$.a[0]\",\"nullValue\":%s},{\"jsonPath\":\"$.a[1]\",\"numberValue\":1}]}}]},"
                 "\"finishReason\":\"STOP\"}]}\n\n", words[i]);
        STREAM(body, "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":[null,1]}\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n");
    }
}

/* If it is neither missing nor null nor false, more may come; what follows ends the value. */
TEST(will_continue_of_another_type_ends_neither_a_call_nor_a_string)
{
    static const char *const words[] = { "-1", "1", "\"\"", "\"yes\"", "[]", "{}", "true" };
    static const char *const ends[] = { "false", "null" };
    char body[900];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        check_context(words[i]);
        snprintf(body, sizeof body,
                 "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":%s,\"partialArgs\":["
                 "{\"jsonPath\":\"$.a\",\"stringValue\":\"x\",\"willContinue\":%s}]}}]}}]}\n\n"
                 "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"partialArgs\":["
                 "{\"jsonPath\":\"$.a\",\"stringValue\":\"y\",\"willContinue\":%s},{\"jsonPath\":\"$.b\",\"numberValue\":1}]}}]},"
                 "\"finishReason\":\"STOP\"}]}\n\n", words[i], words[i], words[i]);
        STREAM(body, "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":\\\"xy\\\",\\\"b\\\":1}\"\n0 flush\n"
                     "FINISHED tool_calls raw=STOP\nEND\n");
    }
    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        check_context(ends[i]);
        snprintf(body, sizeof body,
                 "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":%s,\"partialArgs\":["
                 "{\"jsonPath\":\"$.a\",\"stringValue\":\"x\",\"willContinue\":%s}]}},{\"text\":\"b\",\"thought\":%s}]}}]}\n\n" OK_CHUNK,
                 ends[i], ends[i], ends[i]);
        STREAM(body, "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":\\\"x\\\"}\"\n0 flush\n1 text \"bok\"\n1 flush\n"
                     "FINISHED tool_calls raw=STOP\nEND\n");
    }
}

TEST(arguments_without_a_name_begin_a_call_and_show_that_the_one_before_is_over)
{
    streams_shape(&elelem_shape_gemini);
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\"}}]}}]}\n\n"
           "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"args\":{\"a\":1}}}]}}]}\n\n" OK_CHUNK,
           "0 call id=call_0 name=f\n0 flush\n1 call id=call_1 name=\n1 args \"{\\\"a\\\":1}\"\n1 flush\n2 text \"ok\"\n2 flush\n"
           "FINISHED tool_calls raw=STOP\nEND\n");
}

/* They are of Google's Value, though its description of a piece has only the others. */
TEST(a_piece_may_be_a_list_or_an_object)
{
    streams_shape(&elelem_shape_gemini);
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":true,\"partialArgs\":["
           "{\"jsonPath\":\"$.a\",\"listValue\":[1.0,{\"b\":\"x\"},[]]},{\"jsonPath\":\"$.c.d\",\"structValue\":{\"e\":null}}]}}]}}]}\n\n"
           "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.g\",\"listValue\":{\"values\":[]}},"
           "{\"jsonPath\":\"$.h\",\"structValue\":[]},{\"jsonPath\":\"$.i\",\"listValue\":[]}]}}]}}]}\n\n" OK_CHUNK,
           "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":[1.0,{\\\"b\\\":\\\"x\\\"},[]],\\\"c\\\":{\\\"d\\\":{\\\"e\\\":null}},\\\"i\\\":[]}\"\n0 flush\n"
           "1 text \"ok\"\n1 flush\nFINISHED tool_calls raw=STOP\nEND\n");
}

/* Bifrost leaves out the empty text that the signature came with. What belongs to a provider item is not taken for a text's. */
TEST(a_signature_may_come_without_a_text_also_without_items)
{
    streams_shape(&elelem_shape_gemini);
    streams_now.desc.without_provider_items = 1;
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{\"executableCode\":{\"code\":\"1\"},\"thoughtSignature\":\"eA==\"},"
           "{\"text\":\"b\"},{\"thoughtSignature\":\"eA==\",\"inlineData\":{\"data\":\"eA==\"}},{\"functionResponse\":{},\"thoughtSignature\":\"eA==\"}]}}]}\n\n"
           "data: {\"candidates\":[{\"content\":{\"parts\":[{\"thoughtSignature\":\"c2ln\",\"inlineData\":null}]},\"finishReason\":\"STOP\"}]}\n\n",
           "0 text \"ab\"\n0 meta thought_signature=\"c2ln\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
}

#define PIECE_FOR_NO_CALL "{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.a\",\"numberValue\":1}]}}"

TEST(usage_that_is_no_object_does_not_replace_one)
{
    streams_shape(&elelem_shape_gemini);
    streams_now.usage = 1;
    STREAM("data: {\"usageMetadata\":{\"promptTokenCount\":7}}\n\ndata: {\"usageMetadata\":5}\n\n" OK_CHUNK,
           "0 text \"ok\"\n0 flush\nFINISHED completed raw=STOP in=7\nmeta usage={\"promptTokenCount\":7}\nEND\n");
}

TEST(a_signature_of_one_character_is_one)
{
    streams_shape(&elelem_shape_gemini);
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\",\"thoughtSignature\":\"x\"},{\"text\":\"b\"}]}}]}\n\n" OK_CHUNK,
           "0 meta thought_signature=\"x\"\n0 text \"a\"\n0 flush\n1 text \"bok\"\n1 flush\nFINISHED completed raw=STOP\nEND\n");
}

TEST(the_caption_of_a_server_tool_is_its_first_argument)
{
    streams_shape(&elelem_shape_gemini);
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"toolCall\":{\"args\":{\"q\":\"x\",\"r\":\"y\"}}}]},\"finishReason\":\"STOP\"}]}\n\n",
           "0 item toolCall hosted \"{\\\"toolCall\\\":{\\\"args\\\":{\\\"q\\\":\\\"x\\\",\\\"r\\\":\\\"y\\\"}}}\"\n0 caption \"x\"\n0 flush\n"
           "FINISHED completed raw=STOP\nEND\n");
}

TEST(nothing_comes_after_a_part_that_is_a_protocol_error)
{
    streams_shape(&elelem_shape_gemini);
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}," PIECE_FOR_NO_CALL ",{\"text\":\"b\"}]}},"
           "{\"index\":1,\"content\":{\"parts\":[{\"text\":\"c\"}]}}]}\n\n" OK_CHUNK, "0 text \"a\"\n" BAD);
}

TEST(known_members_of_other_types_are_ignored)
{
    static const char *const frames[] = {
        "[]", "7", "\"x\"", "null", "{}", "{\"candidates\":null}", "{\"candidates\":7}", "{\"candidates\":{\"index\":-1}}",
        "{\"candidates\":[7,null,\"x\",[]]}", "{\"candidates\":[{\"content\":7,\"finishReason\":7,\"finishMessage\":7}]}",
        "{\"candidates\":[{\"content\":[],\"finishReason\":{},\"groundingMetadata\":7,\"citationMetadata\":7,\"urlContextMetadata\":[1]}]}",
        "{\"candidates\":[{\"content\":{\"parts\":7},\"finishReason\":\"\",\"citationMetadata\":{\"citations\":7,\"citationSources\":{}}}]}",
        "{\"candidates\":[{\"content\":{\"parts\":{\"text\":\"no\"}},\"finishReason\":null}]}",
        "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":7},{\"text\":null,\"thoughtSignature\":7},{\"text\":[]},{\"text\":\"\",\"thoughtSignature\":7}]}}]}",
        "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":7},{\"functionCall\":null},{\"functionCall\":[]},{\"functionCall\":\"f\"}]}}]}",
        "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":7,\"args\":7,\"id\":7,\"partialArgs\":7,\"willContinue\":7}}]}}]}",
        "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"\",\"args\":{},\"partialArgs\":[]}}]}}]}",
        "{\"promptFeedback\":7,\"usageMetadata\":7,\"error\":7}", "{\"promptFeedback\":{},\"usageMetadata\":[],\"error\":[]}",
        "{\"promptFeedback\":null,\"usageMetadata\":{\"promptTokenCount\":\"7\",\"candidatesTokenCount\":1.5},\"error\":false}",
    };
    char body[1000];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof frames / sizeof *frames; i++) {
        check_context(frames[i]);
        snprintf(body, sizeof body, "data: %s\n\n" OK_CHUNK, frames[i]);
        STREAM(body, OK_GIVES);
    }
}

#define TEN "ABCDEFGHIJ"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define KILOBYTE HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

TEST(members_of_calls_of_other_types_are_ignored)
{
    static const char *const values[] = { "null", "\"\"", "[]" };
    char body[1000];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof values / sizeof *values; i++) {
        check_context(values[i]);
        snprintf(body, sizeof body, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"thoughtSignature\":%s,\"functionCall\":{\"name\":\"f\",\"id\":%s,\"args\":%s,"
                 "\"partialArgs\":%s}}]},\"finishReason\":\"STOP\"}]}\n\n", values[i], values[i], values[i], values[i]);
        STREAM(body, "0 call id=call_0 name=f\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n");
    }
}

#define ARGUMENTS(args) "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":" args "}}]}}]}\n\n"

TEST(arguments_that_are_no_object_are_passed_on_as_they_are)
{
    static const char *const values[] = { "true", "7", "\"{}\"", "[[]]", "[null]" };
    char body[300], expected[200], args[40];
    size_t i, k, size;

    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof values / sizeof *values; i++) {
        check_context(values[i]);
        for (k = size = 0; values[i][k]; k++) {
            if (values[i][k] == '"') args[size++] = '\\';
            args[size++] = values[i][k];
        }
        args[size] = '\0';
        snprintf(body, sizeof body, ARGUMENTS("%s") "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n", values[i]);
        snprintf(expected, sizeof expected, "0 call id=call_0 name=f\n0 args \"%s\"\n0 flush\nFINISHED tool_calls raw=STOP\nEND\n", args);
        STREAM(body, expected);
    }
}

#define FUNCTION(call) "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{" call "}}]}}]}\n\n"
#define CHUNK_STOP "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n"
#define CALL_STOPS "0 flush\nFINISHED tool_calls raw=STOP\nEND\n"

TEST(whole_arguments_may_come_after_the_call_began)
{
    streams_shape(&elelem_shape_gemini);
    STREAM(FUNCTION("\"name\":\"f\",\"willContinue\":true") FUNCTION("\"args\":{\"a\":1}") CHUNK_STOP,
           "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":1}\"\n" CALL_STOPS);
    STREAM(FUNCTION("\"id\":\"x\",\"name\":\"f\",\"willContinue\":true") FUNCTION("\"id\":\"x\",\"name\":\"f\",\"args\":{\"a\":1}") CHUNK_STOP,
           "0 call id=x name=f\n0 args \"{\\\"a\\\":1}\"\n" CALL_STOPS);
    STREAM(FUNCTION("\"name\":\"f\",\"args\":{},\"willContinue\":true") FUNCTION("\"args\":{\"a\":1}") CHUNK_STOP,
           "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":1}\"\n" CALL_STOPS);
    STREAM(FUNCTION("\"name\":\"f\",\"willContinue\":true,\"partialArgs\":[{\"jsonPath\":\"$.a\",\"numberValue\":2}]") FUNCTION("\"args\":{\"a\":1}") CHUNK_STOP,
           "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":2}\"\n" CALL_STOPS);
    STREAM(FUNCTION("\"name\":\"f\",\"args\":{\"a\":1},\"willContinue\":true") FUNCTION("\"args\":{\"a\":2}") CHUNK_STOP,
           "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":1}\"\n" CALL_STOPS);
}

TEST(another_id_is_another_call_also_without_a_name)
{
    streams_shape(&elelem_shape_gemini);
    STREAM(FUNCTION("\"id\":\"a\",\"name\":\"f\",\"willContinue\":true,\"partialArgs\":[{\"jsonPath\":\"$.x\",\"numberValue\":1}]")
           FUNCTION("\"id\":\"b\",\"partialArgs\":[{\"jsonPath\":\"$.y\",\"numberValue\":2}]") CHUNK_STOP,
           "0 call id=a name=f\n0 args \"{\\\"x\\\":1}\"\n0 flush\n1 call id=b name=\n1 args \"{\\\"y\\\":2}\"\n1 flush\nFINISHED tool_calls raw=STOP\nEND\n");
    STREAM(FUNCTION("\"name\":\"f\",\"willContinue\":true") FUNCTION("\"id\":\"b\",\"partialArgs\":[{\"jsonPath\":\"$.y\",\"numberValue\":2}]") CHUNK_STOP,
           "0 call id=call_0 name=f\n0 args \"{\\\"y\\\":2}\"\n" CALL_STOPS);
}

TEST(a_result_of_the_provider_without_a_name_is_one_also_without_items)
{
    streams_shape(&elelem_shape_gemini);
    streams_now.desc.without_provider_items = 1;
    STREAM(FUNCTION("\"id\":\"1\",\"name\":\"f\",\"args\":{}")
           "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionResponse\":{\"id\":\"1\",\"response\":{}}}]},\"finishReason\":\"STOP\"}]}\n\n",
           "0 call id=1 name=f\n0 flush\nFINISHED completed raw=STOP\nEND\n");
}

TEST(a_call_after_a_large_member_that_is_not_known_is_a_call)
{
    static const char text[] = KILOBYTE KILOBYTE;
    static char body[7000], expected[7000];
    int size;

    streams_shape(&elelem_shape_gemini);
    for (size = 1; size < 2000; size += 500) { /* up to 4 KB and more */
        snprintf(body, sizeof body, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"novelty\":\"%s%.*s%.*s\",\"functionCall\":{\"name\":\"f\","
                 "\"args\":{\"a\":1}}}]},\"finishReason\":\"STOP\"}]}\n\n", text, size, text, size, text);
        snprintf(expected, sizeof expected, "0 meta novelty=\"%s%.*s%.*s\"\n0 call id=call_0 name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\n"
                 "FINISHED tool_calls raw=STOP\nEND\n", text, size, text, size, text);
        STREAM(body, expected);
    }
}

TEST(the_large_member_says_what_a_part_is_whatever_comes_before_it)
{
    streams_shape(&elelem_shape_gemini);
    STREAM("data: {\"candidates\":[{\"content\":{\"parts\":[{\"novelty\":1,\"fileData\":null,\"inlineData\":{}}]},\"finishReason\":\"STOP\"}]}\n\n",
           "0 item inlineData \"{\\\"novelty\\\":1,\\\"fileData\\\":null,\\\"inlineData\\\":{}}\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
}

/* Much of something. */

static elelem_event last_event;

/* Pushes the text `times` times; returns the number of events. */
static size_t push_times(const char *text, size_t times)
{
    size_t count = 0;

    while (times-- > 0) {
        elelem_stream_push(&streams_now.stream, text, strlen(text));
        while (elelem_stream_next(&streams_now.stream, &last_event) == ELELEM_OK)
            count++;
    }
    return count;
}

#define PIECE(piece) "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":[" piece "]}}]}}]}\n\n"
#define BEGIN "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":true}}]}}]}\n\n"

TEST(a_hundred_thousand_pieces_of_one_byte_need_no_more_memory) /* P5 */
{
    static const char piece[] = PIECE("{\"jsonPath\":\"$.a.b[0]\",\"stringValue\":\"7\",\"willContinue\":true}");
    const elelem_shape_context *c = &streams_now.stream.els_context;
    size_t document, kept;

    streams_shape(&elelem_shape_gemini);
    streams_start(&streams_now);
    push_times(BEGIN, 1);
    push_times(piece, 1);
    document = streams_now.stream.els_response.document.els_memory.capacity;
    kept = c->els_kept_size;
    CHECK_INT(push_times(piece, 100000), 100000);
    CHECK_INT(streams_now.stream.els_response.document.els_memory.capacity, document);
    CHECK_INT(c->els_kept_size, kept);
    push_times("data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{}}]}}]}\n\n", 1);
    CHECK_INT(c->els_kept_size, 0);
    CHECK_INT(c->els_item_count, 0);
}

/* Of an object's members 8 bytes each are kept, of the object and of the text 24. */
TEST(more_members_than_may_be_kept_meet_a_limit)
{
    char body[8000];
    size_t count, i;

    streams_shape(&elelem_shape_gemini);
    streams_now.desc.max_kept_bytes = 200;
    for (count = 1; count < 30; count++) {
        size_t size = (size_t)snprintf(body, sizeof body, BEGIN);
        for (i = 0; i < count; i++)
            size += (size_t)snprintf(body + size, sizeof body - size, PIECE("{\"jsonPath\":\"$.%0*d%c\",\"numberValue\":1}"), (int)i * 2, 0, (int)('a' + i));
        feed_once(&streams_fed, &feed_now, body, strlen(body), 50, 50, 0);
        feed_now.text[feed_now.size] = '\0';
        check_cut("members", count);
        CHECK(strstr(feed_now.text, count <= 23 ? "ERROR connect" : "ERROR limit"));
    }
    CHECK(strstr(feed_now.text, "status=ERROR_VALUE_SIZE"));
}

TEST(containers_deeper_than_may_be_kept_meet_a_limit)
{
    char body[1000], path[200];
    size_t depth;

    streams_shape(&elelem_shape_gemini);
    streams_now.desc.max_kept_bytes = 200;
    for (depth = 1; depth < 20; depth++) {
        memset(path, 0, sizeof path);
        while (strlen(path) < depth * 3)
            strcat(path, "[0]");
        snprintf(body, sizeof body, BEGIN PIECE("{\"jsonPath\":\"$.a%s\",\"numberValue\":1}"), path);
        feed_once(&streams_fed, &feed_now, body, strlen(body), 50, 50, 0);
        feed_now.text[feed_now.size] = '\0';
        check_cut("levels", depth);
        CHECK(strstr(feed_now.text, depth <= 11 ? "ERROR connect" : "ERROR limit"));
    }
}

TEST(paths_may_be_as_deep_as_they_are_long)
{
    static char body[300000], expected[300000];
    size_t i, size, depth = 20000;

    size = (size_t)snprintf(body, sizeof body, BEGIN "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.a");
    for (i = 0; i < depth; i++)
        size += (size_t)snprintf(body + size, sizeof body - size, "[0]");
    snprintf(body + size, sizeof body - size, "\",\"numberValue\":7},{\"jsonPath\":\"$.b\",\"numberValue\":8}]}}]}}]}\n\n");
    size = (size_t)snprintf(expected, sizeof expected, "0 call id=call_0 name=f\n0 args \"{\\\"a\\\":");
    memset(expected + size, '[', depth);
    expected[size + depth] = '7';
    memset(expected + size + depth + 1, ']', depth);
    snprintf(expected + size + depth * 2 + 1, sizeof expected - size - depth * 2 - 1,
             ",\\\"b\\\":8}\"\n0 flush\nERROR connect retryable \"the response ended before it was complete\"\nEND\n");
    streams_shape(&elelem_shape_gemini);
    feed_once(&streams_fed, &feed_now, body, strlen(body), 1000, 1000, 0);
    CHECK_BYTES(feed_now.text, feed_now.size, expected, strlen(expected));
}

static uint32_t items_before;

/* A stream that has begun so many items before. */
static void start_after_items(void *object)
{
    streams_start(object);
    ((streams_object *)object)->stream.els_context.els_next_index = items_before;
}

TEST(the_id_of_a_call_without_one_has_as_many_digits_as_its_index)
{
    static const uint32_t indices[] = { 0, 8, 9, 10, 98, 99, 100, 999, 65535, 99999999, 999999998, 999999999, 2147483647, 4294967293u };
    static const char body[] = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\"}},{\"functionCall\":"
                               "{\"name\":\"g\"}}]},\"finishReason\":\"STOP\"}]}\n\n";
    feed_object fed = streams_fed;
    char expected[300];
    size_t i;

    fed.start = start_after_items;
    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof indices / sizeof *indices; i++) {
        unsigned long first = indices[i], second = first + 1;
        items_before = indices[i];
        snprintf(expected, sizeof expected, "%lu call id=call_%lu name=f\n%lu flush\n%lu call id=call_%lu name=g\n%lu flush\n"
                 "FINISHED tool_calls raw=STOP\nEND\n", first, first, first, second, second, second);
        FEED(&fed, body, sizeof body - 1, expected);
    }
    items_before = 4294967294u; /* the last one that there is */
    FEED(&fed, body, sizeof body - 1, "4294967294 call id=call_4294967294 name=f\n4294967294 flush\n"
         "ERROR limit \"there are more items than allowed\" status=ERROR_COUNT\nEND\n");
}

TEST(each_of_many_calls_without_ids_has_an_id_of_its_own)
{
    static char body[20000], expected[20000];
    size_t i, size, expected_size = 0;

    size = (size_t)snprintf(body, sizeof body, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\"}}");
    for (i = 0; i < 120; i++) {
        if (i > 0) size += (size_t)snprintf(body + size, sizeof body - size, ",{\"functionCall\":{\"name\":\"f\"}}");
        expected_size += (size_t)snprintf(expected + expected_size, sizeof expected - expected_size,
                                          "%lu call id=call_%lu name=f\n%lu flush\n", (unsigned long)i, (unsigned long)i, (unsigned long)i);
    }
    snprintf(body + size, sizeof body - size, "]},\"finishReason\":\"STOP\"}]}\n\n");
    snprintf(expected + expected_size, sizeof expected - expected_size, "FINISHED tool_calls raw=STOP\nEND\n");
    streams_shape(&elelem_shape_gemini);
    STREAM(body, expected);
}

/* Large parts. */

#define IMAGE_BEGINS \
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\""
#define IMAGE_ENDS "\"},\"thoughtSignature\":\"c2ln\"}]},\"finishReason\":\"STOP\"}]}\n\n"

TEST(an_image_of_two_megabytes_is_read_past_if_provider_items_are_switched_off)
{
    static char memory[4096], much[1001];
    elelem_arena arena;

    memset(much, 'x', sizeof much - 1);
    streams_shape(&elelem_shape_gemini);
    streams_now.desc.without_provider_items = 1;
    streams_now.desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    streams_start(&streams_now);
    CHECK_INT(push_times(IMAGE_BEGINS, 1), 0);
    CHECK_INT(push_times(much, 2000), 0);
    CHECK_INT(push_times(IMAGE_ENDS, 1), 1);
    elelem_stream_finish(&streams_now.stream);
    CHECK_INT(elelem_stream_next(&streams_now.stream, &last_event), ELELEM_OK);
    CHECK_INT(last_event.kind, ELELEM_EVENT_FLUSH);
    CHECK_INT(elelem_stream_next(&streams_now.stream, &last_event), ELELEM_OK);
    CHECK_INT(last_event.kind, ELELEM_EVENT_FINISHED);
    elelem_stream_free(&streams_now.stream);
    CHECK_INT(elelem_arena_used(&arena), 0);
}

static size_t piece_bytes; /* of JSON of provider items that came */

static void take_pieces(void)
{
    while (elelem_stream_next(&streams_now.stream, &last_event) == ELELEM_OK) {
        CHECK(last_event.kind != ELELEM_EVENT_ERROR);
        if (last_event.kind == ELELEM_EVENT_PART && last_event.part.kind == ELELEM_PART_PROVIDER_ITEM)
            piece_bytes += last_event.part.text.size;
    }
}

static void push_and_take(const char *text)
{
    CHECK_INT(elelem_stream_push(&streams_now.stream, text, strlen(text)), ELELEM_OK);
    take_pieces();
}

/* An image of 40 megabytes, whose chunk begins with `begins`. */
static void image_passes(const char *begins, const char *ends, const char *others)
{
    static char base64[4097];
    limits_heap heap = ELELEM_INIT;
    size_t i;

    memset(base64, 'A', sizeof base64 - 1);
    piece_bytes = 0;
    heap.bound = 65536;
    streams_shape(&elelem_shape_gemini);
    streams_now.desc.allocator = limits_allocator(&heap);
    streams_start(&streams_now);
    push_and_take(begins);
    for (i = 0; i < 40 << 8; i++)
        push_and_take(base64);
    push_and_take(ends);
    elelem_stream_finish(&streams_now.stream);
    take_pieces();
    CHECK_INT(last_event.kind, ELELEM_EVENT_FINISHED);
    CHECK_U64(piece_bytes, ((size_t)40 << 20) + strlen(others));
    CHECK(limits_held(&heap));
    elelem_stream_free(&streams_now.stream);
    CHECK_U64(heap.live, 0);
}

TEST(an_image_of_40_megabytes_passes_through_64_kilobytes)
{
    static const char part[] = "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"\"},\"thoughtSignature\":\"c2ln\"}";

    image_passes(IMAGE_BEGINS, IMAGE_ENDS, part);
    image_passes("[" "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{\"thoughtSignature\":\"c2ln\",\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"",
                 "\"}}]},\"finishReason\":\"STOP\"}]}]", part);
}

TEST(an_image_after_a_small_part_of_the_same_chunk_passes_too)
{
    image_passes("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{\"inlineData\":{\"mimeType\":\"image/gif\"}},"
                 "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"",
                 "\"}}]},\"finishReason\":\"STOP\"}]}\n\n",
                 "{\"inlineData\":{\"mimeType\":\"image/gif\"}}{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"\"}}");
}

TEST(a_signature_of_42_kilobytes_before_its_part_is_whole)
{
    static char body[50000], expected[50000];
    size_t size = (size_t)snprintf(body, sizeof body, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"thoughtSignature\":\"");
    size_t before = (size_t)snprintf(expected, sizeof expected, "0 item toolResponse hosted \"{\\\"thoughtSignature\\\":\\\"");

    memset(body + size, 'x', 42000);
    memset(expected + before, 'x', 42000);
    strcpy(body + size + 42000, "\",\"toolResponse\":{\"id\":\"t\"}}]},\"finishReason\":\"STOP\"}]}\n\n");
    strcpy(expected + before + 42000, "\\\",\\\"toolResponse\\\":{\\\"id\\\":\\\"t\\\"}}\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
    streams_shape(&elelem_shape_gemini);
    feed_once(&streams_fed, &feed_now, body, strlen(body), 1000, 1000, 0);
    CHECK_BYTES(feed_now.text, feed_now.size, expected, strlen(expected));
}

/* A part that passes ends inside one whose chunk breaks off, or is not what the shape sends. */
TEST(a_chunk_that_breaks_off_inside_a_part_that_passes_is_an_early_end)
{
    static char body[3000];
    size_t size = (size_t)snprintf(body, sizeof body, IMAGE_BEGINS);

    memset(body + size, 'A', 2000);
    streams_shape(&elelem_shape_gemini);
    feed_once(&streams_fed, &feed_now, body, strlen(body), 100, 100, 0);
    feed_now.text[feed_now.size] = '\0';
    CHECK(strstr(feed_now.text, "0 text \"a\"\n0 flush\n1 item inlineData \"{\\\"inlineData\\\":"));
    CHECK(strstr(feed_now.text, "AAAA\"\nERROR connect"));
}

TEST(what_comes_before_a_part_that_passes_may_be_a_protocol_error)
{
    static char body[6000];
    size_t size = (size_t)snprintf(body, sizeof body, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{\"functionCall\":"
                                                      "{\"partialArgs\":[{\"jsonPath\":\"$.a\",\"numberValue\":1}]}},{\"inlineData\":{\"data\":\"");

    memset(body + size, 'A', 2000);
    strcpy(body + size + 2000, "\"}},{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}]}\n\n");
    streams_shape(&elelem_shape_gemini);
    STREAM(body, "0 text \"a\"\n" BAD);
}

#define LARGE "{\"inlineData\":{\"data\":\"~\"}}"
#define LARGE_GIVES "\"{\\\"inlineData\\\":{\\\"data\\\":\\\"~\\\"}}\""

TEST(nothing_passes_after_a_part_that_is_a_protocol_error)
{
    streams_shape(&elelem_shape_gemini);
    STREAM_LARGE("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}," PIECE_FOR_NO_CALL "," LARGE "," LARGE
           ",{\"text\":\"b\"}]}}]}\n\n" OK_CHUNK, "0 text \"a\"\n" BAD);
    STREAM_LARGE("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}," PIECE_FOR_NO_CALL "]}},"
           "{\"index\":1,\"content\":{\"parts\":[{\"text\":\"b\"}," LARGE "]}}]}\n\n" OK_CHUNK, "0 text \"a\"\n" BAD);
    STREAM_LARGE("[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}," PIECE_FOR_NO_CALL "," LARGE ",{\"text\":\"~"
           "\"},{\"text\":\"b\"}]}},{\"index\":1,\"content\":{\"parts\":[{\"text\":\"~"
           "\"}]}},{\"index\":2,\"content\":{\"parts\":[{\"text\":\"c\"}]}}]}]", "0 text \"a\"\n" BAD);
}

/* How far a candidate was read is not kept once another began: a list whose key comes twice would begin again with its first part. */
TEST(a_part_passes_of_no_candidate_that_comes_again_after_another)
{
    streams_shape(&elelem_shape_gemini);
    STREAM_LARGE("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}," LARGE "]}},{\"index\":1,\"content\":{\"parts\":[{\"text\":\"b\"}," LARGE
           "]}}],\"candidates\":[{\"content\":{\"parts\":[" LARGE "]}},{\"index\":1,\"content\":{\"parts\":[" LARGE "]}}]}\n\n" OK_CHUNK,
           "0 text \"a\"\n0 flush\n1 item inlineData " LARGE_GIVES "\n1 flush\n2@1 text \"b\"\n2@1 flush\n3@1 item inlineData " LARGE_GIVES "\n3@1 flush\n" BAD);
}

TEST(no_number_of_a_candidate_is_looked_for_that_comes_again_after_another)
{
    streams_shape(&elelem_shape_gemini);
    STREAM_LARGE("data: {\"candidates\":[{\"index\":1}]}\n\n"
           "data: {\"candidates\":[{\"content\":{\"parts\":[" LARGE "]}},{\"content\":{\"parts\":[" LARGE "]}}],"
           "\"candidates\":[{\"content\":{\"parts\":[" LARGE "]}}]}\n\n" OK_CHUNK, BAD);
}

TEST(parts_pass_of_a_candidate_whose_list_comes_twice)
{
    streams_shape(&elelem_shape_gemini);
    STREAM_LARGE("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}," LARGE "]}}],\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}," LARGE
           "]}}]}\n\n" OK_CHUNK, "0 text \"a\"\n0 flush\n1 item inlineData " LARGE_GIVES "\n1 flush\n2 text \"b\"\n2 flush\n"
           "3 item inlineData " LARGE_GIVES "\n3 flush\n4 text \"ok\"\n4 flush\nFINISHED completed raw=STOP\nEND\n");
}

/* With other candidates, the number that comes before the parts says whose part passes; without it, the part waits for its number. */
TEST(a_part_that_passes_is_of_the_candidate_whose_number_came_before_it)
{
    streams_shape(&elelem_shape_gemini);
    STREAM_LARGE("data: {\"candidates\":[{\"index\":1,\"content\":{\"parts\":[{\"text\":\"a\"}]},\"finishReason\":\"STOP\"}]}\n\n"
           "data: {\"candidates\":[{\"index\":1,\"content\":{\"parts\":[" LARGE "]},\"finishReason\":\"STOP\"}]}\n\n"
           "data: {\"candidates\":[{\"content\":{\"parts\":[" LARGE "]},\"index\":1,\"finishReason\":\"STOP\"}]}\n\n"
           "data: {\"candidates\":[{\"index\":0,\"content\":{\"parts\":[" LARGE "]}}]}\n\n" OK_CHUNK,
           "0@1 text \"a\"\nresponse candidate={\"index\":1,\"finish_reason\":\"STOP\"}\n0@1 flush\n1@1 item inlineData " LARGE_GIVES "\n1@1 flush\n"
           "response candidate={\"index\":1,\"finish_reason\":\"STOP\"}\n2@1 item inlineData " LARGE_GIVES "\n2@1 flush\n"
           "response candidate={\"index\":1,\"finish_reason\":\"STOP\"}\n3 item inlineData " LARGE_GIVES "\n3 flush\n4 text \"ok\"\n4 flush\nFINISHED completed raw=STOP\n"
           "meta finish_reasons={\"1\":\"completed\"}\nEND\n");
}

/* Switched off. */

TEST(switched_off_nothing_comes_of_provider_items)
{
    streams_shape(&elelem_shape_gemini);
    streams_now.desc.without_provider_items = 1;
    STREAM("data: {\"responseId\":\"r\",\"modelVersion\":\"m\",\"promptFeedback\":{\"safetyRatings\":[]},\"candidates\":[{\"safetyRatings\":[{}],"
           "\"avgLogprobs\":1,\"continuationToken\":\"x\",\"content\":{\"parts\":[{\"text\":\"a\"},{\"inlineData\":{\"mimeType\":\"image/gif\"}},"
           "{\"novelty\":1},{\"functionResponse\":{}},{\"text\":\"b\",\"partMetadata\":{\"k\":1}}]}}]}\n\n" OK_CHUNK,
           "0 text \"abok\"\n0 flush\nFINISHED completed raw=STOP\nEND\n");
}

#define ALL_KINDS                                                                                                          \
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\",\"partMetadata\":{\"k\":1}},{\"inlineData\":{\"mimeType\":\"image/gif\"}}," \
    "{\"toolCall\":{\"args\":{\"q\":[\"x\",\"y\"]}}},{\"inlineData\":{\"data\":\"" KILOBYTE KILOBYTE "\"}},{\"text\":\"b\"}]},"              \
    "\"safetyRatings\":[{\"a\":1}]},{\"index\":1,\"avgLogprobs\":-1,\"finishReason\":\"STOP\"}],\"responseId\":\"r\",\"modelVersion\":\"m\"}\n\n" OK_CHUNK

TEST(refused_memory_ends_a_stream_of_provider_items_at_every_request)
{
    static feed_log whole;
    int refused;

    for (refused = 0; refused < 300; refused++) {
        limits_heap heap = ELELEM_INIT;
        heap.refuse = refused;
        streams_shape(&elelem_shape_gemini);
        streams_now.desc.allocator = limits_allocator(&heap);
        feed_once(&streams_fed, &feed_now, ALL_KINDS, sizeof ALL_KINDS - 1, 700, 700, 0);
        feed_now.text[feed_now.size] = '\0';
        check_cut("refused", (size_t)refused);
        CHECK(!strstr(feed_now.text, "BROKEN"));
        if (refused == 0) whole = feed_now;
        else if (!strstr(feed_now.text, "ERROR out_of_memory")) CHECK_BYTES(feed_now.text, feed_now.size, whole.text, whole.size);
        elelem_stream_free(&streams_now.stream);
        CHECK_U64(heap.live, 0);
        if (refused > heap.calls) break;
    }
    CHECK(refused > 5 && refused < 300);
    CHECK(strstr((char *)whole.text, "FINISHED completed"));
}

TEST(whole_frames_from_the_callers_client_give_the_same_items)
{
    static const char frame[] = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{\"inlineData\":{\"data\":\"" KILOBYTE KILOBYTE
                                "\"}},{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}]}";
    static feed_log log;

    streams_shape(&elelem_shape_gemini);
    streams_start(&streams_now);
    memset(&log, 0, sizeof log);
    CHECK_INT(elelem_stream_push_data(&streams_now.stream, elelem_str_of(""), elelem_str_of(frame)), ELELEM_OK);
    while (streams_next(&streams_now, &log) == ELELEM_OK)
        continue;
    elelem_stream_finish(&streams_now.stream);
    while (streams_next(&streams_now, &log) == ELELEM_OK)
        continue;
    CHECK_STR(log.text, log.size, "0 text \"a\"\n0 flush\n1 item inlineData \"{\\\"inlineData\\\":{\\\"data\\\":\\\"" KILOBYTE KILOBYTE
              "\\\"}}\"\n1 flush\n2 text \"b\"\n2 flush\nFINISHED completed raw=STOP\n");
}

TEST(candidates_without_number_meet_a_limit)
{
    char frame[200];
    size_t i;

    streams_shape(&elelem_shape_gemini);
    streams_start(&streams_now);
    for (i = 0; i < 129; i++) {
        snprintf(frame, sizeof frame, "data: {\"candidates\":[{\"index\":%lu,\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n", (unsigned long)i);
        CHECK_INT(push_times(frame, 1), 1);
    }
    CHECK_INT(last_event.error.kind, ELELEM_ERROR_KIND_LIMIT);
    CHECK_INT(last_event.error.status, ELELEM_ERROR_COUNT);
}

static void all_done(void)
{
    elelem_stream_free(&streams_now.stream);
}

CHECK_MAIN("shape_gemini",
    RUN(text_comes_in_chunks)
    RUN(an_empty_call_is_none)
    RUN(several_parts_of_one_kind_are_one_item)
    RUN(parts_that_are_thoughts_are_reasoning)
    RUN(reasoning_after_text_is_an_item_of_its_own)
    RUN(empty_text_is_nothing)
    RUN(a_response_may_be_empty)
    RUN(content_may_be_missing_empty_or_without_parts)
    RUN(a_signature_on_an_empty_text_belongs_to_the_open_item)
    RUN(a_signature_on_an_empty_text_alone_has_its_own_item)
    RUN(a_signature_on_an_empty_text_after_reasoning_is_not_reasoning)
    RUN(a_signature_may_come_with_its_text)
    RUN(reasoning_may_have_a_signature)
    RUN(text_after_a_signature_is_an_item_of_its_own)
    RUN(a_call_comes_whole)
    RUN(arguments_may_be_missing_or_empty)
    RUN(a_call_without_an_id_gets_one)
    RUN(the_signature_of_a_call_is_on_its_start)
    RUN(parallel_calls_have_one_signature)
    RUN(a_call_may_come_with_the_finish_reason)
    RUN(a_call_after_the_finish_reason_counts)
    RUN(a_call_that_the_provider_runs_does_not_wait)
    RUN(a_call_next_to_one_that_the_provider_ran_waits)
    RUN(a_result_of_a_call_after_the_reason_counts)
    RUN(a_call_after_one_that_the_provider_ran_waits)
    RUN(text_and_calls_in_their_order)
    RUN(arguments_may_come_in_pieces)
    RUN(pieces_may_come_with_the_name)
    RUN(pieces_open_objects_and_arrays)
    RUN(pieces_keep_their_numbers_as_written)
    RUN(names_in_paths_may_be_quoted)
    RUN(one_name_may_be_spelled_in_two_ways)
    RUN(strings_in_pieces_are_escaped)
    RUN(a_string_may_be_empty)
    RUN(another_path_ends_an_open_string)
    RUN(an_empty_call_ends_the_call_and_closes_all)
    RUN(another_call_ends_the_call_and_closes_all)
    RUN(no_finish_reason_ends_a_call_that_continues)
    RUN(a_call_that_was_cut_off_stays_open)
    RUN(an_end_inside_a_call_leaves_it_open)
    RUN(a_call_in_pieces_without_pieces_has_no_arguments)
    RUN(a_piece_without_a_value_is_ignored)
    RUN(text_between_pieces_leaves_the_call_open)
    RUN(a_name_repeated_with_its_id_is_the_same_call)
    RUN(pieces_after_whole_arguments_are_ignored)
    RUN(pieces_for_no_call_are_a_protocol_error)
    RUN(candidates_write_their_calls_at_the_same_time)
    RUN(parts_of_other_kinds_are_provider_items)
    RUN(provider_items_part_the_text)
    RUN(executable_code_and_its_result_are_items)
    RUN(a_server_tool_has_its_call_and_its_response)
    RUN(images_and_files_are_items_with_their_signatures)
    RUN(what_accompanies_a_part_goes_with_it)
    RUN(the_processing_of_media_accompanies_them)
    RUN(a_part_that_is_not_known_is_an_item)
    RUN(parts_keep_their_order_around_one_that_passes)
    RUN(parts_of_an_array_body_pass_too)
    RUN(a_large_result_of_a_call_counts_too)
    RUN(candidates_may_hold_parts_that_pass)
    RUN(what_is_known_of_the_response_comes_first)
    RUN(what_is_known_of_the_response_may_come_late)
    RUN(a_token_continues_the_response)
    RUN(a_token_of_a_chunk_before_continues_the_response)
    RUN(a_signature_may_come_without_a_text)
    RUN(a_signature_may_come_with_a_later_piece)
    RUN(a_provider_item_between_pieces_leaves_the_call_open)
    RUN(pieces_with_a_name_that_is_no_text_still_are_a_call)
    RUN(grounding_belongs_to_the_message)
    RUN(late_grounding_has_its_own_item)
    RUN(grounding_between_reasoning_does_not_part_it)
    RUN(empty_grounding_is_nothing)
    RUN(citations_are_an_array_at_both_endpoints)
    RUN(what_is_known_of_a_candidate_is_metadata)
    RUN(unknown_members_are_of_the_response)
    RUN(a_reason_on_every_chunk_the_last_counts)
    RUN(a_later_reason_replaces_stop)
    RUN(an_unspecified_reason_is_none)
    RUN(an_end_without_a_reason_is_an_early_one)
    RUN(an_end_inside_a_chunk_is_an_early_one)
    RUN(an_end_inside_a_chunk_on_two_lines_is_an_early_one)
    RUN(a_last_frame_without_its_blank_line_counts)
    RUN(lines_may_end_with_lf)
    RUN(done_is_ignored)
    RUN(done_is_no_reason)
    RUN(a_blocked_prompt_finishes_as_filtered)
    RUN(a_block_reason_after_a_finish_reason_is_ignored)
    RUN(a_response_stopped_for_safety_keeps_its_text)
    RUN(a_malformed_call_has_its_message)
    RUN(an_unexpected_call_still_is_a_call)
    RUN(usage_on_every_chunk_the_last_counts)
    RUN(a_usage_without_counts_does_not_replace_one_with)
    RUN(candidates_are_choices)
    RUN(an_end_before_every_candidate_is_done_is_early)
    RUN(a_missing_index_is_the_first_candidate)
    RUN(an_error_chunk_is_the_end)
    RUN(an_error_after_the_reason_is_an_error)
    RUN(an_error_has_a_wait)
    RUN(a_bare_error_between_frames_is_the_end)
    RUN(a_bare_error_at_the_end_may_lack_its_line_end)
    RUN(a_bare_error_that_is_cut_is_an_early_end)
    RUN(a_null_error_is_none)
    RUN(a_body_may_be_an_array)
    RUN(an_array_may_be_written_over_lines)
    RUN(an_array_may_hold_an_error)
    RUN(an_array_may_hold_an_error_after_text)
    RUN(an_array_that_is_not_closed_is_an_early_end)
    RUN(an_array_that_is_cut_inside_an_element_is_an_early_end)
    RUN(an_empty_array_is_an_early_end)
    RUN(escapes_and_surrogate_pairs_are_decoded)
    RUN(a_whole_response_gives_what_its_stream_would)
    RUN(a_whole_response_to_a_blocked_prompt)
    RUN(a_whole_response_without_a_reason_is_completed)
    RUN(each_finish_reason_has_its_meaning)
    RUN(each_block_reason_is_a_filter)
    RUN(feedback_without_a_reason_is_only_known)
    RUN(message_text_is_structured_if_json_was_requested)
    RUN(the_last_raw_usage_is_metadata_of_the_end)
    RUN(a_broken_transport_is_an_error_although_a_reason_was_seen)
    RUN(a_transport_that_breaks_after_a_closed_array_does_no_harm)
    RUN(a_byte_order_mark_may_come_before_an_array)
    RUN(between_the_elements_of_an_array_may_be_one_comma_and_whitespace)
    RUN(an_array_that_is_not_json_is_a_protocol_error_at_its_first_wrong_byte)
    RUN(an_array_that_ends_before_its_bracket_is_an_early_end)
    RUN(calls_that_the_provider_runs_are_counted_for_each_candidate)
    RUN(a_refused_request_may_be_an_array)
    RUN(paths_that_are_none_are_a_protocol_error)
    RUN(pieces_that_do_not_fit_those_before_are_a_protocol_error)
    RUN(a_path_that_was_left_cannot_be_continued)
    RUN(a_name_may_come_again_in_another_container)
    RUN(any_of_many_members_that_comes_again_is_a_protocol_error)
    RUN(names_that_differ_in_one_character_are_two_members)
    RUN(paths_lead_out_of_and_into_containers)
    RUN(an_array_in_pieces_may_have_many_elements)
    RUN(a_string_continues_only_if_it_announced_more)
    RUN(a_candidate_whose_index_is_no_number_of_a_wire_is_the_first)
    RUN(a_null_value_is_null_whatever_its_type)
    RUN(will_continue_of_another_type_ends_neither_a_call_nor_a_string)
    RUN(arguments_without_a_name_begin_a_call_and_show_that_the_one_before_is_over)
    RUN(a_piece_may_be_a_list_or_an_object)
    RUN(a_signature_may_come_without_a_text_also_without_items)
    RUN(usage_that_is_no_object_does_not_replace_one)
    RUN(a_signature_of_one_character_is_one)
    RUN(the_caption_of_a_server_tool_is_its_first_argument)
    RUN(nothing_comes_after_a_part_that_is_a_protocol_error)
    RUN(known_members_of_other_types_are_ignored)
    RUN(members_of_calls_of_other_types_are_ignored)
    RUN(arguments_that_are_no_object_are_passed_on_as_they_are)
    RUN(whole_arguments_may_come_after_the_call_began)
    RUN(another_id_is_another_call_also_without_a_name)
    RUN(a_result_of_the_provider_without_a_name_is_one_also_without_items)
    RUN(a_call_after_a_large_member_that_is_not_known_is_a_call)
    RUN(the_large_member_says_what_a_part_is_whatever_comes_before_it)
    RUN(a_hundred_thousand_pieces_of_one_byte_need_no_more_memory)
    RUN(more_members_than_may_be_kept_meet_a_limit)
    RUN(containers_deeper_than_may_be_kept_meet_a_limit)
    RUN(paths_may_be_as_deep_as_they_are_long)
    RUN(the_id_of_a_call_without_one_has_as_many_digits_as_its_index)
    RUN(each_of_many_calls_without_ids_has_an_id_of_its_own)
    RUN(an_image_of_two_megabytes_is_read_past_if_provider_items_are_switched_off)
    RUN(an_image_of_40_megabytes_passes_through_64_kilobytes)
    RUN(an_image_after_a_small_part_of_the_same_chunk_passes_too)
    RUN(a_signature_of_42_kilobytes_before_its_part_is_whole)
    RUN(a_chunk_that_breaks_off_inside_a_part_that_passes_is_an_early_end)
    RUN(what_comes_before_a_part_that_passes_may_be_a_protocol_error)
    RUN(nothing_passes_after_a_part_that_is_a_protocol_error)
    RUN(a_part_passes_of_no_candidate_that_comes_again_after_another)
    RUN(no_number_of_a_candidate_is_looked_for_that_comes_again_after_another)
    RUN(parts_pass_of_a_candidate_whose_list_comes_twice)
    RUN(a_part_that_passes_is_of_the_candidate_whose_number_came_before_it)
    RUN(switched_off_nothing_comes_of_provider_items)
    RUN(refused_memory_ends_a_stream_of_provider_items_at_every_request)
    RUN(whole_frames_from_the_callers_client_give_the_same_items)
    RUN(candidates_without_number_meet_a_limit)
    all_done();)
