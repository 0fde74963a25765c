#ifndef ELS_LINE_C
#define ELS_LINE_C
#include "line.h"
#include "base.c"
#include "text.c"
#include "number.c"
#include "fragment.c"
#include "parser.c"
#include "writer.c"
#include "event.c"
#include "metadata.c"

/* >> line */

/* Checking JSON text from outside: it must be one whole value, or it could forge what is around it. */

static const elelem_pattern_node els_line_nothing[] = { ELELEM_PATTERN_ROOT(0) };
static const elelem_patterns els_line_no_patterns = { els_line_nothing, 0, 0, 0, 0, NULL, NULL };

/* How deeply things may be nested: values as everywhere, a line so that metadata of such values fits, an entry
   of a history so that such a line fits. What is written can be read. */
#define ELS_LINE_VALUE_DEPTH 512u
#define ELS_LINE_DEPTH (ELS_LINE_VALUE_DEPTH + 2)
#define ELS_LINE_ENTRY_DEPTH (ELS_LINE_DEPTH + 2)

/* The most items that lines may continue at a time, so that no line is looked at more often when the lines of each item are read. */
#define ELS_LINE_OPEN_ITEMS 8

/* A parser that validates and delivers nothing. It stores no keys, so only nesting needs memory: a bit for each level. */
ELS_PRIVATE void els_line_check_init(elelem_fragment_parser *check, elelem_allocator allocator, uint32_t max_depth,
                                     int is_single)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    desc.patterns = &els_line_no_patterns;
    desc.max_depth = max_depth;
    desc.single_document = is_single != 0;
    elelem_fragment_parser_init(check, &desc);
}

ELS_PRIVATE void els_line_check_begin(elelem_fragment_parser *check, uint32_t max_depth)
{
    elelem_fragment_parser_reset(check);
    check->els_max_depth = max_depth;
}

ELS_PRIVATE elelem_status els_line_check_piece(elelem_fragment_parser *check, elelem_str piece)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_push(check, piece.data, piece.size);

    if (status == ELELEM_OK) status = elelem_fragment_parser_next(check, &fragment);
    return status == ELELEM_MORE ? ELELEM_OK : status;
}

ELS_PRIVATE elelem_status els_line_check_end(elelem_fragment_parser *check)
{
    elelem_fragment fragment;
    elelem_status status;

    elelem_fragment_parser_finish(check);
    status = elelem_fragment_parser_next(check, &fragment);
    return status == ELELEM_END ? ELELEM_OK : status;
}

ELS_PRIVATE elelem_status els_line_check_whole(elelem_fragment_parser *check, elelem_str json, uint32_t max_depth)
{
    elelem_status status;

    els_line_check_begin(check, max_depth);
    status = els_line_check_piece(check, json);
    return status == ELELEM_OK ? els_line_check_end(check) : status;
}

/* OK if the text is one JSON value. */
ELS_PRIVATE elelem_status els_line_check_json(elelem_fragment_parser *check, elelem_str json)
{
    return els_line_check_whole(check, json, ELS_LINE_VALUE_DEPTH);
}

/* OK if the text can be between the braces of an object. */
ELS_PRIVATE elelem_status els_line_check_members(elelem_fragment_parser *check, elelem_str members)
{
    elelem_status status;

    els_line_check_begin(check, ELS_LINE_VALUE_DEPTH + 1);
    status = els_line_check_piece(check, els_str("{", 1));
    if (status == ELELEM_OK) status = els_line_check_piece(check, members);
    if (status == ELELEM_OK) status = els_line_check_piece(check, els_str("}", 1));
    return status == ELELEM_OK ? els_line_check_end(check) : status;
}

/* OK; ERROR_COUNT: more entries than a line may have; else why the JSON of an entry is no value. */
ELS_PRIVATE elelem_status els_line_check_metadata(elelem_fragment_parser *check, const elelem_metadata *metadata)
{
    elelem_status status = metadata->count > ELS_META_ENTRIES ? ELELEM_ERROR_COUNT : ELELEM_OK;
    size_t i;

    for (i = 0; i < metadata->count && status == ELELEM_OK; i++)
        status = els_line_check_json(check, metadata->entries[i].json);
    return status;
}

/* OK if the line is one JSON object. */
ELS_PRIVATE elelem_status els_line_check_object(elelem_fragment_parser *check, elelem_str line)
{
    els_cursor in = els_cursor_of(line.data, line.size);
    elelem_status status = els_line_check_whole(check, line, ELS_LINE_DEPTH);

    if (status != ELELEM_OK) return status;
    els_skip_blanks(&in);
    return *in.at == '{' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

/* Writing lines. */

/* Passes on all but control bytes. In checked JSON these are between tokens only, so that leaving them out changes
   nothing and a line has one line feed, its last byte. */
ELS_PRIVATE elelem_status els_line_write(void *context, const void *bytes, size_t size)
{
    const elelem_sink *sink = (const elelem_sink *)context;
    const unsigned char *at = (const unsigned char *)bytes;
    const unsigned char *end = at + size;
    elelem_status status = ELELEM_OK;

    while (at < end && status == ELELEM_OK) {
        const unsigned char *start = at;
        while (at < end && *at >= 0x20)
            at++;
        status = els_sink_put(sink, els_str(start, (size_t)(at - start)));
        while (at < end && *at < 0x20)
            at++;
    }
    return status;
}

ELS_PRIVATE elelem_sink els_line_sink(elelem_sink *sink)
{
    elelem_sink line;

    line.write = els_line_write;
    line.context = sink;
    return line;
}

ELS_PRIVATE void els_line_put_known_string(elelem_writer *writer, const char *key, elelem_str text)
{
    if (text.size > 0) els_put_text(writer, key, text);
}

/* Writes a number unless it is negative, which means unknown. */
ELS_PRIVATE void els_line_put_known_number(elelem_writer *writer, const char *key, int64_t number)
{
    if (number >= 0) els_put_number(writer, key, number);
}

ELS_PRIVATE void els_line_put_type(elelem_writer *writer, const char *type)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_text(writer, "eventType", elelem_str_of(type));
}

