/* >> request_chat
 *
 * Requests of the chat shape: the messages, as the dialect of the provider wants them. Left out if
 * ELELEM_NO_CHAT is defined. It declares nothing: see request_write.
 *
 *     step          one assistant message with all texts, reasoning and calls of it, then one tool
 *                   message for each call, then one user message
 *     choice        a named one is that tool alone if the model refuses to be forced, or the provider takes no name
 *     effort        together with tools left out for gpt-5.4, and "none" for gpt-5.5 and gpt-5.6, which refuse another
 *     any JSON      is asked for in the instructions too
 *     images        that the model made go back if the dialect takes them, audio by its id
 *     failed result {"error":...} as the text, because the shape has no member for it
 */
#ifndef ELELEM_REQUEST_CHAT_H
#define ELELEM_REQUEST_CHAT_H

#include "request.h"

#endif
