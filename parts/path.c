#ifndef ELS_PATH_C
#define ELS_PATH_C
#include "path.h"
#include "base.c"

/* >> path */

elelem_segment elelem_segment_of_key(elelem_str key)
{
    elelem_segment segment = ELELEM_INIT;

    segment.key = els_str(key.data ? key.data : "", key.data ? key.size : 0);
    return segment;
}

elelem_segment elelem_segment_of_index(uint32_t index)
{
    elelem_segment segment = ELELEM_INIT;

    segment.index = index;
    return segment;
}

/* Patterns.

   pattern = [ first *( "." member / element ) ]      first = member / element
   member  = "*" / 1*plain / quoted                   element = "[" ( "*" / digits / quoted ) "]"

   A quoted key is always in brackets. */

ELS_PRIVATE int els_is_plain_key(unsigned char byte)
{
    switch (byte) {
    case '.':
    case '[':
    case ']':
    case '*':
    case '"':
    case '\\': return 0;
    default: return byte > 0x20;
    }
}

ELS_PRIVATE elelem_status els_pattern_index(els_cursor *in, elelem_pattern_node *node)
{
    uint32_t index = 0;
    const unsigned char *start = in->at;

    for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
        uint32_t digit = (uint32_t)(*in->at - '0');
        if (index > UINT32_MAX / 10 || (index == UINT32_MAX / 10 && digit > UINT32_MAX % 10)) return ELELEM_ERROR_PATTERN;
        index = index * 10 + digit;
    }
    if (in->at == start) return ELELEM_ERROR_PATTERN;
    node->kind = ELELEM_PATTERN_INDEX;
    node->size = index;
    return ELELEM_OK;
}

/* Sets the key of a node. ERROR_PATTERN if its size does not fit; no parser has such keys. */
ELS_PRIVATE elelem_status els_pattern_set_key(elelem_pattern_node *node, const unsigned char *start,
                                              const unsigned char *end)
{
    uint64_t size = (uint64_t)(end - start);

    node->key = (const char *)start;
    node->size = (uint32_t)size;
    /* Not reached: the pattern has 4 GiB */
    return size > UINT32_MAX ? ELELEM_ERROR_PATTERN : ELELEM_OK;
}

ELS_PRIVATE elelem_status els_pattern_quoted(els_cursor *in, elelem_pattern_node *node)
{
    const unsigned char *start = ++in->at;

    node->kind = ELELEM_PATTERN_KEY;
    while (in->at < in->end && *in->at != '"') {
        if (*in->at == '\\') {
            node->kind = ELELEM_PATTERN_QUOTED_KEY;
            in->at++;
            if (in->at == in->end || (*in->at != '"' && *in->at != '\\')) return ELELEM_ERROR_PATTERN;
        }
        in->at++;
    }
    if (in->at == in->end) return ELELEM_ERROR_PATTERN;
    in->at++;
    return els_pattern_set_key(node, start, in->at - 1);
}

