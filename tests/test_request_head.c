/* request_head: paths and heads of requests. */
#include "elelem_stream.h"

#include "check.h"

#include <string.h>

static char text[1024];
static elelem_request request;
static elelem_request_head head;

static elelem_span_sink begin(const char *provider, const char *model)
{
    elelem_span_sink span;

    memset(&request, 0, sizeof request);
    memset(&head, 0, sizeof head);
    request.provider = elelem_provider_find(provider);
    request.model = elelem_str_of(model);
    head.host = elelem_str_of("a.example:8080");
    head.key = elelem_str_of("k-1");
    head.content_length = 12;
    span.data = text;
    span.capacity = sizeof text;
    span.size = 0;
    return span;
}

static void path_is(const char *provider, const char *model, int whole, const char *expected)
{
    elelem_span_sink span = begin(provider, model);

    request.whole = (uint8_t)whole;
    CHECK_INT(elelem_request_path_write(&request, elelem_span_sink_of(&span)), ELELEM_OK);
    CHECK_STR(text, span.size, expected);
}

TEST(the_path_is_the_providers_with_the_model_in_it)
{
    path_is("openai", "gpt-5", 0, "/v1/responses");
    path_is("openai", "gpt-5", 1, "/v1/responses");
    path_is("google", "gemini-2.5-pro", 0, "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
    path_is("google", "gemini-2.5-pro", 1, "/v1beta/models/gemini-2.5-pro:generateContent");
    path_is("google-interactions", "gemini-3-pro", 0, "/v1beta/interactions");
    path_is("vertex-interactions", "gemini-3-pro", 1, "/v1beta1/projects/{project}/locations/{location}/interactions");
}

TEST(a_model_in_a_path_is_percent_encoded) /* Q6 */
{
    path_is("google", "a b?c#\xc3\xa9\r\n%", 1, "/v1beta/models/a%20b%3Fc%23%C3%A9%0D%0A%25:generateContent");
}

TEST(a_path_without_a_provider_or_its_model_is_refused)
{
    elelem_span_sink span = begin("none", "m");

    CHECK_INT(elelem_request_path_write(&request, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
    span = begin("google", "");
    CHECK_INT(elelem_request_path_write(&request, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
    CHECK_U64(span.size, 0);
}

TEST(a_head_has_what_the_provider_requires)
{
    elelem_span_sink span = begin("anthropic", "m");

    CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_OK);
    CHECK_STR(text, span.size, "POST /v1/messages HTTP/1.1\r\nHost: a.example:8080\r\nContent-Type: application/json\r\n"
              "Accept: text/event-stream\r\nContent-Length: 12\r\nx-api-key: k-1\r\nanthropic-version: 2023-06-01\r\n\r\n");
    span = begin("openrouter", "m");
    request.whole = 1;
    head.path = elelem_str_of("/v9/x");
    head.headers = elelem_str_of("X-Title: t\r\n");
    CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_OK);
    CHECK_STR(text, span.size, "POST /v9/x HTTP/1.1\r\nHost: a.example:8080\r\nContent-Type: application/json\r\n"
              "Accept: application/json\r\nContent-Length: 12\r\nauthorization: Bearer k-1\r\nX-Title: t\r\n\r\n");
}

TEST(a_path_of_the_callers_may_be_the_root)
{
    elelem_span_sink span = begin("openai", "m");

    head.path = elelem_str_of("/");
    CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_OK);
    text[span.size] = 0;
    CHECK(strncmp(text, "POST / HTTP/1.1\r\n", 17) == 0);
}

TEST(a_header_of_the_callers_replaces_the_providers_other_one)
{
    elelem_span_sink span = begin("anthropic", "m");

    head.key = elelem_str_of("");
    head.headers = elelem_str_of("X-A: anthropic-version:\r\nAnthropic-Version: 2026-10-21\r\n");
    CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_OK);
    CHECK_STR(text, span.size, "POST /v1/messages HTTP/1.1\r\nHost: a.example:8080\r\nContent-Type: application/json\r\n"
              "Accept: text/event-stream\r\nContent-Length: 12\r\nX-A: anthropic-version:\r\nAnthropic-Version: 2026-10-21\r\n\r\n");
    span = begin("anthropic", "m");
    head.headers = elelem_str_of("X-A: anthropic-version:\r\n");
    CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_OK);
    CHECK(span.size > 40 && memcmp(text + span.size - 58, "anthropic-version: 2023-06-01\r\n", 31) == 0);
}

