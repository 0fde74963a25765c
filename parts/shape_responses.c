#ifndef ELS_SHAPE_RESPONSES_C
#define ELS_SHAPE_RESPONSES_C
#include "shape_responses.h"
#include "base.c"
#include "shape_responses_item.c"
#include "shape_responses_action.c"
#include "recovery.h"

/* >> shape_responses */

#ifndef ELELEM_NO_RESPONSES

/* Frames about a text. */

/* Nonzero if a text of this kind is of a call that the provider runs itself. */
static int els_responses_is_skipped(const elelem_shape_context *c, els_responses_text what)
{
    return what == ELS_RESPONSES_INPUT && els_responses_stream_of(c)->has_own_customs;
}

/* What comes shows that the model ended what waits. */
ELS_APART void els_responses_release(elelem_shape_context *c)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item))
        if (item->waits && els_responses_state(item)->is_custom) els_responses_quote(c, item, els_str(NULL, 0), 1);
    elelem_shape_release(c, 0);
}

/* The elements of a list from number `from` on, as metadata. `*emitted` counts them. */
static void els_responses_notes(elelem_shape_context *c, elelem_value list, const char *key, uint32_t from, uint32_t *emitted)
{
    elelem_value note = elelem_value_first(list);
    elelem_writer *writer;
    uint32_t count = 0;

    for (; elelem_shape_is_there(note) && count < from; note = elelem_value_next(note))
        count++;
    if (!elelem_shape_is_there(note)) return;
    writer = elelem_shape_write(c);
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; elelem_shape_is_there(note); note = elelem_value_next(note), ++*emitted)
        elelem_writer_value(writer, note);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(c, elelem_str_of(key));
}

/* Nonzero if the text is of another kind of call than the item: LiteLLM sends the input of a custom call in the wrapper that it gave it as
   arguments of a function, and as it is when the item is done. */
static int els_responses_is_misfit(const elelem_shape_item *item, els_responses_text what)
{
    if (item->kind != ELELEM_PART_TOOL_CALL) return 0;
    return els_responses_state(item)->is_custom != (what == ELS_RESPONSES_INPUT);
}

/* What of a delta is new: the first after a call was added may begin with what the call had then (vLLM). */
static elelem_str els_responses_new(elelem_shape_context *c, const elelem_shape_item *item, elelem_str text)
{
    els_responses_own *own = els_responses_state(item);
    int is_ahead = own->is_ahead;

    own->is_ahead = 0;
    if (!is_ahead || !els_responses_repeats(own, text)) return text;
    return els_responses_after_said(c, item, text);
}

static void els_responses_delta(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    els_responses_text what = (els_responses_text)which;
    elelem_str text = els_responses_text_at(c, ELS_RESPONSES_DELTA);
    elelem_shape_item *item;

    if (text.size == 0) return;
    if (els_responses_is_skipped(c, what)) {
        els_responses_caption_delta(c, 1, place);
        return;
    }
    els_responses_release(c);
    els_responses_see(c, place, 0);
    item = els_responses_item_of(c, what, place);
    if (!item || els_responses_is_misfit(item, what)) return;
    els_responses_emit(c, item, what, els_responses_part_number(c, what, item, place), els_responses_new(c, item, text), place);
}

/* A text that is whole. It opens no item but that of another part of a message that is open: a message that nothing announced
   comes whole once more when it is done. */
static void els_responses_whole(elelem_shape_context *c, els_responses_text what, elelem_value holder,
                                const els_responses_place *place)
{
    elelem_str text = elelem_shape_string_in(holder, els_responses_members[what].whole);
    elelem_shape_item *item = els_responses_find(c, what, place);
    int is_text = what == ELS_RESPONSES_TEXT || what == ELS_RESPONSES_REFUSAL;
    uint32_t part;

    if (!item && is_text && text.size > 0 && els_responses_of_message(c, place)) item = els_responses_open(c, what, place);
    if (!item || els_responses_is_misfit(item, what)) return;
    part = els_responses_part_number(c, what, item, place);
    els_responses_emit(c, item, what, part, els_responses_rest(c, item, part, text), place);
}

static void els_responses_text_done(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    els_responses_text what = (els_responses_text)which;

    if (!els_responses_is_skipped(c, what)) els_responses_whole(c, what, elelem_shape_document(c), place);
}

/* A part that begins, or is done. */
static void els_responses_part(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_value part = elelem_shape_field(c, ELS_RESPONSES_PART);
    elelem_str type = elelem_shape_string_in(part, "type");

    (void)which;
    if (elelem_str_is(type, "output_text")) els_responses_whole(c, ELS_RESPONSES_TEXT, part, place);
    if (elelem_str_is(type, "refusal")) els_responses_whole(c, ELS_RESPONSES_REFUSAL, part, place);
    if (elelem_str_is(type, "reasoning_text")) els_responses_whole(c, ELS_RESPONSES_RAW, part, place);
    if (elelem_str_is(type, "summary_text")) els_responses_whole(c, ELS_RESPONSES_SUMMARY, part, place);
}

/* A part of a message, or of raw reasoning, is announced. */
static void els_responses_part_added(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    els_responses_stream *stream = els_responses_stream_of(c);
    els_responses_place own = *place;

    own.part = elelem_shape_number_or(elelem_shape_field(c, ELS_RESPONSES_CONTENT_INDEX), ELS_RESPONSES_NO_KEY);
    if (own.key != ELS_RESPONSES_NO_KEY && own.part != ELS_RESPONSES_NO_KEY) {
        stream->announced = own.key + 1;
        stream->announced_part = own.part;
    }
    els_responses_part(c, which, &own);
}

static void els_responses_annotation(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_value annotation = elelem_shape_field(c, ELS_RESPONSES_ANNOTATION);
    elelem_shape_item *item = NULL;

    (void)which;
    if (elelem_shape_is_value(annotation)) item = els_responses_item_of(c, ELS_RESPONSES_TEXT, place);
    if (!item) return;
    if (!els_responses_state(item)->had_text && place->part != ELS_RESPONSES_NO_KEY) els_responses_state(item)->said_part = place->part;
    els_responses_introduce(c, item, place);
    elelem_shape_metadata_in_array(c, "annotations", annotation);
    els_responses_state(item)->annotations++;
    elelem_shape_text(c, item->index, els_str(NULL, 0));
}

/* Frames about an item: it is added, it is done, or it is in the last frame's list. */

typedef enum els_responses_verb { ELS_RESPONSES_ADDED, ELS_RESPONSES_DONE, ELS_RESPONSES_LISTED } els_responses_verb;

/* Passes a member on as it is. */
static void els_responses_member(elelem_shape_context *c, elelem_value member)
{
    elelem_writer_value(elelem_shape_write(c), member);
    elelem_shape_metadata_written(c, elelem_value_key(member));
}

/* What is known of the response: `early` in its first frame, and the rest, or what changed, in the last. */
typedef struct els_responses_known_row {
    uint8_t slot;
    uint8_t is_early;
    uint8_t is_late;
} els_responses_known_row;

static const els_responses_known_row els_responses_known_rows[] = {
    { ELS_RESPONSES_ID, 1, 1 },         { ELS_RESPONSES_MODEL, 1, 1 },      { ELS_RESPONSES_CREATED, 1, 0 },
    { ELS_RESPONSES_TIER, 1, 1 },       { ELS_RESPONSES_CONVERSATION, 1, 0 }, { ELS_RESPONSES_STATUS, 1, 1 },
    { ELS_RESPONSES_COMPLETED, 0, 1 },  { ELS_RESPONSES_INCOMPLETE, 0, 1 }, { ELS_RESPONSES_TOOL_USAGE, 0, 1 },
    { ELS_RESPONSES_MODERATION, 0, 1 }, { ELS_RESPONSES_FILTERS, 0, 1 },    { ELS_RESPONSES_CACHE, 0, 1 },
    { ELS_RESPONSES_COPILOT, 0, 1 },
};

/* Nonzero if the text is another than the one whose hash is in `*name`, which is set. */
static int els_responses_is_news(uint64_t *name, elelem_str text)
{
    uint64_t before = *name;

    *name = els_responses_name(text);
    return text.size > 0 && *name != before;
}

