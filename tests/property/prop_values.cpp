/* The laws of values that grow: at any time the tree is that of the fragments so far, it
   never looks more complete than it is, and neither cuts nor the order in which pieces of
   different places come change the result. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "json_model.h"

struct json_tree {
    elelem_fragment_aggregator aggregator;

    json_tree() { elelem_fragment_aggregator_init(&aggregator, nullptr); }
    ~json_tree() { elelem_fragment_aggregator_free(&aggregator); }
    json_tree(const json_tree &) = delete;

    void push(const elelem_fragment &fragment)
    {
        RC_ASSERT(elelem_fragment_aggregator_push(&aggregator, &fragment) == ELELEM_OK);
    }

    /* The fragment's path and text are gone when this is over, so the tree must have its own. */
    void push(const json_step &step)
    {
        json_step copy = step;
        json_given given(copy);
        push(given.fragment);
    }

    elelem_value root() const { return elelem_fragment_aggregator_value(&aggregator); }

    /* All the roots there are: one, or none before the first fragment. */
    std::vector<json_value> roots() const
    {
        std::vector<json_value> all;
        if (elelem_value_type(root()) != ELELEM_TYPE_NONE) all.push_back(json_value_of(root()));
        return all;
    }
};

/* A parser and the tree that it fills. */
struct grower {
    json_reader reader;
    json_tree tree;

    elelem_status push(const std::string &all, size_t at, size_t size)
    {
        json_lent lent(all, at, size);
        RC_ASSERT(elelem_fragment_parser_push(&reader.parser, lent.bytes.get(), size) == ELELEM_OK);
        return take();
    }

    elelem_status take()
    {
        elelem_fragment fragment;
        elelem_status status;

        while ((status = elelem_fragment_parser_next(&reader.parser, &fragment)) == ELELEM_OK)
            tree.push(fragment);
        return status;
    }

    elelem_status finish()
    {
        elelem_fragment_parser_finish(&reader.parser);
        return take();
    }
};

static elelem_status feed(grower &grows, const std::string &bytes, const json_cuts &cuts)
{
    elelem_status status = ELELEM_MORE;
    size_t at = 0;

    for (size_t i = 0; status == ELELEM_MORE && at < bytes.size(); i++) {
        size_t size = std::min(i < cuts.size() ? cuts[i] : SIZE_MAX, bytes.size() - at);
        status = grows.push(bytes, at, size);
        at += size;
    }
    return status == ELELEM_MORE ? grows.finish() : status;
}

struct written {
    json_value value;
    json_text text;

    explicit written(json_shape shape = json_shape())
    {
        json_dice dice = *json_any_dice();
        value = json_any_value(dice, shape);
        text = json_spell(value, *json_any_dice(10));
        RC_LOG() << json_shown(text.bytes) << std::endl;
    }
};

TEST(a_text_becomes_its_value_however_spelled_and_cut)
{
    CHECK(rc::check("a text becomes its value, however it is spelled and cut", [] {
        written it;
        grower grows;
        elelem_completed_value completed;

        RC_ASSERT(feed(grows, it.text.bytes, json_any_cuts(*json_any_dice(), it.text.bytes.size())) == ELELEM_END);
        RC_ASSERT(json_value_of(grows.tree.root()) == it.value);
        RC_ASSERT(elelem_fragment_aggregator_next(&grows.tree.aggregator, &completed) == ELELEM_OK);
        RC_ASSERT(completed.value.els_node == grows.tree.root().els_node);
        RC_ASSERT(elelem_fragment_aggregator_next(&grows.tree.aggregator, &completed) == ELELEM_END);
    }));
}

