/* Every limit of every desc, from 1 on: an object does with a limit what it does without, or ends in the error that the
   limit names, with the memory that its formula allows. It never takes part of an input for the whole. */
#include "elelem_stream.h"

#include "limits.h"
#include "objects.h"

typedef struct limit {
    const char *name;
    const objects_row *row;
    void *field;          /* in the desc that the row's init starts from */
    size_t width;
    elelem_status error;  /* what an object ends in that met the limit */
    uint64_t (*bound)(void); /* of its memory; null: no formula */
    const char *input;    /* null: the row's own */
} limit;

/* The formulas, over the descs as they are. */

static uint64_t bound_of_parser(void)
{
    return limits_of_parser(&objects_desc.parser);
}

static uint64_t bound_of_tree(void)
{
    return limits_of_aggregator(&objects_desc.tree);
}

static uint64_t bound_of_decoder(void)
{
    return limits_of_decoder(&objects_desc.decoder);
}

static uint64_t bound_of_builder(void)
{
    return limits_of_builder(&objects_desc.builder);
}

static uint64_t bound_of_recorder(void)
{
    elelem_recorder_desc desc = objects_desc.recorder;

    desc.tool_calls = 1; /* as init sets it */
    return limits_of_recorder(&desc);
}

static uint64_t bound_of_replayer(void)
{
    return limits_of_replayer(&objects_desc.replayer);
}

static uint64_t bound_of_coalescer(void)
{
    return limits_of_coalescer(&objects_desc.coalescer);
}

static uint64_t bound_of_history(void)
{
    return limits_of_history_builder(&objects_desc.history);
}

static uint64_t bound_of_reader(void)
{
    return limits_of_history_reader(&objects_desc.reader);
}

static uint64_t bound_of_item_reader(void)
{
    return limits_of_item_reader(&objects_desc.item_reader);
}

#define bound_of_collector objects_collector_bound
#define bound_of_conversation objects_conversation_bound
#define bound_of_json objects_json_bound
#define bound_of_buffer objects_buffer_bound

