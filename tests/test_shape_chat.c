/* Chat Completions as some thirty providers send them: one quirk a test. A body of the test's
   name and its events are in tests/data/chat; what varies only in a word is in tables here. A test is the two files, a QUIRK,
   and a RUN at the end. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"
#include "limits.h"

#define NO_CHAT "ERROR protocol \"the input does not follow the provider's protocol\" status=ERROR_PROTOCOL\nEND\n"

#define QUIRK(name)                       \
    TEST(name)                            \
    {                                     \
        streams_shape(&elelem_shape_chat); \
        STREAM_FILE("chat/" #name);       \
    }

QUIRK(text_comes_as_a_string)
QUIRK(empty_and_null_content_are_nothing)
QUIRK(a_response_may_be_empty)
QUIRK(content_may_be_an_array)
QUIRK(content_arrays_hold_thinking)
QUIRK(content_arrays_hold_summaries_of_reasoning)
QUIRK(content_switches_to_an_array_and_back)
QUIRK(content_arrays_may_hold_unknown_parts)
QUIRK(escapes_and_surrogate_pairs_are_decoded)
QUIRK(reasoning_content_is_reasoning)
QUIRK(reasoning_is_reasoning)
QUIRK(reasoning_text_is_reasoning)
QUIRK(reasoning_under_both_names_counts_once)
QUIRK(reasoning_and_content_in_one_delta_come_in_that_order)
QUIRK(one_delta_may_hold_everything)
QUIRK(reasoning_resumes_after_content_as_a_new_item)
QUIRK(reasoning_between_tool_calls_leaves_them_open)
QUIRK(content_after_a_tool_call_is_an_item_of_its_own)
QUIRK(think_tags_stay_in_the_text)
QUIRK(reasoning_details_repeat_the_text_once)
QUIRK(a_signature_comes_late_and_without_text)
QUIRK(a_signature_after_the_text_began_has_its_own_item)
QUIRK(encrypted_reasoning_is_metadata)
QUIRK(thinking_blocks_repeat_the_reasoning_and_sign_it)
QUIRK(a_summary_next_to_the_reasoning_repeats_it)
QUIRK(reasoning_may_come_only_in_the_details)
QUIRK(blocks_of_reasoning_have_a_signature_each)
QUIRK(blocks_of_reasoning_in_one_delta_are_items_of_their_own)
QUIRK(blocks_without_texts_leave_the_text_to_the_delta)
QUIRK(an_empty_call_is_none)
QUIRK(a_call_may_begin_empty)
QUIRK(a_tool_call_streams_its_arguments)
QUIRK(a_whole_call_comes_in_one_chunk)
QUIRK(several_calls_come_in_one_array)
QUIRK(calls_that_share_an_array_continue_alone)
QUIRK(parallel_calls_interleave)
QUIRK(without_an_index_the_place_in_the_array_counts)
QUIRK(without_an_index_a_new_id_is_a_new_call)
QUIRK(without_an_index_arguments_continue_at_their_place)
QUIRK(indices_of_calls_may_start_above_zero)
QUIRK(arguments_may_be_empty_null_or_missing)
QUIRK(id_and_name_repeated_on_later_deltas_count_once)
QUIRK(empty_and_null_ids_on_later_deltas_are_ignored)
QUIRK(the_id_may_come_before_the_name)
QUIRK(the_name_may_come_before_the_id)
QUIRK(a_later_name_does_not_replace_the_first)
QUIRK(a_new_id_under_one_index_is_a_new_call)
QUIRK(a_new_id_without_a_name_is_of_the_call_of_its_index)
QUIRK(a_name_and_its_arguments_may_have_different_indices)
QUIRK(whole_calls_of_one_tool_may_have_one_index_and_no_id)
QUIRK(calls_of_one_array_may_all_have_the_index_zero)
QUIRK(short_ids_that_are_not_unique_are_kept_as_they_are)
QUIRK(arguments_may_be_an_object)
QUIRK(an_old_function_call_is_a_tool_call)
QUIRK(extra_content_stays_with_its_call)
QUIRK(a_signature_may_come_after_its_call)
QUIRK(text_is_flushed_when_a_call_starts)
QUIRK(things_that_are_no_calls_are_skipped)
QUIRK(a_refusal_is_text_with_metadata)
QUIRK(a_refusal_after_text_is_an_item_of_its_own)
QUIRK(annotations_stay_with_their_text)
QUIRK(annotations_before_the_text_open_its_item)
QUIRK(annotations_between_pieces_of_reasoning_do_not_part_it)
QUIRK(citations_repeated_on_every_chunk_are_emitted_once)
QUIRK(citations_may_come_in_a_chunk_with_no_choice)
QUIRK(provider_metadata_is_passed_on)
QUIRK(stop_after_tool_calls_means_tool_calls)
QUIRK(length_after_tool_calls_stays_length)
QUIRK(an_empty_finish_reason_is_none)
QUIRK(a_finish_reason_may_be_missing_until_the_end)
QUIRK(a_repeated_finish_reason_counts_once)
QUIRK(a_contradicted_finish_reason_stays_the_first)
QUIRK(content_may_come_with_the_finish_reason)
QUIRK(the_error_reason_without_an_error_is_transient)
QUIRK(done_without_a_reason_is_completed)
QUIRK(done_without_a_reason_after_calls_is_tool_calls)
QUIRK(done_ends_choices_without_a_reason)
QUIRK(done_may_be_missing_after_the_reason)
QUIRK(an_end_with_neither_is_an_early_one)
QUIRK(done_first_is_no_response) /* P4 */
QUIRK(nothing_after_done_counts)
QUIRK(text_after_the_reason_still_comes)
QUIRK(halves_of_a_character_come_in_two_deltas)
QUIRK(usage_comes_in_a_chunk_of_its_own)
QUIRK(usage_comes_on_the_last_chunk)
QUIRK(usage_on_every_chunk_the_last_counts)
QUIRK(usage_before_the_finish_counts)
QUIRK(usage_of_groq_is_in_x_groq)
QUIRK(usage_may_be_in_a_choice)
QUIRK(reasoning_tokens_may_be_next_to_the_other_counts)
QUIRK(choices_interleave)
QUIRK(every_choice_has_calls_of_its_own)
QUIRK(an_end_before_every_choice_is_done_is_early)
QUIRK(an_end_before_the_first_choice_began_is_early)
QUIRK(a_message_next_to_the_delta_is_ignored)
QUIRK(a_choice_may_have_no_delta)
QUIRK(a_missing_index_is_the_first_choice)
QUIRK(a_role_on_every_chunk_is_ignored)
QUIRK(ids_and_models_may_change_and_be_empty)
QUIRK(azure_sends_a_prelude_and_filter_results)
QUIRK(openrouter_sends_comments_and_two_reasons)
QUIRK(llamacpp_sends_timings)
QUIRK(groq_sends_channels_and_executed_tools)
QUIRK(unknown_members_of_a_call_are_its_metadata)
QUIRK(entries_of_reasoning_of_an_unknown_type_are_metadata)
QUIRK(custom_calls_write_their_input_as_text)
QUIRK(a_custom_call_that_is_cut_off_stays_open)
QUIRK(a_custom_call_that_is_cut_off_before_its_input_has_no_arguments)
QUIRK(a_new_custom_call_under_one_index_ends_the_one_before)
QUIRK(a_custom_call_ends_with_done_without_a_reason)
QUIRK(a_call_of_another_type_keeps_the_word_for_it)
QUIRK(audio_is_put_together_from_its_deltas)
QUIRK(audio_may_have_only_a_transcript)
QUIRK(audio_may_come_whole_and_next_to_text)
QUIRK(what_comes_before_the_number_of_its_choice_is_stored)
QUIRK(data_of_audio_passes_into_its_string)
QUIRK(audio_that_passed_does_not_begin_audio_that_comes_again)
QUIRK(an_empty_audio_is_none)
QUIRK(audio_that_is_cut_off_stays_open)
QUIRK(images_are_items_of_their_own)
QUIRK(a_large_image_passes_before_the_text_of_its_chunk)
QUIRK(images_keep_their_order_around_one_that_passes)
QUIRK(executed_tools_are_put_together_by_their_index)
QUIRK(logprobs_stay_with_their_text)
QUIRK(logprobs_may_have_another_form)
QUIRK(logprobs_that_are_empty_say_nothing)
QUIRK(logprobs_without_an_open_text_are_of_the_response)
QUIRK(what_is_known_of_the_response_comes_when_it_is_new)
QUIRK(progress_of_the_prompt_comes_before_the_text)
QUIRK(moderation_and_other_members_of_a_chunk_are_of_the_response)
QUIRK(unknown_members_of_a_delta_are_items_or_metadata)
QUIRK(other_choices_name_themselves_in_what_is_known_of_them)
QUIRK(cached_tokens_of_together)
QUIRK(mistral_pads_its_chunks)
QUIRK(vllm_sends_stop_reason_next_to_the_finish_reason)
QUIRK(together_sends_token_ids)
QUIRK(snowflake_repeats_its_text_and_sends_no_reason)
QUIRK(key_order_does_not_matter)
QUIRK(an_error_frame_before_done_is_the_end)
QUIRK(a_named_error_event_of_groq)
QUIRK(an_error_inside_a_chunk_of_openrouter)
QUIRK(an_error_inside_a_chunk_comes_after_its_text)
QUIRK(an_error_may_be_a_text)
QUIRK(an_error_may_be_the_frame_itself)
QUIRK(an_error_code_may_be_a_number_in_quotes)
QUIRK(a_null_or_empty_error_is_none)
QUIRK(a_named_error_that_is_no_json_still_is_one)
QUIRK(a_bare_json_error_between_frames) /* P6 */
QUIRK(bare_lines_that_are_no_error_are_ignored)
QUIRK(a_bare_value_that_a_frame_breaks_off_is_forgotten)
QUIRK(a_bare_value_continues_over_blank_lines_and_comments)
QUIRK(a_bare_value_with_a_line_end_in_a_text_is_none)
QUIRK(a_named_error_that_is_cut_is_an_early_end)
QUIRK(the_wait_is_in_the_sentence)
QUIRK(a_last_frame_without_its_blank_line_counts)
QUIRK(a_last_line_without_its_line_end_counts)
QUIRK(a_last_frame_that_is_cut_does_not_count) /* S8 */
QUIRK(a_chunk_may_be_on_several_data_lines)
QUIRK(names_ids_and_retries_of_frames_are_ignored)
QUIRK(perplexity_ends_lines_with_crlf_and_sends_no_done)
QUIRK(a_chunk_that_is_no_json_ends_the_stream)
QUIRK(a_chunk_with_text_after_it_ends_the_stream)
QUIRK(a_whole_frame_with_half_a_chunk_ends_the_stream)
QUIRK(frames_of_other_json_are_ignored)
QUIRK(a_whole_response_after_blanks_and_line_ends)
QUIRK(a_whole_response_gives_what_its_stream_would)
QUIRK(a_whole_response_without_a_reason_is_completed)
QUIRK(an_error_in_place_of_a_response)
QUIRK(groq_may_say_more_in_a_later_part)
QUIRK(token_ids_and_filters_of_a_choice_stay_with_its_text)
QUIRK(unknown_members_that_are_repeated_are_one_item)
QUIRK(an_image_is_of_the_first_member_with_a_value)
QUIRK(several_images_of_a_list_may_pass)
QUIRK(images_of_two_choices_may_pass)
QUIRK(audio_of_a_whole_response_comes_after_its_text)
QUIRK(a_tool_that_was_executed_may_have_many_members)
QUIRK(without_an_index_an_id_may_come_after_the_name)
QUIRK(without_an_index_a_name_that_is_repeated_continues_at_its_place)
QUIRK(a_call_with_an_index_after_one_without_is_another)
QUIRK(a_call_that_began_with_an_index_is_not_continued_under_another)
QUIRK(the_first_index_that_continues_a_call_without_one_is_its_index)
QUIRK(an_index_of_an_open_call_continues_it_though_a_later_one_has_none)
QUIRK(thinking_in_the_content_of_a_whole_response_continues_its_reasoning)