TEST(the_partial_value_is_that_of_the_bytes_so_far)
{
    CHECK(rc::check("the partial value after k bytes is that of the fragments which k bytes decide", [] {
        written it;
        grower grows;
        std::vector<json_value> expected;
        size_t next = 0;
        elelem_status status = ELELEM_MORE;

        for (size_t k = 1; k <= it.text.bytes.size() && status == ELELEM_MORE; k++) {
            grower fresh;
            status = grows.push(it.text.bytes, k - 1, 1);
            RC_ASSERT(fresh.push(it.text.bytes, 0, k) == status);
            for (; next < it.text.steps.size() && it.text.steps[next].known <= k; next++)
                json_grow(expected, it.text.steps[next]);
            RC_LOG() << "after " << k << " bytes" << std::endl;
            RC_ASSERT(grows.tree.roots() == expected);
            RC_ASSERT(fresh.tree.roots() == expected);
        }
    }));
}

/* Every value in a tree, each after all that is in it: the order of their ends. */
static void list_ends(elelem_value value, std::vector<elelem_value> &ends)
{
    for (elelem_value at = elelem_value_first(value); elelem_value_type(at) != ELELEM_TYPE_NONE; at = elelem_value_next(at))
        list_ends(at, ends);
    ends.push_back(value);
}

static json_path path_in_tree(elelem_value value)
{
    json_path path;

    for (elelem_value parent = elelem_value_parent(value); elelem_value_type(parent) != ELELEM_TYPE_NONE;
         parent = elelem_value_parent(value)) {
        json_name name;
        name.is_element = elelem_value_type(parent) == ELELEM_TYPE_ARRAY;
        name.key = json_bytes_of(elelem_value_key(value));
        name.index = elelem_value_index(value);
        path.insert(path.begin(), name);
        value = parent;
    }
    return path;
}

TEST(the_path_of_a_fragment_is_that_of_its_value_when_all_is_there)
{
    CHECK(rc::check("the path of a fragment is that of its value in the finished one", [] {
        written it;
        json_run run = json_parse(it.text.bytes, json_any_cuts(*json_any_dice(), it.text.bytes.size()));
        json_tree tree;
        std::vector<elelem_value> ends;
        size_t next = 0;

        for (const json_step &step : run.steps)
            tree.push(step);
        list_ends(tree.root(), ends);
        for (const json_step &step : run.steps) {
            if (step.kind == ELELEM_FRAGMENT_BEGIN) continue;
            RC_ASSERT(next < ends.size());
            RC_ASSERT(path_in_tree(ends[next]) == step.path);
            RC_ASSERT((int)elelem_value_type(ends[next]) == step.type);
            if (step.kind != ELELEM_FRAGMENT_DONE) RC_ASSERT(json_bytes_of(elelem_value_text(ends[next])) == step.text);
            next += step.kind == ELELEM_FRAGMENT_DONE;
        }
        RC_ASSERT(next == ends.size());
    }));
}

static std::string quoted(const json_path &path)
{
    std::string text;

    for (const json_name &name : path) {
        if (name.is_element) {
            text += "[" + std::to_string(name.index) + "]";
            continue;
        }
        text += "[\"";
        for (char c : name.key)
            text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        text += "\"]";
    }
    return text;
}

/* Members and elements one by one, the last of those that are there twice. */
static void check_lookups(elelem_value root, elelem_value at, const json_value &value, json_path &path)
{
    std::string find = quoted(path);

    RC_ASSERT(elelem_value_count(at) == value.children.size());
    if (find.find('\0') == std::string::npos)
        RC_ASSERT(elelem_value_find(root, find.c_str()).els_node == at.els_node);
    for (const json_value &child : value.children) {
        const json_value *last = &child;
        for (const json_value &other : value.children)
            if (other.name == child.name) last = &other;
        elelem_str key = ELELEM_INIT;
        key.data = child.name.key.data();
        key.size = child.name.key.size();
        elelem_value found = child.name.is_element ? elelem_value_at(at, child.name.index) : elelem_value_member(at, key);
        RC_ASSERT(json_value_of(found) == *last);
        path.push_back(child.name);
        check_lookups(root, found, *last, path);
        path.pop_back();
    }
}

