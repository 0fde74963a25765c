/* json: a whole text to a value in one call. */
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"

/* The value as compact JSON, in a buffer of the last call. */
static char shown[4096];
static size_t shown_size;

static const char *show(elelem_value value)
{
    elelem_span_sink span = ELELEM_INIT;
    elelem_writer writer;

    span.data = shown;
    span.capacity = sizeof shown;
    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    CHECK_INT(elelem_writer_value(&writer, value), ELELEM_OK);
    shown_size = span.size;
    return shown;
}

static elelem_str str_of(const char *text, size_t size)
{
    elelem_str str;

    str.data = text;
    str.size = size;
    return str;
}

/* Reads a copy that is gone by the time the value is looked at. */
static elelem_value read_copy(elelem_json *json, const char *text, size_t size, const elelem_json_desc *desc)
{
    char *copy = (char *)malloc(size > 0 ? size : 1);
    elelem_value value;

    if (!copy) abort();
    if (size > 0) memcpy(copy, text, size);
    value = elelem_json_read(json, str_of(copy, size), desc);
    memset(copy, 0xdd, size);
    free(copy);
    return value;
}

static void check_read(const char *text, size_t size, const char *expected)
{
    elelem_json json;
    elelem_value value = read_copy(&json, text, size, NULL);
    elelem_error error = elelem_json_error(&json);

    CHECK(elelem_value_is_complete(value));
    show(value);
    CHECK_STR(shown, shown_size, expected);
    CHECK_INT(error.status, ELELEM_OK);
    CHECK_U64(error.offset, 0);
    CHECK(error.message != NULL);
    elelem_json_free(&json);
}

static void check_refused(const char *text, size_t size, elelem_status status, uint64_t offset)
{
    elelem_json json;
    elelem_value value = read_copy(&json, text, size, NULL);
    elelem_error error = elelem_json_error(&json);

    CHECK_INT(elelem_value_type(value), ELELEM_TYPE_NONE);
    CHECK(!elelem_value_is_complete(value));
    CHECK_INT(error.status, status);
    CHECK_U64(error.offset, offset);
    CHECK_STR(error.message, strlen(error.message), elelem_status_sentence(status));
    elelem_json_free(&json);
}

#define READS(text, expected) check_read(text, sizeof(text) - 1, expected)
#define REFUSES(text, status, offset) check_refused(text, sizeof(text) - 1, status, offset)

#define RICH                                                                                                            \
    "{\"a\":[1,-2.50e1,true,null,\"b\\u00e9\\ud83d\\ude00\",{},[]],\"\":{\"\":\"\"},\"long key with \\\"\":\"some text\"}"
#define RICH_SHOWN                                                                                                      \
    "{\"a\":[1,-2.50e1,true,null,\"b\xc3\xa9\xf0\x9f\x98\x80\",{},[]],\"\":{\"\":\"\"},\"long key with \\\"\":\"some text\"}"

TEST(a_whole_text_is_read_whatever_its_type)
{
    READS("1", "1");
    READS("-0.0", "-0.0");
    READS("null", "null");
    READS("true", "true");
    READS("\"\"", "\"\"");
    READS("\"a\\nb\\u0000\"", "\"a\\nb\\u0000\"");
    READS("[]", "[]");
    READS("{}", "{}");
    READS(RICH, RICH_SHOWN);
}

TEST(whitespace_around_the_value_means_nothing)
{
    READS(" \t\r\n1", "1");
    READS("[1] \n\n\t\r ", "[1]");
    READS("\n{ \"a\" : 1 }\n", "{\"a\":1}");
}

TEST(a_text_without_a_value_ended_too_early)
{
    REFUSES("", ELELEM_ERROR_TRUNCATED, 0);
    REFUSES(" \r\n\t ", ELELEM_ERROR_TRUNCATED, 5);
    check_refused(NULL, 0, ELELEM_ERROR_TRUNCATED, 0);
}

TEST(a_text_that_is_cut_after_any_byte_gives_no_value) /* J8 */
{
    size_t size;

    for (size = 0; size < sizeof RICH - 1; size++) {
        check_cut("cut at", size);
        check_refused(RICH, size, ELELEM_ERROR_TRUNCATED, size);
    }
    check_cut(NULL, 0);
}

TEST(anything_after_the_value_is_refused_at_its_first_byte)
{
    REFUSES("1 2", ELELEM_ERROR_SYNTAX, 2);
    REFUSES("{} {}", ELELEM_ERROR_SYNTAX, 3);
    REFUSES("{}\n\n]", ELELEM_ERROR_SYNTAX, 4);
    REFUSES("[],", ELELEM_ERROR_SYNTAX, 2);
    REFUSES("true // so", ELELEM_ERROR_SYNTAX, 5);
    REFUSES("1\0", ELELEM_ERROR_SYNTAX, 1);
    REFUSES("\"a\"\xff", ELELEM_ERROR_SYNTAX, 3);
}

