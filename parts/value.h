/* >> value
 *
 * Fragments in, a value that can be read at any time out, whole or still growing.
 * Where the fragments come from, and whether their containers were announced,
 * does not matter. It parses nothing.
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
    ELELEM_VALUE_COMPLETE,  /* whole, and so is all in it */
    /* Cut off, it or something in it: never to be taken for the whole. */
    ELELEM_VALUE_CUT_LIMIT, /* a limit was met, or memory ran out */
    ELELEM_VALUE_CUT_END,   /* the input, or the container it stands in, ended before it */
    ELELEM_VALUE_CUT_ERROR  /* the input was not what it should be */
} elelem_value_state;

typedef struct elelem_fragment_aggregator_desc {
    elelem_allocator allocator;      /* for one block: the nodes, keys and strings */
    const elelem_patterns *patterns; /* which values next tells about; must outlive it; null: the root */
    uint32_t max_bytes;              /* of that block, which is all the memory held; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_string_bytes;       /* of one string; 0: no limit but max_bytes. ERROR_STRING_SIZE */
    uint32_t max_depth;              /* containers inside each other; 0: 512. ERROR_DEPTH */
} elelem_fragment_aggregator_desc;

typedef struct elelem_fragment_aggregator {
    els_block els_memory;
    const elelem_patterns *els_patterns;
    uint32_t els_used;       /* bytes of the block */
    uint32_t els_current;    /* the open node that the last fragment spoke of or stood in; 0 for none */
    uint32_t els_depth;      /* segments from the root to it */
    uint32_t els_serial;     /* of the last fragment's path */
    const elelem_path *els_path;
    uint64_t els_finished;   /* values that ended, as pushed */
    uint32_t els_completed;  /* the node that next tells about; 0 for none */
    uint32_t els_max_bytes;
    uint32_t els_max_string;
    uint32_t els_max_depth;
    int32_t els_status;      /* an elelem_status: the error that sticks */
    uint16_t els_pattern;    /* of els_completed */
    uint8_t els_over;        /* the root ended or was cut off */
} elelem_fragment_aggregator;

/* A handle on a value inside an aggregator: valid until the next fragment is added
   or the aggregator is cut, reset or freed. A zeroed handle is no value (type NONE);
   every question below takes it and answers NONE, 0 or empty. Slices that come from
   a value live as long as the handle. */
typedef struct elelem_value {
    const elelem_fragment_aggregator *els_owner;
    uint32_t els_node;
} elelem_value;

/* What next answers: a value that is now complete, with all that is in it. */
typedef struct elelem_completed_value {
    elelem_value value;
    uint16_t pattern; /* the node of desc.patterns that names just this value; ELELEM_NO_PATTERN without patterns */
} elelem_completed_value;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first fragment. */
ELELEM_API void elelem_fragment_aggregator_init(elelem_fragment_aggregator *aggregator,
                                                const elelem_fragment_aggregator_desc *desc);

/* Adds a fragment; its path and text are copied where they are new, and must not lie in
   this aggregator. BEGIN may be left out: a path or a DONE that names a container makes
   it, and DONE for a string makes an empty one.
   A fragment goes on with the open value of its path, be it the last one or not: of each
   container's open members the 32 that began last are looked at, so that work stays
   linear. A member whose DONE was seen is over; a further fragment for its key begins
   another member of that name, and so does a second BEGIN, which cuts the first one off.
   OK. ERROR_MISUSE: the fragment does not fit what is there (text for a number, an index
   into an object, anything behind the root's DONE or after finish) and nothing changed; it
   does not stick. ERROR_MEMORY and those of the limits stick, and what was open is cut off
   by it, a string behind the last character that fits. */
ELELEM_API elelem_status elelem_fragment_aggregator_push(elelem_fragment_aggregator *aggregator,
                                                         const elelem_fragment *fragment);

/* OK: a value that the last fragment completed: one the patterns name, or without patterns
   the root. Without this call in between, the next push forgets it. MORE: push the next.
   END: the root is over or finish was called, and all was told. Negative: the error that sticks. */
ELELEM_API elelem_status elelem_fragment_aggregator_next(elelem_fragment_aggregator *aggregator,
                                                         elelem_completed_value *completed);

/* No more fragments will come: what is open is cut off by the end. */
ELELEM_API void elelem_fragment_aggregator_finish(elelem_fragment_aggregator *aggregator);

/* The same for a reason of the caller's: one of the CUT states. */
ELELEM_API void elelem_fragment_aggregator_cut(elelem_fragment_aggregator *aggregator, elelem_value_state reason);

/* Why push answered an error that sticks; status OK while there is none. The offset counts the values
   that ended before. */
ELELEM_API elelem_error elelem_fragment_aggregator_error(const elelem_fragment_aggregator *aggregator);

/* Starts over with no value, keeping the memory. Also between fragments of one input: once a
   value that a pattern names was taken, all before the next may be forgotten, so that a list
   of any length is read in the memory of one of its elements. */
ELELEM_API void elelem_fragment_aggregator_reset(elelem_fragment_aggregator *aggregator);

/* Gives the memory back. A zeroed aggregator may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_fragment_aggregator_free(elelem_fragment_aggregator *aggregator);

/* The root as far as it came, at no cost. No value before the first fragment. */
ELELEM_API elelem_value elelem_fragment_aggregator_value(const elelem_fragment_aggregator *aggregator);

ELELEM_API elelem_type elelem_value_type(elelem_value value);
ELELEM_API elelem_value_state elelem_value_how(elelem_value value); /* OPEN for no value */
ELELEM_API int elelem_value_is_complete(elelem_value value);

/* STRING: its bytes so far, whole characters. NUMBER, BOOL, NULL: the text as it was written. Else empty. */
ELELEM_API elelem_str elelem_value_text(elelem_value value);

/* The key it has as a member, the index it has as an element; empty and 0 where it is none. */
ELELEM_API elelem_str elelem_value_key(elelem_value value);
ELELEM_API size_t elelem_value_index(elelem_value value);

/* Members and elements in the order they began, duplicates too: first, then next until no value. */
ELELEM_API elelem_value elelem_value_first(elelem_value value);
ELELEM_API elelem_value elelem_value_next(elelem_value value);
ELELEM_API elelem_value elelem_value_parent(elelem_value value);
ELELEM_API size_t elelem_value_count(elelem_value value); /* linear */

/* The member of that key, the element of that index; the last to begin where there are several.
   No value where there is none. Linear in the members. */
ELELEM_API elelem_value elelem_value_get(elelem_value value, const char *key);
ELELEM_API elelem_value elelem_value_member(elelem_value value, elelem_str key);
ELELEM_API elelem_value elelem_value_at(elelem_value value, size_t index);

/* The value at a path below this one, spelled as a pattern without wildcards ("a.b[2]"); the
   empty one names this value. No value where there is none or the pattern is not well formed. */
ELELEM_API elelem_value elelem_value_find(elelem_value value, const char *path);

/* OK; ERROR_TYPE: of another type or no value; else as elelem_number_to_… says. */
ELELEM_API elelem_status elelem_value_to_bool(elelem_value value, int *boolean);
ELELEM_API elelem_status elelem_value_to_int64(elelem_value value, int64_t *number);
ELELEM_API elelem_status elelem_value_to_uint64(elelem_value value, uint64_t *number);
ELELEM_API elelem_status elelem_value_to_double(elelem_value value, double *number);

#ifdef __cplusplus
}
#endif

#endif
