#ifndef ELS_SHAPE_CHAT_C
#define ELS_SHAPE_CHAT_C
#include "shape_chat.h"
#include "base.c"
#include "recovery.h"

/* >> shape_chat */

#ifndef ELELEM_NO_CHAT

/* A chunk: {"choices":[{"index":0,"delta":{...},"finish_reason":null}],"usage":{...},"error":{...}}
   Real ones put their members in any order, so a chunk is worked on when it is whole. Of the choices their BEGIN is wanted,
   because a chunk may say nothing, and still is one.
   Members are looked up from one row to another: of the root from OBJECT to ROOT_REST, of a choice from INDEX to CHOICE_REST, of
   a delta from CONTENT to DELTA_REST. A new one belongs between these. What most chunks have comes first, because then it is
   found sooner. The last row of each is what no other names. Of what is no text, no reasoning and no call MORE is wanted. */
#define ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, MORE, LEADS, GROQS, SAYS, REPEATS) \
    MEMBER(P, OBJECT, ROOT, "object", WHOLE)                           \
    MEMBER(P, CHOICES, ROOT, "choices", BEGIN)                         \
    MEMBER(P, ID, ROOT, "id", MORE)                                    \
    MEMBER(P, MODEL, ROOT, "model", MORE)                              \
    MEMBER(P, CREATED, ROOT, "created", MORE)                          \
    MEMBER(P, FINGERPRINT, ROOT, "system_fingerprint", MORE)           \
    MEMBER(P, TIER, ROOT, "service_tier", MORE)                        \
    MEMBER(P, PROVIDER, ROOT, "provider", MORE)                        \
    MEMBER(P, USAGE, ROOT, "usage", SOME)                              \
    MEMBER(P, OBFUSCATION, ROOT, "obfuscation", SKIP)                  \
    MEMBER(P, PADDING, ROOT, "p", SKIP)                                \
    MEMBER(P, GROQ, ROOT, "x_groq", GROQS)                             \
    MEMBER(P, CITATIONS, ROOT, "citations", SOME)                      \
    MEMBER(P, SEARCH_RESULTS, ROOT, "search_results", SOME)            \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                             \
    MEMBER(P, MESSAGE, ROOT, "message", WHOLE)                         \
    MEMBER(P, CODE, ROOT, "code", WHOLE)                               \
    MEMBER(P, TYPE, ROOT, "type", WHOLE)                               \
    REST(P, ROOT_REST, ROOT, MORE)                                     \
    ELEMENTS(P, CHOICE, CHOICES, NOTHING)                              \
    MEMBER(P, GROQ_USAGE, GROQ, "usage", WHOLE)                        \
    MEMBER(P, INDEX, CHOICE, "index", WHOLE)                           \
    MEMBER(P, DELTA, CHOICE, SAYS, NOTHING)                            \
    MEMBER(P, FINISH_REASON, CHOICE, "finish_reason", SOME)            \
    MEMBER(P, LOGPROBS, CHOICE, "logprobs", MORE)                      \
    MEMBER(P, REPETITION, CHOICE, REPEATS, SKIP)                       \
    MEMBER(P, WHOLE_TEXT, CHOICE, "text", SKIP)                        \
    REST(P, CHOICE_REST, CHOICE, MORE)                                 \
    MEMBER(P, CONTENT, DELTA, "content", SOME)                         \
    MEMBER(P, ROLE, DELTA, "role", SKIP)                               \
    MEMBER(P, TOOL_CALLS, DELTA, "tool_calls", SOME)                   \
    MEMBER(P, REASONING_CONTENT, DELTA, "reasoning_content", SOME)     \
    MEMBER(P, REASONING, DELTA, "reasoning", SOME)                     \
    MEMBER(P, REASONING_DETAILS, DELTA, "reasoning_details", SOME)     \
    MEMBER(P, REFUSAL, DELTA, "refusal", SOME)                         \
    MEMBER(P, FUNCTION_CALL, DELTA, "function_call", SOME)             \
    MEMBER(P, ANNOTATIONS, DELTA, "annotations", SOME)                 \
    MEMBER(P, PROVIDER_METADATA, DELTA, "provider_metadata", SOME)     \
    MEMBER(P, AUDIO, DELTA, "audio", LEADS)                            \
    MEMBER(P, IMAGES, DELTA, "images", LEADS)                          \
    MEMBER(P, EXECUTED_TOOLS, DELTA, "executed_tools", MORE)           \
    REST(P, DELTA_REST, DELTA, MORE)                                   \
    ELEMENTS(P, IMAGE, IMAGES, MORE)                                   \
    MEMBER(P, AUDIO_DATA, AUDIO, "data", MORE)                         \
    REST(P, AUDIO_REST, AUDIO, MORE)

/* Without and with provider items; of a chunk, and of a whole response, in which "message" holds all that deltas bring. Some
   servers send both. */
#define ELS_CHAT_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, SKIP, SKIP, NOTHING, "delta", "message")
#define ELS_CHAT_ITEM_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, SOME, NOTHING, SOME, "delta", "message")
#define ELS_CHAT_WHOLE_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, SKIP, SKIP, NOTHING, "message", "delta")
#define ELS_CHAT_WHOLE_ITEM_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, SOME, NOTHING, SOME, "message", "delta")

ELELEM_SHAPE_PATHS_WITH_REST(ELS_CHAT_PATHS, ELS_CHAT_, els_chat_paths);
ELELEM_SHAPE_MORE_PATHS_WITH_REST(ELS_CHAT_ITEM_PATHS, ELS_CHAT_, els_chat_item_paths);
ELELEM_SHAPE_MORE_PATHS_WITH_REST(ELS_CHAT_WHOLE_PATHS, ELS_CHAT_, els_chat_whole_paths);
ELELEM_SHAPE_MORE_PATHS_WITH_REST(ELS_CHAT_WHOLE_ITEM_PATHS, ELS_CHAT_, els_chat_whole_item_paths);

/* Keys of the items that a choice can have in addition to its calls and its blocks of reasoning. */
enum { ELS_CHAT_TEXT_KEY, ELS_CHAT_REFUSAL_KEY };

/* The key of a call that came as function_call, which has no index. */
#define ELS_CHAT_FUNCTION_CALL_KEY 0xfffffffeu

/* Keys of provider items. Those of tools that were executed have the number of the tool in addition. */
#define ELS_CHAT_ITEM_KEY 0u
#define ELS_CHAT_AUDIO_KEY 1u
#define ELS_CHAT_EXECUTED_KEY 0x80000000u

/* State of the stream. */
typedef struct els_chat_stream {
    uint32_t citations; /* emitted already, of lists that are repeated */
    uint32_t search_results;
    uint32_t rest;      /* a hash of the rest of the root that was emitted last */
    uint32_t names[2];  /* hashes of the id and the model of the chunk before; 0 for none */
    uint8_t had_chunk;
    uint8_t has_read_lists; /* of this chunk */
    uint8_t has_passed;     /* images of this chunk passed */
    uint8_t had_groq;
} els_chat_stream;

/* State of a choice. */
typedef struct els_chat_choice {
    uint32_t rest;  /* a hash of the rest of the choice that was emitted last */
    uint32_t items : 31; /* and of the provider items of unknown types */
    uint32_t is_refused : 1; /* it had refusal text */
} els_chat_choice;

/* State of an item. */
typedef struct els_chat_item {
    uint32_t is_unnumbered : 1; /* a call whose first piece had no index */
    uint32_t is_custom : 1;     /* a call whose arguments are a text */
    uint32_t is_quoted : 1;     /* and the string of that is open; of audio: that of its data */
    uint32_t has_passed : 1;    /* an image that passed */
    uint32_t is_open : 1;       /* an executed tool: its object is open */
    uint32_t has_transcript : 1; /* audio: some of it was kept */
    uint32_t has_id : 1;
} els_chat_item;

static els_chat_stream *els_chat_stream_of(const elelem_shape_context *c)
{
    return (els_chat_stream *)elelem_shape_stream_state(c);
}

static els_chat_item *els_chat_state(const elelem_shape_item *item)
{
    return (els_chat_item *)elelem_shape_item_state(item);
}

