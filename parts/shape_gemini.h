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
 *     told of, comes like any other, and its functionResponse after it, as a provider
 *     item. The finish reason is TOOL_CALLS only if a call has no functionResponse.
 *     A call that says that it continues (willContinue) and is neither continued nor followed
 *     by another is cut off, whatever the finish reason.
 *     RESOURCE_EXHAUSTED is a QUOTA error if it names a quota of the day or a plan, and else a
 *     RATE_LIMIT. Google may ask for a wait of seconds in either case.
 *     The reason CONTINUATION is CONTINUE if a continuation_token came, which goes into
 *     the next request, and else MAX_TOKENS.
 *
 * A part that is neither a text nor a functionCall is a provider item: all of the part as it is,
 * its thoughtSignature too. Its type is the name of the member that says what it is:
 * executableCode, codeExecutionResult, toolCall, toolResponse, functionResponse (which the
 * provider ran), inlineData, fileData, or one that is not known. Code, its output and what a
 * tool is asked are captions, of a list its first 16 texts. A part of more than 1 KB with inlineData, fileData, a
 * functionResponse or a toolResponse passes in pieces while its chunk arrives, except one that begins with more
 * than 4 KB of other members; what else is in it is part of the item then, also a text or a functionCall. If the index of its candidate did not come yet, its choice is the place of the
 * candidate in the list; but after a candidate of another choice than the first came, it is stored.
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
 *     partMetadata, speechMetadata and other members
 *                         of the part that is the text or the call, under the wire's names. A text
 *                         with any of them is an item of its own
 *
 * on METADATA events:
 *
 *     id, model, create_time, turn_token, model_status
 *                         when they come first. They are the same in all chunks
 *     prompt_feedback     if it does not block the prompt
 *     safety_ratings, avg_logprobs, logprobs_result, token_count, continuation_token
 *                         of the first choice, with each chunk that has them
 *     candidate           the same of another choice: an object with its index, and its
 *                         finish_reason and finish_message
 *     other members       of a chunk, a candidate and its content, under the wire's names, when
 *                         they are new; those of another choice's candidate are in that object
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
