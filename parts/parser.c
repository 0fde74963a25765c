#ifndef ELS_PARSER_C
#define ELS_PARSER_C
#include "parser.h"
#include "base.c"
#include "text.c"
#include "token.c"
#include "fragment.c"

/* >> parser */

/* Fast paths. What is frequent is read here: strings that are delivered, and values of which everything is wanted, as long as
   their tokens are whole in the bytes. All else is left to the steps of fragment, which read anything, and which these must
   equal. Nothing is stored of a token until all of it was seen, so that the steps can read it again. */

/* Strings. */

/* Ends a value of which fragments were delivered. */
ELS_INLINE elelem_status els_quick_done(elelem_fragment_parser *p, elelem_fragment *out, elelem_type type)
{
    p->els_state = ELS_JSON_COMMA;
    if (p->els_path.count == 0) p->els_state = p->els_single ? ELS_JSON_TRAIL : ELS_JSON_END;
    if (p->els_inside == p->els_path.count + 1) p->els_inside = 0;
    return els_json_give(p, out, ELELEM_FRAGMENT_DONE, type, NULL, 0);
}

/* Delivers the text from the cursor to `stop`. */
ELS_INLINE elelem_status els_quick_piece(elelem_fragment_parser *p, els_cursor *in, const unsigned char *stop,
                                         elelem_fragment *out)
{
    const unsigned char *start = in->at;
    size_t size = (size_t)(stop - start);

    in->at = stop;
    p->els_string_left -= size;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, start, size);
}

/* Delivers text in which the byte at `stop` is the first that is not ASCII. */
ELS_NOINLINE elelem_status els_quick_wide_piece(elelem_fragment_parser *p, els_cursor *in, const unsigned char *stop,
                                                elelem_fragment *out)
{
    elelem_status status;

    stop = els_text_beyond_ascii(stop, in->end);
    if (stop > in->at) return els_quick_piece(p, in, stop, out);
    status = els_json_lead(p, in);
    if (status != ELS_AGAIN) return status;
    return in->at == in->end ? ELELEM_MORE : els_json_character(p, in, out);
}

/* Delivers what the backslash at the cursor escapes. A byte that is its own value may begin a run of plain text. */
ELS_NOINLINE elelem_status els_quick_escape(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *at = in->at + 1;
    const unsigned char *escaped;

    if (at == in->end) return els_json_steps(p, in, out);
    if (*at == '"' || *at == '\\' || *at == '/') {
        in->at = at;
        return els_quick_piece(p, in, els_text_plain(at + 1, in->end), out);
    }
    escaped = els_escaped(*at);
    if (!escaped) return els_json_steps(p, in, out);
    in->at = at + 1;
    p->els_string_left--;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, escaped, 1);
}

/* Delivers the next piece of a string, or its end. One byte is a case of its own: with pushes of one byte, that takes a tenth
   off the instructions. */
ELS_NOINLINE elelem_status els_quick_text(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    size_t left = (size_t)(in->end - in->at);
    const unsigned char *stop;

    if (left == 1 && !els_is_special(*in->at) && p->els_string_left > 0) return els_quick_piece(p, in, in->end, out);
    if (*in->at == '"') {
        in->at++;
        return els_quick_done(p, out, ELELEM_TYPE_STRING);
    }
    if (ELS_UNLIKELY(left > p->els_string_left)) return els_json_steps(p, in, out);
    if (*in->at == '\\') return els_quick_escape(p, in, out);
    stop = els_text_span(in->at, in->end);
    if (stop < in->end && *stop >= 0x80) return els_quick_wide_piece(p, in, stop, out);
    return ELS_LIKELY(stop > in->at) ? els_quick_piece(p, in, stop, out) : els_json_steps(p, in, out);
}

/* Values. */

/* What is read of one fragment, in registers until it is delivered. */
typedef struct els_quick {
    const unsigned char *at; /* the next byte */
    const unsigned char *end;
    els_json_state state;    /* what is expected there */
    int in_object;
} els_quick;

/* Leaves the rest to the steps, which read it again. */
ELS_INLINE elelem_status els_quick_leave(elelem_fragment_parser *p, els_cursor *in, const els_quick *q, elelem_fragment *out)
{
    in->at = q->at;
    p->els_state = (uint8_t)q->state;
    return q->at == q->end ? ELELEM_MORE : els_json_steps(p, in, out);
}

