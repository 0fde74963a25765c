/* instructions: the work that bench/instructions.sh counts. Documents and streams of our own, and if the recordings are
 * at hand, those too; each pushed in pieces of several sizes. Every call of counted_work is one row. Prints for each row its
 * name, the size of the pieces, and the bytes by which the count is divided.
 *
 *     build/instructions [ROW]     all rows, or those whose name and piece begin so: "small objects,16"
 */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"
#include "frames.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENT_BYTES 100000
#define RECORDED_BYTES 250000 /* of one document from the recordings, or of all those of a shape */
#define RECORDINGS_MAX 1000
#define WHOLE ((size_t)1 << 30)

typedef struct text {
    char *data;
    size_t size;
} text;

static int has_failed;

/* Texts of our own. */

static void add(text *t, const char *more)
{
    size_t size = strlen(more);

    memcpy(t->data + t->size, more, size + 1);
    t->size += size;
}

static text empty_text(void)
{
    text t;

    t.data = (char *)malloc(DOCUMENT_BYTES + 100000);
    t.size = 0;
    if (!t.data) exit(2);
    return t;
}

/* The start, then the patterns in turn until the document is large enough, then the end. */
static text repeated(const char *start, const char *const *patterns, size_t count, const char *end)
{
    text t = empty_text();
    size_t i;

    add(&t, start);
    for (i = 0; t.size < DOCUMENT_BYTES; i++)
        add(&t, patterns[i % count]);
    add(&t, end);
    return t;
}

static const char *const source_lines[] = {
    "    if (value == NULL) return -1;   /* nothing to do */\\n",
    "    printf(\\\"%d of %d done so far\\\", count, total);\\n",
    "static int compute_something_useful(int first, int second)\\n",
    "    result = first * second + offset_of(result) - 17;\\n",
};
static const char *const russian[] = { "Съешь ещё этих мягких французских булок. " };
static const char *const chinese[] = { "天地玄黄宇宙洪荒日月盈昃辰宿列张，" };
static const char *const plain[] = { "The quick brown fox jumps over it. " };
static const char *const arguments[] = {
    ",{\"path\":\"src/level.lua\",\"line\":12,\"flags\":[true,false,null],\"edit\":{\"old\":\"speed = 4\",\"new\":\"speed = 5\"}}",
};
static const char *const indented[] = {
    ",\n    {\n        \"area\": 411235987,\n        \"names\": [\n            \"left\",\n            \"right \\u00e9\"\n        ],\n"
    "        \"prices\": [\n            {\n                \"amount\": 71500,\n                \"seat\": 1024\n            }\n        ],\n"
    "        \"logo\": null,\n        \"open\": true\n    }",
};
static const char *const doubles[] = { ",[-12.345678901234567,48.137154000000042]", ",[-12.351902999999918,48.139001999999987]",
                                       ",[12,-0.5e3]" };

static text document_of(unsigned which)
{
    switch (which) {
    case 0: return repeated("{\"path\":\"src/main.c\",\"content\":\"", source_lines, 4, "\"}");
    case 1: return repeated("\"", plain, 1, "\"");
    case 2: return repeated("\"", russian, 1, "\"");
    case 3: return repeated("\"", chinese, 1, "\"");
    case 4: return repeated("[0", arguments, 1, "]");
    case 5: return repeated("[\n    0", indented, 1, "\n]");
    default: return repeated("[0", doubles, 3, "]");
    }
}

static const char *const document_names[] = { "tool arguments", "plain text", "Russian", "Chinese", "small objects", "indented",
                                              "numbers" };

#define STREAMS (sizeof streams / sizeof *streams)

static void add_frame(text *t, const char *frame, unsigned number)
{
    char piece[64];

    for (; *frame; frame++) {
        if (*frame == '@') snprintf(piece, sizeof piece, "%s", stream_words[number++ * 7 % 8]);
        else if (*frame == '#') snprintf(piece, sizeof piece, "%u", number);
        else snprintf(piece, sizeof piece, "%c", *frame);
        add(t, piece);
    }
}

