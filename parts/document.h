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

#endif
