/* The tag splitter's block: counts and frames, then held bytes. From any that fit, bytes are added to the held ones, and room is made for
   a tag. Bound: blocks of 256 bytes, pieces of 64; sizes that are asked for have none.
   options: --unwind 3 */
#include "prove.h"

#include "tags.c"

static elelem_tag_splitter s;

static void begin(void)
{
    s.els_memory.allocator.resize = prove_resize;
    s.els_memory.capacity = nondet_size();
    ASSUME(s.els_memory.capacity <= PROVE_BYTES);
    s.els_memory.data = prove_at_end(s.els_memory.capacity);
    s.els_stack_size = nondet_size();
    s.els_stack_room = nondet_size();
    s.els_held_size = nondet_size();
    ASSUME(s.els_stack_room <= s.els_memory.capacity && s.els_stack_size <= s.els_stack_room);
    ASSUME(s.els_held_size <= s.els_memory.capacity - s.els_stack_room);
}

static void check(void)
{
    PROVE(s.els_stack_room <= s.els_memory.capacity && s.els_held_size <= s.els_memory.capacity - s.els_stack_room);
    PROVE(s.els_stack_size <= s.els_stack_room);
}

void prove_append_text(void)
{
    unsigned char text[64];
    size_t size = nondet_size(), held;
    els_cursor in;

    begin();
    ASSUME(size <= sizeof text);
    held = s.els_held_size;
    in.at = text;
    in.end = text + sizeof text;
    if (els_tags_append(&s, &in, text + size) == ELELEM_OK) PROVE(s.els_held_size == held + size && in.at == text + size);
    else PROVE(s.els_held_size == held && in.at == text);
    check();
}

void prove_grow(void)
{
    size_t frame = nondet_size(), tail = nondet_size();
    els_cursor in;

    begin();
    in.at = els_tags_held(&s);
    in.end = in.at + s.els_held_size;
    if (els_tags_grow(&s, &in, frame, tail) == ELELEM_OK) {
        PROVE(frame <= s.els_stack_room - s.els_stack_size);
        PROVE(tail <= s.els_memory.capacity - s.els_stack_room - s.els_held_size);
        PROVE(s.els_held_size == 0 || in.at == els_tags_held(&s));
    }
    check();
}
