/* What the harnesses share. Each proves something of all inputs within the bound that its comment states: nondet_ functions give any
 * value, ASSUME leaves out those that cannot be, PROVE must hold for all others. Beyond that no access may be outside of an object, no
 * signed number may overflow, and no loop may run further than it is unwound.
 *
 * The rooms of parts/ are compiled as they are, without vectors, which the checker does not know.
 */
#ifndef PROVE_H
#define PROVE_H

#define ELELEM_NO_SIMD
#define ELELEM_NO_STDLIB

#include <stddef.h>
#include <stdint.h>
#include <string.h>

size_t nondet_size(void);
unsigned nondet_unsigned(void);
unsigned char nondet_byte(void);
_Bool nondet_bool(void);
void *nondet_pointer(void);

#define ASSUME(condition) __CPROVER_assume(condition)
#define PROVE(condition) __CPROVER_assert(condition, #condition)

/* Copies are checked, not made: no proof here asks what was copied. (Copies of any size are what takes the checker most time.) */

void *memcpy(void *to, const void *from, size_t size)
{
    __CPROVER_assert(size == 0 || __CPROVER_w_ok(to, size), "memcpy writes inside an object");
    __CPROVER_assert(size == 0 || __CPROVER_r_ok(from, size), "memcpy reads inside an object");
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    __CPROVER_assert(size == 0 || __CPROVER_w_ok(to, size), "memmove writes inside an object");
    __CPROVER_assert(size == 0 || __CPROVER_r_ok(from, size), "memmove reads inside an object");
    return to;
}

/* Memory whose last byte is that of the object, so that an access after it is one outside of an object. */
#ifndef PROVE_BYTES
#define PROVE_BYTES 256
#endif

static uint64_t prove_memory[2][PROVE_BYTES / 8];
static unsigned prove_block;

static unsigned char *prove_at_end(size_t size)
{
    return (unsigned char *)prove_memory[prove_block] + (PROVE_BYTES - size);
}

/* An allocator that refuses or not, and moves the block if not. Sizes that fit no memory here are refused. */
static void *prove_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    (void)context;
    (void)block;
    (void)old_size;
    if (new_size == 0 || new_size > PROVE_BYTES || nondet_bool()) return NULL;
    prove_block = !prove_block;
    return prove_at_end(new_size);
}

/* An allocator whose blocks cannot be used: for sizes that no memory has. */
static size_t prove_asked;

static void *prove_ask(void *context, void *block, size_t old_size, size_t new_size)
{
    static unsigned char place[1];

    (void)context;
    (void)block;
    (void)old_size;
    prove_asked = new_size;
    return nondet_bool() ? NULL : place;
}

#endif