/* What varies in a word. */

typedef struct row {
    const char *word;
    const char *expected;
} row;

TEST(each_raw_finish_reason_has_its_meaning)
{
    static const row rows[] = {
        { "stop", "completed" },
        { "eos", "completed" },
        { "eos_token", "completed" },
        { "end_turn", "completed" },
        { "stop_sequence", "completed" },
        { "length", "max_tokens" },
        { "model_length", "max_tokens" },
        { "max_tokens", "max_tokens" },
        { "tool_calls", "tool_calls" },
        { "function_call", "tool_calls" },
        { "tool_use", "tool_calls" },
        { "content_filter", "content_filter" },
        { "content_filter: RECITATION", "content_filter" },
        { "function_call_filter: MALFORMED_FUNCTION_CALL", "other" },
        { ":", "other" },
        { "sensitive", "content_filter" },
        { "insufficient_system_resource", "other" },
        { "other", "other" },
        { "STOP", "other" },
        { "some word that nobody has ever sent before, of great length, 64 b", "other" },
    };
    char body[400], expected[200];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].word);
        snprintf(body, sizeof body, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"%s\"}]}\n\n", rows[i].word);
        snprintf(expected, sizeof expected, "0 text \"a\"\n0 flush\nFINISHED %s raw=%.64s\nEND\n", rows[i].expected, rows[i].word);
        STREAM(body, expected);
    }
}

TEST(completed_after_calls_means_tool_calls_for_any_word)
{
    static const char *const words[] = { "stop", "eos", "eos_token", "end_turn", "stop_sequence" };
    char body[400], expected[200];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        check_context(words[i]);
        snprintf(body, sizeof body,
                 "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\"}}]},"
                 "\"finish_reason\":\"%s\"}]}\n\n", words[i]);
        snprintf(expected, sizeof expected, "0 call id=a name=f\n0 flush\nFINISHED tool_calls raw=%s\nEND\n", words[i]);
        STREAM(body, expected);
    }
}

/* After a chunk without any content [DONE] ends a response without text. */
TEST(a_chunk_without_content_is_a_chunk)
{
    static const char *const chunks[] = {
        "{\"choices\":[{\"delta\":{}}]}", "{\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}", "{\"choices\":[{}]}",
        "{\"choices\":[null]}", "{\"choices\":[]}", "{\"id\":\"\",\"choices\":[],\"prompt_filter_results\":[{}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":null}]}"
    };
    char body[200];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        check_context(chunks[i]);
        snprintf(body, sizeof body, "data: %s\n\ndata: [DONE]\n\n", chunks[i]);
        STREAM(body, "FINISHED completed\nEND\n");
    }
}

/* RFC 8259 leaves open what a repeated member means. Here the last counts everywhere, in a chunk too; a null says nothing. */
TEST(of_a_member_that_comes_twice_in_a_chunk_the_last_counts) /* P3 */
{
    static const char *const chunks[] = {
        "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"length\"}],"
        "\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[],\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}",
        "{\"choices\":{\"delta\":{}},\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}],\"choices\":null}",
        "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"length\",\"delta\":{\"content\":\"b\"},"
        "\"index\":0,\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"delta\":{\"content\":\"a\",\"content\":\"b\"},\"finish_reason\":\"stop\"}]}",
    };
    char body[400];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        check_context(chunks[i]);
        snprintf(body, sizeof body, "data: %s\n\n", chunks[i]);
        STREAM(body, "0 text \"b\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    }
    STREAM("data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}],\"choices\":[]}\n\n",
           "ERROR connect retryable \"the response ended before it was complete\"\nEND\n");
}

TEST(done_after_frames_that_are_no_chunks_is_no_response)
{
    static const char *const frames[] = {
        "{}", "17", "[]", "{\"id\":\"x\"}", "{\"choices\":null}", "{\"choices\":7}", "{\"choices\":{\"index\":0}}",
        "{\"msg\":\"no more credits\"}", "{\"x\":{\"choices\":[]}}", "{\"type\":\"response.created\",\"response\":{}}"
    };
    char body[200];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof frames / sizeof *frames; i++) {
        check_context(frames[i]);
        snprintf(body, sizeof body, "data: %s\n\ndata: [DONE]\n\n", frames[i]);
        STREAM(body, NO_CHAT);
    }
}

/* Whitespace around [DONE] means nothing, and nothing else may be in its event. */
TEST(done_counts_only_if_it_is_alone_in_its_event) /* P4 */
{
    static const struct {
        const char *event;
        int is_done;
    } rows[] = {
        { "data: [DONE]\n\n", 1 }, { "data:[DONE]\n\n", 1 }, { "data: \t[DONE] \t  \t \t\n\n", 1 }, { "data:\ndata:\ndata: [DONE]\ndata:\n\n", 1 },
        { "data: [DONE]x\n\n", 0 }, { "data: [DONE] x\n\n", 0 }, { "data: [DONE]          x\n\n", 0 }, { "data: [DONE]\ndata:\ndata: x\n\n", 0 },
        { "data: [DONE][DONE]\n\n", 0 }, { "data: [DONE]\ndata: [DONE]\n\n", 0 }, { "data: [DONE] {\"a\":1}\n\n", 0 }, { "data: [DON E]\n\n", 0 },
        { "data: [DONE\n\n", 0 }, { "data: [done]\n\n", 0 }, { "data: {\"a\":1} [DONE]\n\n", 0 },
    };
    char body[200];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].event);
        snprintf(body, sizeof body, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n%s", rows[i].event);
        STREAM(body, rows[i].is_done ? "0 text \"a\"\n0 flush\nFINISHED completed\nEND\n"
                                     : "0 text \"a\"\nERROR protocol \"the text does not follow its grammar\" status=ERROR_SYNTAX\nEND\n");
    }
}

TEST(formats_of_reasoning_details_are_passed_on)
{
    static const char *const formats[] = {
        "\"anthropic-claude-v1\"", "\"google-gemini-v1\"", "\"openai-responses-v1\"", "\"xai-responses-v1\"", "\"unknown\"", "null"
    };
    char body[400], expected[400];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof formats / sizeof *formats; i++) {
        check_context(formats[i]);
        snprintf(body, sizeof body, "data: {\"choices\":[{\"delta\":{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"hm\","
                 "\"signature\":\"c2ln\",\"format\":%s}]},\"finish_reason\":\"stop\"}]}\n\n", formats[i]);
        snprintf(expected, sizeof expected, "0 meta reasoning_details=[{\"type\":\"reasoning.text\",\"signature\":\"c2ln\",\"format\":%s}]\n"
                 "0 think \"hm\"\n0 flush\nFINISHED completed raw=stop\nEND\n", formats[i]);
        STREAM(body, expected);
    }
}

#define DELTA(text) "data: {\"choices\":[{\"index\":0,\"delta\":{" text "}}]}\n\n"

TEST(thinking_blocks_are_read_if_there_are_no_details_of_reasoning)
{
#define BLOCKS "\"thinking_blocks\":[{\"type\":\"thinking\",\"thinking\":\"b\",\"signature\":\"s\"},{\"type\":\"redacted_thinking\",\"data\":\"d\"}]"
#define BLOCKS_META "0 meta thinking_blocks=[{\"type\":\"thinking\",\"signature\":\"s\"},{\"type\":\"redacted_thinking\",\"data\":\"d\"}]\n"
#define BLOCKS_CHUNK(members) "data: {\"choices\":[{\"index\":0,\"delta\":{" members "},\"finish_reason\":\"stop\"}]}\n\n"
    streams_shape(&elelem_shape_chat);
    STREAM(BLOCKS_CHUNK(BLOCKS), BLOCKS_META "0 think \"b\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(BLOCKS_CHUNK("\"reasoning_details\":[],\"reasoning_content\":\"b\"," BLOCKS), BLOCKS_META "0 think \"b\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(BLOCKS_CHUNK("\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"b\"}]," BLOCKS),
           "0 meta reasoning_details=[{\"type\":\"reasoning.text\"}]\n0 think \"b\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\",\"reasoning_content\":\"b\"," BLOCKS "},\"finish_reason\":\"stop\"}]}",
           BLOCKS_META "0 think \"b\"\n0 flush\n1 text \"a\"\n1 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(codes_of_errors_inside_chunks_decide_their_kinds)
{
    static const row rows[] = {
        { "400", "invalid_request" }, { "401", "authentication" }, { "402", "quota" }, { "403", "authentication" },
        { "408", "transient retryable" }, { "413", "content_too_long" }, { "429", "rate_limit retryable" }, { "500", "transient retryable" },
        { "502", "transient retryable" }, { "503", "transient retryable" }, { "200", "other" }, { "null", "other" },
        { "\"rate_limit_exceeded\"", "rate_limit retryable code=rate_limit_exceeded" },
        { "\"insufficient_quota\"", "quota code=insufficient_quota" },
        { "\"context_length_exceeded\"", "content_too_long code=context_length_exceeded" },
        { "\"content_filter\"", "content_filter code=content_filter" },
        { "\"some_code\"", "other code=some_code" },
    };
    static const char *const reasons[] = { "null", "\"error\"" };
    char body[400], expected[200];
    size_t i, k;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (k = 0; k < 2; k++) {
            check_context(rows[i].word);
            snprintf(body, sizeof body, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":%s}],"
                     "\"error\":{\"code\":%s,\"message\":\"m\"}}\n\n", reasons[k], rows[i].word);
            snprintf(expected, sizeof expected, "0 text \"a\"\nERROR %s \"m\"\nEND\n", rows[i].expected);
            STREAM(body, expected);
        }
}

TEST(an_error_inside_a_choice_is_the_end_whatever_its_reason)
{
    static const char *const reasons[] = { "null", "\"error\"", "\"stop\"" };
    char body[400];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        check_context(reasons[i]);
        snprintf(body, sizeof body, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":%s,"
                 "\"error\":{\"code\":403,\"message\":\"m\"}}]}\n\ndata: [DONE]\n\n", reasons[i]);
        STREAM(body, "0 text \"a\"\nERROR authentication \"m\"\nEND\n");
    }
    STREAM("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"finish_reason\":null,\"error\":{\"code\":429,\"message\":\"m\"}}]}",
           "0 text \"a\"\nERROR rate_limit retryable \"m\"\nEND\n");
}

