/* Bodies that are changed at one place, as no provider sends them: what comes of them keeps the rules of events, ends once, and
   is the same however they are cut. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "bodies.h"

#ifndef ROOM
#define ROOM "changed_bodies"
#define STRIDE 1999 /* one of so many changes is tried */
#endif

/* Where a value is in a body. */
typedef struct place {
    size_t begin; /* of the member or element that it is the value of; that of the value for an element */
    size_t value;
    size_t end;
} place;

static place places[20000];
static size_t place_count;

/* Finding values. What is not well-formed ends the search. */

typedef struct walk {
    const char *text;
    size_t size;
    size_t at;
    place *open[64]; /* whose containers are open; null for an outermost one */
    size_t depth;
} walk;

static char walk_byte(const walk *w) { return w->at < w->size ? w->text[w->at] : '\0'; }

static void walk_blanks(walk *w)
{
    while (w->at < w->size && strchr(" \t\r\n", w->text[w->at]))
        w->at++;
}

static void walk_string(walk *w)
{
    for (w->at++; w->at < w->size && w->text[w->at] != '"'; w->at++)
        if (w->text[w->at] == '\\') w->at++;
    w->at++;
}

static void walk_word(walk *w)
{
    while (w->at < w->size && !strchr(",]} \t\r\n", w->text[w->at]))
        w->at++;
}

/* The key of a member and what is before its value. */
static void walk_key(walk *w)
{
    size_t begin = w->at;

    if (walk_byte(w) != '"') return;
    walk_string(w);
    walk_blanks(w);
    if (walk_byte(w) != ':') {
        w->at = begin; /* a string that is an element */
        return;
    }
    w->at++;
    walk_blanks(w);
}

/* Reads the next member or element of the innermost container, or its end. */
static void walk_next(walk *w)
{
    place *now;

    if (walk_byte(w) == ',') w->at++;
    walk_blanks(w);
    if (walk_byte(w) == ']' || walk_byte(w) == '}') {
        w->at++;
        w->depth--;
        if (w->open[w->depth]) w->open[w->depth]->end = w->at;
        walk_blanks(w);
        return;
    }
    now = &places[place_count++];
    now->begin = w->at;
    walk_key(w);
    now->value = w->at;
    if (walk_byte(w) == '{' || walk_byte(w) == '[') {
        w->open[w->depth++] = now;
        w->at++;
    } else {
        if (walk_byte(w) == '"') walk_string(w);
        else walk_word(w);
        now->end = w->at;
    }
    walk_blanks(w);
}

/* Finds the values in the document between two places of the body. */
static void find_values_in(const char *body, size_t begin, size_t end)
{
    walk w = ELELEM_INIT;
    size_t before;

    w.text = body;
    w.size = end;
    w.at = begin;
    walk_blanks(&w);
    if (walk_byte(&w) != '{' && walk_byte(&w) != '[') return;
    w.at++;
    w.depth = 1;
    do {
        before = w.at;
        walk_next(&w);
    } while (w.depth > 0 && w.depth < 64 && w.at < end && w.at > before && place_count < sizeof places / sizeof *places);
}

/* Values that are not whole are left out. */
static void leave_out_broken_values(size_t size)
{
    size_t i, count = 0;

    for (i = 0; i < place_count; i++)
        if (places[i].end > places[i].value && places[i].end <= size) places[count++] = places[i];
    place_count = count;
}

static void find_values(const char *body, size_t size)
{
    size_t at = 0;

    memset(places, 0, sizeof places);
    place_count = 0;
    if (body[0] == '{' || body[0] == '[') find_values_in(body, 0, size);
    else
        while (at < size) {
            const char *line_feed = (const char *)memchr(body + at, '\n', size - at);
            size_t end = line_feed ? (size_t)(line_feed - body) : size;
            if (end - at > 5 && memcmp(body + at, "data:", 5) == 0) find_values_in(body, at + 5, end);
            at = end + 1;
        }
    leave_out_broken_values(size);
}

/* Changing. */

static char changed[1 << 17];
static size_t changed_size;
static size_t changes; /* so far */

static void put(const char *text, size_t size)
{
    memcpy(changed + changed_size, text, size);
    changed_size += size;
}

static void put_between(const char *body, size_t begin, size_t end) { put(body + begin, end - begin); }

static int is_tried(void)
{
    changed_size = 0;
    return changes++ % STRIDE == 0;
}

static void try_changed(void)
{
    feed_check_pieces(&streams_fed, changed, changed_size, __FILE__, __LINE__);
    CHECK_INT(streams_now.ends, 1);
    CHECK(!strstr(feed_now.text, "\nBROKEN:"));
}

/* Characters of all sizes, and escapes. What is before them moves them to other places. */
static void put_long(size_t before, size_t least)
{
    static const char *const marks[] = { "\303\251", "ab", "\342\202\254", "\360\237\230\200", "\\n", "\\u00e9", "\\ud83d\\ude00", "c" };
    size_t begin = changed_size, i;

    for (i = 0; i < before; i++)
        put("x", 1);
    for (i = 0; changed_size - begin < least; i++)
        put(marks[(before + i) % (sizeof marks / sizeof *marks)], strlen(marks[(before + i) % (sizeof marks / sizeof *marks)]));
}

/* More than what is kept of a type, an id of an event, a sentence or a value that passes; and more than is passed on at a time. */
static const size_t lengths[] = { 70, 1100, 4200, 9000 };

