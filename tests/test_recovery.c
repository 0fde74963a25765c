/* recovery: refusals recognized by their words, stale values found in a request and removed from metadata. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What providers say. */

#define BAD_SIGNATURE "messages.1.content.0: Invalid `signature` in `thinking` block"
#define BAD_SIGNATURE_AT(message, block) "messages." message ".content." block ": Invalid `signature` in `thinking` block"
#define CHANGED                                                                                                     \
    "messages.3.content.9: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. " \
    "These blocks must remain as they were in the original response."
#define FIRST_BLOCK                                                                                                \
    "messages.5.content.0: If an assistant message contains any thinking blocks, the first block must be `thinking` " \
    "or `redacted_thinking`. Found `text`."
#define FOUND_TEXT "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`."
#define CORRUPTED "Corrupted thought signature."
#define NOT_VALID "Thought signature is not valid"
#define MISSING "Function call is missing a thought_signature in functionCall parts. This is required for tools to work."
#define UNVERIFIED "The encrypted content gAAA...DQ== could not be verified."
#define NOT_STORED "Item with id 'rs_02' not found. Items are not persisted when `store` is set to false."
#define ALONE "Item 'rs_02' of type 'reasoning' was provided without its required following item."

typedef struct refusal {
    const char *name;
    const char *message;
    const char *code; /* as the provider's own body has it */
    int status;
    int kind;
} refusal;

static const refusal refusals[] = {
    { "messages: signature", BAD_SIGNATURE, "invalid_request_error", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "messages: signature, newer words", BAD_SIGNATURE ". The block is bound to a different conversation.",
      "invalid_request_error", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "messages: changed", CHANGED, "invalid_request_error", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "gemini: corrupted", CORRUPTED, "INVALID_ARGUMENT", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "gemini: not valid", NOT_VALID, "INVALID_ARGUMENT", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "gemini: missing", MISSING, "INVALID_ARGUMENT", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "interactions: corrupted", CORRUPTED, "invalid_request", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "interactions: missing", MISSING, "invalid_request", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "responses: encrypted", UNVERIFIED, "invalid_encrypted_content", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "responses: encrypted, by its code", "Something is wrong.", "invalid_encrypted_content", 400,
      ELELEM_ERROR_KIND_RECOVERABLE },
    { "responses: not stored", NOT_STORED, "invalid_request_error", 404, ELELEM_ERROR_KIND_RECOVERABLE },
    { "responses: alone", ALONE, "invalid_request_error", 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "no cure: first block", FIRST_BLOCK, "invalid_request_error", 400, ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "no cure: text found", FOUND_TEXT, "invalid_request_error", 400, ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "no cure: item not found, but stored", "Item with id 'rs_02' not found.", "invalid_request_error", 404,
      ELELEM_ERROR_KIND_INVALID_REQUEST },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                              &elelem_shape_gemini, &elelem_shape_interactions };

/* The error that ended a stream, its texts kept. */
typedef struct told {
    elelem_failure error;
    char message[4000];
    char code[200];
} told;

static void keep_text(elelem_str *text, char *memory, size_t capacity)
{
    if (!CHECK(text->size < capacity)) text->size = 0;
    if (text->size > 0) memcpy(memory, text->data, text->size);
    text->data = memory;
}

static void keep(told *t, const elelem_failure *error)
{
    t->error = *error;
    keep_text(&t->error.message, t->message, sizeof t->message);
    keep_text(&t->error.code, t->code, sizeof t->code);
}

/* Feeds the body of a response with this status in pieces. */
static void respond(told *t, const elelem_shape *shape, int status, const char *body, size_t piece)
{
    elelem_stream stream;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_event event;
    size_t at, size = strlen(body);
    int ends = 0;

    memset(t, 0, sizeof *t);
    desc.shape = shape;
    elelem_stream_init(&stream, &desc);
    elelem_stream_http_status(&stream, status);
    for (at = 0; at <= size; at += piece) {
        if (at == size || at + piece > size) piece = size - at;
        if (piece == 0) break;
        elelem_stream_push(&stream, body + at, piece);
        while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
            if (event.kind == ELELEM_EVENT_METADATA) continue;
            ends++;
            keep(t, &event.error);
        }
    }
    elelem_stream_finish(&stream);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
        ends++;
        if (CHECK_INT(event.kind, ELELEM_EVENT_ERROR)) keep(t, &event.error);
    }
    CHECK_INT(ends, 1);
    elelem_stream_free(&stream);
}

/* A JSON object of texts: keys and texts in turn, then a null; "{" opens a member object, "}" closes it. */
static const char *object_of(const char *const *words)
{
    static char memory[8000];
    elelem_span_sink span = ELELEM_INIT;
    elelem_writer writer;

    span.data = memory;
    span.capacity = sizeof memory - 1;
    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    for (; *words; words++) {
        if (strcmp(*words, "}") == 0) {
            elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
            continue;
        }
        elelem_writer_key(&writer, elelem_str_of(*words++));
        if (strcmp(*words, "{") == 0) elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
        else elelem_writer_string(&writer, elelem_str_of(*words));
    }
    CHECK_INT(elelem_writer_end(&writer, ELELEM_TYPE_OBJECT), ELELEM_OK);
    memory[span.size] = '\0';
    return memory;
}

static const char *body_of(const refusal *r)
{
    const char *words[] = { "error", "{", "message", NULL, "type", "invalid_request_error", "code", NULL, "}", NULL };

    words[3] = r->message;
    words[7] = r->code;
    return object_of(words);
}

static void check_told(const refusal *r, const told *t, int shortened)
{
    static char message[4000];

    CHECK_INT(t->error.kind, r->kind);
    CHECK_INT(t->error.http_status, r->status);
    CHECK_INT(t->error.retryable, 0);
    memcpy(message, t->error.message.data, t->error.message.size);
    message[t->error.message.size] = '\0';
    if (r->kind == ELELEM_ERROR_KIND_RECOVERABLE || !shortened) CHECK(strstr(message, r->message) != NULL);
}

TEST(a_refusal_is_recognized_by_its_words_and_keeps_the_providers_message_and_code)
{
    static told t;
    size_t i, k, piece;

    for (i = 0; i < COUNT(refusals); i++)
        for (k = 0; k < COUNT(shapes); k++)
            for (piece = 1; piece < 2000; piece = piece * 7 + 3) {
                check_context(refusals[i].name);
                respond(&t, shapes[k], refusals[i].status, body_of(&refusals[i]), piece);
                check_told(&refusals[i], &t, 0);
                CHECK_STR(t.error.message.data, t.error.message.size, refusals[i].message);
                CHECK_STR(t.error.code.data, t.error.code.size, refusals[i].code);
            }
}

TEST(a_refusal_is_recognized_inside_the_raw_body_that_a_router_passes)
{
    static told t;
    size_t i;

    for (i = 0; i < COUNT(refusals); i++) {
        static char raw[4000];
        const char *words[] = { "error", "{", "message", "Provider returned error", "code", "400", "metadata", "{", "raw", raw,
                                "provider_name", "X", "}", "}", "user_id", "u", NULL };
        strcpy(raw, body_of(&refusals[i]));
        check_context(refusals[i].name);
        respond(&t, &elelem_shape_chat, refusals[i].status, object_of(words), 5);
        if (strcmp(refusals[i].name, "responses: encrypted, by its code") == 0) {
            CHECK_INT(t.error.kind, ELELEM_ERROR_KIND_RECOVERABLE);
            continue;
        }
        check_told(&refusals[i], &t, 1);
        CHECK_STR(t.error.code.data, t.error.code.size, "400");
    }
}

TEST(a_refusal_is_recognized_inside_a_routers_own_sentence)
{
    static told t;
    size_t i;

    for (i = 0; i < COUNT(refusals); i++) {
        static char said[4000];
        const char *words[] = { "error", "{", "message", said, "type", "invalid_request_error", "}", NULL };
        snprintf(said, sizeof said, "upstream: BadRequestError - %s", body_of(&refusals[i]));
        check_context(refusals[i].name);
        respond(&t, &elelem_shape_chat, refusals[i].status, object_of(words), 5);
        CHECK_INT(t.error.kind, refusals[i].kind);
    }
}

