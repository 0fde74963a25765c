/* Numbers of JSON: every state with every byte, after runs of 0 to 17 digits, in arrays, objects, at the root and where they are
   skipped; and the readers of a number's text with the same words. */
#include "elelem_stream.h"

#include "json_law.h"

static int goes_on(const machine *m)
{
    return m->state == MACHINE_VALUE || (m->state >= MACHINE_MINUS && m->state <= MACHINE_POWER);
}

static const law laws[] = {
    { "in an array", { 0, 0, 0, 0, 2 }, "[0,", "x", goes_on, 10 },
    { "in an object", { 0, 0, 0, 0, 2 }, "{\"k\":", "x", goes_on, 10 },
    { "at the root", { 0, 0, 0, 0, 2 }, "", "x", goes_on, 10 },
    { "at the root of a single document", { 0, 1, 0, 0, 2 }, "", "x", goes_on, 10 },
    { "skipped", { 0, 0, 0, 1, 2 }, "[0,", "x", goes_on, 10 },
    { "of member a", { 0, 0, 1, 0, 2 }, "{\"a\":", "x", goes_on, 10 },
};

TEST(every_state_of_a_number_with_every_byte)
{
    size_t i;

    for (i = 0; i < sizeof laws / sizeof *laws; i++)
        law_all(&laws[i]);
}

/* The state after a text that begins with a minus or a digit; FAILED if it is no number and no start of one. */
static machine_state state_of(const unsigned char *text, size_t size)
{
    machine_state state = size == 0 ? MACHINE_VALUE : text[0] == '-' ? MACHINE_MINUS : text[0] == '0' ? MACHINE_ZERO : MACHINE_WHOLE;
    size_t i;

    if (size > 0 && text[0] != '-' && (text[0] < '0' || text[0] > '9')) return MACHINE_FAILED;
    for (i = 1; i < size; i++)
        state = machine_number_next(state, text[i]);
    return state;
}

static void read_text(const unsigned char *text, size_t size)
{
    unsigned char *copy = (unsigned char *)malloc(size);
    int is_number = machine_may_end(state_of(text, size));
    int64_t integer;
    uint64_t natural;
    double real;

    if (!copy) abort();
    memcpy(copy, text, size);
    CHECK_INT(elelem_number_to_double(elelem_str_from(copy, size), &real) != ELELEM_ERROR_SYNTAX, is_number);
    CHECK_INT(elelem_number_to_int64(elelem_str_from(copy, size), &integer) != ELELEM_ERROR_SYNTAX, is_number);
    CHECK_INT(elelem_number_to_uint64(elelem_str_from(copy, size), &natural) != ELELEM_ERROR_SYNTAX, is_number);
    free(copy);
}

static size_t visit_text(const unsigned char *word, size_t size, unsigned char byte, unsigned char *key)
{
    static const char *const rests[] = { "", "0", "5", "12345678", "1234567812345678", ".5", "e1", "e+1", "E-12345678", "x" };
    unsigned char text[128];
    size_t rest, pad;
    int can_repeat = size > 0 && word[size - 1] >= '1' && word[size - 1] <= '9';

    for (pad = 0; pad < (can_repeat ? 20 : 1); pad++)
        for (rest = 0; rest < sizeof rests / sizeof *rests; rest++) {
            size_t after = strlen(rests[rest]);
            memcpy(text, word, size);
            memset(text + size, '7', pad);
            text[size + pad] = byte;
            memcpy(text + size + pad + 1, rests[rest], after);
            check_cut("byte", byte);
            read_text(text, size + pad + 1 + after);
        }
    memcpy(text, word, size);
    text[size] = byte;
    key[0] = (unsigned char)state_of(text, size + 1);
    key[1] = size == 0;
    return key[0] == MACHINE_FAILED ? 0 : 2;
}

TEST(every_state_of_a_text_with_every_byte)
{
    size_t found = enumerate_all(visit_text);

    printf("texts of numbers: %lu states\n", (unsigned long)found);
    check_cut(NULL, 0);
    CHECK_INT(found, 11);
}

#ifndef ROOM
#define ROOM "enumerate_numbers"
#endif

CHECK_MAIN(ROOM,
    RUN(every_state_of_a_number_with_every_byte)
    RUN(every_state_of_a_text_with_every_byte))
