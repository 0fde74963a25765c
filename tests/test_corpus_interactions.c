/* Recorded responses of Interactions, streamed and whole, and refusals; the long ones are cut off at every byte in
   deep_interactions.c. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "recorded_laws.h"

static const char *const signals[] = { "\"completed\"", "\"requires_action\"", "\"incomplete\"", "\"agent\"", NULL };
static const laws_options options = { &elelem_shape_interactions, signals, 8192, 400 };

/* Cut into two at every byte. */
static void gives_the_same(const recording *r)
{
    streams_shape(&elelem_shape_interactions);
    streams_now.http_status = r->status;
    if (r->size <= 8192) streams_give(r->body, r->size, NULL, __FILE__, __LINE__);
}

TEST(recorded_responses_give_the_same_events_however_they_are_cut)
{
    recordings_folder = "interactions";
    if (!recordings_each("", "interactions", gives_the_same)) check_nothing("no recordings (set ELELEM_CORPUS)");
    elelem_stream_free(&streams_now.stream);
}

TEST(recorded_responses_keep_the_laws)
{
    recordings_folder = "interactions";
    laws_of_recordings("", &options);
}

/* The steps of a response go back in the next request as they came. */

static elelem_conversation talk;
static char sent_body[1 << 18];

static void add_response(const recording *r)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn turn;
    elelem_turn_update update;

    desc.shape = &elelem_shape_interactions;
    elelem_turn_init(&turn, &desc);
    elelem_turn_push(&turn, r->body, r->size);
    elelem_turn_finish(&turn);
    while (elelem_turn_next(&turn, &update) == ELELEM_OK)
        CHECK_INT(elelem_conversation_add(&talk, &update), ELELEM_OK);
    elelem_turn_free(&turn);
}

static elelem_value sent_input(elelem_json *json)
{
    elelem_request request = ELELEM_INIT;
    elelem_span_sink span;
    elelem_str text;

    request.provider = elelem_provider_find("google-interactions");
    request.model = elelem_str_of("gemini-3-flash-preview");
    request.history = elelem_conversation_text(&talk);
    span.data = sent_body;
    span.capacity = sizeof sent_body;
    span.size = 0;
    CHECK_INT(elelem_request_write(&request, elelem_span_sink_of(&span)).status, ELELEM_OK);
    text.data = sent_body;
    text.size = span.size;
    return elelem_value_get(elelem_json_read(json, text, NULL), "input");
}

static int is_same_value(elelem_value a, elelem_value b);

/* Nonzero if all members of one object are in the other. */
static int has_members_of(elelem_value a, elelem_value b)
{
    elelem_value member = elelem_value_first(b);

    for (; elelem_value_type(member); member = elelem_value_next(member)) {
        elelem_value other;
        char key[100];
        snprintf(key, sizeof key, "%.*s", ELELEM_STR_ARG(elelem_value_key(member)));
        other = elelem_value_get(a, key);
        if (!is_same_value(other, member)) return 0;
    }
    return 1;
}

static int is_same_value(elelem_value a, elelem_value b)
{
    elelem_value x = elelem_value_first(a), y = elelem_value_first(b);

    if (elelem_value_type(a) != elelem_value_type(b)) return 0;
    if (elelem_value_type(a) == ELELEM_TYPE_OBJECT) return has_members_of(a, b) && has_members_of(b, a);
    if (elelem_value_type(a) != ELELEM_TYPE_ARRAY) return elelem_str_equal(elelem_value_text(a), elelem_value_text(b));
    for (; elelem_value_type(x) && elelem_value_type(y); x = elelem_value_next(x), y = elelem_value_next(y))
        if (!is_same_value(x, y)) return 0;
    return !elelem_value_type(x) && !elelem_value_type(y);
}

static void goes_back(const recording *r)
{
    elelem_json recorded, sent;
    elelem_str text;
    elelem_value steps, input;

    text.data = r->body;
    text.size = r->size;
    steps = elelem_value_first(elelem_value_get(elelem_json_read(&recorded, text, NULL), "steps"));
    if (elelem_value_type(steps) && r->body[0] == '{') {
        elelem_conversation_clear(&talk);
        CHECK_INT(elelem_conversation_user(&talk, elelem_str_of("q")), ELELEM_OK);
        add_response(r);
        input = elelem_value_next(elelem_value_first(sent_input(&sent)));
        for (; elelem_value_type(steps); steps = elelem_value_next(steps), input = elelem_value_next(input))
            CHECK(is_same_value(input, steps));
        elelem_json_free(&sent);
    }
    elelem_json_free(&recorded);
}

TEST(the_steps_of_a_recorded_response_go_back_as_they_came)
{
    elelem_allocator allocator = ELELEM_INIT;

    recordings_folder = "interactions";
    elelem_conversation_init(&talk, allocator, 0);
    if (!recordings_each("", "interactions", goes_back)) check_nothing("no recordings (set ELELEM_CORPUS)");
    elelem_conversation_free(&talk);
}

CHECK_MAIN("corpus_interactions",
    RUN(recorded_responses_give_the_same_events_however_they_are_cut)
    RUN(recorded_responses_keep_the_laws)
    RUN(the_steps_of_a_recorded_response_go_back_as_they_came))
