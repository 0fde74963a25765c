/* >> usage
 *
 * The raw usage of a response: the members that its frames had, each as it came last; a frame may have several. It belongs to shape
 * and has no public functions.
 */
#ifndef ELELEM_USAGE_H
#define ELELEM_USAGE_H

#include "value.h"
#include "writer.h"

#endif
