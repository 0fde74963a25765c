/* >> provider
 *
 * Which wire shape a provider speaks, where it listens and how it wants its key, as data
 * to read. No request is built or sent here.
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
    const char *name;         /* lower case, as in "openrouter" */
    const elelem_shape *shape; /* null where that shape is left out */
    const char *path;         /* on the provider's host; {model} stands for the model's name */
    const char *key_header;   /* the header that carries the key, as in "authorization" */
    const char *key_prefix;   /* what stands before the key in it, as in "Bearer " */
    const char *other_header; /* a header that has to be there too, and its value; else empty */
    const char *other_value;
} elelem_provider;

/* What is known of the provider of this name; null for one that is not known. Names:
   anthropic, azure, cerebras, deepseek, fireworks, google, groq, litellm, llamacpp,
   mistral, ollama, openai, openai-chat, openrouter, openrouter-responses, perplexity,
   together, vercel, vllm, writer, xai. */
ELELEM_API const elelem_provider *elelem_provider_find(const char *name);

/* The shape of a provider, or of its own name ("chat", "responses", "messages", "gemini");
   null for a name that is not known or a shape that is left out. */
ELELEM_API const elelem_shape *elelem_shape_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
