#ifndef ELS_BODY_C
#define ELS_BODY_C
#include "body.h"
#include "base.c"
#include "fragment.c"
#include "parser.c"
#include "value.c"
#include "document.c"
#include "repeat.c"
#include "passage.c"
#include "sse.c"

/* >> body */

/* What reading came upon. */
typedef enum els_body_found {
    ELS_BODY_NOTHING, /* read on; only inside this room */
    ELS_BODY_MORE,    /* all bytes are read */
    ELS_BODY_PIECE,   /* a piece of a value that passes; the frame is not over */
    ELS_BODY_LIST,    /* a list of a document, another element of which begins: the others are removed after this; likewise */
    ELS_BODY_FRAME,   /* a frame whose data is one JSON value: the document */
    ELS_BODY_DONE,    /* a frame whose data is [DONE] */
    ELS_BODY_EMPTY,   /* a frame without data */
    ELS_BODY_BROKEN,  /* a frame whose data is no JSON value: the error, and the document as far as it goes */
    ELS_BODY_STRAY,   /* a JSON value in lines between frames: the document */
    ELS_BODY_STRAY_LIMIT, /* one that met a limit: the error, and the document as far as it goes */
    ELS_BODY_NOT_A_STREAM, /* nothing of all this: the error, and the document as far as it goes */
    ELS_BODY_ERROR,   /* the body cannot be read further: the error */
    ELS_BODY_END      /* the body is over */
} els_body_found;

typedef enum els_body_kind {
    ELS_BODY_UNKNOWN, /* nothing but whitespace came */
    ELS_BODY_EVENTS,  /* an event stream */
    ELS_BODY_VALUE,   /* one JSON value */
    ELS_BODY_WHOLE,  /* one JSON object that is a whole response: a frame that nothing follows */
    ELS_BODY_ARRAY,   /* an array whose elements are documents */
    ELS_BODY_TEXT,    /* something else */
    ELS_BODY_FRAMES   /* whole frames from the caller's own client */
} els_body_kind;

typedef enum els_body_json {
    ELS_BODY_JSON_NONE, /* no byte but whitespace */
    ELS_BODY_JSON_PART,
    ELS_BODY_JSON_WHOLE,
    ELS_BODY_JSON_BAD   /* not JSON */
} els_body_json;

typedef enum els_body_source {
    ELS_BODY_IN_DATA, /* the data of a frame, or the body itself */
    ELS_BODY_IN_LINES /* lines between frames that are no fields */
} els_body_source;

/* What the lines of an event stream held so far, except for comments and fields without data. */
typedef enum els_body_heard {
    ELS_BODY_HEARD_NOTHING,
    ELS_BODY_HEARD_WORDS, /* a line that cannot be meant for a field */
    ELS_BODY_HEARD_JSON,  /* a line of JSON */
    ELS_BODY_HEARD_DATA
} els_body_heard;

/* How far a line is that is no field of the standard. */
typedef enum els_body_line {
    ELS_BODY_LINE_NONE,
    ELS_BODY_LINE_BEGUN, /* inside what may be a name */
    ELS_BODY_LINE_KNOWN  /* after the name, or it has none */
} els_body_line;

typedef enum els_body_array {
    ELS_BODY_ARRAY_BRACKET, /* the bracket that opens it */
    ELS_BODY_ARRAY_FIRST,   /* its first element, or the bracket that closes it */
    ELS_BODY_ARRAY_ELEMENT, /* an element, after a comma */
    ELS_BODY_ARRAY_COMMA,   /* a comma, or the bracket that closes it */
    ELS_BODY_ARRAY_CLOSED   /* nothing but whitespace */
} els_body_array;

#define ELS_BODY_NOT_DONE 7

ELS_PRIVATE els_body_found els_body_fail(els_body *b, elelem_error error)
{
    b->error = error;
    return ELS_BODY_ERROR;
}

/* The document, whole or as far as it goes. Valid until the next call of els_body_next. */
ELS_INLINE elelem_value els_body_document(const els_body *b)
{
    return elelem_fragment_aggregator_value(&b->document);
}

/* The list that is to be worked off. */
ELS_PRIVATE elelem_value els_body_list(const els_body *b)
{
    return els_value_of(&b->document, b->list);
}

/* Halves of characters: surrogates at the ends of strings, which are U+FFFD in their texts. */

/* Notes that of the string that is open, if there is room. A frame that is compared with this one would not be read, and its halves
   not be noted. */
ELS_APART void els_body_note_half(els_body *b)
{
    els_halves *halves = &b->halves;

    if (ELS_IS_FAST) els_repeat_forget(&b->repeat);
    if (halves->count < ELS_HALVES) {
        halves->strings[halves->count] = b->document.els_current;
        halves->surrogates[halves->count++] = b->parser.els_half;
    }
    b->parser.els_half = 0;
}

/* Adds a fragment to the document. */
ELS_INLINE elelem_status els_body_take(els_body *b, const elelem_fragment *fragment)
{
    elelem_status status = els_tree_follow(&b->document, fragment);

    if (ELS_UNLIKELY(b->parser.els_half)) els_body_note_half(b);
    return status;
}

