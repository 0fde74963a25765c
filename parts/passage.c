#ifndef ELS_PASSAGE_C
#define ELS_PASSAGE_C
#include "passage.h"
#include "base.c"
#include "text.c"
#include "fragment.c"
#include "value.c"
#include "writer.c"

/* >> passage */

typedef enum els_passage_state {
    ELS_PASSAGE_OUTSIDE, /* no value that may pass is open */
    ELS_PASSAGE_OPEN,    /* one is, and its type or its id is not known: it is stored and held back at once */
    ELS_PASSAGE_STRING,  /* one is, a string: likewise, while it is short */
    ELS_PASSAGE_KEPT,    /* it does not pass */
    ELS_PASSAGE_DROPPED, /* it is neither stored nor passed on */
    ELS_PASSAGE_PASSES
} els_passage_state;

/* What is held back at most while a type or an id is not known, and what is passed on at a time. A value that is no string counts
   for its marks too: quotes, colon, comma, brackets. */
#define ELS_PASSAGE_HELD 4096u
#define ELS_PASSAGE_MARKS 4u
#define ELS_PASSAGE_PIECE 512u

/* What is stored at most of a value that passes, and what counts for anything that is no text. */
#define ELS_PASSAGE_STORED 4096u
#define ELS_PASSAGE_NODE 16u

ELS_PRIVATE int els_passage_is_among(elelem_str word, const char *const *words)
{
    for (; words && *words; words++)
        if (elelem_str_is(word, *words)) return 1;
    return 0;
}

ELS_INLINE uint32_t els_passage_all_rules(const els_passage *p)
{
    return p->rule_count + p->has_string_rule;
}

/* Returns the rule whose row the container has that the fragment begins; the number of all rules if there is none. */
ELS_INLINE uint32_t els_passage_rule_of(const els_passage *p, const elelem_fragment *fragment)
{
    uint32_t i = 0;

    if (fragment->kind != ELELEM_FRAGMENT_BEGIN) return els_passage_all_rules(p);
    while (i < els_passage_all_rules(p) && p->rules[i].row != fragment->pattern)
        i++;
    return i;
}

/* Begins a value that has a rule. A container that may not pass is kept, with all that is in it. */
ELS_PRIVATE void els_passage_begin(els_passage *p, uint32_t rule, const elelem_fragment *fragment)
{
    p->rule = rule;
    p->depth = (uint32_t)fragment->path->count;
    p->state = rule < p->rule_count && fragment->type == ELELEM_TYPE_OBJECT ? ELS_PASSAGE_OPEN : ELS_PASSAGE_KEPT;
    p->has_type = 0;
    p->has_id = p->rules[rule].id_key == NULL;
    p->type_size = 0;
    p->is_type_cut = 0;
    p->counted = 0;
    p->stored_left = ELS_PASSAGE_STORED;
    p->is_given = 0;
    p->is_last = 0;
    p->is_begun = 0;
    p->is_written = 0;
    elelem_buffer_clear(&p->text);
}

ELS_PRIVATE int els_passage_keep(els_passage *p)
{
    p->state = ELS_PASSAGE_KEPT;
    p->has_fragment = 0;
    p->is_last = 0;
    elelem_buffer_clear(&p->text);
    return 0;
}

/* The value is over before it could pass. */
ELS_PRIVATE int els_passage_end_kept(els_passage *p)
{
    els_passage_keep(p);
    p->state = ELS_PASSAGE_OUTSIDE;
    return 0;
}

/* Adds to the type, which may come in pieces, what fits in whole characters. */
ELS_PRIVATE void els_passage_add_type(els_passage *p, elelem_str text)
{
    size_t room = p->is_type_cut ? 0 : sizeof p->type - p->type_size;

    if (text.size > room) {
        text.size = els_whole_characters((const unsigned char *)text.data, room);
        p->is_type_cut = 1;
    }
    if (text.size > 0) memcpy(p->type + p->type_size, text.data, text.size);
    p->type_size += (uint32_t)text.size;
}

/* Its key came again: as everywhere, the last one counts. */
ELS_PRIVATE void els_passage_forget_type(els_passage *p)
{
    p->has_type = 0;
    p->type_size = 0;
    p->is_type_cut = 0;
}

