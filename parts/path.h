/* >> path
 *
 * Paths, which say where a value is in a JSON document, and patterns, which say which values a
 * caller wants. It reads no JSON: paths are made by a parser or by the caller.
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
    uint32_t els_changed; /* serial of the last fragment before this segment changed */
    uint16_t els_active;
} elelem_segment;

/* The steps from the root to a value; the path of the root has none. */
typedef struct elelem_path {
    const elelem_segment *segments;
    size_t count;
    uint32_t els_serial;  /* counts the fragments of the parser; 0 for a path that no parser made */
    uint32_t els_skipped; /* serial of the last fragment after which the rest of its value was skipped; 0 if there is none */
} elelem_path;

/* Return a step of a path that the caller makes. The key is not copied and must stay valid as
   long as the segment is used; a null pointer is the empty key. */
ELELEM_API elelem_segment elelem_segment_of_key(elelem_str key);
ELELEM_API elelem_segment elelem_segment_of_index(uint32_t index);

/* Nonzero if the pattern matches the whole path (see below). A pattern that is not well formed
   matches nothing, and this is not reported; elelem_patterns_compile reports it. Takes no memory,
   and time for reading the pattern and comparing its keys. */
ELELEM_API int elelem_path_is(const elelem_path *path, const char *pattern);

/* Path patterns.
 *
 *     a.b          member b of member a of the root
 *     [2]          element 2
 *     items[*].x   member x of every element of member items
 *     *            any member            *.x   member x of any member
 *     ["odd.key"]  a key in quotes, which it needs if it is empty or has one of
 *                  . [ ] * " \  or a byte below 0x21; write \" and \\ for " and \
 *     (nothing)    the root
 *
 * A parser with patterns delivers the values that match, with all that is in them. It validates
 * the rest and stores none of it, except a key until it is compared. */
typedef enum elelem_pattern_kind {
    ELELEM_PATTERN_KEY,
    ELELEM_PATTERN_QUOTED_KEY, /* a key in quotes that has a backslash */
    ELELEM_PATTERN_ANY_KEY,
    ELELEM_PATTERN_INDEX,
    ELELEM_PATTERN_ANY_INDEX
} elelem_pattern_kind;

/* What a parser delivers of the values that match a node. */
typedef enum elelem_pattern_want {
    ELELEM_WANT_NOTHING, /* the node only leads to others */
    ELELEM_WANT_WHOLE,
    ELELEM_WANT_BEGIN,   /* only the BEGIN of a container, without a DONE, and inside it what its nodes want; of any
                            other value nothing */
    ELELEM_WANT_SKIP,    /* nothing of the value or of what is in it: the node leads nowhere */
    ELELEM_WANT_SOME     /* as WHOLE, but nothing if the value is null */
} elelem_pattern_want;

/* Patterns as a tree: node 0 is the root; each other node has a parent, which comes before it in
   the table. Such a table can be constant data; see ELELEM_PATTERN_ROOT and what follows it. */
typedef struct elelem_pattern_node {
    const char *key;   /* KEY, QUOTED_KEY; else null */
    uint32_t size;     /* KEY, QUOTED_KEY: bytes of the key; INDEX: the index */
    uint16_t parent;   /* position in the table */
    uint8_t kind;      /* an elelem_pattern_kind */
    uint8_t wanted;    /* an elelem_pattern_want; WHOLE if a compiled pattern ends here */
} elelem_pattern_node;

/* Rows of a constant table. */
#define ELELEM_PATTERN_ROOT(wanted) { NULL, 0, 0, ELELEM_PATTERN_ANY_KEY, wanted }
#define ELELEM_PATTERN_MEMBER(parent, key, wanted) { "" key, sizeof(key) - 1, parent, ELELEM_PATTERN_KEY, wanted }
#define ELELEM_PATTERN_MEMBERS(parent, wanted) { NULL, 0, parent, ELELEM_PATTERN_ANY_KEY, wanted }
#define ELELEM_PATTERN_ELEMENTS(parent, wanted) { NULL, 0, parent, ELELEM_PATTERN_ANY_INDEX, wanted }

typedef struct elelem_patterns {
    const elelem_pattern_node *nodes; /* null: everything is wanted */
    size_t count;
    uint8_t els_order;                /* an els_patterns_order, which makes the search faster */
    uint16_t els_root;                /* the node that the value as a whole is */
    uint32_t els_dropped;             /* of the nodes before 32: those that are skipped from now on, a bit each */
    const struct els_path_index *els_index; /* by which nodes are found at once; or null */
    const uint16_t *els_elements;     /* nodes of elements of lists, of which BEGIN is delivered, with 0 after the last; or null */
} elelem_patterns;

/* Compiles `count` patterns into `nodes`, which is the caller's memory. Nodes and texts must stay
   valid as long as the patterns are used. One node for the root and one for each step of each
   pattern is always enough. If `which` is not null, `which[i]` is set to the node of pattern i,
   as in a fragment's `pattern`.
   OK; ERROR_PATTERN: a text is not well formed, or has a key of 4 GiB; `error->offset` is the
   position in that text; ERROR_COUNT: more nodes than `capacity` or 65535; null `nodes` have
   room for none. After an error the patterns match nothing, and `which` is set only for the texts
   before. `error` may be null. */
ELELEM_API elelem_status elelem_patterns_compile(elelem_patterns *patterns, elelem_pattern_node *nodes, size_t capacity,
                                                 const char *const *texts, size_t count, uint16_t *which,
                                                 elelem_error *error);

#define ELELEM_NO_PATTERN 0xffff

/* Private: an index of the rows of a table. Of those with one parent only the first that matches a value counts. */
typedef struct els_path_index {
    const elelem_pattern_node *nodes; /* the table */
    size_t count;
    uint8_t rows[256]; /* open addressing; 0 is none */
    uint8_t is_usable;
} els_path_index;

/* Returns the node, wanted WHOLE or SOME, that matches the path or a value that contains it: of several
   the one nearest to the root. ELELEM_NO_PATTERN if there is none. (A path does not say whether its value is null.)
   The time is in proportion to the number of nodes multiplied by the depth of the patterns. */
ELELEM_API uint16_t elelem_patterns_find(const elelem_patterns *patterns, const elelem_path *path);

#ifdef __cplusplus
}
#endif

#endif
