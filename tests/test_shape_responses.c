/* Responses, one quirk a test. Bodies and their events are in tests/data/responses; each body is
   fed whole, byte by byte and at every cut. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"
#include "limits.h"

#define CREATED "data: {\"type\":\"response.created\",\"response\":{\"output\":[]}}\n\n"
#define TEXT(delta) \
    "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"output_index\":0,\"delta\":\"" delta "\"}\n\n"
#define COMPLETED "data: {\"type\":\"response.completed\",\"response\":{}}\n\n"
#define PROTOCOL_ERROR \
    "ERROR protocol \"the input does not follow the provider's protocol\" status=ERROR_PROTOCOL\nEND\n"
#define CUT_OFF "ERROR connect retryable \"the response ended before it was complete\"\nEND\n"

static void given(const char *name, const char *file, int line)
{
    char path[100];

    streams_shape(&elelem_shape_responses);
    snprintf(path, sizeof path, "responses/%s", name);
    streams_file_gives(path, file, line);
}

/* A quirk that a data file shows. */
#define QUIRK(sentence, name) \
    TEST(sentence) { given(name, __FILE__, __LINE__); }

QUIRK(text_comes_in_deltas_and_its_repetitions_add_nothing, "text")
QUIRK(parts_of_a_summary_are_set_apart_by_a_blank_line, "summary")
QUIRK(raw_reasoning_says_that_it_is_raw, "raw_reasoning")
QUIRK(reasoning_without_text_tells_its_id_and_encrypted_content, "reasoning_without_text")
QUIRK(reasoning_that_comes_whole_is_told_once, "reasoning_only_when_done")
QUIRK(a_call_is_told_by_its_call_id, "call")
QUIRK(a_call_without_deltas_has_its_arguments, "call_without_deltas")
QUIRK(calls_overlap, "overlapping_calls")
QUIRK(a_message_begins_before_reasoning_is_done, "overlapping_reasoning")
QUIRK(indices_count_up_in_the_order_in_which_items_are_added, "message_added_early")
QUIRK(a_message_without_deltas_has_its_text, "message_without_deltas")
QUIRK(ids_may_change_with_every_frame, "rotating_ids")
QUIRK(without_output_index_the_id_counts_or_the_newest, "no_output_index")
QUIRK(output_index_may_be_missing_at_the_end_of_an_item, "no_output_index_when_done")
QUIRK(only_what_is_missing_is_added_at_the_end, "missing_tail")
QUIRK(a_whole_text_that_is_another_adds_nothing, "whole_text_is_another")
QUIRK(content_parts_are_items_of_their_own, "content_parts")
QUIRK(a_later_part_of_which_only_the_whole_text_comes_is_an_item, "part_only_whole")
QUIRK(a_refusal_is_text_with_metadata, "refusal")
QUIRK(a_refusal_takes_its_last_id_from_the_last_frame, "refusal_last_id")
QUIRK(text_and_refusal_of_a_message_are_two_items, "text_and_refusal")
QUIRK(input_of_a_custom_call_is_one_json_string, "custom_call")
QUIRK(input_that_is_cut_off_stays_an_open_string, "custom_call_cut_off")
QUIRK(messages_tell_their_phase, "phase")
QUIRK(each_annotation_is_told_once, "annotations")
QUIRK(what_runs_at_the_provider_is_a_provider_item, "server_tools")
QUIRK(what_x_search_calls_runs_at_the_provider, "x_search")
QUIRK(openrouter_sends_comments_no_names_and_done, "openrouter")
QUIRK(the_event_name_counts_where_there_is_no_type, "types_in_event_names")
QUIRK(the_type_counts_more_than_the_event_name, "type_counts_more_than_name")
QUIRK(an_error_that_comes_twice_is_told_once, "error_then_failed")
QUIRK(a_flat_error_is_one, "flat_error_then_failed")
QUIRK(a_failed_response_tells_why, "failed")
QUIRK(a_failed_response_without_reason_may_be_tried_again, "failed_without_error")
QUIRK(what_was_never_streamed_is_taken_from_the_last_frame, "only_completed")
QUIRK(the_last_frame_ends_what_nothing_else_did, "never_done")
QUIRK(a_call_that_only_the_last_frame_has_is_not_lost, "text_streamed_call_only_listed")
QUIRK(what_is_open_at_the_end_is_closed, "never_listed")
QUIRK(items_need_no_announcement, "unannounced")
QUIRK(an_end_told_twice_counts_once, "done_twice")
QUIRK(items_that_share_an_id_are_as_many_as_their_numbers, "one_id_two_items")
QUIRK(items_that_are_added_under_one_id_are_two, "one_id_two_items_added")
QUIRK(without_numbers_items_that_share_an_id_differ_by_what_they_hold, "one_id_two_items_without_numbers")
QUIRK(listed_items_that_share_an_id_are_two, "one_id_two_items_listed")
QUIRK(calls_that_share_an_id_are_as_many_as_their_numbers, "one_call_id_two_calls")
QUIRK(without_numbers_calls_that_share_an_id_differ_by_their_arguments, "one_call_id_two_calls_without_numbers")
QUIRK(a_new_item_under_an_open_number_ends_the_old_one, "added_twice")
QUIRK(text_may_come_when_the_item_is_added, "text_when_added")
QUIRK(arguments_may_be_an_object, "arguments_as_object")
QUIRK(a_call_without_call_id_goes_by_its_item_id, "call_without_call_id")
QUIRK(older_names_of_events_are_known, "older_names")
QUIRK(lines_may_end_with_crlf, "carriage_returns")
QUIRK(a_computer_call_has_its_actions_and_checks, "computer_call")
QUIRK(commands_for_the_callers_shell_come_live, "shell_call")
QUIRK(commands_out_of_turn_come_when_the_call_is_done, "shell_call_out_of_turn")
QUIRK(a_shell_in_a_container_is_the_providers, "shell_call_in_a_container")
QUIRK(a_local_shell_call_is_the_callers, "local_shell_call")
QUIRK(a_diff_comes_live, "apply_patch_call")
QUIRK(a_patch_and_a_command_that_are_cut_off_stay_open_json, "patch_and_command_cut_off")
QUIRK(what_needs_approval_is_a_call, "mcp")
QUIRK(a_search_for_tools_is_the_callers_if_it_says_so, "tool_search")
QUIRK(searches_show_what_they_look_for, "searches")
QUIRK(code_is_shown_while_it_is_written, "code_interpreter")
QUIRK(pictures_that_are_not_finished_are_ignored, "image_generation")
QUIRK(programs_call_functions_of_the_caller, "programs")
QUIRK(items_of_all_other_types_are_provider_items, "other_items")
QUIRK(calls_that_hold_several_say_so, "parallel")
QUIRK(a_function_may_be_called_parallel, "parallel_of_the_caller")
QUIRK(an_item_that_is_never_done_has_the_json_of_the_list, "provider_item_never_done")
QUIRK(an_item_that_is_cut_off_has_no_json, "provider_item_cut_off")
QUIRK(items_that_were_not_streamed_are_taken_from_the_list, "only_some_were_streamed")
QUIRK(a_provider_item_that_is_done_twice_comes_once, "provider_item_done_twice")
QUIRK(a_provider_item_whose_id_comes_last_comes_once_too, "provider_item_done_twice_with_its_id_last")
QUIRK(members_of_the_response_that_are_not_known_are_of_the_response, "unknown_members_are_of_the_response")
QUIRK(audio_is_put_together_from_its_deltas, "audio")
QUIRK(audio_that_is_cut_off_is_what_came_of_it, "audio_cut_off")
QUIRK(provider_items_that_share_an_id_are_two, "provider_items_share_an_id")
QUIRK(provider_items_without_numbers_go_by_their_ids, "provider_items_without_numbers")
QUIRK(provider_items_overlap_and_keep_the_order_in_which_they_were_added, "provider_items_overlap")
QUIRK(probabilities_come_with_the_whole_part, "logprobs")
QUIRK(what_is_known_of_the_response_comes_early_and_what_changed_at_the_end, "response_metadata")
QUIRK(a_part_of_a_type_that_is_not_known_is_a_provider_item, "part_of_another_type")
QUIRK(a_summary_and_raw_text_have_a_border, "summary_and_raw_reasoning")
QUIRK(parts_of_a_message_that_was_not_streamed_come_before_the_next_item, "two_parts_in_the_list")
QUIRK(a_whole_response_gives_what_its_stream_would, "a_whole_response_gives_what_its_stream_would")
QUIRK(a_whole_response_may_be_incomplete, "a_whole_response_may_be_incomplete")
QUIRK(a_whole_response_that_failed, "a_whole_response_that_failed")
QUIRK(a_whole_response_that_only_was_queued, "a_whole_response_that_only_was_queued")

TEST(incomplete_has_reasons_of_its_own)
{
    static const struct {
        const char *response, *events;
    } rows[] = {
        { "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}",
          "FINISHED max_tokens raw=max_output_tokens\nEND\n" },
        { "{\"incomplete_details\":{\"reason\":\"max_tokens\"}}", "FINISHED max_tokens raw=max_tokens\nEND\n" },
        { "{\"incomplete_details\":{\"reason\":\"content_filter\"}}",
          "FINISHED content_filter raw=content_filter\nEND\n" },
        { "{\"incomplete_details\":{\"reason\":\"max_messages\"}}", "FINISHED other raw=max_messages\nEND\n" },
        { "{\"incomplete_details\":{\"reason\":\"steered\"}}", "FINISHED other raw=steered\nEND\n" },
        { "{\"incomplete_details\":{\"reason\":\"boredom\"}}", "FINISHED other raw=boredom\nEND\n" },
        { "{\"incomplete_details\":null}", "FINISHED other raw=incomplete\nEND\n" },
        { "null", "FINISHED other raw=incomplete\nEND\n" },
        { "{\"status\":\"cancelled\"}", "FINISHED other raw=cancelled\nEND\n" },
        { "{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"No.\"}}",
          "ERROR transient retryable code=server_error \"No.\"\nEND\n" },
    };
    size_t i;

    streams_shape(&elelem_shape_responses);
    streams_now.desc.without_provider_items = 1;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[300];
        snprintf(body, sizeof body, "data: {\"type\":\"response.incomplete\",\"response\":%s}\n\n", rows[i].response);
        check_context(rows[i].response);
        STREAM(body, rows[i].events);
    }
}

/* Frames that contradict each other, as gateways send them. */

#define ADDED(place, item) "data: {\"type\":\"response.output_item.added\"," place "\"item\":{" item "}}\n\n"
#define OVER(place, item) "data: {\"type\":\"response.output_item.done\"," place "\"item\":{" item "}}\n\n"
#define SAYS(place, delta) "data: {\"type\":\"response.output_text.delta\"," place "\"delta\":\"" delta "\"}\n\n"
#define REFUSES(place, delta) "data: {\"type\":\"response.refusal.delta\"," place "\"delta\":\"" delta "\"}\n\n"
#define SUMS_UP(place, delta) "data: {\"type\":\"response.reasoning_summary_text.delta\"," place "\"delta\":\"" delta "\"}\n\n"
#define LISTED(items) "data: {\"type\":\"response.completed\",\"response\":{\"output\":[" items "]}}\n\n"
#define A_MESSAGE(id, parts) "\"type\":\"message\"" id ",\"content\":[" parts "]"
#define PART(text) "{\"type\":\"output_text\",\"text\":\"" text "\"}"
#define ENDS "FINISHED completed raw=completed\nEND\n"

TEST(an_annotation_that_is_none_opens_no_message)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.output_text.annotation.added\",\"output_index\":0,\"annotation\":null}\n\n"
           "data: {\"type\":\"response.output_text.annotation.added\",\"output_index\":0}\n\n" COMPLETED, ENDS);
}

/* Without an id on either side the number alone says that it is the same item. */
TEST(a_message_that_is_added_again_without_an_id_is_the_same)
{
    static const char *const ids[][2] = { { ",\"id\":\"m\"", "" }, { "", ",\"id\":\"m\"" }, { "", "" } };
    char body[1000], expected[300];
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof ids / sizeof *ids; i++) {
        snprintf(body, sizeof body, ADDED("\"output_index\":0,", "\"type\":\"message\"%s") SAYS("\"output_index\":0,", "a")
                 ADDED("\"output_index\":0,", "\"type\":\"message\"%s") SAYS("\"output_index\":0,", "b") OVER("\"output_index\":0,", "\"type\":\"message\"")
                 COMPLETED, ids[i][0], ids[i][1]);
        snprintf(expected, sizeof expected, "0 text \"ab\"\n0 flush\n" ENDS);
        check_context(body);
        STREAM(body, expected);
    }
    STREAM(ADDED("", "\"type\":\"message\",\"id\":\"m\"") SAYS("\"item_id\":\"m\",", "a") ADDED("", "\"type\":\"message\",\"id\":\"m\"")
           SAYS("\"item_id\":\"m\",", "b") ADDED("", "\"type\":\"message\",\"id\":\"n\"") SAYS("\"item_id\":\"n\",", "c") COMPLETED,
           "0 meta item_id=\"m\"\n0 text \"ab\"\n1 meta item_id=\"n\"\n1 text \"c\"\n0 flush\n1 flush\n" ENDS);
}

/* Without numbers the refusal ends by its own id, and the text next to it continues. */
#define A_CALL(arguments) "\"type\":\"function_call\",\"id\":\"i\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":" arguments
#define ARGUES(place, text) "data: {\"type\":\"response.function_call_arguments.delta\"," place "\"delta\":\"" text "\"}\n\n"
#define NUMBER_0 "\"output_index\":0,"
#define ITS_CALL "0 meta item_id=\"i\"\n0 call id=c name=f\n"
#define CALL_ENDS "0 flush\nFINISHED tool_calls raw=completed\nEND\n"

TEST(a_delta_repeats_what_a_call_had_when_it_was_added)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("\"{\\\"a\\\":\"")) ARGUES(NUMBER_0, "{\\\"a\\\":") ARGUES(NUMBER_0, "1}") OVER(NUMBER_0, A_CALL("\"{\\\"a\\\":1}\"")) COMPLETED,
           ITS_CALL "0 args \"{\\\"a\\\":1}\"\n" CALL_ENDS);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("\"{\\\"a\\\":\"")) ARGUES(NUMBER_0, "{\\\"a\\\":1}") COMPLETED, ITS_CALL "0 args \"{\\\"a\\\":1}\"\n" CALL_ENDS);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("\"{\\\"a\\\":\"")) ARGUES(NUMBER_0, "[1,2,3]}") COMPLETED, ITS_CALL "0 args \"{\\\"a\\\":[1,2,3]}\"\n" CALL_ENDS);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("\"[\"")) ARGUES(NUMBER_0, "[") ARGUES(NUMBER_0, "[") ARGUES(NUMBER_0, "]]") COMPLETED,
           ITS_CALL "0 args \"[[]]\"\n" CALL_ENDS);
}

TEST(a_part_that_is_no_text_of_an_added_message_comes_when_that_is_done)
{
    streams_shape(&elelem_shape_responses);
    STREAM(ADDED("\"output_index\":0,", "\"type\":\"message\",\"content\":[{\"type\":\"odd\",\"n\":1}]")
           OVER("\"output_index\":0,", "\"type\":\"message\",\"content\":[{\"type\":\"odd\",\"n\":2}]") COMPLETED,
           "1 meta content_index=0\n1 item odd \"{\\\"type\\\":\\\"odd\\\",\\\"n\\\":2}\"\n1 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(empty_arguments_of_a_call_that_is_added_keep_the_place_of_those_to_come)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("\"{}\"")) ARGUES(NUMBER_0, "{\\\"a\\\":1}") COMPLETED, ITS_CALL "0 args \"{\\\"a\\\":1}\"\n" CALL_ENDS);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("{}")) ARGUES(NUMBER_0, "{\\\"a\\\":1}") COMPLETED, ITS_CALL "0 args \"{\\\"a\\\":1}\"\n" CALL_ENDS);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("\"{}\"")) OVER(NUMBER_0, A_CALL("\"{}\"")) COMPLETED, ITS_CALL "0 args \"{}\"\n" CALL_ENDS);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("{\"a\":1}")) COMPLETED, ITS_CALL "0 args \"{\\\"a\\\":1}\"\n" CALL_ENDS);
}

#define CALL_NAMED(id, name, arguments) "\"type\":\"function_call\",\"call_id\":\"" id "\",\"name\":\"" name "\",\"arguments\":\"" arguments "\""

TEST(arguments_that_are_no_text_when_a_call_is_added_count_only_if_no_others_come)
{
#define OSLO "{\\\"city\\\":\\\"Oslo\\\"}"
#define ADDED_WITH_NO_TEXT ADDED(NUMBER_0, A_CALL("%s"))
    static const char *const values[][2] = { { "[]", "[]" }, { "-1", "-1" }, { "true", "true" }, { "{\"x\":\"y\"}", "{\\\"x\\\":\\\"y\\\"}" } };
    static const struct { const char *body, *arguments; } rows[] = {
        { ADDED_WITH_NO_TEXT ARGUES(NUMBER_0, OSLO) OVER(NUMBER_0, A_CALL("\"" OSLO "\"")) COMPLETED, OSLO },
        { ADDED_WITH_NO_TEXT ARGUES(NUMBER_0, OSLO) COMPLETED, OSLO },
        { ADDED_WITH_NO_TEXT "data: {\"type\":\"response.function_call_arguments.done\"," NUMBER_0 "\"arguments\":\"" OSLO "\"}\n\n" COMPLETED, OSLO },
        { ADDED_WITH_NO_TEXT OVER(NUMBER_0, A_CALL("\"" OSLO "\"")) COMPLETED, OSLO },
        { ADDED_WITH_NO_TEXT OVER(NUMBER_0, A_CALL("{\"b\":2}")) COMPLETED, "{\\\"b\\\":2}" },
        { ADDED_WITH_NO_TEXT LISTED("{" A_CALL("{\"b\":2}") "}"), "{\\\"b\\\":2}" },
        { ADDED_WITH_NO_TEXT OVER(NUMBER_0, A_CALL("null")) COMPLETED, NULL },
        { ADDED_WITH_NO_TEXT LISTED("{" A_CALL("\"\"") "}"), NULL },
        { ADDED_WITH_NO_TEXT COMPLETED, NULL },
        { ADDED(NUMBER_0, A_CALL("{\"c\":3}")) ADDED_WITH_NO_TEXT COMPLETED, NULL },
    };
    char body[1500], expected[300];
    size_t i, k;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (k = 0; k < sizeof values / sizeof *values; k++) {
            snprintf(body, sizeof body, rows[i].body, values[k][0]);
            snprintf(expected, sizeof expected, ITS_CALL "0 args \"%s\"\n" CALL_ENDS, rows[i].arguments ? rows[i].arguments : values[k][1]);
            check_context(body);
            STREAM(body, expected);
        }
    STREAM(ADDED(NUMBER_0, A_CALL("{\"a\":1}")) ADDED(NUMBER_0, CALL_NAMED("d", "g", "")) OVER(NUMBER_0, CALL_NAMED("d", "g", "[2]")) COMPLETED,
           ITS_CALL "0 args \"{\\\"a\\\":1}\"\n0 flush\n1 call id=d name=g\n1 args \"[2]\"\n1 flush\nFINISHED tool_calls raw=completed\nEND\n");
    STREAM(ADDED(NUMBER_0, A_CALL("{\"a\":1}")) "data: {\"type\":\"response.cancelled\",\"response\":{}}\n\n",
           ITS_CALL "0 flush cut_off\nFINISHED other raw=cancelled\nEND\n");
}

