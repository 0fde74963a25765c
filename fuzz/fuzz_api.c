/* The whole interface in any order: the input is a program of calls, on three turns of any shape at once, each with a collector and a
 * memory that moves, spoils and refuses; on one conversation that takes what they say; and on a recorder of a stream that reads the same
 * bytes as the first. At any point a request is written of what was collected, a refused one is mended, the record is
 * replayed, made short and read as items, and hostile lines are stored. What must hold is asserted at each call; for all: one end a
 * turn, no more memory than the descs say, none left at the end, no more steps than the bytes allow, and errors of memory only if some was refused. */
#include "elelem_stream.h"

#include "must.h"
#include "work_law.h"

#define LARGEST 4096u
#define TURNS 3
#define TALK_BYTES 20000
#define FEW_BYTES 1500 /* of the conversation, if the input says so */
#define STEPS_PER_CALL 40000u
#define STEPS_PER_BYTE 1500u

static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                              &elelem_shape_gemini, &elelem_shape_interactions };
#define SHAPES 5

/* What programs are made of in addition to bytes of their own: pieces of bodies, by shape. */
#define PIECES 8
static const char *const bodies[SHAPES][PIECES] = {
    { "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi <think>x</think>\"}}]}\n\n",
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"a\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"a\","
      "\"signature\":\"s\",\"index\":0}]}}]}\n\n",
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\"}}]}}]}\n\n",
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"[1]}\"}}]}}]}\n\n",
      "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\n",
      "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1}}\n\n",
      "data: [DONE]\n\n", "data: {\"error\":{\"message\":\"no\",\"code\":429}}\n\n" },
    { "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"id\":\"fc\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"\"}}\n\n",
      "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"delta\":\"{\\\"a\\\":1}\"}\n\n",
      "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"id\":\"fc\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}\n\n",
      "data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"message\",\"id\":\"m\"}}\n\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"content_index\":0,\"delta\":\"Hi\"}\n\n",
      "data: {\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"type\":\"reasoning\",\"id\":\"r\",\"encrypted_content\":\"gAAA\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"s\"}]}}\n\n",
      "data: {\"type\":\"response.output_item.done\",\"output_index\":3,\"item\":{\"type\":\"web_search_call\",\"id\":\"w\",\"action\":{\"query\":\"q\"}}}\n\n",
      "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"usage\":{\"input_tokens\":1}}}\n\n",
      "data: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"wait\"}\n\n" },
    { "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":1}}}\n\n",
      "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm\"}}\n\n",
      "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"sig\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
      "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}\n\n",
      "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":2}}\n\n",
      "data: {\"type\":\"message_stop\"}\n\n", "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n" },
    { "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]}}]}\n\n",
      "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hm\",\"thought\":true,\"thoughtSignature\":\"s\"}]}}]}\n\n",
      "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{\"a\":[1]}},\"thoughtSignature\":\"s\"}]}}]}\n\n",
      "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"g\",\"willContinue\":true,\"partialArgs\":[{\"jsonPath\":\"$.a\",\"stringValue\":\"x\"}]}}]}}]}\n\n",
      "data: {\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AAAA\"}}]}}]}\n\n",
      "data: {\"candidates\":[{\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":1}}\n\n",
      "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n", "data: {\"error\":{\"code\":503,\"status\":\"UNAVAILABLE\"}}\n\n" },
    { "data: {\"event_type\":\"interaction.created\",\"interaction\":{\"id\":\"i\"}}\n\n",
      "data: {\"event_type\":\"step.start\",\"index\":0,\"step\":{\"type\":\"thought\"}}\n\ndata: {\"event_type\":\"step.delta\",\"index\":0,\"delta\":{\"type\":\"thought_signature\",\"signature\":\"s\"}}\n\n",
      "data: {\"event_type\":\"step.stop\",\"index\":0}\n\n",
      "data: {\"event_type\":\"step.start\",\"index\":1,\"step\":{\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\"}}\n\ndata: {\"event_type\":\"step.delta\",\"index\":1,\"delta\":{\"type\":\"arguments_delta\",\"arguments\":\"{\\\"a\\\":1}\"}}\n\n",
      "data: {\"event_type\":\"step.stop\",\"index\":1}\n\n",
      "data: {\"event_type\":\"step.start\",\"index\":2,\"step\":{\"type\":\"model_output\"}}\n\ndata: {\"event_type\":\"step.delta\",\"index\":2,\"delta\":{\"type\":\"text\",\"text\":\"Hi\"}}\n\n",
      "data: {\"event_type\":\"interaction.completed\",\"interaction\":{\"status\":\"completed\",\"usage\":{\"total_tokens\":1}}}\n\n",
      "data: {\"event_type\":\"error\",\"error\":{\"code\":\"internal\",\"message\":\"m\"}}\n\n" },
};

