#ifndef ELS_EVENT_C
#define ELS_EVENT_C
#include "event.h"
#include "base.c"

/* >> event */

/* Sets all counts to unknown. */
ELS_PRIVATE void els_usage_unknown(elelem_usage *usage)
{
    usage->input = usage->output = usage->cached = usage->reasoning = usage->cache_written = -1;
}

elelem_str elelem_metadata_get(const elelem_metadata *metadata, const char *key)
{
    size_t i;

    for (i = metadata->count; i > 0; i--)
        if (elelem_str_is(metadata->entries[i - 1].key, key)) return metadata->entries[i - 1].json;
    return els_str(NULL, 0);
}

const char *elelem_finish_reason_name(unsigned reason)
{
    switch (reason) {
#define ELS_FINISH_NAME(name, text) \
    case ELELEM_FINISH_##name: return text;
        ELELEM_FINISH_REASON_LIST(ELS_FINISH_NAME)
#undef ELS_FINISH_NAME
    default: return "other";
    }
}

const char *elelem_error_kind_name(unsigned kind)
{
    switch (kind) {
#define ELS_KIND_NAME(name, text, retryable) \
    case ELELEM_ERROR_KIND_##name: return text;
        ELELEM_ERROR_KIND_LIST(ELS_KIND_NAME)
#undef ELS_KIND_NAME
    default: return "other";
    }
}

int elelem_error_kind_is_retryable(unsigned kind)
{
    switch (kind) {
#define ELS_KIND_RETRYABLE(name, text, retryable) \
    case ELELEM_ERROR_KIND_##name: return retryable;
        ELELEM_ERROR_KIND_LIST(ELS_KIND_RETRYABLE)
#undef ELS_KIND_RETRYABLE
    default: return 0;
    }
}

/* The hash by which an object that takes events recognizes a refused one. */

ELS_PRIVATE uint32_t els_debt_hash_text(uint32_t hash, elelem_str text)
{
    uint64_t size = text.size;

    return els_debt_hash(els_debt_hash(hash, &size, sizeof size), text.data, text.size);
}

ELS_PRIVATE uint32_t els_part_hash(uint32_t hash, const elelem_event_part *part)
{
    hash = els_debt_hash(hash, &part->kind, sizeof part->kind);
    hash = els_debt_hash(hash, &part->tool_call.kind, sizeof part->tool_call.kind);
    hash = els_debt_hash(hash, &part->hosted, sizeof part->hosted);
    hash = els_debt_hash_text(hash, part->text);
    hash = els_debt_hash_text(hash, part->type);
    hash = els_debt_hash_text(hash, part->caption);
    hash = els_debt_hash_text(hash, part->tool_call.type);
    hash = els_debt_hash_text(hash, part->tool_call.id);
    hash = els_debt_hash_text(hash, part->tool_call.name);
    return els_debt_hash_text(hash, part->tool_call.text);
}

ELS_PRIVATE uint32_t els_failure_hash(uint32_t hash, const elelem_failure *failure)
{
    hash = els_debt_hash(hash, &failure->kind, sizeof failure->kind);
    hash = els_debt_hash(hash, &failure->retryable, sizeof failure->retryable);
    hash = els_debt_hash(hash, &failure->http_status, sizeof failure->http_status);
    hash = els_debt_hash(hash, &failure->status, sizeof failure->status);
    hash = els_debt_hash(hash, &failure->retry_after_ms, sizeof failure->retry_after_ms);
    hash = els_debt_hash(hash, &failure->offset, sizeof failure->offset);
    hash = els_debt_hash_text(hash, failure->code);
    return els_debt_hash_text(hash, failure->message);
}

/* Adds the members that an event of this kind has, but metadata, which any may have. */
ELS_PRIVATE uint32_t els_event_hash_members(uint32_t hash, const elelem_event *event)
{
    switch (event->kind) {
    case ELELEM_EVENT_PART:
    case ELELEM_EVENT_FLUSH:
        hash = els_debt_hash(hash, &event->index, sizeof event->index);
        hash = els_debt_hash(hash, &event->choice, sizeof event->choice);
        if (event->kind == ELELEM_EVENT_PART) return els_part_hash(hash, &event->part);
        return els_debt_hash(hash, &event->cut_off, sizeof event->cut_off);
    case ELELEM_EVENT_FINISHED:
        hash = els_debt_hash(hash, &event->reason, sizeof event->reason);
        hash = els_debt_hash(hash, &event->usage, sizeof event->usage);
        return els_debt_hash_text(hash, event->raw_reason);
    case ELELEM_EVENT_ERROR: return els_failure_hash(hash, &event->error);
    default: return hash;
    }
}

ELS_PRIVATE uint32_t els_event_hash(const elelem_event *event)
{
    uint32_t hash = els_debt_hash(ELS_DEBT_START, &event->kind, sizeof event->kind);
    size_t i;

    hash = els_event_hash_members(hash, event);
    for (i = 0; i < event->metadata.count; i++) {
        hash = els_debt_hash_text(hash, event->metadata.entries[i].key);
        hash = els_debt_hash_text(hash, event->metadata.entries[i].json);
    }
    return hash;
}

/* Nonzero if the event may be taken: the object is ready, and no other event is owed. Else it is owed. */
ELS_PRIVATE int els_debt_takes_event(els_debt *debt, const elelem_event *event, int is_ready)
{
    uint32_t hash = is_ready && debt->state == ELS_DEBT_NONE ? 0 : els_event_hash(event);
    int is_allowed = els_debt_allows_only(debt, 0, hash);

    if (is_ready && is_allowed) debt->state = ELS_DEBT_NONE;
    else els_debt_refuse(debt, 0, hash, is_allowed);
    return is_ready && is_allowed;
}

#endif