static int els_responses_is_due(const elelem_shape_context *c, const els_responses_known_row *row, int is_late)
{
    els_responses_stream *stream = els_responses_stream_of(c);
    elelem_value value = elelem_shape_field(c, row->slot);

    if (!elelem_shape_is_value(value) || !(is_late ? row->is_late || !stream->is_described : row->is_early)) return 0;
    if (row->slot == ELS_RESPONSES_ID) return els_responses_is_news(&stream->id, elelem_shape_string(value));
    if (row->slot == ELS_RESPONSES_MODEL) return els_responses_is_news(&stream->model, elelem_shape_string(value));
    if (row->slot == ELS_RESPONSES_STATUS) return elelem_shape_is_news(&stream->status, els_responses_name(elelem_shape_string(value)));
    if (row->slot == ELS_RESPONSES_TIER) return els_responses_is_news(&stream->tier, elelem_shape_string(value));
    return 1;
}

/* Nonzero if a member of the response that no row names repeats the request, or says nothing. */
static int els_responses_is_of_request(elelem_value member)
{
    static const char *const keys[] = {
        "object", "background", "top_logprobs", "max_output_tokens", "frequency_penalty", "presence_penalty", "prompt_cache_retention",
        "max_tool_calls", "previous_response_id", "safety_identifier", "prompt_cache_key", "user", "output_text",
        "prompt_cache_options", NULL
    };

    elelem_type type = elelem_value_type(member);
    int is_container = type == ELELEM_TYPE_OBJECT || type == ELELEM_TYPE_ARRAY;

    if (is_container && !elelem_shape_is_there(elelem_value_first(member))) return 1;
    return els_responses_is_among(elelem_value_key(member), keys);
}

/* Members of the response that nothing above reads, if they are others than those that were emitted before. */
static void els_responses_describe_rest(elelem_shape_context *c)
{
    int is_whole = elelem_shape_frame_kind(c) == ELELEM_SHAPE_WHOLE;
    elelem_value response = is_whole ? elelem_shape_document(c) : elelem_shape_field(c, ELS_RESPONSES_RESPONSE);
    elelem_value first = elelem_shape_row_first(c, response, ELS_RESPONSES_RESPONSE_REST), member;
    uint64_t hash = ELELEM_SHAPE_HASH_START;

    for (member = first; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_RESPONSES_RESPONSE_REST))
        if (!els_responses_is_of_request(member)) hash = elelem_shape_hash_member(hash, member);
    if (hash == ELELEM_SHAPE_HASH_START || hash == els_responses_stream_of(c)->rest) return;
    els_responses_stream_of(c)->rest = hash;
    for (member = first; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_RESPONSES_RESPONSE_REST))
        if (!els_responses_is_of_request(member)) els_responses_member(c, member);
}

ELS_APART void els_responses_describe(elelem_shape_context *c, int is_late)
{
    els_responses_stream *stream = els_responses_stream_of(c);
    size_t i;

    if (!elelem_shape_wants_items(c) || (stream->is_described && !is_late)) return;
    for (i = 0; i < ELS_COUNT(els_responses_known_rows); i++) {
        const els_responses_known_row *row = &els_responses_known_rows[i];
        if (els_responses_is_due(c, row, is_late))
            elelem_shape_metadata_value(c, els_responses_paths[row->slot].key, elelem_shape_field(c, row->slot));
    }
    els_responses_describe_rest(c);
    stream->is_described |= elelem_shape_has_metadata(c) != 0;
    elelem_shape_response(c);
}

/* The calls that xAI's x_search makes are custom tool calls in form, and run by the time they are sent. No
   others can be among them if the request, whose tools the first frames repeat, has no custom tool. */
ELS_APART void els_responses_note_tools(elelem_shape_context *c)
{
    elelem_value tool = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_TOOLS));
    int searches = 0, customs = 0;

    els_responses_stream_of(c)->has_tools |= elelem_shape_is_there(tool) != 0;
    for (; elelem_shape_is_there(tool); tool = elelem_value_next(tool)) {
        searches |= elelem_str_is(elelem_shape_string_in(tool, "type"), "x_search");
        customs |= elelem_str_is(elelem_shape_string_in(tool, "type"), "custom");
        if (elelem_str_is(elelem_shape_string_in(tool, "name"), "parallel")) els_responses_stream_of(c)->has_parallel = 1;
    }
    if (searches && !customs) els_responses_stream_of(c)->has_own_customs = 1;
}

/* The first frames. */
static void els_responses_created(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    (void)place;
    els_responses_describe(c, 0);
    els_responses_note_tools(c);
}

/* Nonzero if a shell call has an environment that is not the caller's machine: a command that ran already must not run there once more. */
static int els_responses_is_run_elsewhere(elelem_value environment)
{
    return elelem_shape_is_value(environment) && !elelem_str_is(elelem_shape_string_in(environment, "type"), "local");
}

/* Nonzero if the provider runs a call of this type, which others of it leave to the caller. */
static int els_responses_is_run(const elelem_shape_context *c, uint8_t type)
{
    if (type == ELS_RESPONSES_CUSTOM) return els_responses_stream_of(c)->has_own_customs;
    if (type == ELS_RESPONSES_SHELL) return els_responses_is_run_elsewhere(elelem_shape_field(c, ELS_RESPONSES_ENTRY_ENVIRONMENT));
    if (type == ELS_RESPONSES_TOOL_SEARCH) return !elelem_str_is(els_responses_text_at(c, ELS_RESPONSES_ENTRY_EXECUTION), "client");
    return 0;
}

/* What the frame's own item can say. */
static els_responses_text els_responses_what(const elelem_shape_context *c)
{
    uint8_t type = els_responses_stream_of(c)->type;

    if (type < ELS_COUNT(els_responses_types) && !els_responses_is_run(c, type))
        return (els_responses_text)els_responses_types[type].what;
    if (!elelem_shape_wants_items(c)) return ELS_RESPONSES_NONE;
    return els_responses_text_at(c, ELS_RESPONSES_ENTRY_TYPE).size > 0 ? ELS_RESPONSES_PROVIDER : ELS_RESPONSES_NONE;
}

/* What must not be emitted twice: the entry of a frame. */
static els_responses_closed els_responses_entry(const elelem_shape_context *c, const els_responses_place *place)
{
    elelem_str id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_CALL_ID);
    els_responses_closed entry;

    entry.name = els_responses_name(id.size > 0 ? id : els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID));
    entry.item = place->name;
    entry.key = place->key;
    entry.listed = els_responses_stream_of(c)->is_listing ? (uint32_t)elelem_value_index(place->entry) + 1 : 0;
    entry.contents = entry.said = 0; /* a provider item may have passed, and what it holds is not known */
    if (els_responses_what(c) == ELS_RESPONSES_PROVIDER) {
        entry.name = els_responses_name(els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID));
        return entry;
    }
    entry.contents = elelem_shape_hash(els_responses_text_at(c, ELS_RESPONSES_ENTRY_ENCRYPTED));
    entry.contents = elelem_shape_hash_more(entry.contents, els_responses_text_at(c, ELS_RESPONSES_ENTRY_ARGUMENTS));
    entry.contents = elelem_shape_hash_more(entry.contents, els_responses_text_at(c, ELS_RESPONSES_ENTRY_INPUT));
    return entry;
}

/* Nonzero if the entry repeats one that was closed. Two items can share an id by the provider's mistake (xAI): then their
   numbers differ, or without numbers their contents. In the last frame's list a number is only a place. */
static int els_responses_was_closed(const elelem_shape_context *c, els_responses_verb verb, const els_responses_place *place)
{
    const els_responses_closed *closed = els_responses_stream_of(c)->closed;
    els_responses_closed entry = els_responses_entry(c, place);
    unsigned i;

    if (verb == ELS_RESPONSES_LISTED) entry.key = ELS_RESPONSES_NO_KEY;
    for (i = 0; i < ELS_RESPONSES_CLOSED; i++) {
        int has_keys = entry.key != ELS_RESPONSES_NO_KEY && closed[i].key != ELS_RESPONSES_NO_KEY;
        if (!entry.name || closed[i].name != entry.name) continue;
        if (has_keys ? entry.key == closed[i].key : entry.contents == closed[i].contents) return 1;
    }
    return 0;
}

/* A hash of the text that an entry ends with; 0: it has none. */
static uint64_t els_responses_last_text(const elelem_shape_context *c)
{
    elelem_value part = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_CONTENT));
    elelem_str last = els_str(NULL, 0);

    if (!elelem_shape_is_there(part)) part = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_SUMMARY));
    for (; elelem_shape_is_there(part); part = elelem_value_next(part)) {
        elelem_str text = elelem_shape_string_in(part, "text");
        if (text.size == 0) text = elelem_shape_string_in(part, "refusal");
        if (text.size > 0) last = text;
    }
    return last.size > 0 ? elelem_shape_hash(last) : 0;
}

