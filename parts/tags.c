#ifndef ELS_TAGS_C
#define ELS_TAGS_C
#include "tags.h"
#include "base.c"
#include "text.c"

/* >> tags */

/* A candidate is what may become a listed tag: the bytes from a <, and the blanks before it if
   whitespace is trimmed. If it fails, it is text up to and with its <, and the bytes after that are
   read again. The work stays linear: a < outside of quotes ends every candidate, and each quote
   either opens or closes in all of them, so that no byte is in more than three.

   Candidates are read in place. One that the end of a chunk cuts is held: it is copied into the
   block, and continued there with the next chunk. It becomes a tag or, if it fails, is replayed as
   text. */

/* What a candidate waits for. */
typedef enum els_tags_state {
    ELS_TAGS_BLANK,     /* more whitespace, or the < after it */
    ELS_TAGS_OPEN,      /* the first letter of a name, or the slash of an end tag */
    ELS_TAGS_NAME,      /* more of the name, or what ends it */
    ELS_TAGS_SPACE,     /* an attribute, or the end of the tag */
    ELS_TAGS_KEY,       /* more of an attribute's name, or what ends it */
    ELS_TAGS_AFTER_KEY, /* an equals sign, another attribute, or the end of the tag */
    ELS_TAGS_VALUE,     /* the first character of a value */
    ELS_TAGS_DOUBLE,    /* the closing " */
    ELS_TAGS_SINGLE,    /* the closing ' */
    ELS_TAGS_QUOTED,    /* what follows a closing quote */
    ELS_TAGS_BARE,      /* more of a value without quotes */
    ELS_TAGS_SLASH_BARE, /* after a slash in such a value: >, or more of the value */
    ELS_TAGS_SLASH,     /* > after the slash of <name/> */
    ELS_TAGS_CLOSE,     /* > of an end tag */
    ELS_TAGS_TAG,       /* nothing: it is a tag */
    ELS_TAGS_FAILED     /* nothing: it is not a tag */
} els_tags_state;

/* An open tag. The bytes of its id are before it on the stack. */
typedef struct els_tags_frame {
    uint32_t name;
    uint32_t id_size;
    uint32_t is_generated; /* the id is */
} els_tags_frame;

#define ELS_TAGS_COUNTER 20 /* digits of the largest number in a generated id */

static const elelem_str els_tags_names[] = { { "think", 5 }, { "thinking", 8 }, { "reasoning", 9 } };

ELS_PRIVATE elelem_status els_tags_fail(elelem_tag_splitter *s, elelem_status status)
{
    s->els_status = status;
    return status;
}

/* Names. */

ELS_INLINE unsigned char els_tags_fold(const elelem_tag_splitter *s, char letter)
{
    return (unsigned char)(s->els_ignore_case && letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter);
}

ELS_PRIVATE int els_tags_same(const elelem_tag_splitter *s, const char *a, const char *b, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++)
        if (els_tags_fold(s, a[i]) != els_tags_fold(s, b[i])) return 0;
    return 1;
}

/* Nonzero if a listed name that is long enough begins with what was read of the tag's name. That of els_name does. */
ELS_PRIVATE int els_tags_fits(const elelem_tag_splitter *s, uint32_t index)
{
    const char *current = s->els_names[s->els_name].data;

    return index == s->els_name || els_tags_same(s, s->els_names[index].data, current, s->els_name_size);
}

/* Adds a byte to the name. Finds the first listed name that begins with it, not before els_name:
   names that did not begin with less do not begin with more. */
ELS_PRIVATE els_tags_state els_tags_read_name(elelem_tag_splitter *s, unsigned char byte)
{
    uint32_t i;

    for (i = s->els_name; i < s->els_name_count; i++) {
        const elelem_str *name = &s->els_names[i];
        if (name->size <= s->els_name_size) continue;
        if (els_tags_fold(s, name->data[s->els_name_size]) != els_tags_fold(s, (char)byte)) continue;
        if (!els_tags_fits(s, i)) continue;
        s->els_name = i;
        s->els_name_size++;
        return ELS_TAGS_NAME;
    }
    return ELS_TAGS_FAILED;
}

/* Nonzero if the name that was read is a listed one. */
ELS_PRIVATE int els_tags_find_name(elelem_tag_splitter *s)
{
    uint32_t i;

    for (i = s->els_name; i < s->els_name_count; i++) {
        if (s->els_names[i].size != s->els_name_size || !els_tags_fits(s, i)) continue;
        s->els_name = i;
        return 1;
    }
    return 0;
}

/* The candidate. For each state a function or a line returns the next state. */

ELS_PRIVATE els_tags_state els_tags_self_close(elelem_tag_splitter *s, unsigned char byte)
{
    if (byte != '>') return ELS_TAGS_FAILED;
    s->els_self_closing = 1;
    return ELS_TAGS_TAG;
}

