/* thought: reasoning in tags inside message text, for any shape. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "events.h"
#include "streams.h"
#include "limits.h"

#define CHUNK(text) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define THOUGHT(text) "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"" text "\"}}]}\n\n"
#define CALL(arguments)                                                                                          \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\"," \
    "\"arguments\":\"" arguments "\"}}]}}]}\n\n"
#define STOP "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE "data: [DONE]\n\n"

static void split(void)
{
    streams_shape(&elelem_shape_chat);
    streams_now.desc.split_thoughts = 1;
}

TEST(without_the_option_tags_are_text)
{
    streams_shape(&elelem_shape_chat);
    STREAM(CHUNK("<think>hm</think>yes") STOP DONE,
           "0 text \"<think>hm</think>yes\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(reasoning_in_tags_has_an_index_of_its_own)
{
    split();
    STREAM(CHUNK("<think>") CHUNK("hm") CHUNK("</think>") CHUNK("yes") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"hm\"\n0 flush\n1 text \"yes\"\n1 flush\n"
           "FINISHED completed raw=stop\nEND\n");
}

TEST(tags_may_be_cut_between_frames_anywhere)
{
    split();
    STREAM(CHUNK("so <th") CHUNK("ink id='a") CHUNK("1' deep>h") CHUNK("m</thi") CHUNK("nk> yes") STOP DONE,
           "0 text \"so \"\n0 flush\n"
           "1 meta tag={\"name\":\"think\",\"id\":\"a1\",\"attributes\":[[\"id\",\"a1\"],[\"deep\"]]}\n1 think \"hm\"\n1 flush\n"
           "2 text \" yes\"\n2 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(reasoning_several_times_in_one_frame_is_several_items)
{
    split();
    STREAM(CHUNK("a<think>b</think>c<thinking>d</thinking>e") STOP DONE,
           "0 text \"a\"\n0 flush\n1 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n1 think \"b\"\n1 flush\n"
           "2 text \"c\"\n2 flush\n3 meta tag={\"name\":\"thinking\",\"id\":\"thinking-2\"}\n3 think \"d\"\n3 flush\n"
           "4 text \"e\"\n4 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(text_that_is_no_tag_passes_at_once)
{
    elelem_event event;

    split();
    streams_start(&streams_now);
    elelem_stream_push(&streams_now.stream, CHUNK("a < b <thin"), strlen(CHUNK("a < b <thin")));
    CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
    CHECK_STR(event.part.text.data, event.part.text.size, "a < b ");
    CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_MORE);
}

TEST(a_tag_that_never_ends_is_text_when_the_message_ends)
{
    split();
    STREAM(CHUNK("yes <thin") STOP DONE, "0 text \"yes <thin\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(reasoning_that_is_not_closed_stays_reasoning)
{
    split();
    STREAM(CHUNK("<think>hm") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"hm\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(tags_inside_reasoning_are_part_of_it)
{
    split();
    STREAM(CHUNK("<think>a<think>b</think>c</think>d") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"a<think>b</think>c\"\n0 flush\n1 text \"d\"\n1 flush\n"
           "FINISHED completed raw=stop\nEND\n");
}

TEST(an_end_tag_that_closes_nothing_is_left_out)
{
    split();
    STREAM(CHUNK("a</think>b") STOP DONE, "0 text \"ab\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(an_end_tag_that_closes_nothing_is_left_out_of_reasoning_at_any_depth)
{
    split();
    STREAM(CHUNK("<think>a</thinking>b</think>c") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"ab\"\n0 flush\n1 text \"c\"\n1 flush\n"
           "FINISHED completed raw=stop\nEND\n");
    STREAM(CHUNK("<think>a<think>b</thinking>c</think>d</think>e") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"a<think>bc</think>d\"\n0 flush\n1 text \"e\"\n1 flush\n"
           "FINISHED completed raw=stop\nEND\n");
}

TEST(an_end_tag_that_closes_tags_inside_another_is_text_only_inside_reasoning)
{
    split();
    STREAM(CHUNK("<think>a<reasoning>b</think>c") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"a<reasoning>b\"\n0 flush\n1 text \"c\"\n1 flush\n"
           "FINISHED completed raw=stop\nEND\n");
    STREAM(CHUNK("<think>a<reasoning>b<thinking>c</reasoning>d</think>e") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n"
           "0 think \"a<reasoning>b<thinking>c</reasoning>d\"\n0 flush\n1 text \"e\"\n1 flush\n"
           "FINISHED completed raw=stop\nEND\n");
    STREAM(CHUNK("<think>a<reasoning>b<thinking>c</think>d") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"a<reasoning>b<thinking>c\"\n0 flush\n"
           "1 text \"d\"\n1 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(reasoning_without_text_is_an_item)
{
    split();
    STREAM(CHUNK("<think x=1>b</think>") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\",\"attributes\":[[\"x\",\"1\"]]}\n0 think \"b\"\n0 flush\n"
           "FINISHED completed raw=stop\nEND\n");
    STREAM(CHUNK("<think/>a") STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 flush\n1 text \"a\"\n1 flush\n"
           "FINISHED completed raw=stop\nEND\n");
}

TEST(the_caller_sets_the_names)
{
    static const elelem_str names[] = { { "plan", 4 } };

    split();
    streams_now.desc.thought_tags = names;
    streams_now.desc.thought_tag_count = 1;
    STREAM(CHUNK("<think>a</think><plan>b</plan>") STOP DONE,
           "0 text \"<think>a</think>\"\n0 flush\n1 meta tag={\"name\":\"plan\",\"id\":\"plan-1\"}\n1 think \"b\"\n1 flush\n"
           "FINISHED completed raw=stop\nEND\n");
}

TEST(reasoning_and_tool_calls_pass_unchanged)
{
    split();
    STREAM(THOUGHT("<think>") CHUNK("a") CALL("{\\\"t\\\":\\\"<think>\\\"}") STOP DONE,
           "0 think \"<think>\"\n0 flush\n1 text \"a\"\n1 flush\n2 call id=c name=f\n"
           "2 args \"{\\\"t\\\":\\\"<think>\\\"}\"\n2 flush\nFINISHED tool_calls raw=stop\nEND\n");
}

TEST(structured_text_is_not_searched_for_tags)
{
    split();
    streams_now.desc.structured = 1;
    STREAM(CHUNK("\\\"<think>a</think>\\\"") STOP DONE,
           "0 json \"\\\"<think>a</think>\\\"\"\n0 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(each_choice_has_tags_of_its_own)
{
    split();
    STREAM("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"<think>a\"}},{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n"
           "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"c\"},\"finish_reason\":\"stop\"},"
           "{\"index\":0,\"delta\":{\"content\":\"</think>d\"},\"finish_reason\":\"stop\"}]}\n\n" DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"a\"\n1@1 text \"bc\"\n1@1 flush\n0 flush\n"
           "2 text \"d\"\n2 flush\nFINISHED completed raw=stop\nmeta finish_reasons={\"1\":\"completed\"}\nEND\n");
}

TEST(an_error_comes_after_the_text_that_was_held_back_and_flushes_nothing)
{
    split();
    STREAM(CHUNK("a <thi"), "0 text \"a <thi\"\nERROR connect retryable \"the response ended before it was complete\"\nEND\n");
    STREAM(CHUNK("<think>hm </thi"),
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"hm </thi\"\n"
           "ERROR connect retryable \"the response ended before it was complete\"\nEND\n");
}

TEST(metadata_of_a_message_stays_with_it)
{
    split();
    STREAM(CHUNK("<think>a</think>b")
           "data: {\"choices\":[{\"index\":0,\"delta\":{\"annotations\":[1]}}]}\n\n" STOP DONE,
           "0 meta tag={\"name\":\"think\",\"id\":\"think-1\"}\n0 think \"a\"\n0 flush\n1 text \"b\"\n"
           "1 meta annotations=[1]\n1 flush\nFINISHED completed raw=stop\nEND\n");
}

TEST(no_memory_at_any_point_is_one_error_and_no_leak)
{
    const char *body = CHUNK("a<think id='x'>b</thi") CHUNK("nk>c") STOP DONE;
    long k;
    int finished = 0;

    for (k = 0; k < 200 && !finished; k++) {
        limits_heap heap = ELELEM_INIT;
        elelem_stream stream;
        elelem_stream_desc desc = ELELEM_INIT;
        elelem_event event;
        int ends = 0;
        heap.refuse = (int)k + 1;
        heap.stays = 1;
        desc.shape = &elelem_shape_chat;
        desc.split_thoughts = 1;
        desc.allocator = limits_allocator(&heap);
        elelem_stream_init(&stream, &desc);
        elelem_stream_push(&stream, body, strlen(body));
        while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
            if (event.kind < ELELEM_EVENT_FINISHED) continue;
            ends++;
            finished = event.kind == ELELEM_EVENT_FINISHED;
            if (!finished) CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_OUT_OF_MEMORY);
        }
        CHECK_INT(ends, 1);
        elelem_stream_free(&stream);
        CHECK_U64(heap.blocks, 0);
    }
    CHECK(finished && k > 3);
}

/* Takes the next event, which must be one of this kind and index. */
static int takes(elelem_thought_splitter *splitter, elelem_event *event, elelem_event_kind kind, uint32_t index)
{
    return CHECK_INT(elelem_thought_splitter_next(splitter, event), ELELEM_OK) && CHECK_INT(event->kind, kind) &&
           CHECK_INT(event->index, index);
}

