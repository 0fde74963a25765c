/* The wires that the contract of streams is tested on, one row each, by pieces of bodies in them.
 * A further shape has the whole contract tested by adding its row.
 *
 * Frames end with an empty line and lines with LF; a frame is a line `event: N`, if it has a name,
 * and one line `data: D`. The tests put in what else there is. The last row is a shape that the
 * library does not have, written with nothing but the public seam.
 */
#ifndef WIRES_H
#define WIRES_H

#include "streams.h"

typedef struct wire {
    const char *name;
    const elelem_shape *shape;

    /* A whole response to its last byte, the same in all wires: it thinks "Let me sée", says "It 🌞 is",
       calls f with {"a":[1]}, and has 3 tokens in and 4 out. */
    const char *good;
    const char *settled;   /* some text of the first frame after which an early end is as good as FINISHED */
    const char *terminal;  /* some text of the frame that ends the stream; null if only the body's end does */
    const char *reordered; /* the same response with members in another order and unknown ones among them */

    /* Pieces of other responses: open text finish last, open call cut last, and so on. */
    const char *open;      /* what comes before anything is said, items that said nothing yet among it */
    const char *text;      /* a message that says "It" and continues */
    const char *call;      /* a call whose arguments break off */
    const char *finish;    /* the response is complete */
    const char *cut;       /* the response meets its length limit */
    const char *last;      /* what ends the stream; empty if nothing more does */

    const char *unknown;   /* frames that give no event, and pings */
    const char *error;     /* a frame that is an error which may be tried again */
    const char *error_end; /* what it ends the stream with, as in streams.h */
    const char *refusal;   /* the body of a response with status 429 */
    const char *refusal_end;
} wire;

#ifndef ELELEM_NO_CHAT

#define WIRE_CHAT(choice) "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0," choice "}]}\n\n"
#define WIRE_CHAT_CALL(call) WIRE_CHAT("\"delta\":{\"tool_calls\":[{\"index\":0," call "}]}")

static const wire wire_chat = {
    "chat", &elelem_shape_chat,
    WIRE_CHAT("\"delta\":{\"role\":\"assistant\",\"reasoning\":\"Let me \"}")
    WIRE_CHAT("\"delta\":{\"reasoning\":\"s\\u00e9e\"}")
    WIRE_CHAT("\"delta\":{\"content\":\"It \xf0\x9f\x8c\x9e\"}")
    WIRE_CHAT("\"delta\":{\"content\":\" is\"}")
    WIRE_CHAT_CALL("\"id\":\"call_1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\"\"}")
    WIRE_CHAT_CALL("\"function\":{\"arguments\":\":[1]}\"}")
    WIRE_CHAT("\"delta\":{},\"finish_reason\":\"tool_calls\"")
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n"
    "data: [DONE]\n\n",
    "\"finish_reason\":\"tool_calls\"", "[DONE]",
    "data: {\"choices\":[{\"delta\":{\"reasoning\":\"Let me \",\"role\":\"assistant\",\"new\":[{\"a\":{}}]},\"index\":0}],\"id\":7}\n\n"
    "data: {\"new\":{\"choices\":[]},\"choices\":[{\"delta\":{\"reasoning\":\"s\\u00e9e\"},\"index\":0}]}\n\n"
    "data: {\"choices\":[{\"delta\":{\"x\":null,\"content\":\"It \\ud83c\\udf1e\"},\"index\":0,\"logprobs\":null}]}\n\n"
    "data: { \"choices\" : [ { \"delta\" : { \"content\" : \" is\" } , \"index\" : 0 } ] } \n\n"
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"strict\":true,\"arguments\":\"{\\\"a\\\"\","
    "\"name\":\"f\"},\"type\":\"function\",\"id\":\"call_1\",\"index\":0}]},\"index\":0}]}\n\n"
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\":[1]}\"},\"index\":0}]},\"index\":0}]}\n\n"
    "data: {\"choices\":[{\"finish_reason\":\"tool_calls\",\"delta\":{},\"index\":0}]}\n\n"
    "data: {\"usage\":{\"completion_tokens\":4,\"total\":7,\"prompt_tokens\":3},\"choices\":[]}\n\n"
    "data: [DONE]\n\n",
    WIRE_CHAT("\"delta\":{\"role\":\"assistant\",\"content\":\"\"}"),
    WIRE_CHAT("\"delta\":{\"content\":\"It\"}"),
    WIRE_CHAT_CALL("\"id\":\"call_1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\"\"}"),
    WIRE_CHAT("\"delta\":{},\"finish_reason\":\"stop\""),
    WIRE_CHAT("\"delta\":{},\"finish_reason\":\"length\""),
    "data: [DONE]\n\n",
    "event: weather\ndata: {\"type\":\"weather\",\"clouds\":[1,2,{\"x\":null}]}\n\n",
    "data: {\"error\":{\"message\":\"too many\",\"code\":429,\"type\":\"rate_limit_exceeded\"}}\n\n",
    "ERROR rate_limit retryable code=rate_limit_exceeded \"too many\"\nEND\n",
    "{\"error\":{\"message\":\"slow down\",\"type\":\"requests\",\"param\":null,\"code\":\"rate_limit_exceeded\"}}",
    "ERROR rate_limit retryable http=429 code=rate_limit_exceeded \"slow down\"\nEND\n",
};

