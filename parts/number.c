#ifndef ELS_NUMBER_C
#define ELS_NUMBER_C
#include "number.h"
#include "base.c"

/* >> number */

#include <float.h>

#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "elelem_number_to_double makes doubles of IEEE 754 binary64; this compiler has others."
#endif

/* From text to double: the digits are read into a 64-bit integer and a power of ten.
   If both are small, one floating point operation gives the result (Clinger). Else their
   product is computed in 128 bits, with a bound on its error (the method of Eisel and Lemire).
   If the number may be on either side of a rounding point within that error, big integers
   decide. Only the first of these three uses the floating point unit, and only if it rounds
   to nearest. */

/* A number as it was read. Leading zeros are among its digits until els_number_skip_zeros;
   the decimal point is always among them. */
typedef struct els_number {
    const char *digits;   /* the first digit */
    const char *end;      /* after the last digit */
    int64_t top;          /* the place of the first digit is 10^top */
    uint64_t significand; /* the first digits, up to 19 from the first that is not 0 ... */
    int64_t exponent;     /* ... and the place of the last of them is 10^exponent */
    int cut;              /* nonzero: more digits follow those */
    int negative;
} els_number;

/* An exponent stops growing when it reaches this. Larger ones give the same result, because
   no text has enough digits to make up for them; and the sum of an exponent and the size of a
   text fits 64 bits. */
#define ELS_EXPONENT_MAX INT64_C(100000000000000000)

ELS_INLINE int els_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

#ifdef ELELEM_NO_FAST

/* Appends digits to `value`, modulo 2^64, and returns the end of the digits. */
ELS_PRIVATE const char *els_digits_read(const char *start, const char *at, const char *end, uint64_t *value)
{
    (void)start;
    for (; at < end && els_is_digit(*at); at++)
        *value = *value * 10 + (unsigned)(*at - '0');
    return at;
}

#else

/* Returns eight characters, the first in the lowest byte. Compilers make one load of it. */
ELS_INLINE uint64_t els_eight_characters(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;

    return (uint64_t)byte[0] | (uint64_t)byte[1] << 8 | (uint64_t)byte[2] << 16 | (uint64_t)byte[3] << 24 |
           (uint64_t)byte[4] << 32 | (uint64_t)byte[5] << 40 | (uint64_t)byte[6] << 48 | (uint64_t)byte[7] << 56;
}

/* Returns how many of eight characters are digits, from the first. As numbers these are below 10, and adding 0x76 sets the highest
   bit of all others. What that carries into the next character does not matter: it is after one that is no digit. */
ELS_INLINE unsigned els_eight_digits(uint64_t eight)
{
    uint64_t digits = eight ^ UINT64_C(0x3030303030303030);
    uint64_t others = ((digits + UINT64_C(0x7676767676767676)) | digits) & UINT64_C(0x8080808080808080);

#if defined(__GNUC__)
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
#else
    unsigned count = 0;

    for (; count < 8 && !(others & 0x80); others >>= 8)
        count++;
    return count;
#endif
}

/* Joins adjacent digits to numbers of two, four and eight digits. Each product adds the number in
   the upper half to 10, 100 or 10000 times the one in the lower half, which is more significant. */
ELS_INLINE uint64_t els_eight_value(uint64_t eight)
{
    eight = ((eight & UINT64_C(0x0f0f0f0f0f0f0f0f)) * (10 * 256 + 1)) >> 8;
    eight = ((eight & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 65536 + 1)) >> 16;
    return ((eight & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) * 4294967296 + 1)) >> 32;
}

/* Returns the next eight characters, zeros after the end. The text has eight or more. */
ELS_INLINE uint64_t els_next_characters(const char *at, const char *end)
{
    size_t left = (size_t)(end - at);

    if (left == 0) return 0;
    return els_eight_characters(left < 8 ? end - 8 : at) >> (left < 8 ? 64 - 8 * left : 0);
}

/* Appends digits to `value`, modulo 2^64, and returns the end of the digits. Eight at a time, also of fewer: this takes a quarter of
   the instructions off a number of 17 digits. `start` is where the text starts. */