/* The arguments of an entry, or its input. */
static elelem_str els_responses_last_arguments(const elelem_shape_context *c)
{
    elelem_str arguments = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ARGUMENTS);

    return arguments.size > 0 ? arguments : els_responses_text_at(c, ELS_RESPONSES_ENTRY_INPUT);
}

/* A hash of what an entry calls, and with what; 0 if it has no arguments. */
static uint64_t els_responses_last_call(const elelem_shape_context *c)
{
    elelem_str arguments = els_responses_last_arguments(c);

    if (arguments.size == 0) return 0;
    return elelem_shape_hash_more(elelem_shape_hash(els_responses_text_at(c, ELS_RESPONSES_ENTRY_NAME)), arguments);
}

/* What an entry is known by if neither its number nor its id says what it is; 0 if it has nothing of the kind. */
static uint64_t els_responses_last_said(const elelem_shape_context *c, els_responses_text what)
{
    switch (what) {
    case ELS_RESPONSES_TEXT:
    case ELS_RESPONSES_SUMMARY: return els_responses_last_text(c);
    case ELS_RESPONSES_ARGUMENTS:
    case ELS_RESPONSES_INPUT: return els_responses_last_call(c);
    default: return 0;
    }
}

/* Nonzero if the list has a closed item at its number, under its id, and that is another one than the item at hand. It is looked up
   once then. Of what comes after the item at hand, only the next may be known. */
static int els_responses_is_elsewhere(els_responses_closed *closed, const els_responses_place *place)
{
    elelem_value item = elelem_value_at(elelem_value_parent(place->entry), closed->key);
    elelem_str id = elelem_shape_string_in(item, "id");

    if (id.size == 0 || elelem_shape_is_same(item, place->entry) || closed->item != els_responses_name(id)) return 0;
    closed->listed = closed->key + 1;
    return 1;
}

/* The closed item that an item of the last frame's list is, by its id, or else by what it ends with; null if there is none. Each is one item
   of the list: another one with the same text was not streamed. */
static els_responses_closed *els_responses_closed_as(const elelem_shape_context *c, const els_responses_place *place, uint64_t said)
{
    uint32_t listed = (uint32_t)elelem_value_index(place->entry) + 1;
    els_responses_closed *closed = els_responses_stream_of(c)->closed, *same = NULL;
    unsigned i;

    for (i = 0; i < ELS_RESPONSES_CLOSED; i++) {
        if (!closed[i].name || !els_responses_is_free(&closed[i], listed)) continue;
        if (closed[i].item == place->name) return &closed[i];
        if (said && !same && closed[i].said == said && !els_responses_is_elsewhere(&closed[i], place)) same = &closed[i];
    }
    return same;
}

/* Nonzero if an item of the last frame's list ends with the text, or is the call, of one that was closed and has an id too: it is that
   one, though neither its number nor its id says so, because the list has other numbers and ids than the frames before (vLLM). */
static int els_responses_was_said(const elelem_shape_context *c, els_responses_text what, const els_responses_place *place)
{
    uint64_t said = els_responses_last_said(c, what);
    els_responses_closed *closed = place->name ? els_responses_closed_as(c, place, said) : NULL;

    if (!closed) return 0;
    closed->listed = (uint32_t)elelem_value_index(place->entry) + 1;
    return said && closed->said == said;
}

static void els_responses_remember(els_responses_stream *stream, els_responses_closed entry)
{
    stream->closed[stream->closed_next] = entry;
    stream->closed_next = (stream->closed_next + 1) % ELS_RESPONSES_CLOSED;
}

static void els_responses_remember_closed(elelem_shape_context *c, const els_responses_place *place, uint64_t said)
{
    els_responses_closed entry = els_responses_entry(c, place);

    entry.said = said;
    els_responses_remember(els_responses_stream_of(c), entry);
}

/* Kinds of which something was emitted, as bits. Calls and provider items are one kind here: of some types a member that
   comes later, or only in one of two frames, says which of them an item is. */
static uint32_t els_responses_streamed(const elelem_shape_context *c)
{
    const uint32_t calls = 1u << ELS_RESPONSES_ARGUMENTS | 1u << ELS_RESPONSES_INPUT | 1u << ELS_RESPONSES_ACTION |
                           1u << ELS_RESPONSES_PROVIDER;
    uint32_t kinds = 0;

    if (elelem_shape_choice_had(c, 0, ELELEM_PART_MESSAGE) || elelem_shape_choice_had(c, 0, ELELEM_PART_STRUCTURED))
        kinds |= 1u << ELS_RESPONSES_TEXT;
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_REASONING)) kinds |= 1u << ELS_RESPONSES_SUMMARY;
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL) || elelem_shape_choice_had(c, 0, ELELEM_PART_PROVIDER_ITEM)) kinds |= calls;
    return kinds;
}

/* Whether an item of the last frame's list was not streamed, and may be opened. One of a kind of which nothing was streamed was not, though
   another item had its number, or one before it in the list has its id. A provider item was if one that was closed had both: the list
   has another word for its type. If numbers say nothing, one of a kind that was streamed counts as if it was itself. */
static int els_responses_is_only_listed(const elelem_shape_context *c, els_responses_text what, const els_responses_place *place)
{
    const els_responses_stream *stream = els_responses_stream_of(c);
    int was_said;

    if (what == ELS_RESPONSES_PROVIDER && els_responses_is_over(c, place)) return 0;
    if (!(stream->listed_kinds >> what & 1)) return 1;
    was_said = els_responses_was_said(c, what, place);
    if (was_said || stream->is_misnumbered || els_responses_is_seen(c, place->key)) return 0;
    return !els_responses_was_closed(c, ELS_RESPONSES_LISTED, place);
}

/* Whether an item may be opened that is not open. */
static int els_responses_may_open(const elelem_shape_context *c, els_responses_verb verb, els_responses_text what,
                                  const els_responses_place *place)
{
    if (verb == ELS_RESPONSES_ADDED) return 1;
    return verb == ELS_RESPONSES_LISTED ? els_responses_is_only_listed(c, what, place) : !els_responses_was_closed(c, verb, place);
}

/* An item that is added under the number of an open one ends that, unless it is the same. None waits then. */
static elelem_shape_item *els_responses_in_the_way(const elelem_shape_context *c, els_responses_text what,
                                          const els_responses_place *place)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item)) {
        if (item->key != place->key || item->key == ELS_RESPONSES_NO_KEY) continue;
        if (!els_responses_fits(item, what)) return item;
        if (place->name && els_responses_state(item)->name && els_responses_state(item)->name != place->name) return item;
    }
    return NULL;
}

/* Ends an item that is in the way. Its text does not come again when it is done after all: some servers give all items one number. */
static void els_responses_end_in_the_way(elelem_shape_context *c, const elelem_shape_item *item)
{
    const els_responses_own *own = els_responses_state(item);
    int is_text = els_responses_fits(item, ELS_RESPONSES_TEXT) || els_responses_is(item, ELS_RESPONSES_SUMMARY);
    els_responses_closed entry;

    entry.name = entry.item = own->name;
    entry.contents = 0;
    entry.said = own->said_hash;
    entry.key = item->key;
    entry.listed = 0;
    if (is_text && own->had_text) els_responses_remember(els_responses_stream_of(c), entry);
    els_responses_release_held(c, item);
    elelem_shape_flush(c, item->index);
}

/* The open item that the entry is about; null if it is a new one. */
static elelem_shape_item *els_responses_known(const elelem_shape_context *c, els_responses_verb verb, els_responses_text what,
                                     const els_responses_place *place)
{
    elelem_shape_item *item = els_responses_find(c, what, place);
    elelem_shape_item *refusal = what == ELS_RESPONSES_TEXT ? els_responses_find(c, ELS_RESPONSES_REFUSAL, place) : NULL;
    int is_sure = place->key != ELS_RESPONSES_NO_KEY;

    if (refusal && item && (els_responses_state(item)->name == place->name || els_responses_state(refusal)->name != place->name))
        refusal = NULL;
    if (refusal) item = refusal;
    if (item && item->key == ELS_RESPONSES_NO_KEY) is_sure = 0;
    if (item && verb == ELS_RESPONSES_ADDED && !is_sure && els_responses_state(item)->name != place->name) return NULL;
    return item;
}

