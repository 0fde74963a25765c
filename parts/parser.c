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

/* All bytes are read. */

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
        if (status == ELS_AGAIN) status = els_json_steps(p, in, out);
    } while (status == ELELEM_MORE);
    return status;
}

/* MORE; of the parser's own input, what next returns then. That each path ends in a call of this, and none returns through next,
   takes a tenth off the instructions of small fragments. */
ELS_NOINLINE elelem_status els_fragment_more(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    els_input *lent = &p->els_lent;

    p->els_last = ELS_JSON_NOTHING;
    if (in != &lent->bytes) return ELELEM_MORE;
    return lent->state == ELS_INPUT_LENT ? els_input_more(lent) : els_fragment_dry(p, out);
}

/* Leaves what comes to the steps. */
ELS_NOINLINE elelem_status els_quick_steps(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_status status;

    p->els_last = ELS_JSON_NOTHING;
    status = els_json_steps(p, in, out);
    return status == ELELEM_MORE ? els_fragment_more(p, in, out) : status;
}

/* What these begin is wanted, so that they do not return AGAIN. They are called at once because that takes a quarter off the
   instructions of small pushes of text that is not ASCII, and a twentieth off those of numbers. */

ELS_NOINLINE elelem_status els_quick_character(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_status status = els_json_any_character(p, in, out);

    return status == ELELEM_MORE ? els_fragment_more(p, in, out) : status;
}

ELS_NOINLINE elelem_status els_quick_odd_number(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    elelem_status status = els_json_number(p, in, out);

    return status == ELELEM_MORE ? els_fragment_more(p, in, out) : status;
}

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
    int is_cut = stop == in->at && in->end - stop < 4 && in->end - stop <= els_lead_of(*stop).more;

    if (!is_cut) stop = els_text_beyond_ascii(stop, in->end);
    if (stop > in->at) return els_quick_piece(p, in, stop, out);
    status = els_json_lead(p, in);
    if (status != ELS_AGAIN) return status;
    return in->at == in->end ? els_fragment_more(p, in, out) : els_quick_character(p, in, out);
}

/* Delivers what the backslash at the cursor escapes. A byte that is its own value may begin a run of plain text. */
ELS_NOINLINE elelem_status els_quick_escape(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *at = in->at + 1;
    const unsigned char *escaped;

    if (at == in->end) return els_quick_steps(p, in, out);
    if (*at == '"' || *at == '\\' || *at == '/') {
        in->at = at;
        return els_quick_piece(p, in, els_text_plain(at + 1, in->end), out);
    }
    escaped = els_escaped(*at);
    if (!escaped) return els_quick_steps(p, in, out);
    in->at = at + 1;
    p->els_string_left--;
    return els_json_give(p, out, ELELEM_FRAGMENT_STRING, ELELEM_TYPE_STRING, escaped, 1);
}

/* Delivers the text before the backslash at `stop`, and if it can what follows. */
ELS_NOINLINE elelem_status els_quick_joined(elelem_fragment_parser *p, els_cursor *in, const unsigned char *stop,
                                            elelem_fragment *out)
{
    if (els_json_is_short_escape(in, stop) && els_json_join(p, in, stop, out) == ELELEM_OK) return ELELEM_OK;
    return stop > in->at ? els_quick_piece(p, in, stop, out) : els_quick_escape(p, in, out);
}

/* Delivers the text before `stop`, the first byte that is not plain ASCII. */
ELS_INLINE elelem_status els_quick_until(elelem_fragment_parser *p, els_cursor *in, const unsigned char *stop,
                                         elelem_fragment *out)
{
    if (stop < in->end && *stop == '\\' && els_json_has_many(in) && p->els_joins != ELS_JOINS_NEVER)
        return els_quick_joined(p, in, stop, out);
    if (stop < in->end && *stop >= 0x80) return els_quick_wide_piece(p, in, stop, out);
    return ELS_LIKELY(stop > in->at) ? els_quick_piece(p, in, stop, out) : els_quick_steps(p, in, out);
}

/* Delivers text after a piece with escapes, in which there may be more. */
ELS_NOINLINE elelem_status els_quick_joins(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (els_json_has_many(in) && els_json_join(p, in, in->at, out) == ELELEM_OK) return ELELEM_OK;
    if (*in->at == '\\') return els_quick_escape(p, in, out);
    return els_quick_until(p, in, els_text_span(in->at, in->end), out);
}

