/* >> shape_chat
 *
 * Chat Completions, as OpenAI shaped it and some thirty providers send it. Left out
 * where ELELEM_NO_CHAT is defined.
 *
 * Metadata it puts on parts:
 *
 *     reasoning_details  entries of delta.reasoning_details without their text, which the
 *                        item's text is; signatures, encrypted data, ids and formats
 *                        (entries with another index are another item)
 *     thinking_blocks    the same of LiteLLM's: those with a signature or data
 *     annotations        citations in the text
 *     citations, search_results
 *                        what the answer was made from (Perplexity, xAI), each entry once
 *     refusal            true: the text is the model's refusal
 *     extra_content      on a tool call: what must go back with it (Gemini's thought signature)
 *     provider_metadata  as it came (Vercel's gateway)
 *
 * and unless provider items are switched off:
 *
 *     logprobs           an array of the entries for the tokens of the text, OpenAI's form; of another
 *                        form of them an array with one entry for each chunk
 *     content_filter_results and others that begin so, token_ids
 *                        likewise arrays
 *     members of a delta that are not known and are no list and no object, and those of a part of content
 *                        arrays of the values, one for each chunk
 *
 * Those of chunks that come while no text is open are metadata of the response.
 *
 * Metadata of the response: id, model, created, system_fingerprint, service_tier and provider,
 * each when it is new, up to the second chunk that has it; x_groq without its usage; all other
 * members of a chunk or a choice, such as timings, prompt_progress, moderation,
 * prompt_filter_results, native_finish_reason, when they are new. Those of other choices than the
 * first are in `choices`, an array of objects with an index.
 *
 * Provider items, each with its type:
 *
 *     audio           one object for all its deltas: data and transcript joined, id, expires_at;
 *                     the transcript is its caption. To be sent back by its id
 *     image_url       an image: the object as it is. Its type is the name of its member that is
 *                     neither `type` nor `index`
 *     executed_tools  a tool that Groq ran: one object for all entries of an index; its arguments
 *                     are its caption
 *     parts of content that are no text, by their type; members of a delta that are not known and
 *     are an object, or a list, of which each object is an item: by their names
 *
 * Images, and data of audio of more than 1 KB in a delta, pass while their chunk arrives, before all
 * else of it, if the index of their choice came before them; else they are stored.
 *
 * The arguments of a custom call are its input, as a JSON string.
 *
 * What of audio comes after the reason is an item for each chunk.
 *
 * Of a whole response, choices without a number are counted by their place. If more than 2048 bytes of tool calls come before
 * another one, they are given out with the texts before them; what is said of reasoning after them belongs to the
 * reasoning before, and other texts, and annotations, come after those calls.
 *
 * The index distinguishes calls, else the id, else the name. Those of a whole response are each a call. Arguments without a name begin no
 * call under the index of one that has a name, and none under another index if the newest call has no arguments yet. The same name without an id
 * begins another call if the arguments that came before and those that come with it are an object each.
 *
 * An error in a chunk, or in one of its choices, ends the stream whatever the reason is; so does a frame that has only a code of HTTP from
 * 400 on and a sentence, and, without choices, a `base_resp` (MiniMax) whose code is not 0; that is metadata of
 * the response before the error.
 *
 * The end is `[DONE]`, or the body's end after a finish reason. A `[DONE]` without a finish reason counts as an end too: the
 * reason is then COMPLETED, or TOOL_CALLS if there were calls.
 */
#ifndef ELELEM_SHAPE_CHAT_H
#define ELELEM_SHAPE_CHAT_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ELELEM_NO_CHAT
ELELEM_DATA const elelem_shape elelem_shape_chat;
#endif

#ifdef __cplusplus
}
#endif

#endif
