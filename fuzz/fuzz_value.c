/* A parser fills a tree, and a writer writes it: whole and in chunks, any bytes give the
 * same end, the same tree (even if it was cut off) and the same text. What is written
 * is JSON, and the same text if it is read and written again. Read in one call, the bytes
 * give the same value or error. No object holds more memory than its desc says, and the steps are in proportion to the
 * bytes that are read and written; what is looked up in the tree takes steps in proportion to the bytes for each value, and what is
 * converted in proportion to its digits.
 * The first bytes of the input choose limits and chunks. */
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 20)
#include "fragments.h"
#include "work_law.h"

#define LARGEST 4096
#define SETTINGS 4 /* bytes */
#define STEPS_ALWAYS 20000u
#define STEPS_PER_BYTE 500u         /* that is read or written */
#define STEPS_PER_LOOK 1000u        /* and for each byte of the input: two are a sibling, which is passed three times */
#define STEPS_PER_BYTE_OF_LOOK 20u
#define STEPS_PER_NUMBER 10000u     /* a text that is close to the middle of two doubles takes the most, as in fuzz_number */
#define STEPS_PER_DIGIT 20u

typedef struct grown {
    elelem_fragment_parser_desc parser_desc;
    elelem_fragment_aggregator_desc tree_desc;
    elelem_fragment_parser parser;
    elelem_fragment_aggregator tree;
    elelem_writer writer;
    elelem_buffer written; /* straight from the fragments */
    limits_heap heap;      /* of the tree */
    limits_heap parser_heap;
    elelem_status end;     /* what the tree returned last */
} grown;

static grown now;
static uint64_t allowed; /* steps, but for what is looked up */

static void demand(int held)
{
    if (!held) abort();
}

static void start(void *object)
{
    grown *g = (grown *)object;

    elelem_fragment_parser_reset(&g->parser);
    elelem_fragment_aggregator_reset(&g->tree);
    elelem_buffer_clear(&g->written);
    elelem_writer_init(&g->writer, elelem_buffer_sink(&g->written), 0);
    g->end = ELELEM_OK;
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    return elelem_fragment_parser_push(&((grown *)object)->parser, bytes, size);
}

/* Once the tree is full every push returns that error. */
static void add(grown *g, feed_log *log, const elelem_fragment *fragment)
{
    elelem_status status = elelem_fragment_aggregator_push(&g->tree, fragment);
    elelem_completed_value completed;

    demand(status != ELELEM_ERROR_MISUSE && status != ELELEM_ERROR_MEMORY);
    demand(g->end == ELELEM_OK || status == g->end);
    if (status != g->end) feed_line(log, "the tree answers %s", elelem_status_name(status));
    g->end = status;
    while (elelem_fragment_aggregator_next(&g->tree, &completed) == ELELEM_OK) {
        demand(elelem_value_is_complete(completed.value));
        feed_line(log, "complete: node %lu, pattern %u", (unsigned long)completed.value.els_node,
                  (unsigned)completed.pattern);
    }
}

static elelem_status take(void *object, feed_log *log)
{
    grown *g = (grown *)object;
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_next(&g->parser, &fragment);

    if (status != ELELEM_OK) return status;
    add(g, log, &fragment);
    demand(elelem_writer_fragment(&g->writer, &fragment) == ELELEM_OK);
    return status;
}

static void finish(void *object)
{
    elelem_fragment_parser_finish(&((grown *)object)->parser);
}

static elelem_error error(const void *object)
{
    return elelem_fragment_parser_error(&((const grown *)object)->parser);
}

static const feed_object fed = { &now, start, push, take, finish, error };

/* The next value in the order of the document, and how much deeper it is. */
static elelem_value step(elelem_value at, int *depth)
{
    elelem_value next = elelem_value_first(at);

    if (elelem_value_type(next) != ELELEM_TYPE_NONE) {
        ++*depth;
        return next;
    }
    while (elelem_value_type(at) != ELELEM_TYPE_NONE) {
        next = elelem_value_next(at);
        if (elelem_value_type(next) != ELELEM_TYPE_NONE) return next;
        at = elelem_value_parent(at);
        --*depth;
    }
    return at;
}

