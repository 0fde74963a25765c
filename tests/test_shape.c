/* The seam for authors of shapes: each shape here is one function that shows one promise. What a stream makes of shapes
   is in test_stream.c. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"
#include "limits.h"

#define CUT_SHORT "ERROR connect retryable \"the response ended before it was complete\"\nEND\n"

#define PATHS(P, MEMBER, ELEMENTS)         \
    MEMBER(P, A, ROOT, "a", WHOLE)         \
    MEMBER(P, B, ROOT, "b", WHOLE)         \
    MEMBER(P, LIST, ROOT, "list", BEGIN)   \
    ELEMENTS(P, ENTRY, LIST, NOTHING)      \
    MEMBER(P, X, ENTRY, "x", WHOLE)        \
    MEMBER(P, Y, ENTRY, "y", WHOLE)

ELELEM_SHAPE_PATHS(PATHS, row_, paths);

typedef struct item_state {
    uint64_t number; /* an alignment that a list of bytes would not have */
} item_state;

typedef struct choice_state {
    int marked;
} choice_state;

typedef struct stream_state {
    uint32_t frames;
    uint64_t sum;
} stream_state;

static elelem_shape shape_of(elelem_status (*frame)(elelem_shape_context *context))
{
    elelem_shape shape = { "test", paths, row_ROWS, NULL, sizeof(item_state), sizeof(choice_state), sizeof(stream_state),
                           0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };

    shape.frame = frame;
    return shape;
}

static elelem_shape shape_now;

static void given(elelem_status (*frame)(elelem_shape_context *context))
{
    shape_now = shape_of(frame);
    streams_shape(&shape_now);
}

static elelem_str text(const char *string)
{
    return elelem_str_of(string);
}

static elelem_value member(const elelem_shape_context *c, const char *key)
{
    return elelem_value_get(elelem_shape_document(c), key);
}

static item_state *state_at(elelem_shape_context *c, uint32_t index)
{
    return (item_state *)elelem_shape_item_state(elelem_shape_item_at(c, index));
}

/* Paths. */

TEST(rows_of_a_table_have_their_names_and_parents)
{
    CHECK_INT(row_ROOT, 0);
    CHECK_INT(row_ROWS, 7);
    CHECK_U64(sizeof paths / sizeof *paths, row_ROWS);
    CHECK(strcmp(paths[row_Y].key, "y") == 0);
    CHECK_INT(paths[row_Y].parent, row_ENTRY);
    CHECK_INT(paths[row_ENTRY].kind, ELELEM_PATTERN_ANY_INDEX);
    CHECK_INT(paths[row_LIST].wanted, ELELEM_WANT_BEGIN);
    CHECK_INT(paths[row_ROOT].wanted, ELELEM_WANT_NOTHING);
}

/* Values. */

static elelem_status fields_frame(elelem_shape_context *c)
{
    elelem_value entry = elelem_value_first(member(c, "list"));
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0);

    elelem_shape_fields_find(c, elelem_shape_document(c), row_A, row_LIST, row_A);
    elelem_shape_text(c, index, elelem_shape_string(elelem_shape_field(c, row_A)));
    CHECK(!elelem_shape_is_there(elelem_shape_field(c, row_B)));
    for (; elelem_shape_is_there(entry); entry = elelem_value_next(entry)) {
        elelem_shape_fields_find(c, entry, row_X, row_Y, row_A); /* into the slots of a and b */
        elelem_shape_text(c, index, elelem_shape_string(elelem_shape_field(c, row_A)));
        elelem_shape_text(c, index, elelem_shape_string(elelem_shape_field(c, row_B)));
    }
    elelem_shape_fields_find(c, elelem_shape_document(c), row_A, row_LIST, ELELEM_SHAPE_MAX_ROWS - 1); /* past the last slot */
    return ELELEM_OK;
}

TEST(members_are_looked_up_into_slots_and_the_last_of_each_counts)
{
    given(fields_frame);
    STREAM("data: {\"a\":\"1\",\"list\":[{\"y\":\"y\",\"x\":\"x\"},{\"x\":\"u\",\"x\":\"v\"},{},7],\"a\":\"2\"}\n\n", "0 text \"2xyv\"\n" CUT_SHORT);
    STREAM("data: {\"list\":{\"x\":\"x\"},\"a\":7}\n\n", CUT_SHORT);
}

/* Rows of a rest, and rows that are dropped. */

#define REST_PATHS(P, MEMBER, ELEMENTS, REST) \
    MEMBER(P, KNOWN, ROOT, "known", SOME)     \
    MEMBER(P, NEVER, ROOT, "never", SKIP)     \
    REST(P, OTHERS, ROOT, WHOLE)

ELELEM_SHAPE_PATHS_WITH_REST(REST_PATHS, rest_, rest_paths);

static elelem_status rest_frame(elelem_shape_context *c)
{
    elelem_value root = elelem_shape_document(c), at;
    uint32_t index = elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0);

    elelem_shape_fields_find(c, root, rest_KNOWN, rest_OTHERS, rest_KNOWN);
    elelem_shape_text(c, index, elelem_shape_string(elelem_shape_field(c, rest_KNOWN)));
    CHECK(!elelem_shape_is_there(elelem_shape_field(c, rest_NEVER)));
    for (at = elelem_shape_row_first(c, root, rest_OTHERS); elelem_shape_is_there(at); at = elelem_shape_row_next(c, at, rest_OTHERS))
        elelem_shape_text(c, index, elelem_value_key(at));
    elelem_shape_drop(c, rest_KNOWN);
    elelem_shape_drop(c, 32);
    return ELELEM_OK;
}

static void given_rest(void)
{
    given(rest_frame);
    shape_now.paths = rest_paths;
    shape_now.path_count = rest_ROWS;
}

TEST(a_row_of_a_rest_matches_what_no_row_before_it_does)
{
    given_rest();
    STREAM("data: {\"x\":1,\"known\":\"k\",\"never\":{\"deep\":[1]},\"y\":{\"known\":2},\"z\":null}\n\n", "0 text \"kxyz\"\n" CUT_SHORT);
    STREAM("data: {\"never\":1,\"known\":null}\n\n", CUT_SHORT);
}

TEST(a_row_that_was_dropped_is_skipped_up_to_the_next_response)
{
    given_rest();
    STREAM("data: {\"known\":\"a\"}\n\ndata: {\"x\":1,\"known\":\"b\"}\n\ndata: {\"known\":{\"c\":[]},\"y\":1}\n\n", "0 text \"axy\"\n" CUT_SHORT);
}

/* Tables that are written by hand. */

/* The keys of what is read of a frame, and those of the object in the member "list". */
static elelem_status keys_frame(elelem_shape_context *c)
{
    elelem_value root = elelem_shape_document(c), at;
    uint32_t index = elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0);

    for (at = elelem_value_first(root); elelem_shape_is_there(at); at = elelem_value_next(at))
        elelem_shape_text(c, index, elelem_value_key(at));
    for (at = elelem_value_first(elelem_value_get(root, "list")); elelem_shape_is_there(at); at = elelem_value_next(at))
        elelem_shape_text(c, index, elelem_value_text(at));
    return ELELEM_OK;
}

