/* The laws of push, for every object that takes bytes or events: whether a push is taken does not
 * depend on how the input was cut, and input that was refused and not repeated is never lost
 * without an error. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define FEED_LOG_SIZE ((size_t)1 << 16)
#include "wires.h"

#include <stdlib.h>

/* The objects. Each row has an input that ends well and has at least a few items. */

typedef struct eater {
    const char *name;
    feed_object fed;
    size_t size; /* of the object */
    const char *input;
    const char *end; /* the line in the log that only a good end has */
} eater;

static elelem_fragment_parser parser;
static elelem_sse_decoder decoder;
static elelem_tag_splitter splitter;
static elelem_replayer replayer;
static elelem_item_reader item_reader;
static elelem_history_reader reader;
static elelem_turn turn;
static const elelem_shape *turn_shape;

static void parser_start(void *object)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    (void)object;
    desc.single_document = 1;
    elelem_fragment_parser_free(&parser);
    elelem_fragment_parser_init(&parser, &desc);
}

static elelem_status parser_push(void *object, const void *bytes, size_t size)
{
    return elelem_fragment_parser_push((elelem_fragment_parser *)object, bytes, size);
}

static elelem_status parser_next(void *object, feed_log *log)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_next((elelem_fragment_parser *)object, &fragment);

    if (status != ELELEM_OK) return status;
    if (fragment.kind == ELELEM_FRAGMENT_STRING) feed_text(log, "string", fragment.text.data, fragment.text.size);
    else feed_line(log, "%d %s", fragment.kind, elelem_type_name(fragment.type));
    return status;
}

static void parser_finish(void *object)
{
    elelem_fragment_parser_finish((elelem_fragment_parser *)object);
}

static elelem_error parser_error(const void *object)
{
    return elelem_fragment_parser_error((const elelem_fragment_parser *)object);
}

static void decoder_start(void *object)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    desc.lines = 1;
    elelem_sse_decoder_free((elelem_sse_decoder *)object);
    elelem_sse_decoder_init((elelem_sse_decoder *)object, &desc);
}

static elelem_status decoder_push(void *object, const void *bytes, size_t size)
{
    return elelem_sse_decoder_push((elelem_sse_decoder *)object, bytes, size);
}

static elelem_status decoder_next(void *object, feed_log *log)
{
    elelem_frame frame;
    elelem_status status = elelem_sse_decoder_next((elelem_sse_decoder *)object, &frame);

    if (status != ELELEM_OK) return status;
    if (frame.kind == ELELEM_FRAME_DATA) feed_bytes(log, "data", frame.text.data, frame.text.size);
    else if (frame.kind != ELELEM_FRAME_LINE) feed_line(log, "%d %.*s", frame.kind, (int)frame.event.size, frame.event.data);
    else if (frame.text.size > 0) feed_bytes(log, "line", frame.text.data, frame.text.size);
    return status;
}

static void decoder_finish(void *object)
{
    elelem_sse_decoder_finish((elelem_sse_decoder *)object);
}

static elelem_error decoder_error(const void *object)
{
    return elelem_sse_decoder_error((const elelem_sse_decoder *)object);
}

static void splitter_start(void *object)
{
    elelem_tag_splitter_free((elelem_tag_splitter *)object);
    elelem_tag_splitter_init((elelem_tag_splitter *)object, NULL);
}

static elelem_status splitter_push(void *object, const void *bytes, size_t size)
{
    return elelem_tag_splitter_push((elelem_tag_splitter *)object, bytes, size);
}

static elelem_status splitter_next(void *object, feed_log *log)
{
    elelem_tag_piece piece;
    elelem_status status = elelem_tag_splitter_next((elelem_tag_splitter *)object, &piece);

    if (status != ELELEM_OK) return status;
    if (piece.kind == ELELEM_TAG_TEXT) feed_text(log, "text", piece.text.data, piece.text.size);
    else feed_line(log, "%d %.*s", piece.kind, (int)piece.name.size, piece.name.data);
    return status;
}

static void splitter_finish(void *object)
{
    elelem_tag_splitter_finish((elelem_tag_splitter *)object);
}

static elelem_error splitter_error(const void *object)
{
    return elelem_tag_splitter_error((const elelem_tag_splitter *)object);
}

static void replayer_start(void *object)
{
    elelem_replayer_free((elelem_replayer *)object);
    elelem_replayer_init((elelem_replayer *)object, NULL);
}

static void item_reader_start(void *object)
{
    elelem_item_reader_free((elelem_item_reader *)object);
    elelem_item_reader_init((elelem_item_reader *)object, NULL);
}

static elelem_status item_reader_push(void *object, const void *bytes, size_t size)
{
    return elelem_item_reader_push((elelem_item_reader *)object, bytes, size);
}

static elelem_status item_reader_next(void *object, feed_log *log)
{
    elelem_read_item item;
    elelem_status status = elelem_item_reader_next((elelem_item_reader *)object, &item);

    if (status == ELELEM_OK) feed_line(log, "%d %.*s%.*s", item.kind, ELELEM_STR_ARG(item.item.text), ELELEM_STR_ARG(item.line));
    return status;
}

static void item_reader_finish(void *object)
{
    elelem_item_reader_finish((elelem_item_reader *)object);
}

static elelem_error item_reader_error(const void *object)
{
    return elelem_item_reader_error((const elelem_item_reader *)object);
}

static void replayer_start_text(void *object)
{
    elelem_replayer_desc desc = ELELEM_INIT;

    desc.format = ELELEM_RECORD_TEXT;
    elelem_replayer_free((elelem_replayer *)object);
    elelem_replayer_init((elelem_replayer *)object, &desc);
}

