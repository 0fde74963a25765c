/* Calls that the model did not finish. Whatever ends a response, a call is complete only if its
   arguments closed by themselves, or if the model ended a call that has none. A turn, replayed
   records and a coalesced history agree on this. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "bodies.h"
#include "recordings.h"

/* What is said of the calls of a body: one line a call, "NAME STATE ARGUMENTS". */

static void log_call(feed_log *log, const elelem_item *item)
{
    elelem_allocator defaults = ELELEM_INIT;
    elelem_buffer arguments;
    elelem_writer writer;
    elelem_str text;

    elelem_buffer_init(&arguments, defaults, 0);
    elelem_writer_init(&writer, elelem_buffer_sink(&arguments), 0);
    elelem_writer_value(&writer, item->tool_call.arguments);
    text = elelem_buffer_text(&arguments);
    feed_line(log, "%.*s %s %.*s", (int)item->tool_call.name.size, item->tool_call.name.data ? item->tool_call.name.data : "",
              elelem_item_state_name((elelem_item_state)item->state), (int)(text.size < 900 ? text.size : 900), text.data);
    if (item->state != ELELEM_ITEM_COMPLETE && elelem_value_is_complete(item->tool_call.arguments))
        feed_line(log, "BROKEN: arguments of a call that is not whole look whole");
    elelem_buffer_free(&arguments);
}

/* Structured responses have a line of their own: "json STATE TEXT". */
static void log_item(feed_log *log, const elelem_item *item)
{
    if (item->kind == ELELEM_PART_TOOL_CALL) log_call(log, item);
    if (item->kind == ELELEM_PART_STRUCTURED)
        feed_line(log, "json %s %.*s", elelem_item_state_name((elelem_item_state)item->state), (int)item->text.size, item->text.data);
}

typedef struct truncation_object {
    elelem_turn turn;
    elelem_turn_desc desc;
} truncation_object;

static truncation_object truncation_now;

static void start(void *object)
{
    truncation_object *o = (truncation_object *)object;

    elelem_turn_free(&o->turn);
    elelem_turn_init(&o->turn, &o->desc);
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    return elelem_turn_push(&((truncation_object *)object)->turn, bytes, size);
}

static elelem_status next(void *object, feed_log *log)
{
    elelem_turn_update item;
    elelem_status status = elelem_turn_next(&((truncation_object *)object)->turn, &item);

    if (status != ELELEM_OK) return status;
    if (item.kind == ELELEM_TURN_TOOL_CALL_DONE || item.kind == ELELEM_TURN_ITEM) log_item(log, item.item);
    if (item.kind == ELELEM_TURN_FINISHED) feed_line(log, "%s", elelem_finish_reason_name((elelem_finish_reason)item.reason));
    if (item.kind == ELELEM_TURN_ERROR) feed_line(log, "%s", elelem_error_kind_name((elelem_error_kind)item.error.kind));
    return ELELEM_OK;
}

static void finish(void *object)
{
    elelem_turn_finish(&((truncation_object *)object)->turn);
}

static const feed_object truncation_fed = { &truncation_now, start, push, next, finish, NULL };

/* The same body as record lines, of which `before_tools` are BeforeToolExecution lines too. */
static elelem_buffer lines_now;

static void record(const elelem_shape *shape, const char *body, size_t size, int before_tools)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_recorder_desc to = ELELEM_INIT;
    elelem_recorder recorder;
    elelem_stream stream;
    elelem_event event;
    int pass;

    desc.shape = shape;
    desc.structured = truncation_now.desc.structured;
    elelem_buffer_clear(&lines_now);
    to.sink = elelem_buffer_sink(&lines_now);
    to.tool_calls = (uint8_t)before_tools;
    elelem_recorder_init(&recorder, &to);
    elelem_stream_init(&stream, &desc);
    elelem_stream_push(&stream, body, size);
    for (pass = 0; pass < 2; pass++) {
        while (elelem_stream_next(&stream, &event) == ELELEM_OK)
            CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_OK);
        elelem_stream_finish(&stream);
    }
    elelem_stream_free(&stream);
    elelem_recorder_free(&recorder);
}

/* What a builder makes of the lines, in the words of log_item. */
static feed_log replayed_log;

static void take_built(elelem_event_builder *builder)
{
    elelem_built built;

    while (elelem_event_builder_next(builder, &built) == ELELEM_OK)
        if (built.kind == ELELEM_BUILT_ITEM) log_item(&replayed_log, &built.item);
}

static void replay(void)
{
    elelem_str lines = elelem_buffer_text(&lines_now);
    elelem_event_builder builder;
    elelem_replayer replayer;
    elelem_record_item item;

    replayed_log.size = 0;
    elelem_replayer_init(&replayer, NULL);
    elelem_event_builder_init(&builder, NULL);
    elelem_replayer_push(&replayer, lines.data, lines.size);
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK) {
        if (item.kind != ELELEM_RECORD_EVENT) continue;
        CHECK_INT(elelem_event_builder_push(&builder, &item.event), ELELEM_OK);
        take_built(&builder);
        if (item.event.kind == ELELEM_EVENT_FINISHED)
            feed_line(&replayed_log, "%s", elelem_finish_reason_name((elelem_finish_reason)item.event.reason));
        if (item.event.kind != ELELEM_EVENT_ERROR) continue;
        elelem_event_builder_drain(&builder);
        take_built(&builder);
        feed_line(&replayed_log, "%s", elelem_error_kind_name((elelem_error_kind)item.event.error.kind));
    }
    feed_line(&replayed_log, "END");
    elelem_event_builder_free(&builder);
    elelem_replayer_free(&replayer);
}

/* How often the text occurs. */
static int count_of(elelem_str all, const char *text)
{
    size_t i, size = strlen(text);
    int count = 0;

    for (i = 0; i + size <= all.size; i++)
        count += memcmp(all.data + i, text, size) == 0;
    return count;
}

/* The complete calls of a log. */
static int complete_in(const feed_log *log)
{
    elelem_str text = { log->text, log->size };

    return count_of(text, " complete ") - count_of(text, "json complete ");
}