static const char *const refusals[] = { "Invalid signature in thinking block", "messages.1.content.0: Invalid `signature` in `thinking` block",
                                        "The encrypted content gAAA could not be verified.", "Thought signature is not valid", "no" };

/* The program. */

static const uint8_t *at, *end;

static unsigned byte(void)
{
    return at < end ? *at++ : 0u;
}

/* So many bytes of the program, fewer at its end. */
static elelem_str bytes(size_t size)
{
    elelem_str text;

    text.data = (const char *)at;
    text.size = size < (size_t)(end - at) ? size : (size_t)(end - at);
    at += text.size;
    return text;
}

/* What the steps may be. */
static uint64_t allowed;

static void allow(size_t size)
{
    allowed += STEPS_PER_CALL + (uint64_t)STEPS_PER_BYTE * size;
}

static int is_memory(elelem_status status)
{
    return status == ELELEM_ERROR_MEMORY || status == ELELEM_ERROR_VALUE_SIZE;
}

/* The objects. */

typedef struct api_turn {
    elelem_turn turn;
    elelem_turn_desc desc;
    elelem_collector collector;
    limits_heap heap, collected;
    char *lent;
    int was_refused; /* some memory may have been refused since the turn began */
    int was_limited; /* and the same of the collector */
    int ended;
} api_turn;

static api_turn turns[TURNS];
static elelem_conversation talk;
static limits_heap talk_heap;
static size_t talk_bytes;

/* Reads what the first turn reads. */
static elelem_stream stream;
static elelem_recorder recorder;
static limits_heap recorder_heap;
static elelem_buffer record, body, twice, thrice;
static const elelem_allocator plain = ELELEM_INIT;

static void arm(limits_heap *heap, unsigned how)
{
    heap->refuse = heap->calls + 1 + (int)(how & 7);
    heap->stays = how >> 7 & 1;
}

static void init_recorder(const elelem_shape *shape)
{
    elelem_stream_desc source = ELELEM_INIT;
    elelem_recorder_desc desc = ELELEM_INIT;

    source.shape = shape;
    MUST(elelem_stream_init(&stream, &source) == ELELEM_OK);
    elelem_buffer_clear(&record);
    desc.sink = elelem_buffer_sink(&record);
    desc.tool_calls = 1;
    recorder_heap.bound = limits_of_recorder(&desc);
    desc.allocator = limits_allocator(&recorder_heap);
    elelem_recorder_init(&recorder, &desc);
}

static void init_turn(api_turn *t, unsigned how)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_collector_desc collector = ELELEM_INIT;

    memset(&t->heap, 0, sizeof t->heap);
    memset(&t->collected, 0, sizeof t->collected);
    desc.shape = shapes[(how & 7) % SHAPES];
    desc.split_thoughts = how >> 3 & 1;
    if (how & 16) desc.max_frame_bytes = desc.max_kept_bytes = 900;
    if (how & 32) desc.max_open_items = desc.max_choices = 2;
    if (how & 64) desc.max_item_bytes = 300;
    if (how & 128) desc.max_next_bytes = 20;
    t->heap.bound = limits_of_turn(&desc);
    desc.allocator = limits_allocator(&t->heap);
    t->desc = desc;
    MUST(elelem_turn_init(&t->turn, &desc) == ELELEM_OK);
    collector.max_bytes = how & 64 ? 200 : 0;
    t->collected.bound = 6 * limits_or(collector.max_bytes, (uint64_t)64 << 20) + 65536;
    collector.allocator = limits_allocator(&t->collected);
    elelem_collector_init(&t->collector, &collector);
    t->was_refused = t->was_limited = t->ended = 0;
    if (t == turns) init_recorder(desc.shape);
}

