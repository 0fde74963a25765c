/* For each file whose path is a line of build/inputs: one number that stands for all that the library makes of its bytes: as JSON with
 * its numbers; as a response of every shape, with its record lines, the entry of a history and requests that are made of these;
 * and as text with tags, a message with reasoning, an event stream, stored lines, and a request. Inputs of fuzzers begin with a
 * few bytes that choose settings, so the bytes after those are read too. `make check-same` compares what builds print. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 18)
#include "streams.h"

static uint64_t sum;

static void add(const void *bytes, size_t size)
{
    const unsigned char *byte = (const unsigned char *)bytes;
    size_t i;

    for (i = 0; i < size; i++)
        sum = (sum ^ byte[i]) * 0x100000001b3u;
}

/* A number of any size, so that the sum does not depend on sizes or on the order of bytes. */
static void add_number(uint64_t number)
{
    unsigned char bytes[8];
    int i;

    for (i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    add(bytes, sizeof bytes);
}

static void add_number_text(elelem_str text)
{
    int64_t whole = 0;
    double real = 0;
    uint64_t bits;

    add_number((uint64_t)(int64_t)elelem_number_to_int64(text, &whole));
    add_number((uint64_t)whole);
    add_number((uint64_t)(int64_t)elelem_number_to_double(text, &real));
    memcpy(&bits, &real, sizeof bits);
    add_number(bits);
}

/* Pieces of a text are joined, because their number is not promised. */
static void add_fragment(const elelem_fragment *fragment)
{
    if (fragment->kind == ELELEM_FRAGMENT_STRING) {
        add(fragment->text.data, fragment->text.size);
        return;
    }
    add_number(fragment->kind);
    add_number(fragment->type);
    add_number(fragment->path->count);
    if (fragment->kind == ELELEM_FRAGMENT_SCALAR && fragment->type == ELELEM_TYPE_NUMBER) add_number_text(fragment->text);
    else add(fragment->text.data, fragment->text.size);
}

/* In pieces, so that the ends of vectors are at many places. */
static void add_json(const char *bytes, size_t size, size_t step)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_status status = ELELEM_MORE;
    size_t at;

    elelem_fragment_parser_init(&parser, NULL);
    for (at = 0; at < size && status == ELELEM_MORE; at += step) {
        elelem_fragment_parser_push(&parser, bytes + at, step < size - at ? step : size - at);
        while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
            add_fragment(&fragment);
    }
    elelem_fragment_parser_finish(&parser);
    while (status >= 0 && (status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
        add_fragment(&fragment);
    add_number((uint64_t)(int64_t)status);
    add_number(elelem_fragment_parser_error(&parser).offset);
    elelem_fragment_parser_free(&parser);
}

static elelem_status write_to_sum(void *context, const void *bytes, size_t size)
{
    (void)context;
    add(bytes, size);
    return ELELEM_OK;
}

static elelem_sink sum_sink(void)
{
    elelem_sink sink = ELELEM_INIT;

    sink.write = write_to_sum;
    return sink;
}

static void add_status(elelem_status status)
{
    add_number((uint64_t)(int64_t)status);
}

static void add_request(const elelem_request *request)
{
    elelem_error error = elelem_request_write(request, sum_sink());

    add_status(error.status);
    add_number(error.offset);
}

static void add_entry(const elelem_history_entry *entry)
{
    add_status(elelem_history_entry_write(entry, sum_sink()));
}

static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                              &elelem_shape_gemini, &elelem_shape_interactions };
static elelem_buffer record;

/* What is sent of a record: to the shape of the response, which has its own metadata back, and to another one. */
static void add_requests(size_t shape)
{
    elelem_request request = ELELEM_INIT;

    request.model = elelem_str_of("m");
    request.history = elelem_buffer_text(&record);
    request.shape = shapes[shape];
    add_request(&request);
    request.shape = shapes[(shape + 1) % 5];
    add_request(&request);
}

/* The events as lines, and as an entry. */
static void add_record(size_t shape, const char *bytes, size_t size)
{
    elelem_stream stream;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_recorder recorder;
    elelem_recorder_desc of_recorder = ELELEM_INIT;
    elelem_history_builder builder;
    elelem_history_entry entry;
    elelem_event event;
    elelem_status status;

    desc.shape = shapes[shape];
    elelem_buffer_clear(&record);
    of_recorder.sink = elelem_buffer_sink(&record);
    elelem_stream_init(&stream, &desc);
    elelem_recorder_init(&recorder, &of_recorder);
    elelem_history_builder_init(&builder, NULL);
    if (elelem_stream_push(&stream, bytes, size) != ELELEM_OK) abort();
    elelem_stream_finish(&stream);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK) {
        add_status(elelem_recorder_push(&recorder, &event));
        add_status(elelem_history_builder_push(&builder, &event));
    }
    add(elelem_buffer_text(&record).data, elelem_buffer_text(&record).size);
    elelem_history_builder_finish(&builder);
    status = elelem_history_builder_entry(&builder, &entry);
    add_status(status);
    if (status == ELELEM_OK) add_entry(&entry);
    elelem_history_builder_free(&builder);
    elelem_recorder_free(&recorder);
    elelem_stream_free(&stream);
    add_requests(shape);
}

