/* Whole streams as rows of tests: a body in, its events out in a short notation, one a line:
 *
 *     0 think "Let me see"             REASONING; pieces of one text are joined
 *     0 flush                          `flush cut_off` if the item is not whole though its JSON may be
 *     1 text "It is "                  MESSAGE; `json` for STRUCTURED
 *     1 meta citations=["x"]           metadata, on a line of its own before the part it came with
 *     2@1 call id=call_1 name=get      a tool call's START, in choice 1
 *     2@1 call id=c name= type=custom  one that is no plain function
 *     2@1 args "{\"city\":1}"          ARGUMENT_CHUNK
 *     3 item web_search_call hosted "{"  PROVIDER_ITEM; hosted if the provider ran it
 *     3 caption "search for x"         its caption
 *     response id="m1"                 METADATA
 *     FINISHED tool_calls raw=stop in=12 out=34 cached=0 reasoning=5
 *     meta finish_reasons={"1":"completed"}
 *     ERROR rate_limit retryable after=1000 http=429 code=x "the sentence" status=ERROR_COUNT
 *     END
 *
 * The raw usage, which is metadata of every FINISHED that has one, is left out. What breaks
 * the rules of events shows as a line that begins with BROKEN.
 *
 * Bodies and their events are in tests/data: NAME.sse, or NAME.json for a whole response, and NAME.events.
 */
#ifndef STREAMS_H
#define STREAMS_H

#include "feed.h"

#define STREAMS_INDICES 4096

typedef struct streams_object {
    elelem_stream stream;
    elelem_stream_desc desc;
    const char *const *headers; /* names and values in turn, then a null; or null */
    const char *const *lines;   /* of the head of the response, then a null; or null */
    const char *fail_message;   /* the caller's, if fail_kind is set; or null */
    int http_status;            /* 0: none is passed in */
    int fail_kind;              /* an elelem_error_kind the transport ends with; -1: the body is over */
    int offsets;                /* errors show their offset */
    int usage;                  /* FINISHED shows the raw usage */
    int is_free;                /* the shape is a test's, and its parts need not follow the rules that shapes must keep */
    /* What the rules look at. */
    uint8_t state[STREAMS_INDICES]; /* 0 not seen, 1 open, 2 flushed */
    uint8_t kind[STREAMS_INDICES];
    uint32_t choice[STREAMS_INDICES];
    elelem_fragment_parser *json[STREAMS_INDICES]; /* of what a provider item or a call gave so far; null if that is nothing */
    uint64_t type[STREAMS_INDICES]; /* of a provider item: a hash */
    uint8_t has_input[STREAMS_INDICES]; /* nonzero: the item has a text in it that the model writes, which need not be JSON */
    uint32_t seen;                  /* indices so far */
    int ends;
} streams_object;

static streams_object streams_now;

/* JSON that comes out. */

/* Nonzero if the text continues what the parser has read of one document. */
static inline int streams_continue_json(elelem_fragment_parser *parser, elelem_str text)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_push(parser, text.data, text.size);

    while (status == ELELEM_OK)
        status = elelem_fragment_parser_next(parser, &fragment);
    return status > ELELEM_OK;
}

static inline void streams_begin_json(elelem_fragment_parser *parser)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.max_depth = 1u << 20;
    desc.single_document = 1;
    elelem_fragment_parser_init(parser, &desc);
}