static elelem_buffer stored_now;

/* A coalesced history has the input of calls that are complete, and of others the text that came. */
static void coalesce(void)
{
    elelem_str lines = elelem_buffer_text(&lines_now);
    elelem_event_coalescer coalescer;
    elelem_replayer replayer;
    elelem_recorder_desc to = ELELEM_INIT;
    elelem_recorder recorder;
    elelem_record_item item, out;

    elelem_buffer_clear(&stored_now);
    to.sink = elelem_buffer_sink(&stored_now);
    elelem_recorder_init(&recorder, &to);
    elelem_event_coalescer_init(&coalescer, NULL);
    elelem_replayer_init(&replayer, NULL);
    elelem_replayer_push(&replayer, lines.data, lines.size);
    while (elelem_replayer_next(&replayer, &item) == ELELEM_OK) {
        CHECK_INT(elelem_event_coalescer_push_item(&coalescer, &item), ELELEM_OK);
        while (elelem_event_coalescer_next(&coalescer, &out) == ELELEM_OK)
            CHECK_INT(elelem_recorder_push_item(&recorder, &out), ELELEM_OK);
    }
    elelem_event_coalescer_free(&coalescer);
    elelem_replayer_free(&replayer);
    elelem_recorder_free(&recorder);
}

/* Nonzero if the body says this of its calls however it is cut, and its records and history agree. */
static int truncation_gives(const elelem_shape *shape, const char *body, const char *expected, const char *file, int line)
{
    elelem_allocator defaults = ELELEM_INIT;
    char whole[2000];
    int good;

    truncation_now.desc.shape = shape;
    elelem_buffer_init(&lines_now, defaults, 0);
    elelem_buffer_init(&stored_now, defaults, 0);
    snprintf(whole, sizeof whole, "%sEND\n", expected);
    good = feed_check(&truncation_fed, body, strlen(body), whole, file, line);
    record(shape, body, strlen(body), 0);
    replay();
    good &= check_bytes(replayed_log.text, replayed_log.size, whole, strlen(whole), "what is replayed", file, line);
    coalesce();
    good &= check_int(count_of(elelem_buffer_text(&stored_now), "\"input\":"), complete_in(&feed_whole),
                      "inputs in the history", file, line);
    record(shape, body, strlen(body), 1);
    good &= check_int(count_of(elelem_buffer_text(&lines_now), "\"input\":"), complete_in(&feed_whole),
                      "inputs in the record", file, line);
    elelem_buffer_free(&lines_now);
    elelem_buffer_free(&stored_now);
    elelem_turn_free(&truncation_now.turn);
    return good;
}

#define CALLS(shape, body, expected) truncation_gives(&elelem_shape_##shape, body, expected, __FILE__, __LINE__)

/* Chat Completions. */

#define CHAT(choice) "data: {\"choices\":[{\"index\":0," choice "}]}\n\n"
#define CHAT_ARGUMENTS(number, json) \
    CHAT("\"delta\":{\"tool_calls\":[{\"index\":" number ",\"function\":{\"arguments\":\"" json "\"}}]}")
#define CHAT_CALL(number, name) \
    CHAT("\"delta\":{\"tool_calls\":[{\"index\":" number ",\"id\":\"c" number "\",\"function\":{\"name\":\"" name "\",\"arguments\":\"\"}}]}")
#define CHAT_REASON(word) CHAT("\"delta\":{},\"finish_reason\":\"" word "\"")
#define CHAT_DONE "data: [DONE]\n\n"

TEST(a_chat_call_stopped_before_its_arguments_is_cut_off)
{
    CALLS(chat, CHAT_CALL("0", "f") CHAT_REASON("length") CHAT_DONE, "f cut_off null\nmax_tokens\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_REASON("model_length"), "f cut_off null\nmax_tokens\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_REASON("content_filter") CHAT_DONE, "f cut_off null\ncontent_filter\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_REASON("insufficient_system_resource") CHAT_DONE, "f cut_off null\nother\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_ARGUMENTS("0", " \\n ") CHAT_REASON("length") CHAT_DONE, "f cut_off null\nmax_tokens\n");
}

TEST(a_chat_call_that_the_model_ended_without_arguments_has_none)
{
    CALLS(chat, CHAT_CALL("0", "f") CHAT_REASON("tool_calls") CHAT_DONE, "f complete {}\ntool_calls\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_REASON("function_call"), "f complete {}\ntool_calls\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_REASON("stop") CHAT_DONE, "f complete {}\ntool_calls\n");
}

