#ifndef ELS_ITEM_READER_C
#define ELS_ITEM_READER_C
#include "item_reader.h"
#include "base.c"
#include "writer.c"
#include "event.c"
#include "builder.c"
#include "line.c"
#include "replayer.c"
#include "history.c"

/* >> item_reader */

/* What the reader does next, once the builder has nothing more to return. */
typedef enum els_item_reading {
    ELS_READ_NEXT,  /* takes the next line of the entry, else of the input */
    ELS_READ_TAKE,  /* finds out what the current line means */
    ELS_READ_QUEUE, /* pushes the events that it means */
    ELS_READ_CUT,   /* drains the builder */
    ELS_READ_GIVE,  /* returns the current line unchanged */
    ELS_READ_OVER
} els_item_reading;

/* The members of a line that elelem_item_write wrote. */
typedef enum els_stored {
    ELS_STORED_TYPE,
    ELS_STORED_INDEX,
    ELS_STORED_CHOICE,
    ELS_STORED_STATE,
    ELS_STORED_METADATA,
    ELS_STORED_TEXT,
    ELS_STORED_VALUE,
    ELS_STORED_ID,
    ELS_STORED_NAME,
    ELS_STORED_CALL_TYPE,
    ELS_STORED_ARGUMENTS,
    ELS_STORED_ARGUMENTS_TEXT,
    ELS_STORED_PARTIAL_ARGUMENTS,
    ELS_STORED_ITEM_TYPE,
    ELS_STORED_HOSTED,
    ELS_STORED_CAPTION,
    ELS_STORED_ITEM,
    ELS_STORED_MEMBERS
} els_stored;

static const char *const els_stored_names[] = {
    "type",      "index",         "choice",           "state",    "metadata", "text",    "value", "id", "name", "callType",
    "arguments", "argumentsText", "partialArguments", "itemType", "hosted",   "caption", "item",
};

/* The members of a BeforeToolExecution line that no other line has. */
static const char *const els_before_names[] = { "input", "inputText", "arguments" };

#define ELS_READ_NO_INDEX 0xffffffffu

ELS_PRIVATE elelem_status els_read_fail(elelem_item_reader *r, elelem_status status)
{
    r->els_status = status;
    r->els_phase = ELS_READ_OVER;
    return status;
}

/* The queue. */

ELS_PRIVATE elelem_event *els_read_add(elelem_item_reader *r, elelem_event_kind kind, uint32_t index, uint32_t choice)
{
    elelem_event *event = &r->els_queue[r->els_queued++];

    memset(event, 0, sizeof *event);
    event->kind = (uint8_t)kind;
    event->index = index;
    event->choice = choice;
    return event;
}

/* Adds the end of the item whose parts are in the queue. */
ELS_PRIVATE void els_read_add_flush(elelem_item_reader *r)
{
    const elelem_event *first = &r->els_queue[0];

    els_read_add(r, ELELEM_EVENT_FLUSH, first->index, first->choice);
}

ELS_PRIVATE void els_read_add_arguments(elelem_item_reader *r, elelem_str json)
{
    const elelem_event *first = &r->els_queue[0];
    elelem_event *event;

    if (json.size == 0) return;
    event = els_read_add(r, ELELEM_EVENT_PART, first->index, first->choice);
    event->part.kind = ELELEM_PART_TOOL_CALL;
    event->part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
    event->part.tool_call.text = json;
}

ELS_PRIVATE void els_read_flush_row(elelem_item_reader *r, const els_row *row)
{
    elelem_event flush = ELELEM_INIT;

    flush.kind = ELELEM_EVENT_FLUSH;
    flush.index = row->index;
    flush.choice = row->choice;
    elelem_event_builder_push(&r->els_builder, &flush); /* cannot be refused: the item is open and has no metadata */
}

/* Ends what is open: the response is over, and whole. Returns 0 if nothing is. */
ELS_PRIVATE int els_read_flush_one(elelem_item_reader *r)
{
    if (r->els_builder.els_open == 0) return 0;
    els_read_flush_row(r, els_builder_row(&r->els_builder, els_builder_order(&r->els_builder)[0]));
    return 1;
}