static elelem_status replayer_push(void *object, const void *bytes, size_t size)
{
    return elelem_replayer_push((elelem_replayer *)object, bytes, size);
}

static elelem_status replayer_next(void *object, feed_log *log)
{
    elelem_record_item item;
    elelem_status status = elelem_replayer_next((elelem_replayer *)object, &item);

    if (status != ELELEM_OK) return status;
    if (item.line.size > 0) feed_line(log, "%.*s", (int)item.line.size, item.line.data);
    else feed_text(log, "text", item.event.part.text.data, item.event.part.text.size);
    return status;
}

static void replayer_finish(void *object)
{
    elelem_replayer_finish((elelem_replayer *)object);
}

static elelem_error replayer_error(const void *object)
{
    return elelem_replayer_error((const elelem_replayer *)object);
}

static void reader_start(void *object)
{
    elelem_history_reader_free((elelem_history_reader *)object);
    elelem_history_reader_init((elelem_history_reader *)object, NULL);
}

static elelem_status reader_push(void *object, const void *bytes, size_t size)
{
    return elelem_history_reader_push((elelem_history_reader *)object, bytes, size);
}

static elelem_status reader_next(void *object, feed_log *log)
{
    elelem_history_entry entry;
    elelem_status status = elelem_history_reader_next((elelem_history_reader *)object, &entry);

    if (status == ELELEM_OK) feed_line(log, "%.*s", (int)entry.text.size, entry.text.data);
    return status;
}

static void reader_finish(void *object)
{
    elelem_history_reader_finish((elelem_history_reader *)object);
}

static elelem_error reader_error(const void *object)
{
    return elelem_history_reader_error((const elelem_history_reader *)object);
}

static void turn_start(void *object)
{
    elelem_turn_desc desc = ELELEM_INIT;

    desc.shape = turn_shape;
    elelem_turn_free((elelem_turn *)object);
    elelem_turn_init((elelem_turn *)object, &desc);
}

static elelem_status turn_push(void *object, const void *bytes, size_t size)
{
    return elelem_turn_push((elelem_turn *)object, bytes, size);
}

static elelem_status turn_next(void *object, feed_log *log)
{
    elelem_turn_update item;
    elelem_status status = elelem_turn_next((elelem_turn *)object, &item);

    if (status != ELELEM_OK) return status;
    if (item.kind == ELELEM_TURN_TEXT || item.kind == ELELEM_TURN_REASONING)
        feed_text(log, "text", item.text.data, item.text.size);
    else if (item.kind == ELELEM_TURN_FINISHED)
        feed_line(log, "FINISHED");
    else if (item.kind == ELELEM_TURN_ERROR)
        feed_line(log, "ERROR %s %d \"%.*s\"", elelem_status_name(item.error.status), item.error.retryable,
                  (int)item.error.message.size, item.error.message.data);
    else
        feed_line(log, "%d of %lu", item.kind, (unsigned long)item.index);
    return status;
}

static void turn_finish(void *object)
{
    elelem_turn_finish((elelem_turn *)object);
}

#define LINES                                                                            \
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\"}\n"                  \
    "{\"mine\":[1,2]}\n{\"eventType\":\"Flush\",\"index\":0}\n"                          \
    "{\"eventType\":\"ChatCompleted\",\"finishReason\":\"completed\"}\n"

static eater eaters[] = {
    { "parser", { &parser, parser_start, parser_push, parser_next, parser_finish, parser_error }, sizeof parser,
      "{\"a\":[1,\"tw\\u00f6 \xc3\xa9\",null],\"\":{}} ", "END\n" },
    { "decoder", { &decoder, decoder_start, decoder_push, decoder_next, decoder_finish, decoder_error }, sizeof decoder,
      "event: x\ndata: one\ndata: two\n\nhm\n\n: no\n\ndata\n\n", "END\n" },
    { "splitter", { &splitter, splitter_start, splitter_push, splitter_next, splitter_finish, splitter_error },
      sizeof splitter, "a <think id='\xc3\xa9'>b</think> < c <reasoning/>d", "END\n" },
    { "replayer", { &replayer, replayer_start, replayer_push, replayer_next, replayer_finish, replayer_error },
      sizeof replayer, LINES, "END\n" },
    { "item reader",
      { &item_reader, item_reader_start, item_reader_push, item_reader_next, item_reader_finish, item_reader_error },
      sizeof item_reader, LINES, "END\n" },
    { "replayer of text",
      { &replayer, replayer_start_text, replayer_push, replayer_next, replayer_finish, replayer_error }, sizeof replayer,
      "It \xf0\x9f\x8c\x9e is s\xc3\xa9", "END\n" },
    { "history reader", { &reader, reader_start, reader_push, reader_next, reader_finish, reader_error }, sizeof reader,
      "{\"role\":\"AI\",\"text\":\"Hm\",\"events\":[{\"eventType\":\"x\"}]} ", "END\n" },
};

#define EATERS (sizeof eaters / sizeof *eaters)

/* Every object, and streams and turns of every wire. */

typedef void (*law)(const eater *row);