ELS_INLINE const char *els_digits_read(const char *start, const char *at, const char *end, uint64_t *value)
{
    static const uint32_t tens[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
    uint64_t eight, sum = *value;
    unsigned count = 8;

    if (end - start >= 8) {
        for (; (count = els_eight_digits(eight = els_next_characters(at, end))) == 8; at += 8)
            sum = sum * 100000000 + els_eight_value(eight);
        if (count > 0) sum = sum * tens[count] + els_eight_value(eight << (64 - 8 * count));
        at += count;
    } else {
        for (; at < end && els_is_digit(*at); at++)
            sum = sum * 10 + (unsigned)(*at - '0');
    }
    *value = sum;
    return at;
}

#endif

/* exp = e [ minus / plus ] 1*DIGIT. Reads what follows the e, and returns its end; null if there is no digit. */
ELS_PRIVATE const char *els_exponent_read(const char *at, const char *end, int64_t *exponent)
{
    int negative = at < end && *at == '-';
    const char *first;
    int64_t value = 0;

    if (at < end && (*at == '-' || *at == '+')) at++;
    for (first = at; at < end && els_is_digit(*at); at++)
        if (value < ELS_EXPONENT_MAX) value = value * 10 + (*at - '0');
    *exponent = negative ? -value : value;
    return at > first ? at : NULL;
}

/* Moves `digits` to the first digit that is not 0, or to the end if all are 0. */
ELS_PRIVATE void els_number_skip_zeros(els_number *number)
{
    for (; number->digits < number->end; number->digits++) {
        if (*number->digits == '0') number->top--;
        else if (*number->digits != '.') return;
    }
}

/* Reads the significand again, from at most 19 digits, because more may not fit. */
ELS_PRIVATE void els_number_cut(els_number *number)
{
    const char *at;
    int count = 0;

    els_number_skip_zeros(number);
    number->significand = 0;
    for (at = number->digits; at < number->end && count < 19; at++) {
        if (*at == '.') continue;
        number->significand = number->significand * 10 + (uint64_t)(*at - '0');
        count++;
    }
    number->exponent = number->top - count + 1;
    number->cut = at < number->end;
}

/* number = [ minus ] int [ frac ] [ exp ]     (RFC 8259, 6)
   int = zero / ( digit1-9 *DIGIT )            frac = decimal-point 1*DIGIT
   Zero if the text is anything else. */
ELS_PRIVATE int els_number_read(elelem_str text, els_number *number)
{
    const char *at = text.data;
    const char *end;
    int64_t whole;
    int64_t fraction = 0;
    int64_t scale = 0;

    if (text.size == 0) return 0;
    end = at + text.size;
    number->negative = *at == '-';
    at += number->negative;
    number->digits = at;
    number->significand = 0;
    number->cut = 0;
    at = els_digits_read(text.data, at, end, &number->significand);
    whole = at - number->digits;
    if (whole == 0 || (whole > 1 && *number->digits == '0')) return 0;
    if (at < end && *at == '.') {
        const char *first = at + 1;
        at = els_digits_read(text.data, first, end, &number->significand);
        fraction = at - first;
        if (fraction == 0) return 0;
    }
    number->end = at;
    if (at < end && (*at == 'e' || *at == 'E')) at = els_exponent_read(at + 1, end, &scale);
    number->top = whole - 1 + scale;
    number->exponent = scale - fraction;
    if (whole + fraction > 19) els_number_cut(number);
    return at == end;
}

/* Integers. */

#ifdef ELELEM_NO_FAST

/* An integer while its digits are read. Zeros wait for a digit after them, because those at the end may be after the point. */
typedef struct els_integer {
    uint64_t value;
    size_t zeros;
    int is_too_large;
} els_integer;

ELS_PRIVATE void els_integer_add(els_integer *integer, unsigned digit)
{
    uint64_t value = integer->value;

    if (value > UINT64_MAX / 10 || (value == UINT64_MAX / 10 && digit > UINT64_MAX % 10)) integer->is_too_large = 1;
    else integer->value = value * 10 + digit;
}

/* Reads digits and returns their end. */
ELS_PRIVATE const char *els_integer_read(els_integer *integer, const char *at, const char *end)
{
    for (; at < end && els_is_digit(*at); at++) {
        integer->zeros++;
        if (*at == '0') continue;
        for (; integer->zeros > 1; integer->zeros--)
            els_integer_add(integer, 0);
        els_integer_add(integer, (unsigned)(*at - '0'));
        integer->zeros = 0;
    }
    return at;
}

/* Multiplies by a power of ten, to which the zeros that wait belong. */
ELS_PRIVATE elelem_status els_integer_scale(els_integer *integer, int64_t power)
{
    if (integer->value == 0) return ELELEM_OK;
    if (power < 0) return ELELEM_ERROR_NOT_INTEGER;
    for (; power > 0 && !integer->is_too_large; power--)
        els_integer_add(integer, 0);
    return integer->is_too_large ? ELELEM_ERROR_RANGE : ELELEM_OK;
}

/* Reads a text as an integer, in two parts, without the steps that a double needs. `negative` is zero for a zero. */
ELS_PRIVATE elelem_status els_number_integer(elelem_str text, uint64_t *magnitude, int *negative)
{
    els_integer integer = { 0, 0, 0 };
    const char *at = text.data, *end, *first;
    int64_t power = 0, fraction = 0;
    elelem_status status;
    int is_negative;

    if (text.size == 0) return ELELEM_ERROR_SYNTAX;
    end = at + text.size;
    is_negative = *at == '-';
    first = at + is_negative;
    at = els_integer_read(&integer, first, end);
    if (at == first || (at - first > 1 && *first == '0')) return ELELEM_ERROR_SYNTAX;
    if (at < end && *at == '.') {
        first = at + 1;
        at = els_integer_read(&integer, first, end);
        fraction = at - first;
        if (fraction == 0) return ELELEM_ERROR_SYNTAX;
    }
    if (at < end && (*at == 'e' || *at == 'E')) at = els_exponent_read(at + 1, end, &power);
    if (at != end) return ELELEM_ERROR_SYNTAX;
    status = els_integer_scale(&integer, power - fraction + (int64_t)integer.zeros);
    *magnitude = integer.value;
    *negative = is_negative && integer.value > 0;
    return status;
}

#else

/* Returns the number of digits. */
ELS_PRIVATE int64_t els_number_count(const els_number *number)
{
    const char *at;
    int64_t count = 0;

    for (at = number->digits; at < number->end; at++)
        count += *at != '.';
    return count;
}

/* Computes the integer of `top` + 1 digits: those of the text, and zeros after them. Zero if it
   does not fit. */
ELS_PRIVATE int els_number_expand(const els_number *number, uint64_t *value)
{
    const char *at = number->digits;
    uint64_t sum = 0;
    int64_t left;

    for (left = number->top; left >= 0; left--) {
        unsigned digit;
        if (at < number->end && *at == '.') at++;
        digit = at < number->end ? (unsigned)(*at++ - '0') : 0;
        if (sum > UINT64_MAX / 10 || (sum == UINT64_MAX / 10 && digit > UINT64_MAX % 10)) return 0;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return 1;
}

/* Computes the value without its sign, if it is an integer, in whatever form it is written. */
ELS_PRIVATE elelem_status els_number_magnitude(els_number *number, uint64_t *value)
{
    *value = number->significand;
    if (number->exponent == 0 && !number->cut) return ELELEM_OK;
    els_number_skip_zeros(number);
    while (number->end > number->digits && (number->end[-1] == '0' || number->end[-1] == '.'))
        number->end--;
    if (number->end == number->digits) return ELELEM_OK; /* all were zeros, and so is *value */
    if (number->top - els_number_count(number) + 1 < 0) return ELELEM_ERROR_NOT_INTEGER;
    if (number->top > 19) return ELELEM_ERROR_RANGE;
    return els_number_expand(number, value) ? ELELEM_OK : ELELEM_ERROR_RANGE;
}

/* Reads a few digits, as most integers have: a quarter of the instructions. Zero if the text is anything else. */
ELS_INLINE int els_number_few_digits(elelem_str text, uint64_t *magnitude)
{
    uint32_t sum = 0;
    size_t i;

    if (text.size == 0 || text.size > 9 || (text.data[0] == '0' && text.size > 1)) return 0;
    for (i = 0; i < text.size && els_is_digit(text.data[i]); i++)
        sum = sum * 10 + (unsigned)(text.data[i] - '0');
    *magnitude = sum;
    return i == text.size;
}

/* Reads a text as an integer, in two parts. `negative` is zero before, and for a zero. */
ELS_NOINLINE elelem_status els_number_integer(elelem_str text, uint64_t *magnitude, int *negative)
{
    els_number number;
    elelem_status status;

    if (els_number_few_digits(text, magnitude)) return ELELEM_OK;
    if (!els_number_read(text, &number)) return ELELEM_ERROR_SYNTAX;
    status = els_number_magnitude(&number, magnitude);
    *negative = number.negative && *magnitude > 0;
    return status;
}

#endif

elelem_status elelem_number_to_uint64(elelem_str text, uint64_t *value)
{
    uint64_t magnitude = 0;
    int negative = 0;
    elelem_status status = els_number_integer(text, &magnitude, &negative);

    if (status != ELELEM_OK) return status;
    if (negative) return ELELEM_ERROR_RANGE;
    *value = magnitude;
    return ELELEM_OK;
}

elelem_status elelem_number_to_int64(elelem_str text, int64_t *value)
{
    uint64_t magnitude = 0;
    int negative = 0;
    elelem_status status = els_number_integer(text, &magnitude, &negative);

    if (status != ELELEM_OK) return status;
    if (magnitude > (uint64_t)INT64_MAX + (uint64_t)negative) return ELELEM_ERROR_RANGE;
    if (magnitude > (uint64_t)INT64_MAX) *value = INT64_MIN;
    else *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return ELELEM_OK;
}

/* Products of 128 bits. */

typedef struct els_wide {
    uint64_t high;
    uint64_t low;
} els_wide;

#if defined(__SIZEOF_INT128__) && !defined(ELELEM_NO_INT128)

__extension__ typedef unsigned __int128 els_uint128;

ELS_INLINE els_wide els_multiply(uint64_t a, uint64_t b)
{
    els_uint128 product = (els_uint128)a * b;
    els_wide wide;

    wide.high = (uint64_t)(product >> 64);
    wide.low = (uint64_t)product;
    return wide;
}

#else

/* Multiplies halves of 32 bits, as on paper. No sum here exceeds 2^64 - 1. */
ELS_INLINE els_wide els_multiply(uint64_t a, uint64_t b)
{
    const uint64_t half = 0xffffffffu;
    uint64_t low = (a & half) * (b & half);
    uint64_t left = (a >> 32) * (b & half) + (low >> 32);
    uint64_t right = (a & half) * (b >> 32) + (left & half);
    els_wide wide;

    wide.high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
    wide.low = right << 32 | (low & half);
    return wide;
}

#endif

/* Returns a * b / 2^64, rounded down; `*rest` is the remainder. No carry is lost, because with
   b below 2^128 and a below 2^64 the quotient is below 2^128. */
ELS_INLINE els_wide els_multiply_wide(uint64_t a, els_wide b, uint64_t *rest)
{
    els_wide upper = els_multiply(a, b.high);
    els_wide lower = els_multiply(a, b.low);

    upper.low += lower.high;
    upper.high += upper.low < lower.high;
    *rest = lower.low;
    return upper;
}

/* Returns how many zero bits are above the highest one; `value` is not 0. */
ELS_INLINE int els_leading_zeros(uint64_t value)
{
#if defined(__GNUC__)
    return __builtin_clzll(value);
#else
    int zeros = 0;

    for (; !(value >> 63); value <<= 1)
        zeros++;
    return zeros;
#endif
}

/* 5^-364 to 5^308 in steps of 28: row i is 5^(28 * (i - 13)), multiplied by the power of two
   that makes it 2^127 or more and less than 2^128, rounded down. */
static const els_wide els_powers_of_five[25] = {
    {UINT64_C(0xe1afa13afbd14d6d), UINT64_C(0x82189c09a3a1ec21)}, /* 5^-364 */
    {UINT64_C(0xe3e27a444d8d98b7), UINT64_C(0xfd1b1b2308169b25)}, /* 5^-336 */
    {UINT64_C(0xe61acf033d1a45df), UINT64_C(0x6fb92487298e33bd)}, /* 5^-308 */
    {UINT64_C(0xe858ad248f5c22c9), UINT64_C(0xd1b3400f8f9cff68)}, /* 5^-280 */
    {UINT64_C(0xea9c227723ee8bcb), UINT64_C(0x465e15a979c1cadc)}, /* 5^-252 */
    {UINT64_C(0xece53cec4a314ebd), UINT64_C(0xa4f8bf5635246428)}, /* 5^-224 */
    {UINT64_C(0xef340a98172aace4), UINT64_C(0x86fb897116c87c34)}, /* 5^-196 */
    {UINT64_C(0xf18899b1bc3f8ca1), UINT64_C(0xdc44e6c3cb279ac1)}, /* 5^-168 */
    {UINT64_C(0xf3e2f893dec3f126), UINT64_C(0x5a89dba3c3efccfa)}, /* 5^-140 */
    {UINT64_C(0xf64335bcf065d37d), UINT64_C(0x4d4617b5ff4a16d5)}, /* 5^-112 */
    {UINT64_C(0xf8a95fcf88747d94), UINT64_C(0x75a44c6397ce912a)}, /* 5^-84 */
    {UINT64_C(0xfb158592be068d2e), UINT64_C(0xeed6e2f0f0d56712)}, /* 5^-56 */
    {UINT64_C(0xfd87b5f28300ca0d), UINT64_C(0x8bca9d6e188853fc)}, /* 5^-28 */
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000)}, /* 5^0 */
    {UINT64_C(0x813f3978f8940984), UINT64_C(0x4000000000000000)}, /* 5^28 */
    {UINT64_C(0x82818f1281ed449f), UINT64_C(0xbff8f10e7a8921a4)}, /* 5^56 */
    {UINT64_C(0x83c7088e1aab65db), UINT64_C(0x792667c6da79e0fa)}, /* 5^84 */
    {UINT64_C(0x850fadc09923329e), UINT64_C(0x03e2cf6bc604ddb0)}, /* 5^112 */
    {UINT64_C(0x865b86925b9bc5c2), UINT64_C(0x0b8a2392ba45a9b2)}, /* 5^140 */
    {UINT64_C(0x87aa9aff79042286), UINT64_C(0x90fb44d2f05d0842)}, /* 5^168 */
    {UINT64_C(0x88fcf317f22241e2), UINT64_C(0x441fece3bdf81f03)}, /* 5^196 */
    {UINT64_C(0x8a5296ffe33cc92f), UINT64_C(0x82bd6b70d99aaa6f)}, /* 5^224 */
    {UINT64_C(0x8bab8eefb6409c1a), UINT64_C(0x1ad089b6c2f7548e)}, /* 5^252 */
    {UINT64_C(0x8d07e33455637eb2), UINT64_C(0xdb0b487b6423e1e8)}, /* 5^280 */
    {UINT64_C(0x8e679c2f5e44ff8f), UINT64_C(0x570f09eaa7ea7648)}  /* 5^308 */
};

