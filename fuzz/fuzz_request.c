/* request_write: the first three bytes choose the shape, the provider and the settings, the rest is a history. If a bit of the first byte
   is set, the first byte 1 after it ends the history, and fields follow, which set everything else of a request and of a head: see
   set_field.
   What is written is JSON without lone surrogates, the same twice, and to a sink that refuses some of it as far as that took it. It is refused
   for its settings, as is_good says, or at a byte of its history, or because there is nothing to send; then nothing is written, and a
   sentence says why. Each body that is written is one that the rules of its shape allow: see check_chat and the others. Members of
   the caller replace others of their name, and no name is there twice. Tools are all there, in their order, with what they say; and so is each
   setting, unless the message says that something was left out. The steps are in proportion to the bytes, and to the pairs of tools, whose
   names are compared. What elelem_talk_user and elelem_talk_result_write append to a history is never refused but for a result without a call; nor
   are lines without the metadata that elelem_talk_patch removed.
   The same bytes, cut into a model, a host, a key, a path and headers, or fields, make a path and a head: only what the model's bytes mean
   is in a path, and nothing of the caller's begins a line of a head. A provider is found by its name and by no other. */
#include "elelem_stream.h"

#include "must.h"
#include "mutate_values.h"
#include "work_law.h"

#define STEPS_ALWAYS 20000u
#define STEPS_PER_BYTE 2500u
#define STEPS_PER_PIECE 100u /* and byte */
#define STEPS_PER_PAIR 100u /* of tools */
#define MAX_TOOLS 64
#define MAX_STOPS 16
#define MAX_IMAGES 4
#define MAX_PATCHES 4
#define MAX_BLOCKS 1024

#define MAX_BYTES 8192

static elelem_buffer first, second;

static int is(elelem_value value, const char *text)
{
    return elelem_str_is(elelem_value_text(value), text);
}

/* Items that a provider made go back as they are, and may be calls and results; `items` are at least as many. */

/* Every call of an assistant message has its tool message right after it, and no other tool messages are there. */
static void check_chat(elelem_value body)
{
    elelem_value message, call;
    size_t waiting = 0;

    for (message = elelem_value_first(elelem_value_get(body, "messages")); elelem_value_type(message);
         message = elelem_value_next(message)) {
        elelem_value content = elelem_value_get(message, "content");
        if (is(elelem_value_get(message, "role"), "tool")) {
            MUST(waiting > 0);
            MUST(elelem_value_type(content) == ELELEM_TYPE_STRING);
            waiting--;
            continue;
        }
        MUST(waiting == 0);
        if (!is(elelem_value_get(message, "role"), "assistant")) continue;
        waiting = elelem_value_count(elelem_value_get(message, "tool_calls"));
        MUST(waiting > 0 || elelem_value_type(content) == ELELEM_TYPE_STRING || elelem_value_type(content) == ELELEM_TYPE_ARRAY ||
             elelem_value_type(elelem_value_get(message, "images")) || elelem_value_type(elelem_value_get(message, "audio")));
        for (call = elelem_value_first(elelem_value_get(message, "tool_calls")); elelem_value_type(call); call = elelem_value_next(call))
            MUST(elelem_value_text(elelem_value_get(call, "id")).size > 0);
    }
    MUST(waiting == 0);
}

/* Roles alternate, the first is the user's, no content is empty, and results come first, as many as calls. */
static void check_turns(elelem_value list, const char *members, const char *result, size_t items)
{
    elelem_value message, part;
    int was_user = 0, is_first = 1;
    size_t waiting = 0;

    for (message = elelem_value_first(list); elelem_value_type(message); message = elelem_value_next(message)) {
        elelem_value parts = elelem_value_get(message, members);
        int is_user = is(elelem_value_get(message, "role"), "user"), only_results = 1;
        MUST(!is_first || is_user);
        MUST(is_first || is_user || was_user);
        MUST(elelem_value_count(parts) > 0);
        for (part = elelem_value_first(parts); elelem_value_type(part); part = elelem_value_next(part)) {
            int is_result = is(elelem_value_get(part, "type"), result) || elelem_value_type(elelem_value_get(part, result));
            int is_call = is(elelem_value_get(part, "type"), "tool_use") || elelem_value_type(elelem_value_get(part, "functionCall"));
            if (is_user && is_result) {
                MUST(waiting > 0 && only_results);
                waiting--;
            } else if (is_user) {
                MUST(waiting <= items);
                waiting = 0;
            }
            only_results &= is_result;
            waiting += !is_user && is_call;
        }
        was_user = is_user;
        is_first = 0;
    }
    MUST(waiting <= items);
}

/* Each call has one output, after all calls of its step. */
static void check_responses(elelem_value body, size_t items)
{
    elelem_value item;
    size_t calls = 0, outputs = 0;

    for (item = elelem_value_first(elelem_value_get(body, "input")); elelem_value_type(item); item = elelem_value_next(item)) {
        elelem_value type = elelem_value_get(item, "type"), id = elelem_value_get(item, "call_id");
        if (elelem_value_type(elelem_value_get(item, "id"))) continue; /* of the provider's own */
        calls += (is(type, "function_call") || is(type, "custom_tool_call")) && elelem_value_type(id);
        outputs += (is(type, "function_call_output") || is(type, "custom_tool_call_output")) && elelem_value_type(id);
    }
    MUST(calls <= outputs + items && outputs <= calls + items);
}

/* No content is empty, and each call has one result, which names it. */
static void check_interactions(elelem_value body, size_t items)
{
    elelem_value step;
    size_t calls = 0, results = 0;

    for (step = elelem_value_first(elelem_value_get(body, "input")); elelem_value_type(step); step = elelem_value_next(step)) {
        elelem_value type = elelem_value_get(step, "type");
        if (is(type, "user_input") || is(type, "model_output")) MUST(elelem_value_count(elelem_value_get(step, "content")) > 0);
        calls += (size_t)is(type, "function_call");
        results += (size_t)is(type, "function_result");
        if (is(type, "function_result") && items == 0) MUST(elelem_value_type(elelem_value_get(step, "call_id")) == ELELEM_TYPE_STRING);
    }
    MUST(calls <= results + items && results <= calls + items);
}

/* Settings: fields of the input. */

static elelem_request request;
static elelem_request_head head;
static elelem_tool tools[MAX_TOOLS];
static elelem_str stops[MAX_STOPS];
static void *blocks[MAX_BLOCKS];
static size_t block_count;
static int has_fields;
static size_t taken; /* bytes that a sink takes before it refuses */
static elelem_talk_image images[MAX_IMAGES];
static size_t image_count;
static elelem_talk_result result;
static elelem_patch patches[MAX_PATCHES];
static size_t patch_count;
static elelem_buffer lines; /* the history, and what fields say in addition */
static int is_of_lines;     /* all of the history was written by the library */

/* Nonzero if the text, with what is around it, is JSON of this type; NONE: of any. */
static int is_json(elelem_str before, elelem_str text, const char *after, elelem_type type)
{
    elelem_json json;
    elelem_json_desc desc = ELELEM_INIT;
    elelem_buffer all;
    elelem_allocator allocator = ELELEM_INIT;
    elelem_type found;
    int is_found;

    elelem_buffer_init(&all, allocator, 0);
    MUST(elelem_buffer_append(&all, before.data, before.size) == ELELEM_OK);
    MUST(elelem_buffer_append(&all, text.data, text.size) == ELELEM_OK);
    MUST(elelem_buffer_append(&all, after, strlen(after)) == ELELEM_OK);
    desc.max_depth = 512u + (before.size > 0);
    found = elelem_value_type(elelem_json_read(&json, elelem_buffer_text(&all), &desc));
    is_found = found != ELELEM_TYPE_NONE && (type == ELELEM_TYPE_NONE || found == type);
    elelem_json_free(&json);
    elelem_buffer_free(&all);
    return is_found;
}

