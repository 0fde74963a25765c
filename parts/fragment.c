#ifndef ELS_FRAGMENT_C
#define ELS_FRAGMENT_C
#include "fragment.h"
#include "base.c"
#include "text.c"
#include "path.c"
#include "token.c"

/* >> fragment */

/* Instead of the kind of the last fragment: there is none. */
#define ELS_JSON_NOTHING 0xff

/* Instead of the depth of a wanted value: everything is wanted, because there are no patterns. */
#define ELS_JSON_EVERYWHERE UINT32_MAX

const char *elelem_type_name(unsigned type)
{
    switch (type) {
    case ELELEM_TYPE_NULL: return "null";
    case ELELEM_TYPE_BOOL: return "bool";
    case ELELEM_TYPE_NUMBER: return "number";
    case ELELEM_TYPE_STRING: return "string";
    case ELELEM_TYPE_ARRAY: return "array";
    case ELELEM_TYPE_OBJECT: return "object";
    default: return "none";
    }
}

elelem_scalar elelem_fragment_scalar(const elelem_fragment *fragment)
{
    elelem_scalar scalar = ELELEM_INIT;

    if (fragment->kind != ELELEM_FRAGMENT_SCALAR) return scalar;
    scalar.text = fragment->text;
    scalar.type = fragment->type;
    scalar.boolean = fragment->type == ELELEM_TYPE_BOOL && fragment->text.size == 4;
    return scalar;
}

elelem_str elelem_fragment_text(const elelem_fragment *fragment, const char *pattern)
{
    int is_piece = fragment->kind == ELELEM_FRAGMENT_STRING && elelem_path_is(fragment->path, pattern);

    return is_piece ? fragment->text : els_str("", 0);
}

/* Errors and offsets. */

ELS_INLINE uint64_t els_json_offset(const elelem_fragment_parser *p, const els_cursor *in)
{
    return p->els_lent.offset - (uint64_t)(in->end - in->at);
}

ELS_NOINLINE elelem_status els_json_fail_at(elelem_fragment_parser *p, elelem_status status, uint64_t offset)
{
    p->els_status = status;
    p->els_error_offset = offset;
    p->els_state = ELS_JSON_FAILED;
    p->els_last = ELS_JSON_NOTHING;
    return status;
}

/* Fails at the byte at the cursor, which is the first that cannot be right. */
ELS_NOINLINE elelem_status els_json_fail(elelem_fragment_parser *p, const els_cursor *in, elelem_status status)
{
    return els_json_fail_at(p, status, els_json_offset(p, in));
}

/* The block: the segments of the path, and after them a stack of bytes. The stack has the keys of
   the path in order, each followed by the list of pattern nodes that match the path up to it. On
   top is the key or number that is being put together, or the bracket bits of a skipped value. */

ELS_INLINE elelem_segment *els_json_segments(const elelem_fragment_parser *p)
{
    return (elelem_segment *)(void *)p->els_memory.data;
}

ELS_INLINE unsigned char *els_json_stack(const elelem_fragment_parser *p)
{
    return p->els_memory.data + p->els_stack_start;
}

ELS_INLINE elelem_segment *els_json_top(const elelem_fragment_parser *p)
{
    return els_json_segments(p) + (p->els_path.count - 1);
}

/* Sets the pointers of keys and path into the block, which may have moved. */
ELS_PRIVATE void els_json_rebase(elelem_fragment_parser *p)
{
    elelem_segment *segments = els_json_segments(p);
    size_t i;

    for (i = 0; i < p->els_path.count; i++)
        if (segments[i].key.data) segments[i].key.data = (const char *)els_json_stack(p) + segments[i].els_base;
    p->els_path.segments = segments;
}

/* Returns the bytes of all keys of the path. */
ELS_INLINE uint32_t els_json_path_bytes(const elelem_fragment_parser *p)
{
    return p->els_path_bytes + (p->els_path.count > 0 ? (uint32_t)els_json_top(p)->key.size : 0);
}

/* Finds out up to which place of the stack a key of fewer than 16 bytes fits memory and limits, so that only this is compared.
   (The keys before it are on the stack too.) */
ELS_PRIVATE void els_json_find_short_room(elelem_fragment_parser *p)
{
    size_t room = p->els_memory.capacity - p->els_stack_start;

    if (room > p->els_max_path) room = p->els_max_path;
    p->els_short_room = room < 16 || p->els_max_key < 16 ? 0 : (uint32_t)(room - 15);
}

/* Makes room for `start` bytes of segments and `bytes` bytes on the stack, of which the first `used` are kept. Offsets in
   the block have 32 bits, which limits its size. */
ELS_NOINLINE elelem_status els_json_grow(elelem_fragment_parser *p, size_t start, size_t used, size_t bytes)
{
    elelem_status status = els_block_reserve(&p->els_memory, els_sum(start, bytes), UINT32_MAX, ELELEM_ERROR_MEMORY);

    if (status != ELELEM_OK) return status;
    if (start != p->els_stack_start) {
        memmove(p->els_memory.data + start, els_json_stack(p), used);
        p->els_stack_start = (uint32_t)start;
    }
    els_json_rebase(p);
    els_json_find_short_room(p);
    return ELELEM_OK;
}

/* Adds bytes to the key or number that is being put together. If pushes are small, it is often one byte. */
ELS_INLINE void els_json_add_bytes(elelem_fragment_parser *p, size_t used, const unsigned char *bytes, size_t size)
{
    unsigned char *to = els_json_stack(p) + used;

    if (size == 1) *to = *bytes;
    else if (size <= 16) els_copy_few(to, bytes, size);
    else memcpy(to, bytes, size);
    p->els_token_size += (uint32_t)size;
}

/* Makes room for `more` bytes on the stack, after the first `used`. */
ELS_INLINE elelem_status els_json_reserve(elelem_fragment_parser *p, size_t used, size_t more)
{
    if (ELS_LIKELY(more <= p->els_memory.capacity - p->els_stack_start - used)) return ELELEM_OK;
    return els_json_grow(p, p->els_stack_start, used, els_sum(used, more));
}

/* Nonzero if there is room for one more segment. */
ELS_INLINE int els_json_has_segment(const elelem_fragment_parser *p)
{
    return (p->els_path.count + 1) * sizeof(elelem_segment) <= p->els_stack_start;
}

