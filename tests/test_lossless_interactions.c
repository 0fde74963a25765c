/* Nothing of the recorded responses of Interactions is lost: the steps, put together from their start and their deltas or listed in a
   whole body, are those that the items have, and each other member of an event has its place. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "lossless.h"

/* The steps of the wire. */

#define STEPS 64

typedef struct wire_step {
    elelem_value start;     /* of a whole body: the step */
    elelem_value whole;     /* the delta of the step's own type */
    elelem_value signature; /* the last that is not empty */
    elelem_value notes;     /* citations */
    elelem_buffer text;     /* of all deltas; or the JSON text of arguments */
    lossless_json *summary; /* an array that is open */
    elelem_writer summary_writer;
    lossless_json *json;
} wire_step;

static wire_step steps[STEPS];
static size_t step_count;
static lossless_json *whole_body;

static int is_empty_text(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_STRING && elelem_value_text(value).size == 0;
}

static int is_empty(elelem_value value)
{
    int is_container = elelem_value_type(value) == ELELEM_TYPE_OBJECT || elelem_value_type(value) == ELELEM_TYPE_ARRAY;

    return !lossless_has_value(value) || is_empty_text(value) || (is_container && elelem_value_count(value) == 0);
}

static wire_step *open_step(elelem_value start)
{
    elelem_allocator plain = ELELEM_INIT;
    wire_step *step = &steps[step_count];

    if (!CHECK(step_count < STEPS)) return &steps[0];
    step_count++;
    memset(step, 0, sizeof *step);
    step->start = start;
    elelem_buffer_init(&step->text, plain, 0);
    return step;
}

static void close_steps(void)
{
    size_t i;

    for (i = 0; i < step_count; i++) {
        elelem_buffer_free(&steps[i].text);
        lossless_json_free(steps[i].summary);
        lossless_json_free(steps[i].json);
    }
    step_count = 0;
    lossless_json_free(whole_body);
    whole_body = NULL;
}

static void add_text(wire_step *step, elelem_value text)
{
    CHECK_INT(elelem_buffer_append(&step->text, elelem_value_text(text).data, elelem_value_text(text).size), ELELEM_OK);
}

static void add_summary(wire_step *step, elelem_value content)
{
    if (!step->summary) {
        step->summary = lossless_json_new();
        step->summary_writer = lossless_writer(step->summary);
        elelem_writer_begin(&step->summary_writer, ELELEM_TYPE_ARRAY);
    }
    elelem_writer_value(&step->summary_writer, content);
}

static void take_delta(wire_step *step, elelem_value delta)
{
    elelem_value type = elelem_value_get(delta, "type"), member;

    for (member = elelem_value_first(delta); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        int is_text = elelem_str_is(key, "text") && lossless_is(type, "text");
        int is_arguments = elelem_str_is(key, "arguments") && lossless_is(type, "arguments_delta");
        if (elelem_str_equal(elelem_value_text(type), elelem_value_text(elelem_value_get(step->start, "type")))) step->whole = delta;
        else if (is_text || is_arguments) add_text(step, member);
        else if (elelem_str_is(key, "content")) add_summary(step, member);
        else if (elelem_str_is(key, "annotations")) step->notes = member;
        else if (elelem_str_is(key, "signature") && !is_empty_text(member)) step->signature = member;
        else if (elelem_str_is(key, "signature") || elelem_str_is(key, "type")) lossless_except(member); /* an empty one before the real one; what the delta is */
        else CHECK(0);
    }
}

/* Steps as JSON. */

static void put(elelem_writer *writer, const char *key, elelem_value value)
{
    if (!lossless_is_there(value)) return;
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_value(writer, value);
}

static void put_string(elelem_writer *writer, const char *key, elelem_str text)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string(writer, text);
}

static void put_json(elelem_writer *writer, const char *key, elelem_str json)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_json(writer, json);
}

