/* The memory law: with any input, however it is cut, an object never holds more than the formula at its desc
   allows. Each test feeds what makes the object hold the most. */
#include "elelem_stream.h"

#include "check.h"
#include "events.h"
#include "limits.h"
#include "work_law.h"

#ifndef ROOM
#define ROOM "limits"
#endif

/* One in so many of all pairs is tried. */
#ifndef PAIRS
#define PAIRS 787
#endif

/* Reads the text in pieces of `piece` bytes, and into a tree if there is one. */
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

    for (; times > 0 && size <= sizeof t->bytes - t->size; times--) {
        memcpy(t->bytes + t->size, piece, size);
        t->size += size;
    }
}

static text now;

/* A path of `depth` long keys, then a number that never ends. */
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

/* At every step of the path many patterns are still possible. */
TEST(the_formula_of_a_parser_counts_the_patterns_that_are_still_possible)
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

/* Tags inside each other, each with a long id and as many attributes, and the last one cut after whitespace. */
static void put_tags(uint32_t tag, uint32_t attributes, uint32_t depth)
{
    uint32_t i, k;

    now.size = 0;
    for (i = 0; i < depth; i++) {
        put(&now, "<think id='", 1);
        put(&now, "i", tag > 20 ? tag - 13 : 1);
        put(&now, "'>text", 1);
    }
    put(&now, "</think>", 1);
    put(&now, " ", tag - 1);
    put(&now, "<think ", 1);
    for (k = 1; k < attributes; k++)
        put(&now, "a ", 1);
    put(&now, "i='", 1);
    put(&now, "i", tag > 2 * attributes + 20 ? tag - 2 * attributes - 11 : 1);
    put(&now, "'>text", 1);
}

static void split_tags(elelem_tag_splitter *splitter, size_t piece)
{
    elelem_tag_piece out;
    size_t at;

    for (at = 0; at < now.size; at += piece) {
        elelem_tag_splitter_push(splitter, now.bytes + at, now.size - at < piece ? now.size - at : piece);
        while (elelem_tag_splitter_next(splitter, &out) == ELELEM_OK)
            continue;
    }
}

TEST(a_tag_splitter_holds_no_more_than_its_desc_says)
{
    static const uint32_t tags[] = { 1, 20, 100, 1000 }, attributes[] = { 1, 10, 64 }, depths[] = { 1, 3, 64 };
    size_t i, k, m;

    for (i = 0; i < 4; i++)
        for (k = 0; k < 3; k++)
            for (m = 0; m < 3; m++) {
                elelem_tag_splitter_desc desc = ELELEM_INIT;
                elelem_tag_splitter splitter;
                limits_heap heap = ELELEM_INIT;
                check_cut("limit", tags[i] + attributes[k] + depths[m]);
                desc.max_tag_bytes = tags[i];
                desc.max_attributes = attributes[k];
                desc.max_depth = depths[m];
                desc.trim = ELELEM_TAG_TRIM_OUTSIDE | ELELEM_TAG_TRIM_INSIDE;
                heap.bound = limits_of_tags(&desc);
                desc.allocator = limits_allocator(&heap);
                elelem_tag_splitter_init(&splitter, &desc);
                put_tags(tags[i], attributes[k], depths[m]);
                split_tags(&splitter, 7);
                split_tags(&splitter, 1u << 18);
                CHECK(limits_held(&heap));
                CHECK(tags[i] < 2 * attributes[k] + 30 || heap.peak * 6 >= heap.bound);
                elelem_tag_splitter_free(&splitter);
                CHECK_U64(heap.live, 0);
            }
}

static void push_thought(elelem_thought_splitter *splitter, uint32_t index)
{
    elelem_event out, event = part(index, ELELEM_PART_MESSAGE, "");

    event.part.text.data = now.bytes;
    event.part.text.size = now.size;
    elelem_thought_splitter_push(splitter, &event);
    while (elelem_thought_splitter_next(splitter, &out) == ELELEM_OK)
        continue;
}