/* Adds a segment. There is room, see els_json_has_segment. */
ELS_INLINE void els_json_add_segment(elelem_fragment_parser *p)
{
    elelem_segment *segment = els_json_segments(p) + p->els_path.count;

    segment->key.data = p->els_in_object ? (const char *)els_json_stack(p) + p->els_stack_size : NULL;
    segment->key.size = 0;
    segment->index = 0;
    segment->els_base = p->els_stack_size;
    segment->els_changed = p->els_path.els_serial;
    segment->els_active = 0;
    if (p->els_path.count > 0) p->els_path_bytes += (uint32_t)segment[-1].key.size;
    p->els_path.count++;
}

/* Enters the container that was opened: adds a segment for its members or elements. */
ELS_NOINLINE elelem_status els_json_descend(elelem_fragment_parser *p)
{
    if (!els_json_has_segment(p)) {
        size_t segments = p->els_path.count < 4 ? 4 : els_product(p->els_path.count, 2);
        size_t start = els_product(segments, sizeof(elelem_segment));
        elelem_status status = els_json_grow(p, start, p->els_stack_size, els_sum(p->els_stack_size, 32));
        if (status != ELELEM_OK) return status;
    }
    els_json_add_segment(p);
    return ELELEM_OK;
}

/* Leaves the innermost container of the path. */
ELS_INLINE void els_json_ascend(elelem_fragment_parser *p)
{
    elelem_segment *segment = els_json_top(p);

    p->els_stack_size = segment->els_base;
    p->els_in_object = 0;
    if (--p->els_path.count == 0) return;
    p->els_path_bytes -= (uint32_t)segment[-1].key.size;
    p->els_in_object = segment[-1].key.data != NULL;
}

/* Removes the key of the previous member from the stack. */
ELS_INLINE void els_json_drop_key(elelem_fragment_parser *p)
{
    elelem_segment *segment = els_json_top(p);

    p->els_stack_size = segment->els_base;
    segment->key.size = 0;
    segment->els_changed = p->els_path.els_serial;
}

/* The brackets that are open inside a value that is skipped, as one bit each: 1 for an object. */

ELS_NOINLINE elelem_status els_json_skip_into(elelem_fragment_parser *p, int is_object)
{
    unsigned char *bits;
    size_t byte = p->els_skip_depth / 8;
    unsigned mask = 1u << p->els_skip_depth % 8;
    elelem_status status = els_json_reserve(p, p->els_stack_size + byte, 1);

    if (status != ELELEM_OK) return status;
    bits = els_json_stack(p) + p->els_stack_size;
    if (mask == 1) bits[byte] = 0;
    bits[byte] = (unsigned char)(is_object ? bits[byte] | mask : bits[byte] & ~mask);
    p->els_skip_depth++;
    p->els_in_object = (uint8_t)is_object;
    return ELELEM_OK;
}

ELS_PRIVATE void els_json_skip_out(elelem_fragment_parser *p)
{
    p->els_skip_depth--;
    if (p->els_skip_depth == 0) {
        p->els_in_object = p->els_path.count > 0 && els_json_top(p)->key.data != NULL;
    } else {
        const unsigned char *bits = els_json_stack(p) + p->els_stack_size;
        uint32_t i = p->els_skip_depth - 1;
        p->els_in_object = bits[i / 8] >> i % 8 & 1;
    }
}

/* Patterns: whether the value that begins is wanted. */

ELS_INLINE uint16_t els_json_active(const unsigned char *list, size_t i)
{
    uint16_t node;

    memcpy(&node, list + i * sizeof node, sizeof node);
    return node;
}

/* Nonzero if a node is in a list, which is sorted and not empty. */
ELS_PRIVATE int els_json_is_active(const unsigned char *list, size_t count, uint16_t node)
{
    while (count > 1) {
        size_t half = count / 2;
        if (els_json_active(list, half) <= node) {
            list += half * sizeof node;
            count -= half;
        } else {
            count = half;
        }
    }
    return els_json_active(list, 0) == node;
}

/* Adds a node to the list on top of the stack. */
ELS_PRIVATE elelem_status els_json_activate(elelem_fragment_parser *p, uint16_t node)
{
    elelem_status status = els_json_reserve(p, p->els_stack_size, sizeof node);

    if (status != ELELEM_OK) return status;
    memcpy(els_json_stack(p) + p->els_stack_size, &node, sizeof node);
    p->els_stack_size += (uint32_t)sizeof node;
    els_json_top(p)->els_active++;
    return ELELEM_OK;
}

/* Returns the list of nodes that match the path to the container of this value, sorted; the root node at the top. */
ELS_INLINE const unsigned char *els_json_parents(const elelem_fragment_parser *p, size_t *count)
{
    const elelem_segment *before;

    *count = 1;
    if (p->els_path.count == 1) return (const unsigned char *)&p->els_patterns->els_root;
    before = els_json_top(p) - 1;
    *count = before->els_active;
    return els_json_stack(p) + before->els_base + before->key.size;
}

/* Nonzero if a value that only node `i` matches is skipped. */
ELS_INLINE int els_json_skips(const elelem_fragment_parser *p, size_t i)
{
    return p->els_patterns->nodes[i].wanted == ELELEM_WANT_SKIP || (i < 32 && p->els_patterns->els_dropped >> i & 1);
}

/* Node `i` matches the path to this value: adds it to the list. The first one that is wanted is the value's pattern. */
ELS_PRIVATE elelem_status els_json_found(elelem_fragment_parser *p, size_t i)
{
    int is_wanted = els_node_is_wanted(&p->els_patterns->nodes[i]);

    if (is_wanted && p->els_pattern == ELELEM_NO_PATTERN) p->els_pattern = (uint16_t)i;
    return els_json_activate(p, (uint16_t)i);
}

/* Nonzero if rows are found by number, see els_index_make. */
ELS_INLINE int els_json_is_indexed(const elelem_fragment_parser *p)
{
    return ELS_IS_FAST && p->els_patterns->els_index != NULL;
}

/* Matches the row that names this value among those with this parent. */
ELS_INLINE elelem_status els_json_match_row(elelem_fragment_parser *p, uint16_t parent)
{
    size_t row = els_index_find(p->els_patterns->els_index, p->els_patterns->count, parent, els_json_top(p)->key);

    return row > 0 && !els_json_skips(p, row) ? els_json_found(p, row) : ELELEM_OK;
}

