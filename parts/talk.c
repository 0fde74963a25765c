#ifndef ELS_TALK_C
#define ELS_TALK_C
#include "talk.h"
#include "base.c"
#include "text.c"
#include "fragment.c"
#include "parser.c"
#include "writer.c"
#include "recovery.c"
#include "line.c"

/* >> talk */

/* Writing lines. */

/* Checks JSON that is whole in memory: nesting takes a bit for each level. */
typedef struct els_checker {
    elelem_fragment_parser parser;
    elelem_arena arena;
    size_t memory[512 / sizeof(size_t)];
} els_checker;

ELS_PRIVATE void els_checker_init(els_checker *c)
{
    els_line_check_init(&c->parser, elelem_arena_init(&c->arena, c->memory, sizeof c->memory), ELS_LINE_VALUE_DEPTH, 1);
}

ELS_PRIVATE int els_is_json(elelem_str json)
{
    els_checker checker;

    els_checker_init(&checker);
    return els_line_check_json(&checker.parser, json) == ELELEM_OK;
}

ELS_PRIVATE int els_talk_image_has_data(const elelem_talk_image *image)
{
    return image->data.size > 0 && image->media_type.size > 0;
}

ELS_PRIVATE void els_talk_put_image(elelem_writer *writer, const elelem_talk_image *image)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    if (els_talk_image_has_data(image)) {
        els_put_text(writer, "mediaType", image->media_type);
        els_put_text(writer, "data", image->data);
    } else {
        els_put_text(writer, "url", image->url);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* Ends a line. The brace is written with the line feed, so that a line that is cut is never an object. */
ELS_PRIVATE elelem_status els_talk_close(elelem_writer *writer)
{
    elelem_status status = els_writer_status(writer);

    return status == ELELEM_OK ? els_sink_put(&writer->els_sink, els_str("}\n", 2)) : status;
}

elelem_status elelem_talk_user(elelem_sink lines, elelem_str text, const elelem_talk_image *images, size_t image_count)
{
    elelem_writer writer;
    size_t i;

    if (text.size == 0 && image_count == 0) return ELELEM_ERROR_MISUSE;
    for (i = 0; i < image_count; i++)
        if (images[i].url.size == 0 && !els_talk_image_has_data(&images[i])) return ELELEM_ERROR_MISUSE;
    elelem_writer_init(&writer, lines, 0);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    els_put_text(&writer, "type", elelem_str_of("user"));
    els_put_text(&writer, "text", text);
    if (image_count > 0) {
        elelem_writer_key(&writer, elelem_str_of("images"));
        elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
        for (i = 0; i < image_count; i++)
            els_talk_put_image(&writer, &images[i]);
        elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    }
    return els_talk_close(&writer);
}

elelem_status elelem_talk_result_write(elelem_sink lines, const elelem_talk_result *result)
{
    elelem_sink line = els_line_sink(&lines);
    elelem_writer writer;

    if (result->json.size > 0 && !els_is_json(result->json)) return ELELEM_ERROR_MISUSE;
    elelem_writer_init(&writer, lines, 0);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    els_put_text(&writer, "type", elelem_str_of("tool_result"));
    els_put_text(&writer, "id", result->id);
    els_put_text(&writer, "name", result->name);
    if (result->json.size > 0) {
        elelem_writer_key(&writer, elelem_str_of("output"));
        writer.els_sink = line; /* without line feeds between its tokens */
        elelem_writer_json(&writer, result->json);
        writer.els_sink = lines;
    } else {
        els_put_text(&writer, "text", result->text);
    }
    els_line_put_true(&writer, "failed", result->failed);
    return els_talk_close(&writer);
}

/* Reading lines. They were checked: what follows relies on them being JSON. */

typedef enum els_talk_kind {
    ELS_TALK_NOTHING, /* nothing that a request has */
    ELS_TALK_START,   /* another call begins, which has no line so far */
    ELS_TALK_FLUSH,   /* of the item of its index */
    ELS_TALK_END,     /* the end of a response; it and the next end all items */
    ELS_TALK_RESULT,
    ELS_TALK_USER,
    ELS_TALK_MESSAGE, /* this and what follows is the model's */
    ELS_TALK_REASONING,
    ELS_TALK_STRUCTURED,
    ELS_TALK_CALL,
    ELS_TALK_PROVIDER_ITEM
} els_talk_kind;

#define ELS_TALK_FIELD_LIST(X)  \
    X(TYPE, "type")             \
    X(EVENT_TYPE, "eventType")  \
    X(ROLE, "role")             \
    X(INDEX, "index")           \
    X(CHOICE, "choice")         \
    X(STATE, "state")           \
    X(METADATA, "metadata")     \
    X(TEXT, "text")             \
    X(CHUNK, "chunk")           \
    X(VALUE, "value")           \
    X(ID, "id")                 \
    X(NAME, "name")             \
    X(TOOL_NAME, "toolName")    \
    X(CALL_TYPE, "callType")    \
    X(ARGUMENTS, "arguments")   \
    X(INPUT, "input")           \
    X(INPUT_TEXT, "inputText")  \
    X(OUTPUT, "output")         \
    X(FAILED, "failed")         \
    X(ERROR, "error")           \
    X(IMAGES, "images")         \
    X(ITEM_TYPE, "itemType")    \
    X(ITEM, "item")             \
    X(EVENTS, "events")         \
    X(ATTACHMENTS, "attachments")

typedef enum els_talk_field {
#define ELS_TALK_FIELD_ENUM(name, text) ELS_TALK_FIELD_##name,
    ELS_TALK_FIELD_LIST(ELS_TALK_FIELD_ENUM)
#undef ELS_TALK_FIELD_ENUM
    ELS_TALK_FIELDS
} els_talk_field;

static const char *const els_talk_names[] = {
#define ELS_TALK_FIELD_NAME(name, text) text,
    ELS_TALK_FIELD_LIST(ELS_TALK_FIELD_NAME)
#undef ELS_TALK_FIELD_NAME
};

/* Returns which field a key is, or ELS_TALK_FIELDS. Few keys have escapes. */
ELS_PRIVATE size_t els_talk_field_of(elelem_str key)
{
    static const uint8_t sizes[] = {
#define ELS_TALK_FIELD_SIZE(name, text) sizeof text - 1,
        ELS_TALK_FIELD_LIST(ELS_TALK_FIELD_SIZE)
#undef ELS_TALK_FIELD_SIZE
    };
    size_t i;

    if (key.size > 0 && memchr(key.data, '\\', key.size)) return els_line_name_of(key, els_talk_names, ELS_TALK_FIELDS);
    for (i = 0; i < ELS_TALK_FIELDS; i++)
        if (sizes[i] == key.size && memcmp(els_talk_names[i], key.data, key.size) == 0) break;
    return i;
}

/* Finds the values of all fields; of members with one name the last. */
ELS_PRIVATE void els_talk_members(elelem_str object, elelem_str *fields)
{
    els_cursor in = els_line_inside(object);
    els_line_member member;

    memset(fields, 0, ELS_TALK_FIELDS * sizeof *fields);
    while (els_line_next_member(&in, &member)) {
        size_t which = els_talk_field_of(member.key);
        if (which < ELS_TALK_FIELDS) fields[which] = member.value;
    }
}

/* A line, or an event of an entry. What is a JSON string has its quotes and escapes; what is missing is empty. */
typedef struct els_talk_line {
    elelem_str object;
    size_t first;        /* the place of the first line of its item: of most items this one */
    elelem_str metadata; /* an object */
    elelem_str text;     /* a string, whose text is the content */
    elelem_str json;     /* or JSON that is the content */
    elelem_str type;     /* a string: of a call, or of a provider item */
    elelem_str id;
    elelem_str name;
    elelem_str images;   /* an array that is not empty */
    int64_t index;       /* -1 if it is missing; 0 if it is that of a text or of reasoning */
    uint8_t kind;        /* an els_talk_kind */
    uint8_t is_event;    /* more of it may be in the next lines */
    uint8_t is_cut;      /* it is not whole */
    uint8_t is_text;     /* CALL: json is a string, whose text is the JSON, which is not checked */
    uint8_t failed;      /* RESULT */
} els_talk_line;

typedef struct els_talk_type {
    const char *name;
    uint8_t kind;
    uint8_t is_event;
    uint32_t members; /* of an event, in addition to those that all have */
} els_talk_type;

#define ELS_TALK_HAS(name) ((uint32_t)1 << ELS_TALK_FIELD_##name)
#define ELS_TALK_EVENT_HAS (ELS_TALK_HAS(INDEX) | ELS_TALK_HAS(CHOICE) | ELS_TALK_HAS(METADATA))
#define ELS_TALK_ENTRY_HAS (ELS_TALK_HAS(TEXT) | ELS_TALK_HAS(ATTACHMENTS))
#define ELS_TALK_CALL_HAS (ELS_TALK_HAS(ID) | ELS_TALK_HAS(TOOL_NAME) | ELS_TALK_HAS(INPUT))

static const els_talk_type els_talk_types[] = {
    { "user", ELS_TALK_USER, 0, 0 },
    { "message", ELS_TALK_MESSAGE, 0, 0 },
    { "reasoning", ELS_TALK_REASONING, 0, 0 },
    { "structured", ELS_TALK_STRUCTURED, 0, 0 },
    { "tool_call", ELS_TALK_CALL, 0, 0 },
    { "tool_result", ELS_TALK_RESULT, 0, 0 },
    { "provider_item", ELS_TALK_PROVIDER_ITEM, 0, 0 },
    { "PartialResponse", ELS_TALK_MESSAGE, 1, ELS_TALK_HAS(CHUNK) },
    { "PartialThinking", ELS_TALK_REASONING, 1, ELS_TALK_HAS(CHUNK) | ELS_TALK_HAS(TEXT) },
    { "PartialStructured", ELS_TALK_STRUCTURED, 1, ELS_TALK_HAS(CHUNK) },
    { "BeforeToolExecution", ELS_TALK_CALL, 1, ELS_TALK_CALL_HAS | ELS_TALK_HAS(TYPE) | ELS_TALK_HAS(ARGUMENTS) | ELS_TALK_HAS(INPUT_TEXT) },
    { "ToolExecuted", ELS_TALK_RESULT, 1, ELS_TALK_CALL_HAS | ELS_TALK_HAS(OUTPUT) | ELS_TALK_HAS(FAILED) | ELS_TALK_HAS(ERROR) },
    { "PartialProviderItem", ELS_TALK_PROVIDER_ITEM, 1, ELS_TALK_HAS(CHUNK) | ELS_TALK_HAS(TYPE) },
    { "ToolCallStart", ELS_TALK_START, 1, 0 },
    { "Flush", ELS_TALK_FLUSH, 1, 0 },
    { "ChatCompleted", ELS_TALK_END, 1, 0 },
    { "Error", ELS_TALK_END, 1, 0 },
};

ELS_PRIVATE int els_quoted_is(elelem_str quoted, const char *name)
{
    return quoted.size >= 2 && quoted.data[0] == '"' && els_line_key_is(els_str(quoted.data + 1, quoted.size - 2), name);
}

/* Returns the type that a name is of; null if it is unknown. */
ELS_PRIVATE const els_talk_type *els_talk_type_named(elelem_str quoted, int is_event)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_talk_types); i++)
        if (els_talk_types[i].is_event == is_event && els_quoted_is(quoted, els_talk_types[i].name))
            return &els_talk_types[i];
    return NULL;
}