static text body_of(const stream_text *s)
{
    text t = empty_text();
    unsigned i;

    add(&t, s->start);
    for (i = 0; t.size < DOCUMENT_BYTES; i++)
        add_frame(&t, s->frame, i);
    add(&t, s->end);
    return t;
}

/* Recordings. */

static text read_file(const char *folder, const char *name)
{
    const char *corpus = getenv("ELELEM_CORPUS");
    char path[2000];
    text t = { NULL, 0 };
    FILE *file;

    snprintf(path, sizeof path, "%s/%s/%s", corpus ? corpus : "../shared/corpus", folder, name);
    file = fopen(path, "rb");
    if (!file) return t;
    t.data = (char *)malloc(4000000);
    if (t.data) t.size = fread(t.data, 1, 4000000, file);
    fclose(file);
    return t;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((const char *)a, (const char *)b);
}

static const char *recordings_of(const char *shape)
{
    static char folder[100];

    snprintf(folder, sizeof folder, "%s%s", strcmp(shape, "interactions") == 0 ? "" : "streams/", shape);
    return folder;
}

static int is_stream(const char *name)
{
    size_t size = strlen(name);

    return size > 4 && strcmp(name + size - 4, ".sse") == 0;
}

/* Some recordings of a shape, spread over all of them by name. Returns how many. */
static size_t read_recordings(text *all, const char *shape)
{
    static char names[RECORDINGS_MAX][256];
    char folder[2000];
    const char *corpus = getenv("ELELEM_CORPUS");
    struct dirent *entry;
    size_t i, found = 0, count = 0, bytes = 0;
    DIR *files;

    snprintf(folder, sizeof folder, "%s/%s", corpus ? corpus : "../shared/corpus", recordings_of(shape));
    files = opendir(folder);
    while (files && found < RECORDINGS_MAX && (entry = readdir(files)) != NULL)
        if (is_stream(entry->d_name) && strlen(entry->d_name) < sizeof names[0]) strcpy(names[found++], entry->d_name);
    if (files) closedir(files);
    qsort(names, found, sizeof names[0], compare_names);
    snprintf(folder, sizeof folder, "%s", recordings_of(shape));
    for (i = 0; i < found && bytes < RECORDED_BYTES; i++) {
        text t = read_file(folder, names[i * 7 % found]);
        if (t.size > 0 && t.size < RECORDED_BYTES / 4) {
            bytes += t.size;
            all[count++] = t;
        } else {
            free(t.data);
        }
    }
    return count;
}

/* The work. */

typedef struct work {
    elelem_fragment_parser parser;
    elelem_stream stream;
    int makes_doubles;
    size_t tally;
} work;

static size_t cut(const text *t, size_t at, size_t piece)
{
    return piece < t->size - at ? piece : t->size - at;
}

static void take_fragments(work *w)
{
    elelem_fragment fragment;
    double number = 0;

    while (elelem_fragment_parser_next(&w->parser, &fragment) == ELELEM_OK) {
        w->tally += fragment.text.size + fragment.kind;
        if (!w->makes_doubles || fragment.kind != ELELEM_FRAGMENT_SCALAR) continue;
        if (elelem_number_to_double(fragment.text, &number) == ELELEM_OK) w->tally += number > 1;
    }
}

static void parse(work *w, const text *t, size_t piece)
{
    size_t at;

    elelem_fragment_parser_reset(&w->parser);
    for (at = 0; at < t->size; at += cut(t, at, piece)) {
        if (elelem_fragment_parser_push(&w->parser, t->data + at, cut(t, at, piece)) != ELELEM_OK) has_failed = 1;
        take_fragments(w);
    }
}

static void take_events(work *w)
{
    elelem_event event;

    while (elelem_stream_next(&w->stream, &event) == ELELEM_OK)
        w->tally += event.kind;
}

