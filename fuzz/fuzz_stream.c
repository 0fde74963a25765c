/* Bodies of every wire shape, whole and cut: the same events, offsets and end, within the rules
 * of events that streams.h checks (an index counts up, is flushed once, has nothing after its
 * flush; FINISHED comes when all are flushed; exactly one end). The same body through a turn has
 * one end too, and nothing is left allocated; no more memory is held than the descs say, and the steps are in
 * proportion to the bytes; over an arena it gives the same, or runs out of memory and writes
 * nothing outside of it. An event stream that the caller decodes gives what its bytes give. The first bytes of
 * the input choose: the shape and its options, the HTTP status, how the body ends and how it is cut, how large
 * the arena is, and whether the first ~ of the body are large texts, so that values pass. */
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 18)
#include "mutate_values.h"
#include "streams.h"
#include "work_law.h"

#define LARGEST 4096
#define SETTINGS 3 /* bytes */
#define LARGE 3    /* texts */
#define LARGE_BYTES 5000
#define STEPS_ALWAYS 60000u
#define STEPS_PER_BYTE 1200u

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

/* What a turn gave. */
typedef struct turn_log {
    int ends;
    uint32_t hash; /* of the updates */
} turn_log;

static void log_text(turn_log *log, elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size; i++)
        log->hash = (log->hash ^ (unsigned char)text.data[i]) * 16777619u;
    log->hash = (log->hash ^ (uint32_t)text.size) * 16777619u;
}

static void log_update(turn_log *log, const elelem_turn_update *update)
{
    log->hash = (log->hash ^ update->kind) * 16777619u;
    if (update->item) log_text(log, elelem_str_from(&update->item->state, 1));
    if (update->item) log_text(log, update->item->text);
    log_text(log, update->error.message);
}

/* An item's state and value agree, and the end is the last. */
static void take(elelem_turn *turn, turn_log *log)
{
    elelem_turn_update update;
    elelem_status status;
    int *ends = &log->ends;

    while ((status = elelem_turn_next(turn, &update)) == ELELEM_OK) {
        log_update(log, &update);
        demand(*ends == 0, "an item behind the end");
        *ends += update.kind == ELELEM_TURN_FINISHED || update.kind == ELELEM_TURN_ERROR;
        if (update.kind == ELELEM_TURN_TOOL_CALL_DONE)
            demand(elelem_value_is_complete(update.tool_call.arguments) == (update.item->state == ELELEM_ITEM_COMPLETE),
                   "a call that is whole and is not");
        if (update.kind == ELELEM_TURN_FINISHED) demand(update.error.kind == 0, "a good end with an error");
    }
    demand(status == ELELEM_MORE || status == ELELEM_END, "a turn answers an error");
}

static elelem_turn_desc turn_desc(elelem_allocator allocator)
{
    elelem_turn_desc desc = ELELEM_INIT;

    desc.shape = streams_now.desc.shape;
    desc.max_frame_bytes = streams_now.desc.max_frame_bytes;
    desc.max_kept_bytes = streams_now.desc.max_kept_bytes;
    desc.max_open_items = streams_now.desc.max_open_items;
    desc.max_choices = streams_now.desc.max_choices;
    desc.allocator = allocator;
    desc.split_thoughts = streams_now.desc.split_thoughts;
    desc.structured = streams_now.desc.structured;
    if (streams_now.desc.max_choices) desc.max_item_bytes = 50;
    return desc;
}

static turn_log run_turn(const elelem_turn_desc *desc, const uint8_t *data, size_t size, size_t step)
{
    static elelem_turn turn;
    turn_log log = { 0, 0 };
    size_t at;

    elelem_turn_init(&turn, desc);
    if (streams_now.http_status) elelem_turn_http_status(&turn, streams_now.http_status);
    for (at = 0; at < size; at += step) {
        demand(elelem_turn_push(&turn, data + at, step < size - at ? step : size - at) == ELELEM_OK, "a push is refused");
        take(&turn, &log);
    }
    elelem_turn_finish(&turn);
    take(&turn, &log);
    demand(log.ends == 1, "a turn without one end");
    elelem_turn_free(&turn);
    return log;
}

static turn_log turn(const uint8_t *data, size_t size, size_t step)
{
    limits_heap all = ELELEM_INIT;
    elelem_turn_desc desc = turn_desc(limits_allocator(&all));
    turn_log log;

    all.bound = limits_of_turn(&desc);
    log = run_turn(&desc, data, size, step);
    demand(all.live == 0 && limits_held(&all), "a turn that holds too much");
    return log;
}

/* Memory of a fixed size. */

#define ARENA_SKIP 32 /* bytes that may come before it */

typedef struct fixed_memory {
    elelem_arena arena;
    elelem_allocator allocator; /* of the arena */
    unsigned char *memory;
    size_t size;
    int has_refused;
} fixed_memory;

/* What the arena does; each block is in the memory and aligned. */
static void *fixed_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    fixed_memory *f = (fixed_memory *)context;
    unsigned char *given = (unsigned char *)f->allocator.resize(f->allocator.context, block, old_size, new_size);

    if (new_size == 0) demand(!given, "a block of no bytes");
    if (!given) {
        f->has_refused |= new_size > 0;
        return NULL;
    }
    demand(given >= f->memory && new_size <= f->size && given <= f->memory + (f->size - new_size), "a block outside of the arena");
    demand((uintptr_t)given % sizeof(double) == 0, "a block that is not aligned");
    return given;
}

