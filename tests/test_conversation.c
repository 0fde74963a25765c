/* conversation: what is said, yielded and returned, as lines; whole turns of it through a request and back; and memory
   that is refused. */
#include "elelem_stream.h"

#include "check.h"
#include "limits.h"

#include <string.h>

#define SAID "{\"type\":\"user\",\"text\":\"Hi\"}\n"
#define GOT(id) "{\"type\":\"tool_result\",\"id\":\"" id "\",\"name\":\"now\",\"text\":\"1\"}\n"
#define CALL(index, id) "{\"type\":\"tool_call\",\"index\":" #index ",\"id\":\"" id "\",\"name\":\"now\",\"arguments\":{}}\n"
#define MESSAGE(text) "{\"type\":\"message\",\"index\":0,\"text\":\"" text "\"}\n"

static elelem_conversation talk;
static elelem_turn turn;

static void begin(void)
{
    elelem_allocator allocator = ELELEM_INIT;

    elelem_conversation_init(&talk, allocator, 0);
}

static void text_is(const char *expected)
{
    elelem_str text = elelem_conversation_text(&talk);

    CHECK_STR(text.data, text.size, expected);
}

static void says(const char *text)
{
    CHECK_INT(elelem_conversation_user(&talk, elelem_str_of(text)), ELELEM_OK);
}

#define CHAT_CALL(index, id)                                                                              \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":" #index ",\"id\":\"" id "\"," \
    "\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}]}}]}\n\n"
#define CHAT_TEXT(text) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define CHAT_END(reason) "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}\n\ndata: [DONE]\n\n"

/* Reads a response; with `with_results`, each call gets a result at once. Returns the first status that is no OK. */
static elelem_status read_response(const char *body, int with_results)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn_update update;
    elelem_status status = ELELEM_OK;

    desc.shape = &elelem_shape_chat;
    elelem_turn_init(&turn, &desc);
    elelem_turn_push(&turn, body, strlen(body));
    elelem_turn_finish(&turn);
    while (status == ELELEM_OK && elelem_turn_next(&turn, &update) == ELELEM_OK) {
        status = elelem_conversation_add(&talk, &update);
        if (status == ELELEM_OK && with_results && update.kind == ELELEM_TURN_TOOL_CALL_DONE)
            status = elelem_conversation_result(&talk, &update.tool_call, elelem_str_of("1"), 0);
    }
    elelem_turn_free(&turn);
    return status;
}

TEST(what_is_said_yielded_and_returned_are_lines)
{
    begin();
    says("Hi");
    CHECK_INT(read_response(CHAT_CALL(0, "a") CHAT_END("tool_calls"), 1), ELELEM_OK);
    CHECK_INT(read_response(CHAT_TEXT("It is one.") CHAT_END("stop"), 1), ELELEM_OK);
    text_is(SAID CALL(0, "a") GOT("a") MESSAGE("It is one."));
    elelem_conversation_free(&talk);
}

TEST(results_that_come_between_the_calls_of_a_response_go_after_them)
{
    begin();
    says("Hi");
    CHECK_INT(read_response(CHAT_CALL(0, "a") CHAT_CALL(1, "b") CHAT_CALL(2, "c") CHAT_END("tool_calls"), 1), ELELEM_OK);
    text_is(SAID CALL(0, "a") CALL(1, "b") CALL(2, "c") GOT("a") GOT("b") GOT("c"));
    elelem_conversation_free(&talk);
}

TEST(results_after_the_response_stay_before_the_next_one)
{
    elelem_talk_result result;

    begin();
    says("Hi");
    CHECK_INT(read_response(CHAT_CALL(0, "a") CHAT_END("tool_calls"), 0), ELELEM_OK);
    memset(&result, 0, sizeof result);
    result.id = elelem_str_of("a");
    result.name = elelem_str_of("now");
    result.text = elelem_str_of("1");
    CHECK_INT(elelem_conversation_add_result(&talk, &result), ELELEM_OK);
    CHECK_INT(read_response(CHAT_CALL(0, "b") CHAT_END("tool_calls"), 1), ELELEM_OK);
    text_is(SAID CALL(0, "a") GOT("a") CALL(0, "b") GOT("b"));
    elelem_conversation_free(&talk);
}

static elelem_turn_update update_of(int kind, const elelem_item *item)
{
    elelem_turn_update update;

    memset(&update, 0, sizeof update);
    update.kind = (uint8_t)kind;
    update.item = item;
    return update;
}

