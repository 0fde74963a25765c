/* The seam for authors of shapes: each shape here is one function that shows one promise. What a stream makes of shapes
   is in test_stream.c. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "streams.h"
#include "limits.h"

#define CUT_SHORT "ERROR connect retryable \"the response ended before it was complete\"\nEND\n"

#define PATHS(P, MEMBER, ELEMENTS)         \
    MEMBER(P, A, ROOT, "a", WHOLE)         \
    MEMBER(P, B, ROOT, "b", WHOLE)         \
    MEMBER(P, LIST, ROOT, "list", BEGIN)   \
    ELEMENTS(P, ENTRY, LIST, NOTHING)      \
    MEMBER(P, X, ENTRY, "x", WHOLE)        \
    MEMBER(P, Y, ENTRY, "y", WHOLE)

ELELEM_SHAPE_PATHS(PATHS, row_, paths);

typedef struct item_state {
    uint64_t number; /* an alignment that a list of bytes would not have */
} item_state;

typedef struct choice_state {
    int marked;
} choice_state;

typedef struct stream_state {
    uint32_t frames;
    uint64_t sum;
} stream_state;

static elelem_shape shape_of(elelem_status (*frame)(elelem_shape_context *context))
{
    elelem_shape shape = { "test", paths, row_ROWS, NULL, sizeof(item_state), sizeof(choice_state), sizeof(stream_state),
                           0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };

    shape.frame = frame;
    return shape;
}

static elelem_shape shape_now;

static void given(elelem_status (*frame)(elelem_shape_context *context))
{
    shape_now = shape_of(frame);
    streams_shape(&shape_now);
}

static elelem_str text(const char *string)
{
    return elelem_str_of(string);
}

static elelem_value member(const elelem_shape_context *c, const char *key)
{
    return elelem_value_get(elelem_shape_document(c), key);
}

static item_state *state_at(elelem_shape_context *c, uint32_t index)
{
    return (item_state *)elelem_shape_item_state(elelem_shape_item_at(c, index));
}

/* Paths. */

TEST(rows_of_a_table_have_their_names_and_parents)
{
    CHECK_INT(row_ROOT, 0);
    CHECK_INT(row_ROWS, 7);
    CHECK_U64(sizeof paths / sizeof *paths, row_ROWS);
    CHECK(strcmp(paths[row_Y].key, "y") == 0);
    CHECK_INT(paths[row_Y].parent, row_ENTRY);
    CHECK_INT(paths[row_ENTRY].kind, ELELEM_PATTERN_ANY_INDEX);
    CHECK_INT(paths[row_LIST].wanted, ELELEM_WANT_BEGIN);
    CHECK_INT(paths[row_ROOT].wanted, ELELEM_WANT_NOTHING);
}

/* Values. */

static elelem_status fields_frame(elelem_shape_context *c)
{
    elelem_value entry = elelem_value_first(member(c, "list"));
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0);

    elelem_shape_fields_find(c, elelem_shape_document(c), row_A, row_LIST, row_A);
    elelem_shape_text(c, index, elelem_shape_string(elelem_shape_field(c, row_A)));
    CHECK(!elelem_shape_is_there(elelem_shape_field(c, row_B)));
    for (; elelem_shape_is_there(entry); entry = elelem_value_next(entry)) {
        elelem_shape_fields_find(c, entry, row_X, row_Y, row_A); /* into the slots of a and b */
        elelem_shape_text(c, index, elelem_shape_string(elelem_shape_field(c, row_A)));
        elelem_shape_text(c, index, elelem_shape_string(elelem_shape_field(c, row_B)));
    }
    elelem_shape_fields_find(c, elelem_shape_document(c), row_A, row_LIST, ELELEM_SHAPE_MAX_ROWS - 1); /* past the last slot */
    return ELELEM_OK;
}

TEST(members_are_looked_up_into_slots_and_the_last_of_each_counts)
{
    given(fields_frame);
    STREAM("data: {\"a\":\"1\",\"list\":[{\"y\":\"y\",\"x\":\"x\"},{\"x\":\"u\",\"x\":\"v\"},{},7],\"a\":\"2\"}\n\n", "0 text \"2xyv\"\n" CUT_SHORT);
    STREAM("data: {\"list\":{\"x\":\"x\"},\"a\":7}\n\n", CUT_SHORT);
}

