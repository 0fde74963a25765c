#ifndef ELS_STREAM_C
#define ELS_STREAM_C
#include "stream.h"
#include "base.c"
#include "text.c"
#include "sse.c"
#include "event.c"
#include "body.c"
#include "failure.c"
#include "shape.c"
#include "delivery.c"
#include "thought.c"

/* >> stream */

/* Reasoning in tags can be left out: then nothing here calls the splitter, and the linker drops it. */
#ifdef ELELEM_NO_TAGS
#define ELS_HAS_TAGS 0
#else
#define ELS_HAS_TAGS 1
#endif

/* What the stream does next. */
typedef enum els_stream_state {
    ELS_STREAM_READ,  /* read the body up to what is found next */
    ELS_STREAM_END,   /* return the end */
    ELS_STREAM_OVER   /* nothing: what still comes is dropped */
} els_stream_state;

ELS_PRIVATE uint64_t els_stream_offset(const elelem_stream *s)
{
    return els_input_offset(&s->els_lent);
}

/* Errors of this library's own. */

ELS_PRIVATE elelem_error_kind els_stream_error_kind(elelem_status status)
{
    switch (status) {
    case ELELEM_ERROR_MEMORY: return ELELEM_ERROR_KIND_OUT_OF_MEMORY;
    case ELELEM_ERROR_DEPTH:
    case ELELEM_ERROR_KEY_SIZE:
    case ELELEM_ERROR_PATH_SIZE:
    case ELELEM_ERROR_STRING_SIZE:
    case ELELEM_ERROR_NUMBER_SIZE:
    case ELELEM_ERROR_TOTAL_SIZE:
    case ELELEM_ERROR_LINE_SIZE:
    case ELELEM_ERROR_FRAME_SIZE:
    case ELELEM_ERROR_VALUE_SIZE:
    case ELELEM_ERROR_COUNT: return ELELEM_ERROR_KIND_LIMIT;
    case ELELEM_ERROR_MISUSE: return ELELEM_ERROR_KIND_OTHER; /* the caller's mistake, or its shape's */
    default: return ELELEM_ERROR_KIND_PROTOCOL;
    }
}

/* The body breaks a rule at this offset. */
ELS_PRIVATE void els_stream_break(elelem_stream *s, elelem_status status, uint64_t offset, const char *message)
{
    elelem_failure *error = els_end_with(&s->els_context, els_stream_error_kind(status));

    error->status = status;
    error->offset = offset;
    if (ELS_HAS_WORDS) error->message = elelem_str_of(message ? message : elelem_status_sentence(status));
    s->els_state = ELS_STREAM_END;
}

/* The frame at hand breaks a rule, or what comes of it does. If it is a limit, or memory, the frame's start says where. */
ELS_PRIVATE void els_stream_break_frame(elelem_stream *s, elelem_status status)
{
    int is_broken = els_stream_error_kind(status) == ELELEM_ERROR_KIND_PROTOCOL;

    els_stream_break(s, status, is_broken ? els_stream_offset(s) : s->els_response.begin, NULL);
}

/* Flushes what is open, before FINISHED. */
ELS_PRIVATE void els_stream_close(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;

    els_shape_flush_rest(c);
    if (c->els_status != ELELEM_OK) els_stream_break_frame(s, (elelem_status)c->els_status);
}

/* The same before the events that were emitted are taken. */
ELS_PRIVATE void els_stream_break_off(elelem_stream *s, elelem_status status)
{
    els_stream_break_frame(s, status);
    els_shape_clear_out(&s->els_context);
}

/* The end of a frame, or what ends the stream, was decided by the shape or by an error document. */
ELS_PRIVATE void els_stream_ended(elelem_stream *s)
{
    s->els_context.els_end.error.offset = els_stream_offset(s);
    s->els_state = ELS_STREAM_END;
    if (s->els_context.els_end.kind == ELELEM_EVENT_FINISHED) els_stream_close(s);
}

/* What the body holds. */

/* Nonzero if the response is an error by its status. */
ELS_PRIVATE int els_stream_is_refused(const elelem_stream *s)
{
    int32_t status = s->els_context.els_answer.status;

    return status != 0 && (status < 200 || status >= 300);
}

/* They count for this frame only: the document of the next may not begin again, if that frame is like this one. */
ELS_APART void els_stream_take_halves(elelem_stream *s)
{
    s->els_context.els_halves_here = s->els_response.halves;
    s->els_response.halves.count = 0;
}