ELS_PRIVATE elelem_str els_first_of(elelem_str a, elelem_str b)
{
    return a.size > 0 ? a : b;
}

ELS_PRIVATE int els_is_true(elelem_str json)
{
    return json.size > 0 && json.data[0] == 't';
}

ELS_PRIVATE int els_is_string(elelem_str json)
{
    return json.size >= 2 && json.data[0] == '"';
}

/* Returns the first letter of a JSON string that is no blank; negative if there is none. */
ELS_PRIVATE int els_quoted_begin(elelem_str quoted)
{
    els_letters letters = els_letters_of(quoted);
    int byte = els_letters_next(&letters);

    while (byte >= 0 && els_is_blank((unsigned char)byte))
        byte = els_letters_next(&letters);
    return byte;
}

/* Sets the arguments of a call. In an event's "arguments" a string is their JSON text; blank ones are none. With "inputText" alone a
   call is not whole, and "arguments" are the caller's own. */
ELS_PRIVATE void els_talk_fill_call(els_talk_line *line, const elelem_str *fields)
{
    elelem_str arguments = fields[ELS_TALK_FIELD_ARGUMENTS], input = fields[ELS_TALK_FIELD_INPUT];

    line->json = line->is_event ? els_first_of(input, arguments) : els_first_of(arguments, input);
    line->is_text = line->is_event && input.size == 0 && els_is_string(arguments);
    if (line->is_text && els_quoted_begin(arguments) < 0) {
        line->json = elelem_str_of("{}");
        line->is_text = 0;
    }
    line->is_cut |= line->json.size == 0 || (line->is_event && input.size == 0 && fields[ELS_TALK_FIELD_INPUT_TEXT].size > 0);
}

