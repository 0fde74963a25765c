/* Provider items, typed calls and what is known of a response, from events to items, lines and back. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"
#include "records.h"

#define SEARCH(chunk) \
    "{\"eventType\":\"PartialProviderItem\",\"index\":3,\"type\":\"web_search_call\",\"hosted\":true,\"chunk\":\"" chunk "\"}\n"

/* Events and what a builder makes of them, one line an item. */

static elelem_event events[16];
static size_t event_count;
static elelem_event_builder_desc builder_desc;

static void begin(void)
{
    event_count = 0;
    memset(&builder_desc, 0, sizeof builder_desc);
}

static void say(elelem_event event)
{
    events[event_count++] = event;
}

static elelem_event hosted(uint32_t index, const char *json, const char *caption)
{
    elelem_event event = provider_item(index, "web_search_call", json);

    event.part.hosted = 1;
    event.part.caption = text_of(caption);
    return event;
}

static elelem_event typed_start(uint32_t index, const char *type, const char *id, const char *name)
{
    elelem_event event = start(index, id, name);

    event.part.tool_call.type = text_of(type);
    return event;
}

static void write_items(elelem_event_builder *builder, elelem_buffer *written)
{
    elelem_built built;

    while (elelem_event_builder_next(builder, &built) == ELELEM_OK) {
        elelem_writer writer;
        if (built.kind != ELELEM_BUILT_ITEM) continue;
        elelem_writer_init(&writer, elelem_buffer_sink(written), 0);
        CHECK_INT(elelem_item_write(&writer, &built.item), ELELEM_OK);
        CHECK_INT(elelem_buffer_append(written, "\n", 1), ELELEM_OK);
    }
}

static void gives_items(const char *expected)
{
    elelem_event_builder builder;
    elelem_buffer written;
    size_t i;

    elelem_buffer_init(&written, no_allocator, 0);
    elelem_event_builder_init(&builder, &builder_desc);
    for (i = 0; i < event_count; i++) {
        CHECK_INT(elelem_event_builder_push(&builder, &events[i]), ELELEM_OK);
        write_items(&builder, &written);
    }
    elelem_event_builder_drain(&builder);
    write_items(&builder, &written);
    CHECK_STR(elelem_buffer_text(&written).data, elelem_buffer_text(&written).size, expected);
    elelem_event_builder_free(&builder);
    elelem_buffer_free(&written);
}

TEST(a_provider_item_is_its_json_and_its_caption)
{
    begin();
    say(hosted(3, "{\"id\":\"ws_1\",\"act", "wea"));
    say(hosted(3, "ion\":{}}", "ther"));
    say(flush(3));
    gives_items("{\"type\":\"provider_item\",\"index\":3,\"itemType\":\"web_search_call\",\"hosted\":true,"
                "\"caption\":\"weather\",\"item\":{\"id\":\"ws_1\",\"action\":{}}}\n");
}

TEST(a_provider_item_with_line_ends_is_written_as_one_line)
{
    begin();
    say(provider_item(0, "x", "\n{\"a\\n\":\r"));
    say(provider_item(0, "x", "\n\t[1, 2\n]\n} \n"));
    say(flush(0));
    gives_items("{\"type\":\"provider_item\",\"index\":0,\"itemType\":\"x\",\"item\":{\"a\\n\":[1, 2]} }\n");
}

TEST(a_provider_item_that_stopped_in_the_middle_is_cut_off_and_its_json_is_text)
{
    begin();
    say(provider_item(0, "image", "{\"data\":\"aGk"));
    say(flush(0));
    say(provider_item(1, "image", "{\"data\":\"aGk"));
    gives_items("{\"type\":\"provider_item\",\"index\":0,\"itemType\":\"image\",\"text\":\"{\\\"data\\\":\\\"aGk\",\"state\":\"cut_off\"}\n"
                "{\"type\":\"provider_item\",\"index\":1,\"itemType\":\"image\",\"text\":\"{\\\"data\\\":\\\"aGk\",\"state\":\"cut_off\"}\n");
}

TEST(a_provider_item_whose_flush_says_cut_off_is_cut_off)
{
    elelem_event event = flush(0);

    begin();
    event.cut_off = 1;
    say(provider_item(0, "x", "{}"));
    say(event);
    gives_items("{\"type\":\"provider_item\",\"index\":0,\"itemType\":\"x\",\"text\":\"{}\",\"state\":\"cut_off\"}\n");
}

