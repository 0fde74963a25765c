/* base: slices, statuses, and mostly the arena, which is compared with a map of its grains. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAIN (2 * sizeof(void *))

/* Slices, version, statuses. */

TEST(a_slice_over_a_c_string_has_its_length)
{
    const char *text = "abc";
    elelem_str slice = elelem_str_of(text);

    CHECK(slice.data == text);
    CHECK_U64(slice.size, 3);
    CHECK_U64(elelem_str_of("").size, 0);
    CHECK_U64(elelem_str_of(NULL).size, 0);
}

TEST(slices_are_equal_if_their_bytes_are)
{
    elelem_str zero_inside = elelem_str_of("a");
    elelem_str other = elelem_str_of("a");
    elelem_str nothing = elelem_str_of(NULL);

    zero_inside.data = "a\0b";
    zero_inside.size = 3;
    other.data = "a\0c";
    other.size = 3;
    CHECK(!elelem_str_equal(zero_inside, other));
    CHECK(!elelem_str_is(zero_inside, "a"));
    other.data = "a\0b";
    CHECK(elelem_str_equal(zero_inside, other));
    CHECK(elelem_str_equal(nothing, elelem_str_of("")));
    CHECK(elelem_str_is(nothing, ""));
    CHECK(elelem_str_is(nothing, NULL));
    CHECK(elelem_str_is(elelem_str_of("key"), "key"));
    CHECK(!elelem_str_is(elelem_str_of("key"), "keys"));
}

TEST(the_version_is_its_three_numbers)
{
    char version[32];

    snprintf(version, sizeof version, "%d.%d.%d", ELELEM_VERSION_MAJOR, ELELEM_VERSION_MINOR, ELELEM_VERSION_PATCH);
    CHECK_STR(ELELEM_VERSION, strlen(ELELEM_VERSION), version);
}

TEST(an_initialised_struct_is_all_zero)
{
    elelem_arena arena = ELELEM_INIT;
    elelem_allocator allocator = ELELEM_INIT;

    CHECK_U64(elelem_arena_used(&arena), 0);
    CHECK_U64(elelem_arena_peak(&arena), 0);
    CHECK(!allocator.resize);
    CHECK(!allocator.context);
}

TEST(the_three_results_have_the_numbers_0_1_and_2)
{
    CHECK_INT(ELELEM_OK, 0);
    CHECK_INT(ELELEM_MORE, 1);
    CHECK_INT(ELELEM_END, 2);
    CHECK(ELELEM_ERROR_MISUSE < 0);
    CHECK_U64(sizeof(elelem_status), 4);
}

static int names_no_status(int value)
{
    return strcmp(elelem_status_name(value), "ELELEM_STATUS_UNKNOWN") == 0;
}

TEST(each_status_has_a_name_and_a_sentence_of_its_own)
{
    int a;
    int b;

    for (a = -23; a <= 2; a++) {
        const char *sentence = elelem_status_sentence(a);
        CHECK(!names_no_status(a));
        CHECK(strlen(sentence) > 0 && sentence[strlen(sentence) - 1] != '.');
        CHECK((strncmp(elelem_status_name(a), "ELELEM_ERROR_", 13) == 0) == (a < 0));
        for (b = -23; b < a; b++)
            CHECK(strcmp(sentence, elelem_status_sentence(b)) != 0);
    }
    CHECK_STR(elelem_status_name(ELELEM_ERROR_SYNTAX), 19, "ELELEM_ERROR_SYNTAX");
}

TEST(an_unknown_status_is_named_unknown)
{
    CHECK(names_no_status(3));
    CHECK(names_no_status(-24));
    CHECK(names_no_status(0x7fffffff));
    CHECK(strlen(elelem_status_sentence(3)) > 0);
}

/* The arena. The memory is a block of its own, so the sanitizer guards both sides. */

typedef struct room {
    char *block; /* what to free */
    size_t size;
    elelem_arena arena;
    elelem_allocator allocator;
    unsigned char *first; /* the first byte it can lend */
} room;