TEST(nothing_can_break_out_of_its_line) /* Q6 */
{
    static const char *const bad[] = { "a\r\nX: y", "a b", "a\n", "\x7f", "\t" };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        elelem_span_sink span = begin("openai", "m");
        head.key = elelem_str_of(bad[i]);
        CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
        span = begin("openai", "m");
        head.host = elelem_str_of(bad[i]);
        CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
        span = begin("openai", "m");
        head.path = elelem_str_of(bad[i]);
        CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
        span = begin("openai", "m");
        head.headers = elelem_str_of("X: y");
        CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
        head.headers = elelem_str_of("");
        head.host = elelem_str_of("");
        CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
        CHECK_U64(span.size, 0);
    }
}

TEST(a_sink_that_refuses_at_any_byte_is_reported)
{
    elelem_span_sink span = begin("google", "m");
    size_t room, size;

    CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_OK);
    size = span.size;
    for (room = 0; room < size; room++) {
        span = begin("google", "m");
        span.capacity = room;
        CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_ERROR_VALUE_SIZE);
    }
}

TEST(every_byte_of_a_model_is_in_the_path_or_escaped)
{
    static const char plain[] = "-._~:/@ABCXYZabcxyz0123456789";
    char expected[200], name[2];
    elelem_span_sink span;
    int byte;

    for (byte = 0; byte < 256; byte++) {
        span = begin("google", "m");
        name[0] = (char)byte;
        request.model.data = name;
        request.model.size = 1;
        request.whole = 1;
        CHECK_INT(elelem_request_path_write(&request, elelem_span_sink_of(&span)), ELELEM_OK);
        if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte != 0 && strchr(plain, byte)))
            snprintf(expected, sizeof expected, "/v1beta/models/%c:generateContent", byte);
        else
            snprintf(expected, sizeof expected, "/v1beta/models/%%%02X:generateContent", byte);
        CHECK_STR(text, span.size, expected);
    }
}

TEST(a_header_is_the_providers_other_one_by_its_whole_name)
{
    static const char *const others[] = {
        "anthropic-version-2: x\r\n", "anthropic-versio: x\r\n", "X: y\r\nanthropic-version : x\r\n", "\r\n", "a\nanthropic-version\r\n",
        "xanthropic-version: x\r\n",
    };
    static const char *const same[] = { "anthropic-version:\r\n", "X: y\r\nANTHROPIC-VERSION:x\r\n", "\nanthropic-version: x\r\n" };
    elelem_span_sink span;
    size_t i;

    for (i = 0; i < sizeof others / sizeof *others; i++) {
        span = begin("anthropic", "m");
        head.headers = elelem_str_of(others[i]);
        CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_OK);
        text[span.size] = 0;
        CHECK(strstr(text, "anthropic-version: 2023-06-01\r\n") != NULL);
    }
    for (i = 0; i < sizeof same / sizeof *same; i++) {
        span = begin("anthropic", "m");
        head.headers = elelem_str_of(same[i]);
        CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_OK);
        text[span.size] = 0;
        CHECK(strstr(text, "anthropic-version: 2023-06-01\r\n") == NULL);
    }
}

TEST(headers_end_with_a_line_end)
{
    static const char *const bad[] = { "\n", "\r", "a\n", "a\r", "a\n\r", "a\rb", "a\r\nb" };
    elelem_span_sink span;
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        span = begin("openai", "m");
        head.headers = elelem_str_of(bad[i]);
        CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_ERROR_MISUSE);
        CHECK_U64(span.size, 0);
    }
}

TEST(what_follows_the_headers_in_memory_is_not_read)
{
    elelem_span_sink span = begin("anthropic", "m");

    head.headers = elelem_str_of("X: y\r\nanthropic-version: x\r\n");
    head.headers.size = 6;
    CHECK_INT(elelem_request_head_write(&request, &head, elelem_span_sink_of(&span)), ELELEM_OK);
    text[span.size] = 0;
    CHECK(strstr(text, "anthropic-version: 2023-06-01\r\nX: y\r\n\r\n") != NULL);
}

CHECK_MAIN("request_head",
    RUN(the_path_is_the_providers_with_the_model_in_it)
    RUN(a_model_in_a_path_is_percent_encoded)
    RUN(a_path_without_a_provider_or_its_model_is_refused)
    RUN(a_head_has_what_the_provider_requires)
    RUN(a_path_of_the_callers_may_be_the_root)
    RUN(a_header_of_the_callers_replaces_the_providers_other_one)
    RUN(nothing_can_break_out_of_its_line)
    RUN(a_sink_that_refuses_at_any_byte_is_reported)
    RUN(every_byte_of_a_model_is_in_the_path_or_escaped)
    RUN(a_header_is_the_providers_other_one_by_its_whole_name)
    RUN(headers_end_with_a_line_end)
    RUN(what_follows_the_headers_in_memory_is_not_read))