TEST(a_chat_call_that_no_reason_ends_is_cut_off_if_it_has_no_arguments)
{
    CALLS(chat, CHAT_CALL("0", "f") CHAT_DONE, "f cut_off null\ntool_calls\n");
    CALLS(chat, CHAT_CALL("0", "f"), "f cut_off null\nconnect\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_ARGUMENTS("0", "{}") CHAT_DONE, "f complete {}\ntool_calls\n");
}

TEST(chat_arguments_that_closed_by_themselves_are_whole_whatever_the_reason)
{
    CALLS(chat, CHAT_CALL("0", "f") CHAT_ARGUMENTS("0", "{\\\"a\\\":1}") CHAT_REASON("length") CHAT_DONE,
          "f complete {\"a\":1}\nmax_tokens\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_ARGUMENTS("0", "{\\\"a\\\":true") CHAT_REASON("length") CHAT_DONE,
          "f cut_off {\"a\":true}\nmax_tokens\n");
}

TEST(a_call_that_comes_after_the_reason_is_not_ended_by_it)
{
    CALLS(chat, CHAT_CALL("0", "f") CHAT_REASON("tool_calls") CHAT_CALL("1", "g") CHAT_DONE,
          "f complete {}\ng cut_off null\ntool_calls\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_REASON("tool_calls") CHAT_CALL("1", "g") CHAT_REASON("length") CHAT_DONE,
          "f complete {}\ng cut_off null\nmax_tokens\n");
}

/* Open WebUI before vLLM, gcli2api: `stop` with each chunk, or after it. */
TEST(a_reason_with_each_chunk_does_not_end_arguments_that_continue)
{
#define STOP CHAT_REASON("stop")
    CALLS(chat, CHAT_CALL("0", "f") STOP CHAT_ARGUMENTS("0", "{\\\"a\\\"") STOP CHAT_ARGUMENTS("0", ":1}") STOP CHAT_DONE,
          "f complete {\"a\":1}\ntool_calls\n");
    CALLS(chat, CHAT_CALL("0", "f") STOP CHAT_ARGUMENTS("0", "{\\\"a\\\"") STOP CHAT_ARGUMENTS("0", ":1}") STOP,
          "f complete {\"a\":1}\ntool_calls\n");
    CALLS(chat, CHAT_CALL("0", "f") STOP CHAT_ARGUMENTS("0", "{}") STOP CHAT_CALL("1", "g") STOP CHAT_ARGUMENTS("1", "{}") STOP CHAT_DONE,
          "f complete {}\ng complete {}\ntool_calls\n");
    CALLS(chat, CHAT_CALL("0", "f") STOP CHAT_CALL("1", "g") STOP CHAT_DONE, "f complete {}\ng complete {}\ntool_calls\n");
    CALLS(chat, CHAT_CALL("0", "f") STOP CHAT_REASON("length") CHAT_DONE, "f cut_off null\nmax_tokens\n");
    CALLS(chat, CHAT_CALL("0", "f") STOP CHAT_ARGUMENTS("0", "{\\\"a\\\""), "f cut_off {}\nconnect\n");
}

TEST(a_call_after_stop_is_to_be_run)
{
    CALLS(chat, STOP CHAT_CALL("0", "f") CHAT_ARGUMENTS("0", "{}") CHAT_DONE, "f complete {}\ntool_calls\n");
    CALLS(chat, STOP CHAT_CALL("0", "f") CHAT_ARGUMENTS("0", "{}") CHAT_REASON("tool_calls") CHAT_DONE, "f complete {}\ntool_calls\n");
    CALLS(chat, CHAT_REASON("length") CHAT_CALL("0", "f") CHAT_ARGUMENTS("0", "{}") CHAT_DONE, "f complete {}\nmax_tokens\n");
}

TEST(each_choice_ends_its_own_calls)
{
    CALLS(chat,
          CHAT_CALL("0", "f") "data: {\"choices\":[{\"index\":1,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"d\",\"function\":{\"name\":\"g\"}}]}}]}\n\n"
          CHAT_REASON("tool_calls") "data: {\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n" CHAT_DONE,
          "g cut_off null\nf complete {}\ntool_calls\n");
}

/* Messages. */

#define MESSAGES(type, members) "event: " type "\ndata: {\"type\":\"" type "\"" members "}\n\n"
#define MESSAGES_BLOCK(number, block) MESSAGES("content_block_start", ",\"index\":" number ",\"content_block\":{" block "}")
#define MESSAGES_CALL(number, name) \
    MESSAGES_BLOCK(number, "\"type\":\"tool_use\",\"id\":\"toolu_" number "\",\"name\":\"" name "\",\"input\":{}")
#define MESSAGES_JSON(number, json) \
    MESSAGES("content_block_delta", ",\"index\":" number ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"" json "\"}")
#define MESSAGES_STOP(number) MESSAGES("content_block_stop", ",\"index\":" number)
#define MESSAGES_REASON(word) \
    MESSAGES("message_delta", ",\"delta\":{\"stop_reason\":\"" word "\"}") MESSAGES("message_stop", "")

TEST(a_tool_use_stopped_before_its_input_is_cut_off)
{
    static const char *const reasons[][2] = {
        { MESSAGES_REASON("max_tokens"), "max_tokens" },
        { MESSAGES_REASON("model_context_window_exceeded"), "max_tokens" },
        { MESSAGES_REASON("refusal"), "content_filter" },
        { MESSAGES_REASON("pause_turn"), "continue" },
        { MESSAGES("message_stop", ""), "tool_calls" },
        { "data: [DONE]\n\n", "tool_calls" },
        { "", "connect" },
    };
    static const char *const begins[] = {
        MESSAGES_CALL("0", "f"),
        MESSAGES_CALL("0", "f") MESSAGES_JSON("0", ""),
        MESSAGES_CALL("0", "f") MESSAGES_STOP("0"),
        MESSAGES_CALL("0", "f") MESSAGES_JSON("0", "") MESSAGES_STOP("0") MESSAGES_STOP("0") MESSAGES("ping", ""),
    };
    char body[2000], expected[100];
    size_t i, k;

    for (i = 0; i < sizeof begins / sizeof *begins; i++)
        for (k = 0; k < sizeof reasons / sizeof *reasons; k++) {
            check_context(reasons[k][0]);
            snprintf(body, sizeof body, "%s%s", begins[i], reasons[k][0]);
            snprintf(expected, sizeof expected, "f cut_off null\n%s\n", reasons[k][1]);
            CALLS(messages, body, expected);
        }
}

TEST(arguments_that_are_a_number_are_whole_only_if_the_model_ended_them)
{
    CALLS(chat, CHAT_CALL("0", "f") CHAT_ARGUMENTS("0", "1") CHAT_REASON("tool_calls") CHAT_DONE, "f complete 1\ntool_calls\n");
    CALLS(chat, CHAT_CALL("0", "f") CHAT_ARGUMENTS("0", " -1") CHAT_REASON("length") CHAT_DONE, "f cut_off null\nmax_tokens\n");
    CALLS(messages, MESSAGES_CALL("0", "f") MESSAGES_JSON("0", "12") MESSAGES_STOP("0") MESSAGES_REASON("max_tokens"),
          "f cut_off null\nmax_tokens\n");
    CALLS(messages, MESSAGES_CALL("0", "f") MESSAGES_JSON("0", "12") MESSAGES_STOP("0") MESSAGES_REASON("tool_use"),
          "f complete 12\ntool_calls\n");
}

TEST(a_tool_use_that_the_model_ended_without_input_has_none)
{
    CALLS(messages, MESSAGES_CALL("0", "f") MESSAGES_STOP("0") MESSAGES_REASON("tool_use"), "f complete {}\ntool_calls\n");
    CALLS(messages, MESSAGES_CALL("0", "f") MESSAGES_REASON("end_turn"), "f complete {}\ntool_calls\n");
}

TEST(what_the_model_writes_after_a_tool_use_shows_that_it_ended_it)
{
    CALLS(messages, MESSAGES_CALL("0", "f") MESSAGES_STOP("0") MESSAGES_CALL("1", "g") MESSAGES_STOP("1") MESSAGES_REASON("max_tokens"),
          "f complete {}\ng cut_off null\nmax_tokens\n");
    CALLS(messages,
          MESSAGES_BLOCK("0", "\"type\":\"text\",\"text\":\"\"") MESSAGES_CALL("1", "f") MESSAGES_STOP("1")
          MESSAGES("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}") MESSAGES_REASON("max_tokens"),
          "f complete {}\nmax_tokens\n");
    CALLS(messages, MESSAGES_CALL("0", "f") MESSAGES_STOP("0") MESSAGES_CALL("0", "g") MESSAGES_STOP("0"),
          "f complete {}\ng cut_off null\nconnect\n");
}

TEST(a_tool_use_that_another_response_replaces_is_cut_off)
{
    CALLS(messages,
          MESSAGES_CALL("0", "f") MESSAGES_BLOCK("0", "\"type\":\"tool_use\",\"id\":\"toolu_9\",\"name\":\"g\",\"input\":{}")
          MESSAGES_STOP("0") MESSAGES_REASON("tool_use"),
          "f cut_off null\ng complete {}\ntool_calls\n");
}

TEST(a_tool_use_of_a_model_that_refused_is_not_ended_by_the_model_that_takes_over)
{
    CALLS(messages,
          MESSAGES_CALL("0", "f") MESSAGES_STOP("0") MESSAGES_BLOCK("1", "\"type\":\"fallback\"") MESSAGES_STOP("1")
          MESSAGES_CALL("2", "g") MESSAGES_STOP("2") MESSAGES_REASON("tool_use"),
          "f cut_off null\ng complete {}\ntool_calls\n");
    CALLS(messages,
          MESSAGES_CALL("0", "f") MESSAGES_BLOCK("1", "\"type\":\"fallback\"") MESSAGES_CALL("2", "g") MESSAGES_REASON("tool_use"),
          "f cut_off null\ng complete {}\ntool_calls\n");
}

TEST(a_message_may_begin_with_a_tool_use_that_is_whole)
{
    CALLS(messages,
          MESSAGES("message_start", ",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}},"
                                    "{\"type\":\"tool_use\",\"id\":\"u\",\"name\":\"g\",\"input\":{}}]}") MESSAGES_REASON("max_tokens"),
          "f complete {}\ng cut_off null\nmax_tokens\n");
}

/* Responses. */

#define RESPONSES(type, members) "event: response." type "\ndata: {\"type\":\"response." type "\"," members "}\n\n"
#define RESPONSES_ITEM(verb, number, item) RESPONSES("output_item." verb, "\"output_index\":" number ",\"item\":{" item "}")
#define RESPONSES_CALL(number, name) \
    "\"type\":\"function_call\",\"id\":\"fc_" number "\",\"call_id\":\"c" number "\",\"name\":\"" name "\""
#define RESPONSES_CUSTOM(number, name) \
    "\"type\":\"custom_tool_call\",\"id\":\"ct_" number "\",\"call_id\":\"c" number "\",\"name\":\"" name "\""
#define RESPONSES_JSON(number, json) RESPONSES("function_call_arguments.delta", "\"output_index\":" number ",\"delta\":\"" json "\"")
#define RESPONSES_INPUT(number, text) RESPONSES("custom_tool_call_input.delta", "\"output_index\":" number ",\"delta\":\"" text "\"")
#define RESPONSES_END(output) RESPONSES("completed", "\"response\":{\"status\":\"completed\",\"output\":[" output "]}")
#define RESPONSES_CUT(output) \
    RESPONSES("incomplete", "\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"output\":[" output "]}")

TEST(a_function_call_stopped_before_its_arguments_is_cut_off)
{
    CALLS(responses, RESPONSES_ITEM("added", "0", RESPONSES_CALL("0", "f")) RESPONSES_CUT(""), "f cut_off null\nmax_tokens\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CALL("0", "f"))
          RESPONSES_ITEM("done", "0", RESPONSES_CALL("0", "f") ",\"arguments\":\"\",\"status\":\"incomplete\"") RESPONSES_CUT(""),
          "f cut_off null\nmax_tokens\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CALL("0", "f"))
          RESPONSES_ITEM("done", "0", RESPONSES_CALL("0", "f") ",\"arguments\":\"\"") RESPONSES_CUT(""),
          "f cut_off null\nmax_tokens\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CALL("0", "f"))
          RESPONSES_ITEM("done", "0", RESPONSES_CALL("0", "f") ",\"arguments\":\"\""),
          "f cut_off null\nconnect\n");
    CALLS(responses, RESPONSES_CUT("{" RESPONSES_CALL("0", "f") ",\"arguments\":\"\"}"), "f cut_off null\nmax_tokens\n");
    CALLS(responses, RESPONSES_CUT("{" RESPONSES_CALL("0", "f") ",\"arguments\":\"{}\",\"status\":\"incomplete\"}"),
          "f cut_off {}\nmax_tokens\n");
}

TEST(a_function_call_with_the_status_incomplete_is_cut_off_even_if_its_arguments_closed)
{
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CALL("0", "f")) RESPONSES_JSON("0", "{\\\"p\\\":1}")
          RESPONSES_ITEM("done", "0", RESPONSES_CALL("0", "f") ",\"arguments\":\"{\\\"p\\\":1}\",\"status\":\"incomplete\"") RESPONSES_CUT(""),
          "f cut_off {\"p\":1}\nmax_tokens\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CALL("0", "f")) RESPONSES_JSON("0", "{\\\"p\\\":1}")
          RESPONSES_ITEM("done", "0", RESPONSES_CALL("0", "f") ",\"arguments\":\"{\\\"p\\\":1}\"") RESPONSES_CUT(""),
          "f complete {\"p\":1}\nmax_tokens\n");
}

