#ifndef ELS_SHAPE_RESPONSES_ACTION_C
#define ELS_SHAPE_RESPONSES_ACTION_C
#include "shape_responses_action.h"
#include "base.c"
#include "shape_responses_item.c"

/* >> shape_responses_action */

#ifndef ELELEM_NO_RESPONSES

/* Captions of provider items: a text of several parts, of which is emitted what is new. */

ELS_PRIVATE void els_responses_show(elelem_shape_context *c, elelem_shape_item *item, uint32_t part, elelem_str text, const char *gap)
{
    elelem_str type = elelem_shape_kept(c, item); /* the same in all its parts, also if the key comes twice in one that passes */

    if (text.size == 0) return;
    if (els_responses_is_next(item, part)) elelem_shape_provider_caption_piece(c, item->index, type, elelem_str_of(gap));
    els_responses_said(c, item, part, text);
    elelem_shape_provider_caption_piece(c, item->index, type, text);
}

ELS_PRIVATE void els_responses_show_rest(elelem_shape_context *c, elelem_shape_item *item, uint32_t part, elelem_str whole, const char *gap)
{
    els_responses_show(c, item, part, els_responses_rest(c, item, part, whole), gap);
}

/* The first texts of a list, each a part. */
ELS_PRIVATE void els_responses_show_list(elelem_shape_context *c, elelem_shape_item *item, elelem_value list)
{
    elelem_value text = elelem_value_first(list);
    uint32_t part = 0;

    for (; elelem_shape_is_there(text) && part < ELELEM_SHAPE_CAPTIONS; text = elelem_value_next(text))
        els_responses_show_rest(c, item, part++, elelem_shape_string(text), "\n");
}

/* The action of a search. Returns 0 if it says nothing. */
ELS_PRIVATE int els_responses_show_action(elelem_shape_context *c, elelem_shape_item *item, elelem_value action)
{
    static const char *const keys[] = { "query", "pattern", "url" };
    size_t i;

    for (i = 0; i < ELS_COUNT(keys); i++) {
        elelem_str text = elelem_shape_string_in(action, keys[i]);
        if (text.size == 0) continue;
        els_responses_show_rest(c, item, 0, text, "");
        return 1;
    }
    return 0;
}

/* The members whose text is shown: one, or a name and what it is called with. */
typedef struct els_responses_caption {
    const char *type;
    const char *first;
    const char *second;
} els_responses_caption;

static const els_responses_caption els_responses_captions[] = {
    { "code_interpreter_call", "code", NULL }, { "program", "code", NULL },
    { "image_generation_call", "revised_prompt", NULL }, { "mcp_list_tools", "server_label", NULL },
    { "mcp_call", "name", "arguments" }, { "custom_tool_call", "name", "input" },
    { "web_search_call", "name", "arguments" },
};

/* Members that are stored of items that pass. */
static const char *const els_responses_shown[] = { "id", "action", "queries", "code", "name", "arguments", "server_label",
                                                   "revised_prompt", NULL };

/* Emits what the frame's own item says of its caption. */
ELS_PRIVATE void els_responses_describe_item(elelem_shape_context *c, elelem_shape_item *item, elelem_value entry)
{
    elelem_str type = els_responses_text_at(c, ELS_RESPONSES_ENTRY_TYPE);
    elelem_value action = elelem_value_get(entry, "action");
    size_t i = 0;

    els_responses_show_list(c, item, elelem_value_get(action, "commands"));
    els_responses_show_list(c, item, elelem_value_get(entry, "queries"));
    if (els_responses_show_action(c, item, action)) return;
    while (i < ELS_COUNT(els_responses_captions) && !elelem_str_is(type, els_responses_captions[i].type))
        i++;
    if (i == ELS_COUNT(els_responses_captions)) return;
    els_responses_show_rest(c, item, 0, elelem_shape_string_in(entry, els_responses_captions[i].first), "");
    if (els_responses_captions[i].second)
        els_responses_show_rest(c, item, 1, elelem_shape_string_in(entry, els_responses_captions[i].second), " ");
}

