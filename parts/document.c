#ifndef ELS_DOCUMENT_C
#define ELS_DOCUMENT_C
#include "document.h"
#include "base.c"
#include "text.c"
#include "path.c"
#include "token.c"
#include "fragment.c"
#include "parser.c"
#include "value.c"

/* >> document */

/* A value that is whole in the bytes: a string without \u escapes, a number or a literal. */
typedef struct els_whole {
    elelem_str text;          /* without quotes */
    const unsigned char *at;  /* its first byte */
    const unsigned char *end; /* what follows it; null: it is none */
    elelem_type type;
    uint8_t has_escapes;
} els_whole;

ELS_INLINE elelem_type els_whole_type(unsigned char byte)
{
    return byte == '"' ? ELELEM_TYPE_STRING : byte == 'n' ? ELELEM_TYPE_NULL : byte == 't' || byte == 'f' ? ELELEM_TYPE_BOOL : ELELEM_TYPE_NUMBER;
}

/* Reads the text between two quotes, from after the first one. */
ELS_INLINE elelem_str els_whole_text(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *stop = els_text_plain(at, end);

    if (stop == end || *stop != '"') return els_str(NULL, 0);
    return els_str(at, (size_t)(stop - at));
}

/* Returns the byte that the escape means whose backslash is here; 0 if it is one by number, none, or not whole in the bytes. */
ELS_INLINE unsigned char els_whole_escape(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *control;

    if (end - at < 2) return 0;
    if (at[1] == '"' || at[1] == '\\' || at[1] == '/') return at[1];
    control = els_escaped(at[1]);
    return control ? *control : 0;
}

/* Returns the quote that ends the string, from its first escape on; the end of the bytes if they end before it; null if it
   cannot be read here. */
ELS_NOINLINE const unsigned char *els_whole_after_escapes(const unsigned char *at, const unsigned char *end)
{
    while (at < end && *at != '"') {
        if (*at != '\\' || !els_whole_escape(at, end)) return NULL;
        at = els_text_plain(at + 2, end);
    }
    return at;
}

/* The same from the end of the text before the first escape, which may be the quote. */
ELS_INLINE const unsigned char *els_whole_after_plain(const unsigned char *at, const unsigned char *end)
{
    return at == end || *at == '"' ? at : els_whole_after_escapes(at, end);
}

/* The same from after the first quote. */
ELS_INLINE const unsigned char *els_whole_string_end(const unsigned char *at, const unsigned char *end)
{
    return els_whole_after_plain(els_text_plain(at, end), end);
}

/* Writes the text with what its escapes mean. Returns its size, which is smaller. */
ELS_NOINLINE size_t els_whole_unescape(unsigned char *to, elelem_str text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    const unsigned char *end = at + text.size;
    unsigned char *out = to;

    while (at < end) {
        const unsigned char *run = (const unsigned char *)memchr(at, '\\', (size_t)(end - at));
        size_t size = (size_t)((run ? run : end) - at);
        memcpy(out, at, size);
        out += size;
        at += size;
        if (!run) break;
        *out++ = els_whole_escape(at, end);
        at += 2;
    }
    return (size_t)(out - to);
}

ELS_INLINE void els_whole_string(els_whole *whole, const unsigned char *at, const unsigned char *end)
{
    const unsigned char *plain = els_text_plain(at, end);
    const unsigned char *stop = els_whole_after_plain(plain, end);

    whole->has_escapes = stop != plain;
    whole->end = stop && stop < end ? stop + 1 : NULL;
    whole->text = els_str(at, whole->end ? (size_t)(stop - at) : 0);
}

ELS_INLINE els_whole els_whole_at(const unsigned char *at, const unsigned char *end)
{
    els_whole whole;

    whole.at = at;
    whole.type = els_whole_type(*at);
    whole.has_escapes = 0;
    if (whole.type == ELELEM_TYPE_STRING) {
        els_whole_string(&whole, at + 1, end);
        return whole;
    }
    whole.end = whole.type == ELELEM_TYPE_NUMBER ? els_token_number(at, end) : els_token_literal(at, end);
    whole.text = els_str(at, whole.end ? (size_t)(whole.end - at) : 0);
    return whole;
}