static void add_streams(const char *bytes, size_t size)
{
    static const feed_object fed = { &streams_now, streams_start, streams_push, streams_next, streams_finish, NULL };
    size_t i;

    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        streams_shape(shapes[i]);
        streams_now.desc.split_thoughts = 1;
        streams_now.offsets = 1;
        feed_once(&fed, &feed_now, bytes, size, 0, 7, 0);
        add(feed_now.text, feed_now.size);
        add_record(i, bytes, size);
    }
}

/* What the fuzzers of one object each give it. The first bytes of their inputs choose the settings, as there; without them
 * all are zero. */

/* Whole and in pieces, of what is made in `next` itself; the log has the end. */
static void add_fed(const feed_object *object, const char *bytes, size_t size)
{
    feed_once(object, &feed_now, bytes, size, size, size, 0);
    add(feed_now.text, feed_now.size);
    feed_once(object, &feed_now, bytes, size, 7, 7, 0);
    add(feed_now.text, feed_now.size);
}

static void add_str(elelem_str text)
{
    add(text.data, text.size);
    add_number(text.size);
}

static void start_tags(void *object)
{
    elelem_tag_splitter_reset((elelem_tag_splitter *)object);
}

static elelem_status push_tags(void *object, const void *bytes, size_t size)
{
    return elelem_tag_splitter_push((elelem_tag_splitter *)object, bytes, size);
}

static elelem_status next_tags(void *object, feed_log *log)
{
    elelem_tag_piece piece;
    elelem_status status = elelem_tag_splitter_next((elelem_tag_splitter *)object, &piece);
    uint32_t i;

    (void)log;
    if (status != ELELEM_OK) return status;
    if (piece.kind == ELELEM_TAG_TEXT) {
        add(piece.text.data, piece.text.size);
        return status;
    }
    add_number(piece.kind);
    add_number(piece.how);
    add_number(piece.depth);
    add_str(piece.raw);
    add_str(piece.name);
    add_str(piece.id);
    for (i = 0; i < piece.attribute_count; i++) {
        add_str(piece.attributes[i].name);
        add_str(piece.attributes[i].value);
    }
    return status;
}

static void finish_tags(void *object)
{
    elelem_tag_splitter_finish((elelem_tag_splitter *)object);
}

