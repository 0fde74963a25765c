/* collector: a whole response at its end. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"

#define FRAME(json) "data: " json "\n\n"
#define DELTA(delta) FRAME("{\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}")
#define CALL DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\"}}]")
#define CALL_ENDS DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"[1]}\"}}]")
#define STOP FRAME("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}")

#define BODY DELTA("\"reasoning\":\"Hm, \"") DELTA("\"reasoning\":\"yes\"") DELTA("\"content\":\"Let me \"") DELTA("\"content\":\"see\"") \
    CALL CALL_ENDS STOP FRAME("[DONE]")

#define ITEM_THINK "{\"type\":\"reasoning\",\"index\":0,\"text\":\"Hm, yes\"}"
#define ITEM_TEXT "{\"type\":\"message\",\"index\":1,\"text\":\"Let me see\"}"
#define ITEM_CALL "{\"type\":\"tool_call\",\"index\":2,\"id\":\"c1\",\"name\":\"f\",\"arguments\":{\"a\":[1]}}"

#define RESPONSE                                                                    \
    "text Let me see\nreasoning Hm, yes\ncalls [" ITEM_CALL "]\nitems [" ITEM_THINK "," ITEM_TEXT "," ITEM_CALL "]\n" \
    "metadata {\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\nfinished tool_calls raw=tool_calls in=3 out=4\nEND\n"

/* A turn and a collector together, fed with a body. */

static elelem_turn turn;
static elelem_turn_desc turn_desc;
static elelem_collector collector;
static elelem_collector_desc desc;
static int resets;

static void start(void *object)
{
    (void)object;
    elelem_turn_free(&turn);
    elelem_turn_init(&turn, &turn_desc);
    if (resets) {
        elelem_collector_reset(&collector);
        return;
    }
    elelem_collector_free(&collector);
    elelem_collector_init(&collector, &desc);
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    (void)object;
    return elelem_turn_push(&turn, bytes, size);
}

static void log_value(feed_log *log, const char *name, elelem_value value)
{
    static elelem_buffer text;
    elelem_allocator plain = ELELEM_INIT;
    elelem_writer writer;

    elelem_buffer_init(&text, plain, 0);
    elelem_writer_init(&writer, elelem_buffer_sink(&text), 0);
    CHECK_INT(elelem_writer_value(&writer, value), ELELEM_OK);
    CHECK(elelem_value_is_complete(value));
    feed_line(log, "%s %.*s", name, ELELEM_STR_ARG(elelem_buffer_text(&text)));
    elelem_buffer_free(&text);
}

static void log_response(feed_log *log, const elelem_response *r)
{
    feed_line(log, "text %.*s", ELELEM_STR_ARG(r->text));
    feed_line(log, "reasoning %.*s", ELELEM_STR_ARG(r->reasoning));
    log_value(log, "calls", r->tool_calls);
    log_value(log, "items", r->items);
    log_value(log, "metadata", r->metadata);
    if (r->is_error) {
        feed_line(log, "error %s code=%.*s %.*s", elelem_error_kind_name(r->error.kind), ELELEM_STR_ARG(r->error.code),
                  ELELEM_STR_ARG(r->error.message));
        CHECK(feed_is_unknown(&r->usage));
    } else {
        feed_line(log, "finished %s raw=%.*s in=%ld out=%ld", elelem_finish_reason_name(r->reason), ELELEM_STR_ARG(r->raw_reason),
                  (long)r->usage.input, (long)r->usage.output);
    }
}

/* One update into the collector; after the last the response is logged. */
static elelem_status next(void *object, feed_log *log)
{
    elelem_turn_update update;
    elelem_response response;
    elelem_status status = elelem_turn_next(&turn, &update);

    (void)object;
    if (status != ELELEM_OK) return status;
    CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_MORE);
    status = elelem_collector_push(&collector, &update);
    if (status != ELELEM_OK) return status;
    if (update.kind != ELELEM_TURN_FINISHED && update.kind != ELELEM_TURN_ERROR) return ELELEM_OK;
    CHECK_INT(elelem_collector_push(&collector, &update), ELELEM_ERROR_MISUSE);
    if (CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_OK)) log_response(log, &response);
    return ELELEM_OK;
}

static void finish(void *object)
{
    (void)object;
    elelem_turn_finish(&turn);
}

static const feed_object fed = { NULL, start, push, next, finish, NULL };

static void ready(const elelem_shape *shape)
{
    static const elelem_turn_desc no_turn = ELELEM_INIT;
    static const elelem_collector_desc no_desc = ELELEM_INIT;

    turn_desc = no_turn;
    turn_desc.shape = shape;
    desc = no_desc;
}

