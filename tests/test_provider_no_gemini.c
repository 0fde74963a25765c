/* provider as it is built without a shape: its providers stay, and have none. */
#define ELELEM_NO_GEMINI
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"

TEST(a_shape_that_is_left_out_is_null_by_its_name_and_by_that_of_its_provider)
{
    CHECK(elelem_shape_find("gemini") == NULL);
    CHECK(elelem_shape_find("google") == NULL);
    CHECK(elelem_provider_find("google") != NULL && elelem_provider_find("google")->shape == NULL);
}

TEST(the_other_shapes_are_found)
{
    CHECK(elelem_shape_find("chat") == &elelem_shape_chat);
    CHECK(elelem_shape_find("responses") == &elelem_shape_responses);
    CHECK(elelem_shape_find("messages") == &elelem_shape_messages);
    CHECK(elelem_shape_find("interactions") == &elelem_shape_interactions);
    CHECK(elelem_shape_find("google-interactions") == &elelem_shape_interactions);
    CHECK(elelem_shape_find("none") == NULL);
}

CHECK_MAIN("provider_no_gemini",
    RUN(a_shape_that_is_left_out_is_null_by_its_name_and_by_that_of_its_provider)
    RUN(the_other_shapes_are_found))