static void for_each_eater(law check)
{
    eater stream = { "stream", { &streams_now, streams_start, streams_push, streams_next, streams_finish, NULL },
                     sizeof streams_now, NULL, "FINISHED" };
    eater of_turn = { "turn", { &turn, turn_start, turn_push, turn_next, turn_finish, NULL }, sizeof turn, NULL, "FINISHED" };
    size_t i;

    for (i = 0; i < EATERS; i++) {
        check_context(eaters[i].name);
        check(&eaters[i]);
    }
    for (i = 0; i < WIRES; i++) {
        const wire *w = wires[i];
        streams_shape(w->shape);
        stream.input = of_turn.input = w->good;
        check_context(w->name);
        check(&stream);
        streams_now.desc.split_thoughts = 1;
        check(&stream);
        turn_shape = w->shape;
        check(&of_turn);
    }
    check_context(NULL);
    streams_shape(NULL);
}

/* Feeding. */

static feed_log law_log;
static feed_log whole_log;

static void law_start(const eater *row)
{
    law_log.size = 0;
    law_log.in_text = 0;
    row->fed.start(row->fed.object);
}

static elelem_status law_push(const eater *row, size_t from, size_t to)
{
    return row->fed.push(row->fed.object, row->input + from, to - from);
}

static elelem_status law_drain(const eater *row)
{
    elelem_status status;

    do
        status = row->fed.next(row->fed.object, &law_log);
    while (status == ELELEM_OK);
    return status;
}

/* Finishes; nonzero if the object ends well. */
static int law_ends_well(const eater *row)
{
    elelem_status status;

    row->fed.finish(row->fed.object);
    status = law_drain(row);
    feed_line(&law_log, "%s", elelem_status_name(status) + 7);
    law_log.text[law_log.size < sizeof law_log.text ? law_log.size : sizeof law_log.text - 1] = '\0';
    return strstr(law_log.text, row->end) != NULL;
}

static int whole_ends_well(const eater *row)
{
    int good;

    law_start(row);
    CHECK_INT(law_push(row, 0, strlen(row->input)), ELELEM_OK);
    law_drain(row);
    good = law_ends_well(row);
    whole_log = law_log;
    return CHECK(good);
}

/* Nonzero if all that matters was pushed with the first `size` bytes. */
static int ends_within(const eater *row, size_t size)
{
    law_start(row);
    law_push(row, 0, size);
    law_drain(row);
    return law_ends_well(row);
}

/* Long inputs are cut at some places only: reading one takes time. */
static size_t stride_of(size_t size)
{
    return size < 300 ? 1 : 7;
}

/* The laws. */

static void early_is_refused(const eater *row)
{
    size_t size = strlen(row->input), cut;

    if (!whole_ends_well(row)) return;
    for (cut = 1; cut < size; cut += stride_of(size)) {
        elelem_status status;
        check_cut("cut at", cut);
        law_start(row);
        CHECK_INT(law_push(row, 0, cut), ELELEM_OK);
        CHECK_INT(law_push(row, cut, size), ELELEM_ERROR_MISUSE);
        do {
            status = row->fed.next(row->fed.object, &law_log);
            if (status == ELELEM_OK) CHECK_INT(law_push(row, cut, size), ELELEM_ERROR_MISUSE);
        } while (status == ELELEM_OK);
        if (status == ELELEM_MORE) CHECK_INT(law_push(row, cut, size), ELELEM_OK);
    }
    check_cut(NULL, 0);
}

TEST(a_push_before_more_is_refused_wherever_the_input_was_cut) /* A4 */
{
    for_each_eater(early_is_refused);
}

static void ignored_ends_badly(const eater *row)
{
    size_t size = strlen(row->input), cut;

    for (cut = 1; cut < size; cut += stride_of(size)) {
        int may = ends_within(row, cut);
        check_cut("cut at", cut);
        law_start(row);
        law_push(row, 0, cut);
        CHECK_INT(law_push(row, cut, size), ELELEM_ERROR_MISUSE);
        law_drain(row);
        if (law_ends_well(row) && !may) check_true(0, "it ended well though its end was refused", __FILE__, __LINE__);
        if (row->fed.error && !may) CHECK_INT(row->fed.error(row->fed.object).status, ELELEM_ERROR_MISUSE);
        if (row->fed.error && !may) CHECK_U64(row->fed.error(row->fed.object).offset, cut);
    }
    check_cut(NULL, 0);
}

TEST(a_refused_push_that_is_not_repeated_before_finish_is_an_error_after_all_that_was_taken)
{
    for_each_eater(ignored_ends_badly);
}

static void skipped_ends_badly(const eater *row)
{
    size_t size = strlen(row->input), cut;

    for (cut = 1; cut + 2 < size; cut += stride_of(size)) {
        int may = ends_within(row, cut);
        elelem_status status;
        if (memcmp(row->input + cut, row->input + cut + 2, 2) == 0) continue; /* the same bytes come twice */
        check_cut("cut at", cut);
        law_start(row);
        law_push(row, 0, cut);
        CHECK_INT(law_push(row, cut, cut + 2), ELELEM_ERROR_MISUSE);
        law_drain(row);
        status = law_push(row, cut + 2, size);
        if (!may) CHECK_INT(status, ELELEM_ERROR_MISUSE);
        status = law_drain(row);
        if (row->fed.error && status < 0) CHECK_INT(row->fed.error(row->fed.object).status, status);
        if (law_ends_well(row) && !may) check_true(0, "it ended well though its middle was refused", __FILE__, __LINE__);
    }
    check_cut(NULL, 0);
}

TEST(other_bytes_after_a_refused_push_are_an_error_that_sticks) /* A4 */
{
    for_each_eater(skipped_ends_badly);
}