ELS_PRIVATE elelem_str els_passage_type(const els_passage *p)
{
    return els_str(p->type, p->type_size);
}

/* Nonzero if a member with this key says what type a value is. */
ELS_PRIVATE int els_passage_is_type(const elelem_passage_rule *rule, elelem_str key)
{
    return rule->only ? els_passage_is_among(key, rule->only) : !els_passage_is_among(key, rule->ignored);
}

/* Takes a member for the type if it may be one, and if none is known. Returns nonzero if a value with it does not pass. */
ELS_PRIVATE int els_passage_look_at_member(els_passage *p, elelem_str key)
{
    const elelem_passage_rule *rule = &p->rules[p->rule];

    if (els_passage_is_among(key, rule->kept)) return 1;
    if (p->has_type || !els_passage_is_type(rule, key)) return 0;
    els_passage_add_type(p, key);
    p->has_type = 1;
    return 0;
}

/* Nonzero if the fragment began an object that may pass, and whose members' keys tell whether it does. */
ELS_INLINE int els_passage_has_begun(const els_passage *p, const elelem_fragment *fragment)
{
    return ELS_HAS_ITEMS && p->state == ELS_PASSAGE_OPEN && fragment->kind == ELELEM_FRAGMENT_BEGIN &&
           fragment->path->count == p->depth && !p->rules[p->rule].type_key;
}

/* Does not pass the object that began if its first member, which has this key and is not null, is of a kind that is kept. */
ELS_PRIVATE void els_passage_foresee(els_passage *p, elelem_str key)
{
    if (els_passage_is_among(key, p->rules[p->rule].kept)) els_passage_keep(p);
}

/* Looks whether the fragment shows the type of the value, or its id. Returns nonzero if it shows that the value does not pass. */
ELS_PRIVATE int els_passage_look(els_passage *p, const elelem_fragment *fragment)
{
    const elelem_passage_rule *rule = &p->rules[p->rule];
    elelem_str key;

    if (fragment->path->count != p->depth + 1) return 0;
    key = fragment->path->segments[p->depth].key;
    if (rule->id_key && fragment->kind == ELELEM_FRAGMENT_DONE && elelem_str_is(key, rule->id_key)) p->has_id = 1;
    if (!rule->type_key) return fragment->type != ELELEM_TYPE_NULL && els_passage_look_at_member(p, key);
    if (!elelem_str_is(key, rule->type_key)) return 0;
    if (p->has_type) els_passage_forget_type(p);
    if (fragment->type != ELELEM_TYPE_STRING) return 0;
    if (fragment->kind == ELELEM_FRAGMENT_STRING) els_passage_add_type(p, fragment->text);
    p->has_type = fragment->kind == ELELEM_FRAGMENT_DONE && p->type_size > 0;
    return p->has_type && els_passage_is_among(els_passage_type(p), rule->kept);
}

/* Nonzero if the fragment ends the value at hand. */
ELS_PRIVATE int els_passage_is_end(const els_passage *p, const elelem_fragment *fragment)
{
    return fragment->kind == ELELEM_FRAGMENT_DONE && fragment->path->count == p->depth;
}

/* Does not pass the value on, of which the first piece was to come. */
ELS_PRIVATE void els_passage_drop(els_passage *p)
{
    int is_over = p->has_fragment && els_passage_is_end(p, &p->fragment);

    p->state = is_over ? ELS_PASSAGE_OUTSIDE : ELS_PASSAGE_DROPPED;
    p->has_fragment = 0;
    p->is_last = 0;
    elelem_buffer_clear(&p->text);
}

/* Nonzero if the fragment of a value that is not stored is about a member that is stored all the same: the member itself, or a
   string, number or word directly in it. */
ELS_PRIVATE int els_passage_is_named(const els_passage *p, const elelem_fragment *fragment)
{
    uint32_t level = (uint32_t)fragment->path->count - p->depth;
    int is_container = fragment->type == ELELEM_TYPE_OBJECT || fragment->type == ELELEM_TYPE_ARRAY;

    if (level == 0 || level > 2 || (level == 2 && is_container)) return 0;
    return els_passage_is_among(fragment->path->segments[p->depth].key, p->rules[p->rule].stored);
}

