/* Recorded responses, stored in every way and read back: the items are those that were there live. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "feed.h"
#include "streams.h"
#include "recordings.h"

/* The items of a response, one line each, in the order of their indices. */
typedef struct item_lines {
    elelem_buffer lines[4096];
    size_t count;
} item_lines;

static item_lines live, read_back;

static void open_items(item_lines *items)
{
    elelem_allocator plain = ELELEM_INIT;
    size_t i;

    for (i = 0; i < 4096; i++)
        elelem_buffer_init(&items->lines[i], plain, 0);
    items->count = 0;
}

static const elelem_shape *shape_now;

static void close_items(item_lines *items)
{
    size_t i;

    for (i = 0; i < 4096; i++)
        elelem_buffer_free(&items->lines[i]);
}

static void keep_item(item_lines *items, const elelem_item *item)
{
    elelem_writer writer;

    if (!CHECK(item->index < 4096)) return;
    if (item->index >= items->count) items->count = item->index + 1;
    elelem_writer_init(&writer, elelem_buffer_sink(&items->lines[item->index]), 0);
    CHECK_INT(elelem_item_write(&writer, item), ELELEM_OK);
}

static void forget_items(item_lines *items)
{
    size_t i;

    for (i = 0; i < items->count; i++)
        elelem_buffer_clear(&items->lines[i]);
    items->count = 0;
}

/* The ways to store a response. */

static elelem_buffer item_record, line_record, call_record, short_record, entry_record;

static elelem_event_builder builder;
static elelem_recorder lines_recorder, calls_recorder, short_recorder;
static elelem_event_coalescer coalescer;
static elelem_history_builder history;

static void open_buffer(elelem_buffer *buffer)
{
    elelem_allocator plain = ELELEM_INIT;

    elelem_buffer_init(buffer, plain, 0);
}

static void open_recorder(elelem_recorder *recorder, elelem_buffer *out, int tool_calls)
{
    elelem_recorder_desc desc = ELELEM_INIT;

    open_buffer(out);
    desc.sink = elelem_buffer_sink(out);
    desc.tool_calls = tool_calls != 0;
    elelem_recorder_init(recorder, &desc);
}

static void open_all(void)
{
    elelem_event_builder_desc desc = ELELEM_INIT;

    desc.keep_argument_text = 1;
    elelem_event_builder_init(&builder, &desc);
    open_buffer(&item_record);
    open_buffer(&entry_record);
    open_recorder(&lines_recorder, &line_record, 0);
    open_recorder(&calls_recorder, &call_record, 1);
    open_recorder(&short_recorder, &short_record, 0);
    elelem_event_coalescer_init(&coalescer, NULL);
    elelem_history_builder_init(&history, NULL);
}

static void close_all(void)
{
    elelem_event_builder_free(&builder);
    elelem_recorder_free(&lines_recorder);
    elelem_recorder_free(&calls_recorder);
    elelem_recorder_free(&short_recorder);
    elelem_event_coalescer_free(&coalescer);
    elelem_history_builder_free(&history);
    elelem_buffer_free(&item_record);
    elelem_buffer_free(&line_record);
    elelem_buffer_free(&call_record);
    elelem_buffer_free(&short_record);
    elelem_buffer_free(&entry_record);
}

static void store_item(const elelem_item *item)
{
    elelem_writer writer;

    elelem_writer_init(&writer, elelem_buffer_sink(&item_record), 0);
    CHECK_INT(elelem_item_write(&writer, item), ELELEM_OK);
    CHECK_INT(elelem_buffer_append(&item_record, "\n", 1), ELELEM_OK);
    keep_item(&live, item);
}

static void store_built(void)
{
    elelem_built built;

    while (elelem_event_builder_next(&builder, &built) == ELELEM_OK)
        if (built.kind == ELELEM_BUILT_ITEM) store_item(&built.item);
}

static void store_short(void)
{
    elelem_record_item item;

    while (elelem_event_coalescer_next(&coalescer, &item) == ELELEM_OK)
        CHECK_INT(elelem_recorder_push_item(&short_recorder, &item), ELELEM_OK);
}