/* Rows of a rest, and rows that are dropped. */

#define REST_PATHS(P, MEMBER, ELEMENTS, REST) \
    MEMBER(P, KNOWN, ROOT, "known", SOME)     \
    MEMBER(P, NEVER, ROOT, "never", SKIP)     \
    REST(P, OTHERS, ROOT, WHOLE)

ELELEM_SHAPE_PATHS_WITH_REST(REST_PATHS, rest_, rest_paths);

static elelem_status rest_frame(elelem_shape_context *c)
{
    elelem_value root = elelem_shape_document(c), at;
    uint32_t index = elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0);

    elelem_shape_fields_find(c, root, rest_KNOWN, rest_OTHERS, rest_KNOWN);
    elelem_shape_text(c, index, elelem_shape_string(elelem_shape_field(c, rest_KNOWN)));
    CHECK(!elelem_shape_is_there(elelem_shape_field(c, rest_NEVER)));
    for (at = elelem_shape_row_first(c, root, rest_OTHERS); elelem_shape_is_there(at); at = elelem_shape_row_next(c, at, rest_OTHERS))
        elelem_shape_text(c, index, elelem_value_key(at));
    elelem_shape_drop(c, rest_KNOWN);
    elelem_shape_drop(c, 32);
    return ELELEM_OK;
}

static void given_rest(void)
{
    given(rest_frame);
    shape_now.paths = rest_paths;
    shape_now.path_count = rest_ROWS;
}

TEST(a_row_of_a_rest_matches_what_no_row_before_it_does)
{
    given_rest();
    STREAM("data: {\"x\":1,\"known\":\"k\",\"never\":{\"deep\":[1]},\"y\":{\"known\":2},\"z\":null}\n\n", "0 text \"kxyz\"\n" CUT_SHORT);
    STREAM("data: {\"never\":1,\"known\":null}\n\n", CUT_SHORT);
}

TEST(a_row_that_was_dropped_is_skipped_up_to_the_next_response)
{
    given_rest();
    STREAM("data: {\"known\":\"a\"}\n\ndata: {\"x\":1,\"known\":\"b\"}\n\ndata: {\"known\":{\"c\":[]},\"y\":1}\n\n", "0 text \"axy\"\n" CUT_SHORT);
}

static elelem_status values_frame(elelem_shape_context *c)
{
    elelem_value a = member(c, "a");
    uint32_t number = 77;
    int is_number = elelem_shape_number(a, &number);

    CHECK_INT(is_number, number != 77);
    CHECK_U64(elelem_shape_number_or(a, 5), is_number ? number : 5);
    CHECK_INT(elelem_shape_is_value(a), elelem_value_type(a) != ELELEM_TYPE_NONE && elelem_value_type(a) != ELELEM_TYPE_NULL);
    CHECK_INT(elelem_shape_is_there(a), elelem_value_type(a) != ELELEM_TYPE_NONE);
    CHECK(elelem_shape_is_same(a, member(c, "a")));
    CHECK(!elelem_shape_is_there(a) || !elelem_shape_is_same(a, elelem_shape_document(c)));
    CHECK(elelem_shape_string_in(elelem_shape_document(c), "a").size == elelem_shape_string(a).size);
    CHECK(elelem_shape_string(a).size == 0 || elelem_value_type(a) == ELELEM_TYPE_STRING);
    elelem_shape_text(c, elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0), text(is_number ? "some" : "none"));
    return ELELEM_OK;
}

/* Paths of its own are all that a shape wants of provider items. */
TEST(a_shape_with_provider_items_may_have_no_value_that_passes)
{
    static const elelem_shape_items none = { paths, NULL, 0, NULL };

    given(values_frame);
    shape_now.items = &none;
    STREAM("data: {\"a\":7}\n\n", "0 text \"some\"\n" CUT_SHORT);
}

/* Strings under "a" pass, as pictures unless the frame begins with "b". */

static uint32_t picture_passes(elelem_shape_context *c, elelem_value value, elelem_str type)
{
    (void)value;
    CHECK_U64(type.size, 0); /* the key of the document, which has none */
    if (!elelem_shape_is_there(member(c, "b"))) elelem_shape_pass_as(c, "picture");
    return elelem_shape_item_open(c, 0, ELELEM_PART_PROVIDER_ITEM, 0);
}

