/* provider: names to shapes, paths and dialects. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* All names that provider.h lists. */
static const char *const names[] = {
    "anthropic", "azure", "cerebras", "deepseek", "fireworks", "google", "google-interactions", "groq", "litellm", "llamacpp", "mistral", "moonshot",
    "ollama", "openai", "openai-chat", "openrouter", "openrouter-responses", "perplexity", "snowflake", "together", "vercel", "vertex-interactions", "vllm", "writer",
    "xai", "zai",
};

static const char *const strangers[] = { "", "OpenAI", "openai ", "open", "openai-chats", "chatx", "gemini-pro" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

TEST(every_name_is_known_and_none_of_its_texts_is_null)
{
    size_t i;

    for (i = 0; i < COUNT(names); i++) {
        const elelem_provider *p = elelem_provider_find(names[i]);
        check_context(names[i]);
        if (!CHECK(p != NULL)) continue;
        CHECK_STR(p->name, strlen(p->name), names[i]);
        CHECK(p->shape != NULL);
        CHECK(p->shape == elelem_shape_find(names[i]));
        CHECK(p->path && p->path[0] == '/');
        CHECK(p->key_header && p->key_header[0] != '\0' && p->key_prefix != NULL);
        CHECK(p->other_header && p->other_value && (p->other_header[0] == '\0') == (p->other_value[0] == '\0'));
    }
}

typedef struct speaks {
    const char *name;
    const elelem_shape *shape;
    const char *path;
    const char *key_header;
    const char *key_prefix;
} speaks;

static const speaks known[] = {
    { "anthropic", &elelem_shape_messages, "/v1/messages", "x-api-key", "" },
    { "openai", &elelem_shape_responses, "/v1/responses", "authorization", "Bearer " },
    { "openai-chat", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "azure", &elelem_shape_chat, "/openai/v1/chat/completions", "api-key", "" },
    { "google", &elelem_shape_gemini, "/v1beta/models/{model}:streamGenerateContent?alt=sse", "x-goog-api-key", "" },
    { "openrouter", &elelem_shape_chat, "/api/v1/chat/completions", "authorization", "Bearer " },
    { "openrouter-responses", &elelem_shape_responses, "/api/v1/responses", "authorization", "Bearer " },
    { "cerebras", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "deepseek", &elelem_shape_chat, "/chat/completions", "authorization", "Bearer " },
    { "fireworks", &elelem_shape_chat, "/inference/v1/chat/completions", "authorization", "Bearer " },
    { "google-interactions", &elelem_shape_interactions, "/v1beta/interactions", "x-goog-api-key", "" },
    { "groq", &elelem_shape_chat, "/openai/v1/chat/completions", "authorization", "Bearer " },
    { "litellm", &elelem_shape_chat, "/chat/completions", "authorization", "Bearer " },
    { "llamacpp", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "mistral", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "moonshot", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "ollama", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "perplexity", &elelem_shape_chat, "/chat/completions", "authorization", "Bearer " },
    { "snowflake", &elelem_shape_chat, "/api/v2/cortex/v1/chat/completions", "authorization", "Bearer " },
    { "together", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "vercel", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "vertex-interactions", &elelem_shape_interactions, "/v1beta1/projects/{project}/locations/{location}/interactions", "authorization",
      "Bearer " },
    { "vllm", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "writer", &elelem_shape_chat, "/v1/chat", "authorization", "Bearer " },
    { "xai", &elelem_shape_chat, "/v1/chat/completions", "authorization", "Bearer " },
    { "zai", &elelem_shape_chat, "/api/paas/v4/chat/completions", "authorization", "Bearer " },
};

TEST(providers_have_a_shape_and_a_path)
{
    size_t i;

    CHECK_INT(COUNT(known), COUNT(names));
    for (i = 0; i < COUNT(known); i++) {
        const elelem_provider *p = elelem_provider_find(known[i].name);
        check_context(known[i].name);
        if (!CHECK(p != NULL)) continue;
        CHECK(p->shape == known[i].shape);
        CHECK_STR(p->path, strlen(p->path), known[i].path);
        CHECK_STR(p->key_header, strlen(p->key_header), known[i].key_header);
        CHECK_STR(p->key_prefix, strlen(p->key_prefix), known[i].key_prefix);
    }
}

TEST(messages_requires_a_version_header)
{
    const elelem_provider *p = elelem_provider_find("anthropic");

    CHECK_STR(p->other_header, strlen(p->other_header), "anthropic-version");
    CHECK_STR(p->other_value, strlen(p->other_value), "2023-06-01");
}

TEST(a_shape_is_found_by_its_own_name_too)
{
    CHECK(elelem_shape_find("chat") == &elelem_shape_chat);
    CHECK(elelem_shape_find("responses") == &elelem_shape_responses);
    CHECK(elelem_shape_find("messages") == &elelem_shape_messages);
    CHECK(elelem_shape_find("gemini") == &elelem_shape_gemini);
    CHECK(elelem_shape_find("interactions") == &elelem_shape_interactions);
    CHECK(elelem_provider_find("chat") == NULL);
}

TEST(an_unknown_name_is_null)
{
    size_t i;

    for (i = 0; i < COUNT(strangers); i++) {
        check_context(strangers[i]);
        CHECK(elelem_provider_find(strangers[i]) == NULL);
        CHECK(elelem_shape_find(strangers[i]) == NULL);
    }
    CHECK(elelem_provider_find(NULL) == NULL);
    CHECK(elelem_shape_find(NULL) == NULL);
}

/* Dialects. */

/* The member at this offset has the value for these chat providers (each name between blanks), and is 0 for all others, for null
   and for other shapes. */
static void check_dialects(const char *providers, size_t offset, int value)
{
    char name[40];
    size_t i;

    for (i = 0; i < COUNT(known); i++) {
        const elelem_provider *p = elelem_provider_find(known[i].name);
        const uint8_t *dialect = (const uint8_t *)elelem_provider_dialect(p);
        check_context(known[i].name);
        snprintf(name, sizeof name, " %s ", known[i].name);
        CHECK_INT(dialect[offset], strstr(providers, name) ? value : 0);
        if (known[i].shape != &elelem_shape_chat) CHECK(elelem_provider_dialect(p) == elelem_provider_dialect(NULL));
    }
    check_context("null");
    CHECK_INT(((const uint8_t *)elelem_provider_dialect(NULL))[offset], strstr(providers, " null ") ? value : 0);
}

#define DIALECTS(member, providers, value) check_dialects(providers, offsetof(elelem_dialect, member), value)

/* Providers without a dialect, and no provider ("null"), get what most servers take. */
#define OTHER_SHAPES " null anthropic google google-interactions openai openrouter-responses vertex-interactions "

TEST(mistral_alone_wants_ids_of_nine_letters)
{
    DIALECTS(id_letters, " mistral ", 9);
}

TEST(servers_that_do_not_send_usage_by_themselves_are_asked_for_it)
{
    DIALECTS(stream_usage, OTHER_SHAPES "azure cerebras deepseek fireworks litellm llamacpp moonshot ollama openai-chat perplexity snowflake "
             "together vercel vllm writer xai zai ", 1);
}

TEST(extra_content_goes_back_to_servers_that_may_pass_it_on_to_gemini)
{
    DIALECTS(takes_extra_content, OTHER_SHAPES "litellm llamacpp vllm ", 1);
}

TEST(custom_calls_go_back_as_such_to_openai_and_azure)
{
    DIALECTS(takes_custom, OTHER_SHAPES "openai-chat azure ", 1);
}

TEST(what_the_model_spoke_goes_back_to_openai_and_azure)
{
    DIALECTS(takes_audio, " openai-chat azure ", 1);
}

TEST(what_the_model_drew_goes_back_to_openrouter)
{
    DIALECTS(takes_images, " openrouter ", 1);
}

TEST(mistral_alone_wants_a_prefix)
{
    DIALECTS(prefix, " mistral ", 1);
}

TEST(a_server_that_refuses_the_choice_of_a_tool_by_name_gets_none)
{
    DIALECTS(no_named_choice, " mistral llamacpp ", 1);
}

TEST(settings_that_few_refuse_or_take_go_out_accordingly)
{
    DIALECTS(no_schema, " deepseek zai ", 1);
    DIALECTS(no_strict_tools, " deepseek moonshot ", 1);
    DIALECTS(no_parallel, " cerebras ", 1);
    CHECK_INT(elelem_provider_find("openai-chat")->dialect->max_stops, 4);
    CHECK_INT(elelem_provider_find("azure")->dialect->max_stops, 4);
    CHECK_INT(elelem_provider_find("groq")->dialect->max_stops, 4);
    CHECK_INT(elelem_provider_find("deepseek")->dialect->max_stops, 16);
    CHECK_INT(elelem_provider_find("zai")->dialect->max_stops, 1);
    DIALECTS(takes_top_k, " openrouter ", 1);
}

CHECK_MAIN("provider",
           RUN(every_name_is_known_and_none_of_its_texts_is_null)
           RUN(providers_have_a_shape_and_a_path)
           RUN(messages_requires_a_version_header)
           RUN(a_shape_is_found_by_its_own_name_too)
           RUN(an_unknown_name_is_null)
           RUN(mistral_alone_wants_ids_of_nine_letters)
           RUN(servers_that_do_not_send_usage_by_themselves_are_asked_for_it)
           RUN(extra_content_goes_back_to_servers_that_may_pass_it_on_to_gemini)
           RUN(custom_calls_go_back_as_such_to_openai_and_azure)
    RUN(what_the_model_spoke_goes_back_to_openai_and_azure)
           RUN(what_the_model_drew_goes_back_to_openrouter)
           RUN(mistral_alone_wants_a_prefix)
           RUN(a_server_that_refuses_the_choice_of_a_tool_by_name_gets_none)
           RUN(settings_that_few_refuse_or_take_go_out_accordingly))
