/* The work law for every pair of members and elements of every shape, in frames large enough that a product of two
   cannot hide. */
#include "elelem_stream.h"

#include "check.h"
#include "work_law.h"

TEST(no_pair_of_members_or_elements_makes_work_a_product) /* A1 */
{
    size_t i;

    for (i = 0; i < WORK_FRAMES; i++) {
        size_t tried = 0;
        check_context(work_frames[i].name);
        CHECK_INT(work_frame_broken(&work_frames[i], 40, 1, &tried), 0);
        CHECK(tried > 1000);
    }
}

CHECK_MAIN("work",
    RUN(no_pair_of_members_or_elements_makes_work_a_product))
