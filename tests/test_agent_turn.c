/* A whole turn of an agent in 16 KB: a request, a streamed response with a tool call, its result, the second request and
   the last response. The turn and the conversation take all memory from one arena; the library has no malloc here. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_NO_STDLIB
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "bodies.h"
#include "recordings.h"

#include <string.h>

#define ROOM (16 * 1024)

static unsigned char memory[4 << 20]; /* only `ROOM` of it, but to find out what a recording has */
static elelem_arena arena;
static elelem_turn turn;
static elelem_conversation talk;
static elelem_request request;
static elelem_tool tool;
static int calls;     /* of choice 0 in the response that was read last */
static int finished;  /* it was FINISHED */
static elelem_status worst;
static elelem_status refused; /* of requests */

/* What stands for the socket. */
static char sent[1 << 16];
static elelem_span_sink socket_sink;

static void note(elelem_status status)
{
    if (worst == ELELEM_OK) worst = status;
}

static void begin(const elelem_shape *shape, size_t room)
{
    elelem_turn_desc desc = ELELEM_INIT;

    desc.shape = shape;
    desc.allocator = elelem_arena_init(&arena, memory, room);
    desc.without_provider_items = 1;
    desc.repeat_bytes = 1;
    worst = refused = ELELEM_OK;
    CHECK_INT(elelem_turn_init(&turn, &desc), ELELEM_OK);
    elelem_conversation_init(&talk, desc.allocator, 0);
    memset(&tool, 0, sizeof tool);
    tool.name = elelem_str_of("get_weather");
    tool.parameters = elelem_str_of("{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}");
    memset(&request, 0, sizeof request);
    request.shape = shape;
    request.model = elelem_str_of("m");
    request.tools = &tool;
    request.tool_count = 1;
    note(elelem_conversation_user(&talk, elelem_str_of("What is the weather in Oslo and in Rome?")));
}

static void send_request(void)
{
    request.history = elelem_conversation_text(&talk);
    socket_sink.data = sent;
    socket_sink.capacity = sizeof sent - 1;
    socket_sink.size = 0;
    refused = elelem_request_write(&request, elelem_span_sink_of(&socket_sink)).status;
    sent[socket_sink.size] = 0;
}

static void take(void)
{
    elelem_turn_update update;

    while (elelem_turn_next(&turn, &update) == ELELEM_OK) {
        note(elelem_conversation_add(&talk, &update));
        finished |= update.kind == ELELEM_TURN_FINISHED;
        if (update.kind == ELELEM_TURN_ERROR && update.error.kind == ELELEM_ERROR_KIND_OUT_OF_MEMORY) note(ELELEM_ERROR_MEMORY);
        if (update.kind != ELELEM_TURN_TOOL_CALL_DONE || update.choice != 0) continue; /* a request reads choice 0 only */
        calls++;
        note(elelem_conversation_result(&talk, &update.tool_call, elelem_str_of("5 C, and rain from the west"), 0));
    }
}

/* Reads a response in pieces, as from a socket. */
static void receive(const char *body, size_t size)
{
    size_t at, piece;

    calls = finished = 0;
    elelem_turn_reset(&turn);
    for (at = 0; at < size; at += piece) {
        piece = size - at < 256 ? size - at : 256;
        elelem_turn_push(&turn, body + at, piece);
        take();
    }
    elelem_turn_finish(&turn);
    take();
}

static void end(void)
{
    elelem_turn_free(&turn);
    elelem_conversation_free(&talk);
    CHECK_U64(elelem_arena_used(&arena), 0);
}

/* One turn of two responses. The second request must have the signature, if there is one, and both results. */
static void check_turn(const elelem_shape *shape, const char *first, const char *second, const char *signature)
{
    const char *result;

    begin(shape, ROOM);
    send_request();
    CHECK_INT(refused, ELELEM_OK);
    receive(first, strlen(first));
    CHECK_INT(calls, 2);
    CHECK(finished);
    send_request();
    CHECK_INT(refused, ELELEM_OK);
    result = strstr(sent, "5 C, and rain");
    CHECK(result && strstr(result + 1, "5 C, and rain"));
    CHECK(strstr(sent, signature) != NULL);
    receive(second, strlen(second));
    CHECK_INT(calls, 0);
    CHECK(finished);
    CHECK_INT(worst, ELELEM_OK);
    CHECK(strstr(elelem_conversation_text(&talk).data, "It rains in both.") != NULL);
    CHECK(elelem_arena_peak(&arena) <= ROOM);
    CHECK_PRINTF("%s: %lu bytes at most, of %d\n", shape->name, (unsigned long)elelem_arena_peak(&arena), ROOM);
    end();
}