static void keys_are(const elelem_pattern_node *rows, size_t count, const char *frame, const char *keys)
{
    char body[400], end[100];

    given(keys_frame);
    shape_now.paths = rows;
    shape_now.path_count = count;
    snprintf(body, sizeof body, "data: %s\n\n", frame);
    snprintf(end, sizeof end, "0 text \"%s\"\n" CUT_SHORT, keys);
    STREAM(body, end);
}

#define KEYS_ARE(rows, frame, keys) keys_are(rows, sizeof rows / sizeof *rows, frame, keys)

TEST(of_the_rows_with_one_parent_the_first_that_matches_counts)
{
    static const elelem_pattern_node any_first[] = {
        ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
        ELELEM_PATTERN_MEMBERS(0, ELELEM_WANT_WHOLE),
        ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_SKIP),
    };
    static const elelem_pattern_node any_last[] = {
        ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
        ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_SKIP),
        ELELEM_PATTERN_MEMBERS(0, ELELEM_WANT_WHOLE),
    };
    static const elelem_pattern_node equal[] = {
        ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
        ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_WHOLE),
        ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_SKIP),
        ELELEM_PATTERN_MEMBER(0, "b", ELELEM_WANT_SKIP),
        ELELEM_PATTERN_MEMBER(0, "b", ELELEM_WANT_WHOLE),
    };

    KEYS_ARE(any_first, "{\"a\":1,\"b\":2}", "ab");
    KEYS_ARE(any_last, "{\"a\":1,\"b\":2,\"c\":3}", "bc");
    KEYS_ARE(equal, "{\"a\":1,\"b\":2,\"a\":3}", "aa");
}

TEST(a_row_may_name_one_element_or_a_key_with_a_quote)
{
    static const elelem_pattern_node element[] = {
        ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
        ELELEM_PATTERN_MEMBER(0, "list", ELELEM_WANT_BEGIN),
        { NULL, 1, 1, ELELEM_PATTERN_INDEX, ELELEM_WANT_WHOLE },
    };
    static const elelem_pattern_node quoted[] = {
        ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
        { "a\\\"b", 4, 0, ELELEM_PATTERN_QUOTED_KEY, ELELEM_WANT_WHOLE },
        ELELEM_PATTERN_MEMBER(0, "c", ELELEM_WANT_WHOLE),
    };

    KEYS_ARE(element, "{\"list\":[\"x\",\"y\",\"z\"],\"a\":1}", "listy");
    KEYS_ARE(quoted, "{\"a\\\"b\":1,\"ab\":2,\"c\":3,\"a\\\\\\\"b\":4}", "a\\\"bc");
}

TEST(a_table_may_have_more_rows_than_are_found_by_number)
{
    enum { ROWS = 200 };
    static elelem_pattern_node rows[ROWS];
    static char keys[ROWS][16];
    int i;

    memset(rows, 0, sizeof rows);
    rows[0].kind = ELELEM_PATTERN_ANY_KEY;
    for (i = 1; i < ROWS; i++) {
        snprintf(keys[i], sizeof keys[i], "k%03d", i);
        rows[i].key = keys[i];
        rows[i].size = 4;
        rows[i].kind = ELELEM_PATTERN_KEY;
        rows[i].wanted = ELELEM_WANT_WHOLE;
    }
    keys_are(rows, ROWS, "{\"k001\":1,\"k200\":2,\"k199\":3,\"k128\":4}", "k001k199k128");
    keys_are(rows, 128, "{\"k001\":1,\"k128\":2,\"k127\":3}", "k001k127");
}

/* A row after one for the rest is never found; the table has no index then, and its other rows are found without. */
#define LATE_PATHS(P, MEMBER, ELEMENTS, REST) \
    MEMBER(P, FIRST, ROOT, "first", WHOLE)    \
    REST(P, ALL, ROOT, WHOLE)                 \
    MEMBER(P, LATE, ROOT, "late", WHOLE)

ELELEM_SHAPE_PATHS_WITH_REST(LATE_PATHS, late_, late_paths);

static elelem_status late_frame(elelem_shape_context *c)
{
    elelem_value root = elelem_shape_document(c), at;
    uint32_t index = elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0);

    elelem_shape_fields_find(c, root, late_FIRST, late_FIRST, late_FIRST);
    elelem_shape_text(c, index, elelem_shape_string(elelem_shape_field(c, late_FIRST)));
    for (at = elelem_shape_row_first(c, root, late_ALL); elelem_shape_is_there(at); at = elelem_shape_row_next(c, at, late_ALL))
        elelem_shape_text(c, index, elelem_value_key(at));
    return ELELEM_OK;
}

TEST(a_row_after_one_for_the_rest_is_of_the_rest)
{
    given(late_frame);
    shape_now.paths = late_paths;
    shape_now.path_count = late_ROWS;
    STREAM("data: {\"first\":\"1\",\"late\":\"2\"}\n\ndata: {\"first\":\"3\",\"late\":\"4\"}\n\n", "0 text \"1late3late\"\n" CUT_SHORT);
}

/* Another table of the same rows, of which fewer are wanted at first and all of them later. */
#define NO_Y_PATHS(P, MEMBER, ELEMENTS)    \
    MEMBER(P, A, ROOT, "a", WHOLE)         \
    MEMBER(P, B, ROOT, "b", SKIP)          \
    MEMBER(P, LIST, ROOT, "list", BEGIN)   \
    ELEMENTS(P, ENTRY, LIST, NOTHING)      \
    MEMBER(P, X, ENTRY, "x", WHOLE)        \
    MEMBER(P, Y, ENTRY, "y", WHOLE)

ELELEM_SHAPE_PATHS(NO_Y_PATHS, other_, other_paths);

static elelem_status tables_frame(elelem_shape_context *c)
{
    stream_state *state = (stream_state *)elelem_shape_stream_state(c);
    uint32_t index = elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0);

    elelem_shape_text(c, index, elelem_shape_string(member(c, "a")));
    elelem_shape_text(c, index, elelem_shape_string(member(c, "b")));
    elelem_shape_text(c, index, elelem_shape_string(elelem_value_get(elelem_value_first(member(c, "list")), "y")));
    state->frames++;
    if (state->frames == 1) elelem_shape_paths(c, other_paths);
    elelem_shape_want(c, state->frames == 1 ? row_LIST : row_ROWS);
    return ELELEM_OK;
}

TEST(a_table_of_which_fewer_rows_are_wanted_at_first_has_all_of_them_later)
{
    static const char frame[] = "data: {\"a\":\"1\",\"b\":\"2\",\"list\":[{\"x\":1,\"y\":\"3\"}]}\n\n";
    char body[4 * sizeof frame];

    snprintf(body, sizeof body, "%s%s%s", frame, frame, frame);
    given(tables_frame);
    STREAM(body, "0 text \"123113\"\n" CUT_SHORT);
}

/* Lists of a whole response. */

static const elelem_pattern_node list_rows[] = {
    ELELEM_PATTERN_ROOT(ELELEM_WANT_BEGIN),
    ELELEM_PATTERN_MEMBER(0, "list", ELELEM_WANT_NOTHING),
    ELELEM_PATTERN_MEMBER(1, "a", ELELEM_WANT_WHOLE),
    ELELEM_PATTERN_ELEMENTS(1, ELELEM_WANT_NOTHING),
    ELELEM_PATTERN_MEMBER(3, "x", ELELEM_WANT_WHOLE),
};
static const uint16_t list_elements[] = { 3, 0 };

