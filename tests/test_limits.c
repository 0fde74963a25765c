/* The memory law by name: whatever it is fed, however it is cut, an object never holds more than the
   formula at its desc. Each test feeds what makes the object hold the most. */
#include "elelem_stream.h"

#include "check.h"
#include "limits.h"

/* Reads the text in pieces of `piece` bytes, into a tree where there is one. */
static void read_pieces(elelem_fragment_parser *parser, elelem_fragment_aggregator *tree, const char *text, size_t size,
                        size_t piece)
{
    elelem_fragment fragment;
    size_t at;

    for (at = 0; at < size; at += piece) {
        elelem_fragment_parser_push(parser, text + at, piece < size - at ? piece : size - at);
        while (elelem_fragment_parser_next(parser, &fragment) == ELELEM_OK)
            if (tree) elelem_fragment_aggregator_push(tree, &fragment);
    }
}

/* A text of one piece after another; each is written `times` times. */
typedef struct text {
    char bytes[1 << 18];
    size_t size;
} text;

static void put(text *t, const char *piece, size_t times)
{
    size_t size = strlen(piece);

    for (; times > 0 && t->size + size <= sizeof t->bytes; times--) {
        memcpy(t->bytes + t->size, piece, size);
        t->size += size;
    }
}

static text now;

/* So deep a path of long keys, then a number that never ends. */
static void put_path(size_t depth, size_t key)
{
    size_t i;

    now.size = 0;
    for (i = 0; i < depth; i++) {
        put(&now, "{\"", 1);
        put(&now, "k", key);
        put(&now, "\":", 1);
    }
    put(&now, "1", 4000);
}

static elelem_fragment_parser_desc small_parser(void)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.max_depth = 40;
    desc.max_key_bytes = 60;
    desc.max_path_bytes = 2000;
    desc.max_number_bytes = 3000;
    return desc;
}

TEST(a_parser_holds_no_more_than_its_desc_says)
{
    static const size_t keys[] = { 0, 1, 50, 60, 100 }, pieces[] = { 1, 7, 100000 };
    size_t i, k;

    for (i = 0; i < 5; i++)
        for (k = 0; k < 3; k++) {
            elelem_fragment_parser_desc desc = small_parser();
            elelem_fragment_parser parser;
            limits_heap heap = ELELEM_INIT;
            heap.bound = limits_of_parser(&desc);
            desc.allocator = limits_allocator(&heap);
            elelem_fragment_parser_init(&parser, &desc);
            put_path(41, keys[i]);
            read_pieces(&parser, NULL, now.bytes, now.size, pieces[k]);
            CHECK(limits_held(&heap));
            elelem_fragment_parser_free(&parser);
            CHECK_INT(heap.live, 0);
        }
}

TEST(what_a_parser_skips_costs_a_bit_for_each_container)
{
    static const char *const texts[] = { "none" };
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;
    elelem_pattern_node nodes[4];
    elelem_patterns patterns;
    limits_heap heap = ELELEM_INIT;

    CHECK_INT(elelem_patterns_compile(&patterns, nodes, 4, texts, 1, NULL, NULL), ELELEM_OK);
    desc.patterns = &patterns;
    desc.max_depth = 200000;
    desc.allocator = limits_allocator(&heap);
    elelem_fragment_parser_init(&parser, &desc);
    now.size = 0;
    put(&now, "{\"other\":", 1);
    put(&now, "[", 200000);
    read_pieces(&parser, NULL, now.bytes, now.size, 1000);
    CHECK(heap.peak >= 200000 / 8 && heap.peak < 200000 / 2);
    heap.bound = limits_of_parser(&desc);
    CHECK(limits_held(&heap));
    elelem_fragment_parser_free(&parser);
}

