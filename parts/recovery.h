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
 * elelem_recovery_find stands in shape. The error's slices and the request must live until
 * the patches were applied. The types before elelem_patch_apply are for those who write a shape.
 */
#ifndef ELELEM_RECOVERY_H
#define ELELEM_RECOVERY_H

#include "event.h"
#include "fragment.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a provider complains of. One bit each. */
typedef enum elelem_rejection {
    ELELEM_REJECTED_SIGNATURE = 1, /* the signature of a thinking block is not valid */
    ELELEM_REJECTED_CHANGE = 2,    /* thinking blocks of the latest turn were changed */
    ELELEM_REJECTED_THOUGHT = 4,   /* a thought signature is corrupt, not valid or missing */
    ELELEM_REJECTED_ENCRYPTED = 8, /* encrypted reasoning cannot be verified */
    ELELEM_REJECTED_ITEM = 16      /* an item that is named is not stored, or stands alone */
} elelem_rejection;

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
