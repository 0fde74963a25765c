#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "fragments.h"

#define NODES 64

typedef struct pattern_set {
    elelem_patterns patterns;
    elelem_pattern_node nodes[NODES];
    uint16_t which[NODES];
    size_t count;
} pattern_set;

/* Compiles texts that end with a null pointer. */
static elelem_status compile(pattern_set *set, const char *const *texts)
{
    for (set->count = 0; texts[set->count];)
        set->count++;
    return elelem_patterns_compile(&set->patterns, set->nodes, NODES, texts, set->count, set->which, NULL);
}

/* A path that is written down: "a" is a member; an element has a null key and an index. */
typedef struct step {
    const char *key;
    uint32_t index;
} step;

static elelem_path path_of(elelem_segment *segments, const step *steps, size_t count)
{
    elelem_path path;
    size_t i;

    for (i = 0; i < count; i++) {
        memset(&segments[i], 0, sizeof segments[i]);
        segments[i].key = elelem_str_of(steps[i].key);
        segments[i].index = steps[i].index;
    }
    path.segments = segments;
    path.count = count;
    return path;
}

/* elelem_path_is. */

TEST(a_pattern_matches_exactly_its_path)
{
    static const struct {
        const char *pattern;
        step steps[4];
        size_t count;
        int is;
    } rows[] = {
        { "", { { 0, 0 } }, 0, 1 },
        { "", { { "a", 0 } }, 1, 0 },
        { "", { { "", 0 } }, 1, 0 },
        { "a", { { "a", 0 } }, 1, 1 },
        { "a", { { 0, 0 } }, 0, 0 },
        { "a", { { "b", 0 } }, 1, 0 },
        { "a", { { "ab", 0 } }, 1, 0 },
        { "ab", { { "a", 0 } }, 1, 0 },
        { "a", { { 0, 0 } }, 1, 0 },
        { "a", { { "a", 0 }, { "b", 0 } }, 2, 0 },
        { "a.b", { { "a", 0 }, { "b", 0 } }, 2, 1 },
        { "a.b", { { "a", 0 } }, 1, 0 },
        { "a.b", { { "a.b", 0 } }, 1, 0 },
        { "[2]", { { 0, 2 } }, 1, 1 },
        { "[2]", { { 0, 3 } }, 1, 0 },
        { "[2]", { { "2", 2 } }, 1, 0 },
        { "2", { { 0, 2 } }, 1, 0 },
        { "2", { { "2", 0 } }, 1, 1 },
        { "[4294967295]", { { 0, 4294967295u } }, 1, 1 },
        { "patterns[0].old", { { "patterns", 0 }, { 0, 0 }, { "old", 0 } }, 3, 1 },
        { "patterns[1].old", { { "patterns", 0 }, { 0, 0 }, { "old", 0 } }, 3, 0 },
        { "items[*].name", { { "items", 0 }, { 0, 77 }, { "name", 0 } }, 3, 1 },
        { "items[*].name", { { "items", 0 }, { "x", 0 }, { "name", 0 } }, 3, 0 },
        { "[0][1][*]", { { 0, 0 }, { 0, 1 }, { 0, 9 } }, 3, 1 },
        { "*", { { "any", 0 } }, 1, 1 },
        { "*", { { "", 0 } }, 1, 1 },
        { "*", { { 0, 0 } }, 1, 0 },
        { "[*]", { { "*", 0 } }, 1, 0 },
        { "*.x", { { "y", 0 }, { "x", 0 } }, 2, 1 },
        { "a.*", { { "a", 0 }, { "*", 0 } }, 2, 1 },
        { "[\"odd.key\"]", { { "odd.key", 0 } }, 1, 1 },
        { "[\"odd.key\"]", { { "odd", 0 }, { "key", 0 } }, 2, 0 },
        { "a[\"b c\"].d", { { "a", 0 }, { "b c", 0 }, { "d", 0 } }, 3, 1 },
        { "[\"\"]", { { "", 0 } }, 1, 1 },
        { "[\"\"]", { { 0, 0 } }, 1, 0 },
        { "[\"plain\"]", { { "plain", 0 } }, 1, 1 },
        { "[\"[]*.\"]", { { "[]*.", 0 } }, 1, 1 },
        { "[\"\\\"\"]", { { "\"", 0 } }, 1, 1 },
        { "[\"\\\\\"]", { { "\\", 0 } }, 1, 1 },
        { "[\"a\\\"b\\\\c\"]", { { "a\"b\\c", 0 } }, 1, 1 },
        { "[\"a\\\"b\"]", { { "a\\\"b", 0 } }, 1, 0 },
        { "[\"a\\\"b\"]", { { "a", 0 } }, 1, 0 },
        { "[\"a\\\"\"]", { { "a\"b", 0 } }, 1, 0 },
        { "[\"\t\n\"]", { { "\t\n", 0 } }, 1, 1 },
        { "$ref.@id", { { "$ref", 0 }, { "@id", 0 } }, 2, 1 },
        { "\xc3\xa9", { { "\xc3\xa9", 0 } }, 1, 1 },
        { "a.", { { "a", 0 } }, 1, 0 },
        { "a[", { { "a", 0 } }, 1, 0 },
        { "a b", { { "a", 0 } }, 1, 0 },
        { "a b", { { "a b", 0 } }, 1, 0 },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_segment segments[4];
        elelem_path path = path_of(segments, rows[i].steps, rows[i].count);
        check_context(rows[i].pattern);
        check_cut("row", i);
        CHECK_INT(elelem_path_is(&path, rows[i].pattern) != 0, rows[i].is);
    }
}

