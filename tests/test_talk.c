/* talk: the lines of a conversation, and patches on them. */
#include "elelem_stream.h"

#include "check.h"

#include <string.h>

static char text[4096];

static elelem_span_sink start(void)
{
    elelem_span_sink span;

    span.data = text;
    span.capacity = sizeof text;
    span.size = 0;
    return span;
}

TEST(what_the_user_says_is_one_line)
{
    elelem_span_sink span = start();

    CHECK_INT(elelem_talk_user(elelem_span_sink_of(&span), elelem_str_of("a \"b\"\n"), NULL, 0), ELELEM_OK);
    CHECK_STR(text, span.size, "{\"type\":\"user\",\"text\":\"a \\\"b\\\"\\n\"}\n");
}

TEST(images_have_data_or_a_url)
{
    elelem_span_sink span = start();
    elelem_talk_image images[2];

    memset(images, 0, sizeof images);
    images[0].media_type = elelem_str_of("image/png");
    images[0].data = elelem_str_of("AA==");
    images[1].url = elelem_str_of("https://a");
    CHECK_INT(elelem_talk_user(elelem_span_sink_of(&span), elelem_str_of(""), images, 2), ELELEM_OK);
    CHECK_STR(text, span.size,
              "{\"type\":\"user\",\"text\":\"\",\"images\":[{\"mediaType\":\"image/png\",\"data\":\"AA==\"},{\"url\":\"https://a\"}]}\n");
    images[1].url.size = 0;
    CHECK_INT(elelem_talk_user(elelem_span_sink_of(&span), elelem_str_of("a"), images, 2), ELELEM_ERROR_MISUSE);
    images[0].media_type.size = 0;
    CHECK_INT(elelem_talk_user(elelem_span_sink_of(&span), elelem_str_of("a"), images, 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_talk_user(elelem_span_sink_of(&span), elelem_str_of(""), NULL, 0), ELELEM_ERROR_MISUSE);
}

TEST(results_are_text_or_json_without_line_feeds)
{
    elelem_span_sink span = start();
    elelem_talk_result result;

    memset(&result, 0, sizeof result);
    result.id = elelem_str_of("a");
    result.name = elelem_str_of("now");
    result.text = elelem_str_of("1\n");
    CHECK_INT(elelem_talk_result_write(elelem_span_sink_of(&span), &result), ELELEM_OK);
    result.json = elelem_str_of("{\n\t\"n\": 1\r\n}");
    result.failed = 1;
    CHECK_INT(elelem_talk_result_write(elelem_span_sink_of(&span), &result), ELELEM_OK);
    CHECK_STR(text, span.size,
              "{\"type\":\"tool_result\",\"id\":\"a\",\"name\":\"now\",\"text\":\"1\\n\"}\n"
              "{\"type\":\"tool_result\",\"id\":\"a\",\"name\":\"now\",\"output\":{\"n\": 1},\"failed\":true}\n");
    result.json = elelem_str_of("{} x");
    CHECK_INT(elelem_talk_result_write(elelem_span_sink_of(&span), &result), ELELEM_ERROR_MISUSE);
}

TEST(a_line_that_a_sink_cuts_is_never_whole) /* Q5 */
{
    elelem_talk_result result;
    elelem_span_sink span;
    size_t room;
    const char *whole = "{\"type\":\"tool_result\",\"id\":\"a\",\"name\":\"\",\"text\":\"1\"}\n";

    memset(&result, 0, sizeof result);
    result.id = elelem_str_of("a");
    result.text = elelem_str_of("1");
    for (room = 0; room < strlen(whole); room++) {
        span = start();
        span.capacity = room;
        CHECK_INT(elelem_talk_result_write(elelem_span_sink_of(&span), &result), ELELEM_ERROR_VALUE_SIZE);
        CHECK(span.size == 0 || text[span.size - 1] != '}');
    }
}

/* Applies one patch to lines. */
static void patched(const char *lines, const char *key, const char *value, const char *remove, size_t removed,
                    const char *expected)
{
    elelem_patch patch;
    size_t size = strlen(lines);

    memcpy(text, lines, size);
    patch.match_key = elelem_str_of(key);
    patch.match_value = elelem_str_of(value);
    patch.remove_key = elelem_str_of(remove);
    CHECK_U64(elelem_talk_patch(&patch, 1, text, &size), removed);
    CHECK_STR(text, size, expected);
}

#define LINE(metadata) "{\"type\":\"reasoning\",\"text\":\"a , b\",\"metadata\":{" metadata "}}\n"

TEST(a_patch_removes_a_member_in_any_place)
{
    patched(LINE("\"s\":\"x\""), "s", "\"x\"", "s", 1, LINE(""));
    patched(LINE("\"s\":\"x\",\"b\":1"), "s", "\"x\"", "s", 1, LINE("\"b\":1"));
    patched(LINE("\"a\":2,\"s\":\"x\""), "s", "\"x\"", "s", 1, LINE("\"a\":2"));
    patched(LINE("\"a\":2 , \"s\" : \"x\" , \"b\":1"), "s", "\"x\"", "s", 1, LINE("\"a\":2,\"b\":1"));
    patched(LINE("\"i\":\"x\",\"a\":2,\"s\":\"y\""), "i", "\"x\"", "s", 1, LINE("\"i\":\"x\",\"a\":2"));
    patched(LINE("\"s\":\"x\",\"s\":\"x\""), "s", "\"x\"", "s", 2, LINE(""));
    patched(LINE("\"s\":[{\"d\":\"x\"}]"), "s", "\"x\"", "s", 1, LINE(""));
}

TEST(a_patch_that_finds_nothing_changes_nothing)
{
    patched(LINE("\"s\": \"y\""), "s", "\"x\"", "s", 0, LINE("\"s\": \"y\""));
    patched("{\"type\":\"user\",\"text\":\"x\"}\n", "s", "\"x\"", "s", 0, "{\"type\":\"user\",\"text\":\"x\"}\n");
    patched("", "s", "\"x\"", "s", 0, "");
    patched("{\"metadata\":{\"s\":\"x\"}", "s", "\"x\"", "s", 0, "{\"metadata\":{\"s\":\"x\"}");
}

TEST(patches_reach_every_line_and_the_events_of_entries)
{
    patched(LINE("\"s\":\"x\"") "\n" LINE("\"s\":\"z\"") LINE("\"s\":\"x\",\"t\":\"\\\\\""), "s", "\"x\"", "s", 2,
            LINE("") "\n" LINE("\"s\":\"z\"") LINE("\"t\":\"\\\\\""));
    patched("{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialThinking\",\"chunk\":\"a\",\"metadata\":{\"s\":\"x\"}},"
            "{\"eventType\":\"PartialThinking\",\"chunk\":\"a\",\"metadata\":{\"s\":\"x\"}}]}", "s", "\"x\"", "s", 2,
            "{\"role\":\"AI\",\"events\":[{\"eventType\":\"PartialThinking\",\"chunk\":\"a\",\"metadata\":{}},"
            "{\"eventType\":\"PartialThinking\",\"chunk\":\"a\",\"metadata\":{}}]}");
}

TEST(a_line_may_have_more_metadata_than_is_read_at_once)
{
    static char lines[4096];
    char expected[4096];
    size_t i, size;
    elelem_patch patch;

    strcpy(lines, "{\"type\":\"message\",\"text\":\"a\",\"metadata\":{");
    strcpy(expected, lines);
    for (i = 0; i < 100; i++) {
        strcat(lines, i % 2 ? "\"s\":\"x\"," : "\"t\":1,");
        strcat(expected, i % 2 ? "" : "\"t\":1,");
    }
    strcat(lines, "\"s\":\"x\"}}");
    expected[strlen(expected) - 1] = 0;
    strcat(expected, "}}");
    size = strlen(lines);
    patch.match_key = patch.remove_key = elelem_str_of("s");
    patch.match_value = elelem_str_of("\"x\"");
    CHECK_U64(elelem_talk_patch(&patch, 1, lines, &size), 51);
    CHECK_STR(lines, size, expected);
}

TEST(a_refused_signature_is_found_in_the_request_and_patched_out_of_the_lines)
{
    static char body[4096], lines[4096];
    elelem_span_sink span;
    elelem_request request = ELELEM_INIT;
    elelem_failure error = ELELEM_INIT;
    elelem_patch patches[4];
    elelem_str sent;
    size_t size, found;

    strcpy(lines, "{\"type\":\"user\",\"text\":\"Hi\"}\n"
                  "{\"type\":\"reasoning\",\"text\":\"Hm.\",\"metadata\":{\"signature\":\"stale\"}}\n"
                  "{\"type\":\"message\",\"text\":\"A\"}\n");
    size = strlen(lines);
    request.shape = &elelem_shape_messages;
    request.model = elelem_str_of("m");
    request.history = elelem_str_of(lines);
    span.data = body;
    span.capacity = sizeof body;
    span.size = 0;
    CHECK_INT(elelem_request_write(&request, elelem_span_sink_of(&span)).status, ELELEM_OK);
    sent.data = body;
    sent.size = span.size;
    error.kind = ELELEM_ERROR_KIND_RECOVERABLE;
    error.message = elelem_str_of("messages.1.content.0: Invalid `signature` in `thinking` block");
    found = elelem_recovery_find(&elelem_shape_messages, &error, sent, patches, 4);
    CHECK_U64(found, 1);
    CHECK_U64(elelem_talk_patch(patches, found, lines, &size), 1);
    CHECK_STR(lines, size, "{\"type\":\"user\",\"text\":\"Hi\"}\n{\"type\":\"reasoning\",\"text\":\"Hm.\",\"metadata\":{}}\n"
              "{\"type\":\"message\",\"text\":\"A\"}\n");
    CHECK_U64(elelem_talk_patch(patches, found, lines, &size), 0);
}

TEST(an_image_with_data_but_no_media_type_goes_by_its_url)
{
    elelem_span_sink span = start();
    elelem_talk_image image;

    memset(&image, 0, sizeof image);
    image.data = elelem_str_of("AA==");
    CHECK_INT(elelem_talk_user(elelem_span_sink_of(&span), elelem_str_of("a"), &image, 1), ELELEM_ERROR_MISUSE);
    image.url = elelem_str_of("https://a");
    CHECK_INT(elelem_talk_user(elelem_span_sink_of(&span), elelem_str_of("a"), &image, 1), ELELEM_OK);
    CHECK_STR(text, span.size, "{\"type\":\"user\",\"text\":\"a\",\"images\":[{\"url\":\"https://a\"}]}\n");
}

TEST(an_image_with_a_media_type_but_no_data_goes_by_its_url)
{
    elelem_span_sink span = start();
    elelem_talk_image image;

    memset(&image, 0, sizeof image);
    image.media_type = elelem_str_of("image/png");
    CHECK_INT(elelem_talk_user(elelem_span_sink_of(&span), elelem_str_of("a"), &image, 1), ELELEM_ERROR_MISUSE);
    CHECK_U64(span.size, 0);
    image.url = elelem_str_of("https://a");
    CHECK_INT(elelem_talk_user(elelem_span_sink_of(&span), elelem_str_of("a"), &image, 1), ELELEM_OK);
    CHECK_STR(text, span.size, "{\"type\":\"user\",\"text\":\"a\",\"images\":[{\"url\":\"https://a\"}]}\n");
}

TEST(metadata_that_is_no_object_is_left_alone)
{
    static const char *const lines[] = {
        "{\"eventType\":\"ContentFetched\",\"metadata\":\"s, x\"}\n",
        "{\"eventType\":\"ContentFetched\",\"metadata\":[\"s\",\"x\"]}\n",
        "{\"eventType\":\"ContentFetched\",\"metadata\":7}\n",
        "{\"eventType\":\"ContentFetched\",\"metadata\":null}\n",
    };
    size_t i;

    for (i = 0; i < sizeof lines / sizeof *lines; i++)
        patched(lines[i], "s", "\"x\"", "s", 0, lines[i]);
    patched("{\"eventType\":\"ContentFetched\",\"metadata\":{\"s\":\"x\"}}\n", "s", "\"x\"", "s", 1,
            "{\"eventType\":\"ContentFetched\",\"metadata\":{}}\n");
}

CHECK_MAIN("talk",
    RUN(what_the_user_says_is_one_line)
    RUN(images_have_data_or_a_url)
    RUN(results_are_text_or_json_without_line_feeds)
    RUN(a_line_that_a_sink_cuts_is_never_whole)
    RUN(a_patch_removes_a_member_in_any_place)
    RUN(a_patch_that_finds_nothing_changes_nothing)
    RUN(patches_reach_every_line_and_the_events_of_entries)
    RUN(a_line_may_have_more_metadata_than_is_read_at_once)
    RUN(a_refused_signature_is_found_in_the_request_and_patched_out_of_the_lines)
    RUN(an_image_with_data_but_no_media_type_goes_by_its_url)
    RUN(an_image_with_a_media_type_but_no_data_goes_by_its_url)
    RUN(metadata_that_is_no_object_is_left_alone))
