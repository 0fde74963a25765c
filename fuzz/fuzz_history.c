/* The events of a response become the entry of a history: pushed into a builder as they come, and as the items and the lines of their
 * record. Each way gives the same entry, which a reader with the same limit takes, whole and cut; its events give the same events
 * again; and its text is what a recorder of the text alone wrote. A request of any shape is written from the entry, and is JSON, or is
 * refused with nothing written; an item reader reads the entry to its end, and makes the same of it in pieces. The record as an event
 * stream has the same lines. No object holds more memory than its desc says, also if some is refused, and the steps are in proportion to
 * the bytes. The first bytes of the input choose the shape, the limits, what the application adds, and the pieces. */
#include "elelem_stream.h"

#include "must.h"
#include "mutate_values.h"
#include "work_law.h"

#define LARGEST 4096
#define SETTINGS 5 /* bytes */
#define STEPS_ALWAYS 400000u
#define STEPS_PER_BYTE 1500u
#define STEPS_PER_LINE 200000u /* of the record: an item of a few bytes has two, is built three times and read from each entry */

static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                              &elelem_shape_gemini, &elelem_shape_interactions };

/* A builder, and what its pushes returned. */
typedef struct built_entry {
    elelem_history_builder builder;
    elelem_buffer written;   /* the entry */
    limits_heap heap;
    int is_short_of_memory;  /* a push was refused memory, and may be missing */
    int has_pushes;
} built_entry;

static elelem_history_builder_desc desc;
static const uint8_t *settings;
static elelem_str body;
static built_entry direct, of_items, of_lines, again;
static elelem_buffer lines, frames, text, events;
static uint64_t first;
static const elelem_allocator plain = ELELEM_INIT;

static int has(unsigned byte, unsigned bit)
{
    return settings[byte] >> bit & 1;
}

static int is_small(void)
{
    return desc.max_bytes > 0;
}

/* The builders. */

static void settle(void)
{
    memset(&desc, 0, sizeof desc);
    desc.role = has(0, 7) ? ELELEM_HISTORY_USER : ELELEM_HISTORY_AI;
    desc.text_only = (uint8_t)has(1, 0);
    desc.events_only = (uint8_t)has(1, 1);
    if (has(0, 6)) desc.max_bytes = 1u + settings[4] * 8u;
    if (has(0, 6)) desc.max_calls = 2;
    first = settings[4];
}

static void begin(built_entry *e, const elelem_history_builder_desc *how)
{
    elelem_history_builder_desc own = *how;

    memset(e, 0, sizeof *e);
    e->heap.bound = limits_of_history_builder(how);
    own.allocator = limits_allocator(&e->heap);
    elelem_history_builder_init(&e->builder, &own);
    elelem_buffer_init(&e->written, plain, 0);
}

/* What a push of something good may return. A line that is longer than the limit is refused, and does not stick. */
static void took(built_entry *e, elelem_status status)
{
    e->has_pushes = 1;
    if (status == ELELEM_ERROR_MEMORY) {
        MUST(e->heap.refuse > 0);
        e->is_short_of_memory = 1;
        return;
    }
    MUST(status == ELELEM_OK ||
         (is_small() && (status == ELELEM_ERROR_VALUE_SIZE || status == ELELEM_ERROR_LINE_SIZE || status == ELELEM_ERROR_COUNT)) ||
         (status == ELELEM_ERROR_COUNT && elelem_history_builder_error(&e->builder).status == status));
}

/* What the caller adds, which is the same for each builder. */
static void finish(built_entry *e)
{
    if (has(1, 2)) took(e, elelem_history_builder_push_text(&e->builder, elelem_str_of("more")));
    if (has(1, 3)) took(e, elelem_history_builder_set_text(&e->builder, elelem_str_of("a \"text\"")));
    if (settings[1] >> 4 & 3) elelem_history_builder_mark(&e->builder, (elelem_history_state)((settings[1] >> 4 & 3) - 1));
    elelem_history_builder_finish(&e->builder);
    MUST(elelem_history_builder_push_line(&e->builder, elelem_str_of("{}")) != ELELEM_OK);
}

