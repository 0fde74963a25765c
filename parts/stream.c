#ifndef ELS_STREAM_C
#define ELS_STREAM_C
#include "stream.h"
#include "base.c"
#include "fragment.c"
#include "sse.c"
#include "failure.c"
#include "shape.c"
#include "thought.c"

/* >> stream */

/* What the stream does next. */
typedef enum els_stream_state {
    ELS_STREAM_READ,   /* read the body up to the end of a frame */
    ELS_STREAM_STEP,   /* have the shape work on the frame */
    ELS_STREAM_FORGET, /* drop the frame, whose last events were taken */
    ELS_STREAM_CLOSE,  /* flush what is open, before FINISHED */
    ELS_STREAM_END,    /* give out the end */
    ELS_STREAM_OVER    /* nothing: what still comes is dropped */
} els_stream_state;

/* What the body turned out to be. */
typedef enum els_stream_body {
    ELS_BODY_UNKNOWN, /* nothing but white space came */
    ELS_BODY_EVENTS,  /* an event stream */
    ELS_BODY_VALUE,   /* one JSON value */
    ELS_BODY_ARRAY,   /* an array whose elements are frames */
    ELS_BODY_TEXT,    /* something else */
    ELS_BODY_FRAMES   /* whole frames from the caller's own client */
} els_stream_body;

/* How far the JSON text of a frame is. */
typedef enum els_frame_json {
    ELS_JSON_TEXT_NONE,  /* no byte but white space */
    ELS_JSON_TEXT_OPEN,  /* not complete */
    ELS_JSON_TEXT_WHOLE,
    ELS_JSON_TEXT_BAD    /* not JSON */
} els_frame_json;

/* What an event stream has brought so far, beside comments and fields without data. */
typedef enum els_stream_heard {
    ELS_HEARD_NOTHING,
    ELS_HEARD_WORDS, /* a line that cannot be meant for a field */
    ELS_HEARD_JSON,  /* a line of bare JSON */
    ELS_HEARD_DATA
} els_stream_heard;

/* What a body that is one JSON array waits for. */
typedef enum els_stream_array {
    ELS_ARRAY_BRACKET, /* the bracket that opens it */
    ELS_ARRAY_FIRST,   /* its first element, or the bracket that closes it */
    ELS_ARRAY_ELEMENT, /* an element, after a comma */
    ELS_ARRAY_COMMA,   /* a comma, or the bracket that closes it */
    ELS_ARRAY_CLOSED   /* nothing but whitespace */
} els_stream_array;

/* How far a line is that is no field of the standard's. */
typedef enum els_stream_line_part {
    ELS_LINE_NONE,
    ELS_LINE_BEGUN,
    ELS_LINE_NAMED /* what may be its name is over, or it has none: it is JSON */
} els_stream_line_part;

ELS_PRIVATE uint64_t els_stream_offset(const elelem_stream *s)
{
    return els_input_offset(&s->els_input);
}

/* Errors of this library's own. */

ELS_PRIVATE elelem_error_kind els_stream_error_kind(elelem_status status)
{
    switch (status) {
    case ELELEM_ERROR_MEMORY: return ELELEM_ERROR_KIND_OUT_OF_MEMORY;
    case ELELEM_ERROR_DEPTH:
    case ELELEM_ERROR_KEY_SIZE:
    case ELELEM_ERROR_PATH_SIZE:
    case ELELEM_ERROR_STRING_SIZE:
    case ELELEM_ERROR_NUMBER_SIZE:
    case ELELEM_ERROR_TOTAL_SIZE:
    case ELELEM_ERROR_LINE_SIZE:
    case ELELEM_ERROR_FRAME_SIZE:
    case ELELEM_ERROR_VALUE_SIZE:
    case ELELEM_ERROR_COUNT: return ELELEM_ERROR_KIND_LIMIT;
    case ELELEM_ERROR_MISUSE: return ELELEM_ERROR_KIND_OTHER; /* the caller's mistake, or its shape's */
    default: return ELELEM_ERROR_KIND_PROTOCOL;
    }
}

/* The body breaks a rule at this offset. */
ELS_PRIVATE void els_stream_break(elelem_stream *s, elelem_status status, uint64_t offset, const char *message)
{
    elelem_failure *error = els_end_with(&s->els_context, els_stream_error_kind(status));

    error->status = status;
    error->offset = offset;
    error->message = elelem_str_of(message ? message : elelem_status_sentence(status));
    s->els_state = ELS_STREAM_END;
}

/* The end of a frame, or what ends the stream, was decided by the shape or by an error document. */
ELS_PRIVATE void els_stream_ended(elelem_stream *s)
{
    s->els_context.els_end.error.offset = els_stream_offset(s);
    s->els_state = s->els_context.els_end.kind == ELELEM_EVENT_FINISHED ? ELS_STREAM_CLOSE : ELS_STREAM_END;
}

/* Parsing the JSON text of a frame. */

ELS_PRIVATE void els_stream_begin_json(elelem_stream *s, const elelem_patterns *patterns)
{
    s->els_patterns.count = s->els_context.els_path_count;
    s->els_parser.els_patterns = patterns;
    elelem_fragment_parser_reset(&s->els_parser);
    elelem_fragment_aggregator_reset(&s->els_document);
    s->els_data.at = s->els_data.end = NULL;
    s->els_json = ELS_JSON_TEXT_NONE;
    s->els_bare = 0;
    s->els_head_size = 0;
}

