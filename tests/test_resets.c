/* The reset law: an object that is reset after any byte of an input, so in the middle of an event, an item,
   a run of text or an entry, or after its end, gives what a new object gives. */
#define _POSIX_C_SOURCE 200809L
#include "elelem_stream.h"

#include "bodies.h"
#include "objects.h"

static feed_log whole, now;

/* Feeds the first `stop` bytes, resets, and feeds everything. */
static int reset_after(const objects_row *row, size_t stop, elelem_status expected)
{
    elelem_status status;
    int good;

    check_cut("reset after byte", stop);
    row->init();
    objects_stop = stop;
    objects_once(row, &now);
    objects_stop = objects_size;
    row->reset();
    status = objects_once(row, &now);
    good = CHECK_INT(status, expected) & CHECK_BYTES(now.text, now.size, whole.text, whole.size);
    row->free();
    return good;
}

/* Resets after each byte of the input chosen; of a long one after some 200 of them. */
static void check_resets(const objects_row *row)
{
    static const elelem_allocator plain = ELELEM_INIT;
    size_t stop, step = objects_size / 200 + 1;
    elelem_status expected;

    objects_allocator = plain;
    row->init();
    expected = objects_once(row, &whole);
    row->free();
    for (stop = 0; stop < objects_size; stop += step)
        if (!reset_after(row, stop, expected)) break;
    reset_after(row, objects_size, expected);
    check_cut(NULL, 0);
}

TEST(every_object_starts_over_after_any_byte)
{
    size_t i;

    for (i = 0; i < OBJECTS_COUNT; i++) {
        check_context(objects[i].name);
        objects_choose(&objects[i], 1u << 20);
        check_resets(&objects[i]);
        objects_choose(&objects[i], 1);
        check_resets(&objects[i]);
    }
}

static void check_body(const char *body, size_t size)
{
    objects_feed(body, size, size);
    check_resets(&objects[OBJECTS_STREAM]);
}

TEST(a_stream_starts_over_after_any_byte_of_every_body)
{
    objects_shape = &elelem_shape_chat;
    CHECK(bodies_each("chat", check_body) > 0);
    objects_shape = &elelem_shape_responses;
    CHECK(bodies_each("responses", check_body) > 0);
    objects_shape = &elelem_shape_messages;
    CHECK(bodies_each("messages", check_body) > 0);
    objects_shape = &elelem_shape_gemini;
    CHECK(bodies_each("gemini", check_body) > 0);
}

CHECK_MAIN("resets",
    RUN(every_object_starts_over_after_any_byte)
    RUN(a_stream_starts_over_after_any_byte_of_every_body))
