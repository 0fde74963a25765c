#ifndef ELELEM_STREAM_H
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"
#endif

#include "fragments.h"

#ifndef ROOM
#define ROOM "text"
#endif

/* Nonzero if the bytes are whole characters: RFC 3629, 4, as a table of ranges, one row for each
   line of its grammar. */
static int character_size(const unsigned char *at, size_t left)
{
    static const struct {
        unsigned char size, first[2], second[2];
    } rows[] = { { 1, { 0x00, 0x7f }, { 0, 0 } },       { 2, { 0xc2, 0xdf }, { 0x80, 0xbf } },
                 { 3, { 0xe0, 0xe0 }, { 0xa0, 0xbf } }, { 3, { 0xe1, 0xec }, { 0x80, 0xbf } },
                 { 3, { 0xed, 0xed }, { 0x80, 0x9f } }, { 3, { 0xee, 0xef }, { 0x80, 0xbf } },
                 { 4, { 0xf0, 0xf0 }, { 0x90, 0xbf } }, { 4, { 0xf1, 0xf3 }, { 0x80, 0xbf } },
                 { 4, { 0xf4, 0xf4 }, { 0x80, 0x8f } } };
    size_t i, more;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (at[0] < rows[i].first[0] || at[0] > rows[i].first[1]) continue;
        if (left < rows[i].size) return 0;
        if (rows[i].size > 1 && (at[1] < rows[i].second[0] || at[1] > rows[i].second[1])) return 0;
        for (more = 2; more < rows[i].size; more++)
            if (at[more] < 0x80 || at[more] > 0xbf) return 0;
        return rows[i].size;
    }
    return 0;
}

static size_t valid_size(const unsigned char *bytes, size_t size)
{
    size_t at = 0;
    int character;

    while (at < size && (character = character_size(bytes + at, size - at)) > 0)
        at += (size_t)character;
    return at;
}

/* In a block of exactly that size, so that the sanitizer reports reading outside of it. */
static size_t valid_of(const unsigned char *bytes, size_t size)
{
    char *copy = (char *)malloc(size ? size : 1);
    elelem_str text;
    size_t valid;

    memcpy(copy, bytes, size);
    text.data = copy;
    text.size = size;
    valid = elelem_utf8_valid(text);
    free(copy);
    return valid;
}

TEST(an_empty_text_is_valid)
{
    elelem_str text = ELELEM_INIT;

    CHECK_INT(elelem_utf8_valid(text), 0);
    CHECK_INT(elelem_utf8_valid(elelem_str_of("")), 0);
}

TEST(all_one_and_two_byte_sequences_are_checked_against_the_grammar)
{
    unsigned i;

    for (i = 0; i < 0x10000; i++) {
        unsigned char bytes[2];
        bytes[0] = (unsigned char)(i >> 8);
        bytes[1] = (unsigned char)i;
        check_cut("sequence", i);
        CHECK_INT(valid_of(bytes, 2), valid_size(bytes, 2));
        if (i < 0x100) CHECK_INT(valid_of(bytes + 1, 1), valid_size(bytes + 1, 1));
    }
}

TEST(all_edges_of_three_and_four_byte_sequences_are_checked_against_the_grammar)
{
    static const unsigned char edges[] = { 0x00, 0x22, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2,
                                           0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff };
    unsigned a, b, c, d, count = sizeof edges;

    for (a = 0; a < count; a++)
        for (b = 0; b < count; b++)
            for (c = 0; c < count; c++)
                for (d = 0; d < count; d++) {
                    unsigned char bytes[6];
                    bytes[0] = edges[a];
                    bytes[1] = edges[b];
                    bytes[2] = edges[c];
                    bytes[3] = edges[d];
                    bytes[4] = 'z';
                    bytes[5] = 'z';
                    if (d == 0) CHECK_INT(valid_of(bytes, 3), valid_size(bytes, 3));
                    CHECK_INT(valid_of(bytes, 4), valid_size(bytes, 4));
                    CHECK_INT(valid_of(bytes, 6), valid_size(bytes, 6));
                }
}

TEST(every_character_is_encoded_as_itself_and_valid)
{
    uint32_t character;

    for (character = 0; character <= 0x10ffff; character++) {
        char bytes[4];
        unsigned char *b = (unsigned char *)bytes;
        size_t size = elelem_utf8_encode(character, bytes);
        uint32_t back = size == 1   ? b[0]
                        : size == 2 ? (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu)
                        : size == 3 ? (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu)
                                    : (b[0] & 0x07u) << 18 | (b[1] & 0x3fu) << 12 | (b[2] & 0x3fu) << 6 | (b[3] & 0x3fu);
        if (character >= 0xd800 && character < 0xe000) {
            CHECK_BYTES(bytes, size, "\xef\xbf\xbd", 3);
        } else {
            CHECK_INT(back, character);
            CHECK_INT(character_size(b, size), size);
        }
    }
}

