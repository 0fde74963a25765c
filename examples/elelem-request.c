/* elelem-request: writes the body of a request from a description in JSON.
 *
 *     elelem-request <description.json | curl --data-binary @- … | elelem-events --shape chat --items >>talk.jsonl
 *
 * The description, on standard input or in FILE:
 *
 *     {"provider":"openrouter","model":"…","request":{…},"history":[{"type":"user","text":"Hi"}]}
 *
 * "shape" in place of "provider", or in addition to it, names the wire shape. Members of "request", all optional:
 *
 *     instructions, max_tokens, temperature, top_p, top_k, seed, stop (strings), stream (false: whole)
 *     tools (name, description, parameters, strict), tool_choice ("auto", "none", "required", {"name"}),
 *     parallel_tool_calls
 *     schema (name, description, schema), strict, json (true: any object)
 *     reasoning (effort, budget, summary)
 *     extra, extra_config: objects whose members go into the body, and into Google's generation config
 *
 * The lines of --history FILE come before those of "history"; see "talk" in elelem_stream.h for what a line may be.
 * A "response" ({"content_type","body"}) is read and added to the history. Lines in "results" come after
 * it; one with "call" gets the id of that call of the response, counted from 0.
 *
 * A setting that the model refuses is left out, and the error stream says so.
 *
 * Exit 0 if the body was written; 1 if the description or the history is refused; 2 usage.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 64
#define SLICES 256

/* What a request points to. */
typedef struct job {
    elelem_buffer description;
    elelem_buffer history;
    elelem_buffer texts[SLICES]; /* JSON that was written again */
    size_t text_count;
    elelem_json json;
    elelem_tool tools[SLICES];
    elelem_str stops[SLICES];
    elelem_str call_ids[CALLS];
    elelem_buffer ids[CALLS];
    size_t call_count;
    elelem_request request;
} job;

static elelem_status write_to_stdout(void *context, const void *bytes, size_t size)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) == size ? ELELEM_OK : ELELEM_ERROR_SINK;
}

static int complain(const char *what)
{
    fprintf(stderr, "elelem-request: %s\n", what);
    return 0;
}

/* Returns a value as JSON text; empty if there is none. */
static elelem_str text_of(job *j, elelem_value value)
{
    elelem_writer writer;
    elelem_buffer *text = &j->texts[j->text_count];

    if (elelem_value_type(value) == ELELEM_TYPE_NONE || j->text_count == SLICES) return elelem_str_of("");
    j->text_count++;
    elelem_writer_init(&writer, elelem_buffer_sink(text), 0);
    if (elelem_writer_value(&writer, value) != ELELEM_OK) return elelem_str_of("");
    return elelem_buffer_text(text);
}

/* The same without the braces of an object. */
static elelem_str members_of(job *j, elelem_value value)
{
    elelem_str text = text_of(j, value);

    if (elelem_value_type(value) != ELELEM_TYPE_OBJECT) return elelem_str_of("");
    text.data++;
    text.size -= 2;
    return text;
}

static int64_t number_of(elelem_value value)
{
    int64_t number = 0;

    return elelem_value_to_int64(value, &number) == ELELEM_OK ? number : 0;
}

static int is_true(elelem_value value)
{
    int boolean = 0;

    return elelem_value_to_bool(value, &boolean) == ELELEM_OK && boolean;
}

static int is_false(elelem_value value)
{
    int boolean = 1;

    return elelem_value_to_bool(value, &boolean) == ELELEM_OK && !boolean;
}

static int read_file(FILE *file, elelem_buffer *buffer)
{
    char bytes[4096];
    size_t size;

    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        if (elelem_buffer_append(buffer, bytes, size) != ELELEM_OK) return complain("out of memory");
    return ferror(file) ? complain("cannot read") : 1;
}

static void read_tools(job *j, elelem_value tools)
{
    elelem_value tool;

    for (tool = elelem_value_first(tools); elelem_value_type(tool) && j->request.tool_count < SLICES;
         tool = elelem_value_next(tool)) {
        elelem_tool *t = &j->tools[j->request.tool_count++];
        t->name = elelem_value_text(elelem_value_get(tool, "name"));
        t->description = elelem_value_text(elelem_value_get(tool, "description"));
        t->parameters = text_of(j, elelem_value_get(tool, "parameters"));
        t->strict = (uint8_t)is_true(elelem_value_get(tool, "strict"));
    }
    j->request.tools = j->tools;
}

static void read_choice(job *j, elelem_value choice)
{
    elelem_str word = elelem_value_text(choice);

    if (elelem_str_is(word, "none")) j->request.tool_choice = ELELEM_TOOL_CHOICE_NONE;
    if (elelem_str_is(word, "required")) j->request.tool_choice = ELELEM_TOOL_CHOICE_REQUIRED;
    if (elelem_value_type(choice) != ELELEM_TYPE_OBJECT) return;
    j->request.tool_choice = ELELEM_TOOL_CHOICE_NAMED;
    j->request.tool_choice_name = elelem_value_text(elelem_value_get(choice, "name"));
}