/* A piece of a caption of an item that was added. `which` is the part. */
ELS_PRIVATE void els_responses_caption_delta(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_shape_item *item = els_responses_find(c, ELS_RESPONSES_PROVIDER, place);

    if (item) els_responses_show(c, item, which, els_responses_text_at(c, ELS_RESPONSES_DELTA), " ");
}

/* Calls that are no functions. Their arguments are an object of those members of the item that say what is to be done, as
   `action` and `operation`. Two of them are written live: the commands of a shell, and the diff of a patch. */

ELS_APART int els_responses_is_among(elelem_str key, const char *const *keys)
{
    while (*keys && !elelem_str_is(key, *keys))
        keys++;
    return *keys != NULL;
}

/* A member after others. */
ELS_APART void els_responses_one_more(elelem_shape_context *c, elelem_value member)
{
    elelem_shape_write_raw(c, elelem_str_of(","));
    elelem_writer_string(elelem_shape_write_on(c), elelem_value_key(member));
    elelem_shape_write_raw(c, elelem_str_of(":"));
    elelem_writer_value(elelem_shape_write_on(c), member);
}

/* Writes the members of an object but those of these keys, after others. */
ELS_PRIVATE void els_responses_more_members(elelem_shape_context *c, elelem_value object, const char *const *but)
{
    elelem_value member = elelem_value_first(object);

    for (; elelem_shape_is_there(member); member = elelem_value_next(member)) {
        if (!els_responses_is_among(elelem_value_key(member), but)) els_responses_one_more(c, member);
    }
}

