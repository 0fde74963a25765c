#ifndef ELS_REPEAT_C
#define ELS_REPEAT_C
#include "repeat.h"
#include "base.c"
#include "text.c"
#include "path.c"
#include "fragment.c"
#include "value.c"
#include "document.c"

/* >> repeat */

/* A part of the room after the last document is left free, for values that are longer, and no more than so many bytes. */
#define ELS_REPEAT_SPARE 1024u
#define ELS_REPEAT_SPARE_PART 6u

/* After so many frames in a row that differ from what was kept, so many are not learned. */
#define ELS_REPEAT_MISSES 12u
#define ELS_REPEAT_WAITS 12u

/* The longest frame that is kept, or held if pushes cut it, and the least room that is worth it. */
#define ELS_REPEAT_TEXT 2048u
#define ELS_REPEAT_LEAST 256u

/* How much of a string may be open between two pushes: it is read from its start again. */
#define ELS_REPEAT_OPEN 256u

/* What is kept of a frame, after the notes. Its text follows, and then as much of the frame at hand as came in pushes before, if it
   is compared. */
typedef struct els_repeat_frame {
    const elelem_pattern_node *nodes; /* the patterns of the frame */
    size_t count;
    uint32_t dropped;
    uint32_t tree_used;    /* of the document, with what became longer */
    uint32_t tree_current;
    uint32_t tree_depth;
    uint32_t values;       /* how many are noted */
    uint32_t room;         /* for texts */
    uint32_t size;         /* of the text */
    uint32_t held;         /* bytes of the frame at hand after it */
    uint32_t held_read;    /* of those, bytes that are compared */
    uint32_t compared;     /* bytes of the text that are compared */
    uint32_t between;      /* bytes of it up to which nothing but blanks, commas and brackets follow a value; if it is after that */
    uint32_t value;        /* the values before this one are compared */
} els_repeat_frame;

#define ELS_REPEAT_NOTES (ELS_DOCUMENT_NOTES * sizeof(els_document_note))

ELS_INLINE els_repeat_frame *els_repeat_frame_at(const els_tree *tree, uint32_t place)
{
    return (els_repeat_frame *)(void *)(tree->els_memory.data + place + ELS_REPEAT_NOTES);
}

ELS_INLINE els_document_note *els_repeat_values(const els_repeat_frame *f)
{
    return (els_document_note *)((els_repeat_frame *)f) - ELS_DOCUMENT_NOTES;
}

ELS_INLINE unsigned char *els_repeat_text(const els_repeat_frame *f)
{
    return (unsigned char *)((els_repeat_frame *)f + 1);
}

/* Nothing is kept, or no longer. */
ELS_INLINE void els_repeat_forget(els_repeat *r)
{
    r->state = ELS_REPEAT_OFF;
    r->notes.place = 0;
}

/* When a document is over: a frame that is still learned or compared is no whole one. */
ELS_INLINE void els_repeat_end(els_repeat *r)
{
    if (r->state != ELS_REPEAT_KEPT) els_repeat_forget(r);
}

/* Learning. */

/* Begins to learn a frame, of which nothing came yet, at the place that is kept. */
ELS_PRIVATE void els_repeat_learn_at(els_repeat *r, els_repeat_frame *f, const elelem_patterns *wanted)
{
    f->nodes = wanted->nodes;
    f->count = wanted->count;
    f->dropped = wanted->els_dropped;
    f->size = 0;
    r->notes.place = r->place;
    r->notes.count = 0;
    r->state = ELS_REPEAT_LEARNS;
}

/* Makes the block as large as is wanted, once. It may be refused. */
ELS_PRIVATE void els_repeat_make_room(els_repeat *r, els_tree *tree)
{
    if (r->used == 0 || r->wanted == 0) return;
    if (tree->els_memory.capacity < r->wanted && r->wanted <= tree->els_max_bytes) els_block_set(&tree->els_memory, r->wanted);
    r->wanted = 0;
}

