/* Bodies that are changed at one place, as no provider sends them: what comes of them keeps the rules of events, ends once, and
   is the same however they are cut. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "bodies.h"
#include "changes.h"

#ifndef ROOM
#define ROOM "changed_bodies"
#define STRIDE 1999 /* one of so many changes is tried */
#endif

/* Trying. */

static size_t tried; /* so far */

static int is_tried(void)
{
    changes_size = 0;
    return tried++ % STRIDE == 0;
}

static void try_changed(void)
{
    feed_check_pieces(&streams_fed, changes_text, changes_size, __FILE__, __LINE__);
    CHECK_INT(streams_now.ends, 1);
    CHECK(!strstr(feed_now.text, "\nBROKEN:"));
}

static void lengthen_strings(const char *body, size_t size)
{
    size_t i, k;

    changes_find(body, size);
    for (i = 0; i < changes_count; i++) {
        const changes_place *p = &changes_places[i];
        if (body[p->value] != '"') continue;
        for (k = 0; k < sizeof changes_lengths / sizeof *changes_lengths; k++) {
            if (!is_tried()) continue;
            changes_put_between(body, 0, p->end - 1);
            changes_put_long(tried % 5, changes_lengths[k]);
            changes_put_between(body, p->end - 1, size);
            try_changed();
        }
    }
}

static void put_other(const char *other)
{
    for (; *other; other++) {
        if (*other == '~') changes_put_long(1, 5000);
        else changes_put(other, 1);
    }
}

static void replace_values(const char *body, size_t size)
{
    size_t i, k;

    changes_find(body, size);
    for (i = 0; i < changes_count; i++)
        for (k = 0; k < CHANGES_OTHERS; k++) {
            if (!is_tried()) continue;
            changes_put_between(body, 0, changes_places[i].value);
            put_other(changes_others[k]);
            changes_put_between(body, changes_places[i].end, size);
            try_changed();
        }
}

/* Another value before it or after it: a member has the same key. */
static void add_values(const char *body, size_t size)
{
    size_t i, k;

    changes_find(body, size);
    for (i = 0; i < changes_count; i++)
        for (k = 0; k < 2 * CHANGES_OTHERS; k++) {
            const changes_place *p = &changes_places[i];
            if (!is_tried()) continue;
            changes_put_between(body, 0, k < CHANGES_OTHERS ? p->value : p->end);
            if (k >= CHANGES_OTHERS) {
                changes_put(",", 1);
                changes_put_between(body, p->begin, p->value);
            }
            put_other(changes_others[k % CHANGES_OTHERS]);
            if (k < CHANGES_OTHERS) {
                changes_put(",", 1);
                changes_put_between(body, p->begin, p->end);
            }
            changes_put_between(body, p->end, size);
            try_changed();
        }
}

static void repeat_values(const char *body, size_t size)
{
    size_t i;

    changes_find(body, size);
    for (i = 0; i < changes_count; i++) {
        if (!is_tried()) continue;
        changes_put_between(body, 0, changes_places[i].end);
        changes_put(",", 1);
        changes_put_between(body, changes_places[i].begin, size);
        try_changed();
    }
}

/* Leaves the value out, with a comma if there is one. */
static void remove_values(const char *body, size_t size)
{
    size_t i;

    changes_find(body, size);
    for (i = 0; i < changes_count; i++) {
        const changes_place *p = &changes_places[i];
        int is_followed = p->end < size && body[p->end] == ',';
        if (!is_tried()) continue;
        changes_put_between(body, 0, !is_followed && body[p->begin - 1] == ',' ? p->begin - 1 : p->begin);
        changes_put_between(body, is_followed ? p->end + 1 : p->end, size);
        try_changed();
    }
}

/* The value and the next one in its container. */
static void swap_values(const char *body, size_t size)
{
    size_t i, next;

    changes_find(body, size);
    for (i = 0; i < changes_count; i++) {
        const changes_place *p = &changes_places[i];
        for (next = i + 1; next < changes_count && changes_places[next].begin < p->end; next++)
            continue;
        if (next == changes_count || body[p->end] != ',' || changes_places[next].begin != p->end + 1 || !is_tried()) continue;
        changes_put_between(body, 0, p->begin);
        changes_put_between(body, changes_places[next].begin, changes_places[next].end);
        changes_put(",", 1);
        changes_put_between(body, p->begin, p->end);
        changes_put_between(body, changes_places[next].end, size);
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
            tried = i * 3 + k;
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