/* Sets the content: a text, or JSON. */
ELS_PRIVATE void els_talk_fill_content(els_talk_line *line, const elelem_str *fields)
{
    line->text = els_first_of(fields[ELS_TALK_FIELD_CHUNK], fields[ELS_TALK_FIELD_TEXT]);
    switch (line->kind) {
    case ELS_TALK_STRUCTURED: line->json = fields[ELS_TALK_FIELD_VALUE]; break;
    case ELS_TALK_CALL: els_talk_fill_call(line, fields); break;
    case ELS_TALK_RESULT: line->json = fields[ELS_TALK_FIELD_OUTPUT]; break;
    case ELS_TALK_PROVIDER_ITEM:
        line->json = fields[ELS_TALK_FIELD_ITEM];
        line->is_cut |= line->json.size == 0 && line->text.size == 0;
        break;
    default: break;
    }
    if (line->json.size > 0) line->text = els_str(NULL, 0);
    if (line->kind == ELS_TALK_RESULT && els_is_string(line->json)) {
        line->text = line->json;
        line->json = els_str(NULL, 0);
    }
}

/* Nonzero for an array without elements. */
ELS_PRIVATE int els_is_empty_array(elelem_str json)
{
    return json.size > 0 && json.data[0] == '[' && els_trimmed(els_str(json.data + 1, json.size - 2)).size == 0;
}