/* Nonzero if it is stored, as far as it fits; nothing more is after one that did not. `held` bytes of its text are in any case.
   What is counted does not depend on how strings are cut. */
ELS_PRIVATE int els_passage_stores(els_passage *p, elelem_fragment *fragment, size_t held)
{
    int is_string = fragment->kind == ELELEM_FRAGMENT_STRING;
    int is_named = els_passage_is_named(p, fragment);
    size_t size = is_string ? fragment->text.size - held : ELS_PASSAGE_NODE;

    if (is_named && size <= p->stored_left) {
        p->stored_left -= (uint32_t)size;
        return 1;
    }
    fragment->text.size = is_string ? held : 0;
    if (!is_named) return held > 0;
    if (is_string) fragment->text.size += els_whole_characters((const unsigned char *)fragment->text.data + held, p->stored_left);
    p->stored_left = 0;
    return fragment->text.size > 0;
}

/* Takes the fragment as one that passes, of which so many bytes are stored in any case. */
ELS_PRIVATE int els_passage_pass(els_passage *p, elelem_fragment *fragment, size_t held)
{
    p->state = ELS_PASSAGE_PASSES;
    p->fragment = *fragment;
    p->has_fragment = 1;
    p->text_at = 0;
    p->is_stored = (uint8_t)els_passage_stores(p, fragment, held);
    p->unstored_at = fragment->text.size;
    return !p->is_stored;
}

/* What the fragment counts of what is held back, no matter how strings are cut. */
ELS_PRIVATE size_t els_passage_cost(const elelem_fragment *fragment)
{
    const elelem_path *path = fragment->path;

    if (fragment->kind == ELELEM_FRAGMENT_STRING) return fragment->text.size;
    return fragment->text.size + ELS_PASSAGE_MARKS + path->segments[path->count - 1].key.size;
}

/* Begins to pass the value with the fragment, with which it is over the limit of what is held back. What is stored of the value is
   cut at the limit. */
ELS_PRIVATE int els_passage_pass_from(els_passage *p, elelem_fragment *fragment, uint32_t limit)
{
    size_t room = limit > p->counted ? limit - p->counted : 0;
    int is_string = fragment->kind == ELELEM_FRAGMENT_STRING;

    if (limit < p->counted) limit = p->counted;
    p->stored_left = limit < ELS_PASSAGE_STORED ? ELS_PASSAGE_STORED - limit : 0;
    return els_passage_pass(p, fragment, is_string ? els_whole_characters((const unsigned char *)fragment->text.data, room) : 0);
}

/* What of the value at hand is held back at most. */
ELS_PRIVATE uint32_t els_passage_limit(const els_passage *p)
{
    return p->has_type && p->has_id ? p->rules[p->rule].least : ELS_PASSAGE_HELD;
}

/* Holds the fragment of a value back that does not pass yet. It is stored, and written when the value passes, which most
   never do. The text of a string whose key is the type has the limit of that type from its first piece on, because it is cut anywhere. */
ELS_PRIVATE int els_passage_hold(els_passage *p, elelem_fragment *fragment)
{
    uint32_t limit = els_passage_limit(p);
    size_t cost = els_passage_cost(fragment);

    if (els_passage_look(p, fragment)) return els_passage_keep(p);
    if (fragment->kind == ELELEM_FRAGMENT_STRING) limit = els_passage_limit(p);
    if (cost > limit || p->counted > limit - cost) return p->has_type ? els_passage_pass_from(p, fragment, limit) : els_passage_keep(p);
    if (els_passage_is_end(p, fragment)) return els_passage_end_kept(p);
    p->counted += (uint32_t)cost;
    if (els_passage_limit(p) == 0) p->state = ELS_PASSAGE_PASSES;
    return 0;
}

/* The same of a string. */
ELS_PRIVATE int els_passage_hold_string(els_passage *p, elelem_fragment *fragment)
{
    uint32_t least = p->rules[p->rule].least;

    if (els_passage_is_end(p, fragment)) return els_passage_end_kept(p);
    if (fragment->text.size > least - p->counted) return els_passage_pass_from(p, fragment, least);
    p->counted += (uint32_t)fragment->text.size;
    return 0;
}