static void list_texts(elelem_shape_context *c, elelem_value list)
{
    uint32_t index = elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0);

    for (list = elelem_value_first(list); elelem_shape_is_there(list); list = elelem_value_next(list))
        elelem_shape_text(c, index, elelem_value_text(elelem_value_get(list, "x")));
}

static elelem_shape_worked list_work(elelem_shape_context *c, unsigned row, elelem_value list)
{
    CHECK_INT(row, 3);
    list_texts(c, list);
    return ELELEM_SHAPE_WORKED;
}

static elelem_status list_frame(elelem_shape_context *c)
{
    list_texts(c, member(c, "list"));
    return ELELEM_OK;
}

TEST(a_key_of_a_list_may_have_been_that_of_an_object)
{
    static const elelem_shape_lists lists = { list_elements, list_work };
    static char body[8000];
    size_t i, size;

    given(list_frame);
    shape_now.paths = list_rows;
    shape_now.path_count = sizeof list_rows / sizeof *list_rows;
    shape_now.takes_whole = 1;
    shape_now.lists = &lists;
    STREAM("{\"list\":{\"a\":\"1\"},\"list\":[{\"x\":\"u\"},{\"x\":\"v\"}]}", "0 text \"uv\"\n0 flush\nFINISHED completed\nEND\n");
    size = (size_t)snprintf(body, sizeof body, "{\"list\":{\"a\":\"1\"},\"list\":[{\"x\":\"u\"}");
    for (i = 0; i < 100; i++)
        size += (size_t)snprintf(body + size, sizeof body - size, ",{\"x\":\"\",\"y\":[%d]}", (int)i);
    snprintf(body + size, sizeof body - size, ",{\"x\":\"v\"}]}");
    streams_now.desc.max_frame_bytes = 4000; /* the elements take 6400, and are removed */
    STREAM(body, "0 text \"uv\"\n0 flush\nFINISHED completed\nEND\n");
}

static elelem_status values_frame(elelem_shape_context *c)
{
    elelem_value a = member(c, "a");
    uint32_t number = 77;
    int is_number = elelem_shape_number(a, &number);

    CHECK_INT(is_number, number != 77);
    CHECK_U64(elelem_shape_number_or(a, 5), is_number ? number : 5);
    CHECK_INT(elelem_shape_is_value(a), elelem_value_type(a) != ELELEM_TYPE_NONE && elelem_value_type(a) != ELELEM_TYPE_NULL);
    CHECK_INT(elelem_shape_is_there(a), elelem_value_type(a) != ELELEM_TYPE_NONE);
    CHECK(elelem_shape_is_same(a, member(c, "a")));
    CHECK(!elelem_shape_is_there(a) || !elelem_shape_is_same(a, elelem_shape_document(c)));
    CHECK(elelem_shape_string_in(elelem_shape_document(c), "a").size == elelem_shape_string(a).size);
    CHECK(elelem_shape_string(a).size == 0 || elelem_value_type(a) == ELELEM_TYPE_STRING);
    elelem_shape_text(c, elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0), text(is_number ? "some" : "none"));
    return ELELEM_OK;
}

/* Paths of its own are all that a shape wants of provider items. */
TEST(a_shape_with_provider_items_may_have_no_value_that_passes)
{
    static const elelem_shape_items none = { paths, NULL, 0, NULL };

    given(values_frame);
    shape_now.items = &none;
    STREAM("data: {\"a\":7}\n\n", "0 text \"some\"\n" CUT_SHORT);
}

/* Strings under "a" pass, as pictures unless the frame begins with "b". */

static uint32_t picture_passes(elelem_shape_context *c, elelem_value value, elelem_str type)
{
    (void)value;
    CHECK_U64(type.size, 0); /* the key of the document, which has none */
    if (!elelem_shape_is_there(member(c, "b"))) elelem_shape_pass_as(c, "picture");
    return elelem_shape_item_open(c, 0, ELELEM_PART_PROVIDER_ITEM, 0);
}

static elelem_status picture_frame(elelem_shape_context *c)
{
    static char last[2]; /* lives until the event was taken */

    last[0] = elelem_shape_passed_last(c);
    elelem_shape_metadata_text(c, "last", text(last));
    elelem_shape_provider_json(c, elelem_shape_item_find(c, 0, ELELEM_PART_PROVIDER_ITEM, 0), text("end"), text("."));
    elelem_shape_flush_all(c, 0, ELELEM_SHAPE_ENDED);
    return ELELEM_OK;
}

TEST(what_passes_is_of_the_type_that_the_shape_says_and_has_a_last_byte)
{
    static const elelem_passage_rule rules[] = { { row_A, 2, "", NULL, NULL, NULL, NULL, NULL } };
    static const elelem_shape_items pictures = { paths, rules, 1, picture_passes };

    given(picture_frame);
    shape_now.items = &pictures;
    streams_now.is_free = 1;
    STREAM("data: {\"a\":\"abcd\"}\n\ndata: {\"b\":1,\"a\":\"abc\\\"\"}\n\n",
           "0 item picture \"abcd\"\n0 meta last=\"d\"\n0 item end \".\"\n0 flush\n"
           "1 item  \"abc\\\\\\\"\"\n1 meta last=\"\\\"\"\n1 item end \".\"\n1 flush\n" CUT_SHORT);
    /* A string elsewhere does not pass, and neither does what is no string. */
    STREAM("data: {\"b\":\"abcdef\"}\n\ndata: {\"a\":12345}\n\ndata: {\"a\":[true]}\n\n", CUT_SHORT);
}

/* Objects of a list pass, are ignored, or are stored after all. */

#define PASS_PATHS(P, MEMBER, ELEMENTS)    \
    MEMBER(P, LIST, ROOT, "list", BEGIN)   \
    ELEMENTS(P, VALUE, LIST, WHOLE)

ELELEM_SHAPE_PATHS(PASS_PATHS, pass_, pass_paths);

static uint32_t pass_way; /* what is returned instead of an index; 0: an index is */
static size_t pass_text;  /* bytes of the member "s", which is stored of a value that passes, too */
static int pass_stores;

static uint32_t pass_passes(elelem_shape_context *c, elelem_value value, elelem_str type)
{
    uint32_t key = (uint32_t)elelem_value_index(value);

    CHECK(type.size > 0);
    return pass_way ? pass_way : elelem_shape_item_open(c, 0, ELELEM_PART_PROVIDER_ITEM, key);
}

static elelem_status pass_frame(elelem_shape_context *c)
{
    elelem_value value = elelem_value_first(member(c, "list"));

    for (; elelem_shape_is_there(value); value = elelem_value_next(value)) {
        uint32_t index = elelem_shape_item_find(c, 0, ELELEM_PART_PROVIDER_ITEM, (uint32_t)elelem_value_index(value));
        int is_new = index == ELELEM_NO_INDEX, is_complete = elelem_value_is_complete(value);
        if (is_new) index = elelem_shape_item_open(c, 0, is_complete ? ELELEM_PART_PROVIDER_ITEM : ELELEM_PART_MESSAGE, 0);
        if (is_complete) elelem_shape_provider_value(c, index, text("stored"), value);
        else if (is_new) elelem_shape_text(c, index, text("ignored"));
        if (!is_complete && pass_stores) CHECK_U64(elelem_shape_string_in(value, "s").size, pass_text);
        elelem_shape_flush(c, index);
    }
    return ELELEM_OK;
}

