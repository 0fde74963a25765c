/* A refusal of memory is never swallowed: whichever allocation is refused, alone, with the next (a refused doubling is
   tried again at the exact size) or with all after it, a body gives its events, or the first of them and then an ERROR
   that says so. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"

typedef struct refusing {
    size_t count;   /* allocations so far */
    size_t refused; /* the number of the first that is refused */
    size_t more;    /* so many after it are refused too */
} refusing;

static refusing refusing_now;

static void *resize(void *context, void *block, size_t old_size, size_t new_size)
{
    refusing *r = (refusing *)context;

    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    r->count++;
    if (r->count >= r->refused && r->count - r->refused <= r->more) return NULL;
    return realloc(block, new_size);
}

static feed_log whole_log;

/* Nonzero if the log is that of the whole body, or begins like it and ends with the error. */
static int is_honest(feed_log *log)
{
    static const char error[] = "ERROR out_of_memory";
    const char *end;
    size_t before;

    log->text[log->size] = '\0';
    if (strstr(log->text, "BROKEN")) return 0;
    if (log->size == whole_log.size && memcmp(log->text, whole_log.text, log->size) == 0) return 1;
    end = strstr(log->text, error);
    if (!end || (end > log->text && end[-1] != '\n')) return 0;
    before = (size_t)(end - log->text);
    if (before > 1 && end[-2] == '"') before -= 2; /* a text may continue */
    return before <= whole_log.size && memcmp(log->text, whole_log.text, before) == 0;
}

static int count_of(feed_log *log, const char *text)
{
    const char *at = log->text;
    int count = 0;

    log->text[log->size] = '\0';
    while ((at = strstr(at, text)) != NULL)
        count++, at++;
    return count;
}

static void refuse_each(const char *name, const char *body, size_t size)
{
    static const size_t pieces[] = { 7, 1000000 };
    static const size_t more[] = { 0, 1, SIZE_MAX / 2 };
    size_t i, k, allocations;

    streams_now.desc.allocator.resize = resize;
    streams_now.desc.allocator.context = &refusing_now;
    check_context(name);
    for (i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        refusing_now.count = 0;
        refusing_now.refused = SIZE_MAX;
        feed_once(&streams_fed, &whole_log, body, size, pieces[i], pieces[i], 0);
        allocations = refusing_now.count;
        CHECK(allocations > 0);
        for (k = 0; k < sizeof more / sizeof *more; k++)
            for (refusing_now.more = more[k], refusing_now.refused = 1; refusing_now.refused <= allocations; refusing_now.refused++) {
                refusing_now.count = 0;
                check_cut(k == 0 ? "refused" : k == 1 ? "refused with the next" : "refused from", refusing_now.refused);
                feed_once(&streams_fed, &feed_now, body, size, pieces[i], pieces[i], 0);
                if (!CHECK(is_honest(&feed_now))) return;
            }
    }
    elelem_stream_free(&streams_now.stream);
}

static void refuse_in_files(const elelem_shape *shape, const char *const *names, size_t count)
{
    char path[300];
    size_t i, size;

    for (i = 0; i < count; i++) {
        char *body;
        snprintf(path, sizeof path, "tests/data/%s/%s.sse", shape->name, names[i]);
        body = streams_read(path, &size);
        streams_shape(shape);
        if (CHECK(body)) refuse_each(names[i], body, size);
        free(body);
    }
}

#define REFUSE(shape, names) refuse_in_files(&elelem_shape_##shape, names, sizeof names / sizeof *names)

TEST(no_refusal_of_memory_is_swallowed_in_gemini) /* A3 */
{
    static const char *const names[] = {
        "arguments_may_come_in_pieces", "pieces_open_objects_and_arrays", "names_in_paths_may_be_quoted", "strings_in_pieces_are_escaped",
        "candidates_write_their_calls_at_the_same_time", "a_signature_may_come_with_its_text", "grounding_belongs_to_the_message",
        "citations_are_an_array_at_both_endpoints", "text_and_calls_in_their_order", "a_malformed_call_has_its_message",
        "an_array_may_be_written_over_lines",
    };

    REFUSE(gemini, names);
}