TEST(everything_is_found_by_its_key_index_and_path)
{
    CHECK(rc::check("everything is found by its key, index and path, the last of the same name", [] {
        json_shape shape;
        shape.depth = 3;
        written it(shape);
        grower grows;
        json_path path;

        RC_ASSERT(feed(grows, it.text.bytes, json_cuts()) == ELELEM_END);
        check_lookups(grows.tree.root(), grows.tree.root(), it.value, path);
    }));
}

TEST(a_begin_may_be_left_out)
{
    CHECK(rc::check("without some or all BEGINs the same fragments make the same value", [] {
        written it;
        json_dice dice = *json_any_dice();
        json_tree tree;

        for (const json_step &step : it.text.steps)
            if (step.kind != ELELEM_FRAGMENT_BEGIN || dice.once_in(3)) tree.push(step);
        RC_ASSERT(json_value_of(tree.root()) == it.value);
    }));
}

/* The fragments of one value, in order, and the values in it. A container's DONE comes
   after all that is in it; its BEGIN anywhere before that, or never. */
struct source {
    json_steps steps;
    size_t next = 0;
    size_t parent = 0;
    size_t children = 0; /* that are not over */
};

static std::vector<source> sources_of(const json_steps &steps, json_dice &dice)
{
    std::vector<source> sources;
    std::vector<json_path> paths;

    for (const json_step &step : steps) {
        size_t at = 0;
        while (at < paths.size() && paths[at] != step.path)
            at++;
        if (at == paths.size()) {
            json_path above = step.path;
            source made;
            paths.push_back(step.path);
            if (!above.empty()) above.pop_back();
            while (paths[made.parent] != above)
                made.parent++;
            sources.push_back(made);
            if (made.parent != at) sources[made.parent].children++;
        }
        if (step.kind != ELELEM_FRAGMENT_BEGIN || dice.once_in(3)) sources[at].steps.push_back(step);
    }
    return sources;
}

static bool may_speak(const source &from)
{
    if (from.next == from.steps.size()) return false;
    return from.steps[from.next].kind != ELELEM_FRAGMENT_DONE || from.children == 0;
}

static json_step speak(std::vector<source> &sources, size_t at)
{
    source &from = sources[at];
    json_step step = from.steps[from.next++];

    if (from.next == from.steps.size() && from.parent != at) sources[from.parent].children--;
    return step;
}

/* One that may be next: the first of them after a place that the dice choose. */
static size_t choose(const std::vector<source> &sources, json_dice &dice)
{
    size_t start = dice.below(sources.size());

    for (size_t i = 0; i < sources.size(); i++)
        if (may_speak(sources[(start + i) % sources.size()])) return (start + i) % sources.size();
    return SIZE_MAX;
}

static json_value in_order(json_value value)
{
    auto before = [](const json_value &a, const json_value &b) {
        return a.name.is_element ? a.name.index < b.name.index : a.name.key < b.name.key;
    };

    for (json_value &child : value.children)
        child = in_order(child);
    std::sort(value.children.begin(), value.children.end(), before);
    return value;
}

TEST(pieces_of_different_places_may_come_in_any_order)
{
    CHECK(rc::check("pieces addressed to different places make the same value in whatever order they come", [] {
        json_shape shape;
        shape.unique_keys = true;
        written it(shape);
        json_dice dice = *json_any_dice(16);
        std::vector<source> sources = sources_of(it.text.steps, dice);
        std::vector<json_value> expected;
        json_tree tree;

        for (size_t at = choose(sources, dice); at != SIZE_MAX; at = choose(sources, dice)) {
            json_step step = speak(sources, at);
            RC_LOG() << step << std::endl;
            json_grow(expected, step);
            tree.push(step);
            RC_ASSERT(tree.roots() == expected);
        }
        RC_ASSERT(in_order(json_value_of(tree.root())) == in_order(it.value));
    }));
}

/* No value that is not whole is complete, and all in a complete value is complete. */
static bool is_honest(elelem_value value)
{
    for (elelem_value at = elelem_value_first(value); elelem_value_type(at) != ELELEM_TYPE_NONE; at = elelem_value_next(at)) {
        if (!is_honest(at)) return false;
        if (elelem_value_is_complete(value) && !elelem_value_is_complete(at)) return false;
    }
    return elelem_value_state_of(value) != ELELEM_VALUE_OPEN;
}

