#ifndef ELS_PROVIDER_C
#define ELS_PROVIDER_C
#include "provider.h"
#include "base.c"

/* >> provider */

#ifdef ELELEM_NO_CHAT
#define ELS_CHAT_SHAPE NULL
#else
#define ELS_CHAT_SHAPE &elelem_shape_chat
#endif
#ifdef ELELEM_NO_RESPONSES
#define ELS_RESPONSES_SHAPE NULL
#else
#define ELS_RESPONSES_SHAPE &elelem_shape_responses
#endif
#ifdef ELELEM_NO_MESSAGES
#define ELS_MESSAGES_SHAPE NULL
#else
#define ELS_MESSAGES_SHAPE &elelem_shape_messages
#endif
#ifdef ELELEM_NO_GEMINI
#define ELS_GEMINI_SHAPE NULL
#else
#define ELS_GEMINI_SHAPE &elelem_shape_gemini
#endif

#define ELS_BEARER "authorization", "Bearer ", "", ""

/* Each name is also in provider.h and in tests/test_provider.c, and README has their number. */
static const elelem_provider els_providers[] = {
    { "anthropic", ELS_MESSAGES_SHAPE, "/v1/messages", "x-api-key", "", "anthropic-version", "2023-06-01" },
    { "azure", ELS_CHAT_SHAPE, "/openai/v1/chat/completions", "api-key", "", "", "" },
    { "cerebras", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "deepseek", ELS_CHAT_SHAPE, "/chat/completions", ELS_BEARER },
    { "fireworks", ELS_CHAT_SHAPE, "/inference/v1/chat/completions", ELS_BEARER },
    { "google", ELS_GEMINI_SHAPE, "/v1beta/models/{model}:streamGenerateContent?alt=sse", "x-goog-api-key", "", "", "" },
    { "groq", ELS_CHAT_SHAPE, "/openai/v1/chat/completions", ELS_BEARER },
    { "litellm", ELS_CHAT_SHAPE, "/chat/completions", ELS_BEARER },
    { "llamacpp", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "mistral", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "ollama", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "openai", ELS_RESPONSES_SHAPE, "/v1/responses", ELS_BEARER },
    { "openai-chat", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "openrouter", ELS_CHAT_SHAPE, "/api/v1/chat/completions", ELS_BEARER },
    { "openrouter-responses", ELS_RESPONSES_SHAPE, "/api/v1/responses", ELS_BEARER },
    { "perplexity", ELS_CHAT_SHAPE, "/chat/completions", ELS_BEARER },
    { "together", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "vercel", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "vllm", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
    { "writer", ELS_CHAT_SHAPE, "/v1/chat", ELS_BEARER },
    { "xai", ELS_CHAT_SHAPE, "/v1/chat/completions", ELS_BEARER },
};

const elelem_provider *elelem_provider_find(const char *name)
{
    size_t i;

    for (i = 0; name && i < sizeof els_providers / sizeof els_providers[0]; i++)
        if (strcmp(els_providers[i].name, name) == 0) return &els_providers[i];
    return NULL;
}

const elelem_shape *elelem_shape_find(const char *name)
{
    static const elelem_shape *const shapes[] = { ELS_CHAT_SHAPE, ELS_RESPONSES_SHAPE, ELS_MESSAGES_SHAPE,
                                                  ELS_GEMINI_SHAPE };
    const elelem_provider *provider = elelem_provider_find(name);
    size_t i;

    if (provider) return provider->shape;
    for (i = 0; name && i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i] && strcmp(shapes[i]->name, name) == 0) return shapes[i];
    return NULL;
}

#endif