/* Removes its elements. Their strings make room for others. */
ELS_PRIVATE void els_body_empty_list(els_body *b)
{
    b->halves.count = 0;
    els_tree_empty_list(&b->document, b->list);
}

/* Removes the members of its object that came before it. */
ELS_PRIVATE void els_body_drop_before_list(els_body *b)
{
    b->halves.count = 0;
    els_tree_drop_before(&b->document, b->list);
}

/* The value that passes, as far as it was stored before its type was known. */
ELS_APART elelem_value els_body_passing(const els_body *b)
{
    elelem_value value = els_value_of(&b->document, b->document.els_current);
    uint32_t depth = b->document.els_depth;

    for (; depth > b->passage.depth; depth--)
        value = elelem_value_parent(value);
    return value;
}

/* Stores the value that began to pass after all: when what it belongs to is read on, because events that point into the document come
   before. */
ELS_APART elelem_status els_body_store(els_body *b)
{
    elelem_fragment rest;
    int is_left = els_passage_unstored(&b->passage, &rest);

    b->stores_passing = 0;
    els_passage_keep(&b->passage);
    return is_left ? els_tree_follow(&b->document, &rest) : ELELEM_OK;
}

ELS_INLINE int els_body_is_whole(const els_body *b)
{
    return b->json == ELS_BODY_JSON_WHOLE;
}

/* Lists. */

/* Bytes of a list that is short: what comes after it is known before its elements are worked off. */
#define ELS_BODY_SHORT_LIST 2048u

/* Nonzero if the fragment begins another element of a list that is to be worked off first. */
ELS_PRIVATE int els_body_finds_list(els_body *b, const elelem_fragment *fragment)
{
    uint16_t row = fragment->kind == ELELEM_FRAGMENT_BEGIN && !b->stores_lists ? els_json_element_row(&b->parser) : 0;
    uint32_t list = row ? els_tree_list_of(&b->document, &b->parser.els_path) : 0;

    if (!list || els_tree_list_size(&b->document, list) <= b->short_list) return 0;
    b->row = row;
    b->list = list;
    b->element = *fragment;
    return 1;
}

/* Continues with the element that began. */
ELS_PRIVATE elelem_status els_body_leave_list(els_body *b)
{
    if (!b->stores_lists) els_body_empty_list(b);
    b->had_list = 1;
    b->list = 0;
    /* Not reached: that it is taken, because the shapes have no lists inside values that pass */
    return els_passage_takes(&b->passage, &b->element) ? ELELEM_OK : els_tree_follow(&b->document, &b->element);
}

/* Reading JSON. */

/* Sets the patterns of the next document. Tables are few and change seldom; one may be used with fewer of its rows. */
ELS_PRIVATE void els_body_use(els_body *b, const elelem_patterns *patterns)
{
    int is_ordered = ELS_IS_FAST && patterns && patterns->els_order == ELS_PATTERNS_DISTINCT;

    if (is_ordered && (b->index.nodes != patterns->nodes || b->index.count < patterns->count))
        els_index_make(&b->index, patterns->nodes, patterns->count);
    b->parser.els_patterns = patterns ? &b->wanted : NULL;
    if (!patterns) return;
    b->wanted = *patterns;
    b->wanted.els_index = is_ordered && b->index.is_usable ? &b->index : NULL;
}

/* Begins the text of another document. */
ELS_PRIVATE void els_body_begin_text(els_body *b)
{
    els_body_use(b, ELS_HAS_WHOLE && b->kind == ELS_BODY_WHOLE ? b->whole_patterns : b->patterns);
    if (ELS_HAS_WHOLE) b->wanted.els_elements = b->kind == ELS_BODY_WHOLE || b->kind == ELS_BODY_ARRAY ? b->elements : NULL;
    b->stores_lists = 0;
    b->stores_passing = 0;
    b->had_list = 0;
    b->list = 0;
    if (b->json == ELS_BODY_JSON_WHOLE) b->repeat.used = b->document.els_used;
    if (ELS_IS_FAST) els_repeat_end(&b->repeat);
    elelem_fragment_parser_reset(&b->parser);
    elelem_fragment_aggregator_reset(&b->document);
    els_passage_start(&b->passage);
    b->halves.count = 0;
    b->has_rest = 0;
    b->json = ELS_BODY_JSON_NONE;
    b->source = ELS_BODY_IN_DATA;
    b->done = 0;
}

ELS_PRIVATE void els_body_begin_document(els_body *b, const els_input *in)
{
    els_body_begin_text(b);
    b->begin = els_input_offset(in);
    b->is_found = 0;
}

/* Takes fragments into the document. Returns what the parser returned at last, or why the document cannot grow. */
ELS_PRIVATE elelem_status els_body_follow(els_body *b, els_cursor *bytes)
{
    elelem_fragment fragment;
    elelem_status status;

    do {
        status = els_document_next(&b->parser, &b->document, bytes, &fragment, 0, &b->repeat.notes);
        if (status != ELELEM_OK) return status;
        status = els_body_take(b, &fragment);
    } while (status >= 0);
    return status;
}

/* Looks at the first member of an object that may pass, if its key and a byte of its value are in the bytes: most objects that do not
   pass show it there. Then they are read as any other, which takes half as long. */
