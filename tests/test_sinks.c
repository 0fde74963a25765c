/* Sinks that refuse: for everything that writes into a sink, at every byte. The sink takes so many bytes and refuses the call
   with one more, or takes the part of it that fits and says so; what writes returns its error, calls it no more, and has written the beginning
   of what it writes otherwise. */
#include "elelem_stream.h"

#include "check.h"

#include <string.h>

#define SINKS_ERROR ELELEM_ERROR_LINE_SIZE /* an error that no writer here has otherwise */

typedef struct sinks_sink {
    char text[1 << 14];
    size_t size;
    size_t room;
    int is_partial; /* nonzero: bytes that fit are taken, though the call is refused */
    int refused;    /* calls */
} sinks_sink;

static sinks_sink whole, now;

static elelem_status sinks_take(void *context, const void *bytes, size_t size)
{
    sinks_sink *sink = (sinks_sink *)context;
    size_t room = sink->room - sink->size;
    int fits = size <= room && sink->refused == 0;

    if (!fits && sink->refused++ > 0) return SINKS_ERROR;
    if (!fits) size = sink->is_partial ? room : 0;
    if (size > 0) memcpy(sink->text + sink->size, bytes, size);
    sink->size += size;
    return fits ? ELELEM_OK : SINKS_ERROR;
}

static elelem_sink sinks_of(sinks_sink *sink)
{
    elelem_sink made;

    made.write = sinks_take;
    made.context = sink;
    return made;
}

/* What writes. */

static elelem_str str(const char *text)
{
    return elelem_str_of(text);
}

static const char sample[] = "{\"a\":[1,-2.5,true,null,{\"b\":\"\\u00e9\\n\\ud83d\\ude00\"}],\"c\":{}}";

static elelem_status write_value(elelem_sink sink)
{
    elelem_json json;
    elelem_value value = elelem_json_read(&json, str(sample), NULL);
    elelem_writer writer;
    elelem_status status;

    elelem_writer_init(&writer, sink, 2);
    elelem_writer_value(&writer, value);
    status = elelem_writer_value(&writer, value);
    CHECK_INT(elelem_writer_error(&writer).status, status);
    elelem_json_free(&json);
    return status;
}

/* Every call of the writer, one after the other. */
static elelem_status write_calls(elelem_sink sink)
{
    elelem_writer writer;

    elelem_writer_init(&writer, sink, 1);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(&writer, str("k\"\x01"));
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_string(&writer, str("a\\b\xff"));
    elelem_writer_null(&writer);
    elelem_writer_bool(&writer, 0);
    elelem_writer_int64(&writer, INT64_MIN);
    elelem_writer_uint64(&writer, UINT64_MAX);
    elelem_writer_json(&writer, str("[1e5]"));
    elelem_writer_string_begin(&writer);
    elelem_writer_string_piece(&writer, str("p\tq"));
    elelem_writer_string_end(&writer);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    return elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
}

static elelem_status write_fragments(elelem_sink sink)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_writer writer;
    elelem_status status = ELELEM_OK;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, sample, sizeof sample - 1);
    elelem_fragment_parser_finish(&parser);
    elelem_writer_init(&writer, sink, 0);
    while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
        status = elelem_writer_fragment(&writer, &fragment);
    elelem_fragment_parser_free(&parser);
    return status;
}

static elelem_status write_frame(elelem_sink sink)
{
    return elelem_sse_write_event(sink, str("e"), str("12"), str("one\ntwo\r\nthree\r"));
}

static elelem_event event_of(const char *text)
{
    static elelem_metadata_entry entry;
    elelem_event event = ELELEM_INIT;

    entry.key = str("k\n");
    entry.json = str("{\"x\":[1,2]}");
    event.kind = ELELEM_EVENT_PART;
    event.part.kind = ELELEM_PART_MESSAGE;
    event.part.text = str(text);
    event.metadata.entries = &entry;
    event.metadata.count = 1;
    return event;
}