TEST(a_function_call_that_the_model_ended_without_arguments_has_none)
{
    CALLS(responses, RESPONSES_ITEM("added", "0", RESPONSES_CALL("0", "f")) RESPONSES_END(""), "f complete {}\ntool_calls\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CALL("0", "f")) RESPONSES_ITEM("done", "0", RESPONSES_CALL("0", "f"))
          RESPONSES_ITEM("added", "1", RESPONSES_CALL("1", "g")) RESPONSES_ITEM("done", "1", RESPONSES_CALL("1", "g")) RESPONSES_CUT(""),
          "f complete {}\ng cut_off null\nmax_tokens\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CALL("0", "f")) RESPONSES_ITEM("done", "0", RESPONSES_CALL("0", "f"))
          RESPONSES_ITEM("done", "0", RESPONSES_CALL("0", "f")) RESPONSES_END("{" RESPONSES_CALL("0", "f") "}"),
          "f complete {}\ntool_calls\n");
}

TEST(an_input_of_free_text_is_whole_only_by_its_status_or_by_the_end)
{
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CUSTOM("0", "f")) RESPONSES_INPUT("0", "rm")
          RESPONSES_ITEM("done", "0", RESPONSES_CUSTOM("0", "f") ",\"input\":\"rm\",\"status\":\"completed\"") RESPONSES_CUT(""),
          "f complete \"rm\"\nmax_tokens\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CUSTOM("0", "f")) RESPONSES_INPUT("0", "rm")
          RESPONSES_ITEM("done", "0", RESPONSES_CUSTOM("0", "f") ",\"input\":\"rm\"") RESPONSES_CUT(""),
          "f cut_off \"rm\"\nmax_tokens\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CUSTOM("0", "f"))
          RESPONSES_ITEM("done", "0", RESPONSES_CUSTOM("0", "f") ",\"input\":\"\",\"status\":\"incomplete\"") RESPONSES_CUT(""),
          "f cut_off null\nmax_tokens\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CUSTOM("0", "f")) RESPONSES_ITEM("done", "0", RESPONSES_CUSTOM("0", "f") ",\"input\":\"ls\"")
          RESPONSES_END(""),
          "f complete \"ls\"\ntool_calls\n");
    CALLS(responses,
          RESPONSES_ITEM("added", "0", RESPONSES_CUSTOM("0", "f")) RESPONSES_ITEM("done", "0", RESPONSES_CUSTOM("0", "f") ",\"input\":\"ls\"")
          RESPONSES_ITEM("added", "1", RESPONSES_CUSTOM("1", "g")) RESPONSES_CUT(""),
          "f complete \"ls\"\ng cut_off null\nmax_tokens\n");
}

