/* elelem-events: prints the events of a provider's response as record lines.
 *
 *     curl -N … | elelem-events --shape chat
 *     elelem-events --replay FILE            the same from record lines
 *
 * --items prints the finished messages and tool calls instead, and the end. --watch shows the response as it is written, for
 * people: text, reasoning, tool calls as cards, memory and the end.
 *
 * Exit 0 if the stream was read to its end, even if that end is an error event; 1 if the
 * input cannot be read or the output cannot be written; 2 usage.
 */
#define _DEFAULT_SOURCE
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"
#include "watch.h"

#define READ_BYTES 65536

typedef struct options {
    const elelem_shape *shape;
    const char *file; /* null or "-": standard input */
    size_t chunk;     /* bytes per push; 0: as read */
    int status;
    int replay;
    int items;
    int watch;
    int broken;
    int join;
    int structured;
    int without_provider_items;
    const char *headers[64];
    int header_count;
} options;

/* The source of events: a provider's stream, or lines that were recorded. */
typedef struct source {
    elelem_stream stream;
    elelem_replayer replayer;
    int is_replay;
} source;

/* The output: record lines, with adjacent chunks joined on request; or finished items. */
typedef struct printer {
    elelem_recorder recorder;
    elelem_event_builder builder;
    int items;
    elelem_buffer text;   /* of the part not printed yet */
    elelem_buffer type;   /* likewise */
    elelem_event waiting; /* its other fields */
    int is_waiting;
    int join;
} printer;

static int usage(void)
{
    fputs("usage: elelem-events --shape chat|responses|messages|gemini|interactions | --replay\n"
          "                     [--status CODE] [--header 'NAME: VALUE']... [--broken] [--structured]\n"
          "                     [--without-provider-items]\n"
          "                     [--items | --watch] [--chunk N] [--join] [FILE]\n",
          stderr);
    return 2;
}

static elelem_status write_to_stdout(void *context, const void *bytes, size_t size)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) == size ? ELELEM_OK : ELELEM_ERROR_SINK;
}

static elelem_str *chunk_of(elelem_event *event)
{
    return event->part.kind == ELELEM_PART_TOOL_CALL ? &event->part.tool_call.text : &event->part.text;
}

/* Only plain chunks are joined; a part with metadata or the start of a call is printed alone. */
static int is_plain_chunk(const elelem_event *event)
{
    if (event->kind != ELELEM_EVENT_PART || event->metadata.count > 0 || event->part.caption.size > 0) return 0;
    return event->part.kind != ELELEM_PART_TOOL_CALL || event->part.tool_call.kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
}

static int goes_on(const elelem_event *a, const elelem_event *b)
{
    return a->index == b->index && a->choice == b->choice && a->part.kind == b->part.kind &&
           a->part.hosted == b->part.hosted && elelem_str_equal(a->part.type, b->part.type);
}

static elelem_status print_waiting(printer *out)
{
    if (!out->is_waiting) return ELELEM_OK;
    out->is_waiting = 0;
    *chunk_of(&out->waiting) = elelem_buffer_text(&out->text);
    return elelem_recorder_push(&out->recorder, &out->waiting);
}

/* Holds a chunk back, because more of its text may follow. */
static elelem_status wait_with(printer *out, const elelem_event *event)
{
    elelem_status status = elelem_buffer_append(&out->type, event->part.type.data, event->part.type.size);

    out->waiting = *event;
    out->waiting.part.type = elelem_buffer_text(&out->type);
    out->is_waiting = status == ELELEM_OK;
    return status;
}

static elelem_status print_line(printer *out, elelem_event *event)
{
    int is_plain = out->join && is_plain_chunk(event);
    elelem_status status = ELELEM_OK;

    if (!is_plain || !out->is_waiting || !goes_on(&out->waiting, event)) {
        status = print_waiting(out);
        elelem_buffer_clear(&out->text);
        elelem_buffer_clear(&out->type);
        if (status == ELELEM_OK && is_plain) status = wait_with(out, event);
    }
    if (status != ELELEM_OK) return status;
    if (!is_plain) return elelem_recorder_push(&out->recorder, event);
    return elelem_buffer_append(&out->text, chunk_of(event)->data, chunk_of(event)->size);
}

/* Prints what the builder has made of the events so far. */
static elelem_status print_built(printer *out)
{
    elelem_built built;
    elelem_status status;

    while ((status = elelem_event_builder_next(&out->builder, &built)) == ELELEM_OK) {
        elelem_writer writer;
        elelem_sink sink;
        if (built.kind != ELELEM_BUILT_ITEM) continue;
        sink.write = write_to_stdout;
        sink.context = NULL;
        elelem_writer_init(&writer, sink, 0);
        status = elelem_item_write(&writer, &built.item);
        if (status == ELELEM_OK) status = write_to_stdout(NULL, "\n", 1);
        if (status < 0) return status;
    }
    return status;
}

