/* Recorded responses, collected: what is collected is what the events gave piece by piece. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "check.h"
#include "feed.h"
#include "streams.h"
#include "recordings.h"
#include "lossless.h"

static const elelem_shape *shape_now;

static void collect(elelem_collector *collector, const recording *r)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn turn;
    elelem_turn_update update;
    size_t at, piece;

    desc.shape = shape_now;
    desc.keep_argument_text = 1;
    elelem_turn_init(&turn, &desc);
    elelem_turn_http_status(&turn, r->status);
    elelem_collector_init(collector, NULL);
    for (at = 0; at <= r->size; at += 1000) {
        piece = r->size - at < 1000 ? r->size - at : 1000;
        CHECK_INT(elelem_turn_push(&turn, r->body + at, piece), ELELEM_OK);
        if (piece < 1000) elelem_turn_finish(&turn);
        while (elelem_turn_next(&turn, &update) == ELELEM_OK)
            CHECK_INT(elelem_collector_push(collector, &update), ELELEM_OK);
    }
    elelem_turn_free(&turn);
}

/* The line of the item with this index; no value if there is none. */
static elelem_value line_of(elelem_value items, uint32_t index)
{
    elelem_value item = elelem_value_first(items);
    uint64_t number = 0;

    for (; lossless_is_there(item); item = elelem_value_next(item))
        if (elelem_value_to_uint64(elelem_value_get(item, "index"), &number) == ELELEM_OK && number == index) break;
    return item;
}

static void is_text(elelem_value line, const char *key, lossless_text text)
{
    elelem_str is = elelem_value_text(elelem_value_get(line, key));

    CHECK_BYTES(is.data, is.size, text.data, text.size);
}

static void is_collected(const lossless_item *item, size_t number, elelem_value line)
{
    static const char *const values[] = { "", "", "value", "arguments", "item" };

    CHECK(lossless_is_there(line));
    if (elelem_value_count(item->metadata->value) > 0)
        lossless_equal("metadata of item", number, item->metadata->value, elelem_value_get(line, "metadata"));
    if (item->value) lossless_equal("item", number, item->value->value, elelem_value_get(line, values[item->kind]));
    else if (item->kind != ELELEM_PART_TOOL_CALL) is_text(line, "text", item->text);
    if (item->kind != ELELEM_PART_TOOL_CALL) return;
    is_text(line, "id", item->id);
    is_text(line, "name", item->name);
}

/* The end; the reason and the texts of choice 0. */
static void ends_alike(const lossless_response *given, const elelem_response *response)
{
    elelem_buffer text;
    elelem_allocator plain = ELELEM_INIT;
    size_t i;

    elelem_buffer_init(&text, plain, 0);
    for (i = 0; i < given->item_count; i++)
        if (given->items[i]->kind == ELELEM_PART_MESSAGE && given->items[i]->choice == 0)
            CHECK_INT(elelem_buffer_append(&text, given->items[i]->text.data, given->items[i]->text.size), ELELEM_OK);
    CHECK_U64(response->text.size, elelem_buffer_text(&text).size); /* items may end in another order than they begin */
    elelem_buffer_free(&text);
    CHECK_INT(response->is_error, given->kind == ELELEM_EVENT_ERROR);
    CHECK_INT(response->reason, given->reason);
    CHECK_BYTES(response->raw_reason.data, response->raw_reason.size, given->raw_reason.data, given->raw_reason.size);
    CHECK_BYTES(response->error.message.data, response->error.message.size, given->error_message.data, given->error_message.size);
    CHECK_INT(response->usage.input, given->usage.input);
    CHECK_INT(response->usage.output, given->usage.output);
}

static void is_collected_whole(const recording *r)
{
    lossless_response *given = lossless_open(shape_now, r);
    elelem_collector collector;
    elelem_response response;
    size_t i, of_choice = 0, calls = 0;

    collect(&collector, r);
    if (CHECK_INT(elelem_collector_response(&collector, &response), ELELEM_OK)) {
        for (i = 0; i < given->item_count; i++) {
            const lossless_item *item = given->items[i];
            if (item->choice != 0) continue;
            of_choice++;
            calls += item->kind == ELELEM_PART_TOOL_CALL;
            is_collected(item, i, line_of(response.items, item->index));
        }
        CHECK_U64(elelem_value_count(response.items), of_choice);
        CHECK_U64(elelem_value_count(response.tool_calls), calls);
        ends_alike(given, &response);
    }
    elelem_collector_free(&collector);
    lossless_close(given);
}

TEST(recorded_responses_are_collected_whole)
{
    static const struct {
        const char *folder;
        const elelem_shape *shape;
    } rows[] = { { "chat/", &elelem_shape_chat },
                 { "responses/", &elelem_shape_responses },
                 { "messages/", &elelem_shape_messages },
                 { "gemini/", &elelem_shape_gemini },
                 { "", &elelem_shape_interactions } };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        shape_now = rows[i].shape;
        recordings_folder = rows[i].shape == &elelem_shape_interactions ? "interactions" : "streams";
        recordings_each(rows[i].folder, rows[i].shape->name, is_collected_whole);
    }
    lossless_report("collected");
}

CHECK_MAIN("corpus_collector", RUN(recorded_responses_are_collected_whole))