#endif

#ifndef ELELEM_NO_RESPONSES

#define WIRE_RESPONSES(name, members) "event: response." name "\ndata: {\"type\":\"response." name "\"," members "}\n\n"
#define WIRE_RESPONSES_ITEM(verb, number, item) \
    WIRE_RESPONSES("output_item." verb, "\"output_index\":" number ",\"item\":{" item "}")
#define WIRE_RESPONSES_DELTA(what, number, id, delta) \
    WIRE_RESPONSES(what ".delta", "\"item_id\":\"" id "\",\"output_index\":" number ",\"delta\":\"" delta "\"")
#define WIRE_RESPONSES_OPEN WIRE_RESPONSES("created", "\"response\":{\"output\":[]}")

static const wire wire_responses = {
    "responses", &elelem_shape_responses,
    WIRE_RESPONSES_OPEN
    WIRE_RESPONSES_ITEM("added", "0", "\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[],\"encrypted_content\":\"ZWFybHk\"")
    WIRE_RESPONSES_DELTA("reasoning_summary_text", "0", "r", "Let me ")
    WIRE_RESPONSES_DELTA("reasoning_summary_text", "0", "r", "s\\u00e9e")
    WIRE_RESPONSES_ITEM("done", "0", "\"type\":\"reasoning\",\"id\":\"r\",\"encrypted_content\":\"bGF0ZQ\"")
    WIRE_RESPONSES_ITEM("added", "1", "\"type\":\"message\",\"id\":\"m\",\"content\":[]")
    WIRE_RESPONSES_DELTA("output_text", "1", "m", "It \xf0\x9f\x8c\x9e")
    WIRE_RESPONSES_DELTA("output_text", "1", "m", " is")
    WIRE_RESPONSES_ITEM("done", "1", "\"type\":\"message\",\"id\":\"m\",\"content\":[{\"type\":\"output_text\",\"text\":\"It \xf0\x9f\x8c\x9e is\"}]")
    WIRE_RESPONSES_ITEM("added", "2", "\"type\":\"function_call\",\"id\":\"c\",\"call_id\":\"call_1\",\"name\":\"f\",\"arguments\":\"\"")
    WIRE_RESPONSES_DELTA("function_call_arguments", "2", "c", "{\\\"a\\\"")
    WIRE_RESPONSES_DELTA("function_call_arguments", "2", "c", ":[1]}")
    WIRE_RESPONSES_ITEM("done", "2", "\"type\":\"function_call\",\"call_id\":\"call_1\",\"name\":\"f\",\"arguments\":\"{\\\"a\\\":[1]}\"")
    WIRE_RESPONSES("completed", "\"response\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}"),
    "response.completed", "response.completed",
    "data: {\"response\":{\"output\":[],\"new\":{\"type\":\"response.failed\"}},\"type\":\"response.created\"}\n\n"
    "data: {\"item\":{\"encrypted_content\":\"x\",\"summary\":[],\"id\":\"r\",\"type\":\"reasoning\"},\"output_index\":0,"
    "\"type\":\"response.output_item.added\"}\n\n"
    "data: {\"delta\":\"Let me \",\"obfuscation\":\"q8\",\"output_index\":0,\"item_id\":\"r\",\"type\":\"response.reasoning_summary_text.delta\"}\n\n"
    "data: {\"new\":[{\"delta\":\"no\"}],\"delta\":\"s\\u00e9e\",\"item_id\":\"r\",\"output_index\":0,\"type\":\"response.reasoning_summary_text.delta\"}\n\n"
    "data: {\"new\":1,\"item\":{\"encrypted_content\":\"bGF0ZQ\",\"id\":\"r\",\"type\":\"reasoning\"},\"output_index\":0,\"type\":\"response.output_item.done\"}\n\n"
    "data: {\"item\":{\"content\":[],\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\"},\"output_index\":1,\"type\":\"response.output_item.added\"}\n\n"
    "data: { \"delta\" : \"It \\ud83c\\udf1e\" , \"item_id\" : \"m\" , \"output_index\" : 1 , \"type\" : \"response.output_text.delta\" } \n\n"
    "data: {\"logprobs\":[],\"delta\":\" is\",\"item_id\":\"m\",\"output_index\":1,\"type\":\"response.output_text.delta\"}\n\n"
    "data: {\"item\":{\"content\":[{\"text\":\"It \xf0\x9f\x8c\x9e is\",\"type\":\"output_text\"}],\"id\":\"m\",\"type\":\"message\"},"
    "\"output_index\":1,\"type\":\"response.output_item.done\"}\n\n"
    "data: {\"item\":{\"arguments\":\"\",\"name\":\"f\",\"strict\":true,\"call_id\":\"call_1\",\"id\":\"c\",\"type\":\"function_call\"},\"output_index\":2,"
    "\"type\":\"response.output_item.added\"}\n\n"
    "data: {\"delta\":\"{\\\"a\\\"\",\"item_id\":\"c\",\"output_index\":2,\"type\":\"response.function_call_arguments.delta\"}\n\n"
    "data: {\"delta\":\":[1]}\",\"item_id\":\"c\",\"output_index\":2,\"type\":\"response.function_call_arguments.delta\"}\n\n"
    "data: {\"item\":{\"arguments\":\"{\\\"a\\\":[1]}\",\"name\":\"f\",\"call_id\":\"call_1\",\"type\":\"function_call\"},\"output_index\":2,"
    "\"type\":\"response.output_item.done\"}\n\n"
    "data: {\"response\":{\"usage\":{\"output_tokens\":4,\"total_tokens\":7,\"input_tokens\":3},\"error\":null},"
    "\"type\":\"response.completed\"}\n\n",
    WIRE_RESPONSES_OPEN WIRE_RESPONSES_ITEM("added", "0", "\"type\":\"message\",\"id\":\"m\",\"content\":[]"),
    WIRE_RESPONSES_DELTA("output_text", "0", "m", "It"),
    WIRE_RESPONSES_ITEM("added", "1", "\"type\":\"function_call\",\"id\":\"c\",\"call_id\":\"call_1\",\"name\":\"f\",\"arguments\":\"\"")
    WIRE_RESPONSES_DELTA("function_call_arguments", "1", "c", "{\\\"a\\\""),
    WIRE_RESPONSES("completed", "\"response\":{}"),
    WIRE_RESPONSES("incomplete", "\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}"),
    "",
    WIRE_RESPONSES("weather.changed", "\"output_index\":-1,\"delta\":{\"clouds\":[1,2,{\"x\":null}]}")
    "event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n",
    "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\",\"message\":\"too many\"}}\n\n",
    "ERROR rate_limit retryable code=rate_limit_exceeded \"too many\"\nEND\n",
    "{\"error\":{\"message\":\"Please try again in 1.5s.\",\"type\":\"tokens\",\"param\":null,\"code\":\"rate_limit_exceeded\"}}",
    "ERROR rate_limit retryable after=1500 http=429 code=rate_limit_exceeded \"Please try again in 1.5s.\"\nEND\n",
};