static void room_open(room *r, size_t size, size_t shift)
{
    r->block = (char *)malloc(size + shift + 1);
    if (!r->block) abort();
    memset(r->block, 0xa5, size + shift + 1);
    r->size = size;
    r->allocator = elelem_arena_init(&r->arena, r->block + shift, size);
    r->first = (unsigned char *)r->block + shift;
    while ((uintptr_t)r->first % GRAIN != 0)
        r->first++;
}

/* A room of whole grains. */
static void room_of_grains(room *r, size_t grains)
{
    room_open(r, grains * GRAIN, 0);
    CHECK(r->first == (unsigned char *)r->block);
}

static void room_close(room *r)
{
    free(r->block);
}

static unsigned char *take(room *r, size_t size)
{
    return (unsigned char *)r->allocator.resize(r->allocator.context, NULL, 0, size);
}

static unsigned char *resize(room *r, void *block, size_t old_size, size_t new_size)
{
    return (unsigned char *)r->allocator.resize(r->allocator.context, block, old_size, new_size);
}

/* Frees a block, filled with bytes that would be a broken list. */
static void give(room *r, void *block, size_t size)
{
    memset(block, 0xee, size);
    CHECK(!resize(r, block, size, 0));
}

TEST(blocks_are_adjacent_and_in_whole_grains)
{
    room r;

    room_of_grains(&r, 4);
    CHECK(take(&r, 1) == r.first);
    CHECK(take(&r, GRAIN) == r.first + GRAIN);
    CHECK(take(&r, GRAIN + 1) == r.first + 2 * GRAIN);
    CHECK_U64(elelem_arena_used(&r.arena), 4 * GRAIN);
    CHECK(!take(&r, 1));
    CHECK_U64(elelem_arena_used(&r.arena), 4 * GRAIN);
    room_close(&r);
}

TEST(the_first_free_span_that_is_large_enough_is_taken)
{
    room r;
    unsigned char *a;
    unsigned char *c;

    room_of_grains(&r, 10);
    a = take(&r, GRAIN);
    take(&r, GRAIN);
    c = take(&r, 2 * GRAIN);
    take(&r, GRAIN);
    give(&r, a, GRAIN);
    give(&r, c, 2 * GRAIN);
    CHECK(take(&r, 2 * GRAIN) == c);
    CHECK(take(&r, GRAIN) == a);
    CHECK(take(&r, GRAIN) == r.first + 5 * GRAIN);
    room_close(&r);
}

TEST(the_rest_of_a_larger_span_stays_free)
{
    room r;
    unsigned char *a;

    room_of_grains(&r, 4);
    a = take(&r, 3 * GRAIN);
    take(&r, GRAIN);
    give(&r, a, 3 * GRAIN);
    CHECK(take(&r, GRAIN) == a);
    CHECK(take(&r, 2 * GRAIN) == a + GRAIN);
    CHECK(!take(&r, 1));
    room_close(&r);
}

/* Three adjacent blocks are freed in each order; then all of the memory is one span again. */
TEST(free_neighbours_are_merged_in_every_order)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    size_t row;
    size_t i;

    for (row = 0; row < 6; row++) {
        room r;
        unsigned char *blocks[3];

        check_cut("order", row);
        room_of_grains(&r, 6);
        for (i = 0; i < 3; i++)
            blocks[i] = take(&r, 2 * GRAIN);
        for (i = 0; i < 3; i++)
            give(&r, blocks[orders[row][i]], 2 * GRAIN);
        CHECK_U64(elelem_arena_used(&r.arena), 0);
        CHECK(take(&r, 6 * GRAIN) == r.first);
        room_close(&r);
    }
}

TEST(a_block_grows_in_place_if_the_memory_after_it_is_free)
{
    room r;
    unsigned char *a;

    room_of_grains(&r, 5);
    a = take(&r, GRAIN);
    memcpy(a, "kept", 4);
    CHECK(resize(&r, a, GRAIN, 3 * GRAIN) == a);
    CHECK(resize(&r, a, 3 * GRAIN, 5 * GRAIN) == a);
    CHECK_BYTES(a, 4, "kept", 4);
    CHECK_U64(elelem_arena_used(&r.arena), 5 * GRAIN);
    CHECK_U64(elelem_arena_peak(&r.arena), 5 * GRAIN);
    CHECK(!resize(&r, a, 5 * GRAIN, 6 * GRAIN));
    room_close(&r);
}