static void gives(const char *body, const char *expected)
{
    FEED(&fed, body, strlen(body), expected);
}

TEST(a_response_is_its_text_reasoning_calls_items_metadata_and_end)
{
    ready(&elelem_shape_chat);
    gives(BODY, RESPONSE);
}

TEST(a_collector_that_is_reset_gives_the_same_again)
{
    ready(&elelem_shape_chat);
    start(NULL);
    resets = 1;
    gives(BODY, RESPONSE);
    resets = 0;
}

TEST(what_came_before_an_error_is_there_and_calls_that_are_not_whole_have_no_arguments)
{
    ready(&elelem_shape_chat);
    gives(DELTA("\"content\":\"a\"") CALL FRAME("{\"error\":{\"message\":\"busy\",\"code\":\"server_error\"}}"),
          "text a\nreasoning \n"
          "calls [{\"type\":\"tool_call\",\"index\":1,\"id\":\"c1\",\"name\":\"f\",\"partialArguments\":{},\"state\":\"cut_off\"}]\n"
          "items [{\"type\":\"message\",\"index\":0,\"text\":\"a\"},"
          "{\"type\":\"tool_call\",\"index\":1,\"id\":\"c1\",\"name\":\"f\",\"partialArguments\":{},\"state\":\"cut_off\"}]\n"
          "metadata {}\nerror transient code=server_error busy\nEND\n");
}

TEST(an_empty_response_has_empty_lists)
{
    ready(&elelem_shape_chat);
    gives(FRAME("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}"),
          "text \nreasoning \ncalls []\nitems []\nmetadata {}\nfinished max_tokens raw=length in=-1 out=-1\nEND\n");
}

TEST(provider_items_signatures_and_metadata_of_the_response_are_there)
{
    ready(&elelem_shape_messages);
    gives(FRAME("{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"x\"}}")
          FRAME("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}}")
          FRAME("{\"type\":\"content_block_stop\",\"index\":0}")
          FRAME("{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"container_upload\",\"file_id\":\"f\"}}")
          FRAME("{\"type\":\"content_block_stop\",\"index\":1}")
          FRAME("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"pause_turn\"}}") FRAME("{\"type\":\"message_stop\"}"),
          "text \nreasoning hm\ncalls []\n"
          "items [{\"type\":\"reasoning\",\"index\":0,\"text\":\"hm\",\"metadata\":{\"signature\":\"s\"}},"
          "{\"type\":\"provider_item\",\"index\":1,\"itemType\":\"container_upload\",\"hosted\":true,"
          "\"item\":{\"type\":\"container_upload\",\"file_id\":\"f\"}}]\n"
          "metadata {\"id\":\"m\",\"model\":\"x\"}\nfinished continue raw=pause_turn in=-1 out=-1\nEND\n");
}

TEST(structured_output_is_the_text)
{
    ready(&elelem_shape_chat);
    turn_desc.structured = 1;
    gives(DELTA("\"content\":\"{\\\"a\\\":1}\"") FRAME("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}"),
          "text {\"a\":1}\nreasoning \ncalls []\nitems [{\"type\":\"structured\",\"index\":0,\"value\":{\"a\":1}}]\nmetadata {}\n"
          "finished completed raw=stop in=-1 out=-1\nEND\n");
}

#define TWO_CHOICES                                                                                                       \
    FRAME("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"zero\"}},{\"index\":1,\"delta\":{\"content\":\"one\"}}]}") \
    FRAME("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"},{\"index\":1,\"delta\":{},\"finish_reason\":\"length\"}]}")

TEST(each_choice_has_its_own_items_and_reason)
{
    ready(&elelem_shape_chat);
    desc.choice = 1;
    gives(TWO_CHOICES, "text one\nreasoning \ncalls []\nitems [{\"type\":\"message\",\"index\":1,\"choice\":1,\"text\":\"one\"}]\n"
                       "metadata {\"finish_reasons\":{\"1\":\"max_tokens\"}}\nfinished max_tokens raw= in=-1 out=-1\nEND\n");
    desc.choice = 7;
    gives(TWO_CHOICES, "text \nreasoning \ncalls []\nitems []\nmetadata {\"finish_reasons\":{\"1\":\"max_tokens\"}}\n"
                       "finished other raw= in=-1 out=-1\nEND\n");
}

/* The body into a turn, whole; the collector's last status. */
static elelem_status collect(const char *body)
{
    elelem_turn_update update;
    elelem_status status = ELELEM_OK;

    start(NULL);
    CHECK_INT(elelem_turn_push(&turn, body, strlen(body)), ELELEM_OK);
    while (status == ELELEM_OK && elelem_turn_next(&turn, &update) == ELELEM_OK)
        status = elelem_collector_push(&collector, &update);
    return status;
}

