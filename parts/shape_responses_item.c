#ifndef ELS_SHAPE_RESPONSES_ITEM_C
#define ELS_SHAPE_RESPONSES_ITEM_C
#include "shape_responses_item.h"
#include "base.c"

/* >> shape_responses_item */

#ifndef ELELEM_NO_RESPONSES

/* What is read of an output item; N begins the names of the rows. If provider items are wanted, all of it is. */
#define ELS_RESPONSES_ITEM_PATHS(P, MEMBER, ELEMENTS, N, PARENT)             \
    MEMBER(P, N##TYPE, PARENT, "type", WHOLE)                                \
    MEMBER(P, N##ID, PARENT, "id", WHOLE)                                    \
    MEMBER(P, N##STATUS, PARENT, "status", WHOLE)                            \
    MEMBER(P, N##PHASE, PARENT, "phase", WHOLE)                              \
    MEMBER(P, N##CALL_ID, PARENT, "call_id", WHOLE)                          \
    MEMBER(P, N##NAME, PARENT, "name", WHOLE)                                \
    MEMBER(P, N##NAMESPACE, PARENT, "namespace", WHOLE)                      \
    MEMBER(P, N##CALLER, PARENT, "caller", WHOLE)                            \
    MEMBER(P, N##ARGUMENTS, PARENT, "arguments", WHOLE)                      \
    MEMBER(P, N##INPUT, PARENT, "input", WHOLE)                              \
    MEMBER(P, N##ENCRYPTED, PARENT, "encrypted_content", WHOLE)              \
    MEMBER(P, N##ACTION, PARENT, "action", WHOLE)                            \
    MEMBER(P, N##ACTIONS, PARENT, "actions", WHOLE)                          \
    MEMBER(P, N##CHECKS, PARENT, "pending_safety_checks", WHOLE)             \
    MEMBER(P, N##OPERATION, PARENT, "operation", WHOLE)                      \
    MEMBER(P, N##ENVIRONMENT, PARENT, "environment", WHOLE)                  \
    MEMBER(P, N##EXECUTION, PARENT, "execution", WHOLE)                      \
    MEMBER(P, N##SERVER, PARENT, "server_label", WHOLE)                      \
    MEMBER(P, N##SUMMARY, PARENT, "summary", NOTHING)                        \
    MEMBER(P, N##CONTENT, PARENT, "content", NOTHING)                        \
    ELEMENTS(P, N##SUMMARY_PART, N##SUMMARY, NOTHING)                        \
    MEMBER(P, N##SUMMARY_TEXT, N##SUMMARY_PART, "text", WHOLE)               \
    ELEMENTS(P, N##CONTENT_PART, N##CONTENT, NOTHING)                        \
    MEMBER(P, N##CONTENT_TYPE, N##CONTENT_PART, "type", WHOLE)               \
    MEMBER(P, N##CONTENT_TEXT, N##CONTENT_PART, "text", WHOLE)               \
    MEMBER(P, N##CONTENT_REFUSAL, N##CONTENT_PART, "refusal", WHOLE)         \
    MEMBER(P, N##CONTENT_ANNOTATIONS, N##CONTENT_PART, "annotations", WHOLE)

/* A frame: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"..."}
   The last one repeats the whole response, of which the output is read only if some of it may not have been streamed. If
   provider items are not wanted, the rows from OUTPUT_ITEM on are left off then. LATER is what only they want. MORE: the
   same, of members that may be null. Much of the request, which the response repeats, is skipped. */
#define ELS_RESPONSES_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, LATER, MORE)\
    MEMBER(P, TYPE, ROOT, "type", WHOLE)                               \
    MEMBER(P, OUTPUT_INDEX, ROOT, "output_index", WHOLE)               \
    MEMBER(P, CONTENT_INDEX, ROOT, "content_index", WHOLE)             \
    MEMBER(P, SUMMARY_INDEX, ROOT, "summary_index", WHOLE)             \
    MEMBER(P, COMMAND_INDEX, ROOT, "command_index", WHOLE)             \
    MEMBER(P, ITEM_ID, ROOT, "item_id", WHOLE)                         \
    MEMBER(P, DELTA, ROOT, "delta", WHOLE)                             \
    MEMBER(P, WHOLE_TEXT, ROOT, "text", WHOLE)                         \
    MEMBER(P, WHOLE_REFUSAL, ROOT, "refusal", WHOLE)                   \
    MEMBER(P, WHOLE_ARGUMENTS, ROOT, "arguments", WHOLE)               \
    MEMBER(P, WHOLE_INPUT, ROOT, "input", WHOLE)                       \
    MEMBER(P, WHOLE_COMMAND, ROOT, "command", WHOLE)                   \
    MEMBER(P, ANNOTATION, ROOT, "annotation", WHOLE)                   \
    MEMBER(P, SEQUENCE, ROOT, "sequence_number", LATER)                \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                             \
    MEMBER(P, MESSAGE, ROOT, "message", WHOLE)                         \
    MEMBER(P, CODE, ROOT, "code", WHOLE)                               \
    MEMBER(P, OBJECT, ROOT, "object", WHOLE)                           \
    MEMBER(P, COPILOT, ROOT, "copilot_usage", MORE)                    \
    MEMBER(P, PART, ROOT, "part", NOTHING)                             \
    MEMBER(P, ITEM, ROOT, "item", LATER)                               \
    MEMBER(P, RESPONSE, ROOT, "response", NOTHING)                     \
    MEMBER(P, PART_TYPE, PART, "type", WHOLE)                          \
    MEMBER(P, PART_TEXT, PART, "text", WHOLE)                          \
    MEMBER(P, PART_REFUSAL, PART, "refusal", WHOLE)                    \
    ELS_RESPONSES_ITEM_PATHS(P, MEMBER, ELEMENTS, ENTRY_, ITEM)        \
    MEMBER(P, ID, RESPONSE, "id", MORE)                                \
    MEMBER(P, MODEL, RESPONSE, "model", MORE)                          \
    MEMBER(P, CREATED, RESPONSE, "created_at", MORE)                   \
    MEMBER(P, COMPLETED, RESPONSE, "completed_at", MORE)               \
    MEMBER(P, TIER, RESPONSE, "service_tier", MORE)                    \
    MEMBER(P, CONVERSATION, RESPONSE, "conversation", MORE)            \
    MEMBER(P, TOOL_USAGE, RESPONSE, "tool_usage", MORE)                \
    MEMBER(P, MODERATION, RESPONSE, "moderation", MORE)                \
    MEMBER(P, FILTERS, RESPONSE, "content_filters", MORE)              \
    MEMBER(P, CACHE, RESPONSE, "prompt_cache_diagnostics", MORE)       \
    MEMBER(P, STATUS, RESPONSE, "status", WHOLE)                       \
    MEMBER(P, INCOMPLETE, RESPONSE, "incomplete_details", LATER)       \
    MEMBER(P, RESPONSE_ERROR, RESPONSE, "error", WHOLE)                \
    MEMBER(P, USAGE, RESPONSE, "usage", WHOLE)                         \
    MEMBER(P, TOOLS, RESPONSE, "tools", NOTHING)                       \
    MEMBER(P, OUTPUT, RESPONSE, "output", NOTHING)                     \
    MEMBER(P, INSTRUCTIONS, RESPONSE, "instructions", SKIP)            \
    MEMBER(P, PROMPT, RESPONSE, "prompt", SKIP)                        \
    MEMBER(P, FORMAT, RESPONSE, "text", SKIP)                          \
    MEMBER(P, TOOL_CHOICE, RESPONSE, "tool_choice", SKIP)              \
    MEMBER(P, REASONING, RESPONSE, "reasoning", SKIP)                  \
    MEMBER(P, TEMPERATURE, RESPONSE, "temperature", SKIP)              \
    MEMBER(P, TOP_P, RESPONSE, "top_p", SKIP)                          \
    MEMBER(P, TRUNCATION, RESPONSE, "truncation", SKIP)                \
    MEMBER(P, STORE, RESPONSE, "store", SKIP)                          \
    MEMBER(P, PARALLEL, RESPONSE, "parallel_tool_calls", SKIP)         \
    REST(P, RESPONSE_REST, RESPONSE, MORE)                             \
    MEMBER(P, REASON, INCOMPLETE, "reason", WHOLE)                     \
    ELEMENTS(P, TOOL, TOOLS, NOTHING)                                  \
    MEMBER(P, TOOL_TYPE, TOOL, "type", WHOLE)                          \
    MEMBER(P, TOOL_NAME, TOOL, "name", WHOLE)                          \
    ELEMENTS(P, OUTPUT_ITEM, OUTPUT, LATER)                            \
    ELS_RESPONSES_ITEM_PATHS(P, MEMBER, ELEMENTS, OUTPUT_ITEM_, OUTPUT_ITEM)

#define ELS_RESPONSES_PATHS(P, MEMBER, ELEMENTS, REST) ELS_RESPONSES_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, NOTHING, SKIP)
#define ELS_RESPONSES_ALL_PATHS(P, MEMBER, ELEMENTS, REST) ELS_RESPONSES_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, WHOLE, SOME)

ELELEM_SHAPE_PATHS_WITH_REST(ELS_RESPONSES_PATHS, ELS_RESPONSES_, els_responses_paths);
ELELEM_SHAPE_MORE_PATHS_WITH_REST(ELS_RESPONSES_ALL_PATHS, ELS_RESPONSES_, els_responses_all_paths);

/* The texts a frame can speak of. */
typedef enum els_responses_text {
    ELS_RESPONSES_TEXT,
    ELS_RESPONSES_REFUSAL,
    ELS_RESPONSES_SUMMARY,
    ELS_RESPONSES_RAW,
    ELS_RESPONSES_ARGUMENTS,
    ELS_RESPONSES_INPUT,
    ELS_RESPONSES_ACTION,   /* of a call that is no function: what is to be done */
    ELS_RESPONSES_PROVIDER, /* of a provider item: its caption */
    ELS_RESPONSES_NONE
} els_responses_text;

/* The member that holds one whole, and the slot of what an output item has of it. */
typedef struct els_responses_names {
    const char *whole;
    uint8_t entry;
} els_responses_names;

static const els_responses_names els_responses_members[] = {
    { "text", ELS_RESPONSES_ENTRY_CONTENT },
    { "refusal", ELS_RESPONSES_ENTRY_CONTENT },
    { "text", ELS_RESPONSES_ENTRY_SUMMARY },
    { "text", ELS_RESPONSES_ENTRY_CONTENT },
    { "arguments", ELS_RESPONSES_ENTRY_ARGUMENTS },
    { "input", ELS_RESPONSES_ENTRY_INPUT },
    { "command", ELS_RESPONSES_ENTRY_ACTION },
    { "command", ELS_RESPONSES_ENTRY_ACTION },
};

/* The types of items that are no provider items. */
typedef struct els_responses_type {
    const char *word;
    uint8_t what;     /* an els_responses_text */
    const char *name; /* of the tool, for calls of which the wire gives none */
} els_responses_type;

enum {
    ELS_RESPONSES_FUNCTION = 2,
    ELS_RESPONSES_CUSTOM,
    ELS_RESPONSES_APPROVAL,
    ELS_RESPONSES_TOOL_SEARCH,
    ELS_RESPONSES_SHELL,
    ELS_RESPONSES_PATCH
};

static const els_responses_type els_responses_types[] = {
    { "message", ELS_RESPONSES_TEXT, NULL },
    { "reasoning", ELS_RESPONSES_SUMMARY, NULL },
    { "function_call", ELS_RESPONSES_ARGUMENTS, NULL },
    { "custom_tool_call", ELS_RESPONSES_INPUT, NULL },
    { "mcp_approval_request", ELS_RESPONSES_ARGUMENTS, NULL },
    { "tool_search_call", ELS_RESPONSES_ARGUMENTS, "tool_search" },
    { "shell_call", ELS_RESPONSES_ACTION, "shell" },
    { "apply_patch_call", ELS_RESPONSES_ACTION, "apply_patch" },
    { "local_shell_call", ELS_RESPONSES_ACTION, "local_shell" },
    { "computer_call", ELS_RESPONSES_ACTION, "computer" },
};

/* The row of a type; ELS_COUNT(els_responses_types) for that of a provider item. */
ELS_PRIVATE uint8_t els_responses_type_of(elelem_str type)
{
    uint8_t i = type.size > 0 ? 0 : ELS_COUNT(els_responses_types);

    while (i < ELS_COUNT(els_responses_types) && !elelem_str_is(type, els_responses_types[i].word))
        i++;
    return i;
}

/* State of an item. */
typedef struct els_responses_own {
    uint64_t name;        /* a hash of the wire's id for it; 0 for none */
    uint64_t said_hash;   /* of the newest part's text, as much of it as was emitted */
    uint64_t said_size;
    uint64_t bytes;       /* of all text that was emitted */
    uint32_t said_part;   /* the number of that part */
    uint32_t annotations; /* emitted so far */
    uint32_t logprobs;    /* likewise */
    uint32_t called;      /* of a call: a hash of its name; 0 for none yet */
    uint8_t type;         /* of a call: its row of els_responses_types */
    uint8_t is_named;     /* of a call: its name was emitted */
    uint8_t is_given;     /* of a provider item: its JSON was emitted */
    uint8_t is_refusal;
    uint8_t is_custom;
    uint8_t is_raw;
    uint8_t had_summary;
    uint8_t is_quoted;    /* the string of a custom tool call's input is open */
    uint8_t had_text;
    uint8_t is_introduced; /* the metadata of its first part was emitted */
    uint8_t had_caller;   /* namespace and caller were emitted */
    uint8_t had_id;       /* its id was emitted: that of `name` */
    uint8_t is_ahead;     /* of a call: what it had when it was added was emitted, and a delta may repeat it */
} els_responses_own;

/* An item that was closed: its id, its number, and hashes of what it held and of the text, or the arguments, that it ended with. */
typedef struct els_responses_closed {
    uint64_t name; /* of a call: of its call_id */
    uint64_t item; /* the id that it has as an item */
    uint64_t contents;
    uint64_t said; /* 0: it had no text */
    uint32_t key;
    uint32_t listed; /* 1 + the place in the last frame's list of the item that it is; 0 for none */
} els_responses_closed;

#define ELS_RESPONSES_CLOSED 16

/* Numbers of output items, from 0, of which is known whether they were streamed. */
#define ELS_RESPONSES_SEEN 256u

/* State of the stream. */
typedef struct els_responses_stream {
    els_responses_closed closed[ELS_RESPONSES_CLOSED]; /* the last ones, whose end may be repeated */
    uint32_t seen[ELS_RESPONSES_SEEN / 32]; /* bits of the numbers of output items that were streamed */
    uint64_t id;           /* hashes of what was emitted of the response */
    uint64_t model;
    uint64_t tier;
    uint64_t rest;         /* of the members that no row names */
    uint32_t status;       /* likewise */
    uint32_t closed_next;  /* where the next goes */
    uint32_t announced;    /* 1 + the number of the item of which a part was announced last; 0 for none */
    uint32_t announced_part; /* the number of that part */
    uint32_t passed;       /* 1 + the index of the item that passed in this frame; 0 for none */
    elelem_value listed;   /* of this frame's list: the first item that is not worked off; or none */
    uint32_t listed_kinds; /* if is_listing: kinds of items that were streamed before the last frame */
    uint8_t type;          /* the row of the type of the output item that was looked at last */
    uint8_t is_listing;
    uint8_t is_looked_at;  /* the members of this frame were looked up when a value of it began to pass */
    uint8_t event;         /* if is_looked_at: 1 + the row of its event; 0: none */
    uint8_t is_misnumbered; /* numbers of output items say nothing: some were missing, or came twice */
    uint8_t has_seen_more;  /* items with other numbers than these 256 were streamed */
    uint8_t is_described;  /* what is known of the response was emitted */
    uint8_t is_refused;    /* it had refusal text */
    uint8_t has_own_customs; /* custom tool calls are the provider's own */
    uint8_t has_parallel;  /* the caller has a function of the name "parallel" */
    uint8_t has_tools;     /* the tools of the request came */
    uint8_t is_begun;      /* a whole response: what came before its list was looked at */
    uint8_t is_held;       /* a whole response: its list is worked on when all is there */
} els_responses_stream;

ELS_PRIVATE els_responses_own *els_responses_state(const elelem_shape_item *item)
{
    return (els_responses_own *)elelem_shape_item_state(item);
}

ELS_PRIVATE els_responses_stream *els_responses_stream_of(const elelem_shape_context *c)
{
    return (els_responses_stream *)elelem_shape_stream_state(c);
}

/* Raw text comes after the summary, in the numbers that are given to an item's parts. */
#define ELS_RESPONSES_RAW_PART 0x80000000u

#define ELS_RESPONSES_NO_KEY 0xffffffffu
#define ELS_RESPONSES_AUDIO_KEY 0xfffffffeu /* of audio, which is no output item */

/* The place that a frame names: by the number of the output item, else by its id. The number is
   believed first, because some providers give an item a new id in every frame. */
typedef struct els_responses_place {
    elelem_str id;
    uint64_t name; /* a hash of the id, or of the call's if the item has none; 0 if there is neither */
    uint32_t key;
    uint32_t part; /* of a message: the number of its part, ELS_RESPONSES_NO_KEY if there is none */
    elelem_value entry; /* the output item itself, if it is there */
    int is_added;  /* it is as it was added */
} els_responses_place;

ELS_PRIVATE elelem_str els_responses_text_at(const elelem_shape_context *c, unsigned slot)
{
    return elelem_shape_string(elelem_shape_field(c, slot));
}

ELS_PRIVATE uint64_t els_responses_name(elelem_str id)
{
    return id.size > 0 ? elelem_shape_hash(id) | 1 : 0;
}

/* Looks an output item up in the rows of a frame's item, also one of the last frame's list. */
ELS_APART void els_responses_look_at_item(elelem_shape_context *c, elelem_value item, int is_listed)
{
    elelem_shape_fields_find(c, item, is_listed ? ELS_RESPONSES_OUTPUT_ITEM_TYPE : ELS_RESPONSES_ENTRY_TYPE,
                             is_listed ? ELS_RESPONSES_OUTPUT_ITEM_CONTENT : ELS_RESPONSES_ENTRY_CONTENT,
                             ELS_RESPONSES_ENTRY_TYPE);
    els_responses_stream_of(c)->type = els_responses_type_of(els_responses_text_at(c, ELS_RESPONSES_ENTRY_TYPE));
}

/* llama.cpp gives calls only the id of the call, which their deltas have as that of the item. */
ELS_PRIVATE uint64_t els_responses_name_of(const elelem_shape_context *c, elelem_str id)
{
    return els_responses_name(id.size > 0 ? id : els_responses_text_at(c, ELS_RESPONSES_ENTRY_CALL_ID));
}

/* The number of the part that a frame is about; ELS_RESPONSES_NO_KEY for none. If parts of the item were announced, no other begins
   without that: vLLM counted on with each delta. */
ELS_PRIVATE uint32_t els_responses_part_at(const elelem_shape_context *c, uint32_t key)
{
    const els_responses_stream *stream = els_responses_stream_of(c);
    uint32_t part = elelem_shape_number_or(elelem_shape_field(c, ELS_RESPONSES_CONTENT_INDEX), ELS_RESPONSES_NO_KEY);

    if (part == ELS_RESPONSES_NO_KEY || !stream->announced || stream->announced != key + 1) return part;
    return part < stream->announced_part ? part : stream->announced_part;
}

/* The place of a frame. Its output item's own id counts before the one that the frame names. */
ELS_APART void els_responses_place_of(const elelem_shape_context *c, els_responses_place *place)
{
    place->id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);
    if (place->id.size == 0) place->id = els_responses_text_at(c, ELS_RESPONSES_ITEM_ID);
    place->name = els_responses_name_of(c, place->id);
    place->key = elelem_shape_number_or(elelem_shape_field(c, ELS_RESPONSES_OUTPUT_INDEX), ELS_RESPONSES_NO_KEY);
    place->part = els_responses_part_at(c, place->key);
    place->entry = elelem_shape_field(c, ELS_RESPONSES_ITEM);
    place->is_added = 0;
}

/* Nonzero if an output item of this number was streamed; of those from ELS_RESPONSES_SEEN on, if any was. */
ELS_PRIVATE int els_responses_is_seen(const elelem_shape_context *c, uint32_t key)
{
    const els_responses_stream *stream = els_responses_stream_of(c);

    if (key >= ELS_RESPONSES_SEEN) return stream->has_seen_more;
    return (int)(stream->seen[key / 32] >> key % 32 & 1);
}

/* Nonzero if an item of this number and id was closed. */
ELS_PRIVATE int els_responses_is_over(const elelem_shape_context *c, const els_responses_place *place)
{
    const els_responses_closed *closed = els_responses_stream_of(c)->closed;
    unsigned i = 0;

    while (i < ELS_RESPONSES_CLOSED && (closed[i].item != place->name || closed[i].key != place->key))
        i++;
    return place->name && i < ELS_RESPONSES_CLOSED;
}

/* Nonzero if a closed item may be the one with this place, counted from 1, in the last frame's list: it is no other one of it. */
ELS_PRIVATE int els_responses_is_free(const els_responses_closed *closed, uint32_t listed)
{
    return !closed->listed || closed->listed == listed;
}

/* Nonzero if a closed item shares the id of an open one (xAI), has a lower number, and may be the one with this place in the
   list: then it is. */
ELS_PRIVATE int els_responses_is_after(const elelem_shape_context *c, const elelem_shape_item *item, uint32_t listed)
{
    const els_responses_closed *closed = els_responses_stream_of(c)->closed;
    unsigned i;

    for (i = 0; i < ELS_RESPONSES_CLOSED; i++) {
        if (closed[i].item != els_responses_state(item)->name || closed[i].key >= item->key) continue;
        if (els_responses_is_free(&closed[i], listed)) return 1;
    }
    return 0;
}

/* The number of an item in the last frame's list: that of the open item of its id, else its place there. */
ELS_PRIVATE uint32_t els_responses_listed_key(const elelem_shape_context *c, elelem_value listed, uint64_t name)
{
    uint32_t key = (uint32_t)elelem_value_index(listed);
    const elelem_shape_item *item = name ? elelem_shape_item_oldest(c) : NULL;

    while (item && els_responses_state(item)->name != name)
        item = elelem_shape_item_newer(c, item);
    return item && !els_responses_is_after(c, item, key + 1) ? item->key : key;
}

/* The place of an item in the last frame's list, which was looked at. */
ELS_APART void els_responses_listed_place(const elelem_shape_context *c, elelem_value listed, els_responses_place *place)
{
    place->id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);
    place->name = els_responses_name_of(c, place->id);
    place->key = els_responses_listed_key(c, listed, place->name);
    place->part = ELS_RESPONSES_NO_KEY;
    place->entry = listed;
    place->is_added = 0;
}

/* Items. */

/* The phase in the frame's own item. */
ELS_PRIVATE elelem_str els_responses_phase(const elelem_shape_context *c)
{
    return els_responses_text_at(c, ELS_RESPONSES_ENTRY_PHASE);
}

/* Commentary is text, also in a response that is JSON. */
ELS_PRIVATE elelem_part_kind els_responses_kind(const elelem_shape_context *c, els_responses_text what)
{
    switch (what) {
    case ELS_RESPONSES_TEXT:
        return elelem_str_is(els_responses_phase(c), "commentary") ? ELELEM_PART_MESSAGE : elelem_shape_message_kind(c);
    case ELS_RESPONSES_REFUSAL: return ELELEM_PART_MESSAGE;
    case ELS_RESPONSES_SUMMARY:
    case ELS_RESPONSES_RAW: return ELELEM_PART_REASONING;
    case ELS_RESPONSES_PROVIDER: return ELELEM_PART_PROVIDER_ITEM;
    default: return ELELEM_PART_TOOL_CALL;
    }
}

/* Nonzero if the item may have such text. A message that said nothing yet can become a refusal. */
ELS_PRIVATE int els_responses_is(const elelem_shape_item *item, els_responses_text what)
{
    const els_responses_own *own = els_responses_state(item);
    int is_message = item->kind == ELELEM_PART_MESSAGE || item->kind == ELELEM_PART_STRUCTURED;

    if (item->waits) return 0;
    switch (what) {
    case ELS_RESPONSES_TEXT: return is_message && !own->is_refusal;
    case ELS_RESPONSES_REFUSAL: return is_message && (own->is_refusal || !item->had_part);
    case ELS_RESPONSES_SUMMARY:
    case ELS_RESPONSES_RAW: return item->kind == ELELEM_PART_REASONING;
    case ELS_RESPONSES_PROVIDER: return item->kind == ELELEM_PART_PROVIDER_ITEM && item->key != ELS_RESPONSES_AUDIO_KEY;
    default: return item->kind == ELELEM_PART_TOOL_CALL;
    }
}

/* Nonzero if what the frame says is of another item under the same number: another part of a message, or a provider item of
   another type, which is kept. */
ELS_PRIVATE int els_responses_is_another(const elelem_shape_context *c, const elelem_shape_item *item, const els_responses_place *place)
{
    const els_responses_own *own = els_responses_state(item);
    elelem_str type = els_responses_text_at(c, ELS_RESPONSES_ENTRY_TYPE);

    if (item->kind == ELELEM_PART_MESSAGE || item->kind == ELELEM_PART_STRUCTURED)
        return place->part != ELS_RESPONSES_NO_KEY && own->had_text && own->said_part != place->part;
    if (item->kind != ELELEM_PART_PROVIDER_ITEM || type.size == 0) return 0;
    return !elelem_str_equal(type, elelem_shape_kept(c, item));
}

/* A message's entry is about its text and its refusals. */
ELS_PRIVATE int els_responses_fits(const elelem_shape_item *item, els_responses_text what)
{
    return els_responses_is(item, what) || (what == ELS_RESPONSES_TEXT && els_responses_is(item, ELS_RESPONSES_REFUSAL));
}

/* The open item at a place; without a number the one of that id, else the newest of its kind. An item that was
   added without a number and has no text yet may be the one of any number. */
ELS_PRIVATE elelem_shape_item *els_responses_find(const elelem_shape_context *c, els_responses_text what,
                                    const els_responses_place *place)
{
    elelem_shape_item *newest = NULL, *named = NULL;
    elelem_shape_item *item = elelem_shape_item_newest(c);

    for (; item; item = elelem_shape_item_older(c, item)) {
        if (!els_responses_is(item, what) || els_responses_is_another(c, item, place)) continue;
        if (place->key != ELS_RESPONSES_NO_KEY) {
            if (item->key == place->key) return item;
            if (item->key != ELS_RESPONSES_NO_KEY) continue;
        }
        if (!newest && !(place->key != ELS_RESPONSES_NO_KEY && els_responses_state(item)->had_text)) newest = item;
        if (!named && place->name && els_responses_state(item)->name == place->name) named = item;
    }
    return named ? named : newest;
}

/* Nonzero if the item is of the message at the place: that of its number, else of its id, else the one that has neither. */
ELS_PRIVATE int els_responses_is_of(const elelem_shape_item *item, const els_responses_place *place)
{
    if (place->key != ELS_RESPONSES_NO_KEY) return item->key == place->key;
    if (place->name) return els_responses_state(item)->name == place->name;
    return item->key == ELS_RESPONSES_NO_KEY && !els_responses_state(item)->name;
}

/* The open item of which this is another part. */
ELS_PRIVATE elelem_shape_item *els_responses_of_message(const elelem_shape_context *c, const els_responses_place *place)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item)) {
        if (els_responses_fits(item, ELS_RESPONSES_TEXT) && els_responses_is_of(item, place)) return item;
    }
    return NULL;
}

/* Nonzero if the provider ran what such an item is about. */
ELS_PRIVATE int els_responses_is_hosted(elelem_str type)
{
    static const char *const types[] = { "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call",
                                         "mcp_list_tools",  "mcp_call",         "additional_tools",      "program",
                                         "compaction",      "multi_agent_call", "shell_call",            "tool_search_call",
                                         "custom_tool_call" };
    static const char output[] = "_output";
    size_t i;

    for (i = 0; i < ELS_COUNT(types); i++)
        if (elelem_str_is(type, types[i])) return 1;
    return type.size > sizeof output - 1 && memcmp(type.data + type.size - (sizeof output - 1), output, sizeof output - 1) == 0;
}

ELS_PRIVATE void els_responses_keep_type(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_str type = els_responses_text_at(c, ELS_RESPONSES_ENTRY_TYPE);

    item->hosted = (uint8_t)els_responses_is_hosted(type);
    elelem_shape_keep(c, item->index, type);
}

/* Opens an item. Another part of a commentary is commentary. */
ELS_PRIVATE elelem_shape_item *els_responses_open(elelem_shape_context *c, els_responses_text what, const els_responses_place *place)
{
    const elelem_shape_item *other = what == ELS_RESPONSES_TEXT ? els_responses_of_message(c, place) : NULL;
    int is_commentary = other && elelem_str_is(elelem_shape_kept(c, other), "commentary");
    elelem_part_kind kind = is_commentary ? ELELEM_PART_MESSAGE : els_responses_kind(c, what);
    elelem_shape_item *item = elelem_shape_item_at(c, elelem_shape_item_open(c, 0, kind, place->key));
    els_responses_own *own = item ? els_responses_state(item) : NULL;

    if (!item) return NULL;
    if (what == ELS_RESPONSES_PROVIDER) els_responses_keep_type(c, item);
    own->name = place->name;
    own->is_refusal = what == ELS_RESPONSES_REFUSAL;
    own->is_custom = what == ELS_RESPONSES_INPUT;
    own->type = els_responses_stream_of(c)->type;
    if (own->type == ELS_COUNT(els_responses_types)) own->type = own->is_custom ? ELS_RESPONSES_CUSTOM : ELS_RESPONSES_FUNCTION;
    return item;
}

ELS_PRIVATE void els_responses_true(elelem_shape_context *c, const char *key)
{
    elelem_shape_metadata_json(c, elelem_str_of(key), elelem_str_of("true"));
}

/* Nonzero if the item is a part of a message that is not its first. */
ELS_PRIVATE int els_responses_is_later_part(const elelem_shape_item *item)
{
    const els_responses_own *own = els_responses_state(item);

    return (item->kind == ELELEM_PART_MESSAGE || item->kind == ELELEM_PART_STRUCTURED) && own->said_part > 0;
}

ELS_PRIVATE void els_responses_number(elelem_shape_context *c, const char *key, uint64_t number)
{
    elelem_writer_uint64(elelem_shape_write(c), number);
    elelem_shape_metadata_written(c, elelem_str_of(key));
}

/* Metadata of the first part. The phase was kept when the item was added. */
ELS_APART void els_responses_introduce(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);

    if (own->is_introduced) return;
    own->is_introduced = 1;
    if (place->id.size > 0) {
        own->name = place->name;
        own->had_id = 1;
        elelem_shape_metadata_text(c, "item_id", place->id);
    }
    if (els_responses_is_later_part(item)) els_responses_number(c, "content_index", own->said_part);
    if (els_responses_phase(c).size == 0) elelem_shape_metadata_kept(c, item->index, "phase");
}

/* What made a call: programs of the model can call tools. */
ELS_APART void els_responses_caller(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);
    elelem_value name_space = elelem_shape_field(c, ELS_RESPONSES_ENTRY_NAMESPACE);
    elelem_value caller = elelem_shape_field(c, ELS_RESPONSES_ENTRY_CALLER);

    if (!elelem_shape_is_there(place->entry) || own->had_caller) return;
    own->had_caller = 1;
    if (elelem_shape_is_value(name_space)) elelem_shape_metadata_value(c, "namespace", name_space);
    if (elelem_shape_is_value(caller)) elelem_shape_metadata_value(c, "caller", caller);
}

/* Nonzero if this is the name of a call that holds several: `parallel` can also be a function of the caller's own. */
ELS_PRIVATE int els_responses_is_parallel(const elelem_shape_context *c, elelem_str name)
{
    if (elelem_str_is(name, "parallel")) return !els_responses_stream_of(c)->has_parallel;
    return elelem_str_is(name, "multi_tool_use.parallel");
}

/* The id that the result of a call names. */
ELS_PRIVATE elelem_str els_responses_call_id(const elelem_shape_context *c, const els_responses_own *own)
{
    return els_responses_text_at(c, own->type == ELS_RESPONSES_APPROVAL ? ELS_RESPONSES_ENTRY_ID : ELS_RESPONSES_ENTRY_CALL_ID);
}

/* Emits what is known of a call: at first in any case, later what is new. */
ELS_APART void els_responses_start(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);
    const els_responses_type *type = &els_responses_types[own->type];
    elelem_str word = own->type == ELS_RESPONSES_FUNCTION ? els_str(NULL, 0) : elelem_str_of(type->word);
    elelem_str name = els_responses_text_at(c, ELS_RESPONSES_ENTRY_NAME);

    if (!own->is_introduced) {
        els_responses_introduce(c, item, place);
        els_responses_caller(c, item, place);
    }
    if (name.size == 0 && type->name) name = elelem_str_of(type->name);
    if (!own->is_named && own->type == ELS_RESPONSES_FUNCTION && els_responses_is_parallel(c, name))
        els_responses_true(c, "parallel");
    own->is_named |= name.size > 0;
    if (name.size > 0) own->called = (uint32_t)els_responses_name(name);
    if (word.size > 0) elelem_shape_tool_start_typed(c, item->index, word, els_responses_call_id(c, own), name);
    else elelem_shape_tool_start(c, item->index, els_responses_call_id(c, own), name);
}

/* The item of a delta, which is opened if nothing announced it. */
ELS_PRIVATE elelem_shape_item *els_responses_item_of(elelem_shape_context *c, els_responses_text what,
                                       const els_responses_place *place)
{
    elelem_shape_item *item = els_responses_find(c, what, place);

    if (item && item->key == ELS_RESPONSES_NO_KEY) item->key = place->key;
    if (item) return item;
    item = els_responses_open(c, what, place);
    if (item && item->kind == ELELEM_PART_TOOL_CALL) els_responses_start(c, item, place);
    return item;
}

/* Texts. Of an item is known how much of its newest part was emitted, and a hash of that: enough to
   emit the rest when the wire repeats it whole, and nothing if it is not the same text. */

/* Notes the next piece of a text, before it is emitted: as it will be then, without half a character at its end. */
ELS_PRIVATE void els_responses_said(const elelem_shape_context *c, elelem_shape_item *item, uint32_t part, elelem_str text)
{
    els_responses_own *own = els_responses_state(item);
    elelem_shape_joined joined = elelem_shape_join(c, item->index, text);
    size_t size = joined.size + joined.rest.size;

    if (!own->had_text || part > own->said_part) {
        own->had_text = 1;
        own->said_part = part;
        own->said_size = 0;
        own->said_hash = ELELEM_SHAPE_HASH_START;
    }
    own->bytes += size;
    if (part != own->said_part) return;
    own->said_size += size;
    own->said_hash = elelem_shape_hash_more(own->said_hash, els_str(joined.first, joined.size));
    own->said_hash = elelem_shape_hash_more(own->said_hash, joined.rest);
}

/* Nonzero if the text begins with what was emitted of the newest part. Another text of that hash can be made on purpose: what comes after it
   is whole characters in any case. */
ELS_PRIVATE int els_responses_repeats(const els_responses_own *own, elelem_str text)
{
    size_t size = (size_t)own->said_size;

    if (text.size < own->said_size || (text.size > size && ((unsigned char)text.data[size] & 0xc0) == 0x80)) return 0;
    return elelem_shape_hash(els_str(text.data, size)) == own->said_hash;
}

/* What of a text that repeats comes after that. It has the character whole of which half was emitted. */
ELS_PRIVATE elelem_str els_responses_after_said(elelem_shape_context *c, const elelem_shape_item *item, elelem_str text)
{
    size_t size = (size_t)els_responses_state(item)->said_size;

    if (text.size > size) elelem_shape_drop_half(c, item->index);
    return size > 0 ? els_str(text.data + size, text.size - size) : text;
}

/* What of a whole part was not emitted yet. A part is over when a later one had text. */
ELS_APART elelem_str els_responses_rest(elelem_shape_context *c, const elelem_shape_item *item, uint32_t part, elelem_str whole)
{
    const els_responses_own *own = els_responses_state(item);

    if (!own->had_text || part > own->said_part) return whole;
    if (part < own->said_part || !els_responses_repeats(own, whole)) return els_str(NULL, 0);
    return els_responses_after_said(c, item, whole);
}

/* A piece of a JSON string: the quotes that open and close it, and what is between them. */
ELS_APART void els_responses_quote(elelem_shape_context *c, elelem_shape_item *item, elelem_str text, int is_last)
{
    els_responses_own *own = els_responses_state(item);
    elelem_writer *writer = elelem_shape_write(c);

    if (!own->is_quoted) elelem_writer_string_begin(writer);
    elelem_shape_write_piece(c, item->index, text);
    if (is_last) elelem_shape_write_half(c, item->index);
    if (is_last) elelem_shape_write_raw(c, elelem_str_of("\""));
    own->is_quoted = 1;
    elelem_shape_tool_arguments_written(c, item->index);
}

/* Nonzero if the part is another one than those of the item's text so far. */
ELS_PRIVATE int els_responses_is_next(const elelem_shape_item *item, uint32_t part)
{
    const els_responses_own *own = els_responses_state(item);

    return own->had_text && part > own->said_part;
}

ELS_PRIVATE void els_responses_gap(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_shape_text(c, item->index, elelem_str_of("\n\n"));
    els_responses_state(item)->bytes += 2;
}

/* Ends the character that the part before ended inside of: the next part does not continue it. */
ELS_PRIVATE void els_responses_end_half(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_str half = elelem_str_of("\xef\xbf\xbd");

    if (elelem_shape_join(c, item->index, half).size == 0) return;
    elelem_shape_drop_half(c, item->index);
    els_responses_state(item)->bytes += half.size;
    elelem_shape_text(c, item->index, half);
}

/* The borders in the text of reasoning, one entry at a time. */
ELS_PRIVATE void els_responses_border(elelem_shape_context *c, const elelem_shape_item *item)
{
    elelem_writer *writer = elelem_shape_write(c);

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_uint64(writer, els_responses_state(item)->bytes);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(c, elelem_str_of("part_offsets"));
}

/* Metadata of the first raw text: all of the item is raw, or what begins here. */
ELS_PRIVATE void els_responses_begin_raw(elelem_shape_context *c, elelem_shape_item *item)
{
    els_responses_own *own = els_responses_state(item);

    own->is_raw = 1;
    if (own->had_text) els_responses_number(c, "raw_offset", own->bytes);
    else els_responses_true(c, "raw");
}

/* What goes with the next text of reasoning. Summaries are paragraphs. */
ELS_PRIVATE void els_responses_reason(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what, uint32_t part,
                                 const els_responses_place *place)
{
    els_responses_own *own = els_responses_state(item);
    int is_next = els_responses_is_next(item, part);

    els_responses_introduce(c, item, place);
    own->had_summary |= what == ELS_RESPONSES_SUMMARY;
    if (is_next) els_responses_end_half(c, item);
    if (is_next && !(own->said_part & ELS_RESPONSES_RAW_PART)) els_responses_gap(c, item);
    if (is_next) els_responses_border(c, item);
    if (what == ELS_RESPONSES_RAW && !own->is_raw) els_responses_begin_raw(c, item);
}

ELS_PRIVATE void els_responses_refuse(elelem_shape_context *c, elelem_shape_item *item)
{
    item->kind = ELELEM_PART_MESSAGE;
    els_responses_state(item)->is_refusal = 1;
    els_responses_true(c, "refusal");
    els_responses_stream_of(c)->is_refused = 1;
}

ELS_PRIVATE void els_responses_say(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what, uint32_t part,
                              elelem_str text, const els_responses_place *place)
{
    if (text.size == 0) return;
    if (item->kind == ELELEM_PART_REASONING) els_responses_reason(c, item, what, part, place);
    els_responses_said(c, item, part, text);
    if (what == ELS_RESPONSES_REFUSAL) els_responses_refuse(c, item);
    els_responses_introduce(c, item, place);
    elelem_shape_text(c, item->index, text);
}

ELS_PRIVATE void els_responses_argue(elelem_shape_context *c, elelem_shape_item *item, elelem_str text)
{
    if (text.size == 0) return;
    els_responses_said(c, item, 0, text);
    if (els_responses_state(item)->is_custom)
        els_responses_quote(c, item, text, 0);
    else
        elelem_shape_tool_arguments(c, item->index, text);
}

/* Arguments that are no text and come when a call is added may only keep the place of those to come: they are held until it ends. */

typedef struct els_responses_holder {
    elelem_shape_context *context;
    uint32_t index;
} els_responses_holder;

ELS_PRIVATE elelem_status els_responses_hold_bytes(void *context, const void *bytes, size_t size)
{
    const els_responses_holder *holder = (const els_responses_holder *)context;

    elelem_shape_keep(holder->context, holder->index, els_str(bytes, size));
    return ELELEM_OK; /* without memory the stream has failed */
}

ELS_APART void els_responses_hold(elelem_shape_context *c, const elelem_shape_item *item, elelem_value arguments)
{
    els_responses_holder holder;
    elelem_sink sink;
    elelem_writer writer;

    holder.context = c;
    holder.index = item->index;
    sink.write = els_responses_hold_bytes;
    sink.context = &holder;
    elelem_shape_kept_resize(c, item->index, 0);
    elelem_writer_init(&writer, sink, 0);
    elelem_writer_value(&writer, arguments);
}

/* Nothing replaced the arguments that a call was added with. */
ELS_APART void els_responses_release_held(elelem_shape_context *c, const elelem_shape_item *item)
{
    elelem_str held = elelem_shape_kept(c, item);

    if (item->kind != ELELEM_PART_TOOL_CALL || els_responses_state(item)->had_text || held.size == 0) return;
    els_responses_state(item)->had_text = 1;
    elelem_shape_write(c);
    elelem_shape_write_raw(c, held);
    elelem_shape_tool_arguments_written(c, item->index);
}

ELS_PRIVATE void els_responses_emit(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what, uint32_t part,
                               elelem_str text, const els_responses_place *place)
{
    if (item->kind == ELELEM_PART_TOOL_CALL)
        els_responses_argue(c, item, text);
    else
        els_responses_say(c, item, what, part, text, place);
}

/* The number of a part of the item; that of its newest part if the frame has none. */
ELS_PRIVATE uint32_t els_responses_part_number(const elelem_shape_context *c, els_responses_text what, const elelem_shape_item *item,
                                               const els_responses_place *place)
{
    const els_responses_own *own = els_responses_state(item);
    uint32_t is_raw = what == ELS_RESPONSES_RAW ? ELS_RESPONSES_RAW_PART : 0;
    uint32_t newest = 0;

    if (own->had_text && (own->said_part & ELS_RESPONSES_RAW_PART) == is_raw)
        newest = own->said_part & ~ELS_RESPONSES_RAW_PART;
    if (what == ELS_RESPONSES_SUMMARY) return elelem_shape_number_or(elelem_shape_field(c, ELS_RESPONSES_SUMMARY_INDEX), newest);
    return is_raw | (place->part == ELS_RESPONSES_NO_KEY ? newest : place->part);
}

/* Notes that the output item at this place was streamed. A number that two items have says nothing. */
ELS_APART void els_responses_see(const elelem_shape_context *c, const els_responses_place *place, int is_added)
{
    els_responses_stream *stream = els_responses_stream_of(c);
    uint32_t *bits = &stream->seen[place->key / 32 % (ELS_RESPONSES_SEEN / 32)];
    uint32_t bit = (uint32_t)1 << place->key % 32;

    if (place->key == ELS_RESPONSES_NO_KEY) stream->is_misnumbered = 1;
    else if (place->key >= ELS_RESPONSES_SEEN) stream->has_seen_more = 1;
    if (place->key >= ELS_RESPONSES_SEEN) return;
    if (is_added && (*bits & bit)) stream->is_misnumbered = 1;
    *bits |= bit;
}

#endif

#endif
