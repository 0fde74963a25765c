#ifndef ELS_REPLAYER_C
#define ELS_REPLAYER_C
#include "replayer.h"
#include "base.c"
#include "text.c"
#include "fragment.c"
#include "parser.c"
#include "writer.c"
#include "line.c"

/* >> replayer */

/* What it waits for. */
typedef enum els_replay_state {
    ELS_REPLAY_LINE,   /* an object, after whitespace and empty lines */
    ELS_REPLAY_OBJECT, /* the rest of the object */
    ELS_REPLAY_AFTER,  /* the end of the line */
    ELS_REPLAY_FAILED  /* nothing: an error sticks */
} els_replay_state;

ELS_INLINE uint64_t els_replay_offset(const elelem_replayer *p)
{
    return els_input_offset(&p->els_lent);
}

ELS_PRIVATE elelem_status els_replay_fail(elelem_replayer *p, elelem_status status, uint64_t offset)
{
    p->els_status = status;
    p->els_error_offset = offset;
    p->els_state = ELS_REPLAY_FAILED;
    return status;
}

/* Copies what is still needed of the bytes pushed, which are used up. */
ELS_PRIVATE elelem_status els_replay_more(elelem_replayer *p)
{
    elelem_status status = elelem_buffer_append(&p->els_kept, p->els_raw.data, p->els_raw.size);

    p->els_raw = els_str(NULL, 0);
    return status == ELELEM_OK ? ELELEM_MORE : els_replay_fail(p, status, els_replay_offset(p));
}

ELS_PRIVATE void els_replay_line_end(elelem_replayer *p)
{
    p->els_at.lines++;
    p->els_at.offset = els_replay_offset(p);
}

ELS_PRIVATE elelem_status els_replay_line(elelem_replayer *p)
{
    while (p->els_lent.bytes.at < p->els_lent.bytes.end) {
        unsigned char byte = *p->els_lent.bytes.at;
        if (byte == '{') {
            p->els_object = els_replay_offset(p);
            p->els_state = ELS_REPLAY_OBJECT;
            elelem_buffer_clear(&p->els_kept);
            p->els_raw = els_str(p->els_lent.bytes.at, 0);
            elelem_fragment_parser_reset(&p->els_check);
            return ELS_AGAIN;
        }
        if (!els_is_blank(byte)) return els_replay_fail(p, ELELEM_ERROR_SYNTAX, els_replay_offset(p));
        p->els_lent.bytes.at++;
        if (byte == '\n') els_replay_line_end(p);
    }
    return p->els_lent.finished ? ELELEM_END : ELELEM_MORE;
}

/* Returns the bytes of the object that may be read: up to the line's end, and to the limit. */
ELS_PRIVATE elelem_str els_replay_span(const elelem_replayer *p)
{
    uint64_t left = p->els_max_line - (els_replay_offset(p) - p->els_object);
    size_t size = (size_t)(p->els_lent.bytes.end - p->els_lent.bytes.at);
    const void *line_end;

    if (size > left) size = (size_t)left;
    line_end = size > 0 ? memchr(p->els_lent.bytes.at, '\n', size) : NULL;
    if (line_end) size = (size_t)((const unsigned char *)line_end - p->els_lent.bytes.at);
    return els_str(p->els_lent.bytes.at, size);
}

/* Decides what an object is that is not whole when its bytes so far are read. */
ELS_PRIVATE elelem_status els_replay_stopped(elelem_replayer *p)
{
    uint64_t offset = els_replay_offset(p);

    if (p->els_lent.bytes.at < p->els_lent.bytes.end) {
        if (offset - p->els_object >= p->els_max_line) return els_replay_fail(p, ELELEM_ERROR_LINE_SIZE, offset);
        return els_replay_fail(p, ELELEM_ERROR_SYNTAX, offset);
    }
    return p->els_lent.finished ? els_replay_fail(p, ELELEM_ERROR_TRUNCATED, offset) : els_replay_more(p);
}

ELS_PRIVATE elelem_status els_replay_object(elelem_replayer *p)
{
    elelem_str span = els_replay_span(p);
    elelem_fragment fragment;
    elelem_status status;
    size_t read;

    elelem_fragment_parser_push(&p->els_check, span.data, span.size); /* takes all: the one before was read to its end */
    status = elelem_fragment_parser_next(&p->els_check, &fragment);
    read = span.size - elelem_fragment_parser_unread(&p->els_check);
    if (!p->els_raw.data) p->els_raw.data = span.data;
    p->els_raw.size += read;
    p->els_lent.bytes.at += read;
    if (status == ELELEM_MORE) return els_replay_stopped(p);
    if (status < 0)
        return els_replay_fail(p, status, p->els_object + elelem_fragment_parser_error(&p->els_check).offset);
    p->els_state = ELS_REPLAY_AFTER;
    return ELS_AGAIN;
}