static const char *const pass_kept[] = { "kept", NULL };
static const char *const pass_ignored[] = { "id", NULL };
static const char *const pass_stored[] = { "id", "s", NULL };

static const elelem_passage_rule pass_rules[] = {
    { pass_VALUE, 64, "type", pass_kept, NULL, NULL, NULL, NULL },
    { pass_VALUE, 64, "type", pass_kept, NULL, NULL, "id", pass_stored },
    { pass_VALUE, 0, "type", pass_kept, NULL, NULL, "id", pass_stored },
    { pass_VALUE, 64, NULL, pass_kept, pass_ignored, NULL, NULL, pass_stored },
};

static elelem_status pass_much_frame(elelem_shape_context *c)
{
    elelem_value inner = elelem_value_first(elelem_value_first(member(c, "list")));
    size_t size = 0;

    for (; elelem_shape_is_there(inner); inner = elelem_value_next(inner))
        size += elelem_shape_string(inner).size;
    CHECK(size > 3500 && size <= 4096);
    return ELELEM_OK;
}

/* Values, and the type that each rule finds in them; null: it does not pass. */
typedef struct pass_value {
    const char *format;
    const char *types[4];
} pass_value;

static const pass_value pass_values[] = {
    { "{\"type\":\"t\",\"id\":\"i\",\"s\":\"%s\",\"n\":[1,{\"a\":null}]}", { "t", "t", "t", "type" } },
    { "{\"id\":\"i\",\"n\":[1,{\"a\":\"\\n\"}],\"s\":\"%s\",\"type\":\"t\",\"z\":true}", { "t", "t", "t", "n" } },
    { "{\"type\":\"t\",\"id\":\"i\",\"s\":\"%s\"}", { "t", "t", "t", "type" } },
    { "{\"id\":null,\"t\":\"%s\",\"type\":7}", { NULL, NULL, NULL, "t" } },
    { "{\"s\":\"%s\",\"type\":\"kept\",\"id\":\"i\",\"kept\":0}", { NULL, NULL, NULL, "s" } }, /* what is kept comes too late */
    { "{\"kept\":0,\"s\":\"%s\"}", { NULL, NULL, NULL, NULL } },
};

/* What the frame is to give, if the value, which is of so many characters, becomes this. */
static void pass_expect(char *log, size_t size, const char *what, const char *json)
{
    static const char *const after = "1 item stored \"{\\\"x\\\":1}\"\n1 flush\n2 item stored \"7\"\n2 flush\n" CUT_SHORT;
    size_t at = (size_t)snprintf(log, size, "0 %s", what);

    if (json) {
        log[at++] = ' ';
        log[at++] = '"';
        for (; *json; json++) {
            if (*json == '"' || *json == '\\') log[at++] = '\\';
            log[at++] = *json;
        }
        log[at++] = '"';
    }
    snprintf(log + at, size - at, "\n0 flush\n%s", after);
}

/* Returns 1 if the value passed, 0 if it was stored. */
static int pass_one(const char *body, const char *json, const char *type)
{
    static const size_t steps[] = { 1000, 1, 7 };
    char passed[1000], stored[1000], item[40];
    int was_passed = 0;
    size_t i;

    snprintf(item, sizeof item, "item %s", type ? type : "?");
    if (pass_way == ELELEM_NO_INDEX) pass_expect(passed, sizeof passed, "text \"ignored\"", NULL);
    else pass_expect(passed, sizeof passed, item, json);
    pass_expect(stored, sizeof stored, "item stored", json);
    for (i = 0; i < 3; i++) {
        int is_passed;
        feed_once(&streams_fed, &feed_now, body, strlen(body), steps[i], steps[i], 0);
        is_passed = feed_now.size == strlen(passed) && memcmp(feed_now.text, passed, feed_now.size) == 0;
        if (!is_passed) check_bytes(feed_now.text, feed_now.size, stored, strlen(stored), body, __FILE__, __LINE__);
        CHECK(i == 0 || is_passed == was_passed);
        was_passed = is_passed;
    }
    return was_passed;
}

/* Values of every size, so that each fragment of them is once the one with which they are too large to be held back. */
static void pass_sizes(const pass_value *value, size_t rule)
{
    char s[200], json[300], body[400];
    size_t size, at = 0;
    int passed = 0;

    pass_stores = pass_rules[rule].stored != NULL;
    for (size = 0; size < 100; size++) {
        int now;
        s[at] = '\0';
        pass_text = strstr(value->format, "\"s\"") ? size : 0;
        snprintf(json, sizeof json, value->format, s);
        snprintf(body, sizeof body, "data: {\"list\":[%s,{\"x\":1},7]}\n\n", json);
        check_context(body);
        now = pass_one(body, json, value->types[rule]);
        CHECK(now >= passed && (now == 0 || pass_way != ELELEM_SHAPE_STORED));
        passed = now;
        if (size % 9 == 5) s[at++] = '\\';
        s[at++] = size % 9 == 5 ? '"' : (char)('a' + size % 26);
    }
    CHECK_INT(passed, value->types[rule] && pass_way != ELELEM_SHAPE_STORED);
    check_context(NULL);
}

TEST(a_value_passes_is_ignored_or_stored_after_all_whatever_makes_it_large)
{
    static const uint32_t ways[] = { 0, ELELEM_NO_INDEX, ELELEM_SHAPE_STORED };
    elelem_shape_items items = { pass_paths, NULL, 1, pass_passes };
    size_t way, rule, i;

    given(pass_frame);
    shape_now.paths = pass_paths;
    shape_now.path_count = pass_ROWS;
    shape_now.items = &items;
    for (way = 0; way < 3; way++)
        for (rule = 0; rule < sizeof pass_rules / sizeof *pass_rules; rule++)
            for (i = 0; i < sizeof pass_values / sizeof *pass_values; i++) {
                pass_way = ways[way];
                items.rules = &pass_rules[rule];
                pass_sizes(&pass_values[i], rule);
            }
}

TEST(of_a_value_that_passes_no_more_than_4096_bytes_are_stored)
{
    static const elelem_shape_items items = { pass_paths, &pass_rules[1], 1, pass_passes };
    static char s[1001], body[9000];

    given(pass_much_frame);
    shape_now.paths = pass_paths;
    shape_now.path_count = pass_ROWS;
    shape_now.items = &items;
    pass_way = ELELEM_NO_INDEX;
    memset(s, 'x', 1000);
    snprintf(body, sizeof body, "data: {\"list\":[{\"type\":\"t\",\"id\":\"i\",\"s\":\"%s\",\"s\":\"%s%s\",\"s\":\"%s%s\",\"s\":\"%s%s\"}]}\n\n",
             s, s, s, s, s, s, s);
    feed_once(&streams_fed, &feed_now, body, strlen(body), strlen(body), strlen(body), 0);
    feed_once(&streams_fed, &feed_now, body, strlen(body), 7, 7, 0);
}