/* Of reasoning that has a summary and raw text, the one that was streamed is emitted, else the raw text:
   they can be the same. */
static elelem_value els_responses_first_part(const elelem_shape_context *c, const elelem_shape_item *item)
{
    elelem_value summary = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_SUMMARY));
    elelem_value content = elelem_value_first(elelem_shape_field(c, ELS_RESPONSES_ENTRY_CONTENT));
    int is_summary = els_responses_state(item)->had_text ? !(els_responses_state(item)->said_part & ELS_RESPONSES_RAW_PART)
                                                          : elelem_value_type(content) == ELELEM_TYPE_NONE;

    if (item->kind != ELELEM_PART_REASONING) return content;
    return is_summary ? summary : content;
}

/* Nonzero if an open item of which nothing was emitted does not begin with what the list has: that ended before, or numbers say nothing
   and it is a message of another id, next to one that was streamed. vLLM adds a message twice. */
static int els_responses_is_spent(const elelem_shape_context *c, els_responses_text what, const elelem_shape_item *item,
                                  const els_responses_place *place)
{
    const els_responses_stream *stream = els_responses_stream_of(c);

    if (what != ELS_RESPONSES_TEXT || !stream->is_misnumbered || els_responses_state(item)->name == place->name)
        return els_responses_was_closed(c, ELS_RESPONSES_LISTED, place);
    return (int)(stream->listed_kinds >> what & 1);
}

/* The item that the entry is about, new or known; null if there is nothing to emit of it. */
ELS_APART elelem_shape_item *els_responses_entry_item(elelem_shape_context *c, els_responses_verb verb,
                                                   els_responses_text what, const els_responses_place *place)
{
    elelem_shape_item *item;

    if (verb == ELS_RESPONSES_ADDED)
        while ((item = els_responses_in_the_way(c, what, place)) != NULL)
            els_responses_end_in_the_way(c, item);
    item = els_responses_known(c, verb, what, place);
    if (item && verb == ELS_RESPONSES_LISTED && !item->had_part && els_responses_is_spent(c, what, item, place)) return NULL;
    if (!item && els_responses_may_open(c, verb, what, place)) item = els_responses_open(c, what, place);
    return item;
}

/* A message begins with its first text, because a refusal is another kind of item; reasoning at once,
   because it may have no text at all. */
ELS_APART void els_responses_begin(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_start(c, item, place);
    } else if (item->kind == ELELEM_PART_REASONING) {
        els_responses_introduce(c, item, place);
        elelem_shape_text(c, item->index, els_str(NULL, 0));
    } else if (elelem_shape_kept(c, item).size == 0 && !els_responses_state(item)->is_introduced) {
        elelem_shape_keep(c, item->index, els_responses_phase(c));
    }
}

/* A part of a message that is neither text nor refusal: a provider item. */
ELS_APART void els_responses_other_part(elelem_shape_context *c, elelem_value value, const els_responses_place *place)
{
    elelem_str type = elelem_shape_string_in(value, "type");
    uint32_t index;

    if (type.size == 0 || !elelem_shape_wants_items(c)) return;
    index = elelem_shape_item_open(c, 0, ELELEM_PART_PROVIDER_ITEM, ELS_RESPONSES_NO_KEY);
    if (place->id.size > 0) elelem_shape_metadata_text(c, "item_id", place->id);
    els_responses_number(c, "content_index", (uint32_t)elelem_value_index(value));
    elelem_shape_provider_value(c, index, type, value);
    elelem_shape_flush(c, index);
}

/* Members of an item, or of a part, that are passed on as they are. */
#define ELS_RESPONSES_MEMBERS 32

/* Members of a part that no item of this library has. */
ELS_APART void els_responses_part_members(elelem_shape_context *c, elelem_value part)
{
    static const char *const read[] = { "type", "text", "refusal", "annotations", "logprobs", NULL };
    elelem_value member = elelem_value_first(part);
    unsigned count = 0;

    for (; elelem_shape_is_there(member) && count < ELS_RESPONSES_MEMBERS; member = elelem_value_next(member)) {
        if (!elelem_shape_is_value(member) || els_responses_is_among(elelem_value_key(member), read)) continue;
        els_responses_member(c, member);
        count++;
    }
}

/* Citations and probabilities of a whole part that no frame of their own had, and what else it says. */
ELS_APART void els_responses_part_notes(elelem_shape_context *c, elelem_shape_item *item, elelem_value part)
{
    els_responses_own *own = els_responses_state(item);

    els_responses_notes(c, elelem_value_get(part, "annotations"), "annotations", own->annotations, &own->annotations);
    els_responses_notes(c, elelem_value_get(part, "logprobs"), "logprobs", own->logprobs, &own->logprobs);
    els_responses_part_members(c, part);
    if (!elelem_shape_has_metadata(c)) return;
    if (!item->had_part && item->kind == ELELEM_PART_STRUCTURED) item->kind = ELELEM_PART_MESSAGE;
    elelem_shape_text(c, item->index, els_str(NULL, 0));
}

/* Nonzero if the whole part has a member of that name. */
static int els_responses_has(elelem_value part, const char *key)
{
    return elelem_value_type(elelem_value_get(part, key)) == ELELEM_TYPE_STRING;
}

/* What the whole part of an item is. */
static els_responses_text els_responses_part_what(elelem_value part, els_responses_text what)
{
    if (what == ELS_RESPONSES_SUMMARY)
        return elelem_str_is(elelem_value_key(elelem_value_parent(part)), "content") ? ELS_RESPONSES_RAW : what;
    if (elelem_str_is(elelem_shape_string_in(part, "type"), "refusal")) return ELS_RESPONSES_REFUSAL;
    if (elelem_str_is(elelem_shape_string_in(part, "type"), "output_text")) return what;
    return els_responses_has(part, "text") || !els_responses_has(part, "type") ? what : ELS_RESPONSES_PROVIDER;
}

/* The text of a whole part, whose place this is, as far as it was not emitted. Returns its item; null if there is none. */
ELS_APART elelem_shape_item *els_responses_entry_text(elelem_shape_context *c, els_responses_text what, elelem_value value,
                                                      const els_responses_place *place)
{
    elelem_str text = elelem_shape_string_in(value, els_responses_members[what].whole);
    elelem_shape_item *item = text.size > 0 ? els_responses_item_of(c, what, place) : els_responses_find(c, what, place);

    if (item) els_responses_say(c, item, what, place->part, els_responses_rest(c, item, place->part, text), place);
    return item;
}

/* The number of a whole part. The only part of a message is the one that was streamed, whatever number that had: vLLM counts
   through the parts of all items. */
static uint32_t els_responses_entry_number(const elelem_shape_context *c, els_responses_text what, elelem_value value,
                                           const els_responses_place *place)
{
    uint32_t number = (uint32_t)elelem_value_index(value);
    const elelem_shape_item *item;

    if (what == ELS_RESPONSES_RAW) return number | ELS_RESPONSES_RAW_PART;
    if (what == ELS_RESPONSES_SUMMARY || number > 0 || elelem_shape_is_there(elelem_value_next(value))) return number;
    item = els_responses_of_message(c, place);
    return item ? els_responses_state(item)->said_part : number;
}

/* A whole part of an item, of which the rest is emitted. A message can hold text and refusals, which are items of their own. */
ELS_APART void els_responses_entry_part(elelem_shape_context *c, els_responses_text what, elelem_value value,
                                        els_responses_place *place)
{
    uint32_t part = place->part;
    elelem_shape_item *item;

    what = els_responses_part_what(value, what);
    if (what == ELS_RESPONSES_PROVIDER) {
        if (!place->is_added) els_responses_other_part(c, value, place);
        return;
    }
    place->part = els_responses_entry_number(c, what, value, place);
    item = els_responses_entry_text(c, what, value, place);
    place->part = part;
    if (item && (what == ELS_RESPONSES_TEXT || what == ELS_RESPONSES_REFUSAL)) els_responses_part_notes(c, item, value);
}

/* Nonzero for arguments of a call that is added which only keep the place of those to come. */
static int els_responses_is_placeholder(elelem_value value)
{
    if (elelem_value_type(value) == ELELEM_TYPE_OBJECT) return !elelem_shape_is_there(elelem_value_first(value));
    return elelem_str_is(elelem_shape_string(value), "{}");
}

