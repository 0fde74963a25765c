/* request_write: whatever is set, for every kind of provider, the body is one JSON object without a member twice; and a member of the
 * caller's own replaces the one of that name, whichever it is, and changes no other. */
#include "elelem_stream.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM (1 << 16)

static elelem_request request;
static char extra[200];
static elelem_tool tools[2];
static elelem_str stop;

/* A history in which each kind of line is there, and odd ones: blank texts, a call that is left out, details and items of shapes. */
static const char history[] =
    "{\"type\":\"user\",\"text\":\"Hi\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA==\"},{\"url\":\"https://a/b\"}]}\n"
    "{\"type\":\"reasoning\",\"text\":\"Hm.\",\"metadata\":{\"signature\":\"s\",\"encrypted_content\":\"e\",\"thought_signature\":\"t\","
    "\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"a\",\"signature\":\"s\"},{\"type\":\"reasoning.summary\",\"summary\":\"b\"},7]}}\n"
    "{\"type\":\"reasoning\",\"text\":\"\",\"metadata\":{\"encrypted_content\":\"\",\"thought_signature\":\"\",\"reasoning_details\":7}}\n"
    "{\"type\":\"message\",\"text\":\" \"}\n{\"type\":\"message\",\"text\":\"I \\ud800 look.\",\"metadata\":{\"citations\":[{\"url\":\"u\"}]}}\n"
    "{\"type\":\"message\",\"text\":\"x\",\"metadata\":{\"citations\":{}}}\n"
    "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"f\",\"arguments\":{\"a\":1},\"metadata\":{\"thought_signature\":\"t\",\"caller\":{\"type\":\"direct\"}}}\n"
    "{\"type\":\"tool_call\",\"id\":\"b\",\"name\":\"\",\"arguments\":{}}\n"
    "{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"g\",\"arguments\":[1],\"metadata\":{\"caller\":5}}\n"
    "{\"type\":\"tool_call\",\"callType\":\"shell_call\",\"id\":\"d\",\"name\":\"shell\",\"arguments\":{\"action\":{}}}\n"
    "{\"type\":\"tool_call\",\"callType\":\"tool_search_call\",\"id\":\"e\",\"name\":\"s\",\"arguments\":{}}\n"
    "{\"type\":\"tool_call\",\"callType\":\"mcp_approval_request\",\"id\":\"h\",\"name\":\"s\",\"arguments\":{}}\n"
    "{\"type\":\"tool_call\",\"id\":\"i\",\"name\":\"f\",\"arguments\":{}}\n"
    "{\"type\":\"tool_result\",\"id\":\"b\",\"text\":\"none\"}\n"
    "{\"type\":\"tool_result\",\"id\":\"a\",\"text\":\"no\",\"failed\":true}\n{\"type\":\"tool_result\",\"id\":\"c\",\"output\":{\"n\":1}}\n"
    "{\"type\":\"tool_result\",\"id\":\"d\",\"output\":[{\"stdout\":\"x\"}]}\n{\"type\":\"tool_result\",\"id\":\"e\",\"output\":[]}\n"
    "{\"type\":\"tool_result\",\"id\":\"h\",\"output\":false}\n"
    "{\"type\":\"provider_item\",\"itemType\":\"audio\",\"item\":{\"id\":\"audio_1\"}}\n"
    "{\"type\":\"provider_item\",\"itemType\":\"image\",\"item\":{\"type\":\"image_url\",\"image_url\":{\"url\":\"u\"}}}\n"
    "{\"type\":\"provider_item\",\"itemType\":\"web_search_call\",\"item\":{\"type\":\"web_search_call\",\"id\":\"w\"}}\n"
    "{\"type\":\"message\",\"text\":\"Done.\"}\n{\"type\":\"user\",\"text\":\"  \"}\n";

static elelem_str str(const char *text)
{
    return elelem_str_of(text);
}

