/* >> provider
 *
 * Which wire shape a provider uses, the path of its address and the header for its key, as
 * constant data. No request is built or sent here.
 */
#ifndef ELELEM_PROVIDER_H
#define ELELEM_PROVIDER_H

#include "shape.h"
#include "shape_chat.h"
#include "shape_responses.h"
#include "shape_messages.h"
#include "shape_gemini.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All texts are constant and never null. */
typedef struct elelem_provider {
    const char *name;          /* in lower case, such as "openrouter" */
    const elelem_shape *shape; /* null if that shape is left out */
    const char *path;          /* on the provider's host; replace {model} by the model's name */
    const char *key_header;    /* the header for the key, such as "authorization" */
    const char *key_prefix;    /* comes before the key in that header, such as "Bearer "; may be empty */
    const char *other_header;  /* another header that is required, and its value; else empty */
    const char *other_value;
} elelem_provider;

/* Returns the provider with this name; null if the name is unknown or null. Names:
   anthropic, azure, cerebras, deepseek, fireworks, google, groq, litellm, llamacpp,
   mistral, ollama, openai, openai-chat, openrouter, openrouter-responses, perplexity,
   together, vercel, vllm, writer, xai. */
ELELEM_API const elelem_provider *elelem_provider_find(const char *name);

/* Returns the shape of the provider with this name, or the shape with this name ("chat",
   "responses", "messages", "gemini"); null if the name is unknown or null, or the shape is left
   out. */
ELELEM_API const elelem_shape *elelem_shape_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