/* Delivers the next piece of a string of which so many bytes are left, or its end. */
ELS_NOINLINE elelem_status els_quick_text(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out, size_t left)
{
    const unsigned char *at = in->at;

    if (*at == '"') {
        in->at++;
        return els_quick_done(p, out, ELELEM_TYPE_STRING);
    }
    if (ELS_UNLIKELY(left > p->els_string_left)) return els_quick_steps(p, in, out);
    if (p->els_joins == ELS_JOINS_ON) return els_quick_joins(p, in, out);
    if (*at == '\\') {
        int may_join = left >= ELS_JSON_MANY && p->els_joins != ELS_JOINS_NEVER;
        return may_join ? els_quick_joined(p, in, at, out) : els_quick_escape(p, in, out);
    }
    return els_quick_until(p, in, els_text_span(at, at + left), out);
}

/* One byte is a case of its own: with pushes of one byte, that takes a tenth off the instructions. */
ELS_INLINE elelem_status els_quick_byte(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    size_t left = (size_t)(in->end - in->at);
    int is_plain = left == 1 && !els_is_special(*in->at) && p->els_string_left > 0;

    return is_plain ? els_quick_piece(p, in, in->end, out) : els_quick_text(p, in, out, left);
}

/* Values. */

/* Leaves what begins here to the steps, which wait for it in this state. */
ELS_NOINLINE elelem_status els_quick_leave(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at, els_json_state state,
                                           elelem_fragment *out)
{
    in->at = at;
    p->els_state = (uint8_t)state;
    return at == in->end ? els_fragment_more(p, in, out) : els_quick_steps(p, in, out);
}

/* Returns the first byte that is not whitespace, or the end. Between tokens there is mostly one space, or a line end and more. */
ELS_INLINE const unsigned char *els_quick_past(const unsigned char *at, const unsigned char *end)
{
    if (ELS_LIKELY(*at > 0x20) || !els_is_blank(*at)) return at;
    at++;
    return at == end || *at > 0x20 ? at : els_blank_run(at, end);
}

ELS_NOINLINE elelem_status els_quick_begin(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at, elelem_fragment *out)
{
    int is_object = *at == '{';

    if (p->els_path.count >= p->els_max_depth) return els_quick_leave(p, in, at, ELS_JSON_VALUE, out);
    in->at = at + 1;
    p->els_in_object = (uint8_t)is_object;
    p->els_state = ELS_JSON_OPENED;
    return els_json_give(p, out, ELELEM_FRAGMENT_BEGIN, is_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY, NULL, 0);
}

/* Delivers the first piece of a string, if it is more than plain ASCII and a quote. */
ELS_NOINLINE elelem_status els_quick_special_string(elelem_fragment_parser *p, els_cursor *in, const unsigned char *stop,
                                                    elelem_fragment *out)
{
    size_t left = (size_t)(in->end - in->at);

    if (left == 0) return els_fragment_more(p, in, out);
    return stop > in->at && left <= p->els_string_left ? els_quick_until(p, in, stop, out) : els_quick_text(p, in, out, left);
}

/* Delivers the first piece of a string, which is mostly all of it. */
ELS_INLINE elelem_status els_quick_string(elelem_fragment_parser *p, els_cursor *in, const unsigned char *quote, elelem_fragment *out)
{
    const unsigned char *at = quote + 1, *end = in->end;
    const unsigned char *stop = els_text_span(at, end);
    size_t size = (size_t)(stop - at);

    p->els_state = ELS_JSON_TEXT;
    p->els_string_left = p->els_max_string;
    p->els_joins = ELS_JOINS_PERHAPS;
    in->at = at;
    if (ELS_UNLIKELY(size == 0 || size > p->els_max_string || (stop < end && *stop != '"')))
        return els_quick_special_string(p, in, stop, out);
    return els_quick_piece(p, in, stop, out);
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

    if (!els_quick_has_room(p, size, p->els_max_number) || p->els_path.count == 0) return els_quick_odd_number(p, in, out);
    if (stop < in->end && (!els_number_ends_at(*stop) || state == ELS_JSON_POINT)) return els_quick_odd_number(p, in, out);
    els_json_add_bytes(p, p->els_stack_size + (size_t)p->els_token_size, in->at, size);
    in->at = stop;
    p->els_state = (uint8_t)state;
    if (stop == in->end) return els_fragment_more(p, in, out);
    p->els_after = ELELEM_TYPE_NUMBER;
    p->els_state = ELS_JSON_SCALAR_DONE;
    return els_json_give(p, out, ELELEM_FRAGMENT_SCALAR, ELELEM_TYPE_NUMBER, els_json_stack(p) + p->els_stack_size, p->els_token_size);
}