static int is_object(elelem_str text)
{
    return is_json(elelem_str_of(""), text, "", ELELEM_TYPE_OBJECT);
}

static int is_value(elelem_str text)
{
    return is_json(elelem_str_of(""), text, "", ELELEM_TYPE_NONE);
}

static int is_string(elelem_str text)
{
    return text.size > 1 && *text.data == '"' && text.data[text.size - 1] == '"' && is_json(elelem_str_of(""), text, "", ELELEM_TYPE_STRING);
}

static int is_members(elelem_str text)
{
    return is_json(elelem_str_of("{"), text, "}", ELELEM_TYPE_OBJECT);
}

/* Returns a copy in a block of its own, so that a read past it is seen. */
static elelem_str own(elelem_str text)
{
    char *block = (char *)malloc(text.size > 0 ? text.size : 1);

    MUST(block && block_count < MAX_BLOCKS);
    blocks[block_count++] = block;
    if (text.size > 0) memcpy(block, text.data, text.size);
    return elelem_str_from(block, text.size);
}

/* A field is a text, in which the byte 2 stands for 1. */
static elelem_str own_text(elelem_str field)
{
    elelem_str text = own(field);
    size_t i;

    for (i = 0; i < text.size; i++)
        if (text.data[i] == 2) ((char *)blocks[block_count - 1])[i] = 1;
    return text;
}

/* The same of JSON. After an equals sign, the rest is a text in JSON that is good: between braces, unless it is to be members. */
static elelem_str own_json(elelem_str field, int is_members)
{
    elelem_writer writer;

    if (field.size == 0 || *field.data != '=') return own_text(field);
    elelem_buffer_clear(&first);
    elelem_writer_init(&writer, elelem_buffer_sink(&first), 0);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(&writer, elelem_str_of("title"));
    elelem_writer_string(&writer, elelem_str_from(field.data + 1, field.size - 1));
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    field = elelem_buffer_text(&first);
    return own(is_members ? elelem_str_from(field.data + 1, field.size - 2) : field);
}

/* Fields that are numbers and names of providers end with a zero. */
static const char *zeroed(elelem_str field)
{
    static char text[64];
    size_t size = field.size < sizeof text ? field.size : sizeof text - 1;

    if (size > 0) memcpy(text, field.data, size);
    text[size] = 0;
    return text;
}

static int64_t number(elelem_str field)
{
    return strtoll(zeroed(field), NULL, 10);
}

static void set_tool(char name, elelem_str field)
{
    elelem_tool *tool = tools + request.tool_count;

    if (name == 'n' && request.tool_count < MAX_TOOLS) {
        memset(tool, 0, sizeof *tool);
        tool->name = own_text(field);
        request.tool_count++;
    }
    if (name == 'n' || request.tool_count == 0) return;
    tool--;
    if (name == 'd') tool->description = own_text(field);
    if (name == 'p') tool->parameters = own_json(field, 0);
    if (name == 's') tool->strict = 1;
}

static void set_text(char name, elelem_str field)
{
    switch (name) {
    case 'm': request.model = own_text(field); break;
    case 'i': request.instructions = own_text(field); break;
    case 'C': request.tool_choice_name = own_text(field); break;
    case 'e': request.effort = own_text(field); break;
    case 'y': request.summary = own_text(field); break;
    case 't': request.temperature = own_text(field); break;
    case 'u': request.top_p = own_text(field); break;
    case 'k': request.top_k = own_text(field); break;
    case 'g': request.seed = own_text(field); break;
    case 'j': request.schema = own_json(field, 0); break;
    case 'N': request.schema_name = own_text(field); break;
    case 'D': request.schema_description = own_text(field); break;
    case 'x': request.extra = own_json(field, 1); break;
    case 'X': request.extra_config = own_json(field, 1); break;
    case 'h': head.host = own_text(field); break;
    case 'a': head.key = own_text(field); break;
    case 'r': head.path = own_text(field); break;
    case 'H': head.headers = own_text(field); break;
    default: break;
    }
}

/* What the user said, with the images before it, is a line; nothing is written of an image without data and address. */
static void add_user(elelem_str text)
{
    size_t before = elelem_buffer_text(&lines).size, i;
    elelem_status status = elelem_talk_user(elelem_buffer_sink(&lines), text, images, image_count);
    int is_bad = text.size == 0 && image_count == 0;

    for (i = 0; i < image_count; i++)
        is_bad |= images[i].url.size == 0 && (images[i].data.size == 0 || images[i].media_type.size == 0);
    MUST(status == (is_bad ? ELELEM_ERROR_MISUSE : ELELEM_OK));
    MUST((elelem_buffer_text(&lines).size == before) == is_bad);
    image_count = 0;
}

static void add_result(void)
{
    size_t before = elelem_buffer_text(&lines).size;
    elelem_status status = elelem_talk_result_write(elelem_buffer_sink(&lines), &result);
    int is_bad = result.json.size > 0 && !is_value(result.json);

    MUST(status == (is_bad ? ELELEM_ERROR_MISUSE : ELELEM_OK));
    MUST((elelem_buffer_text(&lines).size == before) == is_bad);
    memset(&result, 0, sizeof result);
}

static void set_line(char name, elelem_str field)
{
    elelem_talk_image *image = images + image_count;

    switch (name) {
    case 'z':
    case 'Z':
        if (image_count == MAX_IMAGES) return;
        memset(image, 0, sizeof *image);
        if (name == 'z') image->url = own_text(field);
        else image->data = own_text(field);
        image_count++;
        break;
    case 'Y':
        if (image_count > 0) image[-1].media_type = own_text(field);
        break;
    case 'U': add_user(own_text(field)); break;
    case 'I': result.id = own_text(field); break;
    case 'G': result.name = own_text(field); break;
    case 'T': result.text = own_text(field); break;
    case 'O': result.json = own_json(field, 0); break;
    case 'F': result.failed = 1; break;
    case 'A': add_result(); break;
    default: break;
    }
}

/* A patch removes what it finds, unless it says something else. */
static void set_patch(char name, elelem_str field)
{
    elelem_patch *patch = patches + patch_count;

    if (name == 'K' && patch_count < MAX_PATCHES) {
        patch->match_key = patch->remove_key = own_text(field);
        patch->match_value = elelem_str_of("\"s\"");
        patch_count++;
    }
    if (name == 'K' || patch_count == 0) return;
    patch--;
    if (name == 'V' && is_string(field)) patch->match_value = own(field);
    if (name == 'Q') patch->remove_key = own_text(field);
}

static void set_field(char name, elelem_str field)
{
    if (strchr("KVQ", name)) set_patch(name, field);
    if (strchr("zZYUIGTOFA", name)) set_line(name, field);
    if (strchr("ndps", name)) set_tool(name, field);
    switch (name) {
    case 'q':
        if (request.stop_count < MAX_STOPS) stops[request.stop_count++] = own_text(field);
        break;
    case 'c': request.tool_choice = (uint8_t)number(field); break;
    case '1': request.one_call = 1; break;
    case 'w': request.whole = 1; break;
    case 'v': request.show_reasoning = 1; break;
    case 'J': request.schema_strict = 1; break;
    case 'l': request.max_tokens = number(field); break;
    case 'b': request.reasoning_tokens = number(field); break;
    case 'L': head.content_length = (uint64_t)number(field); break;
    case 'R': taken = (size_t)number(field); break;
    case 'P': request.provider = elelem_provider_find(zeroed(field)); break;
    case 'S': request.shape = elelem_shape_find(zeroed(field)); break; /* null: that of the provider */
    default: set_text(name, field); break;
    }
}