static void store_event(const elelem_event *event)
{
    CHECK_INT(elelem_event_builder_push(&builder, event), ELELEM_OK);
    if (event->kind == ELELEM_EVENT_ERROR) elelem_event_builder_drain(&builder);
    store_built();
    CHECK_INT(elelem_recorder_push(&lines_recorder, event), ELELEM_OK);
    CHECK_INT(elelem_recorder_push(&calls_recorder, event), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_push(&coalescer, event), ELELEM_OK);
    store_short();
    CHECK_INT(elelem_history_builder_push(&history, event), ELELEM_OK);
}

static void store_entry(void)
{
    elelem_history_entry entry;

    elelem_history_builder_finish(&history);
    if (!CHECK_INT(elelem_history_builder_entry(&history, &entry), ELELEM_OK)) return;
    CHECK_INT(elelem_history_entry_write(&entry, elelem_buffer_sink(&entry_record)), ELELEM_OK);
}

static void store(const recording *r)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;

    desc.shape = shape_now;
    elelem_stream_init(&stream, &desc);
    open_all();
    CHECK_INT(elelem_stream_push(&stream, r->body, r->size), ELELEM_OK);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        store_event(&event);
    elelem_stream_finish(&stream);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        store_event(&event);
    elelem_event_coalescer_finish(&coalescer);
    store_short();
    store_entry();
    elelem_stream_free(&stream);
}

/* Reading back. */

static void read_items(const elelem_buffer *record, const char *way)
{
    elelem_item_reader_desc desc = ELELEM_INIT;
    elelem_item_reader reader;
    elelem_read_item item;
    elelem_status status;
    size_t i;

    desc.keep_argument_text = 1;
    check_cut(way, 0);
    elelem_item_reader_init(&reader, &desc);
    CHECK_INT(elelem_item_reader_push(&reader, elelem_buffer_text(record).data, elelem_buffer_text(record).size), ELELEM_OK);
    elelem_item_reader_finish(&reader);
    while ((status = elelem_item_reader_next(&reader, &item)) == ELELEM_OK)
        if (item.kind == ELELEM_READ_ITEM) keep_item(&read_back, &item.item);
    CHECK_INT(status, ELELEM_END);
    elelem_item_reader_free(&reader);
    CHECK_U64(read_back.count, live.count);
    for (i = 0; i < live.count; i++) {
        elelem_str is = elelem_buffer_text(&read_back.lines[i]), should_be = elelem_buffer_text(&live.lines[i]);
        CHECK_BYTES(is.data, is.size, should_be.data, should_be.size);
    }
    forget_items(&read_back);
}

static void comes_back(const recording *r)
{
    store(r);
    read_items(&item_record, "lines of items");
    read_items(&line_record, "a live record");
    read_items(&call_record, "a live record with lines of calls");
    read_items(&short_record, "a record made short");
    read_items(&entry_record, "an entry of a history");
    forget_items(&live);
    close_all();
}

TEST(items_of_recorded_responses_come_back_from_every_kind_of_line)
{
    static const struct {
        const char *folder;
        const elelem_shape *shape;
    } rows[] = { { "chat/", &elelem_shape_chat },
                 { "responses/", &elelem_shape_responses },
                 { "messages/", &elelem_shape_messages },
                 { "gemini/", &elelem_shape_gemini },
                 { "", &elelem_shape_interactions } };
    size_t i;
    int count = 0;

    open_items(&live);
    open_items(&read_back);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        shape_now = rows[i].shape;
        recordings_folder = rows[i].shape == &elelem_shape_interactions ? "interactions" : "streams";
        count += recordings_each(rows[i].folder, rows[i].shape->name, comes_back);
    }
    close_items(&live);
    close_items(&read_back);
    if (count == 0) check_nothing("no recordings (set ELELEM_CORPUS)");
}

CHECK_MAIN("corpus_items", RUN(items_of_recorded_responses_come_back_from_every_kind_of_line))