TEST(a_number_above_the_last_character_is_encoded_as_the_replacement)
{
    char bytes[4];

    CHECK_INT(elelem_utf8_encode(0x110000, bytes), 3);
    CHECK_BYTES(bytes, 3, "\xef\xbf\xbd", 3);
    CHECK_INT(elelem_utf8_encode(0xffffffff, bytes), 3);
    CHECK_BYTES(bytes, 3, "\xef\xbf\xbd", 3);
}

TEST(valid_text_ends_before_a_character_that_the_end_cuts)
{
    static const unsigned char text[] = "ab\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
    size_t size;

    for (size = 0; size < sizeof text; size++)
        CHECK_INT(valid_of(text, size), size < 3 ? size : size < 4 ? 2 : size < 7 ? 4 : size < 11 ? 7 : size);
}

/* How far the scan for the next byte that matters goes is shown by the size of a string's first piece. */

static void scan(const char *bytes, size_t size, elelem_status *status, size_t *text, uint64_t *offset)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    char *copy = (char *)malloc(size);

    memcpy(copy, bytes, size);
    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_parser_push(&parser, copy, size);
    *text = 0;
    while ((*status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
        *text += fragment.text.size;
    *offset = elelem_fragment_parser_error(&parser).offset;
    elelem_fragment_parser_free(&parser);
    free(copy);
}

TEST(a_special_byte_is_found_at_every_place_of_a_run_of_every_size)
{
    static const char specials[] = { '"', '\\', '\0', '\n', '\x1f', '\x80', '\xc0', '\xff' };
    size_t before, behind, i;

    for (before = 0; before <= 40; before++)
        for (behind = 0; behind <= 40; behind++)
            for (i = 0; i < sizeof specials; i++) {
                char input[100];
                elelem_status status;
                size_t text;
                uint64_t offset;
                memset(input, 'a', sizeof input);
                input[0] = '"';
                input[1 + before] = specials[i];
                check_cut("special byte at", before);
                scan(input, 1 + before + 1 + behind, &status, &text, &offset);
                CHECK_INT(text, before);
                if (i == 0) CHECK_INT(status, ELELEM_END);
                if (i == 1) CHECK_INT(status, behind ? ELELEM_ERROR_SYNTAX : ELELEM_MORE);
                if (i > 1) CHECK_INT(status, i < 5 ? ELELEM_ERROR_SYNTAX : ELELEM_ERROR_UTF8);
                if (i > 1) CHECK_U64(offset, 1 + before);
            }
}

TEST(every_other_byte_passes_at_every_place_of_a_vector)
{
    size_t place;
    int byte;

    for (place = 0; place < 36; place++)
        for (byte = 0x20; byte < 0x80; byte++) {
            char input[39];
            elelem_status status;
            size_t text;
            uint64_t offset;
            if (byte == '"' || byte == '\\') continue;
            memset(input, '!', sizeof input);
            input[0] = input[37] = '"';
            input[1 + place] = (char)byte;
            scan(input, 38, &status, &text, &offset);
            CHECK_INT(status, ELELEM_END);
            CHECK_INT(text, 36);
        }
}

TEST(the_first_of_two_special_bytes_is_found)
{
    size_t first, second;

    for (first = 0; first < 34; first++)
        for (second = first + 1; second < 36; second++) {
            char input[40];
            elelem_status status;
            size_t text;
            uint64_t offset;
            memset(input, ' ', sizeof input);
            input[0] = '"';
            input[1 + first] = '\x01';
            input[1 + second] = '"';
            scan(input, 38, &status, &text, &offset);
            CHECK_INT(status, ELELEM_ERROR_SYNTAX);
            CHECK_INT(text, first);
            CHECK_U64(offset, 1 + first);
        }
}

TEST(characters_of_every_size_pass_at_every_place_of_a_vector)
{
    static const char *const characters[] = { "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80\xe2\x82\xac" };
    size_t i, before, behind;

    for (i = 0; i < 4; i++)
        for (before = 0; before < 36; before++)
            for (behind = 0; behind < 20; behind++) {
                char input[80];
                size_t size = strlen(characters[i]), text;
                elelem_status status;
                uint64_t offset;
                memset(input, 'x', sizeof input);
                input[0] = '"';
                memcpy(input + 1 + before, characters[i], size);
                input[1 + before + size + behind] = '"';
                scan(input, before + size + behind + 2, &status, &text, &offset);
                CHECK_INT(status, ELELEM_END);
                CHECK_INT(text, before + size + behind);
            }
}

/* A character after `before` bytes of text that begins with one of several bytes, so that vectors are counted from
   there, as a string of its own. */
static void scan_after(const char *filler, size_t before, elelem_str character, const char *rest, elelem_status *status,
                       size_t *text, uint64_t *offset)
{
    char input[120];
    size_t at, filled = strlen(filler);

    check_cut("character after bytes", before);
    memset(input, 'x', sizeof input);
    input[0] = '"';
    for (at = 0; at + filled <= before; at += filled)
        memcpy(input + 1 + at, filler, filled);
    memcpy(input + 1 + before, character.data, character.size);
    at = 1 + before + character.size;
    memcpy(input + at, rest, strlen(rest));
    scan(input, at + strlen(rest), status, text, offset);
}

static const char *const fillers[] = { "\xc3\xa9", "\xe2\x82\xac", "\xc3\xa9xyz", "\xe2\x82\xac\xc3\xa9-", "\xf0\x9f\x98\x80" };
static const char *const rests[] = { "\"", "\xc3\xa9\"", "and sixteen bytes\"", "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\"" };

TEST(overlong_and_surrogate_sequences_are_refused_at_every_place_of_a_vector) /* J6 */
{
    static const struct {
        const char *bytes;
        size_t right; /* of them: those that may begin a character */
    } rows[] = { { "\xc0\x80", 0 },         { "\xc1\xbf", 0 },         { "\xe0\x80\x80", 1 },     { "\xe0\x9f\xbf", 1 },
                 { "\xed\xa0\x80", 1 },     { "\xed\xbf\xbf", 1 },     { "\xf0\x80\x80\x80", 1 }, { "\xf0\x8f\xbf\xbf", 1 },
                 { "\xf4\x90\x80\x80", 1 }, { "\xf5\x80\x80\x80", 0 }, { "\x80", 0 },             { "\xc3x", 1 },
                 { "\xe2\x82x", 2 },        { "\xe2\x82\xc3\xa9", 2 },  { "\xf0\x9f\x98x", 3 } };
    size_t i, filler, rest, before;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (filler = 0; filler < sizeof fillers / sizeof *fillers; filler++)
            for (rest = 0; rest < sizeof rests / sizeof *rests; rest++)
                for (before = 0; before <= 36; before++) {
                    elelem_status status;
                    size_t text;
                    uint64_t offset;
                    scan_after(fillers[filler], before, elelem_str_of(rows[i].bytes), rests[rest], &status, &text, &offset);
                    CHECK_INT(status, ELELEM_ERROR_UTF8);
                    CHECK_INT(text, before);
                    CHECK_U64(offset, 1 + before + rows[i].right);
                }
}

TEST(the_first_and_last_characters_of_every_size_pass_at_every_place_of_a_vector) /* J6 */
{
    static const char *const characters[] = { "\xc2\x80",     "\xdf\xbf",     "\xe0\xa0\x80",     "\xed\x9f\xbf",
                                              "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf" };
    size_t i, filler, rest, before;

    for (i = 0; i < sizeof characters / sizeof *characters; i++)
        for (filler = 0; filler < sizeof fillers / sizeof *fillers; filler++)
            for (rest = 0; rest < sizeof rests / sizeof *rests; rest++)
                for (before = 0; before <= 36; before++) {
                    elelem_str character = elelem_str_of(characters[i]);
                    elelem_status status;
                    size_t text;
                    uint64_t offset;
                    scan_after(fillers[filler], before, character, rests[rest], &status, &text, &offset);
                    CHECK_INT(status, ELELEM_END);
                    CHECK_INT(text, before + character.size + strlen(rests[rest]) - 1);
                }
}

/* Ending a run of digits or whitespace too early only costs time, so that it does not show from outside. */

static int is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

static int is_blank(unsigned char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Each byte at each place of a run, in a block of exactly that size. */
static void check_span(const unsigned char *(*span)(const unsigned char *, const unsigned char *), int (*belongs)(unsigned char),
                       const char *run)
{
    size_t size, place;
    unsigned byte;

    for (size = 1; size <= 33; size++)
        for (place = 0; place < size; place++)
            for (byte = 0; byte < 256; byte++) {
                unsigned char *bytes = (unsigned char *)malloc(size);
                memcpy(bytes, run, size);
                bytes[place] = (unsigned char)byte;
                check_cut("byte at", place);
                CHECK_INT(span(bytes, bytes + size) - bytes, belongs((unsigned char)byte) ? size : place);
                free(bytes);
            }
}

static const unsigned char *digit_span(const unsigned char *at, const unsigned char *end)
{
    return els_digit_span(at, end);
}

TEST(a_run_of_digits_ends_at_the_first_byte_that_is_not_a_digit)
{
    check_span(digit_span, is_digit, "123456789012345678901234567890123");
}

TEST(a_run_of_whitespace_ends_at_the_first_byte_that_is_not_whitespace)
{
    check_span(els_blank_span, is_blank, "  \t \r\n   \n \t\t \r \r   \n\n\n \t   \r \n\t ");
}

TEST(what_two_texts_have_in_common_ends_at_the_first_byte_that_differs)
{
    unsigned char a[67], b[67];
    size_t size, at, start;

    for (start = 0; start < sizeof a; start++)
        a[start] = (unsigned char)(start * 37);
    for (start = 0; start < 8; start++)
        for (size = 0; size + start <= sizeof a; size++) {
            memcpy(b, a + start, size);
            CHECK_U64(els_text_common(a + start, b, size), size);
            for (at = 0; at < size; at++) {
                b[at] ^= 0x80;
                CHECK_U64(els_text_common(a + start, b, size), at);
                b[at] ^= 0x80;
            }
        }
}

static void position_is(const char *text, uint64_t offset, size_t line, size_t column)
{
    elelem_text_position position = elelem_text_position_of(elelem_str_of(text), offset);

    check_context(text);
    CHECK_U64(position.line, line);
    CHECK_U64(position.column, column);
}

TEST(a_byte_has_a_line_and_a_column_of_characters)
{
    position_is("", 0, 1, 1);
    position_is("ab", 1, 1, 2);
    position_is("ab\ncd", 2, 1, 3);
    position_is("ab\ncd", 3, 2, 1);
    position_is("ab\r\ncd", 4, 2, 1);
    position_is("ab\r\ncd", 5, 2, 2);
    position_is("a\r\rb", 3, 3, 1);
    position_is("\xc3\xa9x", 2, 1, 2);
    position_is("a\nb", 99, 2, 2);
    position_is("a\nb", UINT64_MAX, 2, 2);
}

TEST(all_bytes_of_a_character_or_a_line_end_have_one_position)
{
    position_is("ab\r\ncd", 2, 1, 3);
    position_is("ab\r\ncd", 3, 1, 3); /* the LF */
    position_is("ab\r\n", 3, 1, 3);
    position_is("\n", 0, 1, 1);
    position_is("\xc3\xa9x", 0, 1, 1);
    position_is("\xc3\xa9x", 1, 1, 1);
    position_is("a\xf0\x9f\x98\x80x", 4, 1, 2);
    position_is("a\xf0\x9f\x98\x80x", 5, 1, 3);
    position_is("a\xf0\x9f", 2, 1, 2);
    position_is("a\xf0\x9f", 3, 1, 3);
}

TEST(a_byte_that_belongs_to_no_character_is_not_that_before)
{
    position_is("\x80", 0, 1, 1);
    position_is("a\n\x80", 2, 2, 1);
    position_is("a\x80", 1, 1, 2);
    position_is("\xc3\xa9\x80", 2, 1, 2);
    position_is("a\xf0\x9f\x98\x80\x80", 5, 1, 3);
}

CHECK_MAIN(ROOM,
    RUN(an_empty_text_is_valid)
    RUN(all_one_and_two_byte_sequences_are_checked_against_the_grammar)
    RUN(all_edges_of_three_and_four_byte_sequences_are_checked_against_the_grammar)
    RUN(every_character_is_encoded_as_itself_and_valid)
    RUN(a_number_above_the_last_character_is_encoded_as_the_replacement)
    RUN(valid_text_ends_before_a_character_that_the_end_cuts)
    RUN(a_special_byte_is_found_at_every_place_of_a_run_of_every_size)
    RUN(every_other_byte_passes_at_every_place_of_a_vector)
    RUN(the_first_of_two_special_bytes_is_found)
    RUN(characters_of_every_size_pass_at_every_place_of_a_vector)
    RUN(overlong_and_surrogate_sequences_are_refused_at_every_place_of_a_vector)
    RUN(the_first_and_last_characters_of_every_size_pass_at_every_place_of_a_vector)
    RUN(a_run_of_digits_ends_at_the_first_byte_that_is_not_a_digit)
    RUN(a_run_of_whitespace_ends_at_the_first_byte_that_is_not_whitespace)
    RUN(what_two_texts_have_in_common_ends_at_the_first_byte_that_differs)
    RUN(a_byte_has_a_line_and_a_column_of_characters)
    RUN(all_bytes_of_a_character_or_a_line_end_have_one_position)
    RUN(a_byte_that_belongs_to_no_character_is_not_that_before))
