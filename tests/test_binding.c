/* What callers in other languages ask first. */
#include "elelem_stream.h"

#include "check.h"

TEST(a_struct_has_its_size_by_its_name)
{
    CHECK_U64(elelem_size_of("elelem_turn"), sizeof(elelem_turn));
    CHECK_U64(elelem_size_of("elelem_turn_desc"), sizeof(elelem_turn_desc));
    CHECK_U64(elelem_size_of("elelem_turn_update"), sizeof(elelem_turn_update));
    CHECK_U64(elelem_size_of("elelem_str"), sizeof(elelem_str));
    CHECK_U64(elelem_size_of("elelem_conversation"), sizeof(elelem_conversation));
}

TEST(what_calls_take_and_give_has_a_size_too)
{
    CHECK_U64(elelem_size_of("elelem_talk_image"), sizeof(elelem_talk_image));
    CHECK_U64(elelem_size_of("elelem_talk_result"), sizeof(elelem_talk_result));
    CHECK_U64(elelem_size_of("elelem_tool_executed"), sizeof(elelem_tool_executed));
    CHECK_U64(elelem_size_of("elelem_replay_position"), sizeof(elelem_replay_position));
    CHECK_U64(elelem_size_of("elelem_recovery_path"), sizeof(elelem_recovery_path));
}

TEST(other_names_have_none)
{
    CHECK_U64(elelem_size_of("turn"), 0);
    CHECK_U64(elelem_size_of("elelem_tur"), 0);
    CHECK_U64(elelem_size_of("elelem_turn_"), 0);
    CHECK_U64(elelem_size_of(""), 0);
    CHECK_U64(elelem_size_of(NULL), 0);
}

TEST(the_version_is_that_of_the_header)
{
    CHECK(elelem_str_is(elelem_str_of(elelem_version()), ELELEM_VERSION));
}

CHECK_MAIN("binding",
    RUN(a_struct_has_its_size_by_its_name)
    RUN(what_calls_take_and_give_has_a_size_too)
    RUN(other_names_have_none)
    RUN(the_version_is_that_of_the_header))