/* Has the shape work on the frame. What it emitted is taken before the next is read. */
ELS_PRIVATE void els_stream_work(elelem_stream *s, elelem_shape_frame kind)
{
    elelem_shape_context *c = &s->els_context;
    elelem_status status;

    c->els_frame = (uint8_t)kind;
    c->els_event_name = s->els_response.event_name;
    c->els_document = els_body_document(&s->els_response);
    if (ELS_UNLIKELY(s->els_response.halves.count > 0)) els_stream_take_halves(s);
    status = c->els_has_state ? ELELEM_OK : els_shape_begin(c);
    if (status == ELELEM_OK) status = els_shape_frame(c);
    c->els_halves_here.count = 0;
    if (c->els_status != ELELEM_OK) status = (elelem_status)c->els_status;
    if (status < 0)
        els_stream_break_frame(s, status);
    else if (c->els_ended)
        els_stream_ended(s);
}

/* Asks the shape what the value that begins to pass becomes. Its pieces are emitted only if that is an item. */
ELS_APART elelem_status els_stream_pass(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    els_passage *passage = &s->els_response.passage;
    elelem_status status = els_shape_begin(c);

    if (status != ELELEM_OK) return status;
    c->els_passing_type = NULL;
    s->els_passing = c->els_shape->items->passes(c, els_body_passing(&s->els_response), els_passage_type(passage));
    s->els_passes = s->els_passing < ELELEM_SHAPE_STORED;
    if (s->els_passing == ELELEM_SHAPE_STORED) s->els_response.stores_passing = 1;
    else if (!s->els_passes) els_passage_drop(passage);
    return status;
}

/* Shows the shape the document of a frame that still arrives. The halves of its strings are noted until that is over. */
ELS_APART void els_stream_show(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;

    c->els_frame = els_body_is_whole_response(&s->els_response) ? ELELEM_SHAPE_WHOLE : ELELEM_SHAPE_DATA;
    c->els_event_name = els_str(NULL, 0);
    c->els_document = els_body_document(&s->els_response);
    c->els_halves_here = s->els_response.halves;
}

ELS_APART void els_stream_give_piece(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    const els_passage *passage = &s->els_response.passage;
    elelem_str piece = s->els_response.piece;
    elelem_str type = c->els_passing_type ? elelem_str_of(c->els_passing_type) : els_passage_type(passage);

    if (piece.size > 0) c->els_passed_last = piece.data[piece.size - 1];
    if (s->els_passes) elelem_shape_provider_json(c, s->els_passing, type, piece);
    if (passage->is_last) s->els_passes = 0;
}

/* A piece of a value that passes, while its frame still arrives. */
ELS_APART void els_stream_piece(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    elelem_status status = ELELEM_OK;

    els_stream_show(s);
    if (!s->els_passes) status = els_stream_pass(s);
    c->els_halves_here.count = 0;
    els_stream_give_piece(s);
    if (c->els_status != ELELEM_OK) status = (elelem_status)c->els_status;
    if (status < 0) els_stream_break_frame(s, status);
}

/* Has the shape work off the elements of a list of a document that still arrives. They stay if it cannot yet, or if the document
   is an error, of which the members before the first list are looked at: then it is worked on when it is whole. */
ELS_PRIVATE elelem_status els_stream_work_off(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    els_body *body = &s->els_response;
    elelem_shape_worked worked = ELELEM_SHAPE_NOT_WORKED;
    elelem_status status = els_shape_begin(c);

    if (status != ELELEM_OK) return status;
    if (body->had_list || !els_is_error_document(c->els_document)) worked = c->els_shape->lists->work(c, body->row, els_body_list(body));
    if (worked == ELELEM_SHAPE_NOT_WORKED) body->stores_lists = 1;
    if (worked == ELELEM_SHAPE_WORKED_OBJECT) els_body_drop_before_list(body);
    return (elelem_status)c->els_status;
}

/* A list of a document that still arrives, of which another element begins. */
ELS_APART void els_stream_list(elelem_stream *s)
{
    elelem_status status;

    els_stream_show(s);
    status = els_stream_work_off(s);
    s->els_context.els_halves_here.count = 0;
    if (status < 0) els_stream_break_frame(s, status);
    else if (s->els_context.els_ended) els_stream_ended(s);
}

/* Ends the stream with the error of the provider that the document is. */
ELS_PRIVATE void els_stream_end_with_document(elelem_stream *s)
{
    els_end_with_document(&s->els_context, els_body_document(&s->els_response));
    els_stream_ended(s);
}

/* A value between the frames of such a response counts only if it is an error. */
ELS_PRIVATE void els_stream_stray(elelem_stream *s)
{
    if (els_is_error_document(els_body_document(&s->els_response))) els_stream_end_with_document(s);
}

/* Of a response that was refused, the document that says why counts, wherever it is. */
ELS_PRIVATE void els_stream_refusal(elelem_stream *s, els_body_found found)
{
    int is_document = found == ELS_BODY_FRAME || found == ELS_BODY_STRAY;

    if (is_document && els_is_error_body(els_body_document(&s->els_response))) els_stream_end_with_document(s);
}