ELS_PRIVATE els_tags_state els_tags_in_name(elelem_tag_splitter *s, unsigned char byte)
{
    if (!els_is_blank(byte) && byte != '/' && byte != '>') return els_tags_read_name(s, byte);
    if (s->els_name_size == 0 || !els_tags_find_name(s)) return ELS_TAGS_FAILED;
    if (byte == '>') return ELS_TAGS_TAG;
    if (byte == '/') return s->els_is_end ? ELS_TAGS_FAILED : ELS_TAGS_SLASH;
    return s->els_is_end ? ELS_TAGS_CLOSE : ELS_TAGS_SPACE;
}

ELS_PRIVATE els_tags_state els_tags_open_byte(elelem_tag_splitter *s, unsigned char byte)
{
    if (byte != '/' || s->els_is_end) return els_tags_in_name(s, byte);
    s->els_is_end = 1;
    return ELS_TAGS_OPEN;
}

ELS_PRIVATE els_tags_state els_tags_in_key(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_AFTER_KEY;
    switch (byte) {
    case '=': return ELS_TAGS_VALUE;
    case '/': return ELS_TAGS_SLASH;
    case '>': return ELS_TAGS_TAG;
    case '"':
    case '\'':
    case '<': return ELS_TAGS_FAILED;
    default: return ELS_TAGS_KEY;
    }
}

ELS_PRIVATE els_tags_state els_tags_in_space(elelem_tag_splitter *s, unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_SPACE;
    if (byte == '=') return ELS_TAGS_FAILED;
    if (byte != '/' && byte != '>' && ++s->els_attributes > s->els_max_attributes) return ELS_TAGS_FAILED;
    return els_tags_in_key(byte);
}

ELS_PRIVATE els_tags_state els_tags_after_key(elelem_tag_splitter *s, unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_AFTER_KEY;
    return byte == '=' ? ELS_TAGS_VALUE : els_tags_in_space(s, byte);
}

ELS_PRIVATE els_tags_state els_tags_in_value(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_VALUE;
    switch (byte) {
    case '"': return ELS_TAGS_DOUBLE;
    case '\'': return ELS_TAGS_SINGLE;
    case '=':
    case '<':
    case '>': return ELS_TAGS_FAILED;
    default: return ELS_TAGS_BARE;
    }
}

ELS_PRIVATE els_tags_state els_tags_after_quote(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_SPACE;
    if (byte == '/') return ELS_TAGS_SLASH;
    return byte == '>' ? ELS_TAGS_TAG : ELS_TAGS_FAILED;
}

ELS_PRIVATE els_tags_state els_tags_in_bare(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_SPACE;
    switch (byte) {
    case '/': return ELS_TAGS_SLASH_BARE;
    case '>': return ELS_TAGS_TAG;
    case '"':
    case '\'':
    case '<': return ELS_TAGS_FAILED;
    default: return ELS_TAGS_BARE;
    }
}

ELS_PRIVATE els_tags_state els_tags_in_close(unsigned char byte)
{
    if (els_is_blank(byte)) return ELS_TAGS_CLOSE;
    return byte == '>' ? ELS_TAGS_TAG : ELS_TAGS_FAILED;
}

ELS_PRIVATE els_tags_state els_tags_after_byte(elelem_tag_splitter *s, unsigned char byte)
{
    switch ((els_tags_state)s->els_state) {
    case ELS_TAGS_OPEN: return els_tags_open_byte(s, byte);
    case ELS_TAGS_NAME: return els_tags_in_name(s, byte);
    case ELS_TAGS_SPACE: return els_tags_in_space(s, byte);
    case ELS_TAGS_KEY: return els_tags_in_key(byte);
    case ELS_TAGS_AFTER_KEY: return els_tags_after_key(s, byte);
    case ELS_TAGS_VALUE: return els_tags_in_value(byte);
    case ELS_TAGS_DOUBLE: return byte == '"' ? ELS_TAGS_QUOTED : ELS_TAGS_DOUBLE;
    case ELS_TAGS_SINGLE: return byte == '\'' ? ELS_TAGS_QUOTED : ELS_TAGS_SINGLE;
    case ELS_TAGS_QUOTED: return els_tags_after_quote(byte);
    case ELS_TAGS_BARE: return els_tags_in_bare(byte);
    case ELS_TAGS_SLASH_BARE: return byte == '>' ? els_tags_self_close(s, byte) : els_tags_in_bare(byte);
    case ELS_TAGS_SLASH: return els_tags_self_close(s, byte);
    default: return els_tags_in_close(byte); /* CLOSE: those after it take no byte */
    }
}

/* Starts a candidate with its <. */
ELS_PRIVATE void els_tags_begin(elelem_tag_splitter *s)
{
    s->els_state = ELS_TAGS_OPEN;
    s->els_tag_size = 1;
    s->els_attributes = 0;
    s->els_name = 0;
    s->els_name_size = 0;
    s->els_is_end = 0;
    s->els_self_closing = 0;
}

