/* base without the C library's memory: a zeroed allocator refuses, an arena is enough. */
#define ELELEM_NO_STDLIB
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"

static elelem_status read_all(const elelem_fragment_parser_desc *desc, const char *text, size_t size)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_status status;

    elelem_fragment_parser_init(&parser, desc);
    elelem_fragment_parser_push(&parser, text, size);
    do
        status = elelem_fragment_parser_next(&parser, &fragment);
    while (status == ELELEM_OK);
    elelem_fragment_parser_free(&parser);
    return status;
}

TEST(a_zeroed_allocator_gives_no_memory)
{
    CHECK_INT(read_all(NULL, "{\"a\":1}", 7), ELELEM_ERROR_MEMORY);
}

TEST(an_arena_is_memory_enough)
{
    static unsigned char memory[2048];
    elelem_arena arena;
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    CHECK_INT(read_all(&desc, "{\"a\":1}", 7), ELELEM_END);
    CHECK_U64(elelem_arena_used(&arena), 0);
    CHECK(elelem_arena_peak(&arena) > 0);
}

static int printed(int size, const char *text)
{
    return text ? size : -1;
}

TEST(a_text_of_more_than_INT_MAX_bytes_is_printed_up_to_there)
{
    elelem_str text = elelem_str_of("x");
    int size = printed(ELELEM_STR_ARG(text));

    CHECK_INT(size, 1);
    text.size = (size_t)(~0u >> 1) + 5;
    size = printed(ELELEM_STR_ARG(text));
    CHECK_INT(size, (int)(~0u >> 1));
}

CHECK_MAIN("base_no_stdlib",
           RUN(a_text_of_more_than_INT_MAX_bytes_is_printed_up_to_there)
           RUN(a_zeroed_allocator_gives_no_memory)
           RUN(an_arena_is_memory_enough))