TEST(a_number_that_groups_is_a_whole_one_of_31_bits)
{
    static const char *const none[] = { "-1", "2147483648", "1.5", "1e300", "\"1\"", "true", "null", "{}", "[1]" };
    static const char *const some[] = { "0", "7", "2147483647", "1e3", "2.0" };
    char body[100];
    size_t i;

    given(values_frame);
    for (i = 0; i < sizeof none / sizeof *none; i++) {
        snprintf(body, sizeof body, "data: {\"a\":%s}\n\n", none[i]);
        check_context(none[i]);
        STREAM(body, "0 text \"none\"\n" CUT_SHORT);
    }
    for (i = 0; i < sizeof some / sizeof *some; i++) {
        snprintf(body, sizeof body, "data: {\"a\":%s}\n\n", some[i]);
        check_context(some[i]);
        STREAM(body, "0 text \"some\"\n" CUT_SHORT);
    }
    check_context(NULL);
    STREAM("data: {}\n\n", "0 text \"none\"\n" CUT_SHORT);
}

TEST(a_hash_is_the_same_however_its_text_was_cut)
{
    static const char many[] = "a longer text\xc3\xa9\xff";
    uint64_t whole = elelem_shape_hash(text("abc"));
    size_t cut;

    CHECK_U64(elelem_shape_hash(text("")), ELELEM_SHAPE_HASH_START);
    CHECK_U64(elelem_shape_hash_more(elelem_shape_hash(text("a")), text("bc")), whole);
    CHECK(whole != elelem_shape_hash(text("acb")));
    for (cut = 0; cut < sizeof many; cut++) {
        elelem_str first = text(many);
        first.size = cut;
        CHECK_U64(elelem_shape_hash_more(elelem_shape_hash(first), text(many + cut)), elelem_shape_hash(text(many)));
    }
    CHECK(whole == 0xe71fa2190541574bu); /* FNV-1a of 64 bits */
}

TEST(a_hash_is_news_until_it_was_kept)
{
    uint32_t kept = 0;

    CHECK(!elelem_shape_is_news(&kept, ELELEM_SHAPE_HASH_START));
    CHECK(elelem_shape_is_news(&kept, elelem_shape_hash(text("a"))));
    CHECK(!elelem_shape_is_news(&kept, elelem_shape_hash(text("a"))));
    CHECK(!elelem_shape_is_news(&kept, ELELEM_SHAPE_HASH_START));
    CHECK(elelem_shape_is_news(&kept, elelem_shape_hash(text("b"))));
    CHECK(elelem_shape_is_news(&kept, elelem_shape_hash(text("a"))));
}

TEST(a_word_that_is_not_known_is_another_reason)
{
    static const elelem_shape_word words[] = { { "stop", ELELEM_FINISH_COMPLETED }, { "length", ELELEM_FINISH_MAX_TOKENS } };

    CHECK_INT(elelem_shape_reason_of(words, 2, text("length")), ELELEM_FINISH_MAX_TOKENS);
    CHECK_INT(elelem_shape_reason_of(words, 2, text("stopped")), ELELEM_FINISH_OTHER);
    CHECK_INT(elelem_shape_reason_of(words, 0, text("stop")), ELELEM_FINISH_OTHER);
}

/* Memory of the shape's own. */

static elelem_status state_frame(elelem_shape_context *c)
{
    stream_state *stream = (stream_state *)elelem_shape_stream_state(c);
    static char digits[30]; /* a text lasts until it is taken */
    uint32_t index, i;

    for (i = 0; i < 3; i++) {
        index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, i);
        CHECK_U64(state_at(c, index)->number, 0);
        state_at(c, index)->number = 1000 + i;
    }
    elelem_shape_flush(c, elelem_shape_item_oldest(c)->index); /* the others move */
    CHECK_U64(((item_state *)elelem_shape_item_state(elelem_shape_item_newest(c)))->number, 1002);
    CHECK_U64(((item_state *)elelem_shape_item_state(elelem_shape_item_oldest(c)))->number, 1001);
    elelem_shape_flush_all(c, 0, ELELEM_SHAPE_ENDED);
    stream->frames++;
    stream->sum += 10;
    snprintf(digits, sizeof digits, "%u %lu;", (unsigned)stream->frames, (unsigned long)stream->sum);
    elelem_shape_metadata_text(c, "state", text(digits));
    index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0);
    elelem_shape_text(c, index, text("x"));
    elelem_shape_flush(c, index);
    return stream->frames < 3 ? ELELEM_OK : ELELEM_ERROR_PROTOCOL;
}

TEST(items_and_the_stream_have_memory_that_begins_as_zeros)
{
    elelem_event e;
    uint32_t frames;

    given(state_frame);
    streams_start(&streams_now);
    for (frames = 1; frames <= 4; frames++) {
        stream_state *state;
        if (frames == 3) elelem_stream_reset(&streams_now.stream);
        CHECK_INT(elelem_stream_push(&streams_now.stream, "data: {}\n\n", 10), ELELEM_OK);
        while (elelem_stream_next(&streams_now.stream, &e) == ELELEM_OK)
            CHECK(e.kind != ELELEM_EVENT_ERROR);
        state = (stream_state *)elelem_shape_stream_state(&streams_now.stream.els_context);
        CHECK_U64(state->frames, frames < 3 ? frames : frames - 2);
        CHECK_U64(state->sum, (frames < 3 ? frames : frames - 2) * 10);
    }
}

static elelem_status choice_frame(elelem_shape_context *c)
{
    choice_state *state = (choice_state *)elelem_shape_choice_state(c, 3);

    if (!state) {
        elelem_shape_text(c, elelem_shape_item_open(c, 3, ELELEM_PART_MESSAGE, 0), text("first"));
        state = (choice_state *)elelem_shape_choice_state(c, 3);
        CHECK(state && !state->marked);
        CHECK(!elelem_shape_choice_state(c, 0));
        if (state) state->marked = 1;
        elelem_shape_reason(c, 0, ELELEM_FINISH_COMPLETED, text("enough"), 0);
        CHECK(elelem_shape_choice_state(c, 0) != NULL);
        CHECK(elelem_shape_choice_had(c, 3, ELELEM_PART_MESSAGE) && !elelem_shape_choice_had(c, 0, ELELEM_PART_MESSAGE));
        return ELELEM_OK;
    }
    CHECK(state->marked);
    elelem_shape_reason(c, 3, ELELEM_FINISH_MAX_TOKENS, text("length"), 0);
    elelem_shape_reason(c, 0, ELELEM_FINISH_TOOL_CALLS, text(""), 1); /* leaves the word */
    elelem_shape_finish(c);
    return ELELEM_OK;
}

TEST(a_choice_has_memory_from_its_first_part_or_reason_on)
{
    given(choice_frame);
    STREAM("data: {}\n\ndata: {}\n\n",
           "0@3 text \"first\"\n0@3 flush\nFINISHED tool_calls raw=enough\nmeta finish_reasons={\"3\":\"max_tokens\"}\nEND\n");
}