/* Matches the nodes that have this parent, if these are adjacent. Most of them are keys of another size. */
ELS_INLINE elelem_status els_json_match_group(elelem_fragment_parser *p, uint16_t parent)
{
    const elelem_pattern_node *nodes = p->els_patterns->nodes;
    const elelem_pattern_node *end = nodes + p->els_patterns->count;
    const elelem_pattern_node *node = nodes + parent + 1;
    size_t size = els_json_top(p)->key.size;

    while (node < end && node->parent != parent)
        node++;
    for (; node < end && node->parent == parent; node++) {
        if (node->size != size && node->kind == ELELEM_PATTERN_KEY) continue;
        if (!els_node_matches(node, els_json_top(p))) continue;
        if (!els_json_skips(p, (size_t)(node - nodes)) && els_json_found(p, (size_t)(node - nodes)) != ELELEM_OK)
            return ELELEM_ERROR_MEMORY;
        if (p->els_patterns->els_order == ELS_PATTERNS_DISTINCT) break;
    }
    return ELELEM_OK;
}

/* Matches the nodes whose parent is in a list. */
ELS_NOINLINE elelem_status els_json_match_list(elelem_fragment_parser *p, const unsigned char *parents, size_t parents_count)
{
    const elelem_pattern_node *nodes = p->els_patterns->nodes;
    size_t i, count = p->els_patterns->count;
    uint16_t first = els_json_active(parents, 0);

    for (i = first + (size_t)1; i < count; i++) {
        uint16_t parent = nodes[i].parent;
        if (parent != first && (parents_count == 1 || !els_json_is_active(parents, parents_count, parent))) continue;
        if (!els_node_matches(&nodes[i], els_json_top(p))) continue;
        if (els_json_skips(p, i)) continue;
        if (els_json_found(p, i) != ELELEM_OK) return ELELEM_ERROR_MEMORY;
        parents = els_json_parents(p, &parents_count);
    }
    return ELELEM_OK;
}

/* Makes the list of the innermost segment: the nodes that match the path to this value. The parent of
   each is in the list of the segment before, which mostly has one node. */
ELS_INLINE elelem_status els_json_match_segment(elelem_fragment_parser *p)
{
    elelem_segment *top = els_json_top(p);
    size_t parents_count;
    const unsigned char *parents = els_json_parents(p, &parents_count);

    p->els_stack_size = top->els_base + (uint32_t)top->key.size;
    top->els_active = 0;
    if (parents_count == 1 && els_json_is_indexed(p)) return els_json_match_row(p, els_json_active(parents, 0));
    if (parents_count == 1 && p->els_patterns->els_order != ELS_PATTERNS_UNORDERED) return els_json_match_group(p, els_json_active(parents, 0));
    return els_json_match_list(p, parents, parents_count);
}

/* The node of the value as a whole. */
ELS_INLINE const elelem_pattern_node *els_json_root(const elelem_fragment_parser *p)
{
    return p->els_patterns->nodes + p->els_patterns->els_root;
}

/* Decides whether the value that begins is delivered, skipped, or may contain values to be delivered. */
ELS_NOINLINE elelem_status els_json_match(elelem_fragment_parser *p)
{
    int possible;

    p->els_pattern = ELELEM_NO_PATTERN;
    if (p->els_path.count == 0) {
        possible = p->els_patterns->count > 0 && els_json_root(p)->wanted != ELELEM_WANT_SKIP;
        if (possible && els_node_is_wanted(els_json_root(p))) p->els_pattern = p->els_patterns->els_root;
    } else {
        elelem_status status = els_json_match_segment(p);
        if (status != ELELEM_OK) return status;
        possible = els_json_top(p)->els_active > 0;
    }
    if (p->els_pattern != ELELEM_NO_PATTERN) p->els_inside = (uint32_t)p->els_path.count + 1;
    p->els_skipping = !possible;
    return ELELEM_OK;
}

/* Nonzero if fragments of the current value are delivered. */
ELS_INLINE int els_json_is_wanted(const elelem_fragment_parser *p)
{
    return p->els_inside != 0;
}

/* Fragments that are delivered. */

ELS_INLINE elelem_status els_json_give(elelem_fragment_parser *p, elelem_fragment *out, elelem_fragment_kind kind,
                                       elelem_type type, const void *text, size_t size)
{
    p->els_path.els_serial++;
    out->path = &p->els_path;
    out->text.data = (const char *)text;
    out->text.size = size;
    out->kind = (uint8_t)kind;
    out->type = (uint8_t)type;
    out->pattern = p->els_pattern;
    p->els_last = (uint8_t)kind;
    return ELELEM_OK;
}

/* Ends a value. Delivers its DONE if it is wanted. */
ELS_INLINE elelem_status els_json_done(elelem_fragment_parser *p, elelem_fragment *out, elelem_type type)
{
    int wanted = els_json_is_wanted(p) && !p->els_skipping;

    p->els_state = ELS_JSON_COMMA;
    if (p->els_skip_depth > 0) return ELS_AGAIN;
    p->els_skipping = 0;
    if (p->els_path.count == 0) p->els_state = p->els_single ? ELS_JSON_TRAIL : ELS_JSON_END;
    if (p->els_inside == p->els_path.count + 1) p->els_inside = 0;
    if (!wanted) return ELS_AGAIN;
    return els_json_give(p, out, ELELEM_FRAGMENT_DONE, type, NULL, 0);
}

/* Text of strings and keys. */

/* Returns how many bytes of a text that is longer a limit of `left` bytes allows: whole characters, none if the text is
   from an escape. */
ELS_PRIVATE size_t els_json_allowed(const unsigned char *text, uint64_t left, int is_plain)
{
    return is_plain ? els_whole_characters(text, (size_t)left) : 0;
}

/* Adds text to the key on top of the stack. `back` is the distance from where the text starts in the input to the
   cursor. */