/* Takes the fields from the end of the history. */
static void set_fields(void)
{
    const char *at = request.history.data, *end = at + request.history.size, *start;

    request.tools = tools;
    request.stops = stops;
    at = (const char *)memchr(at, 1, (size_t)(end - at));
    if (!at) return;
    has_fields = 1;
    request.history.size = (size_t)(at - request.history.data);
    is_of_lines = request.history.size == 0;
    MUST(elelem_buffer_append(&lines, request.history.data, request.history.size) == ELELEM_OK);
    if (!is_of_lines) MUST(elelem_buffer_append(&lines, "\n", 1) == ELELEM_OK);
    while (at < end && block_count + 3 < MAX_BLOCKS) {
        start = ++at;
        while (at < end && *at != 1)
            at++;
        if (at > start && *start) set_field(*start, elelem_str_from(start + 1, (size_t)(at - start) - 1));
    }
    request.history = own(elelem_buffer_text(&lines));
}

/* What is refused. */

/* Blanks may be after it only. */
static int is_number(elelem_str text)
{
    if (text.size == 0) return 1;
    return strchr(" \t\r\n", *text.data) ? 0 : is_json(elelem_str_of(""), text, "", ELELEM_TYPE_NUMBER);
}

static int is_name(elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size; i++)
        if (!text.data[i] || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", text.data[i])) return 0;
    return text.size > 0 && text.size <= 64;
}

/* Returns how many tools have this name. */
static size_t named(elelem_str name)
{
    size_t i, count = 0;

    for (i = 0; i < request.tool_count; i++)
        count += (size_t)elelem_str_equal(tools[i].name, name);
    return count;
}

static int is_good_tool(const elelem_tool *tool)
{
    return is_name(tool->name) && named(tool->name) == 1 && (tool->parameters.size == 0 || is_object(tool->parameters));
}

static int is_good(void)
{
    size_t i;

    for (i = 0; i < request.tool_count; i++)
        if (!is_good_tool(&tools[i])) return 0;
    if (request.tool_choice > ELELEM_TOOL_CHOICE_NAMED) return 0;
    if (request.tool_count > 0 && request.tool_choice == ELELEM_TOOL_CHOICE_NAMED && !named(request.tool_choice_name)) return 0;
    if (!is_number(request.temperature) || !is_number(request.top_p) || !is_number(request.top_k) || !is_number(request.seed)) return 0;
    if (request.schema.size > 0 && !elelem_str_is(request.schema, "true") && !is_object(request.schema)) return 0;
    if (request.schema_name.size > 0 && !is_name(request.schema_name)) return 0;
    return request.model.size > 0 && is_members(request.extra) && is_members(request.extra_config);
}

static int is_note(const char *message)
{
    return strcmp(message, elelem_status_sentence(ELELEM_OK)) != 0;
}

/* What a history can be refused for. */
static int is_of_history(elelem_status status)
{
    return status == ELELEM_ERROR_SYNTAX || status == ELELEM_ERROR_UTF8 || status == ELELEM_ERROR_TRUNCATED ||
           status == ELELEM_ERROR_DEPTH || status == ELELEM_ERROR_TYPE || status == ELELEM_ERROR_PROTOCOL || status == ELELEM_ERROR_COUNT;
}

static void check_error(elelem_error error)
{
    MUST(error.message && *error.message);
    if (!is_good() || !(request.shape || request.provider)) MUST(error.status == ELELEM_ERROR_MISUSE);
    if (error.status == ELELEM_OK) {
        MUST(error.offset == 0);
        MUST(!is_note(error.message) || strstr(error.message, " left out") || strstr(error.message, "the schema is a tool") ||
             strstr(error.message, "the effort is none") || strstr(error.message, "max_tokens is 16"));
    } else if (error.status == ELELEM_ERROR_MISUSE) {
        MUST(error.offset == 0 && strcmp(error.message, elelem_status_sentence(ELELEM_ERROR_MISUSE)) != 0);
    } else {
        MUST(is_of_history(error.status) && error.offset <= request.history.size);
        MUST(!is_of_lines || error.status == ELELEM_ERROR_PROTOCOL);
    }
}

/* What is written of the settings. */

/* What was written: its members, and those of the object of settings in it, by their shape. */
typedef struct written {
    elelem_value body;
    elelem_value config;
    elelem_value extra;        /* the caller's own */
    elelem_value extra_config;
    unsigned shape;
    int is_noted;              /* something was left out */
    const elelem_dialect *dialect;
} written;

/* Nonzero if two values are the same; of a text, if it is what a writer makes of it. */
static int same_values(elelem_value a, elelem_value b)
{
    elelem_writer writer;

    elelem_buffer_clear(&first);
    elelem_buffer_clear(&second);
    elelem_writer_init(&writer, elelem_buffer_sink(&first), 0);
    elelem_writer_value(&writer, a);
    elelem_writer_init(&writer, elelem_buffer_sink(&second), 0);
    elelem_writer_value(&writer, b);
    return elelem_str_equal(elelem_buffer_text(&first), elelem_buffer_text(&second));
}

static int same_json(elelem_value value, elelem_str text)
{
    elelem_json json;
    elelem_value other = elelem_json_read(&json, text, NULL);
    int is_same = elelem_value_type(other) && elelem_value_type(other) == elelem_value_type(value) && same_values(value, other);

    elelem_json_free(&json);
    return is_same;
}

static int same_text(elelem_value value, elelem_str text)
{
    elelem_writer writer;

    if (elelem_value_type(value) != ELELEM_TYPE_STRING) return 0;
    elelem_buffer_clear(&first);
    elelem_buffer_clear(&second);
    elelem_writer_init(&writer, elelem_buffer_sink(&first), 0);
    elelem_writer_string(&writer, text);
    elelem_writer_init(&writer, elelem_buffer_sink(&second), 0);
    elelem_writer_string(&writer, elelem_value_text(value));
    return elelem_str_equal(elelem_buffer_text(&first), elelem_buffer_text(&second));
}

static int is_there(elelem_value object, const char *name)
{
    return elelem_value_type(elelem_value_get(object, name)) != ELELEM_TYPE_NONE;
}

/* The caller's members are the last, unchanged, and no other has the name of one of them, or of another. */
static void check_members(elelem_value object, elelem_value extra)
{
    size_t own_count = elelem_value_count(object) - elelem_value_count(extra), i;
    elelem_value member = elelem_value_first(object), other;

    MUST(elelem_value_count(object) >= elelem_value_count(extra));
    for (i = 0; i < own_count; i++, member = elelem_value_next(member))
        for (other = elelem_value_next(member); elelem_value_type(other); other = elelem_value_next(other))
            MUST(!elelem_str_equal(elelem_value_key(member), elelem_value_key(other)));
    for (extra = elelem_value_first(extra); elelem_value_type(extra); extra = elelem_value_next(extra)) {
        MUST(elelem_str_equal(elelem_value_key(member), elelem_value_key(extra)) && same_values(member, extra));
        member = elelem_value_next(member);
    }
}