/* Passes over whitespace; zero if nothing else is left. After a comma or colon it is mostly one space. */
ELS_INLINE int els_quick_blanks(els_quick *q)
{
    if (q->at == q->end) return 0;
    if (ELS_LIKELY(*q->at > 0x20)) return 1;
    if (!els_is_blank(*q->at) || ++q->at == q->end) return 0;
    if (*q->at <= 0x20) q->at = els_blank_run(q->at, q->end);
    return q->at < q->end;
}

/* Enters a container that began, if there is room on the path. */
ELS_INLINE int els_quick_enter(elelem_fragment_parser *p, els_quick *q)
{
    if (q->state != ELS_JSON_OPENED) return 1;
    if (!els_json_has_segment(p)) return 0;
    els_json_add_segment(p);
    q->state = q->in_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
    return 1;
}

/* Nonzero if the byte ends the container. */
ELS_INLINE int els_quick_closes(const els_quick *q)
{
    if (*q->at != (q->in_object ? '}' : ']')) return 0;
    return q->state == ELS_JSON_COMMA || q->state == ELS_JSON_FIRST_KEY || q->state == ELS_JSON_FIRST_ELEMENT;
}

ELS_INLINE elelem_status els_quick_close(elelem_fragment_parser *p, els_cursor *in, const els_quick *q, elelem_fragment *out)
{
    in->at = q->at + 1;
    els_json_ascend(p);
    return els_quick_done(p, out, q->in_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY);
}

/* Each of these reads what comes next, if the state waits for it. Zero if it is left to the steps. */

ELS_INLINE int els_quick_comma(elelem_fragment_parser *p, els_quick *q)
{
    if (q->state != ELS_JSON_COMMA) return 1;
    if (*q->at != ',') return 0;
    if (!q->in_object) {
        elelem_segment *top = els_json_top(p);
        if (top->index == UINT32_MAX) return 0;
        top->index++;
        top->els_changed = p->els_path.els_serial;
    }
    q->at++;
    q->state = q->in_object ? ELS_JSON_KEY : ELS_JSON_VALUE;
    return els_quick_blanks(q);
}

ELS_INLINE int els_quick_key(elelem_fragment_parser *p, els_quick *q)
{
    els_cursor key;

    if (q->state != ELS_JSON_KEY && q->state != ELS_JSON_FIRST_KEY) return 1;
    key.at = q->at + 1;
    key.end = q->end;
    if (*q->at != '"' || !els_json_short_key(p, &key)) return 0;
    q->at = key.at;
    q->state = ELS_JSON_COLON;
    return els_quick_blanks(q);
}

ELS_INLINE int els_quick_colon(els_quick *q)
{
    if (q->state != ELS_JSON_COLON) return 1;
    if (*q->at != ':') return 0;
    q->at++;
    q->state = ELS_JSON_VALUE;
    return els_quick_blanks(q);
}

ELS_INLINE elelem_status els_quick_begin(elelem_fragment_parser *p, els_cursor *in, const els_quick *q, elelem_fragment *out)
{
    int is_object = *q->at == '{';

    if (p->els_path.count >= p->els_max_depth) return els_quick_leave(p, in, q, out);
    in->at = q->at + 1;
    p->els_in_object = (uint8_t)is_object;
    p->els_state = ELS_JSON_OPENED;
    return els_json_give(p, out, ELELEM_FRAGMENT_BEGIN, is_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY, NULL, 0);
}

/* Delivers the first piece of a string, which begins with plain ASCII. */
ELS_INLINE elelem_status els_quick_string(elelem_fragment_parser *p, els_cursor *in, const els_quick *q, elelem_fragment *out)
{
    const unsigned char *at = q->at + 1;
    const unsigned char *stop = els_text_span(at, q->end);
    size_t size = (size_t)(stop - at);

    p->els_state = ELS_JSON_TEXT;
    p->els_string_left = p->els_max_string;
    in->at = at;
    if (ELS_UNLIKELY(size > p->els_max_string || (stop < q->end && *stop >= 0x80))) return els_quick_text(p, in, out);
    if (ELS_LIKELY(size > 0)) return els_quick_piece(p, in, stop, out);
    return at == q->end ? ELELEM_MORE : els_quick_text(p, in, out);
}