ELS_NOINLINE elelem_status els_json_key_text(elelem_fragment_parser *p, const els_cursor *in, const unsigned char *text,
                                             size_t size, size_t back)
{
    uint32_t key_left = p->els_max_key - p->els_token_size;
    uint32_t path_left = p->els_max_path - p->els_path_bytes - p->els_token_size;
    uint32_t left = key_left < path_left ? key_left : path_left;
    size_t used = p->els_stack_size + (size_t)p->els_token_size;

    if (ELS_UNLIKELY(size > left)) {
        uint64_t allowed = els_json_allowed(text, left, size == back);
        return els_json_fail_at(p, left == key_left ? ELELEM_ERROR_KEY_SIZE : ELELEM_ERROR_PATH_SIZE,
                                els_json_offset(p, in) - back + allowed);
    }
    if (els_json_reserve(p, used, size) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    els_json_add_bytes(p, used, text, size);
    return ELS_AGAIN;
}

/* Delivers what the limit still allows of a string, and fails if that is nothing. */
ELS_NOINLINE elelem_status els_json_long_string(elelem_fragment_parser *p, els_cursor *in, const unsigned char *text,
                                                size_t size, size_t back, elelem_fragment *out)
{
    size_t allowed = els_json_allowed(text, p->els_string_left, size == back);

    if (allowed == 0) return els_json_fail_at(p, ELELEM_ERROR_STRING_SIZE, els_json_offset(p, in) - back);
    in->at -= size - allowed;
    p->els_string_left -= allowed;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, text, allowed);
}

/* Takes decoded text of a string or key. `back` is the distance from where it starts in the input to the cursor; it
   differs from `size` only for escapes. */
ELS_INLINE elelem_status els_json_text(elelem_fragment_parser *p, els_cursor *in, const unsigned char *text, size_t size,
                                       size_t back, elelem_fragment *out)
{
    if (ELS_UNLIKELY(p->els_skipping)) return ELS_AGAIN;
    if (p->els_in_key) return els_json_key_text(p, in, text, size, back);
    if (ELS_UNLIKELY(size > p->els_string_left)) return els_json_long_string(p, in, text, size, back, out);
    p->els_string_left -= size;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, text, size);
}

/* Ends a key, which becomes that of the innermost segment. */
ELS_INLINE elelem_status els_json_key_done(elelem_fragment_parser *p)
{
    p->els_in_key = 0;
    p->els_state = ELS_JSON_COLON;
    if (!p->els_skipping) {
        elelem_segment *top = els_json_top(p);
        top->key.size = p->els_token_size;
        p->els_stack_size += p->els_token_size;
    }
    return ELS_AGAIN;
}

ELS_INLINE elelem_status els_json_quote(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    in->at++;
    if (p->els_in_key) return els_json_key_done(p);
    return els_json_done(p, out, ELELEM_TYPE_STRING);
}

/* Reads the first byte of a character that is cut by the end of the chunk, or fails if none begins like this. */
ELS_NOINLINE elelem_status els_json_lead(elelem_fragment_parser *p, els_cursor *in)
{
    els_lead lead = els_lead_of(*in->at);

    if (lead.more == 0) return els_json_fail(p, in, ELELEM_ERROR_UTF8);
    p->els_need = lead.more;
    p->els_low = lead.low;
    p->els_limit = lead.high;
    p->els_carry[0] = *in->at++;
    p->els_carry_size = 1;
    p->els_state = ELS_JSON_CHARACTER;
    return ELS_AGAIN;
}

/* Reads the rest of a character. */
ELS_INLINE elelem_status els_json_any_character(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    while (p->els_need > 0) {
        if (in->at == in->end) return ELELEM_MORE;
        if (*in->at < p->els_low || *in->at > p->els_limit) return els_json_fail(p, in, ELELEM_ERROR_UTF8);
        p->els_low = 0x80;
        p->els_limit = 0xbf;
        p->els_carry[p->els_carry_size++] = *in->at++;
        p->els_need--;
    }
    p->els_state = ELS_JSON_TEXT;
    return els_json_text(p, in, p->els_carry, p->els_carry_size, p->els_carry_size, out);
}

ELS_NOINLINE elelem_status els_json_character(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    return els_json_any_character(p, in, out);
}

/* Reads a byte that ends a run of plain text. */
ELS_INLINE elelem_status els_json_special(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    unsigned char byte = *in->at;

    if (byte == '"') return els_json_quote(p, in, out);
    if (byte >= 0x80) return els_json_lead(p, in);
    if (byte != '\\') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    p->els_state = ELS_JSON_ESCAPE;
    return ELS_AGAIN;
}

/* The larger of the two places in the block that are free while a string inside a container is read: that of the segments that are not used, and that
   above the keys. */
ELS_INLINE unsigned char *els_json_spare(const elelem_fragment_parser *p, size_t *size)
{
    size_t segments = p->els_path.count * sizeof(elelem_segment);
    size_t stack = p->els_stack_start + (size_t)p->els_stack_size;

    *size = p->els_stack_start - segments;
    if (*size >= p->els_memory.capacity - stack) return p->els_memory.data + segments;
    *size = p->els_memory.capacity - stack;
    return p->els_memory.data + stack;
}

/* What els_joins may be: nothing is known yet; there were escapes in the last piece; there is no room to join pieces of this string. */
enum { ELS_JOINS_PERHAPS, ELS_JOINS_ON, ELS_JOINS_NEVER };

/* Delivers the ASCII before the backslash at `stop` and what follows it as one piece, see els_token_join. AGAIN: not so, because
   there is no room for it, because it would save little, or because of what is escaped. After a piece in which there were escapes
   there will be more, so that the next one is not looked for. */
ELS_NOINLINE elelem_status els_json_join(elelem_fragment_parser *p, els_cursor *in, const unsigned char *stop,
                                         elelem_fragment *out)
{
    const unsigned char *start = in->at;
    size_t room, size, left = (size_t)(in->end - start);
    unsigned char *to;

    if (p->els_path.count == 0) return ELS_AGAIN;
    to = els_json_spare(p, &room);
    if (room < 40) p->els_joins = ELS_JOINS_NEVER;
    if (room < 40 || left > p->els_string_left || (size_t)(stop - start) > room / 2) return ELS_AGAIN;
    size = (size_t)(els_token_join(in, to, room - 16) - to);
    p->els_joins = (size_t)(in->at - start) > size ? ELS_JOINS_ON : ELS_JOINS_PERHAPS;
    if (size == 0) return ELS_AGAIN;
    p->els_string_left -= size;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, to, size);
}

/* Of fewer bytes than this none are joined: that costs more than it saves. */
#define ELS_JSON_MANY 32

ELS_INLINE int els_json_has_many(const els_cursor *in)
{
    return in->end - in->at >= ELS_JSON_MANY;
}

