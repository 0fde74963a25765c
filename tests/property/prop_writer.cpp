/* The laws of the writer: what it writes is read back as the same value, down to the last
   digit, whether it was written compactly or indented, from a tree or straight from fragments. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "json_model.h"

struct text_sink {
    elelem_buffer buffer;
    elelem_writer writer;

    explicit text_sink(unsigned indent)
    {
        elelem_allocator defaults = ELELEM_INIT;
        elelem_buffer_init(&buffer, defaults, 0);
        elelem_writer_init(&writer, elelem_buffer_sink(&buffer), indent);
    }
    ~text_sink() { elelem_buffer_free(&buffer); }
    text_sink(const text_sink &) = delete;

    std::string text() const { return json_bytes_of(elelem_buffer_text(&buffer)); }
};

static json_text any_text(json_value &value)
{
    json_dice dice = *json_any_dice();

    value = json_any_value(dice);
    json_text text = json_spell(value, *json_any_dice(10));
    RC_LOG() << json_shown(text.bytes) << std::endl;
    return text;
}

static std::string written(const json_steps &steps, unsigned indent)
{
    elelem_fragment_aggregator tree;
    text_sink sink(indent);
    elelem_status status;

    elelem_fragment_aggregator_init(&tree, nullptr);
    for (const json_step &step : steps) {
        json_given given(step);
        elelem_fragment_aggregator_push(&tree, &given.fragment);
    }
    status = elelem_writer_value(&sink.writer, elelem_fragment_aggregator_value(&tree));
    elelem_fragment_aggregator_free(&tree);
    RC_ASSERT(status == ELELEM_OK);
    return sink.text();
}

/* Text that is JSON and has these fragments, all of it. */
static json_steps read_back(const std::string &text)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.single_document = 1;
    desc.strict_surrogates = 1;
    RC_LOG() << "written: " << json_shown(text) << std::endl;
    json_run run = json_parse(text, json_cuts(), &desc);
    RC_ASSERT(run.status == ELELEM_END);
    RC_ASSERT(run.offset == text.size());
    return run.steps;
}

/* Whitespace between tokens, but not in strings. */
static bool has_blanks(const std::string &text)
{
    bool in_string = false;

    for (size_t i = 0; i < text.size(); i++) {
        if (text[i] == '"') in_string = !in_string;
        else if (in_string && text[i] == '\\') i++;
        else if (!in_string && strchr(" \t\r\n", text[i])) return true;
    }
    return false;
}

TEST(what_is_written_is_read_back_as_the_same_value)
{
    CHECK(rc::check("what is written is read back as the same value, numbers as they were", [] {
        json_value value;
        json_text text = any_text(value);
        json_steps steps = json_joined(text.steps);
        std::string compact = written(steps, 0);

        RC_ASSERT(read_back(compact) == steps);
        RC_ASSERT(!has_blanks(compact));
        RC_ASSERT(read_back(written(steps, *rc::gen::inRange<unsigned>(1, 9))) == steps);
    }));
}

TEST(fragments_are_written_as_their_value_is)
{
    CHECK(rc::check("fragments, however cut, are written as their value is", [] {
        json_value value;
        json_text text = any_text(value);
        unsigned indent = *rc::gen::inRange<unsigned>(0, 5);
        json_cuts cuts = json_any_cuts(*json_any_dice(), text.bytes.size());
        text_sink sink(indent);
        json_reader reader;
        elelem_fragment fragment;
        elelem_status status = ELELEM_MORE;
        size_t at = 0;

        for (size_t i = 0; status != ELELEM_END; i++) {
            size_t size = std::min(i < cuts.size() ? cuts[i] : SIZE_MAX, text.bytes.size() - at);
            json_lent lent(text.bytes, at, size);
            if (at == text.bytes.size()) elelem_fragment_parser_finish(&reader.parser);
            else RC_ASSERT(elelem_fragment_parser_push(&reader.parser, lent.bytes.get(), size) == ELELEM_OK);
            while ((status = elelem_fragment_parser_next(&reader.parser, &fragment)) == ELELEM_OK)
                RC_ASSERT(elelem_writer_fragment(&sink.writer, &fragment) == ELELEM_OK);
            RC_ASSERT(status >= 0);
            at += size;
        }
        RC_ASSERT(sink.text() == written(json_joined(text.steps), indent));
    }));
}

/* The DONEs that are missing after the first `count` steps, innermost first. */
static json_steps with_ends(const json_steps &steps, size_t count)
{
    json_steps open, ended(steps.begin(), steps.begin() + (std::ptrdiff_t)count);

    for (const json_step &step : ended) {
        if (step.kind != ELELEM_FRAGMENT_DONE) open.push_back(step);
        else if (!open.empty() && open.back().path == step.path) open.pop_back(); /* else an empty string's */
    }
    for (; !open.empty(); open.pop_back()) {
        ended.push_back(open.back());
        ended.back().kind = ELELEM_FRAGMENT_DONE;
        ended.back().text.clear();
    }
    return ended;
}

TEST(a_partial_value_is_written_with_all_its_ends)
{
    CHECK(rc::check("a partial value is written with all its ends", [] {
        json_value value;
        json_text text = any_text(value);
        json_steps steps = json_joined(text.steps);
        size_t count = *rc::gen::inRange<size_t>(1, steps.size() + 1);
        json_steps begun(steps.begin(), steps.begin() + (std::ptrdiff_t)count);

        RC_ASSERT(read_back(written(begun, 0)) == with_ends(steps, count));
    }));
}

TEST(integers_are_written_as_they_are_read)
{
    CHECK(rc::check("an integer is read back as what was written", [](int64_t number, uint64_t other) {
        text_sink sink(0);
        int64_t read = 0;
        uint64_t read_unsigned = 0;

        RC_ASSERT(elelem_writer_int64(&sink.writer, number) == ELELEM_OK);
        RC_ASSERT(elelem_number_to_int64(elelem_buffer_text(&sink.buffer), &read) == ELELEM_OK);
        RC_ASSERT(read == number);
        elelem_buffer_clear(&sink.buffer);
        elelem_writer_init(&sink.writer, elelem_buffer_sink(&sink.buffer), 0);
        RC_ASSERT(elelem_writer_uint64(&sink.writer, other) == ELELEM_OK);
        RC_ASSERT(elelem_number_to_uint64(elelem_buffer_text(&sink.buffer), &read_unsigned) == ELELEM_OK);
        RC_ASSERT(read_unsigned == other);
    }));
}

TEST(any_bytes_are_written_as_a_string)
{
    CHECK(rc::check("any bytes are written as a string: UTF-8 as it is, and nothing else", [](const std::vector<uint8_t> &bytes) {
        text_sink sink(0);
        elelem_str text = ELELEM_INIT;

        text.data = reinterpret_cast<const char *>(bytes.data());
        text.size = bytes.size();
        RC_ASSERT(elelem_writer_string(&sink.writer, text) == ELELEM_OK);
        json_steps steps = read_back(sink.text());
        std::string read = steps.size() > 1 ? steps[0].text : "";
        if (elelem_utf8_valid(text) == text.size) RC_ASSERT(read == json_bytes_of(text));
        else RC_ASSERT(read.find("\xef\xbf\xbd") != std::string::npos);
    }));
}

CHECK_MAIN("prop_writer",
    RUN(what_is_written_is_read_back_as_the_same_value)
    RUN(fragments_are_written_as_their_value_is)
    RUN(a_partial_value_is_written_with_all_its_ends)
    RUN(integers_are_written_as_they_are_read)
    RUN(any_bytes_are_written_as_a_string))