/* Adds an item of a response as the turn does, and with `is_last` its end. */
static void add_message(const char *text, int is_last)
{
    elelem_turn_update update;
    elelem_item item;

    memset(&item, 0, sizeof item);
    item.kind = ELELEM_PART_MESSAGE;
    item.state = ELELEM_ITEM_COMPLETE;
    item.text = elelem_str_of(text);
    update = update_of(ELELEM_TURN_ITEM, &item);
    CHECK_INT(elelem_conversation_add(&talk, &update), ELELEM_OK);
    update = update_of(ELELEM_TURN_FINISHED, NULL);
    if (is_last) CHECK_INT(elelem_conversation_add(&talk, &update), ELELEM_OK);
}

static void add_result(const char *id, int failed)
{
    elelem_tool_call call;

    memset(&call, 0, sizeof call);
    call.id = elelem_str_of(id);
    call.name = elelem_str_of("now");
    CHECK_INT(elelem_conversation_result(&talk, &call, elelem_str_of("1"), failed), ELELEM_OK);
}

static void store(const char *lines)
{
    CHECK_INT(elelem_conversation_set_text(&talk, elelem_str_of(lines)).status, ELELEM_OK);
}

/* A response of which a message and the result of a call came, and that goes no further. */
static void begin_response(void)
{
    begin();
    says("Hi");
    add_message("A", 0);
    add_result("a", 0);
    text_is(SAID MESSAGE("A") GOT("a"));
}

TEST(what_a_response_says_goes_before_its_results_while_it_is_read)
{
    begin_response();
    add_message("B", 1);
    add_message("C", 1);
    text_is(SAID MESSAGE("A") MESSAGE("B") GOT("a") MESSAGE("C"));
    elelem_conversation_free(&talk);
}

TEST(what_the_user_says_ends_a_response_that_is_being_read)
{
    begin_response();
    says("Hi");
    add_message("B", 1);
    text_is(SAID MESSAGE("A") GOT("a") SAID MESSAGE("B"));
    elelem_conversation_free(&talk);
}

TEST(what_is_not_said_for_lack_of_room_ends_no_response)
{
    static char large[400];
    elelem_allocator allocator = ELELEM_INIT;

    elelem_conversation_init(&talk, allocator, 300);
    says("Hi");
    add_message("A", 0);
    add_result("a", 0);
    memset(large, 'x', sizeof large - 1);
    CHECK_INT(elelem_conversation_user(&talk, elelem_str_of(large)), ELELEM_ERROR_VALUE_SIZE);
    add_message("B", 1);
    text_is(SAID MESSAGE("A") MESSAGE("B") GOT("a"));
    elelem_conversation_free(&talk);
}

TEST(stored_lines_end_a_response_that_is_being_read)
{
    begin_response();
    CHECK_INT(elelem_conversation_set_text(&talk, elelem_str_of(SAID SAID)).status, ELELEM_OK);
    add_message("B", 1);
    text_is(SAID SAID MESSAGE("B"));
    elelem_conversation_free(&talk);
}

TEST(a_patch_ends_a_response_that_is_being_read)
{
    elelem_patch patch;

    begin_response();
    patch.match_key = patch.remove_key = elelem_str_of("signature");
    patch.match_value = elelem_str_of("\"x\"");
    CHECK_U64(elelem_conversation_patch(&talk, &patch, 1), 0);
    add_message("B", 1);
    text_is(SAID MESSAGE("A") GOT("a") MESSAGE("B"));
    elelem_conversation_free(&talk);
}

TEST(a_turn_that_is_taken_back_is_no_longer_read)
{
    begin();
    store(SAID MESSAGE("A") SAID);
    add_message("B", 0);
    add_result("a", 0);
    CHECK(elelem_conversation_take_back(&talk) > 0);
    text_is(SAID MESSAGE("A"));
    add_message("C", 1);
    text_is(SAID MESSAGE("A") MESSAGE("C"));
    elelem_conversation_free(&talk);
}

TEST(a_conversation_that_was_cleared_reads_no_response)
{
    begin_response();
    elelem_conversation_clear(&talk);
    says("Hi");
    add_result("a", 0);
    add_message("B", 1);
    text_is(SAID GOT("a") MESSAGE("B"));
    elelem_conversation_free(&talk);
    begin_response();
    elelem_conversation_clear(&talk);
    add_result("a", 0);
    add_message("B", 1);
    text_is(GOT("a") MESSAGE("B"));
    elelem_conversation_free(&talk);
}