/* Notes. */

/* A value that came at once. Others are not noted. */
typedef struct els_document_note {
    uint16_t at;    /* its first byte, in the text of the document */
    uint16_t size;
    uint16_t node;  /* its node, which is so many times ELS_VALUE_ALIGN bytes from the start; 0: it has none */
    uint8_t type;   /* an elelem_type; NONE: nothing of it is wanted, whatever it is */
    uint8_t varies; /* for repeat */
} els_document_note;

#define ELS_DOCUMENT_NOTES 24u

ELS_INLINE els_document_note *els_document_notes_at(const els_tree *tree, uint32_t place)
{
    return (els_document_note *)(void *)(tree->els_memory.data + place);
}

/* Notes a value that has so many bytes from the byte `start` of the text on, if there is room and the tree does not need it. */
ELS_INLINE void els_document_add_note(els_document_notes *notes, const els_tree *tree, size_t start, size_t size, elelem_type type,
                                      uint32_t node)
{
    els_document_note *note;

    if (notes->count == ELS_DOCUMENT_NOTES || tree->els_used > notes->place) return;
    /* Not reached: what is noted is in a text of ELS_REPEAT_TEXT bytes, and its nodes need no more than 32 for each of them */
    if (start + size > UINT16_MAX || node / ELS_VALUE_ALIGN > UINT16_MAX) return;
    note = els_document_notes_at(tree, notes->place) + notes->count++;
    note->at = (uint16_t)start;
    note->size = (uint16_t)size;
    note->node = (uint16_t)(node / ELS_VALUE_ALIGN);
    note->type = (uint8_t)type;
    note->varies = 0;
}

/* The same of a value that is in the bytes at hand. */
ELS_INLINE void els_document_note_value(els_document_notes *notes, const els_tree *tree, const unsigned char *at,
                                        const unsigned char *end, elelem_type type, uint32_t node)
{
    els_document_add_note(notes, tree, notes->before + (size_t)(at - notes->text), (size_t)(end - at), type, node);
}

/* The tree. */

/* Makes the node of the innermost container of the path the current one, and adds it and those around it if they are not there. */
ELS_NOINLINE elelem_status els_document_build(els_tree *tree, elelem_path *path)
{
    elelem_fragment container = ELELEM_INIT;
    elelem_status status;

    container.path = path;
    container.kind = ELELEM_FRAGMENT_BEGIN;
    path->count--;
    container.type = (uint8_t)els_segment_container(&path->segments[path->count]);
    path->els_serial++;
    els_tree_find(tree, path);
    path->count++;
    els_tree_leave_others(tree, path);
    path->count--;
    status = els_tree_build(tree, &container);
    path->count++;
    return status == ELELEM_OK ? status : els_tree_fail(tree, status);
}

/* The same, quick if the last fragment was of that container or of something in it. A segment that changed after that fragment
   belongs to another container. */
ELS_INLINE elelem_status els_document_find(els_tree *tree, elelem_path *path)
{
    uint32_t depth = (uint32_t)path->count - 1;

    if (!tree->els_current || tree->els_depth < depth || tree->els_serial != path->els_serial) return els_document_build(tree, path);
    if (depth > 0 && path->segments[depth - 1].els_changed >= tree->els_serial) return els_document_build(tree, path);
    while (tree->els_depth > depth)
        els_tree_up(tree);
    return ELELEM_OK;
}

/* Puts the text of a node to its place. */
ELS_INLINE void els_document_put(els_value_node *node, unsigned char *to, const els_whole *whole)
{
    if (whole->has_escapes) node->in.text.size = node->in.text.room = (uint32_t)els_whole_unescape(to, whole->text);
    else memcpy(to, whole->text.data, whole->text.size);
}

