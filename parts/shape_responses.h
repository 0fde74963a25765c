/* >> shape_responses
 *
 * Responses, as OpenAI shaped it and Azure, xAI, DeepSeek, OpenRouter, LM Studio and
 * others send it. Left out where ELELEM_NO_RESPONSES is defined.
 *
 * An output item of the wire is an item here: message, reasoning, function call or custom
 * tool call. Reasoning is the raw text if the provider shows it, else the summary, whose
 * parts are set apart by a blank line. Texts that the wire repeats when they are whole add
 * only what their deltas left out. A custom tool call's input is free text: it goes out as
 * one JSON string, so that the arguments of all calls are JSON. Calls that run at the
 * provider (web_search_call, mcp_call, code_interpreter_call, ...; the custom tool calls
 * of xAI's x_search, if the request had no custom tool), their results and compaction
 * items are skipped.
 *
 * Metadata it puts on an item's first part and, where only the end tells it or tells
 * otherwise, on its flush; what must go back with the next request is among it:
 *
 *     item_id            the provider's id of the item; a call's own id is another
 *     encrypted_content  of reasoning, on the flush
 *     phase              of a message: "commentary" or "final_answer"; the flush repeats it
 *     annotations        citations in a message's text; each entry once, arrays add up
 *     refusal            true, on every part: the text is the model's refusal
 *     raw                true: the reasoning is raw text, not a summary
 *     custom             true: a custom tool call, whose arguments are its input as a JSON string
 *     namespace, caller  of a function call, as they came
 */
#ifndef ELELEM_SHAPE_RESPONSES_H
#define ELELEM_SHAPE_RESPONSES_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ELELEM_NO_RESPONSES
ELELEM_DATA const elelem_shape elelem_shape_responses;
#endif

#ifdef __cplusplus
}
#endif

#endif