#endif

#ifndef ELELEM_NO_MESSAGES

#define WIRE_MESSAGES(type, members) "event: " type "\ndata: {\"type\":\"" type "\"" members "}\n\n"
#define WIRE_MESSAGES_START(number, block) WIRE_MESSAGES("content_block_start", ",\"index\":" number ",\"content_block\":{" block "}")
#define WIRE_MESSAGES_DELTA(number, delta) WIRE_MESSAGES("content_block_delta", ",\"index\":" number ",\"delta\":{" delta "}")
#define WIRE_MESSAGES_STOP(number) WIRE_MESSAGES("content_block_stop", ",\"index\":" number)
#define WIRE_MESSAGES_CALL "\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"f\",\"input\":{}"
#define WIRE_MESSAGES_JSON(text) "\"type\":\"input_json_delta\",\"partial_json\":\"" text "\""

static const wire wire_messages = {
    "messages", &elelem_shape_messages,
    WIRE_MESSAGES("message_start", ",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}")
    WIRE_MESSAGES_START("0", "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"")
    WIRE_MESSAGES_DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"Let me \"")
    WIRE_MESSAGES_DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"s\\u00e9e\"")
    WIRE_MESSAGES_DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"c2ln\"")
    WIRE_MESSAGES_STOP("0")
    WIRE_MESSAGES_START("1", "\"type\":\"text\",\"text\":\"\"")
    WIRE_MESSAGES_DELTA("1", "\"type\":\"text_delta\",\"text\":\"It \xf0\x9f\x8c\x9e\"")
    WIRE_MESSAGES_DELTA("1", "\"type\":\"text_delta\",\"text\":\" is\"")
    WIRE_MESSAGES_STOP("1")
    WIRE_MESSAGES_START("2", WIRE_MESSAGES_CALL)
    WIRE_MESSAGES_DELTA("2", WIRE_MESSAGES_JSON(""))
    WIRE_MESSAGES_DELTA("2", WIRE_MESSAGES_JSON("{\\\"a\\\""))
    WIRE_MESSAGES_DELTA("2", WIRE_MESSAGES_JSON(":[1]}"))
    WIRE_MESSAGES_STOP("2")
    WIRE_MESSAGES("message_delta", ",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":4}")
    WIRE_MESSAGES("message_stop", ""),
    "message_delta", "message_stop",
    "data: {\"message\":{\"usage\":{\"output_tokens\":1,\"new\":{},\"input_tokens\":3},\"id\":\"m\"},\"type\":\"message_start\"}\n\n"
    "data: {\"content_block\":{\"signature\":\"\",\"thinking\":\"\",\"type\":\"thinking\"},\"index\":0,\"type\":\"content_block_start\"}\n\n"
    "data: {\"delta\":{\"thinking\":\"Let me \",\"new\":[1],\"type\":\"thinking_delta\"},\"index\":0,\"type\":\"content_block_delta\"}\n\n"
    "data: {\"new\":{\"delta\":{}},\"delta\":{\"thinking\":\"s\\u00e9e\",\"type\":\"thinking_delta\"},\"index\":0,\"type\":\"content_block_delta\"}\n\n"
    "data: {\"delta\":{\"signature\":\"c2ln\",\"type\":\"signature_delta\"},\"index\":0,\"type\":\"content_block_delta\"}\n\n"
    "data: {\"index\":0,\"type\":\"content_block_stop\"}\n\n"
    "data: {\"content_block\":{\"text\":\"\",\"citations\":null,\"type\":\"text\"},\"index\":1,\"type\":\"content_block_start\"}\n\n"
    "data: { \"delta\" : { \"text\" : \"It \\ud83c\\udf1e\" , \"type\" : \"text_delta\" } , \"index\" : 1 , \"type\" : \"content_block_delta\" } \n\n"
    "data: {\"delta\":{\"text\":\" is\",\"type\":\"text_delta\"},\"index\":1,\"type\":\"content_block_delta\"          }\n\n"
    "data: {\"new\":null,\"index\":1,\"type\":\"content_block_stop\"}\n\n"
    "data: {\"content_block\":{\"input\":{},\"name\":\"f\",\"new\":\"x\",\"id\":\"call_1\",\"type\":\"tool_use\"},\"index\":2,\"type\":\"content_block_start\"}\n\n"
    "data: {\"delta\":{\"partial_json\":\"\",\"type\":\"input_json_delta\"},\"index\":2,\"type\":\"content_block_delta\"}\n\n"
    "data: {\"delta\":{\"partial_json\":\"{\\\"a\\\"\",\"type\":\"input_json_delta\"},\"index\":2,\"type\":\"content_block_delta\"}\n\n"
    "data: {\"delta\":{\"partial_json\":\":[1]}\",\"type\":\"input_json_delta\"},\"index\":2,\"type\":\"content_block_delta\"}\n\n"
    "data: {\"index\":2,\"type\":\"content_block_stop\"}\n\n"
    "data: {\"usage\":{\"server_tool_use\":{},\"output_tokens\":4},\"weather\":{},\"delta\":{\"new\":1,\"stop_sequence\":null,"
    "\"stop_reason\":\"tool_use\"},\"type\":\"message_delta\"}\n\n"
    "data: {\"new\":1,\"type\":\"message_stop\"}\n\n",
    WIRE_MESSAGES("message_start", ",\"message\":{\"id\":\"m\"}")
    WIRE_MESSAGES_START("0", "\"type\":\"text\",\"text\":\"\""),
    WIRE_MESSAGES_DELTA("0", "\"type\":\"text_delta\",\"text\":\"It\""),
    WIRE_MESSAGES_START("1", WIRE_MESSAGES_CALL)
    WIRE_MESSAGES_DELTA("1", WIRE_MESSAGES_JSON("{\\\"a\\\"")),
    WIRE_MESSAGES("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}"),
    WIRE_MESSAGES("message_delta", ",\"delta\":{\"stop_reason\":\"max_tokens\"}"),
    WIRE_MESSAGES("message_stop", ""),
    WIRE_MESSAGES("weather", ",\"index\":-1,\"clouds\":[1,2,{\"x\":null}]") WIRE_MESSAGES("ping", ""),
    WIRE_MESSAGES("error", ",\"error\":{\"type\":\"overloaded_error\",\"message\":\"too many\"}"),
    "ERROR transient retryable code=overloaded_error \"too many\"\nEND\n",
    "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"},\"request_id\":\"req_1\"}",
    "ERROR rate_limit retryable http=429 code=rate_limit_error \"slow down\"\nmeta request_id=\"req_1\"\nEND\n",
};