TEST(an_error_of_a_choice_that_is_empty_is_none)
{
    streams_shape(&elelem_shape_chat);
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\",\"error\":null}]}\n\n",
           "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\",\"error\":\"\"}]}\n\n",
           "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(a_frame_of_a_code_and_a_sentence_is_an_error_if_the_code_is_one_of_http)
{
    static const row rows[] = {
        { "\"code\":500,\"message\":\"m\"", "ERROR transient retryable \"m\"" },
        { "\"code\":400,\"message\":\"m\"", "ERROR invalid_request \"m\"" },
        { "\"code\":599,\"message\":\"m\"", "ERROR transient retryable \"m\"" },
        { "\"code\":399,\"message\":\"m\"", "0 flush\nFINISHED completed" },
        { "\"code\":600,\"message\":\"m\"", "0 flush\nFINISHED completed" },
        { "\"code\":\"x\",\"message\":\"m\"", "0 flush\nFINISHED completed" },
        { "\"code\":500,\"message\":\"\"", "0 flush\nFINISHED completed" },
        { "\"code\":\"503\",\"message\":\"m\"", "ERROR transient retryable code=503 \"m\"" },
        { "\"code\":500,\"message\":\"m\",\"choices\":[]", "ERROR transient retryable \"m\"" },
        { "\"code\":500,\"message\":\"m\",\"choices\":[{\"index\":0}]", "0 flush\nFINISHED completed" },
    };
    char body[400], expected[200];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].word);
        snprintf(body, sizeof body, DELTA("\"content\":\"a\"") "data: {%s}\n\ndata: [DONE]\n\n", rows[i].word);
        snprintf(expected, sizeof expected, "0 text \"a\"\n%s\nEND\n", rows[i].expected);
        STREAM(body, expected);
    }
}

#define CALLS(calls) "data: {\"choices\":[{\"delta\":{\"tool_calls\":[" calls "]}}]}\n\n"
#define CALLS_END "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
#define CALL_OF(id, name, arguments) "{" id "\"function\":{\"name\":\"" name "\",\"arguments\":\"" arguments "\"}}"
#define OTHER_FORM "ERROR protocol \"a choice is not of the form of this response\"\nEND\n"

TEST(a_status_of_minimax_that_is_null_or_empty_is_no_error)
{
    streams_shape(&elelem_shape_chat);
    STREAM("data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"
           "data: {\"choices\":[],\"base_resp\":{\"status_code\":null}}\n\ndata: {\"choices\":[],\"base_resp\":{\"status_code\":\"\"}}\n\n"
           "data: [DONE]\n\n", "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(the_status_that_minimax_adds_is_an_error_unless_it_is_zero)
{
    static const row rows[] = {
        { "1002", "rate_limit retryable code=1002 \"the provider's rate limit is reached\"" },
        { "1004", "authentication code=1004 \"the provider refused the credentials\"" },
        { "1008", "quota code=1008 \"the account's quota is used up\"" },
        { "1026", "content_filter code=1026 \"the provider's content filter stopped the response\"" },
        { "1027", "content_filter code=1027 \"the provider's content filter stopped the response\"" },
        { "1039", "transient retryable code=1039 \"the provider failed or is overloaded\"" },
        { "1042", "invalid_request code=1042 \"the provider refused the request\"" },
        { "2013", "invalid_request code=2013 \"the provider refused the request\"" },
        { "2049", "authentication code=2049 \"the provider refused the credentials\"" },
        { "2056", "quota code=2056 \"the account's quota is used up\"" },
    };
    static const char *const good[] = { "{\"status_code\":0,\"status_msg\":\"\"}", "{\"status_msg\":\"m\"}", "null", "0" };
    char body[400], expected[400];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].word);
        snprintf(body, sizeof body, "data: {\"object\":\"chat.completion\",\"base_resp\":{\"status_code\":%s,\"status_msg\":\"m\"}}\n\n", rows[i].word);
        snprintf(expected, sizeof expected, "response base_resp={\"status_code\":%s,\"status_msg\":\"m\"}\nERROR %s\nEND\n", rows[i].word,
                 rows[i].expected);
        STREAM(body, expected);
    }
    for (i = 0; i < sizeof good / sizeof *good; i++) {
        check_context(good[i]);
        snprintf(body, sizeof body, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"base_resp\":%s}\n\n", good[i]);
        STREAM(body, "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    }
    STREAM("data: {\"error\":{\"message\":\"m\",\"type\":\"invalid_request_error\"},\"base_resp\":{\"status_code\":1008}}\n\n",
           "ERROR invalid_request code=invalid_request_error \"m\"\nEND\n");
    streams_now.desc.without_provider_items = 1;
    STREAM("data: {\"base_resp\":{\"status_code\":1008,\"status_msg\":\"m\"}}\n\n", "ERROR quota code=1008 \"the account's quota is used up\"\nEND\n");
}

TEST(a_message_next_to_a_delta_that_says_nothing_is_ignored)
{
    streams_shape(&elelem_shape_chat);
    streams_now.desc.without_provider_items = 1;
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{},\"message\":{\"content\":\"a\"}}]}\n\n"
           "data: {\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"delta\":{\"content\":null},\"finish_reason\":\"stop\"}]}\n\n",
           "FINISHED completed raw=stop\nEND\n");
}

TEST(a_whole_message_in_place_of_deltas_is_no_good_end)
{
    streams_shape(&elelem_shape_chat);
    STREAM("data: {\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", OTHER_FORM);
    STREAM("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}", OTHER_FORM);
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
           "data: {\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n",
           "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"r\"}}]}\n\n"
           "data: {\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n",
           "0 think \"r\"\n" OTHER_FORM);
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]}\n\n"
           "data: {\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"finish_reason\":\"length\"}]}\n\n", OTHER_FORM);
    STREAM(CALLS(CALL_OF("\"id\":\"a\",", "f", "{}"))
           "data: {\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"finish_reason\":\"tool_calls\"}]}\n\n",
           "0 call id=a name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM("{\"error\":{\"code\":429,\"message\":\"m\"},\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"error\"}]}",
           "ERROR rate_limit retryable \"m\"\nEND\n");
}

TEST(a_whole_message_repeats_the_reasoning_that_was_cut_off)
{
    streams_shape(&elelem_shape_chat);
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"r\"}}]}\n\n"
           "data: {\"choices\":[{\"index\":0,\"message\":{\"content\":\"\",\"reasoning_content\":\"r\"},\"finish_reason\":\"length\"}]}\n\n",
           "0 think \"r\"\n0 flush\nFINISHED max_tokens raw=length\nEND\n");
}

/* What older splitters of think tags did wrong. */
TEST(reasoning_in_tags_needs_no_line_end_and_may_have_any_character)
{
    streams_shape(&elelem_shape_chat);
    streams_now.desc.split_thoughts = 1;
    STREAM("data: {\"choices\":[{\"delta\":{\"content\":\"<think>h\xc3\xa9\"}}]}\n\n"
           "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83c\\udf1e \xe2\x98\x83</th\"}}]}\n\n"
           "data: {\"choices\":[{\"delta\":{\"content\":\"ink>\xe2\x98\x83\"},\"finish_reason\":\"stop\"}]}\n\n",
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"h\xc3\xa9\xf0\x9f\x8c\x9e \xe2\x98\x83\"\n0 flush\n"
           "1 text \"\xe2\x98\x83\"\n1 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(message_text_is_structured_if_json_was_requested)
{
    streams_shape(&elelem_shape_chat);
    streams_now.desc.structured = 1;
    STREAM("data: {\"choices\":[{\"delta\":{\"reasoning\":\"hm\",\"content\":\"{\\\"a\\\"\"}}]}\n\n"
           "data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\":1}\"}]},\"finish_reason\":\"stop\"}]}\n\n",
           "0 think \"hm\"\n0 flush\n1 json \"{\\\"a\\\":1}\"\n1 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(a_refusal_is_text_even_if_json_was_requested)
{
    streams_shape(&elelem_shape_chat);
    streams_now.desc.structured = 1;
    STREAM("data: {\"choices\":[{\"delta\":{\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}\n\n",
           "0 meta refusal=true\n0 text \"no\"\n0 flush\nFINISHED content_filter raw=stop\nEND\n");
}

TEST(the_raw_usage_is_metadata_of_the_end)
{
    streams_shape(&elelem_shape_chat);
    streams_now.usage = 1;
    STREAM("data: {\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"cost\":0.0010}}\n\n",
           "FINISHED completed raw=stop in=1\nmeta usage={\"prompt_tokens\":1,\"cost\":0.0010}\nEND\n");
}

TEST(usage_counts_of_other_types_are_unknown)
{
    streams_shape(&elelem_shape_chat);
    STREAM("data: {\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":\"1\",\"completion_tokens\":null,"
           "\"prompt_tokens_details\":7,\"completion_tokens_details\":{\"reasoning_tokens\":1.5}}}\n\n",
           "FINISHED completed raw=stop\nEND\n");
}

TEST(reset_forgets_the_citations_of_the_previous_response)
{
    static const char body[] = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"citations\":[1]}\n\n";
    elelem_event event;
    int i;

    streams_shape(&elelem_shape_chat);
    streams_start(&streams_now);
    for (i = 0; i < 2; i++) {
        elelem_stream_push(&streams_now.stream, body, sizeof body - 1);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.metadata.count, 1);
        elelem_stream_reset(&streams_now.stream);
    }
    elelem_stream_push(&streams_now.stream, "data: [DONE]\n\n", 14);
    CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
    CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_PROTOCOL);
}

TEST(reset_forgets_what_is_known_of_the_previous_response)
{
    static const char body[] = "data: {\"id\":\"c\",\"created\":1,\"x_groq\":{\"id\":\"g\"},\"seed\":1,\"choices\":[{\"delta\":{},\"stop\":2}]}\n\n";
    elelem_event event;
    int i, k;

    streams_shape(&elelem_shape_chat);
    streams_start(&streams_now);
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 2; k++) {
            elelem_stream_push(&streams_now.stream, body, sizeof body - 1);
            while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
                CHECK(k == 0 || event.metadata.count == 1); /* of the choice, which had no part */
        }
        elelem_stream_reset(&streams_now.stream);
        elelem_stream_push(&streams_now.stream, body, sizeof body - 1);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.kind, ELELEM_EVENT_METADATA);
        CHECK_INT(event.metadata.count, 2);
        while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
            continue;
        elelem_stream_reset(&streams_now.stream);
    }
}

/* Numbers that no provider sends. */

static const char *const odd_numbers[] = { "-1", "2147483648", "4294967296", "18446744073709551616", "1e300",
                                           "0.5", "\"0\"", "true", "null", "[0]", "{}" };

