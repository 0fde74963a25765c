/* Names and ids of an event stream, in four slots of one block. From any slots that fit their block, a value is opened and a piece added.
   Bound: names of 64 bytes at most.
   options: --unwind 5 */
#include "prove.h"

#include "sse.c"

void prove_keep(void)
{
    elelem_sse_decoder decoder;
    unsigned char bytes[64];
    size_t limit = nondet_size(), size = nondet_size(), have, stride = nondet_size(), i;
    elelem_status status;

    ASSUME(limit >= 1 && limit <= 64 && size <= 64 && stride <= limit);
    decoder.els_texts.allocator.resize = prove_resize;
    decoder.els_texts.capacity = nondet_size();
    ASSUME(stride * ELS_SSE_SLOTS <= decoder.els_texts.capacity && decoder.els_texts.capacity <= limit * ELS_SSE_SLOTS);
    decoder.els_texts.data = prove_at_end(decoder.els_texts.capacity);
    decoder.els_name_limit = (uint32_t)limit;
    decoder.els_stride = (uint32_t)stride;
    for (i = 0; i < ELS_SSE_SLOTS; i++)
        ASSUME(decoder.els_sizes[i] <= stride);
    ASSUME(decoder.els_last_id <= ELS_SSE_SLOTS && decoder.els_id <= ELS_SSE_SLOTS && decoder.els_event <= ELS_SSE_SLOTS);
    if (nondet_bool()) els_sse_open_value(&decoder);
    else ASSUME(decoder.els_value >= 1 && decoder.els_value <= ELS_SSE_SLOTS);
    PROVE(decoder.els_value >= 1 && decoder.els_value <= ELS_SSE_SLOTS);
    have = decoder.els_sizes[decoder.els_value - 1];
    status = els_sse_keep(&decoder, bytes, size);
    PROVE(status == ELELEM_OK || status == ELELEM_ERROR_MEMORY || have + size > limit);
    if (status != ELELEM_OK) return;
    PROVE(decoder.els_sizes[decoder.els_value - 1] == have + size && have + size <= decoder.els_stride);
    PROVE((size_t)decoder.els_stride * ELS_SSE_SLOTS <= decoder.els_texts.capacity && decoder.els_texts.capacity <= limit * ELS_SSE_SLOTS);
}
