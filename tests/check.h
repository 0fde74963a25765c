/* The test harness: one program a file, tests named as sentences.
 *
 *     TEST(crlf_split_between_pushes_ends_one_line)
 *     {
 *         CHECK_INT(elelem_sse_decoder_push(&decoder, "\r", 1), ELELEM_OK);
 *     }
 *
 *     CHECK_MAIN("sse", RUN(crlf_split_between_pushes_ends_one_line))
 *
 * A failed check prints its line and the two values, and the test continues. Every check
 * returns nonzero if it passed, so that a test may also stop. A test that is missing from
 * CHECK_MAIN is an unused function, which the compiler reports. The last line is
 * `sse: 12 passed, 0 failed`, which counts tests; the program exits with 1 if one failed.
 * Needs no memory and, if CHECK_PRINTF is defined, no C library.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

#ifndef CHECK_PRINTF
#include <stdio.h>
#define CHECK_PRINTF printf
#define CHECK_FLUSH() fflush(stdout) /* the lines before a crash must not be lost */
#endif
#ifndef CHECK_FLUSH
#define CHECK_FLUSH() ((void)0)
#endif

/* If CHECK_ONLY is defined, only the test runs that the environment names so; all if it names none. */
#ifdef CHECK_ONLY
#include <stdlib.h>
#include <string.h>
#endif

/* Failures printed for one test; the rest are only counted. */
#ifndef CHECK_MAX
#define CHECK_MAX 5
#endif

/* Bytes that a test may take; a machine that has less is built with less. */
#ifndef CHECK_MEMORY
#define CHECK_MEMORY ((size_t)1 << 30)
#endif

typedef struct check_state {
    const char *test;
    const char *row;  /* the row of a table, or null */
    const char *cut;  /* how the input is being fed, or null */
    size_t at;        /* the number that belongs to the text */
    int failures;     /* in the running test */
    int nothing;      /* the running test had nothing to read */
    int passed;
    int failed;
} check_state;

static check_state check_now;

/* Names the row of a table; printed with failures until the next call or test. */
static inline void check_context(const char *row)
{
    check_now.row = row;
    check_now.cut = NULL;
}

/* Sets how the row is fed, which is printed with failures: "cut at", 17. Null: nothing is printed. */
static inline void check_cut(const char *cut, size_t at)
{
    check_now.cut = cut;
    check_now.at = at;
}

/* The running test has nothing to read; it counts neither as passed nor as failed. */
static inline void check_nothing(const char *why)
{
    check_now.nothing = 1;
    CHECK_PRINTF("%s: nothing done: %s\n", check_now.test, why);
}

/* Nonzero if a test may take so many bytes at one time. Otherwise it does nothing. */
static inline int check_has_memory(size_t bytes)
{
    if (bytes <= CHECK_MEMORY) return 1;
    check_nothing("that takes more memory than there is");
    return 0;
}

/* Begins the report of a failure. Zero if enough were printed. */
static inline int check_fail(const char *file, int line, const char *what)
{
    check_now.failures++;
    if (check_now.failures > CHECK_MAX) return 0;
    CHECK_PRINTF("%s:%d: %s", file, line, check_now.test);
    if (check_now.row) CHECK_PRINTF(" [%s]", check_now.row);
    if (check_now.cut) CHECK_PRINTF(" (%s %lu)", check_now.cut, (unsigned long)check_now.at);
    CHECK_PRINTF("\n    %s\n", what);
    CHECK_FLUSH();
    return 1;
}

static inline int check_true(int held, const char *what, const char *file, int line)
{
    if (!held) check_fail(file, line, what);
    return held;
}

static inline int check_int(long long actual, long long expected, const char *what, const char *file, int line)
{
    if (actual != expected && check_fail(file, line, what))
        CHECK_PRINTF("    is %lld, should be %lld\n", actual, expected);
    return actual == expected;
}

static inline int check_u64(uint64_t actual, uint64_t expected, const char *what, const char *file, int line)
{
    if (actual != expected && check_fail(file, line, what))
        CHECK_PRINTF("    is %llu, should be %llu\n", (unsigned long long)actual, (unsigned long long)expected);
    return actual == expected;
}

/* Prints bytes as a C string, starting some way before offset `at`. */
static inline void check_show(const char *label, const char *data, size_t size, size_t at)
{
    size_t i = size <= 160 || at < 60 ? 0 : at - 60;
    size_t end = size - i <= 160 ? size : i + 160;

    CHECK_PRINTF("    %s %s\"", label, i > 0 ? "..." : "");
    for (; i < end; i++) {
        unsigned char c = (unsigned char)data[i];
        if (c == '\n') CHECK_PRINTF("\\n");
        else if (c == '"' || c == '\\') CHECK_PRINTF("\\%c", c);
        else if (c >= 0x20 && c < 0x7f) CHECK_PRINTF("%c", c);
        else CHECK_PRINTF("\\%03o", (unsigned)c);
    }
    CHECK_PRINTF("\"%s (%lu bytes)\n", end < size ? "..." : "", (unsigned long)size);
}

static inline int check_bytes(const void *actual, size_t actual_size, const void *expected, size_t expected_size,
                              const char *what, const char *file, int line)
{
    const char *a = (const char *)actual;
    const char *b = (const char *)expected;
    size_t i = 0;

    while (i < actual_size && i < expected_size && a[i] == b[i])
        i++;
    if (i == actual_size && i == expected_size) return 1;
    if (check_fail(file, line, what)) {
        check_show("is       ", a, actual_size, i);
        check_show("should be", b, expected_size, i);
        CHECK_PRINTF("    first difference at byte %lu\n", (unsigned long)i);
    }
    return 0;
}

static inline size_t check_length(const char *text)
{
    size_t size = 0;

    while (text[size] != '\0')
        size++;
    return size;
}

static inline int check_is_wanted(const char *name)
{
#ifdef CHECK_ONLY
    const char *only = getenv("CHECK_ONLY");

    return !only || strcmp(only, name) == 0;
#else
    (void)name;
    return 1;
#endif
}

static inline void check_run(const char *name, void (*test)(void))
{
    if (!check_is_wanted(name)) return;
    check_now.test = name;
    check_now.failures = 0;
    check_now.nothing = 0;
    check_context(NULL);
    test();
    if (check_now.failures > CHECK_MAX)
        CHECK_PRINTF("%s: and %d more\n", name, check_now.failures - CHECK_MAX);
    if (check_now.failures > 0) check_now.failed++;
    else if (!check_now.nothing) check_now.passed++;
}

static inline int check_end(const char *room)
{
    CHECK_PRINTF("%s: %d passed, %d failed\n", room, check_now.passed, check_now.failed);
    CHECK_FLUSH();
    return check_now.failed > 0;
}

#define TEST(name) static void test_##name(void)

#define CHECK(condition) check_true((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_INT(actual, expected) \
    check_int((long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)
#define CHECK_U64(actual, expected) \
    check_u64((uint64_t)(actual), (uint64_t)(expected), #actual, __FILE__, __LINE__)
#define CHECK_BYTES(data, size, expected, expected_size) \
    check_bytes(data, size, expected, expected_size, #data, __FILE__, __LINE__)
#define CHECK_STR(data, size, expected) \
    check_bytes(data, size, expected, check_length(expected), #data, __FILE__, __LINE__)

#define RUN(name) check_run(#name, test_##name);
#define CHECK_MAIN(room, tests) \
    int main(void)              \
    {                           \
        tests                   \
        return check_end(room); \
    }

#endif
