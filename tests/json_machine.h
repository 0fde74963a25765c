/* RFC 8259 and RFC 3629 as a machine that reads one byte at a time and writes what it knows after that byte: slow, plain, and
 * written without a look at the parser, which is compared with it. For short words.
 *
 * The log has a line for each fragment, with the last step of its path: a BEGIN "{ .key", a SCALAR "=12 #3", a DONE "; #3"; and the
 * text of strings as it is.
 */
#ifndef JSON_MACHINE_H
#define JSON_MACHINE_H

#include <stdio.h>
#include <string.h>

#define MACHINE_DEPTH 6
#define MACHINE_LOG 1024
#define MACHINE_TOKEN 160 /* bytes of the longest key or number */

typedef enum machine_state {
    MACHINE_VALUE,
    MACHINE_FIRST_ELEMENT,
    MACHINE_FIRST_KEY,
    MACHINE_KEY,
    MACHINE_COLON,
    MACHINE_AFTER, /* a value inside a container */
    MACHINE_TRAIL, /* blanks after the only value */
    MACHINE_LITERAL,
    MACHINE_MINUS,
    MACHINE_ZERO,
    MACHINE_WHOLE,
    MACHINE_POINT,
    MACHINE_FRACTION,
    MACHINE_E,
    MACHINE_SIGN,
    MACHINE_POWER,
    MACHINE_TEXT, /* of a string or a key */
    MACHINE_CHARACTER,
    MACHINE_ESCAPE,
    MACHINE_HEX,
    MACHINE_LOW_BACKSLASH,
    MACHINE_LOW_U,
    MACHINE_END,
    MACHINE_FAILED
} machine_state;

/* How it reads. */
typedef struct machine_rules {
    int strict;      /* a surrogate that is not one of a pair is an error */
    int single;      /* only blanks may follow the value */
    int only_a;      /* nothing is wanted but member "a" of an object at the root */
    unsigned skip;   /* the container that is skipped after its BEGIN, counted from 1; 0: none */
    unsigned depth;  /* how many containers may be open */
} machine_rules;

typedef struct machine {
    machine_rules rules;
    machine_state state;
    elelem_status status; /* MORE, END, or the error */
    size_t read;          /* bytes read; after an error those before it */
    unsigned depth;
    char open[MACHINE_DEPTH]; /* { or [ */
    size_t key_sizes[MACHINE_DEPTH];
    unsigned index[MACHINE_DEPTH];
    unsigned begun;     /* containers, counted while they are wanted */
    unsigned silent;    /* the depth of the container that is skipped + 1; 0: none */
    int wanted;
    int in_key;
    const char *rest;   /* of a literal */
    unsigned rows;      /* of RFC 3629's table, as bits: those that the bytes of the character fit */
    unsigned place;     /* the next byte of the character */
    unsigned char character[4];
    unsigned unit, digits, high;
    size_t scalar_size;
    size_t size; /* of the log */
    char scalar[MACHINE_TOKEN];
    char keys[MACHINE_DEPTH][MACHINE_TOKEN];
    char log[MACHINE_LOG];
} machine;

/* UTF8-octets (RFC 3629, 4), a row for each line but the first. */
static const unsigned char machine_utf8[][4][2] = {
    { { 0xc2, 0xdf }, { 0x80, 0xbf } },
    { { 0xe0, 0xe0 }, { 0xa0, 0xbf }, { 0x80, 0xbf } },
    { { 0xe1, 0xec }, { 0x80, 0xbf }, { 0x80, 0xbf } },
    { { 0xed, 0xed }, { 0x80, 0x9f }, { 0x80, 0xbf } },
    { { 0xee, 0xef }, { 0x80, 0xbf }, { 0x80, 0xbf } },
    { { 0xf0, 0xf0 }, { 0x90, 0xbf }, { 0x80, 0xbf }, { 0x80, 0xbf } },
    { { 0xf1, 0xf3 }, { 0x80, 0xbf }, { 0x80, 0xbf }, { 0x80, 0xbf } },
    { { 0xf4, 0xf4 }, { 0x80, 0x8f }, { 0x80, 0xbf }, { 0x80, 0xbf } }
};