static void read_schema(job *j, elelem_value request)
{
    elelem_value schema = elelem_value_get(request, "schema");
    elelem_value strict = elelem_value_get(request, "strict");

    j->request.schema = text_of(j, elelem_value_get(schema, "schema"));
    j->request.schema_name = elelem_value_text(elelem_value_get(schema, "name"));
    j->request.schema_description = elelem_value_text(elelem_value_get(schema, "description"));
    j->request.schema_strict = (uint8_t)!is_false(strict);
    if (is_true(elelem_value_get(request, "json"))) j->request.schema = elelem_str_of("true");
}

static void read_stops(job *j, elelem_value stops)
{
    elelem_value stop;

    for (stop = elelem_value_first(stops); elelem_value_type(stop) && j->request.stop_count < SLICES;
         stop = elelem_value_next(stop))
        j->stops[j->request.stop_count++] = elelem_value_text(stop);
    j->request.stops = j->stops;
}

static void read_request(job *j, elelem_value request)
{
    elelem_request *r = &j->request;

    r->instructions = elelem_value_text(elelem_value_get(request, "instructions"));
    r->max_tokens = number_of(elelem_value_get(request, "max_tokens"));
    r->temperature = elelem_value_text(elelem_value_get(request, "temperature"));
    r->top_p = elelem_value_text(elelem_value_get(request, "top_p"));
    r->top_k = elelem_value_text(elelem_value_get(request, "top_k"));
    r->seed = elelem_value_text(elelem_value_get(request, "seed"));
    r->whole = (uint8_t)is_false(elelem_value_get(request, "stream"));
    r->one_call = (uint8_t)is_false(elelem_value_get(request, "parallel_tool_calls"));
    r->effort = elelem_value_text(elelem_value_find(request, "reasoning.effort"));
    r->summary = elelem_value_text(elelem_value_find(request, "reasoning.summary"));
    r->reasoning_tokens = number_of(elelem_value_find(request, "reasoning.budget"));
    r->extra = members_of(j, elelem_value_get(request, "extra"));
    r->extra_config = members_of(j, elelem_value_get(request, "extra_config"));
    read_stops(j, elelem_value_get(request, "stop"));
    read_tools(j, elelem_value_get(request, "tools"));
    read_choice(j, elelem_value_get(request, "tool_choice"));
    read_schema(j, request);
}

/* The history. */

static int end_line(job *j, elelem_status status)
{
    if (status == ELELEM_OK) status = elelem_buffer_append(&j->history, "\n", 1);
    return status == ELELEM_OK ? 1 : complain("out of memory");
}

