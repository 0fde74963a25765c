/* value: trees from fragments that the test makes, and from the parser.

   A script is lines "path what", the path starting at $:
       $.a {        BEGIN object          $.a [        BEGIN array
       $.a "text    STRING                $.a =12      SCALAR, its text decides its type
       $.a /object  DONE
   A tree is shown as JSON without escapes; a value that is not complete is followed by its state:
   ~ open, !L !E !X cut off by a limit, the end, an error. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fragments from scripts. */

static elelem_path path_of(const elelem_segment *segments, size_t count)
{
    elelem_path path = ELELEM_INIT;

    path.segments = segments;
    path.count = count;
    return path;
}

typedef struct made {
    char bytes[256];
    elelem_segment segments[16];
    elelem_path path;
    elelem_fragment fragment;
} made;

static void make_path(made *m, char *at)
{
    m->path.count = 0;
    m->path.segments = m->segments;
    while (*at) {
        elelem_segment *segment = &m->segments[m->path.count++];
        if (*at == '[') {
            *segment = elelem_segment_of_index((uint32_t)strtoul(at + 1, &at, 10));
            at++;
        } else {
            *segment = elelem_segment_of_key(elelem_str_of(++at));
            segment->key.size = strcspn(at, ".[");
            at += segment->key.size;
        }
    }
}

static elelem_type type_named(const char *name)
{
    unsigned type = ELELEM_TYPE_OBJECT;

    while (type > 0 && strcmp(elelem_type_name(type), name) != 0)
        type--;
    return (elelem_type)type;
}

static void make_kind(made *m, const char *what)
{
    elelem_fragment *f = &m->fragment;

    switch (*what) {
    case '{': f->kind = ELELEM_FRAGMENT_BEGIN; f->type = ELELEM_TYPE_OBJECT; break;
    case '[': f->kind = ELELEM_FRAGMENT_BEGIN; f->type = ELELEM_TYPE_ARRAY; break;
    case '/': f->kind = ELELEM_FRAGMENT_DONE; f->type = (uint8_t)type_named(what + 1); break;
    case '"':
        f->kind = ELELEM_FRAGMENT_STRING;
        f->type = ELELEM_TYPE_STRING;
        f->text = elelem_str_of(what + 1);
        break;
    default:
        f->kind = ELELEM_FRAGMENT_SCALAR;
        f->type = what[1] == 'n' ? ELELEM_TYPE_NULL : strchr("tf", what[1]) ? ELELEM_TYPE_BOOL : ELELEM_TYPE_NUMBER;
        f->text = elelem_str_of(what + 1);
    }
}

/* Makes the fragment of the line at `script`. Returns the start of the next line. */
static const char *make(made *m, const char *script)
{
    size_t size = strcspn(script, "\n");
    char *blank;

    memset(m, 0, sizeof *m);
    memcpy(m->bytes, script, size);
    blank = strchr(m->bytes, ' ');
    *blank = '\0';
    make_path(m, m->bytes + 1);
    m->fragment.path = &m->path;
    m->fragment.pattern = ELELEM_NO_PATTERN;
    make_kind(m, blank + 1);
    return script + size + (script[size] == '\n');
}

/* Pushes all lines; returns the status of the last. */
static elelem_status play(elelem_fragment_aggregator *aggregator, const char *script)
{
    elelem_status status = ELELEM_OK;
    made m;

    while (*script) {
        script = make(&m, script);
        status = elelem_fragment_aggregator_push(aggregator, &m.fragment);
    }
    return status;
}

/* Trees to text. */

static char shown[1 << 16];
static size_t shown_size;

static void show_bytes(const char *data, size_t size)
{
    if (size > sizeof shown - shown_size) abort();
    memcpy(shown + shown_size, data, size);
    shown_size += size;
}

static void show_text(const char *text)
{
    show_bytes(text, strlen(text));
}

static void show_value(elelem_value value);

static void show_children(elelem_value value)
{
    elelem_value child;
    int is_object = elelem_value_type(value) == ELELEM_TYPE_OBJECT;
    const char *separator = "";

    show_text(is_object ? "{" : "[");
    for (child = elelem_value_first(value); elelem_value_type(child); child = elelem_value_next(child)) {
        show_text(separator);
        if (is_object) {
            show_bytes(elelem_value_key(child).data, elelem_value_key(child).size);
            show_text(":");
        }
        show_value(child);
        separator = ",";
    }
    show_text(is_object ? "}" : "]");
}

static void show_value(elelem_value value)
{
    static const char *const marks[] = { "~", "", "!L", "!E", "!X" };
    elelem_str text = elelem_value_text(value);

    switch (elelem_value_type(value)) {
    case ELELEM_TYPE_NONE: show_text("none"); return;
    case ELELEM_TYPE_ARRAY:
    case ELELEM_TYPE_OBJECT: show_children(value); break;
    case ELELEM_TYPE_STRING:
        show_text("\"");
        show_bytes(text.data, text.size);
        show_text("\"");
        break;
    default: show_bytes(text.data, text.size);
    }
    show_text(marks[elelem_value_state_of(value)]);
}

/* Valid until the next call. */
static elelem_str show(elelem_value value)
{
    elelem_str text;

    shown_size = 0;
    show_value(value);
    text.data = shown;
    text.size = shown_size;
    return text;
}

static elelem_str show_all(const elelem_fragment_aggregator *aggregator)
{
    return show(elelem_fragment_aggregator_value(aggregator));
}

#define CHECK_SLICE(slice, expected)                   \
    do {                                               \
        elelem_str slice_is = slice;                   \
        CHECK_STR(slice_is.data, slice_is.size, expected); \
    } while (0)
#define CHECK_TREE(aggregator, expected) CHECK_SLICE(show_all(aggregator), expected)
#define CHECK_VALUE(value, expected) CHECK_SLICE(show(value), expected)

/* For most tests one aggregator, over a heap that moves blocks. */

static limits_heap mine;
static elelem_fragment_aggregator tree;

static void start_with(const elelem_fragment_aggregator_desc *desc)
{
    elelem_fragment_aggregator_desc own = ELELEM_INIT;

    if (desc) own = *desc;
    memset(&mine, 0, sizeof mine);
    own.allocator = limits_allocator(&mine);
    elelem_fragment_aggregator_init(&tree, &own);
}

static void start(void)
{
    start_with(NULL);
}

static void stop(void)
{
    elelem_fragment_aggregator_free(&tree);
    CHECK_INT(mine.blocks, 0);
}

static elelem_value root(void)
{
    return elelem_fragment_aggregator_value(&tree);
}

/* The trees of scripts. */

typedef struct script_row {
    const char *name;
    const char *script;
    const char *expected;
} script_row;

