/* The whole interface in any order: the input is a program of calls, on three turns of any shape at once, each with a collector and a
 * memory that moves, spoils and refuses; on one conversation that takes what they say; and on a recorder of a stream that reads the same
 * bytes as the first. At any point a request is written of what was collected, a refused one is mended, the record is
 * replayed, made short and read as items, and hostile lines are stored. What must hold is asserted at each call; for all: one end a
 * turn, no more memory than the descs say, none left at the end, no more steps than the bytes allow, and errors of memory only if some was refused.
 *
 * Of a turn: what ends it ends it once; a wait as long as the idle timeout does, as an error that may be retried, and no shorter one
 * after a reset; bytes and frames are never mixed. Of turns that some calls make for themselves: frames pushed as data, as bytes, and
 * to a turn that was reset give the same response; a Retry-After that is a date, in each of its three forms, is a wait up to that
 * date; a header means the same as a line and as a name with a value; the id of the last event is the one that was sent. Of a
 * record: pushed into a coalescer as items, lines and events, and after a reset, it becomes the same lines, with the same text, of
 * which the same request is written, unless it has many items; a builder that was reset makes the items that a new one does; and if an object that reads the
 * record is refused memory, it says so, or nothing changes. Of any lines: an error is in the line that the replayer names. Of a
 * refusal, whatever it says: what is found is in the request, is removed, and is not found again. Of images: those that are not whole are
 * refused. Of metadata: the last value of a key counts. */
#include "elelem_stream.h"

#include "must.h"
#include "work_law.h"

#include <time.h>

#define LARGEST 4096u
#define TURNS 3
#define TALK_BYTES 20000
#define FEW_BYTES 1500 /* of the conversation, if the input says so */
#define STEPS_PER_CALL 40000u
#define STEPS_PER_BYTE 1500u
#define OTHER_CALLS 0xc0u /* the first number of them */
#define IDLE_MS 1000u
#define NOW 784111777 /* the time in the dictionary's dates */
#define LONGEST_WAIT_MS ((int64_t)365 * 24 * 60 * 60 * 1000)
#define ROUNDS 3

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

/* What comes before and after the program's own bytes in the message of a refusal. */
static const char *const refusal_words[8][2] = {
    { "", "" },
    { "The encrypted content ", " could not be verified." },
    { "Item with id '", "' not found. Items are not persisted when `store` is set to false." },
    { "Item '", "' of type 'message' was provided without its required following item." },
    { "messages.", ": Invalid `signature` in `thinking` block" },
    { "Corrupted thought signature.", "" },
    { "", " is missing a thought_signature" },
    { "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.", "" },
};

static const char *const header_names[] = { "Retry-After", "retry-after-ms", "x-should-retry", "x-ratelimit-reset", "X-RateLimit-Reset-Requests",
                                            "x-ratelimit-reset-tokens", "RateLimit", " retry-after " };

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
    int has_more;    /* the last take left updates: the stream below may be over, though its end was not taken yet */
    int pushed;      /* since the reset: 1: bytes, 2: frames */
    elelem_failure failure; /* of the end, without its slices */
} api_turn;

static api_turn turns[TURNS];
static elelem_conversation talk;
static limits_heap talk_heap;
static size_t talk_bytes;

/* Reads what the first turn reads. */
static elelem_stream stream;
static elelem_recorder recorder;
static limits_heap recorder_heap;
static elelem_buffer record, body, twice, thrice, gone;
static const elelem_allocator plain = ELELEM_INIT;
static const elelem_str none = ELELEM_INIT;
static const elelem_str tags[] = { { "a", 1 }, { "think", 5 } };

static void arm(limits_heap *heap, unsigned how)
{
    heap->refuse = heap->calls + 1 + (int)(how & 7);
    heap->stays = how >> 7 & 1;
}

static void init_recorder(const elelem_shape *shape, unsigned more)
{
    elelem_stream_desc source = ELELEM_INIT;
    elelem_recorder_desc desc = ELELEM_INIT;

    source.shape = shape;
    source.structured = more >> 2 & 1;
    source.split_thoughts = more >> 7 & 1;
    MUST(elelem_stream_init(&stream, &source) == ELELEM_OK);
    elelem_buffer_clear(&record);
    desc.sink = elelem_buffer_sink(&record);
    desc.tool_calls = 1;
    recorder_heap.bound = limits_of_recorder(&desc);
    desc.allocator = limits_allocator(&recorder_heap);
    elelem_recorder_init(&recorder, &desc);
}

static void init_turn(api_turn *t, unsigned how, unsigned more)
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
    if (more & 1) desc.idle_timeout_ms = IDLE_MS;
    if (more & 2) desc.unix_seconds = NOW;
    desc.structured = more >> 2 & 1;
    desc.without_provider_items = more >> 3 & 1;
    desc.keep_argument_text = more >> 4 & 1;
    if (more & 32) desc.repeat_bytes = 1;
    if (more & 64) desc.keep = ELELEM_KEEP_NONE;
    if (more & 128) desc.thought_tags = tags;
    if (more & 128) desc.thought_tag_count = 2;
    t->heap.bound = limits_of_turn(&desc);
    desc.allocator = limits_allocator(&t->heap);
    t->desc = desc;
    MUST(elelem_turn_init(&t->turn, &desc) == ELELEM_OK);
    collector.max_bytes = how & 64 ? 200 : 0;
    t->collected.bound = 6 * limits_or(collector.max_bytes, (uint64_t)64 << 20) + 65536;
    collector.allocator = limits_allocator(&t->collected);
    elelem_collector_init(&t->collector, &collector);
    t->was_refused = t->was_limited = t->ended = t->has_more = t->pushed = 0;
    if (t == turns) init_recorder(desc.shape, more);
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

/* The value under a key is that of the last entry that has it. */
static void check_metadata(const elelem_metadata *metadata)
{
    const elelem_metadata_entry *entry;
    char key[64];
    size_t i;

    allow(16 * metadata->count);
    MUST(elelem_metadata_get(metadata, "\x01 is no key").size == 0);
    if (metadata->count == 0) return;
    entry = &metadata->entries[0];
    if (entry->key.size >= sizeof key || (entry->key.size > 0 && memchr(entry->key.data, 0, entry->key.size))) return;
    if (entry->key.size > 0) memcpy(key, entry->key.data, entry->key.size);
    key[entry->key.size] = 0;
    for (i = 1; i < metadata->count; i++)
        if (elelem_str_is(metadata->entries[i].key, key)) entry = &metadata->entries[i];
    MUST(elelem_str_equal(elelem_metadata_get(metadata, key), entry->json));
}

