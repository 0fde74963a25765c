/* One odd field must not cost a response: in each good body of tests/data each scalar, once for its path, gets a value of
   every other type. The stream still ends well, and if the field only groups, says as much as before. What may end
   it are the fields without which no end or no argument is known. */
#include "elelem_stream.h"

#include "streams.h"

#include <dirent.h>

/* A body, its frames and what it gives. */

typedef struct given {
    int is_good;
    size_t text; /* bytes of texts and arguments */
} given;

static given give(const elelem_shape *shape, const char *body, size_t size)
{
    static elelem_stream stream;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_event event;
    given g = ELELEM_INIT;

    desc.shape = shape;
    elelem_stream_init(&stream, &desc);
    elelem_stream_push(&stream, body, size);
    elelem_stream_finish(&stream);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
        if (event.kind == ELELEM_EVENT_PART && event.part.kind != ELELEM_PART_PROVIDER_ITEM)
            g.text += event.part.text.size + event.part.tool_call.text.size;
        if (event.kind == ELELEM_EVENT_FINISHED) g.is_good = 1;
    }
    elelem_stream_free(&stream);
    return g;
}

/* Paths that were tried. */

#define PATHS 4000

static char *paths[PATHS];
static size_t path_count;

static int is_new_path(const char *path)
{
    size_t i;

    for (i = 0; i < path_count; i++)
        if (strcmp(paths[i], path) == 0) return 0;
    if (path_count == PATHS) abort();
    paths[path_count] = (char *)malloc(strlen(path) + 1);
    if (!paths[path_count]) abort();
    strcpy(paths[path_count++], path);
    return 1;
}

static void forget_paths(void)
{
    while (path_count > 0)
        free(paths[--path_count]);
}

/* Scalars of a frame. */

static int is_scalar(elelem_value value)
{
    elelem_type type = elelem_value_type(value);

    return type >= ELELEM_TYPE_NULL && type <= ELELEM_TYPE_STRING;
}

/* The value after this one in the order of the document; no value after the last. */
static elelem_value after(elelem_value value)
{
    elelem_value next = elelem_value_first(value);

    while (elelem_value_type(next) == ELELEM_TYPE_NONE && elelem_value_type(value) != ELELEM_TYPE_NONE) {
        next = elelem_value_next(value);
        value = elelem_value_parent(value);
    }
    return next;
}

/* Writes a document with other JSON in place of one value; null leaves the member out. */
static void write_with(elelem_writer *writer, elelem_value value, elelem_value odd, const char *json)
{
    elelem_value child;

    if (value.els_node == odd.els_node) {
        elelem_writer_json(writer, elelem_str_of(json));
        return;
    }
    if (is_scalar(value)) {
        elelem_writer_value(writer, value);
        return;
    }
    elelem_writer_begin(writer, elelem_value_type(value));
    for (child = elelem_value_first(value); elelem_value_type(child) != ELELEM_TYPE_NONE; child = elelem_value_next(child)) {
        if (child.els_node == odd.els_node && !json) continue;
        if (elelem_value_type(value) == ELELEM_TYPE_OBJECT) elelem_writer_key(writer, elelem_value_key(child));
        write_with(writer, child, odd, json);
    }
    elelem_writer_end(writer, elelem_value_type(value));
}

static void write_path(char *path, size_t room, elelem_value value)
{
    elelem_value parent = elelem_value_parent(value);

    if (elelem_value_type(parent) == ELELEM_TYPE_NONE) return;
    write_path(path, room, parent);
    if (elelem_value_type(parent) == ELELEM_TYPE_ARRAY) snprintf(path + strlen(path), room - strlen(path), "[*]");
    else snprintf(path + strlen(path), room - strlen(path), ".%.*s", (int)elelem_value_key(value).size, elelem_value_key(value).data);
}

/* Nonzero if the path ends in one of these keys. */
static int ends_in(const char *path, const char *const *keys)
{
    for (; *keys; keys++)
        if (strlen(path) >= strlen(*keys) && strcmp(path + strlen(path) - strlen(*keys), *keys) == 0) return 1;
    return 0;
}

/* Numbers that only group. */
static const char *const groups[] = { ".index", ".output_index", ".content_index", ".summary_index", NULL };

/* Fields that say why the model stopped, that it failed, or where a piece of arguments belongs; and the value of such a
   piece, without which those after it do not follow. */
static const char *const ends[] = { ".finishReason", ".blockReason", ".error", ".jsonPath", ".willContinue", ".boolValue",
                                    ".nullValue", ".functionCall.args.a", NULL };

static size_t tried, refused;
static char file_now[400];

