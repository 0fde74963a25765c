/* Provider items of a wire: what is no text, no reasoning and no call for the caller, put together or passed on. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"

static elelem_stream stream;
static elelem_stream_desc desc;

static void wanting(int provider_items)
{
    memset(&desc, 0, sizeof desc);
    desc.shape = &elelem_shape_messages;
    desc.without_provider_items = !provider_items;
}

static void start(void *object)
{
    (void)object;
    elelem_stream_free(&stream);
    elelem_stream_init(&stream, &desc);
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    (void)object;
    return elelem_stream_push(&stream, bytes, size);
}

static void finish(void *object)
{
    (void)object;
    elelem_stream_finish(&stream);
}

static void log_metadata(feed_log *log, const elelem_metadata *metadata)
{
    size_t i;

    for (i = 0; i < metadata->count; i++)
        feed_line(log, "meta %.*s=%.*s", ELELEM_STR_ARG(metadata->entries[i].key), ELELEM_STR_ARG(metadata->entries[i].json));
}

static void log_part(feed_log *log, const elelem_event *event)
{
    char label[200];

    if (event->part.kind == ELELEM_PART_PROVIDER_ITEM)
        snprintf(label, sizeof label, "%u %s%.*s", (unsigned)event->index, event->part.hosted ? "hosted " : "",
                 ELELEM_STR_ARG(event->part.type));
    else
        snprintf(label, sizeof label, "%u text", (unsigned)event->index);
    if (event->part.caption.size > 0) feed_line(log, "caption %.*s", ELELEM_STR_ARG(event->part.caption));
    else feed_text(log, label, event->part.text.data, event->part.text.size);
}

static elelem_status next(void *object, feed_log *log)
{
    elelem_event event;
    elelem_status status = elelem_stream_next(&stream, &event);

    (void)object;
    if (status != ELELEM_OK) return status;
    switch ((elelem_event_kind)event.kind) {
    case ELELEM_EVENT_PART: log_part(log, &event); break;
    case ELELEM_EVENT_FLUSH: feed_line(log, "%u flush%s", (unsigned)event.index, event.cut_off ? " cut off" : ""); break;
    case ELELEM_EVENT_METADATA: log_metadata(log, &event.metadata); break;
    case ELELEM_EVENT_FINISHED: feed_line(log, "FINISHED %s", elelem_finish_reason_name(event.reason)); break;
    default: feed_line(log, "ERROR %s", elelem_error_kind_name(event.error.kind)); break;
    }
    return ELELEM_OK;
}

static const feed_object fed = { NULL, start, push, next, finish, NULL };

static void gives(const char *body, const char *expected)
{
    FEED(&fed, body, strlen(body), expected);
    elelem_stream_free(&stream);
}

#define FRAME(json) "data: " json "\n\n"
#define BEGIN FRAME("{\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"model\":\"big\",\"role\":\"assistant\"}}")
#define BLOCK(index, block) FRAME("{\"type\":\"content_block_start\",\"index\":" index ",\"content_block\":" block "}")
#define DELTA(index, delta) FRAME("{\"type\":\"content_block_delta\",\"index\":" index ",\"delta\":" delta "}")
#define INPUT(index, json) DELTA(index, "{\"type\":\"input_json_delta\",\"partial_json\":\"" json "\"}")
#define STOP(index) FRAME("{\"type\":\"content_block_stop\",\"index\":" index "}")
#define END(reason) FRAME("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" reason "\"}}") FRAME("{\"type\":\"message_stop\"}")
#define KNOWN "meta id=\"m1\"\nmeta model=\"big\"\n"

TEST(a_call_that_the_provider_runs_is_put_together_from_its_deltas)
{
    wanting(1);
    gives(BEGIN BLOCK("0", "{\"type\":\"server_tool_use\",\"id\":\"s1\",\"name\":\"web_search\",\"input\":{}}") INPUT("0", "")
              INPUT("0", "{\\\"query\\\":\\\"w") INPUT("0", "x\\\"}") STOP("0") END("end_turn"),
          KNOWN "0 hosted server_tool_use \"{\\\"type\\\":\\\"server_tool_use\\\",\\\"id\\\":\\\"s1\\\",\\\"name\\\":\\\"web_search\\\",\\\"input\\\":\"\n"
                "caption web_search\n"
                "0 hosted server_tool_use \"{\\\"query\\\":\\\"wx\\\"}}\"\n0 flush\nFINISHED completed\nEND\n");
}

TEST(such_a_call_without_input_or_with_all_of_it_at_once_is_whole)
{
    wanting(1);
    gives(BEGIN BLOCK("0", "{\"type\":\"mcp_tool_use\",\"input\":{}}") STOP("0")
              BLOCK("1", "{\"type\":\"mcp_tool_use\",\"input\":{\"a\":1}}") INPUT("1", "{}") STOP("1") END("end_turn"),
          KNOWN "0 hosted mcp_tool_use \"{\\\"type\\\":\\\"mcp_tool_use\\\",\\\"input\\\":{}}\"\n0 flush\n"
                "1 hosted mcp_tool_use \"{\\\"type\\\":\\\"mcp_tool_use\\\",\\\"input\\\":{\\\"a\\\":1}}\"\n1 flush\nFINISHED completed\nEND\n");
}

TEST(such_a_call_that_the_reason_cuts_off_stays_open_json)
{
    wanting(1);
    gives(BEGIN BLOCK("0", "{\"type\":\"server_tool_use\",\"input\":{}}") INPUT("0", "{\\\"q") END("max_tokens"),
          KNOWN "0 hosted server_tool_use \"{\\\"type\\\":\\\"server_tool_use\\\",\\\"input\\\":{\\\"q\"\n0 flush\nFINISHED max_tokens\nEND\n");
}

TEST(a_result_passes_as_it_is_with_what_its_strings_hold)
{
    wanting(1);
    gives(BEGIN BLOCK("0", "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s1\",\"content\":[{\"t\":\"\\u00e9 \\\"q\\\"\\n\",\"n\":1.50e3,"
                           "\"x\":null,\"y\":[],\"z\":{}}]}") STOP("0") END("end_turn"),
          KNOWN "0 hosted web_search_tool_result \"{\\\"type\\\":\\\"web_search_tool_result\\\",\\\"tool_use_id\\\":\\\"s1\\\",\\\"content\\\":"
                "[{\\\"t\\\":\\\"\xc3\xa9 \\\\\\\"q\\\\\\\"\\\\n\\\",\\\"n\\\":1.50e3,\\\"x\\\":null,\\\"y\\\":[],\\\"z\\\":{}}]}\"\n"
                "0 flush\nFINISHED completed\nEND\n");
}

TEST(a_block_of_an_unknown_type_has_what_its_deltas_bring)
{
    wanting(1);
    gives(BEGIN BLOCK("0", "{\"type\":\"hologram\",\"light\":[1]}") DELTA("0", "{\"type\":\"beam_delta\",\"beam\":2}") STOP("0")
              BLOCK("1", "{\"type\":\"text\",\"text\":\"hi\"}") STOP("1") END("end_turn"),
          KNOWN "0 hologram \"{\\\"type\\\":\\\"hologram\\\",\\\"light\\\":[1],\\\"beam\\\":2}\"\n0 flush\n1 text \"hi\"\n1 flush\nFINISHED completed\nEND\n");
}

TEST(a_compaction_has_what_its_delta_brings)
{
    wanting(1);
    gives(BEGIN BLOCK("0", "{\"type\":\"compaction\",\"content\":null}")
              DELTA("0", "{\"type\":\"compaction_delta\",\"content\":\"short\",\"encrypted_content\":\"AA\"}") STOP("0") END("compaction"),
          KNOWN "0 hosted compaction \"{\\\"type\\\":\\\"compaction\\\",\\\"content\\\":\\\"short\\\",\\\"encrypted_content\\\":\\\"AA\\\"}\"\n"
                "0 flush\nFINISHED continue\nEND\n");
}

TEST(a_fallback_keeps_its_place_and_names_the_model_that_continues)
{
    wanting(1);
    gives(BEGIN BLOCK("0", "{\"type\":\"fallback\",\"from\":{\"model\":\"big\"},\"to\":{\"model\":\"small\"}}") STOP("0")
              BLOCK("1", "{\"type\":\"text\",\"text\":\"hi\"}") STOP("1") END("end_turn"),
          KNOWN "meta model=\"small\"\n0 hosted fallback \"{\\\"type\\\":\\\"fallback\\\",\\\"from\\\":{\\\"model\\\":\\\"big\\\"},\\\"to\\\":"
                "{\\\"model\\\":\\\"small\\\"}}\"\n0 flush\n1 text \"hi\"\n1 flush\nFINISHED completed\nEND\n");
}

TEST(blocks_that_the_message_begins_with_come_in_their_order)
{
    wanting(1);
    gives(FRAME("{\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"content\":[{\"type\":\"code_execution_tool_result\",\"n\":1},"
                "{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"code_execution_tool_result\",\"n\":2}]}}") END("end_turn"),
          "meta id=\"m1\"\n"
          "0 hosted code_execution_tool_result \"{\\\"type\\\":\\\"code_execution_tool_result\\\",\\\"n\\\":1}\"\n0 flush\n"
          "1 text \"hi\"\n1 flush\n"
          "2 hosted code_execution_tool_result \"{\\\"type\\\":\\\"code_execution_tool_result\\\",\\\"n\\\":2}\"\n"
          "2 flush\nFINISHED completed\nEND\n");
}

TEST(more_blocks_may_pass_in_one_message_than_may_be_open)
{
    static char body[20000], expected[40000];
    size_t size = (size_t)snprintf(body, sizeof body, "data: {\"type\":\"message_start\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}");
    size_t expected_size = (size_t)snprintf(expected, sizeof expected, "0 text \"a\"\n0 flush\n");
    unsigned i;

    for (i = 1; i <= 300; i++) {
        size += (size_t)snprintf(body + size, sizeof body - size, ",{\"type\":\"x\",\"n\":%u}", i);
        expected_size += (size_t)snprintf(expected + expected_size, sizeof expected - expected_size,
                                          "%u x \"{\\\"type\\\":\\\"x\\\",\\\"n\\\":%u}\"\n%u flush\n", i, i, i);
    }
    snprintf(body + size, sizeof body - size, "]}}\n\n" END("end_turn"));
    snprintf(expected + expected_size, sizeof expected - expected_size, "FINISHED completed\nEND\n");
    wanting(1);
    gives(body, expected);
}

TEST(blocks_that_passed_in_a_frame_that_begins_no_message_hide_none_of_the_message)
{
    wanting(1);
    gives("data: {\"message\":{\"content\":[{\"a\":12345,\"type\":\"x\",\"n\":1},{\"type\":\"y\",\"n\":2}]},\"type\":\"ping\"}\n\n"
          "data: {\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]},\"type\":\"message_start\"}\n\n"
              END("end_turn"),
          "0 x \"{\\\"a\\\":12345,\\\"type\\\":\\\"x\\\",\\\"n\\\":1}\"\n0 flush\n1 y \"{\\\"type\\\":\\\"y\\\",\\\"n\\\":2}\"\n"
          "2 text \"a\"\n2 flush\n1 flush\n3 text \"b\"\n3 flush\nFINISHED completed\nEND\n");
}

TEST(blocks_of_one_frame_have_each_its_own_type)
{
    wanting(1);
    gives(FRAME("{\"type\":\"message_start\",\"message\":{\"content\":[{\"type\":\"server_tool_use\",\"input\":{\"a\":1}},"
                "{\"type\":\"mcp_tool_use\",\"input\":{\"a\":2}},{\"type\":\"compaction\",\"content\":\"x\"}]}}") END("end_turn"),
          "0 hosted server_tool_use \"{\\\"type\\\":\\\"server_tool_use\\\",\\\"input\\\":{\\\"a\\\":1}}\"\n0 flush\n"
          "1 hosted mcp_tool_use \"{\\\"type\\\":\\\"mcp_tool_use\\\",\\\"input\\\":{\\\"a\\\":2}}\"\n1 flush\n"
          "2 hosted compaction \"{\\\"type\\\":\\\"compaction\\\",\\\"content\\\":\\\"x\\\"}\"\n2 flush\n"
          "FINISHED completed\nEND\n");
}

TEST(a_second_message_start_gives_no_items)
{
    wanting(1);
    gives(BEGIN FRAME("{\"type\":\"message_start\",\"message\":{\"content\":[{\"type\":\"x\",\"n\":1}]}}") END("end_turn"),
          KNOWN "FINISHED completed\nEND\n");
}

TEST(a_frame_of_another_type_gives_no_items)
{
    wanting(1);
    gives(BEGIN FRAME("{\"type\":\"ping\",\"index\":0,\"content_block\":{\"type\":\"x\",\"n\":1}}") END("end_turn"),
          KNOWN "FINISHED completed\nEND\n");
    gives(BEGIN FRAME("{\"type\":\"content_block_start\",\"message\":{\"content\":[{\"type\":\"x\",\"n\":1}]}}") END("end_turn"),
          KNOWN "FINISHED completed\nEND\n");
}

TEST(a_block_whose_type_comes_last_is_an_item_all_the_same)
{
    wanting(1);
    gives(BEGIN FRAME("{\"content_block\":{\"content\":[1],\"type\":\"web_fetch_tool_result\"},\"index\":0,\"type\":\"content_block_start\"}")
              STOP("0") END("end_turn"),
          KNOWN "0 hosted web_fetch_tool_result \"{\\\"content\\\":[1],\\\"type\\\":\\\"web_fetch_tool_result\\\"}\"\n0 flush\n"
                "FINISHED completed\nEND\n");
}

TEST(a_body_that_stops_inside_an_item_is_an_early_end)
{
    wanting(1);
    gives("data: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"model\":\"big\",\"content\":[{\"type\":\"x\",\"n\":[1,",
          KNOWN "0 x \"{\\\"type\\\":\\\"x\\\"\"\nERROR connect\nEND\n");
}

TEST(switched_off_nothing_comes_of_provider_items)
{
    wanting(0);
    gives(BEGIN BLOCK("0", "{\"type\":\"server_tool_use\",\"input\":{}}") INPUT("0", "{}") STOP("0")
              BLOCK("1", "{\"type\":\"web_search_tool_result\",\"content\":[1]}") STOP("1") END("pause_turn"),
          "FINISHED continue\nEND\n");
}

/* Large ones. */