/* Nonzero if the tree has room for all containers of the path. (Its depth is that of the parser, see els_body_init.) */
ELS_INLINE int els_document_has_room(const els_tree *tree, const elelem_fragment_parser *p)
{
    size_t capacity = tree->els_memory.capacity < tree->els_max_bytes ? tree->els_memory.capacity : tree->els_max_bytes;
    size_t needed = p->els_path.count * (sizeof(els_value_node) + ELS_VALUE_ALIGN) + p->els_path_bytes + ELS_VALUE_ROOT;

    return needed <= capacity - tree->els_used;
}

/* Adds a value that is complete to the container that is the current node, if memory and limits are enough. */
ELS_INLINE int els_document_add(els_tree *tree, const elelem_segment *segment, const els_whole *whole, uint16_t pattern)
{
    uint32_t at = (tree->els_used + (ELS_VALUE_ALIGN - 1)) & ~(ELS_VALUE_ALIGN - 1);
    size_t capacity = tree->els_memory.capacity < tree->els_max_bytes ? tree->els_memory.capacity : tree->els_max_bytes;
    size_t key = segment->key.data ? segment->key.size : 0;
    uint32_t parent = tree->els_current, opened = els_tree_node(tree, parent)->in.children.opened;
    els_value_node *node;

    if (at > capacity || capacity - at < sizeof *node + key || capacity - at - sizeof *node - key < whole->text.size) return 0;
    /* Not reached: the tree of a body has no limit of strings, and the depth of its parser */
    if (whole->text.size > tree->els_max_string || tree->els_depth >= tree->els_max_depth) return 0;
    node = els_tree_node(tree, at);
    memset(node, 0, sizeof *node);
    node->pattern = pattern;
    node->type = (uint8_t)whole->type;
    node->flags = (uint8_t)(segment->key.data ? ELELEM_VALUE_COMPLETE : ELELEM_VALUE_COMPLETE | ELS_VALUE_ELEMENT);
    node->name = segment->key.data ? (uint32_t)key : segment->index;
    node->in.text.start = (uint32_t)(at + sizeof *node + key);
    node->in.text.size = node->in.text.room = (uint32_t)whole->text.size;
    if (key > 0) memcpy(node + 1, segment->key.data, key);
    if (whole->text.size > 0) els_document_put(node, tree->els_memory.data + node->in.text.start, whole);
    tree->els_used = node->in.text.start + node->in.text.size;
    els_tree_link(tree, at);
    els_tree_node(tree, parent)->in.children.opened = opened;
    tree->els_depth--;
    return 1;
}

/* The parser. */

/* Makes the key that of the innermost segment, as when it was read. There is room: see els_inner_room. */
ELS_INLINE void els_document_enter_key(elelem_fragment_parser *p, elelem_str key)
{
    elelem_segment *top = els_json_top(p);

    if (key.size > 0) memcpy(els_json_stack(p) + top->els_base, key.data, key.size);
    p->els_stack_size = top->els_base + (uint32_t)key.size;
    top->key.size = key.size;
    top->els_changed = p->els_path.els_serial;
}

/* Does what els_json_match does if the row of the value is known. */
ELS_INLINE elelem_status els_document_match(elelem_fragment_parser *p, size_t row)
{
    p->els_pattern = ELELEM_NO_PATTERN;
    els_json_top(p)->els_active = 0;
    if (els_json_found(p, row) != ELELEM_OK) return ELELEM_ERROR_MEMORY;
    if (p->els_pattern != ELELEM_NO_PATTERN) p->els_inside = (uint32_t)p->els_path.count + 1;
    return ELELEM_OK;
}

/* Reading. Each of these returns ELS_AGAIN if it took something; OK and a fragment, which only containers have; MORE if it took
   nothing, and the parser is to read on; or an error. */

