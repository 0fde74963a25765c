/* The fault law by name, for every object that takes memory (see faults.h). The bodies of tests/data go
   through the objects one after the other; in each test one of them has the heap that refuses. */
#define _POSIX_C_SOURCE 200809L
#include "elelem_stream.h"

#include "faults.h"
#include "streams.h"

#include <dirent.h>

/* The input, and how many bytes of it each push lends. */
static const char *input;
static size_t input_size;
static size_t input_piece;

/* Pushes the input through an object that is fed bytes. */
static elelem_status feed_input(const feed_object *fed, feed_log *log)
{
    elelem_status status = ELELEM_MORE;
    size_t at, size;

    for (at = 0; at < input_size && status == ELELEM_MORE; at += size) {
        size = input_piece < input_size - at ? input_piece : input_size - at;
        status = feed_push(fed, log, input + at, size);
    }
    if (status != ELELEM_MORE) return status;
    fed->finish(fed->object);
    return feed_drain(fed, log, NULL);
}

/* Logs one event as a line of JSON, with memory of its own. */
static void log_event(feed_log *log, const elelem_event *event)
{
    elelem_recorder recorder;
    elelem_recorder_desc desc = ELELEM_INIT;

    desc.sink = faults_sink(log);
    elelem_recorder_init(&recorder, &desc);
    if (elelem_recorder_push(&recorder, event) != ELELEM_OK) feed_put(log, "no line\n", 8);
    elelem_recorder_free(&recorder);
}

static void log_value(feed_log *log, elelem_value value)
{
    elelem_writer writer;

    elelem_writer_init(&writer, faults_sink(log), 0);
    elelem_writer_value(&writer, value);
    feed_put(log, "\n", 1);
}

static void log_fragment(feed_log *log, const elelem_fragment *fragment)
{
    feed_line(log, "%d %s at depth %lu: %.*s", fragment->kind, elelem_type_name(fragment->type),
              (unsigned long)fragment->path->count, ELELEM_STR_ARG(fragment->text));
}

/* JSON. */

#define NESTED "[[[[[[[[[[[[[[[[[[[[{\"a key of some length\":1234567890123456789012345678901234567890}]]]]]]]]]]]]]]]]]]]]"
#define DOCUMENT                                                                                                       \
    "{\"first key\":" NESTED ",\"text\":\"with \\u00e9scapes, \\ud83d\\ude00 and a tail that makes the tree grow\","    \
    "\"list\":[null,true,false,-1.5e300,\"\",{},[]],\"\":{\"\":{\"\":\"\"}}}"

static elelem_fragment_parser parser;

static void parser_init(void *object, elelem_allocator allocator)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    elelem_fragment_parser_init((elelem_fragment_parser *)object, &desc);
}

static elelem_status parser_push(void *object, const void *bytes, size_t size)
{
    return elelem_fragment_parser_push((elelem_fragment_parser *)object, bytes, size);
}

static elelem_status parser_next(void *object, feed_log *log)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_next((elelem_fragment_parser *)object, &fragment);

    if (status == ELELEM_OK) log_fragment(log, &fragment);
    return status;
}

static void parser_finish(void *object)
{
    elelem_fragment_parser_finish((elelem_fragment_parser *)object);
}

static elelem_status parser_run(void *object, feed_log *log)
{
    feed_object fed = { NULL, NULL, parser_push, parser_next, parser_finish, NULL };

    fed.object = object;
    return feed_input(&fed, log);
}

static void parser_reset(void *object)
{
    elelem_fragment_parser_reset((elelem_fragment_parser *)object);
}

static void parser_free(void *object)
{
    elelem_fragment_parser_free((elelem_fragment_parser *)object);
}

static const size_t pieces[] = { 1, 7, 1u << 20 };

static void input_of(const char *text, size_t piece)
{
    input = text;
    input_size = strlen(text);
    input_piece = piece;
}

TEST(a_parser_survives_any_refused_memory_or_says_so)
{
    static const faults_object object = { &parser, parser_init, parser_run, parser_reset, parser_free };
    size_t i;

    for (i = 0; i < 3; i++) {
        input_of(DOCUMENT, pieces[i]);
        FAULTS(&object);
    }
}

