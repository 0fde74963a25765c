#ifndef ELS_HISTORY_C
#define ELS_HISTORY_C
#include "history.h"
#include "base.c"
#include "fragment.c"
#include "parser.c"
#include "writer.c"
#include "event.c"
#include "line.c"
#include "recorder.c"
#include "coalescer.c"

/* >> history */

static const char *const els_history_words[] = { "", "cancelled", "broken" };

ELS_PRIVATE void els_line_put_history(elelem_writer *writer, const elelem_history_entry *entry)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_text(writer, "role", elelem_str_of(entry->role == ELELEM_HISTORY_USER ? "USER" : "AI"));
    if (entry->has_text) els_put_text(writer, "text", entry->text);
    if (entry->events.size > 0) els_put_json(writer, "events", entry->events);
    if (entry->attachments.size > 0) els_put_json(writer, "attachments", entry->attachments);
    if (entry->state > ELELEM_HISTORY_COMPLETE && entry->state <= ELELEM_HISTORY_BROKEN)
        els_put_text(writer, "incomplete", elelem_str_of(els_history_words[entry->state]));
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

elelem_status elelem_history_entry_write(const elelem_history_entry *entry, elelem_sink sink)
{
    elelem_writer writer;

    if (!entry->has_text && entry->events.size == 0 && entry->attachments.size == 0) return ELELEM_ERROR_MISUSE;
    elelem_writer_init(&writer, els_line_sink(&sink), 0);
    els_line_put_history(&writer, entry);
    return els_writer_status(&writer);
}

int elelem_history_entry_event(const elelem_history_entry *entry, size_t *at, elelem_str *line)
{
    els_cursor in = els_cursor_of(entry->events.data, entry->events.size);

    if (entry->events.size < 2 || *at >= entry->events.size) return 0;
    in.at += *at > 0 ? *at : 1;
    if (!els_line_next_value(&in, line)) return 0;
    *at = entry->events.size - (size_t)(in.end - in.at);
    return 1;
}

/* The builder. */

#define ELS_HISTORY_KEEP_TEXT 1u
#define ELS_HISTORY_KEEP_EVENTS 2u

ELS_PRIVATE elelem_status els_history_fail(elelem_history_builder *b, elelem_status status)
{
    if (status < 0) b->els_status = status;
    return status;
}

/* Moves what the coalescer has into the array of events. */
ELS_PRIVATE elelem_status els_history_drain(elelem_history_builder *b)
{
    elelem_record_item item;
    elelem_status status;

    while ((status = elelem_event_coalescer_next(&b->els_coalescer, &item)) == ELELEM_OK) {
        b->els_recorder.els_sink = elelem_buffer_sink(&b->els_events);
        status = elelem_recorder_push_item(&b->els_recorder, &item);
        if (status != ELELEM_OK) break;
    }
    return status < 0 ? els_history_fail(b, status) : ELELEM_OK;
}

ELS_PRIVATE void els_history_decide(elelem_history_builder *b, elelem_history_state state)
{
    if (!b->els_marked) b->els_state = (uint8_t)state;
    b->els_marked = 1;
}

/* Reads from an item how the turn ended. */
ELS_PRIVATE void els_history_see_end(elelem_history_builder *b, const elelem_record_item *item)
{
    if (els_item_is_kind(item, ELELEM_EVENT_ERROR)) {
        int is_cancelled = item->event.error.kind == ELELEM_ERROR_KIND_CANCELLED;
        els_history_decide(b, is_cancelled ? ELELEM_HISTORY_CANCELLED : ELELEM_HISTORY_BROKEN);
    } else if (elelem_str_is(item->type, "ChatCompleted")) {
        els_history_decide(b, ELELEM_HISTORY_COMPLETE);
    }
}

ELS_PRIVATE elelem_status els_history_text(elelem_history_builder *b, elelem_str text)
{
    b->els_has_text = 1;
    return els_history_fail(b, elelem_buffer_append(&b->els_text, text.data, text.size));
}

/* Takes the text, the end and the events of the item that the coalescer was given. */
ELS_PRIVATE elelem_status els_history_take(elelem_history_builder *b)
{
    const elelem_record_item *item = &b->els_coalescer.els_item;
    const elelem_event *event = &item->event;
    elelem_status status = ELELEM_OK;

    els_history_see_end(b, item);
    if ((b->els_keep & ELS_HISTORY_KEEP_TEXT) && !b->els_text_set && els_item_is_text(item) &&
        event->part.kind == ELELEM_PART_MESSAGE && event->choice == 0)
        status = els_history_text(b, event->part.text);
    if (status != ELELEM_OK) return status;
    if (b->els_keep & ELS_HISTORY_KEEP_EVENTS) return els_history_drain(b);
    b->els_coalescer.els_pushed = 0;
    return ELELEM_OK;
}