static void free_turn(api_turn *t)
{
    elelem_turn_free(&t->turn);
    elelem_collector_free(&t->collector);
    free(t->lent);
    t->lent = NULL;
    MUST(t->heap.live == 0 && t->heap.blocks == 0 && t->collected.live == 0);
    MUST(limits_held(&t->heap) && limits_held(&t->collected));
    if (t != turns) return;
    elelem_stream_free(&stream);
    elelem_recorder_free(&recorder);
    MUST(recorder_heap.live == 0 && limits_held(&recorder_heap));
}

/* A change of the conversation: an error leaves it as it was. */
static elelem_status changed(elelem_status status, size_t before)
{
    MUST(status == ELELEM_OK || is_memory(status) || status == ELELEM_ERROR_MISUSE);
    if (status != ELELEM_OK) MUST(elelem_conversation_text(&talk).size == before);
    MUST(elelem_conversation_text(&talk).size <= talk_bytes);
    return status;
}

static void collect(api_turn *t, const elelem_turn_update *update)
{
    elelem_response response;
    elelem_status status = elelem_collector_push(&t->collector, update);

    MUST(status == ELELEM_OK || is_memory(status));
    MUST(status != ELELEM_ERROR_MEMORY || t->was_limited);
    MUST(elelem_collector_error(&t->collector).status == status);
    status = elelem_collector_response(&t->collector, &response);
    MUST((status == ELELEM_MORE) == (!t->ended && elelem_collector_error(&t->collector).status == ELELEM_OK));
    if (status != ELELEM_OK) return;
    MUST(response.is_error == (update->kind == ELELEM_TURN_ERROR));
    MUST(elelem_value_type(response.items) == ELELEM_TYPE_ARRAY && elelem_value_type(response.metadata) == ELELEM_TYPE_OBJECT);
    MUST(elelem_value_count(response.tool_calls) <= elelem_value_count(response.items));
}

static void use_update(api_turn *t, const elelem_turn_update *update)
{
    size_t before = elelem_conversation_text(&talk).size;
    elelem_value arguments;

    MUST(!t->ended);
    t->ended = update->kind == ELELEM_TURN_FINISHED || update->kind == ELELEM_TURN_ERROR;
    if (update->kind == ELELEM_TURN_ERROR && update->error.kind == ELELEM_ERROR_KIND_OUT_OF_MEMORY) MUST(t->was_refused);
    MUST((update->item != NULL) == (update->kind == ELELEM_TURN_ITEM || update->kind == ELELEM_TURN_TOOL_CALL_DONE));
    if (update->kind == ELELEM_TURN_TOOL_CALL_DELTA) {
        arguments = elelem_turn_arguments(&t->turn, update->tool_call.index);
        MUST(!elelem_value_type(arguments) || !elelem_value_is_complete(arguments) || elelem_value_type(arguments) < ELELEM_TYPE_ARRAY);
    }
    allow(before + (update->item ? update->item->text.size : 0));
    collect(t, update);
    if (changed(elelem_conversation_add(&talk, update), before) != ELELEM_OK) return;
    if (update->kind != ELELEM_TURN_TOOL_CALL_DONE || update->choice > 0) return;
    before = elelem_conversation_text(&talk).size;
    changed(elelem_conversation_result(&talk, &update->tool_call, elelem_str_of("done"), 0), before);
}

/* Takes updates: all of them, or some. */
static void take(api_turn *t, unsigned most)
{
    elelem_turn_update update;
    elelem_status status = ELELEM_OK;

    while (most-- > 0 && (status == ELELEM_OK || elelem_turn_unread(&t->turn) > 0)) {
        allow(0);
        status = elelem_turn_next(&t->turn, &update);
        if (status == ELELEM_OK) use_update(t, &update);
        if (status == ELELEM_END) break;
    }
    MUST(status == ELELEM_OK || status == ELELEM_MORE || status == ELELEM_END);
    MUST((status == ELELEM_END) <= t->ended);
    if (status != ELELEM_MORE || elelem_turn_unread(&t->turn) > 0) return;
    free(t->lent);
    t->lent = NULL;
}

