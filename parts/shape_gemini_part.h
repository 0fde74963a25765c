/* >> shape_gemini_part
 *
 * What of the chunks of generate content is read: parts, texts and provider items. It belongs to
 * shape_gemini and has no public functions.
 */
#ifndef ELELEM_SHAPE_GEMINI_PART_H
#define ELELEM_SHAPE_GEMINI_PART_H

#include "shape.h"

#endif