TEST(a_key_matches_only_if_each_of_its_bytes_does)
{
    char pattern[41], key[41];
    size_t size, at;

    for (size = 1; size <= 40; size++) {
        elelem_segment segments[1];
        step named = { key, 0 };
        elelem_path path;
        for (at = 0; at < size; at++)
            pattern[at] = key[at] = (char)('a' + at % 26);
        pattern[size] = key[size] = '\0';
        path = path_of(segments, &named, 1);
        check_cut("size", size);
        CHECK(elelem_path_is(&path, pattern));
        for (at = 0; at < size; at++) {
            key[at]++;
            CHECK(!elelem_path_is(&path, pattern));
            key[at]--;
        }
    }
}

TEST(a_null_pattern_is_the_root)
{
    elelem_segment segments[1];
    step a = { "a", 0 };
    elelem_path path = path_of(segments, &a, 0);

    CHECK(elelem_path_is(&path, NULL));
    path = path_of(segments, &a, 1);
    CHECK(!elelem_path_is(&path, NULL));
}

/* Compiling. */

TEST(a_bad_pattern_is_refused_at_the_byte_that_cannot_be_right)
{
    static const struct {
        const char *text;
        unsigned at;
    } rows[] = { { ".", 0 },        { ".a", 0 },      { "a.", 2 },      { "a..b", 2 },   { "a.[0]", 2 },  { "[", 1 },
                 { "[]", 1 },       { "[a]", 1 },     { "[-1]", 1 },    { "[1", 2 },     { "[1a]", 2 },   { "[*", 2 },
                 { "[**]", 2 },     { "**", 1 },      { "a*", 1 },      { "*a", 1 },     { "a]", 1 },     { "]", 0 },
                 { "a b", 1 },      { " a", 0 },      { "a\n", 1 },     { "\"a\"", 0 },  { "a\"", 1 },    { "a\\", 1 },
                 { "[\"a", 3 },     { "[\"a\"", 4 },  { "[\"a\"x", 4 }, { "[\"\\a\"]", 3 }, { "[\"\\", 3 }, { "[\"\\]", 3 }, { "[0]a", 3 },
                 { "[\"a\"]b", 5 }, { "a.\x1f", 2 },  { "[4294967296]", 10 }, { "[4294967300]", 10 }, { "[99999999999999999999]", 10 } };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_pattern_node nodes[8];
        elelem_patterns patterns;
        elelem_error error;
        const char *texts[2];
        texts[0] = "good";
        texts[1] = rows[i].text;
        check_context(rows[i].text);
        CHECK_INT(elelem_patterns_compile(&patterns, nodes, 8, texts, 2, NULL, &error), ELELEM_ERROR_PATTERN);
        CHECK_INT(error.status, ELELEM_ERROR_PATTERN);
        CHECK_U64(error.offset, rows[i].at);
        CHECK_INT(elelem_patterns_compile(&patterns, nodes, 8, texts, 2, NULL, NULL), ELELEM_ERROR_PATTERN);
    }
}

TEST(patterns_share_the_nodes_they_have_in_common)
{
    static const char *const texts[] = { "a.b", "a.c", "a", "a[0]", "a[\"b\"]", "a[0].d", "a[*].d", "a.*", NULL };
    pattern_set set;

    CHECK_INT(compile(&set, texts), ELELEM_OK);
    CHECK_INT(set.patterns.count, 9); /* root, a, b, c, [0], its d, [*], its d, * */
    CHECK_INT(set.which[0], set.which[4]);
    CHECK(set.which[0] != set.which[1]);
    CHECK_INT(set.nodes[set.which[0]].parent, set.which[2]);
    CHECK(set.nodes[set.which[2]].wanted);
    CHECK(!set.nodes[set.nodes[set.which[6]].parent].wanted);
}

TEST(more_nodes_than_fit_are_refused)
{
    static const char *const texts[] = { "a.b", "c" };
    elelem_pattern_node nodes[4];
    elelem_patterns patterns;
    elelem_error error;

    CHECK_INT(elelem_patterns_compile(&patterns, nodes, 4, texts, 2, NULL, &error), ELELEM_OK);
    CHECK_INT(error.status, ELELEM_OK);
    memset(&nodes[3], 'n', sizeof nodes[3]);
    CHECK_INT(elelem_patterns_compile(&patterns, nodes, 3, texts, 2, NULL, &error), ELELEM_ERROR_COUNT);
    CHECK_INT(nodes[3].kind, 'n');
    CHECK_INT(error.status, ELELEM_ERROR_COUNT);
    CHECK_INT(elelem_patterns_compile(&patterns, nodes, 0, texts, 2, NULL, &error), ELELEM_ERROR_COUNT);
    CHECK_INT(elelem_patterns_compile(&patterns, NULL, 0, texts, 0, NULL, NULL), ELELEM_ERROR_COUNT);
}