/* An event that was refused memory is pushed again. */
static void record_all(void)
{
    elelem_event event;
    elelem_status status;

    while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
        allow(event.part.text.size);
        status = elelem_recorder_push(&recorder, &event);
        if (status == ELELEM_ERROR_MEMORY && recorder_heap.refuse > 0) {
            recorder_heap.refuse = 0;
            status = elelem_recorder_push(&recorder, &event);
        }
        MUST(status == ELELEM_OK);
    }
}

static void push(api_turn *t, elelem_str text)
{
    char *lent = (char *)malloc(text.size + 1);
    elelem_status status;

    if (!lent) abort();
    if (text.size > 0) memcpy(lent, text.data, text.size);
    status = elelem_turn_push(&t->turn, lent, text.size);
    if (t == turns) {
        elelem_stream_push(&stream, lent, text.size);
        record_all();
    }
    if (t->lent || status != ELELEM_OK) {
        free(lent);
        return;
    }
    t->lent = lent;
    take(t, 1000000);
}

/* Records. */

/* Lines to coalesced lines. */
static void coalesce(elelem_str lines, elelem_buffer *out)
{
    elelem_replayer source;
    elelem_event_coalescer coalescer;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder writer;
    elelem_record_item item, made;
    elelem_status status;

    elelem_buffer_clear(out);
    desc.sink = elelem_buffer_sink(out);
    elelem_replayer_init(&source, NULL);
    elelem_event_coalescer_init(&coalescer, NULL);
    elelem_recorder_init(&writer, &desc);
    MUST(elelem_replayer_push(&source, lines.data, lines.size) == ELELEM_OK);
    elelem_replayer_finish(&source);
    do {
        status = elelem_replayer_next(&source, &item);
        if (status == ELELEM_OK) MUST(elelem_event_coalescer_push_item(&coalescer, &item) == ELELEM_OK);
        else elelem_event_coalescer_finish(&coalescer);
        while (elelem_event_coalescer_next(&coalescer, &made) == ELELEM_OK)
            MUST(elelem_recorder_push_item(&writer, &made) == ELELEM_OK);
    } while (status == ELELEM_OK);
    MUST(status == ELELEM_END && elelem_event_coalescer_error(&coalescer).status == ELELEM_OK);
    elelem_replayer_free(&source);
    elelem_event_coalescer_free(&coalescer);
    elelem_recorder_free(&writer);
}

static void replay(elelem_str lines, elelem_buffer *out)
{
    elelem_replayer source;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder writer;
    elelem_record_item item;

    elelem_buffer_clear(out);
    desc.sink = elelem_buffer_sink(out);
    elelem_replayer_init(&source, NULL);
    elelem_recorder_init(&writer, &desc);
    elelem_replayer_push(&source, lines.data, lines.size);
    elelem_replayer_finish(&source);
    while (elelem_replayer_next(&source, &item) == ELELEM_OK)
        MUST(elelem_recorder_push_item(&writer, &item) == ELELEM_OK);
    MUST(elelem_replayer_error(&source).status == ELELEM_OK);
    elelem_replayer_free(&source);
    elelem_recorder_free(&writer);
}

static int same(const elelem_buffer *a, const elelem_buffer *b)
{
    return elelem_str_equal(elelem_buffer_text(a), elelem_buffer_text(b));
}

/* Items of lines; those that were not checked may be refused. */
static void read_items(elelem_str lines, int are_good)
{
    elelem_item_reader reader;
    elelem_item_reader_desc desc = ELELEM_INIT;
    elelem_read_item item;
    limits_heap heap = ELELEM_INIT;
    elelem_status status;

    heap.bound = limits_of_item_reader(&desc);
    desc.allocator = limits_allocator(&heap);
    elelem_item_reader_init(&reader, &desc);
    MUST(elelem_item_reader_push(&reader, lines.data, lines.size) == ELELEM_OK || lines.size == 0);
    elelem_item_reader_finish(&reader);
    while ((status = elelem_item_reader_next(&reader, &item)) == ELELEM_OK)
        continue;
    MUST(status == ELELEM_END || (!are_good && elelem_item_reader_error(&reader).status == status));
    MUST(elelem_item_reader_error(&reader).offset <= lines.size);
    elelem_item_reader_free(&reader);
    MUST(heap.live == 0 && limits_held(&heap));
}