#endif

#ifndef ELELEM_NO_GEMINI

#define WIRE_GEMINI(candidate) "data: {\"candidates\":[{" candidate ",\"index\":0}],\"modelVersion\":\"m\"}\n\n"
#define WIRE_GEMINI_PART(part) WIRE_GEMINI("\"content\":{\"role\":\"model\",\"parts\":[{" part "}]}")

static const wire wire_gemini = {
    "gemini", &elelem_shape_gemini,
    WIRE_GEMINI_PART("\"text\":\"Let me \",\"thought\":true")
    WIRE_GEMINI_PART("\"text\":\"s\\u00e9e\",\"thought\":true")
    WIRE_GEMINI_PART("\"text\":\"It \xf0\x9f\x8c\x9e\"")
    WIRE_GEMINI_PART("\"text\":\" is\"")
    WIRE_GEMINI_PART("\"functionCall\":{\"id\":\"call_1\",\"name\":\"f\",\"willContinue\":true},\"thoughtSignature\":\"c2ln\"")
    WIRE_GEMINI_PART("\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.a[0]\",\"numberValue\":1}],\"willContinue\":true}")
    WIRE_GEMINI_PART("\"functionCall\":{}")
    "data: {\"candidates\":[{\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":3}}\n\n"
    "data: {\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":4}}\n\n",
    "finishReason", NULL,
    "data: {\"new\":{\"candidates\":[]},\"modelVersion\":\"m\",\"candidates\":[{\"index\":0,\"content\":{\"parts\":[{\"thought\":true,\"text\":\"Let me \"}],\"role\":\"model\"}}]}\n\n"
    "data: {\"candidates\":[{\"index\":0,\"new\":[{}],\"content\":{\"parts\":[{\"thought\":true,\"new\":null,\"text\":\"s\\u00e9e\"}]}}]}\n\n"
    "data: { \"candidates\" : [ { \"content\" : { \"parts\" : [ { \"text\" : \"It \\ud83c\\udf1e\" } ] } , \"index\" : 0 } ] } \n\n"
    "data: {\"new\":\"r\",\"candidates\":[{\"index\":0,\"content\":{\"new\":7,\"parts\":[{\"text\":\" is\"}]}}]}\n\n"
    "data: {\"candidates\":[{\"index\":0,\"content\":{\"parts\":[{\"thoughtSignature\":\"c2ln\",\"functionCall\":{\"willContinue\":true,\"new\":1,"
    "\"name\":\"f\",\"id\":\"call_1\"}}]}}]}\n\n"
    "data: {\"candidates\":[{\"index\":0,\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":[{\"new\":1,\"numberValue\":1,"
    "\"jsonPath\":\"$.a[0]\"}]}}]}}]}\n\n"
    "data: {\"candidates\":[{\"index\":0,\"content\":{\"parts\":[{\"functionCall\":{\"new\":1}}]}}]}\n\n"
    "data: {\"usageMetadata\":{\"promptTokenCount\":3},\"candidates\":[{\"index\":0,\"finishReason\":\"STOP\",\"new\":-0.1}]}\n\n"
    "data: {\"usageMetadata\":{\"new\":[],\"candidatesTokenCount\":4,\"promptTokenCount\":3}}\n\n",
    WIRE_GEMINI("\"content\":{\"role\":\"model\"}"),
    WIRE_GEMINI_PART("\"text\":\"It\""),
    WIRE_GEMINI_PART("\"functionCall\":{\"id\":\"call_1\",\"name\":\"f\",\"willContinue\":true,\"partialArgs\":"
                     "[{\"jsonPath\":\"$.a\",\"stringValue\":\"x\",\"willContinue\":true}]}"),
    WIRE_GEMINI("\"finishReason\":\"STOP\""),
    WIRE_GEMINI("\"finishReason\":\"MAX_TOKENS\""),
    "",
    "event: weather\ndata: {\"type\":\"weather\",\"clouds\":[1,2,{\"x\":null}]}\n\n"
    "data: {\"candidates\":[{\"content\":{\"new\":null},\"new\":null,\"index\":0}],\"new\":null}\n\n",
    "data: {\"error\":{\"code\":503,\"message\":\"too many\",\"status\":\"UNAVAILABLE\",\"details\":[]}}\n\n",
    "ERROR transient retryable code=UNAVAILABLE \"too many\"\nEND\n",
    "[{\"error\":{\"code\":429,\"message\":\"slow down\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"@type\":\"x\"},"
    "{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"48s\"}]}}]",
    "ERROR rate_limit retryable after=48000 http=429 code=RESOURCE_EXHAUSTED \"slow down\"\nEND\n",
};

#endif

#ifndef ELELEM_NO_INTERACTIONS

#define WIRE_INTERACTIONS(type, members) "event: " type "\ndata: {" members ",\"event_type\":\"" type "\"}\n\n"
#define WIRE_INTERACTIONS_START(number, step) WIRE_INTERACTIONS("step.start", "\"index\":" number ",\"step\":{" step "}")
#define WIRE_INTERACTIONS_DELTA(number, delta) WIRE_INTERACTIONS("step.delta", "\"index\":" number ",\"delta\":{" delta "}")
#define WIRE_INTERACTIONS_STOP(number) WIRE_INTERACTIONS("step.stop", "\"index\":" number)
#define WIRE_INTERACTIONS_LAST(status, usage) \
    WIRE_INTERACTIONS("interaction.completed", "\"interaction\":{\"id\":\"v\",\"status\":\"" status "\"" usage "}")
#define WIRE_INTERACTIONS_CALL "\"id\":\"call_1\",\"type\":\"function_call\",\"name\":\"f\",\"arguments\":{}"
#define WIRE_INTERACTIONS_JSON(text) "\"arguments\":\"" text "\",\"type\":\"arguments_delta\""
#define WIRE_INTERACTIONS_OPEN \
    WIRE_INTERACTIONS("interaction.created", "\"interaction\":{\"id\":\"v\",\"status\":\"in_progress\",\"object\":\"interaction\"}")

static const wire wire_interactions = {
    "interactions", &elelem_shape_interactions,
    WIRE_INTERACTIONS_OPEN
    WIRE_INTERACTIONS_START("0", "\"type\":\"thought\"")
    WIRE_INTERACTIONS_DELTA("0", "\"content\":{\"text\":\"Let me s\\u00e9e\",\"type\":\"text\"},\"type\":\"thought_summary\"")
    WIRE_INTERACTIONS_DELTA("0", "\"signature\":\"c2ln\",\"type\":\"thought_signature\"")
    WIRE_INTERACTIONS_STOP("0")
    WIRE_INTERACTIONS_START("1", "\"type\":\"model_output\"")
    WIRE_INTERACTIONS_DELTA("1", "\"text\":\"It \xf0\x9f\x8c\x9e\",\"type\":\"text\"")
    WIRE_INTERACTIONS_DELTA("1", "\"text\":\" is\",\"type\":\"text\"")
    WIRE_INTERACTIONS_STOP("1")
    WIRE_INTERACTIONS_START("2", WIRE_INTERACTIONS_CALL)
    WIRE_INTERACTIONS_DELTA("2", WIRE_INTERACTIONS_JSON("{\\\"a\\\""))
    WIRE_INTERACTIONS_DELTA("2", WIRE_INTERACTIONS_JSON(":[1]}"))
    WIRE_INTERACTIONS_STOP("2")
    WIRE_INTERACTIONS_LAST("requires_action", ",\"usage\":{\"total_input_tokens\":3,\"total_output_tokens\":4}"),
    "requires_action", "requires_action",
    "data: {\"new\":null,\"interaction\":{\"status\":\"in_progress\",\"id\":\"v\"},\"event_type\":\"interaction.created\"}\n\n"
    "data: {\"event_type\":\"step.start\",\"step\":{\"type\":\"thought\",\"new\":null},\"index\":0}\n\n"
    "data: {\"delta\":{\"type\":\"thought_summary\",\"content\":{\"type\":\"text\",\"text\":\"Let me s\\u00e9e\"}},\"index\":0,"
    "\"event_type\":\"step.delta\",\"new\":[]}\n\n"
    "data: {\"delta\":{\"type\":\"thought_signature\",\"signature\":\"c2ln\"},\"event_type\":\"step.delta\",\"index\":0}\n\n"
    "data: {\"event_type\":\"step.stop\",\"index\":0}\n\n"
    "data: {\"step\":{\"type\":\"model_output\"},\"event_type\":\"step.start\",\"index\":1}\n\n"
    "data: { \"event_type\" : \"step.delta\" , \"delta\" : { \"type\" : \"text\" , \"text\" : \"It \\ud83c\\udf1e\" } , \"index\" : 1 } \n\n"
    "data: {\"event_type\":\"step.delta\",\"index\":1,\"delta\":{\"type\":\"text\",\"new\":{},\"text\":\" is\"}}\n\n"
    "data: {\"event_type\":\"step.stop\",\"index\":1}\n\n"
    "data: {\"step\":{\"arguments\":{},\"name\":\"f\",\"type\":\"function_call\",\"id\":\"call_1\"},\"index\":2,\"event_type\":\"step.start\"}\n\n"
    "data: {\"delta\":{\"type\":\"arguments_delta\",\"arguments\":\"{\\\"a\\\"\"},\"index\":2,\"event_type\":\"step.delta\"}\n\n"
    "data: {\"delta\":{\"type\":\"arguments_delta\",\"arguments\":\":[1]}\"},\"index\":2,\"event_type\":\"step.delta\"}\n\n"
    "data: {\"index\":2,\"event_type\":\"step.stop\"}\n\n"
    "data: {\"interaction\":{\"usage\":{\"total_output_tokens\":4,\"new\":7,\"total_input_tokens\":3},\"status\":\"requires_action\"},"
    "\"event_type\":\"interaction.completed\"}\n\n",
    WIRE_INTERACTIONS_OPEN WIRE_INTERACTIONS_START("0", "\"type\":\"model_output\""),
    WIRE_INTERACTIONS_DELTA("0", "\"text\":\"It\",\"type\":\"text\""),
    WIRE_INTERACTIONS_START("1", WIRE_INTERACTIONS_CALL) WIRE_INTERACTIONS_DELTA("1", WIRE_INTERACTIONS_JSON("{\\\"a\\\"")),
    WIRE_INTERACTIONS("interaction.status_update", "\"interaction_id\":\"v\",\"status\":\"completed\""),
    WIRE_INTERACTIONS("interaction.status_update", "\"interaction_id\":\"v\",\"status\":\"incomplete\""),
    WIRE_INTERACTIONS("interaction.completed", "\"interaction\":{\"id\":\"v\"}"),
    "event: weather\ndata: {\"event_type\":\"weather\",\"clouds\":[1,2,{\"x\":null}]}\n\n",
    "event: error\ndata: {\"error\":{\"message\":\"too many\",\"code\":\"gateway_timeout\"},\"event_type\":\"error\"}\n\n",
    "ERROR transient retryable code=gateway_timeout \"too many\"\nEND\n",
    "{\"error\":{\"code\":\"resource_exhausted\",\"message\":\"slow down\"}}",
    "ERROR rate_limit retryable http=429 code=resource_exhausted \"slow down\"\nEND\n",
};

#endif

/* A shape that the library does not have. A frame says one thing or several: {"think":…}, {"say":…},
   {"note":…} next to them as metadata, {"call":{"id":…,"name":…,"args":…}}, {"args":…} as more text for
   that call, {"usage":{"in":…,"out":…}}, {"stop":…}, {"fail":…} and {"end":1}. */

#define OWN_PATHS(P, MEMBER, ELEMENTS)        \
    MEMBER(P, SAY, ROOT, "say", WHOLE)        \
    MEMBER(P, THINK, ROOT, "think", WHOLE)    \
    MEMBER(P, NOTE, ROOT, "note", WHOLE)      \
    MEMBER(P, CALL, ROOT, "call", NOTHING)    \
    MEMBER(P, ARGS, ROOT, "args", WHOLE)      \
    MEMBER(P, USAGE, ROOT, "usage", WHOLE)    \
    MEMBER(P, STOP, ROOT, "stop", WHOLE)      \
    MEMBER(P, FAIL, ROOT, "fail", WHOLE)      \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)    \
    MEMBER(P, END, ROOT, "end", WHOLE)        \
    MEMBER(P, CALL_ID, CALL, "id", WHOLE)     \
    MEMBER(P, CALL_NAME, CALL, "name", WHOLE) \
    MEMBER(P, CALL_ARGS, CALL, "args", WHOLE)