/* A fragment with a text at a path is at this path. */
static void check_fragment(const elelem_fragment *fragment)
{
    MUST(elelem_fragment_text(fragment, "a").size == 0 || elelem_path_is(fragment->path, "a"));
    MUST(!elelem_path_is(fragment->path, "") || fragment->path->count == 0);
}

static void use_update(api_turn *t, const elelem_turn_update *update)
{
    size_t before = elelem_conversation_text(&talk).size;
    elelem_value arguments;

    MUST(!t->ended);
    t->ended = update->kind == ELELEM_TURN_FINISHED || update->kind == ELELEM_TURN_ERROR;
    t->failure = update->error;
    check_metadata(&update->metadata);
    if (update->kind == ELELEM_TURN_ERROR) MUST(update->error.message.size > 0 && update->error.retry_after_ms >= -1);
    if (update->kind == ELELEM_TURN_ERROR && update->error.kind == ELELEM_ERROR_KIND_OUT_OF_MEMORY) MUST(t->was_refused);
    MUST((update->item != NULL) == (update->kind == ELELEM_TURN_ITEM || update->kind == ELELEM_TURN_TOOL_CALL_DONE));
    if (update->kind == ELELEM_TURN_TOOL_CALL_DELTA) {
        check_fragment(&update->fragment);
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
    elelem_str id;

    while (most-- > 0 && (status == ELELEM_OK || elelem_turn_unread(&t->turn) > 0)) {
        allow(0);
        status = elelem_turn_next(&t->turn, &update);
        if (status == ELELEM_OK) use_update(t, &update);
        if (status == ELELEM_END) break;
    }
    MUST(status == ELELEM_OK || status == ELELEM_MORE || status == ELELEM_END);
    MUST((status == ELELEM_END) <= t->ended);
    t->has_more = status == ELELEM_OK;
    id = elelem_turn_last_event_id(&t->turn);
    MUST(id.size == 0 || (!memchr(id.data, 0, id.size) && !memchr(id.data, '\n', id.size) && !memchr(id.data, '\r', id.size)));
    if (status != ELELEM_MORE || elelem_turn_unread(&t->turn) > 0) return;
    free(t->lent);
    t->lent = NULL;
}

/* A line has no more metadata than this; of a call less is kept, and then the recorder has failed. */
static int has_too_much(const elelem_event *event)
{
    return event->metadata.count > 256 || elelem_recorder_error(&recorder).status == ELELEM_ERROR_COUNT;
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
        MUST(status == ELELEM_OK || (status == ELELEM_ERROR_COUNT && has_too_much(&event)));
    }
}

/* What is lent is bytes or, if there is a name, a frame. The other of them is refused, once all that was lent is read, until the end. */
static elelem_status lend(api_turn *t, elelem_str name, elelem_str text, int pushed)
{
    int is_other = t->pushed > 0 && t->pushed != pushed && !t->ended && !t->has_more && !t->lent;
    elelem_status status = pushed == 1 ? elelem_turn_push(&t->turn, text.data, text.size) : elelem_turn_push_data(&t->turn, name, text);

    MUST(status == ELELEM_OK || status == ELELEM_ERROR_MISUSE);
    MUST(!is_other || status != ELELEM_OK || text.size == 0);
    if (status == ELELEM_OK && text.size > 0) t->pushed = pushed;
    return status;
}

static void push(api_turn *t, elelem_str name, elelem_str text, int pushed)
{
    char *lent = (char *)malloc(name.size + text.size + 1);
    elelem_status status;

    if (!lent) abort();
    if (text.size > 0) memcpy(lent, text.data, text.size);
    if (name.size > 0) memcpy(lent + text.size, name.data, name.size);
    text.data = lent;
    name.data = lent + text.size;
    status = lend(t, name, text, pushed);
    if (t == turns) {
        if (pushed == 1) elelem_stream_push(&stream, text.data, text.size);
        else elelem_stream_push_data(&stream, name, text);
        record_all();
    }
    if (t->lent || status != ELELEM_OK) {
        free(lent);
        return;
    }
    t->lent = lent;
    take(t, 1000000);
}

/* Records. What reads one returns its status, so that it can be refused memory. */

static elelem_allocator of_heap(limits_heap *heap)
{
    return heap ? limits_allocator(heap) : plain;
}

/* What a record's line is pushed as. */
typedef enum pushed_as {
    AS_ITEM,
    AS_LINE,
    AS_EVENT,
    AS_ITEM_AFTER_RESET,
    PUSHED_AS
} pushed_as;

static elelem_status push_as(elelem_event_coalescer *coalescer, const elelem_record_item *item, pushed_as how)
{
    if (how == AS_LINE) return elelem_event_coalescer_push_line(coalescer, item->line);
    if (how == AS_EVENT && item->kind == ELELEM_RECORD_EVENT && item->extra.size == 0)
        return elelem_event_coalescer_push(coalescer, &item->event);
    return elelem_event_coalescer_push_item(coalescer, item);
}

/* Pushes an item, again if that was refused memory, and writes what comes of it. */
static elelem_status coalesce_item(elelem_event_coalescer *coalescer, const elelem_record_item *item, pushed_as how, limits_heap *heap,
                                   elelem_recorder *writer)
{
    elelem_record_item made;
    elelem_status status = item ? push_as(coalescer, item, how) : ELELEM_OK;

    if (status == ELELEM_ERROR_MEMORY && heap && heap->refuse > 0 && elelem_event_coalescer_error(coalescer).status == ELELEM_OK) {
        heap->refuse = 0;
        status = push_as(coalescer, item, how);
    }
    if (!item) elelem_event_coalescer_finish(coalescer);
    if (status != ELELEM_OK) return status;
    while ((status = elelem_event_coalescer_next(coalescer, &made)) == ELELEM_OK)
        if (writer) MUST(elelem_recorder_push_item(writer, &made) == ELELEM_OK);
    MUST(status == ELELEM_MORE || status == ELELEM_END || elelem_event_coalescer_error(coalescer).status == status);
    return status;
}

