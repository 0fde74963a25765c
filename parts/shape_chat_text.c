#ifndef ELS_SHAPE_CHAT_TEXT_C
#define ELS_SHAPE_CHAT_TEXT_C
#include "shape_chat_text.h"
#include "base.c"

/* >> shape_chat_text */

#ifndef ELELEM_NO_CHAT

/* A chunk: {"choices":[{"index":0,"delta":{...},"finish_reason":null}],"usage":{...},"error":{...}}
   Real ones put their members in any order, so a chunk is worked on when it is whole. Of the choices, and of a delta, their BEGIN is
   wanted, because they may say nothing, and still are there.
   Members are looked up from one row to another: of the root from OBJECT to ROOT_REST, of a choice from INDEX to CHOICE_REST, of
   a delta from CONTENT to DELTA_REST. A new one belongs between these. What most chunks have comes first, because then it is
   found sooner. The last row of each is what no other names. Of what is no text, no reasoning and no call MORE is wanted, and of a
   list of calls CALLS: all of it, or of a whole response its elements, which are worked off one after the other. */
#define ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, MORE, LEADS, GROQS, SAYS, REPEATS, CALLS) \
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
    MEMBER(P, ERROR_TYPE, ROOT, "error_type", WHOLE)                   \
    MEMBER(P, BASE_RESP, ROOT, "base_resp", WHOLE)                     \
    REST(P, ROOT_REST, ROOT, MORE)                                     \
    ELEMENTS(P, CHOICE, CHOICES, NOTHING)                              \
    MEMBER(P, GROQ_USAGE, GROQ, "usage", WHOLE)                        \
    MEMBER(P, INDEX, CHOICE, "index", WHOLE)                           \
    MEMBER(P, DELTA, CHOICE, SAYS, BEGIN)                              \
    MEMBER(P, FINISH_REASON, CHOICE, "finish_reason", SOME)            \
    MEMBER(P, LOGPROBS, CHOICE, "logprobs", MORE)                      \
    MEMBER(P, REPETITION, CHOICE, REPEATS, BEGIN)                      \
    MEMBER(P, WHOLE_TEXT, CHOICE, "text", SKIP)                        \
    MEMBER(P, CHOICE_ERROR, CHOICE, "error", WHOLE)                    \
    MEMBER(P, CHOICE_USAGE, CHOICE, "usage", SOME)                     \
    REST(P, CHOICE_REST, CHOICE, MORE)                                 \
    MEMBER(P, CONTENT, DELTA, "content", SOME)                         \
    MEMBER(P, ROLE, DELTA, "role", SKIP)                               \
    MEMBER(P, TOOL_CALLS, DELTA, "tool_calls", CALLS)                  \
    MEMBER(P, REASONING_CONTENT, DELTA, "reasoning_content", SOME)     \
    MEMBER(P, REASONING, DELTA, "reasoning", SOME)                     \
    MEMBER(P, REASONING_TEXT, DELTA, "reasoning_text", SOME)           \
    MEMBER(P, REASONING_DETAILS, DELTA, "reasoning_details", SOME)     \
    MEMBER(P, THINKING_BLOCKS, DELTA, "thinking_blocks", SOME)         \
    MEMBER(P, REFUSAL, DELTA, "refusal", SOME)                         \
    MEMBER(P, FUNCTION_CALL, DELTA, "function_call", SOME)             \
    MEMBER(P, ANNOTATIONS, DELTA, "annotations", SOME)                 \
    MEMBER(P, PROVIDER_METADATA, DELTA, "provider_metadata", SOME)     \
    MEMBER(P, AUDIO, DELTA, "audio", LEADS)                            \
    MEMBER(P, IMAGES, DELTA, "images", LEADS)                          \
    MEMBER(P, EXECUTED_TOOLS, DELTA, "executed_tools", MORE)           \
    REST(P, DELTA_REST, DELTA, MORE)                                   \
    ELEMENTS(P, IMAGE, IMAGES, MORE)                                   \
    ELEMENTS(P, CALL, TOOL_CALLS, WHOLE)                               \
    MEMBER(P, AUDIO_DATA, AUDIO, "data", MORE)                         \
    REST(P, AUDIO_REST, AUDIO, MORE)

/* Without and with provider items; of a chunk, and of a whole response, in which "message" holds all that deltas bring. Some
   servers send both. */
#define ELS_CHAT_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, SKIP, SKIP, NOTHING, "delta", "message", SOME)
#define ELS_CHAT_ITEM_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, SOME, NOTHING, SOME, "delta", "message", SOME)
#define ELS_CHAT_WHOLE_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, SKIP, SKIP, NOTHING, "message", "delta", NOTHING)
#define ELS_CHAT_WHOLE_ITEM_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_CHAT_PATHS_OF(P, MEMBER, ELEMENTS, REST, SOME, NOTHING, SOME, "message", "delta", NOTHING)

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
    uint32_t first_rest; /* the same of the first choice, also before that has a state */
    uint32_t lists;     /* of calls so far */
    uint32_t names[2];  /* hashes of the id and the model of the chunk before; 0 for none */
    elelem_value passing;     /* of this chunk: the choice in which something began to pass last; or none */
    uint32_t passing_number;  /* if is_passing_known: its number */
    elelem_value image;       /* of this chunk: that which began to pass last; or none */
    elelem_value worked;      /* of a whole response: the choice of which calls were worked off last, after those before it; or none */
    uint8_t is_passing_known;
    uint8_t had_chunk;
    uint8_t has_read_lists; /* of this chunk */
    uint8_t has_passed;     /* images of this chunk passed */
    uint8_t had_groq;
    uint8_t is_early;       /* texts are worked on with the calls of their message: more may be said of them after those */
    uint8_t is_begun;       /* of a whole response something was worked off */
    uint8_t known;          /* bits of the rows from ELS_CHAT_ID on that were emitted, and will be no more */
} els_chat_stream;

