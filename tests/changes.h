/* The values in a body, streamed or whole, and what a copy of the body that is changed at one of them is made of. */
#ifndef CHANGES_H
#define CHANGES_H

#include <string.h>

#include "elelem_stream.h"

/* The place of a value in a body. */
typedef struct changes_place {
    size_t begin; /* of the member or element that it is the value of; that of the value for an element */
    size_t value;
    size_t end;
} changes_place;

static changes_place changes_places[20000];
static size_t changes_count;

/* Finding values. What is not well-formed ends the search. */

typedef struct changes_walk {
    const char *text;
    size_t size;
    size_t at;
    changes_place *open[64]; /* whose containers are open; null for an outermost one */
    size_t depth;
} changes_walk;

static inline char changes_walk_byte(const changes_walk *w) { return w->at < w->size ? w->text[w->at] : '\0'; }

static inline void changes_walk_blanks(changes_walk *w)
{
    while (w->at < w->size && strchr(" \t\r\n", w->text[w->at]))
        w->at++;
}

static inline void changes_walk_string(changes_walk *w)
{
    for (w->at++; w->at < w->size && w->text[w->at] != '"'; w->at++)
        if (w->text[w->at] == '\\') w->at++;
    w->at++;
}

static inline void changes_walk_word(changes_walk *w)
{
    while (w->at < w->size && !strchr(",]} \t\r\n", w->text[w->at]))
        w->at++;
}

/* The key of a member and what is before its value. */
static inline void changes_walk_key(changes_walk *w)
{
    size_t begin = w->at;

    if (changes_walk_byte(w) != '"') return;
    changes_walk_string(w);
    changes_walk_blanks(w);
    if (changes_walk_byte(w) != ':') {
        w->at = begin; /* a string that is an element */
        return;
    }
    w->at++;
    changes_walk_blanks(w);
}

/* Reads the next member or element of the innermost container, or its end. */
static inline void changes_walk_next(changes_walk *w)
{
    changes_place *now;

    if (changes_walk_byte(w) == ',') w->at++;
    changes_walk_blanks(w);
    if (changes_walk_byte(w) == ']' || changes_walk_byte(w) == '}') {
        w->at++;
        w->depth--;
        if (w->open[w->depth]) w->open[w->depth]->end = w->at;
        changes_walk_blanks(w);
        return;
    }
    now = &changes_places[changes_count++];
    now->begin = w->at;
    now->end = 0;
    changes_walk_key(w);
    now->value = w->at;
    if (changes_walk_byte(w) == '{' || changes_walk_byte(w) == '[') {
        w->open[w->depth++] = now;
        w->at++;
    } else {
        if (changes_walk_byte(w) == '"') changes_walk_string(w);
        else changes_walk_word(w);
        now->end = w->at;
    }
    changes_walk_blanks(w);
}

/* Finds the values in the document between two places of the body. Returns its end. */
static inline size_t changes_find_in(const char *body, size_t begin, size_t end)
{
    changes_walk w = ELELEM_INIT;
    size_t before;

    w.text = body;
    w.size = end;
    w.at = begin;
    changes_walk_blanks(&w);
    if (changes_walk_byte(&w) != '{' && changes_walk_byte(&w) != '[') return begin;
    w.at++;
    w.depth = 1;
    do {
        before = w.at;
        changes_walk_next(&w);
    } while (w.depth > 0 && w.depth < 64 && w.at < end && w.at > before && changes_count < sizeof changes_places / sizeof *changes_places);
    return w.at;
}

/* Values that are not whole are left out. */
static inline void changes_leave_out_broken(size_t size)
{
    size_t i, count = 0;

    for (i = 0; i < changes_count; i++)
        if (changes_places[i].end > changes_places[i].value && changes_places[i].end <= size) changes_places[count++] = changes_places[i];
    changes_count = count;
}

/* Those of all documents of a body. Each begins a line; one after `data:` ends with it. */
static inline void changes_find(const char *body, size_t size)
{
    size_t at = 0;

    changes_count = 0;
    while (at < size) {
        const char *line_feed = (const char *)memchr(body + at, '\n', size - at);
        size_t end = line_feed ? (size_t)(line_feed - body) : size;
        if (end - at > 5 && memcmp(body + at, "data:", 5) == 0) changes_find_in(body, at + 5, end);
        else at = changes_find_in(body, at, size);
        line_feed = at < size ? (const char *)memchr(body + at, '\n', size - at) : NULL;
        at = line_feed ? (size_t)(line_feed - body) + 1 : size;
    }
    changes_leave_out_broken(size);
}

/* The copy. */

static char changes_text[1 << 17];
static size_t changes_size;

static inline void changes_put(const char *text, size_t size)
{
    memcpy(changes_text + changes_size, text, size);
    changes_size += size;
}

static inline void changes_put_between(const char *body, size_t begin, size_t end) { changes_put(body + begin, end - begin); }

/* Characters of all sizes, and escapes. What is before them moves them to other places. */
static inline void changes_put_long(size_t before, size_t least)
{
    static const char *const marks[] = { "\303\251", "ab", "\342\202\254", "\360\237\230\200", "\\n", "\\u00e9", "\\ud83d\\ude00", "c" };
    size_t begin = changes_size, i;

    for (i = 0; i < before; i++)
        changes_put("x", 1);
    for (i = 0; changes_size - begin < least; i++)
        changes_put(marks[(before + i) % (sizeof marks / sizeof *marks)], strlen(marks[(before + i) % (sizeof marks / sizeof *marks)]));
}

/* More than what is kept of a type, an id of an event, a sentence or a value that passes; and more than is passed on at a time. */
static const size_t changes_lengths[] = { 70, 1100, 4200, 9000 };

/* A ~ is a long text. */
static const char *const changes_others[] = {
    "null", "true", "7", "-1", "1e400", "18446744073709551616", "\"\"", "\"x\"", "\"0\"", "\"\\ud83d\"", "\"{\\\"a\\\":1}\"", "[]", "{}", "[[[[1]]]]",
    "[\"a\",{\"type\":\"text\",\"text\":\"b\"},7]", "{\"type\":\"text\",\"text\":\"b\",\"id\":\"q\"}", "\"~\"", "{\"type\":\"new\",\"id\":\"q\",\"v\":\"~\"}", "[{\"v\":\"~\"}]",
};
#define CHANGES_OTHERS (sizeof changes_others / sizeof *changes_others)

#endif