ELS_PRIVATE void els_line_put_place(elelem_writer *writer, uint32_t index, uint32_t choice)
{
    els_put_number(writer, "index", index);
    if (choice > 0) els_put_number(writer, "choice", choice);
}

ELS_PRIVATE void els_line_put_usage(elelem_writer *writer, const elelem_usage *usage)
{
    if (usage->input < 0 && usage->output < 0 && usage->cached < 0 && usage->reasoning < 0 && usage->cache_written < 0) return;
    elelem_writer_key(writer, elelem_str_of("usage"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_line_put_known_number(writer, "input", usage->input);
    els_line_put_known_number(writer, "output", usage->output);
    els_line_put_known_number(writer, "cached", usage->cached);
    els_line_put_known_number(writer, "reasoning", usage->reasoning);
    els_line_put_known_number(writer, "cacheWritten", usage->cache_written);
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* "ERROR_UTF8" for ELELEM_ERROR_UTF8; empty for anything but an error of this library. */
ELS_PRIVATE elelem_str els_line_status_word(int32_t status)
{
    switch (status) {
#define ELS_LINE_STATUS_WORD(name, number, sentence) \
    case number: return elelem_str_of(number < 0 ? #name : "");
        ELELEM_STATUS_LIST(ELS_LINE_STATUS_WORD)
#undef ELS_LINE_STATUS_WORD
    default: return elelem_str_of("");
    }
}

ELS_PRIVATE void els_line_put_error(elelem_writer *writer, const elelem_failure *error)
{
    els_line_put_type(writer, "Error");
    els_put_text(writer, "kind", elelem_str_of(elelem_error_kind_name(error->kind)));
    elelem_writer_key(writer, elelem_str_of("retryable"));
    elelem_writer_bool(writer, error->retryable);
    els_line_put_known_number(writer, "retryAfterMs", error->retry_after_ms);
    if (error->http_status != 0) els_put_number(writer, "httpStatus", error->http_status);
    els_line_put_known_string(writer, "code", error->code);
    els_put_text(writer, "message", error->message);
    els_line_put_known_string(writer, "status", els_line_status_word(error->status));
    if (error->offset == 0) return;
    elelem_writer_key(writer, elelem_str_of("offset"));
    elelem_writer_uint64(writer, error->offset);
}

ELS_PRIVATE void els_line_put_finished(elelem_writer *writer, const elelem_event *event)
{
    els_line_put_type(writer, "ChatCompleted");
    els_put_text(writer, "finishReason",
                        elelem_str_of(elelem_finish_reason_name(event->reason)));
    els_line_put_known_string(writer, "rawFinishReason", event->raw_reason);
    els_line_put_usage(writer, &event->usage);
}

ELS_PRIVATE void els_line_put_text(elelem_writer *writer, const char *type, const elelem_event *event, elelem_str text)
{
    els_line_put_type(writer, type);
    els_line_put_place(writer, event->index, event->choice);
    els_put_text(writer, "chunk", text);
}

ELS_PRIVATE void els_line_put_tool_call(elelem_writer *writer, const elelem_event *event)
{
    const elelem_tool_call_part *call = &event->part.tool_call;

    if (call->kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK) {
        els_line_put_text(writer, "ToolCallArguments", event, call->text);
        return;
    }
    els_line_put_type(writer, "ToolCallStart");
    els_line_put_place(writer, event->index, event->choice);
    els_line_put_known_string(writer, "type", call->type);
    els_line_put_known_string(writer, "id", call->id);
    els_line_put_known_string(writer, "toolName", call->name);
}

ELS_PRIVATE void els_line_put_true(elelem_writer *writer, const char *key, int is_true)
{
    if (!is_true) return;
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_bool(writer, 1);
}

ELS_PRIVATE void els_line_put_provider_item(elelem_writer *writer, const elelem_event *event)
{
    els_line_put_type(writer, "PartialProviderItem");
    els_line_put_place(writer, event->index, event->choice);
    els_put_text(writer, "type", event->part.type);
    els_line_put_true(writer, "hosted", event->part.hosted);
    els_line_put_known_string(writer, "caption", event->part.caption);
    els_put_text(writer, "chunk", event->part.text);
}

ELS_PRIVATE void els_line_put_part(elelem_writer *writer, const elelem_event *event)
{
    switch (event->part.kind) {
    case ELELEM_PART_MESSAGE: els_line_put_text(writer, "PartialResponse", event, event->part.text); break;
    case ELELEM_PART_REASONING: els_line_put_text(writer, "PartialThinking", event, event->part.text); break;
    case ELELEM_PART_STRUCTURED: els_line_put_text(writer, "PartialStructured", event, event->part.text); break;
    case ELELEM_PART_PROVIDER_ITEM: els_line_put_provider_item(writer, event); break;
    default: els_line_put_tool_call(writer, event); break;
    }
}

/* All members of an event but those that any line may have; the object stays open. */
ELS_PRIVATE void els_line_put_event(elelem_writer *writer, const elelem_event *event)
{
    switch (event->kind) {
    case ELELEM_EVENT_PART: els_line_put_part(writer, event); break;
    case ELELEM_EVENT_FLUSH:
        els_line_put_type(writer, "Flush");
        els_line_put_place(writer, event->index, event->choice);
        els_line_put_true(writer, "cutOff", event->cut_off);
        break;
    case ELELEM_EVENT_METADATA: els_line_put_type(writer, "ResponseMetadata"); break;
    case ELELEM_EVENT_FINISHED: els_line_put_finished(writer, event); break;
    default: els_line_put_error(writer, &event->error); break;
    }
}

/* Members from outside, after those that were written; none if they are only whitespace. */
ELS_PRIVATE elelem_status els_line_put_extra(elelem_writer *writer, elelem_str extra)
{
    const elelem_sink *sink = &writer->els_sink;
    elelem_status status = els_writer_status(writer);

    extra = els_trimmed(extra);
    if (status != ELELEM_OK || extra.size == 0) return status;
    status = sink->write(sink->context, ",", 1);
    return status == ELELEM_OK ? sink->write(sink->context, extra.data, extra.size) : status;
}

/* Writes the members that any line may have. The object stays open: its brace is written together with the end of
   the line, so that what a sink refuses leaves no line that is whole. */
ELS_PRIVATE elelem_status els_line_put_rest(elelem_writer *writer, int64_t time_ms, elelem_str extra,
                                            const elelem_metadata *metadata)
{
    elelem_status status;

    els_line_put_known_number(writer, "timeMs", time_ms);
    status = els_line_put_extra(writer, extra);
    if (status != ELELEM_OK) return status;
    els_put_metadata(writer, metadata);
    return els_writer_status(writer);
}

/* Reading lines that were checked: what follows relies on them being JSON. */

typedef struct els_line_member {
    elelem_str whole; /* key, colon and value */
    elelem_str key;   /* between its quotes, with escapes */
    elelem_str value;
} els_line_member;

/* Returns the end of the string that starts here. */
ELS_PRIVATE const unsigned char *els_line_string_end(const unsigned char *at, const unsigned char *end)
{
    at = els_text_plain(at + 1, end);
    while (at < end && *at != '"')
        at = els_text_plain(at + (*at == '\\' && end - at > 1 ? 2 : 1), end);
    return at < end ? at + 1 : end;
}

ELS_INLINE int els_line_ends_value(unsigned char byte)
{
    return byte == ',' || byte == '}' || byte == ']' || els_is_blank(byte);
}

/* Returns the end of the value that starts here. */
ELS_PRIVATE const unsigned char *els_line_value_end(const unsigned char *at, const unsigned char *end)
{
    size_t depth = 0;

    do {
        if (*at == '"') {
            at = els_line_string_end(at, end);
        } else {
            depth += *at == '{' || *at == '[';
            depth -= *at == '}' || *at == ']';
            at++;
        }
    } while (at < end && (depth > 0 || !els_line_ends_value(*at)));
    return at;
}

/* Returns what is after the bracket that opens a container. */
ELS_PRIVATE els_cursor els_line_inside(elelem_str container)
{
    els_cursor in = els_cursor_of(container.data, container.size);

    els_skip_blanks(&in);
    in.at++;
    return in;
}

/* Reads the next element of an array, or the next key or value of an object; zero if there is none. */
ELS_PRIVATE int els_line_next_value(els_cursor *in, elelem_str *value)
{
    const unsigned char *start;

    while (in->at < in->end && (*in->at == ',' || *in->at == ':' || els_is_blank(*in->at)))
        in->at++;
    if (in->at == in->end || *in->at == '}' || *in->at == ']') return 0;
    start = in->at;
    in->at = *start == '"' ? els_line_string_end(start, in->end) : els_line_value_end(start, in->end);
    *value = els_str(start, (size_t)(in->at - start));
    return 1;
}

ELS_PRIVATE int els_line_next_member(els_cursor *in, els_line_member *member)
{
    elelem_str key;

    if (!els_line_next_value(in, &key)) return 0;
    els_line_next_value(in, &member->value);
    member->key = els_str(key.data + 1, key.size - 2);
    member->whole = els_str(key.data, (size_t)((const char *)in->at - key.data));
    return 1;
}

/* The reader. Decoded strings and extra members together are never longer than their
   line, so its room is taken once and no slice into it moves. What is initialised is zero. */

ELS_PRIVATE void els_line_reader_init(els_line_reader *reader, elelem_allocator allocator)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    elelem_fragment_parser_init(&reader->els_decoder, &desc);
    reader->els_text.allocator = allocator;
    reader->els_entries.allocator = allocator;
}

ELS_PRIVATE void els_line_reader_free(els_line_reader *reader)
{
    elelem_fragment_parser_free(&reader->els_decoder);
    els_block_free(&reader->els_text);
    els_block_free(&reader->els_entries);
}

/* Begins another line. */
ELS_PRIVATE void els_line_reader_start(els_line_reader *reader, elelem_str line)
{
    reader->els_used = 0;
    reader->els_room = line.size;
}

ELS_PRIVATE elelem_status els_line_reader_reserve(els_line_reader *reader)
{
    return els_block_reserve(&reader->els_text, reader->els_room, reader->els_room, ELELEM_ERROR_MEMORY);
}

ELS_PRIVATE void els_line_reader_put(els_line_reader *reader, elelem_str text)
{
    memcpy(reader->els_text.data + reader->els_used, text.data, text.size);
    reader->els_used += text.size;
}

/* Decodes a string with its quotes, which was checked. OK, or ERROR_MEMORY: a string that is no member needs none but the room. */
ELS_PRIVATE elelem_status els_line_reader_decode(els_line_reader *reader, elelem_str quoted, elelem_str *text)
{
    elelem_status status = els_line_reader_reserve(reader);
    size_t start = reader->els_used;
    elelem_fragment fragment;

    if (status != ELELEM_OK) return status;
    elelem_fragment_parser_reset(&reader->els_decoder);
    elelem_fragment_parser_push(&reader->els_decoder, quoted.data, quoted.size);
    while (elelem_fragment_parser_next(&reader->els_decoder, &fragment) == ELELEM_OK)
        if (fragment.kind == ELELEM_FRAGMENT_STRING) els_line_reader_put(reader, fragment.text);
    *text = els_str(reader->els_text.data + start, reader->els_used - start);
    return ELELEM_OK;
}

/* OK; ERROR_TYPE: no string. */
ELS_PRIVATE elelem_status els_line_reader_text(els_line_reader *reader, elelem_str value, elelem_str *text)
{
    *text = els_str(NULL, 0);
    if (value.size == 0) return ELELEM_OK;
    if (value.data[0] != '"') return ELELEM_ERROR_TYPE;
    if (memchr(value.data, '\\', value.size)) return els_line_reader_decode(reader, value, text);
    *text = els_str(value.data + 1, value.size - 2);
    return ELELEM_OK;
}

/* Returns the four digits after \u as a number. */
ELS_PRIVATE unsigned els_line_unit(const char *digits)
{
    unsigned unit = 0;
    size_t i;

    for (i = 0; i < 4; i++)
        unit = unit << 4 | (unsigned)els_hex_digit((unsigned char)digits[i]);
    return unit;
}

/* Nonzero if a key, which may have escapes, spells a name. Names are letters, which only \u escapes stand for. */
ELS_PRIVATE int els_line_key_is(elelem_str key, const char *name)
{
    size_t i;

    for (i = 0; i < key.size; i++) {
        unsigned letter = (unsigned char)key.data[i];
        if (letter == '\\') {
            if (key.data[++i] != 'u') return 0;
            letter = els_line_unit(key.data + i + 1);
            i += 4;
        }
        if (letter != (unsigned char)*name || letter == 0) return 0;
        name++;
    }
    return *name == '\0';
}

/* Returns which of the names the key is; `count` if none. */
ELS_PRIVATE size_t els_line_name_of(elelem_str key, const char *const *names, size_t count)
{
    size_t which = 0;

    while (which < count && !els_line_key_is(key, names[which]))
        which++;
    return which;
}

/* Finds the values of the members that have these names, the last of equal ones; empty if there is none. Nonzero
   if there are members of other names. */
ELS_PRIVATE int els_line_members(elelem_str object, const char *const *names, size_t count, elelem_str *values)
{
    els_cursor in = els_line_inside(object);
    els_line_member member;
    int others = 0;

    memset(values, 0, count * sizeof *values);
    while (els_line_next_member(&in, &member)) {
        size_t which = els_line_name_of(member.key, names, count);
        if (which < count) values[which] = member.value;
        else others = 1;
    }
    return others;
}

/* The members of lines that are events. */
#define ELS_LINE_FIELD_LIST(X)                   \
    X(EVENT_TYPE, "eventType")                   \
    X(TIME_MS, "timeMs")                         \
    X(METADATA, "metadata")                      \
    X(INDEX, "index")                            \
    X(CHOICE, "choice")                          \
    X(CUT_OFF, "cutOff")                         \
    X(CHUNK, "chunk")                            \
    X(TEXT, "text")                              \
    X(TYPE, "type")                              \
    X(HOSTED, "hosted")                          \
    X(CAPTION, "caption")                        \
    X(ID, "id")                                  \
    X(TOOL_NAME, "toolName")                     \
    X(FINISH_REASON, "finishReason")             \
    X(RAW_FINISH_REASON, "rawFinishReason")      \
    X(USAGE, "usage")                            \
    X(KIND, "kind")                              \
    X(RETRYABLE, "retryable")                    \
    X(RETRY_AFTER_MS, "retryAfterMs")            \
    X(HTTP_STATUS, "httpStatus")                 \
    X(CODE, "code")                              \
    X(MESSAGE, "message")                        \
    X(STATUS, "status")                          \
    X(OFFSET, "offset")

typedef enum els_line_field {
#define ELS_LINE_FIELD_ENUM(name, text) ELS_LINE_FIELD_##name,
    ELS_LINE_FIELD_LIST(ELS_LINE_FIELD_ENUM)
#undef ELS_LINE_FIELD_ENUM
    ELS_LINE_FIELD_COUNT
} els_line_field;

static const char *const els_line_field_names[] = {
#define ELS_LINE_FIELD_NAME(name, text) text,
    ELS_LINE_FIELD_LIST(ELS_LINE_FIELD_NAME)
#undef ELS_LINE_FIELD_NAME
};

/* Other names that a caller may not use for its own members. */
static const char *const els_line_more_names[] = { "input", "inputText", "output" };

#define ELS_LINE_MORE_NAMES (sizeof els_line_more_names / sizeof *els_line_more_names)

/* Nonzero if the key, which may have escapes, is one that a caller may not use. What is written never has "text". */
ELS_PRIVATE int els_line_is_reserved(elelem_str key)
{
    size_t which = els_line_name_of(key, els_line_field_names, ELS_LINE_FIELD_COUNT);

    return (which < ELS_LINE_FIELD_COUNT && which != ELS_LINE_FIELD_TEXT) ||
           els_line_name_of(key, els_line_more_names, ELS_LINE_MORE_NAMES) < ELS_LINE_MORE_NAMES;
}

#define ELS_LINE_HAS(field) (1u << ELS_LINE_FIELD_##field)
#define ELS_LINE_PLACE (ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(CHOICE))

/* The lines that are events. */
typedef struct els_line_type {
    const char *name;
    uint8_t kind;
    uint8_t part;
    uint8_t call;
    uint32_t needed;
    uint32_t allowed;
} els_line_type;

static const els_line_type els_line_types[] = {
    { "PartialResponse", ELELEM_EVENT_PART, ELELEM_PART_MESSAGE, 0, ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "PartialThinking", ELELEM_EVENT_PART, ELELEM_PART_REASONING, 0, ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "PartialThinking", ELELEM_EVENT_PART, ELELEM_PART_REASONING, 0, ELS_LINE_HAS(TEXT), /* memory-service's; only read */
      ELS_LINE_PLACE | ELS_LINE_HAS(TEXT) },
    { "PartialStructured", ELELEM_EVENT_PART, ELELEM_PART_STRUCTURED, 0, ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "ToolCallStart", ELELEM_EVENT_PART, ELELEM_PART_TOOL_CALL, ELELEM_TOOL_CALL_START, ELS_LINE_HAS(INDEX),
      ELS_LINE_PLACE | ELS_LINE_HAS(TYPE) | ELS_LINE_HAS(ID) | ELS_LINE_HAS(TOOL_NAME) },
    { "ToolCallArguments", ELELEM_EVENT_PART, ELELEM_PART_TOOL_CALL, ELELEM_TOOL_CALL_ARGUMENT_CHUNK,
      ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(CHUNK), ELS_LINE_PLACE | ELS_LINE_HAS(CHUNK) },
    { "PartialProviderItem", ELELEM_EVENT_PART, ELELEM_PART_PROVIDER_ITEM, 0,
      ELS_LINE_HAS(INDEX) | ELS_LINE_HAS(TYPE) | ELS_LINE_HAS(CHUNK),
      ELS_LINE_PLACE | ELS_LINE_HAS(TYPE) | ELS_LINE_HAS(HOSTED) | ELS_LINE_HAS(CAPTION) | ELS_LINE_HAS(CHUNK) },
    { "ResponseMetadata", ELELEM_EVENT_METADATA, 0, 0, 0, 0 },
    { "Flush", ELELEM_EVENT_FLUSH, 0, 0, ELS_LINE_HAS(INDEX), ELS_LINE_PLACE | ELS_LINE_HAS(CUT_OFF) },
    { "ChatCompleted", ELELEM_EVENT_FINISHED, 0, 0, ELS_LINE_HAS(FINISH_REASON),
      ELS_LINE_HAS(FINISH_REASON) | ELS_LINE_HAS(RAW_FINISH_REASON) | ELS_LINE_HAS(USAGE) },
    { "Error", ELELEM_EVENT_ERROR, 0, 0, ELS_LINE_HAS(KIND) | ELS_LINE_HAS(RETRYABLE) | ELS_LINE_HAS(MESSAGE),
      ELS_LINE_HAS(KIND) | ELS_LINE_HAS(RETRYABLE) | ELS_LINE_HAS(RETRY_AFTER_MS) | ELS_LINE_HAS(HTTP_STATUS) |
          ELS_LINE_HAS(CODE) | ELS_LINE_HAS(MESSAGE) | ELS_LINE_HAS(STATUS) | ELS_LINE_HAS(OFFSET) }
};

#define ELS_LINE_TYPES (sizeof els_line_types / sizeof *els_line_types)
#define ELS_ANY_LINE (ELS_LINE_HAS(EVENT_TYPE) | ELS_LINE_HAS(TIME_MS) | ELS_LINE_HAS(METADATA))

/* Returns the first of this name whose members are there; null if there is none. */
ELS_PRIVATE const els_line_type *els_line_type_named(elelem_str name, uint32_t there)
{
    size_t i;

    for (i = 0; i < ELS_LINE_TYPES; i++)
        if (!(els_line_types[i].needed & ~there) && elelem_str_is(name, els_line_types[i].name)) return &els_line_types[i];
    return NULL;
}

/* Returns what kind of line an event has; null for an event of an unknown kind. */
ELS_PRIVATE const els_line_type *els_line_type_of(const elelem_event *event)
{
    size_t i;

    for (i = 0; i < ELS_LINE_TYPES; i++) {
        const els_line_type *type = &els_line_types[i];
        if (type->kind != event->kind) continue;
        if (event->kind != ELELEM_EVENT_PART) return type;
        if (type->part != event->part.kind) continue;
        if (type->part != ELELEM_PART_TOOL_CALL || type->call == event->part.tool_call.kind) return type;
    }
    return NULL;
}

/* OK if the object has an eventType that is a string; ERROR_PROTOCOL: it has none; ERROR_TYPE: it is no string.
   `*type` becomes its value as it is spelled. */
ELS_PRIVATE elelem_status els_line_find_type(elelem_str object, elelem_str *type)
{
    els_line_members(object, els_line_field_names, 1, type);
    if (type->size == 0) return ELELEM_ERROR_PROTOCOL;
    return type->data[0] == '"' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

ELS_PRIVATE uint32_t els_line_fields_there(const elelem_str *fields)
{
    uint32_t there = 0;
    unsigned i;

    for (i = 0; i < ELS_LINE_FIELD_COUNT; i++)
        if (fields[i].size > 0) there |= 1u << i;
    return there;
}

/* Reads a number from 0 to `most`; `*number` stays if the member is missing. */
ELS_PRIVATE elelem_status els_line_read_number(elelem_str value, uint64_t most, uint64_t *number)
{
    uint64_t read;

    if (value.size == 0) return ELELEM_OK;
    if (elelem_number_to_uint64(value, &read) != ELELEM_OK || read > most) return ELELEM_ERROR_TYPE;
    *number = read;
    return ELELEM_OK;
}

/* Reads a number that is -1 if the member is missing. */
ELS_PRIVATE elelem_status els_line_read_known(elelem_str value, int64_t *number)
{
    uint64_t read = UINT64_MAX;
    elelem_status status = els_line_read_number(value, INT64_MAX, &read);

    *number = read == UINT64_MAX ? -1 : (int64_t)read;
    return status;
}

ELS_PRIVATE elelem_status els_line_read_32(elelem_str value, uint32_t *number)
{
    uint64_t read = 0;
    elelem_status status = els_line_read_number(value, UINT32_MAX, &read);

    *number = (uint32_t)read;
    return status;
}

ELS_PRIVATE elelem_status els_line_read_metadata(els_line_reader *reader, elelem_str object, elelem_metadata *metadata)
{
    els_cursor in;
    els_line_member member;

    if (object.size == 0) return ELELEM_OK;
    if (object.data[0] != '{') return ELELEM_ERROR_TYPE;
    in = els_line_inside(object);
    while (els_line_next_member(&in, &member)) {
        size_t most = ELS_META_ENTRIES * sizeof(elelem_metadata_entry);
        size_t size = els_product(els_sum(metadata->count, 1), sizeof(elelem_metadata_entry));
        elelem_metadata_entry *entries;
        elelem_status status = els_block_reserve(&reader->els_entries, size, most, ELELEM_ERROR_TYPE);
        if (status != ELELEM_OK) return status;
        entries = (elelem_metadata_entry *)(void *)reader->els_entries.data;
        metadata->entries = entries;
        entries[metadata->count].json = member.value;
        status = els_line_reader_text(reader, els_str(member.key.data - 1, member.key.size + 2),
                                      &entries[metadata->count].key);
        if (status != ELELEM_OK) return status;
        metadata->count++;
    }
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_line_read_bool(elelem_str value, uint8_t *boolean)
{
    *boolean = value.size > 0 && value.data[0] == 't';
    return *boolean || value.size == 0 || value.data[0] == 'f' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_call_start(els_line_reader *reader, const elelem_str *fields,
                                                   elelem_tool_call_part *call)
{
    elelem_status status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_ID], &call->id);

    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_TOOL_NAME], &call->name);
    return status == ELELEM_OK ? els_line_reader_text(reader, fields[ELS_LINE_FIELD_TYPE], &call->type) : status;
}

ELS_PRIVATE elelem_status els_line_read_provider_item(els_line_reader *reader, const elelem_str *fields,
                                                      elelem_event_part *part)
{
    elelem_status status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_TYPE], &part->type);

    if (status == ELELEM_OK) status = els_line_read_bool(fields[ELS_LINE_FIELD_HOSTED], &part->hosted);
    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_CAPTION], &part->caption);
    return status == ELELEM_OK ? els_line_reader_text(reader, fields[ELS_LINE_FIELD_CHUNK], &part->text) : status;
}

