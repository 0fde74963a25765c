/* >> request_messages
 *
 * Requests of the Messages shape. Left out if ELELEM_NO_MESSAGES is defined. It declares nothing: see
 * request_write.
 *
 *     reasoning      only with its signature, unchanged
 *     first message  is the user's: "(start)" if the history begins with the model
 *     last message   a text of the model at the end of the history loses its whitespace at the end. Claude from 4.6 on refuses that it
 *                    is the last: "(continue)" of the user follows it
 *     calls that     the provider ran and their results are left out one without the other, unless the call is the last thing in
 *                    the history, or calls of tools came with it or before it
 *     failed result  without content is "failed"
 *     citations      go back with their text if all of them are of a form that this shape has
 *     thinking       a budget below 1024 is 1024, and the limit is more than the budget; without a budget it is adaptive if the
 *                    reasoning is to be shown; no call is forced and no sampling set while thinking; with a budget, a turn
 *                    that has calls without signed reasoning continues without thinking
 *     models         Claude Opus 4.7 and all later models refuse a budget, which becomes adaptive, and sampling, which is left
 *                    out; those before Opus 4.6 and Sonnet 4.6 refuse adaptive thinking, and do not reason without a budget;
 *                    of those, all but Opus 4.5 refuse an effort. Opus 5.5, Sonnet 5.5, Fable 5.1 and Mythos 5.1 refuse to be
 *                    forced to a call
 */
#ifndef ELELEM_REQUEST_MESSAGES_H
#define ELELEM_REQUEST_MESSAGES_H

#include "request.h"

#endif
