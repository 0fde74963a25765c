/* number over the vectors of the corpus: every double bit for bit. A line is
   "F16 F32 F64 TEXT"; files named *.nonjson.txt hold texts that JSON refuses. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "number_grammar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFINITY_BITS UINT64_C(0x7ff0000000000000)
#define F64_COLUMN 14
#define TEXT_COLUMN 31

static char line[1 << 16];

static FILE *corpus_open(const char *name)
{
    static char path[4096];
    const char *corpus = getenv("ELELEM_CORPUS");

    snprintf(path, sizeof path, "%s/numbers/%s", corpus ? corpus : "../shared/corpus", name);
    return fopen(path, "r");
}

static void check_number(elelem_str text, uint64_t bits)
{
    double value = 0;
    uint64_t found;
    int is_infinite = (bits & INFINITY_BITS) == INFINITY_BITS;

    CHECK(is_json_number(text.data, text.size));
    CHECK_INT(elelem_number_to_double(text, &value), is_infinite ? ELELEM_ERROR_RANGE : ELELEM_OK);
    memcpy(&found, &value, sizeof found);
    CHECK_U64(found, bits);
}

/* If the number is an integer, the double nearest to it is that of the text. */
static void check_integer(elelem_str text, uint64_t bits)
{
    int64_t as_int64 = 0;
    uint64_t as_uint64 = 0;
    double value;

    memcpy(&value, &bits, sizeof value);
    if (elelem_number_to_int64(text, &as_int64) == ELELEM_OK) CHECK((double)as_int64 == value);
    if (elelem_number_to_uint64(text, &as_uint64) == ELELEM_OK) CHECK((double)as_uint64 == value);
}

static void check_no_number(elelem_str text)
{
    double as_double = 77;
    int64_t as_int64 = 77;
    uint64_t as_uint64 = 77;

    CHECK_INT(elelem_number_to_double(text, &as_double), ELELEM_ERROR_SYNTAX);
    CHECK_INT(elelem_number_to_int64(text, &as_int64), ELELEM_ERROR_SYNTAX);
    CHECK_INT(elelem_number_to_uint64(text, &as_uint64), ELELEM_ERROR_SYNTAX);
    CHECK(as_double == 77 && as_int64 == 77 && as_uint64 == 77);
}

static void check_file(const char *name)
{
    FILE *file = corpus_open(name);
    int is_json = !strstr(name, ".nonjson.");
    long count = 0;

    if (!file) {
        check_nothing("there is no corpus (ELELEM_CORPUS)");
        return;
    }
    while (fgets(line, sizeof line, file)) {
        uint64_t bits = strtoull(line + F64_COLUMN, NULL, 16);
        elelem_str text = elelem_str_of(line + TEXT_COLUMN);
        text.size = strcspn(text.data, "\r\n");
        line[TEXT_COLUMN + text.size] = '\0';
        check_context(text.data);
        if (is_json) check_number(text, bits);
        if (is_json) check_integer(text, bits);
        else check_no_number(text);
        count++;
    }
    fclose(file);
    check_context(name);
    CHECK(count > 0);
}

TEST(halfway_points_limits_and_long_digits) { check_file("generated/hard-f64.txt"); }
TEST(every_float16) { check_file("parse-number-fxx/exhaustive-float16.json.txt"); }
TEST(freetype) { check_file("parse-number-fxx/freetype-2-7.json.txt"); }
TEST(freetype_no_json) { check_file("parse-number-fxx/freetype-2-7.nonjson.txt"); }
TEST(wuffs) { check_file("parse-number-fxx/google-wuffs.json.txt"); }
TEST(wuffs_no_json) { check_file("parse-number-fxx/google-wuffs.nonjson.txt"); }
TEST(fast_float) { check_file("parse-number-fxx/lemire-fast-float.json.txt"); }
TEST(fast_float_no_json) { check_file("parse-number-fxx/lemire-fast-float.nonjson.txt"); }
TEST(more_cases) { check_file("parse-number-fxx/more-test-cases.json.txt"); }
TEST(rapidjson) { check_file("parse-number-fxx/tencent-rapidjson.json.txt"); }
TEST(rapidjson_no_json) { check_file("parse-number-fxx/tencent-rapidjson.nonjson.txt"); }

CHECK_MAIN("corpus_numbers",
    RUN(halfway_points_limits_and_long_digits)
    RUN(every_float16)
    RUN(freetype)
    RUN(freetype_no_json)
    RUN(wuffs)
    RUN(wuffs_no_json)
    RUN(fast_float)
    RUN(fast_float_no_json)
    RUN(more_cases)
    RUN(rapidjson)
    RUN(rapidjson_no_json))
