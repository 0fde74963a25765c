/* Points halfway between two adjacent doubles, written out exactly: the hardest input for a
   reader of numbers. Computed by plain arithmetic on decimal limbs of nine digits. */
#ifndef HALFWAY_H
#define HALFWAY_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HALFWAY_SIZE 1024 /* 768 digits, an exponent, and room to append to it */
#define HALFWAY_LIMBS 90

typedef struct halfway_decimal {
    uint32_t limbs[HALFWAY_LIMBS]; /* the least significant first */
    int count;
} halfway_decimal;

static inline void decimal_multiply(halfway_decimal *d, uint32_t factor)
{
    uint64_t carry = 0;
    int i;

    for (i = 0; i < d->count; i++) {
        carry += (uint64_t)d->limbs[i] * factor;
        d->limbs[i] = (uint32_t)(carry % 1000000000);
        carry /= 1000000000;
    }
    if (carry > 0) d->limbs[d->count++] = (uint32_t)carry;
}

static inline void decimal_power(halfway_decimal *d, int power, uint32_t base, int step, uint32_t base_to_step)
{
    for (; power >= step; power -= step)
        decimal_multiply(d, base_to_step);
    for (; power > 0; power--)
        decimal_multiply(d, base);
}

/* Writes the digits of the point between the finite positive double (or zero) with these
   bits and the next, and returns the power of ten by which they are multiplied. */
static inline int halfway_digits(char *text, uint64_t bits)
{
    int biased = (int)(bits >> 52);
    uint64_t significand = (bits & UINT64_C(0xfffffffffffff)) | (uint64_t)(biased > 0) << 52;
    uint64_t odd = significand * 2 + 1;
    int scale = (biased > 0 ? biased : 1) - 1076; /* the point is odd * 2^scale */
    halfway_decimal d;
    int i;

    for (d.count = 0; odd > 0; odd /= 1000000000)
        d.limbs[d.count++] = (uint32_t)(odd % 1000000000);
    if (scale >= 0) decimal_power(&d, scale, 2, 29, 536870912);
    else decimal_power(&d, -scale, 5, 12, 244140625); /* odd * 5^-scale * 10^scale */
    text += sprintf(text, "%u", (unsigned)d.limbs[d.count - 1]);
    for (i = d.count - 2; i >= 0; i--)
        text += sprintf(text, "%09u", (unsigned)d.limbs[i]);
    return scale < 0 ? scale : 0;
}

/* Takes one from the last place of the digits, which are not all 0. */
static inline void digits_less_one(char *text)
{
    size_t at = strlen(text) - 1;

    while (text[at] == '0')
        text[at--] = '9';
    text[at]--;
}

#endif