/* A value between frames that met a limit: if it is an error as far as it was read, it ends the stream at the byte
   that was too much. */
ELS_PRIVATE void els_stream_stray_limit(elelem_stream *s)
{
    uint64_t offset = s->els_response.error.offset;

    if (els_stream_is_refused(s)) els_stream_refusal(s, ELS_BODY_STRAY);
    else els_stream_stray(s);
    if (s->els_state == ELS_STREAM_END) s->els_context.els_end.error.offset = offset;
}

/* The body is no stream. At best it is an error. */
ELS_PRIVATE void els_stream_not_a_stream(elelem_stream *s, uint64_t offset)
{
    int is_error = els_body_is_whole(&s->els_response) && els_is_error_document(els_body_document(&s->els_response));

    if (els_stream_is_refused(s) || is_error) els_stream_end_with_document(s);
    else els_stream_break(s, ELELEM_ERROR_PROTOCOL, offset, ELS_WORDS("the body is not an event stream"));
}

/* A body that is one object: a response, or something else. */
ELS_PRIVATE void els_stream_whole(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;

    els_stream_work(s, ELELEM_SHAPE_WHOLE);
    if (s->els_state == ELS_STREAM_READ) {
        els_finish(c);
        els_stream_ended(s);
    } else if (c->els_end.kind == ELELEM_EVENT_ERROR && c->els_end.error.status == ELELEM_ERROR_PROTOCOL) {
        els_stream_not_a_stream(s, 0);
    }
}

/* A frame of a response that was accepted. One named error is an error even if its document does not say so. */
ELS_APART void els_stream_frame(elelem_stream *s, els_body_found found)
{
    const elelem_error *error = &s->els_response.error;

    if (found == ELS_BODY_DONE)
        els_stream_work(s, ELELEM_SHAPE_DONE);
    else if (elelem_str_is(s->els_response.event_name, "error") && !els_is_error_document(els_body_document(&s->els_response)))
        els_stream_end_with_document(s);
    else if (found == ELS_BODY_FRAME && els_body_is_whole_response(&s->els_response))
        els_stream_whole(s);
    else if (found == ELS_BODY_FRAME)
        els_stream_work(s, ELELEM_SHAPE_DATA);
    else if (found == ELS_BODY_BROKEN)
        els_stream_break(s, error->status, error->offset, NULL);
}

/* The body cannot be read further. It is still refused, if its status says so. */
ELS_PRIVATE void els_stream_unreadable(elelem_stream *s)
{
    elelem_error error = s->els_response.error;

    if (els_stream_is_refused(s)) {
        els_stream_end_with_document(s);
        s->els_context.els_end.error.offset = error.offset;
    } else {
        els_stream_break(s, error.status, error.offset, NULL);
    }
}

/* Nonzero if the reasons that were seen settle nothing: the model wrote on after one; or they may change, and the body stopped too early.
   A whole response that ended here is not whole. */
ELS_PRIVATE int els_stream_is_cut(const elelem_stream *s)
{
    if (els_body_is_whole_response(&s->els_response)) return 1;
    if (els_body_is_closed(&s->els_response)) return 0;
    if (els_wrote_on(&s->els_context)) return 1;
    return s->els_context.els_shape->reason_may_change && (s->els_failed_kind || els_body_was_cut(&s->els_response));
}

/* Excerpts of refused bodies. */

#define ELS_EXCERPT 512u

/* Keeps the start of a refused body, as long as it may be words. els_given is free: no event comes before the error. */
ELS_APART void els_stream_keep_excerpt(elelem_stream *s)
{
    const els_cursor *bytes = &s->els_lent.bytes;
    elelem_buffer *kept = &s->els_context.els_given;
    size_t seen = elelem_buffer_text(kept).size;
    uint64_t offset = els_stream_offset(s);
    size_t skip = (size_t)(seen - offset);
    size_t left = (size_t)(bytes->end - bytes->at);

    if (!ELS_HAS_METADATA) return;
    if (offset > seen || left <= skip || seen >= ELS_EXCERPT) return;
    left = left - skip < ELS_EXCERPT - seen ? left - skip : ELS_EXCERPT - seen;
    if (elelem_buffer_append(kept, bytes->at + skip, left) != ELELEM_OK) return; /* the error has none */
}

/* Returns the size of a control character (C0, DEL or C1) or space at the start of the text; 0 if there is none. */
ELS_PRIVATE size_t els_control_size(const unsigned char *text, size_t size)
{
    if (text[0] <= 0x20 || text[0] == 0x7f) return 1;
    return size > 1 && text[0] == 0xc2 && text[1] < 0xa0 ? 2 : 0;
}