#define SEARCH_CALL(status, arguments) \
    "\"type\":\"tool_search_call\",\"id\":\"i\",\"call_id\":\"c\",\"status\":\"" status "\",\"arguments\":" arguments ",\"execution\":\"client\""

TEST(calls_without_an_id_of_the_item_go_by_that_of_the_call)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED ADDED("", CALL_NAMED("A", "f", "")) ARGUES("\"item_id\":\"A\",", "{\\\"a\\\":1}") ADDED("", CALL_NAMED("B", "g", ""))
           ARGUES("\"item_id\":\"B\",", "{\\\"b\\\":2}") OVER("", CALL_NAMED("A", "f", "{\\\"a\\\":1}")) OVER("", CALL_NAMED("B", "g", "{\\\"b\\\":2}"))
           LISTED("{" CALL_NAMED("A", "f", "{\\\"a\\\":1}") "},{" CALL_NAMED("B", "g", "{\\\"b\\\":2}") "}"),
           "0 call id=A name=f\n0 args \"{\\\"a\\\":1}\"\n1 call id=B name=g\n1 args \"{\\\"b\\\":2}\"\n0 flush\n1 flush\nFINISHED tool_calls raw=completed\nEND\n");
    STREAM(CREATED ADDED(NUMBER_0, CALL_NAMED("A", "f", "")) ARGUES(NUMBER_0, "{\\\"a\\\":1}") ADDED(NUMBER_0, CALL_NAMED("B", "g", ""))
           ARGUES(NUMBER_0, "{\\\"b\\\":2}") COMPLETED,
           "0 call id=A name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\n1 call id=B name=g\n1 args \"{\\\"b\\\":2}\"\n1 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

TEST(arguments_of_a_function_are_no_input_of_a_custom_call_and_the_other_way_round)
{
#define CUSTOM_CALL(input) "\"type\":\"custom_tool_call\",\"id\":\"i\",\"call_id\":\"c\",\"name\":\"f\",\"status\":\"completed\",\"input\":\"" input "\""
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED ADDED(NUMBER_0, CUSTOM_CALL("")) ARGUES(NUMBER_0, "{\\\"input\\\":\\\"x\\\"}")
           "data: {\"type\":\"response.function_call_arguments.done\"," NUMBER_0 "\"arguments\":\"{\\\"input\\\":\\\"x\\\"}\"}\n\n"
           OVER(NUMBER_0, CUSTOM_CALL("x")) COMPLETED,
           "0 meta item_id=\"i\"\n0 call id=c name=f type=custom_tool_call\n0 args \"\\\"x\\\"\"\n" CALL_ENDS);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("\"\"")) "data: {\"type\":\"response.custom_tool_call_input.delta\"," NUMBER_0 "\"delta\":\"x\"}\n\n"
           OVER(NUMBER_0, A_CALL("\"{}\"")) COMPLETED, ITS_CALL "0 args \"{}\"\n" CALL_ENDS);
}

TEST(texts_before_an_item_that_does_not_pass_after_all_are_whole)
{
    static char body[13000], expected[13000];

    streams_shape(&elelem_shape_responses);
    streams_enlarge(body, "{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"m\",\"content\":[" PART("a") "]},"
                    "{\"type\":\"message\",\"id\":\"~\",\"content\":[" PART("b") "]}]}");
    streams_enlarge(expected, "response status=\"completed\"\n0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n1 meta item_id=\"~\"\n1 text \"b\"\n1 flush\n" ENDS);
    STREAM(body, expected);
}

TEST(a_listed_item_that_is_open_is_known_by_its_id_also_after_its_type)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED ADDED("", A_MESSAGE(",\"id\":\"w\"", PART("x"))) OVER("", A_MESSAGE(",\"id\":\"w\"", PART("x")))
           ADDED("", A_MESSAGE(",\"id\":\"m\"", "")) SAYS("\"item_id\":\"m\",", "Hel")
           LISTED("{" A_MESSAGE(",\"id\":\"w\"", PART("x")) "},{" A_MESSAGE(",\"id\":\"m\"", PART("Hello")) "}"),
           "0 meta item_id=\"w\"\n0 text \"x\"\n0 flush\n1 meta item_id=\"m\"\n1 text \"Hello\"\n1 flush\n" ENDS);
    STREAM(CREATED ADDED(NUMBER_0, SEARCH_CALL("in_progress", "{}")) LISTED("{" SEARCH_CALL("completed", "{\"q\":1}") "}"),
           "0 meta item_id=\"i\"\n0 call id=c name=tool_search type=tool_search_call\n0 args \"{\\\"q\\\":1}\"\n0 meta execution=\"client\"\n" CALL_ENDS);
}

TEST(a_listed_call_that_is_open_is_known_by_its_id_at_another_place_too)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED ADDED(NUMBER_0, A_MESSAGE(",\"id\":\"m\"", "")) SAYS(NUMBER_0, "a") OVER(NUMBER_0, A_MESSAGE(",\"id\":\"m\"", PART("a")))
           ADDED("\"output_index\":1,", A_CALL("\"\"")) ARGUES("\"output_index\":1,", "{\\\"a\\\":") LISTED("{" A_CALL("\"{\\\"a\\\":1}\"") "}"),
           "0 text \"a\"\n0 meta item_id=\"m\"\n0 flush\n1 meta item_id=\"i\"\n1 call id=c name=f\n1 args \"{\\\"a\\\":1}\"\n1 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

/* Two items can share an id (xAI). */
TEST(a_listed_item_that_is_over_is_not_the_open_one_of_its_id)
{
#define NUMBER_1 "\"output_index\":1,"
#define ID_M ",\"id\":\"m\""
#define TWO_CALLS(call) \
    ADDED(NUMBER_0, call("")) ARGUES(NUMBER_0, "{\\\"a\\\":1}") OVER(NUMBER_0, call("{\\\"a\\\":1}")) ADDED(NUMBER_1, call("")) \
    LISTED("{" call("{\\\"a\\\":1}") "},{" call("{\\\"b\\\":2}") "}")
#define CALL_WITH_ID(arguments) A_CALL("\"" arguments "\"")
#define CALL_WITHOUT_ID(arguments) CALL_NAMED("c", "f", arguments)
    streams_shape(&elelem_shape_responses);
    STREAM(TWO_CALLS(CALL_WITH_ID), ITS_CALL "0 args \"{\\\"a\\\":1}\"\n0 flush\n1 meta item_id=\"i\"\n1 call id=c name=f\n"
           "1 args \"{\\\"b\\\":2}\"\n1 flush\nFINISHED tool_calls raw=completed\nEND\n");
    STREAM(TWO_CALLS(CALL_WITHOUT_ID), "0 call id=c name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\n1 call id=c name=f\n"
           "1 args \"{\\\"b\\\":2}\"\n1 flush\nFINISHED tool_calls raw=completed\nEND\n");
    STREAM(OVER(NUMBER_1, CALL_WITH_ID("{\\\"a\\\":1}")) ADDED("\"output_index\":2,", CALL_WITH_ID(""))
           LISTED("{" CALL_WITH_ID("{\\\"a\\\":1}") "},{" CALL_WITH_ID("{\\\"b\\\":2}") "}"),
           ITS_CALL "0 args \"{\\\"a\\\":1}\"\n0 flush\n1 meta item_id=\"i\"\n1 call id=c name=f\n"
           "1 args \"{\\\"b\\\":2}\"\n1 flush\nFINISHED tool_calls raw=completed\nEND\n");
    STREAM(ADDED(NUMBER_0, CALL_WITH_ID("")) ADDED(NUMBER_1, CALL_WITH_ID("")) OVER(NUMBER_1, CALL_WITH_ID("{\\\"b\\\":2}"))
           LISTED("{" CALL_WITH_ID("{\\\"a\\\":1}") "},{" CALL_WITH_ID("{\\\"b\\\":2}") "}"),
           ITS_CALL "1 meta item_id=\"i\"\n1 call id=c name=f\n1 args \"{\\\"b\\\":2}\"\n1 flush\n"
           "0 args \"{\\\"a\\\":1}\"\n0 flush\nFINISHED tool_calls raw=completed\nEND\n");
    STREAM(ADDED(NUMBER_0, A_MESSAGE(ID_M, "")) SAYS(NUMBER_0, "A one") OVER(NUMBER_0, A_MESSAGE(ID_M, PART("A one")))
           ADDED(NUMBER_1, A_MESSAGE(ID_M, "")) SAYS(NUMBER_1, "B t") LISTED("{" A_MESSAGE(ID_M, PART("A one")) "},{" A_MESSAGE(ID_M, PART("B two")) "}"),
           "0 text \"A one\"\n0 meta item_id=\"m\"\n0 flush\n1 text \"B two\"\n1 meta item_id=\"m\"\n1 flush\n" ENDS);
    STREAM(ADDED(NUMBER_0, A_MESSAGE(ID_M, "")) SAYS(NUMBER_0 "\"item_id\":\"m\",", "Hi")
           "data: {\"type\":\"response.output_text.annotation.added\",\"output_index\":7,\"item_id\":\"m\",\"annotation\":1}\n\n"
           OVER(NUMBER_0, A_MESSAGE(ID_M, PART("Hi"))) LISTED("{" A_MESSAGE(ID_M, PART("Hi")) "}"),
           "0 meta item_id=\"m\"\n0 text \"Hi\"\n1 meta item_id=\"m\"\n1 meta annotations=[1]\n0 flush\n1 flush\n" ENDS);
}

TEST(a_call_that_is_over_is_not_given_again_at_another_place_of_the_list)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED ADDED(NUMBER_0, A_CALL("\"\"")) OVER(NUMBER_0, A_CALL("\"[1]\""))
           LISTED("{\"type\":\"reasoning\",\"id\":\"r\"," "\"summary\":[{\"type\":\"summary_text\",\"text\":\"x\"}]" "},{" A_CALL("\"[1]\"") "}"),
           ITS_CALL "0 args \"[1]\"\n0 flush\n1 meta item_id=\"r\"\n1 think \"x\"\n1 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

TEST(a_refusal_that_is_done_ends_no_text_of_another_id)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SAYS("\"item_id\":\"t\",", "a") REFUSES("\"item_id\":\"r\",", "no")
           OVER("", "\"type\":\"message\",\"id\":\"r\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"no\"}]")
           SAYS("\"item_id\":\"t\",", "b") OVER("", A_MESSAGE(",\"id\":\"t\"", PART("ab"))) COMPLETED,
           "0 meta item_id=\"t\"\n0 text \"a\"\n1 meta refusal=true\n1 meta item_id=\"r\"\n1 text \"no\"\n1 flush\n0 text \"b\"\n0 flush\n"
           "FINISHED content_filter raw=completed\nEND\n");
    STREAM(SAYS("\"item_id\":\"t\",", "a") REFUSES("\"item_id\":\"r\",", "no") OVER("", A_MESSAGE(",\"id\":\"t\"", PART("ab")))
           OVER("", "\"type\":\"message\",\"id\":\"r\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"no!\"}]") COMPLETED,
           "0 meta item_id=\"t\"\n0 text \"a\"\n1 meta refusal=true\n1 meta item_id=\"r\"\n1 text \"no\"\n0 text \"b\"\n0 flush\n1 meta refusal=true\n1 text \"!\"\n1 flush\n"
           "FINISHED content_filter raw=completed\nEND\n");
}

TEST(a_summary_is_of_reasoning_only)
{
    streams_shape(&elelem_shape_responses);
    streams_now.desc.without_provider_items = 1;
    STREAM(OVER("\"output_index\":0,", "\"type\":\"message\",\"id\":\"m\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"x\"}]")
           OVER("\"output_index\":1,", "\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"x\"}]")
           OVER("\"output_index\":2,", "\"type\":\"reasoning\",\"id\":\"s\",\"summary\":[],\"content\":[{\"type\":\"reasoning_text\",\"text\":\"y\"}]") COMPLETED,
           "0 meta item_id=\"m\"\n0 flush\n1 meta item_id=\"r\"\n1 think \"x\"\n1 flush\n"
           "2 meta item_id=\"s\"\n2 meta raw=true\n2 think \"y\"\n2 flush\n" ENDS);
}

#define SUMMARY "\"summary\":[{\"type\":\"summary_text\",\"text\":\"x\"}]"
#define RAW_TEXT "\"content\":[{\"type\":\"reasoning_text\",\"text\":\"y\"}]"

/* vLLM counts the parts of all items. */
TEST(the_only_part_of_a_message_is_the_one_that_was_streamed_whatever_its_number)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SAYS("\"output_index\":1,\"content_index\":1,", "a") OVER("\"output_index\":1,", A_MESSAGE("", PART("ab"))) COMPLETED,
           "0 meta content_index=1\n0 text \"ab\"\n0 flush\n" ENDS);
    STREAM(SAYS("\"output_index\":1,\"content_index\":1,", "a") LISTED("{" A_MESSAGE("", PART("x")) "},{" A_MESSAGE("", PART("ab")) "}"),
           "0 meta content_index=1\n0 text \"a\"\n1 text \"x\"\n1 flush\n0 text \"b\"\n0 flush\n" ENDS);
    STREAM(REFUSES("\"output_index\":1,\"content_index\":1,", "a")
           OVER("\"output_index\":1,", A_MESSAGE("", "{\"type\":\"refusal\",\"refusal\":\"a\"}")) COMPLETED,
           "0 meta refusal=true\n0 meta content_index=1\n0 text \"a\"\n0 flush\nFINISHED content_filter raw=completed\nEND\n");
    STREAM(SAYS("\"output_index\":1,\"content_index\":1,", "a") OVER("\"output_index\":1,", A_MESSAGE("", PART("b") "," PART("a"))) COMPLETED,
           "0 meta content_index=1\n0 text \"a\"\n1 text \"b\"\n0 flush\n1 flush\n" ENDS);
}

/* SGLang counts to the next item before it ends one, and gives the item of reasoning another id then. */
TEST(an_item_that_is_done_under_another_number_is_known_by_its_text)
{
    streams_shape(&elelem_shape_responses);
    STREAM(ADDED("\"output_index\":0,", "\"type\":\"reasoning\",\"id\":\"i\"") SUMS_UP("\"output_index\":0,\"item_id\":\"i\",", "x")
           OVER("\"output_index\":1,", "\"type\":\"reasoning\",\"id\":\"r\"," SUMMARY) ADDED("\"output_index\":1,", A_MESSAGE(",\"id\":\"i\"", ""))
           SAYS("\"output_index\":1,\"item_id\":\"i\",", "a") OVER("\"output_index\":2,", A_MESSAGE(",\"id\":\"i\"", PART("a")))
           LISTED("{\"type\":\"reasoning\",\"id\":\"s\"," SUMMARY "},{" A_MESSAGE(",\"id\":\"m\"", PART("a")) "}"),
           "0 meta item_id=\"i\"\n0 think \"x\"\n0 meta item_id=\"r\"\n0 flush\n1 meta item_id=\"i\"\n1 text \"a\"\n1 flush\n" ENDS);
}

/* vLLM did so too for gpt-oss, and gave calls another id. */
TEST(a_call_that_is_done_under_another_number_and_id_is_known_by_what_it_calls)
{
#define NEXT "\"output_index\":1,"
#define INPUT_OF(id, input) "\"type\":\"custom_tool_call\",\"call_id\":\"" id "\",\"name\":\"f\",\"status\":\"completed\",\"input\":\"" input "\""
    streams_shape(&elelem_shape_responses);
    STREAM(ADDED(NUMBER_0, A_CALL("\"\"")) ARGUES(NUMBER_0, "[1]") OVER(NEXT, CALL_NAMED("d", "f", "[1]")) LISTED("{" CALL_NAMED("e", "f", "[1]") "}"),
           ITS_CALL "0 args \"[1]\"\n" CALL_ENDS);
    STREAM(ADDED(NUMBER_0, INPUT_OF("c", "")) "data: {\"type\":\"response.custom_tool_call_input.delta\"," NUMBER_0 "\"delta\":\"x\"}\n\n"
           OVER(NEXT, INPUT_OF("d", "x")) COMPLETED, "0 call id=c name=f type=custom_tool_call\n0 args \"\\\"x\\\"\"\n" CALL_ENDS);
    STREAM(ADDED(NUMBER_0, A_CALL("\"\"")) ARGUES(NUMBER_0, "[1]") OVER(NEXT, CALL_NAMED("d", "g", "[1]")) OVER("\"output_index\":2,", CALL_NAMED("e", "f", "[2]"))
           COMPLETED, ITS_CALL "0 args \"[1]\"\n1 call id=d name=g\n1 args \"[1]\"\n1 flush\n2 call id=e name=f\n2 args \"[2]\"\n2 flush\n" CALL_ENDS);
}

TEST(an_item_that_is_done_under_a_number_of_its_own_is_one_if_its_text_is_of_no_open_item)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SAYS("\"output_index\":0,", "a") OVER("\"output_index\":1,", A_MESSAGE("", PART("b"))) OVER("\"output_index\":2,", A_MESSAGE("", ""))
           COMPLETED, "0 text \"a\"\n1 text \"b\"\n1 flush\n0 flush\n" ENDS);
    STREAM(SUMS_UP("\"output_index\":0,", "a") OVER("\"output_index\":1,", A_MESSAGE("", PART("a"))) COMPLETED,
           "0 think \"a\"\n1 text \"a\"\n1 flush\n0 flush\n" ENDS);
    STREAM(OVER("\"output_index\":0,", A_MESSAGE(",\"id\":\"m\"", PART("a"))) SAYS("\"output_index\":1,", "a")
           OVER("\"output_index\":0,", A_MESSAGE(",\"id\":\"m\"", PART("a"))) SAYS("\"output_index\":1,", "b") COMPLETED,
           "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n1 text \"ab\"\n1 flush\n" ENDS);
}

