/* Google's Interactions: one quirk a test. A body of the test's name and its events are in tests/data/interactions;
   what varies only in a word is in tables here. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"
#include "limits.h"

#define QUIRK(name)                               \
    TEST(name)                                    \
    {                                             \
        streams_shape(&elelem_shape_interactions); \
        STREAM_FILE("interactions/" #name);       \
    }

QUIRK(text_comes_in_deltas)
QUIRK(event_names_are_not_needed)
QUIRK(the_event_name_counts_if_the_data_has_no_type)
QUIRK(the_type_in_the_data_counts_before_the_event_name)
QUIRK(key_order_does_not_matter)
QUIRK(an_id_may_be_empty)
QUIRK(an_end_without_completed_is_an_early_one)
QUIRK(an_end_inside_a_call_leaves_it_open)
QUIRK(done_without_an_end_leaves_it_to_the_background)
QUIRK(a_run_that_is_queued_is_not_over)
QUIRK(done_first_is_no_response)
QUIRK(nothing_after_completed_counts)
QUIRK(usage_runs_along)
QUIRK(the_last_usage_counts)
QUIRK(the_usage_of_a_step_is_metadata)
QUIRK(event_ids_are_metadata_of_the_end)
QUIRK(an_early_end_has_the_last_event_id)
QUIRK(an_error_has_the_last_event_id)
QUIRK(a_resumed_response_may_begin_inside_a_step)
QUIRK(a_thought_may_have_only_a_signature)
QUIRK(a_thought_may_begin_with_its_signature)
QUIRK(a_thought_that_says_nothing_is_no_item)
QUIRK(the_last_signature_that_is_not_empty_counts)
QUIRK(a_summary_may_hold_an_image)
QUIRK(annotations_add_up)
QUIRK(contents_may_be_in_the_start)
QUIRK(images_and_files_are_provider_items)
QUIRK(pieces_of_audio_are_joined)
QUIRK(a_content_of_an_unknown_type_is_a_provider_item)
QUIRK(a_large_image_passes_before_its_type)
QUIRK(data_of_audio_pass_into_one_string)
QUIRK(data_that_pass_are_closed_whatever_the_frame)
QUIRK(arguments_replace_those_of_the_start)
QUIRK(arguments_may_come_in_pieces)
QUIRK(a_call_without_deltas_has_the_arguments_of_its_start)
QUIRK(a_call_without_an_id_gets_one)
QUIRK(the_signature_of_a_call_is_metadata)
QUIRK(parallel_calls_follow_one_signature)
QUIRK(calls_of_a_response_that_is_completed_wait)
QUIRK(steps_may_interleave)
QUIRK(searches_are_provider_items)
QUIRK(code_is_a_provider_item)
QUIRK(tools_of_the_provider_are_provider_items)
QUIRK(a_tool_of_an_mcp_server_has_its_name)
QUIRK(a_step_of_an_unknown_type_is_a_provider_item)
QUIRK(a_step_that_is_never_stopped_ends_with_the_response)
QUIRK(a_step_that_is_cut_off_stays_open)
QUIRK(a_token_continues_the_response)
QUIRK(a_failed_response_has_its_error)
QUIRK(a_failed_response_may_have_no_error)
QUIRK(an_error_of_an_output_is_metadata)
QUIRK(an_error_event_is_the_end)
QUIRK(an_error_event_may_be_fatal)
QUIRK(a_null_error_is_none)
QUIRK(other_names_of_events_are_accepted)
QUIRK(a_status_may_be_the_end)
QUIRK(unknown_members_are_of_the_response)
QUIRK(unknown_members_of_a_text_go_with_it)
QUIRK(a_number_may_be_used_again_after_its_stop)
QUIRK(a_start_ends_an_open_step_of_its_number)
QUIRK(a_delta_that_does_not_fit_its_step_is_ignored)
QUIRK(escapes_and_surrogate_pairs_are_decoded)
QUIRK(a_whole_response_gives_what_its_stream_would)
QUIRK(a_stored_interaction_has_its_input)
QUIRK(a_whole_response_in_the_background)
QUIRK(a_whole_response_that_failed)
QUIRK(a_whole_response_that_is_refused)
QUIRK(a_whole_response_may_have_no_id)
QUIRK(a_whole_response_that_is_none)
QUIRK(texts_and_data_may_be_of_one_byte)
QUIRK(a_resumed_response_may_begin_inside_audio)
QUIRK(a_stop_without_a_number_is_of_the_newest_step_that_is_open)
QUIRK(a_second_stop_of_a_step_is_none)
QUIRK(what_failed_is_no_step_that_goes_on)
QUIRK(two_steps_of_unknown_types_that_end_together_are_whole)
QUIRK(a_step_of_an_unknown_type_of_more_than_64_bytes_is_whole)
QUIRK(what_a_delta_says_again_is_metadata)
QUIRK(a_result_without_its_call_leaves_later_calls_open)
QUIRK(data_that_pass_in_another_frame_are_not_continued)
QUIRK(an_event_that_is_not_known_says_nothing_however_large_it_is)
QUIRK(a_number_that_changes_after_its_data_is_that_of_another_step)
QUIRK(contents_of_a_start_are_items_each)
QUIRK(the_last_error_of_an_output_counts)
QUIRK(arguments_of_a_start_that_are_text_are_the_first_piece)
QUIRK(a_delta_without_a_type_is_text_if_it_has_one)
QUIRK(unknown_members_that_are_empty_are_left_out)
QUIRK(a_status_that_failed_waits_for_the_error)
QUIRK(an_error_event_may_have_no_error)
QUIRK(steps_without_a_type_are_passed_over)
QUIRK(the_last_event_may_list_the_steps)
QUIRK(a_whole_response_may_have_only_a_status)

/* What varies in a word. */

#define FRAME(members) "data: {\"event_type\":\"" members "}\n\n"
#define CREATED FRAME("interaction.created\",\"interaction\":{\"status\":\"in_progress\"}")
#define START(number, step) FRAME("step.start\",\"index\":" number ",\"step\":{" step "}")
#define DELTA(number, delta) FRAME("step.delta\",\"index\":" number ",\"delta\":{" delta "}")
#define STOP(number) FRAME("step.stop\",\"index\":" number)
#define TEXT CREATED START("0", "\"type\":\"model_output\"") DELTA("0", "\"type\":\"text\",\"text\":\"a\"") STOP("0")
#define LAST(status) FRAME("interaction.completed\",\"interaction\":{\"status\":\"" status "\"}")
#define TEXT_GIVES "0 text \"a\"\n0 flush\n"
#define WHOLE TEXT LAST("completed")
#define WHOLE_GIVES TEXT_GIVES "FINISHED completed raw=completed\nEND\n"