/* Begins to learn a frame in the room after the last document, if that is enough. */
ELS_PRIVATE void els_repeat_learn(els_repeat *r, els_tree *tree, const elelem_patterns *wanted)
{
    size_t fixed = (size_t)r->used + ELS_REPEAT_NOTES + sizeof(els_repeat_frame);
    size_t room, spare;
    els_repeat_frame *f;

    els_repeat_forget(r);
    if (r->waits > 0) {
        r->waits--;
        return;
    }
    els_repeat_make_room(r, tree);
    room = tree->els_memory.capacity > fixed ? tree->els_memory.capacity - fixed : 0;
    spare = room / ELS_REPEAT_SPARE_PART < ELS_REPEAT_SPARE ? room / ELS_REPEAT_SPARE_PART : ELS_REPEAT_SPARE;
    if (room < ELS_REPEAT_LEAST) return;
    r->place = (uint32_t)(r->used + spare) & ~7u;
    f = els_repeat_frame_at(tree, r->place);
    f->room = (uint32_t)(room - spare);
    els_repeat_learn_at(r, f, wanted);
}

/* Keeps more of the frame that is learned, before it is parsed. */
ELS_PRIVATE void els_repeat_learn_text(els_repeat *r, const els_tree *tree, const els_cursor *bytes)
{
    els_repeat_frame *f = els_repeat_frame_at(tree, r->place);
    size_t size = (size_t)(bytes->end - bytes->at);

    if (tree->els_used > r->place || size > f->room - f->size || f->size + size > ELS_REPEAT_TEXT) {
        els_repeat_forget(r);
        return;
    }
    r->notes.text = bytes->at;
    r->notes.before = f->size;
    memcpy(els_repeat_text(f) + f->size, bytes->at, size);
    f->size += (uint32_t)size;
}

/* Learns the frame that was compared and differs, if that was not in vain too often. Returns what is held of it, which is to be parsed first. */
ELS_PRIVATE els_cursor els_repeat_relearn(els_repeat *r, const els_tree *tree, const elelem_patterns *wanted)
{
    els_repeat_frame *f = els_repeat_frame_at(tree, r->place);
    unsigned char *text = els_repeat_text(f);

    memmove(text, text + f->size, f->held);
    els_repeat_learn_at(r, f, wanted);
    f->size = f->held;
    r->notes.text = text;
    r->notes.before = 0;
    if (r->misses < ELS_REPEAT_MISSES) {
        r->misses++;
    } else {
        r->waits = ELS_REPEAT_WAITS;
        els_repeat_forget(r);
    }
    return els_cursor_of(text, f->held);
}

/* Returns the place of the quote that opens the string that is open at the end of a text: the last one without a backslash before
   it. */
ELS_PRIVATE uint32_t els_repeat_open_quote(const unsigned char *text, uint32_t size)
{
    uint32_t at = size, slashes;

    do {
        /* Not reached: in these three lines the start of the text. The string is in an object, so that its quote follows another byte */
        while (at > 0 && text[--at] != '"')
            continue;
        /* Not reached: likewise */
        for (slashes = 0; slashes < at && text[at - slashes - 1] == '\\';)
            slashes++;
    } while (at > 0 && slashes % 2 == 1); /* Not reached: likewise */
    return at;
}

/* Nonzero if the value that was noted last has this node. */
ELS_INLINE int els_repeat_has_noted(const els_repeat *r, const els_repeat_frame *f, uint32_t node)
{
    return r->notes.count > 0 && els_repeat_values(f)[r->notes.count - 1].node == node / ELS_VALUE_ALIGN;
}

/* Notes the string that a push cuts, if one is open in the document, without its size. */
ELS_PRIVATE void els_repeat_note_open(els_repeat *r, const els_tree *tree)
{
    const els_repeat_frame *f = els_repeat_frame_at(tree, r->place);
    const els_value_node *node = els_tree_node(tree, tree->els_current);

    if (!tree->els_current || node->type != ELELEM_TYPE_STRING) return;
    if (tree->els_used > r->place || els_repeat_has_noted(r, f, tree->els_current)) return;
    els_document_add_note(&r->notes, tree, els_repeat_open_quote(els_repeat_text(f), f->size), 0, ELELEM_TYPE_STRING,
                          tree->els_current);
}

