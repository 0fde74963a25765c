/* request_write: conversations of chance go out in every shape and are read back by a reader of the test's own: the same
 * texts, calls with the results that belong to them, and reasoning with its proof, in the same order.
 *
 * Ids of calls come again, in one response too, are missing, or have odd characters; results come in any order, are
 * missing, or come after what the user said. */
#include "elelem_stream.h"

#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 1500

typedef struct log_text {
    char text[1 << 16];
    size_t size;
} log_text;

static log_text history, expected, found;
static unsigned long long chance_state;

static unsigned chance(unsigned most)
{
    chance_state = chance_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(chance_state >> 33) % most;
}

static void put(log_text *log, const char *format, ...)
{
    va_list list;
    int size;

    va_start(list, format);
    size = vsnprintf(log->text + log->size, sizeof log->text - log->size, format, list);
    va_end(list);
    if (size < 0 || (size_t)size >= sizeof log->text - log->size) abort();
    log->size += (size_t)size;
}

/* A conversation: lines into the history, and what they mean. */

static unsigned counter;

static void say(log_text *meant)
{
    put(&history, "{\"type\":\"user\",\"text\":\"u%u\"}\n", counter);
    put(meant, "user u%u\n", counter++);
}

static void model_says(void)
{
    put(&history, "{\"type\":\"message\",\"text\":\"m%u\"}\n", counter);
    put(&expected, "text m%u\n", counter++);
}

static void think(void)
{
    put(&history, "{\"type\":\"reasoning\",\"text\":\"r%u\",\"metadata\":{\"signature\":\"s%u\",\"encrypted_content\":\"s%u\",\"thought_signature\":\"s%u\",\"step_signature\":\"s%u\","
        "\"reasoning_details\":[{\"type\":\"reasoning.text\",\"signature\":\"s%u\"}]}}\n", counter, counter, counter, counter, counter, counter);
    put(&expected, "reasoning r%u s%u\n", counter, counter);
    counter++;
}

typedef struct planned {
    const char *id;
    unsigned number; /* of its result; 0: none */
} planned;

/* Results in any order, the user somewhere between them. Results of calls with one id are in their calls' order. */
static void return_results(planned *calls, unsigned count, log_text *meant)
{
    unsigned left = count, i, k;
    int given[8] = { 0 };

    while (left > 0) {
        i = chance(count);
        if (chance(6) == 0) say(meant);
        if (given[i]) continue;
        for (k = 0; k < i; k++)
            if (!given[k] && strcmp(calls[k].id, calls[i].id) == 0) break;
        if (k < i) continue;
        given[i] = 1;
        left--;
        if (calls[i].number > 0)
            put(&history, "{\"type\":\"tool_result\",\"id\":\"%s\",\"name\":\"now\",\"text\":\"r%u\"}\n", calls[i].id, calls[i].number);
    }
}

static void call_tools(log_text *meant)
{
    static const char *const ids[] = { "a", "b", "c", "call_1", "x.y:0", "odd id", "", "abcdefghi",
                                       "a2345678901234567890123456789012345678901234567890123456789012345" };
    planned calls[8];
    unsigned count = 1 + chance(5), i, k;

    for (i = 0; i < count; i++) {
        calls[i].id = ids[chance(9)];
        calls[i].number = counter + 100;
        put(&history, "{\"type\":\"tool_call\",\"id\":\"%s\",\"name\":\"now\",\"arguments\":{\"n\":%u}}\n", calls[i].id, counter++);
    }
    /* a result that is missing: of the last call with its id */
    i = chance(count);
    for (k = 0; k < count; k++)
        if (k > i && strcmp(calls[k].id, calls[i].id) == 0) i = k;
    if (count > 1 && chance(3) == 0) calls[i].number = 0; /* one result at least ends the step */
    for (i = 0; i < count; i++) {
        put(&expected, "call {\"n\":%u} ", calls[i].number > 0 ? calls[i].number - 100 : counter - count + i);
        if (calls[i].number > 0) put(&expected, "r%u\n", calls[i].number);
        else put(&expected, "not run\n");
    }
    return_results(calls, count, meant);
}

static void converse(void)
{
    static log_text users;
    unsigned turns = 1 + chance(4), steps;

    history.size = expected.size = 0;
    counter = 1;
    for (; turns > 0; turns--) {
        say(&expected);
        if (chance(4) == 0) say(&expected);
        for (steps = chance(4); steps > 0; steps--) {
            users.size = 0;
            if (chance(2)) think();
            if (chance(2)) model_says();
            call_tools(&users);
            put(&expected, "%.*s", (int)users.size, users.text);
        }
        if (chance(3)) think();
        model_says();
    }
}