/* Chooses each setting by a bit or two of a number. */
static void set(unsigned which)
{
    static const char *const efforts[] = { "", "low" };
    const elelem_provider *provider = request.provider;

    memset(&request, 0, sizeof request);
    request.provider = provider;
    request.model = str(which & 1 ? "gemini-2.5-flash" : "m");
    request.history = str(history);
    request.instructions = str(which & 1 ? "Be kind." : "");
    request.tool_choice = (uint8_t)(which >> 1 & 3);
    request.tool_choice_name = str("f");
    request.tools = tools;
    request.tool_count = which & 1 ? 2 : which >> 3 & 1;
    request.one_call = which >> 4 & 1;
    request.whole = which >> 5 & 1;
    request.schema = str(which >> 6 & 1 ? "{\"type\":\"object\"}" : which >> 3 & 1 ? "true" : "");
    request.schema_strict = which >> 1 & 1;
    request.effort = str(efforts[which >> 7 & 1]);
    request.summary = str(which >> 8 & 1 ? "auto" : "");
    request.show_reasoning = which >> 5 & 1;
    request.reasoning_tokens = which >> 9 & 1 ? 500 : 0;
    request.max_tokens = which >> 4 & 1 ? INT64_MAX : which >> 1 & 1 ? 100 : 0;
    request.temperature = request.top_p = request.seed = str(which >> 2 & 1 ? "1" : "");
    request.top_k = str(which & 1 ? "4" : "");
    request.stops = &stop;
    request.stop_count = which >> 3 & 1;
}

static elelem_str body_of(char *text)
{
    elelem_span_sink span = ELELEM_INIT;
    elelem_str body;

    span.data = text;
    span.capacity = ROOM;
    CHECK_INT(elelem_request_write(&request, elelem_span_sink_of(&span)).status, ELELEM_OK);
    body.data = text;
    body.size = span.size;
    return body;
}

/* The member of an object that has this key, written. */
static elelem_str member_text(elelem_value object, elelem_str key, char *text)
{
    elelem_span_sink span = ELELEM_INIT;
    elelem_value member = elelem_value_first(object);
    elelem_writer writer;
    elelem_str written;

    while (elelem_value_type(member) && !elelem_str_equal(elelem_value_key(member), key))
        member = elelem_value_next(member);
    span.data = text;
    span.capacity = ROOM;
    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    elelem_writer_value(&writer, member);
    written.data = text;
    written.size = span.size;
    return written;
}

static size_t times(elelem_value object, elelem_str key)
{
    elelem_value member = elelem_value_first(object);
    size_t count = 0;

    for (; elelem_value_type(member); member = elelem_value_next(member))
        count += (size_t)elelem_str_equal(elelem_value_key(member), key);
    return count;
}

/* Writes the body again with a member of the caller's own in it; the object that has it is the body, or a member of that. */
static void check_replaced(elelem_value whole, elelem_str key, const char *inside)
{
    static char text[ROOM], before[ROOM], after[ROOM];
    elelem_json json;
    elelem_value now, member;
    elelem_str *extra_of = inside ? &request.extra_config : &request.extra;

    snprintf(extra, sizeof extra, "\"%.*s\":{\"mine\":[1]}", ELELEM_STR_ARG(key));
    *extra_of = str(extra);
    now = elelem_json_read(&json, body_of(text), NULL);
    if (inside) now = elelem_value_get(now, inside);
    CHECK_INT(times(now, key), 1);
    CHECK_STR(member_text(now, key, after).data, strlen("{\"mine\":[1]}"), "{\"mine\":[1]}");
    for (member = elelem_value_first(whole); elelem_value_type(member); member = elelem_value_next(member)) {
        elelem_str other = elelem_value_key(member);
        if (elelem_str_equal(other, key)) continue;
        CHECK(elelem_str_equal(member_text(whole, other, before), member_text(now, other, after)));
    }
    elelem_json_free(&json);
    memset(extra_of, 0, sizeof *extra_of);
}

