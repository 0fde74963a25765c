/* >> failure
 *
 * Reads how providers report errors: the HTTP status, the headers that ask to wait, and error
 * bodies. It finds the kind of an error. It ends no stream and knows no frames.
 */
#ifndef ELELEM_FAILURE_H
#define ELELEM_FAILURE_H

#include "event.h"
#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a provider rejects metadata of an earlier turn. One bit each. */
typedef enum elelem_rejection {
    ELELEM_REJECTED_SIGNATURE = 1, /* Anthropic: the signature of a thinking block is not valid */
    ELELEM_REJECTED_CHANGE = 2,    /* Anthropic: thinking blocks of the latest turn were changed */
    ELELEM_REJECTED_THOUGHT = 4,   /* Google: a thought signature is corrupt, not valid or missing */
    ELELEM_REJECTED_ENCRYPTED = 8, /* OpenAI: encrypted reasoning cannot be verified */
    ELELEM_REJECTED_ITEM = 16      /* OpenAI: an item that the request names is not stored, or lacks the item that must
                                      follow it */
} elelem_rejection;

/* Private: the status and headers of an HTTP response. Waits are in milliseconds, -1 if there is none. */
typedef struct els_http {
    int64_t unix_seconds;   /* the caller's time; 0: not known */
    int64_t retry_after_ms; /* of the header of that name; the next ones likewise */
    int64_t retry_after;
    int64_t rate_reset;
    int32_t status;         /* 0: not set */
    int8_t should_retry;    /* x-should-retry: 1, 0; -1 if there is none */
} els_http;

#ifdef __cplusplus
}
#endif

#endif
