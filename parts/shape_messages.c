#ifndef ELS_SHAPE_MESSAGES_C
#define ELS_SHAPE_MESSAGES_C
#include "shape_messages.h"
#include "shape.c"
#include "recovery.h"

/* >> shape_messages */

#ifndef ELELEM_NO_MESSAGES

/* What is read of a block, at the row of its object. */
#define ELS_MESSAGES_BLOCK(row)                \
    ELELEM_PATTERN_MEMBER(row, "type", 1),      \
    ELELEM_PATTERN_MEMBER(row, "text", 1),      \
    ELELEM_PATTERN_MEMBER(row, "citations", 1), \
    ELELEM_PATTERN_MEMBER(row, "thinking", 1),  \
    ELELEM_PATTERN_MEMBER(row, "signature", 1), \
    ELELEM_PATTERN_MEMBER(row, "data", 1),      \
    ELELEM_PATTERN_MEMBER(row, "id", 1),        \
    ELELEM_PATTERN_MEMBER(row, "name", 1),      \
    ELELEM_PATTERN_MEMBER(row, "input", 1),     \
    ELELEM_PATTERN_MEMBER(row, "caller", 1)

/* Frames: message_start, then for each block content_block_start, content_block_delta…,
   content_block_stop, then message_delta and message_stop; ping and error anywhere. */
static const elelem_pattern_node els_messages_paths[] = {
    ELELEM_PATTERN_ROOT(0),
    ELELEM_PATTERN_MEMBER(0, "type", 1),
    ELELEM_PATTERN_MEMBER(0, "index", 1),
    ELELEM_PATTERN_MEMBER(0, "delta", 0),
    ELELEM_PATTERN_MEMBER(0, "usage", 1),
    ELELEM_PATTERN_MEMBER(0, "content_block", 0),
    ELELEM_PATTERN_MEMBER(0, "message", 0),
    ELELEM_PATTERN_MEMBER(0, "error", 1),
    ELELEM_PATTERN_MEMBER(0, "request_id", 1),
    ELELEM_PATTERN_MEMBER(3, "type", 1),
    ELELEM_PATTERN_MEMBER(3, "text", 1),
    ELELEM_PATTERN_MEMBER(3, "partial_json", 1),
    ELELEM_PATTERN_MEMBER(3, "thinking", 1),
    ELELEM_PATTERN_MEMBER(3, "signature", 1),
    ELELEM_PATTERN_MEMBER(3, "citation", 1),
    ELELEM_PATTERN_MEMBER(3, "stop_reason", 1),
    ELELEM_PATTERN_MEMBER(3, "stop_sequence", 1),
    ELELEM_PATTERN_MEMBER(3, "stop_details", 1),
    ELS_MESSAGES_BLOCK(5),
    ELELEM_PATTERN_MEMBER(6, "usage", 1),
    ELELEM_PATTERN_MEMBER(6, "stop_reason", 1),
    ELELEM_PATTERN_MEMBER(6, "stop_sequence", 1),
    ELELEM_PATTERN_MEMBER(6, "stop_details", 1),
    ELELEM_PATTERN_MEMBER(6, "content", 0),
    ELELEM_PATTERN_ELEMENTS(32, 0),
    ELS_MESSAGES_BLOCK(33),
};

/* What memory[] holds: whether anything of a message came. */
enum { ELS_MESSAGES_ANY };

/* What is left to do for the frame. */
enum {
    ELS_MESSAGES_FRAME,   /* to look at it */
    ELS_MESSAGES_CONTENT, /* blocks that message_start holds whole */
    ELS_MESSAGES_CLOSE,   /* items that no content_block_stop closed */
    ELS_MESSAGES_STOP     /* the same at the end of the message, and then that end */
};

/* The kind of a block that is open and left out: no part ever has it. */
#define ELS_MESSAGES_SKIPPED (ELELEM_PART_TOOL_CALL + 1)

/* The mark of a call whose arguments came whole when it began. */
#define ELS_MESSAGES_WHOLE 1

static elelem_value els_messages_member(const elelem_shape_context *c, const char *key)
{
    return elelem_value_get(elelem_shape_document(c), key);
}

/* Blocks. */