/* Each item that was streamed is one of the list. */
TEST(a_listed_message_with_the_text_of_one_that_was_streamed_is_another)
{
#define TYPE_LAST(id, text) "{\"content\":[" PART(text) "],\"id\":\"" id "\",\"type\":\"message\"}"
    static const char *const streamed[] = {
        OVER("\"output_index\":0,", A_MESSAGE(",\"id\":\"m\"", PART("a"))),
        SAYS("\"output_index\":0,\"item_id\":\"m\",", "a"),
    };
    static const char *const lists[] = {
        LISTED("{" A_MESSAGE(",\"id\":\"m\"", PART("a")) "},{" A_MESSAGE(",\"id\":\"n\"", PART("a")) "}"),
        LISTED(TYPE_LAST("m", "a") "," TYPE_LAST("n", "a")),
        LISTED(TYPE_LAST("o", "a") "," TYPE_LAST("n", "a")),
    };
    char body[1500];
    size_t i, k;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof streamed / sizeof *streamed; i++)
        for (k = 0; k < sizeof lists / sizeof *lists; k++) {
            snprintf(body, sizeof body, "%s%s", streamed[i], lists[k]);
            check_context(body);
            STREAM(body, i == 1 && k == 2 ? "0 meta item_id=\"m\"\n0 text \"a\"\n0 meta item_id=\"o\"\n0 flush\n1 meta item_id=\"n\"\n1 text \"a\"\n1 flush\n" ENDS
                                          : "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n1 meta item_id=\"n\"\n1 text \"a\"\n1 flush\n" ENDS);
        }
    STREAM(OVER(NUMBER_0, A_MESSAGE(",\"id\":\"m\"", PART("a"))) LISTED(TYPE_LAST("o", "x") "," TYPE_LAST("m", "b")),
           "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n" ENDS);
    STREAM(SAYS("\"output_index\":0,", "a") LISTED("{" A_MESSAGE(",\"id\":\"m\"", PART("a")) "},{" A_MESSAGE(",\"id\":\"n\"", PART("b")) "},{"
                                                    A_MESSAGE(",\"id\":\"o\"", PART("b")) "}"),
           "0 text \"a\"\n0 meta item_id=\"m\"\n0 flush\n1 meta item_id=\"n\"\n1 text \"b\"\n1 flush\n2 meta item_id=\"o\"\n2 text \"b\"\n2 flush\n" ENDS);
}

TEST(listed_reasoning_that_was_streamed_comes_once_though_its_encrypted_content_is_another)
{
#define SEALED(content) "\"type\":\"reasoning\",\"id\":\"r\"," SUMMARY ",\"encrypted_content\":\"" content "\""
    streams_shape(&elelem_shape_responses);
    STREAM(OVER(NUMBER_0, SEALED("y")) LISTED("{" A_MESSAGE("", PART("a")) "},{" SEALED("z") "}"),
           "0 meta item_id=\"r\"\n0 think \"x\"\n0 meta encrypted_content=\"y\"\n0 flush\n1 text \"a\"\n1 flush\n" ENDS);
}

/* How many calls begin in a body that is pushed in pieces of so many bytes. */
static int starts_in_pieces(const char *body, size_t piece)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;
    size_t at, size = strlen(body);
    int starts = 0;

    desc.shape = &elelem_shape_responses;
    elelem_stream_init(&stream, &desc);
    for (at = 0; at < size; at += piece) {
        elelem_stream_push(&stream, body + at, piece);
        while (elelem_stream_next(&stream, &event) == ELELEM_OK)
            starts += event.kind == ELELEM_EVENT_PART && event.part.kind == ELELEM_PART_TOOL_CALL &&
                      event.part.tool_call.kind == ELELEM_TOOL_CALL_START;
    }
    elelem_stream_free(&stream);
    return starts;
}

/* vLLM makes the list a second time, with other ids, and may have a message in it that was not streamed. */
TEST(a_listed_call_that_was_streamed_comes_once_whatever_its_number_and_id)
{
#define ANY_CALL(type, id, name, arguments) "\"type\":\"" type "\",\"id\":\"i" id "\",\"call_id\":\"c" id "\",\"name\":\"" name "\",\"status\":\"completed\"," arguments
    static const struct { const char *done, *listed; int is_another; } rows[] = {
        { OVER("\"output_index\":0,", ANY_CALL("function_call", "0", "f", "\"arguments\":\"[1]\"")),
          ANY_CALL("function_call", "1", "f", "\"arguments\":\"[1]\""), 0 },
        { OVER("\"output_index\":0,", ANY_CALL("function_call", "0", "f", "\"arguments\":\"[1]\"")),
          ANY_CALL("function_call", "1", "g", "\"arguments\":\"[1]\""), 1 },
        { OVER("\"output_index\":0,", ANY_CALL("function_call", "0", "f", "\"arguments\":\"[1]\"")),
          ANY_CALL("function_call", "1", "f", "\"arguments\":\"[2]\""), 1 },
        { OVER("\"output_index\":0,", ANY_CALL("function_call", "0", "f", "\"arguments\":\"\"")),
          ANY_CALL("function_call", "1", "f", "\"arguments\":\"\""), 1 },
        { OVER("\"output_index\":0,", ANY_CALL("custom_tool_call", "0", "f", "\"input\":\"x\"")),
          ANY_CALL("custom_tool_call", "1", "f", "\"input\":\"x\""), 0 },
        { OVER("\"output_index\":0,", ANY_CALL("shell_call", "0", "f", "\"action\":{\"commands\":[]}")),
          ANY_CALL("shell_call", "1", "f", "\"action\":{\"commands\":[]}"), 1 },
    };
    char body[1500];
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(body, sizeof body, "%sdata: {\"type\":\"response.completed\",\"response\":{\"output\":[{" A_MESSAGE("", PART("a")) "},{%s}]}}\n\n",
                 rows[i].done, rows[i].listed);
        check_context(body);
        CHECK_INT(starts_in_pieces(body, strlen(body)), 1 + rows[i].is_another);
        CHECK_INT(starts_in_pieces(body, 1), 1 + rows[i].is_another);
    }
    STREAM(OVER("\"output_index\":0,", ANY_CALL("function_call", "0", "f", "\"arguments\":\"[1]\""))
           LISTED("{" A_MESSAGE("", PART("a")) "},{" ANY_CALL("function_call", "1", "f", "\"arguments\":\"[1]\"") "},{"
                  ANY_CALL("function_call", "2", "f", "\"arguments\":\"[1]\"") "}"),
           "0 meta item_id=\"i0\"\n0 call id=c0 name=f\n0 args \"[1]\"\n0 flush\n1 text \"a\"\n1 flush\n"
           "2 meta item_id=\"i2\"\n2 call id=c2 name=f\n2 args \"[1]\"\n2 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

TEST(a_listed_item_of_an_unknown_type_is_the_one_that_was_closed_under_its_number_and_id)
{
#define NOVELTY(id) "{\"type\":\"output_message\"" id "}"
#define NOVELTY_ITEM(index, id) index " item output_message \"{\\\"type\\\":\\\"output_message\\\"" id "}\"\n" index " flush\n"
#define A_IS_OVER OVER(NUMBER_0, A_MESSAGE(ID_M, PART("a")))
#define A_WAS_OVER "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n"
    streams_shape(&elelem_shape_responses);
    STREAM(A_IS_OVER LISTED(NOVELTY(ID_M ",\"content\":[" PART("a") "]")), A_WAS_OVER ENDS);
    STREAM(A_IS_OVER LISTED("{\"content\":[" PART("a") "],\"id\":\"m\",\"type\":\"output_message\"}"), A_WAS_OVER ENDS);
    STREAM(A_IS_OVER LISTED(NOVELTY("")), A_WAS_OVER NOVELTY_ITEM("1", "") ENDS);
    STREAM(A_IS_OVER LISTED(NOVELTY(",\"id\":\"n\"")), A_WAS_OVER NOVELTY_ITEM("1", ",\\\"id\\\":\\\"n\\\"") ENDS);
    STREAM(A_IS_OVER LISTED("{" A_MESSAGE(ID_M, PART("a")) "}," NOVELTY(ID_M)), A_WAS_OVER NOVELTY_ITEM("1", ",\\\"id\\\":\\\"m\\\"") ENDS);
    STREAM(OVER(NUMBER_0, A_MESSAGE("", PART("a"))) LISTED(NOVELTY("")), "0 text \"a\"\n0 flush\n" NOVELTY_ITEM("1", "") ENDS);
}

TEST(a_part_that_says_that_it_is_text_but_has_none_is_nothing)
{
    static const char *const parts[] = { "{\"type\":\"output_text\",\"text\":null}", "{\"type\":\"output_text\"}", "{\"type\":\"output_text\",\"text\":7}" };
    char body[700];
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(body, sizeof body, SAYS(NUMBER_0, "a") OVER(NUMBER_0, A_MESSAGE("", "%s")) COMPLETED, parts[i]);
        check_context(body);
        STREAM(body, "0 text \"a\"\n0 flush\n" ENDS);
        snprintf(body, sizeof body, OVER(NUMBER_0, A_MESSAGE("", "%s")) COMPLETED, parts[i]);
        STREAM(body, ENDS);
    }
}

/* A stream that was resumed has only the later items, and its list has all. */
TEST(of_listed_calls_that_are_the_same_the_one_that_was_streamed_is_that_of_its_number_and_id)
{
    static const struct { const char *listed; int starts; } rows[] = {
        { "{" ANY_CALL("function_call", "0", "f", "\"arguments\":\"[1]\"") "},{" ANY_CALL("function_call", "1", "f", "\"arguments\":\"[1]\"") "}", 2 },
        { "{" ANY_CALL("function_call", "0", "f", "\"arguments\":\"[1]\"") "},{" ANY_CALL("function_call", "2", "f", "\"arguments\":\"[1]\"") "}", 1 },
        { "{" ANY_CALL("function_call", "0", "f", "\"arguments\":\"[1]\"") "},{" A_MESSAGE("", PART("a")) "}", 1 },
        { "{" ANY_CALL("function_call", "0", "f", "\"arguments\":\"[1]\"") "}", 1 },
        { "{" A_MESSAGE("", PART("a")) "},{" ANY_CALL("function_call", "1", "f", "\"arguments\":\"[1]\"") "}", 1 },
        { "{" ANY_CALL("function_call", "0", "f", "\"arguments\":\"[1]\"") "},{" ANY_CALL("function_call", "1", "f", "\"arguments\":\"[1]\"") "},{"
          ANY_CALL("function_call", "2", "f", "\"arguments\":\"[1]\"") "}", 3 },
    };
    char body[2000];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(body, sizeof body, OVER("\"output_index\":1,", ANY_CALL("function_call", "1", "f", "\"arguments\":\"[1]\"")) "%s%s%s",
                 "data: {\"type\":\"response.completed\",\"response\":{\"output\":[", rows[i].listed, "]}}\n\n");
        check_context(body);
        CHECK_INT(starts_in_pieces(body, strlen(body)), rows[i].starts);
        CHECK_INT(starts_in_pieces(body, 1), rows[i].starts);
    }
}

TEST(a_response_that_was_cancelled_is_over)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SAYS("\"output_index\":0,", "a") "data: {\"type\":\"response.cancelled\",\"response\":{\"status\":\"cancelled\"}}\n\n",
           "0 text \"a\"\n0 flush\nresponse status=\"cancelled\"\nFINISHED other raw=cancelled\nEND\n");
    STREAM(ADDED("\"output_index\":0,", A_CALL("\"\"")) "event: response.cancelled\ndata: {\"response\":{}}\n\n",
           ITS_CALL "0 flush cut_off\nFINISHED other raw=cancelled\nEND\n");
}

TEST(parts_of_a_message_without_number_and_id_end_with_it)
{
#define PART_SAYS(number, delta) SAYS("\"content_index\":" number ",", delta)
    streams_shape(&elelem_shape_responses);
    STREAM(PART_SAYS("0", "a") PART_SAYS("1", "b") OVER("", A_MESSAGE("", PART("a") "," PART("bx")))
           PART_SAYS("0", "c") PART_SAYS("1", "d") OVER("", A_MESSAGE("", PART("c") "," PART("d"))) COMPLETED,
           "0 text \"a\"\n1 meta content_index=1\n1 text \"bx\"\n0 flush\n1 flush\n"
           "2 text \"c\"\n3 meta content_index=1\n3 text \"d\"\n2 flush\n3 flush\n" ENDS);
    STREAM(SAYS("\"output_index\":5,", "a") OVER("", A_MESSAGE("", PART("a"))) COMPLETED, "0 text \"a\"\n0 flush\n" ENDS);
    STREAM(SAYS("\"item_id\":\"m\",", "a") OVER("", A_MESSAGE("", PART("a"))) COMPLETED, "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n" ENDS);
}

/* Servers that give all items one number may end a message after the calls that came in between. */
TEST(a_text_that_another_item_ended_does_not_come_again_when_it_is_done)
{
#define GIVES_CALL "1 meta item_id=\"i\"\n1 call id=c name=f\n1 args \"[1]\"\n1 flush\n"
#define CALL_BETWEEN ADDED(NUMBER_0, A_CALL("\"\"")) OVER(NUMBER_0, A_CALL("\"[1]\""))
    streams_shape(&elelem_shape_responses);
    STREAM(ADDED(NUMBER_0, A_MESSAGE(",\"id\":\"m\"", "")) SAYS(NUMBER_0, "a") CALL_BETWEEN OVER(NUMBER_0, A_MESSAGE(",\"id\":\"m\"", PART("a"))) COMPLETED,
           "0 text \"a\"\n0 flush\n" GIVES_CALL "FINISHED tool_calls raw=completed\nEND\n");
    STREAM(ADDED(NUMBER_0, "\"type\":\"reasoning\",\"id\":\"r\"") SUMS_UP(NUMBER_0, "x") CALL_BETWEEN
           OVER(NUMBER_0, "\"type\":\"reasoning\",\"id\":\"r\"," SUMMARY) COMPLETED,
           "0 meta item_id=\"r\"\n0 think \"x\"\n0 flush\n" GIVES_CALL "FINISHED tool_calls raw=completed\nEND\n");
    STREAM(ADDED(NUMBER_0, "\"type\":\"reasoning\",\"id\":\"r\"") CALL_BETWEEN
           OVER(NUMBER_0, "\"type\":\"reasoning\",\"id\":\"r\",\"encrypted_content\":\"z\"") COMPLETED,
           "0 meta item_id=\"r\"\n0 flush\n" GIVES_CALL "2 meta item_id=\"r\"\n2 meta encrypted_content=\"z\"\n2 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

TEST(a_frame_that_says_that_it_is_an_error_has_the_type_of_the_error)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED "data: {\"object\":\"error\",\"message\":\"Bad.\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}\n\n" "data: [DONE]\n\n",
           "ERROR invalid_request code=BadRequestError \"Bad.\"\nEND\n");
    STREAM(CREATED "event: x\ndata: {\"error\":{\"message\":\"Bad.\"}}\n\n" COMPLETED, ENDS);
    STREAM(CREATED "data: {\"object\":\"x\",\"message\":\"Bad.\",\"type\":\"BadRequestError\"}\n\n" COMPLETED, ENDS);
}

/* vLLM counted content_index on with each delta, though it had announced one part. */
TEST(of_an_item_whose_parts_are_announced_no_other_begins)
{
#define ANNOUNCES(place) "data: {\"type\":\"response.content_part.added\"," place "\"part\":{\"type\":\"output_text\",\"text\":\"\"}}\n\n"
#define PLACE(item, part) "\"output_index\":" item ",\"content_index\":" part ","
#define THINKS(place, delta) "data: {\"type\":\"response.reasoning_text.delta\"," place "\"delta\":\"" delta "\"}\n\n"
    streams_shape(&elelem_shape_responses);
    STREAM(ANNOUNCES(PLACE("0", "0")) SAYS(PLACE("0", "1"), "a") SAYS(PLACE("0", "2"), "b")
           "data: {\"type\":\"response.output_text.done\"," PLACE("0", "3") "\"text\":\"ab\"}\n\n"
           "data: {\"type\":\"response.content_part.done\"," PLACE("0", "4") "\"part\":" PART("ab") "}\n\n"
           OVER(NUMBER_0, A_MESSAGE("", PART("ab"))) COMPLETED, "0 text \"ab\"\n0 flush\n" ENDS);
    STREAM(ANNOUNCES(PLACE("0", "0")) THINKS(PLACE("0", "1"), "a") THINKS(PLACE("0", "2"), "b")
           OVER(NUMBER_0, "\"type\":\"reasoning\",\"content\":[{\"type\":\"reasoning_text\",\"text\":\"abc\"}]") COMPLETED,
           "0 meta raw=true\n0 think \"abc\"\n0 flush\n" ENDS);
    STREAM(ANNOUNCES(PLACE("0", "0")) SAYS(PLACE("0", "0"), "a") ANNOUNCES(PLACE("0", "1")) SAYS(PLACE("0", "1"), "b") SAYS(PLACE("0", "0"), "c") COMPLETED,
           "0 text \"a\"\n1 meta content_index=1\n1 text \"b\"\n0 text \"c\"\n0 flush\n1 flush\n" ENDS);
    STREAM(ANNOUNCES(PLACE("0", "0")) SAYS(PLACE("1", "1"), "a") COMPLETED, "0 meta content_index=1\n0 text \"a\"\n0 flush\n" ENDS);
    STREAM(ANNOUNCES("\"content_index\":0,") ANNOUNCES(NUMBER_0) SAYS("\"content_index\":1,", "a") SAYS(NUMBER_0 "\"content_index\":2,", "b") COMPLETED,
           "0 meta content_index=1\n0 text \"a\"\n1 meta content_index=2\n1 text \"b\"\n0 flush\n1 flush\n" ENDS);
}

/* vLLM adds a message under the number of the reasoning before it, and again under its own. */
TEST(a_message_that_is_added_twice_does_not_come_again_with_the_list)
{
#define ADDED_TWICE(id) ADDED(NUMBER_0, A_MESSAGE(",\"id\":\"" id "\"", "")) ADDED(NUMBER_0, A_MESSAGE(",\"id\":\"" id "\"", ""))
#define THEN_ONE SAYS("\"output_index\":1,", "a") OVER("\"output_index\":1,", A_MESSAGE(",\"id\":\"m\"", PART("a")))
    streams_shape(&elelem_shape_responses);
    STREAM(OVER(NUMBER_0, "\"type\":\"reasoning\",\"id\":\"r\"," SUMMARY) ADDED_TWICE("r")
           THEN_ONE LISTED("{" A_MESSAGE(",\"id\":\"n\"", PART("a")) "}"),
           "0 meta item_id=\"r\"\n0 think \"x\"\n0 flush\n2 text \"a\"\n2 meta item_id=\"m\"\n2 flush\n" ENDS);
    STREAM(ADDED_TWICE("q") THEN_ONE LISTED("{" A_MESSAGE(",\"id\":\"q\"", PART("b")) "}"),
           "1 text \"a\"\n1 meta item_id=\"m\"\n1 flush\n0 meta item_id=\"q\"\n0 text \"b\"\n0 flush\n" ENDS);
    STREAM(ADDED_TWICE("q") LISTED("{" A_MESSAGE(",\"id\":\"n\"", PART("a")) "}"), "0 meta item_id=\"n\"\n0 text \"a\"\n0 flush\n" ENDS);
    STREAM(ADDED(NUMBER_0, A_MESSAGE(",\"id\":\"q\"", "")) LISTED("{" A_MESSAGE(",\"id\":\"n\"", PART("a")) "}"), "0 meta item_id=\"n\"\n0 text \"a\"\n0 flush\n" ENDS);
}