static void add_tags(const unsigned char *settings, const char *bytes, size_t size)
{
    static const elelem_str names[] = { { "think", 5 }, { "thinking", 8 }, { "a", 1 }, { "a-b", 3 } };
    static const uint32_t sizes[] = { 0, 9, 16, 64 };
    elelem_tag_splitter splitter;
    elelem_tag_splitter_desc desc = ELELEM_INIT;
    feed_object fed = { NULL, start_tags, push_tags, next_tags, finish_tags, NULL };

    fed.object = &splitter;
    desc.names = names;
    desc.name_count = sizeof names / sizeof *names;
    desc.max_tag_bytes = sizes[settings[0] & 3];
    desc.max_depth = settings[0] >> 2 & 3;
    desc.trim = settings[0] >> 4 & 3;
    desc.ignore_case = settings[0] >> 6 & 1;
    desc.max_attributes = settings[0] >> 7;
    elelem_tag_splitter_init(&splitter, &desc);
    add_fed(&fed, bytes, size);
    elelem_tag_splitter_free(&splitter);
}

static void start_decoder(void *object)
{
    elelem_sse_decoder_reset((elelem_sse_decoder *)object);
}

static elelem_status push_decoder(void *object, const void *bytes, size_t size)
{
    return elelem_sse_decoder_push((elelem_sse_decoder *)object, bytes, size);
}

static elelem_status next_decoder(void *object, feed_log *log)
{
    elelem_frame frame;
    elelem_status status = elelem_sse_decoder_next((elelem_sse_decoder *)object, &frame);

    (void)log;
    if (status != ELELEM_OK) return status;
    add(frame.text.data, frame.text.size);
    if (frame.kind == ELELEM_FRAME_DATA || (frame.kind == ELELEM_FRAME_LINE && !frame.line_end)) return status;
    add_number(frame.kind);
    add_str(frame.event);
    add_str(frame.id);
    add_number((uint64_t)frame.retry_ms);
    return status;
}

static void finish_decoder(void *object)
{
    elelem_sse_decoder_finish((elelem_sse_decoder *)object);
}

static elelem_error error_of_decoder(const void *object)
{
    return elelem_sse_decoder_error((const elelem_sse_decoder *)object);
}

static void add_frames(const unsigned char *settings, const char *bytes, size_t size)
{
    elelem_sse_decoder decoder;
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    feed_object fed = { NULL, start_decoder, push_decoder, next_decoder, finish_decoder, error_of_decoder };

    fed.object = &decoder;
    desc.max_name_bytes = 20;
    desc.max_data_bytes = settings[0] >> 1;
    desc.lines = settings[0] & 1;
    elelem_sse_decoder_init(&decoder, &desc);
    add_fed(&fed, bytes, size);
    elelem_sse_decoder_free(&decoder);
}

static elelem_recorder rewriter; /* of what a replayer reads */

static void start_replayer(void *object)
{
    elelem_replayer_reset((elelem_replayer *)object);
}

static elelem_status push_replayer(void *object, const void *bytes, size_t size)
{
    return elelem_replayer_push((elelem_replayer *)object, bytes, size);
}

static elelem_status next_replayer(void *object, feed_log *log)
{
    elelem_replayer *replayer = (elelem_replayer *)object;
    elelem_record_item item;
    elelem_status status = elelem_replayer_next(replayer, &item);
    elelem_replay_position position = elelem_replayer_position(replayer);

    (void)log;
    if (status == ELELEM_OK && replayer->els_format == ELELEM_RECORD_TEXT) {
        add(item.event.part.text.data, item.event.part.text.size);
        return status;
    }
    if (status != ELELEM_MORE) add_number(position.items);
    if (status != ELELEM_MORE) add_number(position.lines);
    if (status != ELELEM_MORE) add_number(position.offset);
    if (status == ELELEM_OK) add_status(elelem_recorder_push_item(&rewriter, &item));
    return status;
}

static void finish_replayer(void *object)
{
    elelem_replayer_finish((elelem_replayer *)object);
}

static elelem_error error_of_replayer(const void *object)
{
    return elelem_replayer_error((const elelem_replayer *)object);
}

