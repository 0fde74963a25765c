#ifndef ELS_REQUEST_C
#define ELS_REQUEST_C
#include "request.h"
#include "base.c"
#include "text.c"
#include "fragment.c"
#include "writer.c"
#include "recovery.c"
#include "provider.c"
#include "line.c"
#include "talk.c"

/* >> request */

/* A history is read in steps: what the model said up to the results of its calls, and then these results and what
   the user said. A step is all that pairing needs, so that a history of any length takes no more memory. */

/* More calls in one step are ERROR_COUNT. */
#define ELS_STEP_CALLS 64

/* The shapes that provider items go back to. */
typedef enum els_home {
    ELS_HOME_NONE,
    ELS_HOME_CHAT,
    ELS_HOME_RESPONSES,
    ELS_HOME_MESSAGES,
    ELS_HOME_GEMINI,
    ELS_HOME_INTERACTIONS
} els_home;

/* What the application wrote of a call after the model's items. */
typedef enum els_own_line {
    ELS_OWN_NOTHING,
    ELS_OWN_CALL,  /* a line of the call: it has one at most */
    ELS_OWN_RESULT /* its result, after which no line of it comes */
} els_own_line;

typedef struct els_step_call {
    elelem_str id;
    elelem_str name;
    size_t result;       /* the place of its object in the history; 0: it has none */
    uint8_t line;        /* of the lines of calls of the step, which one it is */
    uint8_t is_left_out; /* it is not whole or has no name; so is its result */
    uint8_t home;        /* an els_home: the provider ran it, and its result is an item of this shape, see els_result_is_item */
    uint8_t is_named;    /* that item has its id */
    uint8_t has_failed;  /* that item says so */
    uint8_t has_own_id;  /* its id goes out unchanged; else one is generated */
    uint8_t has_index;   /* an item's, or an event's that has one */
    uint8_t own;         /* an els_own_line */
} els_step_call;

typedef struct els_step {
    els_talk from; /* before its first item */
    els_talk tail; /* before the results and texts of the user */
    els_talk to;
    size_t first;  /* calls in the steps before */
    size_t count;  /* calls in this one */
    size_t lines;  /* of these calls */
    uint8_t twins[ELS_STEP_CALLS / 4]; /* a bit for each such line: it is none of the calls, because another line of its call counts */
    els_step_call calls[ELS_STEP_CALLS];
} els_step;

/* A request while it is written. */
typedef struct els_ask {
    const elelem_request *request;
    const elelem_dialect *dialect;
    const elelem_shape *shape;
    elelem_writer writer;
    elelem_error error;    /* status OK: none */
    const char *note;      /* what of the request was left out; null: nothing */
    size_t last_user;      /* the turn that is not over begins here in the history */
    size_t end;            /* after the last that is written; of the shapes that ask for it */
    size_t messages;       /* written so far, without the instructions */
    const char *id_marks;  /* what an id may have in addition to letters and digits */
    const char *role;      /* of the message that is open; null if none is */
    els_step step;
} els_ask;

/* Refuses the request. The first reason counts; nothing is written after it. */
ELS_PRIVATE void els_ask_refuse(els_ask *ask, elelem_status status, uint64_t offset, const char *message)
{
    if (ask->error.status != ELELEM_OK) return;
    ask->error.status = status;
    ask->error.offset = offset;
    ask->error.message = message;
    ask->writer.els_status = status;
}

/* Says that a member of the request was left out, if it was set. The first sentence counts. */
ELS_PRIVATE void els_ask_note(els_ask *ask, int is_set, const char *message)
{
    if (is_set && !ask->note) ask->note = message;
}

#define ELS_NO_MEMBER(setting) ELS_WORDS(setting " is left out: the provider has no member for it")

#define ELS_CHOICE_LEFT_OUT ELS_WORDS("the tool choice is left out: the model refuses to be forced to a call")
#define ELS_EFFORT_LEFT_OUT ELS_WORDS("the effort is left out: the model refuses it")
#define ELS_BUDGET_LEFT_OUT ELS_WORDS("the reasoning budget is left out: the effort counts")

/* The same of what belongs to a schema, if nothing but the schema itself is taken. */
ELS_PRIVATE void els_ask_note_schema(els_ask *ask)
{
    const elelem_request *r = ask->request;

    if (r->schema.size == 0) return;
    els_ask_note(ask, r->schema_name.size > 0, ELS_NO_MEMBER("schema_name"));
    els_ask_note(ask, r->schema_description.size > 0, ELS_NO_MEMBER("schema_description"));
    els_ask_note(ask, r->schema_strict, ELS_NO_MEMBER("schema_strict"));
}

/* Writing. */

/* Writes bytes as they are, inside a value that was begun. */
ELS_PRIVATE void els_pass(elelem_writer *writer, elelem_str bytes)
{
    els_buffered_writer out;

    els_buffered_start(&out, writer);
    els_buffered_put(&out, bytes.data, bytes.size);
    els_buffered_end(&out);
}

/* Writes the character of the escape at a backslash, and returns what is after it. */
ELS_PRIVATE const char *els_pour_escape(elelem_writer *writer, const char *at, const char *end)
{
    els_letters letters;

    memset(&letters, 0, sizeof letters);
    letters.at = (const unsigned char *)at;
    letters.end = (const unsigned char *)end;
    letters.at++;
    els_letters_escape(&letters);
    elelem_writer_string_piece(writer, els_str(letters.bytes, letters.count));
    return (const char *)letters.at;
}

/* Writes the text of a JSON string into the string that is open. A lone surrogate, which servers refuse, becomes
   U+FFFD. */
ELS_PRIVATE void els_pour(elelem_writer *writer, elelem_str quoted)
{
    const char *at = quoted.data, *end;

    if (quoted.size < 2) return;
    end = at + quoted.size - 1;
    at++;
    while (at < end) {
        const char *escape = (const char *)memchr(at, '\\', (size_t)(end - at));
        if (escape == at) {
            at = els_pour_escape(writer, at, end);
        } else {
            elelem_writer_string_piece(writer, els_str(at, (size_t)((escape ? escape : end) - at)));
            at = escape ? escape : end;
        }
    }
}

ELS_PRIVATE void els_put_quoted(elelem_writer *writer, const char *key, elelem_str quoted)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string_begin(writer);
    els_pour(writer, quoted);
    elelem_writer_string_end(writer);
}

/* Returns the next escape of a surrogate that is not one of a pair, or the end. */
ELS_PRIVATE const char *els_lone_surrogate(const char *at, const char *end)
{
    while ((at = (const char *)memchr(at, '\\', (size_t)(end - at))) != NULL) {
        els_letters letters;
        if (at[1] != 'u') {
            at += 2;
            continue;
        }
        memset(&letters, 0, sizeof letters);
        letters.at = (const unsigned char *)at + 2;
        letters.end = (const unsigned char *)end;
        if (els_letters_character(&letters) - 0xd800 < 0x800) return at;
        at = (const char *)letters.at;
    }
    return end;
}

/* Writes some bytes of JSON into the string that is open, or else as they are inside a value that was begun. */
ELS_PRIVATE void els_write_json_piece(elelem_writer *writer, elelem_str piece, int is_text)
{
    if (is_text) elelem_writer_string_piece(writer, piece);
    else els_pass(writer, piece);
}

/* Writes JSON in the same way; but a lone surrogate becomes U+FFFD. */
ELS_PRIVATE void els_write_json(elelem_writer *writer, elelem_str json, int is_text)
{
    const char *at = json.data, *end = json.data + json.size, *stop;

    while ((stop = els_lone_surrogate(at, end)) < end) {
        els_write_json_piece(writer, els_str(at, (size_t)(stop - at)), is_text);
        els_write_json_piece(writer, elelem_str_of("\\ufffd"), is_text);
        at = stop + 6;
    }
    els_write_json_piece(writer, els_str(at, (size_t)(end - at)), is_text);
}

/* Writes JSON as it is, inside a value that was begun. */
ELS_PRIVATE void els_pass_json(elelem_writer *writer, elelem_str json)
{
    els_write_json(writer, json, 0);
}

/* Writes JSON into the string that is open, as a text that is read as JSON later. */
ELS_PRIVATE void els_pour_json(elelem_writer *writer, elelem_str json)
{
    els_write_json(writer, json, 1);
}

/* Writes a JSON value of the history. */
ELS_PRIVATE void els_put_raw(elelem_writer *writer, elelem_str json)
{
    elelem_writer_json(writer, els_str(NULL, 0));
    els_pass_json(writer, json);
}

ELS_PRIVATE void els_put_raw_member(elelem_writer *writer, const char *key, elelem_str json)
{
    elelem_writer_key(writer, elelem_str_of(key));
    els_put_raw(writer, json);
}

