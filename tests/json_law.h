/* The parser against tests/json_machine.h, in every state with every byte.
 *
 * A case is a word that leads to a state, a byte and what follows it. It is pushed whole, byte by byte, cut before the byte, and cut
 * before the run of text, digits or blanks that the byte ends, which is made longer, so that the byte is at
 * many places of a register. Each way must give the fragments, the error and the offset of the machine; byte by byte after every byte; and all
 * of them leave the parser in one state.
 */
#ifndef JSON_LAW_H
#define JSON_LAW_H

#include "enumerate.h"
#include "json_machine.h"

#include <stdlib.h>

#define LAW_PADS 18 /* more than a register of 16 bytes has */

/* The rules, and which states are continued from. */
typedef struct law {
    const char *name;
    machine_rules rules;
    const char *start; /* the word before the first byte */
    const char *fill;  /* one character, of which runs of text are made */
    int (*goes_on)(const machine *m);
    size_t states;     /* how many there are */
} law;

static const law *law_now;

/* What the parser gave. */
typedef struct law_result {
    char log[MACHINE_LOG];
    size_t size;
    elelem_status status;
    uint64_t offset;
    unsigned begun;
} law_result;

static const elelem_pattern_node law_rows[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING), ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_WHOLE) };
static const elelem_patterns law_patterns = { law_rows, 2, 0, 0, 0, NULL, NULL };

static long law_cases;

static void law_path(law_result *r, const elelem_path *path)
{
    const elelem_segment *top = path->count > 0 ? &path->segments[path->count - 1] : NULL;
    char step[32];

    machine_put(r->log, &r->size, sizeof r->log, " ", 1);
    if (top && top->key.data) {
        machine_put(r->log, &r->size, sizeof r->log, ".", 1);
        machine_put(r->log, &r->size, sizeof r->log, top->key.data, top->key.size);
    } else if (top) {
        snprintf(step, sizeof step, "#%lu", (unsigned long)top->index);
        machine_put(r->log, &r->size, sizeof r->log, step, strlen(step));
    }
    machine_put(r->log, &r->size, sizeof r->log, "\n", 1);
}

static void law_fragment(law_result *r, elelem_fragment_parser *parser, const elelem_fragment *fragment)
{
    if (fragment->kind == ELELEM_FRAGMENT_BEGIN) machine_put(r->log, &r->size, sizeof r->log, fragment->type == ELELEM_TYPE_OBJECT ? "{" : "[", 1);
    if (fragment->kind == ELELEM_FRAGMENT_SCALAR) machine_put(r->log, &r->size, sizeof r->log, "=", 1);
    if (fragment->kind == ELELEM_FRAGMENT_DONE) machine_put(r->log, &r->size, sizeof r->log, ";", 1);
    machine_put(r->log, &r->size, sizeof r->log, fragment->text.data, fragment->text.size);
    if (fragment->kind != ELELEM_FRAGMENT_STRING) law_path(r, fragment->path);
    if (fragment->kind == ELELEM_FRAGMENT_BEGIN && ++r->begun == law_now->rules.skip)
        CHECK_INT(elelem_fragment_parser_skip(parser), ELELEM_OK);
}

static void law_drain(law_result *r, elelem_fragment_parser *parser)
{
    elelem_fragment fragment;

    while ((r->status = elelem_fragment_parser_next(parser, &fragment)) == ELELEM_OK)
        law_fragment(r, parser, &fragment);
    r->offset = r->status < 0 ? elelem_fragment_parser_error(parser).offset : elelem_fragment_parser_offset(parser);
}

/* Pushes a block of exactly that size. */
static void law_push(law_result *r, elelem_fragment_parser *parser, const unsigned char *bytes, size_t size)
{
    unsigned char *lent = (unsigned char *)malloc(size ? size : 1);

    if (!lent) abort();
    if (size == 0 || r->status != ELELEM_MORE) {
        free(lent);
        return;
    }
    memcpy(lent, bytes, size);
    CHECK_INT(elelem_fragment_parser_push(parser, lent, size), ELELEM_OK);
    law_drain(r, parser);
    free(lent);
}

static void law_start(law_result *r, elelem_fragment_parser *parser)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.max_depth = law_now->rules.depth;
    desc.strict_surrogates = law_now->rules.strict != 0;
    desc.single_document = law_now->rules.single != 0;
    if (law_now->rules.only_a) desc.patterns = &law_patterns;
    r->size = 0;
    r->begun = 0;
    r->status = ELELEM_MORE;
    r->offset = 0;
    elelem_fragment_parser_init(parser, &desc);
}

static int law_same(const law_result *r, const machine *m)
{
    return r->status == m->status && r->offset == m->read && r->size == m->size && memcmp(r->log, m->log, m->size) == 0;
}

