/* >> recovery
 *
 * Providers sign what their models think, and refuse a request that sends back a
 * signature they no longer accept. Here such a refusal is told by its words, the stale
 * values are looked up in the request that was sent, and taken out of the metadata that
 * the caller keeps. It knows no frames, and sends nothing.
 *
 *     if (error.kind == ELELEM_ERROR_KIND_RECOVERABLE) {       // its retryable is 0: as it is, it fails again
 *         size_t i, removed = 0, found = elelem_recovery_find(shape, &error, request, patches, 16);
 *         for (i = 0; i < item_count; i++)                     // metadata of your own history, copied from the items
 *             removed += elelem_patch_apply(patches, found, items[i].entries, &items[i].entry_count);
 *         if (removed > 0) send_again_with(items);             // else show the error
 *     }
 *
 * The error's slices and the request must live until
 * the patches were applied. The types before elelem_patch_apply are for those who write a shape.
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
    ELELEM_RECOVERY_BLOCK_TYPE, /* "tool_result" here: the message answers a tool call and begins no turn */
    ELELEM_RECOVERY_RESULT      /* anything here: likewise */
} elelem_recovery_role;

/* One place of a request. The second segment of every path is the message's place in its list. */
typedef struct elelem_recovery_path {
    const char *path;    /* a pattern, see fragment */
    const char *key;     /* VALUE: the metadata key under which the shape gave it out */
    uint8_t role;        /* an elelem_recovery_role */
    uint8_t rejections;  /* VALUE: the bits of those that it may be meant by */
} elelem_recovery_path;

/* A history entry to be mended: in the metadata list where the value of `match_key` is this
   string, or holds it, drop `remove_key`. */
typedef struct elelem_patch {
    elelem_str match_key;
    elelem_str match_value; /* a JSON string, as the request spells it */
    elelem_str remove_key;
} elelem_patch;

/* For a RECOVERABLE error: what to take out of the history so that the request is accepted,
   found in the body of the request that was sent, which must be the JSON that the shape's
   provider takes. Where the error names a value, or a place that can be trusted, that one;
   else all of its kind. Answers how many patches it filled in, at most `capacity`; what finds
   no room is found again when the request is refused once more. 0: nothing to take out, show
   the error. Keys are fixed text, values slices of `request`. Takes no memory but some 4 KB of
   stack; costs at most the size of the request times `capacity`. Then apply them with
   elelem_patch_apply, build the request again and send it: of what lost its signature, thinking
   goes to Messages as plain text or not at all, and a call to Gemini with the signature
   "skip_thought_signature_validator"; to Responses, reasoning goes with its encrypted content or
   not at all, unless it is stored there. */
ELELEM_API size_t elelem_recovery_find(const elelem_shape *shape, const elelem_failure *error, elelem_str request,
                                       elelem_patch *patches, size_t capacity);

/* Takes what the patches name out of one item's metadata, `entries`, of which there are
   `*count`: where the value under match_key is the string match_value, or holds it, the
   entry under remove_key goes; the order of the others stays. Answers how many entries
   went; 0 means that there is nothing to repair here, and when it is 0 for all items of
   a history, stop and show the provider's error: sending the same again would go on for
   ever. Each repair makes the history smaller, and a patch finds nothing where it was
   applied before, so repairing ends. Takes no memory but some 4 KB of stack. The metadata is
   read once for every 64 patches, which all look at it as it was before any of them was
   applied, and each of its strings is compared with each patch, as far as they are the same. */
ELELEM_API size_t elelem_patch_apply(const elelem_patch *patches, size_t patch_count, elelem_metadata_entry *entries,
                                     size_t *count);

#ifdef __cplusplus
}
#endif

#endif
