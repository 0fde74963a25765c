#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "fragments.h"

/* What is delivered. */

TEST(a_value_is_begun_filled_and_done_at_its_path)
{
    fragments_new();
    GIVES("{\"path\":\"a.rs\",\"patterns\":[{\"old\":\"x\"}]}", "$ BEGIN object\n"
                                                               "path STRING \"a.rs\"\n"
                                                               "path DONE string\n"
                                                               "patterns BEGIN array\n"
                                                               "patterns[0] BEGIN object\n"
                                                               "patterns[0].old STRING \"x\"\n"
                                                               "patterns[0].old DONE string\n"
                                                               "patterns[0] DONE object\n"
                                                               "patterns DONE array\n"
                                                               "$ DONE object\n"
                                                               "END\n");
}

TEST(every_type_may_be_the_root)
{
    fragments_new();
    GIVES("null", "$ SCALAR null null\n$ DONE null\nEND\n");
    GIVES("true", "$ SCALAR bool true\n$ DONE bool\nEND\n");
    GIVES("false", "$ SCALAR bool false\n$ DONE bool\nEND\n");
    GIVES("12.5e-3", "$ SCALAR number 12.5e-3\n$ DONE number\nEND\n");
    GIVES("\"a\"", "$ STRING \"a\"\n$ DONE string\nEND\n");
    GIVES("[]", "$ BEGIN array\n$ DONE array\nEND\n");
    GIVES("{}", "$ BEGIN object\n$ DONE object\nEND\n");
}

TEST(the_done_of_an_empty_value_has_its_type)
{
    fragments_new();
    GIVES("[\"\",[],{}]", "$ BEGIN array\n"
                          "[0] DONE string\n"
                          "[1] BEGIN array\n[1] DONE array\n"
                          "[2] BEGIN object\n[2] DONE object\n"
                          "$ DONE array\nEND\n");
}

TEST(whitespace_may_be_between_all_tokens)
{
    fragments_new();
    GIVES(" \t\r\n{ \t\r\n\"a\" \t\r\n: \t\r\n[ \t\r\n1 \t\r\n, \t\r\nnull \t\r\n] \t\r\n} \t\r\n",
          "$ BEGIN object\na BEGIN array\n"
          "a[0] SCALAR number 1\na[0] DONE number\n"
          "a[1] SCALAR null null\na[1] DONE null\n"
          "a DONE array\n$ DONE object\nEND\n");
}

TEST(elements_are_counted_from_zero_in_each_array)
{
    fragments_new();
    GIVES("[[1,2],[[]],3]", "$ BEGIN array\n"
                            "[0] BEGIN array\n"
                            "[0][0] SCALAR number 1\n[0][0] DONE number\n"
                            "[0][1] SCALAR number 2\n[0][1] DONE number\n"
                            "[0] DONE array\n"
                            "[1] BEGIN array\n[1][0] BEGIN array\n[1][0] DONE array\n[1] DONE array\n"
                            "[2] SCALAR number 3\n[2] DONE number\n"
                            "$ DONE array\nEND\n");
}

TEST(members_with_the_same_key_are_all_delivered)
{
    fragments_new();
    GIVES("{\"a\":1,\"a\":{\"a\":\"\"}}", "$ BEGIN object\n"
                                       "a SCALAR number 1\na DONE number\n"
                                       "a BEGIN object\na.a DONE string\na DONE object\n"
                                       "$ DONE object\nEND\n");
}

TEST(an_empty_key_is_a_key)
{
    fragments_new();
    GIVES("{\"\":[{\"\":0}]}", "$ BEGIN object\n[\"\"] BEGIN array\n[\"\"][0] BEGIN object\n"
                               "[\"\"][0][\"\"] SCALAR number 0\n[\"\"][0][\"\"] DONE number\n"
                               "[\"\"][0] DONE object\n[\"\"] DONE array\n$ DONE object\nEND\n");
}

static elelem_status next_of(elelem_fragment_parser *parser, elelem_fragment *fragment)
{
    return elelem_fragment_parser_next(parser, fragment);
}

TEST(a_key_may_hold_zero_bytes) /* J9 */
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    CHECK_INT(elelem_fragment_parser_push(&parser, "{\"a\\u0000b\":0}", 14), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(fragment.path->count, 1);
    CHECK_BYTES(fragment.path->segments[0].key.data, fragment.path->segments[0].key.size, "a\0b", 3);
    elelem_fragment_parser_free(&parser);
}

TEST(a_string_is_delivered_as_its_bytes_arrive)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "\"ab\xc3", 4);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_STR(fragment.text.data, fragment.text.size, "ab");
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    elelem_fragment_parser_push(&parser, "\xa9", 1);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_STR(fragment.text.data, fragment.text.size, "\xc3\xa9");
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    elelem_fragment_parser_free(&parser);
}

TEST(everything_is_delivered_at_the_byte_that_decides_it)
{
    static const struct {
        char byte;
        int fragments;
    } rows[] = { { '[', 1 }, { '"', 0 }, { 'a', 1 }, { '"', 1 }, { ',', 0 }, { 't', 0 }, { 'r', 0 }, { 'u', 0 },
                 { 'e', 2 }, { ',', 0 }, { '1', 0 }, { '2', 0 }, { ',', 2 }, { '{', 1 }, { '}', 1 }, { ']', 1 } };
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    size_t i;

    elelem_fragment_parser_init(&parser, NULL);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        int count = 0;
        elelem_fragment_parser_push(&parser, &rows[i].byte, 1);
        while (next_of(&parser, &fragment) == ELELEM_OK)
            count++;
        check_cut("byte", i);
        CHECK_INT(count, rows[i].fragments);
    }
    CHECK_INT(next_of(&parser, &fragment), ELELEM_END);
    elelem_fragment_parser_free(&parser);
}

TEST(text_that_needs_no_decoding_is_not_copied)
{
    static const char input[] = "\"plain text\"";
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, input, sizeof input - 1);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK(fragment.text.data == input + 1);
    elelem_fragment_parser_free(&parser);
}

TEST(a_scalar_has_a_type_and_a_value)
{
    static const struct {
        const char *text;
        elelem_type type;
        int boolean;
    } rows[] = { { "null ", ELELEM_TYPE_NULL, 0 },
                 { "true ", ELELEM_TYPE_BOOL, 1 },
                 { "false ", ELELEM_TYPE_BOOL, 0 },
                 { "1 ", ELELEM_TYPE_NUMBER, 0 },
                 { "\"a\"", ELELEM_TYPE_NONE, 0 },
                 { "[", ELELEM_TYPE_NONE, 0 } };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_fragment_parser parser;
        elelem_fragment fragment;
        elelem_scalar scalar;
        check_context(rows[i].text);
        elelem_fragment_parser_init(&parser, NULL);
        elelem_fragment_parser_push(&parser, rows[i].text, strlen(rows[i].text));
        CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
        scalar = elelem_fragment_scalar(&fragment);
        CHECK_INT(scalar.type, rows[i].type);
        CHECK_INT(scalar.boolean, rows[i].boolean);
        if (scalar.type != ELELEM_TYPE_NONE) CHECK_BYTES(scalar.text.data, scalar.text.size, rows[i].text, strlen(rows[i].text) - 1);
        elelem_fragment_parser_free(&parser);
    }
}

static const char *text_pattern;

/* Logs only the text at the pattern. */
static elelem_status take_text(void *object, feed_log *log)
{
    fragments *f = (fragments *)object;
    elelem_fragment fragment;
    elelem_str text;
    elelem_status status = elelem_fragment_parser_next(&f->parser, &fragment);

    if (status != ELELEM_OK) return status;
    text = elelem_fragment_text(&fragment, text_pattern);
    CHECK(text.data != NULL);
    if (text.size > 0) feed_text(log, "", text.data, text.size);
    return status;
}

TEST(the_text_at_a_path_is_all_of_its_strings_and_nothing_else)
{
    static const char document[] = "{\"a\":\"x \\\"y\\u00e9\",\"n\":null,\"b\":[{\"a\":\"z\"},\"w\",{\"a\":[true,12]},{\"a\":\"!\"}],\"e\":\"\"}";
    static const struct {
        const char *pattern;
        const char *text;
    } rows[] = { { "a", "\"x \\\"y\xc3\xa9\"\nEND\n" }, { "n", "END\n" }, { "e", "END\n" }, { "b", "END\n" }, { "b[0].a", "\"z\"\nEND\n" },
                 { "b[*].a", "\"z!\"\nEND\n" }, { "b[1]", "\"w\"\nEND\n" }, { "b[2].a[0]", "END\n" }, { "b[2].a[1]", "END\n" },
                 { "", "END\n" }, { "x", "END\n" }, { "b[", "END\n" } };
    feed_object texts = fragments_object;
    size_t i;

    texts.next = take_text;
    fragments_new();
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].pattern);
        text_pattern = rows[i].pattern;
        FEED(&texts, document, sizeof document - 1, rows[i].text);
    }
    text_pattern = "";
    FEED(&texts, "\"ab\"", 4, "\"ab\"\nEND\n");
}

TEST(a_zeroed_fragment_has_no_text)
{
    elelem_fragment fragment = ELELEM_INIT;

    CHECK_INT(elelem_fragment_text(&fragment, "").size, 0);
    CHECK_INT(elelem_fragment_text(&fragment, "a").size, 0);
}

TEST(every_type_has_a_name)
{
    static const char *const names[] = { "none", "null", "bool", "number", "string", "array", "object", "none" };
    unsigned i;

    for (i = 0; i < 8; i++) {
        const char *name = elelem_type_name(i);
        CHECK_STR(name, strlen(name), names[i]);
    }
}

/* Strings. */

TEST(every_escape_is_decoded)
{
    fragments_new();
    GIVES("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "$ STRING \"\\\"\\\\/\\010\\014\\n\\r\\t\"\n$ DONE string\nEND\n");
    GIVES("\"a\\\"b\\\\c\\/d\\be\\ff\\ng\\rh\\ti\"",
          "$ STRING \"a\\\"b\\\\c/d\\010e\\014f\\ng\\rh\\ti\"\n$ DONE string\nEND\n");
    GIVES("\"\\u0041\\u00e9\\u00E9\\u20ac\\u20AC\\u0000\\u001f\\uFFFF\"",
          "$ STRING \"A\xc3\xa9\xc3\xa9\xe2\x82\xac\xe2\x82\xac\\000\\037\xef\xbf\xbf\"\n$ DONE string\nEND\n");
}

