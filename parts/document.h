/* >> document
 *
 * Reads a document of which patterns want some values: what is whole in the bytes at hand goes straight into its tree, or is
 * passed over, without becoming fragments. It belongs to body and has no public functions. What comes of it is what the
 * parser's fragments would give.
 */
#ifndef ELELEM_DOCUMENT_H
#define ELELEM_DOCUMENT_H

#include "fragment.h"
#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Private. The places that values of a document have in its text are noted in the tree's block, for repeat. */
typedef struct els_document_notes {
    const unsigned char *text; /* the bytes at hand */
    uint32_t before;           /* bytes of the document before them */
    uint32_t place;            /* of the notes in the block; 0: nothing is noted */
    uint32_t count;
} els_document_notes;

#ifdef __cplusplus
}
#endif

#endif