/* The same body, with `before` and `after` the odd value. */
static void odd_index(const char *before, const char *after, const char *expected)
{
    char body[1200];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof odd_numbers / sizeof *odd_numbers; i++) {
        check_context(odd_numbers[i]);
        snprintf(body, sizeof body, "%s%s%s", before, odd_numbers[i], after);
        STREAM(body, expected);
    }
}

#define PIECE(index, text) "{\"index\":" index ",\"function\":{\"arguments\":\"" text "\"}}"
#define TWO_CALLS \
    "0 call id=a name=f\n0 args \"{}\"\n1 call id=b name=g\n1 args \"[1]\"\n0 flush\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n"
#define FIRST CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}")
#define SECOND CALLS("{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"[\"}}")

TEST(a_choice_whose_index_is_no_number_of_a_wire_is_the_first) /* P2 */
{
    odd_index("data: {\"choices\":[{\"index\":", ",\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n",
              "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(a_whole_call_whose_index_is_no_number_of_a_wire_is_a_call) /* P2 */
{
    odd_index("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"index\":",
              ",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
              "0 call id=a name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(calls_whose_indices_are_no_numbers_are_distinguished_by_their_ids)
{
    odd_index(CALLS("{\"index\":-1,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}") CALLS(PIECE("-1", "}"))
              "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"index\":",
              ",\"function\":{\"name\":\"g\",\"arguments\":\"[\"}}]}}]}\n\n" CALLS("{\"index\":-1,\"id\":\"b\",\"function\":{\"arguments\":\"1]\"}}")
              CALLS_END,
              "0 call id=a name=f\n0 args \"{}\"\n0 flush\n1 call id=b name=g\n1 args \"[1]\"\n1 flush\n"
              "FINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(a_piece_whose_index_is_no_number_continues_the_newest_call)
{
    odd_index(FIRST SECOND "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":",
              ",\"function\":{\"arguments\":\"1\"}}]}}]}\n\n" CALLS(PIECE("1", "]")) CALLS_END, TWO_CALLS);
}

TEST(a_piece_with_an_id_continues_the_call_of_that_id)
{
    odd_index(CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}") SECOND
              "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"index\":",
              ",\"function\":{\"arguments\":\"}\"}}]}}]}\n\n" CALLS(PIECE("1", "1]")) CALLS_END,
              "0 call id=a name=f\n0 args \"{\"\n1 call id=b name=g\n1 args \"[\"\n0 args \"}\"\n1 args \"1]\"\n"
              "0 flush\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(a_call_that_began_without_an_index_continues_with_one)
{
    odd_index("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"index\":",
              ",\"function\":{\"name\":\"g\",\"arguments\":\"[\"}}]}}]}\n\n" CALLS(PIECE("3", "1")) CALLS(PIECE("3", "]")) CALLS_END,
              "0 call id=b name=g\n0 args \"[1]\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

#define WHOLE_CALLS(calls) "{\"choices\":[{\"index\":0,\"message\":{\"tool_calls\":[" calls "]},\"finish_reason\":\"tool_calls\"}]}"
#define F_AND_G                                                                                                                  \
    "0 call id=c name=f\n1 call id=c name=g\n1 args \"{\\\"n\\\":1}\"\n0 flush\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n"
#define F_THEN_G "0 call id= name=f\n0 flush\n1 call id= name=g\n1 args \"{\\\"n\\\":1}\"\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n"

TEST(calls_of_a_whole_response_are_calls_each_whatever_their_ids)
{
    streams_shape(&elelem_shape_chat);
    STREAM(WHOLE_CALLS(CALL_OF("\"id\":\"c\",", "f", "") "," CALL_OF("\"id\":\"c\",", "g", "{\\\"n\\\":1}")), F_AND_G);
    STREAM(WHOLE_CALLS(CALL_OF("", "f", "") "," CALL_OF("", "g", "{}")),
           "0 call id= name=f\n1 call id= name=g\n1 args \"{}\"\n0 flush\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(WHOLE_CALLS(CALL_OF("\"index\":0,", "f", "") "," CALL_OF("\"index\":0,", "f", "{}")),
           "0 call id= name=f\n0 flush\n1 call id= name=f\n1 args \"{}\"\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(another_name_is_another_call_if_no_index_says_that_it_is_not)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS(CALL_OF("\"id\":\"c\",", "f", "") "," CALL_OF("\"id\":\"c\",", "g", "{\\\"n\\\":1}")) CALLS_END, F_AND_G);
    STREAM(CALLS(CALL_OF("\"index\":-1,\"id\":\"c\",", "f", "")) CALLS(CALL_OF("\"index\":-1,\"id\":\"c\",", "g", "{\\\"n\\\":1}")) CALLS_END,
           "0 call id=c name=f\n0 flush\n1 call id=c name=g\n1 args \"{\\\"n\\\":1}\"\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(CALLS(CALL_OF("", "f", "")) CALLS(CALL_OF("", "g", "{\\\"n\\\":1}")) CALLS_END, F_THEN_G);
    STREAM(CALLS(CALL_OF("\"index\":0,\"id\":\"\",", "f", "")) CALLS(CALL_OF("\"index\":0,\"id\":\"\",", "g", "{\\\"n\\\":1}")) CALLS_END,
           F_THEN_G);
}

TEST(a_name_that_is_repeated_is_no_other_call)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS(CALL_OF("\"id\":\"c\",", "f", "{")) CALLS(CALL_OF("\"id\":\"c\",", "f", "}")) CALLS_END,
           "0 call id=c name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(CALLS(CALL_OF("", "f", "{")) CALLS(CALL_OF("", "f", "}")) CALLS_END,
           "0 call id= name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

#define WITH_ID(index, id, rest) "{" index "\"id\":\"" id "\"" rest "}"
#define ARGUMENTS(text) ",\"function\":{\"arguments\":\"" text "\"}"

TEST(a_new_id_without_a_name_is_another_call_unless_its_index_has_a_call_with_a_name)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS(CALL_OF("\"id\":\"a\",", "f", "{}")) CALLS(WITH_ID("", "b", ARGUMENTS("[]"))) CALLS_END,
           "0 call id=a name=f\n0 args \"{}\"\n0 flush\n1 call id=b name=\n1 args \"[]\"\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(CALLS(WITH_ID("\"index\":0,", "a", ARGUMENTS("{}"))) CALLS(WITH_ID("\"index\":0,", "b", ARGUMENTS("[]"))) CALLS_END,
           "0 call id=a name=\n0 args \"{}\"\n0 flush\n1 call id=b name=\n1 args \"[]\"\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(CALLS(CALL_OF("\"index\":0,\"id\":\"a\",", "f", "{}")) CALLS(WITH_ID("\"index\":0,", "b", "")) CALLS(CALL_OF("\"index\":0,", "g", "[]")) CALLS_END,
           "0 call id=a name=f\n0 args \"{}\"\n0 flush\n1 call id=b name=\n1 call id= name=g\n1 args \"[]\"\n1 flush\n"
           "FINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(arguments_under_an_index_that_no_call_has_are_of_the_newest_call_if_that_has_none)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS(CALL_OF("\"index\":3,\"id\":\"a\",", "f", "")) CALLS(WITH_ID("\"index\":0,", "b", ARGUMENTS("{}"))) CALLS_END,
           "0 call id=a name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(CALLS(CALL_OF("\"index\":3,\"id\":\"a\",", "f", "{}")) CALLS(WITH_ID("\"index\":0,", "b", ARGUMENTS("[]"))) CALLS_END,
           "0 call id=a name=f\n0 args \"{}\"\n1 call id=b name=\n1 args \"[]\"\n0 flush\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(CALLS(CALL_OF("\"index\":3,\"id\":\"a\",", "f", "")) CALLS("{\"index\":0,\"extra_content\":1}") CALLS_END,
           "0 call id=a name=f\n1 meta extra_content=1\n1 call id= name=\n0 flush\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(CALLS(CALL_OF("\"index\":0,\"id\":\"a\",", "f", "") "," CALL_OF("\"index\":1,\"id\":\"b\",", "g", "")) CALLS(PIECE("0", "{}")) CALLS(PIECE("1", "[]"))
           CALLS_END,
           "0 call id=a name=f\n1 call id=b name=g\n0 args \"{}\"\n1 args \"[]\"\n0 flush\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

/* A call of these arguments, and a piece with its name that is a whole object. */
static void next_whole(const char *arguments, const char *id, const char *piece, const char *expected)
{
    char body[800];

    check_context(arguments);
    snprintf(body, sizeof body, CALLS("{\"index\":0,%s\"function\":{\"name\":\"f\",\"arguments\":%s}}") CALLS("{%s%s}") CALLS_END, id, arguments, id, piece);
    STREAM(body, expected);
}

TEST(a_name_that_comes_again_begins_a_call_only_if_both_are_whole_and_have_no_id)
{
    static const row joined[] = {
        { "\"{\"", "{" },
        { "\"1}\"", "1}" },
        { "\"{1\"", "{1" },
        { "\"{{}\"", "{{}" },
        { "\"{}{}\"", "{}{}" },
        { "\"{\\\"}\"", "{\\\"}" },
        { "\"{\\\"\\\\}\"", "{\\\"\\\\}" },
        { "[]", "[]" },
    };
    char expected[400];
    size_t i;

    streams_shape(&elelem_shape_chat);
#define NEXT "\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":"
#define TWO "0 call id= name=f\n0 args \"{}\"\n0 flush\n1 call id= name=f\n1 args \"{}\"\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n"
    next_whole("\"{}\"", "", NEXT "\"{}\"}", TWO);
    next_whole("{}", "", NEXT "{}}", TWO);
    for (i = 0; i < sizeof joined / sizeof *joined; i++) {
        snprintf(expected, sizeof expected, "0 call id= name=f\n0 args \"%s{}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n", joined[i].expected);
        next_whole(joined[i].word, "", NEXT "\"{}\"}", expected);
    }
#define JOINED(text) "0 call id= name=f\n0 args \"" text "\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n"
    next_whole("\"{}\"", "", NEXT "\" \"}", JOINED("{} "));
    next_whole("\"{}\"", "", "\"function\":{\"arguments\":\"{}\"}", JOINED("{}{}"));
    next_whole("\"{}\"", "\"id\":\"a\",", NEXT "\"{}\"}", "0 call id=a name=f\n0 args \"{}{}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(pieces_after_a_whole_object_are_of_its_call)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS(CALL_OF("\"index\":0,", "f", "{}")) CALLS(CALL_OF("\"index\":0,", "f", " ")) CALLS(CALL_OF("\"index\":0,", "f", "{}")) CALLS_END,
           JOINED("{} {}"));
}

#define CUSTOM(input) "{\"index\":0,\"id\":\"c\",\"type\":\"custom\",\"custom\":{\"name\":\"f\",\"input\":" input "}}"

TEST(the_input_of_a_custom_call_may_be_an_object)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS(CUSTOM("{\"a\":1}")) CALLS_END,
           "0 call id=c name=f type=custom\n0 args \"{\\\"a\\\":1}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(CALLS(CUSTOM("\"x\"")) CALLS(CUSTOM("{\"a\":1}")) CALLS_END,
           "0 call id=c name=f type=custom\n0 args \"\\\"x\\\"\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