#define MACHINE_ROWS (sizeof machine_utf8 / sizeof *machine_utf8)

static inline void machine_start(machine *m, const machine_rules *rules)
{
    memset(m, 0, offsetof(machine, scalar));
    m->rules = *rules;
    m->status = ELELEM_MORE;
    m->wanted = !rules->only_a;
}

/* The log. */

static inline void machine_put(char *log, size_t *size, size_t room, const void *bytes, size_t count)
{
    if (count > room - *size) count = room - *size;
    if (count > 0) memcpy(log + *size, bytes, count);
    *size += count;
}

static inline int machine_is_silent(const machine *m)
{
    return m->silent || !m->wanted;
}

static inline void machine_write(machine *m, const void *bytes, size_t size)
{
    if (!machine_is_silent(m)) machine_put(m->log, &m->size, sizeof m->log, bytes, size);
}

/* Writes the last step of the path and the end of a line. */
static inline void machine_path(machine *m)
{
    char step[32];

    machine_write(m, " ", 1);
    if (m->depth > 0 && m->open[m->depth - 1] == '{') {
        machine_write(m, ".", 1);
        machine_write(m, m->keys[m->depth - 1], m->key_sizes[m->depth - 1]);
    } else if (m->depth > 0) {
        snprintf(step, sizeof step, "#%u", m->index[m->depth - 1]);
        machine_write(m, step, strlen(step));
    }
    machine_write(m, "\n", 1);
}

/* Structure. */

static inline void machine_fail(machine *m, elelem_status status)
{
    m->state = MACHINE_FAILED;
    m->status = status;
}

static inline void machine_want(machine *m)
{
    if (!m->rules.only_a || m->depth > 1) return;
    m->wanted = m->depth == 1 && m->open[0] == '{' && m->key_sizes[0] == 1 && m->keys[0][0] == 'a';
}

static inline void machine_done(machine *m)
{
    if (m->silent == m->depth + 1) {
        m->silent = 0;
    } else {
        machine_write(m, ";", 1);
        machine_path(m);
    }
    if (m->rules.only_a && m->depth <= 1) m->wanted = 0;
    m->state = m->depth > 0 ? MACHINE_AFTER : m->rules.single ? MACHINE_TRAIL : MACHINE_END;
    if (m->state == MACHINE_END) m->status = ELELEM_END;
}

static inline void machine_scalar(machine *m)
{
    machine_write(m, "=", 1);
    machine_write(m, m->scalar, m->scalar_size);
    machine_path(m);
    machine_done(m);
}

static inline void machine_open(machine *m, char bracket)
{
    if (m->depth == m->rules.depth) {
        machine_fail(m, ELELEM_ERROR_DEPTH);
        return;
    }
    machine_write(m, &bracket, 1);
    machine_path(m);
    if (!machine_is_silent(m) && ++m->begun == m->rules.skip) m->silent = m->depth + 1;
    m->open[m->depth] = bracket;
    m->key_sizes[m->depth] = 0;
    m->index[m->depth] = 0;
    m->depth++;
    m->state = bracket == '{' ? MACHINE_FIRST_KEY : MACHINE_FIRST_ELEMENT;
}

static inline void machine_close(machine *m)
{
    m->depth--;
    machine_done(m);
}

static inline void machine_string(machine *m, int in_key)
{
    m->state = MACHINE_TEXT;
    m->in_key = in_key;
    if (in_key) m->key_sizes[m->depth - 1] = 0;
}

static inline void machine_literal(machine *m, const char *literal)
{
    m->rest = literal + 1;
    m->state = MACHINE_LITERAL;
    m->scalar_size = strlen(literal);
    memcpy(m->scalar, literal, m->scalar_size);
}

