/* elelem-resume: copies a stream of record lines, and resumes a copy that was stopped.
 *
 *     elelem-resume [--stop BYTES] COPY < SOURCE
 *
 * SOURCE is the whole stream from its start, as a server with a recording sends it. COPY is
 * what the client has of it: nothing, some lines, or half a line at its end. Lines that COPY
 * has are skipped; the rest is appended, so in the end COPY has every event once, however
 * often this was stopped. --stop ends after that many bytes, also inside a line, as a crash
 * would.
 *
 * Exit 0 if the stream was read to its end, 1 if it is bad or cannot be read or written,
 * 2 usage, 3 stopped.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct output {
    FILE *file;
    unsigned long left; /* bytes until it stops */
    int stops;
    int stopped;
} output;

static elelem_status write_output(void *context, const void *bytes, size_t size)
{
    output *out = (output *)context;

    if (out->stops && size > out->left) {
        size = (size_t)out->left;
        out->stopped = 1;
    }
    out->left -= (unsigned long)size;
    if (fwrite(bytes, 1, size, out->file) != size) return ELELEM_ERROR_SINK;
    return out->stopped ? ELELEM_ERROR_SINK : ELELEM_OK;
}

static int report(const char *name, const elelem_replayer *replayer)
{
    elelem_error error = elelem_replayer_error(replayer);

    fprintf(stderr, "elelem-resume: %s, line %llu, byte %llu: %s\n", name,
            (unsigned long long)elelem_replayer_line_number(replayer), (unsigned long long)error.offset, error.message);
    return 1;
}

/* Finds the end of the last whole line in the copy, and counts its lines. Without finish, half a
   line at the end is no error. */
static int find_place(FILE *copy, const char *name, elelem_replay_position *place)
{
    elelem_replayer replayer;
    elelem_record_item item;
    elelem_status status = ELELEM_MORE;
    char bytes[4096];
    size_t size;

    elelem_replayer_init(&replayer, NULL);
    while (status == ELELEM_MORE && (size = fread(bytes, 1, sizeof bytes, copy)) > 0) {
        elelem_replayer_push(&replayer, bytes, size);
        while ((status = elelem_replayer_next(&replayer, &item)) == ELELEM_OK) {}
    }
    *place = elelem_replayer_position(&replayer);
    if (status < 0) report(name, &replayer);
    elelem_replayer_free(&replayer);
    return status < 0;
}

/* Copies what follows the first `place->items` lines, unchanged. */
static int copy_rest(FILE *source, const elelem_replay_position *place, output *out, uint64_t *count)
{
    elelem_replayer_desc desc = ELELEM_INIT;
    elelem_recorder_desc recorder_desc = ELELEM_INIT;
    elelem_replayer replayer;
    elelem_recorder recorder;
    elelem_record_item item;
    elelem_status status = ELELEM_MORE;
    char bytes[4096];
    int bad = 0;

    desc.lines = 1;
    desc.first = place->items;
    recorder_desc.sink.write = write_output;
    recorder_desc.sink.context = out;
    elelem_replayer_init(&replayer, &desc);
    elelem_recorder_init(&recorder, &recorder_desc);
    while (status == ELELEM_MORE && !bad) {
        size_t size = fread(bytes, 1, sizeof bytes, source);
        if (size > 0)
            elelem_replayer_push(&replayer, bytes, size);
        else
            elelem_replayer_finish(&replayer);
        while (!bad && (status = elelem_replayer_next(&replayer, &item)) == ELELEM_OK)
            bad = elelem_recorder_push_item(&recorder, &item) != ELELEM_OK;
    }
    if (status < 0 && !bad) report("the source", &replayer);
    *count = elelem_recorder_count(&recorder);
    elelem_replayer_free(&replayer);
    elelem_recorder_free(&recorder);
    return bad || status < 0;
}

/* Resumes after the last whole line of the copy. The next line overwrites half a line after it. */
static int resume(FILE *copy, const char *name, output *out)
{
    elelem_replay_position place;
    uint64_t count = 0;
    int bad;

    if (find_place(copy, name, &place) || fseek(copy, (long)place.offset, SEEK_SET) != 0) return 1;
    out->file = copy;
    bad = copy_rest(stdin, &place, out, &count);
    fprintf(stderr, "elelem-resume: %llu lines were there, %llu more%s\n", (unsigned long long)place.items,
            (unsigned long long)count, out->stopped ? ", stopped" : "");
    return out->stopped ? 3 : bad;
}

static FILE *open_copy(const char *name)
{
    FILE *copy = fopen(name, "r+b");

    return copy ? copy : fopen(name, "w+b");
}

int main(int argc, char **argv)
{
    output out = ELELEM_INIT;
    FILE *copy;
    int answer;

    if (argc == 4 && strcmp(argv[1], "--stop") == 0) {
        out.stops = 1;
        out.left = strtoul(argv[2], NULL, 10);
    } else if (argc != 2 || argv[1][0] == '-') {
        fputs("usage: elelem-resume [--stop BYTES] COPY < SOURCE\n", stderr);
        return 2;
    }
    copy = open_copy(argv[argc - 1]);
    if (!copy) {
        perror(argv[argc - 1]);
        return 1;
    }
    answer = resume(copy, argv[argc - 1], &out);
    if (fclose(copy) != 0) answer = 1;
    return answer;
}