static void law_compare(const law_result *r, const machine *m, const unsigned char *word, size_t size, const char *how)
{
    law_cases++;
    if (law_same(r, m)) return;
    check_context(how);
    CHECK_INT(r->status, m->status);
    CHECK_U64(r->offset, m->read);
    CHECK_BYTES(r->log, r->size, m->log, m->size);
    if (check_now.failures <= CHECK_MAX) check_show(law_now->name, (const char *)word, size, size);
    check_context(NULL);
}

/* The parser's own fields, as far as they mean something in the state of the machine. */
static size_t law_key(const elelem_fragment_parser *p, const machine *m, unsigned char *key)
{
    int in_character = m->state == MACHINE_CHARACTER, in_unit = m->state == MACHINE_HEX;
    int in_low = in_unit || m->state == MACHINE_LOW_BACKSLASH || m->state == MACHINE_LOW_U;
    int in_token = m->in_key || (m->state >= MACHINE_MINUS && m->state <= MACHINE_POWER);
    size_t size = 0, i;

    key[size++] = p->els_state;
    key[size++] = p->els_in_key;
    key[size++] = p->els_in_object;
    key[size++] = p->els_skipping;
    key[size++] = (unsigned char)p->els_skip_depth;
    key[size++] = (unsigned char)(p->els_inside == UINT32_MAX ? 255 : p->els_inside);
    key[size++] = (unsigned char)(in_unit || m->state == MACHINE_LITERAL ? p->els_count : 0);
    key[size++] = (unsigned char)(m->state == MACHINE_LITERAL ? p->els_unit + 2 * p->els_after : 0);
    key[size++] = (unsigned char)(in_unit && p->els_count > 0 ? (p->els_unit >> 4 * (p->els_count - 1)) == 0xd : 0);
    key[size++] = (unsigned char)(in_unit && p->els_count > 1 ? (p->els_unit >> 4 * (p->els_count - 2)) & 0xfc : 0);
    key[size++] = in_low && p->els_high ? 1 : 0;
    key[size++] = (unsigned char)(in_character ? p->els_need : 0);
    key[size++] = (unsigned char)(in_character ? p->els_low : 0);
    key[size++] = (unsigned char)(in_character ? p->els_limit : 0);
    key[size++] = in_token && !p->els_skipping && p->els_token_size > 0 ? 1 : 0;
    key[size++] = law_now->rules.only_a && m->in_key && m->depth == 1 && m->key_sizes[0] == 1 && m->keys[0][0] == 'a' ? 1 : 0;
    for (i = 0; i < p->els_path.count; i++)
        key[size++] = p->els_path.segments[i].key.data ? '{' : '[';
    for (i = 0; i < p->els_skip_depth; i++)
        key[size++] = p->els_memory.data[p->els_stack_start + p->els_stack_size + i / 8] >> i % 8 & 1 ? '{' : '[';
    return size;
}

/* A unit and what comes before it decide what a byte does, and so does the machine's state. */
static size_t law_keys(const elelem_fragment_parser *p, const machine *m, unsigned char *key)
{
    size_t size = law_key(p, m, key), i;

    if (size == 0) return 0;
    key[size++] = (unsigned char)m->state;
    key[size++] = (unsigned char)(m->begun < law_now->rules.skip);
    key[size++] = (unsigned char)m->wanted;
    for (i = 0; i < m->depth; i++)
        key[size++] = (unsigned char)m->open[i];
    return size;
}

/* Feeds a word in pieces: first, then step at a time. The key of the state before the end is written to `key`. */
static size_t law_feed(const machine *m, const unsigned char *word, size_t size, size_t first, size_t step, const machine *done,
                       const char *how, unsigned char *key)
{
    static law_result r;
    elelem_fragment_parser parser;
    size_t at = 0, piece = first, key_size = 0;

    law_start(&r, &parser);
    for (; at < size; at += piece, piece = step) {
        if (piece == 0 || piece > size - at) piece = size - at;
        law_push(&r, &parser, word + at, piece);
    }
    law_compare(&r, m, word, size, how);
    if (r.status == ELELEM_MORE) {
        key_size = law_key(&parser, m, key);
        elelem_fragment_parser_finish(&parser);
        law_drain(&r, &parser);
        law_compare(&r, done, word, size, "after finish");
    }
    elelem_fragment_parser_free(&parser);
    return key_size;
}

/* The machine alone. */
static void law_run(const unsigned char *word, size_t size, machine *m, machine *done)
{
    size_t at;

    machine_start(m, &law_now->rules);
    for (at = 0; at < size; at++)
        machine_byte(m, word[at]);
    *done = *m;
    machine_finish(done);
}