/* 5^0 to 5^27: all that fit 64 bits. */
static const uint64_t els_small_powers_of_five[28] = {
    UINT64_C(1), UINT64_C(5), UINT64_C(25), UINT64_C(125), UINT64_C(625), UINT64_C(3125), UINT64_C(15625),
    UINT64_C(78125), UINT64_C(390625), UINT64_C(1953125), UINT64_C(9765625), UINT64_C(48828125),
    UINT64_C(244140625), UINT64_C(1220703125), UINT64_C(6103515625), UINT64_C(30517578125),
    UINT64_C(152587890625), UINT64_C(762939453125), UINT64_C(3814697265625), UINT64_C(19073486328125),
    UINT64_C(95367431640625), UINT64_C(476837158203125), UINT64_C(2384185791015625),
    UINT64_C(11920928955078125), UINT64_C(59604644775390625), UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625), UINT64_C(7450580596923828125)
};

/* The powers of ten that a double can need; see els_number_bits. */
#define ELS_POWER_MIN (-342)
#define ELS_POWER_MAX 308

/* Powers of ten from 10^0 to this one are exact, because 5^55 is below 2^128. */
#define ELS_POWER_EXACT 55

/* Returns 10^power, multiplied by the power of two that makes it 2^127 or more and less than
   2^128. The result is exact or too small, by less than 3.

   The error: a row r is too small by less than 1, and the small power f, shifted to 64 bits, is
   exact. So the product r * f, which is 2^190 or more, is too small by less than f < 2^64.
   If it is 2^191 or more, its upper 128 bits are too small by less than 1 from the row and by
   less than 1 from dropping the lower bits. If it is less it is doubled first: by less than 2,
   and by less than 1. Whether to double is decided by the product that was computed. It would
   be wrong if only the exact product reached 2^191; this is not so for any power in use. The
   tests compare each of them with exact integers. */