ELS_PRIVATE void els_tags_read_blank(elelem_tag_splitter *s, unsigned char byte)
{
    if (byte == '<') {
        els_tags_begin(s);
    } else if (!els_is_blank(byte)) {
        s->els_state = ELS_TAGS_FAILED;
    } else if (++s->els_blanks >= s->els_max_tag) {
        s->els_state = ELS_TAGS_FAILED;
        s->els_long_run = 1;
    }
}

/* Reads until the candidate is a tag or failed, or no byte is left. Returns the first byte not read. */
ELS_PRIVATE const unsigned char *els_tags_scan(elelem_tag_splitter *s, const unsigned char *at,
                                               const unsigned char *end)
{
    while (at < end && s->els_state < ELS_TAGS_TAG) {
        unsigned char byte = *at++;
        if (s->els_state == ELS_TAGS_BLANK) {
            els_tags_read_blank(s, byte);
            continue;
        }
        s->els_state = (uint8_t)els_tags_after_byte(s, byte);
        if (++s->els_tag_size >= s->els_max_tag && s->els_state < ELS_TAGS_TAG) s->els_state = ELS_TAGS_FAILED;
    }
    return at;
}

/* Open tags: first a count for each name, then a frame for each tag. */

ELS_INLINE uint32_t *els_tags_open_counts(elelem_tag_splitter *s)
{
    return (uint32_t *)(void *)s->els_memory.data;
}

/* Nonzero if a tag with the name that was read is open. */
ELS_PRIVATE int els_tags_is_open(elelem_tag_splitter *s)
{
    return s->els_depth > 0 && els_tags_open_counts(s)[s->els_name] > 0;
}

/* Reads the frame that ends at an offset of the block. (Into a place of the caller's, because tcc 0.9.27 writes more than a
   struct of 12 bytes when one is returned.) */
ELS_PRIVATE void els_tags_frame_before(const elelem_tag_splitter *s, size_t end, els_tags_frame *frame)
{
    memcpy(frame, s->els_memory.data + end - sizeof *frame, sizeof *frame);
}

/* Sets what all pieces have: kind, depth, and the innermost open tag. */
ELS_PRIVATE void els_tags_piece(const elelem_tag_splitter *s, elelem_tag_piece *piece, elelem_tag_kind kind)
{
    els_tags_frame frame;

    memset(piece, 0, sizeof *piece);
    piece->kind = (uint8_t)kind;
    piece->depth = s->els_depth;
    piece->name_index = ELELEM_NO_TAG;
    if (s->els_depth == 0) return;
    els_tags_frame_before(s, s->els_stack_size, &frame);
    piece->name = s->els_names[frame.name];
    piece->name_index = frame.name;
    piece->id = els_str(s->els_memory.data + s->els_stack_size - sizeof frame - frame.id_size, frame.id_size);
    piece->id_generated = frame.is_generated != 0;
}

ELS_PRIVATE size_t els_tags_generate_id(const elelem_tag_splitter *s, elelem_str name, unsigned char *id)
{
    char digits[ELS_TAGS_COUNTER];
    uint64_t number = s->els_generated;
    size_t size = name.size, count = 0;

    memcpy(id, name.data, name.size);
    id[size++] = '-';
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        id[size++] = (unsigned char)digits[--count];
    return size;
}

/* Nonzero if the id of the tag just read is kept. */
ELS_INLINE int els_tags_keeps_id(const elelem_tag_splitter *s)
{
    return s->els_depth < s->els_max_ids;
}

/* Puts the tag on the stack, which has room for it. Generates an id if `id` is empty. */
ELS_PRIVATE void els_tags_enter(elelem_tag_splitter *s, elelem_str id)
{
    unsigned char *at = s->els_memory.data + s->els_stack_size;
    els_tags_frame frame;

    frame.name = s->els_name;
    frame.is_generated = id.size == 0;
    if (frame.is_generated) s->els_generated++;
    if (!els_tags_keeps_id(s)) {
        frame.id_size = 0;
    } else if (frame.is_generated) {
        frame.id_size = (uint32_t)els_tags_generate_id(s, s->els_names[s->els_name], at);
    } else {
        memcpy(at, id.data, id.size);
        frame.id_size = (uint32_t)id.size;
    }
    memcpy(at + frame.id_size, &frame, sizeof frame);
    s->els_stack_size += frame.id_size + sizeof frame;
    els_tags_open_counts(s)[s->els_name]++;
    s->els_depth++;
}

ELS_PRIVATE void els_tags_leave(elelem_tag_splitter *s)
{
    els_tags_frame frame;

    els_tags_frame_before(s, s->els_stack_size, &frame);
    s->els_stack_size -= frame.id_size + sizeof frame;
    els_tags_open_counts(s)[frame.name]--;
    s->els_depth--;
}