/* The parser has memory, the tree may not. */

static elelem_fragment_aggregator tree;

static void tree_init(void *object, elelem_allocator allocator)
{
    elelem_fragment_aggregator_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    elelem_fragment_aggregator_init((elelem_fragment_aggregator *)object, &desc);
}

static elelem_status tree_next(void *object, feed_log *log)
{
    elelem_fragment_aggregator *into = (elelem_fragment_aggregator *)object;
    elelem_fragment fragment;
    elelem_completed_value completed;
    elelem_status pushed, status = elelem_fragment_parser_next(&parser, &fragment);

    if (status != ELELEM_OK) return status;
    pushed = elelem_fragment_aggregator_push(into, &fragment);
    if (pushed != ELELEM_OK) return pushed;
    while ((pushed = elelem_fragment_aggregator_next(into, &completed)) == ELELEM_OK)
        log_value(log, completed.value);
    return pushed < 0 ? pushed : ELELEM_OK;
}

static elelem_status source_parser_push(void *object, const void *bytes, size_t size)
{
    (void)object;
    return elelem_fragment_parser_push(&parser, bytes, size);
}

static void source_parser_finish(void *object)
{
    (void)object;
    elelem_fragment_parser_finish(&parser);
}

static elelem_status tree_run(void *object, feed_log *log)
{
    feed_object fed = { NULL, NULL, source_parser_push, tree_next, source_parser_finish, NULL };
    elelem_status status;

    fed.object = object;
    elelem_fragment_parser_init(&parser, NULL);
    status = feed_input(&fed, log);
    elelem_fragment_parser_free(&parser);
    return status;
}

static void tree_reset(void *object)
{
    elelem_fragment_aggregator_reset((elelem_fragment_aggregator *)object);
}

static void tree_free(void *object)
{
    elelem_fragment_aggregator_free((elelem_fragment_aggregator *)object);
}

TEST(a_tree_survives_any_refused_memory_or_says_so)
{
    static const faults_object object = { &tree, tree_init, tree_run, tree_reset, tree_free };
    size_t i;

    for (i = 0; i < 3; i++) {
        input_of(DOCUMENT, pieces[i]);
        FAULTS(&object);
    }
}

/* Event streams. */

static elelem_sse_decoder decoder;

static void decoder_init(void *object, elelem_allocator allocator)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
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
    else feed_line(log, "%d %.*s #%.*s", frame.kind, ELELEM_STR_ARG(frame.event), ELELEM_STR_ARG(frame.id));
    return ELELEM_OK;
}

static void decoder_finish(void *object)
{
    elelem_sse_decoder_finish((elelem_sse_decoder *)object);
}

static elelem_status decoder_run(void *object, feed_log *log)
{
    feed_object fed = { NULL, NULL, decoder_push, decoder_next, decoder_finish, NULL };

    fed.object = object;
    return feed_input(&fed, log);
}

static void decoder_reset(void *object)
{
    elelem_sse_decoder_reset((elelem_sse_decoder *)object);
}

static void decoder_free(void *object)
{
    elelem_sse_decoder_free((elelem_sse_decoder *)object);
}

#define NAME_40 "a-name-of-forty-bytes-which-takes-memory"

TEST(a_decoder_survives_any_refused_memory_or_says_so)
{
    static const faults_object object = { &decoder, decoder_init, decoder_run, decoder_reset, decoder_free };
    size_t i;

    for (i = 0; i < 3; i++) {
        input_of("id: 1\ndata: a\n\nid: " NAME_40 NAME_40 "\nevent: " NAME_40 "\ndata: b\n\nevent: e\nid\ndata: c\n\n"
                 "id: " NAME_40 NAME_40 NAME_40 NAME_40 "\ndata: d\nevent: " NAME_40 NAME_40 NAME_40 "\n\ndata: e",
                 pieces[i]);
        FAULTS(&object);
    }
}

/* Tags. */

static elelem_tag_splitter splitter;

static void splitter_init(void *object, elelem_allocator allocator)
{
    static const elelem_str names[] = { { "think", 5 }, { "cite", 4 } };
    elelem_tag_splitter_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    desc.names = names;
    desc.name_count = 2;
    elelem_tag_splitter_init((elelem_tag_splitter *)object, &desc);
}