/* Every item is in the innermost of many tags with long ids, and ends inside another. */
TEST(a_thought_splitter_holds_no_more_than_its_desc_says)
{
    static const uint32_t opens[] = { 1, 8, 40 };
    size_t i;
    uint32_t k;

    for (i = 0; i < 3; i++) {
        elelem_thought_splitter_desc desc = ELELEM_INIT;
        elelem_thought_splitter splitter;
        limits_heap heap = ELELEM_INIT;
        check_cut("limit", opens[i]);
        desc.max_open = opens[i];
        heap.bound = limits_of_thoughts(&desc);
        desc.allocator = limits_allocator(&heap);
        elelem_thought_splitter_init(&splitter, &desc);
        now.size = 0;
        put(&now, "<think id='1' a='", 1);
        put(&now, "\1", 4070);
        put(&now, "'>", 1);
        push_thought(&splitter, 0);
        put_tags(4096, 64, 60);
        for (k = 0; k < opens[i]; k++)
            push_thought(&splitter, k);
        now.size -= 7;
        for (k = 0; k < opens[i]; k++)
            push_thought(&splitter, k);
        CHECK(limits_held(&heap));
        CHECK(heap.peak * 4 >= heap.bound);
        CHECK_INT(elelem_thought_splitter_error(&splitter).status, ELELEM_OK);
        elelem_thought_splitter_free(&splitter);
        CHECK_U64(heap.live, 0);
    }
}

/* Bodies in which many of one thing and many of another are in one frame, for turns with small limits. */
TEST(a_turn_holds_no_more_than_its_desc_says)
{
    static const uint32_t limits[] = { 1, 100, 2000, 20000 };
    static work_tree tree;
    static work_text body;
    size_t i, k, pairs = 0;
    int form;

    for (i = 0; i < WORK_FRAMES; i++)
        for (k = 0; k < 4; k++) {
            work_frame frame = work_frames[i];
            work_pair pair;
            check_context(frame.name);
            check_cut("limit", limits[k]);
            frame.how.split_thoughts = 1;
            frame.how.max_frame_bytes = limits[k];
            frame.how.max_kept_bytes = limits[3 - k];
            frame.how.max_item_bytes = limits[k];
            form = work_pair_first(&frame, &tree, &pair);
            while (work_pair_next(&tree, &pair, &form)) {
                if (++pairs % PAIRS != 0) continue;
                pair.count = k == 3 ? 400 : 20;
                work_body(&body, &tree, &pair);
                work_of(&frame.how, body.bytes, body.size, pairs % 2 ? 1 : 4096);
            }
            CHECK_INT(work_memory_broken, 0);
            work_memory_broken = 0;
        }
    CHECK(pairs > 400000);
}

/* A body that is fed byte by byte, so that nothing is lent whole. Returns the most that was held. */
static size_t hold_stream(const char *body, size_t size, uint32_t frame_bytes)
{
    static elelem_stream stream;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_event event;
    limits_heap heap = ELELEM_INIT;
    size_t at;

    desc.shape = &elelem_shape_chat;
    desc.max_frame_bytes = frame_bytes;
    desc.max_kept_bytes = 1000;
    desc.max_open_items = desc.max_choices = 8;
    heap.bound = limits_of_stream(&desc);
    desc.allocator = limits_allocator(&heap);
    elelem_stream_init(&stream, &desc);
    for (at = 0; at < size; at++) {
        elelem_stream_push(&stream, body + at, 1);
        while (elelem_stream_next(&stream, &event) == ELELEM_OK)
            continue;
    }
    CHECK(limits_held(&heap));
    elelem_stream_free(&stream);
    CHECK_U64(heap.live, 0);
    return heap.peak;
}

TEST(a_stream_of_long_keys_numbers_and_names_holds_no_more_than_its_desc_says)
{
    static const uint32_t limits[] = { 1, 100, 5000, 16384, 100000 };
    size_t i, k, peak;

    for (i = 0; i < 5; i++) {
        check_cut("limit", limits[i]);
        for (k = 0; k < 2; k++) {
            now.size = 0;
            put(&now, "id:", 1);
            put(&now, "i", 4096);
            put(&now, "\nevent:", 1);
            put(&now, "e", 4096);
            put(&now, "\ndata:{\"", 1);
            put(&now, "k", k == 0 ? 65500 : 1);
            put(&now, "\":1,\"usage\":{\"", 1);
            put(&now, "k", limits[i] / 2);
            put(&now, "\":", 1);
            put(&now, "1", limits[i] / 2);
            put(&now, "}}\n\n", 1);
            peak = hold_stream(now.bytes, now.size, limits[i]);
            CHECK(peak <= 40000 + 4 * (size_t)limits[i]); /* the key is refused that no such frame could hold */
        }
    }
}

