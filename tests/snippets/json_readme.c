/* snippet: elelem_error error = elelem_json_error(&json);
 * prints:
 * [x "y]
 * ELELEM_OK at 0
 * []
 * ELELEM_ERROR_TRUNCATED at 26
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>

static void show(elelem_str text)
{
    printf("[%.*s]\n", ELELEM_STR_ARG(text));
}

int main(void)
{
    static const char *const texts[] = { "{\"patterns\":[{\"old\":\"x \\\"y\"}]}", "{\"patterns\":[{\"old\":\"x \\\"y" };
    int i;

    for (i = 0; i < 2; i++) {
        elelem_str text = elelem_str_of(texts[i]);
#include "snippet.h"
        printf("%s at %lu\n", elelem_status_name(error.status), (unsigned long)error.offset);
    }
    return 0;
}
