/* The thought splitter by itself: events of several items, whole, with each text byte by byte and in pieces, and after a reset in the
 * middle, give the same events with the same texts and indices; an event that was refused can be pushed again. The text of one
 * message is divided as the tag splitter divides it. The thought splitter takes no more memory than its desc says, and steps in
 * proportion to the bytes and events. The first bytes of the input choose settings and pieces; the rest is text, and between it
 * control bytes that choose the item, flush it, or push something else. */
#include "elelem_stream.h"

#include "feed.h"
#include "must.h"
#include "work_law.h"

#define LARGEST 4096
#define SETTINGS 3 /* bytes */
#define STEPS_ALWAYS 20000u
#define STEPS_PER_BYTE 400u
#define STEPS_PER_EVENT 600u

/* Control bytes: 0x10 to 0x1f choose an item. All other bytes are text of it. */
#define FLUSH 0x01
#define CUT_OFF 0x02  /* the next flush says so */
#define METADATA 0x03 /* the next part or flush has some */
#define NO_ITEM 0x04  /* metadata of no item */
#define EMPTY 0x05    /* a part without text */
#define END 0x06      /* of a stream, whatever is open; then another begins */

static elelem_thought_splitter splitter;
static elelem_thought_splitter_desc desc;
static uint64_t events;

/* How the events of the input are pushed. */
typedef struct pushing {
    size_t piece;        /* bytes of text in a part */
    size_t stop;         /* events until it stops, with results left and one refused */
    int again;           /* nonzero: each event is first refused */
    uint32_t item;
    int cut_off;
    int metadata;
    feed_log *log;
    elelem_status status;
} pushing;

/* Items of some indices are no messages, and are passed. */
static elelem_part_kind kind_of(uint32_t item)
{
    static const elelem_part_kind kinds[] = { ELELEM_PART_REASONING, ELELEM_PART_STRUCTURED, ELELEM_PART_TOOL_CALL, ELELEM_PART_PROVIDER_ITEM };

    return item < 12 ? ELELEM_PART_MESSAGE : kinds[item - 12];
}

static void log_metadata(feed_log *log, const elelem_event *event)
{
    size_t i;

    for (i = 0; i < event->metadata.count; i++) {
        feed_bytes(log, "metadata", event->metadata.entries[i].key.data, event->metadata.entries[i].key.size);
        feed_bytes(log, "json", event->metadata.entries[i].json.data, event->metadata.entries[i].json.size);
    }
}

/* The text of an event is within what was pushed, or was held back: copying it shows if it is there. */
static void log_event(feed_log *log, const elelem_event *event)
{
    char label[40];

    snprintf(label, sizeof label, "%lu.%lu kind %d", (unsigned long)event->index, (unsigned long)event->choice, event->part.kind);
    if (event->kind != ELELEM_EVENT_PART) {
        feed_line(log, "event %d of %s cut %d", event->kind, event->kind == ELELEM_EVENT_FLUSH ? label : "none", event->cut_off);
    } else if (event->part.text.size == 0) {
        if (event->metadata.count == 0) return; /* of an empty part nothing need come */
        feed_line(log, "%s", label);
    }
    log_metadata(log, event);
    if (event->kind == ELELEM_EVENT_PART && event->part.text.size > 0)
        feed_bytes(log, label, event->part.text.data, event->part.text.size);
}

static elelem_status drain(feed_log *log)
{
    elelem_event made;
    elelem_status status;

    while ((status = elelem_thought_splitter_next(&splitter, &made)) == ELELEM_OK)
        log_event(log, &made);
    MUST(status == ELELEM_MORE || status < 0);
    MUST(elelem_thought_splitter_error(&splitter).status == (status < 0 ? status : ELELEM_OK));
    return status;
}

/* The event is refused while another one is read, and taken then. */
static elelem_status push_again(const elelem_event *event)
{
    static const elelem_event none = ELELEM_INIT;
    elelem_event first = none;

    first.kind = ELELEM_EVENT_METADATA;
    MUST(elelem_thought_splitter_push(&splitter, &first) == ELELEM_OK);
    MUST(elelem_thought_splitter_push(&splitter, event) == ELELEM_ERROR_MISUSE);
    MUST(elelem_thought_splitter_next(&splitter, &first) == ELELEM_OK && first.kind == ELELEM_EVENT_METADATA);
    MUST(elelem_thought_splitter_next(&splitter, &first) == ELELEM_MORE);
    return elelem_thought_splitter_push(&splitter, event);
}

/* An event that comes too early, and is not pushed again: a reset forgets that. */
static void refuse_one(void)
{
    elelem_event event = ELELEM_INIT;

    event.kind = ELELEM_EVENT_ERROR;
    MUST(elelem_thought_splitter_push(&splitter, &event) == ELELEM_ERROR_MISUSE);
}