/* Nonzero if a value holds nothing: it is null, empty, or all in it is. */
static int els_chat_is_empty_value(elelem_value value)
{
    elelem_type type = elelem_value_type(value);

    if (type == ELELEM_TYPE_STRING) return elelem_value_text(value).size == 0;
    if (type == ELELEM_TYPE_ARRAY || type == ELELEM_TYPE_OBJECT) return !elelem_shape_is_there(elelem_value_first(value));
    return !elelem_shape_is_value(value);
}

static int els_chat_says_nothing(elelem_value value)
{
    elelem_value inner = elelem_value_first(value);

    if (!elelem_shape_is_there(inner)) return els_chat_is_empty_value(value);
    while (elelem_shape_is_there(inner) && els_chat_is_empty_value(inner))
        inner = elelem_value_next(inner);
    return !elelem_shape_is_there(inner);
}

/* Reasoning. `reasoning` and `reasoning_content` are the same text if both come, and
   entries of reasoning_details say it once more. */

/* The text of one entry; its name depends on the type. */
static elelem_str els_chat_detail_text(elelem_value entry)
{
    elelem_str text = elelem_shape_string_in(entry, "text");

    return text.size > 0 ? text : elelem_shape_string_in(entry, "summary");
}

/* Nonzero if an entry without text has something else than what all entries have. */
static int els_chat_detail_is_other(elelem_value entry)
{
    static const char *const known[] = { "type", "id", "format", "index", "provider", "signature", "data" };
    elelem_value member = elelem_value_first(entry);
    size_t i = 0;

    if (els_chat_detail_text(entry).size > 0) return 0;
    for (; elelem_shape_is_there(member); member = elelem_value_next(member)) {
        if (els_chat_is_empty_value(member)) continue;
        for (i = 0; i < ELS_COUNT(known) && !elelem_str_is(elelem_value_key(member), known[i]);)
            i++;
        if (i == ELS_COUNT(known)) return 1;
    }
    return 0;
}

/* An entry says more than its text if it has a signature or data, or is of an unknown type. */
static int els_chat_detail_says_more(elelem_value entry)
{
    return elelem_shape_string_in(entry, "signature").size > 0 || elelem_shape_string_in(entry, "data").size > 0 ||
           els_chat_detail_is_other(entry);
}

static int els_chat_any_says_more(elelem_value entry, elelem_value end)
{
    while (!elelem_shape_is_same(entry, end) && !els_chat_detail_says_more(entry))
        entry = elelem_value_next(entry);
    return !elelem_shape_is_same(entry, end);
}

static void els_chat_write_detail(elelem_writer *writer, elelem_value entry)
{
    elelem_value member;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(entry); elelem_value_type(member) != ELELEM_TYPE_NONE;
         member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (elelem_str_is(key, "text") || elelem_str_is(key, "summary")) continue;
        elelem_writer_key(writer, key);
        elelem_writer_value(writer, member);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* Entries with one index are one block of reasoning, which is an item whose key is that index. An entry without
   an index belongs to the block before it. Returns the first entry after this one that is of another block, or no value. */
static elelem_value els_chat_block_end(elelem_value entry, uint32_t key)
{
    do
        entry = elelem_value_next(entry);
    while (elelem_shape_is_there(entry) && elelem_shape_number_or(elelem_value_get(entry, "index"), key) == key);
    return entry;
}

/* Adds what the entries up to `end` say in addition to their text; with `all` also entries that only have their kind. */
static void els_chat_details(elelem_shape_context *c, elelem_value entry, elelem_value end, int all)
{
    elelem_writer *writer = elelem_shape_write(c);
    int any = 0;

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; !elelem_shape_is_same(entry, end); entry = elelem_value_next(entry)) {
        if (elelem_value_type(entry) != ELELEM_TYPE_OBJECT || (!all && !els_chat_detail_says_more(entry))) continue;
        els_chat_write_detail(writer, entry);
        any = 1;
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    if (any) elelem_shape_metadata_written(c, elelem_str_of("reasoning_details"));
}

static elelem_str els_chat_reasoning_text(const elelem_shape_context *c)
{
    elelem_str text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REASONING_CONTENT));

    return text.size > 0 ? text : elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REASONING));
}

/* The first entry from here up to `end` that has a text, or `end`. */
static elelem_value els_chat_detail_with_text(elelem_value entry, elelem_value end)
{
    while (!elelem_shape_is_same(entry, end) && els_chat_detail_text(entry).size == 0)
        entry = elelem_value_next(entry);
    return entry;
}

/* The key of the reasoning that is open; 0 if none is. */
static uint32_t els_chat_open_reasoning(const elelem_shape_context *c, uint32_t choice)
{
    const elelem_shape_item *item = elelem_shape_item_at(c, elelem_shape_item_text(c, choice));

    return item && item->kind == ELELEM_PART_REASONING ? item->key : 0;
}

static void els_chat_say(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, uint32_t key, elelem_str text)
{
    if (text.size == 0) return;
    elelem_shape_text(c, elelem_shape_item_continue(c, choice, kind, key), text);
}

/* Metadata that waits goes on the open item of its kind, or on a new one. That is over at once if it would come between the
   pieces of another text. */
static void els_chat_aside(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, uint32_t key)
{
    uint32_t index, other;
    int is_new;

    if (!elelem_shape_has_metadata(c)) return;
    index = elelem_shape_item_find(c, choice, kind, key);
    other = elelem_shape_item_text(c, choice);
    is_new = index == ELELEM_NO_INDEX;
    if (is_new) index = elelem_shape_item_open(c, choice, kind, key);
    elelem_shape_text(c, index, els_str(NULL, 0));
    if (is_new && other != ELELEM_NO_INDEX) elelem_shape_flush(c, index);
}

/* Ends a block of reasoning that is open, if it is another than that of the key. */
static void els_chat_end_block(elelem_shape_context *c, uint32_t choice, uint32_t key)
{
    const elelem_shape_item *open = elelem_shape_item_at(c, elelem_shape_item_text(c, choice));

    if (open && open->kind == ELELEM_PART_REASONING && open->key != key) elelem_shape_flush(c, open->index);
}

/* The entries of one block: the texts, or in their place the delta's own, and on the first of them what else the entries say. */
static void els_chat_block(elelem_shape_context *c, uint32_t choice, elelem_value first, elelem_value end, uint32_t key,
                           elelem_str own)
{
    int is_new = elelem_shape_item_find(c, choice, ELELEM_PART_REASONING, key) == ELELEM_NO_INDEX;
    elelem_value entry = own.size > 0 ? end : els_chat_detail_with_text(first, end);
    int has_text = own.size > 0 || !elelem_shape_is_same(entry, end);

    if (has_text) {
        uint32_t index = elelem_shape_item_continue(c, choice, ELELEM_PART_REASONING, key);
        els_chat_details(c, first, end, is_new);
        elelem_shape_text(c, index, own.size > 0 ? own : els_chat_detail_text(entry));
    } else if (els_chat_any_says_more(first, end)) {
        els_chat_end_block(c, choice, key);
        els_chat_details(c, first, end, 0);
        els_chat_aside(c, choice, ELELEM_PART_REASONING, key);
    }
    while (!elelem_shape_is_same(entry, end)) {
        entry = els_chat_detail_with_text(elelem_value_next(entry), end);
        if (!elelem_shape_is_same(entry, end))
            els_chat_say(c, choice, ELELEM_PART_REASONING, key, els_chat_detail_text(entry));
    }
}

/* The delta's own text repeats the texts of the entries. It counts unless those are of several blocks. */
static void els_chat_reasoning_of(elelem_shape_context *c, uint32_t choice)
{
    static const elelem_value none = ELELEM_INIT;
    elelem_value entry = elelem_value_first(elelem_shape_field(c, ELS_CHAT_REASONING_DETAILS));
    uint32_t key = elelem_shape_number_or(elelem_value_get(entry, "index"), els_chat_open_reasoning(c, choice));
    elelem_str own = els_chat_reasoning_text(c);

    if (!elelem_shape_is_there(entry)) els_chat_say(c, choice, ELELEM_PART_REASONING, key, own);
    else if (elelem_shape_is_there(els_chat_block_end(entry, key)) &&
             elelem_shape_is_there(els_chat_detail_with_text(entry, none))) own.size = 0;
    while (elelem_shape_is_there(entry)) {
        elelem_value end = els_chat_block_end(entry, key);
        els_chat_block(c, choice, entry, end, key, own);
        own.size = 0;
        entry = end;
        key = elelem_shape_number_or(elelem_value_get(entry, "index"), key);
    }
}

