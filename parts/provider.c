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
#ifdef ELELEM_NO_INTERACTIONS
#define ELS_INTERACTIONS_SHAPE NULL
#else
#define ELS_INTERACTIONS_SHAPE &elelem_shape_interactions
#endif

#define ELS_OPENAI_NO_SAMPLING "!gpt-5-chat gpt-5 gpt-6 o1 o3 o4 ft:o4 gpt-4o-search gpt-4o-mini-search"
#define ELS_OPENAI_NO_STOPS "!gpt-5-chat gpt-5 gpt-6 o3 o4 ft:o4"
/* They refuse to be asked for reasoning, and the reasoning of others. */
#define ELS_OPENAI_NO_REASONING "gpt-3 gpt-4 gpt-5-chat chatgpt ft:gpt-3 ft:gpt-4"
#define ELS_OPENAI_NO_TOOL_EFFORT "!gpt-5.4-chat gpt-5.4"
/* They reason if nothing is said, and refuse that too. */
#define ELS_OPENAI_TOOLS_WITH_NONE "!gpt-5.5-chat !gpt-5.6-chat gpt-5.5 gpt-5.6"
#define ELS_XAI_NO_STOPS "grok-4 grok-3-mini grok-code grok-build"
#define ELS_XAI_NO_EFFORT "!grok-3-mini !grok-4.20-multi grok-3 grok-4.20 grok-4-0709 grok-4-fast grok-4-1-fast grok-code grok-build"

/* Models that refuse sampling, stop; whose reasoning goes back in tags; that refuse an effort, one together with tools, tools
   without the effort "none", a forced call, parallel_tool_calls. */
#define ELS_MODELS_ANY "", "", "", "", "", "", "", ""
#define ELS_MODELS_OPENAI \
    ELS_OPENAI_NO_SAMPLING, ELS_OPENAI_NO_STOPS, "", "", ELS_OPENAI_NO_TOOL_EFFORT, ELS_OPENAI_TOOLS_WITH_NONE, "", "o1 o3 o4 ft:o4"
#define ELS_MODELS_DEEPSEEK "", "", "", "", "", "", "!deepseek-chat deepseek", ""
#define ELS_MODELS_CEREBRAS "", "", "zai-glm", "", "", "", "", ""
#define ELS_MODELS_XAI "", ELS_XAI_NO_STOPS, "", ELS_XAI_NO_EFFORT, "", "", "", ""
#define ELS_MODELS_MOONSHOT "kimi-k", "", "", "", "", "", "kimi-k", ""
#define ELS_MODELS_ZAI "", "", "", "", "", "", "glm", ""

/* What else is different: a bit for each of the last members of elelem_dialect. */
enum {
    ELS_D_USAGE = 1,
    ELS_D_NO_PARALLEL = 2,
    ELS_D_NO_NAMED_CHOICE = 4,
    ELS_D_NO_SCHEMA = 8,
    ELS_D_NO_STRICT = 16,
    ELS_D_TOP_K = 32,
    ELS_D_EXTRA_CONTENT = 64,
    ELS_D_PREFIX = 128,
    ELS_D_IMAGES = 256,
    ELS_D_AUDIO = 512,
    ELS_D_CUSTOM = 1024
};