ELS_PRIVATE void els_body_look_ahead(els_body *b, const els_cursor *bytes)
{
    const unsigned char *at = els_token_blanks(bytes->at, bytes->end);
    elelem_str key;

    if (at == bytes->end || *at != '"') return;
    key = els_whole_text(at + 1, bytes->end);
    if (!key.data) return;
    at = els_token_blanks(at + key.size + 2, bytes->end);
    if (at == bytes->end || *at != ':') return;
    at = els_token_blanks(at + 1, bytes->end);
    if (at < bytes->end && *at != 'n') els_passage_foresee(&b->passage, key);
}

/* The same when values may pass, or lists are to be found. ELS_AGAIN: a piece of one was found, or a list. */
ELS_INLINE elelem_status els_body_follow_watching(els_body *b, els_cursor *bytes, int has_lists)
{
    uint16_t strings = els_passage_string_row(&b->passage);
    elelem_fragment fragment;
    elelem_status status = b->stores_passing ? els_body_store(b) : ELELEM_OK;

    if (status != ELELEM_OK) return status;
    do {
        if (els_passage_passes(&b->passage)) {
            elelem_value held = b->passage.is_written ? els_value_of(NULL, 0) : els_body_passing(b);
            if (els_passage_piece(&b->passage, held, &b->piece)) return ELS_AGAIN;
            status = els_passage_status(&b->passage);
            if (status != ELELEM_OK) return status;
        }
        if (els_passage_is_away(&b->passage))
            status = els_document_next(&b->parser, &b->document, bytes, &fragment, strings, &b->repeat.notes);
        else
            status = els_fragment_next(&b->parser, bytes, &fragment);
        if (status != ELELEM_OK) return status;
        if (has_lists && els_body_finds_list(b, &fragment)) return ELS_AGAIN;
        if (els_passage_begins_string(&b->passage, &fragment, strings)) els_tree_leave(&b->document, fragment.path);
        if (els_passage_takes(&b->passage, &fragment)) b->parser.els_half = 0;
        else status = els_body_take(b, &fragment);
        if (ELS_IS_FAST && els_passage_has_begun(&b->passage, &fragment)) els_body_look_ahead(b, bytes);
    } while (status >= 0);
    return status;
}

ELS_PRIVATE elelem_status els_body_follow_passing(els_body *b, els_cursor *bytes)
{
    return els_body_follow_watching(b, bytes, 0);
}

ELS_PRIVATE elelem_status els_body_follow_lists(els_body *b, els_cursor *bytes)
{
    elelem_status status = b->list ? els_body_leave_list(b) : ELELEM_OK;

    return status < 0 ? status : els_body_follow_watching(b, bytes, 1);
}

/* Nonzero if values of the document at hand may pass. */
ELS_INLINE int els_body_watches(const els_body *b)
{
    return b->passage.rule_count + b->passage.has_string_rule > 0 && b->source == ELS_BODY_IN_DATA && !b->is_refusal;
}

/* The way to follow the document at hand. */
ELS_INLINE elelem_status els_body_follow_any(els_body *b, els_cursor *bytes)
{
    if (ELS_HAS_WHOLE)
        if (b->wanted.els_elements) return els_body_follow_lists(b, bytes);
    if (ELS_HAS_ITEMS)
        if (els_body_watches(b)) return els_body_follow_passing(b, bytes);
    return els_body_follow(b, bytes);
}

/* Frames that repeat. */

/* Parses a piece of a document, and keeps it if it is a frame that is learned. The document of another frame is no longer there. */
ELS_PRIVATE elelem_status els_body_parse(els_body *b, els_cursor *bytes)
{
    elelem_status status;

    if (b->repeat.state == ELS_REPEAT_KEPT) els_repeat_forget(&b->repeat);
    status = els_body_follow_any(b, bytes);
    if (b->repeat.state != ELS_REPEAT_LEARNS) return status;
    if (status == ELELEM_END) els_repeat_keep(&b->repeat, &b->document, bytes->at);
    else if (status != ELELEM_MORE) els_repeat_forget(&b->repeat);
    else if (els_passage_is_away(&b->passage)) els_repeat_note_open(&b->repeat, &b->document);
    return status;
}

/* Parses what was compared and held. The bytes at hand come after it. */
ELS_PRIVATE elelem_status els_body_parse_held(els_body *b, const els_cursor *bytes)
{
    size_t rest = (size_t)(bytes->end - bytes->at);
    els_cursor held = els_repeat_relearn(&b->repeat, &b->document, &b->wanted);
    elelem_status status;

    if (held.at == held.end) return ELELEM_MORE;
    b->parser.els_lent.offset -= rest;
    status = els_body_parse(b, &held);
    b->parser.els_lent.offset += rest;
    return status;
}