/* Replaces control characters and whitespace by single spaces, and cuts the text at a whole character. Returns its
   size. */
ELS_PRIVATE size_t els_excerpt_clean(unsigned char *text, size_t size)
{
    size_t from = 0, to = 0;

    if (size == ELS_EXCERPT) size = els_whole_characters(text, size - 1);
    while (from < size) {
        size_t control = els_control_size(text + from, size - from);
        if (control == 0) text[to++] = text[from++];
        else if (to > 0 && text[to - 1] != ' ') text[to++] = ' ';
        from += control;
    }
    return to > 0 && text[to - 1] == ' ' ? to - 1 : to;
}

/* Adds the excerpt to the error, if there is one and there is memory for it. Compressed bodies have none, and those that hold
   nothing else than control characters. */
ELS_PRIVATE void els_stream_add_excerpt(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    unsigned char *text = c->els_given.els_memory.data;
    size_t size = elelem_buffer_text(&c->els_given).size;
    elelem_writer writer;

    if (!els_stream_is_refused(s) || !els_body_is_words(&s->els_response)) return;
    if (size == 0 || els_body_is_binary(text[0])) return;
    size = els_excerpt_clean(text, size);
    if (size == 0) return;
    c->els_aside_key = "body_excerpt";
    elelem_buffer_clear(&c->els_aside);
    elelem_writer_init(&writer, elelem_buffer_sink(&c->els_aside), 0);
    if (elelem_writer_string(&writer, els_str(text, size)) != ELELEM_OK) elelem_buffer_clear(&c->els_aside);
}

/* The caller reported that the transport broke. The head of a response that was refused still says whether and when to try again. */
ELS_PRIVATE void els_stream_end_failed(elelem_stream *s)
{
    elelem_failure *error = els_end_with(&s->els_context, (elelem_error_kind)(s->els_failed_kind - 1));

    if (els_stream_is_refused(s)) els_failure_of_refusal(error, &s->els_context.els_answer);
    if (s->els_failed_message.size > 0) error->message = s->els_failed_message;
    els_stream_ended(s);
}

ELS_PRIVATE void els_stream_end_early(elelem_stream *s)
{
    elelem_failure *error = els_end_with(&s->els_context, ELELEM_ERROR_KIND_CONNECT);

    if (ELS_HAS_WORDS && els_is_other_shape(&s->els_context)) error->message = elelem_str_of("the response ended, and no frame of it was of this shape");
    els_stream_ended(s);
}

/* The body is over, or broken, and the shape did not end the stream. */
ELS_PRIVATE void els_stream_conclude(elelem_stream *s)
{
    elelem_shape_context *c = &s->els_context;
    int is_broken = s->els_failed_kind > 0;

    s->els_response.begin = els_stream_offset(s); /* no frame is at hand any more */
    if ((els_stream_is_refused(s) || els_body_is_no_stream(&s->els_response)) && !is_broken) {
        els_stream_not_a_stream(s, 0);
        if (ELS_HAS_METADATA) els_stream_add_excerpt(s);
    } else if (els_reasons_known(c) && !els_stream_is_cut(s)) {
        els_finish(c);
        els_stream_ended(s);
    } else if (is_broken) {
        els_stream_end_failed(s);
    } else {
        els_stream_end_early(s);
    }
}

/* A call of next reads at most max_next_bytes of a push. The rest is held back, as if it were pushed later. */
ELS_PRIVATE void els_stream_hold(elelem_stream *s)
{
    els_input *in = &s->els_lent;
    size_t size = (size_t)(in->bytes.end - in->bytes.at);

    if (size <= s->els_next_bytes) return;
    s->els_held = size - s->els_next_bytes;
    in->bytes.end -= s->els_held;
    in->offset -= s->els_held;
    s->els_response.is_held = 1;
}

/* Lends the next bytes of those that are held back. */
ELS_PRIVATE void els_stream_lend_held(elelem_stream *s)
{
    size_t size = s->els_held < s->els_next_bytes ? s->els_held : s->els_next_bytes;

    s->els_lent.bytes.end += size;
    s->els_lent.offset += size;
    s->els_held -= size;
    s->els_response.is_held = s->els_held > 0;
}

/* All bytes are read. MORE; or OK, if the caller lost those that come next: then the stream ended. */
ELS_APART elelem_status els_stream_more(elelem_stream *s)
{
    elelem_error error;

    if (s->els_held > 0) {
        els_stream_lend_held(s);
        return ELELEM_MORE;
    }
    if (els_input_more(&s->els_lent) == ELELEM_MORE) return ELELEM_MORE;
    if (s->els_failed_kind) {
        els_stream_end_failed(s);
        return ELELEM_OK;
    }
    error = els_input_error(&s->els_lent, ELELEM_ERROR_MISUSE, els_stream_offset(s));
    els_stream_break(s, error.status, error.offset, error.message);
    return ELELEM_OK;
}

