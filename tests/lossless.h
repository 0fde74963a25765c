/* The law that nothing of a response is lost, for tests over all recordings: what the wire sent is put together
 * once from its frames and once from what the library gave, and both must be equal as JSON.
 *
 *     static void keeps_all(const recording *r)
 *     {
 *         lossless_response *given = lossless_open(&elelem_shape_messages, r);
 *         ... put together what given->frames bring, and what given->items have ...
 *         lossless_equal("block", 3, wire, given);
 *         lossless_close(given);
 *     }
 *
 *     recordings_each("messages/", "messages", keeps_all);
 *     lossless_report("messages");
 *
 * Include elelem_stream.h first.
 */
#ifndef LOSSLESS_H
#define LOSSLESS_H

#include "streams.h"
#include "recordings.h"

/* A copy of a text, followed by a zero byte; and JSON text with its value, if it is one. */
typedef struct lossless_text {
    char *data;
    size_t size;
} lossless_text;

typedef struct lossless_json {
    elelem_buffer text;
    elelem_json json;
    elelem_value value; /* none if the text is no JSON */
} lossless_json;

/* One frame of the body: an event of the event stream, or an element of a body that is an array. */
typedef struct lossless_frame {
    lossless_text event;
    lossless_json data; /* [DONE] is no value */
} lossless_frame;

/* A finished item, all of it. Texts that its kind does not have are empty. */
typedef struct lossless_item {
    uint8_t kind;
    uint8_t state;
    uint8_t hosted;
    uint32_t index;
    uint32_t choice;
    lossless_text type;      /* of a provider item, or of a call that is no plain function */
    lossless_text text;      /* of a call: the JSON text of its arguments */
    lossless_text caption;
    lossless_text id;
    lossless_text name;
    lossless_json *value;    /* a provider item, structured output, or arguments that are complete; else null */
    lossless_json *metadata; /* an object */
} lossless_item;

typedef struct lossless_response {
    lossless_frame **frames;
    size_t frame_count;
    lossless_item **items; /* in order of their indices, which is that of the wire */
    size_t item_count;
    lossless_json *about;  /* all METADATA events in one object, in which a key may come again */
    uint8_t kind;          /* FINISHED or ERROR */
    uint8_t reason;
    lossless_text raw_reason;
    elelem_usage usage;
    lossless_text error_code;
    lossless_text error_message;
    lossless_json *end;    /* the end's metadata, an object */
} lossless_response;

/* What was compared, and what of it was not equal or not there. */
typedef struct lossless_counts {
    size_t responses, items, bytes, items_lost, bytes_lost;
    size_t items_excepted, bytes_excepted; /* which the test named as exceptions */
} lossless_counts;

static lossless_counts lossless_now;

/* Memory. */

static inline void *lossless_new(size_t size)
{
    void *memory = calloc(1, size);

    if (!memory) abort();
    return memory;
}

/* Adds a pointer to a list that is kept at a power of two. */
static inline void lossless_add(void ***list, size_t *count, void *pointer)
{
    if ((*count & (*count - 1)) == 0) {
        void **grown = (void **)realloc(*list, (*count ? 2 * *count : 1) * sizeof *grown);
        if (!grown) abort();
        *list = grown;
    }
    (*list)[(*count)++] = pointer;
}

static inline lossless_text lossless_copy(elelem_str text)
{
    lossless_text copy;

    copy.data = (char *)lossless_new(text.size + 1);
    copy.size = text.size;
    if (text.size > 0) memcpy(copy.data, text.data, text.size);
    return copy;
}

static inline elelem_str lossless_str(lossless_text text)
{
    elelem_str str;

    str.data = text.data;
    str.size = text.size;
    return str;
}

/* JSON. Write into `text` with the writer, then read. */

static inline lossless_json *lossless_json_new(void)
{
    lossless_json *json = (lossless_json *)lossless_new(sizeof *json);
    elelem_allocator plain = ELELEM_INIT;

    elelem_buffer_init(&json->text, plain, 0);
    return json;
}

static inline elelem_writer lossless_writer(lossless_json *json)
{
    elelem_writer writer;

    elelem_writer_init(&writer, elelem_buffer_sink(&json->text), 0);
    return writer;
}