ELS_INLINE elelem_status els_quick_scalar(elelem_fragment_parser *p, els_cursor *in, const els_quick *q,
                                          const unsigned char *stop, elelem_type type, elelem_fragment *out)
{
    in->at = stop;
    p->els_after = (uint8_t)type;
    p->els_state = ELS_JSON_SCALAR_DONE;
    return els_json_give(p, out, ELELEM_FRAGMENT_SCALAR, type, q->at, (size_t)(stop - q->at));
}

/* Tokens that a push has cut: their rest. Memory and limits are enough if the bytes fit before the end of what short keys may take,
   see els_json_find_short_room. */

ELS_INLINE int els_quick_has_room(const elelem_fragment_parser *p, size_t size, uint32_t most)
{
    size_t token = p->els_token_size + size;

    return p->els_stack_size + token <= p->els_short_room && token <= most;
}

/* Passes over digits, and a point and more digits. The state is INTEGER, POINT, FRACTION or POWER. */
ELS_INLINE const unsigned char *els_quick_digits(const unsigned char *at, const unsigned char *end, els_json_state *state)
{
    const unsigned char *stop = els_digit_span(at, end);

    if (*state == ELS_JSON_POINT && stop > at) *state = ELS_JSON_FRACTION;
    if (*state != ELS_JSON_INTEGER || stop == end || *stop != '.') return stop;
    at = stop + 1;
    stop = els_digit_span(at, end);
    *state = stop > at ? ELS_JSON_FRACTION : ELS_JSON_POINT;
    return stop;
}

/* Keeps what a push has of a number, and delivers it at its end. Its digits begin at `digits`, in this state. */
ELS_INLINE elelem_status els_quick_number_piece(elelem_fragment_parser *p, els_cursor *in, const unsigned char *digits,
                                                els_json_state state, elelem_fragment *out)
{
    const unsigned char *stop = els_quick_digits(digits, in->end, &state);
    size_t size = (size_t)(stop - in->at);

    if (!els_quick_has_room(p, size, p->els_max_number) || p->els_path.count == 0) return els_json_number(p, in, out);
    if (stop < in->end && (!els_number_ends_at(*stop) || state == ELS_JSON_POINT)) return els_json_number(p, in, out);
    els_json_add_bytes(p, p->els_stack_size + (size_t)p->els_token_size, in->at, size);
    in->at = stop;
    p->els_state = (uint8_t)state;
    if (stop == in->end) return ELELEM_MORE;
    p->els_after = ELELEM_TYPE_NUMBER;
    p->els_state = ELS_JSON_SCALAR_DONE;
    return els_json_give(p, out, ELELEM_FRAGMENT_SCALAR, ELELEM_TYPE_NUMBER, els_json_stack(p) + p->els_stack_size, p->els_token_size);
}

/* Reads on in a number. */
ELS_NOINLINE elelem_status els_quick_number_rest(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    return els_quick_number_piece(p, in, in->at, (els_json_state)p->els_state, out);
}

/* Begins a number that is not whole in the bytes. */
ELS_INLINE elelem_status els_quick_number_cut(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *digits = in->at + (*in->at == '-');

    p->els_token_size = 0;
    p->els_state = ELS_JSON_NUMBER;
    if (digits == in->end || *digits < '1' || *digits > '9') return els_json_number(p, in, out);
    return els_quick_number_piece(p, in, digits, ELS_JSON_INTEGER, out);
}

/* Delivers the number from the cursor to `stop`. */
ELS_INLINE elelem_status els_quick_number_give(elelem_fragment_parser *p, els_cursor *in, const unsigned char *start,
                                               const unsigned char *stop, elelem_fragment *out)
{
    in->at = stop;
    p->els_after = ELELEM_TYPE_NUMBER;
    p->els_state = ELS_JSON_SCALAR_DONE;
    return els_json_give(p, out, ELELEM_FRAGMENT_SCALAR, ELELEM_TYPE_NUMBER, start, (size_t)(stop - start));
}

/* Nonzero if the number ends at `stop`, and may be delivered. */
ELS_INLINE int els_quick_number_ends(const elelem_fragment_parser *p, const unsigned char *start, const unsigned char *stop)
{
    return stop && els_number_ends_at(*stop) && (size_t)(stop - start) <= p->els_max_number;
}

