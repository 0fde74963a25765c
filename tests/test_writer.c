/* writer: escapes, whitespace, numbers, values and fragments, sinks and their errors. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef WRITER_ROOM
#define WRITER_ROOM "writer"
#endif

static elelem_buffer buffer;
static elelem_writer writer;

static elelem_allocator c_library(void)
{
    elelem_allocator allocator = ELELEM_INIT;

    return allocator;
}

static void start(unsigned indent)
{
    elelem_buffer_init(&buffer, c_library(), 0);
    elelem_writer_init(&writer, elelem_buffer_sink(&buffer), indent);
}

static elelem_str str(const char *text)
{
    return elelem_str_of(text);
}

/* Checks that `expected` was written, and ends what start began. */
#define CHECK_WRITTEN(expected)                                                                       \
    do {                                                                                              \
        CHECK_STR(elelem_buffer_text(&buffer).data, elelem_buffer_text(&buffer).size, expected);      \
        elelem_buffer_free(&buffer);                                                                  \
    } while (0)

/* Strings. */

typedef struct text_row {
    const char *text;
    size_t size;
    const char *expected;
} text_row;

#define ROW(text, expected) { text, sizeof(text) - 1, expected }

static const text_row texts[] = {
    ROW("", "\"\""),
    ROW("plain", "\"plain\""),
    ROW("a\"b", "\"a\\\"b\""),
    ROW("a\\b", "\"a\\\\b\""),
    ROW("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""),
    ROW("\0\x01\x0b\x1f", "\"\\u0000\\u0001\\u000b\\u001f\""),
    ROW("/ \x7f", "\"/ \x7f\""),
    ROW("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""),
    ROW("\xe2\x80\xa8\xe2\x80\xa9", "\"\xe2\x80\xa8\xe2\x80\xa9\""),
    /* Not UTF-8: U+FFFD for each maximal subpart (the Unicode Standard, 3.9, table 3-8 and around). */
    ROW("\x80", "\"\xef\xbf\xbd\""),
    ROW("a\xff" "b", "\"a\xef\xbf\xbd" "b\""),
    ROW("\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\""),
    ROW("\xe0\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""),
    ROW("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""),
    ROW("\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""),
    ROW("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf" "A", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" "A\""),
    ROW("\xf0\x9f\x98", "\"\xef\xbf\xbd\""),
    ROW("\xe2\x82", "\"\xef\xbf\xbd\""),
    ROW("\xe2\"", "\"\xef\xbf\xbd\\\"\""),
    ROW("\xc3", "\"\xef\xbf\xbd\"")
};

TEST(strings_are_escaped_only_as_json_requires)
{
    size_t i;

    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        elelem_str text;
        check_context(texts[i].expected);
        text.data = texts[i].text;
        text.size = texts[i].size;
        start(0);
        CHECK_INT(elelem_writer_string(&writer, text), ELELEM_OK);
        CHECK_WRITTEN(texts[i].expected);
    }
}

TEST(a_special_byte_is_found_at_every_place_of_a_long_string)
{
    static const char specials[] = "\"\\\n\x80";
    size_t place, kind;

    for (place = 0; place < 600; place++)
        for (kind = 0; kind < 4; kind++) {
            char text[601], expected[620];
            elelem_str slice;
            size_t size = 0;
            memset(text, 'x', sizeof text);
            text[place] = specials[kind];
            slice.data = text;
            slice.size = 600;
            expected[size++] = '"';
            memset(expected + size, 'x', place);
            size += place;
            memcpy(expected + size, kind == 0 ? "\\\"" : kind == 1 ? "\\\\" : kind == 2 ? "\\n" : "\xef\xbf\xbd", 3);
            size += kind == 3 ? 3 : 2;
            memset(expected + size, 'x', 599 - place);
            size += 599 - place;
            expected[size++] = '"';
            start(0);
            elelem_writer_string(&writer, slice);
            CHECK_BYTES(elelem_buffer_text(&buffer).data, elelem_buffer_text(&buffer).size, expected, size);
            elelem_buffer_free(&buffer);
        }
}

TEST(a_string_in_pieces_is_the_same_string)
{
    start(0);
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_string_begin(&writer);
    elelem_writer_string_piece(&writer, str("a\n"));
    elelem_writer_string_piece(&writer, str(""));
    elelem_writer_string_piece(&writer, str("\"b"));
    elelem_writer_string_end(&writer);
    elelem_writer_string_begin(&writer);
    CHECK_INT(elelem_writer_string_end(&writer), ELELEM_OK);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    CHECK_WRITTEN("[\"a\\n\\\"b\",\"\"]");
}

/* Numbers. */

TEST(integers_are_written_in_full)
{
    start(0);
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_int64(&writer, 0);
    elelem_writer_int64(&writer, -1);
    elelem_writer_int64(&writer, INT64_MAX);
    elelem_writer_int64(&writer, INT64_MIN);
    elelem_writer_uint64(&writer, UINT64_MAX);
    elelem_writer_uint64(&writer, 10);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    CHECK_WRITTEN("[0,-1,9223372036854775807,-9223372036854775808,18446744073709551615,10]");
}

/* Structure. */

static void write_everything(void)
{
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(&writer, str("a"));
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_null(&writer);
    elelem_writer_bool(&writer, 2);
    elelem_writer_bool(&writer, 0);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_key(&writer, str("b\"\n"));
    elelem_writer_json(&writer, str("1.50"));
    elelem_writer_key(&writer, str(""));
    elelem_writer_string(&writer, str("x"));
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
}

TEST(the_compact_form_has_no_whitespace)
{
    start(0);
    write_everything();
    CHECK_INT(elelem_writer_error(&writer).status, ELELEM_OK);
    CHECK_WRITTEN("{\"a\":[null,true,false,{},[]],\"b\\\"\\n\":1.50,\"\":\"x\"}");
}

TEST(the_indented_form_has_a_line_for_each_member_and_element)
{
    start(2);
    write_everything();
    CHECK_WRITTEN("{\n  \"a\": [\n    null,\n    true,\n    false,\n    {},\n    []\n  ],\n"
                  "  \"b\\\"\\n\": 1.50,\n  \"\": \"x\"\n}");
}

TEST(each_value_at_the_top_is_on_a_line_of_its_own)
{
    start(0);
    elelem_writer_int64(&writer, 1);
    elelem_writer_int64(&writer, 2);
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_string(&writer, str("x"));
    CHECK_WRITTEN("1\n2\n[]\n\"x\"");
}

TEST(an_end_is_misuse_if_nothing_is_open)
{
    start(0);
    CHECK_INT(elelem_writer_end(&writer, ELELEM_TYPE_ARRAY), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_writer_begin(&writer, ELELEM_TYPE_STRING), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY), ELELEM_OK);
    CHECK_INT(elelem_writer_end(&writer, ELELEM_TYPE_NUMBER), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_writer_end(&writer, ELELEM_TYPE_ARRAY), ELELEM_OK);
    CHECK_INT(elelem_writer_error(&writer).status, ELELEM_OK);
    CHECK_WRITTEN("[]");
}

/* Values and fragments. */

static elelem_fragment_parser parser;
static elelem_fragment_aggregator tree;

/* Reads JSON into the tree; END if it is whole. */
static elelem_status read_json(const char *json, size_t size)
{
    elelem_fragment fragment;
    elelem_status status;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_aggregator_init(&tree, NULL);
    elelem_fragment_parser_push(&parser, json, size);
    elelem_fragment_parser_finish(&parser);
    while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
        CHECK_INT(elelem_fragment_aggregator_push(&tree, &fragment), ELELEM_OK);
    elelem_fragment_parser_free(&parser);
    elelem_fragment_aggregator_finish(&tree);
    return status;
}

static elelem_status write_tree(void)
{
    elelem_status status = elelem_writer_value(&writer, elelem_fragment_aggregator_value(&tree));

    elelem_fragment_aggregator_free(&tree);
    return status;
}

/* Compact JSON that is written as it was read. */
static const char *const documents[] = {
    "null", "true", "false", "-0.10e+5", "\"\"", "\"a\\n\\u0000\xc3\xa9\"", "[]", "{}", "[[],{},[[]],{\"\":{}}]",
    "{\"a\":1,\"a\":2,\"b\":[1,\"x\",null,{\"c\":[]}],\"d\":{}}", "[123456789012345678901234567890,1e400]",
    "{\"a\":\"x\",\"b\":[\"y\",\"\",\"z\"],\"c\":\"w\"}",
    "[[[[[[[[\"deep\"]]]],1],2],3],{\"a\":{\"b\":{\"c\":[{\"d\":[]}]}}}]"
};

TEST(values_are_written_as_they_were_read)
{
    size_t i;

    for (i = 0; i < sizeof documents / sizeof *documents; i++) {
        check_context(documents[i]);
        CHECK_INT(read_json(documents[i], strlen(documents[i])), ELELEM_END);
        start(0);
        CHECK_INT(write_tree(), ELELEM_OK);
        CHECK_WRITTEN(documents[i]);
    }
}

static elelem_status write_fragments(const char *json, size_t piece)
{
    elelem_fragment fragment;
    elelem_status status = ELELEM_MORE;
    size_t at, size = strlen(json);

    elelem_fragment_parser_init(&parser, NULL);
    for (at = 0; at < size; at += piece) {
        elelem_fragment_parser_push(&parser, json + at, size - at < piece ? size - at : piece);
        if (at + piece >= size) elelem_fragment_parser_finish(&parser);
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
            CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_OK);
    }
    elelem_fragment_parser_free(&parser);
    return status;
}

TEST(fragments_are_written_as_they_were_read)
{
    size_t i;

    for (i = 0; i < sizeof documents / sizeof *documents; i++) {
        check_context(documents[i]);
        start(0);
        CHECK_INT(write_fragments(documents[i], 1000), ELELEM_END);
        CHECK_WRITTEN(documents[i]);
        start(0);
        CHECK_INT(write_fragments(documents[i], 1), ELELEM_END);
        CHECK_WRITTEN(documents[i]);
    }
}

TEST(fragments_and_values_indent_alike)
{
    static const char expected[] = "{\n    \"a\": [\n        1,\n        {}\n    ],\n    \"b\": \"\",\n    \"c\": {\n"
                                   "        \"d\": []\n    }\n}";
    static const char json[] = " { \"a\" : [1 ,{ }], \"b\":\"\", \"c\":{\"d\":[ ]} } ";

    start(4);
    CHECK_INT(write_fragments(json, 1), ELELEM_END);
    CHECK_WRITTEN(expected);
    start(4);
    read_json(json, sizeof json - 1);
    CHECK_INT(write_tree(), ELELEM_OK);
    CHECK_WRITTEN(expected);
}

typedef struct skipped_row {
    const char *text;
    size_t cut;    /* bytes of the first push */
    unsigned kind; /* after which fragments their value is skipped */
    const char *expected;
} skipped_row;

static elelem_status write_skipping(const skipped_row *row)
{
    elelem_fragment fragment;
    elelem_status status;
    size_t at = 0, size = strlen(row->text);

    elelem_fragment_parser_init(&parser, NULL);
    do {
        size_t more = at == 0 ? row->cut : size - at;
        elelem_fragment_parser_push(&parser, row->text + at, more);
        at += more;
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK) {
            CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_OK);
            if (fragment.kind == row->kind && fragment.path->count > 0) CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
        }
    } while (status == ELELEM_MORE && at < size);
    elelem_fragment_parser_free(&parser);
    return status;
}

