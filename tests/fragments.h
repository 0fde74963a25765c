/* Fragments as text, for tables: one line each, as in
 *
 *     $ BEGIN object
 *     path STRING "a.rs"
 *     patterns[0].old DONE string
 *     n SCALAR number 1e5
 *
 * $ is the root, and adjacent pieces of one string are joined. The rules for all fragments
 * are checked too: paths are as deep as the containers that are open, each value has a
 * DONE, pieces of text are whole characters and never empty.
 * Include elelem_stream.h first.
 */
#ifndef FRAGMENTS_H
#define FRAGMENTS_H

#include "feed.h"
#include "limits.h"

typedef struct fragments {
    elelem_fragment_parser parser;
    elelem_fragment_parser_desc desc;
    int several;      /* values that follow one another: restart after each */
    int with_pattern; /* the number of the pattern goes into each line */
    int ready;
    int finished;
    size_t open;   /* containers that have begun */
    size_t values; /* at the root that are done */
    int broken;    /* a rule for all fragments was broken */
} fragments;

static inline void fragments_path(char *text, size_t capacity, const elelem_path *path)
{
    size_t i, used = 0;

    text[0] = '\0';
    if (path->count > 40) snprintf(text, capacity, "(%lu segments)", (unsigned long)path->count);
    for (i = 0; path->count <= 40 && i < path->count && used + 20 < capacity; i++) {
        const elelem_segment *segment = &path->segments[i];
        int size;
        if (!segment->key.data)
            size = snprintf(text + used, capacity - used, "[%lu]", (unsigned long)segment->index);
        else if (segment->key.size == 0)
            size = snprintf(text + used, capacity - used, "[\"\"]");
        else
            size = snprintf(text + used, capacity - used, "%s%.*s", i > 0 ? "." : "", (int)segment->key.size,
                            segment->key.data);
        used += (size_t)size;
        if (used >= capacity) used = capacity - 1;
    }
    if (path->count == 0) snprintf(text, capacity, "$");
    if (used + 20 >= capacity) snprintf(text, capacity, "(keys of %lu segments)", (unsigned long)path->count);
}

static inline void fragments_break(fragments *f, feed_log *log, const char *what)
{
    f->broken = 1;
    feed_line(log, "%s", what);
}

/* Checks that a fragment fits those before it, if everything is delivered. */
static inline int fragments_fit(fragments *f, const elelem_fragment *fragment)
{
    int is_container = fragment->type == ELELEM_TYPE_OBJECT || fragment->type == ELELEM_TYPE_ARRAY;

    if (fragment->kind == ELELEM_FRAGMENT_DONE && is_container) f->open--;
    if (fragment->path->count != f->open) return 0;
    if (fragment->kind == ELELEM_FRAGMENT_BEGIN) f->open++;
    if (fragment->kind == ELELEM_FRAGMENT_BEGIN && !is_container) return 0;
    if (fragment->kind == ELELEM_FRAGMENT_DONE && f->open == 0) f->values++;
    return f->several || f->values <= 1;
}

/* Text of a string: whole characters, never empty. */
static inline int fragments_good_text(const elelem_fragment *fragment)
{
    if (fragment->kind != ELELEM_FRAGMENT_STRING) return 1;
    return fragment->text.size > 0 && elelem_utf8_valid(fragment->text) == fragment->text.size;
}

static inline void fragments_log(feed_log *log, const elelem_fragment *fragment, const char *path)
{
    const char *type = elelem_type_name(fragment->type);
    char label[400];

    switch (fragment->kind) {
    case ELELEM_FRAGMENT_BEGIN: feed_line(log, "%s BEGIN %s", path, type); break;
    case ELELEM_FRAGMENT_DONE: feed_line(log, "%s DONE %s", path, type); break;
    case ELELEM_FRAGMENT_STRING:
        snprintf(label, sizeof label, "%s STRING", path);
        feed_text(log, label, fragment->text.data, fragment->text.size);
        break;
    default:
        if (fragment->text.size > 500)
            feed_line(log, "%s SCALAR %s of %lu", path, type, (unsigned long)fragment->text.size);
        else
            feed_line(log, "%s SCALAR %s %.*s", path, type, (int)fragment->text.size, fragment->text.data);
        break;
    }
}

static inline void fragments_start(void *object)
{
    fragments *f = (fragments *)object;

    if (f->ready)
        elelem_fragment_parser_reset(&f->parser);
    else
        elelem_fragment_parser_init(&f->parser, &f->desc);
    f->ready = 1;
    f->finished = 0;
    f->open = 0;
    f->values = 0;
    f->broken = 0;
}

static inline elelem_status fragments_push(void *object, const void *bytes, size_t size)
{
    return elelem_fragment_parser_push(&((fragments *)object)->parser, bytes, size);
}

static inline void fragments_finish(void *object)
{
    ((fragments *)object)->finished = 1;
    elelem_fragment_parser_finish(&((fragments *)object)->parser);
}

static inline elelem_error fragments_error(const void *object)
{
    return elelem_fragment_parser_error(&((const fragments *)object)->parser);
}

/* Continues after a value that has ended. END if nothing more will come. */
static inline elelem_status fragments_go_on(fragments *f, feed_log *log, elelem_fragment *fragment)
{
    uint64_t end = elelem_fragment_parser_offset(&f->parser);
    elelem_status status;

    if (elelem_fragment_parser_restart(&f->parser) != ELELEM_OK) return ELELEM_END;
    status = elelem_fragment_parser_next(&f->parser, fragment);
    if (status == ELELEM_END && f->finished && elelem_fragment_parser_unread(&f->parser) == 0) return ELELEM_END;
    feed_line(log, "VALUE ENDS at %llu", (unsigned long long)end);
    return status == ELELEM_END ? fragments_go_on(f, log, fragment) : status;
}

/* Takes one fragment. If values follow one another, also continues after each. */
static inline elelem_status fragments_take(void *object, feed_log *log)
{
    fragments *f = (fragments *)object;
    elelem_fragment fragment;
    char path[360], line[380];
    elelem_status status = elelem_fragment_parser_next(&f->parser, &fragment);

    if (status == ELELEM_END && f->open > 0) fragments_break(f, log, "(containers are still open)");
    if (status == ELELEM_END && f->several) status = fragments_go_on(f, log, &fragment);
    if (status != ELELEM_OK) return status;
    if (!f->desc.patterns && !fragments_fit(f, &fragment)) fragments_break(f, log, "(out of place)");
    if (!fragments_good_text(&fragment)) fragments_break(f, log, "(bad text)");
    fragments_path(path, sizeof path, fragment.path);
    snprintf(line, sizeof line, "%s", path);
    if (f->with_pattern) snprintf(line, sizeof line, "%d: %s", fragment.pattern, path);
    fragments_log(log, &fragment, line);
    return status;
}

static fragments fragments_now;

static const feed_object fragments_object = { &fragments_now,  fragments_start,  fragments_push,
                                              fragments_take,  fragments_finish, fragments_error };

/* Forgets settings and memory of the test before. The caller may change the desc that it returns. */
static inline fragments *fragments_new(void)
{
    elelem_fragment_parser_free(&fragments_now.parser);
    memset(&fragments_now, 0, sizeof fragments_now);
    return &fragments_now;
}

/* A literal, which may hold zero bytes, must give these lines however it is cut. */
#define GIVES(input, expected) FEED(&fragments_object, input, sizeof(input) - 1, expected)

#endif
