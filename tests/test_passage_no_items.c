/* passage as it is built without provider items: no value passes, and all others are what they are. */
#define ELELEM_NO_ITEMS
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "feed.h"
#include "streams.h"

TEST(text_comes_and_provider_items_do_not)
{
    streams_shape(&elelem_shape_responses);
    STREAM("{\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":\"web_search_call\",\"id\":\"w\",\"action\":{\"query\":\"q\"}},"
           "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]}]}",
           "0 text \"a\"\n0 flush\nFINISHED completed raw=completed\nEND\n");
}

CHECK_MAIN("passage_no_items", RUN(text_comes_and_provider_items_do_not))
