/* item_reader: the first two bytes choose limits and pieces, the rest is lines. Whole, byte by byte and in pieces they
   must give the same items and the same end, also after a reset, within the memory that the desc allows and in steps in
   proportion to the bytes and lines; and an item that is written again is read as itself. If the input says so, a call for memory is
   refused: then it is the same, or ends early with an error of memory. */
#include "elelem_stream.h"

#include "must.h"
#include "mutate_values.h"
#include "work_law.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_BYTES 8192
#define SETTINGS 2 /* bytes */
#define STEPS_ALWAYS 50000u
#define STEPS_PER_BYTE 1000u
#define STEPS_PER_LINE 4000u /* each item is written and read again */

static elelem_item_reader_desc desc;
static elelem_buffer whole, pieces, item_line, again;

static void write_item(elelem_buffer *out, const elelem_item *item)
{
    elelem_writer writer;

    elelem_writer_init(&writer, elelem_buffer_sink(out), 0);
    MUST(elelem_item_write(&writer, item) == ELELEM_OK);
    MUST(elelem_buffer_append(out, "\n", 1) == ELELEM_OK);
}

static int same(const elelem_buffer *a, const elelem_buffer *b)
{
    return elelem_str_equal(elelem_buffer_text(a), elelem_buffer_text(b));
}

/* What is written of an item is an item's line. */
static void read_again(const elelem_item *item)
{
    elelem_item_reader_desc defaults = ELELEM_INIT;
    elelem_item_reader reader;
    elelem_read_item read;
    elelem_str line;

    elelem_buffer_clear(&item_line);
    elelem_buffer_clear(&again);
    write_item(&item_line, item);
    line = elelem_buffer_text(&item_line);
    defaults.keep_argument_text = desc.keep_argument_text;
    elelem_item_reader_init(&reader, &defaults);
    MUST(elelem_item_reader_push(&reader, line.data, line.size) == ELELEM_OK);
    elelem_item_reader_finish(&reader);
    if (elelem_item_reader_next(&reader, &read) == ELELEM_OK) {
        MUST(read.kind == ELELEM_READ_ITEM);
        write_item(&again, &read.item);
        if (!same(&item_line, &again))
            fprintf(stderr, "%.*s%.*s", ELELEM_STR_ARG(elelem_buffer_text(&item_line)), ELELEM_STR_ARG(elelem_buffer_text(&again)));
        MUST(same(&item_line, &again));
    } else {
        MUST(item->text.size == 0 || item->kind == ELELEM_PART_MESSAGE); /* a message of whitespace is no item */
    }
    MUST(elelem_item_reader_next(&reader, &read) == ELELEM_END);
    elelem_item_reader_free(&reader);
}

static elelem_status drain(elelem_item_reader *reader, elelem_buffer *out)
{
    elelem_read_item read;
    elelem_status status;

    while ((status = elelem_item_reader_next(reader, &read)) == ELELEM_OK) {
        MUST(elelem_buffer_append(out, read.role ? "user " : "ai ", 3) == ELELEM_OK);
        if (read.kind == ELELEM_READ_ITEM) {
            write_item(out, &read.item);
            if (out == &whole) read_again(&read.item);
            continue;
        }
        MUST(elelem_buffer_append(out, read.type.data, read.type.size) == ELELEM_OK);
        MUST(elelem_buffer_append(out, read.line.data, read.line.size) == ELELEM_OK);
    }
    return status;
}

/* A push that may be refused memory. */
static elelem_status push(elelem_item_reader *reader, const limits_heap *heap, const void *bytes, size_t size)
{
    elelem_status status = elelem_item_reader_push(reader, bytes, size);

    MUST(status == ELELEM_OK || (status == ELELEM_ERROR_MEMORY && heap->refuse > 0));
    return status;
}

/* Reads half of the bytes, and starts over. */
static void read_and_reset(elelem_item_reader *reader, const limits_heap *heap, const uint8_t *bytes, size_t size)
{
    elelem_read_item read;

    push(reader, heap, bytes, size / 2);
    while (elelem_item_reader_next(reader, &read) == ELELEM_OK)
        continue;
    elelem_item_reader_reset(reader);
    MUST(elelem_item_reader_error(reader).status == ELELEM_OK);
}