TEST(of_reasoning_that_has_a_summary_and_raw_text_the_one_that_was_not_emitted_is_metadata)
{
    static const char done[] = OVER("\"output_index\":0,", "\"type\":\"reasoning\",\"id\":\"r\"," SUMMARY "," RAW_TEXT) COMPLETED;
    char body[1000];

    streams_shape(&elelem_shape_responses);
    STREAM(done, "0 meta item_id=\"r\"\n0 meta raw=true\n0 think \"y\"\n0 meta summary=[{\"type\":\"summary_text\",\"text\":\"x\"}]\n0 flush\n" ENDS);
    snprintf(body, sizeof body, "%s%s", SUMS_UP("\"output_index\":0,\"item_id\":\"r\",", "x"), done);
    STREAM(body, "0 meta item_id=\"r\"\n0 think \"x\"\n0 meta content=[{\"type\":\"reasoning_text\",\"text\":\"y\"}]\n0 flush\n" ENDS);
}

TEST(raw_text_without_a_number_after_parts_of_a_summary_is_the_first_of_the_raw_texts)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SUMS_UP(NUMBER_0 "\"summary_index\":1,", "x") THINKS(NUMBER_0, "a") THINKS(PLACE("0", "0"), "b") THINKS(PLACE("0", "1"), "c") COMPLETED,
           "0 think \"x\\n\\n\"\n0 meta part_offsets=[3]\n0 meta raw_offset=3\n0 think \"ab\"\n0 meta part_offsets=[5]\n0 think \"c\"\n0 flush\n" ENDS);
}

TEST(a_response_that_failed_in_a_frame_that_is_an_error_has_that_error)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.failed\",\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"Wait.\"},"
           "\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"No.\"}}}\n\n",
           "response status=\"failed\"\nERROR rate_limit retryable code=rate_limit_exceeded \"Wait.\"\nEND\n");
}

TEST(a_message_that_is_added_again_after_its_end_is_not_listed_again)
{
    streams_shape(&elelem_shape_responses);
    STREAM(ADDED("\"output_index\":0,", "\"type\":\"message\",\"id\":\"m\"") SAYS("\"output_index\":0,\"item_id\":\"m\",", "a")
           OVER("\"output_index\":0,", A_MESSAGE(",\"id\":\"m\"", PART("a"))) ADDED("\"output_index\":0,", "\"type\":\"message\",\"id\":\"m\"")
           LISTED("{" A_MESSAGE(",\"id\":\"m\"", PART("a")) "}"),
           "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n" ENDS);
}

TEST(a_part_without_a_type_or_an_id_says_only_what_it_can)
{
    static const char parts[] = ADDED("\"output_index\":0,", "\"type\":\"message\"")
        OVER("\"output_index\":0,", A_MESSAGE("", PART("a") ",{\"type\":\"\",\"x\":1},{\"type\":\"novelty\",\"x\":1},{\"x\":1},7")) COMPLETED;

    streams_shape(&elelem_shape_responses);
    STREAM(parts, "0 text \"a\"\n1 meta content_index=2\n1 item novelty \"{\\\"type\\\":\\\"novelty\\\",\\\"x\\\":1}\"\n1 flush\n0 flush\n" ENDS);
    streams_now.desc.without_provider_items = 1;
    STREAM(parts, "0 text \"a\"\n0 flush\n" ENDS);
}

/* Of a part, and of an item, 32 members that are not known are passed on. */
TEST(members_that_are_not_known_are_32_at_most)
{
    char body[3000], expected[2000];
    size_t size, end = 0, i;

    size = (size_t)snprintf(body, sizeof body, "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"content\":["
                            "{\"type\":\"output_text\",\"text\":\"a\"");
    for (i = 0; i < 33; i++)
        size += (size_t)snprintf(body + size, sizeof body - size, ",\"p%lu\":1", (unsigned long)i);
    size += (size_t)snprintf(body + size, sizeof body - size, "}]");
    for (i = 0; i < 33; i++)
        size += (size_t)snprintf(body + size, sizeof body - size, ",\"i%lu\":1", (unsigned long)i);
    snprintf(body + size, sizeof body - size, "}}\n\n" COMPLETED);
    end = (size_t)snprintf(expected, sizeof expected, "0 text \"a\"\n");
    for (i = 0; i < 32; i++)
        end += (size_t)snprintf(expected + end, sizeof expected - end, "0 meta p%lu=1\n", (unsigned long)i);
    for (i = 0; i < 32; i++)
        end += (size_t)snprintf(expected + end, sizeof expected - end, "0 meta i%lu=1\n", (unsigned long)i);
    snprintf(expected + end, sizeof expected - end, "0 flush\n" ENDS);
    streams_shape(&elelem_shape_responses);
    STREAM(body, expected);
}

TEST(an_empty_message_with_annotations_is_not_structured)
{
    static const char body[] =
        OVER("\"output_index\":0,", A_MESSAGE("", "{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[1]}")) COMPLETED;
    elelem_event event;

    streams_shape(&elelem_shape_responses);
    streams_now.desc.structured = 1;
    STREAM(body, "0 meta annotations=[1]\n0 flush\n" ENDS);
    streams_start(&streams_now);
    elelem_stream_push(&streams_now.stream, body, sizeof body - 1);
    CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
    CHECK_INT(event.part.kind, ELELEM_PART_MESSAGE);
}

/* More digits might have come. */
TEST(structured_output_that_is_a_number_ends_when_more_shows_that_it_is_whole)
{
    streams_shape(&elelem_shape_responses);
    streams_now.desc.structured = 1;
    STREAM(OVER("\"output_index\":0,", A_MESSAGE(",\"id\":\"m\"", PART("7"))) ADDED("\"output_index\":1,", "\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\"")
           COMPLETED, "0 meta item_id=\"m\"\n0 json \"7\"\n0 flush\n1 call id=c name=f\n1 flush\nFINISHED tool_calls raw=completed\nEND\n");
    STREAM(OVER("\"output_index\":0,", A_MESSAGE(",\"id\":\"m\"", PART("7"))) "data: {\"type\":\"response.incomplete\",\"response\":{}}\n\n",
           "0 meta item_id=\"m\"\n0 json \"7\"\n0 flush cut_off\nFINISHED other raw=incomplete\nEND\n");
}

TEST(an_object_without_output_and_status_is_no_response)
{
    streams_shape(&elelem_shape_responses);
    STREAM("{\"id\":\"r1\"}", "ERROR protocol \"the body is not an event stream\" status=ERROR_PROTOCOL\nEND\n");
}

TEST(the_caption_of_a_search_is_its_query_and_not_its_name)
{
    streams_shape(&elelem_shape_responses);
    STREAM(ADDED("\"output_index\":0,", "\"type\":\"web_search_call\",\"action\":{\"query\":\"q\"},\"name\":\"nn\"") "data: {\"type\":\"response.incomplete\",\"response\":{}}\n\n",
           "0 caption \"q\"\n0 flush\nFINISHED other raw=incomplete\nEND\n");
}

TEST(members_that_are_not_known_come_again_only_if_they_changed)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.created\",\"response\":{\"novelty\":1}}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"novelty\":1}}\n\n",
           "response novelty=1\n" ENDS);
    STREAM("data: {\"type\":\"response.created\",\"response\":{\"novelty\":1}}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"novelty\":2}}\n\n",
           "response novelty=1\nresponse novelty=2\n" ENDS);
}

TEST(the_last_frame_may_be_in_progress_or_complete)
{
    streams_shape(&elelem_shape_responses);
    streams_now.desc.without_provider_items = 1;
    STREAM(TEXT("a") "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"in_progress\"}}\n\n", "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n" ENDS);
    STREAM(TEXT("a") "data: {\"type\":\"response.done\",\"response\":{\"status\":\"complete\"}}\n\n",
           "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\nFINISHED completed raw=complete\nEND\n");
    STREAM("{\"status\":\"in_progress\",\"output\":[]}", "FINISHED other raw=in_progress\nEND\n");
}

#define A_SEARCH "{\"type\":\"web_search_call\",\"id\":\"w\",\"x\":\"~\"}"
#define A_SEARCH_GIVES "web_search_call hosted \"{\\\"type\\\":\\\"web_search_call\\\",\\\"id\\\":\\\"w\\\",\\\"x\\\":\\\"~\\\"}\"\n"

TEST(an_item_that_comes_twice_in_one_frame_passes_once)
{
    streams_shape(&elelem_shape_responses);
    STREAM_LARGE("data: {\"type\":\"response.output_item.done\",\"item\":" A_SEARCH ",\"item\":" A_SEARCH "}\n\n" COMPLETED,
           "0 item " A_SEARCH_GIVES "0 flush\n" ENDS);
}

/* Until an item passes, as everywhere else the last type counts, in its pieces and in its caption. */
TEST(an_item_whose_type_comes_twice_passes_as_of_the_last)
{
    streams_shape(&elelem_shape_responses);
    STREAM_LARGE("data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"hologram\",\"type\":\"mcp_call\",\"name\":\"n\",\"x\":\"~\"}}\n\n" COMPLETED,
           "0 item mcp_call hosted \"{\\\"type\\\":\\\"hologram\\\",\\\"type\\\":\\\"mcp_call\\\",\\\"name\\\":\\\"n\\\",\\\"x\\\":\\\"~\\\"}\"\n"
           "0 caption \"n\"\n0 flush\n" ENDS);
    STREAM_LARGE("data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"mcp_call\",\"type\":1,\"type\":\"hologram\",\"name\":\"n\",\"x\":\"~\"}}\n\n" COMPLETED,
           "0 item hologram \"{\\\"type\\\":\\\"mcp_call\\\",\\\"type\\\":1,\\\"type\\\":\\\"hologram\\\",\\\"name\\\":\\\"n\\\",\\\"x\\\":\\\"~\\\"}\"\n0 flush\n" ENDS);
}

/* What is kept of an item is gone before its caption is taken. */
TEST(captions_of_items_that_the_last_list_alone_has_are_of_the_types_of_these)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"mcp_call\",\"name\":\"n\"},{\"type\":\"web_search_call\",\"action\":{\"query\":\"x\"}},"
           "{\"type\":\"hologram\",\"queries\":[\"y\",\"z\"]}]}}\n\n",
           "0 item mcp_call hosted \"{\\\"type\\\":\\\"mcp_call\\\",\\\"name\\\":\\\"n\\\"}\"\n0 caption \"n\"\n0 flush\n"
           "1 item web_search_call hosted \"{\\\"type\\\":\\\"web_search_call\\\",\\\"action\\\":{\\\"query\\\":\\\"x\\\"}}\"\n1 caption \"x\"\n1 flush\n"
           "2 item hologram \"{\\\"type\\\":\\\"hologram\\\",\\\"queries\\\":[\\\"y\\\",\\\"z\\\"]}\"\n2 caption \"y\\nz\"\n2 flush\n"
           "FINISHED completed raw=completed\nEND\n");
}

/* It says nothing of what the item is, and the one that was added is known. */
TEST(an_item_that_is_done_with_an_empty_type_does_not_pass)
{
    streams_shape(&elelem_shape_responses);
    STREAM_LARGE("data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"mcp_call\",\"name\":\"n\"}}\n\n"
                 "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"\",\"name\":\"n\",\"x\":\"~\"}}\n\n"
                 "data: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"id\":\"i\",\"type\":\"\",\"x\":\"~\"}]}}\n\n",
                 "0 caption \"n\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

/* Of these two texts, the first bytes that are as many have one hash: those of the second end inside a character. */
TEST(a_text_that_was_made_to_have_the_hash_of_what_was_said_is_not_cut_inside_a_character)
{
#define SAID_TEXT "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"bwRG-RxGiBBZ\"}\n\n"
#define WHOLE_TEXT(text) "data: {\"type\":\"response.output_text.done\",\"output_index\":0,\"content_index\":0,\"text\":\"ynSxMTq4rzD" text "\"}\n\n"
#define SAID_CALL "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"delta\":\"bwRG-RxGiBBZ\"}\n\n"
#define WHOLE_CALL "data: {\"type\":\"response.function_call_arguments.done\",\"output_index\":0,\"arguments\":\"ynSxMTq4rzD\\ud83d\"}\n\n"
    CHECK_U64(elelem_shape_hash(elelem_str_of("bwRG-RxGiBBZ")), elelem_shape_hash(elelem_str_of("ynSxMTq4rzD\xef")));
    streams_shape(&elelem_shape_responses);
    STREAM(SAID_TEXT WHOLE_TEXT("\\ud83d") COMPLETED, "0 text \"bwRG-RxGiBBZ\"\n0 flush\n" ENDS);
    STREAM(SAID_TEXT WHOLE_TEXT("\\ufffd") COMPLETED, "0 text \"bwRG-RxGiBBZ\"\n0 flush\n" ENDS);
    STREAM(SAID_CALL WHOLE_CALL COMPLETED, "0 call id= name=\n0 args \"bwRG-RxGiBBZ\"\n0 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

/* The string of its input is not begun. */
TEST(a_custom_call_that_is_done_as_a_function_has_its_arguments)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"custom_tool_call\",\"call_id\":\"c\",\"name\":\"n\",\"input\":\"\"}}\n\n"
           "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"arguments\":{\"x\":1},\"status\":\"completed\"}}\n\n"
           COMPLETED,
           "0 call id=c name=n type=custom_tool_call\n0 args \"{\\\"x\\\":1}\"\n0 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

/* If the tools come before the items, those say at once what they are. */
TEST(items_of_a_whole_response_wait_for_the_tools_only_if_these_come_later)
{
    streams_shape(&elelem_shape_responses);
    STREAM_LARGE("{\"tools\":[{\"type\":\"function\",\"name\":\"parallel\"}],\"output\":["
           "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"parallel\",\"arguments\":\"{}\"},{" A_MESSAGE("", PART("~")) "},"
           "{" A_MESSAGE("", PART("b")) "}]}",
           "0 call id=c name=parallel\n0 args \"{}\"\n0 flush\n1 text \"~\"\n1 flush\n2 text \"b\"\n2 flush\n"
           "FINISHED tool_calls raw=completed\nEND\n");
    STREAM_LARGE("{\"output\":["
           "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"parallel\",\"arguments\":\"{}\"},{" A_MESSAGE("", PART("~")) "},"
           "{" A_MESSAGE("", PART("b")) "}],\"tools\":[{\"type\":\"function\",\"name\":\"parallel\"}]}",
           "0 call id=c name=parallel\n0 args \"{}\"\n0 flush\n1 text \"~\"\n1 flush\n2 text \"b\"\n2 flush\n"
           "FINISHED tool_calls raw=completed\nEND\n");
    STREAM_LARGE("{\"output\":["
           "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"parallel\",\"arguments\":\"{}\"},{" A_MESSAGE("", PART("~")) "},"
           "{" A_MESSAGE("", PART("b")) "}],\"tools\":[]}",
           "0 meta parallel=true\n0 call id=c name=parallel\n0 args \"{}\"\n0 flush\n1 text \"~\"\n1 flush\n"
           "2 text \"b\"\n2 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

#define A_PATCH "\"type\":\"apply_patch_call\",\"id\":\"p\",\"call_id\":\"c\",\"operation\":{\"type\":\"update_file\",\"path\":\"f\",\"diff\":\"%s\"}"

TEST(a_patch_that_is_added_again_begins_once_and_other_diffs_are_not_its)
{
    char body[1500];

    streams_shape(&elelem_shape_responses);
    snprintf(body, sizeof body, "data: {\"type\":\"response.apply_patch_call_operation_diff.delta\",\"output_index\":0,\"delta\":\"no\"}\n\n"
             ADDED("\"output_index\":0,", A_PATCH) ADDED("\"output_index\":0,", A_PATCH)
             "data: {\"type\":\"response.apply_patch_call_operation_diff.delta\",\"output_index\":0,\"delta\":\"b\"}\n\n"
             "data: {\"type\":\"response.apply_patch_call_operation_diff.delta\",\"output_index\":0,\"delta\":\"\"}\n\n"
             "data: {\"type\":\"response.shell_call_command.delta\",\"output_index\":0,\"command_index\":0,\"delta\":\"no\"}\n\n"
             OVER("\"output_index\":0,", A_PATCH) COMPLETED, "a", "a", "abc");
    STREAM(body, "0 meta item_id=\"p\"\n0 call id=c name=apply_patch type=apply_patch_call\n"
                 "0 args \"{\\\"operation\\\":{\\\"type\\\":\\\"update_file\\\",\\\"path\\\":\\\"f\\\",\\\"diff\\\":\\\"abc\\\"}}\"\n0 flush\n"
                 "FINISHED tool_calls raw=completed\nEND\n");
    STREAM(ADDED("\"output_index\":0,", "\"type\":\"shell_call\",\"call_id\":\"c\",\"environment\":{\"type\":\"local\"}")
           "data: {\"type\":\"response.shell_call_command.delta\",\"output_index\":0,\"command_index\":0,\"delta\":\"ls\"}\n\n"
           "data: {\"type\":\"response.apply_patch_call_operation_diff.delta\",\"output_index\":0,\"delta\":\"no\"}\n\n"
           OVER("\"output_index\":0,", "\"type\":\"shell_call\",\"call_id\":\"c\",\"environment\":{\"type\":\"local\"},\"action\":{\"commands\":[],\"timeout_ms\":1}") COMPLETED,
           "0 call id=c name=shell type=shell_call\n0 args \"{\\\"action\\\":{\\\"commands\\\":[\\\"ls\\\"],\\\"timeout_ms\\\":1}}\"\n"
           "0 meta environment={\"type\":\"local\"}\n0 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

TEST(without_the_wish_for_provider_items_audio_is_nothing)
{
    streams_shape(&elelem_shape_responses);
    streams_now.desc.without_provider_items = 1;
    STREAM("data: {\"type\":\"response.audio.delta\",\"delta\":\"QUJD\"}\n\n"
           "data: {\"type\":\"response.audio.transcript.delta\",\"delta\":\"abc\"}\n\n" COMPLETED, ENDS);
}

TEST(audio_of_which_only_the_transcript_came_is_that)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.audio.transcript.delta\",\"delta\":\"a\"}\n\n"
           "data: {\"type\":\"response.audio.transcript.delta\",\"delta\":\"bc\"}\n\n" COMPLETED,
           "0 caption \"abc\"\n0 item audio \"{\\\"transcript\\\":\\\"abc\\\"}\"\n0 flush\n" ENDS);
}

#define SEARCH_OF_TOOLS "{\"type\":\"tool_search_call\",\"id\":\"w\",\"execution\":\"server\",\"arguments\":{},\"x\":\"~\"}"

TEST(a_large_call_of_the_last_list_that_the_provider_runs_ends_the_open_one)
{
    streams_shape(&elelem_shape_responses);
    STREAM_LARGE(ADDED("\"output_index\":0,", "\"type\":\"tool_search_call\",\"id\":\"w\",\"execution\":\"server\"")
                 "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":["
                 SEARCH_OF_TOOLS "]}}\n\n",
                 "0 item tool_search_call hosted \"{\\\"type\\\":\\\"tool_search_call\\\",\\\"id\\\":\\\"w\\\","
                 "\\\"execution\\\":\\\"server\\\",\\\"arguments\\\":{},\\\"x\\\":\\\"~\\\"}\"\n0 flush\n"
                 "response status=\"completed\"\n" ENDS);
}

#define SEARCH_ADDED ADDED("\"output_index\":0,", "\"type\":\"web_search_call\",\"id\":\"w\",\"status\":\"in_progress\"")
#define LISTED_MESSAGE "{\"type\":\"message\",\"id\":\"m\",\"content\":[{\"type\":\"output_text\",\"text\":\"~\"}]}"

/* In the last frame's list a number is only a place: a search of which nothing is listed may have had it. */
TEST(a_message_that_only_the_last_list_has_is_emitted_though_a_search_had_its_number)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SEARCH_ADDED LISTED(LISTED_MESSAGE), "1 meta item_id=\"m\"\n1 text \"~\"\n1 flush\n" ENDS);
    STREAM_LARGE(SEARCH_ADDED LISTED(LISTED_MESSAGE), "1 meta item_id=\"m\"\n1 text \"~\"\n1 flush\n" ENDS);
}

TEST(a_message_that_was_streamed_is_not_emitted_again_though_the_list_gives_it_the_number_of_a_search)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SEARCH_ADDED "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"~\"}\n\n" LISTED(LISTED_MESSAGE),
           "1 text \"~\"\n1 flush\n" ENDS);
}

/* The list has another first item than was streamed. */
TEST(a_text_that_is_open_does_not_come_again_with_the_list_that_has_its_id_at_another_number)
{
    static const char body[] = SAYS("\"item_id\":\"m\",\"output_index\":0,", "a") LISTED(
        "{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"b\"}]},"
        "{\"type\":\"message\",\"id\":\"m\",\"content\":[{\"type\":\"output_text\",\"text\":\"ac\"}]}");

    streams_shape(&elelem_shape_responses);
    STREAM(body, "0 meta item_id=\"m\"\n0 text \"a\"\n1 meta item_id=\"r\"\n1 think \"b\"\n1 flush\n0 text \"c\"\n0 flush\n" ENDS);
}

#define SHELL_CALL(place) "\"type\":\"shell_call\",\"id\":\"s\",\"call_id\":\"c\",\"status\":\"completed\",\"action\":{\"commands\":[\"ls\"]}" place

TEST(a_command_that_the_provider_ran_is_no_call_because_the_list_does_not_say_where_it_ran)
{
    streams_shape(&elelem_shape_responses);
    STREAM(OVER("\"output_index\":0,", SHELL_CALL(",\"environment\":{\"type\":\"container_reference\"}")) LISTED("{" SHELL_CALL("") "}"),
           "0 item shell_call hosted \"{\\\"type\\\":\\\"shell_call\\\",\\\"id\\\":\\\"s\\\",\\\"call_id\\\":\\\"c\\\",\\\"status\\\":"
           "\\\"completed\\\",\\\"action\\\":{\\\"commands\\\":[\\\"ls\\\"]},\\\"environment\\\":{\\\"type\\\":\\\"container_reference\\\"}}\"\n"
           "0 caption \"ls\"\n0 flush\n" ENDS);
}

TEST(a_command_is_the_callers_only_in_a_local_environment_or_in_none)
{
    static const struct { const char *environment; int starts; } rows[] = {
        { "", 1 },
        { ",\"environment\":null", 1 },
        { ",\"environment\":{\"type\":\"local\"}", 1 },
        { ",\"environment\":{\"type\":\"container_reference\"}", 0 },
        { ",\"environment\":{\"type\":null,\"container_id\":\"k\"}", 0 },
        { ",\"environment\":{\"container_id\":\"k\"}", 0 },
        { ",\"environment\":{}", 0 },
        { ",\"environment\":\"container\"", 0 },
    };
    char body[500];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(body, sizeof body, OVER("\"output_index\":0,", SHELL_CALL("%s")) COMPLETED, rows[i].environment);
        check_context(body);
        CHECK_INT(starts_in_pieces(body, strlen(body)), rows[i].starts);
        CHECK_INT(starts_in_pieces(body, 1), rows[i].starts);
        snprintf(body, sizeof body, LISTED("{" SHELL_CALL("%s") "}"), rows[i].environment);
        CHECK_INT(starts_in_pieces(body, strlen(body)), rows[i].starts);
        CHECK_INT(starts_in_pieces(body, 1), rows[i].starts);
    }
    streams_shape(&elelem_shape_responses);
    STREAM(OVER("\"output_index\":0,", SHELL_CALL(",\"environment\":{\"container_id\":\"k\"}")) COMPLETED,
           "0 item shell_call hosted \"{\\\"type\\\":\\\"shell_call\\\",\\\"id\\\":\\\"s\\\",\\\"call_id\\\":\\\"c\\\",\\\"status\\\":"
           "\\\"completed\\\",\\\"action\\\":{\\\"commands\\\":[\\\"ls\\\"]},\\\"environment\\\":{\\\"container_id\\\":\\\"k\\\"}}\"\n"
           "0 caption \"ls\"\n0 flush\n" ENDS);
}

/* An item that was added without a number may be that of any number until it has text. */
TEST(a_text_with_a_number_does_not_continue_one_without)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SAYS("", "a") SAYS("\"output_index\":5,", "b") COMPLETED, "0 text \"a\"\n1 text \"b\"\n0 flush\n1 flush\n" ENDS);
    STREAM(ADDED("", "\"type\":\"message\"") SAYS("\"output_index\":5,", "b") COMPLETED, "0 text \"b\"\n0 flush\n" ENDS);
    STREAM(SAYS("", "a") OVER("", A_MESSAGE("", PART("ab"))) SAYS("", "c") COMPLETED, "0 text \"ab\"\n0 flush\n1 text \"c\"\n1 flush\n" ENDS);
}