ELELEM_SHAPE_PATHS(OWN_PATHS, own_, own_paths);

/* State of the stream: the arguments of a call have come in pieces, so that it is open. */
typedef struct own_stream {
    int has_open_call;
} own_stream;

static own_stream *own_state(const elelem_shape_context *c)
{
    return (own_stream *)elelem_shape_stream_state(c);
}

static elelem_str own_text(const elelem_shape_context *c, unsigned row)
{
    return elelem_shape_string(elelem_shape_field(c, row));
}

static void own_say(elelem_shape_context *c, elelem_part_kind kind, unsigned row)
{
    elelem_value note = elelem_shape_field(c, own_NOTE);

    if (own_text(c, row).size == 0) return;
    if (elelem_shape_is_there(note)) elelem_shape_metadata_value(c, "note", note);
    elelem_shape_text(c, elelem_shape_item_continue(c, 0, kind, 0), own_text(c, row));
}

/* A call ends the text before it, and itself if it comes with its arguments. */
static void own_call(elelem_shape_context *c)
{
    elelem_value call = elelem_shape_field(c, own_CALL);
    elelem_value args = elelem_value_get(call, "args");
    uint32_t index;

    if (elelem_value_type(call) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_flush_all(c, 0, ELELEM_SHAPE_ENDED);
    index = elelem_shape_item_open(c, 0, ELELEM_PART_TOOL_CALL, 0);
    elelem_shape_tool_start(c, index, elelem_shape_string_in(call, "id"), elelem_shape_string_in(call, "name"));
    own_state(c)->has_open_call = !elelem_shape_is_there(args);
    if (own_state(c)->has_open_call) return;
    elelem_shape_tool_arguments_value(c, index, args);
    elelem_shape_flush(c, index);
}

static void own_arguments(elelem_shape_context *c)
{
    if (!own_state(c)->has_open_call) return;
    elelem_shape_tool_arguments(c, elelem_shape_item_find(c, 0, ELELEM_PART_TOOL_CALL, 0), own_text(c, own_ARGS));
}

static void own_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, own_USAGE);
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    usage.input = elelem_shape_count_in(raw, "in");
    usage.output = elelem_shape_count_in(raw, "out");
    elelem_shape_usage(c, usage, raw);
}

