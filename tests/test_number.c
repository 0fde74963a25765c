/* number: from text to int64_t, uint64_t and double. Expected values come from RFC 8259,
   from IEEE 754 and from exact arithmetic done here, never from the library. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "halfway.h"
#include "number_grammar.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef NUMBER_ROOM
#define NUMBER_ROOM "number"
#endif

#define INFINITY_BITS UINT64_C(0x7ff0000000000000)
#define SIGN UINT64_C(0x8000000000000000)

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Checks the bits and the status of a text; ERROR_RANGE is expected only for infinities. */
static void check_double(const char *text, size_t size, uint64_t bits)
{
    elelem_str slice;
    double value = 12345.0;

    slice.data = text;
    slice.size = size;
    CHECK_INT(elelem_number_to_double(slice, &value),
              (bits & ~SIGN) == INFINITY_BITS ? ELELEM_ERROR_RANGE : ELELEM_OK);
    CHECK_U64(bits_of(value), bits);
}

static char *new_text(size_t size)
{
    char *text = (char *)malloc(size + 1);

    if (!text) abort();
    memset(text, '0', size);
    text[size] = '\0';
    return text;
}

/* Doubles. */

typedef struct double_row {
    const char *name;
    const char *text;
    uint64_t bits;
} double_row;

static const double_row double_rows[] = {
    {"zero", "0", 0},
    {"minus zero", "-0", SIGN},
    {"minus zero with a fraction and an exponent", "-0.000E-7", SIGN},
    {"zero with an exponent beyond all", "0e999999999999", 0},
    {"minus zero with an exponent beyond all", "-0e-99999999999999999999999", SIGN},
    {"one", "1", UINT64_C(0x3ff0000000000000)},
    {"one tenth", "0.1", UINT64_C(0x3fb999999999999a)},
    {"minus one and a half", "-1.5", UINT64_C(0xbff8000000000000)},
    {"leading zeros in an exponent", "1e0000000000000000000000000000001", UINT64_C(0x4024000000000000)},
    {"a plus in an exponent", "1E+1", UINT64_C(0x4024000000000000)},
    {"ten to the 22", "1e22", UINT64_C(0x4480f0cf064dd592)},
    {"ten to the 23, which is no double", "1e23", UINT64_C(0x44b52d02c7e14af6)},
    {"2^53 - 1", "9007199254740991", UINT64_C(0x433fffffffffffff)},
    {"2^53", "9007199254740992", UINT64_C(0x4340000000000000)},
    {"2^53 + 1, a tie, to even", "9007199254740993", UINT64_C(0x4340000000000000)},
    {"2^53 + 1 as a fraction", "900719925474099.3e1", UINT64_C(0x4340000000000000)},
    {"2^53 + 1 with zeros behind the point", "9007199254740993.00000", UINT64_C(0x4340000000000000)},
    {"2^53 + 1 and a little more", "9007199254740993.0000000000000000000000000001", UINT64_C(0x4340000000000001)},
    {"2^53 + 2", "9007199254740994", UINT64_C(0x4340000000000001)},
    {"2^53 + 3, a tie, to even", "9007199254740995", UINT64_C(0x4340000000000002)},
    {"2^63", "9223372036854775808", UINT64_C(0x43e0000000000000)},
    {"2^64 - 1", "18446744073709551615", UINT64_C(0x43f0000000000000)},
    {"19 nines", "9999999999999999999", UINT64_C(0x43e158e460913d00)},
    {"one and half a unit, a tie, to even", "1.00000000000000011102230246251565404236316680908203125",
     UINT64_C(0x3ff0000000000000)},
    {"one digit below that tie", "1.00000000000000011102230246251565404236316680908203124",
     UINT64_C(0x3ff0000000000000)},
    {"one digit above that tie", "1.00000000000000011102230246251565404236316680908203126",
     UINT64_C(0x3ff0000000000001)},
    {"2^53 + 1, times ten, which must not be rounded twice", "9007199254740993e1", UINT64_C(0x4374000000000001)},
    {"ten to the 308", "1e308", UINT64_C(0x7fe1ccf385ebc8a0)},
    {"the largest double", "1.7976931348623157e308", UINT64_C(0x7fefffffffffffff)},
    {"the largest double, written whole",
     "179769313486231570814527423731704356798070567525844996598917476803157260780028538760589558632766878171540458953"
     "514382464234321326889464182768467546703537516986049910576551282076245490090389328944075868508455133942304583236"
     "903222948165808559332123347974797826204144723168738177180919299881250404026184124858368",
     UINT64_C(0x7fefffffffffffff)},
    {"one below the largest double and half a unit",
     "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416"
     "692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959"
     "622842914819860834936475292719074168444365510704342711559699508093042880177904174497791",
     UINT64_C(0x7fefffffffffffff)},
    {"the largest double and half a unit, a tie, to infinity",
     "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416"
     "692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959"
     "622842914819860834936475292719074168444365510704342711559699508093042880177904174497792",
     INFINITY_BITS},
    {"beyond the largest double", "1.7976931348623159e308", INFINITY_BITS},
    {"minus, beyond the largest double", "-1e309", SIGN | INFINITY_BITS},
    {"the smallest normal double", "2.2250738585072014e-308", UINT64_C(0x0010000000000000)},
    {"the largest subnormal", "2.2250738585072009e-308", UINT64_C(0x000fffffffffffff)},
    {"between them, nearer to the normal", "2.2250738585072012e-308", UINT64_C(0x0010000000000000)},
    {"between them, nearer to the subnormal", "2.2250738585072011e-308", UINT64_C(0x000fffffffffffff)},
    {"the smallest subnormal", "4.9406564584124654e-324", 1},
    {"the shortest text of the smallest subnormal", "5e-324", 1},
    {"above half of the smallest subnormal", "2.4703282292062328e-324", 1},
    {"below half of the smallest subnormal", "2.4703282292062327e-324", 0},
    {"one and a half of the smallest subnormal, nearly", "7.4109846876186981e-324", 1},
    {"one and a half of the smallest subnormal, and more", "7.4109846876186982e-324", 2},
    {"minus, below half of the smallest subnormal", "-1e-324", SIGN},
    {"far below", "1e-999999", 0},
    {"nineteen digits far below", "9999999999999999999e-343", 0},
};