/* A coalescer that has read something else, and is reset. */
static void use_and_reset(elelem_event_coalescer *coalescer)
{
    static const char *const lines[] = { "{\"eventType\":\"PartialResponse\",\"index\":1,\"chunk\":\"a\",\"metadata\":{\"k\":[1]}}",
                                         "{\"eventType\":\"Flush\",\"index\":1}",
                                         "{\"eventType\":\"ToolCallStart\",\"index\":2,\"id\":\"c\",\"toolName\":\"f\"}",
                                         "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"f\",\"input\":{}}" };
    elelem_record_item made;
    size_t i, count = byte() % (sizeof lines / sizeof *lines + 1);

    for (i = 0; i < count; i++) {
        MUST(elelem_event_coalescer_push_line(coalescer, elelem_str_of(lines[i])) == ELELEM_OK);
        while (i + 1 < count && elelem_event_coalescer_next(coalescer, &made) == ELELEM_OK)
            continue;
    }
    elelem_event_coalescer_reset(coalescer);
}

/* Lines to coalesced lines. */
static elelem_status coalesce(elelem_str lines, elelem_buffer *out, pushed_as how, limits_heap *heap)
{
    elelem_replayer source;
    elelem_event_coalescer_desc made = ELELEM_INIT;
    elelem_event_coalescer coalescer;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder writer;
    elelem_record_item item;
    elelem_status status = ELELEM_MORE;

    elelem_buffer_clear(out);
    desc.sink = elelem_buffer_sink(out);
    if (heap) heap->bound = limits_of_coalescer(&made);
    made.allocator = of_heap(heap);
    elelem_replayer_init(&source, NULL);
    elelem_event_coalescer_init(&coalescer, &made);
    if (how == AS_ITEM_AFTER_RESET) use_and_reset(&coalescer);
    elelem_recorder_init(&writer, &desc);
    MUST(elelem_replayer_push(&source, lines.data, lines.size) == ELELEM_OK);
    elelem_replayer_finish(&source);
    while (status == ELELEM_MORE && elelem_replayer_next(&source, &item) == ELELEM_OK)
        status = coalesce_item(&coalescer, &item, how, heap, &writer);
    MUST(elelem_replayer_error(&source).status == ELELEM_OK);
    if (status == ELELEM_MORE) status = coalesce_item(&coalescer, NULL, how, heap, &writer);
    elelem_replayer_free(&source);
    elelem_event_coalescer_free(&coalescer);
    elelem_recorder_free(&writer);
    return status;
}

/* Lines to lines, or to their text, in two pieces, so that one line is cut. After each item the next line is read. */
static elelem_status replay(elelem_str lines, elelem_buffer *out, elelem_record_format format, limits_heap *heap)
{
    elelem_replayer source;
    elelem_replayer_desc made = ELELEM_INIT;
    elelem_recorder_desc desc = ELELEM_INIT;
    elelem_recorder writer;
    elelem_record_item item;
    elelem_status status;
    size_t half = lines.size / 2;

    elelem_buffer_clear(out);
    desc.sink = elelem_buffer_sink(out);
    desc.format = (uint8_t)format;
    if (heap) heap->bound = limits_of_replayer(&made);
    made.allocator = of_heap(heap);
    elelem_replayer_init(&source, &made);
    elelem_recorder_init(&writer, &desc);
    elelem_replayer_push(&source, lines.data, half);
    do {
        while ((status = elelem_replayer_next(&source, &item)) == ELELEM_OK) {
            MUST(elelem_replayer_line_number(&source) == item.line_number + 1);
            MUST(elelem_recorder_push_item(&writer, &item) == ELELEM_OK);
        }
        if (status == ELELEM_MORE) elelem_replayer_push(&source, lines.data + half, lines.size - half);
        elelem_replayer_finish(&source);
    } while (status == ELELEM_MORE);
    MUST(elelem_replayer_error(&source).status == (status == ELELEM_END ? ELELEM_OK : status));
    elelem_replayer_free(&source);
    elelem_recorder_free(&writer);
    return status;
}

static int same(const elelem_buffer *a, const elelem_buffer *b)
{
    return elelem_str_equal(elelem_buffer_text(a), elelem_buffer_text(b));
}

/* Any bytes: an error is in the line that it says. */
static void replay_hostile(elelem_str text)
{
    elelem_replayer source;
    elelem_record_item item;
    elelem_error error;
    uint64_t line = 1, i;

    elelem_replayer_init(&source, NULL);
    elelem_replayer_push(&source, text.data, text.size);
    elelem_replayer_finish(&source);
    while (elelem_replayer_next(&source, &item) == ELELEM_OK)
        MUST(elelem_replayer_line_number(&source) == item.line_number + 1);
    error = elelem_replayer_error(&source);
    MUST(error.offset <= text.size && strcmp(error.message, elelem_status_sentence(error.status)) == 0);
    for (i = 0; i < error.offset; i++)
        line += text.data[i] == '\n';
    MUST(error.status == ELELEM_OK || elelem_replayer_line_number(&source) == line);
    elelem_replayer_free(&source);
}

static void write_item(elelem_buffer *out, const elelem_item *item)
{
    elelem_writer writer;

    elelem_writer_init(&writer, elelem_buffer_sink(out), 0);
    MUST(elelem_item_write(&writer, item) == ELELEM_OK);
    MUST(elelem_buffer_append(out, "\n", 1) == ELELEM_OK);
}

/* Items and lines, in two pieces. Those that were not checked may be refused. */
static elelem_status read_items(elelem_str lines, elelem_buffer *out, limits_heap *heap)
{
    elelem_item_reader reader;
    elelem_item_reader_desc desc = ELELEM_INIT;
    elelem_read_item item;
    elelem_status status;
    size_t half = lines.size / 2;

    elelem_buffer_clear(out);
    heap->bound = limits_of_item_reader(&desc);
    desc.allocator = limits_allocator(heap);
    elelem_item_reader_init(&reader, &desc);
    MUST(elelem_item_reader_push(&reader, lines.data, half) == ELELEM_OK || half == 0);
    do {
        while ((status = elelem_item_reader_next(&reader, &item)) == ELELEM_OK) {
            if (item.kind == ELELEM_READ_ITEM) write_item(out, &item.item);
            else MUST(elelem_buffer_append(out, item.line.data, item.line.size) == ELELEM_OK);
        }
        if (status == ELELEM_MORE) elelem_item_reader_push(&reader, lines.data + half, lines.size - half);
        elelem_item_reader_finish(&reader);
    } while (status == ELELEM_MORE);
    MUST(elelem_item_reader_error(&reader).status == (status == ELELEM_END ? ELELEM_OK : status));
    MUST(elelem_item_reader_error(&reader).offset <= lines.size);
    elelem_item_reader_free(&reader);
    MUST(heap->live == 0 && limits_held(heap));
    return status;
}

