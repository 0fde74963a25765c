/* The law of memory for parser, value and writer: whichever call the allocator refuses, the
   outcome is either an error or complete, nothing leaks, and a reset is enough to continue.
   The allocator moves and overwrites every block on every call. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "json_model.h"

struct pipeline {
    elelem_fragment_parser parser;
    elelem_fragment_aggregator tree;
    elelem_buffer buffer;

    explicit pipeline(elelem_allocator allocator)
    {
        elelem_fragment_parser_desc desc = ELELEM_INIT;
        elelem_fragment_aggregator_desc tree_desc = ELELEM_INIT;

        desc.allocator = tree_desc.allocator = allocator;
        elelem_fragment_parser_init(&parser, &desc);
        elelem_fragment_aggregator_init(&tree, &tree_desc);
        elelem_buffer_init(&buffer, allocator, 0);
    }
    ~pipeline() { give_back(); }
    pipeline(const pipeline &) = delete;

    void give_back()
    {
        elelem_fragment_parser_free(&parser);
        elelem_fragment_aggregator_free(&tree);
        elelem_buffer_free(&buffer);
    }

    void reset()
    {
        elelem_fragment_parser_reset(&parser);
        elelem_fragment_aggregator_reset(&tree);
        elelem_buffer_clear(&buffer);
    }

    /* END, or the first error of the three. */
    elelem_status run(const std::string &bytes, const json_cuts &cuts)
    {
        elelem_status status = ELELEM_MORE;
        elelem_writer writer;
        size_t at = 0;

        for (size_t i = 0; status == ELELEM_MORE && at < bytes.size(); i++) {
            size_t size = std::min(i < cuts.size() ? cuts[i] : SIZE_MAX, bytes.size() - at);
            json_lent lent(bytes, at, size);
            RC_ASSERT(elelem_fragment_parser_push(&parser, lent.bytes.get(), size) == ELELEM_OK);
            status = take();
            at += size;
        }
        elelem_fragment_parser_finish(&parser);
        if (status == ELELEM_MORE) status = take();
        if (status != ELELEM_END) return status;
        elelem_writer_init(&writer, elelem_buffer_sink(&buffer), 0);
        status = elelem_writer_value(&writer, elelem_fragment_aggregator_value(&tree));
        return status == ELELEM_OK ? ELELEM_END : status;
    }

    std::string text() const { return json_bytes_of(elelem_buffer_text(&buffer)); }
    bool is_whole() const { return elelem_value_is_complete(elelem_fragment_aggregator_value(&tree)) != 0; }

private:
    elelem_status take()
    {
        elelem_fragment fragment;
        elelem_status status, pushed = ELELEM_OK;

        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK && pushed == ELELEM_OK)
            pushed = elelem_fragment_aggregator_push(&tree, &fragment);
        return pushed == ELELEM_OK ? status : pushed;
    }
};

struct example {
    json_value value;
    std::string bytes;
    json_cuts cuts;
    std::string expected;
    size_t calls = 0; /* of the allocator if it refuses nothing */

    example()
    {
        json_heap heap;
        json_dice dice = *json_any_dice(2);

        value = json_any_value(dice);
        bytes = json_spell(value, *json_any_dice()).bytes;
        cuts = json_any_cuts(*json_any_dice(), bytes.size());
        RC_LOG() << json_shown(bytes) << std::endl;
        pipeline all(heap.allocator());
        RC_ASSERT(all.run(bytes, cuts) == ELELEM_END);
        RC_ASSERT(json_value_of(elelem_fragment_aggregator_value(&all.tree)) == value);
        expected = all.text();
        calls = heap.calls;
    }
};

static void refuse_each(const example &it, bool stays)
{
    for (size_t k = 1; k <= it.calls; k++) {
        json_heap heap;
        heap.refuse = k;
        heap.stays = stays;
        pipeline all(heap.allocator());
        elelem_status status = all.run(it.bytes, it.cuts);
        RC_LOG() << "refused call " << k << ": " << elelem_status_name(status) << std::endl;
        RC_ASSERT((status == ELELEM_END || status == ELELEM_ERROR_MEMORY));
        if (status == ELELEM_END) RC_ASSERT(all.text() == it.expected);
        if (status == ELELEM_END) RC_ASSERT(all.is_whole());
        heap.refuse = 0;
        all.reset();
        RC_ASSERT(all.run(it.bytes, it.cuts) == ELELEM_END);
        RC_ASSERT(all.text() == it.expected);
        all.give_back();
        RC_ASSERT(heap.live == 0u);
    }
}

TEST(a_refused_call_is_an_error_or_survived)
{
    CHECK(rc::check("any one refused call is an error or survived, and nothing leaks", [] { refuse_each(example(), false); }));
}

TEST(no_more_memory_is_an_error_or_survived)
{
    CHECK(rc::check("no more memory from any call on is an error or survived, and nothing leaks",
                    [] { refuse_each(example(), true); }));
}

TEST(a_fixed_buffer_is_enough_or_an_error)
{
    CHECK(rc::check("in a fixed buffer of any size all goes well or ends in an error", [] {
        example it;
        std::vector<unsigned char> memory(*rc::gen::inRange<size_t>(0, 4 * it.bytes.size() + 512));
        elelem_arena arena;
        elelem_allocator allocator = elelem_arena_init(&arena, memory.data(), memory.size());
        pipeline all(allocator);
        elelem_status status = all.run(it.bytes, it.cuts);

        RC_ASSERT((status == ELELEM_END || status == ELELEM_ERROR_MEMORY));
        if (status == ELELEM_END) RC_ASSERT(all.text() == it.expected);
        all.give_back();
        RC_ASSERT(elelem_arena_used(&arena) == 0u);
        RC_ASSERT(elelem_arena_peak(&arena) <= memory.size());
    }));
}

CHECK_MAIN("prop_json_memory",
    RUN(a_refused_call_is_an_error_or_survived)
    RUN(no_more_memory_is_an_error_or_survived)
    RUN(a_fixed_buffer_is_enough_or_an_error))