static inline void machine_value(machine *m, unsigned char byte)
{
    machine_want(m);
    switch (byte) {
    case '{':
    case '[': machine_open(m, (char)byte); return;
    case '"': machine_string(m, 0); return;
    case 'n': machine_literal(m, "null"); return;
    case 't': machine_literal(m, "true"); return;
    case 'f': machine_literal(m, "false"); return;
    case '-': m->state = MACHINE_MINUS; break;
    case '0': m->state = MACHINE_ZERO; break;
    default:
        if (byte < '1' || byte > '9') {
            machine_fail(m, ELELEM_ERROR_SYNTAX);
            return;
        }
        m->state = MACHINE_WHOLE;
    }
    m->scalar[0] = (char)byte;
    m->scalar_size = 1;
}

static inline void machine_after(machine *m, unsigned char byte)
{
    char open = m->open[m->depth - 1];

    if (byte == (open == '{' ? '}' : ']')) {
        machine_close(m);
    } else if (byte == ',') {
        m->state = open == '{' ? MACHINE_KEY : MACHINE_VALUE;
        if (open == '[') m->index[m->depth - 1]++;
    } else {
        machine_fail(m, ELELEM_ERROR_SYNTAX);
    }
}

/* Reads a byte where blanks may be. */
static inline void machine_token(machine *m, unsigned char byte)
{
    if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') return;
    if (m->state == MACHINE_FIRST_ELEMENT && byte == ']') machine_close(m);
    else if (m->state == MACHINE_FIRST_KEY && byte == '}') machine_close(m);
    else if (m->state == MACHINE_VALUE || m->state == MACHINE_FIRST_ELEMENT) machine_value(m, byte);
    else if (m->state == MACHINE_AFTER) machine_after(m, byte);
    else if (m->state == MACHINE_COLON && byte == ':') m->state = MACHINE_VALUE;
    else if ((m->state == MACHINE_KEY || m->state == MACHINE_FIRST_KEY) && byte == '"') machine_string(m, 1);
    else machine_fail(m, ELELEM_ERROR_SYNTAX);
}

/* Numbers: the state after a byte; FAILED if there is none. */
static inline machine_state machine_number_next(machine_state state, unsigned char byte)
{
    static const struct {
        machine_state from;
        const char *bytes;
        machine_state to;
    } rows[] = {
        { MACHINE_MINUS, "0", MACHINE_ZERO },           { MACHINE_MINUS, "123456789", MACHINE_WHOLE },
        { MACHINE_ZERO, ".", MACHINE_POINT },           { MACHINE_ZERO, "eE", MACHINE_E },
        { MACHINE_WHOLE, "0123456789", MACHINE_WHOLE }, { MACHINE_WHOLE, ".", MACHINE_POINT },
        { MACHINE_WHOLE, "eE", MACHINE_E },             { MACHINE_POINT, "0123456789", MACHINE_FRACTION },
        { MACHINE_FRACTION, "0123456789", MACHINE_FRACTION }, { MACHINE_FRACTION, "eE", MACHINE_E },
        { MACHINE_E, "+-", MACHINE_SIGN },              { MACHINE_E, "0123456789", MACHINE_POWER },
        { MACHINE_SIGN, "0123456789", MACHINE_POWER },  { MACHINE_POWER, "0123456789", MACHINE_POWER }
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].from == state && byte && strchr(rows[i].bytes, byte)) return rows[i].to;
    return MACHINE_FAILED;
}

static inline int machine_may_end(machine_state state)
{
    return state == MACHINE_ZERO || state == MACHINE_WHOLE || state == MACHINE_FRACTION || state == MACHINE_POWER;
}

static inline void machine_byte(machine *m, unsigned char byte);