/* Ends the open item that has the index of a part of another item. Returns 0 if there is none. */
ELS_PRIVATE int els_read_flush_other(elelem_item_reader *r, const elelem_event *part)
{
    uint32_t at;
    const els_row *row = els_builder_find(&r->els_builder, part->index, &at);

    if (!row || (row->kind == part->part.kind && row->choice == part->choice)) return 0;
    els_read_flush_row(r, row);
    return 1;
}

/* Lines of items. */

/* Nonzero if only what follows the JSON, or a flush, ends it. */
ELS_PRIVATE int els_read_is_number(elelem_str json)
{
    return json.size > 0 && (json.data[0] == '-' || (json.data[0] >= '0' && json.data[0] <= '9'));
}

/* The number that the arguments of a call are is whole, though the call is not. The text of arguments is left as it was. */
ELS_PRIVATE elelem_status els_read_call(elelem_item_reader *r, const elelem_str *stored, elelem_event *event)
{
    elelem_tool_call_part *call = &event->part.tool_call;
    elelem_str arguments = stored[ELS_STORED_ARGUMENTS];
    int is_text = stored[ELS_STORED_ARGUMENTS_TEXT].size > 0;
    elelem_status status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_ID], &call->id);

    if (status == ELELEM_OK) status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_NAME], &call->name);
    if (status == ELELEM_OK) status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_CALL_TYPE], &call->type);
    if (arguments.size == 0) arguments = stored[ELS_STORED_PARTIAL_ARGUMENTS];
    if (status == ELELEM_OK && is_text)
        status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_ARGUMENTS_TEXT], &arguments);
    els_read_add_arguments(r, arguments);
    if (r->els_state != ELELEM_ITEM_COMPLETE && !is_text && els_read_is_number(arguments)) els_read_add_arguments(r, elelem_str_of(" "));
    return status;
}

ELS_PRIVATE elelem_status els_read_provider_item(elelem_item_reader *r, const elelem_str *stored, elelem_event_part *part)
{
    elelem_status status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_ITEM_TYPE], &part->type);

    if (status == ELELEM_OK) status = els_line_read_bool(stored[ELS_STORED_HOSTED], &part->hosted);
    if (status == ELELEM_OK) status = els_line_reader_text(&r->els_reader, stored[ELS_STORED_CAPTION], &part->caption);
    part->text = stored[ELS_STORED_ITEM];
    if (status != ELELEM_OK || part->text.size > 0) return status;
    return els_line_reader_text(&r->els_reader, stored[ELS_STORED_TEXT], &part->text);
}

ELS_PRIVATE elelem_status els_read_content(elelem_item_reader *r, const elelem_str *stored, elelem_event *event)
{
    if (event->part.kind == ELELEM_PART_TOOL_CALL) return els_read_call(r, stored, event);
    if (event->part.kind == ELELEM_PART_PROVIDER_ITEM) return els_read_provider_item(r, stored, &event->part);
    event->part.text = stored[ELS_STORED_VALUE];
    if (event->part.text.size > 0) return ELELEM_OK;
    return els_line_reader_text(&r->els_reader, stored[ELS_STORED_TEXT], &event->part.text);
}

/* Puts the events of an item's own line into the queue. ERROR_TYPE: it is not such a line. */
ELS_PRIVATE elelem_status els_read_stored(elelem_item_reader *r)
{
    elelem_str stored[ELS_STORED_MEMBERS];
    elelem_event *event;
    uint32_t index = 0, choice = 0;
    uint8_t kind;
    elelem_status status;

    r->els_queued = 0;
    r->els_state = ELELEM_ITEM_COMPLETE;
    els_line_reader_start(&r->els_reader, r->els_item.line);
    els_line_members(r->els_item.line, els_stored_names, ELS_STORED_MEMBERS, stored);
    status = els_line_read_word(&r->els_reader, stored[ELS_STORED_TYPE], els_part_name, ELELEM_PART_PROVIDER_ITEM + 1, &kind);
    if (status == ELELEM_OK && stored[ELS_STORED_STATE].size > 0)
        status = els_line_read_word(&r->els_reader, stored[ELS_STORED_STATE], elelem_item_state_name,
                                    ELELEM_ITEM_LEFT_OUT + 1, &r->els_state);
    if (status == ELELEM_OK) status = els_line_read_32(stored[ELS_STORED_INDEX], &index);
    if (status == ELELEM_OK) status = els_line_read_32(stored[ELS_STORED_CHOICE], &choice);
    if (status != ELELEM_OK) return status;
    event = els_read_add(r, ELELEM_EVENT_PART, index, choice);
    event->part.kind = kind;
    status = els_line_read_metadata(&r->els_reader, stored[ELS_STORED_METADATA], &event->metadata);
    if (status == ELELEM_OK) status = els_read_content(r, stored, event);
    if (r->els_state == ELELEM_ITEM_COMPLETE) els_read_add_flush(r);
    return status;
}