/* Returns how many tags the end tag that was read closes. One of its name is open. */
ELS_PRIVATE uint32_t els_tags_levels(const elelem_tag_splitter *s)
{
    size_t end = s->els_stack_size;
    els_tags_frame frame;
    uint32_t levels = 1;

    els_tags_frame_before(s, end, &frame);
    while (frame.name != s->els_name) {
        end -= frame.id_size + sizeof frame;
        els_tags_frame_before(s, end, &frame);
        levels++;
    }
    return levels;
}

/* The block: counts and frames, held bytes, attributes. */

ELS_INLINE unsigned char *els_tags_held(const elelem_tag_splitter *s)
{
    return s->els_memory.data + s->els_stack_room;
}

ELS_PRIVATE elelem_status els_tags_reserve(elelem_tag_splitter *s, size_t room, size_t tail)
{
    size_t needed = els_sum(els_sum(room, s->els_held_size), tail);
    elelem_status status = els_block_reserve(&s->els_memory, needed, SIZE_MAX, ELELEM_ERROR_MEMORY);

    if (status != ELELEM_OK || room == s->els_stack_room) return status;
    memmove(s->els_memory.data + room, els_tags_held(s), s->els_held_size);
    s->els_stack_room = room;
    return ELELEM_OK;
}

/* Makes room for `frame` more bytes on the stack and for `tail` bytes after the held ones. If bytes
   are held, `in` is a cursor over them, which is changed if they move. */
ELS_PRIVATE elelem_status els_tags_grow(elelem_tag_splitter *s, els_cursor *in, size_t frame, size_t tail)
{
    size_t needed = els_sum(s->els_stack_size, frame);
    size_t at = s->els_held_size > 0 ? (size_t)(in->at - els_tags_held(s)) : 0;
    size_t end = s->els_held_size > 0 ? (size_t)(in->end - els_tags_held(s)) : 0;
    elelem_status status;

    if (needed <= s->els_stack_room) {
        status = els_tags_reserve(s, s->els_stack_room, tail);
    } else {
        status = els_tags_reserve(s, els_product(needed, 2), tail);
        if (status != ELELEM_OK) status = els_tags_reserve(s, needed, tail);
    }
    if (status == ELELEM_OK && s->els_held_size > 0) {
        in->at = els_tags_held(s) + at;
        in->end = els_tags_held(s) + end;
    }
    return status;
}

/* Adds bytes to the held ones. */
ELS_PRIVATE elelem_status els_tags_append(elelem_tag_splitter *s, els_cursor *in, const unsigned char *to)
{
    size_t size = (size_t)(to - in->at);
    elelem_status status = els_tags_reserve(s, s->els_stack_room, size);

    if (status != ELELEM_OK) return els_tags_fail(s, status);
    if (size > 0) memcpy(els_tags_held(s) + s->els_held_size, in->at, size);
    s->els_held_size += size;
    in->at = to;
    return ELELEM_OK;
}

/* Holds the candidate from the cursor to the end of the chunk, which cuts it. */
ELS_PRIVATE elelem_status els_tags_hold(elelem_tag_splitter *s, els_cursor *in)
{
    elelem_status status;

    if (s->els_replay) {
        s->els_held_size = (size_t)(in->end - in->at);
        memmove(els_tags_held(s), in->at, s->els_held_size);
        s->els_replay = 0;
        s->els_held_at = 0;
        in->at = in->end;
        return ELS_AGAIN;
    }
    status = els_tags_append(s, in, in->end);
    return status == ELELEM_OK ? ELS_AGAIN : status;
}

/* Tags. */

/* Returns the end of a value without quotes. The slash of <name key=value/> does not belong to it. */
ELS_PRIVATE const unsigned char *els_tags_bare_end(const elelem_tag_splitter *s, const unsigned char *at)
{
    while (!els_is_blank(*at) && *at != '>')
        at++;
    return *at == '>' && s->els_self_closing ? at - 1 : at;
}

/* Reads a value, whose first character is at the cursor. */
ELS_PRIVATE elelem_str els_tags_value(const elelem_tag_splitter *s, els_cursor *in)
{
    const unsigned char *start = in->at;
    elelem_str value;

    if (*start != '"' && *start != '\'') {
        in->at = els_tags_bare_end(s, start);
        return els_str(start, (size_t)(in->at - start));
    }
    in->at = (const unsigned char *)memchr(start + 1, *start, (size_t)(in->end - start - 1));
    value = els_str(start + 1, (size_t)(in->at - start - 1));
    in->at++;
    return value;
}