#define CHUNK_STOP "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define CONTENT_OF(parts) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":[" parts "]},\"finish_reason\":\"stop\"}]}\n\n"

TEST(reasoning_in_an_array_may_be_a_text_and_have_parts_that_are_no_text)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CONTENT_OF("{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"text\",\"text\":\"a\"}"),
           "0 think \"hm\"\n0 flush\n1 text \"a\"\n1 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(CONTENT_OF("{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"h\"},{\"type\":\"reference\",\"reference_ids\":[1]},"
                      "{\"type\":\"text\",\"text\":\"m\"}]}"),
           "0 think \"h\"\n1 item reference \"{\\\"type\\\":\\\"reference\\\",\\\"reference_ids\\\":[1]}\"\n1 flush\n0 think \"m\"\n0 flush\n"
           "FINISHED completed raw=stop\nEND\n");
}

TEST(a_summary_of_reasoning_may_begin_with_its_signature_and_be_a_text)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CONTENT_OF("{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"\",\"signature\":\"s\"},{\"text\":\"hm\"}]}"),
           "0 meta signature=[\"s\"]\n0 think \"hm\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(CONTENT_OF("{\"type\":\"reasoning\",\"summary\":\"hm\",\"id\":\"x\"},{\"type\":\"reasoning\",\"text\":\"a\",\"summary\":[]},{\"type\":\"reasoning\",\"data\":1}"),
           "0 think \"hm\"\n0 meta id=[\"x\"]\n0 flush\n1 text \"a\"\n2 item reasoning \"{\\\"type\\\":\\\"reasoning\\\",\\\"data\\\":1}\"\n2 flush\n1 flush\n"
           "FINISHED completed raw=stop\nEND\n");
    STREAM(CONTENT_OF("{\"type\":\"text\",\"text\":\"a\",\"summary\":\"s\"}"),
           "0 text \"a\"\n0 meta summary=[\"s\"]\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(what_else_a_part_of_content_has_is_metadata_of_its_text)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CONTENT_OF("{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"h\"}],\"signature\":\"s\",\"closed\":true},"
                      "{\"type\":\"text\",\"text\":\"a\",\"probability\":1,\"none\":null}"),
           "0 think \"h\"\n0 meta signature=[\"s\"]\n0 flush\n1 text \"a\"\n1 meta probability=[1]\n1 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(CONTENT_OF("{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"\",\"probability\":1}"),
           "0 text \"a\"\n0 meta probability=[1]\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(tokens_come_with_every_chunk_and_filters_when_they_are_new)
{
#define TOKENS(content, rest) "data: {\"choices\":[{\"index\":0,\"delta\":{" content "}," rest ",\"native\":\"x\"}]}\n\n"
    streams_shape(&elelem_shape_chat);
    STREAM(TOKENS("\"content\":\"a\"", "\"token_ids\":[7]") TOKENS("\"content\":\"b\"", "\"token_ids\":[7]") CHUNK_STOP,
           "0 text \"a\"\n0 meta token_ids=[7]\nresponse native=\"x\"\n0 text \"b\"\n0 meta token_ids=[7]\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(TOKENS("", "\"content_filter_results\":{\"a\":1}") TOKENS("\"content\":\"b\"", "\"content_filter_results\":{\"a\":1}")
           TOKENS("\"content\":\"c\"", "\"content_filter_results\":{\"a\":1}") CHUNK_STOP,
           "response content_filter_results=[{\"a\":1}]\nresponse native=\"x\"\n0 text \"b\"\n0 meta content_filter_results=[{\"a\":1}]\n0 text \"c\"\n0 flush\n"
           "FINISHED completed raw=stop\nEND\n");
}

TEST(calls_of_one_list_that_have_names_are_calls_each)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS(CALL_OF("\"id\":\"null\",", "f", "{}") "," CALL_OF("\"id\":\"null\",", "f", "[]")) CALLS_END,
           "0 call id=null name=f\n0 args \"{}\"\n1 call id=null name=f\n1 args \"[]\"\n0 flush\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(CALLS(CALL_OF("\"index\":0,\"id\":\"0\",", "f", "{}") "," CALL_OF("\"index\":0,\"id\":\"0\",", "g", "[]")) CALLS_END,
           "0 call id=0 name=f\n0 args \"{}\"\n0 flush\n1 call id=0 name=g\n1 args \"[]\"\n1 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(pieces_of_calls_that_share_an_id_go_to_the_call_of_their_place)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS(CALL_OF("\"id\":\"c\",", "f", "{") "," CALL_OF("\"id\":\"c\",", "g", "["))
           CALLS("{\"id\":\"c\",\"function\":{\"arguments\":\"}\"}},{\"id\":\"c\",\"function\":{\"arguments\":\"]\"}}") CALLS_END,
           "0 call id=c name=f\n0 args \"{\"\n1 call id=c name=g\n1 args \"[\"\n0 args \"}\"\n1 args \"]\"\n0 flush\n1 flush\n"
           "FINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(a_piece_with_an_id_goes_by_it_among_calls_with_other_ids_and_without)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS(CALL_OF("\"id\":\"a\",", "f", "{") "," CALL_OF("\"id\":\"b\",", "g", "[") "," CALL_OF("", "h", "{}"))
           CALLS("{\"id\":\"b\",\"function\":{\"arguments\":\"]\"}}") CALLS("{\"id\":\"a\",\"function\":{\"arguments\":\"}\"}}") CALLS_END,
           "0 call id=a name=f\n0 args \"{\"\n1 call id=b name=g\n1 args \"[\"\n2 call id= name=h\n2 args \"{}\"\n1 args \"]\"\n0 args \"}\"\n"
           "0 flush\n1 flush\n2 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(a_call_without_a_function_is_its_own)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CALLS("{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"name\":\"f\",\"arguments\":\"{}\"}") CALLS_END,
           "0 call id=c name=f\n0 args \"{}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(texts_and_objects_in_place_of_parts_are_read)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CONTENT_OF("\"a\",\"b\""), "0 text \"ab\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(DELTA("\"content\":{\"type\":\"text\",\"text\":\"a\"}") CHUNK_STOP, "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(CONTENT_OF("{\"type\":\"thinking\",\"thinking\":[\"a\",\"b\"]}"), "0 think \"ab\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(CONTENT_OF("{\"type\":\"thinking\",\"thinking\":{\"type\":\"text\",\"text\":\"a\"}}"), "0 think \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(what_else_reasoning_has_is_not_of_the_text_before_it)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CONTENT_OF("{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"thinking\",\"thinking\":[],\"signature\":\"s\"}"),
           "0 text \"a\"\n1 meta signature=[\"s\"]\n1 flush\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(CONTENT_OF("{\"type\":\"thinking\",\"thinking\":[\"r\"],\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"a\"}"),
           "0 think \"r\"\n0 meta signature=[\"s\"]\n0 flush\n1 text \"a\"\n1 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(what_else_a_choice_has_comes_once_also_before_the_choice_says_something)
{
#define PROGRESS "data: {\"choices\":[{\"index\":0,\"delta\":{},\"progress\":1}]}\n\n"
    streams_shape(&elelem_shape_chat);
    STREAM(PROGRESS PROGRESS "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"progress\":1,\"finish_reason\":\"stop\"}]}\n\n",
           "response progress=1\n0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

#define STOPPED(word) "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" word "\"}]}\n\n"
#define EARLY "ERROR connect retryable \"the response ended before it was complete\"\nEND\n"

TEST(what_comes_after_the_reason_is_not_ended_by_it_unless_the_wire_says_done)
{
    streams_shape(&elelem_shape_chat);
    STREAM(STOPPED("stop") DELTA("\"content\":\"a\""), "0 text \"a\"\n" EARLY);
    STREAM(STOPPED("stop") DELTA("\"reasoning\":\"a\""), "0 think \"a\"\n" EARLY);
    STREAM(STOPPED("stop") DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\"}]"), "0 call id=c name=\n" EARLY);
    STREAM(STOPPED("stop") DELTA("\"content\":\"a\"") STOPPED("stop"), "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(STOPPED("stop") DELTA("\"content\":\"a\"") "data: [DONE]\n\n", "0 text \"a\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM(STOPPED("stop") DELTA("\"content\":\"\",\"annotations\":[{}]"), "0 meta annotations=[{}]\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(an_error_type_next_to_the_error_says_what_happened)
{
#define TGI(type) "data: {\"error\":\"m\",\"error_type\":\"" type "\"}\n\n"
    streams_shape(&elelem_shape_chat);
    STREAM(TGI("generation"), "ERROR transient retryable code=generation \"m\"\nEND\n");
    STREAM(TGI("incomplete_generation"), "ERROR transient retryable code=incomplete_generation \"m\"\nEND\n");
    STREAM(TGI("overloaded"), "ERROR transient retryable code=overloaded \"m\"\nEND\n");
    STREAM(TGI("validation"), "ERROR invalid_request code=validation \"m\"\nEND\n");
    STREAM("data: {\"type\":\"error\",\"message\":\"m\",\"error_type\":\"overloaded\"}\n\n", "ERROR transient retryable code=overloaded \"m\"\nEND\n");
}

TEST(a_frame_of_the_type_error_with_a_sentence_is_an_error)
{
    streams_shape(&elelem_shape_chat);
    STREAM(DELTA("\"content\":\"a\"") "data: {\"type\":\"error\",\"message\":\"boom\"}\n\ndata: [DONE]\n\n", "0 text \"a\"\nERROR other \"boom\"\nEND\n");
    STREAM(DELTA("\"content\":\"a\"") "data: {\"type\":\"error\"}\n\ndata: [DONE]\n\n", "0 text \"a\"\n0 flush\nFINISHED completed\nEND\n");
    STREAM(DELTA("\"content\":\"a\"") "data: {\"type\":\"note\",\"message\":\"boom\"}\n\ndata: [DONE]\n\n", "0 text \"a\"\n0 flush\nFINISHED completed\nEND\n");
}

TEST(a_later_reason_counts_if_it_says_more_than_that_the_model_was_done)
{
    streams_shape(&elelem_shape_chat);
    STREAM(STOPPED("stop") STOPPED("length"), "FINISHED max_tokens raw=length\nEND\n");
    STREAM(STOPPED("stop") STOPPED("content_filter"), "FINISHED content_filter raw=content_filter\nEND\n");
    STREAM(STOPPED("tool_calls") STOPPED("content_filter"), "FINISHED content_filter raw=content_filter\nEND\n");
    STREAM(STOPPED("stop") STOPPED("odd"), "FINISHED completed raw=stop\nEND\n");
    STREAM(STOPPED("tool_calls") STOPPED("stop"), "FINISHED tool_calls raw=tool_calls\nEND\n");
    STREAM(STOPPED("length") STOPPED("content_filter"), "FINISHED max_tokens raw=length\nEND\n");
}

TEST(items_that_are_put_together_end_though_they_come_after_the_reason)
{
    streams_shape(&elelem_shape_chat);
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"
           DELTA("\"executed_tools\":[{\"index\":0,\"type\":\"t\"}],\"audio\":{\"id\":\"x\",\"data\":\"b\"}"),
           "0 text \"a\"\n0 flush\n1 item audio \"{\\\"data\\\":\\\"b\"\n2 item executed_tools hosted \"{\\\"index\\\":0,\\\"type\\\":\\\"t\\\"}\"\n2 flush\n"
           "1 item audio \"\\\",\\\"id\\\":\\\"x\\\"}\"\n1 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"
           DELTA("\"executed_tools\":[{\"index\":0,\"type\":\"t\"}]"),
           "0 text \"a\"\n0 flush\n1 item executed_tools hosted \"{\\\"index\\\":0,\\\"type\\\":\\\"t\\\"}\"\n1 flush\nFINISHED completed raw=stop\nEND\n");
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"},{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n"
           DELTA("\"content\":\"c\",\"executed_tools\":[{\"index\":0,\"type\":\"t\"}]")
           "data: {\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
           "0 text \"a\"\n0 flush\n1@1 text \"b\"\n2 text \"c\"\n3 item executed_tools hosted \"{\\\"index\\\":0,\\\"type\\\":\\\"t\\\"}\"\n3 flush\n"
           "1@1 flush\n2 flush\nFINISHED completed raw=stop\nmeta finish_reasons={\"1\":\"completed\"}\nEND\n");
}