/* Nonzero if the byte at `stop` begins an escape of one letter. */
ELS_INLINE int els_json_is_short_escape(const els_cursor *in, const unsigned char *stop)
{
    return in->end - stop >= 2 && *stop == '\\' && stop[1] != 'u';
}

/* Joins if it may; called by the steps. */
ELS_PRIVATE elelem_status els_json_try_join(elelem_fragment_parser *p, els_cursor *in, const unsigned char *stop,
                                            elelem_fragment *out)
{
    if (!ELS_JOINS || p->els_in_key || p->els_skipping || !els_json_has_many(in)) return ELS_AGAIN;
    if (p->els_joins == ELS_JOINS_NEVER) return ELS_AGAIN;
    if (p->els_joins == ELS_JOINS_ON && els_json_join(p, in, in->at, out) == ELELEM_OK) return ELELEM_OK;
    if (!els_json_is_short_escape(in, stop) || els_text_span(in->at, stop) != stop) return ELS_AGAIN;
    return els_json_join(p, in, stop, out);
}

/* Reads plain text from `start`, which is before or at the cursor. */
ELS_NOINLINE elelem_status els_json_run(elelem_fragment_parser *p, els_cursor *in, const unsigned char *start,
                                        elelem_fragment *out)
{
    const unsigned char *stop = els_text_plain(in->at, in->end);
    size_t size = (size_t)(stop - start);

    if (start == in->at && els_json_try_join(p, in, stop, out) == ELELEM_OK) return ELELEM_OK;
    in->at = stop;
    if (size > 0) return els_json_text(p, in, start, size, size, out);
    if (stop == in->end) return ELELEM_MORE;
    return els_json_special(p, in, out);
}

/* U+FFFD, delivered instead of a surrogate that is not one of a pair. */
static const unsigned char els_replacement[3] = { 0xef, 0xbf, 0xbd };

ELS_NOINLINE elelem_status els_json_escape(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *escaped;
    unsigned char byte;

    if (in->at == in->end) return ELELEM_MORE;
    byte = *in->at;
    if (byte == '"' || byte == '\\' || byte == '/') {
        /* The byte is its own value, so that a run of plain text may start with it. */
        p->els_state = ELS_JSON_TEXT;
        in->at++;
        return els_json_run(p, in, in->at - 1, out);
    }
    if (byte == 'u') {
        in->at++;
        p->els_unit = 0;
        p->els_count = 0;
        p->els_state = ELS_JSON_UNIT;
        return ELS_AGAIN;
    }
    escaped = els_escaped(byte);
    if (!escaped) return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    p->els_state = ELS_JSON_TEXT;
    return els_json_text(p, in, escaped, 1, 1, out);
}

/* Nonzero if a unit may begin with these digits. In strict mode the first two decide whether it is a surrogate that is
   not allowed here. */
ELS_PRIVATE int els_json_unit_allowed(const elelem_fragment_parser *p, unsigned unit, unsigned digits)
{
    if (!p->els_strict) return 1;
    if (p->els_high) return digits == 1 ? unit == 0xd : digits == 2 ? (unit & 0xfc) == 0xdc : 1;
    return digits != 2 || (unit & 0xfc) != 0xdc;
}

/* Nonzero at the first byte of the text of a string that is wanted. */
ELS_PRIVATE int els_json_begins_text(const elelem_fragment_parser *p)
{
    return p->els_string_left == p->els_max_string && !p->els_in_key && !p->els_skipping;
}

/* Delivers the character of a unit, or of a high surrogate and the unit after it, if these are a pair. */
ELS_PRIVATE elelem_status els_json_unit_done(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    char *bytes = (char *)p->els_decoded;
    uint32_t unit = p->els_unit;
    int is_low = unit >= 0xdc00 && unit < 0xe000;
    size_t size = 0;

    if (p->els_high && is_low) {
        size = elelem_utf8_encode(0x10000 + ((uint32_t)(p->els_high - 0xd800) << 10) + (unit - 0xdc00), bytes);
        p->els_high = 0;
    } else {
        if (is_low && els_json_begins_text(p)) p->els_half = (uint16_t)unit;
        if (p->els_high) size = elelem_utf8_encode(0xfffd, bytes);
        p->els_high = unit >= 0xd800 && unit < 0xdc00 ? (uint16_t)unit : 0;
        if (!p->els_high) size += elelem_utf8_encode(unit, bytes + size);
    }
    p->els_state = p->els_high ? ELS_JSON_LOW_BACKSLASH : ELS_JSON_TEXT;
    if (size == 0) return ELS_AGAIN;
    return els_json_text(p, in, p->els_decoded, size, 1, out);
}

ELS_NOINLINE elelem_status els_json_unit(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    while (p->els_count < 4) {
        int digit;
        unsigned unit;
        if (in->at == in->end) return ELELEM_MORE;
        digit = els_hex_digit(*in->at);
        if (digit < 0) return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
        unit = (unsigned)p->els_unit << 4 | (unsigned)digit;
        if (!els_json_unit_allowed(p, unit, p->els_count + 1u)) return els_json_fail(p, in, ELELEM_ERROR_SURROGATE);
        p->els_unit = (uint16_t)unit;
        p->els_count++;
        in->at++;
    }
    return els_json_unit_done(p, in, out);
}

/* Ends a high surrogate without its low one: the byte at the cursor begins something else. */
ELS_PRIVATE elelem_status els_json_lone(elelem_fragment_parser *p, els_cursor *in, els_json_state next,
                                        elelem_fragment *out)
{
    if (p->els_strict) return els_json_fail(p, in, ELELEM_ERROR_SURROGATE);
    if (next == ELS_JSON_TEXT && *in->at == '"' && !p->els_in_key && !p->els_skipping) p->els_half = p->els_high;
    p->els_high = 0;
    p->els_state = (uint8_t)next;
    return els_json_text(p, in, els_replacement, sizeof els_replacement, 0, out);
}

ELS_NOINLINE elelem_status els_json_low_backslash(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (in->at == in->end) return ELELEM_MORE;
    if (*in->at != '\\') return els_json_lone(p, in, ELS_JSON_TEXT, out);
    in->at++;
    p->els_state = ELS_JSON_LOW_LETTER;
    return ELS_AGAIN;
}