TEST(a_cut_while_a_response_is_read_keeps_the_place_of_its_results)
{
    begin();
    store(SAID MESSAGE("A") SAID);
    add_message("B", 0);
    add_result("a", 0);
    CHECK_U64(elelem_conversation_cut(&talk, 150), strlen(SAID MESSAGE("B") GOT("a")));
    add_message("C", 1);
    text_is(SAID MESSAGE("B") MESSAGE("C") GOT("a"));
    elelem_conversation_free(&talk);
}

TEST(a_result_may_say_that_the_tool_failed)
{
    begin();
    add_result("a", 2);
    text_is("{\"type\":\"tool_result\",\"id\":\"a\",\"name\":\"now\",\"text\":\"1\",\"failed\":true}\n");
    elelem_conversation_free(&talk);
}

TEST(a_whole_loop_gives_a_request_that_continues_it)
{
    static char body[2048];
    elelem_span_sink span;
    elelem_request request = ELELEM_INIT;

    begin();
    says("Hi");
    CHECK_INT(read_response(CHAT_TEXT("Let me see.") CHAT_CALL(0, "a") CHAT_CALL(1, "b") CHAT_END("tool_calls"), 1), ELELEM_OK);
    request.shape = &elelem_shape_messages;
    request.model = elelem_str_of("m");
    request.history = elelem_conversation_text(&talk);
    span.data = body;
    span.capacity = sizeof body;
    span.size = 0;
    CHECK_INT(elelem_request_write(&request, elelem_span_sink_of(&span)).status, ELELEM_OK);
    CHECK_STR(body, span.size,
              "{\"model\":\"m\",\"max_tokens\":4096,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},"
              "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Let me see.\"},"
              "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"now\",\"input\":{}},{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"now\",\"input\":{}}]},"
              "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"1\"},"
              "{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":\"1\"}]}],\"stream\":true}");
    elelem_conversation_free(&talk);
}

TEST(the_last_turn_can_be_taken_back)
{
    begin();
    CHECK_U64(elelem_conversation_take_back(&talk), 0);
    says("Hi");
    CHECK_INT(read_response(CHAT_TEXT("A") CHAT_END("stop"), 1), ELELEM_OK);
    says("Hi");
    says("Hi");
    CHECK_INT(read_response(CHAT_CALL(0, "a") CHAT_END("tool_calls"), 1), ELELEM_OK);
    CHECK_INT(read_response(CHAT_TEXT("B") CHAT_END("stop"), 1), ELELEM_OK);
    CHECK(elelem_conversation_take_back(&talk) > 0);
    text_is(SAID MESSAGE("A"));
    CHECK(elelem_conversation_take_back(&talk) > 0);
    text_is("");
    says("Hi");
    text_is(SAID);
    elelem_conversation_free(&talk);
}

TEST(stored_lines_are_checked_and_replace_all) /* Q9 */
{
    elelem_error error;

    begin();
    store("{\"type\":\"user\",\"text\":\"Hi\"}");
    text_is(SAID);
    store(SAID MESSAGE("A"));
    text_is(SAID MESSAGE("A"));
    error = elelem_conversation_set_text(&talk, elelem_str_of(SAID "{\"type\":\"?\"}"));
    CHECK_INT(error.status, ELELEM_ERROR_PROTOCOL);
    CHECK_U64(error.offset, 28);
    text_is(SAID MESSAGE("A"));
    store("");
    text_is("");
    elelem_conversation_free(&talk);
}

TEST(lines_that_are_stored_without_an_error_say_so)
{
    elelem_error error;

    begin();
    error = elelem_conversation_set_text(&talk, elelem_str_of(""));
    CHECK_INT(error.status, ELELEM_OK);
    CHECK_U64(error.offset, 0);
    text_is("");
    error = elelem_conversation_set_text(&talk, elelem_str_of(SAID));
    CHECK_INT(error.status, ELELEM_OK);
    CHECK_U64(error.offset, 0);
    CHECK_STR(error.message, strlen(error.message), elelem_status_sentence(ELELEM_OK));
    elelem_conversation_free(&talk);
}