ELS_PRIVATE void els_talk_fill(els_talk_line *line, const elelem_str *fields)
{
    if (els_line_read_known(fields[ELS_TALK_FIELD_INDEX], &line->index) != ELELEM_OK) line->index = -1;
    if (line->index < 0 && (line->kind == ELS_TALK_MESSAGE || line->kind == ELS_TALK_REASONING)) line->index = 0;
    line->metadata = fields[ELS_TALK_FIELD_METADATA];
    line->id = fields[ELS_TALK_FIELD_ID];
    line->name = els_first_of(fields[ELS_TALK_FIELD_NAME], fields[ELS_TALK_FIELD_TOOL_NAME]);
    if (!els_is_empty_array(fields[ELS_TALK_FIELD_IMAGES])) line->images = fields[ELS_TALK_FIELD_IMAGES];
    line->is_cut = fields[ELS_TALK_FIELD_STATE].size > 0 && !els_quoted_is(fields[ELS_TALK_FIELD_STATE], "complete");
    line->failed = els_is_true(fields[ELS_TALK_FIELD_FAILED]) || els_is_true(fields[ELS_TALK_FIELD_ERROR]);
    line->type = line->is_event ? fields[ELS_TALK_FIELD_TYPE]
                                : els_first_of(fields[ELS_TALK_FIELD_CALL_TYPE], fields[ELS_TALK_FIELD_ITEM_TYPE]);
    els_talk_fill_content(line, fields);
}

/* Empties other fields than these, which an event or an entry has: members of their names are the caller's own. */
ELS_PRIVATE void els_talk_leave_own(uint32_t members, elelem_str *fields)
{
    size_t i;

    for (i = 0; i < ELS_TALK_FIELDS; i++)
        if (!(members >> i & 1)) fields[i] = els_str(NULL, 0);
}

/* Reads the object of a line or of an event, and its fields. */
ELS_PRIVATE void els_talk_read_fields(elelem_str object, int is_users, els_talk_line *line, elelem_str *fields)
{
    const els_talk_type *type;

    memset(line, 0, sizeof *line);
    line->object = object;
    els_talk_members(object, fields);
    line->is_event = fields[ELS_TALK_FIELD_EVENT_TYPE].size > 0;
    type = els_talk_type_named(fields[line->is_event ? ELS_TALK_FIELD_EVENT_TYPE : ELS_TALK_FIELD_TYPE], line->is_event);
    if (type) line->kind = type->kind;
    if (line->is_event) {
        els_talk_leave_own(ELS_TALK_EVENT_HAS | (type ? type->members : 0), fields);
        if (fields[ELS_TALK_FIELD_CHUNK].size > 0) fields[ELS_TALK_FIELD_TEXT] = els_str(NULL, 0);
    } else if (!type && fields[ELS_TALK_FIELD_ROLE].size > 0) {
        if (els_quoted_is(fields[ELS_TALK_FIELD_ROLE], "USER")) line->kind = ELS_TALK_USER;
        else if (els_quoted_is(fields[ELS_TALK_FIELD_ROLE], "AI")) line->kind = ELS_TALK_MESSAGE;
        els_talk_leave_own(ELS_TALK_ENTRY_HAS, fields);
    }
    els_talk_fill(line, fields);
    if (is_users && line->kind == ELS_TALK_MESSAGE) line->kind = ELS_TALK_USER;
    if (fields[ELS_TALK_FIELD_CHOICE].size > 0 && !elelem_str_is(fields[ELS_TALK_FIELD_CHOICE], "0"))
        line->kind = ELS_TALK_NOTHING;
}

ELS_PRIVATE void els_talk_read_line(elelem_str object, int is_users, els_talk_line *line)
{
    elelem_str fields[ELS_TALK_FIELDS];

    els_talk_read_fields(object, is_users, line, fields);
}

/* An item that the next lines may continue. No more than ELS_LINE_OPEN_ITEMS are: else that whose last line is longest ago ends, a call
   before others, since it is whole. */
typedef struct els_talk_open {
    size_t first;   /* the place of its first line */
    uint32_t index;
    uint8_t has_index;
    uint8_t kind;
} els_talk_open;

/* A position between lines, or between the events of an entry. */
typedef struct els_talk {
    elelem_str text;
    size_t at;
    size_t entry_end;  /* nonzero: in the events of an entry, which ends here */
    elelem_str entry;  /* that entry, if it has a text that was in no event so far */
    els_talk_open open[ELS_LINE_OPEN_ITEMS]; /* the latest first */
    uint8_t open_count;
    uint8_t is_users;  /* that entry is the user's */
} els_talk;

ELS_PRIVATE els_talk els_talk_of(elelem_str text)
{
    els_talk talk;

    memset(&talk, 0, sizeof talk);
    talk.text = text;
    return talk;
}

ELS_PRIVATE els_cursor els_talk_cursor(const els_talk *talk, size_t end)
{
    els_cursor in = els_cursor_of(talk->text.data, end);

    in.at += talk->at;
    return in;
}

/* Reads the next line that is not empty, without the whitespace around it; zero if there is none. */
ELS_PRIVATE int els_talk_next_row(els_talk *talk, elelem_str *row)
{
    row->size = 0;
    while (row->size == 0) {
        const char *start = talk->text.data + talk->at;
        size_t left = talk->text.size - talk->at;
        const char *end = left > 0 ? (const char *)memchr(start, '\n', left) : NULL;
        if (left == 0) return 0;
        *row = els_trimmed(els_str(start, end ? (size_t)(end - start) : left));
        talk->at += end ? (size_t)(end - start) + 1 : left;
    }
    return 1;
}

