/* Every public object that is fed and holds memory, each as a row of `objects`: how to init, feed, reset
 * and free it, and an input that makes it use what it has. Laws that hold for all of them (faults.h,
 * test_resets.c) go through the rows.
 *
 * `run` feeds the object `objects_input` up to `objects_stop` and logs what comes out. Objects that take events
 * or fragments get them from a stream or a parser with memory of its own. `run` returns how it ended:
 * END, MORE if it stopped early, ERROR_MEMORY, or another error; END as well if it stopped at a result
 * (objects_left). Include elelem_stream.h first.
 */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "feed.h"
#include "limits.h"

static const char *objects_input;
static size_t objects_size;
static size_t objects_piece; /* bytes that each push lends */
static size_t objects_stop;  /* bytes to feed; finish follows only if these are all */
#define OBJECTS_ALL ((size_t)-1)
static size_t objects_left = OBJECTS_ALL; /* results to take; the run stops before the next one, and leaves it there */
static elelem_allocator objects_allocator;
static const elelem_shape *objects_shape;
static int objects_split;    /* nonzero: streams split thinking in tags */

/* What init makes the objects of, for tests that set limits. What a row cannot do without is set by init itself. */
static struct objects_descs {
    elelem_fragment_parser_desc parser;
    elelem_fragment_aggregator_desc tree;
    elelem_sse_decoder_desc decoder;
    elelem_tag_splitter_desc splitter;
    elelem_thought_splitter_desc thoughts;
    elelem_stream_desc stream;
    elelem_event_builder_desc builder;
    elelem_turn_desc turn;
    elelem_recorder_desc recorder;
    elelem_replayer_desc replayer;
    elelem_item_reader_desc item_reader;
    elelem_event_coalescer_desc coalescer;
    elelem_history_builder_desc history;
    elelem_history_reader_desc reader;
    elelem_collector_desc collector;
    elelem_json_desc json;
    struct {
        size_t max_bytes;
    } conversation, buffer; /* which have no desc */
} objects_desc;

static inline void objects_feed(const char *input, size_t size, size_t piece)
{
    objects_input = input;
    objects_size = objects_stop = size;
    objects_piece = piece;
}

/* Nonzero if one more result may be taken. */
static inline int objects_may_take(void)
{
    if (objects_left == 0) return 0;
    objects_left--;
    return 1;
}

/* What is fed bytes, be it the object itself or the source of its events. */
typedef struct objects_fed {
    elelem_status (*push)(const void *bytes, size_t size);
    elelem_status (*next)(feed_log *log); /* OK: something was logged */
    void (*finish)(void);
} objects_fed;

static inline elelem_status objects_drain(const objects_fed *fed, feed_log *log)
{
    elelem_status status;

    do
        status = fed->next(log);
    while (status == ELELEM_OK);
    return status;
}

static inline elelem_status objects_run(const objects_fed *fed, feed_log *log)
{
    elelem_status status = ELELEM_MORE;
    size_t at, size;
    char *lent;

    for (at = 0; at < objects_stop && status == ELELEM_MORE; at += size) {
        size = objects_piece < objects_stop - at ? objects_piece : objects_stop - at;
        lent = (char *)malloc(size);
        if (!lent) abort();
        memcpy(lent, objects_input + at, size);
        status = fed->push(lent, size);
        if (status == ELELEM_OK) status = objects_drain(fed, log);
        free(lent);
    }
    if (status != ELELEM_MORE || objects_stop < objects_size) return status;
    fed->finish();
    return objects_drain(fed, log);
}

/* What comes out, as lines. */

static inline elelem_status objects_write(void *context, const void *bytes, size_t size)
{
    feed_put((feed_log *)context, (const char *)bytes, size);
    return ELELEM_OK;
}

/* A sink that appends to the log and never refuses. */
static inline elelem_sink objects_sink(feed_log *log)
{
    elelem_sink sink;

    sink.write = objects_write;
    sink.context = log;
    return sink;
}

static inline void objects_log_event(feed_log *log, const elelem_event *event)
{
    elelem_recorder writer;
    elelem_recorder_desc desc = ELELEM_INIT;

    desc.sink = objects_sink(log);
    elelem_recorder_init(&writer, &desc);
    if (elelem_recorder_push(&writer, event) != ELELEM_OK) feed_line(log, "an event that cannot be written");
    elelem_recorder_free(&writer);
}

static inline void objects_log_value(feed_log *log, elelem_value value)
{
    elelem_writer writer;

    elelem_writer_init(&writer, objects_sink(log), 0);
    if (elelem_writer_value(&writer, value) != ELELEM_OK) abort();
    feed_put(log, "\n", 1);
}

static inline void objects_log_fragment(feed_log *log, const elelem_fragment *fragment)
{
    feed_line(log, "%d %s at depth %lu: %.*s", fragment->kind, elelem_type_name(fragment->type),
              (unsigned long)fragment->path->count, ELELEM_STR_ARG(fragment->text));
}

static inline void objects_log_item(feed_log *log, const elelem_item *item)
{
    elelem_writer writer;

    elelem_writer_init(&writer, objects_sink(log), 0);
    if (elelem_item_write(&writer, item) != ELELEM_OK) abort();
    feed_put(log, "\n", 1);
}

static inline void objects_log_record(feed_log *log, const elelem_record_item *item)
{
    if (item->kind == ELELEM_RECORD_EVENT) objects_log_event(log, &item->event);
    else feed_line(log, "%.*s", ELELEM_STR_ARG(item->line));
}

static inline void objects_log_entry(feed_log *log, const elelem_history_entry *entry)
{
    if (elelem_history_entry_write(entry, objects_sink(log)) != ELELEM_OK) abort();
    feed_put(log, "\n", 1);
}

/* JSON. */

static elelem_fragment_parser objects_parser;