static void lengthen_strings(const char *body, size_t size)
{
    size_t i, k;

    find_values(body, size);
    for (i = 0; i < place_count; i++) {
        const place *p = &places[i];
        if (body[p->value] != '"') continue;
        for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            if (!is_tried()) continue;
            put_between(body, 0, p->end - 1);
            put_long(changes % 5, lengths[k]);
            put_between(body, p->end - 1, size);
            try_changed();
        }
    }
}

/* A ~ is a long text. */
static const char *const others[] = {
    "null", "true", "7", "-1", "1e400", "18446744073709551616", "\"\"", "\"x\"", "\"0\"", "\"\\ud83d\"", "\"{\\\"a\\\":1}\"", "[]", "{}", "[[[[1]]]]",
    "[\"a\",{\"type\":\"text\",\"text\":\"b\"},7]", "{\"type\":\"text\",\"text\":\"b\",\"id\":\"q\"}", "\"~\"", "{\"type\":\"new\",\"id\":\"q\",\"v\":\"~\"}", "[{\"v\":\"~\"}]",
};
#define OTHERS (sizeof others / sizeof *others)

static void put_other(const char *other)
{
    for (; *other; other++) {
        if (*other == '~') put_long(1, 5000);
        else put(other, 1);
    }
}

static void replace_values(const char *body, size_t size)
{
    size_t i, k;

    find_values(body, size);
    for (i = 0; i < place_count; i++)
        for (k = 0; k < OTHERS; k++) {
            if (!is_tried()) continue;
            put_between(body, 0, places[i].value);
            put_other(others[k]);
            put_between(body, places[i].end, size);
            try_changed();
        }
}

/* Another value before it or after it: a member has the same key. */
static void add_values(const char *body, size_t size)
{
    size_t i, k;

    find_values(body, size);
    for (i = 0; i < place_count; i++)
        for (k = 0; k < 2 * OTHERS; k++) {
            const place *p = &places[i];
            if (!is_tried()) continue;
            put_between(body, 0, k < OTHERS ? p->value : p->end);
            if (k >= OTHERS) {
                put(",", 1);
                put_between(body, p->begin, p->value);
            }
            put_other(others[k % OTHERS]);
            if (k < OTHERS) {
                put(",", 1);
                put_between(body, p->begin, p->end);
            }
            put_between(body, p->end, size);
            try_changed();
        }
}

static void repeat_values(const char *body, size_t size)
{
    size_t i;

    find_values(body, size);
    for (i = 0; i < place_count; i++) {
        if (!is_tried()) continue;
        put_between(body, 0, places[i].end);
        put(",", 1);
        put_between(body, places[i].begin, size);
        try_changed();
    }
}

/* Leaves the value out, with a comma if there is one. */
static void remove_values(const char *body, size_t size)
{
    size_t i;

    find_values(body, size);
    for (i = 0; i < place_count; i++) {
        const place *p = &places[i];
        int is_followed = p->end < size && body[p->end] == ',';
        if (!is_tried()) continue;
        put_between(body, 0, !is_followed && body[p->begin - 1] == ',' ? p->begin - 1 : p->begin);
        put_between(body, is_followed ? p->end + 1 : p->end, size);
        try_changed();
    }
}

/* The value and the next one in its container. */
static void swap_values(const char *body, size_t size)
{
    size_t i, next;

    find_values(body, size);
    for (i = 0; i < place_count; i++) {
        const place *p = &places[i];
        for (next = i + 1; next < place_count && places[next].begin < p->end; next++)
            continue;
        if (next == place_count || body[p->end] != ',' || places[next].begin != p->end + 1 || !is_tried()) continue;
        put_between(body, 0, p->begin);
        put_between(body, places[next].begin, places[next].end);
        put(",", 1);
        put_between(body, p->begin, p->end);
        put_between(body, places[next].end, size);
        try_changed();
    }
}

/* With small limits and without items too. */
static void each_body(void (*change)(const char *body, size_t size))
{
    static const char *const names[] = { "chat", "responses", "messages", "gemini", "interactions" };
    size_t i, k;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        for (k = 0; k < 3; k++) {
            streams_shape(elelem_shape_find(names[i]));
            streams_now.offsets = 1;
            streams_now.desc.max_frame_bytes = k == 1 ? 2000 : 0;
            streams_now.desc.max_kept_bytes = k == 1 ? 1000 : 0;
            streams_now.desc.max_open_items = k == 1 ? 2 : 0;
            streams_now.desc.without_provider_items = k == 2;
            changes = i * 3 + k;
            CHECK(bodies_each(names[i], change) > 0);
        }
}

TEST(a_string_that_is_long_is_the_same_however_it_is_cut) { each_body(lengthen_strings); }

TEST(a_value_that_is_another_is_the_same_however_it_is_cut) { each_body(replace_values); }

TEST(a_value_beside_another_under_its_key_is_the_same_however_it_is_cut) { each_body(add_values); }

TEST(a_value_that_comes_twice_is_the_same_however_it_is_cut) { each_body(repeat_values); }

TEST(what_lacks_a_value_is_the_same_however_it_is_cut) { each_body(remove_values); }

TEST(values_in_another_order_are_the_same_however_they_are_cut) { each_body(swap_values); }

CHECK_MAIN(ROOM,
    RUN(a_string_that_is_long_is_the_same_however_it_is_cut)
    RUN(a_value_that_is_another_is_the_same_however_it_is_cut)
    RUN(a_value_beside_another_under_its_key_is_the_same_however_it_is_cut)
    RUN(a_value_that_comes_twice_is_the_same_however_it_is_cut)
    RUN(what_lacks_a_value_is_the_same_however_it_is_cut)
    RUN(values_in_another_order_are_the_same_however_they_are_cut))