TEST(a_refusal_in_the_middle_of_a_stream_is_recognized_too)
{
    static told t;

    respond(&t, &elelem_shape_chat, 200,
           "data: {\"id\":\"x\",\"choices\":[],\"error\":{\"code\":400,\"message\":\"Provider returned error\",\"metadata\":"
           "{\"raw\":\"{\\\"error\\\":{\\\"message\\\":\\\"Corrupted thought signature.\\\"}}\"}}}\n\n", 7);
    CHECK_INT(t.error.kind, ELELEM_ERROR_KIND_RECOVERABLE);
    respond(&t, &elelem_shape_messages, 200,
           "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"" BAD_SIGNATURE
           "\"}}\n\n", 7);
    CHECK_INT(t.error.kind, ELELEM_ERROR_KIND_RECOVERABLE);
    respond(&t, &elelem_shape_responses, 200,
           "event: error\ndata: {\"type\":\"error\",\"error\":{\"code\":\"invalid_encrypted_content\",\"message\":\"" UNVERIFIED
           "\"}}\n\n", 7);
    CHECK_INT(t.error.kind, ELELEM_ERROR_KIND_RECOVERABLE);
}

/* Finding. */

static elelem_failure saying(const char *message)
{
    elelem_failure error;

    memset(&error, 0, sizeof error);
    error.kind = ELELEM_ERROR_KIND_RECOVERABLE;
    error.message = elelem_str_of(message);
    return error;
}

#define MOST 32

/* The patches as text, "key value; key value". */
static const char *found(const elelem_shape *shape, const char *message, const char *request)
{
    static char text[4000];
    elelem_patch patches[MOST];
    elelem_failure error = saying(message);
    size_t i, at = 0;
    size_t count = elelem_recovery_find(shape, &error, elelem_str_of(request), patches, MOST);

    text[0] = '\0';
    for (i = 0; i < count; i++) {
        const elelem_patch *p = &patches[i];
        CHECK(elelem_str_equal(p->match_key, p->remove_key));
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s %.*s", i ? "; " : "", (int)p->match_key.size,
                               p->match_key.data, (int)p->match_value.size, p->match_value.data);
    }
    return text;
}

#define FOUND(shape, message, request, expected)              \
    do {                                                      \
        const char *patches_ = found(shape, message, request); \
        CHECK_STR(patches_, strlen(patches_), expected);      \
    } while (0)

#define USER "{\"role\":\"user\",\"content\":\"x\"}"
#define THINKING(signature) "{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"" signature "\"}"
#define REDACTED(data) "{\"type\":\"redacted_thinking\",\"data\":\"" data "\"}"
#define TEXT "{\"type\":\"text\",\"text\":\"t\"}"
#define ASSISTANT(blocks) "{\"role\":\"assistant\",\"content\":[" blocks "]}"
#define CALLS "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{\"signature\":\"no\"}}"
#define RESULT "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"r\"}]}"
#define MESSAGES(list) "{\"model\":\"m\",\"system\":\"s\",\"messages\":[" list "],\"max_tokens\":9}"

/* Three turns; the second has a round trip to a tool. */
#define TURN_1 USER "," ASSISTANT(THINKING("A1") "," TEXT)
#define TURN_2 USER "," ASSISTANT(THINKING("A2") "," THINKING("A3") "," CALLS) "," RESULT "," ASSISTANT(THINKING("A4") "," TEXT)
#define TURN_3 USER "," ASSISTANT(THINKING("A5") "," REDACTED("R5") "," CALLS) "," RESULT "," ASSISTANT(THINKING("A6") "," CALLS) "," RESULT

TEST(a_place_that_counts_the_same_in_turns_and_messages_is_trusted)
{
    FOUND(&elelem_shape_messages, BAD_SIGNATURE_AT("1", "0"), MESSAGES(TURN_1 "," TURN_2), "signature \"A1\"");
    FOUND(&elelem_shape_messages, BAD_SIGNATURE_AT("3", "1"), MESSAGES(TURN_1 "," TURN_2 "," TURN_3), "signature \"A3\"");
    FOUND(&elelem_shape_messages, "upstream: {\\\"message\\\":\\\"" BAD_SIGNATURE_AT("3", "0"), MESSAGES(TURN_1 "," TURN_2),
          "signature \"A2\"");
    FOUND(&elelem_shape_messages, "in messages. Not there. " BAD_SIGNATURE_AT("3", "0"), MESSAGES(TURN_1 "," TURN_2),
          "signature \"A2\"");
}

TEST(a_place_after_a_round_trip_to_a_tool_is_not_trusted)
{
    FOUND(&elelem_shape_messages, BAD_SIGNATURE_AT("5", "0"), MESSAGES(TURN_2 "," TURN_1),
          "signature \"A2\"; signature \"A3\"; signature \"A4\"; signature \"A1\"");
    FOUND(&elelem_shape_messages, BAD_SIGNATURE_AT("3", "0"), MESSAGES(TURN_2 "," TURN_1),
          "signature \"A2\"; signature \"A3\"; signature \"A4\"; signature \"A1\"");
}

TEST(a_place_without_a_signature_and_no_place_mean_all_signatures)
{
    FOUND(&elelem_shape_messages, BAD_SIGNATURE_AT("1", "1"), MESSAGES(TURN_1 "," USER "," ASSISTANT(THINKING("A2"))),
          "signature \"A1\"; signature \"A2\"");
    FOUND(&elelem_shape_messages, BAD_SIGNATURE_AT("99999999999999999999", "0"), MESSAGES(TURN_1), "signature \"A1\"");
    FOUND(&elelem_shape_messages, "Invalid `signature` in `thinking` block", MESSAGES(TURN_1 "," TURN_3),
          "signature \"A1\"; signature \"A5\"; signature \"A6\"");
    FOUND(&elelem_shape_messages, "messages.1: Invalid `signature` in `thinking` block", MESSAGES(TURN_1), "signature \"A1\"");
}

TEST(a_change_means_all_reasoning_of_the_latest_turn)
{
    FOUND(&elelem_shape_messages, CHANGED, MESSAGES(TURN_1 "," TURN_2 "," TURN_3),
          "signature \"A5\"; redacted_data \"R5\"; signature \"A6\"");
    FOUND(&elelem_shape_messages, CHANGED, MESSAGES(TURN_1 "," TURN_2), "signature \"A2\"; signature \"A3\"; signature \"A4\"");
}

TEST(a_question_after_the_latest_response_does_not_hide_it)
{
    FOUND(&elelem_shape_messages, CHANGED, MESSAGES(TURN_1 "," TURN_2 "," USER),
          "signature \"A2\"; signature \"A3\"; signature \"A4\"");
}

TEST(a_turn_that_is_half_repaired_gives_the_rest)
{
    FOUND(&elelem_shape_messages, CHANGED,
          MESSAGES(TURN_1 "," USER "," ASSISTANT("{\"type\":\"thinking\",\"thinking\":\"t\"}," THINKING("A3") "," CALLS) "," RESULT ","
                   ASSISTANT(TEXT "," CALLS) "," RESULT),
          "signature \"A3\"");
    FOUND(&elelem_shape_messages, BAD_SIGNATURE_AT("3", "0"),
          MESSAGES(TURN_1 "," USER "," ASSISTANT("{\"type\":\"thinking\",\"thinking\":\"t\"}," THINKING("A3"))),
          "signature \"A1\"; signature \"A3\"");
}

TEST(if_the_latest_turn_has_nothing_left_all_others_are_meant)
{
    FOUND(&elelem_shape_messages, CHANGED, MESSAGES(TURN_1 "," TURN_2 "," USER "," ASSISTANT(TEXT)),
          "signature \"A1\"; signature \"A2\"; signature \"A3\"; signature \"A4\"");
}

TEST(keys_may_be_in_any_order)
{
    FOUND(&elelem_shape_messages, CHANGED,
          "{\"messages\":[{\"content\":[{\"signature\":\"A1\",\"type\":\"thinking\"}],\"role\":\"assistant\"},"
          "{\"content\":[{\"text\":\"x\",\"type\":\"text\"}],\"role\":\"user\"},"
          "{\"content\":[{\"signature\":\"A2\",\"type\":\"thinking\"}],\"role\":\"assistant\"},"
          "{\"content\":[{\"content\":[{\"type\":\"text\"}],\"type\":\"tool_result\"}],\"role\":\"user\"}]}",
          "signature \"A2\"");
}

