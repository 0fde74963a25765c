/* failure: HTTP status, headers, waits and error bodies of refusals. Every wire reads them in the same way, so that
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

/* Prepares for bodies of the wire, without options; a failed check names it, and the row if there is one. */
static void ready(const wire *w, const char *header, const char *row)
{
    static char context[400];

    snprintf(context, sizeof context, "%s: %s%.300s", w->name, header ? header : "", row ? row : "");
    check_context(context);
    streams_shape(w->shape);
}

static size_t wire_now;

/* The wire of this number, prepared; null after the last. */
static const wire *wire_ready(size_t number)
{
    if (number == WIRES) return NULL;
    ready(wires[number], NULL, NULL);
    return wires[number];
}

#define EACH_WIRE(w) for (wire_now = 0; (w = wire_ready(wire_now)) != NULL; wire_now++)

static void refused(const wire *w, const refusal *row)
{
    ready(w, row->headers[1], row->body);
    streams_now.headers = row->headers;
    streams_now.http_status = row->status;
    streams_now.desc.unix_seconds = now_seconds;
    STREAM(row->body, row->end);
}

static void refused_each(const refusal *rows, size_t count)
{
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < count; i++)
        refused(w, &rows[i]);
}

#define REFUSED_EACH(rows) refused_each(rows, sizeof rows / sizeof *rows)

