/* The laws of the fragment parser: its results do not depend on how a text is spelled or
   cut, and what a byte decides is returned at that byte. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "json_model.h"

#include <algorithm>

/* A value, and one way to write it down. */
struct written {
    json_value value;
    json_text text;

    explicit written(json_shape shape = json_shape(), bool halves = true)
    {
        json_dice dice = *json_any_dice();
        value = json_any_value(dice, shape);
        text = json_spell(value, *json_any_dice(10), halves);
        RC_LOG() << json_shown(text.bytes) << std::endl;
    }
};

static json_shape in_container()
{
    json_shape shape;

    shape.container_root = true;
    return shape;
}

static json_cuts any_cuts(size_t size)
{
    json_cuts cuts = json_any_cuts(*json_any_dice(), size);

    RC_LOG() << "cut into " << rc::toString(cuts) << std::endl;
    return cuts;
}

TEST(a_text_gives_the_fragments_of_its_value_however_spelled_and_cut)
{
    CHECK(rc::check("a text gives the fragments of its value, however it is spelled and cut", [] {
        written it;
        json_run run = json_parse(it.text.bytes, any_cuts(it.text.bytes.size()));

        RC_ASSERT(run.status == ELELEM_END);
        RC_ASSERT(run.offset == it.text.end);
        RC_ASSERT(run.steps == json_joined(it.text.steps));
    }));
}

TEST(a_fragment_is_out_with_the_byte_that_decides_it)
{
    CHECK(rc::check("a fragment is out with the byte that decides it, and not before", [] {
        written it;
        json_reader reader;
        json_steps known;
        size_t next = 0;
        elelem_status status = ELELEM_MORE;

        for (size_t k = 1; k <= it.text.bytes.size() && status == ELELEM_MORE; k++) {
            status = reader.push(it.text.bytes, k - 1, 1);
            for (; next < it.text.steps.size() && it.text.steps[next].known <= k; next++)
                json_join(known, it.text.steps[next]);
            RC_LOG() << "after " << k << " bytes" << std::endl;
            RC_ASSERT(reader.steps.size() == known.size());
            if (!known.empty()) RC_ASSERT(reader.steps.back() == known.back());
            RC_ASSERT((status == ELELEM_END) == (next == it.text.steps.size()));
        }
    }));
}

TEST(whatever_ends_too_early_is_truncated_there)
{
    CHECK(rc::check("whatever ends too early is truncated, at its end", [] {
        written it(in_container());

        for (size_t k = 0; k < it.text.end; k++) {
            json_run run = json_parse(it.text.bytes.substr(0, k), json_cuts());
            RC_ASSERT(run.status == ELELEM_ERROR_TRUNCATED);
            RC_ASSERT(run.offset == k);
        }
    }));
}

static elelem_fragment_parser_desc any_settings()
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    json_dice dice = *json_any_dice();

    desc.single_document = dice.once_in(2);
    desc.strict_surrogates = dice.once_in(2);
    if (dice.once_in(3)) desc.max_depth = 1 + (uint32_t)dice.below(6);
    if (dice.once_in(3)) desc.max_key_bytes = 1 + (uint32_t)dice.below(8);
    if (dice.once_in(3)) desc.max_path_bytes = 1 + (uint32_t)dice.below(12);
    if (dice.once_in(3)) desc.max_number_bytes = 1 + (uint32_t)dice.below(8);
    if (dice.once_in(3)) desc.max_string_bytes = 1 + dice.below(20);
    if (dice.once_in(4)) desc.max_total_bytes = 1 + dice.below(100);
    return desc;
}