/* Reads the arguments of a BeforeToolExecution line: a value; or a text, which is JSON if nothing went wrong. */
ELS_PRIVATE elelem_status els_read_before_input(elelem_item_reader *r, elelem_str *json, int *is_broken)
{
    elelem_str input[ELS_COUNT(els_before_names)];

    els_line_members(r->els_item.line, els_before_names, ELS_COUNT(els_before_names), input);
    *is_broken = input[0].size == 0 && input[1].size > 0;
    *json = input[0].size > 0 ? input[0] : input[2];
    if (*is_broken) return els_line_reader_text(&r->els_reader, input[1], json);
    if (input[0].size > 0 || json->size == 0 || json->data[0] != '"') return ELELEM_OK;
    return els_line_reader_text(&r->els_reader, input[2], json);
}

/* Puts the events of a BeforeToolExecution line into the queue. ERROR_TYPE: it is not one that a recorder writes. */
ELS_PRIVATE elelem_status els_read_before(elelem_item_reader *r)
{
    elelem_str fields[ELS_LINE_FIELD_COUNT], json = els_str(NULL, 0);
    elelem_event *event;
    uint32_t index = 0, choice = 0;
    int is_broken = 0;
    elelem_status status;

    r->els_queued = 0;
    els_line_reader_start(&r->els_reader, r->els_item.line);
    els_line_members(r->els_item.line, els_line_field_names, ELS_LINE_FIELD_COUNT, fields);
    status = els_line_read_32(fields[ELS_LINE_FIELD_INDEX], &index);
    if (status == ELELEM_OK) status = els_line_read_32(fields[ELS_LINE_FIELD_CHOICE], &choice);
    if (status != ELELEM_OK) return status;
    if (fields[ELS_LINE_FIELD_INDEX].size == 0) index = ELS_READ_NO_INDEX;
    event = els_read_add(r, ELELEM_EVENT_PART, index, choice);
    event->part.kind = ELELEM_PART_TOOL_CALL;
    status = els_line_read_metadata(&r->els_reader, fields[ELS_LINE_FIELD_METADATA], &event->metadata);
    if (status == ELELEM_OK) status = els_line_read_call_start(&r->els_reader, fields, &event->part.tool_call);
    if (status == ELELEM_OK) status = els_read_before_input(r, &json, &is_broken);
    if (status != ELELEM_OK) return status;
    els_read_add_arguments(r, json);
    r->els_before_index = index;
    r->els_before_choice = choice;
    r->els_before = (uint8_t)(1 + is_broken);
    return ELELEM_OK;
}

/* Nonzero if an open item is the call in the queue, which has no index. */
ELS_PRIVATE int els_read_is_named(const els_row *row, const elelem_tool_call_part *call)
{
    if (row->kind != ELELEM_PART_TOOL_CALL || call->id.size == 0) return 0;
    return elelem_str_equal(els_row_name(row, row->id), call->id) && elelem_str_equal(els_row_name(row, row->name), call->name);
}

/* Nonzero if the events of the call in the queue come too. */
ELS_PRIVATE int els_read_is_open(const elelem_item_reader *r)
{
    const elelem_event_builder *b = &r->els_builder;
    const elelem_event *event = &r->els_queue[0];
    uint32_t i;

    if (event->index != ELS_READ_NO_INDEX) return els_builder_find(b, event->index, &i) != NULL;
    for (i = 0; i < b->els_open; i++)
        if (els_read_is_named(els_builder_row(b, els_builder_order(b)[i]), &event->part.tool_call)) return 1;
    return 0;
}

/* The calls that were returned and are whole. The application's own line of a call may come after its events, and has no index then. */