/* Reading back: all shapes into the same log. Calls wait for their results. */

static elelem_value waiting[64];
static size_t waiting_count;

static void put_value(elelem_value value)
{
    elelem_span_sink span;
    elelem_writer writer;

    span.data = found.text + found.size;
    span.capacity = sizeof found.text - found.size;
    span.size = 0;
    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    elelem_writer_value(&writer, value);
    found.size += span.size;
}

static void put_text(const char *label, elelem_value text)
{
    if (elelem_value_type(text)) put(&found, "%s %.*s\n", label, ELELEM_STR_ARG(elelem_value_text(text)));
}

/* Joined texts are several. */
static void put_joined(const char *label, elelem_value text)
{
    elelem_str rest = elelem_value_text(text);
    size_t i, start = 0;

    for (i = 0; i <= rest.size && rest.size > 0; i++)
        if (i == rest.size || (i + 1 < rest.size && rest.data[i] == '\n')) {
            put(&found, "%s %.*s\n", label, (int)(i - start), rest.data + start);
            start = i + 2;
            i++;
        }
}

static void put_reasoning(elelem_value text, elelem_value proof)
{
    put(&found, "reasoning %.*s %.*s\n", ELELEM_STR_ARG(elelem_value_text(text)), ELELEM_STR_ARG(elelem_value_text(proof)));
}

/* A result: its call is the one with its id, or without ids the first that waits. */
static void put_result(elelem_value id, const char *id_name, const char *arguments, elelem_value result)
{
    size_t which = 0;
    elelem_str text = elelem_value_text(result);

    if (elelem_value_type(id))
        while (which < waiting_count && !elelem_str_equal(elelem_value_text(elelem_value_get(waiting[which], id_name)), elelem_value_text(id)))
            which++;
    if (!CHECK(which < waiting_count)) return;
    CHECK_INT(which, 0); /* in the order of their calls */
    put(&found, "call ");
    if (elelem_value_type(elelem_value_find(waiting[which], arguments)) == ELELEM_TYPE_STRING)
        put(&found, "%.*s", ELELEM_STR_ARG(elelem_value_text(elelem_value_find(waiting[which], arguments))));
    else put_value(elelem_value_find(waiting[which], arguments));
    if (text.size > 0 && text.data[0] == '{') text = elelem_str_of("not run");
    put(&found, " %.*s\n", ELELEM_STR_ARG(text));
    memmove(waiting + which, waiting + which + 1, (waiting_count - which - 1) * sizeof *waiting);
    waiting_count--;
}

static void wait_for(elelem_value call)
{
    if (waiting_count < 64) waiting[waiting_count++] = call;
}

#define EACH(element, list) \
    for (element = elelem_value_first(list); elelem_value_type(element); element = elelem_value_next(element))

static void read_chat(elelem_value body)
{
    elelem_value message, call;

    EACH(message, elelem_value_get(body, "messages")) {
        elelem_str role = elelem_value_text(elelem_value_get(message, "role"));
        elelem_value content = elelem_value_get(message, "content");
        if (elelem_str_is(role, "user")) put_joined("user", content);
        if (elelem_str_is(role, "tool")) put_result(elelem_value_get(message, "tool_call_id"), "id", "function.arguments", content);
        if (!elelem_str_is(role, "assistant")) continue;
        EACH(call, elelem_value_get(message, "reasoning_details"))
            put_reasoning(elelem_value_get(call, "text"), elelem_value_get(call, "signature"));
        if (elelem_value_type(content) == ELELEM_TYPE_STRING) put_joined("text", content);
        EACH(call, elelem_value_get(message, "tool_calls")) wait_for(call);
    }
}

static void read_responses(elelem_value body)
{
    elelem_value item, part;

    EACH(item, elelem_value_get(body, "input")) {
        elelem_str type = elelem_value_text(elelem_value_get(item, "type"));
        if (elelem_str_is(type, "reasoning"))
            put_reasoning(elelem_value_find(item, "summary[0].text"), elelem_value_get(item, "encrypted_content"));
        else if (elelem_str_is(type, "function_call")) wait_for(item);
        else if (elelem_str_is(type, "function_call_output"))
            put_result(elelem_value_get(item, "call_id"), "call_id", "arguments", elelem_value_get(item, "output"));
        else if (elelem_str_is(type, "message")) put_text("text", elelem_value_get(item, "content"));
        else EACH(part, elelem_value_get(item, "content")) put_text("user", elelem_value_get(part, "text"));
    }
}