/* The events of a record become items. Returns the first error. */
static elelem_status build(elelem_event_builder *builder, elelem_str lines, elelem_buffer *out)
{
    elelem_replayer source;
    elelem_record_item item;
    elelem_built built;
    elelem_status status = ELELEM_MORE;

    elelem_buffer_clear(out);
    elelem_replayer_init(&source, NULL);
    elelem_replayer_push(&source, lines.data, lines.size);
    elelem_replayer_finish(&source);
    while (status >= 0 && elelem_replayer_next(&source, &item) == ELELEM_OK) {
        if (item.kind != ELELEM_RECORD_EVENT) continue;
        status = elelem_event_builder_push(builder, &item.event);
        while (status >= 0 && (status = elelem_event_builder_next(builder, &built)) == ELELEM_OK)
            if (built.kind == ELELEM_BUILT_ITEM) write_item(out, &built.item);
    }
    elelem_replayer_free(&source);
    return status < 0 ? status : ELELEM_OK;
}

/* A builder that was refused memory anywhere, and was reset, makes the items that a new one does. */
static void check_builder(elelem_str lines, unsigned how)
{
    elelem_event_builder_desc desc = ELELEM_INIT;
    elelem_event_builder builder;
    limits_heap heap = ELELEM_INIT;
    elelem_status status, other;

    elelem_event_builder_init(&builder, NULL);
    status = build(&builder, lines, &twice);
    MUST(elelem_event_builder_error(&builder).status == status || status == ELELEM_ERROR_MISUSE);
    elelem_event_builder_free(&builder);
    heap.bound = limits_of_builder(&desc);
    desc.allocator = limits_allocator(&heap);
    arm(&heap, how);
    elelem_event_builder_init(&builder, &desc);
    other = build(&builder, elelem_str_from(lines.data, lines.size / 2), &thrice);
    MUST(other == ELELEM_OK || other == status || (other == ELELEM_ERROR_MEMORY && heap.calls >= heap.refuse));
    heap.refuse = 0;
    elelem_event_builder_reset(&builder);
    MUST(elelem_event_builder_error(&builder).status == ELELEM_OK);
    MUST(build(&builder, lines, &thrice) == status && same(&twice, &thrice));
    elelem_event_builder_free(&builder);
    MUST(heap.live == 0 && heap.blocks == 0 && limits_held(&heap));
}

/* The entry of a record. */
static elelem_status build_entry(elelem_str lines, elelem_buffer *out, limits_heap *heap)
{
    elelem_history_builder_desc desc = ELELEM_INIT;
    elelem_history_builder builder;
    elelem_history_entry entry;
    elelem_replayer source;
    elelem_record_item item;
    elelem_status status = ELELEM_OK;

    elelem_buffer_clear(out);
    heap->bound = limits_of_history_builder(&desc);
    desc.allocator = limits_allocator(heap);
    elelem_history_builder_init(&builder, &desc);
    elelem_replayer_init(&source, NULL);
    elelem_replayer_push(&source, lines.data, lines.size);
    elelem_replayer_finish(&source);
    while (status == ELELEM_OK && elelem_replayer_next(&source, &item) == ELELEM_OK)
        status = elelem_history_builder_push_item(&builder, &item);
    elelem_history_builder_finish(&builder);
    if (status == ELELEM_OK) status = elelem_history_builder_entry(&builder, &entry);
    if (status == ELELEM_OK) MUST(elelem_history_entry_write(&entry, elelem_buffer_sink(out)) == ELELEM_OK);
    elelem_replayer_free(&source);
    elelem_history_builder_free(&builder);
    return status == ELELEM_OK ? ELELEM_END : status;
}

static elelem_status read_entry(elelem_str text, elelem_buffer *out, limits_heap *heap)
{
    elelem_history_reader_desc desc = ELELEM_INIT;
    elelem_history_reader reader;
    elelem_history_entry entry;
    elelem_status status;
    size_t half = text.size / 2;

    elelem_buffer_clear(out);
    heap->bound = limits_of_history_reader(&desc);
    desc.allocator = limits_allocator(heap);
    elelem_history_reader_init(&reader, &desc);
    elelem_history_reader_push(&reader, text.data, half);
    status = elelem_history_reader_next(&reader, &entry);
    if (status == ELELEM_MORE) elelem_history_reader_push(&reader, text.data + half, text.size - half);
    elelem_history_reader_finish(&reader);
    if (status == ELELEM_MORE) status = elelem_history_reader_next(&reader, &entry);
    if (status == ELELEM_OK) MUST(elelem_history_entry_write(&entry, elelem_buffer_sink(out)) == ELELEM_OK);
    MUST(elelem_history_reader_error(&reader).status == status);
    elelem_history_reader_free(&reader);
    return status == ELELEM_OK ? ELELEM_END : status;
}

/* What an object that may be refused memory made is what another one did, or the start of it, if it said so. */
static void check_short(elelem_status status, const limits_heap *heap, const elelem_buffer *part, const elelem_buffer *whole)
{
    elelem_str all = elelem_buffer_text(whole);

    MUST(heap->live == 0 && heap->blocks == 0 && limits_held(heap));
    MUST(status == ELELEM_END || (status == ELELEM_ERROR_MEMORY && heap->refuse > 0 && heap->calls >= heap->refuse));
    if (status != ELELEM_END && elelem_buffer_text(part).size < all.size) all.size = elelem_buffer_text(part).size;
    MUST(elelem_str_equal(elelem_buffer_text(part), all));
}

static void check_short_of_memory(elelem_str lines, unsigned what, unsigned how)
{
    limits_heap heap = ELELEM_INIT, ample = ELELEM_INIT;
    elelem_status status;

    heap.refuse = 1 + (int)(how & 63);
    heap.stays = how >> 7 & 1;
    switch (what % 5) {
    case 0:
        MUST(replay(lines, &twice, ELELEM_RECORD_LINES, NULL) == ELELEM_END);
        status = replay(lines, &thrice, ELELEM_RECORD_LINES, &heap);
        break;
    case 1:
        MUST(coalesce(lines, &twice, AS_ITEM, NULL) == ELELEM_END);
        status = coalesce(lines, &thrice, (pushed_as)(what / 5 % AS_ITEM_AFTER_RESET), &heap);
        break;
    case 2:
        MUST(read_items(lines, &twice, &ample) == ELELEM_END);
        status = read_items(lines, &thrice, &heap);
        break;
    case 3:
        if (build_entry(lines, &twice, &ample) != ELELEM_END) return;
        status = build_entry(lines, &thrice, &heap);
        break;
    default:
        if (build_entry(lines, &thrice, &ample) != ELELEM_END) return;
        MUST(elelem_buffer_append(&thrice, "\n", 1) == ELELEM_OK);
        MUST(read_entry(elelem_buffer_text(&thrice), &twice, &ample) == ELELEM_END);
        elelem_buffer_clear(&gone);
        status = read_entry(elelem_buffer_text(&thrice), &gone, &heap);
        check_short(status, &heap, &gone, &twice);
        return;
    }
    check_short(status, &heap, &thrice, &twice);
}