static elelem_status careful_frame(elelem_shape_context *c)
{
    stream_state *stream = (stream_state *)elelem_shape_stream_state(c);
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0);
    const elelem_shape_item *item = elelem_shape_item_at(c, index);

    CHECK_INT(item != NULL, index != ELELEM_NO_INDEX);
    stream->frames++;
    elelem_shape_keep(c, index, text("kept"));
    elelem_shape_metadata_kept(c, index, "kept");
    elelem_shape_text(c, index, text("x"));
    elelem_shape_finish(c);
    return ELELEM_OK;
}

TEST(memory_of_the_shape_that_is_refused_is_an_error)
{
    elelem_event e;
    int refused;

    given(careful_frame);
    for (refused = 1; refused < 40; refused++) {
        limits_heap heap = ELELEM_INIT;
        heap.refuse = refused;
        heap.stays = 1;
        streams_now.desc.allocator = limits_allocator(&heap);
        streams_start(&streams_now);
        CHECK_INT(elelem_stream_push(&streams_now.stream, "data: {}\n\n", 10), ELELEM_OK);
        elelem_stream_finish(&streams_now.stream);
        while (elelem_stream_next(&streams_now.stream, &e) == ELELEM_OK)
            continue;
        CHECK_INT(e.kind, heap.calls >= refused ? ELELEM_EVENT_ERROR : ELELEM_EVENT_FINISHED);
        if (e.kind == ELELEM_EVENT_ERROR) CHECK_INT(e.error.kind, ELELEM_ERROR_KIND_OUT_OF_MEMORY);
        elelem_stream_free(&streams_now.stream);
        CHECK_U64(heap.live, 0);
        if (heap.calls < refused) return;
    }
    CHECK(0);
}

/* Items. */

static elelem_status order_frame(elelem_shape_context *c)
{
    elelem_shape_item *item;
    uint32_t opened[4], i = 0;

    for (i = 0; i < 4; i++) {
        opened[i] = elelem_shape_item_open(c, i % 2, ELELEM_PART_TOOL_CALL, 7);
        elelem_shape_tool_start(c, opened[i], text("id"), text("f"));
    }
    CHECK_U64(elelem_shape_item_find(c, 0, ELELEM_PART_TOOL_CALL, 7), opened[2]);
    CHECK_U64(elelem_shape_item_text(c, 0), ELELEM_NO_INDEX);
    for (i = 0, item = elelem_shape_item_oldest(c); item; item = elelem_shape_item_newer(c, item))
        CHECK_U64(item->index, opened[i++]);
    CHECK_U64(i, 4);
    for (item = elelem_shape_item_newest(c); item; item = elelem_shape_item_older(c, item))
        CHECK_U64(item->index, opened[--i]);
    elelem_shape_item_wait(c, opened[2]);
    CHECK_U64(elelem_shape_item_find(c, 0, ELELEM_PART_TOOL_CALL, 7), opened[0]);
    elelem_shape_flush_all(c, 0, ELELEM_SHAPE_STOPPED); /* the one that waits first */
    elelem_shape_item_wait(c, opened[3]);
    elelem_shape_release(c, 0); /* of another choice */
    CHECK(elelem_shape_item_at(c, opened[3]) != NULL);
    elelem_shape_release(c, 1);
    CHECK(!elelem_shape_item_at(c, opened[3]) && elelem_shape_item_at(c, opened[1]));
    return ELELEM_OK;
}

TEST(open_items_are_walked_in_their_order_and_those_that_wait_are_flushed_first)
{
    given(order_frame);
    STREAM("data: {}\n\n", "0 call id=id name=f\n1@1 call id=id name=f\n2 call id=id name=f\n3@1 call id=id name=f\n"
                           "2 flush cut_off\n0 flush cut_off\n3@1 flush\n" CUT_SHORT);
}

/* JSON that the shape writes, and what it keeps. */

static elelem_status write_frame(elelem_shape_context *c)
{
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_TOOL_CALL, 0);
    elelem_writer *writer = elelem_shape_write(c);

    elelem_writer_string(writer, text("dropped")); /* nothing makes use of it */
    writer = elelem_shape_write(c);
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_value(writer, member(c, "a"));
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(c, text("k"));
    elelem_shape_tool_start(c, index, text("id"), text("f"));
    elelem_shape_write(c);
    elelem_shape_write_raw(c, text("{\"n\":"));
    elelem_writer_string(elelem_shape_write_on(c), text("\"q\""));
    elelem_shape_write_raw(c, text("}"));
    elelem_shape_tool_arguments_written(c, index);
    elelem_shape_write(c);
    elelem_shape_tool_arguments_written(c, index); /* no text is no event */
    elelem_shape_metadata_value(c, "v", member(c, "a"));
    elelem_shape_metadata_json(c, text("j"), text("[true]"));
    elelem_shape_flush(c, index);
    return ELELEM_OK;
}

TEST(a_shape_writes_json_of_its_own)
{
    given(write_frame);
    STREAM("data: {\"a\":{\"b\":[1]}}\n\n",
           "0 meta k=[{\"b\":[1]}]\n0 call id=id name=f\n0 args \"{\\\"n\\\":\\\"\\\\\\\"q\\\\\\\"\\\"}\"\n"
           "0 meta v={\"b\":[1]}\n0 meta j=[true]\n0 flush\n" CUT_SHORT);
}

static elelem_status keep_frame(elelem_shape_context *c)
{
    uint32_t first = elelem_shape_item_find(c, 0, ELELEM_PART_REASONING, 1);
    uint32_t second = elelem_shape_item_find(c, 0, ELELEM_PART_REASONING, 2);

    if (first == ELELEM_NO_INDEX) {
        first = elelem_shape_item_open(c, 0, ELELEM_PART_REASONING, 1);
        second = elelem_shape_item_open(c, 0, ELELEM_PART_REASONING, 2);
        elelem_shape_text(c, first, text("one"));
        elelem_shape_text(c, second, text("two"));
        CHECK(!elelem_shape_kept_resize(c, first, 0));
        CHECK_U64(elelem_shape_kept(c, elelem_shape_item_at(c, first)).size, 0);
    }
    elelem_shape_keep(c, first, elelem_shape_string(member(c, "a")));
    elelem_shape_keep(c, second, elelem_shape_string(member(c, "b")));
    if (!elelem_shape_is_there(member(c, "list"))) return ELELEM_OK;
    elelem_shape_kept_resize(c, second, 3); /* cuts it */
    CHECK_U64(elelem_shape_kept(c, elelem_shape_item_at(c, second)).size, 3);
    elelem_shape_metadata_kept(c, first, "kept");
    elelem_shape_flush(c, first);
    elelem_shape_metadata_kept(c, second, "kept");
    elelem_shape_flush(c, second);
    return ELELEM_OK;
}

TEST(items_keep_text_over_frames_each_its_own)
{
    given(keep_frame);
    STREAM("data: {\"a\":\"ab\",\"b\":\"12\"}\n\ndata: {\"a\":\"\",\"b\":\"345\"}\n\ndata: {\"a\":\"c\\\"\",\"b\":\"6\",\"list\":[]}\n\n",
           "0 think \"one\"\n1 think \"two\"\n0 meta kept=\"abc\\\"\"\n0 flush\n1 meta kept=\"123\"\n1 flush\n" CUT_SHORT);
    streams_now.desc.max_kept_bytes = 8;
    STREAM("data: {\"a\":\"12345678\"}\n\n", "0 think \"one\"\n1 think \"two\"\n" CUT_SHORT);
    STREAM("data: {\"a\":\"123456789\"}\n\n",
           "0 think \"one\"\n1 think \"two\"\nERROR limit \"a value takes more memory than allowed\" status=ERROR_VALUE_SIZE\nEND\n");
}