/* Returns the object's text in one piece. */
ELS_PRIVATE elelem_status els_replay_whole(elelem_replayer *p, elelem_str *line)
{
    *line = p->els_raw;
    if (p->els_kept.els_size == 0) return ELELEM_OK;
    if (els_replay_more(p) != ELELEM_MORE) return (elelem_status)p->els_status;
    *line = elelem_buffer_text(&p->els_kept);
    return ELELEM_OK;
}

/* Returns the item of a line whose end was read. */
ELS_PRIVATE elelem_status els_replay_give(elelem_replayer *p, elelem_record_item *item)
{
    elelem_str line;
    elelem_status status = ELELEM_OK;

    if (p->els_at.items >= p->els_first) {
        status = els_replay_whole(p, &line);
        if (status == ELELEM_OK) status = els_line_read(&p->els_reader, line, p->els_lines, item);
        if (status != ELELEM_OK) return els_replay_fail(p, status, p->els_object);
    }
    p->els_raw = els_str(NULL, 0);
    p->els_state = ELS_REPLAY_LINE;
    els_replay_line_end(p);
    p->els_at.items++;
    if (p->els_at.items <= p->els_first) return ELS_AGAIN;
    item->number = p->els_at.items;
    item->line_number = p->els_at.lines;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_replay_after(elelem_replayer *p, elelem_record_item *item)
{
    while (p->els_lent.bytes.at < p->els_lent.bytes.end) {
        unsigned char byte = *p->els_lent.bytes.at;
        if (!els_is_blank(byte)) return els_replay_fail(p, ELELEM_ERROR_SYNTAX, els_replay_offset(p));
        p->els_lent.bytes.at++;
        if (byte == '\n') return els_replay_give(p, item);
    }
    return p->els_lent.finished ? els_replay_give(p, item) : els_replay_more(p);
}

ELS_PRIVATE elelem_status els_replay_step(elelem_replayer *p, elelem_record_item *item)
{
    switch ((els_replay_state)p->els_state) {
    case ELS_REPLAY_LINE: return els_replay_line(p);
    case ELS_REPLAY_OBJECT: return els_replay_object(p);
    case ELS_REPLAY_AFTER: return els_replay_after(p, item);
    default: return (elelem_status)p->els_status;
    }
}

/* Plain text. A character cut by the end of a push waits in els_carry. */

ELS_PRIVATE elelem_status els_replay_give_text(elelem_replayer *p, elelem_str text, elelem_record_item *item)
{
    memset(item, 0, sizeof *item);
    item->event.part.text = text;
    item->type = elelem_str_of("PartialResponse");
    item->time_ms = -1;
    p->els_at.offset += text.size;
    return ELELEM_OK;
}

/* Nonzero if the byte at the cursor continues the character in els_carry. */
ELS_PRIVATE int els_replay_carries(const elelem_replayer *p, unsigned char byte)
{
    els_lead lead = els_lead_of(p->els_carry_size > 0 ? p->els_carry[0] : byte);

    if (p->els_carry_size == 0) return lead.more > 0;
    if (p->els_carry_size == 1) return byte >= lead.low && byte <= lead.high;
    return els_is_continuation(byte);
}

ELS_PRIVATE elelem_status els_replay_character(elelem_replayer *p, elelem_record_item *item)
{
    while (p->els_lent.bytes.at < p->els_lent.bytes.end) {
        unsigned char byte = *p->els_lent.bytes.at;
        if (!els_replay_carries(p, byte)) return els_replay_fail(p, ELELEM_ERROR_UTF8, els_replay_offset(p));
        p->els_carry[p->els_carry_size++] = byte;
        p->els_lent.bytes.at++;
        if (p->els_carry_size <= els_lead_of(p->els_carry[0]).more) continue;
        p->els_carry_size = 0;
        return els_replay_give_text(p, els_str(p->els_carry, els_lead_of(p->els_carry[0]).more + 1u), item);
    }
    if (!p->els_lent.finished) return ELELEM_MORE;
    if (p->els_carry_size > 0) return els_replay_fail(p, ELELEM_ERROR_TRUNCATED, els_replay_offset(p));
    return ELELEM_END;
}

/* Passes over what the caller already has. */
ELS_PRIVATE void els_replay_skip_text(elelem_replayer *p)
{
    uint64_t size = (uint64_t)(p->els_lent.bytes.end - p->els_lent.bytes.at);
    uint64_t skip = p->els_first > p->els_at.offset ? p->els_first - p->els_at.offset : 0;

    if (skip > size) skip = size;
    if (skip == 0) return;
    p->els_lent.bytes.at += skip;
    p->els_at.offset += skip;
}

ELS_PRIVATE elelem_status els_replay_text(elelem_replayer *p, elelem_record_item *item)
{
    elelem_str text;

    if (p->els_state == ELS_REPLAY_FAILED) return (elelem_status)p->els_status;
    els_replay_skip_text(p);
    text = els_str(p->els_lent.bytes.at, (size_t)(p->els_lent.bytes.end - p->els_lent.bytes.at));
    if (p->els_carry_size > 0) return els_replay_character(p, item);
    if (text.size > 0) text.size = elelem_utf8_valid(text);
    if (text.size == 0) return els_replay_character(p, item);
    p->els_lent.bytes.at += text.size;
    return els_replay_give_text(p, text, item);
}

elelem_status elelem_replayer_push(elelem_replayer *replayer, const void *bytes, size_t size)
{
    if (replayer->els_state == ELS_REPLAY_FAILED) return (elelem_status)replayer->els_status;
    return els_input_push(&replayer->els_lent, bytes, size);
}

elelem_status elelem_replayer_next(elelem_replayer *replayer, elelem_record_item *item)
{
    elelem_status status;

    if (replayer->els_format == ELELEM_RECORD_TEXT) {
        status = els_replay_text(replayer, item);
    } else {
        do
            status = els_replay_step(replayer, item);
        while (status == ELS_AGAIN);
    }
    if (status == ELELEM_MORE) status = els_input_more(&replayer->els_lent);
    return status == ELELEM_ERROR_MISUSE ? els_replay_fail(replayer, status, els_replay_offset(replayer)) : status;
}

void elelem_replayer_finish(elelem_replayer *replayer)
{
    els_input_finish(&replayer->els_lent);
}

elelem_replay_position elelem_replayer_position(const elelem_replayer *replayer)
{
    return replayer->els_at;
}

uint64_t elelem_replayer_line_number(const elelem_replayer *replayer)
{
    return replayer->els_at.lines + 1;
}

elelem_error elelem_replayer_error(const elelem_replayer *replayer)
{
    return els_input_error(&replayer->els_lent, (elelem_status)replayer->els_status, replayer->els_error_offset);
}

ELS_PRIVATE void els_replay_start(elelem_replayer *replayer)
{
    elelem_buffer_clear(&replayer->els_kept);
    els_input_start(&replayer->els_lent, replayer->els_start.offset);
    replayer->els_raw = els_str(NULL, 0);
    replayer->els_at = replayer->els_start;
    replayer->els_error_offset = 0;
    replayer->els_status = ELELEM_OK;
    replayer->els_state = ELS_REPLAY_LINE;
    replayer->els_carry_size = 0;
}

void elelem_replayer_reset(elelem_replayer *replayer)
{
    if (replayer->els_lent.state != ELS_INPUT_NONE) els_replay_start(replayer);
}

void elelem_replayer_init(elelem_replayer *replayer, const elelem_replayer_desc *desc)
{
    elelem_replayer_desc defaults = ELELEM_INIT;
    const elelem_replayer_desc *d = desc ? desc : &defaults;

    memset(replayer, 0, sizeof *replayer);
    els_line_check_init(&replayer->els_check, d->allocator, ELS_LINE_DEPTH, 0);
    els_line_reader_init(&replayer->els_reader, d->allocator);
    replayer->els_start = d->start;
    replayer->els_first = d->first;
    replayer->els_max_line = ELS_DEFAULT(d->max_line_bytes, 16u << 20);
    /* Not reached: size_t has 64 bits here. */
    if (replayer->els_max_line > SIZE_MAX) replayer->els_max_line = SIZE_MAX;
    elelem_buffer_init(&replayer->els_kept, d->allocator, (size_t)replayer->els_max_line);
    replayer->els_format = d->format;
    replayer->els_lines = d->lines;
    els_replay_start(replayer);
}

void elelem_replayer_free(elelem_replayer *replayer)
{
    elelem_fragment_parser_free(&replayer->els_check);
    els_line_reader_free(&replayer->els_reader);
    elelem_buffer_free(&replayer->els_kept);
    memset(replayer, 0, sizeof *replayer);
}

#endif