/* A value is there, and as it is to be, unless something was left out; and is not there if it was not set. */
static void check_number(const written *w, elelem_value value, elelem_str text)
{
    if (elelem_value_type(value) == ELELEM_TYPE_NONE) MUST(text.size == 0 || w->is_noted);
    else MUST(text.size > 0 && same_json(value, text));
}

static void check_text(const written *w, elelem_value value, elelem_str text)
{
    if (elelem_value_type(value) == ELELEM_TYPE_NONE) MUST(text.size == 0 || w->is_noted);
    else MUST(text.size > 0 && same_text(value, text));
}

/* Nonzero if the caller has a member, or the object that it would be in. */
static int is_replaced(const written *w, const char *name)
{
    static const char *const configs[] = { "", "", "", "generationConfig", "generation_config" };

    if (w->shape < 3) return is_there(w->extra, name);
    return is_there(w->extra, configs[w->shape]) || is_there(w->extra_config, name);
}

static void check_sampling(const written *w, const char *name, elelem_str text)
{
    if (!name) MUST(text.size == 0 || w->is_noted);
    else if (!is_replaced(w, name)) check_number(w, elelem_value_get(w->config, name), text);
}

/* Nonzero if a name could have one of the bytes. */
static int has_letter(elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size; i++)
        if (is_name(elelem_str_from(text.data + i, 1))) return 1;
    return 0;
}

/* In their order, and as many as the provider takes. */
static void check_stops(const written *w, const char *name)
{
    elelem_value list = elelem_value_get(w->config, name ? name : "");
    size_t i, most = w->shape == 0 ? w->dialect->max_stops : w->shape == 3 ? 5 : 0;

    if (name && is_replaced(w, name)) return;
    if (!name || elelem_value_type(list) == ELELEM_TYPE_NONE) {
        MUST(request.stop_count == 0 || w->is_noted);
        return;
    }
    for (i = 0; i < request.stop_count && (most == 0 || i < most); i++)
        MUST(same_text(elelem_value_at(list, i), stops[i]));
    MUST(elelem_value_count(list) == i && (i == request.stop_count || w->is_noted));
}

/* Messages needs a limit, which counts the reasoning. */
static void check_limit(const written *w, const char *name)
{
    elelem_value value = elelem_value_get(w->config, name);
    int64_t limit = 0, budget = 0;
    char text[24];

    if (is_replaced(w, name)) return;
    if (w->shape == 2) {
        MUST(elelem_value_to_int64(value, &limit) == ELELEM_OK && limit > 0 && limit >= request.max_tokens);
        value = elelem_value_find(w->body, "thinking.budget_tokens");
        if (is_there(w->extra, "thinking") || elelem_value_type(value) == ELELEM_TYPE_NONE) return;
        MUST(elelem_value_to_int64(value, &budget) == ELELEM_OK && budget >= 1024 && budget < limit);
        return;
    }
    limit = w->shape == 1 && request.max_tokens < 16 ? 16 : request.max_tokens;
    MUST(limit == request.max_tokens || request.max_tokens <= 0 || w->is_noted);
    snprintf(text, sizeof text, "%lld", (long long)limit);
    check_number(w, value, elelem_str_of(request.max_tokens > 0 ? text : ""));
}

/* What the name of a model begins with, after those of who made it and who passes it on. */
static int model_begins(const char *start)
{
    size_t from = request.model.size, size = strlen(start);

    while (from > 0 && request.model.data[from - 1] != '/')
        from--;
    return request.model.size - from >= size && memcmp(request.model.data + from, start, size) == 0;
}

static int model_begins_with_one_of(const char *const *starts, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (model_begins(starts[i])) return 1;
    return 0;
}

/* Models of OpenAI that do not reason. */
static int is_plain(void)
{
    static const char *const plain[] = { "gpt-3", "gpt-4", "gpt-5-chat", "chatgpt", "ft:gpt-3", "ft:gpt-4" };

    return model_begins_with_one_of(plain, sizeof plain / sizeof *plain);
}

static int refuses_effort_in_chat(const written *w)
{
    static const char *const grok[] = { "grok-code", "grok-4-fast", "grok-4.20-0309" };

    if (*w->dialect->no_effort) return model_begins_with_one_of(grok, sizeof grok / sizeof *grok);
    if (!*w->dialect->no_effort_with_tools || request.tool_count == 0) return 0;
    return model_begins("gpt-5.4") && !model_begins("gpt-5.4-chat");
}

/* Nonzero if the model refuses an effort. */
static int refuses_effort(const written *w)
{
    static const char *const claude[] = { "claude-3", "claude-opus-4-1", "claude-sonnet-4-5", "claude-haiku-4" };
    static const char *const gemini[] = { "gemini-1", "gemini-2" };

    if (w->shape == 0) return refuses_effort_in_chat(w);
    if (w->shape == 1) return is_plain();
    if (w->shape == 2) return model_begins_with_one_of(claude, sizeof claude / sizeof *claude);
    return w->shape == 3 && model_begins_with_one_of(gemini, sizeof gemini / sizeof *gemini);
}

/* Nonzero if the effort is to be none, because there are tools. */
static int is_without_effort(const written *w)
{
    static const char *const models[] = { "gpt-5.5", "gpt-5.6" };
    static const char *const others[] = { "gpt-5.5-chat", "gpt-5.6-chat" };

    if (w->shape != 0 || !*w->dialect->none_with_tools || request.tool_count == 0) return 0;
    return model_begins_with_one_of(models, 2) && !model_begins_with_one_of(others, 2);
}

static void check_effort(const written *w)
{
    static const char *const names[] = { "reasoning", "reasoning", "output_config", "thinkingConfig", "thinking_level" };
    static const char *const members[] = { "effort", "effort", "effort", "thinkingLevel", NULL };
    const char *name = w->shape == 0 && w->dialect->effort == ELELEM_EFFORT_WORD ? "reasoning_effort" : names[w->shape];
    const char *member = strcmp(name, "reasoning_effort") == 0 ? NULL : members[w->shape];
    elelem_value value = elelem_value_get(w->config, name);

    if (is_replaced(w, name)) return;
    if (member) value = elelem_value_get(value, member);
    if (refuses_effort(w)) MUST(elelem_value_type(value) == ELELEM_TYPE_NONE);
    if (!is_without_effort(w)) check_text(w, value, request.effort);
    else MUST(is(value, "none") && (request.effort.size == 0 || elelem_str_is(request.effort, "none") || w->is_noted));
}

static void check_settings(const written *w)
{
    static const char *const names[][6] = {
        { NULL, "temperature", "top_p", "top_k", NULL, "stop" },
        { "max_output_tokens", "temperature", "top_p", NULL, NULL, NULL },
        { "max_tokens", "temperature", "top_p", "top_k", NULL, "stop_sequences" },
        { "maxOutputTokens", "temperature", "topP", "topK", "seed", "stopSequences" },
        { "max_output_tokens", "temperature", "top_p", "top_k", "seed", "stop_sequences" },
    };
    const char *const *n = names[w->shape];

    check_limit(w, w->shape == 0 ? w->dialect->max_tokens : n[0]);
    check_sampling(w, n[1], request.temperature);
    check_sampling(w, n[2], request.top_p);
    check_sampling(w, n[3], request.top_k);
    check_sampling(w, w->shape == 0 ? w->dialect->seed : n[4], request.seed);
    check_stops(w, n[5]);
    check_effort(w);
    if (request.extra_config.size > 0 && w->shape < 3) MUST(w->is_noted);
    if (request.summary.size > 0 && w->shape == 0) MUST(w->is_noted);
    if (request.reasoning_tokens > 0 && (w->shape == 1 || w->shape == 4)) MUST(w->is_noted);
    if (w->shape != 3 && !is_there(w->extra, "stream")) MUST(is(elelem_value_get(w->body, "stream"), request.whole ? "" : "true"));
    if (!is_there(w->extra, "model") && w->shape != 3 && !is_there(w->extra, "agent"))
        MUST(same_text(elelem_value_get(w->body, "model"), request.model));
}

