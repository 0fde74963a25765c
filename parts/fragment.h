/* >> fragment
 *
 * Fragments of JSON (RFC 8259, nothing more): a path in the document, a kind, and bytes. A parser makes them of bytes that are
 * pushed in pieces of any size; its functions are in the next section. Strings are returned as they arrive.
 * The parser stores only the keys of the current path, and a key or number that a push cuts. It
 * knows nothing of values as trees, or of events.
 */
#ifndef ELELEM_FRAGMENT_H
#define ELELEM_FRAGMENT_H

#include "path.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_type {
    ELELEM_TYPE_NONE, /* no value */
    ELELEM_TYPE_NULL,
    ELELEM_TYPE_BOOL,
    ELELEM_TYPE_NUMBER,
    ELELEM_TYPE_STRING,
    ELELEM_TYPE_ARRAY,
    ELELEM_TYPE_OBJECT
} elelem_type;

/* Returns "null", "bool", "number", "string", "array" or "object"; "none" for any other number. */
ELELEM_API const char *elelem_type_name(unsigned type);

typedef enum elelem_fragment_kind {
    ELELEM_FRAGMENT_BEGIN,  /* a container begins; type */
    ELELEM_FRAGMENT_STRING, /* text: a piece of a string, decoded, never empty, of whole characters */
    ELELEM_FRAGMENT_SCALAR, /* text: null, true, false or a number as in the input; type */
    ELELEM_FRAGMENT_DONE    /* a value ended; type. Each value has one; without it only a container of which a pattern
                               wants no more than its BEGIN, and a value that was skipped */
} elelem_fragment_kind;

/* Text and path are valid until the next call on the parser. */
typedef struct elelem_fragment {
    const elelem_path *path;
    elelem_str text;
    uint8_t kind;     /* an elelem_fragment_kind */
    uint8_t type;     /* an elelem_type: of the value that the fragment belongs to */
    uint16_t pattern; /* with patterns: the node that matches this value or one around it, of several the one nearest to
                         the root; ELELEM_NO_PATTERN without patterns, and if only the BEGIN is wanted */
} elelem_fragment;

typedef struct elelem_scalar {
    elelem_str text; /* as in the input */
    uint8_t type;    /* an elelem_type: NULL, BOOL, NUMBER */
    uint8_t boolean; /* BOOL: its value */
} elelem_scalar;

/* Returns the value of a SCALAR fragment; type NONE for any other kind. The text is the fragment's. */
ELELEM_API elelem_scalar elelem_fragment_scalar(const elelem_fragment *fragment);

/* Returns the piece of text that the fragment adds to the string at this path, which is written as for elelem_path_is.
   Empty, with data that is not null, if the fragment is anything else: at another path, a null or a number instead of
   the string, a BEGIN or DONE, a zeroed fragment. The pieces up to the DONE at that path are the string; an empty string
   has none. If the key comes twice, pieces begin again after that DONE, and the value has the last string. */
ELELEM_API elelem_str elelem_fragment_text(const elelem_fragment *fragment, const char *pattern);

/* A parser holds one block of at most 2 * (max_path_bytes + max_number_bytes + 65 * (max_depth + 4) + 2 * patterns +
   32) bytes; `patterns` is the number of nodes in the pattern tree, and 65 is for two segments on a 64-bit machine.
   Blocks double, so that much is held only by a document that meets all limits. What would take more than 4 GiB is
   ERROR_MEMORY, whatever the limits are. */
typedef struct elelem_fragment_parser_desc {
    elelem_allocator allocator;      /* for one block: the path, a key or number cut by a chunk's end */
    const elelem_patterns *patterns; /* must outlive the parser; null: everything is delivered */
    uint32_t max_depth;              /* containers inside each other; 0: 512. ERROR_DEPTH */
    uint32_t max_key_bytes;          /* of one key, decoded; 0: 65536. ERROR_KEY_SIZE */
    uint32_t max_path_bytes;         /* of all keys of a path; 0: 262144. ERROR_PATH_SIZE */
    uint32_t max_number_bytes;       /* of one number; 0: 65536. ERROR_NUMBER_SIZE */
    uint64_t max_string_bytes;       /* of one string value, decoded, none is stored; 0: no limit. ERROR_STRING_SIZE */
    uint64_t max_total_bytes;        /* of everything pushed; 0: no limit. ERROR_TOTAL_SIZE */
    uint8_t strict_surrogates;       /* nonzero: a lone surrogate is ERROR_SURROGATE; else it becomes U+FFFD (RFC 8259, 8.2) */
    uint8_t single_document;         /* nonzero: only whitespace may follow the value, and END comes after finish */
} elelem_fragment_parser_desc;

typedef struct elelem_fragment_parser {
    els_input els_lent;
    elelem_path els_path;
    els_block els_memory;
    const elelem_patterns *els_patterns;
    uint64_t els_string_left;
    uint64_t els_max_string;
    uint64_t els_max_total;   /* if els_over is set: all that was pushed, which is more; els_lent.offset is then the limit */
    uint64_t els_error_offset;
    uint32_t els_stack_size;  /* bytes on the byte stack */
    uint32_t els_stack_start; /* its offset in the block: after the segments */
    uint32_t els_max_depth;
    uint32_t els_max_key;
    uint32_t els_max_path;
    uint32_t els_max_number;
    uint32_t els_path_bytes;  /* of the keys of the path but the last one */
    uint32_t els_short_room;  /* a short key fits before this place of the stack */
    uint32_t els_token_size;  /* of the key or number being put together */
    uint32_t els_skip_depth;  /* how many containers are open inside a value that is skipped */
    uint32_t els_inside;      /* path count + 1 of the wanted value around the current one, 0 if there is none; without
                                 patterns ELS_JSON_EVERYWHERE */
    int32_t els_status;       /* an elelem_status: the error that sticks */
    uint16_t els_pattern;
    uint16_t els_high;        /* high surrogate that waits for its low one */
    uint16_t els_unit;        /* \u digits so far */
    uint16_t els_half;        /* the low surrogate that a string just began with, or the high one that it ended with, without the
                                 other; 0 for none. Who reads it resets it */
    uint8_t els_state;
    uint8_t els_after;        /* type of the current scalar */
    uint8_t els_last;         /* kind of the last fragment */
    uint8_t els_in_key;
    uint8_t els_in_object;
    uint8_t els_skipping;     /* the current value is skipped */
    uint8_t els_joins;        /* whether pieces of the current string are joined, see els_json_join */
    uint8_t els_count;        /* digits of \u, letters of a literal */
    uint8_t els_carry_size;
    uint8_t els_need;         /* how many bytes of a character are still to come */
    uint8_t els_low;          /* the next of them is from els_low to els_limit */
    uint8_t els_limit;
    uint32_t els_strict : 1;
    uint32_t els_single : 1;
    uint32_t els_over : 1;    /* max_total_bytes cut the input off */
    uint32_t els_started : 1; /* restart was called: a value was complete before */
    unsigned char els_carry[4];
    unsigned char els_decoded[6]; /* two characters of three bytes at most */
} elelem_fragment_parser;

#ifdef __cplusplus
}
#endif

#endif