TEST(every_escape_is_decoded_in_keys)
{
    fragments_new();
    GIVES("{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\ud83d\\ude00\\ud800\":1}",
          "$ BEGIN object\n\"\\/\b\f\n\r\tA\xf0\x9f\x98\x80\xef\xbf\xbd SCALAR number 1\n"
          "\"\\/\b\f\n\r\tA\xf0\x9f\x98\x80\xef\xbf\xbd DONE number\n$ DONE object\nEND\n");
}

TEST(a_run_of_escapes_is_decoded_without_its_backslashes)
{
    fragments_new();
    GIVES("\"\\\\\\\\\\\"\\\"\\\\\"", "$ STRING \"\\\\\\\\\\\"\\\"\\\\\"\n$ DONE string\nEND\n");
    GIVES("\"x\\\\\\nyz\\\\\\u005c\\\\\"", "$ STRING \"x\\\\\\nyz\\\\\\\\\\\\\"\n$ DONE string\nEND\n");
}

TEST(surrogate_pairs_become_one_character)
{
    fragments_new();
    GIVES("\"\\ud800\\udbff\\udc00\"", "$ STRING \"\xef\xbf\xbd\xf4\x8f\xb0\x80\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\\ude00\"", "$ STRING \"\xf0\x9f\x98\x80\"\n$ DONE string\nEND\n");
    GIVES("\"\\uD800\\uDC00\\uDBFF\\uDFFF\"", "$ STRING \"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"\n$ DONE string\nEND\n");
}

#define LONE "\xef\xbf\xbd"

TEST(a_lone_surrogate_becomes_the_replacement_character) /* J5 */
{
    fragments_new();
    GIVES("\"\\ud800\"", "$ STRING \"" LONE "\"\n$ DONE string\nEND\n");
    GIVES("\"\\uDC00\"", "$ STRING \"" LONE "\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83dA\"", "$ STRING \"" LONE "A\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\\n\"", "$ STRING \"" LONE "\\n\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\\\\u\"", "$ STRING \"" LONE "\\\\u\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\\u0041\"", "$ STRING \"" LONE "A\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\\ud83d\\ude00\"", "$ STRING \"" LONE "\xf0\x9f\x98\x80\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\\ud83d\\ud83d\"", "$ STRING \"" LONE LONE LONE "\"\n$ DONE string\nEND\n");
    GIVES("\"\\ude00\\ud83d\"", "$ STRING \"" LONE LONE "\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\xc3\xa9\"", "$ STRING \"" LONE "\xc3\xa9\"\n$ DONE string\nEND\n");
}

TEST(a_low_surrogate_makes_a_pair_only_with_a_high_one_directly_before_it) /* J5 */
{
    fragments_new();
    GIVES("\"\\udc00\\udc01\"", "$ STRING \"" LONE LONE "\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83dA\\udc00\"", "$ STRING \"" LONE "A" LONE "\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\\u0041\\udc00\"", "$ STRING \"" LONE "A" LONE "\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\\n\\udc00\"", "$ STRING \"" LONE "\\n" LONE "\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83d\\ude00\\udc00\"", "$ STRING \"\xf0\x9f\x98\x80" LONE "\"\n$ DONE string\nEND\n");
    GIVES("[\"\\ud83d\",\"\\udc00\"]", "$ BEGIN array\n[0] STRING \"" LONE "\"\n[0] DONE string\n[1] STRING \"" LONE
          "\"\n[1] DONE string\n$ DONE array\nEND\n");
    fragments_new()->desc.strict_surrogates = 1;
    GIVES("\"\\udc00\\udc01\"", "ERROR_SURROGATE at 4\n");
    GIVES("\"\\ud83dA\\udc00\"", "ERROR_SURROGATE at 7\n");
    GIVES("\"\\ud83d\\ude00\\udc00\"", "$ STRING \"\xf0\x9f\x98\x80\"\nERROR_SURROGATE at 16\n");
}

TEST(in_strict_mode_a_lone_surrogate_is_an_error_at_the_byte_that_decides_it) /* J5 */
{
    fragments_new()->desc.strict_surrogates = 1;
    GIVES("\"\\ud83d\\ude00\"", "$ STRING \"\xf0\x9f\x98\x80\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud7ff\\ue000\"", "$ STRING \"\xed\x9f\xbf\xee\x80\x80\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud800\"", "ERROR_SURROGATE at 7\n");
    GIVES("\"\\ud800 \"", "ERROR_SURROGATE at 7\n");
    GIVES("\"\\ud800\\n\"", "ERROR_SURROGATE at 8\n");
    GIVES("\"\\ud800\\u0041\"", "ERROR_SURROGATE at 9\n");
    GIVES("\"\\ud800\\ud800\"", "ERROR_SURROGATE at 10\n");
    GIVES("\"\\ud800\\ue000\"", "ERROR_SURROGATE at 9\n");
    GIVES("\"\\udc00\"", "ERROR_SURROGATE at 4\n");
    GIVES("\"ab\\uDFFF\"", "$ STRING \"ab\"\nERROR_SURROGATE at 6\n");
    GIVES("{\"\\ud800\":0}", "$ BEGIN object\nERROR_SURROGATE at 8\n");
    GIVES("\"\\ud800", "ERROR_TRUNCATED at 7\n");
}

TEST(characters_of_every_size_pass_whole)
{
    fragments_new();
    GIVES("\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"",
          "$ STRING \"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"\n"
          "$ DONE string\nEND\n");
    GIVES("{\"k\xc3\xa9\":\"v\xe2\x82\xac!\xf0\x9f\x98\x80\"}",
          "$ BEGIN object\nk\xc3\xa9 STRING \"v\xe2\x82\xac!\xf0\x9f\x98\x80\"\nk\xc3\xa9 DONE string\n$ DONE object\nEND\n");
}

TEST(delete_and_the_line_separators_are_plain_text)
{
    fragments_new();
    GIVES("\"\x7f\xe2\x80\xa8\xc2\x85\"", "$ STRING \"\\177\xe2\x80\xa8\xc2\x85\"\n$ DONE string\nEND\n");
}

TEST(a_bad_escape_is_refused_at_the_byte_that_cannot_be_right)
{
    fragments_new();
    GIVES("\"\\a\"", "ERROR_SYNTAX at 2\n");
    GIVES("\"\\\0\"", "ERROR_SYNTAX at 2\n");
    GIVES("\"\\\n\"", "ERROR_SYNTAX at 2\n");
    GIVES("\"\\'\"", "ERROR_SYNTAX at 2\n");
    GIVES("\"\\U0041\"", "ERROR_SYNTAX at 2\n");
    GIVES("\"\\u\"", "ERROR_SYNTAX at 3\n");
    GIVES("\"\\u00g0\"", "ERROR_SYNTAX at 5\n");
    GIVES("\"\\u004\"", "ERROR_SYNTAX at 6\n");
    GIVES("\"\\u+041\"", "ERROR_SYNTAX at 3\n");
    GIVES("\"\\ud83d\\u\"", "ERROR_SYNTAX at 9\n");
    GIVES("\"\\ud83d\\x\"", "$ STRING \"" LONE "\"\nERROR_SYNTAX at 8\n");
    GIVES("\"\\\xc3\xa9\"", "ERROR_SYNTAX at 2\n");
}

TEST(every_control_byte_is_refused_in_a_string)
{
    int byte;

    fragments_new();
    for (byte = 0; byte < 0x20; byte++) {
        char input[] = "[\"ab?\"]";
        input[4] = (char)byte;
        check_cut("control byte", (size_t)byte);
        FEED(&fragments_object, input, sizeof input - 1, "$ BEGIN array\n[0] STRING \"ab\"\nERROR_SYNTAX at 4\n");
    }
}

/* Numbers and literals. */

TEST(numbers_keep_their_exact_text)
{
    static const char *const rows[] = { "0", "-0", "7", "10", "-12", "0.0", "-0.10", "1.5", "0e0", "0E+0", "1e5",
                                        "1E-5", "12.340e+056", "123456789012345678901234567890", "1e99999999999999999999",
                                        "1.00000000001e-2147483638" };
    size_t i;

    fragments_new();
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char input[100], expected[300];
        check_context(rows[i]);
        snprintf(expected, sizeof expected, "$ SCALAR number %s\n$ DONE number\nEND\n", rows[i]);
        FEED(&fragments_object, rows[i], strlen(rows[i]), expected);
        snprintf(input, sizeof input, "[%s]", rows[i]);
        snprintf(expected, sizeof expected,
                 "$ BEGIN array\n[0] SCALAR number %s\n[0] DONE number\n$ DONE array\nEND\n", rows[i]);
        FEED(&fragments_object, input, strlen(input), expected);
        snprintf(input, sizeof input, "{\"n\":%s\n}", rows[i]);
        snprintf(expected, sizeof expected,
                 "$ BEGIN object\nn SCALAR number %s\nn DONE number\n$ DONE object\nEND\n", rows[i]);
        FEED(&fragments_object, input, strlen(input), expected);
    }
}

TEST(a_bad_number_is_refused_at_the_byte_that_cannot_be_right)
{
    static const struct {
        const char *text;
        unsigned at; /* in the text */
    } rows[] = { { "+1", 0 },  { ".5", 0 },   { "-", 1 },   { "--1", 1 },   { "-a", 1 },   { "-.5", 1 },  { "01", 1 },
                 { "-01", 2 }, { "00", 1 },   { "1.", 2 },  { "1.e5", 2 },  { "1..2", 2 }, { "1.5.", 3 }, { "1e", 2 },
                 { "1e+", 3 }, { "1e+-", 3 }, { "1e5.", 3 }, { "1e5e", 3 }, { "0x1", 1 },  { "1a", 1 },   { "1-", 1 },
                 { "1+1", 1 }, { "1\"", 1 },  { "1:", 1 },   { "1[", 1 },   { "1_0", 1 },  { "1\xc2\xa0", 1 } };
    size_t i;

    fragments_new();
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char input[40], expected[80];
        check_context(rows[i].text);
        snprintf(input, sizeof input, "[%s]", rows[i].text);
        snprintf(expected, sizeof expected, "$ BEGIN array\nERROR_SYNTAX at %u\n", rows[i].at + 1);
        FEED(&fragments_object, input, strlen(input), expected);
    }
}