/* Where the answer is an error by its status, only an error is looked for. */
ELS_PRIVATE const elelem_patterns *els_stream_patterns(const elelem_stream *s)
{
    int32_t status = s->els_context.els_answer.status;

    return status == 0 || (status >= 200 && status < 300) ? &s->els_patterns : &els_error_patterns;
}

ELS_PRIVATE int els_stream_is_refused(const elelem_stream *s)
{
    return els_stream_patterns(s) == &els_error_patterns;
}

/* A frame begins here. */
ELS_PRIVATE void els_stream_begin_frame(elelem_stream *s)
{
    els_stream_begin_json(s, els_stream_patterns(s));
    s->els_frame_offset = els_stream_offset(s);
}

/* What is left of the data behind the value may only be white space. */
ELS_PRIVATE void els_stream_trail(elelem_stream *s)
{
    if (els_skip_blanks(&s->els_data)) {
        s->els_json = ELS_JSON_TEXT_BAD;
        els_json_fail(&s->els_parser, &s->els_data, ELELEM_ERROR_SYNTAX);
    }
}

/* Reads a value into the document, as far as the bytes go and not beyond its end. OK, or an error
   that ends the stream; how far the value came is in els_json. */
ELS_PRIVATE elelem_status els_stream_value(elelem_stream *s, els_cursor *in)
{
    elelem_fragment fragment;
    elelem_status status;

    while ((status = els_fragment_next(&s->els_parser, in, &fragment)) == ELELEM_OK) {
        elelem_status added = els_tree_follow(&s->els_document, &fragment);
        if (added < 0) return added;
    }
    s->els_json = ELS_JSON_TEXT_OPEN;
    if (status == ELELEM_END) s->els_json = ELS_JSON_TEXT_WHOLE;
    if (status == ELELEM_ERROR_SYNTAX || status == ELELEM_ERROR_UTF8) s->els_json = ELS_JSON_TEXT_BAD;
    return status < 0 && s->els_json != ELS_JSON_TEXT_BAD ? status : ELELEM_OK;
}

/* Parses the span of data at hand into the document. OK, or an error that ends the stream. */
ELS_PRIVATE elelem_status els_stream_parse(elelem_stream *s)
{
    elelem_status status = ELELEM_OK;

    if (s->els_json == ELS_JSON_TEXT_NONE && els_skip_blanks(&s->els_data)) s->els_json = ELS_JSON_TEXT_OPEN;
    if (s->els_json == ELS_JSON_TEXT_OPEN) status = els_stream_value(s, &s->els_data);
    if (status == ELELEM_OK && s->els_json == ELS_JSON_TEXT_WHOLE) els_stream_trail(s);
    s->els_data.at = s->els_data.end;
    return status;
}

/* A span of a line. Where the bytes hold the line's end too, the decoder has stepped over it. */
ELS_PRIVATE elelem_status els_stream_parse_text(elelem_stream *s, elelem_str text)
{
    unsigned line = s->els_decoder.els_state;

    s->els_data = els_cursor_of(text.data, text.size);
    s->els_parser.els_input.offset = els_stream_offset(s) - (line == ELS_SSE_LINE || line == ELS_SSE_AFTER_CR);
    return els_stream_parse(s);
}

/* A number may be the whole of a frame; only the frame's end tells. */
ELS_PRIVATE void els_stream_end_json(elelem_stream *s)
{
    if (s->els_json == ELS_JSON_TEXT_OPEN && s->els_parser.els_path.count == 0 &&
        els_number_may_end(s->els_parser.els_state))
        s->els_json = ELS_JSON_TEXT_WHOLE;
}

/* Frames. */

/* Remembers how the data of a frame begins, to know [DONE]. */
ELS_PRIVATE void els_stream_head(elelem_stream *s, elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size && s->els_head_size < sizeof s->els_head; i++)
        if (s->els_head_size > 0 || text.data[i] != ' ') s->els_head[s->els_head_size++] = text.data[i];
}

ELS_PRIVATE int els_stream_is_done(const elelem_stream *s)
{
    elelem_str head = els_str(s->els_head, s->els_head_size);

    while (head.size > 0 && els_is_blank((unsigned char)head.data[head.size - 1]))
        head.size--;
    return elelem_str_is(head, "[DONE]");
}

ELS_PRIVATE elelem_status els_stream_data(elelem_stream *s, elelem_str text)
{
    if (s->els_bare) els_stream_begin_json(s, els_stream_patterns(s));
    s->els_heard = ELS_HEARD_DATA;
    if (s->els_head_size < sizeof s->els_head) els_stream_head(s, text);
    return els_stream_parse_text(s, text);
}

/* Hands the frame to the shape. */
ELS_PRIVATE void els_stream_begin_steps(elelem_stream *s, elelem_shape_frame kind, elelem_str event_name)
{
    elelem_shape_context *c = &s->els_context;

    c->els_frame = (uint8_t)kind;
    c->els_event_name = event_name;
    c->els_document = elelem_fragment_aggregator_value(&s->els_document);
    c->stage = 0;
    c->position = 0;
    memset(c->notes, 0, sizeof c->notes);
    memset(c->cursor, 0, sizeof c->cursor);
    s->els_state = ELS_STREAM_STEP;
}