/* Writes the entry, if there is one. An entry is as good the second time. */
static elelem_status write_entry(built_entry *e, elelem_history_entry *entry)
{
    elelem_status status = elelem_history_builder_entry(&e->builder, entry);
    elelem_error error = elelem_history_builder_error(&e->builder);

    MUST(elelem_history_builder_entry(&e->builder, entry) == status);
    MUST(error.status == (status == ELELEM_ERROR_MISUSE ? ELELEM_OK : status));
    elelem_buffer_clear(&e->written);
    if (status != ELELEM_OK) return status;
    MUST(elelem_history_entry_write(entry, elelem_buffer_sink(&e->written)) == ELELEM_OK);
    MUST(!is_small() || elelem_buffer_text(&e->written).size <= desc.max_bytes);
    return status;
}

static void end(built_entry *e)
{
    elelem_history_builder_free(&e->builder);
    elelem_buffer_free(&e->written);
    MUST(e->heap.live == 0 && e->heap.blocks == 0 && limits_held(&e->heap));
}

/* The recorders. */

static limits_heap recorder_heaps[3];

static void begin_recorder(elelem_recorder *recorder, limits_heap *heap, elelem_buffer *out, elelem_record_format format)
{
    elelem_recorder_desc how = ELELEM_INIT;

    memset(heap, 0, sizeof *heap);
    elelem_buffer_init(out, plain, 0);
    how.sink = elelem_buffer_sink(out);
    how.format = (uint8_t)format;
    how.first = first;
    if (has(2, 0)) how.extra = elelem_str_of("\"taskId\":\"t-1\",\"try\":2");
    heap->bound = limits_of_recorder(&how);
    how.allocator = limits_allocator(heap);
    elelem_recorder_init(recorder, &how);
    if (has(2, 1)) elelem_recorder_time(recorder, 1000);
}

static void end_recorder(elelem_recorder *recorder, limits_heap *heap)
{
    MUST(elelem_recorder_error(recorder).status == ELELEM_OK);
    elelem_recorder_free(recorder);
    MUST(heap->live == 0 && limits_held(heap));
}

/* What the application did for a call: its output is JSON, or a text that may be any bytes. */
static elelem_tool_executed executed_of(const elelem_event *event)
{
    elelem_tool_executed executed = ELELEM_INIT;

    executed.id = event->part.tool_call.id;
    executed.name = event->part.tool_call.name;
    executed.input = elelem_str_of("{\"a\":1}");
    executed.output = has(2, 3) ? elelem_str_of("[1, 2]") : elelem_str_from(body.data, body.size / 8);
    executed.output_is_text = (uint8_t)!has(2, 3);
    return executed;
}

static elelem_recorder of_log, of_frames, of_text;

/* The application writes between the events: what the recorder writes of it is a line for the builder. */
static void add_executed(const elelem_event *event)
{
    elelem_tool_executed executed = executed_of(event);
    elelem_str line = elelem_str_of("{\"eventType\":\"Note\", \"a\":[1,2]}"), all;
    size_t before = elelem_buffer_text(&lines).size;

    if (has(2, 2)) {
        MUST(elelem_recorder_push_executed(&of_log, &executed) == ELELEM_OK);
        MUST(elelem_recorder_push_executed(&of_frames, &executed) == ELELEM_OK);
        MUST(elelem_recorder_push_executed(&of_text, &executed) == ELELEM_OK);
    } else {
        MUST(elelem_recorder_push_line(&of_log, line) == ELELEM_OK);
        MUST(elelem_recorder_push_line(&of_frames, line) == ELELEM_OK);
        MUST(elelem_recorder_push_line(&of_text, line) == ELELEM_OK);
    }
    all = elelem_buffer_text(&lines);
    line = elelem_str_from(all.data + before, all.size - before - 1);
    took(&direct, elelem_history_builder_push_line(&direct.builder, line));
}

/* An event of the stream. JSON that a provider sent may be nested more deeply than a recorder writes. */
static void take(const elelem_event *event)
{
    elelem_status status = elelem_recorder_push(&of_log, event);

    MUST(elelem_recorder_push(&of_frames, event) == status);
    MUST(elelem_recorder_push(&of_text, event) == status || status == ELELEM_ERROR_DEPTH || status == ELELEM_ERROR_COUNT);
    MUST(status == ELELEM_OK || status == ELELEM_ERROR_DEPTH || (status == ELELEM_ERROR_COUNT && event->metadata.count > 256));
    if (status != ELELEM_OK) return;
    took(&direct, elelem_history_builder_push(&direct.builder, event));
    if (has(2, 4) && event->kind == ELELEM_EVENT_PART && event->part.kind == ELELEM_PART_TOOL_CALL) add_executed(event);
}