TEST(a_double_is_the_nearest_ties_to_even)
{
    size_t i;

    for (i = 0; i < sizeof double_rows / sizeof double_rows[0]; i++) {
        check_context(double_rows[i].name);
        check_double(double_rows[i].text, strlen(double_rows[i].text), double_rows[i].bits);
    }
}

TEST(the_rounding_mode_of_the_machine_does_not_matter)
{
    static const int modes[] = {
#ifdef FE_TONEAREST
        FE_TONEAREST,
#endif
#ifdef FE_UPWARD
        FE_UPWARD,
#endif
#ifdef FE_DOWNWARD
        FE_DOWNWARD,
#endif
#ifdef FE_TOWARDZERO
        FE_TOWARDZERO,
#endif
        -1, /* none: a machine without rounding modes has the one it is in */
    };
    size_t i, k;

    for (k = 0; k < sizeof modes / sizeof modes[0]; k++) {
        if (modes[k] != -1 && fesetround(modes[k]) != 0) continue;
        for (i = 0; i < sizeof double_rows / sizeof double_rows[0]; i++) {
            check_context(double_rows[i].name);
            check_double(double_rows[i].text, strlen(double_rows[i].text), double_rows[i].bits);
        }
    }
#ifdef FE_TONEAREST
    fesetround(FE_TONEAREST);
#endif
}

/* "0." + zeros + "1e" + exponent; "1" + zeros + "e" + exponent if `point` is 0. */
static char *text_with_zeros(int point, size_t zeros, const char *exponent)
{
    char *text = new_text(zeros + 64);

    if (point) {
        memcpy(text, "0.", 2);
        sprintf(text + 2 + zeros, "1e%s", exponent);
    } else {
        text[0] = '1';
        sprintf(text + 1 + zeros, "e%s", exponent);
    }
    return text;
}

static void check_zeros(int point, size_t zeros, const char *exponent, uint64_t bits)
{
    char *text = text_with_zeros(point, zeros, exponent);

    check_double(text, strlen(text), bits);
    free(text);
}