/* The newest of its kind counts, whatever else came later. */
TEST(text_without_a_number_is_of_no_reasoning_no_call_and_no_refusal)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SUMS_UP("", "hm") SAYS("", "a") ADDED("", "\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\"")
           SAYS("", "b") COMPLETED,
           "0 think \"hm\"\n1 text \"a\"\n2 call id=c name=f\n1 text \"b\"\n0 flush\n1 flush\n2 flush\n"
           "FINISHED tool_calls raw=completed\nEND\n");
    STREAM(REFUSES("\"output_index\":0,", "no") SAYS("\"output_index\":0,", "a") COMPLETED,
           "0 meta refusal=true\n0 text \"no\"\n1 text \"a\"\n0 flush\n1 flush\nFINISHED content_filter raw=completed\nEND\n");
}

/* Without numbers nothing says which items of the list were streamed: one of a kind that was streamed counts as streamed. */
TEST(items_without_numbers_do_not_come_again_with_the_list)
{
    static const char *const ids[][2] = {
        { "", "" }, { ",\"id\":\"m\"", "" }, { "", ",\"id\":\"m\"" }, { ",\"id\":\"m\"", ",\"id\":\"n\"" },
    };
    char body[1000], expected[300];
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof ids / sizeof *ids; i++) {
        snprintf(body, sizeof body, SAYS("", "a") OVER("", A_MESSAGE("%s", PART("a"))) LISTED("{" A_MESSAGE("%s", PART("a")) "}"),
                 ids[i][0], ids[i][1]);
        snprintf(expected, sizeof expected, "0 text \"a\"\n%s0 flush\n" ENDS, ids[i][0][0] ? "0 meta item_id=\"m\"\n" : "");
        check_context(body);
        STREAM(body, expected);
    }
    STREAM(SUMS_UP("", "hm") OVER("", "\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}]")
           LISTED("{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}]}"),
           "0 think \"hm\"\n0 flush\n" ENDS);
}

TEST(a_call_that_is_added_without_id_and_name_begins_when_they_are_known)
{
    streams_shape(&elelem_shape_responses);
    STREAM(ADDED("\"output_index\":0,", "\"type\":\"function_call\"")
           OVER("\"output_index\":0,", "\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"")
           COMPLETED,
           "0 call id=c name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

/* The provider made what is an output. */
TEST(an_item_of_an_unknown_type_is_hosted_if_that_ends_with_output)
{
    static const char *const rows[][2] = {
        { "novelty_output", " hosted" }, { "novelty_outputs", "" }, { "novelty_outpost", "" }, { "novelty_outpux", "" },
        { "output_novelty", "" },
    };
    char body[400], expected[300];
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(body, sizeof body, OVER("", "\"type\":\"%s\"") COMPLETED, rows[i][0]);
        snprintf(expected, sizeof expected, "0 item %s%s \"{\\\"type\\\":\\\"%s\\\"}\"\n0 flush\n" ENDS, rows[i][0], rows[i][1],
                 rows[i][0]);
        check_context(body);
        STREAM(body, expected);
    }
}

/* A command that is added empty has not begun. */
TEST(a_shell_call_of_which_no_command_came_has_the_commands_it_is_done_with)
{
    streams_shape(&elelem_shape_responses);
    STREAM(ADDED("\"output_index\":0,", "\"type\":\"shell_call\",\"call_id\":\"c\"")
           "data: {\"type\":\"response.shell_call_command.added\",\"output_index\":0,\"command_index\":0,\"command\":\"\"}\n\n"
           OVER("\"output_index\":0,", "\"type\":\"shell_call\",\"call_id\":\"c\",\"status\":\"incomplete\","
                "\"action\":{\"commands\":[\"ls\"]}") COMPLETED,
           "0 call id=c name=shell type=shell_call\n0 args \"{\\\"action\\\":{\\\"commands\\\":[\\\"ls\\\"]}}\"\n"
           "0 meta status=\"incomplete\"\n0 flush cut_off\nFINISHED tool_calls raw=completed\nEND\n");
}

/* The part that came last is the one whose rest is known. */
TEST(text_of_an_earlier_part_of_a_summary_may_come_after_a_later_one)
{
    streams_shape(&elelem_shape_responses);
    STREAM(SUMS_UP("\"output_index\":0,\"summary_index\":1,", "b") SUMS_UP("\"output_index\":0,\"summary_index\":0,", "a")
           "data: {\"type\":\"response.reasoning_summary_text.done\",\"output_index\":0,\"summary_index\":0,\"text\":\"axx\"}\n\n"
           "data: {\"type\":\"response.reasoning_summary_text.done\",\"output_index\":0,\"summary_index\":1,\"text\":\"bc\"}\n\n"
           SUMS_UP("\"output_index\":0,\"summary_index\":2,", "d") COMPLETED,
           "0 think \"bac\\n\\n\"\n0 meta part_offsets=[5]\n0 think \"d\"\n0 flush\n" ENDS);
}

static const char *const odd_numbers[] = { "-1", "2147483648", "1e300", "\"0\"", "0.5", "{}", "[]", "true", "null" };

#define ADDED_CALL(index) \
    "data: {\"type\":\"response.output_item.added\",\"output_index\":" index ",\"item\":{\"type\":\"function_call\"," \
    "\"id\":\"i\",\"call_id\":\"c\",\"name\":\"f\"}}\n\n"
#define ARGUMENTS(index, id, text) \
    "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":" index "," id "\"delta\":\"" text "\"}\n\n"
#define DONE_CALL(index) \
    "data: {\"type\":\"response.output_item.done\",\"output_index\":" index ",\"item\":{\"type\":\"function_call\"," \
    "\"id\":\"i\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"[1]\"}}\n\n"
#define CALL_GIVES \
    "0 meta item_id=\"m\"\n0 text \"a\"\n1 meta item_id=\"i\"\n1 call id=c name=f\n1 args \"[1]\"\n1 flush\n0 flush\nFINISHED tool_calls raw=completed\nEND\n"

/* One number of a call's frames, or several, are none of a wire; the text before it stays open. */
TEST(an_output_index_that_no_wire_sends_counts_as_missing) /* P2 */
{
    static const char *const forms[] = {
        ADDED_CALL("%s") ARGUMENTS("1", "\"item_id\":\"i\",", "[") ARGUMENTS("1", "\"item_id\":\"i\",", "1]") DONE_CALL("1"),
        ADDED_CALL("%s") ARGUMENTS("1", "", "[") ARGUMENTS("1", "", "1]") DONE_CALL("1"),
        ADDED_CALL("%s") ARGUMENTS("1", "\"item_id\":\"other\",", "[") ARGUMENTS("1", "\"item_id\":\"another\",", "1]") DONE_CALL("1"),
        ADDED_CALL("1") ARGUMENTS("%s", "\"item_id\":\"i\",", "[") ARGUMENTS("1", "\"item_id\":\"i\",", "1]") DONE_CALL("1"),
        ADDED_CALL("1") ARGUMENTS("1", "", "[") ARGUMENTS("%s", "", "1]") DONE_CALL("1"),
        ADDED_CALL("1") ARGUMENTS("1", "", "[1]") DONE_CALL("%s"),
    };
    size_t i, k;

    streams_shape(&elelem_shape_responses);
    for (k = 0; k < sizeof forms / sizeof *forms; k++)
        for (i = 0; i < sizeof odd_numbers / sizeof *odd_numbers; i++) {
            char body[1500];
            size_t size = (size_t)snprintf(body, sizeof body, TEXT("a"));
            size += (size_t)snprintf(body + size, sizeof body - size, forms[k], odd_numbers[i]);
            snprintf(body + size, sizeof body - size, COMPLETED);
            check_context(body);
            STREAM(body, CALL_GIVES);
        }
}

TEST(a_part_without_a_number_of_a_wire_is_the_newest)
{
    static const char *const forms[] = {
        "data: {\"type\":\"response.reasoning_summary_text.delta\",\"item_id\":\"r\",\"summary_index\":1,\"delta\":\"b\"}\n\n"
        "data: {\"type\":\"response.reasoning_summary_text.delta\",\"item_id\":\"r\",\"summary_index\":%s,\"delta\":\"c\"}\n\n"
        "data: {\"type\":\"response.reasoning_summary_text.done\",\"item_id\":\"r\",\"summary_index\":1,\"text\":\"bcd\"}\n\n",
        "data: {\"type\":\"response.reasoning_summary_text.delta\",\"item_id\":\"r\",\"summary_index\":1,\"delta\":\"bcd\"}\n\n"
        "data: {\"type\":\"response.reasoning_summary_text.done\",\"item_id\":\"r\",\"summary_index\":%s,\"text\":\"bcd\"}\n\n",
        "data: {\"type\":\"response.reasoning_summary_text.delta\",\"item_id\":\"r\",\"summary_index\":1,\"delta\":\"b\"}\n\n"
        "data: {\"type\":\"response.reasoning_summary_part.done\",\"item_id\":\"r\",\"summary_index\":%s,"
        "\"part\":{\"type\":\"summary_text\",\"text\":\"bcd\"}}\n\n",
    };
    size_t i, k;

    streams_shape(&elelem_shape_responses);
    for (k = 0; k < sizeof forms / sizeof *forms; k++)
        for (i = 0; i < sizeof odd_numbers / sizeof *odd_numbers; i++) {
            char body[900];
            size_t size = (size_t)snprintf(body, sizeof body,
                "data: {\"type\":\"response.reasoning_summary_text.delta\",\"item_id\":\"r\",\"summary_index\":0,\"delta\":\"a\"}\n\n");
            size += (size_t)snprintf(body + size, sizeof body - size, forms[k], odd_numbers[i]);
            snprintf(body + size, sizeof body - size, COMPLETED);
            check_context(body);
            STREAM(body, "0 meta item_id=\"r\"\n0 think \"a\\n\\n\"\n0 meta part_offsets=[3]\n0 think \"bcd\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
        }
}

TEST(a_content_index_that_no_wire_sends_counts_as_missing)
{
    static const char *const frames[] = {
        "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":%s,\"delta\":\"x\"}",
        "{\"type\":\"response.output_text.done\",\"output_index\":0,\"content_index\":%s,\"text\":\"ax\"}",
        "{\"type\":\"response.content_part.done\",\"output_index\":0,\"content_index\":%s,\"part\":{\"type\":\"output_text\",\"text\":\"ax\"}}",
    };
    size_t i, k;

    streams_shape(&elelem_shape_responses);
    for (k = 0; k < sizeof frames / sizeof *frames; k++)
        for (i = 0; i < sizeof odd_numbers / sizeof *odd_numbers; i++) {
            char body[700], frame[300];
            snprintf(frame, sizeof frame, frames[k], odd_numbers[i]);
            snprintf(body, sizeof body, TEXT("a") "data: %s\n\n" COMPLETED, frame);
            check_context(body);
            STREAM(body, "0 meta item_id=\"m\"\n0 text \"ax\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
        }
}

TEST(the_event_name_counts_if_the_type_is_unknown)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\"}\n\n"
           "event: response.output_text.delta\ndata: {\"type\":\"odd\",\"output_index\":0,\"delta\":\"b\"}\n\n"
           "event: response.completed\ndata: {\"type\":\"\",\"response\":{}}\n\n",
           "0 text \"ab\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(null_and_the_largest_number_are_indices)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.output_text.delta\",\"output_index\":null,\"content_index\":null,\"delta\":\"a\"}\n\n"
           "data: {\"type\":\"response.output_text.delta\",\"output_index\":2147483647,\"content_index\":2147483647,"
           "\"delta\":\"b\"}\n\n" COMPLETED,
           "0 text \"a\"\n1 meta content_index=2147483647\n1 text \"b\"\n0 flush\n1 flush\nFINISHED completed raw=completed\nEND\n");
}

/* Known fields of other types are as if they were not there. */
TEST(wrong_types_are_ignored)
{
    static const char *const values[] = { "null", "1", "true", "[]", "{}", "[1]", "{\"a\":1}" };
    static const char *const frames[] = {
        "{\"type\":%s}",
        "{\"type\":\"response.output_text.delta\",\"delta\":%s,\"item_id\":\"x\"}",
        "{\"type\":\"response.function_call_arguments.delta\",\"delta\":%s}",
        "{\"type\":\"response.output_text.done\",\"text\":%s}",
        "{\"type\":\"response.content_part.done\",\"part\":%s}",
        "{\"type\":\"response.content_part.done\",\"part\":{\"type\":%s,\"text\":\"x\"}}",
        "{\"type\":\"response.content_part.done\",\"part\":{\"type\":\"output_text\",\"text\":%s}}",
        "{\"type\":\"response.output_item.added\",\"item\":%s}",
        "{\"type\":\"response.output_item.done\",\"item\":{\"type\":%s}}",
        "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"message\",\"id\":%s,\"content\":[{\"text\":\"\"}]}}",
        "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"message\",\"content\":%s,\"phase\":2}}",
        "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"message\",\"content\":[%s]}}",
        "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"message\",\"content\":[{\"text\":%s}]}}",
        "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"reasoning\",\"summary\":%s,\"content\":%s}}",
        "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"reasoning\",\"encrypted_content\":%s}}",
        "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"web_search_call\",\"status\":%s}}",
        "{\"type\":\"response.completed\",\"response\":%s}",
        "{\"type\":\"response.completed\",\"response\":{\"status\":%s,\"usage\":%s,\"output\":%s}}",
    };
    size_t i, k;

    streams_shape(&elelem_shape_responses);
    streams_now.desc.without_provider_items = 1;
    for (k = 0; k < sizeof frames / sizeof *frames; k++)
        for (i = 0; i < sizeof values / sizeof *values; i++) {
            char body[600];
            int size = snprintf(body, sizeof body, TEXT("a") "data: ");
            size += snprintf(body + size, sizeof body - (size_t)size, frames[k], values[i], values[i], values[i]);
            snprintf(body + size, sizeof body - (size_t)size, "\n\n" COMPLETED);
            check_context(body);
            streams_now.usage = 0;
            STREAM(body, "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
        }
}

TEST(unknown_events_and_fields_change_nothing)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED "data: {\"type\":\"response.something.new\",\"output_index\":-1,\"delta\":{\"a\":[1,2,{}]}}\n\n"
                   "data: {}\n\ndata: 7\n\ndata: [1]\n\n"
                   "data: {\"x\":1,\"type\":\"response.output_text.delta\",\"y\":[{}],\"delta\":\"a\",\"obfuscation\":\"q\"}\n\n" COMPLETED,
           "0 text \"a\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(a_custom_call_is_the_callers_if_the_request_may_have_had_the_tool)
{
    static const char *const tools[] = {
        "[]", "null", "7", "[7,null,{}]", "[{\"type\":\"web_search\"}]", "[{\"type\":\"x_search\"},{\"type\":\"custom\",\"name\":\"f\"}]",
    };
    char body[700];
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof tools / sizeof *tools; i++) {
        snprintf(body, sizeof body, "data: {\"type\":\"response.created\",\"response\":{\"tools\":%s}}\n\n"
                 "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"custom_tool_call\",\"call_id\":\"c\","
                 "\"name\":\"f\",\"input\":\"x\"}}\n\n" COMPLETED, tools[i]);
        check_context(tools[i]);
        STREAM(body, "0 call id=c name=f type=custom_tool_call\n0 args \"\\\"x\\\"\"\n0 flush\nFINISHED tool_calls raw=completed\nEND\n");
    }
}

TEST(a_flat_error_without_a_code_has_none)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED "event: error\ndata: {\"type\":\"error\",\"code\":null,\"message\":\"Oh.\",\"param\":null}\n\n", "ERROR other \"Oh.\"\nEND\n");
}