/* The open item of the block with this wire number, left-out ones too; null for none. */
static els_item *els_messages_item(const elelem_shape_context *c, uint32_t key)
{
    uint32_t i;

    for (i = c->els_item_count; i > 0; i--)
        if (els_items(c)[i - 1].key == key && !els_items(c)[i - 1].waits) return &els_items(c)[i - 1];
    return NULL;
}

/* The key of a block whose start has no number. */
#define ELS_MESSAGES_NO_NUMBER 0xffffffffu

static uint32_t els_messages_key(const elelem_shape_context *c)
{
    return els_wire_number_or(els_messages_member(c, "index"), ELS_MESSAGES_NO_NUMBER);
}

/* The open block that a delta or a stop is about; null if there is none. Blocks follow one another, so a frame
   without a number is about the newest, and one whose number is no block's is about one that began without. */
static els_item *els_messages_block(const elelem_shape_context *c)
{
    uint32_t key = els_messages_key(c);
    els_item *item = els_messages_item(c, key);
    uint32_t i;

    if (item) return item;
    if (key != ELS_MESSAGES_NO_NUMBER) return els_messages_item(c, ELS_MESSAGES_NO_NUMBER);
    for (i = c->els_item_count; i > 0; i--)
        if (!els_items(c)[i - 1].waits) return &els_items(c)[i - 1];
    return NULL;
}

static unsigned els_messages_kind(const elelem_shape_context *c, elelem_value block)
{
    elelem_str type = els_member_text(block, "type");

    if (elelem_str_is(type, "text")) return (unsigned)elelem_shape_message_kind(c);
    if (elelem_str_is(type, "thinking") || elelem_str_is(type, "redacted_thinking")) return ELELEM_PART_REASONING;
    if (elelem_str_is(type, "tool_use")) return ELELEM_PART_TOOL_CALL;
    return ELS_MESSAGES_SKIPPED;
}

/* What a block's end adds: its signature, which goes with the FLUSH, or where nothing was to be flushed
   yet, with a part of its own. */
static void els_messages_sign(elelem_shape_context *c, uint32_t index)
{
    els_metadata_kept(c, index, "signature");
    if (!els_item_at(c, index)->had_part) elelem_shape_text(c, index, els_str(NULL, 0));
}

/* Ends a block at its content_block_stop, which comes before the reason: at most two events. */
static void els_messages_stop_block(elelem_shape_context *c, uint32_t index)
{
    els_messages_sign(c, index);
    elelem_shape_item_close(c, index);
}

/* Ends a block that had no content_block_stop: at most two events. */
static void els_messages_cut_block(elelem_shape_context *c, uint32_t index)
{
    els_messages_sign(c, index);
    elelem_shape_flush_as(c, index, ELELEM_SHAPE_STOPPED);
}

/* Ends the first block that is still open, or waits for the reason: at most two events. 0 where there is none. */
static int els_messages_end_one(elelem_shape_context *c)
{
    if (c->els_item_count == 0) return 0;
    els_messages_sign(c, els_items(c)[0].index);
    elelem_shape_flush_one(c, 0);
    return 1;
}