TEST(a_number_at_the_root_ends_at_a_byte_that_cannot_belong_to_it)
{
    fragments_new();
    GIVES("1 ", "$ SCALAR number 1\n$ DONE number\nEND\n");
    GIVES("-1.5e3", "$ SCALAR number -1.5e3\n$ DONE number\nEND\n");
    GIVES("1.", "ERROR_TRUNCATED at 2\n");
    GIVES("-", "ERROR_TRUNCATED at 1\n");
    GIVES("1e", "ERROR_TRUNCATED at 2\n");
    GIVES("1e+", "ERROR_TRUNCATED at 3\n");
    GIVES("01", "ERROR_SYNTAX at 1\n");
    GIVES("1a", "ERROR_SYNTAX at 1\n");
    GIVES("1-", "ERROR_SYNTAX at 1\n");
}

TEST(a_bad_literal_is_refused_at_the_byte_that_cannot_be_right)
{
    fragments_new();
    GIVES("nul1", "ERROR_SYNTAX at 3\n");
    GIVES("True", "ERROR_SYNTAX at 0\n");
    GIVES("tRue", "ERROR_SYNTAX at 1\n");
    GIVES("[nulll]", "$ BEGIN array\n[0] SCALAR null null\n[0] DONE null\nERROR_SYNTAX at 5\n");
    GIVES("[falsy]", "$ BEGIN array\nERROR_SYNTAX at 5\n");
    GIVES("NaN", "ERROR_SYNTAX at 0\n");
    GIVES("Infinity", "ERROR_SYNTAX at 0\n");
    GIVES("-Infinity", "ERROR_SYNTAX at 1\n");
    GIVES("nu", "ERROR_TRUNCATED at 2\n");
}

/* Structure. */

TEST(structure_that_is_out_of_order_is_refused_at_its_byte)
{
    fragments_new();
    GIVES("]", "ERROR_SYNTAX at 0\n");
    GIVES("}", "ERROR_SYNTAX at 0\n");
    GIVES(",", "ERROR_SYNTAX at 0\n");
    GIVES(":", "ERROR_SYNTAX at 0\n");
    GIVES("[}", "$ BEGIN array\nERROR_SYNTAX at 1\n");
    GIVES("{]", "$ BEGIN object\nERROR_SYNTAX at 1\n");
    GIVES("[,", "$ BEGIN array\nERROR_SYNTAX at 1\n");
    GIVES("{,", "$ BEGIN object\nERROR_SYNTAX at 1\n");
    GIVES("{1:2}", "$ BEGIN object\nERROR_SYNTAX at 1\n");
    GIVES("{a:2}", "$ BEGIN object\nERROR_SYNTAX at 1\n");
    GIVES("{\"a\"}", "$ BEGIN object\nERROR_SYNTAX at 4\n");
    GIVES("{\"a\",1}", "$ BEGIN object\nERROR_SYNTAX at 4\n");
    GIVES("{\"a\"::1}", "$ BEGIN object\nERROR_SYNTAX at 5\n");
    GIVES("{\"a\":}", "$ BEGIN object\nERROR_SYNTAX at 5\n");
    GIVES("{\"a\":1,}", "$ BEGIN object\na SCALAR number 1\na DONE number\nERROR_SYNTAX at 7\n");
    GIVES("{\"a\":1:2}", "$ BEGIN object\nERROR_SYNTAX at 6\n");
    GIVES("[1,]", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\nERROR_SYNTAX at 3\n");
    GIVES("[1,,2]", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\nERROR_SYNTAX at 3\n");
    GIVES("[1 2]", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\nERROR_SYNTAX at 3\n");
    GIVES("[1}", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\nERROR_SYNTAX at 2\n");
    GIVES("[\"a\":1]", "$ BEGIN array\n[0] STRING \"a\"\n[0] DONE string\nERROR_SYNTAX at 4\n");
    GIVES("[\"a\" \"b\"]", "$ BEGIN array\n[0] STRING \"a\"\n[0] DONE string\nERROR_SYNTAX at 5\n");
    GIVES("{\"a\":[]]", "$ BEGIN object\na BEGIN array\na DONE array\nERROR_SYNTAX at 7\n");
    GIVES("[{}}", "$ BEGIN array\n[0] BEGIN object\n[0] DONE object\nERROR_SYNTAX at 3\n");
}

TEST(only_the_four_kinds_of_whitespace_are_allowed)
{
    int byte;

    fragments_new();
    for (byte = 0; byte < 256; byte++) {
        char input[] = "[? ]";
        const char *good = "$ BEGIN array\n$ DONE array\nEND\n";
        int is_blank = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == ']';
        if (byte == '"' || byte == '[' || byte == '{' || byte == '-' || (byte >= '0' && byte <= '9')) continue;
        if (byte == 't' || byte == 'f' || byte == 'n') continue;
        input[1] = (char)byte;
        check_cut("byte", (size_t)byte);
        FEED(&fragments_object, input, 4, is_blank ? good : "$ BEGIN array\nERROR_SYNTAX at 1\n");
    }
}

TEST(a_document_cut_anywhere_is_truncated_at_its_size) /* J8 */
{
    static const char input[] = " {\"k\\n\xc3\xa9\":[1.5e+7,\"a\\ud83d\\ude00\xe2\x82\xac\",true,null,{}],\"b\":{\"c\":-0}} ";
    elelem_fragment_parser parser;
    size_t size;

    elelem_fragment_parser_init(&parser, NULL);
    for (size = 0; size < sizeof input - 2; size++) {
        elelem_fragment fragment;
        elelem_status status;
        elelem_fragment_parser_reset(&parser);
        elelem_fragment_parser_push(&parser, input, size);
        elelem_fragment_parser_finish(&parser);
        while ((status = next_of(&parser, &fragment)) == ELELEM_OK)
            continue;
        check_cut("ends after", size);
        CHECK_INT(status, ELELEM_ERROR_TRUNCATED);
        CHECK_U64(elelem_fragment_parser_error(&parser).offset, size);
    }
    elelem_fragment_parser_free(&parser);
}

TEST(no_value_at_all_is_truncated)
{
    fragments_new();
    GIVES("", "ERROR_TRUNCATED at 0\n");
    GIVES(" \n", "ERROR_TRUNCATED at 2\n");
    fragments_new()->desc.single_document = 1;
    GIVES("", "ERROR_TRUNCATED at 0\n");
}

/* One value and what follows it. */

TEST(the_end_comes_with_the_last_byte_and_the_unread_bytes_are_known)
{
    static const struct {
        const char *text;
        size_t unread;
    } rows[] = { { "{}", 0 }, { "[] ", 1 }, { "\"a\"\"b\"", 3 }, { "null\n1", 2 },
                 { "12 ", 1 }, { "12,3", 2 }, { "12[", 1 }, { "{}}", 1 } };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_fragment_parser parser;
        elelem_fragment fragment;
        elelem_status status;
        check_context(rows[i].text);
        elelem_fragment_parser_init(&parser, NULL);
        elelem_fragment_parser_push(&parser, rows[i].text, strlen(rows[i].text));
        while ((status = next_of(&parser, &fragment)) == ELELEM_OK)
            continue;
        CHECK_INT(status, ELELEM_END);
        CHECK_INT(elelem_fragment_parser_unread(&parser), rows[i].unread);
        CHECK_U64(elelem_fragment_parser_offset(&parser), strlen(rows[i].text) - rows[i].unread);
        elelem_fragment_parser_free(&parser);
    }
}

TEST(bytes_above_the_limit_are_unread_too)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    int turn;

    desc.max_total_bytes = 5;
    elelem_fragment_parser_init(&parser, &desc);
    for (turn = 0; turn < 3; turn++) {
        check_cut("turn", (size_t)turn);
        elelem_fragment_parser_push(&parser, "[] [2] [3]", 10);
        CHECK_U64(elelem_fragment_parser_unread(&parser), 10);
        CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
        CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
        CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_END);
        CHECK_U64(elelem_fragment_parser_unread(&parser), 8);
        CHECK_U64(elelem_fragment_parser_offset(&parser), 2);
        CHECK_INT(elelem_fragment_parser_restart(&parser), ELELEM_OK);
        CHECK_INT(elelem_fragment_parser_push(&parser, "x", 1), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
        CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_ERROR_TOTAL_SIZE);
        CHECK_U64(elelem_fragment_parser_unread(&parser), 5);
        CHECK_U64(elelem_fragment_parser_error(&parser).offset, 5);
        elelem_fragment_parser_reset(&parser);
        CHECK_U64(elelem_fragment_parser_unread(&parser), 0);
    }
    elelem_fragment_parser_free(&parser);
}

TEST(values_may_follow_one_another_in_lines_or_not)
{
    fragments_new()->several = 1;
    GIVES("{}\n[]\r\n\n1\n2\n", "$ BEGIN object\n$ DONE object\nVALUE ENDS at 2\n"
                                "$ BEGIN array\n$ DONE array\nVALUE ENDS at 5\n"
                                "$ SCALAR number 1\n$ DONE number\nVALUE ENDS at 9\n"
                                "$ SCALAR number 2\n$ DONE number\nVALUE ENDS at 11\n"
                                "END\n");
    GIVES("{}[]\"a\"\"\"null1", "$ BEGIN object\n$ DONE object\nVALUE ENDS at 2\n"
                              "$ BEGIN array\n$ DONE array\nVALUE ENDS at 4\n"
                              "$ STRING \"a\"\n$ DONE string\nVALUE ENDS at 7\n"
                              "$ DONE string\nVALUE ENDS at 9\n"
                              "$ SCALAR null null\n$ DONE null\nVALUE ENDS at 13\n"
                              "$ SCALAR number 1\n$ DONE number\nEND\n");
    GIVES("1[2]3\"4\"5{}", "$ SCALAR number 1\n$ DONE number\nVALUE ENDS at 1\n"
                           "$ BEGIN array\n[0] SCALAR number 2\n[0] DONE number\n$ DONE array\nVALUE ENDS at 4\n"
                           "$ SCALAR number 3\n$ DONE number\nVALUE ENDS at 5\n"
                           "$ STRING \"4\"\n$ DONE string\nVALUE ENDS at 8\n"
                           "$ SCALAR number 5\n$ DONE number\nVALUE ENDS at 9\n"
                           "$ BEGIN object\n$ DONE object\nVALUE ENDS at 11\nEND\n");
}

TEST(an_error_in_a_later_value_counts_from_the_start_of_the_input)
{
    fragments_new()->several = 1;
    GIVES("{} x", "$ BEGIN object\n$ DONE object\nVALUE ENDS at 2\nERROR_SYNTAX at 3\n");
    GIVES("[1] [2", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\n$ DONE array\nVALUE ENDS at 3\n"
                    "$ BEGIN array\nERROR_TRUNCATED at 6\n");
    GIVES("1,2", "$ SCALAR number 1\n$ DONE number\nVALUE ENDS at 1\nERROR_SYNTAX at 1\n");
}

TEST(restart_before_the_end_is_misuse)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    CHECK_INT(elelem_fragment_parser_restart(&parser), ELELEM_ERROR_MISUSE);
    elelem_fragment_parser_push(&parser, "[]", 2);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_restart(&parser), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_END);
    CHECK_INT(elelem_fragment_parser_restart(&parser), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_restart(&parser), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    elelem_fragment_parser_free(&parser);
}

