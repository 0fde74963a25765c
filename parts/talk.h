/* >> talk
 *
 * A conversation as text: JSON lines, each an item, what the user said, or the result of a tool call. A
 * request is written from these lines. They can be appended to, stored, cut back and shown as they are.
 */
#ifndef ELELEM_TALK_H
#define ELELEM_TALK_H

#include "writer.h"
#include "recovery.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The lines. A line is one JSON object; empty lines are ignored.
 *
 *     {"type":"user","text":"What is that?"[,"images":[{"mediaType":"image/png","data":"iVBO..."},{"url":"https://..."}]]}
 *     {"type":"tool_result","id":"call_1","name":"get_weather","text":"5 C"[,"failed":true]}
 *     {"type":"tool_result","id":"call_1","name":"get_weather","output":{"celsius":5}}
 *
 * and the model's own: those of elelem_item_write; those of a recorder, and of a coalescer
 * (PartialResponse, PartialThinking, PartialStructured, PartialProviderItem, BeforeToolExecution,
 * ToolExecuted, Flush); entries of a history with either; the text of an entry counts, after its events, if none
 * of these has text of the message. Other lines with an eventType are the
 * application's and are ignored. Only choice 0 is read. The tool calls of a recorder count if each has
 * its BeforeToolExecution: coalesce the record, or set desc.tool_calls of the recorder.
 * The arguments of a BeforeToolExecution are "input", or "arguments": their value, or as a string their JSON text.
 * Members of events that room line does not name are the caller's own and are ignored, whatever their names.
 * Events of one index are one item up to its Flush, a ToolExecuted, or the end of the response, also with events
 * of other indices between them. If more than 8 items are open, the one whose last event is longest ago
 * ends, a call before others. Items are in the order in which they begin. */

/* An image of the user's. */
typedef struct elelem_talk_image {
    elelem_str media_type; /* such as "image/png"; needed with data */
    elelem_str data;       /* base64 */
    elelem_str url;        /* if data is empty */
} elelem_talk_image;

/* The result of a tool call. */
typedef struct elelem_talk_result {
    elelem_str id;   /* that of the call; may be empty if it had none */
    elelem_str name; /* that of the tool */
    elelem_str text; /* the result as text */
    elelem_str json; /* or as JSON, if it is not empty */
    uint8_t failed;  /* nonzero: the tool failed, and the result says why */
} elelem_talk_result;

/* Append one line each, with a line feed; those of the model are elelem_item_write's and need one too. OK or
   the sink's error. ERROR_MISUSE, and nothing is written: a user without text and image; an image
   without data and url; a result whose `json` is no JSON value. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_talk_user(elelem_sink lines, elelem_str text,
                                                         const elelem_talk_image *images, size_t image_count);
ELELEM_API ELELEM_CHECKED elelem_status elelem_talk_result_write(elelem_sink lines, const elelem_talk_result *result);

/* Removes from all metadata in the lines what the patches name (see elelem_patch_apply), in place: the text
   gets shorter, and `*size` with it. Each line is looked at alone: of a list that is in several lines of one item, only the lists of
   the lines that have such an element are removed. Returns the number of entries removed; if it is 0, do not send again.
   The lines must be ones that a request was written from. Patches must not point into `lines`: their
   values are slices of the request. Takes about 7 KB of stack. */
ELELEM_API size_t elelem_talk_patch(const elelem_patch *patches, size_t count, char *lines, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