/* Reads a piece of a document: of a frame that is like the one before as long as it is. */
ELS_PRIVATE elelem_status els_body_follow_all(els_body *b, els_cursor *bytes)
{
    elelem_status status = ELELEM_MORE;

    if (!ELS_IS_FAST) return els_body_follow_any(b, bytes);
    if (b->repeat.state == ELS_REPEAT_COMPARES) {
        status = els_repeat_read(&b->repeat, &b->document, &b->parser, bytes);
        if (status != ELS_AGAIN) return status;
        status = els_body_parse_held(b, bytes);
        if (status != ELELEM_MORE) return status; /* Not reached: what was compared is a part of a document that was read before */
    }
    if (b->repeat.state == ELS_REPEAT_LEARNS) els_repeat_learn_text(&b->repeat, &b->document, bytes);
    return els_body_parse(b, bytes);
}

/* Nonzero if a document begins that is a frame of a stream, and whose values are found by number. */
ELS_INLINE int els_body_may_repeat(const els_body *b)
{
    return ELS_IS_FAST && b->json == ELS_BODY_JSON_NONE && (b->kind == ELS_BODY_EVENTS || b->kind == ELS_BODY_FRAMES) &&
           b->source == ELS_BODY_IN_DATA && !b->is_refusal && b->wanted.els_index;
}

ELS_INLINE void els_body_begin_frame(els_body *b)
{
    if (!els_repeat_begin(&b->repeat, &b->document, &b->wanted)) els_repeat_learn(&b->repeat, &b->document, &b->wanted);
}

/* Reads a value into the document, up to the end of the bytes or of the value. OK; ELS_AGAIN: a piece of a value that
   passes was found first, or a list; or an error that is not in the text. How far the value came is in b->json. */
ELS_PRIVATE elelem_status els_body_read_json(els_body *b, els_cursor *bytes)
{
    elelem_status status;

    if (els_body_may_repeat(b)) els_body_begin_frame(b);
    status = els_body_follow_all(b, bytes);
    b->json = ELS_BODY_JSON_PART;
    if (status == ELS_AGAIN) return status;
    if (status == ELELEM_END) b->json = ELS_BODY_JSON_WHOLE;
    if (status == ELELEM_ERROR_SYNTAX || status == ELELEM_ERROR_UTF8) b->json = ELS_BODY_JSON_BAD;
    return status < 0 && b->json != ELS_BODY_JSON_BAD ? status : ELELEM_OK;
}

/* After the value, the text may only hold whitespace. */
ELS_PRIVATE void els_body_read_blanks(els_body *b, els_cursor *bytes)
{
    if (!els_skip_blanks(bytes)) return;
    b->json = ELS_BODY_JSON_BAD;
    els_json_fail(&b->parser, bytes, ELELEM_ERROR_SYNTAX);
}

/* Reads a piece of text that holds one value and nothing else. After ELS_AGAIN it is called again with the rest. */
ELS_PRIVATE elelem_status els_body_read_text(els_body *b, els_cursor bytes)
{
    elelem_status status = ELELEM_OK;

    if (b->json == ELS_BODY_JSON_PART || (b->json == ELS_BODY_JSON_NONE && els_skip_blanks(&bytes)))
        status = els_body_read_json(b, &bytes);
    b->has_rest = status == ELS_AGAIN;
    b->rest = bytes;
    if (status == ELELEM_OK && b->json == ELS_BODY_JSON_WHOLE) els_body_read_blanks(b, &bytes);
    return status;
}

/* Only the end of the text ends a number. */
ELS_PRIVATE void els_body_end_text(els_body *b)
{
    if (b->json == ELS_BODY_JSON_PART && b->parser.els_path.count == 0 && els_number_may_end(b->parser.els_state))
        b->json = ELS_BODY_JSON_WHOLE;
}

/* The error of reading JSON. A tree that met a limit does not know where: then it is where the document began. */
ELS_PRIVATE els_body_found els_body_fail_json(els_body *b, elelem_status status)
{
    elelem_error error = elelem_fragment_parser_error(&b->parser);

    return els_body_fail(b, error.status != ELELEM_OK ? error : els_error(status, b->begin));
}

/* Reads a piece of a line. If the bytes held the line's end too, the decoder has stepped over it. */
ELS_PRIVATE els_body_found els_body_read_line(els_body *b, const els_input *in, elelem_str text)
{
    unsigned state = b->decoder.els_state;
    elelem_status status;

    b->parser.els_lent.offset = els_input_offset(in) - (state == ELS_SSE_LINE || state == ELS_SSE_AFTER_CR);
    status = els_body_read_text(b, els_cursor_of(text.data, text.size));
    if (status == ELS_AGAIN) return ELS_BODY_PIECE;
    return status < 0 ? els_body_fail_json(b, status) : ELS_BODY_NOTHING;
}

/* Reads the rest of such a piece. */
ELS_PRIVATE els_body_found els_body_read_rest(els_body *b, const els_input *in)
{
    return els_body_read_line(b, in, els_str(b->rest.at, (size_t)(b->rest.end - b->rest.at)));
}

/* Frames. */

/* Compares more of a frame's data with [DONE], which may have whitespace around it. */
ELS_PRIVATE void els_body_match_done(els_body *b, elelem_str text)
{
    static const char done[] = "[DONE]";
    size_t i;

    for (i = 0; i < text.size && b->done != ELS_BODY_NOT_DONE; i++) {
        char byte = text.data[i];
        if (els_is_blank((unsigned char)byte) && (b->done == 0 || b->done == sizeof done - 1)) continue;
        if (b->done < sizeof done - 1 && byte == done[b->done]) b->done++;
        else b->done = ELS_BODY_NOT_DONE;
    }
}