TEST(null_nodes_have_room_for_none_whatever_the_capacity_says)
{
    static const char *const texts[] = { "a" };
    elelem_patterns patterns;

    CHECK_INT(elelem_patterns_compile(&patterns, NULL, 8, texts, 1, NULL, NULL), ELELEM_ERROR_COUNT);
}

/* What a parser delivers. */

TEST(after_an_error_patterns_match_nothing_and_the_texts_before_have_their_nodes)
{
    static const char *const texts[] = { "", "b..c", "d" };
    elelem_pattern_node nodes[8];
    elelem_patterns patterns;
    uint16_t which[3] = { 777, 777, 777 };

    CHECK_INT(elelem_patterns_compile(&patterns, nodes, 8, texts, 3, which, NULL), ELELEM_ERROR_PATTERN);
    CHECK_INT(which[0], 0);
    CHECK_INT(which[1], 777);
    CHECK_INT(which[2], 777);
    fragments_new()->desc.patterns = &patterns;
    FEED(&fragments_object, "{\"d\":1}", 7, "END\n");
    which[0] = 777;
    CHECK_INT(elelem_patterns_compile(&patterns, NULL, 0, texts, 1, which, NULL), ELELEM_ERROR_COUNT);
    CHECK_INT(which[0], 777);
    fragments_new()->desc.patterns = &patterns;
    FEED(&fragments_object, "{\"d\":1}", 7, "END\n");
}

static void use(fragments *f, pattern_set *set, const char *const *texts)
{
    CHECK_INT(compile(set, texts), ELELEM_OK);
    f->desc.patterns = &set->patterns;
}