static elelem_status picture_frame(elelem_shape_context *c)
{
    static char last[2]; /* lives until the event was taken */

    last[0] = elelem_shape_passed_last(c);
    elelem_shape_metadata_text(c, "last", text(last));
    elelem_shape_provider_json(c, elelem_shape_item_find(c, 0, ELELEM_PART_PROVIDER_ITEM, 0), text("end"), text("."));
    elelem_shape_flush_all(c, 0, ELELEM_SHAPE_ENDED);
    return ELELEM_OK;
}

TEST(what_passes_is_of_the_type_that_the_shape_says_and_has_a_last_byte)
{
    static const elelem_passage_rule rules[] = { { row_A, 2, "", NULL, NULL, NULL, NULL } };
    static const elelem_shape_items pictures = { paths, rules, 1, picture_passes };

    given(picture_frame);
    shape_now.items = &pictures;
    STREAM("data: {\"a\":\"abcd\"}\n\ndata: {\"b\":1,\"a\":\"abc\\\"\"}\n\n",
           "0 item picture \"abcd\"\n0 meta last=\"d\"\n0 item end \".\"\n0 flush\n"
           "1 item  \"abc\\\\\\\"\"\n1 meta last=\"\\\"\"\n1 item end \".\"\n1 flush\n" CUT_SHORT);
}

TEST(a_number_that_groups_is_a_whole_one_of_31_bits)
{
    static const char *const none[] = { "-1", "2147483648", "1.5", "1e300", "\"1\"", "true", "null", "{}", "[1]" };
    static const char *const some[] = { "0", "7", "2147483647", "1e3", "2.0" };
    char body[100];
    size_t i;

    given(values_frame);
    for (i = 0; i < sizeof none / sizeof *none; i++) {
        snprintf(body, sizeof body, "data: {\"a\":%s}\n\n", none[i]);
        check_context(none[i]);
        STREAM(body, "0 text \"none\"\n" CUT_SHORT);
    }
    for (i = 0; i < sizeof some / sizeof *some; i++) {
        snprintf(body, sizeof body, "data: {\"a\":%s}\n\n", some[i]);
        check_context(some[i]);
        STREAM(body, "0 text \"some\"\n" CUT_SHORT);
    }
    check_context(NULL);
    STREAM("data: {}\n\n", "0 text \"none\"\n" CUT_SHORT);
}

TEST(a_hash_is_the_same_however_its_text_was_cut)
{
    static const char many[] = "a longer text\xc3\xa9\xff";
    uint64_t whole = elelem_shape_hash(text("abc"));
    size_t cut;

    CHECK_U64(elelem_shape_hash(text("")), ELELEM_SHAPE_HASH_START);
    CHECK_U64(elelem_shape_hash_more(elelem_shape_hash(text("a")), text("bc")), whole);
    CHECK(whole != elelem_shape_hash(text("acb")));
    for (cut = 0; cut < sizeof many; cut++) {
        elelem_str first = text(many);
        first.size = cut;
        CHECK_U64(elelem_shape_hash_more(elelem_shape_hash(first), text(many + cut)), elelem_shape_hash(text(many)));
    }
    CHECK(whole == 0xe71fa2190541574bu); /* FNV-1a of 64 bits */
}

TEST(a_hash_is_news_until_it_was_kept)
{
    uint32_t kept = 0;

    CHECK(!elelem_shape_is_news(&kept, ELELEM_SHAPE_HASH_START));
    CHECK(elelem_shape_is_news(&kept, elelem_shape_hash(text("a"))));
    CHECK(!elelem_shape_is_news(&kept, elelem_shape_hash(text("a"))));
    CHECK(!elelem_shape_is_news(&kept, ELELEM_SHAPE_HASH_START));
    CHECK(elelem_shape_is_news(&kept, elelem_shape_hash(text("b"))));
    CHECK(elelem_shape_is_news(&kept, elelem_shape_hash(text("a"))));
}