/* Three lines, each of another kind. After the first error every call returns it. */
static elelem_status record(elelem_sink sink, uint8_t format)
{
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_tool_executed executed = ELELEM_INIT;
    elelem_event event = event_of("Hi\n\"there\"");
    elelem_recorder recorder;
    elelem_status status;

    desc.sink = sink;
    desc.format = format;
    desc.extra = str("\"taskId\":1");
    executed.name = str("f");
    executed.output = str("[1]");
    elelem_recorder_init(&recorder, &desc);
    elelem_recorder_time(&recorder, 5);
    status = elelem_recorder_push(&recorder, &event);
    if (status == ELELEM_OK) status = elelem_recorder_push_executed(&recorder, &executed);
    if (status == ELELEM_OK) status = elelem_recorder_push_line(&recorder, str("{\"own\" : \n[]}"));
    if (status != ELELEM_OK) CHECK_INT(elelem_recorder_push(&recorder, &event), status);
    if (status != ELELEM_OK) CHECK_INT(elelem_recorder_push_line(&recorder, str("{}")), status);
    CHECK_INT(elelem_recorder_error(&recorder).status, status);
    elelem_recorder_free(&recorder);
    return status;
}

static elelem_status write_lines(elelem_sink sink)
{
    return record(sink, ELELEM_RECORD_LINES);
}

static elelem_status write_event_stream(elelem_sink sink)
{
    return record(sink, ELELEM_RECORD_SSE);
}

static elelem_status write_text(elelem_sink sink)
{
    return record(sink, ELELEM_RECORD_TEXT);
}

/* A call with its BeforeToolExecution, one with metadata and no JSON, and one that is cut off. */
static elelem_status record_calls(elelem_sink sink, uint8_t format)
{
    static const char *const texts[] = { "{\"a\" : \n[1]}", "no \"JSON\"", "{\"b\":" };
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder recorder;
    elelem_event event;
    elelem_status status = ELELEM_OK;
    uint32_t i;

    desc.sink = sink;
    desc.format = format;
    desc.tool_calls = 1;
    desc.extra = str("\"taskId\":1");
    elelem_recorder_init(&recorder, &desc);
    for (i = 0; i < 3; i++) {
        event = event_of("");
        event.index = i;
        if (i != 1) event.metadata.count = 0;
        event.part.kind = ELELEM_PART_TOOL_CALL;
        event.part.tool_call.kind = ELELEM_TOOL_CALL_START;
        event.part.tool_call.id = str("c 1");
        event.part.tool_call.name = str("f");
        if (status == ELELEM_OK) status = elelem_recorder_push(&recorder, &event);
        event.metadata.count = 0;
        event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
        event.part.tool_call.text = str(texts[i]);
        if (status == ELELEM_OK) status = elelem_recorder_push(&recorder, &event);
        event.kind = ELELEM_EVENT_FLUSH;
        event.cut_off = i == 2;
        if (status == ELELEM_OK) status = elelem_recorder_push(&recorder, &event);
        if (status != ELELEM_OK) CHECK_INT(elelem_recorder_push(&recorder, &event), status);
    }
    CHECK_INT(elelem_recorder_error(&recorder).status, status);
    CHECK_INT(elelem_recorder_count(&recorder) == 12, status == ELELEM_OK);
    elelem_recorder_free(&recorder);
    return status;
}

static elelem_status write_calls_as_lines(elelem_sink sink)
{
    return record_calls(sink, ELELEM_RECORD_LINES);
}

static elelem_status write_calls_as_frames(elelem_sink sink)
{
    return record_calls(sink, ELELEM_RECORD_SSE);
}

/* What a replayer returns: an event with its own time and members, a line of the application's, and an event without either. */
static elelem_status record_items(elelem_sink sink, uint8_t format)
{
    static const char text[] =
        "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"Hi\\n\\\"there\\\"\",\"timeMs\":7,\"taskId\":[1],\"metadata\":{\"k\":{\"x\":2}}}\n"
        "{\"eventType\":\"Own\", \"a\" : []}\n"
        "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\" and more\"}\n";
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder recorder;
    elelem_replayer replayer;
    elelem_record_item item;
    elelem_status status = ELELEM_OK;

    desc.sink = sink;
    desc.format = format;
    elelem_recorder_init(&recorder, &desc);
    elelem_replayer_init(&replayer, NULL);
    elelem_replayer_push(&replayer, text, sizeof text - 1);
    elelem_replayer_finish(&replayer);
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK) {
        elelem_status now_is = elelem_recorder_push_item(&recorder, &item);
        if (status != ELELEM_OK) CHECK_INT(now_is, status);
        status = now_is;
    }
    CHECK_INT(elelem_replayer_error(&replayer).status, ELELEM_OK);
    CHECK_INT(elelem_recorder_error(&recorder).status, status);
    elelem_replayer_free(&replayer);
    elelem_recorder_free(&recorder);
    return status;
}

