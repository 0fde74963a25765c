/* Sums and products that do not fit a size, in the private functions that take memory: a test has not enough memory
   for the public ones. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"

/* An allocator that refuses nothing. Its blocks cannot be used. */
typedef struct generous {
    size_t asked; /* for the last block */
    int calls;
} generous;

static void *give_anything(void *context, void *block, size_t old_size, size_t new_size)
{
    generous *allocator = (generous *)context;
    static uint64_t memory[64];

    (void)block;
    (void)old_size;
    allocator->asked = new_size;
    allocator->calls++;
    return new_size > 0 ? memory : NULL;
}

static generous given;

static elelem_allocator generous_allocator(void)
{
    elelem_allocator allocator;

    allocator.resize = give_anything;
    allocator.context = &given;
    return allocator;
}

TEST(a_sum_that_does_not_fit_is_the_largest_size) /* J3 */
{
    CHECK_U64(els_sum(0, 0), 0);
    CHECK_U64(els_sum(3, 4), 7);
    CHECK_U64(els_sum(SIZE_MAX, 0), SIZE_MAX);
    CHECK_U64(els_sum(SIZE_MAX - 1, 1), SIZE_MAX);
    CHECK_U64(els_sum(SIZE_MAX, 1), SIZE_MAX);
    CHECK_U64(els_sum(1, SIZE_MAX), SIZE_MAX);
    CHECK_U64(els_sum(SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 1), SIZE_MAX);
    CHECK_U64(els_sum(SIZE_MAX, SIZE_MAX), SIZE_MAX);
}

TEST(a_product_that_does_not_fit_is_the_largest_size) /* J3 */
{
    CHECK_U64(els_product(0, 0), 0);
    CHECK_U64(els_product(SIZE_MAX, 0), 0);
    CHECK_U64(els_product(0, SIZE_MAX), 0);
    CHECK_U64(els_product(3, 4), 12);
    CHECK_U64(els_product(SIZE_MAX, 1), SIZE_MAX);
    CHECK_U64(els_product(SIZE_MAX / 2, 2), SIZE_MAX - 1);
    CHECK_U64(els_product(SIZE_MAX / 2 + 1, 2), SIZE_MAX);
    CHECK_U64(els_product(2, SIZE_MAX / 2 + 1), SIZE_MAX);
    CHECK_U64(els_product(SIZE_MAX, SIZE_MAX), SIZE_MAX);
}

TEST(a_block_doubles_up_to_the_largest_size)
{
    els_block block = ELELEM_INIT;
    size_t needed = 1;

    block.allocator = generous_allocator();
    given.calls = 0;
    while (needed < ELS_BLOCK_MAX && CHECK_INT(els_block_reserve(&block, needed, SIZE_MAX, ELELEM_ERROR_COUNT), ELELEM_OK)) {
        CHECK(block.capacity >= needed && block.capacity <= ELS_BLOCK_MAX);
        needed = block.capacity + 1;
    }
    CHECK_U64(block.capacity, ELS_BLOCK_MAX);
    CHECK(given.calls < (int)sizeof(size_t) * 8);
    CHECK_INT(els_block_reserve(&block, needed, SIZE_MAX, ELELEM_ERROR_COUNT), ELELEM_ERROR_MEMORY);
    CHECK_INT(els_block_reserve(&block, SIZE_MAX, SIZE_MAX, ELELEM_ERROR_COUNT), ELELEM_ERROR_MEMORY);
    CHECK_INT(els_block_reserve(&block, SIZE_MAX, SIZE_MAX - 1, ELELEM_ERROR_COUNT), ELELEM_ERROR_COUNT);
    CHECK_U64(block.capacity, ELS_BLOCK_MAX);
}