TEST(only_whitespace_may_follow_a_single_document)
{
    fragments_new()->desc.single_document = 1;
    GIVES("[] \t\r\n", "$ BEGIN array\n$ DONE array\nEND\n");
    GIVES("1 ", "$ SCALAR number 1\n$ DONE number\nEND\n");
    GIVES("1", "$ SCALAR number 1\n$ DONE number\nEND\n");
    GIVES("[] []", "$ BEGIN array\n$ DONE array\nERROR_SYNTAX at 3\n");
    GIVES("[]]", "$ BEGIN array\n$ DONE array\nERROR_SYNTAX at 2\n");
    GIVES("{}\0", "$ BEGIN object\n$ DONE object\nERROR_SYNTAX at 2\n");
    GIVES("1 2", "$ SCALAR number 1\n$ DONE number\nERROR_SYNTAX at 2\n");
    GIVES("1,", "$ SCALAR number 1\n$ DONE number\nERROR_SYNTAX at 1\n");
    GIVES("\"\"\"", "$ DONE string\nERROR_SYNTAX at 2\n");
    GIVES("truefalse", "$ SCALAR bool true\n$ DONE bool\nERROR_SYNTAX at 4\n");
}

TEST(a_single_document_ends_at_finish_only)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.single_document = 1;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, "\"\"", 2);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    elelem_fragment_parser_finish(&parser);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_END);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_END);
    CHECK_INT(elelem_fragment_parser_restart(&parser), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_END);
    elelem_fragment_parser_free(&parser);
}

/* Limits. */

TEST(depth_is_limited_at_the_first_bracket_above_the_limit)
{
    fragments_new()->desc.max_depth = 2;
    GIVES("[[]]", "$ BEGIN array\n[0] BEGIN array\n[0] DONE array\n$ DONE array\nEND\n");
    GIVES("[{\"a\":1},[]]", "$ BEGIN array\n[0] BEGIN object\n[0].a SCALAR number 1\n[0].a DONE number\n"
                            "[0] DONE object\n[1] BEGIN array\n[1] DONE array\n$ DONE array\nEND\n");
    GIVES("[[[]]]", "$ BEGIN array\n[0] BEGIN array\nERROR_DEPTH at 2\n");
    GIVES("{\"a\":{\"b\":{", "$ BEGIN object\na BEGIN object\nERROR_DEPTH at 10\n");
    fragments_new()->desc.max_depth = 1;
    GIVES("[[", "$ BEGIN array\nERROR_DEPTH at 1\n");
}

TEST(a_key_is_limited_at_its_first_character_above_the_limit)
{
    fragments_new()->desc.max_key_bytes = 4;
    GIVES("{\"abcd\":0}", "$ BEGIN object\nabcd SCALAR number 0\nabcd DONE number\n$ DONE object\nEND\n");
    GIVES("{\"abcde\":0}", "$ BEGIN object\nERROR_KEY_SIZE at 6\n");
    GIVES("{\"abcdefghijklmnopqrstuvwxyz\":0}", "$ BEGIN object\nERROR_KEY_SIZE at 6\n");
    GIVES("{\"ab\xc3\xa9\":0}", "$ BEGIN object\nab\xc3\xa9 SCALAR number 0\nab\xc3\xa9 DONE number\n$ DONE object\nEND\n");
    GIVES("{\"abc\xc3\xa9\":0}", "$ BEGIN object\nERROR_KEY_SIZE at 5\n");
    GIVES("{\"a\xf0\x9f\x98\x80\":0}", "$ BEGIN object\nERROR_KEY_SIZE at 3\n");
    GIVES("{\"abc\\n\":0,\"abcd\\n\":0}",
          "$ BEGIN object\nabc\n SCALAR number 0\nabc\n DONE number\nERROR_KEY_SIZE at 17\n");
    GIVES("{\"abcd\\u0041\":0}", "$ BEGIN object\nERROR_KEY_SIZE at 11\n");
    GIVES("{\"abc\\u00e9\":0}", "$ BEGIN object\nERROR_KEY_SIZE at 10\n");
    GIVES("{\"a\\ud83d\\ude00\":0}", "$ BEGIN object\nERROR_KEY_SIZE at 14\n");
    GIVES("{\"ab\\ud83d!\":0}", "$ BEGIN object\nERROR_KEY_SIZE at 10\n");
    GIVES("{\"abcd\\\"\":0}", "$ BEGIN object\nERROR_KEY_SIZE at 7\n");
}

TEST(the_keys_of_a_path_are_limited_together)
{
    fragments_new()->desc.max_path_bytes = 5;
    GIVES("{\"abc\":{\"de\":0},\"fgh\":[{\"ij\":[]}]}",
          "$ BEGIN object\nabc BEGIN object\nabc.de SCALAR number 0\nabc.de DONE number\nabc DONE object\n"
          "fgh BEGIN array\nfgh[0] BEGIN object\nfgh[0].ij BEGIN array\nfgh[0].ij DONE array\nfgh[0] DONE object\n"
          "fgh DONE array\n$ DONE object\nEND\n");
    GIVES("{\"abc\":{\"def\":0}}", "$ BEGIN object\nabc BEGIN object\nERROR_PATH_SIZE at 11\n");
    GIVES("{\"abc\":{\"d\xc3\xa9\":0}}", "$ BEGIN object\nabc BEGIN object\nERROR_PATH_SIZE at 10\n");
    GIVES("{\"abcdef\":0}", "$ BEGIN object\nERROR_PATH_SIZE at 7\n");
}

TEST(an_element_has_no_part_in_the_keys_of_a_path)
{
    fragments_new()->desc.max_path_bytes = 9;
    GIVES("[{\"long key\":{\"a\":0}},[{\"bc\":1}]]", "$ BEGIN array\n[0] BEGIN object\n[0].long key BEGIN object\n[0].long key.a SCALAR number 0\n"
          "[0].long key.a DONE number\n[0].long key DONE object\n[0] DONE object\n[1] BEGIN array\n[1][0] BEGIN object\n"
          "[1][0].bc SCALAR number 1\n[1][0].bc DONE number\n[1][0] DONE object\n[1] DONE array\n$ DONE array\nEND\n");
}

TEST(a_string_is_delivered_up_to_its_limit_and_refused_there)
{
    fragments_new()->desc.max_string_bytes = 4;
    GIVES("\"abcd\"", "$ STRING \"abcd\"\n$ DONE string\nEND\n");
    GIVES("[\"abcd\",\"abcd\"]", "$ BEGIN array\n[0] STRING \"abcd\"\n[0] DONE string\n"
                                 "[1] STRING \"abcd\"\n[1] DONE string\n$ DONE array\nEND\n");
    GIVES("\"abcde\"", "$ STRING \"abcd\"\nERROR_STRING_SIZE at 5\n");
    GIVES("\"abcdefghijklmnopqrstuvwxyz\"", "$ STRING \"abcd\"\nERROR_STRING_SIZE at 5\n");
    GIVES("\"abc\xc3\xa9\"", "$ STRING \"abc\"\nERROR_STRING_SIZE at 4\n");
    GIVES("\"ab\xc3\xa9!\"", "$ STRING \"ab\xc3\xa9\"\nERROR_STRING_SIZE at 5\n");
    GIVES("\"\xc3\xa9\xe2\x82\xac\"", "$ STRING \"\xc3\xa9\"\nERROR_STRING_SIZE at 3\n");
    GIVES("\"abcd\\n\"", "$ STRING \"abcd\"\nERROR_STRING_SIZE at 6\n");
    GIVES("\"abcd\\\"ef\"", "$ STRING \"abcd\"\nERROR_STRING_SIZE at 6\n");
    GIVES("\"ab\\\"cd\"", "$ STRING \"ab\\\"c\"\nERROR_STRING_SIZE at 6\n");
    GIVES("\"a\\ud83d\\ude00\"", "$ STRING \"a\"\nERROR_STRING_SIZE at 13\n");
    GIVES("\"ab\\ud83d!\"", "$ STRING \"ab\"\nERROR_STRING_SIZE at 9\n");
    GIVES("{\"a long key\":\"abcde\"}", "$ BEGIN object\na long key STRING \"abcd\"\nERROR_STRING_SIZE at 19\n");
}

TEST(a_number_is_limited_at_its_first_character_above_the_limit)
{
    fragments_new()->desc.max_number_bytes = 4;
    GIVES("[1234,-1.5]", "$ BEGIN array\n[0] SCALAR number 1234\n[0] DONE number\n"
                         "[1] SCALAR number -1.5\n[1] DONE number\n$ DONE array\nEND\n");
    GIVES("[12345]", "$ BEGIN array\nERROR_NUMBER_SIZE at 5\n");
    GIVES("[1234567890123456789012345]", "$ BEGIN array\nERROR_NUMBER_SIZE at 5\n");
    GIVES("12345", "ERROR_NUMBER_SIZE at 4\n");
    GIVES("12345 ", "ERROR_NUMBER_SIZE at 4\n");
    GIVES("[1.5e7]", "$ BEGIN array\nERROR_NUMBER_SIZE at 5\n");
    GIVES("[1.5e+]", "$ BEGIN array\nERROR_NUMBER_SIZE at 5\n");
    GIVES("[12.x]", "$ BEGIN array\nERROR_SYNTAX at 4\n");
    GIVES("1234", "$ SCALAR number 1234\n$ DONE number\nEND\n");
}

