/* The work law: the steps that it takes to read a body are at most
 *
 *     WORK_ALWAYS + (WORK_PER_BYTE + WORK_PER_OPEN * (max_open_items + max_choices)) * bytes + WORK_PER_PUSH * pushes
 *     + WORK_PER_FRAME * frames
 *
 * whatever the body. Open items and choices are looked through for each event. What may be a frame counts as one: a line,
 * or an element of a body that is an array. The smallest have three bytes and two, which do not pay for them.
 *
 * If a frame has N of one member or element and M of another, an implementation that looks at all of one for each of the
 * other takes N times M steps; bodies that repeat a single unit never show it. Here a frame is made for every pair that
 * a shape's path table names:
 *
 *     {"candidates":[{"index":0,"index":0,…,"content":{"parts":[{"text":"x"},{"thought":"x"},…]}}]}
 *
 * Steps are counted as counted.h says. Link with the functions compiled that way.
 */
#ifndef WORK_LAW_H
#define WORK_LAW_H

#include "limits.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK_PER_BYTE 80
#define WORK_PER_OPEN 1
#define WORK_PER_PUSH 300
#define WORK_PER_FRAME 800
#define WORK_ALWAYS 20000

uint64_t counted_steps;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
    counted_steps++;
}

/* Nonzero if no more steps were taken since there were `before`. Says by how many there were more. */
static inline int work_held(uint64_t before, uint64_t most)
{
    uint64_t steps = counted_steps - before;

    if (steps <= most) return 1;
    fprintf(stderr, "%llu steps, of %llu allowed\n", (unsigned long long)steps, (unsigned long long)most);
    return 0;
}

/* What a body costs. */

typedef struct work_text {
    char *bytes;
    size_t size;
    size_t room;
} work_text;

