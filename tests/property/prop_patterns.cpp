/* The laws of path patterns: a parser with patterns gives those of all fragments that a
   pattern matches, and refuses what it would refuse without patterns. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "json_model.h"

#include <regex>

/* One step of a pattern, and how it is spelled. */
struct step_model {
    json_name name;
    bool is_any = false;
};

typedef std::vector<step_model> pattern_model;

static bool matches(const step_model &step, const json_name &name)
{
    if (step.is_any) return step.name.is_element == name.is_element;
    return step.name == name;
}

/* Nonzero if the first names of a path, as many as the pattern has steps, match it. */
static bool leads(const pattern_model &pattern, const json_path &path)
{
    if (pattern.size() > path.size()) return false;
    for (size_t i = 0; i < pattern.size(); i++)
        if (!matches(pattern[i], path[i])) return false;
    return true;
}

static bool is_plain(const std::string &key)
{
    for (char c : key)
        if ((unsigned char)c <= 0x20 || strchr(".[]*\"\\", c)) return false;
    return !key.empty();
}

static std::string quoted(const std::string &key)
{
    std::string text = "[\"";

    for (char c : key) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + "\"]";
}

static std::string spelled(const pattern_model &pattern, json_dice &dice)
{
    std::string text;

    for (const step_model &step : pattern) {
        const char *dot = text.empty() ? "" : ".";
        if (step.name.is_element) text += "[" + (step.is_any ? "*" : std::to_string(step.name.index)) + "]";
        else if (step.is_any) text += std::string(dot) + "*";
        else if (is_plain(step.name.key) && !dice.once_in(4)) text += dot + step.name.key;
        else text += quoted(step.name.key);
    }
    return text;
}

/* Zero bytes cannot be spelled in a C string. */
static bool can_be_spelled(const pattern_model &pattern)
{
    for (const step_model &step : pattern)
        if (!step.is_any && step.name.key.find('\0') != std::string::npos) return false;
    return true;
}

/* Mostly the path of a value that is there, or the start of one. */
static pattern_model any_pattern(json_dice &dice, const json_steps &steps)
{
    const json_path &path = steps[dice.below(steps.size())].path;
    size_t size = dice.once_in(3) ? dice.below(path.size() + 1) : path.size();
    pattern_model pattern;

    for (size_t i = 0; i < size; i++) {
        step_model step;
        step.name = path[i];
        step.is_any = dice.once_in(3);
        if (dice.once_in(12)) step.name.is_element = !step.name.is_element;
        if (step.name.is_element) step.name.key.clear();
        else step.name.index = 0;
        pattern.push_back(step);
    }
    return pattern;
}

struct wanted {
    std::vector<pattern_model> models;
    std::vector<std::string> texts;
    std::vector<elelem_pattern_node> nodes;
    std::vector<uint16_t> which;
    elelem_patterns patterns;

    explicit wanted(const json_steps &steps)
    {
        json_dice dice = *json_any_dice();
        size_t most = 1;
        for (size_t count = 1 + dice.below(4); count > 0; count--) {
            pattern_model model = any_pattern(dice, steps);
            if (!can_be_spelled(model)) continue;
            models.push_back(model);
            texts.push_back(spelled(model, dice));
            most += model.size();
            RC_LOG() << "pattern " << json_shown(texts.back()) << std::endl;
        }
        std::vector<const char *> c_texts(texts.size());
        for (size_t i = 0; i < texts.size(); i++)
            c_texts[i] = texts[i].c_str();
        nodes.resize(most);
        which.resize(texts.size());
        RC_ASSERT(elelem_patterns_compile(&patterns, nodes.data(), most, c_texts.data(), texts.size(), which.data(),
                                          nullptr) == ELELEM_OK);
    }
    wanted(const wanted &) = delete;

    size_t nearest(const json_path &path) const
    {
        size_t best = SIZE_MAX;
        for (const pattern_model &model : models)
            if (leads(model, path)) best = std::min(best, model.size());
        return best;
    }

    /* Nonzero if this may be the node of a fragment: one of those nearest to the root. */
    bool may_name(int node, const json_path &path) const
    {
        for (size_t i = 0; i < models.size(); i++)
            if (which[i] == node && models[i].size() == nearest(path) && leads(models[i], path)) return true;
        return false;
    }

    elelem_fragment_parser_desc desc() const
    {
        elelem_fragment_parser_desc made = ELELEM_INIT;
        made.patterns = &patterns;
        return made;
    }
};

static void check_filtered(const wanted &want, const json_steps &all, json_steps found)
{
    json_steps expected;

    for (const json_step &step : all)
        if (want.nearest(step.path) != SIZE_MAX) expected.push_back(step);
    for (json_step &step : found) {
        json_given_path path(step.path);
        RC_ASSERT(want.may_name(step.pattern, step.path));
        RC_ASSERT(elelem_patterns_find(&want.patterns, &path.path) == step.pattern);
        step.pattern = ELELEM_NO_PATTERN;
    }
    RC_ASSERT(found == expected);
}