TEST(a_block_that_cannot_grow_in_place_moves_with_its_bytes)
{
    room r;
    unsigned char *a;
    unsigned char *moved;

    room_of_grains(&r, 6);
    a = take(&r, GRAIN);
    take(&r, GRAIN);
    memset(a, 'k', GRAIN);
    moved = resize(&r, a, GRAIN, 3 * GRAIN);
    CHECK(moved == r.first + 2 * GRAIN);
    CHECK(moved[0] == 'k' && moved[GRAIN - 1] == 'k');
    CHECK_U64(elelem_arena_used(&r.arena), 4 * GRAIN);
    CHECK(take(&r, GRAIN) == a);
    room_close(&r);
}

TEST(a_refusal_leaves_the_block_as_it_was)
{
    room r;
    unsigned char *a;

    room_of_grains(&r, 4);
    a = take(&r, GRAIN);
    take(&r, GRAIN);
    memset(a, 'k', GRAIN);
    CHECK(!resize(&r, a, GRAIN, 3 * GRAIN));
    CHECK(a[0] == 'k' && a[GRAIN - 1] == 'k');
    CHECK_U64(elelem_arena_used(&r.arena), 2 * GRAIN);
    CHECK_U64(elelem_arena_peak(&r.arena), 2 * GRAIN);
    CHECK(resize(&r, a, GRAIN, 2) == a);
    room_close(&r);
}

TEST(a_block_shrinks_in_place_and_gives_back_whole_grains)
{
    room r;
    unsigned char *a;

    room_of_grains(&r, 4);
    a = take(&r, 4 * GRAIN);
    CHECK(resize(&r, a, 4 * GRAIN, GRAIN + 1) == a);
    CHECK_U64(elelem_arena_used(&r.arena), 2 * GRAIN);
    CHECK(resize(&r, a, GRAIN + 1, 2 * GRAIN) == a);
    CHECK_U64(elelem_arena_used(&r.arena), 2 * GRAIN);
    CHECK(take(&r, 2 * GRAIN) == a + 2 * GRAIN);
    room_close(&r);
}

TEST(the_peak_is_the_largest_number_in_use_at_one_time)
{
    room r;
    unsigned char *a;

    room_of_grains(&r, 8);
    a = take(&r, 3 * GRAIN);
    give(&r, a, 3 * GRAIN);
    CHECK_U64(elelem_arena_peak(&r.arena), 3 * GRAIN);
    a = take(&r, 1);
    CHECK_U64(elelem_arena_peak(&r.arena), 3 * GRAIN);
    CHECK(resize(&r, a, 1, 5 * GRAIN) == a);
    CHECK_U64(elelem_arena_peak(&r.arena), 5 * GRAIN);
    CHECK_U64(elelem_arena_used(&r.arena), 5 * GRAIN);
    room_close(&r);
}

/* A size that wraps when it is rounded up must not look small. */
TEST(sizes_near_the_largest_are_refused)
{
    static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - GRAIN + 2, SIZE_MAX - GRAIN + 1, SIZE_MAX / 2 };
    room r;
    unsigned char *a;
    size_t i;

    room_of_grains(&r, 8);
    a = take(&r, GRAIN);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_cut("size", sizes[i]);
        CHECK(!take(&r, sizes[i]));
        CHECK(!resize(&r, a, GRAIN, sizes[i]));
    }
    CHECK_U64(elelem_arena_used(&r.arena), GRAIN);
    room_close(&r);
}

TEST(a_request_for_nothing_takes_nothing)
{
    room r;

    room_of_grains(&r, 2);
    CHECK(!take(&r, 0));
    CHECK_U64(elelem_arena_used(&r.arena), 0);
    room_close(&r);
}