/* The innermost container. */
typedef struct els_inner {
    size_t room;      /* bytes that a key may have */
    uint16_t parent;  /* the row of its own, if it is not wanted with all that is in it */
    uint8_t is_whole; /* it is wanted with all that is in it */
    uint8_t is_found; /* its node is the current one */
    uint16_t left;    /* the row of which values are left to the parser; 0: none */
    els_document_notes *notes;
} els_inner;

/* Longer keys are left to the parser, which takes memory for them and the number of a row, or refuses them. */
ELS_INLINE size_t els_inner_room(const elelem_fragment_parser *p)
{
    size_t room = p->els_memory.capacity - p->els_stack_start - els_json_top(p)->els_base;
    size_t most = p->els_max_path - p->els_path_bytes;

    if (most > p->els_max_key) most = p->els_max_key;
    return room < sizeof(uint16_t) ? 0 : room - sizeof(uint16_t) < most ? room - sizeof(uint16_t) : most;
}

/* Zero if values in it have several rows, or nothing is known of them. */
ELS_INLINE int els_inner_of(els_inner *inner, const elelem_fragment_parser *p)
{
    size_t count = 1;

    inner->room = els_inner_room(p);
    inner->is_whole = p->els_inside != 0;
    inner->is_found = 0;
    inner->parent = 0;
    if (inner->is_whole) return 1;
    if (!p->els_patterns->els_index) return 0;
    inner->parent = els_json_active(els_json_parents(p, &count), 0);
    return count == 1;
}

/* The row of the patterns that a member has; 0 if nothing of it is wanted. */
ELS_INLINE size_t els_inner_row(const els_inner *inner, const elelem_fragment_parser *p, elelem_str key)
{
    size_t row = els_index_find(p->els_patterns->els_index, p->els_patterns->count, inner->parent, key);

    return row > 0 && !els_json_skips(p, row) ? row : 0;
}

/* Nonzero if the row wants a value that is no container. */
ELS_INLINE int els_document_wants(const elelem_fragment_parser *p, size_t row, elelem_type type)
{
    unsigned wanted = p->els_patterns->nodes[row].wanted;

    return wanted == ELELEM_WANT_WHOLE || (wanted == ELELEM_WANT_SOME && type != ELELEM_TYPE_NULL);
}

/* Continues after a value. */
ELS_INLINE elelem_status els_document_after(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at)
{
    if (!at) return ELELEM_MORE;
    in->at = at;
    p->els_state = ELS_JSON_COMMA;
    return ELS_AGAIN;
}

/* Nonzero if the parser would give such a value. */
ELS_INLINE int els_document_allows(const elelem_fragment_parser *p, const els_whole *whole)
{
    return whole->text.size <= (whole->type == ELELEM_TYPE_STRING ? p->els_max_string : p->els_max_number);
}

/* Adds a value that is no container. If there may be no room for its container, the parser would stop at the first piece of a string
   with escapes: then that is left to it. */
ELS_INLINE elelem_status els_document_take(elelem_fragment_parser *p, els_tree *tree, els_cursor *in, els_inner *inner,
                                           const els_whole *whole, const elelem_segment *segment, uint16_t pattern)
{
    elelem_status status = ELELEM_OK;

    if (!els_document_allows(p, whole)) return ELELEM_MORE;
    if (whole->has_escapes && !inner->is_found && !els_document_has_room(tree, p)) return ELELEM_MORE;
    if (!inner->is_found) status = els_document_find(tree, &p->els_path);
    if (status != ELELEM_OK) {
        in->at = whole->text.size > 0 ? (const unsigned char *)whole->text.data + whole->text.size : whole->end;
        return status;
    }
    inner->is_found = 1;
    if (!els_document_add(tree, segment, whole, pattern)) return ELELEM_MORE;
    if (inner->notes->place)
        els_document_note_value(inner->notes, tree, whole->at, whole->end, whole->type,
                                els_tree_node(tree, tree->els_current)->in.children.last);
    return els_document_after(p, in, whole->end);
}