TEST(j4_extreme_exponents_never_overflow)
{
    static const double_row rows[] = {
        {"an exponent near the least of 32 bits", "1.00000000001e-2147483638", 0},
        {"an exponent of 20 digits", "1e99999999999999999999", INFINITY_BITS},
        {"minus, an exponent of 20 digits", "-1e99999999999999999999", SIGN | INFINITY_BITS},
        {"minus, an exponent of minus 20 digits", "-1e-99999999999999999999", SIGN},
        {"minus zero", "-0", SIGN},
        {"the largest exponent of 32 bits", "1e2147483647", INFINITY_BITS},
        {"one more", "1e2147483648", INFINITY_BITS},
        {"2^32 and 1, no exponent of 1", "1e4294967297", INFINITY_BITS},
        {"the largest exponent of 64 bits", "1e9223372036854775807", INFINITY_BITS},
        {"2^64 and 1, no exponent of 1", "1e18446744073709551617", INFINITY_BITS},
        {"minus 2^64 and 1", "1e-18446744073709551617", 0},
        {"a fraction with the least exponent of 64 bits", "0.01e-9223372036854775808", 0},
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_context(rows[i].name);
        check_double(rows[i].text, strlen(rows[i].text), rows[i].bits);
    }
    check_context("4000 zeros, and an exponent that makes up for them");
    check_zeros(1, 4000, "4001", UINT64_C(0x3ff0000000000000));
    check_zeros(0, 4000, "-4000", UINT64_C(0x3ff0000000000000));
    check_context("a million zeros, and an exponent that makes up for them");
    check_zeros(1, 1000000, "1000001", UINT64_C(0x3ff0000000000000));
    check_zeros(0, 1000000, "-1000000", UINT64_C(0x3ff0000000000000));
    check_context("ten million zeros, and an exponent that makes up for them");
    check_zeros(1, 10000000, "10000001", UINT64_C(0x3ff0000000000000));
    check_context("a million zeros, and an exponent that does not");
    check_zeros(1, 1000000, "+1000310", INFINITY_BITS);
    check_zeros(0, 1000000, "-1000324", 0);
}

TEST(a_digit_a_million_places_later_breaks_a_tie)
{
    size_t size = 1000000;
    char *text = new_text(size);

    memcpy(text, "9007199254740993.", 17);
    check_double(text, size, UINT64_C(0x4340000000000000));
    text[size - 1] = '1';
    check_double(text, size, UINT64_C(0x4340000000000001));
    free(text);
}

TEST(a_point_after_hundreds_of_digits_breaks_no_tie)
{
    char *text = new_text(824);

    memcpy(text, "9007199254740993", 16);
    memcpy(text + 816, ".0e-800", 8);
    check_double(text, 823, UINT64_C(0x4340000000000000));
    text[817] = '1';
    check_double(text, 823, UINT64_C(0x4340000000000001));
    free(text);
}

TEST(a_million_digits_are_one_number) /* J4 */
{
    size_t size = 1000000;
    char *text = new_text(size + 16);

    memset(text, '3', size);
    check_double(text, size, INFINITY_BITS);
    memcpy(text + size, "e-1000000", 10);
    check_double(text, size + 9, UINT64_C(0x3fd5555555555555)); /* one third */
    free(text);
}

TEST(only_the_bytes_of_the_slice_are_read)
{
    static const char *const texts[] = { "12345678901234567890.5e17", "-1200.50e+1", "-0" };
    size_t i, size;

    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (size = 1; size <= strlen(texts[i]); size++) {
            char *exact = (char *)malloc(size); /* so that a sanitizer sees a byte too many */
            elelem_str text;
            double value = 0;
            int64_t integer;
            if (!exact) abort();
            memcpy(exact, texts[i], size);
            text.data = exact;
            text.size = size;
            CHECK_INT(elelem_number_to_double(text, &value), is_json_number(exact, size) ? ELELEM_OK : ELELEM_ERROR_SYNTAX);
            CHECK_INT(elelem_number_to_int64(text, &integer) == ELELEM_ERROR_SYNTAX, !is_json_number(exact, size));
            free(exact);
        }
    }
    check_double("123", 2, UINT64_C(0x4028000000000000));
    check_double("1e30", 1, UINT64_C(0x3ff0000000000000));
}

/* Halfway points. */