static elelem_status splitter_push(void *object, const void *bytes, size_t size)
{
    return elelem_tag_splitter_push((elelem_tag_splitter *)object, bytes, size);
}

static elelem_status splitter_next(void *object, feed_log *log)
{
    elelem_tag_piece piece;
    elelem_status status = elelem_tag_splitter_next((elelem_tag_splitter *)object, &piece);
    size_t i;

    if (status != ELELEM_OK) return status;
    feed_line(log, "%d %.*s #%.*s %.*s", piece.kind, ELELEM_STR_ARG(piece.name), ELELEM_STR_ARG(piece.id),
              ELELEM_STR_ARG(piece.text));
    for (i = 0; i < piece.attribute_count; i++)
        feed_line(log, "%.*s=%.*s", ELELEM_STR_ARG(piece.attributes[i].name), ELELEM_STR_ARG(piece.attributes[i].value));
    return ELELEM_OK;
}

static void splitter_finish(void *object)
{
    elelem_tag_splitter_finish((elelem_tag_splitter *)object);
}

static elelem_status splitter_run(void *object, feed_log *log)
{
    feed_object fed = { NULL, NULL, splitter_push, splitter_next, splitter_finish, NULL };

    fed.object = object;
    return feed_input(&fed, log);
}

static void splitter_reset(void *object)
{
    elelem_tag_splitter_reset((elelem_tag_splitter *)object);
}

static void splitter_free(void *object)
{
    elelem_tag_splitter_free((elelem_tag_splitter *)object);
}

TEST(a_tag_splitter_survives_any_refused_memory_or_says_so)
{
    static const faults_object object = { &splitter, splitter_init, splitter_run, splitter_reset, splitter_free };
    size_t i;

    for (i = 0; i < 3; i++) {
        input_of("a <think id=\"one\" x=1> b<cite><cite/> c</think> <think a=\"<br>\xe2\x82\xac\" b c='d' e=f g=\"" NAME_40
                 NAME_40 "\"> <cite id='" NAME_40 "'> d</cite> and </think> <thi", pieces[i]);
        FAULTS(&object);
    }
}

/* A stream, with thinking in tags split or not. */

static elelem_stream stream;
static const elelem_shape *stream_shape;
static int stream_splits;

static elelem_status init_stream(elelem_stream *s, elelem_allocator allocator)
{
    elelem_stream_desc desc = ELELEM_INIT;

    desc.shape = stream_shape;
    desc.allocator = allocator;
    desc.split_thoughts = (uint8_t)stream_splits;
    return elelem_stream_init(s, &desc);
}

static void stream_init(void *object, elelem_allocator allocator)
{
    CHECK_INT(init_stream((elelem_stream *)object, allocator), ELELEM_OK);
}

static elelem_status stream_push(void *object, const void *bytes, size_t size)
{
    return elelem_stream_push((elelem_stream *)object, bytes, size);
}

static elelem_status stream_next(void *object, feed_log *log)
{
    elelem_event event;
    elelem_status status = elelem_stream_next((elelem_stream *)object, &event);

    if (status != ELELEM_OK) return status;
    if (event.kind == ELELEM_EVENT_ERROR && event.error.kind == ELELEM_ERROR_KIND_OUT_OF_MEMORY)
        return ELELEM_ERROR_MEMORY;
    if (event.kind == ELELEM_EVENT_ERROR) event.metadata.count = 0; /* a request_id may be left out */
    log_event(log, &event);
    return ELELEM_OK;
}

static void stream_finish(void *object)
{
    elelem_stream_finish((elelem_stream *)object);
}

static elelem_status stream_run(void *object, feed_log *log)
{
    feed_object fed = { NULL, NULL, stream_push, stream_next, stream_finish, NULL };

    fed.object = object;
    return feed_input(&fed, log);
}

static void stream_reset(void *object)
{
    elelem_stream_reset((elelem_stream *)object);
}

static void stream_free(void *object)
{
    elelem_stream_free((elelem_stream *)object);
}

static const faults_object stream_object = { &stream, stream_init, stream_run, stream_reset, stream_free };

