/* What is kept of a frame that may repeat. With any room and any bytes kept, more of the frame is kept. Bound: a room of 2200 bytes,
   pieces of 64.
   options: --unwind 3 */
#include "prove.h"

#include "repeat.c"

static uint64_t memory[(ELS_REPEAT_NOTES + sizeof(els_repeat_frame) + 2200) / 8];

void prove_learn_text(void)
{
    els_tree tree;
    els_repeat r;
    unsigned char text[64];
    els_repeat_frame *f;
    size_t after, before;
    els_cursor in;

    tree.els_memory.data = (unsigned char *)memory;
    tree.els_memory.capacity = sizeof memory;
    r.place = 0;
    after = ELS_REPEAT_NOTES + sizeof(els_repeat_frame);
    f = els_repeat_frame_at(&tree, r.place);
    f->room = nondet_unsigned();
    f->size = nondet_unsigned();
    ASSUME(f->room <= sizeof memory - after && f->size <= f->room);
    before = f->size;
    in.end = text + 64;
    in.at = text + (nondet_byte() & 63);
    els_repeat_learn_text(&r, &tree, &in);
    if (r.state == ELS_REPEAT_OFF) return;
    PROVE(f->size == before + (size_t)(in.end - in.at) && f->size <= f->room && f->size <= ELS_REPEAT_TEXT);
}
