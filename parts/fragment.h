/* >> fragment
 *
 * JSON (RFC 8259, nothing more) pushed in pieces of any size, fragments taken
 * out: where in the document, what kind, and the bytes. Strings come as they
 * arrive. The parser stores the keys of the current path and nothing else; it
 * knows nothing of values as trees, nor of events.
 */
#ifndef ELELEM_FRAGMENT_H
#define ELELEM_FRAGMENT_H

#include "path.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_type {
    ELELEM_TYPE_NONE, /* no value there */
    ELELEM_TYPE_NULL,
    ELELEM_TYPE_BOOL,
    ELELEM_TYPE_NUMBER,
    ELELEM_TYPE_STRING,
    ELELEM_TYPE_ARRAY,
    ELELEM_TYPE_OBJECT
} elelem_type;

/* "none", "null", "bool", "number", "string", "array", "object". */
ELELEM_API const char *elelem_type_name(int type);

typedef enum elelem_fragment_kind {
    ELELEM_FRAGMENT_BEGIN,  /* a container opens; type tells which */
    ELELEM_FRAGMENT_STRING, /* text: a piece of a string, decoded, never empty, never ending inside a character */
    ELELEM_FRAGMENT_SCALAR, /* text: null, true, false or a number as it was written; type */
    ELELEM_FRAGMENT_DONE    /* a value ended; type tells which. Every value has exactly one */
} elelem_fragment_kind;

/* Text and path are valid until the next call on the parser. */
typedef struct elelem_fragment {
    const elelem_path *path;
    elelem_str text;
    uint8_t kind;     /* an elelem_fragment_kind */
    uint8_t type;     /* an elelem_type, of the value it belongs to */
    uint16_t pattern; /* with patterns: the wanted node that named this value or one that it lies in, as many segments
                         up as path->count is longer than the pattern; else ELELEM_NO_PATTERN */
} elelem_fragment;

typedef struct elelem_scalar {
    elelem_str text; /* as it was written */
    uint8_t type;    /* an elelem_type: NULL, BOOL, NUMBER */
    uint8_t boolean; /* BOOL: its value */
} elelem_scalar;

/* What a SCALAR fragment says; type NONE for any other kind. The text is the fragment's. */
ELELEM_API elelem_scalar elelem_fragment_scalar(const elelem_fragment *fragment);

/* Returns the piece of text that the fragment adds to the string at this path, spelled as for elelem_path_is. Empty,
   with data that is not null, if the fragment is anything else: another path, a null or a number in place of the
   string, a value's begin or end, a zeroed fragment. The pieces in order are the string. */
ELELEM_API elelem_str elelem_fragment_text(const elelem_fragment *fragment, const char *pattern);

/* A parser holds one block of at most 2 * (max_path_bytes + max_number_bytes + 65 * (max_depth + 4) + 2 * patterns +
   32) bytes, where `patterns` counts the nodes of the pattern tree and 65 is for two segments on a 64-bit machine.
   Blocks double, so that much is held only by a document that meets all limits. What would take more than 4 GiB is
   ERROR_MEMORY, whatever the limits are. */
typedef struct elelem_fragment_parser_desc {
    elelem_allocator allocator;      /* for one block: the path, a key or number cut by a chunk's end */
    const elelem_patterns *patterns; /* must outlive the parser; null: everything is delivered */
    uint32_t max_depth;              /* containers inside each other; 0: 512. ERROR_DEPTH */
    uint32_t max_key_bytes;          /* of one key, decoded; 0: 65536. ERROR_KEY_SIZE */
    uint32_t max_path_bytes;         /* of all keys of a path; 0: 262144. ERROR_PATH_SIZE */
    uint32_t max_number_bytes;       /* characters of one number; 0: 65536. ERROR_NUMBER_SIZE */
    uint64_t max_string_bytes;       /* of one string value, decoded; 0: no limit, none is stored. ERROR_STRING_SIZE */
    uint64_t max_total_bytes;        /* of everything pushed; 0: no limit. ERROR_TOTAL_SIZE */
    uint8_t strict_surrogates;       /* nonzero: a lone surrogate is ERROR_SURROGATE; else it becomes U+FFFD (RFC 8259, 8.2) */
    uint8_t single_document;         /* nonzero: only white space may follow the value, and END comes after finish */
} elelem_fragment_parser_desc;