TEST(memory_refused_at_any_call_is_an_error_that_sticks)
{
    elelem_turn_update update = ELELEM_INIT;
    elelem_response response;
    int refuse = 1, stays;

    for (stays = 0; stays < 2; stays++)
        for (refuse = 1;; refuse++) {
            limits_heap heap = ELELEM_INIT;
            elelem_status status;
            ready(&elelem_shape_chat);
            heap.refuse = refuse;
            heap.stays = stays;
            desc.allocator = limits_allocator(&heap);
            status = collect(BODY);
            if (status != ELELEM_OK) {
                CHECK_INT(status, ELELEM_ERROR_MEMORY);
                CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_ERROR_MEMORY);
                CHECK_INT(elelem_collector_push(&collector, &update), ELELEM_ERROR_MEMORY);
                CHECK_INT(elelem_collector_error(&collector).status, ELELEM_ERROR_MEMORY);
            } else {
                CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_OK);
                CHECK_STR(response.text.data, response.text.size, "Let me see");
            }
            elelem_collector_free(&collector);
            CHECK_U64(heap.live, 0);
            if (heap.calls < refuse) break;
        }
    CHECK(refuse > 5);
}

TEST(a_limit_is_an_error_that_sticks_or_all_is_there_in_the_memory_it_allows)
{
    elelem_response response;
    uint32_t most;

    for (most = 1; most < 1200; most++) {
        limits_heap heap = ELELEM_INIT;
        elelem_status status;
        ready(&elelem_shape_chat);
        desc.max_bytes = most;
        heap.bound = 6 * (uint64_t)most + 65536;
        desc.allocator = limits_allocator(&heap);
        status = collect(BODY);
        if (status != ELELEM_OK) CHECK_INT(status, ELELEM_ERROR_VALUE_SIZE);
        CHECK_INT(elelem_collector_response(&collector, &response), status);
        if (status == ELELEM_OK) CHECK_STR(response.reasoning.data, response.reasoning.size, "Hm, yes");
        CHECK(limits_held(&heap));
        elelem_collector_free(&collector);
        CHECK_U64(heap.live, 0);
    }
    ready(&elelem_shape_chat);
    CHECK_INT(collect(BODY), ELELEM_OK);
    elelem_collector_free(&collector);
}

TEST(calls_in_the_wrong_order_are_misuse)
{
    elelem_turn_update update = ELELEM_INIT;
    elelem_collector zeroed = ELELEM_INIT;
    elelem_response response;

    CHECK_INT(elelem_collector_push(&zeroed, &update), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_collector_response(&zeroed, &response), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_collector_error(&zeroed).status, ELELEM_ERROR_MISUSE);
    CHECK_U64(elelem_collector_error(&zeroed).offset, 0);
    elelem_collector_free(&zeroed);
    elelem_collector_init(&zeroed, NULL);
    CHECK_INT(elelem_collector_push(&zeroed, &update), ELELEM_OK);
    CHECK_INT(elelem_collector_response(&zeroed, &response), ELELEM_MORE);
    CHECK_INT(elelem_collector_error(&zeroed).status, ELELEM_OK);
    elelem_collector_free(&zeroed);
}

/* The reasons of other choices are in the metadata, which another shape may write. */
TEST(a_reason_is_that_of_the_choice_whose_number_it_has_if_it_is_known)
{
    static const struct {
        const char *reasons;
        elelem_finish_reason reason;
    } rows[] = {
        { "{\"2\":\"tool_calls\",\"1\":\"max_tokens\"}", ELELEM_FINISH_MAX_TOKENS },
        { "{\"x\":\"tool_calls\",\"-1\":\"tool_calls\",\"1\":\"completed\"}", ELELEM_FINISH_COMPLETED },
        { "{\"1\":\"of the future\"}", ELELEM_FINISH_OTHER },
        { "{\"1\":\"of the future\",\"2\":\"completed\"}", ELELEM_FINISH_OTHER },
        { "{\"1\":7}", ELELEM_FINISH_OTHER },
        { "{}", ELELEM_FINISH_OTHER },
        { "[\"completed\"]", ELELEM_FINISH_OTHER },
        { "7", ELELEM_FINISH_OTHER },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_turn_update update = ELELEM_INIT;
        elelem_metadata_entry entry;
        elelem_response response;
        check_context(rows[i].reasons);
        ready(&elelem_shape_chat);
        desc.choice = 1;
        elelem_collector_init(&collector, &desc);
        entry.key = elelem_str_of("finish_reasons");
        entry.json = elelem_str_of(rows[i].reasons);
        update.kind = ELELEM_TURN_FINISHED;
        update.reason = ELELEM_FINISH_TOOL_CALLS;
        update.metadata.entries = &entry;
        update.metadata.count = 1;
        CHECK_INT(elelem_collector_push(&collector, &update), ELELEM_OK);
        CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_OK);
        CHECK_INT(response.reason, rows[i].reason);
        elelem_collector_free(&collector);
    }
}