TEST(a_provider_item_that_is_no_json_cannot_forge_what_is_around_it) /* P8 */
{
    begin();
    say(provider_item(0, "x", "{}},{\"type\":\"message\""));
    say(flush(0));
    gives_items("{\"type\":\"provider_item\",\"index\":0,\"itemType\":\"x\",\"text\":\"{}},{\\\"type\\\":\\\"message\\\"\","
                "\"state\":\"malformed\"}\n");
}

TEST(a_provider_item_over_the_limit_is_left_out_and_the_rest_comes)
{
    begin();
    builder_desc.max_bytes = 30;
    say(message(0, "text"));
    say(flush(0));
    say(provider_item(1, "image", "{\"data\":\"aaaaaaaaaaaaaaaa"));
    say(provider_item(1, "image", "aaaaaaaaaaaaaaaaaaaaa\"}"));
    say(flush(1));
    say(message(2, "more text"));
    say(flush(2));
    gives_items("{\"type\":\"message\",\"index\":0,\"text\":\"text\"}\n"
                "{\"type\":\"provider_item\",\"index\":1,\"itemType\":\"image\",\"text\":\"\",\"state\":\"left_out\"}\n"
                "{\"type\":\"message\",\"index\":2,\"text\":\"more text\"}\n");
}

TEST(a_provider_item_nested_deeper_than_the_limit_allows_is_left_out)
{
    static char deep[801];
    size_t i;

    for (i = 0; i < 800; i++)
        deep[i] = i < 400 ? '[' : ']';
    begin();
    builder_desc.max_bytes = 1000;
    say(provider_item(0, "x", deep));
    say(flush(0));
    say(message(1, "text"));
    say(flush(1));
    gives_items("{\"type\":\"provider_item\",\"index\":0,\"itemType\":\"x\",\"text\":\"\",\"state\":\"left_out\"}\n"
                "{\"type\":\"message\",\"index\":1,\"text\":\"text\"}\n");
}

TEST(provider_items_that_are_not_kept_give_no_item)
{
    begin();
    builder_desc.keep = ELELEM_KEEP_MESSAGES;
    say(provider_item(0, "x", "{}"));
    say(flush(0));
    say(message(1, "text"));
    say(flush(1));
    gives_items("{\"type\":\"message\",\"index\":1,\"text\":\"text\"}\n");
}

TEST(a_call_that_is_no_plain_function_has_its_type)
{
    begin();
    say(start(0, "", ""));
    say(typed_start(0, "shell_call", "", ""));
    say(typed_start(0, "other", "c1", "shell"));
    say(chunk(0, "{\"commands\":[]}"));
    say(flush(0));
    gives_items("{\"type\":\"tool_call\",\"index\":0,\"callType\":\"shell_call\",\"id\":\"c1\",\"name\":\"shell\","
                "\"arguments\":{\"commands\":[]}}\n");
}

TEST(what_is_known_of_the_response_makes_no_item)
{
    begin();
    say(with(end_of(ELELEM_EVENT_METADATA), "id", "\"resp_1\""));
    gives_items("");
}

/* Lines. */

TEST(provider_items_typed_calls_and_metadata_have_their_lines)
{
    open_recorder();
    start_recorder();
    record(hosted(3, "{\"id\":", ""));
    record(hosted(3, "", "weather"));
    record(provider_item(4, "image", "{}"));
    record(typed_start(5, "shell_call", "c1", "shell"));
    record(with(end_of(ELELEM_EVENT_METADATA), "id", "\"resp_1\""));
    record(finished(ELELEM_FINISH_CONTINUE, "pause_turn"));
    CHECK_OUT(SEARCH("{\\\"id\\\":")
              "{\"eventType\":\"PartialProviderItem\",\"index\":3,\"type\":\"web_search_call\",\"hosted\":true,"
              "\"caption\":\"weather\",\"chunk\":\"\"}\n"
              "{\"eventType\":\"PartialProviderItem\",\"index\":4,\"type\":\"image\",\"chunk\":\"{}\"}\n"
              "{\"eventType\":\"ToolCallStart\",\"index\":5,\"type\":\"shell_call\",\"id\":\"c1\",\"toolName\":\"shell\"}\n"
              "{\"eventType\":\"ResponseMetadata\",\"metadata\":{\"id\":\"resp_1\"}}\n"
              "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"continue\",\"rawFinishReason\":\"pause_turn\"}\n");
    close_recorder();
}