/* Arguments that are no text: a server does not write them down. What was added as a custom call is a function then. */
static void els_responses_entry_value(elelem_shape_context *c, const elelem_shape_item *item, elelem_value value, int is_added)
{
    els_responses_state(item)->is_custom = 0;
    if (is_added) {
        els_responses_hold(c, item, value);
        return;
    }
    els_responses_state(item)->had_text = 1;
    elelem_shape_tool_arguments_value(c, item->index, value);
}

/* The arguments of a call, as text, or as the value itself. */
ELS_APART void els_responses_entry_call(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what, int is_added)
{
    els_responses_own *own = els_responses_state(item);
    elelem_value value = elelem_shape_field(c, els_responses_members[what].entry);

    if (what == ELS_RESPONSES_ACTION) {
        els_responses_entry_action(c, item, is_added);
    } else if (what == ELS_RESPONSES_ARGUMENTS && is_added && els_responses_is_placeholder(value)) {
        return;
    } else if (elelem_value_type(value) == ELELEM_TYPE_STRING) {
        els_responses_argue(c, item, els_responses_rest(c, item, 0, elelem_value_text(value)));
        own->is_ahead = is_added && own->said_size > 0;
    } else if (elelem_shape_is_value(value) && what == ELS_RESPONSES_ARGUMENTS && !own->had_text) {
        els_responses_entry_value(c, item, value, is_added);
    }
}

/* What the item holds whole. */
static void els_responses_entry_contents(elelem_shape_context *c, elelem_shape_item *item, els_responses_text what,
                                         els_responses_place *place)
{
    elelem_value part = els_responses_first_part(c, item); /* other parts open other items, which moves them all */

    if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_entry_call(c, item, what, place->is_added);
        return;
    }
    for (; elelem_shape_is_there(part) && !elelem_shape_is_over(c); part = elelem_value_next(part))
        els_responses_entry_part(c, what, part, place);
}

/* Nonzero if a member of an item says nothing that an item of this library does not say already. */
static int els_responses_is_read(const elelem_shape_item *item, elelem_value member)
{
    static const char *const always[] = { "type", "id", "call_id", "name", "namespace", "caller", "phase", NULL };
    static const char *const of_calls[] = { "arguments", "input", "action", "actions", "operation", "pending_safety_checks", NULL };
    static const char *const of_texts[] = { "content", "summary", "encrypted_content", NULL };
    int is_call = item->kind == ELELEM_PART_TOOL_CALL;
    elelem_str key = elelem_value_key(member);

    if (!elelem_shape_is_value(member)) return 1;
    if (elelem_str_is(key, "status")) return elelem_str_is(elelem_shape_string(member), "completed");
    if (elelem_str_is(key, "role")) return elelem_str_is(elelem_shape_string(member), "assistant");
    return els_responses_is_among(key, always) || els_responses_is_among(key, is_call ? of_calls : of_texts);
}

/* All else that the item says. */
ELS_APART void els_responses_members_of(elelem_shape_context *c, const elelem_shape_item *item, elelem_value entry)
{
    elelem_value member = elelem_value_first(entry);
    unsigned count = 0;

    for (; elelem_shape_is_there(member) && count < ELS_RESPONSES_MEMBERS; member = elelem_value_next(member)) {
        if (els_responses_is_read(item, member)) continue;
        els_responses_member(c, member);
        count++;
    }
}

/* Of reasoning that has both a summary and raw text, the one that was not emitted. */
static void els_responses_other_text(elelem_shape_context *c, const elelem_shape_item *item)
{
    const els_responses_own *own = els_responses_state(item);
    elelem_value summary = elelem_shape_field(c, ELS_RESPONSES_ENTRY_SUMMARY);
    elelem_value content = elelem_shape_field(c, ELS_RESPONSES_ENTRY_CONTENT);

    if (!elelem_shape_wants_items(c)) return;
    if (!own->had_summary && elelem_shape_is_there(elelem_value_first(summary))) els_responses_member(c, summary);
    if (!own->is_raw && elelem_shape_is_there(elelem_value_first(content))) els_responses_member(c, content);
}

/* What the end of an item says, and what its first part did not. The encrypted content of an item
   that is only added is another, and of no use. Of the place, the item's own id counts, not one that the frame names. */
ELS_APART void els_responses_last_metadata(elelem_shape_context *c, elelem_shape_item *item, els_responses_place place)
{
    els_responses_own *own = els_responses_state(item);
    elelem_str phase = els_responses_phase(c);
    elelem_str encrypted = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ENCRYPTED);

    place.id = els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID);
    if (place.id.size == 0) place.name = 0;
    if (!own->is_introduced) els_responses_introduce(c, item, &place);
    else if (place.id.size > 0 && (!own->had_id || own->name != place.name))
        elelem_shape_metadata_text(c, "item_id", place.id);
    if (item->kind == ELELEM_PART_REASONING) {
        if (encrypted.size > 0) elelem_shape_metadata_text(c, "encrypted_content", encrypted);
        els_responses_other_text(c, item);
    } else if (item->kind == ELELEM_PART_TOOL_CALL) {
        els_responses_caller(c, item, &place);
    } else if (phase.size > 0) {
        elelem_shape_metadata_text(c, "phase", phase);
    }
}

/* Flushes an item that is done, or has it wait. The string of an input has no end of its own: it is closed if the
   status says so, and stays open if that says otherwise; without a word, what comes next decides. */
ELS_APART void els_responses_flush(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_ENTRY_STATUS);
    int is_incomplete = elelem_str_is(status, "incomplete");

    if (!els_responses_state(item)->is_custom) {
        if (is_incomplete) elelem_shape_flush_as(c, item->index, ELELEM_SHAPE_INCOMPLETE);
        else elelem_shape_item_close(c, item->index);
    } else if (is_incomplete) {
        elelem_shape_flush_as(c, item->index, ELELEM_SHAPE_STOPPED);
    } else if (elelem_str_is(status, "completed")) {
        elelem_shape_flush(c, item->index);
    } else {
        elelem_shape_item_wait(c, item->index);
    }
}

/* Closes an item. Its last metadata goes on the flush, or on a part without text if there was none. */
static void els_responses_close(elelem_shape_context *c, elelem_shape_item *item, const els_responses_place *place)
{
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_ENTRY_STATUS);

    if (item->kind == ELELEM_PART_TOOL_CALL && !item->has_id)
        elelem_shape_tool_start(c, item->index, els_responses_text_at(c, ELS_RESPONSES_ENTRY_ID), els_str(NULL, 0));
    if (els_responses_state(item)->is_custom && elelem_str_is(status, "completed"))
        els_responses_quote(c, item, els_str(NULL, 0), 1);
    els_responses_release_held(c, item);
    els_responses_last_metadata(c, item, *place);
    els_responses_members_of(c, item, place->entry);
    if (!item->had_part) {
        if (item->kind == ELELEM_PART_STRUCTURED) item->kind = ELELEM_PART_MESSAGE;
        elelem_shape_text(c, item->index, els_str(NULL, 0));
    }
    els_responses_flush(c, item);
}

/* Provider items. */

/* The item that is about the frame's own. One that passed is known, and so is one that was left out. */
static elelem_shape_item *els_responses_provider_of(elelem_shape_context *c, els_responses_verb verb, const els_responses_place *place)
{
    uint32_t passed = els_responses_stream_of(c)->passed;

    if (verb == ELS_RESPONSES_ADDED || elelem_value_is_complete(place->entry))
        return els_responses_entry_item(c, verb, ELS_RESPONSES_PROVIDER, place);
    if (verb == ELS_RESPONSES_LISTED) return els_responses_find(c, ELS_RESPONSES_PROVIDER, place);
    return passed ? elelem_shape_item_at(c, passed - 1) : NULL;
}

/* Its JSON is that of the item that is done; one that is added has its place and perhaps a caption. */
ELS_APART void els_responses_provider_item(elelem_shape_context *c, els_responses_verb verb, const els_responses_place *place)
{
    elelem_shape_item *item = els_responses_provider_of(c, verb, place);

    if (!item) return;
    if (item->key == ELS_RESPONSES_NO_KEY) item->key = place->key;
    if (verb != ELS_RESPONSES_ADDED && !els_responses_state(item)->is_given)
        elelem_shape_provider_value(c, item->index, els_responses_text_at(c, ELS_RESPONSES_ENTRY_TYPE), place->entry);
    els_responses_describe_item(c, item, place->entry);
    if (verb == ELS_RESPONSES_ADDED) return;
    elelem_shape_flush(c, item->index);
    els_responses_remember_closed(c, place, 0);
}

