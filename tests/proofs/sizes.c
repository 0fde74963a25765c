/* Sizes that are computed. Bound: none for sums, limits and blocks, which are proved for all sizes; products by at most 255.
   options: --unwind 2 --unsigned-overflow-check */
#include "prove.h"

#include "base.c"

void prove_sum(void)
{
    size_t a = nondet_size(), b = nondet_size(), sum = els_sum(a, b);

    PROVE(sum >= a && sum >= b);
    PROVE(sum == SIZE_MAX || sum - a == b);
    PROVE(a > SIZE_MAX - b || sum - a == b);
}

void prove_product(void)
{
    size_t a = nondet_size(), b = nondet_byte(), product = els_product(a, b);

    if (b == 0) PROVE(product == 0);
    else PROVE(product >= a);
}

void prove_limit(void)
{
    uint32_t value = nondet_unsigned(), fallback = nondet_unsigned(), most = nondet_unsigned(), limit;

    ASSUME(fallback > 0 && fallback <= most);
    limit = els_limit(value, fallback, most);
    PROVE(limit > 0 && limit <= most);
    PROVE(value == 0 || value > most || limit == value);
}

void prove_grains(void)
{
    size_t size = nondet_size(), grains = els_grains(size);

    PROVE(grains % ELS_GRAIN == 0);
    PROVE(grains == 0 || (grains >= size && grains - size < ELS_GRAIN));
    PROVE(grains > 0 || size == 0 || size > SIZE_MAX - ELS_GRAIN);
}

/* A block that grows has what is needed, and never more than the limit. */
void prove_reserve(void)
{
    els_block block;
    size_t needed = nondet_size(), limit = nondet_size(), before;
    elelem_status status;

    block.capacity = before = nondet_size();
    block.data = NULL;
    block.allocator.resize = prove_ask;
    block.allocator.context = NULL;
    ASSUME(before <= limit && before <= ELS_BLOCK_MAX);
    prove_asked = 0;
    status = els_block_reserve(&block, needed, limit, ELELEM_ERROR_COUNT);
    PROVE(status == ELELEM_OK || status == ELELEM_ERROR_COUNT || status == ELELEM_ERROR_MEMORY);
    PROVE(prove_asked <= limit && prove_asked <= ELS_BLOCK_MAX);
    if (status == ELELEM_OK) PROVE(block.capacity >= needed && block.capacity <= limit);
    else PROVE(block.capacity == before);
    PROVE(status != ELELEM_ERROR_COUNT || needed > limit);
    PROVE(needed <= limit || needed <= before || status == ELELEM_ERROR_COUNT);
}
