/* snippet: elelem_json_read(&json, text, NULL);  // no value if it is not JSON
 * prints:
 * read_file
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>

static void print(elelem_str text)
{
    printf("%.*s\n", ELELEM_STR_ARG(text));
}

int main(void)
{
    static const char *const texts[] = { "{\"tools\":[{\"name\":\"read_file\"}]}\n", "{\"tools\":[{\"name\":\"read_file\"}]" };
    int i;

    for (i = 0; i < 2; i++) {
        elelem_str text = elelem_str_of(texts[i]);
#include "snippet.h"
    }
    return 0;
}