ELS_APART void els_stream_take(elelem_stream *s, els_body_found found)
{
    switch (found) {
    case ELS_BODY_NOT_A_STREAM: els_stream_not_a_stream(s, s->els_response.error.offset); return;
    case ELS_BODY_ERROR: els_stream_unreadable(s); return;
    case ELS_BODY_STRAY_LIMIT: els_stream_stray_limit(s); return;
    case ELS_BODY_END: els_stream_conclude(s); return;
    case ELS_BODY_PIECE:
        if (ELS_HAS_ITEMS) els_stream_piece(s);
        return;
    case ELS_BODY_LIST:
        if (ELS_HAS_WHOLE) els_stream_list(s);
        return;
    default: break;
    }
    if (els_stream_is_refused(s)) els_stream_refusal(s, found);
    else if (found == ELS_BODY_STRAY) els_stream_stray(s);
    else els_stream_frame(s, found);
}

/* Wants what the shape wants of the next frame; of a whole response the same, from the row on whose place it takes. */
ELS_APART void els_stream_want(elelem_stream *s)
{
    const elelem_shape *shape = s->els_context.els_shape;

    s->els_patterns.nodes = s->els_context.els_paths;
    s->els_patterns.count = s->els_context.els_path_count;
    s->els_patterns.els_dropped = s->els_context.els_dropped;
    if (!ELS_HAS_WHOLE) return;
    if (!shape || s->els_response.kind != ELS_BODY_UNKNOWN) return;
    s->els_whole = s->els_patterns;
    s->els_whole.els_root = shape->whole_row;
    if (shape->whole_paths) s->els_whole.nodes = elelem_shape_wants_items(&s->els_context) ? shape->whole_item_paths : shape->whole_paths;
    s->els_response.whole_patterns = shape->takes_whole ? &s->els_whole : NULL;
}

ELS_PRIVATE elelem_status els_stream_do_read(elelem_stream *s)
{
    els_body *body = &s->els_response;
    els_body_found found;

    els_shape_clear_out(&s->els_context);
    s->els_context.els_emits = 1;
    els_stream_want(s);
    body->is_refusal = (uint8_t)els_stream_is_refused(s);
    body->patterns = body->is_refusal ? &els_error_patterns : &s->els_patterns;
    if (body->is_refusal) els_stream_keep_excerpt(s);
    found = els_body_next(body, &s->els_lent);
    if (found == ELS_BODY_MORE) return els_stream_more(s);
    if (els_body_is_whole_response(body)) s->els_context.els_paths = s->els_whole.nodes;
    els_stream_take(s, found);
    return ELELEM_OK;
}

/* Returns the end, or an error if there is no memory for its metadata. */
ELS_PRIVATE void els_stream_do_end(elelem_stream *s, elelem_event *event)
{
    elelem_status status = els_shape_end(&s->els_context, event);

    if (status < 0) {
        els_stream_break_frame(s, status);
        els_shape_end(&s->els_context, event);
    }
    s->els_state = ELS_STREAM_OVER;
}

/* Drops what was pushed and not read. */
ELS_PRIVATE void els_stream_drop(elelem_stream *s)
{
    s->els_lent.bytes.at = s->els_lent.bytes.end;
    s->els_held = 0;
}

/* Takes the next event of the shape. */
ELS_PRIVATE elelem_status els_stream_next(elelem_stream *stream, elelem_event *event)
{
    elelem_status status = els_shape_take(&stream->els_context, event);

    while (status != ELELEM_OK) {
        if (status < 0) els_stream_break_off(stream, status);
        switch ((els_stream_state)stream->els_state) {
        case ELS_STREAM_READ:
            if (els_stream_do_read(stream) == ELELEM_MORE) return ELELEM_MORE;
            break;
        case ELS_STREAM_END:
            els_stream_do_end(stream, event);
            return ELELEM_OK;
        default: els_stream_drop(stream); return ELELEM_END;
        }
        status = els_shape_take(&stream->els_context, event);
    }
    return ELELEM_OK;
}