static const script_row scripts[] = {
    { "nothing", "", "none" },
    { "a whole object",
      "$ {\n$.path \"a.rs\n$.path /string\n$.list [\n$.list[0] {\n$.list[0].old \"x\n$.list[0].old /string\n"
      "$.list[0] /object\n$.list /array\n$ /object",
      "{path:\"a.rs\",list:[{old:\"x\"}]}" },
    { "the same without any BEGIN",
      "$.path \"a.rs\n$.path /string\n$.list[0].old \"x\n$.list[0].old /string\n"
      "$.list[0] /object\n$.list /array\n$ /object",
      "{path:\"a.rs\",list:[{old:\"x\"}]}" },
    { "a BEGIN that comes after what is in it", "$.a.b \"x\n$.a {\n$ {\n$.a.c =1", "{a:{b:\"x\"~,c:1~}~}~" },
    { "a string in pieces", "$ \"ab\n$ \"c\n$ \"\n$ \"def\n$ /string", "\"abcdef\"" },
    { "scalars at the root: number", "$ =-1.50e3\n$ /number", "-1.50e3" },
    { "scalars at the root: null", "$ =null\n$ /null", "null" },
    { "scalars at the root: bool", "$ =true\n$ /bool", "true" },
    { "DONE alone at the root: object", "$ /object", "{}" },
    { "DONE alone at the root: array", "$ /array", "[]" },
    { "DONE alone at the root: string", "$ /string", "\"\"" },
    { "DONE alone below", "$.a /object\n$.b /array\n$.c /string\n$.d[0] /array\n$.d /array\n$ /object",
      "{a:{},b:[],c:\"\",d:[[]]}" },
    { "BEGIN alone", "$ [", "[]~" },
    { "an empty key", "$. =1\n$. /number\n$ /object", "{:1}" },
    { "a member after its DONE is another one", "$.a =1\n$.a /number\n$.a =2\n$.a /number\n$ /object", "{a:1,a:2}" },
    { "two empty strings of one name", "$.a /string\n$.a /string", "{a:\"\",a:\"\"}~" },
    { "a second BEGIN is another one and cuts the first",
      "$.a {\n$.a.x \"1\n$.a [\n$.a[0] =2\n$.a[0] /number\n$.a /array", "{a:{x:\"1\"!E}!E,a:[2]}~" },
    { "BEGIN for a name whose string is open", "$.a \"x\n$.a {\n$.a /object\n$ /object", "{a:\"x\"!E,a:{}}!E" },
    { "strings that take turns", "$.a \"one\n$.b \"1\n$.a \" two\n$.b \"2\n$.a \" three\n$.b \"3\n$.a /string",
      "{a:\"one two three\",b:\"123\"~}~" },
    { "going back into an open container", "$.a.x \"1\n$.b.y \"2\n$.a.x \"3\n$.a.z =4\n$.b.y \"5",
      "{a:{x:\"13\"~,z:4~}~,b:{y:\"25\"~}~}~" },
    { "DONE for what is not the last", "$.a \"1\n$.b \"2\n$.a /string\n$.b \"3\n$.b /string\n$ /object",
      "{a:\"1\",b:\"23\"}" },
    { "elements that take turns", "$[0] \"a\n$[1] \"b\n$[0] \"c\n$[2] \"d\n$[1] \"e", "[\"ac\"~,\"be\"~,\"d\"~]~" },
    { "elements out of order", "$[5] \"a\n$[2] \"b\n$[5] \"c\n$[2] /string\n$[5] /string", "[\"ac\",\"b\"]~" },
    { "DONE of a container cuts what is open in it", "$.a \"x\n$.b =1\n$.b /number\n$ /object", "{a:\"x\"!E,b:1}!E" },
    { "and the mark goes up to all around it", "$.a[0].b \"x\n$.a /array\n$.c /string\n$ /object",
      "{a:[{b:\"x\"!E}!E]!E,c:\"\"}!E" }
};

TEST(scripts_make_the_expected_trees)
{
    size_t i;

    for (i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        check_context(scripts[i].name);
        start();
        play(&tree, scripts[i].script);
        CHECK_TREE(&tree, scripts[i].expected);
        stop();
    }
}

TEST(a_container_around_one_that_was_cut_is_not_complete)
{
    start();
    play(&tree, "$.a[0].b \"x\n$.a /array\n$ /object");
    CHECK_INT(elelem_value_state_of(elelem_value_find(root(), "a[0].b")), ELELEM_VALUE_CUT_END);
    CHECK_INT(elelem_value_state_of(elelem_value_find(root(), "a")), ELELEM_VALUE_CUT_END);
    CHECK_INT(elelem_value_state_of(root()), ELELEM_VALUE_CUT_END);
    CHECK(!elelem_value_is_complete(root()));
    stop();
}

TEST(the_tree_can_be_read_after_every_fragment)
{
    static const script_row steps[] = {
        { "", "$ {", "{}~" },
        { "", "$.a \"x", "{a:\"x\"~}~" },
        { "", "$.a \"y", "{a:\"xy\"~}~" },
        { "", "$.a /string", "{a:\"xy\"}~" },
        { "", "$.b [", "{a:\"xy\",b:[]~}~" },
        { "", "$.b[0] =1", "{a:\"xy\",b:[1~]~}~" },
        { "", "$.b[0] /number", "{a:\"xy\",b:[1]~}~" },
        { "", "$.b[1] {", "{a:\"xy\",b:[1,{}~]~}~" },
        { "", "$.b[1] /object", "{a:\"xy\",b:[1,{}]~}~" },
        { "", "$.b /array", "{a:\"xy\",b:[1,{}]}~" },
        { "", "$ /object", "{a:\"xy\",b:[1,{}]}" }
    };
    size_t i;

    start();
    for (i = 0; i < sizeof steps / sizeof *steps; i++) {
        check_context(steps[i].script);
        CHECK_INT(play(&tree, steps[i].script), ELELEM_OK);
        CHECK_TREE(&tree, steps[i].expected);
    }
    stop();
}

/* What does not fit. */

static const script_row misfits[] = {
    { "$ =1", "$ /number", "$ =2" },
    { "$ {\n$ /object", "", "$ {" },
    { "$ {\n$ /object", "", "$.a =1" },
    { "$ {", "", "$ {" },
    { "$ {", "", "$ [" },
    { "$ {", "", "$[0] =1" },
    { "$ [", "", "$.a =1" },
    { "$ {", "", "$ \"x" },
    { "$ {", "", "$ /array" },
    { "$ {", "", "$ =1" },
    { "$.a =1", "", "$.a \"x" },
    { "$.a =1", "", "$.a =2" },
    { "$.a =1", "", "$.a /string" },
    { "$.a =1", "", "$.a.b =2" },
    { "$.a \"x", "", "$.a =1" },
    { "$.a \"x", "", "$.a[0] =1" },
    { "$.a \"x", "", "$.a /number" },
    { "$.a {", "", "$.a /array" },
    { "$.a {", "", "$.b /number" },
    { "$.a {", "", "$.b /null" },
    { "$.a {", "", "$.b /bool" },
    { "$.a {", "", "$.b /none" },
    { "", "", "$ /number" }
};

TEST(a_fragment_that_does_not_fit_is_misuse_and_changes_nothing)
{
    size_t i;

    for (i = 0; i < sizeof misfits / sizeof *misfits; i++) {
        char before[256] = "";
        check_context(misfits[i].expected);
        start();
        play(&tree, misfits[i].name);
        play(&tree, misfits[i].script);
        memcpy(before, show_all(&tree).data, show_all(&tree).size);
        CHECK_INT(play(&tree, misfits[i].expected), ELELEM_ERROR_MISUSE);
        CHECK_TREE(&tree, before);
        CHECK_INT(elelem_fragment_aggregator_error(&tree).status, ELELEM_OK);
        stop();
    }
}

TEST(misuse_does_not_stick)
{
    start();
    CHECK_INT(play(&tree, "$.a \"x\n$.a =1"), ELELEM_ERROR_MISUSE);
    CHECK_INT(play(&tree, "$.a \"y\n$.a /string\n$ /object"), ELELEM_OK);
    CHECK_TREE(&tree, "{a:\"xy\"}");
    stop();
}

TEST(a_fragment_that_makes_no_sense_is_misuse)
{
    made m;

    start();
    make(&m, "$ {");
    m.fragment.type = ELELEM_TYPE_STRING;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_MISUSE);
    make(&m, "$ =1");
    m.fragment.text.size = 0;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_MISUSE);
    make(&m, "$ =1");
    m.fragment.type = ELELEM_TYPE_ARRAY;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_MISUSE);
    make(&m, "$ {");
    m.fragment.kind = 99;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_MISUSE);
    make(&m, "$ {");
    m.fragment.path = NULL;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_MISUSE);
    make(&m, "$.a {");
    m.path.segments = NULL;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_MISUSE);
    make(&m, "$ =1");
    m.fragment.type = ELELEM_TYPE_NONE;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_MISUSE);
    make(&m, "$ /object");
    m.fragment.type = ELELEM_TYPE_OBJECT + 1;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_MISUSE);
    CHECK_TREE(&tree, "none");
    stop();
}

TEST(a_member_that_ended_before_one_that_is_open_is_not_continued)
{
    start();
    CHECK_INT(play(&tree, "$.a \"x\n$.b \"y\n$.a /string\n$.c \"z\n$.a \"w\n$.b \"y"), ELELEM_OK);
    CHECK_TREE(&tree, "{a:\"x\",b:\"yy\"~,c:\"z\"~,a:\"w\"~}~");
    stop();
}

/* Cutting off. */

TEST(finish_cuts_off_what_is_open_and_only_that)
{
    start();
    play(&tree, "$.a =1\n$.a /number\n$.b[0] \"x\n$.b[0] /string\n$.b[1].c \"y\n$.d \"z");
    elelem_fragment_aggregator_finish(&tree);
    CHECK_TREE(&tree, "{a:1,b:[\"x\",{c:\"y\"!E}!E]!E,d:\"z\"!E}!E");
    CHECK_INT(play(&tree, "$.d \"z"), ELELEM_ERROR_MISUSE);
    stop();
}