TEST(metadata_of_a_message_that_was_all_reasoning_is_of_an_empty_message_after_it)
{
    elelem_thought_splitter splitter;
    elelem_event event;

    elelem_thought_splitter_init(&splitter, NULL);
    event = message(4, "<think>a</think>");
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
    takes(&splitter, &event, ELELEM_EVENT_PART, 0);
    CHECK_INT(event.part.kind, ELELEM_PART_REASONING);
    takes(&splitter, &event, ELELEM_EVENT_PART, 0);
    CHECK_STR(event.part.text.data, event.part.text.size, "a");
    takes(&splitter, &event, ELELEM_EVENT_FLUSH, 0);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    event = with(flush(4), "phase", "\"final_answer\"");
    event.cut_off = 1;
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
    takes(&splitter, &event, ELELEM_EVENT_PART, 1);
    CHECK_INT(event.part.kind, ELELEM_PART_MESSAGE);
    CHECK_U64(event.part.text.size, 0);
    CHECK_U64(event.metadata.count, 1); /* so that the part says something */
    takes(&splitter, &event, ELELEM_EVENT_FLUSH, 1);
    CHECK_INT(event.cut_off, 1);
    CHECK_U64(event.metadata.count, 0);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    elelem_thought_splitter_free(&splitter);
}

