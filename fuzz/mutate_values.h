/* A mutator for inputs that are bodies or lines: half of what it makes has one or two values of its JSON changed, or frames of it copied,
   removed or in another order, so that it stays JSON; the other half is libFuzzer's. */
#ifndef MUTATE_VALUES_H
#define MUTATE_VALUES_H

#include "../tests/changes.h"

#include <stdint.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* The next of some numbers. */
static size_t mutate_pick(unsigned *seed, size_t count)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 8) % count;
}

/* Makes `changes_text` the body with one of its values, which were found, changed. */
static void mutate_value(unsigned *seed)
{
    const changes_place *p = &changes_places[mutate_pick(seed, changes_count)], *q = &changes_places[mutate_pick(seed, changes_count)];
    elelem_str other = elelem_str_of(changes_others[mutate_pick(seed, CHANGES_OTHERS)]);

    switch (mutate_pick(seed, 8)) {
    case 0: changes_replace(p, other); break;
    case 1: changes_replace(p, changes_value(q)); break;
    case 2: changes_add_after(p, other); break;
    case 3: changes_add_after(p, changes_value(q)); break;
    case 4: changes_add_before(p, changes_value(q)); break;
    case 5: changes_copy_after(p, q); break;
    case 6: changes_remove(p); break;
    default: changes_lengthen(p, mutate_pick(seed, 5), 1 + mutate_pick(seed, 200)); break;
    }
}

/* Makes `changes_text` the body with a frame copied after another, removed, or after the next one. */
static void mutate_frame(unsigned *seed)
{
    size_t line_feeds = 1 + mutate_pick(seed, 2);
    size_t begin = changes_frame_end(mutate_pick(seed, changes_body_size), line_feeds), end = changes_frame_end(begin, line_feeds);

    switch (mutate_pick(seed, 3)) {
    case 0: changes_copy_frame(begin, end, changes_frame_end(mutate_pick(seed, changes_body_size), line_feeds)); break;
    case 1: changes_remove_frame(begin, end); break;
    default: changes_swap_frames(begin, end, changes_frame_end(end, line_feeds)); break;
    }
}

/* What LLVMFuzzerCustomMutator does with an input that begins with so many bytes of settings. */
static size_t mutate_values(uint8_t *data, size_t size, size_t most, unsigned seed, size_t settings)
{
    size_t left;

    if (size <= settings || mutate_pick(&seed, 2) == 0) return LLVMFuzzerMutate(data, size, most);
    for (left = 1 + mutate_pick(&seed, 2); left > 0; left--) {
        changes_find((const char *)data + settings, size - settings);
        if (changes_count == 0) return LLVMFuzzerMutate(data, size, most);
        if (mutate_pick(&seed, 4) == 0) mutate_frame(&seed);
        else mutate_value(&seed);
        if (changes_size > most - settings) return LLVMFuzzerMutate(data, size, most);
        memcpy(data + settings, changes_text, changes_size);
        size = settings + changes_size;
    }
    return size;
}

#endif