static void check_members(elelem_value object, const char *inside)
{
    elelem_value member = elelem_value_first(object);

    for (; elelem_value_type(member); member = elelem_value_next(member)) {
        CHECK_INT(times(object, elelem_value_key(member)), 1);
        check_replaced(object, elelem_value_key(member), inside);
    }
}

static void check_provider(const char *name, const char *config)
{
    static char text[ROOM];
    elelem_json json;
    elelem_value whole;
    unsigned which;

    check_context(name);
    for (which = 0; which < 1024; which += 7) {
        check_cut("settings", which);
        request.provider = elelem_provider_find(name);
        set(which);
        whole = elelem_json_read(&json, body_of(text), NULL);
        CHECK_INT(elelem_value_type(whole), ELELEM_TYPE_OBJECT);
        check_members(whole, NULL);
        if (config) check_members(elelem_value_get(whole, config), config);
        elelem_json_free(&json);
    }
    check_cut(NULL, 0);
    check_context(NULL);
}

static void offer(void)
{
    memset(tools, 0, sizeof tools);
    tools[0].name = str("f");
    tools[0].description = str("Does it.");
    tools[0].parameters = str("{\"type\":\"object\"}");
    tools[0].strict = 1;
    tools[1].name = str("g");
    stop = str("STOP");
}

TEST(a_member_of_the_callers_own_replaces_that_one_and_no_other_in_every_chat_dialect) /* Q2 */
{
    offer();
    check_provider("openai-chat", NULL);
    check_provider("openrouter", NULL);
    check_provider("mistral", NULL);
    check_provider("deepseek", NULL);
    check_provider("groq", NULL);
}

TEST(a_member_of_the_callers_own_replaces_that_one_and_no_other_in_every_other_shape)
{
    offer();
    check_provider("openai", NULL);
    check_provider("anthropic", NULL);
    check_provider("google", "generationConfig");
    check_provider("google-interactions", "generation_config");
}

static size_t count_of(elelem_str text, const char *word)
{
    size_t size = strlen(word), at, count = 0;

    for (at = 0; at + size <= text.size; at++)
        count += memcmp(text.data + at, word, size) == 0;
    return count;
}

/* In a key as in a value; after \\\\ it is no escape. */
TEST(a_lone_surrogate_in_a_schema_or_in_a_tools_parameters_becomes_a_replacement_character) /* Q3 */
{
    static const char *const providers[] = { "openai-chat", "openai", "anthropic", "google", "google-interactions" };
    static char text[ROOM];
    size_t i;

    offer();
    for (i = 0; i < sizeof providers / sizeof *providers; i++) {
        elelem_str body;

        memset(&request, 0, sizeof request);
        request.provider = elelem_provider_find(providers[i]);
        request.model = str("m");
        request.history = str("{\"type\":\"user\",\"text\":\"Hi\"}\n");
        request.tools = tools;
        request.tool_count = 1;
        tools[0].parameters = str("{\"type\":\"object\",\"title\":\"\\udc00 \\\\ud800 \\ud83d\\ude00\"}");
        request.schema = str("{\"type\":\"object\",\"properties\":{\"\\ud83d\":{\"type\":\"string\"}}}");
        body = body_of(text);
        CHECK(body.size > 0);
        CHECK_INT(count_of(body, "\\ufffd"), 2);
        CHECK_INT(count_of(body, "\\udc00"), 0);
        CHECK_INT(count_of(body, "\\ud83d\""), 0);
        CHECK_INT(count_of(body, "\\\\ud800"), 1);
    }
}

CHECK_MAIN("request_members",
    RUN(a_member_of_the_callers_own_replaces_that_one_and_no_other_in_every_chat_dialect)
    RUN(a_member_of_the_callers_own_replaces_that_one_and_no_other_in_every_other_shape)
    RUN(a_lone_surrogate_in_a_schema_or_in_a_tools_parameters_becomes_a_replacement_character))