TEST(the_same_value_twice_is_one_patch)
{
    FOUND(&elelem_shape_messages, BAD_SIGNATURE_AT("9", "9"),
          MESSAGES(USER "," ASSISTANT(THINKING("A") "," THINKING("B") "," THINKING("B") "," THINKING("A") "," THINKING("C"))),
          "signature \"A\"; signature \"B\"; signature \"C\"");
    FOUND(&elelem_shape_messages, "Invalid `signature` in `thinking` block",
          MESSAGES(ASSISTANT(THINKING("A1") "," THINKING("A1")) "," TURN_1), "signature \"A1\"");
}

TEST(empty_signatures_are_none)
{
    FOUND(&elelem_shape_messages, BAD_SIGNATURE, MESSAGES(USER "," ASSISTANT(THINKING(""))), "");
}

#define MODEL(parts) "{\"role\":\"model\",\"parts\":[" parts "]}"
#define SIGNED_CALL(signature) "{\"functionCall\":{\"name\":\"f\",\"args\":{}},\"thoughtSignature\":\"" signature "\"}"
#define SIGNED_TEXT(signature) "{\"text\":\"t\",\"thoughtSignature\":\"" signature "\"}"
#define FUNCTION(role) \
    "{\"role\":\"" role "\",\"parts\":[{\"functionResponse\":{\"name\":\"f\",\"response\":{\"thoughtSignature\":\"no\"}}}]}"
#define ASKS "{\"role\":\"user\",\"parts\":[{\"text\":\"x\"}]}"
#define CONTENTS(list) "{\"contents\":[" list "],\"generationConfig\":{}}"

TEST(gemini_means_the_current_turn_and_function_responses_begin_none)
{
    const char *const messages[] = { CORRUPTED, NOT_VALID, MISSING };
    size_t i;

    for (i = 0; i < COUNT(messages); i++) {
        FOUND(&elelem_shape_gemini, messages[i],
              CONTENTS(ASKS "," MODEL(SIGNED_TEXT("G1")) "," ASKS "," MODEL(SIGNED_CALL("G2")) "," FUNCTION("user") ","
                       MODEL(SIGNED_CALL("G3")) "," FUNCTION("function")),
              "thought_signature \"G2\"; thought_signature \"G3\"");
        FOUND(&elelem_shape_gemini, messages[i], CONTENTS(ASKS "," MODEL(SIGNED_TEXT("G1")) "," ASKS), "thought_signature \"G1\"");
    }
}

TEST(values_accepted_instead_of_a_signature_are_not_stale)
{
    FOUND(&elelem_shape_gemini, CORRUPTED,
          CONTENTS(ASKS "," MODEL(SIGNED_CALL("skip_thought_signature_validator") ","
                                  SIGNED_CALL("context_engineering_is_the_way_to_go") "," SIGNED_CALL("G1"))),
          "thought_signature \"G1\"");
    FOUND(&elelem_shape_gemini, CORRUPTED, CONTENTS(ASKS "," MODEL(SIGNED_CALL("skip_thought_signature_validator"))), "");
}

#define STEPS(list) "{\"model\":\"m\",\"input\":[" list "]}"
#define THOUGHT(signature) "{\"type\":\"thought\",\"signature\":\"" signature "\"}"

TEST(interactions_mean_every_signed_step)
{
    FOUND(&elelem_shape_interactions, CORRUPTED,
          STEPS(THOUGHT("I1") ",{\"type\":\"function_call\",\"id\":\"c\",\"arguments\":{\"signature\":\"no\"},\"signature\":\"I2\"},"
                "{\"type\":\"function_result\",\"call_id\":\"c\",\"result\":{\"signature\":\"no\"}}," THOUGHT("skip_thought_signature_validator")),
          "step_signature \"I1\"; step_signature \"I2\"");
    FOUND(&elelem_shape_interactions, CORRUPTED, STEPS("{\"type\":\"user_input\",\"content\":[]}"), "");
}

#define REASONING(id, sealed) \
    "{\"type\":\"reasoning\",\"id\":\"" id "\",\"summary\":[],\"encrypted_content\":\"" sealed "\"}"
#define MESSAGE(id) "{\"type\":\"message\",\"id\":\"" id "\",\"role\":\"assistant\",\"content\":[]}"
#define INPUT(list) "{\"input\":[" list "],\"store\":false}"
#define SEALED "gAAAAB"

TEST(encrypted_content_is_found_by_its_quoted_ends)
{
    FOUND(&elelem_shape_responses, UNVERIFIED,
          INPUT(REASONING("rs_01", "gAAAABone==") "," REASONING("rs_02", "gAAAABtwoDQ==") "," REASONING("rs_03", "xAAADQ==")),
          "encrypted_content \"gAAAABtwoDQ==\"");
    FOUND(&elelem_shape_responses, "The encrypted content gAAAABone== could not be verified.",
          INPUT(REASONING("rs_01", "gAAAABone==") "," REASONING("rs_02", "gAAAABone==more")),
          "encrypted_content \"gAAAABone==\"");
}

TEST(encrypted_content_that_is_not_quoted_means_all)
{
    FOUND(&elelem_shape_responses, "The encrypted content for item rs_02 could not be verified. Reason: it did not match.",
          INPUT(REASONING("rs_01", "gAAAABone==") "," REASONING("rs_02", "gAAAABtwo==")),
          "encrypted_content \"gAAAABone==\"; encrypted_content \"gAAAABtwo==\"");
    FOUND(&elelem_shape_responses, UNVERIFIED, INPUT(REASONING("rs_01", "gAAA==")), "encrypted_content \"gAAA==\"");
    FOUND(&elelem_shape_responses, "error code: invalid_encrypted_content", INPUT(REASONING("rs_01", "gAAA==")),
          "encrypted_content \"gAAA==\"");
}

TEST(the_ends_of_encrypted_content_do_not_overlap)
{
    FOUND(&elelem_shape_responses, "The encrypted content gAAA...AAA= could not be verified.",
          INPUT(REASONING("a", "gAAA=") "," REASONING("b", "gAAABAAA=")), "encrypted_content \"gAAABAAA=\"");
}

TEST(a_code_alone_names_the_rejection)
{
    elelem_failure error = saying("Something is wrong.");
    elelem_patch patch;

    error.code = elelem_str_of("invalid_encrypted_content");
    CHECK_INT(elelem_recovery_find(&elelem_shape_responses, &error, elelem_str_of(INPUT(REASONING("a", "gAAA="))), &patch, 1), 1);
    CHECK_STR(patch.match_value.data, patch.match_value.size, "\"gAAA=\"");
}

TEST(an_item_is_found_by_its_id_and_not_by_a_part_of_it)
{
    const char *const messages[] = { NOT_STORED, ALONE, "{\"error\":{\"message\":\"" ALONE "\"}}" };
    size_t i;

    for (i = 0; i < COUNT(messages); i++) {
        FOUND(&elelem_shape_responses, messages[i],
              INPUT(REASONING("rs_0", "x") "," REASONING("rs_02", "y") "," REASONING("rs_022", "z") "," MESSAGE("msg_1")),
              "item_id \"rs_02\"");
        FOUND(&elelem_shape_responses, messages[i], INPUT(REASONING("rs_0", "x") "," MESSAGE("msg_1") "," REASONING("rs_022", "z")),
              "item_id \"rs_0\"; item_id \"rs_022\"");
    }
}

TEST(an_item_that_is_named_need_not_be_reasoning)
{
    FOUND(&elelem_shape_responses, "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false.",
          INPUT(REASONING("rs_01", "x") "," MESSAGE("msg_1")), "item_id \"msg_1\"");
    FOUND(&elelem_shape_responses, NOT_STORED, INPUT(MESSAGE("msg_1") "," MESSAGE("not")), "");
}