#define LARGE (40u << 20)

static size_t piece_bytes; /* of JSON that came */

static void take_pieces(void)
{
    elelem_event event;
    elelem_status status;

    while ((status = elelem_stream_next(&stream, &event)) == ELELEM_OK) {
        CHECK(event.kind != ELELEM_EVENT_ERROR);
        if (event.kind == ELELEM_EVENT_PART && event.part.kind == ELELEM_PART_PROVIDER_ITEM) piece_bytes += event.part.text.size;
    }
}

static void push_text(const char *text)
{
    CHECK_INT(elelem_stream_push(&stream, text, strlen(text)), ELELEM_OK);
    take_pieces();
}

/* 40 MB of base64 between these texts come through 64 KB of memory, with `around` bytes of the item's own. */
static void passes_through_64_kilobytes(const elelem_shape *shape, const char *before, const char *after, size_t around)
{
    static char base64[4096];
    limits_heap heap = ELELEM_INIT;
    size_t i;

    memset(base64, 'A', sizeof base64);
    piece_bytes = 0;
    wanting(1);
    heap.bound = 65536;
    desc.allocator = limits_allocator(&heap);
    desc.shape = shape;
    elelem_stream_init(&stream, &desc);
    push_text(before);
    for (i = 0; i < LARGE / sizeof base64; i++) {
        CHECK_INT(elelem_stream_push(&stream, base64, sizeof base64), ELELEM_OK);
        take_pieces();
    }
    push_text(after);
    CHECK_U64(piece_bytes, LARGE + around);
    CHECK(limits_held(&heap));
    elelem_stream_free(&stream);
    CHECK_U64(heap.live, 0);
}

