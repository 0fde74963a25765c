/* >> request_gemini
 *
 * Requests of the Gemini shape. The model is in the path, not in the body. Left out if ELELEM_NO_GEMINI is
 * defined. It declares nothing: see request_write.
 *
 *     reasoning      only with its signature
 *     signatures     on the part that they came on; the first call of a step of the turn that is not over needs
 *                    one: if it has none, "skip_thought_signature_validator"
 *     ids of calls   are left out: results are in the order of their calls. But a call that the provider ran has its id if its
 *                    response has it; a response without its call is left out
 *     first content  is the user's: "(start)" if the history begins with the model
 *     schema         with tools, before Gemini 3: a tool "json" with that schema, and some call is required, of this tool or
 *                    those that the choice of a tool leaves; a tool of the caller's with that name is refused
 *     models         before Gemini 3 refuse an effort, which is left out; 2.5 Flash-Lite has a budget of -1 if its reasoning is to
 *                    be shown
 *     stops          are at most five
 *     names of tools begin with a letter or an underscore: others are refused, those of the history get one
 */
#ifndef ELELEM_REQUEST_GEMINI_H
#define ELELEM_REQUEST_GEMINI_H

#include "request.h"

#endif
