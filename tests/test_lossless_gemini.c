/* Nothing of Gemini's recorded responses is lost: the parts of the chunks, in order, are those that the items have, and each
   other member of a chunk has its place. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "lossless.h"

/* What the parts of the chunks make up: texts that follow each other are one, up to a signature; calls in pieces are one. */

#define UNITS 400

typedef enum unit_kind {
    UNIT_TEXT,
    UNIT_THOUGHT,
    UNIT_CALL,
    UNIT_OTHER
} unit_kind;

typedef struct unit {
    unit_kind kind;
    elelem_value part; /* the first */
    elelem_value signature;
    elelem_value more; /* a text's part with other members */
    elelem_buffer text;
    elelem_value arguments;
    lossless_json *pieces; /* arguments in pieces, an object that is open */
    elelem_writer writer;
    lossless_text path;    /* of the string in it that is open */
    lossless_json *whole;
} unit;

static unit wire[UNITS];
static size_t wire_count;

static unit *open_unit(unit_kind kind, elelem_value part)
{
    elelem_allocator plain = ELELEM_INIT;
    unit *opened = &wire[wire_count];

    if (!CHECK(wire_count < UNITS)) return &wire[UNITS - 1];
    wire_count++;
    memset(opened, 0, sizeof *opened);
    opened->kind = kind;
    opened->part = part;
    elelem_buffer_init(&opened->text, plain, 0);
    return opened;
}

static void close_units(void)
{
    size_t i;

    for (i = 0; i < wire_count; i++) {
        elelem_buffer_free(&wire[i].text);
        lossless_json_free(wire[i].pieces);
        lossless_json_free(wire[i].whole);
        free(wire[i].path.data);
    }
    wire_count = 0;
}

static int is_word(elelem_str key, const char *const *words)
{
    while (*words && !elelem_str_is(key, *words))
        words++;
    return *words != NULL;
}

static const char *const read_members[] = { "text", "thought", "thoughtSignature", "functionCall", NULL };

static int has_more(elelem_value part)
{
    elelem_value member = elelem_value_first(part);

    while (lossless_is_there(member) && is_word(elelem_value_key(member), read_members))
        member = elelem_value_next(member);
    return lossless_is_there(member);
}

static void take_text(elelem_value part)
{
    elelem_str text = elelem_value_text(elelem_value_get(part, "text"));
    elelem_value thought = elelem_value_get(part, "thought"), signature = elelem_value_get(part, "thoughtSignature");
    unit_kind kind = elelem_str_is(elelem_value_text(thought), "true") ? UNIT_THOUGHT : UNIT_TEXT;
    unit *last = wire_count > 0 ? &wire[wire_count - 1] : NULL;

    if (text.size == 0 && !lossless_has_value(signature) && !has_more(part)) {
        lossless_except(part); /* an empty text, which says nothing */
        return;
    }
    if (!last || last->kind != kind || lossless_is_there(last->signature) || lossless_is_there(last->more) || has_more(part))
        last = open_unit(kind, part);
    CHECK_INT(elelem_buffer_append(&last->text, text.data, text.size), ELELEM_OK);
    last->signature = signature;
    if (has_more(part)) last->more = part;
}

/* Pieces of recorded calls are members of the arguments, one after another. */
static void take_piece(unit *call, elelem_value piece)
{
    elelem_str path = elelem_value_text(elelem_value_get(piece, "jsonPath"));
    elelem_value text = elelem_value_get(piece, "stringValue");
    elelem_value value = elelem_value_get(piece, "numberValue");
    int continues = elelem_str_equal(path, lossless_str(call->path));
    elelem_str name = path;

    if (!CHECK(path.size > 2 && memcmp(path.data, "$.", 2) == 0 && !memchr(path.data, '[', path.size))) return;
    name.data += 2;
    name.size -= 2;
    if (!lossless_is_there(value)) value = elelem_value_get(piece, "boolValue");
    if (!continues && call->path.data) elelem_writer_string_end(&call->writer);
    if (!continues) elelem_writer_key(&call->writer, name);
    if (!continues && lossless_is_there(text)) elelem_writer_string_begin(&call->writer);
    if (lossless_is_there(text)) elelem_writer_string_piece(&call->writer, elelem_value_text(text));
    else elelem_writer_value(&call->writer, value);
    free(call->path.data);
    memset(&call->path, 0, sizeof call->path);
    if (elelem_str_is(elelem_value_text(elelem_value_get(piece, "willContinue")), "true")) call->path = lossless_copy(path);
    else if (lossless_is_there(text)) elelem_writer_string_end(&call->writer);
}