static inline elelem_fragment_parser_desc objects_parser_desc(void)
{
    elelem_fragment_parser_desc desc = objects_desc.parser;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_parser_init(void)
{
    elelem_fragment_parser_desc desc = objects_parser_desc();

    elelem_fragment_parser_init(&objects_parser, &desc);
}

static inline uint64_t objects_parser_bound(void)
{
    elelem_fragment_parser_desc desc = objects_parser_desc();

    return limits_of_parser(&desc);
}

static inline elelem_status objects_parser_push(const void *bytes, size_t size)
{
    return elelem_fragment_parser_push(&objects_parser, bytes, size);
}

static inline elelem_status objects_parser_next(feed_log *log)
{
    elelem_fragment fragment;
    elelem_status status = objects_may_take() ? elelem_fragment_parser_next(&objects_parser, &fragment) : ELELEM_END;

    if (status == ELELEM_OK) objects_log_fragment(log, &fragment);
    return status;
}

static inline void objects_parser_finish(void)
{
    elelem_fragment_parser_finish(&objects_parser);
}

static inline elelem_status objects_parser_run(feed_log *log)
{
    static const objects_fed fed = { objects_parser_push, objects_parser_next, objects_parser_finish };

    return objects_run(&fed, log);
}

static inline elelem_error objects_parser_error(void)
{
    return elelem_fragment_parser_error(&objects_parser);
}

static inline void objects_parser_reset(void)
{
    elelem_fragment_parser_reset(&objects_parser);
}

static inline void objects_parser_free(void)
{
    elelem_fragment_parser_free(&objects_parser);
}

static elelem_fragment_aggregator objects_tree;

static inline elelem_fragment_aggregator_desc objects_tree_desc(void)
{
    elelem_fragment_aggregator_desc desc = objects_desc.tree;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_tree_init(void)
{
    elelem_fragment_aggregator_desc desc = objects_tree_desc();

    elelem_fragment_aggregator_init(&objects_tree, &desc);
}

static inline uint64_t objects_tree_bound(void)
{
    elelem_fragment_aggregator_desc desc = objects_tree_desc();

    return limits_of_aggregator(&desc);
}

static inline elelem_status objects_tree_next(feed_log *log)
{
    elelem_fragment fragment;
    elelem_completed_value completed;
    elelem_status pushed, status = elelem_fragment_parser_next(&objects_parser, &fragment);

    if (status != ELELEM_OK) return status;
    pushed = elelem_fragment_aggregator_push(&objects_tree, &fragment);
    if (pushed != ELELEM_OK) return pushed;
    while (objects_may_take() && (pushed = elelem_fragment_aggregator_next(&objects_tree, &completed)) == ELELEM_OK)
        objects_log_value(log, completed.value);
    return objects_left == 0 ? ELELEM_END : pushed < 0 ? pushed : ELELEM_OK;
}

static inline elelem_status objects_tree_run(feed_log *log)
{
    static const objects_fed fed = { objects_parser_push, objects_tree_next, objects_parser_finish };
    elelem_status status;

    elelem_fragment_parser_init(&objects_parser, NULL);
    status = objects_run(&fed, log);
    elelem_fragment_parser_free(&objects_parser);
    return status;
}

static inline elelem_error objects_tree_error(void)
{
    return elelem_fragment_aggregator_error(&objects_tree);
}

static inline void objects_tree_reset(void)
{
    elelem_fragment_aggregator_reset(&objects_tree);
}

static inline void objects_tree_free(void)
{
    elelem_fragment_aggregator_free(&objects_tree);
}

/* Event streams. */

static elelem_sse_decoder objects_decoder;

static inline elelem_sse_decoder_desc objects_decoder_desc(void)
{
    elelem_sse_decoder_desc desc = objects_desc.decoder;

    desc.allocator = objects_allocator;
    desc.lines = 1;
    return desc;
}

static inline void objects_decoder_init(void)
{
    elelem_sse_decoder_desc desc = objects_decoder_desc();

    elelem_sse_decoder_init(&objects_decoder, &desc);
}

static inline uint64_t objects_decoder_bound(void)
{
    elelem_sse_decoder_desc desc = objects_decoder_desc();

    return limits_of_decoder(&desc);
}

static inline elelem_status objects_decoder_push(const void *bytes, size_t size)
{
    return elelem_sse_decoder_push(&objects_decoder, bytes, size);
}

static inline elelem_status objects_decoder_next(feed_log *log)
{
    elelem_frame frame;
    elelem_status status = objects_may_take() ? elelem_sse_decoder_next(&objects_decoder, &frame) : ELELEM_END;

    if (status != ELELEM_OK) return status;
    if (frame.kind == ELELEM_FRAME_DATA) feed_bytes(log, "data", frame.text.data, frame.text.size);
    else feed_line(log, "%d %.*s #%.*s %.*s %ld", frame.kind, ELELEM_STR_ARG(frame.event), ELELEM_STR_ARG(frame.id),
                   ELELEM_STR_ARG(frame.text), (long)frame.retry_ms);
    return ELELEM_OK;
}

static inline void objects_decoder_finish(void)
{
    elelem_sse_decoder_finish(&objects_decoder);
}

static inline elelem_status objects_decoder_run(feed_log *log)
{
    static const objects_fed fed = { objects_decoder_push, objects_decoder_next, objects_decoder_finish };

    return objects_run(&fed, log);
}

static inline elelem_error objects_decoder_error(void)
{
    return elelem_sse_decoder_error(&objects_decoder);
}

static inline void objects_decoder_reset(void)
{
    elelem_sse_decoder_reset(&objects_decoder);
}

static inline void objects_decoder_free(void)
{
    elelem_sse_decoder_free(&objects_decoder);
}

/* Tags. */

static elelem_tag_splitter objects_splitter;

static inline elelem_tag_splitter_desc objects_splitter_desc(void)
{
    static const elelem_str names[] = { { "think", 5 }, { "cite", 4 } };
    elelem_tag_splitter_desc desc = objects_desc.splitter;

    desc.allocator = objects_allocator;
    desc.names = names;
    desc.name_count = 2;
    return desc;
}

static inline void objects_splitter_init(void)
{
    elelem_tag_splitter_desc desc = objects_splitter_desc();

    elelem_tag_splitter_init(&objects_splitter, &desc);
}

static inline uint64_t objects_splitter_bound(void)
{
    elelem_tag_splitter_desc desc = objects_splitter_desc();

    return limits_of_tags(&desc);
}

static inline elelem_status objects_splitter_push(const void *bytes, size_t size)
{
    return elelem_tag_splitter_push(&objects_splitter, bytes, size);
}

static inline elelem_status objects_splitter_next(feed_log *log)
{
    elelem_tag_piece piece;
    elelem_status status = objects_may_take() ? elelem_tag_splitter_next(&objects_splitter, &piece) : ELELEM_END;
    size_t i;

    if (status != ELELEM_OK) return status;
    feed_line(log, "%d %.*s #%.*s %.*s", piece.kind, ELELEM_STR_ARG(piece.name), ELELEM_STR_ARG(piece.id),
              ELELEM_STR_ARG(piece.text));
    for (i = 0; i < piece.attribute_count; i++)
        feed_line(log, "%.*s=%.*s", ELELEM_STR_ARG(piece.attributes[i].name), ELELEM_STR_ARG(piece.attributes[i].value));
    return ELELEM_OK;
}

static inline void objects_splitter_finish(void)
{
    elelem_tag_splitter_finish(&objects_splitter);
}

static inline elelem_status objects_splitter_run(feed_log *log)
{
    static const objects_fed fed = { objects_splitter_push, objects_splitter_next, objects_splitter_finish };

    return objects_run(&fed, log);
}

static inline elelem_error objects_splitter_error(void)
{
    return elelem_tag_splitter_error(&objects_splitter);
}

static inline void objects_splitter_reset(void)
{
    elelem_tag_splitter_reset(&objects_splitter);
}

static inline void objects_splitter_free(void)
{
    elelem_tag_splitter_free(&objects_splitter);
}

/* Streams. The error that says memory ran out is not logged, but returned. */

static inline elelem_stream_desc objects_stream_desc(elelem_stream_desc desc, elelem_allocator allocator)
{
    desc.shape = objects_shape;
    desc.allocator = allocator;
    desc.split_thoughts = (uint8_t)objects_split;
    return desc;
}

static elelem_stream objects_stream;

static inline void objects_stream_init(void)
{
    elelem_stream_desc desc = objects_stream_desc(objects_desc.stream, objects_allocator);

    if (elelem_stream_init(&objects_stream, &desc) != ELELEM_OK) abort();
}

static inline uint64_t objects_stream_bound(void)
{
    elelem_stream_desc desc = objects_stream_desc(objects_desc.stream, objects_allocator);

    return limits_of_stream(&desc);
}

static inline elelem_status objects_stream_push(const void *bytes, size_t size)
{
    return elelem_stream_push(&objects_stream, bytes, size);
}

static inline elelem_status objects_stream_next(feed_log *log)
{
    elelem_event event;
    elelem_status status = objects_may_take() ? elelem_stream_next(&objects_stream, &event) : ELELEM_END;

    if (status != ELELEM_OK) return status;
    if (event.kind == ELELEM_EVENT_ERROR && event.error.kind == ELELEM_ERROR_KIND_OUT_OF_MEMORY)
        return ELELEM_ERROR_MEMORY;
    if (event.kind == ELELEM_EVENT_ERROR) event.metadata.count = 0; /* a request_id may be left out */
    objects_log_event(log, &event);
    if (event.kind == ELELEM_EVENT_ERROR) feed_line(log, "status %ld", (long)event.error.status);
    return ELELEM_OK;
}

static inline void objects_stream_finish(void)
{
    elelem_stream_finish(&objects_stream);
}

static inline elelem_status objects_stream_run(feed_log *log)
{
    static const objects_fed fed = { objects_stream_push, objects_stream_next, objects_stream_finish };

    return objects_run(&fed, log);
}

static inline elelem_error objects_stream_error(void)
{
    elelem_error none = ELELEM_INIT;

    return none;
}

static inline void objects_stream_reset(void)
{
    elelem_stream_reset(&objects_stream);
}

static inline void objects_stream_free(void)
{
    elelem_stream_free(&objects_stream);
}

/* A turn is a stream and a builder with one allocator. */

static elelem_turn objects_turn;

static inline elelem_turn_desc objects_turn_desc(void)
{
    elelem_turn_desc desc = objects_desc.turn;

    desc.shape = objects_shape;
    desc.split_thoughts = 1;
    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_turn_init(void)
{
    elelem_turn_desc desc = objects_turn_desc();

    if (elelem_turn_init(&objects_turn, &desc) != ELELEM_OK) abort();
}

static inline uint64_t objects_turn_bound(void)
{
    elelem_turn_desc desc = objects_turn_desc();

    return limits_of_turn(&desc);
}

static inline elelem_status objects_turn_push(const void *bytes, size_t size)
{
    return elelem_turn_push(&objects_turn, bytes, size);
}

static inline const char *objects_turn_kind(int kind)
{
    if (kind == ELELEM_TURN_FINISHED) return "finished";
    return kind == ELELEM_TURN_ERROR ? "failed" : "update";
}

/* Items that a failure cut off come before the error, and are left out. */
static inline elelem_status objects_turn_next(feed_log *log)
{
    elelem_turn_update update;
    elelem_status status = objects_may_take() ? elelem_turn_next(&objects_turn, &update) : ELELEM_END;

    if (status != ELELEM_OK) return status;
    if (update.kind == ELELEM_TURN_ERROR && update.error.kind == ELELEM_ERROR_KIND_OUT_OF_MEMORY) return ELELEM_ERROR_MEMORY;
    if (update.item && update.item->state == ELELEM_ITEM_CUT_OFF) return ELELEM_OK;
    feed_line(log, "%s %d %lu %.*s", objects_turn_kind(update.kind), update.kind, (unsigned long)update.index,
              ELELEM_STR_ARG(update.text));
    if (update.kind == ELELEM_TURN_ERROR) feed_line(log, "status %ld", (long)update.error.status);
    if (update.kind == ELELEM_TURN_TOOL_CALL_DELTA) objects_log_fragment(log, &update.fragment);
    if (update.item) objects_log_item(log, update.item);
    return ELELEM_OK;
}

static inline void objects_turn_finish(void)
{
    elelem_turn_finish(&objects_turn);
}

static inline elelem_status objects_turn_run(feed_log *log)
{
    static const objects_fed fed = { objects_turn_push, objects_turn_next, objects_turn_finish };

    return objects_run(&fed, log);
}

static inline elelem_error objects_turn_error(void)
{
    elelem_error none = ELELEM_INIT;

    return none;
}

static inline void objects_turn_reset(void)
{
    elelem_turn_reset(&objects_turn);
}

static inline void objects_turn_free(void)
{
    elelem_turn_free(&objects_turn);
}

/* Objects that take events: `take` pushes one and logs what comes out. */

static elelem_stream objects_source;
static elelem_status (*objects_take)(const elelem_event *event, feed_log *log);
/* If not null, the error of the object: an event that was refused memory is pushed again, if no error sticks. */
static elelem_error (*objects_again)(void);

static inline elelem_status objects_source_push(const void *bytes, size_t size)
{
    return elelem_stream_push(&objects_source, bytes, size);
}

static inline elelem_status objects_source_next(feed_log *log)
{
    elelem_event event;
    elelem_status taken, status = elelem_stream_next(&objects_source, &event);

    if (status != ELELEM_OK) return status;
    taken = objects_take(&event, log);
    if (objects_again && taken == ELELEM_ERROR_MEMORY && objects_again().status == ELELEM_OK) taken = objects_take(&event, log);
    return objects_left == 0 ? ELELEM_END : taken < 0 ? taken : ELELEM_OK;
}

static inline void objects_source_finish(void)
{
    elelem_stream_finish(&objects_source);
}

static inline elelem_status objects_run_source(elelem_status (*take)(const elelem_event *, feed_log *), feed_log *log)
{
    static const objects_fed fed = { objects_source_push, objects_source_next, objects_source_finish };
    static const elelem_allocator plain = ELELEM_INIT;
    static const elelem_stream_desc none = ELELEM_INIT;
    elelem_stream_desc desc = objects_stream_desc(none, plain);
    elelem_status status;

    objects_take = take;
    if (elelem_stream_init(&objects_source, &desc) != ELELEM_OK) abort();
    status = objects_run(&fed, log);
    elelem_stream_free(&objects_source);
    return status;
}

static elelem_thought_splitter objects_thoughts;

static inline elelem_thought_splitter_desc objects_thoughts_desc(void)
{
    elelem_thought_splitter_desc desc = objects_desc.thoughts;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_thoughts_init(void)
{
    elelem_thought_splitter_desc desc = objects_thoughts_desc();

    elelem_thought_splitter_init(&objects_thoughts, &desc);
}

static inline uint64_t objects_thoughts_bound(void)
{
    elelem_thought_splitter_desc desc = objects_thoughts_desc();

    return limits_of_thoughts(&desc);
}

static inline elelem_status objects_thoughts_take(const elelem_event *event, feed_log *log)
{
    elelem_event out;
    elelem_status status = elelem_thought_splitter_push(&objects_thoughts, event);

    while (status == ELELEM_OK && objects_may_take() && (status = elelem_thought_splitter_next(&objects_thoughts, &out)) == ELELEM_OK)
        objects_log_event(log, &out);
    return status;
}

static inline elelem_status objects_thoughts_run(feed_log *log)
{
    return objects_run_source(objects_thoughts_take, log);
}

static inline elelem_error objects_thoughts_error(void)
{
    return elelem_thought_splitter_error(&objects_thoughts);
}

static inline void objects_thoughts_reset(void)
{
    elelem_thought_splitter_reset(&objects_thoughts);
}

static inline void objects_thoughts_free(void)
{
    elelem_thought_splitter_free(&objects_thoughts);
}

static elelem_event_builder objects_builder;

static inline elelem_event_builder_desc objects_builder_desc(void)
{
    elelem_event_builder_desc desc = objects_desc.builder;

    desc.allocator = objects_allocator;
    desc.keep_argument_text = 1;
    return desc;
}

static inline void objects_builder_init(void)
{
    elelem_event_builder_desc desc = objects_builder_desc();

    elelem_event_builder_init(&objects_builder, &desc);
}

static inline uint64_t objects_builder_bound(void)
{
    elelem_event_builder_desc desc = objects_builder_desc();

    return limits_of_builder(&desc);
}

static inline elelem_status objects_builder_take(const elelem_event *event, feed_log *log)
{
    elelem_built built;
    elelem_status status = elelem_event_builder_push(&objects_builder, event);

    while (status == ELELEM_OK && objects_may_take() && (status = elelem_event_builder_next(&objects_builder, &built)) == ELELEM_OK)
        if (built.kind == ELELEM_BUILT_PROGRESS) objects_log_fragment(log, &built.progress.fragment);
        else objects_log_item(log, &built.item);
    return status;
}

static inline elelem_status objects_builder_run(feed_log *log)
{
    return objects_run_source(objects_builder_take, log);
}

static inline elelem_error objects_builder_error(void)
{
    return elelem_event_builder_error(&objects_builder);
}

static inline void objects_builder_reset(void)
{
    elelem_event_builder_reset(&objects_builder);
}

static inline void objects_builder_free(void)
{
    elelem_event_builder_free(&objects_builder);
}

/* Records. */

static elelem_recorder objects_recorder;
static feed_log *objects_recorder_log;

static inline elelem_status objects_recorder_write(void *context, const void *bytes, size_t size)
{
    (void)context;
    feed_put(objects_recorder_log, (const char *)bytes, size);
    return ELELEM_OK;
}

static inline elelem_recorder_desc objects_recorder_desc(void)
{
    elelem_recorder_desc desc = objects_desc.recorder;

    desc.allocator = objects_allocator;
    desc.sink.write = objects_recorder_write;
    desc.tool_calls = 1;
    return desc;
}

static inline void objects_recorder_init(void)
{
    elelem_recorder_desc desc = objects_recorder_desc();

    elelem_recorder_init(&objects_recorder, &desc);
}

static inline uint64_t objects_recorder_bound(void)
{
    elelem_recorder_desc desc = objects_recorder_desc();

    return limits_of_recorder(&desc);
}

static inline elelem_status objects_recorder_take(const elelem_event *event, feed_log *log)
{
    objects_recorder_log = log;
    return elelem_recorder_push(&objects_recorder, event);
}

static inline elelem_status objects_recorder_run(feed_log *log)
{
    return objects_run_source(objects_recorder_take, log);
}

static inline elelem_error objects_recorder_error(void)
{
    return elelem_recorder_error(&objects_recorder);
}

static inline void objects_recorder_reset(void)
{
    elelem_recorder_reset(&objects_recorder);
}

static inline void objects_recorder_free(void)
{
    elelem_recorder_free(&objects_recorder);
}

static elelem_event_coalescer objects_coalescer;

static inline elelem_event_coalescer_desc objects_coalescer_desc(void)
{
    elelem_event_coalescer_desc desc = objects_desc.coalescer;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_coalescer_init(void)
{
    elelem_event_coalescer_desc desc = objects_coalescer_desc();

    elelem_event_coalescer_init(&objects_coalescer, &desc);
}

static inline uint64_t objects_coalescer_bound(void)
{
    elelem_event_coalescer_desc desc = objects_coalescer_desc();

    return limits_of_coalescer(&desc);
}

static inline elelem_status objects_coalescer_drain(feed_log *log)
{
    elelem_record_item item;
    elelem_status status = ELELEM_END;

    while (objects_may_take() && (status = elelem_event_coalescer_next(&objects_coalescer, &item)) == ELELEM_OK)
        objects_log_record(log, &item);
    return status;
}

static inline elelem_status objects_coalescer_take(const elelem_event *event, feed_log *log)
{
    elelem_status status = elelem_event_coalescer_push(&objects_coalescer, event);

    return status == ELELEM_OK ? objects_coalescer_drain(log) : status;
}

static inline elelem_status objects_coalescer_run(feed_log *log)
{
    elelem_status status = objects_run_source(objects_coalescer_take, log);

    if (status != ELELEM_END) return status;
    elelem_event_coalescer_finish(&objects_coalescer);
    return objects_coalescer_drain(log);
}

static inline elelem_error objects_coalescer_error(void)
{
    return elelem_event_coalescer_error(&objects_coalescer);
}

static inline void objects_coalescer_reset(void)
{
    elelem_event_coalescer_reset(&objects_coalescer);
}

static inline void objects_coalescer_free(void)
{
    elelem_event_coalescer_free(&objects_coalescer);
}

static elelem_history_builder objects_history;

static inline elelem_history_builder_desc objects_history_desc(void)
{
    elelem_history_builder_desc desc = objects_desc.history;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_history_init(void)
{
    elelem_history_builder_desc desc = objects_history_desc();

    elelem_history_builder_init(&objects_history, &desc);
}

static inline uint64_t objects_history_bound(void)
{
    elelem_history_builder_desc desc = objects_history_desc();

    return limits_of_history_builder(&desc);
}

static inline elelem_status objects_history_take(const elelem_event *event, feed_log *log)
{
    (void)log;
    return elelem_history_builder_push(&objects_history, event);
}

static inline elelem_status objects_history_run(feed_log *log)
{
    elelem_history_entry entry;
    elelem_status status = objects_run_source(objects_history_take, log);

    if (status != ELELEM_END) return status;
    elelem_history_builder_finish(&objects_history);
    status = elelem_history_builder_entry(&objects_history, &entry);
    if (status != ELELEM_OK) return status;
    objects_log_entry(log, &entry);
    return ELELEM_END;
}

static inline elelem_error objects_history_error(void)
{
    return elelem_history_builder_error(&objects_history);
}

static inline void objects_history_reset(void)
{
    elelem_history_builder_reset(&objects_history);
}

static inline void objects_history_free(void)
{
    elelem_history_builder_free(&objects_history);
}

static elelem_replayer objects_replayer;

static inline elelem_replayer_desc objects_replayer_desc(void)
{
    elelem_replayer_desc desc = objects_desc.replayer;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_replayer_init(void)
{
    elelem_replayer_desc desc = objects_replayer_desc();

    elelem_replayer_init(&objects_replayer, &desc);
}

static inline uint64_t objects_replayer_bound(void)
{
    elelem_replayer_desc desc = objects_replayer_desc();

    return limits_of_replayer(&desc);
}

static inline elelem_status objects_replayer_push(const void *bytes, size_t size)
{
    return elelem_replayer_push(&objects_replayer, bytes, size);
}

static inline elelem_status objects_replayer_next(feed_log *log)
{
    elelem_record_item item;
    elelem_status status = objects_may_take() ? elelem_replayer_next(&objects_replayer, &item) : ELELEM_END;

    if (status == ELELEM_OK) objects_log_record(log, &item);
    return status;
}

static inline void objects_replayer_finish(void)
{
    elelem_replayer_finish(&objects_replayer);
}

static inline elelem_status objects_replayer_run(feed_log *log)
{
    static const objects_fed fed = { objects_replayer_push, objects_replayer_next, objects_replayer_finish };

    return objects_run(&fed, log);
}

static inline elelem_error objects_replayer_error(void)
{
    return elelem_replayer_error(&objects_replayer);
}

static inline void objects_replayer_reset(void)
{
    elelem_replayer_reset(&objects_replayer);
}

static inline void objects_replayer_free(void)
{
    elelem_replayer_free(&objects_replayer);
}

static elelem_item_reader objects_item_reader;

static inline elelem_item_reader_desc objects_item_reader_desc(void)
{
    elelem_item_reader_desc desc = objects_desc.item_reader;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_item_reader_init(void)
{
    elelem_item_reader_desc desc = objects_item_reader_desc();

    elelem_item_reader_init(&objects_item_reader, &desc);
}

static inline uint64_t objects_item_reader_bound(void)
{
    elelem_item_reader_desc desc = objects_item_reader_desc();

    return limits_of_item_reader(&desc);
}

static inline elelem_status objects_item_reader_push(const void *bytes, size_t size)
{
    return elelem_item_reader_push(&objects_item_reader, bytes, size);
}

static inline elelem_status objects_item_reader_next(feed_log *log)
{
    elelem_read_item item;
    elelem_status status = elelem_item_reader_next(&objects_item_reader, &item);

    if (status != ELELEM_OK) return status;
    if (item.kind == ELELEM_READ_ITEM) objects_log_item(log, &item.item);
    else feed_line(log, "line %.*s %.*s", ELELEM_STR_ARG(item.type), ELELEM_STR_ARG(item.line));
    return status;
}

static inline void objects_item_reader_finish(void)
{
    elelem_item_reader_finish(&objects_item_reader);
}

static inline elelem_status objects_item_reader_run(feed_log *log)
{
    static const objects_fed fed = { objects_item_reader_push, objects_item_reader_next, objects_item_reader_finish };

    return objects_run(&fed, log);
}

static inline elelem_error objects_item_reader_error(void)
{
    return elelem_item_reader_error(&objects_item_reader);
}

static inline void objects_item_reader_reset(void)
{
    elelem_item_reader_reset(&objects_item_reader);
}

static inline void objects_item_reader_free(void)
{
    elelem_item_reader_free(&objects_item_reader);
}

static elelem_history_reader objects_reader;

static inline elelem_history_reader_desc objects_reader_desc(void)
{
    elelem_history_reader_desc desc = objects_desc.reader;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_reader_init(void)
{
    elelem_history_reader_desc desc = objects_reader_desc();

    elelem_history_reader_init(&objects_reader, &desc);
}

static inline uint64_t objects_reader_bound(void)
{
    elelem_history_reader_desc desc = objects_reader_desc();

    return limits_of_history_reader(&desc);
}

static inline elelem_status objects_reader_push(const void *bytes, size_t size)
{
    return elelem_history_reader_push(&objects_reader, bytes, size);
}

static inline elelem_status objects_reader_next(feed_log *log)
{
    elelem_history_entry entry;
    elelem_status status = objects_may_take() ? elelem_history_reader_next(&objects_reader, &entry) : ELELEM_END;

    if (status == ELELEM_OK) objects_log_entry(log, &entry);
    return status;
}

static inline void objects_reader_finish(void)
{
    elelem_history_reader_finish(&objects_reader);
}

static inline elelem_status objects_reader_run(feed_log *log)
{
    static const objects_fed fed = { objects_reader_push, objects_reader_next, objects_reader_finish };

    return objects_run(&fed, log);
}

static inline elelem_error objects_reader_error(void)
{
    return elelem_history_reader_error(&objects_reader);
}

static inline void objects_reader_reset(void)
{
    elelem_history_reader_reset(&objects_reader);
}

static inline void objects_reader_free(void)
{
    elelem_history_reader_free(&objects_reader);
}

/* Objects that take updates of a turn: `take` pushes one. What they keep is logged at the end. */

static elelem_turn objects_updates;
static elelem_status (*objects_take_update)(const elelem_turn_update *update);

static inline elelem_status objects_updates_push(const void *bytes, size_t size)
{
    return elelem_turn_push(&objects_updates, bytes, size);
}

static inline elelem_status objects_updates_next(feed_log *log)
{
    elelem_turn_update update;
    elelem_status taken, status = objects_may_take() ? elelem_turn_next(&objects_updates, &update) : ELELEM_END;

    (void)log;
    if (status != ELELEM_OK) return status;
    taken = objects_take_update(&update);
    return taken < 0 ? taken : ELELEM_OK;
}

static inline void objects_updates_finish(void)
{
    elelem_turn_finish(&objects_updates);
}

static inline elelem_status objects_run_updates(elelem_status (*take)(const elelem_turn_update *), feed_log *log)
{
    static const objects_fed fed = { objects_updates_push, objects_updates_next, objects_updates_finish };
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_status status;

    desc.shape = objects_shape;
    objects_take_update = take;
    if (elelem_turn_init(&objects_updates, &desc) != ELELEM_OK) abort();
    status = objects_run(&fed, log);
    elelem_turn_free(&objects_updates);
    return status;
}

static elelem_collector objects_collector;

static inline elelem_collector_desc objects_collector_desc(void)
{
    elelem_collector_desc desc = objects_desc.collector;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_collector_init(void)
{
    elelem_collector_desc desc = objects_collector_desc();

    elelem_collector_init(&objects_collector, &desc);
}

static inline uint64_t objects_collector_bound(void)
{
    return 6 * limits_or(objects_desc.collector.max_bytes, (uint64_t)64 << 20) + 65536;
}

static inline elelem_status objects_collector_take(const elelem_turn_update *update)
{
    return elelem_collector_push(&objects_collector, update);
}

static inline elelem_status objects_collector_run(feed_log *log)
{
    elelem_response response;
    elelem_status status = objects_run_updates(objects_collector_take, log);

    if (status != ELELEM_END) return status;
    status = elelem_collector_response(&objects_collector, &response);
    if (status == ELELEM_MORE) return ELELEM_END; /* it stopped before the last update */
    if (status != ELELEM_OK) return status;
    feed_line(log, "%d %.*s / %.*s", response.reason, ELELEM_STR_ARG(response.text), ELELEM_STR_ARG(response.reasoning));
    objects_log_value(log, response.tool_calls);
    objects_log_value(log, response.items);
    objects_log_value(log, response.metadata);
    return ELELEM_END;
}

static inline elelem_error objects_collector_error(void)
{
    return elelem_collector_error(&objects_collector);
}

static inline void objects_collector_reset(void)
{
    elelem_collector_reset(&objects_collector);
}

static inline void objects_collector_free(void)
{
    elelem_collector_free(&objects_collector);
}

/* A conversation: the user, then the response, each call with its result at once. Its errors are returned, and keep nothing. */

static elelem_conversation objects_conversation;

static inline void objects_conversation_init(void)
{
    elelem_conversation_init(&objects_conversation, objects_allocator, objects_desc.conversation.max_bytes);
}

static inline uint64_t objects_conversation_bound(void)
{
    return objects_desc.conversation.max_bytes > 0 ? objects_desc.conversation.max_bytes : UINT64_MAX;
}

static inline elelem_status objects_conversation_take(const elelem_turn_update *update)
{
    elelem_status status = elelem_conversation_add(&objects_conversation, update);

    if (status != ELELEM_OK || update->kind != ELELEM_TURN_TOOL_CALL_DONE) return status;
    return elelem_conversation_result(&objects_conversation, &update->tool_call, elelem_str_of("done"), 0);
}

static inline elelem_status objects_conversation_run(feed_log *log)
{
    elelem_status status = elelem_conversation_user(&objects_conversation, elelem_str_of("Hi"));
    elelem_str lines;

    if (status == ELELEM_OK) status = objects_run_updates(objects_conversation_take, log);
    lines = elelem_conversation_text(&objects_conversation);
    if (status == ELELEM_END) feed_put(log, lines.data, lines.size);
    return status;
}

static inline elelem_error objects_conversation_error(void)
{
    elelem_error none = ELELEM_INIT;

    return none;
}

static inline void objects_conversation_reset(void)
{
    elelem_conversation_clear(&objects_conversation);
}

static inline void objects_conversation_free(void)
{
    elelem_conversation_free(&objects_conversation);
}

/* A text that is read whole: what was fed until it stopped, in one block. An error of a read is returned, and is none of the next
   one. It leaves nothing to be freed, so that the json is forgotten then. */

static elelem_json objects_json;

static inline elelem_json_desc objects_json_desc(void)
{
    elelem_json_desc desc = objects_desc.json;

    desc.allocator = objects_allocator;
    return desc;
}

static inline void objects_json_init(void)
{
    memset(&objects_json, 0, sizeof objects_json);
}

static inline uint64_t objects_json_bound(void)
{
    elelem_json_desc desc = objects_json_desc();

    return limits_of_json(&desc);
}

static inline elelem_status objects_json_run(feed_log *log)
{
    elelem_json_desc desc = objects_json_desc();
    char *lent = (char *)malloc(objects_stop + 1);
    elelem_value value;
    elelem_error error;

    if (!lent) abort();
    if (objects_stop > 0) memcpy(lent, objects_input, objects_stop);
    value = elelem_json_read(&objects_json, elelem_str_from(lent, objects_stop), &desc);
    free(lent);
    error = elelem_json_error(&objects_json);
    if (error.status == ELELEM_OK && !objects_may_take()) return ELELEM_END;
    if (error.status == ELELEM_OK) {
        objects_log_value(log, value);
        return ELELEM_END;
    }
    if (elelem_value_type(value) != ELELEM_TYPE_NONE) feed_line(log, "a value in spite of an error");
    memset(&objects_json, 0, sizeof objects_json);
    return error.status;
}

static inline elelem_error objects_json_error(void)
{
    elelem_error none = ELELEM_INIT;

    return none;
}

static inline void objects_json_reset(void)
{
    elelem_json_free(&objects_json);
}

static inline void objects_json_free(void)
{
    elelem_json_free(&objects_json);
}

/* A buffer that each piece is appended to. Its errors are returned, and add nothing. What it holds is logged at the end. */

static elelem_buffer objects_buffer;

static inline void objects_buffer_init(void)
{
    elelem_buffer_init(&objects_buffer, objects_allocator, objects_desc.buffer.max_bytes);
}

static inline uint64_t objects_buffer_bound(void)
{
    return objects_desc.buffer.max_bytes > 0 ? objects_desc.buffer.max_bytes : UINT64_MAX;
}

static inline elelem_status objects_buffer_push(const void *bytes, size_t size)
{
    elelem_status status = elelem_buffer_append(&objects_buffer, bytes, size);

    return objects_again && status == ELELEM_ERROR_MEMORY ? elelem_buffer_append(&objects_buffer, bytes, size) : status;
}

static int objects_buffer_is_over;

static inline elelem_status objects_buffer_next(feed_log *log)
{
    (void)log;
    return objects_buffer_is_over ? ELELEM_END : ELELEM_MORE;
}

static inline void objects_buffer_finish(void)
{
    objects_buffer_is_over = 1;
}

static inline elelem_status objects_buffer_run(feed_log *log)
{
    static const objects_fed fed = { objects_buffer_push, objects_buffer_next, objects_buffer_finish };
    elelem_status status;
    elelem_str text;

    objects_buffer_is_over = 0;
    status = objects_run(&fed, log);
    text = elelem_buffer_text(&objects_buffer);
    if (objects_may_take()) feed_put(log, text.data, text.size);
    return status;
}

static inline elelem_error objects_buffer_error(void)
{
    elelem_error none = ELELEM_INIT;

    return none;
}

static inline void objects_buffer_reset(void)
{
    elelem_buffer_clear(&objects_buffer);
}

static inline void objects_buffer_free(void)
{
    elelem_buffer_free(&objects_buffer);
}

/* The rows. */

typedef struct objects_row {
    const char *name;
    void (*init)(void);
    elelem_status (*run)(feed_log *log);
    void (*reset)(void);
    void (*free)(void);
    elelem_error (*error)(void); /* OK at 0 for those whose errors are events */
    uint64_t (*bound)(void);     /* bytes that it may hold, by the formula at its desc */
    const char *input;
} objects_row;

#define OBJECTS_NAME "a-name-of-forty-bytes-which-takes-memory"
#define OBJECTS_NEST "[[[[[[[[[[[[[[[[[[[[{\"a key of some length\":1234567890123456789012345678901234567890}]]]]]]]]]]]]]]]]]]]]"
#define OBJECTS_JSON                                                                                                    \
    "{\"first key\":" OBJECTS_NEST ",\"text\":\"with \\u00e9scapes, \\ud83d\\ude00 and a tail that makes it grow\","      \
    "\"list\":[null,true,false,-1.5e300,\"\",{},[]],\"\":{\"\":{\"\":\"\"}}}"
#define OBJECTS_SSE                                                                                                    \
    "\xef\xbb\xbfid: 1\ndata: a\r\n\r\nid: " OBJECTS_NAME OBJECTS_NAME "\nevent: " OBJECTS_NAME "\rdata: b\ndata\n\nretry: 15\n" \
    "event: e\nid\ndata: c\n\n{\"error\":1}\nid: " OBJECTS_NAME OBJECTS_NAME OBJECTS_NAME OBJECTS_NAME "\ndata: d\nevent: "      \
    OBJECTS_NAME OBJECTS_NAME OBJECTS_NAME "\n\ndata: e"
#define OBJECTS_TAGS                                                                                                   \
    "a <think id=\"one\" x=1> b<cite><cite/> c</think> <think a=\"<br>\xe2\x82\xac\" b c='d' e=f g=\"" OBJECTS_NAME      \
    OBJECTS_NAME "\"> <cite id='" OBJECTS_NAME "'> d</cite> and </think> <thi"
#define OBJECTS_SAY(delta) "data: {\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}\n\n"
#define OBJECTS_CALL(call) OBJECTS_SAY("\"tool_calls\":[{" call "}]")
#define OBJECTS_TALK                                                                                                   \
    OBJECTS_SAY("\"reasoning\":\"a\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"a\",\"index\":0}]")  \
    OBJECTS_SAY("\"reasoning\":\"b\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"signature\":\"0123456789\","  \
                "\"index\":0}]")                                                                                       \
    OBJECTS_SAY("\"content\":\"x <think id='" OBJECTS_NAME "' y=1>hm</thi\"")                                          \
    OBJECTS_SAY("\"content\":\"nk> and text " OBJECTS_NAME OBJECTS_NAME "\"")                                          \
    OBJECTS_CALL("\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"write\",\"arguments\":\"{\\\"p\\\":\\\"\\\\u00e9\"}") \
    OBJECTS_CALL("\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"" OBJECTS_NAME "\",\"arguments\":\"\"}")            \
    OBJECTS_CALL("\"index\":0,\"function\":{\"arguments\":\"\\\",\\\"n\\\":[1,{\\\"" OBJECTS_NAME "\\\":[[[[2]]]]}]}\"}") \
    OBJECTS_CALL("\"index\":1,\"function\":{\"arguments\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]\"}")                      \
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\n"    \
    "data: [DONE]\n\n"
#define OBJECTS_RECORD                                                                                                 \
    "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"a\\nb\",\"taskId\":1,\"metadata\":{\"k\":[[1]],\"\\u0041\":2}}\n" \
    "{\"eventType\":\"ToolCallStart\",\"index\":1,\"id\":\"i\",\"toolName\":\"" OBJECTS_NAME "\",\"timeMs\":3}\r\n"      \
    "{\"eventType\":\"ToolCallArguments\",\"index\":1,\"chunk\":\"{\\\"a\\\":[1]}\"}\n{\"eventType\":\"Flush\",\"index\":1}\n\n" \
    "{\"eventType\":\"ContentFetched\",\"deep\":[[[[[[[[[[[[{\"x\":1}]]]]]]]]]]]]}\n"                                    \
    "{\"eventType\":\"Error\",\"kind\":\"cancelled\",\"retryable\":false,\"message\":\"\\u00e9\"}"
#define OBJECTS_ITEMS                                                                                                  \
    "\n{\"type\":\"tool_call\",\"index\":7,\"id\":\"\\u00e9\",\"name\":\"f\",\"arguments\":{\"a\":[1]},\"metadata\":{\"k\":[1]}}\n" \
    "{\"type\":\"provider_item\",\"index\":8,\"itemType\":\"x\",\"caption\":\"c\",\"item\":{\"y\":1}}\n"
#define OBJECTS_ENTRY                                                                                                  \
    "{\"role\":\"AI\",\"text\":\"\\u0061" OBJECTS_NAME "\",\"more\":[1],\"events\":[{\"eventType\":\"X\",\"deep\":[[[[1]]]]}]}"

#define OBJECTS_ROW(name, object, input) \
    { name, objects_##object##_init, objects_##object##_run, objects_##object##_reset, objects_##object##_free, \
      objects_##object##_error, objects_##object##_bound, input }

static const objects_row objects[] = {
    OBJECTS_ROW("fragment parser", parser, OBJECTS_JSON),
    OBJECTS_ROW("fragment aggregator", tree, OBJECTS_JSON),
    OBJECTS_ROW("sse decoder", decoder, OBJECTS_SSE),
    OBJECTS_ROW("tag splitter", splitter, OBJECTS_TAGS),
    OBJECTS_ROW("thought splitter", thoughts, OBJECTS_TALK),
    OBJECTS_ROW("stream", stream, OBJECTS_TALK),
    OBJECTS_ROW("event builder", builder, OBJECTS_TALK),
    OBJECTS_ROW("turn", turn, OBJECTS_TALK),
    OBJECTS_ROW("recorder", recorder, OBJECTS_TALK),
    OBJECTS_ROW("replayer", replayer, OBJECTS_RECORD),
    OBJECTS_ROW("event coalescer", coalescer, OBJECTS_TALK),
    OBJECTS_ROW("history builder", history, OBJECTS_TALK),
    OBJECTS_ROW("history reader", reader, OBJECTS_ENTRY),
    OBJECTS_ROW("item reader", item_reader, OBJECTS_RECORD OBJECTS_ITEMS OBJECTS_ENTRY),
    OBJECTS_ROW("collector", collector, OBJECTS_TALK),
    OBJECTS_ROW("conversation", conversation, OBJECTS_TALK),
    OBJECTS_ROW("json", json, OBJECTS_JSON),
    OBJECTS_ROW("buffer", buffer, OBJECTS_RECORD),
};

#define OBJECTS_COUNT (sizeof objects / sizeof *objects)
/* The rows of the stream and of the turn, for inputs of all shapes. */
#define OBJECTS_STREAM 5
#define OBJECTS_TURN 7

/* Gets ready for a row with its own input. */
static inline void objects_choose(const objects_row *row, size_t piece)
{
    objects_shape = &elelem_shape_chat;
    objects_split = 0;
    objects_feed(row->input, strlen(row->input), piece);
}

/* Runs the row once into an empty log. */
static inline elelem_status objects_once(const objects_row *row, feed_log *log)
{
    log->size = 0;
    log->in_text = 0;
    log->full = 0;
    return row->run(log);
}

#endif