static void repeated_is_as_if_not_refused(const eater *row)
{
    size_t size = strlen(row->input), cut;

    if (!whole_ends_well(row)) return;
    for (cut = 1; cut < size; cut += stride_of(size)) {
        check_cut("cut at", cut);
        law_start(row);
        law_push(row, 0, cut);
        CHECK_INT(law_push(row, cut, cut + 1), ELELEM_ERROR_MISUSE);
        CHECK_INT(law_push(row, cut, cut + (size - cut + 1) / 2), ELELEM_ERROR_MISUSE);
        if (law_drain(row) == ELELEM_MORE) CHECK_INT(law_push(row, cut, size), ELELEM_OK);
        law_drain(row);
        CHECK(law_ends_well(row));
        CHECK_BYTES(law_log.text, law_log.size, whole_log.text, whole_log.size);
    }
    check_cut(NULL, 0);
}

TEST(a_refused_push_that_is_repeated_even_with_more_bytes_is_taken)
{
    for_each_eater(repeated_is_as_if_not_refused);
}

static void reset_forgets(const eater *row)
{
    law_start(row);
    law_push(row, 0, 4);
    law_push(row, 4, 6);
    whole_ends_well(row);
}

/* What was owed first is lost when other bytes were refused after it, even if it is repeated then. */
static void repeated_too_late_is_refused(const eater *row)
{
    size_t size = strlen(row->input);

    if (!whole_ends_well(row)) return;
    law_start(row);
    law_push(row, 0, 4);
    CHECK_INT(law_push(row, 4, 6), ELELEM_ERROR_MISUSE);
    CHECK_INT(law_push(row, 6, 8), ELELEM_ERROR_MISUSE);
    CHECK_INT(law_push(row, 4, 6), ELELEM_ERROR_MISUSE);
    if (law_drain(row) == ELELEM_MORE) law_push(row, 4, size);
    law_drain(row);
    CHECK(!law_ends_well(row));
}

TEST(bytes_that_were_owed_and_not_repeated_first_are_lost)
{
    for_each_eater(repeated_too_late_is_refused);
}

TEST(reset_forgets_what_was_refused)
{
    for_each_eater(reset_forgets);
}

static void nothing_is_harmless(const eater *row)
{
    size_t size = strlen(row->input);

    law_start(row);
    CHECK_INT(row->fed.push(row->fed.object, NULL, 0), ELELEM_OK);
    CHECK_INT(row->fed.push(row->fed.object, row->input, 0), ELELEM_OK);
    CHECK_INT(row->fed.push(row->fed.object, NULL, 3), ELELEM_ERROR_MISUSE);
    CHECK_INT(law_drain(row), ELELEM_MORE);
    CHECK_INT(law_push(row, 0, size), ELELEM_OK);
    CHECK_INT(row->fed.push(row->fed.object, NULL, 0), ELELEM_OK);
    CHECK_INT(row->fed.push(row->fed.object, NULL, 3), ELELEM_ERROR_MISUSE);
    law_drain(row);
    CHECK(law_ends_well(row));
}

TEST(a_null_pointer_with_a_size_is_misuse_and_changes_nothing) /* C1 */
{
    for_each_eater(nothing_is_harmless);
}

static void late_is_refused(const eater *row)
{
    elelem_status end;

    law_start(row);
    law_push(row, 0, strlen(row->input));
    law_drain(row);
    row->fed.finish(row->fed.object);
    end = row->fed.push(row->fed.object, "x", 1);
    CHECK(end == ELELEM_ERROR_MISUSE || (end == ELELEM_OK && !row->fed.error)); /* a stream may be over */
    row->fed.finish(row->fed.object);
    CHECK(law_ends_well(row));
}

TEST(a_push_after_finish_is_misuse_and_changes_nothing) /* C2 */
{
    for_each_eater(late_is_refused);
}

static void finishes_often(const eater *row)
{
    elelem_status end;

    if (!whole_ends_well(row)) return;
    law_start(row);
    law_push(row, 0, strlen(row->input));
    row->fed.finish(row->fed.object); /* before all is taken */
    row->fed.finish(row->fed.object);
    law_drain(row);
    CHECK(law_ends_well(row));
    CHECK_BYTES(law_log.text, law_log.size, whole_log.text, whole_log.size);
    end = row->fed.next(row->fed.object, &law_log);
    row->fed.finish(row->fed.object);
    CHECK_INT(end, ELELEM_END);
    CHECK_INT(row->fed.next(row->fed.object, &law_log), end);
    CHECK_BYTES(law_log.text, law_log.size, whole_log.text, whole_log.size);
}

TEST(finishing_twice_or_after_the_end_changes_nothing) /* C3 */
{
    for_each_eater(finishes_often);
}

/* Frames that the caller pushes whole. */

static elelem_str text_of(const char *text)
{
    return elelem_str_of(text);
}

static elelem_stream frames;

static void open_frames(void)
{
    elelem_stream_desc desc = ELELEM_INIT;

    desc.shape = &elelem_shape_chat;
    elelem_stream_init(&frames, &desc);
    CHECK_INT(elelem_stream_push_data(&frames, text_of("a"), text_of("{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}")),
              ELELEM_OK);
}

static elelem_event drain_frames(void)
{
    elelem_event event;

    memset(&event, 0, sizeof event);
    while (elelem_stream_next(&frames, &event) == ELELEM_OK) {}
    return event;
}

static const char last_frame[] = "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}";

TEST(after_a_refused_frame_the_same_frame_is_taken)
{
    open_frames();
    CHECK_INT(elelem_stream_push_data(&frames, text_of(""), text_of(last_frame)), ELELEM_ERROR_MISUSE);
    drain_frames();
    CHECK_INT(elelem_stream_push_data(&frames, text_of(""), text_of(last_frame)), ELELEM_OK);
    drain_frames();
    elelem_stream_finish(&frames);
    CHECK_INT(drain_frames().kind, ELELEM_EVENT_FINISHED);
    elelem_stream_free(&frames);
}