/* Byte by byte, compared after every byte. */
static size_t law_step(const unsigned char *word, size_t size, machine *m, machine *done, unsigned char *key)
{
    static law_result r;
    elelem_fragment_parser parser;
    size_t at, key_size = 0;

    law_start(&r, &parser);
    machine_start(m, &law_now->rules);
    for (at = 0; at < size; at++) {
        law_push(&r, &parser, word + at, 1);
        machine_byte(m, word[at]);
        if (r.status != ELELEM_END || m->status != ELELEM_END) law_compare(&r, m, word, at + 1, "byte by byte");
    }
    if (m->status == ELELEM_MORE) key_size = law_key(&parser, m, key);
    *done = *m;
    machine_finish(done);
    elelem_fragment_parser_free(&parser);
    return key_size;
}

/* One word in all ways. `loop` is where the run begins that its byte ends, `at` the byte's place. Only a short one is read byte by
   byte: what follows a byte is read so from the states that come after it. */
static void law_word(const unsigned char *word, size_t size, size_t loop, size_t at, int is_short)
{
    static machine m, done;
    unsigned char key[ENUMERATE_KEY], other[ENUMERATE_KEY];
    size_t cuts[3], i, count = loop == at ? 2 : 3, key_size = 0;

    if (is_short) key_size = law_step(word, size, &m, &done, key);
    else law_run(word, size, &m, &done);

    cuts[0] = size;
    cuts[1] = loop;
    cuts[2] = at;
    for (i = 0; i < count; i++) {
        size_t other_size = law_feed(&m, word, size, cuts[i], size, &done, i == 0 ? "whole" : i == 1 ? "cut before the run" : "cut before the byte", other);
        if (!is_short && i == 0) memcpy(key, other, key_size = other_size);
        if (other_size != key_size || memcmp(other, key, key_size) != 0) CHECK_BYTES(other, other_size, key, key_size);
    }
}

/* What makes a run longer in a state: a byte that does not leave it. */
static const char *law_filler(const machine *m)
{
    if (m->state == MACHINE_TEXT) return law_now->fill;
    if (m->state == MACHINE_WHOLE || m->state == MACHINE_FRACTION || m->state == MACHINE_POWER) return "7";
    return m->state <= MACHINE_AFTER || m->state == MACHINE_TRAIL ? " " : "";
}

static void law_close_character(const machine *m, char *to)
{
    unsigned row = 0, place;

    while (!(m->rows >> row & 1))
        row++;
    for (place = m->place; place < 4 && machine_utf8[row][place][0]; place++)
        *to++ = (char)machine_utf8[row][place][0];
    strcpy(to, "\"");
}

/* Writes a run of so many characters. */
static size_t law_fill(unsigned char *to, const char *filler, size_t count)
{
    size_t size = strlen(filler), i;

    for (i = 0; i < count; i++)
        memcpy(to + i * size, filler, size);
    return count * size;
}

/* What ends a document from a state. */
static size_t law_closing(const machine *m, char *to)
{
    static const char *const rest[] = { "1", "]", "}", "\"k\":1", ":1", "", "", "", "1", "", "", "1", "", "1", "1", "", "\"", "", "n\"", "", "\"", "", "", "" };
    static const char *const zeros = "0000";
    unsigned depth = m->depth;
    size_t size;

    if (m->state >= MACHINE_END) return 0;
    strcpy(to, rest[m->state]);
    if (m->state == MACHINE_LITERAL) strcpy(to, m->rest);
    if (m->state == MACHINE_HEX) sprintf(to, "%s\"", zeros + m->digits);
    if (m->state == MACHINE_LOW_U) strcpy(to, "uDC01\"");
    if (m->state == MACHINE_LOW_BACKSLASH) strcpy(to, "\\uDC01\"");
    if (m->state == MACHINE_CHARACTER) law_close_character(m, to);
    if (m->in_key) strcat(to, ":2");
    if (m->state == MACHINE_FIRST_ELEMENT || m->state == MACHINE_FIRST_KEY) depth--;
    size = strlen(to);
    while (depth > 0)
        to[size++] = m->open[--depth] == '{' ? '}' : ']';
    return size;
}

/* What follows the byte: nothing; what ends the document; a run and then that; a run that a special byte ends. */
static size_t law_rest(const machine *m, int kind, unsigned char *to)
{
    static const char *const specials[] = { "\\n", "\xc3\xa9", "\001", "\\u00e9\"" };
    const char *filler = law_filler(m);
    size_t size = 0, special;

    if (kind == 0) return 0;
    if (kind >= 2) size = law_fill(to, filler, 20);
    if (kind >= 3) {
        special = strlen(specials[kind - 3]);
        memcpy(to + size, specials[kind - 3], special);
        size += special;
    }
    return size + law_closing(m, (char *)to + size);
}