/* A frame named error whose JSON has no error member, or which is no JSON, still is one. */
ELS_PRIVATE int els_stream_named_error(elelem_stream *s, elelem_str event_name, int must_be_whole)
{
    if (!must_be_whole && s->els_json != ELS_JSON_TEXT_WHOLE) return 0;
    if (!elelem_str_is(event_name, "error") || els_is_error_document(elelem_fragment_aggregator_value(&s->els_document)))
        return 0;
    els_end_with_document(&s->els_context, elelem_fragment_aggregator_value(&s->els_document));
    els_stream_ended(s);
    return 1;
}

/* A frame is whole. `must_be_whole`: its JSON has to be; else what is cut is dropped. Anything that can
   be made nothing of ends the stream. */
ELS_PRIVATE void els_stream_frame(elelem_stream *s, elelem_str event_name, int must_be_whole)
{
    els_stream_end_json(s);
    if (els_stream_is_refused(s)) {
        if (s->els_json == ELS_JSON_TEXT_WHOLE && els_is_error_body(elelem_fragment_aggregator_value(&s->els_document))) {
            els_end_with_document(&s->els_context, elelem_fragment_aggregator_value(&s->els_document));
            els_stream_ended(s);
        }
    } else if (els_stream_is_done(s)) {
        els_stream_begin_steps(s, ELELEM_SHAPE_DONE, event_name);
    } else if (els_stream_named_error(s, event_name, must_be_whole) || s->els_json == ELS_JSON_TEXT_NONE) {
        return;
    } else if (s->els_json == ELS_JSON_TEXT_WHOLE) {
        els_stream_begin_steps(s, ELELEM_SHAPE_DATA, event_name);
    } else if (must_be_whole) {
        elelem_error error = elelem_fragment_parser_error(&s->els_parser);
        if (error.status == ELELEM_OK) error = els_error(ELELEM_ERROR_TRUNCATED, els_stream_offset(s));
        els_stream_break(s, error.status, error.offset, NULL);
    }
}

/* The lines at hand are one JSON value, and the last of them ended. */
ELS_PRIVATE void els_stream_bare_value(elelem_stream *s)
{
    elelem_value root = elelem_fragment_aggregator_value(&s->els_document);

    if (els_is_error_document(root)) {
        els_end_with_document(&s->els_context, root);
        els_stream_ended(s);
    } else {
        els_stream_begin_json(s, els_stream_patterns(s));
    }
}

/* Nonzero for the bytes that names of fields are made of, of those that the standard does not know. */
ELS_PRIVATE int els_stream_is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' ||
           byte == '_' || byte == '.';
}

/* A field has a name and a colon: a line without them is words, unless the body ended in it and it may
   yet become a field. */
ELS_PRIVATE void els_stream_listen(elelem_stream *s, const elelem_frame *frame)
{
    size_t i;

    if (s->els_heard != ELS_HEARD_NOTHING) return;
    for (i = 0; i < frame->text.size && s->els_in_line == ELS_LINE_BEGUN; i++) {
        if (els_stream_is_name(frame->text.data[i])) continue;
        if (frame->text.data[i] != ':') s->els_heard = ELS_HEARD_WORDS;
        s->els_in_line = ELS_LINE_NAMED;
    }
    if (frame->line_end && s->els_in_line == ELS_LINE_BEGUN && s->els_decoder.els_stopped != ELS_SSE_STOP_NAME)
        s->els_heard = ELS_HEARD_WORDS;
}

/* A piece of a line that is no field: some gateways put a bare JSON error between frames. */
ELS_PRIVATE elelem_status els_stream_line(elelem_stream *s, const elelem_frame *frame)
{
    elelem_status status;
    int is_first = s->els_in_line == ELS_LINE_NONE;
    int is_whole;

    if (is_first) s->els_in_line = ELS_LINE_BEGUN;
    if (is_first && s->els_json == ELS_JSON_TEXT_NONE && s->els_head_size == 0 && frame->text.size > 0 &&
        frame->text.data[0] == '{') {
        s->els_json = ELS_JSON_TEXT_OPEN;
        s->els_bare = 1;
        if (s->els_heard == ELS_HEARD_NOTHING) s->els_heard = ELS_HEARD_JSON;
    }
    if (s->els_bare) s->els_in_line = ELS_LINE_NAMED;
    els_stream_listen(s, frame);
    if (frame->line_end) s->els_in_line = ELS_LINE_NONE;
    if (!s->els_bare) return ELELEM_OK;
    status = els_stream_parse_text(s, frame->text);
    s->els_cut = s->els_json == ELS_JSON_TEXT_OPEN;
    if (status == ELELEM_OK && frame->line_end) status = els_stream_parse_text(s, elelem_str_of("\n"));
    if (status < 0) return status;
    is_whole = s->els_json == ELS_JSON_TEXT_WHOLE;
    if (s->els_json == ELS_JSON_TEXT_BAD) els_stream_begin_json(s, els_stream_patterns(s));
    if (is_whole && frame->line_end) els_stream_bare_value(s);
    return ELELEM_OK;
}

