/* >> shape_gemini
 *
 * Gemini's streamGenerateContent, at Google's API and at Vertex, as an event stream
 * (alt=sse) or as one JSON array. Left out where ELELEM_NO_GEMINI is defined.
 *
 * The wire has no ids of its own for most tool calls, and no end but that of the body:
 *
 *     A call without an id gets "call_" and its index in this stream. Google's own never
 *     look so; leave it out when the call is sent back.
 *     A finish reason may come with every chunk, and the last counts when the body has
 *     ended. A body that broke off is an error although a reason was seen.
 *     Arguments that come piece by piece with their paths (partialArgs) go out as the
 *     JSON text they make up. A path that was left is not continued: a piece that
 *     does not fit after those before it is a protocol error.
 *     A call that the provider runs itself, as those to a server of tools that it was
 *     told of, comes like any other, and its functionResponse after it. The finish
 *     reason is TOOL_CALLS only if a call has no functionResponse.
 *     A call that says that it continues (willContinue) and is neither continued nor followed
 *     by another is cut off, whatever the finish reason.
 *     RESOURCE_EXHAUSTED is a QUOTA error if it names a quota of the day, and else a
 *     RATE_LIMIT. Google may ask for a wait of seconds in either case.
 *
 * Left out: executableCode, codeExecutionResult, inlineData, fileData, functionResponse,
 * toolCall, toolResponse, with their signatures; safetyRatings.
 *
 * Metadata it puts on parts:
 *
 *     thought_signature   of a text or a call, to be sent back with it in the next turn. An
 *                         item has one at most and ends with it. One that comes on an
 *                         empty text belongs to the open item of its kind, or to one of its
 *                         own without text
 *     citations           an array, from citationMetadata; the arrays of one item add up
 *     grounding_metadata, url_context_metadata
 *                         as they came, on the message or on one of their own without text
 *
 * and on FINISHED:
 *
 *     prompt_feedback     why the prompt was blocked, if it was
 *     finish_message      what the provider says in addition to the reason
 */
#ifndef ELELEM_SHAPE_GEMINI_H
#define ELELEM_SHAPE_GEMINI_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ELELEM_NO_GEMINI
ELELEM_DATA const elelem_shape elelem_shape_gemini;
#endif

#ifdef __cplusplus
}
#endif

#endif