#define DETAILS(role, list) "{\"role\":\"" role "\",\"content\":\"t\",\"reasoning_details\":[" list "]}"
#define DETAIL_SIGNED(signature) "{\"type\":\"reasoning.text\",\"text\":\"t\",\"signature\":\"" signature "\",\"index\":0}"
#define DETAIL_SEALED(data, id) "{\"type\":\"reasoning.encrypted\",\"data\":\"" data "\",\"id\":\"" id "\"}"
#define SYSTEM "{\"role\":\"system\",\"content\":\"x\"}"
#define TOOL "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"x\"}"
#define CALLED(signature)                                                                                            \
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"},"       \
    "\"extra_content\":{\"google\":{\"thought_signature\":\"" signature "\"}}}]}"

TEST(values_are_found_in_a_routers_request)
{
    FOUND(&elelem_shape_chat, BAD_SIGNATURE, MESSAGES(USER "," DETAILS("assistant", DETAIL_SIGNED("S1")) "," USER ","
                                                      DETAILS("assistant", DETAIL_SIGNED("S2"))),
          "reasoning_details \"S1\"");
    FOUND(&elelem_shape_chat, CHANGED,
          MESSAGES(SYSTEM "," USER "," DETAILS("assistant", DETAIL_SIGNED("S1")) "," USER ","
                   DETAILS("assistant", DETAIL_SIGNED("S2") "," DETAIL_SEALED("E2", "d")) "," TOOL ","
                   DETAILS("assistant", DETAIL_SIGNED("S3")) "," TOOL),
          "reasoning_details \"S2\"; reasoning_details \"E2\"; reasoning_details \"S3\"");
    FOUND(&elelem_shape_chat, CORRUPTED, MESSAGES(CALLED("T1") "," USER "," CALLED("T2") "," TOOL), "extra_content \"T2\"");
    FOUND(&elelem_shape_chat, UNVERIFIED, MESSAGES(USER "," DETAILS("assistant", DETAIL_SEALED("gAAAxDQ==", "rs_1")) ","
                                                   DETAILS("assistant", DETAIL_SEALED("gAAAy==", "rs_2"))),
          "reasoning_details \"gAAAxDQ==\"");
    FOUND(&elelem_shape_chat, NOT_STORED, MESSAGES(USER "," DETAILS("assistant", DETAIL_SEALED("x", "rs_02"))),
          "reasoning_details \"rs_02\"");
}

TEST(a_system_message_in_a_routers_request_does_not_shift_what_is_found)
{
    FOUND(&elelem_shape_chat, BAD_SIGNATURE, MESSAGES(SYSTEM "," USER "," DETAILS("assistant", DETAIL_SIGNED("S1")) "," USER ","
                                                      DETAILS("assistant", DETAIL_SIGNED("S2"))),
          "reasoning_details \"S1\"; reasoning_details \"S2\"");
    FOUND(&elelem_shape_chat, BAD_SIGNATURE_AT("5", "0"),
          MESSAGES(SYSTEM "," USER "," CALLED("T1") "," TOOL "," TOOL "," DETAILS("assistant", DETAIL_SIGNED("S1")) "," USER ","
                   DETAILS("assistant", DETAIL_SIGNED("S2"))),
          "reasoning_details \"S1\"; reasoning_details \"S2\"");
}

TEST(a_rejection_means_only_values_that_the_shape_has)
{
    FOUND(&elelem_shape_messages, CORRUPTED, MESSAGES(TURN_1), "");
    FOUND(&elelem_shape_responses, BAD_SIGNATURE, INPUT(REASONING("rs_1", "x")), "");
    FOUND(&elelem_shape_gemini, NOT_STORED, CONTENTS(MODEL(SIGNED_CALL("G1"))), "");
}

TEST(an_error_that_is_not_recoverable_finds_nothing)
{
    elelem_failure error = saying(BAD_SIGNATURE);
    elelem_patch patch;

    error.kind = ELELEM_ERROR_KIND_INVALID_REQUEST;
    CHECK_INT(elelem_recovery_find(&elelem_shape_messages, &error, elelem_str_of(MESSAGES(TURN_1)), &patch, 1), 0);
    FOUND(&elelem_shape_messages, FIRST_BLOCK, MESSAGES(TURN_1), "");
    FOUND(&elelem_shape_messages, "", MESSAGES(TURN_1), "");
    error = saying(BAD_SIGNATURE);
    CHECK_INT(elelem_recovery_find(NULL, &error, elelem_str_of(MESSAGES(TURN_1)), &patch, 1), 0);
    CHECK_INT(elelem_recovery_find(&elelem_shape_messages, NULL, elelem_str_of(MESSAGES(TURN_1)), &patch, 1), 0);
    error.message.data = NULL;
    error.message.size = 0;
    CHECK_INT(elelem_recovery_find(&elelem_shape_messages, &error, elelem_str_of(MESSAGES(TURN_1)), &patch, 1), 0);
}

TEST(at_most_capacity_patches_are_written_and_counted)
{
    elelem_failure error = saying("Invalid `signature` in `thinking` block");
    elelem_patch patches[6];
    elelem_str request = elelem_str_of(MESSAGES(TURN_1 "," TURN_2 "," TURN_3));
    size_t capacity;

    CHECK_INT(elelem_recovery_find(&elelem_shape_messages, &error, request, NULL, 0), 0);
    for (capacity = 1; capacity < 5; capacity++) {
        memset(patches, 0, sizeof patches);
        CHECK_INT(elelem_recovery_find(&elelem_shape_messages, &error, request, patches, capacity), capacity);
        CHECK_STR(patches[capacity - 1].match_key.data, patches[capacity - 1].match_key.size, "signature");
        CHECK(patches[capacity].match_key.data == NULL);
    }
}

/* The request in a block of exactly its size, so that the sanitizer reports reading outside of it. */
static size_t find_in_block(const elelem_shape *shape, const char *message, const char *bytes, size_t size)
{
    elelem_patch patches[4];
    elelem_failure error = saying(message);
    char *block = (char *)malloc(size + (size == 0));
    elelem_str request;
    size_t count, i;

    if (!block) abort();
    memcpy(block, bytes, size);
    request.data = block;
    request.size = size;
    count = elelem_recovery_find(shape, &error, request, patches, 4);
    for (i = 0; i < count; i++) {
        CHECK(patches[i].match_value.size > 2);
        CHECK(patches[i].match_value.data >= block);
        CHECK(patches[i].match_value.data + patches[i].match_value.size <= block + size);
        CHECK_INT(patches[i].match_value.data[0], '"');
        CHECK_INT(patches[i].match_value.data[patches[i].match_value.size - 1], '"');
    }
    free(block);
    return count;
}

static const char *const hostile[] = {
    MESSAGES(TURN_1 "," TURN_3),
    MESSAGES(USER "," DETAILS("assistant", DETAIL_SIGNED("\\\"\\\\\\\"") "," DETAIL_SEALED("gAAA\\u00e9DQ==", "rs_02")) "," CALLED("T")),
    INPUT(REASONING("r", "gAAADQ==") "," REASONING("rs_02", "e")),
    CONTENTS(ASKS "," MODEL(SIGNED_CALL("G")) "," FUNCTION("user")),
};

static const char *const rejections[] = { BAD_SIGNATURE, CHANGED, CORRUPTED, UNVERIFIED, NOT_STORED };

TEST(a_request_that_is_cut_off_anywhere_does_no_harm)
{
    size_t i, k, size;

    for (i = 0; i < COUNT(hostile); i++)
        for (k = 0; k < COUNT(rejections); k++)
            for (size = 0; size <= strlen(hostile[i]); size++)
                find_in_block(shapes[(i + 2) % 4], rejections[k], hostile[i], size);
}

TEST(a_request_that_is_no_json_does_no_harm)
{
    static const char wrong[] = { '"', '\\', '[', '{', '}', '0', '\0', (char)0xff };
    char text[2000];
    size_t i, k, at, w;

    for (i = 0; i < COUNT(hostile); i++) {
        size_t size = strlen(hostile[i]);
        memcpy(text, hostile[i], size);
        for (at = 0; at < size; at++)
            for (w = 0; w < sizeof wrong; w++) {
                char right = text[at];
                text[at] = wrong[w];
                for (k = 0; k < COUNT(shapes); k++)
                    find_in_block(shapes[k], rejections[(at + k) % COUNT(rejections)], text, size);
                text[at] = right;
            }
    }
}

