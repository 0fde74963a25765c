#ifndef ELS_TOKEN_C
#define ELS_TOKEN_C
#include "token.h"
#include "base.c"
#include "text.c"

/* >> token */

/* Fast paths are taken if this is nonzero. Each has a slow twin, which it must equal: without the fast paths everything is
   read by the automaton of fragment, token by token. Tests make it a variable. */
#ifndef ELS_IS_FAST
#ifdef ELELEM_NO_FAST
#define ELS_IS_FAST 0
#else
#define ELS_IS_FAST 1
#endif
#endif

/* What the parser waits for. */
typedef enum els_json_state {
    ELS_JSON_VALUE,         /* a value */
    ELS_JSON_FIRST_ELEMENT, /* a value, or ] */
    ELS_JSON_FIRST_KEY,     /* a key, or } */
    ELS_JSON_KEY,           /* a key */
    ELS_JSON_COLON,         /* the colon after a key */
    ELS_JSON_COMMA,         /* what follows a value: a comma or the container's end */
    ELS_JSON_TEXT,          /* the text of a string or key, or its closing quote */
    ELS_JSON_CHARACTER,     /* the rest of a character in such a text */
    ELS_JSON_ESCAPE,        /* the letter after a backslash */
    ELS_JSON_UNIT,          /* the four digits after \u */
    ELS_JSON_LOW_BACKSLASH, /* after a high surrogate: the backslash of the low one */
    ELS_JSON_LOW_LETTER,    /* and its u */
    ELS_JSON_LITERAL,       /* the rest of null, true or false */
    ELS_JSON_NUMBER,        /* the minus or first digit of a number */
    ELS_JSON_MINUS,         /* the first digit after the minus */
    ELS_JSON_ZERO,          /* what follows a leading zero */
    ELS_JSON_INTEGER,       /* more digits, a point, an exponent or the end */
    ELS_JSON_POINT,         /* the first digit after the point */
    ELS_JSON_FRACTION,      /* more digits, an exponent or the end */
    ELS_JSON_EXPONENT,      /* a sign or the first digit */
    ELS_JSON_SIGN,          /* the first digit after the sign */
    ELS_JSON_POWER,         /* more digits or the end */
    ELS_JSON_TRAIL,         /* only whitespace, after a single document */
    ELS_JSON_OPENED,        /* nothing: a container began, its level is still to be entered */
    ELS_JSON_SCALAR_DONE,   /* nothing: a scalar was returned, its DONE is next */
    ELS_JSON_END,           /* nothing: the root value is complete */
    ELS_JSON_FAILED         /* nothing: an error sticks */
} els_json_state;

/* Strings. */

/* escape = "\" ( quote / "\" / "/" / b / f / n / r / t / u 4HEX )   (RFC 8259, 7) */
static const char els_escape_letters[] = "bfnrt";
static const unsigned char els_escape_bytes[] = { '\b', '\f', '\n', '\r', '\t' };

/* Returns a pointer to the byte that is escaped by this letter; null for any other letter. */
ELS_INLINE const unsigned char *els_escaped(unsigned char letter)
{
    size_t i;

    for (i = 0; i < sizeof els_escape_bytes; i++)
        if ((unsigned char)els_escape_letters[i] == letter) return &els_escape_bytes[i];
    return NULL;
}

/* Texts are joined if this is nonzero, see els_token_join. Small builds give a piece for each escape. */
#ifdef ELELEM_NO_FAST
#define ELS_JOINS 0
#else
#define ELS_JOINS 1
#endif

/* Returns the byte that is escaped by this letter; 0 for any other letter. */
ELS_INLINE unsigned char els_escape_value(unsigned char letter)
{
    const unsigned char *escaped;

    if (letter == 'n') return '\n';
    if (letter == '"' || letter == '\\' || letter == '/') return letter;
    escaped = els_escaped(letter);
    return escaped ? *escaped : 0;
}

/* Copies up to 16 bytes of plain ASCII, and returns how many. `to` has 16 bytes. */
ELS_INLINE size_t els_token_copy_plain(const unsigned char *at, const unsigned char *end, unsigned char *to)
{
    size_t left = (size_t)(end - at);

    return ELS_IS_FAST ? els_text_start(at, left, to) : els_text_start_bytes(at, left, to);
}