TEST(an_image_of_40_megabytes_passes_through_64_kilobytes)
{
    passes_through_64_kilobytes(&elelem_shape_messages,
                                BEGIN "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"image\",\"data\":\"",
                                "\"}}\n\n" STOP("0") END("end_turn"), sizeof "{\"type\":\"image\",\"data\":\"\"}" - 1);
}

#define CHUNK "data: {\"choices\":[{\"index\":0,\"delta\":"

TEST(one_delta_of_audio_passes_inside_the_string_of_all_of_them)
{
    passes_through_64_kilobytes(&elelem_shape_chat, CHUNK "{\"audio\":{\"id\":\"a\",\"data\":\"QUJD\"}}}]}\n\n" CHUNK "{\"audio\":{\"data\":\"",
                                "\",\"id\":\"a\"}},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
                                sizeof "{\"data\":\"QUJD\",\"id\":\"a\"}" - 1);
}

TEST(an_image_of_chat_passes)
{
    passes_through_64_kilobytes(&elelem_shape_chat, CHUNK "{\"images\":[{\"image_url\":{\"url\":\"", "\"}}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
                                sizeof "{\"image_url\":{\"url\":\"\"}}" - 1);
}

#define PARTS "data: {\"candidates\":[{\"content\":{\"parts\":["
#define SMALL_PART "{\"inlineData\":{\"data\":\"QUJD\"}}"