TEST(what_is_no_json_is_refused_at_the_byte_that_cannot_be_right) /* J7 */
{
    REFUSES("\xef\xbb\xbf{}", ELELEM_ERROR_SYNTAX, 0); /* a byte order mark */
    REFUSES("{\"a\":01}", ELELEM_ERROR_SYNTAX, 6);
    REFUSES("[1,]", ELELEM_ERROR_SYNTAX, 3);
    REFUSES("{'a':1}", ELELEM_ERROR_SYNTAX, 1);
    REFUSES("NaN", ELELEM_ERROR_SYNTAX, 0);
    REFUSES("[\"a\xc3(\"]", ELELEM_ERROR_UTF8, 4);
    REFUSES("<html>", ELELEM_ERROR_SYNTAX, 0);
}

TEST(a_null_text_with_a_size_is_misuse)
{
    elelem_json json;

    CHECK_INT(elelem_value_type(elelem_json_read(&json, str_of(NULL, 3), NULL)), ELELEM_TYPE_NONE);
    CHECK_INT(elelem_json_error(&json).status, ELELEM_ERROR_MISUSE);
    elelem_json_free(&json);
}

TEST(of_equal_keys_the_last_counts_and_all_are_there)
{
    elelem_json json;
    elelem_value value = elelem_json_read(&json, elelem_str_of("{\"a\":1,\"b\":2,\"a\":{\"c\":3}}"), NULL);
    elelem_str text = elelem_value_text(elelem_value_find(value, "a.c"));

    CHECK_STR(text.data, text.size, "3");
    CHECK_INT(elelem_value_count(value), 3);
    elelem_json_free(&json);
}

TEST(lone_surrogates_are_replaced_or_refused_if_asked)
{
    elelem_json json;
    elelem_json_desc desc = ELELEM_INIT;

    READS("\"\\ud800x\"", "\"\xef\xbf\xbdx\"");
    desc.strict_surrogates = 1;
    CHECK_INT(elelem_value_type(elelem_json_read(&json, elelem_str_of("\"\\ud800x\""), &desc)), ELELEM_TYPE_NONE);
    CHECK_INT(elelem_json_error(&json).status, ELELEM_ERROR_SURROGATE);
    CHECK_U64(elelem_json_error(&json).offset, 7);
    elelem_json_free(&json);
}

TEST(depth_is_limited)
{
    static const char deep[] = "[[{\"a\":[1]}]]";
    char brackets[1026];
    elelem_json json;
    elelem_json_desc desc = ELELEM_INIT;

    for (desc.max_depth = 1; desc.max_depth <= 5; desc.max_depth++) {
        static const unsigned offsets[] = { 1, 2, 7 };
        elelem_value value = elelem_json_read(&json, elelem_str_of(deep), &desc);
        CHECK_INT(elelem_value_is_complete(value), desc.max_depth >= 4);
        CHECK_INT(elelem_json_error(&json).status, desc.max_depth >= 4 ? ELELEM_OK : ELELEM_ERROR_DEPTH);
        if (desc.max_depth < 4) CHECK_U64(elelem_json_error(&json).offset, offsets[desc.max_depth - 1]);
        elelem_json_free(&json);
    }
    memset(brackets, '[', 513);
    memset(brackets + 513, ']', 513);
    check_refused(brackets, 1026, ELELEM_ERROR_DEPTH, 512);
    CHECK(elelem_value_is_complete(elelem_json_read(&json, str_of(brackets + 1, 1024), NULL)));
    elelem_json_free(&json);
}

/* Memory that a read may hold: the value's, and while it lasts a parser's. */
static uint64_t bound_of(const elelem_json_desc *desc)
{
    elelem_fragment_parser_desc parser = ELELEM_INIT;
    elelem_fragment_aggregator_desc tree = ELELEM_INIT;

    parser.max_depth = desc->max_depth;
    tree.max_bytes = desc->max_bytes;
    return limits_of_parser(&parser) + limits_of_aggregator(&tree);
}