TEST(after_a_refused_frame_one_of_another_name_or_length_is_an_error)
{
    elelem_event event;
    int with_name;

    for (with_name = 0; with_name < 2; with_name++) {
        open_frames();
        CHECK_INT(elelem_stream_push_data(&frames, text_of(""), text_of("{}")), ELELEM_ERROR_MISUSE);
        drain_frames();
        CHECK_INT(elelem_stream_push_data(&frames, text_of(with_name ? "a" : ""), text_of(with_name ? "{}" : last_frame)),
                  ELELEM_ERROR_MISUSE);
        elelem_stream_finish(&frames);
        event = drain_frames();
        CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
        CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_OTHER);
        CHECK_INT(event.error.status, ELELEM_ERROR_MISUSE);
        CHECK_INT(event.error.retryable, 0);
        CHECK_STR(event.error.message.data, event.error.message.size,
                  "input was lost: a push was refused and not repeated");
        elelem_stream_free(&frames);
    }
}

TEST(a_frame_that_was_owed_and_not_repeated_first_is_lost)
{
    open_frames();
    CHECK_INT(elelem_stream_push_data(&frames, text_of(""), text_of(last_frame)), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_stream_push_data(&frames, text_of(""), text_of("{}")), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_stream_push_data(&frames, text_of(""), text_of(last_frame)), ELELEM_ERROR_MISUSE);
    elelem_stream_finish(&frames);
    CHECK_INT(drain_frames().error.status, ELELEM_ERROR_MISUSE);
    elelem_stream_free(&frames);
}

TEST(frames_and_bytes_that_are_mixed_and_ignored_end_in_an_error)
{
    elelem_event event;

    open_frames();
    drain_frames();
    CHECK_INT(elelem_stream_push(&frames, "data: [DONE]\n\n", 14), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_stream_push_data(&frames, text_of(""), text_of(last_frame)), ELELEM_ERROR_MISUSE);
    elelem_stream_finish(&frames);
    event = drain_frames();
    CHECK_INT(event.error.status, ELELEM_ERROR_MISUSE);
    elelem_stream_free(&frames);
}

TEST(a_transport_that_broke_after_a_loss_is_an_error_and_never_finished)
{
    elelem_event event;

    open_frames();
    drain_frames();
    CHECK_INT(elelem_stream_push_data(&frames, text_of(""), text_of(last_frame)), ELELEM_OK);
    CHECK_INT(elelem_stream_push_data(&frames, text_of(""), text_of("{}")), ELELEM_ERROR_MISUSE);
    elelem_stream_fail(&frames, ELELEM_ERROR_KIND_CONNECT);
    event = drain_frames();
    CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
    CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_CONNECT);
    elelem_stream_free(&frames);
}

TEST(a_failure_of_an_unknown_kind_is_other)
{
    static const int kinds[] = { -1, ELELEM_ERROR_KIND_COUNT, 255, 1 << 20 };
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        open_frames();
        elelem_stream_fail(&frames, (elelem_error_kind)kinds[i]);
        CHECK_INT(drain_frames().error.kind, ELELEM_ERROR_KIND_OTHER);
        elelem_stream_free(&frames);
    }
}

/* Objects that take events. */

static elelem_event part_of(elelem_part_kind kind, uint32_t index, const char *text)
{
    elelem_event event = ELELEM_INIT;

    event.index = index;
    event.part.kind = (uint8_t)kind;
    if (kind == ELELEM_PART_TOOL_CALL) {
        event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
        event.part.tool_call.text = elelem_str_of(text);
    } else {
        event.part.text = elelem_str_of(text);
    }
    return event;
}

static elelem_event flush_of(uint32_t index)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_FLUSH;
    event.index = index;
    return event;
}

typedef union event_eater {
    elelem_event_builder builder;
    elelem_thought_splitter thoughts;
    elelem_event_coalescer coalescer;
} event_eater;

typedef struct event_row {
    const char *name;
    elelem_status (*push)(event_eater *object, const elelem_event *event);
    elelem_status (*next)(event_eater *object);
    elelem_error (*error)(const event_eater *object);
} event_row;

static elelem_status push_builder(event_eater *o, const elelem_event *event)
{
    return elelem_event_builder_push(&o->builder, event);
}

static elelem_status next_builder(event_eater *o)
{
    elelem_built built;

    return elelem_event_builder_next(&o->builder, &built);
}

static elelem_error error_builder(const event_eater *o)
{
    return elelem_event_builder_error(&o->builder);
}

static elelem_status push_thoughts(event_eater *o, const elelem_event *event)
{
    return elelem_thought_splitter_push(&o->thoughts, event);
}

static elelem_status next_thoughts(event_eater *o)
{
    elelem_event event;

    return elelem_thought_splitter_next(&o->thoughts, &event);
}

static elelem_error error_thoughts(const event_eater *o)
{
    return elelem_thought_splitter_error(&o->thoughts);
}

static elelem_status push_coalescer(event_eater *o, const elelem_event *event)
{
    return elelem_event_coalescer_push(&o->coalescer, event);
}

static elelem_status next_coalescer(event_eater *o)
{
    elelem_record_item item;

    return elelem_event_coalescer_next(&o->coalescer, &item);
}

static elelem_error error_coalescer(const event_eater *o)
{
    return elelem_event_coalescer_error(&o->coalescer);
}