/* Begins a number of more than 16 bytes, or near the end of the bytes. */
ELS_NOINLINE elelem_status els_quick_number_begin(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *stop = els_number_parts(in->at, in->end);

    if (els_quick_number_ends(p, in->at, stop)) return els_quick_number_give(p, in, in->at, stop, out);
    return els_quick_number_cut(p, in, out);
}

/* Delivers a number inside a container. */
ELS_INLINE elelem_status els_quick_number(elelem_fragment_parser *p, els_cursor *in, const els_quick *q, elelem_fragment *out)
{
    const unsigned char *stop = els_number_short(q->at, q->end);

    if (p->els_path.count == 0) return els_quick_leave(p, in, q, out);
    if (ELS_LIKELY(els_quick_number_ends(p, q->at, stop))) return els_quick_number_give(p, in, q->at, stop, out);
    in->at = q->at;
    return els_quick_number_begin(p, in, out);
}

ELS_INLINE elelem_status els_quick_literal(elelem_fragment_parser *p, els_cursor *in, const els_quick *q, elelem_fragment *out)
{
    const unsigned char *stop = els_token_literal(q->at, q->end);

    if (!stop) return els_quick_leave(p, in, q, out);
    return els_quick_scalar(p, in, q, stop, *q->at == 'n' ? ELELEM_TYPE_NULL : ELELEM_TYPE_BOOL, out);
}

ELS_INLINE elelem_status els_quick_value(elelem_fragment_parser *p, els_cursor *in, const els_quick *q, elelem_fragment *out)
{
    unsigned char byte = *q->at;

    if (byte == '"') return els_quick_string(p, in, q, out);
    if (byte == '{' || byte == '[') return els_quick_begin(p, in, q, out);
    return byte == '-' || (byte >= '0' && byte <= '9') ? els_quick_number(p, in, q, out) : els_quick_literal(p, in, q, out);
}

/* Delivers the first fragment of the next value, or the DONE of the container. On documents of many small values this takes
   a third off the instructions of the steps. */
ELS_NOINLINE elelem_status els_quick_next(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    els_quick q;

    q.at = in->at;
    q.end = in->end;
    q.state = (els_json_state)p->els_state;
    q.in_object = p->els_in_object;
    if (!els_quick_enter(p, &q)) return els_json_steps(p, in, out);
    if (!els_quick_blanks(&q)) return els_quick_leave(p, in, &q, out);
    if (els_quick_closes(&q)) return els_quick_close(p, in, &q, out);
    if (els_quick_comma(p, &q) && els_quick_key(p, &q) && els_quick_colon(&q)) return els_quick_value(p, in, &q, out);
    return els_quick_leave(p, in, &q, out);
}

/* Reads on in a key. Pushed byte by byte, this takes half of the steps' instructions. */
ELS_NOINLINE elelem_status els_quick_key_rest(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *stop = els_text_span(in->at, in->end);
    size_t size = (size_t)(stop - in->at);

    if (!els_quick_has_room(p, size, p->els_max_key)) return els_json_steps(p, in, out);
    els_json_add_bytes(p, p->els_stack_size + (size_t)p->els_token_size, in->at, size);
    in->at = stop;
    if (stop == in->end) return ELELEM_MORE;
    if (*stop != '"') return els_json_steps(p, in, out);
    in->at++;
    els_json_key_done(p);
    return in->at == in->end ? ELELEM_MORE : els_quick_next(p, in, out);
}

/* Sets of states, a bit each: those in which a token is waited for or a container is entered, and in which digits may come next
   in a number. */
#define ELS_QUICK_BIT(state) ((uint32_t)1 << (state))
#define ELS_QUICK_TOKENS (ELS_QUICK_BIT(ELS_JSON_COMMA + 1) - 1 + ELS_QUICK_BIT(ELS_JSON_OPENED))
#define ELS_QUICK_DIGITS (ELS_QUICK_BIT(ELS_JSON_INTEGER) + ELS_QUICK_BIT(ELS_JSON_POINT) + ELS_QUICK_BIT(ELS_JSON_FRACTION) + \
                          ELS_QUICK_BIT(ELS_JSON_POWER))