/* Objects that take events. A small generator makes very many events; each object must hold no more than its
   desc says, and may otherwise end in any way. */

static uint32_t storm_state;

static uint32_t any(uint32_t count)
{
    storm_state = storm_state * 1664525u + 1013904223u;
    return (storm_state >> 8) % count;
}

/* A piece of JSON, mostly of one that is never whole: long keys, numbers and nesting. */
static elelem_str any_piece(void)
{
    static const char *const pieces[] = { "{\"", "k", "\":", "1", "[", "{\"a\":[", "]", "}", ",", "\"some text\"",
                                          "\"", " ", "\\u0041", "{\"key\":\"value\",\"n\":[1,2,3]}", "null" };
    elelem_str made;

    now.size = 0;
    put(&now, pieces[any(15)], any(3) > 0 ? 1 : 1 + any(600));
    made.data = now.bytes;
    made.size = now.size;
    return made;
}

/* An event with up to `entries` entries of metadata. */
static elelem_event any_event(uint32_t indices, size_t entries)
{
    static elelem_metadata_entry list[40];
    static char keys[40][8];
    static const char *const values[] = { "[]", "[ 1, 2 ]", "\"a signature that is a little longer\"", "1", "{}" };
    static const uint8_t kinds[] = { ELELEM_PART_MESSAGE, ELELEM_PART_REASONING, ELELEM_PART_STRUCTURED,
                                     ELELEM_PART_TOOL_CALL, ELELEM_PART_TOOL_CALL, ELELEM_PART_TOOL_CALL };
    uint32_t index = any(indices), i;
    elelem_event event = part(index, (elelem_part_kind)kinds[index % 6], NULL);

    event.part.text = any_piece();
    if (event.part.kind == ELELEM_PART_TOOL_CALL && any(8) == 0) event = start(index, "call_1", "f");
    else if (event.part.kind == ELELEM_PART_TOOL_CALL) event = chunk_of(index, now.bytes, now.size);
    if (any(60) == 0) event = flush(index);
    event.metadata.count = any(4) == 0 ? any((uint32_t)entries + 1) : 0;
    event.metadata.entries = list;
    for (i = 0; i < event.metadata.count; i++) {
        snprintf(keys[i], sizeof keys[i], "k%u", (unsigned)any(70));
        list[i].key = elelem_str_of(keys[i]);
        list[i].json = elelem_str_of(values[any(5)]);
    }
    return event;
}

static void take_built(elelem_event_builder *builder)
{
    elelem_built built;

    while (elelem_event_builder_next(builder, &built) == ELELEM_OK)
        continue;
}

static void storm_builder(const elelem_event_builder_desc *desc, const limits_heap *heap, uint32_t events)
{
    elelem_event_builder builder;

    elelem_event_builder_init(&builder, desc);
    for (; events > 0 && limits_held(heap); events--) {
        elelem_event event = any_event(desc->max_open, 40);
        elelem_event_builder_push(&builder, &event);
        take_built(&builder);
        if (elelem_event_builder_error(&builder).status == ELELEM_OK && any(500) > 0) continue;
        if (any(2) == 0) elelem_event_builder_drain(&builder);
        take_built(&builder);
        elelem_event_builder_reset(&builder);
    }
    elelem_event_builder_free(&builder);
}

TEST(a_builder_holds_no_more_than_its_desc_says) /* A2 */
{
    static const uint32_t limits[] = { 1, 200, 3000, 16384, 200000 }, opens[] = { 1, 8, 255 };
    size_t i, k;

    for (i = 0; i < 5; i++)
        for (k = 0; k < 3; k++) {
            elelem_event_builder_desc desc = ELELEM_INIT;
            limits_heap heap = ELELEM_INIT;
            check_cut("limit", limits[i]);
            storm_state = limits[i] + opens[k];
            desc.max_bytes = limits[i];
            desc.max_open = opens[k];
            desc.keep_argument_text = i % 2;
            desc.keep = k == 2 && i % 2 ? ELELEM_KEEP_MESSAGES : 0;
            heap.bound = limits_of_builder(&desc);
            desc.allocator = limits_allocator(&heap);
            storm_builder(&desc, &heap, 3000);
            CHECK(limits_held(&heap));
            CHECK_U64(heap.live, 0);
        }
}