/* State of a choice. */
typedef struct els_chat_choice {
    uint32_t rest;  /* of another than the first: a hash of the rest of it that was emitted last */
    uint32_t filters; /* of the results of filters that its text had last */
    uint32_t items : 31; /* and of the provider items of unknown types */
    uint32_t is_refused : 1; /* it had refusal text */
    uint32_t images; /* elements of the list of this chunk up to the one that passed last */
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
    uint32_t has_arguments : 1; /* a call: some were emitted */
    uint32_t is_whole : 1;      /* and these are an object that one piece had */
    uint32_t is_closed : 1;     /* and their last byte so far closes an object, or they are a value */
    uint32_t has_text : 1;      /* reasoning that waits: its text was emitted */
    uint32_t name;              /* a call: a hash of its name; 0 if it has none */
    uint32_t list;              /* a call that has: the number of the list that had its name last */
} els_chat_item;

ELS_PRIVATE els_chat_stream *els_chat_stream_of(const elelem_shape_context *c)
{
    return (els_chat_stream *)elelem_shape_stream_state(c);
}

/* Null if the choice had no part yet. */
ELS_PRIVATE els_chat_choice *els_chat_choice_state(const elelem_shape_context *c, uint32_t choice)
{
    return (els_chat_choice *)elelem_shape_choice_state(c, choice);
}

ELS_PRIVATE els_chat_item *els_chat_state(const elelem_shape_item *item)
{
    return (els_chat_item *)elelem_shape_item_state(item);
}