/* Returns no value if the text is no JSON. */
static inline elelem_value lossless_read(lossless_json *json)
{
    elelem_json_free(&json->json);
    json->value = elelem_json_read(&json->json, elelem_buffer_text(&json->text), NULL);
    return json->value;
}

static inline lossless_json *lossless_json_of(elelem_str text)
{
    lossless_json *json = lossless_json_new();

    if (elelem_buffer_append(&json->text, text.data, text.size) != ELELEM_OK) abort();
    lossless_read(json);
    return json;
}

static inline void lossless_json_free(lossless_json *json)
{
    if (!json) return;
    elelem_buffer_free(&json->text);
    elelem_json_free(&json->json);
    free(json);
}

/* The bytes that a value takes as compact JSON. */
static inline size_t lossless_bytes(elelem_value value)
{
    lossless_json *json = lossless_json_new();
    elelem_writer writer = lossless_writer(json);
    size_t size;

    elelem_writer_value(&writer, value);
    size = elelem_buffer_text(&json->text).size;
    lossless_json_free(json);
    return size;
}

static inline int lossless_is(elelem_value value, const char *text)
{
    return elelem_value_type(value) == ELELEM_TYPE_STRING && elelem_str_is(elelem_value_text(value), text);
}

static inline int lossless_is_there(elelem_value value)
{
    return elelem_value_type(value) != ELELEM_TYPE_NONE;
}

static inline int lossless_has_value(elelem_value value)
{
    return lossless_is_there(value) && elelem_value_type(value) != ELELEM_TYPE_NULL;
}

/* Comparing. */

/* The path of the first difference, which the innermost level writes and each other one puts its segment before. */
typedef struct lossless_difference {
    char path[500];
    char what[500];
} lossless_difference;

static inline void lossless_within(lossless_difference *d, const char *segment)
{
    char inner[500];

    memcpy(inner, d->path, sizeof inner);
    snprintf(d->path, sizeof d->path, "%.200s%.290s", segment, inner);
}

static inline int lossless_differs(lossless_difference *d, const char *what, elelem_value a, elelem_value b)
{
    lossless_json *texts[2];
    elelem_value values[2];
    int i;

    values[0] = a;
    values[1] = b;
    for (i = 0; i < 2; i++) {
        elelem_writer writer;
        texts[i] = lossless_json_new();
        writer = lossless_writer(texts[i]);
        elelem_writer_value(&writer, values[i]);
    }
    d->path[0] = '\0';
    snprintf(d->what, sizeof d->what, "%s: the wire has %.*s, the items have %.*s", what,
             (int)(elelem_buffer_text(&texts[0]->text).size < 180 ? elelem_buffer_text(&texts[0]->text).size : 180),
             elelem_buffer_text(&texts[0]->text).data,
             (int)(elelem_buffer_text(&texts[1]->text).size < 180 ? elelem_buffer_text(&texts[1]->text).size : 180),
             elelem_buffer_text(&texts[1]->text).data);
    lossless_json_free(texts[0]);
    lossless_json_free(texts[1]);
    return 0;
}

/* Numbers are equal if their text is, or else their value. */
static inline int lossless_same_number(elelem_value a, elelem_value b)
{
    double of_a = 0, of_b = 0;

    if (elelem_str_equal(elelem_value_text(a), elelem_value_text(b))) return 1;
    if (elelem_value_to_double(a, &of_a) != ELELEM_OK || elelem_value_to_double(b, &of_b) != ELELEM_OK) return 0;
    return !(of_a < of_b) && !(of_b < of_a);
}

static inline int lossless_same(elelem_value a, elelem_value b, lossless_difference *d);

/* Objects have no order. Of a key that comes twice the last counts. */
static inline int lossless_same_object(elelem_value a, elelem_value b, lossless_difference *d)
{
    elelem_value member;
    char segment[200];

    for (member = elelem_value_first(a); lossless_is_there(member); member = elelem_value_next(member)) {
        elelem_str key = elelem_value_key(member);
        if (lossless_same(elelem_value_member(a, key), elelem_value_member(b, key), d)) continue;
        snprintf(segment, sizeof segment, ".%.*s", (int)key.size, key.data);
        lossless_within(d, segment);
        return 0;
    }
    for (member = elelem_value_first(b); lossless_is_there(member); member = elelem_value_next(member))
        if (!lossless_is_there(elelem_value_member(a, elelem_value_key(member))))
            return lossless_differs(d, "a member that the wire does not have", a, member);
    return 1;
}