static int check_request(const elelem_shape *shape, elelem_str history, int are_good);

/* Nonzero if no index is over 7: a request keeps 8 items open, and a coalesced record does not have all Flushes that close one. */
static int has_few_items(elelem_str lines)
{
    static const char key[] = "\"index\":";
    size_t size = sizeof key - 1, i;

    for (i = 0; i + size + 1 < lines.size; i++) {
        if (memcmp(lines.data + i, key, size) != 0) continue;
        if (lines.data[i + size] > '7' || (lines.data[i + size + 1] >= '0' && lines.data[i + size + 1] <= '9')) return 0;
    }
    return 1;
}

static void check_record(unsigned how)
{
    elelem_str lines = elelem_buffer_text(&record);
    limits_heap heap = ELELEM_INIT;

    allow(16 * lines.size);
    if (lines.size == 0) return;
    MUST(replay(lines, &twice, ELELEM_RECORD_LINES, NULL) == ELELEM_END && same(&record, &twice));
    MUST(coalesce(lines, &twice, AS_ITEM, NULL) == ELELEM_END);
    MUST(coalesce(elelem_buffer_text(&twice), &thrice, AS_ITEM, NULL) == ELELEM_END && same(&twice, &thrice));
    MUST(read_items(lines, &thrice, &heap) == ELELEM_END);
    MUST(read_items(elelem_buffer_text(&twice), &thrice, &heap) == ELELEM_END);
    MUST(replay(lines, &thrice, ELELEM_RECORD_TEXT, NULL) == ELELEM_END);
    MUST(replay(elelem_buffer_text(&twice), &gone, ELELEM_RECORD_TEXT, NULL) == ELELEM_END && same(&thrice, &gone));
    check_request(shapes[how % SHAPES], elelem_buffer_text(&twice), 1);
    elelem_buffer_clear(&gone);
    MUST(elelem_buffer_append(&gone, elelem_buffer_text(&body).data, elelem_buffer_text(&body).size) == ELELEM_OK);
    check_request(shapes[how % SHAPES], lines, 1);
    MUST(!has_few_items(lines) || same(&body, &gone));
}

/* The other ways to use a record. */
static void check_record_again(unsigned how)
{
    elelem_str lines = elelem_buffer_text(&record);

    allow(16 * lines.size);
    if (lines.size == 0) return;
    if (how & 1) {
        check_short_of_memory(lines, how >> 1 & 31, byte());
    } else if (how & 2) {
        check_builder(lines, how >> 2);
    } else {
        MUST(coalesce(lines, &twice, AS_ITEM, NULL) == ELELEM_END);
        MUST(coalesce(lines, &thrice, (pushed_as)(how / 4 % PUSHED_AS), NULL) == ELELEM_END && same(&twice, &thrice));
    }
}

/* Requests. */

/* Returns zero if the history is refused; then nothing is written. */
static int check_request(const elelem_shape *shape, elelem_str history, int are_good)
{
    elelem_request request = ELELEM_INIT;
    elelem_error error;
    elelem_json_desc deep = ELELEM_INIT;
    elelem_json json;

    allow(4 * history.size);
    elelem_buffer_clear(&body);
    request.shape = shape;
    request.model = elelem_str_of("m");
    request.instructions = elelem_str_of("Be kind.");
    request.history = history;
    deep.max_depth = 1024; /* arguments may be 512 deep, and the body around them is deeper */
    error = elelem_request_write(&request, elelem_buffer_sink(&body));
    if (error.status != ELELEM_OK) {
        MUST(elelem_buffer_text(&body).size == 0 && error.offset <= history.size && error.message[0]);
        MUST(!are_good || error.status == ELELEM_ERROR_COUNT || error.status == ELELEM_ERROR_MISUSE);
        return 0;
    }
    MUST(elelem_value_type(elelem_json_read(&json, elelem_buffer_text(&body), &deep)) == ELELEM_TYPE_OBJECT);
    elelem_json_free(&json);
    return 1;
}

/* What is found is a string of the request, and was not removed before. */
static void check_patch(const elelem_patch *patch, elelem_str request)
{
    elelem_str value = patch->match_value, before = elelem_buffer_text(&gone), key = patch->match_key;
    size_t i;

    MUST(value.data >= request.data && value.size <= request.size && (size_t)(value.data - request.data) <= request.size - value.size);
    MUST(value.size > 2 && value.data[0] == '"' && value.data[value.size - 1] == '"');
    MUST(key.size > 0 && elelem_str_equal(key, patch->remove_key));
    for (i = 0; i + key.size + value.size + 1 <= before.size; i++)
        MUST(memcmp(before.data + i, key.data, key.size) != 0 || memcmp(before.data + i + key.size, value.data, value.size) != 0 ||
             before.data[i + key.size + value.size] != '\n');
}

static void keep_gone(const elelem_patch *patch)
{
    MUST(elelem_buffer_append(&gone, patch->match_key.data, patch->match_key.size) == ELELEM_OK);
    MUST(elelem_buffer_append(&gone, patch->match_value.data, patch->match_value.size) == ELELEM_OK);
    MUST(elelem_buffer_append(&gone, "\n", 1) == ELELEM_OK);
}

/* A request is refused for its signatures: what is found is removed, and then not found again. */
static void recover(const elelem_shape *shape, const elelem_failure *error)
{
    elelem_patch patches[8];
    size_t count, before, removed = 1, i, rounds;

    elelem_buffer_clear(&gone);
    for (rounds = 0; removed > 0 && rounds < ROUNDS; rounds++) {
        check_request(shape, elelem_conversation_text(&talk), 1);
        before = elelem_conversation_text(&talk).size;
        allow(16 * (before + elelem_buffer_text(&body).size));
        count = elelem_recovery_find(shape, error, elelem_buffer_text(&body), patches, 8);
        MUST(count <= 8);
        for (i = 0; i < count; i++)
            check_patch(&patches[i], elelem_buffer_text(&body));
        removed = elelem_conversation_patch(&talk, patches, count);
        MUST((removed > 0) == (count > 0));
        MUST(removed > 0 ? elelem_conversation_text(&talk).size < before : elelem_conversation_text(&talk).size == before);
        MUST(elelem_conversation_patch(&talk, patches, count) == 0);
        for (i = 0; removed > 0 && i < count; i++)
            keep_gone(&patches[i]);
    }
    check_request(shape, elelem_conversation_text(&talk), 1);
}

