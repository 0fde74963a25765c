/* The reset law: an object that is reset after any byte of an input, so in the middle of an event, an item,
   a run of text or an entry, or after its end, gives what a new object gives. So does one that is reset while
   results wait to be taken, and one that met an error: the end of the input too early, or a wrong byte. */
#define _POSIX_C_SOURCE 200809L
#include "elelem_stream.h"

#include "bodies.h"
#include "objects.h"

#ifndef ROOM
#define ROOM "resets"
#define PLACES 50 /* of each body at which it is reset */
#endif

static feed_log whole, now;

/* What comes before the reset: `stop` bytes, */
typedef enum before {
    STOPPED,  /* and nothing more yet */
    FINISHED, /* and the end of the input */
    WRONG     /* the last of which is wrong, and the rest */
} before;

static const char *const before_names[] = { "reset after byte", "reset after the end at byte", "reset after the wrong byte" };

static void feed_before(const objects_row *row, size_t stop, before how)
{
    const char *input = objects_input;
    size_t size = objects_size;
    char *copy = (char *)malloc(size + 1);

    memcpy(copy, input, size);
    copy[size] = '\0';
    if (how == WRONG) copy[stop - 1] = '\1';
    objects_input = copy;
    if (how != WRONG) objects_stop = stop;
    if (how == FINISHED) objects_size = stop;
    objects_once(row, &now);
    free(copy);
    objects_input = input;
    objects_size = objects_stop = size;
}

/* Feeds what comes before, resets, and feeds everything. */
static int reset_after(const objects_row *row, size_t stop, before how, elelem_status expected)
{
    elelem_error fresh, error;
    elelem_status status;
    int good;

    check_cut(before_names[how], stop);
    row->init();
    fresh = row->error();
    feed_before(row, stop, how);
    row->reset();
    error = row->error();
    good = CHECK_INT(error.status, fresh.status) & CHECK_U64(error.offset, fresh.offset);
    status = objects_once(row, &now);
    good &= CHECK_INT(status, expected) & CHECK_BYTES(now.text, now.size, whole.text, whole.size);
    row->free();
    return good;
}

/* Takes the first `count` results, resets while the next one waits, and feeds everything. The bytes that were lent
   are gone by then. */
static int reset_before_result(const objects_row *row, size_t count, elelem_status expected)
{
    elelem_status status;
    int good;

    check_cut("reset before result", count);
    row->init();
    objects_left = count;
    objects_once(row, &now);
    objects_left = OBJECTS_ALL;
    row->reset();
    status = objects_once(row, &now);
    good = CHECK_INT(status, expected) & CHECK_BYTES(now.text, now.size, whole.text, whole.size);
    row->free();
    return good;
}

/* Resets before each result of the input chosen; of many before some `places` of them. */
static void check_resets_before_results(const objects_row *row, size_t places)
{
    static const elelem_allocator plain = ELELEM_INIT;
    size_t count, i;
    elelem_status expected;

    objects_allocator = plain;
    row->init();
    objects_left = OBJECTS_ALL;
    expected = objects_once(row, &whole);
    count = OBJECTS_ALL - objects_left;
    objects_left = OBJECTS_ALL;
    row->free();
    for (i = 0; i < count; i += count / places + 1)
        if (!reset_before_result(row, i, expected)) break;
    check_cut(NULL, 0);
}

/* Resets after each byte of the input chosen, of a long one after some `places` of them; after an error at every fourth. */
static void check_resets(const objects_row *row, size_t places)
{
    static const elelem_allocator plain = ELELEM_INIT;
    size_t stop, step = objects_size / places + 1;
    elelem_status expected;

    objects_allocator = plain;
    row->init();
    expected = objects_once(row, &whole);
    row->free();
    for (stop = 0; stop < objects_size; stop += step) {
        if (!reset_after(row, stop, STOPPED, expected)) break;
        if (stop / step % 4 != 0) continue;
        if (!reset_after(row, stop, FINISHED, expected)) break;
        if (!reset_after(row, stop + 1, WRONG, expected)) break;
    }
    reset_after(row, objects_size, FINISHED, expected);
    check_cut(NULL, 0);
}

TEST(every_object_starts_over_after_any_byte_and_any_error) /* C5 */
{
    size_t i;

    for (i = 0; i < OBJECTS_COUNT; i++) {
        check_context(objects[i].name);
        objects_choose(&objects[i], 1u << 20);
        check_resets(&objects[i], 200);
        objects_choose(&objects[i], 1);
        check_resets(&objects[i], 200);
    }
}