ELS_PRIVATE uint32_t els_chat_short_hash(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

/* Of a name, an id: never 0. */
ELS_PRIVATE uint32_t els_chat_name_hash(elelem_str name)
{
    return els_chat_short_hash(elelem_shape_hash(name)) | 1;
}

ELS_PRIVATE int els_chat_is_of_whole(const elelem_shape_context *c)
{
    return ELS_HAS_WHOLE && elelem_shape_frame_kind(c) == ELELEM_SHAPE_WHOLE;
}

/* Nonzero if a value holds nothing: it is null, empty, or all in it is. */
ELS_PRIVATE int els_chat_is_empty_value(elelem_value value)
{
    elelem_type type = elelem_value_type(value);

    if (type == ELELEM_TYPE_STRING) return elelem_value_text(value).size == 0;
    if (type == ELELEM_TYPE_ARRAY || type == ELELEM_TYPE_OBJECT) return !elelem_shape_is_there(elelem_value_first(value));
    return !elelem_shape_is_value(value);
}

ELS_PRIVATE int els_chat_says_nothing(elelem_value value)
{
    elelem_value inner = elelem_value_first(value);

    if (!elelem_shape_is_there(inner)) return els_chat_is_empty_value(value);
    while (elelem_shape_is_there(inner) && els_chat_is_empty_value(inner))
        inner = elelem_value_next(inner);
    return !elelem_shape_is_there(inner);
}

/* Nonzero if the key of the member is one of these. */
ELS_PRIVATE int els_chat_is_known(elelem_value member, const char *const *known, size_t count)
{
    size_t i = 0;

    while (i < count && !elelem_str_is(elelem_value_key(member), known[i]))
        i++;
    return i < count;
}

/* Reasoning. `reasoning`, `reasoning_content` and `reasoning_text` are the same text if several come, and
   entries of reasoning_details say it once more. So do LiteLLM's thinking_blocks, which are read as such entries. */

/* The text of one entry; its name depends on the type. */
ELS_PRIVATE elelem_str els_chat_detail_text(elelem_value entry)
{
    elelem_str text = elelem_shape_string_in(entry, "text");

    if (text.size == 0) text = elelem_shape_string_in(entry, "summary");
    if (text.size == 0) text = elelem_shape_string_in(entry, "thinking");
    return text;
}

/* Nonzero if an entry without text has something else than what all entries have. */
ELS_PRIVATE int els_chat_detail_is_other(elelem_value entry)
{
    static const char *const known[] = { "type", "id", "format", "index", "provider", "signature", "data" };
    elelem_value member = elelem_value_first(entry);

    if (els_chat_detail_text(entry).size > 0) return 0;
    while (elelem_shape_is_there(member) && (els_chat_is_empty_value(member) || els_chat_is_known(member, known, ELS_COUNT(known))))
        member = elelem_value_next(member);
    return elelem_shape_is_there(member);
}

/* An entry says more than its text if it has a signature or data, or is of an unknown type. */
ELS_PRIVATE int els_chat_detail_says_more(elelem_value entry)
{
    return elelem_shape_string_in(entry, "signature").size > 0 || elelem_shape_string_in(entry, "data").size > 0 ||
           els_chat_detail_is_other(entry);
}

ELS_APART int els_chat_any_says_more(elelem_value entry, elelem_value end)
{
    while (!elelem_shape_is_same(entry, end) && !els_chat_detail_says_more(entry))
        entry = elelem_value_next(entry);
    return !elelem_shape_is_same(entry, end);
}

ELS_APART void els_chat_write_detail(elelem_writer *writer, elelem_value entry)
{
    elelem_value member;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(entry); elelem_value_type(member) != ELELEM_TYPE_NONE;
         member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (elelem_str_is(key, "text") || elelem_str_is(key, "summary") || elelem_str_is(key, "thinking")) continue;
        elelem_writer_key(writer, key);
        elelem_writer_value(writer, member);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* Entries with one index are one block of reasoning, which is an item whose key is that index. An entry without
   an index belongs to the block before it. Returns the first entry after this one that is of another block, or no value. */
ELS_PRIVATE elelem_value els_chat_block_end(elelem_value entry, uint32_t key)
{
    do
        entry = elelem_value_next(entry);
    while (elelem_shape_is_there(entry) && elelem_shape_number_or(elelem_value_get(entry, "index"), key) == key);
    return entry;
}

/* The first of the entries of the message at hand; no value if there is none. */
ELS_PRIVATE elelem_value els_chat_first_detail(const elelem_shape_context *c)
{
    elelem_value entry = elelem_value_first(elelem_shape_field(c, ELS_CHAT_REASONING_DETAILS));

    if (!elelem_shape_is_there(entry)) entry = elelem_value_first(elelem_shape_field(c, ELS_CHAT_THINKING_BLOCKS));
    return entry;
}

/* Adds what the entries up to `end` say in addition to their text; with `all` also entries that only have their kind. */
ELS_PRIVATE void els_chat_details(elelem_shape_context *c, elelem_value entry, elelem_value end, int all)
{
    elelem_writer *writer = elelem_shape_write(c);
    elelem_str list = elelem_value_key(elelem_value_parent(entry));
    int any = 0;

    if (!ELS_HAS_METADATA) return;
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; !elelem_shape_is_same(entry, end); entry = elelem_value_next(entry)) {
        if (elelem_value_type(entry) != ELELEM_TYPE_OBJECT || (!all && !els_chat_detail_says_more(entry))) continue;
        els_chat_write_detail(writer, entry);
        any = 1;
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    if (any) elelem_shape_metadata_written(c, list);
}

ELS_PRIVATE elelem_str els_chat_reasoning_text(const elelem_shape_context *c)
{
    elelem_str text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REASONING_CONTENT));

    if (text.size == 0) text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REASONING));
    if (text.size == 0) text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REASONING_TEXT));
    return text;
}

/* The first entry from here up to `end` that has a text, or `end`. */
ELS_APART elelem_value els_chat_detail_with_text(elelem_value entry, elelem_value end)
{
    while (!elelem_shape_is_same(entry, end) && els_chat_detail_text(entry).size == 0)
        entry = elelem_value_next(entry);
    return entry;
}

/* Nonzero if reasoning is open. */
ELS_PRIVATE int els_chat_is_reasoning(const elelem_shape_context *c, uint32_t choice)
{
    const elelem_shape_item *item = elelem_shape_item_at(c, elelem_shape_item_text(c, choice));

    return item && item->kind == ELELEM_PART_REASONING;
}

/* Its key; 0 if none is. */
ELS_PRIVATE uint32_t els_chat_open_reasoning(const elelem_shape_context *c, uint32_t choice)
{
    return els_chat_is_reasoning(c, choice) ? elelem_shape_item_at(c, elelem_shape_item_text(c, choice))->key : 0;
}

ELS_PRIVATE void els_chat_say(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, uint32_t key, elelem_str text)
{
    if (text.size == 0) return;
    elelem_shape_text(c, elelem_shape_item_continue(c, choice, kind, key), text);
}

/* Metadata that waits goes on the open item of its kind, or on a new one. That is over at once if it would come between the
   pieces of another text. */
ELS_PRIVATE void els_chat_aside(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, uint32_t key)
{
    uint32_t index, other;
    int is_new;

    if (!ELS_HAS_METADATA || !elelem_shape_has_metadata(c)) return;
    index = elelem_shape_item_find(c, choice, kind, key);
    other = elelem_shape_item_text(c, choice);
    is_new = index == ELELEM_NO_INDEX;
    if (is_new) index = elelem_shape_item_open(c, choice, kind, key);
    elelem_shape_text(c, index, els_str(NULL, 0));
    if (is_new && other != ELELEM_NO_INDEX) elelem_shape_flush(c, index);
}

/* Ends a block of reasoning that is open, if it is another than that of the key. */
ELS_PRIVATE void els_chat_end_block(elelem_shape_context *c, uint32_t choice, uint32_t key)
{
    const elelem_shape_item *open = elelem_shape_item_at(c, elelem_shape_item_text(c, choice));

    if (open && open->kind == ELELEM_PART_REASONING && open->key != key) elelem_shape_flush(c, open->index);
}