ELS_PRIVATE elelem_status els_line_read_part(els_line_reader *reader, const elelem_str *fields, elelem_event_part *part)
{
    if (part->kind == ELELEM_PART_PROVIDER_ITEM) return els_line_read_provider_item(reader, fields, part);
    if (part->kind != ELELEM_PART_TOOL_CALL) {
        int is_chunk = fields[ELS_LINE_FIELD_CHUNK].size > 0;
        return els_line_reader_text(reader, fields[is_chunk ? ELS_LINE_FIELD_CHUNK : ELS_LINE_FIELD_TEXT], &part->text);
    }
    if (part->tool_call.kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK)
        return els_line_reader_text(reader, fields[ELS_LINE_FIELD_CHUNK], &part->tool_call.text);
    return els_line_read_call_start(reader, fields, &part->tool_call);
}

static const char *const els_line_usage_names[] = { "input", "output", "cached", "reasoning", "cacheWritten" };

ELS_PRIVATE elelem_status els_line_read_usage(elelem_str object, elelem_usage *usage)
{
    elelem_str values[ELS_COUNT(els_line_usage_names)];
    elelem_status status = ELELEM_OK;

    els_usage_unknown(usage);
    if (object.size == 0) return ELELEM_OK;
    if (object.data[0] != '{') return ELELEM_ERROR_TYPE;
    if (els_line_members(object, els_line_usage_names, ELS_COUNT(els_line_usage_names), values)) status = ELELEM_ERROR_TYPE;
    if (status == ELELEM_OK) status = els_line_read_known(values[0], &usage->input);
    if (status == ELELEM_OK) status = els_line_read_known(values[1], &usage->output);
    if (status == ELELEM_OK) status = els_line_read_known(values[2], &usage->cached);
    if (status == ELELEM_OK) status = els_line_read_known(values[3], &usage->reasoning);
    return status == ELELEM_OK ? els_line_read_known(values[4], &usage->cache_written) : status;
}