static const event_row event_rows[] = {
    { "builder", push_builder, next_builder, error_builder },
    { "thought splitter", push_thoughts, next_thoughts, error_thoughts },
    { "coalescer", push_coalescer, next_coalescer, error_coalescer },
};

static void start_events(event_eater *object, size_t which)
{
    memset(object, 0, sizeof *object);
    if (which == 0) elelem_event_builder_init(&object->builder, NULL);
    if (which == 1) elelem_thought_splitter_init(&object->thoughts, NULL);
    if (which == 2) elelem_event_coalescer_init(&object->coalescer, NULL);
}

static void free_events(event_eater *object, size_t which)
{
    if (which == 0) elelem_event_builder_free(&object->builder);
    if (which == 1) elelem_thought_splitter_free(&object->thoughts);
    if (which == 2) elelem_event_coalescer_free(&object->coalescer);
}

static elelem_status drain_events(const event_row *row, event_eater *object)
{
    elelem_status status;

    do
        status = row->next(object);
    while (status == ELELEM_OK);
    return status;
}

static event_eater events;

TEST(after_a_refused_event_the_same_event_is_taken)
{
    elelem_event first = part_of(ELELEM_PART_TOOL_CALL, 0, "[1,2]");
    elelem_event second = part_of(ELELEM_PART_MESSAGE, 1, "x");
    size_t i;

    for (i = 0; i < 3; i++) {
        const event_row *row = &event_rows[i];
        check_context(row->name);
        start_events(&events, i);
        CHECK_INT(row->push(&events, &first), ELELEM_OK);
        CHECK_INT(row->push(&events, &second), ELELEM_ERROR_MISUSE);
        CHECK_INT(row->push(&events, &second), ELELEM_ERROR_MISUSE);
        CHECK_INT(drain_events(row, &events), ELELEM_MORE);
        CHECK_INT(row->push(&events, &second), ELELEM_OK);
        CHECK_INT(drain_events(row, &events), ELELEM_MORE);
        CHECK_INT(row->error(&events).status, ELELEM_OK);
        free_events(&events, i);
    }
}

TEST(an_event_that_was_refused_and_not_repeated_is_an_error_that_sticks)
{
    elelem_event first = part_of(ELELEM_PART_TOOL_CALL, 0, "[1,2]");
    elelem_event others[5];
    elelem_metadata_entry entry = ELELEM_INIT;
    size_t i, k;

    others[0] = part_of(ELELEM_PART_MESSAGE, 1, "x");
    others[1] = part_of(ELELEM_PART_MESSAGE, 2, "x");
    others[2] = part_of(ELELEM_PART_MESSAGE, 1, "y");
    others[3] = flush_of(0);
    others[4] = others[0];
    entry.key = elelem_str_of("k");
    entry.json = elelem_str_of("1");
    others[4].metadata.entries = &entry;
    others[4].metadata.count = 1;
    for (i = 0; i < 3; i++)
        for (k = 1; k < 5; k++) {
            const event_row *row = &event_rows[i];
            check_context(row->name);
            check_cut("event", k);
            start_events(&events, i);
            CHECK_INT(row->push(&events, &first), ELELEM_OK);
            CHECK_INT(row->push(&events, &others[0]), ELELEM_ERROR_MISUSE);
            CHECK_INT(drain_events(row, &events), ELELEM_MORE);
            CHECK_INT(row->push(&events, &others[k]), ELELEM_ERROR_MISUSE);
            CHECK_INT(drain_events(row, &events), ELELEM_ERROR_MISUSE);
            CHECK_INT(row->push(&events, &others[0]), ELELEM_ERROR_MISUSE);
            CHECK_INT(drain_events(row, &events), ELELEM_ERROR_MISUSE);
            CHECK_INT(row->error(&events).status, ELELEM_ERROR_MISUSE);
            free_events(&events, i);
        }
}

static void reset_events(event_eater *object, size_t which)
{
    if (which == 0) elelem_event_builder_reset(&object->builder);
    if (which == 1) elelem_thought_splitter_reset(&object->thoughts);
    if (which == 2) elelem_event_coalescer_reset(&object->coalescer);
}

/* Be it still owed, or lost because another one came. */
TEST(starting_over_forgets_an_event_that_was_refused)
{
    elelem_event first = part_of(ELELEM_PART_TOOL_CALL, 0, "[1,2]");
    elelem_event refused = part_of(ELELEM_PART_MESSAGE, 1, "x");
    elelem_event other = part_of(ELELEM_PART_MESSAGE, 2, "y");
    size_t i;
    int is_lost;

    for (i = 0; i < 3; i++)
        for (is_lost = 0; is_lost < 2; is_lost++) {
            const event_row *row = &event_rows[i];
            check_context(row->name);
            start_events(&events, i);
            CHECK_INT(row->push(&events, &first), ELELEM_OK);
            CHECK_INT(row->push(&events, &refused), ELELEM_ERROR_MISUSE);
            if (is_lost) drain_events(row, &events);
            if (is_lost) CHECK_INT(row->push(&events, &other), ELELEM_ERROR_MISUSE);
            reset_events(&events, i);
            CHECK_INT(row->error(&events).status, ELELEM_OK);
            CHECK_INT(row->push(&events, &other), ELELEM_OK);
            CHECK_INT(drain_events(row, &events), ELELEM_MORE);
            CHECK_INT(row->error(&events).status, ELELEM_OK);
            free_events(&events, i);
        }
}