TEST(a_word_that_is_not_known_is_another_reason)
{
    static const elelem_shape_word words[] = { { "stop", ELELEM_FINISH_COMPLETED }, { "length", ELELEM_FINISH_MAX_TOKENS } };

    CHECK_INT(elelem_shape_reason_of(words, 2, text("length")), ELELEM_FINISH_MAX_TOKENS);
    CHECK_INT(elelem_shape_reason_of(words, 2, text("stopped")), ELELEM_FINISH_OTHER);
    CHECK_INT(elelem_shape_reason_of(words, 0, text("stop")), ELELEM_FINISH_OTHER);
}

/* Memory of the shape's own. */

static elelem_status state_frame(elelem_shape_context *c)
{
    stream_state *stream = (stream_state *)elelem_shape_stream_state(c);
    static char digits[30]; /* a text lasts until it is taken */
    uint32_t index, i;

    for (i = 0; i < 3; i++) {
        index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, i);
        CHECK_U64(state_at(c, index)->number, 0);
        state_at(c, index)->number = 1000 + i;
    }
    elelem_shape_flush(c, elelem_shape_item_oldest(c)->index); /* the others move */
    CHECK_U64(((item_state *)elelem_shape_item_state(elelem_shape_item_newest(c)))->number, 1002);
    CHECK_U64(((item_state *)elelem_shape_item_state(elelem_shape_item_oldest(c)))->number, 1001);
    elelem_shape_flush_all(c, 0, ELELEM_SHAPE_ENDED);
    stream->frames++;
    stream->sum += 10;
    snprintf(digits, sizeof digits, "%u %lu;", (unsigned)stream->frames, (unsigned long)stream->sum);
    elelem_shape_metadata_text(c, "state", text(digits));
    index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0);
    elelem_shape_text(c, index, text("x"));
    elelem_shape_flush(c, index);
    return stream->frames < 3 ? ELELEM_OK : ELELEM_ERROR_PROTOCOL;
}

TEST(items_and_the_stream_have_memory_that_begins_as_zeros)
{
    elelem_event e;
    uint32_t frames;

    given(state_frame);
    streams_start(&streams_now);
    for (frames = 1; frames <= 4; frames++) {
        stream_state *state;
        if (frames == 3) elelem_stream_reset(&streams_now.stream);
        CHECK_INT(elelem_stream_push(&streams_now.stream, "data: {}\n\n", 10), ELELEM_OK);
        while (elelem_stream_next(&streams_now.stream, &e) == ELELEM_OK)
            CHECK(e.kind != ELELEM_EVENT_ERROR);
        state = (stream_state *)elelem_shape_stream_state(&streams_now.stream.els_context);
        CHECK_U64(state->frames, frames < 3 ? frames : frames - 2);
        CHECK_U64(state->sum, (frames < 3 ? frames : frames - 2) * 10);
    }
}

static elelem_status choice_frame(elelem_shape_context *c)
{
    choice_state *state = (choice_state *)elelem_shape_choice_state(c, 3);

    if (!state) {
        elelem_shape_text(c, elelem_shape_item_open(c, 3, ELELEM_PART_MESSAGE, 0), text("first"));
        state = (choice_state *)elelem_shape_choice_state(c, 3);
        CHECK(state && !state->marked);
        CHECK(!elelem_shape_choice_state(c, 0));
        if (state) state->marked = 1;
        elelem_shape_reason(c, 0, ELELEM_FINISH_COMPLETED, text("enough"), 0);
        CHECK(elelem_shape_choice_state(c, 0) != NULL);
        CHECK(elelem_shape_choice_had(c, 3, ELELEM_PART_MESSAGE) && !elelem_shape_choice_had(c, 0, ELELEM_PART_MESSAGE));
        return ELELEM_OK;
    }
    CHECK(state->marked);
    elelem_shape_reason(c, 3, ELELEM_FINISH_MAX_TOKENS, text("length"), 0);
    elelem_shape_reason(c, 0, ELELEM_FINISH_TOOL_CALLS, text(""), 1); /* leaves the word */
    elelem_shape_finish(c);
    return ELELEM_OK;
}

TEST(a_choice_has_memory_from_its_first_part_or_reason_on)
{
    given(choice_frame);
    STREAM("data: {}\n\ndata: {}\n\n",
           "0@3 text \"first\"\n0@3 flush\nFINISHED tool_calls raw=enough\nmeta finish_reasons={\"3\":\"max_tokens\"}\nEND\n");
}

