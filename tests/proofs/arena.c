/* The arena. Bound: memory of 0 to 40 bytes at any alignment for init; two blocks of up to 72 bytes in 64.
   options: --unwind 5 */
#include "prove.h"

#include "base.c"

static els_span memory[4];

typedef struct held {
    unsigned char *at;
    size_t size;
} held;

static void check_block(const held *block)
{
    size_t offset;

    if (!block->at) return;
    offset = (size_t)(block->at - (unsigned char *)memory);
    PROVE(offset % ELS_GRAIN == 0 && offset < sizeof memory && els_grains(block->size) <= sizeof memory - offset);
}

static void resize_one(const elelem_allocator *allocator, held *block)
{
    size_t size = nondet_size();
    void *moved;

    ASSUME(size <= 72);
    moved = allocator->resize(allocator->context, block->at, block->size, size);
    PROVE(size > 0 || !moved);
    if (size > 0 && !moved) return;
    block->at = (unsigned char *)moved;
    block->size = size;
}

void prove_two_blocks(void)
{
    elelem_arena arena;
    elelem_allocator allocator = elelem_arena_init(&arena, memory, sizeof memory);
    held a = { NULL, 0 }, b = { NULL, 0 };

    resize_one(&allocator, &a);
    resize_one(&allocator, &b);
    check_block(&a);
    check_block(&b);
    if (a.at && b.at) PROVE(a.size <= (size_t)(b.at - a.at));
    PROVE(arena.els_used == els_grains(a.size) + els_grains(b.size) && arena.els_peak >= arena.els_used);
}

void prove_init(void)
{
    elelem_arena arena;
    size_t skip = nondet_size(), size = nondet_size();

    ASSUME(skip < 16 && size <= 40);
    elelem_arena_init(&arena, (unsigned char *)memory + skip, size);
    PROVE(arena.els_size <= size && arena.els_size % ELS_GRAIN == 0);
    if (arena.els_size == 0) return;
    PROVE((uintptr_t)arena.els_memory % ELS_GRAIN == 0);
    PROVE(arena.els_memory >= (unsigned char *)memory + skip);
    PROVE((size_t)(arena.els_memory - ((unsigned char *)memory + skip)) + arena.els_size <= size);
}