TEST(a_coalescer_that_is_finished_after_an_item_was_refused_reports_an_error)
{
    elelem_event_coalescer coalescer;
    elelem_record_item item;
    elelem_str line = elelem_str_of("{\"a\":1}");

    elelem_event_coalescer_init(&coalescer, NULL);
    CHECK_INT(elelem_event_coalescer_push_line(&coalescer, line), ELELEM_OK);
    CHECK_INT(elelem_event_coalescer_push_line(&coalescer, elelem_str_of("{\"b\":1}")), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_OK);
    elelem_event_coalescer_finish(&coalescer);
    CHECK_INT(elelem_event_coalescer_next(&coalescer, &item), ELELEM_ERROR_MISUSE);
    CHECK_U64(elelem_event_coalescer_error(&coalescer).offset, 1);
    elelem_event_coalescer_free(&coalescer);
}

/* Objects that were never initialised. */

static void check_error(elelem_error error)
{
    CHECK_INT(error.status, ELELEM_ERROR_MISUSE);
    CHECK(error.message != NULL && error.message[0] != '\0');
}

/* Pushes and takes of an object that is not initialised. */
static void refuses_everything(const eater *row)
{
    elelem_status status;
    int i;

    for (i = 0; i < 2; i++) {
        CHECK_INT(row->fed.push(row->fed.object, "x", 1), ELELEM_ERROR_MISUSE);
        CHECK_INT(row->fed.push(row->fed.object, NULL, 0), ELELEM_ERROR_MISUSE);
        CHECK_INT(row->fed.push(row->fed.object, NULL, 3), ELELEM_ERROR_MISUSE);
        if (row->fed.error) check_error(row->fed.error(row->fed.object));
        if (row->fed.error) row->fed.finish(row->fed.object);
        if (row->fed.error) CHECK_INT(row->fed.next(row->fed.object, &law_log), ELELEM_ERROR_MISUSE);
    }
    if (row->fed.error) return;
    law_log.size = 0;
    status = row->fed.next(row->fed.object, &law_log);
    CHECK_INT(status, ELELEM_OK);
    law_log.text[law_log.size] = '\0';
    CHECK(strstr(law_log.text, "ERROR_MISUSE") != NULL);
}

static void zeroed_is_misuse(const eater *row)
{
    row->fed.start(row->fed.object);
    if (row->fed.object == &streams_now) memset(&streams_now.stream, 0, sizeof streams_now.stream);
    else memset(row->fed.object, 0, row->size);
    refuses_everything(row);
}

static void free_object(const void *object)
{
    if (object == &parser) elelem_fragment_parser_free(&parser);
    if (object == &decoder) elelem_sse_decoder_free(&decoder);
    if (object == &splitter) elelem_tag_splitter_free(&splitter);
    if (object == &replayer) elelem_replayer_free(&replayer);
    if (object == &item_reader) elelem_item_reader_free(&item_reader);
    if (object == &reader) elelem_history_reader_free(&reader);
    if (object == &turn) elelem_turn_free(&turn);
    if (object == &streams_now) elelem_stream_free(&streams_now.stream);
}

/* Freed while bytes are lent, after they were taken, and after the end. */
static void freed_is_misuse(const eater *row)
{
    size_t half = strlen(row->input) / 2;
    int i;

    for (i = 0; i < 3; i++) {
        law_start(row);
        CHECK_INT(law_push(row, 0, half), ELELEM_OK);
        if (i > 0) law_drain(row);
        if (i > 1) row->fed.finish(row->fed.object);
        if (i > 1) law_drain(row);
        free_object(row->fed.object);
        refuses_everything(row);
        free_object(row->fed.object);
        CHECK(whole_ends_well(row));
    }
}

TEST(an_object_of_bytes_that_was_never_initialised_refuses_everything) /* C4 */
{
    for_each_eater(zeroed_is_misuse);
}

TEST(an_object_of_bytes_that_was_freed_refuses_everything_until_it_is_initialised) /* C4 */
{
    for_each_eater(freed_is_misuse);
}

TEST(an_object_of_events_that_was_never_initialised_refuses_everything) /* C4 */
{
    elelem_event event = part_of(ELELEM_PART_MESSAGE, 0, "x");
    size_t i;

    for (i = 0; i < 3; i++) {
        const event_row *row = &event_rows[i];
        check_context(row->name);
        memset(&events, 0, sizeof events);
        CHECK_INT(row->push(&events, &event), ELELEM_ERROR_MISUSE);
        CHECK_INT(row->next(&events), ELELEM_ERROR_MISUSE);
        check_error(row->error(&events));
        free_events(&events, i);
        CHECK_INT(row->push(&events, &event), ELELEM_ERROR_MISUSE);
    }
}

TEST(parser_functions_on_a_zeroed_parser_do_no_harm)
{
    elelem_fragment_parser zeroed = ELELEM_INIT;

    CHECK_INT(elelem_fragment_parser_skip(&zeroed), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_fragment_parser_restart(&zeroed), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_fragment_parser_unread(&zeroed), 0);
    CHECK_U64(elelem_fragment_parser_offset(&zeroed), 0);
    CHECK_INT(elelem_fragment_parser_path(&zeroed)->count, 0);
    elelem_fragment_parser_reset(&zeroed);
    CHECK_INT(elelem_fragment_parser_push(&zeroed, "1", 1), ELELEM_ERROR_MISUSE);
    elelem_fragment_parser_free(&zeroed);
}

