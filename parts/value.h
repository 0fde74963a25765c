/* >> value
 *
 * Fragments in, a value that can be read at any time out, whole or still growing.
 * Where the fragments come from, and whether their containers were announced,
 * does not matter. It parses nothing.
 */
#ifndef ELELEM_VALUE_H
#define ELELEM_VALUE_H

#include "fragment.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_value_state {
    ELELEM_VALUE_OPEN,      /* still growing */
    ELELEM_VALUE_COMPLETE,  /* whole, and so is all in it */
    ELELEM_VALUE_CUT_LIMIT, /* cut off: it, or something in it, met a limit */
    ELELEM_VALUE_CUT_END,   /* cut off: the input ended */
    ELELEM_VALUE_CUT_ERROR  /* cut off: the input was not what it should be */
} elelem_value_state;

typedef struct elelem_fragment_aggregator_desc {
    elelem_allocator allocator;      /* for one block: the nodes, keys and strings */
    const elelem_patterns *patterns; /* which values next tells about; must outlive it; null: the root */
    uint32_t max_bytes;              /* of that block; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_string_bytes;       /* of one string; 0: no limit but max_bytes. ERROR_STRING_SIZE */
    uint32_t max_depth;              /* 0: 512. ERROR_DEPTH */
} elelem_fragment_aggregator_desc;

typedef struct elelem_fragment_aggregator {
    /* private; see value.c */
    els_block els_memory;
} elelem_fragment_aggregator;

/* A handle on a value inside an aggregator: valid until the next fragment is added
   or the aggregator is cut, reset or freed. A zeroed handle is no value (type NONE);
   every question below takes it and answers NONE, 0 or empty. Slices that come from
   a value live as long as the handle. */
typedef struct elelem_value {
    const elelem_fragment_aggregator *els_owner;
    uint32_t els_node;
} elelem_value;

/* What next answers: a value that is now complete. */
typedef struct elelem_completed_value {
    elelem_value value;
    uint16_t pattern; /* the node of desc.patterns that names it; ELELEM_NO_PATTERN for the root without patterns */
} elelem_completed_value;

ELELEM_API void elelem_fragment_aggregator_init(elelem_fragment_aggregator *aggregator,
                                                const elelem_fragment_aggregator_desc *desc);

/* Adds a fragment; its path and text are copied where they are new. BEGIN may be left
   out: a path or a DONE that names a container makes it. A member whose DONE was seen is
   over; a further fragment for the same key begins another member of that name.
   OK. ERROR_MISUSE: the fragment does not fit what is there (text for a number, anything
   behind the root's DONE) and nothing changed; it does not stick. ERROR_MEMORY and those
   of the limits stick, and what was open is then cut off by it. */
ELELEM_API elelem_status elelem_fragment_aggregator_push(elelem_fragment_aggregator *aggregator,
                                                         const elelem_fragment *fragment);

/* OK: a value that the last fragment completed. MORE: push the next. END: the root is
   complete and was told. Negative: the error that sticks. */
ELELEM_API elelem_status elelem_fragment_aggregator_next(elelem_fragment_aggregator *aggregator,
                                                         elelem_completed_value *completed);

/* No more fragments will come: what is open is cut off by the end. */
ELELEM_API void elelem_fragment_aggregator_finish(elelem_fragment_aggregator *aggregator);

/* The same for a reason of the caller's: one of the CUT states. */
ELELEM_API void elelem_fragment_aggregator_cut(elelem_fragment_aggregator *aggregator, elelem_value_state reason);

ELELEM_API elelem_error elelem_fragment_aggregator_error(const elelem_fragment_aggregator *aggregator);
ELELEM_API void elelem_fragment_aggregator_reset(elelem_fragment_aggregator *aggregator);
ELELEM_API void elelem_fragment_aggregator_free(elelem_fragment_aggregator *aggregator);

/* The value so far, at no cost. No value before the first fragment. */
ELELEM_API elelem_value elelem_fragment_aggregator_value(const elelem_fragment_aggregator *aggregator);

ELELEM_API elelem_type elelem_value_type(elelem_value value);
ELELEM_API elelem_value_state elelem_value_how(elelem_value value); /* OPEN for no value */
ELELEM_API int elelem_value_is_complete(elelem_value value);

/* STRING: its bytes so far, whole characters. NUMBER, BOOL, NULL: the text as it was written. Else empty. */
ELELEM_API elelem_str elelem_value_text(elelem_value value);

/* The key it has as a member, the index it has as an element. */
ELELEM_API elelem_str elelem_value_key(elelem_value value);
ELELEM_API size_t elelem_value_index(elelem_value value);

/* Members and elements in document order, duplicates too: first, then next until no value. */
ELELEM_API elelem_value elelem_value_first(elelem_value value);
ELELEM_API elelem_value elelem_value_next(elelem_value value);
ELELEM_API elelem_value elelem_value_parent(elelem_value value);
ELELEM_API size_t elelem_value_count(elelem_value value); /* linear */

/* The member of that key, the last where there are several; the element of that index.
   No value where there is none. Linear in the members. */
ELELEM_API elelem_value elelem_value_get(elelem_value value, const char *key);
ELELEM_API elelem_value elelem_value_member(elelem_value value, elelem_str key);
ELELEM_API elelem_value elelem_value_at(elelem_value value, size_t index);

/* The value at a path below this one, spelled as a pattern without wildcards ("a.b[2]"). */
ELELEM_API elelem_value elelem_value_find(elelem_value value, const char *path);

/* OK; ERROR_TYPE: of another type; else as elelem_number_to_… says. */
ELELEM_API elelem_status elelem_value_to_bool(elelem_value value, int *boolean);
ELELEM_API elelem_status elelem_value_to_int64(elelem_value value, int64_t *number);
ELELEM_API elelem_status elelem_value_to_uint64(elelem_value value, uint64_t *number);
ELELEM_API elelem_status elelem_value_to_double(elelem_value value, double *number);

#ifdef __cplusplus
}
#endif

#endif
