/* bench_stream: how fast a provider's bytes become events. All recordings of a shape, one
 * stream after another, pushed in pieces of several sizes; for comparison, how fast their
 * frames are only decoded, and only decoded and parsed. Process CPU time, rounds
 * interleaved, the median of each.
 *
 *     build/bench_stream [CORPUS]                     the folder with chat/, responses/, ...
 *     build/bench_stream --once SHAPE WORK PIECE      once, for count.sh: counted, not timed
 */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RECORDINGS_MAX 400
#define ROUNDS 11
#define ROUND_SECONDS 0.02

typedef struct recordings {
    char *bodies[RECORDINGS_MAX];
    size_t sizes[RECORDINGS_MAX];
    size_t count;
    size_t bytes;
} recordings;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reading the recordings. */

static void read_recording(recordings *r, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *body;
    long size;

    if (!file) return;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    body = (char *)malloc((size_t)size + 1);
    if (body && fread(body, 1, (size_t)size, file) == (size_t)size) {
        r->bodies[r->count] = body;
        r->sizes[r->count++] = (size_t)size;
        r->bytes += (size_t)size;
    }
    fclose(file);
}

static void read_recordings(recordings *r, const char *corpus, const char *shape)
{
    char path[2000];
    struct dirent *entry;
    DIR *folder;

    r->count = r->bytes = 0;
    snprintf(path, sizeof path, "%s/%s", corpus, shape);
    folder = opendir(path);
    while (folder && r->count < RECORDINGS_MAX && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s/%s", corpus, shape, entry->d_name);
        read_recording(r, path);
    }
    if (folder) closedir(folder);
}

static void free_recordings(recordings *r)
{
    while (r->count > 0)
        free(r->bodies[--r->count]);
}

/* The kinds of work. Each takes one body in pieces and adds its results to the tally. */

typedef struct bench {
    elelem_stream stream;
    elelem_sse_decoder decoder;
    elelem_fragment_parser parser;
    size_t tally;
} bench;

typedef void (*work)(bench *b, const char *body, size_t size, size_t piece);

static size_t cut(size_t size, size_t at, size_t piece)
{
    return piece < size - at ? piece : size - at;
}

static void decode(bench *b, const char *body, size_t size, size_t piece)
{
    elelem_frame frame;
    size_t at;

    elelem_sse_decoder_reset(&b->decoder);
    for (at = 0; at < size; at += cut(size, at, piece)) {
        elelem_sse_decoder_push(&b->decoder, body + at, cut(size, at, piece));
        while (elelem_sse_decoder_next(&b->decoder, &frame) == ELELEM_OK)
            b->tally += frame.text.size;
    }
}

static void decode_and_parse(bench *b, const char *body, size_t size, size_t piece)
{
    elelem_frame frame;
    elelem_fragment fragment;
    size_t at;

    elelem_sse_decoder_reset(&b->decoder);
    elelem_fragment_parser_reset(&b->parser);
    for (at = 0; at < size; at += cut(size, at, piece)) {
        elelem_sse_decoder_push(&b->decoder, body + at, cut(size, at, piece));
        while (elelem_sse_decoder_next(&b->decoder, &frame) == ELELEM_OK) {
            if (frame.kind == ELELEM_FRAME_DISPATCH) elelem_fragment_parser_reset(&b->parser);
            if (frame.kind != ELELEM_FRAME_DATA) continue;
            elelem_fragment_parser_push(&b->parser, frame.text.data, frame.text.size);
            while (elelem_fragment_parser_next(&b->parser, &fragment) == ELELEM_OK)
                b->tally += fragment.text.size;
        }
    }
}

static void stream(bench *b, const char *body, size_t size, size_t piece)
{
    elelem_event event;
    size_t at;

    elelem_stream_reset(&b->stream);
    for (at = 0; at < size; at += cut(size, at, piece)) {
        elelem_stream_push(&b->stream, body + at, cut(size, at, piece));
        while (elelem_stream_next(&b->stream, &event) == ELELEM_OK)
            b->tally += event.kind;
    }
    elelem_stream_finish(&b->stream);
    while (elelem_stream_next(&b->stream, &event) == ELELEM_OK)
        b->tally += event.kind;
}

