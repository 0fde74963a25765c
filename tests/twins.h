/* The fast paths through JSON and their slow twin: one text, cut in the same way, read with and without them. The fragments of a
 * parser, a tree that is built of what patterns want, the errors, the offsets and the calls for memory must be the same, and no
 * more memory may be held than the descs say, none at the end.
 * Include it before elelem_stream.h, which it includes with its functions.
 */
#ifndef TWINS_H
#define TWINS_H

static int twins_are_fast;
#define ELS_IS_FAST twins_are_fast
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a text is read. */
typedef struct twins_reading {
    const elelem_patterns *patterns; /* null: everything is wanted */
    elelem_fragment_parser_desc desc;
    uint32_t max_bytes;  /* of the tree; 0: the default */
    uint32_t skips;      /* of the fragments after which a value may be skipped, a bit for each in turn */
    size_t first;        /* the size of the first piece, and of the others */
    size_t step;
    long refused;        /* the call for memory that is refused, from 1; 0: none */
    int stays;           /* so are all calls after it */
} twins_reading;

/* What came of it. */
typedef struct twins_result {
    char *log;
    size_t size;
    size_t room;
    size_t live; /* bytes lent out now, and the most at one time */
    size_t peak;
    long calls; /* for memory */
    long refused;
    int stays;
} twins_result;

static inline void twins_put(twins_result *r, const void *bytes, size_t size)
{
    if (size > r->room - r->size) {
        r->room = (r->size + size) * 2;
        r->log = (char *)realloc(r->log, r->room);
        if (!r->log) abort();
    }
    if (size > 0) memcpy(r->log + r->size, bytes, size);
    r->size += size;
}

static inline void twins_number(twins_result *r, uint64_t number)
{
    twins_put(r, &number, sizeof number);
}

/* Zeroes what it gives, so that trees can be compared byte by byte, and logs what was asked for. */
static inline void *twins_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    twins_result *r = (twins_result *)context;
    void *given;

    if (new_size == 0) {
        r->live -= block ? old_size : 0;
        free(block);
        return NULL;
    }
    twins_number(r, new_size);
    r->calls++;
    if (r->calls == r->refused || (r->stays && r->refused > 0 && r->calls > r->refused)) return NULL;
    given = calloc(1, new_size);
    if (!given) abort();
    if (block) memcpy(given, block, old_size < new_size ? old_size : new_size);
    r->live += new_size - (block ? old_size : 0);
    if (r->live > r->peak) r->peak = r->live;
    free(block);
    return given;
}

static inline void twins_path(twins_result *r, const elelem_path *path)
{
    size_t i;

    twins_number(r, path->count);
    for (i = 0; i < path->count; i++) {
        twins_number(r, path->segments[i].key.data ? path->segments[i].key.size : UINT64_MAX);
        twins_put(r, path->segments[i].key.data, path->segments[i].key.data ? path->segments[i].key.size : 0);
        twins_number(r, path->segments[i].index);
    }
}

static inline void twins_error(twins_result *r, const elelem_fragment_parser *parser, elelem_status status)
{
    elelem_error error = elelem_fragment_parser_error(parser);

    twins_number(r, (uint64_t)(int64_t)status);
    twins_number(r, (uint64_t)(int64_t)error.status);
    twins_number(r, error.offset);
    twins_number(r, elelem_fragment_parser_offset(parser));
}

static inline size_t twins_cut(const twins_reading *how, size_t size, size_t at)
{
    size_t piece = at == 0 && how->first > 0 ? how->first : how->step;

    return piece > 0 && piece < size - at ? piece : size - at;
}

/* A block of exactly the size of a piece, so that a read beyond it is seen. */
static inline char *twins_lend(const char *bytes, size_t size)
{
    char *lent = (char *)malloc(size);

    if (size > 0 && !lent) abort();
    if (size > 0) memcpy(lent, bytes, size);
    return lent;
}

/* The fragments. */

static inline elelem_status twins_drain(twins_result *r, elelem_fragment_parser *parser, uint32_t *skips)
{
    elelem_fragment fragment;
    elelem_status status;

    while ((status = elelem_fragment_parser_next(parser, &fragment)) == ELELEM_OK) {
        twins_path(r, fragment.path);
        twins_number(r, fragment.kind);
        twins_number(r, fragment.type);
        twins_number(r, fragment.pattern);
        twins_number(r, fragment.text.size);
        twins_put(r, fragment.text.data, fragment.text.size);
        if (fragment.kind != ELELEM_FRAGMENT_BEGIN && fragment.kind != ELELEM_FRAGMENT_STRING) continue;
        if (*skips & 1) twins_number(r, (uint64_t)(int64_t)elelem_fragment_parser_skip(parser));
        *skips >>= 1;
    }
    return status;
}

static inline void twins_parse(twins_result *r, const twins_reading *how, const char *bytes, size_t size)
{
    elelem_fragment_parser parser;
    elelem_fragment_parser_desc desc = how->desc;
    elelem_status status = ELELEM_MORE;
    uint32_t skips = how->skips;
    size_t at = 0;

    desc.allocator.resize = twins_resize;
    desc.allocator.context = r;
    desc.patterns = how->patterns;
    elelem_fragment_parser_init(&parser, &desc);
    while (at < size && status == ELELEM_MORE) {
        size_t piece = twins_cut(how, size, at);
        char *lent = twins_lend(bytes + at, piece);
        elelem_fragment_parser_push(&parser, lent, piece);
        status = twins_drain(r, &parser, &skips);
        twins_error(r, &parser, status);
        twins_path(r, elelem_fragment_parser_path(&parser));
        free(lent);
        at += piece;
    }
    elelem_fragment_parser_finish(&parser);
    if (status == ELELEM_MORE) twins_error(r, &parser, twins_drain(r, &parser, &skips));
    elelem_fragment_parser_free(&parser);
}