TEST(everything_pushed_is_limited_together)
{
    fragments_new()->desc.max_total_bytes = 6;
    GIVES("[1,23]", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\n[1] SCALAR number 23\n[1] DONE number\n"
                    "$ DONE array\nEND\n");
    GIVES("[1,234]", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\nERROR_TOTAL_SIZE at 6\n");
    GIVES("\"abcdefghijkl\"", "$ STRING \"abcde\"\nERROR_TOTAL_SIZE at 6\n");
    GIVES("[1]          ", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\n$ DONE array\nEND\n");
    GIVES("\"abcd\xc3\xa9\"", "$ STRING \"abcd\"\nERROR_TOTAL_SIZE at 6\n");
    GIVES("123456", "$ SCALAR number 123456\n$ DONE number\nEND\n");
    GIVES("1234567", "ERROR_TOTAL_SIZE at 6\n");
    GIVES("123456 ", "ERROR_TOTAL_SIZE at 6\n");
    fragments_new()->desc.max_total_bytes = 6;
    fragments_now.desc.single_document = 1;
    GIVES("[1]   ", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\n$ DONE array\nEND\n");
    GIVES("[1]    ", "$ BEGIN array\n[0] SCALAR number 1\n[0] DONE number\n$ DONE array\nERROR_TOTAL_SIZE at 6\n");
    fragments_new()->desc.max_total_bytes = 6;
    fragments_now.several = 1;
    GIVES("{} {} {} {}", "$ BEGIN object\n$ DONE object\nVALUE ENDS at 2\n"
                         "$ BEGIN object\n$ DONE object\nVALUE ENDS at 5\nERROR_TOTAL_SIZE at 6\n");
}

TEST(limits_at_their_defaults_allow_what_is_documented)
{
    static char input[70000];
    char expected[100];

    fragments_new();
    memset(input, '1', sizeof input);
    FEED(&fragments_object, input, 65536, "$ SCALAR number of 65536\n$ DONE number\nEND\n");
    FEED(&fragments_object, input, 65537, "ERROR_NUMBER_SIZE at 65536\n");
    memset(input, 'k', sizeof input);
    memcpy(input, "{\"", 2);
    snprintf(expected, sizeof expected, "$ BEGIN object\nERROR_KEY_SIZE at %d\n", 65536 + 2);
    FEED(&fragments_object, input, sizeof input, expected);
    input[65538] = '"';
    snprintf(expected, sizeof expected, "$ BEGIN object\nERROR_SYNTAX at %d\n", 65536 + 3);
    FEED(&fragments_object, input, sizeof input, expected);
}

TEST(text_with_many_escapes_is_limited_at_the_same_byte)
{
    fragments_new()->desc.max_string_bytes = 40;
    GIVES("[\"1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n\",0]",
          "$ BEGIN array\n[0] STRING \"1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n\"\n[0] DONE string\n"
          "[1] SCALAR number 0\n[1] DONE number\n$ DONE array\nEND\n");
    GIVES("[\"1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n\"]",
          "$ BEGIN array\n[0] STRING \"1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n1234\\n\"\nERROR_STRING_SIZE at 50\n");
}

TEST(text_with_many_escapes_comes_in_few_pieces)
{
    static const char line[] = "    print(\\\"%d\\\");\\n";
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    char text[2000] = "{\"content\":\"";
    size_t i, size = strlen(text), pieces = 0, decoded = 0;

    for (i = 0; i < 40; i++, size += sizeof line - 1)
        memcpy(text + size, line, sizeof line);
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, text, size);
    while (next_of(&parser, &fragment) == ELELEM_OK) {
        pieces += fragment.kind == ELELEM_FRAGMENT_STRING;
        decoded += fragment.text.size;
    }
    CHECK_INT(decoded, 40 * (sizeof line - 1 - 3));
    CHECK(pieces <= 20);
    elelem_fragment_parser_free(&parser);
}

/* The attacks of docs/threats.md, J1 to J10. */

TEST(a_string_without_end_takes_no_memory) /* J1 */
{
    static const char piece[] = "0123456789abcdef";
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    limits_heap heap = ELELEM_INIT;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    size_t i, total = 0;

    desc.allocator = limits_allocator(&heap);
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, "\"", 1);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    for (i = 0; i < (1u << 22) / 16; i++) {
        elelem_fragment_parser_push(&parser, piece, 16);
        while (next_of(&parser, &fragment) == ELELEM_OK)
            total += fragment.text.size;
    }
    CHECK_INT(total, 1 << 22);
    CHECK_INT(heap.calls, 0);
    elelem_fragment_parser_free(&parser);
}

static void whitespace_takes_no_memory(const char *before, const elelem_patterns *patterns)
{
    static const char piece[] = " \n  \t\t\r\n        ";
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    limits_heap heap = ELELEM_INIT;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    size_t i;
    int calls;

    desc.allocator = limits_allocator(&heap);
    desc.patterns = patterns;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, before, strlen(before));
    while (next_of(&parser, &fragment) == ELELEM_OK)
        continue;
    calls = heap.calls;
    for (i = 0; i < (1u << 20) / 16; i++) {
        CHECK_INT(elelem_fragment_parser_push(&parser, piece, 16), ELELEM_OK);
        while (next_of(&parser, &fragment) == ELELEM_OK)
            continue;
    }
    CHECK_INT(elelem_fragment_parser_error(&parser).status, ELELEM_OK);
    CHECK_INT(heap.calls, calls);
    elelem_fragment_parser_free(&parser);
}

/* Before and between the tokens, in containers too, whose path has its memory before; delivered or skipped. */
TEST(whitespace_without_end_takes_no_memory) /* J1 */
{
    static const char *const before[] = { "", "[", "[1", "[1,", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "[[]" };
    static const char *const path = "x";
    elelem_pattern_node nodes[2];
    elelem_patterns patterns;
    size_t k;

    CHECK_INT(elelem_patterns_compile(&patterns, nodes, 2, &path, 1, NULL, NULL), ELELEM_OK);
    for (k = 0; k < sizeof before / sizeof *before; k++) {
        check_context(before[k]);
        whitespace_takes_no_memory(before[k], NULL);
        whitespace_takes_no_memory(before[k], &patterns);
    }
}

TEST(a_key_in_small_pieces_grows_its_block_geometrically) /* J1 */
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    limits_heap heap = ELELEM_INIT;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    size_t i;

    if (!check_has_memory((size_t)12 << 20)) return;
    desc.allocator = limits_allocator(&heap);
    desc.max_key_bytes = desc.max_path_bytes = 1u << 22;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, "{\"", 2);
    while (next_of(&parser, &fragment) == ELELEM_OK)
        continue;
    for (i = 0; i < 1u << 18; i++) {
        elelem_fragment_parser_push(&parser, "0123456789abcdef", 16);
        if (next_of(&parser, &fragment) != ELELEM_MORE) break;
    }
    CHECK_INT(i, 1 << 18);
    CHECK(heap.calls < 30);
    elelem_fragment_parser_free(&parser);
    CHECK_INT(heap.live, 0);
}

/* Pushes `unit` again and again. Returns the offset at which the parser stopped. */
static uint64_t push_until_it_stops(const char *unit, size_t piece, elelem_status *status)
{
    static char bytes[64 * 1024];
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    uint64_t offset;
    size_t i, pushed = 0, size = strlen(unit);

    for (i = 0; i + size <= sizeof bytes; i += size)
        memcpy(bytes + i, unit, size);
    if (piece > i) piece = i;
    elelem_fragment_parser_init(&parser, NULL);
    do {
        elelem_fragment_parser_push(&parser, bytes + pushed % i, piece);
        pushed += piece;
        while ((*status = next_of(&parser, &fragment)) == ELELEM_OK)
            continue;
    } while (*status == ELELEM_MORE && pushed < 1000000);
    offset = elelem_fragment_parser_error(&parser).offset;
    elelem_fragment_parser_free(&parser);
    return offset;
}

TEST(a_million_brackets_stop_at_the_513th) /* J2 */
{
    elelem_status status;

    CHECK_U64(push_until_it_stops("[", 1, &status), 512);
    CHECK_INT(status, ELELEM_ERROR_DEPTH);
    CHECK_U64(push_until_it_stops("[", 65536, &status), 512);
    CHECK_INT(status, ELELEM_ERROR_DEPTH);
}

TEST(arrays_and_objects_in_each_other_stop_at_the_513th_bracket) /* J2 */
{
    elelem_status status;

    CHECK_U64(push_until_it_stops("[{\"\":", 5, &status), 256 * 5);
    CHECK_INT(status, ELELEM_ERROR_DEPTH);
    CHECK_U64(push_until_it_stops("[{\"\":", 65535, &status), 256 * 5);
    CHECK_INT(status, ELELEM_ERROR_DEPTH);
}

TEST(offsets_go_beyond_four_gigabytes) /* J3 */
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    size_t i, size = 1u << 20;
    char *blanks = (char *)malloc(size);

    memset(blanks, ' ', size);
    elelem_fragment_parser_init(&parser, NULL);
    /* The state after 5 GB of whitespace. */
    elelem_fragment_parser_push(&parser, blanks, size);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    parser.els_lent.offset = 5000000000u;
    for (i = 0; i < 3; i++) {
        elelem_fragment_parser_push(&parser, blanks, size);
        CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    }
    elelem_fragment_parser_push(&parser, "  x", 3);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_ERROR_SYNTAX);
    CHECK_U64(elelem_fragment_parser_error(&parser).offset, 5000000000u + 3 * size + 2);
    elelem_fragment_parser_free(&parser);
    free(blanks);
}

TEST(limits_of_the_largest_values_do_not_wrap) /* J3 */
{
    fragments *f = fragments_new();

    f->desc.max_depth = f->desc.max_key_bytes = f->desc.max_path_bytes = f->desc.max_number_bytes = UINT32_MAX;
    f->desc.max_string_bytes = f->desc.max_total_bytes = UINT64_MAX;
    GIVES("{\"ab\":[\"cd\",12]}", "$ BEGIN object\nab BEGIN array\nab[0] STRING \"cd\"\nab[0] DONE string\n"
                                  "ab[1] SCALAR number 12\nab[1] DONE number\nab DONE array\n$ DONE object\nEND\n");
}

TEST(the_last_index_that_fits_is_the_last_element) /* J3 */
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "[0", 2);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    /* The state after four thousand million elements. */
    ((elelem_segment *)(void *)parser.els_memory.data)->index = UINT32_MAX - 1;
    elelem_fragment_parser_push(&parser, ",1,2]", 5);
    while (next_of(&parser, &fragment) == ELELEM_OK)
        CHECK(fragment.path->count == 1 && fragment.path->segments[0].index >= UINT32_MAX - 1);
    CHECK_INT(elelem_fragment_parser_error(&parser).status, ELELEM_ERROR_COUNT);
    CHECK_U64(elelem_fragment_parser_error(&parser).offset, 4);
    elelem_fragment_parser_free(&parser);
}