TEST(cut_sets_the_callers_reason)
{
    start();
    play(&tree, "$.a \"x");
    elelem_fragment_aggregator_cut(&tree, ELELEM_VALUE_CUT_ERROR);
    CHECK_TREE(&tree, "{a:\"x\"!X}!X");
    elelem_fragment_aggregator_cut(&tree, ELELEM_VALUE_CUT_LIMIT);
    elelem_fragment_aggregator_finish(&tree);
    CHECK_TREE(&tree, "{a:\"x\"!X}!X");
    elelem_fragment_aggregator_reset(&tree);
    play(&tree, "$.a \"x");
    elelem_fragment_aggregator_cut(&tree, ELELEM_VALUE_CUT_LIMIT);
    CHECK_TREE(&tree, "{a:\"x\"!L}!L");
    elelem_fragment_aggregator_reset(&tree);
    play(&tree, "$.a \"x");
    elelem_fragment_aggregator_cut(&tree, ELELEM_VALUE_COMPLETE);
    CHECK_TREE(&tree, "{a:\"x\"!X}!X");
    stop();
}

TEST(a_complete_value_cannot_be_cut_off)
{
    start();
    play(&tree, "$.a =1\n$.a /number\n$ /object");
    elelem_fragment_aggregator_cut(&tree, ELELEM_VALUE_CUT_ERROR);
    CHECK_TREE(&tree, "{a:1}");
    stop();
}

TEST(finish_without_a_fragment_leaves_no_value)
{
    elelem_completed_value completed;

    start();
    CHECK_INT(elelem_fragment_aggregator_next(&tree, &completed), ELELEM_MORE);
    elelem_fragment_aggregator_finish(&tree);
    CHECK_TREE(&tree, "none");
    CHECK_INT(elelem_fragment_aggregator_next(&tree, &completed), ELELEM_END);
    CHECK_INT(mine.calls, 0);
    stop();
}

/* What next returns. */

static elelem_status told(elelem_completed_value *completed)
{
    return elelem_fragment_aggregator_next(&tree, completed);
}

TEST(without_patterns_next_returns_the_root_once)
{
    elelem_completed_value completed;

    start();
    play(&tree, "$.a =1\n$.a /number");
    CHECK_INT(told(&completed), ELELEM_MORE);
    play(&tree, "$ /object");
    CHECK_INT(told(&completed), ELELEM_OK);
    CHECK_VALUE(completed.value, "{a:1}");
    CHECK_INT(completed.pattern, ELELEM_NO_PATTERN);
    CHECK_INT(told(&completed), ELELEM_END);
    CHECK_INT(told(&completed), ELELEM_END);
    stop();
}

TEST(an_aggregator_with_patterns_that_have_no_nodes_has_none)
{
    static const elelem_patterns none = ELELEM_INIT;
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    elelem_completed_value completed;

    desc.patterns = &none;
    start_with(&desc);
    play(&tree, "$.a =1\n$.a /number");
    CHECK_INT(told(&completed), ELELEM_MORE);
    play(&tree, "$ /object");
    CHECK_INT(told(&completed), ELELEM_OK);
    CHECK_INT(completed.pattern, ELELEM_NO_PATTERN);
    stop();
}

TEST(a_pattern_matches_from_the_root_on)
{
    static const char *const texts[] = { "b" };
    elelem_pattern_node nodes[2];
    elelem_patterns patterns;
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    elelem_completed_value completed;

    CHECK_INT(elelem_patterns_compile(&patterns, nodes, 2, texts, 1, NULL, NULL), ELELEM_OK);
    desc.patterns = &patterns;
    start_with(&desc);
    play(&tree, "$.a.b =1\n$.a.b /number");
    CHECK_INT(told(&completed), ELELEM_MORE);
    play(&tree, "$.b =1\n$.b /number");
    CHECK_INT(told(&completed), ELELEM_OK);
    stop();
}

TEST(a_root_that_was_cut_is_not_returned_as_complete)
{
    elelem_completed_value completed;

    start();
    play(&tree, "$.a \"x\n$ /object");
    CHECK_INT(told(&completed), ELELEM_END);
    elelem_fragment_aggregator_reset(&tree);
    play(&tree, "$.a \"x");
    elelem_fragment_aggregator_finish(&tree);
    CHECK_INT(told(&completed), ELELEM_END);
    stop();
}

TEST(next_returns_exactly_the_values_that_patterns_match)
{
    static const char *const texts[] = { "a[*].b", "a", "c.*", "d[\"x.y\"]" };
    elelem_pattern_node nodes[16];
    elelem_patterns patterns;
    uint16_t which[4];
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    elelem_completed_value completed;

    CHECK_INT(elelem_patterns_compile(&patterns, nodes, 16, texts, 4, which, NULL), ELELEM_OK);
    desc.patterns = &patterns;
    start_with(&desc);
    play(&tree, "$.a[0].b =1\n$.a[0].b /number");
    CHECK_INT(told(&completed), ELELEM_OK);
    CHECK_VALUE(completed.value, "1");
    CHECK_INT(completed.pattern, which[0]);
    CHECK_INT(told(&completed), ELELEM_MORE);
    play(&tree, "$.a[0].b2 /string");
    CHECK_INT(told(&completed), ELELEM_MORE);
    play(&tree, "$.a[0] /object");
    CHECK_INT(told(&completed), ELELEM_MORE);
    play(&tree, "$.a[1].b.b /array");
    CHECK_INT(told(&completed), ELELEM_MORE);
    play(&tree, "$.a[1].b /object");
    CHECK_INT(told(&completed), ELELEM_OK);
    CHECK_VALUE(completed.value, "{b:[]}");
    CHECK_INT(completed.pattern, which[0]);
    play(&tree, "$.a[1] /object\n$.a /array");
    CHECK_INT(told(&completed), ELELEM_OK);
    CHECK_VALUE(completed.value, "[{b:1,b2:\"\"},{b:{b:[]}}]");
    CHECK_INT(completed.pattern, which[1]);
    play(&tree, "$.c.q /string");
    CHECK_INT(told(&completed), ELELEM_OK);
    CHECK_INT(completed.pattern, which[2]);
    play(&tree, "$.c /object\n$ /object");
    CHECK_INT(told(&completed), ELELEM_END);
    stop();
}

TEST(a_long_list_is_read_in_the_memory_of_one_element)
{
    static const char *const texts[] = { "list[*]" };
    elelem_pattern_node nodes[4];
    elelem_patterns patterns;
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    elelem_completed_value completed;
    char script[200];
    unsigned i;

    elelem_patterns_compile(&patterns, nodes, 4, texts, 1, NULL, NULL);
    desc.patterns = &patterns;
    desc.max_bytes = 300;
    start_with(&desc);
    for (i = 0; i < 1000; i++) {
        sprintf(script, "$.list[%u] {\n$.list[%u].n =%u\n$.list[%u].n /number\n$.list[%u] /object", i, i, i, i, i);
        if (!CHECK_INT(play(&tree, script), ELELEM_OK)) break;
        if (!CHECK_INT(told(&completed), ELELEM_OK)) break;
        CHECK_INT(elelem_value_index(completed.value), i);
        CHECK_INT(elelem_value_count(completed.value), 1);
        elelem_fragment_aggregator_reset(&tree);
    }
    CHECK_INT(play(&tree, "$.list /array\n$ /object"), ELELEM_OK);
    CHECK_INT(told(&completed), ELELEM_END);
    stop();
}

TEST(a_matched_value_that_was_cut_is_not_returned)
{
    static const char *const texts[] = { "a" };
    elelem_pattern_node nodes[4];
    elelem_patterns patterns;
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    elelem_completed_value completed;

    elelem_patterns_compile(&patterns, nodes, 4, texts, 1, NULL, NULL);
    desc.patterns = &patterns;
    start_with(&desc);
    play(&tree, "$.a.x \"1\n$.a /object");
    CHECK_INT(told(&completed), ELELEM_MORE);
    play(&tree, "$.a /object");
    CHECK_INT(told(&completed), ELELEM_OK);
    CHECK_VALUE(completed.value, "{}");
    stop();
}

TEST(the_next_push_forgets_what_was_not_taken)
{
    static const char *const texts[] = { "*" };
    elelem_pattern_node nodes[4];
    elelem_patterns patterns;
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    elelem_completed_value completed;

    elelem_patterns_compile(&patterns, nodes, 4, texts, 1, NULL, NULL);
    desc.patterns = &patterns;
    start_with(&desc);
    play(&tree, "$.a /string\n$.b \"x");
    CHECK_INT(told(&completed), ELELEM_MORE);
    play(&tree, "$.b /string");
    CHECK_INT(play(&tree, "$.b /none"), ELELEM_ERROR_MISUSE);
    CHECK_INT(told(&completed), ELELEM_OK);
    CHECK_VALUE(completed.value, "\"x\"");
    stop();
}