/* Reads the response. */
static void read_body(void)
{
    elelem_stream_desc how = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;
    size_t piece = settings[3] > 0 ? settings[3] : body.size + 1, i;

    how.shape = shapes[(settings[0] & 7) % 5];
    how.split_thoughts = (uint8_t)has(0, 3);
    how.structured = (uint8_t)has(0, 4);
    MUST(elelem_stream_init(&stream, &how) == ELELEM_OK);
    for (i = 0; i < body.size; i += piece) {
        elelem_stream_push(&stream, body.data + i, piece < body.size - i ? piece : body.size - i);
        while (elelem_stream_next(&stream, &event) == ELELEM_OK)
            take(&event);
    }
    elelem_stream_finish(&stream);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        take(&event);
    elelem_stream_free(&stream);
}

/* What is made of the record. */

static void push_record(void)
{
    elelem_replayer replayer;
    elelem_record_item item;
    elelem_str all = elelem_buffer_text(&lines);

    elelem_replayer_init(&replayer, NULL);
    elelem_replayer_push(&replayer, all.data, all.size);
    elelem_replayer_finish(&replayer);
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK) {
        MUST(item.number == elelem_replayer_position(&replayer).items);
        took(&of_items, elelem_history_builder_push_item(&of_items.builder, &item));
        took(&of_lines, elelem_history_builder_push_line(&of_lines.builder, item.line));
    }
    MUST(elelem_replayer_error(&replayer).status == ELELEM_OK);
    MUST(elelem_replayer_position(&replayer).items == elelem_recorder_count(&of_log) - first);
    MUST(elelem_replayer_position(&replayer).offset == all.size);
    elelem_replayer_free(&replayer);
}

/* The data of the frames are the lines, and their ids are counted. */
static void check_frames(void)
{
    elelem_sse_decoder decoder;
    elelem_frame frame;
    elelem_str all = elelem_buffer_text(&frames);
    uint64_t count = first;
    char id[24];

    elelem_buffer_clear(&events);
    elelem_sse_decoder_init(&decoder, NULL);
    elelem_sse_decoder_push(&decoder, all.data, all.size);
    while (elelem_sse_decoder_next(&decoder, &frame) == ELELEM_OK) {
        if (frame.kind == ELELEM_FRAME_DATA) {
            MUST(elelem_buffer_append(&events, frame.text.data, frame.text.size) == ELELEM_OK);
            continue;
        }
        snprintf(id, sizeof id, "%llu", (unsigned long long)++count);
        MUST(frame.kind == ELELEM_FRAME_DISPATCH && frame.event.size == 0 && elelem_str_is(frame.id, id));
        MUST(elelem_buffer_append(&events, "\n", 1) == ELELEM_OK);
    }
    elelem_sse_decoder_free(&decoder);
    MUST(elelem_str_equal(elelem_buffer_text(&events), elelem_buffer_text(&lines)));
    MUST(count == elelem_recorder_count(&of_frames));
}

/* What is made of the entry. */

/* The events of the entry, one by one, make the same events; of what came before a reset nothing is left. */
static void check_events(const elelem_history_entry *entry)
{
    elelem_history_builder_desc how = desc;
    elelem_history_entry made;
    elelem_str line;
    size_t at = 0;

    how.events_only = 1;
    how.text_only = 0;
    begin(&again, &how);
    took(&again, elelem_history_builder_push_text(&again.builder, body));
    took(&again, elelem_history_builder_push_line(&again.builder, elelem_str_of("{\"eventType\":\"PartialResponse\",\"chunk\":\"a\"}")));
    elelem_history_builder_reset(&again.builder);
    while (elelem_history_entry_event(entry, &at, &line))
        took(&again, elelem_history_builder_push_line(&again.builder, line));
    elelem_history_builder_finish(&again.builder);
    elelem_history_builder_entry(&again.builder, &made);
    MUST(is_small() || !made.has_text);
    if (!is_small() && !elelem_str_equal(entry->events, made.events))
        fprintf(stderr, "%.*s\n%.*s\n", ELELEM_STR_ARG(entry->events), ELELEM_STR_ARG(made.events));
    if (!is_small()) MUST(elelem_str_equal(entry->events, made.events));
    end(&again);
}