static void check_request(const elelem_shape *shape, elelem_str history, int are_good);

static void check_record(unsigned how)
{
    elelem_str lines = elelem_buffer_text(&record);

    allow(8 * lines.size);
    if (lines.size == 0) return;
    replay(lines, &twice);
    MUST(same(&record, &twice));
    coalesce(lines, &twice);
    coalesce(elelem_buffer_text(&twice), &thrice);
    MUST(same(&twice, &thrice));
    read_items(lines, 1);
    read_items(elelem_buffer_text(&twice), 1);
    check_request(shapes[how % SHAPES], lines, 1);
}

/* Requests. */

static void check_request(const elelem_shape *shape, elelem_str history, int are_good)
{
    elelem_request request = ELELEM_INIT;
    elelem_error error;
    elelem_json json;

    allow(4 * history.size);
    elelem_buffer_clear(&body);
    request.shape = shape;
    request.model = elelem_str_of("m");
    request.instructions = elelem_str_of("Be kind.");
    request.history = history;
    error = elelem_request_write(&request, elelem_buffer_sink(&body));
    if (error.status != ELELEM_OK) {
        MUST(elelem_buffer_text(&body).size == 0 && error.offset <= history.size && error.message[0]);
        MUST(!are_good || error.status == ELELEM_ERROR_COUNT || error.status == ELELEM_ERROR_MISUSE);
        return;
    }
    MUST(elelem_value_type(elelem_json_read(&json, elelem_buffer_text(&body), NULL)) == ELELEM_TYPE_OBJECT);
    elelem_json_free(&json);
}

/* A request is refused for its signatures: what is found is removed, and then not found again. */
static void recover(unsigned how)
{
    elelem_patch patches[8];
    elelem_failure error = ELELEM_INIT;
    const elelem_shape *shape = shapes[how % SHAPES];
    size_t count, before;

    check_request(shape, elelem_conversation_text(&talk), 1);
    error.kind = ELELEM_ERROR_KIND_RECOVERABLE;
    error.message = elelem_str_of(refusals[(how >> 3) % (sizeof refusals / sizeof *refusals)]);
    count = elelem_recovery_find(shape, &error, elelem_buffer_text(&body), patches, 8);
    MUST(count <= 8);
    before = elelem_conversation_text(&talk).size;
    allow(16 * (before + elelem_buffer_text(&body).size));
    if (elelem_conversation_patch(&talk, patches, count) > 0) MUST(elelem_conversation_text(&talk).size < before);
    else MUST(elelem_conversation_text(&talk).size == before);
    MUST(elelem_conversation_patch(&talk, patches, count) == 0);
    check_request(shape, elelem_conversation_text(&talk), 1);
}

static void use_talk(unsigned how)
{
    elelem_str before = elelem_conversation_text(&talk), text;

    allow(4 * before.size);
    switch (how & 7) {
    case 0: changed(elelem_conversation_user(&talk, bytes(how >> 3)), before.size); break;
    case 1: MUST(elelem_conversation_cut(&talk, before.size / 2) <= before.size); break;
    case 2: MUST(elelem_conversation_take_back(&talk) <= before.size); break;
    case 3: recover(how >> 3 | (byte() & 7) << 5); break;
    case 4: elelem_conversation_clear(&talk); break;
    case 5: arm(&talk_heap, byte()); break;
    case 6: talk_heap.refuse = 0; break;
    default:
        text = bytes(byte());
        allow(text.size * 4);
        if (elelem_conversation_set_text(&talk, text).status != ELELEM_OK) {
            MUST(elelem_conversation_text(&talk).size == before.size);
            break;
        }
        MUST(elelem_conversation_text(&talk).size - text.size <= 1); /* a line feed at the end */
        before = elelem_conversation_text(&talk);
        before.size = text.size;
        MUST(elelem_str_equal(before, text));
        break;
    }
}