static elelem_status careful_frame(elelem_shape_context *c)
{
    stream_state *stream = (stream_state *)elelem_shape_stream_state(c);
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0);
    const elelem_shape_item *item = elelem_shape_item_at(c, index);

    CHECK_INT(item != NULL, index != ELELEM_NO_INDEX);
    stream->frames++;
    elelem_shape_keep(c, index, text("kept"));
    elelem_shape_metadata_kept(c, index, "kept");
    elelem_shape_text(c, index, text("x"));
    elelem_shape_finish(c);
    return ELELEM_OK;
}

TEST(memory_of_the_shape_that_is_refused_is_an_error)
{
    elelem_event e;
    int refused;

    given(careful_frame);
    for (refused = 1; refused < 40; refused++) {
        limits_heap heap = ELELEM_INIT;
        heap.refuse = refused;
        heap.stays = 1;
        streams_now.desc.allocator = limits_allocator(&heap);
        streams_start(&streams_now);
        CHECK_INT(elelem_stream_push(&streams_now.stream, "data: {}\n\n", 10), ELELEM_OK);
        elelem_stream_finish(&streams_now.stream);
        while (elelem_stream_next(&streams_now.stream, &e) == ELELEM_OK)
            continue;
        CHECK_INT(e.kind, heap.calls >= refused ? ELELEM_EVENT_ERROR : ELELEM_EVENT_FINISHED);
        if (e.kind == ELELEM_EVENT_ERROR) CHECK_INT(e.error.kind, ELELEM_ERROR_KIND_OUT_OF_MEMORY);
        elelem_stream_free(&streams_now.stream);
        CHECK_U64(heap.live, 0);
        if (heap.calls < refused) return;
    }
    CHECK(0);
}

/* Items. */

static elelem_status order_frame(elelem_shape_context *c)
{
    elelem_shape_item *item;
    uint32_t opened[4], i = 0;

    for (i = 0; i < 4; i++) {
        opened[i] = elelem_shape_item_open(c, i % 2, ELELEM_PART_TOOL_CALL, 7);
        elelem_shape_tool_start(c, opened[i], text("id"), text("f"));
    }
    CHECK_U64(elelem_shape_item_find(c, 0, ELELEM_PART_TOOL_CALL, 7), opened[2]);
    CHECK_U64(elelem_shape_item_text(c, 0), ELELEM_NO_INDEX);
    for (i = 0, item = elelem_shape_item_oldest(c); item; item = elelem_shape_item_newer(c, item))
        CHECK_U64(item->index, opened[i++]);
    CHECK_U64(i, 4);
    for (item = elelem_shape_item_newest(c); item; item = elelem_shape_item_older(c, item))
        CHECK_U64(item->index, opened[--i]);
    elelem_shape_item_wait(c, opened[2]);
    CHECK_U64(elelem_shape_item_find(c, 0, ELELEM_PART_TOOL_CALL, 7), opened[0]);
    elelem_shape_flush_all(c, 0, ELELEM_SHAPE_STOPPED); /* the one that waits first */
    elelem_shape_item_wait(c, opened[3]);
    elelem_shape_release(c, 0); /* of another choice */
    CHECK(elelem_shape_item_at(c, opened[3]) != NULL);
    elelem_shape_release(c, 1);
    CHECK(!elelem_shape_item_at(c, opened[3]) && elelem_shape_item_at(c, opened[1]));
    return ELELEM_OK;
}

TEST(open_items_are_walked_in_their_order_and_those_that_wait_are_flushed_first)
{
    given(order_frame);
    STREAM("data: {}\n\n", "0 call id=id name=f\n1@1 call id=id name=f\n2 call id=id name=f\n3@1 call id=id name=f\n"
                           "2 flush cut_off\n0 flush cut_off\n3@1 flush\n" CUT_SHORT);
}

/* JSON that the shape writes, and what it keeps. */