static json_text any_text()
{
    json_shape shape;
    json_dice dice = *json_any_dice();

    shape.container_root = true;
    json_text text = json_spell(json_any_value(dice, shape), *json_any_dice());
    RC_LOG() << json_shown(text.bytes) << std::endl;
    return text;
}

TEST(patterns_take_out_what_they_do_not_name)
{
    CHECK(rc::check("patterns give what is left of all fragments when others are taken out", [] {
        json_text text = any_text();
        wanted want(text.steps);
        elelem_fragment_parser_desc desc = want.desc();
        json_run run = json_parse(text.bytes, json_any_cuts(*json_any_dice(), text.bytes.size()), &desc);

        RC_ASSERT(run.status == ELELEM_END);
        RC_ASSERT(run.offset == text.end);
        check_filtered(want, json_joined(text.steps), run.steps);
    }));
}

TEST(what_is_not_wanted_is_validated_like_everything_else)
{
    CHECK(rc::check("what nobody wants is refused at the same byte and for the same reason", [] {
        json_text text = any_text();
        wanted want(text.steps);
        elelem_fragment_parser_desc desc = want.desc(), all = ELELEM_INIT;
        std::string bytes = json_damaged(text.bytes, *json_any_dice());

        desc.strict_surrogates = all.strict_surrogates = *rc::gen::arbitrary<bool>();
        RC_LOG() << "damaged: " << json_shown(bytes) << std::endl;
        json_run expected = json_parse(bytes, json_cuts(), &all);
        json_run run = json_parse(bytes, json_any_cuts(*json_any_dice(), bytes.size()), &desc);
        RC_ASSERT(run.status == expected.status);
        RC_ASSERT(run.offset == expected.offset);
        check_filtered(want, expected.steps, run.steps);
    }));
}

TEST(a_pattern_matches_a_path_only_if_all_steps_match)
{
    CHECK(rc::check("a path is what a pattern names just where all steps match", [] {
        json_text text = any_text();
        wanted want(text.steps);

        for (const json_step &step : text.steps) {
            json_given_path path(step.path);
            for (size_t i = 0; i < want.models.size(); i++) {
                bool expected = want.models[i].size() == step.path.size() && leads(want.models[i], step.path);
                RC_ASSERT((elelem_path_is(&path.path, want.texts[i].c_str()) != 0) == expected);
            }
        }
    }));
}

/* pattern = [ first *( "." member / element ) ]      first = member / element
   member  = "*" / 1*plain                            element = "[" ( "*" / digits / quoted ) "]" */
static bool is_pattern(const std::string &text)
{
    static const std::string member = R"re((?:\*|[^\x01-\x20.\[\]*"\\]+))re";
    static const std::string element = R"re((?:\[(?:\*|[0-9]+|"(?:[^"\\]|\\["\\])*")\]))re";
    static const std::regex grammar("(?:(?:" + member + "|" + element + ")(?:\\." + member + "|" + element + ")*)?");

    return std::regex_match(text, grammar);
}

TEST(a_pattern_compiles_only_if_it_follows_its_grammar)
{
    CHECK(rc::check("a pattern compiles just where its grammar says so", [] {
        static const char *const pieces[] = { "a", ".", "[", "]", "*", "[*]", "[7]", "\"", "\\", "[\"", "\"]", "b", "0", " ",
                                              ".a", "[\"\\\"\"]", "\x7f", "\xc3\xa9" };
        json_dice dice = *json_any_dice(0.3);
        std::string text;
        const char *c_text;
        elelem_pattern_node nodes[64];
        elelem_patterns patterns;
        elelem_error error;
        elelem_value none = ELELEM_INIT;

        for (size_t i = 0; i < dice.drawn.size(); i++)
            text += dice.one_of(pieces);
        RC_LOG() << text << std::endl;
        c_text = text.c_str();
        elelem_status status = elelem_patterns_compile(&patterns, nodes, 64, &c_text, 1, nullptr, &error);
        RC_ASSERT(status == (is_pattern(text) ? ELELEM_OK : ELELEM_ERROR_PATTERN));
        RC_ASSERT(error.status == status);
        RC_ASSERT(error.offset <= text.size());
        RC_ASSERT(elelem_value_type(elelem_value_find(none, c_text)) == ELELEM_TYPE_NONE);
    }));
}

CHECK_MAIN("prop_patterns",
    RUN(patterns_take_out_what_they_do_not_name)
    RUN(what_is_not_wanted_is_validated_like_everything_else)
    RUN(a_pattern_matches_a_path_only_if_all_steps_match)
    RUN(a_pattern_compiles_only_if_it_follows_its_grammar))