static void take_pieces(unit *call, elelem_value piece)
{
    if (lossless_is_there(piece) && !call->pieces) {
        call->pieces = lossless_json_new();
        call->writer = lossless_writer(call->pieces);
        elelem_writer_begin(&call->writer, ELELEM_TYPE_OBJECT);
    }
    for (; lossless_is_there(piece); piece = elelem_value_next(piece))
        take_piece(call, piece);
}

static void take_call(elelem_value part)
{
    elelem_value call = elelem_value_get(part, "functionCall");
    elelem_value signature = elelem_value_get(part, "thoughtSignature");
    elelem_value arguments = elelem_value_get(call, "args");
    unit *at;

    if (lossless_is_there(elelem_value_get(call, "name"))) open_unit(UNIT_CALL, part);
    if (!CHECK(wire_count > 0 && wire[wire_count - 1].kind == UNIT_CALL)) return;
    at = &wire[wire_count - 1];
    if (lossless_has_value(signature)) at->signature = signature;
    if (lossless_is_there(arguments)) at->arguments = arguments;
    take_pieces(at, elelem_value_first(elelem_value_get(call, "partialArgs")));
}

static void take_part(elelem_value part)
{
    if (lossless_is_there(elelem_value_get(part, "functionCall"))) take_call(part);
    else if (lossless_is_there(elelem_value_get(part, "text"))) take_text(part);
    else open_unit(UNIT_OTHER, part);
}

/* Units as parts. */

static void put(elelem_writer *writer, const char *key, elelem_value value)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_value(writer, value);
}

static void put_string(elelem_writer *writer, const char *key, elelem_str text)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string(writer, text);
}

static void put_true(elelem_writer *writer, const char *key)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_json(writer, elelem_str_of("true"));
}