TEST(a_value_whose_rest_is_skipped_is_ended_before_the_next_fragment)
{
    static const skipped_row rows[] = {
        { "{\"a\":\"123456\",\"b\":0}", 8, ELELEM_FRAGMENT_STRING, "{\"a\":\"12\",\"b\":0}" },
        { "{\"a\":\"123456\",\"b\":\"yy\"}", 8, ELELEM_FRAGMENT_STRING, "{\"a\":\"12\",\"b\":\"yy\"}" },
        { "{\"a\":\"123456\",\"a\":\"\"}", 8, ELELEM_FRAGMENT_STRING, "{\"a\":\"12\",\"a\":\"\"}" },
        { "[\"123456\",[1],\"x\"]", 4, ELELEM_FRAGMENT_STRING, "[\"12\",[1],\"x\"]" },
        { "{\"a\":{\"x\":1},\"b\":[2],\"c\":3}", 4, ELELEM_FRAGMENT_BEGIN, "{\"a\":{},\"b\":[],\"c\":3}" },
        { "[[1],{\"x\":[2]}]", 4, ELELEM_FRAGMENT_BEGIN, "[[],{}]" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].text);
        start(0);
        CHECK_INT(write_skipping(&rows[i]), ELELEM_END);
        CHECK_WRITTEN(rows[i].expected);
    }
}

