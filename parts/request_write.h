/* >> request_write
 *
 * Writes the body of a request, in the JSON of the provider's shape, in one call and without memory.
 */
#ifndef ELELEM_REQUEST_WRITE_H
#define ELELEM_REQUEST_WRITE_H

#include "request.h"
#include "request_chat.h"
#include "request_responses.h"
#include "request_messages.h"
#include "request_gemini.h"
#include "request_interactions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the body into the sink. The same request gives the same bytes, so that a sink that only counts
   gives the length first. Takes no memory except about 10 KB of stack (6 KB with 32-bit pointers); the time is in proportion to what
   is read and written, and to the pairs of tools, whose names are compared.
   OK: the message is the usual one, or a sentence that names what of the settings was left out or replaced, the first if
   there are several. Or the sink's error: then part of the body may be written, which is never whole JSON. In all other
   cases nothing was written, because everything is checked first; `message` says what is wrong.
   ERROR_MISUSE: a member of the request, offset 0: no shape, or one without a writer; no model; a name of a
   tool or schema that providers refuse, or two tools of one name; JSON that is none; nothing to send.
   Else a line of the history; the offset is that of the byte, value or object that is wrong in it:
   ERROR_SYNTAX and the other errors of the fragment parser; ERROR_TYPE; ERROR_PROTOCOL: a type that is
   unknown, a result without its call; ERROR_COUNT: over 64 calls in one response.

   What providers refuse is mended like this, in all shapes:

       a call that is not whole, or has no name        is left out, with its result
       a call without a result                         gets the failed result "not run"
       results in another order                        are in the order of their calls
       several results of one call                     the first counts
       a result without an id                          is of a call with its name: first of one without an id, never of
                                                       one that another result names by its id
       a result whose id several calls have            is of the first that it names
       text of the user before a result                comes after it
       text that is empty or whitespace                is left out
       text of the model after its call                comes before it (not in Gemini and Interactions)
       ids with odd characters, too long, or twice in
         a response                                    are generated; in the next response an id may come again
       letters of a tool's name in the history         what is no letter, digit, _ or - becomes _
       arguments that are no object                    are {"input":...}
       parameters of a tool without a type or
         properties                                    are an object, and have none (not in Gemini)
       the media type image/jpg                        is image/jpeg
       signatures and items of another shape           are left out
       a tool choice without tools                     is left out
       a setting that the provider has no member for,
         or that its model refuses by its name         is left out; write it into `extra` to send it all the same
       a lone surrogate in a string                    becomes U+FFFD

   and what the single shapes need, see request_chat and the other rooms. */
ELELEM_API ELELEM_CHECKED elelem_error elelem_request_write(const elelem_request *request, elelem_sink sink);

#ifdef __cplusplus
}
#endif

#endif
