/* Every state of an automaton with every byte. From the start, breadth first: each state is known by a word that leads to it and by
 * its key, the fields that decide what comes next. `visit` is called for each state and each of 256 bytes; it checks what it will and
 * writes the key of the state after that byte, which is visited too if it is new.
 */
#ifndef ENUMERATE_H
#define ENUMERATE_H

#include "check.h"

#include <string.h>

#define ENUMERATE_WORD 96  /* bytes of the longest word */
#define ENUMERATE_KEY 64
#define ENUMERATE_STATES 4096

/* Runs are made 0 to 17 bytes longer, so that what ends them is at each place of a register of 16; with ENUMERATE_ALL by each of
   these numbers, else by those at the edges. Returns the next number. */
static inline size_t enumerate_next_pad(size_t pad)
{
#ifndef ENUMERATE_ALL
    if (pad >= 1 && pad < 7) return 7;
    if (pad >= 8 && pad < 15) return 15;
#endif
    return pad + 1;
}

/* How many states there are, without and with ENUMERATE_ALL. */
#ifdef ENUMERATE_ALL
#define ENUMERATE_COUNT(some, all) all
#else
#define ENUMERATE_COUNT(some, all) some
#endif

typedef struct enumerate_state {
    unsigned char word[ENUMERATE_WORD];
    unsigned char key[ENUMERATE_KEY];
    size_t word_size;
    size_t key_size;
} enumerate_state;

/* Returns the size of the key of the state after the word and the byte; 0: nothing comes after it, or that is not asked. */
typedef size_t (*enumerate_visit)(const unsigned char *word, size_t size, unsigned char byte, unsigned char *key);

static enumerate_state enumerate_states[ENUMERATE_STATES];

static inline uint32_t enumerate_hash(const unsigned char *key, size_t size)
{
    uint32_t hash = 2166136261u;
    size_t i;

    for (i = 0; i < size; i++)
        hash = (hash ^ key[i]) * 16777619u;
    return hash;
}

/* Returns the place of the key in the table, or the free one for it. */
static inline size_t enumerate_place(const uint16_t *table, const unsigned char *key, size_t size)
{
    size_t place = enumerate_hash(key, size) % (2 * ENUMERATE_STATES);

    while (table[place]) {
        const enumerate_state *state = &enumerate_states[table[place] - 1];
        if (state->key_size == size && memcmp(state->key, key, size) == 0) break;
        place = (place + 1) % (2 * ENUMERATE_STATES);
    }
    return place;
}

/* Returns how many states there are. A table that is full is a failure. */
static inline size_t enumerate_all(enumerate_visit visit)
{
    static uint16_t table[2 * ENUMERATE_STATES];
    size_t count = 1, next;

    memset(table, 0, sizeof table);
    memset(enumerate_states, 0, sizeof enumerate_states[0]);
    for (next = 0; next < count; next++) {
        unsigned byte;
        for (byte = 0; byte < 256; byte++) {
            enumerate_state *from = &enumerate_states[next], *to = &enumerate_states[count];
            unsigned char key[ENUMERATE_KEY];
            size_t place, size;
            memset(key, 0, sizeof key);
            size = visit(from->word, from->word_size, (unsigned char)byte, key);
            if (size == 0 || !CHECK(size <= ENUMERATE_KEY)) continue;
            place = enumerate_place(table, key, size);
            if (table[place] || !CHECK(count < ENUMERATE_STATES - 1) || !CHECK(from->word_size + 1 < ENUMERATE_WORD)) continue;
            memcpy(to->word, from->word, from->word_size);
            to->word[from->word_size] = (unsigned char)byte;
            to->word_size = from->word_size + 1;
            memcpy(to->key, key, sizeof key);
            to->key_size = size;
            table[place] = (uint16_t)++count;
        }
    }
    return count;
}

#endif