TEST(each_status_has_its_meaning)
{
    static const char *const rows[][2] = {
        { "completed", "completed" },    { "requires_action", "tool_calls" },     { "incomplete", "max_tokens" },
        { "budget_exceeded", "other" },  { "requires_continuation", "other" },    { "cancelled", "other" },
        { "queued", "other" },           { "in_progress", "other" },              { "COMPLETED", "other" },
        { "a_word_of_tomorrow", "other" },
    };
    char body[1000], expected[200];
    size_t i;

    streams_shape(&elelem_shape_interactions);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i][0]);
        snprintf(expected, sizeof expected, TEXT_GIVES "FINISHED %s raw=%s\nEND\n", rows[i][1], rows[i][0]);
        snprintf(body, sizeof body, TEXT LAST("%s"), rows[i][0]);
        STREAM(body, expected);
        snprintf(body, sizeof body, "{\"status\":\"%s\",\"steps\":[{\"type\":\"model_output\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}]}", rows[i][0]);
        STREAM(body, expected);
    }
}

TEST(what_failed_has_the_kind_of_its_code)
{
    static const char *const rows[][2] = {
        { "1", "transient retryable" },  { "2", "transient retryable" }, { "3", "invalid_request" },      { "4", "transient retryable" },
        { "5", "invalid_request" },      { "7", "authentication" },      { "8", "rate_limit retryable" }, { "9", "invalid_request" },
        { "6", "invalid_request" },      { "10", "transient retryable" }, { "11", "invalid_request" },    { "12", "invalid_request" },
        { "13", "transient retryable" }, { "14", "transient retryable" }, { "16", "authentication" },
    };
    char body[1000], expected[200];
    size_t i;

    streams_shape(&elelem_shape_interactions);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i][0]);
        snprintf(expected, sizeof expected, "ERROR %s code=failed \"No.\"\nEND\n", rows[i][1]);
        snprintf(body, sizeof body, FRAME("interaction.completed\",\"interaction\":{\"status\":\"failed\",\"errors\":[{\"code\":%s,\"message\":\"No.\"}]}"), rows[i][0]);
        STREAM(body, expected);
        snprintf(body, sizeof body, "{\"errors\":[{\"message\":\"No.\",\"code\":%s}],\"status\":\"failed\"}", rows[i][0]);
        STREAM(body, expected);
    }
}

/* Codes that are none of gRPC's. */
TEST(what_failed_otherwise_is_what_its_error_says)
{
    static const char *const rows[][2] = {
        { "\"errors\":[{\"message\":\"No.\",\"code\":\"invalid_request\"}]", "invalid_request code=invalid_request \"No.\"" },
        { "\"errors\":[{\"message\":\"No.\",\"code\":17}]", "other \"No.\"" },
        { "\"errors\":[{\"message\":\"No.\",\"code\":429}]", "rate_limit retryable \"No.\"" },
        { "\"errors\":[{\"message\":\"No.\"}]", "other \"No.\"" },
        { "\"errors\":[{\"code\":3,\"message\":\"\"}]", "invalid_request code=failed \"the provider refused the request\"" },
        { "\"errors\":[\"No.\"]", "transient retryable code=failed \"the provider stopped the response with an error\"" },
        { "\"error\":{\"code\":\"gateway_timeout\",\"message\":\"No.\"},\"errors\":[{\"code\":3,\"message\":\"x\"}]",
          "transient retryable code=gateway_timeout \"No.\"" },
        { "\"a\":0},\"error\":{\"code\":\"gateway_timeout\",\"message\":\"No.\"},\"b\":{\"a\":0",
          "transient retryable code=gateway_timeout \"No.\"" },
    };
    char body[1000], expected[200];
    size_t i;

    streams_shape(&elelem_shape_interactions);
    streams_now.desc.without_provider_items = 1;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i][0]);
        snprintf(expected, sizeof expected, "ERROR %s\nEND\n", rows[i][1]);
        snprintf(body, sizeof body, FRAME("interaction.completed\",\"interaction\":{\"status\":\"failed\",%s}"), rows[i][0]);
        STREAM(body, expected);
    }
}

TEST(a_last_event_without_a_status_leaves_the_one_before)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(TEXT FRAME("interaction.status_update\",\"status\":\"incomplete\"") FRAME("interaction.completed\",\"interaction\":{}"),
           TEXT_GIVES "FINISHED max_tokens raw=incomplete\nEND\n");
}

#define STATUS(members) FRAME("interaction.status_update\"," members)
#define DONE "data: [DONE]\n\n"
#define FAILED "ERROR transient retryable code=failed \"the provider stopped the response with an error\"\nEND\n"
#define REFUSED "ERROR invalid_request code=failed \"No.\"\nEND\n"

TEST(a_status_that_failed_is_an_error_although_nothing_but_done_follows)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(TEXT STATUS("\"status\":\"failed\"") DONE, TEXT_GIVES FAILED);
    STREAM(CREATED START("0", "\"type\":\"model_output\",\"error\":{\"code\":3,\"message\":\"No.\"}") STOP("0") STATUS("\"status\":\"failed\"") DONE,
           "1 meta error={\"code\":3,\"message\":\"No.\"}\n1 flush\n" REFUSED);
}

TEST(a_status_that_failed_is_an_error_at_once_if_it_says_why)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(TEXT STATUS("\"status\":\"failed\",\"interaction\":{\"errors\":[{\"code\":3,\"message\":\"No.\"}]}"), TEXT_GIVES REFUSED);
}

TEST(a_last_event_without_a_status_leaves_one_that_failed)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(TEXT STATUS("\"status\":\"failed\"") FRAME("interaction.completed\",\"interaction\":{}"), TEXT_GIVES FAILED);
}

TEST(a_status_after_one_that_failed_counts)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(TEXT STATUS("\"status\":\"failed\"") STATUS("\"status\":\"completed\"") DONE, WHOLE_GIVES);
}