TEST(an_event_that_is_pushed_too_early_is_refused_and_must_come_again)
{
    elelem_thought_splitter splitter;
    elelem_event first = message(4, "a"), second = message(4, "b"), other = message(4, "c"), event;

    elelem_thought_splitter_init(&splitter, NULL);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &first), ELELEM_OK);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &second), ELELEM_ERROR_MISUSE);
    takes(&splitter, &event, ELELEM_EVENT_PART, 0);
    CHECK_STR(event.part.text.data, event.part.text.size, "a");
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &second), ELELEM_OK);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &first), ELELEM_ERROR_MISUSE);
    takes(&splitter, &event, ELELEM_EVENT_PART, 0);
    CHECK_STR(event.part.text.data, event.part.text.size, "b");
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    CHECK_INT(elelem_thought_splitter_error(&splitter).status, ELELEM_OK);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &other), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_thought_splitter_error(&splitter).status, ELELEM_ERROR_MISUSE);
    CHECK(strstr(elelem_thought_splitter_error(&splitter).message, "lost"));
    CHECK_INT(elelem_thought_splitter_push(&splitter, &first), ELELEM_ERROR_MISUSE);
    elelem_thought_splitter_reset(&splitter);
    CHECK_INT(elelem_thought_splitter_error(&splitter).status, ELELEM_OK);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &other), ELELEM_OK);
    takes(&splitter, &event, ELELEM_EVENT_PART, 0);
    elelem_thought_splitter_free(&splitter);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &other), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_thought_splitter_error(&splitter).status, ELELEM_ERROR_MISUSE);
    elelem_thought_splitter_free(&splitter);
}

TEST(more_open_items_than_allowed_are_a_limit_that_counts_those_that_were_flushed)
{
    elelem_thought_splitter splitter;
    elelem_thought_splitter_desc desc = ELELEM_INIT;
    elelem_event event;
    uint32_t i;

    desc.max_open = 3;
    elelem_thought_splitter_init(&splitter, &desc);
    for (i = 0; i < 4; i++) {
        event = reasoning(i, "a");
        CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
        takes(&splitter, &event, ELELEM_EVENT_PART, i);
        CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
        event = flush(0);
        if (i > 0) continue;
        CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
        takes(&splitter, &event, ELELEM_EVENT_FLUSH, 0);
        CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    }
    event = message(4, "a");
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_ERROR_COUNT);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_ERROR_COUNT);
    CHECK_INT(elelem_thought_splitter_error(&splitter).status, ELELEM_ERROR_COUNT);
    CHECK_U64(elelem_thought_splitter_error(&splitter).offset, 1);
    elelem_thought_splitter_free(&splitter);
}