/* What the provider sends in addition, if the caller wants it. */

/* A provider item that is whole. */
static void els_chat_whole_item(elelem_shape_context *c, uint32_t choice, elelem_str type, elelem_value value)
{
    uint32_t index = elelem_shape_item_open(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_ITEM_KEY);

    elelem_shape_provider_value(c, index, type, value);
    elelem_shape_flush(c, index);
}

/* Most deltas have none. */
static void els_chat_reasoning(elelem_shape_context *c, uint32_t choice)
{
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_REASONING)) ||
        elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_REASONING_CONTENT)) ||
        elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_REASONING_DETAILS)))
        els_chat_reasoning_of(c, choice);
}

/* Content: a string, or an array of parts {"type":"text","text":...} and
   {"type":"thinking","thinking":[{"type":"text","text":...}]} (Mistral). Parts of other types, such as references, are
   provider items. */

/* Nonzero if it is an object that has no text of its own. */
static int els_chat_is_other_part(elelem_value part)
{
    if (elelem_value_type(part) != ELELEM_TYPE_OBJECT || els_chat_says_nothing(part)) return 0;
    return !elelem_shape_is_there(elelem_value_get(part, "text")) && !elelem_shape_is_there(elelem_value_get(part, "thinking"));
}

static void els_chat_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_value inner = elelem_value_first(elelem_value_get(part, "thinking"));

    if (elelem_shape_wants_items(c) && els_chat_is_other_part(part))
        els_chat_whole_item(c, choice, elelem_shape_string_in(part, "type"), part);
    els_chat_say(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY, elelem_shape_string_in(part, "text"));
    for (; elelem_shape_is_there(inner); inner = elelem_value_next(inner))
        els_chat_say(c, choice, ELELEM_PART_REASONING, ELS_CHAT_TEXT_KEY, elelem_shape_string_in(inner, "text"));
}

static void els_chat_content(elelem_shape_context *c, uint32_t choice)
{
    elelem_value content = elelem_shape_field(c, ELS_CHAT_CONTENT);
    elelem_value part;

    els_chat_say(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY, elelem_shape_string(content));
    if (elelem_value_type(content) != ELELEM_TYPE_ARRAY) return;
    for (part = elelem_value_first(content); elelem_shape_is_there(part); part = elelem_value_next(part))
        els_chat_part(c, choice, part);
}

static void els_chat_refusal(elelem_shape_context *c, uint32_t choice)
{
    elelem_str text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REFUSAL));
    els_chat_choice *state;
    uint32_t index;

    if (text.size == 0) return;
    index = elelem_shape_item_continue(c, choice, ELELEM_PART_MESSAGE, ELS_CHAT_REFUSAL_KEY);
    elelem_shape_metadata_json(c, elelem_str_of("refusal"), elelem_str_of("true"));
    elelem_shape_text(c, index, text);
    state = (els_chat_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->is_refused = 1;
}

/* Some providers repeat the list in every chunk, and it may grow: only what is new is emitted. */
static void els_chat_list(elelem_shape_context *c, unsigned row, uint32_t *emitted)
{
    elelem_value list = elelem_shape_field(c, row);
    elelem_value entry;
    elelem_writer *writer;
    uint32_t count = 0;

    if (elelem_value_type(list) != ELELEM_TYPE_ARRAY) return;
    writer = elelem_shape_write(c);
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (entry = elelem_value_first(list); elelem_shape_is_there(entry); entry = elelem_value_next(entry))
        if (count++ >= *emitted) elelem_writer_value(writer, entry);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    if (count <= *emitted) return;
    *emitted = count;
    elelem_shape_metadata_written(c, els_str(els_chat_paths[row].key, els_chat_paths[row].size));
}

/* Once a chunk. */
static void els_chat_lists(elelem_shape_context *c)
{
    els_chat_stream *stream = els_chat_stream_of(c);

    if (stream->has_read_lists) return;
    stream->has_read_lists = 1;
    els_chat_list(c, ELS_CHAT_CITATIONS, &stream->citations);
    els_chat_list(c, ELS_CHAT_SEARCH_RESULTS, &stream->search_results);
}

static void els_chat_metadata(elelem_shape_context *c, uint32_t choice)
{
    elelem_value annotations = elelem_shape_field(c, ELS_CHAT_ANNOTATIONS);
    elelem_value provider = elelem_shape_field(c, ELS_CHAT_PROVIDER_METADATA);

    if (elelem_value_type(elelem_value_first(annotations)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "annotations", annotations);
    if (elelem_shape_is_value(provider)) elelem_shape_metadata_value(c, "provider_metadata", provider);
    if (choice == 0) els_chat_lists(c);
    els_chat_aside(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY);
}

/* What is known of the response, and metadata of all kinds, if the caller wants it. */

static elelem_status els_chat_hash_bytes(void *context, const void *bytes, size_t size)
{
    uint64_t *hash = (uint64_t *)context;

    *hash = elelem_shape_hash_more(*hash, els_str(bytes, size));
    return ELELEM_OK;
}

/* Adds the JSON text of a value to a hash. */
static uint64_t els_chat_hash(uint64_t hash, elelem_value value)
{
    elelem_writer writer;
    elelem_sink sink;

    sink.write = els_chat_hash_bytes;
    sink.context = &hash;
    elelem_writer_init(&writer, sink, 0);
    elelem_writer_value(&writer, value);
    return hash;
}

static uint32_t els_chat_short_hash(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

static void els_chat_note(elelem_shape_context *c, elelem_value member)
{
    elelem_writer_value(elelem_shape_write(c), member);
    elelem_shape_metadata_written(c, elelem_value_key(member));
}

/* What is known of the response comes in every chunk, and is emitted when it is new. Then it is no longer looked at; the id
   and the model only after they came twice, because OpenRouter and Azure may send others in the first chunk. None sends a new
   one later, but for Groq's models that search, of which each chunk has an id of its own. */
static void els_chat_know(elelem_shape_context *c, unsigned row, elelem_value value)
{
    uint32_t *name = row <= ELS_CHAT_MODEL ? &els_chat_stream_of(c)->names[row - ELS_CHAT_ID] : NULL;
    uint32_t hash = name ? els_chat_short_hash(elelem_shape_hash(elelem_value_text(value))) | 1 : 0;

    if (!name || *name != hash) elelem_shape_metadata_value(c, els_chat_paths[row].key, value);
    if (!name || *name != 0) elelem_shape_drop(c, row);
    if (name) *name = hash;
}

static void els_chat_response(elelem_shape_context *c)
{
    unsigned row;

    for (row = ELS_CHAT_ID; row <= ELS_CHAT_PROVIDER; row++) {
        elelem_value value = elelem_shape_field(c, row);
        if (row == ELS_CHAT_CREATED && elelem_str_is(elelem_value_text(value), "0")) continue; /* Azure's first chunk */
        if (elelem_shape_is_there(value) && !els_chat_is_empty_value(value)) els_chat_know(c, row, value);
    }
    elelem_shape_response(c);
}

/* A hash of the members of an object that no row names and that say something; 0 if there are none. */
static uint32_t els_chat_hash_rest(const elelem_shape_context *c, elelem_value member, unsigned row)
{
    uint64_t hash = ELELEM_SHAPE_HASH_START;
    int any = 0;

    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row)) {
        if (els_chat_says_nothing(member)) continue;
        any = 1;
        hash = els_chat_hash(elelem_shape_hash_more(hash, elelem_value_key(member)), member);
    }
    return any ? els_chat_short_hash(hash) | 1 : 0;
}

/* What else there is of a chunk, such as timings, filter results of the prompt, progress. */
static void els_chat_root_rest(elelem_shape_context *c, elelem_value root)
{
    elelem_value member = elelem_shape_row_first(c, root, ELS_CHAT_ROOT_REST);
    uint32_t hash = els_chat_hash_rest(c, member, ELS_CHAT_ROOT_REST);

    if (hash == 0 || hash == els_chat_stream_of(c)->rest) return;
    els_chat_stream_of(c)->rest = hash;
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_CHAT_ROOT_REST))
        if (!els_chat_says_nothing(member)) els_chat_note(c, member);
}

