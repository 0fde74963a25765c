/* request_write: the first three bytes choose the shape, the provider and the settings, the rest is a history. What is
   written is JSON, the same twice, and what a sink cuts is not; a history is refused at one of its bytes, with nothing
   written. Each body that is written is one that the rules of its shape allow: see check_chat and the others. The same bytes, cut
   into a model, a host, a key, a path and headers, make a path and a head. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "must.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 8192

static elelem_buffer first, second;

static int is(elelem_value value, const char *text)
{
    return elelem_str_is(elelem_value_text(value), text);
}

/* Every call of an assistant message has its tool message right after it, and no other tool messages are there. */
static void check_chat(elelem_value body)
{
    elelem_value message, call;
    size_t waiting = 0;

    for (message = elelem_value_first(elelem_value_get(body, "messages")); elelem_value_type(message);
         message = elelem_value_next(message)) {
        elelem_value content = elelem_value_get(message, "content");
        if (is(elelem_value_get(message, "role"), "tool")) {
            MUST(waiting > 0);
            MUST(elelem_value_type(content) == ELELEM_TYPE_STRING);
            waiting--;
            continue;
        }
        MUST(waiting == 0);
        if (!is(elelem_value_get(message, "role"), "assistant")) continue;
        waiting = elelem_value_count(elelem_value_get(message, "tool_calls"));
        MUST(waiting > 0 || elelem_value_type(content) == ELELEM_TYPE_STRING || elelem_value_type(content) == ELELEM_TYPE_ARRAY ||
             elelem_value_type(elelem_value_get(message, "images")) || elelem_value_type(elelem_value_get(message, "audio")));
        for (call = elelem_value_first(elelem_value_get(message, "tool_calls")); elelem_value_type(call); call = elelem_value_next(call))
            MUST(elelem_value_text(elelem_value_get(call, "id")).size > 0);
    }
    MUST(waiting == 0);
}

/* Roles alternate, the first is the user's, no content is empty, and results come first, as many as calls. */
static void check_turns(elelem_value list, const char *members, const char *result)
{
    elelem_value message, part;
    int was_user = 0, is_first = 1;
    size_t waiting = 0;

    for (message = elelem_value_first(list); elelem_value_type(message); message = elelem_value_next(message)) {
        elelem_value parts = elelem_value_get(message, members);
        int is_user = is(elelem_value_get(message, "role"), "user"), only_results = 1;
        MUST(!is_first || is_user);
        MUST(is_first || is_user || was_user);
        MUST(elelem_value_count(parts) > 0);
        for (part = elelem_value_first(parts); elelem_value_type(part); part = elelem_value_next(part)) {
            int is_result = is(elelem_value_get(part, "type"), result) || elelem_value_type(elelem_value_get(part, result));
            int is_call = is(elelem_value_get(part, "type"), "tool_use") || elelem_value_type(elelem_value_get(part, "functionCall"));
            if (is_user && is_result) {
                MUST(waiting > 0 && only_results);
                waiting--;
            } else if (is_user) {
                MUST(waiting == 0);
            }
            only_results &= is_result;
            waiting += !is_user && is_call;
        }
        was_user = is_user;
        is_first = 0;
    }
    MUST(waiting == 0);
}

/* Each call has one output, after all calls of its step. */
static void check_responses(elelem_value body)
{
    elelem_value item;
    size_t calls = 0, outputs = 0;

    for (item = elelem_value_first(elelem_value_get(body, "input")); elelem_value_type(item); item = elelem_value_next(item)) {
        elelem_value type = elelem_value_get(item, "type"), id = elelem_value_get(item, "call_id");
        if (elelem_value_type(elelem_value_get(item, "id"))) continue; /* of the provider's own */
        calls += (is(type, "function_call") || is(type, "custom_tool_call")) && elelem_value_type(id);
        outputs += (is(type, "function_call_output") || is(type, "custom_tool_call_output")) && elelem_value_type(id);
    }
    MUST(calls == outputs);
}

/* No content is empty, and each call has one result, which names it. */
static void check_interactions(elelem_value body)
{
    elelem_value step;
    size_t calls = 0, results = 0;

    for (step = elelem_value_first(elelem_value_get(body, "input")); elelem_value_type(step); step = elelem_value_next(step)) {
        elelem_value type = elelem_value_get(step, "type");
        if (is(type, "user_input") || is(type, "model_output")) MUST(elelem_value_count(elelem_value_get(step, "content")) > 0);
        calls += (size_t)is(type, "function_call");
        results += (size_t)is(type, "function_result");
        if (is(type, "function_result")) MUST(elelem_value_type(elelem_value_get(step, "call_id")) == ELELEM_TYPE_STRING);
    }
    MUST(calls == results);
}

static elelem_status refuse_late(void *context, const void *bytes, size_t size)
{
    size_t *left = (size_t *)context;

    (void)bytes;
    if (size > *left) return ELELEM_ERROR_SINK;
    *left -= size;
    return ELELEM_OK;
}