static inline int lossless_same_array(elelem_value a, elelem_value b, lossless_difference *d)
{
    elelem_value of_a = elelem_value_first(a), of_b = elelem_value_first(b);
    char segment[40];
    unsigned long i;

    for (i = 0; lossless_is_there(of_a) || lossless_is_there(of_b); i++) {
        if (!lossless_same(of_a, of_b, d)) {
            snprintf(segment, sizeof segment, "[%lu]", i);
            lossless_within(d, segment);
            return 0;
        }
        of_a = elelem_value_next(of_a);
        of_b = elelem_value_next(of_b);
    }
    return 1;
}

/* Nonzero if both are equal as JSON. Else `d` has the path of the first difference and both sides of it. */
static inline int lossless_same(elelem_value a, elelem_value b, lossless_difference *d)
{
    if (elelem_value_type(a) != elelem_value_type(b)) return lossless_differs(d, "another type", a, b);
    switch (elelem_value_type(a)) {
    case ELELEM_TYPE_OBJECT: return lossless_same_object(a, b, d);
    case ELELEM_TYPE_ARRAY: return lossless_same_array(a, b, d);
    case ELELEM_TYPE_NUMBER:
        return lossless_same_number(a, b) ? 1 : lossless_differs(d, "another number", a, b);
    default:
        if (elelem_str_equal(elelem_value_text(a), elelem_value_text(b))) return 1;
        return lossless_differs(d, "another text", a, b);
    }
}

/* Counts the bytes that the wire has, and what is lost of them if both are not equal as JSON. */
static inline int lossless_equal(const char *what, size_t number, elelem_value wire, elelem_value items)
{
    lossless_difference d;
    size_t bytes = lossless_bytes(wire);
    char sentence[1200];

    lossless_now.items++;
    lossless_now.bytes += bytes;
    if (lossless_same(wire, items, &d)) return 1;
    lossless_now.items_lost++;
    lossless_now.bytes_lost += bytes;
    snprintf(sentence, sizeof sentence, "%s %lu%s: %s", what, (unsigned long)number, d.path, d.what);
    return check_true(0, sentence, __FILE__, __LINE__);
}

/* What the wire has and no item shows; the test states the reason. */
static inline void lossless_except(elelem_value wire)
{
    lossless_now.items_excepted++;
    lossless_now.bytes_excepted += lossless_bytes(wire);
}

/* Nonzero if the object has a member with this key that is equal to the value, under a key that may come again. */
static inline int lossless_has(elelem_value object, elelem_str key, elelem_value value)
{
    lossless_difference ignored;
    elelem_value member;

    for (member = elelem_value_first(object); lossless_is_there(member); member = elelem_value_next(member))
        if (elelem_str_equal(elelem_value_key(member), key) && lossless_same(value, member, &ignored)) return 1;
    return 0;
}

/* Frames. */

static inline void lossless_frame_add(lossless_response *r, elelem_str event, elelem_str data)
{
    lossless_frame *frame = (lossless_frame *)lossless_new(sizeof *frame);
    elelem_allocator plain = ELELEM_INIT;

    frame->event = lossless_copy(event);
    elelem_buffer_init(&frame->data.text, plain, 0);
    if (elelem_buffer_append(&frame->data.text, data.data, data.size) != ELELEM_OK) abort();
    lossless_read(&frame->data);
    lossless_add((void ***)&r->frames, &r->frame_count, frame);
}

/* A last frame without its blank line counts too. */
static inline void lossless_take_frames(lossless_response *r, elelem_sse_decoder *decoder, elelem_buffer *data)
{
    elelem_frame frame;

    while (elelem_sse_decoder_next(decoder, &frame) == ELELEM_OK) {
        if (frame.kind == ELELEM_FRAME_DATA) {
            if (elelem_buffer_append(data, frame.text.data, frame.text.size) != ELELEM_OK) abort();
        } else if (frame.kind != ELELEM_FRAME_LINE) {
            lossless_frame_add(r, frame.event, elelem_buffer_text(data));
            elelem_buffer_clear(data);
        }
    }
}