/* Begins the container at the cursor, if anything of it is wanted. */
ELS_NOINLINE elelem_status els_document_begin(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    return els_json_value(p, in, out);
}

/* Begins the container at `at`, which is a member that has this row, or is inside a value that is wanted. */
ELS_NOINLINE elelem_status els_document_open(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at, elelem_str key,
                                             size_t row, elelem_fragment *out)
{
    els_document_enter_key(p, key);
    in->at = at;
    p->els_state = ELS_JSON_VALUE;
    if (!p->els_inside && els_document_match(p, row) != ELELEM_OK) return els_json_fail(p, in, ELELEM_ERROR_MEMORY);
    return els_json_begin_container(p, in, out);
}

/* Passes over a value that is not wanted. */
ELS_INLINE elelem_status els_document_pass(elelem_fragment_parser *p, const els_tree *tree, els_cursor *in, const els_inner *inner,
                                           const unsigned char *at)
{
    const unsigned char *end = els_json_value_end(p, at, in->end);

    if (inner->notes->place && end) els_document_note_value(inner->notes, tree, at, end, ELELEM_TYPE_NONE, 0);
    return els_document_after(p, in, end);
}

/* Reads the value of a member from `at`. */
ELS_INLINE elelem_status els_document_value(elelem_fragment_parser *p, els_tree *tree, els_cursor *in, els_inner *inner,
                                            const unsigned char *at, elelem_str key, elelem_fragment *out)
{
    size_t row = inner->is_whole ? p->els_pattern : els_inner_row(inner, p, key);
    elelem_segment segment;
    els_whole whole;

    if (!inner->is_whole && row == 0) return els_document_pass(p, tree, in, inner, at);
    if (*at == '{' || *at == '[') return els_document_open(p, in, at, key, row, out);
    if (row > 0 && row == inner->left) return ELELEM_MORE;
    whole = els_whole_at(at, in->end);
    if (!whole.end) return ELELEM_MORE;
    if (!inner->is_whole && !els_document_wants(p, row, whole.type)) {
        if (inner->notes->place) els_document_note_value(inner->notes, tree, at, whole.end, whole.type, 0);
        return els_document_after(p, in, whole.end);
    }
    segment.key = key;
    return els_document_take(p, tree, in, inner, &whole, &segment, (uint16_t)row);
}

ELS_INLINE elelem_status els_document_member(elelem_fragment_parser *p, els_tree *tree, els_cursor *in, els_inner *inner,
                                             elelem_fragment *out)
{
    const unsigned char *at = els_token_blanks(in->at, in->end);
    elelem_str key;

    if (at == in->end || *at != '"') return ELELEM_MORE;
    key = els_whole_text(at + 1, in->end);
    if (!key.data || key.size > inner->room) return ELELEM_MORE;
    at = els_token_blanks(at + key.size + 2, in->end);
    if (at == in->end || *at != ':') return ELELEM_MORE;
    at = els_token_blanks(at + 1, in->end);
    return at < in->end ? els_document_value(p, tree, in, inner, at, key, out) : ELELEM_MORE;
}

/* Nonzero if another member or element comes next; then its comma is read. */
ELS_INLINE int els_document_continues(els_cursor *in)
{
    const unsigned char *at = els_token_blanks(in->at, in->end);

    if (at == in->end || *at != ',') return 0;
    in->at = at + 1;
    return 1;
}

/* Nonzero if the next byte that is no whitespace is this one. */
ELS_INLINE int els_document_is_at(els_cursor *in, unsigned char bracket)
{
    in->at = els_token_blanks(in->at, in->end);
    return in->at < in->end && *in->at == bracket;
}