/* Takes back the item that the coalescer was given if the reader of entries would refuse it: a line without an
   eventType. Nothing has changed then. */
ELS_PRIVATE elelem_status els_history_check_item(elelem_history_builder *b)
{
    elelem_event_coalescer *c = &b->els_coalescer;
    elelem_str type;
    elelem_status status;

    if (c->els_item.kind == ELELEM_RECORD_EVENT) return ELELEM_OK;
    status = els_line_find_type(c->els_item.line, &type);
    if (status != ELELEM_OK) {
        c->els_pushed = 0;
        c->els_taken--;
    }
    return status;
}

ELS_PRIVATE elelem_status els_history_ready(const elelem_history_builder *b)
{
    if (b->els_status != ELELEM_OK) return (elelem_status)b->els_status;
    return b->els_finished || b->els_text.els_max == 0 ? ELELEM_ERROR_MISUSE : ELELEM_OK;
}

elelem_status elelem_history_builder_push(elelem_history_builder *builder, const elelem_event *event)
{
    elelem_status status = els_history_ready(builder);

    if (status == ELELEM_OK) status = elelem_event_coalescer_push(&builder->els_coalescer, event);
    if (status != ELELEM_OK) return status;
    if (!builder->els_marked) builder->els_state = ELELEM_HISTORY_BROKEN; /* until its stream's end is pushed */
    return els_history_take(builder);
}

elelem_status elelem_history_builder_push_item(elelem_history_builder *builder, const elelem_record_item *item)
{
    elelem_status status = els_history_ready(builder);

    if (status == ELELEM_OK) status = elelem_event_coalescer_push_item(&builder->els_coalescer, item);
    if (status == ELELEM_OK) status = els_history_check_item(builder);
    return status == ELELEM_OK ? els_history_take(builder) : status;
}

elelem_status elelem_history_builder_push_line(elelem_history_builder *builder, elelem_str line)
{
    elelem_status status = els_history_ready(builder);

    if (status == ELELEM_OK) status = elelem_event_coalescer_push_line(&builder->els_coalescer, line);
    if (status == ELELEM_OK) status = els_history_check_item(builder);
    return status == ELELEM_OK ? els_history_take(builder) : status;
}

elelem_status elelem_history_builder_push_text(elelem_history_builder *builder, elelem_str text)
{
    elelem_status status = els_history_ready(builder);

    return status == ELELEM_OK ? els_history_text(builder, text) : status;
}

elelem_status elelem_history_builder_set_text(elelem_history_builder *builder, elelem_str text)
{
    elelem_status status = els_history_ready(builder);

    if (status != ELELEM_OK) return status;
    elelem_buffer_clear(&builder->els_text);
    builder->els_text_set = 1;
    return els_history_text(builder, text);
}

void elelem_history_builder_mark(elelem_history_builder *builder, elelem_history_state state)
{
    builder->els_state = (uint8_t)state;
    builder->els_marked = 1;
}

ELS_PRIVATE elelem_status els_history_add_size(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)context += size;
    return ELELEM_OK;
}

/* How many bytes the entry has when it is written. */
ELS_PRIVATE uint64_t els_history_size(const elelem_history_entry *entry)
{
    uint64_t size = 0;
    elelem_sink counter;
    elelem_writer writer;

    counter.write = els_history_add_size;
    counter.context = &size;
    elelem_writer_init(&writer, els_line_sink(&counter), 0);
    els_line_put_history(&writer, entry);
    return size;
}

ELS_PRIVATE void els_history_fill_entry(const elelem_history_builder *b, elelem_history_entry *entry)
{
    entry->role = b->els_role;
    entry->state = b->els_state;
    entry->has_text = b->els_has_text;
    entry->text = elelem_buffer_text(&b->els_text);
    if (b->els_recorder.els_count > 0) entry->events = elelem_buffer_text(&b->els_events);
}

/* Ends the events. An entry that is longer than max_bytes when it is written would be refused by a reader with the
   same limit. */