static inline void lossless_read_events(lossless_response *r, const recording *recorded)
{
    elelem_sse_decoder decoder;
    elelem_allocator plain = ELELEM_INIT;
    elelem_buffer data;

    elelem_sse_decoder_init(&decoder, NULL);
    elelem_buffer_init(&data, plain, 0);
    if (elelem_sse_decoder_push(&decoder, recorded->body, recorded->size) != ELELEM_OK) abort();
    lossless_take_frames(r, &decoder, &data);
    elelem_sse_decoder_finish(&decoder);
    lossless_take_frames(r, &decoder, &data);
    elelem_sse_decoder_free(&decoder);
    elelem_buffer_free(&data);
}

static inline void lossless_read_array(lossless_response *r, const recording *recorded)
{
    elelem_str none = ELELEM_INIT, text;
    lossless_json *body, *element;
    elelem_value at;

    text.data = recorded->body;
    text.size = recorded->size;
    body = lossless_json_of(text);
    for (at = elelem_value_first(body->value); lossless_is_there(at); at = elelem_value_next(at)) {
        elelem_writer writer;
        element = lossless_json_new();
        writer = lossless_writer(element);
        elelem_writer_value(&writer, at);
        lossless_frame_add(r, none, elelem_buffer_text(&element->text));
        lossless_json_free(element);
    }
    lossless_json_free(body);
}

/* What the library gives. */

static inline lossless_json *lossless_metadata(const elelem_metadata *metadata)
{
    lossless_json *json = lossless_json_new();
    elelem_writer writer = lossless_writer(json);
    size_t i;

    elelem_writer_begin(&writer, ELELEM_TYPE_OBJECT);
    for (i = 0; i < metadata->count; i++) {
        elelem_writer_key(&writer, metadata->entries[i].key);
        elelem_writer_json(&writer, metadata->entries[i].json);
    }
    elelem_writer_end(&writer, ELELEM_TYPE_OBJECT);
    lossless_read(json);
    return json;
}

static inline lossless_json *lossless_arguments(const elelem_tool_call *call)
{
    lossless_json *json;
    elelem_writer writer;

    if (!elelem_value_is_complete(call->arguments)) return NULL;
    json = lossless_json_new();
    writer = lossless_writer(json);
    elelem_writer_value(&writer, call->arguments);
    lossless_read(json);
    return json;
}

static inline void lossless_item_add(lossless_response *r, const elelem_item *from)
{
    lossless_item *item = (lossless_item *)lossless_new(sizeof *item);
    int is_call = from->kind == ELELEM_PART_TOOL_CALL;

    item->kind = from->kind;
    item->state = from->state;
    item->hosted = from->hosted;
    item->index = from->index;
    item->choice = from->choice;
    item->type = lossless_copy(is_call ? from->tool_call.type : from->type);
    item->text = lossless_copy(is_call ? from->tool_call.text : from->text);
    item->caption = lossless_copy(from->caption);
    item->id = lossless_copy(from->tool_call.id);
    item->name = lossless_copy(from->tool_call.name);
    if (is_call) item->value = lossless_arguments(&from->tool_call);
    else if (from->kind == ELELEM_PART_PROVIDER_ITEM || from->kind == ELELEM_PART_STRUCTURED)
        item->value = lossless_json_of(from->text);
    item->metadata = lossless_metadata(&from->metadata);
    lossless_add((void ***)&r->items, &r->item_count, item);
}

static inline int lossless_item_order(const void *a, const void *b)
{
    uint32_t of_a = (*(lossless_item *const *)a)->index, of_b = (*(lossless_item *const *)b)->index;

    return of_a < of_b ? -1 : of_a > of_b;
}

static inline void lossless_take_end(lossless_response *r, const elelem_event *event)
{
    r->kind = event->kind;
    r->reason = event->reason;
    r->raw_reason = lossless_copy(event->raw_reason);
    r->usage = event->usage;
    r->error_code = lossless_copy(event->error.code);
    r->error_message = lossless_copy(event->error.message);
    r->end = lossless_metadata(&event->metadata);
}