/* Reads one attribute. The tag is well formed, so that every search ends inside it. */
ELS_PRIVATE void els_tags_attribute(const elelem_tag_splitter *s, els_cursor *in, elelem_tag_attribute *attribute)
{
    const unsigned char *start = els_blank_span(in->at, in->end);
    const unsigned char *at = start;

    memset(attribute, 0, sizeof *attribute);
    while (!els_is_blank(*at) && *at != '=' && *at != '/' && *at != '>')
        at++;
    attribute->name = els_str(start, (size_t)(at - start));
    in->at = at;
    at = els_blank_span(at, in->end);
    if (*at != '=') return;
    in->at = els_blank_span(at + 1, in->end);
    attribute->value = els_tags_value(s, in);
    attribute->has_value = 1;
}

/* Reads the attributes of a begin tag into the block and returns the id among them, which may be empty. */
ELS_PRIVATE elelem_str els_tags_attributes(const elelem_tag_splitter *s, els_cursor head,
                                           elelem_tag_attribute *attributes)
{
    elelem_str id = els_str("", 0);
    uint32_t i;

    head.at += 1 + s->els_name_size;
    for (i = 0; i < s->els_attributes; i++) {
        els_tags_attribute(s, &head, &attributes[i]);
        if (id.size > 0 || attributes[i].name.size != 2) continue;
        if (els_tags_same(s, attributes[i].name.data, "id", 2)) id = attributes[i].value;
    }
    return id;
}

/* Returns the offset of the attributes in the block: after the held bytes, aligned. */
ELS_INLINE size_t els_tags_attributes_at(const elelem_tag_splitter *s)
{
    return (s->els_stack_room + s->els_held_size + sizeof(elelem_str) - 1) / sizeof(elelem_str) * sizeof(elelem_str);
}

ELS_PRIVATE elelem_status els_tags_make_room(elelem_tag_splitter *s, els_cursor *in)
{
    size_t counts = els_product(s->els_name_count, sizeof(uint32_t));
    size_t id = els_sum(els_sum(s->els_tag_size, s->els_name_size), 1 + ELS_TAGS_COUNTER);
    size_t frame = els_sum(els_tags_keeps_id(s) ? id : 0, sizeof(els_tags_frame));
    size_t tail = els_sum(sizeof(elelem_str), els_product(s->els_attributes, sizeof(elelem_tag_attribute)));
    elelem_status status;

    if (s->els_stack_size > 0) return els_tags_grow(s, in, frame, tail);
    status = els_tags_grow(s, in, els_sum(counts, frame), tail);
    if (status != ELELEM_OK) return status;
    memset(s->els_memory.data, 0, counts);
    s->els_stack_size = counts;
    return ELELEM_OK;
}

/* Returns the BEGIN of the tag at the cursor. */
ELS_PRIVATE elelem_status els_tags_give_begin(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    elelem_status status = els_tags_make_room(s, in);
    elelem_tag_attribute *attributes;
    els_cursor head = *in;

    if (status != ELELEM_OK) return els_tags_fail(s, status);
    attributes = (elelem_tag_attribute *)(void *)(s->els_memory.data + els_tags_attributes_at(s));
    head.end = head.at + s->els_tag_size;
    els_tags_enter(s, els_tags_attributes(s, head, attributes));
    els_tags_piece(s, piece, ELELEM_TAG_BEGIN);
    piece->attributes = s->els_attributes > 0 ? attributes : NULL;
    piece->attribute_count = s->els_attributes;
    if (s->els_self_closing) {
        s->els_ends = 1;
        s->els_how = ELELEM_TAG_SELF_CLOSED;
        piece->how = ELELEM_TAG_SELF_CLOSED;
    }
    s->els_after = (s->els_trim & ELELEM_TAG_TRIM_INSIDE) != 0;
    return ELELEM_OK;
}

/* Returns the END of the innermost tag, one of els_ends. */
ELS_PRIVATE elelem_status els_tags_give_end(elelem_tag_splitter *s, elelem_tag_piece *piece)
{
    els_tags_piece(s, piece, ELELEM_TAG_END);
    els_tags_leave(s);
    s->els_ends--;
    piece->how = s->els_ends == 0 || s->els_how == ELELEM_TAG_UNCLOSED ? s->els_how : (uint8_t)ELELEM_TAG_IMPLIED;
    s->els_after = (s->els_trim & ELELEM_TAG_TRIM_OUTSIDE) != 0;
    return ELELEM_OK;
}

ELS_PRIVATE elelem_status els_tags_give_orphan(elelem_tag_splitter *s, elelem_tag_piece *piece)
{
    els_tags_piece(s, piece, ELELEM_TAG_END);
    piece->how = ELELEM_TAG_ORPHAN;
    piece->name = s->els_names[s->els_name];
    piece->name_index = s->els_name;
    piece->id = els_str("", 0);
    piece->id_generated = 0;
    s->els_after = (s->els_trim & ELELEM_TAG_TRIM_OUTSIDE) != 0;
    return ELELEM_OK;
}