/* Returns the offset of the run that the end of the word continues, and the character that makes it longer. */
static size_t law_loop(const unsigned char *word, size_t size, const char **filler)
{
    static machine m;
    size_t at, loop = 0;

    machine_start(&m, &law_now->rules);
    *filler = "";
    for (at = 0; at <= size; at++) {
        const char *next = law_filler(&m);
        if (*next && (at == 0 || next != *filler)) {
            loop = at;
            *filler = next;
        }
        if (at < size) machine_byte(&m, word[at]);
    }
    return loop;
}

/* What follows a byte that cannot be right: nothing, digits, what would end a number, or what would make a character of it. */
static size_t law_after_error(size_t kind, unsigned char *to)
{
    if (kind == 0) return 0;
    memset(to, '0', 20);
    if (kind == 2) memcpy(to, ",1,2,3,4,5,6,7,8,9,0", 20);
    if (kind > 2) memset(to, 0x80, kind - 2);
    return 20;
}

static void law_check(const unsigned char *word, size_t size, unsigned char byte)
{
    static machine m;
    unsigned char text[512];
    const char *filler;
    size_t pad, i, loop = law_loop(word, size, &filler), kinds = 7, kind;

    machine_start(&m, &law_now->rules);
    for (i = 0; i < size; i++)
        machine_byte(&m, word[i]);
    machine_byte(&m, byte);
    if (m.status != ELELEM_MORE) kinds = byte < 0x80 ? 3 : 6;
    for (pad = 0; pad < (*filler ? LAW_PADS : 1); pad = enumerate_next_pad(pad))
        for (kind = 0; kind < (pad && kinds == 7 ? 3 : kinds); kind++) {
            size_t filled = 0;
            if (pad && kind == 1) continue;
            memcpy(text, word, loop);
            filled = loop;
            filled += law_fill(text + filled, filler, pad);
            memcpy(text + filled, word + loop, size - loop);
            filled += size - loop;
            text[filled] = byte;
            if (m.status == ELELEM_MORE) i = law_rest(&m, (int)kind, text + filled + 1);
            else i = law_after_error(kind, text + filled + 1);
            check_cut("byte", byte);
            law_word(text, filled + 1 + i, loop, filled, pad == 0 && kind == 0);
        }
}

/* Compares what comes after reset with the same from the start. */
static void law_reset(const unsigned char *word, size_t size)
{
    static const char text[] = "{\"a\":[1,\"y\",{}],\"b\":[null]";
    static law_result r;
    static machine m;
    elelem_fragment_parser parser;
    size_t i;

    law_start(&r, &parser);
    law_push(&r, &parser, word, size);
    elelem_fragment_parser_reset(&parser);
    r.size = 0;
    r.begun = 0;
    r.status = ELELEM_MORE;
    law_push(&r, &parser, (const unsigned char *)text, sizeof text - 1);
    machine_start(&m, &law_now->rules);
    for (i = 0; i + 1 < sizeof text; i++)
        machine_byte(&m, (unsigned char)text[i]);
    law_compare(&r, &m, word, size, "after reset");
    elelem_fragment_parser_free(&parser);
}

static size_t law_visit(const unsigned char *word, size_t size, unsigned char byte, unsigned char *key)
{
    static machine m, done;
    static unsigned char whole[ENUMERATE_WORD * 2];
    unsigned char own[ENUMERATE_KEY];
    elelem_fragment_parser parser;
    law_result *r = NULL;
    size_t before = strlen(law_now->start), key_size = 0, i;
    static law_result result;

    memcpy(whole, law_now->start, before);
    memcpy(whole + before, word, size);
    whole[before + size] = byte;
    law_check(whole, before + size, byte);
    law_reset(whole, before + size + 1);
    law_step(whole, before + size + 1, &m, &done, own);
    if (m.status != ELELEM_MORE || !law_now->goes_on(&m)) return 0;
    r = &result;
    law_start(r, &parser);
    for (i = 0; i <= before + size; i++)
        law_push(r, &parser, whole + i, 1);
    key_size = law_keys(&parser, &m, key);
    elelem_fragment_parser_free(&parser);
    return key_size;
}

/* Enumerates one law and prints how many states it has. They are written down, so that a change is seen. */
static void law_all(const law *l)
{
    size_t found;

    law_now = l;
    law_cases = 0;
    found = enumerate_all(law_visit);
    printf("%s: %lu states, %ld comparisons\n", l->name, (unsigned long)found, law_cases);
    check_context(l->name);
    check_cut(NULL, 0);
    CHECK_INT(found, l->states);
    check_context(NULL);
}

#endif