TEST(the_value_takes_no_more_than_max_bytes_and_an_error_holds_nothing)
{
    elelem_json json;
    elelem_json_desc desc = ELELEM_INIT;
    int fits = 0;

    for (desc.max_bytes = 1; desc.max_bytes < 2000; desc.max_bytes += 7) {
        limits_heap heap = ELELEM_INIT;
        elelem_value value;
        check_cut("max_bytes", desc.max_bytes);
        heap.bound = bound_of(&desc);
        desc.allocator = limits_allocator(&heap);
        value = elelem_json_read(&json, elelem_str_of(RICH), &desc);
        CHECK(limits_held(&heap));
        CHECK(heap.live <= desc.max_bytes);
        if (elelem_json_error(&json).status == ELELEM_OK) {
            fits = 1;
            show(value);
            CHECK_STR(shown, shown_size, RICH_SHOWN);
        } else {
            CHECK(!fits);
            CHECK_INT(elelem_json_error(&json).status, ELELEM_ERROR_VALUE_SIZE);
            CHECK(elelem_json_error(&json).offset > 0 && elelem_json_error(&json).offset <= sizeof RICH - 1);
            CHECK_INT(elelem_value_type(value), ELELEM_TYPE_NONE);
            CHECK_INT(heap.live, 0);
        }
        elelem_json_free(&json);
        CHECK_INT(heap.live, 0);
    }
    check_cut(NULL, 0);
    CHECK(fits);
}

TEST(any_refused_memory_is_an_error_that_holds_nothing) /* A3 */
{
    elelem_json json;
    elelem_json_desc desc = ELELEM_INIT;
    int k, stays, errors = 0;

    for (stays = 0; stays < 2; stays++)
        for (k = 1; k < 40; k++) {
            limits_heap heap = ELELEM_INIT;
            elelem_value value;
            check_cut("refused call", (size_t)k);
            heap.refuse = k;
            heap.stays = stays;
            desc.allocator = limits_allocator(&heap);
            value = elelem_json_read(&json, elelem_str_of(RICH), &desc);
            if (elelem_json_error(&json).status == ELELEM_OK) {
                show(value);
                CHECK_STR(shown, shown_size, RICH_SHOWN);
            } else {
                errors++;
                CHECK_INT(elelem_json_error(&json).status, ELELEM_ERROR_MEMORY);
                CHECK_INT(elelem_value_type(value), ELELEM_TYPE_NONE);
                CHECK_INT(heap.live, 0);
            }
            elelem_json_free(&json);
            CHECK_INT(heap.live, 0);
        }
    check_cut(NULL, 0);
    CHECK(errors > 4);
}

TEST(a_json_may_be_read_into_again_after_it_was_freed)
{
    elelem_json json = ELELEM_INIT;

    elelem_json_free(&json);
    elelem_json_free(&json);
    CHECK_INT(elelem_json_error(&json).status, ELELEM_ERROR_MISUSE); /* nothing was read */
    CHECK_U64(elelem_json_error(&json).offset, 0);
    CHECK(elelem_value_is_complete(elelem_json_read(&json, elelem_str_of("[1]"), NULL)));
    elelem_json_free(&json);
    CHECK_INT(elelem_json_error(&json).status, ELELEM_ERROR_MISUSE);
    CHECK(elelem_value_is_complete(elelem_json_read(&json, elelem_str_of("[2]"), NULL)));
    CHECK_INT(elelem_json_error(&json).status, ELELEM_OK);
    elelem_json_free(&json);
}

TEST(a_text_of_a_megabyte_is_read)
{
    static char text[1 << 20];
    elelem_json json;
    elelem_value value;
    size_t i, size = 1;

    text[0] = '[';
    for (i = 0; size + 20 < sizeof text; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s{\"n\":%lu}", i > 0 ? "," : "", (unsigned long)i);
    text[size++] = ']';
    value = elelem_json_read(&json, str_of(text, size), NULL);
    CHECK_INT(elelem_value_count(value), i);
    CHECK_STR(elelem_value_text(elelem_value_find(value, "[777].n")).data, 3, "777");
    elelem_json_free(&json);
}

CHECK_MAIN("json",
    RUN(a_whole_text_is_read_whatever_its_type)
    RUN(whitespace_around_the_value_means_nothing)
    RUN(a_text_without_a_value_ended_too_early)
    RUN(a_text_that_is_cut_after_any_byte_gives_no_value)
    RUN(anything_after_the_value_is_refused_at_its_first_byte)
    RUN(what_is_no_json_is_refused_at_the_byte_that_cannot_be_right)
    RUN(a_null_text_with_a_size_is_misuse)
    RUN(of_equal_keys_the_last_counts_and_all_are_there)
    RUN(lone_surrogates_are_replaced_or_refused_if_asked)
    RUN(depth_is_limited)
    RUN(the_value_takes_no_more_than_max_bytes_and_an_error_holds_nothing)
    RUN(any_refused_memory_is_an_error_that_holds_nothing)
    RUN(a_json_may_be_read_into_again_after_it_was_freed)
    RUN(a_text_of_a_megabyte_is_read))
