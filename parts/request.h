/* >> request
 *
 * What a request to a model says, the same for all shapes, and what the writers of the shapes share.
 * elelem_request_write (room request_write) makes the body of it.
 */
#ifndef ELELEM_REQUEST_H
#define ELELEM_REQUEST_H

#include "provider.h"
#include "talk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tool that the model may call. */
typedef struct elelem_tool {
    elelem_str name;        /* letters, digits, _ and -, at most 64; for Gemini, first a letter or _ */
    elelem_str description; /* may be empty */
    elelem_str parameters;  /* a JSON schema of an object; empty: no parameters */
    uint8_t strict;         /* nonzero: the arguments must match the schema, if the shape has a member for that */
} elelem_tool;

typedef enum elelem_tool_choice {
    ELELEM_TOOL_CHOICE_AUTO,
    ELELEM_TOOL_CHOICE_NONE,
    ELELEM_TOOL_CHOICE_REQUIRED, /* some call */
    ELELEM_TOOL_CHOICE_NAMED     /* a call of tool_choice_name */
} elelem_tool_choice;

/* What to write. Zeroes leave a member out. A member that a provider does not have, or that its model refuses, is left
   out there, and elelem_request_write says so.
   Slices are read during the call only. Numbers are JSON text, so that 0 is not "unset" and no digit
   changes. */
typedef struct elelem_request {
    const elelem_shape *shape;       /* null: that of the provider */
    const elelem_provider *provider; /* for its dialect and shape; may be null */
    elelem_str model;
    elelem_str instructions;
    elelem_str history;              /* lines, see talk */
    const elelem_tool *tools;
    size_t tool_count;
    uint8_t tool_choice;             /* an elelem_tool_choice; without tools it is checked only */
    uint8_t one_call;                /* nonzero: no parallel calls */
    uint8_t whole;                   /* nonzero: the response is not streamed */
    uint8_t schema_strict;           /* nonzero: the response must match the schema exactly */
    uint8_t show_reasoning;          /* nonzero: the reasoning or its summary is to come; `summary` implies it */
    elelem_str tool_choice_name;
    int64_t max_tokens;              /* of the response; Messages requires one: 4096 there, and 16000 for
                                        models that decide how much to reason */
    int64_t reasoning_tokens;        /* a budget, for shapes that have one */
    elelem_str effort;               /* of reasoning, the provider's word: "low", "high" */
    elelem_str summary;              /* of reasoning, the provider's word: "auto", "detailed" */
    elelem_str temperature;
    elelem_str top_p;
    elelem_str top_k;
    elelem_str seed;
    const elelem_str *stops;         /* stop sequences */
    size_t stop_count;
    elelem_str schema;               /* the response is JSON of this schema; "true": any JSON object */
    elelem_str schema_name;          /* empty: "response" */
    elelem_str schema_description;
    elelem_str extra;                /* the caller's own members of the body, as JSON: "\"store\":true,\"user\":\"u1\"".
                                        They replace members of the same name */
    elelem_str extra_config;         /* Gemini, Interactions: the same for generationConfig */
} elelem_request;

#ifdef __cplusplus
}
#endif

#endif
