/* >> request_responses
 *
 * Requests of the Responses shape, which nothing is stored for: store is false, and the reasoning
 * goes back encrypted. Left out if ELELEM_NO_RESPONSES is defined. It declares nothing: see request_write.
 *
 *     items         texts, reasoning and calls without their ids, which name nothing at the provider; provider items as they
 *                   came; references to items are left out
 *     reasoning     only with encrypted_content, and only if an item follows that it led to
 *     failed result {"error":...} as the text, because the shape has no member for it
 */
#ifndef ELELEM_REQUEST_RESPONSES_H
#define ELELEM_REQUEST_RESPONSES_H

#include "request.h"

#endif