/* The texts of the entries after this one. */
ELS_APART void els_chat_more_texts(elelem_shape_context *c, uint32_t choice, elelem_value entry, elelem_value end, uint32_t key)
{
    while (!elelem_shape_is_same(entry, end)) {
        entry = els_chat_detail_with_text(elelem_value_next(entry), end);
        if (!elelem_shape_is_same(entry, end))
            els_chat_say(c, choice, ELELEM_PART_REASONING, key, els_chat_detail_text(entry));
    }
}

/* The entries of one block: the texts, or in their place the delta's own, and on the first of them what else the entries say. */
ELS_APART void els_chat_block(elelem_shape_context *c, uint32_t choice, elelem_value first, elelem_value end, uint32_t key,
                           elelem_str own)
{
    int is_new = elelem_shape_item_find(c, choice, ELELEM_PART_REASONING, key) == ELELEM_NO_INDEX;
    elelem_value entry = own.size > 0 ? end : els_chat_detail_with_text(first, end);
    int has_text = own.size > 0 || !elelem_shape_is_same(entry, end);

    if (has_text) {
        uint32_t index = elelem_shape_item_continue(c, choice, ELELEM_PART_REASONING, key);
        els_chat_details(c, first, end, is_new && elelem_shape_is_there(elelem_value_first(elelem_shape_field(c, ELS_CHAT_REASONING_DETAILS))));
        elelem_shape_text(c, index, own.size > 0 ? own : els_chat_detail_text(entry));
        els_chat_more_texts(c, choice, entry, end, key);
    } else if (ELS_HAS_METADATA && els_chat_any_says_more(first, end)) {
        els_chat_end_block(c, choice, key);
        els_chat_details(c, first, end, 0);
        els_chat_aside(c, choice, ELELEM_PART_REASONING, key);
    }
}

/* The reasoning of a whole response that was emitted with the calls after it; null if there is none. */
ELS_APART const elelem_shape_item *els_chat_early_reasoning(const elelem_shape_context *c, uint32_t choice)
{
    const elelem_shape_item *item = elelem_shape_item_oldest(c);

    if (!els_chat_is_of_whole(c)) return NULL;
    while (item && (item->choice != choice || item->kind != ELELEM_PART_REASONING || !item->waits))
        item = elelem_shape_item_newer(c, item);
    return item;
}

/* Nonzero if the reasoning of the message at hand has a text. */
ELS_PRIVATE int els_chat_has_reasoning_text(const elelem_shape_context *c)
{
    static const elelem_value none = ELELEM_INIT;
    elelem_value entry = els_chat_first_detail(c);

    return els_chat_reasoning_text(c).size > 0 || elelem_shape_is_there(els_chat_detail_with_text(entry, none));
}

/* Reasoning that comes after such calls says again what was emitted, but for what entries say in addition, and the text if there was
   none. */
ELS_APART void els_chat_more_reasoning(elelem_shape_context *c, const elelem_shape_item *item, elelem_value entry)
{
    static const elelem_value none = ELELEM_INIT;
    int had_text = els_chat_state(item)->has_text;
    elelem_str own = had_text ? els_str(NULL, 0) : els_chat_reasoning_text(c);

    if (elelem_shape_is_there(entry)) els_chat_details(c, entry, none, 1);
    elelem_shape_text(c, item->index, own);
    for (; !had_text && own.size == 0 && elelem_shape_is_there(entry); entry = elelem_value_next(entry))
        elelem_shape_text(c, item->index, els_chat_detail_text(entry));
    if (els_chat_has_reasoning_text(c)) els_chat_state(item)->has_text = 1;
}

/* The delta's own text, which repeats the texts of the entries; empty if those are of several blocks. */
ELS_APART elelem_str els_chat_own_text(const elelem_shape_context *c, elelem_value entry, uint32_t key)
{
    static const elelem_value none = ELELEM_INIT;

    if (elelem_shape_is_there(els_chat_block_end(entry, key)) && elelem_shape_is_there(els_chat_detail_with_text(entry, none)))
        return els_str(NULL, 0);
    return els_chat_reasoning_text(c);
}