/* Gives the writer the next fragment of the parser. */
static elelem_status write_next(void)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_next(&parser, &fragment);

    return status == ELELEM_OK ? elelem_writer_fragment(&writer, &fragment) : status;
}

TEST(the_caller_may_end_a_value_whose_rest_is_skipped)
{
    start(0);
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "[[1],\"ab\\ncd\",\"\",2]", 19);
    CHECK_INT(write_next(), ELELEM_OK);
    CHECK_INT(write_next(), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
    CHECK_INT(elelem_writer_end(&writer, ELELEM_TYPE_ARRAY), ELELEM_OK);
    CHECK_INT(write_next(), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
    CHECK_INT(elelem_writer_string_end(&writer), ELELEM_OK);
    while (write_next() == ELELEM_OK)
        continue;
    elelem_fragment_parser_free(&parser);
    CHECK_WRITTEN("[[],\"ab\",\"\",2]");
}

/* Fragments of two parsers are counted alike. */
TEST(a_value_of_one_parser_is_not_ended_by_what_another_one_skips)
{
    static const char outer[] = "[{\"x\":1}]", inner[] = "[[0],{\"a\":2}]";
    elelem_fragment_parser other;
    elelem_fragment fragment;

    start(0);
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_init(&other, NULL);
    elelem_fragment_parser_push(&parser, outer, sizeof outer - 1);
    elelem_fragment_parser_push(&other, inner, sizeof inner - 1);
    CHECK_INT(write_next(), ELELEM_OK);
    CHECK_INT(write_next(), ELELEM_OK);
    CHECK_INT(elelem_writer_key(&writer, elelem_str_of("m")), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_next(&other, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_next(&other, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_skip(&other), ELELEM_OK);
    while (elelem_fragment_parser_next(&other, &fragment) == ELELEM_OK)
        if (fragment.path->count > 0) CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_OK);
    while (write_next() == ELELEM_OK)
        continue;
    elelem_fragment_parser_free(&parser);
    elelem_fragment_parser_free(&other);
    CHECK_WRITTEN("[{\"m\":{\"a\":2},\"x\":1}]");
}

TEST(a_fragment_without_a_path_is_a_value_without_a_key)
{
    elelem_fragment fragment = ELELEM_INIT;

    start(0);
    CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_ERROR_MISUSE);
    fragment.kind = ELELEM_FRAGMENT_BEGIN;
    fragment.type = ELELEM_TYPE_ARRAY;
    CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_OK);
    CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_OK);
    fragment.kind = ELELEM_FRAGMENT_DONE;
    CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_OK);
    fragment.type = ELELEM_TYPE_STRING;
    CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_OK);
    CHECK_INT(elelem_writer_end(&writer, ELELEM_TYPE_ARRAY), ELELEM_OK);
    CHECK_WRITTEN("[[],\"\"]");
}

