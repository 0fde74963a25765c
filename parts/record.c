#ifndef ELS_RECORD_C
#define ELS_RECORD_C
#include "record.h"
#include "base.c"
#include "fragment.c"
#include "writer.c"

/* >> record */

/* Checking JSON text that others wrote: it must be one whole value, or it could forge
   what stands around it. */

static const elelem_pattern_node els_nothing_wanted[] = { ELELEM_PATTERN_ROOT(0) };
static const elelem_patterns els_no_patterns = { els_nothing_wanted, 0 };

/* A parser that validates and gives out nothing. */
ELS_PRIVATE void els_check_init(elelem_fragment_parser *check, elelem_allocator allocator)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.allocator = allocator;
    desc.patterns = &els_no_patterns;
    desc.single_document = 1;
    elelem_fragment_parser_init(check, &desc);
}

ELS_PRIVATE elelem_status els_check_piece(elelem_fragment_parser *check, elelem_str piece)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_push(check, piece.data, piece.size);

    if (status == ELELEM_OK) status = elelem_fragment_parser_next(check, &fragment);
    return status == ELELEM_MORE ? ELELEM_OK : status;
}

ELS_PRIVATE elelem_status els_check_end(elelem_fragment_parser *check)
{
    elelem_fragment fragment;
    elelem_status status;

    elelem_fragment_parser_finish(check);
    status = elelem_fragment_parser_next(check, &fragment);
    return status == ELELEM_END ? ELELEM_OK : status;
}

/* OK where the text is one JSON value. */
ELS_PRIVATE elelem_status els_check_json(elelem_fragment_parser *check, elelem_str json)
{
    elelem_status status;

    elelem_fragment_parser_reset(check);
    status = els_check_piece(check, json);
    return status == ELELEM_OK ? els_check_end(check) : status;
}

/* OK where the text is what may stand between the braces of an object, and is not empty. */
ELS_PRIVATE elelem_status els_check_members(elelem_fragment_parser *check, elelem_str members)
{
    elelem_status status;

    elelem_fragment_parser_reset(check);
    status = els_check_piece(check, els_str("{", 1));
    if (status == ELELEM_OK) status = els_check_piece(check, members);
    if (status == ELELEM_OK) status = els_check_piece(check, els_str("}", 1));
    return status == ELELEM_OK ? els_check_end(check) : status;
}

ELS_PRIVATE elelem_status els_check_metadata(elelem_fragment_parser *check, const elelem_metadata *metadata)
{
    elelem_status status = ELELEM_OK;
    size_t i;

    for (i = 0; i < metadata->count && status == ELELEM_OK; i++)
        status = els_check_json(check, metadata->entries[i].json);
    return status;
}

/* Lines. */

/* Passes on all but control bytes. Those stand in checked JSON between tokens only,
   where leaving them out changes nothing; so a line has one line feed, its last byte. */
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
        if (at > start) status = sink->write(sink->context, start, (size_t)(at - start));
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

ELS_PRIVATE elelem_status els_sink_put(const elelem_sink *sink, elelem_str text)
{
    if (!sink->write) return ELELEM_ERROR_SINK;
    return text.size > 0 ? sink->write(sink->context, text.data, text.size) : ELELEM_OK;
}

ELS_PRIVATE void els_put_string(elelem_writer *writer, const char *key, elelem_str text)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_string(writer, text);
}

ELS_PRIVATE void els_put_known_string(elelem_writer *writer, const char *key, elelem_str text)
{
    if (text.size > 0) els_put_string(writer, key, text);
}

ELS_PRIVATE void els_put_json(elelem_writer *writer, const char *key, elelem_str json)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_json(writer, json);
}

ELS_PRIVATE void els_put_number(elelem_writer *writer, const char *key, int64_t number)
{
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_int64(writer, number);
}

/* Numbers that are not known are negative. */
ELS_PRIVATE void els_put_known_number(elelem_writer *writer, const char *key, int64_t number)
{
    if (number >= 0) els_put_number(writer, key, number);
}

ELS_PRIVATE void els_put_type(elelem_writer *writer, const char *type)
{
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_string(writer, "eventType", elelem_str_of(type));
}