/* The point halfway between the double with these bits and the next, a little less, a little more. */
static void check_halfway(uint64_t bits)
{
    static char text[HALFWAY_SIZE];
    int exponent = halfway_digits(text, bits);
    size_t size = strlen(text);
    size_t end = size + (size_t)sprintf(text + size, "e%d", exponent);

    check_double(text, end, bits + (bits & 1));
    end = size + (size_t)sprintf(text + size, "0000000001e%d", exponent - 10);
    check_double(text, end, bits + 1);
    text[size] = '\0';
    digits_less_one(text);
    end = size + (size_t)sprintf(text + size, "9999999999e%d", exponent - 10);
    check_double(text, end, bits);
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

TEST(ties_at_every_exponent_are_decided_exactly)
{
    uint64_t biased;

    for (biased = 0; biased <= 2046; biased++) {
        uint64_t lowest = biased << 52;
        char name[32];
        sprintf(name, "biased exponent %d", (int)biased);
        check_context(name);
        check_halfway(lowest);
        check_halfway(lowest | UINT64_C(0xfffffffffffff));
        check_halfway(lowest | (random_bits() & UINT64_C(0xfffffffffffff)));
    }
}

TEST(ties_between_subnormals_of_every_size_are_decided_exactly)
{
    int shift;

    for (shift = 12; shift < 64; shift++) {
        check_context("subnormal");
        check_halfway(UINT64_MAX >> shift);
        check_halfway((UINT64_MAX >> shift) + 1);
        check_halfway(random_bits() >> shift);
    }
}

/* Integers. */

typedef struct integer_row {
    const char *text;
    elelem_status as_int64;
    int64_t int64;
    elelem_status as_uint64;
    uint64_t uint64;
} integer_row;

#define BOTH(value) ELELEM_OK, value, ELELEM_OK, value
#define ONLY_SIGNED(value) ELELEM_OK, value, ELELEM_ERROR_RANGE, 0
#define ONLY_UNSIGNED(value) ELELEM_ERROR_RANGE, 0, ELELEM_OK, value
#define TOO_LARGE ELELEM_ERROR_RANGE, 0, ELELEM_ERROR_RANGE, 0
#define FRACTION ELELEM_ERROR_NOT_INTEGER, 0, ELELEM_ERROR_NOT_INTEGER, 0

static const integer_row integer_rows[] = {
    {"0", BOTH(0)},
    {"-0", BOTH(0)},
    {"-0.0e5", BOTH(0)},
    {"0e999999999999", BOTH(0)},
    {"0e-999999999999", BOTH(0)},
    {"0.00000000000000000000000000000000000000", BOTH(0)},
    {"-0.00000000000000000000000000000000000000e1", BOTH(0)},
    {"7", BOTH(7)},
    {"-7", ONLY_SIGNED(-7)},
    {"-1", ONLY_SIGNED(-1)},
    {"-1.0e0", ONLY_SIGNED(-1)},
    {"1e2", BOTH(100)},
    {"1E+02", BOTH(100)},
    {"5.0", BOTH(5)},
    {"-5.0", ONLY_SIGNED(-5)},
    {"1.50e1", BOTH(15)},
    {"1.5e1", BOTH(15)},
    {"1500e-2", BOTH(15)},
    {"10.00", BOTH(10)},
    {"100e-2", BOTH(1)},
    {"100.0e-2", BOTH(1)},
    {"100.0e-3", FRACTION},
    {"0.001e3", BOTH(1)},
    {"0.00000000000000000000000123e25", FRACTION},
    {"0.00000000000000000000000123e26", BOTH(123)},
    {"0.00000000000000000000000123e27", BOTH(1230)},
    {"1000000000000000000000000000000e-30", BOTH(1)},
    {"12.000000000000000000000000000000", BOTH(12)},
    {"0.5", FRACTION},
    {"-0.5", FRACTION},
    {"1.5", FRACTION},
    {"15e-1", FRACTION},
    {"1e-1", FRACTION},
    {"1e-99999999999999999999", FRACTION},
    {"1000000000000000000000000000000.5", FRACTION},
    {"12.000000000000000000000000000001", FRACTION},
    {"1.00000000001e-2147483638", FRACTION},
    {"999999999999999999", BOTH(999999999999999999)},
    {"9223372036854775806", BOTH(9223372036854775806)},
    {"9223372036854775807", BOTH(INT64_MAX)},
    {"9223372036854775807.000", BOTH(INT64_MAX)},
    {"922337203685477580.7e1", BOTH(INT64_MAX)},
    {"9223372036854775808", ONLY_UNSIGNED(UINT64_C(9223372036854775808))},
    {"9.223372036854775808e18", ONLY_UNSIGNED(UINT64_C(9223372036854775808))},
    {"1e19", ONLY_UNSIGNED(UINT64_C(10000000000000000000))},
    {"18446744073709551614", ONLY_UNSIGNED(UINT64_MAX - 1)},
    {"18446744073709551615", ONLY_UNSIGNED(UINT64_MAX)},
    {"1.8446744073709551615e19", ONLY_UNSIGNED(UINT64_MAX)},
    {"18446744073709551615.0", ONLY_UNSIGNED(UINT64_MAX)},
    {"18446744073709551616", TOO_LARGE},
    {"18446744073709551620", TOO_LARGE},
    {"18446744073709551625", TOO_LARGE},
    {"20000000000000000000", TOO_LARGE},
    {"99999999999999999999", TOO_LARGE},
    {"1e20", TOO_LARGE},
    {"36893488147419103232", TOO_LARGE}, /* 2^65 */
    {"340282366920938463463374607431768211456", TOO_LARGE}, /* 2^128 */
    {"1e99999999999999999999", TOO_LARGE},
    {"-1e99999999999999999999", TOO_LARGE},
    {"1e18446744073709551616", TOO_LARGE},
    {"-9223372036854775807", ONLY_SIGNED(-INT64_MAX)},
    {"-9223372036854775808", ONLY_SIGNED(INT64_MIN)},
    {"-9223372036854775808.0", ONLY_SIGNED(INT64_MIN)},
    {"-9223372036854775809", TOO_LARGE},
    {"-18446744073709551615", TOO_LARGE},
    {"-18446744073709551616", TOO_LARGE},
};

static void check_integer(elelem_str text, const integer_row *row)
{
    int64_t as_int64 = 77;
    uint64_t as_uint64 = 77;

    CHECK_INT(elelem_number_to_int64(text, &as_int64), row->as_int64);
    CHECK_INT(as_int64, row->as_int64 == ELELEM_OK ? row->int64 : 77);
    CHECK_INT(elelem_number_to_uint64(text, &as_uint64), row->as_uint64);
    CHECK_U64(as_uint64, row->as_uint64 == ELELEM_OK ? row->uint64 : 77);
}

TEST(integers_are_exact_however_they_are_written)
{
    size_t i;

    for (i = 0; i < sizeof integer_rows / sizeof integer_rows[0]; i++) {
        check_context(integer_rows[i].text);
        check_integer(elelem_str_of(integer_rows[i].text), &integer_rows[i]);
    }
}

TEST(integers_of_many_zeros_are_still_integers)
{
    static const integer_row one = {"1", BOTH(1)};
    static const integer_row large = {"1e20", TOO_LARGE};
    static const integer_row tenth = {"0.1", FRACTION};
    static const struct {
        int point;
        const char *exponent;
        const integer_row *row;
    } rows[] = {{1, "1000001", &one},   {0, "-1000000", &one},   {1, "1000021", &large},
                {0, "-999980", &large}, {1, "1000000", &tenth}, {0, "-1000001", &tenth}};
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = text_with_zeros(rows[i].point, 1000000, rows[i].exponent);
        check_context(rows[i].exponent);
        check_integer(elelem_str_of(text), rows[i].row);
        free(text);
    }
}