/* A text, and the JSON of its item, counted by hand. */
TEST(the_offset_of_an_error_is_the_number_of_bytes_kept_before)
{
    static const char json[] = "[{\"type\":\"reasoning\",\"index\":0,\"text\":\"ab\"}";
    static char letters[501];
    elelem_turn_update update = ELELEM_INIT;
    elelem_item item = ELELEM_INIT;

    memset(letters, 'x', sizeof letters - 1);
    ready(&elelem_shape_chat);
    desc.max_bytes = 500;
    elelem_collector_init(&collector, &desc);
    update.kind = ELELEM_TURN_ITEM;
    update.item = &item;
    item.kind = ELELEM_PART_REASONING;
    item.state = ELELEM_ITEM_COMPLETE;
    item.text = elelem_str_of("ab");
    CHECK_INT(elelem_collector_push(&collector, &update), ELELEM_OK);
    CHECK_U64(elelem_collector_error(&collector).offset, 0);
    item.text = elelem_str_of(letters);
    CHECK_INT(elelem_collector_push(&collector, &update), ELELEM_ERROR_VALUE_SIZE);
    CHECK_U64(elelem_collector_error(&collector).offset, strlen("ab") + strlen(json));
    elelem_collector_free(&collector);
}

/* A value of a thousand elements is far larger than all texts of the end. */
TEST(the_memory_of_values_comes_from_the_allocator)
{
    static char json[2002] = "[";
    limits_heap heap = ELELEM_INIT;
    elelem_turn_update update = ELELEM_INIT;
    elelem_metadata_entry entry;
    elelem_response response;
    size_t before;
    int i;

    for (i = 0; i < 1000; i++)
        memcpy(json + 1 + 2 * i, i < 999 ? "1," : "1]", 2);
    ready(&elelem_shape_chat);
    desc.allocator = limits_allocator(&heap);
    elelem_collector_init(&collector, &desc);
    entry.key = elelem_str_of("k");
    entry.json = elelem_str_of(json);
    update.kind = ELELEM_TURN_METADATA;
    update.metadata.entries = &entry;
    update.metadata.count = 1;
    CHECK_INT(elelem_collector_push(&collector, &update), ELELEM_OK);
    before = heap.live;
    memset(&update, 0, sizeof update);
    update.kind = ELELEM_TURN_FINISHED;
    CHECK_INT(elelem_collector_push(&collector, &update), ELELEM_OK);
    CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_OK);
    CHECK_U64(elelem_value_count(elelem_value_get(response.metadata, "k")), 1000);
    CHECK(heap.live > before + 4000);
    elelem_collector_free(&collector);
    CHECK_U64(heap.live, 0);
}

TEST(the_texts_of_the_end_are_copied)
{
    char code[] = "c1", message[] = "gone", raw[] = "stop";
    elelem_turn_update update = ELELEM_INIT;
    elelem_response response;

    ready(&elelem_shape_chat);
    elelem_collector_init(&collector, &desc);
    update.kind = ELELEM_TURN_ERROR;
    update.raw_reason = elelem_str_of(raw);
    update.error.code = elelem_str_of(code);
    update.error.message = elelem_str_of(message);
    CHECK_INT(elelem_collector_push(&collector, &update), ELELEM_OK);
    memset(code, 'x', sizeof code);
    memset(message, 'x', sizeof message);
    memset(raw, 'x', sizeof raw);
    CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_OK);
    CHECK_STR(response.raw_reason.data, response.raw_reason.size, "stop");
    CHECK_STR(response.error.code.data, response.error.code.size, "c1");
    CHECK_STR(response.error.message.data, response.error.message.size, "gone");
    elelem_collector_free(&collector);
}