TEST(a_large_part_passes_after_a_small_one_that_is_stored)
{
    passes_through_64_kilobytes(&elelem_shape_gemini, PARTS SMALL_PART ",{\"inlineData\":{\"data\":\"",
                                "\"}}]},\"finishReason\":\"STOP\"}]}\n\n", sizeof "{\"inlineData\":{\"data\":\"\"}}" SMALL_PART - 1);
}

#define STEP "data: {\"index\":0,\"step\":{\"type\":\"model_output\"},\"event_type\":\"step.start\"}\n\n"
#define MEDIA(mime) "data: {\"index\":0,\"delta\":{\"mime_type\":\"" mime "\",\"data\":\""
#define MEDIA_END(type) "\",\"type\":\"" type "\"},\"event_type\":\"step.delta\"}\n\n"
#define LAST "data: {\"interaction\":{\"status\":\"completed\"},\"event_type\":\"interaction.completed\"}\n\n"

TEST(an_image_of_interactions_passes_before_its_type)
{
    passes_through_64_kilobytes(&elelem_shape_interactions, STEP MEDIA("image/jpeg"), MEDIA_END("image") LAST,
                                sizeof "{\"type\":\"image\",\"mime_type\":\"image/jpeg\",\"data\":\"\"}" - 1);
}