/* Grammar. */

/* All three refuse it and do not change the value, or none does. */
static void check_grammar(const char *text, size_t size)
{
    elelem_str slice;
    int64_t as_int64 = 77;
    uint64_t as_uint64 = 77;
    double as_double = 77;
    int is_number = is_json_number(text, size);

    slice.data = text;
    slice.size = size;
    CHECK((elelem_number_to_double(slice, &as_double) != ELELEM_ERROR_SYNTAX) == is_number);
    CHECK((elelem_number_to_int64(slice, &as_int64) != ELELEM_ERROR_SYNTAX) == is_number);
    CHECK((elelem_number_to_uint64(slice, &as_uint64) != ELELEM_ERROR_SYNTAX) == is_number);
    if (is_number) return;
    CHECK_INT(as_int64, 77);
    CHECK_U64(as_uint64, 77);
    CHECK(as_double == 77);
}

TEST(j7_texts_that_are_no_json_numbers_are_refused)
{
    static const char *const texts[] = {
        "",      "+1",   "01",   "-01",  "00",    "1.",     ".5",     "-.5",       "1e",   "1e+",       "1E-",
        "-",     "+",    ".",    "e5",   "1.e5",  "1e5.0",  "1e5e5",  "1.2.3",     "--1",  "-+1",       "1-",
        "1+1",   " 1",   "1 ",   "1\n",  "0x10",  "1_000",  "1,5",    "NaN",       "nan",  "Infinity",  "-Infinity",
        "inf",   "1f",   "1d",   "1L",   "true",  "1e 5",   "1 e5",   "- 1",       "0b1",  "\xef\xbc\x91", "12345678x",
        "1234567/", "12345678:", "0.1234567g", "0.12345678\x80", "1e--5", "00.5", "0e", "-0e+", "1.5.",
    };
    size_t i;

    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_context(texts[i]);
        CHECK(!is_json_number(texts[i], strlen(texts[i])));
        check_grammar(texts[i], strlen(texts[i]));
    }
    check_context("a null slice");
    check_grammar(NULL, 0);
    check_context("a zero byte at the end");
    check_grammar("1", 2);
}

