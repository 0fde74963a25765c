/* Prints how much stack calls take that promise to take no other memory: each runs on a stack of its own, which was filled
   with a byte before. Compiled without sanitizers, which need more (see test_stack.sh). */
#define _XOPEN_SOURCE 700
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define STACK 65536

static unsigned char stack[STACK];
static ucontext_t outside, inside;
static elelem_request request;
static const elelem_shape *shape;
static char body[1 << 16];
static elelem_span_sink span;

/* A history that reaches every branch: pieces of a record, signed reasoning, odd ids, escapes, images. */
static const char history[] =
    "{\"type\":\"user\",\"text\":\"Hi \\ud83d\\udd11\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA==\"}]}\n"
    "{\"type\":\"reasoning\",\"text\":\"Hm.\",\"metadata\":{\"signature\":\"s\",\"encrypted_content\":\"e\",\"thought_signature\":\"t\","
    "\"reasoning_details\":[{\"type\":\"reasoning.text\",\"signature\":\"s\"}]}}\n"
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"We\\u006c\"}\n{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"l.\"}\n"
    "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"fallback\",\"chunk\":\"{\\\"type\\\":\\\"fall\"}\n"
    "{\"eventType\":\"PartialProviderItem\",\"index\":1,\"type\":\"fallback\",\"chunk\":\"back\\\"}\"}\n"
    "{\"type\":\"tool_call\",\"id\":\"odd id\",\"name\":\"n.w\",\"arguments\":{\"a\":[1,{\"b\":\"\\ud800\"}]}}\n"
    "{\"type\":\"tool_call\",\"callType\":\"shell_call\",\"id\":\"b\",\"name\":\"shell\",\"arguments\":{\"action\":{}}}\n"
    "{\"type\":\"tool_result\",\"id\":\"b\",\"text\":\"no\",\"failed\":true}\n{\"type\":\"tool_result\",\"id\":\"odd id\",\"output\":{\"n\":1}}\n"
    "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialThinking\",\"chunk\":\"x\"},{\"eventType\":\"PartialResponse\",\"chunk\":\"Yes. \"}]}\n";

static void write_request(void)
{
    span.data = body;
    span.capacity = sizeof body;
    span.size = 0;
    if (elelem_request_write(&request, elelem_span_sink_of(&span)).status != ELELEM_OK) puts("not written");
}

static void find_and_patch(void)
{
    static char lines[sizeof history];
    elelem_patch patches[4];
    elelem_failure error = ELELEM_INIT;
    elelem_str text;
    size_t size = sizeof history - 1;

    memcpy(lines, history, sizeof history);
    text.data = body;
    text.size = span.size;
    error.kind = ELELEM_ERROR_KIND_RECOVERABLE;
    elelem_talk_patch(patches, elelem_recovery_find(shape, &error, text, patches, 4), lines, &size);
}

/* Returns the bytes of stack that the call wrote to. */
static unsigned long used(void (*call)(void))
{
    size_t i = 0;

    memset(stack, 0xa5, sizeof stack);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, call, 0);
    swapcontext(&outside, &inside);
    while (i < sizeof stack && stack[i] == 0xa5)
        i++;
    return (unsigned long)(sizeof stack - i);
}

int main(void)
{
    static const char *const shapes[] = { "chat", "responses", "messages", "gemini", "interactions" };
    unsigned long bytes, written = 0, patched = 0;
    size_t i;

    for (i = 0; i < 5; i++) {
        shape = elelem_shape_find(shapes[i]);
        memset(&request, 0, sizeof request);
        request.shape = shape;
        request.model = elelem_str_of("m");
        request.schema = elelem_str_of("{}");
        request.history = elelem_str_of(history);
        if ((bytes = used(write_request)) > written) written = bytes;
        if ((bytes = used(find_and_patch)) > patched) patched = bytes;
    }
    printf("request %lu\npatch %lu\n", written, patched);
    return 0;
}
