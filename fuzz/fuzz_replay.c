/* The same bytes whole and, after a reset, cut: one log of items, one end, one offset. What was read can be
 * written and read again and is then the same; what the coalescer makes of it is as good;
 * and the same bytes as a history entry are read whole and cut alike. None of them ever holds more
 * memory than its desc says, and the steps are in proportion to the bytes and lines. If the input says so, a call for memory
 * of each of them is refused: then it gives the same, or ends early with an error of memory, and a reset mends it. */
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 18)
#include "feed.h"
#include "mutate_values.h"
#include "work_law.h"

#define LARGEST 4096
#define SETTINGS 2 /* bytes */
#define STEPS_ALWAYS 100000u
#define STEPS_PER_BYTE 1000u
#define STEPS_PER_LINE 8000u /* each item is written and read again */

static elelem_replayer replayer;
static elelem_replayer_desc replayer_desc;
static elelem_history_reader reader;
static elelem_history_reader_desc reader_desc;
static elelem_event_coalescer_desc coalescer_desc;
static elelem_buffer line;

/* One heap each for the replayer, the reader and the coalescer. */
static limits_heap heaps[3];
static int refused; /* the call for memory that is refused, from 1; 0: none */

static void demand(int held)
{
    if (!held) abort();
}

static elelem_recorder line_recorder(void)
{
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder recorder;

    elelem_buffer_clear(&line);
    desc.sink = elelem_buffer_sink(&line);
    elelem_recorder_init(&recorder, &desc);
    return recorder;
}

/* The item as a line. */
static void write_line(const elelem_record_item *item)
{
    elelem_recorder recorder = line_recorder();

    demand(elelem_recorder_push_item(&recorder, item) == ELELEM_OK);
    demand(memchr(elelem_buffer_text(&line).data, '\n', elelem_buffer_text(&line).size) ==
           elelem_buffer_text(&line).data + elelem_buffer_text(&line).size - 1);
    elelem_recorder_free(&recorder);
}

/* What was written reads as the same. */
static void read_again(const elelem_record_item *item)
{
    elelem_buffer first;
    elelem_replayer_desc desc = ELELEM_INIT;
    elelem_replayer again;
    elelem_record_item other;
    elelem_allocator plain = ELELEM_INIT;

    desc.lines = replayer_desc.lines;
    elelem_buffer_init(&first, plain, 0);
    write_line(item);
    demand(elelem_buffer_append(&first, elelem_buffer_text(&line).data, elelem_buffer_text(&line).size) == ELELEM_OK);
    elelem_replayer_init(&again, &desc);
    elelem_replayer_push(&again, elelem_buffer_text(&first).data, elelem_buffer_text(&first).size);
    demand(elelem_replayer_next(&again, &other) == ELELEM_OK);
    demand(other.kind == item->kind);
    write_line(&other);
    demand(elelem_str_equal(elelem_buffer_text(&first), elelem_buffer_text(&line)));
    elelem_replayer_free(&again);
    elelem_buffer_free(&first);
}

static void start_replayer(void *object)
{
    (void)object;
    elelem_replayer_reset(&replayer);
}

static elelem_status push_replayer(void *object, const void *bytes, size_t size)
{
    (void)object;
    return elelem_replayer_push(&replayer, bytes, size);
}

static elelem_status next_replayer(void *object, feed_log *log)
{
    elelem_record_item item;
    elelem_status status = elelem_replayer_next(&replayer, &item);

    (void)object;
    if (status != ELELEM_OK) return status;
    if (replayer_desc.format == ELELEM_RECORD_TEXT) {
        feed_text(log, "text", item.event.part.text.data, item.event.part.text.size);
        return status;
    }
    read_again(&item);
    feed_line(log, "%d %d", (int)item.number, (int)item.line_number);
    feed_put(log, elelem_buffer_text(&line).data, elelem_buffer_text(&line).size);
    return status;
}

static void finish_replayer(void *object)
{
    (void)object;
    elelem_replayer_finish(&replayer);
}

static elelem_error error_of_replayer(const void *object)
{
    (void)object;
    return elelem_replayer_error(&replayer);
}

static const feed_object replayer_object = { &replayer, start_replayer, push_replayer, next_replayer, finish_replayer,
                                             error_of_replayer };

static void start_reader(void *object)
{
    (void)object;
    elelem_history_reader_reset(&reader);
}

static elelem_status push_reader(void *object, const void *bytes, size_t size)
{
    (void)object;
    return elelem_history_reader_push(&reader, bytes, size);
}