/* A conversion is that of the text, and of numbers only. */
static void check_numbers(elelem_value at)
{
    int64_t number = 0, other = 0;
    uint64_t natural = 0, other_natural = 0;
    double real = 0, other_real = 0;
    elelem_str text = elelem_value_text(at);
    int is_number = elelem_value_type(at) == ELELEM_TYPE_NUMBER && elelem_value_is_complete(at);
    elelem_status status = elelem_value_to_int64(at, &number);

    demand(elelem_value_type(at) == ELELEM_TYPE_NUMBER || status == ELELEM_ERROR_TYPE);
    if (!is_number) return;
    demand(status == elelem_number_to_int64(text, &other) && number == other);
    demand(elelem_value_to_uint64(at, &natural) == elelem_number_to_uint64(text, &other_natural) && natural == other_natural);
    demand(elelem_value_to_double(at, &real) == elelem_number_to_double(text, &other_real));
    demand(memcmp(&real, &other_real, sizeof real) == 0);
}

static void check_bool(elelem_value at)
{
    int boolean = 2;
    elelem_status status = elelem_value_to_bool(at, &boolean);

    if (elelem_value_type(at) != ELELEM_TYPE_BOOL) demand(status == ELELEM_ERROR_TYPE);
    else if (elelem_value_is_complete(at)) demand(status == ELELEM_OK && boolean == elelem_str_is(elelem_value_text(at), "true"));
}

/* Nonzero if a key is the same in a path without quotes. */
static int is_plain(elelem_str key)
{
    size_t i;

    for (i = 0; i < key.size; i++)
        if (key.data[i] < 'a' || key.data[i] > 'z') return 0;
    return key.size > 0 && key.size < 20;
}

/* The path of a value and its parent, and what is there step by step. */
static void check_find(elelem_value at)
{
    elelem_value up = elelem_value_parent(at), top = elelem_value_parent(up), expected, found;
    elelem_str key = elelem_value_key(up);
    char path[100];
    int used = 0;

    if (elelem_value_type(top) == ELELEM_TYPE_NONE) return;
    if (elelem_value_type(top) == ELELEM_TYPE_OBJECT) {
        if (!is_plain(key)) return;
        expected = elelem_value_member(top, key);
        used = snprintf(path, sizeof path, "%.*s", ELELEM_STR_ARG(key));
    } else {
        expected = elelem_value_at(top, elelem_value_index(up));
        used = snprintf(path, sizeof path, "[%lu]", (unsigned long)elelem_value_index(up));
    }
    key = elelem_value_key(at);
    if (elelem_value_type(up) == ELELEM_TYPE_OBJECT) {
        if (!is_plain(key)) return;
        expected = elelem_value_member(expected, key);
        snprintf(path + used, sizeof path - (size_t)used, ".%.*s", ELELEM_STR_ARG(key));
    } else {
        expected = elelem_value_at(expected, elelem_value_index(at));
        snprintf(path + used, sizeof path - (size_t)used, "[%lu]", (unsigned long)elelem_value_index(at));
    }
    found = elelem_value_find(top, path);
    demand(found.els_node == expected.els_node);
    demand(elelem_value_find(found, "").els_node == found.els_node);
}

/* In a complete value all is complete; a value that is found by its key is the last with that key. */
static void check_node(elelem_value at)
{
    elelem_value parent = elelem_value_parent(at);
    int is_member = elelem_value_type(parent) == ELELEM_TYPE_OBJECT;
    elelem_value found = is_member ? elelem_value_member(parent, elelem_value_key(at))
                                   : elelem_value_at(parent, elelem_value_index(at));

    if (elelem_value_type(parent) == ELELEM_TYPE_NONE) return;
    demand(!elelem_value_is_complete(parent) || elelem_value_is_complete(at));
    demand(found.els_node >= at.els_node && found.els_node != 0);
    if (elelem_value_type(elelem_value_next(at)) == ELELEM_TYPE_NONE) demand(found.els_node == at.els_node);
}

