/* elelem-json: prints the fragments of a JSON document as soon as they are known, one per line.
 *
 *     $ printf '{"old":["x",1]}' | elelem-json
 *     {"path":[],"kind":"begin","type":"object"}
 *     {"path":["old"],"kind":"begin","type":"array"}
 *     {"path":["old",0],"kind":"string","text":"x"}
 *     {"path":["old",0],"kind":"done","type":"string"}
 *     {"path":["old",1],"kind":"scalar","value":1}
 *     {"path":["old",1],"kind":"done","type":"number"}
 *     {"path":["old"],"kind":"done","type":"array"}
 *     {"path":[],"kind":"done","type":"object"}
 *
 * Exit 0 if the input is one JSON document; 1 if it is not, if it cannot be read, or if the
 * output cannot be written; 2 usage.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_BYTES 65536
#define SHOWN_BYTES 60 /* of the line, on either side of an error */

/* Bytes kept for the next read. An error may be found a character late, and its line may
   need another read before it can be shown. */
#define KEPT_BYTES (2 * SHOWN_BYTES + 8)

typedef struct options {
    const char *file; /* null or "-": standard input */
    size_t chunk;     /* bytes per push; 0: as read */
    int join;
    int value;
    int help;
} options;

/* The input: the end of what was read before, and what was read last. */
typedef struct input {
    FILE *file;
    char bytes[KEPT_BYTES + READ_BYTES];
    size_t kept;
    size_t size;    /* including what is kept */
    uint64_t start; /* offset of bytes[0] in the whole input */
} input;

typedef struct output {
    elelem_writer line;
    int in_text; /* the line of a string is open: more of its text may come */
    int join;
    int collect; /* --value */
    elelem_fragment_aggregator value;
} output;

/* Output. */

static elelem_status write_to_stdout(void *context, const void *bytes, size_t size)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) == size ? ELELEM_OK : ELELEM_ERROR_SINK;
}

static elelem_status write_to_stderr(void *context, const void *bytes, size_t size)
{
    (void)context;
    return fwrite(bytes, 1, size, stderr) == size ? ELELEM_OK : ELELEM_ERROR_SINK;
}

static elelem_sink sink_of(elelem_status (*write)(void *context, const void *bytes, size_t size))
{
    elelem_sink sink;

    sink.write = write;
    sink.context = NULL;
    return sink;
}