static const elelem_shape_word own_reasons[] = {
    { "enough", ELELEM_FINISH_COMPLETED },
    { "length", ELELEM_FINISH_MAX_TOKENS },
    { "call", ELELEM_FINISH_TOOL_CALLS },
};

static void own_ends(elelem_shape_context *c)
{
    elelem_str stop = own_text(c, own_STOP);
    elelem_str fail = own_text(c, own_FAIL);

    if (stop.size > 0) elelem_shape_reason(c, 0, elelem_shape_reason_of(own_reasons, 3, stop), stop, 0);
    if (fail.size > 0) elelem_shape_error(c, ELELEM_ERROR_KIND_QUOTA, fail, "own sentence");
    if (elelem_shape_document_error(c)) return;
    if (elelem_shape_is_there(elelem_shape_field(c, own_END))) elelem_shape_finish(c);
}

static elelem_status own_frame(elelem_shape_context *c)
{
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DONE) return ELELEM_ERROR_PROTOCOL;
    elelem_shape_fields_find(c, elelem_shape_document(c), own_SAY, own_END, own_SAY);
    own_say(c, ELELEM_PART_REASONING, own_THINK);
    own_say(c, elelem_shape_message_kind(c), own_SAY);
    own_call(c);
    own_arguments(c);
    own_usage(c);
    own_ends(c);
    return ELELEM_OK;
}

