/* >> shape_interactions
 *
 * Google's Interactions, at its own endpoint and at Vertex. Left out if ELELEM_NO_INTERACTIONS is defined.
 *
 * A response is a list of steps, and each step.stop is a FLUSH. A `thought` is reasoning, also if nothing but its signature
 * comes; the contents of a `model_output` are items each, of which text is a message; a `function_call` is a tool call, whose
 * arguments are those of its deltas, or those that it began with if it has none; a text other than "{}" that it began with is
 * their first piece. A call without an id gets "call_" and its index.
 *
 * All other steps are provider items: calls of tools that the provider runs and their results, those that only a stored
 * interaction has (user_input, function_result), and types that are not known. The JSON of one is the step that must go back, put
 * together from its start and its deltas. Contents of a model_output that are no text are provider items too: image, audio,
 * video, document; pieces of audio are joined, but not if what they are follows data that passed. What a tool is asked, code and
 * its output are captions, of a list its first 16 texts.
 *
 * The data of a delta pass while they arrive, so that an image of any size takes little memory, if its number comes before it, and its
 * type or its MIME type before its data. Without the type, that of the item is the one before the slash. Data of a step.start and of a
 * whole response are stored, and limited by max_frame_bytes.
 *
 * A stream that continues after an event may begin inside a step: its deltas say what it is.
 *
 * The finish reason is TOOL_CALLS if the status is requires_action, or if it is completed and a call has no function_result;
 * MAX_TOKENS if it is incomplete; all others are OTHER, requires_continuation among them: the next request needs its
 * continuation_token. A status of queued or in_progress is an end only in a body, or before [DONE]: the run continues in the
 * background. Thoughts are not counted in the output.
 *
 * Metadata of items:
 *
 *     step_signature  of a thought, on its flush, or on a part without text; of a call on a START. It goes back with the step
 *     part_offsets    of a thought: those of the second text of its summary and the ones after it
 *     summary         of a thought: an array of what in its summary is no text
 *     annotations     citations in a message's text; arrays add up
 *     step            of a provider item: the type of its step, another than that of a content
 *     step_usage      on the flush, of agents
 *     error           of a model_output that failed
 *     other members   of the step, content or delta, under the wire's names
 *
 * METADATA has id, model, agent, created, updated, service_tier, environment_id, continuation_token and other members of the
 * interaction and of its events, when they are new; what repeats the request is left out. The end, good or bad, has event_id, after
 * which the response can be resumed.
 */
#ifndef ELELEM_SHAPE_INTERACTIONS_H
#define ELELEM_SHAPE_INTERACTIONS_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ELELEM_NO_INTERACTIONS
ELELEM_DATA const elelem_shape elelem_shape_interactions;
#endif

#ifdef __cplusplus
}
#endif

#endif
