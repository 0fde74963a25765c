#ifndef ELS_REPEAT_C
#define ELS_REPEAT_C
#include "repeat.h"
#include "base.c"
#include "path.c"
#include "token.c"
#include "fragment.c"
#include "value.c"

/* >> repeat */

/* How many bytes of a frame are kept at most, and how many are worth it: to take back what came of them costs as much as parsing
   some thirty. */
#define ELS_REPEAT_TEXT 192u
#define ELS_REPEAT_LEAST 32u

/* What is kept, at the end of the document's block: this, then the beginning of the tree, the segments and the byte stack of the
   parser after `mark` bytes of a frame, and then the text that frames are compared with. */
typedef struct els_repeat {
    const elelem_pattern_node *nodes; /* the patterns of the frame */
    size_t count;
    uint32_t dropped;
    uint32_t highest;     /* bytes of the block that a frame used since this is kept */
    uint32_t text;        /* the offset of the text */
    uint32_t size;        /* its bytes */
    uint32_t tried;       /* a mark was tried with a frame that had so many bytes in common */
    uint32_t mark;        /* after how many bytes of the frame the rest was kept; 0: nothing but the text is */
    uint32_t tree_used;
    uint32_t tree_current;
    uint32_t tree_depth;
    uint32_t tree_serial;
    uint32_t stack_start; /* and likewise of the parser */
    uint32_t stack_size;
    uint32_t path_count;
    uint32_t path_bytes;
    uint32_t path_serial;
    uint32_t inside;
    uint16_t pattern;
    uint8_t state;
    uint8_t in_object;
} els_repeat;

/* The place is a multiple of 8. A smaller number says that the document took it, and for how many frames nothing is kept. */
#define ELS_REPEAT_WAITS 7u

ELS_INLINE int els_repeat_is_kept(uint32_t at)
{
    return at > ELS_REPEAT_WAITS;
}

ELS_INLINE els_repeat *els_repeat_at(const els_tree *tree, uint32_t at)
{
    return (els_repeat *)(void *)(tree->els_memory.data + at);
}

/* Nonzero if what is kept is good for a frame that has so many bytes in common with it, for patterns that want the same, and for
   a block of the parser with the same parts. */
ELS_PRIVATE int els_repeat_fits(const els_repeat *kept, const elelem_fragment_parser *p, uint32_t common)
{
    const elelem_patterns *wanted = p->els_patterns;

    if (kept->mark == 0) return 1;
    return common >= kept->mark && kept->nodes == wanted->nodes && kept->count == wanted->count &&
           kept->dropped == wanted->els_dropped && kept->stack_start == p->els_stack_start;
}

/* How many bytes two texts have in common at their beginning. */
ELS_PRIVATE uint32_t els_repeat_common(const unsigned char *a, const unsigned char *b, size_t size)
{
    uint64_t x, y;
    size_t i = 0;

    for (; size - i >= 8; i += 8) {
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        if (x != y) break;
    }
    while (i < size && a[i] == b[i])
        i++;
    return (uint32_t)i;
}

/* The place of `size` bytes before `end`, after all that a document needs; 0 if there is none. */
ELS_PRIVATE uint32_t els_repeat_place(size_t end, size_t size, uint32_t needed)
{
    size_t at = size < end ? (end - size) / 8 * 8 : 0;

    return at > needed && at < UINT32_MAX ? (uint32_t)at : 0;
}

/* Keeps the beginning of a frame, to be compared with the next. Returns the place. */
ELS_PRIVATE uint32_t els_repeat_keep_text(els_tree *tree, elelem_str text)
{
    uint32_t size = text.size < ELS_REPEAT_TEXT ? (uint32_t)text.size : ELS_REPEAT_TEXT;
    uint32_t at = els_repeat_place(tree->els_memory.capacity, sizeof(els_repeat) + size, 0);
    els_repeat *kept;

    if (at == 0) return 0;
    kept = els_repeat_at(tree, at);
    memset(kept, 0, sizeof *kept);
    kept->text = at + (uint32_t)sizeof *kept;
    kept->size = size;
    memcpy(kept + 1, text.data, size);
    return at;
}

/* How many bytes the text begins with that are kept. */
ELS_PRIVATE uint32_t els_repeat_common_with(const els_tree *tree, uint32_t at, elelem_str text)
{
    const els_repeat *kept;

    if (!els_repeat_is_kept(at)) return 0;
    kept = els_repeat_at(tree, at);
    return els_repeat_common((const unsigned char *)text.data, tree->els_memory.data + kept->text,
                             kept->size < text.size ? kept->size : text.size);
}