ELS_PRIVATE int els_body_is_done(const els_body *b)
{
    return b->done == sizeof "[DONE]" - 1;
}

ELS_PRIVATE els_body_found els_body_data(els_body *b, const els_input *in, elelem_str text)
{
    if (b->source == ELS_BODY_IN_LINES) els_body_begin_text(b);
    b->heard = ELS_BODY_HEARD_DATA;
    els_body_match_done(b, text);
    return els_body_read_line(b, in, text);
}

/* Parses what was only compared of a frame that is over too early. */
ELS_PRIVATE elelem_status els_body_settle(els_body *b, const els_input *in)
{
    els_cursor nothing = els_cursor_of(NULL, 0);

    if (!ELS_IS_FAST || b->repeat.state != ELS_REPEAT_COMPARES) return ELELEM_OK;
    b->parser.els_lent.offset = els_input_offset(in);
    return els_body_parse_held(b, &nothing);
}

/* What a frame that is whole holds. */
ELS_PRIVATE els_body_found els_body_frame(els_body *b, const els_input *in, elelem_str event_name)
{
    elelem_status status = els_body_settle(b, in);

    if (status < 0) return els_body_fail_json(b, status); /* Not reached: likewise */
    b->event_name = event_name;
    b->is_found = 1;
    els_body_end_text(b);
    if (els_body_is_done(b)) return ELS_BODY_DONE;
    if (b->json == ELS_BODY_JSON_NONE) return ELS_BODY_EMPTY;
    if (b->json == ELS_BODY_JSON_WHOLE) return ELS_BODY_FRAME;
    b->error = elelem_fragment_parser_error(&b->parser);
    if (b->error.status == ELELEM_OK) b->error = els_error(ELELEM_ERROR_TRUNCATED, els_input_offset(in));
    return ELS_BODY_BROKEN;
}

/* A frame without data ends the value that its lines broke off. */
ELS_PRIVATE els_body_found els_body_dispatch(els_body *b, const els_input *in, elelem_str event_name)
{
    if (b->source == ELS_BODY_IN_LINES) els_body_begin_text(b);
    return els_body_frame(b, in, event_name);
}

/* The body ended before the blank line of a frame: it counts if its data is whole. */
ELS_PRIVATE els_body_found els_body_last_frame(els_body *b, const els_input *in, elelem_str event_name)
{
    els_body_found found = ELS_BODY_NOTHING;

    if (b->source == ELS_BODY_IN_DATA) found = els_body_frame(b, in, event_name);
    if (found == ELS_BODY_FRAME || found == ELS_BODY_DONE) return found;
    b->is_cut = b->source == ELS_BODY_IN_LINES || b->decoder.els_stopped != ELS_SSE_STOP_BETWEEN;
    return ELS_BODY_NOTHING;
}

/* Lines that are no fields. */

/* Nonzero for bytes that appear in the names of fields that the standard does not know. */
ELS_PRIVATE int els_body_is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' ||
           byte == '_' || byte == '.';
}

/* A field has a name and a colon. A line without them is words, unless the body ended in it and it might have
   become a field. */
ELS_PRIVATE void els_body_listen(els_body *b, const elelem_frame *frame)
{
    size_t i;

    if (b->heard != ELS_BODY_HEARD_NOTHING) return;
    for (i = 0; i < frame->text.size && b->line == ELS_BODY_LINE_BEGUN; i++) {
        if (els_body_is_name(frame->text.data[i])) continue;
        if (frame->text.data[i] != ':') b->heard = ELS_BODY_HEARD_WORDS;
        b->line = ELS_BODY_LINE_KNOWN;
    }
    if (frame->line_end && b->line == ELS_BODY_LINE_BEGUN && b->decoder.els_stopped != ELS_SSE_STOP_NAME)
        b->heard = ELS_BODY_HEARD_WORDS;
}

/* Nonzero if a line that begins with this piece, which is not empty, begins a JSON value: some gateways put a bare error
   between frames, on one line or on several. */
ELS_PRIVATE int els_body_begins_json(const els_body *b, elelem_str text)
{
    return b->json == ELS_BODY_JSON_NONE && text.data[0] == '{';
}

/* A stray value met a limit. What is left of its line is ignored, as everything is between frames that is not known to
   be an error. Memory that was refused ends the body. */
ELS_PRIVATE els_body_found els_body_stray_limit(els_body *b)
{
    if (b->error.status == ELELEM_ERROR_MEMORY) return ELS_BODY_ERROR;
    b->json = ELS_BODY_JSON_BAD;
    return ELS_BODY_STRAY_LIMIT;
}

/* Reads a piece of the lines that a stray value is written on. */
ELS_PRIVATE els_body_found els_body_stray(els_body *b, const els_input *in, const elelem_frame *frame)
{
    els_body_found found = els_body_read_line(b, in, frame->text);

    if (found == ELS_BODY_NOTHING && frame->line_end) found = els_body_read_line(b, in, elelem_str_of("\n"));
    if (found != ELS_BODY_NOTHING) return els_body_stray_limit(b);
    if (b->json == ELS_BODY_JSON_BAD) els_body_begin_text(b);
    if (b->json != ELS_BODY_JSON_WHOLE || !frame->line_end) return ELS_BODY_NOTHING;
    b->is_found = 1;
    return ELS_BODY_STRAY;
}