static void stream(work *w, const text *t, size_t piece)
{
    size_t at;

    elelem_stream_reset(&w->stream);
    for (at = 0; at < t->size; at += cut(t, at, piece)) {
        elelem_stream_push(&w->stream, t->data + at, cut(t, at, piece));
        take_events(w);
    }
    elelem_stream_finish(&w->stream);
    take_events(w);
}

typedef void (*work_on)(work *w, const text *t, size_t piece);

/* Called through a pointer, so that the compiler makes no other versions of it, which have other names. */
void counted_work(work *w, work_on on, const text *texts, size_t count, size_t piece);

void counted_work(work *w, work_on on, const text *texts, size_t count, size_t piece)
{
    size_t i;

    for (i = 0; i < count; i++)
        on(w, &texts[i], piece);
}

static void (*volatile counted)(work *w, work_on on, const text *texts, size_t count, size_t piece) = counted_work;
static const char *only = "";

static void row(work *w, const char *name, const char *of, work_on on, const text *texts, size_t count, size_t piece)
{
    char full[200];
    size_t i, bytes = 0;

    if (piece == WHOLE) snprintf(full, sizeof full, "%s%s,whole", name, of);
    else snprintf(full, sizeof full, "%s%s,%zu", name, of, piece);
    if (strncmp(full, only, strlen(only)) != 0) return;
    for (i = 0; i < count; i++)
        bytes += texts[i].size;
    if (bytes == 0) return;
    counted(w, on, texts, count, piece);
    printf("%s,%zu\n", full, bytes);
}

static void json_rows(const char *name, text t)
{
    static const size_t pieces[] = { 1, 8, 16, 64, 1024, WHOLE };
    static work w;
    size_t i;

    elelem_fragment_parser_init(&w.parser, NULL);
    for (i = 0; i < 6; i++)
        row(&w, name, "", parse, &t, 1, pieces[i]);
    w.makes_doubles = strcmp(name, "numbers") == 0 || strcmp(name, "canada") == 0;
    for (i = 0; i < 6 && w.makes_doubles; i++)
        row(&w, name, " to doubles", parse, &t, 1, pieces[i]);
    if (elelem_fragment_parser_error(&w.parser).status != ELELEM_OK) has_failed = 1;
    elelem_fragment_parser_free(&w.parser);
    free(t.data);
}

static void stream_rows(const stream_text *s, const char *of, const text *texts, size_t count)
{
    static const size_t pieces[] = { 64, 1024, 16384 };
    static work w;
    elelem_stream_desc desc = ELELEM_INIT;
    char name[100];
    size_t i, without;

    for (without = 0; without < 2; without++) {
        desc.shape = s->shape;
        desc.without_provider_items = (uint8_t)without;
        elelem_stream_init(&w.stream, &desc);
        snprintf(name, sizeof name, "%s %s", of, s->name);
        for (i = 0; i < 3; i++)
            row(&w, name, without ? " without items" : "", stream, texts, count, pieces[i]);
        elelem_stream_free(&w.stream);
    }
}

int main(int count, char **words)
{
    static const char *const files[] = { "twitter", "citm_catalog", "canada" };
    static text recordings[RECORDINGS_MAX];
    char name[100];
    size_t i, n;
    text t;

    if (count > 1) only = words[1];
    for (i = 0; i < sizeof document_names / sizeof *document_names; i++)
        json_rows(document_names[i], document_of((unsigned)i));
    for (i = 0; i < STREAMS; i++) {
        t = body_of(&streams[i]);
        stream_rows(&streams[i], "stream", &t, 1);
        free(t.data);
    }
    for (i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s.json", files[i]);
        t = read_file("bench", name);
        if (t.size > RECORDED_BYTES) t.size = RECORDED_BYTES;
        if (t.size > 0) json_rows(files[i], t);
    }
    for (i = 0; i < STREAMS; i++) {
        n = read_recordings(recordings, streams[i].name);
        stream_rows(&streams[i], "recorded", recordings, n);
        while (n > 0)
            free(recordings[--n].data);
    }
    if (has_failed) fprintf(stderr, "a document was not parsed\n");
    return has_failed;
}
