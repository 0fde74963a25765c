#ifndef ELS_SHAPE_CHAT_ITEM_C
#define ELS_SHAPE_CHAT_ITEM_C
#include "shape_chat_item.h"
#include "base.c"
#include "shape_chat_text.c"

/* >> shape_chat_item */

#ifndef ELELEM_NO_CHAT

/* Provider items. */

/* A list of objects is an item for each; any other value is one. */
ELS_PRIVATE void els_chat_whole_items(elelem_shape_context *c, uint32_t choice, elelem_value member)
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

ELS_PRIVATE int els_chat_is_container(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_ARRAY || elelem_value_type(value) == ELELEM_TYPE_OBJECT;
}

/* Nonzero if the member says once more what the content says, as Snowflake's do. */
ELS_PRIVATE int els_chat_repeats(const elelem_shape_context *c, elelem_value member)
{
    elelem_str key = elelem_value_key(member);

    if (els_chat_is_empty_value(elelem_shape_field(c, ELS_CHAT_CONTENT))) return 0;
    return elelem_str_is(key, "type") || elelem_str_is(key, "text") || elelem_str_is(key, "content_list");
}

/* Scalars are metadata, to which those of other chunks are added. */
ELS_APART void els_chat_delta_scalars(elelem_shape_context *c, uint32_t choice, elelem_value member)
{
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_CHAT_DELTA_REST))
        if (!els_chat_is_container(member) && !els_chat_is_empty_value(member) && !els_chat_repeats(c, member))
            els_chat_add(c, elelem_value_key(member), member);
    els_chat_attach(c, choice);
}

/* Lists and objects are items, if they are not those of the last such chunk once more: some providers repeat them. The first may be
   what makes the state of the choice. */
ELS_APART void els_chat_delta_containers(elelem_shape_context *c, uint32_t choice, elelem_value member)
{
    els_chat_choice *state = els_chat_choice_state(c, choice);
    uint32_t hash = els_chat_hash_rest(c, member, ELS_CHAT_DELTA_REST) & 0x7fffffffu;

    if (hash == 0 || (state && state->items == hash)) return;
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, ELS_CHAT_DELTA_REST))
        if (els_chat_is_container(member) && !els_chat_says_nothing(member) && !els_chat_repeats(c, member))
            els_chat_whole_items(c, choice, member);
    state = els_chat_choice_state(c, choice);
    if (state) state->items = hash & 0x7fffffffu;
}

/* Members of a delta that are not known. */
ELS_PRIVATE void els_chat_delta_rest(elelem_shape_context *c, uint32_t choice, elelem_value delta)
{
    elelem_value member = elelem_shape_row_first(c, delta, ELS_CHAT_DELTA_REST);

    els_chat_delta_scalars(c, choice, member);
    els_chat_delta_containers(c, choice, member);
}

/* Images, each of which is an item of a type that is the name of the member with its data. */

static const char *const els_chat_no_type[] = { "type", "index", NULL };

/* Ends the image that passed. */
ELS_PRIVATE void els_chat_end_passed(elelem_shape_context *c)
{
    const elelem_shape_item *item = elelem_shape_item_newest(c);

    els_chat_stream_of(c)->has_passed = 0;
    while (item && !els_chat_state(item)->has_passed)
        item = elelem_shape_item_older(c, item);
    if (item) elelem_shape_flush(c, item->index);
}

/* The type of an image, as if it passed; that of one that is no object, or has no member that says what it is, is the key of
   the list. */
ELS_PRIVATE elelem_str els_chat_image_type(elelem_value image)
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

/* Emits images of a list that did not pass, from one on to the one before `end`, or to the last. */
ELS_PRIVATE void els_chat_images_between(elelem_shape_context *c, uint32_t choice, elelem_value image, elelem_value end)
{
    for (; elelem_shape_is_there(image) && !elelem_shape_is_same(image, end); image = elelem_value_next(image))
        if (elelem_value_is_complete(image) && !els_chat_says_nothing(image))
            els_chat_whole_item(c, choice, els_chat_image_type(image), image);
}

/* Emits those before one that begins to pass. A choice without state had none. */
ELS_PRIVATE void els_chat_images_before(elelem_shape_context *c, uint32_t choice, elelem_value image)
{
    els_chat_stream *stream = els_chat_stream_of(c);
    elelem_value list = elelem_value_parent(image);
    els_chat_choice *state;
    int is_same_list = elelem_shape_is_there(stream->image) && elelem_shape_is_same(elelem_value_parent(stream->image), list);

    els_chat_images_between(c, choice, is_same_list ? elelem_value_next(stream->image) : elelem_value_first(list), image);
    stream->image = image;
    state = els_chat_choice_state(c, choice);
    if (state) state->images = (uint32_t)elelem_value_index(image) + 1;
}

