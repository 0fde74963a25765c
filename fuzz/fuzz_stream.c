/* Bodies of every wire shape, whole and cut: the same events, offsets and end, within the rules
 * of events that streams.h checks (an index counts up, is flushed once, has nothing after its
 * flush; FINISHED comes when all are flushed; exactly one end). The same body through a turn has
 * one end too, and nothing is left allocated. The first bytes of the input choose: the shape and
 * its options, the HTTP status, how the body ends and how it is cut, and whether the first ~ of the body are
 * large texts, so that values pass. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 18)
#include "limits.h"
#include "mutate_values.h"
#include "streams.h"

#define LARGEST 4096
#define SETTINGS 3 /* bytes */
#define LARGE 3    /* texts */
#define LARGE_BYTES 5000

static limits_heap heap;

static void demand(int held, const char *what)
{
    if (held) return;
    fprintf(stderr, "%s\n%.*s\n-- whole:\n%.*s\n", what, (int)feed_now.size, feed_now.text, (int)feed_whole.size,
            feed_whole.text);
    abort();
}

static void settle(const uint8_t *settings)
{
    static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                                  &elelem_shape_gemini, &elelem_shape_interactions };
    static const int statuses[] = { 0, 200, 400, 429 };

    streams_shape(shapes[settings[0] & 64 ? 4 : settings[0] & 3]);
    streams_now.desc.split_thoughts = settings[0] >> 2 & 1;
    streams_now.desc.structured = settings[0] >> 3 & 1;
    if (settings[0] & 128) {
        streams_now.desc.max_open_items = 3;
        streams_now.desc.max_choices = 2;
        streams_now.desc.max_frame_bytes = 2000;
        streams_now.desc.max_kept_bytes = 100;
    }
    heap.bound = limits_of_stream(&streams_now.desc);
    streams_now.desc.allocator = limits_allocator(&heap);
    streams_now.http_status = statuses[settings[1] & 3];
    streams_now.fail_kind = settings[1] & 4 ? ELELEM_ERROR_KIND_CONNECT : -1;
    streams_now.offsets = 1;
}

/* What streams.h logs for a broken rule or a text that is cut inside a character, at the start of a line; the same
   words inside a text or a name mean nothing. */
static void look(const char *line, const char *end)
{
    static const char *const wrong[] = { "text (", "think (", "json (", "args (" };
    size_t i;

    demand(end - line < 7 || memcmp(line, "BROKEN:", 7) != 0, "a rule is broken");
    while (line < end && ((*line >= '0' && *line <= '9') || *line == '@'))
        line++;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
        demand((size_t)(end - line) <= strlen(wrong[i]) || memcmp(line + 1, wrong[i], strlen(wrong[i])) != 0,
               "a text is torn or empty");
}

static elelem_status next(void *object, feed_log *log)
{
    size_t before = log->size;
    int in_text = log->in_text;
    elelem_status status = streams_next(object, log);
    const char *line = log->text + before;

    if (in_text) {
        if (log->size - before < 2 || memcmp(line, "\"\n", 2) != 0) return status; /* more of the text, whatever it says */
        line += 2;
    }
    look(line, log->text + log->size);
    return status;
}

static const feed_object fed = { &streams_now, streams_start, streams_push, next, streams_finish, NULL };

static void give(feed_log *log, const uint8_t *data, size_t size, size_t first, size_t step)
{
    feed_once(&fed, log, (const char *)data, size, first, step, 0);
    demand(streams_now.ends == 1, "not one end");
}

/* A log that is full has not all of what came. */
static void demand_same(const char *cut)
{
    if (feed_whole.full || feed_now.full) return;
    demand(feed_now.size == feed_whole.size && memcmp(feed_now.text, feed_whole.text, feed_now.size) == 0, cut);
}

/* An item's state and value agree, and the end is the last. */
static void take(elelem_turn *turn, int *ends)
{
    elelem_turn_update update;
    elelem_status status;

    while ((status = elelem_turn_next(turn, &update)) == ELELEM_OK) {
        demand(*ends == 0, "an item behind the end");
        *ends += update.kind == ELELEM_TURN_FINISHED || update.kind == ELELEM_TURN_ERROR;
        if (update.kind == ELELEM_TURN_TOOL_CALL_DONE)
            demand(elelem_value_is_complete(update.tool_call.arguments) == (update.item->state == ELELEM_ITEM_COMPLETE),
                   "a call that is whole and is not");
        if (update.kind == ELELEM_TURN_FINISHED) demand(update.error.kind == 0, "a good end with an error");
    }
    demand(status == ELELEM_MORE || status == ELELEM_END, "a turn answers an error");
}

static void turn(const uint8_t *data, size_t size, size_t step)
{
    static elelem_turn turn;
    limits_heap all = ELELEM_INIT;
    elelem_turn_desc desc = ELELEM_INIT;
    size_t at;
    int ends = 0;

    desc.shape = streams_now.desc.shape;
    desc.max_frame_bytes = streams_now.desc.max_frame_bytes;
    desc.max_kept_bytes = streams_now.desc.max_kept_bytes;
    desc.max_open_items = streams_now.desc.max_open_items;
    desc.max_choices = streams_now.desc.max_choices;
    desc.allocator = limits_allocator(&all);
    desc.split_thoughts = streams_now.desc.split_thoughts;
    desc.structured = streams_now.desc.structured;
    if (streams_now.desc.max_choices) desc.max_item_bytes = 50;
    all.bound = limits_of_turn(&desc);
    elelem_turn_init(&turn, &desc);
    if (streams_now.http_status) elelem_turn_http_status(&turn, streams_now.http_status);
    for (at = 0; at < size; at += step) {
        demand(elelem_turn_push(&turn, data + at, step < size - at ? step : size - at) == ELELEM_OK, "a push is refused");
        take(&turn, &ends);
    }
    elelem_turn_finish(&turn);
    take(&turn, &ends);
    demand(ends == 1, "a turn without one end");
    elelem_turn_free(&turn);
    demand(all.live == 0 && limits_held(&all), "a turn that holds too much");
}

/* Copies the body with large texts for the first ~ of it. Returns its size. */
static size_t enlarge(uint8_t *to, const uint8_t *data, size_t size)
{
    size_t i, end = 0, left = LARGE;

    for (i = 0; i < size; i++) {
        size_t bytes = data[i] == '~' && left > 0 ? LARGE_BYTES : 1;
        if (bytes > 1) left--;
        memset(to + end, bytes > 1 ? 'A' : data[i], bytes);
        end += bytes;
    }
    return end;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_values(data, size, most, seed, SETTINGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t large[LARGEST + LARGE * LARGE_BYTES];
    int has_large;
    size_t cut;

    if (size < SETTINGS || size > LARGEST) return 0;
    settle(data);
    cut = data[2];
    has_large = data[0] >> 4 & 1;
    data += SETTINGS;
    size -= SETTINGS;
    if (has_large) {
        size = enlarge(large, data, size);
        data = large;
    }
    give(&feed_whole, data, size, size, size);
    give(&feed_now, data, size, 1, 1);
    demand_same("byte by byte");
    give(&feed_now, data, size, size > 0 ? cut % size : 0, 1 + cut % 61);
    demand_same("cut");
    turn(data, size, 1 + cut);
    elelem_stream_free(&streams_now.stream);
    demand(heap.live == 0, "a leak");
    demand(limits_held(&heap), "more memory than the desc says");
    heap.peak = 0;
    return 0;
}