static void check_body(unsigned shape, elelem_str text)
{
    elelem_json json;
    elelem_json_desc desc = ELELEM_INIT;
    elelem_value body;

    desc.max_depth = 4096;
    desc.strict_surrogates = 0;
    body = elelem_json_read(&json, text, &desc);
    if (elelem_json_error(&json).status != ELELEM_OK) fprintf(stderr, "%.*s\n", ELELEM_STR_ARG(text));
    MUST(elelem_json_error(&json).status == ELELEM_OK);
    if (shape == 0) check_chat(body);
    if (shape == 1) check_responses(body);
    if (shape == 2) check_turns(elelem_value_get(body, "messages"), "content", "tool_result");
    if (shape == 3) check_turns(elelem_value_get(body, "contents"), "parts", "functionResponse");
    if (shape == 4) check_interactions(body);
    elelem_json_free(&json);
}

/* The path and the head. */

static const char *const head_providers[] = { "", "openai", "anthropic", "google", "azure", "openrouter", "vertex-interactions", "ollama" };

/* Nonzero if a text has a control character or a blank. */
static int breaks_line(elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] <= ' ' || text.data[i] == 0x7f) return 1;
    return 0;
}

static unsigned hex(char digit)
{
    MUST((digit >= '0' && digit <= '9') || (digit >= 'A' && digit <= 'F'));
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'A' + 10);
}

/* Appends a text with what is percent-encoded as the bytes that it means. */
static void put_decoded(elelem_buffer *out, elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size; i++) {
        char byte = text.data[i];
        MUST(byte > ' ' && byte < 0x7f && !strchr("\"<>\\^`|#", byte));
        if (byte == '%') {
            MUST(text.size - i > 2);
            byte = (char)(hex(text.data[i + 1]) << 4 | hex(text.data[i + 2]));
            i += 2;
        }
        MUST(elelem_buffer_append(out, &byte, 1) == ELELEM_OK);
    }
}

static int needs_model(const elelem_request *request)
{
    return strstr(request->provider->path, "{model}") != NULL;
}

/* The path of the provider with the model in its place. */
static void put_path(elelem_buffer *out, const elelem_request *request)
{
    const char *path = request->whole ? request->provider->whole_path : request->provider->path;
    const char *place = strstr(path, "{model}");
    size_t before = place ? (size_t)(place - path) : strlen(path);

    MUST(elelem_buffer_append(out, path, before) == ELELEM_OK);
    if (!place) return;
    MUST(elelem_buffer_append(out, request->model.data, request->model.size) == ELELEM_OK);
    MUST(elelem_buffer_append(out, place + 7, strlen(place + 7)) == ELELEM_OK);
}

static void check_path(const elelem_request *request)
{
    elelem_status status;

    elelem_buffer_clear(&first);
    elelem_buffer_clear(&second);
    status = elelem_request_path_write(request, elelem_buffer_sink(&first));
    if (!request->provider || (needs_model(request) && request->model.size == 0)) {
        MUST(status == ELELEM_ERROR_MISUSE && elelem_buffer_text(&first).size == 0);
        return;
    }
    MUST(status == ELELEM_OK);
    put_decoded(&second, elelem_buffer_text(&first));
    elelem_buffer_clear(&first);
    put_path(&first, request);
    MUST(elelem_str_equal(elelem_buffer_text(&first), elelem_buffer_text(&second)));
}

static int is_good_head(const elelem_request *request, const elelem_request_head *head)
{
    elelem_str headers = head->headers;

    if (!request->provider || head->host.size == 0) return 0;
    if (head->path.size == 0 && needs_model(request) && request->model.size == 0) return 0;
    if (breaks_line(head->host) || breaks_line(head->key) || breaks_line(head->path)) return 0;
    return headers.size == 0 || (headers.size > 1 && memcmp(headers.data + headers.size - 2, "\r\n", 2) == 0);
}

/* Takes the text from the start of another. */
static elelem_str after(elelem_str text, elelem_str start)
{
    MUST(text.size >= start.size && (start.size == 0 || memcmp(text.data, start.data, start.size) == 0));
    return elelem_str_from(text.data + start.size, text.size - start.size);
}

static elelem_str after_line(elelem_str text, const char *name, elelem_str value)
{
    return after(after(after(text, elelem_str_of(name)), value), elelem_str_of("\r\n"));
}

