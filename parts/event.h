/* >> event
 *
 * The events of a response, which are the same for all providers: parts, flushes and one end.
 * Only types and their names.
 */
#ifndef ELELEM_EVENT_H
#define ELELEM_EVENT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_event_kind {
    ELELEM_EVENT_PART,     /* a piece of the item with this index */
    ELELEM_EVENT_FLUSH,    /* no more pieces of it will come; its content and cut_off decide whether it is whole */
    ELELEM_EVENT_METADATA, /* metadata of the response itself: its id, its model and so on */
    ELELEM_EVENT_FINISHED, /* the one good end, last */
    ELELEM_EVENT_ERROR     /* the one bad end, last */
} elelem_event_kind;

typedef enum elelem_part_kind {
    ELELEM_PART_MESSAGE,    /* text for the reader */
    ELELEM_PART_REASONING,  /* text of the model's reasoning */
    ELELEM_PART_STRUCTURED, /* JSON text, if the caller asked for the response as JSON */
    ELELEM_PART_TOOL_CALL,
    ELELEM_PART_PROVIDER_ITEM /* anything else in the response: a search that the provider ran, an image, a type that
                                 this library does not know; as JSON, which must go back unchanged */
} elelem_part_kind;

typedef enum elelem_tool_call_part_kind {
    ELELEM_TOOL_CALL_START,         /* id and name, if they are known. May come again: the first id, and the first name,
                                       that is not empty counts */
    ELELEM_TOOL_CALL_ARGUMENT_CHUNK /* a piece of the arguments' JSON text */
} elelem_tool_call_part_kind;

/* One entry of metadata: a key, which is this library's or the provider's, and the JSON text of
   its value. The entries of one item are merged: if a key comes again, the later value replaces
   the earlier one, but the elements of an array are added to an earlier array. */
typedef struct elelem_metadata_entry {
    elelem_str key;
    elelem_str json;
} elelem_metadata_entry;

typedef struct elelem_metadata {
    const elelem_metadata_entry *entries;
    size_t count;
} elelem_metadata;

/* Returns the JSON text of the value under a key, of the last one if there are several; empty if
   there is none. */
ELELEM_API elelem_str elelem_metadata_get(const elelem_metadata *metadata, const char *key);

typedef struct elelem_tool_call_part {
    uint8_t kind;    /* an elelem_tool_call_part_kind */
    elelem_str id;   /* START: empty if it is not known yet */
    elelem_str name; /* START: empty if it is not known yet */
    elelem_str type; /* START: the provider's word for a call that is no plain function, such as "shell_call"; else empty */
    elelem_str text; /* ARGUMENT_CHUNK: JSON text, never empty, cut anywhere but inside a character */
} elelem_tool_call_part;

typedef struct elelem_event_part {
    uint8_t kind;       /* an elelem_part_kind */
    uint8_t hosted;     /* PROVIDER_ITEM: nonzero: the provider ran it; nothing is left to do */
    elelem_str text;    /* all but TOOL_CALL: whole characters; may be empty if the part has metadata or a caption.
                           PROVIDER_ITEM: a piece of its JSON, in which the input that the model writes for a
                           tool of the provider is not checked */
    elelem_str type;    /* PROVIDER_ITEM: the provider's word for it, the same in all its parts; the characters of
                           it that fit into 64 bytes */
    elelem_str caption; /* PROVIDER_ITEM: a piece of a text to show for it, such as a query, or code while it is
                           written */
    elelem_tool_call_part tool_call;
} elelem_event_part;

/* Why the model stopped. X(name, the name in records) */
#define ELELEM_FINISH_REASON_LIST(X) \
    X(COMPLETED, "completed")        \
    X(MAX_TOKENS, "max_tokens")      \
    X(TOOL_CALLS, "tool_calls")      \
    X(CONTENT_FILTER, "content_filter") \
    X(CONTINUE, "continue") /* the provider paused: send the response back unchanged to continue */ \
    X(OTHER, "other")

typedef enum elelem_finish_reason {
#define ELELEM_FINISH_REASON_ENUM(name, text) ELELEM_FINISH_##name,
    ELELEM_FINISH_REASON_LIST(ELELEM_FINISH_REASON_ENUM)
#undef ELELEM_FINISH_REASON_ENUM
    ELELEM_FINISH_REASON_COUNT
} elelem_finish_reason;

/* Numbers of tokens as the provider counts them; -1 if it did not report one. */
typedef struct elelem_usage {
    int64_t input;
    int64_t output;
    int64_t cached;        /* read from a cache */
    int64_t reasoning;     /* of the output; at Gemini and xAI next to it */
    int64_t cache_written; /* written to a cache */
} elelem_usage;

