#ifndef ELS_SHAPE_INTERACTIONS_STEP_C
#define ELS_SHAPE_INTERACTIONS_STEP_C
#include "shape_interactions_step.h"
#include "base.c"

/* >> shape_interactions_step */

#ifndef ELELEM_NO_INTERACTIONS

/* What is read of a step; N begins the names of the rows. If provider items are wanted, all of it is. */
#define ELS_INTERACTIONS_STEP_PATHS(P, MEMBER, ELEMENTS, N, PARENT)    \
    MEMBER(P, N##TYPE, PARENT, "type", WHOLE)                         \
    MEMBER(P, N##ID, PARENT, "id", WHOLE)                             \
    MEMBER(P, N##NAME, PARENT, "name", WHOLE)                         \
    MEMBER(P, N##ARGUMENTS, PARENT, "arguments", WHOLE)               \
    MEMBER(P, N##SIGNATURE, PARENT, "signature", WHOLE)               \
    MEMBER(P, N##ERROR, PARENT, "error", WHOLE)                       \
    MEMBER(P, N##SUMMARY, PARENT, "summary", NOTHING)                 \
    MEMBER(P, N##CONTENT, PARENT, "content", NOTHING)                 \
    ELEMENTS(P, N##THOUGHT, N##SUMMARY, NOTHING)                      \
    MEMBER(P, N##THOUGHT_TYPE, N##THOUGHT, "type", WHOLE)             \
    MEMBER(P, N##THOUGHT_TEXT, N##THOUGHT, "text", WHOLE)             \
    ELEMENTS(P, N##PART, N##CONTENT, NOTHING)                         \
    MEMBER(P, N##PART_TYPE, N##PART, "type", WHOLE)                   \
    MEMBER(P, N##PART_TEXT, N##PART, "text", WHOLE)                   \
    MEMBER(P, N##PART_ANNOTATIONS, N##PART, "annotations", WHOLE)

/* A frame: {"event_type":"step.delta","index":1,"delta":{"type":"text","text":"..."}}
   WANT is what is wanted of a step, ALL of members of a delta that no row names, and MORE of others that none names. Much of the
   request, which an interaction can repeat, is skipped. */
#define ELS_INTERACTIONS_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, WANT, ALL, MORE)  \
    MEMBER(P, TYPE, ROOT, "event_type", WHOLE)                         \
    MEMBER(P, INDEX, ROOT, "index", WHOLE)                             \
    MEMBER(P, DELTA, ROOT, "delta", NOTHING)                           \
    MEMBER(P, STEP, ROOT, "step", WANT)                                \
    MEMBER(P, INTERACTION, ROOT, "interaction", NOTHING)               \
    MEMBER(P, METADATA, ROOT, "metadata", NOTHING)                     \
    MEMBER(P, EVENT_ID, ROOT, "event_id", WHOLE)                       \
    MEMBER(P, FRAME_USAGE, ROOT, "usage", WHOLE)                       \
    MEMBER(P, STEP_USAGE, ROOT, "step_usage", WANT)                    \
    MEMBER(P, FRAME_ID, ROOT, "interaction_id", WANT)                  \
    MEMBER(P, FRAME_TOKEN, ROOT, "continuation_token", WANT)           \
    MEMBER(P, FRAME_STATUS, ROOT, "status", WHOLE)                     \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                             \
    REST(P, FRAME_REST, ROOT, MORE)                                    \
    MEMBER(P, DELTA_TYPE, DELTA, "type", WHOLE)                        \
    MEMBER(P, DELTA_TEXT, DELTA, "text", WHOLE)                        \
    MEMBER(P, DELTA_ID, DELTA, "id", WHOLE)                            \
    MEMBER(P, DELTA_NAME, DELTA, "name", WHOLE)                        \
    MEMBER(P, DELTA_ARGUMENTS, DELTA, "arguments", WHOLE)              \
    MEMBER(P, DELTA_SIGNATURE, DELTA, "signature", WHOLE)              \
    MEMBER(P, DELTA_ANNOTATIONS, DELTA, "annotations", WHOLE)          \
    MEMBER(P, DELTA_DATA, DELTA, "data", WANT)                         \
    MEMBER(P, DELTA_CONTENT, DELTA, "content", WANT)                   \
    REST(P, DELTA_REST, DELTA, ALL)                                    \
    MEMBER(P, DELTA_CONTENT_TYPE, DELTA_CONTENT, "type", WHOLE)        \
    MEMBER(P, DELTA_CONTENT_TEXT, DELTA_CONTENT, "text", WHOLE)        \
    ELS_INTERACTIONS_STEP_PATHS(P, MEMBER, ELEMENTS, STEP_, STEP)      \
    MEMBER(P, METADATA_USAGE, METADATA, "usage", WHOLE)                \
    REST(P, METADATA_REST, METADATA, MORE)                             \
    MEMBER(P, ID, INTERACTION, "id", MORE)                             \
    MEMBER(P, TOKEN, INTERACTION, "continuation_token", MORE)          \
    MEMBER(P, MODEL, INTERACTION, "model", MORE)                       \
    MEMBER(P, AGENT, INTERACTION, "agent", MORE)                       \
    MEMBER(P, CREATED, INTERACTION, "created", MORE)                   \
    MEMBER(P, UPDATED, INTERACTION, "updated", MORE)                   \
    MEMBER(P, TIER, INTERACTION, "service_tier", MORE)                 \
    MEMBER(P, ENVIRONMENT, INTERACTION, "environment_id", MORE)        \
    MEMBER(P, STATUS, INTERACTION, "status", WHOLE)                    \
    MEMBER(P, USAGE, INTERACTION, "usage", WHOLE)                      \
    MEMBER(P, INTERACTION_ERROR, INTERACTION, "error", WHOLE)          \
    MEMBER(P, ERRORS, INTERACTION, "errors", WHOLE)                    \
    MEMBER(P, STEPS, INTERACTION, "steps", NOTHING)                    \
    MEMBER(P, OBJECT, INTERACTION, "object", SKIP)                     \
    MEMBER(P, INPUT, INTERACTION, "input", SKIP)                       \
    MEMBER(P, PREVIOUS, INTERACTION, "previous_interaction_id", SKIP)  \
    MEMBER(P, STORE, INTERACTION, "store", SKIP)                       \
    MEMBER(P, BACKGROUND, INTERACTION, "background", SKIP)             \
    MEMBER(P, TOOLS, INTERACTION, "tools", SKIP)                       \
    MEMBER(P, INSTRUCTION, INTERACTION, "system_instruction", SKIP)    \
    MEMBER(P, CONFIG, INTERACTION, "generation_config", SKIP)          \
    MEMBER(P, AGENT_CONFIG, INTERACTION, "agent_config", SKIP)         \
    MEMBER(P, FORMAT, INTERACTION, "response_format", SKIP)            \
    MEMBER(P, MODALITIES, INTERACTION, "response_modalities", SKIP)    \
    REST(P, INTERACTION_REST, INTERACTION, MORE)                       \
    ELEMENTS(P, LISTED, STEPS, WANT)                                   \
    ELS_INTERACTIONS_STEP_PATHS(P, MEMBER, ELEMENTS, LISTED_, LISTED)

#define ELS_INTERACTIONS_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_INTERACTIONS_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, NOTHING, SKIP, SKIP)
#define ELS_INTERACTIONS_ITEM_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_INTERACTIONS_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, WHOLE, WHOLE, SOME)

ELELEM_SHAPE_PATHS_WITH_REST(ELS_INTERACTIONS_PATHS, ELS_INTERACTIONS_, els_interactions_paths);
ELELEM_SHAPE_MORE_PATHS_WITH_REST(ELS_INTERACTIONS_ITEM_PATHS, ELS_INTERACTIONS_, els_interactions_item_paths);

/* What an item is of. At most one is open under the number of a step. */
typedef enum els_interactions_what {
    ELS_INTERACTIONS_OUTPUT,  /* a text of a model_output; also one that has none yet */
    ELS_INTERACTIONS_MEDIA,   /* another content of one, whose data may be continued */
    ELS_INTERACTIONS_THOUGHT,
    ELS_INTERACTIONS_CALL,
    ELS_INTERACTIONS_OTHER,   /* a step of another type */
    ELS_INTERACTIONS_FAULT    /* no step: what failed, which is kept until the status says that all did */
} els_interactions_what;

/* Members of steps whose value at the start may be empty because a delta brings it. */
static const char *const els_interactions_members[] = { "id",        "call_id",     "name", "server_name", "arguments", "result",
                                                        "signature", "search_type", "content",     "is_error" };

#define ELS_INTERACTIONS_MEMBERS 10

/* Other members whose names are noted, so that each is in the JSON of a step once. */
#define ELS_INTERACTIONS_NOTED 8

/* State of an item. */
typedef struct els_interactions_item {
    uint64_t bytes;      /* of a thought: of its texts; of what failed: the code */
    uint64_t format;     /* of media whose JSON is open: a hash of its members but the data */
    uint16_t written;    /* of another step: bits of the members that were written */
    uint32_t noted[ELS_INTERACTIONS_NOTED]; /* likewise: hashes of the names of others that were */
    uint8_t noted_count;
    uint8_t owed[ELS_INTERACTIONS_MEMBERS]; /* likewise: the elelem_type + 1 of the empty value of one that was not */
    uint8_t what;        /* an els_interactions_what */
    uint8_t had_text;    /* a text, a thought: its text or its summary has begun */
    uint8_t is_held;     /* a call: the arguments that it began with are kept */
    uint8_t is_open;     /* media, another step: its JSON is not closed; of media that is inside the string of the data */
    uint8_t media;       /* a row of els_interactions_media_types */
} els_interactions_item;

/* What is known of the response: the rows from ID to ENVIRONMENT. */
#define ELS_INTERACTIONS_KNOWN 8

/* State of the stream. */
typedef struct els_interactions_stream {
    uint32_t known[ELS_INTERACTIONS_KNOWN]; /* hashes of what was emitted last; 0: nothing */
    uint32_t frame_rest;    /* likewise, of the members that no row names */
    uint32_t metadata_rest;
    uint32_t interaction_rest;
    uint32_t unresolved;    /* calls without a function_result */
    elelem_value passed;    /* of this frame's list: the step that passed last; or none */
    elelem_value data;      /* of this frame: the first large data of a delta; or none */
    uint8_t has_begun;      /* something of a response came */
    uint8_t had_step;       /* a step came in an event of its own */
    uint8_t is_listing;     /* of the frame at hand: what is known of the interaction was emitted before its steps */
    uint8_t has_passed;     /* these data passed, or were left out; 0: they are stored */
    uint8_t is_queued;      /* the status is queued */
    uint8_t has_failed;     /* the status is failed */
} els_interactions_stream;

ELS_PRIVATE els_interactions_stream *els_interactions_stream_of(const elelem_shape_context *c)
{
    return (els_interactions_stream *)elelem_shape_stream_state(c);
}

ELS_PRIVATE els_interactions_item *els_interactions_state(const elelem_shape_item *item)
{
    return (els_interactions_item *)elelem_shape_item_state(item);
}

ELS_PRIVATE elelem_str els_interactions_text_at(const elelem_shape_context *c, unsigned row)
{
    return elelem_shape_string(elelem_shape_field(c, row));
}

ELS_PRIVATE int els_interactions_is_among(elelem_str word, const char *const *words)
{
    while (*words && !elelem_str_is(word, *words))
        words++;
    return *words != NULL;
}

/* Nonzero if the value is null, an empty string or an empty container. */
ELS_PRIVATE int els_interactions_is_empty(elelem_value value)
{
    switch (elelem_value_type(value)) {
    case ELELEM_TYPE_STRING: return elelem_value_text(value).size == 0;
    case ELELEM_TYPE_OBJECT:
    case ELELEM_TYPE_ARRAY: return !elelem_shape_is_there(elelem_value_first(value));
    default: return !elelem_shape_is_value(value);
    }
}

/* Items. */

/* The key of a step that has no number, and that of what failed. */
#define ELS_INTERACTIONS_NO_NUMBER 0xffffffffu
#define ELS_INTERACTIONS_FAULT_KEY 0xfffffffeu

/* The open item of the step with this number; null if there is none. */
ELS_PRIVATE elelem_shape_item *els_interactions_find(const elelem_shape_context *c, uint32_t key)
{
    elelem_shape_item *item = elelem_shape_item_newest(c);

    while (item && (item->key != key || item->waits))
        item = elelem_shape_item_older(c, item);
    return item;
}

/* The open item that a delta or a stop is about; null if there is none. A frame without a number is about the newest, and one whose
   number no step has, about one that began without. */
ELS_PRIVATE elelem_shape_item *els_interactions_current(const elelem_shape_context *c, uint32_t key)
{
    elelem_shape_item *item = els_interactions_find(c, key);

    if (item) return item;
    if (key != ELS_INTERACTIONS_NO_NUMBER) return els_interactions_find(c, ELS_INTERACTIONS_NO_NUMBER);
    item = elelem_shape_item_newest(c);
    while (item && (item->waits || item->key == ELS_INTERACTIONS_FAULT_KEY))
        item = elelem_shape_item_older(c, item);
    return item;
}

ELS_PRIVATE elelem_shape_item *els_interactions_open(elelem_shape_context *c, uint32_t key, els_interactions_what what)
{
    static const uint8_t kinds[] = { 0, ELELEM_PART_PROVIDER_ITEM, ELELEM_PART_REASONING, ELELEM_PART_TOOL_CALL,
                                     ELELEM_PART_PROVIDER_ITEM, ELELEM_PART_PROVIDER_ITEM };
    elelem_part_kind kind = what == ELS_INTERACTIONS_OUTPUT ? elelem_shape_message_kind(c) : (elelem_part_kind)kinds[what];
    elelem_shape_item *item = elelem_shape_item_at(c, elelem_shape_item_open(c, 0, kind, key));

    if (!item) return NULL;
    els_interactions_state(item)->what = (uint8_t)what;
    els_interactions_stream_of(c)->unresolved += what == ELS_INTERACTIONS_CALL;
    return item;
}

/* Metadata. */

/* Adds a member as it is. */
ELS_PRIVATE void els_interactions_add(elelem_shape_context *c, elelem_value member)
{
    elelem_writer_value(elelem_shape_write(c), member);
    elelem_shape_metadata_written(c, elelem_value_key(member));
}

/* Adds the members of an object that are not read, unless they are empty. */
ELS_APART void els_interactions_add_others(elelem_shape_context *c, elelem_value object, const char *const *read)
{
    elelem_value member = elelem_value_first(object);

    if (!elelem_shape_wants_items(c)) return;
    for (; elelem_shape_is_there(member); member = elelem_value_next(member))
        if (!els_interactions_is_among(elelem_value_key(member), read) && !els_interactions_is_empty(member))
            els_interactions_add(c, member);
}

/* Emits the metadata that waits with the item, on a part without text, which may still come. */
ELS_APART void els_interactions_emit_metadata(elelem_shape_context *c, elelem_shape_item *item)
{
    if (!elelem_shape_has_metadata(c)) return;
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        elelem_shape_tool_start(c, item->index, els_str(NULL, 0), els_str(NULL, 0));
        return;
    }
    elelem_shape_text(c, item->index, els_str(NULL, 0));
}

/* Provider items: steps of other types. Their JSON is put together from the members of the start and of the deltas. A member that is
   empty at the start is written when a delta brings its value, or at the end. */

ELS_PRIVATE int els_interactions_ends(elelem_str type, const char *end)
{
    size_t size = strlen(end);

    return type.size > size && memcmp(type.data + type.size - size, end, size) == 0;
}

/* Nonzero if the provider ran what a step of this type is about. */
ELS_PRIVATE int els_interactions_is_hosted(elelem_str type)
{
    if (elelem_str_is(type, "function_result")) return 0;
    return els_interactions_ends(type, "_call") || els_interactions_ends(type, "_result");
}

ELS_PRIVATE size_t els_interactions_member_of(elelem_str key)
{
    size_t i = 0;

    while (i < ELS_INTERACTIONS_MEMBERS && !elelem_str_is(key, els_interactions_members[i]))
        i++;
    return i;
}

/* Writes a member after those that were written before. */
ELS_PRIVATE void els_interactions_write_member(elelem_shape_context *c, elelem_str key, elelem_value value)
{
    elelem_shape_write_raw(c, elelem_str_of(","));
    elelem_writer_string(elelem_shape_write_on(c), key);
    elelem_shape_write_raw(c, elelem_str_of(":"));
    elelem_writer_value(elelem_shape_write_on(c), value);
}

/* Nonzero if an earlier frame had the member. If more others came than are noted, each may have been among them. */
ELS_PRIVATE int els_interactions_is_written(const els_interactions_item *state, elelem_str key)
{
    size_t which = els_interactions_member_of(key), i = 0;
    uint32_t hash = (uint32_t)elelem_shape_hash(key);

    if (elelem_str_is(key, "type")) return 0;
    if (which < ELS_INTERACTIONS_MEMBERS) return state->written >> which & 1;
    while (i < state->noted_count && state->noted[i] != hash)
        i++;
    return i < state->noted_count || i == ELS_INTERACTIONS_NOTED;
}

/* Notes the members of the object that no table has, whose names are in the JSON now. */
ELS_PRIVATE void els_interactions_note(els_interactions_item *state, elelem_value object)
{
    elelem_value member = elelem_value_first(object);

    for (; elelem_shape_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (elelem_str_is(key, "type") || els_interactions_member_of(key) < ELS_INTERACTIONS_MEMBERS) continue;
        if (!els_interactions_is_written(state, key)) state->noted[state->noted_count++] = (uint32_t)elelem_shape_hash(key);
    }
}

/* Nonzero for a value that a delta may replace. */
ELS_PRIVATE int els_interactions_is_owed(elelem_value member)
{
    int is_true = 1;

    elelem_value_to_bool(member, &is_true);
    return !is_true || els_interactions_is_empty(member);
}

/* Writes the members of the object that were not, and notes those that are empty. */
ELS_PRIVATE void els_interactions_write_members(elelem_shape_context *c, els_interactions_item *state, elelem_value object)
{
    elelem_value member = elelem_value_first(object);

    for (; elelem_shape_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        size_t which = els_interactions_member_of(key);
        int is_known = which < ELS_INTERACTIONS_MEMBERS;
        if (elelem_str_is(key, "type") || els_interactions_is_written(state, key)) continue;
        if (is_known && els_interactions_is_owed(member)) {
            state->owed[which] = (uint8_t)(elelem_value_type(member) + 1);
            continue;
        }
        if (is_known) state->written |= (uint16_t)(1u << which);
        els_interactions_write_member(c, key, member);
    }
    els_interactions_note(state, object);
}

/* Adds as metadata what the object says again, which may be otherwise than before. */
ELS_PRIVATE void els_interactions_add_again(elelem_shape_context *c, const els_interactions_item *state, elelem_value object)
{
    elelem_value member = elelem_value_first(object);

    for (; state->is_open && elelem_shape_is_there(member); member = elelem_value_next(member))
        if (els_interactions_is_written(state, elelem_value_key(member)) && !els_interactions_is_empty(member))
            els_interactions_add(c, member);
}

/* What can be shown of a step: the code, what it printed, or what a tool is asked, a text or a list of texts. */
ELS_PRIVATE void els_interactions_caption(elelem_shape_context *c, uint32_t index, elelem_str type, elelem_value object)
{
    elelem_value arguments = elelem_value_get(object, "arguments"), code = elelem_value_get(arguments, "code");

    if (elelem_str_is(type, "code_execution_result"))
        elelem_shape_provider_caption(c, index, type, elelem_shape_string_in(object, "result"));
    if (els_interactions_ends(type, "_call"))
        elelem_shape_provider_captions(c, index, type, elelem_shape_is_there(code) ? code : elelem_value_first(arguments));
}

/* Adds a delta to another step, whose type is kept, or opens one with its start. */
ELS_PRIVATE void els_interactions_add_step(elelem_shape_context *c, elelem_shape_item *item, elelem_value object)
{
    els_interactions_item *state = els_interactions_state(item);
    elelem_str type = elelem_shape_kept(c, item);

    els_interactions_add_again(c, state, object);
    if (!state->is_open) elelem_shape_metadata_kept(c, item->index, "step");
    elelem_shape_write(c);
    if (!state->is_open) {
        elelem_shape_write_raw(c, elelem_str_of("{\"type\":"));
        elelem_writer_string(elelem_shape_write_on(c), type);
    }
    state->is_open = 1;
    els_interactions_write_members(c, state, object);
    elelem_shape_provider_written(c, item->index, type);
    els_interactions_caption(c, item->index, type, object);
}

/* Opens another step; its JSON is not begun. */
ELS_PRIVATE elelem_shape_item *els_interactions_open_other(elelem_shape_context *c, uint32_t key, elelem_str type)
{
    elelem_shape_item *item = els_interactions_open(c, key, ELS_INTERACTIONS_OTHER);

    if (!item) return NULL;
    item->hosted = (uint8_t)els_interactions_is_hosted(type);
    if (elelem_str_is(type, "function_result") && els_interactions_stream_of(c)->unresolved > 0)
        els_interactions_stream_of(c)->unresolved--;
    return item;
}

/* Writes what is owed, and closes the JSON. */
ELS_PRIVATE void els_interactions_close_step(elelem_shape_context *c, const elelem_shape_item *item)
{
    static const char *const empty[] = { "null", "null", "false", "null", "\"\"", "[]", "{}" };
    els_interactions_item *state = els_interactions_state(item);
    size_t i;

    elelem_shape_write(c);
    for (i = 0; i < ELS_INTERACTIONS_MEMBERS; i++) {
        if (!state->owed[i] || (state->written >> i & 1)) continue;
        elelem_shape_write_raw(c, elelem_str_of(",\""));
        elelem_shape_write_raw(c, elelem_str_of(els_interactions_members[i]));
        elelem_shape_write_raw(c, elelem_str_of("\":"));
        elelem_shape_write_raw(c, elelem_str_of(empty[(state->owed[i] - 1) % ELS_COUNT(empty)]));
    }
    elelem_shape_write_raw(c, elelem_str_of("}"));
    elelem_shape_provider_written(c, item->index, elelem_shape_kept(c, item));
    state->is_open = 0;
}

/* Contents of a model_output: texts. */

/* What accompanies a text: citations, and other members under their own names. */
ELS_PRIVATE void els_interactions_add_notes(elelem_shape_context *c, elelem_value content)
{
    static const char *const read[] = { "type", "text", "annotations", NULL };
    elelem_value annotations = elelem_value_get(content, "annotations");

    if (elelem_shape_is_value(annotations) && !els_interactions_is_empty(annotations))
        elelem_shape_metadata_value(c, "annotations", annotations);
    els_interactions_add_others(c, content, read);
}

/* A text, or a piece of one; `content` has what else there is. */
ELS_PRIVATE void els_interactions_say(elelem_shape_context *c, elelem_shape_item *item, elelem_str text, elelem_value content)
{
    els_interactions_add_notes(c, content);
    if (text.size > 0) elelem_shape_text(c, item->index, text);
    else els_interactions_emit_metadata(c, item);
    els_interactions_state(item)->had_text |= text.size > 0;
}

/* Other contents. */

static const char *const els_interactions_media_types[] = { "audio", "image", "video", "document" };

#define ELS_INTERACTIONS_AUDIO 0u
#define ELS_INTERACTIONS_DOCUMENT 3u

/* The row of the type of a content with data; their number if it is none of these. One whose type did not come yet has that of its
   MIME type. */
ELS_PRIVATE size_t els_interactions_media_of(elelem_value content)
{
    elelem_str type = elelem_shape_string_in(content, "type"), mime = elelem_shape_string_in(content, "mime_type");
    const char *slash = mime.size > 0 ? (const char *)memchr(mime.data, '/', mime.size) : NULL;
    elelem_str word = type;
    size_t i;

    if (type.size == 0 && slash) word = els_str(mime.data, (size_t)(slash - mime.data));
    for (i = 0; i < ELS_COUNT(els_interactions_media_types); i++)
        if (elelem_str_is(word, els_interactions_media_types[i])) return i;
    return type.size == 0 && slash ? ELS_INTERACTIONS_DOCUMENT : i;
}

ELS_PRIVATE elelem_str els_interactions_media_type(const elelem_shape_item *item)
{
    return elelem_str_of(els_interactions_media_types[els_interactions_state(item)->media]);
}

/* Nonzero for a member that is not written with those before the data. */
ELS_PRIVATE int els_interactions_is_data(elelem_value member)
{
    return elelem_str_is(elelem_value_key(member), "type") || elelem_str_is(elelem_value_key(member), "data");
}

/* A hash of what a content says of its data; that of nothing if it says nothing. */
ELS_PRIVATE uint64_t els_interactions_format(elelem_value content)
{
    uint64_t hash = ELELEM_SHAPE_HASH_START;
    elelem_value member = elelem_value_first(content);

    for (; elelem_shape_is_there(member); member = elelem_value_next(member))
        if (!els_interactions_is_data(member)) hash = elelem_shape_hash_member(hash, member);
    return hash;
}

/* Writes the members from this one on but for type and data. */
ELS_PRIVATE void els_interactions_write_format(elelem_shape_context *c, elelem_value member)
{
    for (; elelem_shape_is_there(member); member = elelem_value_next(member))
        if (!els_interactions_is_data(member)) els_interactions_write_member(c, elelem_value_key(member), member);
}

/* Begins the JSON of media, up to its data. */
ELS_PRIVATE void els_interactions_begin_data(elelem_shape_context *c, elelem_shape_item *item, size_t media, elelem_value content)
{
    els_interactions_item *state = els_interactions_state(item);

    state->media = (uint8_t)media;
    state->format = els_interactions_format(content);
    state->is_open = 1;
    elelem_shape_write(c);
    elelem_shape_write_raw(c, elelem_str_of("{\"type\":"));
    elelem_writer_string(elelem_shape_write_on(c), els_interactions_media_type(item));
    els_interactions_write_format(c, elelem_value_first(content));
    elelem_shape_write_raw(c, elelem_str_of(",\"data\":\""));
}

/* Closes the JSON of media, which is open while the item is, with the members after the data that passed, of which there may be
   none. */
ELS_PRIVATE void els_interactions_end_data(elelem_shape_context *c, elelem_shape_item *item, elelem_value rest)
{
    els_interactions_item *state = els_interactions_state(item);

    if (state->what != ELS_INTERACTIONS_MEDIA) return;
    state->is_open = 0;
    elelem_shape_write(c);
    elelem_shape_write_raw(c, elelem_str_of("\""));
    els_interactions_write_format(c, rest);
    elelem_shape_write_raw(c, elelem_str_of("}"));
    elelem_shape_provider_written(c, item->index, els_interactions_media_type(item));
}

/* Ends the content that is open. */
ELS_PRIVATE void els_interactions_end_content(elelem_shape_context *c, elelem_shape_item *item)
{
    const elelem_value none = ELELEM_INIT;

    els_interactions_end_data(c, item, none);
    elelem_shape_flush(c, item->index);
}

/* Opens a content that is no text, which ends the one before it. Null if none is wanted. */
ELS_APART elelem_shape_item *els_interactions_open_media(elelem_shape_context *c, uint32_t key)
{
    elelem_shape_item *item = els_interactions_current(c, key);

    if (item) els_interactions_end_content(c, item);
    item = elelem_shape_wants_items(c) ? els_interactions_open(c, key, ELS_INTERACTIONS_MEDIA) : NULL;
    if (item) elelem_shape_metadata_text(c, "step", elelem_str_of("model_output"));
    return item;
}

/* Nonzero if a content with data is a further piece of the audio that is open. */
ELS_PRIVATE int els_interactions_is_more_audio(const elelem_shape_item *item, elelem_value content)
{
    const els_interactions_item *state = item ? els_interactions_state(item) : NULL;
    uint64_t format = els_interactions_format(content);

    if (!state || state->what != ELS_INTERACTIONS_MEDIA || state->media != ELS_INTERACTIONS_AUDIO) return 0;
    return format == ELELEM_SHAPE_HASH_START || format == state->format;
}

/* After a content: it is over, unless it is audio that can be joined to what follows. Then a text may begin. */
ELS_APART void els_interactions_after_content(elelem_shape_context *c, uint32_t key, elelem_shape_item *item)
{
    if (item && els_interactions_state(item)->is_open) return;
    if (item) elelem_shape_flush(c, item->index);
    els_interactions_open(c, key, ELS_INTERACTIONS_OUTPUT);
}

/* A piece of audio. The pieces are joined if they are of one format: the string stays open, unless it ends in padding. */
ELS_APART void els_interactions_audio(elelem_shape_context *c, uint32_t key, elelem_value content, elelem_str data)
{
    const elelem_value none = ELELEM_INIT;
    elelem_shape_item *item = els_interactions_current(c, key);

    if (els_interactions_is_more_audio(item, content)) elelem_shape_write(c);
    else if ((item = els_interactions_open_media(c, key)) != NULL)
        els_interactions_begin_data(c, item, ELS_INTERACTIONS_AUDIO, content);
    if (item) {
        elelem_writer_string_piece(elelem_shape_write_on(c), data);
        elelem_shape_provider_written(c, item->index, els_interactions_media_type(item));
        if (data.data[data.size - 1] == '=') els_interactions_end_data(c, item, none);
    }
    els_interactions_after_content(c, key, item);
}

/* A delta whose data passed: what follows them. */
ELS_PRIVATE void els_interactions_passed(elelem_shape_context *c, uint32_t key, elelem_value data)
{
    elelem_shape_item *item = els_interactions_current(c, key);
    elelem_value rest = elelem_value_next(data), member = rest;
    int is_padded;

    if (!item || els_interactions_state(item)->what != ELS_INTERACTIONS_MEDIA) return;
    is_padded = elelem_shape_passed_last(c) == '=' || els_interactions_state(item)->media != ELS_INTERACTIONS_AUDIO;
    while (elelem_shape_is_there(member) && els_interactions_is_data(member))
        member = elelem_value_next(member);
    if (is_padded || elelem_shape_is_there(member)) els_interactions_end_data(c, item, rest);
    els_interactions_after_content(c, key, item);
}

/* A content that is no text. It ends the text before it. */
ELS_APART void els_interactions_media(elelem_shape_context *c, uint32_t key, elelem_value content)
{
    elelem_shape_item *item = els_interactions_open_media(c, key);

    if (item) elelem_shape_provider_value(c, item->index, elelem_shape_string_in(content, "type"), content);
    els_interactions_after_content(c, key, item);
}

/* The same in a delta, after which more of it may come. */
ELS_PRIVATE void els_interactions_media_delta(elelem_shape_context *c, uint32_t key, elelem_value content)
{
    elelem_str data = elelem_shape_string_in(content, "data");

    if (data.size > 0 && elelem_str_is(elelem_shape_string_in(content, "type"), "audio"))
        els_interactions_audio(c, key, content, data);
    else
        els_interactions_media(c, key, content);
}

/* Nonzero if the frame that arrives has said that it is another event than a delta. */
ELS_PRIVATE int els_interactions_is_other_event(const elelem_shape_context *c)
{
    elelem_str type = elelem_shape_string_in(elelem_shape_document(c), "event_type");

    return type.size > 0 && !elelem_str_is(type, "step.delta");
}

/* Data of a delta that begin to pass, if it is known whose they are and of what type. */
ELS_PRIVATE uint32_t els_interactions_pass_first_data(elelem_shape_context *c, elelem_value data)
{
    elelem_value delta = elelem_value_parent(data);
    size_t media = els_interactions_media_of(delta);
    elelem_shape_item *item;
    uint32_t key;

    if (els_interactions_is_other_event(c)) return ELELEM_SHAPE_STORED;
    if (!elelem_shape_number(elelem_value_get(elelem_shape_document(c), "index"), &key)) return ELELEM_SHAPE_STORED;
    item = els_interactions_current(c, key);
    if (media == ELS_COUNT(els_interactions_media_types)) return ELELEM_SHAPE_STORED;
    if (item && els_interactions_state(item)->what > ELS_INTERACTIONS_MEDIA) return ELELEM_SHAPE_STORED;
    elelem_shape_release(c, 0);
    if (media != ELS_INTERACTIONS_AUDIO || !els_interactions_is_more_audio(item, delta)) {
        item = els_interactions_open_media(c, key);
        if (!item) return ELELEM_NO_INDEX;
        els_interactions_begin_data(c, item, media, delta);
        elelem_shape_provider_written(c, item->index, els_interactions_media_type(item));
    }
    elelem_shape_pass_as(c, els_interactions_media_types[media]);
    return item->index;
}

/* The same of any data of a delta. After data that passed, others of the same delta are left out, and after such as are stored the last of
   them counts: nothing is looked at again. */
ELS_PRIVATE uint32_t els_interactions_pass_data(elelem_shape_context *c, elelem_value data)
{
    els_interactions_stream *stream = els_interactions_stream_of(c);
    uint32_t index;

    if (elelem_shape_is_same(elelem_value_parent(stream->data), elelem_value_parent(data)))
        return stream->has_passed ? ELELEM_NO_INDEX : ELELEM_SHAPE_STORED;
    index = els_interactions_pass_first_data(c, data);
    stream->data = data;
    stream->has_passed = index != ELELEM_SHAPE_STORED;
    return index;
}

/* The open text of the step, or a new one. Another content of the same step ends. */
ELS_PRIVATE elelem_shape_item *els_interactions_output(elelem_shape_context *c, uint32_t key)
{
    elelem_shape_item *item = els_interactions_current(c, key);

    if (item && els_interactions_state(item)->what == ELS_INTERACTIONS_MEDIA) {
        els_interactions_end_content(c, item);
        item = NULL;
    }
    return item ? item : els_interactions_open(c, key, ELS_INTERACTIONS_OUTPUT);
}

/* A content that is text. Another one than the first text of a step begins an item. */
ELS_APART void els_interactions_text_content(elelem_shape_context *c, uint32_t key, elelem_value content)
{
    elelem_shape_item *item = els_interactions_output(c, key);

    /* Not reached: the output of the step was open, or what ended left room for one */
    if (!item) return;
    if (els_interactions_state(item)->had_text) {
        elelem_shape_flush(c, item->index);
        item = els_interactions_open(c, key, ELS_INTERACTIONS_OUTPUT);
    }
    /* Not reached: likewise */
    if (!item) return;
    els_interactions_say(c, item, elelem_shape_string_in(content, "text"), content);
}

/* A content that is whole. */
ELS_APART void els_interactions_content(elelem_shape_context *c, uint32_t key, elelem_value content)
{
    elelem_str type = elelem_shape_string_in(content, "type");

    if (elelem_value_type(content) != ELELEM_TYPE_OBJECT) return;
    if (type.size > 0 && !elelem_str_is(type, "text")) els_interactions_media(c, key, content);
    else els_interactions_text_content(c, key, content);
}

/* Keeps an error with a code of gRPC, as a C string, until the status says whether the response failed. */
ELS_APART void els_interactions_keep_fault(elelem_shape_context *c, elelem_value error)
{
    elelem_str message = elelem_shape_string_in(error, "message");
    uint32_t index = elelem_shape_item_find(c, 0, ELELEM_PART_PROVIDER_ITEM, ELS_INTERACTIONS_FAULT_KEY);
    elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (!item) item = els_interactions_open(c, ELS_INTERACTIONS_FAULT_KEY, ELS_INTERACTIONS_FAULT);
    if (!item) return;
    elelem_shape_kept_resize(c, item->index, 0);
    elelem_shape_keep(c, item->index, message);
    elelem_shape_keep(c, item->index, els_str("", 1));
    els_interactions_state(item)->bytes = elelem_shape_number_or(elelem_value_get(error, "code"), 0);
}

/* Contents of the start of a step. What else it has goes with the first text. */
ELS_APART void els_interactions_begin_output(elelem_shape_context *c, uint32_t key, elelem_value step)
{
    static const char *const read[] = { "type", "content", NULL };
    elelem_value content = elelem_value_first(elelem_value_get(step, "content")), error = elelem_value_get(step, "error");
    elelem_shape_item *item;

    if (elelem_value_type(error) == ELELEM_TYPE_OBJECT) els_interactions_keep_fault(c, error);
    item = els_interactions_open(c, key, ELS_INTERACTIONS_OUTPUT);
    if (!item) return;
    els_interactions_add_others(c, step, read);
    els_interactions_emit_metadata(c, item);
    for (; elelem_shape_is_there(content) && !elelem_shape_is_over(c); content = elelem_value_next(content))
        els_interactions_content(c, key, content);
}

/* Thoughts. */

/* The last signature that is not empty counts. */
ELS_PRIVATE void els_interactions_sign(elelem_shape_context *c, uint32_t index, elelem_str signature)
{
    char *kept = signature.size > 0 ? (char *)elelem_shape_kept_resize(c, index, signature.size) : NULL;

    if (kept) memcpy(kept, signature.data, signature.size);
}

/* One content of the summary. */
ELS_PRIVATE void els_interactions_think(elelem_shape_context *c, elelem_shape_item *item, elelem_value content)
{
    static const char *const read[] = { "type", "text", NULL };
    els_interactions_item *state = els_interactions_state(item);
    elelem_str text = elelem_shape_string_in(content, "text"), type = elelem_shape_string_in(content, "type");
    elelem_shape_joined joined;

    if (type.size > 0 && !elelem_str_is(type, "text")) {
        if (elelem_shape_wants_items(c)) elelem_shape_metadata_in_array(c, "summary", content);
        els_interactions_emit_metadata(c, item);
        return;
    }
    if (text.size > 0 && state->had_text) {
        elelem_writer *writer = elelem_shape_write(c);
        elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
        elelem_writer_uint64(writer, state->bytes);
        elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
        elelem_shape_metadata_written(c, elelem_str_of("part_offsets"));
    }
    els_interactions_add_others(c, content, read);
    joined = elelem_shape_join(c, item->index, text);
    if (text.size > 0) elelem_shape_text(c, item->index, text);
    else els_interactions_emit_metadata(c, item);
    state->had_text |= text.size > 0;
    state->bytes += joined.size + joined.rest.size;
}

ELS_APART void els_interactions_begin_thought(elelem_shape_context *c, uint32_t key, elelem_value step)
{
    static const char *const read[] = { "type", "signature", "summary", NULL };
    elelem_shape_item *item = els_interactions_open(c, key, ELS_INTERACTIONS_THOUGHT);
    elelem_value content = elelem_value_first(elelem_value_get(step, "summary"));

    if (!item) return;
    els_interactions_sign(c, item->index, elelem_shape_string_in(step, "signature"));
    els_interactions_add_others(c, step, read);
    els_interactions_emit_metadata(c, item);
    for (; elelem_shape_is_there(content); content = elelem_value_next(content))
        els_interactions_think(c, item, content);
}

/* Calls. */

typedef struct els_interactions_keeping {
    elelem_shape_context *c;
    uint32_t index;
} els_interactions_keeping;

ELS_PRIVATE elelem_status els_interactions_keep(void *context, const void *bytes, size_t size)
{
    const els_interactions_keeping *keeping = (const els_interactions_keeping *)context;

    elelem_shape_keep(keeping->c, keeping->index, els_str(bytes, size));
    return ELELEM_OK;
}

/* Keeps the arguments that a call begins with, until it is known whether deltas replace them. */
ELS_PRIVATE void els_interactions_hold(elelem_shape_context *c, elelem_shape_item *item, elelem_value arguments)
{
    els_interactions_keeping keeping;
    elelem_sink sink;
    elelem_writer writer;

    keeping.c = c;
    keeping.index = item->index;
    sink.write = els_interactions_keep;
    sink.context = &keeping;
    elelem_writer_init(&writer, sink, 0);
    if (elelem_value_type(arguments) == ELELEM_TYPE_STRING) elelem_writer_json(&writer, elelem_value_text(arguments));
    else elelem_writer_value(&writer, arguments);
    els_interactions_state(item)->is_held = 1;
}

ELS_PRIVATE void els_interactions_arguments(elelem_shape_context *c, uint32_t index, elelem_value arguments)
{
    if (elelem_value_type(arguments) == ELELEM_TYPE_STRING) elelem_shape_tool_arguments(c, index, elelem_value_text(arguments));
    else elelem_shape_tool_arguments_value(c, index, arguments);
}

/* Nonzero if the arguments that a call begins with are the first piece of a text, which deltas continue. */
ELS_PRIVATE int els_interactions_is_piece(elelem_value arguments)
{
    return elelem_value_type(arguments) == ELELEM_TYPE_STRING && !elelem_str_is(elelem_value_text(arguments), "{}");
}

ELS_APART void els_interactions_begin_call(elelem_shape_context *c, uint32_t key, elelem_value step, int is_whole)
{
    static const char *const read[] = { "type", "id", "name", "arguments", "signature", NULL };
    elelem_shape_item *item = els_interactions_open(c, key, ELS_INTERACTIONS_CALL);
    elelem_str id = elelem_shape_string_in(step, "id"), name = elelem_shape_string_in(step, "name");
    elelem_str signature = elelem_shape_string_in(step, "signature");
    elelem_value arguments = elelem_value_get(step, "arguments");

    if (!item) return;
    if (signature.size > 0) elelem_shape_metadata_text(c, "step_signature", signature);
    els_interactions_add_others(c, step, read);
    if (id.size > 0) elelem_shape_tool_start(c, item->index, id, name);
    else elelem_shape_tool_start_unnamed(c, item->index, name);
    if (els_interactions_is_empty(arguments)) return;
    if (is_whole || els_interactions_is_piece(arguments)) els_interactions_arguments(c, item->index, arguments);
    else els_interactions_hold(c, item, arguments);
}

/* A piece of the arguments; the first replaces those that the call began with. */
ELS_PRIVATE void els_interactions_argue(elelem_shape_context *c, elelem_shape_item *item, elelem_value arguments)
{
    els_interactions_item *state = els_interactions_state(item);

    if (els_interactions_is_empty(arguments)) return;
    if (state->is_held) elelem_shape_kept_resize(c, item->index, 0);
    state->is_held = 0;
    els_interactions_arguments(c, item->index, arguments);
}

/* No delta replaced the arguments that the call began with. Those that are empty are all only if the call is whole. */
ELS_PRIVATE void els_interactions_release_held(elelem_shape_context *c, elelem_shape_item *item, int is_whole)
{
    if (!els_interactions_state(item)->is_held) return;
    if (!is_whole && elelem_str_is(elelem_shape_kept(c, item), "{}")) return;
    elelem_shape_write(c);
    elelem_shape_write_raw(c, elelem_shape_kept(c, item));
    elelem_shape_tool_arguments_written(c, item->index);
    els_interactions_state(item)->is_held = 0;
}

/* Steps. */

/* What the end of a step adds: the signature of a thought, which goes with the FLUSH, or if nothing was to be flushed yet, with a part
   of its own. */
ELS_PRIVATE void els_interactions_finish_item(elelem_shape_context *c, elelem_shape_item *item, int is_whole)
{
    const els_interactions_item *state = els_interactions_state(item);
    const elelem_value none = ELELEM_INIT;

    if (is_whole) els_interactions_release_held(c, item, 1);
    if (state->what == ELS_INTERACTIONS_OTHER && state->is_open && is_whole) els_interactions_close_step(c, item);
    if (is_whole) els_interactions_end_data(c, item, none);
    if (state->what != ELS_INTERACTIONS_THOUGHT) return;
    elelem_shape_metadata_kept(c, item->index, "step_signature");
    if (!item->had_part) els_interactions_emit_metadata(c, item);
}

/* Ends a step at its step.stop, which comes before the status. */
ELS_PRIVATE void els_interactions_stop(elelem_shape_context *c, elelem_shape_item *item)
{
    uint32_t index = item->index;

    els_interactions_finish_item(c, item, 1);
    elelem_shape_item_close(c, index);
}

/* Ends what no step.stop ended, and what waits for the status. */
ELS_PRIVATE void els_interactions_end_all(elelem_shape_context *c)
{
    elelem_shape_ending ending = elelem_shape_choice_ending(c, 0);
    elelem_shape_item *item;

    while ((item = elelem_shape_item_oldest(c)) != NULL) {
        uint32_t index = item->index;
        if (!item->waits) els_interactions_finish_item(c, item, ending == ELELEM_SHAPE_ENDED);
        elelem_shape_flush_as(c, index, ending);
    }
}

ELS_APART void els_interactions_begin_other(elelem_shape_context *c, uint32_t key, elelem_value step, int is_whole)
{
    elelem_str type = elelem_shape_string_in(step, "type");
    elelem_shape_item *item = els_interactions_open_other(c, key, type);

    if (!item || !elelem_shape_wants_items(c)) return;
    if (!is_whole) {
        elelem_shape_keep(c, item->index, type);
        els_interactions_add_step(c, item, step);
        return;
    }
    elelem_shape_metadata_text(c, "step", type);
    elelem_shape_provider_value(c, item->index, type, step);
    els_interactions_caption(c, item->index, type, step);
}

/* Ends the step that is open under this key, if there is one: what it began with is not replaced any more. */
ELS_APART void els_interactions_end_open(elelem_shape_context *c, uint32_t key)
{
    elelem_shape_item *open;
    uint32_t index;

    elelem_shape_release(c, 0);
    open = els_interactions_find(c, key);
    if (!open) return;
    index = open->index;
    els_interactions_release_held(c, open, 0);
    els_interactions_finish_item(c, open, 0);
    elelem_shape_flush_as(c, index, ELELEM_SHAPE_STOPPED);
}

/* Begins a step, which may be whole. One that is open under its number ends here. A step without a type is what its deltas say. */
ELS_PRIVATE void els_interactions_begin(elelem_shape_context *c, uint32_t key, elelem_value step, int is_whole)
{
    elelem_str type = elelem_shape_string_in(step, "type");

    els_interactions_end_open(c, key);
    if (elelem_str_is(type, "model_output")) els_interactions_begin_output(c, key, step);
    else if (elelem_str_is(type, "thought")) els_interactions_begin_thought(c, key, step);
    else if (elelem_str_is(type, "function_call")) els_interactions_begin_call(c, key, step, is_whole);
    else if (type.size > 0) els_interactions_begin_other(c, key, step, is_whole);
}

/* Deltas. */

/* The open item of this kind for a delta, or a new one, if its start did not come. Null if another step has this number. */
ELS_PRIVATE elelem_shape_item *els_interactions_for(elelem_shape_context *c, uint32_t key, els_interactions_what what)
{
    elelem_shape_item *item = els_interactions_current(c, key);

    if (what == ELS_INTERACTIONS_OUTPUT) item = els_interactions_output(c, key);
    else if (!item) item = els_interactions_open(c, key, what);
    return item && els_interactions_state(item)->what == what ? item : NULL;
}

/* A delta of a type that is not known: a content, or the rest of another step, or what a thought or a call says in addition. */
ELS_PRIVATE void els_interactions_other_delta(elelem_shape_context *c, uint32_t key, elelem_str type, elelem_value delta)
{
    static const char *const read[] = { "type", NULL };
    elelem_shape_item *item = els_interactions_current(c, key);
    int is_step = els_interactions_ends(type, "_call") || els_interactions_ends(type, "_result");

    if (!item && is_step) {
        els_interactions_begin_other(c, key, delta, 0);
    } else if (!item || els_interactions_state(item)->what <= ELS_INTERACTIONS_MEDIA) {
        if (type.size > 0) els_interactions_media_delta(c, key, delta);
    } else if (els_interactions_state(item)->what != ELS_INTERACTIONS_OTHER) {
        els_interactions_add_others(c, delta, read);
        els_interactions_emit_metadata(c, item);
    } else if (elelem_shape_wants_items(c)) {
        els_interactions_add_step(c, item, delta);
    }
}

ELS_PRIVATE void els_interactions_text_delta(elelem_shape_context *c, uint32_t key, elelem_value delta)
{
    elelem_shape_item *item = els_interactions_for(c, key, ELS_INTERACTIONS_OUTPUT);

    if (item) els_interactions_say(c, item, els_interactions_text_at(c, ELS_INTERACTIONS_DELTA_TEXT), delta);
}

ELS_PRIVATE void els_interactions_thought_delta(elelem_shape_context *c, uint32_t key, elelem_value delta)
{
    static const char *const read[] = { "type", "content", "signature", NULL };
    elelem_shape_item *item = els_interactions_for(c, key, ELS_INTERACTIONS_THOUGHT);
    elelem_value content = elelem_shape_field(c, ELS_INTERACTIONS_DELTA_CONTENT);

    if (!item) return;
    els_interactions_sign(c, item->index, els_interactions_text_at(c, ELS_INTERACTIONS_DELTA_SIGNATURE));
    els_interactions_add_others(c, delta, read);
    if (elelem_value_type(content) == ELELEM_TYPE_OBJECT) els_interactions_think(c, item, content);
    else els_interactions_emit_metadata(c, item);
}

/* A piece of the arguments, or all that its start left out. */
ELS_PRIVATE void els_interactions_call_delta(elelem_shape_context *c, uint32_t key, elelem_value delta)
{
    static const char *const read[] = { "type", "id", "name", "arguments", "signature", NULL };
    elelem_shape_item *item = els_interactions_for(c, key, ELS_INTERACTIONS_CALL);
    elelem_str signature = els_interactions_text_at(c, ELS_INTERACTIONS_DELTA_SIGNATURE);

    if (!item) return;
    if (signature.size > 0) elelem_shape_metadata_text(c, "step_signature", signature);
    els_interactions_add_others(c, delta, read);
    elelem_shape_tool_start(c, item->index, els_interactions_text_at(c, ELS_INTERACTIONS_DELTA_ID),
                            els_interactions_text_at(c, ELS_INTERACTIONS_DELTA_NAME));
    els_interactions_argue(c, item, elelem_shape_field(c, ELS_INTERACTIONS_DELTA_ARGUMENTS));
}

/* A signature, which is of a thought unless a call or a text is open. */
ELS_PRIVATE void els_interactions_signature_delta(elelem_shape_context *c, uint32_t key, elelem_value delta)
{
    const elelem_shape_item *item = els_interactions_current(c, key);
    unsigned what = item ? els_interactions_state(item)->what : (unsigned)ELS_INTERACTIONS_THOUGHT;

    if (what == ELS_INTERACTIONS_CALL) els_interactions_call_delta(c, key, delta);
    else if (what == ELS_INTERACTIONS_OUTPUT) els_interactions_text_delta(c, key, delta);
    else els_interactions_thought_delta(c, key, delta);
}

typedef struct els_interactions_delta_row {
    const char *type;
    void (*work)(elelem_shape_context *c, uint32_t key, elelem_value delta);
} els_interactions_delta_row;

static const els_interactions_delta_row els_interactions_deltas[] = {
    { "text", els_interactions_text_delta },
    { "arguments_delta", els_interactions_call_delta },
    { "thought_summary", els_interactions_thought_delta },
    { "thought_signature", els_interactions_signature_delta },
    { "function_call", els_interactions_call_delta },
    { "text_annotation_delta", els_interactions_text_delta },
    { "text_annotation", els_interactions_text_delta },
};

ELS_PRIVATE void els_interactions_delta(elelem_shape_context *c, uint32_t key, elelem_value delta)
{
    const els_interactions_stream *stream = els_interactions_stream_of(c);
    elelem_str type;
    size_t i = 0;

    if (stream->has_passed && elelem_shape_is_same(elelem_value_parent(stream->data), delta)) {
        els_interactions_passed(c, key, stream->data);
        return;
    }
    elelem_shape_fields_find(c, delta, ELS_INTERACTIONS_DELTA_TYPE, ELS_INTERACTIONS_DELTA_CONTENT, ELS_INTERACTIONS_DELTA_TYPE);
    type = els_interactions_text_at(c, ELS_INTERACTIONS_DELTA_TYPE);
    if (type.size == 0 && els_interactions_text_at(c, ELS_INTERACTIONS_DELTA_TEXT).size > 0) type = elelem_str_of("text");
    elelem_shape_release(c, 0);
    while (i < ELS_COUNT(els_interactions_deltas) && !elelem_str_is(type, els_interactions_deltas[i].type))
        i++;
    if (i < ELS_COUNT(els_interactions_deltas)) els_interactions_deltas[i].work(c, key, delta);
    else els_interactions_other_delta(c, key, type, delta);
}

#endif

#endif