TEST(damaged_texts_stop_in_the_same_way_however_cut)
{
    CHECK(rc::check("damaged or not and under any limits, a text gives the same fragments, end and offset however cut", [] {
        written it;
        elelem_fragment_parser_desc desc = any_settings();
        std::string bytes = *rc::gen::arbitrary<bool>() ? json_damaged(it.text.bytes, *json_any_dice()) : it.text.bytes;

        RC_LOG() << "damaged: " << json_shown(bytes) << std::endl;
        json_run whole = json_parse(bytes, json_cuts(), &desc);
        RC_ASSERT(json_parse(bytes, json_cuts(bytes.size(), 1), &desc) == whole);
        RC_ASSERT(json_parse(bytes, any_cuts(bytes.size()), &desc) == whole);
    }));
}

/* The byte at the offset cannot be right and those before it can: they alone are no error. */
TEST(an_error_is_at_the_first_byte_that_cannot_be_right)
{
    CHECK(rc::check("an error stands at the first byte that cannot be right", [] {
        written it(in_container());
        std::string bytes = json_damaged(it.text.bytes, *json_any_dice());
        json_run run = json_parse(bytes, json_cuts());

        RC_LOG() << "damaged: " << json_shown(bytes) << std::endl;
        if (run.status >= 0) return;
        size_t at = (size_t)run.offset;
        json_run before = json_parse(bytes.substr(0, at), json_cuts());
        /* A number at the root is whole wherever it may end. */
        size_t first = bytes.find_first_not_of(" \n\r\t");
        if (before.status == ELELEM_END && strchr("-0123456789", bytes[first])) return;
        RC_ASSERT(before.status == ELELEM_ERROR_TRUNCATED);
        RC_ASSERT(before.offset == at);
        if (run.status == ELELEM_ERROR_TRUNCATED) return;
        RC_ASSERT(json_parse(bytes.substr(0, at + 1), json_cuts()) == run);
    }));
}

/* Takes all values that follow one another: the steps of each, and the offset after it. */
struct followed {
    std::vector<json_steps> values;
    std::vector<uint64_t> ends;
};

static elelem_status take_all(json_reader &reader, followed &all)
{
    elelem_status status = reader.take();

    while (status == ELELEM_END && !reader.steps.empty()) {
        all.values.push_back(reader.steps);
        all.ends.push_back(elelem_fragment_parser_offset(&reader.parser));
        reader.steps.clear();
        RC_ASSERT(elelem_fragment_parser_restart(&reader.parser) == ELELEM_OK);
        status = reader.take();
    }
    return status;
}

static followed follow(const std::string &bytes, const json_cuts &cuts)
{
    json_reader reader;
    followed all;
    size_t at = 0;

    for (size_t i = 0; at < bytes.size(); i++) {
        size_t size = std::min(i < cuts.size() ? cuts[i] : SIZE_MAX, bytes.size() - at);
        json_lent lent(bytes, at, size);
        RC_ASSERT(elelem_fragment_parser_push(&reader.parser, lent.bytes.get(), size) == ELELEM_OK);
        RC_ASSERT(take_all(reader, all) == ELELEM_MORE);
        at += size;
    }
    elelem_fragment_parser_finish(&reader.parser);
    RC_ASSERT(take_all(reader, all) == ELELEM_END);
    return all;
}

TEST(values_that_follow_one_another_are_each_read_as_if_alone)
{
    CHECK(rc::check("values behind one another are each read as if alone", [] {
        std::string bytes;
        std::vector<json_steps> expected;
        std::vector<uint64_t> ends;

        for (size_t count = *rc::gen::inRange<size_t>(1, 5); count > 0; count--) {
            written it;
            expected.push_back(json_joined(it.text.steps));
            ends.push_back(bytes.size() + it.text.end);
            bytes += it.text.bytes;
            if (!it.value.is_container() && it.value.type != ELELEM_TYPE_STRING) bytes += '\n';
        }
        followed all = follow(bytes, any_cuts(bytes.size()));
        RC_ASSERT(all.values == expected);
        RC_ASSERT(all.ends == ends);
    }));
}

/* Comes after the BEGIN or the piece at which a value was skipped: another member may have the same key and so the same path. */
static json_step skipped_mark()
{
    json_step mark = json_step();

    mark.kind = 0xff;
    return mark;
}