/* The members of an object that are not among these. */
static void put_members_but(elelem_writer *writer, elelem_value object, const char *const *words)
{
    elelem_value member;

    for (member = elelem_value_first(object); lossless_is_there(member); member = elelem_value_next(member)) {
        if (is_word(elelem_value_key(member), words)) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
}

static void put_call_of_wire(elelem_writer *writer, unit *call)
{
    static const char *const arguments[] = { "args", "partialArgs", "willContinue", NULL };

    elelem_writer_key(writer, elelem_str_of("functionCall"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    put_members_but(writer, elelem_value_get(call->part, "functionCall"), arguments);
    elelem_writer_key(writer, elelem_str_of("args"));
    if (call->pieces) {
        elelem_writer_end(&call->writer, ELELEM_TYPE_OBJECT);
        elelem_writer_json(writer, elelem_buffer_text(&call->pieces->text));
    } else if (lossless_is_there(call->arguments)) {
        elelem_writer_value(writer, call->arguments);
    } else {
        elelem_writer_json(writer, elelem_str_of("{}"));
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

static elelem_value part_of_wire(unit *from)
{
    elelem_writer writer;

    if (from->kind == UNIT_OTHER) return from->part;
    from->whole = lossless_json_new();
    writer = lossless_writer(from->whole);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    if (from->kind == UNIT_CALL) put_call_of_wire(&writer, from);
    else put_string(&writer, "text", elelem_buffer_text(&from->text));
    if (from->kind == UNIT_THOUGHT) put_true(&writer, "thought");
    if (lossless_is_there(from->signature)) put(&writer, "thoughtSignature", from->signature);
    put_members_but(&writer, from->kind == UNIT_CALL ? from->part : from->more, read_members);
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    return lossless_read(from->whole);
}

/* Items as parts. */

/* Metadata of the candidate that is on items. */
static const char *const of_candidate[] = { "grounding_metadata", "url_context_metadata", "citations", NULL };
static const char *const not_of_part[] = { "grounding_metadata", "url_context_metadata", "citations", "thought_signature", NULL };

/* An id that the wire did not have. */
static int is_generated(const lossless_item *item)
{
    char id[40];

    snprintf(id, sizeof id, "call_%lu", (unsigned long)item->index);
    return elelem_str_is(lossless_str(item->id), id);
}

static void put_call(elelem_writer *writer, const lossless_item *item)
{
    elelem_writer_key(writer, elelem_str_of("functionCall"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    if (!is_generated(item)) put_string(writer, "id", lossless_str(item->id));
    put_string(writer, "name", lossless_str(item->name));
    if (CHECK(item->value != NULL)) put(writer, "args", item->value->value);
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

static lossless_json *part_of_item(const lossless_item *item)
{
    elelem_value signature = elelem_value_get(item->metadata->value, "thought_signature");
    lossless_json *part;
    elelem_writer writer;

    if (item->kind == ELELEM_PART_PROVIDER_ITEM) {
        part = lossless_json_of(lossless_str(item->text));
        CHECK(lossless_is_there(elelem_value_member(part->value, lossless_str(item->type))));
        CHECK_U64(elelem_value_count(item->metadata->value), 0);
        return part;
    }
    part = lossless_json_new();
    writer = lossless_writer(part);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    if (item->kind == ELELEM_PART_TOOL_CALL) put_call(&writer, item);
    else put_string(&writer, "text", lossless_str(item->text));
    if (item->kind == ELELEM_PART_REASONING) put_true(&writer, "thought");
    if (lossless_is_there(signature)) put(&writer, "thoughtSignature", signature);
    put_members_but(&writer, item->metadata->value, not_of_part);
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    lossless_read(part);
    return part;
}

/* Nonzero for an item that is no part, because it has nothing but metadata of the candidate. */
static int is_no_part(const lossless_item *item)
{
    elelem_value member = elelem_value_first(item->metadata->value);

    if (item->kind != ELELEM_PART_MESSAGE || item->text.size > 0) return 0;
    while (lossless_is_there(member) && is_word(elelem_value_key(member), of_candidate))
        member = elelem_value_next(member);
    return !lossless_is_there(member);
}

static void compare_parts(const lossless_response *given)
{
    elelem_value none = ELELEM_INIT;
    size_t i, at = 0;

    for (i = 0; i < wire_count; i++) {
        lossless_json *ours;
        while (at < given->item_count && is_no_part(given->items[at]))
            at++;
        ours = at < given->item_count ? part_of_item(given->items[at]) : NULL;
        lossless_equal("part", i, part_of_wire(&wire[i]), ours ? ours->value : none);
        lossless_json_free(ours);
        at++;
    }
    for (; at < given->item_count; at++)
        CHECK(is_no_part(given->items[at]));
}

/* The other members. */

/* Counts a member, and whether it is found. */
static void has_place(const char *where, elelem_value member, int found)
{
    char what[200];

    snprintf(what, sizeof what, "%s.%.*s has its place", where, ELELEM_STR_ARG(elelem_value_key(member)));
    lossless_now.items++;
    lossless_now.bytes += lossless_bytes(member);
    if (check_true(found, what, __FILE__, __LINE__)) return;
    lossless_now.items_lost++;
    lossless_now.bytes_lost += lossless_bytes(member);
}

typedef struct place {
    const char *member;
    const char *key;
} place;

static const char *key_of(const place *places, size_t count, elelem_str member)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (elelem_str_is(member, places[i].member)) return places[i].key;
    return NULL;
}

#define KEY_OF(places, member) key_of(places, sizeof(places) / sizeof *(places), member)

static int is_on_an_item(const lossless_response *given, const char *key, elelem_value value)
{
    size_t i;

    for (i = 0; i < given->item_count; i++)
        if (lossless_has(given->items[i]->metadata->value, elelem_str_of(key), value)) return 1;
    return 0;
}

/* Nonzero if each entry of the list is one of those of an item, which add up. */
static int are_cited(const lossless_response *given, elelem_value list)
{
    elelem_value entry, cited;
    size_t i;
    int all = lossless_is_there(elelem_value_first(list));

    for (entry = elelem_value_first(list); lossless_is_there(entry); entry = elelem_value_next(entry)) {
        lossless_difference ignored;
        int found = 0;
        for (i = 0; i < given->item_count; i++) {
            cited = elelem_value_first(elelem_value_get(given->items[i]->metadata->value, "citations"));
            for (; lossless_is_there(cited); cited = elelem_value_next(cited))
                found |= lossless_same(entry, cited, &ignored);
        }
        all &= found;
    }
    return all;
}

/* The citations have one of two names, and there is nothing next to them. */
static int is_citation(const lossless_response *given, elelem_value metadata)
{
    elelem_value list = elelem_value_first(metadata);
    elelem_str key = elelem_value_key(list);

    return elelem_value_count(metadata) == 1 && (elelem_str_is(key, "citations") || elelem_str_is(key, "citationSources")) &&
           are_cited(given, list);
}

static int is_of_end(const lossless_response *given, const char *key, elelem_value value)
{
    return given->end && lossless_has(given->end->value, elelem_str_of(key), value);
}

/* Nonzero if the reason, or its message, of a chunk is that of the end. If it is not, a later one replaced it. */
static int ends_with(const lossless_response *given, elelem_str key, elelem_value member)
{
    if (elelem_str_is(key, "finishMessage")) return is_of_end(given, "finish_message", member);
    return elelem_str_equal(lossless_str(given->raw_reason), elelem_value_text(member));
}

static const place candidate_info[] = {
    { "safetyRatings", "safety_ratings" },   { "avgLogprobs", "avg_logprobs" }, { "logprobsResult", "logprobs_result" },
    { "tokenCount", "token_count" },         { "continuationToken", "continuation_token" },
};
static const place item_info[] = { { "groundingMetadata", "grounding_metadata" }, { "urlContextMetadata", "url_context_metadata" } };

static int is_last_frame(const lossless_response *given, size_t frame)
{
    for (frame++; frame < given->frame_count; frame++)
        if (lossless_is_there(elelem_value_find(given->frames[frame]->data.value, "candidates[0].finishReason"))) return 0;
    return 1;
}

/* Nonzero if it is known of the response under the wire's own name. */
static int is_known(const lossless_response *given, elelem_value member)
{
    return lossless_has(given->about->value, elelem_value_key(member), member);
}

static void take_content(const lossless_response *given, elelem_value content)
{
    elelem_value member, part;

    for (member = elelem_value_first(content); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (elelem_str_is(key, "parts")) {
            for (part = elelem_value_first(member); lossless_is_there(part); part = elelem_value_next(part))
                take_part(part);
        } else if (elelem_str_is(key, "role")) {
            has_place("content", member, lossless_is(member, "model")); /* always */
        } else {
            has_place("content", member, is_known(given, member));
        }
    }
}

static void take_candidate(const lossless_response *given, size_t frame, elelem_value candidate)
{
    elelem_value member;

    for (member = elelem_value_first(candidate); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        int is_end = elelem_str_is(key, "finishReason") || elelem_str_is(key, "finishMessage");
        if (elelem_str_is(key, "content")) take_content(given, member);
        else if (elelem_str_is(key, "index")) has_place("candidate", member, elelem_str_is(elelem_value_text(member), "0"));
        else if (is_end && (given->kind == ELELEM_EVENT_ERROR || !is_last_frame(given, frame)))
            lossless_except(member); /* an error, or a later reason, came in its place */
        else if (is_end) has_place("candidate", member, ends_with(given, key, member));
        else if (elelem_str_is(key, "citationMetadata")) has_place("candidate", member, is_citation(given, member));
        else if (KEY_OF(item_info, key))
            has_place("candidate", member, elelem_value_count(member) == 0 || is_on_an_item(given, KEY_OF(item_info, key), member));
        else
            has_place("candidate", member, KEY_OF(candidate_info, key) ?
                      lossless_has(given->about->value, elelem_str_of(KEY_OF(candidate_info, key)), member) : is_known(given, member));
    }
}

/* The raw usage has what the last frame said of each member. */
static void take_usage(const lossless_response *given, elelem_value usage)
{
    elelem_value member, last = ELELEM_INIT;
    size_t i;

    for (member = elelem_value_first(usage); lossless_is_there(member); member = elelem_value_next(member)) {
        for (i = 0; i < given->frame_count; i++) {
            elelem_value in = elelem_value_member(elelem_value_get(given->frames[i]->data.value, "usageMetadata"), elelem_value_key(member));
            if (lossless_is_there(in)) last = in;
        }
        if (given->kind == ELELEM_EVENT_ERROR) lossless_except(member); /* an error has no usage */
        else has_place("usageMetadata", member, lossless_has(elelem_value_get(given->end->value, "usage"), elelem_value_key(member), last));
    }
}

static const place response_info[] = {
    { "responseId", "id" },          { "modelVersion", "model" },          { "createTime", "create_time" },
    { "turnToken", "turn_token" },   { "modelStatus", "model_status" },    { "promptFeedback", "prompt_feedback" },
};

static void take_chunk(const lossless_response *given, size_t frame, elelem_value chunk)
{
    elelem_value member, candidate;

    for (member = elelem_value_first(chunk); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        const char *known = KEY_OF(response_info, key);
        if (elelem_str_is(key, "candidates")) {
            for (candidate = elelem_value_first(member); lossless_is_there(candidate); candidate = elelem_value_next(candidate))
                take_candidate(given, frame, candidate);
        } else if (elelem_str_is(key, "usageMetadata")) {
            take_usage(given, member);
        } else if (!known) {
            has_place("chunk", member, is_known(given, member));
        } else {
            has_place("chunk", member, lossless_has(given->about->value, elelem_str_of(known), member) || is_of_end(given, known, member));
        }
    }
}

static void keeps_all(const recording *r)
{
    lossless_response *given = lossless_open(&elelem_shape_gemini, r);
    size_t i;

    for (i = 0; i < given->frame_count; i++)
        take_chunk(given, i, given->frames[i]->data.value);
    compare_parts(given);
    close_units();
    lossless_close(given);
}

TEST(nothing_of_recorded_responses_is_lost)
{
    recordings_each("gemini/", "gemini", keeps_all);
    lossless_report("gemini");
}

CHECK_MAIN("lossless_gemini", RUN(nothing_of_recorded_responses_is_lost))