/* Whether it was never initialised or freed before. */
TEST(every_object_may_be_freed_and_reset_before_init_and_twice) /* C4 */
{
    size_t i;
    int round;

    for (i = 0; i < OBJECTS_COUNT; i++) {
        elelem_error error;
        check_context(objects[i].name);
        for (round = 0; round < 2; round++) {
            objects[i].free();
            objects[i].reset();
            error = objects[i].error();
            if (error.message) CHECK_INT(error.status, ELELEM_ERROR_MISUSE);
            objects[i].free();
            objects_choose(&objects[i], 1u << 20);
            objects[i].init();
            CHECK_INT(objects_once(&objects[i], &now), ELELEM_END);
        }
        objects[i].free();
        objects[i].free();
    }
}

TEST(every_object_starts_over_while_any_result_waits) /* C5 */
{
    size_t i;

    for (i = 0; i < OBJECTS_COUNT; i++) {
        check_context(objects[i].name);
        objects_choose(&objects[i], 1u << 20);
        check_resets_before_results(&objects[i], 200);
        objects_choose(&objects[i], 7);
        check_resets_before_results(&objects[i], 200);
    }
}

/* The body that was checked before, of whatever shape. */
static char other_body[1 << 16];
static size_t other_size;

/* Another response, half or whole, changes nothing for this one. */
static void check_after_other(const objects_row *row, const char *body, size_t size)
{
    static const elelem_allocator plain = ELELEM_INIT;
    elelem_status expected;
    size_t stop;

    objects_allocator = plain;
    objects_feed(body, size, size);
    row->init();
    expected = objects_once(row, &whole);
    row->free();
    for (stop = other_size / 2; stop <= other_size && other_size > 0; stop += other_size - other_size / 2) {
        check_cut("reset after so much of another body", stop);
        row->init();
        objects_feed(other_body, other_size, 100);
        objects_stop = stop;
        objects_once(row, &now);
        row->reset();
        objects_feed(body, size, size);
        CHECK_INT(objects_once(row, &now), expected);
        CHECK_BYTES(now.text, now.size, whole.text, whole.size);
        row->free();
    }
    check_cut(NULL, 0);
}

static void check_bodies(const char *body, size_t size)
{
    size_t i;

    for (i = 0; i < OBJECTS_COUNT; i++)
        if (strcmp(objects[i].input, OBJECTS_TALK) == 0) check_after_other(&objects[i], body, size);
    if (size > sizeof other_body) return;
    memcpy(other_body, body, size);
    other_size = size;
}

TEST(no_object_keeps_anything_of_another_response)
{
    size_t shape;

    for (shape = 0; shape < 5; shape++) {
        static const char *const names[] = { "chat", "responses", "messages", "gemini", "interactions" };
        objects_shape = elelem_shape_find(names[shape]);
        objects_split = 1;
        other_size = 0;
        CHECK(bodies_each(names[shape], check_bodies) > 0);
    }
    objects_split = 0;
}

static void check_body(const char *body, size_t size)
{
    objects_feed(body, size, size);
    check_resets(&objects[OBJECTS_STREAM], PLACES);
    check_resets_before_results(&objects[OBJECTS_STREAM], PLACES);
    check_resets_before_results(&objects[OBJECTS_TURN], PLACES);
}

TEST(a_stream_starts_over_at_places_of_every_body)
{
    objects_shape = &elelem_shape_chat;
    CHECK(bodies_each("chat", check_body) > 0);
    objects_shape = &elelem_shape_responses;
    CHECK(bodies_each("responses", check_body) > 0);
    objects_shape = &elelem_shape_messages;
    CHECK(bodies_each("messages", check_body) > 0);
    objects_shape = &elelem_shape_gemini;
    CHECK(bodies_each("gemini", check_body) > 0);
    objects_shape = &elelem_shape_interactions;
    CHECK(bodies_each("interactions", check_body) > 0);
}

CHECK_MAIN(ROOM,
    RUN(every_object_may_be_freed_and_reset_before_init_and_twice)
    RUN(every_object_starts_over_after_any_byte_and_any_error)
    RUN(every_object_starts_over_while_any_result_waits)
    RUN(no_object_keeps_anything_of_another_response)
    RUN(a_stream_starts_over_at_places_of_every_body))