TEST(each_status_is_a_class_of_errors)
{
    static const refusal rows[] = {
        { 400, { NULL }, "", "ERROR invalid_request http=400 \"the provider refused the request\"\nEND\n" },
        { 401, { NULL }, "", "ERROR authentication http=401 \"the provider refused the credentials\"\nEND\n" },
        { 402, { NULL }, "", "ERROR quota http=402 \"the account's quota is used up\"\nEND\n" },
        { 403, { NULL }, "", "ERROR authentication http=403 \"the provider refused the credentials\"\nEND\n" },
        { 404, { NULL }, "", "ERROR invalid_request http=404 \"the provider refused the request\"\nEND\n" },
        { 408, { NULL }, "", "ERROR transient retryable http=408 \"the provider failed or is overloaded\"\nEND\n" },
        { 409, { NULL }, "", "ERROR transient retryable http=409 \"the provider failed or is overloaded\"\nEND\n" },
        { 413, { NULL }, "", "ERROR content_too_long http=413 \"the request is too long for the model\"\nEND\n" },
        { 422, { NULL }, "", "ERROR invalid_request http=422 \"the provider refused the request\"\nEND\n" },
        { 429, { NULL }, "", "ERROR rate_limit retryable http=429 \"the provider's rate limit is reached\"\nEND\n" },
        { 500, { NULL }, "", "ERROR transient retryable http=500 \"the provider failed or is overloaded\"\nEND\n" },
        { 502, { NULL }, "<html>", "ERROR transient retryable http=502 \"the provider failed or is overloaded\"\nmeta body_excerpt=\"<html>\"\nEND\n" },
        { 503, { NULL }, "\x1f\x8b", "ERROR transient retryable http=503 \"the provider failed or is overloaded\"\nEND\n" },
        { 504, { NULL }, "upstream timed out",
          "ERROR transient retryable http=504 \"the provider failed or is overloaded\"\nmeta body_excerpt=\"upstream timed out\"\nEND\n" },
        { 524, { NULL }, "\n", "ERROR transient retryable http=524 \"the provider failed or is overloaded\"\nEND\n" },
        { 529, { NULL }, "", "ERROR transient retryable http=529 \"the provider failed or is overloaded\"\nEND\n" },
        { 302, { NULL }, "", "ERROR other http=302 \"the provider reported an error\"\nEND\n" },
        { 600, { NULL }, "", "ERROR other http=600 \"the provider reported an error\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(a_body_of_one_word_has_the_kind_of_the_status)
{
    static const refusal rows[] = {
        { 401, { NULL }, "Unauthorized",
          "ERROR authentication http=401 \"the provider refused the credentials\"\nmeta body_excerpt=\"Unauthorized\"\nEND\n" },
        { 503, { NULL }, "null\n", "ERROR transient retryable http=503 \"the provider failed or is overloaded\"\nmeta body_excerpt=\"null\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(each_form_of_error_body_is_read)
{
    static const refusal rows[] = {
        { 401, { NULL }, "{\"error\":{\"message\":\"bad key\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_api_key\"}}",
          "ERROR authentication http=401 code=invalid_api_key \"bad key\"\nEND\n" },
        { 401, { NULL }, "{\"error\":{\"code\":\"401\",\"message\":\"no key\"}}", "ERROR authentication http=401 code=401 \"no key\"\nEND\n" },
        { 529, { NULL }, "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"},\"request_id\":\"r\"}",
          "ERROR transient retryable http=529 code=overloaded_error \"Overloaded\"\nmeta request_id=\"r\"\nEND\n" },
        { 400, { NULL }, "{\"error\":{\"code\":400,\"message\":\"bad\",\"status\":\"INVALID_ARGUMENT\",\"details\":[]}}",
          "ERROR invalid_request http=400 code=INVALID_ARGUMENT \"bad\"\nEND\n" },
        { 503, { NULL }, "[{\"error\":{\"code\":503,\"message\":\"busy\",\"status\":\"UNAVAILABLE\"}}]",
          "ERROR transient retryable http=503 code=UNAVAILABLE \"busy\"\nEND\n" },
        { 422, { NULL }, "{\"object\":\"error\",\"message\":\"bad\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"1210\",\"raw_status_code\":422}",
          "ERROR invalid_request http=422 code=1210 \"bad\"\nEND\n" },
        { 429, { NULL }, "{\"error\":{\"message\":\"slow\",\"code\":429,\"metadata\":{\"raw\":\"{}\"}},\"user_id\":\"u\"}",
          "ERROR rate_limit retryable http=429 \"slow\"\nEND\n" },
        { 404, { NULL }, "{\"error\":\"no such model\"}", "ERROR invalid_request http=404 \"no such model\"\nEND\n" },
        { 400, { NULL }, "{\"code\":\"invalid-argument\",\"error\":\"Incorrect API key provided.\"}",
          "ERROR authentication http=400 code=invalid-argument \"Incorrect API key provided.\"\nEND\n" },
        { 403, { NULL }, "{\"message\":\"no access\"}", "ERROR authentication http=403 \"no access\"\nEND\n" },
        { 404, { NULL }, "{\"detail\":\"Not Found\"}", "ERROR invalid_request http=404 \"Not Found\"\nEND\n" },
        { 404, { NULL }, "data: {\"error\":{\"code\":404,\"message\":\"no model\",\"status\":\"NOT_FOUND\"}}\r\n\r\n",
          "ERROR invalid_request http=404 code=NOT_FOUND \"no model\"\nEND\n" },
        { 429, { NULL }, "{\"error\":{\"message\":\"pay\",\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\"}}",
          "ERROR quota http=429 code=insufficient_quota \"pay\"\nEND\n" },
        { 400, { NULL }, "{\"error\":{\"message\":\"Your credit balance is too low\",\"type\":\"invalid_request_error\"}}",
          "ERROR quota http=400 code=invalid_request_error \"Your credit balance is too low\"\nEND\n" },
        { 400, { NULL }, "{\"error\":{\"message\":\"x\",\"code\":\"context_length_exceeded\"}}", "ERROR content_too_long http=400 code=context_length_exceeded \"x\"\nEND\n" },
        { 401, { NULL }, "{\"error\":{\"message\":\"Unauthorized\",\"type\":\"api_error\",\"code\":null}}", "ERROR authentication http=401 code=api_error \"Unauthorized\"\nEND\n" },
        { 500, { NULL }, "{\"error\":{\"message\":\"cut off here", "ERROR transient retryable http=500 \"cut off here\"\nEND\n" },
        { 500, { NULL }, "{\"error\":{\"message\":\"then\" nonsense", "ERROR transient retryable http=500 \"then\"\nEND\n" },
        { 400, { NULL }, "{\"error\":{}}", "ERROR invalid_request http=400 \"the provider refused the request\"\nEND\n" },
        { 400, { NULL }, "{\"error\":[1,{\"message\":7}],\"message\":{\"a\":1}}", "ERROR invalid_request http=400 \"the provider refused the request\"\nEND\n" },
        { 400, { NULL }, "[]", "ERROR invalid_request http=400 \"the provider refused the request\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

/* A word or a sentence of a provider's, and the kind that it means. */
typedef struct meaning {
    int status;
    const char *text;
    const char *kind;
} meaning;

/* Each text in an error body of this form: a format with one %s. */
static void meanings(const meaning *all, size_t count, const char *form, int is_code)
{
    static char body[600], end[600];
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < count; i++)
    {
        refusal row = { 0, { NULL }, body, end };
        row.status = all[i].status;
        snprintf(body, sizeof body, form, all[i].text);
        if (is_code) snprintf(end, sizeof end, "ERROR %s http=%d code=%s \"m\"\nEND\n", all[i].kind, all[i].status, all[i].text);
        else snprintf(end, sizeof end, "ERROR %s http=%d \"%s\"\nEND\n", all[i].kind, all[i].status, all[i].text);
        refused(w, &row);
    }
}

TEST(each_word_of_a_provider_has_its_kind)
{
    static const meaning codes[] = {
        { 429, "exceeded_current_quota_error", "quota" }, { 429, "1113", "quota" }, { 429, "1308", "quota" }, { 429, "1310", "quota" }, { 400, "Arrearage", "quota" },
        { 412, "ACCOUNT_SUSPENDED", "quota" }, { 429, "rate_limit_reached_error", "rate_limit retryable" },
        { 429, "token_quota_exceeded", "rate_limit retryable" }, { 400, "slow_down", "transient retryable" },
        { 400, "engine_overloaded_error", "transient retryable" }, { 498, "capacity_exceeded", "transient retryable" },
        { 400, "exceed_context_size_error", "content_too_long" }, { 400, "model_max_prompt_tokens_exceeded", "content_too_long" },
        { 400, "1261", "content_too_long" }, { 400, "data_inspection_failed", "content_filter" },
        { 400, "moderation_blocked", "content_filter" }, { 400, "cyber_policy", "content_filter" },
        { 400, "vector_store_timeout", "transient retryable" }, { 400, "websocket_connection_limit_reached", "transient retryable" },
    };

    meanings(codes, sizeof codes / sizeof *codes, "{\"error\":{\"code\":\"%s\",\"message\":\"m\"}}", 1);
}

TEST(each_sentence_of_a_provider_has_its_kind)
{
    static const meaning sentences[] = {
        { 429, "Your team has either used all available credits or reached its limit.", "quota" },
        { 403, "Your newly created team doesn't have any credits yet.", "quota" },
        { 403, "The team reached its monthly spending limit.", "quota" },
        { 429, "Insufficient balance or no resource package.", "quota" },
        { 400, "You have reached your specified API usage limits.", "quota" },
        { 403, "Key limit exceeded (total limit).", "quota" },
        { 403, "The model requires moderation and your input was flagged for violence.", "content_filter" },
        { 400, "input length and `max_tokens` exceed context limit: 9 + 8 > 10", "content_too_long" },
        { 400, "the request exceeds the available context size", "content_too_long" },
        { 400, "This model's maximum prompt length is 10 but the request has 11 tokens.", "content_too_long" },
        { 400, "Your request exceeded model token limit: 10", "content_too_long" },
        { 400, "Input is too long for requested model.", "content_too_long" },
        { 400, "It is greater than the context length of 10 tokens.", "content_too_long" },
        { 400, "The prompt is longer than the model's context length.", "content_too_long" },
        { 400, "Prompt exceeds max length", "content_too_long" },
        { 400, "context window exceeds limit", "content_too_long" },
        { 429, "Usage limit reached for 5 hour. Your limit will reset at 2026-01-02 03:04:05", "quota" },
        { 429, "you (x) have reached your session usage limit, upgrade for higher limits", "quota" },
        { 429, "you (x) have reached your weekly usage limit, upgrade for higher limits", "quota" },
        { 429, "Too many tokens per day, please wait before trying again.", "quota" },
        { 498, "no room at this time", "transient retryable" },
    };

    meanings(sentences, sizeof sentences / sizeof *sentences, "{\"error\":{\"message\":\"%s\"}}", 0);
}

/* ChatGPT's plans, by the backend of Codex: no request succeeds before the time that the error says. */
TEST(a_plan_that_is_used_up_is_a_quota_with_its_wait)
{
    static const refusal rows[] = {
        { 429, { NULL }, "{\"error\":{\"type\":\"usage_limit_reached\",\"message\":\"m\",\"plan_type\":\"p\",\"resets_at\":9,\"resets_in_seconds\":13872}}",
          "ERROR quota after=13872000 http=429 code=usage_limit_reached \"m\"\nEND\n" },
        { 429, { NULL }, "{\"error\":{\"type\":\"usage_limit_reached\",\"message\":\"m\",\"resets_in_seconds\":null}}",
          "ERROR quota http=429 code=usage_limit_reached \"m\"\nEND\n" },
        { 429, { NULL }, "{\"error\":{\"type\":\"usage_not_included\",\"message\":\"m\"}}", "ERROR quota http=429 code=usage_not_included \"m\"\nEND\n" },
        { 0, { NULL }, "data: {\"type\":\"error\",\"error\":{\"type\":\"usage_limit_reached\",\"message\":\"m\",\"resets_in_seconds\":5},\"status_code\":429}\n\n",
          "ERROR quota after=5000 code=usage_limit_reached \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

/* Google's errors come in an array if a list of chunks was asked for; a gateway may pass that on under its own status. */
TEST(an_array_with_an_error_is_that_error_under_any_status)
{
    static const refusal rows[] = {
        { 0, { NULL }, "[{\"error\":{\"code\":503,\"message\":\"m\",\"status\":\"UNAVAILABLE\"}}]", "ERROR transient retryable code=UNAVAILABLE \"m\"\nEND\n" },
        { 200, { NULL }, "[{\n  \"error\": {\n    \"code\": 401,\n    \"message\": \"m\"\n  }\n}\n]\n", "ERROR authentication http=200 \"m\"\nEND\n" },
        { 429, { NULL }, "[{\"error\":{\"code\":429,\"message\":\"m\"}}]", "ERROR rate_limit retryable http=429 \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

#define MINIMAX "usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-05-15T15:00:00Z (2056)"

#define ANTHROPIC(type, message) "{\"type\":\"error\",\"error\":{\"type\":\"" type "\",\"message\":\"" message "\"},\"request_id\":null}"
#define LONG_CONTEXT "Extra usage is required for long context requests."
#define NO_EXTRA "You're out of extra usage. Add more at x.test/settings/usage and keep going."
#define KIMI "You've reached kimi monthly usage limit for this billing cycle. Your quota will be refreshed in the next cycle."

TEST(a_plan_that_is_used_up_is_a_quota_though_the_type_says_rate)
{
    static const refusal rows[] = {
        { 429, { NULL }, ANTHROPIC("rate_limit_error", LONG_CONTEXT), "ERROR quota http=429 code=rate_limit_error \"" LONG_CONTEXT "\"\nEND\n" },
        { 400, { NULL }, ANTHROPIC("invalid_request_error", NO_EXTRA), "ERROR quota http=400 code=invalid_request_error \"" NO_EXTRA "\"\nEND\n" },
        { 429, { NULL }, ANTHROPIC("rate_limit_reached_error", KIMI), "ERROR quota http=429 code=rate_limit_reached_error \"" KIMI "\"\nEND\n" },
        { 429, { NULL }, "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"" MINIMAX "\"}}",
          "ERROR quota http=429 code=rate_limit_error \"" MINIMAX "\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

#define FREE(limit) "{\"error\":{\"message\":\"Rate limit exceeded: " limit "\",\"code\":429,\"metadata\":{\"headers\":{\"X-RateLimit-Reset\":\"1754667660000\"}}}}"

TEST(a_limit_of_the_day_at_a_router_is_a_quota_with_its_wait) /* OpenRouter */
{
    static const refusal rows[] = {
        { 429, { NULL }, FREE("free-models-per-day"), "ERROR quota after=30000 http=429 \"Rate limit exceeded: free-models-per-day\"\nEND\n" },
        { 429, { "x-ratelimit-reset", "9", NULL }, FREE("free-models-per-day"), "ERROR quota after=30000 http=429 \"Rate limit exceeded: free-models-per-day\"\nEND\n" },
        { 429, { NULL }, FREE("free-models-per-min"), "ERROR rate_limit retryable after=30000 http=429 \"Rate limit exceeded: free-models-per-min\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(the_sentence_of_an_error_may_be_in_a_list_of_errors) /* Cloudflare */
{
    static const refusal rows[] = {
        { 429, { NULL }, "{\"errors\":[{\"message\":\"AiError: m\",\"code\":3040}],\"success\":false,\"result\":{},\"messages\":[]}",
          "ERROR rate_limit retryable http=429 \"AiError: m\"\nEND\n" },
        { 400, { NULL }, "{\"errors\":[],\"detail\":\"m\"}", "ERROR invalid_request http=400 \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(a_budget_that_is_used_up_is_a_quota_under_any_status) /* LiteLLM */
{
    static const refusal rows[] = {
        { 400, { NULL }, "{\"error\":{\"message\":\"m\",\"type\":\"budget_exceeded\",\"param\":null,\"code\":\"400\"}}", "ERROR quota http=400 code=400 \"m\"\nEND\n" },
        { 429, { NULL }, "{\"error\":{\"message\":\"m\",\"type\":\"budget_exceeded\",\"param\":null,\"code\":\"429\"}}", "ERROR quota http=429 code=429 \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

#define ALIBABA(message) "{\"error\":{\"code\":\"insufficient_quota\",\"type\":\"insufficient_quota\",\"message\":\"" message "\"}}"
#define ALIBABA_TOKENS "Allocated quota exceeded, please increase your quota limit."
#define ALIBABA_LINK "You exceeded your current quota. For details, see: https://x.test/zh/model-studio/error-code#token-limit"

TEST(too_many_tokens_a_minute_are_a_rate_limit_though_the_code_says_quota)
{
    static const refusal rows[] = {
        { 429, { NULL }, ALIBABA(ALIBABA_TOKENS), "ERROR rate_limit retryable http=429 code=insufficient_quota \"" ALIBABA_TOKENS "\"\nEND\n" },
        { 429, { NULL }, ALIBABA(ALIBABA_LINK), "ERROR rate_limit retryable http=429 code=insufficient_quota \"" ALIBABA_LINK "\"\nEND\n" },
        { 429, { NULL }, ALIBABA("Free allocated quota exceeded."), "ERROR quota http=429 code=insufficient_quota \"Free allocated quota exceeded.\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

/* A gateway that has begun to stream has only these words for what it would report with 502 or 504. With a status they say nothing. */
TEST(a_gateway_that_lost_its_provider_in_a_stream_is_transient)
{
    static const refusal rows[] = {
        { 0, { NULL }, "data: {\"error\":{\"message\":\"m\",\"type\":\"upstream_timeout\",\"code\":\"timeout\"}}\n\n", "ERROR transient retryable code=timeout \"m\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"message\":\"m\",\"type\":\"upstream_timeout\"}}\n\n", "ERROR transient retryable code=upstream_timeout \"m\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"message\":\"Compute error.\"},\"message\":\"Compute error.\"}\n\n", "ERROR transient retryable \"Compute error.\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"message\":\"Chat completion aborted. Wait.\",\"trace\":null}}\n\n", "ERROR transient retryable \"Chat completion aborted. Wait.\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"message\":\"m\",\"type\":\"upstream_error\",\"code\":\"fetch_failed\"}}\n\n", "ERROR transient retryable code=fetch_failed \"m\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"message\":\"m\",\"type\":\"connection_error\"}}\n\n", "ERROR transient retryable code=connection_error \"m\"\nEND\n" },
        { 400, { NULL }, "{\"error\":{\"message\":\"m\",\"type\":\"upstream_error\"}}", "ERROR invalid_request http=400 code=upstream_error \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

#define RETURNED(raw) "{\"error\":{\"message\":\"Provider returned error\",\"code\":429,\"metadata\":{\"raw\":\"" raw "\"}}}"

TEST(a_router_that_says_nothing_itself_has_the_sentence_of_the_provider)
{
    static const refusal rows[] = {
        { 400, { NULL }, "{\"error\":{\"message\":\"Provider returned error\",\"code\":400,\"metadata\":{\"raw\":\"prompt is too long: 9 tokens\"}}}",
          "ERROR content_too_long http=400 \"prompt is too long: 9 tokens\"\nEND\n" },
        { 429, { NULL }, RETURNED("{\\\"code\\\":\\\"insufficient_quota\\\"}"),
          "ERROR quota http=429 \"{\\\"code\\\":\\\"insufficient_quota\\\"}\"\nEND\n" },
        { 429, { NULL }, RETURNED("Try again in 2.4s"), "ERROR rate_limit retryable after=2400 http=429 \"Try again in 2.4s\"\nEND\n" },
        { 400, { NULL }, "{\"error\":{\"message\":\"Upstream\",\"metadata\":{\"raw\":\"Corrupted thought signature.\"}}}",
          "ERROR recoverable http=400 \"Corrupted thought signature.\"\nEND\n" },
        { 429, { NULL }, RETURNED(""), "ERROR rate_limit retryable http=429 \"Provider returned error\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(the_sentence_of_an_error_may_be_next_to_it_or_inside)
{
    static const refusal rows[] = {
        { 400, { NULL }, "{\"error\":{},\"message\":\"m\"}", "ERROR invalid_request http=400 \"m\"\nEND\n" },
        { 400, { NULL }, "{\"error\":\"\",\"message\":\"m\"}", "ERROR invalid_request http=400 \"m\"\nEND\n" },
        { 400, { NULL }, "{\"status\":400,\"error\":\"Bad Request\",\"message\":\"m\"}", "ERROR invalid_request http=400 \"m\"\nEND\n" },
        { 422, { NULL }, "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"m\"},{\"msg\":\"n\"}]}", "ERROR invalid_request http=422 \"m\"\nEND\n" },
        { 400, { NULL }, "{\"detail\":{\"message\":\"m\"}}", "ERROR invalid_request http=400 \"m\"\nEND\n" },
        { 422, { NULL }, "{\"object\":\"error\",\"message\":{\"detail\":[{\"msg\":\"m\"}]},\"type\":\"invalid_request_error\"}",
          "ERROR invalid_request http=422 code=invalid_request_error \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(the_status_of_an_error_in_a_stream_may_be_next_to_its_code)
{
    static const refusal rows[] = {
        { 0, { NULL }, "data: {\"error\":{\"type\":\"x\",\"status\":503,\"message\":\"m\"}}\n\n", "ERROR transient retryable code=x \"m\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"type\":\"x\",\"status_code\":429,\"message\":\"m\"}}\n\n", "ERROR rate_limit retryable code=x \"m\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"type\":\"x\",\"status\":200,\"raw_status_code\":\"503\",\"message\":\"m\"}}\n\n",
          "ERROR transient retryable code=x \"m\"\nEND\n" },
        { 429, { NULL }, "{\"error\":{\"type\":\"x\",\"status\":503,\"message\":\"m\"}}", "ERROR rate_limit retryable http=429 code=x \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

#define FAILED(why) "Streaming response failed: " why
#define FAILS(why) "data: {\"error\":{\"message\":\"" FAILED(why) "\"}}\n\n"

TEST(the_status_of_an_error_in_a_stream_may_be_in_its_sentence) /* OpenCode */
{
    static const refusal rows[] = {
        { 0, { NULL }, FAILS("[504] idle"), "ERROR transient retryable \"" FAILED("[504] idle") "\"\nEND\n" },
        { 0, { NULL }, FAILS("[429] slow"), "ERROR rate_limit retryable \"" FAILED("[429] slow") "\"\nEND\n" },
        { 0, { NULL }, FAILS("[400] bad"), "ERROR invalid_request \"" FAILED("[400] bad") "\"\nEND\n" },
        { 0, { NULL }, FAILS("[200] odd"), "ERROR other \"" FAILED("[200] odd") "\"\nEND\n" },
        { 0, { NULL }, FAILS("[600] odd"), "ERROR other \"" FAILED("[600] odd") "\"\nEND\n" },
        { 0, { NULL }, FAILS("[x] odd"), "ERROR other \"" FAILED("[x] odd") "\"\nEND\n" },
        { 0, { NULL }, FAILS("["), "ERROR other \"" FAILED("[") "\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"code\":429,\"message\":\"" FAILED("[504] idle") "\"}}\n\n", "ERROR rate_limit retryable \"" FAILED("[504] idle") "\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(an_error_that_is_only_called_error_has_no_code)
{
    static const refusal rows[] = {
        { 500, { NULL }, "{\"type\":\"error\",\"code\":null,\"message\":\"m\",\"param\":null}", "ERROR transient retryable http=500 \"m\"\nEND\n" },
        { 500, { NULL }, "{\"error\":{\"type\":\"error\",\"message\":\"m\"}}", "ERROR transient retryable http=500 \"m\"\nEND\n" },
        { 400, { NULL }, "{\"type\":\"error\",\"code\":\"invalid_prompt\",\"message\":\"m\"}", "ERROR invalid_request http=400 code=invalid_prompt \"m\"\nEND\n" },
        { 0, { NULL }, "event: error\ndata: {\"type\":\"error\"}\n\n", "ERROR other \"the provider reported an error\"\nEND\n" },
        { 500, { NULL }, "{\"type\":\"novelty\"}", "ERROR transient retryable http=500 \"the provider failed or is overloaded\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

/* A code and the kind that it means, whatever the type and status are, and whatever a sentence says, which counts only if
   the status is neither of the rate nor of money. */
typedef struct coded {
    const char *code;
    const char *kind;
} coded;

#define SENTENCES 4

static const char *const sentences[SENTENCES] = { "x", "Your credit balance is too low", "prompt is too long",
                                                  "Invalid `signature` in `thinking` block" };

static void refused_by_code(const coded *row, size_t sentence, const char *body, int status)
{
    char text[600], end[600];
    refusal made = { 0, { NULL }, NULL, NULL };
    const char *said = sentences[sentence % SENTENCES];
    const wire *w;

    made.status = status;
    made.body = text;
    made.end = end;
    snprintf(text, sizeof text, body, said, row->code);
    snprintf(end, sizeof end, "ERROR %s http=%d code=%s \"%s\"\nEND\n", row->kind, status, row->code, said);
    EACH_WIRE(w) refused(w, &made);
}

TEST(the_code_in_the_details_counts_before_all_else)
{
    static const coded rows[] = {
        { "compaction_signature_invalid", "invalid_request" },
        { "compaction_content_mismatch", "invalid_request" },
        { "compaction_block_misplaced", "invalid_request" },
        { "compaction_block_ambiguous", "invalid_request" },
        { "compaction_incomplete_turn", "invalid_request" },
        { "compaction_tool_changes_mismatch", "invalid_request" },
        { "compaction_too_many_tool_references", "invalid_request" },
        { "compaction_nothing_to_summarize", "invalid_request" },
        { "tool_reference_unresolved", "invalid_request" },
        { "tool_name_conflict", "invalid_request" },
        { "available_tools_limit_exceeded", "invalid_request" },
        { "thread_not_found", "invalid_request" },
        { "thread_fingerprint_mismatch", "invalid_request" },
        { "thread_already_continued", "invalid_request" },
        { "thread_unsupported_request", "invalid_request" },
        { "cmek_context_unavailable", "transient retryable" },
        { "cmek_key_unreachable", "transient retryable" },
        { "compaction_unavailable", "transient retryable" },
        { "thread_continue_in_flight", "transient retryable" },
        { "ramp_limit_exceeded", "rate_limit retryable" },
        { "contract_spend_limit_reached", "quota" },
        { "enforced_spend_limit_reached", "quota" },
        { "linked_organization_spend_limit_reached", "quota" },
        { "linked_organization_billing_unavailable", "quota" },
        { "organization_on_hold", "quota" },
        { "cmek_key_disabled", "invalid_request" },
        { "cmek_key_network_blocked", "invalid_request" },
        { "request_body_encoding_invalid", "invalid_request" },
        { "request_body_encoding_unsupported", "invalid_request" },
        { "request_body_too_large_after_decoding", "content_too_long" },
        { "claude_code_disabled", "invalid_request" },
        { "user_profile_missing", "invalid_request" },
        { "sandbox_egress_restricted", "invalid_request" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        refused_by_code(&rows[i], i, "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"%s\",\"details\":{\"error_code\":\"%s\"}}}", 400);
        refused_by_code(&rows[i], i + 1, "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"%s\",\"details\":{\"error_code\":\"%s\"}}}", 503);
    }
}

TEST(codes_of_openai_count_before_the_sentence)
{
    static const coded rows[] = {
        { "data_residency_mismatch", "invalid_request" },
        { "bio_policy", "content_filter" },
        { "misalignment_policy_violation", "content_filter" },
        { "misalignment", "content_filter" },
        { "image_content_policy_violation", "content_filter" },
        { "vector_store_timeout", "transient retryable" },
        { "websocket_connection_limit_reached", "transient retryable" },
    };
    size_t i, k;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (k = 0; k < SENTENCES; k++)
            refused_by_code(&rows[i], k, "{\"error\":{\"message\":\"%s\",\"type\":\"server_error\",\"code\":\"%s\"}}", 500);
}

TEST(an_unknown_code_in_the_details_leaves_the_kind_to_the_rest)
{
    static const refusal rows[] = {
        { 400, { NULL }, "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long\",\"details\":{\"error_code\":\"other\"}}}",
          "ERROR content_too_long http=400 code=other \"prompt is too long\"\nEND\n" },
        { 529, { NULL }, "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\",\"details\":{\"error_code\":\"thread\"}}}",
          "ERROR transient retryable http=529 code=thread \"x\"\nEND\n" },
        { 500, { NULL }, "{\"error\":{\"type\":\"server_error\",\"message\":\"x\",\"code\":\"bio_policy_2\"}}",
          "ERROR transient retryable http=500 code=bio_policy_2 \"x\"\nEND\n" },
        { 400, { NULL }, "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\",\"details\":{\"error_code\":\"\",\"a\":7}}}",
          "ERROR transient retryable http=400 code=overloaded_error \"x\"\nEND\n" },
        { 400, { NULL }, "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\",\"details\":{\"error_code\":7}}}",
          "ERROR transient retryable http=400 code=overloaded_error \"x\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(a_status_of_rate_or_money_counts_before_the_sentence)
{
    static const refusal rows[] = {
        { 429, { NULL }, "{\"message\":\"This API key has reached its rate limit.\"}",
          "ERROR rate_limit retryable http=429 \"This API key has reached its rate limit.\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"Too many tokens, please wait before trying again.\"}",
          "ERROR rate_limit retryable http=429 \"Too many tokens, please wait before trying again.\"\nEND\n" },
        { 402, { NULL }, "{\"error\":{\"code\":402,\"message\":\"The key has no credits: use another API key.\"}}",
          "ERROR quota http=402 \"The key has no credits: use another API key.\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"code\":429,\"message\":\"Slow down, API key of free tier.\"}}\n\n",
          "ERROR rate_limit retryable \"Slow down, API key of free tier.\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"Your credit balance is too low\"}", "ERROR quota http=429 \"Your credit balance is too low\"\nEND\n" },
        { 400, { NULL }, "{\"message\":\"Too many tokens: 5 of 4\"}", "ERROR content_too_long http=400 \"Too many tokens: 5 of 4\"\nEND\n" },
        { 500, { NULL }, "{\"message\":\"This model's maximum context length is 8\"}",
          "ERROR content_too_long http=500 \"This model's maximum context length is 8\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

#define EXHAUSTED(details) "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[" details "]}}"
#define VIOLATED(violations) "{\"@type\":\"type.googleapis.com/google.rpc.QuotaFailure\",\"violations\":[" violations "]}"
#define RETRY_IN(delay) "{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"" delay "\"}"
#define PER_DAY "{\"quotaMetric\":\"x.test/requests\",\"quotaId\":\"RequestsPerDayPerModel\"}"
#define PER_MINUTE "{\"quotaMetric\":\"x.test/requests\",\"quotaId\":\"RequestsPerMinutePerModel\"}"

/* Google reports both with one status, and may ask for a wait of seconds although the quota is one of the day. */
TEST(a_quota_of_the_day_is_no_rate_limit)
{
    static const refusal rows[] = {
        { 429, { NULL }, EXHAUSTED(VIOLATED(PER_DAY)), "ERROR quota http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, EXHAUSTED(VIOLATED(PER_DAY) "," RETRY_IN("39043s")), "ERROR quota after=39043000 http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, EXHAUSTED(RETRY_IN("30s") "," VIOLATED(PER_MINUTE "," PER_DAY)), "ERROR quota after=30000 http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, EXHAUSTED(VIOLATED("{\"quotaMetric\":\"x.test/requests_per_model_per_day\"}")), "ERROR quota http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 0, { NULL }, "data: " EXHAUSTED(VIOLATED(PER_DAY)) "\n\n", "ERROR quota code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, "[" EXHAUSTED(VIOLATED(PER_DAY)) "]", "ERROR quota http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, EXHAUSTED(VIOLATED(PER_MINUTE) "," RETRY_IN("48s")), "ERROR rate_limit retryable after=48000 http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, EXHAUSTED(VIOLATED(PER_MINUTE)), "ERROR rate_limit retryable http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, EXHAUSTED(""), "ERROR rate_limit retryable http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, EXHAUSTED("7,{\"violations\":7},{\"violations\":[7,{\"quotaId\":7}]}"), "ERROR rate_limit retryable http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 403, { NULL }, "{\"error\":{\"code\":403,\"message\":\"m\",\"details\":[" VIOLATED(PER_DAY) "]}}", "ERROR authentication http=403 \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

#define INFO(reason, metadata) "{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"" reason "\",\"metadata\":{" metadata "}}"

/* Code Assist has no list of quotas. */
TEST(a_quota_of_the_day_may_be_named_in_the_info_of_the_error)
{
    static const refusal rows[] = {
        { 429, { NULL }, EXHAUSTED(INFO("RATE_LIMIT_EXCEEDED", "\"quota_limit\":\"RequestsPerDay\"")), "ERROR quota http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, "[" EXHAUSTED(INFO("QUOTA_EXHAUSTED", "") "," RETRY_IN("10359.1s")) "]", "ERROR quota after=10359100 http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
        { 429, { NULL }, EXHAUSTED(INFO("RATE_LIMIT_EXCEEDED", "\"quota_limit\":\"RequestsPerMinute\"")), "ERROR rate_limit retryable http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(output_that_a_policy_blocked_is_filtered_content) /* Anthropic */
{
    static const refusal rows[] = {
        { 400, { NULL }, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Output blocked by content filtering policy\"}}",
          "ERROR content_filter http=400 code=invalid_request_error \"Output blocked by content filtering policy\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Output blocked by content filtering policy\"}}\n\n",
          "ERROR content_filter code=invalid_request_error \"Output blocked by content filtering policy\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(too_many_tokens_for_now_are_a_rate_limit_in_a_stream_too) /* Bedrock */
{
    static const char slow[] = "data: {\"error\":{\"message\":\"Too many tokens, please wait before trying again.\",\"type\":\"throttling_error\"}}\n\n";
    static const refusal rows[] = {
        { 0, { NULL }, slow, "ERROR rate_limit retryable code=throttling_error \"Too many tokens, please wait before trying again.\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"message\":\"m\",\"type\":\"throttling_error\"}}\n\n", "ERROR rate_limit retryable code=throttling_error \"m\"\nEND\n" },
        { 200, { NULL }, slow, "ERROR rate_limit retryable http=200 code=throttling_error \"Too many tokens, please wait before trying again.\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(a_sentence_that_mentions_keys_is_about_the_credentials_only_if_it_is_about_the_callers_key)
{
    static const refusal rows[] = {
        { 400, { NULL }, "{\"message\":\"Unknown tool api keyboard\"}", "ERROR invalid_request http=400 \"Unknown tool api keyboard\"\nEND\n" },
        { 400, { NULL }, "{\"message\":\"No api keyboard: bad api key\"}", "ERROR authentication http=400 \"No api keyboard: bad api key\"\nEND\n" },
        { 400, { NULL }, "{\"message\":\"api key~\"}", "ERROR authentication http=400 \"api key~\"\nEND\n" },
        { 400, { NULL }, "{\"message\":\"API key: none\"}", "ERROR authentication http=400 \"API key: none\"\nEND\n" },
        { 500, { NULL }, "{\"message\":\"failed to load api key store\"}", "ERROR transient retryable http=500 \"failed to load api key store\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(a_word_in_a_sentence_makes_no_error_retryable)
{
    static const refusal rows[] = {
        { 400, { NULL }, "{\"message\":\"upstream said no\"}", "ERROR invalid_request http=400 \"upstream said no\"\nEND\n" },
        { 0, { NULL }, "{\"error\":{\"message\":\"upstream unreachable\"}}", "ERROR other \"upstream unreachable\"\nEND\n" },
        { 0, { NULL }, "data: {\"error\":{\"message\":\"the host is unreachable\",\"code\":\"novelty\"}}\n\n", "ERROR other code=novelty \"the host is unreachable\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(an_unknown_error_with_a_wait_is_transient)
{
    static const refusal rows[] = {
        { 0, { NULL }, "data: {\"error\":{\"message\":\"Busy, try again in 5s\",\"code\":\"novelty\"}}\n\n",
          "ERROR transient retryable after=5000 code=novelty \"Busy, try again in 5s\"\nEND\n" },
        { 0, { "x-should-retry", "false", NULL }, "data: {\"error\":{\"message\":\"Busy, try again in 5s\"}}\n\n",
          "ERROR transient after=5000 \"Busy, try again in 5s\"\nEND\n" },
        { 400, { NULL }, "{\"message\":\"wait 5 seconds\"}", "ERROR invalid_request after=5000 http=400 \"wait 5 seconds\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

#define LIMITED(wait) "ERROR rate_limit retryable" wait " http=429 \"m\"\nEND\n"
#define BODY_M "{\"message\":\"m\"}"

TEST(each_header_has_its_wait)
{
    static const refusal rows[] = {
        { 429, { NULL }, BODY_M, LIMITED("") },
        { 429, { "retry-after", "20", NULL }, BODY_M, LIMITED(" after=20000") },
        { 429, { "Retry-After", "  1.5 ", NULL }, BODY_M, LIMITED(" after=1500") },
        { 429, { "retry-after", "0", NULL }, BODY_M, LIMITED(" after=0") },
        { 429, { "retry-after", "-1", NULL }, BODY_M, LIMITED("") },
        { 429, { "retry-after", "soon", NULL }, BODY_M, LIMITED("") },
        { 429, { "retry-after", "", NULL }, BODY_M, LIMITED("") },
        { 429, { "retry-after", "99999999999999999999999999", NULL }, BODY_M, LIMITED(" after=31536000000") },
        { 429, { "retry-after", "Fri, 08 Aug 2025 15:41:00 GMT", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "retry-after", "Fri, 08 Aug 2025 15:40:00 GMT", NULL }, BODY_M, LIMITED(" after=0") },
        { 429, { "retry-after", "Fri, 08 Aug 2025 15:41:00", NULL }, BODY_M, LIMITED("") },
        { 429, { "retry-after-ms", "1250", NULL }, BODY_M, LIMITED(" after=1250") },
        { 429, { "retry-after-ms", "0", NULL }, BODY_M, LIMITED(" after=0") },
        { 429, { "retry-after-ms", "x", NULL }, BODY_M, LIMITED("") },
        { 429, { "x-ratelimit-reset-requests", "200ms", NULL }, BODY_M, LIMITED(" after=200") },
        { 429, { "x-ratelimit-reset-requests", "6m0s", NULL }, BODY_M, LIMITED(" after=360000") },
        { 429, { "x-ratelimit-reset-requests", "1m30.951s", NULL }, BODY_M, LIMITED(" after=90951") },
        { 429, { "x-ratelimit-reset-requests", "0s", NULL }, BODY_M, LIMITED(" after=0") },
        { 429, { "x-ratelimit-reset-requests", "6x", NULL }, BODY_M, LIMITED("") },
        { 429, { "x-ratelimit-reset-tokens", "1h30m", NULL }, BODY_M, LIMITED(" after=5400000") },
        { 429, { "x-ratelimit-reset-tokens", "1s", "x-ratelimit-reset-requests", "2s", NULL }, BODY_M, LIMITED(" after=2000") },
        { 429, { "x-ratelimit-reset-requests", "2s", "x-ratelimit-reset-tokens", "1s", NULL }, BODY_M, LIMITED(" after=2000") },
        { 429, { "x-ratelimit-reset-requests", "2025-08-08T15:41:00Z", NULL }, BODY_M, LIMITED("") },
        { 429, { "x-ratelimit-reset", "200000000000000", NULL }, BODY_M, LIMITED("") },
        { 429, { "ratelimit", "t=5", NULL }, BODY_M, LIMITED(" after=5000") },
        { 429, { "ratelimit", "t=5;r=0", NULL }, BODY_M, LIMITED(" after=5000") },
        { 429, { "ratelimit", "\"default\";r=0", NULL }, BODY_M, LIMITED("") },
        { 429, { "ratelimit", "\"default\";st=5;t5;xt=6", NULL }, BODY_M, LIMITED("") },
        { 429, { "ratelimit", "t=", NULL }, BODY_M, LIMITED("") },
        { 429, { "ratelimit", "\"burst\";r=5;t=1,\"daily\";r=0;t=40,\"hour\";r=0;t=30", NULL }, BODY_M, LIMITED(" after=40000") },
        { 429, { "ratelimit", "\"burst\";r=5;t=1,\"daily\";r=3;t=40", NULL }, BODY_M, LIMITED(" after=1000") },
        { 429, { "ratelimit", "\"burst\";r=5,\"daily\";r=3;t=40,", NULL }, BODY_M, LIMITED(" after=40000") },
        { 429, { "x-ratelimit-reset", "1754667660.5", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "x-ratelimit-reset", "1.5", NULL }, BODY_M, LIMITED(" after=1500") },
        { 429, { "x-ratelimit-reset", "", NULL }, BODY_M, LIMITED("") },
        { 429, { "x-ratelimit-reset", "1754667660000", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "x-ratelimit-reset", "1754667660", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "x-ratelimit-reset", "1754667600000", NULL }, BODY_M, LIMITED("") },
        { 429, { "x-ratelimit-reset", "12", NULL }, BODY_M, LIMITED(" after=12000") },
        { 429, { "x-ratelimit-reset", "60,120", NULL }, BODY_M, LIMITED(" after=120000") },
        { 429, { "x-ratelimit-reset", "120 , 1754667660000", NULL }, BODY_M, LIMITED(" after=120000") },
        { 429, { "x-ratelimit-reset-tokens", "1s,1s", NULL }, BODY_M, LIMITED(" after=1000") },
        { 429, { "x-ratelimit-reset-requests", "20ms, 1s", NULL }, BODY_M, LIMITED(" after=1000") },
        { 429, { "ratelimit", "limit=100, remaining=0, reset=5; t=30", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "RateLimit", "\"default\";r=0;t=7", NULL }, BODY_M, LIMITED(" after=7000") },
        { 429, { "x-other", "20", NULL }, BODY_M, LIMITED("") },
    };

    REFUSED_EACH(rows);
}

TEST(whitespace_around_a_header_changes_nothing)
{
    static const refusal rows[] = {
        { 429, { "retry-after", "7\r\n", NULL }, BODY_M, LIMITED(" after=7000") },
        { 429, { "retry-after", "7\n", NULL }, BODY_M, LIMITED(" after=7000") },
        { 429, { "retry-after", "7\t", NULL }, BODY_M, LIMITED(" after=7000") },
        { 429, { "retry-after", "\t 7 \t \r\n", NULL }, BODY_M, LIMITED(" after=7000") },
        { 429, { "retry-after", "\tFri, 08 Aug 2025 15:41:00 GMT\r\n", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "retry-after-ms", "\t250\r\n", NULL }, BODY_M, LIMITED(" after=250") },
        { 400, { "x-should-retry", "\ttrue\r\n", NULL }, BODY_M, "ERROR invalid_request retryable http=400 \"m\"\nEND\n" },
        { 500, { "x-should-retry", " false \r\n", NULL }, BODY_M, "ERROR transient http=500 \"m\"\nEND\n" },
        { 429, { "x-ratelimit-reset-requests", "1s\r\n", NULL }, BODY_M, LIMITED(" after=1000") },
        { 429, { "x-ratelimit-reset-tokens", "\t6m0s\t", NULL }, BODY_M, LIMITED(" after=360000") },
        { 429, { "x-ratelimit-reset", "\t12\r\n", NULL }, BODY_M, LIMITED(" after=12000") },
        { 429, { "ratelimit", "limit=100, remaining=0;\tt=30\r\n", NULL }, BODY_M, LIMITED(" after=30000") },
        { 429, { "Retry-After ", "7", NULL }, BODY_M, LIMITED(" after=7000") },
        { 429, { "\n\tRetry-After", "7", NULL }, BODY_M, LIMITED(" after=7000") },
        { 429, { "retry-after", " \t\r\n", NULL }, BODY_M, LIMITED("") },
        { 429, { "", "7", NULL }, BODY_M, LIMITED("") },
    };

    REFUSED_EACH(rows);
}

/* Sets two responses to one request, as a caller does that passes on every status line and header it sees. */
static void responded_twice(const wire *w, int first, const char *name, const char *value, int second)
{
    ready(w, name, NULL);
    streams_start(&streams_now);
    elelem_stream_http_status(&streams_now.stream, first);
    elelem_stream_http_header(&streams_now.stream, elelem_str_of(name), elelem_str_of(value));
    elelem_stream_http_status(&streams_now.stream, second);
}

static void ends_refused(const char *text, const char *end)
{
    feed_now.size = 0;
    feed_now.in_text = 0;
    feed_push(&streams_fed, &feed_now, text, strlen(text));
    streams_finish(&streams_now);
    feed_end(&streams_fed, &feed_now, feed_drain(&streams_fed, &feed_now, NULL));
    CHECK_STR(feed_now.text, feed_now.size, end);
}

TEST(a_second_status_forgets_the_headers_before_it)
{
    const wire *w;

    EACH_WIRE(w) {
        responded_twice(w, 103, "retry-after", "777", 429);
        ends_refused(BODY_M, LIMITED(""));
        responded_twice(w, 407, "x-should-retry", "false", 503);
        ends_refused(BODY_M, "ERROR transient retryable http=503 \"m\"\nEND\n");
        responded_twice(w, 429, "retry-after-ms", "5", 429);
        ends_refused(BODY_M, LIMITED(""));
        responded_twice(w, 302, "x-ratelimit-reset-tokens", "1s", 429);
        ends_refused(BODY_M, LIMITED(""));
        responded_twice(w, 100, "retry-after", "777", 429);
        elelem_stream_http_header(&streams_now.stream, elelem_str_of("retry-after"), elelem_str_of("2"));
        ends_refused(BODY_M, LIMITED(" after=2000"));
        responded_twice(w, 0, "retry-after", "3", 429);
        ends_refused(BODY_M, LIMITED(" after=3000"));
    }
}

TEST(waits_in_the_body_are_read)
{
    static const refusal rows[] = {
        { 429, { NULL }, "{\"message\":\"Please try again in 2.398s.\"}", "ERROR rate_limit retryable after=2398 http=429 \"Please try again in 2.398s.\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"try again in 5s\"}", "ERROR rate_limit retryable after=5000 http=429 \"try again in 5s\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"Try again in 6m0s\"}", "ERROR rate_limit retryable after=360000 http=429 \"Try again in 6m0s\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"try again in 250ms\"}", "ERROR rate_limit retryable after=250 http=429 \"try again in 250ms\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"try again in 250 milliseconds\"}", "ERROR rate_limit retryable after=250 http=429 \"try again in 250 milliseconds\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"Retry after 2.5 seconds\"}", "ERROR rate_limit retryable after=2500 http=429 \"Retry after 2.5 seconds\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"Retry after 20 seconds\"}", "ERROR rate_limit retryable after=20000 http=429 \"Retry after 20 seconds\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"Please retry in 48.939935699s.\"}", "ERROR rate_limit retryable after=48939 http=429 \"Please retry in 48.939935699s.\"\nEND\n" },
        { 429, { NULL }, "{\"error\":{\"message\":\"m\",\"details\":[{\"retryDelay\":\"soon\"}]}}", LIMITED("") },
        { 429, { NULL }, "{\"error\":{\"message\":\"m\",\"metadata\":{\"headers\":{\"X-RateLimit-Reset\":\"1754667660000\"}}}}", LIMITED(" after=30000") },
        { 0, { NULL }, "data: {\"error\":{\"code\":429,\"message\":\"m\",\"metadata\":{\"headers\":{\"X-RateLimit-Reset\":\"1754667660000\"}}}}\n\n",
          "ERROR rate_limit retryable after=30000 \"m\"\nEND\n" },
        { 500, { NULL }, "{\"error\":{\"message\":\"m\",\"metadata\":{\"headers\":{\"X-RateLimit-Reset\":\"1754667660000\"}}}}", "ERROR transient retryable http=500 \"m\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"retry-after: 15\"}", "ERROR rate_limit retryable after=15000 http=429 \"retry-after: 15\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"Wait 3 minutes.\"}", "ERROR rate_limit retryable after=180000 http=429 \"Wait 3 minutes.\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"Your quota will reset after 2h52m39s.\"}", "ERROR rate_limit retryable after=10359000 http=429 \"Your quota will reset after 2h52m39s.\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"please try again after 1 seconds\"}", "ERROR rate_limit retryable after=1000 http=429 \"please try again after 1 seconds\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"try again in 1m 30s\"}", "ERROR rate_limit retryable after=90000 http=429 \"try again in 1m 30s\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"try again in 1m \"}", "ERROR rate_limit retryable after=60000 http=429 \"try again in 1m \"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"wait 20s 5 requests\"}", "ERROR rate_limit retryable after=20000 http=429 \"wait 20s 5 requests\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"retry after 2025-11-25T12:00:00Z\"}", "ERROR rate_limit retryable http=429 \"retry after 2025-11-25T12:00:00Z\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"retry after 12:30\"}", "ERROR rate_limit retryable http=429 \"retry after 12:30\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"retry after 11/25\"}", "ERROR rate_limit retryable http=429 \"retry after 11/25\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"wait a moment and retry after lunch\"}", "ERROR rate_limit retryable http=429 \"wait a moment and retry after lunch\"\nEND\n" },
        { 429, { NULL }, "{\"message\":\"try again in a moment or retry after 5 s\"}", "ERROR rate_limit retryable after=5000 http=429 \"try again in a moment or retry after 5 s\"\nEND\n" },
        { 429, { NULL }, "{\"error\":{\"message\":\"m\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"@type\":\"x\"},{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"48s\"}]}}",
          "ERROR rate_limit retryable after=48000 http=429 code=RESOURCE_EXHAUSTED \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

/* What is waited for a sentence that ends with this, and for a header. */
typedef struct duration {
    const char *text;
    const char *wait;
} duration;

TEST(the_amounts_of_a_wait_in_words_are_added)
{
    static const duration rows[] = {
        { "wait 30 more seconds", "30000" }, { "wait 30 messages", "30000" }, { "wait 5 minutes", "300000" }, { "wait 5 Mins", "300000" },
        { "wait 2 hrs", "7200000" }, { "wait 1 day", "86400000" }, { "wait 2 weeks", "1209600000" }, { "wait 3 months", "7776000000" },
        { "wait 7 msecs", "7" }, { "wait 7 secs.", "7000" }, { "wait 5 SECONDS", "5000" },
        { "wait 1 minute and 30 seconds", "90000" }, { "wait 1 min 30 s", "90000" }, { "wait 2 hours, 5 minutes", "7500000" },
        { "wait 1 hour, 2 minutes, and 3 seconds", "3723000" }, { "wait 5s200ms", "5200" }, { "wait 1h 30", "3600000" },
        { "wait 1m 2m", "180000" }, { "wait 2s 1m", "2000" }, { "wait 1m, 5 times", "60000" }, { "wait 1m or 5 s", "60000" }, { "wait 20 5s", "20000" },
        { "wait 1m and", "60000" }, { "wait 1m,", "60000" }, { "wait 12 months 5 days", "31536000000" },
        { "wait 1,500 ms", "1500" }, { "wait 1,234,567 ms", "1234567" }, { "wait 1,50 ms", "1000" }, { "wait 1,5000 ms", "1000" },
        { "wait 1,50000 ms", "1000" },
        { "wait 1,", "1000" }, { "wait 1234,567 ms", "1234000" }, { "wait 1,500.5 s", "1500500" },
    };
    char body[200], end[200];
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        refusal row = { 429, { NULL }, body, end };
        snprintf(body, sizeof body, "{\"message\":\"%s\"}", rows[i].text);
        snprintf(end, sizeof end, "ERROR rate_limit retryable after=%s http=429 \"%s\"\nEND\n", rows[i].wait, rows[i].text);
        refused(w, &row);
    }
}

TEST(a_wait_that_proxies_joined_with_others_is_the_longest)
{
    static const refusal rows[] = {
        { 429, { "retry-after", "120, 120", NULL }, BODY_M, LIMITED(" after=120000") },
        { 429, { "retry-after", "20,120,60", NULL }, BODY_M, LIMITED(" after=120000") },
        { 429, { "retry-after", "120,", NULL }, BODY_M, LIMITED(" after=120000") },
        { 429, { "retry-after", "120, soon", NULL }, BODY_M, LIMITED("") },
        { 429, { "retry-after", "08, Aug 2025", NULL }, BODY_M, LIMITED("") },
        { 429, { "retry-after", ",", NULL }, BODY_M, LIMITED("") },
        { 429, { "retry-after-ms", "120,120", NULL }, BODY_M, LIMITED(" after=120") },
    };

    REFUSED_EACH(rows);
}

TEST(a_delay_that_is_none_leaves_the_one_before)
{
    static const refusal rows[] = {
        { 429, { NULL }, "{\"error\":{\"message\":\"m\",\"details\":[{\"retryDelay\":\"48s\"},{\"retryDelay\":\"\"},{\"retryDelay\":\"x\"}]}}", LIMITED(" after=48000") },
    };

    REFUSED_EACH(rows);
}

#define SAYS_5S "{\"error\":{\"message\":\"try again in 5s\"}}"
#define SAYS_6S "{\"error\":{\"message\":\"try again in 5s\",\"details\":[{\"retryDelay\":\"6s\"}]}}"
#define WAITS(wait) "ERROR rate_limit retryable after=" wait " http=429 \"try again in 5s\"\nEND\n"

TEST(of_several_waits_the_most_exact_is_used)
{
    static const refusal rows[] = {
        { 429, { "retry-after", "2", "retry-after-ms", "1500", NULL }, SAYS_6S, WAITS("1500") },
        { 429, { "retry-after", "1", "retry-after-ms", "0", NULL }, SAYS_6S, WAITS("1000") },
        { 429, { "retry-after", "0", "retry-after-ms", "0", NULL }, SAYS_6S, WAITS("0") },
        { 429, { "x-ratelimit-reset-requests", "9s", "retry-after", "2", NULL }, SAYS_6S, WAITS("2000") },
        { 429, { "x-ratelimit-reset-requests", "9s", NULL }, SAYS_6S, WAITS("6000") },
        { 429, { "x-ratelimit-reset-requests", "9s", NULL }, SAYS_5S, WAITS("5000") },
    };

    REFUSED_EACH(rows);
}

TEST(the_reset_of_a_rate_limit_is_a_wait_only_for_rate_limits)
{
    static const refusal rows[] = {
        { 400, { "x-ratelimit-reset-requests", "12ms", NULL }, BODY_M, "ERROR invalid_request http=400 \"m\"\nEND\n" },
        { 500, { "x-ratelimit-reset-requests", "12ms", NULL }, BODY_M, "ERROR transient retryable http=500 \"m\"\nEND\n" },
        { 503, { "retry-after", "12", NULL }, BODY_M, "ERROR transient retryable after=12000 http=503 \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(x_should_retry_decides)
{
    static const refusal rows[] = {
        { 500, { "x-should-retry", "false", NULL }, BODY_M, "ERROR transient http=500 \"m\"\nEND\n" },
        { 400, { "X-Should-Retry", "true", NULL }, BODY_M, "ERROR invalid_request retryable http=400 \"m\"\nEND\n" },
        { 400, { "x-should-retry", "perhaps", NULL }, BODY_M, "ERROR invalid_request http=400 \"m\"\nEND\n" },
    };

    REFUSED_EACH(rows);
}

TEST(the_head_of_a_refusal_says_when_to_try_again_though_its_body_breaks)
{
    static const char cut[] = "{\"error\":{\"mess";
    static const struct {
        refusal head;
        elelem_error_kind kind;
    } rows[] = {
        { { 429, { "retry-after", "30", NULL }, "", "ERROR connect retryable after=30000 http=429 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CONNECT },
        { { 503, { "retry-after", "30", NULL }, "<html>", "ERROR timeout retryable after=30000 http=503 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_TIMEOUT },
        { { 429, { "x-ratelimit-reset", "12", NULL }, cut, "ERROR connect retryable after=12000 http=429 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CONNECT },
        { { 503, { "x-ratelimit-reset", "12", NULL }, cut, "ERROR connect retryable http=503 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CONNECT },
        { { 503, { "x-should-retry", "false", NULL }, cut, "ERROR connect http=503 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CONNECT },
        { { 400, { "x-should-retry", "true", NULL }, cut, "ERROR connect retryable http=400 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CONNECT },
        { { 401, { NULL }, cut, "ERROR connect http=401 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CONNECT },
        { { 402, { "retry-after", "30", NULL }, cut, "ERROR connect after=30000 http=402 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CONNECT },
        { { 429, { "x-should-retry", "true", NULL }, cut, "ERROR cancelled http=429 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CANCELLED },
        { { 302, { NULL }, cut, "ERROR connect retryable http=302 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CONNECT },
        { { 100, { NULL }, "", "ERROR timeout retryable http=100 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_TIMEOUT },
        { { 200, { "retry-after", "30", "x-should-retry", "false", NULL }, "", "ERROR connect retryable http=200 \"broken\"\nEND\n" }, ELELEM_ERROR_KIND_CONNECT },
    };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        ready(w, rows[i].head.headers[1], rows[i].head.body);
        streams_now.headers = rows[i].head.headers;
        streams_now.http_status = rows[i].head.status;
        streams_now.fail_kind = (int)rows[i].kind;
        streams_now.fail_message = "broken";
        STREAM(rows[i].head.body, rows[i].head.end);
    }
}

TEST(a_date_is_no_wait_if_the_time_is_not_known)
{
    const wire *w;
    static const char *const headers[] = { "retry-after", "Fri, 08 Aug 2025 15:41:00 GMT", "x-ratelimit-reset", "1754667660000", NULL };

    EACH_WIRE(w) {
        streams_now.headers = headers;
        streams_now.http_status = 429;
        STREAM(BODY_M, LIMITED(""));
    }
}

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

TEST(no_wait_is_longer_than_a_year_wherever_it_comes_from) /* P10 */
{
    static const refusal rows[] = {
        { 429, { "retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "retry-after", "Sat, 08 Aug 2026 15:40:30 GMT", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "retry-after", "Sat, 08 Aug 2026 15:40:29 GMT", NULL }, BODY_M, LIMITED(" after=31535999000") },
        { 429, { "retry-after", "31536001", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "retry-after", "366d", NULL }, BODY_M, LIMITED(A_YEAR) },
        { 429, { "retry-after", "150000000000d", NULL }, BODY_M, LIMITED(A_YEAR) },
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

/* Returns the wait of a refused response with this header at that time; -1 if there is none. */
static int64_t wait_of_date(const char *date, int64_t now)
{
    elelem_stream stream;
    elelem_event event;
    elelem_stream_desc desc = ELELEM_INIT;
    int64_t wait;

    desc.shape = &elelem_shape_chat;
    desc.unix_seconds = now;
    elelem_stream_init(&stream, &desc);
    elelem_stream_http_status(&stream, 429);
    elelem_stream_http_header(&stream, elelem_str_of("Retry-After"), elelem_str_of(date));
    elelem_stream_finish(&stream);
    wait = CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_OK) ? event.error.retry_after_ms : -2;
    elelem_stream_free(&stream);
    return wait;
}

static const char *const month_names[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

/* That day of a month, a minute before midnight, in two of the three forms. `days` counts from 1970-01-01, a Thursday. */
static void check_day(int year, int month, int day, int64_t days, int is_there)
{
    static const char *const names[] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" };
    int64_t now = (days + 1) * 86400 - 90;
    char date[60];

    snprintf(date, sizeof date, "%s, %02d %s %d 23:59:00 GMT", names[days % 7], day, month_names[month], year);
    check_context(date);
    CHECK_INT(wait_of_date(date, now), is_there ? 30000 : -1);
    snprintf(date, sizeof date, "%s %s %2d 23:59:00 %d", names[days % 7], month_names[month], day, year);
    check_context(date);
    CHECK_INT(wait_of_date(date, now), is_there ? 30000 : -1);
}

/* The error of a response with this status, whose message has the words after so many other bytes. */
static elelem_failure failure_of_sentence(int status, int before, const char *words)
{
    static char body[6000];
    elelem_stream stream;
    elelem_event event;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_failure found;

    snprintf(body, sizeof body, "{\"message\":\"%*s%s\"}", before, "x", words);
    desc.shape = &elelem_shape_chat;
    elelem_stream_init(&stream, &desc);
    elelem_stream_http_status(&stream, status);
    CHECK_INT(elelem_stream_push(&stream, body, strlen(body)), ELELEM_OK);
    elelem_stream_finish(&stream);
    CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_OK);
    found = event.error;
    elelem_stream_free(&stream);
    return found;
}

/* A message may be as long as a frame, and is looked through for many words. */
TEST(words_count_in_the_first_4096_bytes_of_a_message)
{
    CHECK_INT(failure_of_sentence(400, 4096 - 7, "api key").kind, ELELEM_ERROR_KIND_AUTHENTICATION);
    CHECK_INT(failure_of_sentence(400, 4096 - 6, "api key").kind, ELELEM_ERROR_KIND_INVALID_REQUEST);
    CHECK_INT(failure_of_sentence(400, 5000, "api key").kind, ELELEM_ERROR_KIND_INVALID_REQUEST);
    CHECK_INT(failure_of_sentence(429, 4096 - 16, " retry after 5 s").retry_after_ms, 5000);
    CHECK_INT(failure_of_sentence(429, 5000, " retry after 5 s").retry_after_ms, -1);
    CHECK_INT(failure_of_sentence(400, 5000, " retry after 5 s").retry_after_ms, -1);
}

TEST(the_first_and_last_day_of_every_month_are_read_and_none_around_them)
{
    static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int64_t days = 0;
    int year, month;

    for (year = 1970; year <= 2201; year++)
        for (month = 0; month < 12; month++) {
            int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            int length = lengths[month] + (month == 1 && is_leap);
            if (days > 0) check_day(year, month, 0, days - 1, 0);
            check_day(year, month, 1, days, 1);
            check_day(year, month, length, days + length - 1, 1);
            check_day(year, month, length + 1, days + length, 0);
            days += length;
        }
}

TEST(a_time_after_the_year_9999_is_after_all_dates)
{
    static const int64_t late[] = { 253402300800, INT64_MAX / 1000, INT64_MAX };
    size_t i;

    CHECK_INT(wait_of_date("Fri, 31 Dec 9999 23:59:59 GMT", 253402300799 - 30), 30000);
    CHECK_INT(wait_of_date("Fri, 31 Dec 9999 23:59:59 GMT", 253402300799), 0);
    CHECK_INT(wait_of_date("Friday, 31-Dec-49 23:59:59 GMT", 253402300799), 31536000000);
    for (i = 0; i < sizeof late / sizeof *late; i++)
        CHECK_INT(wait_of_date("Sunday, 06-Nov-94 08:49:37 GMT", late[i]), 0);
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

TEST(a_date_that_does_not_exist_is_no_wait) /* P10 */
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
        "Fri, 0x Aug 2025 15:41:00 GMT", "Fri, 08 Aug 2025 15:4A:00 GMT", "Fri{, 08 Aug 2025 15:41:00 GMT", "Fri Aug ", "Fri Aug",
    };
    size_t i;

    for (i = 0; i < sizeof dates / sizeof *dates; i++) {
        refusal row = { 429, { "retry-after", NULL, NULL }, BODY_M, LIMITED("") };
        row.headers[1] = dates[i];
        refused_each(&row, 1);
    }
}

CHECK_MAIN("failure",
    RUN(words_count_in_the_first_4096_bytes_of_a_message)
    RUN(each_status_is_a_class_of_errors)
    RUN(a_body_of_one_word_has_the_kind_of_the_status)
    RUN(each_form_of_error_body_is_read)
    RUN(each_word_of_a_provider_has_its_kind)
    RUN(each_sentence_of_a_provider_has_its_kind)
    RUN(an_array_with_an_error_is_that_error_under_any_status)
    RUN(a_plan_that_is_used_up_is_a_quota_with_its_wait)
    RUN(a_plan_that_is_used_up_is_a_quota_though_the_type_says_rate)
    RUN(a_limit_of_the_day_at_a_router_is_a_quota_with_its_wait)
    RUN(the_sentence_of_an_error_may_be_in_a_list_of_errors)
    RUN(a_budget_that_is_used_up_is_a_quota_under_any_status)
    RUN(too_many_tokens_a_minute_are_a_rate_limit_though_the_code_says_quota)
    RUN(a_gateway_that_lost_its_provider_in_a_stream_is_transient)
    RUN(a_router_that_says_nothing_itself_has_the_sentence_of_the_provider)
    RUN(the_sentence_of_an_error_may_be_next_to_it_or_inside)
    RUN(the_status_of_an_error_in_a_stream_may_be_next_to_its_code)
    RUN(the_status_of_an_error_in_a_stream_may_be_in_its_sentence)
    RUN(an_error_that_is_only_called_error_has_no_code)
    RUN(the_code_in_the_details_counts_before_all_else)
    RUN(codes_of_openai_count_before_the_sentence)
    RUN(an_unknown_code_in_the_details_leaves_the_kind_to_the_rest)
    RUN(a_status_of_rate_or_money_counts_before_the_sentence)
    RUN(a_quota_of_the_day_is_no_rate_limit)
    RUN(a_quota_of_the_day_may_be_named_in_the_info_of_the_error)
    RUN(output_that_a_policy_blocked_is_filtered_content)
    RUN(too_many_tokens_for_now_are_a_rate_limit_in_a_stream_too)
    RUN(a_sentence_that_mentions_keys_is_about_the_credentials_only_if_it_is_about_the_callers_key)
    RUN(a_word_in_a_sentence_makes_no_error_retryable)
    RUN(an_unknown_error_with_a_wait_is_transient)
    RUN(each_header_has_its_wait)
    RUN(whitespace_around_a_header_changes_nothing)
    RUN(a_second_status_forgets_the_headers_before_it)
    RUN(waits_in_the_body_are_read)
    RUN(the_amounts_of_a_wait_in_words_are_added)
    RUN(a_wait_that_proxies_joined_with_others_is_the_longest)
    RUN(a_delay_that_is_none_leaves_the_one_before)
    RUN(of_several_waits_the_most_exact_is_used)
    RUN(the_reset_of_a_rate_limit_is_a_wait_only_for_rate_limits)
    RUN(x_should_retry_decides)
    RUN(the_head_of_a_refusal_says_when_to_try_again_though_its_body_breaks)
    RUN(a_date_is_no_wait_if_the_time_is_not_known)
    RUN(too_early_may_be_tried_again)
    RUN(a_request_larger_than_the_rate_is_too_long_and_no_wait_helps)
    RUN(no_wait_is_longer_than_a_year_wherever_it_comes_from)
    RUN(a_clock_beyond_all_dates_gives_no_wait)
    RUN(every_month_of_an_http_date_is_known)
    RUN(the_first_and_last_day_of_every_month_are_read_and_none_around_them)
    RUN(a_time_after_the_year_9999_is_after_all_dates)
    RUN(the_three_forms_of_an_http_date_are_read)
    RUN(a_two_digit_year_after_the_turn_of_a_century_is_in_the_next)
    RUN(a_date_that_does_not_exist_is_no_wait))
