#ifndef ELS_RECORDER_C
#define ELS_RECORDER_C
#include "recorder.h"
#include "base.c"
#include "fragment.c"
#include "parser.c"
#include "writer.c"
#include "event.c"
#include "metadata.c"
#include "line.c"
#include "call.c"

/* >> recorder */

/* A private format: the lines as elements of an array. */
#define ELS_RECORD_ELEMENTS 3

ELS_PRIVATE elelem_status els_recorder_fail(elelem_recorder *r, elelem_status status)
{
    if (status != ELELEM_OK) r->els_status = status;
    return status;
}

/* The same for what was refused before anything was written: a refusal of memory changes nothing. */
ELS_PRIVATE elelem_status els_recorder_refuse(elelem_recorder *r, elelem_status status)
{
    return status == ELELEM_ERROR_MEMORY ? status : els_recorder_fail(r, status);
}

/* The caller's own members must not have names that lines have. */
ELS_PRIVATE elelem_status els_recorder_check_extra(elelem_fragment_parser *check, elelem_str extra)
{
    elelem_status status = els_line_check_members(check, extra);
    els_cursor in = els_cursor_of(extra.data, extra.size);
    els_line_member member;

    if (status != ELELEM_OK) return status;
    while (els_line_next_member(&in, &member))
        if (els_line_is_reserved(member.key)) return ELELEM_ERROR_MISUSE;
    return ELELEM_OK;
}

/* OK, or why nothing can be pushed: an error that sticks, or extra members that could not be checked yet. */
ELS_PRIVATE elelem_status els_recorder_ready(elelem_recorder *r)
{
    elelem_status status = (elelem_status)r->els_status;

    if (r->els_open.els_max == 0) return ELELEM_ERROR_MISUSE;
    if (status != ELELEM_OK || r->els_extra_is_checked) return status;
    if (r->els_extra.size > 0) status = els_recorder_check_extra(&r->els_check, r->els_extra);
    r->els_extra_is_checked = status == ELELEM_OK;
    return els_recorder_refuse(r, status);
}

ELS_PRIVATE elelem_status els_recorder_open_frame(elelem_recorder *r)
{
    elelem_writer id;
    elelem_status status = els_sink_put(&r->els_sink, elelem_str_of("id: "));

    elelem_writer_init(&id, r->els_sink, 0);
    if (status == ELELEM_OK) status = elelem_writer_uint64(&id, elelem_recorder_count(r) + 1);
    return status == ELELEM_OK ? els_sink_put(&r->els_sink, elelem_str_of("\ndata: ")) : status;
}

/* Writes what is before the object of a line. */
ELS_PRIVATE elelem_status els_recorder_open(elelem_recorder *r)
{
    if (r->els_format == ELELEM_RECORD_SSE) return els_recorder_open_frame(r);
    if (r->els_format == ELS_RECORD_ELEMENTS)
        return els_sink_put(&r->els_sink, elelem_str_of(r->els_count > 0 ? "," : "["));
    return r->els_sink.write ? ELELEM_OK : ELELEM_ERROR_SINK;
}

/* Ends the object and its line in one piece: a line that was cut is no object. */
ELS_PRIVATE elelem_status els_recorder_close(elelem_recorder *r)
{
    const char *end = r->els_format == ELELEM_RECORD_SSE ? "}\n\n" : r->els_format == ELELEM_RECORD_LINES ? "}\n" : "}";
    elelem_status status = els_sink_put(&r->els_sink, elelem_str_of(end));

    if (status == ELELEM_OK) r->els_count++;
    return els_recorder_fail(r, status);
}

/* Begins a line: what is written to the writer is its object. */
ELS_PRIVATE elelem_status els_recorder_begin(elelem_recorder *r, elelem_writer *writer)
{
    elelem_writer_init(writer, els_line_sink(&r->els_sink), 0);
    return els_recorder_fail(r, els_recorder_open(r));
}

ELS_PRIVATE elelem_status els_recorder_write(elelem_recorder *r, const elelem_event *event, int64_t time_ms,
                                             elelem_str extra)
{
    elelem_writer writer;
    elelem_status status = els_recorder_begin(r, &writer);

    if (status != ELELEM_OK) return status;
    els_line_put_event(&writer, event);
    status = els_line_put_rest(&writer, time_ms, extra, &event->metadata);
    return status == ELELEM_OK ? els_recorder_close(r) : els_recorder_fail(r, status);
}