static void read_messages(elelem_value body)
{
    elelem_value message, block;

    EACH(message, elelem_value_get(body, "messages")) {
        int is_user = elelem_str_is(elelem_value_text(elelem_value_get(message, "role")), "user");
        EACH(block, elelem_value_get(message, "content")) {
            elelem_str type = elelem_value_text(elelem_value_get(block, "type"));
            if (elelem_str_is(type, "thinking"))
                put_reasoning(elelem_value_get(block, "thinking"), elelem_value_get(block, "signature"));
            else if (elelem_str_is(type, "tool_use")) wait_for(block);
            else if (elelem_str_is(type, "tool_result"))
                put_result(elelem_value_get(block, "tool_use_id"), "id", "input", elelem_value_get(block, "content"));
            else put_text(is_user ? "user" : "text", elelem_value_get(block, "text"));
        }
    }
}

static void read_interactions(elelem_value body)
{
    elelem_value step, part;

    EACH(step, elelem_value_get(body, "input")) {
        elelem_str type = elelem_value_text(elelem_value_get(step, "type"));
        int is_signed = !elelem_str_is(elelem_value_text(elelem_value_get(step, "signature")), "skip_thought_signature_validator");
        if (elelem_str_is(type, "thought") && is_signed) put_reasoning(elelem_value_find(step, "summary[0].text"), elelem_value_get(step, "signature"));
        if (elelem_str_is(type, "function_call")) wait_for(step);
        if (elelem_str_is(type, "function_result")) put_result(elelem_value_get(step, "call_id"), "id", "arguments", elelem_value_get(step, "result"));
        EACH(part, elelem_value_get(step, "content"))
            put_text(elelem_str_is(type, "user_input") ? "user" : "text", elelem_value_get(part, "text"));
    }
}

static void read_gemini(elelem_value body)
{
    elelem_value content, part, none = ELELEM_INIT;

    EACH(content, elelem_value_get(body, "contents")) {
        int is_user = elelem_str_is(elelem_value_text(elelem_value_get(content, "role")), "user");
        EACH(part, elelem_value_get(content, "parts")) {
            elelem_value response = elelem_value_find(part, "functionResponse.response");
            if (elelem_value_type(elelem_value_get(part, "thought")))
                put_reasoning(elelem_value_get(part, "text"), elelem_value_get(part, "thoughtSignature"));
            else if (elelem_value_type(elelem_value_get(part, "functionCall"))) wait_for(part);
            else if (elelem_value_type(response)) put_result(none, "", "functionCall.args", elelem_value_first(response));
            else put_text(is_user ? "user" : "text", elelem_value_get(part, "text"));
        }
    }
}

/* Messages writes the result of a call that was not run as it is, the others as an object. */
static void round_trip(const char *provider, void (*read)(elelem_value body))
{
    static char body[1 << 16];
    elelem_request request = ELELEM_INIT;
    elelem_span_sink span;
    elelem_json json;
    elelem_str text;

    request.provider = elelem_provider_find(provider);
    request.model = elelem_str_of("m");
    request.history.data = history.text;
    request.history.size = history.size;
    span.data = body;
    span.capacity = sizeof body;
    span.size = 0;
    if (!CHECK_INT(elelem_request_write(&request, elelem_span_sink_of(&span)).status, ELELEM_OK)) return;
    text.data = body;
    text.size = span.size;
    found.size = waiting_count = 0;
    read(elelem_json_read(&json, text, NULL));
    CHECK_INT(waiting_count, 0);
    CHECK_BYTES(found.text, found.size, expected.text, expected.size);
    elelem_json_free(&json);
}

static void all_round_trips(const char *provider, void (*read)(elelem_value body))
{
    unsigned i;

    for (i = 0; i < ROUNDS; i++) {
        chance_state = i;
        converse();
        check_cut("conversation", i);
        round_trip(provider, read);
    }
    check_cut(NULL, 0);
}

TEST(a_conversation_comes_back_the_same_from_chat)
{
    all_round_trips("openrouter", read_chat);
}

TEST(a_conversation_comes_back_the_same_from_responses)
{
    all_round_trips("openai", read_responses);
}

TEST(a_conversation_comes_back_the_same_from_messages)
{
    all_round_trips("anthropic", read_messages);
}

TEST(a_conversation_comes_back_the_same_from_gemini)
{
    all_round_trips("google", read_gemini);
}

TEST(a_conversation_comes_back_the_same_from_interactions)
{
    all_round_trips("google-interactions", read_interactions);
}

CHECK_MAIN("request_law",
    RUN(a_conversation_comes_back_the_same_from_chat)
    RUN(a_conversation_comes_back_the_same_from_responses)
    RUN(a_conversation_comes_back_the_same_from_messages)
    RUN(a_conversation_comes_back_the_same_from_gemini)
    RUN(a_conversation_comes_back_the_same_from_interactions))
