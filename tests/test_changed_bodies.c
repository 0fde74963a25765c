/* Bodies that are changed at one place, as no provider sends them: what comes of them keeps the rules of events, ends once, and
   is the same however they are cut. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "bodies.h"
#include "changes.h"

#ifndef ROOM
#define ROOM "changed_bodies"
#define STRIDE 797 /* one of so many changes is tried */
#endif
#define OWN 29 /* times as many changes by a value of the same body are left out */

static size_t tried; /* so far */

static int is_tried(void) { return tried++ % STRIDE == 0; }

static void try_changed(void)
{
    feed_check_pieces(&streams_fed, changes_text, changes_size, __FILE__, __LINE__);
    CHECK_INT(streams_now.ends, 1);
    CHECK(!strstr(feed_now.text, "\nBROKEN:"));
}

static void lengthen_strings(const changes_place *p)
{
    size_t k;

    for (k = 0; changes_body[p->value] == '"' && k < sizeof changes_lengths / sizeof *changes_lengths; k++) {
        if (!is_tried()) continue;
        changes_lengthen(p, tried % 5, changes_lengths[k]);
        try_changed();
    }
}

/* The text of another value, whose ~ is a long text. */
static elelem_str another(size_t k)
{
    static char text[6000];
    const char *at = changes_others[k];
    size_t size = 0;

    for (; *at; at++) {
        if (*at == '~') size += changes_write_long(text + size, 1, 5000);
        else text[size++] = *at;
    }
    return elelem_str_from(text, size);
}

static void try_others(const changes_place *p, void (*change)(const changes_place *p, elelem_str other))
{
    size_t k;

    for (k = 0; k < CHANGES_OTHERS; k++) {
        if (!is_tried()) continue;
        change(p, another(k));
        try_changed();
    }
}

static void replace_values(const changes_place *p) { try_others(p, changes_replace); }

static void add_values(const changes_place *p)
{
    try_others(p, changes_add_before);
    try_others(p, changes_add_after);
}

/* The value of another member or element of the body, or of itself, in its place, before and after it. */
static void add_own_values(const changes_place *p)
{
    static void (*const changes[])(const changes_place *p, elelem_str other) = { changes_replace, changes_add_before, changes_add_after };
    size_t i;

    for (i = 0; i < changes_count; i++) {
        if (tried++ % (STRIDE * OWN) != 0) continue;
        changes[tried % 3](p, changes_value(&changes_places[i]));
        try_changed();
    }
}

static void repeat_values(const changes_place *p)
{
    if (!is_tried()) return;
    changes_copy_after(p, p);
    try_changed();
}

static void remove_values(const changes_place *p)
{
    if (!is_tried()) return;
    changes_remove(p);
    try_changed();
}

static void swap_values(const changes_place *p)
{
    const changes_place *next = p + 1, *end = changes_places + changes_count;

    while (next < end && next->begin < p->end)
        next++;
    if (next == end || changes_body[p->end] != ',' || next->begin != p->end + 1 || !is_tried()) return;
    changes_swap(p, next);
    try_changed();
}

static void (*change_value)(const changes_place *p);

static void change_body(const char *body, size_t size)
{
    size_t i;

    changes_find(body, size);
    for (i = 0; i < changes_count; i++)
        change_value(&changes_places[i]);
}

/* Each frame, or each line, once more after each other one; removed; and after the next one. */
static void change_frames(const char *body, size_t size)
{
    size_t line_feeds = 1 + tried % 2, begin, end, to;

    if (size > CHANGES_LARGEST) return;
    changes_find(body, size);
    for (begin = 0; begin < size; begin = end) {
        end = changes_frame_end(begin, line_feeds);
        for (to = 0; to < size; to = changes_frame_end(to, line_feeds)) {
            if (!is_tried()) continue;
            changes_copy_frame(begin, end, to);
            try_changed();
        }
        if (is_tried()) {
            changes_remove_frame(begin, end);
            try_changed();
        }
        if (is_tried()) {
            changes_swap_frames(begin, end, changes_frame_end(end, line_feeds));
            try_changed();
        }
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
            CHECK(tried > 1000);
        }
}

static void each_value(void (*change)(const changes_place *p))
{
    change_value = change;
    each_body(change_body);
}

TEST(a_string_that_is_long_is_the_same_however_it_is_cut) { each_value(lengthen_strings); }

TEST(a_value_that_is_another_is_the_same_however_it_is_cut) /* P3 */ { each_value(replace_values); }

TEST(a_value_beside_another_under_its_key_is_the_same_however_it_is_cut) /* P3 */ { each_value(add_values); }

TEST(a_value_that_comes_twice_is_the_same_however_it_is_cut) /* P3 */ { each_value(repeat_values); }

TEST(what_lacks_a_value_is_the_same_however_it_is_cut) { each_value(remove_values); }

TEST(values_in_another_order_are_the_same_however_they_are_cut) { each_value(swap_values); }

TEST(a_value_with_another_of_the_same_body_is_the_same_however_it_is_cut) /* P3 */ { each_value(add_own_values); }

TEST(frames_that_come_twice_or_in_another_order_or_not_at_all_are_the_same_however_they_are_cut) /* P4 */ { each_body(change_frames); }

CHECK_MAIN(ROOM,
    RUN(a_string_that_is_long_is_the_same_however_it_is_cut)
    RUN(a_value_that_is_another_is_the_same_however_it_is_cut)
    RUN(a_value_beside_another_under_its_key_is_the_same_however_it_is_cut)
    RUN(a_value_that_comes_twice_is_the_same_however_it_is_cut)
    RUN(what_lacks_a_value_is_the_same_however_it_is_cut)
    RUN(values_in_another_order_are_the_same_however_they_are_cut)
    RUN(a_value_with_another_of_the_same_body_is_the_same_however_it_is_cut)
    RUN(frames_that_come_twice_or_in_another_order_or_not_at_all_are_the_same_however_they_are_cut))