/* Takes a fragment that begins no container that has a rule, but maybe a string: at its first piece. */
ELS_NOINLINE int els_passage_take_outside(els_passage *p, elelem_fragment *fragment)
{
    if (fragment->kind != ELELEM_FRAGMENT_STRING || fragment->pattern != p->rules[p->rule_count].row) return 0;
    els_passage_begin(p, p->rule_count, fragment);
    if (p->depth > 1) els_passage_add_type(p, fragment->path->segments[p->depth - 2].key);
    p->has_type = 1;
    p->state = ELS_PASSAGE_STRING;
    return els_passage_hold_string(p, fragment);
}

/* Takes a fragment of a value that may pass. Nonzero if it is not to be stored, else it may have been made shorter for that. There
   are pieces if it is of a value that passes, or if the type became known. */
ELS_NOINLINE int els_passage_take(els_passage *p, elelem_fragment *fragment)
{
    int is_dropped;

    if (p->state == ELS_PASSAGE_OPEN) return els_passage_hold(p, fragment);
    if (p->state == ELS_PASSAGE_PASSES) return els_passage_pass(p, fragment, 0);
    if (p->state == ELS_PASSAGE_STRING) return els_passage_hold_string(p, fragment);
    is_dropped = p->state == ELS_PASSAGE_DROPPED && !els_passage_stores(p, fragment, 0);
    if (els_passage_is_end(p, fragment)) p->state = ELS_PASSAGE_OUTSIDE;
    return is_dropped;
}

/* The same for any fragment, quick for one that neither begins nor ends what may pass. */
ELS_INLINE int els_passage_takes(els_passage *p, elelem_fragment *fragment)
{
    uint32_t rule;

    if (!ELS_HAS_ITEMS) return 0;
    if (p->state == ELS_PASSAGE_KEPT && fragment->kind != ELELEM_FRAGMENT_DONE) return 0;
    if (p->state != ELS_PASSAGE_OUTSIDE) return els_passage_take(p, fragment);
    rule = els_passage_rule_of(p, fragment);
    if (rule < els_passage_all_rules(p)) els_passage_begin(p, rule, fragment);
    else if (p->has_string_rule) return els_passage_take_outside(p, fragment);
    return 0;
}

/* The row of strings that may pass; 0 if none do. */
ELS_INLINE uint16_t els_passage_string_row(const els_passage *p)
{
    return ELS_HAS_ITEMS && p->has_string_rule ? p->rules[p->rule_count].row : 0;
}

/* Nonzero if the fragment begins a string that may pass, or is all of one that is empty. */
ELS_INLINE int els_passage_begins_string(const els_passage *p, const elelem_fragment *fragment, uint16_t row)
{
    return row != 0 && fragment->pattern == row && p->state == ELS_PASSAGE_OUTSIDE && els_fragment_type(fragment) == ELELEM_TYPE_STRING;
}

/* Nonzero if fragments that are neither BEGIN nor DONE of a container, nor of a string that may pass, change nothing here. */
ELS_INLINE int els_passage_is_away(const els_passage *p)
{
    return !ELS_HAS_ITEMS || p->state == ELS_PASSAGE_OUTSIDE || p->state == ELS_PASSAGE_KEPT;
}

/* Nonzero if a value passes. */
ELS_INLINE int els_passage_passes(const els_passage *p)
{
    return ELS_HAS_ITEMS && p->state == ELS_PASSAGE_PASSES;
}

/* Writes what was held back, which is stored: `value` is the one that passes, or the string that does. */
ELS_PRIVATE void els_passage_write_held(els_passage *p, elelem_value value)
{
    p->is_written = 1;
    elelem_writer_init(&p->writer, elelem_buffer_sink(&p->text), 0);
    if (p->rule < p->rule_count) els_writer_open_value(&p->writer, value);
    else elelem_writer_string_piece(&p->writer, elelem_value_text(value));
    if (!p->has_fragment || !p->is_stored) return;
    p->text_at = p->unstored_at;
    if (p->text_at == p->fragment.text.size) p->has_fragment = 0;
}

/* Nonzero if the piece after the first is large enough. What was read for it counts, not what is written, so that a piece ends at the
   same byte however strings are cut. */
ELS_PRIVATE int els_passage_is_full(const els_passage *p)
{
    return p->counted >= ELS_PASSAGE_PIECE;
}