TEST(every_text_of_six_characters_is_checked_against_the_grammar)
{
    static const char alphabet[] = "-+.eE019x";
    char text[7] = "";
    int size;

    check_context(text);
    for (size = 1; size <= 6; size++) {
        long count = 1, number;
        int i;
        for (i = 0; i < size; i++)
            count *= 9;
        for (number = 0; number < count; number++) {
            long left = number;
            for (i = 0; i < size; i++, left /= 9)
                text[i] = alphabet[left % 9];
            text[size] = '\0';
            check_grammar(text, (size_t)size);
        }
    }
}

TEST(any_byte_at_any_place_of_a_long_number_is_checked_against_the_grammar)
{
    static const char number[] = "-123456789012345678901234.98765432109876e+12";
    char text[sizeof number];
    size_t at;
    int byte;

    for (at = 0; at + 1 < sizeof number; at++) {
        for (byte = 0; byte < 256; byte++) {
            memcpy(text, number, sizeof number);
            text[at] = (char)byte;
            check_grammar(text, sizeof number - 1);
        }
    }
}

/* What exactness depends on. These tests call private functions. */

TEST(products_of_128_bits_are_exact)
{
    static const uint64_t values[] = {0,          1,          2,          0xffffffffu, UINT64_C(0x100000000),
                                      UINT64_MAX, UINT64_MAX - 1, UINT64_C(0xffffffff00000000), UINT64_C(1) << 63};
    size_t count = sizeof values / sizeof values[0];
    size_t i;

    for (i = 0; i < 20000; i++) {
        uint64_t a = i < count * count ? values[i / count] : random_bits();
        uint64_t b = i < count * count ? values[i % count] : random_bits();
        uint64_t high = 0, low = 0;
        els_wide product = els_multiply(a, b);
        int bit;
        for (bit = 63; bit >= 0; bit--) { /* bit by bit, for comparison */
            high = high << 1 | low >> 63;
            low <<= 1;
            if (!(a >> bit & 1)) continue;
            low += b;
            high += low < b;
        }
        CHECK_U64(product.high, high);
        CHECK_U64(product.low, low);
    }
}

/* A large integer of bytes, the most significant first. It is used for the powers below. */
#define BYTES 160

static void bytes_multiply(unsigned char *bytes, unsigned factor)
{
    unsigned carry = 0;
    int i;

    for (i = BYTES - 1; i >= 0; i--) {
        carry += bytes[i] * factor;
        bytes[i] = (unsigned char)carry;
        carry >>= 8;
    }
}

/* Rounds down. */
static void bytes_divide(unsigned char *bytes, unsigned divisor)
{
    unsigned rest = 0;
    int i;

    for (i = 0; i < BYTES; i++) {
        rest = rest << 8 | bytes[i];
        bytes[i] = (unsigned char)(rest / divisor);
        rest %= divisor;
    }
}

