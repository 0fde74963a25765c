/* >> passage
 *
 * Passes large values of a document on as JSON text while they arrive, so that they need not be
 * stored: images, results of searches, and what else a wire shape does not read itself. It belongs
 * to body and has no public functions.
 */
#ifndef ELELEM_PASSAGE_H
#define ELELEM_PASSAGE_H

#include "fragment.h"
#include "value.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which values pass: objects, or strings. Until the type of an object is known, and its id if that is waited for, it is
   stored, and no more than 4096 bytes of it are held back, counted before they are escaped. One whose type comes later, or is empty,
   does not pass; one whose id does, passes without it. What passes of a string is what is between its quotes, as JSON
   text; its type is the key of the object that it is in. */
typedef struct elelem_passage_rule {
    uint16_t row;              /* the row of the patterns that names the values; it wants them WHOLE */
    uint16_t least;            /* a value of no more bytes than this is stored, although its type passes; at most 4096 */
    const char *type_key;      /* the member whose string is a value's type. Null: the type is the key of its first
                                  member that is not in `ignored` and not null. Empty: the values are strings; only
                                  the last rule may be for them */
    const char *const *kept;   /* the types that do not pass, with a null pointer after the last. If type_key is null, no
                                  value with such a member passes, unless the member comes after `least` bytes */
    const char *const *ignored; /* if type_key is null: likewise, keys that are no type */
    const char *const *only;   /* if type_key is null: likewise, the only keys that are one. Null: any other is */
    const char *id_key;        /* the member that has the id; null: it is not waited for */
    const char *const *stored; /* keys of members that are stored of a value that passes, with a null pointer after the last, of
                                  what is in them only strings, numbers and words, and of all that no more than 4096 bytes.
                                  Null: none */
} elelem_passage_rule;

/* Private. Bytes that are kept of a type. */
#define ELS_PASSAGE_TYPE 64u

typedef struct els_passage {
    const elelem_passage_rule *rules;
    uint32_t counted;      /* bytes of what is held back, later of the piece at hand: before they are escaped, with keys and marks */
    uint32_t stored_left;  /* bytes of them that are still stored */
    uint32_t rule_count;   /* for objects */
    uint32_t rule;         /* of the value at hand */
    uint32_t depth;        /* segments of its path */
    uint8_t state;         /* an els_passage_state */
    uint8_t has_string_rule; /* after those that are counted there is one for strings */
    uint8_t has_type;      /* the type of the value is known */
    uint8_t has_id;        /* its member id_key is known, or there is none to wait for */
    uint8_t is_last;       /* the fragment at hand ends the value */
    uint8_t has_fragment;  /* the fragment at hand is not all written yet */
    uint8_t is_stored;     /* the fragment at hand is stored, at least in part */
    uint8_t is_given;      /* the text was passed on */
    uint8_t is_begun;      /* a piece of the value was passed on */
    uint8_t is_written;    /* what was held back is written */
    uint8_t is_type_cut;   /* a character of the type did not fit: nothing after it counts */
    elelem_fragment fragment;
    size_t text_at;        /* bytes of its text that are written */
    size_t unstored_at;    /* if is_stored: bytes of its text that are stored */
    elelem_buffer text;    /* what is written and not passed on yet */
    elelem_writer writer;  /* into it */
    char type[ELS_PASSAGE_TYPE]; /* of a value that passes, as far as it fits */
    uint32_t type_size;
} els_passage;

#ifdef __cplusplus
}
#endif

#endif
