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

#define ELS_OPENAI_REASONING "gpt-5 o1 o3 o4"

/* The columns are those of elelem_dialect. */
static const elelem_dialect els_dialects[] = {
#define ELS_DIALECT_PLAIN (&els_dialects[0])
    { "max_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_LEFT_OUT, ELELEM_EFFORT_WORD,
      ELELEM_NO_CONTENT_NULL, 0, 1, 0, 0, 0, 0, 0, 1, 0 },
#define ELS_DIALECT_OPENAI (&els_dialects[1])
    { "max_completion_tokens", "system", "required", "seed", ELS_OPENAI_REASONING, "gpt-5 o3 o4",
      ELELEM_REASONING_LEFT_OUT, ELELEM_EFFORT_WORD, ELELEM_NO_CONTENT_NULL, 0, 1, 0, 0, 0, 0, 0, 0, 0 },
#define ELS_DIALECT_OPENROUTER (&els_dialects[2])
    { "max_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_DETAILS, ELELEM_EFFORT_OBJECT,
      ELELEM_NO_CONTENT_NULL, 0, 0, 0, 0, 0, 0, 1, 0, 0 },
#define ELS_DIALECT_DEEPSEEK (&els_dialects[3])
    { "max_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_CONTENT, ELELEM_EFFORT_LEFT_OUT,
      ELELEM_NO_CONTENT_EMPTY, 0, 1, 0, 0, 1, 1, 0, 0, 0 },
#define ELS_DIALECT_MISTRAL (&els_dialects[4])
    { "max_tokens", "system", "any", "random_seed", "", "", ELELEM_REASONING_PARTS, ELELEM_EFFORT_LEFT_OUT,
      ELELEM_NO_CONTENT_EMPTY, 9, 0, 0, 1, 0, 0, 0, 0, 1 },
#define ELS_DIALECT_GROQ (&els_dialects[5])
    { "max_completion_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_LEFT_OUT, ELELEM_EFFORT_WORD,
      ELELEM_NO_CONTENT_LEFT_OUT, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
#define ELS_DIALECT_CEREBRAS (&els_dialects[6])
    { "max_completion_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_TEXT, ELELEM_EFFORT_WORD,
      ELELEM_NO_CONTENT_EMPTY, 0, 1, 1, 0, 0, 0, 0, 0, 0 },
#define ELS_DIALECT_XAI (&els_dialects[7])
    { "max_completion_tokens", "system", "required", "seed", "", "grok-4 grok-3-mini grok-code",
      ELELEM_REASONING_LEFT_OUT, ELELEM_EFFORT_WORD, ELELEM_NO_CONTENT_NULL, 0, 1, 0, 0, 0, 0, 0, 0, 0 },
#define ELS_DIALECT_OLLAMA (&els_dialects[8])
    { "max_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_TEXT, ELELEM_EFFORT_WORD,
      ELELEM_NO_CONTENT_EMPTY, 0, 1, 0, 0, 0, 0, 0, 0, 0 },
#define ELS_DIALECT_LLAMACPP (&els_dialects[9])
    { "max_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_CONTENT, ELELEM_EFFORT_WORD,
      ELELEM_NO_CONTENT_NULL, 0, 1, 0, 1, 0, 0, 1, 0, 0 },
#define ELS_DIALECT_VLLM (&els_dialects[10])
    { "max_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_TEXT, ELELEM_EFFORT_WORD,
      ELELEM_NO_CONTENT_NULL, 0, 1, 0, 0, 0, 0, 1, 0, 0 },
#define ELS_DIALECT_OTHER (&els_dialects[11])
    { "max_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_LEFT_OUT, ELELEM_EFFORT_WORD,
      ELELEM_NO_CONTENT_NULL, 0, 1, 0, 0, 0, 0, 0, 0, 0 },
#define ELS_DIALECT_AZURE (&els_dialects[12])
    { "max_completion_tokens", "system", "required", "seed", ELS_OPENAI_REASONING, "gpt-5 o3 o4",
      ELELEM_REASONING_LEFT_OUT, ELELEM_EFFORT_WORD, ELELEM_NO_CONTENT_EMPTY, 0, 1, 0, 0, 0, 0, 0, 0, 0 },
#define ELS_DIALECT_SNOWFLAKE (&els_dialects[13])
    { "max_completion_tokens", "system", "required", "seed", "", "", ELELEM_REASONING_DETAILS, ELELEM_EFFORT_OBJECT,
      ELELEM_NO_CONTENT_LEFT_OUT, 0, 1, 0, 0, 0, 0, 0, 0, 0 },
};

#define ELS_BEARER "authorization", "Bearer ", "", ""
#define ELS_PATH(path) path, path

/* Each name is also in provider.h and in tests/test_provider.c, and README has their number. */
static const elelem_provider els_providers[] = {
    { "anthropic", ELS_MESSAGES_SHAPE, ELS_PATH("/v1/messages"), "x-api-key", "", "anthropic-version", "2023-06-01",
      NULL },
    { "azure", ELS_CHAT_SHAPE, ELS_PATH("/openai/v1/chat/completions"), "api-key", "", "", "", ELS_DIALECT_AZURE },
    { "cerebras", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_CEREBRAS },
    { "deepseek", ELS_CHAT_SHAPE, ELS_PATH("/chat/completions"), ELS_BEARER, ELS_DIALECT_DEEPSEEK },
    { "fireworks", ELS_CHAT_SHAPE, ELS_PATH("/inference/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_OTHER },
    { "google", ELS_GEMINI_SHAPE, "/v1beta/models/{model}:streamGenerateContent?alt=sse",
      "/v1beta/models/{model}:generateContent", "x-goog-api-key", "", "", "", NULL },
    { "groq", ELS_CHAT_SHAPE, ELS_PATH("/openai/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_GROQ },
    { "litellm", ELS_CHAT_SHAPE, ELS_PATH("/chat/completions"), ELS_BEARER, ELS_DIALECT_VLLM },
    { "llamacpp", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_LLAMACPP },
    { "mistral", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_MISTRAL },
    { "ollama", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_OLLAMA },
    { "openai", ELS_RESPONSES_SHAPE, ELS_PATH("/v1/responses"), ELS_BEARER, NULL },
    { "openai-chat", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_OPENAI },
    { "openrouter", ELS_CHAT_SHAPE, ELS_PATH("/api/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_OPENROUTER },
    { "openrouter-responses", ELS_RESPONSES_SHAPE, ELS_PATH("/api/v1/responses"), ELS_BEARER, NULL },
    { "perplexity", ELS_CHAT_SHAPE, ELS_PATH("/chat/completions"), ELS_BEARER, ELS_DIALECT_OTHER },
    { "snowflake", ELS_CHAT_SHAPE, ELS_PATH("/api/v2/cortex/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_SNOWFLAKE },
    { "together", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_OTHER },
    { "vercel", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_OTHER },
    { "vllm", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_VLLM },
    { "writer", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat"), ELS_BEARER, ELS_DIALECT_OTHER },
    { "xai", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT_XAI },
};

const elelem_dialect *elelem_provider_dialect(const elelem_provider *provider)
{
    return provider && provider->dialect ? provider->dialect : ELS_DIALECT_PLAIN;
}

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
