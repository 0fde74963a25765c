/* The parser's block: segments of the path, and after them the stack of bytes. From any numbers that fit together, one step: a key or a
   number that grows, a container that is entered, a bracket of a skipped value. Bound: blocks of 128 bytes, a path of one segment, pieces
   of 20 bytes.
   options: --unwind 9 --unwindset els_whole_characters.0:22 */
#define PROVE_BYTES 128
#include "prove.h"

#include "fragment.c"

static elelem_fragment_parser p;

/* Any parser whose numbers fit together. */
static void begin(void)
{
    size_t capacity = nondet_size(), count = nondet_size();

    ASSUME(capacity <= PROVE_BYTES && count == 1);
    p.els_memory.allocator.resize = prove_resize;
    p.els_memory.capacity = capacity;
    p.els_memory.data = prove_at_end(capacity);
    p.els_stack_start = nondet_unsigned();
    p.els_stack_size = nondet_unsigned();
    ASSUME(p.els_stack_start <= capacity && p.els_stack_size <= capacity - p.els_stack_start);
    ASSUME(count * sizeof(elelem_segment) <= p.els_stack_start);
    p.els_path.count = count;
    p.els_max_key = nondet_unsigned();
    p.els_max_path = nondet_unsigned();
    p.els_max_number = nondet_unsigned();
    p.els_token_size = nondet_unsigned();
    p.els_in_object = nondet_bool();
    ASSUME(p.els_token_size <= capacity - p.els_stack_start - p.els_stack_size);
}

void prove_key_text(void)
{
    unsigned char text[20];
    size_t size = nondet_size(), token;
    els_cursor in;

    begin();
    ASSUME(size >= 1 && size <= 20 && p.els_token_size <= p.els_max_key);
    p.els_path_bytes = nondet_unsigned();
    ASSUME(p.els_path_bytes <= p.els_max_path && p.els_token_size <= p.els_max_path - p.els_path_bytes);
    in.at = in.end = text + 20;
    token = p.els_token_size;
    if (els_json_key_text(&p, &in, text, size, size) != ELS_AGAIN) {
        PROVE(p.els_status < 0);
        return;
    }
    PROVE(p.els_token_size == token + size);
    PROVE(p.els_token_size <= p.els_max_key && p.els_token_size <= p.els_max_path);
    PROVE(p.els_stack_start + p.els_stack_size + p.els_token_size <= p.els_memory.capacity);
}

void prove_number(void)
{
    unsigned char text[20];
    size_t size = nondet_size(), token;
    els_cursor in;

    begin();
    ASSUME(size <= 20 && p.els_token_size <= p.els_max_number);
    in.at = text + size;
    in.end = text + 20;
    token = p.els_token_size;
    if (els_json_keep_number(&p, &in, text) != ELELEM_OK) return;
    PROVE(p.els_token_size == token + size && p.els_token_size <= p.els_max_number);
    PROVE(p.els_stack_start + p.els_stack_size + p.els_token_size <= p.els_memory.capacity);
}

void prove_descend(void)
{
    size_t count;

    begin();
    count = p.els_path.count;
    if (els_json_descend(&p) != ELELEM_OK) {
        PROVE(p.els_path.count == count);
        return;
    }
    PROVE(p.els_path.count == count + 1);
    PROVE(p.els_path.count * sizeof(elelem_segment) <= p.els_stack_start);
    PROVE(p.els_stack_size <= p.els_memory.capacity - p.els_stack_start);
}

void prove_skip(void)
{
    uint32_t depth = nondet_unsigned();
    int is_object = nondet_bool();

    begin();
    ASSUME(depth < 64);
    p.els_skip_depth = depth;
    ASSUME(depth == 0 || (depth + 7) / 8 <= p.els_memory.capacity - p.els_stack_start - p.els_stack_size);
    if (els_json_skip_into(&p, is_object) != ELELEM_OK) return;
    PROVE(p.els_skip_depth == depth + 1 && p.els_in_object == is_object);
    PROVE((p.els_skip_depth + 7) / 8 <= p.els_memory.capacity - p.els_stack_start - p.els_stack_size);
    els_json_skip_out(&p);
    PROVE(p.els_skip_depth == depth);
}
