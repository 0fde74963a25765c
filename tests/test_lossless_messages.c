/* Nothing of a recorded Messages response is lost: the content blocks as the wire's deltas build them are the
 * blocks that our items make, in order, and each member of the message has its place. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "feed.h"
#include "streams.h"
#include "recordings.h"
#include "lossless.h"

#define BLOCKS 200

/* What the deltas of a block brought. */
typedef struct wire_block {
    elelem_value start;
    elelem_value added;          /* the delta of a compaction; none for other blocks */
    elelem_value citations[100];
    size_t citation_count;
    elelem_buffer text, thinking, signature, input;
    lossless_json *whole;
} wire_block;

static wire_block wire[BLOCKS];
static size_t wire_count;

static wire_block *open_block(elelem_value start)
{
    elelem_allocator plain = ELELEM_INIT;
    wire_block *block = &wire[wire_count];

    if (!CHECK(wire_count < BLOCKS)) return NULL;
    memset(block, 0, sizeof *block);
    block->start = start;
    elelem_buffer_init(&block->text, plain, 0);
    elelem_buffer_init(&block->thinking, plain, 0);
    elelem_buffer_init(&block->signature, plain, 0);
    elelem_buffer_init(&block->input, plain, 0);
    wire_count++;
    return block;
}

static void close_blocks(void)
{
    size_t i;

    for (i = 0; i < wire_count; i++) {
        elelem_buffer_free(&wire[i].text);
        elelem_buffer_free(&wire[i].thinking);
        elelem_buffer_free(&wire[i].signature);
        elelem_buffer_free(&wire[i].input);
        lossless_json_free(wire[i].whole);
    }
    wire_count = 0;
}

/* Adds the member to the buffer if it is a string. */
static void append(elelem_buffer *buffer, elelem_value object, const char *key)
{
    elelem_value value = elelem_value_get(object, key);
    elelem_str text = elelem_value_text(value);

    if (elelem_value_type(value) == ELELEM_TYPE_STRING) CHECK_INT(elelem_buffer_append(buffer, text.data, text.size), ELELEM_OK);
}

static void take_delta(wire_block *block, elelem_value delta)
{
    append(&block->text, delta, "text");
    append(&block->thinking, delta, "thinking");
    append(&block->signature, delta, "signature");
    append(&block->input, delta, "partial_json");
    if (lossless_is(elelem_value_get(delta, "type"), "compaction_delta")) block->added = delta;
    if (lossless_is(elelem_value_get(delta, "type"), "citations_delta") && CHECK(block->citation_count < 100))
        block->citations[block->citation_count++] = elelem_value_get(delta, "citation");
}

/* Members that are put together from the start and the deltas. */
static int is_put_together(const wire_block *block, elelem_str key)
{
    static const char *const keys[] = { "text", "thinking", "signature", "citations" };
    size_t i;

    for (i = 0; i < sizeof keys / sizeof *keys; i++)
        if (elelem_str_is(key, keys[i])) return 1;
    if (elelem_str_is(key, "input")) return elelem_buffer_text(&block->input).size > 0;
    return !elelem_str_is(key, "type") && lossless_is_there(elelem_value_member(block->added, key));
}

static void put_text(elelem_writer *writer, const wire_block *block, const char *key, const elelem_buffer *added)
{
    elelem_value start = elelem_value_get(block->start, key);
    elelem_str text = elelem_buffer_text(added);

    if (elelem_value_text(start).size + text.size == 0) return;
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string_begin(writer);
    elelem_writer_string_piece(writer, elelem_value_text(start));
    elelem_writer_string_piece(writer, text);
    elelem_writer_string_end(writer);
}

static void put_citations(elelem_writer *writer, const wire_block *block)
{
    elelem_value first = elelem_value_first(elelem_value_get(block->start, "citations"));
    size_t i;

    if (block->citation_count == 0 && !lossless_is_there(first)) return;
    elelem_writer_key(writer, elelem_str_of("citations"));
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; lossless_is_there(first); first = elelem_value_next(first))
        elelem_writer_value(writer, first);
    for (i = 0; i < block->citation_count; i++)
        elelem_writer_value(writer, block->citations[i]);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

/* Input that is no JSON, because the model was stopped inside it, is compared as text. */
static void put_input(elelem_writer *writer, elelem_str text)
{
    lossless_json *input;

    if (text.size == 0) return;
    input = lossless_json_of(text);
    elelem_writer_key(writer, elelem_str_of(lossless_is_there(input->value) ? "input" : "input_text"));
    if (lossless_is_there(input->value)) elelem_writer_value(writer, input->value);
    else elelem_writer_string(writer, text);
    lossless_json_free(input);
}