TEST(what_a_pattern_matches_is_delivered_whole_and_nothing_else)
{
    static const char *const texts[] = { "b", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    GIVES("{\"a\":[1,\"x\",{}],\"b\":{\"c\":[true,\"y\"]},\"d\":{\"b\":2}}",
          "b BEGIN object\nb.c BEGIN array\nb.c[0] SCALAR bool true\nb.c[0] DONE bool\n"
          "b.c[1] STRING \"y\"\nb.c[1] DONE string\nb.c DONE array\nb DONE object\nEND\n");
}

TEST(every_member_with_a_wanted_key_is_delivered)
{
    static const char *const texts[] = { "a", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    GIVES("{\"a\":1,\"\\u0061\":2,\"b\":\"a\",\"a\":\"\"}",
          "a SCALAR number 1\na DONE number\na SCALAR number 2\na DONE number\na DONE string\nEND\n");
}

TEST(elements_are_matched_by_index_or_all)
{
    static const char *const texts[] = { "[2]", "x[*].name", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    GIVES("[0,[1],{\"two\":2},3]", "[2] BEGIN object\n[2].two SCALAR number 2\n[2].two DONE number\n[2] DONE object\nEND\n");
    GIVES("{\"x\":[{\"name\":\"a\",\"n\":0},7,{\"name\":[]},[{\"name\":8}]]}",
          "x[0].name STRING \"a\"\nx[0].name DONE string\nx[2].name BEGIN array\nx[2].name DONE array\nEND\n");
}

TEST(the_root_pattern_wants_everything)
{
    static const char *const texts[] = { "", "a", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    fragments_now.with_pattern = 1;
    GIVES("{\"a\":1}", "0: $ BEGIN object\n0: a SCALAR number 1\n0: a DONE number\n0: $ DONE object\nEND\n");
    GIVES("1", "0: $ SCALAR number 1\n0: $ DONE number\nEND\n");
}

TEST(no_pattern_at_all_wants_nothing)
{
    static const char *const texts[] = { NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    GIVES("{\"a\":[1,\"b\",null]}", "END\n");
    GIVES("12", "END\n");
    GIVES("\"text\"", "END\n");
    GIVES("[1,]", "ERROR_SYNTAX at 3\n");
}

TEST(a_number_at_the_root_that_is_not_wanted_ends_at_finish)
{
    static const char *const texts[] = { "a", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    fragments_now.desc.single_document = 1;
    GIVES("12", "END\n");
    GIVES("12 ", "END\n");
    GIVES("1e", "ERROR_TRUNCATED at 2\n");
}

TEST(values_that_follow_one_another_are_all_searched)
{
    static const char *const texts[] = { "a", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    fragments_now.several = 1;
    GIVES("{\"b\":1}{\"a\":1}12{\"a\":{}}\n",
          "VALUE ENDS at 7\na SCALAR number 1\na DONE number\nVALUE ENDS at 14\nVALUE ENDS at 16\n"
          "a BEGIN object\na DONE object\nVALUE ENDS at 24\nEND\n");
}

TEST(what_is_not_wanted_is_still_validated)
{
    static const char *const texts[] = { "a.b", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    GIVES("{\"x\":[1,]}", "ERROR_SYNTAX at 8\n");
    GIVES("{\"x\":\"\xc0\"}", "ERROR_UTF8 at 6\n");
    GIVES("{\"x\":{\"\xff\":1}}", "ERROR_UTF8 at 7\n");
    GIVES("{\"a\":\"\\x\"}", "ERROR_SYNTAX at 7\n");
    GIVES("{\"a\":01}", "ERROR_SYNTAX at 6\n");
    GIVES("{\"x\":[{]}", "ERROR_SYNTAX at 7\n");
    GIVES("{\"x\":[{\"y\":", "ERROR_TRUNCATED at 11\n");
    use(fragments_new(), &set, texts);
    fragments_now.desc.max_depth = 3;
    GIVES("{\"x\":[[[", "ERROR_DEPTH at 7\n");
    GIVES("{\"a\":{\"x\":[[", "ERROR_DEPTH at 11\n");
}

TEST(limits_on_size_count_for_what_is_stored_or_delivered_only)
{
    static const char *const texts[] = { "a.b", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    fragments_now.desc.max_string_bytes = 3;
    fragments_now.desc.max_number_bytes = 3;
    fragments_now.desc.max_key_bytes = 3;
    GIVES("{\"x\":[\"long string\",1234567890,{\"long key\":0}],\"a\":\"long string\",\"a\":1234567890}", "END\n");
    GIVES("{\"a\":{\"b\":\"text\"}}", "a.b STRING \"tex\"\nERROR_STRING_SIZE at 14\n");
    GIVES("{\"a\":{\"b\":1234}}", "ERROR_NUMBER_SIZE at 13\n");
}

TEST(the_pattern_nearest_to_the_root_is_reported_and_of_equal_ones_the_first)
{
    static const char *const texts[] = { "*.x", "a.y", "b", "*.y", "b.x", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    fragments_now.with_pattern = 1;
    CHECK_INT(set.which[0], 2);
    CHECK_INT(set.which[1], 4);
    CHECK_INT(set.which[2], 5);
    CHECK_INT(set.which[3], 6);
    GIVES("{\"a\":{\"x\":1,\"y\":2,\"z\":3},\"b\":{\"x\":4},\"c\":{\"y\":5}}",
          "2: a.x SCALAR number 1\n2: a.x DONE number\n4: a.y SCALAR number 2\n4: a.y DONE number\n"
          "5: b BEGIN object\n5: b.x SCALAR number 4\n5: b.x DONE number\n5: b DONE object\n"
          "6: c.y SCALAR number 5\n6: c.y DONE number\nEND\n");
}

TEST(a_pattern_and_a_longer_one_both_match)
{
    static const char *const texts[] = { "*.x", "a.y.*.z", "*.y.q.w", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    GIVES("{\"a\":{\"y\":{\"q\":{\"z\":1,\"w\":2,\"v\":3},\"p\":{\"z\":4,\"w\":5}},\"x\":6},\"b\":{\"y\":{\"q\":{\"z\":7,\"w\":8}}}}",
          "a.y.q.z SCALAR number 1\na.y.q.z DONE number\na.y.q.w SCALAR number 2\na.y.q.w DONE number\n"
          "a.y.p.z SCALAR number 4\na.y.p.z DONE number\na.x SCALAR number 6\na.x DONE number\n"
          "b.y.q.w SCALAR number 8\nb.y.q.w DONE number\nEND\n");
}

TEST(a_constant_table_matches_like_compiled_patterns)
{
    static const elelem_pattern_node nodes[] = {
        ELELEM_PATTERN_ROOT(0),
        ELELEM_PATTERN_MEMBER(0, "choices", 0),
        ELELEM_PATTERN_ELEMENTS(1, 0),
        ELELEM_PATTERN_MEMBER(2, "index", 1),
        ELELEM_PATTERN_MEMBER(2, "delta", 0),
        ELELEM_PATTERN_MEMBER(4, "content", 1),
    };
    static const elelem_patterns patterns = { nodes, sizeof nodes / sizeof *nodes, 0, 0, 0, NULL, NULL };

    fragments_new()->desc.patterns = &patterns;
    fragments_now.with_pattern = 1;
    GIVES("{\"id\":\"x\",\"choices\":[{\"delta\":{\"role\":\"r\",\"content\":\"Hi\"},\"index\":0}]}",
          "5: choices[0].delta.content STRING \"Hi\"\n5: choices[0].delta.content DONE string\n"
          "3: choices[0].index SCALAR number 0\n3: choices[0].index DONE number\nEND\n");
}

/* What is skipped, whatever is in it; and what counts only if it is not null. */
TEST(values_may_be_skipped_or_wanted_unless_they_are_null)
{
    static const elelem_pattern_node table[] = {
        ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
        ELELEM_PATTERN_MEMBER(0, "skip", ELELEM_WANT_SKIP),
        ELELEM_PATTERN_MEMBER(0, "some", ELELEM_WANT_SOME),
        ELELEM_PATTERN_MEMBER(1, "some", ELELEM_WANT_WHOLE),
    };
    static const struct {
        const char *text, *log;
    } rows[] = {
        { "{\"skip\":{\"some\":1},\"some\":null}", "END\n" },
        { "{\"skip\":[null],\"some\":[null]}", "some BEGIN array\nsome[0] SCALAR null null\nsome[0] DONE null\nsome DONE array\nEND\n" },
        { "{\"some\":null,\"some\":\"n\",\"skip\":\"x\"}", "some STRING \"n\"\nsome DONE string\nEND\n" },
    };
    static const elelem_patterns patterns = { table, sizeof table / sizeof *table, 0, 0, 0, NULL, NULL };
    elelem_segment segment = elelem_segment_of_key(elelem_str_of("some"));
    elelem_path path = ELELEM_INIT;
    size_t i;

    fragments_new()->desc.patterns = &patterns;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].text);
        FEED(&fragments_object, rows[i].text, strlen(rows[i].text), rows[i].log);
    }
    path.segments = &segment;
    path.count = 1;
    CHECK_INT(elelem_patterns_find(&patterns, &path), 2);
}

/* The same of the value as a whole. */
TEST(the_root_may_be_skipped_or_wanted_unless_it_is_null)
{
    static const elelem_pattern_node some[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_SOME) };
    static const elelem_pattern_node skip[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_SKIP), ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_WHOLE) };
    static const elelem_patterns patterns = { some, 1, 0, 0, 0, NULL, NULL }, skipped = { skip, 2, 0, 0, 0, NULL, NULL };
    elelem_segment segment = elelem_segment_of_key(elelem_str_of("a"));
    elelem_path path = ELELEM_INIT;

    fragments_new()->desc.patterns = &patterns;
    GIVES("[1]", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\n$ DONE array\nEND\n");
    GIVES("5", "$ SCALAR number 5\n$ DONE number\nEND\n");
    GIVES("null", "END\n");
    CHECK_INT(elelem_patterns_find(&patterns, &path), 0);
    fragments_new()->desc.patterns = &skipped;
    GIVES("{\"a\":1}", "END\n");
    path.segments = &segment;
    path.count = 1;
    CHECK_INT(elelem_patterns_find(&skipped, &path), ELELEM_NO_PATTERN);
    CHECK_INT(elelem_patterns_find(&patterns, &path), 0);
}

/* Nothing is delivered there, unless another node leads to it. */
TEST(no_pattern_is_found_in_a_value_that_is_skipped)
{
    static const elelem_pattern_node table[] = {
        ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
        ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_SKIP),
        ELELEM_PATTERN_MEMBER(1, "b", ELELEM_WANT_WHOLE),
        ELELEM_PATTERN_MEMBER(0, "c", ELELEM_WANT_NOTHING),
        ELELEM_PATTERN_MEMBER(3, "b", ELELEM_WANT_WHOLE),
    };
    static const elelem_patterns patterns = { table, sizeof table / sizeof *table, 0, 0, 0, NULL, NULL };
    elelem_segment segments[2];
    elelem_path path = ELELEM_INIT;

    segments[0] = elelem_segment_of_key(elelem_str_of("a"));
    segments[1] = elelem_segment_of_key(elelem_str_of("b"));
    path.segments = segments;
    path.count = 2;
    CHECK_INT(elelem_patterns_find(&patterns, &path), ELELEM_NO_PATTERN);
    segments[0] = elelem_segment_of_key(elelem_str_of("c"));
    CHECK_INT(elelem_patterns_find(&patterns, &path), 4);
}

/* The BEGIN of a container, and only some of what is in it. */
TEST(of_a_container_only_its_beginning_may_be_wanted)
{
    static const elelem_pattern_node table[] = {
        ELELEM_PATTERN_ROOT(ELELEM_WANT_BEGIN),
        ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_BEGIN),
        ELELEM_PATTERN_ELEMENTS(1, ELELEM_WANT_NOTHING),
        ELELEM_PATTERN_MEMBER(2, "x", ELELEM_WANT_WHOLE),
    };
    static const struct {
        const char *text, *log;
    } rows[] = {
        { "{\"a\":[{\"x\":1,\"y\":2},{}],\"b\":[]}", "$ BEGIN object\na BEGIN array\na[0].x SCALAR number 1\na[0].x DONE number\nEND\n" },
        { "{\"a\":[{}]}", "$ BEGIN object\na BEGIN array\nEND\n" },
        { "{\"a\":{\"x\":1}}", "$ BEGIN object\na BEGIN object\nEND\n" },
        { "{\"a\":7}", "$ BEGIN object\nEND\n" },
        { "{\"b\":{\"a\":[]}}", "$ BEGIN object\nEND\n" },
        { "[[]]", "$ BEGIN array\nEND\n" },
        { "\"a\"", "END\n" },
    };
    static const elelem_patterns patterns = { table, sizeof table / sizeof *table, 0, 0, 0, NULL, NULL };
    size_t i;

    fragments_new()->desc.patterns = &patterns;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].text);
        FEED(&fragments_object, rows[i].text, strlen(rows[i].text), rows[i].log);
    }
}

TEST(a_wanted_value_may_be_skipped)
{
    static const char *const texts[] = { "a", "b", NULL };
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    pattern_set set;

    compile(&set, texts);
    desc.patterns = &set.patterns;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, "{\"a\":[[1],2],\"a\":\"x\",\"b\":null}", 31);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
    CHECK_INT(fragment.kind, ELELEM_FRAGMENT_STRING);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
    CHECK_INT(fragment.kind, ELELEM_FRAGMENT_SCALAR);
    CHECK_INT(fragment.pattern, set.which[1]);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_END);
    elelem_fragment_parser_free(&parser);
}

