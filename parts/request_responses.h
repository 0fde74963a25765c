/* >> request_responses
 *
 * Requests of the Responses shape, which nothing is stored for: store is false, and the reasoning
 * goes back encrypted. Left out if ELELEM_NO_RESPONSES is defined. It declares nothing: see request_write.
 *
 *     items         texts, reasoning and calls without their ids, which name nothing at the provider; provider items as they
 *                   came; references to items are left out
 *     reasoning     only with encrypted_content, and only if an item follows that it led to. Neither asked for nor sent back if
 *                   the model's name is of one that refuses it: those that begin with gpt-3, gpt-4, gpt-5-chat or chatgpt, and
 *                   what was fine-tuned of them. An include of the caller's own, in extra, replaces it
 *     settings      these models get no effort and no summary either; a limit is at least 16; JSON of any kind is asked for in a
 *                   message too
 *     failed result {"error":...} as the text, because the shape has no member for it
 */
#ifndef ELELEM_REQUEST_RESPONSES_H
#define ELELEM_REQUEST_RESPONSES_H

#include "request.h"

#endif
