/* The fast paths give the events of their slow twin for every recording, in pieces of many sizes. */
#define _POSIX_C_SOURCE 200809L
#include "fast_law.h"

static void check_pieces(const recording *r)
{
    static const size_t pieces[] = { 1, 2, 3, 8, 13, 64, 200, 1024, (size_t)1 << 30 };

    recording_is_same(r, 0, pieces, sizeof pieces / sizeof *pieces);
    recording_is_same(r, 1, pieces, sizeof pieces / sizeof *pieces);
}

TEST(recordings_give_the_same_events_in_pieces_of_many_sizes)
{
    size_t i;

    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char folder[32];
        shape_now = shapes[i];
        sprintf(folder, "%s/", shape_now->name);
        if (shape_now == &elelem_shape_interactions) {
            recordings_folder = shape_now->name;
            *folder = '\0';
        }
        if (recordings_each(folder, shape_now->name, check_pieces) == 0) check_nothing("no recordings (set ELELEM_CORPUS)");
    }
}

static void same_of_body(const char *body, size_t size) { body_is_same(body, size, 400); }

TEST(every_body_of_our_own_gives_the_same_events_at_more_cuts) { bodies_are_same(same_of_body); }

CHECK_MAIN("deep_fast",
    RUN(recordings_give_the_same_events_in_pieces_of_many_sizes)
    RUN(every_body_of_our_own_gives_the_same_events_at_more_cuts))
