#ifndef ELS_SHAPE_MESSAGES_C
#define ELS_SHAPE_MESSAGES_C
#include "shape_messages.h"
#include "base.c"
#include "recovery.h"

/* >> shape_messages */

#ifndef ELELEM_NO_MESSAGES

/* What is read of a block; N begins the names of the rows. */
#define ELS_MESSAGES_BLOCK(P, MEMBER, N, PARENT)           \
    MEMBER(P, N##TYPE, PARENT, "type", WHOLE)              \
    MEMBER(P, N##TEXT, PARENT, "text", WHOLE)              \
    MEMBER(P, N##CITATIONS, PARENT, "citations", WHOLE)    \
    MEMBER(P, N##THINKING, PARENT, "thinking", WHOLE)      \
    MEMBER(P, N##SIGNATURE, PARENT, "signature", WHOLE)    \
    MEMBER(P, N##DATA, PARENT, "data", WHOLE)              \
    MEMBER(P, N##ID, PARENT, "id", WHOLE)                  \
    MEMBER(P, N##NAME, PARENT, "name", WHOLE)              \
    MEMBER(P, N##INPUT, PARENT, "input", WHOLE)            \
    MEMBER(P, N##CALLER, PARENT, "caller", WHOLE)

/* Frames: message_start, then for each block content_block_start, content_block_delta…,
   content_block_stop, then message_delta and message_stop; ping and error anywhere. */
#define ELS_MESSAGES_PATHS(P, MEMBER, ELEMENTS)                     \
    MEMBER(P, TYPE, ROOT, "type", WHOLE)                            \
    MEMBER(P, INDEX, ROOT, "index", WHOLE)                          \
    MEMBER(P, DELTA, ROOT, "delta", NOTHING)                        \
    MEMBER(P, USAGE, ROOT, "usage", WHOLE)                          \
    MEMBER(P, BLOCK, ROOT, "content_block", NOTHING)                \
    MEMBER(P, MESSAGE, ROOT, "message", NOTHING)                    \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                          \
    MEMBER(P, REQUEST_ID, ROOT, "request_id", WHOLE)                \
    MEMBER(P, DELTA_TYPE, DELTA, "type", WHOLE)                     \
    MEMBER(P, DELTA_TEXT, DELTA, "text", WHOLE)                     \
    MEMBER(P, DELTA_JSON, DELTA, "partial_json", WHOLE)             \
    MEMBER(P, DELTA_THINKING, DELTA, "thinking", WHOLE)             \
    MEMBER(P, DELTA_SIGNATURE, DELTA, "signature", WHOLE)           \
    MEMBER(P, DELTA_CITATION, DELTA, "citation", WHOLE)             \
    MEMBER(P, DELTA_STOP_REASON, DELTA, "stop_reason", WHOLE)       \
    MEMBER(P, DELTA_STOP_SEQUENCE, DELTA, "stop_sequence", WHOLE)   \
    MEMBER(P, DELTA_STOP_DETAILS, DELTA, "stop_details", WHOLE)     \
    ELS_MESSAGES_BLOCK(P, MEMBER, BLOCK_, BLOCK)                    \
    MEMBER(P, MESSAGE_USAGE, MESSAGE, "usage", WHOLE)               \
    MEMBER(P, MESSAGE_STOP_REASON, MESSAGE, "stop_reason", WHOLE)   \
    MEMBER(P, MESSAGE_STOP_SEQUENCE, MESSAGE, "stop_sequence", WHOLE) \
    MEMBER(P, MESSAGE_STOP_DETAILS, MESSAGE, "stop_details", WHOLE) \
    MEMBER(P, CONTENT, MESSAGE, "content", NOTHING)                 \
    ELEMENTS(P, CONTENT_BLOCK, CONTENT, NOTHING)                    \
    ELS_MESSAGES_BLOCK(P, MEMBER, CONTENT_BLOCK_, CONTENT_BLOCK)

ELELEM_SHAPE_PATHS(ELS_MESSAGES_PATHS, ELS_MESSAGES_, els_messages_paths);

/* State of the stream: nonzero if anything of a message came. */
typedef struct els_messages_stream {
    int has_begun;
} els_messages_stream;

/* State of an item. */
typedef struct els_messages_item {
    uint8_t is_left_out; /* a block of a type that is not emitted */
    uint8_t is_whole;    /* a call: its arguments came whole when it began */
} els_messages_item;

static elelem_value els_messages_member(const elelem_shape_context *c, const char *key)
{
    return elelem_value_get(elelem_shape_document(c), key);
}

/* Blocks. */

static els_messages_stream *els_messages_stream_of(const elelem_shape_context *c)
{
    return (els_messages_stream *)elelem_shape_stream_state(c);
}

static els_messages_item *els_messages_state(const elelem_shape_item *item)
{
    return (els_messages_item *)elelem_shape_item_state(item);
}

/* The open item of the block with this wire number, left-out ones too; null if there is none. */
static elelem_shape_item *els_messages_find(const elelem_shape_context *c, uint32_t key)
{
    elelem_shape_item *item = elelem_shape_item_newest(c);

    while (item && (item->key != key || item->waits))
        item = elelem_shape_item_older(c, item);
    return item;
}

/* The key of a block whose start has no number. */
#define ELS_MESSAGES_NO_NUMBER 0xffffffffu

static uint32_t els_messages_key(const elelem_shape_context *c)
{
    return elelem_shape_number_or(els_messages_member(c, "index"), ELS_MESSAGES_NO_NUMBER);
}

/* The open block that a delta or a stop is about; null if there is none. Blocks follow one another, so a frame
   without a number is about the newest, and one whose number is no block's is about one that began without. */
static elelem_shape_item *els_messages_block(const elelem_shape_context *c)
{
    uint32_t key = els_messages_key(c);
    elelem_shape_item *item = els_messages_find(c, key);

    if (item) return item;
    if (key != ELS_MESSAGES_NO_NUMBER) return els_messages_find(c, ELS_MESSAGES_NO_NUMBER);
    item = elelem_shape_item_newest(c);
    while (item && item->waits)
        item = elelem_shape_item_older(c, item);
    return item;
}

/* The kind of a block of this type. Returns 0 if such blocks are left out. */
static int els_messages_kind(const elelem_shape_context *c, elelem_str type, elelem_part_kind *kind)
{
    if (elelem_str_is(type, "text")) *kind = elelem_shape_message_kind(c);
    else if (elelem_str_is(type, "tool_use")) *kind = ELELEM_PART_TOOL_CALL;
    else if (elelem_str_is(type, "thinking") || elelem_str_is(type, "redacted_thinking")) *kind = ELELEM_PART_REASONING;
    else return 0;
    return 1;
}

/* What a block's end adds: its signature, which goes with the FLUSH, or if nothing was to be flushed
   yet, with a part of its own. */
static void els_messages_sign(elelem_shape_context *c, uint32_t index)
{
    elelem_shape_metadata_kept(c, index, "signature");
    if (!elelem_shape_item_at(c, index)->had_part) elelem_shape_text(c, index, els_str(NULL, 0));
}

/* Ends a block at its content_block_stop, which comes before the reason. */
static void els_messages_stop_block(elelem_shape_context *c, uint32_t index)
{
    els_messages_sign(c, index);
    elelem_shape_item_close(c, index);
}

/* Ends a block that had no content_block_stop. */
static void els_messages_cut_block(elelem_shape_context *c, uint32_t index)
{
    els_messages_sign(c, index);
    elelem_shape_flush_as(c, index, ELELEM_SHAPE_STOPPED);
}

/* Ends what no content_block_stop ended, and what waits for the reason. */
static void els_messages_end_all(elelem_shape_context *c)
{
    const elelem_shape_item *item;

    while ((item = elelem_shape_item_oldest(c)) != NULL) {
        uint32_t index = item->index;
        els_messages_sign(c, index);
        elelem_shape_flush_as(c, index, elelem_shape_choice_ending(c, 0));
    }
}

/* Citations may be in the block, or come one by one. */
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
    elelem_shape_tool_start(c, index, elelem_shape_string_in(block, "id"), elelem_shape_string_in(block, "name"));
    if (elelem_value_type(input) != ELELEM_TYPE_OBJECT || elelem_value_type(elelem_value_first(input)) == ELELEM_TYPE_NONE)
        return;
    elelem_shape_tool_arguments_value(c, index, input);
    els_messages_state(elelem_shape_item_at(c, index))->is_whole = 1;
}

/* What a block holds when it begins; most hold nothing yet. */
static void els_messages_begin_item(elelem_shape_context *c, uint32_t index, elelem_part_kind kind, elelem_value block)
{
    if (kind == ELELEM_PART_TOOL_CALL) {
        els_messages_begin_call(c, index, block);
    } else if (kind == ELELEM_PART_REASONING) {
        elelem_str data = elelem_shape_string_in(block, "data");
        if (data.size > 0) elelem_shape_metadata_text(c, "redacted_data", data);
        elelem_shape_text(c, index, elelem_shape_string_in(block, "thinking"));
        elelem_shape_keep(c, index, elelem_shape_string_in(block, "signature"));
    } else {
        els_messages_cite(c, elelem_value_get(block, "citations"));
        elelem_shape_text(c, index, elelem_shape_string_in(block, "text"));
    }
}

/* Nonzero if the block is the call that is open already. */
static int els_messages_is_call_again(const elelem_shape_context *c, const elelem_shape_item *open, elelem_value block)
{
    elelem_str id = elelem_shape_string_in(block, "id");

    return open->kind == ELELEM_PART_TOOL_CALL && elelem_str_is(elelem_shape_string_in(block, "type"), "tool_use") &&
           id.size > 0 && elelem_shape_item_may_be(c, open->index, id);
}

/* Another model begins after a fallback block, because the one before it refused: no call of that one continues.
   Else what begins shows that the model ended what waits. */
static void els_messages_release(elelem_shape_context *c, elelem_value block)
{
    const elelem_shape_item *item = elelem_shape_item_oldest(c);

    if (!elelem_str_is(elelem_shape_string_in(block, "type"), "fallback")) {
        elelem_shape_release(c, 0);
        return;
    }
    while (item) {
        int is_call = item->kind == ELELEM_PART_TOOL_CALL;
        if (is_call) elelem_shape_flush_as(c, item->index, ELELEM_SHAPE_STOPPED);
        item = is_call ? elelem_shape_item_oldest(c) : elelem_shape_item_newer(c, item);
    }
}

/* Opens a block. One that is open under the same number ends here, as when a
   proxy splices two responses, unless it is the same call once more. */
static void els_messages_begin_block(elelem_shape_context *c, uint32_t key, elelem_value block)
{
    elelem_part_kind kind = ELELEM_PART_PROVIDER_ITEM;
    const elelem_shape_item *open;
    int is_known = els_messages_kind(c, elelem_shape_string_in(block, "type"), &kind);
    uint32_t index;

    els_messages_release(c, block);
    open = els_messages_find(c, key);
    if (open && els_messages_is_call_again(c, open, block)) return;
    if (open) els_messages_cut_block(c, open->index);
    index = elelem_shape_item_open(c, 0, kind, key);
    if (index == ELELEM_NO_INDEX) return;
    if (is_known) els_messages_begin_item(c, index, kind, block);
    else els_messages_state(elelem_shape_item_at(c, index))->is_left_out = 1;
}

static elelem_status els_messages_block_start(elelem_shape_context *c)
{
    els_messages_stream_of(c)->has_begun = 1;
    els_messages_begin_block(c, els_messages_key(c), els_messages_member(c, "content_block"));
    return ELELEM_OK;
}

/* The text of a delta under `member` if it is of that type, else empty. */
static elelem_str els_messages_piece(elelem_value delta, const char *type, const char *member)
{
    if (!elelem_str_is(elelem_shape_string_in(delta, "type"), type)) return els_str(NULL, 0);
    return elelem_shape_string_in(delta, member);
}

static void els_messages_message_delta(elelem_shape_context *c, uint32_t index, elelem_value delta)
{
    elelem_value citation = elelem_value_get(delta, "citation");

    elelem_shape_text(c, index, els_messages_piece(delta, "text_delta", "text"));
    if (elelem_str_is(elelem_shape_string_in(delta, "type"), "citations_delta") && elelem_shape_is_value(citation)) {
        elelem_shape_metadata_in_array(c, "citations", citation);
        elelem_shape_text(c, index, els_str(NULL, 0));
    }
}

/* A delta for a block that never began or has ended is a protocol error: its text would be lost.
   One that does not fit the kind of its block, and those of blocks left out, are ignored. */
static elelem_status els_messages_block_delta(elelem_shape_context *c)
{
    elelem_value delta = els_messages_member(c, "delta");
    const elelem_shape_item *item = els_messages_block(c);
    uint32_t index = item ? item->index : ELELEM_NO_INDEX;

    if (!item) return ELELEM_ERROR_PROTOCOL;
    elelem_shape_release(c, 0);
    item = elelem_shape_item_at(c, index);
    if (els_messages_state(item)->is_left_out) return ELELEM_OK;
    if (item->kind == ELELEM_PART_TOOL_CALL) {
        if (!els_messages_state(item)->is_whole)
            elelem_shape_tool_arguments(c, index, els_messages_piece(delta, "input_json_delta", "partial_json"));
    } else if (item->kind == ELELEM_PART_REASONING) {
        elelem_shape_text(c, index, els_messages_piece(delta, "thinking_delta", "thinking"));
        elelem_shape_keep(c, index, els_messages_piece(delta, "signature_delta", "signature"));
    } else {
        els_messages_message_delta(c, index, delta);
    }
    return ELELEM_OK;
}

/* A stop of a block that is not open is ignored. */
static elelem_status els_messages_block_stop(elelem_shape_context *c)
{
    const elelem_shape_item *item = els_messages_block(c);

    if (item) els_messages_stop_block(c, item->index);
    return ELELEM_OK;
}

/* The message. */

static const elelem_shape_word els_messages_reasons[] = {
    { "end_turn", ELELEM_FINISH_COMPLETED },
    { "stop_sequence", ELELEM_FINISH_COMPLETED },
    { "max_tokens", ELELEM_FINISH_MAX_TOKENS },
    { "model_context_window_exceeded", ELELEM_FINISH_MAX_TOKENS },
    { "tool_use", ELELEM_FINISH_TOOL_CALLS },
    { "refusal", ELELEM_FINISH_CONTENT_FILTER },
};

/* The reason in a message_delta's delta, or already in message_start if the response is there at once.
   Returns 0 if there is none. */
static int els_messages_reason(elelem_shape_context *c, elelem_value from)
{
    elelem_str raw = elelem_shape_string_in(from, "stop_reason");
    elelem_value details = elelem_value_get(from, "stop_details");
    elelem_value sequence = elelem_value_get(from, "stop_sequence");

    if (raw.size == 0) return 0;
    elelem_shape_reason(c, 0, elelem_shape_reason_of(els_messages_reasons, ELS_COUNT(els_messages_reasons), raw), raw, 1);
    if (elelem_value_type(details) == ELELEM_TYPE_OBJECT)
        elelem_shape_end_metadata(c, "stop_details", details);
    else if (elelem_value_type(sequence) == ELELEM_TYPE_STRING)
        elelem_shape_end_metadata(c, "stop_sequence", sequence);
    return 1;
}

static void els_messages_count(int64_t *count, elelem_value object, const char *key)
{
    int64_t counted = elelem_shape_count_in(object, key);

    if (counted >= 0) *count = counted;
}

/* Counts go up from frame to frame, and a later frame may name only some of them. */
static void els_messages_usage(elelem_shape_context *c, elelem_value raw)
{
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    els_messages_count(&usage.input, raw, "input_tokens");
    els_messages_count(&usage.output, raw, "output_tokens");
    els_messages_count(&usage.cached, raw, "cache_read_input_tokens");
    els_messages_count(&usage.reasoning, elelem_value_get(raw, "output_tokens_details"), "thinking_tokens");
    elelem_shape_usage(c, usage, raw);
}

/* One comes first; another, from a faulty proxy, is ignored. It holds whole blocks if the model
   only continues with what a tool of the provider's called for. */
static elelem_status els_messages_start(elelem_shape_context *c)
{
    elelem_value message = els_messages_member(c, "message");
    elelem_value block = elelem_value_first(elelem_value_get(message, "content"));

    if (els_messages_stream_of(c)->has_begun) return ELELEM_OK;
    els_messages_stream_of(c)->has_begun = 1;
    els_messages_usage(c, elelem_value_get(message, "usage"));
    els_messages_reason(c, message);
    for (; elelem_value_type(block) != ELELEM_TYPE_NONE; block = elelem_value_next(block)) {
        uint32_t key = (uint32_t)elelem_value_index(block);
        const elelem_shape_item *item;
        els_messages_begin_block(c, key, block);
        item = els_messages_find(c, key);
        if (item) els_messages_stop_block(c, item->index);
    }
    return ELELEM_OK;
}

/* A frame with the reason is the last before message_stop, so nothing may stay open. */
static elelem_status els_messages_delta(elelem_shape_context *c)
{
    els_messages_usage(c, els_messages_member(c, "usage"));
    if (!els_messages_reason(c, els_messages_member(c, "delta"))) return ELELEM_OK;
    els_messages_stream_of(c)->has_begun = 1;
    els_messages_end_all(c);
    return ELELEM_OK;
}

/* Without a reason the message counts as completed; without a message it is none. */
static elelem_status els_messages_stop(elelem_shape_context *c)
{
    int had_call = elelem_shape_choice_had(c, 0, ELELEM_PART_TOOL_CALL);

    if (!els_messages_stream_of(c)->has_begun) return ELELEM_ERROR_PROTOCOL;
    els_messages_end_all(c);
    elelem_shape_reason(c, 0, had_call ? ELELEM_FINISH_TOOL_CALLS : ELELEM_FINISH_COMPLETED, els_str(NULL, 0), 0);
    elelem_shape_finish(c);
    return ELELEM_OK;
}

/* An error whose JSON has no error member says at best its sentence. */
static elelem_status els_messages_error(elelem_shape_context *c)
{
    if (!elelem_shape_document_error(c)) elelem_shape_error_of(c, elelem_shape_document(c));
    return ELELEM_OK;
}

/* A frame that says nothing, such as ping, may still hold an error. */
static elelem_status els_messages_other(elelem_shape_context *c)
{
    elelem_shape_document_error(c);
    return ELELEM_OK;
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

/* Goes by the type in the data, and by the event's name if that is not known. Some gateways send [DONE] after
   message_stop, or for it. */
static elelem_status els_messages_frame(elelem_shape_context *c)
{
    const els_messages_event *event = els_messages_event_of(elelem_shape_string_in(elelem_shape_document(c), "type"));

    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DONE) return els_messages_stop(c);
    if (!event) event = els_messages_event_of(elelem_shape_event_name(c));
    return event ? event->handle(c) : els_messages_other(c);
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
    "messages", els_messages_paths, ELS_MESSAGES_ROWS, els_messages_frame,
    sizeof(els_messages_item), 0, sizeof(els_messages_stream), 0, 0,
    els_messages_recovery, ELS_COUNT(els_messages_recovery),
};

#endif

#endif