/* Names, numbers, brackets and escapes that are each long enough to need memory of their own. */
TEST(no_refusal_of_memory_is_swallowed_in_long_pieces)
{
    static char body[20000];
    size_t i, size = (size_t)snprintf(body, sizeof body, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"partialArgs\":["
                                                         "{\"jsonPath\":\"$.a");

    for (i = 0; i < 600; i++)
        size += (size_t)snprintf(body + size, sizeof body - size, "[0]");
    size += (size_t)snprintf(body + size, sizeof body - size, "\",\"numberValue\":1},{\"jsonPath\":\"$.b\",\"numberValue\":%02000d}", 0);
    memcpy(strstr(body, "\"$.b\"") + 20, "1", 1);
    size += (size_t)snprintf(body + size, sizeof body - size, ",{\"jsonPath\":\"$['");
    for (i = 0; i < 300; i++)
        size += (size_t)snprintf(body + size, sizeof body - size, "\\\\n");
    size += (size_t)snprintf(body + size, sizeof body - size, "']\",\"boolValue\":true},{\"jsonPath\":\"$.%0900d\",\"nullValue\":null}", 0);
    snprintf(body + size, sizeof body - size, "]}}]},\"finishReason\":\"STOP\"}]}\n\n");
    streams_shape(&elelem_shape_gemini);
    refuse_each("long pieces", body, strlen(body));
    CHECK(count_of(&whole_log, "FINISHED tool_calls") == 1);
}

TEST(no_refusal_of_memory_is_swallowed_in_messages)
{
    static const char *const names[] = {
        "text_thinking_and_calls_in_their_order", "two_blocks_keep_their_signatures_apart", "a_signature_may_come_in_pieces",
        "citations_come_one_by_one_as_arrays", "a_refusal_has_its_details", "redacted_thinking_is_metadata",
        "a_tool_without_arguments_has_none",
    };

    REFUSE(messages, names);
}

TEST(no_refusal_of_memory_is_swallowed_in_responses)
{
    static const char *const names[] = { "annotations", "phase", "custom_call", "overlapping_calls", "only_completed", "server_tools",
                                         "arguments_as_object", "text_and_refusal" };

    REFUSE(responses, names);
}

TEST(no_refusal_of_memory_is_swallowed_in_interactions) /* A3 */
{
    static const char *const names[] = {
        "text_comes_in_deltas", "the_last_signature_that_is_not_empty_counts", "a_summary_may_hold_an_image", "annotations_add_up",
        "images_and_files_are_provider_items", "pieces_of_audio_are_joined", "a_call_without_deltas_has_the_arguments_of_its_start",
        "parallel_calls_follow_one_signature", "steps_may_interleave", "searches_are_provider_items",
        "a_step_of_an_unknown_type_is_a_provider_item", "a_failed_response_has_its_error", "event_ids_are_metadata_of_the_end",
    };

    REFUSE(interactions, names);
}

TEST(no_refusal_of_memory_is_swallowed_in_chat)
{
    static const char body[] =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"a\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"a\",\"signature\":\"s\"}]}}]}\n\n"
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"b\"}],\"annotations\":[{\"url\":1}]}},{\"index\":1,\"delta\":{\"content\":\"c\"}}],"
        "\"citations\":[\"x\",\"y\"]}\n\n"
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"extra_content\":{\"k\":1},\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}}]}}]}\n\n"
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"},{\"index\":1,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\n"
        "data: [DONE]\n\n";

    streams_shape(&elelem_shape_chat);
    refuse_each("chat", body, sizeof body - 1);
}

CHECK_MAIN("shape_memory",
    RUN(no_refusal_of_memory_is_swallowed_in_gemini)
    RUN(no_refusal_of_memory_is_swallowed_in_long_pieces)
    RUN(no_refusal_of_memory_is_swallowed_in_messages)
    RUN(no_refusal_of_memory_is_swallowed_in_responses)
    RUN(no_refusal_of_memory_is_swallowed_in_interactions)
    RUN(no_refusal_of_memory_is_swallowed_in_chat))
