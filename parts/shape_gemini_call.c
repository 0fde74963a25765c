#ifndef ELS_SHAPE_GEMINI_CALL_C
#define ELS_SHAPE_GEMINI_CALL_C
#include "shape_gemini_call.h"
#include "base.c"
#include "shape_gemini_part.c"

/* >> shape_gemini_call */

#ifndef ELELEM_NO_GEMINI

/* Arguments in pieces, each with the path of its value. Of the
   call that is open is kept how far that text is: a level for each container that is open, from the root on, with the
   member that was written last in it. A path may continue in an open container with a member that it does not have yet, so
   of an object's members a hash each is kept. */

ELS_PRIVATE void els_gemini_put(elelem_shape_context *c, const char *json)
{
    elelem_shape_write_raw(c, elelem_str_of(json));
}

ELS_PRIVATE elelem_str els_gemini_after(elelem_str text, size_t size)
{
    return els_str(text.data + size, text.size - size);
}

/* A segment of a path: .name, ['name'] with escapes, or [n] (RFC 9535, 2.3). */
typedef struct els_gemini_segment {
    elelem_str name; /* as it is written, without quotes */
    uint64_t member; /* of an array its index, of an object a hash of the name */
    uint8_t is_index;
    uint8_t has_escapes;
} els_gemini_segment;

ELS_PRIVATE int els_gemini_digit(char byte)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *digit = (const char *)memchr(digits, byte, sizeof digits - 1);

    if (!digit) return -1;
    return (int)(digit - digits) < 16 ? (int)(digit - digits) : (int)(digit - digits) - 6;
}

