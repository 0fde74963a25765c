/* Nothing of a recorded Chat response is lost: the messages that its deltas add up to are those that our items make, and
 * each member of a chunk has its place. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "feed.h"
#include "streams.h"
#include "recordings.h"
#include "lossless.h"

#define CHOICES 8
#define CALLS 100
#define TOOLS 20

/* What the deltas of a tool call brought. */
typedef struct wire_call {
    uint32_t index;
    elelem_value id, name, extra;
    elelem_buffer arguments;
} wire_call;

/* What the deltas of a choice brought. */
typedef struct wire_choice {
    elelem_buffer content, reasoning, refusal;
    lossless_json *details;     /* entries of reasoning_details that have a signature or data, without their text */
    lossless_json *annotations;
    elelem_writer details_writer, annotations_writer;
    wire_call calls[CALLS];
    size_t call_count;
    lossless_json *tools[TOOLS]; /* executed tools by their index, in which a key may come again */
    elelem_value reason;         /* the first that is not empty */
} wire_choice;

static wire_choice wire[CHOICES];
static const lossless_response *given;

static elelem_buffer *buffer_new(elelem_buffer *buffer)
{
    elelem_allocator plain = ELELEM_INIT;

    elelem_buffer_init(buffer, plain, 0);
    return buffer;
}

static lossless_json *list_new(elelem_writer *writer)
{
    lossless_json *json = lossless_json_new();

    *writer = lossless_writer(json);
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    return json;
}

static void open_choices(void)
{
    size_t i;

    memset(wire, 0, sizeof wire);
    for (i = 0; i < CHOICES; i++) {
        buffer_new(&wire[i].content);
        buffer_new(&wire[i].reasoning);
        buffer_new(&wire[i].refusal);
        wire[i].details = list_new(&wire[i].details_writer);
        wire[i].annotations = list_new(&wire[i].annotations_writer);
    }
}

static void close_choices(void)
{
    size_t i, k;

    for (i = 0; i < CHOICES; i++) {
        elelem_buffer_free(&wire[i].content);
        elelem_buffer_free(&wire[i].reasoning);
        elelem_buffer_free(&wire[i].refusal);
        lossless_json_free(wire[i].details);
        lossless_json_free(wire[i].annotations);
        for (k = 0; k < wire[i].call_count; k++)
            elelem_buffer_free(&wire[i].calls[k].arguments);
        for (k = 0; k < TOOLS; k++)
            lossless_json_free(wire[i].tools[k]);
    }
}

/* Adds the value to the buffer if it is a string. Returns how much it was. */
static size_t append(elelem_buffer *buffer, elelem_value value)
{
    elelem_str text = elelem_value_text(value);

    if (elelem_value_type(value) != ELELEM_TYPE_STRING) return 0;
    CHECK_INT(elelem_buffer_append(buffer, text.data, text.size), ELELEM_OK);
    return text.size;
}

static int is_empty(elelem_value value)
{
    elelem_type type = elelem_value_type(value);

    if (type == ELELEM_TYPE_STRING) return elelem_value_text(value).size == 0;
    if (type == ELELEM_TYPE_ARRAY || type == ELELEM_TYPE_OBJECT) return !lossless_is_there(elelem_value_first(value));
    return !lossless_has_value(value);
}

/* Nonzero if the value, or all that is in it, is empty or null. */
static int says_nothing(elelem_value value)
{
    elelem_value inner = elelem_value_first(value);

    if (!lossless_is_there(inner)) return is_empty(value);
    for (; lossless_is_there(inner); inner = elelem_value_next(inner))
        if (!is_empty(inner)) return 0;
    return 1;
}

static int is_among(elelem_str key, const char *const *keys)
{
    for (; *keys; keys++)
        if (elelem_str_is(key, *keys)) return 1;
    return 0;
}

/* The merge of the deltas. */

