/* >> shape_responses
 *
 * Responses, as OpenAI shaped it and Azure, xAI, DeepSeek, OpenRouter, LM Studio and
 * others send it. Left out if ELELEM_NO_RESPONSES is defined.
 *
 * An output item of the wire is an item here, and indices count up in the order in which they are added. Texts that the
 * wire repeats when they are whole add only what their deltas left out; items that were not streamed are taken from
 * the last frame.
 *
 * Messages: each content part is an item, which has annotations and their offsets of its own; text and a refusal are two. A message
 * of phase "commentary" is MESSAGE, also if the caller asked for JSON.
 * Reasoning: one item, the raw text if the provider shows it, else the summary, whose parts are set apart by a blank
 * line.
 *
 * Calls that the caller runs are tool calls, and finish as TOOL_CALLS although the provider says "completed". Their type is empty
 * for functions and else the wire's word. Their arguments are JSON:
 *
 *     function_call         its arguments
 *     mcp_approval_request  its arguments; the id is that of the request
 *     tool_search_call      with execution "client": its arguments
 *     custom_tool_call      its input, free text, as one JSON string
 *     shell_call            {"action":{"commands":[...],...}}, live; without an environment, or in a local one
 *     apply_patch_call      {"operation":{"type":...,"path":...,"diff":...}}, live
 *     local_shell_call      {"action":{...}}
 *     computer_call         {"action":{...}} or {"actions":[...]}, with its "pending_safety_checks"
 *
 * the last four: the members of the item that say what is to be done, under their own names. A call without a name
 * has that of its tool: shell, apply_patch, local_shell, computer, tool_search.
 *
 * All other items are provider items with the JSON of the item that is done, unchanged. Their captions are what is searched for, code,
 * commands, or the name and the arguments of an MCP call, as far as they are known before and while the JSON comes; of what is not
 * streamed, no more than 4096 bytes, and the first 16 texts of a list. So are shell calls in a container, tool searches of the server's own, and the
 * custom tool calls of xAI's x_search, if the request had no custom tool. Parts of a message of a type that is not known
 * are provider items too. Audio, which is no output item, is one of type "audio", {"data":"...","transcript":"..."} of all its
 * deltas, with the transcript as its caption. Pictures that are not finished (partial_image) are ignored.
 *
 * Metadata of an item are on its first part, and what only its end says, or says
 * otherwise, on its flush; what must go back with the next request is among it:
 *
 *     item_id            the provider's id of the item; a call's own id is another
 *     encrypted_content  of reasoning, on the flush
 *     phase              of a message: "commentary" or "final_answer"; the flush repeats it
 *     content_index      the number of a message's part that is not its first: it belongs to the message before
 *     annotations        citations in a message's text; each entry once, arrays add up
 *     logprobs           of a message's text, when it is whole
 *     refusal            true, on every part: the text is the model's refusal
 *     raw                true: the reasoning is raw text, not a summary
 *     raw_offset         of reasoning that has both: the offset of the raw text, in bytes
 *     part_offsets       of reasoning: those of its second part and the ones after it; the blank line before a part of a
 *                        summary belongs to none
 *     parallel           true: the call's arguments are several calls, {"tool_uses":[{"recipient_name","parameters"}]}. It has one
 *                        result, a list in their order
 *     namespace, caller  of a call, as they came
 *
 * and each other member of the item under its own name, such as async, environment, execution or server_label; a status only if it is
 * not "completed".
 *
 * METADATA has id, model, created_at, service_tier, conversation and status of the response when it begins, and when it ends what
 * changed of them, completed_at, incomplete_details, tool_usage, moderation, content_filters, prompt_cache_diagnostics and
 * copilot_usage. Members of the response that are not known are there under their own names, such as xAI's `metadata`; what
 * repeats the request is left out. The end, good or bad, has sequence_number, after which the response can be resumed.
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