/* Responses: reasoning is asked for, but not of models that refuse that. */
static void check_include(const written *w)
{
    elelem_value value = elelem_value_get(w->body, "include");

    if (w->shape != 1 || is_there(w->extra, "include")) return;
    if (is_plain()) MUST(elelem_value_type(value) == ELELEM_TYPE_NONE);
    else MUST(same_json(value, elelem_str_of("[\"reasoning.encrypted_content\"]")));
}

/* Messages: no budget and no sampling to models that refuse these, no adaptive thinking to those that refuse that. */
static void check_thinking(const written *w)
{
    static const char *const newer[] = { "claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5", "claude-haiku-5" };
    static const char *const older[] = { "claude-3", "claude-opus-4-1", "claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4" };
    static const char *const sampling[] = { "temperature", "top_p", "top_k" };
    elelem_value type = elelem_value_find(w->body, "thinking.type");
    size_t i;

    if (w->shape != 2) return;
    if (!is_there(w->extra, "thinking")) {
        if (model_begins_with_one_of(newer, sizeof newer / sizeof *newer)) MUST(!is(type, "enabled"));
        if (model_begins_with_one_of(older, sizeof older / sizeof *older)) MUST(!is(type, "adaptive"));
    }
    if (!model_begins_with_one_of(newer, sizeof newer / sizeof *newer)) return;
    for (i = 0; i < sizeof sampling / sizeof *sampling; i++)
        MUST(is_there(w->extra, sampling[i]) || !is_there(w->body, sampling[i]));
}

static int is_schema(void)
{
    return request.schema.size > 0 && !elelem_str_is(request.schema, "true");
}

/* The schema is in its place. Where that is no member of the caller's, it is a tool or words. */
static void check_schema(const written *w)
{
    static const char *const paths[] = { "response_format.json_schema.schema", "text.format.schema", "output_config.format.schema",
                                         "generationConfig.responseJsonSchema", "response_format.schema" };
    static const char *const replaced[] = { "response_format", "text", "output_config", "generationConfig", "response_format" };
    elelem_value value = elelem_value_find(w->body, paths[w->shape]);

    if (is_there(w->extra, replaced[w->shape]) || is_there(w->extra_config, "responseJsonSchema")) return;
    if (elelem_value_type(value) != ELELEM_TYPE_NONE) MUST(is_schema() && same_json(value, request.schema));
    else if (is_schema() && !w->is_noted) MUST(w->shape == 0 && w->dialect->no_schema);
    if (w->shape < 2 && elelem_value_type(value) != ELELEM_TYPE_NONE) {
        elelem_value format = elelem_value_parent(value);
        elelem_str none = elelem_str_of("response");
        MUST(same_text(elelem_value_get(format, "name"), request.schema_name.size > 0 ? request.schema_name : none));
        check_text(w, elelem_value_get(format, "description"), request.schema_description);
        MUST(is(elelem_value_get(format, "strict"), request.schema_strict ? "true" : "false"));
    }
}

/* Instructions with a letter are there, and nothing but a schema comes before them. */
static void check_instructions(const written *w)
{
    static const char *const paths[] = { "messages[0].content", "instructions", "system", "systemInstruction.parts[0].text",
                                         "system_instruction" };
    static const char *const replaced[] = { "messages", "instructions", "system", "systemInstruction", "system_instruction" };
    elelem_value value = elelem_value_find(w->body, paths[w->shape]);

    if (request.schema.size > 0 || is_there(w->extra, replaced[w->shape])) return;
    if (has_letter(request.instructions)) MUST(same_text(value, request.instructions));
}

/* Tools. */

/* Nonzero for a model that refuses to be forced to a call. */
static int refuses_choice(const written *w)
{
    static const char *const claude[] = { "claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1" };

    if (w->shape == 2) return model_begins_with_one_of(claude, 3);
    if (w->shape != 0 || !*w->dialect->no_forced_call) return 0;
    if (strstr(w->dialect->no_forced_call, "deepseek")) return model_begins("deepseek") && !model_begins("deepseek-chat");
    return model_begins(w->dialect->no_forced_call);
}

/* Nonzero if only the tool of the choice is offered. */
static int offers_one(const written *w)
{
    if (w->shape != 0 || request.tool_choice != ELELEM_TOOL_CHOICE_NAMED) return 0;
    return w->dialect->no_named_choice || refuses_choice(w);
}

/* The schema as it is. What says neither that it is of an object nor which properties that has, says so after it. */
static void check_parameters(elelem_value schema, elelem_str parameters)
{
    elelem_json read = ELELEM_INIT;
    elelem_value root = elelem_json_read(&read, parameters, NULL), member, written_member = elelem_value_first(schema);
    size_t count = elelem_value_count(root) + !is_there(root, "type") + !is_there(root, "properties");

    MUST(elelem_json_error(&read).status == ELELEM_OK && elelem_value_count(schema) == count);
    for (member = elelem_value_first(root); elelem_value_type(member); member = elelem_value_next(member)) {
        MUST(elelem_str_equal(elelem_value_key(member), elelem_value_key(written_member)) && same_values(member, written_member));
        written_member = elelem_value_next(written_member);
    }
    if (!is_there(root, "type")) MUST(is(elelem_value_get(schema, "type"), "object"));
    if (!is_there(root, "properties")) MUST(elelem_value_count(elelem_value_get(schema, "properties")) == 0);
    MUST(is_there(schema, "type") && is_there(schema, "properties"));
    elelem_json_free(&read);
}

static void check_tool(const written *w, elelem_value value, const elelem_tool *tool)
{
    static const char *const parameters[] = { "parameters", "parameters", "input_schema", "parametersJsonSchema", "parameters" };
    elelem_value schema, strict;

    if (w->shape == 0) value = elelem_value_get(value, "function");
    schema = elelem_value_get(value, parameters[w->shape]);
    strict = elelem_value_get(value, "strict");
    MUST(same_text(elelem_value_get(value, "name"), tool->name));
    if (tool->description.size > 0) MUST(same_text(elelem_value_get(value, "description"), tool->description));
    else MUST(!is_there(value, "description"));
    if (tool->parameters.size > 0 && w->shape == 3) MUST(same_json(schema, tool->parameters));
    else if (tool->parameters.size > 0) check_parameters(schema, tool->parameters);
    else if (w->shape != 3) MUST(same_json(schema, elelem_str_of("{\"type\":\"object\",\"properties\":{}}")));
    if (tool->strict) MUST(is(strict, "true") || w->is_noted);
    else MUST(!is(strict, "true"));
}

static void check_tool_list(const written *w)
{
    elelem_value list = elelem_value_get(w->body, "tools");
    size_t i, at = 0, count = offers_one(w) ? 1 : request.tool_count;

    if (is_there(w->extra, "tools")) return;
    if (request.tool_count == 0) MUST(elelem_value_type(list) == ELELEM_TYPE_NONE);
    if (request.tool_count == 0) return;
    if (w->shape == 3) list = elelem_value_find(list, "[0].functionDeclarations");
    MUST(elelem_value_count(list) == count || (w->shape == 3 && is_schema() && elelem_value_count(list) == count + 1));
    for (i = 0; i < request.tool_count; i++)
        if (!offers_one(w) || elelem_str_equal(tools[i].name, request.tool_choice_name))
            check_tool(w, elelem_value_at(list, at++), &tools[i]);
}