/* Reading. */

TEST(every_function_takes_no_value)
{
    elelem_value none = ELELEM_INIT;
    int boolean = 7;
    int64_t number = 7;
    uint64_t size = 7;
    double real = 7;

    CHECK_INT(elelem_value_type(none), ELELEM_TYPE_NONE);
    CHECK_INT(elelem_value_state_of(none), ELELEM_VALUE_OPEN);
    CHECK(!elelem_value_is_complete(none));
    CHECK_INT(elelem_value_text(none).size, 0);
    CHECK_INT(elelem_value_key(none).size, 0);
    CHECK_INT(elelem_value_index(none), 0);
    CHECK_INT(elelem_value_count(none), 0);
    CHECK_VALUE(elelem_value_first(none), "none");
    CHECK_VALUE(elelem_value_next(none), "none");
    CHECK_VALUE(elelem_value_parent(none), "none");
    CHECK_VALUE(elelem_value_get(none, "a"), "none");
    CHECK_VALUE(elelem_value_get(none, NULL), "none");
    CHECK_VALUE(elelem_value_at(none, 0), "none");
    CHECK_VALUE(elelem_value_find(none, "a[0]"), "none");
    CHECK_VALUE(elelem_value_find(none, ""), "none");
    CHECK_INT(elelem_value_to_bool(none, &boolean), ELELEM_ERROR_TYPE);
    CHECK_INT(elelem_value_to_int64(none, &number), ELELEM_ERROR_TYPE);
    CHECK_INT(elelem_value_to_uint64(none, &size), ELELEM_ERROR_TYPE);
    CHECK_INT(elelem_value_to_double(none, &real), ELELEM_ERROR_TYPE);
    CHECK(boolean == 7 && number == 7 && size == 7 && real > 6);
}

TEST(members_are_found_by_key_and_the_last_of_several_is_returned) /* J9 */
{
    start();
    play(&tree, "$.a =1\n$.a /number\n$.b =2\n$.b /number\n$.a =3\n$.a /number\n$.ab =4\n$.ab /number\n$ /object");
    CHECK_VALUE(elelem_value_get(root(), "a"), "3");
    CHECK_VALUE(elelem_value_get(root(), "b"), "2");
    CHECK_VALUE(elelem_value_get(root(), "ab"), "4");
    CHECK_VALUE(elelem_value_get(root(), "c"), "none");
    CHECK(!elelem_value_get(root(), "c").els_owner);
    CHECK_VALUE(elelem_value_get(root(), ""), "none");
    CHECK_VALUE(elelem_value_at(root(), 0), "none");
    CHECK_INT(elelem_value_count(root()), 4);
    stop();
}

TEST(a_segment_of_a_null_key_is_a_member_with_an_empty_key)
{
    elelem_str none = ELELEM_INIT;
    elelem_segment segment = elelem_segment_of_key(none);

    CHECK(segment.key.data != NULL);
    CHECK_INT(segment.key.size, 0);
    CHECK(!elelem_segment_of_index(3).key.data);
}

TEST(a_key_may_hold_zero_bytes) /* J9 */
{
    elelem_str key = { "a\0b", 3 };
    elelem_segment segment = elelem_segment_of_key(key);
    elelem_path path = path_of(&segment, 1);
    made m;

    start();
    make(&m, "$ /string");
    m.fragment.path = &path;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_OK);
    CHECK_VALUE(elelem_value_get(root(), "a"), "none");
    CHECK_VALUE(elelem_value_member(root(), segment.key), "\"\"");
    CHECK_INT(elelem_value_key(elelem_value_first(root())).size, 3);
    stop();
}

TEST(a_key_may_be_empty)
{
    start();
    play(&tree, "$.a =1\n$.a /number\n$. =2\n$. /number\n$.b =3\n$.b /number");
    CHECK_TREE(&tree, "{a:1,:2,b:3}~");
    CHECK_VALUE(elelem_value_get(root(), ""), "2");
    CHECK_VALUE(elelem_value_get(root(), NULL), "2");
    CHECK_VALUE(elelem_value_find(root(), "[\"\"]"), "2");
    stop();
}

TEST(elements_are_found_by_the_index_of_their_path)
{
    start();
    play(&tree, "$[2] =20\n$[2] /number\n$[7] =70\n$[7] /number");
    CHECK_VALUE(elelem_value_at(root(), 2), "20");
    CHECK_VALUE(elelem_value_at(root(), 7), "70");
    CHECK_VALUE(elelem_value_at(root(), 0), "none");
    CHECK_VALUE(elelem_value_at(root(), 3), "none");
    CHECK_VALUE(elelem_value_at(root(), 8), "none");
    play(&tree, "$[3] =30\n$[3] /number\n$[2] =21\n$[2] /number");
    CHECK_VALUE(elelem_value_at(root(), 3), "30");
    CHECK_VALUE(elelem_value_at(root(), 2), "21");
    CHECK_VALUE(elelem_value_at(root(), 7), "70");
    CHECK_INT(elelem_value_index(elelem_value_next(elelem_value_first(root()))), 7);
    CHECK_INT(elelem_value_count(root()), 4);
    stop();
}

TEST(values_have_a_parent_and_a_key_or_index)
{
    elelem_value b;

    start();
    play(&tree, "$.a.b =1\n$.a.b /number\n$.a.c[4] =2");
    b = elelem_value_find(root(), "a.b");
    CHECK_SLICE(elelem_value_key(b), "b");
    CHECK_INT(elelem_value_index(b), 0);
    CHECK_SLICE(elelem_value_key(elelem_value_parent(b)), "a");
    CHECK_VALUE(elelem_value_parent(elelem_value_parent(elelem_value_parent(b))), "none");
    CHECK_SLICE(elelem_value_key(elelem_value_next(b)), "c");
    CHECK_INT(elelem_value_index(elelem_value_find(root(), "a.c[4]")), 4);
    CHECK_INT(elelem_value_key(elelem_value_find(root(), "a.c[4]")).size, 0);
    CHECK_INT(elelem_value_key(root()).size, 0);
    stop();
}

TEST(find_takes_a_pattern_without_wildcards)
{
    static const script_row rows[] = {
        { "", "a.b[1]", "2" },   { "", "a", "{b:[1,2],x.\"y:3}" }, { "", "", "{a:{b:[1,2],x.\"y:3}}~" },
        { "", "a.b[2]", "none" }, { "", "a.*", "none" },            { "", "a.b[*]", "none" },
        { "", "a[\"b\"][0]", "1" }, { "", "a[\"x.\\\"y\"]", "3" },  { "", "a..b", "none" },
        { "", "a.b[", "none" },   { "", "a.b.c", "none" },          { "", "[0]", "none" },
        { "", "a.b[\"x.\\\"y\"]", "none" }, { "", "a.b[1][\"x.\\\"y\"]", "none" }
    };
    elelem_segment segments[2];
    elelem_path path;
    made m;
    size_t i;

    segments[0] = elelem_segment_of_key(elelem_str_of("a"));
    segments[1] = elelem_segment_of_key(elelem_str_of("x.\"y"));
    path = path_of(segments, 2);
    start();
    play(&tree, "$.a.b[0] =1\n$.a.b[0] /number\n$.a.b[1] =2\n$.a.b[1] /number\n$.a.b /array");
    make(&m, "$ =3");
    m.fragment.path = &path;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_OK);
    make(&m, "$ /number");
    m.fragment.path = &path;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_OK);
    play(&tree, "$.a /object");
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].script);
        CHECK_VALUE(elelem_value_find(root(), rows[i].script), rows[i].expected);
    }
    stop();
}