ELS_NOINLINE elelem_status els_json_low_letter(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (in->at == in->end) return ELELEM_MORE;
    if (*in->at != 'u') return els_json_lone(p, in, ELS_JSON_ESCAPE, out);
    in->at++;
    p->els_unit = 0;
    p->els_count = 0;
    p->els_state = ELS_JSON_UNIT;
    return ELS_AGAIN;
}

/* Scalars. */

ELS_INLINE elelem_status els_json_scalar(elelem_fragment_parser *p, elelem_fragment *out, elelem_type type,
                                         const void *text, size_t size)
{
    if (p->els_skipping || !els_json_is_wanted(p)) return els_json_done(p, out, type);
    p->els_after = (uint8_t)type;
    p->els_state = ELS_JSON_SCALAR_DONE;
    return els_json_give(p, out, ELELEM_FRAGMENT_SCALAR, type, text, size);
}

ELS_PRIVATE const char *els_literal_text(elelem_type type, int boolean)
{
    return type == ELELEM_TYPE_NULL ? "null" : boolean ? "true" : "false";
}

/* Reads the rest of a literal. els_unit is 1 for true, 0 for false. */
ELS_NOINLINE elelem_status els_json_literal(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_type type = (elelem_type)p->els_after;
    const char *literal = els_literal_text(type, p->els_unit);

    while (literal[p->els_count]) {
        if (in->at == in->end) return ELELEM_MORE;
        if (*in->at != (unsigned char)literal[p->els_count]) return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
        in->at++;
        p->els_count++;
    }
    return els_json_scalar(p, out, type, literal, p->els_count);
}

/* Begins the literal at the cursor, if it is one; if it is whole in the chunk, ends it too. Its rest is read, or refused, byte by
   byte. */
ELS_NOINLINE elelem_status els_json_begin_literal(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    unsigned char byte = *in->at;
    size_t left = (size_t)(in->end - in->at);

    if (left >= 4 && memcmp(in->at, "true", 4) == 0) {
        in->at += 4;
        return els_json_scalar(p, out, ELELEM_TYPE_BOOL, "true", 4);
    }
    if (left >= 4 && memcmp(in->at, "null", 4) == 0) {
        in->at += 4;
        return els_json_scalar(p, out, ELELEM_TYPE_NULL, "null", 4);
    }
    if (left >= 5 && memcmp(in->at, "false", 5) == 0) {
        in->at += 5;
        return els_json_scalar(p, out, ELELEM_TYPE_BOOL, "false", 5);
    }
    p->els_after = byte == 'n' ? ELELEM_TYPE_NULL : ELELEM_TYPE_BOOL;
    p->els_unit = byte == 't';
    p->els_count = 0;
    p->els_state = ELS_JSON_LITERAL;
    return ELS_AGAIN;
}

/* Nonzero if the byte may follow a number; at the root also what begins the next value may, unless it is a literal or a
   number. */
ELS_INLINE int els_json_delimits(const elelem_fragment_parser *p, unsigned char byte)
{
    if (els_number_ends_at(byte)) return 1;
    return p->els_path.count + p->els_skip_depth == 0 && (byte == '[' || byte == '{' || byte == '"');
}