TEST(an_index_may_be_the_largest_or_written_as_a_power_or_null)
{
    streams_shape(&elelem_shape_chat);
    STREAM("data: {\"choices\":[{\"index\":2147483647,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"},"
           "{\"index\":0e0,\"delta\":{\"tool_calls\":[{\"index\":1e0,\"id\":\"a\"},{\"index\":null,\"id\":\"b\"}]},"
           "\"finish_reason\":\"stop\"}]}\n\n",
           "0@2147483647 text \"a\"\n0@2147483647 flush\n1 call id=a name=\n1 flush\n2 call id=b name=\n2 flush\n"
           "FINISHED tool_calls raw=stop\nmeta finish_reasons={\"2147483647\":\"completed\"}\nEND\n");
}

/* A known field of a type it never has is ignored, and the stream continues. */
TEST(known_fields_of_other_types_are_ignored)
{
    static const char *const fields[] = {
        "content", "reasoning", "reasoning_content", "reasoning_details", "refusal", "tool_calls", "function_call",
        "annotations", "role", "id", "function"
    };
    static const char *const values[] = { "null", "true", "7", "\"\"", "{}", "[]", "[[]]", "[{}]", "[null]", "[{\"text\":1}]" };
    char body[600];
    size_t i, k;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof fields / sizeof *fields; i++)
        for (k = 0; k < sizeof values / sizeof *values; k++) {
            feed_object fed = streams_fed;
            snprintf(body, sizeof body, "data: {\"choices\":[{\"delta\":{\"%s\":%s}}]}\n\n"
                     "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n", fields[i], values[k]);
            check_context(body);
            feed_check(&fed, body, strlen(body), NULL, __FILE__, __LINE__);
            feed_whole.text[feed_whole.size] = '\0';
            CHECK(strstr(feed_whole.text, "text \"ok\"\n"));
            CHECK(strstr(feed_whole.text, "FINISHED "));
            CHECK(!strstr(feed_whole.text, "BROKEN"));
        }
}

TEST(frame_members_of_other_types_are_ignored)
{
    static const char *const frames[] = {
        "{\"choices\":null}", "{\"choices\":7}", "{\"choices\":{\"index\":-1}}", "{\"choices\":\"x\"}", "{\"choices\":[7,null,\"x\",[]]}",
        "{\"choices\":[{\"delta\":7,\"finish_reason\":7}]}", "{\"choices\":[{\"delta\":[],\"finish_reason\":{}}]}",
        "{\"usage\":7,\"x_groq\":7,\"citations\":7,\"search_results\":{},\"error\":7,\"object\":7}",
        "{\"usage\":[],\"x_groq\":{\"usage\":1},\"citations\":[],\"error\":[],\"error\":false}"
    };
    char body[600];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof frames / sizeof *frames; i++) {
        check_context(frames[i]);
        snprintf(body, sizeof body, "data: %s\n\n"
                 "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n", frames[i]);
        STREAM(body, "0 text \"ok\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
    }
}

/* Much of something. */

typedef struct body_text {
    char *text;
    size_t size, room;
} body_text;

static void add(body_text *body, const char *text)
{
    size_t size = strlen(text);

    if (body->size + size > body->room) {
        body->room = (body->size + size) * 2;
        body->text = (char *)realloc(body->text, body->room);
        if (!body->text) abort();
    }
    memcpy(body->text + body->size, text, size);
    body->size += size;
}

TEST(a_chunk_of_hundreds_of_kilobytes_is_one_text)
{
    body_text body = ELELEM_INIT;
    elelem_event event;
    size_t i;

    add(&body, "data: {\"choices\":[{\"delta\":{\"content\":\"");
    for (i = 0; i < 40000; i++)
        add(&body, "0123456789");
    add(&body, "\"},\"finish_reason\":\"stop\"}],\"unknown\":\"");
    for (i = 0; i < 40000; i++)
        add(&body, "0123456789");
    add(&body, "\"}\n\n");
    streams_shape(&elelem_shape_chat);
    streams_start(&streams_now);
    for (i = 0; i < body.size; i += 1000) {
        size_t left = body.size - i;
        CHECK_INT(elelem_stream_push(&streams_now.stream, body.text + i, left < 1000 ? left : 1000), ELELEM_OK);
        if (i + 1000 < body.size) CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_MORE);
    }
    CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
    CHECK_INT(event.part.text.size, 400000);
    free(body.text);
}

/* What arguments of one byte a delta cost must not grow with their number. */
TEST(a_hundred_thousand_deltas_of_one_byte_are_whole) /* P5 */
{
    static const char frame[] = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"7\"}}]}}]}\n\n";
    static const char first[] = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\"}}]}}]}\n\n";
    elelem_event event;
    size_t i, parts = 0, most;

    streams_shape(&elelem_shape_chat);
    streams_now.desc.repeat_bytes = 1;
    streams_start(&streams_now);
    elelem_stream_push(&streams_now.stream, first, sizeof first - 1);
    while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
        ;
    most = streams_now.stream.els_response.document.els_memory.capacity;
    for (i = 0; i < 100000; i++) {
        elelem_stream_push(&streams_now.stream, frame, sizeof frame - 1);
        while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
            parts += elelem_str_is(event.part.tool_call.text, "7") ? 1 : 0;
    }
    CHECK_INT(parts, 100000);
    CHECK(streams_now.stream.els_response.document.els_memory.capacity <= most * 2);
}

TEST(a_delta_may_end_inside_an_escape_of_the_arguments) /* P5 */
{
    streams_shape(&elelem_shape_chat);
    STREAM("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"s\\\":\\\"\\\\ud83d\\\\u\"}}]}}]}\n\n"
           "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"de00\\\\\"}}]}}]}\n\n"
           "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"n\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
           "0 call id=a name=f\n0 args \"{\\\"s\\\":\\\"\\\\ud83d\\\\ude00\\\\n\\\"}\"\n0 flush\nFINISHED tool_calls raw=tool_calls\nEND\n");
}

TEST(more_call_indices_than_may_be_open_meet_a_limit) /* P2 */
{
    body_text body = ELELEM_INIT;
    char frame[200];
    size_t i;

    for (i = 0; i < 300; i++) {
        snprintf(frame, sizeof frame, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%lu,\"id\":\"a\"}]}}]}\n\n", (unsigned long)i);
        add(&body, frame);
    }
    streams_shape(&elelem_shape_chat);
    streams_start(&streams_now);
    feed_once(&streams_fed, &feed_now, body.text, body.size, body.size, body.size, 0);
    feed_now.text[feed_now.size] = '\0';
    CHECK(strstr(feed_now.text, "255 call id=a name=\nERROR limit "));
    free(body.text);
}

TEST(more_choices_than_a_response_may_have_meet_a_limit) /* P2 */
{
    body_text body = ELELEM_INIT;
    char frame[200];
    size_t i;

    for (i = 0; i < 300; i++) {
        snprintf(frame, sizeof frame, "data: {\"choices\":[{\"index\":%lu,\"delta\":{\"content\":\"a\"}}]}\n\n", (unsigned long)i);
        add(&body, frame);
    }
    streams_shape(&elelem_shape_chat);
    feed_once(&streams_fed, &feed_now, body.text, body.size, body.size, body.size, 0);
    feed_now.text[feed_now.size] = '\0';
    CHECK(strstr(feed_now.text, "127@127 text \"a\"\nERROR limit "));
    CHECK(strstr(feed_now.text, "status=ERROR_COUNT"));
    free(body.text);
}

/* Large provider items, and memory that is refused. */

#define LARGE (40u << 20)

/* Each has the number of the image, which is not over for the document. */
TEST(what_comes_under_the_number_of_an_image_that_passed_is_another_value) /* P3 */
{
    static const struct {
        const char *second, *gives;
    } rows[] = {
        { "\"u\"", "1 item images \"\\\"u\\\"\"\n1 flush\n" },
        { "\"\"", "" },
        { "7", "1 item images \"7\"\n1 flush\n" },
        { "null", "" },
        { "[]", "" },
        { "{\"b\":2}", "1 item b \"{\\\"b\\\":2}\"\n1 flush\n" },
    };
    char body[400], events[400];
    size_t i;

    streams_shape(&elelem_shape_chat);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].second);
        snprintf(body, sizeof body, "data: {\"choices\":[{\"index\":0,\"delta\":{\"images\":[{\"a\":\"~\"}],\"images\":[%s]},\"finish_reason\":\"stop\"}]}\n\n",
                 rows[i].second);
        snprintf(events, sizeof events, "0 item a \"{\\\"a\\\":\\\"~\\\"}\"\n%s0 flush\nFINISHED completed raw=stop\nEND\n", rows[i].gives);
        STREAM_LARGE(body, events);
    }
    check_context(NULL);
}

static size_t item_bytes; /* of JSON and captions of provider items that came */

static void take_items(void)
{
    elelem_event event;

    while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK) {
        CHECK(event.kind != ELELEM_EVENT_ERROR);
        if (event.kind == ELELEM_EVENT_PART) item_bytes += event.part.text.size + event.part.caption.size;
    }
}

static void push_text(const char *text)
{
    CHECK_INT(elelem_stream_push(&streams_now.stream, text, strlen(text)), ELELEM_OK);
    take_items();
}

static void open_large(limits_heap *heap)
{
    streams_shape(&elelem_shape_chat);
    memset(heap, 0, sizeof *heap);
    heap->bound = 65536;
    item_bytes = 0;
    streams_now.desc.allocator = limits_allocator(heap);
    elelem_stream_init(&streams_now.stream, &streams_now.desc);
}