/* Finds the sizes of strings that pushes cut, in the whole text. Zero if one cannot be read at once. */
ELS_PRIVATE int els_repeat_measure(const els_repeat_frame *f)
{
    els_document_note *note = els_repeat_values(f);
    const els_document_note *after = note + f->values;
    const unsigned char *text = els_repeat_text(f), *end = text + f->size;

    for (; note < after; note++) {
        const unsigned char *quote;
        if (note->size > 0) continue;
        quote = els_whole_string_end(text + note->at + 1, end);
        if (!quote) return 0;
        note->size = (uint16_t)(quote + 1 - text - note->at);
    }
    return 1;
}

/* The frame that is learned is whole; it ended at `end`. */
ELS_PRIVATE void els_repeat_keep(els_repeat *r, const els_tree *tree, const unsigned char *end)
{
    els_repeat_frame *f = els_repeat_frame_at(tree, r->place);

    if (tree->els_used > r->place || *els_repeat_text(f) != '{') {
        els_repeat_forget(r);
        return;
    }
    f->size = r->notes.before + (uint32_t)(end - r->notes.text);
    f->values = r->notes.count;
    f->tree_used = tree->els_used;
    f->tree_current = tree->els_current;
    f->tree_depth = tree->els_depth;
    r->notes.place = 0;
    r->state = ELS_REPEAT_KEPT;
    if (!els_repeat_measure(f)) els_repeat_forget(r);
}

/* Comparing. The functions return OK, MORE if all bytes are read, or ELS_AGAIN if the frame differs. */

/* Begins to compare a frame, if one is kept that the same is wanted of. */
ELS_PRIVATE int els_repeat_begin(els_repeat *r, const els_tree *tree, const elelem_patterns *wanted)
{
    els_repeat_frame *f;

    if (r->state != ELS_REPEAT_KEPT) return 0;
    f = els_repeat_frame_at(tree, r->place);
    if (f->nodes != wanted->nodes || f->count != wanted->count || f->dropped != wanted->els_dropped) return 0;
    f->held = f->held_read = f->compared = f->between = f->value = 0;
    r->state = ELS_REPEAT_COMPARES;
    return 1;
}

/* Puts another text into the node of the document. A longer one goes to the end of the block, and takes no less there than in its
   place. */
ELS_INLINE int els_repeat_put(els_repeat_frame *f, els_tree *tree, uint32_t place, const els_document_note *note,
                              const els_whole *whole)
{
    els_text *to = &els_tree_node(tree, note->node * ELS_VALUE_ALIGN)->in.text;
    elelem_str text = whole->text;

    if (text.size > to->room) {
        if (place < f->tree_used + ELS_VALUE_ALIGN || text.size > place - f->tree_used - ELS_VALUE_ALIGN) return 0;
        to->start = f->tree_used;
        to->room = (uint32_t)text.size;
        f->tree_used += (uint32_t)(text.size + ELS_VALUE_ALIGN - 1) & ~(ELS_VALUE_ALIGN - 1);
    }
    if (whole->has_escapes) text.size = els_whole_unescape(tree->els_memory.data + to->start, text);
    else if (text.size > 0) memcpy(tree->els_memory.data + to->start, text.data, text.size);
    to->size = (uint32_t)text.size;
    return 1;
}

/* Reads a value that differs from the noted one, or may. */
ELS_INLINE elelem_status els_repeat_value(els_repeat_frame *f, els_tree *tree, const elelem_fragment_parser *p, uint32_t place,
                                          const els_document_note *note, els_cursor *in)
{
    els_whole whole;

    if (in->at == in->end) return ELELEM_MORE;
    if (*in->at == '"' && note->type != ELELEM_TYPE_STRING && note->type != ELELEM_TYPE_NONE) return ELS_AGAIN;
    if (*in->at == '"' && els_whole_string_end(in->at + 1, in->end) == in->end) return ELELEM_MORE;
    if (note->type == ELELEM_TYPE_NONE) {
        whole.end = els_json_value_end(p, in->at, in->end);
    } else {
        whole = els_whole_at(in->at, in->end);
        if (!whole.end || whole.type != note->type || !els_document_allows(p, &whole)) return ELS_AGAIN;
        if (note->node && !els_repeat_put(f, tree, place, note, &whole)) return ELS_AGAIN;
    }
    if (!whole.end) return ELS_AGAIN;
    in->at = whole.end;
    return ELELEM_OK;
}