/* What a shape does that means nothing. */

static elelem_status unknown_frame(elelem_shape_context *c)
{
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0), none = index + 7;

    CHECK(!elelem_shape_item_at(c, none) && !elelem_shape_item_at(c, ELELEM_NO_INDEX));
    CHECK(elelem_shape_item_may_be(elelem_shape_item_at(c, index), elelem_shape_hash(text("id"))));
    CHECK_U64(elelem_shape_kept(c, elelem_shape_item_at(c, none)).size, 0);
    elelem_shape_keep(c, none, text("x"));
    elelem_shape_metadata_kept(c, none, "k");
    CHECK(!elelem_shape_kept_resize(c, none, 1));
    elelem_shape_item_expect(c, none, 1);
    elelem_shape_item_wait(c, none);
    elelem_shape_text(c, none, text("x"));
    elelem_shape_tool_start(c, none, text("id"), text("f"));
    elelem_shape_tool_start_unnamed(c, none, text("f"));
    elelem_shape_tool_arguments(c, none, text("{}"));
    elelem_shape_provider_json(c, none, text("t"), text("{}"));
    elelem_shape_provider_caption(c, none, text("t"), text("x"));
    elelem_shape_provider_caption_piece(c, none, text("t"), text("x"));
    CHECK(elelem_str_is(elelem_shape_join(c, none, text("x")).rest, "x"));
    elelem_shape_write(c);
    elelem_shape_write_half(c, none);
    elelem_shape_drop_half(c, none);
    elelem_shape_item_close(c, none);
    elelem_shape_flush(c, none);
    elelem_shape_text(c, index, text("a"));
    elelem_shape_fields_find(c, elelem_shape_document(c), row_A, row_LIST, ELELEM_SHAPE_MAX_ROWS + 1);
    elelem_shape_fields_find(c, elelem_shape_document(c), row_A, row_LIST, 0xffffffffu);
    CHECK(!elelem_shape_is_there(elelem_shape_field(c, row_A)));
    return ELELEM_OK;
}

TEST(what_a_shape_does_to_items_that_are_not_open_is_nothing)
{
    given(unknown_frame);
    STREAM("data: {\"a\":1}\n\n", "0 text \"a\"\n" CUT_SHORT);
}

static elelem_status over_frame(elelem_shape_context *c)
{
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0);

    elelem_shape_text(c, index, text("a"));
    elelem_shape_event_id(c, member(c, "a"));
    elelem_shape_error(c, ELELEM_ERROR_KIND_RATE_LIMIT, text("slow"), "Wait.");
    CHECK(elelem_shape_is_over(c));
    elelem_shape_error(c, ELELEM_ERROR_KIND_OTHER, text("late"), "Too late.");
    elelem_shape_error_of(c, elelem_shape_document(c));
    elelem_shape_event_id(c, member(c, "b"));
    elelem_shape_text(c, index, text("b"));
    elelem_shape_flush(c, index);
    return ELELEM_OK;
}

TEST(nothing_that_a_shape_says_counts_after_its_end)
{
    given(over_frame);
    STREAM("data: {\"a\":\"e1\",\"b\":\"e2\",\"message\":\"No.\"}\n\n",
           "0 text \"a\"\nERROR rate_limit retryable code=slow \"Wait.\"\nmeta event_id=\"e1\"\nEND\n");
}

static elelem_status named_frame(elelem_shape_context *c)
{
    elelem_shape_event_id(c, member(c, "a"));
    return ELELEM_OK;
}

TEST(an_event_id_has_at_most_1024_bytes)
{
    static char body[1200], expected[1200];
    size_t size;

    given(named_frame);
    for (size = 1024; size <= 1025; size++) {
        snprintf(body, sizeof body, "data: {\"a\":\"%0*u\"}\n\n", (int)size, 0u);
        snprintf(expected, sizeof expected, "ERROR connect retryable \"the response ended before it was complete\"\nmeta event_id=\"%0*u\"\nEND\n", 1024, 0u);
        STREAM(body, size == 1024 ? expected : CUT_SHORT);
    }
}

static elelem_status incomplete_frame(elelem_shape_context *c)
{
    static const elelem_part_kind kinds[] = { ELELEM_PART_MESSAGE, ELELEM_PART_REASONING, ELELEM_PART_STRUCTURED, ELELEM_PART_TOOL_CALL };
    uint32_t indices[8], i;

    for (i = 0; i < 8; i++) {
        indices[i] = elelem_shape_item_open(c, 0, kinds[i % 4], i);
        if (i % 4 == 3) elelem_shape_tool_start(c, indices[i], text("id"), text("f"));
        if (i % 4 == 3) elelem_shape_tool_arguments(c, indices[i], text("{}"));
        else elelem_shape_text(c, indices[i], text("{}"));
    }
    for (i = 0; i < 4; i++)
        elelem_shape_flush_as(c, indices[i], ELELEM_SHAPE_INCOMPLETE);
    for (; i < 8; i++) {
        elelem_shape_item_expect(c, indices[i], 1);
        elelem_shape_flush(c, indices[i]);
    }
    return ELELEM_OK;
}

TEST(json_of_which_more_was_to_come_is_cut_off_though_it_is_whole)
{
    given(incomplete_frame);
    STREAM("data: {}\n\n", "0 text \"{}\"\n1 think \"{}\"\n2 json \"{}\"\n3 call id=id name=f\n3 args \"{}\"\n"
                           "4 text \"{}\"\n5 think \"{}\"\n6 json \"{}\"\n7 call id=id name=f\n7 args \"{}\"\n"
                           "0 flush\n1 flush\n2 flush cut_off\n3 flush cut_off\n4 flush\n5 flush\n6 flush cut_off\n7 flush cut_off\n" CUT_SHORT);
}

static elelem_status waiting_frame(elelem_shape_context *c)
{
    uint32_t number = elelem_shape_item_open(c, 0, ELELEM_PART_STRUCTURED, 1), call = elelem_shape_item_open(c, 0, ELELEM_PART_TOOL_CALL, 2);
    uint32_t silent = elelem_shape_item_open(c, 0, ELELEM_PART_TOOL_CALL, 3);

    elelem_shape_text(c, number, text("12"));
    elelem_shape_tool_start(c, call, text("id"), text("f"));
    elelem_shape_metadata_text(c, "k", text("of the number"));
    elelem_shape_item_close(c, number);
    elelem_shape_metadata_text(c, "k", text("of the call"));
    elelem_shape_item_close(c, call);
    elelem_shape_item_close(c, silent); /* it said nothing, and is gone */
    CHECK(elelem_shape_item_at(c, number) && elelem_shape_item_at(c, call) && !elelem_shape_item_at(c, silent));
    CHECK_U64(elelem_shape_item_find(c, 0, ELELEM_PART_TOOL_CALL, 2), ELELEM_NO_INDEX);
    elelem_shape_reason(c, 0, ELELEM_FINISH_MAX_TOKENS, text("length"), 1);
    elelem_shape_finish(c);
    return ELELEM_OK;
}

