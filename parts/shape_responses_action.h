/* >> shape_responses_action
 *
 * What an output item is about: the captions of provider items, and the arguments of calls that are no
 * functions. It belongs to shape_responses and has no public functions.
 */
#ifndef ELELEM_SHAPE_RESPONSES_ACTION_H
#define ELELEM_SHAPE_RESPONSES_ACTION_H

#include "shape.h"

#endif
