/* snippet: elelem_fragment_text(&fragment, "patterns[0].old")
 * prints:
 * x "y 4
 * ELELEM_ERROR_SYNTAX at 41
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <string.h>

static size_t longest; /* old, as far as it has come */

static void show(elelem_str text)
{
    printf("%.*s", ELELEM_STR_ARG(text));
}

static void look_at(elelem_value so_far)
{
    elelem_str old = elelem_value_text(elelem_value_find(so_far, "patterns[0].old"));

    if (old.size > longest) longest = old.size;
}

static void report(elelem_error error)
{
    printf(" %lu\n%s at %lu\n", (unsigned long)longest, elelem_status_name(error.status), (unsigned long)error.offset);
}

int main(void)
{
    static const char document[] = "{\"old\":\"no\",\"patterns\":[{\"old\":\"x \\\"y\"}],]";
    elelem_fragment_parser parser;
    elelem_fragment_aggregator tree;
    elelem_fragment fragment;
    elelem_status status = ELELEM_MORE;
    size_t at;

    elelem_fragment_parser_init(&parser, NULL);
    elelem_fragment_aggregator_init(&tree, NULL);
    for (at = 0; at < sizeof document - 1 && status >= 0; at++) {
        const char *bytes = document + at;
        size_t size = 1;
#include "snippet.h"
    }
    elelem_fragment_parser_free(&parser);
    elelem_fragment_aggregator_free(&tree);
    return 0;
}