static void put_members(elelem_writer *writer, elelem_value object)
{
    elelem_value member;

    for (member = elelem_value_first(object); lossless_is_there(member); member = elelem_value_next(member)) {
        if (elelem_str_is(elelem_value_key(member), "type")) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
}

static elelem_value whole_block(wire_block *block)
{
    elelem_value member;
    elelem_writer writer;

    block->whole = lossless_json_new();
    writer = lossless_writer(block->whole);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(block->start); lossless_is_there(member); member = elelem_value_next(member)) {
        if (is_put_together(block, elelem_value_key(member))) continue;
        elelem_writer_key(&writer, elelem_value_key(member));
        elelem_writer_value(&writer, member);
    }
    put_text(&writer, block, "text", &block->text);
    put_text(&writer, block, "thinking", &block->thinking);
    put_text(&writer, block, "signature", &block->signature);
    put_input(&writer, elelem_buffer_text(&block->input));
    put_citations(&writer, block);
    put_members(&writer, block->added);
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    return lossless_read(block->whole);
}

/* The wire. Of blocks that are open under one number the newest counts. */

static wire_block *open_under[BLOCKS];

static wire_block **numbered(elelem_value frame)
{
    uint64_t number = 0;

    CHECK_INT(elelem_value_to_uint64(elelem_value_get(frame, "index"), &number), ELELEM_OK);
    CHECK(number < BLOCKS);
    return &open_under[number % BLOCKS];
}

static void read_frame(elelem_value frame)
{
    elelem_value type = elelem_value_get(frame, "type");
    elelem_value listed = elelem_value_first(elelem_value_find(frame, "message.content"));

    for (; lossless_is_there(listed); listed = elelem_value_next(listed))
        open_block(listed);
    if (lossless_is(type, "content_block_start"))
        *numbered(frame) = open_block(elelem_value_get(frame, "content_block"));
    else if (lossless_is(type, "content_block_delta") && CHECK(*numbered(frame) != NULL))
        take_delta(*numbered(frame), elelem_value_get(frame, "delta"));
}

/* Our items as blocks: of a text, reasoning and a call the metadata are the other members of the block. */

static void put_string(elelem_writer *writer, const char *key, elelem_str text)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string(writer, text);
}

static void put_text_or_nothing(elelem_writer *writer, const char *key, lossless_text text)
{
    if (text.size > 0) put_string(writer, key, lossless_str(text));
}

static void put_reasoning(elelem_writer *writer, const lossless_item *item)
{
    elelem_value data = elelem_value_get(item->metadata->value, "redacted_data");

    put_string(writer, "type", elelem_str_of(lossless_is_there(data) ? "redacted_thinking" : "thinking"));
    put_text_or_nothing(writer, "thinking", item->text);
    if (!lossless_is_there(data)) {
        put_members(writer, item->metadata->value);
    } else {
        CHECK_U64(elelem_value_count(item->metadata->value), 1);
        put_string(writer, "data", elelem_value_text(data));
    }
}

static void put_call(elelem_writer *writer, const lossless_item *item)
{
    put_string(writer, "type", elelem_str_of("tool_use"));
    put_string(writer, "id", lossless_str(item->id));
    put_string(writer, "name", lossless_str(item->name));
    if (item->value) {
        elelem_writer_key(writer, elelem_str_of("input"));
        elelem_writer_value(writer, item->value->value);
    } else {
        put_input(writer, lossless_str(item->text));
    }
    CHECK_U64(item->type.size, 0);
    put_members(writer, item->metadata->value);
}

/* A provider item is the block itself, and has no metadata. */
static lossless_json *provider_block(const lossless_item *item)
{
    lossless_json *block = lossless_json_of(lossless_str(item->text));
    elelem_str type = elelem_value_text(elelem_value_get(block->value, "type"));

    CHECK_BYTES(item->type.data, item->type.size, type.data, type.size);
    CHECK_U64(elelem_value_count(item->metadata->value), 0);
    return block;
}

