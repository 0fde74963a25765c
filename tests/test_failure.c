/* What providers say when they refuse: HTTP status, headers, waits and error bodies. Every wire reads them alike, so
   each row is tried on every wire. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "wires.h"

/* One refusal: what the response says, and the error it is. */
typedef struct refusal {
    int status;
    const char *headers[9]; /* names and values in turn */
    const char *body;
    const char *end;
} refusal;

#define NOW 1754667630 /* Fri, 08 Aug 2025 15:40:30 GMT */

static int64_t now_seconds = NOW;

static void refused(const wire *w, const refusal *row)
{
    static char context[400];

    snprintf(context, sizeof context, "%s: %d %s%.250s", w->name, row->status, row->headers[0] ? row->headers[1] : "", row->body);
    check_context(context);
    streams_shape(w->shape);
    streams_now.headers = row->headers;
    streams_now.http_status = row->status;
    streams_now.desc.unix_seconds = now_seconds;
    STREAM(row->body, row->end);
}

static void refused_each(const refusal *rows, size_t count)
{
    size_t k, i;

    for (k = 0; k < WIRES; k++)
        for (i = 0; i < count; i++)
            refused(wires[k], &rows[i]);
}

#define REFUSED_EACH(rows) refused_each(rows, sizeof rows / sizeof *rows)

#define BODY_M "{\"message\":\"m\"}"
#define LIMITED(wait) "ERROR rate_limit retryable" wait " http=429 \"m\"\nEND\n"