TEST(the_status_of_the_last_event_may_be_outside_of_the_interaction)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(TEXT FRAME("interaction.completed\",\"status\":\"incomplete\""), TEXT_GIVES "FINISHED max_tokens raw=incomplete\nEND\n");
    STREAM(TEXT FRAME("interaction.completed\",\"status\":\"failed\""), TEXT_GIVES FAILED);
}

/* Its end is kept with it. */
TEST(an_error_whose_sentence_cannot_be_kept_is_a_limit)
{
    static char body[400], refused[400];
    int size;

    streams_shape(&elelem_shape_interactions);
    streams_now.desc.max_kept_bytes = 100;
    for (size = 90; size < 110; size++) {
        snprintf(body, sizeof body, FRAME("interaction.completed\",\"interaction\":{\"status\":\"failed\",\"errors\":[{\"code\":3,\"message\":\"%0*d\"}]}"), size, 7);
        snprintf(refused, sizeof refused, "ERROR invalid_request code=failed \"%0*d\"\nEND\n", size, 7);
        STREAM(body, size < 96 ? refused : "ERROR limit \"a value takes more memory than allowed\" status=ERROR_VALUE_SIZE\nEND\n");
    }
}

TEST(of_large_data_that_come_again_and_are_stored_all_are_there)
{
    static char body[40000], expected[14000];

    streams_shape(&elelem_shape_interactions);
    streams_enlarge(body, CREATED "data: {\"event_type\":\"step.delta\",\"delta\":{\"type\":\"image\",\"data\":\"~\",\"data\":\"~z\"},\"index\":0}\n\n" LAST("completed"));
    streams_enlarge(expected, "0 meta step=\"model_output\"\n0 item image \"{\\\"type\\\":\\\"image\\\",\\\"data\\\":\\\"~\\\",\\\"data\\\":\\\"~z\\\"}\"\n"
                    "0 flush\nFINISHED completed raw=completed\nEND\n");
    STREAM(body, expected);
}

/* Those that passed cannot be taken back. */
TEST(of_large_data_that_come_again_in_a_delta_the_first_count)
{
    static char body[40000], expected[14000];

    streams_shape(&elelem_shape_interactions);
    streams_enlarge(body, CREATED START("0", "\"type\":\"model_output\"") DELTA("0", "\"type\":\"image\",\"data\":\"~\",\"x\":1,\"data\":\"~~\",\"y\":2,\"data\":\"z\"")
                    STOP("0") LAST("completed"));
    streams_enlarge(expected, "1 meta step=\"model_output\"\n1 item image \"{\\\"type\\\":\\\"image\\\",\\\"data\\\":\\\"~\\\",\\\"x\\\":1,\\\"y\\\":2}\"\n"
                    "1 flush\nFINISHED completed raw=completed\nEND\n");
    STREAM(body, expected);
}

TEST(an_unknown_event_of_the_interaction_may_have_its_status)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(TEXT FRAME("interaction.cancelled\",\"interaction\":{\"status\":\"cancelled\"}") DONE, TEXT_GIVES "FINISHED other raw=cancelled\nEND\n");
    STREAM(TEXT FRAME("interaction.failed\",\"interaction\":{\"status\":\"failed\",\"errors\":[{\"code\":3,\"message\":\"No.\"}]}") DONE, TEXT_GIVES REFUSED);
    STREAM(TEXT FRAME("interaction.odd\"") LAST("completed"), WHOLE_GIVES);
    STREAM(TEXT FRAME("interaction.odd\",\"error\":{\"code\":\"invalid_request\",\"message\":\"No.\"}") DONE,
           TEXT_GIVES "ERROR invalid_request code=invalid_request \"No.\"\nEND\n");
    STREAM(TEXT FRAME("interactions_odd\",\"status\":\"cancelled\"") LAST("completed"), WHOLE_GIVES);
}

TEST(the_status_of_the_first_event_is_no_end)
{
    static const char *const statuses[] = { "completed", "failed", "incomplete" };
    char body[1000];
    size_t i;

    streams_shape(&elelem_shape_interactions);
    for (i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        check_context(statuses[i]);
        snprintf(body, sizeof body, FRAME("interaction.created\",\"interaction\":{\"status\":\"%s\"}") START("0", "\"type\":\"model_output\"")
                 DELTA("0", "\"type\":\"text\",\"text\":\"a\""), statuses[i]);
        STREAM(body, "0 text \"a\"\nERROR connect retryable \"the response ended before it was complete\"\nEND\n");
    }
}

TEST(a_refused_request_is_fatal)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.http_status = 400;
    STREAM("{\"error\":{\"code\":\"invalid_request\",\"message\":\"No.\"}}", "ERROR invalid_request http=400 code=invalid_request \"No.\"\nEND\n");
}

TEST(statuses_that_are_tried_again_are_retryable)
{
    static const int statuses[] = { 408, 409, 429, 500, 502, 503, 504 };
    char expected[200];
    size_t i;

    for (i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        streams_shape(&elelem_shape_interactions);
        streams_now.http_status = statuses[i];
        snprintf(expected, sizeof expected, "ERROR %s retryable http=%d code=odd \"No.\"\nEND\n", statuses[i] == 429 ? "rate_limit" : "transient", statuses[i]);
        STREAM("{\"error\":{\"code\":\"odd\",\"message\":\"No.\"}}", expected);
    }
}

TEST(a_broken_transport_after_a_status_that_is_an_end_is_a_clean_end)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
    STREAM(TEXT FRAME("interaction.status_update\",\"status\":\"completed\""), WHOLE_GIVES);
    STREAM(TEXT, TEXT_GIVES "ERROR connect retryable \"the response ended before it was complete\"\nEND\n");
}

TEST(an_internal_error_may_be_tried_again)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(TEXT FRAME("error\",\"error\":{\"code\":\"internal_error\",\"message\":\"No.\"}"),
           TEXT_GIVES "ERROR transient retryable code=internal_error \"No.\"\nEND\n");
}

/* Numbers that no provider sends, and members of other types. */