ELS_PRIVATE void els_chat_reasoning_of(elelem_shape_context *c, uint32_t choice)
{
    elelem_value entry = els_chat_first_detail(c);
    const elelem_shape_item *early = els_chat_early_reasoning(c, choice);
    uint32_t key = elelem_shape_number_or(elelem_value_get(entry, "index"), els_chat_open_reasoning(c, choice));
    elelem_str own;

    if (ELS_HAS_WHOLE && early) {
        els_chat_more_reasoning(c, early, entry);
        return;
    }
    own = els_chat_own_text(c, entry, key);
    if (!elelem_shape_is_there(entry)) els_chat_say(c, choice, ELELEM_PART_REASONING, key, own);
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
ELS_PRIVATE void els_chat_whole_item(elelem_shape_context *c, uint32_t choice, elelem_str type, elelem_value value)
{
    uint32_t index = elelem_shape_item_open(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_ITEM_KEY);

    elelem_shape_provider_value(c, index, type, value);
    elelem_shape_flush(c, index);
}

/* Metadata of the text that is open; of the response if none is. */
ELS_PRIVATE void els_chat_attach(elelem_shape_context *c, uint32_t choice)
{
    uint32_t index = elelem_shape_item_text(c, choice);

    if (index != ELELEM_NO_INDEX) elelem_shape_text(c, index, els_str(NULL, 0));
    else elelem_shape_response(c);
}

/* A value that more may come of, as an element of an array, to which others are added; an array is one already. */
ELS_PRIVATE void els_chat_add(elelem_shape_context *c, elelem_str key, elelem_value value)
{
    elelem_writer *writer = elelem_shape_write(c);
    int is_array = elelem_value_type(value) == ELELEM_TYPE_ARRAY;

    if (!is_array) elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_value(writer, value);
    if (!is_array) elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(c, key);
}

/* Most deltas have none. */
ELS_PRIVATE void els_chat_reasoning(elelem_shape_context *c, uint32_t choice)
{
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_REASONING)) ||
        elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_REASONING_CONTENT)) ||
        elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_REASONING_TEXT)) ||
        elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_REASONING_DETAILS)) ||
        elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_THINKING_BLOCKS)))
        els_chat_reasoning_of(c, choice);
}

/* Content: a string, or an array of parts {"type":"text","text":...} and
   {"type":"thinking","thinking":[{"type":"text","text":...}]} (Mistral), or for those
   {"type":"reasoning","summary":[{"type":"summary_text","text":...,"signature":...}]} (Databricks). Parts of other types, such as
   references, are provider items, also those inside of reasoning. */

/* The member of a part that has reasoning; no value if none has. */
ELS_PRIVATE elelem_value els_chat_thinking_of(elelem_value part)
{
    elelem_value thinking = elelem_value_get(part, "thinking");

    if (elelem_str_is(elelem_shape_string_in(part, "type"), "reasoning")) thinking = elelem_value_get(part, "summary");
    return thinking;
}

/* A part that is an object without a text of its own is a provider item. Returns 0 for any other. */
ELS_PRIVATE int els_chat_other_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    if (elelem_value_type(part) != ELELEM_TYPE_OBJECT || els_chat_says_nothing(part)) return 0;
    if (elelem_shape_is_there(elelem_value_get(part, "text")) || elelem_shape_is_there(els_chat_thinking_of(part))) return 0;
    if (elelem_shape_wants_items(c)) els_chat_whole_item(c, choice, elelem_shape_string_in(part, "type"), part);
    return 1;
}

/* Has the text that is open wait for the end of its message, in which more may be said of it after the calls. */
ELS_APART void els_chat_wait(elelem_shape_context *c, uint32_t number)
{
    elelem_shape_item *item = elelem_shape_item_at(c, elelem_shape_item_text(c, number));

    if (!item) return;
    if (els_chat_has_reasoning_text(c)) els_chat_state(item)->has_text = 1;
    elelem_shape_item_wait(c, item->index);
}

/* The item, or the reasoning that is open in the choice if it is none, gets the text. */
ELS_PRIVATE void els_chat_think(elelem_shape_context *c, uint32_t choice, uint32_t index, elelem_str text)
{
    if (text.size == 0) return;
    if (index == ELELEM_NO_INDEX) index = elelem_shape_item_continue(c, choice, ELELEM_PART_REASONING, ELS_CHAT_TEXT_KEY);
    elelem_shape_text(c, index, text);
    if (index != ELELEM_NO_INDEX) els_chat_state(elelem_shape_item_at(c, index))->has_text = 1;
}

/* Members of a part of text or reasoning that are not known are metadata of it. `closed` is of requests. Returns nonzero if there are
   any. */
ELS_PRIVATE int els_chat_add_part_rest(elelem_shape_context *c, elelem_value part)
{
    static const char *const known[] = { "type", "text", "thinking", "closed" };
    elelem_value thinking = els_chat_thinking_of(part), member = elelem_value_first(part);
    int any = 0;

    for (; elelem_shape_wants_items(c) && elelem_shape_is_there(member); member = elelem_value_next(member)) {
        if (els_chat_is_known(member, known, ELS_COUNT(known)) || els_chat_says_nothing(member)) continue;
        if (elelem_shape_is_same(member, thinking)) continue;
        els_chat_add(c, elelem_value_key(member), member);
        any = 1;
    }
    return any;
}

/* Adds what else a part of reasoning has, or an element of it, to the item, or to the reasoning that is open if it is none. */
ELS_PRIVATE void els_chat_add_to_reasoning(elelem_shape_context *c, uint32_t choice, uint32_t index, elelem_value part)
{
    if (!els_chat_add_part_rest(c, part)) return;
    if (index != ELELEM_NO_INDEX) elelem_shape_text(c, index, els_str(NULL, 0));
    else if (els_chat_is_reasoning(c, choice)) els_chat_attach(c, choice);
    else els_chat_aside(c, choice, ELELEM_PART_REASONING, ELS_CHAT_TEXT_KEY);
}