/* Each call is left in the middle of a key, a number or deep in arrays, with as much as is taken. */
TEST(open_calls_do_not_hold_more_than_the_limit_in_keys_numbers_and_nesting) /* A2 */
{
    static const char *const starts[] = { "{\"", "[1", "[" }, *const more[] = { "k", "1", "[" };
    uint32_t i, k, round;

    for (k = 0; k < 3; k++) {
        elelem_event_builder_desc desc = ELELEM_INIT;
        elelem_event_builder builder;
        limits_heap heap = ELELEM_INIT;
        check_context(starts[k]);
        desc.max_bytes = 16384;
        desc.keep = ELELEM_KEEP_MESSAGES; /* calls have progress only */
        heap.bound = limits_of_builder(&desc);
        desc.allocator = limits_allocator(&heap);
        elelem_event_builder_init(&builder, &desc);
        now.size = 0;
        put(&now, more[k], 2000);
        for (round = 0; round < 10 && limits_held(&heap); round++)
            for (i = 0; i < 255; i++) {
                elelem_event event = round == 0 ? chunk(i, starts[k]) : chunk_of(i, now.bytes, now.size);
                elelem_event_builder_push(&builder, &event);
                take_built(&builder);
            }
        CHECK_INT(elelem_event_builder_error(&builder).status, ELELEM_ERROR_VALUE_SIZE);
        CHECK(limits_held(&heap));
        elelem_event_builder_free(&builder);
        CHECK_U64(heap.live, 0);
    }
}

static elelem_status write_nothing(void *context, const void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return ELELEM_OK;
}

TEST(a_recorder_holds_no_more_than_its_desc_says)
{
    static const uint32_t limits[] = { 1, 200, 3000, 100000 }, calls[] = { 1, 16, 256 };
    size_t i, k;

    for (i = 0; i < 4; i++)
        for (k = 0; k < 3; k++) {
            elelem_recorder_desc desc = ELELEM_INIT;
            elelem_recorder recorder;
            limits_heap heap = ELELEM_INIT;
            uint32_t events;
            storm_state = limits[i] + calls[k];
            desc.sink.write = write_nothing;
            desc.max_call_bytes = limits[i];
            desc.max_calls = calls[k];
            desc.tool_calls = 1;
            heap.bound = limits_of_recorder(&desc);
            desc.allocator = limits_allocator(&heap);
            elelem_recorder_init(&recorder, &desc);
            for (events = 0; events < 3000 && limits_held(&heap); events++) {
                elelem_event event = any_event(2 * calls[k], 40);
                elelem_status status = elelem_recorder_push(&recorder, &event);
                if (status == ELELEM_ERROR_VALUE_SIZE || status == ELELEM_ERROR_COUNT) elelem_recorder_reset(&recorder);
            }
            CHECK(limits_held(&heap));
            elelem_recorder_free(&recorder);
            CHECK_U64(heap.live, 0);
        }
}

/* Pushes events and lines of the application's to a coalescer. */
static elelem_status push_any(elelem_event_coalescer *coalescer, uint32_t indices)
{
    static char line[400];
    elelem_event event = any_event(indices, 40);

    if (any(5) > 0) return elelem_event_coalescer_push(coalescer, &event);
    snprintf(line, sizeof line,
             "{\"eventType\":\"%s\",\"index\":%u,\"toolName\":\"\\u0066\",\"x\":[1,2],\"metadata\":{\"k\":\"%0*u\"}}",
             any(2) ? "BeforeToolExecution" : "ToolCallStart", (unsigned)any(indices), (int)any(300), 1u);
    return elelem_event_coalescer_push_line(coalescer, elelem_str_of(line));
}