TEST(too_early_may_be_tried_again)
{
    static const refusal rows[] = {
        { 425, { NULL }, "", "ERROR transient retryable http=425 \"the provider failed or is overloaded\"\nEND\n" },
        { 425, { NULL }, BODY_M, "ERROR transient retryable http=425 \"m\"\nEND\n" },
        { 424, { NULL }, BODY_M, "ERROR invalid_request http=424 \"m\"\nEND\n" },
        { 426, { NULL }, BODY_M, "ERROR invalid_request http=426 \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

#define OPENAI_TOO_LARGE \
    "Request too large for gpt-4 in organization org-1 on tokens per min (TPM): Limit 10000, Requested 20000. " \
    "The input or output tokens must be reduced in order to run successfully."
#define GROQ_TOO_LARGE \
    "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again."

TEST(a_request_larger_than_the_rate_is_too_long_and_no_wait_helps)
{
    static const refusal rows[] = {
        { 429, { NULL }, "{\"error\":{\"message\":\"" OPENAI_TOO_LARGE "\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}",
          "ERROR content_too_long http=429 code=rate_limit_exceeded \"" OPENAI_TOO_LARGE "\"\nEND\n" },
        { 413, { NULL }, "{\"error\":{\"message\":\"" GROQ_TOO_LARGE "\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}",
          "ERROR content_too_long http=413 code=rate_limit_exceeded \"" GROQ_TOO_LARGE "\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"message\":\"" OPENAI_TOO_LARGE "\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}\n\n",
          "ERROR content_too_long code=rate_limit_exceeded \"" OPENAI_TOO_LARGE "\"\nEND\n" },
        { 429, { NULL }, "{\"error\":{\"message\":\"Rate limit reached for gpt-4 on tokens per min (TPM): Limit 10000, Used 9000, Requested 2000.\","
                         "\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}",
          "ERROR rate_limit retryable http=429 code=rate_limit_exceeded \"Rate limit reached for gpt-4 on tokens per min (TPM): "
          "Limit 10000, Used 9000, Requested 2000.\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

/* Waits. */

#define A_YEAR " after=31536000000"

TEST(no_wait_is_longer_than_a_year_wherever_it_comes_from)
{
    static const refusal rows[] = {
        { 429, { "retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "retry-after", "Sat, 08 Aug 2026 15:40:30 GMT", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "retry-after", "Sat, 08 Aug 2026 15:40:29 GMT", NULL }, BODY_M, LIMITED(" after=31535999000") },
        { 429, { "retry-after", "31536001", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "retry-after", "366d", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "retry-after-ms", "31536000001", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "x-ratelimit-reset", "99999999999", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "x-ratelimit-reset", "99999999999999", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "x-ratelimit-reset", "999999999", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "x-ratelimit-reset-tokens", "100000d", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "x-ratelimit-reset-requests", "300d300d", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "ratelimit", "\"default\";r=0;t=99999999999", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { NULL }, "{\"error\":{\"message\":\"m\",\"metadata\":{\"headers\":{\"X-RateLimit-Reset\":\"99999999999999\"}}}}", LIMITED(A_YEAR) },
        { 429, { NULL }, "{\"error\":{\"message\":\"m\",\"details\":[{\"retryDelay\":\"99999999999s\"}]}}", LIMITED(A_YEAR) },
        { 429, { NULL }, "{\"message\":\"try again in 99999999 hours\"}",
          "ERROR rate_limit retryable" A_YEAR " http=429 \"try again in 99999999 hours\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(a_clock_beyond_all_dates_gives_no_wait)
{
    static const refusal rows[] = {
        { 429, { "retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", NULL }, BODY_M, LIMITED(" after=0") },
        { 429, { "x-ratelimit-reset", "99999999999", NULL }, BODY_M, LIMITED("") },
        { 429, { "x-ratelimit-reset", "99999999999999", NULL }, BODY_M, LIMITED("") },
    };

    now_seconds = INT64_MAX;
    REFUSED_EACH(rows);
    now_seconds = NOW;
}

/* Each month of a year, an hour from now. */
TEST(every_month_of_an_http_date_is_known)
{
    static const struct {
        const char *date;
        int64_t seconds;
    } months[] = {
        { "Wed, 01 Jan 2025 01:00:00 GMT", 1735689600 }, { "Sat, 01 Feb 2025 01:00:00 GMT", 1738368000 },
        { "Sat, 01 Mar 2025 01:00:00 GMT", 1740787200 }, { "Tue, 01 Apr 2025 01:00:00 GMT", 1743465600 },
        { "Thu, 01 May 2025 01:00:00 GMT", 1746057600 }, { "Sun, 01 Jun 2025 01:00:00 GMT", 1748736000 },
        { "Tue, 01 Jul 2025 01:00:00 GMT", 1751328000 }, { "Fri, 01 Aug 2025 01:00:00 GMT", 1754006400 },
        { "Mon, 01 Sep 2025 01:00:00 GMT", 1756684800 }, { "Wed, 01 Oct 2025 01:00:00 GMT", 1759276800 },
        { "Sat, 01 Nov 2025 01:00:00 GMT", 1761955200 }, { "Mon, 01 Dec 2025 01:00:00 GMT", 1764547200 },
        { "Thu, 29 Feb 2024 01:00:00 GMT", 1709164800 }, { "Fri, 01 Mar 2024 01:00:00 GMT", 1709251200 },
    };
    size_t i;

    for (i = 0; i < sizeof months / sizeof *months; i++) {
        refusal row = { 429, { "retry-after", NULL, NULL }, BODY_M, LIMITED(" after=3600000") };
        row.headers[1] = months[i].date;
        now_seconds = months[i].seconds;
        refused_each(&row, 1);
    }
    now_seconds = NOW;
}

TEST(the_three_forms_of_an_http_date_are_read)
{
    static const refusal rows[] = {
        { 429, { "retry-after", "Fri, 08 Aug 2025 15:41:00 GMT", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "retry-after", "Friday, 08-Aug-25 15:41:00 GMT", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "retry-after", "Fri Aug  8 15:41:00 2025", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "retry-after", "Fri Aug 08 15:41:00 2025", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "retry-after", "fri, 08 aug 2025 15:41:00 GMT", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "retry-after", "Fri, 08 Aug 2025 15:40:60 GMT", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "retry-after", "Thursday, 08-Aug-75 15:41:00 GMT", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "retry-after", "Sunday, 08-Aug-76 15:41:00 GMT", NULL }, BODY_M, LIMITED(" after=0") },
    };

    REFUSED_EACH(rows);
}

TEST(a_two_digit_year_after_the_turn_of_a_century_is_in_the_next)
{
    static const refusal rows[] = {
        { 429, { "retry-after", "Saturday, 01-Jan-00 00:00:00 GMT", NULL }, BODY_M, LIMITED(" after=1000") },
    };

    now_seconds = 946684799; /* the last second of 1999 */
    REFUSED_EACH(rows);
    now_seconds = NOW;
}

TEST(a_date_that_no_calendar_has_is_no_wait)
{
    static const char *const dates[] = {
        "Fri, 00 Aug 2025 15:41:00 GMT", "Fri, 32 Aug 2025 15:41:00 GMT", "Fri, 31 Sep 2025 15:41:00 GMT",
        "Mon, 30 Feb 2026 15:41:00 GMT", "Sun, 29 Feb 2026 15:41:00 GMT", "Mon, 29 Feb 2100 15:41:00 GMT",
        "Fri, 08 Aug 2025 24:00:00 GMT", "Fri, 08 Aug 2025 25:41:00 GMT", "Fri, 08 Aug 2025 15:60:00 GMT",
        "Fri, 08 Aug 2025 15:41:61 GMT", "Fri, 08 Aug 2025 15:41:99 GMT", "Fri, 08 Abc 2025 15:41:00 GMT",
        "Fri, 08 Augu 2025 15:41:00 GMT", "Fry, 08 Aug 2025 15:41:00 GMT", "Fri 08 Aug 2025 15:41:00 GMT",
        "Fri,08 Aug 2025 15:41:00 GMT", "Fri, 8 Aug 2025 15:41:00 GMT", "Fri, 08 Aug 2025 15:41:00 PST",
        "Fri, 08 Aug 2025 15:41:00 GMT+1", "Fri, 08 Aug 2025 15.41.00 GMT", "Fri, 08 Aug 2025 15:41 GMT",
        "Fri, 08-Aug-2025 15:41:00 GMT", "Friday, 08-Aug-25 15:41:00", "Fri Aug  8 15:41:00", "Fri Aug 32 15:41:00 2025",
        "2025-08-08T15:41:00Z", "Fri, 08 Aug 2025 15:41:0", "Fri,", "Fri", "F", "Fri, ",
    };
    size_t i;

    for (i = 0; i < sizeof dates / sizeof *dates; i++) {
        refusal row = { 429, { "retry-after", NULL, NULL }, BODY_M, LIMITED("") };
        row.headers[1] = dates[i];
        refused_each(&row, 1);
    }
}

CHECK_MAIN("failure",
    RUN(too_early_may_be_tried_again)
    RUN(a_request_larger_than_the_rate_is_too_long_and_no_wait_helps)
    RUN(no_wait_is_longer_than_a_year_wherever_it_comes_from)
    RUN(a_clock_beyond_all_dates_gives_no_wait)
    RUN(every_month_of_an_http_date_is_known)
    RUN(the_three_forms_of_an_http_date_are_read)
    RUN(a_two_digit_year_after_the_turn_of_a_century_is_in_the_next)
    RUN(a_date_that_no_calendar_has_is_no_wait))