/* Continues in a value of which everything is wanted. */
ELS_INLINE elelem_status els_quick_take(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    uint32_t bit = ELS_QUICK_BIT(p->els_state);

    if (bit & ELS_QUICK_TOKENS) return els_quick_next(p, in, out);
    if (bit & ELS_QUICK_DIGITS) return els_quick_number_rest(p, in, out);
    if (p->els_state == ELS_JSON_TEXT) return els_quick_key_rest(p, in, out);
    if (p->els_state == ELS_JSON_CHARACTER && !p->els_in_key) return els_json_character(p, in, out);
    return els_json_steps(p, in, out);
}

/* Continues with what the state waits for, or has to deliver. */
ELS_PRIVATE elelem_status els_fragment_take(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!ELS_IS_FAST) return els_json_steps(p, in, out);
    if (p->els_state == ELS_JSON_SCALAR_DONE) return els_quick_done(p, out, (elelem_type)p->els_after);
    if (p->els_state == ELS_JSON_TEXT && !p->els_in_key && !p->els_skipping) return els_quick_text(p, in, out);
    return p->els_inside && !p->els_skipping ? els_quick_take(p, in, out) : els_json_steps(p, in, out);
}

/* Pushed bytes. */

/* Nonzero if the state waits for a byte. */
ELS_INLINE int els_json_waits(const elelem_fragment_parser *p)
{
    return p->els_state < ELS_JSON_OPENED;
}

/* Reads the next fragment from a cursor that the caller keeps. */
ELS_INLINE elelem_status els_fragment_next(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    p->els_last = ELS_JSON_NOTHING;
    return in->at == in->end && els_json_waits(p) ? ELELEM_MORE : els_fragment_take(p, in, out);
}

/* Cuts off bytes that were counted and are above max_total_bytes. */
ELS_NOINLINE void els_fragment_cut(elelem_fragment_parser *p, els_cursor *in)
{
    in->end -= p->els_lent.offset - p->els_max_total;
    p->els_lent.offset = p->els_max_total;
    p->els_over = 1;
    els_input_watch(&p->els_lent);
}

/* Counts the bytes of a cursor that the caller keeps, before they are read. */
ELS_INLINE void els_fragment_lend(elelem_fragment_parser *p, els_cursor *in)
{
    p->els_lent.offset += (uint64_t)(in->end - in->at);
    if (ELS_UNLIKELY(p->els_lent.offset > p->els_max_total)) els_fragment_cut(p, in);
}

elelem_status elelem_fragment_parser_push(elelem_fragment_parser *parser, const void *bytes, size_t size)
{
    elelem_status status;

    if (ELS_UNLIKELY(parser->els_state == ELS_JSON_FAILED)) return (elelem_status)parser->els_status;
    status = els_input_push(&parser->els_lent, bytes, size);
    if (ELS_UNLIKELY(parser->els_lent.offset > parser->els_max_total))
        els_fragment_cut(parser, &parser->els_lent.bytes);
    return status;
}

/* Returns the next fragment after all bytes are read, if the end of the input gives one; MORE; or an error. */
ELS_NOINLINE elelem_status els_fragment_dry(elelem_fragment_parser *p, elelem_fragment *out)
{
    els_cursor *in = &p->els_lent.bytes;
    elelem_status status;

    do {
        if (p->els_over) return els_json_fail(p, in, ELELEM_ERROR_TOTAL_SIZE);
        if (!p->els_lent.finished) {
            status = els_input_more(&p->els_lent);
            return status == ELELEM_MORE ? status : els_json_fail(p, in, status);
        }
        status = els_json_finished(p, in, out);
        if (status == ELS_AGAIN) status = els_fragment_next(p, in, out);
    } while (status == ELELEM_MORE);
    return status;
}

elelem_status elelem_fragment_parser_next(elelem_fragment_parser *parser, elelem_fragment *fragment)
{
    els_input *in = &parser->els_lent;
    elelem_status status = els_fragment_next(parser, &in->bytes, fragment);

    if (status != ELELEM_MORE) return status;
    return in->state == ELS_INPUT_LENT ? els_input_more(in) : els_fragment_dry(parser, fragment);
}

void elelem_fragment_parser_finish(elelem_fragment_parser *parser)
{
    els_input_finish(&parser->els_lent);
}