ELS_PRIVATE elelem_status els_history_close(elelem_history_builder *b)
{
    elelem_history_entry entry = ELELEM_INIT;
    elelem_status status;

    b->els_coalescer.els_is_broken = b->els_state != ELELEM_HISTORY_COMPLETE;
    elelem_event_coalescer_finish(&b->els_coalescer);
    status = els_history_drain(b);
    if (status == ELELEM_OK && b->els_recorder.els_count > 0)
        status = els_history_fail(b, elelem_buffer_append(&b->els_events, "]", 1));
    if (status != ELELEM_OK) return status;
    els_history_fill_entry(b, &entry);
    if (els_history_size(&entry) <= b->els_text.els_max) return ELELEM_OK;
    return els_history_fail(b, ELELEM_ERROR_VALUE_SIZE);
}

void elelem_history_builder_finish(elelem_history_builder *builder)
{
    if (els_history_ready(builder) != ELELEM_OK) return;
    builder->els_finished = 1;
    els_history_close(builder); /* an error sticks, and is the entry's */
}

elelem_status elelem_history_builder_entry(elelem_history_builder *builder, elelem_history_entry *entry)
{
    memset(entry, 0, sizeof *entry);
    if (builder->els_status != ELELEM_OK) return (elelem_status)builder->els_status;
    if (!builder->els_finished) return ELELEM_ERROR_MISUSE;
    els_history_fill_entry(builder, entry);
    return entry->has_text || entry->events.size > 0 ? ELELEM_OK : ELELEM_ERROR_MISUSE;
}

