/* Two arrays of one length in a block that grows. Bound: elements of 1 to 9 bytes, blocks of 256.
   options: --unwind 3 */
#include "prove.h"

#include "base.c"

void prove_parallel(void)
{
    els_block block = ELELEM_INIT;
    size_t first = nondet_size(), second = nondet_size();
    uint32_t capacity = nondet_unsigned(), before = capacity, most = nondet_unsigned();
    elelem_status status;

    ASSUME(first >= 1 && first <= 9 && second >= 1 && second <= 9 && capacity <= most && capacity * (first + second) <= PROVE_BYTES);
    block.allocator.resize = prove_resize;
    block.capacity = capacity * (first + second);
    block.data = capacity ? prove_at_end(block.capacity) : NULL;
    status = els_parallel_grow(&block, &capacity, first, second, most);
    PROVE(capacity <= most);
    PROVE(status == ELELEM_OK ? capacity > before : capacity == before);
    PROVE(status != ELELEM_ERROR_COUNT || before == most);
    PROVE(block.capacity == capacity * (first + second));
}
