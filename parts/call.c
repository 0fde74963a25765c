#ifndef ELS_CALL_C
#define ELS_CALL_C
#include "call.h"
#include "base.c"
#include "fragment.c"
#include "writer.c"
#include "event.c"
#include "metadata.c"
#include "line.c"

/* >> call */

/* Open tool calls, in the order they were opened. */

typedef struct els_call {
    elelem_buffer id;
    elelem_buffer name;
    elelem_buffer type;
    elelem_buffer extra; /* members of the line that opened it */
    elelem_buffer arguments;
    els_meta meta;
    int64_t time_ms;
    uint32_t index;
    uint32_t choice;
    uint8_t cut_off; /* its flush said so */
} els_call;

ELS_PRIVATE void els_calls_init(els_calls *calls, elelem_allocator allocator, uint32_t max_bytes, uint32_t max_calls)
{
    memset(calls, 0, sizeof *calls);
    calls->els_slots.allocator = allocator;
    calls->els_max = ELS_DEFAULT(max_calls, 256u);
    els_budget_init(&calls->els_allowance, ELS_DEFAULT(max_bytes, 64u << 20));
}

ELS_PRIVATE els_call *els_call_at(const els_calls *calls, size_t i)
{
    return (els_call *)(void *)calls->els_slots.data + i;
}

ELS_PRIVATE els_call *els_calls_find(const els_calls *calls, uint32_t index)
{
    size_t i;

    for (i = calls->els_count; i > 0; i--)
        if (els_call_at(calls, i - 1)->index == index) return els_call_at(calls, i - 1);
    return NULL;
}

ELS_PRIVATE elelem_status els_calls_open(els_calls *calls, const elelem_event *event, els_call **call)
{
    size_t needed = els_product(els_sum(calls->els_count, 1), sizeof **call);
    size_t limit = els_product(calls->els_max, sizeof **call);
    elelem_status status;

    if (calls->els_count >= calls->els_max) return ELELEM_ERROR_COUNT;
    status = els_block_reserve(&calls->els_slots, needed, limit, ELELEM_ERROR_COUNT);
    if (status != ELELEM_OK) return status;
    *call = els_call_at(calls, calls->els_count++);
    memset(*call, 0, sizeof **call);
    elelem_buffer_init(&(*call)->id, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->name, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->type, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->extra, calls->els_slots.allocator, 0);
    elelem_buffer_init(&(*call)->arguments, calls->els_slots.allocator, 0);
    els_meta_init(&(*call)->meta, calls->els_slots.allocator);
    (*call)->time_ms = -1;
    (*call)->index = event->index;
    (*call)->choice = event->choice;
    return ELELEM_OK;
}

ELS_PRIVATE void els_calls_close(els_calls *calls, els_call *call)
{
    size_t after = (size_t)(els_call_at(calls, calls->els_count) - (call + 1));

    els_budget_drop(&calls->els_allowance, &call->id);
    els_budget_drop(&calls->els_allowance, &call->name);
    els_budget_drop(&calls->els_allowance, &call->type);
    els_budget_drop(&calls->els_allowance, &call->extra);
    els_budget_drop(&calls->els_allowance, &call->arguments);
    els_meta_free(&call->meta, &calls->els_allowance);
    memmove(call, call + 1, after * sizeof *call);
    calls->els_count--;
}

ELS_PRIVATE void els_calls_clear(els_calls *calls)
{
    while (calls->els_count > 0)
        els_calls_close(calls, els_call_at(calls, calls->els_count - 1));
}

ELS_PRIVATE void els_calls_free(els_calls *calls)
{
    els_calls_clear(calls);
    els_block_free(&calls->els_slots);
}

/* Keeps a name of the call: the first that is not empty counts. */
ELS_PRIVATE elelem_status els_call_name(els_budget *budget, elelem_buffer *known, elelem_str name)
{
    return known->els_size > 0 ? ELELEM_OK : els_budget_append(budget, known, name);
}

ELS_PRIVATE elelem_status els_call_add(els_budget *budget, els_call *call, const elelem_tool_call_part *part)
{
    elelem_status status;

    if (part->kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK) return els_budget_append(budget, &call->arguments, part->text);
    status = els_call_name(budget, &call->id, part->id);
    if (status == ELELEM_OK) status = els_call_name(budget, &call->name, part->name);
    return status == ELELEM_OK ? els_call_name(budget, &call->type, part->type) : status;
}

/* Merges metadata into that of a call. If that is refused, nothing has changed. */
ELS_PRIVATE elelem_status els_calls_merge(els_calls *calls, els_call *call, const elelem_metadata *metadata)
{
    return els_meta_merge(&call->meta, &calls->els_allowance, ELS_META_KEYS, metadata);
}

/* Adds a part to its call, which is opened if it is new. If that is refused, the call is as it was before. */
ELS_PRIVATE elelem_status els_calls_take(els_calls *calls, const elelem_event *event)
{
    els_call *call = els_calls_find(calls, event->index);
    int is_new = !call;
    size_t id, name, type, arguments;
    elelem_status status = is_new ? els_calls_open(calls, event, &call) : ELELEM_OK;

    if (status != ELELEM_OK) return status;
    id = call->id.els_size;
    name = call->name.els_size;
    type = call->type.els_size;
    arguments = call->arguments.els_size;
    status = els_call_add(&calls->els_allowance, call, &event->part.tool_call);
    if (status == ELELEM_OK) status = els_calls_merge(calls, call, &event->metadata);
    if (status == ELELEM_OK) return status;
    els_budget_cut(&calls->els_allowance, &call->id, id);
    els_budget_cut(&calls->els_allowance, &call->name, name);
    els_budget_cut(&calls->els_allowance, &call->type, type);
    els_budget_cut(&calls->els_allowance, &call->arguments, arguments);
    if (is_new) els_calls_close(calls, call);
    return status;
}

/* Sets `input` to the arguments as JSON ({} if they are blank, as in the event builder), or leaves it empty
   if they are not JSON or were cut off. OK or ERROR_MEMORY. Memory is needed here only, before the line is begun. */
ELS_PRIVATE elelem_status els_call_input(elelem_fragment_parser *check, const els_call *call, elelem_str *input)
{
    elelem_str json = els_trimmed(elelem_buffer_text(&call->arguments));
    elelem_status status = json.size > 0 ? els_line_check_json(check, json) : ELELEM_OK;

    *input = json.size > 0 ? json : elelem_str_of("{}");
    if ((status == ELELEM_OK && !call->cut_off) || status == ELELEM_ERROR_MEMORY) return status;
    *input = els_str(NULL, 0);
    return ELELEM_OK;
}

/* Writes all members of a BeforeToolExecution line but those that any line may have. */
ELS_PRIVATE void els_line_put_call(elelem_writer *writer, const els_call *call, elelem_str input)
{
    els_line_put_type(writer, "BeforeToolExecution");
    els_line_put_place(writer, call->index, call->choice);
    els_line_put_known_string(writer, "type", elelem_buffer_text(&call->type));
    els_line_put_known_string(writer, "id", elelem_buffer_text(&call->id));
    els_put_text(writer, "toolName", elelem_buffer_text(&call->name));
    if (input.size > 0) els_put_json(writer, "input", input);
    else els_put_text(writer, "inputText", elelem_buffer_text(&call->arguments));
}

#endif
