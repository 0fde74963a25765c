/* Nothing of a Responses response is lost: over all recordings the items, with their metadata, put together again are equal to
 * the output of the last frame as JSON, and what that says of the response is in METADATA or at the end. What is not compared:
 *
 *     null, an empty list or object, a part      says nothing
 *     without text
 *     status "completed", role "assistant"       say what an item without them says
 *     id, encrypted_content, fingerprint         are others in the last frame of some providers: those of
 *                                                output_item.done count, which were sent to be kept
 *     pictures that are not finished             each is replaced by the next, and the last by the item
 *     what the request said                      the response repeats it
 *     the whole of a text of which the deltas    one recording was made shorter by hand: what was streamed counts
 *     are no beginning
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "lossless.h"

static int is_word(elelem_str key, const char *const *words)
{
    while (*words && !elelem_str_is(key, *words))
        words++;
    return *words != NULL;
}

static int is_nothing(elelem_value value)
{
    if (elelem_value_type(value) == ELELEM_TYPE_ARRAY || elelem_value_type(value) == ELELEM_TYPE_OBJECT)
        return elelem_value_count(value) == 0;
    return !lossless_has_value(value);
}

static int says_nothing(elelem_value member)
{
    elelem_str key = elelem_value_key(member);

    if (elelem_str_is(key, "status")) return lossless_is(member, "completed");
    if (elelem_str_is(key, "role")) return lossless_is(member, "assistant");
    return is_nothing(member);
}

/* The wire. */

#define OUTPUT_ITEMS 200

static elelem_value done[OUTPUT_ITEMS]; /* the items of output_item.done, by their number, or in turn */
static size_t done_count;
static elelem_value last; /* the response of the last frame */
static elelem_value last_frame;

static elelem_value sequence; /* the number of the last frame that has one */

static elelem_buffer streamed[OUTPUT_ITEMS]; /* the deltas of the texts of messages */

static void read_delta(elelem_value frame)
{
    elelem_str text = elelem_value_text(elelem_value_get(frame, "delta"));
    uint64_t place;

    if (!lossless_is(elelem_value_get(frame, "type"), "response.output_text.delta")) return;
    if (elelem_value_to_uint64(elelem_value_get(frame, "output_index"), &place) != ELELEM_OK || place >= OUTPUT_ITEMS) return;
    CHECK_INT(elelem_buffer_append(&streamed[place], text.data, text.size), ELELEM_OK);
}

static void read_frame(elelem_value frame)
{
    elelem_value type = elelem_value_get(frame, "type");
    elelem_value number = elelem_value_get(frame, "sequence_number");
    uint64_t place = done_count;

    if (lossless_is_there(number)) sequence = number;
    if (lossless_is(type, "response.completed") || lossless_is(type, "response.incomplete"))
        last = elelem_value_get(frame, "response"), last_frame = frame;
    if (lossless_is(type, "response.image_generation_call.partial_image")) lossless_except(frame);
    if (!lossless_is(type, "response.output_item.done")) return;
    if (elelem_value_to_uint64(elelem_value_get(frame, "output_index"), &place) != ELELEM_OK) place = done_count;
    if (CHECK(place < OUTPUT_ITEMS)) done[place] = elelem_value_get(frame, "item");
    done_count++;
}

static int begins_with(elelem_str text, elelem_str beginning)
{
    return text.size >= beginning.size && memcmp(text.data, beginning.data, beginning.size) == 0;
}