static elelem_status next_reader(void *object, feed_log *log)
{
    elelem_history_entry entry;
    elelem_status status = elelem_history_reader_next(&reader, &entry);

    (void)object;
    if (status != ELELEM_OK) return status;
    elelem_buffer_clear(&line);
    demand(elelem_history_entry_write(&entry, elelem_buffer_sink(&line)) == ELELEM_OK);
    feed_put(log, elelem_buffer_text(&line).data, elelem_buffer_text(&line).size);
    return status;
}

static void finish_reader(void *object)
{
    (void)object;
    elelem_history_reader_finish(&reader);
}

static elelem_error error_of_reader(const void *object)
{
    (void)object;
    return elelem_history_reader_error(&reader);
}

static const feed_object reader_object = { &reader, start_reader, push_reader, next_reader, finish_reader,
                                           error_of_reader };

/* From now on; for most numbers all calls after it too, since one that is refused may be asked for again with a smaller size. */
static void arm(limits_heap *heap)
{
    heap->refuse = heap->calls + refused;
    heap->stays = refused % 3 != 0;
}

static int is_start(elelem_str start, elelem_str all)
{
    return start.size <= all.size && (start.size == 0 || memcmp(start.data, all.data, start.size) == 0);
}

/* Lines, up to the first bad one, to coalesced lines. Returns nonzero if memory was refused. */
static int coalesce(const char *bytes, size_t size, elelem_buffer *out)
{
    elelem_replayer source;
    elelem_event_coalescer coalescer;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder recorder;
    elelem_record_item item, made;
    elelem_status status = ELELEM_OK;
    int is_short = 0;

    desc.sink = elelem_buffer_sink(out);
    elelem_replayer_init(&source, NULL);
    elelem_event_coalescer_init(&coalescer, &coalescer_desc);
    elelem_recorder_init(&recorder, &desc);
    elelem_replayer_push(&source, bytes, size);
    elelem_replayer_finish(&source);
    while (status == ELELEM_OK) {
        status = elelem_replayer_next(&source, &item);
        if (status == ELELEM_OK) {
            elelem_status taken = elelem_event_coalescer_push_item(&coalescer, &item);
            is_short = taken == ELELEM_ERROR_MEMORY;
            demand(taken == ELELEM_OK || is_short || (taken == ELELEM_ERROR_LINE_SIZE && item.line.size > coalescer_desc.max_bytes));
        } else {
            elelem_event_coalescer_finish(&coalescer);
        }
        while (elelem_event_coalescer_next(&coalescer, &made) == ELELEM_OK)
            demand(elelem_recorder_push_item(&recorder, &made) == ELELEM_OK);
        is_short |= elelem_event_coalescer_error(&coalescer).status == ELELEM_ERROR_MEMORY;
        if (is_short || elelem_event_coalescer_error(&coalescer).status != ELELEM_OK) break;
    }
    elelem_replayer_free(&source);
    elelem_event_coalescer_free(&coalescer);
    elelem_recorder_free(&recorder);
    demand(!is_short || (heaps[2].refuse > 0 && heaps[2].calls >= heaps[2].refuse));
    return is_short;
}

static void coalesce_refused(const char *bytes, size_t size, elelem_str all)
{
    elelem_allocator plain = ELELEM_INIT;
    elelem_buffer out;
    int is_short;

    elelem_buffer_init(&out, plain, 0);
    arm(&heaps[2]);
    is_short = coalesce(bytes, size, &out);
    heaps[2].refuse = 0;
    demand(is_start(elelem_buffer_text(&out), all));
    demand(is_short || elelem_buffer_text(&out).size == all.size);
    elelem_buffer_free(&out);
}

static void coalesce_twice(const char *bytes, size_t size)
{
    elelem_allocator plain = ELELEM_INIT;
    elelem_buffer once, twice;

    elelem_buffer_init(&once, plain, 0);
    elelem_buffer_init(&twice, plain, 0);
    coalesce(bytes, size, &once);
    coalesce(elelem_buffer_text(&once).data, elelem_buffer_text(&once).size, &twice);
    if (coalescer_desc.max_bytes > LARGEST)
        demand(elelem_str_equal(elelem_buffer_text(&once), elelem_buffer_text(&twice)));
    if (refused) coalesce_refused(bytes, size, elelem_buffer_text(&once));
    elelem_buffer_free(&once);
    elelem_buffer_free(&twice);
}