TEST(a_coalescer_holds_no_more_than_its_desc_says)
{
    static const uint32_t limits[] = { 1, 200, 3000, 100000 }, calls[] = { 1, 16, 256 };
    size_t i, k;

    for (i = 0; i < 4; i++)
        for (k = 0; k < 3; k++) {
            elelem_event_coalescer_desc desc = ELELEM_INIT;
            elelem_event_coalescer coalescer;
            elelem_record_item item;
            limits_heap heap = ELELEM_INIT;
            uint32_t events;
            storm_state = limits[i] + calls[k];
            desc.max_bytes = limits[i];
            desc.max_calls = calls[k];
            heap.bound = limits_of_coalescer(&desc);
            desc.allocator = limits_allocator(&heap);
            elelem_event_coalescer_init(&coalescer, &desc);
            for (events = 0; events < 3000 && limits_held(&heap); events++) {
                push_any(&coalescer, 2 * calls[k]);
                while (elelem_event_coalescer_next(&coalescer, &item) == ELELEM_OK)
                    continue;
                if (elelem_event_coalescer_error(&coalescer).status < 0) elelem_event_coalescer_reset(&coalescer);
            }
            CHECK(limits_held(&heap));
            elelem_event_coalescer_free(&coalescer);
            CHECK_U64(heap.live, 0);
        }
}

TEST(a_history_builder_holds_no_more_than_its_desc_says)
{
    static const uint32_t limits[] = { 1, 200, 3000, 100000 };
    size_t i;

    for (i = 0; i < 4; i++) {
        elelem_history_builder_desc desc = ELELEM_INIT;
        elelem_history_builder builder;
        limits_heap heap = ELELEM_INIT;
        uint32_t events;
        storm_state = limits[i];
        desc.max_bytes = limits[i];
        desc.max_calls = 16;
        heap.bound = limits_of_history_builder(&desc);
        desc.allocator = limits_allocator(&heap);
        elelem_history_builder_init(&builder, &desc);
        for (events = 0; events < 3000 && limits_held(&heap); events++) {
            elelem_event event = any_event(32, 40);
            elelem_status status = elelem_history_builder_push(&builder, &event);
            if (status < 0 || any(300) == 0) {
                elelem_history_builder_finish(&builder);
                elelem_history_builder_reset(&builder);
            }
        }
        CHECK(limits_held(&heap));
        elelem_history_builder_free(&builder);
        CHECK_U64(heap.live, 0);
    }
}

/* Lines of escapes, of much metadata, and of nothing but an opening. */
static void put_lines(void)
{
    now.size = 0;
    put(&now, "{\"eventType\":\"PartialResponse\",\"chunk\":\"", 1);
    put(&now, "\\n", 300);
    put(&now, "\",\"x\":1}\n{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"\":1", 1);
    put(&now, ",\"\":1", 250);
    put(&now, "}}\n{\"eventType\":\"Flush\",\"index\":1,\"metadata\":{\"\":1", 1);
    put(&now, ",\"\":1", 2000);
    put(&now, "}}\n{\"a\":", 1);
    put(&now, "[", 600);
}

TEST(a_replayer_holds_no_more_than_its_desc_says)
{
    static const uint64_t limits[] = { 1, 100, 1000, 2000, 20000, 0 };
    static const size_t pieces[] = { 1, 100, 100000 };
    size_t i, k, at;

    put_lines();
    for (i = 0; i < 6; i++)
        for (k = 0; k < 3; k++) {
            elelem_replayer_desc desc = ELELEM_INIT;
            elelem_replayer replayer;
            elelem_record_item item;
            limits_heap heap = ELELEM_INIT;
            desc.max_line_bytes = limits[i];
            heap.bound = limits_of_replayer(&desc);
            desc.allocator = limits_allocator(&heap);
            elelem_replayer_init(&replayer, &desc);
            for (at = 0; at < now.size; at += pieces[k]) {
                elelem_replayer_push(&replayer, now.bytes + at, now.size - at < pieces[k] ? now.size - at : pieces[k]);
                while (elelem_replayer_next(&replayer, &item) == ELELEM_OK)
                    continue;
            }
            CHECK(limits_held(&heap));
            elelem_replayer_free(&replayer);
            CHECK_U64(heap.live, 0);
        }
}