/* Columns: limit, some call, seed, number of stops; models; reasoning, effort, no content; letters of ids; bits. */
#define ELS_DIALECT_LIST(X) \
    X(PLAIN, "max_tokens", "required", "seed", 0, ANY, LEFT_OUT, WORD, NULL, 0, \
      ELS_D_USAGE | ELS_D_EXTRA_CONTENT | ELS_D_CUSTOM) \
    X(OPENAI, "max_completion_tokens", "required", "seed", 4, OPENAI, LEFT_OUT, WORD, NULL, 0, \
      ELS_D_USAGE | ELS_D_AUDIO | ELS_D_CUSTOM) \
    X(AZURE, "max_completion_tokens", "required", "seed", 4, OPENAI, LEFT_OUT, WORD, EMPTY, 0, \
      ELS_D_USAGE | ELS_D_AUDIO | ELS_D_CUSTOM) \
    X(OPENROUTER, "max_tokens", "required", "seed", 0, ANY, DETAILS, OBJECT, NULL, 0, \
      ELS_D_TOP_K | ELS_D_IMAGES) \
    X(DEEPSEEK, "max_tokens", "required", "seed", 16, DEEPSEEK, REQUIRED, LEFT_OUT, EMPTY, 0, \
      ELS_D_USAGE | ELS_D_NO_SCHEMA | ELS_D_NO_STRICT) \
    X(MISTRAL, "max_tokens", "any", "random_seed", 0, ANY, PARTS, LEFT_OUT, EMPTY, 9, \
      ELS_D_NO_NAMED_CHOICE | ELS_D_PREFIX) \
    X(GROQ, "max_completion_tokens", "required", "seed", 4, ANY, LEFT_OUT, WORD, LEFT_OUT, 0, 0) \
    X(CEREBRAS, "max_completion_tokens", "required", "seed", 0, CEREBRAS, TEXT, WORD, EMPTY, 0, \
      ELS_D_USAGE | ELS_D_NO_PARALLEL) \
    X(XAI, "max_completion_tokens", "required", "seed", 0, XAI, LEFT_OUT, WORD, NULL, 0, \
      ELS_D_USAGE) \
    X(OLLAMA, "max_tokens", "required", "seed", 0, ANY, TEXT, WORD, EMPTY, 0, ELS_D_USAGE) \
    X(LLAMACPP, "max_tokens", "required", "seed", 0, ANY, CONTENT, WORD, NULL, 0, \
      ELS_D_USAGE | ELS_D_NO_NAMED_CHOICE | ELS_D_EXTRA_CONTENT) \
    X(VLLM, "max_tokens", "required", "seed", 0, ANY, TEXT, WORD, NULL, 0, \
      ELS_D_USAGE | ELS_D_EXTRA_CONTENT) \
    X(LITELLM, "max_tokens", "required", "seed", 0, OPENAI, CONTENT, WORD, NULL, 0, \
      ELS_D_USAGE | ELS_D_EXTRA_CONTENT) \
    X(MOONSHOT, "max_tokens", "required", "seed", 0, MOONSHOT, REQUIRED, WORD, EMPTY, 0, \
      ELS_D_USAGE | ELS_D_NO_STRICT) \
    X(ZAI, "max_tokens", "required", "seed", 1, ZAI, CONTENT, LEFT_OUT, EMPTY, 0, \
      ELS_D_USAGE | ELS_D_NO_SCHEMA) \
    X(SNOWFLAKE, "max_completion_tokens", "required", "seed", 0, ANY, DETAILS, OBJECT, LEFT_OUT, 0, \
      ELS_D_USAGE) \
    X(OTHER, "max_tokens", "required", "seed", 0, ANY, LEFT_OUT, WORD, NULL, 0, ELS_D_USAGE)

#define ELS_DIALECT_INDEX(name, limit, some, seed, stops, models, reasoning, effort, none, letters, bits) \
    ELS_DIALECT_##name,
enum { ELS_DIALECT_LIST(ELS_DIALECT_INDEX) ELS_DIALECT_COUNT };
#undef ELS_DIALECT_INDEX

#define ELS_DIALECT_BIT(bits, bit) (uint8_t)(((bits) & ELS_D_##bit) != 0)

static const elelem_dialect els_dialects[] = {
#define ELS_DIALECT_ROW(name, limit, some, seed, stops, models, reasoning, effort, none, letters, bits) \
    { limit, "system", some, seed, ELS_MODELS_##models, ELELEM_REASONING_##reasoning, ELELEM_EFFORT_##effort, \
      ELELEM_NO_CONTENT_##none, letters, stops, ELS_DIALECT_BIT(bits, USAGE), ELS_DIALECT_BIT(bits, NO_PARALLEL), \
      ELS_DIALECT_BIT(bits, NO_NAMED_CHOICE), ELS_DIALECT_BIT(bits, NO_SCHEMA), ELS_DIALECT_BIT(bits, NO_STRICT), \
      ELS_DIALECT_BIT(bits, TOP_K), ELS_DIALECT_BIT(bits, EXTRA_CONTENT), ELS_DIALECT_BIT(bits, PREFIX), \
      ELS_DIALECT_BIT(bits, IMAGES), ELS_DIALECT_BIT(bits, AUDIO), ELS_DIALECT_BIT(bits, CUSTOM) },
    ELS_DIALECT_LIST(ELS_DIALECT_ROW)
#undef ELS_DIALECT_ROW
};