/* Gemini. */

#define GEMINI(part) "data: {\"candidates\":[{\"content\":{\"parts\":[" part "]}}]}\n\n"
#define GEMINI_CALL(call) GEMINI("{\"functionCall\":{" call "}}")
#define GEMINI_PIECE(piece) GEMINI_CALL("\"partialArgs\":[" piece "],\"willContinue\":true")
#define GEMINI_REASON(word) "data: {\"candidates\":[{\"content\":{},\"finishReason\":\"" word "\"}]}\n\n"

TEST(a_call_that_announces_more_which_never_comes_is_cut_off_whatever_the_reason)
{
    static const char *const reasons[][2] = {
        { GEMINI_REASON("MAX_TOKENS"), "max_tokens" },
        { GEMINI_REASON("SAFETY"), "content_filter" },
        { GEMINI_REASON("MALFORMED_FUNCTION_CALL"), "other" },
        { GEMINI_REASON("STOP"), "tool_calls" },
        { "", "connect" },
    };
    static const char *const begins[][2] = {
        { GEMINI_CALL("\"name\":\"f\",\"willContinue\":true"), "null" },
        { GEMINI_CALL("\"name\":\"f\",\"args\":{},\"willContinue\":true"), "null" },
        { GEMINI_CALL("\"name\":\"f\",\"args\":{\"a\":1},\"willContinue\":true"), "{\"a\":1}" },
        { GEMINI_CALL("\"name\":\"f\",\"willContinue\":true") GEMINI_PIECE("{\"jsonPath\":\"$.a\",\"boolValue\":true}"), "{\"a\":true}" },
        { GEMINI_CALL("\"name\":\"f\",\"willContinue\":true") GEMINI_PIECE("{\"jsonPath\":\"$.a\",\"stringValue\":\"x\",\"willContinue\":true}"),
          "{\"a\":\"x\"}" },
    };
    char body[2000], expected[100];
    size_t i, k;

    for (i = 0; i < sizeof begins / sizeof *begins; i++)
        for (k = 0; k < sizeof reasons / sizeof *reasons; k++) {
            check_context(begins[i][0]);
            snprintf(body, sizeof body, "%s%s", begins[i][0], reasons[k][0]);
            snprintf(expected, sizeof expected, "f cut_off %s\n%s\n", begins[i][1], reasons[k][1]);
            CALLS(gemini, body, expected);
        }
}

TEST(a_call_without_args_is_ended_by_the_reason_or_by_what_follows)
{
    CALLS(gemini, GEMINI_CALL("\"name\":\"f\"") GEMINI_REASON("STOP"), "f complete {}\ntool_calls\n");
    CALLS(gemini, GEMINI_CALL("\"name\":\"f\"") GEMINI_REASON("MAX_TOKENS"), "f cut_off null\nmax_tokens\n");
    CALLS(gemini, GEMINI_CALL("\"name\":\"f\"") GEMINI("{\"text\":\"\"}") GEMINI_REASON("MAX_TOKENS"), "f cut_off null\nmax_tokens\n");
    CALLS(gemini, GEMINI_CALL("\"name\":\"f\"") GEMINI_CALL("\"name\":\"g\"") GEMINI_REASON("MAX_TOKENS"),
          "f complete {}\ng cut_off null\nmax_tokens\n");
    CALLS(gemini, GEMINI_CALL("\"name\":\"f\"") GEMINI("{\"text\":\"a\"}") GEMINI_REASON("MAX_TOKENS"),
          "f complete {}\nmax_tokens\n");
    CALLS(gemini, GEMINI_CALL("\"name\":\"f\"") GEMINI("{\"functionResponse\":{\"name\":\"f\"}}") GEMINI_REASON("MAX_TOKENS"),
          "f complete {}\nmax_tokens\n");
    CALLS(gemini, GEMINI_CALL("\"name\":\"f\",\"willContinue\":true") GEMINI_CALL("") GEMINI_REASON("MAX_TOKENS"),
          "f cut_off null\nmax_tokens\n");
}