/* The item in the middle ends, and the others are what they were. */
TEST(items_that_end_in_any_order_keep_their_indices)
{
    static const uint32_t ends[] = { 1, 0, 2 };
    elelem_thought_splitter splitter;
    elelem_event event;
    uint32_t i;

    elelem_thought_splitter_init(&splitter, NULL);
    for (i = 0; i < 3; i++) {
        event = message(10 + i, "a");
        event.choice = i;
        CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
        takes(&splitter, &event, ELELEM_EVENT_PART, i);
        CHECK_INT(event.choice, i);
        CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    }
    for (i = 0; i < 3; i++) {
        event = flush(10 + ends[i]);
        CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
        takes(&splitter, &event, ELELEM_EVENT_FLUSH, ends[i]);
        CHECK_INT(event.choice, ends[i]);
        CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    }
    elelem_thought_splitter_free(&splitter);
}

TEST(a_flush_of_what_is_not_open_is_misuse_and_changes_nothing)
{
    elelem_thought_splitter splitter;
    elelem_event event = message(4, "a"), other = flush(3);

    elelem_thought_splitter_init(&splitter, NULL);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &other), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
    takes(&splitter, &event, ELELEM_EVENT_PART, 0);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &other), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_thought_splitter_error(&splitter).status, ELELEM_OK);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    event = flush(4);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
    takes(&splitter, &event, ELELEM_EVENT_FLUSH, 0);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_ERROR_MISUSE);
    elelem_thought_splitter_free(&splitter);
}

TEST(after_an_end_no_item_is_open_and_another_stream_may_follow)
{
    static const elelem_event none = ELELEM_INIT;
    elelem_thought_splitter splitter;
    elelem_event event = message(4, "one <thin"), other = flush(4);

    elelem_thought_splitter_init(&splitter, NULL);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
    takes(&splitter, &event, ELELEM_EVENT_PART, 0);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    event = none;
    event.kind = ELELEM_EVENT_ERROR;
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
    takes(&splitter, &event, ELELEM_EVENT_PART, 0);
    CHECK_STR(event.part.text.data, event.part.text.size, "<thin");
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_OK);
    CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &other), ELELEM_ERROR_MISUSE);
    event = message(4, "two");
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
    takes(&splitter, &event, ELELEM_EVENT_PART, 1);
    CHECK_STR(event.part.text.data, event.part.text.size, "two");
    CHECK_INT(elelem_thought_splitter_next(&splitter, &event), ELELEM_MORE);
    elelem_thought_splitter_free(&splitter);
}

CHECK_MAIN("thought",
           RUN(without_the_option_tags_are_text)
           RUN(reasoning_in_tags_has_an_index_of_its_own)
           RUN(tags_may_be_cut_between_frames_anywhere)
           RUN(reasoning_several_times_in_one_frame_is_several_items)
           RUN(text_that_is_no_tag_passes_at_once)
           RUN(a_tag_that_never_ends_is_text_when_the_message_ends)
           RUN(reasoning_that_is_not_closed_stays_reasoning)
           RUN(tags_inside_reasoning_are_part_of_it)
           RUN(an_end_tag_that_closes_nothing_is_left_out)
           RUN(an_end_tag_that_closes_nothing_is_left_out_of_reasoning_at_any_depth)
           RUN(an_end_tag_that_closes_tags_inside_another_is_text_only_inside_reasoning)
           RUN(reasoning_without_text_is_an_item)
           RUN(the_caller_sets_the_names)
           RUN(reasoning_and_tool_calls_pass_unchanged)
           RUN(structured_text_is_not_searched_for_tags)
           RUN(each_choice_has_tags_of_its_own)
           RUN(an_error_comes_after_the_text_that_was_held_back_and_flushes_nothing)
           RUN(metadata_of_a_message_stays_with_it)
           RUN(metadata_of_a_message_that_was_all_reasoning_is_of_an_empty_message_after_it)
           RUN(an_event_that_is_pushed_too_early_is_refused_and_must_come_again)
           RUN(more_open_items_than_allowed_are_a_limit_that_counts_those_that_were_flushed)
           RUN(items_that_end_in_any_order_keep_their_indices)
           RUN(a_flush_of_what_is_not_open_is_misuse_and_changes_nothing)
           RUN(after_an_end_no_item_is_open_and_another_stream_may_follow)
           RUN(no_memory_at_any_point_is_one_error_and_no_leak))