/* Groq's part, in its first chunk and the last, without the usage, which is read as such. */
static void els_chat_groq(elelem_shape_context *c)
{
    elelem_value groq = elelem_shape_field(c, ELS_CHAT_GROQ);
    elelem_value member = elelem_value_first(groq);
    elelem_writer *writer = elelem_shape_write(c);
    int any = 0;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (; elelem_shape_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (elelem_str_is(key, "usage") || (els_chat_stream_of(c)->had_groq && elelem_str_is(key, "id"))) continue;
        elelem_writer_key(writer, key);
        elelem_writer_value(writer, member);
        any = 1;
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
    els_chat_stream_of(c)->had_groq = 1;
    if (any) elelem_shape_metadata_written(c, elelem_value_key(groq));
}

/* The same of what comes with the whole response. */
static void els_chat_late(elelem_shape_context *c, elelem_value root)
{
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_GROQ))) els_chat_groq(c);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_ROOT_REST))) els_chat_root_rest(c, root);
    elelem_shape_response(c);
}

/* Metadata of the text that is open; of the response if none is. */
static void els_chat_attach(elelem_shape_context *c, uint32_t choice)
{
    uint32_t index = elelem_shape_item_text(c, choice);

    if (index != ELELEM_NO_INDEX) elelem_shape_text(c, index, els_str(NULL, 0));
    else elelem_shape_response(c);
}

/* A value that more may come of, as an element of an array, to which others are added; an array is one already. */
static void els_chat_add(elelem_shape_context *c, elelem_str key, elelem_value value)
{
    elelem_writer *writer = elelem_shape_write(c);
    int is_array = elelem_value_type(value) == ELELEM_TYPE_ARRAY;

    if (!is_array) elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_value(writer, value);
    if (!is_array) elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(c, key);
}

/* Those of OpenAI are of the tokens of the content and of the refusal, which are items of their own. */
static void els_chat_logprobs(elelem_shape_context *c, uint32_t choice)
{
    elelem_value logprobs = elelem_shape_field(c, ELS_CHAT_LOGPROBS);
    elelem_value of_content = elelem_value_get(logprobs, "content"), of_refusal = elelem_value_get(logprobs, "refusal");
    elelem_str key = elelem_str_of("logprobs");

    if (els_chat_says_nothing(logprobs)) return;
    if (!elelem_shape_is_there(of_content) && !elelem_shape_is_there(of_refusal)) els_chat_add(c, key, logprobs);
    if (!els_chat_is_empty_value(of_content)) els_chat_add(c, key, of_content);
    if (!els_chat_is_empty_value(of_refusal)) els_chat_add(c, key, of_refusal);
    els_chat_attach(c, choice);
}

/* Of a choice: results of filters, which more may come of, belong to its text. */
static int els_chat_is_of_text(elelem_str key)
{
    static const char prefix[] = "content_filter";

    return elelem_str_is(key, "token_ids") || (key.size >= sizeof prefix - 1 && memcmp(key.data, prefix, sizeof prefix - 1) == 0);
}

/* Adds those members of the choice's rest that belong to its text, or the others. */
static void els_chat_add_rest(elelem_shape_context *c, elelem_value member, int of_text)
{
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_CHAT_CHOICE_REST)) {
        if (els_chat_says_nothing(member) || els_chat_is_of_text(elelem_value_key(member)) != of_text) continue;
        if (of_text) els_chat_add(c, elelem_value_key(member), member);
        else els_chat_note(c, member);
    }
}

/* The same of another choice than the first: as in the chunk, with its number. */
static void els_chat_add_choice(elelem_shape_context *c, elelem_value member)
{
    elelem_writer *writer = elelem_shape_write(c);

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(writer, elelem_str_of("index"));
    elelem_writer_value(writer, elelem_shape_field(c, ELS_CHAT_INDEX));
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_CHAT_CHOICE_REST)) {
        if (els_chat_says_nothing(member) || els_chat_is_of_text(elelem_value_key(member))) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(c, elelem_str_of("choices"));
}

/* Nonzero if the rest of the choice holds something that does not belong to its text. */
static int els_chat_has_own(const elelem_shape_context *c, elelem_value member)
{
    while (elelem_shape_is_there(member) && (els_chat_says_nothing(member) || els_chat_is_of_text(elelem_value_key(member))))
        member = elelem_shape_row_next(c, member, ELS_CHAT_CHOICE_REST);
    return elelem_shape_is_there(member);
}

/* What else there is of a choice, such as the finish reason of the provider that a router called. */
static void els_chat_choice_rest(elelem_shape_context *c, uint32_t choice, elelem_value of)
{
    elelem_value member = elelem_shape_row_first(c, of, ELS_CHAT_CHOICE_REST);
    els_chat_choice *state = (els_chat_choice *)elelem_shape_choice_state(c, choice);
    uint32_t hash = els_chat_hash_rest(c, member, ELS_CHAT_CHOICE_REST);

    if (hash == 0 || (state && state->rest == hash)) return;
    if (state) state->rest = hash;
    els_chat_add_rest(c, member, 1);
    els_chat_attach(c, choice);
    if (!els_chat_has_own(c, member)) return;
    if (choice == 0) els_chat_add_rest(c, member, 0);
    else els_chat_add_choice(c, member);
    elelem_shape_response(c);
}

/* Provider items. */

/* A list of objects is an item for each; any other value is one. */
static void els_chat_whole_items(elelem_shape_context *c, uint32_t choice, elelem_value member)
{
    elelem_value element = elelem_value_first(member);

    while (elelem_value_type(element) == ELELEM_TYPE_OBJECT)
        element = elelem_value_next(element);
    if (elelem_value_type(member) != ELELEM_TYPE_ARRAY || elelem_shape_is_there(element)) {
        els_chat_whole_item(c, choice, elelem_value_key(member), member);
        return;
    }
    for (element = elelem_value_first(member); elelem_shape_is_there(element); element = elelem_value_next(element))
        els_chat_whole_item(c, choice, elelem_value_key(member), element);
}

static int els_chat_is_container(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_ARRAY || elelem_value_type(value) == ELELEM_TYPE_OBJECT;
}

/* Nonzero if the member says once more what the content says, as Snowflake's do. */
static int els_chat_repeats(const elelem_shape_context *c, elelem_value member)
{
    elelem_str key = elelem_value_key(member);

    if (els_chat_is_empty_value(elelem_shape_field(c, ELS_CHAT_CONTENT))) return 0;
    return elelem_str_is(key, "type") || elelem_str_is(key, "text") || elelem_str_is(key, "content_list");
}

/* Scalars are metadata, to which those of other chunks are added. */
static void els_chat_delta_scalars(elelem_shape_context *c, uint32_t choice, elelem_value member)
{
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_CHAT_DELTA_REST))
        if (!els_chat_is_container(member) && !els_chat_is_empty_value(member) && !els_chat_repeats(c, member))
            els_chat_add(c, elelem_value_key(member), member);
    els_chat_attach(c, choice);
}

/* Lists and objects are items, if they are not those of the chunk before once more: some providers repeat them. */
static void els_chat_delta_containers(elelem_shape_context *c, uint32_t choice, elelem_value member)
{
    els_chat_choice *state = (els_chat_choice *)elelem_shape_choice_state(c, choice);
    uint32_t hash = els_chat_hash_rest(c, member, ELS_CHAT_DELTA_REST) & 0x7fffffffu;

    if (state && state->items == hash) return;
    if (state && hash != 0) state->items = hash & 0x7fffffffu;
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_CHAT_DELTA_REST))
        if (els_chat_is_container(member) && !els_chat_says_nothing(member) && !els_chat_repeats(c, member))
            els_chat_whole_items(c, choice, member);
}

/* Members of a delta that are not known. */
static void els_chat_delta_rest(elelem_shape_context *c, uint32_t choice, elelem_value delta)
{
    elelem_value member = elelem_shape_row_first(c, delta, ELS_CHAT_DELTA_REST);

    els_chat_delta_scalars(c, choice, member);
    els_chat_delta_containers(c, choice, member);
}

/* Images, each of which is an item of a type that is the name of the member with its data. */

static const char *const els_chat_no_type[] = { "type", "index", NULL };

