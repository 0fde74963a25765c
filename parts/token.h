/* >> token
 *
 * The grammar of JSON's tokens (RFC 8259), and passing over values of which nothing is wanted, as long as their tokens
 * are whole in the bytes at hand. It belongs to fragment and has no public functions. It stores nothing, knows no limits
 * and reports no errors: it stops before whatever is not right or not whole.
 */
#ifndef ELELEM_TOKEN_H
#define ELELEM_TOKEN_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Private: passing over values. */
typedef struct els_skim {
    const unsigned char *at; /* the next byte to be read */
    uint64_t objects;        /* a bit for each container that is open, the innermost lowest: 1 for an object */
    uint8_t depth;           /* how many of them; 0: the value is over, and nothing more is read */
    uint8_t floor;           /* those that were open at the start, 0 or 1: they are not left */
    uint8_t ceiling;         /* how many may be open, at most 64 */
    uint8_t state;           /* an els_json_state: what is expected next */
    uint8_t strict;          /* nonzero: surrogates are left to the parser */
} els_skim;

#ifdef __cplusplus
}
#endif

#endif