/* The same with reasoning taken out of message text. An error of the splitter ends the stream. */
ELS_PRIVATE elelem_status els_stream_next_split(elelem_stream *s, elelem_event *event)
{
    elelem_status status = elelem_thought_splitter_error(&s->els_thoughts).status;

    if (status < 0) return els_stream_next(s, event); /* it failed before, and only the error comes now */
    status = elelem_thought_splitter_next(&s->els_thoughts, event);
    while (status == ELELEM_MORE) {
        elelem_event whole;
        status = els_stream_next(s, &whole);
        if (status != ELELEM_OK) return status;
        status = elelem_thought_splitter_push(&s->els_thoughts, &whole);
        if (status == ELELEM_OK) status = elelem_thought_splitter_next(&s->els_thoughts, event);
    }
    if (status >= 0) return status;
    els_stream_break_off(s, status);
    return els_stream_next(s, event);
}

elelem_status elelem_stream_next(elelem_stream *stream, elelem_event *event)
{
    if (!ELS_HAS_TAGS) return els_stream_next(stream, event);
    return stream->els_splits ? els_stream_next_split(stream, event) : els_stream_next(stream, event);
}

/* Ends the stream with an error of the layer above, which takes the end from here. */
ELS_PRIVATE void els_stream_abort(elelem_stream *s, elelem_status status, elelem_event *end)
{
    els_stream_break_frame(s, status);
    els_shape_end(&s->els_context, end);
    s->els_state = ELS_STREAM_OVER;
}

elelem_status elelem_stream_push(elelem_stream *stream, const void *bytes, size_t size)
{
    els_input *in = &stream->els_lent;
    elelem_status status;

    if (stream->els_state == ELS_STREAM_OVER) return ELELEM_OK;
    if (els_body_is_given_frames(&stream->els_response) && bytes && size > 0 && !in->finished)
        return els_input_refuse(in, size, els_debt_hash(ELS_DEBT_START, bytes, size),
                                els_debt_allows(&in->debt, bytes, size));
    status = els_input_push(in, bytes, size);
    if (status != ELELEM_OK || size == 0) return status;
    stream->els_is_quiet = 0;
    if (stream->els_next_bytes > 0) els_stream_hold(stream);
    return ELELEM_OK;
}

size_t elelem_stream_unread(const elelem_stream *stream)
{
    return (size_t)(stream->els_lent.bytes.end - stream->els_lent.bytes.at) + stream->els_held;
}

/* Identifies a whole frame, to recognize it when it is pushed again. */
ELS_PRIVATE uint32_t els_stream_frame_hash(elelem_str event_name, elelem_str data)
{
    uint32_t hash = els_debt_hash(ELS_DEBT_START, event_name.data, event_name.size);

    return els_debt_hash(els_debt_hash(hash, "", 1), data.data, data.size);
}

/* OK if the frame may be taken; then nothing is owed. */
ELS_PRIVATE elelem_status els_stream_may_take(elelem_stream *s, elelem_str event_name, elelem_str data)
{
    els_input *in = &s->els_lent;
    int is_bytes = in->offset > 0 && !els_body_is_given_frames(&s->els_response);
    int is_busy = is_bytes || els_input_is_lent(in);
    int is_allowed;
    uint32_t hash;

    if (!is_busy && in->debt.state == ELS_DEBT_NONE) return ELELEM_OK;
    hash = els_stream_frame_hash(event_name, data);
    is_allowed = els_debt_allows_only(&in->debt, data.size, hash);
    if (!is_allowed || is_busy) return els_input_refuse(in, data.size, hash, is_allowed);
    in->debt.state = ELS_DEBT_NONE;
    return ELELEM_OK;
}

elelem_status elelem_stream_push_data(elelem_stream *stream, elelem_str event_name, elelem_str data)
{
    els_input *in = &stream->els_lent;
    int is_null = (!data.data && data.size > 0) || (!event_name.data && event_name.size > 0);
    elelem_status status;

    if (stream->els_state == ELS_STREAM_OVER) return ELELEM_OK;
    if (in->state == ELS_INPUT_NONE || in->finished || is_null) return ELELEM_ERROR_MISUSE;
    status = els_stream_may_take(stream, event_name, data);
    if (status != ELELEM_OK) return status;
    els_body_give_frame(&stream->els_response, event_name);
    els_input_lend(in, data.data, data.size);
    stream->els_is_quiet = 0;
    return ELELEM_OK;
}

void elelem_stream_finish(elelem_stream *stream)
{
    els_input_finish(&stream->els_lent);
}

void elelem_stream_fail(elelem_stream *stream, elelem_error_kind kind)
{
    elelem_stream_fail_with(stream, kind, els_str(NULL, 0));
}

void elelem_stream_fail_with(elelem_stream *stream, elelem_error_kind kind, elelem_str message)
{
    int is_known = (unsigned)kind < (unsigned)ELELEM_ERROR_KIND_COUNT;

    if (stream->els_lent.finished || stream->els_state == ELS_STREAM_OVER) return;
    stream->els_failed_kind = (uint8_t)((is_known ? kind : ELELEM_ERROR_KIND_OTHER) + 1);
    stream->els_failed_message = els_str(message.data, message.data ? message.size : 0);
    elelem_stream_finish(stream);
}