/* Calls `check` for every body of tests/data/FOLDER as the input; returns how many there are. */
static int each_body(const char *folder, const elelem_shape *shape, void (*check)(void))
{
    char path[600];
    DIR *directory;
    struct dirent *entry;
    int count = 0;

    stream_shape = shape;
    snprintf(path, sizeof path, "tests/data/%s", folder);
    directory = opendir(path);
    while (CHECK(directory) && (entry = readdir(directory)) != NULL) {
        size_t length = strlen(entry->d_name);
        char *body;
        if (length < 4 || strcmp(entry->d_name + length - 4, ".sse") != 0) continue;
        snprintf(path, sizeof path, "tests/data/%s/%s", folder, entry->d_name);
        body = streams_read(path, &input_size);
        input = body;
        input_piece = input_size;
        check_context(path);
        check();
        check_context(NULL);
        free(body);
        count++;
    }
    if (directory) closedir(directory);
    return count;
}

static void check_stream(void)
{
    FAULTS(&stream_object);
}

TEST(every_body_of_chat_survives_any_refused_memory_or_says_so)
{
    CHECK(each_body("chat", &elelem_shape_chat, check_stream) > 0);
}

TEST(every_body_of_responses_survives_any_refused_memory_or_says_so)
{
    CHECK(each_body("responses", &elelem_shape_responses, check_stream) > 0);
}

TEST(every_body_of_messages_survives_any_refused_memory_or_says_so)
{
    CHECK(each_body("messages", &elelem_shape_messages, check_stream) > 0);
}

TEST(every_body_of_gemini_survives_any_refused_memory_or_says_so)
{
    CHECK(each_body("gemini", &elelem_shape_gemini, check_stream) > 0);
}

/* Objects that events go into. The stream that they come from has memory. */

#define SAY(delta) "data: {\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}\n\n"
#define TALK                                                                                                             \
    SAY("\"reasoning\":\"a\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"a\",\"index\":0}]")            \
    SAY("\"reasoning\":\"b\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"signature\":\"0123456789\",\"index\":0}]") \
    SAY("\"content\":\"x <think id='" NAME_40 "' y=1>hm</thi\"") SAY("\"content\":\"nk> and text " NAME_40 NAME_40 "\"")  \
    SAY("\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"write\",\"arguments\":\"{\\\"p\\\":\\\"\\\\u00e9\"}}]")      \
    SAY("\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"" NAME_40 "\",\"arguments\":\"\"}}]")          \
    SAY("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\",\\\"n\\\":[1,{\\\"" NAME_40 "\\\":[[[[2]]]]}]}\"}}]") \
    SAY("\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]\"}}]")                \
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\n"      \
    "data: [DONE]\n\n"

static elelem_stream source;

/* Gives the next event of the source. */
static elelem_status source_next(elelem_event *event)
{
    return elelem_stream_next(&source, event);
}

static elelem_status source_push(void *object, const void *bytes, size_t size)
{
    (void)object;
    return elelem_stream_push(&source, bytes, size);
}

static void source_finish(void *object)
{
    (void)object;
    elelem_stream_finish(&source);
}

/* Runs the input through the source; `next` takes events of it. */
static elelem_status run_source(void *object, elelem_status (*next)(void *, feed_log *), feed_log *log)
{
    static const elelem_allocator plain = ELELEM_INIT;
    feed_object fed = { NULL, NULL, source_push, NULL, source_finish, NULL };
    elelem_status status;

    fed.object = object;
    fed.next = next;
    init_stream(&source, plain);
    status = feed_input(&fed, log);
    elelem_stream_free(&source);
    return status;
}

/* Checks the law with the talk above, whole and in pieces. */
static void check_talk(const faults_object *object)
{
    size_t i;

    stream_shape = &elelem_shape_chat;
    for (i = 0; i < 3; i++) {
        input_of(TALK, pieces[i]);
        FAULTS(object);
    }
}

static elelem_thought_splitter thoughts;

static void thoughts_init(void *object, elelem_allocator allocator)
{
    elelem_thought_splitter_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    elelem_thought_splitter_init((elelem_thought_splitter *)object, &desc);
}

