#ifndef ELS_VALUE_C
#define ELS_VALUE_C
#include "value.h"
#include "base.c"
#include "text.c"
#include "number.c"
#include "fragment.c"

/* >> value */

/* A tree is one block: nodes, each followed by its key, and texts, in the order in which they
   came. Nodes refer to each other by their offset, because the block moves. The offset 0 means no
   node, so that the root is not at the start. */

typedef elelem_fragment_aggregator els_tree;

typedef struct els_children {
    uint32_t first;
    uint32_t last;
    uint32_t opened; /* of the children that may be open, the one that began last */
} els_children;

typedef struct els_text {
    uint32_t start;
    uint32_t size;
    uint32_t room; /* bytes reserved for it */
} els_text;

typedef struct els_value_node {
    uint32_t parent;
    uint32_t next;   /* the sibling that began after it */
    uint32_t opened; /* of the siblings that may be open, the one that began before it */
    uint32_t name;   /* bytes of its key; of an element its index */
    union {
        els_children children; /* ARRAY, OBJECT */
        els_text text;         /* the others */
    } in;
    uint16_t pattern;
    uint8_t type;  /* an elelem_type */
    uint8_t flags; /* an elelem_value_state, and the flags below */
} els_value_node;

#define ELS_VALUE_STATE 0x07
#define ELS_VALUE_ELEMENT 0x08 /* has an index, not a key */
#define ELS_VALUE_BEGUN 0x10   /* its BEGIN was seen */
#define ELS_VALUE_MIXED 0x20   /* the indices of its elements are not in rising order */
#define ELS_VALUE_BROKEN 0x40  /* something in it was cut off */

#define ELS_VALUE_ALIGN 4u
#define ELS_VALUE_ROOT ELS_VALUE_ALIGN

/* How many open children are searched for the one that a fragment continues. */
#define ELS_VALUE_SEARCH 32

ELS_INLINE els_value_node *els_tree_node(const els_tree *tree, uint32_t at)
{
    return (els_value_node *)(void *)(tree->els_memory.data + at);
}

ELS_INLINE elelem_value_state els_tree_state(const els_value_node *node)
{
    return (elelem_value_state)(node->flags & ELS_VALUE_STATE);
}

ELS_INLINE int els_is_container(unsigned type)
{
    return type == ELELEM_TYPE_ARRAY || type == ELELEM_TYPE_OBJECT;
}

/* Returns the type of the container that has this segment. */
ELS_INLINE elelem_type els_segment_container(const elelem_segment *segment)
{
    return segment->key.data ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY;
}

ELS_INLINE elelem_str els_tree_key(const els_value_node *node)
{
    return els_str(node + 1, node->flags & ELS_VALUE_ELEMENT ? 0 : node->name);
}

ELS_INLINE int els_tree_is(const els_value_node *node, const elelem_segment *segment)
{
    if (node->flags & ELS_VALUE_ELEMENT) return !segment->key.data && node->name == segment->index;
    return segment->key.data && node->name == segment->key.size && memcmp(node + 1, segment->key.data, node->name) == 0;
}

/* Finding the node of a path. */

ELS_INLINE void els_tree_up(els_tree *tree)
{
    tree->els_current = els_tree_node(tree, tree->els_current)->parent;
    tree->els_depth--;
}

/* Returns the serial of the previous fragment if both came from the same parser, one directly after
   the other: segments that have not changed since need not be compared. Else 0. */
ELS_INLINE uint32_t els_tree_since(els_tree *tree, const elelem_path *path)
{
    int follows = path->els_serial - 1 == tree->els_serial && path == tree->els_path;
    uint32_t since = follows ? tree->els_serial : 0;

    tree->els_serial = path->els_serial;
    tree->els_path = path;
    return since;
}

/* Moves up from the current node to the deepest one that is on the path. Segments that have not changed since this fragment are
   not compared, see els_tree_since. */
ELS_INLINE void els_tree_climb(els_tree *tree, const elelem_path *path, uint32_t since)
{
    uint32_t at, depth;

    while (tree->els_depth > path->count)
        els_tree_up(tree);
    at = tree->els_current;
    for (depth = tree->els_depth; depth > 0; depth--) {
        const els_value_node *node = els_tree_node(tree, at);
        const elelem_segment *segment = &path->segments[depth - 1];
        if (since > 0 && segment->els_changed < since) return;
        at = node->parent;
        if (els_tree_is(node, segment)) continue;
        tree->els_current = at;
        tree->els_depth = depth - 1;
    }
}

/* Returns the open child of this segment, 0 if there is none. Removes children from the list that are
   no longer open. */