/* The container that is skipped is the only one that is open in the writer. */
TEST(the_end_of_a_container_around_one_that_is_skipped_is_misuse)
{
    elelem_fragment fragment;

    start(0);
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "[{\"a\":1}]", 9);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
    CHECK_INT(write_next(), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
    CHECK_INT(write_next(), ELELEM_ERROR_MISUSE);
    elelem_fragment_parser_free(&parser);
    CHECK_WRITTEN("{}");
}

TEST(a_filtered_parser_gives_the_values_one_a_line)
{
    static const char *const wanted[] = { "a[*].b" };
    elelem_pattern_node nodes[8];
    elelem_patterns patterns;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment fragment;
    static const char json[] = "{\"a\":[{\"b\":1},{\"b\":{\"c\":[2]}},{\"x\":0},{\"b\":\"y\"}]}";

    elelem_patterns_compile(&patterns, nodes, 8, wanted, 1, NULL, NULL);
    desc.patterns = &patterns;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, json, sizeof json - 1);
    start(0);
    while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
        CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_OK);
    elelem_fragment_parser_free(&parser);
    CHECK_WRITTEN("1\n{\"c\":[2]}\n\"y\"");
}

TEST(a_value_may_be_written_inside_another)
{
    elelem_value value;

    read_json("{\"a\":{\"b\":[1,2]},\"c\":3}", 23);
    value = elelem_fragment_aggregator_value(&tree);
    start(0);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(&writer, str("x"));
    elelem_writer_value(&writer, elelem_value_get(value, "a"));
    elelem_writer_key(&writer, str("y"));
    elelem_writer_value(&writer, elelem_value_get(value, "nothing"));
    elelem_writer_key(&writer, str("z"));
    elelem_writer_value(&writer, elelem_value_find(value, "a.b[1]"));
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    elelem_fragment_aggregator_free(&tree);
    CHECK_WRITTEN("{\"x\":{\"b\":[1,2]},\"y\":null,\"z\":2}");
}