TEST(stored_lines_are_refused_with_the_error_of_a_request)
{
    static const char *const bad[] = { SAID "{\"type\":\"?\"}", "[]", "{\"type\":\"message\",\"text\":x}", "{\"type\":\"message\",\"text\":null}" };
    elelem_span_sink none = ELELEM_INIT;
    elelem_request request = ELELEM_INIT;
    elelem_error error, other;
    size_t i;

    begin();
    request.shape = &elelem_shape_chat;
    request.model = elelem_str_of("m");
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_context(bad[i]);
        request.history = elelem_str_of(bad[i]);
        other = elelem_request_write(&request, elelem_span_sink_of(&none));
        error = elelem_conversation_set_text(&talk, request.history);
        CHECK(error.status != ELELEM_OK);
        CHECK_INT(error.status, other.status);
        CHECK_U64(error.offset, other.offset);
        CHECK_STR(error.message, strlen(error.message), other.message);
    }
    elelem_conversation_free(&talk);
}

TEST(what_was_in_the_memory_of_a_conversation_does_not_matter)
{
    memset(&talk, 0xff, sizeof talk);
    begin();
    add_result("a", 0);
    add_message("B", 1);
    text_is(GOT("a") MESSAGE("B"));
    elelem_conversation_free(&talk);
}

TEST(a_conversation_that_was_freed_takes_nothing)
{
    begin_response();
    elelem_conversation_free(&talk);
    CHECK_INT(elelem_conversation_user(&talk, elelem_str_of("Hi")), ELELEM_ERROR_MISUSE);
    text_is("");
    elelem_conversation_free(&talk);
}

TEST(a_conversation_without_lines_has_none_to_cut_or_patch)
{
    elelem_patch patch;

    patch.match_key = patch.remove_key = elelem_str_of("signature");
    patch.match_value = elelem_str_of("\"x\"");
    begin();
    CHECK_U64(elelem_conversation_cut(&talk, 0), 0);
    CHECK_U64(elelem_conversation_take_back(&talk), 0);
    CHECK_U64(elelem_conversation_patch(&talk, &patch, 1), 0);
    text_is("");
    elelem_conversation_free(&talk);
}

TEST(a_patch_of_no_lines_ends_no_response)
{
    elelem_turn_update update = update_of(ELELEM_TURN_TEXT, NULL);
    elelem_patch patch;

    patch.match_key = patch.remove_key = elelem_str_of("signature");
    patch.match_value = elelem_str_of("\"x\"");
    begin();
    CHECK_INT(elelem_conversation_add(&talk, &update), ELELEM_OK);
    CHECK_U64(elelem_conversation_patch(&talk, &patch, 1), 0);
    add_result("a", 0);
    add_message("B", 1);
    text_is(MESSAGE("B") GOT("a"));
    elelem_conversation_free(&talk);
}

TEST(the_oldest_turns_are_cut_and_no_call_loses_its_result) /* Q9 */
{
    static const char first[] = SAID CALL(0, "a") SAID GOT("a") MESSAGE("A");
    static const char second[] = SAID MESSAGE("B");
    static char all[1024];
    size_t budget;

    strcpy(all, first);
    strcat(all, second);
    begin();
    for (budget = 0; budget <= strlen(all); budget++) {
        store(all);
        CHECK_U64(elelem_conversation_cut(&talk, budget), budget >= strlen(all) ? strlen(all) : strlen(second));
        text_is(budget >= strlen(all) ? all : second);
    }
    store(MESSAGE("A"));
    CHECK_U64(elelem_conversation_cut(&talk, 0), strlen(MESSAGE("A")));
    store("");
    CHECK_U64(elelem_conversation_cut(&talk, 0), 0);
    elelem_conversation_free(&talk);
}

TEST(a_patch_removes_a_signature)
{
    elelem_patch patch;

    begin();
    store("{\"type\":\"reasoning\",\"text\":\"a\",\"metadata\":{\"signature\":\"x\"}}\n");
    patch.match_key = patch.remove_key = elelem_str_of("signature");
    patch.match_value = elelem_str_of("\"x\"");
    CHECK_U64(elelem_conversation_patch(&talk, &patch, 1), 1);
    text_is("{\"type\":\"reasoning\",\"text\":\"a\",\"metadata\":{}}\n");
    elelem_conversation_clear(&talk);
    CHECK_U64(elelem_conversation_patch(&talk, &patch, 1), 0);
    elelem_conversation_free(&talk);
}