ELS_PRIVATE uint32_t els_tree_opened(els_tree *tree, els_value_node *node, const elelem_segment *segment)
{
    uint32_t *link = &node->in.children.opened;
    unsigned looked = 0;

    if (*link && !segment->key.data && !(node->flags & ELS_VALUE_MIXED) &&
        els_tree_node(tree, node->in.children.last)->name < segment->index)
        return 0;
    while (*link && looked < ELS_VALUE_SEARCH) {
        els_value_node *child = els_tree_node(tree, *link);
        if (els_tree_state(child) != ELELEM_VALUE_OPEN) {
            *link = child->opened;
            continue;
        }
        if (els_tree_is(child, segment)) return *link;
        link = &child->opened;
        looked++;
    }
    return 0;
}

/* Makes the deepest open node on the path the current one. */
ELS_PRIVATE void els_tree_find(els_tree *tree, const elelem_path *path)
{
    uint32_t since = els_tree_since(tree, path);

    if (!tree->els_current) return;
    els_tree_climb(tree, path, since);
    while (tree->els_depth < path->count) {
        const elelem_segment *segment = &path->segments[tree->els_depth];
        els_value_node *node = els_tree_node(tree, tree->els_current);
        uint32_t child;
        if (node->type != els_segment_container(segment)) return;
        child = els_tree_opened(tree, node, segment);
        if (!child) return;
        tree->els_current = child;
        tree->els_depth++;
    }
}

/* Whether a fragment is valid, and fits what is there. */

ELS_PRIVATE int els_fragment_is_valid(const elelem_fragment *fragment)
{
    if (!fragment->path || (fragment->path->count > 0 && !fragment->path->segments)) return 0;
    switch (fragment->kind) {
    case ELELEM_FRAGMENT_BEGIN: return els_is_container(fragment->type);
    case ELELEM_FRAGMENT_STRING: return 1;
    case ELELEM_FRAGMENT_SCALAR:
        return fragment->text.size > 0 && fragment->type >= ELELEM_TYPE_NULL && fragment->type <= ELELEM_TYPE_NUMBER;
    case ELELEM_FRAGMENT_DONE: return fragment->type >= ELELEM_TYPE_NULL && fragment->type <= ELELEM_TYPE_OBJECT;
    default: return 0;
    }
}

/* Nonzero if a fragment may begin a new value. The DONE of a number, bool or null may not: it has no text. */
ELS_INLINE int els_fragment_may_start(const elelem_fragment *fragment)
{
    return fragment->kind != ELELEM_FRAGMENT_DONE || fragment->type >= ELELEM_TYPE_STRING;
}

/* Nonzero if a BEGIN belongs to a container that was added for the path of something in it. */
ELS_INLINE int els_tree_awaits(const els_value_node *node, const elelem_fragment *fragment)
{
    return node->type == fragment->type && !(node->flags & ELS_VALUE_BEGUN);
}

/* Nonzero if the fragment is of this node, which is open, and not of another value under its key. */
ELS_INLINE int els_tree_continues(const els_value_node *node, const elelem_fragment *fragment)
{
    switch (fragment->kind) {
    case ELELEM_FRAGMENT_BEGIN: return els_tree_awaits(node, fragment);
    case ELELEM_FRAGMENT_STRING: return node->type == ELELEM_TYPE_STRING;
    case ELELEM_FRAGMENT_SCALAR: return 0;
    default: return node->type == fragment->type;
    }
}

ELS_PRIVATE int els_tree_fits(const els_tree *tree, const elelem_fragment *fragment)
{
    const els_value_node *node;

    if (!tree->els_current) return els_fragment_may_start(fragment);
    node = els_tree_node(tree, tree->els_current);
    if (tree->els_depth < fragment->path->count)
        return node->type == els_segment_container(&fragment->path->segments[tree->els_depth]) &&
               els_fragment_may_start(fragment);
    return (fragment->kind == ELELEM_FRAGMENT_BEGIN && tree->els_depth > 0) || els_tree_continues(node, fragment);
}

/* Growing. */

/* Makes room for `size` bytes after those in use. */
ELS_INLINE elelem_status els_tree_reserve(els_tree *tree, uint64_t size)
{
    if (size > tree->els_max_bytes - tree->els_used) return ELELEM_ERROR_VALUE_SIZE;
    return els_block_reserve(&tree->els_memory, els_sum(tree->els_used, (size_t)size), tree->els_max_bytes,
                             ELELEM_ERROR_VALUE_SIZE);
}