/* One that begins to pass, after those before. */
ELS_PRIVATE uint32_t els_chat_pass_image(elelem_shape_context *c, uint32_t choice, elelem_value image)
{
    elelem_shape_item *item;

    if (els_chat_stream_of(c)->has_passed) els_chat_end_passed(c);
    els_chat_images_before(c, choice, image);
    item = elelem_shape_item_at(c, elelem_shape_item_open(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_ITEM_KEY));
    if (!item) return ELELEM_NO_INDEX;
    els_chat_stream_of(c)->has_passed = 1;
    els_chat_state(item)->has_passed = 1;
    return item->index;
}

/* Emits those that are left when the chunk is whole. */
ELS_APART void els_chat_images(elelem_shape_context *c, uint32_t choice)
{
    els_chat_choice *state = els_chat_choice_state(c, choice);
    elelem_value image = elelem_value_first(elelem_shape_field(c, ELS_CHAT_IMAGES));
    elelem_value none = ELELEM_INIT;

    for (; state && elelem_shape_is_there(image) && elelem_value_index(image) < state->images; image = elelem_value_next(image))
        continue;
    if (state) state->images = 0;
    els_chat_images_between(c, choice, image, none);
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

ELS_PRIVATE elelem_status els_chat_keep_bytes(void *context, const void *bytes, size_t size)
{
    const els_chat_keeper *keeper = (const els_chat_keeper *)context;

    elelem_shape_keep(keeper->context, keeper->index, els_str(bytes, size));
    return ELELEM_OK;
}

/* Begins to keep something that is written with the writer. */
ELS_PRIVATE void els_chat_keep(els_chat_keeper *keeper, elelem_writer *writer, char mark)
{
    elelem_sink sink;

    if (mark) elelem_shape_keep(keeper->context, keeper->index, els_str(&mark, 1));
    sink.write = els_chat_keep_bytes;
    sink.context = keeper;
    elelem_writer_init(writer, sink, 0);
}

ELS_PRIVATE void els_chat_keep_member(els_chat_keeper *keeper, elelem_value member)
{
    elelem_writer writer;

    els_chat_keep(keeper, &writer, ELS_CHAT_MEMBER);
    elelem_writer_string(&writer, elelem_value_key(member));
    elelem_shape_keep(keeper->context, keeper->index, elelem_str_of(":"));
    els_chat_keep(keeper, &writer, 0);
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

ELS_PRIVATE void els_chat_end_audio(elelem_shape_context *c, uint32_t index)
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
        elelem_shape_write_half(c, index);
    }
    elelem_shape_write_raw(c, elelem_str_of(has_transcript ? "\"}" : "}"));
    elelem_shape_provider_written(c, index, elelem_str_of(els_chat_audio_type));
}

/* Opens the string that the data is in, with the first of it. */
ELS_PRIVATE void els_chat_audio_begin_data(elelem_shape_context *c, uint32_t index)
{
    els_chat_item *state = els_chat_state(elelem_shape_item_at(c, index));

    if (!state->is_quoted)
        elelem_shape_provider_json(c, index, elelem_str_of(els_chat_audio_type), elelem_str_of("{\"data\":\""));
    state->is_quoted = 1;
}

ELS_APART void els_chat_audio_data(elelem_shape_context *c, uint32_t index, elelem_str text)
{
    els_chat_audio_begin_data(c, index);
    elelem_writer_string_piece(elelem_shape_write(c), text);
    elelem_shape_provider_written(c, index, elelem_str_of(els_chat_audio_type));
}

ELS_APART void els_chat_audio_transcript(elelem_shape_context *c, uint32_t index, elelem_str text)
{
    elelem_shape_joined joined = elelem_shape_join(c, index, text);
    els_chat_keeper keeper;
    elelem_writer writer;

    keeper.context = c;
    keeper.index = index;
    els_chat_state(elelem_shape_item_at(c, index))->has_transcript = 1;
    els_chat_keep(&keeper, &writer, ELS_CHAT_TRANSCRIPT);
    elelem_writer_string_piece(&writer, els_str(joined.first, joined.size));
    elelem_writer_string_piece(&writer, joined.rest);
    elelem_shape_provider_caption_piece(c, index, elelem_str_of(els_chat_audio_type), text);
}

/* Nonzero for an id after the first. */
ELS_APART int els_chat_repeats_id(elelem_shape_context *c, uint32_t index, elelem_value member)
{
    els_chat_item *state = els_chat_state(elelem_shape_item_at(c, index));
    int had_id = state->has_id;

    if (!elelem_str_is(elelem_value_key(member), "id")) return 0;
    state->has_id = 1;
    return had_id;
}

