#ifndef ELS_COALESCER_C
#define ELS_COALESCER_C
#include "coalescer.h"
#include "base.c"
#include "fragment.c"
#include "parser.c"
#include "writer.c"
#include "event.c"
#include "metadata.c"
#include "line.c"
#include "call.c"

/* >> coalescer */

/* What the last item was made of; the next call drops it. */
typedef enum els_coalesced {
    ELS_COALESCED_NOTHING,
    ELS_COALESCED_RUN,   /* the run of text */
    ELS_COALESCED_START, /* the start of the first open call, its arguments come next */
    ELS_COALESCED_CALL   /* the last of the first open call */
} els_coalesced;

ELS_PRIVATE elelem_status els_coalesce_fail(elelem_event_coalescer *c, elelem_status status)
{
    if (status != ELELEM_OK) c->els_status = status;
    return status;
}

ELS_PRIVATE void els_coalesce_drop_run(elelem_event_coalescer *c)
{
    els_budget_empty(&c->els_open.els_allowance, &c->els_run);
    els_budget_empty(&c->els_open.els_allowance, &c->els_caption);
    els_meta_free(&c->els_meta_of_run, &c->els_open.els_allowance);
    c->els_has_run = 0;
}

/* Drops what the last item was made of. */
ELS_PRIVATE void els_coalesce_settle(elelem_event_coalescer *c)
{
    if (c->els_given == ELS_COALESCED_RUN) els_coalesce_drop_run(c);
    if (c->els_given == ELS_COALESCED_CALL) els_calls_close(&c->els_open, els_call_at(&c->els_open, 0));
    if (c->els_given != ELS_COALESCED_START) c->els_given = ELS_COALESCED_NOTHING;
}

ELS_PRIVATE elelem_status els_coalesce_merge(elelem_event_coalescer *c, els_meta *meta, const elelem_metadata *metadata)
{
    return els_meta_merge(meta, &c->els_open.els_allowance, ELS_META_KEYS, metadata);
}

/* Nonzero if both are pieces of one item. */
ELS_PRIVATE int els_is_same_item(const elelem_event *a, const elelem_event *b)
{
    return a->index == b->index && a->choice == b->choice && a->part.kind == b->part.kind &&
           a->part.hosted == b->part.hosted;
}

ELS_PRIVATE elelem_str els_coalesce_run_extra(const elelem_event_coalescer *c)
{
    return els_str(elelem_buffer_text(&c->els_run).data, c->els_run_extra);
}

ELS_PRIVATE elelem_str els_coalesce_run_type(const elelem_event_coalescer *c)
{
    return els_str(elelem_buffer_text(&c->els_run).data + c->els_run_extra, c->els_run_type);
}

/* Nonzero if the text continues the run. */
ELS_PRIVATE int els_coalesce_run_continues(const elelem_event_coalescer *c, const elelem_record_item *item)
{
    return c->els_has_run && els_is_same_item(&c->els_run_event, &item->event) &&
           els_json_same(els_coalesce_run_extra(c), item->extra) &&
           elelem_str_equal(els_coalesce_run_type(c), item->event.part.type) &&
           els_meta_fits(&c->els_meta_of_run, ELS_META_KEYS, &item->event.metadata);
}

ELS_PRIVATE elelem_status els_coalesce_run_add(elelem_event_coalescer *c, const elelem_event *event)
{
    elelem_status status = els_budget_append(&c->els_open.els_allowance, &c->els_run, event->part.text);

    if (status == ELELEM_OK) status = els_budget_append(&c->els_open.els_allowance, &c->els_caption, event->part.caption);
    if (status == ELELEM_OK) status = els_coalesce_merge(c, &c->els_meta_of_run, &event->metadata);
    return els_coalesce_fail(c, status);
}

ELS_PRIVATE elelem_status els_coalesce_run_start(elelem_event_coalescer *c, const elelem_record_item *item)
{
    elelem_status status = els_budget_append(&c->els_open.els_allowance, &c->els_run, item->extra);

    if (status == ELELEM_OK)
        status = els_budget_append(&c->els_open.els_allowance, &c->els_run, item->event.part.type);
    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    memset(&c->els_run_event, 0, sizeof c->els_run_event);
    c->els_run_event.index = item->event.index;
    c->els_run_event.choice = item->event.choice;
    c->els_run_event.part.kind = item->event.part.kind;
    c->els_run_event.part.hosted = item->event.part.hosted;
    c->els_run_extra = item->extra.size;
    c->els_run_type = item->event.part.type.size;
    c->els_run_time = item->time_ms;
    c->els_has_run = 1;
    return els_coalesce_run_add(c, &item->event);
}