/* The most bytes of them; only the last of very many or with very long ids are kept. */
#define ELS_READ_GIVEN_BYTES 4096

/* Forgets the calls of a response that is over, now that another begins. */
ELS_PRIVATE void els_read_begin_response(elelem_item_reader *r)
{
    if (r->els_is_over) elelem_buffer_clear(&r->els_given);
    r->els_is_over = 0;
}

/* Before each id and name. */
typedef struct els_given_call {
    uint16_t id;   /* bytes */
    uint16_t name;
    uint16_t has_index;
} els_given_call;

ELS_PRIVATE elelem_status els_read_remember(elelem_item_reader *r, const elelem_item *item)
{
    elelem_buffer *given = &r->els_given;
    elelem_str id = item->tool_call.id, name = item->tool_call.name;
    size_t size = els_sum(els_sum(id.size, name.size), sizeof(els_given_call));
    els_given_call call;
    elelem_status status;

    if (item->kind != ELELEM_PART_TOOL_CALL || item->state != ELELEM_ITEM_COMPLETE || id.size == 0 || size > ELS_READ_GIVEN_BYTES) return ELELEM_OK;
    if (size > ELS_READ_GIVEN_BYTES - given->els_size) elelem_buffer_clear(given);
    memset(&call, 0, sizeof call);
    call.id = (uint16_t)id.size;
    call.name = (uint16_t)name.size;
    call.has_index = item->index != ELS_READ_NO_INDEX;
    status = els_block_reserve(&given->els_memory, els_sum(given->els_size, size), ELS_READ_GIVEN_BYTES, ELELEM_ERROR_MEMORY);
    if (status != ELELEM_OK) return status;
    els_buffer_put(given, &call, sizeof call);
    els_buffer_put(given, id.data, id.size);
    els_buffer_put(given, name.data, name.size);
    return ELELEM_OK;
}

/* Nonzero if the call in the queue was returned, from a line that has an index if this has none. That is forgotten then. */
ELS_PRIVATE int els_read_was_given(elelem_item_reader *r)
{
    elelem_str text = elelem_buffer_text(&r->els_given);
    const elelem_tool_call_part *part = &r->els_queue[0].part.tool_call;
    int has_index = r->els_queue[0].index != ELS_READ_NO_INDEX;
    size_t at = 0, size;
    els_given_call call;

    for (; at < text.size; at += size) {
        const char *id = text.data + at + sizeof call;
        memcpy(&call, text.data + at, sizeof call);
        size = sizeof call + call.id + call.name;
        if (call.has_index == has_index || !elelem_str_equal(els_str(id, call.id), part->id)) continue;
        if (!elelem_str_equal(els_str(id + call.id, call.name), part->name)) continue;
        memmove(r->els_given.els_memory.data + at, text.data + at + size, text.size - at - size);
        r->els_given.els_size -= size;
        return 1;
    }
    return 0;
}

/* The call of such a line is open until the next line is known: a coalescer leaves a Flush with the metadata that it lacks. */

/* Ends that call. */
ELS_PRIVATE elelem_status els_read_end_before(elelem_item_reader *r)
{
    elelem_event flush = ELELEM_INIT;

    flush.kind = ELELEM_EVENT_FLUSH;
    flush.index = r->els_before_index;
    flush.choice = r->els_before_choice;
    flush.cut_off = r->els_before > 1;
    r->els_before = 0;
    elelem_event_builder_push(&r->els_builder, &flush); /* cannot be refused: as above */
    return ELS_AGAIN;
}

/* Nonzero if the current line is the Flush of that call. The line of a call may lack the index. */
ELS_PRIVATE int els_read_is_flush_of_before(const elelem_item_reader *r)
{
    uint32_t at;

    if (!els_item_is_kind(&r->els_item, ELELEM_EVENT_FLUSH)) return 0;
    if (r->els_item.event.index == r->els_before_index) return 1;
    return r->els_before_index == ELS_READ_NO_INDEX && !els_builder_find(&r->els_builder, r->els_item.event.index, &at);
}

/* Makes the current line, which is the Flush of that call, one of its index. */
ELS_PRIVATE void els_read_flush_before(elelem_item_reader *r)
{
    elelem_event *flush = &r->els_item.event;

    flush->index = r->els_before_index;
    flush->choice = r->els_before_choice;
    flush->cut_off |= r->els_before > 1;
    r->els_before = 0;
}