TEST(audio_of_interactions_passes_inside_the_string_of_all_of_it)
{
    passes_through_64_kilobytes(&elelem_shape_interactions, STEP MEDIA("audio/l16") "QUJD" MEDIA_END("audio") MEDIA("audio/l16"),
                                MEDIA_END("audio") LAST, sizeof "{\"type\":\"audio\",\"mime_type\":\"audio/l16\",\"data\":\"QUJD\"}" - 1);
}

TEST(an_item_whose_type_does_not_come_soon_is_stored_and_still_comes)
{
    static char body[20000];
    size_t size = strlen(strcpy(body, BEGIN "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"data\":\""));

    memset(body + size, 'A', 10000);
    strcpy(body + size + 10000, "\",\"type\":\"image\"}}\n\n" STOP("0") END("end_turn"));
    piece_bytes = 0;
    wanting(1);
    elelem_stream_init(&stream, &desc);
    push_text(body);
    CHECK_U64(piece_bytes, 10000 + sizeof "{\"data\":\"\",\"type\":\"image\"}" - 1);
    elelem_stream_free(&stream);
}

#define MIXED                                                                                                        \
    BEGIN BLOCK("0", "{\"type\":\"server_tool_use\",\"id\":\"s1\",\"name\":\"f\",\"input\":{}}") INPUT("0", "{\\\"q\\\":1}") STOP("0") \
        BLOCK("1", "{\"type\":\"web_search_tool_result\",\"content\":[{\"a\":\"\\u00e9\"},2]}") STOP("1")                 \
            BLOCK("2", "{\"type\":\"fallback\",\"to\":{\"model\":\"m\"}}") STOP("2") END("end_turn")

