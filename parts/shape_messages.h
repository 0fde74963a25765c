/* >> shape_messages
 *
 * Messages, as Anthropic shaped it, at its own endpoint and through Vertex and others.
 * Left out where ELELEM_NO_MESSAGES is defined.
 *
 * Each content block is an item; its content_block_stop is the FLUSH. Blocks other than text,
 * reasoning and tool_use are provider items: those of the provider's own tools (server_tool_use,
 * *_tool_result, mcp_*), container_upload, compaction, fallback, and types that are not known.
 * The JSON of one is the block that must go back, put together from its deltas. If a type is not known,
 * these bring its input, if it begins with one, or else members: a string that several bring one after the
 * other is joined. A block that begins with more than 1024 bytes passes while it arrives, without what its deltas bring.
 *
 * Metadata, all of it to be sent back with the block in the next turn:
 *
 *     signature      of a thinking block, whole, on the item's FLUSH; if the thinking itself
 *                    was withheld, on a REASONING part without text
 *     redacted_data  the data of a redacted_thinking block, on a REASONING part without text
 *     citations      an array, on message parts; the arrays of one item add up
 *     caller         who made a tool call, the model itself or code of its own, on the START
 *     toolset_name   the toolset of a call that has one, likewise
 *     provider_specific_fields
 *                    of a call, an object in which LiteLLM has Gemini's signature, likewise
 *
 * of the response itself, in METADATA:
 *
 *     id, model, service_tier
 *     container              its id and when it expires
 *     context_management     what the provider removed from the history
 *     input_transformations  thinking of earlier turns that it did not use
 *     other members          of the message, of its last delta, and of the frames of these and of
 *                            message_stop, under the wire's names; an id or a model of those only
 *                            if the message has none
 *
 * and on FINISHED:
 *
 *     stop_details   why the model refused
 *     stop_sequence  the one that was met
 */
#ifndef ELELEM_SHAPE_MESSAGES_H
#define ELELEM_SHAPE_MESSAGES_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ELELEM_NO_MESSAGES
ELELEM_DATA const elelem_shape elelem_shape_messages;
#endif

#ifdef __cplusplus
}
#endif

#endif
