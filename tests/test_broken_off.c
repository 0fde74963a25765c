/* Responses that break off: what was given until then depends on the bytes that came, and not on how they were cut. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "bodies.h"

/* Breaks the body off after `first` bytes, and after every `step` more. */
static void break_off(const char *body, size_t size, size_t first, size_t step)
{
    size_t end;

    for (end = first; end < size; end += step)
        if (!feed_check_pieces(&streams_fed, body, end, __FILE__, __LINE__)) return;
}

/* Bodies of the tests. */

static void break_off_at_places(const char *body, size_t size)
{
    break_off(body, size, size / 11, size / 11 + 1);
}

TEST(every_body_that_breaks_off_gives_the_same_however_it_is_cut)
{
    static const char *const names[] = { "chat", "responses", "messages", "gemini", "interactions" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        streams_shape(elelem_shape_find(names[i]));
        CHECK(bodies_each(names[i], break_off_at_places) > 0);
    }
}

/* Values that pass. */

static char passing[4000];

/* Between these texts comes a value with more than is passed on at a time: plain text, escapes, long characters, small members. */
static void break_off_while_it_passes(const elelem_shape *shape, const char *before, const char *after)
{
    char *at = passing + sprintf(passing, "%s", before);
    int i;

    for (i = 0; i < 40; i++)
        at += sprintf(at, "plain text %d \\n\\u00e9 \303\251 \\\" \360\237\230\200", i);
    sprintf(at, "%s", after);
    streams_shape(shape);
    break_off(passing, strlen(passing), strlen(before), 7);
}

#define MEMBERS "\"members\":[{\"a\":1,\"b\":null},{\"c\":\"d\",\"e\":[true,2.5e3]},[[],{}],\"\"],\"text\":\""

#define STEP "data: {\"index\":0,\"step\":{\"type\":\"model_output\"},\"event_type\":\"step.start\"}\n\n"

typedef struct passing_row {
    const char *shape;
    const char *before;
    const char *after;
} passing_row;

static void all_break_off(const passing_row *rows, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        check_context(rows[i].before);
        break_off_while_it_passes(elelem_shape_find(rows[i].shape), rows[i].before, rows[i].after);
        check_context(NULL);
    }
}

TEST(a_value_of_a_frame_that_breaks_off_gives_the_same_however_it_is_cut)
{
    static const passing_row rows[] = {
        { "messages", "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"image\"," MEMBERS, "\"," MEMBERS "\"}}\n\n" },
        { "responses", "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"news\"," MEMBERS,
          "\"," MEMBERS "\"}}\n\n" },
        { "chat", "data: {\"choices\":[{\"index\":0,\"delta\":{\"images\":[{" MEMBERS, "\"," MEMBERS "\"}]}}]}\n\n" },
        { "chat", "data: {\"choices\":[{\"index\":0,\"delta\":{\"audio\":{\"data\":\"", "\"}}}]}\n\n" },
        { "gemini", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{" MEMBERS, "\"," MEMBERS "\"}}]}}]}\n\n" },
        { "gemini", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"hologram\":\"", "\"}]}}]}\n\n" },
        { "interactions", STEP "data: {\"index\":0,\"delta\":{\"mime_type\":\"image/png\",\"data\":\"", "\",\"type\":\"image\"},\"event_type\":\"step.delta\"}\n\n" },
    };

    all_break_off(rows, sizeof rows / sizeof *rows);
}

TEST(a_value_of_a_whole_response_that_breaks_off_gives_the_same_however_it_is_cut)
{
    static const passing_row rows[] = {
        { "messages", "{\"type\":\"message\",\"content\":[{\"type\":\"image\"," MEMBERS, "\"," MEMBERS "\"}]}" },
        { "responses", "{\"object\":\"response\",\"output\":[{\"id\":\"i\",\"type\":\"news\"," MEMBERS, "\"," MEMBERS "\"}]}" },
        { "chat", "{\"choices\":[{\"index\":0,\"message\":{\"images\":[{" MEMBERS, "\"," MEMBERS "\"}]}}]}" },
        { "gemini", "{\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{" MEMBERS, "\"," MEMBERS "\"}}]}}]}" },
        { "gemini", "[{\"candidates\":[{\"content\":{\"parts\":[{\"hologram\":\"", "\"}]}}]}]" },
        { "interactions", "{\"id\":\"i\",\"steps\":[{\"type\":\"news\"," MEMBERS, "\"," MEMBERS "\"}]}" },
    };

    all_break_off(rows, sizeof rows / sizeof *rows);
}

#define TEXT(text) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"

TEST(reasoning_in_tags_that_breaks_off_gives_the_same_however_it_is_cut)
{
    static const char body[] = TEXT("a <thin") TEXT("k>b </t") TEXT("hink c <think>d</think") TEXT("> e \\u003cthink>f <b x=\\\"1\\\">g</b>")
        TEXT("</think>\\n<thinking q='1'") TEXT(">h\303\251 <") TEXT("/thinking>i </think> <think") TEXT(">j");

    streams_shape(&elelem_shape_chat);
    streams_now.desc.split_thoughts = 1;
    break_off(body, sizeof body - 1, 1, 1);
}

CHECK_MAIN("broken_off",
    RUN(every_body_that_breaks_off_gives_the_same_however_it_is_cut)
    RUN(a_value_of_a_frame_that_breaks_off_gives_the_same_however_it_is_cut)
    RUN(a_value_of_a_whole_response_that_breaks_off_gives_the_same_however_it_is_cut)
    RUN(reasoning_in_tags_that_breaks_off_gives_the_same_however_it_is_cut))