/* What went wrong. X(name, the name in records, 1 if the same request may succeed later) */
#define ELELEM_ERROR_KIND_LIST(X)                                                               \
    X(OTHER, "other", 0)                                                                        \
    X(TIMEOUT, "timeout", 1)                   /* nothing came for idle_timeout_ms */           \
    X(CONNECT, "connect", 1)                   /* the transport broke, or the body ended early */ \
    X(CANCELLED, "cancelled", 0)               /* by the caller */                              \
    X(RATE_LIMIT, "rate_limit", 1)             /* too many requests; wait */                    \
    X(QUOTA, "quota", 0)                       /* no money or daily quota is left */         \
    X(TRANSIENT, "transient", 1)               /* the provider is overloaded or failed */       \
    X(AUTHENTICATION, "authentication", 0)     /* key refused */                                \
    X(INVALID_REQUEST, "invalid_request", 0)                                                    \
    X(CONTENT_TOO_LONG, "content_too_long", 0) /* the request does not fit the model */         \
    X(CONTENT_FILTER, "content_filter", 0)                                                      \
    X(PROTOCOL, "protocol", 0)                 /* the bytes are not what the shape sends */     \
    X(LIMIT, "limit", 0)                       /* one of this library's limits, see desc */     \
    X(OUT_OF_MEMORY, "out_of_memory", 0)       /* the caller's allocator refused */             \
    X(RECOVERABLE, "recoverable", 0)           /* stale metadata in the request: patch it, see elelem_recovery_find */

typedef enum elelem_error_kind {
#define ELELEM_ERROR_KIND_ENUM(name, text, retryable) ELELEM_ERROR_KIND_##name,
    ELELEM_ERROR_KIND_LIST(ELELEM_ERROR_KIND_ENUM)
#undef ELELEM_ERROR_KIND_ENUM
    ELELEM_ERROR_KIND_COUNT
} elelem_error_kind;

/* The error that ended a stream or a turn: `event.error`, `update.error`. Not an elelem_error, which the error functions of
   the other objects return. */
typedef struct elelem_failure {
    uint8_t kind;           /* an elelem_error_kind */
    uint8_t retryable;      /* nonzero: the same request may succeed later */
    int32_t http_status;    /* 0 if it was not set */
    int32_t status;         /* an elelem_status, for the kinds PROTOCOL, LIMIT and OUT_OF_MEMORY: what this library
                               found, such as ERROR_SYNTAX or ERROR_FRAME_SIZE. ERROR_MISUSE, of the kind OTHER, if a
                               push was lost or there is no shape. Else OK */
    int64_t retry_after_ms; /* the delay that the server asked for, even if `retryable` is zero; -1 if there is none */
    uint64_t offset;        /* in the body: of the byte that is not JSON; of the start of the frame in which memory or
                               a limit ran out; else the bytes read when it happened */
    elelem_str code;        /* the provider's own word for the error, or empty */
    elelem_str message;     /* the provider's own sentence, or else one of this library; never empty */
} elelem_failure;

typedef struct elelem_event {
    uint8_t kind;             /* an elelem_event_kind */
    uint8_t reason;           /* FINISHED: an elelem_finish_reason, that of choice 0 */
    uint8_t cut_off;          /* FLUSH of TOOL_CALL or STRUCTURED: nonzero: the item is not whole even if its JSON is,
                                 because the model was stopped before it wrote any or inside a number, or because
                                 the provider marks the item as incomplete. Zero: its JSON shows whether it is */
    uint32_t index;           /* PART, FLUSH: which item; an opaque key, which is not used again in the stream. It grows
                                 in the order in which items begin on the wire, which may be before their first part */
    uint32_t choice;          /* PART, FLUSH: which of the choices asked for, from 0 */
    elelem_event_part part;   /* PART */
    elelem_str raw_reason;    /* FINISHED: the provider's own word */
    elelem_usage usage;       /* FINISHED; of an ERROR nothing is known */
    elelem_failure error;     /* ERROR */
    elelem_metadata metadata; /* any kind */
} elelem_event;

/* Return "completed", "rate_limit" and so on, as in records; "other" for an unknown number. */
ELELEM_API const char *elelem_finish_reason_name(unsigned reason);
ELELEM_API const char *elelem_error_kind_name(unsigned kind);

/* Nonzero if, by this kind alone, the same request may succeed later. */
ELELEM_API int elelem_error_kind_is_retryable(unsigned kind);

#ifdef __cplusplus
}
#endif

#endif
