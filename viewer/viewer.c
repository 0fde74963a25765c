/* The page's half in C: bytes of a response go in; record lines and the arguments of tool calls come out. It is compiled to
 * WebAssembly without a C library, and does with a response what elelem-events does: the same stream, the same recorder.
 * The JavaScript draws what this returns, and knows no wire format.
 *
 * All memory is in two fixed buffers: `taken` for the stream and the builder, which together are what a turn holds, and
 * `drawn` for what this page writes about them.
 */
#define ELELEM_NO_STDLIB
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"
#include "libc.h"

#define EXPORT(name) __attribute__((export_name(name)))
#define PUSH_BYTES 65536

static const elelem_shape *const shapes[] = {&elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                             &elelem_shape_gemini, &elelem_shape_interactions};
#define SHAPES (sizeof shapes / sizeof *shapes)

static char pushed[PUSH_BYTES];
static char taken_memory[24 << 20], drawn_memory[24 << 20];
static elelem_arena taken, drawn;
static elelem_stream stream;
static elelem_replayer replayer;
static elelem_event_builder builder;
static elelem_recorder recorder;
static elelem_buffer lines; /* record lines since they were cleared */
static elelem_buffer calls; /* tool calls as they are now, one JSON object a line */
static elelem_status problem; /* of the lines; the response's own problems are events */
static unsigned parts;
static int is_replay, is_finished;

/* One value of a tree: {"key":…,"type":…,"state":…,"text":…} or {…,"items":[…]}; "items" is left open. */
static int begin_node(elelem_writer *writer, elelem_value value)
{
    static const char *const states[] = {"open", "complete", "cut", "cut", "cut"};
    elelem_type type = elelem_value_type(value);
    elelem_type parent = elelem_value_type(elelem_value_parent(value));
    int is_container = type == ELELEM_TYPE_OBJECT || type == ELELEM_TYPE_ARRAY;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(writer, elelem_str_of("key"));
    if (parent == ELELEM_TYPE_OBJECT) elelem_writer_string(writer, elelem_value_key(value));
    else if (parent == ELELEM_TYPE_ARRAY) elelem_writer_uint64(writer, elelem_value_index(value));
    else elelem_writer_null(writer);
    elelem_writer_key(writer, elelem_str_of("type"));
    elelem_writer_string(writer, elelem_str_of(elelem_type_name(type)));
    elelem_writer_key(writer, elelem_str_of("state"));
    elelem_writer_string(writer, elelem_str_of(states[elelem_value_state_of(value)]));
    elelem_writer_key(writer, elelem_str_of(is_container ? "items" : "text"));
    if (is_container) elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    else elelem_writer_string(writer, elelem_value_text(value));
    return is_container;
}

static void end_node(elelem_writer *writer, int is_container)
{
    if (is_container) elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

static int is_none(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_NONE;
}

/* A value and all in it, without recursion. */
static void write_tree(elelem_writer *writer, elelem_value value)
{
    unsigned depth = 0;

    if (is_none(value)) {
        elelem_writer_null(writer);
        return;
    }
    for (;;) {
        int is_container = begin_node(writer, value);
        elelem_value next = elelem_value_first(value);
        if (!is_none(next)) {
            value = next;
            depth++;
            continue;
        }
        end_node(writer, is_container);
        while (depth > 0 && is_none(next = elelem_value_next(value))) {
            value = elelem_value_parent(value);
            end_node(writer, 1);
            depth--;
        }
        if (depth == 0) return;
        value = next;
    }
}

static void write_call(const elelem_item *item, elelem_value arguments)
{
    elelem_writer writer;

    elelem_writer_init(&writer, elelem_buffer_sink(&calls), 0);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(&writer, elelem_str_of("index"));
    elelem_writer_uint64(&writer, item->index);
    elelem_writer_key(&writer, elelem_str_of("id"));
    elelem_writer_string(&writer, item->tool_call.id);
    elelem_writer_key(&writer, elelem_str_of("name"));
    elelem_writer_string(&writer, item->tool_call.name);
    elelem_writer_key(&writer, elelem_str_of("state"));
    elelem_writer_string(&writer, elelem_str_of(elelem_item_state_name(item->state)));
    elelem_writer_key(&writer, elelem_str_of("arguments"));
    write_tree(&writer, arguments);
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    if (elelem_writer_json(&writer, elelem_str_of("\n")) < 0) problem = ELELEM_ERROR_MEMORY;
}

/* Calls that are over are written once, when the builder gives them. */
static void take_built(void)
{
    elelem_built built;

    while (elelem_event_builder_next(&builder, &built) == ELELEM_OK)
        if (built.kind == ELELEM_BUILT_ITEM && built.item.kind == ELELEM_PART_TOOL_CALL)
            write_call(&built.item, built.item.tool_call.arguments);
}

static void take_event(const elelem_event *event)
{
    elelem_status status = elelem_recorder_push(&recorder, event);

    if (status < 0) problem = status;
    parts += event->kind == ELELEM_EVENT_PART;
    is_finished = event->kind == ELELEM_EVENT_FINISHED;
    elelem_event_builder_push(&builder, event);
    if (event->kind == ELELEM_EVENT_ERROR) elelem_event_builder_drain(&builder);
    take_built();
}

static void take(void)
{
    elelem_record_item item;
    elelem_status status = ELELEM_MORE;

    while (!is_replay && elelem_stream_next(&stream, &item.event) == ELELEM_OK)
        take_event(&item.event);
    while (is_replay && (status = elelem_replayer_next(&replayer, &item)) == ELELEM_OK)
        if (item.kind == ELELEM_RECORD_EVENT) take_event(&item.event);
        else if ((status = elelem_recorder_push_line(&recorder, item.line)) < 0) problem = status;
    if (status < 0) problem = status;
}

EXPORT("shapes") unsigned viewer_shapes(void)
{
    return SHAPES;
}

EXPORT("shape_name") const char *viewer_shape_name(unsigned shape)
{
    return shapes[shape]->name;
}

static void open_source(unsigned shape, int http_status, elelem_allocator allocator)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_replayer_desc replay = ELELEM_INIT;

    is_replay = shape >= SHAPES;
    desc.shape = shapes[is_replay ? 0 : shape];
    desc.allocator = replay.allocator = allocator;
    elelem_stream_init(&stream, &desc);
    if (http_status > 0) elelem_stream_http_status(&stream, http_status);
    elelem_replayer_init(&replayer, &replay);
}