TEST(whole_frames_from_the_callers_client_give_the_same)
{
    static feed_log log;
    static const char *const frames[] = {
        "{\"type\":\"message_start\",\"message\":{\"id\":\"m1\"}}",
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"x\",\"n\":[1,\"two\"]}}",
        "{\"type\":\"content_block_stop\",\"index\":0}",
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}",
        "{\"type\":\"message_stop\"}",
    };
    size_t i;

    wanting(1);
    elelem_stream_init(&stream, &desc);
    log.size = 0;
    for (i = 0; i < 5; i++) {
        CHECK_INT(elelem_stream_push_data(&stream, elelem_str_of(""), elelem_str_of(frames[i])), ELELEM_OK);
        while (next(NULL, &log) == ELELEM_OK)
            continue;
    }
    feed_close(&log);
    CHECK_STR(log.text, log.size, "meta id=\"m1\"\n0 x \"{\\\"type\\\":\\\"x\\\",\\\"n\\\":[1,\\\"two\\\"]}\"\n0 flush\nFINISHED completed\n");
    elelem_stream_free(&stream);
}

/* Refuses the first request for memory, then the second and so on: the stream gives what it gives with all memory, or ends with an error. */
static void bears_refusals(const elelem_shape *shape, const char *body)
{
    static feed_log log, whole;
    int refused;

    for (refused = 0; refused < 300; refused++) {
        limits_heap heap = ELELEM_INIT;
        elelem_status status = ELELEM_OK;
        wanting(1);
        heap.refuse = refused;
        desc.allocator = limits_allocator(&heap);
        desc.shape = shape;
        elelem_stream_init(&stream, &desc);
        log.size = 0;
        log.in_text = 0;
        CHECK_INT(elelem_stream_push(&stream, body, strlen(body)), ELELEM_OK);
        while ((status = next(NULL, &log)) == ELELEM_OK)
            continue;
        elelem_stream_finish(&stream);
        while ((status = next(NULL, &log)) == ELELEM_OK)
            continue;
        CHECK_INT(status, ELELEM_END);
        feed_close(&log);
        if (refused == 0) whole = log;
        else if (!strstr((log.text[log.size] = '\0', log.text), "ERROR out_of_memory"))
            CHECK_BYTES(log.text, log.size, whole.text, whole.size);
        elelem_stream_free(&stream);
        CHECK_U64(heap.live, 0);
        if (refused > heap.calls) break;
    }
    CHECK(refused > 5 && refused < 300);
}

TEST(refused_memory_ends_the_stream_at_every_request)
{
    bears_refusals(&elelem_shape_messages, MIXED);
}