TEST(scalars_convert_on_request)
{
    int boolean = 7;
    int64_t number = 0;
    uint64_t size = 0;
    double real = 0;

    start();
    play(&tree, "$.t =true\n$.f =false\n$.i =-42\n$.u =18446744073709551615\n$.d =0.5\n$.s \"1\n$.n =null");
    CHECK_INT(elelem_value_to_bool(elelem_value_get(root(), "t"), &boolean), ELELEM_OK);
    CHECK_INT(boolean, 1);
    CHECK_INT(elelem_value_to_bool(elelem_value_get(root(), "f"), &boolean), ELELEM_OK);
    CHECK_INT(boolean, 0);
    CHECK_INT(elelem_value_to_int64(elelem_value_get(root(), "i"), &number), ELELEM_OK);
    CHECK_INT(number, -42);
    CHECK_INT(elelem_value_to_uint64(elelem_value_get(root(), "u"), &size), ELELEM_OK);
    CHECK_U64(size, UINT64_MAX);
    CHECK_INT(elelem_value_to_double(elelem_value_get(root(), "d"), &real), ELELEM_OK);
    CHECK(real > 0.49 && real < 0.51);
    CHECK_INT(elelem_value_to_int64(elelem_value_get(root(), "s"), &number), ELELEM_ERROR_TYPE);
    CHECK_INT(elelem_value_to_bool(elelem_value_get(root(), "n"), &boolean), ELELEM_ERROR_TYPE);
    CHECK_INT(elelem_value_to_int64(elelem_value_get(root(), "u"), &number), ELELEM_ERROR_RANGE);
    CHECK_INT(elelem_value_to_int64(elelem_value_get(root(), "d"), &number), ELELEM_ERROR_NOT_INTEGER);
    stop();
}

/* Limits. */

TEST(a_string_over_its_limit_keeps_the_characters_that_fit)
{
    static const char *const cuts[] = { "$.a \"x\xe2\x82\xac\xe2\x82\xacy",
                                        "$.a \"x\n$.a \"\xe2\x82\xac\n$.a \"\xe2\x82\xac\n$.a \"y",
                                        "$.a \"x\xe2\x82\xac\n$.a \"\xe2\x82\xacy" };
    size_t i;

    for (i = 0; i < 3; i++) {
        elelem_fragment_aggregator_desc desc = ELELEM_INIT;
        elelem_completed_value completed;
        desc.max_string_bytes = 6;
        start_with(&desc);
        play(&tree, "$.z \"123456\n$.z /string");
        CHECK_INT(play(&tree, cuts[i]), ELELEM_ERROR_STRING_SIZE);
        CHECK_TREE(&tree, "{z:\"123456\",a:\"x\xe2\x82\xac\"!L}!L");
        CHECK_INT(play(&tree, "$.b =1"), ELELEM_ERROR_STRING_SIZE);
        CHECK_INT(told(&completed), ELELEM_ERROR_STRING_SIZE);
        CHECK_INT(elelem_fragment_aggregator_error(&tree).status, ELELEM_ERROR_STRING_SIZE);
        stop();
    }
}

TEST(the_offset_of_an_error_is_the_number_of_values_that_ended)
{
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    int i;

    desc.max_string_bytes = 3;
    start_with(&desc);
    for (i = 0; i < 2; i++) {
        CHECK_INT(play(&tree, "$.a =1\n$.a /number\n$.b \"x\n$.b /string\n$.c \"long"), ELELEM_ERROR_STRING_SIZE);
        CHECK_U64(elelem_fragment_aggregator_error(&tree).offset, 2);
        elelem_fragment_aggregator_reset(&tree);
    }
    stop();
}

TEST(of_two_elements_with_one_index_the_last_is_found)
{
    start();
    play(&tree, "$[2] =20\n$[2] /number\n$[2] =21\n$[2] /number\n$[3] =30\n$[3] /number");
    CHECK_VALUE(elelem_value_at(root(), 2), "21");
    stop();
}

TEST(the_depth_counts_containers_with_or_without_begin)
{
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    elelem_completed_value completed;

    desc.max_depth = 1;
    start_with(&desc);
    CHECK_INT(play(&tree, "$.a =1"), ELELEM_OK);
    CHECK_INT(told(&completed), ELELEM_MORE);
    CHECK_INT(elelem_fragment_aggregator_error(&tree).status, ELELEM_OK);
    CHECK_INT(play(&tree, "$.b {"), ELELEM_ERROR_DEPTH);
    stop();

    desc.max_depth = 2;
    start_with(&desc);
    CHECK_INT(play(&tree, "$.a.b =1"), ELELEM_OK);
    CHECK_INT(play(&tree, "$.a.c /array"), ELELEM_ERROR_DEPTH);
    CHECK_TREE(&tree, "{a:{b:1!L}!L}!L");
    stop();
    start_with(&desc);
    CHECK_INT(play(&tree, "$.a.b.c =1"), ELELEM_ERROR_DEPTH);
    CHECK_TREE(&tree, "none");
    stop();
    start_with(&desc);
    CHECK_INT(play(&tree, "$ [\n$[0] ["), ELELEM_OK);
    CHECK_INT(play(&tree, "$[0][0] ["), ELELEM_ERROR_DEPTH);
    stop();
}

/* The same document under every limit of bytes: no block is larger, and the tree is whole or it is an error. */
TEST(the_block_never_grows_beyond_its_limit)
{
    static const char script[] = "$ {\n$.alpha \"some text\n$.alpha \" and more\n$.alpha /string\n$.beta[0] =12345678\n"
                                 "$.beta[0] /number\n$.beta /array\n$ /object";
    uint32_t limit;
    int whole = 0;

    for (limit = 1; limit < 400 && !whole; limit++) {
        elelem_fragment_aggregator_desc desc = ELELEM_INIT;
        elelem_status status;
        check_cut("limit", limit);
        desc.max_bytes = limit;
        start_with(&desc);
        status = play(&tree, script);
        CHECK(mine.live <= limit);
        whole = status == ELELEM_OK;
        if (!whole) CHECK_INT(status, ELELEM_ERROR_VALUE_SIZE);
        CHECK_INT(elelem_value_is_complete(root()), whole);
        if (!whole && mine.blocks) CHECK_INT(elelem_value_state_of(root()), ELELEM_VALUE_CUT_LIMIT);
        stop();
    }
    CHECK(whole);
}

TEST(what_is_kept_under_a_limit_of_bytes_does_not_depend_on_cuts)
{
    uint32_t limit;

    for (limit = 40; limit < 130; limit++) {
        char whole[256] = "";
        elelem_status status;
        elelem_fragment_aggregator_desc desc = ELELEM_INIT;
        check_cut("limit", limit);
        desc.max_bytes = limit;
        start_with(&desc);
        status = play(&tree, "$.a \"x\xe2\x82\xacyz12345\n$.a /string");
        memcpy(whole, show_all(&tree).data, show_all(&tree).size);
        stop();
        start_with(&desc);
        CHECK_INT(play(&tree, "$.a \"x\n$.a \"\xe2\x82\xac\n$.a \"y\n$.a \"z\n$.a \"123\n$.a \"4\n$.a \"5\n$.a /string"), status);
        CHECK_TREE(&tree, whole);
        stop();
    }
}

TEST(a_string_that_moves_needs_room_only_for_its_bytes)
{
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    uint32_t used;

    start();
    play(&tree, "$.a \"0123456789\n$.b =1");
    used = tree.els_used;
    stop();
    desc.max_bytes = used + 11;
    start_with(&desc);
    CHECK_INT(play(&tree, "$.a \"0123456789\n$.b =1\n$.a \"x"), ELELEM_OK);
    CHECK_TREE(&tree, "{a:\"0123456789x\"~,b:1~}~");
    stop();
    desc.max_bytes = used + 10;
    start_with(&desc);
    CHECK_INT(play(&tree, "$.a \"0123456789\n$.b =1\n$.a \"x"), ELELEM_ERROR_VALUE_SIZE);
    CHECK_TREE(&tree, "{a:\"0123456789\"!L,b:1!L}!L");
    stop();
}

TEST(sizes_that_do_not_fit_32_bits_are_over_the_limit) /* J3 */
{
    elelem_segment segment = elelem_segment_of_key(elelem_str_of("k"));
    elelem_path path = path_of(&segment, 1);
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    made m;

    desc.max_bytes = UINT32_MAX;
    start_with(&desc);
    make(&m, "$ =1");
    m.fragment.text.size = SIZE_MAX;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_VALUE_SIZE);
    elelem_fragment_aggregator_reset(&tree);
    segment.key.size = SIZE_MAX - 8;
    make(&m, "$ {");
    m.fragment.path = &path;
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_ERROR_VALUE_SIZE);
    stop();
}

/* Memory. */