void elelem_stream_tick(elelem_stream *stream, uint32_t now_ms)
{
    uint32_t passed = now_ms - stream->els_last_ms;
    uint32_t room = UINT32_MAX - stream->els_waited_ms;
    int is_waiting = stream->els_state == ELS_STREAM_READ && stream->els_lent.bytes.at == stream->els_lent.bytes.end &&
                     !stream->els_lent.finished;

    stream->els_last_ms = now_ms;
    if (!stream->els_is_quiet || passed > UINT32_MAX / 2 || !is_waiting) {
        stream->els_is_quiet = 1;
        stream->els_waited_ms = 0;
        return;
    }
    stream->els_waited_ms += passed < room ? passed : room;
    if (stream->els_idle_ms > 0 && stream->els_waited_ms >= stream->els_idle_ms)
        elelem_stream_fail(stream, ELELEM_ERROR_KIND_TIMEOUT);
}

elelem_str elelem_stream_last_event_id(const elelem_stream *stream)
{
    return elelem_sse_decoder_last_id(&stream->els_response.decoder);
}

void elelem_stream_http_status(elelem_stream *stream, int status)
{
    els_http *answer = &stream->els_context.els_answer;

    if (answer->status != 0) els_http_start(answer);
    answer->status = status;
}

void elelem_stream_set_unix_time(elelem_stream *stream, int64_t unix_seconds)
{
    stream->els_context.els_answer.unix_seconds = unix_seconds;
}

void elelem_stream_http_header(elelem_stream *stream, elelem_str name, elelem_str value)
{
    els_http_header(&stream->els_context.els_answer, name, value);
}

void elelem_stream_http_header_line(elelem_stream *stream, elelem_str line)
{
    els_http_line(&stream->els_context.els_answer, line);
}

/* Forgets what belongs to one response, in the part that the shape shares. */
ELS_PRIVATE void els_shape_start(elelem_shape_context *c)
{
    els_shape_clear_out(c);
    elelem_buffer_clear(&c->els_usage);
    elelem_buffer_clear(&c->els_aside);
    elelem_buffer_clear(&c->els_event_id);
    elelem_buffer_clear(&c->els_given);
    memset(&c->els_end, 0, sizeof c->els_end);
    els_usage_unknown(&c->els_end.usage);
    c->els_sequence = -1;
    els_http_start(&c->els_answer);
    c->els_has_state = 0;
    c->els_frames = 0;
    c->els_item_count = 0;
    c->els_choice_count = 0;
    c->els_kept_size = 0;
    c->els_halves_here.count = 0;
    c->els_high_count = 0;
    c->els_next_index = 0;
    c->els_path_count = c->els_shape ? c->els_shape->path_count : 0;
    if (c->els_shape) c->els_paths = elelem_shape_wants_items(c) ? c->els_shape->items->paths : c->els_shape->paths;
    c->els_dropped = 0;
    c->els_status = ELELEM_OK;
    c->els_ended = 0;
}

ELS_PRIVATE void els_stream_start(elelem_stream *stream)
{
    els_shape_start(&stream->els_context);
    els_body_start(&stream->els_response);
    if (ELS_HAS_TAGS) elelem_thought_splitter_reset(&stream->els_thoughts);
    els_input_start(&stream->els_lent, 0);
    stream->els_held = 0;
    stream->els_failed_kind = 0;
    stream->els_failed_message = els_str(NULL, 0);
    stream->els_is_quiet = 0;
    stream->els_passes = 0;
    stream->els_state = ELS_STREAM_READ;
    if (!stream->els_context.els_shape) els_stream_break(stream, ELELEM_ERROR_MISUSE, 0, ELS_WORDS("no wire shape was named"));
}

void elelem_stream_reset(elelem_stream *stream)
{
    if (stream->els_lent.state != ELS_INPUT_NONE) els_stream_start(stream);
}

