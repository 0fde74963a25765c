/* The recorded refusals and errors of $ELELEM_CORPUS/streams/errors: what kind each is, whether it may be
   tried again, and when. Most have the kind of their status; all others are in the table. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"
#include "recordings.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct known_error {
    const char *name; /* a piece of the file's name */
    elelem_error_kind kind;
    int64_t wait;
} known_error;

static const known_error by_words[] = {
    { "http429-your-requests-to", ELELEM_ERROR_KIND_RATE_LIMIT, 1000 },
    { "http429-rate-limit-exceeded", ELELEM_ERROR_KIND_RATE_LIMIT, 30000 },
    { "http429-you-exceeded-your-current-quota", ELELEM_ERROR_KIND_RATE_LIMIT, 48000 },
    { "stream-rate-limited", ELELEM_ERROR_KIND_CONTENT_TOO_LONG, -1 },
    { "instream-overloaded", ELELEM_ERROR_KIND_TRANSIENT, -1 },
    { "tool-use-failed", ELELEM_ERROR_KIND_INVALID_REQUEST, -1 },
    { "instream-error-then-done", ELELEM_ERROR_KIND_INVALID_REQUEST, -1 },
    { "http400-too-many-tokens", ELELEM_ERROR_KIND_CONTENT_TOO_LONG, -1 },
    { "http400-prompt-too-long", ELELEM_ERROR_KIND_CONTENT_TOO_LONG, -1 },
    { "http400-prompt-is-too-long", ELELEM_ERROR_KIND_CONTENT_TOO_LONG, -1 },
    { "http400-this-endpoint-s-maximum-context", ELELEM_ERROR_KIND_CONTENT_TOO_LONG, -1 },
    { "http400-the-input-token-count", ELELEM_ERROR_KIND_CONTENT_TOO_LONG, -1 },
    { "http400-the-model-returned-the-following", ELELEM_ERROR_KIND_CONTENT_TOO_LONG, -1 },
    { "http400-your-input-exceeds", ELELEM_ERROR_KIND_CONTENT_TOO_LONG, -1 },
    { "http400-api-key-not-valid", ELELEM_ERROR_KIND_AUTHENTICATION, -1 },
    { "http400-incorrect-api-key", ELELEM_ERROR_KIND_AUTHENTICATION, -1 },
    { "http400-corrupted-thought-signature", ELELEM_ERROR_KIND_RECOVERABLE, -1 },
    { "http400-missing-thought-signature", ELELEM_ERROR_KIND_RECOVERABLE, -1 },
    { "http400-invalid-thinking-signature", ELELEM_ERROR_KIND_RECOVERABLE, -1 },
    { "http400-thinking-cannot-be-modified", ELELEM_ERROR_KIND_RECOVERABLE, -1 },
    { "http400-invalid-encrypted-content", ELELEM_ERROR_KIND_RECOVERABLE, -1 },
    { "http404-item-not-persisted", ELELEM_ERROR_KIND_RECOVERABLE, -1 },
};

static int seen[COUNT(by_words)];

static elelem_error_kind kind_of_status(int status)
{
    if (status == 401 || status == 403) return ELELEM_ERROR_KIND_AUTHENTICATION;
    if (status == 429) return ELELEM_ERROR_KIND_RATE_LIMIT;
    return status >= 500 ? ELELEM_ERROR_KIND_TRANSIENT : ELELEM_ERROR_KIND_INVALID_REQUEST;
}

static known_error known(const recording *r)
{
    known_error expected;
    size_t i;

    expected.name = r->name;
    expected.kind = kind_of_status(r->status);
    expected.wait = -1;
    for (i = 0; i < COUNT(by_words); i++)
        if (strstr(r->name, by_words[i].name)) {
            expected = by_words[i];
            seen[i] = 1;
        }
    return expected;
}

/* The end of the recording; its texts are valid until the stream is used again. */
static elelem_event end_of(const recording *r)
{
    elelem_event event;

    memset(&event, 0, sizeof event);
    streams_now.http_status = r->status;
    streams_now.headers = r->headers;
    streams_now.desc.unix_seconds = 1754667630;
    streams_start(&streams_now);
    elelem_stream_push(&streams_now.stream, r->body, r->size);
    while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK && event.kind < ELELEM_EVENT_FINISHED)
        ;
    if (event.kind >= ELELEM_EVENT_FINISHED) return event;
    elelem_stream_finish(&streams_now.stream);
    elelem_stream_next(&streams_now.stream, &event);
    return event;
}

static void check_error(const recording *r)
{
    known_error expected = known(r);
    elelem_event end = end_of(r);

    if (!CHECK_INT(end.kind, ELELEM_EVENT_ERROR)) return;
    CHECK_STR(elelem_error_kind_name(end.error.kind),
              strlen(elelem_error_kind_name(end.error.kind)), elelem_error_kind_name(expected.kind));
    CHECK_INT(end.error.retryable, elelem_error_kind_is_retryable(expected.kind));
    CHECK_INT(end.error.retry_after_ms, expected.wait);
    CHECK(end.error.message.size > 0);
}

TEST(each_recorded_error_is_of_its_kind)
{
    static const struct {
        const char *name;
        const elelem_shape *shape;
    } shapes[] = {
        { "chat", &elelem_shape_chat },         { "responses", &elelem_shape_responses }, { "messages", &elelem_shape_messages },
        { "gemini", &elelem_shape_gemini },     { "other", &elelem_shape_chat },
    };
    size_t i;
    int count = 0;

    for (i = 0; i < COUNT(shapes); i++) {
        streams_shape(shapes[i].shape);
        count += recordings_each("errors/", shapes[i].name, check_error);
    }
    elelem_stream_free(&streams_now.stream);
    if (count == 0) check_nothing("no recordings (set ELELEM_CORPUS)");
    for (i = 0; count > 0 && i < COUNT(by_words); i++) {
        check_context(by_words[i].name);
        CHECK(seen[i]);
    }
}

CHECK_MAIN("corpus_errors",
    RUN(each_recorded_error_is_of_its_kind))