/* The lines in their order; the header of the provider is there, unless the caller has one. */
static void check_lines(const elelem_request *request, const elelem_request_head *head, elelem_str text)
{
    const elelem_provider *provider = request->provider;
    char length[24];
    size_t other;

    text = after(text, elelem_str_of("POST "));
    if (head->path.size > 0) text = after(text, head->path);
    while (text.size > 0 && *text.data != ' ')
        text = elelem_str_from(text.data + 1, text.size - 1);
    text = after_line(text, " HTTP/1.1", elelem_str_of(""));
    text = after_line(text, "Host: ", head->host);
    text = after_line(text, "Content-Type: ", elelem_str_of("application/json"));
    text = after_line(text, "Accept: ", elelem_str_of(request->whole ? "application/json" : "text/event-stream"));
    snprintf(length, sizeof length, "%llu", (unsigned long long)head->content_length);
    text = after_line(text, "Content-Length: ", elelem_str_of(length));
    if (head->key.size > 0) {
        text = after(after(text, elelem_str_of(provider->key_header)), elelem_str_of(": "));
        text = after_line(text, provider->key_prefix, head->key);
    }
    other = text.size - head->headers.size - 2;
    if (other > 0) {
        MUST(provider->other_header[0]);
        text = after(after(text, elelem_str_of(provider->other_header)), elelem_str_of(": "));
        text = after_line(text, provider->other_value, elelem_str_of(""));
    }
    text = after_line(after(text, head->headers), "", elelem_str_of(""));
    MUST(text.size == 0);
}

static void check_head(const elelem_request *request, const elelem_request_head *head)
{
    elelem_status status;
    elelem_sink late;
    size_t left;

    elelem_buffer_clear(&first);
    status = elelem_request_head_write(request, head, elelem_buffer_sink(&first));
    if (!is_good_head(request, head)) {
        MUST(status == ELELEM_ERROR_MISUSE && elelem_buffer_text(&first).size == 0);
        return;
    }
    MUST(status == ELELEM_OK);
    check_lines(request, head, elelem_buffer_text(&first));
    left = elelem_buffer_text(&first).size - 1;
    late.write = refuse_late;
    late.context = &left;
    MUST(elelem_request_head_write(request, head, late) == ELELEM_ERROR_SINK);
}

/* Takes the next bytes of the input, at most so many. */
static elelem_str cut(elelem_str *bytes, size_t size)
{
    elelem_str piece = elelem_str_from(bytes->data, size < bytes->size ? size : bytes->size);

    *bytes = elelem_str_from(bytes->data + piece.size, bytes->size - piece.size);
    return piece;
}

static void check_transport(const elelem_request *like, const uint8_t *settings)
{
    elelem_request request = *like;
    elelem_request_head head = ELELEM_INIT;
    elelem_str bytes = like->history;

    request.provider = elelem_provider_find(head_providers[settings[1] >> 3 & 7]);
    request.model = cut(&bytes, settings[2] >> 4);
    check_path(&request);
    head.host = cut(&bytes, 1u + (settings[1] >> 6));
    head.key = cut(&bytes, settings[1] >> 6);
    if (settings[0] & 4) head.path = cut(&bytes, 4);
    head.headers = settings[0] & 8 ? elelem_str_of("") : cut(&bytes, 40);
    if (settings[0] & 16) head.headers = elelem_str_of("Anthropic-Version: 1\r\n");
    head.content_length = settings[2] * (uint64_t)0x0102030405060708;
    check_head(&request, &head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                                  &elelem_shape_gemini, &elelem_shape_interactions };
    static const char *const providers[] = { "", "openai-chat", "mistral", "deepseek", "openrouter", "groq", "llamacpp", "vllm" };
    elelem_request request = ELELEM_INIT;
    elelem_allocator allocator = ELELEM_INIT;
    elelem_sink late;
    elelem_error error, again;
    size_t left;

    if (size < 3 || size > MAX_BYTES) return 0;
    request.shape = shapes[data[0] & 128 ? 4 : data[0] % 4];
    request.provider = elelem_provider_find(providers[data[1] % 8]);
    request.model = elelem_str_of(data[2] & 1 ? "gpt-5" : "m");
    request.reasoning_tokens = data[2] & 2 ? 2000 : 0;
    request.schema = elelem_str_of(data[2] & 4 ? "{\"type\":\"object\"}" : "");
    request.whole = data[2] >> 3 & 1;
    request.history.data = (const char *)data + 3;
    request.history.size = size - 3;
    elelem_buffer_init(&first, allocator, 0);
    elelem_buffer_init(&second, allocator, 0);
    error = elelem_request_write(&request, elelem_buffer_sink(&first));
    again = elelem_request_write(&request, elelem_buffer_sink(&second));
    MUST(error.status == again.status && error.offset == again.offset);
    MUST(elelem_str_equal(elelem_buffer_text(&first), elelem_buffer_text(&second)));
    if (error.status == ELELEM_OK) {
        check_body(data[0] & 128 ? 4 : data[0] % 4, elelem_buffer_text(&first));
        left = elelem_buffer_text(&first).size - 1;
        late.write = refuse_late;
        late.context = &left;
        MUST(elelem_request_write(&request, late).status == ELELEM_ERROR_SINK);
    } else {
        MUST(elelem_buffer_text(&first).size == 0);
        MUST(error.offset <= request.history.size);
    }
    check_transport(&request, data);
    elelem_buffer_free(&first);
    elelem_buffer_free(&second);
    return 0;
}
