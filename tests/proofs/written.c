/* What is written: into a buffer that grows, into memory of one size, and through the writer's own buffer. Bound: blocks of 256 bytes,
   pieces of 600.
   options: --unwind 3 */
#include "prove.h"

#include "writer.c"

static unsigned char text[600];

static elelem_status any_sink(void *context, const void *bytes, size_t size)
{
    (void)context;
    PROVE(size > 0 && __CPROVER_r_ok(bytes, size));
    return nondet_bool() ? ELELEM_OK : ELELEM_ERROR_SINK;
}

void prove_span(void)
{
    static char to[64];
    elelem_span_sink span;
    size_t size = nondet_size(), before;

    span.capacity = nondet_size();
    span.size = nondet_size();
    ASSUME(span.capacity <= sizeof to && span.size <= span.capacity && size <= sizeof text);
    span.data = to + (sizeof to - span.capacity);
    before = span.size;
    if (els_span_write(&span, text, size) == ELELEM_OK) PROVE(span.size == before + size);
    else PROVE(span.size == before && size > span.capacity - before);
    PROVE(span.size <= span.capacity);
}

void prove_put(void)
{
    els_buffered_writer out;
    elelem_writer writer;
    size_t size = nondet_size();

    writer.els_sink.write = any_sink;
    writer.els_status = nondet_bool() ? ELELEM_OK : ELELEM_ERROR_SINK;
    out.writer = &writer;
    out.size = nondet_size();
    ASSUME(out.size <= sizeof out.bytes && size <= sizeof text);
    els_buffered_put(&out, text, size);
    PROVE(out.size <= sizeof out.bytes);
}

/* A buffer never has more than its limit. */
void prove_append(void)
{
    elelem_buffer buffer;
    size_t size = nondet_size(), before;

    buffer.els_max = nondet_size();
    buffer.els_size = before = nondet_size();
    buffer.els_memory.allocator.resize = prove_resize;
    buffer.els_memory.capacity = nondet_size();
    ASSUME(buffer.els_memory.capacity <= PROVE_BYTES && buffer.els_size <= buffer.els_memory.capacity);
    ASSUME(buffer.els_memory.capacity <= buffer.els_max && size <= sizeof text);
    buffer.els_memory.data = prove_at_end(buffer.els_memory.capacity);
    if (elelem_buffer_append(&buffer, text, size) == ELELEM_OK) PROVE(buffer.els_size == before + size);
    else PROVE(buffer.els_size == before);
    PROVE(buffer.els_size <= buffer.els_memory.capacity && buffer.els_memory.capacity <= buffer.els_max);
}