#define ALL_LINES                                                                                                       \
    SEARCH("{\\\"id\\\":")                                                                                              \
    "{\"eventType\":\"PartialProviderItem\",\"index\":4,\"choice\":1,\"type\":\"image\",\"caption\":\"a cat\",\"chunk\":\"{}\"}\n" \
    "{\"eventType\":\"ToolCallStart\",\"index\":5,\"type\":\"shell_call\",\"id\":\"c1\",\"toolName\":\"shell\"}\n"      \
    "{\"eventType\":\"ResponseMetadata\",\"metadata\":{\"id\":\"resp_1\"}}\n"                                           \
    "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"continue\"}\n"

/* Replays the lines at every cut into the recorder, which writes them as they were. */
static elelem_replayer replayer;

static void start_replay(void *object)
{
    (void)object;
    elelem_replayer_free(&replayer);
    elelem_replayer_init(&replayer, NULL);
}

static elelem_status push_replay(void *object, const void *bytes, size_t size)
{
    (void)object;
    return elelem_replayer_push(&replayer, bytes, size);
}

static elelem_status take_replay(void *object, feed_log *log)
{
    elelem_record_item item;
    elelem_status status = elelem_replayer_next(&replayer, &item);

    (void)object;
    if (status != ELELEM_OK) return status;
    elelem_buffer_clear(&out);
    CHECK_INT(item.kind, ELELEM_RECORD_EVENT);
    record(item.event);
    feed_line(log, "%.*s", (int)elelem_buffer_text(&out).size - 1, elelem_buffer_text(&out).data);
    return ELELEM_OK;
}

static void finish_replay(void *object)
{
    (void)object;
    elelem_replayer_finish(&replayer);
}

TEST(their_lines_are_read_as_the_same_events_at_every_cut)
{
    static const feed_object object = { NULL, start_replay, push_replay, take_replay, finish_replay, NULL };

    open_recorder();
    start_recorder();
    FEED(&object, ALL_LINES, sizeof ALL_LINES - 1, ALL_LINES "END\n");
    elelem_replayer_free(&replayer);
    close_recorder();
}

TEST(lines_whose_new_members_have_other_types_are_no_events)
{
    static const char *const lines[] = {
        "{\"eventType\":\"PartialProviderItem\",\"index\":3,\"chunk\":\"{}\"}",
        "{\"eventType\":\"PartialProviderItem\",\"index\":3,\"type\":1,\"chunk\":\"{}\"}",
        "{\"eventType\":\"PartialProviderItem\",\"index\":3,\"type\":\"x\",\"hosted\":1,\"chunk\":\"{}\"}",
        "{\"eventType\":\"PartialProviderItem\",\"index\":3,\"type\":\"x\",\"caption\":{},\"chunk\":\"{}\"}",
        "{\"eventType\":\"PartialProviderItem\",\"index\":3,\"type\":\"x\"}",
        "{\"eventType\":\"ToolCallStart\",\"index\":3,\"type\":[]}",
        "{\"eventType\":\"ResponseMetadata\",\"metadata\":[]}",
    };
    size_t i;

    for (i = 0; i < sizeof lines / sizeof *lines; i++) {
        elelem_record_item item;
        elelem_replayer_init(&replayer, NULL);
        CHECK_INT(elelem_replayer_push(&replayer, lines[i], strlen(lines[i])), ELELEM_OK);
        elelem_replayer_finish(&replayer);
        CHECK_INT(elelem_replayer_next(&replayer, &item), ELELEM_OK);
        CHECK_INT(item.kind, ELELEM_RECORD_LINE);
        elelem_replayer_free(&replayer);
    }
}

/* Coalescing. */

static elelem_event_coalescer coalescer;

static void take_coalesced(void)
{
    elelem_record_item item;

    while (elelem_event_coalescer_next(&coalescer, &item) == ELELEM_OK)
        CHECK_INT(elelem_recorder_push_item(&recorder, &item), ELELEM_OK);
}

static void coalesces(const char *expected)
{
    size_t i;

    open_recorder();
    start_recorder();
    elelem_event_coalescer_init(&coalescer, NULL);
    for (i = 0; i < event_count; i++) {
        CHECK_INT(elelem_event_coalescer_push(&coalescer, &events[i]), ELELEM_OK);
        take_coalesced();
    }
    elelem_event_coalescer_finish(&coalescer);
    take_coalesced();
    CHECK_OUT(expected);
    elelem_event_coalescer_free(&coalescer);
    close_recorder();
}

TEST(the_pieces_of_a_provider_item_become_one_line)
{
    begin();
    say(hosted(3, "{\"id\":", "wea"));
    say(hosted(3, "1}", "ther"));
    say(flush(3));
    coalesces("{\"eventType\":\"PartialProviderItem\",\"index\":3,\"type\":\"web_search_call\",\"hosted\":true,"
              "\"caption\":\"weather\",\"chunk\":\"{\\\"id\\\":1}\"}\n");
}