/* Returns the first piece of the tag at the cursor, and skips the tag. */
ELS_PRIVATE elelem_status els_tags_give_tag(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    elelem_status status = ELELEM_OK;

    if (!s->els_is_end) {
        status = els_tags_give_begin(s, in, piece);
    } else if (els_tags_is_open(s)) {
        s->els_ends = els_tags_levels(s);
        s->els_how = ELELEM_TAG_CLOSED;
        els_tags_give_end(s, piece);
    } else {
        els_tags_give_orphan(s, piece);
    }
    if (status != ELELEM_OK) return status;
    piece->raw = els_str(in->at, s->els_tag_size);
    in->at += s->els_tag_size;
    return ELELEM_OK;
}

/* Nonzero if the tag that was read is text, because it is nested too deeply or is the end tag of one
   that is. Counts these tags, so it must be called once for each. */
ELS_PRIVATE int els_tags_is_beyond(elelem_tag_splitter *s)
{
    if (s->els_is_end) {
        if (s->els_beyond == 0) return 0;
        s->els_beyond--;
        return 1;
    }
    if (s->els_depth < s->els_max_depth) return 0;
    if (!s->els_self_closing) s->els_beyond++;
    return 1;
}

/* Nonzero if whitespace before the tag that was read is trimmed. */
ELS_PRIVATE int els_tags_trims_before(elelem_tag_splitter *s)
{
    return s->els_trim & (s->els_is_end && els_tags_is_open(s) ? ELELEM_TAG_TRIM_INSIDE : ELELEM_TAG_TRIM_OUTSIDE);
}

/* Text. */

ELS_PRIVATE int els_tags_second_fits(const unsigned char *at)
{
    els_lead lead = els_lead_of(at[0]);

    return at[1] >= lead.low && at[1] <= lead.high;
}

/* Nonzero if the bytes may be the start of a longer character. */
ELS_PRIVATE int els_tags_is_partial(const unsigned char *at, size_t size)
{
    return els_lead_of(at[0]).more >= size && (size < 2 || els_tags_second_fits(at));
}

/* Returns how many bytes before `end` are the start of a character that is cut there. */
ELS_PRIVATE size_t els_tags_cut_size(const unsigned char *end, size_t size)
{
    size_t back;

    for (back = 1; back <= 3 && back <= size; back++)
        if (!els_is_continuation(*(end - back))) return els_tags_is_partial(end - back, back) ? back : 0;
    return 0;
}

ELS_PRIVATE elelem_status els_tags_give_text(const elelem_tag_splitter *s, const unsigned char *text, size_t size,
                                             elelem_tag_piece *piece)
{
    els_tags_piece(s, piece, ELELEM_TAG_TEXT);
    piece->text = els_str(text, size);
    return ELELEM_OK;
}

/* Returns the text before `stop`. If that is the end of the chunk, and it cuts a character, its bytes are carried. */
ELS_PRIVATE elelem_status els_tags_give_run(elelem_tag_splitter *s, els_cursor *in, const unsigned char *stop,
                                            elelem_tag_piece *piece)
{
    const unsigned char *text = in->at;
    size_t size = (size_t)(stop - text);
    size_t cut = stop == in->end ? els_tags_cut_size(stop, size) : 0;

    memcpy(s->els_carry, stop - cut, cut);
    s->els_carry_size = (uint8_t)cut;
    in->at = stop;
    return size > cut ? els_tags_give_text(s, text, size - cut, piece) : ELS_AGAIN;
}

/* Returns the carried bytes with those that complete the character; alone if they are not one. */
ELS_PRIVATE elelem_status els_tags_give_carry(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    size_t size = s->els_carry_size;
    size_t whole = (size_t)els_lead_of(s->els_carry[0]).more + 1;

    while (in->at < in->end && size < whole && els_is_continuation(*in->at)) {
        s->els_carry[size] = *in->at;
        if (!els_tags_second_fits(s->els_carry)) break;
        size++;
        in->at++;
    }
    s->els_carry_size = (uint8_t)size;
    if (in->at == in->end && size < whole && !s->els_lent.finished) return ELS_AGAIN;
    s->els_carry_size = 0;
    return els_tags_give_text(s, s->els_carry, size, piece);
}

/* Returns the start of the whitespace before `stop`, not before `from`; `stop` if nothing is trimmed, or
   if the run is too long, in which case whitespace that follows is not trimmed either. */
ELS_PRIVATE const unsigned char *els_tags_back(elelem_tag_splitter *s, const unsigned char *from,
                                               const unsigned char *stop)
{
    const unsigned char *at = stop;

    if (!s->els_trim) return stop;
    while (at > from && els_is_blank(at[-1]))
        at--;
    if ((size_t)(stop - at) >= s->els_max_tag) {
        s->els_long_run = 1;
        return stop;
    }
    s->els_blanks = (uint32_t)(stop - at);
    return at;
}