/* What was logged before an error of memory. */
static elelem_str before_memory(const feed_log *log)
{
    static const char pushed[] = "push returned ELELEM_ERROR_MEMORY\n", what[] = "ERROR_MEMORY at ";
    size_t at = log->size > 0 ? log->size - 1 : 0;

    while (at > 0 && log->text[at - 1] != '\n')
        at--;
    demand(log->size - at > sizeof what && memcmp(log->text + at, what, sizeof what - 1) == 0);
    if (at >= sizeof pushed - 1 && memcmp(log->text + at - (sizeof pushed - 1), pushed, sizeof pushed - 1) == 0) at -= sizeof pushed - 1;
    if (replayer_desc.format == ELELEM_RECORD_TEXT && at >= 2 && memcmp(log->text + at - 2, "\"\n", 2) == 0) at -= 2;
    return elelem_str_from(log->text, at);
}

static void feed_refused(const feed_object *object, limits_heap *heap, const char *bytes, size_t size, size_t step)
{
    elelem_str all = elelem_str_from(feed_whole.text, feed_whole.size);

    arm(heap);
    feed_once(object, &feed_now, bytes, size, step, step, 0);
    if (!feed_whole.full && !feed_now.full) {
        if (object->error(object->object).status != ELELEM_ERROR_MEMORY) {
            demand(elelem_str_equal(elelem_str_from(feed_now.text, feed_now.size), all));
        } else {
            demand(heap->calls >= heap->refuse);
            demand(is_start(before_memory(&feed_now), all));
        }
    }
    heap->refuse = 0;
}

static void whole_and_cut(const feed_object *object, limits_heap *heap, const char *bytes, size_t size, size_t first, size_t step)
{
    feed_once(object, &feed_whole, bytes, size, size, size, 0);
    if (refused) feed_refused(object, heap, bytes, size, first);
    feed_once(object, &feed_now, bytes, size, first, step, 1);
    if (feed_whole.full || feed_now.full) return; /* not all of what came is there to compare */
    demand(feed_whole.size == feed_now.size && memcmp(feed_whole.text, feed_now.text, feed_now.size) == 0);
}

static void set_limits(int are_small)
{
    memset(heaps, 0, sizeof heaps);
    replayer_desc.max_line_bytes = are_small ? 100 : 4096;
    reader_desc.max_bytes = are_small ? 100 : 4096;
    coalescer_desc.max_bytes = are_small ? 200 : 100000;
    coalescer_desc.max_calls = are_small ? 2 : 16;
    heaps[0].bound = limits_of_replayer(&replayer_desc);
    heaps[1].bound = limits_of_history_reader(&reader_desc);
    heaps[2].bound = limits_of_coalescer(&coalescer_desc);
    replayer_desc.allocator = limits_allocator(&heaps[0]);
    reader_desc.allocator = limits_allocator(&heaps[1]);
    coalescer_desc.allocator = limits_allocator(&heaps[2]);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_values(data, size, most, seed, SETTINGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data + SETTINGS;
    elelem_allocator plain = ELELEM_INIT;
    uint64_t before = counted_steps;
    size_t first;

    if (size <= SETTINGS || size > LARGEST) return 0;
    size -= SETTINGS;
    first = 1 + data[1] % size;
    elelem_buffer_init(&line, plain, 0);
    memset(&replayer_desc, 0, sizeof replayer_desc);
    set_limits(data[0] & 1);
    if (data[0] & 2) replayer_desc.first = 1;
    replayer_desc.lines = data[0] >> 2 & 1;
    refused = data[0] >> 4;
    if (data[0] >> 3 & 1) replayer_desc.format = ELELEM_RECORD_TEXT;
    elelem_replayer_init(&replayer, &replayer_desc);
    elelem_history_reader_init(&reader, &reader_desc);
    whole_and_cut(&replayer_object, &heaps[0], bytes, size, first, 1u + data[1] / 16u);
    whole_and_cut(&reader_object, &heaps[1], bytes, size, first, 1u + data[1] / 16u);
    coalesce_twice(bytes, size);
    elelem_replayer_free(&replayer);
    elelem_history_reader_free(&reader);
    demand(limits_held(&heaps[0]) && limits_held(&heaps[1]) && limits_held(&heaps[2]));
    demand(heaps[0].live == 0 && heaps[1].live == 0 && heaps[2].live == 0);
    elelem_buffer_free(&line);
    demand(work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size + (uint64_t)STEPS_PER_LINE * work_lines(bytes, size)));
    return 0;
}