/* Many patterns that a path may still become, at every step of it. */
TEST(a_parser_counts_the_patterns_that_are_still_possible_in_its_formula)
{
    static const char *const texts[] = { "*.*.*.*.a", "*.*.*.b", "*.*.c", "*.d", "e", "*.*.*.*.*.*.*.*" };
    elelem_fragment_parser_desc desc = small_parser();
    elelem_fragment_parser parser;
    elelem_pattern_node nodes[64];
    elelem_patterns patterns;
    limits_heap heap = ELELEM_INIT;

    CHECK_INT(elelem_patterns_compile(&patterns, nodes, 64, texts, 6, NULL, NULL), ELELEM_OK);
    desc.patterns = &patterns;
    desc.max_path_bytes = desc.max_number_bytes = 1;
    heap.bound = limits_of_parser(&desc);
    desc.allocator = limits_allocator(&heap);
    elelem_fragment_parser_init(&parser, &desc);
    put_path(41, 0);
    read_pieces(&parser, NULL, now.bytes, now.size, 3);
    CHECK(heap.peak > 0);
    CHECK(limits_held(&heap));
    elelem_fragment_parser_free(&parser);
}

TEST(a_tree_holds_no_more_than_its_desc_says)
{
    static const uint32_t limits[] = { 1, 31, 32, 33, 100, 1000, 4095, 4096, 100000 };
    size_t i;

    for (i = 0; i < sizeof limits / sizeof *limits; i++) {
        elelem_fragment_aggregator_desc desc = ELELEM_INIT;
        elelem_fragment_aggregator tree;
        elelem_fragment_parser parser;
        limits_heap heap = ELELEM_INIT;
        desc.max_bytes = limits[i];
        heap.bound = limits_of_aggregator(&desc);
        desc.allocator = limits_allocator(&heap);
        elelem_fragment_aggregator_init(&tree, &desc);
        elelem_fragment_parser_init(&parser, NULL);
        now.size = 0;
        put(&now, "[", 1);
        put(&now, "{\"key\":\"some text\",\"b\":[12345,true]},", 6000);
        read_pieces(&parser, &tree, now.bytes, now.size, 5);
        CHECK_INT(elelem_fragment_aggregator_error(&tree).status, ELELEM_ERROR_VALUE_SIZE);
        CHECK(heap.peak * 2 >= limits[i] || limits[i] < 64);
        CHECK(limits_held(&heap));
        elelem_fragment_aggregator_free(&tree);
        elelem_fragment_parser_free(&parser);
        CHECK_INT(heap.live, 0);
    }
}

TEST(a_decoder_holds_no_more_than_its_desc_says)
{
    static const size_t limits[] = { 1, 15, 16, 17, 100, 4096, 10000 };
    size_t i;

    for (i = 0; i < sizeof limits / sizeof *limits; i++) {
        elelem_sse_decoder_desc desc = ELELEM_INIT;
        elelem_sse_decoder decoder;
        elelem_frame frame;
        limits_heap heap = ELELEM_INIT;
        size_t at;
        desc.max_name_bytes = limits[i];
        heap.bound = limits_of_decoder(&desc);
        desc.allocator = limits_allocator(&heap);
        elelem_sse_decoder_init(&decoder, &desc);
        now.size = 0;
        put(&now, "id:", 1);
        put(&now, "i", limits[i]);
        put(&now, "\ndata:\n\nid:", 1);
        put(&now, "j", limits[i]);
        put(&now, "\nevent:", 1);
        put(&now, "e", limits[i]);
        put(&now, "\ndata: and data, which is lent\nid:", 1);
        put(&now, "l", limits[i] + 1);
        for (at = 0; at < now.size; at += 3) {
            elelem_sse_decoder_push(&decoder, now.bytes + at, now.size - at < 3 ? now.size - at : 3);
            while (elelem_sse_decoder_next(&decoder, &frame) == ELELEM_OK)
                continue;
        }
        CHECK_INT(elelem_sse_decoder_error(&decoder).status, ELELEM_ERROR_LINE_SIZE);
        CHECK(limits_held(&heap));
        elelem_sse_decoder_free(&decoder);
        CHECK_INT(heap.live, 0);
    }
}

CHECK_MAIN("limits",
    RUN(a_parser_holds_no_more_than_its_desc_says)
    RUN(what_a_parser_skips_costs_a_bit_for_each_container)
    RUN(a_parser_counts_the_patterns_that_are_still_possible_in_its_formula)
    RUN(a_tree_holds_no_more_than_its_desc_says)
    RUN(a_decoder_holds_no_more_than_its_desc_says))