/* The members of the start, of which those of the delta take the place, and nothing else of. */
static void put_members(elelem_writer *writer, elelem_value start, elelem_value delta)
{
    elelem_value member;

    for (member = elelem_value_first(start); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_value later = elelem_value_member(delta, elelem_value_key(member));
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, lossless_is_there(later) && !is_empty(later) ? later : member);
    }
    for (member = elelem_value_first(delta); lossless_is_there(member); member = elelem_value_next(member)) {
        if (lossless_is_there(elelem_value_member(start, elelem_value_key(member)))) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
}

/* The start of a call, of which arguments without a delta count. */
static void put_call(elelem_writer *writer, const wire_step *step)
{
    elelem_str arguments = elelem_buffer_text(&step->text);
    elelem_value member;

    for (member = elelem_value_first(step->start); lossless_is_there(member); member = elelem_value_next(member)) {
        if (elelem_str_is(elelem_value_key(member), "arguments") && arguments.size > 0) continue;
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
    if (arguments.size > 0) put_json(writer, "arguments", arguments);
}

static void put_output(elelem_writer *writer, elelem_str text, elelem_value notes)
{
    put_string(writer, "type", elelem_str_of("model_output"));
    elelem_writer_key(writer, elelem_str_of("content"));
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    put_string(writer, "text", text);
    put_string(writer, "type", elelem_str_of("text"));
    put(writer, "annotations", notes);
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

static elelem_value wire_step_value(wire_step *step)
{
    elelem_value type = elelem_value_get(step->start, "type");
    elelem_writer writer;

    if (whole_body) return step->start;
    step->json = lossless_json_new();
    writer = lossless_writer(step->json);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    if (lossless_is(type, "model_output")) put_output(&writer, elelem_buffer_text(&step->text), step->notes);
    else if (lossless_is(type, "function_call")) put_call(&writer, step);
    else put_members(&writer, step->start, step->whole);
    if (lossless_is(type, "thought")) put(&writer, "signature", step->signature);
    if (step->summary) {
        elelem_writer_end(&step->summary_writer, ELELEM_TYPE_ARRAY);
        put_json(&writer, "summary", elelem_buffer_text(&step->summary->text));
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    return lossless_read(step->json);
}

/* Items as steps. */

static elelem_value about(const lossless_item *item, const char *key)
{
    return elelem_value_get(item->metadata->value, key);
}

static void put_content(elelem_writer *writer, elelem_str text)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    put_string(writer, "text", text);
    put_string(writer, "type", elelem_str_of("text"));
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* The text from one border to the next. */
static void put_thought(elelem_writer *writer, const lossless_item *item)
{
    elelem_value border = elelem_value_first(about(item, "part_offsets"));
    elelem_str text = lossless_str(item->text);
    uint64_t begin = 0, next = 0;

    put_string(writer, "type", elelem_str_of("thought"));
    put(writer, "signature", about(item, "step_signature"));
    if (text.size == 0) return;
    elelem_writer_key(writer, elelem_str_of("summary"));
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    for (; lossless_is_there(border); border = elelem_value_next(border), begin = next) {
        elelem_str part = text;
        CHECK_INT(elelem_value_to_uint64(border, &next), ELELEM_OK);
        if (!CHECK(next > begin && next < text.size)) break;
        part.data += begin;
        part.size = (size_t)(next - begin);
        put_content(writer, part);
    }
    text.data += begin;
    text.size -= (size_t)begin;
    put_content(writer, text);
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
}

static lossless_json *step_of(const lossless_item *item)
{
    lossless_json *json;
    elelem_writer writer;

    if (item->kind == ELELEM_PART_PROVIDER_ITEM) {
        json = lossless_json_of(lossless_str(item->text));
        CHECK(elelem_str_equal(elelem_value_text(about(item, "step")), elelem_value_text(elelem_value_get(json->value, "type"))));
        return json;
    }
    json = lossless_json_new();
    writer = lossless_writer(json);
    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    if (item->kind == ELELEM_PART_REASONING) put_thought(&writer, item);
    if (item->kind == ELELEM_PART_MESSAGE) put_output(&writer, lossless_str(item->text), about(item, "annotations"));
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        put_string(&writer, "type", elelem_str_of("function_call"));
        put_string(&writer, "id", lossless_str(item->id));
        put_string(&writer, "name", lossless_str(item->name));
        put(&writer, "signature", about(item, "step_signature"));
        if (CHECK(item->value != NULL)) put(&writer, "arguments", item->value->value);
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    lossless_read(json);
    return json;
}

static void compare_steps(const lossless_response *given)
{
    size_t i;

    CHECK_U64(given->item_count, step_count);
    for (i = 0; i < step_count && i < given->item_count; i++) {
        lossless_json *ours = step_of(given->items[i]);
        lossless_equal("step", i, wire_step_value(&steps[i]), ours->value);
        lossless_json_free(ours);
    }
}

/* The other members. */

static void has_place(const char *where, elelem_value member, int found)
{
    char what[200];

    snprintf(what, sizeof what, "%s.%.*s has its place", where, ELELEM_STR_ARG(elelem_value_key(member)));
    lossless_now.items++;
    lossless_now.bytes += lossless_bytes(member);
    if (check_true(found, what, __FILE__, __LINE__)) return;
    lossless_now.items_lost++;
    lossless_now.bytes_lost += lossless_bytes(member);
}

static int is_of_end(const lossless_response *given, const char *key, elelem_value value)
{
    return given->end && lossless_has(given->end->value, elelem_str_of(key), value);
}

/* Totals run along: what an event counts is replaced by a later one. */
static void take_usage(const lossless_response *given, elelem_value usage, int is_last)
{
    elelem_value member = elelem_value_first(usage);

    for (; lossless_is_there(member); member = elelem_value_next(member))
        if (is_last) has_place("usage", member, lossless_has(elelem_value_get(given->end->value, "usage"), elelem_value_key(member), member));
        else lossless_except(member);
}

static void take_interaction(const lossless_response *given, elelem_value interaction, int is_last)
{
    static const char *const constant[] = { "object", "input" }; /* always the same word; what was sent */
    elelem_value member;
    size_t i;

    for (member = elelem_value_first(interaction); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        for (i = 0; i < 2 && !elelem_str_is(key, constant[i]); i++)
            ;
        if (elelem_str_is(key, "steps")) continue; /* they are compared */
        if (i < 2 || is_empty_text(member)) lossless_except(member);
        else if (elelem_str_is(key, "usage")) take_usage(given, member, is_last);
        else if (!elelem_str_is(key, "status")) has_place("interaction", member, lossless_has(given->about->value, key, member));
        else if (is_last) has_place("interaction", member, elelem_str_equal(lossless_str(given->raw_reason), elelem_value_text(member)));
        else CHECK(lossless_is(member, "in_progress"));
    }
}

static void take_event(const lossless_response *given, elelem_value event)
{
    static const char *const assembled[] = { "event_type", "index", "step", "delta" };
    int is_last = lossless_is(elelem_value_get(event, "event_type"), "interaction.completed");
    elelem_value member;
    size_t i;

    for (member = elelem_value_first(event); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        for (i = 0; i < 4 && !elelem_str_is(key, assembled[i]); i++)
            ;
        if (i < 4) continue;
        if (elelem_str_is(key, "interaction")) take_interaction(given, member, is_last);
        else if (elelem_str_is(key, "metadata") && CHECK_U64(elelem_value_count(member), 1)) take_usage(given, elelem_value_get(member, "usage"), 0);
        else if (elelem_str_is(key, "status")) CHECK(lossless_is(member, "in_progress"));
        else if (elelem_str_is(key, "interaction_id"))
            has_place("event", member, is_empty_text(member) || lossless_has(given->about->value, elelem_str_of("id"), member));
        else has_place("event", member, is_of_end(given, "event_id", member));
    }
}

static void take_whole(const lossless_response *given)
{
    elelem_value error = elelem_value_get(whole_body->value, "error");

    if (!lossless_is_there(error)) {
        take_interaction(given, whole_body->value, 1);
        return;
    }
    CHECK(elelem_str_equal(lossless_str(given->error_code), elelem_value_text(elelem_value_get(error, "code"))));
    CHECK(elelem_str_equal(lossless_str(given->error_message), elelem_value_text(elelem_value_get(error, "message"))));
}

/* Puts the steps together, from an event or from a whole body. */

static void assemble_event(elelem_value event)
{
    elelem_value step = elelem_value_get(event, "step"), delta = elelem_value_get(event, "delta");
    uint64_t number = 0;

    if (!lossless_is_there(step) && !lossless_is_there(delta)) return;
    CHECK_INT(elelem_value_to_uint64(elelem_value_get(event, "index"), &number), ELELEM_OK);
    if (lossless_is_there(step) && CHECK_U64(number, step_count)) open_step(step);
    if (lossless_is_there(delta) && CHECK(number < step_count)) take_delta(&steps[number], delta);
}

static void assemble(const lossless_response *given, const recording *r)
{
    elelem_str text;
    elelem_value step;
    size_t i;

    for (i = 0; r->body[0] != '{' && i < given->frame_count; i++)
        assemble_event(given->frames[i]->data.value);
    if (r->body[0] != '{') return;
    text.data = r->body;
    text.size = r->size;
    whole_body = lossless_json_of(text);
    for (step = elelem_value_first(elelem_value_get(whole_body->value, "steps")); lossless_is_there(step); step = elelem_value_next(step))
        open_step(step);
}

static void keeps_all(const recording *r)
{
    lossless_response *given = lossless_open(&elelem_shape_interactions, r);
    size_t i;

    assemble(given, r);
    if (whole_body) take_whole(given);
    for (i = 0; !whole_body && i < given->frame_count; i++)
        take_event(given, given->frames[i]->data.value);
    compare_steps(given);
    close_steps();
    lossless_close(given);
}

/* The same conversation whole: the body that lists the steps of a stream gives its items. */

static lossless_json *whole_of_stream(const lossless_response *given)
{
    lossless_json *json = lossless_json_new();
    elelem_writer writer = lossless_writer(json);
    size_t i;

    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    put_string(&writer, "status", lossless_str(given->raw_reason));
    put(&writer, "usage", elelem_value_get(given->end->value, "usage"));
    elelem_writer_key(&writer, elelem_str_of("steps"));
    elelem_writer_begin(&writer, ELELEM_TYPE_ARRAY);
    for (i = 0; i < step_count; i++)
        elelem_writer_value(&writer, wire_step_value(&steps[i]));
    elelem_writer_end(&writer, ELELEM_TYPE_ARRAY);
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    return json;
}

static void same_item(const lossless_item *a, const lossless_item *b, size_t number)
{
    const elelem_value none = ELELEM_INIT;

    CHECK_INT(a->kind, b->kind);
    CHECK_INT(a->state, b->state);
    CHECK_INT(a->hosted, b->hosted);
    CHECK(elelem_str_equal(lossless_str(a->type), lossless_str(b->type)));
    CHECK(elelem_str_equal(lossless_str(a->id), lossless_str(b->id)));
    CHECK(elelem_str_equal(lossless_str(a->name), lossless_str(b->name)));
    CHECK(elelem_str_equal(lossless_str(a->caption), lossless_str(b->caption)));
    if (a->kind != ELELEM_PART_PROVIDER_ITEM && a->kind != ELELEM_PART_TOOL_CALL)
        CHECK(elelem_str_equal(lossless_str(a->text), lossless_str(b->text)));
    lossless_equal("value", number, a->value ? a->value->value : none, b->value ? b->value->value : none);
    lossless_equal("metadata", number, a->metadata->value, b->metadata->value);
}

static void is_the_same_whole(const recording *r)
{
    static recording other;
    lossless_response *given = lossless_open(&elelem_shape_interactions, r), *whole;
    lossless_json *body;
    size_t i;

    assemble(given, r);
    if (!whole_body) {
        body = whole_of_stream(given);
        other = *r;
        other.body = (char *)(uintptr_t)elelem_buffer_text(&body->text).data;
        other.size = elelem_buffer_text(&body->text).size;
        whole = lossless_open(&elelem_shape_interactions, &other);
        CHECK_U64(whole->item_count, given->item_count);
        for (i = 0; i < given->item_count && i < whole->item_count; i++)
            same_item(given->items[i], whole->items[i], i);
        CHECK_INT(whole->reason, given->reason);
        CHECK_INT(whole->usage.reasoning, given->usage.reasoning);
        lossless_close(whole);
        lossless_json_free(body);
    }
    close_steps();
    lossless_close(given);
}

/* The next request. */

static elelem_conversation talk;
static lossless_json *expected;
static elelem_writer expecting;

static void say(const char *text)
{
    CHECK_INT(elelem_conversation_user(&talk, elelem_str_of(text)), ELELEM_OK);
    elelem_writer_begin(&expecting, ELELEM_TYPE_OBJECT);
    put_string(&expecting, "type", elelem_str_of("user_input"));
    elelem_writer_key(&expecting, elelem_str_of("content"));
    elelem_writer_begin(&expecting, ELELEM_TYPE_ARRAY);
    put_content(&expecting, elelem_str_of(text));
    elelem_writer_end(&expecting, ELELEM_TYPE_ARRAY);
    elelem_writer_end(&expecting, ELELEM_TYPE_OBJECT);
}

static void give_result(const lossless_item *call)
{
    elelem_talk_result result = ELELEM_INIT;

    result.id = lossless_str(call->id);
    result.name = lossless_str(call->name);
    result.text = elelem_str_of("fine");
    CHECK_INT(elelem_conversation_add_result(&talk, &result), ELELEM_OK);
    elelem_writer_begin(&expecting, ELELEM_TYPE_OBJECT);
    put_string(&expecting, "type", elelem_str_of("function_result"));
    put_string(&expecting, "call_id", result.id);
    put_string(&expecting, "name", result.name);
    put_string(&expecting, "result", result.text);
    elelem_writer_end(&expecting, ELELEM_TYPE_OBJECT);
}

static void add_turn(const recording *r)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn turn;
    elelem_turn_update update;

    desc.shape = &elelem_shape_interactions;
    elelem_turn_init(&turn, &desc);
    CHECK_INT(elelem_turn_push(&turn, r->body, r->size), ELELEM_OK);
    elelem_turn_finish(&turn);
    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        CHECK_INT(elelem_conversation_add(&talk, &update), ELELEM_OK);
    elelem_turn_free(&turn);
}

/* What the model said, and results of its calls. What a stored interaction repeats of the user is not the model's. */
static void hear(const recording *r)
{
    lossless_response *given = lossless_open(&elelem_shape_interactions, r);
    size_t i;

    add_turn(r);
    assemble(given, r);
    for (i = 0; i < step_count; i++)
        elelem_writer_value(&expecting, wire_step_value(&steps[i]));
    for (i = 0; i < given->item_count; i++)
        if (given->items[i]->kind == ELELEM_PART_TOOL_CALL) give_result(given->items[i]);
    close_steps();
    lossless_close(given);
}

static const char *const conversations[][3] = {
    { "google-multi-turn-stateless-turn1.sse", "google-multi-turn-stateless-turn2.sse", NULL },
    { "google-multi-turn-stateful-turn1.json", "google-multi-turn-stateful-turn2.json", NULL },
    { "google-tool-call-step1.json", "google-tool-call-step2.json", NULL },
    { "google-rig-interactions-tool-result-roundtrip.json", "google-rig-interactions-tool-result-roundtrip-2.json", NULL },
    { "google-rig-interactions-same-tool-twice.sse", NULL, NULL },
    { "google-google-search.sse", "google-rig-google-search-tool-interaction.json", NULL },
};

static const char *wanted;

static void hear_wanted(const recording *r)
{
    if (strcmp(r->name, wanted) == 0) hear(r);
}

/* Compares the input that is sent, with the members in `extra`, with what is expected. */
static void sends(const char *extra)
{
    elelem_request request = ELELEM_INIT;
    elelem_allocator plain = ELELEM_INIT;
    elelem_buffer body;
    lossless_json *sent;

    elelem_buffer_init(&body, plain, 0);
    request.provider = elelem_provider_find("google-interactions");
    request.model = elelem_str_of("gemini-3-flash-preview");
    request.extra = elelem_str_of(extra);
    request.history = elelem_conversation_text(&talk);
    CHECK_INT(elelem_request_write(&request, elelem_buffer_sink(&body)).status, ELELEM_OK);
    sent = lossless_json_of(elelem_buffer_text(&body));
    elelem_writer_end(&expecting, ELELEM_TYPE_ARRAY);
    lossless_read(expected);
    lossless_equal("input", 0, expected->value, elelem_value_get(sent->value, "input"));
    lossless_json_free(sent);
    elelem_buffer_free(&body);
}

static void expect_from_here(void)
{
    lossless_json_free(expected);
    expected = lossless_json_new();
    expecting = lossless_writer(expected);
    elelem_writer_begin(&expecting, ELELEM_TYPE_ARRAY);
}

TEST(the_steps_of_a_streamed_response_listed_in_a_whole_one_give_the_same_items)
{
    recordings_folder = "interactions";
    recordings_each("", "interactions", is_the_same_whole);
    lossless_report("interactions, whole and streamed");
}

static int is_recorded(const char *name)
{
    size_t size;
    char *body = streams_read(recordings_path(name), &size);

    free(body);
    return body != NULL;
}

TEST(recorded_conversations_continue_with_all_their_steps)
{
    elelem_allocator plain = ELELEM_INIT;
    size_t i, k;

    recordings_folder = "interactions";
    elelem_conversation_init(&talk, plain, 0);
    for (i = 0; i < sizeof conversations / sizeof *conversations && is_recorded(conversations[i][0]); i++) {
        elelem_conversation_clear(&talk);
        expect_from_here();
        say("What next?");
        for (k = 0; conversations[i][k]; k++) {
            wanted = conversations[i][k];
            recordings_each("", "interactions", hear_wanted);
            if (k > 0) say("And then?");
        }
        sends("");
    }
    elelem_conversation_free(&talk);
    lossless_json_free(expected);
    expected = NULL;
    lossless_report("interactions sent again");
}

/* A stored interaction has the steps: what comes after the model's last is sent. */
TEST(recorded_conversations_that_are_stored_continue_with_what_is_new)
{
    elelem_allocator plain = ELELEM_INIT;
    size_t i, k, calls;

    recordings_folder = "interactions";
    elelem_conversation_init(&talk, plain, 0);
    for (i = 0; i < sizeof conversations / sizeof *conversations; i++) {
        lossless_response *given;
        static recording r;
        elelem_conversation_clear(&talk);
        expect_from_here();
        say("What next?");
        r.body = streams_read(recordings_path(conversations[i][0]), &r.size);
        if (!r.body) break;
        given = lossless_open(&elelem_shape_interactions, &r);
        add_turn(&r);
        expect_from_here();
        for (k = 0, calls = 0; k < given->item_count; k++) {
            if (given->items[k]->kind != ELELEM_PART_TOOL_CALL) continue;
            give_result(given->items[k]);
            calls++;
        }
        if (calls == 0) say("And then?");
        sends("\"previous_interaction_id\":\"v1_1\"");
        lossless_close(given);
        free(r.body);
    }
    elelem_conversation_free(&talk);
    lossless_json_free(expected);
    expected = NULL;
    lossless_report("interactions stored");
}

TEST(nothing_of_recorded_responses_is_lost)
{
    recordings_folder = "interactions";
    recordings_each("", "interactions", keeps_all);
    lossless_report("interactions");
}

CHECK_MAIN("lossless_interactions",
    RUN(nothing_of_recorded_responses_is_lost)
    RUN(the_steps_of_a_streamed_response_listed_in_a_whole_one_give_the_same_items)
    RUN(recorded_conversations_continue_with_all_their_steps)
    RUN(recorded_conversations_that_are_stored_continue_with_what_is_new))