/* Reading the body. Each reader answers OK where it changed the state or wants to be called again, MORE
   where all is read, END where the body is over, or an error. */

ELS_PRIVATE elelem_status els_stream_read_event(elelem_stream *s)
{
    elelem_frame frame;
    elelem_status status = els_sse_next(&s->els_decoder, &s->els_input.bytes, &frame);

    if (status == ELELEM_MORE && s->els_input.finished) status = els_sse_close(&s->els_decoder, &frame);
    if (status != ELELEM_OK) return status;
    switch ((elelem_frame_kind)frame.kind) {
    case ELELEM_FRAME_DATA: return els_stream_data(s, frame.text);
    case ELELEM_FRAME_LINE: return els_stream_line(s, &frame);
    case ELELEM_FRAME_DISPATCH:
    case ELELEM_FRAME_DISCARD:
        if (!s->els_bare) els_stream_frame(s, frame.event, frame.kind == ELELEM_FRAME_DISPATCH);
        s->els_cut = (s->els_bare || s->els_decoder.els_stopped != ELS_SSE_STOP_BETWEEN) &&
                     s->els_json != ELS_JSON_TEXT_WHOLE && !els_stream_is_done(s);
        if (s->els_state == ELS_STREAM_READ) els_stream_begin_frame(s);
        return ELELEM_OK;
    }
    return ELELEM_OK;
}

/* What is no event stream holds at best an error. */
ELS_PRIVATE void els_stream_foreign(elelem_stream *s)
{
    elelem_value root = elelem_fragment_aggregator_value(&s->els_document);

    els_stream_end_json(s);
    if (els_stream_is_refused(s) || (s->els_json == ELS_JSON_TEXT_WHOLE && els_is_error_document(root))) {
        els_end_with_document(&s->els_context, root);
        els_stream_ended(s);
        return;
    }
    els_stream_break(s, ELELEM_ERROR_PROTOCOL, 0, "the body is not an event stream");
}