/* When a frame is over, or a part of it is read: returns the place, or what is in place of it. */
ELS_INLINE uint32_t els_repeat_after(const els_tree *tree, uint32_t at)
{
    els_repeat *kept;

    if (!els_repeat_is_kept(at)) return at > 0 ? at - 1 : 0;
    if (tree->els_used > at) return ELS_REPEAT_WAITS;
    kept = els_repeat_at(tree, at);
    if (kept->highest < tree->els_used) kept->highest = tree->els_used;
    return at;
}

/* Nonzero if the parser is between two tokens of a container, and not in a value that is skipped. */
ELS_INLINE int els_repeat_may_mark(const elelem_fragment_parser *p)
{
    return p->els_path.count > 0 && p->els_state <= ELS_JSON_COMMA && p->els_state != ELS_JSON_COLON && !p->els_skipping;
}

ELS_INLINE size_t els_repeat_segments(uint32_t path_count)
{
    return path_count * sizeof(elelem_segment);
}

/* What is kept of the parser and the tree, but for their blocks. */
ELS_PRIVATE void els_repeat_note(els_repeat *kept, const elelem_fragment_parser *p, const els_tree *tree)
{
    kept->nodes = p->els_patterns->nodes;
    kept->count = p->els_patterns->count;
    kept->dropped = p->els_patterns->els_dropped;
    kept->tree_used = tree->els_used;
    kept->tree_current = tree->els_current;
    kept->tree_depth = tree->els_depth;
    kept->tree_serial = tree->els_serial;
    kept->stack_start = p->els_stack_start;
    kept->stack_size = p->els_stack_size;
    kept->path_count = (uint32_t)p->els_path.count;
    kept->path_bytes = p->els_path_bytes;
    kept->path_serial = p->els_path.els_serial;
    kept->inside = p->els_inside;
    kept->pattern = p->els_pattern;
    kept->state = p->els_state;
    kept->in_object = p->els_in_object;
}

/* The place for a mark of that size, before the text. If there is none, the text is cut to the mark. */
ELS_PRIVATE uint32_t els_repeat_mark_place(els_tree *tree, els_repeat *head, size_t size)
{
    uint32_t needed = head->highest > tree->els_used ? head->highest : tree->els_used;
    uint32_t at = els_repeat_place(head->text, size, needed);
    uint32_t cut = head->size - head->mark;

    if (at) return at;
    at = els_repeat_place(head->text + cut, size, needed);
    if (!at) return 0;
    memmove(tree->els_memory.data + head->text + cut, tree->els_memory.data + head->text, head->mark);
    head->text += cut;
    head->size = head->mark;
    return at;
}

/* Keeps what came of the first `mark` bytes of the frame. Returns the place. */
ELS_PRIVATE uint32_t els_repeat_mark(const elelem_fragment_parser *p, els_tree *tree, uint32_t at, uint32_t mark)
{
    els_repeat head = *els_repeat_at(tree, at);
    size_t segments = els_repeat_segments((uint32_t)p->els_path.count);
    unsigned char *to;

    head.mark = mark;
    els_repeat_note(&head, p, tree);
    at = els_repeat_mark_place(tree, &head, sizeof head + tree->els_used + segments + p->els_stack_size);
    if (at == 0) return ELS_REPEAT_WAITS;
    *els_repeat_at(tree, at) = head;
    to = (unsigned char *)(els_repeat_at(tree, at) + 1);
    memcpy(to, tree->els_memory.data, tree->els_used);
    memcpy(to + tree->els_used, p->els_memory.data, segments);
    memcpy(to + tree->els_used + segments, els_json_stack(p), p->els_stack_size);
    return at;
}

/* Makes the parser and the document what they were at the mark. */
ELS_PRIVATE void els_repeat_take_back(elelem_fragment_parser *p, els_tree *tree, const els_repeat *kept)
{
    const unsigned char *from = (const unsigned char *)(kept + 1);
    size_t segments = els_repeat_segments(kept->path_count);

    memcpy(tree->els_memory.data, from, kept->tree_used);
    memcpy(p->els_memory.data, from + kept->tree_used, segments);
    memcpy(els_json_stack(p), from + kept->tree_used + segments, kept->stack_size);
    tree->els_used = kept->tree_used;
    tree->els_current = kept->tree_current;
    tree->els_depth = kept->tree_depth;
    tree->els_serial = kept->tree_serial;
    tree->els_path = &p->els_path;
    p->els_stack_size = kept->stack_size;
    p->els_path.count = kept->path_count;
    p->els_path_bytes = kept->path_bytes;
    p->els_path.els_serial = kept->path_serial;
    p->els_inside = kept->inside;
    p->els_pattern = kept->pattern;
    p->els_state = kept->state;
    p->els_in_object = kept->in_object;
    els_json_rebase(p);
}

#endif