/* A part of a message or of reasoning. */
static void put_wire_part(elelem_writer *writer, elelem_value part, elelem_str said)
{
    elelem_value member;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(part); lossless_is_there(member); member = elelem_value_next(member)) {
        if (is_nothing(member)) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        if (elelem_str_is(elelem_value_key(member), "text") && said.size > 0 && !begins_with(elelem_value_text(member), said)) {
            elelem_writer_string(writer, said);
            lossless_except(member);
        } else {
            elelem_writer_value(writer, member);
        }
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* The parts of an item, of which the first one's text was streamed so. */
static void put_wire_parts(elelem_writer *writer, elelem_value list, elelem_str said)
{
    elelem_value part = elelem_value_first(list);

    if (lossless_is(elelem_value_get(part, "text"), "")) return;
    elelem_writer_key(writer, elelem_value_key(list));
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; lossless_is_there(part); part = elelem_value_next(part)) {
        put_wire_part(writer, part, said);
        said.size = 0;
    }
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

/* The member as it was when the item was done, if it may be another in the last frame. */
static elelem_value lasting(elelem_value member, elelem_value when_done)
{
    static const char *const others[] = { "id", "encrypted_content", "fingerprint", NULL };
    elelem_value earlier = elelem_value_member(when_done, elelem_value_key(member));

    return is_word(elelem_value_key(member), others) && lossless_has_value(earlier) ? earlier : member;
}

static lossless_json *wire_item(elelem_value item, size_t number, int is_kept)
{
    lossless_json *json = lossless_json_new();
    elelem_writer writer = lossless_writer(json);
    elelem_value member;
    static const char *const lists[] = { "content", "summary", NULL };

    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(item); lossless_is_there(member); member = elelem_value_next(member)) {
        if (!is_kept && says_nothing(member)) continue;
        if (!is_kept && is_word(elelem_value_key(member), lists)) {
            put_wire_parts(&writer, member, elelem_buffer_text(&streamed[number]));
            continue;
        }
        elelem_writer_key(&writer, elelem_value_key(member));
        elelem_writer_value(&writer, lasting(member, done[number]));
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    lossless_read(json);
    return json;
}

/* Our items as those of the wire. */

static void put_string(elelem_writer *writer, const char *key, elelem_str text)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string(writer, text);
}

static void put_value(elelem_writer *writer, const char *key, elelem_value value)
{
    if (!lossless_is_there(value)) return;
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_value(writer, value);
}

static elelem_value about(const lossless_item *item, const char *key)
{
    return elelem_value_get(item->metadata->value, key);
}

