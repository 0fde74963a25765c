/* The event stream decoder: whole and in chunks, any bytes give the same frames, the
 * same end and the same offset; and it takes no more memory than its limit allows.
 * The first four bytes choose limits and chunks. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"

#define NAME_LIMIT 20

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    limits_heap heap = ELELEM_INIT;
    const char *bytes = (const char *)data + 4;

    if (size < 4 || size > 32768) return 0;
    desc.allocator = limits_allocator(&heap);
    desc.max_name_bytes = NAME_LIMIT;
    heap.bound = limits_of_decoder(&desc);
    desc.max_data_bytes = data[0] >> 1;
    desc.lines = data[0] & 1;
    size -= 4;
    elelem_sse_decoder_init(&decoder, &desc);
    feed_once(&fed, &feed_whole, bytes, size, size, size, 0);
    feed_once(&fed, &feed_now, bytes, size, data[1] + 1u, data[2] % 40u + 1u, data[3] & 1);
    if (!feed_whole.full && !feed_now.full &&
        (feed_whole.size != feed_now.size || memcmp(feed_whole.text, feed_now.text, feed_now.size) != 0))
        abort();
    elelem_sse_decoder_free(&decoder);
    if (heap.live != 0 || !limits_held(&heap)) abort();
    return 0;
}
