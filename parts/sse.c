#ifndef ELS_SSE_C
#define ELS_SSE_C
#include "sse.h"
#include "base.c"
#include "text.c"
#include "writer.c"

/* >> sse */

/* What the decoder waits for. */
typedef enum els_sse_state {
    ELS_SSE_LINE,     /* the first byte of a line */
    ELS_SSE_AFTER_CR, /* the same, but an LF here still belongs to the CR */
    ELS_SSE_NAME,     /* more of a field's name, or the byte after it */
    ELS_SSE_SPACE,    /* the one space that may follow the colon */
    ELS_SSE_VALUE,    /* more of the field's value, or the line's end */
    ELS_SSE_TEXT,     /* more of a line that is no field and is returned */
    ELS_SSE_SKIP,     /* the end of a line that is ignored */
    ELS_SSE_ENDED     /* nothing */
} els_sse_state;

/* What a line can begin with. The first byte identifies a name, because no two begin with the same
   byte. A byte order mark is one only at the start of the body. */
typedef enum els_sse_field {
    ELS_SSE_DATA,
    ELS_SSE_EVENT,
    ELS_SSE_ID,
    ELS_SSE_RETRY,
    ELS_SSE_BOM,
    ELS_SSE_FIELDS
} els_sse_field;

/* What the body ended in. */
typedef enum els_sse_stop {
    ELS_SSE_STOP_BETWEEN, /* between events, or not yet. A retry does not begin an event: it takes effect at once */
    ELS_SSE_STOP_EVENT,   /* after a line of an event */
    ELS_SSE_STOP_NAME,    /* in a line that might have become a field */
    ELS_SSE_STOP_DATA,    /* in the value of a data field */
    ELS_SSE_STOP_LINE     /* in another line */
} els_sse_stop;

typedef struct els_sse_name {
    const char *text;
    uint8_t size;
} els_sse_name;

static const els_sse_name els_sse_names[ELS_SSE_FIELDS] = {
    {"data", 4}, {"event", 5}, {"id", 2}, {"retry", 5}, {"\xEF\xBB\xBF", 3}
};

#define ELS_SSE_SLOTS 4
#define ELS_SSE_NAME_MAX ((size_t)1 << 28) /* four times this fits a size of 32 bits */

/* Line ends. */

ELS_INLINE void els_sse_take_line_end(elelem_sse_decoder *decoder, els_cursor *in)
{
    decoder->els_state = *in->at == '\r' ? ELS_SSE_AFTER_CR : ELS_SSE_LINE;
    in->at++;
}

/* Names and ids. They are stored in four slots of the same size: the last id of the stream, the id
   that becomes the last one at the next blank line, the event's name, and the value that is being
   read. When a value is whole only the numbers of the slots change; no bytes are moved. */

ELS_PRIVATE elelem_str els_sse_text(const elelem_sse_decoder *decoder, uint8_t slot)
{
    if (slot == 0) return els_str("", 0);
    return els_str(decoder->els_texts.data + (size_t)(slot - 1) * decoder->els_stride, decoder->els_sizes[slot - 1]);
}

ELS_PRIVATE void els_sse_open_value(elelem_sse_decoder *decoder)
{
    uint8_t slot = 1;

    while (slot == decoder->els_last_id || slot == decoder->els_id || slot == decoder->els_event)
        slot++;
    decoder->els_value = slot;
    decoder->els_sizes[slot - 1] = 0;
}