TEST(an_error_without_type_is_one)
{
    streams_shape(&elelem_shape_responses);
    STREAM(CREATED "data: {\"error\":{\"message\":\"Too much.\",\"code\":429}}\n\ndata: [DONE]\n\n",
           "ERROR rate_limit retryable \"Too much.\"\nEND\n");
    STREAM("event: error\ndata: {\"code\":\"server_error\",\"message\":\"Oh.\"}\n\n",
           "ERROR transient retryable code=server_error \"Oh.\"\nEND\n");
}

TEST(codes_decide_the_kind_of_an_error)
{
    static const struct {
        const char *error, *events;
    } rows[] = {
        { "{\"type\":\"requests\",\"code\":\"rate_limit_exceeded\",\"message\":\"m\"}", "ERROR rate_limit retryable code=rate_limit_exceeded \"m\"\nEND\n" },
        { "{\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\",\"message\":\"m\"}", "ERROR quota code=insufficient_quota \"m\"\nEND\n" },
        { "{\"type\":\"server_error\",\"code\":\"server_error\",\"message\":\"m\"}", "ERROR transient retryable code=server_error \"m\"\nEND\n" },
        { "{\"code\":\"server_is_overloaded\",\"message\":\"m\"}", "ERROR transient retryable code=server_is_overloaded \"m\"\nEND\n" },
        { "{\"type\":\"service_unavailable_error\",\"code\":null,\"message\":\"m\"}", "ERROR transient retryable code=service_unavailable_error \"m\"\nEND\n" },
        { "{\"type\":\"overloaded_error\",\"message\":\"m\"}", "ERROR transient retryable code=overloaded_error \"m\"\nEND\n" },
        { "{\"type\":\"invalid_request_error\",\"code\":\"invalid_prompt\",\"message\":\"m\"}", "ERROR invalid_request code=invalid_prompt \"m\"\nEND\n" },
        { "{\"type\":\"image_error\",\"code\":\"image_too_small\",\"message\":\"m\"}", "ERROR other code=image_too_small \"m\"\nEND\n" },
        { "{\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\",\"message\":\"m\"}", "ERROR rate_limit retryable code=rate_limit_exceeded \"m\"\nEND\n" },
        { "{\"type\":\"tokens\",\"code\":null,\"message\":\"m\"}", "ERROR rate_limit retryable code=tokens \"m\"\nEND\n" },
        { "{\"type\":\"requests\",\"code\":\"new\",\"message\":\"m\"}", "ERROR rate_limit retryable code=new \"m\"\nEND\n" },
        { "{\"type\":\"new\",\"message\":\"m\"}", "ERROR other code=new \"m\"\nEND\n" },
        { "{\"type\":\"new\",\"message\":\"Please try again in 2s.\"}", "ERROR transient retryable after=2000 code=new \"Please try again in 2s.\"\nEND\n" },
        { "{\"code\":\"server_error\",\"message\":\"Retry after 5 seconds\"}", "ERROR transient retryable after=5000 code=server_error \"Retry after 5 seconds\"\nEND\n" },
        { "{\"code\":\"insufficient_quota\",\"message\":\"try again in 5s\"}", "ERROR quota after=5000 code=insufficient_quota \"try again in 5s\"\nEND\n" },
    };
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[300];
        snprintf(body, sizeof body, "data: {\"type\":\"error\",\"error\":%s}\n\n", rows[i].error);
        check_context(rows[i].error);
        STREAM(body, rows[i].events);
    }
}

TEST(the_first_of_several_ends_counts)
{
    static const char failed[] = "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":"
                                 "{\"code\":\"server_error\",\"message\":\"First.\"}}}\n\n";
    static const char error[] = "data: {\"type\":\"error\",\"error\":{\"code\":\"server_error\",\"message\":\"Second.\"}}\n\n";
    char body[600];

    streams_shape(&elelem_shape_responses);
    snprintf(body, sizeof body, "%s%s" COMPLETED, failed, error);
    STREAM(body, "response status=\"failed\"\nERROR transient retryable code=server_error \"First.\"\nEND\n");
    snprintf(body, sizeof body, "%s%s" COMPLETED, error, failed);
    STREAM(body, "ERROR transient retryable code=server_error \"Second.\"\nEND\n");
    snprintf(body, sizeof body, COMPLETED "%s%s", error, failed);
    STREAM(body, "FINISHED completed raw=completed\nEND\n");
}

/* Recordings skip numbers, and older ones have none. */
TEST(sequence_numbers_may_be_missing_repeat_or_be_no_numbers)
{
    static const char *const numbers[] = { "0", "7", "7", "3", "-1", "1e300", "\"x\"", "null", "{}", "[1]" };
    char body[2000];
    size_t i, size = 0;

    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        size += (size_t)snprintf(body + size, sizeof body - size,
                                 "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\",\"sequence_number\":%s}\n\n",
                                 numbers[i]);
    snprintf(body + size, sizeof body - size, COMPLETED);
    streams_shape(&elelem_shape_responses);
    STREAM(body, "0 text \"aaaaaaaaaa\"\n0 flush\nFINISHED completed raw=completed\nmeta sequence_number=3\nEND\n");
}

TEST(annotations_of_every_type_are_passed_on)
{
    static const char *const types[] = { "url_citation", "file_citation", "container_file_citation", "file_path", "of_tomorrow" };
    char body[600], expected[300];
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof types / sizeof *types; i++) {
        check_context(types[i]);
        snprintf(body, sizeof body, TEXT("a") "data: {\"type\":\"response.output_text.annotation.added\",\"item_id\":\"m\",\"output_index\":0,"
                 "\"annotation\":{\"type\":\"%s\",\"start_index\":0}}\n\n" COMPLETED, types[i]);
        snprintf(expected, sizeof expected, "0 meta item_id=\"m\"\n0 text \"a\"\n0 meta annotations=[{\"type\":\"%s\",\"start_index\":0}]\n"
                 "0 flush\nFINISHED completed raw=completed\nEND\n", types[i]);
        STREAM(body, expected);
    }
}

TEST(a_refusal_next_to_a_call_does_not_end_the_call)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.refusal.delta\",\"output_index\":0,\"delta\":\"No.\"}\n\n"
           "data: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\"}}\n\n"
           COMPLETED,
           "0 meta refusal=true\n0 text \"No.\"\n1 call id=c name=f\n1 flush\n0 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

TEST(escapes_and_surrogate_pairs_are_decoded)
{
    streams_shape(&elelem_shape_responses);
    STREAM(TEXT("a\\u00e9\\ud83d\\ude00\\n\\\"\\\\") COMPLETED,
           "0 meta item_id=\"m\"\n0 text \"a\xc3\xa9\xf0\x9f\x98\x80\\n\\\"\\\\\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(without_its_last_frame_a_response_is_cut_off)
{
    streams_shape(&elelem_shape_responses);
    STREAM("", CUT_OFF);
    STREAM(CREATED, CUT_OFF);
    STREAM(CREATED TEXT("a"), "0 meta item_id=\"m\"\n0 text \"a\"\n" CUT_OFF);
    STREAM("data: [DONE]\n\n", CUT_OFF);
    STREAM(CREATED TEXT("a") "data: [DONE]\n\n", "0 meta item_id=\"m\"\n0 text \"a\"\n" CUT_OFF);
}

TEST(the_last_frame_needs_no_blank_line)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.completed\",\"response\":{}}", "FINISHED completed raw=completed\nEND\n");
}

TEST(what_comes_after_the_end_is_dropped)
{
    streams_shape(&elelem_shape_responses);
    STREAM(COMPLETED TEXT("late") COMPLETED "data: {\"type\":\"error\",\"message\":\"late\"}\n\n",
           "FINISHED completed raw=completed\nEND\n");
}

TEST(a_broken_transport_after_the_end_is_ignored)
{
    streams_shape(&elelem_shape_responses);
    streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
    STREAM(COMPLETED, "FINISHED completed raw=completed\nEND\n");
    STREAM(TEXT("a"), "0 meta item_id=\"m\"\n0 text \"a\"\n" CUT_OFF);
}

TEST(structured_text_is_structured_but_a_refusal_is_not)
{
    streams_shape(&elelem_shape_responses);
    streams_now.desc.structured = 1;
    STREAM("data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"m\",\"type\":\"message\",\"content\":[]}}\n\n" TEXT("{}")
           "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"m\",\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"{}\"}]}}\n\n"
           "data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"id\":\"n\",\"type\":\"message\",\"content\":[]}}\n\n"
           "data: {\"type\":\"response.refusal.delta\",\"output_index\":1,\"item_id\":\"n\",\"delta\":\"No.\"}\n\n"
           "data: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"id\":\"n\",\"type\":\"message\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"No.\"}]}}\n\n"
           "data: {\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"id\":\"o\",\"type\":\"message\",\"content\":[]}}\n\n" COMPLETED,
           "0 meta item_id=\"m\"\n0 json \"{}\"\n0 flush\n1 meta refusal=true\n1 meta item_id=\"n\"\n1 text \"No.\"\n1 flush\n"
           "2 meta item_id=\"o\"\n2 flush\nFINISHED content_filter raw=completed\nEND\n");
}

/* The notation shows metadata of a flush like that of a part. */
TEST(encrypted_content_is_metadata_of_the_flush)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;
    static const char body[] = "data: {\"type\":\"response.output_item.added\",\"item\":{\"id\":\"r\",\"type\":\"reasoning\","
                               "\"encrypted_content\":\"early\"}}\n\n"
                               "data: {\"type\":\"response.output_item.done\",\"item\":{\"id\":\"r\",\"type\":\"reasoning\","
                               "\"encrypted_content\":\"late\"}}\n\n";

    desc.shape = &elelem_shape_responses;
    elelem_stream_init(&stream, &desc);
    elelem_stream_push(&stream, body, sizeof body - 1);
    CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_OK);
    CHECK_INT(event.kind, ELELEM_EVENT_PART);
    CHECK_INT(event.part.kind, ELELEM_PART_REASONING);
    CHECK_U64(event.metadata.count, 1);
    CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_OK);
    CHECK_INT(event.kind, ELELEM_EVENT_FLUSH);
    CHECK_U64(event.metadata.count, 1);
    CHECK(elelem_str_is(elelem_metadata_get(&event.metadata, "encrypted_content"), "\"late\""));
    elelem_stream_free(&stream);
}

/* Its only part carries metadata and no JSON. */
TEST(an_empty_message_is_never_structured)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;
    static const char body[] =
        "data: {\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"id\":\"o\",\"type\":\"message\"}}\n\n";

    desc.shape = &elelem_shape_responses;
    desc.structured = 1;
    elelem_stream_init(&stream, &desc);
    elelem_stream_push(&stream, body, sizeof body - 1);
    CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_OK);
    CHECK_INT(event.kind, ELELEM_EVENT_PART);
    CHECK_INT(event.part.kind, ELELEM_PART_MESSAGE);
    CHECK_U64(event.part.text.size, 0);
    elelem_stream_free(&stream);
}

TEST(usage_is_normalized_and_kept_as_it_came)
{
    streams_shape(&elelem_shape_responses);
    streams_now.usage = 1;
    STREAM("data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":6,"
           "\"input_tokens_details\":{\"cached_tokens\":1},\"output_tokens_details\":{\"reasoning_tokens\":2},\"x\":1e2}}}\n\n",
           "FINISHED completed raw=completed in=5 out=6 cached=1 reasoning=2\n"
           "meta usage={\"input_tokens\":5,\"output_tokens\":6,\"input_tokens_details\":{\"cached_tokens\":1},"
           "\"output_tokens_details\":{\"reasoning_tokens\":2},\"x\":1e2}\nEND\n");
}

/* Big streams, fed once. */

typedef struct run {
    elelem_stream stream;
    size_t texts; /* bytes of text and arguments, */
    size_t items; /* and of provider items */
    unsigned flushes;
    unsigned ends;
    elelem_event_kind end;
    elelem_error_kind error;
    elelem_finish_reason reason;
} run;

static void run_start(run *r, elelem_allocator allocator)
{
    elelem_stream_desc desc = ELELEM_INIT;

    memset(r, 0, sizeof *r);
    desc.shape = &elelem_shape_responses;
    desc.allocator = allocator;
    elelem_stream_init(&r->stream, &desc);
}

static void run_take(run *r)
{
    elelem_event event;

    while (elelem_stream_next(&r->stream, &event) == ELELEM_OK) {
        if (event.part.kind == ELELEM_PART_PROVIDER_ITEM) r->items += event.part.text.size;
        else r->texts += event.part.text.size + event.part.tool_call.text.size;
        r->flushes += event.kind == ELELEM_EVENT_FLUSH;
        if (event.kind != ELELEM_EVENT_FINISHED && event.kind != ELELEM_EVENT_ERROR) continue;
        r->ends++;
        r->end = (elelem_event_kind)event.kind;
        r->error = (elelem_error_kind)event.error.kind;
        r->reason = (elelem_finish_reason)event.reason;
    }
}

static void run_push(run *r, const char *text)
{
    elelem_stream_push(&r->stream, text, strlen(text));
    run_take(r);
}

static void run_finish(run *r)
{
    elelem_stream_finish(&r->stream);
    run_take(r);
    elelem_stream_free(&r->stream);
}

static void run_push_many(run *r, const char *text, size_t times)
{
    size_t i;

    for (i = 0; i < times; i++)
        run_push(r, text);
}

/* Provider items and calls that are no functions. */

TEST(commentary_is_no_structured_output)
{
    static const char body[] =
        "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\",\"phase\":\"commentary\"}}\n\n"
        "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Well\"}\n\n"
        "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":1,\"delta\":\"then\"}\n\n"
        "data: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"message\",\"phase\":\"final_answer\","
        "\"content\":[{\"type\":\"output_text\",\"text\":\"{}\"}]}}\n\n" COMPLETED;

    streams_shape(&elelem_shape_responses);
    streams_now.desc.structured = 1;
    STREAM(body, "0 meta phase=\"commentary\"\n0 text \"Well\"\n1 meta content_index=1\n1 text \"then\"\n2 json \"{}\"\n"
                 "2 meta phase=\"final_answer\"\n2 flush\n0 flush\n1 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(later_parts_of_a_structured_message_are_items_of_their_own)
{
    streams_shape(&elelem_shape_responses);
    streams_now.desc.structured = 1;
    STREAM(SAYS("\"output_index\":0,\"content_index\":0,", "{}") SAYS("\"output_index\":0,\"content_index\":1,", "[]") COMPLETED,
           "0 json \"{}\"\n1 meta content_index=1\n1 json \"[]\"\n0 flush\n1 flush\n" ENDS);
}

#define DONE(item) "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":" item "}\n\n"

TEST(without_the_wish_for_them_calls_for_the_caller_still_come)
{
    streams_shape(&elelem_shape_responses);
    streams_now.desc.without_provider_items = 1;
    STREAM(CREATED DONE("{\"type\":\"shell_call\",\"call_id\":\"c\",\"action\":{\"commands\":[\"ls\"]},\"environment\":{\"type\":\"local\"}}")
           DONE("{\"type\":\"shell_call\",\"call_id\":\"d\",\"action\":{},\"environment\":{\"type\":\"container_reference\"}}")
           DONE("{\"type\":\"web_search_call\",\"action\":{\"query\":\"x\"}}") COMPLETED,
           "0 call id=c name=shell type=shell_call\n0 args \"{\\\"action\\\":{\\\"commands\\\":[\\\"ls\\\"]}}\"\n"
           "0 meta environment={\"type\":\"local\"}\n0 flush\nFINISHED tool_calls raw=completed\nEND\n");
}

TEST(an_item_passes_wherever_its_type_and_that_of_the_frame_are)
{
    static const char *const frames[] = {
        "{\"type\":\"response.output_item.done\",\"item\":{\"n\":[1],\"type\":\"x\",\"id\":\"i\"},\"output_index\":0}",
        "{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"n\":[1],\"type\":\"x\",\"id\":\"i\"}}",
        "{\"item\":{\"n\":[1],\"type\":\"x\",\"id\":\"i\"},\"output_index\":0,\"type\":\"response.output_item.done\"}",
    };
    char body[900];
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof frames / sizeof *frames; i++) {
        snprintf(body, sizeof body, "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"x\",\"id\":\"i\"}}\n\n"
                 "data: %s\n\n" TEXT("a") COMPLETED, frames[i]);
        check_context(frames[i]);
        STREAM(body, "0 item x \"{\\\"n\\\":[1],\\\"type\\\":\\\"x\\\",\\\"id\\\":\\\"i\\\"}\"\n0 flush\n1 meta item_id=\"m\"\n"
                     "1 text \"a\"\n1 flush\nFINISHED completed raw=completed\nEND\n");
    }
}

TEST(an_error_says_after_which_frame_the_response_can_be_resumed)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r\"}}\n\n"
           "data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\",\"sequence_number\":41}\n\ndata: {\"type\":\"respo",
           "response id=\"r\"\n0 text \"a\"\nERROR connect retryable \"the response ended before it was complete\"\n"
           "meta sequence_number=41\nEND\n");
}