/* If the line is an entry with events, enters it and returns nonzero. It may have a type that is no item's. */
ELS_PRIVATE int els_talk_enter(els_talk *talk, elelem_str row)
{
    static const char *const names[] = { "role", "events", "type", "eventType", "text" };
    elelem_str fields[5];
    int is_users;

    els_line_members(row, names, 5, fields);
    is_users = els_quoted_is(fields[0], "USER");
    if ((!is_users && !els_quoted_is(fields[0], "AI")) || fields[1].size == 0 || fields[3].size > 0) return 0;
    if (fields[1].data[0] != '[' || els_talk_type_named(fields[2], 0)) return 0;
    talk->entry_end = talk->at;
    talk->at = (size_t)(fields[1].data - talk->text.data) + 1;
    talk->is_users = (uint8_t)is_users;
    talk->open_count = 0;
    if (fields[4].size > 2 && fields[4].data[0] == '"') talk->entry = row;
    return 1;
}

/* Leaves an entry. Returns nonzero if its text was in no event: then the entry itself is read, as one without events. */
ELS_PRIVATE int els_talk_leave(els_talk *talk, elelem_str *object)
{
    *object = talk->entry;
    talk->entry = els_str(NULL, 0);
    talk->at = talk->entry_end;
    talk->entry_end = 0;
    talk->is_users = 0;
    talk->open_count = 0;
    return object->size > 0;
}

/* Reads the next line or event; zero if there is none. */
ELS_PRIVATE int els_talk_next_object(els_talk *talk, elelem_str *object)
{
    for (;;) {
        if (talk->entry_end > 0) {
            els_cursor in = els_talk_cursor(talk, talk->entry_end);
            if (els_line_next_value(&in, object)) {
                talk->at = (size_t)((const char *)in.at - talk->text.data);
                return 1;
            }
            if (els_talk_leave(talk, object)) return 1;
        }
        if (!els_talk_next_row(talk, object)) return 0;
        if (!els_talk_enter(talk, *object)) return 1;
    }
}

/* Nonzero if the line belongs to an open item of its index. */
ELS_PRIVATE int els_talk_continues(const els_talk_line *line, const els_talk_open *open)
{
    return line->kind == ELS_TALK_FLUSH || (line->kind == open->kind && line->text.size > 0);
}

ELS_PRIVATE void els_talk_close_item(els_talk *talk, size_t which)
{
    talk->open_count--;
    memmove(talk->open + which, talk->open + which + 1, (talk->open_count - which) * sizeof *talk->open);
}

/* Returns which item ends if there are too many. */
ELS_PRIVATE size_t els_talk_first_to_end(const els_talk *talk)
{
    size_t i = talk->open_count;

    while (i > 0 && talk->open[i - 1].kind != ELS_TALK_CALL)
        i--;
    return (i > 0 ? i : talk->open_count) - 1u;
}

/* Opens the item that a line begins. An index that no event can have is of that line alone. */
ELS_PRIVATE void els_talk_open_item(els_talk *talk, const els_talk_line *line)
{
    if (line->index > (int64_t)UINT32_MAX) return;
    if (talk->open_count == ELS_LINE_OPEN_ITEMS) els_talk_close_item(talk, els_talk_first_to_end(talk));
    memmove(talk->open + 1, talk->open, talk->open_count * sizeof *talk->open);
    talk->open[0].first = line->first;
    talk->open[0].index = (uint32_t)line->index;
    talk->open[0].has_index = line->index >= 0;
    talk->open[0].kind = line->kind;
    talk->open_count++;
}

/* Nonzero if the last item is a call whose line lacks the index. A coalescer leaves a Flush after the line of its call. */
ELS_PRIVATE int els_talk_awaits_flush(const els_talk *talk)
{
    return talk->open_count > 0 && talk->open[0].kind == ELS_TALK_CALL && !talk->open[0].has_index;
}

ELS_PRIVATE int els_talk_has_index(const els_talk_open *open, int64_t index)
{
    return open->has_index ? open->index == index : index < 0;
}

/* Returns which open item the line may be of; talk->open_count if there is none. */
ELS_PRIVATE size_t els_talk_find(const els_talk *talk, const els_talk_line *line)
{
    size_t i = 0;

    while (i < talk->open_count && !els_talk_has_index(&talk->open[i], line->index))
        i++;
    if (i < talk->open_count || line->kind != ELS_TALK_FLUSH) return i;
    return els_talk_awaits_flush(talk) ? 0 : i;
}

/* Finds the item of a line. That of an event continues, over lines of other indices, up to its Flush, another item of its
   index, a result, or the end of the response. */