static elelem_status print_items(printer *out, const elelem_event *event)
{
    int is_end = event->kind == ELELEM_EVENT_FINISHED || event->kind == ELELEM_EVENT_ERROR;
    elelem_status status = elelem_event_builder_push(&out->builder, event);

    if (event->kind == ELELEM_EVENT_ERROR) elelem_event_builder_drain(&out->builder);
    if (status >= 0) status = print_built(out);
    return status >= 0 && is_end ? elelem_recorder_push(&out->recorder, event) : status;
}

static elelem_status print_event(printer *out, elelem_event *event)
{
    return out->items ? print_items(out, event) : print_line(out, event);
}

/* Takes and prints all there is. Lines of a recording that are no known events are printed unchanged. */
static elelem_status drain(source *in, printer *out)
{
    elelem_record_item item;
    elelem_status status = ELELEM_MORE;

    while (!in->is_replay && (status = elelem_stream_next(&in->stream, &item.event)) == ELELEM_OK)
        if ((status = print_event(out, &item.event)) < 0) return status;
    while (in->is_replay && (status = elelem_replayer_next(&in->replayer, &item)) == ELELEM_OK) {
        if (item.kind == ELELEM_RECORD_EVENT) {
            status = print_event(out, &item.event);
        } else if (!out->items) {
            status = print_waiting(out);
            if (status >= 0) status = elelem_recorder_push_line(&out->recorder, item.line);
        }
        if (status < 0) return status;
    }
    return status;
}

static elelem_status feed(source *in, printer *out, const char *bytes, size_t size, size_t chunk)
{
    while (size > 0) {
        size_t piece = chunk > 0 && chunk < size ? chunk : size;
        elelem_status status;
        if (in->is_replay)
            elelem_replayer_push(&in->replayer, bytes, piece);
        else
            elelem_stream_push(&in->stream, bytes, piece);
        status = drain(in, out);
        if (status < 0) return status;
        bytes += piece;
        size -= piece;
    }
    return ELELEM_MORE;
}

static void tell_headers(elelem_stream *stream, const options *o)
{
    int i;

    for (i = 0; i < o->header_count; i++) {
        const char *colon = strchr(o->headers[i], ':');
        elelem_str name = elelem_str_of(o->headers[i]);
        name.size = (size_t)(colon - o->headers[i]);
        elelem_stream_http_header(stream, name, elelem_str_of(colon + 1));
    }
}

static void finish(source *in, const options *o)
{
    if (in->is_replay)
        elelem_replayer_finish(&in->replayer);
    else if (o->broken)
        elelem_stream_fail(&in->stream, ELELEM_ERROR_KIND_CONNECT);
    else
        elelem_stream_finish(&in->stream);
}

static void complain(const source *in, elelem_status status)
{
    fprintf(stderr, "elelem-events: %s: %s", elelem_status_name(status), elelem_status_sentence(status));
    if (in->is_replay)
        fprintf(stderr, ", line %llu, byte %llu", (unsigned long long)elelem_replayer_line_number(&in->replayer),
                (unsigned long long)elelem_replayer_error(&in->replayer).offset);
    fputs("\n", stderr);
}

/* Reads what there is, and waits only if there is nothing. Returns 0 at the end, or if it cannot be read. */
static size_t read_some(FILE *file, char *bytes, size_t size, int *is_bad)
{
#ifdef _WIN32
    size_t got = fread(bytes, 1, size, file);
    *is_bad = ferror(file) != 0;
    return got;
#else
    ssize_t got = read(fileno(file), bytes, size);
    *is_bad = got < 0;
    return got < 0 ? 0 : (size_t)got;
#endif
}

/* Reads the file to its end, even after the end of the stream. */
static int run(source *in, printer *out, const options *o, FILE *file)
{
    static char bytes[READ_BYTES];
    size_t size;
    int is_bad = 0;
    elelem_status status = ELELEM_MORE;

    while (status >= 0 && (size = read_some(file, bytes, sizeof bytes, &is_bad)) > 0) {
        status = feed(in, out, bytes, size, o->chunk);
        if (fflush(stdout) != 0 && status >= 0) status = ELELEM_ERROR_SINK;
    }
    if (is_bad) {
        perror("elelem-events");
        return 1;
    }
    finish(in, o);
    if (status >= 0) status = drain(in, out);
    if (print_waiting(out) < 0 && status >= 0) status = ELELEM_ERROR_SINK;
    if (status < 0) complain(in, status);
    return status < 0;
}

static void show(elelem_turn *turn, watch *screen)
{
    elelem_turn_update update;

    while (elelem_turn_next(turn, &update) == ELELEM_OK)
        watch_update(screen, &update);
    watch_draw(screen, turn);
}

static void open_turn(elelem_turn *turn, const options *o, elelem_allocator allocator)
{
    elelem_turn_desc desc = ELELEM_INIT;
    int i;

    desc.shape = o->shape;
    desc.allocator = allocator;
    desc.structured = (uint8_t)o->structured;
    desc.without_provider_items = (uint8_t)o->without_provider_items;
    elelem_turn_init(turn, &desc);
    if (o->status > 0) elelem_turn_http_status(turn, o->status);
    for (i = 0; i < o->header_count; i++)
        elelem_turn_http_header_line(turn, elelem_str_of(o->headers[i]));
}