TEST(aggregator_functions_on_a_zeroed_aggregator_do_no_harm)
{
    elelem_fragment_aggregator zeroed = ELELEM_INIT;
    elelem_path path = ELELEM_INIT;
    elelem_fragment fragment = ELELEM_INIT;
    elelem_completed_value completed;

    fragment.path = &path;
    fragment.kind = ELELEM_FRAGMENT_BEGIN;
    fragment.type = ELELEM_TYPE_OBJECT;
    CHECK_INT(elelem_fragment_aggregator_push(&zeroed, &fragment), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_fragment_aggregator_next(&zeroed, &completed), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_value_type(elelem_fragment_aggregator_value(&zeroed)), ELELEM_TYPE_NONE);
    check_error(elelem_fragment_aggregator_error(&zeroed));
    elelem_fragment_aggregator_free(&zeroed);
}

TEST(writers_and_buffers_that_were_never_initialised_refuse_everything)
{
    elelem_writer writer = ELELEM_INIT;
    elelem_buffer buffer = ELELEM_INIT;
    elelem_buffer good;

    CHECK_INT(elelem_writer_null(&writer), ELELEM_ERROR_MISUSE);
    check_error(elelem_writer_error(&writer));
    CHECK_INT(elelem_buffer_append(&buffer, "x", 1), ELELEM_ERROR_MISUSE);
    elelem_buffer_free(&buffer);
    elelem_buffer_init(&good, buffer.els_memory.allocator, 0);
    CHECK_INT(elelem_buffer_append(&good, NULL, 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_buffer_append(&good, NULL, 0), ELELEM_OK);
    elelem_buffer_free(&good);
}

TEST(recorders_and_history_builders_that_were_never_initialised_refuse_everything)
{
    elelem_recorder recorder = ELELEM_INIT;
    elelem_history_builder history = ELELEM_INIT;
    elelem_history_entry entry;
    elelem_event event = part_of(ELELEM_PART_MESSAGE, 0, "x");

    CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_recorder_push_line(&recorder, elelem_str_of("{}")), ELELEM_ERROR_MISUSE);
    check_error(elelem_recorder_error(&recorder));
    CHECK_INT(elelem_history_builder_push(&history, &event), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_history_builder_push_text(&history, elelem_str_of("x")), ELELEM_ERROR_MISUSE);
    elelem_history_builder_finish(&history);
    CHECK_INT(elelem_history_builder_entry(&history, &entry), ELELEM_ERROR_MISUSE);
    check_error(elelem_history_builder_error(&history));
    elelem_recorder_free(&recorder);
    elelem_history_builder_free(&history);
}

TEST(the_offset_of_an_error_of_items_counts_items_that_ended_before)
{
    elelem_event_builder builder;
    elelem_event_builder_desc desc = ELELEM_INIT;
    elelem_event first = part_of(ELELEM_PART_MESSAGE, 0, "x");
    elelem_event flush = flush_of(0);
    elelem_event second = part_of(ELELEM_PART_MESSAGE, 1, "longer");
    elelem_built built;

    desc.max_bytes = 3;
    elelem_event_builder_init(&builder, &desc);
    CHECK_INT(elelem_event_builder_push(&builder, &first), ELELEM_OK);
    CHECK_INT(elelem_event_builder_push(&builder, &flush), ELELEM_OK);
    while (elelem_event_builder_next(&builder, &built) == ELELEM_OK) {}
    CHECK_INT(elelem_event_builder_push(&builder, &second), ELELEM_ERROR_VALUE_SIZE);
    CHECK_U64(elelem_event_builder_error(&builder).offset, 1);
    elelem_event_builder_free(&builder);
}

CHECK_MAIN("input",
           RUN(bytes_that_were_owed_and_not_repeated_first_are_lost)
    RUN(a_frame_that_was_owed_and_not_repeated_first_is_lost)
    RUN(a_push_before_more_is_refused_wherever_the_input_was_cut)
           RUN(a_refused_push_that_is_not_repeated_before_finish_is_an_error_after_all_that_was_taken)
           RUN(other_bytes_after_a_refused_push_are_an_error_that_sticks)
           RUN(a_refused_push_that_is_repeated_even_with_more_bytes_is_taken)
           RUN(reset_forgets_what_was_refused)
           RUN(a_null_pointer_with_a_size_is_misuse_and_changes_nothing)
           RUN(a_push_after_finish_is_misuse_and_changes_nothing)
           RUN(finishing_twice_or_after_the_end_changes_nothing)
           RUN(after_a_refused_frame_the_same_frame_is_taken)
           RUN(after_a_refused_frame_one_of_another_name_or_length_is_an_error)
           RUN(frames_and_bytes_that_are_mixed_and_ignored_end_in_an_error)
           RUN(a_transport_that_broke_after_a_loss_is_an_error_and_never_finished)
           RUN(a_failure_of_an_unknown_kind_is_other)
           RUN(after_a_refused_event_the_same_event_is_taken)
           RUN(an_event_that_was_refused_and_not_repeated_is_an_error_that_sticks)
           RUN(starting_over_forgets_an_event_that_was_refused)
           RUN(a_coalescer_that_is_finished_after_an_item_was_refused_reports_an_error)
           RUN(an_object_of_bytes_that_was_never_initialised_refuses_everything)
           RUN(an_object_of_bytes_that_was_freed_refuses_everything_until_it_is_initialised)
    RUN(an_object_of_events_that_was_never_initialised_refuses_everything)
           RUN(parser_functions_on_a_zeroed_parser_do_no_harm)
           RUN(aggregator_functions_on_a_zeroed_aggregator_do_no_harm)
           RUN(writers_and_buffers_that_were_never_initialised_refuse_everything)
           RUN(recorders_and_history_builders_that_were_never_initialised_refuse_everything)
           RUN(the_offset_of_an_error_of_items_counts_items_that_ended_before))
