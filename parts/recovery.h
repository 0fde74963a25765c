/* >> recovery
 *
 * Providers sign the reasoning of their models, and refuse a request that sends back a signature
 * which they no longer accept. This room recognizes such a refusal by its words, finds the stale
 * values in the request that was sent, and removes them from the metadata that the caller
 * keeps. It knows no frames, and sends nothing.
 *
 *     if (error.kind == ELELEM_ERROR_KIND_RECOVERABLE) {       // the same request would fail again: retryable is 0
 *         size_t i, removed = 0, found = elelem_recovery_find(shape, &error, request, patches, 16);
 *         for (i = 0; i < item_count; i++)                     // metadata of your own history, copied from the items
 *             removed += elelem_patch_apply(patches, found, items[i].entries, &items[i].entry_count);
 *         if (removed > 0) send_again_with(items);             // else show the error
 *     }
 *
 * The error's slices and the request must stay valid until the patches were applied.
 * elelem_recovery_role and elelem_recovery_path are for authors of shapes.
 */
#ifndef ELELEM_RECOVERY_H
#define ELELEM_RECOVERY_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_recovery_role {
    ELELEM_RECOVERY_VALUE,      /* a string that may be stale */
    ELELEM_RECOVERY_SPEAKER,    /* the role of a message */
    ELELEM_RECOVERY_BLOCK_TYPE, /* if it is "tool_result", the message is the result of a tool call and begins no turn */
    ELELEM_RECOVERY_RESULT      /* if anything is here, likewise */
} elelem_recovery_role;

/* A place in a request. The second segment of every path is the index of the message. */
typedef struct elelem_recovery_path {
    const char *path;    /* a pattern, see path */
    const char *key;     /* VALUE: the metadata key under which the shape emits the value */
    uint8_t role;        /* an elelem_recovery_role */
    uint8_t rejections;  /* VALUE: the bits of the elelem_rejections for which it may be the reason */
} elelem_recovery_path;

/* What to remove from a list of metadata: if the value under `match_key` is this string, or contains
   it, the entry under `remove_key`. */
typedef struct elelem_patch {
    elelem_str match_key;
    elelem_str match_value; /* a JSON string, with quotes and escapes as in the request */
    elelem_str remove_key;
} elelem_patch;

/* Finds what to remove from the history after a RECOVERABLE error, so that the provider accepts
   the request. `request` is the body of the request that was sent, in the JSON of this shape.
   If the error names a value, or a place that can be trusted, the patches are for that one; else
   for all of its kind. Returns the number of patches written, at most `capacity`; those for which
   there is no room are found when the request is refused again. If it returns 0, there is nothing
   to remove: show the error. Keys are fixed text, values are slices of `request`. Takes no memory
   except about 4 KB of stack, and so reads no further than to a key of more than 1500 bytes, or 512 levels of nesting: if the
   request has that, nothing after it is found. The time is at most in proportion to the size of the request
   multiplied by `capacity`.

   Apply the patches with elelem_patch_apply, build the request again and send it. What lost its
   signature is sent like this: to Messages, reasoning as plain text or not at all; to Gemini, a call
   with the signature "skip_thought_signature_validator"; to Responses, reasoning with its encrypted
   content or not at all, unless it is stored there. */
ELELEM_API size_t elelem_recovery_find(const elelem_shape *shape, const elelem_failure *error, elelem_str request,
                                       elelem_patch *patches, size_t capacity);

/* Applies patches to the metadata of one item: `*count` entries at `entries`. If the value under
   match_key is the string match_value, or contains it, all entries under remove_key are removed;
   the others stay in order. Returns the number of entries removed. If it returns 0 for all items of
   a history, show the provider's error and do not send again, because nothing has changed. Each
   repair removes something, and a patch that was applied finds nothing again, so that repairing
   ends. Takes no memory. The metadata is read once for every 64 patches,
   before any of these 64 is applied; each of its strings is compared with each patch, up to the
   first difference. */
ELELEM_API size_t elelem_patch_apply(const elelem_patch *patches, size_t patch_count, elelem_metadata_entry *entries,
                                     size_t *count);

#ifdef __cplusplus
}
#endif

#endif