static inline void lossless_take_event(lossless_response *r, const elelem_event *event, elelem_event_builder *builder,
                                       elelem_writer *about)
{
    elelem_built built;
    size_t i;

    for (i = 0; event->kind == ELELEM_EVENT_METADATA && i < event->metadata.count; i++) {
        elelem_writer_key(about, event->metadata.entries[i].key);
        elelem_writer_json(about, event->metadata.entries[i].json);
    }
    CHECK_INT(elelem_event_builder_push(builder, event), ELELEM_OK);
    if (event->kind == ELELEM_EVENT_ERROR) elelem_event_builder_drain(builder);
    while (elelem_event_builder_next(builder, &built) == ELELEM_OK)
        if (built.kind == ELELEM_BUILT_ITEM) lossless_item_add(r, &built.item);
    if (event->kind == ELELEM_EVENT_FINISHED || event->kind == ELELEM_EVENT_ERROR) lossless_take_end(r, event);
}

static inline void lossless_run(lossless_response *r, const elelem_shape *shape, const recording *recorded)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_event_builder_desc built = ELELEM_INIT;
    elelem_event_builder builder;
    elelem_stream stream;
    elelem_event event;
    elelem_writer about;

    desc.shape = shape;
    built.keep_argument_text = 1;
    elelem_stream_init(&stream, &desc);
    elelem_event_builder_init(&builder, &built);
    r->about = lossless_json_new();
    about = lossless_writer(r->about);
    elelem_writer_begin(&about, ELELEM_TYPE_OBJECT);
    elelem_stream_http_status(&stream, recorded->status);
    CHECK_INT(elelem_stream_push(&stream, recorded->body, recorded->size), ELELEM_OK);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        lossless_take_event(r, &event, &builder, &about);
    elelem_stream_finish(&stream);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        lossless_take_event(r, &event, &builder, &about);
    elelem_writer_end(&about, ELELEM_TYPE_OBJECT);
    lossless_read(r->about);
    elelem_stream_free(&stream);
    elelem_event_builder_free(&builder);
    if (r->item_count > 0) qsort(r->items, r->item_count, sizeof *r->items, lossless_item_order);
}

/* Reads the recording both ways. */
static inline lossless_response *lossless_open(const elelem_shape *shape, const recording *recorded)
{
    lossless_response *r = (lossless_response *)lossless_new(sizeof *r);

    if (recorded->size > 0 && recorded->body[0] == '[') lossless_read_array(r, recorded);
    else lossless_read_events(r, recorded);
    lossless_run(r, shape, recorded);
    lossless_now.responses++;
    return r;
}

static inline void lossless_item_free(lossless_item *item)
{
    free(item->type.data);
    free(item->text.data);
    free(item->caption.data);
    free(item->id.data);
    free(item->name.data);
    lossless_json_free(item->value);
    lossless_json_free(item->metadata);
    free(item);
}

static inline void lossless_close(lossless_response *r)
{
    size_t i;

    for (i = 0; i < r->frame_count; i++) {
        free(r->frames[i]->event.data);
        elelem_buffer_free(&r->frames[i]->data.text);
        elelem_json_free(&r->frames[i]->data.json);
        free(r->frames[i]);
    }
    for (i = 0; i < r->item_count; i++)
        lossless_item_free(r->items[i]);
    free(r->frames);
    free(r->items);
    free(r->raw_reason.data);
    free(r->error_code.data);
    free(r->error_message.data);
    lossless_json_free(r->about);
    lossless_json_free(r->end);
    free(r);
}

/* Prints the counts, and fails if anything is lost. */
static inline void lossless_report(const char *shape)
{
    CHECK_PRINTF("%s: %lu responses, %lu items of %lu bytes; lost: %lu items, %lu bytes; exceptions: %lu items, %lu bytes\n",
                 shape, (unsigned long)lossless_now.responses, (unsigned long)lossless_now.items,
                 (unsigned long)lossless_now.bytes, (unsigned long)lossless_now.items_lost,
                 (unsigned long)lossless_now.bytes_lost, (unsigned long)lossless_now.items_excepted,
                 (unsigned long)lossless_now.bytes_excepted);
    CHECK_U64(lossless_now.items_lost, 0);
    if (lossless_now.responses == 0) check_nothing("no recordings (set ELELEM_CORPUS)");
}

#endif