#define S64 "CiQB0e2Kb7nW5x8QfYvT3mZr1pLhGdUaJsEoXcViNtRy6w4BqKzMfHgDlP9uSjAk"
#define S512 S64 S64 S64 S64 S64 S64 S64 S64
#define DATA(json) "data: " json "\n\n"
#define THOUGHT "The user wants two cities, so both calls go out at once."

#define DELTA(delta) DATA("{\"id\":\"c-1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{" delta "},\"finish_reason\":null}]}")
#define CHAT_END(reason) \
    DATA("{\"id\":\"c-1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}],\"usage\":{\"prompt_tokens\":90,\"completion_tokens\":40}}") \
    DATA("[DONE]")
#define CHAT_CALL(index, id, city)                                                                                       \
    DELTA("\"tool_calls\":[{\"index\":" index ",\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"\"}}]") \
    DELTA("\"tool_calls\":[{\"index\":" index ",\"function\":{\"arguments\":\"{\\\"city\\\":\"}}]")                      \
    DELTA("\"tool_calls\":[{\"index\":" index ",\"function\":{\"arguments\":\"\\\"" city "\\\"}\"}}]")

#define CHAT_LAST DELTA("\"content\":\"It rains \"") DELTA("\"content\":\"in both.\"") CHAT_END("stop")

TEST(a_turn_of_chat_with_two_calls_fits_in_16_kb)
{
    check_turn(&elelem_shape_chat,
               DELTA("\"role\":\"assistant\",\"content\":\"\"") DELTA("\"reasoning\":\"" THOUGHT "\"") DELTA("\"content\":\"I look.\"")
                   CHAT_CALL("0", "call_1", "Oslo") CHAT_CALL("1", "call_2", "Rome") CHAT_END("tool_calls"),
               CHAT_LAST, "\"tool_call_id\":\"call_2\"");
}

#define EVENT(type, members) "event: " type "\n" DATA("{\"type\":\"" type "\"" members "}")
#define OUTPUT(index, item) EVENT("response.output_item.added", ",\"output_index\":" index ",\"item\":" item)
#define OUTPUT_DONE(index, item) EVENT("response.output_item.done", ",\"output_index\":" index ",\"item\":" item)
#define RESPONSES_START EVENT("response.created", ",\"response\":{\"id\":\"resp_1\",\"status\":\"in_progress\",\"output\":[]}")
#define RESPONSES_END EVENT("response.completed", ",\"response\":{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[],\"usage\":{\"input_tokens\":90,\"output_tokens\":40}}")
#define FUNCTION(n, status, arguments) \
    "{\"id\":\"fc_" n "\",\"type\":\"function_call\",\"status\":\"" status "\",\"call_id\":\"call_" n "\",\"name\":\"get_weather\",\"arguments\":\"" arguments "\"}"
#define RESPONSES_CALL(n, city)                                                                                         \
    OUTPUT(n, FUNCTION(n, "in_progress", ""))                                                                           \
    EVENT("response.function_call_arguments.delta", ",\"item_id\":\"fc_" n "\",\"output_index\":" n ",\"delta\":\"{\\\"city\\\":\\\"" city "\\\"}\"") \
    OUTPUT_DONE(n, FUNCTION(n, "completed", "{\\\"city\\\":\\\"" city "\\\"}"))

#define RESPONSES_LAST \
    RESPONSES_START OUTPUT("0", "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}") \
    EVENT("response.output_text.delta", ",\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"It rains in both.\"") \
    OUTPUT_DONE("0", "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"It rains in both.\"}]}") \
    RESPONSES_END

TEST(a_turn_of_responses_with_encrypted_reasoning_and_two_calls_fits_in_16_kb)
{
    check_turn(&elelem_shape_responses,
               RESPONSES_START OUTPUT("0", "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[]}")
                   EVENT("response.reasoning_summary_text.delta", ",\"item_id\":\"rs_1\",\"output_index\":0,\"summary_index\":0,\"delta\":\"" THOUGHT "\"")
                   OUTPUT_DONE("0", "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"" THOUGHT
                                    "\"}],\"encrypted_content\":\"" S512 "\"}")
                   RESPONSES_CALL("1", "Oslo") RESPONSES_CALL("2", "Rome") RESPONSES_END,
               RESPONSES_LAST, S512);
}

#define MESSAGES_START EVENT("message_start", ",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":90,\"output_tokens\":1}}")
#define BLOCK(index, block) EVENT("content_block_start", ",\"index\":" index ",\"content_block\":{" block "}")
#define BLOCK_DELTA(index, delta) EVENT("content_block_delta", ",\"index\":" index ",\"delta\":{" delta "}")
#define BLOCK_STOP(index) EVENT("content_block_stop", ",\"index\":" index)
#define MESSAGES_END(reason) EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"" reason "\"},\"usage\":{\"output_tokens\":40}") EVENT("message_stop", "")
#define MESSAGES_CALL(index, city)                                                                                      \
    BLOCK(index, "\"type\":\"tool_use\",\"id\":\"toolu_" index "\",\"name\":\"get_weather\",\"input\":{}")               \
    BLOCK_DELTA(index, "\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"city\\\":\"")                              \
    BLOCK_DELTA(index, "\"type\":\"input_json_delta\",\"partial_json\":\"\\\"" city "\\\"}\"") BLOCK_STOP(index)

