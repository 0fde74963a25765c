/* >> repeat
 *
 * Frames of a stream mostly begin with the bytes that the frame before began with. What came of these, in the parser and in the
 * document, is kept, and taken back if a frame begins so again: it is not parsed. It is kept at the end of the document's block,
 * as long as documents do not need that, and takes no other memory. It belongs to body and has no public functions.
 */
#ifndef ELELEM_REPEAT_H
#define ELELEM_REPEAT_H

#include "fragment.h"
#include "value.h"

#endif