static void add_replayed(const unsigned char *settings, const char *bytes, size_t size)
{
    elelem_replayer replayer;
    elelem_replayer_desc desc = ELELEM_INIT;
    elelem_recorder_desc of_rewriter = ELELEM_INIT;
    feed_object fed = { NULL, start_replayer, push_replayer, next_replayer, finish_replayer, error_of_replayer };

    fed.object = &replayer;
    of_rewriter.sink = sum_sink();
    if (settings[0] & 1) desc.max_line_bytes = 100;
    desc.first = settings[0] >> 1 & 1;
    desc.lines = settings[0] >> 2 & 1;
    if (settings[0] >> 3 & 1) desc.format = ELELEM_RECORD_TEXT;
    elelem_recorder_init(&rewriter, &of_rewriter);
    elelem_replayer_init(&replayer, &desc);
    add_fed(&fed, bytes, size);
    elelem_replayer_free(&replayer);
    elelem_recorder_free(&rewriter);
}

static void start_reader(void *object)
{
    elelem_history_reader_reset((elelem_history_reader *)object);
}

static elelem_status push_reader(void *object, const void *bytes, size_t size)
{
    return elelem_history_reader_push((elelem_history_reader *)object, bytes, size);
}

static elelem_status next_reader(void *object, feed_log *log)
{
    elelem_history_entry entry;
    elelem_status status = elelem_history_reader_next((elelem_history_reader *)object, &entry);

    (void)log;
    if (status == ELELEM_OK) add_entry(&entry);
    return status;
}

static void finish_reader(void *object)
{
    elelem_history_reader_finish((elelem_history_reader *)object);
}

static elelem_error error_of_reader(const void *object)
{
    return elelem_history_reader_error((const elelem_history_reader *)object);
}

static void add_history(const unsigned char *settings, const char *bytes, size_t size)
{
    elelem_history_reader reader;
    elelem_history_reader_desc desc = ELELEM_INIT;
    feed_object fed = { NULL, start_reader, push_reader, next_reader, finish_reader, error_of_reader };

    fed.object = &reader;
    if (settings[0] & 1) desc.max_bytes = 100;
    elelem_history_reader_init(&reader, &desc);
    add_fed(&fed, bytes, size);
    elelem_history_reader_free(&reader);
}

static void start_items(void *object)
{
    elelem_item_reader_reset((elelem_item_reader *)object);
}

static elelem_status push_items(void *object, const void *bytes, size_t size)
{
    return elelem_item_reader_push((elelem_item_reader *)object, bytes, size);
}

static elelem_status next_items(void *object, feed_log *log)
{
    elelem_read_item read;
    elelem_writer writer;
    elelem_status status = elelem_item_reader_next((elelem_item_reader *)object, &read);

    (void)log;
    if (status != ELELEM_OK) return status;
    add_number(read.role);
    elelem_writer_init(&writer, sum_sink(), 0);
    if (read.kind == ELELEM_READ_ITEM) {
        add_status(elelem_item_write(&writer, &read.item));
        return status;
    }
    add_str(read.type);
    add_str(read.line);
    return status;
}

static void finish_items(void *object)
{
    elelem_item_reader_finish((elelem_item_reader *)object);
}

static elelem_error error_of_items(const void *object)
{
    return elelem_item_reader_error((const elelem_item_reader *)object);
}

/* Without a limit of the bytes of an item, since that counts pointers, which are smaller with 32 bits. */
static void add_items(const unsigned char *settings, const char *bytes, size_t size)
{
    static const uint32_t limits[] = { 0, 64, 300, 4000 };
    elelem_item_reader reader;
    elelem_item_reader_desc desc = ELELEM_INIT;
    feed_object fed = { NULL, start_items, push_items, next_items, finish_items, error_of_items };

    fed.object = &reader;
    desc.max_line_bytes = limits[settings[0] >> 2 & 3];
    desc.max_open = settings[0] >> 4 & 3;
    desc.keep_argument_text = settings[0] >> 6 & 1;
    elelem_item_reader_init(&reader, &desc);
    add_fed(&fed, bytes, size);
    elelem_item_reader_free(&reader);
}