/* The id is repeated in each delta; the first counts. */
ELS_APART void els_chat_audio_member(elelem_shape_context *c, uint32_t index, elelem_value member)
{
    els_chat_keeper keeper;

    if (els_chat_repeats_id(c, index, member)) return;
    keeper.context = c;
    keeper.index = index;
    els_chat_keep_member(&keeper, member);
}

/* The audio that is open in the choice, or a new one. */
ELS_APART uint32_t els_chat_audio_item(elelem_shape_context *c, uint32_t choice)
{
    uint32_t index = elelem_shape_item_find(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_AUDIO_KEY);

    if (index != ELELEM_NO_INDEX) return index;
    return elelem_shape_item_open(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_AUDIO_KEY);
}

ELS_PRIVATE int els_chat_is_zero(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_NUMBER && elelem_str_is(elelem_value_text(value), "0");
}

/* Nonzero if a delta of audio that is not open says something: Snowflake sends one of empty texts, which expires at 0, in responses
   without any. */
ELS_APART int els_chat_is_audio(elelem_value audio)
{
    elelem_value member = elelem_value_first(audio);

    while (elelem_shape_is_there(member) &&
           (els_chat_is_empty_value(member) || els_chat_is_zero(member)))
        member = elelem_value_next(member);
    return elelem_shape_is_there(member);
}

/* Data and transcript, which are joined. Returns 0 if the member is something else. (Apart from the other members, because most of the
   stack is needed there.) */
ELS_APART int els_chat_audio_text(elelem_shape_context *c, uint32_t index, elelem_value member)
{
    elelem_str text = elelem_shape_string(member);
    int is_data = text.size > 0 && elelem_str_is(elelem_value_key(member), "data");
    int is_transcript = text.size > 0 && elelem_str_is(elelem_value_key(member), "transcript");

    if (is_data) els_chat_audio_data(c, index, text);
    else if (is_transcript) els_chat_audio_transcript(c, index, text);
    return is_data || is_transcript;
}

/* A member of a delta of audio. Data of which the end is not there passed. */
ELS_APART void els_chat_audio_say(elelem_shape_context *c, uint32_t index, elelem_value member)
{
    if (els_chat_is_empty_value(member) || !elelem_value_is_complete(member)) return;
    if (!els_chat_audio_text(c, index, member)) els_chat_audio_member(c, index, member);
}

ELS_PRIVATE void els_chat_audio(elelem_shape_context *c, uint32_t choice)
{
    elelem_value audio = elelem_shape_field(c, ELS_CHAT_AUDIO);
    elelem_value member = elelem_value_first(audio);
    uint32_t index = elelem_shape_item_find(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_CHAT_AUDIO_KEY);

    if (index == ELELEM_NO_INDEX && !els_chat_is_audio(audio)) return;
    index = els_chat_audio_item(c, choice);
    for (; index != ELELEM_NO_INDEX && elelem_shape_is_there(member); member = elelem_value_next(member))
        els_chat_audio_say(c, index, member);
}

ELS_PRIVATE uint32_t els_chat_pass_audio(elelem_shape_context *c, uint32_t choice)
{
    uint32_t index = els_chat_audio_item(c, choice);

    if (index != ELELEM_NO_INDEX) els_chat_audio_begin_data(c, index);
    return index;
}

/* Returns 0 if the number of the choice that the value, an element of its message, is in was not there when the first value of it began
   to pass. It is looked up once. In a whole response, which has all choices, the place of one without a number is its number. */
ELS_PRIVATE int els_chat_passing_choice(elelem_shape_context *c, elelem_value value, uint32_t *number)
{
    els_chat_stream *stream = els_chat_stream_of(c);
    elelem_value choice = elelem_value_parent(elelem_value_parent(elelem_value_parent(value)));
    int is_whole = els_chat_is_of_whole(c);

    if (!elelem_shape_is_there(stream->passing) || !elelem_shape_is_same(stream->passing, choice)) {
        stream->passing = choice;
        stream->passing_number = (uint32_t)elelem_value_index(choice);
        stream->is_passing_known = elelem_shape_number(elelem_value_get(choice, "index"), &stream->passing_number) || is_whole;
    }
    *number = stream->passing_number;
    return stream->is_passing_known;
}

/* An image that begins to pass, or data of audio. If the number of its choice comes later, it is stored, and so is audio of a whole
   response, whose text comes before it, as in a stream. */
ELS_PRIVATE uint32_t els_chat_passes(elelem_shape_context *c, elelem_value value, elelem_str type)
{
    int is_audio = elelem_value_type(value) == ELELEM_TYPE_STRING;
    uint32_t number;

    (void)type;
    if (is_audio && els_chat_is_of_whole(c)) return ELELEM_SHAPE_STORED;
    if (!els_chat_passing_choice(c, value, &number)) return ELELEM_SHAPE_STORED;
    return is_audio ? els_chat_pass_audio(c, number) : els_chat_pass_image(c, number, value);
}

