/* >> value
 *
 * Builds a value from fragments. It can be read at any time, complete or still growing. The
 * fragments may come from anywhere, with or without the BEGIN of their containers. It parses
 * nothing.
 */
#ifndef ELELEM_VALUE_H
#define ELELEM_VALUE_H

#include "fragment.h"
#include "number.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_value_state {
    ELELEM_VALUE_OPEN,      /* still growing */
    ELELEM_VALUE_COMPLETE,  /* whole, and so is everything in it */
    /* The value, or something in it, was cut off and must not be taken for the whole. */
    ELELEM_VALUE_CUT_LIMIT, /* a limit was exceeded, or memory ran out */
    ELELEM_VALUE_CUT_END,   /* the input, or a container around it, ended before it */
    ELELEM_VALUE_CUT_ERROR  /* the input was invalid */
} elelem_value_state;

typedef struct elelem_fragment_aggregator_desc {
    elelem_allocator allocator;      /* for one block: the nodes, keys and strings */
    const elelem_patterns *patterns; /* which values next returns; must outlive it; null: the root */
    uint32_t max_bytes;              /* of that block, which is all the memory held; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_string_bytes;       /* of one string; 0: no limit but max_bytes. ERROR_STRING_SIZE */
    uint32_t max_depth;              /* containers inside each other; 0: 512. ERROR_DEPTH */
} elelem_fragment_aggregator_desc;

typedef struct elelem_fragment_aggregator {
    els_block els_memory;
    const elelem_patterns *els_patterns;
    uint32_t els_used;       /* bytes of the block */
    uint32_t els_current;    /* the open node of the last fragment, or around it; 0 if there is none */
    uint32_t els_depth;      /* segments from the root to it */
    uint32_t els_serial;     /* of the last fragment's path */
    const elelem_path *els_path;
    uint64_t els_finished;   /* how many DONEs were pushed */
    uint32_t els_completed;  /* the node that next returns; 0 if there is none */
    uint32_t els_max_bytes;
    uint32_t els_max_string;
    uint32_t els_max_depth;
    int32_t els_status;      /* an elelem_status: the error that sticks */
    uint16_t els_pattern;    /* of els_completed */
    uint8_t els_over;        /* the root ended or was cut off */
} elelem_fragment_aggregator;

/* Private: strings of a document that begin or end inside a character, and the surrogates there. More are not noted. */
#define ELS_HALVES 4

typedef struct els_halves {
    uint32_t strings[ELS_HALVES]; /* their nodes */
    uint16_t surrogates[ELS_HALVES]; /* a low one begins the string, a high one ends it */
    uint32_t count;
} els_halves;

/* A handle to a value inside an aggregator. It is valid until the next fragment is added, or the
   aggregator is cut, reset or freed, and so are slices that are read from it. A zeroed handle is
   no value (type NONE); all functions below take it, and return NONE, 0, empty or no value. */
typedef struct elelem_value {
    const elelem_fragment_aggregator *els_owner;
    uint32_t els_node;
} elelem_value;

/* What next returns: a value that is now complete, with everything in it. */
typedef struct elelem_completed_value {
    elelem_value value;
    uint16_t pattern; /* the node of desc.patterns that matches this value; ELELEM_NO_PATTERN without patterns */
} elelem_completed_value;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first fragment. */
ELELEM_API void elelem_fragment_aggregator_init(elelem_fragment_aggregator *aggregator,
                                                const elelem_fragment_aggregator_desc *desc);

/* Adds a fragment. Its path and text are copied, and must not point into this aggregator. BEGIN
   may be left out: a path through a container, or its DONE, adds the container too, and the DONE
   of a string adds an empty one.
   A fragment continues the open value of its path, even if other values came in between: in each
   container the 32 open members or elements that began last are searched, so that work stays
   linear. After the DONE of a member, another fragment for its key begins another member with
   that key. So does a second BEGIN, which cuts the first member off. A value whose rest the parser
   skipped after the last fragment is cut off too, if the paths are the parser's own.
   OK. ERROR_MISUSE: the fragment does not fit what is there (text for a number, an index into an
   object, anything after the root's DONE or after finish); nothing changed, and it does not
   stick. ERROR_MEMORY and the errors of the limits stick; all that is open is then cut off, a
   string after the last character that fits. */