TEST(metadata_of_an_item_that_is_closed_comes_before_its_flush_that_waits)
{
    given(waiting_frame);
    STREAM("data: {}\n\n", "0 json \"12\"\n1 call id=id name=f\n0 meta k=\"of the number\"\n1 meta k=\"of the call\"\n1 call id= name=\n"
                           "0 flush cut_off\n1 flush cut_off\nFINISHED max_tokens raw=length\nEND\n");
}

static elelem_status many_frame(elelem_shape_context *c)
{
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0), i;

    for (i = 0; i < elelem_shape_number_or(member(c, "a"), 0); i++)
        elelem_shape_metadata_json(c, text("k"), text("1"));
    elelem_shape_text(c, index, text("x"));
    return ELELEM_OK;
}

TEST(more_metadata_than_a_frame_may_have_ends_the_stream)
{
    given(many_frame);
    streams_now.desc.max_frame_bytes = 4096;
    STREAM("data: {\"a\":1}\n\ndata: {\"a\":5000}\n\n",
           "0 meta k=1\n0 text \"x\"\nERROR limit \"an event has more data than allowed\" status=ERROR_FRAME_SIZE\nEND\n");
}

static elelem_status error_frame(elelem_shape_context *c)
{
    if (elelem_shape_error_in(c, member(c, "a"))) return ELELEM_OK;
    elelem_shape_error_of(c, member(c, "b"));
    CHECK(elelem_shape_is_over(c));
    CHECK(!elelem_shape_error_in(c, member(c, "a")) && !elelem_shape_document_error(c));
    return ELELEM_OK;
}

TEST(an_object_of_a_frame_may_be_its_error)
{
    given(error_frame);
    STREAM("data: {\"a\":{\"error\":{\"type\":\"server_error\",\"message\":\"No.\"}}}\n\n",
           "ERROR transient retryable code=server_error \"No.\"\nEND\n");
    STREAM("data: {\"a\":{},\"b\":{\"message\":\"Never.\",\"code\":\"insufficient_quota\"}}\n\n",
           "ERROR quota code=insufficient_quota \"Never.\"\nEND\n");
}

static elelem_status typed_frame(elelem_shape_context *c)
{
    uint32_t call = elelem_shape_item_open(c, 0, ELELEM_PART_TOOL_CALL, 0);
    uint32_t item = elelem_shape_item_open(c, 0, ELELEM_PART_PROVIDER_ITEM, 0);

    elelem_shape_metadata_json(c, text("k"), text("1"));
    elelem_shape_tool_start_typed(c, call, text("shell_call"), text("c1"), text(""));
    elelem_shape_tool_start_typed(c, call, text("shell_call"), text("c1"), text("shell"));
    elelem_shape_item_at(c, item)->hosted = 1;
    elelem_shape_provider_caption(c, item, text("search"), text("weather"));
    elelem_shape_provider_value(c, item, text("search"), member(c, "a"));
    return ELELEM_OK;
}

static void next_part(elelem_stream *stream, elelem_event *event)
{
    CHECK_INT(elelem_stream_next(stream, event), ELELEM_OK);
    CHECK_INT(event->kind, ELELEM_EVENT_PART);
}

TEST(a_call_has_its_type_once_and_a_provider_item_in_every_part)
{
    static const char body[] = "data: {\"a\":[1]}\n\n";
    elelem_stream *stream = &streams_now.stream;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_event event;

    given(typed_frame);
    desc.shape = &shape_now;
    elelem_stream_free(stream);
    elelem_stream_init(stream, &desc);
    CHECK_INT(elelem_stream_push(stream, body, sizeof body - 1), ELELEM_OK);
    next_part(stream, &event);
    CHECK(elelem_str_is(event.part.tool_call.type, "shell_call") && elelem_str_is(event.part.tool_call.id, "c1"));
    CHECK_U64(event.metadata.count, 1);
    next_part(stream, &event);
    CHECK(event.part.tool_call.type.size == 0 && elelem_str_is(event.part.tool_call.name, "shell"));
    next_part(stream, &event);
    CHECK(elelem_str_is(event.part.type, "search") && elelem_str_is(event.part.caption, "weather"));
    CHECK(event.part.hosted && event.part.text.size == 0 && event.metadata.count == 0);
    next_part(stream, &event);
    CHECK(elelem_str_is(event.part.type, "search") && elelem_str_is(event.part.text, "[1]") && event.part.caption.size == 0);
    CHECK_INT(elelem_stream_next(stream, &event), ELELEM_MORE);
}

static void all_done(void)
{
    elelem_stream_free(&streams_now.stream);
}

CHECK_MAIN("shape",
    RUN(a_key_of_a_list_may_have_been_that_of_an_object)
    RUN(of_the_rows_with_one_parent_the_first_that_matches_counts)
    RUN(a_row_may_name_one_element_or_a_key_with_a_quote)
    RUN(a_table_may_have_more_rows_than_are_found_by_number)
    RUN(rows_of_a_table_have_their_names_and_parents)
    RUN(members_are_looked_up_into_slots_and_the_last_of_each_counts)
    RUN(a_row_of_a_rest_matches_what_no_row_before_it_does)
    RUN(a_row_that_was_dropped_is_skipped_up_to_the_next_response)
    RUN(a_row_after_one_for_the_rest_is_of_the_rest)
    RUN(a_table_of_which_fewer_rows_are_wanted_at_first_has_all_of_them_later)
    RUN(a_shape_with_provider_items_may_have_no_value_that_passes)
    RUN(what_passes_is_of_the_type_that_the_shape_says_and_has_a_last_byte)
    RUN(a_value_passes_is_ignored_or_stored_after_all_whatever_makes_it_large)
    RUN(of_a_value_that_passes_no_more_than_4096_bytes_are_stored)
    RUN(a_number_that_groups_is_a_whole_one_of_31_bits)
    RUN(a_hash_is_the_same_however_its_text_was_cut)
    RUN(a_hash_is_news_until_it_was_kept)
    RUN(a_word_that_is_not_known_is_another_reason)
    RUN(items_and_the_stream_have_memory_that_begins_as_zeros)
    RUN(a_choice_has_memory_from_its_first_part_or_reason_on)
    RUN(memory_of_the_shape_that_is_refused_is_an_error)
    RUN(open_items_are_walked_in_their_order_and_those_that_wait_are_flushed_first)
    RUN(a_shape_writes_json_of_its_own)
    RUN(items_keep_text_over_frames_each_its_own)
    RUN(what_a_shape_does_to_items_that_are_not_open_is_nothing)
    RUN(nothing_that_a_shape_says_counts_after_its_end)
    RUN(an_event_id_has_at_most_1024_bytes)
    RUN(json_of_which_more_was_to_come_is_cut_off_though_it_is_whole)
    RUN(metadata_of_an_item_that_is_closed_comes_before_its_flush_that_waits)
    RUN(more_metadata_than_a_frame_may_have_ends_the_stream)
    RUN(an_object_of_a_frame_may_be_its_error)
    RUN(a_call_has_its_type_once_and_a_provider_item_in_every_part)
    all_done();)