ELS_PRIVATE void els_put_place(elelem_writer *writer, const elelem_event *event)
{
    els_put_number(writer, "index", event->index);
    if (event->choice > 0) els_put_number(writer, "choice", event->choice);
}

ELS_PRIVATE void els_put_metadata(elelem_writer *writer, const elelem_metadata *metadata)
{
    size_t i;

    if (metadata->count == 0) return;
    elelem_writer_key(writer, elelem_str_of("metadata"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    for (i = 0; i < metadata->count; i++) {
        elelem_writer_key(writer, metadata->entries[i].key);
        elelem_writer_json(writer, metadata->entries[i].json);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

ELS_PRIVATE void els_put_usage(elelem_writer *writer, const elelem_usage *usage)
{
    if (usage->input < 0 && usage->output < 0 && usage->cached < 0 && usage->reasoning < 0) return;
    elelem_writer_key(writer, elelem_str_of("usage"));
    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    els_put_known_number(writer, "input", usage->input);
    els_put_known_number(writer, "output", usage->output);
    els_put_known_number(writer, "cached", usage->cached);
    els_put_known_number(writer, "reasoning", usage->reasoning);
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
}

/* "ERROR_UTF8" for ELELEM_ERROR_UTF8. */
ELS_PRIVATE elelem_str els_status_word(int32_t status)
{
    return elelem_str_of(elelem_status_name((elelem_status)status) + sizeof "ELELEM_" - 1);
}

ELS_PRIVATE void els_put_error(elelem_writer *writer, const elelem_stream_error *error)
{
    els_put_type(writer, "Error");
    els_put_string(writer, "kind", elelem_str_of(elelem_error_kind_name((elelem_error_kind)error->kind)));
    elelem_writer_key(writer, elelem_str_of("retryable"));
    elelem_writer_bool(writer, error->retryable);
    els_put_known_number(writer, "retryAfterMs", error->retry_after_ms);
    if (error->http_status != 0) els_put_number(writer, "httpStatus", error->http_status);
    els_put_known_string(writer, "code", error->code);
    els_put_string(writer, "message", error->message);
    if (error->status != ELELEM_OK) els_put_string(writer, "status", els_status_word(error->status));
    if (error->offset == 0) return;
    elelem_writer_key(writer, elelem_str_of("offset"));
    elelem_writer_uint64(writer, error->offset);
}

ELS_PRIVATE void els_put_finished(elelem_writer *writer, const elelem_event *event)
{
    els_put_type(writer, "ChatCompleted");
    els_put_string(writer, "finishReason",
                   elelem_str_of(elelem_finish_reason_name((elelem_finish_reason)event->reason)));
    els_put_known_string(writer, "rawFinishReason", event->raw_reason);
    els_put_usage(writer, &event->usage);
}

ELS_PRIVATE void els_put_text(elelem_writer *writer, const char *type, const elelem_event *event, elelem_str text)
{
    els_put_type(writer, type);
    els_put_place(writer, event);
    els_put_string(writer, "chunk", text);
}

ELS_PRIVATE void els_put_tool_call(elelem_writer *writer, const elelem_event *event)
{
    const elelem_tool_call_part *call = &event->part.tool_call;

    if (call->kind == ELELEM_TOOL_CALL_ARGUMENT_CHUNK) {
        els_put_text(writer, "ToolCallArguments", event, call->text);
        return;
    }
    els_put_type(writer, "ToolCallStart");
    els_put_place(writer, event);
    els_put_known_string(writer, "id", call->id);
    els_put_known_string(writer, "toolName", call->name);
}

ELS_PRIVATE void els_put_part(elelem_writer *writer, const elelem_event *event)
{
    switch (event->part.kind) {
    case ELELEM_PART_MESSAGE: els_put_text(writer, "PartialResponse", event, event->part.text); break;
    case ELELEM_PART_REASONING: els_put_text(writer, "PartialThinking", event, event->part.text); break;
    case ELELEM_PART_STRUCTURED: els_put_text(writer, "PartialStructured", event, event->part.text); break;
    default: els_put_tool_call(writer, event); break;
    }
}

ELS_PRIVATE int els_is_event(const elelem_event *event)
{
    if (event->kind != ELELEM_EVENT_PART) return event->kind <= ELELEM_EVENT_ERROR;
    if (event->part.kind != ELELEM_PART_TOOL_CALL) return event->part.kind < ELELEM_PART_TOOL_CALL;
    return event->part.tool_call.kind <= ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
}

/* All members of an event but those that any line may have; the object stays open. */
ELS_PRIVATE void els_put_event(elelem_writer *writer, const elelem_event *event)
{
    switch (event->kind) {
    case ELELEM_EVENT_PART: els_put_part(writer, event); break;
    case ELELEM_EVENT_FLUSH:
        els_put_type(writer, "Flush");
        els_put_place(writer, event);
        break;
    case ELELEM_EVENT_FINISHED: els_put_finished(writer, event); break;
    default: els_put_error(writer, &event->error); break;
    }
}

/* The recorder. */

ELS_PRIVATE elelem_status els_recorder_fail(elelem_recorder *r, elelem_status status)
{
    if (status != ELELEM_OK) r->els_status = status;
    return status;
}

/* What stands before the object of a line. */
ELS_PRIVATE elelem_status els_recorder_open(elelem_recorder *r)
{
    elelem_writer id;
    elelem_status status;

    if (r->els_format != ELELEM_RECORD_SSE) return r->els_sink.write ? ELELEM_OK : ELELEM_ERROR_SINK;
    elelem_writer_init(&id, r->els_sink, 0);
    status = els_sink_put(&r->els_sink, elelem_str_of("id: "));
    if (status == ELELEM_OK) status = elelem_writer_uint64(&id, elelem_recorder_count(r) + 1);
    if (status == ELELEM_OK) status = els_sink_put(&r->els_sink, elelem_str_of("\ndata: "));
    return status;
}

/* And behind it. */
ELS_PRIVATE elelem_status els_recorder_close(elelem_recorder *r)
{
    elelem_status status = els_sink_put(&r->els_sink, elelem_str_of(r->els_format == ELELEM_RECORD_SSE ? "\n\n" : "\n"));

    if (status == ELELEM_OK) r->els_count++;
    return els_recorder_fail(r, status);
}

/* Begins a line: what is written to the writer is its object. */
ELS_PRIVATE elelem_status els_recorder_begin(elelem_recorder *r, elelem_writer *writer)
{
    elelem_writer_init(writer, els_line_sink(&r->els_sink), 0);
    return els_recorder_fail(r, els_recorder_open(r));
}

/* The members that any line may have; `writer` stands inside the object. */
ELS_PRIVATE elelem_status els_recorder_end(elelem_recorder *r, elelem_writer *writer, const elelem_metadata *metadata)
{
    elelem_status status;

    els_put_known_number(writer, "timeMs", r->els_time_ms);
    if (elelem_writer_error(writer) == ELELEM_OK && r->els_extra.size > 0) {
        status = els_sink_put(&r->els_sink, elelem_str_of(","));
        if (status == ELELEM_OK) status = els_line_write(&r->els_sink, r->els_extra.data, r->els_extra.size);
        if (status != ELELEM_OK) return els_recorder_fail(r, status);
    }
    if (metadata) els_put_metadata(writer, metadata);
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
    status = elelem_writer_error(writer);
    return status == ELELEM_OK ? els_recorder_close(r) : els_recorder_fail(r, status);
}

/* The plain text of a stream: what a reader of choice 0 sees. */
ELS_PRIVATE elelem_status els_recorder_text(elelem_recorder *r, const elelem_event *event)
{
    int is_text = event->kind == ELELEM_EVENT_PART && event->part.kind == ELELEM_PART_MESSAGE && event->choice == 0;

    if (!is_text || event->part.text.size == 0) return ELELEM_OK;
    r->els_count++;
    return els_recorder_fail(r, els_sink_put(&r->els_sink, event->part.text));
}

elelem_status elelem_recorder_push(elelem_recorder *recorder, const elelem_event *event)
{
    elelem_writer writer;
    elelem_status status = (elelem_status)recorder->els_status;

    if (status != ELELEM_OK) return status;
    if (!els_is_event(event)) return ELELEM_ERROR_MISUSE;
    if (recorder->els_format == ELELEM_RECORD_TEXT) return els_recorder_text(recorder, event);
    status = els_check_metadata(&recorder->els_check, &event->metadata);
    if (status == ELELEM_OK) status = els_recorder_begin(recorder, &writer);
    if (status != ELELEM_OK) return status;
    els_put_event(&writer, event);
    return els_recorder_end(recorder, &writer, &event->metadata);
}

/* OK where the line is one JSON object. */
ELS_PRIVATE elelem_status els_check_object(elelem_fragment_parser *check, elelem_str line)
{
    els_cursor in = els_cursor_of(line.data, line.size);
    elelem_status status = els_check_json(check, line);

    if (status != ELELEM_OK) return status;
    return els_json_find(&in) && *in.at == '{' ? ELELEM_OK : ELELEM_ERROR_TYPE;
}

elelem_status elelem_recorder_push_line(elelem_recorder *recorder, elelem_str line)
{
    elelem_writer writer;
    elelem_status status = (elelem_status)recorder->els_status;

    if (status == ELELEM_OK) status = els_check_object(&recorder->els_check, line);
    if (status != ELELEM_OK || recorder->els_format == ELELEM_RECORD_TEXT) return status;
    status = els_recorder_begin(recorder, &writer);
    if (status == ELELEM_OK)
        status = els_recorder_fail(recorder, els_line_write(&recorder->els_sink, line.data, line.size));
    return status == ELELEM_OK ? els_recorder_close(recorder) : status;
}

ELS_PRIVATE elelem_status els_check_executed(elelem_fragment_parser *check, const elelem_tool_executed *executed)
{
    elelem_status status = ELELEM_OK;

    if (executed->input.size > 0) status = els_check_json(check, executed->input);
    if (status == ELELEM_OK && executed->output.size > 0 && !executed->output_is_text)
        status = els_check_json(check, executed->output);
    return status;
}

ELS_PRIVATE void els_put_executed(elelem_writer *writer, const elelem_tool_executed *executed)
{
    els_put_type(writer, "ToolExecuted");
    els_put_known_string(writer, "id", executed->id);
    els_put_string(writer, "toolName", executed->name);
    if (executed->input.size > 0) els_put_json(writer, "input", executed->input);
    if (executed->output_is_text)
        els_put_string(writer, "output", executed->output);
    else if (executed->output.size > 0)
        els_put_json(writer, "output", executed->output);
}

elelem_status elelem_recorder_push_executed(elelem_recorder *recorder, const elelem_tool_executed *executed)
{
    elelem_writer writer;
    elelem_status status = (elelem_status)recorder->els_status;

    if (status == ELELEM_OK) status = els_check_executed(&recorder->els_check, executed);
    if (status != ELELEM_OK || recorder->els_format == ELELEM_RECORD_TEXT) return status;
    status = els_recorder_begin(recorder, &writer);
    if (status != ELELEM_OK) return status;
    els_put_executed(&writer, executed);
    return els_recorder_end(recorder, &writer, NULL);
}

uint64_t elelem_recorder_count(const elelem_recorder *recorder)
{
    return recorder->els_first + recorder->els_count;
}

void elelem_recorder_time(elelem_recorder *recorder, int64_t now_ms)
{
    recorder->els_time_ms = now_ms;
}

void elelem_recorder_reset(elelem_recorder *recorder)
{
    recorder->els_status = ELELEM_OK;
    recorder->els_count = 0;
    recorder->els_time_ms = -1;
    if (recorder->els_extra.size > 0)
        recorder->els_status = els_check_members(&recorder->els_check, recorder->els_extra);
}

void elelem_recorder_init(elelem_recorder *recorder, const elelem_recorder_desc *desc)
{
    memset(recorder, 0, sizeof *recorder);
    recorder->els_sink = desc->sink;
    recorder->els_extra = desc->extra;
    recorder->els_first = desc->first;
    recorder->els_format = desc->format;
    els_check_init(&recorder->els_check, desc->allocator);
    elelem_recorder_reset(recorder);
}

void elelem_recorder_free(elelem_recorder *recorder)
{
    elelem_fragment_parser_free(&recorder->els_check);
}

#endif