ELS_PRIVATE elelem_status els_coalesce_give_run(elelem_event_coalescer *c, elelem_record_item *item)
{
    elelem_str kept = elelem_buffer_text(&c->els_run);
    size_t text = c->els_run_extra + c->els_run_type;
    elelem_event event = c->els_run_event;

    event.metadata = els_meta_list(&c->els_meta_of_run);
    event.part.text = els_str(kept.data + text, kept.size - text);
    event.part.type = els_coalesce_run_type(c);
    event.part.caption = elelem_buffer_text(&c->els_caption);
    els_item_of_event(item, &event, els_coalesce_run_extra(c), c->els_run_time);
    c->els_given = ELS_COALESCED_RUN;
    return ELELEM_OK;
}

/* Returns the first open call, as far as it came: its start, then its arguments. */
ELS_PRIVATE elelem_status els_coalesce_give_open(elelem_event_coalescer *c, elelem_record_item *item)
{
    const els_call *call = els_call_at(&c->els_open, 0);
    elelem_event event;

    memset(&event, 0, sizeof event);
    event.index = call->index;
    event.choice = call->choice;
    event.part.kind = ELELEM_PART_TOOL_CALL;
    if (c->els_given == ELS_COALESCED_START) {
        event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
        event.part.tool_call.text = elelem_buffer_text(&call->arguments);
    } else {
        event.part.tool_call.id = elelem_buffer_text(&call->id);
        event.part.tool_call.name = elelem_buffer_text(&call->name);
        event.part.tool_call.type = elelem_buffer_text(&call->type);
        event.metadata = els_meta_list(&call->meta);
    }
    els_item_of_event(item, &event, elelem_buffer_text(&call->extra), call->time_ms);
    c->els_given =
        c->els_given == ELS_COALESCED_START || call->arguments.els_size == 0 ? ELS_COALESCED_CALL : ELS_COALESCED_START;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_coalesce_write_call(elelem_event_coalescer *c, const els_call *call)
{
    elelem_sink sink = elelem_buffer_sink(&c->els_out);
    elelem_metadata metadata;
    elelem_str input;
    elelem_writer writer;
    elelem_status status = els_call_input(&c->els_check, call, &input);

    if (status != ELELEM_OK) return status;
    metadata = els_meta_list(&call->meta);
    elelem_buffer_clear(&c->els_out);
    elelem_writer_init(&writer, els_line_sink(&sink), 0);
    els_line_put_call(&writer, call, input);
    status = els_line_put_rest(&writer, call->time_ms, elelem_buffer_text(&call->extra), &metadata);
    return status == ELELEM_OK ? elelem_buffer_append(&c->els_out, "}", 1) : status;
}

/* Returns the BeforeToolExecution line of a call that is flushed. */
ELS_PRIVATE elelem_status els_coalesce_give_call(elelem_event_coalescer *c, els_call *call, elelem_record_item *item)
{
    elelem_status status = els_coalesce_write_call(c, call);

    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    memset(item, 0, sizeof *item);
    item->kind = ELELEM_RECORD_LINE;
    item->line = elelem_buffer_text(&c->els_out);
    item->type = elelem_str_of("BeforeToolExecution");
    item->time_ms = call->time_ms;
    els_calls_close(&c->els_open, call);
    return ELELEM_OK;
}

/* Forgets the line just before. */
ELS_PRIVATE void els_coalesce_forget(elelem_event_coalescer *c)
{
    els_budget_empty(&c->els_open.els_allowance, &c->els_announced);
    els_meta_free(&c->els_meta_announced, &c->els_open.els_allowance);
    c->els_has_announced = 0;
}

/* Nonzero if the line just before was the call's BeforeToolExecution. */
ELS_PRIVATE int els_coalesce_announced(const elelem_event_coalescer *c, const els_call *call)
{
    elelem_str both = elelem_buffer_text(&c->els_announced);
    elelem_str id = els_str(both.data, c->els_announced_id);
    elelem_str name = els_str(both.data + c->els_announced_id, both.size - c->els_announced_id);

    if (!c->els_has_announced || (c->els_announced_index >= 0 && c->els_announced_index != call->index)) return 0;
    return elelem_str_equal(id, elelem_buffer_text(&call->id)) &&
           elelem_str_equal(name, elelem_buffer_text(&call->name));
}

/* Keeps what a BeforeToolExecution line says. ERROR_TYPE: it is not one that a recorder writes. */
ELS_PRIVATE elelem_status els_coalesce_keep_announced(elelem_event_coalescer *c, elelem_str line)
{
    elelem_str fields[ELS_LINE_FIELD_COUNT];
    elelem_metadata metadata = ELELEM_INIT;
    elelem_str id = els_str(NULL, 0), name = els_str(NULL, 0);
    elelem_status status;

    els_line_reader_start(&c->els_reader, line);
    els_line_members(line, els_line_field_names, ELS_LINE_FIELD_COUNT, fields);
    status = els_line_reader_text(&c->els_reader, fields[ELS_LINE_FIELD_ID], &id);
    if (status == ELELEM_OK) status = els_line_reader_text(&c->els_reader, fields[ELS_LINE_FIELD_TOOL_NAME], &name);
    if (status == ELELEM_OK) status = els_line_read_known(fields[ELS_LINE_FIELD_INDEX], &c->els_announced_index);
    if (status == ELELEM_OK)
        status = els_line_read_metadata(&c->els_reader, fields[ELS_LINE_FIELD_METADATA], &metadata);
    if (status != ELELEM_OK) return status;
    c->els_announced_id = id.size;
    status = els_budget_append(&c->els_open.els_allowance, &c->els_announced, id);
    if (status == ELELEM_OK) status = els_budget_append(&c->els_open.els_allowance, &c->els_announced, name);
    if (status != ELELEM_OK || !els_meta_fits(&c->els_meta_announced, ELS_META_KEYS, &metadata)) return status;
    return els_coalesce_merge(c, &c->els_meta_announced, &metadata);
}

/* Remembers the line returned if it is a BeforeToolExecution, whose flush may follow. */
ELS_PRIVATE elelem_status els_coalesce_announce(elelem_event_coalescer *c, elelem_record_item *item)
{
    static const char type[] = "BeforeToolExecution";
    elelem_status status;

    els_coalesce_forget(c);
    if (item->kind != ELELEM_RECORD_LINE || !elelem_str_is(item->type, type)) return ELELEM_OK;
    item->type = elelem_str_of(type); /* it may have been the reader's, which reads again now */
    status = els_coalesce_keep_announced(c, item->line);
    c->els_has_announced = status == ELELEM_OK;
    return status == ELELEM_ERROR_TYPE ? ELELEM_OK : els_coalesce_fail(c, status);
}

/* Returns the pushed item as it is, after the run if there is one. */
ELS_PRIVATE elelem_status els_coalesce_give_pushed(elelem_event_coalescer *c, elelem_record_item *item)
{
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    *item = c->els_item;
    item->number = item->line_number = 0;
    c->els_pushed = 0;
    return els_coalesce_announce(c, item);
}

/* Ends the pushed item, which left nothing to return. */
ELS_PRIVATE void els_coalesce_done(elelem_event_coalescer *c)
{
    c->els_pushed = 0;
    els_coalesce_forget(c);
}

/* What was flushed. If the response breaks off, that has to be said: what is open then is not whole. So it has to be before the line
   of a call, which is over at once: a text before it is too. And it comes before a call that is open and has the index of the text,
   after which it would be the call's. */

/* Remembers that a text of this index came, which is open. Those of high indices are not counted. */
ELS_PRIVATE void els_coalesce_see_text(elelem_event_coalescer *c, uint32_t index)
{
    if (index >= ELS_COALESCER_TEXTS) {
        c->els_has_high = 1;
        return;
    }
    if (c->els_texts[index] == 0) c->els_unsaid++;
    if (c->els_texts[index] > 1) c->els_flushed--;
    c->els_texts[index] = 1;
}

/* Nonzero if what was flushed has to be said before a text of this index: a reader keeps only some items open, and would keep one that
   was flushed rather than one that continues. */
ELS_PRIVATE int els_coalesce_is_crowded(const elelem_event_coalescer *c, uint32_t index)
{
    int is_new = index >= ELS_COALESCER_TEXTS || c->els_texts[index] == 0;

    return c->els_flushed > 0 && (c->els_has_high || c->els_unsaid + (uint32_t)is_new > ELS_LINE_OPEN_ITEMS);
}

/* Remembers that the Flush of this index is dropped, if a text came before it. */
ELS_PRIVATE void els_coalesce_see_flush(elelem_event_coalescer *c, const elelem_event *flush)
{
    if (c->els_texts[flush->index] != 1) return;
    c->els_texts[flush->index] = (uint8_t)(flush->choice + 2);
    c->els_flushed++;
}

ELS_PRIVATE void els_coalesce_forget_texts(elelem_event_coalescer *c)
{
    memset(c->els_texts, 0, sizeof c->els_texts);
    c->els_flushed = c->els_unsaid = 0;
    c->els_has_high = 0;
}

/* Returns one of the Flushes that were dropped; there is one. */
ELS_PRIVATE elelem_status els_coalesce_give_flush(elelem_event_coalescer *c, elelem_record_item *item)
{
    elelem_event flush;
    uint32_t i = 0;

    while (c->els_texts[i] < 2)
        i++;
    memset(&flush, 0, sizeof flush);
    flush.kind = ELELEM_EVENT_FLUSH;
    flush.index = i;
    flush.choice = c->els_texts[i] - 2u;
    c->els_texts[i] = 0;
    c->els_flushed--;
    c->els_unsaid--;
    els_item_of_event(item, &flush, els_str(NULL, 0), -1);
    return ELELEM_OK;
}

/* Flushes an open call. */
ELS_PRIVATE elelem_status els_coalesce_flush_call(elelem_event_coalescer *c, els_call *call, elelem_record_item *item)
{
    elelem_metadata *metadata = &c->els_item.event.metadata;
    elelem_status status = els_calls_merge(&c->els_open, call, metadata);

    if (status != ELELEM_OK) return els_coalesce_fail(c, status);
    metadata->count = 0;
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    if (c->els_flushed > 0) return els_coalesce_give_flush(c, item);
    els_coalesce_done(c);
    return els_coalesce_give_call(c, call, item);
}

/* Leaves what the line just before lacks of the call's metadata. It may have that of the parts, or that of the
   flush too, so that arrays are compared before they are added to and after. */
ELS_PRIVATE elelem_status els_coalesce_rest(elelem_event_coalescer *c, els_meta *meta, const elelem_metadata *of_flush)
{
    elelem_status status;

    els_meta_subtract(meta, &c->els_open.els_allowance, &c->els_meta_announced);
    status = els_coalesce_merge(c, meta, of_flush);
    els_meta_subtract(meta, &c->els_open.els_allowance, &c->els_meta_announced);
    return els_coalesce_fail(c, status);
}

/* Flushes a call whose line was returned just before, so that there is no run: the Flush stays, with the metadata
   that the line lacks. This is kept in the place of a run's. */
ELS_PRIVATE elelem_status els_coalesce_flush_announced(elelem_event_coalescer *c, els_call *call,
                                                       elelem_record_item *item)
{
    elelem_record_item flush = c->els_item;
    els_meta none = c->els_meta_of_run;
    elelem_status status = els_coalesce_rest(c, &call->meta, &flush.event.metadata);

    if (status != ELELEM_OK) return status;
    c->els_meta_of_run = call->meta;
    call->meta = none;
    els_calls_close(&c->els_open, call);
    els_coalesce_done(c);
    if (c->els_meta_of_run.els_count == 0) return ELS_AGAIN;
    flush.event.metadata = els_meta_list(&c->els_meta_of_run);
    els_item_of_event(item, &flush.event, flush.extra, flush.time_ms);
    c->els_given = ELS_COALESCED_RUN;
    return ELELEM_OK;
}

/* Nonzero if a Flush cannot be dropped. */
ELS_PRIVATE int els_coalesce_keeps(const elelem_event *flush, int is_of_run)
{
    if (flush->index >= ELS_COALESCER_TEXTS || flush->choice > UINT8_MAX - 2) return 1;
    return flush->cut_off || (flush->metadata.count > 0 && !is_of_run);
}

/* Returns the pushed Flush. One with metadata ends its text at once, as the line of a call is over at once. */
ELS_PRIVATE elelem_status els_coalesce_give_kept(elelem_event_coalescer *c, elelem_record_item *item)
{
    if (!c->els_has_run && c->els_flushed > 0 && c->els_item.event.metadata.count > 0) return els_coalesce_give_flush(c, item);
    return els_coalesce_give_pushed(c, item);
}

/* Flushes anything else: the Flush is dropped if its metadata can be merged. */
ELS_PRIVATE elelem_status els_coalesce_flush_rest(elelem_event_coalescer *c, elelem_record_item *item)
{
    const elelem_event *flush = &c->els_item.event;
    const elelem_event *run = &c->els_run_event;
    elelem_status status = ELELEM_OK;
    int is_of_run = c->els_has_run && run->index == flush->index && run->choice == flush->choice &&
                    els_meta_fits(&c->els_meta_of_run, ELS_META_KEYS, &flush->metadata);

    if (els_coalesce_keeps(flush, is_of_run)) return els_coalesce_give_kept(c, item);
    els_coalesce_see_flush(c, flush);
    if (is_of_run) status = els_coalesce_merge(c, &c->els_meta_of_run, &flush->metadata);
    els_coalesce_done(c);
    return status == ELELEM_OK ? ELS_AGAIN : els_coalesce_fail(c, status);
}

ELS_PRIVATE elelem_status els_coalesce_flush(elelem_event_coalescer *c, elelem_record_item *item)
{
    els_call *call = els_calls_find(&c->els_open, c->els_item.event.index);

    if (!call) return els_coalesce_flush_rest(c, item);
    call->cut_off = c->els_item.event.cut_off;
    if (els_coalesce_announced(c, call)) return els_coalesce_flush_announced(c, call, item);
    return els_coalesce_flush_call(c, call, item);
}

/* Keeps the time and the extra members of the line that opened a call, except those that have the name of a member
   of another line, as "id" of ToolCallArguments. */
ELS_PRIVATE elelem_status els_coalesce_open_call(elelem_event_coalescer *c, els_call *call)
{
    els_cursor in = els_cursor_of(c->els_item.extra.data, c->els_item.extra.size);
    els_budget *budget = &c->els_open.els_allowance;
    els_line_member member;
    elelem_status status = ELELEM_OK;

    call->time_ms = c->els_item.time_ms;
    while (status == ELELEM_OK && els_line_next_member(&in, &member)) {
        if (els_line_is_reserved(member.key)) continue;
        if (call->extra.els_size > 0) status = els_budget_append(budget, &call->extra, els_str(",", 1));
        if (status == ELELEM_OK) status = els_budget_append(budget, &call->extra, member.whole);
    }
    return status;
}

ELS_PRIVATE elelem_status els_coalesce_call(elelem_event_coalescer *c)
{
    const elelem_event *event = &c->els_item.event;
    int is_open = els_calls_find(&c->els_open, event->index) != NULL;
    elelem_status status = els_calls_take(&c->els_open, event);

    if (status == ELELEM_OK && !is_open) status = els_coalesce_open_call(c, els_calls_find(&c->els_open, event->index));
    els_coalesce_done(c);
    return status == ELELEM_OK ? ELS_AGAIN : els_coalesce_fail(c, status);
}

ELS_PRIVATE elelem_status els_coalesce_text(elelem_event_coalescer *c, elelem_record_item *item)
{
    const elelem_metadata *metadata = &c->els_item.event.metadata;
    int continues = els_coalesce_run_continues(c, &c->els_item);
    elelem_status status;

    if (!continues && c->els_has_run) return els_coalesce_give_run(c, item);
    if (!continues && els_coalesce_is_crowded(c, c->els_item.event.index)) return els_coalesce_give_flush(c, item);
    els_coalesce_see_text(c, c->els_item.event.index);
    if (!continues && !els_meta_fits(&c->els_meta_of_run, ELS_META_KEYS, metadata)) return els_coalesce_give_pushed(c, item);
    status = continues ? els_coalesce_run_add(c, &c->els_item.event) : els_coalesce_run_start(c, &c->els_item);
    els_coalesce_done(c);
    return status == ELELEM_OK ? ELS_AGAIN : status;
}

/* Takes the pushed item in, or a part of it. */
ELS_PRIVATE elelem_status els_coalesce(elelem_event_coalescer *c, elelem_record_item *item)
{
    const elelem_record_item *pushed = &c->els_item;

    if (els_item_is_text(pushed)) return els_coalesce_text(c, item);
    if (els_item_is_kind(pushed, ELELEM_EVENT_PART)) return els_coalesce_call(c);
    if (els_item_is_kind(pushed, ELELEM_EVENT_FLUSH)) return els_coalesce_flush(c, item);
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    if (c->els_flushed > 0 && elelem_str_is(pushed->type, "BeforeToolExecution")) return els_coalesce_give_flush(c, item);
    if (!els_item_is_end(pushed)) return els_coalesce_give_pushed(c, item);
    if (pushed->event.kind == ELELEM_EVENT_ERROR && c->els_flushed > 0) return els_coalesce_give_flush(c, item);
    if (c->els_open.els_count > 0) return els_coalesce_give_open(c, item);
    els_coalesce_forget_texts(c);
    return els_coalesce_give_pushed(c, item);
}

ELS_PRIVATE elelem_status els_coalesce_end(elelem_event_coalescer *c, elelem_record_item *item)
{
    if (c->els_owed.state == ELS_DEBT_LOST) return els_coalesce_fail(c, ELELEM_ERROR_MISUSE);
    if (!c->els_finished) return ELELEM_MORE;
    if (c->els_has_run) return els_coalesce_give_run(c, item);
    if (c->els_is_broken && c->els_flushed > 0) return els_coalesce_give_flush(c, item);
    return c->els_open.els_count > 0 ? els_coalesce_give_open(c, item) : ELELEM_END;
}

elelem_status elelem_event_coalescer_next(elelem_event_coalescer *coalescer, elelem_record_item *item)
{
    elelem_status status;

    els_coalesce_settle(coalescer);
    do {
        if (coalescer->els_status != ELELEM_OK) return (elelem_status)coalescer->els_status;
        if (coalescer->els_open.els_max == 0) return ELELEM_ERROR_MISUSE;
        status = coalescer->els_pushed ? els_coalesce(coalescer, item) : els_coalesce_end(coalescer, item);
    } while (status == ELS_AGAIN);
    return status;
}

/* What a refused item is known by. */
ELS_PRIVATE uint32_t els_item_hash(const elelem_record_item *item)
{
    if (item->kind != ELELEM_RECORD_EVENT) return els_debt_hash_text(ELS_DEBT_START, item->line);
    return els_debt_hash_text(els_event_hash(&item->event), item->extra);
}

/* OK when the item may be taken. */
ELS_PRIVATE elelem_status els_coalescer_ready(elelem_event_coalescer *c, const elelem_record_item *item)
{
    uint32_t hash;
    int is_allowed;

    if (c->els_status != ELELEM_OK) return (elelem_status)c->els_status;
    if (c->els_open.els_max == 0 || c->els_finished) return ELELEM_ERROR_MISUSE;
    if (!c->els_pushed && c->els_owed.state == ELS_DEBT_NONE) return ELELEM_OK;
    hash = els_item_hash(item);
    is_allowed = els_debt_allows_only(&c->els_owed, 0, hash);
    if (c->els_pushed || !is_allowed) return els_debt_refuse(&c->els_owed, 0, hash, is_allowed);
    c->els_owed.state = ELS_DEBT_NONE;
    return ELELEM_OK;
}

ELS_PRIVATE void els_coalescer_take(elelem_event_coalescer *c, const elelem_record_item *item)
{
    c->els_item = *item;
    c->els_pushed = 1;
    c->els_taken++;
}

/* OK, or why the item is refused: it is checked before anything of it is kept. */
ELS_PRIVATE elelem_status els_coalescer_check(elelem_event_coalescer *c, const elelem_record_item *item)
{
    size_t size = item->kind == ELELEM_RECORD_EVENT ? item->extra.size : item->line.size;

    if (size > c->els_open.els_allowance.els_max) return ELELEM_ERROR_LINE_SIZE;
    if (item->kind == ELELEM_RECORD_EVENT) return els_line_check_item(&c->els_check, item);
    return els_line_check_object(&c->els_check, item->line);
}

elelem_status elelem_event_coalescer_push_item(elelem_event_coalescer *coalescer, const elelem_record_item *item)
{
    elelem_status status = els_coalescer_ready(coalescer, item);

    if (status == ELELEM_OK) status = els_coalescer_check(coalescer, item);
    if (status != ELELEM_OK) return status;
    els_coalescer_take(coalescer, item);
    return ELELEM_OK;
}

elelem_status elelem_event_coalescer_push(elelem_event_coalescer *coalescer, const elelem_event *event)
{
    elelem_record_item item;

    els_item_of_event(&item, event, els_str(NULL, 0), -1);
    return elelem_event_coalescer_push_item(coalescer, &item);
}

elelem_status elelem_event_coalescer_push_line(elelem_event_coalescer *coalescer, elelem_str line)
{
    elelem_record_item item;
    elelem_status status;

    memset(&item, 0, sizeof item);
    item.kind = ELELEM_RECORD_LINE;
    item.line = line;
    status = els_coalescer_ready(coalescer, &item);
    if (status == ELELEM_OK) status = els_coalescer_check(coalescer, &item);
    if (status == ELELEM_OK) status = els_line_read(&coalescer->els_reader, els_trimmed(line), 0, &item);
    if (status == ELELEM_OK) els_coalescer_take(coalescer, &item);
    return status;
}

void elelem_event_coalescer_finish(elelem_event_coalescer *coalescer)
{
    if (!els_debt_close(&coalescer->els_owed)) coalescer->els_finished = 1;
}

elelem_error elelem_event_coalescer_error(const elelem_event_coalescer *coalescer)
{
    if (coalescer->els_open.els_max == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    if (coalescer->els_status == ELELEM_ERROR_MISUSE) return els_lost_error(coalescer->els_taken);
    return els_error((elelem_status)coalescer->els_status, coalescer->els_status ? coalescer->els_taken : 0);
}

void elelem_event_coalescer_reset(elelem_event_coalescer *coalescer)
{
    els_coalesce_drop_run(coalescer);
    els_coalesce_forget(coalescer);
    els_calls_clear(&coalescer->els_open);
    els_coalesce_forget_texts(coalescer);
    coalescer->els_status = ELELEM_OK;
    coalescer->els_given = ELS_COALESCED_NOTHING;
    coalescer->els_owed.state = ELS_DEBT_NONE;
    coalescer->els_taken = 0;
    coalescer->els_pushed = 0;
    coalescer->els_finished = 0;
    coalescer->els_is_broken = 0;
}

/* The most bytes of the line of a call: those it is made of, again what escapes add to them, and its names. */
ELS_PRIVATE size_t els_coalesce_line_limit(const elelem_event_coalescer *c)
{
    return els_sum(els_product((size_t)c->els_open.els_allowance.els_max, 2), 1024);
}

void elelem_event_coalescer_init(elelem_event_coalescer *coalescer, const elelem_event_coalescer_desc *desc)
{
    elelem_event_coalescer_desc defaults = ELELEM_INIT;
    const elelem_event_coalescer_desc *d = desc ? desc : &defaults;

    memset(coalescer, 0, sizeof *coalescer);
    els_calls_init(&coalescer->els_open, d->allocator, d->max_bytes, d->max_calls);
    els_line_reader_init(&coalescer->els_reader, d->allocator);
    els_line_check_init(&coalescer->els_check, d->allocator, ELS_LINE_DEPTH, 1);
    els_meta_init(&coalescer->els_meta_of_run, d->allocator);
    els_meta_init(&coalescer->els_meta_announced, d->allocator);
    elelem_buffer_init(&coalescer->els_run, d->allocator, 0);
    elelem_buffer_init(&coalescer->els_caption, d->allocator, 0);
    elelem_buffer_init(&coalescer->els_announced, d->allocator, 0);
    elelem_buffer_init(&coalescer->els_out, d->allocator, els_coalesce_line_limit(coalescer));
}

void elelem_event_coalescer_free(elelem_event_coalescer *coalescer)
{
    els_meta_free(&coalescer->els_meta_of_run, &coalescer->els_open.els_allowance);
    els_meta_free(&coalescer->els_meta_announced, &coalescer->els_open.els_allowance);
    els_calls_free(&coalescer->els_open);
    els_line_reader_free(&coalescer->els_reader);
    elelem_fragment_parser_free(&coalescer->els_check);
    elelem_buffer_free(&coalescer->els_run);
    elelem_buffer_free(&coalescer->els_caption);
    elelem_buffer_free(&coalescer->els_announced);
    elelem_buffer_free(&coalescer->els_out);
    memset(coalescer, 0, sizeof *coalescer);
}

#endif