/* An element of a part of reasoning: a text, or an object that has one or is another part. */
ELS_PRIVATE void els_chat_thinking_element(elelem_shape_context *c, uint32_t choice, uint32_t index, elelem_value element)
{
    els_chat_think(c, choice, index, elelem_shape_string(element));
    els_chat_think(c, choice, index, elelem_shape_string_in(element, "text"));
    if (!els_chat_other_part(c, choice, element)) els_chat_add_to_reasoning(c, choice, index, element);
}

/* A part of reasoning: one element or several. They belong to the item that was emitted with the calls before it, if that had no
   text. */
ELS_PRIVATE void els_chat_thinking(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_value thinking = els_chat_thinking_of(part), element = elelem_value_first(thinking);
    const elelem_shape_item *early = els_chat_early_reasoning(c, choice);
    int is_of_early = ELS_HAS_WHOLE && early && !els_chat_state(early)->has_text;
    uint32_t index = is_of_early ? early->index : ELELEM_NO_INDEX;

    if (elelem_value_type(thinking) != ELELEM_TYPE_ARRAY) els_chat_thinking_element(c, choice, index, thinking);
    else for (; elelem_shape_is_there(element); element = elelem_value_next(element))
        els_chat_thinking_element(c, choice, index, element);
    els_chat_add_to_reasoning(c, choice, index, part);
}

/* A part, or a text in place of one. */
ELS_PRIVATE void els_chat_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    int is_text = elelem_value_type(part) == ELELEM_TYPE_STRING;
    elelem_str text = is_text ? elelem_value_text(part) : elelem_shape_string_in(part, "text");

    if (els_chat_other_part(c, choice, part)) return;
    if (ELS_HAS_WHOLE && els_chat_stream_of(c)->is_early && text.size > 0 && els_chat_is_reasoning(c, choice)) els_chat_wait(c, choice);
    els_chat_say(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY, text);
    if (elelem_shape_is_there(els_chat_thinking_of(part))) els_chat_thinking(c, choice, part);
    else if (els_chat_add_part_rest(c, part)) els_chat_attach(c, choice);
}

ELS_PRIVATE void els_chat_content(elelem_shape_context *c, uint32_t choice)
{
    elelem_value content = elelem_shape_field(c, ELS_CHAT_CONTENT);
    elelem_value part;

    els_chat_say(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY, elelem_shape_string(content));
    if (elelem_value_type(content) == ELELEM_TYPE_OBJECT) els_chat_part(c, choice, content);
    if (elelem_value_type(content) != ELELEM_TYPE_ARRAY) return;
    for (part = elelem_value_first(content); elelem_shape_is_there(part); part = elelem_value_next(part))
        els_chat_part(c, choice, part);
}

/* The probabilities of the content, if the delta has those of a refusal too, which ends the content; none else. */
ELS_PRIVATE elelem_value els_chat_logprobs_before_refusal(const elelem_shape_context *c)
{
    const elelem_value none = ELELEM_INIT;
    elelem_value logprobs = elelem_shape_field(c, ELS_CHAT_LOGPROBS);

    if (elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REFUSAL)).size == 0) return none;
    if (els_chat_is_empty_value(elelem_value_get(logprobs, "refusal"))) return none;
    return elelem_value_get(logprobs, "content");
}