TEST(an_index_that_is_no_number_of_a_wire_is_that_of_the_newest_step) /* P2 */
{
    static const char *const words[] = { "-1", "2147483648", "4294967296", "18446744073709551616", "1e300",
                                         "0.5", "\"0\"", "true", "null", "[0]", "{}" };
    char body[1500];
    size_t i;
    unsigned odd;

    streams_shape(&elelem_shape_interactions);
    for (i = 0; i < sizeof words / sizeof *words; i++)
        for (odd = 1; odd < 8; odd++) {
            check_context(words[i]);
            snprintf(body, sizeof body, TEXT START("%s", "\"type\":\"function_call\",\"id\":\"t\",\"name\":\"f\",\"arguments\":{}")
                     DELTA("%s", "\"type\":\"arguments_delta\",\"arguments\":\"{}\"") STOP("%s") LAST("requires_action"),
                     odd & 1 ? words[i] : "1", odd & 2 ? words[i] : "1", odd & 4 ? words[i] : "1");
            STREAM(body, TEXT_GIVES "1 call id=t name=f\n1 args \"{}\"\n1 flush\nFINISHED tool_calls raw=requires_action\nEND\n");
        }
}

TEST(known_members_of_other_types_are_ignored)
{
    static const char *const frames[] = {
        "{\"event_type\":7}", "{\"event_type\":null}", "[]", "7", "\"x\"", "null", "{}",
        "{\"event_type\":\"interaction.created\",\"interaction\":7}", "{\"event_type\":\"interaction.created\",\"interaction\":[]}",
        "{\"event_type\":\"interaction.created\",\"interaction\":{\"usage\":7,\"status\":7,\"steps\":7,\"errors\":7}}",
        "{\"event_type\":\"interaction.status_update\",\"status\":7}", "{\"event_type\":\"interaction.status_update\",\"status\":{}}",
        "{\"event_type\":\"step.start\"}", "{\"event_type\":\"step.start\",\"step\":7}", "{\"event_type\":\"step.start\",\"step\":[]}",
        "{\"event_type\":\"step.start\",\"index\":7,\"step\":{\"type\":7}}",
        "{\"event_type\":\"step.delta\"}", "{\"event_type\":\"step.delta\",\"index\":7,\"delta\":7}",
        "{\"event_type\":\"step.delta\",\"index\":7,\"delta\":{}}", "{\"event_type\":\"step.delta\",\"index\":7,\"delta\":{\"type\":7}}",
        "{\"event_type\":\"step.stop\",\"index\":7}", "{\"event_type\":\"step.stop\",\"usage\":7,\"index\":7}",
        "{\"event_type\":\"odd\",\"metadata\":7}", "{\"event_type\":\"interaction.created\",\"metadata\":[]}",
        "{\"error\":7}", "{\"error\":[]}", "{\"error\":false}", "{\"error\":\"\"}",
    };
    char body[1500];
    size_t i;

    streams_shape(&elelem_shape_interactions);
    streams_now.desc.without_provider_items = 1;
    for (i = 0; i < sizeof frames / sizeof *frames; i++) {
        check_context(frames[i]);
        snprintf(body, sizeof body, "data: %s\n\n" START("9", "\"type\":\"model_output\"") DELTA("9", "\"type\":\"text\",\"text\":\"a\"")
                 "data: %s\n\n" STOP("9") LAST("completed"), frames[i], frames[i]);
        feed_once(&streams_fed, &feed_whole, body, strlen(body), strlen(body), strlen(body), 0);
        feed_whole.text[feed_whole.size] = '\0';
        CHECK(strstr(feed_whole.text, " text \"a\"\n"));
        CHECK(strstr(feed_whole.text, "FINISHED completed raw=completed\n"));
        STREAM(body, NULL);
    }
}

TEST(offsets_of_parts_of_a_summary_are_between_characters_whose_halves_come_apart)
{
#define SUMMARY(text) DELTA("0", "\"type\":\"thought_summary\",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}")
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"thought\"") SUMMARY("abc\\ud83d") SUMMARY("\\udd11def") SUMMARY("g\\ud83d") SUMMARY("hi") STOP("0")
           LAST("completed"),
           "0 think \"abc\"\n0 meta part_offsets=[3]\n0 think \"\xf0\x9f\x94\x91" "def\"\n0 meta part_offsets=[10]\n0 think \"g\"\n"
           "0 meta part_offsets=[11]\n0 think \"\xef\xbf\xbdhi\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(without_provider_items_only_texts_thoughts_and_calls_come)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.desc.without_provider_items = 1;
    STREAM(CREATED START("0", "\"type\":\"google_search_call\",\"id\":\"s\"") DELTA("0", "\"type\":\"google_search_call\",\"arguments\":{\"queries\":[\"x\"]}") STOP("0")
           START("1", "\"type\":\"model_output\"") DELTA("1", "\"type\":\"text\",\"text\":\"a\"") DELTA("1", "\"type\":\"image\",\"data\":\"AAAA\"")
           DELTA("1", "\"type\":\"text\",\"text\":\"b\"") STOP("1")
           START("2", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{}") DELTA("2", "\"type\":\"arguments_delta\",\"arguments\":\"{}\"") STOP("2")
           START("3", "\"type\":\"thought\"") DELTA("3", "\"type\":\"thought_summary\",\"content\":{\"type\":\"image\",\"data\":\"AAAA\"}")
           DELTA("3", "\"type\":\"thought_signature\",\"signature\":\"c2ln\"")
           FRAME("step.stop\",\"index\":3,\"step_usage\":{\"total_tokens\":1}") LAST("requires_action"),
           "1 text \"a\"\n1 flush\n2 text \"b\"\n2 flush\n3 call id=c name=f\n3 args \"{}\"\n3 flush\n4 meta step_signature=\"c2ln\"\n4 flush\n"
           "FINISHED tool_calls raw=requires_action\nEND\n");
}

#define D48 "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD"
#define D1152 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48 D48