/* Drops that call if it has no index and the current line is of it too, has one, and is whole: it may have more, such as a
   signature. */
ELS_PRIVATE int els_read_drop_before(elelem_item_reader *r)
{
    elelem_event_builder *b = &r->els_builder;
    uint32_t choice = r->els_before_choice, at;
    els_row *row = els_builder_find(b, ELS_READ_NO_INDEX, &at);
    uint8_t before = r->els_before;
    int is_it;

    if (!row || !elelem_str_is(r->els_item.type, "BeforeToolExecution")) return 0;
    r->els_item.type = elelem_str_of("BeforeToolExecution"); /* what it points to is read again */
    is_it = els_read_before(r) == ELELEM_OK && r->els_before_index != ELS_READ_NO_INDEX && r->els_before == 1;
    is_it = is_it && els_read_is_named(row, &r->els_queue[0].part.tool_call);
    if (is_it) {
        els_builder_close(b, at);
        els_builder_clear(b, row);
    }
    r->els_before_index = ELS_READ_NO_INDEX;
    r->els_before_choice = choice;
    r->els_before = is_it ? 0 : before;
    return is_it;
}

/* Entries of a history. */

/* Reads an entry. ERROR_TYPE: the line is none. */
ELS_PRIVATE elelem_status els_read_entry(elelem_item_reader *r)
{
    static const char *const roles[] = { "AI", "USER" };
    elelem_str values[ELS_HISTORY_MEMBERS], role;
    elelem_history_entry *entry = &r->els_entry;
    elelem_status status;

    els_line_reader_start(&r->els_reader, r->els_item.line);
    els_line_members(r->els_item.line, els_history_names, ELS_HISTORY_MEMBERS, values);
    status = els_line_reader_text(&r->els_reader, values[ELS_HISTORY_ROLE], &role);
    if (status != ELELEM_OK) return status;
    if (!elelem_str_is(role, roles[0]) && !elelem_str_is(role, roles[1])) return ELELEM_ERROR_TYPE;
    memset(entry, 0, sizeof *entry);
    r->els_entry_text = els_str(NULL, 0);
    entry->role = elelem_str_is(role, roles[1]) ? ELELEM_HISTORY_USER : ELELEM_HISTORY_AI;
    status = els_history_attach(entry, values[ELS_HISTORY_ATTACHMENTS]);
    if (values[ELS_HISTORY_INCOMPLETE].size > 0) entry->state = ELELEM_HISTORY_BROKEN;
    if (values[ELS_HISTORY_EVENTS].size > 0 && values[ELS_HISTORY_EVENTS].data[0] != '[') status = ELELEM_ERROR_TYPE;
    if (status != ELELEM_OK) return status;
    entry->events = values[ELS_HISTORY_EVENTS];
    if (values[ELS_HISTORY_TEXT].size > 2) r->els_entry_text = values[ELS_HISTORY_TEXT];
    if (entry->events.size > 0) return ELELEM_OK;
    entry->has_text = 1;
    return els_line_reader_text(&r->els_reader, values[ELS_HISTORY_TEXT], &entry->text);
}

/* Puts the text of an entry that has no events, and its attachments, into the queue. */
ELS_PRIVATE void els_read_entry_text(elelem_item_reader *r)
{
    elelem_event *event;

    r->els_queued = 0;
    event = els_read_add(r, ELELEM_EVENT_PART, 0, 0);
    event->part.text = r->els_entry.text;
    if (r->els_entry.attachments.size > 0) {
        r->els_attachments.key = elelem_str_of("attachments");
        r->els_attachments.json = r->els_entry.attachments;
        event->metadata.entries = &r->els_attachments;
        event->metadata.count = 1;
    }
    els_read_add_flush(r);
}