/* The bytes of the captions that come of a body. */
static size_t caption_bytes(const char *body, size_t size, size_t piece)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;
    size_t at, bytes = 0;

    desc.shape = &elelem_shape_responses;
    elelem_stream_init(&stream, &desc);
    for (at = 0; at < size; at += piece) {
        CHECK_INT(elelem_stream_push(&stream, body + at, size - at < piece ? size - at : piece), ELELEM_OK);
        while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
            CHECK(event.kind != ELELEM_EVENT_ERROR);
            if (event.kind == ELELEM_EVENT_PART) bytes += event.part.caption.size;
        }
    }
    elelem_stream_free(&stream);
    return bytes;
}

TEST(a_caption_that_was_not_streamed_is_no_longer_than_4_kilobytes)
{
    static char body[20000];
    size_t i, size = strlen(strcpy(body, "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"program\",\"id\":\"p\",\"code\":\""));

    body[size++] = 'x';
    for (i = 0; i < 4000; i++, size += 2)
        memcpy(body + size, "\xc3\xa9", 2);
    size += strlen(strcpy(body + size, "\",\"name\":\"n\"}}\n\n" COMPLETED));
    CHECK_U64(caption_bytes(body, size, size), 4095); /* no character is cut */
    CHECK_U64(caption_bytes(body, size, 1), 4095);
    CHECK_U64(caption_bytes(body, size, 7), 4095);
}

TEST(a_caption_of_an_item_without_an_id_is_no_longer_than_4_kilobytes)
{
    static char body[20000];
    size_t size = strlen(strcpy(body, "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"program\",\"code\":\""));

    memset(body + size, 'x', 8000);
    size += 8000;
    size += strlen(strcpy(body + size, "\",\"name\":\"n\"}}\n\n" COMPLETED));
    CHECK(caption_bytes(body, size, size) > 4000);
    CHECK(caption_bytes(body, size, size) <= 4096);
    CHECK_U64(caption_bytes(body, size, 1), caption_bytes(body, size, size));
    CHECK_U64(caption_bytes(body, size, 7), caption_bytes(body, size, size));
}

TEST(the_caption_of_a_search_has_its_first_sixteen_queries)
{
    static const char body[] = OVER("\"output_index\":0,", "\"type\":\"file_search_call\",\"queries\":["
        "\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\",\"l\",\"m\",\"n\",\"o\",\"p\",\"q\"]") COMPLETED;

    CHECK_U64(caption_bytes(body, sizeof body - 1, sizeof body - 1), 31); /* one a line */
    CHECK_U64(caption_bytes(body, sizeof body - 1, 1), 31);
}

/* An image of 40 MB in the frame that this begins, through so much memory. */
static void image_passes(const char *begin, const char *end, int without)
{
    static char chunk[4097];
    elelem_stream_desc desc = ELELEM_INIT;
    limits_heap heap = ELELEM_INIT;
    static run r;

    memset(chunk, 'A', sizeof chunk - 1);
    memset(&r, 0, sizeof r);
    heap.bound = without ? 4096 : 65536;
    desc.shape = &elelem_shape_responses;
    desc.allocator = limits_allocator(&heap);
    desc.without_provider_items = without != 0;
    elelem_stream_init(&r.stream, &desc);
    run_push(&r, CREATED);
    run_push(&r, begin);
    run_push_many(&r, chunk, 10240);
    run_push(&r, end);
    run_finish(&r);
    CHECK_INT(r.end, ELELEM_EVENT_FINISHED);
    CHECK_U64(r.items, without ? 0 : 10240 * 4096 + sizeof "{\"type\":\"image_generation_call\",\"result\":\"\"}" - 1);
    CHECK(limits_held(&heap));
    elelem_stream_free(&r.stream);
    CHECK_U64(heap.live, 0);
}

#define IMAGE "{\"type\":\"image_generation_call\",\"result\":\""
#define IMAGE_DONE "data: {\"type\":\"response.output_item.done\",\"item\":" IMAGE

TEST(an_image_of_40_megabytes_passes_through_64_kilobytes)
{
    image_passes(IMAGE_DONE, "\"},\"output_index\":0}\n\n" COMPLETED, 0);
    image_passes("data: {\"type\":\"response.completed\",\"response\":{\"output\":[" IMAGE, "\"}]}}\n\n", 0);
    image_passes(IMAGE_DONE "AA\"},\"output_index\":0}\n\ndata: {\"type\":\"response.image_generation_call.partial_image\","
                 "\"partial_image_b64\":\"", "\"}\n\n" COMPLETED, 1);
}

TEST(a_device_without_provider_items_stores_nothing_of_them)
{
    image_passes(IMAGE_DONE, "\"},\"output_index\":0}\n\n" TEXT("a") COMPLETED, 1);
}

TEST(hundreds_of_items_that_only_the_list_has_are_no_limit)
{
    elelem_allocator none = ELELEM_INIT;
    static run r;

    run_start(&r, none);
    run_push(&r, "data: {\"type\":\"response.completed\",\"response\":{\"output\":[");
    run_push_many(&r, "{\"type\":\"x\",\"n\":1},{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]},", 400);
    run_push(&r, "{\"type\":\"x\",\"n\":1}]}}\n\n");
    run_finish(&r);
    CHECK_INT(r.end, ELELEM_EVENT_FINISHED);
    CHECK_U64(r.texts, 400);
    CHECK_U64(r.items, 401 * (sizeof "{\"type\":\"x\",\"n\":1}" - 1));
    CHECK_U64(r.flushes, 801);
}

/* Of 300 messages in the last list, after texts that were streamed. */
static uint64_t listed_texts(const char *streamed)
{
    elelem_allocator none = ELELEM_INIT;
    static run r;

    run_start(&r, none);
    run_push(&r, streamed);
    run_push(&r, "data: {\"type\":\"response.completed\",\"response\":{\"output\":[");
    run_push_many(&r, "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]},", 299);
    run_push(&r, "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]}]}}\n\n");
    run_finish(&r);
    CHECK_INT(r.end, ELELEM_EVENT_FINISHED);
    return r.texts;
}

TEST(messages_that_only_the_list_has_come_also_at_numbers_above_256)
{
    CHECK_U64(listed_texts(SAYS("\"output_index\":0,", "a")), 300);
    CHECK_U64(listed_texts(SAYS("\"output_index\":255,", "a")), 300);
}

TEST(a_message_of_a_number_above_256_does_not_come_again_with_the_list)
{
    CHECK_U64(listed_texts(SAYS("\"output_index\":256,", "a")), 257);
    CHECK_U64(listed_texts(SAYS("\"output_index\":0,", "a") SAYS("\"output_index\":299,", "a")), 257);
}

/* Two megabytes of a whole response, of which its instructions and its output are not wanted any more. */
TEST(a_last_frame_of_two_megabytes_passes_through_a_small_arena)
{
    static unsigned char memory[16384];
    static elelem_arena arena;
    static char chunk[1025];
    static run r;

    memset(chunk, 'x', sizeof chunk - 1);
    run_start(&r, elelem_arena_init(&arena, memory, sizeof memory));
    run_push(&r, CREATED TEXT("Hello"));
    run_push(&r, "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"m\","
                 "\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\"}]}}\n\n");
    run_push(&r, "data: {\"type\":\"response.completed\",\"response\":{\"instructions\":\"");
    run_push_many(&r, chunk, 1024);
    run_push(&r, "\",\"output\":[{\"type\":\"message\",\"id\":\"m\",\"content\":[{\"type\":\"output_text\",\"text\":\"");
    run_push_many(&r, chunk, 1024);
    run_push(&r, "\"}]}],\"status\":\"completed\"}}\n\n");
    run_finish(&r);
    CHECK_INT(r.end, ELELEM_EVENT_FINISHED);
    CHECK_INT(r.reason, ELELEM_FINISH_COMPLETED);
    CHECK_U64(r.texts, 5);
    CHECK_U64(r.flushes, 1);
    CHECK_U64(elelem_arena_used(&arena), 0);
}

TEST(two_megabytes_of_image_pass_through_a_small_arena)
{
    static unsigned char memory[16384];
    static elelem_arena arena;
    static char chunk[1025];
    static run r;

    memset(chunk, 'A', sizeof chunk - 1);
    run_start(&r, elelem_arena_init(&arena, memory, sizeof memory));
    run_push(&r, "data: {\"type\":\"response.image_generation_call.partial_image\",\"partial_image_b64\":\"");
    run_push_many(&r, chunk, 1024);
    run_push(&r, "\"}\n\ndata: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"image_generation_call\",\"result\":\"");
    run_push_many(&r, chunk, 1024);
    run_push(&r, "\"}}\n\n" TEXT("Here.") COMPLETED);
    run_finish(&r);
    CHECK_INT(r.end, ELELEM_EVENT_FINISHED);
    CHECK_U64(r.texts, 5);
    CHECK_U64(r.items, 1024 * 1024 + sizeof "{\"type\":\"image_generation_call\",\"result\":\"\"}" - 1);
}

/* What is to be sent back must be whole, however large. */
TEST(encrypted_content_of_hundreds_of_kilobytes_is_metadata)
{
    static const char front[] = "data: {\"type\":\"response.output_item.done\",\"item\":{\"id\":\"r\",\"encrypted_content\":\"";
    static const char back[] = "\",\"type\":\"reasoning\"}}\n\n";
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;
    static char chunk[1024];
    unsigned i, flushes = 0;

    memset(chunk, 'A', sizeof chunk);
    desc.shape = &elelem_shape_responses;
    elelem_stream_init(&stream, &desc);
    elelem_stream_push(&stream, front, sizeof front - 1);
    for (i = 0; i < 400; i++) {
        CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_MORE);
        elelem_stream_push(&stream, chunk, sizeof chunk);
    }
    CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_MORE);
    elelem_stream_push(&stream, back, sizeof back - 1);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
        elelem_str sealed = elelem_metadata_get(&event.metadata, "encrypted_content");
        if (event.kind != ELELEM_EVENT_FLUSH) continue;
        flushes++;
        CHECK_U64(sealed.size, sizeof chunk * 400 + 2);
        CHECK(sealed.size > 2 && sealed.data[0] == '"' && sealed.data[sealed.size - 2] == 'A');
    }
    CHECK_U64(flushes, 1);
    elelem_stream_free(&stream);
}

TEST(tens_of_thousands_of_deltas_are_one_text)
{
    elelem_allocator none = ELELEM_INIT;
    static run r;

    run_start(&r, none);
    run_push_many(&r, TEXT("{"), 20000);
    run_push(&r, COMPLETED);
    run_finish(&r);
    CHECK_INT(r.end, ELELEM_EVENT_FINISHED);
    CHECK_U64(r.texts, 20000);
    CHECK_U64(r.flushes, 1);
}

TEST(many_items_are_many_but_too_many_open_ones_are_a_limit)
{
    elelem_allocator none = ELELEM_INIT;
    static run r;
    unsigned i;
    char frame[300];

    run_start(&r, none);
    for (i = 0; i < 10000; i++) {
        snprintf(frame, sizeof frame, "data: {\"type\":\"response.output_item.done\",\"output_index\":%u,\"item\":{\"type\":"
                 "\"message\",\"id\":\"m%u\",\"phase\":\"p\",\"content\":[{\"type\":\"output_text\",\"text\":\"x\"}]}}\n\n", i, i);
        run_push(&r, frame);
    }
    run_push(&r, COMPLETED);
    run_finish(&r);
    CHECK_INT(r.end, ELELEM_EVENT_FINISHED);
    CHECK_U64(r.texts, 10000);
    CHECK_U64(r.flushes, 10000);
    run_start(&r, none);
    for (i = 0; i < 1000; i++) {
        snprintf(frame, sizeof frame, "data: {\"type\":\"response.output_text.delta\",\"output_index\":%u,\"delta\":\"x\"}\n\n", i);
        run_push(&r, frame);
    }
    run_finish(&r);
    CHECK_INT(r.end, ELELEM_EVENT_ERROR);
    CHECK_INT(r.error, ELELEM_ERROR_KIND_LIMIT);
    CHECK_U64(r.ends, 1);
    CHECK_U64(r.texts, 256);
}

/* Phases that are kept for messages which never say anything must not pile up. */
TEST(what_is_kept_for_an_item_is_freed_with_it)
{
    elelem_allocator none = ELELEM_INIT;
    static run r;

    run_start(&r, none);
    run_push_many(&r, "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"m\","
                      "\"phase\":\"commentary\"}}\n\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,"
                      "\"item\":{\"type\":\"message\"}}\n\n", 50000);
    run_push(&r, COMPLETED);
    run_finish(&r);
    CHECK_INT(r.end, ELELEM_EVENT_FINISHED);
    CHECK_U64(r.flushes, 50000);
}

TEST(a_stream_that_is_reset_looks_at_the_whole_last_frame_again)
{
    elelem_allocator none = ELELEM_INIT;
    static run r;

    run_start(&r, none);
    run_push(&r, "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"m\","
                 "\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\"}]}}\n\n" COMPLETED);
    elelem_stream_reset(&r.stream);
    run_push(&r, "data: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"message\",\"id\":\"m\","
                 "\"content\":[{\"type\":\"output_text\",\"text\":\"again\"}]}]}}\n\n");
    run_finish(&r);
    CHECK_U64(r.ends, 2);
    CHECK_U64(r.texts, 10);
    CHECK_U64(r.flushes, 2);
}

/* Every body that ends with FINISHED, cut after each byte: one error that can be retried, or the end. */
TEST(a_response_cut_anywhere_ends_once_and_never_well)
{
    static const char *const names[] = { "text", "summary", "call", "overlapping_calls", "rotating_ids", "refusal",
                                         "custom_call", "annotations", "never_done", "only_completed", "shell_call", "apply_patch_call",
                                         "mcp", "searches", "provider_item_never_done", "part_of_another_type" };
    elelem_allocator none = ELELEM_INIT;
    static run r;
    size_t i, size, cut;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        char path[100];
        char *body;
        snprintf(path, sizeof path, "tests/data/responses/%s.sse", names[i]);
        body = streams_read(path, &size);
        check_context(names[i]);
        for (cut = 0; body && cut < size - 2; cut++) { /* the last frame is whole if its JSON is */
            check_cut("cut after", cut);
            run_start(&r, none);
            elelem_stream_push(&r.stream, body, cut);
            run_take(&r);
            run_finish(&r);
            CHECK_U64(r.ends, 1);
            CHECK_INT(r.end, ELELEM_EVENT_ERROR);
            CHECK_INT(r.error, ELELEM_ERROR_KIND_CONNECT);
        }
        CHECK(body != NULL);
        free(body);
    }
}

/* Memory. */

TEST(without_memory_the_response_is_an_error_and_never_a_false_end)
{
    static const char *const names[] = { "annotations", "custom_call", "phase", "only_completed", "shell_call", "apply_patch_call",
                                         "mcp", "searches", "provider_item_never_done", "part_of_another_type", "response_metadata" };
    limits_heap heap = ELELEM_INIT;
    static run whole, r;
    size_t i, size, k;

    heap.stays = 1;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        char path[100];
        char *body;
        snprintf(path, sizeof path, "tests/data/responses/%s.sse", names[i]);
        body = streams_read(path, &size);
        check_context(names[i]);
        heap.refuse = 0;
        run_start(&whole, limits_allocator(&heap));
        elelem_stream_push(&whole.stream, body, size);
        run_take(&whole);
        run_finish(&whole);
        for (k = 0; k < 100; k++) {
            check_cut("allocations", k);
            heap.calls = 0;
            heap.refuse = (int)k + 1;
            run_start(&r, limits_allocator(&heap));
            elelem_stream_push(&r.stream, body, size);
            run_take(&r);
            run_finish(&r);
            CHECK_U64(r.ends, 1);
            if (r.end == ELELEM_EVENT_FINISHED) CHECK_U64(r.texts, whole.texts);
            else CHECK_INT(r.error, ELELEM_ERROR_KIND_OUT_OF_MEMORY);
        }
        free(body);
    }
}

/* Items of a list of which nothing was streamed are as many as the list has, whatever their ids. */
TEST(items_that_are_only_listed_may_all_have_one_id)
{
    static const char items[] = "[{\"type\":\"message\",\"id\":\"m\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]},"
                                "{\"id\":\"w\",\"type\":\"web_search_call\",\"n\":1},{\"id\":\"w\",\"type\":\"web_search_call\",\"n\":2},"
                                "{\"type\":\"message\",\"id\":\"m\",\"content\":[{\"type\":\"output_text\",\"text\":\"b\"}]},"
                                "{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"c\"}]},"
                                "{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"d\"}]}]";
    static const char gives[] = "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n"
                                "1 item web_search_call hosted \"{\\\"id\\\":\\\"w\\\",\\\"type\\\":\\\"web_search_call\\\",\\\"n\\\":1}\"\n1 flush\n"
                                "2 item web_search_call hosted \"{\\\"id\\\":\\\"w\\\",\\\"type\\\":\\\"web_search_call\\\",\\\"n\\\":2}\"\n2 flush\n"
                                "3 meta item_id=\"m\"\n3 text \"b\"\n3 flush\n4 meta item_id=\"r\"\n4 think \"c\"\n4 flush\n5 meta item_id=\"r\"\n5 think \"d\"\n5 flush\n";
    char body[2000], expected[2000];

    streams_shape(&elelem_shape_responses);
    snprintf(body, sizeof body, "{\"object\":\"response\",\"status\":\"completed\",\"output\":%s}", items);
    snprintf(expected, sizeof expected, "response status=\"completed\"\n%sFINISHED completed raw=completed\nEND\n", gives);
    STREAM(body, expected);
    snprintf(body, sizeof body, "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":%s}}\n\n", items);
    snprintf(expected, sizeof expected, "%sresponse status=\"completed\"\nFINISHED completed raw=completed\nEND\n", gives);
    STREAM(body, expected);
}

TEST(an_annotation_before_the_text_of_a_later_part_begins_that_part)
{
    streams_shape(&elelem_shape_responses);
    STREAM("data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"item_id\":\"m\",\"delta\":\"a\"}\n\n"
           "data: {\"type\":\"response.output_text.annotation.added\",\"output_index\":0,\"content_index\":1,\"item_id\":\"m\",\"annotation\":{\"u\":1}}\n\n"
           "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":1,\"item_id\":\"m\",\"delta\":\"b\"}\n\n"
           "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
           "0 meta item_id=\"m\"\n0 text \"a\"\n1 meta item_id=\"m\"\n1 meta content_index=1\n1 meta annotations=[{\"u\":1}]\n1 text \"b\"\n0 flush\n1 flush\n"
           "response status=\"completed\"\nFINISHED completed raw=completed\nEND\n");
    STREAM("data: {\"type\":\"response.output_text.annotation.added\",\"output_index\":0,\"item_id\":\"m\",\"annotation\":{\"u\":1}}\n\n"
           "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
           "0 meta item_id=\"m\"\n0 meta annotations=[{\"u\":1}]\n0 flush\nresponse status=\"completed\"\nFINISHED completed raw=completed\nEND\n");
}

/* Of a list with other numbers and other ids than the frames before, texts say what was streamed: the message "a" as 0, "b" as 2, and
   in some rows reasoning "t" as 4. */
