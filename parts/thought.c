#ifndef ELS_THOUGHT_C
#define ELS_THOUGHT_C
#include "thought.h"
#include "base.c"
#include "fragment.c"
#include "writer.c"
#include "event.c"
#include "tags.c"

/* >> thought */

/* What the splitter does next. */
typedef enum els_thought_phase {
    ELS_THOUGHT_IDLE,  /* wait for an event */
    ELS_THOUGHT_PASS,  /* return a part, with another index, or begin to split it */
    ELS_THOUGHT_SPLIT, /* take pieces of the message's text */
    ELS_THOUGHT_PIECE, /* return the current piece */
    ELS_THOUGHT_CLOSE, /* take the last pieces of an item that is flushed */
    ELS_THOUGHT_FLUSH, /* return the flush */
    ELS_THOUGHT_AS_IS, /* return the event unchanged: it belongs to no item */
    ELS_THOUGHT_DRAIN  /* before an end: take the text that items hold back */
} els_thought_phase;

/* An item of the stream that is open. */
typedef struct els_thought {
    elelem_tag_splitter splitter; /* messages only */
    uint32_t in;      /* its index in the stream */
    uint32_t out;     /* the index of its events now */
    uint32_t choice;
    uint8_t kind;     /* the elelem_part_kind of its events now */
    uint8_t is_open;  /* a part with that index was returned, and not flushed */
    uint8_t is_split; /* a message */
} els_thought;

ELS_INLINE els_thought *els_thoughts(const elelem_thought_splitter *s)
{
    return (els_thought *)(void *)s->els_items.data;
}

ELS_PRIVATE elelem_status els_thought_fail(elelem_thought_splitter *s, elelem_status status)
{
    s->els_status = status;
    return status;
}

ELS_PRIVATE int els_thought_find(elelem_thought_splitter *s, uint32_t index)
{
    for (s->els_at = 0; s->els_at < s->els_count; s->els_at++)
        if (els_thoughts(s)[s->els_at].in == index) return 1;
    return 0;
}

/* Finds the item of the event; adds it if this is its first event. */
ELS_PRIVATE elelem_status els_thought_enter(elelem_thought_splitter *s)
{
    els_thought *item;
    elelem_status status;

    if (els_thought_find(s, s->els_event.index)) return ELELEM_OK;
    status = els_block_reserve(&s->els_items, els_product(els_sum(s->els_count, 1), sizeof *item),
                               els_product(s->els_max, sizeof *item), ELELEM_ERROR_COUNT);
    if (status != ELELEM_OK) return els_thought_fail(s, status);
    item = &els_thoughts(s)[s->els_count++];
    memset(item, 0, sizeof *item);
    item->in = s->els_event.index;
    item->choice = s->els_event.choice;
    item->is_split = s->els_event.part.kind == ELELEM_PART_MESSAGE;
    if (!item->is_split) return ELELEM_OK;
    elelem_tag_splitter_init(&item->splitter, &s->els_tags);
    item->splitter.els_max_ids = 1; /* of the outermost tag; those inside it are text */
    return ELELEM_OK;
}

ELS_PRIVATE void els_thought_leave(elelem_thought_splitter *s)
{
    els_thought *item = &els_thoughts(s)[s->els_at];

    if (item->is_split) elelem_tag_splitter_free(&item->splitter);
    memmove(item, item + 1, (s->els_count - s->els_at - 1) * sizeof *item);
    s->els_count--;
}

/* All open items are over. */
ELS_PRIVATE void els_thought_forget(elelem_thought_splitter *s)
{
    s->els_at = 0;
    while (s->els_count > 0)
        els_thought_leave(s);
}

/* Events that are returned. */

