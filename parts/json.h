/* >> json
 *
 * Reads a whole JSON text to a value in one call, for callers who have all of it: a file, the
 * result of a tool, the input of a call in a history. Use fragment and value for text that comes
 * in pieces.
 */
#ifndef ELELEM_JSON_H
#define ELELEM_JSON_H

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A text holds at most max_bytes bytes once it is read. While it is being read, a fragment parser with this
   max_depth holds memory as well; of its limits those of keys, paths and numbers are the defaults. */
typedef struct elelem_json_desc {
    elelem_allocator allocator; /* for the value, and the parser while it reads */
    uint32_t max_bytes;         /* of the value in memory; 0: 64 MiB. ERROR_VALUE_SIZE */
    uint32_t max_depth;         /* containers inside each other; 0: 512. ERROR_DEPTH */
    uint8_t strict_surrogates;  /* nonzero: a lone surrogate is ERROR_SURROGATE; else it becomes U+FFFD */
} elelem_json_desc;

/* What was read. It owns the value, which points into it: do not move it. */
typedef struct elelem_json {
    elelem_fragment_aggregator els_tree;
    elelem_error els_error;
} elelem_json;

/* Reads a text that is one JSON value (RFC 8259, nothing more) with or without whitespace around it.
   Returns the value, valid until free. If there is an error, returns no value, of which every function returns
   something empty: elelem_json_error then returns the error, and no memory is held. A text without a value is
   ERROR_TRUNCATED. Anything after the value except whitespace is ERROR_SYNTAX, and so is a byte order mark. If
   a key comes twice, lookups find the last one. `*json` is overwritten: free it first if it has a value. The
   text is copied; `desc` may be null. */
ELELEM_API ELELEM_CHECKED elelem_value elelem_json_read(elelem_json *json, elelem_str text, const elelem_json_desc *desc);

/* Returns the error of the last read: one of the fragment parser or of the aggregator, ERROR_MEMORY, or
   ERROR_MISUSE if the text is null and has a size, or if nothing was read into a zeroed json. The offset is that
   of the first byte that cannot be right; for memory and max_bytes, that of the end of the piece that did not
   fit; elelem_text_position_of makes a line and a column of it. Status OK if there is a value. */
ELELEM_API elelem_error elelem_json_error(const elelem_json *json);

/* Frees the memory and so the value. A zeroed json may be freed. */
ELELEM_API void elelem_json_free(elelem_json *json);

#ifdef __cplusplus
}
#endif

#endif
