/* conversation, collector: the first byte chooses the shape, the second the shape of a request, the rest is the body of a
   response, in pieces of the size of the third. What a conversation keeps of any response can be stored, read again and
   sent to every shape; a response that was collected has the same items. None of the objects holds more memory than its desc says,
   and the steps are in proportion to the bytes; but an item goes before the results that are there and moves them, and may take
   steps in proportion to the lines. */
#include "elelem_stream.h"

#include "must.h"
#include "mutate_values.h"
#include "work_law.h"

#include <stdint.h>

#define MAX_BYTES 8192
#define SETTINGS 3 /* bytes */
#define TALK_BYTES (1u << 20)
#define STEPS_ALWAYS 50000u
#define STEPS_PER_BYTE 2800u
#define STEPS_PER_ADD 10000u /* and for each byte of the lines */
#define STEPS_PER_BYTE_OF_ADD 20u

static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                              &elelem_shape_gemini, &elelem_shape_interactions };

static elelem_conversation talk, again;
static elelem_collector collector;

/* One heap each for the conversations, the collector and the turn. */
static limits_heap heaps[4];
static size_t item_count; /* of choice 0 */

/* The steps are counted apart. */
static void add(const elelem_turn_update *update)
{
    uint64_t before = counted_steps;

    MUST(elelem_conversation_add(&talk, update) == ELELEM_OK);
    MUST(work_held(before, STEPS_PER_ADD + (uint64_t)STEPS_PER_BYTE_OF_ADD * elelem_conversation_text(&talk).size));
    counted_steps = before;
}

static void take(elelem_turn *turn)
{
    elelem_turn_update update;

    while (elelem_turn_next(turn, &update) == ELELEM_OK) {
        add(&update);
        MUST(elelem_collector_push(&collector, &update) == ELELEM_OK);
        if (update.item && update.item->choice == 0) item_count++;
        if (update.kind == ELELEM_TURN_TOOL_CALL_DONE && update.item->choice == 0)
            MUST(elelem_conversation_result(&talk, &update.tool_call, elelem_str_of("done"), 0) == ELELEM_OK);
    }
}

static void check_request(const elelem_shape *shape)
{
    elelem_request request = ELELEM_INIT;
    elelem_allocator allocator = ELELEM_INIT;
    elelem_buffer body;
    elelem_json_desc deep = ELELEM_INIT;
    elelem_json json;
    elelem_error error;

    elelem_buffer_init(&body, allocator, 0);
    request.shape = shape;
    request.model = elelem_str_of("m");
    request.history = elelem_conversation_text(&talk);
    deep.max_depth = 1024; /* arguments may be 512 deep, and the body around them is deeper */
    error = elelem_request_write(&request, elelem_buffer_sink(&body));
    if (error.status == ELELEM_ERROR_COUNT) { /* too many calls in one response */
        MUST(elelem_buffer_text(&body).size == 0);
    } else {
        MUST(error.status == ELELEM_OK);
        MUST(elelem_value_type(elelem_json_read(&json, elelem_buffer_text(&body), &deep)) == ELELEM_TYPE_OBJECT);
        elelem_json_free(&json);
    }
    elelem_buffer_free(&body);
}

static void check_stored(void)
{
    elelem_str lines = elelem_conversation_text(&talk);

    MUST(elelem_conversation_set_text(&again, lines).status == ELELEM_OK);
    MUST(elelem_str_equal(elelem_conversation_text(&again), lines));
    MUST(elelem_conversation_cut(&again, lines.size / 2) <= lines.size);
    MUST(elelem_conversation_take_back(&talk) == lines.size); /* the user spoke once */
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_values(data, size, most, seed, SETTINGS);
}

static void begin(void)
{
    elelem_collector_desc desc = ELELEM_INIT;

    memset(heaps, 0, sizeof heaps);
    heaps[0].bound = heaps[1].bound = TALK_BYTES;
    elelem_conversation_init(&talk, limits_allocator(&heaps[0]), TALK_BYTES);
    elelem_conversation_init(&again, limits_allocator(&heaps[1]), TALK_BYTES);
    heaps[2].bound = 6 * ((uint64_t)64 << 20) + 65536;
    desc.allocator = limits_allocator(&heaps[2]);
    elelem_collector_init(&collector, &desc);
}

static void end(void)
{
    size_t i;

    elelem_collector_free(&collector);
    elelem_conversation_free(&talk);
    elelem_conversation_free(&again);
    for (i = 0; i < sizeof heaps / sizeof *heaps; i++)
        MUST(heaps[i].live == 0 && heaps[i].blocks == 0 && limits_held(&heaps[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_response response;
    elelem_turn turn;
    uint64_t before = counted_steps;
    size_t at, piece;

    if (size < SETTINGS || size > MAX_BYTES) return 0;
    desc.shape = shapes[data[0] & 128 ? 4 : data[0] % 4];
    if (data[1] & 64) desc.max_frame_bytes = 2000;
    if (data[1] & 64) desc.max_kept_bytes = desc.max_item_bytes = 500;
    piece = data[2] > 0 ? data[2] : size;
    item_count = 0;
    begin();
    heaps[3].bound = limits_of_turn(&desc);
    desc.allocator = limits_allocator(&heaps[3]);
    MUST(elelem_conversation_user(&talk, elelem_str_of("Hi")) == ELELEM_OK);
    MUST(elelem_turn_init(&turn, &desc) == ELELEM_OK);
    for (at = 3; at < size; at += piece) {
        if (elelem_turn_push(&turn, data + at, piece < size - at ? piece : size - at) != ELELEM_OK) break;
        take(&turn);
    }
    elelem_turn_finish(&turn);
    take(&turn);
    MUST(elelem_collector_response(&collector, &response) == ELELEM_OK);
    MUST(elelem_value_count(response.items) == item_count);
    check_request(shapes[data[1] & 128 ? 4 : data[1] % 4]);
    check_stored();
    elelem_turn_free(&turn);
    end();
    MUST(work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size));
    return 0;
}
