/* The recordings of a folder of $ELELEM_CORPUS, by its MANIFEST.tsv: lines of a file's name, its
   shape, provider, HTTP status, headers as a JSON object of texts, and what else there is.
   Include streams.h first. */
#ifndef RECORDINGS_H
#define RECORDINGS_H

#define RECORDING_HEADERS 40

typedef struct recording {
    char name[300];
    int status;
    const char *headers[RECORDING_HEADERS * 2 + 1]; /* names and values in turn, then a null */
    const char *rest; /* of its line */
    char *body;
    size_t size;
} recording;

static const char *recordings_folder = "streams";

static inline const char *recordings_path(const char *name)
{
    static char path[1000];
    const char *corpus = getenv("ELELEM_CORPUS");

    snprintf(path, sizeof path, "%s/%s/%s", corpus ? corpus : "../shared/corpus", recordings_folder, name);
    return path;
}

/* Cuts the next field off the line. */
static inline char *recordings_field(char **line)
{
    char *field = *line;
    char *end = field + strcspn(field, "\t");

    *line = *end ? end + 1 : end;
    *end = '\0';
    return field;
}

/* The texts of an object without escapes, in turn. */
static inline void recordings_headers(recording *r, char *json)
{
    size_t count = 0;
    char *at = strchr(json, '"');

    while (at && count < RECORDING_HEADERS * 2) {
        char *end = strchr(at + 1, '"');
        *end = '\0';
        r->headers[count++] = at + 1;
        at = strchr(end + 1, '"');
    }
    r->headers[count] = NULL;
}

static inline int recordings_read(recording *r, char *line, const char *folder, const char *shape)
{
    char *file = recordings_field(&line);
    char *of_shape = recordings_field(&line);
    char *status;

    if (strncmp(file, folder, strlen(folder)) != 0 || strcmp(of_shape, shape) != 0) return 0;
    snprintf(r->name, sizeof r->name, "%s", file);
    recordings_field(&line);
    status = recordings_field(&line);
    r->status = (int)strtol(status, NULL, 10);
    recordings_headers(r, recordings_field(&line));
    r->rest = line;
    r->body = streams_read(recordings_path(file), &r->size);
    return r->body != NULL;
}

/* Calls `check` with each recording of this shape in the folder ("chat/", "errors/"). Returns how many. */
static inline int recordings_each(const char *folder, const char *shape, void (*check)(const recording *r))
{
    static recording r;
    size_t size;
    char *manifest = streams_read(recordings_path("MANIFEST.tsv"), &size);
    char *line = manifest;
    int count = 0;

    while (line && *line) {
        char *end = line + strcspn(line, "\n");
        char *next = *end ? end + 1 : end;
        *end = '\0';
        if (recordings_read(&r, line, folder, shape)) {
            check_context(r.name);
            check(&r);
            free(r.body);
            count++;
        }
        line = next;
    }
    check_context(NULL);
    free(manifest);
    return count;
}

#endif