static void read_entry(elelem_history_reader *reader, elelem_str written, size_t piece, const elelem_history_entry *entry)
{
    elelem_history_entry read;
    size_t i;

    elelem_history_reader_reset(reader);
    for (i = 0; i < written.size; i += piece) {
        MUST(elelem_history_reader_push(reader, written.data + i, piece < written.size - i ? piece : written.size - i) == ELELEM_OK);
        MUST(elelem_history_reader_next(reader, &read) == ELELEM_MORE);
    }
    elelem_history_reader_finish(reader);
    MUST(elelem_history_reader_next(reader, &read) == ELELEM_OK);
    MUST(read.role == entry->role && read.state == entry->state && read.has_text == entry->has_text);
    MUST(elelem_str_equal(read.text, entry->text) && elelem_str_equal(read.events, entry->events));
    MUST(elelem_history_reader_next(reader, &read) == ELELEM_END);
}

/* A reader with the limit of the builder takes the entry. */
static void check_read(const elelem_history_entry *entry, elelem_str written)
{
    elelem_history_reader_desc how = ELELEM_INIT;
    elelem_history_reader reader;
    limits_heap heap = ELELEM_INIT;

    how.max_bytes = desc.max_bytes;
    heap.bound = limits_of_history_reader(&how);
    how.allocator = limits_allocator(&heap);
    elelem_history_reader_init(&reader, &how);
    read_entry(&reader, written, written.size, entry);
    read_entry(&reader, written, 1u + settings[3], entry);
    elelem_history_reader_free(&reader);
    MUST(heap.live == 0 && limits_held(&heap));
}

/* What the application says that it did may be of no call, because it comes with the first part of one. */
static int has_results(void)
{
    return has(2, 2) && has(2, 4);
}

/* A request has the entry as its history. */
static void check_request(elelem_str written)
{
    elelem_request request = ELELEM_INIT;
    elelem_json_desc deep = ELELEM_INIT;
    elelem_buffer out;
    elelem_error error;
    elelem_json json;

    elelem_buffer_init(&out, plain, 0);
    request.shape = shapes[(settings[0] + settings[3]) % 5];
    request.model = elelem_str_of("m");
    request.history = written;
    deep.max_depth = 1024; /* arguments may be 512 deep, and the body around them is deeper */
    error = elelem_request_write(&request, elelem_buffer_sink(&out));
    MUST(error.offset <= written.size && error.message[0]);
    if (error.status == ELELEM_OK) {
        MUST(elelem_value_type(elelem_json_read(&json, elelem_buffer_text(&out), &deep)) == ELELEM_TYPE_OBJECT);
        elelem_json_free(&json);
    } else {
        MUST(error.status == ELELEM_ERROR_COUNT || error.status == ELELEM_ERROR_MISUSE || (error.status == ELELEM_ERROR_PROTOCOL && has_results()));
        MUST(elelem_buffer_text(&out).size == 0);
    }
    elelem_buffer_free(&out);
}

/* Reads the entry as items, in pieces of so many bytes. */
static void read_items(elelem_str written, size_t piece, uint8_t role, elelem_buffer *out)
{
    elelem_item_reader_desc how = ELELEM_INIT;
    elelem_item_reader reader;
    elelem_read_item item;
    elelem_writer writer;
    elelem_status status = ELELEM_MORE;
    limits_heap heap = ELELEM_INIT;
    size_t i = 0;

    elelem_buffer_init(out, plain, 0);
    heap.bound = limits_of_item_reader(&how);
    how.allocator = limits_allocator(&heap);
    elelem_item_reader_init(&reader, &how);
    while (status == ELELEM_MORE) {
        if (i < written.size) elelem_item_reader_push(&reader, written.data + i, piece < written.size - i ? piece : written.size - i);
        else elelem_item_reader_finish(&reader);
        i += piece;
        while ((status = elelem_item_reader_next(&reader, &item)) == ELELEM_OK) {
            if (item.kind == ELELEM_READ_ITEM) MUST(item.role == role);
            elelem_writer_init(&writer, elelem_buffer_sink(out), 0);
            if (item.kind == ELELEM_READ_ITEM) MUST(elelem_item_write(&writer, &item.item) == ELELEM_OK);
            else MUST(elelem_buffer_append(out, item.line.data, item.line.size) == ELELEM_OK);
            MUST(elelem_buffer_append(out, "\n", 1) == ELELEM_OK);
        }
    }
    MUST(status == ELELEM_END);
    elelem_item_reader_free(&reader);
    MUST(heap.live == 0 && heap.blocks == 0 && limits_held(&heap));
}

