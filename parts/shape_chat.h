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
 *     annotations        citations in the text
 *     citations, search_results
 *                        what the answer was made from (Perplexity, xAI), each entry once
 *     refusal            true: the text is the model's refusal
 *     extra_content      on a tool call: what must go back with it (Gemini's thought signature)
 *     provider_metadata  as it came (Vercel's gateway)
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
