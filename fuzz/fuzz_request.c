/* request_write: the first three bytes choose the shape, the provider and the settings, the rest is a history. What is
   written is JSON, the same twice, and what a sink cuts is not; a history is refused at one of its bytes, with nothing
   written. Each body that is written is one that the rules of its shape allow: see check_chat and the others. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "must.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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
    elelem_buffer_free(&first);
    elelem_buffer_free(&second);
    return 0;
}