ELS_PRIVATE els_body_found els_body_line_piece(els_body *b, const els_input *in, const elelem_frame *frame)
{
    if (b->line == ELS_BODY_LINE_NONE) {
        b->line = ELS_BODY_LINE_BEGUN;
        if (els_body_begins_json(b, frame->text)) {
            b->source = ELS_BODY_IN_LINES;
            if (b->heard == ELS_BODY_HEARD_NOTHING) b->heard = ELS_BODY_HEARD_JSON;
        }
    }
    if (b->source == ELS_BODY_IN_LINES) b->line = ELS_BODY_LINE_KNOWN;
    els_body_listen(b, frame);
    if (frame->line_end) b->line = ELS_BODY_LINE_NONE;
    return b->source == ELS_BODY_IN_LINES ? els_body_stray(b, in, frame) : ELS_BODY_NOTHING;
}

/* Reading a body of each kind. */

/* Nonzero if no bytes follow those of the input. */
ELS_INLINE int els_body_is_last(const els_body *b, const els_input *in)
{
    return in->finished && !b->is_held;
}

/* All bytes are read. */
ELS_INLINE els_body_found els_body_wait(const els_body *b, const els_input *in)
{
    return els_body_is_last(b, in) ? ELS_BODY_END : ELS_BODY_MORE;
}

ELS_PRIVATE els_body_found els_body_read_events(els_body *b, els_input *in)
{
    elelem_frame frame;
    elelem_status status;

    if (b->has_rest) return els_body_read_rest(b, in);
    status = els_sse_next(&b->decoder, &in->bytes, &frame);
    if (status == ELELEM_MORE && els_body_is_last(b, in)) status = els_sse_close(&b->decoder, &frame);
    if (status < 0) return els_body_fail(b, elelem_sse_decoder_error(&b->decoder));
    if (status != ELELEM_OK) return els_body_wait(b, in);
    switch ((elelem_frame_kind)frame.kind) {
    case ELELEM_FRAME_DATA: return els_body_data(b, in, frame.text);
    case ELELEM_FRAME_LINE: return els_body_line_piece(b, in, &frame);
    case ELELEM_FRAME_DISCARD: return els_body_last_frame(b, in, frame.event);
    default: return els_body_dispatch(b, in, frame.event);
    }
}

/* Nonzero if a document, but for frames, is to be continued without another byte. */
ELS_INLINE int els_body_is_inside(const els_body *b)
{
    if (!ELS_HAS_WHOLE) return b->passage.has_fragment;
    return b->passage.has_fragment || b->list;
}

/* What was found inside a document. */
ELS_INLINE els_body_found els_body_inside(const els_body *b)
{
    return ELS_HAS_WHOLE && b->list ? ELS_BODY_LIST : ELS_BODY_PIECE;
}

/* A body that is one value is read until it is known to be one, or to be none. A whole response is a frame. */
ELS_PRIVATE els_body_found els_body_read_value(els_body *b, els_input *in)
{
    elelem_status status;

    if (in->bytes.at == in->bytes.end && !els_body_is_inside(b)) return els_body_wait(b, in);
    b->parser.els_lent.offset = in->offset;
    status = els_body_read_json(b, &in->bytes);
    if (status == ELS_AGAIN) return els_body_inside(b);
    if (status < 0 || (b->json == ELS_BODY_JSON_BAD && b->is_refusal)) return els_body_fail_json(b, status);
    if (b->json == ELS_BODY_JSON_PART) return ELS_BODY_NOTHING;
    if (b->json == ELS_BODY_JSON_WHOLE && b->kind == ELS_BODY_WHOLE) return els_body_frame(b, in, els_str(NULL, 0));
    b->error = els_error(ELELEM_ERROR_PROTOCOL, 0);
    return ELS_BODY_NOT_A_STREAM;
}

/* What an array waits for after this byte; the same as before if the byte begins an element or is wrong. */
ELS_PRIVATE els_body_array els_body_array_after(els_body_array state, unsigned char byte)
{
    switch (state) {
    case ELS_BODY_ARRAY_BRACKET: return ELS_BODY_ARRAY_FIRST; /* the byte that made the body an array */
    case ELS_BODY_ARRAY_FIRST: return byte == ']' ? ELS_BODY_ARRAY_CLOSED : state;
    case ELS_BODY_ARRAY_COMMA: return byte == ',' ? ELS_BODY_ARRAY_ELEMENT : byte == ']' ? ELS_BODY_ARRAY_CLOSED : state;
    default: return state;
    }
}

