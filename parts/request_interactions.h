/* >> request_interactions
 *
 * Requests of the Interactions shape. Left out if ELELEM_NO_INTERACTIONS is defined. It declares nothing: see
 * request_write.
 *
 *     stateless      all steps of the history go back, and "store" is false, unless `extra` has it or "background"
 *     stateful       if `extra` has previous_interaction_id, only what comes after the model's last item is sent: results and texts
 *                    of the user, and results of calls of the same response that came before it, if it is one of events. With continuation_token in addition, nothing is
 *     reasoning      only with its step_signature
 *     signatures     of a call that has one go back with it. Before the first call of a step of the turn that is not over a
 *                    signed thought is needed: if there is none, it is "skip_thought_signature_validator"
 *     texts          and other contents of the model's that follow each other are one model_output
 *     annotations    go back with their text if all of them are of a form that this shape has
 *     results        an object, or a list of contents, is sent as it is; other JSON as text
 *     tool choice    and all other settings of the model are in generation_config, whose members extra_config replaces
 */
#ifndef ELELEM_REQUEST_INTERACTIONS_H
#define ELELEM_REQUEST_INTERACTIONS_H

#include "request.h"

#endif