TEST(a_partial_value_is_closed)
{
    static const char json[] = "{\"a\":[1,{\"b\":\"x\\n";

    CHECK_INT(read_json(json, sizeof json - 1), ELELEM_ERROR_TRUNCATED);
    start(0);
    CHECK_INT(write_tree(), ELELEM_OK);
    CHECK_WRITTEN("{\"a\":[1,{\"b\":\"x\\n\"}]}");
}

TEST(a_container_end_without_its_begin_is_misuse)
{
    elelem_path path = ELELEM_INIT;
    elelem_fragment fragment = ELELEM_INIT;

    start(0);
    fragment.path = &path;
    fragment.kind = ELELEM_FRAGMENT_DONE;
    fragment.type = ELELEM_TYPE_OBJECT;
    CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_ERROR_MISUSE);
    fragment.kind = ELELEM_FRAGMENT_BEGIN;
    fragment.type = ELELEM_TYPE_STRING;
    CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_ERROR_MISUSE);
    CHECK_WRITTEN("");
}

/* Sinks. */

TEST(a_writer_without_a_sink_returns_an_error)
{
    elelem_sink none = ELELEM_INIT;

    elelem_writer_init(&writer, none, 0);
    CHECK_INT(elelem_writer_null(&writer), ELELEM_ERROR_SINK);
    CHECK_INT(elelem_writer_error(&writer).status, ELELEM_ERROR_SINK);
}

TEST(the_error_of_a_sink_sticks)
{
    char bytes[5];
    elelem_span_sink span = { bytes, 5, 0 };

    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    CHECK_INT(elelem_writer_string(&writer, str("abc")), ELELEM_OK);
    CHECK_INT(elelem_writer_string(&writer, str("d")), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_writer_end(&writer, ELELEM_TYPE_ARRAY), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_writer_begin(&writer, ELELEM_TYPE_STRING), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_writer_end(&writer, ELELEM_TYPE_STRING), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_writer_key(&writer, str("")), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_writer_error(&writer).status, ELELEM_ERROR_VALUE_SIZE);
    CHECK_STR(span.data, span.size, "\"abc\"");
}

TEST(a_span_is_filled_to_the_last_byte)
{
    char bytes[7];
    elelem_span_sink span = { bytes, 7, 0 };

    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    CHECK_INT(elelem_writer_string(&writer, str("12345")), ELELEM_OK);
    CHECK_STR(span.data, span.size, "\"12345\"");
}