/* Stores the piece of a number from `start` to the cursor. */
ELS_PRIVATE elelem_status els_json_keep_number(elelem_fragment_parser *p, const els_cursor *in,
                                               const unsigned char *start)
{
    size_t size = (size_t)(in->at - start);
    size_t used = p->els_stack_size + (size_t)p->els_token_size;

    if (p->els_skipping || size == 0) return ELELEM_OK;
    if (size > p->els_max_number - p->els_token_size)
        return els_json_fail_at(p, ELELEM_ERROR_NUMBER_SIZE,
                                els_json_offset(p, in) - size + (p->els_max_number - p->els_token_size));
    if (els_json_reserve(p, used, size) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    els_json_add_bytes(p, used, start, size);
    return ELELEM_OK;
}

ELS_NOINLINE elelem_status els_json_number_end(elelem_fragment_parser *p, els_cursor *in, const unsigned char *start,
                                               elelem_fragment *out)
{
    size_t size = (size_t)(in->at - start);

    if (!p->els_skipping && (p->els_token_size > 0 || size > p->els_max_number)) {
        elelem_status status = els_json_keep_number(p, in, start);
        if (status != ELELEM_OK) return status;
        start = els_json_stack(p) + p->els_stack_size;
        size = p->els_token_size;
    }
    if (in->at < in->end && !els_json_delimits(p, *in->at)) return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    return els_json_scalar(p, out, ELELEM_TYPE_NUMBER, start, size);
}

ELS_NOINLINE elelem_status els_json_number(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *start = in->at;
    els_json_state state = (els_json_state)p->els_state;

    while (in->at < in->end) {
        els_json_state next = els_number_step(state, *in->at);
        if (next == ELS_JSON_FAILED) break;
        state = next;
        in->at++;
        if (els_number_takes_digits(state)) in->at = els_digit_span(in->at, in->end);
    }
    p->els_state = (uint8_t)state;
    if (in->at < in->end) {
        if (els_number_may_end(state)) return els_json_number_end(p, in, start, out);
        if (els_json_keep_number(p, in, start) != ELELEM_OK) return (elelem_status)p->els_status;
        return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    }
    if (els_json_keep_number(p, in, start) != ELELEM_OK) return (elelem_status)p->els_status;
    return ELELEM_MORE;
}

/* Begins the number at the cursor. If it is whole in the chunk, ends it too. */
ELS_NOINLINE elelem_status els_json_begin_number(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *start = in->at;
    const unsigned char *stop = els_number_whole(start, in->end);

    p->els_skipping |= !els_json_is_wanted(p);
    if (stop && (size_t)(stop - start) <= p->els_max_number && els_json_delimits(p, *stop)) {
        in->at = stop;
        return els_json_scalar(p, out, ELELEM_TYPE_NUMBER, start, (size_t)(stop - start));
    }
    p->els_token_size = 0;
    p->els_state = ELS_JSON_NUMBER;
    return els_json_number(p, in, out);
}

/* Structure. */

ELS_PRIVATE elelem_status els_json_begin_string(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    in->at++;
    p->els_string_left = p->els_max_string;
    if (ELS_JOINS) p->els_joins = ELS_JOINS_PERHAPS;
    p->els_skipping |= !els_json_is_wanted(p);
    p->els_state = ELS_JSON_TEXT;
    return els_json_run(p, in, in->at, out);
}

/* The row among els_elements of the container that began; 0 if it has none. */
ELS_PRIVATE uint16_t els_json_element_row(const elelem_fragment_parser *p)
{
    const uint16_t *row = p->els_patterns->els_elements;
    const elelem_segment *top;
    uint16_t active;

    if (!row || p->els_path.count == 0) return 0;
    top = els_json_top(p);
    if (top->els_active == 0) return 0;
    active = els_json_active(els_json_stack(p) + top->els_base + top->key.size, 0);
    while (*row && *row != active)
        row++;
    return *row;
}

/* Nonzero if the BEGIN of a container that is not wanted whole is delivered. */
ELS_PRIVATE int els_json_wants_begin(const elelem_fragment_parser *p)
{
    const elelem_pattern_node *nodes = p->els_patterns->nodes;
    const elelem_segment *top;
    const unsigned char *active;
    size_t i;

    if (p->els_path.count == 0) return els_json_root(p)->wanted == ELELEM_WANT_BEGIN;
    top = els_json_top(p);
    active = els_json_stack(p) + top->els_base + top->key.size;
    for (i = 0; i < top->els_active; i++)
        if (nodes[els_json_active(active, i)].wanted == ELELEM_WANT_BEGIN) return 1;
    return ELS_HAS_WHOLE ? els_json_element_row(p) != 0 : 0;
}

ELS_NOINLINE elelem_status els_json_begin_container(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    int is_object = *in->at == '{';

    if (p->els_path.count + p->els_skip_depth >= p->els_max_depth) return els_json_fail(p, in, ELELEM_ERROR_DEPTH);
    if (p->els_skipping) {
        if (els_json_skip_into(p, is_object) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
        in->at++;
        p->els_state = is_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
        return ELS_AGAIN;
    }
    in->at++;
    p->els_in_object = (uint8_t)is_object;
    p->els_state = ELS_JSON_OPENED;
    if (!els_json_is_wanted(p) && !els_json_wants_begin(p)) return ELS_AGAIN;
    return els_json_give(p, out, ELELEM_FRAGMENT_BEGIN, is_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY, NULL, 0);
}

/* Ends the innermost container at the bracket at the cursor. */
ELS_NOINLINE elelem_status els_json_end_container(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_type type = p->els_in_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY;

    in->at++;
    if (p->els_skip_depth > 0)
        els_json_skip_out(p);
    else
        els_json_ascend(p);
    return els_json_done(p, out, type);
}

/* Skips a null of which a pattern wants nothing. */
ELS_INLINE void els_json_match_null(elelem_fragment_parser *p)
{
    if (p->els_pattern == ELELEM_NO_PATTERN || p->els_patterns->nodes[p->els_pattern].wanted != ELELEM_WANT_SOME) return;
    p->els_pattern = ELELEM_NO_PATTERN;
    p->els_inside = 0;
    p->els_skipping = 1;
}

/* Nonzero if nothing of the value that begins with this byte is delivered; then it is skipped. */
ELS_INLINE int els_json_may_skim(elelem_fragment_parser *p, unsigned char byte)
{
    if (!els_json_is_wanted(p) && byte != '{' && byte != '[') p->els_skipping = 1;
    return p->els_skipping;
}

ELS_INLINE elelem_status els_json_value(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
    if (*in->at == ']' && p->els_state == ELS_JSON_FIRST_ELEMENT) return els_json_end_container(p, in, out);
    if (!els_json_is_wanted(p) && !p->els_skipping) {
        if (els_json_match(p) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
        if (*in->at == 'n') els_json_match_null(p);
        if (ELS_IS_FAST && els_json_may_skim(p, *in->at)) return ELS_AGAIN;
    }
    switch (*in->at) {
    case '"': return els_json_begin_string(p, in, out);
    case '{':
    case '[': return els_json_begin_container(p, in, out);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return els_json_begin_number(p, in, out);
    default: return els_json_begin_literal(p, in, out);
    }
}

ELS_INLINE elelem_status els_json_colon(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
    if (*in->at != ':') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    p->els_state = ELS_JSON_VALUE;
    return els_json_value(p, in, out);
}

/* Makes the bytes that are on the stack the key of the innermost segment. */
ELS_INLINE void els_json_set_key(elelem_fragment_parser *p, elelem_segment *top, size_t size)
{
    top->key.size = size;
    top->els_changed = p->els_path.els_serial;
    p->els_stack_size = (uint32_t)(top->els_base + size);
}

/* Reads a plain key of fewer than 16 bytes that is whole in the chunk, from after its first quote, and makes it
   that of the innermost segment. Zero if it is no such key; then only bytes of the previous member, which are no
   longer needed, may have changed. */
ELS_INLINE int els_json_short_key(elelem_fragment_parser *p, els_cursor *in)
{
    elelem_segment *top = els_json_top(p);
    size_t left = (size_t)(in->end - in->at);
    size_t size;

    if (left == 0 || top->els_base >= p->els_short_room) return 0;
    size = els_text_start(in->at, left, els_json_stack(p) + top->els_base);
    if (size >= 16 || size == left || in->at[size] != '"') return 0;
    els_json_set_key(p, top, size);
    in->at += size + 1;
    return 1;
}

ELS_INLINE elelem_status els_json_key(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
    if (*in->at == '}' && p->els_state == ELS_JSON_FIRST_KEY) return els_json_end_container(p, in, out);
    if (*in->at != '"') return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    in->at++;
    if (!p->els_skipping) {
        if (ELS_IS_FAST && ELS_LIKELY(els_json_short_key(p, in))) {
            p->els_state = ELS_JSON_COLON;
            return els_json_colon(p, in, out);
        }
        els_json_drop_key(p);
    }
    p->els_token_size = 0;
    p->els_in_key = 1;
    p->els_state = ELS_JSON_TEXT;
    return ELS_AGAIN;
}

/* Counts the next element, after a comma in an array. */
ELS_INLINE elelem_status els_json_count_element(elelem_fragment_parser *p, const els_cursor *in)
{
    elelem_segment *top = els_json_top(p);

    if (top->index == UINT32_MAX) return els_json_fail_at(p, ELELEM_ERROR_COUNT, els_json_offset(p, in) - 1);
    top->index++;
    top->els_changed = p->els_path.els_serial;
    return ELS_AGAIN;
}

/* Begins the next element. */
ELS_INLINE elelem_status els_json_next_element(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_status status = p->els_skipping ? ELS_AGAIN : els_json_count_element(p, in);

    if (status != ELS_AGAIN) return status;
    p->els_state = ELS_JSON_VALUE;
    return els_json_value(p, in, out);
}

ELS_INLINE elelem_status els_json_comma(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
    if (*in->at != ',') {
        if (*in->at == (p->els_in_object ? '}' : ']')) return els_json_end_container(p, in, out);
        return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
    }
    in->at++;
    if (!p->els_in_object) return els_json_next_element(p, in, out);
    p->els_state = ELS_JSON_KEY;
    return els_json_key(p, in, out);
}

/* Enters the container that began. */
ELS_INLINE elelem_status els_json_enter(elelem_fragment_parser *p, const els_cursor *in)
{
    if (els_json_descend(p) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    p->els_state = p->els_in_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
    return ELS_AGAIN;
}

ELS_INLINE elelem_status els_json_opened(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_status status = els_json_enter(p, in);

    if (status != ELS_AGAIN) return status;
    return p->els_in_object ? els_json_key(p, in, out) : els_json_value(p, in, out);
}

ELS_PRIVATE elelem_status els_json_trail(elelem_fragment_parser *p, els_cursor *in)
{
    if (!els_skip_blanks(in)) return ELELEM_MORE;
    return els_json_fail(p, in, ELELEM_ERROR_SYNTAX);
}

ELS_INLINE elelem_status els_json_step(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    switch ((els_json_state)p->els_state) {
    case ELS_JSON_TEXT: return els_json_run(p, in, in->at, out);
    case ELS_JSON_VALUE:
    case ELS_JSON_FIRST_ELEMENT: return els_json_value(p, in, out);
    case ELS_JSON_FIRST_KEY:
    case ELS_JSON_KEY: return els_json_key(p, in, out);
    case ELS_JSON_COLON: return els_json_colon(p, in, out);
    case ELS_JSON_COMMA: return els_json_comma(p, in, out);
    case ELS_JSON_OPENED: return els_json_opened(p, in, out);
    case ELS_JSON_CHARACTER: return els_json_character(p, in, out);
    case ELS_JSON_ESCAPE: return els_json_escape(p, in, out);
    case ELS_JSON_UNIT: return els_json_unit(p, in, out);
    case ELS_JSON_LOW_BACKSLASH: return els_json_low_backslash(p, in, out);
    case ELS_JSON_LOW_LETTER: return els_json_low_letter(p, in, out);
    case ELS_JSON_LITERAL: return els_json_literal(p, in, out);
    case ELS_JSON_MINUS:
    case ELS_JSON_ZERO:
    case ELS_JSON_INTEGER:
    case ELS_JSON_POINT:
    case ELS_JSON_FRACTION:
    case ELS_JSON_EXPONENT:
    case ELS_JSON_SIGN:
    case ELS_JSON_POWER: return els_json_number(p, in, out);
    case ELS_JSON_SCALAR_DONE: return els_json_done(p, out, (elelem_type)p->els_after);
    case ELS_JSON_TRAIL: return els_json_trail(p, in);
    case ELS_JSON_END: return ELELEM_END;
    default: return (elelem_status)p->els_status;
    }
}

/* How many more containers may be open in a value that is skipped, without more memory, and within the limit. */
ELS_PRIVATE uint8_t els_json_skip_room(const elelem_fragment_parser *p)
{
    size_t bits = (p->els_memory.capacity - p->els_stack_start - p->els_stack_size) * 8 - p->els_skip_depth;
    size_t depth = p->els_max_depth - p->els_path.count - p->els_skip_depth;
    size_t room = bits < depth ? bits : depth;

    return (uint8_t)(room < 62 ? room : 62);
}

/* Passes over what is whole in the bytes of a value that is skipped; the steps read the rest, token by token. */
ELS_NOINLINE void els_json_skim(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    els_skim skim;
    uint32_t i;

    skim.at = in->at;
    skim.objects = p->els_in_object;
    skim.floor = skim.depth = p->els_skip_depth > 0;
    skim.ceiling = (uint8_t)(skim.floor + els_json_skip_room(p));
    skim.state = p->els_state;
    skim.strict = p->els_strict;
    els_skim_run(&skim, in->end);
    in->at = skim.at;
    p->els_state = skim.state;
    for (i = skim.depth; i-- > skim.floor;)
        els_json_skip_into(p, (int)(skim.objects >> (i - skim.floor) & 1));
    if (skim.depth == 0 && skim.state == ELS_JSON_COMMA) els_json_done(p, out, ELELEM_TYPE_NONE);
}

/* Returns the end of the value that begins here; null if it is not right, or not whole in the bytes. */
ELS_INLINE const unsigned char *els_json_value_end(const elelem_fragment_parser *p, const unsigned char *at,
                                                   const unsigned char *end)
{
    els_skim skim;

    skim.at = at;
    skim.strict = p->els_strict;
    if (*at != '{' && *at != '[') return els_skim_scalar(&skim, at, end);
    skim.objects = 0;
    skim.floor = skim.depth = 0;
    skim.ceiling = els_json_skip_room(p);
    skim.state = ELS_JSON_VALUE;
    els_skim_run(&skim, end);
    return skim.depth == 0 && skim.state == ELS_JSON_COMMA ? skim.at : NULL;
}

/* Nonzero if a value is skipped, and no token of it is begun. */
ELS_INLINE int els_json_can_skim(const elelem_fragment_parser *p)
{
    return ELS_IS_FAST && p->els_skipping && p->els_state <= ELS_JSON_COMMA;
}

ELS_NOINLINE elelem_status els_json_steps(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_status status;

    do {
        if (els_json_can_skim(p)) els_json_skim(p, in, out);
        status = els_json_step(p, in, out);
    } while (status == ELS_AGAIN);
    return status;
}

/* Ends the input, when all of it is read. */
ELS_PRIVATE elelem_status els_json_finished(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    int at_root = p->els_path.count + p->els_skip_depth == 0;

    if (p->els_state == ELS_JSON_TRAIL || (p->els_state == ELS_JSON_VALUE && at_root && p->els_started)) {
        p->els_state = ELS_JSON_END;
        return ELELEM_END;
    }
    if (at_root && els_number_may_end(p->els_state)) return els_json_number_end(p, in, in->at, out);
    return els_json_fail(p, in, ELELEM_ERROR_TRUNCATED);
}

#endif