/* What comes of one step of the type `step` that has this JSON. */
static const char *step_gives(const char *json)
{
    static feed_log log;

    log.size = 0;
    streams_put(&log, "0 meta step=\"step\"\n0 item step \"");
    feed_escaped(&log, json, strlen(json));
    streams_put(&log, "\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
    log.text[log.size] = '\0';
    return log.text;
}

/* Data that are no text, of which some have texts in them that would pass if they were the data. */
TEST(data_of_any_type_come_as_they_are)
{
    static const char *const values[] = { "{\"type\":0,\"data\":\"C\"}", "[1,{\"a\":true},[]]", "7", "true", "{}", "[]", "{\"a\":\"" D1152 "\",\"b\":1}",
                                          "[\"" D1152 "\",\"" D1152 "\"]", "\"AAAA\"" };
    char body[4000], expected[4000];
    size_t i;

    streams_shape(&elelem_shape_interactions);
    for (i = 0; i < sizeof values / sizeof *values; i++) {
        check_context(values[i]);
        snprintf(body, sizeof body, CREATED START("0", "\"type\":\"model_output\"") DELTA("0", "\"type\":\"text\",\"text\":\"a\",\"data\":[%s],\"b\":1") STOP("0")
                 LAST("completed"), values[i]);
        snprintf(expected, sizeof expected, "0 meta data=[%s]\n0 meta b=1\n0 text \"a\"\n0 flush\nFINISHED completed raw=completed\nEND\n", values[i]);
        STREAM(body, expected);
        snprintf(body, sizeof body, CREATED START("0", "\"type\":\"step\"") DELTA("0", "\"type\":\"step\",\"data\":%s,\"b\":1") STOP("0") LAST("completed"),
                 values[i]);
        snprintf(expected, sizeof expected, "{\"type\":\"step\",\"data\":%s,\"b\":1}", values[i]);
        STREAM(body, step_gives(expected));
    }
}

/* With room for one item, which a thought has. */
TEST(an_item_beyond_the_limit_ends_the_stream_at_its_frame_whatever_it_is)
{
    static const char *const frames[] = {
        START("1", "\"type\":\"model_output\""), START("1", "\"type\":\"thought\""), START("1", "\"type\":\"dream\""),
        START("1", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\""), DELTA("1", "\"type\":\"text\",\"text\":\"a\""),
        START("1", "\"type\":\"model_output\",\"error\":{\"code\":13,\"message\":\"No.\"}"),
        DELTA("1", "\"type\":\"image\",\"data\":\"AAAA\""), DELTA("1", "\"type\":\"audio\",\"data\":\"AAAA\""),
        DELTA("1", "\"type\":\"image\",\"data\":\"" D1152 "\""), DELTA("1", "\"type\":\"audio\",\"data\":\"" D1152 "\""),
        DELTA("1", "\"type\":\"thought_signature\",\"signature\":\"c2ln\""), DELTA("1", "\"type\":\"arguments_delta\",\"arguments\":\"{}\""),
        DELTA("1", "\"type\":\"google_search_call\",\"id\":\"s\""),
    };
    static const char before[] = CREATED START("0", "\"type\":\"thought\"");
    char body[2500], expected[200];
    size_t i;

    streams_shape(&elelem_shape_interactions);
    streams_now.desc.max_open_items = 1;
    snprintf(expected, sizeof expected, "ERROR limit \"there are more items than allowed\" status=ERROR_COUNT offset=%u\nEND\n",
             (unsigned)(sizeof before - 1));
    for (i = 0; i < sizeof frames / sizeof *frames; i++) {
        check_context(frames[i]);
        snprintf(body, sizeof body, "%s%s" LAST("completed"), before, frames[i]);
        streams_now.offsets = 1;
        FEED(&streams_fed, body, strlen(body), expected);
        streams_now.offsets = 0;
    }
}

TEST(types_of_steps_and_contents_may_be_of_one_character)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"model_output\",\"content\":[{\"type\":\"x\",\"v\":1}]") STOP("0")
           START("1", "\"type\":\"y\",\"v\":1") STOP("1") LAST("completed"),
           "1 meta step=\"model_output\"\n1 item x \"{\\\"type\\\":\\\"x\\\",\\\"v\\\":1}\"\n1 flush\n"
           "3 meta step=\"y\"\n3 item y \"{\\\"type\\\":\\\"y\\\",\\\"v\\\":1}\"\n3 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(an_empty_list_of_annotations_is_no_metadata)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"model_output\",\"content\":[{\"type\":\"text\",\"text\":\"a\",\"annotations\":[]}]") STOP("0") LAST("completed"),
           WHOLE_GIVES);
}

TEST(a_content_of_an_unknown_type_is_itself_whatever_its_mime_type)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"model_output\",\"content\":[{\"type\":\"x\",\"mime_type\":\"audio/wav\"}]") STOP("0") LAST("completed"),
           "1 meta step=\"model_output\"\n1 item x \"{\\\"type\\\":\\\"x\\\",\\\"mime_type\\\":\\\"audio/wav\\\"}\"\n1 flush\n"
           "FINISHED completed raw=completed\nEND\n");
}

TEST(large_data_of_an_unknown_type_is_itself_whatever_its_mime_type)
{
    static char body[14000], expected[7000];

    streams_shape(&elelem_shape_interactions);
    streams_enlarge(body, CREATED START("0", "\"type\":\"model_output\"") DELTA("0", "\"type\":\"x\",\"mime_type\":\"audio/wav\",\"data\":\"~\"") STOP("0")
                    LAST("completed"));
    streams_enlarge(expected, "1 meta step=\"model_output\"\n1 item x \"{\\\"type\\\":\\\"x\\\",\\\"mime_type\\\":\\\"audio/wav\\\",\\\"data\\\":\\\"~\\\"}\"\n"
                    "1 flush\nFINISHED completed raw=completed\nEND\n");
    STREAM(body, expected);
}

/* It has no data that pieces could be joined to. */
TEST(audio_that_is_an_address_is_an_item_as_it_is)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"model_output\"") DELTA("0", "\"type\":\"audio\",\"uri\":\"u\"") STOP("0") LAST("completed"),
           "1 meta step=\"model_output\"\n1 item audio \"{\\\"type\\\":\\\"audio\\\",\\\"uri\\\":\\\"u\\\"}\"\n1 flush\n"
           "FINISHED completed raw=completed\nEND\n");
}