/* The tree of what the patterns want, as body builds it. */

static inline elelem_status twins_follow(elelem_fragment_parser *parser, els_tree *tree, els_cursor *in)
{
    els_document_notes none = ELELEM_INIT;
    elelem_fragment fragment;
    elelem_status status;

    do {
        status = els_document_next(parser, tree, in, &fragment, 0, &none);
        if (status != ELELEM_OK) return status;
        status = els_tree_follow(tree, &fragment);
    } while (status >= 0);
    return status;
}

static inline void twins_build(twins_result *r, const twins_reading *how, const char *bytes, size_t size)
{
    elelem_fragment_parser parser;
    elelem_fragment_parser_desc desc = how->desc;
    elelem_fragment_aggregator tree;
    elelem_fragment_aggregator_desc of_tree = ELELEM_INIT;
    elelem_patterns patterns;
    els_path_index index;
    elelem_status status = ELELEM_MORE;
    size_t at = 0;

    desc.allocator.resize = of_tree.allocator.resize = twins_resize;
    desc.allocator.context = of_tree.allocator.context = r;
    patterns = *how->patterns;
    desc.patterns = &patterns;
    desc.max_total_bytes = 0;
    of_tree.max_bytes = how->max_bytes;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_aggregator_init(&tree, &of_tree);
    els_index_make(&index, patterns.nodes, patterns.count);
    if (patterns.els_order == ELS_PATTERNS_DISTINCT && index.is_usable) patterns.els_index = &index;
    while (at < size && status == ELELEM_MORE) {
        size_t piece = twins_cut(how, size, at);
        char *lent = twins_lend(bytes + at, piece);
        els_cursor in = els_cursor_of(lent, piece);
        parser.els_lent.offset = at + piece;
        status = twins_follow(&parser, &tree, &in);
        twins_error(r, &parser, status);
        twins_number(r, (uint64_t)(in.end - in.at));
        free(lent);
        at += piece;
    }
    twins_number(r, tree.els_used);
    if (tree.els_used > 0) twins_put(r, tree.els_memory.data + ELS_VALUE_ROOT, tree.els_used - ELS_VALUE_ROOT);
    elelem_fragment_aggregator_free(&tree);
    elelem_fragment_parser_free(&parser);
}

typedef void (*twins_way)(twins_result *r, const twins_reading *how, const char *bytes, size_t size);

static inline void twins_run(twins_result *r, twins_way way, const twins_reading *how, const char *bytes, size_t size, int are_fast)
{
    twins_are_fast = are_fast;
    r->size = 0;
    r->live = r->peak = 0;
    r->calls = 0;
    r->refused = how->refused;
    r->stays = how->stays;
    way(r, how, bytes, size);
}

/* Nonzero if no more was held than a parser and a tree of these limits may, and nothing is left. */
static inline int twins_held(const twins_result *r, const twins_reading *how)
{
    elelem_fragment_parser_desc desc = how->desc;

    desc.patterns = how->patterns;
    return r->live == 0 && r->peak <= limits_of_parser(&desc) + limits_or(how->max_bytes, (uint64_t)64 << 20);
}

/* Nonzero if both ways give the same. */
static inline int twins_agree(twins_way way, const twins_reading *how, const char *bytes, size_t size)
{
    static twins_result fast, slow;

    twins_run(&fast, way, how, bytes, size, 1);
    twins_run(&slow, way, how, bytes, size, 0);
    if (!twins_held(&fast, how) || !twins_held(&slow, how)) return 0;
    return fast.size == slow.size && memcmp(fast.log, slow.log, fast.size) == 0;
}

/* Rows of every kind, for keys that are short. */
static const elelem_pattern_node twins_rows[] = {
    ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
    ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_WHOLE),
    ELELEM_PATTERN_MEMBER(0, "b", ELELEM_WANT_SOME),
    ELELEM_PATTERN_MEMBER(0, "c", ELELEM_WANT_BEGIN),
    ELELEM_PATTERN_MEMBER(0, "d", ELELEM_WANT_NOTHING),
    ELELEM_PATTERN_MEMBER(0, "e", ELELEM_WANT_SKIP),
    ELELEM_PATTERN_MEMBER(0, "", ELELEM_WANT_WHOLE),
    ELELEM_PATTERN_MEMBER(0, "longer_key", ELELEM_WANT_WHOLE),
    ELELEM_PATTERN_ELEMENTS(3, ELELEM_WANT_NOTHING),
    ELELEM_PATTERN_MEMBER(4, "a", ELELEM_WANT_SOME),
    ELELEM_PATTERN_MEMBER(4, "d", ELELEM_WANT_NOTHING),
    ELELEM_PATTERN_MEMBERS(4, ELELEM_WANT_SOME),
    ELELEM_PATTERN_MEMBER(8, "a", ELELEM_WANT_WHOLE),
    ELELEM_PATTERN_MEMBER(8, "b", ELELEM_WANT_BEGIN),
    ELELEM_PATTERN_MEMBER(8, "d", ELELEM_WANT_NOTHING),
    ELELEM_PATTERN_MEMBER(10, "c", ELELEM_WANT_WHOLE),
    ELELEM_PATTERN_MEMBER(13, "a", ELELEM_WANT_WHOLE),
    ELELEM_PATTERN_ELEMENTS(14, ELELEM_WANT_SOME),
};

static const elelem_patterns twins_patterns = { twins_rows, sizeof twins_rows / sizeof *twins_rows, ELS_PATTERNS_DISTINCT, 0, 0, NULL, NULL };

#endif