/* Returns how it ended, or OK. With `refused`, counted from 1, this call for memory is refused, and for most numbers all calls after it,
   since one that is refused may be asked for again with a smaller size; if it is even, bytes are also read before a reset. */
static elelem_status run(const uint8_t *bytes, size_t size, size_t piece, int refused, elelem_buffer *out)
{
    limits_heap heap = ELELEM_INIT;
    elelem_item_reader reader;
    elelem_error error;
    elelem_status status = ELELEM_MORE;
    size_t at;

    heap.bound = limits_of_item_reader(&desc);
    heap.refuse = refused;
    heap.stays = refused % 3 != 0;
    desc.allocator = limits_allocator(&heap);
    elelem_buffer_clear(out);
    elelem_item_reader_init(&reader, &desc);
    if (out == &pieces && refused % 2 == 0) read_and_reset(&reader, &heap, bytes, size);
    for (at = 0; at < size && status == ELELEM_MORE; at += piece) {
        size_t now = size - at < piece ? size - at : piece;
        void *lent = malloc(now);
        if (!lent) abort();
        memcpy(lent, bytes + at, now);
        status = push(&reader, &heap, lent, now);
        if (status == ELELEM_OK) status = drain(&reader, out);
        free(lent);
    }
    elelem_item_reader_finish(&reader);
    status = drain(&reader, out);
    MUST(status == ELELEM_END || status < 0);
    error = elelem_item_reader_error(&reader);
    MUST(error.status == (status == ELELEM_END ? ELELEM_OK : status));
    MUST(error.status != ELELEM_ERROR_MEMORY || (refused > 0 && heap.calls >= refused));
    if (error.status != ELELEM_ERROR_MEMORY) {
        MUST(elelem_buffer_append(out, &error.status, sizeof error.status) == ELELEM_OK);
        MUST(elelem_buffer_append(out, &error.offset, sizeof error.offset) == ELELEM_OK);
    }
    MUST(limits_held(&heap));
    elelem_item_reader_free(&reader);
    MUST(heap.live == 0 && heap.blocks == 0);
    return error.status;
}

/* Memory that is refused ends the items early, or changes nothing. */
static void run_refused(const uint8_t *bytes, size_t size, size_t piece, int refused)
{
    elelem_status status = run(bytes, size, piece, refused, &pieces);
    elelem_str all = elelem_buffer_text(&whole), some = elelem_buffer_text(&pieces);

    if (status != ELELEM_ERROR_MEMORY) MUST(same(&whole, &pieces));
    else MUST(some.size <= all.size && (some.size == 0 || memcmp(some.data, all.data, some.size) == 0));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_values(data, size, most, seed, SETTINGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t limits[] = { 0, 64, 300, 4000 };
    elelem_allocator plain = ELELEM_INIT;
    uint64_t before = counted_steps;

    if (size < SETTINGS || size > MAX_BYTES) return 0;
    elelem_buffer_init(&whole, plain, 0);
    elelem_buffer_init(&pieces, plain, 0);
    elelem_buffer_init(&item_line, plain, 0);
    elelem_buffer_init(&again, plain, 0);
    memset(&desc, 0, sizeof desc);
    desc.max_bytes = limits[data[0] & 3];
    desc.max_line_bytes = limits[data[0] >> 2 & 3];
    desc.max_open = data[0] >> 4 & 3;
    desc.keep_argument_text = data[0] >> 6 & 1;
    run(data + SETTINGS, size - SETTINGS, size, 0, &whole);
    run(data + SETTINGS, size - SETTINGS, 1, 0, &pieces);
    MUST(same(&whole, &pieces));
    run(data + SETTINGS, size - SETTINGS, 1u + data[1], 0, &pieces);
    MUST(same(&whole, &pieces));
    if (data[0] >> 7) run_refused(data + SETTINGS, size - SETTINGS, 1u + data[1] / 16u, 1 + data[1] % 32);
    elelem_buffer_free(&whole);
    elelem_buffer_free(&pieces);
    elelem_buffer_free(&item_line);
    elelem_buffer_free(&again);
    MUST(work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size +
                               (uint64_t)STEPS_PER_LINE * work_lines((const char *)data, size)));
    return 0;
}
