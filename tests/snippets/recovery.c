/* snippet: elelem_patch_apply(patches, found,
 * prints:
 * sent with 0 and 1 entries
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <stdio.h>

typedef struct kept_item {
    elelem_metadata_entry entries[1];
    size_t entry_count;
} kept_item;

static void send_again_with(const kept_item *items)
{
    printf("sent with %lu and %lu entries\n", (unsigned long)items[0].entry_count, (unsigned long)items[1].entry_count);
}

static kept_item item_of(const char *key, const char *json)
{
    kept_item item;

    item.entries[0].key = elelem_str_of(key);
    item.entries[0].json = elelem_str_of(json);
    item.entry_count = 1;
    return item;
}

int main(void)
{
    const elelem_shape *shape = &elelem_shape_messages;
    elelem_str request = elelem_str_of("{\"messages\":[{\"role\":\"assistant\",\"content\":["
                                       "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"c2ln\"}]}]}");
    elelem_patch patches[16];
    kept_item items[2];
    size_t item_count = 2;
    elelem_stream stream;
    elelem_event event;
    elelem_stream_desc desc = ELELEM_INIT;
    static const char body[] = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
                               "\"message\":\"messages.0.content.0: Invalid `signature` in `thinking` block\"}}";

    items[0] = item_of("signature", "\"c2ln\"");
    items[1] = item_of("signature", "\"b3RoZXI\"");
    desc.shape = shape;
    elelem_stream_init(&stream, &desc);
    elelem_stream_http_status(&stream, 400);
    elelem_stream_push(&stream, body, sizeof body - 1);
    elelem_stream_finish(&stream);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
#define error event.error
#include "snippet.h"
#undef error
    }
    elelem_stream_free(&stream);
    return 0;
}
