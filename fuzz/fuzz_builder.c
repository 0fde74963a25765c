/* Events from bytes into a builder with small limits: the same items, in the same state, and the same
 * end, however the texts of parts are cut; never more memory than the desc says, and steps in proportion to
 * the events. A look at what is not flushed yet takes steps in proportion to the events so far. The first bytes
 * choose the limits and the cuts; of the rest each pair is an event. */
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 18)
#include "events.h"
#include "feed.h"
#include "work_law.h"

#define LARGEST 2048
#define SETTINGS 4 /* bytes */
#define STEPS_ALWAYS 20000u
#define STEPS_PER_BYTE 700u
#define STEPS_PER_LOOK 10000u /* and for each byte of events before it */
#define STEPS_PER_BYTE_OF_LOOK 100u

static elelem_event_builder_desc desc;
static limits_heap heap;

static void demand(int held)
{
    if (!held) abort();
}

/* Texts that make JSON of every kind, whole and not, and plain ones. */
static const char *const texts[] = { "{\"",  "key",   "\":", "12345",   "[",     "{\"a\":[", "]",    "}",
                                     ",",    "\"some text, \xc3\xa9\"", "\"",    " ",     "\\u0041", "-1.5e3", "null", "\\ud83d" };

static const char *const values[] = { "1", "[]", "[ 1 ]", "[2,3]", "\"text\"", "{}", " null ", "[\"longer than the others are\"]" };

static elelem_event event_of(uint8_t what, uint8_t how)
{
    static const elelem_part_kind kinds[] = { ELELEM_PART_TOOL_CALL, ELELEM_PART_MESSAGE, ELELEM_PART_TOOL_CALL,
                                              ELELEM_PART_STRUCTURED, ELELEM_PART_TOOL_CALL, ELELEM_PART_REASONING };
    uint32_t index = what & 7;
    elelem_event event = part(index, kinds[index % 6], texts[how & 15]);

    if (event.part.kind == ELELEM_PART_TOOL_CALL) event = chunk(index, texts[how & 15]);
    if (what >> 3 == 31) event = flush(index);
    else if (what >> 3 == 30 && kinds[index % 6] == ELELEM_PART_TOOL_CALL) event = start(index, how & 1 ? "c" : "", how & 2 ? "f" : "");
    event.cut_off = what >> 3 == 31 && how == 255;
    if (how >> 4 > 12) event = with(event, how & 1 ? "k" : texts[how & 7], values[how >> 1 & 7]);
    return event;
}

static void log_value(feed_log *log, elelem_value value)
{
    elelem_allocator plain = ELELEM_INIT;
    elelem_buffer buffer;
    elelem_writer writer;

    elelem_buffer_init(&buffer, plain, 0);
    elelem_writer_init(&writer, elelem_buffer_sink(&buffer), 0);
    demand(elelem_writer_value(&writer, value) == ELELEM_OK);
    feed_line(log, "value %d", (int)elelem_value_state_of(value));
    feed_put(log, elelem_buffer_text(&buffer).data, elelem_buffer_text(&buffer).size);
    elelem_buffer_free(&buffer);
}

/* If the value met a limit, the text of JSON may reach to the end of its part; it is left out. */
static void log_item(feed_log *log, const elelem_item *item)
{
    size_t i;

    feed_line(log, "item %u kind %d state %d", (unsigned)item->index, item->kind, item->state);
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        demand(elelem_value_is_complete(item->tool_call.arguments) == (item->state == ELELEM_ITEM_COMPLETE));
        feed_line(log, "call %.*s %.*s", ELELEM_STR_ARG(item->tool_call.id), ELELEM_STR_ARG(item->tool_call.name));
        log_value(log, item->tool_call.arguments);
    } else if (item->kind == ELELEM_PART_STRUCTURED) {
        log_value(log, item->value);
    } else {
        feed_put(log, item->text.data, item->text.size);
    }
    for (i = 0; i < item->metadata.count; i++)
        feed_line(log, "%.*s=%.*s", ELELEM_STR_ARG(item->metadata.entries[i].key), ELELEM_STR_ARG(item->metadata.entries[i].json));
}

static void log_progress(feed_log *log, const elelem_tool_call_argument_progress *progress)
{
    const elelem_fragment *fragment = &progress->fragment;
    char label[40];

    snprintf(label, sizeof label, "%u at %u", (unsigned)progress->index, (unsigned)fragment->path->count);
    if (fragment->kind == ELELEM_FRAGMENT_STRING) feed_text(log, label, fragment->text.data, fragment->text.size);
    else feed_line(log, "%s kind %d type %d %.*s", label, fragment->kind, fragment->type, ELELEM_STR_ARG(fragment->text));
}

static elelem_status take(elelem_event_builder *builder, feed_log *log)
{
    elelem_built built;
    elelem_status status;

    while ((status = elelem_event_builder_next(builder, &built)) == ELELEM_OK)
        if (built.kind == ELELEM_BUILT_ITEM) log_item(log, &built.item);
        else log_progress(log, &built.progress);
    return status;
}

