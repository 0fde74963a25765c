/* >> delivery
 *
 * Takes the events that a shape emitted out of its queue, one at a time, and makes the end of what is
 * left. It belongs to stream and has no public functions.
 */
#ifndef ELELEM_DELIVERY_H
#define ELELEM_DELIVERY_H

#include "event.h"
#include "shape.h"

#endif
