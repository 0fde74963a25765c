/* >> shape_interactions_step
 *
 * What of the events of an interaction is read, and how its steps become items. It belongs to
 * shape_interactions and has no public functions.
 */
#ifndef ELELEM_SHAPE_INTERACTIONS_STEP_H
#define ELELEM_SHAPE_INTERACTIONS_STEP_H

#include "shape.h"

#endif