static const char rich[] = "$ {\n$.alpha \"some text that is longer than a node\n$.beta[0] =12345678\n$.alpha \" and more of it\n"
                           "$.beta[0] /number\n$.beta[1].gamma \"x\n$.alpha \" and still more, so that it moves\n"
                           "$.beta[1].gamma \"y\n$.beta[1].gamma /string\n$.beta[1] /object\n$.beta /array\n"
                           "$.alpha /string\n$ /object";
static const char rich_tree[] = "{alpha:\"some text that is longer than a node and more of it and still more, so that it "
                                "moves\",beta:[12345678,{gamma:\"xy\"}]}";

static void play_refusing(size_t fail_at, int fail_on, size_t calls)
{
    elelem_status status;

    check_cut(fail_on ? "refusing from call" : "refusing call", fail_at);
    start();
    mine.refuse = (int)fail_at;
    mine.stays = fail_on;
    status = play(&tree, rich);
    if (status == ELELEM_OK) {
        CHECK_TREE(&tree, rich_tree);
        CHECK(!fail_on || fail_at > calls);
    } else {
        CHECK_INT(status, ELELEM_ERROR_MEMORY);
        CHECK(!elelem_value_is_complete(root()));
        if (mine.blocks) CHECK_INT(elelem_value_state_of(root()), elelem_value_type(root()) ? ELELEM_VALUE_CUT_LIMIT : ELELEM_VALUE_OPEN);
        show_all(&tree);
    }
    mine.refuse = 0;
    elelem_fragment_aggregator_reset(&tree);
    CHECK_INT(play(&tree, rich), ELELEM_OK);
    CHECK_TREE(&tree, rich_tree);
    stop();
}

TEST(refused_memory_at_every_call_is_an_error_or_is_not_needed)
{
    size_t calls, i;

    start();
    play(&tree, rich);
    CHECK_TREE(&tree, rich_tree);
    calls = (size_t)mine.calls;
    stop();
    for (i = 1; i <= calls + 1; i++) {
        play_refusing(i, 0, calls);
        play_refusing(i, 1, calls);
    }
}

TEST(the_c_library_and_an_arena_can_be_used_too)
{
    static unsigned char memory[2048];
    elelem_arena arena;
    elelem_fragment_aggregator own;
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;

    elelem_fragment_aggregator_init(&own, NULL);
    CHECK_INT(play(&own, rich), ELELEM_OK);
    CHECK_TREE(&own, rich_tree);
    elelem_fragment_aggregator_free(&own);
    desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    elelem_fragment_aggregator_init(&own, &desc);
    CHECK_INT(play(&own, rich), ELELEM_OK);
    CHECK_TREE(&own, rich_tree);
    elelem_fragment_aggregator_free(&own);
    CHECK_INT(elelem_arena_used(&arena), 0);
}

TEST(a_zeroed_aggregator_may_be_freed_and_read)
{
    elelem_fragment_aggregator zeroed = ELELEM_INIT;

    CHECK_TREE(&zeroed, "none");
    elelem_fragment_aggregator_finish(&zeroed);
    elelem_fragment_aggregator_free(&zeroed);
    elelem_fragment_aggregator_free(&zeroed);
}

TEST(reset_keeps_the_memory)
{
    size_t calls;

    start();
    play(&tree, rich);
    calls = (size_t)mine.calls;
    elelem_fragment_aggregator_reset(&tree);
    CHECK_TREE(&tree, "none");
    play(&tree, rich);
    CHECK_TREE(&tree, rich_tree);
    CHECK_INT(mine.calls, calls);
    stop();
}

TEST(reset_forgets_the_value_that_waits)
{
    elelem_completed_value completed;

    start();
    play(&tree, rich);
    elelem_fragment_aggregator_reset(&tree);
    CHECK_INT(elelem_fragment_aggregator_next(&tree, &completed), ELELEM_MORE);
    stop();
}

/* Many things. If the work were not linear, these would not end within the time of a test. */

static elelem_status push_element(made *m, uint32_t index, const char *what)
{
    make(m, what);
    m->segments[0].index = index;
    return elelem_fragment_aggregator_push(&tree, &m->fragment);
}

TEST(elements_that_never_end_are_not_searched)
{
    made m;
    uint32_t i;

    if (!check_has_memory((size_t)32 << 20)) return;
    start();
    for (i = 0; i < 100000; i++)
        if (push_element(&m, i, "$[0].x /string") != ELELEM_OK) break;
    CHECK_INT(i, 100000);
    CHECK_INT(elelem_value_count(root()), 100000);
    elelem_fragment_aggregator_finish(&tree);
    CHECK_VALUE(elelem_value_at(root(), 99999), "{x:\"\"}!E");
    stop();
}

TEST(two_strings_taking_turns_cost_a_bounded_number_of_copies)
{
    made a, b;
    int i;

    if (!check_has_memory((size_t)32 << 20)) return;
    start();
    make(&a, "$.a \"0123456789");
    make(&b, "$.b \"9876543210");
    for (i = 0; i < 100000; i++) {
        elelem_fragment_aggregator_push(&tree, &a.fragment);
        elelem_fragment_aggregator_push(&tree, &b.fragment);
    }
    CHECK_INT(elelem_value_text(elelem_value_get(root(), "a")).size, 1000000);
    CHECK_INT(elelem_value_text(elelem_value_get(root(), "b")).size, 1000000);
    CHECK(tree.els_used < 9000000);
    stop();
}

TEST(the_32_open_members_that_began_last_can_be_continued)
{
    char line[64];
    int i;

    start();
    for (i = 0; i < 33; i++) {
        sprintf(line, "$.k%d \"a", i);
        play(&tree, line);
    }
    play(&tree, "$.k1 \"b");
    CHECK_INT(elelem_value_count(root()), 33);
    CHECK_VALUE(elelem_value_get(root(), "k1"), "\"ab\"~");
    play(&tree, "$.k0 \"b");
    CHECK_INT(elelem_value_count(root()), 34);
    CHECK_VALUE(elelem_value_get(root(), "k0"), "\"b\"~");
    stop();
}

/* From the parser. */

static const char document[] = "{\"a\":\"x\\n\xe2\x82\xac\\ud83d\\ude00\",\"b\":[1,-2.5e3,true,null,[],{}],\"a\":{\"\":\"\",\"c\":[[\"d\"]]}}";
static const char document_tree[] = "{a:\"x\n\xe2\x82\xac\xf0\x9f\x98\x80\",b:[1,-2.5e3,true,null,[],{}],a:{:\"\",c:[[\"d\"]]}}";

/* Takes all fragments; reads the tree after each. */
static elelem_status take_all(elelem_fragment_parser *parser)
{
    elelem_fragment fragment;
    elelem_status status;

    while ((status = elelem_fragment_parser_next(parser, &fragment)) == ELELEM_OK) {
        if (elelem_fragment_aggregator_push(&tree, &fragment) != ELELEM_OK) return ELELEM_ERROR_MISUSE;
        show_all(&tree);
    }
    return status;
}

TEST(parsed_json_gives_the_same_tree_at_every_cut)
{
    elelem_fragment_parser parser;
    size_t size = sizeof document - 1;
    size_t cut;

    elelem_fragment_parser_init(&parser, NULL);
    for (cut = 0; cut <= size; cut++) {
        check_cut("cut at", cut);
        start();
        elelem_fragment_parser_reset(&parser);
        elelem_fragment_parser_push(&parser, document, cut);
        take_all(&parser);
        elelem_fragment_parser_push(&parser, document + cut, size - cut);
        if (cut < size) CHECK_INT(take_all(&parser), ELELEM_END);
        CHECK_TREE(&tree, document_tree);
        stop();
    }
    elelem_fragment_parser_free(&parser);
}

TEST(a_prefix_of_json_is_never_complete) /* J8 */
{
    elelem_fragment_parser parser;
    size_t size;

    elelem_fragment_parser_init(&parser, NULL);
    for (size = 0; size < sizeof document - 1; size++) {
        size_t i;
        check_cut("prefix of", size);
        start();
        elelem_fragment_parser_reset(&parser);
        for (i = 0; i < size; i++) {
            elelem_fragment_parser_push(&parser, document + i, 1);
            CHECK_INT(take_all(&parser), ELELEM_MORE);
        }
        elelem_fragment_aggregator_finish(&tree);
        CHECK(!elelem_value_is_complete(root()));
        if (size > 0) CHECK_INT(elelem_value_state_of(root()), ELELEM_VALUE_CUT_END);
        stop();
    }
    elelem_fragment_parser_free(&parser);
}