#define MESSAGES_LAST \
    MESSAGES_START BLOCK("0", "\"type\":\"text\",\"text\":\"\"") \
    BLOCK_DELTA("0", "\"type\":\"text_delta\",\"text\":\"It rains in both.\"") BLOCK_STOP("0") MESSAGES_END("end_turn")

TEST(a_turn_of_messages_with_signed_thinking_and_two_calls_fits_in_16_kb)
{
    check_turn(&elelem_shape_messages,
               MESSAGES_START BLOCK("0", "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"")
                   BLOCK_DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"" THOUGHT "\"")
                   BLOCK_DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"" S512 "\"") BLOCK_STOP("0")
                   MESSAGES_CALL("1", "Oslo") MESSAGES_CALL("2", "Rome") MESSAGES_END("tool_use"),
               MESSAGES_LAST, S512);
}

#define CHUNK(parts, more) DATA("{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[" parts "]}" more "}],\"modelVersion\":\"m\",\"responseId\":\"r\"}")

#define GEMINI_LAST CHUNK("{\"text\":\"It rains \"}", "") CHUNK("{\"text\":\"in both.\"}", ",\"finishReason\":\"STOP\"")

TEST(a_turn_of_gemini_with_a_signature_and_two_calls_fits_in_16_kb)
{
    check_turn(&elelem_shape_gemini,
               CHUNK("{\"text\":\"" THOUGHT "\",\"thought\":true}", "")
                   CHUNK("{\"functionCall\":{\"name\":\"get_weather\",\"args\":{\"city\":\"Oslo\"}},\"thoughtSignature\":\"" S512 "\"}", "")
                   CHUNK("{\"functionCall\":{\"name\":\"get_weather\",\"args\":{\"city\":\"Rome\"}}}", ",\"finishReason\":\"STOP\""),
               GEMINI_LAST, S512);
}

#define STEP(number, start, delta)                                                                                             \
    DATA("{\"index\":" number ",\"step\":{" start "},\"event_type\":\"step.start\"}")                                         \
    DATA("{\"index\":" number ",\"delta\":{" delta "},\"event_type\":\"step.delta\"}") DATA("{\"index\":" number ",\"event_type\":\"step.stop\"}")
#define STEP_CALL(number, id, city)                                                              \
    STEP(number, "\"id\":\"" id "\",\"type\":\"function_call\",\"name\":\"get_weather\",\"arguments\":{}", \
         "\"arguments\":\"{\\\"city\\\":\\\"" city "\\\"}\",\"type\":\"arguments_delta\"")
#define INTERACTION(status) DATA("{\"interaction\":{\"id\":\"v1_1\",\"status\":\"" status "\",\"model\":\"m\"},\"event_type\":\"interaction.completed\"}")
#define INTERACTIONS_LAST STEP("0", "\"type\":\"model_output\"", "\"text\":\"It rains in both.\",\"type\":\"text\"") INTERACTION("completed")

TEST(a_turn_of_interactions_with_a_signature_and_two_calls_fits_in_16_kb)
{
    check_turn(&elelem_shape_interactions,
               STEP("0", "\"type\":\"thought\"", "\"content\":{\"text\":\"" THOUGHT "\",\"type\":\"text\"},\"type\":\"thought_summary\"")
                   STEP("0", "\"type\":\"thought\"", "\"signature\":\"" S512 "\",\"type\":\"thought_signature\"")
                   STEP_CALL("1", "call_1", "Oslo") STEP_CALL("2", "call_2", "Rome") INTERACTION("requires_action"),
               INTERACTIONS_LAST, S512);
}

/* Responses of tests/data and recorded ones with calls, each the first of a turn whose last response is one of this file. */

static const elelem_shape *recorded_shape;
static const char *recorded_last;
static int recorded_turns, recorded_fits;
static size_t recorded_peak;

/* Nonzero if the response has calls, given all memory. */
static int has_calls(const char *body, size_t size)
{
    int has;

    begin(recorded_shape, sizeof memory);
    receive(body, size);
    has = finished && calls > 0 && worst == ELELEM_OK;
    end();
    return has;
}