/* Skips by choices, one for each value that can be skipped. */
static json_steps skip_some(const std::string &bytes, const json_cuts &cuts, const std::vector<bool> &choices)
{
    json_reader reader;
    elelem_fragment fragment;
    elelem_status status = ELELEM_MORE;
    size_t at = 0, chance = 0;

    for (size_t i = 0; status == ELELEM_MORE && at < bytes.size(); i++) {
        size_t size = std::min(i < cuts.size() ? cuts[i] : SIZE_MAX, bytes.size() - at);
        json_lent lent(bytes, at, size);
        RC_ASSERT(elelem_fragment_parser_push(&reader.parser, lent.bytes.get(), size) == ELELEM_OK);
        while ((status = elelem_fragment_parser_next(&reader.parser, &fragment)) == ELELEM_OK) {
            size_t before = reader.steps.size();
            reader.keep(fragment);
            if (fragment.kind != ELELEM_FRAGMENT_BEGIN && fragment.kind != ELELEM_FRAGMENT_STRING) continue;
            if (reader.steps.size() == before) continue; /* not its first piece */
            if (chance < choices.size() && choices[chance]) {
                RC_ASSERT(elelem_fragment_parser_skip(&reader.parser) == ELELEM_OK);
                reader.steps.push_back(skipped_mark());
            }
            chance++;
        }
        at += size;
    }
    RC_ASSERT(status == ELELEM_END);
    return reader.steps;
}

/* The same from the fragments of all. */
static json_steps without_skipped(const json_steps &steps, const std::vector<bool> &choices)
{
    json_steps kept;
    size_t chance = 0;

    for (size_t i = 0; i < steps.size(); i++) {
        kept.push_back(steps[i]);
        if (steps[i].kind != ELELEM_FRAGMENT_BEGIN && steps[i].kind != ELELEM_FRAGMENT_STRING) continue;
        if (!(chance < choices.size() && choices[chance++])) continue;
        kept.push_back(skipped_mark());
        json_path path = steps[i].path;
        while (steps[i].kind != ELELEM_FRAGMENT_DONE || steps[i].path != path)
            i++;
    }
    return kept;
}

/* How much of a string's first piece there is depends on the cuts; a string that was skipped only has to begin with it. */
static void shorten_skipped_text(json_steps &steps, const json_steps &found)
{
    for (size_t i = 0; i + 1 < steps.size() && i < found.size(); i++) {
        const std::string &piece = found[i].text;
        bool is_skipped = steps[i].kind == ELELEM_FRAGMENT_STRING && steps[i + 1] == skipped_mark();
        if (is_skipped && steps[i].text.compare(0, piece.size(), piece) == 0) steps[i].text = piece;
    }
}

TEST(a_skipped_value_gives_nothing_more_and_changes_nothing_else)
{
    CHECK(rc::check("a skipped value gives nothing more and changes nothing else", [] {
        written it(in_container());
        std::vector<bool> choices = *rc::gen::arbitrary<std::vector<bool>>();
        json_steps found = skip_some(it.text.bytes, any_cuts(it.text.bytes.size()), choices);
        json_steps expected = without_skipped(json_joined(it.text.steps), choices);

        shorten_skipped_text(expected, found);
        RC_ASSERT(found == expected);
    }));
}

CHECK_MAIN("prop_json",
    RUN(a_text_gives_the_fragments_of_its_value_however_spelled_and_cut)
    RUN(a_fragment_is_out_with_the_byte_that_decides_it)
    RUN(whatever_ends_too_early_is_truncated_there)
    RUN(damaged_texts_stop_in_the_same_way_however_cut)
    RUN(an_error_is_at_the_first_byte_that_cannot_be_right)
    RUN(values_that_follow_one_another_are_each_read_as_if_alone)
    RUN(a_skipped_value_gives_nothing_more_and_changes_nothing_else))