/* Ends the image that passed. */
static void els_chat_end_passed(elelem_shape_context *c)
{
    const elelem_shape_item *item = elelem_shape_item_newest(c);

    els_chat_stream_of(c)->has_passed = 0;
    while (item && !els_chat_state(item)->has_passed)
        item = elelem_shape_item_older(c, item);
    if (item) elelem_shape_flush(c, item->index);
}

/* One that begins to pass, after the one before. */
static uint32_t els_chat_pass_image(elelem_shape_context *c, uint32_t choice)
{
    elelem_shape_item *item;

    if (els_chat_stream_of(c)->has_passed) els_chat_end_passed(c);
    item = elelem_shape_item_at(c, elelem_shape_item_open(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_ITEM_KEY));
    if (!item) return ELELEM_NO_INDEX;
    els_chat_stream_of(c)->has_passed = 1;
    els_chat_state(item)->has_passed = 1;
    return item->index;
}

/* The type of an image, as if it passed; that of one that is no object, or has no member that says what it is, is the key of
   the list. */
static elelem_str els_chat_image_type(elelem_value image)
{
    elelem_value member = elelem_value_first(image);
    const char *const *no_type = els_chat_no_type;

    if (elelem_value_type(image) != ELELEM_TYPE_OBJECT) return elelem_value_key(elelem_value_parent(image));
    for (; elelem_shape_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (elelem_shape_is_value(member) && !elelem_str_is(key, no_type[0]) && !elelem_str_is(key, no_type[1])) return key;
    }
    return elelem_value_key(elelem_value_parent(image));
}

/* Images that did not pass. */
static void els_chat_images(elelem_shape_context *c, uint32_t choice)
{
    elelem_value image = elelem_value_first(elelem_shape_field(c, ELS_CHAT_IMAGES));

    for (; elelem_shape_is_there(image); image = elelem_value_next(image))
        if (elelem_value_is_complete(image) && !els_chat_says_nothing(image))
            els_chat_whole_item(c, choice, els_chat_image_type(image), image);
}

/* Audio: one item, {"data":"...","id":...,"expires_at":...,"transcript":"..."}, put together from its deltas. Its data is
   passed on inside one string. What else comes is kept until that ends: members, and pieces of the transcript, each after a
   mark, and as JSON text, in which no such byte is. */

static const char els_chat_audio_type[] = "audio";

#define ELS_CHAT_MEMBER '\1'
#define ELS_CHAT_TRANSCRIPT '\2'

typedef struct els_chat_keeper {
    elelem_shape_context *context;
    uint32_t index;
} els_chat_keeper;

static elelem_status els_chat_keep_bytes(void *context, const void *bytes, size_t size)
{
    const els_chat_keeper *keeper = (const els_chat_keeper *)context;

    elelem_shape_keep(keeper->context, keeper->index, els_str(bytes, size));
    return ELELEM_OK;
}

/* Begins to keep something; returns a writer for it. */
static elelem_writer els_chat_keep(els_chat_keeper *keeper, char mark)
{
    elelem_writer writer;
    elelem_sink sink;

    if (mark) elelem_shape_keep(keeper->context, keeper->index, els_str(&mark, 1));
    sink.write = els_chat_keep_bytes;
    sink.context = keeper;
    elelem_writer_init(&writer, sink, 0);
    return writer;
}

static void els_chat_keep_member(els_chat_keeper *keeper, elelem_value member)
{
    elelem_writer writer = els_chat_keep(keeper, ELS_CHAT_MEMBER);

    elelem_writer_string(&writer, elelem_value_key(member));
    elelem_shape_keep(keeper->context, keeper->index, elelem_str_of(":"));
    writer = els_chat_keep(keeper, 0);
    elelem_writer_value(&writer, member);
}

/* Writes what was kept after one mark: members with commas between them, or texts. `comma` comes before the first. Returns
   what comes before the next. */
static const char *els_chat_write_kept(elelem_shape_context *c, uint32_t index, char mark, const char *comma)
{
    elelem_str kept = elelem_shape_kept(c, elelem_shape_item_at(c, index));
    size_t at = 0;

    while (at < kept.size) {
        char found = kept.data[at++];
        size_t start = at;
        while (at < kept.size && kept.data[at] != ELS_CHAT_MEMBER && kept.data[at] != ELS_CHAT_TRANSCRIPT)
            at++;
        if (found != mark) continue;
        elelem_shape_write_raw(c, elelem_str_of(comma));
        elelem_shape_write_raw(c, els_str(kept.data + start, at - start));
        comma = mark == ELS_CHAT_MEMBER ? "," : "";
    }
    return comma;
}

static void els_chat_end_audio(elelem_shape_context *c, uint32_t index)
{
    int had_data = els_chat_state(elelem_shape_item_at(c, index))->is_quoted;
    const char *comma = had_data ? "," : "";
    int has_transcript;

    elelem_shape_write(c);
    elelem_shape_write_raw(c, elelem_str_of(had_data ? "\"" : "{"));
    comma = els_chat_write_kept(c, index, ELS_CHAT_MEMBER, comma);
    has_transcript = els_chat_state(elelem_shape_item_at(c, index))->has_transcript;
    if (has_transcript) {
        elelem_shape_write_raw(c, elelem_str_of(comma));
        elelem_shape_write_raw(c, elelem_str_of("\"transcript\":\""));
        els_chat_write_kept(c, index, ELS_CHAT_TRANSCRIPT, "");
    }
    elelem_shape_write_raw(c, elelem_str_of(has_transcript ? "\"}" : "}"));
    elelem_shape_provider_written(c, index, elelem_str_of(els_chat_audio_type));
}

/* Opens the string that the data is in, with the first of it. */
static void els_chat_audio_begin_data(elelem_shape_context *c, uint32_t index)
{
    els_chat_item *state = els_chat_state(elelem_shape_item_at(c, index));

    if (!state->is_quoted)
        elelem_shape_provider_json(c, index, elelem_str_of(els_chat_audio_type), elelem_str_of("{\"data\":\""));
    state->is_quoted = 1;
}

static void els_chat_audio_data(elelem_shape_context *c, uint32_t index, elelem_str text)
{
    els_chat_audio_begin_data(c, index);
    elelem_writer_string_piece(elelem_shape_write(c), text);
    elelem_shape_provider_written(c, index, elelem_str_of(els_chat_audio_type));
}

static void els_chat_audio_transcript(elelem_shape_context *c, uint32_t index, elelem_str text)
{
    els_chat_keeper keeper;
    elelem_writer writer;

    keeper.context = c;
    keeper.index = index;
    els_chat_state(elelem_shape_item_at(c, index))->has_transcript = 1;
    writer = els_chat_keep(&keeper, ELS_CHAT_TRANSCRIPT);
    elelem_writer_string_piece(&writer, text);
    elelem_shape_provider_caption(c, index, elelem_str_of(els_chat_audio_type), text);
}

/* The id is repeated in each delta; the first counts. */
static void els_chat_audio_member(elelem_shape_context *c, uint32_t index, elelem_value member)
{
    els_chat_item *state = els_chat_state(elelem_shape_item_at(c, index));
    els_chat_keeper keeper;

    if (elelem_str_is(elelem_value_key(member), "id")) {
        if (state->has_id) return;
        state->has_id = 1;
    }
    keeper.context = c;
    keeper.index = index;
    els_chat_keep_member(&keeper, member);
}

/* The audio that is open in the choice, or a new one. */
static uint32_t els_chat_audio_item(elelem_shape_context *c, uint32_t choice)
{
    uint32_t index = elelem_shape_item_find(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_AUDIO_KEY);

    if (index != ELELEM_NO_INDEX) return index;
    return elelem_shape_item_open(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_AUDIO_KEY);
}

static int els_chat_is_zero(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_NUMBER && elelem_str_is(elelem_value_text(value), "0");
}

/* Nonzero if a delta of audio that is not open says something: Snowflake sends one of empty texts, which expires at 0, in responses
   without any. */
static int els_chat_is_audio(elelem_value audio)
{
    elelem_value member = elelem_value_first(audio);

    while (elelem_shape_is_there(member) &&
           (els_chat_is_empty_value(member) || els_chat_is_zero(member)))
        member = elelem_value_next(member);
    return elelem_shape_is_there(member);
}

