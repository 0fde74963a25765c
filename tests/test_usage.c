/* What a provider says of the tokens used: normalized counts, and its own JSON for them, which is whole even if it
 * came in several frames. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "feed.h"
#include "streams.h"

#define INTERACTION(type, interaction, usage) \
    "data: {\"event_type\":\"interaction." type "\",\"interaction\":" interaction ",\"metadata\":{\"usage\":" usage "}}\n\n"

static void usage_of(const elelem_shape *shape)
{
    streams_shape(shape);
    streams_now.usage = 1;
}

TEST(what_a_cache_took_is_counted)
{
    usage_of(&elelem_shape_chat);
    STREAM_FILE("chat/usage_counts_what_a_cache_took");
    usage_of(&elelem_shape_responses);
    STREAM_FILE("responses/usage_counts_what_a_cache_took");
    usage_of(&elelem_shape_messages);
    STREAM_FILE("messages/usage_counts_what_a_cache_took");
}

TEST(cache_hits_under_other_names_are_counted)
{
    usage_of(&elelem_shape_chat);
    STREAM_FILE("chat/usage_of_deepseek_names_hits_of_its_cache");
    STREAM_FILE("chat/usage_of_mistral_names_cached_tokens");
}

TEST(counts_that_only_an_early_frame_has_are_kept)
{
    usage_of(&elelem_shape_gemini);
    STREAM_FILE("gemini/usage_may_name_some_counts_only_early");
}

TEST(totals_that_run_along_are_merged)
{
    usage_of(&elelem_shape_interactions);
    STREAM(INTERACTION("created", "{\"status\":\"in_progress\"}", "{\"total_input_tokens\":5,\"total_thought_tokens\":1,\"grounding_tool_count\":1}")
           INTERACTION("completed", "{\"status\":\"completed\",\"usage\":{\"total_output_tokens\":7,\"total_thought_tokens\":3,\"total_cached_tokens\":2}}", "{}"),
           "FINISHED completed raw=completed in=5 out=7 cached=2 reasoning=3\n"
           "meta usage={\"total_input_tokens\":5,\"grounding_tool_count\":1,\"total_output_tokens\":7,\"total_thought_tokens\":3,\"total_cached_tokens\":2}\nEND\n");
}

/* A response with these usages, one a frame, must end in this one. */

static char body[200000];

static size_t put_usage(size_t size, const char *usage)
{
    return size + (size_t)snprintf(body + size, sizeof body - size, "data: {\"choices\":[],\"usage\":%s}\n\n", usage);
}

static int usages_give(const char *const *usages, const char *expected)
{
    static char events[100000];
    size_t size = 0;

    for (; *usages; usages++)
        size = put_usage(size, *usages);
    snprintf(body + size, sizeof body - size, "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]}\n\n");
    snprintf(events, sizeof events, "FINISHED completed raw=stop%s%s\nEND\n", *expected ? "\nmeta usage=" : "", expected);
    usage_of(&elelem_shape_chat);
    return STREAM(body, events);
}

TEST(a_later_frame_replaces_the_members_it_names)
{
    static const char *const replaced[] = { "{\"a\":1,\"b\":{\"c\":2},\"d\":3}", "{\"b\":{\"e\":4}}", "{\"a\":5,\"f\":[]}", NULL };
    static const char *const again[] = { "{\"a\":1}", "{\"a\":2}", "{\"a\":3}", NULL };
    static const char *const strange[] = { "{\"a\\n\":1,\"\":2}", "{\"\":3,\"b\":\"\\u00e9\"}", NULL };

    CHECK(usages_give(replaced, "{\"d\":3,\"b\":{\"e\":4},\"a\":5,\"f\":[]}"));
    CHECK(usages_give(again, "{\"a\":3}"));
    CHECK(usages_give(strange, "{\"a\\n\":1,\"\":3,\"b\":\"\xc3\xa9\"}"));
}

TEST(a_null_replaces_nothing)
{
    static const char *const nulls[] = { "{\"a\":1,\"b\":null}", "{\"a\":null,\"b\":2,\"c\":null}", "{\"c\":null}", NULL };

    CHECK(usages_give(nulls, "{\"a\":1,\"b\":2,\"c\":null}"));
}