/* The body with one value of one frame replaced. */
static void try_odd(const elelem_shape *shape, const char *body, size_t size, const char *frame, size_t frame_size,
                    elelem_value root, elelem_value leaf, const char *path)
{
    static const char *const odd[] = { "null", "-1", "\"\"", "\"odd\"", "1e300", "0.5", "2147483648", "[]", "{}", "true", NULL };
    given good = give(shape, body, size), now;
    elelem_buffer changed;
    elelem_writer writer;
    elelem_allocator defaults = ELELEM_INIT;
    size_t i;
    char context[500];

    for (i = 0; i < sizeof odd / sizeof *odd; i++) {
        if (!odd[i] && elelem_value_type(elelem_value_parent(leaf)) == ELELEM_TYPE_ARRAY) continue;
        elelem_buffer_init(&changed, defaults, 0);
        CHECK_INT(elelem_buffer_append(&changed, body, (size_t)(frame - body)), ELELEM_OK);
        elelem_writer_init(&writer, elelem_buffer_sink(&changed), 0);
        write_with(&writer, root, leaf, odd[i]);
        CHECK_INT(elelem_buffer_append(&changed, frame + frame_size, size - (size_t)(frame - body) - frame_size), ELELEM_OK);
        now = give(shape, elelem_buffer_text(&changed).data, elelem_buffer_text(&changed).size);
        tried++;
        snprintf(context, sizeof context, "%s %s: %s", shape->name, path, odd[i] ? odd[i] : "left out");
        check_context(context);
        refused += !now.is_good;
        if (!ends_in(path, ends) && !CHECK(now.is_good)) CHECK_PRINTF("    %s\n", file_now);
        if (ends_in(path, groups)) CHECK_INT(now.text, good.text);
        elelem_buffer_free(&changed);
    }
}

static void try_frame(const elelem_shape *shape, const char *body, size_t size, const char *frame, size_t frame_size)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;
    elelem_fragment_aggregator tree;
    elelem_fragment fragment;
    elelem_value root, leaf;
    char path[400];

    desc.single_document = 1;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_aggregator_init(&tree, NULL);
    elelem_fragment_parser_push(&parser, frame, frame_size);
    while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
        elelem_fragment_aggregator_push(&tree, &fragment);
    root = elelem_fragment_aggregator_value(&tree);
    if (elelem_fragment_parser_error(&parser).status != ELELEM_OK) memset(&root, 0, sizeof root);
    for (leaf = root; elelem_value_is_complete(root) && elelem_value_type(leaf) != ELELEM_TYPE_NONE; leaf = after(leaf)) {
        elelem_str type = elelem_value_text(elelem_value_get(root, "type"));
        if (!is_scalar(leaf) || leaf.els_node == root.els_node) continue;
        snprintf(path, sizeof path, "%.*s ", (int)type.size, type.data ? type.data : "");
        write_path(path, sizeof path, leaf);
        if (is_new_path(path)) try_odd(shape, body, size, frame, frame_size, root, leaf, path);
    }
    elelem_fragment_aggregator_free(&tree);
    elelem_fragment_parser_free(&parser);
}

/* Frames on one line of data. */
static void try_body(const elelem_shape *shape, const char *body, size_t size)
{
    const char *line = body, *end;

    if (!give(shape, body, size).is_good) return;
    for (; line < body + size; line = end + 1) {
        end = (const char *)memchr(line, '\n', (size_t)(body + size - line));
        if (!end) end = body + size;
        if (end - line > 6 && memcmp(line, "data: {", 7) == 0) try_frame(shape, body, size, line + 6, (size_t)(end - line) - 6);
    }
}

static char names[400][200];

static int compare_names(const void *a, const void *b)
{
    return strcmp((const char *)a, (const char *)b);
}

/* Reads the names of all bodies in order: which body is the first with a path must not depend on the file system. */
static size_t read_names(const elelem_shape *shape)
{
    char path[400];
    struct dirent *entry;
    DIR *folder;
    size_t count = 0;

    snprintf(path, sizeof path, "tests/data/%s", shape->name);
    folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        if (strstr(entry->d_name, ".sse") && count < sizeof names / sizeof *names)
            snprintf(names[count++], sizeof *names, "%.199s", entry->d_name);
    if (folder) closedir(folder);
    qsort(names, count, sizeof *names, compare_names);
    return count;
}

static void try_shape(const elelem_shape *shape)
{
    size_t i, before = tried, count = read_names(shape);

    for (i = 0; i < count; i++) {
        size_t size;
        char *body;
        snprintf(file_now, sizeof file_now, "tests/data/%s/%.199s", shape->name, names[i]);
        body = streams_read(file_now, &size);
        if (body) try_body(shape, body, size);
        free(body);
    }
    forget_paths();
    CHECK(tried - before > 500);
}

TEST(one_odd_field_of_chat_costs_no_response) /* P3 */ { try_shape(&elelem_shape_chat); }
TEST(one_odd_field_of_responses_costs_no_response) /* P3 */ { try_shape(&elelem_shape_responses); }
TEST(one_odd_field_of_messages_costs_no_response) /* P3 */ { try_shape(&elelem_shape_messages); }
TEST(one_odd_field_of_gemini_costs_no_response) /* P3 */ { try_shape(&elelem_shape_gemini); }
TEST(one_odd_field_of_interactions_costs_no_response) /* P3 */ { try_shape(&elelem_shape_interactions); }

CHECK_MAIN("tolerance",
    RUN(one_odd_field_of_chat_costs_no_response)
    RUN(one_odd_field_of_responses_costs_no_response)
    RUN(one_odd_field_of_messages_costs_no_response)
    RUN(one_odd_field_of_gemini_costs_no_response)
    RUN(one_odd_field_of_interactions_costs_no_response))