/* Reads a word that must be one of `count` names. */
ELS_PRIVATE elelem_status els_line_read_word(els_line_reader *reader, elelem_str value, const char *(*name)(unsigned),
                                             unsigned count, uint8_t *which)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(reader, value, &word);
    unsigned i;

    if (status != ELELEM_OK) return status;
    for (i = 0; i < count; i++) {
        *which = (uint8_t)i;
        if (elelem_str_is(word, name(i))) return ELELEM_OK;
    }
    return ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_status(els_line_reader *reader, elelem_str value, int32_t *result)
{
    elelem_str word;
    elelem_status status = els_line_reader_text(reader, value, &word);

    *result = ELELEM_OK;
    if (status != ELELEM_OK || value.size == 0) return status;
#define ELS_STATUS_READ(name, number, sentence) \
    if (elelem_str_is(word, #name)) *result = number;
    ELELEM_STATUS_LIST(ELS_STATUS_READ)
#undef ELS_STATUS_READ
    return *result < 0 ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

ELS_PRIVATE elelem_status els_line_read_finished(els_line_reader *reader, const elelem_str *fields, elelem_event *event)
{
    elelem_status status = els_line_read_word(reader, fields[ELS_LINE_FIELD_FINISH_REASON], elelem_finish_reason_name,
                                              ELELEM_FINISH_REASON_COUNT, &event->reason);

    if (status == ELELEM_OK)
        status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_RAW_FINISH_REASON], &event->raw_reason);
    return status == ELELEM_OK ? els_line_read_usage(fields[ELS_LINE_FIELD_USAGE], &event->usage) : status;
}

/* HTTP statuses are small, but any number that was recorded is read. */
ELS_PRIVATE elelem_status els_line_read_http_status(elelem_str value, int32_t *http_status)
{
    int64_t read = 0;

    if (value.size > 0 && elelem_number_to_int64(value, &read) != ELELEM_OK) return ELELEM_ERROR_TYPE;
    if (read < INT32_MIN || read > INT32_MAX) return ELELEM_ERROR_TYPE;
    *http_status = (int32_t)read;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_line_read_error(els_line_reader *reader, const elelem_str *fields, elelem_event *event)
{
    elelem_failure *error = &event->error;
    elelem_status status = els_line_read_word(reader, fields[ELS_LINE_FIELD_KIND], elelem_error_kind_name,
                                              ELELEM_ERROR_KIND_COUNT, &error->kind);

    els_usage_unknown(&event->usage);
    if (status == ELELEM_OK) status = els_line_read_bool(fields[ELS_LINE_FIELD_RETRYABLE], &error->retryable);
    if (status == ELELEM_OK)
        status = els_line_read_known(fields[ELS_LINE_FIELD_RETRY_AFTER_MS], &error->retry_after_ms);
    if (status == ELELEM_OK)
        status = els_line_read_http_status(fields[ELS_LINE_FIELD_HTTP_STATUS], &error->http_status);
    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_CODE], &error->code);
    if (status == ELELEM_OK) status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_MESSAGE], &error->message);
    if (status == ELELEM_OK) status = els_line_read_status(reader, fields[ELS_LINE_FIELD_STATUS], &error->status);
    return status == ELELEM_OK ? els_line_read_number(fields[ELS_LINE_FIELD_OFFSET], UINT64_MAX, &error->offset)
                               : status;
}

