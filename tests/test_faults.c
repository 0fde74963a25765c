/* The fault law (see faults.h), for every object in blocks that move and in arenas, and for streams with every body of tests/data. */
#define _POSIX_C_SOURCE 200809L
#include "elelem_stream.h"

#include "bodies.h"
#include "faults.h"

TEST(every_object_survives_any_refused_memory_or_reports_it) /* A3, C6 */
{
    static const size_t pieces[] = { 1, 7, 1u << 20 };
    size_t i, k;

    for (i = 0; i < OBJECTS_COUNT; i++)
        for (k = 0; k < 3; k++) {
            check_context(objects[i].name);
            objects_choose(&objects[i], pieces[k]);
            FAULTS(&objects[i]);
        }
}

TEST(what_was_refused_memory_and_keeps_no_error_can_be_pushed_again) /* A3 */
{
    static const char *const names[] = { "recorder", "event coalescer", "history builder", "buffer" };
    size_t i, k;
    int again, found = 0;

    for (i = 0; i < OBJECTS_COUNT; i++)
        for (k = 0; k < sizeof names / sizeof *names; k++) {
            if (strcmp(objects[i].name, names[k]) != 0) continue;
            check_context(names[k]);
            objects_choose(&objects[i], 7);
            CHECK(faults_again(&objects[i], &again, __FILE__, __LINE__));
            CHECK(again > 3);
            found++;
        }
    check_context(NULL);
    CHECK_INT(found, 4);
}

TEST(every_object_in_an_arena_of_any_size_and_alignment_works_or_reports_it) /* C7 */
{
    size_t i;

    for (i = 0; i < OBJECTS_COUNT; i++) {
        check_context(objects[i].name);
        objects_choose(&objects[i], 7);
        FAULTS_ARENAS(&objects[i]);
    }
    check_context(NULL);
}

TEST(a_stream_that_splits_reasoning_survives_any_refused_memory_or_reports_it)
{
    const objects_row *stream = &objects[OBJECTS_STREAM];

    objects_choose(stream, 7);
    objects_split = 1;
    FAULTS(stream);
}

/* A value that exceeds a limit is skipped, but not one for which memory was refused. */
TEST(an_error_between_frames_survives_any_refused_memory_or_is_reported)
{
    static const char body[] = ": x\n{\"error\":{\"code\":\"" OBJECTS_NAME OBJECTS_NAME "\",\"message\":\"" OBJECTS_NAME OBJECTS_NAME "\"}}\n";

    objects_shape = &elelem_shape_chat;
    objects_split = 0;
    objects_feed(body, sizeof body - 1, 7);
    FAULTS(&objects[OBJECTS_STREAM]);
}

static void check_body(const char *body, size_t size)
{
    objects_feed(body, size, size);
    FAULTS(&objects[OBJECTS_STREAM]);
}

static int check_bodies(const char *folder, const elelem_shape *shape)
{
    objects_split = 0;
    objects_shape = shape;
    return bodies_each(folder, check_body);
}

TEST(every_body_of_chat_survives_any_refused_memory_or_reports_it)
{
    CHECK(check_bodies("chat", &elelem_shape_chat) > 0);
}

TEST(every_body_of_responses_survives_any_refused_memory_or_reports_it)
{
    CHECK(check_bodies("responses", &elelem_shape_responses) > 0);
}

TEST(every_body_of_messages_survives_any_refused_memory_or_reports_it)
{
    CHECK(check_bodies("messages", &elelem_shape_messages) > 0);
}

TEST(every_body_of_gemini_survives_any_refused_memory_or_reports_it)
{
    CHECK(check_bodies("gemini", &elelem_shape_gemini) > 0);
}

TEST(every_body_of_interactions_survives_any_refused_memory_or_reports_it)
{
    CHECK(check_bodies("interactions", &elelem_shape_interactions) > 0);
}

CHECK_MAIN("faults",
    RUN(every_object_survives_any_refused_memory_or_reports_it)
    RUN(what_was_refused_memory_and_keeps_no_error_can_be_pushed_again)
    RUN(every_object_in_an_arena_of_any_size_and_alignment_works_or_reports_it)
    RUN(a_stream_that_splits_reasoning_survives_any_refused_memory_or_reports_it)
    RUN(an_error_between_frames_survives_any_refused_memory_or_is_reported)
    RUN(every_body_of_chat_survives_any_refused_memory_or_reports_it)
    RUN(every_body_of_responses_survives_any_refused_memory_or_reports_it)
    RUN(every_body_of_messages_survives_any_refused_memory_or_reports_it)
    RUN(every_body_of_gemini_survives_any_refused_memory_or_reports_it)
    RUN(every_body_of_interactions_survives_any_refused_memory_or_reports_it))