TEST(a_request_may_be_deep_and_have_long_keys)
{
    static char text[400000];
    size_t at, i;

    at = (size_t)sprintf(text, "{\"tools\":");
    for (i = 0; i < 200; i++)
        at += (size_t)sprintf(text + at, "{\"%0500d\":[", (int)i);
    for (i = 0; i < 200; i++)
        at += (size_t)sprintf(text + at, "]}");
    sprintf(text + at, ",\"messages\":[" TURN_1 "]}");
    FOUND(&elelem_shape_messages, BAD_SIGNATURE, text, "signature \"A1\"");

    at = (size_t)sprintf(text, "{\"contents\":[" ASKS "," MODEL(SIGNED_CALL("G1")) ",{\"role\":\"user\",\"parts\":[{\"functionResponse\":");
    for (i = 0; i < 400; i++)
        at += (size_t)sprintf(text + at, "{\"%0500d\":", (int)i);
    at += (size_t)sprintf(text + at, "null");
    for (i = 0; i < 400; i++)
        at += (size_t)sprintf(text + at, "}");
    sprintf(text + at, "}]}," MODEL(SIGNED_CALL("G2")) "]}");
    FOUND(&elelem_shape_gemini, CORRUPTED, text, "thought_signature \"G1\"; thought_signature \"G2\"");
}

TEST(a_million_brackets_are_read_to_the_limit_only)
{
    size_t size = 1000000;
    char *text = (char *)malloc(size);

    if (!text) abort();
    memset(text, '[', size);
    memcpy(text, "{\"messages\":", 12);
    CHECK_INT(find_in_block(&elelem_shape_messages, BAD_SIGNATURE, text, size), 0);
    free(text);
}

/* Removing. */