/* Returns the first value from `from` on that varies. */
ELS_INLINE uint32_t els_repeat_varying(const els_repeat_frame *f, uint32_t from)
{
    const els_document_note *values = els_repeat_values(f);

    while (from < f->values && !values[from].varies)
        from++;
    return from;
}

/* Returns the value that is at this byte of the text or ends before it, of those from `from` up to `end`; `end` if there is none. */
ELS_PRIVATE uint32_t els_repeat_around(const els_repeat_frame *f, uint32_t from, uint32_t end, uint32_t at)
{
    const els_document_note *values = els_repeat_values(f);

    while (from < end && at > (uint32_t)values[from].at + values[from].size)
        from++;
    return from < end && at >= values[from].at ? from : end;
}

/* Nonzero if the text between a value and here holds nothing but blanks, commas and brackets that close. Each byte is looked at
   once. */
ELS_PRIVATE int els_repeat_is_between(els_repeat_frame *f, uint32_t next)
{
    const els_document_note *values = els_repeat_values(f);
    const unsigned char *text = els_repeat_text(f);
    uint32_t at = f->compared, end;

    while (next > 0 && values[next - 1].at >= at)
        next--;
    if (next == 0) return 0;
    end = (uint32_t)values[next - 1].at + values[next - 1].size;
    if (end > at) return 0;
    if (end < f->between) end = f->between;
    while (at > end && memchr(" \t\r\n,]}", text[at - 1], 7))
        at--;
    if (at <= end) f->between = f->compared;
    return at <= end;
}

/* Passes over blanks after a value, of which the two may have different numbers. Zero if that does not help. */
ELS_PRIVATE int els_repeat_skip_blanks(els_repeat_frame *f, uint32_t next, els_cursor *in)
{
    const els_document_note *values = els_repeat_values(f);
    els_cursor text = els_cursor_of(els_repeat_text(f) + f->compared, f->size - f->compared);

    if (!els_is_blank(*text.at) && !els_is_blank(*in->at)) return 0;
    if (!els_repeat_is_between(f, next)) return 0;
    els_skip_blanks(&text);
    els_skip_blanks(in);
    f->compared = (uint32_t)(text.at - els_repeat_text(f));
    while (f->value < f->values && values[f->value].at < f->compared)
        f->value++;
    return 1;
}

/* The two differ at the cursor, before the value `next`: continues after blanks, or from the start of the value that is there. */
ELS_PRIVATE elelem_status els_repeat_differ(els_repeat_frame *f, uint32_t next, els_cursor *in)
{
    els_document_note *value;
    uint32_t found;

    if (els_repeat_skip_blanks(f, next, in)) return ELELEM_OK;
    found = els_repeat_around(f, f->value, next, f->compared);
    if (found == next) return ELS_AGAIN;
    value = &els_repeat_values(f)[found];
    value->varies = 1;
    in->at -= f->compared - value->at;
    f->compared = value->at;
    return ELELEM_OK;
}

/* Compares the frame from the cursor on, up to its end: END, and the cursor is there. */
ELS_PRIVATE elelem_status els_repeat_compare(els_repeat_frame *f, els_tree *tree, const elelem_fragment_parser *p, uint32_t place,
                                             els_cursor *in)
{
    const unsigned char *text = els_repeat_text(f);
    const els_document_note *values = els_repeat_values(f);
    elelem_status status = ELELEM_OK;

    while (status == ELELEM_OK) {
        uint32_t next = els_repeat_varying(f, f->value);
        uint32_t stop = next < f->values ? values[next].at : f->size;
        size_t left = (size_t)(in->end - in->at);
        size_t common = els_text_common(text + f->compared, in->at, left < stop - f->compared ? left : stop - f->compared);

        in->at += common;
        f->compared += (uint32_t)common;
        if (f->compared < stop) {
            if (in->at == in->end) return ELELEM_MORE;
            status = els_repeat_differ(f, next, in);
            continue;
        }
        if (next == f->values) return ELELEM_END;
        f->value = next;
        status = els_repeat_value(f, tree, p, place, &values[next], in);
        if (status != ELELEM_OK) return status;
        f->compared = (uint32_t)values[next].at + values[next].size;
        f->value = next + 1;
    }
    return status;
}