TEST(an_empty_usage_is_none)
{
    static const char *const empty[] = { "{}", NULL };
    static const char *const after[] = { "{\"a\":1}", "{}", NULL };

    CHECK(usages_give(empty, ""));
    CHECK(usages_give(after, "{\"a\":1}"));
}

/* An object of so many members, whose values are strings of this size. */
static char *many(char *to, size_t count, size_t size)
{
    char *at = to;
    size_t i;

    *at++ = '{';
    for (i = 0; i < count; i++) {
        at += sprintf(at, "%s\"k%lu\":\"", i ? "," : "", (unsigned long)i);
        memset(at, 'x', size);
        at += size;
        *at++ = '"';
    }
    *at++ = '}';
    *at = '\0';
    return to;
}

TEST(what_earlier_frames_had_is_dropped_when_it_is_much)
{
    static char text[20000], both[20000];
    const char *usages[] = { NULL, "{\"new\":1}", NULL };

    usages[0] = many(text, 33, 1);
    CHECK(usages_give(usages, "{\"new\":1}"));
    usages[0] = many(text, 32, 1);
    snprintf(both, sizeof both, "%.*s,\"new\":1}", (int)strlen(text) - 1, text);
    CHECK(usages_give(usages, both));
    usages[0] = many(text, 1, 4200);
    CHECK(usages_give(usages, "{\"new\":1}"));
    usages[1] = NULL;
    CHECK(usages_give(usages, text));
}

TEST(what_earlier_frames_had_is_dropped_when_both_exceed_the_limit)
{
    static const char *const usages[] = { "{\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}", "{\"b\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}", NULL };
    size_t size = put_usage(0, usages[0]);

    size = put_usage(size, usages[1]);
    snprintf(body + size, sizeof body - size, "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]}\n\n");
    usage_of(&elelem_shape_chat);
    streams_now.desc.max_kept_bytes = 90;
    STREAM(body, "FINISHED completed raw=stop\nmeta usage={\"b\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\nEND\n");
    streams_now.desc.max_kept_bytes = 1000;
    STREAM(body, "FINISHED completed raw=stop\nmeta usage={\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\","
                 "\"b\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\nEND\n");
}

TEST(a_frame_may_have_several_usages)
{
    static const char two[] = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\",\"usage\":{\"x\":1,\"z\":2}}],\"usage\":{\"y\":3,\"z\":4}}\n\n";
    static const char large[] = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\",\"usage\":{\"x\":\"0123456789012345678901234567890123456789\"}}],\"usage\":{\"y\":3}}\n\n";
    static const char start[] = "data: {\"type\":\"message_start\",\"usage\":{\"a\":1,\"input_tokens\":5},\"message\":{\"usage\":{\"input_tokens\":7,\"b\":2}}}\n\n"
                                "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n";

    usage_of(&elelem_shape_chat);
    STREAM(two, "FINISHED completed raw=stop\nmeta usage={\"x\":1,\"y\":3,\"z\":4}\nEND\n");
    streams_now.desc.max_kept_bytes = 40;
    STREAM(large, "ERROR limit \"a value takes more memory than allowed\" status=ERROR_VALUE_SIZE\nEND\n");
    usage_of(&elelem_shape_messages);
    STREAM(start, "FINISHED completed raw=end_turn in=7\nmeta usage={\"a\":1,\"input_tokens\":7,\"b\":2}\nEND\n");
}

/* Each of these pairs of keys has one hash. */
CHECK_MAIN("usage", RUN(what_a_cache_took_is_counted)
    RUN(cache_hits_under_other_names_are_counted)
    RUN(counts_that_only_an_early_frame_has_are_kept)
    RUN(totals_that_run_along_are_merged)
    RUN(a_later_frame_replaces_the_members_it_names)
    RUN(a_null_replaces_nothing)
    RUN(an_empty_usage_is_none)
    RUN(what_earlier_frames_had_is_dropped_when_it_is_much)
    RUN(what_earlier_frames_had_is_dropped_when_both_exceed_the_limit)
    RUN(a_frame_may_have_several_usages))