TEST(an_item_reader_holds_no_more_than_its_desc_says)
{
    static const uint32_t limits[] = { 1, 100, 2000, 20000, 0 };
    size_t i, k, at;

    put_lines();
    put(&now, "\n{\"type\":\"tool_call\",\"index\":1,\"id\":\"\\n\",\"arguments\":", 1);
    put(&now, "[", 500);
    put(&now, "]", 500);
    put(&now, "}\n{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialResponse\",\"chunk\":\"", 1);
    put(&now, "\\n", 4000);
    put(&now, "\"}]}\n", 1);
    for (i = 0; i < 5; i++)
        for (k = 0; k < 5; k++) {
            elelem_item_reader_desc desc = ELELEM_INIT;
            elelem_item_reader reader;
            elelem_read_item item;
            limits_heap heap = ELELEM_INIT;
            desc.max_line_bytes = limits[i];
            desc.max_bytes = limits[k];
            desc.max_open = 1 + (uint32_t)i;
            desc.keep_argument_text = 1;
            heap.bound = limits_of_item_reader(&desc);
            desc.allocator = limits_allocator(&heap);
            elelem_item_reader_init(&reader, &desc);
            for (at = 0; at < now.size; at += 100) {
                elelem_item_reader_push(&reader, now.bytes + at, now.size - at < 100 ? now.size - at : 100);
                while (elelem_item_reader_next(&reader, &item) == ELELEM_OK)
                    continue;
            }
            CHECK(limits_held(&heap));
            elelem_item_reader_free(&reader);
            CHECK_U64(heap.live, 0);
        }
}

TEST(a_history_reader_holds_no_more_than_its_desc_says)
{
    static const uint32_t limits[] = { 1, 100, 1000, 20000 };
    size_t i, at;

    now.size = 0;
    put(&now, "{\"role\":\"AI\",\"text\":\"", 1);
    put(&now, "\\n", 4000);
    put(&now, "\",\"events\":[{\"event\\u0054ype\":\"A\"}]}", 1);
    for (i = 0; i < 4; i++) {
        elelem_history_reader_desc desc = ELELEM_INIT;
        elelem_history_reader reader;
        elelem_history_entry entry;
        limits_heap heap = ELELEM_INIT;
        elelem_status status = ELELEM_MORE;
        desc.max_bytes = limits[i];
        heap.bound = limits_of_history_reader(&desc);
        desc.allocator = limits_allocator(&heap);
        elelem_history_reader_init(&reader, &desc);
        for (at = 0; at < now.size && status == ELELEM_MORE; at += 10) {
            elelem_history_reader_push(&reader, now.bytes + at, now.size - at < 10 ? now.size - at : 10);
            status = elelem_history_reader_next(&reader, &entry);
        }
        elelem_history_reader_finish(&reader);
        CHECK_INT(elelem_history_reader_next(&reader, &entry), i == 3 ? ELELEM_OK : ELELEM_ERROR_VALUE_SIZE);
        CHECK(limits_held(&heap));
        elelem_history_reader_free(&reader);
        CHECK_U64(heap.live, 0);
    }
}

CHECK_MAIN(ROOM,
    RUN(a_parser_holds_no_more_than_its_desc_says)
    RUN(what_a_parser_skips_costs_a_bit_for_each_container)
    RUN(the_formula_of_a_parser_counts_the_patterns_that_are_still_possible)
    RUN(a_tree_holds_no_more_than_its_desc_says)
    RUN(a_decoder_holds_no_more_than_its_desc_says)
    RUN(a_tag_splitter_holds_no_more_than_its_desc_says)
    RUN(a_thought_splitter_holds_no_more_than_its_desc_says)
    RUN(a_stream_of_long_keys_numbers_and_names_holds_no_more_than_its_desc_says)
    RUN(a_turn_holds_no_more_than_its_desc_says)
    RUN(a_builder_holds_no_more_than_its_desc_says)
    RUN(open_calls_do_not_hold_more_than_the_limit_in_keys_numbers_and_nesting)
    RUN(a_recorder_holds_no_more_than_its_desc_says)
    RUN(a_coalescer_holds_no_more_than_its_desc_says)
    RUN(a_history_builder_holds_no_more_than_its_desc_says)
    RUN(a_replayer_holds_no_more_than_its_desc_says)
    RUN(an_item_reader_holds_no_more_than_its_desc_says)
    RUN(a_history_reader_holds_no_more_than_its_desc_says))