elelem_error elelem_history_builder_error(const elelem_history_builder *builder)
{
    elelem_status status = (elelem_status)builder->els_status;

    if (builder->els_text.els_max == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    return els_error(status, status == ELELEM_OK ? 0 : builder->els_coalescer.els_taken);
}

void elelem_history_builder_reset(elelem_history_builder *builder)
{
    elelem_event_coalescer_reset(&builder->els_coalescer);
    elelem_recorder_reset(&builder->els_recorder);
    elelem_buffer_clear(&builder->els_text);
    elelem_buffer_clear(&builder->els_events);
    builder->els_status = ELELEM_OK;
    builder->els_state = ELELEM_HISTORY_COMPLETE;
    builder->els_has_text = 0;
    builder->els_text_set = 0;
    builder->els_marked = 0;
    builder->els_finished = 0;
}

void elelem_history_builder_init(elelem_history_builder *builder, const elelem_history_builder_desc *desc)
{
    elelem_history_builder_desc defaults = ELELEM_INIT;
    const elelem_history_builder_desc *d = desc ? desc : &defaults;
    elelem_event_coalescer_desc coalescer = ELELEM_INIT;
    elelem_recorder_desc recorder = ELELEM_INIT;
    uint32_t max_bytes = ELS_DEFAULT(d->max_bytes, 64u << 20);

    memset(builder, 0, sizeof *builder);
    coalescer.allocator = recorder.allocator = d->allocator;
    coalescer.max_bytes = max_bytes;
    coalescer.max_calls = d->max_calls;
    recorder.format = ELS_RECORD_ELEMENTS;
    elelem_event_coalescer_init(&builder->els_coalescer, &coalescer);
    elelem_recorder_init(&builder->els_recorder, &recorder);
    elelem_buffer_init(&builder->els_text, d->allocator, max_bytes);
    elelem_buffer_init(&builder->els_events, d->allocator, max_bytes);
    builder->els_role = d->role;
    builder->els_keep =
        (uint8_t)((d->events_only ? 0 : ELS_HISTORY_KEEP_TEXT) | (d->text_only ? 0 : ELS_HISTORY_KEEP_EVENTS));
}

void elelem_history_builder_free(elelem_history_builder *builder)
{
    elelem_event_coalescer_free(&builder->els_coalescer);
    elelem_recorder_free(&builder->els_recorder);
    elelem_buffer_free(&builder->els_text);
    elelem_buffer_free(&builder->els_events);
    memset(builder, 0, sizeof *builder);
}

/* The reader of entries. */

/* What it waits for. */
typedef enum els_history_reading {
    ELS_HISTORY_ENTRY, /* more of the entry, or its end */
    ELS_HISTORY_GIVEN, /* nothing: the entry was returned */
    ELS_HISTORY_FAILED /* nothing: an error sticks */
} els_history_reading;

typedef enum els_history_member {
    ELS_HISTORY_ROLE,
    ELS_HISTORY_TEXT,
    ELS_HISTORY_EVENTS,
    ELS_HISTORY_INCOMPLETE,
    ELS_HISTORY_ATTACHMENTS,
    ELS_HISTORY_MEMBERS
} els_history_member;

static const char *const els_history_names[] = { "role", "text", "events", "incomplete", "attachments" };

/* Nonzero for a member that is there and not null. */
ELS_PRIVATE int els_history_has(elelem_str value)
{
    return value.size > 0 && value.data[0] != 'n';
}

/* Sets the attachments. Null says that there are none. ERROR_TYPE: they are no array. */
ELS_PRIVATE elelem_status els_history_attach(elelem_history_entry *entry, elelem_str json)
{
    if (!els_history_has(json)) return ELELEM_OK;
    if (json.data[0] != '[') return ELELEM_ERROR_TYPE;
    entry->attachments = json;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_history_refuse(elelem_history_reader *r, elelem_status status, uint64_t offset)
{
    r->els_status = status;
    r->els_error_offset = offset;
    r->els_state = ELS_HISTORY_FAILED;
    return status;
}

/* The same, if the fault is in the text that was kept. */
ELS_PRIVATE elelem_status els_history_refuse_at(elelem_history_reader *r, elelem_status status, elelem_str where)
{
    return els_history_refuse(r, status, (uint64_t)(where.data - elelem_buffer_text(&r->els_kept).data));
}

/* Validates and keeps what was pushed. */
ELS_PRIVATE elelem_status els_history_keep(elelem_history_reader *r)
{
    size_t size = (size_t)(r->els_lent.bytes.end - r->els_lent.bytes.at);
    size_t left = r->els_kept.els_max - r->els_kept.els_size;
    elelem_str piece = els_str(r->els_lent.bytes.at, size < left ? size : left);
    elelem_status status = els_line_check_piece(&r->els_check, piece);

    if (status != ELELEM_OK) return els_history_refuse(r, status, elelem_fragment_parser_error(&r->els_check).offset);
    if (size > left) return els_history_refuse(r, ELELEM_ERROR_VALUE_SIZE, r->els_kept.els_max);
    status = elelem_buffer_append(&r->els_kept, piece.data, piece.size);
    if (status != ELELEM_OK) return els_history_refuse(r, status, r->els_kept.els_size);
    r->els_lent.bytes.at = r->els_lent.bytes.end;
    return ELELEM_OK;
}

/* Reads a string that must be one of `count` words. */
ELS_PRIVATE elelem_status els_history_word(elelem_history_reader *r, elelem_str value, const char *const *words,
                                           size_t count, uint8_t *which)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(&r->els_reader, value, &word);
    size_t i;

    if (status != ELELEM_OK) return els_history_refuse_at(r, status, value);
    for (i = 0; i < count; i++) {
        *which = (uint8_t)i;
        if (elelem_str_is(word, words[i])) return ELELEM_OK;
    }
    return els_history_refuse_at(r, ELELEM_ERROR_PROTOCOL, value);
}

ELS_PRIVATE elelem_status els_history_check_event(elelem_history_reader *r, elelem_str event)
{
    elelem_str type;
    elelem_status status;

    if (event.data[0] != '{') return els_history_refuse_at(r, ELELEM_ERROR_TYPE, event);
    status = els_line_find_type(event, &type);
    return status == ELELEM_OK ? status : els_history_refuse_at(r, status, status == ELELEM_ERROR_TYPE ? type : event);
}

ELS_PRIVATE elelem_status els_history_check_events(elelem_history_reader *r, elelem_str events)
{
    elelem_status status = ELELEM_OK;
    els_cursor in;
    elelem_str event;

    if (events.size == 0) return ELELEM_OK;
    if (events.data[0] != '[') return els_history_refuse_at(r, ELELEM_ERROR_TYPE, events);
    in = els_line_inside(events);
    while (status == ELELEM_OK && els_line_next_value(&in, &event))
        status = els_history_check_event(r, event);
    return status;
}

ELS_PRIVATE elelem_status els_history_fill(elelem_history_reader *r, const elelem_str *values,
                                           elelem_history_entry *entry)
{
    static const char *const roles[] = { "AI", "USER" };
    elelem_status status = els_history_word(r, values[ELS_HISTORY_ROLE], roles, 2, &entry->role);

    if (status != ELELEM_OK) return status;
    if (values[ELS_HISTORY_INCOMPLETE].size > 0) {
        status = els_history_word(r, values[ELS_HISTORY_INCOMPLETE], els_history_words + 1, 2, &entry->state);
        entry->state++;
    }
    if (status != ELELEM_OK) return status;
    status = els_line_reader_text(&r->els_reader, values[ELS_HISTORY_TEXT], &entry->text);
    if (status != ELELEM_OK) return els_history_refuse_at(r, status, values[ELS_HISTORY_TEXT]);
    entry->has_text = values[ELS_HISTORY_TEXT].size > 0;
    status = els_history_attach(entry, values[ELS_HISTORY_ATTACHMENTS]);
    if (status != ELELEM_OK) return els_history_refuse_at(r, status, values[ELS_HISTORY_ATTACHMENTS]);
    entry->events = values[ELS_HISTORY_EVENTS];
    return els_history_check_events(r, entry->events);
}

/* Reads the entry, which is whole and JSON. */
ELS_PRIVATE elelem_status els_history_read(elelem_history_reader *r, elelem_history_entry *entry)
{
    elelem_str object = els_trimmed(elelem_buffer_text(&r->els_kept));
    elelem_str values[ELS_HISTORY_MEMBERS];

    memset(entry, 0, sizeof *entry);
    if (object.data[0] != '{') return els_history_refuse_at(r, ELELEM_ERROR_TYPE, object);
    els_line_reader_start(&r->els_reader, object);
    els_line_members(object, els_history_names, ELS_HISTORY_MEMBERS, values);
    if (values[ELS_HISTORY_ROLE].size == 0 || (values[ELS_HISTORY_TEXT].size == 0 && values[ELS_HISTORY_EVENTS].size == 0 &&
                                               !els_history_has(values[ELS_HISTORY_ATTACHMENTS])))
        return els_history_refuse_at(r, ELELEM_ERROR_PROTOCOL, object);
    return els_history_fill(r, values, entry);
}

elelem_status elelem_history_reader_push(elelem_history_reader *reader, const void *bytes, size_t size)
{
    if (reader->els_state == ELS_HISTORY_FAILED) return (elelem_status)reader->els_status;
    return els_input_push(&reader->els_lent, bytes, size);
}

elelem_status elelem_history_reader_next(elelem_history_reader *reader, elelem_history_entry *entry)
{
    elelem_status status;

    if (reader->els_state == ELS_HISTORY_FAILED) return (elelem_status)reader->els_status;
    if (reader->els_state == ELS_HISTORY_GIVEN) return ELELEM_END;
    status = els_history_keep(reader);
    if (status != ELELEM_OK) return status;
    if (!reader->els_lent.finished) {
        status = els_input_more(&reader->els_lent);
        if (status == ELELEM_MORE) return status;
        return els_history_refuse(reader, status, els_input_offset(&reader->els_lent));
    }
    status = els_line_check_end(&reader->els_check);
    if (status != ELELEM_OK)
        return els_history_refuse(reader, status, elelem_fragment_parser_error(&reader->els_check).offset);
    status = els_history_read(reader, entry);
    if (status == ELELEM_OK) reader->els_state = ELS_HISTORY_GIVEN;
    return status;
}

void elelem_history_reader_finish(elelem_history_reader *reader)
{
    els_input_finish(&reader->els_lent);
}

elelem_error elelem_history_reader_error(const elelem_history_reader *reader)
{
    return els_input_error(&reader->els_lent, (elelem_status)reader->els_status, reader->els_error_offset);
}

ELS_PRIVATE void els_history_reader_start(elelem_history_reader *reader)
{
    elelem_fragment_parser_reset(&reader->els_check);
    elelem_buffer_clear(&reader->els_kept);
    els_input_start(&reader->els_lent, 0);
    reader->els_error_offset = 0;
    reader->els_status = ELELEM_OK;
    reader->els_state = ELS_HISTORY_ENTRY;
}

void elelem_history_reader_reset(elelem_history_reader *reader)
{
    if (reader->els_lent.state != ELS_INPUT_NONE) els_history_reader_start(reader);
}

void elelem_history_reader_init(elelem_history_reader *reader, const elelem_history_reader_desc *desc)
{
    elelem_history_reader_desc defaults = ELELEM_INIT;
    const elelem_history_reader_desc *d = desc ? desc : &defaults;

    memset(reader, 0, sizeof *reader);
    els_line_check_init(&reader->els_check, d->allocator, ELS_LINE_ENTRY_DEPTH, 1);
    els_line_reader_init(&reader->els_reader, d->allocator);
    elelem_buffer_init(&reader->els_kept, d->allocator, ELS_DEFAULT(d->max_bytes, 64u << 20));
    els_history_reader_start(reader);
}

void elelem_history_reader_free(elelem_history_reader *reader)
{
    elelem_fragment_parser_free(&reader->els_check);
    els_line_reader_free(&reader->els_reader);
    elelem_buffer_free(&reader->els_kept);
    memset(reader, 0, sizeof *reader);
}

#endif