static elelem_status write_items_as_lines(elelem_sink sink)
{
    return record_items(sink, ELELEM_RECORD_LINES);
}

static elelem_status write_items_as_frames(elelem_sink sink)
{
    return record_items(sink, ELELEM_RECORD_SSE);
}

static elelem_status write_items_as_text(elelem_sink sink)
{
    return record_items(sink, ELELEM_RECORD_TEXT);
}

static elelem_status write_user(elelem_sink sink)
{
    elelem_talk_image images[2] = ELELEM_INIT;

    images[0].media_type = str("image/png");
    images[0].data = str("AAAA");
    images[1].url = str("https://a/b");
    return elelem_talk_user(sink, str("what\nis \"that\"?"), images, 2);
}

static elelem_status write_result(elelem_sink sink)
{
    elelem_talk_result result = ELELEM_INIT;

    result.id = str("call_1");
    result.name = str("f");
    result.json = str("{\"celsius\" : [5]}");
    result.failed = 1;
    return elelem_talk_result_write(sink, &result);
}

/* Each line of a history, as an entry and as items. */
static const char lines[] =
    "{\"type\":\"user\",\"text\":\"Hi\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AAAA\"}]}\n"
    "{\"type\":\"reasoning\",\"text\":\"Hm.\",\"metadata\":{\"signature\":\"s\"}}\n"
    "{\"type\":\"message\",\"text\":\"I look.\"}\n"
    "{\"type\":\"tool_call\",\"index\":1,\"id\":\"c 1\",\"name\":\"f\",\"arguments\":{\"a\":[1]}}\n"
    "{\"type\":\"tool_result\",\"id\":\"c 1\",\"name\":\"f\",\"output\":{\"n\":1}}\n"
    "{\"type\":\"message\",\"text\":\"Yes.\"}\n";

static elelem_status write_items(elelem_sink sink)
{
    elelem_item_reader reader;
    elelem_read_item item;
    elelem_writer writer;
    elelem_status status = ELELEM_OK;

    elelem_item_reader_init(&reader, NULL);
    elelem_item_reader_push(&reader, lines, sizeof lines - 1);
    elelem_item_reader_finish(&reader);
    elelem_writer_init(&writer, sink, 0);
    while (elelem_item_reader_next(&reader, &item) == ELELEM_OK)
        if (item.kind == ELELEM_READ_ITEM) status = elelem_item_write(&writer, &item.item);
    elelem_item_reader_free(&reader);
    return status;
}

static elelem_status write_entry(elelem_sink sink)
{
    static const char text[] = "{\"role\":\"AI\",\"text\":\"Hi\",\"more\":[1],\"events\":[{\"eventType\":\"X\"}]}";
    elelem_history_reader reader;
    elelem_history_entry entry;
    elelem_status status;

    elelem_history_reader_init(&reader, NULL);
    elelem_history_reader_push(&reader, text, sizeof text - 1);
    elelem_history_reader_finish(&reader);
    CHECK_INT(elelem_history_reader_next(&reader, &entry), ELELEM_OK);
    status = elelem_history_entry_write(&entry, sink);
    elelem_history_reader_free(&reader);
    return status;
}

static elelem_request request_to(const char *provider)
{
    static elelem_tool tool;
    elelem_request request = ELELEM_INIT;

    tool.name = str("f");
    tool.parameters = str("{\"type\":\"object\"}");
    request.provider = elelem_provider_find(provider);
    request.model = str("m/1 x");
    request.instructions = str("Be \"kind\".");
    request.history = str(lines);
    request.tools = &tool;
    request.tool_count = 1;
    request.tool_choice = ELELEM_TOOL_CHOICE_REQUIRED;
    request.temperature = str("0.5");
    request.max_tokens = 100;
    request.extra = str("\"own\":{\"x\":1}");
    return request;
}