/* The law: with patterns come those fragments of the whole document that are in a value which a
   pattern matches, each with the number that elelem_patterns_find returns. */

static int is_named(const elelem_path *path, const char *const *texts)
{
    elelem_path front = *path;
    size_t i;

    for (front.count = 0; front.count <= path->count; front.count++)
        for (i = 0; texts[i]; i++)
            if (elelem_path_is(&front, texts[i])) return 1;
    return 0;
}

static void put_fragment(feed_log *log, const elelem_fragment *fragment, unsigned pattern)
{
    char path[360], line[380];

    fragments_path(path, sizeof path, fragment->path);
    snprintf(line, sizeof line, "%u: %s", pattern, path);
    fragments_log(log, fragment, line);
}

static void run_law(feed_log *log, const char *json, size_t piece, pattern_set *set, const char *const *filter)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    limits_heap heap = ELELEM_INIT;
    size_t at = 0, size = strlen(json);

    log->size = 0;
    log->in_text = 0;
    desc.allocator = limits_allocator(&heap);
    desc.patterns = filter ? NULL : &set->patterns;
    elelem_fragment_parser_init(&parser, &desc);
    while (at < size) {
        size_t now = piece < size - at ? piece : size - at;
        elelem_fragment_parser_push(&parser, json + at, now);
        at += now;
        while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK) {
            unsigned found = elelem_patterns_find(&set->patterns, fragment.path);
            if (filter) CHECK_INT(found != ELELEM_NO_PATTERN, is_named(fragment.path, filter));
            if (!filter) CHECK_INT(fragment.pattern, found);
            if (!filter || found != ELELEM_NO_PATTERN) put_fragment(log, &fragment, found);
        }
    }
    feed_close(log);
    elelem_fragment_parser_free(&parser);
    CHECK_INT(heap.live, 0);
}