/* OK; ERROR_TYPE: it is no event after all. */
ELS_PRIVATE elelem_status els_line_read_event(els_line_reader *reader, const els_line_type *type,
                                              const elelem_str *fields, elelem_event *event)
{
    elelem_status status = els_line_read_metadata(reader, fields[ELS_LINE_FIELD_METADATA], &event->metadata);

    event->kind = type->kind;
    if (status != ELELEM_OK) return status;
    if (type->kind == ELELEM_EVENT_FINISHED) return els_line_read_finished(reader, fields, event);
    if (type->kind == ELELEM_EVENT_ERROR) return els_line_read_error(reader, fields, event);
    if (type->kind == ELELEM_EVENT_METADATA) return ELELEM_OK;
    status = els_line_read_32(fields[ELS_LINE_FIELD_INDEX], &event->index);
    if (status == ELELEM_OK) status = els_line_read_32(fields[ELS_LINE_FIELD_CHOICE], &event->choice);
    if (status == ELELEM_OK)
        status = els_line_read_bool(fields[ELS_LINE_FIELD_CUT_OFF], &event->cut_off);
    if (status != ELELEM_OK || type->kind == ELELEM_EVENT_FLUSH) return status;
    event->part.kind = type->part;
    event->part.tool_call.kind = type->call;
    return els_line_read_part(reader, fields, &event->part);
}