/* The word of a choice, in order of the shapes and choices. */
static const char *choice_word(const written *w)
{
    static const char *const words[][4] = { { "", "none", "required", "" }, { "", "none", "required", "" },
                                            { "auto", "none", "any", "tool" }, { "", "NONE", "ANY", "ANY" },
                                            { "", "none", "any", "any" } };
    int is_some = request.tool_choice == ELELEM_TOOL_CHOICE_REQUIRED || offers_one(w);

    return w->shape == 0 && is_some ? w->dialect->required : words[w->shape][request.tool_choice];
}

static void check_choice(const written *w)
{
    static const char *const members[] = { "tool_choice", "tool_choice", "tool_choice", "toolConfig", "tool_choice" };
    static const char *const modes[] = { "", "", "type", "functionCallingConfig.mode", "allowed_tools.mode" };
    static const char *const names[] = { "function.name", "name", "name", "functionCallingConfig.allowedFunctionNames[0]",
                                         "allowed_tools.tools[0]" };
    elelem_value value = elelem_value_get(w->shape == 4 ? w->config : w->body, members[w->shape]), mode;
    int is_named = request.tool_choice == ELELEM_TOOL_CHOICE_NAMED && !offers_one(w);

    if (w->shape == 4 ? is_replaced(w, "tool_choice") : is_there(w->extra, members[w->shape])) return;
    if (request.tool_count == 0) MUST(elelem_value_type(value) == ELELEM_TYPE_NONE);
    if (refuses_choice(w) && request.tool_choice != ELELEM_TOOL_CHOICE_NONE)
        MUST(elelem_value_type(value) == ELELEM_TYPE_NONE || is(elelem_value_get(value, "type"), "auto"));
    if (request.tool_count == 0 || request.tool_choice == ELELEM_TOOL_CHOICE_AUTO || w->is_noted) return;
    mode = elelem_value_find(value, is_named || w->shape == 2 || w->shape == 3 ? modes[w->shape] : "");
    if (w->shape > 1 || !is_named) MUST(is(mode, choice_word(w)));
    if (is_named) MUST(same_text(elelem_value_find(value, names[w->shape]), request.tool_choice_name));
}

static void check_one_call(const written *w)
{
    static const char *const paths[] = { "parallel_tool_calls", "parallel_tool_calls", "tool_choice.disable_parallel_tool_use" };
    elelem_value value;

    if (request.tool_count == 0 || w->is_noted) return;
    MUST(w->shape < 3 || !request.one_call);
    if (w->shape > 2 || is_there(w->extra, "parallel_tool_calls") || is_there(w->extra, "tool_choice")) return;
    value = elelem_value_find(w->body, paths[w->shape]);
    if (w->shape == 2 && request.tool_choice == ELELEM_TOOL_CHOICE_NONE) MUST(elelem_value_type(value) == ELELEM_TYPE_NONE);
    else MUST(is(value, !request.one_call ? "" : w->shape == 2 ? "true" : "false"));
}

/* Returns how often a text is in the history. */
static size_t words(const char *word)
{
    elelem_str text = request.history;
    size_t i, count = 0, size = strlen(word);

    for (i = 0; i + size <= text.size; i++)
        count += memcmp(text.data + i, word, size) == 0;
    return count;
}

/* Messages: models that do not continue their own text have it not as the last. */
static void check_last(const written *w)
{
    static const char *const models[] = { "claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-8", "claude-sonnet-5" };
    elelem_value list = elelem_value_get(w->body, "messages"), last;
    size_t count = elelem_value_count(list);

    if (w->shape != 2 || is_there(w->extra, "messages") || count == 0 || words("Provider") + words("provider") + words("\\u00") > 0) return;
    last = elelem_value_at(list, count - 1);
    if (!is(elelem_value_get(last, "role"), "assistant") || !model_begins_with_one_of(models, 4)) return;
    list = elelem_value_get(last, "content");
    MUST(!is(elelem_value_get(elelem_value_at(list, elelem_value_count(list) - 1), "type"), "text"));
}

/* Nonzero if the caller has what a history becomes, or what is left of it is at the provider. */
static int is_history_replaced(const written *w)
{
    return is_there(w->extra, "messages") || is_there(w->extra, "input") || is_there(w->extra, "contents") ||
           is_there(w->extra, "previous_interaction_id");
}

static void check_conversation(const written *w)
{
    size_t items = words("Provider") + words("provider") + words("\\u00");

    if (is_history_replaced(w)) return;
    if (w->shape == 0) check_chat(w->body);
    if (w->shape == 1) check_responses(w->body, items);
    if (w->shape == 2) check_turns(elelem_value_get(w->body, "messages"), "content", "tool_result", items);
    if (w->shape == 3) check_turns(elelem_value_get(w->body, "contents"), "parts", "functionResponse", items);
    if (w->shape == 4) check_interactions(w->body, items);
}

/* Reads members, between braces. */
static elelem_value read_members(elelem_json *json, elelem_str members)
{
    elelem_json_desc desc = ELELEM_INIT;

    desc.max_depth = 513;
    elelem_buffer_clear(&second);
    MUST(elelem_buffer_append(&second, "{", 1) == ELELEM_OK);
    MUST(elelem_buffer_append(&second, members.data, members.size) == ELELEM_OK);
    MUST(elelem_buffer_append(&second, "}", 1) == ELELEM_OK);
    return elelem_json_read(json, elelem_buffer_text(&second), &desc);
}

static unsigned shape_of_request(void)
{
    static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                                  &elelem_shape_gemini, &elelem_shape_interactions };
    const elelem_shape *shape = request.shape ? request.shape : request.provider->shape;
    unsigned i = 0;

    while (shapes[i] != shape)
        i++;
    return i;
}

static void check_written(written *w)
{
    check_members(w->body, w->extra);
    if (w->shape > 2 && elelem_value_type(w->config) == ELELEM_TYPE_OBJECT &&
        !is_there(w->extra, w->shape == 3 ? "generationConfig" : "generation_config"))
        check_members(w->config, w->extra_config);
    check_conversation(w);
    check_settings(w);
    check_include(w);
    check_thinking(w);
    check_last(w);
    check_schema(w);
    check_instructions(w);
    check_tool_list(w);
    check_choice(w);
    check_one_call(w);
}

static void check_body(elelem_str text, const char *message)
{
    elelem_json json, extra, extra_config;
    elelem_json_desc desc = ELELEM_INIT;
    written w;

    desc.max_depth = 4096;
    desc.strict_surrogates = 1;
    w.shape = shape_of_request();
    w.is_noted = is_note(message);
    w.dialect = elelem_provider_dialect(request.provider);
    w.body = elelem_json_read(&json, text, &desc);
    if (elelem_json_error(&json).status != ELELEM_OK) fprintf(stderr, "%.*s\n", ELELEM_STR_ARG(text));
    MUST(elelem_json_error(&json).status == ELELEM_OK);
    w.extra = read_members(&extra, request.extra);
    w.extra_config = read_members(&extra_config, request.extra_config);
    w.config = w.shape < 3 ? w.body : elelem_value_get(w.body, w.shape == 3 ? "generationConfig" : "generation_config");
    check_written(&w);
    elelem_json_free(&json);
    elelem_json_free(&extra);
    elelem_json_free(&extra_config);
}