/* The 128 bits from the first that is set; `length` is the number of bits from there, `exact` is nonzero if
   all below are zero. */
static els_wide bytes_top(const unsigned char *bytes, int *length, int *exact)
{
    els_wide top;
    int first = 0;
    int i;

    while (!(bytes[first / 8] >> (7 - first % 8) & 1))
        first++;
    top.high = top.low = 0;
    *length = BYTES * 8 - first;
    *exact = 1;
    for (i = first; i < BYTES * 8; i++) {
        int bit = bytes[i / 8] >> (7 - i % 8) & 1;
        if (i - first >= 128) *exact = *exact && !bit;
        else if (i - first >= 64) top.low |= (uint64_t)bit << (127 - (i - first));
        else top.high |= (uint64_t)bit << (63 - (i - first));
    }
    return top;
}

/* 5^power in 128 bits, rounded down, and the whole part of its binary logarithm. A negative power is taken as
   2^1270 / 5^-power: flooring at each division gives the floor of the whole. */
static els_wide five_to(int power, int *log2, int *exact)
{
    unsigned char bytes[BYTES];
    els_wide top;
    int length;
    int i;

    memset(bytes, 0, sizeof bytes);
    if (power >= 0) bytes[BYTES - 1] = 1;
    else bytes[1] = 0x40;
    for (i = 0; i < power; i++)
        bytes_multiply(bytes, 5);
    for (i = 0; i < -power; i++)
        bytes_divide(bytes, 5);
    top = bytes_top(bytes, &length, exact);
    *log2 = length - 1 - (power < 0 ? BYTES * 8 - 10 : 0);
    if (power < 0) *exact = 0;
    return top;
}

TEST(the_tables_of_powers_of_five_are_right)
{
    uint64_t small = 1;
    int log2, exact;
    int i;

    for (i = 0; i < 25; i++) {
        els_wide expected = five_to(28 * (i - 13), &log2, &exact);
        CHECK_U64(els_powers_of_five[i].high, expected.high);
        CHECK_U64(els_powers_of_five[i].low, expected.low);
    }
    for (i = 0; i < 28; i++, small *= 5)
        CHECK_U64(els_small_powers_of_five[i], small);
}

TEST(every_power_of_ten_is_too_small_by_less_than_three)
{
    int power;

    for (power = ELS_POWER_MIN; power <= ELS_POWER_MAX; power++) {
        int log2, exact;
        els_wide expected = five_to(power, &log2, &exact);
        els_wide found = els_power_of_ten(power);
        char name[32];
        sprintf(name, "power %d", power);
        check_context(name);
        /* The true value is expected + something below 1, so that found + 2 >= expected will do. */
        CHECK_U64(found.high, expected.high - (found.low > expected.low));
        CHECK(expected.low - found.low <= 2);
        CHECK_INT(els_log2_of_ten(power), log2 + power);
        CHECK_INT(exact, power >= 0 && power <= ELS_POWER_EXACT);
        if (exact) CHECK_U64(found.low, expected.low);
    }
}

TEST(the_negative_powers_of_ten_are_the_upper_halves_of_the_larger_ones)
{
    int power;

    for (power = -1; power >= -27; power--)
        CHECK_U64(els_negative_powers_of_ten[-power - 1], els_power_of_ten(power).high);
}

/* One number in a thousand is left to the other way. */
TEST(one_product_gives_what_exact_integers_give_or_nothing)
{
    char text[32];
    els_number number;
    uint64_t found;
    size_t i, open = 0;

    for (i = 0; i < 200000; i++) {
        unsigned places = 1 + (unsigned)(random_bits() % 27);
        uint64_t digits = random_bits() % UINT64_C(10000000000000000000) >> random_bits() % 40;
        snprintf(text, sizeof text, "%" PRIu64 "e-%u", digits, places);
        CHECK(els_number_read(elelem_str_of(text), &number));
        found = els_number_near_bits(&number);
        if (found == 0) open++;
        else CHECK_U64(found, els_number_bits(&number));
    }
    CHECK(open > 0 && open < 1000);
}

