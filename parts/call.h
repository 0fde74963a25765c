/* >> call
 *
 * Joins the parts of the tool calls of a record, so that one line can have the whole call.
 */
#ifndef ELELEM_CALL_H
#define ELELEM_CALL_H

#include "event.h"
#include "writer.h"
#include "metadata.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Private: the tool calls that are open, with their arguments. */
typedef struct els_calls {
    els_budget els_allowance; /* of all that is kept of them */
    els_block els_slots;
    size_t els_count;
    size_t els_max;
} els_calls;

#ifdef __cplusplus
}
#endif

#endif