TEST(init_takes_a_collector_of_any_bytes)
{
    static elelem_collector any;
    elelem_turn_update update = ELELEM_INIT;
    elelem_response response;

    memset(&any, 0xa5, sizeof any);
    elelem_collector_init(&any, NULL);
    CHECK_INT(elelem_collector_response(&any, &response), ELELEM_MORE);
    update.kind = ELELEM_TURN_FINISHED;
    CHECK_INT(elelem_collector_push(&any, &update), ELELEM_OK);
    CHECK_INT(elelem_collector_response(&any, &response), ELELEM_OK);
    CHECK_U64(response.raw_reason.size, 0);
    CHECK_U64(elelem_value_count(response.items), 0);
    elelem_collector_free(&any);
}

/* As deeply as a builder takes them by default. */
TEST(arguments_nested_512_deep_are_in_the_response)
{
    static char nested[1025], body[2000];
    elelem_response response;

    memset(nested, '[', 512);
    memset(nested + 512, ']', 512);
    snprintf(body, sizeof body, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":"
             "{\"name\":\"f\",\"arguments\":\"%s\"}}]}}]}\n\n" STOP FRAME("[DONE]"), nested);
    ready(&elelem_shape_chat);
    CHECK_INT(collect(body), ELELEM_OK);
    CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_OK);
    CHECK(elelem_value_is_complete(elelem_value_get(elelem_value_first(response.tool_calls), "arguments")));
    elelem_collector_free(&collector);
}

TEST(a_collector_that_was_freed_refuses_updates_as_a_zeroed_one_does)
{
    elelem_turn_update update = ELELEM_INIT;
    elelem_response response;

    ready(&elelem_shape_chat);
    CHECK_INT(collect(BODY), ELELEM_OK);
    elelem_collector_free(&collector);
    CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_collector_push(&collector, &update), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_collector_error(&collector).status, ELELEM_ERROR_MISUSE);
}

TEST(the_brackets_of_lists_count_for_the_limit)
{
    uint32_t most;

    for (most = 1; most < 300; most++) {
        elelem_turn_update update = ELELEM_INIT;
        elelem_response response;
        elelem_status status;
        check_cut("limit", most);
        ready(&elelem_shape_chat);
        desc.max_bytes = most;
        elelem_collector_init(&collector, &desc);
        update.kind = ELELEM_TURN_FINISHED;
        status = elelem_collector_push(&collector, &update);
        if (most < 6 || status != ELELEM_OK) CHECK_INT(status, ELELEM_ERROR_VALUE_SIZE);
        if (most > 200) CHECK_INT(status, ELELEM_OK);
        CHECK_INT(elelem_collector_response(&collector, &response), status);
        elelem_collector_free(&collector);
    }
}

TEST(a_message_that_leaves_no_room_for_empty_lists_is_an_error)
{
    static char text[1000];
    size_t left;

    memset(text, 'a', sizeof text);
    for (left = 0; left < 10; left++) {
        elelem_turn_update update = ELELEM_INIT;
        check_cut("bytes left", left);
        ready(&elelem_shape_chat);
        desc.max_bytes = sizeof text;
        elelem_collector_init(&collector, &desc);
        update.kind = ELELEM_TURN_ERROR;
        update.error.message.data = text;
        update.error.message.size = sizeof text - left;
        CHECK_INT(elelem_collector_push(&collector, &update), left < 6 ? ELELEM_ERROR_VALUE_SIZE : ELELEM_OK);
        elelem_collector_free(&collector);
    }
}

CHECK_MAIN("collector", RUN(a_response_is_its_text_reasoning_calls_items_metadata_and_end)
    RUN(a_collector_that_is_reset_gives_the_same_again)
    RUN(what_came_before_an_error_is_there_and_calls_that_are_not_whole_have_no_arguments)
    RUN(an_empty_response_has_empty_lists)
    RUN(provider_items_signatures_and_metadata_of_the_response_are_there)
    RUN(structured_output_is_the_text)
    RUN(each_choice_has_its_own_items_and_reason)
    RUN(memory_refused_at_any_call_is_an_error_that_sticks)
    RUN(a_limit_is_an_error_that_sticks_or_all_is_there_in_the_memory_it_allows)
    RUN(calls_in_the_wrong_order_are_misuse)
           RUN(the_offset_of_an_error_is_the_number_of_bytes_kept_before)
           RUN(the_memory_of_values_comes_from_the_allocator)
           RUN(the_texts_of_the_end_are_copied)
           RUN(init_takes_a_collector_of_any_bytes)
           RUN(arguments_nested_512_deep_are_in_the_response)
           RUN(a_collector_that_was_freed_refuses_updates_as_a_zeroed_one_does)
    RUN(a_reason_is_that_of_the_choice_whose_number_it_has_if_it_is_known)
    RUN(the_brackets_of_lists_count_for_the_limit)
    RUN(a_message_that_leaves_no_room_for_empty_lists_is_an_error))