/* A refusal of known words. */
static void recover_known(unsigned how)
{
    elelem_failure error = ELELEM_INIT;

    error.kind = ELELEM_ERROR_KIND_RECOVERABLE;
    error.message = elelem_str_of(refusals[(how >> 3) % (sizeof refusals / sizeof *refusals)]);
    recover(shapes[how % SHAPES], &error);
}

/* A refusal with bytes of the program, as its message or as its code. */
static void recover_any(unsigned how, unsigned size)
{
    elelem_failure error = ELELEM_INIT;
    elelem_str own = bytes(size & 63), before = elelem_str_of(refusal_words[how & 7][0]), after = elelem_str_of(refusal_words[how & 7][1]);
    elelem_str text;
    char *exact;

    text.size = before.size + own.size + after.size;
    exact = (char *)malloc(text.size + 1);
    if (!exact) abort();
    memcpy(exact, before.data, before.size);
    if (own.size > 0) memcpy(exact + before.size, own.data, own.size);
    memcpy(exact + before.size + own.size, after.data, after.size);
    exact = (char *)realloc(exact, text.size + (text.size == 0));
    text.data = exact;
    allow(16 * text.size);
    error.kind = ELELEM_ERROR_KIND_RECOVERABLE;
    if (size & 64) error.code = text;
    else error.message = text;
    recover(shapes[(how >> 3) % SHAPES], &error);
    free(exact);
}

/* Images: those with neither data with a type nor a URL are refused. */
static void say_with_images(unsigned how)
{
    static const char *const types[] = { "image/png", "image/jpeg", "", "audio/wav" };
    elelem_talk_image images[3];
    size_t count = how & 3, i, before;
    int is_good;
    elelem_str text = bytes(how >> 2 & 15);
    elelem_status status;

    memset(images, 0, sizeof images);
    is_good = text.size > 0 || count > 0;
    for (i = 0; i < count; i++) {
        unsigned of = byte();
        images[i].media_type = of & 4 ? bytes(of >> 4) : elelem_str_of(types[of & 3]);
        if (of & 8) images[i].data = of & 16 ? bytes(of >> 4) : elelem_str_of("iVBORw0K");
        if (of & 32) images[i].url = of & 64 ? bytes(of >> 4) : elelem_str_of("https://e.org/a.png");
        is_good &= images[i].url.size > 0 || (images[i].data.size > 0 && images[i].media_type.size > 0);
    }
    before = elelem_conversation_text(&talk).size;
    status = changed(elelem_conversation_images(&talk, text, images, count), before);
    MUST((status == ELELEM_ERROR_MISUSE) == !is_good);
    check_request(shapes[(how >> 5) % SHAPES], elelem_conversation_text(&talk), 1);
}

static void use_talk(unsigned how)
{
    elelem_str before = elelem_conversation_text(&talk), text;

    allow(4 * before.size);
    switch (how & 7) {
    case 0: changed(elelem_conversation_user(&talk, bytes(how >> 3)), before.size); break;
    case 1: MUST(elelem_conversation_cut(&talk, before.size / 2) <= before.size); break;
    case 2: MUST(elelem_conversation_take_back(&talk) <= before.size); break;
    case 3: recover_known(how >> 3 | (byte() & 7) << 5); break;
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
    t->ended = t->has_more = t->pushed = 0;
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
    MUST(t->ended);
    if (t != turns) return;
    elelem_stream_finish(&stream);
    record_all();
}

/* A piece of a body of the turn's shape, or of any. */
static elelem_str piece_of(const api_turn *t, unsigned how)
{
    unsigned i = 0;

    if (how & 8) i = (how >> 4) % SHAPES;
    else while (shapes[i] != t->desc.shape) i++;
    return elelem_str_of(bodies[i][how % PIECES]);
}

static void call_first(api_turn *t, unsigned op)
{
    limits_heap heap = ELELEM_INIT;
    elelem_str text;
    unsigned how;

    switch (op) {
    case 0:
        text = bytes(byte());
        allow(text.size);
        push(t, none, text, 1);
        break;
    case 1: case 2: case 3:
        how = byte();
        text = piece_of(t, how);
        if (op == 3) text.size = text.size * byte() / 256;
        allow(text.size);
        push(t, none, text, 1);
        break;
    case 4: take(t, byte() & 15); break;
    case 5: finish(t); break;
    case 6:
        how = byte() & 15;
        if (how == ELELEM_ERROR_KIND_OUT_OF_MEMORY) t->was_refused = 1; /* the caller says so */
        elelem_turn_fail_with(&t->turn, (elelem_error_kind)how, bytes(byte() & 15));
        take(t, 1000000);
        MUST(t->ended);
        break;
    case 7: elelem_turn_tick(&t->turn, byte() << 8); break;
    case 8:
        elelem_turn_http_status(&t->turn, (int)byte() * 3);
        elelem_turn_http_header_line(&t->turn, bytes(byte() & 63));
        break;
    case 9: reset(t); break;
    case 10:
        free_turn(t);
        init_turn(t, byte(), 0);
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
            allow(text.size * 8);
            replay_hostile(text);
            read_items(text, &twice, &heap);
            check_request(shapes[how % SHAPES], text, 0);
        }
        break;
    }
}

/* Turns that a call makes for itself. */

static api_turn own;

static void begin_own(const elelem_shape *shape)
{
    memset(&own, 0, sizeof own);
    own.desc.shape = shape;
    MUST(elelem_turn_init(&own.turn, &own.desc) == ELELEM_OK);
    elelem_collector_init(&own.collector, NULL);
}

static void end_own(void)
{
    elelem_turn_free(&own.turn);
    elelem_collector_free(&own.collector);
}

/* Takes all updates. */
static void take_own(void)
{
    elelem_turn_update update;
    elelem_status status;

    while ((status = elelem_turn_next(&own.turn, &update)) == ELELEM_OK) {
        allow(update.text.size);
        MUST(!own.ended);
        own.ended = update.kind == ELELEM_TURN_FINISHED || update.kind == ELELEM_TURN_ERROR;
        own.failure = update.error;
        MUST(elelem_collector_push(&own.collector, &update) == ELELEM_OK);
    }
    MUST(status == (own.ended ? ELELEM_END : ELELEM_MORE));
}