TEST(args_that_are_an_empty_object_are_whole)
{
    CALLS(gemini, GEMINI_CALL("\"name\":\"f\",\"args\":{}") GEMINI_REASON("MAX_TOKENS"), "f complete {}\nmax_tokens\n");
    CALLS(gemini, GEMINI_CALL("\"name\":\"f\",\"args\":{}"), "f complete {}\nconnect\n");
}

/* Interactions. */

#define STEP(type, members) "data: {\"event_type\":\"step." type "\",\"index\":0," members "}\n\n"
#define STEP_CALL(members) STEP("start", "\"step\":{\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\"" members "}")
#define STEP_JSON(json) STEP("delta", "\"delta\":{\"type\":\"arguments_delta\",\"arguments\":\"" json "\"}")
#define STEP_STOP "data: {\"event_type\":\"step.stop\",\"index\":0}\n\n"
#define STEP_TEXT(text) \
    "data: {\"event_type\":\"step.start\",\"index\":1,\"step\":{\"type\":\"model_output\",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}\n\n"
#define INTERACTION(status) "data: {\"event_type\":\"interaction.completed\",\"interaction\":{\"status\":\"" status "\"}}\n\n"

TEST(a_function_call_step_stopped_before_its_arguments_is_cut_off)
{
    CALLS(interactions, STEP_CALL("") INTERACTION("incomplete"), "f cut_off null\nmax_tokens\n");
    CALLS(interactions, STEP_CALL(",\"arguments\":{}") STEP_STOP INTERACTION("incomplete"), "f cut_off null\nmax_tokens\n");
    CALLS(interactions, STEP_CALL(",\"arguments\":{}") STEP_STOP INTERACTION("cancelled"), "f cut_off null\nother\n");
    CALLS(interactions, STEP_CALL("") STEP_JSON("{\\\"p\\\":true") INTERACTION("requires_continuation"), "f cut_off {\"p\":true}\nother\n");
    CALLS(interactions, STEP_CALL(",\"arguments\":{\"a\":1}") INTERACTION("incomplete"), "f cut_off null\nmax_tokens\n");
    CALLS(interactions, STEP_CALL(""), "f cut_off null\nconnect\n");
    CALLS(interactions, STEP_CALL("") STEP_JSON("{}"), "f cut_off {}\nconnect\n");
    CALLS(interactions, STEP_CALL("") STEP_JSON("{}") STEP_STOP, "f complete {}\nconnect\n");
}

TEST(a_function_call_step_that_the_model_ended_without_arguments_has_none)
{
    CALLS(interactions, STEP_CALL("") STEP_STOP INTERACTION("requires_action"), "f complete {}\ntool_calls\n");
    CALLS(interactions, STEP_CALL("") STEP_STOP STEP_TEXT("a") INTERACTION("incomplete"), "f complete {}\nmax_tokens\n");
    CALLS(interactions, STEP_CALL(",\"arguments\":{\"a\":1}") STEP_STOP INTERACTION("incomplete"), "f complete {\"a\":1}\nmax_tokens\n");
}

/* Structured responses. */

TEST(a_structured_response_that_is_a_number_is_whole_only_if_the_model_ended_it)
{
    truncation_now.desc.structured = 1;
    CALLS(chat, CHAT("\"delta\":{\"content\":\"12\"}") CHAT_REASON("length") CHAT_DONE, "json cut_off 12\nmax_tokens\n");
    CALLS(chat, CHAT("\"delta\":{\"content\":\"12\"}") CHAT_REASON("stop") CHAT_DONE, "json complete 12\ncompleted\n");
    CALLS(messages,
          MESSAGES_BLOCK("0", "\"type\":\"text\",\"text\":\"12\"") MESSAGES_STOP("0") MESSAGES_REASON("max_tokens"),
          "json cut_off 12\nmax_tokens\n");
    CALLS(messages, MESSAGES_BLOCK("0", "\"type\":\"text\",\"text\":\"12\"") MESSAGES_STOP("0") MESSAGES_REASON("end_turn"),
          "json complete 12\ncompleted\n");
    CALLS(gemini, GEMINI("{\"text\":\"12\"}") GEMINI_REASON("MAX_TOKENS"), "json cut_off 12\nmax_tokens\n");
    CALLS(gemini, GEMINI("{\"text\":\"12\"}") GEMINI_REASON("STOP"), "json complete 12\ncompleted\n");
    CALLS(interactions, STEP_TEXT("12") INTERACTION("incomplete"), "json cut_off 12\nmax_tokens\n");
    CALLS(interactions, STEP_TEXT("12") INTERACTION("completed"), "json complete 12\ncompleted\n");
    truncation_now.desc.structured = 0;
}

/* Every body of tests/data and every recording with calls, stopped after each of its frames and given each reason that
   stops a model. */

#define LAW_CALLS 256

/* What a body says of its calls, by index. */
typedef struct law_calls {
    struct {
        int seen;      /* it began */
        int followed;  /* something of its choice came after it began */
        int complete;
        uint32_t choice;
        size_t size;   /* of its arguments, without whitespace around them */
        uint64_t sum;  /* of these bytes */
    } calls[LAW_CALLS];
    int finished;
    int reason;
    int any;
} law_calls;

static law_calls law_whole, law_before, law_cut;