TEST(an_arena_without_memory_refuses)
{
    elelem_arena arena;
    elelem_allocator allocator = elelem_arena_init(&arena, NULL, 4096);

    CHECK(!allocator.resize(allocator.context, NULL, 0, 1));
    CHECK_U64(elelem_arena_used(&arena), 0);
    CHECK_U64(elelem_arena_peak(&arena), 0);
}

/* Takes the whole arena grain by grain and returns the number of grains. */
static size_t fill(room *r)
{
    size_t count = 0;
    unsigned char *block;

    while ((block = take(r, GRAIN)) != NULL) {
        CHECK(block == r->first + count * GRAIN);
        memset(block, 0xff, GRAIN);
        count++;
    }
    return count;
}

TEST(of_a_buffer_at_any_alignment_all_whole_grains_are_used) /* C7 */
{
    size_t shift;
    size_t size;

    for (shift = 0; shift <= 64; shift++)
        for (size = 0; size <= 6 * GRAIN; size++) {
            room r;
            size_t skip;

            check_cut("shift * 1000 + size", shift * 1000 + size);
            room_open(&r, size, shift);
            skip = (size_t)(r.first - (unsigned char *)r.block) - shift;
            CHECK_U64(fill(&r), size > skip ? (size - skip) / GRAIN : 0);
            CHECK_INT(r.block[size + shift], (char)0xa5);
            room_close(&r);
        }
}

/* The model: which grains are in use. From this follows the offset of each block. */

#define GRAINS 64
#define BLOCKS 24

typedef struct model {
    room r;
    unsigned char lent[GRAINS];
    unsigned char *blocks[BLOCKS];
    size_t sizes[BLOCKS];
    unsigned char marks[BLOCKS];
    size_t used;
    size_t peak;
} model;

static size_t grains(size_t size)
{
    return (size + GRAIN - 1) / GRAIN;
}

static int all_free(const model *m, size_t at, size_t count)
{
    size_t i;

    for (i = at; i < at + count; i++)
        if (i >= GRAINS || m->lent[i]) return 0;
    return 1;
}

/* Returns the lowest place for so many grains; GRAINS if there is none. */
static size_t first_fit(const model *m, size_t count)
{
    size_t at = 0;

    while (at < GRAINS && !all_free(m, at, count))
        at++;
    return at;
}

static size_t model_place(const model *m, size_t i, size_t size)
{
    size_t had = grains(m->sizes[i]);
    size_t at = m->blocks[i] ? (size_t)(m->blocks[i] - m->r.first) / GRAIN : 0;

    if (!m->blocks[i]) return first_fit(m, grains(size));
    if (grains(size) <= had || all_free(m, at + had, grains(size) - had)) return at;
    return first_fit(m, grains(size));
}

static void model_mark(model *m, size_t i, unsigned char lent)
{
    if (m->blocks[i]) memset(m->lent + (size_t)(m->blocks[i] - m->r.first) / GRAIN, lent, grains(m->sizes[i]));
}

static void check_marks(const model *m, size_t i, size_t size)
{
    size_t k;

    for (k = 0; k < size; k++)
        if (!CHECK(m->blocks[i][k] == m->marks[i])) return;
}

static void model_peak(model *m, size_t used)
{
    if (used > m->peak) m->peak = used;
}

/* Resizes block i in the arena and in the model; 0 frees it. While a block moves it is there
   twice. */
static void model_resize(model *m, size_t i, size_t size, unsigned char mark)
{
    size_t kept = size < m->sizes[i] ? size : m->sizes[i];
    size_t place = size > 0 ? model_place(m, i, size) : 0;
    unsigned char *block;

    if (m->blocks[i]) check_marks(m, i, m->sizes[i]);
    if (size == 0 && m->blocks[i]) memset(m->blocks[i], 0xee, m->sizes[i]);
    block = resize(&m->r, m->blocks[i], m->sizes[i], size);
    if (size > 0 && place == GRAINS) {
        CHECK(!block);
        return;
    }
    if (!CHECK(block == (size > 0 ? m->r.first + place * GRAIN : NULL))) abort();
    if (m->blocks[i] && block && block != m->blocks[i]) model_peak(m, m->used + grains(size) * GRAIN);
    model_mark(m, i, 0);
    m->blocks[i] = block;
    m->sizes[i] = size;
    model_mark(m, i, 1);
    if (!block) return;
    check_marks(m, i, kept);
    m->marks[i] = mark;
    memset(block, mark, size);
}