/* Tools that the provider executed: an item each, an object that is put together from those of one index: a later one repeats
   the members of an earlier one, and has more of them. What a member was is kept as two hashes. */

static const char els_chat_executed_type[] = "executed_tools";

#define ELS_CHAT_MEMBERS 16u /* that are compared */

/* Nonzero if the item has this member with this value already. Else it is kept. */
ELS_APART int els_chat_has_member(elelem_shape_context *c, uint32_t index, uint64_t hash)
{
    elelem_str kept = elelem_shape_kept(c, elelem_shape_item_at(c, index));
    size_t i;

    for (i = 0; i + sizeof hash <= kept.size; i += sizeof hash)
        if (memcmp(kept.data + i, &hash, sizeof hash) == 0) return 1;
    if (kept.size < ELS_CHAT_MEMBERS * sizeof hash) elelem_shape_keep(c, index, els_str(&hash, sizeof hash));
    return 0;
}

ELS_APART void els_chat_executed_member(elelem_shape_context *c, els_chat_item *state, elelem_value member)
{
    elelem_shape_write_raw(c, elelem_str_of(state->is_open ? "," : "{"));
    state->is_open = 1;
    elelem_writer_string(elelem_shape_write_on(c), elelem_value_key(member));
    elelem_shape_write_raw(c, elelem_str_of(":"));
    elelem_writer_value(elelem_shape_write_on(c), member);
}

/* Writes the members that are new. */
ELS_PRIVATE void els_chat_executed_members(elelem_shape_context *c, uint32_t index, elelem_value tool)
{
    els_chat_item *state = els_chat_state(elelem_shape_item_at(c, index));
    elelem_value member = elelem_value_first(tool);
    int any = 0;

    elelem_shape_write(c);
    for (; elelem_shape_is_there(member); member = elelem_value_next(member)) {
        if (els_chat_says_nothing(member)) continue;
        if (els_chat_has_member(c, index, elelem_shape_hash_member(ELELEM_SHAPE_HASH_START, member))) continue;
        els_chat_executed_member(c, state, member);
        any = 1;
    }
    if (any) elelem_shape_provider_written(c, index, elelem_str_of(els_chat_executed_type));
}

ELS_APART void els_chat_executed(elelem_shape_context *c, uint32_t choice, elelem_value tool)
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

ELS_PRIVATE void els_chat_executed_tools(elelem_shape_context *c, uint32_t choice)
{
    elelem_value tools = elelem_shape_field(c, ELS_CHAT_EXECUTED_TOOLS);
    elelem_value tool = elelem_value_first(tools);

    for (; elelem_shape_is_there(tool); tool = elelem_value_next(tool)) {
        if (elelem_value_type(tool) == ELELEM_TYPE_OBJECT) els_chat_executed(c, choice, tool);
        else if (!els_chat_is_empty_value(tool)) els_chat_whole_item(c, choice, elelem_str_of(els_chat_executed_type), tool);
    }
}

/* Ends the JSON of a provider item that is put together. */
ELS_PRIVATE void els_chat_end_item(elelem_shape_context *c, const elelem_shape_item *item)
{
    if (item->key == ELS_CHAT_AUDIO_KEY) els_chat_end_audio(c, item->index);
    else if (els_chat_state(item)->is_open)
        elelem_shape_provider_json(c, item->index, elelem_str_of(els_chat_executed_type), elelem_str_of("}"));
}

/* Ends the provider items of a choice, the newest first, because one that is flushed leaves the list. */
ELS_APART void els_chat_end_items(elelem_shape_context *c, uint32_t choice)
{
    const elelem_shape_item *item = elelem_shape_item_newest(c), *older;

    for (; item; item = older) {
        older = elelem_shape_item_older(c, item);
        if (item->choice != choice || item->kind != ELELEM_PART_PROVIDER_ITEM) continue;
        els_chat_end_item(c, item);
        elelem_shape_flush(c, item->index);
    }
}

/* What of a delta becomes provider items, but for images. Those that are put together are whole after the reason, because the body
   may end with nothing more. */
ELS_APART void els_chat_items(elelem_shape_context *c, uint32_t choice, elelem_value delta)
{
    int has_audio = elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_AUDIO));
    int has_tools = elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_EXECUTED_TOOLS));

    if (has_audio) els_chat_audio(c, choice);
    if (has_tools) els_chat_executed_tools(c, choice);
    if ((has_audio || has_tools) && elelem_shape_has_reason(c, choice)) els_chat_end_items(c, choice);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_CHAT_DELTA_REST))) els_chat_delta_rest(c, choice, delta);
}

#endif

#endif