/* Reads members, up to a container that is wanted or the end. */
ELS_INLINE elelem_status els_document_members(elelem_fragment_parser *p, els_tree *tree, els_cursor *in, els_inner *inner,
                                              elelem_fragment *out)
{
    elelem_status status;

    if (p->els_state == ELS_JSON_FIRST_KEY && els_document_is_at(in, '}')) return els_json_end_container(p, in, out);
    status = els_document_member(p, tree, in, inner, out);
    while (status == ELS_AGAIN && p->els_state == ELS_JSON_COMMA && els_document_continues(in)) {
        p->els_state = ELS_JSON_KEY;
        status = els_document_member(p, tree, in, inner, out);
    }
    return status;
}

ELS_INLINE elelem_status els_document_element(elelem_fragment_parser *p, els_tree *tree, els_cursor *in, els_inner *inner,
                                              elelem_fragment *out)
{
    const unsigned char *at = els_token_blanks(in->at, in->end);
    els_whole whole;

    if (at == in->end || p->els_in_object) return ELELEM_MORE;
    if (*at == '{' || *at == '[' || (*at == ']' && p->els_state == ELS_JSON_FIRST_ELEMENT)) {
        in->at = at;
        return els_document_begin(p, in, out);
    }
    if (!inner->is_whole || (inner->left && p->els_pattern == inner->left)) return ELELEM_MORE;
    whole = els_whole_at(at, in->end);
    return whole.end ? els_document_take(p, tree, in, inner, &whole, els_json_top(p), p->els_pattern) : ELELEM_MORE;
}

/* Reads what follows a value. */
ELS_INLINE elelem_status els_document_comma(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (els_document_continues(in)) {
        p->els_state = p->els_in_object ? ELS_JSON_KEY : ELS_JSON_VALUE;
        return p->els_in_object ? ELS_AGAIN : els_json_count_element(p, in);
    }
    in->at = els_token_blanks(in->at, in->end);
    if (in->at < in->end && *in->at == (p->els_in_object ? '}' : ']')) return els_json_end_container(p, in, out);
    return ELELEM_MORE;
}

ELS_INLINE elelem_status els_document_step(elelem_fragment_parser *p, els_tree *tree, els_cursor *in, elelem_fragment *out,
                                           uint16_t left, els_document_notes *notes)
{
    els_inner inner;

    if (p->els_state == ELS_JSON_OPENED) return els_json_enter(p, in);
    if (p->els_path.count == 0 && p->els_state == ELS_JSON_VALUE && els_document_is_at(in, '{')) return els_document_begin(p, in, out);
    if (p->els_path.count == 0 || p->els_skipping) return ELELEM_MORE;
    if (p->els_state == ELS_JSON_COMMA) return els_document_comma(p, in, out);
    if (p->els_state >= ELS_JSON_COLON || !els_inner_of(&inner, p)) return ELELEM_MORE;
    inner.left = left;
    inner.notes = notes;
    if (p->els_state == ELS_JSON_KEY || p->els_state == ELS_JSON_FIRST_KEY) return els_document_members(p, tree, in, &inner, out);
    return els_document_element(p, tree, in, &inner, out);
}

/* Takes what it can into the document, up to a container. MORE: that was all that is whole in the bytes, and the parser is to
   read on. */
ELS_INLINE elelem_status els_document_run(elelem_fragment_parser *p, els_tree *tree, els_cursor *in, elelem_fragment *out,
                                          uint16_t left, els_document_notes *notes)
{
    elelem_status status = ELS_IS_FAST ? ELS_AGAIN : ELELEM_MORE;

    p->els_last = ELS_JSON_NOTHING;
    while (status == ELS_AGAIN)
        status = els_document_step(p, tree, in, out, left, notes);
    return status;
}

/* As els_fragment_next, but what it can, it takes into the document, and gives no fragment of it. Values of the row `left` are left
   to the parser. */
ELS_PRIVATE elelem_status els_document_next(elelem_fragment_parser *p, els_tree *tree, els_cursor *in, elelem_fragment *out,
                                            uint16_t left, els_document_notes *notes)
{
    elelem_status status = els_document_run(p, tree, in, out, left, notes);

    return status == ELELEM_MORE ? els_fragment_next(p, in, out) : status;
}

#endif