TEST(text_of_a_response_that_was_asked_for_as_json_is_structured)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.desc.structured = 1;
    STREAM(CREATED START("0", "\"type\":\"model_output\"") DELTA("0", "\"type\":\"text\",\"text\":\"{\\\"a\\\":\"")
           DELTA("0", "\"type\":\"text\",\"text\":\"1}\"") STOP("0") LAST("completed"),
           "0 json \"{\\\"a\\\":1}\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(what_comes_before_a_text_leaves_it_structured)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.desc.structured = 1;
    STREAM(CREATED START("0", "\"type\":\"model_output\",\"mood\":\"good\"") DELTA("0", "\"type\":\"text\",\"text\":\"{}\"") STOP("0")
           START("1", "\"type\":\"model_output\"") DELTA("1", "\"type\":\"text_annotation_delta\",\"annotations\":[1]")
           DELTA("1", "\"type\":\"text\",\"text\":\"[]\"") STOP("1") LAST("completed"),
           "0 meta mood=\"good\"\n0 json \"{}\"\n0 flush\n1 meta annotations=[1]\n1 json \"[]\"\n1 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(unknown_members_of_a_step_go_with_the_first_of_its_contents)
{
    static const char step[] = "\"type\":\"model_output\",\"mood\":\"good\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]";
    static const char gives[] = "0 meta mood=\"good\"\n0 text \"a\"\n0 flush\n1 text \"b\"\n1 flush\nFINISHED completed raw=completed\nEND\n";
    char body[1000];

    streams_shape(&elelem_shape_interactions);
    snprintf(body, sizeof body, CREATED START("0", "%s") STOP("0") LAST("completed"), step);
    STREAM(body, gives);
    snprintf(body, sizeof body, "{\"status\":\"completed\",\"steps\":[{%s}]}", step);
    STREAM(body, gives);
}

TEST(citations_may_be_of_no_text_although_json_was_asked_for)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.desc.structured = 1;
    STREAM(CREATED START("0", "\"type\":\"model_output\"") DELTA("0", "\"type\":\"text_annotation_delta\",\"annotations\":[{\"a\":1}]") STOP("0")
           START("1", "\"type\":\"model_output\"") DELTA("1", "\"type\":\"text\",\"text\":\"{}\"")
           DELTA("1", "\"type\":\"text_annotation_delta\",\"annotations\":[{\"a\":2}]") STOP("1") LAST("completed"),
           "0 meta annotations=[{\"a\":1}]\n0 flush\n1 json \"{}\"\n1 meta annotations=[{\"a\":2}]\n1 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(of_a_list_of_many_queries_the_first_16_are_shown_and_all_are_in_the_json)
{
    static char body[8000], expected[20000];
    char *at = body + strlen(strcpy(body, CREATED "data: {\"event_type\":\"step.start\",\"index\":0,\"step\":{\"type\":\"google_search_call\",\"id\":\"s\",\"arguments\":{\"queries\":["));
    char *to = expected + strlen(strcpy(expected, "0 meta step=\"google_search_call\"\n0 item google_search_call hosted \"{\\\"type\\\":\\\"google_search_call\\\",\\\"id\\\":\\\"s\\\",\\\"arguments\\\":{\\\"queries\\\":["));
    int i;

    for (i = 0; i < 1000; i++) {
        at += strlen(strcpy(at, i > 0 ? ",\"q\"" : "7,\"q\""));
        to += strlen(strcpy(to, i > 0 ? ",\\\"q\\\"" : "7,\\\"q\\\""));
    }
    strcpy(at, "]}}}\n\n" STOP("0") LAST("completed"));
    to += strlen(strcpy(to, "]}\"\n0 caption \"q"));
    for (i = 1; i < 16; i++)
        to += strlen(strcpy(to, ", q"));
    strcpy(to, "\"\n0 item google_search_call hosted \"}\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
    streams_shape(&elelem_shape_interactions);
    streams_now.desc.max_frame_bytes = 65536;
    streams_now.desc.max_open_items = 4;
    STREAM(body, expected);
}

TEST(arguments_of_a_start_that_are_the_text_of_an_empty_object_are_replaced)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"")
           DELTA("0", "\"type\":\"arguments_delta\",\"arguments\":\"{\\\"a\\\":1}\"") STOP("0")
           START("1", "\"type\":\"function_call\",\"id\":\"d\",\"name\":\"f\",\"arguments\":\"{}\"") STOP("1") LAST("requires_action"),
           "0 call id=c name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\n1 call id=d name=f\n1 args \"{}\"\n1 flush\nFINISHED tool_calls raw=requires_action\nEND\n");
}

TEST(arguments_of_a_start_are_not_lost_if_the_next_start_ends_the_step)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED FRAME("step.start\",\"step\":{\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{\"a\":1}}")
           FRAME("step.start\",\"step\":{\"type\":\"function_call\",\"id\":\"d\",\"name\":\"f\",\"arguments\":{\"a\":2}}") LAST("requires_action"),
           "0 call id=c name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\n1 call id=d name=f\n1 args \"{\\\"a\\\":2}\"\n1 flush\n"
           "FINISHED tool_calls raw=requires_action\nEND\n");
}

TEST(arguments_of_a_start_are_not_all_if_the_response_is_incomplete)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{\"a\":1}") LAST("incomplete"),
           "0 call id=c name=f\n0 flush cut_off\nFINISHED max_tokens raw=incomplete\nEND\n");
}

/* Deltas would have replaced them. */
TEST(empty_arguments_of_a_start_are_not_all_if_the_next_start_ends_the_step)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"") START("0", "\"type\":\"thought\"") LAST("completed"),
           "0 call id=c name=f\n0 flush cut_off\nFINISHED tool_calls raw=completed\nEND\n");
}

TEST(the_signature_of_a_call_may_come_in_a_delta)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.desc.without_provider_items = 1;
    STREAM(CREATED START("0", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\"")
           DELTA("0", "\"type\":\"arguments_delta\",\"arguments\":\"{}\",\"signature\":\"c2ln\"") STOP("0")
           START("1", "\"type\":\"function_call\",\"id\":\"d\",\"name\":\"f\",\"arguments\":{\"a\":1}") DELTA("1", "\"type\":\"thought_signature\",\"signature\":\"c2ln\"")
           STOP("1") LAST("requires_action"),
           "0 call id=c name=f\n0 meta step_signature=\"c2ln\"\n0 call id= name=\n0 args \"{}\"\n0 flush\n"
           "1 call id=d name=f\n1 meta step_signature=\"c2ln\"\n1 call id= name=\n1 args \"{\\\"a\\\":1}\"\n1 flush\n"
           "FINISHED tool_calls raw=requires_action\nEND\n");
}