/* Copies ASCII of a string to `to`, escapes of one letter decoded, up to what is neither, or for `most` bytes of the input. Returns
   the end of the copy; the cursor is after what was copied. `to` has room for 16 bytes more. So a text with many escapes comes in
   pieces of some size, and not in two for each escape: on arguments that write source text that takes away a third of the
   instructions. */
ELS_NOINLINE unsigned char *els_token_join(els_cursor *in, unsigned char *to, size_t most)
{
    const unsigned char *at = in->at;
    const unsigned char *end = in->end;
    const unsigned char *stop = (size_t)(end - at) < most ? end : at + most;

    while (at < stop) {
        size_t size = els_token_copy_plain(at, end, to);
        at += size;
        to += size;
        if (size == 16) continue;
        if (end - at < 2 || *at != '\\') break;
        *to = els_escape_value(at[1]);
        if (*to == 0) break;
        at += 2;
        to++;
    }
    in->at = at;
    return to;
}

/* Returns the end of the escape whose backslash is here; null if it is none, or not whole in the bytes. If surrogates are
   checked, those are left to the parser too. */
ELS_PRIVATE const unsigned char *els_token_escape(const unsigned char *at, const unsigned char *end, int strict)
{
    int i;

    if (end - at < 2) return NULL;
    if (at[1] == '"' || at[1] == '\\' || at[1] == '/' || els_escaped(at[1])) return at + 2;
    if (at[1] != 'u' || end - at < 6) return NULL;
    for (i = 2; i < 6; i++)
        if (els_hex_digit(at[i]) < 0) return NULL;
    return strict && els_hex_digit(at[2]) == 0xd && els_hex_digit(at[3]) >= 8 ? NULL : at + 6;
}

/* Returns what follows the string that begins before `at`, after its closing quote; null if it is not right, or not whole. */
ELS_INLINE const unsigned char *els_token_string(const unsigned char *at, const unsigned char *end, int strict)
{
    for (;;) {
        const unsigned char *start;
        at = els_text_span(at, end);
        if (at == end) return NULL;
        if (ELS_LIKELY(*at == '"')) return at + 1;
        start = at;
        at = *at == '\\' ? els_token_escape(at, end, strict) : els_text_beyond_ascii(at, end);
        if (!at || at == start) return NULL;
    }
}

/* Numbers. */

/* number = [ "-" ] ( "0" / digit1-9 *DIGIT ) [ "." 1*DIGIT ] [ ("e" / "E") [ "+" / "-" ] 1*DIGIT ]
   (RFC 8259, 6). Returns the state after one byte; FAILED if the byte does not belong to the number. */
ELS_INLINE els_json_state els_number_step(els_json_state state, unsigned char byte)
{
    int is_digit = byte >= '0' && byte <= '9';
    int is_e = (byte | 0x20) == 'e';

    switch (state) {
    case ELS_JSON_NUMBER:
        if (byte == '-') return ELS_JSON_MINUS;
        return byte == '0' ? ELS_JSON_ZERO : ELS_JSON_INTEGER;
    case ELS_JSON_MINUS: return byte == '0' ? ELS_JSON_ZERO : is_digit ? ELS_JSON_INTEGER : ELS_JSON_FAILED;
    case ELS_JSON_ZERO: return byte == '.' ? ELS_JSON_POINT : is_e ? ELS_JSON_EXPONENT : ELS_JSON_FAILED;
    case ELS_JSON_INTEGER:
        return is_digit ? ELS_JSON_INTEGER : byte == '.' ? ELS_JSON_POINT : is_e ? ELS_JSON_EXPONENT : ELS_JSON_FAILED;
    case ELS_JSON_POINT: return is_digit ? ELS_JSON_FRACTION : ELS_JSON_FAILED;
    case ELS_JSON_FRACTION: return is_digit ? ELS_JSON_FRACTION : is_e ? ELS_JSON_EXPONENT : ELS_JSON_FAILED;
    case ELS_JSON_EXPONENT:
        return is_digit ? ELS_JSON_POWER : byte == '+' || byte == '-' ? ELS_JSON_SIGN : ELS_JSON_FAILED;
    default: return is_digit ? ELS_JSON_POWER : ELS_JSON_FAILED;
    }
}

