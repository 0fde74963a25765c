/* In place of the C library's heap, which the program does not have: what its data leaves of a fixed memory. */
#include <reent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GRAIN 16u

/* A block, after which its bytes come; blocks follow each other without gaps. */
typedef struct block {
    size_t size; /* of its bytes, in whole grains */
    size_t is_used;
    size_t unused[2]; /* bytes begin at a multiple of 16 */
} block;

extern block memory_start[]; /* both by the linker */
extern unsigned char memory_end[];

static block *after(block *b) { return (block *)((unsigned char *)(b + 1) + b->size); }
static int is_inside(const block *b) { return (const unsigned char *)b < memory_end; }
static size_t room(void) { return (size_t)(memory_end - (unsigned char *)memory_start); }

/* Joins a free block with the free ones that follow it. */
static void join(block *b)
{
    block *next = after(b);

    for (; is_inside(next) && !next->is_used; next = after(b))
        b->size += sizeof *next + next->size;
}

/* Makes what the block has above `size` a block of its own. */
static void split(block *b, size_t size)
{
    block *rest = (block *)((unsigned char *)(b + 1) + size);

    if (b->size < size + sizeof *rest + GRAIN) return;
    rest->size = b->size - size - sizeof *rest;
    rest->is_used = 0;
    b->size = size;
}

void *malloc(size_t size)
{
    static int has_begun;
    block *b = memory_start;
    size_t whole = (size + GRAIN - 1) & ~(size_t)(GRAIN - 1);

    if (size > room()) return NULL;
    if (!has_begun) {
        b->size = room() - sizeof *b;
        b->is_used = 0;
        has_begun = 1;
    }
    for (; is_inside(b); b = after(b)) {
        if (b->is_used) continue;
        join(b);
        if (b->size < whole) continue;
        split(b, whole);
        b->is_used = 1;
        return b + 1;
    }
    return NULL;
}

void free(void *bytes)
{
    if (bytes) ((block *)bytes - 1)->is_used = 0;
}

void *realloc(void *bytes, size_t size)
{
    size_t before = bytes ? ((block *)bytes - 1)->size : 0;
    void *moved = malloc(size);

    if (!moved) return NULL;
    if (bytes) memcpy(moved, bytes, before < size ? before : size);
    free(bytes);
    return moved;
}

void *calloc(size_t count, size_t size)
{
    void *bytes = count > room() / (size ? size : 1) ? NULL : malloc(count * size);

    if (bytes) memset(bytes, 0, count * size);
    return bytes;
}

/* What the C library calls itself. */
void *_malloc_r(struct _reent *r, size_t size) { return (void)r, malloc(size); }
void *_calloc_r(struct _reent *r, size_t count, size_t size) { return (void)r, calloc(count, size); }
void *_realloc_r(struct _reent *r, void *bytes, size_t size) { return (void)r, realloc(bytes, size); }
void _free_r(struct _reent *r, void *bytes) { (void)r, free(bytes); }