static elelem_str trimmed(elelem_str text)
{
    while (text.size > 0 && strchr(" \t\r\n", text.data[0]))
        text.data++, text.size--;
    while (text.size > 0 && strchr(" \t\r\n", text.data[text.size - 1]))
        text.size--;
    return text;
}

static void law_take(law_calls *to, const elelem_turn_update *item)
{
    elelem_str text;
    size_t i;

    if (item->kind == ELELEM_TURN_FINISHED) {
        to->finished = 1;
        to->reason = item->reason;
    }
    if (item->kind == ELELEM_TURN_FINISHED || item->kind == ELELEM_TURN_ERROR || item->kind == ELELEM_TURN_TOOL_CALL_DELTA) return;
    if (item->kind != ELELEM_TURN_TOOL_CALL_DONE)
        for (i = 0; i < LAW_CALLS; i++)
            if (i != item->index && to->calls[i].seen && to->calls[i].choice == item->choice) to->calls[i].followed = 1;
    if (item->index >= LAW_CALLS) return;
    if (item->kind == ELELEM_TURN_TOOL_CALL_START) {
        to->any = to->calls[item->index].seen = 1;
        to->calls[item->index].choice = item->choice;
    }
    if (item->kind != ELELEM_TURN_TOOL_CALL_DONE) return;
    text = trimmed(item->item->tool_call.text);
    to->calls[item->index].complete = item->item->state == ELELEM_ITEM_COMPLETE;
    to->calls[item->index].size = text.size;
    to->calls[item->index].sum = 0;
    for (i = 0; i < text.size; i++)
        to->calls[item->index].sum = to->calls[item->index].sum * 31 + (unsigned char)text.data[i];
}

static void law_run(law_calls *to, const elelem_shape *shape, const char *body, size_t size, const char *more)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn turn;
    elelem_turn_update item;
    int pass;

    memset(to, 0, sizeof *to);
    desc.shape = shape;
    desc.keep_argument_text = 1;
    elelem_turn_init(&turn, &desc);
    for (pass = 0; pass < 3; pass++) {
        if (pass == 0) elelem_turn_push(&turn, body, size);
        if (pass == 1) elelem_turn_push(&turn, more, strlen(more));
        if (pass == 2) elelem_turn_finish(&turn);
        while (elelem_turn_next(&turn, &item) == ELELEM_OK)
            law_take(to, &item);
    }
    elelem_turn_free(&turn);
}

/* Arguments may be an empty object (Gemini). */
static int has_empty_args(const char *body, size_t size)
{
    elelem_str all = { body, size };

    return count_of(all, "\"args\": {}") > 0 || count_of(all, "\"args\":{}") > 0;
}

/* A call that is complete has all that the recording has of it; one without arguments was ended before the body
   stopped: by a reason of the model's own, or because it wrote something after it. */
static int law_holds(const char *body, size_t size)
{
    int ended = law_before.finished && (law_before.reason == ELELEM_FINISH_COMPLETED || law_before.reason == ELELEM_FINISH_TOOL_CALLS);
    size_t i;

    for (i = 0; i < LAW_CALLS; i++) {
        if (!law_cut.calls[i].complete) continue;
        if (law_cut.calls[i].size != law_whole.calls[i].size || law_cut.calls[i].sum != law_whole.calls[i].sum) return 0;
        if (law_cut.calls[i].size == 0 && !ended && !law_before.calls[i].followed && !has_empty_args(body, size))
            return 0;
    }
    return 1;
}

#define MESSAGES_STOPS MESSAGES_STOP("0") MESSAGES_STOP("1") MESSAGES_STOP("2") MESSAGES_STOP("3") MESSAGES_STOP("4") MESSAGES_STOP("5")

static const char *const stops_of_chat[] = { CHAT_REASON("length") CHAT_DONE, CHAT_REASON("content_filter") CHAT_DONE,
                                             CHAT_REASON("unknown") CHAT_DONE, CHAT_REASON("max_tokens"), NULL };
static const char *const stops_of_messages[] = {
    MESSAGES_REASON("max_tokens"), MESSAGES_STOPS MESSAGES_REASON("max_tokens"), MESSAGES_STOPS MESSAGES_REASON("refusal"),
    MESSAGES_STOPS MESSAGES_REASON("model_context_window_exceeded"), MESSAGES_STOPS, NULL };
static const char *const stops_of_responses[] = {
    RESPONSES_CUT(""),
    RESPONSES("incomplete", "\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"content_filter\"}}"), NULL };
static const char *const stops_of_gemini[] = { GEMINI_REASON("MAX_TOKENS"), GEMINI_REASON("SAFETY"), GEMINI_REASON("OTHER"),
                                               GEMINI_REASON("MALFORMED_FUNCTION_CALL"), NULL };

static const char *const stops_of_interactions[] = { INTERACTION("incomplete"), INTERACTION("cancelled"), STEP_STOP INTERACTION("incomplete"),
                                                     NULL };

typedef struct law_shape {
    const char *folder;
    const elelem_shape *shape;
    const char *const *stops;
} law_shape;

static const law_shape *law_now;
static int law_bodies;

/* Nonzero after the blank line that ends a frame. */
static int is_frame_end(const char *body, size_t at)
{
    if (at < 3 || body[at - 1] != '\n') return 0;
    return body[at - 2] == '\n' || (body[at - 2] == '\r' && body[at - 3] == '\n');
}

static void law_of_body(const char *body, size_t size)
{
    size_t at, frames = 0, step, i;

    law_run(&law_whole, law_now->shape, body, size, "");
    if (!law_whole.any) return;
    law_bodies++;
    for (at = 1; at <= size; at++)
        frames += (size_t)is_frame_end(body, at);
    step = frames / 60 + 1;
    for (at = 1, frames = 0; at <= size; at++) {
        if (!is_frame_end(body, at) || frames++ % step != 0) continue;
        law_run(&law_before, law_now->shape, body, at, "");
        if (!law_before.any) continue;
        for (i = 0; law_now->stops[i]; i++) {
            check_cut("stopped after frame", frames);
            law_run(&law_cut, law_now->shape, body, at, law_now->stops[i]);
            if (!CHECK(law_holds(body, at))) return;
        }
    }
}