/* 1200 bytes, which pass if they may. */
#define A100 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define A1200 A100 A100 A100 A100 A100 A100 A100 A100 A100 A100 A100 A100

TEST(refused_memory_ends_streams_whose_values_pass_or_are_stored_after_all)
{
    bears_refusals(&elelem_shape_chat, CHUNK "{\"audio\":{\"id\":\"a\",\"data\":\"" A1200 "\"},\"images\":[{\"image_url\":{\"url\":\"" A1200 "\"}}]},\"x\":1}],\"y\":[2]}\n\n"
                   "data: {\"choices\":[{\"delta\":{\"audio\":{\"data\":\"" A1200 "\"},\"images\":[{\"image_url\":{\"url\":\"u\"}}]},\"index\":1}]}\n\ndata: [DONE]\n\n");
    bears_refusals(&elelem_shape_gemini, PARTS SMALL_PART ",{\"inlineData\":{\"data\":\"" A1200 "\"}}],\"c\":1},\"d\":2},{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"index\":1,"
                   "\"e\":3}],\"f\":{}}\n\n" PARTS "{\"inlineData\":{\"data\":\"" A1200 "\"}}]},\"index\":1,\"finishReason\":\"STOP\"}],\"turnToken\":\"t\"}\n\n");
    bears_refusals(&elelem_shape_interactions, STEP MEDIA("image/png") A1200 MEDIA_END("image") MEDIA("audio/l16") A1200 MEDIA_END("audio")
                   "data: {\"index\":0,\"delta\":{\"data\":\"" A1200 "\",\"type\":\"audio\",\"rate\":1},\"event_type\":\"step.delta\"}\n\n" LAST);
    bears_refusals(&elelem_shape_messages, FRAME("{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"x\":[1],\"content\":[{\"type\":\"x\",\"n\":1}],\"y\":{}},\"z\":1}") END("end_turn"));
}

CHECK_MAIN("shape_items",
    RUN(a_call_that_the_provider_runs_is_put_together_from_its_deltas)
    RUN(such_a_call_without_input_or_with_all_of_it_at_once_is_whole)
    RUN(such_a_call_that_the_reason_cuts_off_stays_open_json)
    RUN(a_result_passes_as_it_is_with_what_its_strings_hold)
    RUN(a_block_of_an_unknown_type_has_what_its_deltas_bring)
    RUN(a_compaction_has_what_its_delta_brings)
    RUN(a_fallback_keeps_its_place_and_names_the_model_that_continues)
    RUN(blocks_that_the_message_begins_with_come_in_their_order)
    RUN(more_blocks_may_pass_in_one_message_than_may_be_open)
    RUN(blocks_that_passed_in_a_frame_that_begins_no_message_hide_none_of_the_message)
    RUN(blocks_of_one_frame_have_each_its_own_type)
    RUN(a_second_message_start_gives_no_items)
    RUN(a_frame_of_another_type_gives_no_items)
    RUN(a_block_whose_type_comes_last_is_an_item_all_the_same)
    RUN(a_body_that_stops_inside_an_item_is_an_early_end)
    RUN(switched_off_nothing_comes_of_provider_items)
    RUN(an_image_of_40_megabytes_passes_through_64_kilobytes)
    RUN(one_delta_of_audio_passes_inside_the_string_of_all_of_them)
    RUN(an_image_of_chat_passes)
    RUN(a_large_part_passes_after_a_small_one_that_is_stored)
    RUN(an_image_of_interactions_passes_before_its_type)
    RUN(audio_of_interactions_passes_inside_the_string_of_all_of_it)
    RUN(an_item_whose_type_does_not_come_soon_is_stored_and_still_comes)
    RUN(whole_frames_from_the_callers_client_give_the_same)
    RUN(refused_memory_ends_the_stream_at_every_request)
    RUN(refused_memory_ends_streams_whose_values_pass_or_are_stored_after_all))