static elelem_status push_all(elelem_event_builder *builder, feed_log *log, const elelem_event *event)
{
    elelem_status status = elelem_event_builder_push(builder, event);

    if (status == ELELEM_ERROR_MISUSE) return ELELEM_MORE; /* a part on an index of another kind, say */
    return status == ELELEM_OK ? take(builder, log) : status;
}

/* Pushes an event, its text cut after `size` bytes if that is less; metadata comes with the first part. */
static elelem_status push_cut(elelem_event_builder *builder, feed_log *log, elelem_event event, size_t size)
{
    elelem_str *text = event.part.kind == ELELEM_PART_TOOL_CALL ? &event.part.tool_call.text : &event.part.text;
    elelem_str rest = *text;
    elelem_status status;

    while (size < rest.size && (rest.data[size] & 0xc0) == 0x80)
        size++;
    if (event.kind != ELELEM_EVENT_PART || size == 0 || size >= rest.size) return push_all(builder, log, &event);
    text->size = size;
    status = push_all(builder, log, &event);
    event.metadata.count = 0;
    text->data = rest.data + size;
    text->size = rest.size - size;
    return status == ELELEM_MORE ? push_all(builder, log, &event) : status;
}

/* What is kept and not flushed yet is seen in order, as it is, and is never complete. */
static void log_partial(const elelem_event_builder *builder, feed_log *log)
{
    elelem_item item;
    size_t at = 0;
    int64_t last = -1;

    while (elelem_event_builder_partial(builder, &at, &item) == ELELEM_OK) {
        elelem_value value = item.kind == ELELEM_PART_TOOL_CALL ? item.tool_call.arguments : item.value;
        demand((int64_t)item.index > last);
        demand(desc.keep == 0 || (desc.keep >> item.kind & 1));
        demand(item.state != ELELEM_ITEM_COMPLETE && !elelem_value_is_complete(value));
        demand(elelem_event_builder_arguments(builder, item.index).els_node == value.els_node);
        log_item(log, &item);
        last = item.index;
    }
}

/* Looks at what is kept, after so many bytes. The steps are counted apart. */
static void look(const elelem_event_builder *builder, feed_log *log, size_t bytes)
{
    uint64_t before = counted_steps;

    log_partial(builder, log);
    demand(work_held(before, STEPS_PER_LOOK + (uint64_t)STEPS_PER_BYTE_OF_LOOK * bytes));
    counted_steps = before;
}

static void build(feed_log *log, const uint8_t *data, size_t size, size_t cut)
{
    elelem_event_builder builder;
    elelem_status status = ELELEM_MORE;
    size_t i;

    log->size = 0;
    log->in_text = 0;
    log->full = 0;
    elelem_event_builder_init(&builder, &desc);
    for (i = 0; i + 1 < size && status == ELELEM_MORE; i += 2) {
        status = push_cut(&builder, log, event_of(data[i], data[i + 1]), cut);
        if (status == ELELEM_MORE && data[i + 1] % 8 == 0) look(&builder, log, i + 2);
    }
    elelem_event_builder_drain(&builder);
    status = take(&builder, log);
    feed_line(log, "%s", elelem_status_name(status));
    elelem_event_builder_free(&builder);
    demand(heap.live == 0 && limits_held(&heap));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t keeps[] = { 0, ELELEM_KEEP_TOOL_CALLS, ELELEM_KEEP_MESSAGES, ELELEM_KEEP_NONE };

    uint64_t before = counted_steps;

    if (size <= SETTINGS || size > LARGEST) return 0;
    memset(&heap, 0, sizeof heap);
    memset(&desc, 0, sizeof desc);
    desc.max_bytes = data[0] & 1 ? 0 : (uint64_t)1 << (data[0] >> 1 & 15);
    desc.max_open = 1 + (data[1] & 7);
    desc.max_metadata = 1 + (data[1] >> 3 & 3);
    desc.keep = keeps[data[1] >> 5 & 3];
    desc.keep_argument_text = data[1] >> 7;
    desc.allocator = limits_allocator(&heap);
    heap.bound = limits_of_builder(&desc);
    build(&feed_whole, data + SETTINGS, size - SETTINGS, 0);
    build(&feed_now, data + SETTINGS, size - SETTINGS, 1 + data[2] % 12);
    demand(work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size));
    if (feed_whole.full || feed_now.full) return 0;
    if (feed_whole.size != feed_now.size || memcmp(feed_whole.text, feed_now.text, feed_now.size) != 0) {
        fprintf(stderr, "-- whole:\n%.*s-- cut:\n%.*s", (int)feed_whole.size, feed_whole.text, (int)feed_now.size, feed_now.text);
        abort();
    }
    return 0;
}