/* The metadata that are members of the wire's item. */
static void put_metadata(elelem_writer *writer, const lossless_item *item)
{
    static const char *const ours[] = { "item_id", "content_index", "annotations", "logprobs", "refusal",
                                        "raw",     "raw_offset",    "part_offsets", "parallel", NULL };
    elelem_value member;

    put_value(writer, "id", about(item, "item_id"));
    for (member = elelem_value_first(item->metadata->value); lossless_is_there(member); member = elelem_value_next(member)) {
        if (is_word(elelem_value_key(member), ours)) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
}

/* Nonzero if the item is another part of the message before it. */
static int is_more(const lossless_item *item)
{
    return lossless_is_there(about(item, "content_index"));
}

static void put_message_part(elelem_writer *writer, const lossless_item *item)
{
    int is_refusal = lossless_is_there(about(item, "refusal"));

    if (item->kind == ELELEM_PART_PROVIDER_ITEM) {
        elelem_writer_value(writer, item->value->value);
        return;
    }
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    put_string(writer, "type", elelem_str_of(is_refusal ? "refusal" : "output_text"));
    put_string(writer, is_refusal ? "refusal" : "text", lossless_str(item->text));
    put_value(writer, "annotations", about(item, "annotations"));
    put_value(writer, "logprobs", about(item, "logprobs"));
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

static void put_message(elelem_writer *writer, const lossless_response *given, size_t at, size_t end)
{
    put_string(writer, "type", elelem_str_of("message"));
    put_metadata(writer, given->items[at]);
    if (end == at + 1 && given->items[at]->text.size == 0) return;
    elelem_writer_key(writer, elelem_str_of("content"));
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; at < end; at++)
        put_message_part(writer, given->items[at]);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

/* The text of reasoning from one border to the next, of which the blank line after a part of a summary is none. */
static void put_reasoning_part(elelem_writer *writer, const char *type, elelem_str text)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    put_string(writer, "type", elelem_str_of(type));
    put_string(writer, "text", text);
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

static void put_reasoning(elelem_writer *writer, const lossless_item *item)
{
    int is_raw = lossless_is_there(about(item, "raw"));
    elelem_value border = elelem_value_first(about(item, "part_offsets"));
    size_t gap = is_raw ? 0 : 2;
    uint64_t begin = 0, next = 0;

    put_string(writer, "type", elelem_str_of("reasoning"));
    put_metadata(writer, item);
    if (item->text.size == 0) return;
    elelem_writer_key(writer, elelem_str_of(is_raw ? "content" : "summary"));
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; lossless_is_there(border); border = elelem_value_next(border), begin = next) {
        elelem_str text = lossless_str(item->text);
        CHECK_INT(elelem_value_to_uint64(border, &next), ELELEM_OK);
        if (!CHECK(next >= begin + gap && next <= text.size)) break;
        text.data += begin;
        text.size = (size_t)(next - begin) - gap;
        put_reasoning_part(writer, is_raw ? "reasoning_text" : "summary_text", text);
    }
    put_reasoning_part(writer, is_raw ? "reasoning_text" : "summary_text",
                       elelem_str_of(item->text.data + begin));
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

static void put_members(elelem_writer *writer, elelem_value object)
{
    elelem_value member;

    for (member = elelem_value_first(object); lossless_is_there(member); member = elelem_value_next(member)) {
        if (is_nothing(member)) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
}

/* Of calls whose item holds their arguments as text, that text; else its members. */
static void put_arguments(elelem_writer *writer, const lossless_item *item)
{
    static const char *const as_text[] = { "", "mcp_approval_request", NULL };
    elelem_str type = lossless_str(item->type);

    if (is_word(type, as_text)) put_string(writer, "arguments", lossless_str(item->text));
    else if (!CHECK(item->value != NULL)) return;
    else if (elelem_str_is(type, "custom_tool_call")) put_value(writer, "input", item->value->value);
    else if (elelem_str_is(type, "tool_search_call")) put_value(writer, "arguments", item->value->value);
    else put_members(writer, item->value->value);
}

static void put_call(elelem_writer *writer, const lossless_item *item)
{
    static const char *const named[] = { "", "mcp_approval_request", "custom_tool_call", NULL };
    elelem_str type = lossless_str(item->type);

    put_string(writer, "type", type.size > 0 ? type : elelem_str_of("function_call"));
    if (!elelem_str_is(type, "mcp_approval_request")) put_string(writer, "call_id", lossless_str(item->id));
    if (is_word(type, named)) put_string(writer, "name", lossless_str(item->name));
    put_metadata(writer, item);
    put_arguments(writer, item);
}

/* The output item that begins at `*at`, which is moved to the next. */
static lossless_json *our_item(const lossless_response *given, size_t *at)
{
    const lossless_item *item = given->items[*at];
    size_t end = *at + 1;
    lossless_json *json;
    elelem_writer writer;

    if (item->kind == ELELEM_PART_PROVIDER_ITEM) {
        CHECK_U64(elelem_value_count(item->metadata->value), 0);
        *at = end;
        return lossless_json_of(lossless_str(item->text));
    }
    json = lossless_json_new();
    writer = lossless_writer(json);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        put_call(&writer, item);
    } else if (item->kind == ELELEM_PART_REASONING) {
        put_reasoning(&writer, item);
    } else {
        while (end < given->item_count && is_more(given->items[end]))
            end++;
        put_message(&writer, given, *at, end);
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    lossless_read(json);
    *at = end;
    return json;
}

static void compare_items(const lossless_response *given)
{
    elelem_value none = ELELEM_INIT, item = elelem_value_first(elelem_value_get(last, "output"));
    size_t at = 0, i = 0;

    for (; lossless_is_there(item); item = elelem_value_next(item), i++) {
        int is_kept = at < given->item_count && given->items[at]->kind == ELELEM_PART_PROVIDER_ITEM;
        lossless_json *wire = wire_item(item, i, is_kept);
        lossless_json *ours = at < given->item_count ? our_item(given, &at) : NULL;
        lossless_equal("item", i, wire->value, ours ? ours->value : none);
        lossless_json_free(wire);
        lossless_json_free(ours);
    }
    CHECK_U64(given->item_count, at);
}

/* A call that waits for the caller has the reason say so. */
static void compare_reason(const lossless_response *given)
{
    size_t i, calls = 0;

    for (i = 0; i < given->item_count; i++)
        calls += given->items[i]->kind == ELELEM_PART_TOOL_CALL;
    if (lossless_is(elelem_value_get(last, "status"), "completed"))
        CHECK_INT(given->reason == ELELEM_FINISH_TOOL_CALLS, calls > 0);
}

/* The response. Members that the request has, and those that are elsewhere or the same in all responses. */
static void compare_response(const lossless_response *given)
{
    static const char *const of_request[] = {
        "background", "frequency_penalty", "instructions", "max_output_tokens", "max_tool_calls", "parallel_tool_calls",
        "presence_penalty", "previous_response_id", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention",
        "reasoning", "safety_identifier", "store", "temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p",
        "truncation", "user", NULL };
    static const char *const elsewhere[] = { "output", "output_text", "usage", "object", NULL };
    elelem_value member = elelem_value_first(last);

    for (; lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        char what[200];
        if (is_nothing(member) || is_word(key, of_request) || is_word(key, elsewhere)) continue;
        snprintf(what, sizeof what, "response.%.*s has its place", (int)key.size, key.data);
        lossless_now.items++;
        lossless_now.bytes += lossless_bytes(member);
        if (check_true(lossless_has(given->about->value, key, member), what, __FILE__, __LINE__)) continue;
        lossless_now.items_lost++;
        lossless_now.bytes_lost += lossless_bytes(member);
    }
    if (lossless_has_value(elelem_value_get(last_frame, "copilot_usage")))
        lossless_equal("copilot_usage", 0, elelem_value_get(last_frame, "copilot_usage"),
                       elelem_value_get(given->about->value, "copilot_usage"));
    if (lossless_has_value(elelem_value_get(last, "usage")))
        lossless_equal("usage", 0, elelem_value_get(last, "usage"), elelem_value_get(given->end->value, "usage"));
    if (lossless_is_there(sequence))
        lossless_equal("sequence_number", 0, sequence, elelem_value_get(given->end->value, "sequence_number"));
}

static void keeps_all(const recording *r)
{
    static const elelem_value none = ELELEM_INIT;
    lossless_response *given = lossless_open(&elelem_shape_responses, r);
    elelem_allocator plain = ELELEM_INIT;
    size_t i;

    for (i = 0; i < OUTPUT_ITEMS; i++) {
        done[i] = none;
        elelem_buffer_init(&streamed[i], plain, 0);
    }
    done_count = 0;
    last = sequence = none;
    for (i = 0; i < given->frame_count; i++)
        read_frame(given->frames[i]->data.value);
    for (i = 0; i < given->frame_count; i++)
        read_delta(given->frames[i]->data.value);
    if (lossless_is_there(last)) {
        compare_items(given);
        compare_reason(given);
        compare_response(given);
    }
    for (i = 0; i < OUTPUT_ITEMS; i++)
        elelem_buffer_free(&streamed[i]);
    lossless_close(given);
}

TEST(items_and_their_metadata_are_the_output_of_the_last_frame)
{
    recordings_each("responses/", "responses", keeps_all);
    lossless_report("responses");
}

CHECK_MAIN("lossless_responses",
    RUN(items_and_their_metadata_are_the_output_of_the_last_frame))