/* Nonzero if the text is one JSON document. */
static inline int streams_is_json(elelem_str text)
{
    elelem_fragment_parser parser;
    elelem_fragment fragment;
    int is_json;

    streams_begin_json(&parser);
    is_json = streams_continue_json(&parser, text);
    elelem_fragment_parser_finish(&parser);
    while (is_json && elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
        ;
    is_json &= elelem_fragment_parser_next(&parser, &fragment) == ELELEM_END;
    elelem_fragment_parser_free(&parser);
    return is_json;
}

/* Nonzero if a piece of an item's JSON continues what came of it. */
static inline int streams_add_json(elelem_fragment_parser **parser, elelem_str piece)
{
    if (piece.size == 0) return 1;
    if (!*parser) {
        *parser = (elelem_fragment_parser *)malloc(sizeof **parser);
        if (!*parser) abort();
        streams_begin_json(*parser);
    }
    return streams_continue_json(*parser, piece);
}

static inline void streams_close_json(elelem_fragment_parser **parser)
{
    if (*parser) elelem_fragment_parser_free(*parser);
    free(*parser);
    *parser = NULL;
}

/* Of items that were not flushed. */
static inline void streams_forget_json(streams_object *o)
{
    uint32_t i;

    for (i = 0; i < o->seen; i++)
        streams_close_json(&o->json[i]);
}

static inline void streams_start(void *object)
{
    streams_object *o = (streams_object *)object;
    const char *const *header = o->headers, *const *line = o->lines;

    elelem_stream_free(&o->stream);
    elelem_stream_init(&o->stream, &o->desc);
    if (o->http_status) elelem_stream_http_status(&o->stream, o->http_status);
    for (; header && *header; header += 2)
        elelem_stream_http_header(&o->stream, elelem_str_of(header[0]), elelem_str_of(header[1]));
    for (; line && *line; line++)
        elelem_stream_http_header_line(&o->stream, elelem_str_of(*line));
    memset(o->state, 0, sizeof o->state);
    memset(o->has_input, 0, sizeof o->has_input);
    streams_forget_json(o);
    o->seen = 0;
    o->ends = 0;
}

static inline elelem_status streams_push(void *object, const void *bytes, size_t size)
{
    return elelem_stream_push(&((streams_object *)object)->stream, bytes, size);
}

static inline void streams_finish(void *object)
{
    streams_object *o = (streams_object *)object;

    if (o->fail_message) elelem_stream_fail_with(&o->stream, (elelem_error_kind)o->fail_kind, elelem_str_of(o->fail_message));
    else if (o->fail_kind >= 0) elelem_stream_fail(&o->stream, (elelem_error_kind)o->fail_kind);
    else elelem_stream_finish(&o->stream);
}

/* The rules: a part opens its index, which is not used again; a flush closes one that is open;
   FINISHED comes when all are closed; one end, and nothing after it. */
static inline const char *streams_rule(streams_object *o, const elelem_event *e)
{
    uint32_t i;

    if (o->ends > 0) return "something after the end";
    if (e->kind == ELELEM_EVENT_FINISHED || e->kind == ELELEM_EVENT_ERROR) {
        o->ends++;
        for (i = 0; e->kind == ELELEM_EVENT_FINISHED && i < o->seen; i++)
            if (o->state[i] == 1) return "an index was not flushed";
        return NULL;
    }
    if (e->kind == ELELEM_EVENT_METADATA || e->index >= STREAMS_INDICES) return NULL;
    if (e->kind == ELELEM_EVENT_FLUSH && o->state[e->index] != 1) return "a flush of what is not open";
    if (e->kind == ELELEM_EVENT_PART && o->state[e->index] == 2) return "a part after its flush";
    if (o->state[e->index] == 0) {
        if (e->index >= o->seen) o->seen = e->index + 1;
        o->kind[e->index] = e->part.kind;
        o->choice[e->index] = e->choice;
    } else if (o->choice[e->index] != e->choice) {
        return "an index in two choices";
    }
    if (e->kind == ELELEM_EVENT_PART && o->kind[e->index] != e->part.kind) return "two kinds under one index";
    o->state[e->index] = e->kind == ELELEM_EVENT_FLUSH ? 2 : 1;
    return NULL;
}

/* Nonzero if what the model writes for a tool that the provider runs comes next: the pieces of it are given as they are. */
static inline int streams_has_input(const streams_object *o, elelem_str json)
{
    static const char key[] = "\"input\":";
    size_t size = sizeof key - 1;

    return o->desc.shape == &elelem_shape_messages && json.size > size && memcmp(json.data + json.size - size, key, size) == 0;
}

/* Nonzero for a piece of arguments that came as a value, or as parts of one, and not as a text that the model wrote. */
static inline int streams_is_made(const streams_object *o, const elelem_event *e)
{
    return o->desc.shape == &elelem_shape_gemini && e->kind == ELELEM_EVENT_PART && e->part.kind == ELELEM_PART_TOOL_CALL;
}

/* Metadata is JSON, and so is what comes of a provider item, as far as it came, and arguments that are made of values. */
static inline const char *streams_json_rule(streams_object *o, const elelem_event *e)
{
    size_t i;

    for (i = 0; i < e->metadata.count; i++)
        if (!streams_is_json(e->metadata.entries[i].json)) return "metadata that is no JSON";
    if (e->index >= STREAMS_INDICES) return NULL;
    if (e->kind == ELELEM_EVENT_FLUSH) streams_close_json(&o->json[e->index]);
    if (streams_is_made(o, e) && !streams_add_json(&o->json[e->index], e->part.tool_call.text)) return "arguments that are no JSON";
    if (e->kind != ELELEM_EVENT_PART || e->part.kind != ELELEM_PART_PROVIDER_ITEM) return NULL;
    if (o->is_free || o->has_input[e->index]) return NULL;
    if (!streams_add_json(&o->json[e->index], e->part.text)) return "an item that is no JSON";
    o->has_input[e->index] = (uint8_t)streams_has_input(o, e->part.text);
    return NULL;
}

/* Texts. */

static inline int streams_is_utf8(elelem_str text)
{
    return elelem_utf8_valid(text) == text.size;
}

/* Nonzero if all texts of the event are UTF-8. */
static inline int streams_has_texts(const elelem_event *e)
{
    const elelem_event_part *part = &e->part;
    size_t i;

    for (i = 0; i < e->metadata.count; i++)
        if (!streams_is_utf8(e->metadata.entries[i].key)) return 0;
    return streams_is_utf8(part->text) && streams_is_utf8(part->type) && streams_is_utf8(part->caption) && streams_is_utf8(part->tool_call.id) &&
           streams_is_utf8(part->tool_call.name) && streams_is_utf8(part->tool_call.type) && streams_is_utf8(part->tool_call.text) &&
           streams_is_utf8(e->raw_reason) && streams_is_utf8(e->error.code) && streams_is_utf8(e->error.message);
}

/* A part says something, and an item's type is the same in all its parts. */
static inline const char *streams_part_rule(streams_object *o, const elelem_event *e)
{
    const elelem_event_part *part = &e->part;
    int is_item = part->kind == ELELEM_PART_PROVIDER_ITEM;

    if (part->kind == ELELEM_PART_TOOL_CALL)
        return part->tool_call.kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK && part->tool_call.text.size == 0 ? "an empty piece of arguments" : NULL;
    if (part->text.size == 0 && part->caption.size == 0 && e->metadata.count == 0) return "an empty part";
    if (!is_item && (part->hosted || part->type.size > 0 || part->caption.size > 0)) return "a text with members of an item";
    if (!is_item || e->index >= STREAMS_INDICES) return NULL;
    if (o->state[e->index] != 1) o->type[e->index] = elelem_shape_hash(part->type);
    return o->type[e->index] == elelem_shape_hash(part->type) ? NULL : "an item of two types";
}

static inline const char *streams_text_rule(streams_object *o, const elelem_event *e)
{
    if (!streams_has_texts(e)) return "a text that is no UTF-8";
    if (e->kind == ELELEM_EVENT_ERROR && e->error.message.size == 0) return "an error without a sentence";
    if (e->kind == ELELEM_EVENT_ERROR && !feed_is_unknown(&e->usage)) return "an error that counts tokens";
    return e->kind == ELELEM_EVENT_PART && !o->is_free ? streams_part_rule(o, e) : NULL;
}

static inline void streams_put(feed_log *log, const char *text)
{
    feed_put(log, text, strlen(text));
}

static inline void streams_metadata(const streams_object *o, feed_log *log, const char *prefix, const elelem_event *e)
{
    const char *word = e->kind == ELELEM_EVENT_METADATA ? "response " : "meta ";
    size_t i;

    for (i = 0; i < e->metadata.count; i++) {
        const elelem_metadata_entry *entry = &e->metadata.entries[i];
        if (e->kind == ELELEM_EVENT_FINISHED && !o->usage && elelem_str_is(entry->key, "usage")) continue;
        feed_close(log);
        streams_put(log, prefix);
        streams_put(log, word);
        feed_put(log, entry->key.data, entry->key.size);
        streams_put(log, "=");
        feed_put(log, entry->json.data, entry->json.size);
        streams_put(log, "\n");
    }
}

static inline void streams_call(feed_log *log, const char *prefix, const elelem_tool_call_part *call)
{
    char label[40];

    snprintf(label, sizeof label, "%sargs", prefix);
    if (call->kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK) feed_text(log, label, call->text.data, call->text.size);
    else if (call->type.size == 0)
        feed_line(log, "%scall id=%.*s name=%.*s", prefix, ELELEM_STR_ARG(call->id), ELELEM_STR_ARG(call->name));
    else
        feed_line(log, "%scall id=%.*s name=%.*s type=%.*s", prefix, ELELEM_STR_ARG(call->id), ELELEM_STR_ARG(call->name),
                  ELELEM_STR_ARG(call->type));
}

static inline void streams_item(feed_log *log, const char *prefix, const elelem_event_part *part)
{
    char label[200];

    snprintf(label, sizeof label, "%scaption", prefix);
    if (part->caption.size > 0) feed_text(log, label, part->caption.data, part->caption.size);
    snprintf(label, sizeof label, "%sitem %.*s%s", prefix, ELELEM_STR_ARG(part->type), part->hosted ? " hosted" : "");
    if (part->text.size > 0) feed_text(log, label, part->text.data, part->text.size);
}

static inline void streams_part(feed_log *log, const char *prefix, const elelem_event *e)
{
    static const char *const names[] = { "text", "think", "json" };
    char label[40];

    if (e->part.kind == ELELEM_PART_TOOL_CALL) {
        streams_call(log, prefix, &e->part.tool_call);
    } else if (e->part.kind == ELELEM_PART_PROVIDER_ITEM) {
        streams_item(log, prefix, &e->part);
    } else {
        snprintf(label, sizeof label, "%s%s", prefix, names[e->part.kind]);
        if (e->part.text.size > 0 || e->metadata.count == 0) feed_text(log, label, e->part.text.data, e->part.text.size);
    }
}

static inline void streams_count(feed_log *log, const char *name, int64_t count)
{
    char text[60];

    if (count < 0) return;
    snprintf(text, sizeof text, " %s=%lld", name, (long long)count);
    streams_put(log, text);
}

static inline void streams_word(feed_log *log, const char *name, elelem_str word)
{
    if (word.size == 0) return;
    streams_put(log, name);
    feed_put(log, word.data, word.size);
}

static inline void streams_end(const streams_object *o, feed_log *log, const elelem_event *e)
{
    const elelem_failure *error = &e->error;

    feed_close(log);
    if (e->kind == ELELEM_EVENT_FINISHED) {
        streams_word(log, "FINISHED ", elelem_str_of(elelem_finish_reason_name(e->reason)));
        streams_word(log, " raw=", e->raw_reason);
        streams_count(log, "in", e->usage.input);
        streams_count(log, "out", e->usage.output);
        streams_count(log, "cached", e->usage.cached);
        streams_count(log, "reasoning", e->usage.reasoning);
        streams_count(log, "cache_written", e->usage.cache_written);
    } else {
        streams_word(log, "ERROR ", elelem_str_of(elelem_error_kind_name(error->kind)));
        if (error->retryable) streams_put(log, " retryable");
        streams_count(log, "after", error->retry_after_ms);
        if (error->http_status) streams_count(log, "http", error->http_status);
        streams_word(log, " code=", error->code);
        streams_put(log, " \"");
        feed_escaped(log, error->message.data, error->message.size);
        streams_put(log, "\"");
        if (error->status) streams_word(log, " status=", elelem_str_of(elelem_status_name(error->status) + 7));
        if (o->offsets) streams_count(log, "offset", (int64_t)error->offset);
    }
    streams_put(log, "\n");
    streams_metadata(o, log, "", e);
}

static inline elelem_status streams_next(void *object, feed_log *log)
{
    streams_object *o = (streams_object *)object;
    elelem_event event;
    elelem_status status = elelem_stream_next(&o->stream, &event);
    const char *broken;
    char prefix[30];

    while (status == ELELEM_MORE && elelem_stream_unread(&o->stream) > 0 && o->desc.max_next_bytes > 0)
        status = elelem_stream_next(&o->stream, &event);
    broken = status == ELELEM_OK ? streams_text_rule(o, &event) : NULL;
    if (status == ELELEM_OK && !broken) broken = streams_json_rule(o, &event);
    if (status == ELELEM_OK && !broken) broken = streams_rule(o, &event);
    if (status > ELELEM_OK && elelem_stream_unread(&o->stream) > 0) feed_line(log, "BROKEN: bytes are left");

    if (status < 0) feed_line(log, "BROKEN: next returned %s", elelem_status_name(status));
    if (status == ELELEM_END && o->ends != 1) feed_line(log, "BROKEN: %d ends", o->ends);
    if (status != ELELEM_OK) return status;
    if (broken) feed_line(log, "BROKEN: %s", broken);
    if (event.choice == 0) snprintf(prefix, sizeof prefix, "%lu ", (unsigned long)event.index);
    else snprintf(prefix, sizeof prefix, "%lu@%lu ", (unsigned long)event.index, (unsigned long)event.choice);
    if (event.kind == ELELEM_EVENT_PART) {
        streams_metadata(o, log, prefix, &event);
        streams_part(log, prefix, &event);
    } else if (event.kind == ELELEM_EVENT_FLUSH) {
        streams_metadata(o, log, prefix, &event);
        feed_line(log, "%sflush%s", prefix, event.cut_off ? " cut_off" : "");
    } else if (event.kind == ELELEM_EVENT_METADATA) {
        streams_metadata(o, log, "", &event);
    } else {
        streams_end(o, log, &event);
    }
    return ELELEM_OK;
}

static const feed_object streams_fed = { &streams_now, streams_start, streams_push, streams_next, streams_finish, NULL };

/* Makes ready for bodies of this shape, with no options. */
static inline void streams_shape(const elelem_shape *shape)
{
    elelem_stream_free(&streams_now.stream);
    streams_forget_json(&streams_now);
    memset(&streams_now, 0, sizeof streams_now);
    streams_now.desc.shape = shape;
    streams_now.fail_kind = -1;
}

/* Nonzero if the body gives these events however it is cut, and an error the same offset. A null
   `expected` stands for what the body gives whole. Of the cuts into two there are those from `from` on. */
static inline int streams_give_from(const char *body, size_t size, size_t from, const char *expected, const char *file, int line)
{
    int good;

    if (!feed_check_whole(&streams_fed, body, size, expected, file, line)) return 0;
    if (feed_whole.size < sizeof feed_whole.text) feed_whole.text[feed_whole.size] = '\0';
    streams_now.offsets = strstr(feed_whole.text, "ERROR ") != NULL;
    good = feed_check_from(&streams_fed, body, size, from, streams_now.offsets ? NULL : expected, file, line);
    streams_now.offsets = 0;
    return good;
}

static inline int streams_give(const char *body, size_t size, const char *expected, const char *file, int line)
{
    return streams_give_from(body, size, 1, expected, file, line);
}

/* Writes the text with 5 KB for each ~ in it, since a literal may not be that long. Returns what was written. */
static inline const char *streams_enlarge(char *to, const char *text)
{
    char *at = to;

    for (; *text; text++) {
        size_t size = *text == '~' ? 5000 : 1;
        memset(at, *text == '~' ? 'A' : *text, size);
        at += size;
    }
    *at = '\0';
    return to;
}

/* As streams_give, of a body and events with large texts for each ~ in them: 40 KB at most. */
static inline int streams_give_large(const char *body, const char *expected, const char *file, int line)
{
    static char large_body[40000], large_expected[40000];

    streams_enlarge(large_body, body);
    return streams_give(large_body, strlen(large_body), streams_enlarge(large_expected, expected), file, line);
}

#define STREAM_LARGE(body, expected) streams_give_large(body, expected, __FILE__, __LINE__)

/* Ends. */

/* Nonzero if a body that stops after `size` of its bytes stops inside a frame: in a line that has only begun,
   or in data that is not whole. An array is one frame. */
static inline int streams_stops_inside(const char *body, size_t whole, size_t size)
{
    size_t start = 0, end = whole, i;
    int is_line = 0, is_array = 0;

    for (i = 0; i < whole && strchr(" \t\r\n", body[i]); i++)
        ;
    is_array = i < whole && body[i] == '[';
    for (i = 0; i < whole && !is_array; i++) {
        int is_end = body[i] == '\n' || body[i] == '\r';
        if (is_end && i > 0 && body[i] == '\n' && body[i - 1] == '\r') {
            if (start == i) start++;
            continue;
        }
        if (is_end && !is_line && i >= size) break;
        if (is_end && !is_line && i < size) start = i + 1;
        is_line = !is_end;
    }
    if (!is_array) end = i;
    while (end > 0 && strchr(" \t\r\n", body[end - 1]))
        end--;
    return size > start && size < end;
}

/* Nonzero if the bytes hold a text that may be part of a good end in any of the library's shapes. */
static inline int streams_have_reason(const char *body, size_t size)
{
    static const char *const texts[] = { "inish_reason", "inishReason", "lockReason", "stop_reason", "message_stop", "[DONE]",
                                         "completed", "incomplete", "requires_action", "cancelled" };
    size_t i, at;

    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        for (at = 0; at + strlen(texts[i]) <= size; at++)
            if (memcmp(body + at, texts[i], strlen(texts[i])) == 0) return 1;
    return 0;
}

/* Nonzero if the body is one object and all of it is there: a response is over without any reason. */
static inline int streams_is_whole(const char *body, size_t whole, size_t size)
{
    while (whole > 0 && strchr(" \t\r\n", body[whole - 1]))
        whole--;
    return size >= whole && body[strspn(body, " \t\r\n")] == '{';
}

/* The bytes of a log before the line of its error, without the quote and line end that close a text. */
static inline size_t streams_before_error(feed_log *log)
{
    size_t size;
    char *error;

    log->text[log->size < sizeof log->text ? log->size : sizeof log->text - 1] = '\0';
    error = strstr(log->text, "\nERROR ");
    if (strncmp(log->text, "ERROR ", 6) == 0 || !error) return 0;
    size = (size_t)(error - log->text) + 1;
    return log->text[size - 2] == '"' ? size - 2 : size;
}

/* Nonzero if the body, stopped after `size` bytes, gives the events up to there and exactly one end, which is
   FINISHED only if the shape allows it. What it gives whole is in feed_whole. */
static inline int streams_end_well(const char *body, size_t whole, size_t size, const char *file, int line)
{
    size_t before;
    int good;

    feed_once(&streams_fed, &feed_now, body, size, size, size, 0);
    before = streams_before_error(&feed_now);
    good = !strstr(feed_now.text, "BROKEN") && streams_now.ends == 1;
    if (strstr(feed_now.text, "\nFINISHED ") || strncmp(feed_now.text, "FINISHED ", 9) == 0)
        good &= (streams_have_reason(body, size) || streams_is_whole(body, whole, size)) &&
                !(streams_now.desc.shape->reason_may_change && streams_stops_inside(body, whole, size));
    else
        good &= before <= feed_whole.size && memcmp(feed_now.text, feed_whole.text, before) == 0;
    check_cut("stops after", size);
    return check_true(good, "an end after any byte is one end, and good only when it may be", file, line);
}

static inline int streams_all_end_well(const char *body, size_t size, const char *file, int line)
{
    size_t step = size / 600 + 1, i;
    int good = 1;

    feed_once(&streams_fed, &feed_whole, body, size, size, size, 0);
    for (i = 0; i < size && good; i += step)
        good = streams_end_well(body, size, i, file, line);
    for (i = size - size % 16; i < size && good; i++)
        good = streams_end_well(body, size, i, file, line);
    check_cut(NULL, 0);
    return good;
}

#define STREAM(body, expected) streams_give(body, strlen(body), expected, __FILE__, __LINE__)

/* The whole of a file, followed by a zero byte; null if there is none. The caller frees it. */
static inline char *streams_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long end;

    *size = 0;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        text = (char *)malloc((size_t)end + 1);
        if (!text) abort();
        *size = fread(text, 1, (size_t)end, file);
        text[*size] = '\0';
    }
    fclose(file);
    return text;
}

/* The body tests/data/NAME.sse or .json gives the events of tests/data/NAME.events. Tests run in the project's
   own directory. */
static inline int streams_file_gives(const char *name, const char *file, int line)
{
    char path[300];
    size_t size, expected_size;
    char *body, *expected;
    int good;

    snprintf(path, sizeof path, "tests/data/%s.sse", name);
    body = streams_read(path, &size);
    snprintf(path, sizeof path, "tests/data/%s.json", name);
    if (!body) body = streams_read(path, &size);
    snprintf(path, sizeof path, "tests/data/%s.events", name);
    expected = streams_read(path, &expected_size);
    good = check_true(body && expected, "the data files are there", file, line);
    if (good) good = streams_give(body, size, expected, file, line);
    if (good) good = streams_all_end_well(body, size, file, line);
    free(body);
    free(expected);
    return good;
}

#define STREAM_FILE(name) streams_file_gives(name, __FILE__, __LINE__)

#endif
