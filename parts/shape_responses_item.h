/* >> shape_responses_item
 *
 * What of a response's frames is read, its output items while they are open, and their texts. It belongs to
 * shape_responses and has no public functions.
 */
#ifndef ELELEM_SHAPE_RESPONSES_ITEM_H
#define ELELEM_SHAPE_RESPONSES_ITEM_H

#include "shape.h"

#endif