/* Writes the plain text of a stream: what a reader of choice 0 sees. */
ELS_PRIVATE elelem_status els_recorder_text(elelem_recorder *r, const elelem_event *event)
{
    int is_text = event->kind == ELELEM_EVENT_PART && event->part.kind == ELELEM_PART_MESSAGE && event->choice == 0;
    elelem_status status;

    if (!is_text || event->part.text.size == 0) return ELELEM_OK;
    status = els_sink_put(&r->els_sink, event->part.text);
    if (status == ELELEM_OK) r->els_count++;
    return els_recorder_fail(r, status);
}

/* Writes the BeforeToolExecution line of a call that is flushed, with the metadata of both. */
ELS_PRIVATE elelem_status els_recorder_call(elelem_recorder *r, els_call *call, const elelem_metadata *of_flush)
{
    elelem_metadata metadata;
    elelem_str input;
    elelem_writer writer;
    elelem_status status = els_call_input(&r->els_check, call, &input);

    if (status == ELELEM_OK) status = els_calls_merge(&r->els_open, call, of_flush);
    if (status != ELELEM_OK) return els_recorder_refuse(r, status);
    metadata = els_meta_list(&call->meta);
    status = els_recorder_begin(r, &writer);
    if (status != ELELEM_OK) return status;
    els_line_put_call(&writer, call, input);
    status = els_line_put_rest(&writer, r->els_time_ms, r->els_extra, &metadata);
    if (status != ELELEM_OK) return els_recorder_fail(r, status);
    els_calls_close(&r->els_open, call);
    return els_recorder_close(r);
}

/* Follows the tool calls of a stream. What is open at its end stays so: the next stream has
   the same indexes again. */
ELS_PRIVATE elelem_status els_recorder_follow(elelem_recorder *r, const elelem_event *event)
{
    els_call *call;

    if (event->kind == ELELEM_EVENT_PART && event->part.kind == ELELEM_PART_TOOL_CALL)
        return els_recorder_refuse(r, els_calls_take(&r->els_open, event));
    if (event->kind == ELELEM_EVENT_FINISHED || event->kind == ELELEM_EVENT_ERROR) els_calls_clear(&r->els_open);
    if (event->kind != ELELEM_EVENT_FLUSH) return ELELEM_OK;
    call = els_calls_find(&r->els_open, event->index);
    if (call) call->cut_off = event->cut_off;
    return call ? els_recorder_call(r, call, &event->metadata) : ELELEM_OK;
}

elelem_status elelem_recorder_push(elelem_recorder *recorder, const elelem_event *event)
{
    elelem_status status = els_recorder_ready(recorder);

    if (status != ELELEM_OK) return status;
    if (!els_line_type_of(event)) return ELELEM_ERROR_MISUSE;
    if (recorder->els_format == ELELEM_RECORD_TEXT) return els_recorder_text(recorder, event);
    status = els_line_check_metadata(&recorder->els_check, &event->metadata);
    if (status == ELELEM_OK && recorder->els_tool_calls) status = els_recorder_follow(recorder, event);
    if (status != ELELEM_OK) return status;
    return els_recorder_write(recorder, event, recorder->els_time_ms, recorder->els_extra);
}

elelem_status elelem_recorder_push_line(elelem_recorder *recorder, elelem_str line)
{
    elelem_status status = els_recorder_ready(recorder);

    if (status == ELELEM_OK) status = els_line_check_object(&recorder->els_check, line);
    if (status != ELELEM_OK || recorder->els_format == ELELEM_RECORD_TEXT) return status;
    status = els_recorder_open(recorder);
    line = els_trimmed(line);
    if (status == ELELEM_OK) status = els_line_write(&recorder->els_sink, line.data, line.size - 1);
    return status == ELELEM_OK ? els_recorder_close(recorder) : els_recorder_fail(recorder, status);
}