TEST(what_was_cut_off_is_never_taken_for_the_whole)
{
    CHECK(rc::check("what was cut off is never taken for the whole", [] {
        json_shape shape;
        shape.container_root = true;
        written it(shape);
        grower grows;
        std::vector<json_value> expected;
        elelem_completed_value completed;
        size_t k = *rc::gen::inRange<size_t>(0, it.text.end);

        RC_ASSERT(grows.push(it.text.bytes, 0, k) == ELELEM_MORE);
        elelem_fragment_aggregator_finish(&grows.tree.aggregator);
        for (const json_step &step : it.text.steps)
            if (step.known <= k) json_grow(expected, step);
        RC_ASSERT(grows.tree.roots() == expected);
        RC_ASSERT(elelem_fragment_aggregator_next(&grows.tree.aggregator, &completed) == ELELEM_END);
        RC_ASSERT((expected.empty() || is_honest(grows.tree.root())));
    }));
}

/* Any fragments, from so few places that many of them fit; some are invalid. */
static json_step any_step(json_dice &dice)
{
    static const char *const texts[] = { "1", "x", "null", "" };
    json_step step;

    for (size_t count = dice.below(3); count > 0; count--) {
        json_name name;
        name.is_element = dice.once_in(6);
        if (name.is_element) name.index = dice.below(3);
        else name.key = std::string(dice.below(2), 'a');
        step.path.push_back(name);
    }
    step.kind = (int)(dice.once_in(20) ? 4 : dice.below(4));
    step.type = dice.once_in(3) ? (int)dice.below(8) : ELELEM_TYPE_OBJECT;
    if (step.kind == ELELEM_FRAGMENT_STRING || step.kind == ELELEM_FRAGMENT_SCALAR) step.text = dice.one_of(texts);
    return step;
}

/* Nonzero if in a complete value all is complete, and each has its parent and key or index. */
static bool is_sound(elelem_value value)
{
    for (elelem_value at = elelem_value_first(value); elelem_value_type(at) != ELELEM_TYPE_NONE; at = elelem_value_next(at)) {
        if (elelem_value_parent(at).els_node != value.els_node || !is_sound(at)) return false;
        if (elelem_value_is_complete(value) && !elelem_value_is_complete(at)) return false;
    }
    return true;
}

TEST(a_fragment_that_does_not_fit_changes_nothing)
{
    CHECK(rc::check("a fragment that does not fit changes nothing, and one that does makes no other part whole", [] {
        json_dice dice = *json_any_dice();
        json_tree tree;

        while (dice.at < dice.drawn.size()) {
            if (elelem_value_state_of(tree.root()) != ELELEM_VALUE_OPEN) elelem_fragment_aggregator_reset(&tree.aggregator);
            json_step step = any_step(dice);
            json_given given(step);
            std::vector<json_value> before = tree.roots();
            elelem_status status = elelem_fragment_aggregator_push(&tree.aggregator, &given.fragment);
            RC_ASSERT((status == ELELEM_OK || status == ELELEM_ERROR_MISUSE));
            if (status == ELELEM_ERROR_MISUSE) RC_ASSERT(tree.roots() == before);
            RC_ASSERT(is_sound(tree.root()));
        }
    }));
}

CHECK_MAIN("prop_values",
    RUN(a_text_becomes_its_value_however_spelled_and_cut)
    RUN(the_partial_value_is_that_of_the_bytes_so_far)
    RUN(the_path_of_a_fragment_is_that_of_its_value_when_all_is_there)
    RUN(everything_is_found_by_its_key_index_and_path)
    RUN(a_begin_may_be_left_out)
    RUN(pieces_of_different_places_may_come_in_any_order)
    RUN(what_was_cut_off_is_never_taken_for_the_whole)
    RUN(a_fragment_that_does_not_fit_changes_nothing))