/* Collects the members of an event's line that are not the event's. */
ELS_PRIVATE elelem_status els_line_read_extra(els_line_reader *reader, const els_line_type *type,
                                              elelem_record_item *item)
{
    els_cursor in = els_line_inside(item->line);
    uint32_t allowed = type->allowed | ELS_ANY_LINE;
    size_t start = reader->els_used;
    els_line_member member;

    while (els_line_next_member(&in, &member)) {
        size_t which = els_line_name_of(member.key, els_line_field_names, ELS_LINE_FIELD_COUNT);
        elelem_status status;
        if (which < ELS_LINE_FIELD_COUNT && (allowed >> which & 1)) continue;
        status = els_line_reader_reserve(reader);
        if (status != ELELEM_OK) return status;
        if (reader->els_used > start) els_line_reader_put(reader, els_str(",", 1));
        els_line_reader_put(reader, member.whole);
    }
    if (reader->els_used > start) item->extra = els_str(reader->els_text.data + start, reader->els_used - start);
    return ELELEM_OK;
}

/* Reads the line as an event if it is one. OK, or ERROR_MEMORY. */
ELS_PRIVATE elelem_status els_line_read_as_event(els_line_reader *reader, const elelem_str *fields,
                                                 elelem_record_item *item)
{
    const els_line_type *type = els_line_type_named(item->type, els_line_fields_there(fields));
    elelem_status status;

    if (!type) return ELELEM_OK;
    status = els_line_read_event(reader, type, fields, &item->event);
    if (status == ELELEM_OK) status = els_line_read_extra(reader, type, item);
    if (status == ELELEM_OK) item->kind = ELELEM_RECORD_EVENT;
    return status == ELELEM_ERROR_TYPE ? ELELEM_OK : status;
}