/* Of numbers that 128 bits hold. Which way they are rounded depends on few of these bits, and seldom. */
TEST(an_estimate_has_the_bits_of_the_product)
{
    uint64_t power;
    int exponent, i;

    for (exponent = 0, power = 1; exponent < 20; exponent++, power *= 10)
        for (i = 0; i < 200; i++) {
            uint64_t digits = random_bits() >> random_bits() % 60 | 1;
            els_wide product = els_multiply(digits, power);
            int zeros = product.high ? els_leading_zeros(product.high) : 64 + els_leading_zeros(product.low);
            els_number number;
            els_estimate found;
            memset(&number, 0, sizeof number);
            number.significand = digits;
            number.exponent = exponent;
            found = els_number_estimate(&number);
            if (zeros >= 64) {
                product.high = product.low << (zeros - 64);
                product.low = 0;
            } else if (zeros > 0) {
                product.high = product.high << zeros | product.low >> (64 - zeros);
                product.low <<= zeros;
            }
            CHECK_U64(found.high, product.high >> 2);
            CHECK_U64(found.low, product.high << 62 | product.low >> 2);
            CHECK_INT(found.rest, (product.low & 3) != 0);
            CHECK_INT(found.exponent, 127 - zeros);
            CHECK_U64(found.error.high + found.error.low, 0);
        }
}

/* Private, because sides of different sizes come of no number so far: both are nearly equal. */
TEST(integers_of_different_sizes_compare_by_their_size)
{
    els_big less, more;

    els_big_set(&less, UINT64_C(0xffffffff));
    els_big_set(&more, UINT64_C(0x100000000));
    CHECK_INT(els_big_compare(&less, &more), -1);
    CHECK_INT(els_big_compare(&more, &less), 1);
    CHECK_INT(els_big_compare(&more, &more), 0);
}

TEST(a_number_in_the_middle_is_above_it_if_any_bit_follows)
{
    els_estimate estimate;

    memset(&estimate, 0, sizeof estimate);
    estimate.high = 1u << 8;
    CHECK_INT(els_estimate_side(&estimate, 9), ELS_SIDE_MIDDLE);
    estimate.rest = 1;
    CHECK_INT(els_estimate_side(&estimate, 9), ELS_SIDE_ABOVE);
    estimate.rest = 0;
    estimate.low = 1;
    CHECK_INT(els_estimate_side(&estimate, 9), ELS_SIDE_ABOVE);
}

TEST(numbers_with_309_digits_that_are_above_the_largest_double_are_infinite)
{
    check_double("2e308", 5, INFINITY_BITS);
    check_double("-9.99e308", 9, INFINITY_BITS | SIGN);
    check_double("1.7976931348623159e308", 22, INFINITY_BITS);
}

CHECK_MAIN(NUMBER_ROOM,
    RUN(an_estimate_has_the_bits_of_the_product)
    RUN(a_double_is_the_nearest_ties_to_even)
    RUN(the_rounding_mode_of_the_machine_does_not_matter)
    RUN(j4_extreme_exponents_never_overflow)
    RUN(a_digit_a_million_places_later_breaks_a_tie)
    RUN(a_point_after_hundreds_of_digits_breaks_no_tie)
    RUN(a_million_digits_are_one_number)
    RUN(only_the_bytes_of_the_slice_are_read)
    RUN(ties_at_every_exponent_are_decided_exactly)
    RUN(ties_between_subnormals_of_every_size_are_decided_exactly)
    RUN(integers_are_exact_however_they_are_written)
    RUN(integers_of_many_zeros_are_still_integers)
    RUN(j7_texts_that_are_no_json_numbers_are_refused)
    RUN(every_text_of_six_characters_is_checked_against_the_grammar)
    RUN(any_byte_at_any_place_of_a_long_number_is_checked_against_the_grammar)
    RUN(products_of_128_bits_are_exact)
    RUN(the_tables_of_powers_of_five_are_right)
    RUN(every_power_of_ten_is_too_small_by_less_than_three)
    RUN(the_negative_powers_of_ten_are_the_upper_halves_of_the_larger_ones)
    RUN(one_product_gives_what_exact_integers_give_or_nothing)
    RUN(integers_of_different_sizes_compare_by_their_size)
    RUN(a_number_in_the_middle_is_above_it_if_any_bit_follows)
    RUN(numbers_with_309_digits_that_are_above_the_largest_double_are_infinite))
