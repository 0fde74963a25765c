#ifndef ELS_USAGE_C
#define ELS_USAGE_C
#include "usage.h"
#include "base.c"
#include "value.c"
#include "writer.c"

/* >> usage */

/* Before each member of the raw usage. Most members differ in it, so that their text is not read. */
typedef struct els_usage_head {
    uint32_t hash; /* of the key */
    uint32_t size; /* of the text */
} els_usage_head;

/* What earlier frames had is kept if it is not more than this, so that a frame costs little more than its own bytes. */
#define ELS_USAGE_MEMBERS 32
#define ELS_USAGE_BYTES 4096

/* The head at this offset of the members, and where the next one is. */
ELS_PRIVATE els_usage_head els_usage_head_at(const elelem_buffer *usage, size_t offset, size_t *next)
{
    els_usage_head head;

    memcpy(&head, usage->els_memory.data + offset, sizeof head);
    *next = offset + sizeof head + head.size;
    return head;
}

ELS_PRIVATE uint32_t els_usage_hash(elelem_value member)
{
    elelem_str key = elelem_value_key(member);

    return els_debt_hash(ELS_DEBT_START, key.data, key.size);
}

/* The offset of the member with this hash among the first `size` bytes; `size` if there is none. */
ELS_PRIVATE size_t els_usage_find(const elelem_buffer *usage, size_t size, uint32_t hash)
{
    size_t offset = 0, next = 0;

    while (offset < size && els_usage_head_at(usage, offset, &next).hash != hash)
        offset = next;
    return offset;
}

ELS_PRIVATE void els_usage_remove(elelem_buffer *usage, size_t offset)
{
    size_t next;

    els_usage_head_at(usage, offset, &next);
    memmove(usage->els_memory.data + offset, usage->els_memory.data + next, usage->els_size - next);
    usage->els_size -= next - offset;
}

/* Nonzero if what earlier frames had may be kept. */
ELS_PRIVATE int els_usage_is_small(const elelem_buffer *usage)
{
    size_t offset, count = 0;

    if (usage->els_size > ELS_USAGE_BYTES) return 0;
    for (offset = 0; offset < usage->els_size; count++)
        els_usage_head_at(usage, offset, &offset);
    return count <= ELS_USAGE_MEMBERS;
}

/* Removes what the object has too. A member that is null replaces none. */
ELS_PRIVATE void els_usage_forget(elelem_buffer *usage, elelem_value raw)
{
    elelem_value member;

    if (!els_usage_is_small(usage)) usage->els_size = 0;
    for (member = elelem_value_first(raw); usage->els_size > 0 && member.els_node; member = elelem_value_next(member)) {
        size_t offset = els_usage_find(usage, usage->els_size, els_usage_hash(member));
        if (offset < usage->els_size && els_is_value(member)) els_usage_remove(usage, offset);
    }
}

/* Adds the member, or nothing if it returns an error. */
ELS_PRIVATE elelem_status els_usage_add(elelem_buffer *usage, elelem_value member, uint32_t hash)
{
    els_usage_head head;
    elelem_writer key, value;
    size_t offset = usage->els_size;
    elelem_status status;

    head.hash = hash;
    head.size = 0;
    status = elelem_buffer_append(usage, &head, sizeof head);
    elelem_writer_init(&key, elelem_buffer_sink(usage), 0);
    elelem_writer_init(&value, elelem_buffer_sink(usage), 0);
    if (status == ELELEM_OK) status = elelem_writer_string(&key, elelem_value_key(member));
    if (status == ELELEM_OK) status = elelem_buffer_append(usage, ":", 1);
    if (status == ELELEM_OK) status = elelem_writer_value(&value, member);
    if (status != ELELEM_OK) {
        usage->els_size = offset;
        return status;
    }
    head.size = (uint32_t)(usage->els_size - offset - sizeof head);
    memcpy(usage->els_memory.data + offset, &head, sizeof head);
    return ELELEM_OK;
}

/* Adds the members of the object to those of earlier frames, which it does not have. */
ELS_PRIVATE elelem_status els_usage_extend(elelem_buffer *usage, elelem_value raw)
{
    size_t earlier = usage->els_size;
    elelem_status status = ELELEM_OK;
    elelem_value member;

    for (member = elelem_value_first(raw); status == ELELEM_OK && member.els_node; member = elelem_value_next(member)) {
        uint32_t hash = els_usage_hash(member);
        if (els_is_value(member) || els_usage_find(usage, earlier, hash) == earlier)
            status = els_usage_add(usage, member, hash);
    }
    return status;
}

/* Merges the object into the usage of earlier frames. If both do not fit into the limit, only what the object has is kept. */
ELS_PRIVATE elelem_status els_usage_merge(elelem_buffer *usage, elelem_value raw)
{
    elelem_status status;
    size_t earlier;

    els_usage_forget(usage, raw);
    earlier = usage->els_size;
    status = els_usage_extend(usage, raw);
    if (status != ELELEM_ERROR_VALUE_SIZE || earlier == 0) return status;
    elelem_buffer_clear(usage);
    return els_usage_extend(usage, raw);
}

/* Makes one object of the members, in place: it is shorter than they are with their heads. */
ELS_PRIVATE elelem_str els_usage_text(elelem_buffer *usage)
{
    unsigned char *data = usage->els_memory.data;
    size_t from = 0, to = 0, next;

    if (usage->els_size == 0) return els_str(NULL, 0);
    for (; from < usage->els_size; from = next) {
        els_usage_head head = els_usage_head_at(usage, from, &next);
        data[to] = from == 0 ? '{' : ',';
        memmove(data + to + 1, data + from + sizeof head, head.size);
        to += 1 + head.size;
    }
    data[to++] = '}';
    usage->els_size = to;
    return elelem_buffer_text(usage);
}

#endif