static void push_thought(elelem_thought_splitter *splitter, const elelem_event *event)
{
    elelem_event made;
    elelem_status status = elelem_thought_splitter_push(splitter, event);

    while (status == ELELEM_OK && (status = elelem_thought_splitter_next(splitter, &made)) == ELELEM_OK)
        add_status(elelem_recorder_push(&rewriter, &made));
    add_status(status);
}

/* The bytes as a message in parts of 7 bytes, which need not be whole characters: no text is an error. */
static void add_thoughts(const char *bytes, size_t size)
{
    elelem_thought_splitter splitter;
    elelem_recorder_desc of_rewriter = ELELEM_INIT;
    elelem_event event = ELELEM_INIT;
    size_t at;

    of_rewriter.sink = sum_sink();
    elelem_recorder_init(&rewriter, &of_rewriter);
    elelem_thought_splitter_init(&splitter, NULL);
    event.part.kind = ELELEM_PART_MESSAGE;
    for (at = 0; at < size; at += 7) {
        event.part.text = elelem_str_from(bytes + at, size - at < 7 ? size - at : 7);
        push_thought(&splitter, &event);
    }
    event.kind = ELELEM_EVENT_FLUSH;
    if (size > 0) push_thought(&splitter, &event);
    elelem_thought_splitter_free(&splitter);
    elelem_recorder_free(&rewriter);
}

static void add_whole_request(const unsigned char *settings, const char *bytes, size_t size)
{
    static const char *const providers[] = { "", "openai-chat", "mistral", "deepseek", "openrouter", "groq", "llamacpp", "vllm" };
    elelem_request request = ELELEM_INIT;

    request.shape = shapes[settings[0] & 128 ? 4 : settings[0] % 4];
    request.provider = elelem_provider_find(providers[settings[1] % 8]);
    request.model = elelem_str_of(settings[2] & 1 ? "gpt-5" : "m");
    request.reasoning_tokens = settings[2] & 2 ? 2000 : 0;
    request.schema = elelem_str_of(settings[2] & 4 ? "{\"type\":\"object\"}" : "");
    request.whole = settings[2] >> 3 & 1;
    request.history = elelem_str_from(bytes, size);
    add_request(&request);
}

typedef struct fuzzed {
    void (*add)(const unsigned char *settings, const char *bytes, size_t size);
    size_t settings; /* bytes */
} fuzzed;

static void add_as_fuzzed(const char *bytes, size_t size)
{
    static const fuzzed rows[] = { { add_tags, 4 }, { add_frames, 4 }, { add_replayed, 2 }, { add_history, 2 },
                                   { add_items, 2 }, { add_whole_request, 3 } };
    static const unsigned char none[4];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].add(none, bytes, size);
        if (size >= rows[i].settings)
            rows[i].add((const unsigned char *)bytes, bytes + rows[i].settings, size - rows[i].settings);
    }
    add_thoughts(bytes, size);
}

static void add_all(const char *bytes, size_t size)
{
    add_json(bytes, size, size + 1);
    add_json(bytes, size, 7);
    add_streams(bytes, size);
}

int main(void)
{
    static const size_t settings[] = { 0, 1, 2, 3, 5, 6 };
    char path[600];
    FILE *inputs = fopen("build/inputs", "r");
    elelem_allocator plain = ELELEM_INIT;

    elelem_buffer_init(&record, plain, 0);
    while (inputs && fgets(path, sizeof path, inputs)) {
        size_t size, i;
        char *bytes;
        path[strcspn(path, "\n")] = '\0';
        bytes = streams_read(path, &size);
        sum = 0xcbf29ce484222325u;
        for (i = 0; i < sizeof settings / sizeof *settings && settings[i] <= size; i++)
            add_all(bytes + settings[i], size - settings[i]);
        add_as_fuzzed(bytes, size);
        printf("%08lx%08lx %s\n", (unsigned long)(sum >> 32), (unsigned long)(sum & 0xffffffffu), path);
        free(bytes);
    }
    elelem_buffer_free(&record);
    return inputs == NULL;
}