elelem_error elelem_fragment_parser_error(const elelem_fragment_parser *parser)
{
    return els_input_error(&parser->els_lent, (elelem_status)parser->els_status, parser->els_error_offset);
}

const elelem_path *elelem_fragment_parser_path(const elelem_fragment_parser *parser)
{
    return &parser->els_path;
}

size_t elelem_fragment_parser_unread(const elelem_fragment_parser *parser)
{
    return (size_t)(parser->els_lent.bytes.end - parser->els_lent.bytes.at);
}

uint64_t elelem_fragment_parser_offset(const elelem_fragment_parser *parser)
{
    return els_input_offset(&parser->els_lent);
}

elelem_status elelem_fragment_parser_skip(elelem_fragment_parser *parser)
{
    int is_object = parser->els_in_object;

    if (parser->els_lent.state == ELS_INPUT_NONE) return ELELEM_ERROR_MISUSE;
    if (parser->els_last != ELELEM_FRAGMENT_BEGIN && parser->els_last != ELELEM_FRAGMENT_STRING)
        return ELELEM_ERROR_MISUSE;
    if (parser->els_last == ELELEM_FRAGMENT_BEGIN) {
        if (els_json_skip_into(parser, is_object) != ELELEM_OK)
            return els_json_fail(parser, &parser->els_lent.bytes, ELELEM_ERROR_MEMORY);
        parser->els_state = is_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
    }
    parser->els_skipping = 1;
    parser->els_last = ELS_JSON_NOTHING;
    return ELELEM_OK;
}

/* Prepares for the next value at the root. */
ELS_PRIVATE void els_json_begin(elelem_fragment_parser *p)
{
    p->els_path.count = 0;
    p->els_stack_size = 0;
    p->els_path_bytes = 0;
    p->els_token_size = 0;
    p->els_skip_depth = 0;
    p->els_inside = p->els_patterns ? 0 : ELS_JSON_EVERYWHERE;
    p->els_pattern = ELELEM_NO_PATTERN;
    p->els_high = 0;
    p->els_in_key = 0;
    p->els_in_object = 0;
    p->els_skipping = 0;
    p->els_last = ELS_JSON_NOTHING;
    p->els_state = ELS_JSON_VALUE;
}

elelem_status elelem_fragment_parser_restart(elelem_fragment_parser *parser)
{
    if (parser->els_state != ELS_JSON_END || parser->els_single) return ELELEM_ERROR_MISUSE;
    els_json_begin(parser);
    parser->els_started = 1;
    return ELELEM_OK;
}

ELS_PRIVATE void els_json_start(elelem_fragment_parser *p)
{
    els_json_begin(p);
    els_input_start(&p->els_lent, 0);
    p->els_status = ELELEM_OK;
    p->els_error_offset = 0;
    p->els_over = 0;
    p->els_started = 0;
}

void elelem_fragment_parser_reset(elelem_fragment_parser *parser)
{
    if (parser->els_lent.state != ELS_INPUT_NONE) els_json_start(parser);
}

void elelem_fragment_parser_init(elelem_fragment_parser *parser, const elelem_fragment_parser_desc *desc)
{
    elelem_fragment_parser_desc defaults = ELELEM_INIT;
    const elelem_fragment_parser_desc *d = desc ? desc : &defaults;

    memset(parser, 0, sizeof *parser);
    parser->els_memory.allocator = d->allocator;
    parser->els_patterns = d->patterns && d->patterns->nodes ? d->patterns : NULL;
    parser->els_max_depth = ELS_DEFAULT(d->max_depth, 512u);
    parser->els_max_key = ELS_DEFAULT(d->max_key_bytes, 65536u);
    parser->els_max_path = ELS_DEFAULT(d->max_path_bytes, 262144u);
    parser->els_max_number = ELS_DEFAULT(d->max_number_bytes, 65536u);
    parser->els_max_string = ELS_DEFAULT(d->max_string_bytes, UINT64_MAX);
    parser->els_max_total = ELS_DEFAULT(d->max_total_bytes, UINT64_MAX);
    parser->els_strict = d->strict_surrogates != 0;
    parser->els_single = d->single_document != 0;
    els_json_start(parser);
}

void elelem_fragment_parser_free(elelem_fragment_parser *parser)
{
    els_block_free(&parser->els_memory);
    memset(parser, 0, sizeof *parser);
}

#endif