/* Applies one patch to metadata of up to four entries, keys and JSON in turn; the rest as text. */
static const char *applied(const char *key, const char *value, const char *remove, const char *const *words, size_t *removed)
{
    static char text[2000];
    elelem_metadata_entry entries[4];
    elelem_patch patch;
    size_t i, at = 0, count = 0;

    patch.match_key = elelem_str_of(key);
    patch.match_value = elelem_str_of(value);
    patch.remove_key = elelem_str_of(remove);
    for (; words[count * 2]; count++) {
        entries[count].key = elelem_str_of(words[count * 2]);
        entries[count].json = elelem_str_of(words[count * 2 + 1]);
    }
    *removed = elelem_patch_apply(&patch, 1, entries, &count);
    if (*removed > 0) CHECK_INT(elelem_patch_apply(&patch, 1, entries, &count), 0);
    text[0] = '\0';
    for (i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s", i ? " " : "", (int)entries[i].key.size, entries[i].key.data);
    return text;
}

TEST(a_patch_removes_what_it_names_and_keeps_the_order)
{
    const char *const words[] = { "a", "1", "signature", "\"S\"", "b", "2", NULL };
    size_t removed;
    const char *left = applied("signature", "\"S\"", "signature", words, &removed);

    CHECK_STR(left, strlen(left), "a b");
    CHECK_INT(removed, 1);
    left = applied("signature", "\"S\"", "a", words, &removed);
    CHECK_STR(left, strlen(left), "signature b");
    CHECK_INT(removed, 1);
}

TEST(a_patch_is_found_at_any_depth_and_after_keys_of_any_length)
{
    static char json[70000];
    const char *const words[] = { "signature", json, "b", "2", NULL };
    size_t depth, at, i, removed;

    for (depth = 1; depth <= 1000; depth = depth * 10 + 5) {
        at = (size_t)sprintf(json, "[");
        for (i = 0; i < depth; i++)
            at += (size_t)sprintf(json + at, "{\"k\":");
        at += (size_t)sprintf(json + at, "[]");
        for (i = 0; i < depth; i++)
            at += (size_t)sprintf(json + at, "}");
        sprintf(json + at, ",{\"%0*d\" : \"S\"}]", (int)depth * 40, 0);
        applied("signature", "\"S\"", "signature", words, &removed);
        CHECK_INT(removed, 1);
    }
}

TEST(a_key_is_no_value_and_neither_is_a_string_without_an_end)
{
    static const char *const none[] = { "{\"S\":1}", "{\"S\" \n : \"T\"}", "[\"S", "[\"\\\"S\\", "", "[\"a\\\\\",\"b\\\"S\"]", "7" };
    size_t i, removed;

    for (i = 0; i < COUNT(none); i++) {
        const char *words[] = { "signature", NULL, NULL };
        words[1] = none[i];
        check_context(none[i]);
        applied("signature", "\"S\"", "signature", words, &removed);
        CHECK_INT(removed, 0);
    }
}

TEST(only_what_was_there_counts_as_removed)
{
    const char *const words[] = { "a", "1", "signature", "\"S\"", NULL };
    size_t removed;

    applied("signature", "\"T\"", "signature", words, &removed);
    CHECK_INT(removed, 0);
    applied("signature", "\"S\"", "gone", words, &removed);
    CHECK_INT(removed, 0);
    applied("other", "\"S\"", "signature", words, &removed);
    CHECK_INT(removed, 0);
}

TEST(a_repeated_key_is_removed_everywhere)
{
    const char *const words[] = { "signature", "\"T\"", "a", "1", "signature", "\"S\"", NULL };
    size_t removed;
    const char *left = applied("signature", "\"S\"", "signature", words, &removed);

    CHECK_STR(left, strlen(left), "a");
    CHECK_INT(removed, 2);
}

typedef struct spelling {
    const char *in_request;
    const char *in_metadata;
    int same;
} spelling;

static const spelling spellings[] = {
    { "\"S\"", "\"S\"", 1 },
    { "\"S\"", " \"S\" ", 1 },
    { "\"S\"", "\"s\"", 0 },
    { "\"S\"", "\"SS\"", 0 },
    { "\"SS\"", "\"S\"", 0 },
    { "\"a/b\"", "\"a\\/b\"", 1 },
    { "\"a\\/b\"", "\"a/b\"", 1 },
    { "\"A=\"", "\"\\u0041\\u003d\"", 1 },
    { "\"A=\"", "\"\\u0041\\u003D\"", 1 },
    { "\"\\n\\t\\b\\f\\r\"", "\"\\u000a\\u0009\\u0008\\u000C\\u000d\"", 1 },
    { "\"\\\"\\\\\"", "\"\\u0022\\u005c\"", 1 },
    { "\"\xc3\xa9\"", "\"\\u00e9\"", 1 },
    { "\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\ude00\"", 1 },
    { "\"\\ud83d\\u0041\"", "\"\xef\xbf\xbd" "A\"", 1 },
    { "\"\\ud83d\\u0041\"", "\"\\ud83d\\ude41\"", 0 },
    { "\"\\ud83dxudead\"", "\"\xef\xbf\xbdxudead\"", 1 },
    { "\"\\ude00\"", "\"\xef\xbf\xbd\"", 1 },
    { "\"\\u0000\"", "\"\"", 0 },
    { "\"S\"", "[{\"type\":\"t\",\"signature\":\"S\"}]", 1 },
    { "\"S\"", "[{\"a\":[[],[\"x\",{\"b\":\"\\u0053\"}]]}]", 1 },
    { "\"S\"", "{\"google\":{\"thought_signature\":\"S\"}}", 1 },
    { "\"S\"", "{\"S\":\"x\"}", 0 },
    { "\"S\"", "{\"x\":\"a \\\"S\\\"\"}", 0 },
    { "\"1\"", "1", 0 },
    { "\"true\"", "[true,null]", 0 },
    { "\"S\"", "", 0 },
    { "\"S\"", "[\"S", 0 },
    { "\"S\"", "}", 0 },
    { "", "\"\"", 0 },
    { "\"", "\"\"", 0 },
    { "\"\\\"", "\"\\\\\"", 1 }, /* no JSON: read as it is */
    { "\"\\u\"", "\"u\"", 0 },
    { "\"\\u12", "\"x\"", 0 },
};

TEST(a_value_matches_with_any_escapes_and_inside_any_container)
{
    size_t i, removed;

    for (i = 0; i < COUNT(spellings); i++) {
        const char *words[] = { "k", NULL, NULL };
        words[1] = spellings[i].in_metadata;
        check_context(spellings[i].in_request);
        applied("k", spellings[i].in_request, "k", words, &removed);
        CHECK_INT(removed, spellings[i].same);
    }
}

TEST(several_patches_are_counted_together)
{
    elelem_metadata_entry entries[3];
    elelem_patch patches[3];
    size_t i, count = 3;

    for (i = 0; i < 3; i++) {
        entries[i].key = patches[i].match_key = patches[i].remove_key = elelem_str_of(i == 0 ? "a" : i == 1 ? "b" : "c");
        entries[i].json = elelem_str_of("\"S\"");
        patches[i].match_value = elelem_str_of(i == 1 ? "\"T\"" : "\"S\"");
    }
    CHECK_INT(elelem_patch_apply(patches, 3, entries, &count), 2);
    CHECK_INT(count, 1);
    CHECK_STR(entries[0].key.data, entries[0].key.size, "b");
    CHECK_INT(elelem_patch_apply(patches, 3, entries, &count), 0);
    CHECK_INT(elelem_patch_apply(NULL, 0, entries, &count), 0);
    count = 0;
    CHECK_INT(elelem_patch_apply(patches, 3, NULL, &count), 0);
}

/* Patches are tried together; which and how many must not matter. */
TEST(each_of_many_patches_removes_its_own_entry)
{
    static elelem_metadata_entry entries[200];
    static elelem_patch patches[200];
    static char values[200][20];
    size_t i, count, some;

    for (some = 1; some <= 200; some += some < 60 || some > 130 ? 19 : 1) {
        for (i = 0; i < 200; i++) {
            snprintf(values[i], sizeof values[i], "\"%lu/\\u0041\"", (unsigned long)i);
            entries[i].key = patches[i].match_key = patches[i].remove_key = elelem_str_of(values[i]);
            entries[i].json = patches[i].match_value = elelem_str_of(values[i]);
        }
        count = 200;
        CHECK_INT(elelem_patch_apply(patches, some, entries, &count), some);
        CHECK_INT(count, 200 - some);
        CHECK_INT(elelem_patch_apply(patches, some, entries, &count), 0);
        if (some < 200) CHECK_STR(entries[0].key.data, entries[0].key.size, values[some]);
    }
}

TEST(patches_of_one_list_are_found_in_one_value)
{
    elelem_metadata_entry entries[2];
    elelem_patch patches[3];
    static const char *const values[] = { "\"S\"", "\"T\"", "\"none\"" };
    size_t i, count = 2;

    entries[0].key = entries[1].key = elelem_str_of("a");
    entries[0].json = elelem_str_of("[{\"x\":\"S\"},{\"y\":[\"T\"]}]");
    entries[1].key = elelem_str_of("b");
    entries[1].json = elelem_str_of("1");
    for (i = 0; i < 3; i++) {
        patches[i].match_key = elelem_str_of("a");
        patches[i].match_value = elelem_str_of(values[i]);
        patches[i].remove_key = elelem_str_of(i == 0 ? "gone" : i == 1 ? "b" : "a");
    }
    CHECK_INT(elelem_patch_apply(patches, 3, entries, &count), 1);
    CHECK_INT(count, 1);
    CHECK_STR(entries[0].key.data, entries[0].key.size, "a");
}

/* From a stream to the request and back. */

typedef struct trip {
    const char *name;
    const elelem_shape *shape;
    const char *body;
    const char *key;     /* of the metadata that comes of it */
    const char *request; /* in it %s is that metadata */
    const char *message;
} trip;

static const trip trips[] = {
    { "messages: signature", &elelem_shape_messages,
      "data: {\"type\":\"message_start\",\"message\":{}}\n\n"
      "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n"
      "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"Eq\\/\"}}\n\n"
      "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"MB==\"}}\n\n"
      "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
      "signature", MESSAGES(USER "," ASSISTANT("{\"type\":\"thinking\",\"signature\":%s}")), BAD_SIGNATURE },
    { "messages: redacted", &elelem_shape_messages,
      "data: {\"type\":\"message_start\",\"message\":{}}\n\n"
      "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"Rx\"}}\n\n"
      "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
      "redacted_data", MESSAGES(USER "," ASSISTANT("{\"type\":\"redacted_thinking\",\"data\":%s}")), CHANGED },
    { "chat: reasoning details", &elelem_shape_chat,
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"t\",\"reasoning_details\":[{\"type\":\"reasoning.text\","
      "\"text\":\"t\",\"index\":0}]}}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"signature\":\"Sg/=\","
      "\"index\":0}]}}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
      "reasoning_details", MESSAGES(USER "," "{\"role\":\"assistant\",\"reasoning_details\":%s}"), BAD_SIGNATURE },
    { "chat: extra content", &elelem_shape_chat,
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\","
      "\"arguments\":\"{}\"},\"extra_content\":{\"google\":{\"thought_signature\":\"TS\"}}}]},\"finish_reason\":\"stop\"}]}\n\n"
      "data: [DONE]\n\n",
      "extra_content", MESSAGES(USER ",{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"extra_content\":%s}]}"), NOT_VALID },
    { "responses: encrypted", &elelem_shape_responses,
      "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs_02\","
      "\"summary\":[],\"encrypted_content\":\"gAAAxDQ==\"}}\n\n"
      "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
      "encrypted_content", INPUT("{\"type\":\"reasoning\",\"encrypted_content\":%s}"), UNVERIFIED },
    { "responses: item", &elelem_shape_responses,
      "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs_02\","
      "\"summary\":[],\"encrypted_content\":\"gAAAxDQ==\"}}\n\n"
      "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
      "item_id", INPUT("{\"type\":\"reasoning\",\"id\":%s}"), NOT_STORED },
    { "gemini: thought", &elelem_shape_gemini,
      "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{}},"
      "\"thoughtSignature\":\"G/1\"}]},\"finishReason\":\"STOP\"}]}\n\n",
      "thought_signature", CONTENTS(ASKS "," MODEL("{\"functionCall\":{\"name\":\"f\"},\"thoughtSignature\":%s}")), CORRUPTED },
    { "interactions: thought", &elelem_shape_interactions,
      "{\"status\":\"completed\",\"steps\":[{\"type\":\"thought\",\"signature\":\"I/1\"}]}",
      "step_signature", STEPS("{\"type\":\"thought\",\"signature\":%s}"), CORRUPTED },
};

/* What a caller does after a refusal: find, apply, and check that it is gone. */
static void repair(const trip *t, const elelem_metadata *metadata)
{
    static char json[1000], request[3000];
    elelem_str value = elelem_metadata_get(metadata, t->key);
    elelem_metadata_entry entries[8];
    elelem_failure error = saying(t->message);
    elelem_patch patches[2];
    size_t count, left = metadata->count;

    if (!CHECK(value.size > 0 && value.size < sizeof json && left <= 8)) return;
    memcpy(json, value.data, value.size);
    json[value.size] = '\0';
    memcpy(entries, metadata->entries, left * sizeof *entries);
    snprintf(request, sizeof request, t->request, json);
    count = elelem_recovery_find(t->shape, &error, elelem_str_of(request), patches, 2);
    CHECK_INT(count, 1);
    CHECK_INT(elelem_patch_apply(patches, count, entries, &left), 1);
    CHECK_INT(left, metadata->count - 1);
    CHECK_INT(elelem_patch_apply(patches, count, entries, &left), 0);
    snprintf(request, sizeof request, t->request, "null");
    CHECK_INT(elelem_recovery_find(t->shape, &error, elelem_str_of(request), patches, 2), 0);
}

TEST(what_a_stream_emitted_is_found_in_the_next_request_and_removed)
{
    size_t i;

    for (i = 0; i < COUNT(trips); i++) {
        elelem_turn turn;
        elelem_turn_desc desc = ELELEM_INIT;
        elelem_turn_update update;
        int items = 0;
        check_context(trips[i].name);
        desc.shape = trips[i].shape;
        elelem_turn_init(&turn, &desc);
        elelem_turn_push(&turn, trips[i].body, strlen(trips[i].body));
        elelem_turn_finish(&turn);
        while (elelem_turn_next(&turn, &update) == ELELEM_OK) {
            if (update.kind == ELELEM_TURN_ERROR) CHECK_STR(update.error.message.data, update.error.message.size, "");
            if (update.kind != ELELEM_TURN_ITEM && update.kind != ELELEM_TURN_TOOL_CALL_DONE) continue;
            items++;
            repair(&trips[i], &update.metadata);
        }
        CHECK_INT(items, 1);
        elelem_turn_free(&turn);
    }
}

/* The recorded bodies of refusals. */

typedef struct recorded {
    const char *name;
    const elelem_shape *shape;
    int status;
    int kind;
} recorded;

static const recorded recordings[] = {
    { "gemini-google-http400-corrupted-thought-signature-quoted.json", &elelem_shape_gemini, 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "gemini-google-http400-missing-thought-signature-quoted.json", &elelem_shape_gemini, 400, ELELEM_ERROR_KIND_RECOVERABLE },
    { "messages-anthropic-http400-invalid-thinking-signature-quoted.json", &elelem_shape_messages, 400,
      ELELEM_ERROR_KIND_RECOVERABLE },
    { "messages-anthropic-http400-thinking-cannot-be-modified-quoted.json", &elelem_shape_messages, 400,
      ELELEM_ERROR_KIND_RECOVERABLE },
    { "messages-anthropic-http400-first-block-must-be-thinking-quoted.json", &elelem_shape_messages, 400,
      ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "responses-openai-http400-invalid-encrypted-content-quoted.json", &elelem_shape_responses, 400,
      ELELEM_ERROR_KIND_RECOVERABLE },
    { "responses-openai-http404-item-not-persisted-quoted.json", &elelem_shape_responses, 404, ELELEM_ERROR_KIND_RECOVERABLE },
};

/* Returns zero if the file is not there. */
static int read_recording(const char *name, char *body, size_t capacity)
{
    char path[1000];
    const char *corpus = getenv("ELELEM_CORPUS");
    FILE *file;

    snprintf(path, sizeof path, "%s/streams/errors/%s", corpus ? corpus : "../shared/corpus", name);
    file = fopen(path, "rb");
    if (!file) return 0;
    body[fread(body, 1, capacity - 1, file)] = '\0';
    fclose(file);
    return 1;
}

TEST(recorded_refusals_are_recognized)
{
    static told t;
    static char body[4000];
    size_t i;

    for (i = 0; i < COUNT(recordings); i++) {
        if (!read_recording(recordings[i].name, body, sizeof body)) {
            check_nothing("no recordings (set ELELEM_CORPUS)");
            return;
        }
        check_context(recordings[i].name);
        respond(&t, recordings[i].shape, recordings[i].status, body, 9);
        CHECK_INT(t.error.kind, recordings[i].kind);
    }
}

/* Paths of a shape that is not the library's. */

static const char *found_by(const elelem_recovery_path *paths, size_t count, const char *message, const char *request)
{
    elelem_shape shape = elelem_shape_messages;

    shape.recovery = paths;
    shape.recovery_count = count;
    return found(&shape, message, request);
}

#define OWN(path) { path, "signature", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_SIGNATURE }

TEST(a_shape_of_the_callers_may_have_any_paths)
{
    static const elelem_recovery_path root[] = { OWN("messages"), OWN("messages[*].s"), OWN("model"), OWN("\"odd") };
    static const elelem_recovery_path list[] = { OWN("list[*]") };
    static const char request[] = "{\"model\":\"M\",\"messages\":[{\"s\":\"S1\",\"t\":{\"s\":\"no\"}},{\"s\":\"S2\"}],\"list\":[\"L\"]}";
    const char *text = found_by(root, 1, BAD_SIGNATURE, request);

    CHECK_STR(text, strlen(text), "");
    text = found_by(root + 1, 2, BAD_SIGNATURE, request);
    CHECK_STR(text, strlen(text), "signature \"S1\"; signature \"S2\"");
    text = found_by(root + 1, 3, BAD_SIGNATURE, request);
    CHECK_STR(text, strlen(text), "");
    text = found_by(list, 1, BAD_SIGNATURE, request);
    CHECK_STR(text, strlen(text), "signature \"L\"");
    text = found_by(NULL, 0, BAD_SIGNATURE, request);
    CHECK_STR(text, strlen(text), "");
}

TEST(sixteen_paths_are_read)
{
    static char request[1000], names[20][12];
    elelem_recovery_path paths[20];
    const elelem_recovery_path some = OWN("");
    const char *text;
    size_t i, at = 0;

    for (i = 0; i < 20; i++) {
        sprintf(names[i], "m[*].a%d", (int)i);
        paths[i] = some;
        paths[i].path = names[i];
        at += (size_t)sprintf(request + at, "%s\"a%d\":\"S%d\"", i ? "," : "{\"m\":[{", (int)i, (int)i);
    }
    strcpy(request + at, "}]}");
    text = found_by(paths, 20, BAD_SIGNATURE, request);
    CHECK_STR(text + strlen(text) - 15, 15, "signature \"S15\"");
    text = found_by(paths, 16, BAD_SIGNATURE, request);
    CHECK_STR(text + strlen(text) - 15, 15, "signature \"S15\"");
    text = found_by(paths, 15, BAD_SIGNATURE, request);
    CHECK_STR(text + strlen(text) - 15, 15, "signature \"S14\"");
}

/* Reading the sentence. */

TEST(a_place_may_end_the_sentence_and_is_looked_for_in_its_start)
{
    static char message[9000];

    FOUND(&elelem_shape_messages, "Invalid `signature` in `thinking` block at .content.1 of messages.3", MESSAGES(TURN_1 "," TURN_2), "signature \"A3\"");
    FOUND(&elelem_shape_messages, "Invalid `signature` in `thinking` block at messages.3 .content.0", MESSAGES(TURN_1 "," TURN_2), "signature \"A2\"");
    FOUND(&elelem_shape_messages, "Invalid `signature` in `thinking` block at messages.", MESSAGES(TURN_1), "signature \"A1\"");
    FOUND(&elelem_shape_messages, "Invalid `signature` in `thinking` block at messages.1/.content.0:", MESSAGES(TURN_1 "," TURN_2), "signature \"A1\"");
    memset(message, 'x', 4095);
    strcpy(message, "Invalid `signature` in `thinking` block");
    message[strlen(message)] = ' ';
    strcpy(message + 4095, "messages.3.content.1"); /* .content. is after the part that is looked through */
    FOUND(&elelem_shape_messages, message, MESSAGES(TURN_1 "," TURN_2), "signature \"A1\"; signature \"A2\"; signature \"A3\"; signature \"A4\"");
    strcpy(message + 4000, "messages.3.content.1");
    FOUND(&elelem_shape_messages, message, MESSAGES(TURN_1 "," TURN_2), "signature \"A3\"");
    strcpy(message + 4095, ".content.1");
    memset(message + 4000, 'x', 95);
    memcpy(message + 4000, "messages.3", 10);
    FOUND(&elelem_shape_messages, message, MESSAGES(TURN_1 "," TURN_2), "signature \"A3\"");
    memset(message + 4000, 'x', 96);
    strcpy(message + 4096, "messages.3.content.1");
    FOUND(&elelem_shape_messages, message, MESSAGES(TURN_1 "," TURN_2), "signature \"A1\"; signature \"A2\"; signature \"A3\"; signature \"A4\"");
}

TEST(the_first_of_several_places_in_a_sentence_is_meant_also_if_its_number_is_0)
{
    FOUND(&elelem_shape_messages, BAD_SIGNATURE ". It differs from messages.3.content.1", MESSAGES(TURN_1 "," TURN_2), "signature \"A1\"");
    FOUND(&elelem_shape_messages, BAD_SIGNATURE_AT("3", "1") ". It differs from messages.1.content.0", MESSAGES(TURN_1 "," TURN_2),
          "signature \"A3\"");
}

TEST(what_a_sentence_names_ends_at_a_space_or_a_quote)
{
    FOUND(&elelem_shape_responses, "The encrypted content gAAA\" could not be verified.", INPUT(REASONING("a", "gAAA") "," REASONING("b", "gAAAB")),
          "encrypted_content \"gAAA\"");
    FOUND(&elelem_shape_responses, "The encrypted content gAAA' could not be verified.", INPUT(REASONING("a", "gAAA") "," REASONING("b", "gAAAB")),
          "encrypted_content \"gAAA\"");
    FOUND(&elelem_shape_responses, "Could not be verified: the encrypted content gAAA", INPUT(REASONING("a", "gAAA") "," REASONING("b", "gAAAB")),
          "encrypted_content \"gAAA\"");
    FOUND(&elelem_shape_responses, "Could not be verified: the encrypted content gA...", INPUT(REASONING("a", "gBAA") "," REASONING("b", "gAAAB")),
          "encrypted_content \"gAAAB\"");
    FOUND(&elelem_shape_responses, "Could not be verified: the encrypted content ..AB", INPUT(REASONING("a", "x") "," REASONING("b", "..AB")),
          "encrypted_content \"..AB\"");
    FOUND(&elelem_shape_responses, "Could not be verified: the encrypted content ...AB", INPUT(REASONING("a", "x") "," REASONING("b", "CAB")),
          "encrypted_content \"CAB\"");
}

TEST(a_request_of_nothing_gives_nothing)
{
    elelem_failure error = saying(BAD_SIGNATURE);
    elelem_patch patch;
    elelem_str none = ELELEM_INIT;

    CHECK_INT(elelem_recovery_find(&elelem_shape_messages, &error, none, &patch, 1), 0);
    none.data = "";
    CHECK_INT(elelem_recovery_find(&elelem_shape_messages, &error, none, &patch, 1), 0);
}

TEST(a_value_to_match_that_is_no_json_matches_nothing_and_does_no_harm)
{
    static const struct {
        const char *value;
        size_t size;
    } rows[] = {
        { "\"\\\0\"", 4 }, { "\"\\u\"", 4 }, { "\"\\u00\"", 6 }, { "\"\\", 2 }, { "\"\\\"", 3 }, { "\"\\ud83d\\u\"", 10 }, { "\"", 1 }, { "", 0 }, { "\"a", 2 },
    };
    elelem_metadata_entry entry;
    elelem_patch patch;
    size_t i, count = 1;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        patch.match_key = patch.remove_key = entry.key = elelem_str_of("s");
        patch.match_value.data = rows[i].value;
        patch.match_value.size = rows[i].size;
        entry.json = elelem_str_of("[\"\\n\",\"\\ud83d\\ud83d\"]");
        CHECK_INT(elelem_patch_apply(&patch, 1, &entry, &count), 0);
        CHECK_INT(count, 1);
    }
}