/* Returns the value of four hexadecimal digits, or -1. */
ELS_PRIVATE int32_t els_gemini_unit(elelem_str text)
{
    int32_t unit = 0;
    size_t i;

    if (text.size < 4) return -1;
    for (i = 0; i < 4; i++) {
        int digit = els_gemini_digit(text.data[i]);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

/* Steps over \uXXXX, or two of them that make one character, and returns the character; a lone surrogate is U+FFFD. */
ELS_PRIVATE uint32_t els_gemini_take_unit(elelem_str *text)
{
    uint32_t unit = (uint32_t)els_gemini_unit(els_gemini_after(*text, 2));
    int has_low = text->size >= 12 && text->data[6] == '\\' && text->data[7] == 'u';
    int32_t low = has_low ? els_gemini_unit(els_gemini_after(*text, 8)) : -1;
    int is_pair = unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000;

    *text = els_gemini_after(*text, is_pair ? 12 : 6);
    if (is_pair) return 0x10000 + ((unit - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
    return unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit;
}

/* Steps over an escape and returns the character that it stands for. Escapes were checked. */
ELS_PRIVATE uint32_t els_gemini_take_escape(elelem_str *text)
{
    static const char names[] = "bfnrt", characters[] = "\b\f\n\r\t";
    char escape = text->data[1];
    const char *name = (const char *)memchr(names, escape, 5);

    if (escape == 'u') return els_gemini_take_unit(text);
    *text = els_gemini_after(*text, 2);
    return (unsigned char)(name ? characters[name - names] : escape);
}

/* Returns a hash of the name, however its characters are written. */
ELS_PRIVATE uint64_t els_gemini_hash(const els_gemini_segment *segment)
{
    elelem_str rest = segment->name;
    uint64_t hash = ELELEM_SHAPE_HASH_START;

    if (!segment->has_escapes) return elelem_shape_hash(rest);
    while (rest.size > 0) {
        const char *escape = (const char *)memchr(rest.data, '\\', rest.size);
        size_t plain = escape ? (size_t)(escape - rest.data) : rest.size;
        char bytes[4];
        hash = elelem_shape_hash_more(hash, els_str(rest.data, plain));
        rest = els_gemini_after(rest, plain);
        if (escape) hash = elelem_shape_hash_more(hash, els_str(bytes, elelem_utf8_encode(els_gemini_take_escape(&rest), bytes)));
    }
    return hash;
}

/* The size of the escape at the start of the text, which begins with its backslash; 0 if it is none. */
ELS_PRIVATE size_t els_gemini_escape_size(elelem_str text)
{
    if (text.size < 2 || !memchr("\"\\/bfnrtu'", text.data[1], 10)) return 0;
    if (text.data[1] != 'u') return 2;
    return els_gemini_unit(els_gemini_after(text, 2)) < 0 ? 0 : 6;
}

/* Reads a name in quotes, and the bracket after it. Returns 0 if that is none. */
ELS_PRIVATE int els_gemini_read_quoted(elelem_str *path, els_gemini_segment *segment)
{
    char quote = path->data[0];
    size_t size = 1;

    while (size < path->size && path->data[size] != quote) {
        size_t escape = path->data[size] == '\\' ? els_gemini_escape_size(els_gemini_after(*path, size)) : 1;
        if (escape == 0) return 0;
        segment->has_escapes |= path->data[size] == '\\';
        size += escape;
    }
    if (size + 1 >= path->size || path->data[size + 1] != ']') return 0;
    segment->name = els_str(path->data + 1, size - 1);
    *path = els_gemini_after(*path, size + 2);
    return 1;
}

/* An index has nine digits at most, and none too many. */
ELS_PRIVATE int els_gemini_read_index(elelem_str *path, els_gemini_segment *segment)
{
    size_t size = 0;

    while (size < path->size && path->data[size] >= '0' && path->data[size] <= '9')
        segment->member = segment->member * 10 + (uint64_t)(path->data[size++] - '0');
    if (size == 0 || size > 9 || size == path->size || path->data[size] != ']') return 0;
    if (size > 1 && path->data[0] == '0') return 0;
    segment->is_index = 1;
    *path = els_gemini_after(*path, size + 1);
    return 1;
}

ELS_PRIVATE int els_gemini_read_name(elelem_str *path, els_gemini_segment *segment)
{
    size_t size = 0;

    while (size < path->size && path->data[size] != '.' && path->data[size] != '[')
        size++;
    segment->name = els_str(path->data, size);
    *path = els_gemini_after(*path, size);
    return size > 0;
}

/* Reads the next segment of a path. Returns 0 if there is none. */
ELS_APART int els_gemini_read_segment(elelem_str *path, els_gemini_segment *segment)
{
    char first = path->data[0];
    int is_good;

    memset(segment, 0, sizeof *segment);
    *path = els_gemini_after(*path, 1);
    if (path->size == 0) return 0;
    if (first == '.') is_good = els_gemini_read_name(path, segment);
    else if (first != '[') return 0;
    else if (path->data[0] == '\'' || path->data[0] == '"') is_good = els_gemini_read_quoted(path, segment);
    else is_good = els_gemini_read_index(path, segment);
    if (is_good && !segment->is_index) segment->member = els_gemini_hash(segment);
    return is_good;
}

/* Writes the name of a member. Escapes of JSON stay as they are, and \' is only a quote. */
ELS_APART void els_gemini_put_name(elelem_shape_context *c, const els_gemini_segment *segment)
{
    elelem_writer *writer = elelem_shape_write_on(c);
    elelem_str rest = segment->name;

    elelem_writer_string_begin(writer);
    while (rest.size > 0) {
        const char *escape = segment->has_escapes ? (const char *)memchr(rest.data, '\\', rest.size) : NULL;
        size_t plain = escape ? (size_t)(escape - rest.data) : rest.size;
        size_t size = escape ? els_gemini_escape_size(els_gemini_after(rest, plain)) : 0;
        elelem_writer_string_piece(writer, els_str(rest.data, plain));
        if (escape) elelem_shape_write_raw(c, escape[1] == '\'' ? elelem_str_of("'") : els_str(escape, size));
        rest = els_gemini_after(rest, plain + size);
    }
    elelem_writer_string_end(writer);
    els_gemini_put(c, ":");
}

/* Levels. */

/* A container that is open. After that of an object are the hashes of its members. */
typedef struct els_gemini_level {
    uint64_t member; /* the one written last: its index, or the hash of its name */
    uint32_t count;  /* of hashes */
    uint32_t before; /* where the level before it begins, a multiple of 8; + 1 if this is an array */
} els_gemini_level;

ELS_PRIVATE int els_gemini_is_array(const els_gemini_level *level)
{
    return (int)(level->before & 1);
}

/* The level that begins at `at`, of a call that has one there. */
ELS_PRIVATE els_gemini_level *els_gemini_level_at(const elelem_shape_context *c, const elelem_shape_item *item, size_t at)
{
    return (els_gemini_level *)(void *)(elelem_shape_kept(c, item).data + at);
}

ELS_PRIVATE size_t els_gemini_levels_size(const elelem_shape_context *c, const elelem_shape_item *item)
{
    return elelem_shape_kept(c, item).size;
}

ELS_PRIVATE uint64_t *els_gemini_hashes(els_gemini_level *level)
{
    return (uint64_t *)(void *)(level + 1);
}

ELS_PRIVATE size_t els_gemini_level_size(const els_gemini_level *level)
{
    return sizeof *level + level->count * sizeof(uint64_t);
}

/* Hashes are looked up in runs that are sorted: one of 2^n for each bit n that their number has, the longest first. */

ELS_PRIVATE int els_gemini_is_in_run(const uint64_t *run, uint32_t size, uint64_t hash)
{
    uint32_t low = 0;

    for (; size > 1; size -= size / 2)
        if (run[low + size / 2] <= hash) low += size / 2;
    return run[low] == hash;
}

ELS_APART int els_gemini_has_member(els_gemini_level *level, uint64_t hash)
{
    const uint64_t *run = els_gemini_hashes(level);
    uint32_t size;

    for (size = 0x80000000u; size > 0; size /= 2) {
        if (!(level->count & size)) continue;
        if (els_gemini_is_in_run(run, size, hash)) return 1;
        run += size;
    }
    return 0;
}

/* Lets the hash at `at` sink to where the heap below it is in order. */
ELS_PRIVATE void els_gemini_sink(uint64_t *heap, uint32_t size, uint32_t at)
{
    while (at * 2 + 1 < size) {
        uint32_t child = at * 2 + 1;
        uint64_t hash = heap[at];
        if (child + 1 < size && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= hash) return;
        heap[at] = heap[child];
        heap[child] = hash;
        at = child;
    }
}

ELS_APART void els_gemini_sort(uint64_t *run, uint32_t size)
{
    uint32_t i;

    for (i = size / 2; i > 0; i--)
        els_gemini_sink(run, size, i - 1);
    for (i = size; i > 1; i--) {
        uint64_t greatest = run[0];
        run[0] = run[i - 1];
        run[i - 1] = greatest;
        els_gemini_sink(run, i - 1, 0);
    }
}

/* Keeps `size` bytes from the level at `at` on, which is the last. Returns null if there is no room. */
ELS_PRIVATE els_gemini_level *els_gemini_keep_level(elelem_shape_context *c, elelem_shape_item *item, size_t at, size_t size)
{
    char *levels = (char *)elelem_shape_kept_resize(c, item->index, els_sum(at, size));

    return levels ? (els_gemini_level *)(void *)(levels + at) : NULL;
}

/* Writes a new member of the container that is open at this level, which is the last. Returns 0 if it has that, or if an
   array's index is not the next. */
ELS_PRIVATE int els_gemini_add_member(elelem_shape_context *c, elelem_shape_item *item, size_t at, const els_gemini_segment *segment)
{
    els_gemini_level *level = els_gemini_level_at(c, item, at);
    uint32_t run;

    if (els_gemini_is_array(level)) {
        if (segment->member != level->member + 1) return 0;
        level->member = segment->member;
        return 1;
    }
    if (els_gemini_has_member(level, segment->member)) return 0;
    level = els_gemini_keep_level(c, item, at, els_gemini_level_size(level) + sizeof(uint64_t));
    if (!level) return 0;
    level->member = els_gemini_hashes(level)[level->count++] = segment->member;
    run = level->count & (0 - level->count);
    els_gemini_sort(els_gemini_hashes(level) + (level->count - run), run);
    els_gemini_put_name(c, segment);
    return 1;
}

/* Opens a container with its first member, at a level after all others. Returns 0 if an array does not begin with 0. */
ELS_PRIVATE int els_gemini_open_container(elelem_shape_context *c, elelem_shape_item *item, size_t at,
                                     const els_gemini_segment *segment)
{
    els_gemini_item *state = els_gemini_state(item);
    els_gemini_level *level = els_gemini_keep_level(c, item, at, sizeof *level);

    if (!level) return 0;
    memset(level, 0, sizeof *level);
    level->member = UINT64_MAX; /* before index 0 */
    level->before = state->last_level + segment->is_index;
    state->last_level = (uint32_t)at;
    els_gemini_put(c, segment->is_index ? "[" : "{");
    return els_gemini_add_member(c, item, at, segment);
}

/* Closes the containers from the level at `at` on, the innermost first, and forgets their levels. */
ELS_APART void els_gemini_close_levels(elelem_shape_context *c, elelem_shape_item *item, size_t at)
{
    els_gemini_item *state = els_gemini_state(item);
    size_t end = els_gemini_levels_size(c, item);

    while (at < end) {
        const els_gemini_level *level = els_gemini_level_at(c, item, state->last_level);
        els_gemini_put(c, els_gemini_is_array(level) ? "]" : "}");
        end = state->last_level;
        state->last_level = level->before & ~(uint32_t)1;
    }
    elelem_shape_kept_resize(c, item->index, end);
}

ELS_PRIVATE void els_gemini_end_string(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_shape_write_half(c, item->index);
    if (els_gemini_state(item)->is_in_string) els_gemini_put(c, "\"");
    els_gemini_state(item)->is_in_string = 0;
}

/* Goes from the value written last to a new member of the container at this level. Returns 0 if that cannot be. */
ELS_PRIVATE int els_gemini_leave(elelem_shape_context *c, elelem_shape_item *item, size_t at, const els_gemini_segment *segment)
{
    const els_gemini_level *level = els_gemini_level_at(c, item, at);

    if (els_gemini_is_array(level) != segment->is_index) return 0;
    els_gemini_end_string(c, item);
    els_gemini_close_levels(c, item, at + els_gemini_level_size(level));
    els_gemini_put(c, ",");
    return els_gemini_add_member(c, item, at, segment);
}

/* Where a path being read has come to. */
typedef struct els_gemini_way {
    size_t at;  /* bytes of the levels that it has gone through */
    int is_new; /* it has left the value written last */
} els_gemini_way;

/* Follows one segment. Returns 0 if that leads into a value that is over, or to one that there is already. */
ELS_PRIVATE int els_gemini_go(elelem_shape_context *c, elelem_shape_item *item, els_gemini_way *way, const els_gemini_segment *segment)
{
    size_t end = els_gemini_levels_size(c, item);
    const els_gemini_level *level = way->at < end ? els_gemini_level_at(c, item, way->at) : NULL;
    int is_same = !way->is_new && level && els_gemini_is_array(level) == segment->is_index && level->member == segment->member;
    int is_good = 1;

    if (!way->is_new && level && !is_same) is_good = els_gemini_leave(c, item, way->at, segment);
    else if (!is_same && way->at > 0 && !way->is_new) return 0;
    else if (!is_same) is_good = (way->at > 0 || !segment->is_index) && els_gemini_open_container(c, item, way->at, segment);
    if (!is_good || elelem_shape_is_over(c)) return 0;
    way->is_new |= !is_same;
    way->at += els_gemini_level_size(els_gemini_level_at(c, item, way->at));
    return 1;
}

/* The value of a piece; none if it has none of these, which are the members of Google's Value. A nullValue is null of whatever
   type it is. */
ELS_APART elelem_value els_gemini_piece_value(elelem_value piece)
{
    elelem_value value = elelem_value_get(piece, "stringValue");

    if (elelem_value_type(value) == ELELEM_TYPE_STRING) return value;
    value = elelem_value_get(piece, "numberValue");
    if (elelem_value_type(value) == ELELEM_TYPE_NUMBER) return value;
    value = elelem_value_get(piece, "boolValue");
    if (elelem_value_type(value) == ELELEM_TYPE_BOOL) return value;
    value = elelem_value_get(piece, "listValue");
    if (elelem_value_type(value) == ELELEM_TYPE_ARRAY) return value;
    value = elelem_value_get(piece, "structValue");
    if (elelem_value_type(value) == ELELEM_TYPE_OBJECT) return value;
    return elelem_value_get(piece, "nullValue");
}

/* A string continues if `is_same`, else it begins. */
ELS_APART void els_gemini_put_string(elelem_shape_context *c, elelem_shape_item *item, elelem_value value, int is_same)
{
    elelem_writer *writer = elelem_shape_write_on(c);

    if (!is_same) elelem_writer_string_begin(writer);
    elelem_shape_write_piece(c, item->index, elelem_value_text(value));
    els_gemini_state(item)->is_in_string = 1;
    if (!els_gemini_continues(elelem_value_parent(value))) els_gemini_end_string(c, item);
}

/* Goes to the place that the piece names. Returns 0 if it does not fit after those before it. */
ELS_PRIVATE int els_gemini_find_way(elelem_shape_context *c, elelem_shape_item *item, elelem_str path, els_gemini_way *way)
{
    els_gemini_segment segment;

    way->at = 0;
    way->is_new = 0;
    if (path.size < 2 || path.data[0] != '$') return 0;
    path = els_gemini_after(path, 1);
    while (path.size > 0)
        if (!els_gemini_read_segment(&path, &segment) || !els_gemini_go(c, item, way, &segment)) return 0;
    return 1;
}

/* Returns 0 if the piece does not fit after those before it. One without a value says nothing. */
ELS_PRIVATE int els_gemini_piece(elelem_shape_context *c, elelem_shape_item *item, elelem_value piece)
{
    elelem_value value = els_gemini_piece_value(piece);
    int is_string = elelem_value_type(value) == ELELEM_TYPE_STRING &&
                    elelem_str_is(elelem_value_key(value), "stringValue");
    int continues;
    els_gemini_way way;

    if (!elelem_shape_is_there(value)) return 1;
    if (!els_gemini_find_way(c, item, elelem_shape_string_in(piece, "jsonPath"), &way)) return 0;
    continues = is_string && els_gemini_state(item)->is_in_string && way.at == els_gemini_levels_size(c, item);
    if (!way.is_new && !continues) return 0;
    els_gemini_state(item)->had_pieces = 1;
    if (is_string) els_gemini_put_string(c, item, value, !way.is_new);
    else if (elelem_str_is(elelem_value_key(value), "nullValue")) els_gemini_put(c, "null");
    else elelem_writer_value(elelem_shape_write_on(c), value);
    return 1;
}

#endif

#endif