TEST(numbers_of_any_size_are_only_text_here) /* J4 */
{
    fragments_new();
    GIVES("[1.00000000001e-2147483638,1e99999999999999999999,-0]",
          "$ BEGIN array\n[0] SCALAR number 1.00000000001e-2147483638\n[0] DONE number\n"
          "[1] SCALAR number 1e99999999999999999999\n[1] DONE number\n"
          "[2] SCALAR number -0\n[2] DONE number\n$ DONE array\nEND\n");
}

TEST(surrogates_that_are_cut_are_never_delivered_as_bytes) /* J5 */
{
    fragments_new();
    GIVES("\"\\uD800", "ERROR_TRUNCATED at 7\n");
    GIVES("\"\\ud83d\\u", "ERROR_TRUNCATED at 9\n");
    GIVES("\"\\ud83d\\", "ERROR_TRUNCATED at 8\n");
    GIVES("\"\\ud83d\\ude0", "ERROR_TRUNCATED at 12\n");
    GIVES("\"\\uDC00\"", "$ STRING \"" LONE "\"\n$ DONE string\nEND\n");
    GIVES("\"\\ud83dA\"", "$ STRING \"" LONE "A\"\n$ DONE string\nEND\n");
}

TEST(bytes_that_are_not_utf8_are_refused_at_the_first_that_cannot_be_right) /* J6 */
{
    static const struct {
        const char *bytes;
        unsigned at; /* in the bytes */
    } rows[] = { { "\xc0\xaf", 0 },     { "\xc1\xbf", 0 },         { "\x80", 0 },         { "\xbf", 0 },
                 { "\xf5\x80", 0 },     { "\xff", 0 },             { "\xfe", 0 },         { "\xed\xa0\x80", 1 },
                 { "\xed\xbf\xbf", 1 }, { "\xe0\x80\xaf", 1 },     { "\xe0\x9f\xbf", 1 }, { "\xf0\x8f\xbf\xbf", 1 },
                 { "\xf4\x90\x80\x80", 1 }, { "\xe2\x82\"", 2 },   { "\xe2\"", 1 },       { "\xc3\"", 1 },
                 { "\xf0\x9f\x98\"", 3 },   { "\xf0\x9f\"", 2 },   { "\xc3\\n", 1 },      { "\xc3\xc3\xa9", 1 },
                 { "\xe2\x82\xe2\x82\xac", 2 } };
    size_t i;

    fragments_new();
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char input[60], expected[80];
        check_context(rows[i].bytes);
        snprintf(input, sizeof input, "\"%s\"", rows[i].bytes);
        snprintf(expected, sizeof expected, "ERROR_UTF8 at %u\n", rows[i].at + 1);
        FEED(&fragments_object, input, strlen(input), expected);
        snprintf(input, sizeof input, "\"%s aligned with a vector of bytes\"", rows[i].bytes);
        FEED(&fragments_object, input, strlen(input), expected);
        snprintf(input, sizeof input, "[\"ab\xc3\xa9%s\"]", rows[i].bytes);
        snprintf(expected, sizeof expected, "$ BEGIN array\n[0] STRING \"ab\xc3\xa9\"\nERROR_UTF8 at %u\n",
                 rows[i].at + 6);
        FEED(&fragments_object, input, strlen(input), expected);
        snprintf(input, sizeof input, "{\"k%s\":0}", rows[i].bytes);
        snprintf(expected, sizeof expected, "$ BEGIN object\nERROR_UTF8 at %u\n", rows[i].at + 3);
        FEED(&fragments_object, input, strlen(input), expected);
    }
}

TEST(bytes_above_ascii_are_no_token_of_any_kind) /* J6 */
{
    fragments_new();
    GIVES("\xc3\xa9", "ERROR_SYNTAX at 0\n");
    GIVES("[\xe2\x80\xa9]", "$ BEGIN array\nERROR_SYNTAX at 1\n");
    GIVES("{\"a\"\xc0:1}", "$ BEGIN object\nERROR_SYNTAX at 4\n");
    GIVES("[1\xff]", "$ BEGIN array\nERROR_SYNTAX at 2\n");
}

TEST(leniencies_of_other_parsers_are_refused) /* J7 */
{
    fragments_new()->desc.single_document = 1;
    GIVES("\xef\xbb\xbf{}", "ERROR_SYNTAX at 0\n");
    GIVES("//\n1", "ERROR_SYNTAX at 0\n");
    GIVES("[1/**/]", "$ BEGIN array\nERROR_SYNTAX at 2\n");
    GIVES("[#\n]", "$ BEGIN array\nERROR_SYNTAX at 1\n");
    GIVES("'a'", "ERROR_SYNTAX at 0\n");
    GIVES("\f1", "ERROR_SYNTAX at 0\n");
    GIVES("[\v]", "$ BEGIN array\nERROR_SYNTAX at 1\n");
    GIVES("\0", "ERROR_SYNTAX at 0\n");
    GIVES("{}\0", "$ BEGIN object\n$ DONE object\nERROR_SYNTAX at 2\n");
    GIVES("{a:1}", "$ BEGIN object\nERROR_SYNTAX at 1\n");
    GIVES("[1;2]", "$ BEGIN array\nERROR_SYNTAX at 2\n");
    GIVES("{\"a\"=1}", "$ BEGIN object\nERROR_SYNTAX at 4\n");
    GIVES("undefined", "ERROR_SYNTAX at 0\n");
}

TEST(a_truncated_document_leaks_nothing) /* J8 */
{
    static const char input[] = "{\"a key of some length\":[[[[[[{\"b\":[\"text\",1234567890";
    limits_heap heap = ELELEM_INIT;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    size_t size;

    desc.allocator = limits_allocator(&heap);
    for (size = 0; size < sizeof input; size++) {
        elelem_fragment_parser parser;
        elelem_fragment fragment;
        elelem_fragment_parser_init(&parser, &desc);
        elelem_fragment_parser_push(&parser, input, size);
        elelem_fragment_parser_finish(&parser);
        while (next_of(&parser, &fragment) == ELELEM_OK)
            continue;
        CHECK_INT(elelem_fragment_parser_error(&parser).status, ELELEM_ERROR_TRUNCATED);
        elelem_fragment_parser_free(&parser);
        CHECK_INT(heap.live, 0);
    }
}

TEST(a_million_keys_take_the_memory_of_one) /* J9 */
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    limits_heap heap = ELELEM_INIT;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    size_t i, members = 0;

    desc.allocator = limits_allocator(&heap);
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, "{", 1);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    for (i = 0; i < 1000000; i++) {
        char member[40];
        int size = snprintf(member, sizeof member, "%s\"%07lu\":0", i ? "," : "", (unsigned long)(i % 500000));
        elelem_fragment_parser_push(&parser, member, (size_t)size);
        while (next_of(&parser, &fragment) == ELELEM_OK)
            members += fragment.kind == ELELEM_FRAGMENT_DONE;
    }
    CHECK_INT(members, 999999); /* the last number has not ended */
    CHECK(heap.peak <= 1024);
    elelem_fragment_parser_free(&parser);
}

TEST(a_key_of_a_megabyte_is_not_copied_for_its_children) /* J9 */
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    limits_heap heap = ELELEM_INIT;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    size_t i, size = 1u << 20, children = 0;
    char *key = (char *)malloc(size);

    memset(key, 'k', size);
    desc.allocator = limits_allocator(&heap);
    desc.max_key_bytes = desc.max_path_bytes = 1u << 21;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, "{\"", 2);
    while (next_of(&parser, &fragment) == ELELEM_OK)
        continue;
    elelem_fragment_parser_push(&parser, key, size);
    while (next_of(&parser, &fragment) == ELELEM_OK)
        continue;
    free(key);
    elelem_fragment_parser_push(&parser, "\":[", 3);
    while (next_of(&parser, &fragment) == ELELEM_OK)
        continue;
    for (i = 0; i < 100000; i++) {
        elelem_fragment_parser_push(&parser, "[],", 3);
        while (next_of(&parser, &fragment) == ELELEM_OK)
            if (fragment.path->segments[0].key.size == size) children++;
    }
    CHECK_INT(children, 200000);
    CHECK(heap.calls < 30);
    CHECK(heap.peak <= (1u << 20) + 4096);
    elelem_fragment_parser_free(&parser);
    CHECK_INT(heap.live, 0);
}

/* skip. */

TEST(after_skip_a_value_has_no_more_fragments_not_even_its_done)
{
    static const char input[] = "{\"a\":[1,{\"b\":\"}]\"},[]],\"c\":\"text\",\"d\":{}}";
    static const struct {
        const char *path; /* skip at the first fragment there */
        const char *expected;
    } rows[] = {
        { "$", "$ BEGIN object\nEND\n" },
        { "a", "$ BEGIN object\na BEGIN array\nc STRING \"text\"\nc DONE string\nd BEGIN object\nd DONE object\n"
               "$ DONE object\nEND\n" },
        { "a[1]", "$ BEGIN object\na BEGIN array\na[0] SCALAR number 1\na[0] DONE number\na[1] BEGIN object\n"
                  "a[2] BEGIN array\na[2] DONE array\na DONE array\nc STRING \"text\"\nc DONE string\n"
                  "d BEGIN object\nd DONE object\n$ DONE object\nEND\n" },
        { "d", "$ BEGIN object\na BEGIN array\na[0] SCALAR number 1\na[0] DONE number\na[1] BEGIN object\n"
               "a[1].b STRING \"}]\"\na[1].b DONE string\na[1] DONE object\n"
               "a[2] BEGIN array\na[2] DONE array\na DONE array\nc STRING \"text\"\nc DONE string\n"
               "d BEGIN object\n$ DONE object\nEND\n" },
    };
    static feed_log log;
    size_t i, piece;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (piece = 1; piece < sizeof input; piece++) {
            elelem_fragment_parser parser;
            elelem_fragment fragment;
            elelem_status status = ELELEM_MORE;
            size_t at = 0;
            char path[360];
            log.size = 0;
            log.in_text = 0;
            check_context(rows[i].path);
            check_cut("pieces of", piece);
            elelem_fragment_parser_init(&parser, NULL);
            while (status == ELELEM_MORE && at < sizeof input - 1) {
                size_t size = piece < sizeof input - 1 - at ? piece : sizeof input - 1 - at;
                elelem_fragment_parser_push(&parser, input + at, size);
                at += size;
                while ((status = next_of(&parser, &fragment)) == ELELEM_OK) {
                    fragments_path(path, sizeof path, fragment.path);
                    fragments_log(&log, &fragment, path);
                    if (strcmp(path, rows[i].path) == 0) CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
                }
            }
            feed_line(&log, "%s", status == ELELEM_END ? "END" : elelem_status_name(status));
            CHECK_STR(log.text, log.size, rows[i].expected);
            elelem_fragment_parser_free(&parser);
        }
}