elelem_status elelem_recorder_push_item(elelem_recorder *recorder, const elelem_record_item *item)
{
    elelem_status status = els_recorder_ready(recorder);

    if (status != ELELEM_OK) return status;
    if (item->kind == ELELEM_RECORD_LINE) return elelem_recorder_push_line(recorder, item->line);
    status = els_line_check_item(&recorder->els_check, item);
    if (status != ELELEM_OK) return status;
    if (recorder->els_format == ELELEM_RECORD_TEXT) return els_recorder_text(recorder, &item->event);
    return els_recorder_write(recorder, &item->event, item->time_ms, item->extra);
}

ELS_PRIVATE elelem_status els_line_check_executed(elelem_fragment_parser *check, const elelem_tool_executed *executed)
{
    elelem_status status = ELELEM_OK;

    if (executed->input.size > 0) status = els_line_check_json(check, executed->input);
    if (status == ELELEM_OK && executed->output.size > 0 && !executed->output_is_text)
        status = els_line_check_json(check, executed->output);
    return status;
}

ELS_PRIVATE void els_line_put_executed(elelem_writer *writer, const elelem_tool_executed *executed)
{
    els_line_put_type(writer, "ToolExecuted");
    els_line_put_known_string(writer, "id", executed->id);
    els_put_text(writer, "toolName", executed->name);
    if (executed->input.size > 0) els_put_json(writer, "input", executed->input);
    if (executed->output_is_text)
        els_put_text(writer, "output", executed->output);
    else if (executed->output.size > 0)
        els_put_json(writer, "output", executed->output);
}

elelem_status elelem_recorder_push_executed(elelem_recorder *recorder, const elelem_tool_executed *executed)
{
    static const elelem_metadata none = { NULL, 0 };
    elelem_writer writer;
    elelem_status status = els_recorder_ready(recorder);

    if (status == ELELEM_OK) status = els_line_check_executed(&recorder->els_check, executed);
    if (status != ELELEM_OK || recorder->els_format == ELELEM_RECORD_TEXT) return status;
    status = els_recorder_begin(recorder, &writer);
    if (status != ELELEM_OK) return status;
    els_line_put_executed(&writer, executed);
    status = els_line_put_rest(&writer, recorder->els_time_ms, recorder->els_extra, &none);
    return status == ELELEM_OK ? els_recorder_close(recorder) : els_recorder_fail(recorder, status);
}

uint64_t elelem_recorder_count(const elelem_recorder *recorder)
{
    return recorder->els_first + recorder->els_count;
}

void elelem_recorder_time(elelem_recorder *recorder, int64_t now_ms)
{
    recorder->els_time_ms = now_ms;
}

elelem_error elelem_recorder_error(const elelem_recorder *recorder)
{
    elelem_status status = (elelem_status)recorder->els_status;

    if (recorder->els_open.els_max == 0) status = ELELEM_ERROR_MISUSE;
    return els_error(status, status == ELELEM_OK ? 0 : elelem_recorder_count(recorder));
}

void elelem_recorder_reset(elelem_recorder *recorder)
{
    if (recorder->els_open.els_max == 0) return;
    els_calls_clear(&recorder->els_open);
    recorder->els_status = ELELEM_OK;
    recorder->els_count = 0;
    recorder->els_time_ms = -1;
    recorder->els_extra = els_trimmed(recorder->els_extra);
    recorder->els_extra_is_checked = 0;
}

void elelem_recorder_init(elelem_recorder *recorder, const elelem_recorder_desc *desc)
{
    memset(recorder, 0, sizeof *recorder);
    recorder->els_sink = desc->sink;
    recorder->els_extra = desc->extra;
    recorder->els_first = desc->first;
    recorder->els_format = desc->format;
    recorder->els_tool_calls = desc->tool_calls;
    els_line_check_init(&recorder->els_check, desc->allocator, ELS_LINE_DEPTH, 1);
    els_calls_init(&recorder->els_open, desc->allocator, desc->max_call_bytes, desc->max_calls);
    elelem_recorder_reset(recorder);
}

void elelem_recorder_free(elelem_recorder *recorder)
{
    elelem_fragment_parser_free(&recorder->els_check);
    els_calls_free(&recorder->els_open);
    memset(recorder, 0, sizeof *recorder);
}

#endif