TEST(a_line_that_does_not_fit_leaves_nothing) /* Q9 */
{
    elelem_allocator allocator = ELELEM_INIT;
    size_t room;

    for (room = 1; room < 200; room++) {
        elelem_str text;
        elelem_conversation_init(&talk, allocator, room);
        if (elelem_conversation_user(&talk, elelem_str_of("Hi")) == ELELEM_OK)
            read_response(CHAT_CALL(0, "a") CHAT_CALL(1, "b") CHAT_END("tool_calls"), 1);
        text = elelem_conversation_text(&talk);
        CHECK(text.size <= room);
        CHECK(text.size == 0 || text.data[text.size - 1] == '\n');
        elelem_conversation_free(&talk);
    }
    begin();
    CHECK_INT(elelem_conversation_user(&talk, elelem_str_of("")), ELELEM_ERROR_MISUSE);
    text_is("");
    elelem_conversation_free(&talk);
}

/* Memory. */

#define CALLS CHAT_CALL(0, "a") CHAT_CALL(1, "b") CHAT_END("tool_calls")

static limits_heap heap;

/* The steps of a conversation; each adds lines or, if memory was refused, changes nothing. */
static elelem_status one_step(int step, const elelem_turn_update *update)
{
    elelem_talk_image image = ELELEM_INIT;

    switch (step) {
    case 0: return elelem_conversation_user(&talk, elelem_str_of("Hi"));
    case 1: return elelem_conversation_add(&talk, update);
    case 2: return elelem_conversation_result(&talk, &update->tool_call, elelem_str_of("1"), 0);
    case 3:
        image.url = elelem_str_of("https://a");
        return elelem_conversation_images(&talk, elelem_str_of("And that?"), &image, 1);
    default: return elelem_conversation_set_text(&talk, elelem_str_of(SAID CALL(0, "a") SAID GOT("a") MESSAGE("A"))).status;
    }
}

/* Does the step; if memory is refused, checks that nothing changed, and does it again with memory. */
static void do_step(int step, const elelem_turn_update *update)
{
    static char before[2048];
    elelem_str text = elelem_conversation_text(&talk);
    size_t size = text.size;

    if (size > 0) memcpy(before, text.data, size);
    if (one_step(step, update) == ELELEM_OK) return;
    text = elelem_conversation_text(&talk);
    CHECK_BYTES(text.data, text.size, before, size);
    heap.refuse = 0;
    CHECK_INT(one_step(step, update), ELELEM_OK);
}

/* All steps, with a response in the middle that has two calls, whose results come at once. */
static void do_steps(void)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn_update update;

    elelem_conversation_init(&talk, limits_allocator(&heap), 0);
    do_step(0, NULL);
    desc.shape = &elelem_shape_chat;
    elelem_turn_init(&turn, &desc);
    elelem_turn_push(&turn, CALLS, strlen(CALLS));
    elelem_turn_finish(&turn);
    while (elelem_turn_next(&turn, &update) == ELELEM_OK) {
        do_step(1, &update);
        if (update.kind == ELELEM_TURN_TOOL_CALL_DONE) do_step(2, &update);
    }
    elelem_turn_free(&turn);
    do_step(3, NULL);
    text_is(SAID CALL(0, "a") CALL(1, "b") GOT("a") GOT("b")
            "{\"type\":\"user\",\"text\":\"And that?\",\"images\":[{\"url\":\"https://a\"}]}\n");
    do_step(4, NULL);
    text_is(SAID CALL(0, "a") SAID GOT("a") MESSAGE("A"));
    elelem_conversation_free(&talk);
    CHECK_U64(heap.live, 0);
    CHECK_U64(heap.blocks, 0);
}

TEST(any_refused_memory_leaves_the_lines_as_they_were) /* A3 */
{
    limits_heap none = ELELEM_INIT;
    int calls, k;

    heap = none;
    do_steps();
    calls = heap.calls;
    CHECK(calls > 3);
    for (k = 1; k <= 2 * calls; k++) {
        heap = none;
        heap.refuse = (k + 1) / 2;
        heap.stays = k & 1;
        check_cut("refused call for memory", (size_t)heap.refuse);
        do_steps();
    }
    check_cut(NULL, 0);
}