static void push(pushing *p, elelem_event *event)
{
    static elelem_metadata_entry entry;
    elelem_status status;

    events++;
    entry.key = elelem_str_of("k");
    entry.json = elelem_str_of("[1]");
    event->index = p->item;
    event->choice = p->item % 3;
    if (p->metadata) event->metadata.entries = &entry;
    event->metadata.count = (size_t)p->metadata;
    p->metadata = 0;
    status = p->again ? push_again(event) : elelem_thought_splitter_push(&splitter, event);
    if (status == ELELEM_ERROR_MISUSE) {
        MUST(event->kind == ELELEM_EVENT_FLUSH); /* of what is not open */
        feed_line(p->log, "not open");
        return;
    }
    if (p->stop > 0 && --p->stop == 0) {
        if (status == ELELEM_OK) refuse_one();
        p->status = ELELEM_END;
        return;
    }
    p->status = status == ELELEM_OK ? drain(p->log) : status;
}

/* Each push is a block of its own size. */
static void push_text(pushing *p, const char *text, size_t size)
{
    size_t at, piece;

    for (at = 0; at < size && p->status == ELELEM_MORE; at += piece) {
        elelem_event event = ELELEM_INIT;
        char *lent;
        piece = p->piece < size - at ? p->piece : size - at;
        lent = (char *)malloc(piece);
        if (!lent) abort();
        memcpy(lent, text + at, piece);
        event.part.kind = (uint8_t)kind_of(p->item);
        event.part.text = elelem_str_from(lent, piece);
        event.part.tool_call.kind = ELELEM_TOOL_CALL_START;
        push(p, &event);
        if (p->status == ELELEM_END) elelem_thought_splitter_reset(&splitter); /* before the text is gone */
        free(lent);
    }
}

/* What a control byte pushes, if anything. */
static void control(pushing *p, unsigned char byte)
{
    elelem_event event = ELELEM_INIT;

    if (byte >= 0x10) p->item = byte & 15;
    else if (byte == CUT_OFF) p->cut_off = 1;
    else if (byte == METADATA) p->metadata = 1;
    if (byte >= 0x10 || byte == CUT_OFF || byte == METADATA) return;
    event.kind = ELELEM_EVENT_METADATA;
    if (byte == EMPTY) event.kind = ELELEM_EVENT_PART;
    if (byte == END) event.kind = ELELEM_EVENT_FINISHED;
    if (byte == FLUSH) event.kind = ELELEM_EVENT_FLUSH;
    event.part.kind = (uint8_t)kind_of(p->item);
    event.part.tool_call.kind = ELELEM_TOOL_CALL_START;
    if (byte == FLUSH) event.cut_off = (uint8_t)p->cut_off;
    if (byte == FLUSH) p->cut_off = 0;
    push(p, &event);
}

static int is_control(char byte)
{
    return (byte >= FLUSH && byte <= END) || (byte >= 0x10 && byte < 0x20);
}

static void give(pushing *p, const char *bytes, size_t size)
{
    size_t at = 0, end;

    p->status = ELELEM_MORE;
    p->log->size = 0;
    p->log->in_text = p->log->full = 0;
    while (at < size && p->status == ELELEM_MORE) {
        if (is_control(bytes[at])) {
            control(p, (unsigned char)bytes[at++]);
            continue;
        }
        for (end = at; end < size && !is_control(bytes[end]); end++)
            continue;
        push_text(p, bytes + at, end - at);
        at = end;
    }
    if (p->status == ELELEM_MORE) control(p, END);
    if (p->status == ELELEM_MORE) p->status = ELELEM_END;
    feed_line(p->log, "%s", elelem_status_name(p->status));
    MUST(p->status == ELELEM_END || p->status == ELELEM_ERROR_COUNT);
}

static void compare(void)
{
    if (feed_whole.full || feed_now.full) return;
    if (feed_whole.size == feed_now.size && memcmp(feed_whole.text, feed_now.text, feed_now.size) == 0) return;
    fprintf(stderr, "-- whole:\n%.*s-- cut:\n%.*s", (int)feed_whole.size, feed_whole.text, (int)feed_now.size, feed_now.text);
    abort();
}

static void give_again(const char *bytes, size_t size, size_t piece, size_t stop, int again)
{
    pushing first = ELELEM_INIT, all = ELELEM_INIT;

    first.piece = all.piece = piece;
    first.log = all.log = &feed_now;
    first.stop = stop;
    all.again = again;
    if (stop > 0) give(&first, bytes, size);
    elelem_thought_splitter_reset(&splitter);
    MUST(elelem_thought_splitter_error(&splitter).status == ELELEM_OK);
    give(&all, bytes, size);
    compare();
}

/* Texts of a message, or of its reasoning. */
typedef struct joined {
    char bytes[2][LARGEST];
    size_t size[2];
} joined;

static joined found, expected;

static void join(joined *to, int is_reasoning, elelem_str text)
{
    MUST(text.size <= LARGEST - to->size[is_reasoning]);
    if (text.size > 0) memcpy(to->bytes[is_reasoning] + to->size[is_reasoning], text.data, text.size);
    to->size[is_reasoning] += text.size;
}