ELS_PRIVATE elelem_status els_pattern_brackets(els_cursor *in, elelem_pattern_node *node)
{
    elelem_status status = ELELEM_OK;

    in->at++;
    if (in->at < in->end && *in->at == '*') {
        node->kind = ELELEM_PATTERN_ANY_INDEX;
        in->at++;
    } else if (in->at < in->end && *in->at == '"') {
        status = els_pattern_quoted(in, node);
    } else {
        status = els_pattern_index(in, node);
    }
    if (status != ELELEM_OK) return status;
    if (in->at == in->end || *in->at != ']') return ELELEM_ERROR_PATTERN;
    in->at++;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_pattern_member(els_cursor *in, elelem_pattern_node *node)
{
    const unsigned char *start = in->at;

    if (in->at < in->end && *in->at == '*') {
        node->kind = ELELEM_PATTERN_ANY_KEY;
        in->at++;
        return ELELEM_OK;
    }
    while (in->at < in->end && els_is_plain_key(*in->at))
        in->at++;
    if (in->at == start) return ELELEM_ERROR_PATTERN;
    node->kind = ELELEM_PATTERN_KEY;
    return els_pattern_set_key(node, start, in->at);
}

/* Reads the next step of a pattern that begins at `start`; END if there is none. */
ELS_PRIVATE elelem_status els_pattern_step(els_cursor *in, const unsigned char *start, elelem_pattern_node *node)
{
    memset(node, 0, sizeof *node);
    if (in->at == in->end) return ELELEM_END;
    if (*in->at == '[') return els_pattern_brackets(in, node);
    if (in->at != start) {
        if (*in->at != '.') return ELELEM_ERROR_PATTERN;
        in->at++;
    }
    return els_pattern_member(in, node);
}

/* Nonzero if the key is that of a node in which quotes and backslashes have a backslash before them. */
ELS_PRIVATE int els_quoted_key_is(const elelem_pattern_node *node, elelem_str key)
{
    size_t i, read = 0;

    for (i = 0; i < node->size; i++) {
        if (node->key[i] == '\\') i++;
        if (read == key.size || node->key[i] != key.data[read]) return 0;
        read++;
    }
    return read == key.size;
}

ELS_INLINE uint64_t els_word_of(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

ELS_INLINE uint32_t els_half_word_of(const char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/* Nonzero if the bytes are the same, which are some. Loads that overlap take a third of the instructions of a call of memcmp. */
ELS_INLINE int els_same_key(const char *a, const char *b, size_t size)
{
#ifdef ELELEM_NO_FAST
    return memcmp(a, b, size) == 0;
#else
    size_t i;

    if (size >= 8) {
        for (i = 0; i + 8 < size; i += 8)
            if (els_word_of(a + i) != els_word_of(b + i)) return 0;
        return els_word_of(a + size - 8) == els_word_of(b + size - 8);
    }
    if (size >= 4) return els_half_word_of(a) == els_half_word_of(b) && els_half_word_of(a + size - 4) == els_half_word_of(b + size - 4);
    for (i = 0; i < size; i++)
        if (a[i] != b[i]) return 0;
    return 1;
#endif
}

/* Nonzero if the key is that of the node. Most keys differ in size or in their first byte. */
ELS_INLINE int els_is_key(const elelem_pattern_node *node, elelem_str key)
{
    if (key.size != node->size) return 0;
    return key.size == 0 || (key.data[0] == node->key[0] && els_same_key(key.data, node->key, key.size));
}

ELS_INLINE int els_node_matches(const elelem_pattern_node *node, const elelem_segment *segment)
{
    int is_member = segment->key.data != NULL;

    switch (node->kind) {
    case ELELEM_PATTERN_KEY: return is_member && els_is_key(node, segment->key);
    case ELELEM_PATTERN_QUOTED_KEY: return is_member && els_quoted_key_is(node, segment->key);
    case ELELEM_PATTERN_ANY_KEY: return is_member;
    case ELELEM_PATTERN_INDEX: return !is_member && segment->index == node->size;
    default: return !is_member;
    }
}

int elelem_path_is(const elelem_path *path, const char *pattern)
{
    els_cursor in = els_cursor_of(pattern, elelem_str_of(pattern).size);
    const unsigned char *start = in.at;
    elelem_pattern_node node;
    size_t i;

    for (i = 0; i < path->count; i++) {
        if (els_pattern_step(&in, start, &node) != ELELEM_OK) return 0;
        if (!els_node_matches(&node, &path->segments[i])) return 0;
    }
    return els_pattern_step(&in, start, &node) == ELELEM_END;
}

ELS_PRIVATE int els_same_node(const elelem_pattern_node *a, const elelem_pattern_node *b)
{
    return a->parent == b->parent && a->kind == b->kind && a->size == b->size &&
           (!a->key || memcmp(a->key, b->key, a->size) == 0);
}

/* Returns the node that is equal to `wanted`, and adds it if there is none; `capacity` if it does not fit. */
ELS_PRIVATE size_t els_pattern_place(elelem_pattern_node *nodes, size_t *count, size_t capacity,
                                     const elelem_pattern_node *wanted)
{
    size_t i;

    for (i = 1; i < *count; i++)
        if (els_same_node(&nodes[i], wanted)) return i;
    if (*count >= capacity) return capacity;
    nodes[*count] = *wanted;
    return (*count)++;
}

/* Adds one pattern to the tree; `*which` is the node that it ends at. */
ELS_PRIVATE elelem_status els_pattern_add(elelem_pattern_node *nodes, size_t *count, size_t capacity, els_cursor *in,
                                          uint16_t *which)
{
    const unsigned char *start = in->at;
    elelem_pattern_node node;
    elelem_status status;
    size_t at = 0;

    while ((status = els_pattern_step(in, start, &node)) == ELELEM_OK) {
        node.parent = (uint16_t)at;
        at = els_pattern_place(nodes, count, capacity, &node);
        if (at == capacity) return ELELEM_ERROR_COUNT;
    }
    if (status != ELELEM_END) return status;
    nodes[at].wanted = 1;
    *which = (uint16_t)at;
    return ELELEM_OK;
}

/* The order of the nodes of a table. */
typedef enum els_patterns_order {
    ELS_PATTERNS_UNORDERED,
    ELS_PATTERNS_GROUPED,  /* the nodes with the same parent are adjacent */
    ELS_PATTERNS_DISTINCT  /* and of them only the first that matches a value counts, or no two match the same */
} els_patterns_order;

/* Only up to this number of nodes is their order found out. */
#define ELS_ORDERED_MAX 256

/* Nonzero if for every parent its nodes are adjacent. */
ELS_PRIVATE int els_patterns_are_grouped(const elelem_pattern_node *nodes, size_t count)
{
    size_t i, before;

    for (i = 2; i < count; i++) {
        if (nodes[i].parent == nodes[i - 1].parent) continue;
        for (before = 1; before + 1 < i; before++)
            if (nodes[before].parent == nodes[i].parent) return 0;
    }
    return 1;
}

/* Nonzero if of grouped nodes those with the same parent are different plain keys, or there is one. */
ELS_PRIVATE int els_patterns_are_distinct(const elelem_pattern_node *nodes, size_t count)
{
    size_t i, before;

    for (i = 2; i < count; i++)
        for (before = i; before-- > 1 && nodes[before].parent == nodes[i].parent;)
            if (nodes[i].kind != ELELEM_PATTERN_KEY || nodes[before].kind != ELELEM_PATTERN_KEY ||
                els_same_node(&nodes[before], &nodes[i]))
                return 0;
    return 1;
}

ELS_PRIVATE uint8_t els_patterns_order_of(const elelem_pattern_node *nodes, size_t count)
{
    if (count > ELS_ORDERED_MAX || !els_patterns_are_grouped(nodes, count)) return ELS_PATTERNS_UNORDERED;
    return els_patterns_are_distinct(nodes, count) ? ELS_PATTERNS_DISTINCT : ELS_PATTERNS_GROUPED;
}

/* The nodes of patterns that match nothing, if there is no room for any. */
static const elelem_pattern_node els_no_nodes[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING) };

elelem_status elelem_patterns_compile(elelem_patterns *patterns, elelem_pattern_node *nodes, size_t capacity,
                                      const char *const *texts, size_t count, uint16_t *which, elelem_error *error)
{
    elelem_status status = ELELEM_OK;
    size_t i, used = 1;
    uint16_t node = 0;

    if (capacity > ELELEM_NO_PATTERN) capacity = ELELEM_NO_PATTERN;
    if (!nodes) capacity = 0;
    patterns->nodes = nodes ? nodes : els_no_nodes;
    patterns->count = 0;
    patterns->els_order = ELS_PATTERNS_UNORDERED;
    patterns->els_root = 0;
    patterns->els_dropped = 0;
    patterns->els_index = NULL;
    patterns->els_elements = NULL;
    if (error) *error = els_error(ELELEM_OK, 0);
    if (capacity == 0) {
        if (error) *error = els_error(ELELEM_ERROR_COUNT, 0);
        return ELELEM_ERROR_COUNT;
    }
    memset(&nodes[0], 0, sizeof nodes[0]);
    for (i = 0; i < count && status == ELELEM_OK; i++) {
        els_cursor in = els_cursor_of(texts[i], elelem_str_of(texts[i]).size);
        const unsigned char *start = in.at;
        status = els_pattern_add(nodes, &used, capacity, &in, &node);
        if (which && status == ELELEM_OK) which[i] = node;
        if (status != ELELEM_OK && error) *error = els_error(status, (uint64_t)(in.at - start));
    }
    if (status != ELELEM_OK) return status;
    patterns->count = used;
    patterns->els_order = els_patterns_order_of(nodes, used);
    return ELELEM_OK;
}

/* The index. A row has a place by its parent and key; those of any key and of any element have one as if it were empty. Rows
   with one place are at the next ones that are free. A lookup takes some 30 instructions, a search 4 for each row. */

ELS_INLINE unsigned els_index_place(unsigned parent, const char *key, size_t size)
{
    unsigned hash = parent * 59u + (unsigned)size * 29u;

    if (size == 0) return hash;
    return hash + (unsigned char)key[0] * 3u + (unsigned char)key[size - 1] * 7u + (unsigned char)key[size / 2] * 5u;
}

/* Returns the first of the rows before `count` with this parent, kind and key; 0 if there is none. */
ELS_INLINE size_t els_index_row(const els_path_index *index, size_t count, uint16_t parent, unsigned kind, elelem_str key)
{
    unsigned place = els_index_place(parent, key.data, key.size);
    size_t row;

    for (; (row = index->rows[place & 255]) > 0; place++) {
        const elelem_pattern_node *node = &index->nodes[row];
        if (node->parent == parent && node->kind == kind && row < count && (kind != ELELEM_PATTERN_KEY || els_is_key(node, key)))
            return row;
    }
    return 0;
}

/* Returns the row that a value with this key matches, or an element if the key is null; 0 if there is none. */
ELS_INLINE size_t els_index_find(const els_path_index *index, size_t count, uint16_t parent, elelem_str key)
{
    size_t row = key.data ? els_index_row(index, count, parent, ELELEM_PATTERN_KEY, key) : 0;

    if (row > 0) return row;
    return els_index_row(index, count, parent, key.data ? ELELEM_PATTERN_ANY_KEY : ELELEM_PATTERN_ANY_INDEX, els_str(NULL, 0));
}

/* Nonzero if a key counts before it is any key. */
ELS_PRIVATE int els_index_is_in_order(const elelem_pattern_node *nodes, size_t count, size_t i)
{
    return i + 1 == count || nodes[i].kind != ELELEM_PATTERN_ANY_KEY || nodes[i + 1].parent != nodes[i].parent;
}

/* Makes the index of a table in which rows with one parent are adjacent. It is not usable for tables with other kinds of rows,
   nor if a row for any key is not the last one. */
ELS_PRIVATE void els_index_make(els_path_index *index, const elelem_pattern_node *nodes, size_t count)
{
    size_t i;

    memset(index, 0, sizeof *index);
    index->nodes = nodes;
    index->count = count;
    if (count > sizeof index->rows / 2) return;
    for (i = 1; i < count; i++) {
        const elelem_pattern_node *node = &nodes[i];
        unsigned place = els_index_place(node->parent, node->key, node->kind == ELELEM_PATTERN_KEY ? node->size : 0);
        if (node->kind == ELELEM_PATTERN_QUOTED_KEY || node->kind == ELELEM_PATTERN_INDEX) return;
        if (!els_index_is_in_order(nodes, count, i)) return;
        while (index->rows[place & 255] > 0)
            place++;
        index->rows[place & 255] = (uint8_t)i;
    }
    index->is_usable = 1;
}

/* Nonzero if a value that the node matches is delivered. */
ELS_INLINE int els_node_is_wanted(const elelem_pattern_node *node)
{
    return node->wanted == ELELEM_WANT_WHOLE || node->wanted == ELELEM_WANT_SOME;
}

/* Nonzero if the first `count` segments of the path are the steps to this node, and none of these is skipped. */
ELS_PRIVATE int els_node_names(const elelem_patterns *patterns, size_t node, const elelem_path *path, size_t count)
{
    while (node != 0 && count > 0) {
        const elelem_pattern_node *step = &patterns->nodes[node];
        if (step->wanted == ELELEM_WANT_SKIP || !els_node_matches(step, &path->segments[count - 1])) return 0;
        node = step->parent;
        count--;
    }
    return node == 0 && count == 0 && patterns->nodes[0].wanted != ELELEM_WANT_SKIP;
}

ELS_PRIVATE size_t els_node_depth(const elelem_patterns *patterns, size_t node)
{
    size_t depth = 0;

    for (; node != 0; node = patterns->nodes[node].parent)
        depth++;
    return depth;
}

uint16_t elelem_patterns_find(const elelem_patterns *patterns, const elelem_path *path)
{
    size_t i, best = ELELEM_NO_PATTERN, best_depth = path->count + 1;

    for (i = 0; i < patterns->count; i++) {
        size_t depth;
        if (!els_node_is_wanted(&patterns->nodes[i])) continue;
        depth = els_node_depth(patterns, i);
        if (depth >= best_depth || !els_node_names(patterns, i, path, depth)) continue;
        best = i;
        best_depth = depth;
    }
    return (uint16_t)best;
}

#endif