/* Puts the text of an entry, which was in none of its events, into the queue. ERROR_TYPE: it is no string. */
ELS_PRIVATE elelem_status els_read_late_text(elelem_item_reader *r)
{
    elelem_str quoted = r->els_entry_text;
    elelem_status status;

    if (els_read_flush_one(r)) return ELS_AGAIN;
    elelem_event_builder_reset(&r->els_builder);
    r->els_entry_text = els_str(NULL, 0);
    els_line_reader_start(&r->els_reader, quoted);
    status = els_line_reader_text(&r->els_reader, quoted, &r->els_entry.text);
    if (status == ELELEM_ERROR_TYPE) return ELS_AGAIN;
    if (status != ELELEM_OK) return els_read_fail(r, status);
    r->els_entry.attachments = els_str(NULL, 0); /* they were before the events */
    els_read_entry_text(r);
    r->els_phase = ELS_READ_QUEUE;
    return ELS_AGAIN;
}

/* Taking lines. */

ELS_PRIVATE elelem_status els_read_give(elelem_item_reader *r, elelem_read_item *item)
{
    item->kind = ELELEM_READ_LINE;
    item->role = r->els_entry.events.size > 0 ? r->els_entry.role : (uint8_t)ELELEM_HISTORY_AI;
    item->line = r->els_item.line;
    item->type = r->els_item.type;
    r->els_phase = ELS_READ_NEXT;
    return ELELEM_OK;
}

/* Leaves the entry, which is over. Items of it that are still open keep its role. */
ELS_PRIVATE void els_read_leave_entry(elelem_item_reader *r)
{
    r->els_entry.events = els_str(NULL, 0);
    r->els_entry.state = ELELEM_HISTORY_COMPLETE;
    r->els_entry_at = 0;
    if (r->els_builder.els_open == 0) r->els_entry.role = ELELEM_HISTORY_AI;
}

/* What is open is cut off; then the next line is read. */
ELS_PRIVATE elelem_status els_read_cut_open(elelem_item_reader *r)
{
    r->els_phase = ELS_READ_CUT;
    r->els_item.line = els_str(NULL, 0);
    return ELS_AGAIN;
}

/* The next line: of the entry, else of the input. */
ELS_PRIVATE elelem_status els_read_next(elelem_item_reader *r)
{
    elelem_str line;
    elelem_status status;

    r->els_state = ELELEM_ITEM_COMPLETE;
    if (elelem_history_entry_event(&r->els_entry, &r->els_entry_at, &line)) {
        status = line.data[0] == '{' ? els_line_read(&r->els_reader, line, 0, &r->els_item) : ELELEM_ERROR_TYPE;
    } else {
        if (r->els_before && r->els_entry.events.size > 0) return els_read_end_before(r);
        if (r->els_entry.state != ELELEM_HISTORY_COMPLETE && r->els_builder.els_open > 0) return els_read_cut_open(r);
        if (r->els_entry.events.size > 0 && r->els_entry_text.size > 0) return els_read_late_text(r);
        els_read_leave_entry(r);
        status = elelem_replayer_next(&r->els_replayer, &r->els_item);
    }
    if (status == ELELEM_END && r->els_before) return els_read_end_before(r);
    if (status == ELELEM_END && r->els_builder.els_open > 0) return els_read_cut_open(r);
    if (status == ELELEM_OK) r->els_phase = ELS_READ_TAKE;
    return status == ELELEM_OK ? ELS_AGAIN : status < 0 ? els_read_fail(r, status) : status;
}

/* What the current line does, if it is one of those that are not events. */
ELS_PRIVATE elelem_status els_read_line(elelem_item_reader *r)
{
    elelem_status status = ELELEM_ERROR_TYPE;

    r->els_phase = ELS_READ_GIVE;
    if (elelem_str_is(r->els_item.type, "BeforeToolExecution")) {
        r->els_item.type = elelem_str_of("BeforeToolExecution"); /* what it points to is read again */
        status = els_read_before(r);
        if (status != ELELEM_OK) return status;
        r->els_phase = ELS_READ_QUEUE;
        if (r->els_queue[0].index != ELS_READ_NO_INDEX) els_read_begin_response(r);
        if (!els_read_is_open(r) && !els_read_was_given(r)) return status;
        r->els_before = 0;
        r->els_phase = ELS_READ_NEXT;
        return status;
    }
    if (r->els_item.type.size > 0) return ELELEM_OK;
    status = els_read_stored(r);
    if (status == ELELEM_ERROR_TYPE) {
        status = r->els_entry.events.size > 0 ? ELELEM_ERROR_TYPE : els_read_entry(r);
        if (status != ELELEM_OK) return status;
        r->els_phase = ELS_READ_NEXT;
        if (!r->els_entry.has_text && r->els_entry.attachments.size == 0) return status;
        els_read_entry_text(r);
        r->els_phase = ELS_READ_QUEUE;
    } else if (status == ELELEM_OK) {
        r->els_phase = ELS_READ_QUEUE;
    }
    return status;
}