static void model_count(model *m)
{
    size_t i;

    m->used = 0;
    for (i = 0; i < GRAINS; i++)
        m->used += m->lent[i] * GRAIN;
    model_peak(m, m->used);
    CHECK_U64(elelem_arena_used(&m->r.arena), m->used);
    CHECK_U64(elelem_arena_peak(&m->r.arena), m->peak);
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*seed * below) >> 32);
}

TEST(random_operations_agree_with_a_map_of_grains)
{
    uint32_t seed;
    uint32_t step;
    size_t i;

    for (seed = 1; seed <= 40; seed++) {
        model m;
        uint32_t state = seed;

        memset(&m, 0, sizeof m);
        check_cut("seed", seed);
        room_of_grains(&m.r, GRAINS);
        for (step = 0; step < 2000; step++) {
            size_t most = draw(&state, 4) == 0 ? 30 * GRAIN : 6 * GRAIN;
            size_t size = draw(&state, 3) == 0 ? 0 : draw(&state, (uint32_t)most) + 1;
            model_resize(&m, draw(&state, BLOCKS), size, (unsigned char)step);
            model_count(&m);
        }
        for (i = 0; i < BLOCKS; i++)
            model_resize(&m, i, 0, 0);
        CHECK_U64(elelem_arena_used(&m.r.arena), 0);
        CHECK(take(&m.r, GRAINS * GRAIN) == m.r.first);
        room_close(&m.r);
    }
}

/* Growth, as the allocator of a parser that must keep a long key sees it. */

typedef struct witness {
    size_t size;       /* of the one block; the library must name it each time */
    size_t calls;
    size_t most;       /* larger requests are refused */
    int refuse_double; /* and those for twice the block */
} witness;

static void *witness_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    witness *w = (witness *)context;
    void *moved;

    CHECK_U64(old_size, w->size);
    w->calls++;
    if (new_size > w->most || (w->refuse_double && old_size > 0 && new_size >= 2 * old_size)) return NULL;
    moved = new_size > 0 ? malloc(new_size) : NULL;
    if (block && moved) memcpy(moved, block, old_size < new_size ? old_size : new_size);
    if (block) memset(block, 0xee, old_size);
    free(block);
    w->size = new_size;
    return moved;
}

static elelem_status read_fragments(elelem_fragment_parser *parser)
{
    elelem_fragment fragment;
    elelem_status status;

    do
        status = elelem_fragment_parser_next(parser, &fragment);
    while (status == ELELEM_OK);
    return status;
}

#define LONGEST_KEY 50000

/* Reads {"kkk...":1} with a key of `size` bytes, byte by byte. */
static elelem_status read_long_key(witness *w, size_t size)
{
    static char text[LONGEST_KEY + 7];
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;
    elelem_status status = ELELEM_MORE;
    size_t i;

    memcpy(text, "{\"", 2);
    memset(text + 2, 'k', size);
    memcpy(text + 2 + size, "\":1}", 5);
    desc.allocator.resize = witness_resize;
    desc.allocator.context = w;
    elelem_fragment_parser_init(&parser, &desc);
    for (i = 0; i < size + 6 && status == ELELEM_MORE; i++) {
        elelem_fragment_parser_push(&parser, text + i, 1);
        status = read_fragments(&parser);
    }
    elelem_fragment_parser_free(&parser);
    CHECK_U64(w->size, 0);
    return status;
}

TEST(a_growing_block_doubles_and_is_given_back)
{
    witness w = ELELEM_INIT;

    w.most = SIZE_MAX;
    CHECK_INT(read_long_key(&w, LONGEST_KEY), ELELEM_END);
    CHECK(w.calls > 2 && w.calls < 24);
}