static inline void machine_number(machine *m, unsigned char byte)
{
    machine_state next = machine_number_next(m->state, byte);
    int ends = byte <= ' ' || byte == ',' || byte == ']' || byte == '}';

    if (m->depth == 0 && (byte == '[' || byte == '{' || byte == '"')) ends = 1;
    if (next != MACHINE_FAILED) {
        m->state = next;
        if (m->scalar_size < MACHINE_TOKEN) m->scalar[m->scalar_size++] = (char)byte;
    } else if (!machine_may_end(m->state) || !ends) {
        machine_fail(m, ELELEM_ERROR_SYNTAX);
    } else {
        machine_scalar(m);
        m->read--; /* the byte is read again, by what comes next */
        if (m->status == ELELEM_MORE) machine_byte(m, byte);
    }
}

static inline void machine_letter(machine *m, unsigned char byte)
{
    if (byte != (unsigned char)*m->rest) machine_fail(m, ELELEM_ERROR_SYNTAX);
    else if (*++m->rest == '\0') machine_scalar(m);
}

/* Strings. */

static inline void machine_give(machine *m, const void *bytes, size_t size)
{
    m->state = MACHINE_TEXT;
    if (m->in_key) machine_put(m->keys[m->depth - 1], &m->key_sizes[m->depth - 1], MACHINE_TOKEN, bytes, size);
    else machine_write(m, bytes, size);
}

static inline void machine_give_code(machine *m, unsigned code)
{
    unsigned char bytes[4];

    if (code < 0x80) {
        bytes[0] = (unsigned char)code;
        machine_give(m, bytes, 1);
    } else if (code < 0x800) {
        bytes[0] = (unsigned char)(0xc0 + code / 64);
        bytes[1] = (unsigned char)(0x80 + code % 64);
        machine_give(m, bytes, 2);
    } else if (code < 0x10000) {
        bytes[0] = (unsigned char)(0xe0 + code / 4096);
        bytes[1] = (unsigned char)(0x80 + code / 64 % 64);
        bytes[2] = (unsigned char)(0x80 + code % 64);
        machine_give(m, bytes, 3);
    } else {
        bytes[0] = (unsigned char)(0xf0 + code / 262144);
        bytes[1] = (unsigned char)(0x80 + code / 4096 % 64);
        bytes[2] = (unsigned char)(0x80 + code / 64 % 64);
        bytes[3] = (unsigned char)(0x80 + code % 64);
        machine_give(m, bytes, 4);
    }
}

static inline void machine_character(machine *m, unsigned char byte)
{
    unsigned row, fit = 0;

    for (row = 0; row < MACHINE_ROWS; row++)
        if (m->rows >> row & 1 && byte >= machine_utf8[row][m->place][0] && byte <= machine_utf8[row][m->place][1]) fit |= 1u << row;
    if (fit == 0) {
        machine_fail(m, ELELEM_ERROR_UTF8);
        return;
    }
    m->rows = fit;
    m->character[m->place++] = byte;
    m->state = MACHINE_CHARACTER;
    for (row = 0; !(fit >> row & 1); row++)
        continue;
    if (m->place == 4 || machine_utf8[row][m->place][0] == 0) machine_give(m, m->character, m->place);
}

static inline void machine_text(machine *m, unsigned char byte)
{
    if (byte >= 0x80) {
        m->rows = (1u << MACHINE_ROWS) - 1;
        m->place = 0;
        machine_character(m, byte);
    } else if (byte < 0x20) {
        machine_fail(m, ELELEM_ERROR_SYNTAX);
    } else if (byte == '\\') {
        m->state = MACHINE_ESCAPE;
    } else if (byte != '"') {
        machine_give(m, &byte, 1);
    } else if (m->in_key) {
        m->state = MACHINE_COLON;
        m->in_key = 0;
    } else {
        machine_done(m);
    }
}

static inline void machine_escape(machine *m, unsigned char byte)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *letter = byte ? strchr(letters, byte) : NULL;

    if (letter) {
        machine_give(m, &bytes[letter - letters], 1);
    } else if (byte == 'u') {
        m->state = MACHINE_HEX;
        m->unit = m->digits = 0;
    } else {
        machine_fail(m, ELELEM_ERROR_SYNTAX);
    }
}