static void merge_content(wire_choice *choice, elelem_value content)
{
    elelem_value part, inner;

    append(&choice->content, content);
    if (elelem_value_type(content) != ELELEM_TYPE_ARRAY) return;
    for (part = elelem_value_first(content); lossless_is_there(part); part = elelem_value_next(part)) {
        append(&choice->content, elelem_value_get(part, "text"));
        inner = elelem_value_first(elelem_value_get(part, "thinking"));
        for (; lossless_is_there(inner); inner = elelem_value_next(inner))
            append(&choice->reasoning, elelem_value_get(inner, "text"));
    }
}

static void merge_detail(elelem_writer *writer, elelem_value entry)
{
    elelem_value member = elelem_value_first(entry);

    if (is_empty(elelem_value_get(entry, "signature")) && is_empty(elelem_value_get(entry, "data"))) return;
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (; lossless_is_there(member); member = elelem_value_next(member)) {
        if (elelem_str_is(elelem_value_key(member), "text") || elelem_str_is(elelem_value_key(member), "summary")) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* The same text comes as reasoning or reasoning_content, and once more in the details. */
static void merge_reasoning(wire_choice *choice, elelem_value delta)
{
    elelem_value entry = elelem_value_first(elelem_value_get(delta, "reasoning_details"));
    size_t size = append(&choice->reasoning, elelem_value_get(delta, "reasoning_content"));

    if (size == 0) size = append(&choice->reasoning, elelem_value_get(delta, "reasoning"));
    for (; lossless_is_there(entry); entry = elelem_value_next(entry)) {
        if (size == 0 && append(&choice->reasoning, elelem_value_get(entry, "text")) == 0)
            append(&choice->reasoning, elelem_value_get(entry, "summary"));
        merge_detail(&choice->details_writer, entry);
    }
}

static void merge_elements(elelem_writer *writer, elelem_value list)
{
    elelem_value element;

    for (element = elelem_value_first(list); lossless_is_there(element); element = elelem_value_next(element))
        elelem_writer_value(writer, element);
}

/* The call that a piece belongs to: of the same index, unless its id is another; of a piece without, the newest. */
static wire_call *call_of(wire_choice *choice, elelem_value piece, elelem_value id)
{
    elelem_value index = elelem_value_get(piece, "index");
    int64_t number = -1;
    size_t i;

    if (elelem_value_to_int64(index, &number) != ELELEM_OK || number < 0) number = (int64_t)elelem_value_index(piece);
    for (i = choice->call_count; i-- > 0;) {
        wire_call *call = &choice->calls[i];
        if (call->index != (uint32_t)number) continue;
        if (is_empty(id) || is_empty(call->id) || elelem_str_equal(elelem_value_text(id), elelem_value_text(call->id))) return call;
        break;
    }
    if (!CHECK(choice->call_count < CALLS)) return NULL;
    memset(&choice->calls[choice->call_count], 0, sizeof *choice->calls);
    choice->calls[choice->call_count].index = (uint32_t)number;
    buffer_new(&choice->calls[choice->call_count].arguments);
    return &choice->calls[choice->call_count++];
}

static void merge_first(elelem_value *to, elelem_value from)
{
    if (!lossless_is_there(*to) && !is_empty(from)) *to = from;
}

/* A call without a name and without arguments is none: Snowflake sends one in every response. */
static void merge_call(wire_choice *choice, elelem_value piece)
{
    static const char *const known[] = { "index", "id", "type", "function", "extra_content", NULL };
    elelem_value function = elelem_value_get(piece, "function"), id = elelem_value_get(piece, "id"), member;
    wire_call *call;

    for (member = elelem_value_first(piece); lossless_is_there(member); member = elelem_value_next(member))
        CHECK(is_among(elelem_value_key(member), known));
    CHECK(!lossless_has_value(elelem_value_get(piece, "type")) || lossless_is(elelem_value_get(piece, "type"), "function"));
    if (is_empty(id) && is_empty(elelem_value_get(function, "name")) && is_empty(elelem_value_get(function, "arguments"))) return;
    call = call_of(choice, piece, id);
    if (!call) return;
    merge_first(&call->id, id);
    merge_first(&call->name, elelem_value_get(function, "name"));
    merge_first(&call->extra, elelem_value_get(piece, "extra_content"));
    append(&call->arguments, elelem_value_get(function, "arguments"));
}

/* A later executed tool of the same index has what an earlier one has, and more. */
static void merge_tool(wire_choice *choice, elelem_value tool)
{
    int64_t number = 0;
    lossless_json *merged = lossless_json_new();
    elelem_writer writer = lossless_writer(merged);
    elelem_value old, member;

    elelem_value_to_int64(elelem_value_get(tool, "index"), &number);
    if (!CHECK(number >= 0 && number < TOOLS)) return;
    if (!choice->tools[number]) choice->tools[number] = lossless_json_of(elelem_str_of("{}"));
    old = choice->tools[number]->value;
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    for (member = elelem_value_first(old); lossless_is_there(member); member = elelem_value_next(member)) {
        if (!says_nothing(elelem_value_member(tool, elelem_value_key(member)))) continue;
        elelem_writer_key(&writer, elelem_value_key(member));
        elelem_writer_value(&writer, member);
    }
    for (member = elelem_value_first(tool); lossless_is_there(member); member = elelem_value_next(member)) {
        if (says_nothing(member)) continue;
        elelem_writer_key(&writer, elelem_value_key(member));
        elelem_writer_value(&writer, member);
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    lossless_read(merged);
    lossless_json_free(choice->tools[number]);
    choice->tools[number] = merged;
}

/* Items. */

static elelem_value metadata_of(const lossless_item *item, const char *key)
{
    return elelem_value_get(item->metadata->value, key);
}

static int is_refusal(const lossless_item *item)
{
    return item->kind == ELELEM_PART_MESSAGE && lossless_is_there(metadata_of(item, "refusal"));
}

/* The texts of all items of a kind in a choice, as one. */
static void join(elelem_buffer *text, uint32_t choice, elelem_part_kind kind, int refusals)
{
    size_t i;

    for (i = 0; i < given->item_count; i++) {
        const lossless_item *item = given->items[i];
        if (item->choice == choice && item->kind == kind && is_refusal(item) == refusals)
            CHECK_INT(elelem_buffer_append(text, item->text.data, item->text.size), ELELEM_OK);
    }
}

/* A builder drops message text that is nothing but whitespace, as some providers send it after a call. */
static elelem_str without_last_blanks(const elelem_buffer *buffer)
{
    elelem_str text = elelem_buffer_text(buffer);

    while (text.size > 0 && strchr(" \t\r\n", text.data[text.size - 1]))
        text.size--;
    return text;
}

static void texts_are_equal(const char *what, elelem_buffer *of_wire, uint32_t choice, elelem_part_kind kind, int refusals)
{
    elelem_buffer of_items;
    lossless_json *a = lossless_json_new(), *b = lossless_json_new();
    elelem_writer writer = lossless_writer(a);

    buffer_new(&of_items);
    join(&of_items, choice, kind, refusals);
    elelem_writer_string(&writer, without_last_blanks(of_wire));
    writer = lossless_writer(b);
    elelem_writer_string(&writer, without_last_blanks(&of_items));
    lossless_equal(what, choice, lossless_read(a), lossless_read(b));
    lossless_json_free(a);
    lossless_json_free(b);
    elelem_buffer_free(&of_items);
}

/* The arrays that the items of a choice have under a key, as one. Of the details those that say more than their text. */
static void lists_are_equal(const char *key, lossless_json *of_wire, elelem_writer *writer, uint32_t choice)
{
    elelem_writer of_items;
    lossless_json *all = list_new(&of_items);
    size_t i;

    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    for (i = 0; i < given->item_count; i++) {
        elelem_value list = metadata_of(given->items[i], key);
        elelem_value element = elelem_value_first(list);
        if (given->items[i]->choice != choice) continue;
        for (; lossless_is_there(element); element = elelem_value_next(element)) {
            if (elelem_str_is(elelem_str_of(key), "reasoning_details")) merge_detail(&of_items, element);
            else elelem_writer_value(&of_items, element);
        }
    }
    elelem_writer_end(&of_items, ELELEM_TYPE_ARRAY);
    lossless_equal(key, choice, lossless_read(of_wire), lossless_read(all));
    lossless_json_free(all);
}

static const lossless_item *item_number(uint32_t choice, elelem_part_kind kind, size_t number)
{
    size_t i;

    for (i = 0; i < given->item_count; i++)
        if (given->items[i]->choice == choice && given->items[i]->kind == kind && number-- == 0) return given->items[i];
    return NULL;
}

static void put_text(elelem_writer *writer, const char *key, elelem_str text)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string(writer, text);
}

static void calls_are_equal(uint32_t choice)
{
    size_t i;

    for (i = 0; i < wire[choice].call_count; i++) {
        const wire_call *call = &wire[choice].calls[i];
        const lossless_item *item = item_number(choice, ELELEM_PART_TOOL_CALL, i);
        lossless_json *a = lossless_json_new(), *b = lossless_json_new();
        elelem_writer writer = lossless_writer(a);
        elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
        put_text(&writer, "id", elelem_value_text(call->id));
        put_text(&writer, "name", elelem_value_text(call->name));
        put_text(&writer, "arguments", elelem_buffer_text(&call->arguments));
        elelem_writer_key(&writer, elelem_str_of("extra_content"));
        elelem_writer_value(&writer, call->extra);
        elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
        writer = lossless_writer(b);
        elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
        if (item) {
            put_text(&writer, "id", lossless_str(item->id));
            put_text(&writer, "name", lossless_str(item->name));
            put_text(&writer, "arguments", lossless_str(item->text));
            elelem_writer_key(&writer, elelem_str_of("extra_content"));
            elelem_writer_value(&writer, metadata_of(item, "extra_content"));
        }
        elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
        lossless_equal("tool call", i, lossless_read(a), lossless_read(b));
        lossless_json_free(a);
        lossless_json_free(b);
    }
    CHECK(!item_number(choice, ELELEM_PART_TOOL_CALL, wire[choice].call_count));
}

static void tools_are_equal(uint32_t choice)
{
    elelem_value none = ELELEM_INIT;
    size_t i;

    for (i = 0; i < TOOLS && wire[choice].tools[i]; i++) {
        const lossless_item *item = item_number(choice, ELELEM_PART_PROVIDER_ITEM, i);
        lossless_equal("executed tool", i, wire[choice].tools[i]->value, item ? item->value->value : none);
        CHECK(item && elelem_str_is(lossless_str(item->type), "executed_tools") && item->hosted);
    }
}

static void reasons_are_equal(void)
{
    elelem_value others = elelem_value_get(given->end->value, "finish_reasons");
    char key[20];
    uint32_t i;

    CHECK(elelem_str_equal(lossless_str(given->raw_reason), elelem_value_text(wire[0].reason)));
    for (i = 1; i < CHOICES; i++) {
        snprintf(key, sizeof key, "%u", (unsigned)i);
        CHECK_INT(lossless_is_there(wire[i].reason) != 0, lossless_is_there(elelem_value_get(others, key)) != 0);
    }
}

/* Members. */

/* Nonzero if an item of the choice has the value as the last of its metadata with this key, or as an element of it. */
static int is_on_an_item(uint32_t choice, elelem_value member)
{
    lossless_difference ignored;
    size_t i;

    for (i = 0; i < given->item_count; i++) {
        elelem_value value = elelem_value_member(given->items[i]->metadata->value, elelem_value_key(member));
        elelem_value element = elelem_value_first(value);
        if (given->items[i]->choice != choice) continue;
        if (lossless_same(member, value, &ignored)) return 1;
        for (; lossless_is_there(element); element = elelem_value_next(element))
            if (lossless_same(member, element, &ignored)) return 1;
    }
    return 0;
}

/* Nonzero if the end's description of the response has the value, or an array of it, under this key. */
static int is_of_the_response(elelem_value member)
{
    elelem_value at;
    lossless_difference ignored;

    if (lossless_has(given->about->value, elelem_value_key(member), member)) return 1;
    for (at = elelem_value_first(given->about->value); lossless_is_there(at); at = elelem_value_next(at))
        if (elelem_str_equal(elelem_value_key(at), elelem_value_key(member)) &&
            lossless_same(member, elelem_value_first(at), &ignored)) return 1;
    return 0;
}

static void has_a_place(const char *what, elelem_value member, int is_placed)
{
    elelem_value none = ELELEM_INIT;
    char label[200];

    snprintf(label, sizeof label, "%s.%.*s", what, ELELEM_STR_ARG(elelem_value_key(member)));
    lossless_equal(label, 0, member, is_placed ? member : none);
}

/* Padding; the same in every chunk; or what says once more what the items say. */
static const char *const root_excepted[] = { "object", "obfuscation", "p", NULL };
static const char *const choice_excepted[] = { "message", "text", NULL };
static const char *const delta_excepted[] = { "role", NULL };

static int is_no_time(elelem_value value)
{
    return !lossless_is_there(value) || elelem_str_is(elelem_value_text(value), "0");
}

/* The time of a chunk after the first, or Azure's first, which has none. Or the id of one that Groq's models that search give it. */
static int is_of_the_chunk(elelem_value member)
{
    elelem_str model = elelem_value_text(elelem_value_get(elelem_value_parent(member), "model"));

    if (elelem_str_is(elelem_value_key(member), "created"))
        return is_no_time(member) || !is_no_time(elelem_value_get(given->about->value, "created"));
    return elelem_str_is(elelem_value_key(member), "id") && model.size > 5 && memcmp(model.data, "groq/", 5) == 0;
}

/* The usage is the end's, and of the lists that are repeated each entry is on an item. */
static void root_member(elelem_value member)
{
    elelem_str key = elelem_value_key(member);
    elelem_value element = elelem_value_first(member);
    int is_list = elelem_str_is(key, "citations") || elelem_str_is(key, "search_results");

    if (elelem_str_is(key, "choices") || elelem_str_is(key, "usage") || is_empty(member)) return;
    if (is_among(key, root_excepted)) {
        lossless_except(member);
    } else if (elelem_str_is(key, "x_groq")) {
        for (; lossless_is_there(element); element = elelem_value_next(element))
            if (!elelem_str_is(elelem_value_key(element), "usage"))
                has_a_place("x_groq", element, lossless_has(elelem_value_get(given->about->value, "x_groq"),
                                                            elelem_value_key(element), element));
    } else if (is_list) {
        for (; lossless_is_there(element); element = elelem_value_next(element)) {
            lossless_difference ignored;
            elelem_value all = elelem_value_first(metadata_of(given->items[0], elelem_str_is(key, "citations") ? "citations" : "search_results"));
            while (lossless_is_there(all) && !lossless_same(element, all, &ignored))
                all = elelem_value_next(all);
            lossless_equal("list", 0, element, all);
        }
    } else if (is_of_the_response(member)) {
        has_a_place("chunk", member, 1);
    } else if (is_of_the_chunk(member)) {
        lossless_except(member);
    } else {
        has_a_place("chunk", member, 0);
    }
}

static void choice_member(uint32_t choice, elelem_value member)
{
    elelem_str key = elelem_value_key(member);

    if (elelem_str_is(key, "index") || elelem_str_is(key, "delta") || says_nothing(member)) return;
    if (elelem_str_is(key, "finish_reason")) merge_first(&wire[choice].reason, member);
    else if (is_among(key, choice_excepted)) lossless_except(member);
    else has_a_place("choice", member, is_on_an_item(choice, member) || is_of_the_response(member));
}

static void delta_member(uint32_t choice, elelem_value member)
{
    static const char *const merged[] = { "content", "reasoning", "reasoning_content", "reasoning_details", NULL };
    elelem_str key = elelem_value_key(member);
    elelem_value element = elelem_value_first(member);

    if (says_nothing(member) || is_among(key, merged)) return;
    if (elelem_str_is(key, "refusal")) append(&wire[choice].refusal, member);
    else if (elelem_str_is(key, "annotations")) merge_elements(&wire[choice].annotations_writer, member);
    else if (elelem_str_is(key, "tool_calls")) for (; lossless_is_there(element); element = elelem_value_next(element))
        merge_call(&wire[choice], element);
    else if (elelem_str_is(key, "executed_tools")) for (; lossless_is_there(element); element = elelem_value_next(element))
        merge_tool(&wire[choice], element);
    else if (is_among(key, delta_excepted)) lossless_except(member);
    else has_a_place("delta", member, is_on_an_item(choice, member) || is_of_the_response(member));
}

static void read_choice(elelem_value of)
{
    elelem_value member, delta = elelem_value_get(of, "delta");
    int64_t choice = 0;

    elelem_value_to_int64(elelem_value_get(of, "index"), &choice);
    if (!CHECK(choice >= 0 && choice < CHOICES)) return;
    merge_reasoning(&wire[choice], delta);
    merge_content(&wire[choice], elelem_value_get(delta, "content"));
    for (member = elelem_value_first(delta); lossless_is_there(member); member = elelem_value_next(member))
        delta_member((uint32_t)choice, member);
    for (member = elelem_value_first(of); lossless_is_there(member); member = elelem_value_next(member))
        choice_member((uint32_t)choice, member);
}

static void read_chunk(elelem_value chunk)
{
    elelem_value at;

    for (at = elelem_value_first(chunk); lossless_is_there(at); at = elelem_value_next(at))
        root_member(at);
    for (at = elelem_value_first(elelem_value_get(chunk, "choices")); lossless_is_there(at); at = elelem_value_next(at))
        read_choice(at);
}

/* The last usage that is an object, which Groq's older models have in a part of their own. */
static void usage_is_whole(void)
{
    elelem_value last = ELELEM_INIT;
    size_t i;

    for (i = 0; i < given->frame_count; i++) {
        elelem_value chunk = given->frames[i]->data.value;
        elelem_value own = elelem_value_get(chunk, "usage");
        if (elelem_value_type(own) != ELELEM_TYPE_OBJECT) own = elelem_value_find(chunk, "x_groq.usage");
        if (elelem_value_type(own) == ELELEM_TYPE_OBJECT) last = own;
    }
    if (lossless_is_there(last)) lossless_equal("usage", 0, last, elelem_value_get(given->end->value, "usage"));
}

static void compare_choice(uint32_t i)
{
    texts_are_equal("content", &wire[i].content, i, ELELEM_PART_MESSAGE, 0);
    texts_are_equal("refusal", &wire[i].refusal, i, ELELEM_PART_MESSAGE, 1);
    texts_are_equal("reasoning", &wire[i].reasoning, i, ELELEM_PART_REASONING, 0);
    lists_are_equal("reasoning_details", wire[i].details, &wire[i].details_writer, i);
    lists_are_equal("annotations", wire[i].annotations, &wire[i].annotations_writer, i);
    calls_are_equal(i);
    tools_are_equal(i);
}

static void keeps_all(const recording *r)
{
    lossless_response *response = lossless_open(&elelem_shape_chat, r);
    uint32_t i;

    given = response;
    open_choices();
    for (i = 0; i < given->frame_count; i++)
        read_chunk(given->frames[i]->data.value);
    for (i = 0; i < CHOICES; i++)
        compare_choice(i);
    reasons_are_equal();
    usage_is_whole();
    close_choices();
    lossless_close(response);
}

TEST(nothing_of_recorded_responses_is_lost)
{
    recordings_each("chat/", "chat", keeps_all);
    lossless_report("chat");
}

CHECK_MAIN("lossless_chat", RUN(nothing_of_recorded_responses_is_lost))
