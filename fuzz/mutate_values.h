/* A mutator for inputs that are bodies: half of what it makes has one or two values of its JSON changes_text, so that it stays JSON; the
   other half is libFuzzer's. */
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

/* Makes `changes_text` a body with one of its values, which were found, changed. */
static void mutate_value(const char *body, size_t size, unsigned *seed)
{
    const changes_place *p = &changes_places[mutate_pick(seed, changes_count)], *q = &changes_places[mutate_pick(seed, changes_count)];
    const char *other = changes_others[mutate_pick(seed, CHANGES_OTHERS)];

    changes_size = 0;
    switch (mutate_pick(seed, 6)) {
    case 0: /* another value */
        changes_put_between(body, 0, p->value);
        changes_put(other, strlen(other));
        changes_put_between(body, p->end, size);
        break;
    case 1: /* that of another changes_place */
        changes_put_between(body, 0, p->value);
        changes_put_between(body, q->value, q->end);
        changes_put_between(body, p->end, size);
        break;
    case 2: /* the same key again */
        changes_put_between(body, 0, p->end);
        changes_put(",", 1);
        changes_put_between(body, p->begin, p->value);
        changes_put(other, strlen(other));
        changes_put_between(body, p->end, size);
        break;
    case 3: /* another member or element after it */
        changes_put_between(body, 0, p->end);
        changes_put(",", 1);
        changes_put_between(body, q->begin, q->end);
        changes_put_between(body, p->end, size);
        break;
    case 4: /* none */
        changes_put_between(body, 0, p->begin);
        changes_put_between(body, p->end < size && body[p->end] == ',' ? p->end + 1 : p->end, size);
        break;
    default: /* longer, if it is a string */
        changes_put_between(body, 0, p->end - 1);
        changes_put_long(mutate_pick(seed, 5), 1 + mutate_pick(seed, 200));
        changes_put_between(body, p->end - 1, size);
        break;
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
        mutate_value((const char *)data + settings, size - settings, &seed);
        if (changes_size > most - settings) return LLVMFuzzerMutate(data, size, most);
        memcpy(data + settings, changes_text, changes_size);
        size = settings + changes_size;
    }
    return size;
}

#endif