TEST(a_filtered_parser_fills_a_sparse_tree)
{
    static const char *const texts[] = { "b[1]", "a.c[*]", "b[4]" };
    elelem_pattern_node nodes[16];
    elelem_patterns patterns;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;

    elelem_patterns_compile(&patterns, nodes, 16, texts, 3, NULL, NULL);
    desc.patterns = &patterns;
    elelem_fragment_parser_init(&parser, &desc);
    start();
    elelem_fragment_parser_push(&parser, document, sizeof document - 1);
    CHECK_INT(take_all(&parser), ELELEM_END);
    CHECK_TREE(&tree, "{b:[-2.5e3,[]]~,a:{c:[[\"d\"]]~}~}~");
    CHECK_VALUE(elelem_value_find(root(), "b[4]"), "[]");
    CHECK_VALUE(elelem_value_find(root(), "b[1]"), "-2.5e3");
    stop();
    elelem_fragment_parser_free(&parser);
}

/* Feeds what the patterns want; every `stride`-th fragment has a path that no parser made. */
static void feed_filtered(const char *json, const elelem_patterns *patterns, size_t stride)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    size_t count = 0;

    desc.patterns = patterns;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, json, strlen(json));
    while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK) {
        elelem_path path = path_of(fragment.path->segments, fragment.path->count);
        if (stride && count++ % stride == 0) fragment.path = &path;
        CHECK_INT(elelem_fragment_aggregator_push(&tree, &fragment), ELELEM_OK);
    }
    elelem_fragment_parser_free(&parser);
}

/* Their fragments are counted alike, so that one may seem to follow that of the other. */
TEST(fragments_of_two_parsers_may_take_turns)
{
    static const char *const texts[] = { "{\"a\":{\"x\":1,\"y\":2}}", "{\"b\":{\"x\":3,\"y\":4}}" };
    elelem_fragment_parser parsers[2];
    elelem_fragment fragment;
    int i, turn;

    start();
    for (i = 0; i < 2; i++) {
        elelem_fragment_parser_init(&parsers[i], NULL);
        CHECK_INT(elelem_fragment_parser_push(&parsers[i], texts[i], strlen(texts[i])), ELELEM_OK);
    }
    for (turn = 0; turn < 6; turn++)
        for (i = 0; i < 2; i++) {
            CHECK_INT(elelem_fragment_parser_next(&parsers[i], &fragment), ELELEM_OK);
            if (turn > 0 && (turn < 4) == (i == 0)) CHECK_INT(elelem_fragment_aggregator_push(&tree, &fragment), ELELEM_OK);
        }
    CHECK_TREE(&tree, "{a:{x:1}~,b:{y:4}~}~");
    for (i = 0; i < 2; i++)
        elelem_fragment_parser_free(&parsers[i]);
    stop();
}

/* The second begins to count again, in the same place, while a value of the first is open. */
TEST(a_parser_may_be_initialised_again_between_fragments)
{
    static const char *const wanted[] = { "*.x", "*.y" };
    static const char *const texts[] = { "{\"a\":{\"x\":1,\"x\":2,\"x\":3", "{\"b\":{\"y\":4}}" };
    elelem_pattern_node nodes[8];
    elelem_patterns patterns;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;
    size_t i;

    elelem_patterns_compile(&patterns, nodes, 8, wanted, 2, NULL, NULL);
    desc.patterns = &patterns;
    start();
    for (i = 0; i < 2; i++) {
        elelem_fragment_parser_init(&parser, &desc);
        CHECK_INT(elelem_fragment_parser_push(&parser, texts[i], strlen(texts[i])), ELELEM_OK);
        take_all(&parser);
        elelem_fragment_parser_free(&parser);
    }
    CHECK_TREE(&tree, "{a:{x:1,x:2}~,b:{y:4}~}~");
    stop();
}

TEST(it_makes_no_difference_who_made_a_path)
{
    static const char *const wanted[] = { "", "*.x", "*[*].x", "a", "*.x[1]" };
    static const char *const documents[] = {
        "{\"a\":{\"x\":1,\"y\":2},\"b\":{\"y\":3,\"x\":\"s\"},\"c\":{\"x\":[4,5]},\"a\":{\"x\":[6,7,8]}}",
        "{\"a\":[{\"x\":1},{\"y\":2},{\"x\":3}],\"b\":[{\"x\":4},{\"x\":[5,[6]]}],\"c\":[[],{\"x\":{\"x\":\"\"}}]}",
        "{\"aa\":{\"x\":\"1\"},\"ab\":{\"x\":\"2\"},\"ac\":{\"x\":[[],[[]]]},\"ad\":{\"x\":\"3\"}}"
    };
    size_t i, j, stride;

    for (i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (j = 0; j < sizeof documents / sizeof *documents; j++) {
            char expected[512] = "";
            elelem_pattern_node nodes[8];
            elelem_patterns patterns;
            check_context(documents[j]);
            elelem_patterns_compile(&patterns, nodes, 8, &wanted[i], 1, NULL, NULL);
            start();
            feed_filtered(documents[j], &patterns, 1);
            memcpy(expected, show_all(&tree).data, show_all(&tree).size);
            stop();
            for (stride = 0; stride < 6; stride++) {
                start();
                feed_filtered(documents[j], &patterns, stride);
                CHECK_TREE(&tree, expected);
                stop();
            }
        }
}

TEST(long_paths_are_not_compared_again_for_every_fragment)
{
    size_t depth = 500, count = 300000, size = 0, i;
    char *json;
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    if (!check_has_memory((size_t)32 << 20)) return;
    json = (char *)malloc(depth * 2 + count * 2);
    if (!json) abort();
    for (i = 0; i < depth; i++)
        json[size++] = '[';
    for (i = 0; i < count; i++) {
        json[size++] = '1';
        json[size++] = i + 1 < count ? ',' : ']';
    }
    start();
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, json, size);
    while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
        if (elelem_fragment_aggregator_push(&tree, &fragment) != ELELEM_OK) break;
    CHECK_INT(elelem_value_type(root()), ELELEM_TYPE_ARRAY);
    CHECK_INT(elelem_fragment_parser_unread(&parser), 0);
    stop();
    elelem_fragment_parser_free(&parser);
    free(json);
}

TEST(a_string_whose_rest_is_skipped_is_not_complete)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    start();
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "{\"a\":\"x", 7);
    CHECK_INT(take_all(&parser), ELELEM_MORE);
    elelem_fragment_parser_push(&parser, "y", 1);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
    elelem_fragment_aggregator_push(&tree, &fragment);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_MORE);
    elelem_fragment_parser_push(&parser, "zzz\",\"b\":1}", 11);
    CHECK_INT(take_all(&parser), ELELEM_END);
    CHECK_TREE(&tree, "{a:\"xy\"!E,b:1}!E");
    stop();
    elelem_fragment_parser_free(&parser);
}

/* Its fragments may be counted so that they seem to follow those before. */
TEST(reset_forgets_the_parser)
{
    static const char *const texts[] = { "{\"a\":[1,2,3]}", "{\"x\":{\"p\":0,\"q\":1},\"y\":{\"r\":5,\"s\":6}}" };
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    size_t i;

    start();
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, texts[0], strlen(texts[0]));
    CHECK_INT(take_all(&parser), ELELEM_END);
    elelem_fragment_parser_free(&parser);
    elelem_fragment_aggregator_reset(&tree);
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, texts[1], strlen(texts[1]));
    for (i = 1; elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK; i++)
        if (i == 2 || i == 11 || i == 12) CHECK_INT(elelem_fragment_aggregator_push(&tree, &fragment), ELELEM_OK);
    CHECK_TREE(&tree, "{x:{}~,y:{s:6}~}~");
    elelem_fragment_parser_free(&parser);
    stop();
}

/* Skips the rest of the value of the first `skips` fragments of this kind that have a path; leaves out the first `left_out` fragments. */
static void feed_skipping(const char *text, size_t cut, unsigned kind, int skips, int left_out)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_status status;
    size_t at = 0, size = strlen(text);

    check_context(text);
    elelem_fragment_parser_init(&parser, NULL);
    do {
        size_t more = at == 0 ? cut : size - at;
        elelem_fragment_parser_push(&parser, text + at, more);
        at += more;
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK) {
            if (left_out-- <= 0) CHECK_INT(elelem_fragment_aggregator_push(&tree, &fragment), ELELEM_OK);
            if (fragment.kind == kind && fragment.path->count > 0 && skips-- > 0) CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
        }
    } while (status == ELELEM_MORE && at < size);
    CHECK_INT(status, ELELEM_END);
    elelem_fragment_parser_free(&parser);
}