/* Nonzero if a number may end in this state. */
ELS_INLINE int els_number_may_end(unsigned state)
{
    return state == ELS_JSON_ZERO || state == ELS_JSON_INTEGER || state == ELS_JSON_FRACTION || state == ELS_JSON_POWER;
}

/* Nonzero if digits do not change this state. */
ELS_INLINE int els_number_takes_digits(els_json_state state)
{
    return state == ELS_JSON_INTEGER || state == ELS_JSON_FRACTION || state == ELS_JSON_POWER;
}

/* Returns the end of the number that starts here, if it has no exponent, and if all of it and one more byte
   are in the chunk; else null. */
ELS_INLINE const unsigned char *els_number_parts(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *digits = at + (*at == '-');

    at = els_digit_span(digits, end);
    if (at == digits || at == end || (*digits == '0' && at - digits > 1)) return NULL;
    if (*at == '.') {
        digits = at + 1;
        at = els_digit_span(digits, end);
        if (at == digits || at == end) return NULL;
    }
    return (*at | 0x20) == 'e' ? NULL : at;
}

#if defined(ELS_SSE2)

/* The same for most numbers, by the places of the first two of 16 bytes that are no digits, of which the first may be the point;
   null also for others. */
ELS_INLINE const unsigned char *els_number_short(const unsigned char *at, const unsigned char *end)
{
    unsigned sign = *at == '-';
    unsigned others, first, second;

    if (end - at <= 16) return NULL;
    others = els_other_than_digits(at) & ~sign;
    first = els_first_bit(others);
    if (first == 16 || first == sign || (at[sign] == '0' && first > sign + 1)) return NULL;
    if (at[first] != '.') return (at[first] | 0x20) == 'e' ? NULL : at + first;
    second = els_first_bit(others & (others - 1));
    if (second == first + 1) return NULL;
    at += second;
    if (second == 16) at = els_digit_span(at, end);
    return at == end || (*at | 0x20) == 'e' ? NULL : at;
}

#else

ELS_INLINE const unsigned char *els_number_short(const unsigned char *at, const unsigned char *end)
{
    return els_number_parts(at, end);
}

#endif

ELS_INLINE const unsigned char *els_number_whole(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *whole = els_number_short(at, end);

    return whole ? whole : els_number_parts(at, end);
}

/* Nonzero if the byte may follow a number inside a container: whitespace, a comma, a bracket that closes. */
ELS_INLINE int els_number_ends_at(unsigned char byte)
{
    return byte <= 0x20 || byte == ',' || byte == ']' || byte == '}';
}

/* The same for all numbers, byte by byte. */
ELS_PRIVATE const unsigned char *els_number_any(const unsigned char *at, const unsigned char *end)
{
    els_json_state next, state = ELS_JSON_NUMBER;

    if (*at != '-' && (*at < '0' || *at > '9')) return NULL;
    for (; at < end; at++) {
        next = els_number_step(state, *at);
        if (next == ELS_JSON_FAILED) break;
        state = next;
    }
    return at < end && els_number_may_end((unsigned)state) ? at : NULL;
}

/* Returns the end of the number that begins here, if all of it and a byte that may follow it in a container are in the bytes;
   else null. */
ELS_INLINE const unsigned char *els_token_number(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *whole = els_number_whole(at, end);

    if (!whole) whole = els_number_any(at, end);
    return whole && els_number_ends_at(*whole) ? whole : NULL;
}

/* Literals. */

/* Returns the end of the literal that begins here; null if it is none, or not whole in the bytes. */
ELS_INLINE const unsigned char *els_token_literal(const unsigned char *at, const unsigned char *end)
{
    if (end - at < 5) return NULL;
    if (memcmp(at, "null", 4) == 0 || memcmp(at, "true", 4) == 0) return at + 4;
    return memcmp(at, "false", 5) == 0 ? at + 5 : NULL;
}

/* Values that are passed over.

   value  = string / number / literal / object / array
   object = "{" [ member *( "," member ) ] "}"      member = string ":" value
   array  = "[" [ value *( "," value ) ] "]"

   One loop over tokens, whose state is what it expects next. Whitespace may come before each token. */