/* Reads a checked line. OK, or ERROR_MEMORY. */
ELS_PRIVATE elelem_status els_line_read(els_line_reader *reader, elelem_str line, int as_it_is,
                                        elelem_record_item *item)
{
    elelem_str fields[ELS_LINE_FIELD_COUNT];
    elelem_status status;

    memset(item, 0, sizeof *item);
    item->kind = ELELEM_RECORD_LINE;
    item->line = line;
    els_line_reader_start(reader, line);
    els_line_members(line, els_line_field_names, ELS_LINE_FIELD_COUNT, fields);
    status = els_line_reader_text(reader, fields[ELS_LINE_FIELD_EVENT_TYPE], &item->type);
    if (status == ELELEM_ERROR_TYPE) status = ELELEM_OK;
    if (status != ELELEM_OK) return status;
    if (els_line_read_known(fields[ELS_LINE_FIELD_TIME_MS], &item->time_ms) != ELELEM_OK || as_it_is) return ELELEM_OK;
    return els_line_read_as_event(reader, fields, item);
}

ELS_PRIVATE int els_item_is_text(const elelem_record_item *item)
{
    const elelem_event *event = &item->event;

    return item->kind == ELELEM_RECORD_EVENT && event->kind == ELELEM_EVENT_PART &&
           event->part.kind != ELELEM_PART_TOOL_CALL; /* a provider item is text too: its JSON */
}

