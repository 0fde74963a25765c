/* The tag splitter against its grammar, read over the whole text each time: every state of a tag with every byte, whole, byte by byte,
   and cut, with runs of text, attributes and blanks made longer. Two names, one of which begins with the other. */
#include "elelem_stream.h"

#include "enumerate.h"

#include <stdio.h>
#include <stdlib.h>

#define LOG_SIZE 2048
#define TEXT_SIZE 192

typedef struct law {
    const char *name;
    unsigned trim;
    int ignore_case;
    uint32_t max_tag; /* 0: no tag is as long as that */
    size_t states;
} law;

/* The deep test has tags inside each other, and two attributes, which multiply the states. */
#ifdef ENUMERATE_ALL
#define MAX_DEPTH 2
#define MAX_ATTRIBUTES 2
#else
#define MAX_DEPTH 1
#define MAX_ATTRIBUTES 1
#endif

static const law *law_now;
static long cases;
static const elelem_str names[] = { { "a", 1 }, { "ab", 2 } };

typedef struct log_of {
    char text[LOG_SIZE];
    size_t size;
    char last;
} log_of;

static void put(log_of *log, const void *bytes, size_t size)
{
    if (size > sizeof log->text - log->size) size = sizeof log->text - log->size;
    if (size > 0) memcpy(log->text + log->size, bytes, size);
    log->size += size;
}

static void put_line(log_of *log, const char *kind, elelem_str name, elelem_str id, unsigned depth, unsigned how)
{
    char line[200];

    snprintf(line, sizeof line, "\n%s %.*s id %.*s depth %u how %u\n", kind, ELELEM_STR_ARG(name), ELELEM_STR_ARG(id), depth, how);
    put(log, line, strlen(line));
}

static void put_attribute(log_of *log, elelem_str name, elelem_str value, int has_value)
{
    char line[400];

    snprintf(line, sizeof line, "  %.*s%s%.*s\n", ELELEM_STR_ARG(name), has_value ? "=" : "", ELELEM_STR_ARG(value));
    put(log, line, strlen(line));
}

/* The grammar. Each function reads at `at`, and returns what follows; null if it does not fit. At the end of the text `is_cut` is
   set, if more bytes may make it fit. */

typedef struct tag {
    int is_end, self_closing;
    size_t name;
    unsigned attributes;
    elelem_str keys[MAX_ATTRIBUTES], values[MAX_ATTRIBUTES];
    int has_value[MAX_ATTRIBUTES];
} tag;