/* Takes some bytes, and refuses the piece that has more, with an error of its own. */
typedef struct half_sink {
    size_t left;
    elelem_status refusal;
} half_sink;

static elelem_status refuse_late(void *context, const void *bytes, size_t size)
{
    half_sink *half = (half_sink *)context;

    if (size > half->left) return half->refusal;
    half->left -= size;
    return elelem_buffer_append(&second, bytes, size);
}

static elelem_sink half_sink_of(half_sink *half, size_t left, elelem_status refusal)
{
    elelem_sink sink;

    half->left = left;
    half->refusal = refusal;
    sink.write = refuse_late;
    sink.context = half;
    elelem_buffer_clear(&second);
    return sink;
}

/* The bytes that are read. */
static size_t request_size(void)
{
    size_t size = request.history.size + request.model.size + request.instructions.size + request.schema.size + request.extra.size +
                  request.extra_config.size + request.effort.size + request.summary.size + request.temperature.size +
                  request.top_p.size + request.top_k.size + request.seed.size + request.tool_choice_name.size +
                  request.schema_name.size + request.schema_description.size;
    size_t i;

    for (i = 0; i < request.stop_count; i++)
        size += stops[i].size;
    for (i = 0; i < request.tool_count; i++)
        size += tools[i].name.size + tools[i].description.size + tools[i].parameters.size;
    return size;
}

/* Results in pieces are looked for from the start of their step, of which there are at most 64 in it. */
static uint64_t pieces(void)
{
    size_t count = words("PartialProviderItem") + words("\\u00");

    return count < 64 ? count : 64;
}

static elelem_error write_request(elelem_sink sink)
{
    uint64_t before = counted_steps, pairs = (uint64_t)request.tool_count * request.tool_count;
    elelem_error error = elelem_request_write(&request, sink);

    MUST(counted_steps - before <=
         STEPS_ALWAYS + (STEPS_PER_BYTE + STEPS_PER_PIECE * pieces()) * (uint64_t)request_size() + STEPS_PER_PAIR * pairs);
    return error;
}

/* The body is in `first`: as much of it comes to a sink as that takes. */
static void check_refusal(size_t left, elelem_status refusal)
{
    half_sink half;
    elelem_str all = elelem_buffer_text(&first), some;
    elelem_error error = write_request(half_sink_of(&half, left, refusal));

    some = elelem_buffer_text(&second);
    MUST(error.status == refusal && error.offset == 0 && error.message && *error.message);
    MUST(some.size <= left && (some.size == 0 || memcmp(all.data, some.data, some.size) == 0));
}

/* The path and the head. */

static const char *const head_providers[] = { "", "openai", "anthropic", "google", "azure", "openrouter", "vertex-interactions", "ollama" };

/* Nonzero if a text has a control character or a blank. */
static int breaks_line(elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] <= ' ' || text.data[i] == 0x7f) return 1;
    return 0;
}

static unsigned hex(char digit)
{
    MUST((digit >= '0' && digit <= '9') || (digit >= 'A' && digit <= 'F'));
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'A' + 10);
}

/* Appends a text with what is percent-encoded as the bytes that it means. */
static void put_decoded(elelem_buffer *out, elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size; i++) {
        char byte = text.data[i];
        MUST(byte > ' ' && byte < 0x7f && !strchr("\"<>\\^`|#", byte));
        if (byte == '%') {
            MUST(text.size - i > 2);
            byte = (char)(hex(text.data[i + 1]) << 4 | hex(text.data[i + 2]));
            i += 2;
        }
        MUST(elelem_buffer_append(out, &byte, 1) == ELELEM_OK);
    }
}

static int needs_model(const elelem_request *of)
{
    return strstr(of->provider->path, "{model}") != NULL;
}

/* The path of the provider with the model in its place. */
static void put_path(elelem_buffer *out, const elelem_request *of)
{
    const char *path = of->whole ? of->provider->whole_path : of->provider->path;
    const char *place = strstr(path, "{model}");
    size_t before = place ? (size_t)(place - path) : strlen(path);

    MUST(elelem_buffer_append(out, path, before) == ELELEM_OK);
    if (!place) return;
    MUST(elelem_buffer_append(out, of->model.data, of->model.size) == ELELEM_OK);
    MUST(elelem_buffer_append(out, place + 7, strlen(place + 7)) == ELELEM_OK);
}

/* Nonzero if a query begins in the text as often as in the provider's path. */
static int same_queries(elelem_str text, const elelem_request *of)
{
    const char *path = of->whole ? of->provider->whole_path : of->provider->path;
    size_t i, count = 0;

    for (i = 0; i < text.size; i++)
        count += text.data[i] == '?';
    return count == (size_t)(strchr(path, '?') != NULL);
}

static void check_path(const elelem_request *of)
{
    elelem_status status;

    elelem_buffer_clear(&first);
    elelem_buffer_clear(&second);
    status = elelem_request_path_write(of, elelem_buffer_sink(&first));
    if (!of->provider || (needs_model(of) && of->model.size == 0)) {
        MUST(status == ELELEM_ERROR_MISUSE && elelem_buffer_text(&first).size == 0);
        return;
    }
    MUST(status == ELELEM_OK);
    put_decoded(&second, elelem_buffer_text(&first));
    MUST(same_queries(elelem_buffer_text(&first), of));
    elelem_buffer_clear(&first);
    put_path(&first, of);
    MUST(elelem_str_equal(elelem_buffer_text(&first), elelem_buffer_text(&second)));
}

static int is_good_head(const elelem_request *of, const elelem_request_head *with)
{
    elelem_str headers = with->headers;

    if (!of->provider || with->host.size == 0) return 0;
    if (with->path.size == 0 && needs_model(of) && of->model.size == 0) return 0;
    if (breaks_line(with->host) || breaks_line(with->key) || breaks_line(with->path)) return 0;
    return headers.size == 0 || (headers.size > 1 && memcmp(headers.data + headers.size - 2, "\r\n", 2) == 0);
}

/* Takes the text from the start of another. */
static elelem_str after(elelem_str text, elelem_str start)
{
    MUST(text.size >= start.size && (start.size == 0 || memcmp(text.data, start.data, start.size) == 0));
    return elelem_str_from(text.data + start.size, text.size - start.size);
}

static elelem_str after_line(elelem_str text, const char *name, elelem_str value)
{
    return after(after(after(text, elelem_str_of(name)), value), elelem_str_of("\r\n"));
}

/* The lines in their order, and nothing else: what the caller gave has no byte that ends one. The header of the provider is there,
   unless the caller has one. */
static void check_lines(const elelem_request *of, const elelem_request_head *with, elelem_str text)
{
    const elelem_provider *provider = of->provider;
    char length[24];
    size_t other;

    text = after(text, elelem_str_of("POST "));
    elelem_buffer_clear(&second);
    if (with->path.size == 0) MUST(elelem_request_path_write(of, elelem_buffer_sink(&second)) == ELELEM_OK);
    text = after(text, with->path.size > 0 ? with->path : elelem_buffer_text(&second));
    text = after_line(text, " HTTP/1.1", elelem_str_of(""));
    text = after_line(text, "Host: ", with->host);
    text = after_line(text, "Content-Type: ", elelem_str_of("application/json"));
    text = after_line(text, "Accept: ", elelem_str_of(of->whole ? "application/json" : "text/event-stream"));
    snprintf(length, sizeof length, "%llu", (unsigned long long)with->content_length);
    text = after_line(text, "Content-Length: ", elelem_str_of(length));
    if (with->key.size > 0) {
        text = after(after(text, elelem_str_of(provider->key_header)), elelem_str_of(": "));
        text = after_line(text, provider->key_prefix, with->key);
    }
    other = text.size - with->headers.size - 2;
    if (other > 0) {
        MUST(provider->other_header[0]);
        text = after(after(text, elelem_str_of(provider->other_header)), elelem_str_of(": "));
        text = after_line(text, provider->other_value, elelem_str_of(""));
    }
    text = after_line(after(text, with->headers), "", elelem_str_of(""));
    MUST(text.size == 0);
}