/* Writes a line; one with "call" gets the id of that call. */
static int add_line(job *j, elelem_value line)
{
    elelem_value call = elelem_value_get(line, "call"), member;
    int64_t which = -1;
    elelem_writer writer;

    elelem_writer_init(&writer, elelem_buffer_sink(&j->history), 0);
    if (elelem_value_to_int64(call, &which) != ELELEM_OK) return end_line(j, elelem_writer_value(&writer, line));
    if (which < 0 || (size_t)which >= j->call_count) return complain("a result is of no call of the response");
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(&writer, elelem_str_of("id"));
    elelem_writer_string(&writer, j->call_ids[which]);
    for (member = elelem_value_first(line); elelem_value_type(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (elelem_str_is(key, "id") || elelem_str_is(key, "call")) continue;
        elelem_writer_key(&writer, key);
        elelem_writer_value(&writer, member);
    }
    return end_line(j, elelem_writer_end(&writer, ELELEM_TYPE_OBJECT));
}

static int add_lines(job *j, elelem_value lines)
{
    elelem_value line;

    for (line = elelem_value_first(lines); elelem_value_type(line); line = elelem_value_next(line))
        if (!add_line(j, line)) return 0;
    return 1;
}

static int add_item(job *j, const elelem_item *item)
{
    elelem_writer writer;

    if (item->kind == ELELEM_PART_TOOL_CALL && j->call_count < CALLS) {
        elelem_buffer *id = &j->ids[j->call_count];
        if (elelem_buffer_append(id, item->tool_call.id.data, item->tool_call.id.size) != ELELEM_OK) return 0;
        j->call_ids[j->call_count++] = elelem_buffer_text(id);
    }
    elelem_writer_init(&writer, elelem_buffer_sink(&j->history), 0);
    return end_line(j, elelem_item_write(&writer, item));
}

static int add_updates(job *j, elelem_turn *turn)
{
    elelem_turn_update update;

    while (elelem_turn_next(turn, &update) == ELELEM_OK) {
        if (update.item && !add_item(j, update.item)) return 0;
        if (update.kind != ELELEM_TURN_ERROR) continue;
        fprintf(stderr, "elelem-request: the response: %.*s\n", ELELEM_STR_ARG(update.error.message));
        return 0;
    }
    return 1;
}

/* Reads the response, and adds its items. */
static int add_response(job *j, elelem_value response)
{
    static elelem_turn turn;
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_str body = elelem_value_text(elelem_value_get(response, "body"));
    elelem_str type = elelem_value_text(elelem_value_get(response, "content_type"));
    int is_good;

    if (elelem_value_type(response) != ELELEM_TYPE_OBJECT) return 1;
    desc.shape = j->request.shape;
    elelem_turn_init(&turn, &desc);
    elelem_turn_http_status(&turn, 200);
    elelem_turn_http_header(&turn, elelem_str_of("content-type"), type);
    elelem_turn_push(&turn, body.data, body.size);
    is_good = add_updates(j, &turn);
    elelem_turn_finish(&turn);
    if (is_good) is_good = add_updates(j, &turn);
    elelem_turn_free(&turn);
    return is_good;
}

/* The whole description. */

static const char *name_of(elelem_value value, char name[64])
{
    elelem_str text = elelem_value_text(value);
    size_t size = text.size < 63 ? text.size : 63;

    memcpy(name, text.size > 0 ? text.data : "", size);
    name[size] = 0;
    return name;
}

static int read_description(job *j)
{
    elelem_value root = elelem_json_read(&j->json, elelem_buffer_text(&j->description), NULL);
    elelem_error error = elelem_json_error(&j->json);
    char name[64];

    if (error.status != ELELEM_OK) {
        fprintf(stderr, "elelem-request: the description: %s at byte %llu: %s\n", elelem_status_name(error.status),
                (unsigned long long)error.offset, error.message);
        return 0;
    }
    j->request.provider = elelem_provider_find(name_of(elelem_value_get(root, "provider"), name));
    j->request.shape = elelem_shape_find(name_of(elelem_value_get(root, "shape"), name));
    if (!j->request.shape && j->request.provider) j->request.shape = j->request.provider->shape;
    if (!j->request.shape) return complain("neither \"shape\" nor \"provider\" is known");
    j->request.model = elelem_value_text(elelem_value_get(root, "model"));
    read_request(j, elelem_value_get(root, "request"));
    return add_lines(j, elelem_value_get(root, "history")) && add_response(j, elelem_value_get(root, "response")) &&
           add_response(j, elelem_value_get(root, "answer")) && add_lines(j, elelem_value_get(root, "results"));
}

static unsigned long line_at(elelem_str text, uint64_t offset)
{
    unsigned long line = 1;
    size_t i;

    for (i = 0; i < text.size && i < offset; i++)
        line += text.data[i] == '\n';
    return line;
}

static int write_body(job *j)
{
    elelem_sink sink = ELELEM_INIT;
    elelem_error error;

    sink.write = write_to_stdout;
    j->request.history = elelem_buffer_text(&j->history);
    error = elelem_request_write(&j->request, sink);
    if (error.status == ELELEM_OK && strcmp(error.message, elelem_status_sentence(ELELEM_OK)) != 0)
        complain(error.message);
    if (error.status == ELELEM_OK) return 1;
    fprintf(stderr, "elelem-request: %s: %s", elelem_status_name(error.status), error.message);
    if (error.status != ELELEM_ERROR_MISUSE && error.status != ELELEM_ERROR_SINK)
        fprintf(stderr, ", line %lu of the history, byte %llu", line_at(j->request.history, error.offset),
                (unsigned long long)error.offset);
    fputs("\n", stderr);
    return 0;
}

static void release(job *j)
{
    size_t i;

    elelem_json_free(&j->json);
    elelem_buffer_free(&j->description);
    elelem_buffer_free(&j->history);
    for (i = 0; i < SLICES; i++)
        elelem_buffer_free(&j->texts[i]);
    for (i = 0; i < CALLS; i++)
        elelem_buffer_free(&j->ids[i]);
}

static void prepare(job *j)
{
    elelem_allocator allocator = ELELEM_INIT;
    size_t i;

    elelem_buffer_init(&j->description, allocator, 0);
    elelem_buffer_init(&j->history, allocator, 0);
    for (i = 0; i < SLICES; i++)
        elelem_buffer_init(&j->texts[i], allocator, 0);
    for (i = 0; i < CALLS; i++)
        elelem_buffer_init(&j->ids[i], allocator, 0);
}

static int read_named(const char *name, elelem_buffer *buffer)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    int is_good;

    if (!file) {
        perror(name);
        return 0;
    }
    is_good = read_file(file, buffer);
    if (file != stdin) fclose(file);
    return is_good;
}

int main(int count, char **words)
{
    static job j;
    const char *history = NULL, *description = NULL;
    int i, is_good;

    for (i = 1; i < count; i++) {
        if (strcmp(words[i], "--history") == 0 && i + 1 < count && !history) {
            history = words[++i];
        } else if (!description && (words[i][0] != '-' || !words[i][1])) {
            description = words[i];
        } else {
            fputs("usage: elelem-request [--history FILE] [FILE]\n", stderr);
            return 2;
        }
    }
    prepare(&j);
    is_good = !history || read_named(history, &j.history);
    is_good = is_good && read_named(description ? description : "-", &j.description) && read_description(&j) && write_body(&j);
    if (fflush(stdout) != 0) is_good = 0;
    release(&j);
    return !is_good;
}