/* What is looked up for a value goes through its siblings, and a number is converted; these steps are counted apart. */
static void look(elelem_value at, size_t bytes)
{
    uint64_t before = counted_steps;

    check_node(at);
    check_bool(at);
    check_find(at);
    demand(work_held(before, STEPS_PER_LOOK + (uint64_t)STEPS_PER_BYTE_OF_LOOK * bytes));
    counted_steps = before;
    check_numbers(at);
    demand(work_held(before, STEPS_PER_NUMBER + (uint64_t)STEPS_PER_DIGIT * elelem_value_text(at).size));
    counted_steps = before;
}

static void log_tree(feed_log *log, elelem_value root, size_t bytes)
{
    elelem_value at;
    int depth = 0;

    for (at = root; elelem_value_type(at) != ELELEM_TYPE_NONE; at = step(at, &depth)) {
        look(at, bytes);
        demand(elelem_value_state_of(at) != ELELEM_VALUE_OPEN);
        feed_line(log, "%d: %s, %d, %lu", depth, elelem_type_name((unsigned)elelem_value_type(at)), (int)elelem_value_state_of(at),
                  (unsigned long)elelem_value_index(at));
        feed_bytes(log, "key", elelem_value_key(at).data, elelem_value_key(at).size);
        if (elelem_value_type(at) == ELELEM_TYPE_STRING)
            demand(elelem_utf8_valid(elelem_value_text(at)) == elelem_value_text(at).size);
        feed_bytes(log, "text", elelem_value_text(at).data, elelem_value_text(at).size);
    }
}