/* The same turn over an arena of so many bytes, which begins at any address. */
static void turn_in_arena(const uint8_t *data, size_t size, size_t step, size_t room, turn_log expected)
{
    unsigned char *all = (unsigned char *)malloc(ARENA_SKIP + room);
    size_t skip = room % ARENA_SKIP, i;
    fixed_memory f = ELELEM_INIT;
    elelem_allocator allocator;
    elelem_turn_desc desc;
    turn_log log;

    if (!all) abort();
    memset(all, 0x5a, ARENA_SKIP + room);
    f.memory = all + skip;
    f.size = room;
    f.allocator = elelem_arena_init(&f.arena, f.memory, room);
    allocator.resize = fixed_resize;
    allocator.context = &f;
    desc = turn_desc(allocator);
    log = run_turn(&desc, data, size, step);
    demand(f.has_refused || log.hash == expected.hash, "a turn over an arena gives something else");
    demand(elelem_arena_used(&f.arena) == 0 && elelem_arena_peak(&f.arena) <= room, "an arena with other sizes");
    for (i = 0; i < skip; i++)
        demand(all[i] == 0x5a, "a byte before the arena is written");
    for (i = skip + room; i < ARENA_SKIP + room; i++)
        demand(all[i] == 0x5a, "a byte after the arena is written");
    free(all);
}

/* A caller with a decoder of its own. */

typedef struct own_decoder {
    elelem_sse_decoder decoder;
    elelem_buffer data;      /* of the event so far */
    int is_something_else;   /* not only an event stream, whose events are whole and set no retry, and whose names are not too long */
    int has_events;
} own_decoder;

static own_decoder own;

/* Gives one event, in a block of its size, to the stream. */
static elelem_status push_frame(feed_log *log, const elelem_frame *frame)
{
    elelem_str data = elelem_buffer_text(&own.data);
    char *lent = (char *)malloc(data.size);
    elelem_status status;

    if (!lent) abort();
    memcpy(lent, data.data, data.size);
    status = elelem_stream_push_data(&streams_now.stream, frame->event, elelem_str_from(lent, data.size));
    demand(status == ELELEM_OK, "a frame is refused");
    elelem_buffer_clear(&own.data);
    return feed_drain(&fed, log, lent);
}

static elelem_status give_frame(feed_log *log, const elelem_frame *frame)
{
    if (frame->kind == ELELEM_FRAME_DATA)
        demand(elelem_buffer_append(&own.data, frame->text.data, frame->text.size) == ELELEM_OK, "no memory");
    if (frame->kind == ELELEM_FRAME_LINE || frame->kind == ELELEM_FRAME_DISCARD || frame->retry_ms > 0) own.is_something_else = 1;
    if (frame->kind != ELELEM_FRAME_DISPATCH || elelem_buffer_text(&own.data).size == 0) return ELELEM_MORE;
    own.has_events = 1;
    return push_frame(log, frame);
}

/* The events of the body, decoded by the caller. */
static void give_events(feed_log *log, const uint8_t *data, size_t size)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    elelem_allocator plain = ELELEM_INIT;
    elelem_frame frame = ELELEM_INIT;
    elelem_status status = ELELEM_MORE;

    memset(&own, 0, sizeof own);
    desc.lines = 1;
    elelem_sse_decoder_init(&own.decoder, &desc);
    elelem_buffer_init(&own.data, plain, 0);
    log->size = 0;
    log->in_text = log->full = 0;
    streams_start(&streams_now);
    elelem_sse_decoder_push(&own.decoder, data, size);
    while (elelem_sse_decoder_next(&own.decoder, &frame) == ELELEM_OK && status == ELELEM_MORE)
        status = give_frame(log, &frame);
    elelem_sse_decoder_finish(&own.decoder);
    while (elelem_sse_decoder_next(&own.decoder, &frame) == ELELEM_OK)
        if (frame.kind != ELELEM_FRAME_DATA) own.is_something_else = 1;
    if (elelem_sse_decoder_error(&own.decoder).status != ELELEM_OK) own.is_something_else = 1;
    streams_finish(&streams_now);
    if (status == ELELEM_MORE) status = feed_drain(&fed, log, NULL);
    feed_end(&fed, log, status);
    demand(streams_now.ends == 1, "not one end");
    elelem_sse_decoder_free(&own.decoder);
    elelem_buffer_free(&own.data);
}

/* Offsets are of the bytes, which the stream of events does not see. */
static void check_events(const uint8_t *data, size_t size)
{
    streams_now.offsets = 0;
    give_events(&feed_now, data, size);
    if (!own.has_events || own.is_something_else) return;
    give(&feed_whole, data, size, size, size);
    demand_same("decoded by the caller");
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
    uint64_t before = counted_steps;
    int has_large;
    size_t cut;
    turn_log log;

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
    log = turn(data, size, 1 + cut);
    turn_in_arena(data, size, 1 + cut, cut * cut / 2, log);
    check_events(data, size);
    elelem_stream_free(&streams_now.stream);
    demand(heap.live == 0, "a leak");
    demand(limits_held(&heap), "more memory than the desc says");
    heap.peak = 0;
    demand(work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size), "more steps than the bytes allow");
    return 0;
}