#define CHOICES                                                                                                        \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}},{\"index\":1,\"delta\":{\"content\":\"b\"}},"       \
    "{\"index\":2,\"delta\":{\"content\":\"c\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"},"      \
    "{\"index\":1,\"finish_reason\":\"stop\"},{\"index\":2,\"finish_reason\":\"stop\"}]}\n\n"

#define TWO_KEYS                                                                                                       \
    "data: {\"choices\":[{\"delta\":{\"content\":\"a\",\"annotations\":[{\"type\":\"url_citation\",\"url_citation\":"           \
    "{\"url\":\"u\"}}],\"provider_metadata\":{\"p\":1}},\"finish_reason\":\"stop\"}]}\n\n"

#define ROW(row, number, field, error, input) \
    { #row "." #field, &objects[number], &objects_desc.row.field, sizeof objects_desc.row.field, error, bound_of_##row, input }
#define bound_of_stream NULL
#define bound_of_turn NULL
#define bound_of_thoughts NULL

static const limit limits[] = {
    ROW(parser, 0, max_depth, ELELEM_ERROR_DEPTH, NULL),
    ROW(parser, 0, max_key_bytes, ELELEM_ERROR_KEY_SIZE, NULL),
    ROW(parser, 0, max_path_bytes, ELELEM_ERROR_PATH_SIZE, NULL),
    ROW(parser, 0, max_number_bytes, ELELEM_ERROR_NUMBER_SIZE, NULL),
    ROW(parser, 0, max_string_bytes, ELELEM_ERROR_STRING_SIZE, NULL),
    ROW(parser, 0, max_total_bytes, ELELEM_ERROR_TOTAL_SIZE, NULL),
    ROW(tree, 1, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(tree, 1, max_string_bytes, ELELEM_ERROR_STRING_SIZE, NULL),
    ROW(tree, 1, max_depth, ELELEM_ERROR_DEPTH, NULL),
    ROW(decoder, 2, max_name_bytes, ELELEM_ERROR_LINE_SIZE, NULL),
    ROW(decoder, 2, max_data_bytes, ELELEM_ERROR_FRAME_SIZE, "data: a\n\ndata: bc\ndata:\ndata: d\n\n"),
    ROW(thoughts, 4, max_open, ELELEM_ERROR_COUNT, NULL),
    ROW(stream, 5, max_frame_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(stream, 5, max_kept_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(stream, 5, max_open_items, ELELEM_ERROR_COUNT, NULL),
    ROW(stream, 5, max_choices, ELELEM_ERROR_COUNT, CHOICES),
    ROW(builder, 6, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(builder, 6, max_open, ELELEM_ERROR_COUNT, NULL),
    ROW(builder, 6, max_metadata, ELELEM_ERROR_COUNT, TWO_KEYS),
    ROW(turn, 7, max_frame_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(turn, 7, max_kept_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(turn, 7, max_open_items, ELELEM_ERROR_COUNT, NULL),
    ROW(turn, 7, max_choices, ELELEM_ERROR_COUNT, CHOICES),
    ROW(turn, 7, max_item_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(recorder, 8, max_call_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(recorder, 8, max_calls, ELELEM_ERROR_COUNT, NULL),
    ROW(replayer, 9, max_line_bytes, ELELEM_ERROR_LINE_SIZE, NULL),
    ROW(coalescer, 10, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(coalescer, 10, max_calls, ELELEM_ERROR_COUNT, NULL),
    ROW(history, 11, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(history, 11, max_calls, ELELEM_ERROR_COUNT, NULL),
    ROW(reader, 12, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(item_reader, 13, max_line_bytes, ELELEM_ERROR_LINE_SIZE, NULL),
    ROW(item_reader, 13, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(item_reader, 13, max_open, ELELEM_ERROR_COUNT, NULL),
    ROW(collector, 14, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(conversation, 15, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(json, 16, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    ROW(json, 16, max_depth, ELELEM_ERROR_DEPTH, NULL),
    ROW(buffer, 17, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
};

#define LIMITS_COUNT (sizeof limits / sizeof *limits)

static void set(const limit *l, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;

    if (l->width == sizeof narrow) memcpy(l->field, &narrow, sizeof narrow);
    else if (l->width == sizeof value) memcpy(l->field, &value, sizeof value);
    else abort();
}

static feed_log whole, now;
static elelem_error error_now;

/* The start of the line that ends before `size`. */
static size_t line_before(const feed_log *log, size_t size)
{
    size_t start = size > 0 ? size - 1 : 0;

    while (start > 0 && log->text[start - 1] != '\n')
        start--;
    return start;
}

/* The log without its last line end. If the end of a stream or a turn is an error, also without that, and `*error` is
   its status. */
static size_t without_error(const feed_log *log, elelem_status *error)
{
    size_t start = line_before(log, log->size);

    if (log->size - start < 8 || memcmp(log->text + start, "status ", 7) != 0) return log->size > 0 ? log->size - 1 : 0;
    *error = (elelem_status)atoi(log->text + start + 7);
    return line_before(log, start);
}

/* Runs with the limit. Returns the error it ended in, or END; a part of the input taken for the whole fails. */
static elelem_status run(const limit *l, uint64_t value, elelem_status expected)
{
    limits_heap heap = ELELEM_INIT;
    elelem_status status;
    size_t size;

    check_cut("a limit of", (size_t)value);
    set(l, value);
    heap.bound = l->bound ? l->bound() : 0;
    objects_allocator = limits_allocator(&heap);
    l->row->init();
    status = objects_once(l->row, &now);
    error_now = l->row->error();
    size = without_error(&now, &status);
    CHECK(size <= whole.size && memcmp(now.text, whole.text, size) == 0);
    if (status == expected) CHECK_BYTES(now.text, now.size, whole.text, whole.size);
    else CHECK_INT(status, l->error);
    CHECK(limits_held(&heap));
    l->row->free();
    CHECK_INT(heap.live, 0);
    set(l, 0);
    return status;
}

static void choose(const limit *l, size_t piece)
{
    objects_choose(l->row, piece);
    if (l->input) objects_feed(l->input, strlen(l->input), piece);
}

/* What comes without the limit. */
static elelem_status run_without(const limit *l)
{
    static const elelem_allocator plain = ELELEM_INIT;
    elelem_status status;

    objects_allocator = plain;
    l->row->init();
    status = objects_once(l->row, &whole);
    l->row->free();
    return status;
}

/* The smallest limit under which all comes; every larger one must do, every smaller one must not. */
static uint64_t smallest(const limit *l)
{
    elelem_status expected = run_without(l);
    uint64_t value, found = 0;

    CHECK_INT(expected, ELELEM_END);
    for (value = 1; value < 70000; value += value / 24 + 1) {
        elelem_status status = run(l, value, expected);
        if (found == 0 && status == expected) found = value;
        if (found > 0) CHECK_INT(status, expected);
        if (found > 0 && value > 2 * found + 20) break;
    }
    check_cut(NULL, 0);
    return found;
}

TEST(a_limit_of_one_or_more_is_kept_or_met_with_its_error) /* A2 */
{
    size_t i;

    for (i = 0; i < LIMITS_COUNT; i++) {
        check_context(limits[i].name);
        choose(&limits[i], 1u << 20);
        CHECK(smallest(&limits[i]) > 1); /* one is not enough for these inputs */
    }
}

TEST(a_limit_is_met_at_the_same_byte_however_the_input_is_cut)
{
    static const size_t pieces[] = { 1, 2, 7, 64 };
    size_t i, k;

    for (i = 0; i < LIMITS_COUNT; i++) {
        uint64_t value;
        check_context(limits[i].name);
        for (value = 1; value < 400; value += value / 6 + 1) {
            elelem_status expected, status;
            elelem_error error;
            choose(&limits[i], 1u << 20);
            expected = run_without(&limits[i]);
            status = run(&limits[i], value, expected);
            error = error_now;
            for (k = 0; k < 4; k++) {
                choose(&limits[i], pieces[k]);
                run_without(&limits[i]);
                CHECK_INT(run(&limits[i], value, expected), status);
                CHECK_INT(error_now.status, error.status);
                CHECK_U64(error_now.offset, error.offset);
            }
        }
    }
    check_cut(NULL, 0);
}

/* What an object counts against its limits is not there any more after a reset. */
TEST(a_reset_gives_back_what_counts_against_a_limit) /* C5 */
{
    static const elelem_allocator plain = ELELEM_INIT;
    size_t i, stop, round;

    for (i = 0; i < LIMITS_COUNT; i++) {
        const limit *l = &limits[i];
        uint64_t least;
        check_context(l->name);
        choose(l, 5);
        least = smallest(l);
        set(l, least);
        objects_allocator = plain;
        l->row->init();
        for (stop = 0; stop < objects_size; stop += objects_size / 9 + 1)
            for (round = 0; round < 3; round++) {
                objects_stop = stop;
                objects_once(l->row, &now);
                objects_stop = objects_size;
                l->row->reset();
            }
        CHECK_INT(objects_once(l->row, &now), ELELEM_END);
        CHECK_BYTES(now.text, now.size, whole.text, whole.size);
        l->row->free();
        set(l, 0);
    }
}

/* An object that met a limit, be it in the middle, does the same again after a reset, and has no error before. */
TEST(after_the_error_of_a_limit_a_reset_starts_over)
{
    static const elelem_allocator plain = ELELEM_INIT;
    size_t i, share;

    for (i = 0; i < LIMITS_COUNT; i++)
        for (share = 1; share <= 3; share++) {
            const limit *l = &limits[i];
            elelem_status status;
            elelem_error error, fresh;
            uint64_t least;
            check_context(l->name);
            choose(l, 5);
            least = smallest(l);
            set(l, 1 + (least - 2) * share / 3);
            objects_allocator = plain;
            l->row->init();
            fresh = l->row->error();
            status = objects_once(l->row, &whole);
            error = l->row->error();
            l->row->reset();
            CHECK_INT(l->row->error().status, fresh.status);
            CHECK_U64(l->row->error().offset, fresh.offset);
            CHECK_INT(objects_once(l->row, &now), status);
            CHECK_BYTES(now.text, now.size, whole.text, whole.size);
            CHECK_INT(l->row->error().status, error.status);
            CHECK_U64(l->row->error().offset, error.offset);
            l->row->free();
            set(l, 0);
        }
}

#define SAY(text) OBJECTS_SAY("\"content\":\"" text "\"")
#define CALL(index) OBJECTS_CALL("\"index\":" index ",\"id\":\"c" index "\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}")
#define END_OF_CHAT "data: [DONE]\n\n"

TEST(a_limit_of_one_allows_one_and_refuses_two) /* C8 */
{
    static const struct {
        const char *limit;
        const char *one;
        const char *two;
    } rows[] = {
        { "parser.max_depth", "[1]", "[[]]" },
        { "parser.max_key_bytes", "{\"a\":{\"b\":{\"\":0}}}", "{\"\\u0061b\":0}" },
        { "parser.max_path_bytes", "{\"a\":[{\"\":0}],\"b\":0}", "{\"a\":{\"b\":0}}" },
        { "parser.max_number_bytes", "[1,2]", "[1,23]" },
        { "parser.max_string_bytes", "[\"a\",\"\\u0062\",\"\"]", "[\"ab\"]" },
        { "parser.max_total_bytes", "1", "12" },
        { "tree.max_string_bytes", "[\"a\",\"b\",\"\"]", "[\"ab\"]" },
        { "tree.max_depth", "{\"a\":1}", "{\"a\":[]}" },
        { "json.max_depth", "{\"a\":1}", "{\"a\":[]}" },
        { "buffer.max_bytes", "a", "ab" },
        { "decoder.max_name_bytes", "id: 1\nevent: a\ndata: some\n\nid: 2\ndata: thing\n\n", "id: 12\ndata: a\n\n" },
        { "decoder.max_data_bytes", "data: a\n\ndata:\ndata:\n\n", "data:\ndata:a\n\n" },
        { "thoughts.max_open", SAY("<think>a</think>b") END_OF_CHAT, CALL("0") CALL("1") END_OF_CHAT },
        { "stream.max_open_items", SAY("a") OBJECTS_SAY("\"reasoning\":\"b\"") END_OF_CHAT, CALL("0") CALL("1") END_OF_CHAT },
        { "stream.max_choices", SAY("a") END_OF_CHAT,
          SAY("a") "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n" END_OF_CHAT },
        { "builder.max_open", SAY("a") OBJECTS_SAY("\"reasoning\":\"b\"") END_OF_CHAT, CALL("0") CALL("1") END_OF_CHAT },
        { "builder.max_metadata", OBJECTS_SAY("\"content\":\"a\",\"provider_metadata\":{\"p\":1}") END_OF_CHAT, TWO_KEYS },
        { "turn.max_open_items", SAY("a") OBJECTS_SAY("\"reasoning\":\"b\"") END_OF_CHAT, CALL("0") CALL("1") END_OF_CHAT },
        { "turn.max_choices", SAY("a") END_OF_CHAT,
          SAY("a") "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n" END_OF_CHAT },
        { "recorder.max_calls", CALL("0") END_OF_CHAT, CALL("0") CALL("1") END_OF_CHAT },
        { "coalescer.max_calls", CALL("0") END_OF_CHAT, CALL("0") CALL("1") END_OF_CHAT },
        { "history.max_calls", CALL("0") END_OF_CHAT, CALL("0") CALL("1") END_OF_CHAT },
    };
    size_t i, k, piece;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (k = 0; k < LIMITS_COUNT; k++) {
            limit l = limits[k];
            if (strcmp(l.name, rows[i].limit) != 0) continue;
            for (piece = 1; piece < 10000; piece *= 7) {
                check_context(l.name);
                l.input = rows[i].one;
                choose(&l, piece);
                CHECK_U64(smallest(&l), 1);
                l.input = rows[i].two;
                choose(&l, piece);
                CHECK_U64(smallest(&l), 2);
            }
        }
}

/* Limits of the tag splitter make text of tags, and lose none of it. */
static void split(const char *text, size_t piece)
{
    elelem_tag_splitter splitter;
    elelem_tag_piece out;
    char joined[300];
    size_t at, size = strlen(text), used = 0;

    elelem_tag_splitter_init(&splitter, &objects_desc.splitter);
    for (at = 0; at <= size; at += piece) {
        if (at < size) elelem_tag_splitter_push(&splitter, text + at, piece < size - at ? piece : size - at);
        if (at + piece > size) elelem_tag_splitter_finish(&splitter);
        while (elelem_tag_splitter_next(&splitter, &out) == ELELEM_OK) {
            if (!CHECK(used + out.text.size + out.raw.size <= sizeof joined)) return;
            if (out.text.size > 0) memcpy(joined + used, out.text.data, out.text.size);
            used += out.text.size;
            if (out.raw.size > 0) memcpy(joined + used, out.raw.data, out.raw.size);
            used += out.raw.size;
        }
    }
    CHECK_INT(elelem_tag_splitter_error(&splitter).status, ELELEM_OK);
    CHECK_BYTES(joined, used, text, size);
    elelem_tag_splitter_free(&splitter);
}

TEST(no_limit_of_tags_loses_text) /* P7 */
{
    static const char text[] = "a <think id=\"one\" x=1> b<think><think/> c</think></think> d</think>\xc3\xa9 <think a b c='d'>e < f <thi";
    uint32_t *fields[3];
    size_t i, piece;
    uint32_t value;

    fields[0] = &objects_desc.splitter.max_tag_bytes;
    fields[1] = &objects_desc.splitter.max_attributes;
    fields[2] = &objects_desc.splitter.max_depth;
    for (i = 0; i < 3; i++)
        for (value = 1; value < 40; value++)
            for (piece = 1; piece <= sizeof text; piece *= 3) {
                check_cut("a limit of", value);
                *fields[i] = value;
                split(text, piece);
                *fields[i] = 0;
            }
    check_cut(NULL, 0);
}

/* A splitter with one small limit, reset after any byte and before any piece, does what a new one does. */
static void reset_splitter(size_t stop, size_t left)
{
    const objects_row *splitter = &objects[3];

    objects_stop = stop;
    objects_left = left;
    objects_once(splitter, &now);
    objects_stop = objects_size;
    objects_left = OBJECTS_ALL;
    splitter->reset();
    CHECK_INT(objects_once(splitter, &now), ELELEM_END);
    CHECK_BYTES(now.text, now.size, whole.text, whole.size);
    splitter->reset();
}

TEST(a_reset_forgets_the_tags_that_limits_made_text)
{
    static const elelem_allocator plain = ELELEM_INIT;
    static const char text[] = "  <think> b<think> <cite id='c'> </think></cite> d</think> </think>          <cite e f=g> < h <thi </think> <think";
    uint32_t *fields[3];
    size_t i, stop, piece;
    uint32_t value;

    fields[0] = &objects_desc.splitter.max_tag_bytes;
    fields[1] = &objects_desc.splitter.max_attributes;
    fields[2] = &objects_desc.splitter.max_depth;
    objects_desc.splitter.trim = ELELEM_TAG_TRIM_OUTSIDE | ELELEM_TAG_TRIM_INSIDE;
    objects_allocator = plain;
    for (i = 0; i < 3; i++)
        for (value = 1; value < 30; value += value > 3 ? 4 : 1) {
            *fields[i] = value;
            for (piece = 3; piece < 10000; piece *= 99) {
                objects[3].init();
                objects_feed(text, sizeof text - 1, piece);
                objects_once(&objects[3], &whole);
                objects[3].reset();
                for (stop = 0; stop <= objects_size; stop++) {
                    check_cut("reset after byte or piece", stop);
                    reset_splitter(stop, OBJECTS_ALL);
                    reset_splitter(objects_size, stop);
                }
                objects[3].free();
            }
            *fields[i] = 0;
        }
    objects_desc.splitter.trim = 0;
    check_cut(NULL, 0);
}

TEST(a_buffer_of_one_byte_takes_one)
{
    static const elelem_allocator plain = ELELEM_INIT;
    elelem_buffer buffer;

    elelem_buffer_init(&buffer, plain, 1);
    CHECK_INT(elelem_buffer_append(&buffer, "ab", 2), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_buffer_append(&buffer, "a", 1), ELELEM_OK);
    CHECK_INT(elelem_buffer_append(&buffer, "b", 1), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_buffer_append(&buffer, "", 0), ELELEM_OK);
    CHECK_STR(elelem_buffer_text(&buffer).data, elelem_buffer_text(&buffer).size, "a");
    elelem_buffer_free(&buffer);
}

TEST(one_pattern_node_holds_the_root_and_nothing_else)
{
    static const char *const texts[] = { "", "a" };
    elelem_pattern_node node;
    elelem_patterns patterns;

    CHECK_INT(elelem_patterns_compile(&patterns, &node, 1, texts, 1, NULL, NULL), ELELEM_OK);
    CHECK_INT(elelem_patterns_compile(&patterns, &node, 1, texts, 2, NULL, NULL), ELELEM_ERROR_COUNT);
    CHECK_INT(elelem_patterns_compile(&patterns, &node, 0, texts, 1, NULL, NULL), ELELEM_ERROR_COUNT);
}

CHECK_MAIN("smallest_limits",
    RUN(a_limit_of_one_allows_one_and_refuses_two)
    RUN(no_limit_of_tags_loses_text)
    RUN(a_reset_forgets_the_tags_that_limits_made_text)
    RUN(a_buffer_of_one_byte_takes_one)
    RUN(one_pattern_node_holds_the_root_and_nothing_else)
    RUN(a_limit_of_one_or_more_is_kept_or_met_with_its_error)
    RUN(a_limit_is_met_at_the_same_byte_however_the_input_is_cut)
    RUN(a_reset_gives_back_what_counts_against_a_limit)
    RUN(after_the_error_of_a_limit_a_reset_starts_over))
