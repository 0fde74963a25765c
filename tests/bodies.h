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

/* Calls `check` with each body of tests/data/FOLDER; returns how many there are. */
static inline int bodies_each(const char *folder, void (*check)(const char *body, size_t size))
{
    char path[600];
    DIR *directory;
    struct dirent *entry;
    size_t size;
    char *body;
    int count = 0;

    snprintf(path, sizeof path, "tests/data/%s", folder);
    directory = opendir(path);
    while (directory && (entry = readdir(directory)) != NULL) {
        if (!bodies_is_body(entry->d_name)) continue;
        snprintf(path, sizeof path, "tests/data/%s/%s", folder, entry->d_name);
        body = streams_read(path, &size);
        check_context(path);
        check(body, size);
        check_context(NULL);
        free(body);
        count++;
    }
    if (directory) closedir(directory);
    return count;
}

#endif
