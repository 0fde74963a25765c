/* The extremes of every limit of every desc: a limit that is larger than any input changes nothing, in whatever sum or
   product it is used, and the smallest limit leads to the error that its comment names. These tests find most if a size
   has 32 bits (make check-32bit). */
#include "elelem_stream.h"

#include "limits.h"
#include "objects.h"

/* A limit of an object. Rows of one object are adjacent. */
typedef struct extreme {
    const char *object; /* its row in objects.h */
    const char *name;   /* of the limit */
    void *member;
    size_t width;
    elelem_status at_one; /* how a run ends with a limit of 1, */
    const char *says;     /* and what then comes out of input that is pushed whole; null: anything */
} extreme;

#define LIMIT(object, desc, member, at_one, says) \
    { object, #member, &objects_desc.desc.member, sizeof objects_desc.desc.member, at_one, says }

#define LIMIT_ERROR "\"kind\":\"limit\""

static const extreme extremes[] = {
    LIMIT("fragment parser", parser, max_depth, ELELEM_ERROR_DEPTH, NULL),
    LIMIT("fragment parser", parser, max_key_bytes, ELELEM_ERROR_KEY_SIZE, NULL),
    LIMIT("fragment parser", parser, max_path_bytes, ELELEM_ERROR_PATH_SIZE, NULL),
    LIMIT("fragment parser", parser, max_number_bytes, ELELEM_ERROR_NUMBER_SIZE, NULL),
    LIMIT("fragment parser", parser, max_string_bytes, ELELEM_ERROR_STRING_SIZE, NULL),
    LIMIT("fragment parser", parser, max_total_bytes, ELELEM_ERROR_TOTAL_SIZE, NULL),
    LIMIT("fragment aggregator", tree, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("fragment aggregator", tree, max_string_bytes, ELELEM_ERROR_STRING_SIZE, NULL),
    LIMIT("fragment aggregator", tree, max_depth, ELELEM_ERROR_DEPTH, NULL),
    LIMIT("sse decoder", decoder, max_name_bytes, ELELEM_ERROR_LINE_SIZE, NULL),
    LIMIT("sse decoder", decoder, max_data_bytes, ELELEM_ERROR_FRAME_SIZE, NULL),
    LIMIT("tag splitter", splitter, max_tag_bytes, ELELEM_END, "> b<cite><cite/> c</think> <think a=\"<br>"), /* all is text */
    LIMIT("tag splitter", splitter, max_attributes, ELELEM_END, "<think id=\"one\" x=1> b"),
    LIMIT("tag splitter", splitter, max_depth, ELELEM_END, " b<cite><cite/> c"),
    LIMIT("thought splitter", thoughts, max_open, ELELEM_ERROR_COUNT, NULL),
    LIMIT("stream", stream, idle_timeout_ms, ELELEM_END, "ChatCompleted"), /* nothing says that time passes */
    LIMIT("stream", stream, max_frame_bytes, ELELEM_END, LIMIT_ERROR),
    LIMIT("stream", stream, max_kept_bytes, ELELEM_END, LIMIT_ERROR),
    LIMIT("stream", stream, max_open_items, ELELEM_END, LIMIT_ERROR),
    LIMIT("stream", stream, max_choices, ELELEM_END, "ChatCompleted"), /* there is one */
    LIMIT("event builder", builder, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("event builder", builder, max_open, ELELEM_ERROR_COUNT, NULL),
    LIMIT("event builder", builder, max_metadata, ELELEM_END, NULL),
    LIMIT("turn", turn, idle_timeout_ms, ELELEM_END, "\nfinished "),
    LIMIT("turn", turn, max_frame_bytes, ELELEM_END, "failed "),
    LIMIT("turn", turn, max_kept_bytes, ELELEM_END, "\nfailed "),
    LIMIT("turn", turn, max_open_items, ELELEM_END, "\nfailed "),
    LIMIT("turn", turn, max_choices, ELELEM_END, "\nfinished "),
    LIMIT("turn", turn, max_item_bytes, ELELEM_END, "\nfailed "),
    LIMIT("recorder", recorder, max_call_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("recorder", recorder, max_calls, ELELEM_ERROR_COUNT, NULL),
    LIMIT("replayer", replayer, max_line_bytes, ELELEM_ERROR_LINE_SIZE, NULL),
    LIMIT("item reader", item_reader, max_line_bytes, ELELEM_ERROR_LINE_SIZE, NULL),
    LIMIT("item reader", item_reader, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("item reader", item_reader, max_open, ELELEM_ERROR_COUNT, NULL),
    LIMIT("collector", collector, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("conversation", conversation, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("event coalescer", coalescer, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("event coalescer", coalescer, max_calls, ELELEM_ERROR_COUNT, NULL),
    LIMIT("history builder", history, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("history builder", history, max_calls, ELELEM_ERROR_COUNT, NULL),
    LIMIT("history reader", reader, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("json", json, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
    LIMIT("json", json, max_depth, ELELEM_ERROR_DEPTH, NULL),
    LIMIT("buffer", buffer, max_bytes, ELELEM_ERROR_VALUE_SIZE, NULL),
};

#define EXTREMES (sizeof extremes / sizeof *extremes)

/* Larger than what any input needs; each limit has those that it can hold. Products with the size of an entry, doubles
   and sums with a few bytes would wrap. */
static const uint64_t large[] = {
    65535, 65536, 0x5555556, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaab, 0xfffffff0, 0xffffffff,
    UINT64_C(0x100000000), UINT64_C(0x100000001), UINT64_C(0x7fffffffffffffff), UINT64_C(0x8000000000000000),
    UINT64_C(0x8000000000000001), UINT64_C(0xfffffffffffffff0), UINT64_MAX
};

#define LARGE (sizeof large / sizeof *large)

/* Nonzero if the limit can be this. */
static int fits(const extreme *limit, uint64_t value)
{
    return limit->width == sizeof(uint64_t) || value <= UINT32_MAX;
}

/* Sets a limit to a value, or to the largest that it can be. */
static void set(const extreme *limit, uint64_t value)
{
    uint32_t narrow = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;

    if (limit->width == sizeof value) memcpy(limit->member, &value, sizeof value);
    else memcpy(limit->member, &narrow, sizeof narrow);
}

static const objects_row *row_of(const extreme *limit)
{
    size_t i;

    for (i = 0; i < OBJECTS_COUNT; i++)
        if (strcmp(objects[i].name, limit->object) == 0) return &objects[i];
    abort();
}

static feed_log plain_log, now_log;

/* Runs an object once, as its desc says now. */
static elelem_status run(const objects_row *row, size_t piece, feed_log *log)
{
    limits_heap heap = ELELEM_INIT;
    elelem_status status;

    objects_choose(row, piece);
    objects_split = 1;
    heap.bound = row->bound();
    objects_allocator = limits_allocator(&heap);
    row->init();
    status = objects_once(row, log);
    row->free();
    CHECK_U64(heap.live, 0);
    CHECK(limits_held(&heap));
    CHECK(!log->full);
    return status;
}

/* Nonzero if the object gives the same as without limits. */
static int runs_as_ever(const objects_row *row, size_t piece)
{
    elelem_status whole, status = run(row, piece, &now_log);

    memset(&objects_desc, 0, sizeof objects_desc);
    whole = run(row, piece, &plain_log);
    return CHECK_INT(status, whole) && CHECK_BYTES(now_log.text, now_log.size, plain_log.text, plain_log.size);
}

static const size_t pieces[] = { 1, 7, 1u << 20 };

TEST(a_limit_larger_than_all_input_changes_nothing) /* C8 */
{
    size_t i, k, piece;

    for (i = 0; i < EXTREMES; i++)
        for (k = 0; k < LARGE && fits(&extremes[i], large[k]); k++)
            for (piece = 0; piece < 3; piece++) {
                check_context(extremes[i].object);
                check_cut(extremes[i].name, (size_t)large[k]);
                set(&extremes[i], large[k]);
                runs_as_ever(row_of(&extremes[i]), pieces[piece]);
            }
}

TEST(all_limits_of_an_object_may_be_the_largest_at_once) /* J3 */
{
    size_t i, k, same;

    for (i = 0; i < EXTREMES; i = same)
        for (k = 0; k < LARGE; k++) {
            check_context(extremes[i].object);
            check_cut("all limits", (size_t)large[k]);
            for (same = i; same < EXTREMES && row_of(&extremes[same]) == row_of(&extremes[i]); same++)
                set(&extremes[same], large[k]);
            runs_as_ever(row_of(&extremes[i]), 7);
        }
}

TEST(a_limit_of_one_gives_the_error_that_its_comment_names)
{
    size_t i, piece;

    for (i = 0; i < EXTREMES; i++) {
        for (piece = 0; piece < 3; piece++) {
            elelem_status status;
            check_context(extremes[i].object);
            check_cut(extremes[i].name, 1);
            set(&extremes[i], 1);
            status = run(row_of(&extremes[i]), pieces[piece], &now_log);
            memset(&objects_desc, 0, sizeof objects_desc);
            CHECK_INT(status, extremes[i].at_one);
        }
        now_log.text[now_log.size] = '\0';
        CHECK(!extremes[i].says || strstr(now_log.text, extremes[i].says));
    }
}

/* However small all the limits are, the object ends, with or without an error, and holds nothing after that. */
TEST(an_object_with_small_limits_ends)
{
    size_t i, same;
    uint64_t value;

    for (i = 0; i < EXTREMES; i = same)
        for (value = 1; value < 40; value++) {
            elelem_status status;
            check_context(extremes[i].object);
            check_cut("all limits", (size_t)value);
            for (same = i; same < EXTREMES && row_of(&extremes[same]) == row_of(&extremes[i]); same++)
                set(&extremes[same], value);
            status = run(row_of(&extremes[i]), 7, &now_log);
            memset(&objects_desc, 0, sizeof objects_desc);
            CHECK(status == ELELEM_END || (status < 0 && status != ELELEM_ERROR_MEMORY && status != ELELEM_ERROR_MISUSE));
        }
}

/* Limits that are arguments. */

TEST(a_buffer_may_have_any_limit)
{
    static const size_t limits[] = { 1, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 1, SIZE_MAX, 0 };
    size_t i, k;

    for (i = 0; i < 6; i++) {
        elelem_allocator plain = ELELEM_INIT;
        elelem_buffer buffer;
        elelem_buffer_init(&buffer, plain, limits[i]);
        for (k = 0; k < 200; k++)
            CHECK_INT(elelem_buffer_append(&buffer, "a", 1), i == 0 && k > 0 ? ELELEM_ERROR_VALUE_SIZE : ELELEM_OK);
        CHECK_U64(elelem_buffer_text(&buffer).size, i == 0 ? 1 : 200);
        elelem_buffer_free(&buffer);
    }
}

/* An allocator that stores what was requested, and refuses everything. */
static void *refuse_all(void *context, void *block, size_t old_size, size_t new_size)
{
    size_t *asked = (size_t *)context;

    (void)block;
    (void)old_size;
    if (new_size > *asked) *asked = new_size;
    return NULL;
}

TEST(no_allocator_is_asked_for_more_than_PTRDIFF_MAX_bytes)
{
    static const size_t sizes[] = { (size_t)PTRDIFF_MAX + 1, SIZE_MAX - 1, SIZE_MAX };
    size_t i, asked = 0;

    for (i = 0; i < 3; i++) {
        elelem_allocator allocator;
        elelem_buffer buffer;
        allocator.resize = refuse_all;
        allocator.context = &asked;
        elelem_buffer_init(&buffer, allocator, 0);
        CHECK_INT(elelem_buffer_append(&buffer, "a", sizes[i]), ELELEM_ERROR_MEMORY); /* none of it is read */
        CHECK_U64(asked, 0);
    }
}

TEST(patterns_compile_into_any_capacity_that_is_enough)
{
    static const char *const texts[] = { "a.b", "a[2]" };
    static const size_t capacities[] = { 0, 1, 3, 4, 65535, 65536, SIZE_MAX };
    elelem_pattern_node nodes[4];
    elelem_patterns patterns;
    size_t i;

    for (i = 0; i < 7; i++)
        CHECK_INT(elelem_patterns_compile(&patterns, nodes, capacities[i], texts, 2, NULL, NULL),
                  i < 3 ? ELELEM_ERROR_COUNT : ELELEM_OK);
}

/* Sums of what is lent: many pieces that are the same bytes add up to more than memory. */

static void *refuse_large(void *context, void *block, size_t old_size, size_t new_size)
{
    (void)context;
    (void)old_size;
    if (new_size > 1u << 20) return NULL;
    if (new_size > 0) return realloc(block, new_size);
    free(block);
    return NULL;
}

#define SAME_COUNT 70000u
#define SAME_BYTES 65536u

static elelem_metadata_entry same_entries[SAME_COUNT];
static char same_bytes[SAME_BYTES];

/* An event with one key of metadata whose arrays have more than 2^32 bytes together. */
static elelem_event endless_metadata(void)
{
    elelem_event event = ELELEM_INIT;
    size_t i;

    memset(same_bytes, '1', sizeof same_bytes);
    same_bytes[0] = '[';
    same_bytes[SAME_BYTES - 1] = ']';
    for (i = 0; i < SAME_COUNT; i++) {
        same_entries[i].key = elelem_str_of("key");
        same_entries[i].json.data = same_bytes;
        same_entries[i].json.size = sizeof same_bytes;
    }
    event.kind = ELELEM_EVENT_PART;
    event.part.kind = ELELEM_PART_MESSAGE;
    event.metadata.entries = same_entries;
    event.metadata.count = SAME_COUNT;
    return event;
}

TEST(arrays_of_metadata_that_add_up_to_more_than_a_size_are_refused)
{
    static const uint64_t limits[] = { 0, UINT32_MAX / 2, UINT64_MAX };
    size_t i;

    for (i = 0; i < 3; i++) {
        elelem_event_builder_desc desc = ELELEM_INIT;
        elelem_event_builder builder;
        elelem_event event = endless_metadata();
        desc.max_bytes = limits[i];
        desc.allocator.resize = refuse_large;
        elelem_event_builder_init(&builder, &desc);
        CHECK_INT(elelem_event_builder_push(&builder, &event), i < 2 ? ELELEM_ERROR_VALUE_SIZE : ELELEM_ERROR_MEMORY);
        elelem_event_builder_free(&builder);
    }
}

/* printf's precision is an int, and a negative one is no limit. */
static int precision_of(int precision, const char *text)
{
    (void)text;
    return precision;
}

TEST(a_slice_longer_than_INT_MAX_is_not_printed_without_a_limit)
{
    elelem_str slice;

    slice.data = "text";
    slice.size = 4;
    CHECK_INT(precision_of(ELELEM_STR_ARG(slice)), 4);
    slice.size = (size_t)1 << 31;
    CHECK(precision_of(ELELEM_STR_ARG(slice)) > 0);
    slice.size = SIZE_MAX;
    CHECK(precision_of(ELELEM_STR_ARG(slice)) > 0);
}

CHECK_MAIN("extremes",
    RUN(a_limit_larger_than_all_input_changes_nothing)
    RUN(all_limits_of_an_object_may_be_the_largest_at_once)
    RUN(a_limit_of_one_gives_the_error_that_its_comment_names)
    RUN(an_object_with_small_limits_ends)
    RUN(a_buffer_may_have_any_limit)
    RUN(no_allocator_is_asked_for_more_than_PTRDIFF_MAX_bytes)
    RUN(patterns_compile_into_any_capacity_that_is_enough)
    RUN(arrays_of_metadata_that_add_up_to_more_than_a_size_are_refused)
    RUN(a_slice_longer_than_INT_MAX_is_not_printed_without_a_limit))