/* Data of which the end is not there passed. */
static void els_chat_audio(elelem_shape_context *c, uint32_t choice)
{
    elelem_value audio = elelem_shape_field(c, ELS_CHAT_AUDIO);
    elelem_value member = elelem_value_first(audio);
    uint32_t index = elelem_shape_item_find(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_AUDIO_KEY);

    if (index == ELELEM_NO_INDEX && !els_chat_is_audio(audio)) return;
    index = els_chat_audio_item(c, choice);
    for (; index != ELELEM_NO_INDEX && elelem_shape_is_there(member); member = elelem_value_next(member)) {
        elelem_str text = elelem_shape_string(member);
        if (els_chat_is_empty_value(member) || !elelem_value_is_complete(member)) continue;
        if (text.size > 0 && elelem_str_is(elelem_value_key(member), "data")) els_chat_audio_data(c, index, text);
        else if (text.size > 0 && elelem_str_is(elelem_value_key(member), "transcript")) els_chat_audio_transcript(c, index, text);
        else els_chat_audio_member(c, index, member);
    }
}

static uint32_t els_chat_pass_audio(elelem_shape_context *c, uint32_t choice)
{
    uint32_t index = els_chat_audio_item(c, choice);

    if (index != ELELEM_NO_INDEX) els_chat_audio_begin_data(c, index);
    return index;
}

/* An image that begins to pass, or data of audio. If the number of its choice comes later, it is stored, and so is audio of a whole
   response, whose text comes before it, as in a stream. */
static uint32_t els_chat_passes(elelem_shape_context *c, elelem_value value, elelem_str type)
{
    elelem_value choice = elelem_value_parent(elelem_value_parent(elelem_value_parent(value)));
    int is_audio = elelem_value_type(value) == ELELEM_TYPE_STRING;
    uint32_t number;

    (void)type;
    if (is_audio && elelem_shape_frame_kind(c) == ELELEM_SHAPE_WHOLE) return ELELEM_SHAPE_STORED;
    if (!elelem_shape_number(elelem_value_get(choice, "index"), &number)) return ELELEM_SHAPE_STORED;
    return is_audio ? els_chat_pass_audio(c, number) : els_chat_pass_image(c, number);
}

/* Tools that the provider executed: an item each, an object that is put together from those of one index: a later one repeats
   the members of an earlier one, and has more of them. What a member was is kept as two hashes. */

static const char els_chat_executed_type[] = "executed_tools";

#define ELS_CHAT_MEMBERS 16u /* that are compared */

/* Nonzero if the item has this member with this value already. Else it is kept. */
static int els_chat_has_member(elelem_shape_context *c, uint32_t index, elelem_value member)
{
    elelem_str kept = elelem_shape_kept(c, elelem_shape_item_at(c, index));
    uint64_t hash = els_chat_hash(elelem_shape_hash(elelem_value_key(member)), member);
    size_t i;

    for (i = 0; i + sizeof hash <= kept.size; i += sizeof hash)
        if (memcmp(kept.data + i, &hash, sizeof hash) == 0) return 1;
    if (kept.size < ELS_CHAT_MEMBERS * sizeof hash) elelem_shape_keep(c, index, els_str(&hash, sizeof hash));
    return 0;
}

/* Writes the members that are new. */
static void els_chat_executed_members(elelem_shape_context *c, uint32_t index, elelem_value tool)
{
    els_chat_item *state = els_chat_state(elelem_shape_item_at(c, index));
    elelem_value member = elelem_value_first(tool);
    int any = 0;

    elelem_shape_write(c);
    for (; elelem_shape_is_there(member); member = elelem_value_next(member)) {
        if (els_chat_says_nothing(member) || els_chat_has_member(c, index, member)) continue;
        elelem_shape_write_raw(c, elelem_str_of(state->is_open ? "," : "{"));
        state->is_open = 1;
        elelem_writer_string(elelem_shape_write_on(c), elelem_value_key(member));
        elelem_shape_write_raw(c, elelem_str_of(":"));
        elelem_writer_value(elelem_shape_write_on(c), member);
        any = 1;
    }
    if (any) elelem_shape_provider_written(c, index, elelem_str_of(els_chat_executed_type));
}

static void els_chat_executed(elelem_shape_context *c, uint32_t choice, elelem_value tool)
{
    uint32_t number = elelem_shape_number_or(elelem_value_get(tool, "index"), (uint32_t)elelem_value_index(tool));
    uint32_t key = ELS_CHAT_EXECUTED_KEY | number;
    uint32_t index = elelem_shape_item_find(c, choice, ELELEM_PART_PROVIDER_ITEM, key);
    int is_new = index == ELELEM_NO_INDEX;

    if (is_new) index = elelem_shape_item_open(c, choice, ELELEM_PART_PROVIDER_ITEM, key);
    if (index == ELELEM_NO_INDEX) return;
    elelem_shape_item_at(c, index)->hosted = 1;
    els_chat_executed_members(c, index, tool);
    if (is_new) elelem_shape_provider_caption(c, index, elelem_str_of(els_chat_executed_type), elelem_shape_string_in(tool, "arguments"));
}

static void els_chat_executed_tools(elelem_shape_context *c, uint32_t choice)
{
    elelem_value tools = elelem_shape_field(c, ELS_CHAT_EXECUTED_TOOLS);
    elelem_value tool = elelem_value_first(tools);

    for (; elelem_shape_is_there(tool); tool = elelem_value_next(tool)) {
        if (elelem_value_type(tool) == ELELEM_TYPE_OBJECT) els_chat_executed(c, choice, tool);
        else if (!els_chat_is_empty_value(tool)) els_chat_whole_item(c, choice, elelem_str_of(els_chat_executed_type), tool);
    }
}

/* What of a delta becomes provider items. */
static void els_chat_items(elelem_shape_context *c, uint32_t choice, elelem_value delta)
{
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_AUDIO))) els_chat_audio(c, choice);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_IMAGES))) els_chat_images(c, choice);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_EXECUTED_TOOLS))) els_chat_executed_tools(c, choice);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_DELTA_REST))) els_chat_delta_rest(c, choice, delta);
}

/* Ends the JSON of a provider item that is put together. */
static void els_chat_end_item(elelem_shape_context *c, const elelem_shape_item *item)
{
    if (item->key == ELS_CHAT_AUDIO_KEY) els_chat_end_audio(c, item->index);
    else if (els_chat_state(item)->is_open)
        elelem_shape_provider_json(c, item->index, elelem_str_of(els_chat_executed_type), elelem_str_of("}"));
}

/* Tool calls. */

/* A piece of the JSON string that the input of a custom call is: the quotes that open and close it, and what is between. */
static void els_chat_quote(elelem_shape_context *c, uint32_t index, elelem_str text, int is_last)
{
    els_chat_item *state = els_chat_state(elelem_shape_item_at(c, index));
    elelem_writer *writer = elelem_shape_write(c);

    if (!state->is_quoted) elelem_writer_string_begin(writer);
    elelem_writer_string_piece(writer, text);
    if (is_last) elelem_shape_write_raw(c, elelem_str_of("\""));
    state->is_quoted = 1;
    elelem_shape_tool_arguments_written(c, index);
}

/* Ends the text of a custom call. */
static void els_chat_end_call(elelem_shape_context *c, uint32_t index)
{
    if (els_chat_state(elelem_shape_item_at(c, index))->is_custom) els_chat_quote(c, index, els_str(NULL, 0), 1);
}

/* The item of the call with this wire number: a new one if there is none, or if the id
   says that another call has begun under the same number. */
static uint32_t els_chat_call_item(elelem_shape_context *c, uint32_t choice, uint32_t key, elelem_str id)
{
    uint32_t index = elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, key);
    uint32_t text;

    if (index != ELELEM_NO_INDEX) {
        if (elelem_shape_item_may_be(c, index, id)) return index;
        els_chat_end_call(c, index);
        elelem_shape_flush(c, index);
    }
    text = elelem_shape_item_text(c, choice);
    if (text != ELELEM_NO_INDEX) elelem_shape_flush(c, text);
    return elelem_shape_item_open(c, choice, ELELEM_PART_TOOL_CALL, key);
}