ELS_PRIVATE elelem_status els_thought_event(const els_thought *item, elelem_event *event, elelem_event_kind kind)
{
    memset(event, 0, sizeof *event);
    event->kind = (uint8_t)kind;
    event->index = item->out;
    event->choice = item->choice;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_thought_flush(els_thought *item, elelem_event *event)
{
    item->is_open = 0;
    return els_thought_event(item, event, ELELEM_EVENT_FLUSH);
}

ELS_PRIVATE void els_thought_open(elelem_thought_splitter *s, els_thought *item, elelem_part_kind kind)
{
    if (item->is_open) return;
    item->is_open = 1;
    item->kind = (uint8_t)kind;
    item->out = s->els_next_index++;
}

/* The metadata about a tag. */

ELS_PRIVATE void els_thought_write_attributes(elelem_writer *writer, const elelem_tag_piece *piece)
{
    uint32_t i;

    elelem_writer_key(writer, elelem_str_of("attributes"));
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (i = 0; i < piece->attribute_count; i++) {
        elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
        elelem_writer_string(writer, piece->attributes[i].name);
        if (piece->attributes[i].has_value) elelem_writer_string(writer, piece->attributes[i].value);
        elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

ELS_PRIVATE elelem_status els_thought_describe_tag(elelem_thought_splitter *s, elelem_event *event)
{
    const elelem_tag_piece *piece = &s->els_piece;
    elelem_writer writer;

    elelem_buffer_clear(&s->els_json);
    elelem_writer_init(&writer, elelem_buffer_sink(&s->els_json), 0);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(&writer, elelem_str_of("name"));
    elelem_writer_string(&writer, piece->name);
    elelem_writer_key(&writer, elelem_str_of("id"));
    elelem_writer_string(&writer, piece->id);
    if (piece->attribute_count > 0) els_thought_write_attributes(&writer, piece);
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    if (els_writer_status(&writer) != ELELEM_OK) return els_thought_fail(s, els_writer_status(&writer));
    s->els_entry.key = elelem_str_of("tag");
    s->els_entry.json = elelem_buffer_text(&s->els_json);
    event->metadata.entries = &s->els_entry;
    event->metadata.count = 1;
    return ELELEM_OK;
}

/* Pieces. Tags inside the outermost one are text of the reasoning. */

/* Nonzero if the piece is an end tag that belongs to no text: one that closes nothing, or the outermost tag, perhaps with tags
   inside it, whose ends come first. */
ELS_PRIVATE int els_thought_is_end(const els_thought *item, const elelem_tag_piece *piece)
{
    if (piece->kind != ELELEM_TAG_END) return 0;
    return piece->how == ELELEM_TAG_ORPHAN || piece->depth == item->splitter.els_ends + 1;
}

ELS_PRIVATE elelem_str els_thought_text(const els_thought *item, const elelem_tag_piece *piece)
{
    if (piece->kind == ELELEM_TAG_TEXT) return piece->text;
    if (piece->depth <= 1 || els_thought_is_end(item, piece)) return els_str(NULL, 0);
    return piece->raw;
}

/* Returns the current piece, or first the flush of what was before it. */
ELS_PRIVATE elelem_status els_thought_piece(elelem_thought_splitter *s, elelem_event *event)
{
    els_thought *item = &els_thoughts(s)[s->els_at];
    elelem_part_kind kind = s->els_piece.depth > 0 ? ELELEM_PART_REASONING : ELELEM_PART_MESSAGE;
    int is_first = s->els_piece.kind == ELELEM_TAG_BEGIN && s->els_piece.depth == 1;

    if (item->is_open && item->kind != kind) return els_thought_flush(item, event);
    els_thought_open(s, item, kind);
    els_thought_event(item, event, ELELEM_EVENT_PART);
    event->part.kind = (uint8_t)kind;
    event->part.text = els_thought_text(item, &s->els_piece);
    s->els_phase = s->els_event.kind == ELELEM_EVENT_PART    ? ELS_THOUGHT_SPLIT
                   : s->els_event.kind == ELELEM_EVENT_FLUSH ? ELS_THOUGHT_CLOSE
                                                             : ELS_THOUGHT_DRAIN;
    return is_first ? els_thought_describe_tag(s, event) : ELELEM_OK;
}

/* Takes the next piece. OK: the flush of reasoning that an end tag closed; AGAIN: a piece to be returned, or one that
   adds nothing; MORE, END as from the tag splitter. */
ELS_PRIVATE elelem_status els_thought_take(elelem_thought_splitter *s, elelem_event *event)
{
    els_thought *item = &els_thoughts(s)[s->els_at];
    elelem_status status = els_tags_next(&item->splitter, &s->els_text, &s->els_piece);

    if (status < 0) return els_thought_fail(s, status);
    if (status != ELELEM_OK) return status;
    if (s->els_piece.kind == ELELEM_TAG_END && s->els_piece.depth == 1 && s->els_piece.how < ELELEM_TAG_UNCLOSED)
        return els_thought_flush(item, event);
    if (els_thought_text(item, &s->els_piece).size > 0 || s->els_piece.kind == ELELEM_TAG_BEGIN) s->els_phase = ELS_THOUGHT_PIECE;
    return ELS_AGAIN;
}

/* Phases. */

/* Returns the metadata of a message's part in a part without text, of the item that is open or of a new one. */
ELS_PRIVATE elelem_status els_thought_pass_metadata(elelem_thought_splitter *s, els_thought *item, elelem_event *event)
{
    els_thought_open(s, item, ELELEM_PART_MESSAGE);
    els_thought_event(item, event, ELELEM_EVENT_PART);
    event->part.kind = item->kind;
    event->metadata = s->els_event.metadata;
    return ELELEM_OK;
}

/* Begins to split the text of a message; returns any other part with its new index. */
ELS_PRIVATE elelem_status els_thought_part(elelem_thought_splitter *s, elelem_event *event)
{
    els_thought *item = &els_thoughts(s)[s->els_at];

    if (item->is_split) {
        s->els_text = els_cursor_of(s->els_event.part.text.data, s->els_event.part.text.size);
        s->els_phase = ELS_THOUGHT_SPLIT;
        return s->els_event.metadata.count > 0 ? els_thought_pass_metadata(s, item, event) : ELS_AGAIN;
    }
    els_thought_open(s, item, (elelem_part_kind)s->els_event.part.kind);
    *event = s->els_event;
    event->index = item->out;
    s->els_phase = ELS_THOUGHT_IDLE;
    return ELELEM_OK;
}

/* Returns the flush of an item. If none is open but the flush has metadata, an item of nothing else is opened first. */
ELS_PRIVATE elelem_status els_thought_end(elelem_thought_splitter *s, elelem_event *event)
{
    els_thought *item = &els_thoughts(s)[s->els_at];
    if (!item->is_open && s->els_event.metadata.count > 0) {
        els_thought_open(s, item, ELELEM_PART_MESSAGE);
        els_thought_event(item, event, ELELEM_EVENT_PART);
        event->part.kind = ELELEM_PART_MESSAGE;
        event->metadata = s->els_event.metadata;
        s->els_event.metadata.count = 0;
        return ELELEM_OK;
    }
    s->els_phase = ELS_THOUGHT_IDLE;
    if (!item->is_open) {
        els_thought_leave(s);
        return ELS_AGAIN;
    }
    els_thought_flush(item, event);
    event->cut_off = s->els_event.cut_off;
    event->metadata = s->els_event.metadata;
    els_thought_leave(s);
    return ELELEM_OK;
}

/* Returns an end of the stream, after all text that was held back because it might have become a tag. */
ELS_PRIVATE elelem_status els_thought_drain(elelem_thought_splitter *s, elelem_event *event)
{
    for (; s->els_at < s->els_count; s->els_at++) {
        els_thought *item = &els_thoughts(s)[s->els_at];
        elelem_status status;
        if (!item->is_split) continue;
        elelem_tag_splitter_finish(&item->splitter);
        status = els_thought_take(s, event);
        if (status != ELELEM_END) return status;
    }
    els_thought_forget(s);
    *event = s->els_event;
    s->els_phase = ELS_THOUGHT_IDLE;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_thought_step(elelem_thought_splitter *s, elelem_event *event)
{
    elelem_status status;

    switch ((els_thought_phase)s->els_phase) {
    case ELS_THOUGHT_PASS: return els_thought_part(s, event);
    case ELS_THOUGHT_PIECE: return els_thought_piece(s, event);
    case ELS_THOUGHT_FLUSH: return els_thought_end(s, event);
    case ELS_THOUGHT_DRAIN: return els_thought_drain(s, event);
    case ELS_THOUGHT_AS_IS:
        *event = s->els_event;
        s->els_phase = ELS_THOUGHT_IDLE;
        return ELELEM_OK;
    case ELS_THOUGHT_SPLIT:
        status = els_thought_take(s, event);
        if (status == ELELEM_MORE) s->els_phase = ELS_THOUGHT_IDLE;
        return status;
    case ELS_THOUGHT_CLOSE:
        status = els_thought_take(s, event);
        if (status == ELELEM_END) s->els_phase = ELS_THOUGHT_FLUSH;
        return status == ELELEM_END ? ELS_AGAIN : status;
    default: return s->els_owed.state == ELS_DEBT_LOST ? els_thought_fail(s, ELELEM_ERROR_MISUSE) : ELELEM_MORE;
    }
}

elelem_status elelem_thought_splitter_next(elelem_thought_splitter *splitter, elelem_event *event)
{
    elelem_status status;

    if (splitter->els_status != ELELEM_OK) return (elelem_status)splitter->els_status;
    if (splitter->els_max == 0) return ELELEM_ERROR_MISUSE;
    do
        status = els_thought_step(splitter, event);
    while (status == ELS_AGAIN);
    return status;
}

ELS_PRIVATE elelem_status els_thought_take_event(elelem_thought_splitter *s, const elelem_event *event)
{
    elelem_status status = ELELEM_OK;

    s->els_event = *event;
    if (event->kind == ELELEM_EVENT_PART) {
        status = els_thought_enter(s);
        if (status == ELELEM_OK) s->els_phase = ELS_THOUGHT_PASS;
    } else if (event->kind == ELELEM_EVENT_FLUSH) {
        if (!els_thought_find(s, event->index)) return ELELEM_ERROR_MISUSE;
        s->els_phase = ELS_THOUGHT_FLUSH;
        s->els_finished++;
        if (els_thoughts(s)[s->els_at].is_split) {
            elelem_tag_splitter_finish(&els_thoughts(s)[s->els_at].splitter);
            s->els_phase = ELS_THOUGHT_CLOSE;
        }
    } else if (event->kind == ELELEM_EVENT_METADATA) {
        s->els_phase = ELS_THOUGHT_AS_IS;
    } else {
        s->els_at = 0;
        s->els_phase = ELS_THOUGHT_DRAIN;
    }
    return status;
}

elelem_status elelem_thought_splitter_push(elelem_thought_splitter *splitter, const elelem_event *event)
{
    elelem_status status = (elelem_status)splitter->els_status;

    if (status != ELELEM_OK) return status;
    if (splitter->els_max == 0) return ELELEM_ERROR_MISUSE;
    if (!els_debt_takes_event(&splitter->els_owed, event, splitter->els_phase == ELS_THOUGHT_IDLE))
        return ELELEM_ERROR_MISUSE;
    return els_thought_take_event(splitter, event);
}

elelem_error elelem_thought_splitter_error(const elelem_thought_splitter *splitter)
{
    if (splitter->els_max == 0) return els_error(ELELEM_ERROR_MISUSE, 0);
    if (splitter->els_status == ELELEM_ERROR_MISUSE) return els_lost_error(splitter->els_finished);
    return els_error((elelem_status)splitter->els_status, splitter->els_status ? splitter->els_finished : 0);
}

void elelem_thought_splitter_reset(elelem_thought_splitter *splitter)
{
    els_thought_forget(splitter);
    splitter->els_text = els_cursor_of(NULL, 0);
    splitter->els_owed.state = ELS_DEBT_NONE;
    splitter->els_finished = 0;
    splitter->els_next_index = 0;
    splitter->els_status = ELELEM_OK;
    splitter->els_phase = ELS_THOUGHT_IDLE;
}

void elelem_thought_splitter_init(elelem_thought_splitter *splitter, const elelem_thought_splitter_desc *desc)
{
    elelem_thought_splitter_desc defaults = ELELEM_INIT;
    const elelem_thought_splitter_desc *d = desc ? desc : &defaults;

    memset(splitter, 0, sizeof *splitter);
    splitter->els_items.allocator = d->allocator;
    splitter->els_tags.allocator = d->allocator;
    splitter->els_tags.names = d->names;
    splitter->els_tags.name_count = d->name_count;
    splitter->els_max = ELS_DEFAULT(d->max_open, 256u);
    elelem_buffer_init(&splitter->els_json, d->allocator, 0);
}

void elelem_thought_splitter_free(elelem_thought_splitter *splitter)
{
    elelem_thought_splitter_reset(splitter);
    els_block_free(&splitter->els_items);
    elelem_buffer_free(&splitter->els_json);
    memset(splitter, 0, sizeof *splitter);
}

#endif