/* Holds the bytes of the frame until more come. */
ELS_PRIVATE int els_repeat_hold(els_repeat_frame *f, const els_cursor *bytes)
{
    size_t size = (size_t)(bytes->end - bytes->at);

    if (size > f->room - f->size - f->held || f->held + size > ELS_REPEAT_TEXT) return 0;
    memcpy(els_repeat_text(f) + f->size + f->held, bytes->at, size);
    f->held += (uint32_t)size;
    return 1;
}

/* Nonzero if what is held can be parsed in the room before it, with the string in it that is open: so much was not read. */
ELS_INLINE int els_repeat_has_room(const els_repeat_frame *f, uint32_t place, size_t open)
{
    return open <= ELS_REPEAT_OPEN && open <= place - f->tree_used;
}

/* Compares with the held bytes before them: the value that a push cut is whole in both. */
ELS_PRIVATE elelem_status els_repeat_compare_held(els_repeat_frame *f, els_tree *tree, const elelem_fragment_parser *p,
                                                  uint32_t place, els_cursor *bytes)
{
    uint32_t before = f->held;
    unsigned char *start = els_repeat_text(f) + f->size;
    els_cursor held;
    elelem_status status;

    if (!els_repeat_hold(f, bytes)) return ELS_AGAIN;
    held = els_cursor_of(start, f->held);
    held.at += f->held_read;
    status = els_repeat_compare(f, tree, p, place, &held);
    if (status == ELELEM_MORE && !els_repeat_has_room(f, place, (size_t)(held.end - held.at))) status = ELS_AGAIN;
    if (status == ELS_AGAIN) f->held = before;
    else bytes->at = status == ELELEM_MORE ? bytes->end : bytes->end - (held.end - held.at);
    f->held_read = (uint32_t)(held.at - start);
    return status;
}

/* Compares the first bytes of the frame in their place. */
ELS_PRIVATE elelem_status els_repeat_compare_first(els_repeat_frame *f, els_tree *tree, const elelem_fragment_parser *p, uint32_t place,
                                                   els_cursor *bytes)
{
    els_cursor in = *bytes;
    elelem_status status = els_repeat_compare(f, tree, p, place, &in);
    size_t open = (size_t)(in.end - in.at);

    f->held_read = (uint32_t)(in.at - bytes->at);
    if (status == ELELEM_MORE && (!els_repeat_has_room(f, place, open) || !els_repeat_hold(f, bytes))) status = ELS_AGAIN;
    if (status == ELELEM_MORE) bytes->at = bytes->end;
    if (status == ELELEM_END) bytes->at = in.at;
    return status;
}

/* The frame agrees to its end: its document is complete. */
ELS_INLINE void els_repeat_restore(const els_repeat_frame *f, els_tree *tree)
{
    tree->els_used = f->tree_used;
    tree->els_current = f->tree_current;
    tree->els_depth = f->tree_depth;
    tree->els_over = 1;
}

/* Compares more of the frame. END: it is whole, and the document complete; MORE: all bytes were compared; ELS_AGAIN: it differs,
   and the bytes are to be parsed after those that are held. */
ELS_PRIVATE elelem_status els_repeat_read(els_repeat *r, els_tree *tree, const elelem_fragment_parser *p, els_cursor *bytes)
{
    els_repeat_frame *f = els_repeat_frame_at(tree, r->place);
    elelem_status status = f->held > 0 ? els_repeat_compare_held(f, tree, p, r->place, bytes)
                                       : els_repeat_compare_first(f, tree, p, r->place, bytes);

    if (status != ELELEM_END) return status;
    els_repeat_restore(f, tree);
    r->misses = 0;
    r->state = ELS_REPEAT_KEPT;
    return status;
}

#endif