TEST(pieces_of_other_types_or_of_items_that_are_not_hosted_are_not_joined)
{
    elelem_event event = hosted(3, "2", "");

    begin();
    event.part.hosted = 0;
    say(hosted(3, "1", ""));
    say(event);
    say(provider_item(3, "y", "3"));
    coalesces(SEARCH("1") "{\"eventType\":\"PartialProviderItem\",\"index\":3,\"type\":\"web_search_call\",\"chunk\":\"2\"}\n"
                          "{\"eventType\":\"PartialProviderItem\",\"index\":3,\"type\":\"y\",\"chunk\":\"3\"}\n");
}

TEST(a_typed_call_keeps_its_type_in_its_one_line)
{
    begin();
    say(typed_start(5, "shell_call", "c1", "shell"));
    say(chunk(5, "{\"commands\":[]}"));
    say(flush(5));
    coalesces("{\"eventType\":\"BeforeToolExecution\",\"index\":5,\"type\":\"shell_call\",\"id\":\"c1\",\"toolName\":\"shell\","
              "\"input\":{\"commands\":[]}}\n");
}

TEST(a_typed_call_that_is_never_flushed_keeps_its_type)
{
    begin();
    say(typed_start(5, "shell_call", "c1", "shell"));
    coalesces("{\"eventType\":\"ToolCallStart\",\"index\":5,\"type\":\"shell_call\",\"id\":\"c1\",\"toolName\":\"shell\"}\n");
}

TEST(what_is_known_of_the_response_ends_no_call)
{
    begin();
    say(start(5, "c1", "f"));
    say(with(end_of(ELELEM_EVENT_METADATA), "id", "\"resp_1\""));
    say(chunk(5, "{}"));
    say(flush(5));
    coalesces("{\"eventType\":\"ResponseMetadata\",\"metadata\":{\"id\":\"resp_1\"}}\n"
              "{\"eventType\":\"BeforeToolExecution\",\"index\":5,\"id\":\"c1\",\"toolName\":\"f\",\"input\":{}}\n");
}

/* Thoughts in tags. */

TEST(what_is_known_of_the_response_passes_the_thought_splitter)
{
    elelem_thought_splitter splitter;
    elelem_event event = with(end_of(ELELEM_EVENT_METADATA), "id", "\"resp_1\""), got;

    elelem_thought_splitter_init(&splitter, NULL);
    CHECK_INT(elelem_thought_splitter_push(&splitter, &event), ELELEM_OK);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &got), ELELEM_OK);
    CHECK_INT(got.kind, ELELEM_EVENT_METADATA);
    CHECK_U64(got.metadata.count, 1);
    CHECK_INT(elelem_thought_splitter_next(&splitter, &got), ELELEM_MORE);
    elelem_thought_splitter_free(&splitter);
}

CHECK_MAIN("provider_items", RUN(a_provider_item_is_its_json_and_its_caption)
           RUN(a_provider_item_with_line_ends_is_written_as_one_line)
           RUN(a_provider_item_that_stopped_in_the_middle_is_cut_off_and_its_json_is_text)
           RUN(a_provider_item_whose_flush_says_cut_off_is_cut_off)
           RUN(a_provider_item_that_is_no_json_cannot_forge_what_is_around_it)
           RUN(a_provider_item_over_the_limit_is_left_out_and_the_rest_comes)
           RUN(a_provider_item_nested_deeper_than_the_limit_allows_is_left_out)
           RUN(provider_items_that_are_not_kept_give_no_item)
           RUN(a_call_that_is_no_plain_function_has_its_type)
           RUN(what_is_known_of_the_response_makes_no_item)
           RUN(provider_items_typed_calls_and_metadata_have_their_lines)
           RUN(their_lines_are_read_as_the_same_events_at_every_cut)
           RUN(lines_whose_new_members_have_other_types_are_no_events)
           RUN(the_pieces_of_a_provider_item_become_one_line)
           RUN(pieces_of_other_types_or_of_items_that_are_not_hosted_are_not_joined)
           RUN(a_typed_call_keeps_its_type_in_its_one_line)
           RUN(a_typed_call_that_is_never_flushed_keeps_its_type)
           RUN(what_is_known_of_the_response_ends_no_call)
           RUN(what_is_known_of_the_response_passes_the_thought_splitter))