static elelem_status write_frame(elelem_shape_context *c)
{
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_TOOL_CALL, 0);
    elelem_writer *writer = elelem_shape_write(c);

    elelem_writer_string(writer, text("dropped")); /* nothing makes use of it */
    writer = elelem_shape_write(c);
    elelem_writer_begin(writer, ELELEM_TYPE_ARRAY);
    elelem_writer_value(writer, member(c, "a"));
    elelem_writer_end(writer, ELELEM_TYPE_ARRAY);
    elelem_shape_metadata_written(c, text("k"));
    elelem_shape_tool_start(c, index, text("id"), text("f"));
    elelem_shape_write(c);
    elelem_shape_write_raw(c, text("{\"n\":"));
    elelem_writer_string(elelem_shape_write_on(c), text("\"q\""));
    elelem_shape_write_raw(c, text("}"));
    elelem_shape_tool_arguments_written(c, index);
    elelem_shape_write(c);
    elelem_shape_tool_arguments_written(c, index); /* no text is no event */
    elelem_shape_metadata_value(c, "v", member(c, "a"));
    elelem_shape_metadata_json(c, text("j"), text("[true]"));
    elelem_shape_flush(c, index);
    return ELELEM_OK;
}

TEST(a_shape_writes_json_of_its_own)
{
    given(write_frame);
    STREAM("data: {\"a\":{\"b\":[1]}}\n\n",
           "0 meta k=[{\"b\":[1]}]\n0 call id=id name=f\n0 args \"{\\\"n\\\":\\\"\\\\\\\"q\\\\\\\"\\\"}\"\n"
           "0 meta v={\"b\":[1]}\n0 meta j=[true]\n0 flush\n" CUT_SHORT);
}

static elelem_status keep_frame(elelem_shape_context *c)
{
    uint32_t first = elelem_shape_item_find(c, 0, ELELEM_PART_REASONING, 1);
    uint32_t second = elelem_shape_item_find(c, 0, ELELEM_PART_REASONING, 2);

    if (first == ELELEM_NO_INDEX) {
        first = elelem_shape_item_open(c, 0, ELELEM_PART_REASONING, 1);
        second = elelem_shape_item_open(c, 0, ELELEM_PART_REASONING, 2);
        elelem_shape_text(c, first, text("one"));
        elelem_shape_text(c, second, text("two"));
        CHECK(!elelem_shape_kept_resize(c, first, 0));
        CHECK_U64(elelem_shape_kept(c, elelem_shape_item_at(c, first)).size, 0);
    }
    elelem_shape_keep(c, first, elelem_shape_string(member(c, "a")));
    elelem_shape_keep(c, second, elelem_shape_string(member(c, "b")));
    if (!elelem_shape_is_there(member(c, "list"))) return ELELEM_OK;
    elelem_shape_kept_resize(c, second, 3); /* cuts it */
    CHECK_U64(elelem_shape_kept(c, elelem_shape_item_at(c, second)).size, 3);
    elelem_shape_metadata_kept(c, first, "kept");
    elelem_shape_flush(c, first);
    elelem_shape_metadata_kept(c, second, "kept");
    elelem_shape_flush(c, second);
    return ELELEM_OK;
}

TEST(items_keep_text_over_frames_each_its_own)
{
    given(keep_frame);
    STREAM("data: {\"a\":\"ab\",\"b\":\"12\"}\n\ndata: {\"a\":\"\",\"b\":\"345\"}\n\ndata: {\"a\":\"c\\\"\",\"b\":\"6\",\"list\":[]}\n\n",
           "0 think \"one\"\n1 think \"two\"\n0 meta kept=\"abc\\\"\"\n0 flush\n1 meta kept=\"123\"\n1 flush\n" CUT_SHORT);
    streams_now.desc.max_kept_bytes = 8;
    STREAM("data: {\"a\":\"12345678\"}\n\n", "0 think \"one\"\n1 think \"two\"\n" CUT_SHORT);
    STREAM("data: {\"a\":\"123456789\"}\n\n",
           "0 think \"one\"\n1 think \"two\"\nERROR limit \"a value takes more memory than allowed\" status=ERROR_VALUE_SIZE\nEND\n");
}

static elelem_status error_frame(elelem_shape_context *c)
{
    if (elelem_shape_error_in(c, member(c, "a"))) return ELELEM_OK;
    elelem_shape_error_of(c, member(c, "b"));
    CHECK(elelem_shape_is_over(c));
    CHECK(!elelem_shape_error_in(c, member(c, "a")) && !elelem_shape_document_error(c));
    return ELELEM_OK;
}