ELS_PRIVATE void els_begin_member(elelem_writer *writer, const char *key, elelem_type container)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_begin(writer, container);
}

ELS_PRIVATE void els_begin_object(elelem_writer *writer)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
}

ELS_PRIVATE void els_end_object(elelem_writer *writer)
{
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

ELS_PRIVATE void els_end_array(elelem_writer *writer)
{
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

/* {"type":"...", and the object stays open. */
ELS_PRIVATE void els_begin_typed(elelem_writer *writer, const char *type)
{
    els_begin_object(writer);
    els_put_text(writer, "type", elelem_str_of(type));
}

ELS_PRIVATE void els_put_word(elelem_writer *writer, const char *key, const char *word)
{
    els_put_text(writer, key, elelem_str_of(word));
}

ELS_PRIVATE void els_put_bool(elelem_writer *writer, const char *key, int boolean)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_bool(writer, boolean);
}

/* Members of the body. The caller's own replace those of the same name. */

ELS_PRIVATE int els_has_member(elelem_str members, const char *name)
{
    els_cursor in = els_cursor_of(members.data, members.size);
    els_line_member member;

    while (els_line_next_member(&in, &member))
        if (els_line_key_is(member.key, name)) return 1;
    return 0;
}

/* Writes the key of a member of the body; zero, and nothing is written, if the caller has one of that name. */
ELS_PRIVATE int els_ask_key(els_ask *ask, const char *name)
{
    if (ask->request->extra.size > 0 && els_has_member(ask->request->extra, name)) return 0;
    elelem_writer_key(&ask->writer, elelem_str_of(name));
    return 1;
}

ELS_PRIVATE void els_ask_text(els_ask *ask, const char *name, elelem_str text)
{
    if (text.size > 0 && els_ask_key(ask, name)) elelem_writer_string(&ask->writer, text);
}

ELS_PRIVATE void els_ask_json(els_ask *ask, const char *name, elelem_str json)
{
    if (json.size > 0 && els_ask_key(ask, name)) elelem_writer_json(&ask->writer, json);
}

ELS_PRIVATE void els_ask_number(els_ask *ask, const char *name, int64_t number)
{
    if (number > 0 && els_ask_key(ask, name)) elelem_writer_int64(&ask->writer, number);
}

ELS_PRIVATE void els_ask_true(els_ask *ask, const char *name, int is_true)
{
    if (is_true && els_ask_key(ask, name)) elelem_writer_bool(&ask->writer, 1);
}

ELS_PRIVATE void els_ask_false(els_ask *ask, const char *name, int is_false)
{
    if (is_false && els_ask_key(ask, name)) elelem_writer_bool(&ask->writer, 0);
}

/* The same for members of an object of settings, which the caller's own replace. */
ELS_PRIVATE int els_config_key(els_ask *ask, const char *name)
{
    if (ask->request->extra_config.size > 0 && els_has_member(ask->request->extra_config, name)) return 0;
    elelem_writer_key(&ask->writer, elelem_str_of(name));
    return 1;
}

ELS_PRIVATE void els_config_json(els_ask *ask, const char *name, elelem_str json)
{
    if (json.size > 0 && els_config_key(ask, name)) els_put_raw(&ask->writer, json);
}

/* Writes temperature and top_p unless the model refuses them. */
ELS_PRIVATE void els_ask_sampling(els_ask *ask, int is_refused)
{
    const elelem_request *r = ask->request;

    if (is_refused) {
        els_ask_note(ask, r->temperature.size + r->top_p.size > 0, ELS_WORDS("temperature and top_p are left out: the model refuses them"));
        return;
    }
    els_ask_json(ask, "temperature", r->temperature);
    els_ask_json(ask, "top_p", r->top_p);
}

/* Writes the stop sequences, the first of them if the provider takes so many; zero: any number. */
ELS_PRIVATE void els_put_stops(els_ask *ask, size_t most)
{
    size_t count = ask->request->stop_count, i;
    int are_more = most > 0 && count > most;

    els_ask_note(ask, are_more, ELS_WORDS("stop sequences are left out: the provider takes fewer"));
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    for (i = 0; i < (are_more ? most : count); i++)
        elelem_writer_string(&ask->writer, ask->request->stops[i]);
    els_end_array(&ask->writer);
}

/* Writes members that the caller has as JSON, into the object that is open. */
ELS_PRIVATE void els_put_members(elelem_writer *writer, elelem_str members)
{
    members = els_trimmed(members);
    if (members.size == 0) return;
    els_pass(writer, els_str(",", writer->els_comma ? 1 : 0));
    els_pass_json(writer, members);
    writer->els_comma = 1;
}

ELS_PRIVATE elelem_str els_schema_name(const elelem_request *request)
{
    return request->schema_name.size > 0 ? request->schema_name : elelem_str_of("response");
}

ELS_PRIVATE int els_wants_schema(const elelem_request *request)
{
    return request->schema.size > 0 && els_trimmed(request->schema).data[0] == '{';
}

/* Returns the size of the whitespace at the start of UTF-8 text, which is not empty; zero if there is none. */
ELS_PRIVATE size_t els_space_size(const unsigned char *at, size_t size)
{
    static const char *const spaces[] = { "\xc2\xa0", "\xc2\x85", "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                          "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf" };
    size_t i;

    if (*at == ' ' || (*at >= 9 && *at <= 13) || (*at >= 28 && *at <= 31)) return 1;
    if (size >= 3 && at[0] == 0xe2 && at[1] == 0x80 && at[2] >= 0x80 && at[2] <= 0x8a) return 3;
    for (i = 0; i < ELS_COUNT(spaces); i++)
        if (size >= strlen(spaces[i]) && memcmp(at, spaces[i], strlen(spaces[i])) == 0) return strlen(spaces[i]);
    return 0;
}

ELS_PRIVATE int els_text_is_blank(elelem_str text)
{
    size_t at = 0, size = 1;

    for (; at < text.size && size > 0; at += size)
        size = els_space_size((const unsigned char *)text.data + at, text.size - at);
    return size > 0;
}

#define ELS_ANY_JSON "Return a JSON object."

/* Writes the instructions into the string that is open. A schema that the provider has no member for is asked for
   in words. */
ELS_PRIVATE void els_pour_instructions(els_ask *ask, int schema_in_words)
{
    const elelem_request *r = ask->request;

    if (schema_in_words && els_wants_schema(r)) {
        elelem_writer_string_piece(&ask->writer, elelem_str_of("Return JSON that conforms to the following schema: "));
        elelem_writer_string_piece(&ask->writer, els_trimmed(r->schema));
    } else if (schema_in_words) {
        elelem_writer_string_piece(&ask->writer, elelem_str_of(ELS_ANY_JSON));
    }
    if (schema_in_words && r->instructions.size > 0) elelem_writer_string_piece(&ask->writer, elelem_str_of("\n\n"));
    elelem_writer_string_piece(&ask->writer, r->instructions);
}

ELS_PRIVATE int els_has_instructions(const els_ask *ask, int schema_in_words)
{
    return schema_in_words || !els_text_is_blank(ask->request->instructions);
}

/* Nonzero if one of the tools has this name. */
ELS_PRIVATE int els_is_tool(const elelem_request *r, elelem_str name)
{
    size_t i;

    for (i = 0; i < r->tool_count; i++)
        if (elelem_str_equal(r->tools[i].name, name)) return 1;
    return 0;
}

/* The parameters of a tool. Some providers refuse a schema that does not say that it is of an object, and which properties
   it has. */
ELS_PRIVATE void els_put_parameters(elelem_writer *writer, const char *key, const elelem_tool *tool)
{
    elelem_str schema = els_trimmed(tool->parameters);
    elelem_str members = schema.size > 0 ? els_str(schema.data + 1, schema.size - 2) : schema;

    els_begin_member(writer, key, ELELEM_TYPE_OBJECT);
    els_put_members(writer, members);
    if (!els_has_member(members, "type")) els_put_word(writer, "type", "object");
    if (!els_has_member(members, "properties")) {
        els_begin_member(writer, "properties", ELELEM_TYPE_OBJECT);
        els_end_object(writer);
    }
    els_end_object(writer);
}

/* Writes the tools, each by the shape's own function. */
ELS_PRIVATE void els_ask_tools(els_ask *ask, void (*put)(els_ask *ask, const elelem_tool *tool))
{
    size_t i;

    if (!els_ask_key(ask, "tools")) return;
    elelem_writer_begin(&ask->writer, ELELEM_TYPE_ARRAY);
    for (i = 0; i < ask->request->tool_count; i++)
        put(ask, &ask->request->tools[i]);
    els_end_array(&ask->writer);
}

/* The members of a tool up to its schema, which is under `key`. */
ELS_PRIVATE void els_put_tool_members(elelem_writer *writer, const char *key, const elelem_tool *tool)
{
    els_put_text(writer, "name", tool->name);
    if (tool->description.size > 0) els_put_text(writer, "description", tool->description);
    els_put_parameters(writer, key, tool);
}

/* The members of a schema with a name. */
ELS_PRIVATE void els_put_schema(elelem_writer *writer, const elelem_request *r)
{
    els_put_text(writer, "name", els_schema_name(r));
    if (r->schema_description.size > 0) els_put_text(writer, "description", r->schema_description);
    els_put_raw_member(writer, "schema", r->schema);
    els_put_bool(writer, "strict", r->schema_strict);
}

/* What is in a history. */

ELS_PRIVATE void els_object_at(const els_ask *ask, size_t at, els_talk_line *line)
{
    elelem_str text = ask->request->history;
    els_cursor in = els_cursor_of(text.data, text.size);
    elelem_str object;

    in.at += at;
    els_line_next_value(&in, &object);
    els_talk_read_line(object, 0, line);
}

/* Drops the whitespace at the start of bytes that were read; zero if there is none. */
ELS_PRIVATE int els_drop_space(unsigned char *bytes, size_t *count)
{
    size_t size = els_space_size(bytes, *count);

    *count -= size;
    memmove(bytes, bytes + size, *count);
    return size > 0;
}

/* Nonzero if the text of a JSON string is empty or whitespace. */
ELS_PRIVATE int els_quoted_is_blank(elelem_str quoted)
{
    els_letters letters;
    unsigned char waiting[3];
    size_t count = 0;
    int letter = 0;

    if (quoted.size < 2) return 1;
    letters = els_letters_of(quoted);
    do
        while (count < 3 && (letter = els_letters_next(&letters)) >= 0)
            waiting[count++] = (unsigned char)letter;
    while (count > 0 && els_drop_space(waiting, &count));
    return count == 0;
}

/* Nonzero if an item has no text that shows. */
ELS_PRIVATE int els_item_is_blank(const els_talk_item *item)
{
    els_talk at = item->from;
    els_talk_line line;

    while (els_talk_next_piece(item, &at, &line))
        if (line.json.size > 0 || !els_quoted_is_blank(line.text)) return 0;
    return 1;
}

/* Writes the text of an item into the string that is open. */
ELS_PRIVATE void els_pour_item(elelem_writer *writer, const els_talk_item *item)
{
    els_talk at = item->from;
    els_talk_line line;

    while (els_talk_next_piece(item, &at, &line)) {
        if (line.json.size > 0) els_pour_json(writer, line.json);
        else els_pour(writer, line.text);
    }
}

ELS_PRIVATE void els_put_item_text(elelem_writer *writer, const char *key, const els_talk_item *item)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string_begin(writer);
    els_pour_item(writer, item);
    elelem_writer_string_end(writer);
}

/* Writes the elements of an array of the item's metadata into the array that is open. */
ELS_PRIVATE void els_put_elements(elelem_writer *writer, const els_talk_item *item, const char *key)
{
    els_talk_list list = els_talk_list_of(item, key);
    elelem_str element;

    while (els_talk_next_element(&list, &element))
        els_put_raw(writer, element);
}

/* Writes an array of the item's metadata. */
ELS_PRIVATE void els_put_list(elelem_writer *writer, const els_talk_item *item, const char *key)
{
    els_begin_member(writer, key, ELELEM_TYPE_ARRAY);
    els_put_elements(writer, item, key);
    els_end_array(writer);
}

ELS_PRIVATE int els_is_text(const els_talk_item *item)
{
    return item->line.kind == ELS_TALK_MESSAGE || item->line.kind == ELS_TALK_STRUCTURED;
}

/* Returns the first byte of the arguments of a call that is not left out, which shows of what type they are. */
ELS_PRIVATE int els_arguments_begin(const els_talk_line *call)
{
    return call->is_text ? els_quoted_begin(call->json) : (unsigned char)call->json.data[0];
}

/* Nonzero for a call whose arguments are free text, as a JSON string. */
ELS_PRIVATE int els_is_custom(const els_talk_item *item)
{
    elelem_str type = item->line.type;
    int is_custom = els_quoted_is(type, "custom") || els_quoted_is(type, "custom_tool_call");

    return els_arguments_begin(&item->line) == '"' && (is_custom || (type.size == 0 && els_is_true(els_talk_meta(item, "custom"))));
}

/* Nonzero if what the user said is written: blank texts without images are not, and end no turn. */
ELS_PRIVATE int els_user_shows(const els_talk_item *item)
{
    return item->line.images.size > 0 || !els_item_is_blank(item);
}

/* Nonzero if the turn that the step belongs to is not over. */
ELS_PRIVATE int els_step_is_current(const els_ask *ask)
{
    return ask->step.from.at >= ask->last_user;
}

/* What provider items are of which shape. Items do not name their shape, but their types show it. */

/* Nonzero if the text between the quotes ends with this. */
ELS_PRIVATE int els_quoted_ends(elelem_str quoted, const char *end)
{
    size_t size = strlen(end);

    return quoted.size >= size + 2 && memcmp(quoted.data + quoted.size - 1 - size, end, size) == 0;
}

ELS_PRIVATE int els_quoted_is_any(elelem_str quoted, const char *const *names, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (els_quoted_is(quoted, names[i])) return 1;
    return 0;
}

/* The JSON of a provider item in events is text, in pieces, and so may be the arguments of a call. A reader of its bytes, or of those of
   a value in it. */
typedef struct els_spelled {
    const els_talk_item *item; /* null: all is in `letters` */
    els_talk at;
    els_letters letters; /* of the piece that is being read */
    size_t left;         /* bytes of the value */
} els_spelled;

ELS_PRIVATE els_spelled els_spelled_of(const els_talk_item *item)
{
    els_spelled in;

    memset(&in, 0, sizeof in);
    in.item = item;
    in.at = item->from;
    in.left = SIZE_MAX;
    return in;
}

/* The same of the text of a JSON string. */
ELS_PRIVATE els_spelled els_spelled_in(elelem_str quoted)
{
    els_spelled in;

    memset(&in, 0, sizeof in);
    in.letters = els_letters_of(quoted);
    in.left = SIZE_MAX;
    return in;
}

/* Returns the next byte, -1 at the end. Most are in the piece that is being read, and no escape. Pieces may be empty. */
ELS_PRIVATE int els_spelled_next(els_spelled *in)
{
    els_letters *letters = &in->letters;
    els_talk_line line;
    int byte;

    if (in->left == 0) return -1;
    if (letters->taken == letters->count && letters->at < letters->end && *letters->at != '\\') {
        in->left--;
        return *letters->at++;
    }
    while ((byte = els_letters_next(letters)) < 0) {
        if (!in->item || !els_talk_next_piece(in->item, &in->at, &line)) return -1;
        if (line.text.size > 2) *letters = els_letters_of(line.text);
    }
    in->left--;
    return byte;
}

/* Reads as many bytes as there are and fit. */
ELS_PRIVATE size_t els_spelled_read(els_spelled *in, char *bytes, size_t room)
{
    size_t size = 0;
    int byte;

    while (size < room && (byte = els_spelled_next(in)) >= 0)
        bytes[size++] = (char)byte;
    return size;
}

ELS_ALONE int els_spelled_first(const els_spelled *in)
{
    els_spelled ahead = *in;

    return els_spelled_next(&ahead);
}

/* Nonzero if the bytes, all of which are read, are one JSON value. */
ELS_ALONE int els_spelled_is_json(els_spelled *in)
{
    elelem_status status = ELELEM_OK;
    els_checker checker;
    char bytes[128];
    size_t size;

    els_checker_init(&checker);
    while (status == ELELEM_OK && (size = els_spelled_read(in, bytes, sizeof bytes)) > 0)
        status = els_line_check_piece(&checker.parser, els_str(bytes, size));
    return status == ELELEM_OK && els_line_check_end(&checker.parser) == ELELEM_OK;
}

/* Nonzero if the pieces are one JSON object together. Anything else could forge what is around it. */
ELS_PRIVATE int els_pieces_are_object(const els_talk_item *item)
{
    els_spelled in = els_spelled_of(item);

    return els_spelled_first(&in) == '{' && els_spelled_is_json(&in);
}

/* What follows reads objects that were checked. */

/* Reads the next byte that is no blank. */
ELS_PRIVATE int els_spelled_mark(els_spelled *in)
{
    int byte;

    do
        byte = els_spelled_next(in);
    while (els_is_blank((unsigned char)byte));
    return byte;
}

ELS_PRIVATE void els_spelled_skip_blanks(els_spelled *in)
{
    while (els_is_blank((unsigned char)els_spelled_first(in)))
        els_spelled_next(in);
}

/* Reads an escape after its backslash, with that of the other surrogate of a pair. Returns its size, at most 11. */
ELS_PRIVATE size_t els_spelled_escape(els_spelled *in, char *text)
{
    els_spelled ahead;
    els_letters letters;
    size_t size;

    text[0] = (char)els_spelled_next(in);
    if (text[0] != 'u') return 1;
    els_spelled_read(in, text + 1, 4);
    ahead = *in;
    size = 5 + els_spelled_read(&ahead, text + 5, 6);
    memset(&letters, 0, sizeof letters);
    letters.at = (const unsigned char *)text + 1;
    letters.end = (const unsigned char *)text + size;
    if (els_letters_character(&letters) < 0x10000) return 5;
    *in = ahead;
    return 11;
}

/* Reads the next bytes of a string: one, or those of an escape. Returns how many; zero at the quote that ends it. */
ELS_PRIVATE size_t els_spelled_letter(els_spelled *in, unsigned char bytes[4])
{
    char text[11];
    els_letters letters;
    int byte = els_spelled_next(in);

    bytes[0] = (unsigned char)byte;
    if (byte != '\\') return byte != '"';
    memset(&letters, 0, sizeof letters);
    letters.at = (const unsigned char *)text;
    letters.end = letters.at + els_spelled_escape(in, text);
    els_letters_escape(&letters);
    memcpy(bytes, letters.bytes, letters.count);
    return letters.count;
}

/* Reads a string after its first quote. Nonzero if it is empty or whitespace. */
ELS_PRIVATE int els_spelled_is_blank(els_spelled *in)
{
    unsigned char waiting[6]; /* two bytes, and a character of four */
    size_t count = 0, size = 1;

    do
        while (count < 3 && size > 0 && (size = els_spelled_letter(in, waiting + count)) > 0)
            count += size;
    while (count > 0 && els_drop_space(waiting, &count));
    return count == 0;
}

/* Reads a string after its first quote. Nonzero if it is the name. */
ELS_PRIVATE int els_spelled_is(els_spelled *in, const char *name)
{
    unsigned char bytes[4];
    size_t left = strlen(name), count;
    int same = 1;

    while ((count = els_spelled_letter(in, bytes)) > 0) {
        same = same && count <= left && memcmp(bytes, name, count) == 0;
        if (!same) continue;
        name += count;
        left -= count;
    }
    return same && left == 0;
}

/* Reads a value and what ends it: a comma, or the brace of the object. Returns the value's size. */
ELS_PRIVATE size_t els_spelled_skip(els_spelled *in, int *end)
{
    size_t start = in->left, size = 0, depth = 0;

    for (;;) {
        *end = els_spelled_next(in);
        if (depth == 0 && (*end == ',' || *end == '}')) return size;
        if (*end == '"') els_spelled_is(in, "");
        depth += *end == '{' || *end == '[';
        depth -= *end == '}' || *end == ']';
        if (!els_is_blank((unsigned char)*end)) size = start - in->left;
    }
}

/* Narrows an object to the value of its member of this name, of several the last; zero if there is none. */
ELS_PRIVATE int els_spelled_enter(els_spelled *object, const char *name)
{
    els_spelled in = *object;
    int end = els_spelled_next(&in), is_there = 0, is_it;
    size_t size;

    while (end != '}') {
        end = els_spelled_mark(&in);
        if (end == '}') break; /* it is empty */
        is_it = els_spelled_is(&in, name);
        els_spelled_mark(&in); /* the colon */
        els_spelled_skip_blanks(&in);
        if (is_it) *object = in;
        size = els_spelled_skip(&in, &end);
        if (is_it) object->left = size;
        is_there |= is_it;
    }
    return is_there;
}

#define ELS_SPELLED_RUN 128

/* Reads some bytes, of whole characters, escapes and pairs of surrogates; zero at the end. */
ELS_PRIVATE size_t els_spelled_run(els_spelled *in, char bytes[ELS_SPELLED_RUN])
{
    size_t size = 0;
    int byte;

    while (size < ELS_SPELLED_RUN - 12 && (byte = els_spelled_next(in)) >= 0) {
        bytes[size++] = (char)byte;
        if (byte == '\\') size += els_spelled_escape(in, bytes + size);
        else if (byte >= 0xc0) size += els_spelled_read(in, bytes + size, byte < 0xe0 ? 1u : byte < 0xf0 ? 2u : 3u);
    }
    return size;
}

/* Nonzero if the item, which is an object, has this member. */
ELS_PRIVATE int els_item_has(const els_talk_item *item, const char *name)
{
    elelem_str json = item->line.json;
    els_spelled object = els_spelled_of(item);

    if (json.size > 0) return els_has_member(els_str(json.data + 1, json.size - 2), name);
    return els_spelled_enter(&object, name);
}

/* Nonzero if the item's type is the name of one of its members. */
ELS_PRIVATE int els_item_is_under_its_type(const els_talk_item *item)
{
    elelem_str type = item->line.type;
    char name[64];

    if (type.size < 3 || type.size - 2 >= sizeof name || memchr(type.data, '\\', type.size)) return 0;
    memcpy(name, type.data + 1, type.size - 2);
    name[type.size - 2] = 0;
    return els_item_has(item, name);
}

/* Nonzero for the result of a call that is stored in an interaction: a step of this type is of no other shape. */
ELS_PRIVATE int els_is_stored_result(const els_talk_line *line)
{
    return els_quoted_is(line->type, "function_result");
}

/* Nonzero for an item of Interactions: its metadata name its step, or sign it. */
ELS_PRIVATE int els_item_is_of_interactions(const els_talk_item *item)
{
    return els_is_stored_result(&item->line) || els_is_string(els_talk_meta(item, "step"));
}

/* Returns which shape the provider item is of. Types that are not known here are those of Responses if the item has an id, which in
   Messages calls of tools alone have; else of Messages if it says its type, of Gemini if the type is one of its members, else of chat completions. */
ELS_PRIVATE els_home els_item_home(const els_talk_item *item)
{
    static const char *const chat[] = { "audio", "image_url", "images", "executed_tools" };
    static const char *const responses[] = { "mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "program",
                                             "additional_tools", "agent_message", "item_reference" };
    static const char *const gemini[] = { "executableCode", "codeExecutionResult", "inlineData",      "fileData",
                                          "toolCall",       "toolResponse",        "functionResponse" };
    elelem_str type = item->line.type;

    if (els_item_is_of_interactions(item)) return ELS_HOME_INTERACTIONS;
    if (els_quoted_is_any(type, gemini, ELS_COUNT(gemini))) return ELS_HOME_GEMINI;
    if (els_quoted_is_any(type, chat, ELS_COUNT(chat))) return ELS_HOME_CHAT;
    if (!els_item_has(item, "type")) return els_item_is_under_its_type(item) ? ELS_HOME_GEMINI : ELS_HOME_CHAT;
    if (els_quoted_is_any(type, responses, ELS_COUNT(responses))) return ELS_HOME_RESPONSES;
    if (els_quoted_ends(type, "_call") || els_quoted_ends(type, "_output")) return ELS_HOME_RESPONSES;
    return els_item_has(item, "id") && !els_quoted_ends(type, "_tool_use") ? ELS_HOME_RESPONSES : ELS_HOME_MESSAGES;
}

/* Nonzero if the item is an object that is whole. */
ELS_PRIVATE int els_item_is_whole(const els_talk_item *item)
{
    elelem_str json = item->line.json;

    if (item->line.is_cut) return 0;
    return json.size > 0 ? json.data[0] == '{' : els_pieces_are_object(item);
}

/* Nonzero if the provider item is whole and goes back to this shape. */
ELS_PRIVATE int els_item_goes_to(const els_talk_item *item, els_home home)
{
    return item->line.kind == ELS_TALK_PROVIDER_ITEM && els_item_is_whole(item) && els_item_home(item) == home;
}

/* Writes JSON that is spelled, as els_write_json does. */
ELS_ALONE void els_write_spelled(elelem_writer *writer, els_spelled *value, int is_text)
{
    char bytes[ELS_SPELLED_RUN];
    size_t size;

    while ((size = els_spelled_run(value, bytes)) > 0)
        els_write_json(writer, els_str(bytes, size), is_text);
}

/* Writes it as a value. */
ELS_PRIVATE void els_put_spelled(elelem_writer *writer, els_spelled *value)
{
    elelem_writer_json(writer, els_str(NULL, 0));
    els_write_spelled(writer, value, 0);
}

/* Writes the text of a JSON string as a value. */
ELS_ALONE void els_put_decoded(elelem_writer *writer, elelem_str quoted)
{
    els_spelled in = els_spelled_in(quoted);

    els_put_spelled(writer, &in);
}

/* Returns a reader of what is between the brackets, or the quotes, of the value that is the text of a JSON string. */
ELS_PRIVATE els_spelled els_spelled_inside(elelem_str quoted)
{
    els_spelled in = els_spelled_in(quoted), ahead;
    size_t size = 0;
    int byte;

    els_spelled_mark(&in);
    ahead = in;
    while ((byte = els_spelled_next(&ahead)) >= 0)
        if (!els_is_blank((unsigned char)byte)) size = in.left - ahead.left;
    in.left = size - 1;
    return in;
}

/* Writes the JSON of a provider item as a value. Events have it as text, in pieces. */
ELS_PRIVATE void els_put_provider_item(elelem_writer *writer, const els_talk_item *item)
{
    els_spelled pieces = els_spelled_of(item);

    if (item->line.json.size > 0) els_put_raw(writer, item->line.json);
    else els_put_spelled(writer, &pieces);
}

/* Reading steps. */

/* What an id that is generated begins with; digits follow. */
ELS_PRIVATE elelem_str els_id_start(const els_ask *ask)
{
    return elelem_str_of(ask->dialect->id_letters > 0 ? "e" : "elelem_");
}

/* Returns how many digits follow. */
ELS_PRIVATE size_t els_id_digits(const els_ask *ask)
{
    return ask->dialect->id_letters > 0 ? ask->dialect->id_letters - 1u : 8;
}

/* Nonzero if the id has the form of those that are generated, so that it could be that of another call. */
ELS_PRIVATE int els_id_is_generated(const els_ask *ask, elelem_str id)
{
    elelem_str start = els_id_start(ask);
    size_t digits = els_id_digits(ask), i = 0;

    if (id.size != start.size + digits + 2 || memcmp(id.data + 1, start.data, start.size) != 0) return 0;
    while (i < digits && id.data[1 + start.size + i] >= '0' && id.data[1 + start.size + i] <= '9')
        i++;
    return i == digits;
}

/* Nonzero if an id may go out unchanged. */
ELS_PRIVATE int els_id_is_good(const els_ask *ask, elelem_str id)
{
    size_t i;

    if (id.size < 3 || id.size > 66 || els_id_is_generated(ask, id)) return 0;
    if (ask->dialect->id_letters > 0 && id.size != ask->dialect->id_letters + 2u) return 0;
    for (i = 1; i + 1 < id.size; i++) {
        unsigned char byte = (unsigned char)id.data[i], letter = byte | 0x20;
        if ((letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9')) continue;
        if (ask->dialect->id_letters > 0 || !strchr(ask->id_marks, byte)) return 0;
    }
    return 1;
}

/* `id` is not empty. */
ELS_PRIVATE int els_call_has_id(const els_step_call *call, elelem_str id)
{
    return call->id.size > 2 && els_same_string(call->id, id);
}

ELS_PRIVATE int els_step_has_id(const els_step *step, elelem_str id)
{
    size_t i;

    for (i = 0; i < step->count; i++)
        if (!step->calls[i].is_left_out && els_call_has_id(&step->calls[i], id)) return 1;
    return 0;
}

/* Nonzero if the text of a JSON string is JSON. */
ELS_ALONE int els_quoted_is_json(elelem_str quoted)
{
    els_spelled in = els_spelled_in(quoted);

    return els_spelled_is_json(&in);
}

/* Nonzero for a call that cannot be written. */
ELS_PRIVATE int els_call_is_bad(const els_talk_line *line)
{
    return line->is_cut || line->name.size <= 2 || (line->is_text && !els_quoted_is_json(line->json));
}

/* Returns the call before that the call is: one line of it, the application's own, has no index, and the other has. Null if there is
   none: of calls that have indices some may have the same id. */
ELS_PRIVATE els_step_call *els_step_find_twin(els_step *step, const els_step_call *call)
{
    size_t i;

    for (i = 0; i < step->count; i++) {
        els_step_call *other = &step->calls[i];
        if (other->has_index == call->has_index || other->own || other->is_left_out) continue;
        if (!els_call_has_id(other, call->id) || !els_same_string(other->name, call->name)) continue;
        other->own = ELS_OWN_CALL;
        return other;
    }
    return NULL;
}

/* Nonzero if a line of a call is none of the step's calls. */
ELS_PRIVATE int els_step_is_twin(const els_step *step, size_t line)
{
    return step->twins[line / 8] >> line % 8 & 1;
}

ELS_PRIVATE void els_step_add_twin(els_step *step, size_t line)
{
    step->twins[line / 8] = (uint8_t)(step->twins[line / 8] | 1 << line % 8);
}

/* If two lines are of this call, only the one with an index counts: it may have more, such as a signature. Returns nonzero if that is
   the other one; else takes the other away. There are no more such lines than calls, since each has one at most. */
ELS_PRIVATE int els_step_pair(els_step *step, els_step_call *call)
{
    els_step_call *other = els_step_find_twin(step, call);

    if (!other) return 0;
    if (!call->has_index) {
        els_step_add_twin(step, call->line);
        return 1;
    }
    call->own = ELS_OWN_CALL;
    call->result = other->result;
    call->is_named = other->is_named;
    call->has_failed = other->has_failed;
    call->home = other->home;
    els_step_add_twin(step, other->line);
    step->count--;
    memmove(other, other + 1, (size_t)(step->calls + step->count - other) * sizeof *other);
    return 0;
}

/* Nonzero for an item's call, or an event's that has an index. */
ELS_PRIVATE uint8_t els_call_has_index(const els_talk_line *line)
{
    return !line->is_event || line->index >= 0;
}

ELS_PRIVATE void els_step_add_call(els_ask *ask, const els_talk_line *line)
{
    els_step *step = &ask->step;
    els_step_call call;
    int is_twin = 0;

    if (ask->error.status != ELELEM_OK) return;
    memset(&call, 0, sizeof call);
    call.line = (uint8_t)step->lines++;
    call.id = line->id;
    call.name = line->name;
    call.has_index = els_call_has_index(line);
    call.is_left_out = (uint8_t)els_call_is_bad(line);
    if (!call.is_left_out && call.id.size > 2) is_twin = els_step_pair(step, &call);
    if (is_twin) return;
    if (step->count == ELS_STEP_CALLS) {
        els_ask_refuse(ask, ELELEM_ERROR_COUNT, line->first, ELS_WORDS("there are more than 64 tool calls without a result or a user's line between them"));
        return;
    }
    call.has_own_id = (uint8_t)(els_id_is_good(ask, line->id) && !els_step_has_id(step, line->id));
    step->calls[step->count++] = call;
}

/* Returns how well a result of this id and name fits a call; zero if it is of another one. It is rather of the call that it names, and
   without an id of one that has none either. */
ELS_PRIVATE int els_result_fits(elelem_str id, elelem_str name, const els_step_call *call)
{
    int has_id = id.size > 2, has_names = name.size > 2 && call->name.size > 2, is_named;

    if (has_id && !els_call_has_id(call, id)) return 0;
    is_named = has_names && els_same_string(call->name, name);
    if (has_id) return 1 + is_named;
    if (has_names && !is_named) return 0;
    return 1 + 2 * has_names + (call->id.size <= 2);
}

/* Returns the call that the result fits best, of those with a result or those without; step->count if there is none. Of several that it
   fits as well it is of the first, but rather of one that is not left out: that one may have been run. */
ELS_PRIVATE size_t els_step_find(const els_step *step, elelem_str id, elelem_str name, int has_result)
{
    size_t i, best = step->count;
    int fits, most = 0;

    for (i = 0; i < step->count; i++) {
        if ((step->calls[i].result > 0) != has_result) continue;
        fits = 2 * els_result_fits(id, name, &step->calls[i]);
        if (fits > 0) fits += !step->calls[i].is_left_out;
        if (fits <= most) continue;
        most = fits;
        best = i;
    }
    return best;
}

/* Nonzero if both calls have a name, and it is the same. */
ELS_PRIVATE int els_calls_have_one_name(const els_step_call *a, const els_step_call *b)
{
    return a->name.size > 2 && b->name.size > 2 && els_same_string(a->name, b->name);
}

/* Calls without an id have results in their order. If one that is left out gets a result later than the calls after it, each of these results
   is of the call before. */
ELS_PRIVATE void els_step_order(els_step *step, size_t which)
{
    els_step_call *call = &step->calls[which];

    if (call->id.size > 2) return;
    for (which++; which < step->count; which++) {
        els_step_call *later = &step->calls[which];
        size_t result = call->result;
        if (later->result == 0 || later->id.size > 2 || later->home || !els_calls_have_one_name(later, call)) continue;
        call->result = later->result;
        later->result = result;
        call = later;
    }
}

/* Gives the result to its call. Of several results of one call the first counts. */
ELS_PRIVATE void els_step_add_result(els_ask *ask, const els_talk_line *line)
{
    els_step *step = &ask->step;
    size_t at = (size_t)(line->object.data - ask->request->history.data);
    size_t which = els_step_find(step, line->id, line->name, 0);

    if (which < step->count) {
        step->calls[which].result = at;
        els_step_order(step, which);
    } else if (els_step_find(step, line->id, line->name, 1) == step->count) {
        els_ask_refuse(ask, ELELEM_ERROR_PROTOCOL, at, ELS_WORDS("the result is of no tool call in the response before it"));
    }
}

/* Gemini gives calls that it runs itself like others, and their results as provider items; so does a stored interaction with those
   of the caller. */

ELS_PRIVATE int els_is_hosted_result(const els_talk_item *item)
{
    if (item->line.kind != ELS_TALK_PROVIDER_ITEM) return 0;
    return (els_quoted_is(item->line.type, "functionResponse") || els_is_stored_result(&item->line)) && els_item_is_whole(item);
}

/* Returns the object that has the members of a result; empty if there is none. */
ELS_PRIVATE elelem_str els_hosted_object(const els_talk_line *line)
{
    static const char *const response[] = { "functionResponse" };
    elelem_str object = line->json;

    if (!els_is_stored_result(line)) els_line_members(line->json, response, 1, &object);
    if (object.size > 0 && object.data[0] != '{') object.size = 0;
    return object;
}

/* The same in pieces; zero if there is none. */
ELS_PRIVATE int els_hosted_spelled(const els_talk_item *item, els_spelled *object)
{
    *object = els_spelled_of(item);
    if (els_is_stored_result(&item->line)) return 1;
    return els_spelled_enter(object, "functionResponse") && els_spelled_first(object) == '{';
}

/* More than any id or name has. */
#define ELS_HOSTED_NAME 256

/* Reads a member of an object in pieces to its end; empty if there is none, or if it does not fit. */
ELS_ALONE elelem_str els_hosted_member(els_spelled *object, const char *name, char *text, size_t room)
{
    size_t size = els_spelled_enter(object, name) ? els_spelled_read(object, text, room) : 0;

    return els_str(text, size < room ? size : 0);
}

/* Returns a member of a provider item that is an object. One that is in pieces is read into `text`. */
ELS_PRIVATE elelem_str els_item_member(const els_talk_item *item, const char *name, char text[ELS_HOSTED_NAME])
{
    els_spelled object = els_spelled_of(item);
    elelem_str value;

    if (item->line.json.size == 0) return els_hosted_member(&object, name, text, ELS_HOSTED_NAME);
    els_line_members(item->line.json, &name, 1, &value);
    return value;
}

/* What a result that is a provider item says of its call. */
typedef struct els_hosted {
    elelem_str id;
    elelem_str name;
    uint8_t has_failed;
    char texts[2][ELS_HOSTED_NAME]; /* of an item in pieces, its id and name */
} els_hosted;

ELS_ALONE void els_hosted_read(const els_talk_item *item, els_hosted *hosted)
{
    static const char *const known[] = { "id", "name" }, *const stored[] = { "call_id", "name", "is_error" };
    int is_stored = els_is_stored_result(&item->line);
    const char *const *names = is_stored ? stored : known;
    size_t count = is_stored ? 3 : 2, i;
    elelem_str object, fields[3];
    els_spelled spelled;
    char word[8], *texts[3];
    static const size_t rooms[] = { ELS_HOSTED_NAME, ELS_HOSTED_NAME, sizeof word };

    texts[0] = hosted->texts[0];
    texts[1] = hosted->texts[1];
    texts[2] = word;
    memset(fields, 0, sizeof fields);
    if (item->line.json.size > 0) {
        object = els_hosted_object(&item->line);
        if (object.size > 0) els_line_members(object, names, count, fields);
    } else {
        for (i = 0; i < count; i++)
            if (els_hosted_spelled(item, &spelled)) fields[i] = els_hosted_member(&spelled, names[i], texts[i], rooms[i]);
    }
    hosted->id = els_is_string(fields[0]) ? fields[0] : els_str(NULL, 0);
    hosted->name = els_is_string(fields[1]) ? fields[1] : els_str(NULL, 0);
    hosted->has_failed = (uint8_t)els_is_true(fields[2]);
}

/* Gives a result that is a provider item to its call. */
ELS_ALONE void els_step_add_hosted(els_ask *ask, const els_talk_item *item)
{
    els_step *step = &ask->step;
    els_home home = els_item_home(item);
    els_hosted hosted;
    size_t which;

    els_hosted_read(item, &hosted);
    which = els_step_find(step, hosted.id, hosted.name, 0);
    if (which == step->count) return;
    step->calls[which].result = (size_t)(item->line.object.data - ask->request->history.data);
    step->calls[which].home = (uint8_t)home;
    step->calls[which].is_named = hosted.id.size > 2;
    step->calls[which].has_failed = hosted.has_failed;
}

/* Returns the call that the provider ran and whose result the item is; null if there is none. */
ELS_PRIVATE const els_step_call *els_step_hosted_call(const els_ask *ask, const els_talk_item *item)
{
    size_t at = (size_t)(item->line.object.data - ask->request->history.data), i;

    for (i = 0; i < ask->step.count; i++)
        if (ask->step.calls[i].home && ask->step.calls[i].result == at) return &ask->step.calls[i];
    return NULL;
}

/* Goes back to the start of the history. */
ELS_PRIVATE void els_step_restart(els_ask *ask)
{
    ask->step.to = els_talk_of(ask->request->history);
    ask->step.first = ask->step.count = 0;
}

/* Gives results to their calls: those with ids first, so that no other takes their place. */
ELS_PRIVATE void els_step_add_results(els_ask *ask, int have_ids)
{
    els_talk at = ask->step.tail;
    els_talk_item item;

    while (els_talk_next_until(&at, &ask->step.to, &item))
        if (item.line.kind == ELS_TALK_RESULT && (item.line.id.size > 2) == have_ids) els_step_add_result(ask, &item.line);
}

/* Notes which call a result is of: the application writes no line of it after that. Of calls with one id and name, results are in their
   order. */
ELS_PRIVATE void els_step_see_result(els_step *step, const els_talk_line *result)
{
    size_t i;

    if (result->id.size <= 2 || result->name.size <= 2) return;
    for (i = 0; i < step->count; i++) {
        els_step_call *call = &step->calls[i];
        if (call->own == ELS_OWN_RESULT || call->is_left_out) continue;
        if (!els_call_has_id(call, result->id) || !els_same_string(call->name, result->name)) continue;
        call->own = ELS_OWN_RESULT;
        return;
    }
}

/* Nonzero if the line is among what follows the model's items: results, texts of the user, and the application's own lines
   of calls that run one after the other. Such a line comes before its result: after that, one of the same id is another call. */
ELS_PRIVATE int els_step_goes_on(els_step *step, const els_talk_line *line)
{
    els_step_call call;

    if (line->kind == ELS_TALK_RESULT) els_step_see_result(step, line);
    if (line->kind == ELS_TALK_RESULT || line->kind == ELS_TALK_USER) return 1;
    if (line->kind != ELS_TALK_CALL || els_call_has_index(line)) return 0;
    memset(&call, 0, sizeof call);
    call.id = line->id;
    call.name = line->name;
    return call.id.size > 2 && call.name.size > 2 && els_step_find_twin(step, &call) != NULL;
}

/* Reads the next step; zero if there is none, or if it is refused. */
ELS_PRIVATE int els_step_next(els_ask *ask)
{
    els_step *step = &ask->step;
    els_talk ahead = step->to;
    els_talk_item item;

    step->from = step->tail = step->to;
    step->first += step->count;
    step->count = step->lines = 0;
    memset(step->twins, 0, sizeof step->twins);
    while (els_talk_next(&ahead, &item) && item.line.kind >= ELS_TALK_MESSAGE) {
        if (item.line.kind == ELS_TALK_CALL) els_step_add_call(ask, &item.line);
        else if (els_is_hosted_result(&item)) els_step_add_hosted(ask, &item);
        step->tail = ahead;
    }
    step->to = ahead = step->tail;
    while (els_talk_next(&ahead, &item) && els_step_goes_on(step, &item.line))
        step->to = ahead;
    els_step_add_results(ask, 1);
    els_step_add_results(ask, 0);
    return ask->error.status == ELELEM_OK && step->to.at > step->from.at;
}

/* Nonzero for an item that is written to this shape, in a message of its own or the model's. Results are not asked for: their
   calls are. */
ELS_PRIVATE int els_item_shows(const els_ask *ask, const els_talk_item *item, els_home home)
{
    int takes_items = home != ELS_HOME_CHAT || ask->dialect->takes_images || ask->dialect->takes_audio;

    if (item->line.kind == ELS_TALK_USER) return els_user_shows(item);
    if (item->line.kind == ELS_TALK_CALL) return !els_call_is_bad(&item->line);
    if (item->line.kind == ELS_TALK_PROVIDER_ITEM) return takes_items && els_item_goes_to(item, home);
    return els_is_text(item) && !els_item_is_blank(item);
}

/* Finds the end of what is written, once for all steps. */
ELS_PRIVATE void els_ask_find_end(els_ask *ask, els_home home)
{
    els_talk talk = els_talk_of(ask->request->history);
    els_talk_item item;

    while (els_talk_next(&talk, &item))
        if (els_item_shows(ask, &item, home)) ask->end = item.end;
}

/* Nonzero if nothing is written after the model's items of this step. */
ELS_PRIVATE int els_step_is_last(const els_ask *ask)
{
    return ask->step.tail.at >= ask->end;
}

/* The items of a step. */
typedef struct els_walk {
    els_talk at;
    size_t call;         /* CALL: which of the step's */
    size_t calls;        /* before `at` */
    size_t lines;        /* of calls before `at` */
    els_talk first_call; /* before it */
    size_t first_line;   /* its `lines` */
    uint8_t phase;
} els_walk;

enum { ELS_WALK_START, ELS_WALK_TEXTS, ELS_WALK_REST };

ELS_PRIVATE els_walk els_walk_of(const els_ask *ask)
{
    els_walk walk;

    memset(&walk, 0, sizeof walk);
    walk.at = ask->step.from;
    return walk;
}

/* Reads the next item of the model's, in the order of the lines; zero if there is none. */
ELS_PRIVATE int els_walk_step(const els_ask *ask, els_walk *walk, els_talk_item *item)
{
    while (els_talk_next_until(&walk->at, &ask->step.tail, item)) {
        if (item->line.kind != ELS_TALK_CALL) return 1;
        if (els_step_is_twin(&ask->step, walk->lines++)) continue;
        walk->call = walk->calls++;
        return 1;
    }
    return 0;
}

/* The same in the order in which they go out: texts after the first call go before it. */
ELS_PRIVATE int els_walk_next(const els_ask *ask, els_walk *walk, els_talk_item *item)
{
    for (;;) {
        if (!els_walk_step(ask, walk, item)) {
            if (walk->phase != ELS_WALK_TEXTS) return 0;
            walk->phase = ELS_WALK_REST;
            walk->at = walk->first_call;
            walk->lines = walk->first_line;
            walk->calls = 0;
        } else if (walk->phase == ELS_WALK_START && item->line.kind == ELS_TALK_CALL) {
            walk->phase = ELS_WALK_TEXTS;
            walk->first_call = item->from;
            walk->first_line = walk->lines - 1;
        } else if (walk->phase == ELS_WALK_START || els_is_text(item) == (walk->phase == ELS_WALK_TEXTS)) {
            return 1;
        }
    }
}

/* Nonzero if a call of the step is written. */
ELS_PRIVATE int els_step_has_calls(const els_step *step)
{
    size_t i;

    for (i = 0; i < step->count; i++)
        if (!step->calls[i].is_left_out) return 1;
    return 0;
}

ELS_PRIVATE int els_step_has_text(const els_ask *ask)
{
    els_walk walk = els_walk_of(ask);
    els_talk_item item;

    while (els_walk_next(ask, &walk, &item))
        if (els_is_text(&item) && !els_item_is_blank(&item)) return 1;
    return 0;
}

/* Writing calls and results. */

/* Writes digits, as many as there are places. */
ELS_PRIVATE void els_put_places(elelem_writer *writer, size_t number, size_t places)
{
    char digits[20];
    size_t i;

    for (i = places; i > 0; i--, number /= 10)
        digits[i - 1] = (char)('0' + number % 10);
    elelem_writer_string_piece(writer, els_str(digits, places));
}

/* Writes the id of a call, or one that is made of its number in the history. */
ELS_PRIVATE void els_put_call_id(els_ask *ask, const char *key, size_t which)
{
    const els_step_call *call = &ask->step.calls[which];

    elelem_writer_key(&ask->writer, elelem_str_of(key));
    elelem_writer_string_begin(&ask->writer);
    if (call->has_own_id) {
        els_pour(&ask->writer, call->id);
    } else {
        elelem_writer_string_piece(&ask->writer, els_id_start(ask));
        els_put_places(&ask->writer, ask->step.first + which, els_id_digits(ask));
    }
    elelem_writer_string_end(&ask->writer);
}

/* Nonzero for a letter or an underscore, with which a name may begin everywhere. */
ELS_PRIVATE int els_begins_name(int byte)
{
    int letter = byte | 0x20;

    return (letter >= 'a' && letter <= 'z') || byte == '_';
}

/* Nonzero for what may be in a name. */
ELS_PRIVATE int els_is_in_name(int byte)
{
    return els_begins_name(byte) || (byte >= '0' && byte <= '9') || byte == '-';
}

#define ELS_NAME_SIZE 64

/* Writes the name of a tool: what providers refuse becomes an underscore. With `letter_first`, one comes before a digit
   or hyphen at the start. */
ELS_PRIVATE void els_put_tool_name(elelem_writer *writer, const char *key, elelem_str quoted, int letter_first)
{
    char name[ELS_NAME_SIZE];
    els_letters letters = els_letters_of(quoted);
    size_t size = 0;
    int byte = els_letters_next(&letters);

    if (letter_first && els_is_in_name(byte) && !els_begins_name(byte)) name[size++] = '_';
    for (; size < sizeof name && byte >= 0; byte = els_letters_next(&letters))
        name[size++] = (char)(els_is_in_name(byte) ? byte : '_');
    els_put_text(writer, key, els_str(name, size));
}

/* Nonzero if the arguments of a call are an object. Others are {"input":...}. */
ELS_PRIVATE int els_has_object(const els_talk_line *call)
{
    return els_arguments_begin(call) == '{';
}

/* Writes what is between the quotes of a string in pieces into the string that is open. */
ELS_ALONE void els_pour_spelled(elelem_writer *writer, els_spelled *inside)
{
    char quoted[ELS_SPELLED_RUN + 2];
    size_t size;

    while ((size = els_spelled_run(inside, quoted + 1)) > 0)
        els_pour(writer, els_str(quoted, size + 2)); /* which does not read the quotes */
}

/* Writes JSON that is spelled into the string that is open. */
ELS_PRIVATE void els_pour_spelled_json(elelem_writer *writer, els_spelled *value)
{
    els_write_spelled(writer, value, 1);
}

/* The same of the text of a JSON string. */
ELS_PRIVATE void els_pour_decoded(elelem_writer *writer, elelem_str quoted)
{
    els_spelled in = els_spelled_in(quoted);

    els_pour_spelled_json(writer, &in);
}

/* Writes the free text of a custom call as a string. */
ELS_ALONE void els_put_free_text(elelem_writer *writer, const char *key, const els_talk_line *call)
{
    els_spelled text;

    if (!call->is_text) {
        els_put_quoted(writer, key, call->json);
        return;
    }
    text = els_spelled_inside(call->json);
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string_begin(writer);
    els_pour_spelled(writer, &text);
    elelem_writer_string_end(writer);
}

/* Writes the members of arguments that are an object into the object that is open. */
ELS_ALONE void els_put_argument_members(elelem_writer *writer, const els_talk_line *call)
{
    els_spelled members, ahead;

    if (!call->is_text) {
        els_put_members(writer, els_str(call->json.data + 1, call->json.size - 2));
        return;
    }
    members = ahead = els_spelled_inside(call->json);
    if (els_spelled_mark(&ahead) >= 0) els_put_spelled(writer, &members);
}

ELS_PRIVATE void els_put_arguments(elelem_writer *writer, const char *key, const els_talk_line *call)
{
    int is_object = els_has_object(call);

    elelem_writer_key(writer, elelem_str_of(key));
    if (!is_object) {
        els_begin_object(writer);
        elelem_writer_key(writer, elelem_str_of("input"));
    }
    if (call->is_text) els_put_decoded(writer, call->json);
    else els_put_raw(writer, call->json);
    if (!is_object) els_end_object(writer);
}

/* The same as a text. */
ELS_PRIVATE void els_put_arguments_text(elelem_writer *writer, const char *key, const els_talk_line *call)
{
    int is_object = els_has_object(call);

    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string_begin(writer);
    if (!is_object) elelem_writer_string_piece(writer, elelem_str_of("{\"input\":"));
    if (call->is_text) els_pour_decoded(writer, call->json);
    else els_pour_json(writer, call->json);
    if (!is_object) elelem_writer_string_piece(writer, elelem_str_of("}"));
    elelem_writer_string_end(writer);
}

ELS_PRIVATE const char *els_hosted_value(const els_talk_line *line)
{
    return els_is_stored_result(line) ? "result" : "response";
}

/* Sets what a result that is a provider item says: the object that it is in if it has no value of its own. That of one in pieces
   is read when it is written. */
ELS_PRIVATE void els_hosted_result(els_talk_line *line)
{
    const char *name = els_hosted_value(line);
    elelem_str object, value;

    line->text = els_str(NULL, 0);
    if (line->json.size == 0) return;
    object = els_hosted_object(line);
    if (object.size == 0) return;
    els_line_members(object, &name, 1, &value);
    line->json = els_first_of(value, object);
    if (!els_is_string(line->json)) return;
    line->text = line->json;
    line->json = els_str(NULL, 0);
}

/* Reads the result of a call; that of a call that has none is a failure. */
ELS_PRIVATE void els_result_of(const els_ask *ask, size_t which, els_talk_line *line)
{
    size_t at = ask->step.calls[which].result;

    if (at > 0) {
        els_object_at(ask, at, line);
        if (ask->step.calls[which].home == ELS_HOME_NONE) return;
        line->failed = ask->step.calls[which].has_failed;
        els_hosted_result(line);
        return;
    }
    memset(line, 0, sizeof *line);
    line->text = elelem_str_of("\"not run\"");
    line->failed = 1;
}

/* Nonzero if the result of a call that is hosted goes to this shape as the item that it is. In Interactions that must name the id of its
   call, which goes out unchanged then. */
ELS_PRIVATE int els_result_is_item(const els_step_call *call, els_home home)
{
    return call->home == home && (home != ELS_HOME_INTERACTIONS || (call->has_own_id && call->is_named));
}

/* Nonzero if a result is to be written to this shape: that of a call that is, unless it went there as an item. */
ELS_PRIVATE int els_result_shows(const els_step_call *call, els_home home)
{
    return !call->is_left_out && !els_result_is_item(call, home);
}

/* Nonzero for a result that is a provider item in pieces. */
ELS_PRIVATE int els_result_is_spelled(const els_talk_line *line)
{
    return line->kind == ELS_TALK_PROVIDER_ITEM && line->json.size == 0 && line->text.size == 0;
}

/* Finds the item of a result in pieces again. */
ELS_ALONE void els_result_item(const els_ask *ask, const els_talk_line *line, els_talk_item *item)
{
    els_talk at = ask->step.from;

    do
        els_talk_next(&at, item);
    while (item->line.object.data != line->object.data);
}

/* Makes a reader of what a result in pieces says: of all of the result if no member of it does. It reads from the item. */
ELS_PRIVATE void els_result_spelled(const els_ask *ask, const els_talk_line *line, els_talk_item *item, els_spelled *value)
{
    els_result_item(ask, line, item);
    if (els_hosted_spelled(item, value)) els_spelled_enter(value, els_hosted_value(line));
    else *value = els_spelled_of(item);
}

/* Nonzero if a failed result already says so. */
ELS_PRIVATE int els_says_error(const els_ask *ask, const els_talk_line *line)
{
    elelem_str json = line->json;
    els_talk_item item;
    els_spelled value;

    if (json.size > 0) return json.data[0] == '{' && els_has_member(els_str(json.data + 1, json.size - 2), "error");
    if (!els_result_is_spelled(line)) return 0;
    els_result_spelled(ask, line, &item, &value);
    return els_spelled_first(&value) == '{' && els_spelled_enter(&value, "error");
}

/* Returns the first byte of a result's JSON, which shows of what type it is. */
ELS_PRIVATE int els_result_begin(const els_ask *ask, const els_talk_line *line)
{
    els_talk_item item;
    els_spelled value;

    if (line->json.size > 0) return (unsigned char)line->json.data[0];
    if (!els_result_is_spelled(line)) return '"';
    els_result_spelled(ask, line, &item, &value);
    return els_spelled_first(&value);
}

/* Writes a result that is no text as the value that it is. */
ELS_ALONE void els_put_result_json(els_ask *ask, const char *key, const els_talk_line *line)
{
    els_talk_item item;
    els_spelled value;

    elelem_writer_key(&ask->writer, elelem_str_of(key));
    if (line->json.size > 0) {
        els_put_raw(&ask->writer, line->json);
        return;
    }
    els_result_spelled(ask, line, &item, &value);
    els_put_spelled(&ask->writer, &value);
}

/* Writes what a result in pieces says into the string that is open: a text without its quotes, unless it is to be JSON. */
ELS_PRIVATE void els_pour_hosted(els_ask *ask, const els_talk_line *line, int is_json)
{
    els_talk_item item;
    els_spelled value;

    els_result_spelled(ask, line, &item, &value);
    if (!is_json && els_spelled_first(&value) == '"') {
        els_spelled_next(&value);
        value.left--;
        els_pour_spelled(&ask->writer, &value);
    }
    els_pour_spelled_json(&ask->writer, &value);
}

/* Writes a result as a text. With `marks`, one that failed is {"error":...}. */
ELS_ALONE void els_put_result(els_ask *ask, const char *key, const els_talk_line *line, int marks)
{
    elelem_writer *writer = &ask->writer;
    int is_marked = marks && line->failed && !els_says_error(ask, line);

    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string_begin(writer);
    if (is_marked) elelem_writer_string_piece(writer, elelem_str_of("{\"error\":"));
    if (els_result_is_spelled(line))
        els_pour_hosted(ask, line, is_marked);
    else if (line->json.size > 0 || is_marked)
        els_pour_json(writer, els_first_of(els_first_of(line->json, line->text), elelem_str_of("\"\"")));
    else
        els_pour(writer, line->text);
    if (is_marked) elelem_writer_string_piece(writer, elelem_str_of("}"));
    elelem_writer_string_end(writer);
}

/* Some libraries write each slash after a backslash. */
ELS_PRIVATE int els_is_jpg(elelem_str quoted)
{
    return els_quoted_is(quoted, "image/jpg") || elelem_str_is(quoted, "\"image\\/jpg\"");
}

/* The images of the user's line: reads the next one; zero if there is none. "image/jpg" is no media type, and is refused. */
ELS_PRIVATE int els_next_image(els_cursor *in, elelem_str fields[3])
{
    elelem_str image;

    if (!els_line_next_value(in, &image)) return 0;
    els_talk_read_image(image, fields);
    if (els_is_jpg(fields[0])) fields[0] = elelem_str_of("\"image/jpeg\"");
    return 1;
}

ELS_PRIVATE els_cursor els_images_of(const els_talk_line *line)
{
    return line->images.size > 0 ? els_line_inside(line->images) : els_cursor_of(NULL, 0);
}

/* Writes the address of an image: its url, or one that holds its data. */
ELS_PRIVATE void els_put_image_url(elelem_writer *writer, const char *key, const elelem_str fields[3])
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string_begin(writer);
    if (fields[1].size > 0) {
        elelem_writer_string_piece(writer, elelem_str_of("data:"));
        els_pour(writer, fields[0]);
        elelem_writer_string_piece(writer, elelem_str_of(";base64,"));
        els_pour(writer, fields[1]);
    } else {
        els_pour(writer, fields[2]);
    }
    elelem_writer_string_end(writer);
}

/* Reads what the user said after a step, results left out; zero at the end. `*at` is ask->step.tail at first. */
ELS_PRIVATE int els_next_user(const els_ask *ask, els_talk *at, els_talk_item *item)
{
    while (els_talk_next_until(at, &ask->step.to, item))
        if (item->line.kind == ELS_TALK_USER && els_user_shows(item)) return 1;
    return 0;
}

/* Messages that hold lists: the one that is open takes what has its role. */

ELS_PRIVATE void els_close_role(els_ask *ask)
{
    if (ask->role) {
        els_end_array(&ask->writer);
        els_end_object(&ask->writer);
    }
    ask->role = NULL;
}

/* Opens a message; `list` is the member for what it holds. */
ELS_PRIVATE void els_open_role(els_ask *ask, const char *role, const char *list)
{
    if (ask->role && strcmp(ask->role, role) == 0) return;
    els_close_role(ask);
    ask->role = role;
    els_begin_object(&ask->writer);
    els_put_word(&ask->writer, "role", role);
    els_begin_member(&ask->writer, list, ELELEM_TYPE_ARRAY);
    ask->messages++;
}

/* Nonzero if the name begins like one of these, which have blanks between them, unless the first that it begins like has !
   before it. What is before the last slash are names of makers and of those who pass the request on. */
ELS_PRIVATE int els_is_one_of(elelem_str name, const char *starts)
{
    size_t size = name.size;

    while (size > 0 && name.data[size - 1] != '/')
        size--;
    name = els_str(name.data + size, name.size - size);
    for (; *starts; starts += size + (starts[size] == ' ')) {
        int is_excepted = *starts == '!';
        starts += is_excepted;
        for (size = 0; starts[size] && starts[size] != ' ';)
            size++;
        if (name.size >= size && memcmp(name.data, starts, size) == 0) return !is_excepted;
    }
    return 0;
}

#endif