/* It does not go back: no type of the provider's has it. */
TEST(the_signature_of_a_text_is_one_of_its_other_members)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"model_output\"") DELTA("0", "\"type\":\"text\",\"text\":\"a\"")
           DELTA("0", "\"type\":\"thought_signature\",\"signature\":\"c2ln\"") STOP("0") LAST("completed"),
           "0 text \"a\"\n0 meta signature=\"c2ln\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(a_delta_may_have_a_whole_call)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.desc.without_provider_items = 1;
    STREAM(CREATED START("0", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{}")
           DELTA("0", "\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{\"a\":1}") STOP("0")
           DELTA("1", "\"type\":\"function_call\",\"id\":\"d\",\"name\":\"f\",\"arguments\":{\"a\":1}") STOP("1") LAST("requires_action"),
           "0 call id=c name=f\n0 args \"{\\\"a\\\":1}\"\n0 flush\n1 call id=d name=f\n1 args \"{\\\"a\\\":1}\"\n1 flush\n"
           "FINISHED tool_calls raw=requires_action\nEND\n");
}

TEST(a_member_that_is_not_known_is_in_the_json_of_a_step_once)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"step\",\"a\":1") DELTA("0", "\"type\":\"step\",\"b\":2,\"a\":3") DELTA("0", "\"type\":\"step\",\"b\":4") STOP("0") LAST("completed"),
           "0 meta step=\"step\"\n0 item step \"{\\\"type\\\":\\\"step\\\",\\\"a\\\":1\"\n0 meta a=3\n0 item step \",\\\"b\\\":2\"\n"
           "0 meta b=4\n0 item step \"}\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

/* The names of the first eight are noted. */
TEST(after_many_members_that_are_not_known_others_are_metadata)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"step\",\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1")
           DELTA("0", "\"type\":\"step\",\"i\":2,\"j\":2,\"id\":\"x\"") STOP("0") LAST("completed"),
           "0 meta step=\"step\"\n0 item step \"{\\\"type\\\":\\\"step\\\",\\\"a\\\":1,\\\"b\\\":1,\\\"c\\\":1,\\\"d\\\":1,\\\"e\\\":1,\\\"f\\\":1,\\\"g\\\":1,\\\"h\\\":1,\\\"i\\\":1\"\n"
           "0 meta i=2\n0 meta j=2\n0 item step \",\\\"id\\\":\\\"x\\\"}\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(a_delta_says_whether_a_result_is_an_error)
{
    streams_shape(&elelem_shape_interactions);
    STREAM(CREATED START("0", "\"type\":\"x_result\",\"is_error\":false") DELTA("0", "\"type\":\"x_result\",\"is_error\":true") STOP("0")
           START("1", "\"type\":\"x_result\",\"is_error\":false") STOP("1") LAST("completed"),
           "0 meta step=\"x_result\"\n0 item x_result hosted \"{\\\"type\\\":\\\"x_result\\\",\\\"is_error\\\":true}\"\n"
           "0 flush\n1 meta step=\"x_result\"\n1 item x_result hosted \"{\\\"type\\\":\\\"x_result\\\",\\\"is_error\\\":false}\"\n1 flush\nFINISHED completed raw=completed\nEND\n");
}

TEST(a_hundred_thousand_steps_need_no_more_memory_than_one)
{
    static char body[400];
    limits_heap heap = ELELEM_INIT;
    int i, parts = 0;
    elelem_event event;

    streams_shape(&elelem_shape_interactions);
    streams_now.desc.allocator = limits_allocator(&heap);
    CHECK_INT(elelem_stream_init(&streams_now.stream, &streams_now.desc), ELELEM_OK);
    for (i = 0; i < 100000; i++) {
        snprintf(body, sizeof body, START("%d", "\"type\":\"google_search_call\",\"id\":\"s\"") STOP("%d"), i, i);
        elelem_stream_push(&streams_now.stream, body, strlen(body));
        while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
            parts += event.kind == ELELEM_EVENT_PART;
    }
    CHECK_INT(parts, 200000);
    CHECK(heap.peak < 20000);
    streams_shape(&elelem_shape_interactions);
}