static void check_items(const elelem_history_entry *entry, elelem_str written)
{
    elelem_buffer whole, pieces;

    read_items(written, written.size, entry->role, &whole);
    read_items(written, 1u + settings[3], entry->role, &pieces);
    MUST(elelem_str_equal(elelem_buffer_text(&whole), elelem_buffer_text(&pieces)));
    elelem_buffer_free(&whole);
    elelem_buffer_free(&pieces);
}

/* The text is that of the record, unless the caller set one or added to it. */
static void check_entry(built_entry *e, const elelem_history_entry *entry)
{
    check_read(entry, elelem_buffer_text(&e->written));
    check_request(elelem_buffer_text(&e->written));
    check_items(entry, elelem_buffer_text(&e->written));
    check_events(entry);
    if (is_small() || desc.events_only || has(1, 2) || has(1, 3)) return;
    MUST(elelem_str_equal(entry->text, elelem_buffer_text(&text)));
}

static int same(const built_entry *a, const built_entry *b)
{
    elelem_str x = elelem_buffer_text(&a->written), y = elelem_buffer_text(&b->written);

    if (!elelem_str_equal(x, y)) fprintf(stderr, "%.*s\n%.*s\n", ELELEM_STR_ARG(x), ELELEM_STR_ARG(y));
    return elelem_str_equal(x, y);
}

/* A time and members of the recorder's own are in lines only; and of limits a line may meet others. */
static void check_all(void)
{
    elelem_history_entry entry;
    elelem_status status = write_entry(&direct, &entry);

    if (status == ELELEM_OK && !direct.is_short_of_memory) check_entry(&direct, &entry);
    MUST(write_entry(&of_items, &entry) != ELELEM_OK || is_small() || status == ELELEM_OK || direct.is_short_of_memory);
    if (elelem_buffer_text(&of_items.written).size > 0) check_entry(&of_items, &entry);
    MUST(write_entry(&of_lines, &entry) != ELELEM_OK || is_small() || status == ELELEM_OK || direct.is_short_of_memory);
    if (!is_small()) MUST(same(&of_items, &of_lines));
    if (!is_small() && !has(2, 0) && !has(2, 1) && !direct.is_short_of_memory) MUST(same(&direct, &of_items));
}

static uint64_t most_steps(size_t size)
{
    elelem_str record = elelem_buffer_text(&lines);

    return STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size + (uint64_t)STEPS_PER_LINE * work_lines(record.data, record.size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_values(data, size, most, seed, SETTINGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t before = counted_steps, most;

    if (size < SETTINGS || size > LARGEST) return 0;
    settings = data;
    body = elelem_str_from(data + SETTINGS, size - SETTINGS);
    settle();
    elelem_buffer_init(&events, plain, 0);
    begin(&direct, &desc);
    begin(&of_items, &desc);
    begin(&of_lines, &desc);
    direct.heap.refuse = settings[2] >> 5;
    begin_recorder(&of_log, &recorder_heaps[0], &lines, ELELEM_RECORD_LINES);
    begin_recorder(&of_frames, &recorder_heaps[1], &frames, ELELEM_RECORD_SSE);
    begin_recorder(&of_text, &recorder_heaps[2], &text, ELELEM_RECORD_TEXT);
    read_body();
    push_record();
    finish(&direct);
    finish(&of_items);
    finish(&of_lines);
    check_frames();
    check_all();
    most = most_steps(size);
    end_recorder(&of_log, &recorder_heaps[0]);
    end_recorder(&of_frames, &recorder_heaps[1]);
    end_recorder(&of_text, &recorder_heaps[2]);
    end(&direct);
    end(&of_items);
    end(&of_lines);
    elelem_buffer_free(&lines);
    elelem_buffer_free(&frames);
    elelem_buffer_free(&text);
    elelem_buffer_free(&events);
    MUST(counted_steps - before <= most);
    return 0;
}