/* Makes a text the part of it that is written next. If there is no room for its first character, the piece is full without it. */
ELS_PRIVATE void els_passage_cut_part(els_passage *p, elelem_str *text)
{
    size_t room = ELS_PASSAGE_PIECE - p->counted;

    text->data += p->text_at;
    text->size -= p->text_at;
    if (text->size <= room) return;
    text->size = els_whole_characters((const unsigned char *)text->data, room);
    if (text->size == 0) p->counted = ELS_PASSAGE_PIECE;
}

/* Writes the next part of the fragment at hand. */
ELS_PRIVATE void els_passage_write(els_passage *p)
{
    elelem_fragment part = p->fragment;

    if (part.kind == ELELEM_FRAGMENT_STRING) els_passage_cut_part(p, &part.text);
    p->text_at += part.text.size;
    p->counted += (uint32_t)els_passage_cost(&part);
    if (p->rule < p->rule_count) elelem_writer_fragment(&p->writer, &part);
    else if (part.kind == ELELEM_FRAGMENT_STRING) elelem_writer_string_piece(&p->writer, part.text);
    if (p->text_at < p->fragment.text.size) return;
    p->has_fragment = 0;
    p->is_last = (uint8_t)els_passage_is_end(p, &part);
}

ELS_PRIVATE void els_passage_begin_piece(els_passage *p)
{
    elelem_buffer_clear(&p->text);
    p->counted = 0;
    p->is_given = 0;
}

/* Sets `*piece` to the next piece of a value that passes, valid until the next call; `is_last` says whether the value ends
   with it. Returns 0 if there is none yet. The first is what was held back of `value`, which is not looked at after that, so that the rest
   can be stored if the value does not pass after all; those after it are small, but no smaller than they must be. */
ELS_PRIVATE int els_passage_piece(els_passage *p, elelem_value value, elelem_str *piece)
{
    if (!p->is_written) els_passage_write_held(p, value);
    if (p->is_given) els_passage_begin_piece(p);
    if (p->is_last) {
        p->state = ELS_PASSAGE_OUTSIDE;
        return 0;
    }
    while (p->is_begun && p->has_fragment && !els_passage_is_full(p))
        els_passage_write(p);
    if (els_writer_status(&p->writer) < 0) return 0;
    if (p->is_begun && !p->is_last && !els_passage_is_full(p)) return 0;
    *piece = elelem_buffer_text(&p->text);
    p->is_given = 1;
    p->is_begun = 1;
    return 1;
}

/* Sets `*rest` to what is not stored of the fragment at hand, after what was held back is written. Returns 0 if there is none. */
ELS_PRIVATE int els_passage_unstored(const els_passage *p, elelem_fragment *rest)
{
    *rest = p->fragment;
    if (!p->has_fragment || !p->is_stored) return p->has_fragment;
    rest->text = els_str(rest->text.data + p->unstored_at, rest->text.size - p->unstored_at);
    return 1;
}

/* OK, or why a piece could not be written. */
ELS_PRIVATE elelem_status els_passage_status(const els_passage *p)
{
    return els_passage_passes(p) ? els_writer_status(&p->writer) : ELELEM_OK;
}

/* Forgets the value at hand. */
ELS_PRIVATE void els_passage_start(els_passage *p)
{
    p->state = ELS_PASSAGE_OUTSIDE;
    p->has_fragment = 0;
    p->is_given = 0;
    p->is_last = 0;
}

ELS_PRIVATE void els_passage_init(els_passage *p, elelem_allocator allocator)
{
    memset(p, 0, sizeof *p);
    elelem_buffer_init(&p->text, allocator, 0);
}

/* The rules must outlive the passage. There may be none. */
ELS_PRIVATE void els_passage_rules(els_passage *p, const elelem_passage_rule *rules, size_t count)
{
    const char *last_key = count > 0 ? rules[count - 1].type_key : NULL;

    p->rules = rules;
    p->has_string_rule = last_key && !last_key[0];
    p->rule_count = (uint32_t)count - p->has_string_rule;
}

ELS_PRIVATE void els_passage_free(els_passage *p)
{
    elelem_buffer_free(&p->text);
}

#endif