ELS_INLINE els_wide els_power_of_ten(int power)
{
    unsigned steps = (unsigned)(power + 364);
    uint64_t factor = els_small_powers_of_five[steps % 28];
    uint64_t rest;
    els_wide wide = els_multiply_wide(factor << els_leading_zeros(factor), els_powers_of_five[steps / 28], &rest);

    if (!(wide.high >> 63)) {
        wide.high = wide.high << 1 | wide.low >> 63;
        wide.low = wide.low << 1 | rest >> 63;
    }
    return wide;
}

/* Returns the binary logarithm of 10^power, rounded down: 217706 / 65536 is a little less than
   log2(10), which is exact enough for the powers in use. Adding 2048 keeps the number that is
   shifted from being negative. */
ELS_INLINE int els_log2_of_ten(int power)
{
    return (int)((uint32_t)(217706 * power + 2048 * 65536) >> 16) - 2048;
}

/* Big integers. */

/* 32 bits for each limb, the least significant first. All values are below 2^2592, see
   els_number_compare. Two of these, 656 bytes of stack, are all the memory that an exact
   comparison needs. */
#define ELS_BIG_LIMBS 81

typedef struct els_big {
    uint32_t limbs[ELS_BIG_LIMBS];
    int count; /* limbs in use; the last of them is not 0 */
} els_big;