ELS_PRIVATE void els_chat_refusal(elelem_shape_context *c, uint32_t choice)
{
    elelem_value of_content = els_chat_logprobs_before_refusal(c);
    elelem_str text = elelem_shape_string(elelem_shape_field(c, ELS_CHAT_REFUSAL));
    els_chat_choice *state;
    uint32_t index;

    if (text.size == 0) return;
    if (!els_chat_is_empty_value(of_content)) {
        els_chat_add(c, elelem_str_of("logprobs"), of_content);
        els_chat_attach(c, choice);
    }
    index = elelem_shape_item_continue(c, choice, ELELEM_PART_MESSAGE, ELS_CHAT_REFUSAL_KEY);
    elelem_shape_metadata_json(c, elelem_str_of("refusal"), elelem_str_of("true"));
    elelem_shape_text(c, index, text);
    state = (els_chat_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->is_refused = 1;
}

/* Some providers repeat the list in every chunk, and it may grow: only what is new is emitted. */
ELS_PRIVATE void els_chat_list(elelem_shape_context *c, unsigned row, uint32_t *emitted)
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
ELS_PRIVATE void els_chat_lists(elelem_shape_context *c)
{
    els_chat_stream *stream = els_chat_stream_of(c);

    if (stream->has_read_lists || !ELS_HAS_METADATA) return;
    stream->has_read_lists = 1;
    els_chat_list(c, ELS_CHAT_CITATIONS, &stream->citations);
    els_chat_list(c, ELS_CHAT_SEARCH_RESULTS, &stream->search_results);
}

ELS_PRIVATE void els_chat_metadata(elelem_shape_context *c, uint32_t choice)
{
    elelem_value annotations = elelem_shape_field(c, ELS_CHAT_ANNOTATIONS);
    elelem_value provider = elelem_shape_field(c, ELS_CHAT_PROVIDER_METADATA);

    if (!ELS_HAS_METADATA) return;
    if (elelem_value_type(elelem_value_first(annotations)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "annotations", annotations);
    if (elelem_shape_is_value(provider)) elelem_shape_metadata_value(c, "provider_metadata", provider);
    if (choice == 0) els_chat_lists(c);
    els_chat_aside(c, choice, elelem_shape_message_kind(c), ELS_CHAT_TEXT_KEY);
}

/* What is known of the response, and metadata of all kinds, if the caller wants it. */

ELS_PRIVATE void els_chat_note(elelem_shape_context *c, elelem_value member)
{
    elelem_writer_value(elelem_shape_write(c), member);
    elelem_shape_metadata_written(c, elelem_value_key(member));
}

/* What is known of the response comes in every chunk, and is emitted when it is new. Then it is no longer looked at; the id
   and the model only after they came twice, because OpenRouter and Azure may send others in the first chunk. None sends a new
   one later, but for Groq's models that search, of which each chunk has an id of its own. */
ELS_PRIVATE void els_chat_know(elelem_shape_context *c, unsigned row, elelem_value value)
{
    uint32_t *name = row <= ELS_CHAT_MODEL ? &els_chat_stream_of(c)->names[row - ELS_CHAT_ID] : NULL;
    uint32_t hash = name ? els_chat_name_hash(elelem_value_text(value)) : 0;

    if (!name || *name != hash) elelem_shape_metadata_value(c, els_chat_paths[row].key, value);
    if (!name || *name != 0) {
        elelem_shape_drop(c, row);
        els_chat_stream_of(c)->known |= (uint8_t)(1u << (row - ELS_CHAT_ID));
    }
    if (name) *name = hash;
}

/* Nonzero if something is to be emitted of a row: it was not yet, as when the document of a whole response is there again. */
ELS_PRIVATE int els_chat_is_news(const elelem_shape_context *c, unsigned row, elelem_value value)
{
    if (!elelem_shape_is_there(value) || els_chat_is_empty_value(value)) return 0;
    return !(els_chat_stream_of(c)->known >> (row - ELS_CHAT_ID) & 1);
}

ELS_PRIVATE void els_chat_response(elelem_shape_context *c)
{
    unsigned row;

    for (row = ELS_CHAT_ID; row <= ELS_CHAT_PROVIDER; row++) {
        elelem_value value = elelem_shape_field(c, row);
        if (row == ELS_CHAT_CREATED && elelem_str_is(elelem_value_text(value), "0")) continue; /* Azure's first chunk */
        if (els_chat_is_news(c, row, value)) els_chat_know(c, row, value);
    }
    elelem_shape_response(c);
}

/* A hash of the members of an object that no row names and that say something; 0 if there are none. */
ELS_PRIVATE uint32_t els_chat_hash_rest(const elelem_shape_context *c, elelem_value member, unsigned row)
{
    uint64_t hash = ELELEM_SHAPE_HASH_START;
    int any = 0;

    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row)) {
        if (els_chat_says_nothing(member)) continue;
        any = 1;
        hash = elelem_shape_hash_member(hash, member);
    }
    return any ? els_chat_short_hash(hash) | 1 : 0;
}

/* What else there is of a chunk, such as timings, filter results of the prompt, progress. */
ELS_PRIVATE void els_chat_root_rest(elelem_shape_context *c, elelem_value root)
{
    elelem_value member = elelem_shape_row_first(c, root, ELS_CHAT_ROOT_REST);
    uint32_t hash = els_chat_hash_rest(c, member, ELS_CHAT_ROOT_REST);

    if (hash == 0 || hash == els_chat_stream_of(c)->rest) return;
    els_chat_stream_of(c)->rest = hash;
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_CHAT_ROOT_REST))
        if (!els_chat_says_nothing(member)) els_chat_note(c, member);
}

/* Groq's part, in its first chunk and the last, without the usage, which is read as such. */
ELS_PRIVATE void els_chat_groq(elelem_shape_context *c)
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
ELS_PRIVATE void els_chat_late(elelem_shape_context *c, elelem_value root)
{
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_GROQ))) els_chat_groq(c);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_ROOT_REST))) els_chat_root_rest(c, root);
    elelem_shape_response(c);
}

/* Those of OpenAI are of the tokens of the content and of the refusal, which are items of their own. */
ELS_APART void els_chat_logprobs(elelem_shape_context *c, uint32_t choice)
{
    elelem_value logprobs = elelem_shape_field(c, ELS_CHAT_LOGPROBS);
    elelem_value of_content = elelem_value_get(logprobs, "content"), of_refusal = elelem_value_get(logprobs, "refusal");
    elelem_str key = elelem_str_of("logprobs");

    if (els_chat_says_nothing(logprobs)) return;
    if (!elelem_shape_is_there(of_content) && !elelem_shape_is_there(of_refusal)) els_chat_add(c, key, logprobs);
    if (!els_chat_is_empty_value(of_content) && !elelem_shape_is_there(els_chat_logprobs_before_refusal(c))) els_chat_add(c, key, of_content);
    if (!els_chat_is_empty_value(of_refusal)) els_chat_add(c, key, of_refusal);
    els_chat_attach(c, choice);
}