static void check_body(const char *body, size_t size)
{
    if (!has_calls(body, size)) return;
    recorded_turns++;
    begin(recorded_shape, ROOM);
    receive(body, size);
    if (finished && worst == ELELEM_OK) {
        send_request();
        CHECK_INT(refused, ELELEM_OK);
        receive(recorded_last, strlen(recorded_last));
    }
    CHECK(finished ? worst == ELELEM_OK || worst == ELELEM_ERROR_MEMORY : worst == ELELEM_ERROR_MEMORY);
    if (finished && worst == ELELEM_OK) {
        recorded_fits++;
        if (elelem_arena_peak(&arena) > recorded_peak) recorded_peak = elelem_arena_peak(&arena);
    }
    end();
}

static void check_recorded(const recording *r) { check_body(r->body, r->size); }

static void begin_turns(const elelem_shape *shape, const char *last)
{
    recorded_shape = shape;
    recorded_last = last;
    recorded_turns = recorded_fits = 0;
    recorded_peak = 0;
}

/* Three of four must fit. */
static void end_turns(const char *what)
{
    CHECK(recorded_turns > 0 && recorded_fits * 4 >= recorded_turns * 3);
    CHECK_PRINTF("%s: %d of %d %s fit, the largest takes %lu bytes\n", recorded_shape->name, recorded_fits, recorded_turns, what,
                 (unsigned long)recorded_peak);
}

/* The bodies of tests/data: nothing of them comes from outside of this repository. */
static void check_bodies(const elelem_shape *shape, const char *last)
{
    begin_turns(shape, last);
    CHECK(bodies_each(shape->name, check_body) > 0);
    end_turns("turns of test bodies");
}

static void check_recordings(const elelem_shape *shape, const char *folder, const char *last)
{
    begin_turns(shape, last);
    if (recordings_each(folder, shape->name, check_recorded) > 0) end_turns("recorded turns");
    else check_nothing("no recordings (set ELELEM_CORPUS)");
}

TEST(turns_of_the_test_bodies_of_chat_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    check_bodies(&elelem_shape_chat, CHAT_LAST);
}

TEST(turns_of_the_test_bodies_of_responses_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    check_bodies(&elelem_shape_responses, RESPONSES_LAST);
}

TEST(turns_of_the_test_bodies_of_messages_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    check_bodies(&elelem_shape_messages, MESSAGES_LAST);
}

TEST(turns_of_the_test_bodies_of_gemini_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    check_bodies(&elelem_shape_gemini, GEMINI_LAST);
}

TEST(turns_of_the_test_bodies_of_interactions_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    check_bodies(&elelem_shape_interactions, INTERACTIONS_LAST);
}

TEST(recorded_turns_of_chat_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    check_recordings(&elelem_shape_chat, "chat/", CHAT_LAST);
}

TEST(recorded_turns_of_responses_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    check_recordings(&elelem_shape_responses, "responses/", RESPONSES_LAST);
}

TEST(recorded_turns_of_messages_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    check_recordings(&elelem_shape_messages, "messages/", MESSAGES_LAST);
}

TEST(recorded_turns_of_gemini_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    check_recordings(&elelem_shape_gemini, "gemini/", GEMINI_LAST);
}

TEST(recorded_turns_of_interactions_fit_in_16_kb_or_say_that_memory_ran_out) /* Q10 */
{
    recordings_folder = "interactions";
    check_recordings(&elelem_shape_interactions, "", INTERACTIONS_LAST);
    recordings_folder = "streams";
}

CHECK_MAIN("agent_turn",
    RUN(a_turn_of_chat_with_two_calls_fits_in_16_kb)
    RUN(a_turn_of_responses_with_encrypted_reasoning_and_two_calls_fits_in_16_kb)
    RUN(a_turn_of_messages_with_signed_thinking_and_two_calls_fits_in_16_kb)
    RUN(a_turn_of_gemini_with_a_signature_and_two_calls_fits_in_16_kb)
    RUN(a_turn_of_interactions_with_a_signature_and_two_calls_fits_in_16_kb)
    RUN(turns_of_the_test_bodies_of_chat_fit_in_16_kb_or_say_that_memory_ran_out)
    RUN(turns_of_the_test_bodies_of_responses_fit_in_16_kb_or_say_that_memory_ran_out)
    RUN(turns_of_the_test_bodies_of_messages_fit_in_16_kb_or_say_that_memory_ran_out)
    RUN(turns_of_the_test_bodies_of_gemini_fit_in_16_kb_or_say_that_memory_ran_out)
    RUN(turns_of_the_test_bodies_of_interactions_fit_in_16_kb_or_say_that_memory_ran_out)
    RUN(recorded_turns_of_chat_fit_in_16_kb_or_say_that_memory_ran_out)
    RUN(recorded_turns_of_responses_fit_in_16_kb_or_say_that_memory_ran_out)
    RUN(recorded_turns_of_messages_fit_in_16_kb_or_say_that_memory_ran_out)
    RUN(recorded_turns_of_gemini_fit_in_16_kb_or_say_that_memory_ran_out)
    RUN(recorded_turns_of_interactions_fit_in_16_kb_or_say_that_memory_ran_out))