static void open_output(elelem_allocator allocator)
{
    elelem_recorder_desc desc = ELELEM_INIT;

    elelem_buffer_init(&lines, allocator, 0);
    elelem_buffer_init(&calls, allocator, 0);
    desc.sink = elelem_buffer_sink(&lines);
    desc.allocator = allocator;
    elelem_recorder_init(&recorder, &desc);
}

/* Begins a response of this shape; a number that is none means record lines. What was open before is in memory that
   is used again. */
EXPORT("open") void viewer_open(unsigned shape, int http_status)
{
    elelem_event_builder_desc desc = ELELEM_INIT;

    desc.allocator = elelem_arena_init(&taken, taken_memory, sizeof taken_memory);
    open_source(shape, http_status, desc.allocator);
    elelem_event_builder_init(&builder, &desc);
    open_output(elelem_arena_init(&drawn, drawn_memory, sizeof drawn_memory));
    problem = ELELEM_OK;
    parts = 0;
    is_finished = 0;
}

/* Where the bytes of the next push go: at most 65536. */
EXPORT("pushed") char *viewer_pushed(void)
{
    return pushed;
}

EXPORT("push") void viewer_push(size_t size)
{
    if (is_replay) elelem_replayer_push(&replayer, pushed, size);
    else elelem_stream_push(&stream, pushed, size);
    take();
}

EXPORT("finish") void viewer_finish(void)
{
    if (is_replay) elelem_replayer_finish(&replayer);
    else elelem_stream_finish(&stream);
    take();
}

EXPORT("lines") const char *viewer_lines(void)
{
    return elelem_buffer_text(&lines).data;
}

EXPORT("lines_size") size_t viewer_lines_size(void)
{
    return elelem_buffer_text(&lines).size;
}

/* Adds the calls that are open to those that were finished since the last clear. */
EXPORT("calls") const char *viewer_calls(void)
{
    elelem_item item;
    size_t position = 0;

    while (elelem_event_builder_partial(&builder, &position, &item) == ELELEM_OK)
        if (item.kind == ELELEM_PART_TOOL_CALL) write_call(&item, elelem_event_builder_arguments(&builder, item.index));
    return elelem_buffer_text(&calls).data;
}

EXPORT("calls_size") size_t viewer_calls_size(void)
{
    return elelem_buffer_text(&calls).size;
}

EXPORT("clear") void viewer_clear(void)
{
    elelem_buffer_clear(&lines);
    elelem_buffer_clear(&calls);
}

/* The memory of a turn: its blocks now, the most they were, and the struct itself. */
EXPORT("used") size_t viewer_used(void)
{
    return elelem_arena_used(&taken);
}

EXPORT("peak") size_t viewer_peak(void)
{
    return elelem_arena_peak(&taken);
}

EXPORT("turn_size") size_t viewer_turn_size(void)
{
    return sizeof(elelem_turn);
}

/* How well the shape fits what was pushed: the parts it found, and that it found the end. */
EXPORT("fit") unsigned viewer_fit(void)
{
    return problem < 0 ? 0 : parts + (is_finished ? 1u << 30 : 0);
}

/* The sentence of what went wrong outside the response, or null. */
EXPORT("problem") const char *viewer_problem(void)
{
    return problem < 0 ? elelem_status_sentence(problem) : NULL;
}
