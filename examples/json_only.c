/* json_only: reads the strings at a path of a JSON document while it arrives, with the parser alone.
 *
 *     json_only PATH [BYTES] <FILE        a path such as "items[*].name"; so many bytes at a time, else 4096
 *
 * Prints each string on a line of its own, as much as has arrived of it at once; nothing for a path that is not there, or is none. Exit 0 if
 * the input is one JSON document, 1 if not, 2 usage.
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>
#include <stdlib.h>

/* Takes all fragments there are now. MORE; END, if the document is over; or negative. */
static elelem_status take(elelem_fragment_parser *parser, const char *path)
{
    elelem_fragment fragment;
    elelem_status status;

    while ((status = elelem_fragment_parser_next(parser, &fragment)) == ELELEM_OK) {
        if (!elelem_path_is(fragment.path, path)) continue;
        if (fragment.kind == ELELEM_FRAGMENT_STRING) fwrite(fragment.text.data, 1, fragment.text.size, stdout);
        if (fragment.kind == ELELEM_FRAGMENT_DONE && fragment.type == ELELEM_TYPE_STRING) putchar('\n');
        fflush(stdout);
    }
    return status;
}

int main(int count, char **words)
{
    char bytes[4096];
    size_t most = count > 2 ? strtoul(words[2], NULL, 10) : sizeof bytes, size;
    elelem_fragment_parser parser;
    elelem_fragment_parser_desc desc = ELELEM_INIT; /* all limits as by default; memory is taken for keys and cut tokens only */
    elelem_status status = ELELEM_MORE;
    elelem_error error;

    if (count < 2 || most == 0 || most > sizeof bytes) return fputs("usage: json_only PATH [BYTES] <FILE\n", stderr), 2;
    desc.single_document = 1;
    elelem_fragment_parser_init(&parser, &desc);
    while (status == ELELEM_MORE && (size = fread(bytes, 1, most, stdin)) > 0) {
        elelem_fragment_parser_push(&parser, bytes, size);
        status = take(&parser, words[1]);
    }
    if (status == ELELEM_MORE) {
        elelem_fragment_parser_finish(&parser);
        status = take(&parser, words[1]);
    }
    error = elelem_fragment_parser_error(&parser);
    if (status < 0) fprintf(stderr, "%s at byte %lu\n", error.message, (unsigned long)error.offset);
    elelem_fragment_parser_free(&parser);
    return status < 0;
}