/* Makes the new node `at` the last child of the current one. */
ELS_INLINE void els_tree_link(els_tree *tree, uint32_t at)
{
    els_value_node *node = els_tree_node(tree, at);
    els_value_node *parent = els_tree_node(tree, tree->els_current);
    els_children *children = &parent->in.children;

    node->parent = tree->els_current;
    node->opened = children->opened;
    if (children->last) {
        els_value_node *last = els_tree_node(tree, children->last);
        last->next = at;
        if (node->flags & ELS_VALUE_ELEMENT && node->name <= last->name) parent->flags |= ELS_VALUE_MIXED;
    } else {
        children->first = at;
    }
    children->last = at;
    children->opened = at;
    tree->els_depth++;
}

/* Adds a child of the current node, or the root, and makes it the current one. If it is a text, `size`
   bytes are reserved after it. */
ELS_PRIVATE elelem_status els_tree_add(els_tree *tree, const elelem_segment *segment, elelem_type type, size_t size)
{
    size_t key = segment && segment->key.data ? segment->key.size : 0;
    uint32_t at = tree->els_used ? (tree->els_used + (ELS_VALUE_ALIGN - 1)) & ~(ELS_VALUE_ALIGN - 1) : ELS_VALUE_ROOT;
    els_value_node *node;
    elelem_status status;

    if (key > tree->els_max_bytes || size > tree->els_max_bytes) return ELELEM_ERROR_VALUE_SIZE;
    if (at < tree->els_used) return ELELEM_ERROR_VALUE_SIZE; /* Not reached: the block has 4 GiB */
    status = els_tree_reserve(tree, (uint64_t)(at - tree->els_used) + sizeof *node + key + size);
    if (status != ELELEM_OK) return status;
    node = els_tree_node(tree, at);
    memset(node, 0, sizeof *node);
    node->pattern = ELELEM_NO_PATTERN;
    node->type = (uint8_t)type;
    node->name = segment && !segment->key.data ? segment->index : (uint32_t)key;
    if (segment && !segment->key.data) node->flags = ELS_VALUE_ELEMENT;
    if (key > 0) memcpy(node + 1, segment->key.data, key);
    tree->els_used = (uint32_t)(at + sizeof *node + key);
    if (!els_is_container(type)) {
        node->in.text.start = tree->els_used;
        node->in.text.room = (uint32_t)size;
        tree->els_used += (uint32_t)size;
    }
    if (segment) els_tree_link(tree, at);
    tree->els_current = at;
    return ELELEM_OK;
}

/* Makes room for `size` bytes in all in the text of the current node. If it is not the last one in
   the block, it moves to the end and gets twice that, or if there is less, that. */