ELS_PRIVATE void els_talk_place(els_talk *talk, els_talk_line *line)
{
    size_t i;

    line->first = (size_t)(line->object.data - talk->text.data);
    if ((line->kind == ELS_TALK_MESSAGE || line->kind == ELS_TALK_USER) && line->text.size > 2) talk->entry = els_str(NULL, 0);
    if (!line->is_event || (line->kind >= ELS_TALK_END && line->kind < ELS_TALK_USER)) talk->open_count = 0;
    if (line->kind == ELS_TALK_START && els_talk_awaits_flush(talk)) els_talk_close_item(talk, 0);
    if (!line->is_event || line->kind < ELS_TALK_FLUSH) return;
    i = els_talk_find(talk, line);
    if (i < talk->open_count) {
        if (els_talk_continues(line, &talk->open[i])) line->first = talk->open[i].first;
        els_talk_close_item(talk, i);
    }
    if (line->kind >= ELS_TALK_USER) els_talk_open_item(talk, line);
}

ELS_PRIVATE int els_talk_next_line(els_talk *talk, els_talk_line *line)
{
    elelem_str object;
    int is_users;

    if (!els_talk_next_object(talk, &object)) return 0;
    is_users = talk->is_users;
    els_talk_read_line(object, is_users, line);
    els_talk_place(talk, line);
    return 1;
}

/* An item: a line, or events of one index. */
typedef struct els_talk_item {
    els_talk_line line; /* the first; its metadata is not that of all */
    els_talk from;
    size_t end;         /* of its first line: others may follow among those of other items */
} els_talk_item;

/* Nonzero if lines after this position may be of the item. */
ELS_PRIVATE int els_talk_may_continue(const els_talk_item *item, const els_talk *at)
{
    size_t i = 0;

    if (at->at < item->end) return 1;
    while (i < at->open_count && at->open[i].first != item->line.first)
        i++;
    return i < at->open_count;
}

/* Reads the next item, text of the user, or result; zero if there is none. */
ELS_PRIVATE int els_talk_next(els_talk *talk, els_talk_item *item)
{
    do {
        item->from = *talk;
        if (!els_talk_next_line(talk, &item->line)) return 0;
    } while (item->line.kind < ELS_TALK_RESULT || item->line.first != (size_t)(item->line.object.data - talk->text.data));
    item->end = talk->at;
    return 1;
}

/* The same up to a position. */
ELS_PRIVATE int els_talk_next_until(els_talk *talk, const els_talk *end, els_talk_item *item)
{
    if (talk->at >= end->at) return 0;
    return els_talk_next(talk, item);
}

/* Reads the next of the lines that an item is made of. `*at` is item->from at first. */
ELS_PRIVATE int els_talk_next_piece(const els_talk_item *item, els_talk *at, els_talk_line *line)
{
    while (els_talk_may_continue(item, at) && els_talk_next_line(at, line))
        if (line->first == item->line.first) return 1;
    return 0;
}

/* Returns the value under a key of a line's metadata; empty if there is none. */
ELS_PRIVATE elelem_str els_talk_meta_of(const els_talk_line *line, const char *key)
{
    elelem_str value = els_str(NULL, 0);

    if (line->metadata.size > 0) els_line_members(line->metadata, &key, 1, &value);
    return value;
}

/* Returns the last value under a key of the item's metadata; empty if there is none. */
ELS_PRIVATE elelem_str els_talk_meta(const els_talk_item *item, const char *key)
{
    els_talk at = item->from;
    els_talk_line line;
    elelem_str found = els_str(NULL, 0);

    while (els_talk_next_piece(item, &at, &line))
        found = els_first_of(els_talk_meta_of(&line, key), found);
    return found;
}

/* An array of the item's metadata. Those of its lines are added up, from the last value that is no array. */
typedef struct els_talk_list {
    const els_talk_item *item;
    const char *key;
    els_talk at;
    els_cursor in; /* one of the arrays */
} els_talk_list;

ELS_PRIVATE els_talk_list els_talk_list_of(const els_talk_item *item, const char *key)
{
    els_talk_list list;
    els_talk at = item->from;
    els_talk_line line;

    list.item = item;
    list.key = key;
    list.at = item->from;
    list.in = els_cursor_of(NULL, 0);
    while (els_talk_next_piece(item, &at, &line)) {
        elelem_str value = els_talk_meta_of(&line, key);
        if (value.size > 0 && value.data[0] != '[') list.at = at;
    }
    return list;
}

/* Reads the next element; zero if there is none. */
ELS_PRIVATE int els_talk_next_element(els_talk_list *list, elelem_str *element)
{
    els_talk_line line;

    while (!els_line_next_value(&list->in, element)) {
        elelem_str value;
        if (!els_talk_next_piece(list->item, &list->at, &line)) return 0;
        value = els_talk_meta_of(&line, list->key);
        if (value.size > 0) list->in = els_line_inside(value);
    }
    return 1;
}

/* Returns a string of the item's metadata, with its quotes; empty if it is missing, no string, or has no text. */
ELS_PRIVATE elelem_str els_talk_meta_text(const els_talk_item *item, const char *key)
{
    elelem_str value = els_talk_meta(item, key);

    if (value.size > 2 && value.data[0] == '"') return value;
    return els_str(NULL, 0);
}

