/* The event stream decoder: whole and in chunks, any bytes give the same frames, the
 * same end and the same offset; and it takes no more memory than its limit allows, and
 * steps in proportion to the bytes and the pushes. An event that is written of the same
 * bytes is decoded as it was. The first four bytes choose limits and chunks. */
#include "elelem_stream.h"

#include "feed.h"
#include "must.h"
#include "work_law.h"

#define NAME_LIMIT 20
#define LARGEST 32768
#define SETTINGS 4 /* bytes */
#define STEPS_ALWAYS 5000u
#define STEPS_PER_BYTE 150u

static elelem_sse_decoder decoder;

static void start(void *object)
{
    elelem_sse_decoder_reset((elelem_sse_decoder *)object);
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    return elelem_sse_decoder_push((elelem_sse_decoder *)object, bytes, size);
}

static void log_end(feed_log *log, const elelem_frame *frame)
{
    MUST(elelem_str_equal(elelem_sse_decoder_last_id(&decoder), frame->id));
    MUST(elelem_sse_decoder_retry_ms(&decoder) == frame->retry_ms);
    feed_line(log, "end %d retry %lld", frame->kind, (long long)frame->retry_ms);
    feed_bytes(log, "event", frame->event.data, frame->event.size);
    feed_bytes(log, "id", frame->id.data, frame->id.size);
}

static elelem_status take(void *object, feed_log *log)
{
    elelem_frame frame;
    elelem_status status = elelem_sse_decoder_next((elelem_sse_decoder *)object, &frame);

    if (status != ELELEM_OK) return status;
    switch (frame.kind) {
    case ELELEM_FRAME_DATA: feed_bytes(log, "data", frame.text.data, frame.text.size); break;
    case ELELEM_FRAME_LINE:
        if (frame.text.size > 0 || !frame.line_end) feed_bytes(log, "line", frame.text.data, frame.text.size);
        if (frame.line_end) feed_line(log, "line end");
        break;
    default: log_end(log, &frame); break;
    }
    return status;
}

static void finish(void *object)
{
    elelem_sse_decoder_finish((elelem_sse_decoder *)object);
}

static elelem_error error(const void *object)
{
    return elelem_sse_decoder_error((const elelem_sse_decoder *)object);
}

static const feed_object fed = { &decoder, start, push, take, finish, error };

/* An event that is written. */

/* CR, LF and CRLF are all read as LF. Returns the size. */
static size_t with_line_feeds(char *to, elelem_str data)
{
    size_t size = 0, i;

    for (i = 0; i < data.size; i++) {
        if (data.data[i] == '\n' && i > 0 && data.data[i - 1] == '\r') continue;
        to[size++] = data.data[i] == '\r' ? '\n' : data.data[i];
    }
    return size;
}

static int has_byte(elelem_str text, char byte)
{
    return text.size > 0 && memchr(text.data, byte, text.size) != NULL;
}

static int is_line(elelem_str text)
{
    return !has_byte(text, '\n') && !has_byte(text, '\r');
}

/* What was written is one event, and nothing else. */
static void read_event(elelem_str written, elelem_str name, elelem_str id, elelem_str data)
{
    static char expected[LARGEST];
    size_t size = with_line_feeds(expected, data), at = 0;
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    elelem_frame frame = ELELEM_INIT;

    desc.lines = 1;
    elelem_sse_decoder_init(&decoder, &desc);
    elelem_sse_decoder_push(&decoder, written.data, written.size);
    while (elelem_sse_decoder_next(&decoder, &frame) == ELELEM_OK && frame.kind == ELELEM_FRAME_DATA) {
        MUST(frame.text.size <= size - at && memcmp(frame.text.data, expected + at, frame.text.size) == 0);
        at += frame.text.size;
    }
    MUST(at == size && frame.kind == ELELEM_FRAME_DISPATCH);
    MUST(elelem_str_equal(frame.event, name) && elelem_str_equal(frame.id, id) && frame.retry_ms == -1);
    elelem_sse_decoder_finish(&decoder);
    MUST(elelem_sse_decoder_next(&decoder, &frame) == ELELEM_END);
    elelem_sse_decoder_free(&decoder);
}

/* The bytes as a name, an id and data. A name and an id that are no line write nothing. */
static void write_event(elelem_str bytes, size_t name_size, size_t id_size)
{
    elelem_allocator plain = ELELEM_INIT;
    elelem_buffer written;
    elelem_str name, id, data;
    elelem_status status;

    name = elelem_str_from(bytes.data, name_size < bytes.size ? name_size : bytes.size);
    id = elelem_str_from(name.data + name.size, id_size < bytes.size - name.size ? id_size : bytes.size - name.size);
    data = elelem_str_from(id.data + id.size, bytes.size - name.size - id.size);
    elelem_buffer_init(&written, plain, 0);
    status = elelem_sse_write_event(elelem_buffer_sink(&written), name, id, data);
    if (is_line(name) && is_line(id) && !has_byte(id, '\0')) {
        MUST(status == ELELEM_OK);
        read_event(elelem_buffer_text(&written), name, id, data);
    } else {
        MUST(status == ELELEM_ERROR_MISUSE && elelem_buffer_text(&written).size == 0);
    }
    elelem_buffer_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    limits_heap heap = ELELEM_INIT;
    const char *bytes = (const char *)data + SETTINGS;
    uint64_t before = counted_steps;

    if (size < SETTINGS || size > LARGEST) return 0;
    desc.allocator = limits_allocator(&heap);
    desc.max_name_bytes = NAME_LIMIT;
    heap.bound = limits_of_decoder(&desc);
    desc.max_data_bytes = data[0] >> 1;
    desc.lines = data[0] & 1;
    size -= SETTINGS;
    elelem_sse_decoder_init(&decoder, &desc);
    feed_once(&fed, &feed_whole, bytes, size, size, size, 0);
    feed_once(&fed, &feed_now, bytes, size, data[1] + 1u, data[2] % 40u + 1u, data[3] & 1);
    if (!feed_whole.full && !feed_now.full &&
        (feed_whole.size != feed_now.size || memcmp(feed_whole.text, feed_now.text, feed_now.size) != 0))
        abort();
    elelem_sse_decoder_free(&decoder);
    MUST(heap.live == 0 && limits_held(&heap));
    write_event(elelem_str_from(bytes, size), data[1] % 16, data[2] % 32);
    MUST(counted_steps - before <= STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size);
    return 0;
}