TEST(an_object_of_a_frame_may_be_its_error)
{
    given(error_frame);
    STREAM("data: {\"a\":{\"error\":{\"type\":\"server_error\",\"message\":\"No.\"}}}\n\n",
           "ERROR transient retryable code=server_error \"No.\"\nEND\n");
    STREAM("data: {\"a\":{},\"b\":{\"message\":\"Never.\",\"code\":\"insufficient_quota\"}}\n\n",
           "ERROR quota code=insufficient_quota \"Never.\"\nEND\n");
}

static elelem_status typed_frame(elelem_shape_context *c)
{
    uint32_t call = elelem_shape_item_open(c, 0, ELELEM_PART_TOOL_CALL, 0);
    uint32_t item = elelem_shape_item_open(c, 0, ELELEM_PART_PROVIDER_ITEM, 0);

    elelem_shape_metadata_json(c, text("k"), text("1"));
    elelem_shape_tool_start_typed(c, call, text("shell_call"), text("c1"), text(""));
    elelem_shape_tool_start_typed(c, call, text("shell_call"), text("c1"), text("shell"));
    elelem_shape_item_at(c, item)->hosted = 1;
    elelem_shape_provider_caption(c, item, text("search"), text("weather"));
    elelem_shape_provider_value(c, item, text("search"), member(c, "a"));
    return ELELEM_OK;
}

static void next_part(elelem_stream *stream, elelem_event *event)
{
    CHECK_INT(elelem_stream_next(stream, event), ELELEM_OK);
    CHECK_INT(event->kind, ELELEM_EVENT_PART);
}

TEST(a_call_has_its_type_once_and_a_provider_item_in_every_part)
{
    static const char body[] = "data: {\"a\":[1]}\n\n";
    elelem_stream *stream = &streams_now.stream;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_event event;

    given(typed_frame);
    desc.shape = &shape_now;
    elelem_stream_free(stream);
    elelem_stream_init(stream, &desc);
    CHECK_INT(elelem_stream_push(stream, body, sizeof body - 1), ELELEM_OK);
    next_part(stream, &event);
    CHECK(elelem_str_is(event.part.tool_call.type, "shell_call") && elelem_str_is(event.part.tool_call.id, "c1"));
    CHECK_U64(event.metadata.count, 1);
    next_part(stream, &event);
    CHECK(event.part.tool_call.type.size == 0 && elelem_str_is(event.part.tool_call.name, "shell"));
    next_part(stream, &event);
    CHECK(elelem_str_is(event.part.type, "search") && elelem_str_is(event.part.caption, "weather"));
    CHECK(event.part.hosted && event.part.text.size == 0 && event.metadata.count == 0);
    next_part(stream, &event);
    CHECK(elelem_str_is(event.part.type, "search") && elelem_str_is(event.part.text, "[1]") && event.part.caption.size == 0);
    CHECK_INT(elelem_stream_next(stream, &event), ELELEM_MORE);
}

static void all_done(void)
{
    elelem_stream_free(&streams_now.stream);
}

CHECK_MAIN("shape",
    RUN(rows_of_a_table_have_their_names_and_parents)
    RUN(members_are_looked_up_into_slots_and_the_last_of_each_counts)
    RUN(a_row_of_a_rest_matches_what_no_row_before_it_does)
    RUN(a_row_that_was_dropped_is_skipped_up_to_the_next_response)
    RUN(a_shape_with_provider_items_may_have_no_value_that_passes)
    RUN(what_passes_is_of_the_type_that_the_shape_says_and_has_a_last_byte)
    RUN(a_number_that_groups_is_a_whole_one_of_31_bits)
    RUN(a_hash_is_the_same_however_its_text_was_cut)
    RUN(a_hash_is_news_until_it_was_kept)
    RUN(a_word_that_is_not_known_is_another_reason)
    RUN(items_and_the_stream_have_memory_that_begins_as_zeros)
    RUN(a_choice_has_memory_from_its_first_part_or_reason_on)
    RUN(memory_of_the_shape_that_is_refused_is_an_error)
    RUN(open_items_are_walked_in_their_order_and_those_that_wait_are_flushed_first)
    RUN(a_shape_writes_json_of_its_own)
    RUN(items_keep_text_over_frames_each_its_own)
    RUN(an_object_of_a_frame_may_be_its_error)
    RUN(a_call_has_its_type_once_and_a_provider_item_in_every_part)
    all_done();)
