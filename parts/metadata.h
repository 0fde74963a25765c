/* >> metadata
 *
 * The metadata of the parts of one item, merged: one text a key, arrays added to. What it keeps
 * counts for a limit that the items of one object share.
 */
#ifndef ELELEM_METADATA_H
#define ELELEM_METADATA_H

#include "event.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Private: the bytes that the items of one object keep, under one limit. */
typedef struct els_store {
    els_block els_entries; /* the metadata listed last */
    size_t els_left;       /* bytes */
    size_t els_max_bytes;
} els_store;

/* Private: the metadata of one item. */
typedef struct els_meta {
    els_block els_slots;
    size_t els_count;
} els_meta;

#ifdef __cplusplus
}
#endif

#endif