TEST(a_turn_begins_with_an_entry_but_not_inside_one)
{
    static const char spoken[] = "{\"role\":\"USER\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"Hi\"}]}\n";
    static const char both[] = "{\"role\":\"USER\",\"events\":[{\"eventType\":\"ToolExecuted\",\"id\":\"a\",\"output\":1},"
                               "{\"eventType\":\"PartialResponse\",\"chunk\":\"Hi\"}]}\n";
    static char all[600];

    strcpy(all, SAID MESSAGE("A"));
    strcat(all, spoken);
    strcat(all, MESSAGE("B"));
    begin();
    store(all);
    CHECK_U64(elelem_conversation_take_back(&talk), strlen(spoken) + strlen(MESSAGE("B")));
    text_is(SAID MESSAGE("A"));
    strcpy(all, SAID MESSAGE("A") SAID CALL(0, "a"));
    strcat(all, both);
    store(all);
    CHECK_U64(elelem_conversation_take_back(&talk), strlen(all) - strlen(SAID MESSAGE("A")));
    text_is(SAID MESSAGE("A"));
    elelem_conversation_free(&talk);
}

TEST(a_turn_begins_with_an_entry_whatever_event_is_first_in_it)
{
    static const char *const entries[] = {
        "{\"role\":\"USER\",\"text\":\"Hi\",\"events\":[{\"eventType\":\"Attached\"}]}\n",
        "{\"role\":\"USER\",\"events\":[{\"eventType\":\"Speech\"},{\"eventType\":\"PartialResponse\",\"chunk\":\"Hi\"}]}\n",
    };
    static char all[600];
    size_t i;

    begin();
    for (i = 0; i < 2; i++) {
        snprintf(all, sizeof all, SAID MESSAGE("A") "%s" MESSAGE("B"), entries[i]);
        store(all);
        CHECK_U64(elelem_conversation_take_back(&talk), strlen(entries[i]) + strlen(MESSAGE("B")));
        text_is(SAID MESSAGE("A"));
    }
    elelem_conversation_free(&talk);
}

TEST(a_turn_begins_with_a_line_after_an_entry_with_events)
{
#define ANSWERED "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"A\"}]}\n"
    begin();
    store(SAID ANSWERED SAID MESSAGE("B"));
    CHECK_U64(elelem_conversation_take_back(&talk), strlen(SAID MESSAGE("B")));
    text_is(SAID ANSWERED);
    elelem_conversation_free(&talk);
}

CHECK_MAIN("conversation",
    RUN(what_is_said_yielded_and_returned_are_lines)
    RUN(a_turn_begins_with_an_entry_whatever_event_is_first_in_it)
    RUN(a_turn_begins_with_a_line_after_an_entry_with_events)
    RUN(results_that_come_between_the_calls_of_a_response_go_after_them)
    RUN(results_after_the_response_stay_before_the_next_one)
    RUN(what_a_response_says_goes_before_its_results_while_it_is_read)
    RUN(what_the_user_says_ends_a_response_that_is_being_read)
    RUN(what_is_not_said_for_lack_of_room_ends_no_response)
    RUN(stored_lines_end_a_response_that_is_being_read)
    RUN(a_patch_ends_a_response_that_is_being_read)
    RUN(a_turn_that_is_taken_back_is_no_longer_read)
    RUN(a_conversation_that_was_cleared_reads_no_response)
    RUN(a_cut_while_a_response_is_read_keeps_the_place_of_its_results)
    RUN(a_result_may_say_that_the_tool_failed)
    RUN(a_whole_loop_gives_a_request_that_continues_it)
    RUN(the_last_turn_can_be_taken_back)
    RUN(stored_lines_are_checked_and_replace_all)
    RUN(lines_that_are_stored_without_an_error_say_so)
    RUN(stored_lines_are_refused_with_the_error_of_a_request)
    RUN(what_was_in_the_memory_of_a_conversation_does_not_matter)
    RUN(a_conversation_that_was_freed_takes_nothing)
    RUN(a_conversation_without_lines_has_none_to_cut_or_patch)
    RUN(a_patch_of_no_lines_ends_no_response)
    RUN(the_oldest_turns_are_cut_and_no_call_loses_its_result)
    RUN(a_patch_removes_a_signature)
    RUN(a_line_that_does_not_fit_leaves_nothing)
    RUN(any_refused_memory_leaves_the_lines_as_they_were)
    RUN(a_turn_begins_with_an_entry_but_not_inside_one))