TEST(a_value_may_have_quotes_and_backslashes)
{
    FOUND(&elelem_shape_messages, BAD_SIGNATURE, MESSAGES(USER "," ASSISTANT(THINKING("a\\\"b") "," TEXT)), "signature \"a\\\"b\"");
    FOUND(&elelem_shape_messages, BAD_SIGNATURE, MESSAGES(USER "," ASSISTANT(THINKING("\\\\\\\"") "," TEXT)), "signature \"\\\\\\\"\"");
    FOUND(&elelem_shape_messages, BAD_SIGNATURE, MESSAGES(USER "," ASSISTANT(THINKING("a\\\\") "," TEXT)), "signature \"a\\\\\"");
    FOUND(&elelem_shape_messages, BAD_SIGNATURE, MESSAGES(USER "," ASSISTANT(THINKING("\\\"") "," TEXT)), "signature \"\\\"\"");
}

TEST(a_change_in_a_request_without_the_model_means_all)
{
    FOUND(&elelem_shape_messages, CHANGED,
          MESSAGES("{\"role\":\"user\",\"content\":[" THINKING("A") "]},{\"role\":\"user\",\"content\":[" THINKING("B") "]}"),
          "signature \"A\"; signature \"B\"");
}

TEST(an_empty_string_is_a_value_to_match)
{
    const char *const words[] = { "a", "\"\"", "signature", "\"\"", NULL };
    size_t removed;
    const char *left = applied("signature", "\"\"", "signature", words, &removed);

    CHECK_STR(left, strlen(left), "a");
    CHECK_INT(removed, 1);
}