typedef struct elelem_fragment_parser {
    els_input els_lent;
    elelem_path els_path;
    els_block els_memory;
    const elelem_patterns *els_patterns;
    uint64_t els_string_left;
    uint64_t els_max_string;
    uint64_t els_max_total;
    uint64_t els_error_offset;
    uint32_t els_stack_size;  /* bytes on the byte stack */
    uint32_t els_stack_start; /* where it starts in the block: behind the segments */
    uint32_t els_max_depth;
    uint32_t els_max_key;
    uint32_t els_max_path;
    uint32_t els_max_number;
    uint32_t els_path_bytes;
    uint32_t els_token_size;  /* of the key or number being put together */
    uint32_t els_skip_depth;  /* containers open inside a value that nobody wants */
    uint32_t els_inside;      /* path count + 1 of the wanted value we are in, 0 for none; without patterns ELS_JSON_EVERYWHERE */
    int32_t els_status;       /* an elelem_status: the error that sticks */
    uint16_t els_pattern;
    uint16_t els_high;        /* high surrogate that waits for its other half */
    uint16_t els_unit;        /* \u digits so far */
    uint8_t els_state;
    uint8_t els_after;        /* type of the scalar being read */
    uint8_t els_last;         /* kind of the fragment that was given out last */
    uint8_t els_in_key;
    uint8_t els_in_object;
    uint8_t els_skipping;     /* nobody wants the value being read */
    uint8_t els_count;        /* digits of \u, letters of a literal */
    uint8_t els_carry_size;
    uint8_t els_need;         /* bytes of a character that are still to come */
    uint8_t els_low;          /* range of the next of them */
    uint8_t els_limit;
    uint8_t els_strict;
    uint8_t els_single;
    uint8_t els_over;         /* max_total_bytes cut the input off */
    uint8_t els_started;      /* a value was complete before: restart was called */
    unsigned char els_carry[4];
    unsigned char els_decoded[8];
} elelem_fragment_parser;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first container. */
ELELEM_API void elelem_fragment_parser_init(elelem_fragment_parser *parser, const elelem_fragment_parser_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE
   since the last push, be it that END came before (restart first, then read on up to MORE);
   or finish was called; or `bytes` is null. A refused push is a debt, see elelem_error. After
   an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_fragment_parser_push(elelem_fragment_parser *parser, const void *bytes, size_t size);

/* OK: a fragment. MORE: push again, or finish. END: the root value is complete.
   Errors, which stick until reset: ERROR_SYNTAX, ERROR_UTF8, ERROR_SURROGATE,
   ERROR_TRUNCATED (only after finish), ERROR_MEMORY, those of the limits, and ERROR_MISUSE
   when a push was refused and not repeated. */
ELELEM_API elelem_status elelem_fragment_parser_next(elelem_fragment_parser *parser, elelem_fragment *fragment);

/* No more bytes will come. A number at the root ends here. */
ELELEM_API void elelem_fragment_parser_finish(elelem_fragment_parser *parser);

/* Why next answered an error; status OK while there is none. */
ELELEM_API elelem_error elelem_fragment_parser_error(const elelem_fragment_parser *parser);

/* The path of the value being read or just refused: where an error happened. Valid until the next call. */
ELELEM_API const elelem_path *elelem_fragment_parser_path(const elelem_fragment_parser *parser);

/* How many of the pushed bytes are not read yet. After END: what stands behind the value. */
ELELEM_API size_t elelem_fragment_parser_unread(const elelem_fragment_parser *parser);

/* Absolute offset of the next byte to be read. */
ELELEM_API uint64_t elelem_fragment_parser_offset(const elelem_fragment_parser *parser);

/* After a container's BEGIN or a string's first piece: nothing more of that value is
   delivered, not even its DONE; it is still validated. OK; ERROR_MISUSE at any other time;
   ERROR_MEMORY, which sticks. */
ELELEM_API elelem_status elelem_fragment_parser_skip(elelem_fragment_parser *parser);

/* After END: the next value of the same input, for values that follow one another,
   in lines or not. Unread bytes stay lent and offsets go on. Where only white space
   comes before finish, next answers END at once: where patterns may leave a whole value
   out, unread and finish tell the two apart. ERROR_MISUSE before END and with single_document. */
ELELEM_API elelem_status elelem_fragment_parser_restart(elelem_fragment_parser *parser);

/* Starts over with new input, keeping the memory. */
ELELEM_API void elelem_fragment_parser_reset(elelem_fragment_parser *parser);

/* Gives the memory back. A zeroed parser may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_fragment_parser_free(elelem_fragment_parser *parser);

#ifdef __cplusplus
}
#endif

#endif