static elelem_status thoughts_next(void *object, feed_log *log)
{
    elelem_thought_splitter *into = (elelem_thought_splitter *)object;
    elelem_event event;
    elelem_status status = source_next(&event);

    if (status != ELELEM_OK) return status;
    status = elelem_thought_splitter_push(into, &event);
    while (status == ELELEM_OK && (status = elelem_thought_splitter_next(into, &event)) == ELELEM_OK)
        log_event(log, &event);
    return status < 0 ? status : ELELEM_OK;
}

static elelem_status thoughts_run(void *object, feed_log *log)
{
    return run_source(object, thoughts_next, log);
}

static void thoughts_reset(void *object)
{
    elelem_thought_splitter_reset((elelem_thought_splitter *)object);
}

static void thoughts_free(void *object)
{
    elelem_thought_splitter_free((elelem_thought_splitter *)object);
}

TEST(a_thought_splitter_survives_any_refused_memory_or_says_so)
{
    static const faults_object object = { &thoughts, thoughts_init, thoughts_run, thoughts_reset, thoughts_free };

    check_talk(&object);
}

TEST(a_stream_that_splits_thoughts_survives_any_refused_memory_or_says_so)
{
    stream_splits = 1;
    check_talk(&stream_object);
    stream_splits = 0;
}

static elelem_event_builder builder;

static void builder_init(void *object, elelem_allocator allocator)
{
    elelem_event_builder_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    desc.keep_argument_text = 1;
    elelem_event_builder_init((elelem_event_builder *)object, &desc);
}

static void log_built(feed_log *log, const elelem_built *built)
{
    elelem_writer writer;

    if (built->kind == ELELEM_BUILT_PROGRESS) {
        log_fragment(log, &built->progress.fragment);
        return;
    }
    elelem_writer_init(&writer, faults_sink(log), 0);
    elelem_item_write(&writer, &built->item);
    feed_put(log, "\n", 1);
}

static elelem_status builder_next(void *object, feed_log *log)
{
    elelem_event_builder *into = (elelem_event_builder *)object;
    elelem_event event;
    elelem_built built;
    elelem_status status = source_next(&event);

    if (status != ELELEM_OK) return status;
    status = elelem_event_builder_push(into, &event);
    while (status == ELELEM_OK && (status = elelem_event_builder_next(into, &built)) == ELELEM_OK)
        log_built(log, &built);
    return status < 0 ? status : ELELEM_OK;
}

static elelem_status builder_run(void *object, feed_log *log)
{
    return run_source(object, builder_next, log);
}

static void builder_reset(void *object)
{
    elelem_event_builder_reset((elelem_event_builder *)object);
}

static void builder_free(void *object)
{
    elelem_event_builder_free((elelem_event_builder *)object);
}

TEST(a_builder_survives_any_refused_memory_or_says_so)
{
    static const faults_object object = { &builder, builder_init, builder_run, builder_reset, builder_free };

    check_talk(&object);
}

/* Records: an event goes in, items come out as events or lines. */

static elelem_event_coalescer coalescer;

static void coalescer_init(void *object, elelem_allocator allocator)
{
    elelem_event_coalescer_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    elelem_event_coalescer_init((elelem_event_coalescer *)object, &desc);
}

static void log_record(feed_log *log, const elelem_record_item *item)
{
    if (item->kind == ELELEM_RECORD_EVENT) log_event(log, &item->event);
    else feed_line(log, "%.*s", ELELEM_STR_ARG(item->line));
}

static elelem_status coalescer_take(elelem_event_coalescer *from, feed_log *log)
{
    elelem_record_item item;
    elelem_status status;

    while ((status = elelem_event_coalescer_next(from, &item)) == ELELEM_OK)
        log_record(log, &item);
    return status;
}

static elelem_status coalescer_next(void *object, feed_log *log)
{
    elelem_event_coalescer *into = (elelem_event_coalescer *)object;
    elelem_event event;
    elelem_status status = source_next(&event);

    if (status != ELELEM_OK) return status;
    status = elelem_event_coalescer_push(into, &event);
    if (status == ELELEM_OK) status = coalescer_take(into, log);
    return status < 0 ? status : ELELEM_OK;
}