TEST(patterns_are_a_filter_of_all_the_fragments)
{
    static const char *const documents[] = {
        "{\"a\":{\"a\":{\"a\":{\"a\":1},\"b\":[]},\"x\":\"s\"},\"b\":{\"a\":[{\"a\":0},{\"b\":[1,2,[3,{\"a\":4}]]}]}}",
        "[[[[1,2],[3]],[[4]]],[],{\"a\":[[5]],\"b\":{\"\":{\"\":6}}}]",
        "{\"\":{\"a.b\":1,\"a\":{\"b\":2}},\"x\":{\"y\":{\"z\":[true,{\"x\":{\"y\":\"deep\"}}]}},\"y\":null,\"*\":\"star\"}",
        "\"only a string\"",
        "{\"a\":\"x\",\"a\":{\"a\":\"y\"},\"a\":[{\"a\":\"z\"}],\"b\":{\"a\":{\"b\":{\"a\":\"w\"}}}}",
    };
    static const char *const sets[][8] = {
        { NULL },
        { "", NULL },
        { "a", NULL },
        { "a.a", "b.a", NULL },
        { "*.*.*.*", NULL },
        { "*", "*.*", "a.b", NULL },
        { "*.a", "a.*", "a.a.b", "b.a[1].b", NULL },
        { "a.*.b", "*.a.b", "a.a.*", "*.*.*", NULL },
        { "[0]", "[*][0][*]", "[2].b", NULL },
        { "[*][*][*][*]", "[2].a[*]", "[2].*[\"\"]", NULL },
        { "[\"\"].a.b", "[\"\"][\"a.b\"]", "x.y.z[1].x", "x.*.z[*]", "[\"*\"]", NULL },
        { "*.*.z[1]", "x.y.z[1].x.y", "*.y.*[0]", "y", NULL },
        { "b.a[*]", "b.a[1].b[2][1].a", "b.a[0].a", NULL },
        { "a[*].a", "*.a.b.a", "a.a", NULL },
    };
    static feed_log wanted, log;
    size_t d, s, piece;

    for (d = 0; d < sizeof documents / sizeof *documents; d++)
        for (s = 0; s < sizeof sets / sizeof *sets; s++) {
            pattern_set set;
            check_context(documents[d]);
            CHECK_INT(compile(&set, sets[s]), ELELEM_OK);
            check_cut("set", s);
            run_law(&wanted, documents[d], 1000, &set, sets[s]);
            for (piece = 1; piece < 60; piece++) {
                run_law(&log, documents[d], piece, &set, NULL);
                CHECK_BYTES(log.text, log.size, wanted.text, wanted.size);
            }
        }
}

/* Memory and cost. */