/* A piece of a call: the call, and its function. A custom call, whose `custom` has its name and its input, has no function. */
typedef struct els_chat_piece {
    elelem_value call;
    elelem_value function;
    elelem_value arguments;
    elelem_str id;
    elelem_str name;
    int is_custom;
} els_chat_piece;

static els_chat_piece els_chat_piece_of(elelem_value call, elelem_value function)
{
    els_chat_piece piece;

    piece.is_custom = !elelem_shape_is_value(function) && elelem_value_type(elelem_value_get(call, "custom")) == ELELEM_TYPE_OBJECT;
    piece.call = call;
    piece.function = piece.is_custom ? elelem_value_get(call, "custom") : function;
    piece.arguments = elelem_value_get(piece.function, piece.is_custom ? "input" : "arguments");
    piece.id = elelem_shape_string_in(call, "id");
    piece.name = elelem_shape_string_in(piece.function, "name");
    return piece;
}

/* Nonzero if the piece can only continue a call: it has no id and no name. */
static int els_chat_continues(const els_chat_piece *piece)
{
    return piece->id.size == 0 && piece->name.size == 0;
}

/* Nonzero if the piece has nothing of a call: Snowflake sends a call with an empty name and empty arguments in
   responses without any. */
static int els_chat_is_empty(const els_chat_piece *piece)
{
    int is_text = elelem_value_type(piece->arguments) == ELELEM_TYPE_STRING;

    if (is_text ? elelem_value_text(piece->arguments).size > 0 : elelem_shape_is_value(piece->arguments)) return 0;
    return els_chat_continues(piece) && !elelem_shape_is_value(elelem_value_get(piece->call, "extra_content"));
}

static void els_chat_arguments(elelem_shape_context *c, uint32_t index, elelem_value arguments)
{
    int is_text = elelem_value_type(arguments) == ELELEM_TYPE_STRING;
    const elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (!item || !elelem_shape_is_value(arguments)) return;
    if (!is_text) elelem_shape_tool_arguments_value(c, index, arguments);
    else if (!els_chat_state(item)->is_custom) elelem_shape_tool_arguments(c, index, elelem_value_text(arguments));
    else if (elelem_value_text(arguments).size > 0) els_chat_quote(c, index, elelem_value_text(arguments), 0);
}

/* The wire's word for a call that is no plain function; empty for one that is. */
static elelem_str els_chat_call_type(const els_chat_piece *piece)
{
    elelem_str type = elelem_shape_string_in(piece->call, "type");

    if (piece->is_custom) return elelem_str_of("custom");
    return elelem_str_is(type, "function") ? els_str(NULL, 0) : type;
}

/* Members of a call that are not known. */
static void els_chat_call_rest(elelem_shape_context *c, elelem_value call)
{
    static const char *const known[] = { "index", "id", "type", "function", "custom", "extra_content", "name", "arguments" };
    elelem_value member = elelem_value_first(call);

    for (; elelem_shape_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        size_t i = 0;
        while (i < ELS_COUNT(known) && !elelem_str_is(key, known[i]))
            i++;
        if (i == ELS_COUNT(known) && !els_chat_says_nothing(member)) els_chat_note(c, member);
    }
}

/* Returns the index of the call's item. */
static uint32_t els_chat_call(elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    elelem_value extra = elelem_value_get(piece->call, "extra_content");
    uint32_t index = els_chat_call_item(c, choice, key, piece->id);
    elelem_str type = els_chat_call_type(piece);
    elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (item && !item->had_part && piece->is_custom) els_chat_state(item)->is_custom = 1;
    if (elelem_shape_is_value(extra)) elelem_shape_metadata_value(c, "extra_content", extra);
    if (elelem_shape_wants_items(c)) els_chat_call_rest(c, piece->call);
    if (type.size > 0) elelem_shape_tool_start_typed(c, index, type, piece->id, piece->name);
    else elelem_shape_tool_start(c, index, piece->id, piece->name);
    els_chat_arguments(c, index, piece->arguments);
    return index;
}

/* The open call of the choice that began last, or with an id the one that has it; null if there is none. */
static elelem_shape_item *els_chat_open_call(const elelem_shape_context *c, uint32_t choice, elelem_str id)
{
    elelem_shape_item *item = elelem_shape_item_newest(c);

    for (; item; item = elelem_shape_item_older(c, item)) {
        if (item->choice != choice || item->kind != ELELEM_PART_TOOL_CALL) continue;
        if (id.size == 0 || (item->has_id && elelem_shape_item_may_be(c, item->index, id))) return item;
    }
    return NULL;
}

/* A piece without an index. Its id or, for a piece that is alone in its array, being the newest call identifies it; else
   its place in the array, which is how older Mistral models number calls. */
static void els_chat_unnumbered_call(elelem_shape_context *c, uint32_t choice, const els_chat_piece *piece)
{
    uint32_t place = (uint32_t)elelem_value_index(piece->call);
    int is_alone = place == 0 && elelem_value_type(elelem_value_next(piece->call)) == ELELEM_TYPE_NONE;
    elelem_shape_item *item = NULL;
    uint32_t index;

    if (piece->id.size > 0 || (is_alone && els_chat_continues(piece))) item = els_chat_open_call(c, choice, piece->id);
    index = els_chat_call(c, choice, item ? item->key : place, piece);
    if (item) return;
    item = elelem_shape_item_at(c, index);
    if (item) els_chat_state(item)->is_unnumbered = 1;
}

/* A piece with an index. If it begins nothing and no call has that index, it continues one that began without. */
static void els_chat_numbered_call(elelem_shape_context *c, uint32_t choice, uint32_t key, const els_chat_piece *piece)
{
    elelem_shape_item *newest = els_chat_open_call(c, choice, els_str(NULL, 0));

    if (newest && els_chat_state(newest)->is_unnumbered && els_chat_continues(piece) &&
        elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, key) == ELELEM_NO_INDEX) {
        newest->key = key;
        els_chat_state(newest)->is_unnumbered = 0;
    }
    els_chat_call(c, choice, key, piece);
}

static void els_chat_tool_calls(elelem_shape_context *c, uint32_t choice)
{
    elelem_value call = elelem_value_first(elelem_shape_field(c, ELS_CHAT_TOOL_CALLS));

    for (; elelem_shape_is_there(call); call = elelem_value_next(call)) {
        els_chat_piece piece = els_chat_piece_of(call, elelem_value_get(call, "function"));
        uint32_t key;
        if (elelem_value_type(call) != ELELEM_TYPE_OBJECT || els_chat_is_empty(&piece)) continue;
        if (elelem_shape_number(elelem_value_get(call, "index"), &key)) els_chat_numbered_call(c, choice, key, &piece);
        else els_chat_unnumbered_call(c, choice, &piece);
    }
}

static void els_chat_function_call(elelem_shape_context *c, uint32_t choice)
{
    elelem_value function = elelem_shape_field(c, ELS_CHAT_FUNCTION_CALL);
    els_chat_piece piece = els_chat_piece_of(function, function);

    if (elelem_value_type(function) == ELELEM_TYPE_OBJECT && !els_chat_is_empty(&piece))
        els_chat_call(c, choice, ELS_CHAT_FUNCTION_CALL_KEY, &piece);
}

/* The end of a choice. */

static const elelem_shape_word els_chat_reasons[] = {
    { "stop", ELELEM_FINISH_COMPLETED },
    { "eos", ELELEM_FINISH_COMPLETED },
    { "end_turn", ELELEM_FINISH_COMPLETED },
    { "stop_sequence", ELELEM_FINISH_COMPLETED },
    { "length", ELELEM_FINISH_MAX_TOKENS },
    { "model_length", ELELEM_FINISH_MAX_TOKENS },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "tool_calls", ELELEM_FINISH_TOOL_CALLS },
    { "function_call", ELELEM_FINISH_TOOL_CALLS },
    { "tool_use", ELELEM_FINISH_TOOL_CALLS },
    { "content_filter", ELELEM_FINISH_CONTENT_FILTER },
};

/* `stop` after tool calls means that they are to be run, whatever a forced tool_choice or a
   compatibility layer calls it. */