/* Makes room for `size` bytes in each slot. */
ELS_PRIVATE elelem_status els_sse_widen(elelem_sse_decoder *decoder, size_t size)
{
    size_t before = decoder->els_stride;
    size_t limit = els_product(decoder->els_name_limit, ELS_SSE_SLOTS);
    size_t slot;
    size_t stride;
    elelem_status status;

    if (size <= before) return ELELEM_OK;
    status = els_block_reserve(&decoder->els_texts, els_product(size, ELS_SSE_SLOTS), limit, ELELEM_ERROR_LINE_SIZE);
    if (status != ELELEM_OK) return status;
    stride = decoder->els_texts.capacity / ELS_SSE_SLOTS;
    for (slot = ELS_SSE_SLOTS - 1; slot > 0; slot--)
        memmove(decoder->els_texts.data + slot * stride, decoder->els_texts.data + slot * before, before);
    decoder->els_stride = (uint32_t)stride;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_sse_keep(elelem_sse_decoder *decoder, const unsigned char *bytes, size_t size)
{
    size_t slot = (size_t)decoder->els_value - 1;
    size_t have = decoder->els_sizes[slot];
    elelem_status status = els_sse_widen(decoder, els_sum(have, size));

    if (status != ELELEM_OK || size == 0) return status;
    memcpy(decoder->els_texts.data + slot * decoder->els_stride + have, bytes, size);
    decoder->els_sizes[slot] = (uint32_t)(have + size);
    return ELELEM_OK;
}

/* Frames. */

ELS_INLINE elelem_status els_sse_give(elelem_frame *frame, elelem_frame_kind kind, const void *text, size_t size)
{
    frame->kind = (uint8_t)kind;
    frame->line_end = 0;
    frame->text = els_str(text, size);
    frame->event = els_str("", 0);
    frame->id = els_str("", 0);
    frame->retry_ms = -1;
    return ELELEM_OK;
}

/* Returns the end of an event and prepares for the next one. */
ELS_PRIVATE elelem_status els_sse_give_end(elelem_sse_decoder *decoder, elelem_frame *frame, elelem_frame_kind kind)
{
    els_sse_give(frame, kind, "", 0);
    frame->event = els_sse_text(decoder, decoder->els_event);
    frame->id = els_sse_text(decoder, decoder->els_last_id);
    frame->retry_ms = decoder->els_retry;
    decoder->els_event = 0;
    decoder->els_has_data = 0;
    decoder->els_data_size = 0;
    decoder->els_inside = 0;
    return ELELEM_OK;
}

/* Ends an event at a blank line. The id takes effect in any case, the rest only if there was data. */
ELS_PRIVATE elelem_status els_sse_blank(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    decoder->els_last_id = decoder->els_id;
    if (decoder->els_has_data) return els_sse_give_end(decoder, frame, ELELEM_FRAME_DISPATCH);
    decoder->els_event = 0;
    decoder->els_inside = 0;
    return ELS_AGAIN;
}

/* Begins a line of data. If it is not the event's first, an LF is added to the data before it. */
ELS_PRIVATE elelem_status els_sse_open_data(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    if (!decoder->els_has_data) {
        decoder->els_has_data = 1;
        return ELS_AGAIN;
    }
    if (decoder->els_data_size == decoder->els_data_limit) return ELELEM_ERROR_FRAME_SIZE;
    decoder->els_data_size++;
    return els_sse_give(frame, ELELEM_FRAME_DATA, "\n", 1);
}

/* The steps: each reads bytes for one state. */

/* Returns the field that may begin with this byte, or ELS_SSE_FIELDS. */
ELS_PRIVATE els_sse_field els_sse_field_of(const elelem_sse_decoder *decoder, unsigned char byte)
{
    switch (byte) {
    case 'd': return ELS_SSE_DATA;
    case 'e': return ELS_SSE_EVENT;
    case 'i': return ELS_SSE_ID;
    case 'r': return ELS_SSE_RETRY;
    case 0xEF: return decoder->els_begun ? ELS_SSE_FIELDS : ELS_SSE_BOM;
    default: return ELS_SSE_FIELDS;
    }
}

/* Treats the line as no field. Its text so far is the matched part of a name. */
ELS_PRIVATE elelem_status els_sse_no_field(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    if (!decoder->els_lines) {
        decoder->els_state = ELS_SSE_SKIP;
        return ELS_AGAIN;
    }
    decoder->els_state = ELS_SSE_TEXT;
    return els_sse_give(frame, ELELEM_FRAME_LINE, els_sse_names[decoder->els_field].text, decoder->els_matched);
}

ELS_PRIVATE elelem_status els_sse_open_field(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    if (decoder->els_field != ELS_SSE_RETRY) decoder->els_inside = 2;
    else if (decoder->els_inside == 0) decoder->els_inside = 1;
    switch (decoder->els_field) {
    case ELS_SSE_DATA: return els_sse_open_data(decoder, frame);
    case ELS_SSE_RETRY: decoder->els_number = -1; break;
    default: els_sse_open_value(decoder); break;
    }
    return ELS_AGAIN;
}

/* Reads the byte after a name. If it is a line end, the value is empty. */
ELS_PRIVATE elelem_status els_sse_after_name(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    elelem_status status;

    if (*in->at != ':' && !els_is_line_end(*in->at)) return els_sse_no_field(decoder, frame);
    status = els_sse_open_field(decoder, frame);
    if (status < 0) return status;
    decoder->els_state = *in->at == ':' ? ELS_SSE_SPACE : ELS_SSE_VALUE;
    if (*in->at == ':') in->at++;
    return status;
}

ELS_PRIVATE elelem_status els_sse_space(elelem_sse_decoder *decoder, els_cursor *in)
{
    if (*in->at == ' ') in->at++;
    decoder->els_state = ELS_SSE_VALUE;
    return ELS_AGAIN;
}

/* Nonzero if the bytes begin with the name of this field and its colon: of the two that nearly all lines have. The steps read
   the others, and names that are cut. Recorded Messages streams take 5% fewer instructions so. */
ELS_INLINE int els_sse_has_name(const els_cursor *in, els_sse_field field)
{
    size_t left = (size_t)(in->end - in->at);

    if (field == ELS_SSE_DATA) return left > 5 && memcmp(in->at, "data:", 5) == 0;
    return field == ELS_SSE_EVENT && left > 6 && memcmp(in->at, "event:", 6) == 0;
}

/* Begins a line with a whole name, up to its value. */
ELS_INLINE elelem_status els_sse_whole_name(elelem_sse_decoder *decoder, els_cursor *in, els_sse_field field, elelem_frame *frame)
{
    elelem_status status;

    decoder->els_field = (uint8_t)field;
    decoder->els_matched = els_sse_names[field].size;
    decoder->els_state = ELS_SSE_NAME;
    in->at += decoder->els_matched;
    status = els_sse_after_name(decoder, in, frame);
    return status == ELS_AGAIN ? els_sse_space(decoder, in) : status;
}

ELS_PRIVATE elelem_status els_sse_line(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    els_sse_field field = els_sse_field_of(decoder, *in->at);

    decoder->els_begun = 1;
    if (els_sse_has_name(in, field)) return els_sse_whole_name(decoder, in, field, frame);
    if (els_is_line_end(*in->at)) {
        els_sse_take_line_end(decoder, in);
        return els_sse_blank(decoder, frame);
    }
    if (field != ELS_SSE_FIELDS) {
        decoder->els_field = (uint8_t)field;
        decoder->els_matched = 0;
        decoder->els_state = ELS_SSE_NAME;
    } else if (*in->at != ':' && decoder->els_lines) {
        decoder->els_state = ELS_SSE_TEXT;
    } else {
        decoder->els_state = ELS_SSE_SKIP;
    }
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_name_more(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    els_sse_name name = els_sse_names[decoder->els_field];

    while (decoder->els_matched < name.size && in->at < in->end) {
        if (*in->at != (unsigned char)name.text[decoder->els_matched]) return els_sse_no_field(decoder, frame);
        decoder->els_matched++;
        in->at++;
    }
    if (decoder->els_matched < name.size) return ELS_AGAIN;
    if (decoder->els_field == ELS_SSE_BOM) {
        decoder->els_state = ELS_SSE_LINE;
        return ELS_AGAIN;
    }
    return in->at < in->end ? els_sse_after_name(decoder, in, frame) : ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_data(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    const unsigned char *at = in->at;
    size_t size = (size_t)(els_line_end(at, in->end) - at);
    uint64_t room = decoder->els_data_limit - decoder->els_data_size;

    if (size > room) {
        if (room == 0) return ELELEM_ERROR_FRAME_SIZE;
        size = (size_t)room;
        in->at += size;
    } else {
        in->at += size;
        if (in->at < in->end) els_sse_take_line_end(decoder, in);
        if (size == 0) return ELS_AGAIN;
    }
    decoder->els_data_size += size;
    return els_sse_give(frame, ELELEM_FRAME_DATA, at, size);
}

ELS_PRIVATE void els_sse_close_value(elelem_sse_decoder *decoder)
{
    uint8_t slot = decoder->els_sizes[decoder->els_value - 1] > 0 ? decoder->els_value : 0;

    if (decoder->els_field == ELS_SSE_EVENT) decoder->els_event = slot;
    else decoder->els_id = slot;
}

/* Reads the value of `event` or `id`. An id with a zero byte is ignored. */
ELS_PRIVATE elelem_status els_sse_name_or_id(elelem_sse_decoder *decoder, els_cursor *in)
{
    size_t size = (size_t)(els_line_end(in->at, in->end) - in->at);
    size_t room = decoder->els_name_limit - decoder->els_sizes[decoder->els_value - 1];
    size_t fits = size < room ? size : room;
    elelem_status status;

    if (decoder->els_field == ELS_SSE_ID && fits > 0 && memchr(in->at, 0, fits)) {
        decoder->els_state = ELS_SSE_SKIP;
        return ELS_AGAIN;
    }
    if (size > room) {
        in->at += room;
        return ELELEM_ERROR_LINE_SIZE;
    }
    status = els_sse_keep(decoder, in->at, size);
    if (status != ELELEM_OK) return status;
    in->at += size;
    if (in->at == in->end) return ELS_AGAIN;
    els_sse_close_value(decoder);
    els_sse_take_line_end(decoder, in);
    return ELS_AGAIN;
}

/* Appends a digit to a number; INT64_MAX if the result does not fit. Only constants are divided, because small machines divide 64 bits
   by a function of a kilobyte. */
ELS_PRIVATE int64_t els_sse_digit(int64_t number, unsigned char byte)
{
    int64_t digit = byte - '0';

    if (number < 0) return digit;
    if (number > INT64_MAX / 10 || (number == INT64_MAX / 10 && digit > INT64_MAX % 10)) return INT64_MAX;
    return number * 10 + digit;
}

/* Reads the value of `retry`. It is ignored if it is empty or has any byte that is not a digit. */
ELS_PRIVATE elelem_status els_sse_retry(elelem_sse_decoder *decoder, els_cursor *in)
{
    for (; in->at < in->end; in->at++) {
        if (els_is_line_end(*in->at)) {
            if (decoder->els_number >= 0) decoder->els_retry = decoder->els_number;
            els_sse_take_line_end(decoder, in);
            return ELS_AGAIN;
        }
        if (*in->at < '0' || *in->at > '9') {
            decoder->els_state = ELS_SSE_SKIP;
            return ELS_AGAIN;
        }
        decoder->els_number = els_sse_digit(decoder->els_number, *in->at);
    }
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_value(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    switch (decoder->els_field) {
    case ELS_SSE_DATA: return els_sse_data(decoder, in, frame);
    case ELS_SSE_RETRY: return els_sse_retry(decoder, in);
    default: return els_sse_name_or_id(decoder, in);
    }
}

ELS_PRIVATE elelem_status els_sse_after_cr(elelem_sse_decoder *decoder, els_cursor *in)
{
    if (*in->at == '\n') in->at++;
    decoder->els_state = ELS_SSE_LINE;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_text_line(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    const unsigned char *at = in->at;

    in->at = els_line_end(at, in->end);
    els_sse_give(frame, ELELEM_FRAME_LINE, at, (size_t)(in->at - at));
    if (in->at < in->end) {
        frame->line_end = 1;
        els_sse_take_line_end(decoder, in);
    }
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_sse_skip(elelem_sse_decoder *decoder, els_cursor *in)
{
    in->at = els_line_end(in->at, in->end);
    if (in->at < in->end) els_sse_take_line_end(decoder, in);
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_sse_step(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    switch (decoder->els_state) {
    case ELS_SSE_LINE: return els_sse_line(decoder, in, frame);
    case ELS_SSE_AFTER_CR: return els_sse_after_cr(decoder, in);
    case ELS_SSE_NAME: return els_sse_name_more(decoder, in, frame);
    case ELS_SSE_SPACE: return els_sse_space(decoder, in);
    case ELS_SSE_VALUE: return els_sse_value(decoder, in, frame);
    case ELS_SSE_TEXT: return els_sse_text_line(decoder, in, frame);
    default: return els_sse_skip(decoder, in);
    }
}

/* The end of the body. If the last line has no line end, it is complete if it is no field; a field
   was cut. */

ELS_PRIVATE els_sse_stop els_sse_stop_of(const elelem_sse_decoder *decoder)
{
    switch (decoder->els_state) {
    case ELS_SSE_LINE:
    case ELS_SSE_AFTER_CR: return decoder->els_inside > 1 ? ELS_SSE_STOP_EVENT : ELS_SSE_STOP_BETWEEN;
    case ELS_SSE_ENDED: return ELS_SSE_STOP_BETWEEN;
    case ELS_SSE_NAME: return ELS_SSE_STOP_NAME;
    case ELS_SSE_SPACE:
    case ELS_SSE_VALUE: return decoder->els_field == ELS_SSE_DATA ? ELS_SSE_STOP_DATA : ELS_SSE_STOP_LINE;
    default: return ELS_SSE_STOP_LINE;
    }
}

ELS_PRIVATE elelem_status els_sse_close_line(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    size_t matched = decoder->els_state == ELS_SSE_NAME ? decoder->els_matched : 0;

    els_sse_give(frame, ELELEM_FRAME_LINE, els_sse_names[decoder->els_field].text, matched);
    frame->line_end = 1;
    decoder->els_state = ELS_SSE_LINE;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_sse_close(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    if (decoder->els_stopped == ELS_SSE_STOP_BETWEEN) decoder->els_stopped = (uint8_t)els_sse_stop_of(decoder);
    if (decoder->els_state == ELS_SSE_TEXT) return els_sse_close_line(decoder, frame);
    if (decoder->els_state == ELS_SSE_NAME) {
        int whole = decoder->els_matched == els_sse_names[decoder->els_field].size;
        if (whole) decoder->els_inside = 1;
        else if (decoder->els_lines) return els_sse_close_line(decoder, frame);
    }
    decoder->els_state = ELS_SSE_ENDED;
    if (decoder->els_inside) return els_sse_give_end(decoder, frame, ELELEM_FRAME_DISCARD);
    return ELELEM_END;
}

/* Reads the next frame from a cursor; MORE if no bytes are left. Only after MORE may els_sse_close
   be called, if the body ends there. */
ELS_PRIVATE elelem_status els_sse_next(elelem_sse_decoder *decoder, els_cursor *in, elelem_frame *frame)
{
    const unsigned char *start = in->at;
    elelem_status status = ELS_AGAIN;

    if (decoder->els_status != ELELEM_OK) return (elelem_status)decoder->els_status;
    while (status == ELS_AGAIN && in->at < in->end)
        status = els_sse_step(decoder, in, frame);
    decoder->els_offset += (uint64_t)(in->at - start);
    if (status < 0) decoder->els_status = status;
    return status == ELS_AGAIN ? ELELEM_MORE : status;
}

/* The decoder. */

ELS_PRIVATE void els_sse_start(elelem_sse_decoder *decoder)
{
    els_input_start(&decoder->els_lent, 0);
    decoder->els_offset = 0;
    decoder->els_data_size = 0;
    decoder->els_retry = -1;
    decoder->els_status = ELELEM_OK;
    decoder->els_state = ELS_SSE_LINE;
    decoder->els_last_id = 0;
    decoder->els_id = 0;
    decoder->els_event = 0;
    decoder->els_begun = 0;
    decoder->els_inside = 0;
    decoder->els_has_data = 0;
    decoder->els_stopped = ELS_SSE_STOP_BETWEEN;
}

void elelem_sse_decoder_init(elelem_sse_decoder *decoder, const elelem_sse_decoder_desc *desc)
{
    elelem_sse_decoder_desc defaults = ELELEM_INIT;
    size_t name;

    if (!desc) desc = &defaults;
    name = desc->max_name_bytes;
    memset(decoder, 0, sizeof *decoder);
    decoder->els_texts.allocator = desc->allocator;
    decoder->els_name_limit = (uint32_t)(name == 0 ? 4096 : name > ELS_SSE_NAME_MAX ? ELS_SSE_NAME_MAX : name);
    decoder->els_data_limit = desc->max_data_bytes > 0 ? desc->max_data_bytes : UINT64_MAX;
    decoder->els_lines = desc->lines;
    els_sse_start(decoder);
}

elelem_status elelem_sse_decoder_push(elelem_sse_decoder *decoder, const void *bytes, size_t size)
{
    if (decoder->els_status != ELELEM_OK) return (elelem_status)decoder->els_status;
    return els_input_push(&decoder->els_lent, bytes, size);
}

elelem_status elelem_sse_decoder_next(elelem_sse_decoder *decoder, elelem_frame *frame)
{
    elelem_status status = els_sse_next(decoder, &decoder->els_lent.bytes, frame);

    if (status != ELELEM_MORE) return status;
    if (decoder->els_lent.finished) return els_sse_close(decoder, frame);
    status = els_input_more(&decoder->els_lent);
    if (status < 0) decoder->els_status = status;
    return status;
}

void elelem_sse_decoder_finish(elelem_sse_decoder *decoder)
{
    els_input_finish(&decoder->els_lent);
}

elelem_str elelem_sse_decoder_last_id(const elelem_sse_decoder *decoder)
{
    return els_sse_text(decoder, decoder->els_last_id);
}

int64_t elelem_sse_decoder_retry_ms(const elelem_sse_decoder *decoder)
{
    return decoder->els_retry;
}

elelem_error elelem_sse_decoder_error(const elelem_sse_decoder *decoder)
{
    return els_input_error(&decoder->els_lent, (elelem_status)decoder->els_status, decoder->els_offset);
}

void elelem_sse_decoder_reset(elelem_sse_decoder *decoder)
{
    if (decoder->els_lent.state != ELS_INPUT_NONE) els_sse_start(decoder);
}

void elelem_sse_decoder_free(elelem_sse_decoder *decoder)
{
    els_block_free(&decoder->els_texts);
    memset(decoder, 0, sizeof *decoder);
}

/* Writing. */

ELS_PRIVATE int els_sse_has(elelem_str text, char byte)
{
    return text.size > 0 && memchr(text.data, byte, text.size) != NULL;
}

ELS_PRIVATE int els_sse_has_line_end(elelem_str text)
{
    return els_sse_has(text, '\n') || els_sse_has(text, '\r');
}

ELS_PRIVATE elelem_status els_sse_put_field(const elelem_sink *sink, const char *name, elelem_str value)
{
    elelem_status status = els_sink_put(sink, elelem_str_of(name));

    if (status == ELELEM_OK) status = els_sink_put(sink, value);
    return status == ELELEM_OK ? els_sink_put(sink, els_str("\n", 1)) : status;
}

/* Writes one data line for each line of the data. */
ELS_PRIVATE elelem_status els_sse_put_data(const elelem_sink *sink, elelem_str data)
{
    const char *at = data.size > 0 ? data.data : "";
    const char *end = at + data.size;

    for (;;) {
        const char *start = at;
        elelem_status status;
        while (at < end && *at != '\n' && *at != '\r')
            at++;
        status = els_sse_put_field(sink, "data: ", els_str(start, (size_t)(at - start)));
        if (status != ELELEM_OK || at == end) return status;
        at += *at == '\r' && end - at > 1 && at[1] == '\n' ? 2 : 1;
    }
}

elelem_status elelem_sse_write_event(elelem_sink sink, elelem_str name, elelem_str id, elelem_str data)
{
    elelem_status status = ELELEM_OK;

    if (els_sse_has_line_end(name) || els_sse_has_line_end(id) || els_sse_has(id, '\0'))
        return ELELEM_ERROR_MISUSE;
    if (name.size > 0) status = els_sse_put_field(&sink, "event: ", name);
    if (status == ELELEM_OK && id.size > 0) status = els_sse_put_field(&sink, "id: ", id);
    if (status == ELELEM_OK) status = els_sse_put_data(&sink, data);
    return status == ELELEM_OK ? els_sink_put(&sink, els_str("\n", 1)) : status;
}

#endif