TEST(a_buffer_refuses_what_is_over_its_limit_and_keeps_the_rest)
{
    elelem_buffer_init(&buffer, c_library(), 10);
    CHECK_INT(elelem_buffer_append(&buffer, "1234567", 7), ELELEM_OK);
    CHECK_INT(elelem_buffer_append(&buffer, "1234", 4), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_buffer_append(&buffer, "x", SIZE_MAX), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_buffer_append(&buffer, "890", 3), ELELEM_OK);
    CHECK_INT(elelem_buffer_append(&buffer, NULL, 0), ELELEM_OK);
    CHECK_STR(elelem_buffer_text(&buffer).data, elelem_buffer_text(&buffer).size, "1234567890");
    elelem_buffer_clear(&buffer);
    CHECK_INT(elelem_buffer_text(&buffer).size, 0);
    CHECK_INT(elelem_buffer_append(&buffer, "z", 1), ELELEM_OK);
    CHECK_WRITTEN("z");
}

TEST(a_zeroed_buffer_may_be_freed)
{
    elelem_buffer zeroed = ELELEM_INIT;

    elelem_buffer_free(&zeroed);
    CHECK_INT(elelem_buffer_text(&zeroed).size, 0);
}

TEST(a_buffer_without_memory_is_an_error_or_survived)
{
    int fail_at, fail_on;

    for (fail_at = 1; fail_at < 8; fail_at++)
        for (fail_on = 0; fail_on < 2; fail_on++) {
            limits_heap heap = ELELEM_INIT;
            int i;
            elelem_status status = ELELEM_OK;
            check_cut("refusing call", (size_t)fail_at);
            heap.refuse = fail_at;
            heap.stays = fail_on;
            elelem_buffer_init(&buffer, limits_allocator(&heap), 0);
            elelem_writer_init(&writer, elelem_buffer_sink(&buffer), 0);
            for (i = 0; i < 20; i++)
                status = elelem_writer_string(&writer, str("0123456789012345678"));
            CHECK(status == ELELEM_OK || status == ELELEM_ERROR_MEMORY);
            CHECK_INT(elelem_buffer_text(&buffer).size == 20 * 22 - 1, status == ELELEM_OK);
            elelem_buffer_free(&buffer);
            CHECK_U64(heap.blocks, 0);
        }
}

/* Real documents: what was written is read and written again as the same text. */

static char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    char *bytes;

    if (!file) return NULL;
    bytes = (char *)malloc(1 << 20);
    if (!bytes) abort();
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void round_trip(const char *name)
{
    size_t size = 0;
    char *bytes = read_file(name, &size);
    elelem_buffer first;

    if (!bytes) return;
    check_context(name);
    CHECK_INT(read_json(bytes, size), ELELEM_END);
    CHECK(elelem_value_is_complete(elelem_fragment_aggregator_value(&tree)));
    start(0);
    CHECK_INT(write_tree(), ELELEM_OK);
    first = buffer;
    CHECK_INT(read_json(elelem_buffer_text(&first).data, elelem_buffer_text(&first).size), ELELEM_END);
    start(0);
    CHECK_INT(write_tree(), ELELEM_OK);
    CHECK_BYTES(elelem_buffer_text(&buffer).data, elelem_buffer_text(&buffer).size, elelem_buffer_text(&first).data,
                elelem_buffer_text(&first).size);
    elelem_buffer_free(&first);
    elelem_buffer_free(&buffer);
    free(bytes);
}

TEST(the_corpus_survives_a_round_trip)
{
    const char *corpus = getenv("ELELEM_CORPUS");
    char name[1024];
    size_t size;
    char *probe;
    int i, done = 0;

    for (i = 1; i <= 99; i++) {
        snprintf(name, sizeof name, "%s/json/roundtrip/roundtrip%02d.json", corpus ? corpus : "../shared/corpus", i);
        probe = read_file(name, &size);
        if (!probe) continue;
        free(probe);
        round_trip(name);
        done++;
    }
    if (done == 0) check_nothing("no corpus (ELELEM_CORPUS)");
}