TEST(two_arrays_that_would_be_larger_than_memory_are_refused)
{
    els_block block = ELELEM_INIT;
    uint32_t capacity = (uint32_t)1 << 31;
    size_t row = SIZE_MAX >> 31; /* so that twice as many rows wrap to nothing */

    block.allocator = generous_allocator();
    given.calls = 0;
    CHECK_INT(els_parallel_grow(&block, &capacity, row, 1, UINT32_MAX), ELELEM_ERROR_MEMORY);
    CHECK_U64(capacity, (uint32_t)1 << 31);
    CHECK_INT(given.calls, 0);
}

/* A stack of open tags near the largest size. */
TEST(a_stack_of_tags_grows_to_what_it_needs_or_is_refused)
{
    static const size_t stacks[] = { SIZE_MAX, SIZE_MAX - 100, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / 2 - 100, SIZE_MAX / 4 };
    size_t i;

    for (i = 0; i < 6; i++) {
        elelem_tag_splitter_desc desc = ELELEM_INIT;
        elelem_tag_splitter splitter;
        els_cursor in = els_cursor_of(NULL, 0);
        elelem_status status;
        desc.allocator = generous_allocator();
        elelem_tag_splitter_init(&splitter, &desc);
        splitter.els_stack_size = stacks[i];
        status = els_tags_grow(&splitter, &in, 60, 40);
        if (i < 4) CHECK_INT(status, ELELEM_ERROR_MEMORY);
        else CHECK(status == ELELEM_OK && splitter.els_memory.capacity >= stacks[i] + 100);
    }
}

/* Offsets in a parser's block have 32 bits. */
TEST(the_block_of_a_parser_is_not_larger_than_its_offsets_can_be)
{
    static const size_t stacks[] = { UINT32_MAX, UINT32_MAX - 1000, SIZE_MAX };
    size_t i;

    for (i = 0; i < 3; i++) {
        elelem_fragment_parser_desc desc = ELELEM_INIT;
        elelem_fragment_parser parser;
        desc.allocator = generous_allocator();
        elelem_fragment_parser_init(&parser, &desc);
        CHECK_INT(els_json_grow(&parser, 100 * sizeof(elelem_segment), 0, stacks[i]), ELELEM_ERROR_MEMORY);
        CHECK_INT(els_json_grow(&parser, els_product(SIZE_MAX / 2, sizeof(elelem_segment)), 0, 1), ELELEM_ERROR_MEMORY);
        CHECK_INT(els_json_grow(&parser, SIZE_MAX, 0, SIZE_MAX), ELELEM_ERROR_MEMORY);
        CHECK_INT(els_json_reserve(&parser, 0, SIZE_MAX), ELELEM_ERROR_MEMORY);
        CHECK_U64(parser.els_memory.capacity, 0);
    }
}

/* The comments at the descs have these as numbers. */
TEST(the_formulas_of_memory_count_no_less_than_there_is)
{
    size_t tags = 16 * 3 + 57508; /* the block of an item that a thought splitter reads */

    CHECK(2 * sizeof(elelem_segment) <= 64);
    CHECK(2 * sizeof(elelem_tag_attribute) <= 80);
    CHECK(sizeof(els_tags_frame) + 1 + ELS_TAGS_COUNTER <= 33);
    CHECK(sizeof(els_thought) + tags <= 58000 + 16 * 3);
    CHECK(3 * sizeof(els_out) + sizeof(els_item) + 7 <= 264);
    CHECK(sizeof(els_choice) + 7 <= 16);
    CHECK(sizeof(els_out_metadata) <= sizeof(els_out) && sizeof(elelem_metadata_entry) <= sizeof(els_out));
}

CHECK_MAIN("sizes",
    RUN(a_sum_that_does_not_fit_is_the_largest_size)
    RUN(a_product_that_does_not_fit_is_the_largest_size)
    RUN(a_block_doubles_up_to_the_largest_size)
    RUN(two_arrays_that_would_be_larger_than_memory_are_refused)
    RUN(a_stack_of_tags_grows_to_what_it_needs_or_is_refused)
    RUN(the_block_of_a_parser_is_not_larger_than_its_offsets_can_be)
    RUN(the_formulas_of_memory_count_no_less_than_there_is))