/* Closes the item, and what else there is of its message. */
ELS_APART void els_responses_close_all(elelem_shape_context *c, uint32_t index, els_responses_text what, const els_responses_place *place)
{
    elelem_shape_item *item = elelem_shape_item_at(c, index);
    /* Not reached: an item that its own contents closed */
    uint64_t said = item && els_responses_state(item)->had_text ? els_responses_state(item)->said_hash : 0;

    while (what == ELS_RESPONSES_TEXT && (item = els_responses_of_message(c, place)) != NULL)
        els_responses_close(c, item, place);
    item = elelem_shape_item_at(c, index);
    if (what == ELS_RESPONSES_ARGUMENTS || what == ELS_RESPONSES_INPUT) said = els_responses_last_call(c);
    if (item && !item->waits) els_responses_close(c, item, place);
    els_responses_remember_closed(c, place, said);
}

/* The open item of this kind that ends with the text of the entry, or calls the same; null if there is none. */
static const elelem_shape_item *els_responses_of_text(const elelem_shape_context *c, els_responses_text what)
{
    int is_call = what == ELS_RESPONSES_ARGUMENTS || what == ELS_RESPONSES_INPUT;
    uint32_t called = is_call ? (uint32_t)els_responses_name(els_responses_text_at(c, ELS_RESPONSES_ENTRY_NAME)) : 0;
    uint64_t said = is_call ? elelem_shape_hash(els_responses_last_arguments(c)) : els_responses_last_text(c);
    const elelem_shape_item *item = said ? elelem_shape_item_oldest(c) : NULL;

    for (; item; item = elelem_shape_item_newer(c, item)) {
        const els_responses_own *own = els_responses_state(item);
        if (els_responses_fits(item, what) && own->called == called && own->said_hash == said) return item;
    }
    return NULL;
}

/* An item that is done can have another number than its deltas, and another id: for gpt-oss, SGLang and vLLM counted to the next before
   they ended one. If nothing is open at its place, and nothing ended there, it is the one that says the same. */
static void els_responses_correct(const elelem_shape_context *c, els_responses_text what, els_responses_place *place)
{
    const elelem_shape_item *item;

    if (what >= ELS_RESPONSES_ACTION) return;
    if (els_responses_known(c, ELS_RESPONSES_DONE, what, place) || els_responses_was_closed(c, ELS_RESPONSES_DONE, place)) return;
    item = els_responses_of_text(c, what);
    if (item) place->key = item->key;
}

static void els_responses_item(elelem_shape_context *c, els_responses_verb verb, els_responses_place *place)
{
    els_responses_text what = els_responses_what(c);
    elelem_shape_item *item;
    uint32_t index;

    place->is_added = verb == ELS_RESPONSES_ADDED;
    if (place->is_added) els_responses_release(c);
    if (verb == ELS_RESPONSES_DONE) els_responses_correct(c, what, place);
    if (verb != ELS_RESPONSES_LISTED) els_responses_see(c, place, place->is_added);
    if (what == ELS_RESPONSES_PROVIDER) els_responses_provider_item(c, verb, place);
    if (what >= ELS_RESPONSES_PROVIDER) return;
    item = els_responses_entry_item(c, verb, what, place);
    if (!item) return;
    index = item->index;
    els_responses_begin(c, item, place);
    els_responses_entry_contents(c, item, what, place);
    if (!place->is_added) els_responses_close_all(c, index, what, place);
}

static void els_responses_item_added(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    els_responses_place own = *place;

    (void)which;
    els_responses_item(c, ELS_RESPONSES_ADDED, &own);
}

static void els_responses_item_done(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    els_responses_place own = *place;

    (void)which;
    els_responses_item(c, ELS_RESPONSES_DONE, &own);
}

/* The end. */

/* In addition to an error of its own, a frame that is one can be flat: its type says only that. */
static void els_responses_error(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    (void)place;
    if (!elelem_shape_document_error(c)) elelem_shape_error_of(c, elelem_shape_document(c));
}

ELS_APART void els_responses_failed(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    (void)which;
    (void)place;
    els_responses_describe(c, 1);
    if (elelem_shape_document_error(c) || elelem_shape_error_in(c, elelem_shape_field(c, ELS_RESPONSES_RESPONSE))) return;
    elelem_shape_error(c, ELELEM_ERROR_KIND_TRANSIENT, elelem_str_of("failed"),
                       ELS_WORDS("the provider stopped the response with an error"));
}

ELS_APART void els_responses_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, ELS_RESPONSES_USAGE);
    elelem_value details = elelem_value_get(raw, "input_tokens_details");
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_count_to(&usage.input, raw, "input_tokens");
    elelem_shape_count_to(&usage.output, raw, "output_tokens");
    elelem_shape_count_to(&usage.cached, details, "cached_tokens");
    elelem_shape_count_to(&usage.cache_written, details, "cache_write_tokens");
    elelem_shape_count_to(&usage.reasoning, elelem_value_get(raw, "output_tokens_details"), "reasoning_tokens");
    elelem_shape_usage(c, usage, raw);
}

static const elelem_shape_word els_responses_reasons[] = {
    { "max_output_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "content_filter", ELELEM_FINISH_CONTENT_FILTER },
};

static elelem_finish_reason els_responses_completed(const elelem_shape_context *c)
{
    if (elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL)) return ELELEM_FINISH_TOOL_CALLS;
    if (els_responses_stream_of(c)->is_refused) return ELELEM_FINISH_CONTENT_FILTER;
    return ELELEM_FINISH_COMPLETED;
}

/* What the names of last frames say, if no status does. */
enum { ELS_RESPONSES_COMPLETE, ELS_RESPONSES_CUT, ELS_RESPONSES_CANCELLED };

/* The status in the last frame, else that of its name. */
ELS_APART elelem_str els_responses_status(const elelem_shape_context *c, unsigned ending)
{
    static const char *const endings[] = { "completed", "incomplete", "cancelled" };
    elelem_str status = els_responses_text_at(c, ELS_RESPONSES_STATUS);
    int is_whole = elelem_shape_frame_kind(c) == ELELEM_SHAPE_WHOLE;

    if (status.size > 0 && (is_whole || !elelem_str_is(status, "in_progress"))) return status;
    return elelem_str_of(endings[ending]);
}

/* Some servers say "complete". */
static int els_responses_is_completed(elelem_str status)
{
    return elelem_str_is(status, "completed") || elelem_str_is(status, "complete");
}

ELS_APART void els_responses_finish(elelem_shape_context *c, elelem_str status)
{
    elelem_str raw = elelem_shape_string_in(elelem_shape_field(c, ELS_RESPONSES_INCOMPLETE), "reason");
    elelem_finish_reason reason = ELELEM_FINISH_OTHER;

    if (elelem_str_is(status, "incomplete"))
        reason = elelem_shape_reason_of(els_responses_reasons, ELS_COUNT(els_responses_reasons), raw);
    else
        raw = status;
    if (els_responses_is_completed(status)) reason = els_responses_completed(c);
    elelem_shape_reason(c, 0, reason, raw.size > 0 ? raw : status, 0);
    elelem_shape_finish(c);
}

/* Ends the arguments of calls that nothing closed. */
ELS_APART void els_responses_end_arguments(elelem_shape_context *c)
{
    elelem_shape_item *item = elelem_shape_item_oldest(c);

    for (; item; item = elelem_shape_item_newer(c, item)) {
        if (els_responses_state(item)->is_custom) els_responses_quote(c, item, els_str(NULL, 0), 1);
        els_responses_release_held(c, item);
    }
}

/* Notes what was streamed before the last frame's list. */
ELS_APART void els_responses_begin_list(elelem_shape_context *c)
{
    els_responses_stream *stream = els_responses_stream_of(c);

    if (!stream->is_listing) stream->listed_kinds = els_responses_streamed(c);
    stream->is_listing = 1;
}

/* The items of the last frame's list before `end`, which may be none, from the one on that was looked at last. Some may not
   have been streamed. Of those that are not whole here, provider items passed, and the others were streamed. */
