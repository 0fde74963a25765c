#ifndef ELS_EVENT_C
#define ELS_EVENT_C
#include "event.h"
#include "base.c"

/* >> event */

elelem_str elelem_metadata_get(const elelem_metadata *metadata, const char *key)
{
    size_t i;

    for (i = metadata->count; i > 0; i--)
        if (elelem_str_is(metadata->entries[i - 1].key, key)) return metadata->entries[i - 1].json;
    return els_str(NULL, 0);
}

const char *elelem_finish_reason_name(elelem_finish_reason reason)
{
    switch (reason) {
#define ELS_FINISH_NAME(name, text) \
    case ELELEM_FINISH_##name: return text;
        ELELEM_FINISH_REASON_LIST(ELS_FINISH_NAME)
#undef ELS_FINISH_NAME
    default: return "other";
    }
}

const char *elelem_error_kind_name(elelem_error_kind kind)
{
    switch (kind) {
#define ELS_KIND_NAME(name, text, retryable) \
    case ELELEM_ERROR_KIND_##name: return text;
        ELELEM_ERROR_KIND_LIST(ELS_KIND_NAME)
#undef ELS_KIND_NAME
    default: return "other";
    }
}

int elelem_error_kind_is_retryable(elelem_error_kind kind)
{
    switch (kind) {
#define ELS_KIND_RETRYABLE(name, text, retryable) \
    case ELELEM_ERROR_KIND_##name: return retryable;
        ELELEM_ERROR_KIND_LIST(ELS_KIND_RETRYABLE)
#undef ELS_KIND_RETRYABLE
    default: return 0;
    }
}

#endif