/* All that came of such a body is read. */
ELS_PRIVATE elelem_status els_stream_foreign_end(elelem_stream *s)
{
    if (!s->els_input.finished) return ELELEM_MORE;
    if (s->els_failed_kind) return ELELEM_END;
    els_stream_foreign(s);
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_stream_read_value(elelem_stream *s)
{
    elelem_status status;

    if (s->els_input.bytes.at == s->els_input.bytes.end) return els_stream_foreign_end(s);
    s->els_parser.els_input.offset = s->els_input.offset;
    status = els_stream_value(s, &s->els_input.bytes);
    if (s->els_json == ELS_JSON_TEXT_BAD && els_stream_is_refused(s))
        return elelem_fragment_parser_error(&s->els_parser).status;
    if (s->els_json == ELS_JSON_TEXT_WHOLE || s->els_json == ELS_JSON_TEXT_BAD) els_stream_foreign(s);
    return status;
}

/* What an array body waits for after this byte; the same as before if the byte begins an element or is wrong. */
ELS_PRIVATE els_stream_array els_stream_array_after(els_stream_array state, unsigned char byte)
{
    switch (state) {
    case ELS_ARRAY_BRACKET: return ELS_ARRAY_FIRST; /* it made the body an array */
    case ELS_ARRAY_FIRST: return byte == ']' ? ELS_ARRAY_CLOSED : state;
    case ELS_ARRAY_COMMA: return byte == ',' ? ELS_ARRAY_ELEMENT : byte == ']' ? ELS_ARRAY_CLOSED : state;
    default: return state;
    }
}

/* Passes over what stands between the elements of an array body. OK at the first byte of an element. */
ELS_PRIVATE elelem_status els_stream_between_elements(elelem_stream *s)
{
    while (els_skip_blanks(&s->els_input.bytes)) {
        els_stream_array after = els_stream_array_after((els_stream_array)s->els_array, *s->els_input.bytes.at);
        if (after == (els_stream_array)s->els_array) {
            if (after == ELS_ARRAY_FIRST || after == ELS_ARRAY_ELEMENT) return ELELEM_OK;
            return els_json_fail(&s->els_parser, &s->els_input.bytes, ELELEM_ERROR_SYNTAX);
        }
        s->els_array = (uint8_t)after;
        s->els_input.bytes.at++;
    }
    return s->els_input.finished ? ELELEM_END : ELELEM_MORE;
}

ELS_PRIVATE elelem_status els_stream_read_array(elelem_stream *s)
{
    elelem_status status = ELELEM_OK;

    s->els_parser.els_input.offset = s->els_input.offset;
    if (s->els_json == ELS_JSON_TEXT_NONE) status = els_stream_between_elements(s);
    if (status != ELELEM_OK) return status;
    if (s->els_input.bytes.at == s->els_input.bytes.end) return s->els_input.finished ? ELELEM_END : ELELEM_MORE;
    status = els_stream_value(s, &s->els_input.bytes);
    if (s->els_json == ELS_JSON_TEXT_WHOLE) {
        s->els_array = ELS_ARRAY_COMMA;
        els_stream_begin_steps(s, ELELEM_SHAPE_DATA, els_str(NULL, 0));
    }
    return s->els_json == ELS_JSON_TEXT_BAD ? elelem_fragment_parser_error(&s->els_parser).status : status;
}

/* A body in words tells no more than the status does. */
ELS_PRIVATE elelem_status els_stream_read_text(elelem_stream *s)
{
    if (!els_stream_is_refused(s)) {
        els_stream_break(s, ELELEM_ERROR_PROTOCOL, els_stream_offset(s), "the body is not an event stream");
        return ELELEM_OK;
    }
    s->els_input.bytes.at = s->els_input.bytes.end;
    return els_stream_foreign_end(s);
}

/* No line of an event stream begins with a control byte or in the middle of a character. Gzip does. */
ELS_PRIVATE int els_stream_is_binary(unsigned char byte)
{
    return byte < 0x20 || byte == 0x7f || (byte >= 0x80 && byte < 0xc2) || byte > 0xf4;
}

/* Finds the first byte of the body that is not white space nor of a byte order mark; els_head_size counts the
   bytes of the mark. 0 where that byte is still to come. */
ELS_PRIVATE int els_stream_find_start(elelem_stream *s)
{
    static const unsigned char mark[] = { 0xef, 0xbb, 0xbf };
    els_cursor *in = &s->els_input.bytes;

    if (s->els_head_size == 0 && !els_skip_blanks(in)) return 0;
    while (s->els_head_size < sizeof mark && in->at < in->end && *in->at == mark[s->els_head_size]) {
        s->els_head_size++;
        in->at++;
    }
    return s->els_head_size == sizeof mark ? els_skip_blanks(in) : in->at < in->end;
}

ELS_PRIVATE els_stream_body els_stream_body_of(const elelem_stream *s, unsigned char byte)
{
    if (s->els_head_size % 3 > 0) return ELS_BODY_TEXT; /* half a mark */
    switch (byte) {
    case '{': return ELS_BODY_VALUE;
    case '[':
        return s->els_context.els_shape->array_body && !els_stream_is_refused(s) ? ELS_BODY_ARRAY : ELS_BODY_VALUE;
    case '<': return ELS_BODY_TEXT;
    default: return els_stream_is_binary(byte) ? ELS_BODY_TEXT : ELS_BODY_EVENTS;
    }
}

/* The first byte tells what the body is. */
ELS_PRIVATE elelem_status els_stream_read_start(elelem_stream *s)
{
    if (!els_stream_find_start(s)) return s->els_input.finished ? ELELEM_END : ELELEM_MORE;
    s->els_body = (uint8_t)els_stream_body_of(s, *s->els_input.bytes.at);
    s->els_decoder.els_offset = els_stream_offset(s);
    els_stream_begin_frame(s);
    return ELELEM_OK;
}

/* The frame that the caller pushed whole. */
ELS_PRIVATE elelem_status els_stream_read_frame(elelem_stream *s)
{
    elelem_status status;

    if (!s->els_pushed_data) return s->els_input.finished ? ELELEM_END : ELELEM_MORE;
    s->els_pushed_data = 0;
    els_stream_head(s, els_str(s->els_input.bytes.at, (size_t)(s->els_input.bytes.end - s->els_input.bytes.at)));
    s->els_data = s->els_input.bytes;
    s->els_parser.els_input.offset = s->els_input.offset;
    status = els_stream_parse(s);
    s->els_input.bytes.at = s->els_input.bytes.end;
    if (status < 0) return status;
    els_stream_frame(s, s->els_context.els_event_name, 1);
    if (s->els_state == ELS_STREAM_READ) els_stream_begin_frame(s);
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_stream_read(elelem_stream *s)
{
    switch ((els_stream_body)s->els_body) {
    case ELS_BODY_EVENTS: return els_stream_read_event(s);
    case ELS_BODY_VALUE: return els_stream_read_value(s);
    case ELS_BODY_ARRAY: return els_stream_read_array(s);
    case ELS_BODY_TEXT: return els_stream_read_text(s);
    case ELS_BODY_FRAMES: return els_stream_read_frame(s);
    default: return els_stream_read_start(s);
    }
}

/* Where an error happened that the readers came upon; one of the document's is told where its frame begins. */
ELS_PRIVATE uint64_t els_stream_error_offset(const elelem_stream *s)
{
    elelem_error parser = elelem_fragment_parser_error(&s->els_parser);
    elelem_error decoder = elelem_sse_decoder_error(&s->els_decoder);

    if (decoder.status != ELELEM_OK) return decoder.offset;
    return parser.status != ELELEM_OK ? parser.offset : s->els_frame_offset;
}

/* Nonzero if the reasons that were seen settle nothing: they may change, and the body stops inside an
   array, a line or a frame. Data that is whole counts, although its line has no end. */
ELS_PRIVATE int els_stream_is_cut(const elelem_stream *s)
{
    unsigned stopped = s->els_decoder.els_stopped;

    if (!s->els_context.els_shape->reason_may_change) return 0;
    if (s->els_body == ELS_BODY_ARRAY) return s->els_array != ELS_ARRAY_CLOSED;
    if (stopped == ELS_SSE_STOP_NAME || stopped == ELS_SSE_STOP_LINE) return 1;
    return s->els_failed_kind || s->els_cut || s->els_json == ELS_JSON_TEXT_OPEN;
}

/* The body is over, or broken, and the shape did not end the stream. */
ELS_PRIVATE void els_stream_conclude(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    int is_broken = s->els_failed_kind > 0;

    if ((els_stream_is_refused(s) || s->els_heard == ELS_HEARD_WORDS) && !is_broken) {
        els_stream_foreign(s);
    } else if (els_reasons_known(c) && !els_stream_is_cut(s)) {
        els_finish(c);
        els_stream_ended(s);
    } else {
        els_end_with(c, is_broken ? (elelem_error_kind)(s->els_failed_kind - 1) : ELELEM_ERROR_KIND_CONNECT);
        els_stream_ended(s);
    }
}

/* All bytes are read. MORE; or OK, if the caller lost those that come next: then the stream ended. */
ELS_PRIVATE elelem_status els_stream_more(elelem_stream *s)
{
    elelem_error error;

    if (els_input_more(&s->els_input) == ELELEM_MORE) return ELELEM_MORE;
    if (s->els_failed_kind) {
        els_end_with(&s->els_context, (elelem_error_kind)(s->els_failed_kind - 1));
        els_stream_ended(s);
        return ELELEM_OK;
    }
    error = els_input_error(&s->els_input, ELELEM_ERROR_MISUSE, els_stream_offset(s));
    els_stream_break(s, error.status, error.offset, error.message);
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_stream_do_read(elelem_stream *s)
{
    elelem_status status = els_stream_read(s);

    if (status == ELELEM_MORE) return els_stream_more(s);
    if (status == ELELEM_END) {
        els_stream_conclude(s);
        return ELELEM_OK;
    }
    if (status < 0 && els_stream_is_refused(s)) {
        els_stream_foreign(s); /* a body that cannot be read is still refused by its status */
        s->els_context.els_end.error.offset = els_stream_error_offset(s);
        return ELELEM_OK;
    }
    if (status < 0) {
        els_stream_break(s, status, els_stream_error_offset(s), NULL);
        return ELELEM_OK;
    }
    return status;
}

/* One step of the shape; its events are taken before the next. */
ELS_PRIVATE void els_stream_do_step(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    elelem_status status;

    els_shape_clear_out(c);
    status = c->els_shape->step(c);
    if (status == ELELEM_MORE) s->els_state = ELS_STREAM_FORGET;
    if (status >= 0 && c->els_status != ELELEM_OK) status = (elelem_status)c->els_status;
    if (status < 0)
        els_stream_break(s, status, els_stream_offset(s), NULL);
    else if (c->els_ended)
        els_stream_ended(s);
}

ELS_PRIVATE void els_stream_do_close(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;

    els_shape_clear_out(c);
    if (c->els_item_count == 0)
        s->els_state = ELS_STREAM_END;
    else
        els_shape_flush_rest(c);
}

/* Gives the end out, or, where its metadata finds no room, an error in its place. */
ELS_PRIVATE void els_stream_do_end(elelem_stream *s, elelem_event *event)
{
    elelem_status status = els_shape_end(&s->els_context, event);

    if (status < 0) {
        els_stream_break(s, status, els_stream_offset(s), NULL);
        els_shape_end(&s->els_context, event);
    }
    s->els_state = ELS_STREAM_OVER;
}

/* The next event as the shape means it. */
ELS_PRIVATE elelem_status els_stream_next(elelem_stream *stream, elelem_event *event)
{
    while (!els_shape_take(&stream->els_context, event)) {
        switch ((els_stream_state)stream->els_state) {
        case ELS_STREAM_READ:
            if (els_stream_do_read(stream) == ELELEM_MORE) return ELELEM_MORE;
            break;
        case ELS_STREAM_STEP: els_stream_do_step(stream); break;
        case ELS_STREAM_FORGET:
            els_stream_begin_frame(stream);
            stream->els_state = ELS_STREAM_READ;
            break;
        case ELS_STREAM_CLOSE: els_stream_do_close(stream); break;
        case ELS_STREAM_END:
            els_stream_do_end(stream, event);
            return ELELEM_OK;
        default: stream->els_input.bytes.at = stream->els_input.bytes.end; return ELELEM_END;
        }
    }
    return ELELEM_OK;
}

/* The same with thinking taken out of message text. What the splitter runs into ends the stream. */
ELS_PRIVATE elelem_status els_stream_next_split(elelem_stream *s, elelem_event *event)
{
    elelem_status status = elelem_thought_splitter_error(&s->els_thoughts).status;

    if (status < 0) return els_stream_next(s, event); /* it failed before; only the error is still to come */
    status = elelem_thought_splitter_next(&s->els_thoughts, event);
    while (status == ELELEM_MORE) {
        elelem_event whole;
        status = els_stream_next(s, &whole);
        if (status != ELELEM_OK) return status;
        status = elelem_thought_splitter_push(&s->els_thoughts, &whole);
        if (status == ELELEM_OK) status = elelem_thought_splitter_next(&s->els_thoughts, event);
    }
    if (status >= 0) return status;
    els_stream_break(s, status, els_stream_offset(s), NULL);
    els_shape_clear_out(&s->els_context);
    return els_stream_next(s, event);
}

elelem_status elelem_stream_next(elelem_stream *stream, elelem_event *event)
{
    return stream->els_splits ? els_stream_next_split(stream, event) : els_stream_next(stream, event);
}

elelem_status elelem_stream_push(elelem_stream *stream, const void *bytes, size_t size)
{
    els_input *in = &stream->els_input;
    elelem_status status;

    if (stream->els_state == ELS_STREAM_OVER) return ELELEM_OK;
    if (stream->els_body == ELS_BODY_FRAMES && bytes && size > 0 && !in->finished)
        return els_debt_refuse(&in->debt, size, els_debt_hash(ELS_DEBT_START, bytes, size),
                               els_debt_allows(&in->debt, bytes, size));
    status = els_input_push(in, bytes, size);
    if (status == ELELEM_OK && size > 0) stream->els_alive = 1;
    return status;
}

/* Of the whole frame, so that one pushed again is known. */
ELS_PRIVATE uint32_t els_stream_frame_hash(elelem_str event_name, elelem_str data)
{
    uint32_t hash = els_debt_hash(ELS_DEBT_START, event_name.data, event_name.size);

    return els_debt_hash(els_debt_hash(hash, "", 1), data.data, data.size);
}

elelem_status elelem_stream_push_data(elelem_stream *stream, elelem_str event_name, elelem_str data)
{
    els_input *in = &stream->els_input;
    int is_null = (!data.data && data.size > 0) || (!event_name.data && event_name.size > 0);
    int is_mixed = stream->els_body != ELS_BODY_FRAMES && stream->els_body != ELS_BODY_UNKNOWN;
    int is_allowed;
    uint32_t hash;

    if (stream->els_state == ELS_STREAM_OVER) return ELELEM_OK;
    if (in->state == ELS_INPUT_NONE || in->finished || is_null) return ELELEM_ERROR_MISUSE;
    hash = els_stream_frame_hash(event_name, data);
    is_allowed = els_debt_allows_only(&in->debt, data.size, hash);
    if (!is_allowed || is_mixed || in->state == ELS_INPUT_LENT)
        return els_debt_refuse(&in->debt, data.size, hash, is_allowed);
    if (stream->els_body == ELS_BODY_UNKNOWN) els_stream_begin_frame(stream);
    stream->els_body = ELS_BODY_FRAMES;
    stream->els_pushed_data = 1;
    stream->els_context.els_event_name = event_name;
    els_input_lend(in, data.data, data.size);
    stream->els_alive = 1;
    return ELELEM_OK;
}

void elelem_stream_finish(elelem_stream *stream)
{
    els_input_finish(&stream->els_input);
}

void elelem_stream_fail(elelem_stream *stream, elelem_error_kind kind)
{
    int is_known = (int)kind >= 0 && kind < ELELEM_ERROR_KIND_COUNT;

    if (stream->els_input.finished || stream->els_state == ELS_STREAM_OVER) return;
    stream->els_failed_kind = (uint8_t)((is_known ? kind : ELELEM_ERROR_KIND_OTHER) + 1);
    elelem_stream_finish(stream);
}

void elelem_stream_tick(elelem_stream *stream, uint32_t now_ms)
{
    uint32_t passed = now_ms - stream->els_last_ms;
    uint32_t room = UINT32_MAX - stream->els_waited_ms;
    int is_waiting = stream->els_state == ELS_STREAM_READ && stream->els_input.bytes.at == stream->els_input.bytes.end &&
                     !stream->els_input.finished;

    stream->els_last_ms = now_ms;
    if (!stream->els_ticked || stream->els_alive || passed > UINT32_MAX / 2 || !is_waiting) {
        stream->els_ticked = 1;
        stream->els_alive = 0;
        stream->els_waited_ms = 0;
        return;
    }
    stream->els_waited_ms += passed < room ? passed : room;
    if (stream->els_idle_ms > 0 && stream->els_waited_ms >= stream->els_idle_ms)
        elelem_stream_fail(stream, ELELEM_ERROR_KIND_TIMEOUT);
}

void elelem_stream_http_status(elelem_stream *stream, int status)
{
    els_http *answer = &stream->els_context.els_answer;

    if (answer->status != 0) els_http_start(answer);
    answer->status = status;
}

void elelem_stream_time(elelem_stream *stream, int64_t unix_seconds)
{
    stream->els_context.els_answer.unix_seconds = unix_seconds;
}

void elelem_stream_http_header(elelem_stream *stream, elelem_str name, elelem_str value)
{
    els_http_header(&stream->els_context.els_answer, name, value);
}

/* What belongs to one answer, in the part that the shape shares. */
ELS_PRIVATE void els_shape_start(elelem_shape_context *c)
{
    els_shape_clear_out(c);
    elelem_buffer_clear(&c->els_usage);
    elelem_buffer_clear(&c->els_aside);
    memset(c->memory, 0, sizeof c->memory);
    memset(&c->els_end, 0, sizeof c->els_end);
    c->els_end.usage.input = c->els_end.usage.output = c->els_end.usage.cached = c->els_end.usage.reasoning = -1;
    els_http_start(&c->els_answer);
    c->els_item_count = 0;
    c->els_choice_count = 0;
    c->els_kept_size = 0;
    c->els_next_index = 0;
    c->els_path_count = c->els_shape ? c->els_shape->path_count : 0;
    c->els_status = ELELEM_OK;
    c->els_ended = 0;
}

ELS_PRIVATE void els_stream_start(elelem_stream *stream)
{
    els_shape_start(&stream->els_context);
    elelem_sse_decoder_reset(&stream->els_decoder);
    elelem_thought_splitter_reset(&stream->els_thoughts);
    els_input_start(&stream->els_input, 0);
    els_stream_begin_frame(stream);
    stream->els_body = ELS_BODY_UNKNOWN;
    stream->els_failed_kind = 0;
    stream->els_alive = 0;
    stream->els_ticked = 0;
    stream->els_pushed_data = 0;
    stream->els_cut = 0;
    stream->els_array = ELS_ARRAY_BRACKET;
    stream->els_in_line = 0;
    stream->els_heard = ELS_HEARD_NOTHING;
    stream->els_state = ELS_STREAM_READ;
    if (!stream->els_context.els_shape) els_stream_break(stream, ELELEM_ERROR_MISUSE, 0, "no wire shape was named");
}

void elelem_stream_reset(elelem_stream *stream)
{
    if (stream->els_input.state != ELS_INPUT_NONE) els_stream_start(stream);
}

ELS_PRIVATE void els_shape_init(elelem_shape_context *c, const elelem_stream_desc *desc)
{
    c->els_shape = desc->shape;
    c->els_structured = desc->structured != 0;
    c->els_answer.unix_seconds = desc->unix_seconds;
    c->els_items.allocator = desc->allocator;
    c->els_choices.allocator = desc->allocator;
    c->els_kept.allocator = desc->allocator;
    c->els_max_kept = ELS_DEFAULT(desc->max_kept_bytes, (uint32_t)1 << 20);
    c->els_max_items = ELS_DEFAULT(desc->max_open_items, 256u);
    c->els_max_choices = ELS_DEFAULT(desc->max_choices, 128u);
    elelem_buffer_init(&c->els_scratch, desc->allocator, (size_t)ELS_DEFAULT(desc->max_frame_bytes, (uint32_t)1 << 24) * 2);
    elelem_buffer_init(&c->els_usage, desc->allocator, ELS_DEFAULT(desc->max_kept_bytes, (uint32_t)1 << 20));
    elelem_buffer_init(&c->els_aside, desc->allocator, ELS_DEFAULT(desc->max_kept_bytes, (uint32_t)1 << 20));
}

elelem_status elelem_stream_init(elelem_stream *stream, const elelem_stream_desc *desc)
{
    elelem_sse_decoder_desc decoder = ELELEM_INIT;
    elelem_fragment_parser_desc parser = ELELEM_INIT;
    elelem_fragment_aggregator_desc document = ELELEM_INIT;
    elelem_thought_splitter_desc thoughts = ELELEM_INIT;

    memset(stream, 0, sizeof *stream);
    if (!desc || !desc->shape) {
        els_stream_start(stream);
        return ELELEM_ERROR_MISUSE;
    }
    decoder.allocator = parser.allocator = document.allocator = thoughts.allocator = desc->allocator;
    decoder.lines = 1;
    document.max_bytes = ELS_DEFAULT(desc->max_frame_bytes, (uint32_t)1 << 24);
    thoughts.max_open = desc->max_open_items;
    thoughts.names = desc->thought_tags;
    thoughts.name_count = desc->thought_tag_count;
    stream->els_splits = desc->split_thoughts != 0;
    elelem_thought_splitter_init(&stream->els_thoughts, &thoughts);
    elelem_sse_decoder_init(&stream->els_decoder, &decoder);
    elelem_fragment_parser_init(&stream->els_parser, &parser);
    elelem_fragment_aggregator_init(&stream->els_document, &document);
    stream->els_patterns.nodes = desc->shape->paths;
    stream->els_patterns.count = desc->shape->path_count;
    stream->els_patterns.els_grouped = els_patterns_are_grouped(desc->shape->paths, desc->shape->path_count);
    stream->els_idle_ms = desc->idle_timeout_ms;
    els_shape_init(&stream->els_context, desc);
    els_stream_start(stream);
    return ELELEM_OK;
}

void elelem_stream_free(elelem_stream *stream)
{
    elelem_shape_context *c = &stream->els_context;

    if (stream->els_input.state == ELS_INPUT_NONE) return;
    elelem_sse_decoder_free(&stream->els_decoder);
    elelem_thought_splitter_free(&stream->els_thoughts);
    elelem_fragment_parser_free(&stream->els_parser);
    elelem_fragment_aggregator_free(&stream->els_document);
    elelem_buffer_free(&c->els_scratch);
    elelem_buffer_free(&c->els_usage);
    elelem_buffer_free(&c->els_aside);
    els_block_free(&c->els_items);
    els_block_free(&c->els_choices);
    els_block_free(&c->els_kept);
    memset(stream, 0, sizeof *stream);
    stream->els_state = ELS_STREAM_OVER;
}

#endif