static elelem_finish_reason els_chat_completed(const elelem_shape_context *c, uint32_t choice)
{
    const els_chat_choice *state = (const els_chat_choice *)elelem_shape_choice_state(c, choice);

    if (elelem_shape_choice_had(c, choice, ELELEM_PART_TOOL_CALL)) return ELELEM_FINISH_TOOL_CALLS;
    return state && state->is_refused ? ELELEM_FINISH_CONTENT_FILTER : ELELEM_FINISH_COMPLETED;
}

/* Ends the JSON of an item that is open, if it is put together: that of a provider item, and if the model ended it, the text of
   a custom call. */
static void els_chat_end_json(elelem_shape_context *c, const elelem_shape_item *item, elelem_shape_ending ending)
{
    if (item->kind == ELELEM_PART_PROVIDER_ITEM) els_chat_end_item(c, item);
    else if (item->kind == ELELEM_PART_TOOL_CALL && ending == ELELEM_SHAPE_ENDED) els_chat_end_call(c, item->index);
}

static void els_chat_end_choice(elelem_shape_context *c, uint32_t choice, elelem_shape_ending ending)
{
    const elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item))
        if (item->choice == choice) els_chat_end_json(c, item, ending);
    elelem_shape_flush_all(c, choice, ending);
}

/* What a later chunk opens is closed by a reason that comes after it, not by one that was there before. */
static void els_chat_finish(elelem_shape_context *c, uint32_t choice)
{
    elelem_str raw = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_FINISH_REASON));
    elelem_finish_reason reason = elelem_shape_reason_of(els_chat_reasons, ELS_COUNT(els_chat_reasons), raw);
    elelem_shape_ending ending = elelem_shape_ending_of(reason);

    if (raw.size == 0) return;
    if (reason == ELELEM_FINISH_COMPLETED) reason = els_chat_completed(c, choice);
    if (elelem_str_is(raw, "error") && !elelem_shape_document_error(c))
        elelem_shape_error(c, ELELEM_ERROR_KIND_TRANSIENT, raw, "the provider stopped the response with an error");
    elelem_shape_reason(c, choice, reason, raw, 0);
    els_chat_end_choice(c, choice, ending);
}

/* Usage: a chunk of its own, on the last chunk, on every chunk, or Groq's x_groq. */

static void els_chat_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, ELS_CHAT_USAGE);
    elelem_usage usage = elelem_shape_last_usage(c);
    elelem_value details;

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT)
        raw = elelem_value_get(elelem_shape_field(c, ELS_CHAT_GROQ), "usage");
    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    details = elelem_value_get(raw, "prompt_tokens_details");
    elelem_shape_count_to(&usage.input, raw, "prompt_tokens");
    elelem_shape_count_to(&usage.output, raw, "completion_tokens");
    elelem_shape_count_to(&usage.cached, raw, "prompt_cache_hit_tokens"); /* DeepSeek */
    elelem_shape_count_to(&usage.cached, raw, "num_cached_tokens");       /* Mistral */
    elelem_shape_count_to(&usage.cached, raw, "cached_tokens");           /* Together */
    elelem_shape_count_to(&usage.cached, details, "cached_tokens");
    elelem_shape_count_to(&usage.cache_written, details, "cache_write_tokens");
    elelem_shape_count_to(&usage.reasoning, elelem_value_get(raw, "completion_tokens_details"), "reasoning_tokens");
    elelem_shape_usage(c, usage, raw);
}

static void els_chat_choice_of(elelem_shape_context *c, uint32_t number, elelem_value choice)
{
    elelem_value delta = elelem_shape_field(c, ELS_CHAT_DELTA);

    elelem_shape_fields_find(c, delta, ELS_CHAT_CONTENT, ELS_CHAT_DELTA_REST, ELS_CHAT_CONTENT);
    els_chat_reasoning(c, number);
    els_chat_content(c, number);
    els_chat_refusal(c, number);
    els_chat_metadata(c, number);
    els_chat_tool_calls(c, number);
    els_chat_function_call(c, number);
    if (elelem_shape_wants_items(c)) els_chat_items(c, number, delta);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_LOGPROBS))) els_chat_logprobs(c, number);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_CHOICE_REST))) els_chat_choice_rest(c, number, choice);
    els_chat_finish(c, number);
}

/* What belongs to the whole chunk comes last, but for what is known of the response. Citations may come in one that has no
   choice. */
static void els_chat_chunk(elelem_shape_context *c)
{
    elelem_value root = elelem_shape_document(c);
    elelem_value choices, choice;
    uint32_t number = 0;
    int is_chunk;

    elelem_shape_fields_find(c, root, ELS_CHAT_OBJECT, ELS_CHAT_ROOT_REST, ELS_CHAT_OBJECT);
    choices = elelem_shape_field(c, ELS_CHAT_CHOICES);
    is_chunk = elelem_value_type(choices) == ELELEM_TYPE_ARRAY;
    els_chat_stream_of(c)->had_chunk |= (uint8_t)is_chunk;
    els_chat_stream_of(c)->has_read_lists = 0;
    if (is_chunk && elelem_shape_wants_items(c)) els_chat_response(c);
    for (choice = elelem_value_first(choices); elelem_shape_is_there(choice); choice = elelem_value_next(choice)) {
        elelem_shape_fields_find(c, choice, ELS_CHAT_INDEX, ELS_CHAT_CHOICE_REST, ELS_CHAT_INDEX);
        number = elelem_shape_number_or(elelem_shape_field(c, ELS_CHAT_INDEX), 0);
        els_chat_choice_of(c, number, choice);
    }
    els_chat_lists(c);
    els_chat_aside(c, number, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY);
    if (els_chat_stream_of(c)->has_passed) els_chat_end_passed(c);
    els_chat_usage(c);
    if (is_chunk && elelem_shape_wants_items(c)) els_chat_late(c, root);
    elelem_shape_document_error(c);
}

/* [DONE] without a reason comes from Snowflake and some others. */
static elelem_status els_chat_frame(elelem_shape_context *c)
{
    const elelem_shape_item *item;

    if (elelem_shape_frame_kind(c) != ELELEM_SHAPE_DONE) els_chat_chunk(c);
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA || elelem_shape_is_over(c)) return ELELEM_OK;
    if (!els_chat_stream_of(c)->had_chunk) return ELELEM_ERROR_PROTOCOL;
    if (!elelem_shape_has_reason(c, 0)) elelem_shape_reason(c, 0, els_chat_completed(c, 0), els_str(NULL, 0), 0);
    for (item = elelem_shape_item_oldest(c); item; item = elelem_shape_item_newer(c, item))
        els_chat_end_json(c, item, elelem_shape_choice_ending(c, item->choice));
    elelem_shape_finish(c);
    return ELELEM_OK;
}

/* What a router may have a provider's model find stale. */
static const elelem_recovery_path els_chat_recovery[] = {
    { "messages[*].role", NULL, ELELEM_RECOVERY_SPEAKER, 0 },
    { "messages[*].reasoning_details[*].signature", "reasoning_details", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_SIGNATURE | ELELEM_REJECTED_CHANGE | ELELEM_REJECTED_THOUGHT },
    { "messages[*].reasoning_details[*].data", "reasoning_details", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_CHANGE | ELELEM_REJECTED_THOUGHT | ELELEM_REJECTED_ENCRYPTED },
    { "messages[*].reasoning_details[*].id", "reasoning_details", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ITEM },
    { "messages[*].tool_calls[*].extra_content.google.thought_signature", "extra_content", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_THOUGHT },
};

static const elelem_passage_rule els_chat_rules[] = {
    { ELS_CHAT_IMAGE, 0, NULL, NULL, els_chat_no_type, NULL, NULL },
    { ELS_CHAT_AUDIO_DATA, 1024, "", NULL, NULL, NULL, NULL },
};

static const elelem_shape_items els_chat_shape_items = { els_chat_item_paths, els_chat_rules, ELS_COUNT(els_chat_rules),
                                                         els_chat_passes };

ELS_DATA const elelem_shape elelem_shape_chat = {
    "chat", els_chat_paths, ELS_CHAT_ROWS, els_chat_frame,
    sizeof(els_chat_item), sizeof(els_chat_choice), sizeof(els_chat_stream), 0, 0,
    els_chat_recovery, ELS_COUNT(els_chat_recovery), &els_chat_shape_items, 1, 0, els_chat_whole_paths, els_chat_whole_item_paths,
};

#endif

#endif