ELS_PRIVATE void els_big_set(els_big *big, uint64_t value)
{
    for (big->count = 0; value > 0; value >>= 32)
        big->limbs[big->count++] = (uint32_t)value;
}

/* big * factor + addend */
ELS_PRIVATE void els_big_multiply(els_big *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    int i;

    for (i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) big->limbs[big->count++] = (uint32_t)carry;
}

/* big * 5^power */
ELS_PRIVATE void els_big_multiply_fives(els_big *big, int power)
{
    for (; power >= 13; power -= 13)
        els_big_multiply(big, 1220703125u, 0); /* 5^13, the last below 2^32 */
    els_big_multiply(big, (uint32_t)els_small_powers_of_five[power], 0);
}

/* big * 2^power; `big` is not 0. */
ELS_PRIVATE void els_big_multiply_twos(els_big *big, int power)
{
    int whole = power / 32;
    int i;

    els_big_multiply(big, (uint32_t)1 << power % 32, 0);
    if (whole == 0) return;
    memmove(big->limbs + whole, big->limbs, (size_t)big->count * sizeof big->limbs[0]);
    for (i = 0; i < whole; i++)
        big->limbs[i] = 0;
    big->count += whole;
}

ELS_PRIVATE int els_big_compare(const els_big *a, const els_big *b)
{
    int i;

    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (i = a->count - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* A point halfway between two adjacent doubles is an odd number below 2^54, multiplied by
   2^-1075 or a larger power of two. It has at most 768 digits, as many as 2^54 * 5^1075. The
   first digit of the number that is compared with it may be one place higher. Of the digits
   after the 769th only counts whether one of them is not 0. */
#define ELS_DIGITS_MAX 769

/* Reads the first ELS_DIGITS_MAX digits, in groups of up to nine. Returns how many were read;
   `*rest` is nonzero if a digit that is not 0 follows. */
ELS_PRIVATE int els_big_set_digits(els_big *big, const els_number *number, int *rest)
{
    const char *at = number->digits;
    uint32_t group = 0;
    uint32_t unit = 1;
    int count = 0;

    big->count = 0;
    for (; at < number->end && count < ELS_DIGITS_MAX; at++) {
        if (*at == '.') continue;
        group = group * 10 + (uint32_t)(*at - '0');
        unit *= 10;
        count++;
        if (unit < 1000000000) continue;
        els_big_multiply(big, unit, group);
        group = 0;
        unit = 1;
    }
    els_big_multiply(big, unit, group);
    for (*rest = 0; at < number->end && !*rest; at++)
        *rest = *at != '0' && *at != '.';
    return count;
}

/* Returns -1, 0 or 1 if the number, without its sign, is less than, equal to or more than
   odd * 2^scale, which is a halfway point next to it.

   Both sides are multiplied by powers of five and two until no exponent is negative, so that
   integers are compared. Their size: both sides are nearly equal, so that the one that is not
   multiplied by a power of two bounds both. It is one of these: the digits, below
   10^769 < 2^2555; the number itself if its exponent is 0 or more, below 2^1025; `odd`; or
   odd * 5^1075 < 2^2551. */
ELS_NOINLINE int els_number_compare(els_number number, uint64_t odd, int scale)
{
    els_big left;
    els_big right;
    int rest;
    int power;
    int order;

    els_number_skip_zeros(&number);
    power = (int)(number.top + 1 - els_big_set_digits(&left, &number, &rest));
    els_big_set(&right, odd);
    if (power >= 0) els_big_multiply_fives(&left, power);
    else els_big_multiply_fives(&right, -power);
    if (power >= scale) els_big_multiply_twos(&left, power - scale);
    else els_big_multiply_twos(&right, scale - power);
    order = els_big_compare(&left, &right);
    return order == 0 && rest ? 1 : order;
}

/* Rounding. */

/* What is known of a number, without its sign:
       value <= number < value + error, or value = number if the error is 0,
       value = (high + low / 2^64 + a last bit or more if `rest`) * 2^(exponent - 61),
       2^61 <= high < 2^62.
   The error has the same unit as high and low. */
typedef struct els_estimate {
    uint64_t high;
    uint64_t low;
    int rest;
    int exponent;
    els_wide error;
} els_estimate;

/* Shifts the significand s, which is not 0, to 2^63 or more and multiplies it by the power of
   ten. The product may be too small, in units of 2^64: by less than 3 from the power, whose
   error of less than 3 is multiplied by less than 2^64. If the significand was cut, less than
   one unit of s is missing, which is 2^4 after the shift (s has 19 digits), multiplied by the
   power, below 2^128: less than 2^132, or 16 in the upper word, in addition to the 3. The error
   is set to 4 instead of 3 because the shift to the right drops bits below `low`. That shift
   makes the errors smaller too, which is not used. */
ELS_INLINE els_estimate els_number_estimate(const els_number *number)
{
    int power = (int)number->exponent;
    int zeros = els_leading_zeros(number->significand);
    int inexact = power < 0 || power > ELS_POWER_EXACT;
    uint64_t rest;
    els_wide product = els_multiply_wide(number->significand << zeros, els_power_of_ten(power), &rest);
    int carry = (int)(product.high >> 63);
    int shift = 1 + carry;
    els_estimate estimate;

    estimate.high = product.high >> shift;
    estimate.low = product.high << (64 - shift) | product.low >> shift;
    estimate.rest = (product.low << (64 - shift) | rest) != 0;
    estimate.exponent = els_log2_of_ten(power) + 63 - zeros + carry;
    estimate.error.high = number->cut ? 16 : 0;
    estimate.error.low = inexact || number->cut ? 4 : 0;
    return estimate;
}

/* On which side of the middle between two adjacent doubles a number is; OPEN: not known. */
enum { ELS_SIDE_BELOW = -1, ELS_SIDE_MIDDLE = 0, ELS_SIDE_ABOVE = 1, ELS_SIDE_OPEN = 2 };

/* Returns the side of the middle for rounding off the lowest `shift` bits of `high` and all bits below. */
ELS_INLINE int els_estimate_side(const els_estimate *estimate, int shift)
{
    uint64_t middle = (uint64_t)1 << (shift - 1);
    uint64_t high = estimate->high & (middle * 2 - 1);
    uint64_t most_low = estimate->low + estimate->error.low;
    uint64_t most_high = high + estimate->error.high + (most_low < estimate->low);

    if (most_high < middle) return ELS_SIDE_BELOW;
    if (high > middle || (high == middle && (estimate->low > 0 || estimate->rest))) return ELS_SIDE_ABOVE;
    return estimate->error.low > 0 ? ELS_SIDE_OPEN : ELS_SIDE_MIDDLE;
}

#define ELS_INFINITY_BITS UINT64_C(0x7ff0000000000000)

/* Returns the bits of the nearest double, ties to even, without the sign.

   10^309 and more are too large. A significand plus one is at most 10^19, and 10^19 * 10^-343 is
   below 2^-1075, half of the smallest double, so that the result is 0. Numbers below 2^-1022 have
   one bit of precision less for each power of two; below 2^-1076, with any error, the result is
   0. If rounding makes the significand 2^53, the carry adds one to the exponent, which is in the
   bits above; the result is right, and may be infinity. */
ELS_NOINLINE uint64_t els_number_bits(const els_number *number)
{
    els_estimate estimate;
    uint64_t significand;
    uint64_t bits;
    int shift = 62 - 53;
    int side;

    if (number->significand == 0 || number->exponent < ELS_POWER_MIN) return 0;
    if (number->exponent > ELS_POWER_MAX) return ELS_INFINITY_BITS;
    estimate = els_number_estimate(number);
    if (estimate.exponent > 1023) return ELS_INFINITY_BITS;
    if (estimate.exponent < -1076) return 0;
    if (estimate.exponent < -1022) shift += -1022 - estimate.exponent;
    significand = estimate.high >> shift;
    side = els_estimate_side(&estimate, shift);
    if (ELS_UNLIKELY(side == ELS_SIDE_OPEN))
        side = els_number_compare(*number, significand * 2 + 1, estimate.exponent - 62 + shift);
    bits = significand;
    if (estimate.exponent >= -1022) bits += (uint64_t)(estimate.exponent + 1022) << 52;
    return bits + (side == ELS_SIDE_ABOVE || (side == ELS_SIDE_MIDDLE && (significand & 1)));
}

/* 10^-1 to 10^-27, multiplied by the power of two that makes it 2^63 or more and less than 2^64, rounded down. */
static const uint64_t els_negative_powers_of_ten[27] = {
    UINT64_C(0xcccccccccccccccc), UINT64_C(0xa3d70a3d70a3d70a), UINT64_C(0x83126e978d4fdf3b),
    UINT64_C(0xd1b71758e219652b), UINT64_C(0xa7c5ac471b478423), UINT64_C(0x8637bd05af6c69b5),
    UINT64_C(0xd6bf94d5e57a42bc), UINT64_C(0xabcc77118461cefc), UINT64_C(0x89705f4136b4a597),
    UINT64_C(0xdbe6fecebdedd5be), UINT64_C(0xafebff0bcb24aafe), UINT64_C(0x8cbccc096f5088cb),
    UINT64_C(0xe12e13424bb40e13), UINT64_C(0xb424dc35095cd80f), UINT64_C(0x901d7cf73ab0acd9),
    UINT64_C(0xe69594bec44de15b), UINT64_C(0xb877aa3236a4b449), UINT64_C(0x9392ee8e921d5d07),
    UINT64_C(0xec1e4a7db69561a5), UINT64_C(0xbce5086492111aea), UINT64_C(0x971da05074da7bee),
    UINT64_C(0xf1c90080baf72cb1), UINT64_C(0xc16d9a0095928a27), UINT64_C(0x9abe14cd44753b52),
    UINT64_C(0xf79687aed3eec551), UINT64_C(0xc612062576589dda), UINT64_C(0x9e74d1b791e07e48)
};

/* The same for most numbers with a fraction, by one product: a third of the instructions of els_number_bits. 0: not known.

   The power is too small, by less than 1, so the product is, by less than 2^64, and its upper half by less than 2. So the number
   is rounded up if that half has the bit below the last one of the significand, also if all below it is 0, since the exact product
   is larger. It is rounded down if that half would not have the bit if it were 2 larger. It is not known which if only 1 is missing. */
ELS_INLINE uint64_t els_number_near_bits(const els_number *number)
{
    int zeros, shift, exponent;
    uint64_t high;

    if (number->cut || number->significand == 0 || number->exponent >= 0 || number->exponent < -27) return 0;
    zeros = els_leading_zeros(number->significand);
    high = els_multiply(number->significand << zeros, els_negative_powers_of_ten[-number->exponent - 1]).high;
    shift = 10 + (int)(high >> 63);
    if (((high + 1) & (((uint64_t)1 << shift) - 1)) == (uint64_t)1 << (shift - 1)) return 0;
    exponent = els_log2_of_ten((int)number->exponent) + 63 - zeros + shift - 10;
    return ((uint64_t)(exponent + 1022) << 52) + (high >> shift) + (high >> (shift - 1) & 1);
}

/* Only if doubles are computed in double precision, by the rules of IEEE 754. */
#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1) && !defined(__FAST_MATH__)

/* Nonzero if the floating point unit rounds to nearest. Only then are 1 + tiny and 1 - tiny both
   rounded to 1. */
ELS_INLINE int els_rounds_to_nearest(void)
{
    volatile double tiny = DBL_MIN;
    double seen = tiny;

    return 1.0 + seen == 1.0 - seen;
}

/* Computes a double from an integer up to 2^53 and a power of ten up to 10^22. Both are exact as
   doubles, so that their product or quotient is rounded once. Zero if the number is not of these. */
ELS_INLINE int els_number_quick(const els_number *number, double *value)
{
    static const double tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double found;

    if (number->cut || number->significand > (uint64_t)1 << 53) return 0;
    if (number->exponent < -22 || number->exponent > 22 || !els_rounds_to_nearest()) return 0;
    found = (double)(int64_t)number->significand;
    if (number->exponent < 0) found /= tens[-number->exponent];
    else found *= tens[number->exponent];
    *value = number->negative ? -found : found;
    return 1;
}

#else

ELS_INLINE int els_number_quick(const els_number *number, double *value)
{
    (void)number;
    (void)value;
    return 0;
}

#endif

elelem_status elelem_number_to_double(elelem_str text, double *value)
{
    els_number number;
    uint64_t bits;
    uint64_t image;

    if (!els_number_read(text, &number)) return ELELEM_ERROR_SYNTAX;
    if (els_number_quick(&number, value)) return ELELEM_OK;
    bits = els_number_near_bits(&number);
    if (bits == 0) bits = els_number_bits(&number);
    image = bits | (uint64_t)number.negative << 63;
    memcpy(value, &image, sizeof *value);
    return bits == ELS_INFINITY_BITS ? ELELEM_ERROR_RANGE : ELELEM_OK;
}

#endif