/* Text in a tag is reasoning, and so are tags inside of a tag. An end tag belongs to the last tag that it closes. */
static void expect_piece(const elelem_tag_piece *piece)
{
    static char end[LARGEST];
    static size_t end_size;

    if (piece->kind == ELELEM_TAG_TEXT) join(&expected, piece->depth > 0, piece->text);
    if (piece->kind == ELELEM_TAG_BEGIN && piece->depth > 1) join(&expected, 1, piece->raw);
    if (piece->kind != ELELEM_TAG_END) return;
    if (piece->raw.size > 0) {
        MUST(piece->raw.size <= sizeof end);
        memcpy(end, piece->raw.data, piece->raw.size);
        end_size = piece->raw.size;
    }
    if (piece->how == ELELEM_TAG_CLOSED && piece->depth > 1) join(&expected, 1, elelem_str_from(end, end_size));
}

static void expect_texts(elelem_str text)
{
    elelem_tag_splitter_desc how = ELELEM_INIT;
    elelem_tag_splitter tags;
    elelem_tag_piece piece;

    how.names = desc.names;
    how.name_count = desc.name_count;
    elelem_tag_splitter_init(&tags, &how);
    MUST(elelem_tag_splitter_push(&tags, text.data, text.size) == ELELEM_OK);
    while (elelem_tag_splitter_next(&tags, &piece) == ELELEM_OK)
        expect_piece(&piece);
    elelem_tag_splitter_finish(&tags);
    while (elelem_tag_splitter_next(&tags, &piece) == ELELEM_OK)
        expect_piece(&piece);
    elelem_tag_splitter_free(&tags);
}

/* All bytes as the text of one message. */
static void check_texts(const char *bytes, size_t size)
{
    elelem_event event = ELELEM_INIT, made;
    int flush;

    memset(found.size, 0, sizeof found.size);
    memset(expected.size, 0, sizeof expected.size);
    expect_texts(elelem_str_from(bytes, size));
    elelem_thought_splitter_reset(&splitter);
    event.part.kind = ELELEM_PART_MESSAGE;
    event.part.text = elelem_str_from(bytes, size);
    for (flush = 0; flush < 2; flush++) {
        events++;
        event.kind = (uint8_t)(flush ? ELELEM_EVENT_FLUSH : ELELEM_EVENT_PART);
        MUST(elelem_thought_splitter_push(&splitter, &event) == ELELEM_OK);
        while (elelem_thought_splitter_next(&splitter, &made) == ELELEM_OK)
            if (made.kind == ELELEM_EVENT_PART) join(&found, made.part.kind == ELELEM_PART_REASONING, made.part.text);
    }
    MUST(found.size[0] == expected.size[0] && memcmp(found.bytes[0], expected.bytes[0], found.size[0]) == 0);
    MUST(found.size[1] == expected.size[1] && memcmp(found.bytes[1], expected.bytes[1], found.size[1]) == 0);
}

/* The first error sticks, and nothing comes after it. */
static void check_stuck(void)
{
    elelem_event event = ELELEM_INIT;
    elelem_error error = elelem_thought_splitter_error(&splitter);

    if (error.status == ELELEM_OK) return;
    event.kind = ELELEM_EVENT_METADATA;
    MUST(elelem_thought_splitter_push(&splitter, &event) == error.status);
    MUST(elelem_thought_splitter_next(&splitter, &event) == error.status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const elelem_str names[] = { { "think", 5 }, { "a", 1 } };
    limits_heap heap = ELELEM_INIT;
    pushing whole = ELELEM_INIT;
    const char *bytes = (const char *)data + SETTINGS;
    uint64_t before = counted_steps;

    if (size < SETTINGS || size > LARGEST) return 0;
    size -= SETTINGS;
    events = 0;
    memset(&desc, 0, sizeof desc);
    desc.max_open = data[0] & 15;
    if (data[0] & 16) desc.names = names;
    if (data[0] & 16) desc.name_count = 2;
    heap.bound = limits_of_thoughts(&desc);
    desc.allocator = limits_allocator(&heap);
    elelem_thought_splitter_init(&splitter, &desc);
    whole.piece = size + 1;
    whole.log = &feed_whole;
    give(&whole, bytes, size);
    check_stuck();
    give_again(bytes, size, 1, 0, data[0] >> 5 & 1);
    give_again(bytes, size, 1 + data[1] % 40u, 1u + data[2], data[0] >> 6 & 1);
    give_again(bytes, size, size + 1, 1u + data[2] / 4u, data[0] >> 7);
    check_texts(bytes, size);
    elelem_thought_splitter_free(&splitter);
    MUST(heap.live == 0 && heap.blocks == 0 && limits_held(&heap));
    MUST(counted_steps - before <= STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size + STEPS_PER_EVENT * events);
    return 0;
}