/* Nonzero if the current line says that nothing more of what is open will come. */
ELS_PRIVATE int els_read_ends_open(const elelem_item_reader *r)
{
    if (r->els_item.kind == ELELEM_RECORD_LINE) return r->els_item.type.size == 0;
    return r->els_item.event.kind == ELELEM_EVENT_FINISHED;
}

ELS_PRIVATE elelem_status els_read_take(elelem_item_reader *r)
{
    const elelem_event *event = &r->els_item.event;
    elelem_status status;

    if (r->els_before && !els_read_drop_before(r)) {
        if (!els_read_is_flush_of_before(r)) return els_read_end_before(r);
        els_read_flush_before(r);
    }
    if (els_read_ends_open(r)) {
        if (els_read_flush_one(r)) return ELS_AGAIN;
        r->els_is_over = 1; /* lines of the application may follow */
        if (r->els_item.kind == ELELEM_RECORD_LINE) els_read_begin_response(r);
        elelem_event_builder_reset(&r->els_builder);
        if (r->els_entry.events.size == 0) els_read_leave_entry(r);
    }
    if (r->els_item.kind == ELELEM_RECORD_LINE) {
        status = els_read_line(r);
        return status == ELELEM_OK || status == ELELEM_ERROR_TYPE ? ELS_AGAIN : els_read_fail(r, status);
    }
    if (event->kind == ELELEM_EVENT_PART && els_read_flush_other(r, event)) return ELS_AGAIN;
    r->els_queued = 0;
    r->els_phase = event->kind == ELELEM_EVENT_ERROR ? ELS_READ_CUT : ELS_READ_GIVE;
    if (event->kind != ELELEM_EVENT_PART && event->kind != ELELEM_EVENT_FLUSH) return ELS_AGAIN;
    els_read_begin_response(r);
    if (els_item_is_text(&r->els_item) && event->part.kind == ELELEM_PART_MESSAGE && event->part.text.size > 0 && event->choice == 0)
        r->els_entry_text = els_str(NULL, 0);
    r->els_queue[r->els_queued++] = *event;
    r->els_phase = ELS_READ_QUEUE;
    return ELS_AGAIN;
}

/* Pushes the next event of the queue. An event that fits no open item changes nothing. */
ELS_PRIVATE elelem_status els_read_push(elelem_item_reader *r)
{
    elelem_status status;

    if (r->els_taken == r->els_queued) {
        r->els_taken = 0;
        r->els_phase = r->els_state == ELELEM_ITEM_COMPLETE ? ELS_READ_NEXT : ELS_READ_CUT;
        r->els_item.line = els_str(NULL, 0);
        return ELS_AGAIN;
    }
    status = elelem_event_builder_push(&r->els_builder, &r->els_queue[r->els_taken++]);
    return status == ELELEM_OK || status == ELELEM_ERROR_MISUSE ? ELS_AGAIN : els_read_fail(r, status);
}

ELS_PRIVATE elelem_status els_read_built(elelem_item_reader *r, elelem_read_item *item)
{
    elelem_status status;

    if (r->els_built.kind != ELELEM_BUILT_ITEM) return ELS_AGAIN;
    item->kind = ELELEM_READ_ITEM;
    item->role = r->els_entry.role;
    item->item = r->els_built.item;
    if (r->els_state == ELELEM_ITEM_MALFORMED || r->els_state == ELELEM_ITEM_LEFT_OUT) item->item.state = r->els_state;
    status = els_read_remember(r, &item->item);
    return status == ELELEM_OK ? status : els_read_fail(r, status);
}