/* Citations may stand in the block, or come one by one. */
static void els_messages_cite(elelem_shape_context *c, elelem_value citations)
{
    if (elelem_value_type(elelem_value_first(citations)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "citations", citations);
}

static void els_messages_begin_call(elelem_shape_context *c, uint32_t index, elelem_value block)
{
    elelem_value input = elelem_value_get(block, "input");
    elelem_value caller = elelem_value_get(block, "caller");

    if (elelem_value_type(caller) == ELELEM_TYPE_OBJECT) elelem_shape_metadata_value(c, "caller", caller);
    elelem_shape_tool_start(c, index, els_member_text(block, "id"), els_member_text(block, "name"));
    if (elelem_value_type(input) != ELELEM_TYPE_OBJECT || elelem_value_type(elelem_value_first(input)) == ELELEM_TYPE_NONE)
        return;
    elelem_shape_tool_arguments_value(c, index, input);
    if (els_item_at(c, index)) els_item_at(c, index)->marks = ELS_MESSAGES_WHOLE;
}

/* What a block holds when it begins; most hold nothing yet. */
static void els_messages_begin_item(elelem_shape_context *c, uint32_t index, unsigned kind, elelem_value block)
{
    if (kind == ELELEM_PART_TOOL_CALL) {
        els_messages_begin_call(c, index, block);
    } else if (kind == ELELEM_PART_REASONING) {
        elelem_str data = els_member_text(block, "data");
        if (data.size > 0) elelem_shape_metadata_text(c, "redacted_data", data);
        elelem_shape_text(c, index, els_member_text(block, "thinking"));
        els_keep(c, index, els_member_text(block, "signature"));
    } else if (kind != ELS_MESSAGES_SKIPPED) {
        els_messages_cite(c, elelem_value_get(block, "citations"));
        elelem_shape_text(c, index, els_member_text(block, "text"));
    }
}

/* Opens a block: at most four events. One that is open under the same number ends here, as where a
   proxy splices two answers, unless it is the same call once more. */
static void els_messages_begin_block(elelem_shape_context *c, uint32_t key, elelem_value block)
{
    unsigned kind = els_messages_kind(c, block);
    elelem_str id = els_member_text(block, "id");
    const els_item *open = els_messages_item(c, key);
    uint32_t index;

    if (open && open->kind == kind && kind == ELELEM_PART_TOOL_CALL && id.size > 0 &&
        elelem_shape_item_may_be(c, open->index, id))
        return;
    if (open) els_messages_cut_block(c, open->index);
    index = elelem_shape_item_open(c, 0, (elelem_part_kind)kind, key);
    if (index != ELELEM_NO_INDEX) els_messages_begin_item(c, index, kind, block);
}

/* Another model begins behind a fallback block, for the one before it refused: no call of that one goes on.
   Else what begins shows that the model ended what waits. 0 where there is nothing to flush. */
static int els_messages_release(elelem_shape_context *c, elelem_value block)
{
    uint32_t i;

    if (!elelem_str_is(els_member_text(block, "type"), "fallback")) return elelem_shape_release(c, 0);
    for (i = 0; i < c->els_item_count; i++) {
        if (els_items(c)[i].kind != ELELEM_PART_TOOL_CALL) continue;
        elelem_shape_flush_as(c, els_items(c)[i].index, ELELEM_SHAPE_STOPPED);
        return 1;
    }
    return 0;
}

static elelem_status els_messages_block_start(elelem_shape_context *c)
{
    if (els_messages_release(c, els_messages_member(c, "content_block"))) return ELELEM_OK;
    c->memory[ELS_MESSAGES_ANY] = 1;
    els_messages_begin_block(c, els_messages_key(c), els_messages_member(c, "content_block"));
    return ELELEM_MORE;
}

/* The text of a delta under `member` where it is of that type, else empty. */
static elelem_str els_messages_piece(elelem_value delta, const char *type, const char *member)
{
    if (!elelem_str_is(els_member_text(delta, "type"), type)) return els_str(NULL, 0);
    return els_member_text(delta, member);
}

static void els_messages_message_delta(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    elelem_value citation = elelem_value_get(delta, "citation");

    elelem_shape_text(c, index, els_messages_piece(delta, "text_delta", "text"));
    if (elelem_str_is(els_member_text(delta, "type"), "citations_delta") && els_is_value(citation)) {
        els_metadata_in_array(c, "citations", citation);
        elelem_shape_text(c, index, els_str(NULL, 0));
    }
}

/* A delta for a block that never began or has ended is a protocol error: its text would be lost.
   One that does not fit the kind of its block, and those of blocks left out, are ignored. */
static elelem_status els_messages_block_delta(elelem_shape_context *c)
{
    elelem_value delta = els_messages_member(c, "delta");
    const els_item *item = els_messages_block(c);

    if (!item) return ELELEM_ERROR_PROTOCOL;
    if (elelem_shape_release(c, 0)) return ELELEM_OK;
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        if (item->marks != ELS_MESSAGES_WHOLE)
            elelem_shape_tool_arguments(c, item->index, els_messages_piece(delta, "input_json_delta", "partial_json"));
    } else if (item->kind == ELELEM_PART_REASONING) {
        elelem_shape_text(c, item->index, els_messages_piece(delta, "thinking_delta", "thinking"));
        els_keep(c, item->index, els_messages_piece(delta, "signature_delta", "signature"));
    } else if (item->kind != ELS_MESSAGES_SKIPPED) {
        els_messages_message_delta(c, item->index, delta);
    }
    return ELELEM_MORE;
}