TEST(nothing_is_stored_for_what_is_not_wanted)
{
    static const char *const texts[] = { "a.b", NULL };
    static unsigned char memory[320];
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_arena arena;
    pattern_set set;
    size_t size = 100 * 1024, at = 0, i, found = 0;
    char *json = (char *)malloc(5 * size);

#define PUT(text) (memcpy(json + at, text, strlen(text)), at += strlen(text))
#define FILL(byte) (memset(json + at, byte, size), at += size)
    PUT("{\"s\":\"");
    FILL('s');
    PUT("\",\"k\":{\"");
    FILL('k');
    PUT("\":0},\"n\":");
    FILL('1');
    PUT(",\"d\":");
    for (i = 0; i < 500; i++)
        PUT("[");
    for (i = 0; i < 500; i++)
        PUT("]");
    PUT(",\"a\":\"");
    FILL('a');
    PUT("\",\"a\":{\"b\":1}}");
    compile(&set, texts);
    desc.patterns = &set.patterns;
    desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    elelem_fragment_parser_init(&parser, &desc);
    for (i = 0; i < at; i += 100) {
        elelem_fragment_parser_push(&parser, json + i, at - i < 100 ? at - i : 100);
        while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
            found++;
    }
    CHECK_INT(found, 2);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_END);
    CHECK_INT(elelem_fragment_parser_error(&parser).status, ELELEM_OK);
    elelem_fragment_parser_free(&parser);
    CHECK_INT(elelem_arena_used(&arena), 0);
    free(json);
#undef PUT
#undef FILL
}

TEST(wildcards_over_a_deep_and_wide_document_take_little_memory) /* J10 */
{
    static const char *const texts[] = { "*.*.*.*", "a.*.*.*.x", "*.a.*.*.x", "*.*.a.*.x", "*.*.*.a.x", NULL };
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    limits_heap heap = ELELEM_INIT;
    pattern_set set;
    size_t i, done = 0;

    compile(&set, texts);
    desc.patterns = &set.patterns;
    desc.allocator = limits_allocator(&heap);
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, "{\"a\":{\"a\":{\"a\":{", 16);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_MORE);
    for (i = 0; i < 100000; i++) {
        elelem_fragment_parser_push(&parser, "\"a\":{\"x\":{}},", 13);
        while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
            done += fragment.kind == ELELEM_FRAGMENT_DONE;
    }
    CHECK_INT(done, 200000);
    CHECK(heap.peak <= 1024);
    elelem_fragment_parser_free(&parser);
}

TEST(memory_refused_at_any_call_with_patterns_is_an_error_or_is_not_needed)
{
    static const char json[] = "{\"skipped\":[[[[[[[[[1]]]]]]]]],\"some long key\":{\"another long key\":"
                               "[[[[[{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":\"x\"}}}}}}]]]]]}}";
    static const char *const texts[] = { "*.*[*][*][*][*][*].a.*", "*.*[0][*][*][*][*].a.b.*.d", NULL };
    pattern_set set;
    int refuse, calls = 1000;

    compile(&set, texts);
    for (refuse = 0; refuse <= calls; refuse++) {
        elelem_fragment_parser parser;
        elelem_fragment fragment;
        elelem_fragment_parser_desc desc = ELELEM_INIT;
        limits_heap heap = ELELEM_INIT;
        elelem_status status;
        heap.refuse = refuse;
        desc.patterns = &set.patterns;
        desc.allocator = limits_allocator(&heap);
        elelem_fragment_parser_init(&parser, &desc);
        elelem_fragment_parser_push(&parser, json, sizeof json - 1);
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
            continue;
        CHECK(status == ELELEM_END || (refuse && status == ELELEM_ERROR_MEMORY));
        if (refuse == 0) calls = heap.calls;
        elelem_fragment_parser_free(&parser);
        CHECK_INT(heap.live, 0);
    }
    CHECK(calls > 1);
}

TEST(a_quoted_key_and_any_key_match_no_element)
{
    static const char *const texts[] = { "[\"a\\\"b\"]", "*.x", NULL };
    pattern_set set;

    use(fragments_new(), &set, texts);
    GIVES("[1,{\"x\":2},[3]]", "END\n");
    GIVES("{\"a\\\"b\":1,\"q\":{\"x\":2}}", "a\"b SCALAR number 1\na\"b DONE number\nq.x SCALAR number 2\nq.x DONE number\nEND\n");
}

/* The tables of shapes are constant, and may have equal rows. */
TEST(of_equal_rows_of_a_constant_table_the_first_is_reported)
{
    static const elelem_pattern_node nodes[] = {
        ELELEM_PATTERN_ROOT(0),
        ELELEM_PATTERN_MEMBER(0, "a", 1),
        ELELEM_PATTERN_MEMBER(0, "b", 1),
        ELELEM_PATTERN_MEMBER(0, "a", 1),
    };
    static const elelem_patterns patterns = { nodes, sizeof nodes / sizeof *nodes, 0, 0, 0, NULL, NULL };

    fragments_new()->desc.patterns = &patterns;
    fragments_now.with_pattern = 1;
    GIVES("{\"a\":1,\"b\":2}", "1: a SCALAR number 1\n1: a DONE number\n2: b SCALAR number 2\n2: b DONE number\nEND\n");
}