ELS_PRIVATE elelem_status els_read_step(elelem_item_reader *r, elelem_read_item *item)
{
    elelem_status status;

    if (r->els_phase == ELS_READ_OVER) return (elelem_status)r->els_status;
    status = elelem_event_builder_next(&r->els_builder, &r->els_built);
    if (status == ELELEM_OK) return els_read_built(r, item);
    if (status < 0) return els_read_fail(r, status);
    if (status == ELELEM_END) {
        r->els_is_over = 1; /* lines of the application may follow */
        elelem_event_builder_reset(&r->els_builder);
        r->els_phase = r->els_item.line.data ? ELS_READ_GIVE : ELS_READ_NEXT;
        return ELS_AGAIN;
    }
    switch ((els_item_reading)r->els_phase) {
    case ELS_READ_TAKE: return els_read_take(r);
    case ELS_READ_QUEUE: return els_read_push(r);
    case ELS_READ_CUT: elelem_event_builder_drain(&r->els_builder); return ELS_AGAIN;
    case ELS_READ_GIVE: return els_read_give(r, item);
    default: return els_read_next(r);
    }
}

elelem_status elelem_item_reader_push(elelem_item_reader *reader, const void *bytes, size_t size)
{
    if (reader->els_status != ELELEM_OK) return (elelem_status)reader->els_status;
    return elelem_replayer_push(&reader->els_replayer, bytes, size);
}

elelem_status elelem_item_reader_next(elelem_item_reader *reader, elelem_read_item *item)
{
    elelem_status status;

    if (reader->els_builder.els_max_open == 0) return ELELEM_ERROR_MISUSE;
    memset(item, 0, sizeof *item);
    do
        status = els_read_step(reader, item);
    while (status == ELS_AGAIN);
    return status;
}

void elelem_item_reader_finish(elelem_item_reader *reader)
{
    elelem_replayer_finish(&reader->els_replayer);
}

elelem_error elelem_item_reader_error(const elelem_item_reader *reader)
{
    elelem_error error = elelem_replayer_error(&reader->els_replayer);

    if (error.status != ELELEM_OK || reader->els_status == ELELEM_OK) return error;
    return els_error((elelem_status)reader->els_status, elelem_replayer_position(&reader->els_replayer).offset);
}

ELS_PRIVATE void els_item_reader_start(elelem_item_reader *r)
{
    memset(&r->els_entry, 0, sizeof r->els_entry);
    r->els_entry_at = 0;
    r->els_status = ELELEM_OK;
    r->els_phase = ELS_READ_NEXT;
    r->els_queued = r->els_taken = 0;
    r->els_before = r->els_is_over = 0;
    r->els_state = ELELEM_ITEM_COMPLETE;
}

void elelem_item_reader_reset(elelem_item_reader *reader)
{
    elelem_replayer_reset(&reader->els_replayer);
    elelem_event_builder_reset(&reader->els_builder);
    elelem_buffer_clear(&reader->els_given);
    els_item_reader_start(reader);
}

void elelem_item_reader_init(elelem_item_reader *reader, const elelem_item_reader_desc *desc)
{
    elelem_item_reader_desc defaults = ELELEM_INIT;
    const elelem_item_reader_desc *d = desc ? desc : &defaults;
    elelem_replayer_desc replayer = ELELEM_INIT;
    elelem_event_builder_desc builder = ELELEM_INIT;

    memset(reader, 0, sizeof *reader);
    replayer.allocator = builder.allocator = d->allocator;
    replayer.max_line_bytes = d->max_line_bytes;
    builder.max_bytes = d->max_bytes;
    builder.max_open = d->max_open;
    builder.max_metadata = 65535; /* a response may have more of an item than one line; max_bytes counts them */
    builder.keep_argument_text = d->keep_argument_text;
    elelem_replayer_init(&reader->els_replayer, &replayer);
    reader->els_replayer.els_check.els_max_depth = ELS_LINE_ENTRY_DEPTH;
    els_line_reader_init(&reader->els_reader, d->allocator);
    elelem_event_builder_init(&reader->els_builder, &builder);
    elelem_buffer_init(&reader->els_given, d->allocator, ELS_READ_GIVEN_BYTES);
    els_item_reader_start(reader);
}

void elelem_item_reader_free(elelem_item_reader *reader)
{
    elelem_replayer_free(&reader->els_replayer);
    els_line_reader_free(&reader->els_reader);
    elelem_event_builder_free(&reader->els_builder);
    elelem_buffer_free(&reader->els_given);
    memset(reader, 0, sizeof *reader);
}

#endif