/* A stop of a block that is not open is ignored. */
static elelem_status els_messages_block_stop(elelem_shape_context *c)
{
    const els_item *item = els_messages_block(c);

    if (item) els_messages_stop_block(c, item->index);
    return ELELEM_MORE;
}

/* The message. */

static const els_reason_word els_messages_reasons[] = {
    { "end_turn", ELELEM_FINISH_COMPLETED },
    { "stop_sequence", ELELEM_FINISH_COMPLETED },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "model_context_window_exceeded", ELELEM_FINISH_MAX_TOKENS },
    { "tool_use", ELELEM_FINISH_TOOL_CALLS },
    { "refusal", ELELEM_FINISH_CONTENT_FILTER },
};

/* The reason in a message_delta's delta, or already in message_start where the answer is there at once.
   0 where there is none. */
static int els_messages_reason(elelem_shape_context *c, elelem_value from)
{
    elelem_str raw = els_member_text(from, "stop_reason");
    elelem_value details = elelem_value_get(from, "stop_details");
    elelem_value sequence = elelem_value_get(from, "stop_sequence");

    if (raw.size == 0) return 0;
    elelem_shape_reason(c, 0, els_reason_of(els_messages_reasons, ELS_COUNT(els_messages_reasons), raw), raw, 1);
    if (elelem_value_type(details) == ELELEM_TYPE_OBJECT)
        elelem_shape_end_metadata(c, "stop_details", details);
    else if (elelem_value_type(sequence) == ELELEM_TYPE_STRING)
        elelem_shape_end_metadata(c, "stop_sequence", sequence);
    return 1;
}

static void els_messages_count(int64_t *count, elelem_value object, const char *key)
{
    int64_t told = els_count_in(object, key);

    if (told >= 0) *count = told;
}

/* Counts go up from frame to frame, and a later frame may name only some of them. */
static void els_messages_usage(elelem_shape_context *c, elelem_value raw)
{
    elelem_usage usage = c->els_end.usage;

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    els_messages_count(&usage.input, raw, "input_tokens");
    els_messages_count(&usage.output, raw, "output_tokens");
    els_messages_count(&usage.cached, raw, "cache_read_input_tokens");
    els_messages_count(&usage.reasoning, elelem_value_get(raw, "output_tokens_details"), "thinking_tokens");
    elelem_shape_usage(c, usage, raw);
}

/* One comes first; another, from a faulty proxy, is ignored. It holds whole blocks where the model
   only goes on with what a tool of the provider's called for. */
static elelem_status els_messages_start(elelem_shape_context *c)
{
    elelem_value message = els_messages_member(c, "message");

    if (c->memory[ELS_MESSAGES_ANY]) return ELELEM_MORE;
    c->memory[ELS_MESSAGES_ANY] = 1;
    els_messages_usage(c, elelem_value_get(message, "usage"));
    els_messages_reason(c, message);
    c->cursor[0] = elelem_value_first(elelem_value_get(message, "content"));
    c->stage = ELS_MESSAGES_CONTENT;
    return ELELEM_OK;
}

static elelem_status els_messages_content(elelem_shape_context *c)
{
    elelem_value block = c->cursor[0];
    uint32_t key = (uint32_t)elelem_value_index(block);
    const els_item *item;

    if (elelem_value_type(block) == ELELEM_TYPE_NONE) return ELELEM_MORE;
    if (els_messages_release(c, block)) return ELELEM_OK;
    c->cursor[0] = elelem_value_next(block);
    els_messages_begin_block(c, key, block);
    item = els_messages_item(c, key);
    if (item) els_messages_stop_block(c, item->index);
    return ELELEM_OK;
}

/* A frame with the reason is the last before message_stop, so nothing may stay open. */
static elelem_status els_messages_delta(elelem_shape_context *c)
{
    els_messages_usage(c, els_messages_member(c, "usage"));
    if (!els_messages_reason(c, els_messages_member(c, "delta"))) return ELELEM_MORE;
    c->memory[ELS_MESSAGES_ANY] = 1;
    c->stage = ELS_MESSAGES_CLOSE;
    return ELELEM_OK;
}