/* A high surrogate has no low one. */
static inline void machine_lone(machine *m)
{
    m->high = 0;
    machine_give_code(m, 0xfffd);
}

static inline void machine_unit(machine *m)
{
    int is_high = m->unit / 0x400 == 0x36, is_low = m->unit / 0x400 == 0x37;

    if (m->high && is_low) {
        unsigned high = m->high;
        m->high = 0;
        machine_give_code(m, 0x10000 + (high - 0xd800) * 0x400 + (m->unit - 0xdc00));
        return;
    }
    if (m->high) machine_lone(m);
    if (is_high) {
        m->high = m->unit;
        m->state = MACHINE_LOW_BACKSLASH;
    } else {
        machine_give_code(m, is_low ? 0xfffd : m->unit);
    }
}

/* In strict mode: nonzero if no unit that may be here begins with these digits. */
static inline int machine_is_lone(const machine *m)
{
    unsigned least = m->unit << (16 - 4 * m->digits), most = least + (1u << (16 - 4 * m->digits)) - 1;

    if (!m->rules.strict) return 0;
    return m->high ? most < 0xdc00 || least > 0xdfff : least >= 0xdc00 && most <= 0xdfff;
}

static inline void machine_hex(machine *m, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char lower = byte >= 'A' && byte <= 'F' ? (unsigned char)(byte + 32) : byte;
    const char *digit = byte ? strchr(hex, lower) : NULL;

    if (!digit) {
        machine_fail(m, ELELEM_ERROR_SYNTAX);
        return;
    }
    m->unit = m->unit * 16 + (unsigned)(digit - hex);
    m->digits++;
    if (machine_is_lone(m)) machine_fail(m, ELELEM_ERROR_SURROGATE);
    else if (m->digits == 4) machine_unit(m);
}

/* Reads the byte after a high surrogate that should be its backslash, or the letter after that. */
static inline void machine_low(machine *m, unsigned char byte, machine_state otherwise)
{
    if (byte == (m->state == MACHINE_LOW_U ? 'u' : '\\')) {
        m->unit = m->digits = 0;
        m->state = m->state == MACHINE_LOW_U ? MACHINE_HEX : MACHINE_LOW_U;
    } else if (m->rules.strict) {
        machine_fail(m, ELELEM_ERROR_SURROGATE);
    } else {
        machine_lone(m);
        m->state = otherwise;
        m->read--;
        machine_byte(m, byte);
    }
}

static inline void machine_byte(machine *m, unsigned char byte)
{
    size_t before = m->read;

    if (m->status != ELELEM_MORE) return;
    m->read++;
    switch (m->state) {
    case MACHINE_LITERAL: machine_letter(m, byte); break;
    case MACHINE_MINUS:
    case MACHINE_ZERO:
    case MACHINE_WHOLE:
    case MACHINE_POINT:
    case MACHINE_FRACTION:
    case MACHINE_E:
    case MACHINE_SIGN:
    case MACHINE_POWER: machine_number(m, byte); break;
    case MACHINE_TEXT: machine_text(m, byte); break;
    case MACHINE_CHARACTER: machine_character(m, byte); break;
    case MACHINE_ESCAPE: machine_escape(m, byte); break;
    case MACHINE_HEX: machine_hex(m, byte); break;
    case MACHINE_LOW_BACKSLASH: machine_low(m, byte, MACHINE_TEXT); break;
    case MACHINE_LOW_U: machine_low(m, byte, MACHINE_ESCAPE); break;
    default: machine_token(m, byte); break;
    }
    if (m->status < 0) m->read = before;
}

static inline void machine_finish(machine *m)
{
    if (m->status != ELELEM_MORE) return;
    if (m->depth == 0 && machine_may_end(m->state)) machine_scalar(m);
    if (m->state == MACHINE_TRAIL) m->status = ELELEM_END;
    else if (m->status == ELELEM_MORE) machine_fail(m, ELELEM_ERROR_TRUNCATED);
}

#endif