static lossless_json *block_of(const lossless_item *item)
{
    lossless_json *block;
    elelem_writer writer;

    if (item->kind == ELELEM_PART_PROVIDER_ITEM) return provider_block(item);
    block = lossless_json_new();
    writer = lossless_writer(block);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    if (item->kind == ELELEM_PART_MESSAGE) {
        put_string(&writer, "type", elelem_str_of("text"));
        put_text_or_nothing(&writer, "text", item->text);
        put_members(&writer, item->metadata->value);
    } else if (item->kind == ELELEM_PART_REASONING) {
        put_reasoning(&writer, item);
    } else if (CHECK_INT(item->kind, ELELEM_PART_TOOL_CALL)) {
        put_call(&writer, item);
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    lossless_read(block);
    return block;
}

/* Nonzero for a text of whitespace alone. It gives no item, because the provider refuses such a block in a request. */
static int is_blank_text(elelem_value block)
{
    elelem_str text = elelem_value_text(elelem_value_get(block, "text"));
    size_t i;

    if (!lossless_is(elelem_value_get(block, "type"), "text") || lossless_is_there(elelem_value_get(block, "citations"))) return 0;
    for (i = 0; i < text.size; i++)
        if (!strchr(" \t\r\n", text.data[i])) return 0;
    return 1;
}

static void compare_blocks(const lossless_response *given)
{
    elelem_value none = ELELEM_INIT;
    size_t i, at = 0;

    for (i = 0; i < wire_count; i++) {
        elelem_value block = whole_block(&wire[i]);
        lossless_json *ours;
        if (is_blank_text(block)) {
            lossless_except(block);
            continue;
        }
        ours = at < given->item_count ? block_of(given->items[at]) : NULL;
        lossless_equal("block", i, block, ours ? ours->value : none);
        lossless_json_free(ours);
        at++;
    }
    CHECK_U64(given->item_count, at);
}

/* The message. */

static const char *source; /* of the members that are looked at */

static int is_word(elelem_str key, const char *const *words)
{
    while (*words && !elelem_str_is(key, *words))
        words++;
    return *words != NULL;
}

/* The end's finish reason, stop_details and stop_sequence; or what is known of the response. */
static int has_place(const lossless_response *given, elelem_value member)
{
    elelem_str key = elelem_value_key(member), raw = elelem_value_text(member);

    if (elelem_str_is(key, "stop_reason")) return elelem_str_equal(lossless_str(given->raw_reason), raw);
    return lossless_has(given->about->value, key, member) || (given->end && lossless_has(given->end->value, key, member));
}

/* Each member with a value, except those listed, has its place. */
static void members_have_places(const lossless_response *given, elelem_value object, const char *const *exceptions)
{
    char what[200];
    elelem_value member;

    for (member = elelem_value_first(object); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (!lossless_has_value(member) || is_word(key, exceptions)) continue;
        snprintf(what, sizeof what, "%s.%.*s has its place", source, (int)key.size, key.data);
        lossless_now.items++;
        lossless_now.bytes += lossless_bytes(member);
        if (check_true(has_place(given, member), what, __FILE__, __LINE__)) continue;
        lossless_now.items_lost++;
        lossless_now.bytes_lost += lossless_bytes(member);
    }
}

/* Members that are elsewhere, or that are the same in all responses. */
static const char *const of_message[] = { "content",           /* the blocks */
                                          "usage",             /* see usage_is_whole */
                                          "type", "role", NULL /* always "message" and "assistant" */ };
static const char *const of_frame[] = { "type", "message", "delta", "usage", NULL };
static const char *const none_excepted[] = { NULL };

/* The raw usage has what the last frame said of each member that any frame has. */
static elelem_value last_usage(const lossless_response *given, elelem_str key)
{
    elelem_value last = ELELEM_INIT;
    size_t i;

    for (i = 0; i < given->frame_count; i++) {
        elelem_value frame = given->frames[i]->data.value;
        elelem_value in_message = elelem_value_member(elelem_value_find(frame, "message.usage"), key);
        elelem_value in_frame = elelem_value_member(elelem_value_get(frame, "usage"), key);
        if (lossless_has_value(in_message)) last = in_message;
        if (lossless_has_value(in_frame)) last = in_frame;
    }
    return last;
}

static void usage_is_whole(const lossless_response *given, elelem_value usage)
{
    elelem_value raw = elelem_value_get(given->end->value, "usage"), member;
    size_t number = 0;

    for (member = elelem_value_first(usage); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (lossless_has_value(member)) lossless_equal("usage member", number++, last_usage(given, key), elelem_value_member(raw, key));
    }
}

/* A second message_start, which a faulty proxy spliced in, is ignored. */
static void describe_message(const lossless_response *given, elelem_value frame, int is_first)
{
    if (lossless_is(elelem_value_get(frame, "type"), "message_start")) {
        source = "message_start.message";
        if (is_first) members_have_places(given, elelem_value_get(frame, "message"), of_message);
        source = "message_start";
        if (is_first) members_have_places(given, frame, of_frame);
        usage_is_whole(given, elelem_value_find(frame, "message.usage"));
    } else if (lossless_is(elelem_value_get(frame, "type"), "message_delta")) {
        source = "message_delta.delta";
        members_have_places(given, elelem_value_get(frame, "delta"), none_excepted);
        source = "message_delta";
        members_have_places(given, frame, of_frame);
        usage_is_whole(given, elelem_value_get(frame, "usage"));
    } else if (lossless_is(elelem_value_get(frame, "type"), "message_stop")) {
        source = "message_stop";
        members_have_places(given, frame, of_frame);
    }
}

static void keeps_all(const recording *r)
{
    lossless_response *given = lossless_open(&elelem_shape_messages, r);
    size_t i;

    memset(open_under, 0, sizeof open_under);
    for (i = 0; i < given->frame_count; i++)
        read_frame(given->frames[i]->data.value);
    compare_blocks(given);
    for (i = 0; i < given->frame_count; i++)
        describe_message(given, given->frames[i]->data.value, i == 0);
    close_blocks();
    lossless_close(given);
}

TEST(nothing_of_recorded_responses_is_lost)
{
    recordings_each("messages/", "messages", keeps_all);
    lossless_report("messages");
}

CHECK_MAIN("lossless_messages", RUN(nothing_of_recorded_responses_is_lost))