/* Writes what the own turn said; not offsets, which depend on what was pushed. */
static void write_response(elelem_buffer *out)
{
    elelem_response response;
    elelem_writer writer;

    elelem_buffer_clear(out);
    MUST(elelem_collector_response(&own.collector, &response) == ELELEM_OK);
    elelem_writer_init(&writer, elelem_buffer_sink(out), 0);
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_string(&writer, response.text);
    elelem_writer_string(&writer, response.reasoning);
    elelem_writer_string(&writer, response.raw_reason);
    elelem_writer_string(&writer, elelem_str_of(elelem_finish_reason_name(response.reason)));
    elelem_writer_string(&writer, elelem_str_of(response.is_error ? elelem_error_kind_name(response.error.kind) : ""));
    elelem_writer_string(&writer, response.error.code);
    elelem_writer_string(&writer, response.error.message);
    elelem_writer_value(&writer, response.tool_calls);
    elelem_writer_value(&writer, response.items);
    elelem_writer_value(&writer, response.metadata);
    MUST(elelem_writer_end(&writer, ELELEM_TYPE_ARRAY) == ELELEM_OK);
}

/* What is pushed into an own turn: pieces, of which each is one or two frames. */
#define MOST_PIECES 7

typedef struct frames {
    const char *pieces[MOST_PIECES];
    size_t count;
} frames;

static void push_bytes(const frames *f, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        elelem_str text = elelem_str_of(f->pieces[i]);
        MUST(elelem_turn_push(&own.turn, text.data, text.size) == ELELEM_OK);
        take_own();
    }
}

static void push_frames(const frames *f)
{
    size_t i;

    for (i = 0; i < f->count; i++) {
        const char *text = f->pieces[i], *stop;
        for (; (stop = strstr(text, "\n\n")) != NULL; text = stop + 2) {
            MUST(elelem_turn_push_data(&own.turn, none, elelem_str_from(text + 6, (size_t)(stop - text) - 6)) == ELELEM_OK);
            take_own();
        }
    }
}

static void finish_own(elelem_buffer *out)
{
    elelem_turn_finish(&own.turn);
    take_own();
    MUST(own.ended);
    write_response(out);
}

/* The same frames as bytes, as data, and in a turn that is used again. */
static void check_frames(unsigned how)
{
    const elelem_shape *shape = shapes[(how >> 3) % SHAPES];
    frames f;
    size_t i;

    memset(&f, 0, sizeof f);
    f.count = how & 7;
    for (i = 0; i < f.count; i++) {
        f.pieces[i] = bodies[(how >> 3) % SHAPES][byte() % PIECES];
        allow(8 * strlen(f.pieces[i]));
    }
    begin_own(shape);
    push_bytes(&f, f.count);
    finish_own(&twice);
    end_own();
    begin_own(shape);
    push_frames(&f);
    finish_own(&thrice);
    MUST(same(&twice, &thrice));
    elelem_turn_reset(&own.turn);
    elelem_collector_reset(&own.collector);
    own.ended = 0;
    push_bytes(&f, f.count / 2);
    if (how & 128) finish_own(&thrice);
    elelem_turn_reset(&own.turn);
    elelem_collector_reset(&own.collector);
    own.ended = 0;
    push_bytes(&f, f.count);
    finish_own(&thrice);
    MUST(same(&twice, &thrice));
    end_own();
}

