/* The memory law: an object never holds more bytes than a formula over its desc says, whatever it is
 * fed. The formulas are those that the public comments of each desc give, one function each; the heap
 * below counts what lives, and says whether the law held.
 *
 *     limits_heap heap = ELELEM_INIT;
 *
 *     heap.bound = limits_of_parser(&desc);
 *     desc.allocator = limits_allocator(&heap);
 *     ... feed the parser anything ...
 *     CHECK(limits_held(&heap));
 *
 * The heap moves and poisons at every call, so that a pointer into an old block shows, and can refuse:
 * call `refuse`, counted from 1, and with `stays` all calls after it too. Include elelem_stream.h first.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct limits_heap {
    uint64_t bound; /* bytes that may live at one time; 0: any number */
    size_t live;    /* bytes lent out now */
    size_t peak;    /* and the most at one time */
    size_t blocks;  /* blocks lent out now */
    uint64_t copied; /* bytes that calls have moved */
    int calls;      /* for memory, refused ones too */
    int refuse;
    int stays;
} limits_heap;

static inline int limits_refuses(const limits_heap *heap)
{
    if (heap->refuse == 0) return 0;
    return heap->calls == heap->refuse || (heap->stays && heap->calls > heap->refuse);
}

static inline void *limits_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    limits_heap *heap = (limits_heap *)context;
    unsigned char *moved = NULL;

    if (new_size > 0) {
        heap->calls++;
        if (limits_refuses(heap)) return NULL;
        moved = (unsigned char *)malloc(new_size);
        if (!moved) abort();
        memset(moved, 0xdd, new_size);
        if (block) memcpy(moved, block, old_size < new_size ? old_size : new_size);
        if (block) heap->copied += old_size < new_size ? old_size : new_size;
        heap->blocks++;
    }
    if (block) {
        memset(block, 0xdd, old_size);
        free(block);
        heap->blocks--;
    }
    heap->live = heap->live - (block ? old_size : 0) + new_size;
    if (heap->live > heap->peak) heap->peak = heap->live;
    return moved;
}

static inline elelem_allocator limits_allocator(limits_heap *heap)
{
    elelem_allocator allocator;

    allocator.resize = limits_resize;
    allocator.context = heap;
    return allocator;
}

/* Nonzero if no more than the bound lived at any time. Says by how much it did. */
static inline int limits_held(const limits_heap *heap)
{
    if (heap->bound == 0 || heap->peak <= heap->bound) return 1;
    fprintf(stderr, "%lu bytes lived, of %llu allowed\n", (unsigned long)heap->peak, (unsigned long long)heap->bound);
    return 0;
}

/* The limit, or its default if it is 0. */
static inline uint64_t limits_or(uint64_t limit, uint64_t otherwise)
{
    return limit > 0 ? limit : otherwise;
}

/* The formulas. A block that is grown may be twice as large as what it has to hold, if its room is not
   limited itself. */

/* So many bytes for each of a limit; any number, if that is more than there can be. */
static inline uint64_t limits_times(uint64_t bytes, uint64_t limit)
{
    return limit > (UINT64_MAX >> 8) / bytes ? UINT64_MAX >> 8 : bytes * limit;
}

static inline uint64_t limits_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t limits_of_parser(const elelem_fragment_parser_desc *desc)
{
    uint64_t depth = limits_or(desc->max_depth, 512);
    uint64_t patterns = desc->patterns ? desc->patterns->count : 0;
    uint64_t path = limits_or(desc->max_path_bytes, 262144);
    uint64_t number = limits_or(desc->max_number_bytes, 65536);

    return 2 * (path + number + (depth + 4) * (2 * sizeof(elelem_segment) + 1) + 2 * patterns + 32);
}

static inline uint64_t limits_of_aggregator(const elelem_fragment_aggregator_desc *desc)
{
    return limits_or(desc->max_bytes, (uint64_t)64 << 20);
}

static inline uint64_t limits_of_json(const elelem_json_desc *desc)
{
    elelem_fragment_parser_desc parser = ELELEM_INIT;

    parser.max_depth = desc->max_depth;
    return limits_or(desc->max_bytes, (uint64_t)64 << 20) + limits_of_parser(&parser);
}

static inline uint64_t limits_of_decoder(const elelem_sse_decoder_desc *desc)
{
    uint64_t name = limits_or(desc->max_name_bytes, 4096);

    return 4 * limits_smaller(name, (uint64_t)1 << 28);
}