static void law_of_recording(const recording *r)
{
    if (r->status < 300) law_of_body(r->body, r->size);
}

static void law_begins(law_shape *now, const char *folder, const elelem_shape *shape, const char *const *stops)
{
    now->folder = folder;
    now->shape = shape;
    now->stops = stops;
    law_now = now;
    law_bodies = 0;
}

/* The bodies of tests/data: nothing of them comes from outside of this repository. */
static void law_of_bodies(const elelem_shape *shape, const char *const *stops)
{
    law_shape now;

    law_begins(&now, shape->name, shape, stops);
    CHECK(bodies_each(shape->name, law_of_body) > 0);
    CHECK(law_bodies > 5);
}

TEST(no_chat_call_of_the_test_bodies_is_complete_before_the_model_ended_it) /* P1 */
{
    law_of_bodies(&elelem_shape_chat, stops_of_chat);
}

TEST(no_function_call_of_the_test_bodies_is_complete_before_the_model_ended_it) /* P1 */
{
    law_of_bodies(&elelem_shape_responses, stops_of_responses);
}

TEST(no_tool_use_of_the_test_bodies_is_complete_before_the_model_ended_it) /* P1 */
{
    law_of_bodies(&elelem_shape_messages, stops_of_messages);
}

TEST(no_gemini_call_of_the_test_bodies_is_complete_before_the_model_ended_it) /* P1 */
{
    law_of_bodies(&elelem_shape_gemini, stops_of_gemini);
}

TEST(no_call_of_interactions_of_the_test_bodies_is_complete_before_the_model_ended_it) /* P1 */
{
    law_of_bodies(&elelem_shape_interactions, stops_of_interactions);
}

static void law_of_recordings(const char *folder, const elelem_shape *shape, const char *const *stops)
{
    law_shape now;

    law_begins(&now, folder, shape, stops);
    if (!recordings_each(folder, shape->name, law_of_recording)) check_nothing("no recordings (set ELELEM_CORPUS)");
    else CHECK(law_bodies > 0);
}

TEST(no_recorded_chat_call_is_complete_before_the_model_ended_it) /* P1 */
{
    law_of_recordings("chat/", &elelem_shape_chat, stops_of_chat);
}

TEST(no_recorded_function_call_is_complete_before_the_model_ended_it) /* P1 */
{
    law_of_recordings("responses/", &elelem_shape_responses, stops_of_responses);
}

TEST(no_recorded_tool_use_is_complete_before_the_model_ended_it) /* P1 */
{
    law_of_recordings("messages/", &elelem_shape_messages, stops_of_messages);
}

TEST(no_recorded_gemini_call_is_complete_before_the_model_ended_it) /* P1 */
{
    law_of_recordings("gemini/", &elelem_shape_gemini, stops_of_gemini);
}

TEST(no_recorded_call_of_interactions_is_complete_before_the_model_ended_it) /* P1 */
{
    recordings_folder = "interactions";
    law_of_recordings("", &elelem_shape_interactions, stops_of_interactions);
    recordings_folder = "streams";
}

CHECK_MAIN("truncation",
    RUN(a_chat_call_stopped_before_its_arguments_is_cut_off)
    RUN(a_chat_call_that_the_model_ended_without_arguments_has_none)
    RUN(a_chat_call_that_no_reason_ends_is_cut_off_if_it_has_no_arguments)
    RUN(chat_arguments_that_closed_by_themselves_are_whole_whatever_the_reason)
    RUN(arguments_that_are_a_number_are_whole_only_if_the_model_ended_them)
    RUN(a_call_that_comes_after_the_reason_is_not_ended_by_it)
    RUN(a_reason_with_each_chunk_does_not_end_arguments_that_continue)
    RUN(a_call_after_stop_is_to_be_run)
    RUN(each_choice_ends_its_own_calls)
    RUN(a_tool_use_stopped_before_its_input_is_cut_off)
    RUN(a_tool_use_that_the_model_ended_without_input_has_none)
    RUN(what_the_model_writes_after_a_tool_use_shows_that_it_ended_it)
    RUN(a_tool_use_that_another_response_replaces_is_cut_off)
    RUN(a_tool_use_of_a_model_that_refused_is_not_ended_by_the_model_that_takes_over)
    RUN(a_message_may_begin_with_a_tool_use_that_is_whole)
    RUN(a_function_call_stopped_before_its_arguments_is_cut_off)
    RUN(a_function_call_with_the_status_incomplete_is_cut_off_even_if_its_arguments_closed)
    RUN(a_function_call_that_the_model_ended_without_arguments_has_none)
    RUN(an_input_of_free_text_is_whole_only_by_its_status_or_by_the_end)
    RUN(a_call_that_announces_more_which_never_comes_is_cut_off_whatever_the_reason)
    RUN(a_call_without_args_is_ended_by_the_reason_or_by_what_follows)
    RUN(args_that_are_an_empty_object_are_whole)
    RUN(a_function_call_step_stopped_before_its_arguments_is_cut_off)
    RUN(a_function_call_step_that_the_model_ended_without_arguments_has_none)
    RUN(a_structured_response_that_is_a_number_is_whole_only_if_the_model_ended_it)
    RUN(no_chat_call_of_the_test_bodies_is_complete_before_the_model_ended_it)
    RUN(no_function_call_of_the_test_bodies_is_complete_before_the_model_ended_it)
    RUN(no_tool_use_of_the_test_bodies_is_complete_before_the_model_ended_it)
    RUN(no_gemini_call_of_the_test_bodies_is_complete_before_the_model_ended_it)
    RUN(no_call_of_interactions_of_the_test_bodies_is_complete_before_the_model_ended_it)
    RUN(no_recorded_chat_call_is_complete_before_the_model_ended_it)
    RUN(no_recorded_function_call_is_complete_before_the_model_ended_it)
    RUN(no_recorded_tool_use_is_complete_before_the_model_ended_it)
    RUN(no_recorded_gemini_call_is_complete_before_the_model_ended_it)
    RUN(no_recorded_call_of_interactions_is_complete_before_the_model_ended_it))