/* Checking lines. */

typedef struct els_talk_fault {
    elelem_status status;
    size_t offset;
    const char *message;
} els_talk_fault;

ELS_PRIVATE int els_talk_refuse(els_talk_fault *fault, elelem_str text, elelem_str place, elelem_status status,
                                const char *message)
{
    fault->status = status;
    fault->offset = (size_t)(place.data - text.data);
    fault->message = message;
    return 0;
}

ELS_PRIVATE int els_talk_check_strings(elelem_str text, const elelem_str *fields, els_talk_fault *fault)
{
    static const uint8_t strings[] = { ELS_TALK_FIELD_TEXT, ELS_TALK_FIELD_CHUNK,     ELS_TALK_FIELD_ID,
                                       ELS_TALK_FIELD_NAME, ELS_TALK_FIELD_TOOL_NAME, ELS_TALK_FIELD_CALL_TYPE,
                                       ELS_TALK_FIELD_STATE, ELS_TALK_FIELD_ITEM_TYPE };
    elelem_str value;
    size_t i;

    for (i = 0; i < ELS_COUNT(strings); i++) {
        value = fields[strings[i]];
        if (value.size > 0 && value.data[0] != '"')
            return els_talk_refuse(fault, text, value, ELELEM_ERROR_TYPE, ELS_WORDS("a member of the line is no string"));
    }
    value = fields[ELS_TALK_FIELD_METADATA];
    if (value.size > 0 && value.data[0] != '{')
        return els_talk_refuse(fault, text, value, ELELEM_ERROR_TYPE, ELS_WORDS("the metadata is no object"));
    return 1;
}

/* Reads the media type, data and url of an image; empty if they are missing or no string. There is no data without its
   media type. */
ELS_PRIVATE void els_talk_read_image(elelem_str image, elelem_str fields[3])
{
    static const char *const names[] = { "mediaType", "data", "url" };
    size_t i;

    els_line_members(image, names, 3, fields);
    for (i = 0; i < 3; i++)
        if (fields[i].size <= 2 || fields[i].data[0] != '"') fields[i] = els_str(NULL, 0);
    if (fields[0].size == 0) fields[1] = els_str(NULL, 0);
}

/* Nonzero if the image has what it needs. */
ELS_PRIVATE int els_talk_image_is_good(elelem_str image)
{
    elelem_str fields[3];

    if (image.data[0] != '{') return 0;
    els_talk_read_image(image, fields);
    return fields[1].size + fields[2].size > 0;
}

ELS_PRIVATE int els_talk_check_images(elelem_str text, elelem_str images, els_talk_fault *fault)
{
    els_cursor in;
    elelem_str image;

    if (images.data[0] != '[') return els_talk_refuse(fault, text, images, ELELEM_ERROR_TYPE, ELS_WORDS("images are no array"));
    in = els_line_inside(images);
    while (els_line_next_value(&in, &image))
        if (!els_talk_image_is_good(image))
            return els_talk_refuse(fault, text, image, ELELEM_ERROR_PROTOCOL,
                                   ELS_WORDS("an image has neither a url nor a mediaType and data"));
    return 1;
}

/* Nonzero for an entry with attachments. These are the application's: if it has nothing else, it is not written. */
ELS_PRIVATE int els_talk_has_attachments(const elelem_str *fields)
{
    return fields[ELS_TALK_FIELD_TYPE].size == 0 && fields[ELS_TALK_FIELD_ATTACHMENTS].size > 0;
}

/* Checks the members of a line that a request reads. */
ELS_PRIVATE int els_talk_check_fields(elelem_str text, elelem_str object, els_talk_fault *fault)
{
    elelem_str fields[ELS_TALK_FIELDS];
    els_talk_line line;

    if (object.data[0] != '{')
        return els_talk_refuse(fault, text, object, ELELEM_ERROR_TYPE, ELS_WORDS("the line is no JSON object"));
    els_talk_read_fields(object, 0, &line, fields);
    if (line.kind == ELS_TALK_NOTHING && !line.is_event && fields[ELS_TALK_FIELD_CHOICE].size == 0)
        return els_talk_refuse(fault, text, object, ELELEM_ERROR_PROTOCOL, ELS_WORDS("the line is of no known type"));
    if (line.kind <= ELS_TALK_START || line.kind == ELS_TALK_END) return 1;
    if (!els_talk_check_strings(text, fields, fault)) return 0;
    if (line.kind == ELS_TALK_USER && line.text.size == 0 && line.images.size == 0 && !els_talk_has_attachments(fields))
        return els_talk_refuse(fault, text, object, ELELEM_ERROR_PROTOCOL, ELS_WORDS("the user's line has no text"));
    return line.images.size == 0 || els_talk_check_images(text, line.images, fault);
}

/* Checks what is in a row that is JSON: each of its events if it is an entry with some. Its text needs no check: if it is no
   string, it is not read. */
