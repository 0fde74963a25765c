/* elelem-events: the event stream of a provider's answer, as record lines.
 *
 *     curl -N … | elelem-events --shape chat
 *
 * Exit 0 where the stream was read to its end, also when that end is an error event;
 * 1 where the input cannot be read or the output not be written; 2 usage.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_BYTES 65536

typedef struct options {
    const elelem_shape *shape;
    const char *file; /* null or "-": standard input */
    size_t chunk;     /* bytes a push; 0: as read */
    int status;
    int broken;
    int join;
    int structured;
    const char *headers[64];
    int header_count;
} options;

/* The output: record lines, with adjacent chunks joined on request. */
typedef struct printer {
    elelem_recorder recorder;
    elelem_buffer text;   /* of the part that waits */
    elelem_event waiting; /* its other fields */
    int is_waiting;
    int join;
} printer;

static int usage(void)
{
    fputs("usage: elelem-events --shape chat|responses|messages|gemini [--status CODE] [--header 'NAME: VALUE']...\n"
          "                     [--broken] [--structured] [--chunk N] [--join] [FILE]\n",
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

/* Only plain chunks are joined: what carries metadata or starts a call stays by itself. */
static int is_plain_chunk(const elelem_event *event)
{
    if (event->kind != ELELEM_EVENT_PART || event->metadata.count > 0) return 0;
    return event->part.kind != ELELEM_PART_TOOL_CALL || event->part.tool_call.kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
}

static int goes_on(const elelem_event *a, const elelem_event *b)
{
    return a->index == b->index && a->choice == b->choice && a->part.kind == b->part.kind;
}

static elelem_status print_waiting(printer *out)
{
    if (!out->is_waiting) return ELELEM_OK;
    out->is_waiting = 0;
    *chunk_of(&out->waiting) = elelem_buffer_text(&out->text);
    return elelem_recorder_push(&out->recorder, &out->waiting);
}

static elelem_status print_event(printer *out, elelem_event *event)
{
    elelem_status status;

    if (out->join && is_plain_chunk(event)) {
        elelem_str chunk = *chunk_of(event);
        if (!out->is_waiting || !goes_on(&out->waiting, event)) {
            status = print_waiting(out);
            if (status != ELELEM_OK) return status;
            elelem_buffer_clear(&out->text);
            out->waiting = *event;
            out->is_waiting = 1;
        }
        return elelem_buffer_append(&out->text, chunk.data, chunk.size);
    }
    status = print_waiting(out);
    return status == ELELEM_OK ? elelem_recorder_push(&out->recorder, event) : status;
}

static elelem_status drain(elelem_stream *stream, printer *out)
{
    elelem_event event;
    elelem_status status;

    while ((status = elelem_stream_next(stream, &event)) == ELELEM_OK) {
        status = print_event(out, &event);
        if (status < 0) return status;
    }
    return status;
}

static elelem_status feed(elelem_stream *stream, printer *out, const char *bytes, size_t size, size_t chunk)
{
    while (size > 0) {
        size_t piece = chunk > 0 && chunk < size ? chunk : size;
        elelem_status status;
        elelem_stream_push(stream, bytes, piece);
        status = drain(stream, out);
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

/* Reads the file to its end, also behind the end of the stream. */
static int run(elelem_stream *stream, printer *out, const options *o, FILE *file)
{
    static char bytes[READ_BYTES];
    size_t size;
    elelem_status status = ELELEM_MORE;

    while (status >= 0 && (size = fread(bytes, 1, sizeof bytes, file)) > 0)
        status = feed(stream, out, bytes, size, o->chunk);
    if (ferror(file)) {
        perror("elelem-events");
        return 1;
    }
    if (o->broken)
        elelem_stream_fail(stream, ELELEM_ERROR_KIND_CONNECT);
    else
        elelem_stream_finish(stream);
    if (status >= 0) status = drain(stream, out);
    if (status >= 0 && print_waiting(out) < 0) status = ELELEM_ERROR_SINK;
    if (status < 0) fprintf(stderr, "elelem-events: %s\n", elelem_status_sentence(status));
    return status < 0;
}

static const elelem_shape *shape_named(const char *name)
{
    static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_messages, &elelem_shape_responses };
    size_t i;

    for (i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(name, shapes[i]->name) == 0) return shapes[i];
    return NULL;
}

/* Options that take a value; 0 where the option is none of them or its value is not good. */
static int read_value_option(options *o, const char *name, const char *value)
{
    if (!value) return 0;
    if (strcmp(name, "--shape") == 0) return (o->shape = shape_named(value)) != NULL;
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
        else if (strcmp(words[i], "--join") == 0) o->join = 1;
        else if (strcmp(words[i], "--structured") == 0) o->structured = 1;
        else if (words[i][0] != '-' || words[i][1] == 0) {
            if (o->file) return 0;
            o->file = words[i];
        } else {
            if (!read_value_option(o, words[i], i + 1 < count ? words[i + 1] : NULL)) return 0;
            i++;
        }
    }
    return o->shape != NULL;
}

int main(int count, char **words)
{
    options o = ELELEM_INIT;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_recorder_desc recorder = ELELEM_INIT;
    elelem_allocator allocator = ELELEM_INIT;
    static elelem_stream stream;
    static printer out;
    FILE *file = stdin;
    int result;

    if (!read_options(&o, count, words)) return usage();
    if (o.file && strcmp(o.file, "-") != 0 && !(file = fopen(o.file, "rb"))) {
        perror(o.file);
        return 1;
    }
    desc.shape = o.shape;
    desc.structured = (uint8_t)o.structured;
    elelem_stream_init(&stream, &desc);
    if (o.status > 0) elelem_stream_http_status(&stream, o.status);
    tell_headers(&stream, &o);
    recorder.sink.write = write_to_stdout;
    elelem_recorder_init(&out.recorder, &recorder);
    elelem_buffer_init(&out.text, allocator, 0);
    out.join = o.join;
    result = run(&stream, &out, &o, file);
    if (fflush(stdout) != 0) result = 1;
    elelem_recorder_free(&out.recorder);
    elelem_buffer_free(&out.text);
    elelem_stream_free(&stream);
    if (file != stdin) fclose(file);
    return result;
}