#define ELS_DIALECT(name) (&els_dialects[ELS_DIALECT_##name])

#define ELS_BEARER "authorization", "Bearer ", "", ""
#define ELS_PATH(path) path, path

/* Each name is also in provider.h and in tests/test_provider.c, and README has their number. */
static const elelem_provider els_providers[] = {
    { "anthropic", ELS_MESSAGES_SHAPE, ELS_PATH("/v1/messages"), "x-api-key", "", "anthropic-version", "2023-06-01",
      NULL },
    { "azure", ELS_CHAT_SHAPE, ELS_PATH("/openai/v1/chat/completions"), "api-key", "", "", "", ELS_DIALECT(AZURE) },
    { "cerebras", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(CEREBRAS) },
    { "deepseek", ELS_CHAT_SHAPE, ELS_PATH("/chat/completions"), ELS_BEARER, ELS_DIALECT(DEEPSEEK) },
    { "fireworks", ELS_CHAT_SHAPE, ELS_PATH("/inference/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(OTHER) },
    { "google", ELS_GEMINI_SHAPE, "/v1beta/models/{model}:streamGenerateContent?alt=sse",
      "/v1beta/models/{model}:generateContent", "x-goog-api-key", "", "", "", NULL },
    { "google-interactions", ELS_INTERACTIONS_SHAPE, ELS_PATH("/v1beta/interactions"), "x-goog-api-key", "", "", "", NULL },
    { "groq", ELS_CHAT_SHAPE, ELS_PATH("/openai/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(GROQ) },
    { "litellm", ELS_CHAT_SHAPE, ELS_PATH("/chat/completions"), ELS_BEARER, ELS_DIALECT(LITELLM) },
    { "llamacpp", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(LLAMACPP) },
    { "mistral", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(MISTRAL) },
    { "moonshot", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(MOONSHOT) },
    { "ollama", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(OLLAMA) },
    { "openai", ELS_RESPONSES_SHAPE, ELS_PATH("/v1/responses"), ELS_BEARER, NULL },
    { "openai-chat", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(OPENAI) },
    { "openrouter", ELS_CHAT_SHAPE, ELS_PATH("/api/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(OPENROUTER) },
    { "openrouter-responses", ELS_RESPONSES_SHAPE, ELS_PATH("/api/v1/responses"), ELS_BEARER, NULL },
    { "perplexity", ELS_CHAT_SHAPE, ELS_PATH("/chat/completions"), ELS_BEARER, ELS_DIALECT(OTHER) },
    { "snowflake", ELS_CHAT_SHAPE, ELS_PATH("/api/v2/cortex/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(SNOWFLAKE) },
    { "together", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(OTHER) },
    { "vercel", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(OTHER) },
    { "vertex-interactions", ELS_INTERACTIONS_SHAPE, ELS_PATH("/v1beta1/projects/{project}/locations/{location}/interactions"),
      ELS_BEARER, NULL },
    { "vllm", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(VLLM) },
    { "writer", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat"), ELS_BEARER, ELS_DIALECT(OTHER) },
    { "xai", ELS_CHAT_SHAPE, ELS_PATH("/v1/chat/completions"), ELS_BEARER, ELS_DIALECT(XAI) },
    { "zai", ELS_CHAT_SHAPE, ELS_PATH("/api/paas/v4/chat/completions"), ELS_BEARER, ELS_DIALECT(ZAI) },
};

const elelem_dialect *elelem_provider_dialect(const elelem_provider *provider)
{
    return provider && provider->dialect ? provider->dialect : ELS_DIALECT(PLAIN);
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
                                                  ELS_GEMINI_SHAPE, ELS_INTERACTIONS_SHAPE };
    const elelem_provider *provider = elelem_provider_find(name);
    size_t i;

    if (provider) return provider->shape;
    for (i = 0; name && i < sizeof shapes / sizeof shapes[0]; i++) {
        /* Not reached: only what is built without a shape lacks it */
        if (!shapes[i]) continue;
        if (strcmp(shapes[i]->name, name) == 0) return shapes[i];
    }
    return NULL;
}

#endif