static void els_responses_list(elelem_shape_context *c, elelem_value list, elelem_value end)
{
    els_responses_stream *stream = els_responses_stream_of(c);
    elelem_value item = elelem_shape_is_there(stream->listed) ? stream->listed : elelem_value_first(list);

    els_responses_begin_list(c);
    for (; elelem_shape_is_there(item) && !elelem_shape_is_same(item, end); item = elelem_value_next(item)) {
        els_responses_place place;
        els_responses_look_at_item(c, item, 1);
        els_responses_listed_place(c, item, &place);
        if (!elelem_shape_wants_items(c) || elelem_value_is_complete(item) || els_responses_what(c) == ELS_RESPONSES_PROVIDER)
            els_responses_item(c, ELS_RESPONSES_LISTED, &place);
    }
    stream->listed = end;
}

/* What nothing closed, or what waits, ends as the response ended. */
static void els_responses_last(elelem_shape_context *c, unsigned ending, const els_responses_place *place)
{
    elelem_str status = els_responses_status(c, ending);
    int is_completed = els_responses_is_completed(status);
    const elelem_value none = ELELEM_INIT;

    if (elelem_str_is(status, "failed")) {
        els_responses_failed(c, 0, place);
        return;
    }
    els_responses_usage(c);
    els_responses_list(c, elelem_shape_field(c, ELS_RESPONSES_OUTPUT), none);
    els_responses_end_audio(c);
    if (is_completed) els_responses_end_arguments(c);
    elelem_shape_flush_all(c, 0, is_completed ? ELELEM_SHAPE_ENDED : ELELEM_SHAPE_STOPPED);
    els_responses_describe(c, 1);
    els_responses_finish(c, status);
}

/* Frames by type; all others are only signs of life. */

typedef struct els_responses_event {
    const char *type;
    void (*work)(elelem_shape_context *c, unsigned which, const els_responses_place *place);
    uint8_t which;
} els_responses_event;

static const els_responses_event els_responses_events[] = {
    { "response.output_text.delta", els_responses_delta, ELS_RESPONSES_TEXT },
    { "response.function_call_arguments.delta", els_responses_delta, ELS_RESPONSES_ARGUMENTS },
    { "response.reasoning_summary_text.delta", els_responses_delta, ELS_RESPONSES_SUMMARY },
    { "response.reasoning_text.delta", els_responses_delta, ELS_RESPONSES_RAW },
    { "response.refusal.delta", els_responses_delta, ELS_RESPONSES_REFUSAL },
    { "response.custom_tool_call_input.delta", els_responses_delta, ELS_RESPONSES_INPUT },
    { "response.output_item.added", els_responses_item_added, 0 },
    { "response.output_item.done", els_responses_item_done, 0 },
    { "response.output_text.done", els_responses_text_done, ELS_RESPONSES_TEXT },
    { "response.function_call_arguments.done", els_responses_text_done, ELS_RESPONSES_ARGUMENTS },
    { "response.reasoning_summary_text.done", els_responses_text_done, ELS_RESPONSES_SUMMARY },
    { "response.reasoning_text.done", els_responses_text_done, ELS_RESPONSES_RAW },
    { "response.refusal.done", els_responses_text_done, ELS_RESPONSES_REFUSAL },
    { "response.custom_tool_call_input.done", els_responses_text_done, ELS_RESPONSES_INPUT },
    { "response.content_part.added", els_responses_part_added, 0 },
    { "response.content_part.done", els_responses_part, 0 },
    { "response.reasoning_summary_part.added", els_responses_part, 0 },
    { "response.reasoning_summary_part.done", els_responses_part, 0 },
    { "response.output_text.annotation.added", els_responses_annotation, 0 },
    { "response.code_interpreter_call_code.delta", els_responses_caption_delta, 0 },
    { "response.mcp_call_arguments.delta", els_responses_caption_delta, 1 },
    { "response.shell_call_command.delta", els_responses_command, ELS_RESPONSES_DELTA },
    { "response.shell_call_command.added", els_responses_command, ELS_RESPONSES_WHOLE_COMMAND },
    { "response.apply_patch_call_operation_diff.delta", els_responses_diff, 0 },
    { "response.audio.delta", els_responses_audio, 0 },
    { "response.audio.transcript.delta", els_responses_audio, 1 },
    { "response.completed", els_responses_last, ELS_RESPONSES_COMPLETE },
    { "response.incomplete", els_responses_last, ELS_RESPONSES_CUT },
    { "response.cancelled", els_responses_last, ELS_RESPONSES_CANCELLED },
    { "response.failed", els_responses_failed, 0 },
    { "error", els_responses_error, 0 },
    { "response.created", els_responses_created, 0 },
    { "response.in_progress", els_responses_created, 0 },
    { "response.queued", els_responses_created, 0 },
    /* names that older servers and gateways use */
    { "response.reasoning_summary.delta", els_responses_delta, ELS_RESPONSES_SUMMARY },
    { "response.reasoning_summary.done", els_responses_text_done, ELS_RESPONSES_SUMMARY },
    { "response.reasoning.delta", els_responses_delta, ELS_RESPONSES_RAW },
    { "response.reasoning.done", els_responses_text_done, ELS_RESPONSES_RAW },
    { "response.output_text_annotation.added", els_responses_annotation, 0 },
    { "response.done", els_responses_last, ELS_RESPONSES_COMPLETE },
    { "response.error", els_responses_error, 0 },
};

/* The event of this name; null for an unknown one. */
ELS_APART const els_responses_event *els_responses_event_of(elelem_str type)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_responses_events); i++)
        if (elelem_str_is(type, els_responses_events[i].type)) return &els_responses_events[i];
    return NULL;
}

/* Looks up the members of the frame, of its item and of its response. */
ELS_APART void els_responses_look_at_data(elelem_shape_context *c)
{
    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_RESPONSES_TYPE, ELS_RESPONSES_RESPONSE, ELS_RESPONSES_TYPE);
    els_responses_look_at_item(c, elelem_shape_field(c, ELS_RESPONSES_ITEM), 0);
    elelem_shape_fields_find(c, elelem_shape_field(c, ELS_RESPONSES_RESPONSE), ELS_RESPONSES_ID, ELS_RESPONSES_RESPONSE_REST,
                             ELS_RESPONSES_ID);
    elelem_shape_sequence(c, elelem_shape_field(c, ELS_RESPONSES_SEQUENCE));
}

/* Nonzero if a frame that is no event may be an error: it has neither name nor type, or says that it is one; its type is that of the error. */
ELS_APART int els_responses_may_be_error(const elelem_shape_context *c, elelem_str type)
{
    if (elelem_str_is(els_responses_text_at(c, ELS_RESPONSES_OBJECT), "error")) return 1;
    return type.size == 0 && elelem_shape_event_name(c).size == 0;
}

ELS_APART void els_responses_other(elelem_shape_context *c, elelem_str type)
{
    elelem_shape_ignore(c);
    if (els_responses_may_be_error(c, type)) elelem_shape_document_error(c);
}

/* The event's name counts if the type in the data is not known. */
ELS_APART void els_responses_data(elelem_shape_context *c)
{
    const els_responses_event *event;
    els_responses_place place;
    elelem_str type;

    els_responses_look_at_data(c);
    els_responses_place_of(c, &place);
    type = els_responses_text_at(c, ELS_RESPONSES_TYPE);
    event = els_responses_event_of(type);
    if (!event) event = els_responses_event_of(elelem_shape_event_name(c));
    if (event) event->work(c, event->which, &place);
    else els_responses_other(c, type);
}

/* Looks up what is known of a whole response, and emits it if it was not yet. */
ELS_APART void els_responses_look_at_whole(elelem_shape_context *c)
{
    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_RESPONSES_TYPE, ELS_RESPONSES_RESPONSE, ELS_RESPONSES_TYPE);
    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_RESPONSES_ID, ELS_RESPONSES_RESPONSE_REST, ELS_RESPONSES_ID);
    els_responses_created(c, 0, NULL);
}

/* The same when its list is to be worked on: once, because nothing else comes inside of that. One that failed has none. */
static void els_responses_begin_whole(elelem_shape_context *c)
{
    els_responses_stream *stream = els_responses_stream_of(c);

    if (stream->is_begun) return;
    stream->is_begun = 1;
    els_responses_look_at_whole(c);
    stream->is_held = elelem_str_is(els_responses_text_at(c, ELS_RESPONSES_STATUS), "failed") != 0;
}

/* Nonzero if only the tools of the request say what the item is. */
static int els_responses_needs_tools(elelem_value item)
{
    return elelem_str_is(elelem_shape_string_in(item, "type"), "custom_tool_call") ||
           elelem_str_is(elelem_shape_string_in(item, "name"), "parallel");
}