/* Finds the first candidate at or after `from` that is a tag (els_state is TAG) or, unless these are
   the last bytes, may become one. Returns its start, or that of the whitespace before it that may be
   trimmed; the end if there is no candidate. */
ELS_PRIVATE const unsigned char *els_tags_search(elelem_tag_splitter *s, const unsigned char *from,
                                                 const unsigned char *end, int last)
{
    const unsigned char *start;

    while (from < end && (start = (const unsigned char *)memchr(from, '<', (size_t)(end - from))) != NULL) {
        const unsigned char *at;
        els_tags_begin(s);
        at = els_tags_scan(s, start + 1, end);
        if (s->els_state == ELS_TAGS_TAG) {
            if (!els_tags_is_beyond(s)) return els_tags_trims_before(s) ? els_tags_back(s, from, start) : start;
            from = at;
        } else {
            if (s->els_state != ELS_TAGS_FAILED && !last) return els_tags_back(s, from, start);
            from = start + 1;
        }
    }
    s->els_state = ELS_TAGS_BLANK;
    return last ? end : els_tags_back(s, from, end);
}

/* Reads the next piece from a cursor over text with tags. */
ELS_PRIVATE elelem_status els_tags_read(elelem_tag_splitter *s, els_cursor *in, int last, elelem_tag_piece *piece)
{
    const unsigned char *from, *stop;

    if (s->els_carry_size > 0) return els_tags_give_carry(s, in, piece);
    if (s->els_after) in->at = els_blank_span(in->at, in->end);
    if (in->at == in->end) return ELS_AGAIN;
    s->els_after = 0;
    from = in->at + s->els_known;
    s->els_known = 0;
    s->els_blanks = 0;
    if (s->els_long_run) from = els_blank_span(from, in->end);
    if (from < in->end) s->els_long_run = 0;
    stop = els_tags_search(s, from, in->end, last);
    if (stop > in->at) return els_tags_give_run(s, in, stop, piece);
    if (s->els_state != ELS_TAGS_TAG) return els_tags_hold(s, in);
    in->at += s->els_blanks;
    return els_tags_give_tag(s, in, piece);
}

/* Held bytes. */

/* The held bytes do not begin with a tag: the first `known` of them are text, the others are read
   again. */
ELS_PRIVATE elelem_status els_tags_give_up(elelem_tag_splitter *s, size_t known)
{
    s->els_known = known < s->els_held_size ? known : s->els_held_size;
    s->els_replay = 1;
    return ELS_AGAIN;
}

/* Called when all held bytes were returned. Pointers to them stay valid until the next call. */
ELS_PRIVATE void els_tags_drop_held(elelem_tag_splitter *s)
{
    s->els_held_at = 0;
    s->els_held_size = 0;
    s->els_replay = 0;
}

ELS_PRIVATE els_cursor els_tags_held_cursor(const elelem_tag_splitter *s)
{
    els_cursor held;

    held.at = els_tags_held(s) + s->els_held_at;
    held.end = els_tags_held(s) + s->els_held_size;
    return held;
}

ELS_PRIVATE elelem_status els_tags_replay(elelem_tag_splitter *s, const els_cursor *in, elelem_tag_piece *piece)
{
    els_cursor held = els_tags_held_cursor(s);
    elelem_status status = els_tags_read(s, &held, s->els_lent.finished && in->at == in->end, piece);

    if (!s->els_replay) return status;
    s->els_held_at = s->els_held_size - (size_t)(held.end - held.at);
    if (held.at == held.end) els_tags_drop_held(s);
    return status;
}

/* Returns the held candidate, which is a tag, or first the whitespace before it that is not trimmed. */
ELS_PRIVATE elelem_status els_tags_give_held(elelem_tag_splitter *s, elelem_tag_piece *piece)
{
    els_cursor held = els_tags_held_cursor(s);
    elelem_status status;

    if (s->els_blanks > 0 && !els_tags_trims_before(s)) {
        s->els_held_at = s->els_blanks;
        s->els_blanks = 0;
        return els_tags_give_text(s, held.at, s->els_held_at, piece);
    }
    held.at += s->els_blanks;
    status = els_tags_give_tag(s, &held, piece);
    if (status == ELELEM_OK) els_tags_drop_held(s);
    return status;
}

/* Continues the held candidate. */
ELS_PRIVATE elelem_status els_tags_resume(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    const unsigned char *to = els_tags_scan(s, in->at, in->end);
    elelem_status status;

    if (s->els_state < ELS_TAGS_TAG && to == in->at && !s->els_lent.finished) return ELELEM_MORE;
    if (s->els_state == ELS_TAGS_FAILED || (s->els_state < ELS_TAGS_TAG && s->els_lent.finished))
        return els_tags_give_up(s, (size_t)s->els_blanks + 1);
    status = els_tags_append(s, in, to);
    if (status != ELELEM_OK) return status;
    if (s->els_state != ELS_TAGS_TAG) return ELS_AGAIN;
    if (els_tags_is_beyond(s)) return els_tags_give_up(s, s->els_held_size);
    return els_tags_give_held(s, piece);
}