TEST(a_refused_doubling_is_tried_again_at_the_size_needed)
{
    witness w = ELELEM_INIT;

    w.most = SIZE_MAX;
    w.refuse_double = 1;
    CHECK_INT(read_long_key(&w, 2000), ELELEM_END);
    CHECK(w.calls > 1000);
}

TEST(a_block_that_cannot_grow_is_an_error_and_is_given_back)
{
    witness w = ELELEM_INIT;

    w.most = 1000;
    CHECK_INT(read_long_key(&w, 2000), ELELEM_ERROR_MEMORY);
}

TEST(a_zeroed_allocator_is_the_c_library)
{
    elelem_fragment_parser parser;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "{\"a\":[{}]}", 10);
    CHECK_INT(read_fragments(&parser), ELELEM_END);
    elelem_fragment_parser_free(&parser);
}

TEST(a_slice_of_bytes_has_their_size)
{
    static const char bytes[] = "a\0b";
    elelem_str slice = elelem_str_from(bytes, 3);

    CHECK(slice.data == bytes);
    CHECK_U64(slice.size, 3);
    CHECK_U64(elelem_str_from(NULL, 0).size, 0);
}

static int printed(int size, const char *text)
{
    (void)text;
    return size;
}

TEST(a_text_of_more_than_INT_MAX_bytes_is_printed_up_to_there)
{
    elelem_str text = ELELEM_INIT;

    text.size = (size_t)(~0u >> 1) + 5;
    CHECK_INT(printed(ELELEM_STR_ARG(text)), (int)(~0u >> 1));
    text.size = 7;
    CHECK_INT(printed(ELELEM_STR_ARG(text)), 7);
}

TEST(a_text_is_not_a_null_pointer_unless_it_is_empty)
{
    elelem_str none = ELELEM_INIT;

    CHECK(!elelem_str_is(elelem_str_of("a"), NULL));
    CHECK(elelem_str_is(none, NULL));
}

CHECK_MAIN("base",
           RUN(a_slice_over_a_c_string_has_its_length)
           RUN(slices_are_equal_if_their_bytes_are)
           RUN(the_version_is_its_three_numbers)
           RUN(an_initialised_struct_is_all_zero)
           RUN(the_three_results_have_the_numbers_0_1_and_2)
           RUN(each_status_has_a_name_and_a_sentence_of_its_own)
           RUN(an_unknown_status_is_named_unknown)
           RUN(blocks_are_adjacent_and_in_whole_grains)
           RUN(the_first_free_span_that_is_large_enough_is_taken)
           RUN(the_rest_of_a_larger_span_stays_free)
           RUN(free_neighbours_are_merged_in_every_order)
           RUN(a_block_grows_in_place_if_the_memory_after_it_is_free)
           RUN(a_block_that_cannot_grow_in_place_moves_with_its_bytes)
           RUN(a_refusal_leaves_the_block_as_it_was)
           RUN(a_block_shrinks_in_place_and_gives_back_whole_grains)
           RUN(the_peak_is_the_largest_number_in_use_at_one_time)
           RUN(sizes_near_the_largest_are_refused)
           RUN(a_request_for_nothing_takes_nothing)
           RUN(an_arena_without_memory_refuses)
           RUN(of_a_buffer_at_any_alignment_all_whole_grains_are_used)
           RUN(random_operations_agree_with_a_map_of_grains)
           RUN(a_growing_block_doubles_and_is_given_back)
           RUN(a_refused_doubling_is_tried_again_at_the_size_needed)
           RUN(a_block_that_cannot_grow_is_an_error_and_is_given_back)
           RUN(a_zeroed_allocator_is_the_c_library)
           RUN(a_slice_of_bytes_has_their_size)
           RUN(a_text_of_more_than_INT_MAX_bytes_is_printed_up_to_there)
           RUN(a_text_is_not_a_null_pointer_unless_it_is_empty))