ELS_PRIVATE int els_item_is_kind(const elelem_record_item *item, elelem_event_kind kind)
{
    return item->kind == ELELEM_RECORD_EVENT && item->event.kind == kind;
}

ELS_PRIVATE int els_item_is_end(const elelem_record_item *item)
{
    return els_item_is_kind(item, ELELEM_EVENT_FINISHED) || els_item_is_kind(item, ELELEM_EVENT_ERROR);
}

/* Makes an item of an event that has no line. */
ELS_PRIVATE void els_item_of_event(elelem_record_item *item, const elelem_event *event, elelem_str extra,
                                   int64_t time_ms)
{
    const els_line_type *type = els_line_type_of(event);

    memset(item, 0, sizeof *item);
    item->kind = ELELEM_RECORD_EVENT;
    item->event = *event;
    item->type = elelem_str_of(type ? type->name : NULL);
    item->extra = extra;
    item->time_ms = time_ms;
}

/* Nonzero if one of the members has a name that is among these fields. */
ELS_PRIVATE int els_line_has_field(elelem_str members, uint32_t fields)
{
    els_cursor in = els_cursor_of(members.data, members.size);
    els_line_member member;

    while (els_line_next_member(&in, &member)) {
        size_t which = els_line_name_of(member.key, els_line_field_names, ELS_LINE_FIELD_COUNT);
        if (which < ELS_LINE_FIELD_COUNT && (fields >> which & 1)) return 1;
    }
    return 0;
}

/* OK if the line of an event's item is read as the same event. ERROR_MISUSE: the event is of an unknown kind, or an
   extra member has the name of one of its own; else why its JSON is refused. */
ELS_PRIVATE elelem_status els_line_check_item(elelem_fragment_parser *check, const elelem_record_item *item)
{
    const els_line_type *type = els_line_type_of(&item->event);
    elelem_status status;

    if (!type) return ELELEM_ERROR_MISUSE;
    status = els_line_check_metadata(check, &item->event.metadata);
    if (status != ELELEM_OK || item->extra.size == 0) return status;
    status = els_line_check_members(check, item->extra);
    if (status != ELELEM_OK) return status;
    return els_line_has_field(item->extra, type->allowed | ELS_ANY_LINE) ? ELELEM_ERROR_MISUSE : ELELEM_OK;
}

#endif
