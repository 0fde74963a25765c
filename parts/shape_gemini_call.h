/* >> shape_gemini_call
 *
 * The arguments of a call that come in pieces, each with the path of its value, as the JSON they make. It
 * belongs to shape_gemini and has no public functions.
 */
#ifndef ELELEM_SHAPE_GEMINI_CALL_H
#define ELELEM_SHAPE_GEMINI_CALL_H

#include "shape.h"
#include "text.h"

#endif