static const struct {
    const char *name;
    work work;
} works[] = {
    { "decoded", decode },
    { "parsed", decode_and_parse },
    { "events", stream },
};

#define WORKS (sizeof works / sizeof *works)

static const elelem_shape *const shapes[] = {
    &elelem_shape_chat,
    &elelem_shape_responses,
    &elelem_shape_messages,
    &elelem_shape_gemini,
};

#define SHAPES (sizeof shapes / sizeof *shapes)

static void open_bench(bench *b, const elelem_shape *shape)
{
    elelem_stream_desc desc = ELELEM_INIT;

    desc.shape = shape;
    elelem_stream_init(&b->stream, &desc);
    elelem_sse_decoder_init(&b->decoder, NULL);
    elelem_fragment_parser_init(&b->parser, NULL);
    b->tally = 0;
}

static void close_bench(bench *b)
{
    elelem_stream_free(&b->stream);
    elelem_sse_decoder_free(&b->decoder);
    elelem_fragment_parser_free(&b->parser);
}

#if defined(__GNUC__)
__attribute__((noinline))
#endif
static void counted(bench *b, const recordings *r, work work, size_t piece)
{
    size_t i;

    for (i = 0; i < r->count; i++)
        work(b, r->bodies[i], r->sizes[i], piece);
}

/* MB a second over one round. */
static double measure(bench *b, const recordings *r, work work, size_t piece)
{
    double start = now();
    double seconds = 0;
    size_t times = 0;

    while (seconds < ROUND_SECONDS) {
        counted(b, r, work, piece);
        times++;
        seconds = now() - start;
    }
    return (double)(r->bytes * times) / seconds / 1e6;
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a;
    double two = *(const double *)b;

    return (one > two) - (one < two);
}

static void bench_shape(const elelem_shape *shape, const char *corpus)
{
    static const size_t pieces[] = { 16, 64, 1024, (size_t)1 << 30 };
    static double rates[WORKS][4][ROUNDS];
    static recordings r;
    static bench b;
    size_t round, i, p;

    read_recordings(&r, corpus, shape->name);
    if (r.count == 0) return;
    open_bench(&b, shape);
    for (round = 0; round < ROUNDS; round++)
        for (i = 0; i < WORKS; i++)
            for (p = 0; p < 4; p++)
                rates[i][p][round] = measure(&b, &r, works[i].work, pieces[p]);
    for (i = 0; i < WORKS; i++) {
        printf("%-10s %-8s", shape->name, works[i].name);
        for (p = 0; p < 4; p++) {
            qsort(rates[i][p], ROUNDS, sizeof(double), compare);
            printf(" %8.0f", rates[i][p][ROUNDS / 2]);
        }
        puts("");
    }
    close_bench(&b);
    free_recordings(&r);
}

static int once(const char *corpus, char **words)
{
    static recordings r;
    static bench b;
    size_t i, s;

    for (s = 0; s < SHAPES && strcmp(shapes[s]->name, words[0]) != 0; s++)
        ;
    for (i = 0; i < WORKS && strcmp(works[i].name, words[1]) != 0; i++)
        ;
    if (s == SHAPES || i == WORKS) return 2;
    read_recordings(&r, corpus, shapes[s]->name);
    open_bench(&b, shapes[s]);
    counted(&b, &r, works[i].work, (size_t)atol(words[2]));
    printf("bytes %zu tally %zu\n", r.bytes, b.tally);
    close_bench(&b);
    free_recordings(&r);
    return 0;
}

int main(int count, char **words)
{
    static char corpus[1000];
    const char *folder = getenv("ELELEM_CORPUS");
    size_t s;

    snprintf(corpus, sizeof corpus, "%s/streams", folder ? folder : "../shared/corpus");
    if (count == 5 && strcmp(words[1], "--once") == 0) return once(corpus, words + 2);
    if (count > 1) snprintf(corpus, sizeof corpus, "%s", words[1]);
    printf("MB/s, in pieces of %15s %8s %8s %8s\n", "16 B", "64 B", "1 KB", "whole");
    for (s = 0; s < SHAPES; s++)
        bench_shape(shapes[s], corpus);
    return 0;
}