/* Returns 0 if the items of a whole response before `end` must wait for what comes after the list. Then no more of them are looked at. */
ELS_APART int els_responses_may_work(elelem_shape_context *c, elelem_value list, elelem_value end)
{
    els_responses_stream *stream = els_responses_stream_of(c);
    elelem_value item = elelem_shape_is_there(stream->listed) ? stream->listed : elelem_value_first(list);

    if (stream->has_tools) return !stream->is_held;
    for (; !stream->is_held && elelem_shape_is_there(item) && !elelem_shape_is_same(item, end); item = elelem_value_next(item))
        stream->is_held = els_responses_needs_tools(item) != 0;
    return !stream->is_held;
}

/* Works on the items of a whole response before `end`, which may be none. Returns 0 if they must wait. */
static int els_responses_work_items(elelem_shape_context *c, elelem_value list, elelem_value end)
{
    els_responses_begin_whole(c);
    if (!els_responses_may_work(c, list, end)) return 0;
    els_responses_list(c, list, end);
    return 1;
}

static elelem_shape_worked els_responses_work(elelem_shape_context *c, unsigned row, elelem_value list)
{
    const elelem_value none = ELELEM_INIT;

    (void)row;
    return els_responses_work_items(c, list, none) ? ELELEM_SHAPE_WORKED : ELELEM_SHAPE_NOT_WORKED;
}

/* A whole response is what the last frame holds. */
ELS_APART elelem_status els_responses_not_streamed(elelem_shape_context *c)
{
    elelem_value response = elelem_shape_document(c);
    els_responses_place none;

    memset(&none, 0, sizeof none);
    if (elelem_shape_document_error(c)) return ELELEM_OK;
    if (!elelem_shape_is_there(elelem_value_get(response, "output")) && !elelem_shape_is_there(elelem_value_get(response, "status")))
        return ELELEM_ERROR_PROTOCOL;
    els_responses_look_at_whole(c);
    els_responses_last(c, ELS_RESPONSES_COMPLETE, &none);
    return ELELEM_OK;
}

/* [DONE] says nothing here: it comes after the last frame, or in its stead, and then the response is cut off. */
static elelem_status els_responses_frame(elelem_shape_context *c)
{
    const elelem_value none = ELELEM_INIT;
    int is_enough;

    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_WHOLE) return els_responses_not_streamed(c);
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA) els_responses_data(c);
    els_responses_stream_of(c)->listed = none;
    els_responses_stream_of(c)->passed = 0;
    els_responses_stream_of(c)->is_looked_at = 0;
    if (elelem_shape_wants_items(c)) return ELELEM_OK;
    is_enough = !elelem_shape_item_oldest(c) && (els_responses_streamed(c) & ~(1u << ELS_RESPONSES_SUMMARY));
    elelem_shape_want(c, is_enough ? ELS_RESPONSES_OUTPUT_ITEM : ELS_RESPONSES_ROWS);
    return ELELEM_OK;
}

/* What passes: items that are done, and those of the last frame's list, if they were not streamed. */

/* The open item that passes, or a new one. */
ELS_APART uint32_t els_responses_pass(elelem_shape_context *c, els_responses_verb verb, const els_responses_place *place)
{
    elelem_shape_item *item = els_responses_entry_item(c, verb, ELS_RESPONSES_PROVIDER, place);

    if (!item || els_responses_state(item)->is_given) return ELELEM_NO_INDEX;
    els_responses_state(item)->is_given = 1;
    return item->index;
}

/* An item of the list: one that was streamed is not even stored. */
ELS_APART uint32_t els_responses_pass_listed(elelem_shape_context *c, elelem_value listed)
{
    els_responses_text what = els_responses_what(c);
    int is_provider = els_responses_stream_of(c)->type == ELS_COUNT(els_responses_types);
    const elelem_shape_item *open;
    els_responses_place place;

    els_responses_listed_place(c, listed, &place);
    open = els_responses_find(c, ELS_RESPONSES_PROVIDER, &place);
    if (open && is_provider) return els_responses_pass(c, ELS_RESPONSES_LISTED, &place);
    if (open || els_responses_known(c, ELS_RESPONSES_LISTED, what, &place)) return ELELEM_SHAPE_STORED;
    if (!is_provider && els_responses_find(c, ELS_RESPONSES_ACTION, &place)) return ELELEM_SHAPE_STORED; /* what says so may come later */
    if (!els_responses_may_open(c, ELS_RESPONSES_LISTED, what, &place)) return ELELEM_NO_INDEX;
    return is_provider ? els_responses_pass(c, ELS_RESPONSES_LISTED, &place) : ELELEM_SHAPE_STORED;
}

/* The item of the event, which is done. */
ELS_APART uint32_t els_responses_pass_done(elelem_shape_context *c)
{
    els_responses_place place;
    uint32_t index;

    els_responses_place_of(c, &place);
    index = els_responses_pass(c, ELS_RESPONSES_DONE, &place);
    els_responses_stream_of(c)->passed = index + 1;
    return index;
}

/* What the frame of a passing value is. Its members are the same for all of its values. */
ELS_APART const els_responses_event *els_responses_passing_event(elelem_shape_context *c)
{
    els_responses_stream *stream = els_responses_stream_of(c);
    const els_responses_event *event;

    if (stream->is_looked_at) return stream->event ? &els_responses_events[stream->event - 1] : NULL;
    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_RESPONSES_TYPE, ELS_RESPONSES_RESPONSE, ELS_RESPONSES_TYPE);
    event = els_responses_event_of(els_responses_text_at(c, ELS_RESPONSES_TYPE));
    stream->is_looked_at = 1;
    stream->event = event ? (uint8_t)(event - els_responses_events + 1) : 0;
    return event;
}

/* In a whole response, only items of its list pass. */
static uint32_t els_responses_passes(elelem_shape_context *c, elelem_value value, elelem_str type)
{
    int is_listed = elelem_value_type(elelem_value_parent(value)) == ELELEM_TYPE_ARRAY;
    int is_whole = elelem_shape_frame_kind(c) == ELELEM_SHAPE_WHOLE;
    const els_responses_event *event = is_whole ? NULL : els_responses_passing_event(c);

    (void)type;
    if (!is_whole && !event) return ELELEM_SHAPE_STORED;
    if (!is_whole && event->work != (is_listed ? els_responses_last : els_responses_item_done)) return ELELEM_NO_INDEX;
    if (is_whole && !els_responses_work_items(c, elelem_value_parent(value), value)) return ELELEM_SHAPE_STORED;
    if (is_listed && !is_whole) els_responses_list(c, elelem_value_parent(value), value);
    els_responses_look_at_item(c, value, is_listed);
    return is_listed ? els_responses_pass_listed(c, value) : els_responses_pass_done(c);
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_responses_recovery[] = {
    { "input[*].encrypted_content", "encrypted_content", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ENCRYPTED },
    { "input[*].id", "item_id", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_ITEM },
};

/* Items of these types do not pass: they are texts or calls, or it is not their type that says what they are. */
static const char *const els_responses_kept[] = { "message",          "reasoning",    "function_call", "custom_tool_call",
                                                  "mcp_approval_request", "tool_search_call", "shell_call", "apply_patch_call",
                                                  "local_shell_call", "computer_call", NULL };

static const elelem_passage_rule els_responses_rules[] = {
    { ELS_RESPONSES_ITEM, 0, "type", els_responses_kept, NULL, NULL, "id", els_responses_shown },
    { ELS_RESPONSES_OUTPUT_ITEM, 0, "type", NULL, NULL, NULL, "id", els_responses_shown },
};

static const elelem_shape_items els_responses_items = { els_responses_all_paths, els_responses_rules,
                                                        ELS_COUNT(els_responses_rules), els_responses_passes };

static const uint16_t els_responses_elements[] = { ELS_RESPONSES_OUTPUT_ITEM, 0 };

static const elelem_shape_lists els_responses_lists = { els_responses_elements, els_responses_work };

ELS_DATA const elelem_shape elelem_shape_responses = {
    "responses", els_responses_paths, ELS_RESPONSES_ROWS, els_responses_frame,
    sizeof(els_responses_own), 0, sizeof(els_responses_stream), 0, 0,
    ELS_IF_METADATA(els_responses_recovery), ELS_COUNT(els_responses_recovery) * ELS_HAS_METADATA,
    ELS_IF_ITEMS(&els_responses_items), 1, ELS_RESPONSES_RESPONSE, NULL, NULL,
    ELS_IF_WHOLE(&els_responses_lists),
};

#endif

#endif