static void close_large(const limits_heap *heap)
{
    CHECK(limits_held(heap));
    elelem_stream_free(&streams_now.stream);
    CHECK_U64(heap->live, 0);
}

TEST(an_image_of_40_megabytes_passes_through_64_kilobytes)
{
    static char base64[4097];
    limits_heap heap;
    size_t i;

    memset(base64, 'A', sizeof base64 - 1);
    open_large(&heap);
    push_text("data: {\"choices\":[{\"index\":0,\"delta\":{\"images\":[{\"image_url\":{\"url\":\"");
    for (i = 0; i < LARGE / (sizeof base64 - 1); i++)
        push_text(base64);
    push_text("\"}}]}}]}\n\ndata: [DONE]\n\n");
    CHECK_U64(item_bytes, LARGE + sizeof "{\"image_url\":{\"url\":\"\"}}" - 1);
    close_large(&heap);
}

TEST(audio_of_40_megabytes_passes_through_64_kilobytes)
{
    static char base64[4097];
    limits_heap heap;
    size_t i;

    memset(base64, 'A', sizeof base64 - 1);
    open_large(&heap);
    for (i = 0; i < LARGE / (sizeof base64 - 1); i++) {
        push_text("data: {\"choices\":[{\"index\":0,\"delta\":{\"audio\":{\"id\":\"a\",\"data\":\"");
        push_text(base64);
        push_text("\"}}}]}\n\n");
    }
    push_text("data: [DONE]\n\n");
    CHECK_U64(item_bytes, LARGE + sizeof "{\"data\":\"\",\"id\":\"a\"}" - 1);
    close_large(&heap);
}

TEST(without_provider_items_nothing_of_the_response_but_its_content_comes)
{
    streams_shape(&elelem_shape_chat);
    streams_now.desc.without_provider_items = 1;
    STREAM("data: {\"id\":\"c\",\"choices\":[{\"delta\":{\"content\":\"a\",\"audio\":{\"id\":\"x\",\"data\":\"QUJD\"},\"images\":[{\"a\":1}],"
           "\"executed_tools\":[{\"index\":0}],\"other\":[{\"b\":2}]},\"logprobs\":{\"content\":[1]},\"seed\":3}],\"x_groq\":{\"id\":\"g\","
           "\"usage\":{\"prompt_tokens\":2}},\"timings\":{\"n\":1}}\n\ndata: [DONE]\n\n",
           "0 text \"a\"\n0 flush\nFINISHED completed in=2\nEND\n");
}

/* All that there is of provider items and metadata, in one response. */
#define MIXED                                                                                                             \
    "data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"a\",\"audio\":{\"id\":\"x\",\"data\":\"QUJD\","   \
    "\"transcript\":\"ABC\"},\"images\":[{\"image_url\":{\"url\":\"u\"}}],\"executed_tools\":[{\"index\":0,\"arguments\":\"q\"}],"  \
    "\"other\":[{\"b\":2}],\"mood\":1},\"logprobs\":{\"content\":[1]},\"seed\":3}],\"x_groq\":{\"id\":\"g\"},\"timings\":{\"n\":1}}\n\n" \
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"custom\":{\"name\":\"f\",\"input\":\"in\"}}]},"           \
    "\"finish_reason\":\"stop\",\"native_finish_reason\":\"end\"},{\"index\":1,\"delta\":{\"content\":\"b\"},\"seed\":4,"             \
    "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

TEST(refused_memory_ends_a_stream_of_items_at_every_request)
{
    int refused;

    streams_shape(&elelem_shape_chat);
    feed_once(&streams_fed, &feed_whole, MIXED, sizeof MIXED - 1, sizeof MIXED - 1, sizeof MIXED - 1, 0);
    feed_whole.text[feed_whole.size] = '\0';
    CHECK(strstr(feed_whole.text, "FINISHED tool_calls") != NULL);
    for (refused = 1; refused < 300; refused++) {
        limits_heap heap = ELELEM_INIT;
        heap.refuse = refused;
        streams_now.desc.allocator = limits_allocator(&heap);
        feed_once(&streams_fed, &feed_now, MIXED, sizeof MIXED - 1, sizeof MIXED - 1, sizeof MIXED - 1, 0);
        feed_now.text[feed_now.size] = '\0';
        if (!strstr(feed_now.text, "ERROR out_of_memory")) CHECK_BYTES(feed_now.text, feed_now.size, feed_whole.text, feed_whole.size);
        elelem_stream_free(&streams_now.stream);
        CHECK_U64(heap.live, 0);
        if (refused > heap.calls) break;
    }
    CHECK(refused > 5 && refused < 300);
}

static void all_done(void)
{
    elelem_stream_free(&streams_now.stream);
}

/* A delta can end the content with a refusal, and have the probabilities of both. */
TEST(logprobs_of_a_content_that_a_refusal_ends_stay_with_it)
{
#define BOTH(members, logprobs) "data: {\"choices\":[{\"index\":0,\"delta\":{" members "},\"logprobs\":{" logprobs "}}]}\n\n"
#define BOTH_END "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
    streams_shape(&elelem_shape_chat);
    STREAM(BOTH("\"content\":\"a\",\"refusal\":\"r\"", "\"content\":[1],\"refusal\":[2]") BOTH_END,
           "0 text \"a\"\n0 meta logprobs=[1]\n0 flush\n1 meta refusal=true\n1 text \"r\"\n1 meta logprobs=[2]\n1 flush\nFINISHED content_filter raw=stop\nEND\n");
    STREAM(BOTH("\"refusal\":\"r\"", "\"content\":[1]") BOTH_END,
           "0 meta refusal=true\n0 text \"r\"\n0 meta logprobs=[1]\n0 flush\nFINISHED content_filter raw=stop\nEND\n");
}