static elelem_status coalescer_run(void *object, feed_log *log)
{
    elelem_status status = run_source(object, coalescer_next, log);

    if (status != ELELEM_END) return status;
    elelem_event_coalescer_finish((elelem_event_coalescer *)object);
    return coalescer_take((elelem_event_coalescer *)object, log);
}

static void coalescer_reset(void *object)
{
    elelem_event_coalescer_reset((elelem_event_coalescer *)object);
}

static void coalescer_free(void *object)
{
    elelem_event_coalescer_free((elelem_event_coalescer *)object);
}

TEST(a_coalescer_survives_any_refused_memory_or_says_so)
{
    static const faults_object object = { &coalescer, coalescer_init, coalescer_run, coalescer_reset, coalescer_free };

    check_talk(&object);
}

/* A turn holds a stream and a builder on one heap. */

static elelem_turn turn;

static void turn_init(void *object, elelem_allocator allocator)
{
    elelem_turn_desc desc = ELELEM_INIT;

    desc.shape = stream_shape;
    desc.split_thoughts = 1;
    desc.allocator = allocator;
    CHECK_INT(elelem_turn_init((elelem_turn *)object, &desc), ELELEM_OK);
}

static elelem_status turn_push(void *object, const void *bytes, size_t size)
{
    return elelem_turn_push((elelem_turn *)object, bytes, size);
}

/* Items that a failure cut off come before the error; they are not what comes with memory. */
static elelem_status turn_next(void *object, feed_log *log)
{
    elelem_turn_update update;
    elelem_status status = elelem_turn_next((elelem_turn *)object, &update);
    elelem_built built = ELELEM_INIT;

    if (status != ELELEM_OK) return status;
    if (update.kind == ELELEM_TURN_ERROR && update.error.kind == ELELEM_ERROR_KIND_OUT_OF_MEMORY) return ELELEM_ERROR_MEMORY;
    if (update.item && update.item->state == ELELEM_ITEM_CUT_OFF) return ELELEM_OK;
    feed_line(log, "%d %lu %.*s", update.kind, (unsigned long)update.index, ELELEM_STR_ARG(update.text));
    if (update.kind == ELELEM_TURN_TOOL_CALL_DELTA) log_fragment(log, &update.fragment);
    if (!update.item) return ELELEM_OK;
    built.kind = ELELEM_BUILT_ITEM;
    built.item = *update.item;
    log_built(log, &built);
    return ELELEM_OK;
}

static void turn_finish(void *object)
{
    elelem_turn_finish((elelem_turn *)object);
}

static elelem_status turn_run(void *object, feed_log *log)
{
    feed_object fed = { NULL, NULL, turn_push, turn_next, turn_finish, NULL };

    fed.object = object;
    return feed_input(&fed, log);
}

static void turn_reset(void *object)
{
    elelem_turn_reset((elelem_turn *)object);
}

static void turn_free(void *object)
{
    elelem_turn_free((elelem_turn *)object);
}

TEST(a_turn_survives_any_refused_memory_or_says_so)
{
    static const faults_object object = { &turn, turn_init, turn_run, turn_reset, turn_free };

    check_talk(&object);
}

CHECK_MAIN("faults",
    RUN(a_parser_survives_any_refused_memory_or_says_so)
    RUN(a_tree_survives_any_refused_memory_or_says_so)
    RUN(a_decoder_survives_any_refused_memory_or_says_so)
    RUN(a_tag_splitter_survives_any_refused_memory_or_says_so)
    RUN(every_body_of_chat_survives_any_refused_memory_or_says_so)
    RUN(every_body_of_responses_survives_any_refused_memory_or_says_so)
    RUN(every_body_of_messages_survives_any_refused_memory_or_says_so)
    RUN(every_body_of_gemini_survives_any_refused_memory_or_says_so)
    RUN(a_thought_splitter_survives_any_refused_memory_or_says_so)
    RUN(a_stream_that_splits_thoughts_survives_any_refused_memory_or_says_so)
    RUN(a_builder_survives_any_refused_memory_or_says_so)
    RUN(a_coalescer_survives_any_refused_memory_or_says_so)
    RUN(a_turn_survives_any_refused_memory_or_says_so))