ELELEM_API elelem_status elelem_fragment_aggregator_push(elelem_fragment_aggregator *aggregator,
                                                         const elelem_fragment *fragment);

/* OK: a value that the last fragment completed: one that a pattern matches, or without patterns
   the root. It is lost if another fragment is pushed before this call. MORE: push the next
   fragment. END: the root has ended or finish was called. Negative: the error that sticks. */
ELELEM_API elelem_status elelem_fragment_aggregator_next(elelem_fragment_aggregator *aggregator,
                                                         elelem_completed_value *completed);

/* No more fragments will come: what is open is cut off by the end. */
ELELEM_API void elelem_fragment_aggregator_finish(elelem_fragment_aggregator *aggregator);

/* The same with a reason that the caller chooses: one of the CUT states; any other is CUT_ERROR. */
ELELEM_API void elelem_fragment_aggregator_cut(elelem_fragment_aggregator *aggregator, elelem_value_state reason);

/* Returns the error that sticks; status OK if there is none. The offset is the number of values that
   ended before. */
ELELEM_API elelem_error elelem_fragment_aggregator_error(const elelem_fragment_aggregator *aggregator);

/* Removes all values and keeps the memory. This may be done between fragments of the same input:
   if it is called after each value that next returned, a list of any length is read in the memory
   of one of its elements. */
ELELEM_API void elelem_fragment_aggregator_reset(elelem_fragment_aggregator *aggregator);

/* Frees the memory. A zeroed aggregator may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_fragment_aggregator_free(elelem_fragment_aggregator *aggregator);

/* Returns the root as far as it came; no value before the first fragment. */
ELELEM_API elelem_value elelem_fragment_aggregator_value(const elelem_fragment_aggregator *aggregator);

ELELEM_API elelem_type elelem_value_type(elelem_value value);
ELELEM_API elelem_value_state elelem_value_state_of(elelem_value value); /* OPEN for no value */
ELELEM_API int elelem_value_is_complete(elelem_value value);

/* Returns the bytes of a STRING so far, in whole characters; of a NUMBER, BOOL or NULL the text as in
   the input; of any other type nothing. */
ELELEM_API elelem_str elelem_value_text(elelem_value value);

/* Return the key of a member, and the index of an element; empty and 0 if the value is none. */
ELELEM_API elelem_str elelem_value_key(elelem_value value);
ELELEM_API size_t elelem_value_index(elelem_value value);

/* Members or elements in the order in which they began, duplicates too: first, then next until it
   returns no value. */
ELELEM_API elelem_value elelem_value_first(elelem_value value);
ELELEM_API elelem_value elelem_value_next(elelem_value value);
ELELEM_API elelem_value elelem_value_parent(elelem_value value);
ELELEM_API size_t elelem_value_count(elelem_value value); /* linear */

/* Return the member with this key, or the element with this index; if there are several, the one that
   began last. No value if there is none. The time is linear in the number of members or elements. */
ELELEM_API elelem_value elelem_value_get(elelem_value value, const char *key);
ELELEM_API elelem_value elelem_value_member(elelem_value value, elelem_str key);
ELELEM_API elelem_value elelem_value_at(elelem_value value, size_t index);

/* Returns the value at a path inside this one, which is written as a pattern without wildcards
   ("a.b[2]"); the empty path is this value. No value if there is none, or if the pattern is not well
   formed. */
ELELEM_API elelem_value elelem_value_find(elelem_value value, const char *path);

/* Convert a BOOL or a NUMBER. OK; ERROR_TYPE: another type or no value; else the errors of
   elelem_number_to_... */
ELELEM_API elelem_status elelem_value_to_bool(elelem_value value, int *boolean);
ELELEM_API elelem_status elelem_value_to_int64(elelem_value value, int64_t *number);
ELELEM_API elelem_status elelem_value_to_uint64(elelem_value value, uint64_t *number);
ELELEM_API elelem_status elelem_value_to_double(elelem_value value, double *number);

#ifdef __cplusplus
}
#endif

#endif
