/* >> provider
 *
 * Which wire shape a provider uses, the path of its address, the header for its key and what it
 * wants in a request that others do not, as constant data. No request is built or sent here.
 */
#ifndef ELELEM_PROVIDER_H
#define ELELEM_PROVIDER_H

#include "shape.h"
#include "shape_chat.h"
#include "shape_responses.h"
#include "shape_messages.h"
#include "shape_gemini.h"
#include "shape_interactions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the reasoning of earlier messages goes back in a request. */
typedef enum elelem_reasoning_member {
    ELELEM_REASONING_LEFT_OUT,
    ELELEM_REASONING_CONTENT, /* "reasoning_content" */
    ELELEM_REASONING_REQUIRED, /* the same, and empty if there is none: messages without it are refused */
    ELELEM_REASONING_TEXT,    /* "reasoning" */
    ELELEM_REASONING_DETAILS, /* "reasoning", and "reasoning_details" with signatures */
    ELELEM_REASONING_PARTS,   /* parts of the type "thinking" in the content */
    ELELEM_REASONING_TAGS     /* between <think> and </think> at the start of the content */
} elelem_reasoning_member;

/* How the effort of reasoning is asked for. */
typedef enum elelem_effort_member {
    ELELEM_EFFORT_WORD,    /* "reasoning_effort" */
    ELELEM_EFFORT_OBJECT,  /* "reasoning":{"effort","max_tokens"} */
    ELELEM_EFFORT_LEFT_OUT
} elelem_effort_member;

/* What an assistant message without text has as its content if it has calls. */
typedef enum elelem_no_content {
    ELELEM_NO_CONTENT_NULL,
    ELELEM_NO_CONTENT_LEFT_OUT,
    ELELEM_NO_CONTENT_EMPTY /* "" */
} elelem_no_content;

/* What a provider of the chat shape wants in a request that others do not. Lists of models are the starts of
   their names, with blanks between them; what begins with a start that has ! before it, and is before the others, is not
   in the list. All texts are constant and never null. */
typedef struct elelem_dialect {
    const char *max_tokens;     /* the member for the limit of the response */
    const char *role;           /* of the instructions: "system" or "developer" */
    const char *required;       /* tool_choice for some call: "required" or "any" */
    const char *seed;           /* the member for the seed */
    const char *fixed_sampling; /* models that refuse temperature and top_p */
    const char *fixed_stops;    /* models that refuse stop */
    const char *tagged;         /* models whose reasoning goes back as ELELEM_REASONING_TAGS */
    const char *no_effort;      /* models that refuse an effort */
    const char *no_effort_with_tools; /* models that refuse an effort together with tools */
    const char *none_with_tools; /* models that refuse tools without the effort "none" */
    const char *no_forced_call; /* models that refuse a tool choice for some call or a named one */
    const char *no_one_call;    /* models that refuse parallel_tool_calls */
    uint8_t reasoning;          /* an elelem_reasoning_member */
    uint8_t effort;             /* an elelem_effort_member */
    uint8_t no_content;         /* an elelem_no_content */
    uint8_t id_letters;         /* nonzero: ids of calls are so many letters and digits */
    uint8_t max_stops;          /* nonzero: so many stop sequences are taken */
    uint8_t stream_usage;       /* nonzero: usage comes only if stream_options asks for it */
    uint8_t no_parallel;        /* nonzero: no parallel_tool_calls */
    uint8_t no_named_choice;    /* nonzero: a named choice is that tool alone and some call */
    uint8_t no_schema;          /* nonzero: JSON, but no schema of it: it goes into the instructions */
    uint8_t no_strict_tools;
    uint8_t takes_top_k;
    uint8_t takes_extra_content; /* nonzero: the extra_content of calls goes back (signatures of Gemini) */
    uint8_t prefix;             /* nonzero: an assistant message at the end needs "prefix":true */
    uint8_t takes_images;       /* nonzero: images that the model made go back in "images" */
    uint8_t takes_audio;        /* nonzero: what the model spoke goes back in "audio" by its id */
    uint8_t takes_custom;       /* nonzero: custom calls go back as such; else as functions */
} elelem_dialect;

/* All texts are constant and never null. */
typedef struct elelem_provider {
    const char *name;          /* in lower case, such as "openrouter" */
    const elelem_shape *shape; /* null if that shape is left out */
    const char *path;          /* on the provider's host; replace {model} by the model's name, and at Vertex, {project} and
                                  {location} by those of the caller's account */
    const char *whole_path;    /* the same if the response is not streamed */
    const char *key_header;    /* the header for the key, such as "authorization" */
    const char *key_prefix;    /* comes before the key in that header, such as "Bearer "; may be empty */
    const char *other_header;  /* another header that is required, and its value; else empty */
    const char *other_value;
    const elelem_dialect *dialect; /* of the chat shape; null for other shapes */
} elelem_provider;

/* Returns the provider with this name; null if the name is unknown or null. Names:
   anthropic, azure, cerebras, deepseek, fireworks, google, google-interactions, groq, litellm, llamacpp,
   mistral, moonshot, ollama, openai, openai-chat, openrouter, openrouter-responses, perplexity,
   snowflake, together, vercel, vertex-interactions, vllm, writer, xai, zai. */
ELELEM_API const elelem_provider *elelem_provider_find(const char *name);

/* Returns how requests of the chat shape to this provider are written; for null, and for a provider of another
   shape, what most servers take. Never null. */
ELELEM_API const elelem_dialect *elelem_provider_dialect(const elelem_provider *provider);

/* Returns the shape of the provider with this name, or the shape with this name ("chat",
   "responses", "messages", "gemini", "interactions"); null if the name is unknown or null, or the shape is left
   out. */
ELELEM_API const elelem_shape *elelem_shape_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