/* Reads what is between the elements of an array: a bracket or a comma. Nothing is found if an element begins. */
ELS_PRIVATE els_body_found els_body_read_between(els_body *b, els_input *in)
{
    while (els_skip_blanks(&in->bytes)) {
        els_body_array state = (els_body_array)b->array;
        els_body_array after = els_body_array_after(state, *in->bytes.at);
        if (after == state && (state == ELS_BODY_ARRAY_FIRST || state == ELS_BODY_ARRAY_ELEMENT)) return ELS_BODY_NOTHING;
        if (after == state) return els_body_fail_json(b, els_json_fail(&b->parser, &in->bytes, ELELEM_ERROR_SYNTAX));
        b->array = (uint8_t)after;
        in->bytes.at++;
    }
    return els_body_wait(b, in);
}

ELS_PRIVATE els_body_found els_body_read_array(els_body *b, els_input *in)
{
    els_body_found found = ELS_BODY_NOTHING;
    elelem_status status;

    b->parser.els_lent.offset = in->offset;
    if (b->json == ELS_BODY_JSON_NONE) found = els_body_read_between(b, in);
    if (found != ELS_BODY_NOTHING) return found;
    if (in->bytes.at == in->bytes.end && !els_body_is_inside(b)) return els_body_wait(b, in);
    status = els_body_read_json(b, &in->bytes);
    if (status == ELS_AGAIN) return els_body_inside(b);
    if (status < 0 || b->json == ELS_BODY_JSON_BAD) return els_body_fail_json(b, status);
    if (b->json == ELS_BODY_JSON_PART) return ELS_BODY_NOTHING;
    b->array = ELS_BODY_ARRAY_COMMA;
    return els_body_frame(b, in, els_str(NULL, 0));
}

/* A refusal in words says no more than its status does. */
ELS_PRIVATE els_body_found els_body_read_words(els_body *b, els_input *in)
{
    if (!b->is_refusal) {
        b->error = els_error(ELELEM_ERROR_PROTOCOL, els_input_offset(in));
        return ELS_BODY_NOT_A_STREAM;
    }
    in->bytes.at = in->bytes.end;
    return els_body_wait(b, in);
}

/* The frame that the caller pushed whole. */
ELS_PRIVATE els_body_found els_body_read_frame(els_body *b, els_input *in)
{
    elelem_str data = els_str(in->bytes.at, (size_t)(in->bytes.end - in->bytes.at));
    elelem_status status;

    if (!b->has_frame) return els_body_wait(b, in);
    if (!b->has_rest) els_body_match_done(b, data);
    b->parser.els_lent.offset = in->offset;
    status = els_body_read_text(b, b->has_rest ? b->rest : in->bytes);
    if (status == ELS_AGAIN) return ELS_BODY_PIECE;
    b->has_frame = 0;
    in->bytes.at = in->bytes.end;
    return status < 0 ? els_body_fail_json(b, status) : els_body_frame(b, in, b->event_name);
}

/* The start. */

/* No line of an event stream begins with a control byte or inside a character. Gzip does. */
ELS_PRIVATE int els_body_is_binary(unsigned char byte)
{
    return byte < 0x20 || byte == 0x7f || (byte >= 0x80 && byte < 0xc2) || byte > 0xf4;
}

/* Finds the first byte of the body that is not whitespace nor of a byte order mark. 0 if it is still to come. */
ELS_PRIVATE int els_body_find_start(els_body *b, els_cursor *in)
{
    static const unsigned char mark[] = { 0xef, 0xbb, 0xbf };

    if (b->mark == 0 && !els_skip_blanks(in)) return 0;
    while (b->mark < sizeof mark && in->at < in->end && *in->at == mark[b->mark]) {
        b->mark++;
        in->at++;
    }
    return b->mark == sizeof mark ? els_skip_blanks(in) : in->at < in->end;
}

ELS_PRIVATE els_body_kind els_body_kind_of(const els_body *b, unsigned char byte)
{
    if (b->mark % 3 > 0) return ELS_BODY_TEXT; /* half a mark */
    switch (byte) {
    case '{': return b->whole_patterns && !b->is_refusal ? ELS_BODY_WHOLE : ELS_BODY_VALUE;
    case '[': return b->may_be_array && !b->is_refusal ? ELS_BODY_ARRAY : ELS_BODY_VALUE;
    case '<': return ELS_BODY_TEXT;
    default: return els_body_is_binary(byte) ? ELS_BODY_TEXT : ELS_BODY_EVENTS;
    }
}

/* The first byte decides what the body is. */
ELS_PRIVATE els_body_found els_body_read_start(els_body *b, els_input *in)
{
    if (!els_body_find_start(b, &in->bytes)) return els_body_wait(b, in);
    b->kind = (uint8_t)els_body_kind_of(b, *in->bytes.at);
    if (b->kind == ELS_BODY_VALUE && *in->bytes.at == '[') b->patterns = b->array_patterns; /* at best it holds an error */
    b->decoder.els_offset = els_input_offset(in);
    els_body_begin_document(b, in);
    return ELS_BODY_NOTHING;
}

ELS_PRIVATE els_body_found els_body_read(els_body *b, els_input *in)
{
    switch ((els_body_kind)b->kind) {
    case ELS_BODY_EVENTS: return els_body_read_events(b, in);
    case ELS_BODY_VALUE:
    case ELS_BODY_WHOLE: return els_body_read_value(b, in);
    case ELS_BODY_ARRAY: return els_body_read_array(b, in);
    case ELS_BODY_TEXT: return els_body_read_words(b, in);
    case ELS_BODY_FRAMES: return els_body_read_frame(b, in);
    default: return els_body_read_start(b, in);
    }
}

