/* Ten million random numbers are compared with the C library's strtod, which must be correctly
   rounded, as glibc's is.

       deep_number [COUNT [SEED]]

   The seed is printed, and each number that differs. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "halfway.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long count = 10000000;
static uint64_t state;

/* SplitMix64: any seed will do. */
static uint64_t random_bits(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int random_below(int limit)
{
    return (int)(random_bits() % (unsigned)limit);
}

static double random_double(void)
{
    double value;

    do {
        uint64_t bits = random_bits();
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void check_against_strtod(const char *text)
{
    double expected = strtod(text, NULL);
    double found = 0;
    elelem_status status = elelem_number_to_double(elelem_str_of(text), &found);
    uint64_t expected_bits, found_bits;

    memcpy(&expected_bits, &expected, sizeof expected_bits);
    memcpy(&found_bits, &found, sizeof found_bits);
    check_context(text);
    CHECK_U64(found_bits, expected_bits);
    CHECK_INT(status, isinf(expected) ? ELELEM_ERROR_RANGE : ELELEM_OK);
}

static char *random_digits(char *at, int size)
{
    for (; size > 0; size--)
        *at++ = (char)('0' + random_below(10));
    return at;
}

/* Up to 40 digits with a point anywhere and an exponent, most of them within range. */
static void random_number(char *text)
{
    int whole = random_below(20);
    int fraction = random_below(21);
    char *at = text;

    if (random_bits() & 1) *at++ = '-';
    if (whole > 0) *at++ = (char)('1' + random_below(9));
    else *at++ = '0';
    at = random_digits(at, whole > 0 ? whole - 1 : 0);
    if (fraction > 0) *at++ = '.';
    at = random_digits(at, fraction);
    if (random_below(4) > 0) at += sprintf(at, "e%d", random_below(700) - 360);
    *at = '\0';
}

TEST(random_bits_with_17_digits)
{
    char text[64];
    long i;

    for (i = 0; i < count * 4 / 10; i++) {
        sprintf(text, "%.17g", random_double());
        check_against_strtod(text);
    }
}

TEST(random_digits_up_to_40)
{
    char text[96];
    long i;

    for (i = 0; i < count * 4 / 10; i++) {
        random_number(text);
        check_against_strtod(text);
    }
}

/* Cut to a random count of digits, from 15 to all. */
static void check_some_digits(char *text, int exponent)
{
    int size = (int)strlen(text);
    int kept = size > 15 ? 15 + random_below(size - 14) : size;

    sprintf(text + kept, "e%d", exponent + size - kept);
    check_against_strtod(text);
}

TEST(halfway_points_a_little_less_a_little_more_and_cut)
{
    static char digits[HALFWAY_SIZE];
    static char text[HALFWAY_SIZE + 64];
    long i;

    for (i = 0; i < count / 20; i++) {
        double value = random_double();
        uint64_t bits;
        int exponent;
        memcpy(&bits, &value, sizeof bits);
        exponent = halfway_digits(digits, bits & INT64_MAX);
        sprintf(text, "%se%d", digits, exponent);
        check_against_strtod(text);
        sprintf(text, "-%s0001e%d", digits, exponent - 4);
        check_against_strtod(text);
        strcpy(text, digits);
        check_some_digits(text, exponent);
        digits_less_one(digits);
        sprintf(text, "%s.9999999e%d", digits, exponent);
        check_against_strtod(text);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = (uint64_t)time(NULL);

    if (argc > 1) count = strtol(argv[1], NULL, 10);
    if (argc > 2) seed = strtoull(argv[2], NULL, 10);
    state = seed;
    printf("deep_number %ld %llu\n", count, (unsigned long long)seed);
    RUN(random_bits_with_17_digits)
    RUN(random_digits_up_to_40)
    RUN(halfway_points_a_little_less_a_little_more_and_cut)
    return check_end("deep_number");
}
