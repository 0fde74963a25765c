/* Streams of our own that the benches read: how one begins, frames with a word of text each (@ is the word, # a number), and
 * how it ends. Included after elelem_stream.h.
 */
#ifndef ELELEM_BENCH_FRAMES_H
#define ELELEM_BENCH_FRAMES_H

typedef struct stream_text {
    const char *name;
    const elelem_shape *shape;
    const char *start;
    const char *frame;
    const char *end;
} stream_text;

#define CHAT_HEAD "data: {\"id\":\"cmpl-5f1c30d8a7\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,\"model\":\"some-model-4\"," \
                  "\"service_tier\":\"default\",\"system_fingerprint\":\"fp_0a1b2c3d\",\"choices\":[{\"index\":0,"
#define CHAT_TAIL "\"usage\":null,\"obfuscation\":\"x8Kd03mQ\"}\n\n"

static const stream_text streams[] = {
    { "chat", &elelem_shape_chat,
      CHAT_HEAD "\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}]," CHAT_TAIL,
      CHAT_HEAD "\"delta\":{\"content\":\" @\"},\"logprobs\":null,\"finish_reason\":null}]," CHAT_TAIL,
      CHAT_HEAD "\"delta\":{},\"logprobs\":null,\"finish_reason\":\"stop\"}]," CHAT_TAIL "data: [DONE]\n\n" },
    { "responses", &elelem_shape_responses,
      "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_1\","
      "\"object\":\"response\",\"status\":\"in_progress\",\"model\":\"some-model-4\",\"output\":[]}}\n\n"
      "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,"
      "\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",\"content\":[],\"role\":\"assistant\"}}\n\n"
      "event: response.content_part.added\ndata: {\"type\":\"response.content_part.added\",\"sequence_number\":2,\"item_id\":\"msg_1\","
      "\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"\"}}\n\n",
      "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":#,\"item_id\":\"msg_1\","
      "\"output_index\":0,\"content_index\":0,\"delta\":\" @\",\"logprobs\":[],\"obfuscation\":\"x8Kd03mQ\"}\n\n",
      "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":99999,\"response\":{\"id\":\"resp_1\","
      "\"object\":\"response\",\"status\":\"completed\",\"model\":\"some-model-4\",\"output\":[],\"usage\":{\"input_tokens\":12,"
      "\"output_tokens\":34,\"total_tokens\":46}}}\n\n" },
    { "messages", &elelem_shape_messages,
      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\","
      "\"model\":\"some-model-4\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":12,"
      "\"output_tokens\":1}}}\n\n"
      "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
      "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" @ and "
      "@, then some more of it, "
      "as these deltas have several words\"}      }\n\n",
      "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
      "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},"
      "\"usage\":{\"output_tokens\":34}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n" },
    { "gemini", &elelem_shape_gemini, "",
      "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \" @ and @, then a sentence or two, since its frames are few and "
      "long.\\n\\nThey have line ends too.\"}],\"role\": \"model\"},\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 12,"
      "\"candidatesTokenCount\": #,\"totalTokenCount\": 99,\"promptTokensDetails\": [{\"modality\": \"TEXT\",\"tokenCount\": 12}]},"
      "\"modelVersion\": \"some-model-2.5\",\"responseId\": \"h0xWasPXJ\"}\r\n\r\n",
      "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \".\"}],\"role\": \"model\"},\"finishReason\": \"STOP\",\"index\": 0}],"
      "\"usageMetadata\": {\"promptTokenCount\": 12,\"candidatesTokenCount\": 34,\"totalTokenCount\": 46}}\r\n\r\n" },
    { "interactions", &elelem_shape_interactions,
      "event: interaction.created\ndata: {\"interaction\":{\"id\":\"v1_1\",\"status\":\"in_progress\",\"object\":\"interaction\","
      "\"model\":\"some-model-3\"},\"event_type\":\"interaction.created\"}\n\n"
      "event: step.start\ndata: {\"index\":0,\"step\":{\"type\":\"thought\"},\"event_type\":\"step.start\"}\n\n"
      "event: step.delta\ndata: {\"index\":0,\"delta\":{\"signature\":\"c2lnbmF0dXJl\",\"type\":\"thought_signature\"},"
      "\"event_type\":\"step.delta\"}\n\n"
      "event: step.stop\ndata: {\"index\":0,\"event_type\":\"step.stop\"}\n\n"
      "event: step.start\ndata: {\"index\":1,\"step\":{\"type\":\"model_output\"},\"event_type\":\"step.start\"}\n\n",
      "event: step.delta\ndata: {\"index\":1,\"delta\":{\"text\":\" @ and @, then some more of it, as these deltas have several words\","
      "\"type\":\"text\"},\"event_type\":\"step.delta\"}\n\n",
      "event: step.stop\ndata: {\"index\":1,\"event_type\":\"step.stop\"}\n\n"
      "event: interaction.completed\ndata: {\"interaction\":{\"id\":\"v1_1\",\"status\":\"completed\",\"usage\":{\"total_tokens\":46,"
      "\"total_input_tokens\":12,\"total_output_tokens\":34},\"object\":\"interaction\",\"model\":\"some-model-3\"},"
      "\"event_type\":\"interaction.completed\"}\n\nevent: done\ndata: [DONE]\n\n" },
};

static const char *const stream_words[] = { "the", "fox", "of", "mountains", "a", "\\\"quoted\\\"", "caf\xc3\xa9", "internationally" };

#endif