TEST(a_string_can_be_skipped_after_any_of_its_pieces)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "[\"ab", 4);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_STR(fragment.text.data, fragment.text.size, "ab");
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    elelem_fragment_parser_push(&parser, "\\n\\ud83dx\xc3\xa9\",5]", 16);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(fragment.kind, ELELEM_FRAGMENT_SCALAR);
    CHECK_INT(fragment.path->segments[0].index, 1);
    elelem_fragment_parser_free(&parser);
}

TEST(what_is_skipped_is_still_validated)
{
    static const struct {
        const char *text; /* after an array's BEGIN that is skipped */
        elelem_status status;
        unsigned at;
    } rows[] = { { "{]", ELELEM_ERROR_SYNTAX, 2 },         { "[[}", ELELEM_ERROR_SYNTAX, 3 },
                 { "\"\xc0\"", ELELEM_ERROR_UTF8, 2 },     { "\"\\x\"", ELELEM_ERROR_SYNTAX, 3 },
                 { "01", ELELEM_ERROR_SYNTAX, 2 },         { "{\"a\":1,}", ELELEM_ERROR_SYNTAX, 8 },
                 { "{\"\xff\":1}", ELELEM_ERROR_UTF8, 3 }, { "\"\n\"", ELELEM_ERROR_SYNTAX, 2 },
                 { "[[[", ELELEM_ERROR_DEPTH, 3 },         { "nulk", ELELEM_ERROR_SYNTAX, 4 },
                 { "1.x", ELELEM_ERROR_SYNTAX, 3 },        { "\"\\ud800\"", ELELEM_ERROR_SURROGATE, 8 } };
    size_t i, piece;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (piece = 1; piece <= strlen(rows[i].text); piece++) {
            elelem_fragment_parser parser;
            elelem_fragment fragment;
            elelem_status status = ELELEM_MORE;
            size_t at = 0;
            elelem_fragment_parser_desc desc = ELELEM_INIT;
            desc.max_depth = 3;
            desc.strict_surrogates = 1;
            check_context(rows[i].text);
            check_cut("pieces of", piece);
            elelem_fragment_parser_init(&parser, &desc);
            elelem_fragment_parser_push(&parser, "[", 1);
            CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
            CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_OK);
            while (status == ELELEM_MORE && at < strlen(rows[i].text)) {
                size_t left = strlen(rows[i].text) - at;
                while ((status = next_of(&parser, &fragment)) == ELELEM_OK)
                    continue;
                if (status != ELELEM_MORE) break;
                elelem_fragment_parser_push(&parser, rows[i].text + at, piece < left ? piece : left);
                at += piece < left ? piece : left;
            }
            while (status == ELELEM_MORE) {
                status = next_of(&parser, &fragment);
                if (status == ELELEM_MORE) break;
            }
            CHECK_INT(status, rows[i].status);
            CHECK_U64(elelem_fragment_parser_error(&parser).offset, rows[i].at);
            elelem_fragment_parser_free(&parser);
        }
}

TEST(skip_is_allowed_only_after_a_begin_or_a_piece_of_a_string)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
    elelem_fragment_parser_push(&parser, "[1,\"a\"", 6);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK); /* BEGIN */
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK); /* 1 */
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK); /* its DONE */
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK); /* "a" */
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK); /* its DONE */
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
    elelem_fragment_parser_push(&parser, "]", 1);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(fragment.kind, ELELEM_FRAGMENT_DONE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_END);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
    elelem_fragment_parser_free(&parser);
}

TEST(after_more_nothing_can_be_skipped)
{
    static const char *const rows[] = { "[", "\"a" };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_fragment_parser parser;
        elelem_fragment fragment;
        check_context(rows[i]);
        elelem_fragment_parser_init(&parser, NULL);
        elelem_fragment_parser_push(&parser, rows[i], strlen(rows[i]));
        CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
        CHECK_INT(fragment.kind, i == 0 ? ELELEM_FRAGMENT_BEGIN : ELELEM_FRAGMENT_STRING);
        CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
        CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
        elelem_fragment_parser_free(&parser);
    }
}

TEST(after_an_error_nothing_can_be_skipped)
{
    static const char *const rows[] = { "\"abc\xff", "\"abc\1", "[x" };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_fragment_parser parser;
        elelem_fragment fragment;
        elelem_status status;
        check_context(rows[i]);
        elelem_fragment_parser_init(&parser, NULL);
        elelem_fragment_parser_push(&parser, rows[i], strlen(rows[i]));
        CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_OK);
        status = elelem_fragment_parser_next(&parser, &fragment);
        CHECK(status < 0);
        CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), status);
        elelem_fragment_parser_free(&parser);
    }
}

/* Mistakes of the caller. */

TEST(pushing_nothing_is_harmless) /* C1 */
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    CHECK_INT(elelem_fragment_parser_push(&parser, NULL, 0), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_push(&parser, NULL, 7), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_fragment_parser_push(&parser, "x", 0), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    CHECK_U64(elelem_fragment_parser_offset(&parser), 0);
    elelem_fragment_parser_free(&parser);
}

TEST(pushing_while_bytes_are_pending_changes_nothing)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "[]", 2);
    CHECK_INT(elelem_fragment_parser_push(&parser, "x", 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_push(&parser, "x", 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_fragment_parser_error(&parser).status, ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_END);
    elelem_fragment_parser_free(&parser);
}

TEST(pushing_after_finish_changes_nothing)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "1", 1);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_MORE);
    elelem_fragment_parser_finish(&parser);
    elelem_fragment_parser_finish(&parser);
    CHECK_INT(elelem_fragment_parser_push(&parser, "2", 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_STR(fragment.text.data, fragment.text.size, "1");
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_END);
    CHECK_INT(elelem_fragment_parser_push(&parser, "2", 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_END);
    elelem_fragment_parser_free(&parser);
}

TEST(an_error_stays_until_reset) /* C2 */
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, " x", 2);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_ERROR_SYNTAX);
    CHECK_INT(elelem_fragment_parser_push(&parser, "1", 1), ELELEM_ERROR_SYNTAX);
    elelem_fragment_parser_finish(&parser);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_ERROR_SYNTAX);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_fragment_parser_restart(&parser), ELELEM_ERROR_MISUSE);
    CHECK_U64(elelem_fragment_parser_error(&parser).offset, 1);
    elelem_fragment_parser_reset(&parser);
    CHECK_INT(elelem_fragment_parser_error(&parser).status, ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_push(&parser, "1 ", 2), ELELEM_OK);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    elelem_fragment_parser_free(&parser);
}

TEST(a_zeroed_parser_may_be_freed_and_freed_again)
{
    elelem_fragment_parser parser = ELELEM_INIT;
    elelem_fragment fragment;

    elelem_fragment_parser_free(&parser);
    elelem_fragment_parser_free(&parser);
    CHECK(next_of(&parser, &fragment) < 0);
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "[[[[[[", 6);
    while (next_of(&parser, &fragment) == ELELEM_OK)
        continue;
    elelem_fragment_parser_free(&parser);
    elelem_fragment_parser_free(&parser);
    CHECK(elelem_fragment_parser_push(&parser, "[", 1) < 0);
}

TEST(reset_in_any_state_starts_again_with_the_same_memory)
{
    static const char input[] = "{\"a\":[1,\"b\\ud83d\\ude00\xc3\xa9\",{\"c\":[true]}]}";
    elelem_fragment_parser parser;
    limits_heap heap = ELELEM_INIT;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    size_t size;
    int calls = 0;

    desc.allocator = limits_allocator(&heap);
    elelem_fragment_parser_init(&parser, &desc);
    for (size = sizeof input - 1; size > 0; size--) {
        elelem_fragment fragment;
        elelem_status status;
        elelem_fragment_parser_push(&parser, input, size);
        while (next_of(&parser, &fragment) == ELELEM_OK)
            continue;
        elelem_fragment_parser_reset(&parser);
        CHECK_U64(elelem_fragment_parser_offset(&parser), 0);
        elelem_fragment_parser_push(&parser, input, sizeof input - 1);
        while ((status = next_of(&parser, &fragment)) == ELELEM_OK)
            continue;
        CHECK_INT(status, ELELEM_END);
        if (!calls) calls = heap.calls;
        elelem_fragment_parser_reset(&parser);
    }
    CHECK(calls <= heap.calls && heap.calls <= calls + 1);
    elelem_fragment_parser_free(&parser);
    CHECK_INT(heap.live, 0);
}

TEST(what_came_before_a_reset_is_no_value_and_cannot_be_skipped)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "1 ", 2);
    while (next_of(&parser, &fragment) == ELELEM_OK)
        continue;
    CHECK_INT(elelem_fragment_parser_restart(&parser), ELELEM_OK);
    elelem_fragment_parser_reset(&parser);
    elelem_fragment_parser_push(&parser, " ", 1);
    elelem_fragment_parser_finish(&parser);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_ERROR_TRUNCATED);
    elelem_fragment_parser_reset(&parser);
    elelem_fragment_parser_push(&parser, "[[", 2);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    elelem_fragment_parser_reset(&parser);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MISUSE);
    elelem_fragment_parser_free(&parser);
}

TEST(an_error_has_the_path_at_which_it_happened)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, "{\"a\":[0,x", 9);
    while (next_of(&parser, &fragment) == ELELEM_OK)
        continue;
    CHECK_U64(elelem_fragment_parser_error(&parser).offset, 8);
    CHECK(elelem_path_is(elelem_fragment_parser_path(&parser), "a[1]"));
    elelem_fragment_parser_free(&parser);
}

/* Memory. */

#define DEEP "a.bb.ccc.dddd.eeeee.a key long enough to need a larger block than the first"