/* For stream. */

/* Reads up to the next thing found, and forgets the one before. */
ELS_PRIVATE els_body_found els_body_next(els_body *b, els_input *in)
{
    els_body_found found;

    if (b->is_found) els_body_begin_document(b, in);
    if (b->source == ELS_BODY_IN_LINES && b->json == ELS_BODY_JSON_BAD) els_body_begin_text(b);
    do
        found = els_body_read(b, in);
    while (found == ELS_BODY_NOTHING);
    return found;
}

/* The input's bytes are the data of one whole frame. */
ELS_PRIVATE void els_body_give_frame(els_body *b, elelem_str event_name)
{
    b->kind = ELS_BODY_FRAMES;
    b->event_name = event_name;
    b->has_frame = 1;
}

/* Nonzero if the frame found is a whole response. */
ELS_PRIVATE int els_body_is_whole_response(const els_body *b)
{
    if (!ELS_HAS_WHOLE) return 0;
    return b->kind == ELS_BODY_WHOLE;
}

/* Nonzero if the caller gives whole frames. */
ELS_INLINE int els_body_is_given_frames(const els_body *b)
{
    return b->kind == ELS_BODY_FRAMES;
}

/* At the end: nonzero if what came is neither JSON nor an event stream that holds any. */
ELS_PRIVATE int els_body_is_words(const els_body *b)
{
    return b->kind == ELS_BODY_TEXT || (b->kind == ELS_BODY_EVENTS && b->heard < ELS_BODY_HEARD_JSON);
}

/* At the end of a body that was not refused: nonzero if what came is no stream. */
ELS_PRIVATE int els_body_is_no_stream(const els_body *b)
{
    return b->kind == ELS_BODY_VALUE || b->heard == ELS_BODY_HEARD_WORDS;
}

/* Nonzero if the body itself said that it is complete. */
ELS_PRIVATE int els_body_is_closed(const els_body *b)
{
    return b->array == ELS_BODY_ARRAY_CLOSED;
}

/* At the end: nonzero if the body stopped inside an array, a line or a frame. Data that is whole counts, even
   if its line has no end. */
ELS_PRIVATE int els_body_was_cut(const els_body *b)
{
    unsigned stopped = b->decoder.els_stopped;

    if (b->kind == ELS_BODY_ARRAY) return !els_body_is_closed(b);
    return b->is_cut || b->json == ELS_BODY_JSON_PART || stopped == ELS_SSE_STOP_NAME || stopped == ELS_SSE_STOP_LINE;
}

/* Starts over, keeping memory and what stream set. */
ELS_PRIVATE void els_body_start(els_body *b)
{
    elelem_sse_decoder_reset(&b->decoder);
    els_body_begin_text(b);
    b->event_name = els_str(NULL, 0);
    b->error = els_error(ELELEM_OK, 0);
    b->begin = 0;
    b->kind = ELS_BODY_UNKNOWN;
    b->is_found = 1;
    b->mark = 0;
    b->array = ELS_BODY_ARRAY_BRACKET;
    b->line = ELS_BODY_LINE_NONE;
    b->heard = ELS_BODY_HEARD_NOTHING;
    b->is_cut = 0;
    b->has_frame = 0;
    b->is_held = 0;
}

#define ELS_BODY_LEAST_TOKEN 4096u

/* The longest keys and numbers that are read: a document could not hold longer ones. Those of a document that is
   allowed next to nothing are read still, since most of them are only compared. */
ELS_INLINE uint32_t els_body_token(uint32_t max_document_bytes)
{
    return max_document_bytes > ELS_BODY_LEAST_TOKEN ? max_document_bytes : ELS_BODY_LEAST_TOKEN;
}

ELS_PRIVATE void els_body_init(els_body *b, elelem_allocator allocator, uint32_t max_document_bytes)
{
    elelem_sse_decoder_desc decoder = ELELEM_INIT;
    elelem_fragment_parser_desc parser = ELELEM_INIT;
    elelem_fragment_aggregator_desc document = ELELEM_INIT;

    decoder.allocator = parser.allocator = document.allocator = allocator;
    decoder.lines = 1;
    parser.max_key_bytes = els_limit(els_body_token(max_document_bytes), 0, 65536);
    parser.max_path_bytes = els_limit(els_body_token(max_document_bytes), 0, 262144);
    parser.max_number_bytes = parser.max_key_bytes;
    document.max_bytes = max_document_bytes;
    b->short_list = ELS_BODY_SHORT_LIST;
    elelem_sse_decoder_init(&b->decoder, &decoder);
    elelem_fragment_parser_init(&b->parser, &parser);
    elelem_fragment_aggregator_init(&b->document, &document);
    els_passage_init(&b->passage, allocator);
}

ELS_PRIVATE void els_body_free(els_body *b)
{
    elelem_sse_decoder_free(&b->decoder);
    elelem_fragment_parser_free(&b->parser);
    elelem_fragment_aggregator_free(&b->document);
    els_passage_free(&b->passage);
}

#endif
