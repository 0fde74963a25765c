/* Characters of JSON strings: every state of a character with every byte, after runs of ASCII and of characters of two, three and
   four bytes, in strings, keys and what is skipped; and of elelem_utf8_valid the same words. */
#include "elelem_stream.h"

#include "json_law.h"

static int goes_on(const machine *m)
{
    return m->state == MACHINE_CHARACTER || m->state == MACHINE_TEXT;
}

static const law laws[] = {
    { "a string after ASCII", { 0, 0, 0, 0, 2 }, "[\"", "x", goes_on, 9 },
    { "a string after characters of two bytes", { 0, 0, 0, 0, 2 }, "[\"x", "\xc3\xa9", goes_on, 9 },
    { "a string after characters of three bytes", { 0, 0, 0, 0, 2 }, "[\"", "\xe2\x82\xac", goes_on, 9 },
    { "a string after characters of four bytes", { 0, 0, 0, 0, 2 }, "\"yz", "\xf0\x9f\x98\x80", goes_on, 9 },
    { "a key after ASCII", { 0, 0, 0, 0, 2 }, "{\"", "x", goes_on, 16 },
    { "a key after characters of three bytes", { 0, 0, 0, 0, 2 }, "{\"x", "\xe2\x82\xac", goes_on, 9 },
    { "a skipped string after ASCII", { 0, 0, 0, 1, 2 }, "[\"", "x", goes_on, 9 },
    { "a skipped string after characters of three bytes", { 0, 0, 0, 1, 2 }, "[\"", "\xe2\x82\xac", goes_on, 9 },
};

TEST(every_state_of_a_character_with_every_byte)
{
    size_t i;

    for (i = 0; i < sizeof laws / sizeof *laws; i++)
        law_all(&laws[i]);
}

/* How many bytes from the start are whole characters, by the table. */
static size_t valid_size(const unsigned char *word, size_t size)
{
    static const machine_rules rules = { 0, 0, 0, 0, 2 };
    static machine m;
    size_t at, valid = 0;

    machine_start(&m, &rules);
    machine_byte(&m, '"');
    for (at = 0; at < size && m.status == ELELEM_MORE; at++) {
        if (m.state == MACHINE_TEXT && word[at] < 0x80) {
            valid = at + 1;
            continue;
        }
        machine_byte(&m, word[at]);
        if (m.state == MACHINE_TEXT) valid = at + 1;
    }
    return valid;
}

/* The word after each of several runs, and with what may follow it, in a block of exactly that size. */
static void check_valid(const unsigned char *word, size_t size)
{
    static const char *const runs[] = { "", "x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
    static const char *const rests[] = { "", "x", "xxxx", "\x80", "\x80\x80", "\x80\x80\x80", "\xbf\xbf\xbf\xbf", "\xc3\xa9" };
    size_t run, rest;

    for (run = 0; run < sizeof runs / sizeof *runs; run++)
        for (rest = 0; rest < sizeof rests / sizeof *rests; rest++) {
            size_t before = strlen(runs[run]), after = strlen(rests[rest]), whole = before + size + after;
            unsigned char *text = (unsigned char *)malloc(whole);
            if (!text) abort();
            memcpy(text, runs[run], before);
            memcpy(text + before, word, size);
            memcpy(text + before + size, rests[rest], after);
            CHECK_INT(elelem_utf8_valid(elelem_str_from(text, whole)), valid_size(text, whole));
            free(text);
        }
}

/* These bytes have all states of a character: the first and the last of each range of the table, and those next to them. */
TEST(every_byte_after_all_words_of_two_edges_is_valid_as_the_table_has_it)
{
    static const unsigned char edges[] = { 0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
                                           0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff };
    size_t i, j, count = sizeof edges;
    unsigned char word[3];
    unsigned byte;

    for (byte = 0; byte < 256; byte++) {
        word[0] = (unsigned char)byte;
        check_valid(word, 1);
        for (i = 0; i < count; i++) {
            word[0] = edges[i];
            word[1] = (unsigned char)byte;
            check_valid(word, 2);
            for (j = 0; j < count; j++) {
                word[1] = edges[j];
                word[2] = (unsigned char)byte;
                check_valid(word, 3);
            }
        }
    }
}

#ifndef ROOM
#define ROOM "enumerate_utf8"
#endif

CHECK_MAIN(ROOM,
    RUN(every_state_of_a_character_with_every_byte)
    RUN(every_byte_after_all_words_of_two_edges_is_valid_as_the_table_has_it))
