/* The values in a body, streamed or whole, and copies of it that are changed at one of them. */
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

#define CHANGES_LARGEST 32768 /* bytes of a body */

static const char *changes_body;
static size_t changes_body_size;
static changes_place changes_places[CHANGES_LARGEST];
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

static inline int changes_is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

static inline void changes_walk_blanks(changes_walk *w)
{
    while (changes_is_blank(changes_walk_byte(w)))
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
    while (w->at < w->size && !memchr(",]} \t\r\n", w->text[w->at], 7))
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
static inline size_t changes_find_in(size_t begin, size_t end)
{
    changes_walk w = ELELEM_INIT;
    size_t before;

    w.text = changes_body;
    w.size = end;
    w.at = begin;
    changes_walk_blanks(&w);
    if (changes_walk_byte(&w) != '{' && changes_walk_byte(&w) != '[') return begin;
    w.at++;
    w.depth = 1;
    do {
        before = w.at;
        changes_walk_next(&w);
    } while (w.depth > 0 && w.depth < sizeof w.open / sizeof *w.open && w.at < end && w.at > before);
    return w.at;
}

/* Leaves out values that have no end, or end after the body. */
static inline void changes_leave_out_broken(void)
{
    size_t i, count = 0;

    for (i = 0; i < changes_count; i++)
        if (changes_places[i].end > changes_places[i].value && changes_places[i].end <= changes_body_size) changes_places[count++] = changes_places[i];
    changes_count = count;
}

/* The end of the line that this is in: its line feed, or the end of the body. */
static inline size_t changes_line_end(size_t at)
{
    const char *line_feed = at < changes_body_size ? (const char *)memchr(changes_body + at, '\n', changes_body_size - at) : NULL;

    return line_feed ? (size_t)(line_feed - changes_body) : changes_body_size;
}

/* Finds the values of all documents of a body. Each document begins a line; one after `data:` ends with it. None are found in a body
   that is too large. */
static inline void changes_find(const char *body, size_t size)
{
    size_t at = 0, end;

    changes_body = body;
    changes_body_size = size;
    changes_count = 0;
    while (at < size && size <= CHANGES_LARGEST) {
        end = changes_line_end(at);
        if (end - at > 5 && memcmp(body + at, "data:", 5) == 0) changes_find_in(at + 5, end);
        else end = changes_line_end(changes_find_in(at, size));
        at = end + 1;
    }
    changes_leave_out_broken();
}

/* The copy. A change doubles the body at most, and adds a text of 10 KB. */

static char changes_text[2 * CHANGES_LARGEST + 10000];
static size_t changes_size;

static inline void changes_put(const char *text, size_t size)
{
    memcpy(changes_text + changes_size, text, size);
    changes_size += size;
}

static inline void changes_put_str(elelem_str text) { changes_put(text.data, text.size); }

/* Begins the copy with what is before this place of the body. */
static inline void changes_put_head(size_t end)
{
    changes_size = 0;
    changes_put(changes_body, end);
}

static inline void changes_put_between(size_t begin, size_t end) { changes_put(changes_body + begin, end - begin); }

static inline void changes_put_tail(size_t begin) { changes_put_between(begin, changes_body_size); }

/* Characters of all sizes, and escapes. What is before them moves them to other places. */
static inline size_t changes_write_long(char *to, size_t before, size_t least)
{
    static const char *const marks[] = { "\303\251", "ab", "\342\202\254", "\360\237\230\200", "\\n", "\\u00e9", "\\ud83d\\ude00", "c" };
    size_t size = before, i;

    memset(to, 'x', before);
    for (i = 0; size < least; i++) {
        const char *mark = marks[(before + i) % (sizeof marks / sizeof *marks)];
        memcpy(to + size, mark, strlen(mark));
        size += strlen(mark);
    }
    return size;
}

/* Changes. Each makes `changes_text`. A text that they take has 10,000 bytes at most. */

/* The text of a value. */
static inline elelem_str changes_value(const changes_place *p) { return elelem_str_from(changes_body + p->value, p->end - p->value); }

static inline void changes_replace(const changes_place *p, elelem_str other)
{
    changes_put_head(p->value);
    changes_put_str(other);
    changes_put_tail(p->end);
}

/* Another value before it; a member's has the same key. */
static inline void changes_add_before(const changes_place *p, elelem_str other)
{
    changes_put_head(p->value);
    changes_put_str(other);
    changes_put(",", 1);
    changes_put_tail(p->begin);
}

/* Another value after it; a member's has the same key. */
static inline void changes_add_after(const changes_place *p, elelem_str other)
{
    changes_put_head(p->end);
    changes_put(",", 1);
    changes_put_between(p->begin, p->value);
    changes_put_str(other);
    changes_put_tail(p->end);
}

/* Another member or element of the body after it. */
static inline void changes_copy_after(const changes_place *p, const changes_place *other)
{
    changes_put_head(p->end);
    changes_put(",", 1);
    changes_put_between(other->begin, other->end);
    changes_put_tail(p->end);
}

/* Leaves it out, with a comma if there is one. */
static inline void changes_remove(const changes_place *p)
{
    int is_followed = p->end < changes_body_size && changes_body[p->end] == ',';

    changes_put_head(!is_followed && changes_body[p->begin - 1] == ',' ? p->begin - 1 : p->begin);
    changes_put_tail(is_followed ? p->end + 1 : p->end);
}

/* It and the next one of its container, which begins after the comma. */
static inline void changes_swap(const changes_place *p, const changes_place *next)
{
    changes_put_head(p->begin);
    changes_put_between(next->begin, next->end);
    changes_put(",", 1);
    changes_put_between(p->begin, p->end);
    changes_put_tail(next->end);
}

/* Adds to the end of a string a text of at least so many bytes. */
static inline void changes_lengthen(const changes_place *p, size_t before, size_t least)
{
    changes_put_head(p->end - 1);
    changes_size += changes_write_long(changes_text + changes_size, before, least);
    changes_put_tail(p->end - 1);
}

/* The end of the frame that this is in: after a line feed, or after two for the frames of an event stream. */
static inline size_t changes_frame_end(size_t at, size_t line_feeds)
{
    size_t seen = 0;

    while (at < changes_body_size && seen < line_feeds)
        seen = changes_body[at++] == '\n' ? seen + 1 : 0;
    return at;
}

/* A frame once more, after another. */
static inline void changes_copy_frame(size_t begin, size_t end, size_t to)
{
    changes_put_head(to);
    changes_put_between(begin, end);
    changes_put_tail(to);
}

static inline void changes_remove_frame(size_t begin, size_t end)
{
    changes_put_head(begin);
    changes_put_tail(end);
}

/* It and the next one. */
static inline void changes_swap_frames(size_t begin, size_t end, size_t next_end)
{
    changes_put_head(begin);
    changes_put_between(end, next_end);
    changes_put_between(begin, end);
    changes_put_tail(next_end);
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
