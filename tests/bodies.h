/* Every body of tests/data, streamed or whole, one after the other. Define _POSIX_C_SOURCE first, because folders are listed. */
#ifndef BODIES_H
#define BODIES_H

#include "streams.h"

#include <dirent.h>

static inline int bodies_is_body(const char *name)
{
    size_t size = strlen(name);

    return (size > 4 && strcmp(name + size - 4, ".sse") == 0) || (size > 5 && strcmp(name + size - 5, ".json") == 0);
}

static inline int bodies_compare(const void *a, const void *b) { return strcmp((const char *)a, (const char *)b); }

/* Calls `check` with each body of tests/data/FOLDER in the order of their names; returns how many there are. */
static inline int bodies_each(const char *folder, void (*check)(const char *body, size_t size))
{
    static char names[512][100];
    char path[600];
    DIR *directory;
    struct dirent *entry;
    size_t size;
    char *body;
    int count = 0, i;

    snprintf(path, sizeof path, "tests/data/%s", folder);
    directory = opendir(path);
    while (directory && count < 512 && (entry = readdir(directory)) != NULL)
        if (bodies_is_body(entry->d_name)) snprintf(names[count++], sizeof *names, "%.99s", entry->d_name);
    if (directory) closedir(directory);
    qsort(names, (size_t)count, sizeof *names, bodies_compare);
    for (i = 0; i < count; i++) {
        snprintf(path, sizeof path, "tests/data/%s/%.99s", folder, names[i]);
        body = streams_read(path, &size);
        check_context(path);
        check(body, size);
        check_context(NULL);
        free(body);
    }
    return count;
}

#endif