/* Writes a time in the form of a date in HTTP. */
static void write_date(char *out, size_t room, int64_t seconds, unsigned form)
{
    static const char *const days[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
    static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    time_t moment = (time_t)seconds;
    const struct tm *t = gmtime(&moment);
    const char *day, *month;

    if (!t) abort();
    day = days[t->tm_wday];
    month = months[t->tm_mon];
    if (form == 0)
        snprintf(out, room, "%.3s, %02d %s %04d %02d:%02d:%02d GMT", day, t->tm_mday, month, t->tm_year + 1900, t->tm_hour, t->tm_min, t->tm_sec);
    else if (form == 1)
        snprintf(out, room, "%s, %02d-%s-%02d %02d:%02d:%02d GMT", day, t->tm_mday, month, t->tm_year % 100, t->tm_hour, t->tm_min, t->tm_sec);
    else
        snprintf(out, room, "%.3s %s %2d %02d:%02d:%02d %04d", day, month, t->tm_mday, t->tm_hour, t->tm_min, t->tm_sec, t->tm_year + 1900);
}

/* An own turn whose response is a refusal with one header. Returns what it said. */
static elelem_failure refuse(int64_t now, const char *name, elelem_str value, int is_line)
{
    static const char body_of_error[] = "{\"error\":{\"message\":\"m\",\"type\":\"t\"}}";
    char line[160];

    begin_own(shapes[0]);
    elelem_turn_set_unix_time(&own.turn, now);
    if (is_line) {
        snprintf(line, sizeof line, "%s: ", name);
        MUST(strlen(line) + value.size < sizeof line - 2);
        if (value.size > 0) memcpy(line + strlen(name) + 2, value.data, value.size);
        memcpy(line + strlen(name) + 2 + value.size, "\r\n", 2);
        elelem_turn_http_header_line(&own.turn, elelem_str_of("HTTP/1.1 429 Too Many Requests\r\n"));
        elelem_turn_http_header_line(&own.turn, elelem_str_from(line, strlen(name) + 2 + value.size + 2));
    } else {
        elelem_turn_http_status(&own.turn, 429);
        elelem_turn_http_header(&own.turn, elelem_str_of(name), value);
    }
    MUST(elelem_turn_push(&own.turn, body_of_error, sizeof body_of_error - 1) == ELELEM_OK);
    elelem_turn_finish(&own.turn);
    take_own();
    MUST(own.ended && own.failure.kind == ELELEM_ERROR_KIND_RATE_LIMIT && own.failure.http_status == 429);
    end_own();
    return own.failure;
}

static int64_t four_bytes(void)
{
    int64_t number = byte();

    number = number << 8 | byte();
    number = number << 8 | byte();
    return number << 8 | byte();
}

/* The wait up to a date. Years of two digits are at most 50 years from now. */
static void check_date(unsigned how)
{
    int64_t now = 1 + four_bytes(), date = four_bytes() - ((int64_t)1 << 31), wait;
    char text[64];

    if (how % 3 == 1) date %= (int64_t)49 * 365 * 24 * 60 * 60;
    if (how & 8) date %= 100000;
    date += now;
    if (date < 0) date = 0;
    write_date(text, sizeof text, date, how % 3);
    wait = date > now ? (date - now) * 1000 : 0;
    if (wait > LONGEST_WAIT_MS) wait = LONGEST_WAIT_MS;
    MUST(refuse(now, "Retry-After", elelem_str_of(text), how >> 4 & 1).retry_after_ms == wait);
    MUST(refuse(0, "Retry-After", elelem_str_of(text), how >> 4 & 1).retry_after_ms == -1);
}

/* Headers with any value. */
static void check_header(unsigned how)
{
    int64_t now = how & 8 ? NOW : 0;
    elelem_str value = bytes(byte() & 63);
    elelem_failure of_name, of_line;

    allow(value.size);
    of_name = refuse(now, header_names[how & 7] + (header_names[how & 7][0] == ' '), value, 0);
    of_line = refuse(now, header_names[how & 7] + (header_names[how & 7][0] == ' '), value, 1);
    MUST(of_name.retry_after_ms == of_line.retry_after_ms && of_name.retryable == of_line.retryable);
    MUST(of_name.retry_after_ms >= -1);
}

/* The id of the last event that was whole. */
static void check_last_id(unsigned how)
{
    elelem_str id = bytes(byte() & 63), seen;
    const char *piece = bodies[(how >> 3) % SHAPES][how % PIECES];
    size_t i;

    for (i = 0; i < id.size; i++)
        if (id.data[i] < ' ' || id.data[i] > '~') return;
    elelem_buffer_clear(&twice);
    MUST(elelem_buffer_append(&twice, "id: ", 4) == ELELEM_OK && elelem_buffer_append(&twice, id.data, id.size) == ELELEM_OK);
    MUST(elelem_buffer_append(&twice, "\n", 1) == ELELEM_OK && elelem_buffer_append(&twice, piece, strlen(piece)) == ELELEM_OK);
    MUST(elelem_buffer_append(&twice, "id: z\n", 6) == ELELEM_OK);
    allow(elelem_buffer_text(&twice).size);
    begin_own(shapes[(how >> 3) % SHAPES]);
    MUST(elelem_turn_last_event_id(&own.turn).size == 0);
    seen = elelem_buffer_text(&twice);
    MUST(elelem_turn_push(&own.turn, seen.data, seen.size) == ELELEM_OK);
    take_own();
    MUST(elelem_str_equal(elelem_turn_last_event_id(&own.turn), id));
    elelem_turn_finish(&own.turn);
    take_own();
    MUST(own.ended && elelem_str_equal(elelem_turn_last_event_id(&own.turn), id));
    elelem_turn_reset(&own.turn);
    MUST(elelem_turn_last_event_id(&own.turn).size == 0);
    end_own();
}

/* Waiting as long as the idle timeout ends a turn that waits for bytes; after a reset, a millisecond less does not. */
static void wait_idle(api_turn *t, unsigned how)
{
    uint32_t now = (uint32_t)byte() << 24 | (uint32_t)byte() << 4;
    int was_ended;

    if (how & 1) reset(t);
    take(t, 1000000);
    was_ended = t->ended;
    elelem_turn_tick(&t->turn, now);
    take(t, 1000000);
    if (how & 1) {
        elelem_turn_tick(&t->turn, now + IDLE_MS - 1);
        take(t, 1000000);
        MUST(!t->ended);
    }
    elelem_turn_tick(&t->turn, now + IDLE_MS);
    take(t, 1000000);
    MUST(t->ended == (was_ended || t->desc.idle_timeout_ms > 0));
    if ((how & 1) && t->ended)
        MUST(t->failure.kind == ELELEM_ERROR_KIND_TIMEOUT && t->failure.retryable && t->failure.status == ELELEM_OK);
}

/* The caller ends the turn; after a reset nothing else can be the reason. */
static void fail(api_turn *t, unsigned how)
{
    unsigned kind = how & 15;

    if (how & 16) reset(t);
    if (kind == ELELEM_ERROR_KIND_OUT_OF_MEMORY) t->was_refused = 1; /* the caller says so */
    elelem_turn_fail(&t->turn, (elelem_error_kind)kind);
    take(t, 1000000);
    MUST(t->ended);
    if (!(how & 16)) return;
    MUST(t->failure.kind == (kind < ELELEM_ERROR_KIND_COUNT ? kind : ELELEM_ERROR_KIND_OTHER));
    MUST(t->failure.retryable == elelem_error_kind_is_retryable(kind));
}

/* The frame of a piece, or part of it, or bytes of the program. */
static void push_frame(api_turn *t, unsigned how)
{
    static const char *const names[] = { "", "error", "message_stop", "ping" };
    elelem_str text = none, name = elelem_str_of(names[how >> 4 & 3]);
    const char *stop;

    if (how & 128) {
        text = bytes(byte() & 127);
    } else {
        text = piece_of(t, how & 15);
        stop = strstr(text.data, "\n\n");
        text = elelem_str_from(text.data + 6, (size_t)(stop - text.data) - 6);
    }
    if (how & 64) text.size = text.size * byte() / 256;
    allow(text.size + name.size);
    push(t, name, text, 2);
}

static void set_time(api_turn *t, unsigned how)
{
    static const int64_t times[] = { 0, 1, -1, NOW, 1700000000, INT64_MAX, INT64_MAX / 1000, INT64_MIN };

    elelem_turn_set_unix_time(&t->turn, times[how & 7]);
}

static void call_other(api_turn *t, unsigned op)
{
    unsigned how = byte();

    switch (op) {
    case 0: push_frame(t, how); break;
    case 1: fail(t, how); break;
    case 2: elelem_turn_http_header(&t->turn, elelem_str_of(header_names[how & 7]), bytes(how >> 3 | (how & 4) << 3)); break;
    case 3: set_time(t, how); break;
    case 4: wait_idle(t, how); break;
    case 5:
        free_turn(t);
        init_turn(t, how, byte());
        break;
    case 6: say_with_images(how); break;
    case 7: recover_any(how, byte()); break;
    case 8: check_frames(how); break;
    case 9: check_date(how); break;
    case 10: check_header(how); break;
    case 11: check_last_id(how); break;
    case 12: elelem_turn_tick(&t->turn, how << 24); break;
    default: check_record_again(how); break;
    }
}

static void call(void)
{
    unsigned op = byte();
    api_turn *t = &turns[(op >> 4) % TURNS];

    allow(0);
    if (op < OTHER_CALLS) call_first(t, op & 15);
    else call_other(t, op & 15);
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
    elelem_buffer_init(&gone, plain, 0);
    for (i = 0; i < TURNS; i++)
        init_turn(&turns[i], byte(), 0);
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
    elelem_buffer_free(&gone);
    MUST(counted_steps - before <= allowed);
    return 0;
}
