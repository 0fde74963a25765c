/* >> metadata
 *
 * The metadata of the parts of one item, merged into one list: arrays are added to, anything
 * else is replaced. What is kept counts for a limit that all items of one object share.
 */
#ifndef ELELEM_METADATA_H
#define ELELEM_METADATA_H

#include "event.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Private: the bytes that the items of one object keep, and the most that they may. */
typedef struct els_budget {
    uint64_t els_used;
    uint64_t els_max;
} els_budget;

/* Private: the metadata of one item. */
typedef struct els_meta {
    els_block els_slots; /* a slot for each key, and after all of them an entry for each key */
    uint32_t els_count;
    uint32_t els_capacity;
} els_meta;

#ifdef __cplusplus
}
#endif

#endif