CHECK_MAIN("shape_interactions",
    RUN(text_comes_in_deltas)
    RUN(event_names_are_not_needed)
    RUN(the_event_name_counts_if_the_data_has_no_type)
    RUN(the_type_in_the_data_counts_before_the_event_name)
    RUN(key_order_does_not_matter)
    RUN(an_id_may_be_empty)
    RUN(an_end_without_completed_is_an_early_one)
    RUN(an_end_inside_a_call_leaves_it_open)
    RUN(done_without_an_end_leaves_it_to_the_background)
    RUN(a_run_that_is_queued_is_not_over)
    RUN(done_first_is_no_response)
    RUN(nothing_after_completed_counts)
    RUN(usage_runs_along)
    RUN(the_last_usage_counts)
    RUN(the_usage_of_a_step_is_metadata)
    RUN(event_ids_are_metadata_of_the_end)
    RUN(an_early_end_has_the_last_event_id)
    RUN(an_error_has_the_last_event_id)
    RUN(a_resumed_response_may_begin_inside_a_step)
    RUN(a_thought_may_have_only_a_signature)
    RUN(a_thought_may_begin_with_its_signature)
    RUN(a_thought_that_says_nothing_is_no_item)
    RUN(the_last_signature_that_is_not_empty_counts)
    RUN(a_summary_may_hold_an_image)
    RUN(annotations_add_up)
    RUN(contents_may_be_in_the_start)
    RUN(images_and_files_are_provider_items)
    RUN(pieces_of_audio_are_joined)
    RUN(a_content_of_an_unknown_type_is_a_provider_item)
    RUN(a_large_image_passes_before_its_type)
    RUN(data_of_audio_pass_into_one_string)
    RUN(data_that_pass_are_closed_whatever_the_frame)
    RUN(arguments_replace_those_of_the_start)
    RUN(arguments_may_come_in_pieces)
    RUN(a_call_without_deltas_has_the_arguments_of_its_start)
    RUN(a_call_without_an_id_gets_one)
    RUN(the_signature_of_a_call_is_metadata)
    RUN(parallel_calls_follow_one_signature)
    RUN(calls_of_a_response_that_is_completed_wait)
    RUN(steps_may_interleave)
    RUN(searches_are_provider_items)
    RUN(code_is_a_provider_item)
    RUN(tools_of_the_provider_are_provider_items)
    RUN(a_tool_of_an_mcp_server_has_its_name)
    RUN(a_step_of_an_unknown_type_is_a_provider_item)
    RUN(a_step_that_is_never_stopped_ends_with_the_response)
    RUN(a_step_that_is_cut_off_stays_open)
    RUN(a_token_continues_the_response)
    RUN(a_failed_response_has_its_error)
    RUN(a_failed_response_may_have_no_error)
    RUN(an_error_of_an_output_is_metadata)
    RUN(an_error_event_is_the_end)
    RUN(an_error_event_may_be_fatal)
    RUN(a_null_error_is_none)
    RUN(other_names_of_events_are_accepted)
    RUN(a_status_may_be_the_end)
    RUN(unknown_members_are_of_the_response)
    RUN(unknown_members_of_a_text_go_with_it)
    RUN(a_number_may_be_used_again_after_its_stop)
    RUN(a_start_ends_an_open_step_of_its_number)
    RUN(a_delta_that_does_not_fit_its_step_is_ignored)
    RUN(escapes_and_surrogate_pairs_are_decoded)
    RUN(a_whole_response_gives_what_its_stream_would)
    RUN(a_stored_interaction_has_its_input)
    RUN(a_whole_response_in_the_background)
    RUN(a_whole_response_that_failed)
    RUN(a_whole_response_that_is_refused)
    RUN(a_whole_response_may_have_no_id)
    RUN(a_whole_response_that_is_none)
    RUN(texts_and_data_may_be_of_one_byte)
    RUN(a_resumed_response_may_begin_inside_audio)
    RUN(a_stop_without_a_number_is_of_the_newest_step_that_is_open)
    RUN(a_second_stop_of_a_step_is_none)
    RUN(what_failed_is_no_step_that_goes_on)
    RUN(two_steps_of_unknown_types_that_end_together_are_whole)
    RUN(a_step_of_an_unknown_type_of_more_than_64_bytes_is_whole)
    RUN(what_a_delta_says_again_is_metadata)
    RUN(a_result_without_its_call_leaves_later_calls_open)
    RUN(data_that_pass_in_another_frame_are_not_continued)
    RUN(an_event_that_is_not_known_says_nothing_however_large_it_is)
    RUN(a_number_that_changes_after_its_data_is_that_of_another_step)
    RUN(contents_of_a_start_are_items_each)
    RUN(the_last_error_of_an_output_counts)
    RUN(arguments_of_a_start_that_are_text_are_the_first_piece)
    RUN(a_delta_without_a_type_is_text_if_it_has_one)
    RUN(unknown_members_that_are_empty_are_left_out)
    RUN(a_status_that_failed_waits_for_the_error)
    RUN(an_error_event_may_have_no_error)
    RUN(steps_without_a_type_are_passed_over)
    RUN(the_last_event_may_list_the_steps)
    RUN(a_whole_response_may_have_only_a_status)
    RUN(each_status_has_its_meaning)
    RUN(what_failed_has_the_kind_of_its_code)
    RUN(what_failed_otherwise_is_what_its_error_says)
    RUN(a_last_event_without_a_status_leaves_the_one_before)
    RUN(a_status_that_failed_is_an_error_although_nothing_but_done_follows)
    RUN(a_status_that_failed_is_an_error_at_once_if_it_says_why)
    RUN(a_last_event_without_a_status_leaves_one_that_failed)
    RUN(a_status_after_one_that_failed_counts)
    RUN(the_status_of_the_last_event_may_be_outside_of_the_interaction)
    RUN(an_error_whose_sentence_cannot_be_kept_is_a_limit)
    RUN(of_large_data_that_come_again_and_are_stored_all_are_there)
    RUN(of_large_data_that_come_again_in_a_delta_the_first_count)
    RUN(an_unknown_event_of_the_interaction_may_have_its_status)
    RUN(the_status_of_the_first_event_is_no_end)
    RUN(a_refused_request_is_fatal)
    RUN(statuses_that_are_tried_again_are_retryable)
    RUN(a_broken_transport_after_a_status_that_is_an_end_is_a_clean_end)
    RUN(an_internal_error_may_be_tried_again)
    RUN(an_index_that_is_no_number_of_a_wire_is_that_of_the_newest_step)
    RUN(known_members_of_other_types_are_ignored)
    RUN(offsets_of_parts_of_a_summary_are_between_characters_whose_halves_come_apart)
    RUN(without_provider_items_only_texts_thoughts_and_calls_come)
    RUN(data_of_any_type_come_as_they_are)
    RUN(an_item_beyond_the_limit_ends_the_stream_at_its_frame_whatever_it_is)
    RUN(types_of_steps_and_contents_may_be_of_one_character)
    RUN(an_empty_list_of_annotations_is_no_metadata)
    RUN(a_content_of_an_unknown_type_is_itself_whatever_its_mime_type)
    RUN(large_data_of_an_unknown_type_is_itself_whatever_its_mime_type)
    RUN(audio_that_is_an_address_is_an_item_as_it_is)
    RUN(text_of_a_response_that_was_asked_for_as_json_is_structured)
    RUN(what_comes_before_a_text_leaves_it_structured)
    RUN(unknown_members_of_a_step_go_with_the_first_of_its_contents)
    RUN(citations_may_be_of_no_text_although_json_was_asked_for)
    RUN(of_a_list_of_many_queries_the_first_16_are_shown_and_all_are_in_the_json)
    RUN(arguments_of_a_start_that_are_the_text_of_an_empty_object_are_replaced)
    RUN(arguments_of_a_start_are_not_lost_if_the_next_start_ends_the_step)
    RUN(arguments_of_a_start_are_not_all_if_the_response_is_incomplete)
    RUN(empty_arguments_of_a_start_are_not_all_if_the_next_start_ends_the_step)
    RUN(the_signature_of_a_call_may_come_in_a_delta)
    RUN(the_signature_of_a_text_is_one_of_its_other_members)
    RUN(a_delta_may_have_a_whole_call)
    RUN(a_member_that_is_not_known_is_in_the_json_of_a_step_once)
    RUN(after_many_members_that_are_not_known_others_are_metadata)
    RUN(a_delta_says_whether_a_result_is_an_error)
    RUN(a_hundred_thousand_steps_need_no_more_memory_than_one))