static void write_path(elelem_writer *writer, const elelem_path *path)
{
    size_t i;

    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (i = 0; i < path->count; i++) {
        const elelem_segment *segment = &path->segments[i];
        if (segment->key.data)
            elelem_writer_string(writer, segment->key);
        else
            elelem_writer_uint64(writer, segment->index);
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

static void begin_line(output *out, const elelem_fragment *fragment, const char *kind, const char *key)
{
    elelem_writer_init(&out->line, sink_of(write_to_stdout), 0);
    elelem_writer_begin(&out->line, ELELEM_TYPE_OBJECT);
    elelem_writer_key(&out->line, elelem_str_of("path"));
    write_path(&out->line, fragment->path);
    elelem_writer_key(&out->line, elelem_str_of("kind"));
    elelem_writer_string(&out->line, elelem_str_of(kind));
    elelem_writer_key(&out->line, elelem_str_of(key));
}

static elelem_status end_line(output *out)
{
    elelem_status status = elelem_writer_end(&out->line, ELELEM_TYPE_OBJECT);

    return status == ELELEM_OK ? write_to_stdout(NULL, "\n", 1) : status;
}

/* Ends the line of a string, if one is open. */
static elelem_status end_text(output *out)
{
    if (!out->in_text) return ELELEM_OK;
    out->in_text = 0;
    elelem_writer_string_end(&out->line);
    return end_line(out);
}

static elelem_status print_text(output *out, const elelem_fragment *fragment)
{
    if (!out->in_text) {
        begin_line(out, fragment, "string", "text");
        elelem_writer_string_begin(&out->line);
        out->in_text = 1;
    }
    elelem_writer_string_piece(&out->line, fragment->text);
    return out->join ? elelem_writer_error(&out->line).status : end_text(out);
}

static elelem_status print_fragment(output *out, const elelem_fragment *fragment)
{
    elelem_status status;

    if (fragment->kind == ELELEM_FRAGMENT_STRING) return print_text(out, fragment);
    status = end_text(out);
    if (status != ELELEM_OK) return status;
    if (fragment->kind == ELELEM_FRAGMENT_SCALAR) {
        begin_line(out, fragment, "scalar", "value");
        elelem_writer_json(&out->line, fragment->text);
    } else {
        begin_line(out, fragment, fragment->kind == ELELEM_FRAGMENT_BEGIN ? "begin" : "done", "type");
        elelem_writer_string(&out->line, elelem_str_of(elelem_type_name(fragment->type)));
    }
    return end_line(out);
}

static elelem_status print_value(output *out)
{
    elelem_status status;

    elelem_writer_init(&out->line, sink_of(write_to_stdout), 0);
    status = elelem_writer_value(&out->line, elelem_fragment_aggregator_value(&out->value));
    return status == ELELEM_OK ? write_to_stdout(NULL, "\n", 1) : status;
}

/* Input. */

/* Reads more, after the last bytes of what was read before. Returns 0 at the end. */
static int read_more(input *in)
{
    size_t kept = in->size < KEPT_BYTES ? in->size : KEPT_BYTES;
    size_t more;

    memmove(in->bytes, in->bytes + in->size - kept, kept);
    in->start += in->size - kept;
    in->kept = kept;
    more = fread(in->bytes + kept, 1, READ_BYTES, in->file);
    in->size = kept + more;
    return more > 0;
}

/* How an error looks in its line. */

/* The size of the character at the front of the text, and whether it is safe to show. */
static size_t character_of(const char *text, size_t size, int *is_shown)
{
    size_t more = 1;
    unsigned char byte = (unsigned char)text[0];
    elelem_str character;

    while (byte >= 0xc0 && more < 4 && more < size && ((unsigned char)text[more] & 0xc0) == 0x80)
        more++;
    character.data = text;
    character.size = more;
    *is_shown = byte >= 0x20 && byte != 0x7f && elelem_utf8_valid(character) == more;
    if (*is_shown && byte == 0xc2 && (unsigned char)text[1] < 0xa0) *is_shown = 0;
    return *is_shown ? more : 1;
}

/* Prints text with a mark for each byte that cannot be shown. Returns the number of characters printed. */
static int print_shown(const char *text, size_t size)
{
    int is_shown, count = 0;

    for (; size > 0; count++) {
        size_t character = character_of(text, size, &is_shown);
        if (is_shown)
            fwrite(text, 1, character, stderr);
        else
            fputc(*text == '\t' ? ' ' : '?', stderr);
        text += character;
        size -= character;
    }
    return count;
}

static int is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static int is_line_end(char byte)
{
    return byte == '\n' || byte == '\r';
}

/* Prints up to SHOWN_BYTES of the line on either side of `at`, and a caret below. */
static void print_line(const input *in, size_t at)
{
    size_t begin = at, end = at;
    int column;

    while (begin > 0 && at - begin < SHOWN_BYTES && !is_line_end(in->bytes[begin - 1]))
        begin--;
    while (begin < at && is_inside_character(in->bytes[begin]))
        begin++;
    while (end < in->size && end - at < SHOWN_BYTES && !is_line_end(in->bytes[end]))
        end++;
    while (end > at && end < in->size && is_inside_character(in->bytes[end]))
        end--;
    if (begin == end) return;
    fputs("  ", stderr);
    column = print_shown(in->bytes + begin, at - begin);
    print_shown(in->bytes + at, end - at);
    fprintf(stderr, "\n  %*s^\n", column, "");
}

/* Shows the line of an error. Reads the rest of the line first, so that what is shown does not
   depend on the end of a read. */
static void show_line(input *in, uint64_t offset)
{
    if (in->start + in->size < offset + SHOWN_BYTES) read_more(in);
    if (offset < in->start || offset - in->start > in->size) return;
    print_line(in, (size_t)(offset - in->start));
}

static void complain(elelem_error error)
{
    fprintf(stderr, "elelem-json: %s at byte %llu: %s\n", elelem_status_name(error.status),
            (unsigned long long)error.offset, error.message);
}

static void complain_of_input(const elelem_fragment_parser *parser, input *in)
{
    elelem_error error = elelem_fragment_parser_error(parser);
    elelem_writer writer;

    complain(error);
    fputs("  at ", stderr);
    elelem_writer_init(&writer, sink_of(write_to_stderr), 0);
    write_path(&writer, elelem_fragment_parser_path(parser));
    fputc('\n', stderr);
    show_line(in, error.offset);
}

/* The loop. */

/* Takes all fragments there are now. Returns MORE, END or the error; ERROR_SINK if the output fails. */
static elelem_status drain(elelem_fragment_parser *parser, output *out)
{
    elelem_fragment fragment;
    elelem_status status;

    while ((status = elelem_fragment_parser_next(parser, &fragment)) == ELELEM_OK) {
        status = out->collect ? elelem_fragment_aggregator_push(&out->value, &fragment) : print_fragment(out, &fragment);
        if (status != ELELEM_OK) return status;
    }
    return status;
}

static elelem_status feed(elelem_fragment_parser *parser, output *out, const char *bytes, size_t size, size_t chunk)
{
    elelem_status status = ELELEM_MORE;

    while (size > 0 && status == ELELEM_MORE) {
        size_t piece = chunk > 0 && chunk < size ? chunk : size;
        elelem_fragment_parser_push(parser, bytes, piece);
        status = drain(parser, out);
        bytes += piece;
        size -= piece;
    }
    return status;
}

static elelem_status run(elelem_fragment_parser *parser, output *out, input *in, const options *o)
{
    elelem_status status = ELELEM_MORE;

    while (status == ELELEM_MORE && read_more(in)) {
        status = feed(parser, out, in->bytes + in->kept, in->size - in->kept, o->chunk);
        if (fflush(stdout) != 0) return ELELEM_ERROR_SINK;
    }
    if (status != ELELEM_MORE || ferror(in->file)) return status;
    elelem_fragment_parser_finish(parser);
    return drain(parser, out);
}

/* Reports an error, if there was one. Returns the exit code. */
static int conclude(elelem_fragment_parser *parser, output *out, input *in, elelem_status status)
{
    if (!out->collect && end_text(out) != ELELEM_OK) status = ELELEM_ERROR_SINK;
    if (status == ELELEM_END && out->collect) status = print_value(out) == ELELEM_OK ? ELELEM_END : ELELEM_ERROR_SINK;
    if (fflush(stdout) != 0) status = ELELEM_ERROR_SINK;
    if (status == ELELEM_END) return 0;
    if (ferror(in->file))
        fprintf(stderr, "elelem-json: the input cannot be read: %s\n", strerror(errno));
    else if (elelem_fragment_parser_error(parser).status != ELELEM_OK)
        complain_of_input(parser, in);
    else {
        elelem_error error;
        error.status = status;
        error.offset = elelem_fragment_parser_offset(parser);
        error.message = elelem_status_sentence(status);
        complain(error);
    }
    return 1;
}

static int run_file(FILE *file, const options *o)
{
    static input in;
    static output out;
    static elelem_fragment_parser parser;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_aggregator_desc value = ELELEM_INIT;
    int result;

    in.file = file;
    out.join = o->join;
    out.collect = o->value;
    desc.single_document = 1;
    value.max_bytes = UINT32_MAX;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_fragment_aggregator_init(&out.value, &value);
    result = conclude(&parser, &out, &in, run(&parser, &out, &in, o));
    elelem_fragment_aggregator_free(&out.value);
    elelem_fragment_parser_free(&parser);
    return result;
}

/* The command line. */

static const char usage[] = "usage: elelem-json [--chunk N] [--join] [--value] [FILE]\n"
                            "  prints the fragments of a JSON document, one a line\n"
                            "  --chunk N  push N bytes at a time, not as they are read\n"
                            "  --join     print each string in one piece\n"
                            "  --value    print the finished value instead\n";

static int read_size(const char *text, size_t *size)
{
    char *end;

    if (!text || *text < '0' || *text > '9') return 0;
    *size = (size_t)strtoul(text, &end, 10);
    return !*end;
}

static int read_options(options *o, int count, char **words)
{
    int i;

    for (i = 1; i < count; i++) {
        if (strcmp(words[i], "--join") == 0) o->join = 1;
        else if (strcmp(words[i], "--value") == 0) o->value = 1;
        else if (strcmp(words[i], "--help") == 0) o->help = 1;
        else if (strcmp(words[i], "--chunk") == 0) {
            if (!read_size(i + 1 < count ? words[++i] : NULL, &o->chunk)) return 0;
        } else {
            if (o->file || (words[i][0] == '-' && words[i][1] != '\0')) return 0;
            o->file = words[i];
        }
    }
    return 1;
}

int main(int count, char **words)
{
    options o = ELELEM_INIT;
    FILE *file = stdin;
    int result;

    if (!read_options(&o, count, words)) {
        fputs(usage, stderr);
        return 2;
    }
    if (o.help) return fputs(usage, stdout) < 0;
    if (o.file && strcmp(o.file, "-") != 0) file = fopen(o.file, "rb");
    if (!file) {
        fprintf(stderr, "elelem-json: %s: %s\n", o.file, strerror(errno));
        return 1;
    }
    result = run_file(file, &o);
    if (file != stdin) fclose(file);
    return result;
}
