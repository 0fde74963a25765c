/* >> repeat
 *
 * Frames of a stream mostly are the frame before with other bytes in one or two values. The text of a frame is kept, and the places
 * of its values in it; its document is still there when the next frame begins. A frame that differs in nothing but such values
 * is not parsed: they are put into the document. What is kept is at the end of the document's block, as long as documents do not
 * need that, and takes no other memory. It belongs to body and has no public functions.
 */
#ifndef ELELEM_REPEAT_H
#define ELELEM_REPEAT_H

#include "document.h"
#include "fragment.h"
#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Private. */
typedef enum els_repeat_state {
    ELS_REPEAT_OFF,      /* nothing is kept */
    ELS_REPEAT_LEARNS,   /* the frame at hand is parsed and kept, so far */
    ELS_REPEAT_KEPT,     /* a whole frame is kept */
    ELS_REPEAT_COMPARES  /* the frame at hand is that one, so far, but for some values */
} els_repeat_state;

typedef struct els_repeat {
    els_document_notes notes;
    uint32_t place;     /* of what is kept, in the document's block */
    uint32_t used;      /* bytes of the block that the last document took; 0: there was none */
    uint32_t wanted;    /* bytes that the block gets, once there was one; 0: it has them, or they were refused */
    uint8_t misses;     /* frames in a row that differ from what was kept */
    uint8_t waits;      /* so many frames are not learned */
    uint8_t state;      /* an els_repeat_state */
} els_repeat;

#ifdef __cplusplus
}
#endif

#endif