CHECK_MAIN("recovery",
           RUN(a_refusal_is_recognized_by_its_words_and_keeps_the_providers_message_and_code)
           RUN(a_refusal_is_recognized_inside_the_raw_body_that_a_router_passes)
           RUN(a_refusal_is_recognized_inside_a_routers_own_sentence)
           RUN(a_refusal_in_the_middle_of_a_stream_is_recognized_too)
           RUN(a_place_that_counts_the_same_in_turns_and_messages_is_trusted)
           RUN(a_place_after_a_round_trip_to_a_tool_is_not_trusted)
           RUN(a_place_without_a_signature_and_no_place_mean_all_signatures)
           RUN(a_change_means_all_reasoning_of_the_latest_turn)
           RUN(a_question_after_the_latest_response_does_not_hide_it)
           RUN(a_turn_that_is_half_repaired_gives_the_rest)
           RUN(if_the_latest_turn_has_nothing_left_all_others_are_meant)
           RUN(keys_may_be_in_any_order)
           RUN(the_same_value_twice_is_one_patch)
           RUN(empty_signatures_are_none)
           RUN(interactions_mean_every_signed_step)
           RUN(gemini_means_the_current_turn_and_function_responses_begin_none)
           RUN(values_accepted_instead_of_a_signature_are_not_stale)
           RUN(encrypted_content_is_found_by_its_quoted_ends)
           RUN(encrypted_content_that_is_not_quoted_means_all)
           RUN(the_ends_of_encrypted_content_do_not_overlap)
           RUN(a_code_alone_names_the_rejection)
           RUN(an_item_is_found_by_its_id_and_not_by_a_part_of_it)
           RUN(an_item_that_is_named_need_not_be_reasoning)
           RUN(values_are_found_in_a_routers_request)
           RUN(a_system_message_in_a_routers_request_does_not_shift_what_is_found)
           RUN(a_rejection_means_only_values_that_the_shape_has)
           RUN(an_error_that_is_not_recoverable_finds_nothing)
           RUN(at_most_capacity_patches_are_written_and_counted)
           RUN(a_request_that_is_cut_off_anywhere_does_no_harm)
           RUN(a_request_that_is_no_json_does_no_harm)
           RUN(a_request_may_be_deep_and_have_long_keys)
           RUN(a_million_brackets_are_read_to_the_limit_only)
           RUN(a_patch_removes_what_it_names_and_keeps_the_order)
    RUN(a_patch_is_found_at_any_depth_and_after_keys_of_any_length)
    RUN(a_key_is_no_value_and_neither_is_a_string_without_an_end)
           RUN(only_what_was_there_counts_as_removed)
           RUN(a_repeated_key_is_removed_everywhere)
           RUN(a_value_matches_with_any_escapes_and_inside_any_container)
           RUN(several_patches_are_counted_together)
           RUN(each_of_many_patches_removes_its_own_entry)
           RUN(patches_of_one_list_are_found_in_one_value)
           RUN(what_a_stream_emitted_is_found_in_the_next_request_and_removed)
           RUN(recorded_refusals_are_recognized)
    RUN(a_shape_of_the_callers_may_have_any_paths)
    RUN(sixteen_paths_are_read)
    RUN(a_place_may_end_the_sentence_and_is_looked_for_in_its_start)
    RUN(the_first_of_several_places_in_a_sentence_is_meant_also_if_its_number_is_0)
    RUN(what_a_sentence_names_ends_at_a_space_or_a_quote)
    RUN(a_request_of_nothing_gives_nothing)
    RUN(a_value_to_match_that_is_no_json_matches_nothing_and_does_no_harm)
    RUN(a_value_may_have_quotes_and_backslashes)
    RUN(a_change_in_a_request_without_the_model_means_all)
    RUN(an_empty_string_is_a_value_to_match))