/* --watch: the same for people. */
static int run_watch(const options *o, FILE *file)
{
    static char bytes[READ_BYTES];
    static elelem_turn turn;
    static watch screen;
    size_t size, at;
    int is_bad = 0;

    watch_open(&screen);
    open_turn(&turn, o, watch_allocator(&screen));
    while ((size = read_some(file, bytes, sizeof bytes, &is_bad)) > 0)
        for (at = 0; at < size;) {
            size_t piece = o->chunk > 0 && o->chunk < size - at ? o->chunk : size - at;
            elelem_turn_push(&turn, bytes + at, piece);
            watch_pushed(&screen, bytes + at, piece);
            show(&turn, &screen);
            at += piece;
        }
    if (is_bad) perror("elelem-events");
    else if (o->broken) elelem_turn_fail(&turn, ELELEM_ERROR_KIND_CONNECT);
    else elelem_turn_finish(&turn);
    if (!is_bad) show(&turn, &screen);
    watch_close(&screen);
    elelem_turn_free(&turn);
    return is_bad;
}

/* Reads an option that takes a value. Returns 0 if it is none, or if its value is invalid. */
static int read_value_option(options *o, const char *name, const char *value)
{
    if (!value) return 0;
    if (strcmp(name, "--shape") == 0) return (o->shape = elelem_shape_find(value)) != NULL;
    if (strcmp(name, "--status") == 0) return (o->status = atoi(value)) > 0;
    if (strcmp(name, "--chunk") == 0) {
        char *end;
        o->chunk = (size_t)strtoul(value, &end, 10);
        return *value >= '0' && *value <= '9' && !*end;
    }
    if (strcmp(name, "--header") == 0 && strchr(value, ':') && o->header_count < 64) {
        o->headers[o->header_count++] = value;
        return 1;
    }
    return 0;
}

static int read_options(options *o, int count, char **words)
{
    int i;

    for (i = 1; i < count; i++) {
        if (strcmp(words[i], "--broken") == 0) o->broken = 1;
        else if (strcmp(words[i], "--replay") == 0) o->replay = 1;
        else if (strcmp(words[i], "--items") == 0) o->items = 1;
        else if (strcmp(words[i], "--watch") == 0) o->watch = 1;
        else if (strcmp(words[i], "--join") == 0) o->join = 1;
        else if (strcmp(words[i], "--structured") == 0) o->structured = 1;
        else if (strcmp(words[i], "--without-provider-items") == 0) o->without_provider_items = 1;
        else if (words[i][0] != '-' || words[i][1] == 0) {
            if (o->file) return 0;
            o->file = words[i];
        } else {
            if (!read_value_option(o, words[i], i + 1 < count ? words[i + 1] : NULL)) return 0;
            i++;
        }
    }
    if (o->watch && (o->replay || o->items || o->join)) return 0;
    return (o->shape != NULL) != o->replay;
}

static void open_source(source *in, const options *o)
{
    elelem_stream_desc desc = ELELEM_INIT;

    in->is_replay = o->replay;
    elelem_replayer_init(&in->replayer, NULL);
    if (o->replay) return;
    desc.shape = o->shape;
    desc.structured = (uint8_t)o->structured;
    desc.without_provider_items = (uint8_t)o->without_provider_items;
    elelem_stream_init(&in->stream, &desc);
    if (o->status > 0) elelem_stream_http_status(&in->stream, o->status);
    tell_headers(&in->stream, o);
}

static void open_printer(printer *out, const options *o)
{
    elelem_recorder_desc recorder = ELELEM_INIT;
    elelem_event_builder_desc builder = ELELEM_INIT;

    recorder.sink.write = write_to_stdout;
    elelem_recorder_init(&out->recorder, &recorder);
    builder.keep_argument_text = 1;
    elelem_event_builder_init(&out->builder, &builder);
    elelem_buffer_init(&out->text, recorder.allocator, 0);
    elelem_buffer_init(&out->type, recorder.allocator, 0);
    out->items = o->items;
    out->join = o->join;
}

int main(int count, char **words)
{
    options o = ELELEM_INIT;
    static source in;
    static printer out;
    FILE *file = stdin;
    int result;

    if (!read_options(&o, count, words)) return usage();
    if (o.file && strcmp(o.file, "-") != 0 && !(file = fopen(o.file, "rb"))) {
        perror(o.file);
        return 1;
    }
    if (o.watch) return run_watch(&o, file) || fflush(stdout) != 0;
    open_source(&in, &o);
    open_printer(&out, &o);
    result = run(&in, &out, &o, file);
    if (fflush(stdout) != 0) result = 1;
    elelem_recorder_free(&out.recorder);
    elelem_event_builder_free(&out.builder);
    elelem_buffer_free(&out.text);
    elelem_buffer_free(&out.type);
    elelem_replayer_free(&in.replayer);
    elelem_stream_free(&in.stream);
    if (file != stdin) fclose(file);
    return result;
}
