#ifndef ELS_REQUEST_WRITE_C
#define ELS_REQUEST_WRITE_C
#include "request_write.h"
#include "base.c"
#include "text.c"
#include "writer.c"
#include "provider.c"
#include "line.c"
#include "talk.c"
#include "request.c"
#include "request_chat.c"
#include "request_responses.c"
#include "request_messages.c"
#include "request_gemini.c"
#include "request_interactions.c"

/* >> request_write */

/* The sink of the caller gets long pieces. */
typedef struct els_outlet {
    elelem_sink sink;
    size_t size;
    char bytes[512];
} els_outlet;

ELS_PRIVATE elelem_status els_outlet_flush(els_outlet *out)
{
    size_t size = out->size;

    out->size = 0;
    return els_sink_put(&out->sink, els_str(out->bytes, size));
}

ELS_PRIVATE elelem_status els_outlet_write(void *context, const void *bytes, size_t size)
{
    els_outlet *out = (els_outlet *)context;
    elelem_status status = size > sizeof out->bytes - out->size ? els_outlet_flush(out) : ELELEM_OK;

    if (status < 0) return status;
    if (size > sizeof out->bytes) return els_sink_put(&out->sink, els_str(bytes, size));
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_ignore(void *context, const void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return ELELEM_OK;
}

/* How each shape is written. */
typedef struct els_asking {
    const elelem_shape *shape;
    void (*write)(els_ask *ask);
    const char *id_marks; /* what an id may have in addition to letters and digits */
} els_asking;

ELS_PRIVATE const els_asking *els_asking_of(const elelem_shape *shape)
{
    static const els_asking all[] = {
#ifndef ELELEM_NO_CHAT
        { &elelem_shape_chat, els_ask_chat, "_-.:" },
#endif
#ifndef ELELEM_NO_RESPONSES
        { &elelem_shape_responses, els_ask_responses, "_-.:" },
#endif
#ifndef ELELEM_NO_MESSAGES
        { &elelem_shape_messages, els_ask_messages, "_-" },
#endif
#ifndef ELELEM_NO_GEMINI
        { &elelem_shape_gemini, els_ask_gemini, "_-" },
#endif
#ifndef ELELEM_NO_INTERACTIONS
        { &elelem_shape_interactions, els_ask_interactions, "_-" },
#endif
        { NULL, NULL, NULL }
    };
    size_t i;

    for (i = 0; all[i].shape; i++)
        if (all[i].shape == shape) return &all[i];
    return NULL;
}

/* Checks. */

ELS_PRIVATE void els_ask_misuse(els_ask *ask, const char *message)
{
    els_ask_refuse(ask, ELELEM_ERROR_MISUSE, 0, message);
}

/* Nonzero for what all providers take as the name of a tool or a schema. */
ELS_PRIVATE int els_is_name(elelem_str name)
{
    size_t i;

    for (i = 0; i < name.size; i++)
        if (!els_is_in_name((unsigned char)name.data[i])) return 0;
    return name.size > 0 && name.size <= ELS_NAME_SIZE;
}

ELS_PRIVATE int els_is_object(elelem_str json)
{
    return els_is_json(json) && els_trimmed(json).data[0] == '{';
}

ELS_PRIVATE int els_is_members(elelem_str members)
{
    els_checker checker;

    els_checker_init(&checker);
    return els_line_check_members(&checker.parser, members) == ELELEM_OK;
}

ELS_PRIVATE int els_is_number(elelem_str json)
{
    return json.size == 0 || (els_is_json(json) && (json.data[0] == '-' || (json.data[0] >= '0' && json.data[0] <= '9')));
}

ELS_PRIVATE void els_check_tool(els_ask *ask, size_t which)
{
    const elelem_tool *tools = ask->request->tools;
    size_t i;

    if (!els_is_name(tools[which].name)) els_ask_misuse(ask, ELS_WORDS("the name of a tool has other characters than letters, digits, _ and -"));
    if (tools[which].parameters.size > 0 && !els_is_object(tools[which].parameters))
        els_ask_misuse(ask, ELS_WORDS("the parameters of a tool are no JSON object"));
    for (i = 0; i < which; i++)
        if (elelem_str_equal(tools[i].name, tools[which].name)) els_ask_misuse(ask, ELS_WORDS("two tools have one name"));
}

ELS_PRIVATE void els_check_tools(els_ask *ask)
{
    const elelem_request *r = ask->request;
    size_t i;

    for (i = 0; i < r->tool_count && ask->error.status == ELELEM_OK; i++)
        els_check_tool(ask, i);
    if (r->tool_choice > ELELEM_TOOL_CHOICE_NAMED) els_ask_misuse(ask, ELS_WORDS("the tool choice is unknown"));
    if (r->tool_count > 0 && r->tool_choice == ELELEM_TOOL_CHOICE_NAMED && !els_is_tool(r, r->tool_choice_name))
        els_ask_misuse(ask, ELS_WORDS("no tool has the name of the tool choice"));
}

ELS_PRIVATE void els_check_settings(els_ask *ask)
{
    const elelem_request *r = ask->request;

    if (r->model.size == 0) els_ask_misuse(ask, ELS_WORDS("there is no model"));
    if (!els_is_number(r->temperature) || !els_is_number(r->top_p) || !els_is_number(r->top_k) || !els_is_number(r->seed))
        els_ask_misuse(ask, ELS_WORDS("temperature, top_p, top_k or seed is no JSON number"));
    if (r->schema.size > 0 && !elelem_str_is(r->schema, "true") && !els_is_object(r->schema))
        els_ask_misuse(ask, ELS_WORDS("the schema is no JSON object"));
    if (r->schema_name.size > 0 && !els_is_name(r->schema_name))
        els_ask_misuse(ask, ELS_WORDS("the name of the schema has other characters than letters, digits, _ and -"));
    if (!els_is_members(r->extra) || !els_is_members(r->extra_config))
        els_ask_misuse(ask, ELS_WORDS("the extra members are no members of a JSON object"));
}

/* Finds the start of the turn that is not over. Apart, so that its variables are not on the stack when the body is written. */
ELS_ALONE void els_ask_find_turn(els_ask *ask)
{
    els_talk talk = els_talk_of(ask->request->history);
    els_talk_item item;

    while (els_talk_next(&talk, &item))
        if (item.line.kind == ELS_TALK_USER && els_user_shows(&item)) ask->last_user = item.end;
}

/* Checks the lines. */
ELS_PRIVATE void els_check_history(els_ask *ask)
{
    els_talk_fault fault;

    if (!els_talk_check(ask->request->history, &fault)) {
        els_ask_refuse(ask, fault.status, fault.offset, fault.message);
        return;
    }
    els_ask_find_turn(ask);
}

/* Writing. */

ELS_PRIVATE void els_ask_body(els_ask *ask, const els_asking *asking, elelem_sink sink)
{
    ask->messages = 0;
    ask->role = NULL;
    els_step_restart(ask);
    elelem_writer_init(&ask->writer, sink, 0);
    els_begin_object(&ask->writer);
    asking->write(ask);
    els_put_members(&ask->writer, ask->request->extra);
    if (ask->messages == 0 && !els_has_member(ask->request->extra, "messages") && !els_has_member(ask->request->extra, "input") &&
        !els_has_member(ask->request->extra, "contents"))
        els_ask_misuse(ask, ELS_WORDS("the history has nothing to send"));
}

/* Writes the body to nowhere, which finds everything that is wrong. */
ELS_PRIVATE void els_ask_check(els_ask *ask, const els_asking *asking)
{
    elelem_sink nowhere = { els_ignore, NULL };

    els_check_settings(ask);
    els_check_tools(ask);
    if (ask->error.status == ELELEM_OK) els_check_history(ask);
    if (ask->error.status == ELELEM_OK) els_ask_body(ask, asking, nowhere);
}

elelem_error elelem_request_write(const elelem_request *request, elelem_sink sink)
{
    els_ask ask;
    els_outlet out;
    elelem_sink buffered = { els_outlet_write, NULL };
    const els_asking *asking;

    memset(&ask, 0, sizeof ask);
    ask.request = request;
    ask.shape = request->shape ? request->shape : request->provider ? request->provider->shape : NULL;
    ask.dialect = elelem_provider_dialect(request->provider);
    asking = els_asking_of(ask.shape);
    if (!asking) {
        els_ask_misuse(&ask, ELS_WORDS("there is no shape, or one that has no requests"));
        return ask.error;
    }
    ask.id_marks = asking->id_marks;
    els_ask_check(&ask, asking);
    if (ask.error.status != ELELEM_OK) return ask.error;
    out.sink = sink;
    out.size = 0;
    buffered.context = &out;
    els_ask_body(&ask, asking, buffered);
    els_end_object(&ask.writer);
    if (ask.writer.els_status == ELELEM_OK) ask.writer.els_status = els_outlet_flush(&out);
    ask.error = els_error((elelem_status)ask.writer.els_status, 0);
    if (ask.note && ask.error.status == ELELEM_OK) ask.error.message = ask.note;
    return ask.error;
}

#endif