TEST(an_empty_text_writes_nothing)
{
    elelem_span_sink span = ELELEM_INIT;
    elelem_sink sink = elelem_span_sink_of(&span);

    CHECK_INT(sink.write(sink.context, "", 0), ELELEM_OK);
    start(0);
    CHECK_INT(elelem_writer_json(&writer, str("")), ELELEM_OK);
    CHECK_WRITTEN("");
}

TEST(a_character_that_the_end_cuts_is_one_replacement)
{
    start(0);
    elelem_writer_string(&writer, str("a\xf0\x9f\x98"));
    elelem_writer_string(&writer, str("\xf0\x9f"));
    elelem_writer_string(&writer, str("\xf0\x9fx"));
    CHECK_WRITTEN("\"a\xef\xbf\xbd\"\n\"\xef\xbf\xbd\"\n\"\xef\xbf\xbdx\"");
}

TEST(an_indentation_of_more_than_255_blanks_is_255)
{
    size_t lines = 0;
    const char *at;

    start(1000);
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_null(&writer);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    CHECK_INT(elelem_buffer_text(&buffer).size, 2 + 255 + 4 + 2);
    at = elelem_buffer_text(&buffer).data;
    for (; at < elelem_buffer_text(&buffer).data + elelem_buffer_text(&buffer).size; at++)
        lines += *at == '\n';
    CHECK_INT(lines, 2);
    elelem_buffer_free(&buffer);
}

TEST(a_whole_document_is_written_inside_another_without_a_key)
{
    elelem_fragment_parser whole;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&whole, NULL);
    elelem_fragment_parser_push(&whole, "{\"a\":1}", 7);
    start(0);
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    while (elelem_fragment_parser_next(&whole, &fragment) == ELELEM_OK)
        CHECK_INT(elelem_writer_fragment(&writer, &fragment), ELELEM_OK);
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    CHECK_WRITTEN("[{\"a\":1}]");
    elelem_fragment_parser_free(&whole);
}

CHECK_MAIN(WRITER_ROOM,
    RUN(strings_are_escaped_only_as_json_requires)
    RUN(a_special_byte_is_found_at_every_place_of_a_long_string)
    RUN(a_string_in_pieces_is_the_same_string)
    RUN(integers_are_written_in_full)
    RUN(the_compact_form_has_no_whitespace)
    RUN(the_indented_form_has_a_line_for_each_member_and_element)
    RUN(each_value_at_the_top_is_on_a_line_of_its_own)
    RUN(an_end_is_misuse_if_nothing_is_open)
    RUN(values_are_written_as_they_were_read)
    RUN(fragments_are_written_as_they_were_read)
    RUN(fragments_and_values_indent_alike)
    RUN(a_value_whose_rest_is_skipped_is_ended_before_the_next_fragment)
    RUN(the_caller_may_end_a_value_whose_rest_is_skipped)
    RUN(the_end_of_a_container_around_one_that_is_skipped_is_misuse)
    RUN(a_value_of_one_parser_is_not_ended_by_what_another_one_skips)
    RUN(a_fragment_without_a_path_is_a_value_without_a_key)
    RUN(a_filtered_parser_gives_the_values_one_a_line)
    RUN(a_value_may_be_written_inside_another)
    RUN(a_partial_value_is_closed)
    RUN(a_container_end_without_its_begin_is_misuse)
    RUN(a_writer_without_a_sink_returns_an_error)
    RUN(the_error_of_a_sink_sticks)
    RUN(a_span_is_filled_to_the_last_byte)
    RUN(a_buffer_refuses_what_is_over_its_limit_and_keeps_the_rest)
    RUN(a_zeroed_buffer_may_be_freed)
    RUN(a_buffer_without_memory_is_an_error_or_survived)
    RUN(the_corpus_survives_a_round_trip)
    RUN(an_empty_text_writes_nothing)
    RUN(a_character_that_the_end_cuts_is_one_replacement)
    RUN(an_indentation_of_more_than_255_blanks_is_255)
    RUN(a_whole_document_is_written_inside_another_without_a_key))
