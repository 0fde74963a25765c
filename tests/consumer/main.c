/* A program of another project that uses the library as it was installed. */
#include <elelem_stream.h>

#include <stdio.h>

int main(void)
{
    elelem_json json;
    elelem_str text = { "{\"greeting\":\"hello\"}", 20 };
    elelem_value root = elelem_json_read(&json, text, NULL);

    printf("%.*s from %s, %s\n", ELELEM_STR_ARG(elelem_value_text(elelem_value_get(root, "greeting"))), ELELEM_VERSION,
           elelem_shape_chat.name);
    elelem_json_free(&json);
    return 0;
}