/* Begins the arguments of a patch up to its diff, if there is one. */
ELS_APART void els_responses_begin_patch(elelem_shape_context *c, elelem_shape_item *item)
{
    els_responses_own *own = els_responses_state(item);
    elelem_value operation = elelem_shape_field(c, ELS_RESPONSES_ENTRY_OPERATION);
    elelem_value diff = elelem_value_get(operation, "diff");
    elelem_str type = elelem_shape_string_in(operation, "type");
    elelem_str path = elelem_shape_string_in(operation, "path");
    elelem_writer *writer;

    if (elelem_value_type(diff) != ELELEM_TYPE_STRING || type.size == 0 || path.size == 0 || own->is_quoted) return;
    writer = elelem_shape_write(c);
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(writer, elelem_str_of("operation"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(writer, elelem_str_of("type"));
    elelem_writer_string(writer, type);
    elelem_writer_key(writer, elelem_str_of("path"));
    elelem_writer_string(writer, path);
    elelem_writer_key(writer, elelem_str_of("diff"));
    elelem_writer_string_begin(writer);
    els_responses_said(c, item, 0, elelem_shape_string(diff));
    elelem_shape_write_piece(c, item->index, elelem_shape_string(diff));
    own->is_quoted = 1;
    elelem_shape_tool_arguments_written(c, item->index);
}

ELS_APART void els_responses_end_patch(elelem_shape_context *c, elelem_shape_item *item)
{
    static const char *const written[] = { "type", "path", "diff", NULL };
    elelem_value operation = elelem_shape_field(c, ELS_RESPONSES_ENTRY_OPERATION);

    els_responses_quote(c, item, els_responses_rest(c, item, 0, elelem_shape_string_in(operation, "diff")), 1);
    elelem_shape_write(c);
    els_responses_more_members(c, operation, written);
    elelem_shape_write_raw(c, elelem_str_of("}}"));
    elelem_shape_tool_arguments_written(c, item->index);
}

ELS_PRIVATE void els_responses_diff(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    elelem_str text = els_responses_text_at(c, ELS_RESPONSES_DELTA);
    elelem_shape_item *item = els_responses_find(c, ELS_RESPONSES_ACTION, place);

    (void)which;
    if (!item || text.size == 0 || els_responses_state(item)->type != ELS_RESPONSES_PATCH || !els_responses_state(item)->is_quoted)
        return;
    els_responses_said(c, item, 0, text);
    els_responses_quote(c, item, text, 0);
}

/* The rest of the command that is open, and the commands after it. */
ELS_APART void els_responses_end_commands(elelem_shape_context *c, elelem_shape_item *item, elelem_value commands)
{
    uint32_t said = els_responses_state(item)->said_part;
    elelem_value command = elelem_value_at(commands, said);

    els_responses_quote(c, item, els_responses_rest(c, item, said, elelem_shape_string(command)), 1);
    elelem_shape_write(c);
    if (elelem_shape_is_there(command)) command = elelem_value_next(command);
    for (; elelem_shape_is_there(command); command = elelem_value_next(command)) {
        elelem_shape_write_raw(c, elelem_str_of(","));
        elelem_writer_value(elelem_shape_write_on(c), command);
    }
}

/* A piece of a command. The first one begins the arguments, and each other continues the command, or begins the next. A command
   that came out of turn is written when the item is done. */
ELS_PRIVATE void els_responses_shell(elelem_shape_context *c, elelem_shape_item *item, uint32_t command, elelem_str text)
{
    els_responses_own *own = els_responses_state(item);
    int is_next = own->had_text ? command == own->said_part + 1 : command == 0;

    if (!is_next && (!own->had_text || command != own->said_part)) return;
    elelem_shape_write(c);
    if (is_next) {
        elelem_shape_write_half(c, item->index);
        elelem_shape_write_raw(c, elelem_str_of(own->had_text ? "\"," : "{\"action\":{\"commands\":["));
        elelem_writer_string_begin(elelem_shape_write_on(c));
    }
    els_responses_said(c, item, command, text);
    elelem_shape_write_piece(c, item->index, text);
    own->is_quoted = 1;
    elelem_shape_tool_arguments_written(c, item->index);
}

ELS_APART void els_responses_end_shell(elelem_shape_context *c, elelem_shape_item *item)
{
    static const char *const written[] = { "commands", NULL };
    elelem_value action = elelem_shape_field(c, ELS_RESPONSES_ENTRY_ACTION);

    els_responses_end_commands(c, item, elelem_value_get(action, "commands"));
    elelem_shape_write_raw(c, elelem_str_of("]"));
    els_responses_more_members(c, action, written);
    elelem_shape_write_raw(c, elelem_str_of("}}"));
    elelem_shape_tool_arguments_written(c, item->index);
}

/* A piece of a command, or one that was added with its beginning: of a call for the caller, or of one that the provider runs. */
ELS_PRIVATE void els_responses_command(elelem_shape_context *c, unsigned which, const els_responses_place *place)
{
    uint32_t command = elelem_shape_number_or(elelem_shape_field(c, ELS_RESPONSES_COMMAND_INDEX), 0);
    elelem_str text = els_responses_text_at(c, which);
    elelem_shape_item *item = els_responses_find(c, ELS_RESPONSES_ACTION, place);

    if (text.size == 0) return;
    if (item && els_responses_state(item)->type == ELS_RESPONSES_SHELL) {
        els_responses_shell(c, item, command, text);
        return;
    }
    item = els_responses_find(c, ELS_RESPONSES_PROVIDER, place);
    if (item) els_responses_show(c, item, command, text, "\n");
}

/* The arguments of a call that was not written live. */
ELS_APART void els_responses_whole_action(elelem_shape_context *c, const elelem_shape_item *item)
{
    static const uint8_t members[] = { ELS_RESPONSES_ENTRY_ACTION, ELS_RESPONSES_ENTRY_ACTIONS, ELS_RESPONSES_ENTRY_OPERATION,
                                     ELS_RESPONSES_ENTRY_CHECKS };
    elelem_writer *writer = elelem_shape_write(c);
    size_t i;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (i = 0; i < ELS_COUNT(members); i++) {
        elelem_value value = elelem_shape_field(c, members[i]);
        if (!elelem_shape_is_value(value)) continue;
        elelem_writer_key(writer, elelem_value_key(value));
        elelem_writer_value(writer, value);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
    elelem_shape_tool_arguments_written(c, item->index);
}

/* What the item itself says of what is to be done. One that is incomplete stays open JSON. */
ELS_PRIVATE void els_responses_entry_action(elelem_shape_context *c, elelem_shape_item *item, int is_added)
{
    els_responses_own *own = els_responses_state(item);

    if (is_added) {
        if (own->type == ELS_RESPONSES_PATCH) els_responses_begin_patch(c, item);
        return;
    }
    if (!own->is_quoted) els_responses_whole_action(c, item);
    else if (elelem_str_is(els_responses_text_at(c, ELS_RESPONSES_ENTRY_STATUS), "incomplete")) return;
    else if (own->type == ELS_RESPONSES_PATCH) els_responses_end_patch(c, item);
    else els_responses_end_shell(c, item);
    own->had_text = 1;
}

/* Audio is no output item: its frames have neither a number nor an id. It becomes one provider item,
   {"data":"...","transcript":"..."}. The data pass inside one string; the transcript is the caption, and is kept until they end. */

static const char els_responses_audio_type[] = "audio";

ELS_PRIVATE uint32_t els_responses_audio_item(elelem_shape_context *c)
{
    uint32_t index = elelem_shape_item_find(c, 0, ELELEM_PART_PROVIDER_ITEM, ELS_RESPONSES_AUDIO_KEY);

    return index != ELELEM_NO_INDEX ? index : elelem_shape_item_open(c, 0, ELELEM_PART_PROVIDER_ITEM, ELS_RESPONSES_AUDIO_KEY);
}

ELS_PRIVATE void els_responses_audio_data(elelem_shape_context *c, uint32_t index, elelem_str text)
{
    els_responses_own *own = els_responses_state(elelem_shape_item_at(c, index));

    elelem_shape_write(c);
    if (!own->is_quoted) elelem_shape_write_raw(c, elelem_str_of("{\"data\":\""));
    own->is_quoted = 1;
    elelem_writer_string_piece(elelem_shape_write_on(c), text);
    elelem_shape_provider_written(c, index, elelem_str_of(els_responses_audio_type));
}

/* A piece of the transcript, or of the data. */
ELS_PRIVATE void els_responses_audio(elelem_shape_context *c, unsigned is_transcript, const els_responses_place *place)
{
    elelem_str text = els_responses_text_at(c, ELS_RESPONSES_DELTA);
    uint32_t index = text.size > 0 && elelem_shape_wants_items(c) ? els_responses_audio_item(c) : ELELEM_NO_INDEX;
    elelem_shape_joined joined;

    (void)place;
    if (index == ELELEM_NO_INDEX) return;
    if (!is_transcript) {
        els_responses_audio_data(c, index, text);
        return;
    }
    joined = elelem_shape_join(c, index, text);
    elelem_shape_keep(c, index, els_str(joined.first, joined.size));
    elelem_shape_keep(c, index, joined.rest);
    elelem_shape_provider_caption_piece(c, index, elelem_str_of(els_responses_audio_type), text);
}

ELS_APART void els_responses_end_audio(elelem_shape_context *c)
{
    uint32_t index = elelem_shape_item_find(c, 0, ELELEM_PART_PROVIDER_ITEM, ELS_RESPONSES_AUDIO_KEY);
    const elelem_shape_item *item = elelem_shape_item_at(c, index);
    int had_data = item && els_responses_state(item)->is_quoted;

    if (!item) return;
    elelem_shape_write(c);
    elelem_shape_write_raw(c, elelem_str_of(had_data ? "\"" : "{"));
    if (elelem_shape_kept(c, item).size > 0) {
        elelem_shape_write_raw(c, elelem_str_of(had_data ? ",\"transcript\":" : "\"transcript\":"));
        elelem_writer_string_begin(elelem_shape_write_on(c));
        elelem_writer_string_piece(elelem_shape_write_on(c), elelem_shape_kept(c, item));
        elelem_shape_write_half(c, index);
        elelem_shape_write_raw(c, elelem_str_of("\""));
    }
    elelem_shape_write_raw(c, elelem_str_of("}"));
    elelem_shape_provider_written(c, index, elelem_str_of(els_responses_audio_type));
}

#endif

#endif