static void check_head(const elelem_request *of, const elelem_request_head *with)
{
    elelem_status status;
    half_sink half;

    elelem_buffer_clear(&first);
    status = elelem_request_head_write(of, with, elelem_buffer_sink(&first));
    if (!is_good_head(of, with)) {
        MUST(status == ELELEM_ERROR_MISUSE && elelem_buffer_text(&first).size == 0);
        return;
    }
    MUST(status == ELELEM_OK);
    check_lines(of, with, elelem_buffer_text(&first));
    MUST(elelem_request_head_write(of, with, half_sink_of(&half, elelem_buffer_text(&first).size - 1, ELELEM_ERROR_SINK)) ==
         ELELEM_ERROR_SINK);
}

/* Takes the next bytes of the input, at most so many. */
static elelem_str cut(elelem_str *bytes, size_t size)
{
    elelem_str piece = elelem_str_from(bytes->data, size < bytes->size ? size : bytes->size);

    *bytes = elelem_str_from(bytes->data + piece.size, bytes->size - piece.size);
    return piece;
}

static void check_transport(const uint8_t *settings)
{
    elelem_request like = request;
    elelem_request_head with = ELELEM_INIT;
    elelem_str bytes = like.history;

    like.provider = elelem_provider_find(head_providers[settings[1] >> 3 & 7]);
    like.model = cut(&bytes, settings[2] >> 4);
    check_path(&like);
    with.host = cut(&bytes, 1u + (settings[1] >> 6));
    with.key = cut(&bytes, settings[1] >> 6);
    if (settings[0] & 4) with.path = cut(&bytes, 4);
    with.headers = settings[0] & 8 ? elelem_str_of("") : cut(&bytes, 40);
    if (settings[0] & 16) with.headers = elelem_str_of("Anthropic-Version: 1\r\n");
    with.content_length = settings[2] * (uint64_t)0x0102030405060708;
    check_head(&like, &with);
}

/* Nonzero for the names in provider.h. */
static int is_provider(const char *name)
{
    static const char *const names[] = {
        "anthropic", "azure", "cerebras", "deepseek", "fireworks", "google", "google-interactions", "groq", "litellm", "llamacpp",
        "mistral", "moonshot", "ollama", "openai", "openai-chat", "openrouter", "openrouter-responses", "perplexity", "snowflake",
        "together", "vercel", "vertex-interactions", "vllm", "writer", "xai", "zai" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

/* Any bytes up to a zero as a name. */
static void check_names(elelem_str bytes)
{
    static const char *const shapes[] = { "chat", "responses", "messages", "gemini", "interactions" };
    const char *name = zeroed(bytes);
    const elelem_provider *provider = elelem_provider_find(name);
    const elelem_shape *shape = elelem_shape_find(name);
    size_t i;
    int is_shape = 0;

    for (i = 0; i < sizeof shapes / sizeof *shapes; i++)
        is_shape |= strcmp(name, shapes[i]) == 0;
    MUST((provider != NULL) == is_provider(name));
    MUST((shape != NULL) == (provider || is_shape));
    if (shape) MUST(provider ? shape == provider->shape : strcmp(shape->name, name) == 0);
    if (provider) MUST(strcmp(provider->name, name) == 0 && provider->path[0] == '/' && provider->whole_path[0] == '/');
    MUST((provider && provider->dialect) ? elelem_provider_dialect(provider) == provider->dialect
                                         : elelem_provider_dialect(provider) == elelem_provider_dialect(NULL));
}

static void check_request(void)
{
    elelem_error error, again;

    elelem_buffer_clear(&first);
    elelem_buffer_clear(&second);
    error = write_request(elelem_buffer_sink(&first));
    again = write_request(elelem_buffer_sink(&second));
    MUST(error.status == again.status && error.offset == again.offset && strcmp(error.message, again.message) == 0);
    MUST(elelem_str_equal(elelem_buffer_text(&first), elelem_buffer_text(&second)));
    check_error(error);
    if (error.status != ELELEM_OK) {
        MUST(elelem_buffer_text(&first).size == 0);
        return;
    }
    check_refusal(elelem_buffer_text(&first).size - 1, ELELEM_ERROR_SINK);
    check_refusal(taken % elelem_buffer_text(&first).size, ELELEM_ERROR_MEMORY);
    check_body(elelem_buffer_text(&first), error.message);
}

/* Lines that a request was written from are good without the metadata that patches name. */
static void check_patches(void)
{
    elelem_str before = request.history, all = own(before);
    elelem_error error;
    size_t size = all.size, removed;

    elelem_buffer_clear(&first);
    if (write_request(elelem_buffer_sink(&first)).status != ELELEM_OK) return;
    removed = elelem_talk_patch(patches, patch_count, (char *)blocks[block_count - 1], &size);
    MUST(removed > 0 ? size < all.size : size == all.size && elelem_str_equal(all, before));
    request.history = own(elelem_str_from(all.data, size));
    elelem_buffer_clear(&first);
    error = write_request(elelem_buffer_sink(&first));
    MUST(error.status == ELELEM_OK || (removed > 0 && error.status == ELELEM_ERROR_MISUSE));
    if (error.status == ELELEM_OK) check_body(elelem_buffer_text(&first), error.message);
}

static void settle(const uint8_t *data, size_t size)
{
    static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                                  &elelem_shape_gemini, &elelem_shape_interactions };
    static const char *const providers[] = { "", "openai-chat", "mistral", "deepseek", "openrouter", "groq", "llamacpp", "vllm" };

    memset(&request, 0, sizeof request);
    memset(&head, 0, sizeof head);
    has_fields = 0;
    taken = 0;
    is_of_lines = 0;
    image_count = patch_count = 0;
    memset(&result, 0, sizeof result);
    request.shape = shapes[data[0] & 128 ? 4 : data[0] % 4];
    request.provider = elelem_provider_find(providers[data[1] % 8]);
    request.model = elelem_str_of(data[2] & 1 ? "gpt-5" : "m");
    request.reasoning_tokens = data[2] & 2 ? 2000 : 0;
    request.schema = elelem_str_of(data[2] & 4 ? "{\"type\":\"object\"}" : "");
    request.whole = data[2] >> 3 & 1;
    request.history.data = (const char *)data + 3;
    request.history.size = size - 3;
    if (data[0] & 32) set_fields();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_values(data, size, most, seed, 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    elelem_allocator allocator = ELELEM_INIT;

    if (size < 3 || size > MAX_BYTES) return 0;
    elelem_buffer_init(&first, allocator, 0);
    elelem_buffer_init(&second, allocator, 0);
    elelem_buffer_init(&lines, allocator, 0);
    settle(data, size);
    check_request();
    if (patch_count > 0) check_patches();
    check_transport(data);
    check_names(elelem_str_from(data + 3, size - 3));
    if (has_fields) {
        check_path(&request);
        check_head(&request, &head);
    }
    while (block_count > 0)
        free(blocks[--block_count]);
    elelem_buffer_free(&first);
    elelem_buffer_free(&second);
    elelem_buffer_free(&lines);
    return 0;
}