/* Nonzero if one digit is left, which changes nothing of a number inside a container, and for which there is room. With pushes of one
   byte, this takes a fifth off the instructions. */
ELS_INLINE int els_quick_is_digit(const elelem_fragment_parser *p, const els_cursor *in)
{
    if (in->end - in->at != 1 || (unsigned char)(*in->at - '0') > 9) return 0;
    return p->els_state != ELS_JSON_POINT && p->els_path.count > 0 && els_quick_has_room(p, 1, p->els_max_number);
}

/* Reads on in a number. */
ELS_NOINLINE elelem_status els_quick_number_rest(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!els_quick_is_digit(p, in)) return els_quick_number_piece(p, in, in->at, (els_json_state)p->els_state, out);
    els_json_stack(p)[p->els_stack_size + p->els_token_size++] = *in->at++;
    return els_fragment_more(p, in, out);
}

/* Begins a number that is not whole in the bytes. */
ELS_INLINE elelem_status els_quick_number_cut(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *digits = in->at + (*in->at == '-');

    p->els_token_size = 0;
    p->els_state = ELS_JSON_NUMBER;
    if (digits == in->end || *digits < '1' || *digits > '9') return els_quick_odd_number(p, in, out);
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
ELS_NOINLINE elelem_status els_quick_number(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at, elelem_fragment *out)
{
    const unsigned char *stop = els_number_short(at, in->end);

    if (p->els_path.count == 0) return els_quick_leave(p, in, at, ELS_JSON_VALUE, out);
    if (ELS_LIKELY(els_quick_number_ends(p, at, stop))) return els_quick_number_give(p, in, at, stop, out);
    in->at = at;
    return els_quick_number_begin(p, in, out);
}

ELS_NOINLINE elelem_status els_quick_literal(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at, elelem_fragment *out)
{
    const unsigned char *stop = els_token_literal(at, in->end);
    elelem_type type = *at == 'n' ? ELELEM_TYPE_NULL : ELELEM_TYPE_BOOL;

    if (!stop) return els_quick_leave(p, in, at, ELS_JSON_VALUE, out);
    in->at = stop;
    p->els_after = (uint8_t)type;
    p->els_state = ELS_JSON_SCALAR_DONE;
    return els_json_give(p, out, ELELEM_FRAGMENT_SCALAR, type, at, (size_t)(stop - at));
}

/* Delivers the first fragment of the value that begins here. */
ELS_NOINLINE elelem_status els_quick_value(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at, elelem_fragment *out)
{
    unsigned char byte = *at;

    if (byte == '"') return els_quick_string(p, in, at, out);
    if (byte == '{' || byte == '[') return els_quick_begin(p, in, at, out);
    return byte == '-' || (byte >= '0' && byte <= '9') ? els_quick_number(p, in, at, out) : els_quick_literal(p, in, at, out);
}

/* Tokens between values, each as far as it is in the bytes. On documents of many small values this takes half off the instructions
   of the steps. */

/* Reads a plain key of 16 bytes or more, from after its first quote, and makes it that of the innermost segment. Returns what follows
   it; null if it is not so, or if there is no room for it. */
ELS_INLINE const unsigned char *els_quick_long_key(elelem_fragment_parser *p, const unsigned char *at, const unsigned char *end)
{
    elelem_segment *top = els_json_top(p);
    size_t base = top->els_base, more = 16, size = 0;

    for (; more == 16 && at < end && base + size < p->els_short_room; at += more, size += more)
        more = els_text_start(at, (size_t)(end - at), els_json_stack(p) + base + size);
    if (at == end || *at != '"' || size > p->els_max_key) return NULL;
    els_json_set_key(p, top, size);
    return at + 1;
}

/* Reads the colon and the value after it. */
ELS_INLINE elelem_status els_quick_colon(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at, elelem_fragment *out)
{
    const unsigned char *end = in->end;

    if (at == end || *at != ':') return els_quick_leave(p, in, at, ELS_JSON_COLON, out);
    at++;
    if (at < end && *at == ' ') at++;
    return at < end ? els_quick_value(p, in, at, out) : els_quick_leave(p, in, at, ELS_JSON_VALUE, out);
}

ELS_NOINLINE elelem_status els_quick_long_member(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at,
                                                 elelem_fragment *out)
{
    const unsigned char *after = els_quick_long_key(p, at + 1, in->end);

    return after ? els_quick_colon(p, in, after, out) : els_quick_leave(p, in, at, ELS_JSON_KEY, out);
}

/* Begins a key of which the last push has `size` bytes, which are on the stack. */
ELS_NOINLINE elelem_status els_quick_key_cut(elelem_fragment_parser *p, els_cursor *in, uint32_t size, elelem_fragment *out)
{
    els_json_drop_key(p);
    p->els_token_size = size;
    p->els_in_key = 1;
    p->els_state = ELS_JSON_TEXT;
    in->at = in->end;
    return els_fragment_more(p, in, out);
}

/* Reads a member, whose first quote should be here. */
ELS_NOINLINE elelem_status els_quick_member(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at, elelem_fragment *out)
{
    elelem_segment *top = els_json_top(p);
    size_t size, left = (size_t)(in->end - at) - 1;

    if (*at != '"' || left == 0 || top->els_base >= p->els_short_room) return els_quick_leave(p, in, at, ELS_JSON_KEY, out);
    size = els_text_start(at + 1, left, els_json_stack(p) + top->els_base);
    if (ELS_UNLIKELY(size >= 16)) return els_quick_long_member(p, in, at, out);
    if (size == left) return els_quick_key_cut(p, in, (uint32_t)size, out);
    if (at[size + 1] != '"') return els_quick_leave(p, in, at, ELS_JSON_KEY, out);
    els_json_set_key(p, top, size);
    return els_quick_colon(p, in, at + size + 2, out);
}

ELS_INLINE elelem_status els_quick_close(elelem_fragment_parser *p, els_cursor *in, const unsigned char *at, int is_object,
                                         elelem_fragment *out)
{
    in->at = at + 1;
    els_json_ascend(p);
    return els_quick_done(p, out, is_object ? ELELEM_TYPE_OBJECT : ELELEM_TYPE_ARRAY);
}

/* Reads what follows a member. */
ELS_NOINLINE elelem_status els_quick_after_member(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *end = in->end;
    const unsigned char *at = els_quick_past(in->at, end);

    if (at < end && *at == '}') return els_quick_close(p, in, at, 1, out);
    if (at == end || *at != ',') return els_quick_leave(p, in, at, ELS_JSON_COMMA, out);
    at++;
    if (at < end) at = els_quick_past(at, end);
    return at < end ? els_quick_member(p, in, at, out) : els_quick_leave(p, in, at, ELS_JSON_KEY, out);
}

/* Reads what follows an element. */
ELS_NOINLINE elelem_status els_quick_after_element(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *end = in->end;
    const unsigned char *at = els_quick_past(in->at, end);
    elelem_segment *top = els_json_top(p);

    if (at < end && *at == ']') return els_quick_close(p, in, at, 0, out);
    if (at == end || *at != ',' || top->index == UINT32_MAX) return els_quick_leave(p, in, at, ELS_JSON_COMMA, out);
    top->index++;
    top->els_changed = p->els_path.els_serial;
    at++;
    if (at < end) at = els_quick_past(at, end);
    return at < end ? els_quick_value(p, in, at, out) : els_quick_leave(p, in, at, ELS_JSON_VALUE, out);
}

/* All bytes are read, and the state is what it was. */
ELS_INLINE elelem_status els_quick_dry(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    in->at = in->end;
    return els_fragment_more(p, in, out);
}

/* Reads what is first in a container. */
ELS_INLINE elelem_status els_quick_first(elelem_fragment_parser *p, els_cursor *in, els_json_state state, elelem_fragment *out)
{
    int is_object = state == ELS_JSON_FIRST_KEY;
    const unsigned char *end = in->end;
    const unsigned char *at = in->at < end ? els_quick_past(in->at, end) : end;

    if (at == end) return els_quick_dry(p, in, out);
    if (*at == (is_object ? '}' : ']')) return els_quick_close(p, in, at, is_object, out);
    return is_object ? els_quick_member(p, in, at, out) : els_quick_value(p, in, at, out);
}

ELS_NOINLINE elelem_status els_quick_first_member(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    return els_quick_first(p, in, ELS_JSON_FIRST_KEY, out);
}

ELS_NOINLINE elelem_status els_quick_first_element(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    return els_quick_first(p, in, ELS_JSON_FIRST_ELEMENT, out);
}

/* Enters the container that began, and reads what is first in it. */
ELS_INLINE elelem_status els_quick_opened(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (ELS_UNLIKELY(!els_json_has_segment(p))) return els_quick_steps(p, in, out);
    els_json_add_segment(p);
    p->els_state = p->els_in_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
    return p->els_in_object ? els_quick_first_member(p, in, out) : els_quick_first_element(p, in, out);
}

/* Reads on between tokens, after the end of a push: a key, a colon or a value. */

ELS_NOINLINE elelem_status els_quick_next_key(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *at = els_quick_past(in->at, in->end);

    return at < in->end ? els_quick_member(p, in, at, out) : els_quick_leave(p, in, at, ELS_JSON_KEY, out);
}

ELS_NOINLINE elelem_status els_quick_next_colon(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    return els_quick_colon(p, in, in->at, out);
}

ELS_NOINLINE elelem_status els_quick_next_value(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *at = els_quick_past(in->at, in->end);

    return at < in->end ? els_quick_value(p, in, at, out) : els_quick_leave(p, in, at, ELS_JSON_VALUE, out);
}

/* Reads on in a key. Pushed byte by byte, this takes half of the steps' instructions. */
ELS_NOINLINE elelem_status els_quick_key_rest(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    const unsigned char *stop = els_text_span(in->at, in->end);
    size_t size = (size_t)(stop - in->at);

    if (!els_quick_has_room(p, size, p->els_max_key)) return els_quick_steps(p, in, out);
    els_json_add_bytes(p, p->els_stack_size + (size_t)p->els_token_size, in->at, size);
    in->at = stop;
    if (stop == in->end) return els_fragment_more(p, in, out);
    if (*stop != '"') return els_quick_steps(p, in, out);
    in->at++;
    els_json_key_done(p);
    return els_quick_colon(p, in, in->at, out);
}

/* Continues with what the state waits for, or has to deliver, but text. */
ELS_NOINLINE elelem_status els_quick_take(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (!ELS_IS_FAST || !p->els_inside || p->els_skipping) return els_quick_steps(p, in, out);
    switch ((els_json_state)p->els_state) {
    case ELS_JSON_COMMA: return p->els_in_object ? els_quick_after_member(p, in, out) : els_quick_after_element(p, in, out);
    case ELS_JSON_OPENED: return els_quick_opened(p, in, out);
    case ELS_JSON_TEXT: return els_quick_key_rest(p, in, out);
    case ELS_JSON_CHARACTER: return p->els_in_key ? els_quick_steps(p, in, out) : els_quick_character(p, in, out);
    case ELS_JSON_VALUE: return els_quick_next_value(p, in, out);
    case ELS_JSON_FIRST_ELEMENT: return els_quick_first_element(p, in, out);
    case ELS_JSON_FIRST_KEY: return els_quick_first_member(p, in, out);
    case ELS_JSON_KEY: return els_quick_next_key(p, in, out);
    case ELS_JSON_COLON: return els_quick_next_colon(p, in, out);
    case ELS_JSON_INTEGER:
    case ELS_JSON_POINT:
    case ELS_JSON_FRACTION:
    case ELS_JSON_POWER: return els_quick_number_rest(p, in, out);
    default: return els_quick_steps(p, in, out);
    }
}

/* Continues. This is in next, so that text of small pushes takes few calls. */
ELS_INLINE elelem_status els_fragment_take(elelem_fragment_parser *p, els_cursor *in, elelem_fragment *out)
{
    if (ELS_IS_FAST && p->els_state == ELS_JSON_TEXT && !p->els_in_key && !p->els_skipping) return els_quick_byte(p, in, out);
    if (ELS_IS_FAST && p->els_state == ELS_JSON_SCALAR_DONE) return els_quick_done(p, out, (elelem_type)p->els_after);
    return els_quick_take(p, in, out);
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
    if (in->at < in->end || !els_json_waits(p)) return els_fragment_take(p, in, out);
    p->els_last = ELS_JSON_NOTHING;
    return ELELEM_MORE;
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
    if (ELS_UNLIKELY(parser->els_lent.offset > parser->els_max_total)) {
        uint64_t pushed = parser->els_lent.offset;
        els_fragment_cut(parser, &parser->els_lent.bytes);
        parser->els_max_total = pushed;
    }
    return status;
}

elelem_status elelem_fragment_parser_next(elelem_fragment_parser *parser, elelem_fragment *fragment)
{
    els_input *in = &parser->els_lent;

    if (in->bytes.at < in->bytes.end || !els_json_waits(parser)) return els_fragment_take(parser, &in->bytes, fragment);
    parser->els_last = ELS_JSON_NOTHING;
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
    uint64_t cut = parser->els_over ? parser->els_max_total - parser->els_lent.offset : 0;

    return (size_t)(parser->els_lent.bytes.end - parser->els_lent.bytes.at) + (size_t)cut;
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
    parser->els_path.els_skipped = parser->els_path.els_serial;
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
    p->els_half = 0;
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
    if (p->els_over) p->els_max_total = p->els_lent.offset;
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