/* Ends the text: finish was called and everything is read. */
ELS_PRIVATE elelem_status els_tags_over(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    if (s->els_carry_size > 0) return els_tags_give_carry(s, in, piece);
    if (s->els_depth == 0) return ELELEM_END;
    s->els_ends = s->els_depth;
    s->els_how = ELELEM_TAG_UNCLOSED;
    return ELS_AGAIN;
}

ELS_PRIVATE elelem_status els_tags_step(elelem_tag_splitter *s, els_cursor *in, elelem_tag_piece *piece)
{
    if (s->els_status != ELELEM_OK) return (elelem_status)s->els_status;
    if (s->els_ends > 0) return els_tags_give_end(s, piece);
    if (s->els_replay) return els_tags_replay(s, in, piece);
    if (s->els_held_size > 0) return els_tags_resume(s, in, piece);
    if (in->at < in->end) return els_tags_read(s, in, s->els_lent.finished, piece);
    return s->els_lent.finished ? els_tags_over(s, in, piece) : ELELEM_MORE;
}

/* Reads the next piece from a cursor that the caller keeps. The bytes must stay valid until MORE is
   returned. */
ELS_PRIVATE elelem_status els_tags_next(elelem_tag_splitter *splitter, els_cursor *in, elelem_tag_piece *piece)
{
    const unsigned char *start = in->at;
    elelem_status status;

    do
        status = els_tags_step(splitter, in, piece);
    while (status == ELS_AGAIN);
    splitter->els_offset += (uint64_t)(in->at - start);
    return status;
}

ELS_PRIVATE void els_tags_start(elelem_tag_splitter *s)
{
    els_input_start(&s->els_lent, 0);
    s->els_offset = 0;
    s->els_generated = 0;
    s->els_stack_size = 0;
    s->els_known = 0;
    s->els_depth = 0;
    s->els_ends = 0;
    s->els_beyond = 0;
    s->els_status = ELELEM_OK;
    s->els_after = 0;
    s->els_long_run = 0;
    s->els_carry_size = 0;
    els_tags_drop_held(s);
}

void elelem_tag_splitter_init(elelem_tag_splitter *splitter, const elelem_tag_splitter_desc *desc)
{
    elelem_tag_splitter_desc defaults = ELELEM_INIT;
    const elelem_tag_splitter_desc *d = desc ? desc : &defaults;

    memset(splitter, 0, sizeof *splitter);
    splitter->els_memory.allocator = d->allocator;
    splitter->els_names = d->names ? d->names : els_tags_names;
    splitter->els_name_count = d->names ? d->name_count : (uint32_t)(sizeof els_tags_names / sizeof *els_tags_names);
    splitter->els_max_tag = els_limit(d->max_tag_bytes, 4096, (uint32_t)1 << 24);
    splitter->els_max_attributes = els_limit(d->max_attributes, 64, (uint32_t)1 << 24);
    splitter->els_max_depth = els_limit(d->max_depth, 64, (uint32_t)1 << 16);
    splitter->els_max_ids = splitter->els_max_depth;
    splitter->els_trim = d->trim & (ELELEM_TAG_TRIM_OUTSIDE | ELELEM_TAG_TRIM_INSIDE);
    splitter->els_ignore_case = d->ignore_case != 0;
    els_tags_start(splitter);
}

elelem_status elelem_tag_splitter_push(elelem_tag_splitter *splitter, const void *bytes, size_t size)
{
    if (splitter->els_status != ELELEM_OK) return (elelem_status)splitter->els_status;
    return els_input_push(&splitter->els_lent, bytes, size);
}

elelem_status elelem_tag_splitter_next(elelem_tag_splitter *splitter, elelem_tag_piece *piece)
{
    elelem_status status = els_tags_next(splitter, &splitter->els_lent.bytes, piece);

    if (status != ELELEM_MORE) return status;
    status = els_input_more(&splitter->els_lent);
    if (status < 0) splitter->els_status = status;
    return status;
}

void elelem_tag_splitter_finish(elelem_tag_splitter *splitter)
{
    els_input_finish(&splitter->els_lent);
}

elelem_error elelem_tag_splitter_error(const elelem_tag_splitter *splitter)
{
    return els_input_error(&splitter->els_lent, (elelem_status)splitter->els_status, splitter->els_offset);
}

void elelem_tag_splitter_reset(elelem_tag_splitter *splitter)
{
    if (splitter->els_lent.state != ELS_INPUT_NONE) els_tags_start(splitter);
}

void elelem_tag_splitter_free(elelem_tag_splitter *splitter)
{
    els_block_free(&splitter->els_memory);
    memset(splitter, 0, sizeof *splitter);
}

#endif