CHECK_MAIN("shape_chat",
    RUN(text_comes_as_a_string)
    RUN(empty_and_null_content_are_nothing)
    RUN(a_response_may_be_empty)
    RUN(content_may_be_an_array)
    RUN(content_arrays_hold_thinking)
    RUN(content_arrays_hold_summaries_of_reasoning)
    RUN(content_switches_to_an_array_and_back)
    RUN(content_arrays_may_hold_unknown_parts)
    RUN(escapes_and_surrogate_pairs_are_decoded)
    RUN(reasoning_content_is_reasoning)
    RUN(reasoning_is_reasoning)
    RUN(reasoning_text_is_reasoning)
    RUN(reasoning_under_both_names_counts_once)
    RUN(reasoning_and_content_in_one_delta_come_in_that_order)
    RUN(one_delta_may_hold_everything)
    RUN(reasoning_resumes_after_content_as_a_new_item)
    RUN(reasoning_between_tool_calls_leaves_them_open)
    RUN(content_after_a_tool_call_is_an_item_of_its_own)
    RUN(think_tags_stay_in_the_text)
    RUN(reasoning_details_repeat_the_text_once)
    RUN(a_signature_comes_late_and_without_text)
    RUN(a_signature_after_the_text_began_has_its_own_item)
    RUN(encrypted_reasoning_is_metadata)
    RUN(thinking_blocks_repeat_the_reasoning_and_sign_it)
    RUN(a_summary_next_to_the_reasoning_repeats_it)
    RUN(reasoning_may_come_only_in_the_details)
    RUN(blocks_of_reasoning_have_a_signature_each)
    RUN(blocks_of_reasoning_in_one_delta_are_items_of_their_own)
    RUN(blocks_without_texts_leave_the_text_to_the_delta)
    RUN(an_empty_call_is_none)
    RUN(a_call_may_begin_empty)
    RUN(a_tool_call_streams_its_arguments)
    RUN(a_whole_call_comes_in_one_chunk)
    RUN(several_calls_come_in_one_array)
    RUN(calls_that_share_an_array_continue_alone)
    RUN(parallel_calls_interleave)
    RUN(without_an_index_the_place_in_the_array_counts)
    RUN(without_an_index_a_new_id_is_a_new_call)
    RUN(without_an_index_arguments_continue_at_their_place)
    RUN(indices_of_calls_may_start_above_zero)
    RUN(arguments_may_be_empty_null_or_missing)
    RUN(id_and_name_repeated_on_later_deltas_count_once)
    RUN(empty_and_null_ids_on_later_deltas_are_ignored)
    RUN(the_id_may_come_before_the_name)
    RUN(the_name_may_come_before_the_id)
    RUN(a_later_name_does_not_replace_the_first)
    RUN(a_new_id_under_one_index_is_a_new_call)
    RUN(a_new_id_without_a_name_is_of_the_call_of_its_index)
    RUN(a_name_and_its_arguments_may_have_different_indices)
    RUN(whole_calls_of_one_tool_may_have_one_index_and_no_id)
    RUN(calls_of_one_array_may_all_have_the_index_zero)
    RUN(short_ids_that_are_not_unique_are_kept_as_they_are)
    RUN(arguments_may_be_an_object)
    RUN(an_old_function_call_is_a_tool_call)
    RUN(extra_content_stays_with_its_call)
    RUN(a_signature_may_come_after_its_call)
    RUN(text_is_flushed_when_a_call_starts)
    RUN(things_that_are_no_calls_are_skipped)
    RUN(a_refusal_is_text_with_metadata)
    RUN(a_refusal_after_text_is_an_item_of_its_own)
    RUN(annotations_stay_with_their_text)
    RUN(annotations_before_the_text_open_its_item)
    RUN(annotations_between_pieces_of_reasoning_do_not_part_it)
    RUN(citations_repeated_on_every_chunk_are_emitted_once)
    RUN(citations_may_come_in_a_chunk_with_no_choice)
    RUN(provider_metadata_is_passed_on)
    RUN(stop_after_tool_calls_means_tool_calls)
    RUN(length_after_tool_calls_stays_length)
    RUN(an_empty_finish_reason_is_none)
    RUN(a_finish_reason_may_be_missing_until_the_end)
    RUN(a_repeated_finish_reason_counts_once)
    RUN(a_contradicted_finish_reason_stays_the_first)
    RUN(content_may_come_with_the_finish_reason)
    RUN(the_error_reason_without_an_error_is_transient)
    RUN(done_without_a_reason_is_completed)
    RUN(done_without_a_reason_after_calls_is_tool_calls)
    RUN(done_ends_choices_without_a_reason)
    RUN(done_may_be_missing_after_the_reason)
    RUN(an_end_with_neither_is_an_early_one)
    RUN(done_first_is_no_response)
    RUN(nothing_after_done_counts)
    RUN(text_after_the_reason_still_comes)
    RUN(halves_of_a_character_come_in_two_deltas)
    RUN(usage_comes_in_a_chunk_of_its_own)
    RUN(usage_comes_on_the_last_chunk)
    RUN(usage_on_every_chunk_the_last_counts)
    RUN(usage_before_the_finish_counts)
    RUN(usage_of_groq_is_in_x_groq)
    RUN(usage_may_be_in_a_choice)
    RUN(reasoning_tokens_may_be_next_to_the_other_counts)
    RUN(choices_interleave)
    RUN(every_choice_has_calls_of_its_own)
    RUN(an_end_before_every_choice_is_done_is_early)
    RUN(an_end_before_the_first_choice_began_is_early)
    RUN(a_message_next_to_the_delta_is_ignored)
    RUN(a_choice_may_have_no_delta)
    RUN(a_missing_index_is_the_first_choice)
    RUN(a_role_on_every_chunk_is_ignored)
    RUN(ids_and_models_may_change_and_be_empty)
    RUN(azure_sends_a_prelude_and_filter_results)
    RUN(openrouter_sends_comments_and_two_reasons)
    RUN(llamacpp_sends_timings)
    RUN(groq_sends_channels_and_executed_tools)
    RUN(unknown_members_of_a_call_are_its_metadata)
    RUN(entries_of_reasoning_of_an_unknown_type_are_metadata)
    RUN(custom_calls_write_their_input_as_text)
    RUN(a_custom_call_that_is_cut_off_stays_open)
    RUN(a_custom_call_that_is_cut_off_before_its_input_has_no_arguments)
    RUN(a_new_custom_call_under_one_index_ends_the_one_before)
    RUN(a_custom_call_ends_with_done_without_a_reason)
    RUN(a_call_of_another_type_keeps_the_word_for_it)
    RUN(audio_is_put_together_from_its_deltas)
    RUN(audio_may_have_only_a_transcript)
    RUN(audio_may_come_whole_and_next_to_text)
    RUN(what_comes_before_the_number_of_its_choice_is_stored)
    RUN(data_of_audio_passes_into_its_string)
    RUN(audio_that_passed_does_not_begin_audio_that_comes_again)
    RUN(an_empty_audio_is_none)
    RUN(audio_that_is_cut_off_stays_open)
    RUN(images_are_items_of_their_own)
    RUN(a_large_image_passes_before_the_text_of_its_chunk)
    RUN(images_keep_their_order_around_one_that_passes)
    RUN(executed_tools_are_put_together_by_their_index)
    RUN(logprobs_stay_with_their_text)
    RUN(logprobs_of_a_content_that_a_refusal_ends_stay_with_it)
    RUN(logprobs_may_have_another_form)
    RUN(logprobs_that_are_empty_say_nothing)
    RUN(logprobs_without_an_open_text_are_of_the_response)
    RUN(what_is_known_of_the_response_comes_when_it_is_new)
    RUN(progress_of_the_prompt_comes_before_the_text)
    RUN(moderation_and_other_members_of_a_chunk_are_of_the_response)
    RUN(unknown_members_of_a_delta_are_items_or_metadata)
    RUN(other_choices_name_themselves_in_what_is_known_of_them)
    RUN(cached_tokens_of_together)
    RUN(mistral_pads_its_chunks)
    RUN(vllm_sends_stop_reason_next_to_the_finish_reason)
    RUN(together_sends_token_ids)
    RUN(snowflake_repeats_its_text_and_sends_no_reason)
    RUN(key_order_does_not_matter)
    RUN(an_error_frame_before_done_is_the_end)
    RUN(a_named_error_event_of_groq)
    RUN(an_error_inside_a_chunk_of_openrouter)
    RUN(an_error_inside_a_chunk_comes_after_its_text)
    RUN(an_error_may_be_a_text)
    RUN(an_error_may_be_the_frame_itself)
    RUN(an_error_code_may_be_a_number_in_quotes)
    RUN(a_null_or_empty_error_is_none)
    RUN(a_named_error_that_is_no_json_still_is_one)
    RUN(a_bare_json_error_between_frames)
    RUN(bare_lines_that_are_no_error_are_ignored)
    RUN(a_bare_value_that_a_frame_breaks_off_is_forgotten)
    RUN(a_bare_value_continues_over_blank_lines_and_comments)
    RUN(a_bare_value_with_a_line_end_in_a_text_is_none)
    RUN(a_named_error_that_is_cut_is_an_early_end)
    RUN(the_wait_is_in_the_sentence)
    RUN(a_last_frame_without_its_blank_line_counts)
    RUN(a_last_line_without_its_line_end_counts)
    RUN(a_last_frame_that_is_cut_does_not_count)
    RUN(a_chunk_may_be_on_several_data_lines)
    RUN(names_ids_and_retries_of_frames_are_ignored)
    RUN(perplexity_ends_lines_with_crlf_and_sends_no_done)
    RUN(a_chunk_that_is_no_json_ends_the_stream)
    RUN(a_chunk_with_text_after_it_ends_the_stream)
    RUN(a_whole_frame_with_half_a_chunk_ends_the_stream)
    RUN(frames_of_other_json_are_ignored)
    RUN(a_whole_response_after_blanks_and_line_ends)
    RUN(a_whole_response_gives_what_its_stream_would)
    RUN(a_whole_response_without_a_reason_is_completed)
    RUN(an_error_in_place_of_a_response)
    RUN(groq_may_say_more_in_a_later_part)
    RUN(token_ids_and_filters_of_a_choice_stay_with_its_text)
    RUN(unknown_members_that_are_repeated_are_one_item)
    RUN(an_image_is_of_the_first_member_with_a_value)
    RUN(several_images_of_a_list_may_pass)
    RUN(images_of_two_choices_may_pass)
    RUN(audio_of_a_whole_response_comes_after_its_text)
    RUN(a_tool_that_was_executed_may_have_many_members)
    RUN(without_an_index_an_id_may_come_after_the_name)
    RUN(without_an_index_a_name_that_is_repeated_continues_at_its_place)
    RUN(a_call_with_an_index_after_one_without_is_another)
    RUN(a_call_that_began_with_an_index_is_not_continued_under_another)
    RUN(the_first_index_that_continues_a_call_without_one_is_its_index)
    RUN(an_index_of_an_open_call_continues_it_though_a_later_one_has_none)
    RUN(thinking_in_the_content_of_a_whole_response_continues_its_reasoning)
    RUN(reset_forgets_the_citations_of_the_previous_response)
    RUN(reset_forgets_what_is_known_of_the_previous_response)
    RUN(each_raw_finish_reason_has_its_meaning)
    RUN(completed_after_calls_means_tool_calls_for_any_word)
    RUN(a_chunk_without_content_is_a_chunk)
    RUN(of_a_member_that_comes_twice_in_a_chunk_the_last_counts)
    RUN(done_after_frames_that_are_no_chunks_is_no_response)
    RUN(done_counts_only_if_it_is_alone_in_its_event)
    RUN(formats_of_reasoning_details_are_passed_on)
    RUN(thinking_blocks_are_read_if_there_are_no_details_of_reasoning)
    RUN(codes_of_errors_inside_chunks_decide_their_kinds)
    RUN(an_error_inside_a_choice_is_the_end_whatever_its_reason)
    RUN(an_error_of_a_choice_that_is_empty_is_none)
    RUN(a_frame_of_a_code_and_a_sentence_is_an_error_if_the_code_is_one_of_http)
    RUN(a_status_of_minimax_that_is_null_or_empty_is_no_error)
    RUN(the_status_that_minimax_adds_is_an_error_unless_it_is_zero)
    RUN(a_message_next_to_a_delta_that_says_nothing_is_ignored)
    RUN(a_whole_message_in_place_of_deltas_is_no_good_end)
    RUN(a_whole_message_repeats_the_reasoning_that_was_cut_off)
    RUN(reasoning_in_tags_needs_no_line_end_and_may_have_any_character)
    RUN(message_text_is_structured_if_json_was_requested)
    RUN(a_refusal_is_text_even_if_json_was_requested)
    RUN(the_raw_usage_is_metadata_of_the_end)
    RUN(usage_counts_of_other_types_are_unknown)
    RUN(a_choice_whose_index_is_no_number_of_a_wire_is_the_first)
    RUN(a_whole_call_whose_index_is_no_number_of_a_wire_is_a_call)
    RUN(calls_whose_indices_are_no_numbers_are_distinguished_by_their_ids)
    RUN(a_piece_whose_index_is_no_number_continues_the_newest_call)
    RUN(a_piece_with_an_id_continues_the_call_of_that_id)
    RUN(a_call_that_began_without_an_index_continues_with_one)
    RUN(calls_of_a_whole_response_are_calls_each_whatever_their_ids)
    RUN(another_name_is_another_call_if_no_index_says_that_it_is_not)
    RUN(a_name_that_is_repeated_is_no_other_call)
    RUN(a_name_that_comes_again_begins_a_call_only_if_both_are_whole_and_have_no_id)
    RUN(pieces_after_a_whole_object_are_of_its_call)
    RUN(a_new_id_without_a_name_is_another_call_unless_its_index_has_a_call_with_a_name)
    RUN(arguments_under_an_index_that_no_call_has_are_of_the_newest_call_if_that_has_none)
    RUN(the_input_of_a_custom_call_may_be_an_object)
    RUN(reasoning_in_an_array_may_be_a_text_and_have_parts_that_are_no_text)
    RUN(a_summary_of_reasoning_may_begin_with_its_signature_and_be_a_text)
    RUN(what_else_a_part_of_content_has_is_metadata_of_its_text)
    RUN(tokens_come_with_every_chunk_and_filters_when_they_are_new)
    RUN(calls_of_one_list_that_have_names_are_calls_each)
    RUN(pieces_of_calls_that_share_an_id_go_to_the_call_of_their_place)
    RUN(a_piece_with_an_id_goes_by_it_among_calls_with_other_ids_and_without)
    RUN(a_call_without_a_function_is_its_own)
    RUN(texts_and_objects_in_place_of_parts_are_read)
    RUN(what_else_reasoning_has_is_not_of_the_text_before_it)
    RUN(what_else_a_choice_has_comes_once_also_before_the_choice_says_something)
    RUN(what_comes_after_the_reason_is_not_ended_by_it_unless_the_wire_says_done)
    RUN(an_error_type_next_to_the_error_says_what_happened)
    RUN(a_frame_of_the_type_error_with_a_sentence_is_an_error)
    RUN(a_later_reason_counts_if_it_says_more_than_that_the_model_was_done)
    RUN(items_that_are_put_together_end_though_they_come_after_the_reason)
    RUN(an_index_may_be_the_largest_or_written_as_a_power_or_null)
    RUN(known_fields_of_other_types_are_ignored)
    RUN(frame_members_of_other_types_are_ignored)
    RUN(a_chunk_of_hundreds_of_kilobytes_is_one_text)
    RUN(a_hundred_thousand_deltas_of_one_byte_are_whole)
    RUN(a_delta_may_end_inside_an_escape_of_the_arguments)
    RUN(more_call_indices_than_may_be_open_meet_a_limit)
    RUN(more_choices_than_a_response_may_have_meet_a_limit)
    RUN(what_comes_under_the_number_of_an_image_that_passed_is_another_value)
    RUN(an_image_of_40_megabytes_passes_through_64_kilobytes)
    RUN(audio_of_40_megabytes_passes_through_64_kilobytes)
    RUN(without_provider_items_nothing_of_the_response_but_its_content_comes)
    RUN(refused_memory_ends_a_stream_of_items_at_every_request)
    all_done();)