TEST(a_key_that_comes_again_after_a_skip_is_another_member)
{
    static const struct {
        const char *text;
        size_t cut;
        unsigned kind;
        int skips;
        const char *tree;
    } rows[] = {
        { "{\"a\":\"1234567890\",\"a\":\"yy\"}", 10, ELELEM_FRAGMENT_STRING, 1, "{a:\"1234\"!E,a:\"yy\"}!E" },
        { "{\"a\":\"1234567890\",\"a\":\"\"}", 10, ELELEM_FRAGMENT_STRING, 1, "{a:\"1234\"!E,a:\"\"}!E" },
        { "{\"a\":\"1234567890\",\"a\":5}", 10, ELELEM_FRAGMENT_STRING, 1, "{a:\"1234\"!E,a:5}!E" },
        { "{\"a\":\"1234567890\",\"a\":{\"k\":1}}", 10, ELELEM_FRAGMENT_STRING, 1, "{a:\"1234\"!E,a:{k:1}}!E" },
        { "{\"a\":\"1234567890\",\"b\":0,\"a\":\"yy\"}", 10, ELELEM_FRAGMENT_STRING, 1, "{a:\"1234\"!E,b:0,a:\"yy\"}!E" },
        { "{\"a\":\"1234567890\",\"a\":\"yy\"}", 10, ELELEM_FRAGMENT_STRING, 2, "{a:\"1234\"!E,a:\"yy\"!E}!E" },
        { "[\"1234567890\",\"yy\"]", 6, ELELEM_FRAGMENT_STRING, 1, "[\"1234\"!E,\"yy\"]!E" },
        { "{\"a\":{\"b\":1},\"a\":5}", 8, ELELEM_FRAGMENT_BEGIN, 1, "{a:{}!E,a:5}!E" },
        { "{\"a\":{\"b\":1},\"a\":{\"c\":2}}", 8, ELELEM_FRAGMENT_BEGIN, 1, "{a:{}!E,a:{c:2}}!E" },
        { "{\"a\":[1],\"a\":[]}", 8, ELELEM_FRAGMENT_BEGIN, 2, "{a:[]!E,a:[]!E}!E" },
    };
    size_t i;
    int left_out;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (left_out = 0; left_out < 2; left_out++) {
            start();
            feed_skipping(rows[i].text, rows[i].cut, rows[i].kind, rows[i].skips, left_out);
            CHECK_TREE(&tree, rows[i].tree);
            stop();
        }
}

/* A fragment that was refused is of no node, so that a skip after it ends none. */
TEST(a_skip_after_a_refused_fragment_changes_nothing)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    made m;

    start();
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "[{\"a\":1},2]", 11);
    make(&m, "$.x {");
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &m.fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &fragment), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_aggregator_push(&tree, &fragment), ELELEM_ERROR_MISUSE);
    CHECK_TREE(&tree, "{x:{}~}~");
    elelem_fragment_parser_free(&parser);
    stop();
}

/* Null is no value for a node that is wanted unless it is null. */
TEST(next_returns_what_is_wanted_unless_it_is_null_if_it_is_not)
{
    static const elelem_pattern_node table[] = {
        ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
        ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_SOME),
        ELELEM_PATTERN_MEMBER(0, "b", ELELEM_WANT_SKIP),
        ELELEM_PATTERN_MEMBER(2, "c", ELELEM_WANT_WHOLE),
    };
    static const elelem_patterns patterns = { table, sizeof table / sizeof *table, 0, 0, 0, NULL, NULL };
    static const struct {
        const char *script;
        unsigned pattern;
    } rows[] = {
        { "$ {\n$.a =1\n$.a /number", 1 },
        { "$ {\n$.a {\n$.a /object", 1 },
        { "$ {\n$.a =null\n$.a /null", ELELEM_NO_PATTERN },
        { "$ {\n$.b {\n$.b /object", ELELEM_NO_PATTERN },
        { "$ {\n$.b.c =1\n$.b.c /number", ELELEM_NO_PATTERN },
    };
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;
    elelem_completed_value completed;
    size_t i;

    desc.patterns = &patterns;
    elelem_fragment_aggregator_init(&tree, &desc);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_status status;
        check_context(rows[i].script);
        CHECK_INT(play(&tree, rows[i].script), ELELEM_OK);
        status = elelem_fragment_aggregator_next(&tree, &completed);
        CHECK_INT(status, rows[i].pattern == ELELEM_NO_PATTERN ? ELELEM_MORE : ELELEM_OK);
        if (status == ELELEM_OK) CHECK_INT(completed.pattern, rows[i].pattern);
        elelem_fragment_aggregator_reset(&tree);
    }
    elelem_fragment_aggregator_free(&tree);
}

CHECK_MAIN("value",
    RUN(a_key_that_comes_again_after_a_skip_is_another_member)
    RUN(a_skip_after_a_refused_fragment_changes_nothing)
    RUN(next_returns_what_is_wanted_unless_it_is_null_if_it_is_not)
    RUN(the_offset_of_an_error_is_the_number_of_values_that_ended)
    RUN(of_two_elements_with_one_index_the_last_is_found)
    RUN(fragments_of_two_parsers_may_take_turns)
    RUN(a_member_that_ended_before_one_that_is_open_is_not_continued)
    RUN(a_key_may_be_empty)
    RUN(an_aggregator_with_patterns_that_have_no_nodes_has_none)
    RUN(a_pattern_matches_from_the_root_on)
    RUN(scripts_make_the_expected_trees)
    RUN(a_container_around_one_that_was_cut_is_not_complete)
    RUN(the_tree_can_be_read_after_every_fragment)
    RUN(a_fragment_that_does_not_fit_is_misuse_and_changes_nothing)
    RUN(misuse_does_not_stick)
    RUN(a_fragment_that_makes_no_sense_is_misuse)
    RUN(finish_cuts_off_what_is_open_and_only_that)
    RUN(cut_sets_the_callers_reason)
    RUN(a_complete_value_cannot_be_cut_off)
    RUN(finish_without_a_fragment_leaves_no_value)
    RUN(without_patterns_next_returns_the_root_once)
    RUN(a_root_that_was_cut_is_not_returned_as_complete)
    RUN(next_returns_exactly_the_values_that_patterns_match)
    RUN(a_long_list_is_read_in_the_memory_of_one_element)
    RUN(a_matched_value_that_was_cut_is_not_returned)
    RUN(the_next_push_forgets_what_was_not_taken)
    RUN(every_function_takes_no_value)
    RUN(members_are_found_by_key_and_the_last_of_several_is_returned)
    RUN(a_segment_of_a_null_key_is_a_member_with_an_empty_key)
    RUN(a_key_may_hold_zero_bytes)
    RUN(elements_are_found_by_the_index_of_their_path)
    RUN(values_have_a_parent_and_a_key_or_index)
    RUN(find_takes_a_pattern_without_wildcards)
    RUN(scalars_convert_on_request)
    RUN(a_string_over_its_limit_keeps_the_characters_that_fit)
    RUN(the_depth_counts_containers_with_or_without_begin)
    RUN(the_block_never_grows_beyond_its_limit)
    RUN(what_is_kept_under_a_limit_of_bytes_does_not_depend_on_cuts)
    RUN(a_string_that_moves_needs_room_only_for_its_bytes)
    RUN(sizes_that_do_not_fit_32_bits_are_over_the_limit)
    RUN(refused_memory_at_every_call_is_an_error_or_is_not_needed)
    RUN(the_c_library_and_an_arena_can_be_used_too)
    RUN(a_zeroed_aggregator_may_be_freed_and_read)
    RUN(reset_keeps_the_memory)
    RUN(reset_forgets_the_value_that_waits)
    RUN(reset_forgets_the_parser)
    RUN(elements_that_never_end_are_not_searched)
    RUN(two_strings_taking_turns_cost_a_bounded_number_of_copies)
    RUN(the_32_open_members_that_began_last_can_be_continued)
    RUN(parsed_json_gives_the_same_tree_at_every_cut)
    RUN(a_prefix_of_json_is_never_complete)
    RUN(a_filtered_parser_fills_a_sparse_tree)
    RUN(a_parser_may_be_initialised_again_between_fragments)
    RUN(it_makes_no_difference_who_made_a_path)
    RUN(long_paths_are_not_compared_again_for_every_fragment)
    RUN(a_string_whose_rest_is_skipped_is_not_complete))