TEST(an_allocator_that_moves_every_block_changes_nothing) /* C6 */
{
    limits_heap heap = ELELEM_INIT;
    fragments *f = fragments_new();

    f->desc.allocator = limits_allocator(&heap);
    GIVES("{\"a\":{\"bb\":{\"ccc\":{\"dddd\":{\"eeeee\":{\"a key long enough to need a larger block than the first\":"
          "[[[[[1234567890]]]]]}}}}}}",
          "$ BEGIN object\na BEGIN object\na.bb BEGIN object\na.bb.ccc BEGIN object\na.bb.ccc.dddd BEGIN object\n"
          "a.bb.ccc.dddd.eeeee BEGIN object\n"
          DEEP " BEGIN array\n" DEEP "[0] BEGIN array\n" DEEP "[0][0] BEGIN array\n" DEEP "[0][0][0] BEGIN array\n"
          DEEP "[0][0][0][0] BEGIN array\n" DEEP "[0][0][0][0][0] SCALAR number 1234567890\n"
          DEEP "[0][0][0][0][0] DONE number\n" DEEP "[0][0][0][0] DONE array\n" DEEP "[0][0][0] DONE array\n"
          DEEP "[0][0] DONE array\n" DEEP "[0] DONE array\n" DEEP " DONE array\n"
          "a.bb.ccc.dddd.eeeee DONE object\na.bb.ccc.dddd DONE object\na.bb.ccc DONE object\na.bb DONE object\n"
          "a DONE object\n$ DONE object\nEND\n");
    fragments_new();
    CHECK_INT(heap.live, 0);
}

static elelem_status read_all(limits_heap *heap, const char *input, size_t size, size_t piece, feed_log *log)
{
    fragments f;
    elelem_status status = ELELEM_MORE;
    size_t at = 0;

    memset(&f, 0, sizeof f);
    f.desc.allocator = limits_allocator(heap);
    log->size = 0;
    log->in_text = 0;
    fragments_start(&f);
    while (status == ELELEM_MORE && at < size) {
        size_t now = piece < size - at ? piece : size - at;
        elelem_fragment_parser_push(&f.parser, input + at, now);
        at += now;
        while ((status = fragments_take(&f, log)) == ELELEM_OK)
            continue;
    }
    if (status < 0) CHECK_INT(fragments_take(&f, log), status);
    elelem_fragment_parser_free(&f.parser);
    return status;
}

TEST(memory_refused_at_any_call_is_an_error_or_is_not_needed)
{
    static const char input[] = "{\"first key\":[[[[[[[[[{\"second key, longer\":[1234567890123456789012345678901234,"
                                "\"text\"]}]]]]]]]]],\"third key\":{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{}}}}}}}}";
    static feed_log whole, log;
    size_t piece;

    for (piece = 1; piece <= sizeof input; piece += piece < 8 ? 1 : 50) {
        limits_heap heap = ELELEM_INIT;
        int calls, refuse, stays;
        check_cut("pieces of", piece);
        CHECK_INT(read_all(&heap, input, sizeof input - 1, piece, &whole), ELELEM_END);
        calls = heap.calls;
        CHECK(calls > 1);
        for (refuse = 1; refuse <= calls; refuse++)
            for (stays = 0; stays <= 1; stays++) {
                elelem_status status;
                heap.calls = 0;
                heap.refuse = refuse;
                heap.stays = stays;
                status = read_all(&heap, input, sizeof input - 1, piece, &log);
                CHECK(status == ELELEM_ERROR_MEMORY || (!stays && status == ELELEM_END));
                if (status == ELELEM_END) CHECK_BYTES(log.text, log.size, whole.text, whole.size);
                feed_close(&log);
                CHECK(log.size <= whole.size && memcmp(log.text, whole.text, log.size) == 0);
                CHECK_INT(heap.live, 0);
            }
    }
}

TEST(skipping_with_no_memory_left_is_an_error)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    limits_heap heap = ELELEM_INIT;
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    heap.refuse = 1;
    heap.stays = 1;
    desc.allocator = limits_allocator(&heap);
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_parser_push(&parser, "[]", 2);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_OK);
    CHECK_INT(elelem_fragment_parser_skip(&parser), ELELEM_ERROR_MEMORY);
    CHECK_INT(next_of(&parser, &fragment), ELELEM_ERROR_MEMORY);
    elelem_fragment_parser_free(&parser);
}

TEST(no_memory_is_taken_before_the_first_container)
{
    limits_heap heap = ELELEM_INIT;
    fragments *f = fragments_new();

    f->desc.allocator = limits_allocator(&heap);
    heap.refuse = 1;
    heap.stays = 1;
    FEED(&fragments_object, "\"a \\n string\"", 13, "$ STRING \"a \\n string\"\n$ DONE string\nEND\n");
    FEED(&fragments_object, "[[", 2, "$ BEGIN array\nERROR_MEMORY at 1\n");
    fragments_new();
}

CHECK_MAIN("fragment",
    RUN(an_element_has_no_part_in_the_keys_of_a_path)
    RUN(text_with_many_escapes_is_limited_at_the_same_byte)
    RUN(a_value_is_begun_filled_and_done_at_its_path)
    RUN(every_type_may_be_the_root)
    RUN(the_done_of_an_empty_value_has_its_type)
    RUN(whitespace_may_be_between_all_tokens)
    RUN(elements_are_counted_from_zero_in_each_array)
    RUN(members_with_the_same_key_are_all_delivered)
    RUN(an_empty_key_is_a_key)
    RUN(a_key_may_hold_zero_bytes)
    RUN(a_string_is_delivered_as_its_bytes_arrive)
    RUN(everything_is_delivered_at_the_byte_that_decides_it)
    RUN(text_that_needs_no_decoding_is_not_copied)
    RUN(a_scalar_has_a_type_and_a_value)
    RUN(the_text_at_a_path_is_all_of_its_strings_and_nothing_else)
    RUN(a_zeroed_fragment_has_no_text)
    RUN(every_type_has_a_name)
    RUN(every_escape_is_decoded)
    RUN(every_escape_is_decoded_in_keys)
    RUN(a_run_of_escapes_is_decoded_without_its_backslashes)
    RUN(surrogate_pairs_become_one_character)
    RUN(a_lone_surrogate_becomes_the_replacement_character)
    RUN(a_low_surrogate_makes_a_pair_only_with_a_high_one_directly_before_it)
    RUN(in_strict_mode_a_lone_surrogate_is_an_error_at_the_byte_that_decides_it)
    RUN(characters_of_every_size_pass_whole)
    RUN(delete_and_the_line_separators_are_plain_text)
    RUN(a_bad_escape_is_refused_at_the_byte_that_cannot_be_right)
    RUN(every_control_byte_is_refused_in_a_string)
    RUN(numbers_keep_their_exact_text)
    RUN(a_bad_number_is_refused_at_the_byte_that_cannot_be_right)
    RUN(a_number_at_the_root_ends_at_a_byte_that_cannot_belong_to_it)
    RUN(a_bad_literal_is_refused_at_the_byte_that_cannot_be_right)
    RUN(structure_that_is_out_of_order_is_refused_at_its_byte)
    RUN(only_the_four_kinds_of_whitespace_are_allowed)
    RUN(a_document_cut_anywhere_is_truncated_at_its_size)
    RUN(no_value_at_all_is_truncated)
    RUN(the_end_comes_with_the_last_byte_and_the_unread_bytes_are_known)
    RUN(bytes_above_the_limit_are_unread_too)
    RUN(values_may_follow_one_another_in_lines_or_not)
    RUN(an_error_in_a_later_value_counts_from_the_start_of_the_input)
    RUN(restart_before_the_end_is_misuse)
    RUN(only_whitespace_may_follow_a_single_document)
    RUN(a_single_document_ends_at_finish_only)
    RUN(depth_is_limited_at_the_first_bracket_above_the_limit)
    RUN(a_key_is_limited_at_its_first_character_above_the_limit)
    RUN(the_keys_of_a_path_are_limited_together)
    RUN(a_string_is_delivered_up_to_its_limit_and_refused_there)
    RUN(a_number_is_limited_at_its_first_character_above_the_limit)
    RUN(everything_pushed_is_limited_together)
    RUN(limits_at_their_defaults_allow_what_is_documented)
    RUN(text_with_many_escapes_comes_in_few_pieces)
    RUN(a_string_without_end_takes_no_memory)
    RUN(whitespace_without_end_takes_no_memory)
    RUN(a_key_in_small_pieces_grows_its_block_geometrically)
    RUN(a_million_brackets_stop_at_the_513th)
    RUN(arrays_and_objects_in_each_other_stop_at_the_513th_bracket)
    RUN(offsets_go_beyond_four_gigabytes)
    RUN(limits_of_the_largest_values_do_not_wrap)
    RUN(the_last_index_that_fits_is_the_last_element)
    RUN(numbers_of_any_size_are_only_text_here)
    RUN(surrogates_that_are_cut_are_never_delivered_as_bytes)
    RUN(bytes_that_are_not_utf8_are_refused_at_the_first_that_cannot_be_right)
    RUN(bytes_above_ascii_are_no_token_of_any_kind)
    RUN(leniencies_of_other_parsers_are_refused)
    RUN(a_truncated_document_leaks_nothing)
    RUN(a_million_keys_take_the_memory_of_one)
    RUN(a_key_of_a_megabyte_is_not_copied_for_its_children)
    RUN(after_skip_a_value_has_no_more_fragments_not_even_its_done)
    RUN(a_string_can_be_skipped_after_any_of_its_pieces)
    RUN(what_is_skipped_is_still_validated)
    RUN(skip_is_allowed_only_after_a_begin_or_a_piece_of_a_string)
    RUN(after_more_nothing_can_be_skipped)
    RUN(after_an_error_nothing_can_be_skipped)
    RUN(pushing_nothing_is_harmless)
    RUN(pushing_while_bytes_are_pending_changes_nothing)
    RUN(pushing_after_finish_changes_nothing)
    RUN(an_error_stays_until_reset)
    RUN(a_zeroed_parser_may_be_freed_and_freed_again)
    RUN(reset_in_any_state_starts_again_with_the_same_memory)
    RUN(what_came_before_a_reset_is_no_value_and_cannot_be_skipped)
    RUN(an_error_has_the_path_at_which_it_happened)
    RUN(an_allocator_that_moves_every_block_changes_nothing)
    RUN(memory_refused_at_any_call_is_an_error_or_is_not_needed)
    RUN(skipping_with_no_memory_left_is_an_error)
    RUN(no_memory_is_taken_before_the_first_container))