ELS_PRIVATE int els_talk_check_content(els_talk *talk, elelem_str row, els_talk_fault *fault)
{
    els_cursor in;
    elelem_str event;

    if (row.data[0] != '{' || !els_talk_enter(talk, row)) return els_talk_check_fields(talk->text, row, fault);
    in = els_talk_cursor(talk, talk->entry_end);
    while (els_line_next_value(&in, &event))
        if (!els_talk_check_fields(talk->text, event, fault)) return 0;
    els_talk_leave(talk, &event);
    return 1;
}

ELS_PRIVATE int els_talk_check_row(els_checker *checker, els_talk *talk, elelem_str row, els_talk_fault *fault)
{
    elelem_status status = els_line_check_whole(&checker->parser, row, ELS_LINE_ENTRY_DEPTH);
    elelem_str place = row;

    if (status == ELELEM_OK) return els_talk_check_content(talk, row, fault);
    place.data += (size_t)elelem_fragment_parser_error(&checker->parser).offset;
    return els_talk_refuse(fault, talk->text, place, status, elelem_status_sentence(status));
}

/* Nonzero if all lines can be read; else sets `*fault`. */
ELS_PRIVATE int els_talk_check(elelem_str text, els_talk_fault *fault)
{
    els_talk talk = els_talk_of(text);
    els_checker checker;
    elelem_str row;

    els_checker_init(&checker);
    while (els_talk_next_row(&talk, &row))
        if (!els_talk_check_row(&checker, &talk, row, fault)) return 0;
    return 1;
}

/* Patching. */

#define ELS_TALK_ENTRIES 32

/* Nonzero if an entry that was there is among those that were kept. */
ELS_PRIVATE int els_talk_keeps(const elelem_metadata_entry *entries, size_t count, elelem_str value)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (entries[i].json.data == value.data) return 1;
    return 0;
}

/* Reads the next members of an object, up to ELS_TALK_ENTRIES, with keys as they are spelled. */
ELS_PRIVATE size_t els_talk_entries(els_cursor *in, elelem_metadata_entry *entries)
{
    els_line_member member;
    size_t count = 0;

    while (count < ELS_TALK_ENTRIES && els_line_next_member(in, &member)) {
        entries[count].key = member.key;
        entries[count].json = member.value;
        count++;
    }
    return count;
}

/* Overwrites a member with blanks, and a comma that belongs to it: the one after it, or if it is the last the one
   before it. */
ELS_PRIVATE void els_talk_blank(char *lines, const elelem_metadata_entry *entry)
{
    size_t start = (size_t)(entry->key.data - 1 - lines);
    size_t end = (size_t)(entry->json.data - lines) + entry->json.size;
    size_t before = start;

    memset(lines + start, ' ', end - start);
    while (els_is_blank((unsigned char)lines[end]))
        end++;
    if (lines[end] == ',') {
        lines[end] = ' ';
        return;
    }
    while (els_is_blank((unsigned char)lines[before - 1]))
        before--;
    if (lines[before - 1] == ',') lines[before - 1] = ' ';
}

/* Overwrites the members of a metadata object that the patches name. */
ELS_PRIVATE size_t els_talk_patch_object(const elelem_patch *patches, size_t count, char *lines, elelem_str object)
{
    elelem_metadata_entry entries[ELS_TALK_ENTRIES], left[ELS_TALK_ENTRIES];
    els_cursor in = els_line_inside(object);
    size_t total, kept, i, removed = 0;

    while ((total = els_talk_entries(&in, entries)) > 0) {
        memcpy(left, entries, total * sizeof *entries);
        kept = total;
        removed += elelem_patch_apply(patches, count, left, &kept);
        for (i = 0; i < total; i++)
            if (!els_talk_keeps(left, kept, entries[i].json)) els_talk_blank(lines, &entries[i]);
    }
    return removed;
}

/* Removes the blanks outside of strings, except line feeds. */
ELS_PRIVATE size_t els_talk_squeeze(char *lines, size_t size)
{
    size_t at = 0, kept = 0;

    while (at < size) {
        const unsigned char *start = (const unsigned char *)lines + at;
        const unsigned char *end = start + 1;
        size_t run;
        if (*start == '"') end = els_line_string_end(start, (const unsigned char *)lines + size);
        run = (size_t)(end - start);
        if (run > 1 || *start == '\n' || !els_is_blank(*start)) {
            memmove(lines + kept, lines + at, run);
            kept += run;
        }
        at += run;
    }
    return kept;
}

size_t elelem_talk_patch(const elelem_patch *patches, size_t count, char *lines, size_t *size)
{
    els_talk talk = els_talk_of(els_str(lines, *size));
    els_talk_fault fault;
    els_talk_line line;
    size_t removed = 0;

    if (*size == 0 || !els_talk_check(talk.text, &fault)) return 0;
    while (els_talk_next_line(&talk, &line))
        if (line.metadata.size > 0 && line.metadata.data[0] == '{') removed += els_talk_patch_object(patches, count, lines, line.metadata);
    if (removed > 0) *size = els_talk_squeeze(lines, *size);
    return removed;
}

#endif