static elelem_status els_messages_close(elelem_shape_context *c)
{
    return els_messages_end_one(c) ? ELELEM_OK : ELELEM_MORE;
}

/* Without a reason the message counts as completed; without a message it is none. */
static elelem_status els_messages_stop(elelem_shape_context *c)
{
    int had_call = elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL);

    if (!c->memory[ELS_MESSAGES_ANY]) return ELELEM_ERROR_PROTOCOL;
    c->stage = ELS_MESSAGES_STOP;
    if (els_messages_end_one(c)) return ELELEM_OK;
    elelem_shape_reason(c, 0, had_call ? ELELEM_FINISH_TOOL_CALLS : ELELEM_FINISH_COMPLETED, els_str(NULL, 0), 0);
    elelem_shape_finish(c);
    return ELELEM_MORE;
}

/* An error whose JSON has no error member says at best its sentence. */
static elelem_status els_messages_error(elelem_shape_context *c)
{
    if (!elelem_shape_document_error(c)) els_end_with_document(c, elelem_shape_document(c));
    return ELELEM_MORE;
}

/* A frame that says nothing, such as ping, may still hold an error. */
static elelem_status els_messages_other(elelem_shape_context *c)
{
    elelem_shape_document_error(c);
    return ELELEM_MORE;
}

typedef struct els_messages_event {
    const char *type;
    elelem_status (*handle)(elelem_shape_context *c);
} els_messages_event;

static const els_messages_event els_messages_events[] = {
    { "message_start", els_messages_start },
    { "content_block_start", els_messages_block_start },
    { "content_block_delta", els_messages_block_delta },
    { "content_block_stop", els_messages_block_stop },
    { "message_delta", els_messages_delta },
    { "message_stop", els_messages_stop },
    { "error", els_messages_error },
    { "ping", els_messages_other },
};

static const els_messages_event *els_messages_event_of(elelem_str type)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_messages_events); i++)
        if (elelem_str_is(type, els_messages_events[i].type)) return &els_messages_events[i];
    return NULL;
}

/* Goes by the type in the data, and by the event's name if that is not known. */
static elelem_status els_messages_look(elelem_shape_context *c)
{
    const els_messages_event *event = els_messages_event_of(els_member_text(elelem_shape_document(c), "type"));

    if (!event) event = els_messages_event_of(elelem_shape_event_name(c));
    return event ? event->handle(c) : els_messages_other(c);
}

/* Some gateways send [DONE] behind message_stop, or for it. */
static elelem_status els_messages_step(elelem_shape_context *c)
{
    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DONE) return els_messages_stop(c);
    switch (c->stage) {
    case ELS_MESSAGES_CONTENT: return els_messages_content(c);
    case ELS_MESSAGES_CLOSE: return els_messages_close(c);
    case ELS_MESSAGES_STOP: return els_messages_stop(c);
    default: return els_messages_look(c);
    }
}

static elelem_status els_messages_frame(elelem_shape_context *c)
{
    elelem_status status = ELELEM_OK;

    while (status == ELELEM_OK && !elelem_shape_is_over(c))
        status = els_messages_step(c);
    return status < 0 ? status : ELELEM_OK;
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_messages_recovery[] = {
    { "messages[*].role", NULL, ELELEM_RECOVERY_SPEAKER, 0 },
    { "messages[*].content[*].type", NULL, ELELEM_RECOVERY_BLOCK_TYPE, 0 },
    { "messages[*].content[*].signature", "signature", ELELEM_RECOVERY_VALUE,
      ELELEM_REJECTED_SIGNATURE | ELELEM_REJECTED_CHANGE },
    { "messages[*].content[*].data", "redacted_data", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_CHANGE },
};

ELS_DATA const elelem_shape elelem_shape_messages = {
    "messages", els_messages_paths, ELS_COUNT(els_messages_paths), els_messages_frame, 0, 0,
    els_messages_recovery, ELS_COUNT(els_messages_recovery),
};

#endif

#endif