static const elelem_shape own_shape = { "own", own_paths, own_ROWS, own_frame, 0, 0, sizeof(own_stream), 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };

static const wire wire_own = {
    "own", &own_shape,
    "data: {\"think\":\"Let me \"}\n\ndata: {\"think\":\"s\\u00e9e\"}\n\n"
    "data: {\"say\":\"It \xf0\x9f\x8c\x9e\"}\n\ndata: {\"say\":\" is\"}\n\n"
    "data: {\"call\":{\"id\":\"call_1\",\"name\":\"f\"}}\n\ndata: {\"args\":\"{\\\"a\\\"\"}\n\ndata: {\"args\":\":[1]}\"}\n\n"
    "data: {\"stop\":\"call\",\"usage\":{\"in\":3,\"out\":4}}\n\ndata: {\"end\":1}\n\n",
    "stop", "end",
    "data: {\"x\":[{}],\"think\":\"Let me \"}\n\ndata: {\"think\":\"s\\u00e9e\",\"x\":{\"say\":\"no\"}}\n\n"
    "data: { \"say\" : \"It \\ud83c\\udf1e\" , \"x\" : null } \n\ndata: {\"say\":\" is\"}\n\n"
    "data: {\"call\":{\"name\":\"f\",\"x\":1,\"id\":\"call_1\"}}\n\ndata: {\"args\":\"{\\\"a\\\"\",\"x\":[]}\n\ndata: {\"args\":\":[1]}\"}\n\n"
    "data: {\"usage\":{\"x\":1,\"out\":4,\"in\":3},\"stop\":\"call\"}\n\ndata: {\"x\":0,\"end\":1}\n\n",
    "", "data: {\"say\":\"It\"}\n\n",
    "data: {\"call\":{\"id\":\"call_1\",\"name\":\"f\"},\"args\":\"{\\\"a\\\"\"}\n\n",
    "data: {\"stop\":\"enough\"}\n\n", "data: {\"stop\":\"length\"}\n\n", "data: {\"end\":1}\n\n",
    "event: weather\ndata: {\"type\":\"weather\",\"clouds\":[1,2,{\"x\":null}]}\n\n",
    "data: {\"error\":{\"type\":\"server_error\",\"message\":\"too many\"}}\n\n",
    "ERROR transient retryable code=server_error \"too many\"\nEND\n",
    "{\"error\":\"slow down\"}", "ERROR rate_limit retryable http=429 \"slow down\"\nEND\n",
};

static const wire *const wires[] = {
#ifndef ELELEM_NO_CHAT
    &wire_chat,
#endif
#ifndef ELELEM_NO_RESPONSES
    &wire_responses,
#endif
#ifndef ELELEM_NO_MESSAGES
    &wire_messages,
#endif
#ifndef ELELEM_NO_GEMINI
    &wire_gemini,
#endif
#ifndef ELELEM_NO_INTERACTIONS
    &wire_interactions,
#endif
    &wire_own,
};

#define WIRES (sizeof wires / sizeof *wires)

#endif
