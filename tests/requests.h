/* Requests for the tests: one at a time, whose body is compared member by member as compact JSON.
 *
 *     ask("mistral", "mistral-large");
 *     HISTORY(USER("Hi"), "[{\"role\":\"user\",\"content\":\"Hi\"}]");
 *     MEMBER("stream", "true");
 *
 * Every body is written twice, and once into a sink that only counts; all three must agree. Include elelem_stream.h first.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "check.h"

#include <stdlib.h>
#include <string.h>

#define USER(text) "{\"type\":\"user\",\"text\":\"" text "\"}\n"
#define SAYS(text) "{\"type\":\"message\",\"text\":\"" text "\"}\n"
#define THINKS(text, metadata) "{\"type\":\"reasoning\",\"text\":\"" text "\",\"metadata\":{" metadata "}}\n"
#define CALL(id, name, arguments) \
    "{\"type\":\"tool_call\",\"id\":\"" id "\",\"name\":\"" name "\",\"arguments\":" arguments "}\n"
#define SIGNED_CALL(id, name, arguments, metadata)                                                              \
    "{\"type\":\"tool_call\",\"id\":\"" id "\",\"name\":\"" name "\",\"arguments\":" arguments ",\"metadata\":{" \
    metadata "}}\n"
#define RESULT(id, name, text) \
    "{\"type\":\"tool_result\",\"id\":\"" id "\",\"name\":\"" name "\",\"text\":\"" text "\"}\n"

typedef struct request_body {
    char text[1 << 16];
    size_t size;
    size_t refuse_at; /* bytes that the sink takes */
} request_body;

static elelem_request request;
static request_body body;
static elelem_json body_json;
static const char *body_message; /* of the request that was written last */

static inline elelem_status body_write(void *context, const void *bytes, size_t size)
{
    request_body *b = (request_body *)context;

    if (size > b->refuse_at - b->size) {
        memcpy(b->text + b->size, bytes, b->refuse_at - b->size);
        b->size = b->refuse_at;
        return ELELEM_ERROR_SINK;
    }
    memcpy(b->text + b->size, bytes, size);
    b->size += size;
    return ELELEM_OK;
}

static inline elelem_status body_count(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return ELELEM_OK;
}

static inline elelem_error write_to(request_body *b, size_t refuse_at)
{
    elelem_sink sink;

    b->size = 0;
    b->refuse_at = refuse_at;
    sink.write = body_write;
    sink.context = b;
    return elelem_request_write(&request, sink);
}

/* Begins a request to a provider, or, if there is none of that name, of a shape. */
static inline void ask(const char *provider, const char *model)
{
    memset(&request, 0, sizeof request);
    request.provider = elelem_provider_find(provider);
    if (!request.provider) request.shape = elelem_shape_find(provider);
    request.model = elelem_str_of(model);
}

static elelem_tool offered;

/* Offers the model a tool. Returns it, for what else it says. */
static inline elelem_tool *offer(const char *name, const char *parameters)
{
    memset(&offered, 0, sizeof offered);
    offered.name = elelem_str_of(name);
    offered.parameters = elelem_str_of(parameters);
    request.tools = &offered;
    request.tool_count = 1;
    return &offered;
}

/* Chooses the tool that is offered. */
static inline void choose_tool(void)
{
    request.tool_choice = ELELEM_TOOL_CHOICE_NAMED;
    request.tool_choice_name = offered.name;
}

static inline elelem_error write_body(void)
{
    static request_body again;
    size_t count = 0;
    elelem_sink counter;
    elelem_error error = write_to(&body, sizeof body.text), second = write_to(&again, sizeof again.text);

    counter.write = body_count;
    counter.context = &count;
    CHECK_INT(elelem_request_write(&request, counter).status, error.status);
    CHECK_INT(second.status, error.status);
    CHECK_BYTES(again.text, again.size, body.text, body.size);
    CHECK_U64(count, body.size);
    if (error.status != ELELEM_OK) CHECK_U64(body.size, 0);
    body_message = error.message;
    return error;
}

/* Returns a member of the body, which must be valid until the next call. The body has no lone surrogate, which servers refuse. */
static inline elelem_value member_of_body(const char *path)
{
    elelem_json_desc desc = ELELEM_INIT;
    elelem_value root;
    elelem_str text;

    desc.strict_surrogates = 1;
    text.data = body.text;
    text.size = body.size;
    elelem_json_free(&body_json);
    root = elelem_json_read(&body_json, text, &desc);
    CHECK_INT(elelem_json_error(&body_json).status, ELELEM_OK);
    return elelem_value_find(root, path);
}

static inline void check_value(elelem_value value, const char *expected, const char *file, int line)
{
    static char shown[1 << 16];
    elelem_span_sink span;
    elelem_writer writer;

    span.data = shown;
    span.capacity = sizeof shown;
    span.size = 0;
    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    if (elelem_value_type(value) != ELELEM_TYPE_NONE) elelem_writer_value(&writer, value);
    check_bytes(shown, span.size, expected, check_length(expected), "the JSON", file, line);
}

static inline const char *list_name(void)
{
    const elelem_shape *shape = request.shape ? request.shape : request.provider->shape;

    return shape == &elelem_shape_gemini ? "contents" : shape == &elelem_shape_responses || shape == &elelem_shape_interactions ? "input" : "messages";
}

static inline void check_history(const char *history, const char *expected, const char *file, int line)
{
    elelem_error error;

    request.history = elelem_str_of(history);
    error = write_body();
    if (check_int(error.status, ELELEM_OK, error.message, file, line))
        check_value(member_of_body(list_name()), expected, file, line);
}

static inline void check_refused(const char *history, elelem_status status, size_t offset, const char *file, int line)
{
    elelem_error error;

    request.history = elelem_str_of(history);
    error = write_body();
    check_int(error.status, status, "the status", file, line);
    check_u64(error.offset, offset, "the offset", file, line);
    check_true(error.message != NULL && error.message[0], "a message", file, line);
}

/* The messages that a history becomes. */
#define HISTORY(history, expected) check_history(history, expected, __FILE__, __LINE__)

/* A member of the body that was written last; "" if there is none. */
#define MEMBER(path, expected) check_value(member_of_body(path), expected, __FILE__, __LINE__)

/* What the call said of the body that was written last. */
#define SAID_OF_BODY(expected) CHECK_STR(body_message, strlen(body_message), expected)

/* A history that is refused, with nothing written. */
#define REFUSED(history, status, offset) check_refused(history, status, offset, __FILE__, __LINE__)

/* The item of the type as lines of a recorder, cut in two before the byte `cut` of its JSON, if that is not 0. A cut must not be inside a character. */
static inline const char *in_pieces(const char *type, const char *json, size_t cut)
{
    static char lines[2000];
    size_t i, size = 0;

    for (i = 0; json[i]; i++) {
        if (i == 0 || i == cut)
            size += (size_t)snprintf(lines + size, sizeof lines - size,
                                     "%s{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"%s\",\"chunk\":\"", i ? "\"}\n" : "", type);
        size += (size_t)snprintf(lines + size, sizeof lines - size, json[i] == '"' || json[i] == '\\' ? "\\%c" : "%c", json[i]);
    }
    snprintf(lines + size, sizeof lines - size, "\"}\n");
    return lines;
}

#endif