static inline void work_put(work_text *t, const char *bytes, size_t size)
{
    if (size > t->room - t->size) {
        t->room = (t->size + size) * 2;
        t->bytes = (char *)realloc(t->bytes, t->room);
        if (!t->bytes) abort();
    }
    if (size > 0) memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static inline void work_puts(work_text *t, const char *text)
{
    work_put(t, text, strlen(text));
}

/* How a body is read. */
typedef struct work_reading {
    const elelem_shape *shape;
    int http_status;       /* 0: none */
    int split_thoughts;
    uint32_t max_open_items; /* 0: the default, as of the others */
    uint32_t max_choices;
    uint32_t max_frame_bytes;
    uint32_t max_kept_bytes;
    uint32_t max_item_bytes;
} work_reading;

static int work_memory_broken; /* readings that held more memory than the desc says */

/* The elements of a body that is an array, and of no other: one more than its commas, also if it is broken. */
static inline size_t work_elements(const char *bytes, size_t size)
{
    size_t at = 0, depth = 0, commas = 0;
    int is_string = 0;

    while (at < size && memchr(" \t\r\n\xef\xbb\xbf", bytes[at], 7))
        at++;
    if (at == size || bytes[at] != '[') return 0;
    for (; at < size; at++) {
        char c = bytes[at];
        if (c == '"') is_string = !is_string;
        else if (is_string) at += c == '\\';
        else if (c == '[' || c == '{') depth++;
        else if (c == ']' || c == '}') depth -= depth > 0;
        else commas += c == ',' && depth == 1;
    }
    return commas + 1;
}

static inline size_t work_lines(const char *bytes, size_t size)
{
    size_t at, ends = 0;

    for (at = 0; at < size; at++)
        ends += bytes[at] == '\n' || bytes[at] == '\r';
    return ends;
}

/* The steps that the law allows for these bytes in pieces of 4096. */
static inline uint64_t work_most(const work_reading *how, const char *bytes, size_t size)
{
    uint64_t open = limits_or(how->max_open_items, 256) + limits_or(how->max_choices, 128);

    return WORK_ALWAYS + (WORK_PER_BYTE + WORK_PER_OPEN * open) * size + WORK_PER_PUSH * (size / 4096 + 1) +
           WORK_PER_FRAME * (uint64_t)(work_lines(bytes, size) + work_elements(bytes, size));
}

/* Reads the body, in pieces, and returns the steps it took, with those of copying blocks that move. The memory law of
   limits.h is looked after at the same time. */
static inline uint64_t work_of(const work_reading *how, const char *bytes, size_t size, size_t piece)
{
    static elelem_turn turn;
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn_update update;
    limits_heap heap = ELELEM_INIT;
    uint64_t before = counted_steps;
    size_t at;

    desc.shape = how->shape;
    desc.split_thoughts = (uint8_t)how->split_thoughts;
    desc.max_open_items = how->max_open_items;
    desc.max_choices = how->max_choices;
    desc.max_frame_bytes = how->max_frame_bytes;
    desc.max_kept_bytes = how->max_kept_bytes;
    desc.max_item_bytes = how->max_item_bytes;
    heap.bound = limits_of_turn(&desc);
    desc.allocator = limits_allocator(&heap);
    elelem_turn_init(&turn, &desc);
    if (how->http_status) elelem_turn_http_status(&turn, how->http_status);
    for (at = 0; at < size; at += piece) {
        elelem_turn_push(&turn, bytes + at, piece < size - at ? piece : size - at);
        while (elelem_turn_next(&turn, &update) == ELELEM_OK)
            continue;
    }
    elelem_turn_finish(&turn);
    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        continue;
    elelem_turn_free(&turn);
    work_memory_broken += !limits_held(&heap) || heap.live != 0;
    return counted_steps - before + heap.copied / 8;
}

/* Frames of every pair. */

#define WORK_NODES 300

/* A member or the elements of a frame, by the node it is in. */
typedef struct work_node {
    const char *key; /* null for elements */
    size_t size;
    size_t parent;
    int is_open;     /* it leads to one of the pair */
} work_node;

typedef struct work_tree {
    work_node nodes[WORK_NODES];
    size_t count;
} work_tree;

/* One kind of frame, the frames that come before it, and what comes after it. Its fixed members are paths and their
   JSON in turn, then a null: what makes the shape look at the rest. */
typedef struct work_frame {
    const char *name;
    work_reading how;
    const char *const *inside; /* paths inside values that the shape wants whole, then a null */
    const char *before;
    const char *prefix;        /* of the frame itself, as in "data: " */
    const char *after;
    const char *fixed[20];
} work_frame;

static inline size_t work_child(const work_tree *t, size_t parent, const char *key, size_t size)
{
    size_t i;

    for (i = 1; i < t->count; i++)
        if (t->nodes[i].parent == parent && !t->nodes[i].key == !key &&
            (!key || (t->nodes[i].size == size && memcmp(t->nodes[i].key, key, size) == 0)))
            return i;
    return 0;
}

static inline size_t work_add(work_tree *t, size_t parent, const char *key, size_t size)
{
    size_t found = work_child(t, parent, key, size);

    if (found) return found;
    if (t->count == WORK_NODES) abort();
    t->nodes[t->count].key = key;
    t->nodes[t->count].size = size;
    t->nodes[t->count].parent = parent;
    return t->count++;
}

/* The node of a path like "item.content[*].type", which is added. */
static inline size_t work_path(work_tree *t, const char *path)
{
    size_t at = 0;

    while (*path) {
        size_t size = strcspn(path, ".[");
        if (size > 0) at = work_add(t, at, path, size);
        path += size;
        if (*path == '[') {
            at = work_add(t, at, NULL, 0);
            path += 3;
        }
        if (*path == '.') path++;
    }
    return at;
}

/* The tree of a frame: the shape's rows and what is inside them; in each object of these also an unknown member. */
static inline void work_tree_of(work_tree *t, const work_frame *frame)
{
    const elelem_shape *shape = frame->how.shape;
    const char *const *inside;
    size_t i, known;

    memset(t, 0, sizeof *t);
    t->count = 1;
    for (i = 1; i < shape->path_count; i++) {
        const elelem_pattern_node *row = &(shape->items ? shape->items->paths : shape->paths)[i];
        int is_rest = row->kind == ELELEM_PATTERN_ANY_KEY; /* all members that no row names */
        t->nodes[t->count].key = is_rest ? "other" : row->key;
        t->nodes[t->count].size = is_rest ? 5 : row->size;
        t->nodes[t->count++].parent = row->parent;
    }
    known = t->count;
    for (inside = frame->inside; *inside; inside++)
        work_path(t, *inside);
    for (i = t->count; i > known; i--)
        if (t->nodes[i - 1].key) work_add(t, t->nodes[i - 1].parent, "other", 5);
}

/* Which two, and how many of them. */
typedef struct work_pair {
    const work_tree *tree;
    const work_frame *frame;
    size_t one, other;
    size_t count;
    int is_long; /* the first is one value with so many bytes times eight, not so many values */
    int is_full; /* elements have all their members, else one each, in turn */
} work_pair;

static inline int work_is_leaf(const work_tree *t, size_t node)
{
    size_t i;

    for (i = 1; i < t->count; i++)
        if (t->nodes[i].parent == node) return 0;
    return 1;
}

/* The fixed JSON of a node; null if it has none. */
static inline const char *work_fixed(const work_pair *p, size_t node)
{
    work_tree *t = (work_tree *)(uintptr_t)p->tree;
    const char *const *fixed;

    for (fixed = p->frame->fixed; fixed[0]; fixed += 2)
        if (work_path(t, fixed[0]) == node) return fixed[1];
    return NULL;
}

static inline const char *work_leaf(const work_pair *p, size_t node)
{
    static const char *const zeros[] = { "index", "output_index", "content_index", "summary_index" };
    const char *fixed = work_fixed(p, node);
    const work_node *n = &p->tree->nodes[node];
    size_t i;

    if (fixed) return fixed;
    for (i = 0; n->key && i < sizeof zeros / sizeof *zeros; i++)
        if (n->size == strlen(zeros[i]) && memcmp(n->key, zeros[i], n->size) == 0) return "0";
    return "\"x\"";
}

static inline void work_put_key(work_text *out, const work_pair *p, size_t node, int *any)
{
    if (*any) work_put(out, ",", 1);
    *any = 1;
    work_put(out, "\"", 1);
    work_put(out, p->tree->nodes[node].key, p->tree->nodes[node].size);
    work_put(out, "\":", 2);
}

static inline void work_put_default(work_text *out, const work_pair *p, size_t node, size_t which, int depth);

/* The members of a node that lead to none of the pair: all of them, or only the one whose turn it is. */
static inline void work_put_members(work_text *out, const work_pair *p, size_t node, size_t which, int depth, int *any)
{
    size_t i, place = 0, members = 0;

    for (i = 1; i < p->tree->count; i++)
        members += p->tree->nodes[i].parent == node && p->tree->nodes[i].key && !p->tree->nodes[i].is_open;
    for (i = 1; i < p->tree->count; i++) {
        if (p->tree->nodes[i].parent != node || !p->tree->nodes[i].key || p->tree->nodes[i].is_open) continue;
        if (which != SIZE_MAX && place++ != which % members && !work_fixed(p, i)) continue;
        work_put_key(out, p, i, any);
        work_put_default(out, p, i, SIZE_MAX, depth - 1);
    }
}

/* A value of a node that leads to none of the pair, or one more of the pair. */
static inline void work_put_default(work_text *out, const work_pair *p, size_t node, size_t which, int depth)
{
    int any = 0;

    if (work_is_leaf(p->tree, node)) {
        work_puts(out, work_leaf(p, node));
    } else if (work_child(p->tree, node, NULL, 0)) {
        work_puts(out, "[");
        if (depth > 0) work_put_default(out, p, work_child(p->tree, node, NULL, 0), SIZE_MAX, depth - 1);
        work_puts(out, "]");
    } else {
        work_puts(out, "{");
        if (depth > 0) work_put_members(out, p, node, which, depth, &any);
        work_puts(out, "}");
    }
}

static inline size_t work_copies(const work_pair *p, size_t node)
{
    return (node == p->one && !p->is_long) || node == p->other ? p->count : 1;
}

static inline void work_put_long(work_text *out, const work_pair *p)
{
    const char *leaf = work_leaf(p, p->one);
    size_t i;

    work_puts(out, *leaf == '"' ? "\"" : "0.");
    for (i = 0; i < p->count * 8; i++)
        work_puts(out, *leaf == '"' ? "x" : "0");
    if (*leaf == '"') work_puts(out, "\"");
}

/* A value that leads to one of the pair, or is one. */
static inline void work_put_open(work_text *out, const work_pair *p, size_t node)
{
    size_t elements = work_child(p->tree, node, NULL, 0), i, k;
    int any = 0;

    if (work_is_leaf(p->tree, node)) {
        if (node == p->one && p->is_long) work_put_long(out, p);
        else work_puts(out, work_leaf(p, node));
        return;
    }
    if (elements && p->tree->nodes[elements].is_open) {
        work_puts(out, "[");
        for (k = 0; k < work_copies(p, elements); k++) {
            if (k > 0) work_puts(out, ",");
            if (k == work_copies(p, elements) / 2) work_put_open(out, p, elements);
            else work_put_default(out, p, elements, p->is_full ? SIZE_MAX : k, 2);
        }
        work_puts(out, "]");
        return;
    }
    work_puts(out, "{");
    work_put_members(out, p, node, SIZE_MAX, 1, &any);
    for (i = 1; i < p->tree->count; i++) {
        if (p->tree->nodes[i].parent != node || !p->tree->nodes[i].key || !p->tree->nodes[i].is_open) continue;
        for (k = 0; k < work_copies(p, i); k++) {
            work_put_key(out, p, i, &any);
            if (k + 1 == work_copies(p, i)) work_put_open(out, p, i);
            else work_put_default(out, p, i, SIZE_MAX, 0);
        }
    }
    work_puts(out, "}");
}

static inline void work_open(work_tree *t, size_t node)
{
    for (; node != 0; node = t->nodes[node].parent)
        t->nodes[node].is_open = 1;
}

/* Writes the body of a pair. */
static inline void work_body(work_text *out, work_tree *t, const work_pair *p)
{
    size_t i;

    for (i = 0; i < t->count; i++)
        t->nodes[i].is_open = 0;
    work_open(t, p->one);
    work_open(t, p->other);
    out->size = 0;
    work_puts(out, p->frame->before);
    work_puts(out, p->frame->prefix);
    work_put_open(out, p, 0);
    work_puts(out, "\n\n");
    work_puts(out, p->frame->after);
}

/* The frames that every shape is tried with. */

#define WORK_LIMITS(shape, status) { shape, status, 0, 16, 8, 0, 0, 0 }

static const char *const work_chat_inside[] = {
    "choices[*].delta.tool_calls[*].index", "choices[*].delta.tool_calls[*].id",
    "choices[*].delta.tool_calls[*].function.name", "choices[*].delta.tool_calls[*].function.arguments",
    "choices[*].delta.tool_calls[*].extra_content.google",
    "choices[*].delta.function_call.name", "choices[*].delta.function_call.arguments",
    "choices[*].delta.reasoning_details[*].text", "choices[*].delta.reasoning_details[*].summary",
    "choices[*].delta.reasoning_details[*].signature", "choices[*].delta.reasoning_details[*].data",
    "choices[*].delta.content[*].text", "choices[*].delta.content[*].thinking[*].text",
    "choices[*].delta.annotations[*].url", "citations[*]", "search_results[*].url",
    "usage.prompt_tokens", "usage.prompt_tokens_details.cached_tokens", "x_groq.id", "other.a", "choices[*].other.a",
    "choices[*].logprobs.content[*].token", "choices[*].logprobs.refusal[*].token", "choices[*].delta.other[*].a",
    "choices[*].delta.audio.id", "choices[*].delta.audio.data", "choices[*].delta.audio.transcript",
    "choices[*].delta.images[*].image_url", "choices[*].delta.executed_tools[*].index",
    "choices[*].delta.executed_tools[*].arguments", "choices[*].delta.tool_calls[*].custom.input",
    "error.message", "error.code", "error.type", "error.details[*].retryDelay",
    "error.details[*].violations[*].quotaId", "error.metadata.raw", "error.metadata.headers.X-RateLimit-Reset", NULL
};

static const char *const work_responses_inside[] = {
    "item.caller.type", "item.arguments.a", "item.content[*].annotations[*].url", "annotation.url", "response.usage.input_tokens",
    "response.usage.input_tokens_details.cached_tokens", "response.error.message", "response.error.code",
    "response.output[*].content[*].annotations[*].url", "item.action.commands[*]", "item.operation.diff", "item.queries[*]",
    "response.output[*].action.query", "error.message", "error.code", "error.type", NULL
};

static const char *const work_messages_inside[] = {
    "content_block.citations[*].url", "content_block.input.a", "content_block.caller.type", "delta.citation.url",
    "delta.stop_details.reason", "message.usage.input_tokens", "message.usage.output_tokens_details.thinking_tokens",
    "usage.output_tokens", "usage.output_tokens_details.thinking_tokens", "message.content[*].citations[*].url",
    "message.content[*].input.a", "error.message", "error.type", NULL
};

static const char *const work_gemini_inside[] = {
    "candidates[*].content.parts[*].functionCall.name", "candidates[*].content.parts[*].functionCall.id",
    "candidates[*].content.parts[*].functionCall.args.a", "candidates[*].content.parts[*].functionCall.willContinue",
    "candidates[*].content.parts[*].functionCall.partialArgs[*].jsonPath",
    "candidates[*].content.parts[*].functionCall.partialArgs[*].stringValue",
    "candidates[*].content.parts[*].functionCall.partialArgs[*].willContinue",
    "candidates[*].citationMetadata.citations[*].uri", "candidates[*].citationMetadata.citationSources[*].uri",
    "candidates[*].content.parts[*].executableCode.code", "candidates[*].content.parts[*].toolCall.args.queries[*]",
    "candidates[*].content.parts[*].partMetadata.a", "candidates[*].content.parts[*].hologram.a",
    "candidates[*].safetyRatings[*].category", "candidates[*].groundingMetadata.a", "promptFeedback.blockReason", "usageMetadata.promptTokenCount",
    "error.message", "error.code", "error.details[*].retryDelay", "error.details[*].violations[*].quotaMetric", NULL
};

static const char *const work_gemini_items[] = {
    "candidates[*].content.parts[*].toolResponse.a", "candidates[*].content.parts[*].partMetadata.a",
    "candidates[*].content.parts[*].toolCall.args.queries[*]", NULL
};

static const char *const work_interactions_inside[] = {
    "step.server_name", "step.call_id", "step.result[*].a", "step.error.message", "step.error.code", "step.arguments.a",
    "step.content[*].annotations[*].url", "step.content[*].data", "step.content[*].mime_type", "step.content[*].other.a",
    "step.summary[*].other.a", "delta.server_name", "delta.call_id", "delta.result.a", "delta.arguments.a",
    "delta.arguments.queries[*]", "delta.annotations[*].url", "delta.data", "delta.mime_type", "delta.rate", "delta.content.data",
    "interaction.usage.total_input_tokens", "interaction.errors[*].code", "interaction.errors[*].message",
    "interaction.steps[*].arguments.a", "interaction.steps[*].content[*].annotations[*].url", "interaction.steps[*].content[*].data",
    "usage.total_output_tokens", "step_usage.a", "metadata.usage.total_input_tokens", "error.message", "error.code", NULL
};

#define WORK_60_BYTES "012345678901234567890123456789012345678901234567890123456789"
#define WORK_1200_BYTES                                                                             \
    WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES \
    WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES \
    WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES WORK_60_BYTES

static const char *const work_error_inside[] = {
    "error.message", "error.code", "error.type", "error.status", "error.details[*].retryDelay",
    "error.details[*].violations[*].quotaId", "error.details[*].violations[*].quotaMetric", "error.metadata.raw",
    "error.metadata.headers.X-RateLimit-Reset", "[*].error.details[*].violations[*].quotaId", NULL
};

#define WORK_OPEN_ITEM(kind) \
    "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"" kind "\",\"id\":\"x\"}}\n\n"
#define WORK_RESPONSES(type, before, ...) \
    { "responses " type, WORK_LIMITS(&elelem_shape_responses, 0), work_responses_inside, before, "data: ", "", \
      { "type", "\"" type "\"", __VA_ARGS__ } }
#define WORK_START "data: {\"type\":\"message_start\",\"message\":{}}\n\n"
#define WORK_BLOCK(type) \
    WORK_START "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"" type "\"}}\n\n"
#define WORK_MESSAGES(type, before, ...) \
    { "messages " type, WORK_LIMITS(&elelem_shape_messages, 0), work_messages_inside, before, "data: ", "", \
      { "type", "\"" type "\"", __VA_ARGS__ } }
#define WORK_STEP(number, type) "data: {\"event_type\":\"step.start\",\"index\":" number ",\"step\":{\"type\":\"" type "\",\"id\":\"x\"}}\n\n"
#define WORK_INTERACTIONS(name, type, before, ...) \
    { "interactions " name, WORK_LIMITS(&elelem_shape_interactions, 0), work_interactions_inside, before, "data: ", "", \
      { "event_type", "\"" type "\"", __VA_ARGS__ } }
#define WORK_REFUSED(shape, name, prefix) \
    { name " refused", WORK_LIMITS(shape, 429), work_error_inside, "", prefix, "", { NULL, NULL } }

static const work_frame work_frames[] = {
    { "chat", WORK_LIMITS(&elelem_shape_chat, 0), work_chat_inside, "", "data: ", "data: [DONE]\n\n",
      { "choices[*].finish_reason", "null", NULL, NULL } },
    { "chat that ends", WORK_LIMITS(&elelem_shape_chat, 0), work_chat_inside, "", "data: ", "data: [DONE]\n\n",
      { "choices[*].finish_reason", "\"stop\"", "object", "\"error\"", NULL, NULL } },
    { "gemini", WORK_LIMITS(&elelem_shape_gemini, 0), work_gemini_inside, "", "data: ", "",
      { "candidates[*].finishReason", "\"\"", "candidates[*].content.parts[*].functionCall.partialArgs[*].jsonPath", "\"$.a\"",
        "candidates[*].content.parts[*].functionCall.partialArgs[*].willContinue", "true",
        "candidates[*].content.parts[*].functionCall.willContinue", "true", NULL, NULL } },
    { "gemini that ends", WORK_LIMITS(&elelem_shape_gemini, 0), work_gemini_inside, "", "data: ", "",
      { "candidates[*].finishReason", "\"STOP\"", NULL, NULL } },
    { "gemini with parts that pass", WORK_LIMITS(&elelem_shape_gemini, 0), work_gemini_items, "", "data: ", "",
      { "candidates[*].content.parts[*].toolResponse.a", "\"" WORK_1200_BYTES "\"", NULL, NULL } },
    { "gemini with parts that pass after another candidate", WORK_LIMITS(&elelem_shape_gemini, 0), work_gemini_items,
      "data: {\"candidates\":[{\"index\":1}]}\n\n", "data: ", "",
      { "candidates[*].content.parts[*].toolResponse.a", "\"" WORK_1200_BYTES "\"", NULL, NULL } },
    WORK_RESPONSES("response.output_item.added", "", "item.type", "\"message\"", NULL, NULL),
    WORK_RESPONSES("response.output_item.done", "", "item.type", "\"message\"", "item.content[*].type", "\"output_text\"", NULL, NULL),
    WORK_RESPONSES("response.output_item.done", WORK_OPEN_ITEM("message"), "item.type", "\"message\"", "item.content[*].type", "\"refusal\"",
                   NULL, NULL),
    WORK_RESPONSES("response.output_item.done", "", "item.type", "\"reasoning\"", NULL, NULL),
    WORK_RESPONSES("response.output_item.done", WORK_OPEN_ITEM("function_call"), "item.type", "\"function_call\"", NULL, NULL),
    WORK_RESPONSES("response.output_item.done", "", "item.type", "\"custom_tool_call\"", NULL, NULL),
    WORK_RESPONSES("response.output_item.added", "", "item.type", "\"hologram\"", NULL, NULL),
    WORK_RESPONSES("response.output_item.done", "", "item.type", "\"hologram\"", NULL, NULL),
    WORK_RESPONSES("response.output_item.done", WORK_OPEN_ITEM("file_search_call"), "item.type", "\"file_search_call\"", NULL, NULL),
    WORK_RESPONSES("response.output_item.done", WORK_OPEN_ITEM("shell_call"), "item.type", "\"shell_call\"", NULL, NULL),
    WORK_RESPONSES("response.output_item.done", WORK_OPEN_ITEM("apply_patch_call"), "item.type", "\"apply_patch_call\"", NULL, NULL),
    WORK_RESPONSES("response.completed", "", "response.output[*].type", "\"hologram\"", NULL, NULL),
    WORK_RESPONSES("response.in_progress", "", "response.output[*].type", "\"hologram\"", NULL, NULL),
    WORK_RESPONSES("response.completed", "", "response.output[*].type", "\"message\"", "response.status", "\"completed\"", NULL, NULL),
    WORK_RESPONSES("response.completed", "", "response.output[*].type", "\"function_call\"", "response.status", "\"completed\"", NULL, NULL),
    WORK_RESPONSES("response.incomplete", "", "response.output[*].type", "\"reasoning\"", "response.status", "\"incomplete\"", NULL, NULL),
    WORK_RESPONSES("response.failed", "", "response.status", "\"failed\"", NULL, NULL),
    WORK_RESPONSES("response.created", "", "response.tools[*].type", "\"x_search\"", NULL, NULL),
    WORK_RESPONSES("response.output_text.delta", "", "delta", "\"x\"", NULL, NULL),
    WORK_RESPONSES("response.output_text.done", WORK_OPEN_ITEM("message"), "text", "\"x\"", NULL, NULL),
    WORK_RESPONSES("response.content_part.done", WORK_OPEN_ITEM("message"), "part.type", "\"output_text\"", NULL, NULL),
    WORK_RESPONSES("response.output_text.annotation.added", WORK_OPEN_ITEM("message"), NULL, NULL),
    WORK_RESPONSES("error", "", NULL, NULL),
    WORK_MESSAGES("message_start", "", "message.content[*].type", "\"text\"", NULL, NULL),
    WORK_MESSAGES("message_start", "", "message.content[*].type", "\"tool_use\"", NULL, NULL),
    WORK_MESSAGES("content_block_start", WORK_START, "content_block.type", "\"text\"", NULL, NULL),
    WORK_MESSAGES("content_block_start", WORK_BLOCK("thinking"), "content_block.type", "\"tool_use\"", NULL, NULL),
    WORK_MESSAGES("content_block_delta", WORK_BLOCK("text"), "delta.type", "\"citations_delta\"", NULL, NULL),
    WORK_MESSAGES("content_block_delta", WORK_BLOCK("thinking"), "delta.type", "\"signature_delta\"", NULL, NULL),
    WORK_MESSAGES("message_delta", WORK_BLOCK("thinking"), "delta.stop_reason", "\"end_turn\"", NULL, NULL),
    WORK_MESSAGES("error", WORK_BLOCK("text"), NULL, NULL),
    WORK_INTERACTIONS("created", "interaction.created", "", NULL, NULL),
    WORK_INTERACTIONS("step.start", "step.start", "", "step.type", "\"model_output\"", NULL, NULL),
    WORK_INTERACTIONS("media", "step.start", "", "step.type", "\"model_output\"", "step.content[*].type", "\"image\"", NULL, NULL),
    WORK_INTERACTIONS("thought", "step.start", "", "step.type", "\"thought\"", NULL, NULL),
    WORK_INTERACTIONS("call begins", "step.start", WORK_STEP("0", "model_output"), "step.type", "\"function_call\"", NULL, NULL),
    WORK_INTERACTIONS("search begins", "step.start", "", "step.type", "\"google_search_call\"", NULL, NULL),
    WORK_INTERACTIONS("step.delta", "step.delta", "", "delta.type", "\"text\"", NULL, NULL),
    WORK_INTERACTIONS("summary", "step.delta", WORK_STEP("0", "thought"), "delta.type", "\"thought_summary\"", NULL, NULL),
    WORK_INTERACTIONS("call", "step.delta", WORK_STEP("0", "function_call"), "delta.type", "\"arguments_delta\"", NULL, NULL),
    WORK_INTERACTIONS("search", "step.delta", WORK_STEP("0", "google_search_call"), "delta.type", "\"google_search_call\"", NULL, NULL),
    WORK_INTERACTIONS("audio", "step.delta", WORK_STEP("0", "model_output"), "delta.type", "\"audio\"", NULL, NULL),
    WORK_INTERACTIONS("completed", "interaction.completed", "", "interaction.steps[*].type", "\"model_output\"",
                      "interaction.status", "\"completed\"", NULL, NULL),
    WORK_INTERACTIONS("completed with a search", "interaction.completed", "", "interaction.steps[*].type", "\"google_search_result\"",
                      "interaction.status", "\"requires_action\"", NULL, NULL),
    WORK_INTERACTIONS("failed", "interaction.completed", "", "interaction.status", "\"failed\"", NULL, NULL),
    WORK_INTERACTIONS("error", "error", WORK_STEP("0", "model_output"), NULL, NULL),
    WORK_REFUSED(&elelem_shape_chat, "chat", ""),
    WORK_REFUSED(&elelem_shape_gemini, "gemini", "data: "),
};

#define WORK_FRAMES (sizeof work_frames / sizeof *work_frames)

/* Growth: four times as many of both may take little more than four times the steps. Returns 0 if they take more, or if
   the steps are too many for the bytes; then it has said which pair it is. */
static inline int work_pair_holds(work_text *out, work_tree *t, work_pair *p, size_t count)
{
    uint64_t few, many;

    p->count = count;
    work_body(out, t, p);
    few = work_of(&p->frame->how, out->bytes, out->size, 4096);
    p->count = count * 4;
    work_body(out, t, p);
    many = work_of(&p->frame->how, out->bytes, out->size, 4096);
    if (many * 10 <= few * 44 && many <= work_most(&p->frame->how, out->bytes, out->size)) return 1;
    printf("%s: %lu of %.*s (node %lu)%s and %.*s (node %lu): %lu steps, with four times as many %lu, for %lu bytes\n",
           p->frame->name, (unsigned long)count, (int)t->nodes[p->one].size, t->nodes[p->one].key ? t->nodes[p->one].key : "",
           (unsigned long)p->one, p->is_long ? " as one long value" : "", (int)t->nodes[p->other].size,
           t->nodes[p->other].key ? t->nodes[p->other].key : "", (unsigned long)p->other, (unsigned long)few,
           (unsigned long)many, (unsigned long)out->size);
    return 0;
}

/* Before the first pair of a frame, whose tree is made. Returns the form to begin with. */
static inline int work_pair_first(const work_frame *frame, work_tree *t, work_pair *p)
{
    work_tree_of(t, frame);
    memset(p, 0, sizeof *p);
    p->tree = t;
    p->frame = frame;
    p->one = p->other = 1;
    return -1;
}

/* Goes to the next pair, or to the next form of the same. Returns 0 if there is none. */
static inline int work_pair_next(const work_tree *t, work_pair *p, int *form)
{
    do {
        if (++*form == 3) {
            *form = 0;
            p->other++;
        }
        if (p->other == t->count) {
            p->other = 1;
            p->one++;
        }
        if (p->one == t->count) return 0;
    } while (p->one == p->other || (*form < 2 && p->other < p->one) || (*form == 2 && !work_is_leaf(t, p->one)));
    p->is_full = *form == 1;
    p->is_long = *form == 2;
    return 1;
}

/* Tries each pair of a frame, or one in `every` of them, and says how many do not hold. */
static inline size_t work_frame_broken(const work_frame *frame, size_t count, size_t every, size_t *tried)
{
    static work_tree t;
    static work_text out;
    work_pair p;
    size_t broken = 0;
    int form = work_pair_first(frame, &t, &p);

    while (work_pair_next(&t, &p, &form))
        if (++*tried % every == 0) broken += !work_pair_holds(&out, &t, &p, count);
    return broken;
}

#endif
