/* Built for a small machine: without sentences, so that statuses and kinds say what happened, and without tags. */
#define ELELEM_NO_SENTENCES
#define ELELEM_NO_TAGS
#define ELELEM_NO_FAST
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"

static elelem_turn turn;

/* The error that ends a turn with this body. */
static elelem_failure error_of(const elelem_shape *shape, int http_status, const char *body)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn_update update = ELELEM_INIT;

    elelem_turn_free(&turn);
    desc.shape = shape;
    elelem_turn_init(&turn, &desc);
    elelem_turn_http_status(&turn, http_status);
    elelem_turn_push(&turn, body, strlen(body));
    elelem_turn_finish(&turn);
    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        continue;
    CHECK_INT(update.kind, ELELEM_TURN_ERROR);
    return update.error;
}

TEST(the_message_of_a_failure_is_the_name_of_its_kind)
{
    elelem_failure page = error_of(&elelem_shape_chat, 503, "<html>");
    elelem_failure broken = error_of(&elelem_shape_chat, 200, "data: {\n\n");
    elelem_failure none = error_of(NULL, 200, "");
    elelem_failure early = error_of(&elelem_shape_messages, 200, "");

    CHECK_STR(page.message.data, page.message.size, "transient");
    CHECK_STR(broken.message.data, broken.message.size, "protocol");
    CHECK_STR(none.message.data, none.message.size, "other");
    CHECK_STR(early.message.data, early.message.size, "connect");
}

TEST(the_words_of_shapes_are_left_out_too_and_those_of_providers_are_not)
{
    elelem_failure chat = error_of(&elelem_shape_chat, 200, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]}\n\n");
    elelem_failure responses = error_of(&elelem_shape_responses, 200, "data: {\"type\":\"response.failed\",\"response\":{}}\n\n");
    elelem_failure said = error_of(&elelem_shape_chat, 429, "{\"error\":{\"message\":\"slow down\"}}");

    CHECK_STR(chat.message.data, chat.message.size, "transient");
    CHECK_STR(responses.message.data, responses.message.size, "transient");
    CHECK_STR(said.message.data, said.message.size, "slow down");
    elelem_turn_free(&turn);
}

TEST(a_status_has_its_name_and_an_empty_sentence)
{
    elelem_json json;

    CHECK(elelem_value_type(elelem_json_read(&json, elelem_str_of("[1,"), NULL)) == ELELEM_TYPE_NONE);
    CHECK_INT(elelem_json_error(&json).status, ELELEM_ERROR_TRUNCATED);
    CHECK_INT(elelem_json_error(&json).message[0], 0);
    CHECK(elelem_str_is(elelem_str_of(elelem_status_name(ELELEM_ERROR_TRUNCATED)), "ELELEM_ERROR_TRUNCATED"));
    CHECK_INT(elelem_status_sentence(ELELEM_ERROR_TRUNCATED)[0], 0);
}

TEST(a_request_that_is_refused_has_its_status)
{
    elelem_request request = ELELEM_INIT;
    elelem_sink none = ELELEM_INIT;
    elelem_error error = elelem_request_write(&request, none);

    CHECK_INT(error.status, ELELEM_ERROR_MISUSE);
    CHECK_INT(error.message[0], 0);
}

TEST(tags_stay_in_the_text)
{
    static const char body[] = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"<think>a</think>b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn_update update;
    int texts = 0;

    desc.shape = &elelem_shape_chat;
    desc.split_thoughts = 1;
    elelem_turn_init(&turn, &desc);
    elelem_turn_push(&turn, body, sizeof body - 1);
    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        if (update.kind == ELELEM_TURN_TEXT) {
            texts++;
            CHECK_STR(update.text.data, update.text.size, "<think>a</think>b");
        }
    CHECK_INT(texts, 1);
    CHECK_INT(update.kind, ELELEM_TURN_FINISHED);
    elelem_turn_reset(&turn);
    elelem_turn_free(&turn);
}

CHECK_MAIN("no_sentences",
    RUN(the_message_of_a_failure_is_the_name_of_its_kind)
    RUN(the_words_of_shapes_are_left_out_too_and_those_of_providers_are_not)
    RUN(a_status_has_its_name_and_an_empty_sentence)
    RUN(a_request_that_is_refused_has_its_status)
    RUN(tags_stay_in_the_text))