ELS_INLINE const unsigned char *els_token_blanks(const unsigned char *at, const unsigned char *end)
{
    return at < end && *at <= 0x20 ? els_blank_span(at, end) : at;
}

/* Each of these reads what the state waits for. Zero if the loop stops: it is not right, or not whole; or the value is over. */

ELS_INLINE int els_skim_open(els_skim *s, const unsigned char *bracket)
{
    int is_object = *bracket == '{';

    if (s->depth == s->ceiling) return 0;
    s->objects = s->objects << 1 | (uint64_t)is_object;
    s->depth++;
    s->state = is_object ? ELS_JSON_FIRST_KEY : ELS_JSON_FIRST_ELEMENT;
    s->at = bracket + 1;
    return 1;
}

ELS_INLINE int els_skim_close(els_skim *s, const unsigned char *bracket)
{
    if (s->depth == s->floor) return 0;
    s->objects >>= 1;
    s->depth--;
    s->state = ELS_JSON_COMMA;
    s->at = bracket + 1;
    return s->depth > 0;
}

ELS_INLINE int els_skim_comma(els_skim *s, const unsigned char *end)
{
    const unsigned char *at = els_token_blanks(s->at, end);
    int is_object = (int)(s->objects & 1);

    if (at == end) return 0;
    if (*at == (is_object ? '}' : ']')) return els_skim_close(s, at);
    if (*at != ',') return 0;
    s->state = is_object ? ELS_JSON_KEY : ELS_JSON_VALUE;
    s->at = at + 1;
    return 1;
}

ELS_INLINE int els_skim_key(els_skim *s, const unsigned char *end)
{
    const unsigned char *at = els_token_blanks(s->at, end);

    if (at == end) return 0;
    if (*at == '}' && s->state == ELS_JSON_FIRST_KEY) return els_skim_close(s, at);
    if (*at != '"') return 0;
    at = els_token_string(at + 1, end, s->strict);
    if (!at) return 0;
    s->state = ELS_JSON_COLON;
    s->at = at;
    return 1;
}

ELS_INLINE int els_skim_colon(els_skim *s, const unsigned char *end)
{
    const unsigned char *at = els_token_blanks(s->at, end);

    if (at == end || *at != ':') return 0;
    s->state = ELS_JSON_VALUE;
    s->at = at + 1;
    return 1;
}

/* Returns the end of a string, number or literal. */
ELS_INLINE const unsigned char *els_skim_scalar(const els_skim *s, const unsigned char *at, const unsigned char *end)
{
    if (*at == '"') return els_token_string(at + 1, end, s->strict);
    return *at == '-' || (*at >= '0' && *at <= '9') ? els_token_number(at, end) : els_token_literal(at, end);
}

ELS_INLINE int els_skim_value(els_skim *s, const unsigned char *end)
{
    const unsigned char *at = els_token_blanks(s->at, end);

    if (at == end) return 0;
    if (*at == ']' && s->state == ELS_JSON_FIRST_ELEMENT) return els_skim_close(s, at);
    if (*at == '{' || *at == '[') return els_skim_open(s, at);
    at = els_skim_scalar(s, at, end);
    if (!at) return 0;
    s->state = ELS_JSON_COMMA;
    s->at = at;
    return s->depth > 0;
}

/* Passes over as many tokens as it can. The state is in registers while it does. */
ELS_NOINLINE void els_skim_run(els_skim *skim, const unsigned char *end)
{
    els_skim s = *skim;
    int goes_on = 1;

    while (goes_on) {
        if (s.state == ELS_JSON_COMMA) goes_on = els_skim_comma(&s, end);
        if (goes_on && (s.state == ELS_JSON_KEY || s.state == ELS_JSON_FIRST_KEY)) goes_on = els_skim_key(&s, end);
        if (goes_on && s.state == ELS_JSON_COLON) goes_on = els_skim_colon(&s, end);
        if (goes_on && s.state <= ELS_JSON_FIRST_ELEMENT) goes_on = els_skim_value(&s, end);
    }
    *skim = s;
}

#endif