ELS_PRIVATE elelem_status els_tree_widen(els_tree *tree, uint64_t size)
{
    els_text *text = &els_tree_node(tree, tree->els_current)->in.text;
    int is_last = text->start + text->room == tree->els_used;
    uint64_t more = is_last ? size - text->room : size * 2;
    elelem_status status = els_tree_reserve(tree, more);

    if (status != ELELEM_OK && !is_last) {
        more = size;
        status = els_tree_reserve(tree, more);
    }
    if (status != ELELEM_OK) return status;
    text = &els_tree_node(tree, tree->els_current)->in.text;
    if (!is_last) {
        memcpy(tree->els_memory.data + tree->els_used, tree->els_memory.data + text->start, text->size);
        text->start = tree->els_used;
        text->room = 0;
    }
    text->room += (uint32_t)more;
    tree->els_used += (uint32_t)more;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_tree_append(els_tree *tree, const char *bytes, size_t size)
{
    els_text *text = &els_tree_node(tree, tree->els_current)->in.text;

    if (size == 0) return ELELEM_OK;
    if (size > text->room - text->size) {
        elelem_status status = els_tree_widen(tree, (uint64_t)text->size + size);
        if (status != ELELEM_OK) return status;
        text = &els_tree_node(tree, tree->els_current)->in.text;
    }
    memcpy(tree->els_memory.data + text->start + text->size, bytes, size);
    text->size += (uint32_t)size;
    return ELELEM_OK;
}

/* Returns `size`, or if that is more than `left`, what fits in whole characters. */
ELS_INLINE size_t els_tree_fitting(elelem_str bytes, size_t size, size_t left)
{
    return size <= left ? size : els_whole_characters((const unsigned char *)bytes.data, left);
}

/* Appends to a string what the limits allow, so that the result does not depend on how the input was cut. */
ELS_PRIVATE elelem_status els_tree_append_string(els_tree *tree, elelem_str bytes)
{
    const els_text *text = &els_tree_node(tree, tree->els_current)->in.text;
    size_t left = tree->els_max_string - text->size;
    size_t fitting = els_tree_fitting(bytes, bytes.size, left);
    elelem_status over = fitting < bytes.size ? ELELEM_ERROR_STRING_SIZE : ELELEM_OK;
    elelem_status status;

    left = (size_t)(text->room - text->size) + (tree->els_max_bytes - tree->els_used);
    if (fitting > left) {
        fitting = els_tree_fitting(bytes, fitting, left);
        over = ELELEM_ERROR_VALUE_SIZE;
    }
    status = els_tree_append(tree, bytes.data, fitting);
    return status != ELELEM_OK ? status : over;
}

/* Ending. */

/* Removes the first child from the list of those that may be open, and returns it; 0 if there is none. */
ELS_INLINE uint32_t els_tree_take_opened(els_tree *tree, els_value_node *node)
{
    uint32_t child;

    if (!els_is_container(node->type)) return 0;
    child = node->in.children.opened;
    if (child) node->in.children.opened = els_tree_node(tree, child)->opened;
    return child;
}

ELS_INLINE void els_tree_set_state(els_value_node *node, elelem_value_state state)
{
    node->flags = (uint8_t)((node->flags & (0xff ^ ELS_VALUE_STATE)) | (unsigned)state);
}

/* Cuts off all that is open inside a node. Nonzero if there was something. */
ELS_PRIVATE int els_tree_cut_below(els_tree *tree, uint32_t top, elelem_value_state reason)
{
    uint32_t at = top;
    int found = 0;

    for (;;) {
        els_value_node *node = els_tree_node(tree, at);
        uint32_t child = els_tree_take_opened(tree, node);
        if (child) {
            if (els_tree_state(els_tree_node(tree, child)) == ELELEM_VALUE_OPEN) at = child;
            continue;
        }
        if (at == top) return found;
        els_tree_set_state(node, reason);
        found = 1;
        at = node->parent;
    }
}

/* Ends the current node with a state; its parent becomes the current one. */
ELS_INLINE void els_tree_close(els_tree *tree, elelem_value_state state)
{
    els_value_node *node = els_tree_node(tree, tree->els_current);
    uint32_t at = tree->els_current;

    els_tree_set_state(node, state);
    if (!node->parent) {
        tree->els_over = 1;
        return;
    }
    els_tree_up(tree);
    node = els_tree_node(tree, tree->els_current);
    if (state != ELELEM_VALUE_COMPLETE) node->flags |= ELS_VALUE_BROKEN;
    if (node->in.children.opened == at) els_tree_take_opened(tree, node);
}

ELS_PRIVATE void els_tree_cut(els_tree *tree, elelem_value_state reason)
{
    if (!tree->els_over && tree->els_current) {
        els_tree_cut_below(tree, ELS_VALUE_ROOT, reason);
        els_tree_set_state(els_tree_node(tree, ELS_VALUE_ROOT), reason);
    }
    tree->els_over = 1;
}

/* Nonzero if a pattern that ends at the node wants a value of this type. */
ELS_INLINE int els_node_wants(const elelem_pattern_node *node, unsigned type)
{
    return node->wanted == ELELEM_WANT_WHOLE || (node->wanted == ELELEM_WANT_SOME && type != ELELEM_TYPE_NULL);
}

/* Returns the node that matches exactly this path and wants a value of this type; ELELEM_NO_PATTERN if there is none. */
ELS_PRIVATE uint16_t els_patterns_exact(const elelem_patterns *patterns, const elelem_path *path, unsigned type)
{
    size_t i;

    for (i = 0; i < patterns->count; i++)
        if (els_node_wants(&patterns->nodes[i], type) && els_node_names(patterns, i, path, path->count)) return (uint16_t)i;
    return ELELEM_NO_PATTERN;
}

/* The current node is complete: next returns it if a pattern matches it, or without patterns if it is the root. */
ELS_INLINE void els_tree_complete(els_tree *tree, const elelem_path *path)
{
    if (tree->els_patterns) {
        tree->els_pattern = els_patterns_exact(tree->els_patterns, path, els_tree_node(tree, tree->els_current)->type);
        if (tree->els_pattern != ELELEM_NO_PATTERN) tree->els_completed = tree->els_current;
    } else if (path->count == 0) {
        tree->els_pattern = ELELEM_NO_PATTERN;
        tree->els_completed = tree->els_current;
    }
}

ELS_PRIVATE void els_tree_done(els_tree *tree, const elelem_path *path)
{
    int is_cut = els_tree_cut_below(tree, tree->els_current, ELELEM_VALUE_CUT_END);

    if (els_tree_node(tree, tree->els_current)->flags & ELS_VALUE_BROKEN) is_cut = 1;
    if (!is_cut) els_tree_complete(tree, path);
    els_tree_close(tree, is_cut ? ELELEM_VALUE_CUT_END : ELELEM_VALUE_COMPLETE);
}

/* Adding. */

ELS_INLINE elelem_type els_fragment_type(const elelem_fragment *fragment)
{
    return fragment->kind == ELELEM_FRAGMENT_STRING ? ELELEM_TYPE_STRING : (elelem_type)fragment->type;
}

/* Ends the current node and what is open in it: they get no more. */
ELS_PRIVATE void els_tree_end_current(els_tree *tree)
{
    els_tree_cut_below(tree, tree->els_current, ELELEM_VALUE_CUT_END);
    els_tree_close(tree, ELELEM_VALUE_CUT_END);
}

/* Ends a value that is open and under whose key another one begins. */
ELS_INLINE void els_tree_begin_another(els_tree *tree, const elelem_fragment *fragment)
{
    if (!tree->els_current || tree->els_depth < fragment->path->count) return;
    if (!els_tree_continues(els_tree_node(tree, tree->els_current), fragment)) els_tree_end_current(tree);
}

/* Adds the nodes of the path that are not there. */
ELS_PRIVATE elelem_status els_tree_build(els_tree *tree, const elelem_fragment *fragment)
{
    const elelem_path *path = fragment->path;
    elelem_type target = els_fragment_type(fragment);
    elelem_status status = ELELEM_OK;

    if (path->count > tree->els_max_depth) return ELELEM_ERROR_DEPTH;
    if (path->count == tree->els_max_depth && els_is_container(target)) return ELELEM_ERROR_DEPTH;
    while (status == ELELEM_OK && (!tree->els_current || tree->els_depth < path->count)) {
        size_t depth = tree->els_current ? tree->els_depth + (size_t)1 : 0;
        elelem_type type = depth == path->count ? target : els_segment_container(&path->segments[depth]);
        size_t size = depth == path->count && fragment->kind == ELELEM_FRAGMENT_SCALAR ? fragment->text.size : 0;
        status = els_tree_add(tree, depth > 0 ? &path->segments[depth - 1] : NULL, type, size);
    }
    return status;
}

/* Applies a fragment to the current node, which is that of its path. */
ELS_PRIVATE elelem_status els_tree_apply(els_tree *tree, const elelem_fragment *fragment)
{
    els_value_node *node = els_tree_node(tree, tree->els_current);

    if (fragment->pattern != ELELEM_NO_PATTERN) node->pattern = fragment->pattern;
    switch (fragment->kind) {
    case ELELEM_FRAGMENT_BEGIN: node->flags |= ELS_VALUE_BEGUN; return ELELEM_OK;
    case ELELEM_FRAGMENT_STRING: return els_tree_append_string(tree, fragment->text);
    case ELELEM_FRAGMENT_SCALAR: return els_tree_append(tree, fragment->text.data, fragment->text.size);
    default: els_tree_done(tree, fragment->path); return ELELEM_OK;
    }
}

void elelem_fragment_aggregator_init(elelem_fragment_aggregator *aggregator,
                                     const elelem_fragment_aggregator_desc *desc)
{
    elelem_fragment_aggregator_desc defaults = ELELEM_INIT;
    const elelem_fragment_aggregator_desc *d = desc ? desc : &defaults;

    memset(aggregator, 0, sizeof *aggregator);
    aggregator->els_memory.allocator = d->allocator;
    aggregator->els_patterns = d->patterns && d->patterns->nodes ? d->patterns : NULL;
    aggregator->els_max_bytes = ELS_DEFAULT(d->max_bytes, (uint32_t)64 << 20);
    aggregator->els_max_string = ELS_DEFAULT(d->max_string_bytes, UINT32_MAX);
    aggregator->els_max_depth = ELS_DEFAULT(d->max_depth, 512u);
}

/* Cuts the tree off where something did not fit. */
ELS_PRIVATE elelem_status els_tree_fail(els_tree *tree, elelem_status status)
{
    els_tree_cut(tree, ELELEM_VALUE_CUT_LIMIT);
    tree->els_status = status;
    return status;
}

/* Adds a fragment that fits, and whose path was found. */
ELS_INLINE elelem_status els_tree_take(els_tree *tree, const elelem_fragment *fragment)
{
    elelem_status status = els_tree_build(tree, fragment);

    if (status == ELELEM_OK) status = els_tree_apply(tree, fragment);
    return ELS_LIKELY(status == ELELEM_OK) ? status : els_tree_fail(tree, status);
}

/* Ends values on the path that are not containers of the kind that it needs: their key came again, for another
   value. */
ELS_INLINE void els_tree_leave_others(els_tree *tree, const elelem_path *path)
{
    const els_value_node *node;

    while (tree->els_current && tree->els_depth < path->count) {
        node = els_tree_node(tree, tree->els_current);
        if (!node->parent || node->type == els_segment_container(&path->segments[tree->els_depth])) return;
        els_tree_end_current(tree);
    }
}

/* Ends the value at the path if it is open: it gets no more, and what comes next under its key is another. */
ELS_PRIVATE void els_tree_leave(els_tree *tree, const elelem_path *path)
{
    els_tree_find(tree, path);
    if (tree->els_current && tree->els_depth == path->count) els_tree_end_current(tree);
}

/* Adds a fragment of a parser if all its fragments before were added. It fits, except that containers that
   are not wanted whole have no DONE. */
ELS_INLINE elelem_status els_tree_follow(els_tree *tree, const elelem_fragment *fragment)
{
    if (tree->els_status) return (elelem_status)tree->els_status; /* Not reached: body reads no document on after an error */
    els_tree_find(tree, fragment->path);
    els_tree_leave_others(tree, fragment->path);
    els_tree_begin_another(tree, fragment);
    return els_tree_take(tree, fragment);
}

/* Ends the value of the last fragment if the parser skipped its rest: what comes next under its key is another one. */
ELS_INLINE void els_tree_leave_skipped(els_tree *tree, const elelem_path *path)
{
    if (ELS_LIKELY(path->els_skipped == 0) || path != tree->els_path || path->els_skipped != tree->els_serial) return;
    els_tree_end_current(tree);
}

/* Refuses a fragment. The current node is not its own. */
ELS_PRIVATE elelem_status els_tree_refuse(els_tree *tree)
{
    tree->els_path = NULL;
    return ELELEM_ERROR_MISUSE;
}

elelem_status elelem_fragment_aggregator_push(elelem_fragment_aggregator *aggregator, const elelem_fragment *fragment)
{
    elelem_status status = (elelem_status)aggregator->els_status;

    if (status != ELELEM_OK) return status;
    if (aggregator->els_max_depth == 0 || aggregator->els_over) return ELELEM_ERROR_MISUSE;
    if (!els_fragment_is_valid(fragment)) return ELELEM_ERROR_MISUSE;
    els_tree_leave_skipped(aggregator, fragment->path);
    els_tree_find(aggregator, fragment->path);
    if (!els_tree_fits(aggregator, fragment)) return els_tree_refuse(aggregator);
    aggregator->els_completed = 0;
    els_tree_begin_another(aggregator, fragment);
    status = els_tree_take(aggregator, fragment);
    if (status == ELELEM_OK && fragment->kind == ELELEM_FRAGMENT_DONE) aggregator->els_finished++;
    return status;
}

/* Lists whose elements are removed when they were worked off. */

/* The list that the value at the path is an element of, which becomes the current node; 0 if it is not there. */
ELS_PRIVATE uint32_t els_tree_list_of(els_tree *tree, elelem_path *path)
{
    path->count--;
    els_tree_find(tree, path);
    path->count++;
    if (!tree->els_current || tree->els_depth + (size_t)1 != path->count) return 0;
    return els_tree_node(tree, tree->els_current)->type == ELELEM_TYPE_ARRAY ? tree->els_current : 0;
}

/* Bytes from its first element on; 0 if it has none. */
ELS_PRIVATE uint32_t els_tree_list_size(const els_tree *tree, uint32_t list)
{
    uint32_t first = els_tree_node(tree, list)->in.children.first;

    return first ? tree->els_used - first : 0;
}

/* Nonzero if what came after the node is all inside it. */
ELS_PRIVATE int els_tree_is_newest(const els_tree *tree, uint32_t at)
{
    uint32_t parent = els_tree_node(tree, at)->parent;

    while (parent && els_tree_node(tree, parent)->in.children.last == at) {
        at = parent;
        parent = els_tree_node(tree, at)->parent;
    }
    return parent == 0;
}

/* Removes the elements of the list, which is the current node. Their memory is used again, unless something else came after them:
   a list whose key comes twice continues. */
ELS_PRIVATE void els_tree_empty_list(els_tree *tree, uint32_t list)
{
    els_value_node *node = els_tree_node(tree, list);

    if (els_tree_is_newest(tree, list)) tree->els_used = node->in.children.first;
    memset(&node->in.children, 0, sizeof node->in.children);
    node->flags &= (uint8_t)~ELS_VALUE_MIXED;
}

/* Removes the members that came before this one. */
ELS_PRIVATE void els_tree_drop_before(els_tree *tree, uint32_t member)
{
    els_value_node *node = els_tree_node(tree, member);

    els_tree_node(tree, node->parent)->in.children.first = member;
    node->opened = 0;
}

ELS_INLINE elelem_value els_value_of(const els_tree *tree, uint32_t at)
{
    elelem_value value;

    value.els_owner = at ? tree : NULL;
    value.els_node = at;
    return value;
}

elelem_status elelem_fragment_aggregator_next(elelem_fragment_aggregator *aggregator, elelem_completed_value *completed)
{
    if (aggregator->els_completed) {
        completed->value = els_value_of(aggregator, aggregator->els_completed);
        completed->pattern = aggregator->els_pattern;
        aggregator->els_completed = 0;
        return ELELEM_OK;
    }
    if (aggregator->els_status) return (elelem_status)aggregator->els_status;
    if (aggregator->els_max_depth == 0) return ELELEM_ERROR_MISUSE;
    return aggregator->els_over ? ELELEM_END : ELELEM_MORE;
}

void elelem_fragment_aggregator_finish(elelem_fragment_aggregator *aggregator)
{
    els_tree_cut(aggregator, ELELEM_VALUE_CUT_END);
}

void elelem_fragment_aggregator_cut(elelem_fragment_aggregator *aggregator, elelem_value_state reason)
{
    int is_reason = reason == ELELEM_VALUE_CUT_LIMIT || reason == ELELEM_VALUE_CUT_END;

    els_tree_cut(aggregator, is_reason ? reason : ELELEM_VALUE_CUT_ERROR);
}

elelem_error elelem_fragment_aggregator_error(const elelem_fragment_aggregator *aggregator)
{
    if (aggregator->els_max_depth == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    return els_error((elelem_status)aggregator->els_status, aggregator->els_status ? aggregator->els_finished : 0);
}

void elelem_fragment_aggregator_reset(elelem_fragment_aggregator *aggregator)
{
    aggregator->els_finished = 0;
    aggregator->els_used = 0;
    aggregator->els_current = 0;
    aggregator->els_depth = 0;
    aggregator->els_serial = 0;
    aggregator->els_path = NULL;
    aggregator->els_completed = 0;
    aggregator->els_status = ELELEM_OK;
    aggregator->els_over = 0;
}

void elelem_fragment_aggregator_free(elelem_fragment_aggregator *aggregator)
{
    els_block_free(&aggregator->els_memory);
    memset(aggregator, 0, sizeof *aggregator);
}

elelem_value elelem_fragment_aggregator_value(const elelem_fragment_aggregator *aggregator)
{
    return els_value_of(aggregator, aggregator->els_used ? ELS_VALUE_ROOT : 0);
}

/* Reading. The node of no value is an empty one. */

static const els_value_node els_no_value = { 0, 0, 0, 0, { { 0, 0, 0 } }, ELELEM_NO_PATTERN, ELELEM_TYPE_NONE, 0 };

ELS_INLINE const els_value_node *els_value_node_of(elelem_value value)
{
    return value.els_owner ? els_tree_node(value.els_owner, value.els_node) : &els_no_value;
}

elelem_type elelem_value_type(elelem_value value)
{
    return (elelem_type)els_value_node_of(value)->type;
}

elelem_value_state elelem_value_state_of(elelem_value value)
{
    return els_tree_state(els_value_node_of(value));
}

int elelem_value_is_complete(elelem_value value)
{
    return elelem_value_state_of(value) == ELELEM_VALUE_COMPLETE;
}

elelem_str elelem_value_text(elelem_value value)
{
    const els_value_node *node = els_value_node_of(value);

    if (node->type == ELELEM_TYPE_NONE || els_is_container(node->type)) return els_str("", 0);
    return els_str(value.els_owner->els_memory.data + node->in.text.start, node->in.text.size);
}

elelem_str elelem_value_key(elelem_value value)
{
    return els_tree_key(els_value_node_of(value));
}

size_t elelem_value_index(elelem_value value)
{
    const els_value_node *node = els_value_node_of(value);

    return node->flags & ELS_VALUE_ELEMENT ? node->name : 0;
}

elelem_value elelem_value_first(elelem_value value)
{
    const els_value_node *node = els_value_node_of(value);

    return els_value_of(value.els_owner, els_is_container(node->type) ? node->in.children.first : 0);
}

elelem_value elelem_value_next(elelem_value value)
{
    return els_value_of(value.els_owner, els_value_node_of(value)->next);
}

elelem_value elelem_value_parent(elelem_value value)
{
    return els_value_of(value.els_owner, els_value_node_of(value)->parent);
}

size_t elelem_value_count(elelem_value value)
{
    elelem_value child = elelem_value_first(value);
    size_t count = 0;

    for (; child.els_node; child = elelem_value_next(child))
        count++;
    return count;
}

/* Returns the member with this key that began last. */
ELS_NOINLINE elelem_value els_value_member(elelem_value value, const char *key, size_t size)
{
    const els_value_node *object = els_value_node_of(value);
    uint32_t at = object->type == ELELEM_TYPE_OBJECT ? object->in.children.first : 0;
    uint32_t found = 0;

    while (at) {
        const els_value_node *child = els_tree_node(value.els_owner, at);
        const char *name = (const char *)(child + 1);
        if (child->name == size && (size == 0 || (*name == *key && els_same_key(name, key, size)))) found = at;
        at = child->next;
    }
    return els_value_of(value.els_owner, found);
}

elelem_value elelem_value_member(elelem_value value, elelem_str key)
{
    return els_value_member(value, key.data, key.size);
}

elelem_value elelem_value_get(elelem_value value, const char *key)
{
    return els_value_member(value, key, key ? strlen(key) : 0);
}

elelem_value elelem_value_at(elelem_value value, size_t index)
{
    elelem_value found = ELELEM_INIT;
    elelem_value child;

    if (elelem_value_type(value) != ELELEM_TYPE_ARRAY) return found;
    for (child = elelem_value_first(value); child.els_node; child = elelem_value_next(child)) {
        if (elelem_value_index(child) == index) found = child;
        if (elelem_value_index(child) >= index && !(els_value_node_of(value)->flags & ELS_VALUE_MIXED)) break;
    }
    return found;
}

/* Returns the last child that matches a step of a pattern without wildcards. */
ELS_PRIVATE elelem_value els_value_step(elelem_value value, const elelem_pattern_node *step)
{
    elelem_value found = ELELEM_INIT;
    elelem_value child;

    switch (step->kind) {
    case ELELEM_PATTERN_KEY: return elelem_value_member(value, els_str(step->key, step->size));
    case ELELEM_PATTERN_INDEX: return elelem_value_at(value, step->size);
    case ELELEM_PATTERN_QUOTED_KEY: break;
    default: return found;
    }
    if (elelem_value_type(value) != ELELEM_TYPE_OBJECT) return found;
    for (child = elelem_value_first(value); child.els_node; child = elelem_value_next(child))
        if (els_quoted_key_is(step, elelem_value_key(child))) found = child;
    return found;
}

elelem_value elelem_value_find(elelem_value value, const char *path)
{
    els_cursor in = els_cursor_of(path, elelem_str_of(path).size);
    const unsigned char *start = in.at;
    elelem_pattern_node step;
    elelem_status status;

    while ((status = els_pattern_step(&in, start, &step)) == ELELEM_OK)
        value = els_value_step(value, &step);
    return status == ELELEM_END ? value : els_value_of(NULL, 0);
}

elelem_status elelem_value_to_bool(elelem_value value, int *boolean)
{
    if (elelem_value_type(value) != ELELEM_TYPE_BOOL) return ELELEM_ERROR_TYPE;
    *boolean = elelem_str_is(elelem_value_text(value), "true");
    return ELELEM_OK;
}

elelem_status elelem_value_to_int64(elelem_value value, int64_t *number)
{
    if (elelem_value_type(value) != ELELEM_TYPE_NUMBER) return ELELEM_ERROR_TYPE;
    return elelem_number_to_int64(elelem_value_text(value), number);
}

elelem_status elelem_value_to_uint64(elelem_value value, uint64_t *number)
{
    if (elelem_value_type(value) != ELELEM_TYPE_NUMBER) return ELELEM_ERROR_TYPE;
    return elelem_number_to_uint64(elelem_value_text(value), number);
}

elelem_status elelem_value_to_double(elelem_value value, double *number)
{
    if (elelem_value_type(value) != ELELEM_TYPE_NUMBER) return ELELEM_ERROR_TYPE;
    return elelem_number_to_double(elelem_value_text(value), number);
}

/* Helpers for rooms that read documents. */

/* Returns the text of a string; empty for anything else. */
ELS_PRIVATE elelem_str els_text_of(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_STRING ? elelem_value_text(value) : els_str(NULL, 0);
}

ELS_INLINE elelem_str els_member_text(elelem_value value, const char *key)
{
    return els_text_of(elelem_value_get(value, key));
}

/* Nonzero if there is a value, and it is not null. */
ELS_PRIVATE int els_is_value(elelem_value value)
{
    return elelem_value_type(value) != ELELEM_TYPE_NONE && elelem_value_type(value) != ELELEM_TYPE_NULL;
}

#endif