static inline uint64_t limits_of_tags(const elelem_tag_splitter_desc *desc)
{
    uint64_t tag = limits_smaller(limits_or(desc->max_tag_bytes, 4096), (uint64_t)1 << 24);
    uint64_t attributes = limits_smaller(limits_or(desc->max_attributes, 64), (uint64_t)1 << 24);
    uint64_t depth = limits_smaller(limits_or(desc->max_depth, 64), (uint64_t)1 << 16);
    uint64_t names = desc->names ? desc->name_count : 3;

    return 4 * depth * (tag + 33) + 8 * tag + 80 * attributes + 16 * names + 32;
}

static inline uint64_t limits_of_thoughts(const elelem_thought_splitter_desc *desc)
{
    uint64_t names = desc->names ? desc->name_count : 3;

    return (58000 + 16 * names) * limits_or(desc->max_open, 256) + 102400;
}

static inline uint64_t limits_of_stream(const elelem_stream_desc *desc)
{
    elelem_thought_splitter_desc thoughts = ELELEM_INIT;
    uint64_t frame = limits_or(desc->max_frame_bytes, (uint64_t)16 << 20);
    uint64_t kept = limits_or(desc->max_kept_bytes, (uint64_t)1 << 20);
    uint64_t items = limits_or(desc->max_open_items, 256);
    uint64_t choices = limits_or(desc->max_choices, 128);

    thoughts.names = desc->thought_tags;
    thoughts.name_count = desc->thought_tag_count;
    thoughts.max_open = desc->max_open_items;
    if (desc->shape) {
        items *= 264 + desc->shape->item_bytes;
        choices *= 16 + desc->shape->choice_bytes;
        kept = 3 * kept + desc->shape->stream_bytes;
    }
    return 15 * frame + kept + items + choices + 102400 + (desc->split_thoughts ? limits_of_thoughts(&thoughts) : 0);
}

static inline uint64_t limits_of_builder(const elelem_event_builder_desc *desc)
{
    uint64_t open = limits_smaller(limits_or(desc->max_open, 256), 65535);

    return limits_times(9, limits_or(desc->max_bytes, (uint64_t)64 << 20)) + 3072 * open + 4096;
}

static inline uint64_t limits_of_turn(const elelem_turn_desc *desc)
{
    elelem_stream_desc stream = ELELEM_INIT;
    elelem_event_builder_desc builder = ELELEM_INIT;

    stream.shape = desc->shape;
    stream.max_frame_bytes = desc->max_frame_bytes;
    stream.max_kept_bytes = desc->max_kept_bytes;
    stream.max_open_items = builder.max_open = desc->max_open_items;
    stream.max_choices = desc->max_choices;
    stream.split_thoughts = desc->split_thoughts;
    stream.thought_tags = desc->thought_tags;
    stream.thought_tag_count = desc->thought_tag_count;
    builder.max_bytes = desc->max_item_bytes;
    return limits_of_stream(&stream) + limits_of_builder(&builder);
}

static inline uint64_t limits_of_recorder(const elelem_recorder_desc *desc)
{
    uint64_t calls = 3 * limits_or(desc->max_call_bytes, (uint64_t)64 << 20) + 1024 * limits_or(desc->max_calls, 256);

    return 128 + (desc->tool_calls ? calls : 0);
}

static inline uint64_t limits_of_replayer(const elelem_replayer_desc *desc)
{
    return limits_times(2, limits_or(desc->max_line_bytes, (uint64_t)16 << 20)) + 16384;
}

static inline uint64_t limits_of_item_reader(const elelem_item_reader_desc *desc)
{
    uint64_t lines = limits_times(4, limits_or(desc->max_line_bytes, (uint64_t)16 << 20));
    uint64_t items = limits_times(9, limits_or(desc->max_bytes, (uint64_t)64 << 20));

    return lines + items + 3072 * limits_or(desc->max_open, 256) + 32768;
}

static inline uint64_t limits_of_coalescer(const elelem_event_coalescer_desc *desc)
{
    return 6 * limits_or(desc->max_bytes, (uint64_t)64 << 20) + 1024 * limits_or(desc->max_calls, 256) + 16384;
}

static inline uint64_t limits_of_history_builder(const elelem_history_builder_desc *desc)
{
    return 8 * limits_or(desc->max_bytes, (uint64_t)64 << 20) + 1024 * limits_or(desc->max_calls, 256) + 16384;
}

static inline uint64_t limits_of_history_reader(const elelem_history_reader_desc *desc)
{
    return 2 * limits_or(desc->max_bytes, (uint64_t)64 << 20) + 1024;
}

#endif