TEST(patterns_without_nodes_are_none)
{
    static const elelem_patterns none = ELELEM_INIT;

    fragments_new()->desc.patterns = &none;
    GIVES("[1]", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\n$ DONE array\nEND\n");
}

/* Of so many the order is not found out. */
TEST(more_than_256_patterns_match_too)
{
    enum { KEYS = 300 };
    static char keys[KEYS][16];
    static const char *texts[KEYS];
    static elelem_pattern_node nodes[KEYS + 1];
    elelem_patterns patterns;
    int i;

    for (i = 0; i < KEYS; i++) {
        snprintf(keys[i], sizeof keys[i], "k%03d", i);
        texts[i] = keys[i];
    }
    CHECK_INT(elelem_patterns_compile(&patterns, nodes, KEYS + 1, texts, KEYS, NULL, NULL), ELELEM_OK);
    fragments_new()->desc.patterns = &patterns;
    GIVES("{\"k000\":1,\"k300\":2,\"k299\":3}",
          "k000 SCALAR number 1\nk000 DONE number\nk299 SCALAR number 3\nk299 DONE number\nEND\n");
}

/* The numbers of the rows that match take memory too, after a key that may just have fitted. */
TEST(memory_refused_after_a_key_of_any_size_is_an_error_or_is_not_needed)
{
    static const char *const orders[][4] = { { "*.*", NULL }, { "*.x", "b", "*.*", NULL } };
    size_t order, size;
    pattern_set set;

    for (order = 0; order < 2; order++)
        for (size = 1; size < 70; size++) {
            char json[200];
            int refuse, calls = 1000, ended = 0;
            CHECK_INT(compile(&set, orders[order]), ELELEM_OK);
            snprintf(json, sizeof json, "{\"%0*d\":{\"%0*d\":1}}", (int)size, 0, (int)size, 0);
            for (refuse = 0; refuse <= calls; refuse++) {
                elelem_fragment_parser parser;
                elelem_fragment fragment;
                elelem_fragment_parser_desc desc = ELELEM_INIT;
                limits_heap heap = ELELEM_INIT;
                elelem_status status;
                int given = 0;
                heap.refuse = refuse;
                heap.stays = 1;
                desc.patterns = &set.patterns;
                desc.allocator = limits_allocator(&heap);
                elelem_fragment_parser_init(&parser, &desc);
                elelem_fragment_parser_push(&parser, json, strlen(json));
                while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
                    given++;
                CHECK(status == ELELEM_END ? given == 2 : refuse && status == ELELEM_ERROR_MEMORY);
                ended += status == ELELEM_END;
                if (refuse == 0) calls = heap.calls;
                elelem_fragment_parser_free(&parser);
                CHECK_INT(heap.live, 0);
            }
            CHECK(ended > 0 && ended <= calls);
        }
}

CHECK_MAIN("path",
    RUN(a_key_matches_only_if_each_of_its_bytes_does)
    RUN(more_than_256_patterns_match_too)
    RUN(memory_refused_after_a_key_of_any_size_is_an_error_or_is_not_needed)
    RUN(a_pattern_matches_exactly_its_path)
    RUN(a_null_pattern_is_the_root)
    RUN(a_bad_pattern_is_refused_at_the_byte_that_cannot_be_right)
    RUN(patterns_share_the_nodes_they_have_in_common)
    RUN(more_nodes_than_fit_are_refused)
    RUN(null_nodes_have_room_for_none_whatever_the_capacity_says)
    RUN(after_an_error_patterns_match_nothing_and_the_texts_before_have_their_nodes)
    RUN(what_a_pattern_matches_is_delivered_whole_and_nothing_else)
    RUN(every_member_with_a_wanted_key_is_delivered)
    RUN(elements_are_matched_by_index_or_all)
    RUN(the_root_pattern_wants_everything)
    RUN(no_pattern_at_all_wants_nothing)
    RUN(a_number_at_the_root_that_is_not_wanted_ends_at_finish)
    RUN(values_that_follow_one_another_are_all_searched)
    RUN(what_is_not_wanted_is_still_validated)
    RUN(limits_on_size_count_for_what_is_stored_or_delivered_only)
    RUN(the_pattern_nearest_to_the_root_is_reported_and_of_equal_ones_the_first)
    RUN(a_pattern_and_a_longer_one_both_match)
    RUN(a_constant_table_matches_like_compiled_patterns)
    RUN(values_may_be_skipped_or_wanted_unless_they_are_null)
    RUN(the_root_may_be_skipped_or_wanted_unless_it_is_null)
    RUN(no_pattern_is_found_in_a_value_that_is_skipped)
    RUN(of_a_container_only_its_beginning_may_be_wanted)
    RUN(a_wanted_value_may_be_skipped)
    RUN(patterns_are_a_filter_of_all_the_fragments)
    RUN(nothing_is_stored_for_what_is_not_wanted)
    RUN(wildcards_over_a_deep_and_wide_document_take_little_memory)
    RUN(memory_refused_at_any_call_with_patterns_is_an_error_or_is_not_needed)
    RUN(a_quoted_key_and_any_key_match_no_element)
    RUN(of_equal_rows_of_a_constant_table_the_first_is_reported)
    RUN(patterns_without_nodes_are_none))
