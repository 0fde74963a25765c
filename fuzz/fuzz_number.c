/* number: any text. The grammar decides whether it is a number, strtod what double it is;
   integers and doubles have to agree, and the steps are in proportion to the bytes. */
#include "elelem_stream.h"

#include "must.h"

#include "number_grammar.h"
#include "work_law.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_ALWAYS 10000u
#define STEPS_PER_BYTE 20u

/* The slice has no zero at its end, strtod needs one. */
static double expected_double(elelem_str text)
{
    char *copy = (char *)malloc(text.size + 1);
    double value;

    if (!copy) abort();
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    value = strtod(copy, NULL);
    free(copy);
    return value;
}

static void check_double(elelem_str text)
{
    double expected = expected_double(text);
    double found = 0;
    elelem_status status = elelem_number_to_double(text, &found);

    MUST(memcmp(&found, &expected, sizeof found) == 0);
    MUST(status == (found - found == 0 ? ELELEM_OK : ELELEM_ERROR_RANGE)); /* inf - inf is no number */
}

/* An integer written as text is the same number, and its double is that of the text. If both integer types
   can hold it, they agree. */
static void check_integers(elelem_str text)
{
    char copy[32];
    int64_t as_int64 = 0, again = 0;
    uint64_t as_uint64 = 0;
    elelem_status status = elelem_number_to_int64(text, &as_int64);
    elelem_status status_unsigned = elelem_number_to_uint64(text, &as_uint64);

    MUST((status == ELELEM_ERROR_NOT_INTEGER) == (status_unsigned == ELELEM_ERROR_NOT_INTEGER));
    if (status == ELELEM_OK) {
        MUST((double)as_int64 == expected_double(text));
        snprintf(copy, sizeof copy, "%" PRId64, as_int64);
        MUST(elelem_number_to_int64(elelem_str_of(copy), &again) == ELELEM_OK && again == as_int64);
        MUST((status_unsigned == ELELEM_OK) == (as_int64 >= 0));
    }
    if (status_unsigned == ELELEM_OK) {
        MUST((double)as_uint64 == expected_double(text));
        MUST((status == ELELEM_OK) == (as_uint64 <= INT64_MAX));
        MUST(status != ELELEM_OK || (uint64_t)as_int64 == as_uint64);
    }
}

static void check_refused(elelem_str text)
{
    int64_t as_int64 = 77;
    uint64_t as_uint64 = 77;
    double as_double = 77;

    MUST(elelem_number_to_int64(text, &as_int64) == ELELEM_ERROR_SYNTAX && as_int64 == 77);
    MUST(elelem_number_to_uint64(text, &as_uint64) == ELELEM_ERROR_SYNTAX && as_uint64 == 77);
    MUST(elelem_number_to_double(text, &as_double) == ELELEM_ERROR_SYNTAX && as_double == 77);
}

static void check_text(elelem_str text)
{
    if (is_json_number(text.data, text.size)) {
        check_double(text);
        check_integers(text);
    } else {
        check_refused(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as they are, and once more as characters of numbers, which hits more of them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char characters[] = "0123456789.e-+09";
    char mapped[2048];
    elelem_str text;
    uint64_t before = counted_steps;
    size_t i;

    text.data = (const char *)data;
    text.size = size;
    check_text(text);
    if (size > sizeof mapped) return 0;
    for (i = 0; i < size; i++)
        mapped[i] = characters[data[i] & 15];
    text.data = mapped;
    check_text(text);
    MUST(work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size));
    return 0;
}
