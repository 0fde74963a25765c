/* Records as tests make them: a recorder into a buffer, and lines as text. Include elelem_stream.h
 * first. */
#ifndef RECORDS_H
#define RECORDS_H

#include "check.h"
#include "events.h"

static inline elelem_str text_of(const char *text)
{
    return elelem_str_of(text);
}

static const elelem_allocator no_allocator = ELELEM_INIT;

/* A recorder into a buffer. */

static elelem_buffer out;
static elelem_recorder recorder;
static elelem_recorder_desc recorder_desc;

static inline void open_recorder(void)
{
    elelem_buffer_free(&out);
    elelem_recorder_free(&recorder);
    elelem_buffer_init(&out, no_allocator, 0);
    memset(&recorder_desc, 0, sizeof recorder_desc);
    recorder_desc.sink = elelem_buffer_sink(&out);
}

static inline void start_recorder(void)
{
    elelem_recorder_init(&recorder, &recorder_desc);
}

static inline void close_recorder(void)
{
    elelem_recorder_free(&recorder);
    elelem_buffer_free(&out);
}

static inline void record(elelem_event event)
{
    CHECK_INT(elelem_recorder_push(&recorder, &event), ELELEM_OK);
}

#define CHECK_OUT(expected) CHECK_STR(elelem_buffer_text(&out).data, elelem_buffer_text(&out).size, expected)

/* Lines. */

#define TEXT(chunk) "{\"eventType\":\"PartialResponse\",\"index\":0,\"chunk\":\"" chunk "\"}\n"
#define THINKING(chunk) "{\"eventType\":\"PartialThinking\",\"index\":0,\"chunk\":\"" chunk "\"}\n"
#define BEFORE "{\"eventType\":\"BeforeToolExecution\",\"toolName\":\"get_weather\",\"input\":{\"city\":\"Seattle\"}}\n"
#define EXECUTED "{\"eventType\":\"ToolExecuted\",\"toolName\":\"get_weather\",\"output\":{\"temp\":72}}\n"
#define START(index, id) "{\"eventType\":\"ToolCallStart\",\"index\":" index ",\"id\":\"" id "\",\"toolName\":\"f\"}\n"
#define ARGUMENTS(index, text) "{\"eventType\":\"ToolCallArguments\",\"index\":" index ",\"chunk\":\"" text "\"}\n"
#define FLUSH(index) "{\"eventType\":\"Flush\",\"index\":" index "}\n"
#define CALL(index, id, input) \
    "{\"eventType\":\"BeforeToolExecution\",\"index\":" index ",\"id\":\"" id "\",\"toolName\":\"f\",\"input\":" input "}\n"

#endif