static const char *provider;

static elelem_status write_request(elelem_sink sink)
{
    elelem_request request = request_to(provider);

    return elelem_request_write(&request, sink).status;
}

static elelem_status write_path(elelem_sink sink)
{
    elelem_request request = request_to("google");

    return elelem_request_path_write(&request, sink);
}

static elelem_status write_head(elelem_sink sink)
{
    elelem_request request = request_to("anthropic");
    elelem_request_head head = ELELEM_INIT;

    head.host = str("api.anthropic.com");
    head.key = str("k-1");
    head.headers = str("X-Own: 1\r\n");
    head.content_length = 17;
    return elelem_request_head_write(&request, &head, sink);
}

/* The law. */

typedef struct sinks_row {
    const char *name;
    elelem_status (*write)(elelem_sink sink);
} sinks_row;

static const sinks_row rows[] = {
    { "values", write_value },
    { "every call of the writer", write_calls },
    { "fragments", write_fragments },
    { "a frame", write_frame },
    { "lines of a recorder", write_lines },
    { "an event stream of a recorder", write_event_stream },
    { "the text of a recorder", write_text },
    { "lines of a recorder with calls", write_calls_as_lines },
    { "an event stream of a recorder with calls", write_calls_as_frames },
    { "items of a replayer as lines", write_items_as_lines },
    { "items of a replayer as an event stream", write_items_as_frames },
    { "items of a replayer as text", write_items_as_text },
    { "a user's line", write_user },
    { "a result", write_result },
    { "items", write_items },
    { "an entry of a history", write_entry },
    { "a path", write_path },
    { "a head", write_head },
};

static void check_refused(const sinks_row *row, size_t room, int is_partial)
{
    check_cut(is_partial ? "a part taken, room for" : "room for", room);
    now.size = 0;
    now.refused = 0;
    now.room = room;
    now.is_partial = is_partial;
    CHECK_INT(row->write(sinks_of(&now)), SINKS_ERROR);
    CHECK(now.size <= room && memcmp(now.text, whole.text, now.size) == 0);
    CHECK(!is_partial || now.size == room);
    CHECK_INT(now.refused, 1);
}

static void check_row(const sinks_row *row)
{
    size_t room;

    check_context(row->name);
    whole.size = 0;
    whole.refused = 0;
    whole.room = sizeof whole.text;
    CHECK_INT(row->write(sinks_of(&whole)), ELELEM_OK);
    CHECK(whole.size > 1);
    for (room = 0; room < whole.size; room++) {
        check_refused(row, room, 0);
        check_refused(row, room, 1);
    }
    check_cut(NULL, 0);
    check_context(NULL);
}

TEST(whatever_writes_returns_the_error_of_a_sink_that_refuses_at_any_byte_and_calls_it_no_more) /* Q5 */
{
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
}

TEST(a_request_of_any_shape_returns_the_error_of_a_sink_that_refuses_at_any_byte_and_calls_it_no_more) /* Q5 */
{
    static const char *const providers[] = { "openai-chat", "openrouter", "mistral", "openai", "anthropic", "google", "google-interactions" };
    sinks_row row = { NULL, write_request };
    size_t i;

    for (i = 0; i < sizeof providers / sizeof *providers; i++) {
        row.name = provider = providers[i];
        check_row(&row);
    }
}

TEST(a_sink_without_a_function_is_ERROR_SINK_for_whatever_writes)
{
    elelem_sink none = ELELEM_INIT;
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].name);
        CHECK_INT(rows[i].write(none), ELELEM_ERROR_SINK);
    }
    check_context(NULL);
}

CHECK_MAIN("sinks",
    RUN(whatever_writes_returns_the_error_of_a_sink_that_refuses_at_any_byte_and_calls_it_no_more)
    RUN(a_request_of_any_shape_returns_the_error_of_a_sink_that_refuses_at_any_byte_and_calls_it_no_more)
    RUN(a_sink_without_a_function_is_ERROR_SINK_for_whatever_writes))