#define SAID(number, type, id, member, part) \
    "data: {\"type\":\"response.output_item.done\",\"output_index\":" number ",\"item\":{\"type\":\"" type "\",\"id\":\"" id "\",\"" member "\":[" part "]}}\n\n"
#define ENTRY(type, id, member, parts) "{\"type\":\"" type "\",\"id\":\"" id "\",\"" member "\":[" parts "]}"
#define OUTPUT_TEXT(text) "{\"type\":\"output_text\",\"text\":\"" text "\"}"
#define SUMMARY_TEXT(text) "{\"type\":\"summary_text\",\"text\":\"" text "\"}"

TEST(a_listed_text_that_was_streamed_comes_once_whatever_its_number_and_id)
{
    static const char said[] = SAID("0", "message", "m", "content", OUTPUT_TEXT("a")) SAID("2", "message", "n", "content", OUTPUT_TEXT("b"));
    static const char thought[] = SAID("4", "reasoning", "q", "summary", SUMMARY_TEXT("t"));
    static const struct { int has_thought; const char *list, *gives, *reason; } rows[] = {
        { 0, ENTRY("reasoning", "r", "summary", SUMMARY_TEXT("c")) "," ENTRY("message", "y", "content", OUTPUT_TEXT("a")),
          "2 meta item_id=\"r\"\n2 think \"c\"\n2 flush\n", "completed" },
        { 0, ENTRY("message", "x", "content", OUTPUT_TEXT("a")) "," ENTRY("message", "y", "content", OUTPUT_TEXT("b")), "", "completed" },
        { 0, ENTRY("message", "x", "content", OUTPUT_TEXT("a")) "," ENTRY("message", "y", "content", OUTPUT_TEXT("b") "," OUTPUT_TEXT("")), "", "completed" },
        { 0, ENTRY("message", "x", "content", OUTPUT_TEXT("a")) "," ENTRY("message", "y", "content", OUTPUT_TEXT("B")),
          "2 meta item_id=\"y\"\n2 text \"B\"\n2 flush\n", "completed" },
        { 0, ENTRY("message", "x", "content", OUTPUT_TEXT("a")) "," ENTRY("message", "y", "content", "{\"type\":\"refusal\",\"refusal\":\"B\"}"),
          "2 meta refusal=true\n2 meta item_id=\"y\"\n2 text \"B\"\n2 flush\n", "content_filter" },
        { 1, ENTRY("message", "x", "content", OUTPUT_TEXT("a")) "," ENTRY("reasoning", "s", "summary", SUMMARY_TEXT("t")), "", "completed" },
        { 1, ENTRY("message", "x", "content", OUTPUT_TEXT("a")) "," ENTRY("reasoning", "s", "summary", SUMMARY_TEXT("T")),
          "3 meta item_id=\"s\"\n3 think \"T\"\n3 flush\n", "completed" },
    };
    char body[2000], expected[1000];
    size_t i;

    streams_shape(&elelem_shape_responses);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].list);
        snprintf(body, sizeof body, "%s%sdata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[%s]}}\n\n", said,
                 rows[i].has_thought ? thought : "", rows[i].list);
        snprintf(expected, sizeof expected, "0 meta item_id=\"m\"\n0 text \"a\"\n0 flush\n1 meta item_id=\"n\"\n1 text \"b\"\n1 flush\n%s%s"
                 "response status=\"completed\"\nFINISHED %s raw=completed\nEND\n",
                 rows[i].has_thought ? "2 meta item_id=\"q\"\n2 think \"t\"\n2 flush\n" : "", rows[i].gives, rows[i].reason);
        STREAM(body, expected);
    }
}

#define X48 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* Its JSON passes before its caption comes. */
TEST(a_type_of_more_than_64_bytes_is_the_characters_that_fit_in_all_parts)
{
    static const char item[] = "{\\\"id\\\":\\\"i\\\",\\\"type\\\":\\\"web_search_call" X48 "\xc3\xa9\\\",\\\"action\\\":{\\\"query\\\":\\\"q\\\"}}";
    char expected[1000];

    streams_shape(&elelem_shape_responses);
    snprintf(expected, sizeof expected, "0 item web_search_call" X48 " \"%s\"\n0 caption \"q\"\n0 flush\nresponse status=\"completed\"\nFINISHED completed raw=completed\nEND\n", item);
    STREAM("data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"web_search_call" X48 "\xc3\xa9\",\"action\":{\"query\":\"q\"}}}\n\n"
           "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n", expected);
}

CHECK_MAIN("shape_responses",
    RUN(a_part_that_is_no_text_of_an_added_message_comes_when_that_is_done)
    RUN(text_comes_in_deltas_and_its_repetitions_add_nothing)
    RUN(parts_of_a_summary_are_set_apart_by_a_blank_line)
    RUN(raw_reasoning_says_that_it_is_raw)
    RUN(reasoning_without_text_tells_its_id_and_encrypted_content)
    RUN(reasoning_that_comes_whole_is_told_once)
    RUN(a_call_is_told_by_its_call_id)
    RUN(a_call_without_deltas_has_its_arguments)
    RUN(calls_overlap)
    RUN(a_message_begins_before_reasoning_is_done)
    RUN(indices_count_up_in_the_order_in_which_items_are_added)
    RUN(a_message_without_deltas_has_its_text)
    RUN(ids_may_change_with_every_frame)
    RUN(without_output_index_the_id_counts_or_the_newest)
    RUN(output_index_may_be_missing_at_the_end_of_an_item)
    RUN(only_what_is_missing_is_added_at_the_end)
    RUN(a_whole_text_that_is_another_adds_nothing)
    RUN(content_parts_are_items_of_their_own)
    RUN(a_later_part_of_which_only_the_whole_text_comes_is_an_item)
    RUN(a_refusal_is_text_with_metadata)
    RUN(a_refusal_takes_its_last_id_from_the_last_frame)
    RUN(text_and_refusal_of_a_message_are_two_items)
    RUN(input_of_a_custom_call_is_one_json_string)
    RUN(input_that_is_cut_off_stays_an_open_string)
    RUN(messages_tell_their_phase)
    RUN(each_annotation_is_told_once)
    RUN(what_runs_at_the_provider_is_a_provider_item)
    RUN(what_x_search_calls_runs_at_the_provider)
    RUN(a_custom_call_is_the_callers_if_the_request_may_have_had_the_tool)
    RUN(openrouter_sends_comments_no_names_and_done)
    RUN(the_event_name_counts_where_there_is_no_type)
    RUN(the_type_counts_more_than_the_event_name)
    RUN(an_error_that_comes_twice_is_told_once)
    RUN(a_flat_error_is_one)
    RUN(a_failed_response_tells_why)
    RUN(a_failed_response_without_reason_may_be_tried_again)
    RUN(what_was_never_streamed_is_taken_from_the_last_frame)
    RUN(the_last_frame_ends_what_nothing_else_did)
    RUN(a_call_that_only_the_last_frame_has_is_not_lost)
    RUN(what_is_open_at_the_end_is_closed)
    RUN(items_need_no_announcement)
    RUN(an_end_told_twice_counts_once)
    RUN(items_that_share_an_id_are_as_many_as_their_numbers)
    RUN(items_that_are_added_under_one_id_are_two)
    RUN(without_numbers_items_that_share_an_id_differ_by_what_they_hold)
    RUN(listed_items_that_share_an_id_are_two)
    RUN(calls_that_share_an_id_are_as_many_as_their_numbers)
    RUN(without_numbers_calls_that_share_an_id_differ_by_their_arguments)
    RUN(a_new_item_under_an_open_number_ends_the_old_one)
    RUN(text_may_come_when_the_item_is_added)
    RUN(arguments_may_be_an_object)
    RUN(a_call_without_call_id_goes_by_its_item_id)
    RUN(older_names_of_events_are_known)
    RUN(lines_may_end_with_crlf)
    RUN(a_computer_call_has_its_actions_and_checks)
    RUN(commands_for_the_callers_shell_come_live)
    RUN(commands_out_of_turn_come_when_the_call_is_done)
    RUN(a_shell_in_a_container_is_the_providers)
    RUN(a_local_shell_call_is_the_callers)
    RUN(a_diff_comes_live)
    RUN(a_patch_and_a_command_that_are_cut_off_stay_open_json)
    RUN(what_needs_approval_is_a_call)
    RUN(a_search_for_tools_is_the_callers_if_it_says_so)
    RUN(searches_show_what_they_look_for)
    RUN(code_is_shown_while_it_is_written)
    RUN(pictures_that_are_not_finished_are_ignored)
    RUN(programs_call_functions_of_the_caller)
    RUN(items_of_all_other_types_are_provider_items)
    RUN(calls_that_hold_several_say_so)
    RUN(a_function_may_be_called_parallel)
    RUN(an_item_that_is_never_done_has_the_json_of_the_list)
    RUN(an_item_that_is_cut_off_has_no_json)
    RUN(items_that_were_not_streamed_are_taken_from_the_list)
    RUN(a_provider_item_that_is_done_twice_comes_once)
    RUN(a_provider_item_whose_id_comes_last_comes_once_too)
    RUN(members_of_the_response_that_are_not_known_are_of_the_response)
    RUN(audio_is_put_together_from_its_deltas)
    RUN(audio_that_is_cut_off_is_what_came_of_it)
    RUN(provider_items_that_share_an_id_are_two)
    RUN(provider_items_without_numbers_go_by_their_ids)
    RUN(provider_items_overlap_and_keep_the_order_in_which_they_were_added)
    RUN(probabilities_come_with_the_whole_part)
    RUN(what_is_known_of_the_response_comes_early_and_what_changed_at_the_end)
    RUN(a_part_of_a_type_that_is_not_known_is_a_provider_item)
    RUN(a_summary_and_raw_text_have_a_border)
    RUN(parts_of_a_message_that_was_not_streamed_come_before_the_next_item)
    RUN(a_whole_response_gives_what_its_stream_would)
    RUN(a_whole_response_may_be_incomplete)
    RUN(a_whole_response_that_failed)
    RUN(a_whole_response_that_only_was_queued)
    RUN(commentary_is_no_structured_output)
    RUN(later_parts_of_a_structured_message_are_items_of_their_own)
    RUN(without_the_wish_for_them_calls_for_the_caller_still_come)
    RUN(an_item_passes_wherever_its_type_and_that_of_the_frame_are)
    RUN(an_error_says_after_which_frame_the_response_can_be_resumed)
    RUN(a_caption_that_was_not_streamed_is_no_longer_than_4_kilobytes)
    RUN(a_caption_of_an_item_without_an_id_is_no_longer_than_4_kilobytes)
    RUN(the_caption_of_a_search_has_its_first_sixteen_queries)
    RUN(an_image_of_40_megabytes_passes_through_64_kilobytes)
    RUN(a_device_without_provider_items_stores_nothing_of_them)
    RUN(hundreds_of_items_that_only_the_list_has_are_no_limit)
    RUN(messages_that_only_the_list_has_come_also_at_numbers_above_256)
    RUN(a_message_of_a_number_above_256_does_not_come_again_with_the_list)
    RUN(incomplete_has_reasons_of_its_own)
    RUN(an_annotation_that_is_none_opens_no_message)
    RUN(a_message_that_is_added_again_without_an_id_is_the_same)
    RUN(a_delta_repeats_what_a_call_had_when_it_was_added)
    RUN(empty_arguments_of_a_call_that_is_added_keep_the_place_of_those_to_come)
    RUN(arguments_that_are_no_text_when_a_call_is_added_count_only_if_no_others_come)
    RUN(calls_without_an_id_of_the_item_go_by_that_of_the_call)
    RUN(arguments_of_a_function_are_no_input_of_a_custom_call_and_the_other_way_round)
    RUN(texts_before_an_item_that_does_not_pass_after_all_are_whole)
    RUN(a_listed_item_that_is_open_is_known_by_its_id_also_after_its_type)
    RUN(a_listed_call_that_is_open_is_known_by_its_id_at_another_place_too)
    RUN(a_listed_item_that_is_over_is_not_the_open_one_of_its_id)
    RUN(a_call_that_is_over_is_not_given_again_at_another_place_of_the_list)
    RUN(a_refusal_that_is_done_ends_no_text_of_another_id)
    RUN(a_summary_is_of_reasoning_only)
    RUN(of_reasoning_that_has_a_summary_and_raw_text_the_one_that_was_not_emitted_is_metadata)
    RUN(the_only_part_of_a_message_is_the_one_that_was_streamed_whatever_its_number)
    RUN(an_item_that_is_done_under_another_number_is_known_by_its_text)
    RUN(a_call_that_is_done_under_another_number_and_id_is_known_by_what_it_calls)
    RUN(an_item_that_is_done_under_a_number_of_its_own_is_one_if_its_text_is_of_no_open_item)
    RUN(a_listed_message_with_the_text_of_one_that_was_streamed_is_another)
    RUN(a_listed_call_that_was_streamed_comes_once_whatever_its_number_and_id)
    RUN(a_listed_item_of_an_unknown_type_is_the_one_that_was_closed_under_its_number_and_id)
    RUN(a_part_that_says_that_it_is_text_but_has_none_is_nothing)
    RUN(of_listed_calls_that_are_the_same_the_one_that_was_streamed_is_that_of_its_number_and_id)
    RUN(listed_reasoning_that_was_streamed_comes_once_though_its_encrypted_content_is_another)
    RUN(a_response_that_was_cancelled_is_over)
    RUN(parts_of_a_message_without_number_and_id_end_with_it)
    RUN(a_text_that_another_item_ended_does_not_come_again_when_it_is_done)
    RUN(a_frame_that_says_that_it_is_an_error_has_the_type_of_the_error)
    RUN(of_an_item_whose_parts_are_announced_no_other_begins)
    RUN(a_message_that_is_added_twice_does_not_come_again_with_the_list)
    RUN(raw_text_without_a_number_after_parts_of_a_summary_is_the_first_of_the_raw_texts)
    RUN(a_response_that_failed_in_a_frame_that_is_an_error_has_that_error)
    RUN(a_message_that_is_added_again_after_its_end_is_not_listed_again)
    RUN(a_part_without_a_type_or_an_id_says_only_what_it_can)
    RUN(members_that_are_not_known_are_32_at_most)
    RUN(an_empty_message_with_annotations_is_not_structured)
    RUN(structured_output_that_is_a_number_ends_when_more_shows_that_it_is_whole)
    RUN(an_object_without_output_and_status_is_no_response)
    RUN(the_caption_of_a_search_is_its_query_and_not_its_name)
    RUN(members_that_are_not_known_come_again_only_if_they_changed)
    RUN(the_last_frame_may_be_in_progress_or_complete)
    RUN(an_item_that_comes_twice_in_one_frame_passes_once)
    RUN(an_item_whose_type_comes_twice_passes_as_of_the_last)
    RUN(captions_of_items_that_the_last_list_alone_has_are_of_the_types_of_these)
    RUN(an_item_that_is_done_with_an_empty_type_does_not_pass)
    RUN(a_text_that_was_made_to_have_the_hash_of_what_was_said_is_not_cut_inside_a_character)
    RUN(a_custom_call_that_is_done_as_a_function_has_its_arguments)
    RUN(items_of_a_whole_response_wait_for_the_tools_only_if_these_come_later)
    RUN(a_patch_that_is_added_again_begins_once_and_other_diffs_are_not_its)
    RUN(without_the_wish_for_provider_items_audio_is_nothing)
    RUN(audio_of_which_only_the_transcript_came_is_that)
    RUN(a_large_call_of_the_last_list_that_the_provider_runs_ends_the_open_one)
    RUN(a_message_that_only_the_last_list_has_is_emitted_though_a_search_had_its_number)
    RUN(a_message_that_was_streamed_is_not_emitted_again_though_the_list_gives_it_the_number_of_a_search)
    RUN(a_text_that_is_open_does_not_come_again_with_the_list_that_has_its_id_at_another_number)
    RUN(a_command_that_the_provider_ran_is_no_call_because_the_list_does_not_say_where_it_ran)
    RUN(a_command_is_the_callers_only_in_a_local_environment_or_in_none)
    RUN(a_text_with_a_number_does_not_continue_one_without)
    RUN(text_without_a_number_is_of_no_reasoning_no_call_and_no_refusal)
    RUN(items_without_numbers_do_not_come_again_with_the_list)
    RUN(a_call_that_is_added_without_id_and_name_begins_when_they_are_known)
    RUN(an_item_of_an_unknown_type_is_hosted_if_that_ends_with_output)
    RUN(a_shell_call_of_which_no_command_came_has_the_commands_it_is_done_with)
    RUN(text_of_an_earlier_part_of_a_summary_may_come_after_a_later_one)
    RUN(an_output_index_that_no_wire_sends_counts_as_missing)
    RUN(a_part_without_a_number_of_a_wire_is_the_newest)
    RUN(a_content_index_that_no_wire_sends_counts_as_missing)
    RUN(the_event_name_counts_if_the_type_is_unknown)
    RUN(null_and_the_largest_number_are_indices)
    RUN(wrong_types_are_ignored)
    RUN(unknown_events_and_fields_change_nothing)
    RUN(a_flat_error_without_a_code_has_none)
    RUN(an_error_without_type_is_one)
    RUN(codes_decide_the_kind_of_an_error)
    RUN(the_first_of_several_ends_counts)
    RUN(sequence_numbers_may_be_missing_repeat_or_be_no_numbers)
    RUN(annotations_of_every_type_are_passed_on)
    RUN(a_refusal_next_to_a_call_does_not_end_the_call)
    RUN(escapes_and_surrogate_pairs_are_decoded)
    RUN(without_its_last_frame_a_response_is_cut_off)
    RUN(the_last_frame_needs_no_blank_line)
    RUN(what_comes_after_the_end_is_dropped)
    RUN(a_broken_transport_after_the_end_is_ignored)
    RUN(structured_text_is_structured_but_a_refusal_is_not)
    RUN(encrypted_content_is_metadata_of_the_flush)
    RUN(an_empty_message_is_never_structured)
    RUN(usage_is_normalized_and_kept_as_it_came)
    RUN(a_last_frame_of_two_megabytes_passes_through_a_small_arena)
    RUN(two_megabytes_of_image_pass_through_a_small_arena)
    RUN(encrypted_content_of_hundreds_of_kilobytes_is_metadata)
    RUN(tens_of_thousands_of_deltas_are_one_text)
    RUN(many_items_are_many_but_too_many_open_ones_are_a_limit)
    RUN(what_is_kept_for_an_item_is_freed_with_it)
    RUN(a_stream_that_is_reset_looks_at_the_whole_last_frame_again)
    RUN(a_response_cut_anywhere_ends_once_and_never_well)
    RUN(items_that_are_only_listed_may_all_have_one_id)
    RUN(an_annotation_before_the_text_of_a_later_part_begins_that_part)
    RUN(a_listed_text_that_was_streamed_comes_once_whatever_its_number_and_id)
    RUN(a_type_of_more_than_64_bytes_is_the_characters_that_fit_in_all_parts)
    RUN(without_memory_the_response_is_an_error_and_never_a_false_end))