ELS_PRIVATE void els_shape_init(elelem_shape_context *c, const elelem_stream_desc *desc)
{
    uint32_t frame = ELS_DEFAULT(desc->max_frame_bytes, (uint32_t)1 << 24);

    c->els_shape = desc->shape;
    c->els_item_bytes = els_sum(sizeof(els_item), els_aligned(desc->shape->item_bytes));
    c->els_choice_bytes = els_sum(sizeof(els_choice), els_aligned(desc->shape->choice_bytes));
    c->els_structured = desc->structured != 0;
    c->els_answer.unix_seconds = desc->unix_seconds;
    c->els_items.allocator = desc->allocator;
    c->els_choices.allocator = desc->allocator;
    c->els_kept.allocator = desc->allocator;
    c->els_stream_state.allocator = desc->allocator;
    c->els_queue.allocator = desc->allocator;
    c->els_metadata.allocator = desc->allocator;
    c->els_entries.allocator = desc->allocator;
    c->els_max_kept = ELS_DEFAULT(desc->max_kept_bytes, (uint32_t)1 << 20);
    /* Of els_queue, els_metadata and els_entries each: their elements are of no more than 64 bytes, and every one is of a value
       of the frame, which takes 32 there, or of an item that was open. The formula in the desc counts three of these, and
       the two buffers below. */
    c->els_max_queue = els_sum(els_product(frame, 2), els_product(ELS_DEFAULT(desc->max_open_items, 256u), sizeof(els_out)));
    c->els_max_items = ELS_DEFAULT(desc->max_open_items, 256u);
    c->els_max_choices = ELS_DEFAULT(desc->max_choices, 128u);
    elelem_buffer_init(&c->els_scratch, desc->allocator, els_product(frame, 2));
    elelem_buffer_init(&c->els_given, desc->allocator, els_product(frame, 2));
    elelem_buffer_init(&c->els_usage, desc->allocator, ELS_DEFAULT(desc->max_kept_bytes, (uint32_t)1 << 20));
    elelem_buffer_init(&c->els_event_id, desc->allocator, 0);
    elelem_buffer_init(&c->els_aside, desc->allocator, ELS_DEFAULT(desc->max_kept_bytes, (uint32_t)1 << 20));
}

/* If provider items are wanted, their values are whole in the document, or pass. */
ELS_PRIVATE void els_stream_pass_items(elelem_stream *s, const elelem_stream_desc *desc)
{
    const elelem_shape_items *items = desc->shape->items;

    if (!items || desc->without_provider_items) return;
    els_passage_rules(&s->els_response.passage, items->rules, items->rule_count);
    s->els_context.els_wants_items = 1;
}

elelem_status elelem_stream_init(elelem_stream *stream, const elelem_stream_desc *desc)
{
    elelem_thought_splitter_desc thoughts = ELELEM_INIT;

    memset(stream, 0, sizeof *stream);
    if (!desc || !desc->shape) {
        els_stream_start(stream);
        return ELELEM_ERROR_MISUSE;
    }
    thoughts.allocator = desc->allocator;
    thoughts.max_open = desc->max_open_items;
    thoughts.names = desc->thought_tags;
    thoughts.name_count = desc->thought_tag_count;
    stream->els_splits = desc->split_thoughts != 0;
    if (ELS_HAS_TAGS) elelem_thought_splitter_init(&stream->els_thoughts, &thoughts);
    els_body_init(&stream->els_response, desc->allocator, ELS_DEFAULT(desc->max_frame_bytes, (uint32_t)1 << 24));
    stream->els_response.repeat.wanted = ELS_DEFAULT(desc->repeat_bytes, 2048u);
    stream->els_response.may_be_array = desc->shape->array_body;
    stream->els_response.array_patterns = &els_error_patterns;
    if (ELS_HAS_WHOLE && desc->shape->lists) stream->els_response.elements = desc->shape->lists->rows;
    if (ELS_HAS_ITEMS) els_stream_pass_items(stream, desc);
    stream->els_patterns.els_order = els_patterns_order_of(desc->shape->paths, desc->shape->path_count);
    if (stream->els_patterns.els_order == ELS_PATTERNS_GROUPED) stream->els_patterns.els_order = ELS_PATTERNS_DISTINCT;
    stream->els_idle_ms = desc->idle_timeout_ms;
    stream->els_next_bytes = desc->max_next_bytes;
    els_shape_init(&stream->els_context, desc);
    els_stream_start(stream);
    return ELELEM_OK;
}

void elelem_stream_free(elelem_stream *stream)
{
    elelem_shape_context *c = &stream->els_context;

    if (stream->els_lent.state == ELS_INPUT_NONE) return;
    els_body_free(&stream->els_response);
    if (ELS_HAS_TAGS) elelem_thought_splitter_free(&stream->els_thoughts);
    elelem_buffer_free(&c->els_scratch);
    elelem_buffer_free(&c->els_given);
    elelem_buffer_free(&c->els_usage);
    elelem_buffer_free(&c->els_aside);
    elelem_buffer_free(&c->els_event_id);
    els_block_free(&c->els_items);
    els_block_free(&c->els_choices);
    els_block_free(&c->els_kept);
    els_block_free(&c->els_stream_state);
    els_block_free(&c->els_queue);
    els_block_free(&c->els_metadata);
    els_block_free(&c->els_entries);
    memset(stream, 0, sizeof *stream);
}

#endif