/* Members of a choice that no row names. */
typedef enum els_chat_rest {
    ELS_CHAT_OWN,     /* of the choice itself, when they are new */
    ELS_CHAT_FILTERS, /* results of filters of its text, when they are new */
    ELS_CHAT_TOKENS   /* of the tokens of its text */
} els_chat_rest;

ELS_PRIVATE els_chat_rest els_chat_rest_of(elelem_str key)
{
    static const char prefix[] = "content_filter";

    if (elelem_str_is(key, "token_ids")) return ELS_CHAT_TOKENS;
    return key.size >= sizeof prefix - 1 && memcmp(key.data, prefix, sizeof prefix - 1) == 0 ? ELS_CHAT_FILTERS : ELS_CHAT_OWN;
}

/* This member, or the next one, that is of the kind and says something; none if there is none. */
ELS_PRIVATE elelem_value els_chat_rest_from(const elelem_shape_context *c, elelem_value member, els_chat_rest kind)
{
    while (elelem_shape_is_there(member) && (els_chat_says_nothing(member) || els_chat_rest_of(elelem_value_key(member)) != kind))
        member = elelem_shape_row_next(c, member, ELS_CHAT_CHOICE_REST);
    return member;
}

ELS_PRIVATE elelem_value els_chat_rest_after(const elelem_shape_context *c, elelem_value member, els_chat_rest kind)
{
    return els_chat_rest_from(c, elelem_shape_row_next(c, member, ELS_CHAT_CHOICE_REST), kind);
}

/* A hash of those from this one on; 0 if there are none. */
ELS_PRIVATE uint32_t els_chat_hash_kind(const elelem_shape_context *c, elelem_value member, els_chat_rest kind)
{
    uint64_t hash = ELELEM_SHAPE_HASH_START;

    member = els_chat_rest_from(c, member, kind);
    if (!elelem_shape_is_there(member)) return 0;
    for (; elelem_shape_is_there(member); member = els_chat_rest_after(c, member, kind))
        hash = elelem_shape_hash_member(hash, member);
    return els_chat_short_hash(hash) | 1;
}

/* Adds those of the text, of which more may come. */
ELS_PRIVATE void els_chat_add_kind(elelem_shape_context *c, elelem_value member, els_chat_rest kind)
{
    for (member = els_chat_rest_from(c, member, kind); elelem_shape_is_there(member); member = els_chat_rest_after(c, member, kind))
        els_chat_add(c, elelem_value_key(member), member);
}

/* Those of the text of the choice. Filters count as known once they were put on a text. */
ELS_PRIVATE void els_chat_rest_of_text(elelem_shape_context *c, uint32_t choice, elelem_value member)
{
    els_chat_choice *state = els_chat_choice_state(c, choice);
    uint32_t hash = els_chat_hash_kind(c, member, ELS_CHAT_FILTERS);

    if (hash != 0 && !(state && state->filters == hash)) els_chat_add_kind(c, member, ELS_CHAT_FILTERS);
    els_chat_add_kind(c, member, ELS_CHAT_TOKENS);
    if (hash != 0 && state && elelem_shape_item_text(c, choice) != ELELEM_NO_INDEX) state->filters = hash;
    if (elelem_shape_has_metadata(c)) els_chat_attach(c, choice);
}

/* Those of the first choice itself. */
ELS_PRIVATE void els_chat_note_own(elelem_shape_context *c, elelem_value member)
{
    for (member = els_chat_rest_from(c, member, ELS_CHAT_OWN); elelem_shape_is_there(member);
         member = els_chat_rest_after(c, member, ELS_CHAT_OWN))
        els_chat_note(c, member);
}

/* Those of another choice: as in the chunk, with its number. */
ELS_PRIVATE void els_chat_add_choice(elelem_shape_context *c, elelem_value member)
{
    elelem_writer *writer = elelem_shape_write(c);

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(writer, elelem_str_of("index"));
    elelem_writer_value(writer, elelem_shape_field(c, ELS_CHAT_INDEX));
    for (member = els_chat_rest_from(c, member, ELS_CHAT_OWN); elelem_shape_is_there(member);
         member = els_chat_rest_after(c, member, ELS_CHAT_OWN)) {
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(c, elelem_str_of("choices"));
}

/* What else there is of a choice, such as the finish reason of the provider that a router called. */
ELS_PRIVATE void els_chat_choice_rest(elelem_shape_context *c, uint32_t choice, elelem_value of)
{
    elelem_value member = elelem_shape_row_first(c, of, ELS_CHAT_CHOICE_REST);
    els_chat_choice *state = els_chat_choice_state(c, choice);
    uint32_t *last = choice == 0 ? &els_chat_stream_of(c)->first_rest : state ? &state->rest : NULL;
    uint32_t hash = els_chat_hash_kind(c, member, ELS_CHAT_OWN);

    els_chat_rest_of_text(c, choice, member);
    if (hash == 0 || (last && *last == hash)) return;
    if (last) *last = hash;
    if (choice == 0) els_chat_note_own(c, member);
    else els_chat_add_choice(c, member);
    elelem_shape_response(c);
}

#endif

#endif