/* Text that was written is one whole value, and is written as it is. */
static void check_written(elelem_str text, unsigned indent)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_buffer again;
    elelem_writer writer;
    elelem_allocator defaults = ELELEM_INIT;
    elelem_status status;

    desc.strict_surrogates = desc.single_document = 1;
    desc.max_depth = LARGEST + 1;
    elelem_fragment_parser_init(&parser, &desc);
    elelem_buffer_init(&again, defaults, 0);
    elelem_writer_init(&writer, elelem_buffer_sink(&again), indent);
    demand(elelem_fragment_parser_push(&parser, text.data, text.size) == ELELEM_OK);
    elelem_fragment_parser_finish(&parser);
    while ((status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
        demand(elelem_writer_fragment(&writer, &fragment) == ELELEM_OK);
    demand(status == ELELEM_END);
    demand(elelem_str_equal(elelem_buffer_text(&again), text));
    elelem_fragment_parser_free(&parser);
    elelem_buffer_free(&again);
}

/* Logs a text by what it is known by: with blanks at each level it is much longer than what it was made of. */
static void log_written(feed_log *log, elelem_str text)
{
    uint32_t hash = 0;
    size_t i;

    for (i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 16777619u;
    feed_line(log, "written: %lu bytes, %lx", (unsigned long)text.size, (unsigned long)hash);
}

/* Writes the tree; if there was no error, the fragments gave the same text. */
static void write_tree(grown *g, feed_log *log, unsigned indent)
{
    elelem_value root = elelem_fragment_aggregator_value(&g->tree);
    elelem_buffer buffer;
    elelem_writer writer;
    elelem_allocator defaults = ELELEM_INIT;

    elelem_buffer_init(&buffer, defaults, 0);
    elelem_writer_init(&writer, elelem_buffer_sink(&buffer), indent);
    demand(elelem_writer_value(&writer, root) == ELELEM_OK);
    check_written(elelem_buffer_text(&buffer), indent);
    allowed += (uint64_t)STEPS_PER_BYTE * elelem_buffer_text(&buffer).size;
    log_written(log, elelem_buffer_text(&buffer));
    if (indent == 0 && elelem_value_is_complete(root) && !g->parser_desc.patterns)
        demand(elelem_str_equal(elelem_buffer_text(&buffer), elelem_buffer_text(&g->written)));
    elelem_buffer_free(&buffer);
}

static void give(feed_log *log, const uint8_t *data, size_t size, size_t first, size_t piece, unsigned indent)
{
    elelem_error stopped;
    int is_complete;

    feed_once(&fed, log, (const char *)data, size, first, piece, 0);
    stopped = elelem_fragment_parser_error(&now.parser);
    is_complete = elelem_value_is_complete(elelem_fragment_aggregator_value(&now.tree));
    demand(!is_complete || now.end == ELELEM_OK);
    if (stopped.status == ELELEM_OK && now.end == ELELEM_OK && !now.parser_desc.patterns) demand(is_complete);
    if (stopped.status != ELELEM_OK && !now.parser_desc.single_document) demand(!is_complete);
    elelem_fragment_aggregator_cut(&now.tree, stopped.status == ELELEM_OK ? ELELEM_VALUE_CUT_END : ELELEM_VALUE_CUT_ERROR);
    log_tree(log, elelem_fragment_aggregator_value(&now.tree), size);
    write_tree(&now, log, indent);
    demand(!log->full);
    demand(limits_held(&now.heap) && limits_held(&now.parser_heap));
}

/* The whole text in one call. */

static elelem_json_desc json_desc(const uint8_t *settings)
{
    elelem_json_desc desc = ELELEM_INIT;

    if (settings[0] & 8) desc.max_bytes = settings[1] * 4u + 1;
    if (settings[0] & 32) desc.max_depth = settings[2] % 8 + 1u;
    desc.strict_surrogates = settings[3] & 1;
    return desc;
}

/* The bytes, by a parser and an aggregator of the same limits. Returns their value, and sets the error. */
static elelem_value read_in_two(elelem_fragment_aggregator *tree, const elelem_json_desc *desc, const char *bytes, size_t size,
                                elelem_error *error)
{
    elelem_fragment_parser_desc of_parser = ELELEM_INIT;
    elelem_fragment_aggregator_desc of_tree = ELELEM_INIT;
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    elelem_status status = ELELEM_OK;

    of_parser.max_depth = of_tree.max_depth = desc->max_depth;
    of_parser.strict_surrogates = desc->strict_surrogates;
    of_parser.single_document = 1;
    of_tree.max_bytes = desc->max_bytes;
    elelem_fragment_parser_init(&parser, &of_parser);
    elelem_fragment_aggregator_init(tree, &of_tree);
    elelem_fragment_parser_push(&parser, bytes, size);
    elelem_fragment_parser_finish(&parser);
    while (status == ELELEM_OK && (status = elelem_fragment_parser_next(&parser, &fragment)) == ELELEM_OK)
        status = elelem_fragment_aggregator_push(tree, &fragment);
    *error = elelem_fragment_parser_error(&parser);
    if (error->status == ELELEM_OK && status < 0) {
        error->status = status;
        error->offset = elelem_fragment_parser_offset(&parser);
    }
    elelem_fragment_parser_free(&parser);
    return elelem_fragment_aggregator_value(tree);
}

static void put_value(elelem_buffer *out, elelem_value value)
{
    elelem_allocator defaults = ELELEM_INIT;
    elelem_writer writer;

    elelem_buffer_init(out, defaults, 0);
    elelem_writer_init(&writer, elelem_buffer_sink(out), 0);
    demand(elelem_writer_value(&writer, value) == ELELEM_OK);
}

static void read_whole(const uint8_t *settings, const char *bytes, size_t size)
{
    elelem_json_desc desc = json_desc(settings);
    elelem_fragment_parser_desc of_parser = ELELEM_INIT;
    limits_heap heap = ELELEM_INIT;
    elelem_fragment_aggregator tree;
    elelem_json json;
    elelem_error error;
    elelem_value expected = read_in_two(&tree, &desc, bytes, size, &error), value;
    elelem_buffer one, two;

    of_parser.max_depth = desc.max_depth;
    heap.bound = limits_or(desc.max_bytes, (uint64_t)64 << 20) + limits_of_parser(&of_parser);
    desc.allocator = limits_allocator(&heap);
    value = elelem_json_read(&json, elelem_str_from(bytes, size), &desc);
    demand(elelem_json_error(&json).status == error.status && elelem_json_error(&json).offset == error.offset);
    demand(elelem_value_is_complete(value) == (error.status == ELELEM_OK));
    demand(error.status == ELELEM_OK ? heap.live <= limits_or(desc.max_bytes, (uint64_t)64 << 20) : heap.live == 0);
    if (error.status == ELELEM_OK) {
        put_value(&one, value);
        put_value(&two, expected);
        demand(elelem_str_equal(elelem_buffer_text(&one), elelem_buffer_text(&two)));
        elelem_buffer_free(&one);
        elelem_buffer_free(&two);
    }
    elelem_fragment_aggregator_free(&tree);
    elelem_json_free(&json);
    demand(heap.live == 0 && limits_held(&heap));
}

static void settle(const uint8_t *settings, const elelem_patterns *patterns)
{
    memset(&now, 0, sizeof now);
    now.parser_desc.single_document = settings[0] & 1;
    now.parser_desc.patterns = settings[0] & 2 ? patterns : NULL;
    now.tree_desc.patterns = settings[0] & 4 ? patterns : NULL;
    now.tree_desc.max_bytes = settings[0] & 8 ? settings[1] * 4u + 1 : 1u << 20;
    if (settings[0] & 16) now.tree_desc.max_string_bytes = settings[2] / 8 + 1u;
    if (settings[0] & 32) now.tree_desc.max_depth = settings[2] % 8 + 1u;
    if (settings[0] & 64) now.parser_desc.max_string_bytes = settings[2] / 4 + 1u;
    now.tree_desc.allocator = limits_allocator(&now.heap);
    now.heap.bound = limits_of_aggregator(&now.tree_desc);
    now.parser_desc.allocator = limits_allocator(&now.parser_heap);
    now.parser_heap.bound = limits_of_parser(&now.parser_desc);
}

static void begin(void)
{
    elelem_allocator defaults = ELELEM_INIT;

    elelem_fragment_parser_init(&now.parser, &now.parser_desc);
    elelem_fragment_aggregator_init(&now.tree, &now.tree_desc);
    elelem_buffer_init(&now.written, defaults, 0);
}

static void end(void)
{
    elelem_fragment_parser_free(&now.parser);
    elelem_fragment_aggregator_free(&now.tree);
    elelem_buffer_free(&now.written);
    demand(now.heap.live == 0 && now.parser_heap.live == 0);
}

static void demand_same(void)
{
    demand(feed_now.size == feed_whole.size && memcmp(feed_now.text, feed_whole.text, feed_now.size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const texts[] = { "a", "*.b", "a.*[0]", "[*].a", "[1]" };
    elelem_pattern_node nodes[16];
    elelem_patterns patterns;
    uint64_t before = counted_steps;
    unsigned indent, cut;

    if (size < SETTINGS || size > LARGEST) return 0;
    demand(elelem_patterns_compile(&patterns, nodes, 16, texts, 5, NULL, NULL) == ELELEM_OK);
    settle(data, &patterns);
    indent = data[0] & 128 ? data[3] % 5u : 0;
    cut = data[3];
    allowed = STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size;
    data += SETTINGS;
    size -= SETTINGS;
    begin();
    give(&feed_whole, data, size, size, size, indent);
    give(&feed_now, data, size, 1, 1, indent);
    demand_same();
    give(&feed_now, data, size, size > 0 ? cut % size : 0, 1 + cut % 16, indent);
    demand_same();
    end();
    read_whole(data - SETTINGS, (const char *)data, size);
    demand(work_held(before, allowed));
    return 0;
}