static int is_cut;

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static char fold(char c)
{
    return law_now->ignore_case && c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static const char *cut(void)
{
    is_cut = 1;
    return NULL;
}

static const char *read_name(const char *at, const char *end, tag *t)
{
    const char *start = at;
    size_t i, j;
    int begins = 0;

    while (at < end && !is_blank(*at) && *at != '/' && *at != '>')
        at++;
    for (i = 0; i < 2; i++) {
        size_t size = (size_t)(at - start);
        if (size > names[i].size) continue;
        for (j = 0; j < size && fold(start[j]) == names[i].data[j]; j++)
            continue;
        if (j < size) continue;
        begins = 1;
        if (size == names[i].size && at < end) {
            t->name = i;
            return at;
        }
    }
    return at == end && begins ? cut() : NULL;
}

static const char *read_value(const char *at, const char *end, elelem_str *value)
{
    const char *start = at;

    if (at == end) return cut();
    if (*at == '"' || *at == '\'') {
        const char *close = (const char *)memchr(at + 1, *at, (size_t)(end - at - 1));
        if (!close) return cut();
        *value = elelem_str_from(at + 1, (size_t)(close - at - 1));
        if (close + 1 == end) return cut();
        return is_blank(close[1]) || close[1] == '/' || close[1] == '>' ? close + 1 : NULL;
    }
    if (*at == '=') return NULL;
    for (; at < end && !is_blank(*at) && *at != '>'; at++)
        if (*at == '"' || *at == '\'' || *at == '<') return NULL;
    if (at == end) return cut();
    if (at > start + 1 && *at == '>' && at[-1] == '/') at--; /* of <name key=value/> */
    if (at == start) return NULL;
    *value = elelem_str_from(start, (size_t)(at - start));
    return at;
}

static const char *read_attribute(const char *at, const char *end, tag *t)
{
    const char *start = at, *after;

    if (t->attributes == MAX_ATTRIBUTES || *at == '=') return NULL;
    for (; at < end && !is_blank(*at) && *at != '=' && *at != '/' && *at != '>'; at++)
        if (*at == '"' || *at == '\'' || *at == '<') return NULL;
    t->keys[t->attributes] = elelem_str_from(start, (size_t)(at - start));
    t->values[t->attributes] = elelem_str_from("", 0);
    t->has_value[t->attributes] = 0;
    after = blanks(at, end);
    if (after < end && *after == '=') {
        t->has_value[t->attributes] = 1;
        at = read_value(blanks(after + 1, end), end, &t->values[t->attributes]);
    }
    t->attributes++;
    return at;
}

static const char *read_tag(const char *at, const char *end, tag *t)
{
    at++;
    t->is_end = at < end && *at == '/';
    t->self_closing = 0;
    t->attributes = 0;
    at += t->is_end;
    at = read_name(at, end, t);
    while (at) {
        const char *next = blanks(at, end);
        if (next == end) return cut();
        if (*next == '>') return next + 1;
        if (t->is_end) return NULL;
        if (*next == '/') {
            if (next + 1 == end) return cut();
            t->self_closing = 1;
            return next[1] == '>' ? next + 2 : NULL;
        }
        if (next == at && at[-1] != '"' && at[-1] != '\'') return NULL;
        at = read_attribute(next, end, t);
    }
    return NULL;
}

/* The text as the splitter should split it. Before the last bytes, what may still become a tag is held back, and with trimming the
   blanks before it. */

typedef struct splitting {
    log_of log;
    unsigned depth, beyond;
    size_t open[MAX_DEPTH];
    char ids[MAX_DEPTH][TEXT_SIZE];
    unsigned generated;
    int after; /* blanks that follow are left out */
} splitting;

static elelem_str id_of(const splitting *s, unsigned depth)
{
    return elelem_str_of(s->ids[depth]);
}

static void leave(splitting *s, unsigned how)
{
    put_line(&s->log, "END", names[s->open[s->depth - 1]], id_of(s, s->depth - 1), s->depth, how);
    s->depth--;
    s->after = law_now->trim & ELELEM_TAG_TRIM_OUTSIDE;
}

static void enter(splitting *s, const tag *t)
{
    elelem_str id = elelem_str_from("", 0);
    unsigned i;

    for (i = 0; i < t->attributes && id.size == 0; i++)
        if (t->keys[i].size == 2 && fold(t->keys[i].data[0]) == 'i' && fold(t->keys[i].data[1]) == 'd') id = t->values[i];
    if (id.size > 0) snprintf(s->ids[s->depth], TEXT_SIZE, "%.*s", ELELEM_STR_ARG(id));
    else snprintf(s->ids[s->depth], TEXT_SIZE, "%s-%u", names[t->name].data, ++s->generated);
    s->open[s->depth++] = t->name;
    put_line(&s->log, "BEGIN", names[t->name], id_of(s, s->depth - 1), s->depth, t->self_closing ? ELELEM_TAG_SELF_CLOSED : ELELEM_TAG_OPEN);
    for (i = 0; i < t->attributes; i++)
        put_attribute(&s->log, t->keys[i], t->values[i], t->has_value[i]);
    s->after = law_now->trim & ELELEM_TAG_TRIM_INSIDE;
    if (t->self_closing) leave(s, ELELEM_TAG_SELF_CLOSED);
}

/* How many tags an end tag closes; 0: it closes none. */
static unsigned closes(const splitting *s, size_t name)
{
    unsigned i;

    for (i = s->depth; i > 0; i--)
        if (s->open[i - 1] == name) return s->depth - i + 1;
    return 0;
}

/* Nonzero if it is text, because of its depth. */
static int is_beyond(splitting *s, const tag *t)
{
    if (t->is_end) {
        if (s->beyond == 0) return 0;
        s->beyond--;
        return 1;
    }
    if (s->depth < MAX_DEPTH) return 0;
    if (!t->self_closing) s->beyond++;
    return 1;
}

static void take(splitting *s, const tag *t)
{
    unsigned levels = t->is_end ? closes(s, t->name) : 0;

    if (!t->is_end) {
        enter(s, t);
    } else if (levels == 0) {
        put_line(&s->log, "END", names[t->name], elelem_str_from("", 0), s->depth, ELELEM_TAG_ORPHAN);
        s->after = law_now->trim & ELELEM_TAG_TRIM_OUTSIDE;
    } else {
        for (; levels > 1; levels--)
            leave(s, ELELEM_TAG_IMPLIED);
        leave(s, ELELEM_TAG_CLOSED);
    }
}

static const char *back(const char *from, const char *at)
{
    while (at > from && is_blank(at[-1]))
        at--;
    return at;
}

/* The start of a character that the end cuts off; the end if it cuts none. RFC 3629, 4: the ranges of the second byte. */
static const char *whole_characters(const char *from, const char *end)
{
    size_t left;

    for (left = 1; left <= 3 && left <= (size_t)(end - from); left++) {
        const unsigned char *at = (const unsigned char *)end - left;
        unsigned lead = *at, size = lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 1;
        unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80, high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (lead >= 0x80 && lead < 0xc0) continue;
        return size > left && (left == 1 || (at[1] >= low && at[1] <= high)) ? end - left : end;
    }
    return end;
}

static void give(splitting *s, const char *from, const char *to)
{
    if (s->after) from = blanks(from, to);
    if (from < to) s->after = 0;
    put(&s->log, from, (size_t)(to - from));
}

/* Splits the text. If it is not the last of it, stops before what is held back. */
static void split(splitting *s, const char *text, size_t size, int is_last)
{
    const char *from = text, *at = text, *end = text + size;
    int cuts_character;
    tag t;

    memset(s, 0, sizeof *s);
    while ((at = (const char *)memchr(at, '<', (size_t)(end - at))) != NULL) {
        const char *after;
        int trims;
        is_cut = 0;
        after = read_tag(at, end, &t);
        if (after && law_now->max_tag && (size_t)(after - at) > law_now->max_tag) after = NULL;
        if (!after && is_cut && !is_last && !(law_now->max_tag && (size_t)(end - at) >= law_now->max_tag)) break;
        if (!after || is_beyond(s, &t)) {
            at = after ? after : at + 1;
            continue;
        }
        trims = (law_now->trim & (t.is_end && closes(s, t.name) ? ELELEM_TAG_TRIM_INSIDE : ELELEM_TAG_TRIM_OUTSIDE)) != 0;
        give(s, from, trims ? back(from, at) : at);
        take(s, &t);
        from = at = after;
    }
    if (is_last) {
        give(s, from, end);
        while (s->depth > 0)
            leave(s, ELELEM_TAG_UNCLOSED);
        return;
    }
    if (!at) at = whole_characters(from, end);
    cuts_character = at < end && *at != '<';
    give(s, from, law_now->trim && !cuts_character ? back(from, at) : at);
}

/* The splitter. */

typedef struct reading {
    elelem_tag_splitter splitter;
    log_of log;
    char raw[TEXT_SIZE];
    size_t raw_size;
    elelem_status status;
} reading;

static void start(reading *r)
{
    elelem_tag_splitter_desc desc = ELELEM_INIT;

    desc.names = names;
    desc.name_count = 2;
    desc.max_depth = MAX_DEPTH;
    desc.max_attributes = MAX_ATTRIBUTES;
    desc.max_tag_bytes = law_now->max_tag;
    desc.trim = (uint8_t)law_now->trim;
    desc.ignore_case = law_now->ignore_case != 0;
    elelem_tag_splitter_init(&r->splitter, &desc);
    r->log.size = 0;
    r->raw_size = 0;
    r->status = ELELEM_MORE;
}

static void drain(reading *r)
{
    elelem_tag_piece piece;
    uint32_t i;

    while ((r->status = elelem_tag_splitter_next(&r->splitter, &piece)) == ELELEM_OK) {
        elelem_str input = piece.kind == ELELEM_TAG_TEXT ? piece.text : piece.raw;
        if (input.size > 0 && CHECK(input.size <= sizeof r->raw - r->raw_size)) memcpy(r->raw + r->raw_size, input.data, input.size);
        r->raw_size += input.size;
        if (piece.kind == ELELEM_TAG_TEXT) put(&r->log, piece.text.data, piece.text.size);
        else put_line(&r->log, piece.kind == ELELEM_TAG_BEGIN ? "BEGIN" : "END", piece.name, piece.id, piece.depth, piece.how);
        for (i = 0; i < piece.attribute_count; i++)
            put_attribute(&r->log, piece.attributes[i].name, piece.attributes[i].value, piece.attributes[i].has_value);
    }
}

static void push(reading *r, const unsigned char *bytes, size_t size)
{
    unsigned char *lent;

    if (size == 0) return;
    lent = (unsigned char *)malloc(size);
    if (!lent) abort();
    memcpy(lent, bytes, size);
    CHECK_INT(elelem_tag_splitter_push(&r->splitter, lent, size), ELELEM_OK);
    drain(r);
    free(lent);
}

static void compare(const reading *r, elelem_status status, const splitting *s, const char *how, const unsigned char *word, size_t size)
{
    cases++;
    if (r->status == status && r->log.size == s->log.size && memcmp(r->log.text, s->log.text, s->log.size) == 0) return;
    check_context(how);
    CHECK_INT(r->status, status);
    CHECK_BYTES(r->log.text, r->log.size, s->log.text, s->log.size);
    if (check_now.failures <= CHECK_MAX) check_show(law_now->name, (const char *)word, size, size);
    check_context(NULL);
}

/* The splitter's own fields. */
static size_t key_of(const elelem_tag_splitter *s, unsigned char *key)
{
    int in_tag = s->els_held_size > s->els_blanks, has_limit = law_now->max_tag != 0;
    uint32_t count = 0; /* of open tags of the first name */
    size_t size = 0, i;

    key[size++] = (unsigned char)(s->els_held_size > 0 ? s->els_state + 1 : 0);
    key[size++] = in_tag ? s->els_is_end : 0;
    key[size++] = (unsigned char)(in_tag ? s->els_name : 0);
    key[size++] = (unsigned char)(in_tag ? s->els_name_size : 0);
    key[size++] = (unsigned char)(in_tag ? s->els_attributes : 0);
    key[size++] = (unsigned char)(in_tag && has_limit ? s->els_tag_size : 0);
    key[size++] = (unsigned char)(s->els_held_size > 0 ? (has_limit || s->els_blanks == 0 ? s->els_blanks : 1) : 0);
    key[size++] = (unsigned char)s->els_depth;
    key[size++] = (unsigned char)(s->els_beyond < MAX_DEPTH ? s->els_beyond : MAX_DEPTH);
    key[size++] = s->els_after;
    key[size++] = s->els_long_run;
    key[size++] = s->els_carry_size;
    for (i = 0; i < s->els_carry_size; i++)
        key[size++] = s->els_carry[0];
    if (s->els_depth > 0) memcpy(&count, s->els_memory.data, sizeof count);
    if (s->els_depth > 0) key[size++] = (unsigned char)count;
    return size;
}

static size_t feed(const unsigned char *word, size_t size, size_t first, size_t step, const splitting *now, const splitting *done,
                   const char *how, unsigned char *key)
{
    static reading r;
    size_t at = 0, piece = first, key_size;

    start(&r);
    for (; at < size; at += piece, piece = step) {
        if (piece == 0 || piece > size - at) piece = size - at;
        push(&r, word + at, piece);
    }
    compare(&r, ELELEM_MORE, now, how, word, size);
    key_size = key_of(&r.splitter, key);
    elelem_tag_splitter_finish(&r.splitter);
    drain(&r);
    compare(&r, ELELEM_END, done, how, word, size);
    if (!law_now->trim && !CHECK_BYTES(r.raw, r.raw_size, word, size)) check_show(how, (const char *)word, size, size);
    elelem_tag_splitter_free(&r.splitter);
    return key_size;
}

/* One word whole and cut at two places; a short one byte by byte too. (What follows a byte is read byte by byte from the states
   that come after it.) */
static size_t check_word(const unsigned char *word, size_t size, size_t loop, size_t at, int is_short, unsigned char *key)
{
    static splitting now, done;
    unsigned char other[ENUMERATE_KEY];
    size_t cuts[3], i, key_size;

    split(&now, (const char *)word, size, 0);
    split(&done, (const char *)word, size, 1);
    cuts[0] = size;
    cuts[1] = loop;
    cuts[2] = at;
    key_size = feed(word, size, is_short ? 1 : size, is_short ? 1 : size, &now, &done, is_short ? "byte by byte" : "whole", key);
    for (i = is_short ? 0 : 1; i < (loop == at ? 2u : 3u); i++) {
        size_t other_size = feed(word, size, cuts[i], size, &now, &done, i ? "cut" : "whole", other);
        if (!CHECK(other_size == key_size && memcmp(other, key, key_size) == 0)) check_show("state", (const char *)word, size, size);
    }
    return key_size;
}

/* Compares what comes after reset with the same from the start. */
static void check_reset(const unsigned char *word, size_t size)
{
    static const char text[] = " y <a>\t</a> <ab/> \xc3\xa9";
    static splitting now;
    static reading r;

    start(&r);
    push(&r, word, size);
    elelem_tag_splitter_reset(&r.splitter);
    r.log.size = r.raw_size = 0;
    push(&r, (const unsigned char *)text, sizeof text - 1);
    split(&now, text, sizeof text - 1, 0);
    compare(&r, ELELEM_MORE, &now, "after reset", word, size);
    elelem_tag_splitter_free(&r.splitter);
}

static size_t visit(const unsigned char *word, size_t size, unsigned char byte, unsigned char *key)
{
    static const char *const rests[] = { "", ">", "yyyyyyyyyyyyyyyyyyyy</a>", " = \"x\" >\n", "'>\"> \t</ab><", "/>  <a>" };
    static const char fills[] = "y \n";
    unsigned char text[TEXT_SIZE], other[ENUMERATE_KEY];
    size_t pad, rest, fill;

    for (fill = 0; fill < 2; fill++)
        for (pad = fill * 17; pad < 18; pad += 17)
            for (rest = 0; rest < (pad ? 2 : sizeof rests / sizeof *rests); rest++) {
                size_t after = strlen(rests[rest]);
                memcpy(text, word, size);
                memset(text + size, fills[fill], pad);
                text[size + pad] = byte;
                memcpy(text + size + pad + 1, rests[rest], after);
                check_cut("byte", byte);
                check_word(text, size + pad + 1 + after, size, size + pad, 0, other);
            }
    memcpy(text, word, size);
    text[size] = byte;
    check_reset(text, size + 1);
    return check_word(text, size + 1, size, size, 1, key);
}

static const law laws[] = {
    { "no trimming", 0, 0, 0, ENUMERATE_COUNT(551, 1561) },
#ifdef ENUMERATE_ALL
    { "trimming on both sides, any case", 3, 1, 0, 2203 },
    { "trimming outside", 1, 0, 0, 2202 },
    { "trimming inside", 2, 0, 0, 2202 },
    { "tags of six bytes at most", 0, 0, 6, 1237 },
#endif
};

TEST(every_state_of_a_tag_with_every_byte)
{
    size_t i, found;

    for (i = 0; i < sizeof laws / sizeof *laws; i++) {
        law_now = &laws[i];
        cases = 0;
        found = enumerate_all(visit);
        printf("%s: %lu states, %ld comparisons\n", law_now->name, (unsigned long)found, cases);
        check_cut(NULL, 0);
        check_context(law_now->name);
        CHECK_INT(found, law_now->states);
    }
}

#ifndef ROOM
#define ROOM "enumerate_tags"
#endif

CHECK_MAIN(ROOM, RUN(every_state_of_a_tag_with_every_byte))
