/* >> path
 *
 * Where a value is in a JSON document, and patterns that say which places a caller wants.
 * It reads no JSON: the paths come from a parser, or from the caller.
 */
#ifndef ELELEM_PATH_H
#define ELELEM_PATH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One step of a path: a member of an object or an element of an array. */
typedef struct elelem_segment {
    elelem_str key; /* decoded key; data is null for an array element and never null for a member */
    uint32_t index; /* of the array element, from 0 */
    uint32_t els_base;
    uint32_t els_changed; /* serial of the last fragment given out before it became what it is */
    uint16_t els_active;
} elelem_segment;

/* The nesting from the root to a value; no segment is the root itself. */
typedef struct elelem_path {
    const elelem_segment *segments;
    size_t count;
    uint32_t els_serial; /* counts the fragments given out; 0 for a path that no parser made */
} elelem_path;

/* Steps of a path that a caller makes for fragments of its own. The key's bytes stay the caller's
   and must be there as long as the segment is used; no bytes are the empty key. */
ELELEM_API elelem_segment elelem_segment_of_key(elelem_str key);
ELELEM_API elelem_segment elelem_segment_of_index(uint32_t index);

/* Nonzero where the path is exactly the one the pattern spells (see below).
   A pattern that is not well formed matches nothing, and none is told: to find out, compile
   it once. Builds nothing; the cost is that of reading the pattern. */
ELELEM_API int elelem_path_is(const elelem_path *path, const char *pattern);

/* Path patterns.
 *
 *     a.b          member b of member a of the root
 *     [2]          element 2
 *     items[*].x   member x of every element of member items
 *     *            any member            *.x   member x of any member
 *     ["odd.key"]  a key in quotes, where it holds one of  . [ ] * " \  or a byte
 *                  below 0x21; \" and \\ stand for themselves inside
 *     (nothing)    the root
 *
 * A parser given patterns delivers what they name, whole subtrees; the rest is
 * validated and not stored, save for a key, which has to be whole to be compared. */
typedef enum elelem_pattern_kind {
    ELELEM_PATTERN_KEY,
    ELELEM_PATTERN_QUOTED_KEY, /* with backslashes still in it */
    ELELEM_PATTERN_ANY_KEY,
    ELELEM_PATTERN_INDEX,
    ELELEM_PATTERN_ANY_INDEX
} elelem_pattern_kind;

/* What is delivered of the values at a node. */
typedef enum elelem_pattern_want {
    ELELEM_WANT_NOTHING, /* the node only leads to others */
    ELELEM_WANT_WHOLE,
    ELELEM_WANT_BEGIN    /* of a container its BEGIN, to tell that it is there; in it, what its nodes want */
} elelem_pattern_want;

/* Patterns as a tree: node 0 is the root, each other one names its parent, which
   stands before it. A table of these can be written down as constant data; see
   ELELEM_PATTERN_ROOT and its like. */
typedef struct elelem_pattern_node {
    const char *key;   /* KEY, QUOTED_KEY; else null */
    uint32_t size;     /* KEY, QUOTED_KEY: bytes; INDEX: the index */
    uint16_t parent;
    uint8_t kind;      /* an elelem_pattern_kind */
    uint8_t wanted;    /* an elelem_pattern_want; compiled patterns want their values whole */
} elelem_pattern_node;

/* Rows of a constant table. */
#define ELELEM_PATTERN_ROOT(wanted) { NULL, 0, 0, ELELEM_PATTERN_ANY_KEY, wanted }
#define ELELEM_PATTERN_MEMBER(parent, key, wanted) { "" key, sizeof(key) - 1, parent, ELELEM_PATTERN_KEY, wanted }
#define ELELEM_PATTERN_ELEMENTS(parent, wanted) { NULL, 0, parent, ELELEM_PATTERN_ANY_INDEX, wanted }

typedef struct elelem_patterns {
    const elelem_pattern_node *nodes; /* null: everything is wanted */
    size_t count;
    uint8_t els_grouped;              /* nodes with one parent stand together: they are found sooner */
} elelem_patterns;

/* Compiles `count` patterns into `nodes`, the caller's memory, which like the texts
   must live as long as the patterns are used. One node for the root and one for each
   segment is always enough. `which[i]`, where `which` is not null, becomes the node of
   pattern i, which a fragment's `pattern` names.
   OK; ERROR_PATTERN: not well formed, or a key of 4 GiB; `error->offset` counts the bytes of that text;
   ERROR_COUNT: more than `capacity` (at most 65535) nodes. `error` may be null. */
ELELEM_API elelem_status elelem_patterns_compile(elelem_patterns *patterns, elelem_pattern_node *nodes, size_t capacity,
                                                 const char *const *texts, size_t count, uint16_t *which,
                                                 elelem_error *error);

/* The wanted node that names the whole path, or a value it lies in; the one nearest
   to the root. 0xffff for none. Costs patterns times segments. */
ELELEM_API uint16_t elelem_patterns_find(const elelem_patterns *patterns, const elelem_path *path);

#define ELELEM_NO_PATTERN 0xffff

#ifdef __cplusplus
}
#endif

#endif
