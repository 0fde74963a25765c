/* Events as tests spell them: what a stream would give, one call each. Slices point at the caller's
 * texts. Include elelem_stream.h first. */
#ifndef EVENTS_H
#define EVENTS_H

#include <string.h>

static inline elelem_event part(uint32_t index, elelem_part_kind kind, const char *text)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_PART;
    event.index = index;
    event.part.kind = (uint8_t)kind;
    event.part.text = elelem_str_of(text);
    return event;
}

static inline elelem_event message(uint32_t index, const char *text)
{
    return part(index, ELELEM_PART_MESSAGE, text);
}

static inline elelem_event reasoning(uint32_t index, const char *text)
{
    return part(index, ELELEM_PART_REASONING, text);
}

static inline elelem_event structured(uint32_t index, const char *text)
{
    return part(index, ELELEM_PART_STRUCTURED, text);
}

static inline elelem_event provider_item(uint32_t index, const char *type, const char *json)
{
    elelem_event event = part(index, ELELEM_PART_PROVIDER_ITEM, json);

    event.part.type = elelem_str_of(type);
    return event;
}

static inline elelem_event start(uint32_t index, const char *id, const char *name)
{
    elelem_event event = part(index, ELELEM_PART_TOOL_CALL, NULL);

    event.part.tool_call.kind = ELELEM_TOOL_CALL_START;
    event.part.tool_call.id = elelem_str_of(id);
    event.part.tool_call.name = elelem_str_of(name);
    return event;
}

static inline elelem_event chunk_of(uint32_t index, const char *text, size_t size)
{
    elelem_event event = part(index, ELELEM_PART_TOOL_CALL, NULL);

    event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
    event.part.tool_call.text.data = text;
    event.part.tool_call.text.size = size;
    return event;
}

static inline elelem_event chunk(uint32_t index, const char *text)
{
    return chunk_of(index, text, strlen(text));
}

static inline elelem_event flush(uint32_t index)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_FLUSH;
    event.index = index;
    return event;
}

static inline elelem_event end_of(elelem_event_kind kind)
{
    elelem_event event = ELELEM_INIT;

    event.kind = (uint8_t)kind;
    return event;
}

static inline elelem_event finished(elelem_finish_reason reason, const char *raw)
{
    elelem_event event = end_of(ELELEM_EVENT_FINISHED);

    event.reason = (uint8_t)reason;
    event.raw_reason = elelem_str_of(raw);
    event.usage.input = event.usage.output = event.usage.cached = event.usage.reasoning = event.usage.cache_written = -1;
    return event;
}

static inline elelem_event failed(elelem_error_kind kind, const char *sentence)
{
    elelem_event event = end_of(ELELEM_EVENT_ERROR);

    event.error.kind = (uint8_t)kind;
    event.error.retry_after_ms = -1;
    event.error.message = elelem_str_of(sentence);
    return event;
}

/* The event with one entry of metadata; it must be used before the next is made. */
static inline elelem_event with(elelem_event event, const char *key, const char *json)
{
    static elelem_metadata_entry entry;

    entry.key = elelem_str_of(key);
    entry.json = elelem_str_of(json);
    event.metadata.entries = &entry;
    event.metadata.count = 1;
    return event;
}

#endif