static void reset(api_turn *t)
{
    elelem_turn_reset(&t->turn);
    elelem_collector_reset(&t->collector);
    free(t->lent);
    t->lent = NULL;
    t->ended = 0;
    t->was_refused = t->heap.refuse > 0;
    t->was_limited = t->collected.refuse > 0;
    if (t == turns) {
        elelem_stream_reset(&stream);
        elelem_recorder_reset(&recorder);
        elelem_buffer_clear(&record);
    }
}

static void finish(api_turn *t)
{
    elelem_turn_finish(&t->turn);
    take(t, 1000000);
    if (t != turns) return;
    elelem_stream_finish(&stream);
    record_all();
}

static void call(void)
{
    unsigned op = byte(), how;
    api_turn *t = &turns[(op >> 4) % TURNS];
    elelem_str text;

    allow(0);
    switch (op & 15) {
    case 0:
        text = bytes(byte());
        allow(text.size);
        push(t, text);
        break;
    case 1: case 2: case 3:
        how = byte();
        text = elelem_str_of(bodies[how & 8 ? (how >> 4) % SHAPES : (unsigned)(t->desc.shape == shapes[0] ? 0 : t->desc.shape == shapes[1] ? 1 :
                             t->desc.shape == shapes[2] ? 2 : t->desc.shape == shapes[3] ? 3 : 4)][how % PIECES]);
        if ((op & 15) == 3) text.size = text.size * byte() / 256;
        allow(text.size);
        push(t, text);
        break;
    case 4: take(t, byte() & 15); break;
    case 5: finish(t); break;
    case 6:
        how = byte() & 15;
        if (how == ELELEM_ERROR_KIND_OUT_OF_MEMORY) t->was_refused = 1; /* the caller says so */
        elelem_turn_fail_with(&t->turn, (elelem_error_kind)how, bytes(byte() & 15));
        take(t, 1000000);
        break;
    case 7: elelem_turn_tick(&t->turn, byte() << 8); break;
    case 8:
        elelem_turn_http_status(&t->turn, (int)byte() * 3);
        elelem_turn_http_header_line(&t->turn, bytes(byte() & 31));
        break;
    case 9: reset(t); break;
    case 10:
        free_turn(t);
        init_turn(t, byte());
        break;
    case 11:
        how = byte();
        arm(how & 64 ? &t->collected : &t->heap, how);
        if (how & 64) t->was_limited = 1;
        else t->was_refused = 1;
        break;
    case 12:
        t->heap.refuse = t->collected.refuse = 0;
        if (t == turns) arm(&recorder_heap, byte());
        break;
    case 13: check_request(shapes[byte() % SHAPES], elelem_conversation_text(&talk), 1); break;
    case 14: use_talk(byte()); break;
    default:
        how = byte();
        if (how & 1) check_record(how >> 1);
        else {
            text = bytes(how >> 1);
            allow(text.size * 4);
            read_items(text, 0);
            check_request(shapes[how % SHAPES], text, 0);
        }
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t before = counted_steps;
    size_t i;

    if (size < TURNS || size > LARGEST) return 0;
    at = data;
    end = data + size;
    allowed = 0;
    memset(&talk_heap, 0, sizeof talk_heap);
    memset(&recorder_heap, 0, sizeof recorder_heap);
    talk_bytes = data[TURNS - 1] & 128 ? FEW_BYTES : TALK_BYTES;
    talk_heap.bound = talk_bytes;
    elelem_conversation_init(&talk, limits_allocator(&talk_heap), talk_bytes);
    elelem_buffer_init(&record, plain, 0);
    elelem_buffer_init(&body, plain, 0);
    elelem_buffer_init(&twice, plain, 0);
    elelem_buffer_init(&thrice, plain, 0);
    for (i = 0; i < TURNS; i++)
        init_turn(&turns[i], byte());
    while (at < end)
        call();
    for (i = 0; i < TURNS; i++) {
        turns[i].heap.refuse = 0;
        finish(&turns[i]);
        MUST(turns[i].ended);
        free_turn(&turns[i]);
    }
    elelem_conversation_free(&talk);
    MUST(talk_heap.live == 0 && limits_held(&talk_heap));
    elelem_buffer_free(&record);
    elelem_buffer_free(&body);
    elelem_buffer_free(&twice);
    elelem_buffer_free(&thrice);
    MUST(counted_steps - before <= allowed);
    return 0;
}
