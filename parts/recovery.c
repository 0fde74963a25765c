#ifndef ELS_RECOVERY_C
#define ELS_RECOVERY_C
#include "recovery.h"
#include "base.c"
#include "text.c"
#include "fragment.c"
#include "parser.c"
#include "failure.c"
#include "shape.c"

/* >> recovery */

/* JSON strings with their escapes, which are compared without storing the decoded ones. */

/* A reader of the decoded bytes of such a string. */
typedef struct els_letters {
    const unsigned char *at;
    const unsigned char *end;
    unsigned char bytes[4]; /* of the character that was escaped */
    uint8_t count;          /* of these bytes */
    uint8_t taken;          /* how many of them were read */
} els_letters;

ELS_PRIVATE els_letters els_letters_of(elelem_str json)
{
    els_letters letters;

    memset(&letters, 0, sizeof letters);
    letters.at = (const unsigned char *)json.data + 1;
    letters.end = letters.at + (json.size - 2);
    return letters;
}

ELS_PRIVATE uint32_t els_letters_unit(els_letters *letters)
{
    uint32_t unit = 0;
    int i;

    for (i = 0; i < 4 && letters->at < letters->end; i++)
        unit = unit << 4 | (uint32_t)els_hex_digit(*letters->at++);
    return unit;
}

/* Reads the character of a \u, or of a pair of surrogates. */
ELS_PRIVATE uint32_t els_letters_character(els_letters *letters)
{
    uint32_t character = els_letters_unit(letters);
    els_letters ahead = *letters;
    uint32_t low;

    if (character < 0xd800 || character >= 0xdc00 || letters->end - letters->at < 6) return character;
    if (letters->at[0] != '\\' || letters->at[1] != 'u') return character;
    ahead.at += 2;
    low = els_letters_unit(&ahead);
    if (low < 0xdc00 || low >= 0xe000) return character;
    *letters = ahead;
    return 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
}

/* Decodes the escape after a backslash into `bytes`. */
ELS_PRIVATE void els_letters_escape(els_letters *letters)
{
    unsigned char letter = *letters->at++;
    const char *place = letter ? strchr(els_escape_letters, letter) : NULL;
    uint32_t character = letter;

    if (letter == 'u') {
        character = els_letters_character(letters);
    } else if (place) {
        character = els_escape_bytes[place - els_escape_letters];
    }
    letters->count = (uint8_t)elelem_utf8_encode(character, (char *)letters->bytes);
    letters->taken = 0;
}

/* Returns the next decoded byte, -1 at the end. */
ELS_PRIVATE int els_letters_next(els_letters *letters)
{
    if (letters->taken < letters->count) return letters->bytes[letters->taken++];
    if (letters->at >= letters->end) return -1;
    if (*letters->at != '\\' || letters->end - letters->at < 2) return *letters->at++;
    letters->at++;
    els_letters_escape(letters);
    return letters->bytes[letters->taken++];
}

/* Nonzero if both strings, which have their quotes, are equal when decoded. Most are not, and differ before any
   escape. */
ELS_PRIVATE int els_same_string(elelem_str a, elelem_str b)
{
    els_letters first, second;
    size_t size = a.size < b.size ? a.size : b.size;
    size_t same = 1;
    int letter;

    while (same < size && a.data[same] == b.data[same] && a.data[same] != '\\')
        same++;
    if (same < size && a.data[same] != '\\' && b.data[same] != '\\') return 0;
    first = els_letters_of(a);
    second = els_letters_of(b);
    first.at += same - 1;
    second.at += same - 1;
    do {
        letter = els_letters_next(&first);
        if (letter != els_letters_next(&second)) return 0;
    } while (letter >= 0);
    return 1;
}

/* Returns the string that ends at `end`, with its quotes: it begins at the last quote before that is not escaped. It is the value of a
   member, so that the colon is before it. */
ELS_PRIVATE elelem_str els_string_before(const char *start, size_t end)
{
    size_t at = end - 1;

    for (;;) {
        size_t slashes = 0;
        at--;
        while (start[at] != '"')
            at--;
        while (start[at - 1 - slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0) return els_str(start + at, end - at);
    }
}

/* Reads JSON text that is whole in memory, string by string. The path is stored in a small arena; if it
   does not fit, reading stops. */

#define ELS_REQUEST_NODES 64
#define ELS_REQUEST_PATHS 16

typedef struct els_request {
    elelem_fragment_parser parser;
    elelem_patterns patterns;
    elelem_pattern_node nodes[ELS_REQUEST_NODES];
    size_t path_count;
    uint16_t which[ELS_REQUEST_PATHS]; /* the node of each path */
    elelem_str text;
    elelem_arena arena;
    size_t memory[256];
} els_request;

ELS_PRIVATE void els_request_open(els_request *r, elelem_str text, const elelem_patterns *patterns)
{
    elelem_fragment_parser_desc desc = ELELEM_INIT;

    desc.patterns = patterns;
    desc.allocator = elelem_arena_init(&r->arena, r->memory, sizeof r->memory);
    r->text = text;
    elelem_fragment_parser_init(&r->parser, &desc);
    elelem_fragment_parser_push(&r->parser, text.data, text.size);
}

/* Reads up to the end of the next string (DONE) or the next BEGIN of a container; 0 at the end. `*json` is the
   string. */
ELS_PRIVATE int els_request_next(els_request *r, elelem_fragment *fragment, elelem_str *json)
{
    while (elelem_fragment_parser_next(&r->parser, fragment) == ELELEM_OK) {
        if (fragment->kind == ELELEM_FRAGMENT_BEGIN) return 1;
        if (fragment->kind != ELELEM_FRAGMENT_DONE || fragment->type != ELELEM_TYPE_STRING) continue;
        *json = els_string_before(r->text.data, (size_t)elelem_fragment_parser_offset(&r->parser));
        return 1;
    }
    return 0;
}

/* As many patches as a mask has bits are tried together. */
#define ELS_PATCHES_AT_ONCE 64

/* Returns the mask of the patches that have this match_key. */
ELS_PRIVATE uint64_t els_patches_under(const elelem_patch *patches, size_t count, elelem_str key)
{
    uint64_t mask = 0;
    size_t i;

    for (i = 0; i < count; i++)
        if (patches[i].match_value.size >= 2 && elelem_str_equal(patches[i].match_key, key)) mask |= (uint64_t)1 << i;
    return mask;
}

/* Returns the byte after the string that begins here; null if it has no end. */
ELS_PRIVATE const unsigned char *els_string_end(const unsigned char *at, const unsigned char *end)
{
    int is_escaped = 0;

    for (at++; at < end; at++) {
        if (is_escaped) is_escaped = 0;
        else if (*at == '"') return at + 1;
        else is_escaped = *at == '\\';
    }
    return NULL;
}

/* Reads up to the end of the next string of JSON text that is no key; 0 at the end. It needs neither path nor memory, so that no key
   is too long and no level too deep. */
ELS_PRIVATE int els_string_next(els_cursor *in, elelem_str *json)
{
    const unsigned char *start, *end;

    do {
        start = in->at < in->end ? (const unsigned char *)memchr(in->at, '"', (size_t)(in->end - in->at)) : NULL;
        end = start ? els_string_end(start, in->end) : NULL;
        if (!end) return 0;
        in->at = end;
    } while (els_skip_blanks(in) && *in->at == ':');
    *json = els_str(start, (size_t)(end - start));
    return 1;
}

/* Returns those patches of the mask whose match_value the JSON value is, or contains. */
ELS_PRIVATE uint64_t els_patches_held(const elelem_patch *patches, uint64_t mask, elelem_str json)
{
    els_cursor in = els_cursor_of(json.data, json.size);
    elelem_str found;
    uint64_t left, held = 0;
    size_t i;

    while (held != mask && els_string_next(&in, &found)) {
        for (i = 0, left = mask & ~held; left; i++, left >>= 1)
            if (left & 1 && els_same_string(found, patches[i].match_value)) held |= (uint64_t)1 << i;
    }
    return held;
}

ELS_PRIVATE uint64_t els_patches_fit(const elelem_patch *patches, size_t count, const elelem_metadata_entry *entries,
                                     size_t entry_count)
{
    uint64_t mask = 0;
    size_t i;

    for (i = 0; i < entry_count; i++) {
        uint64_t under = els_patches_under(patches, count, entries[i].key) & ~mask;
        if (under) mask |= els_patches_held(patches, under, entries[i].json);
    }
    return mask;
}

ELS_PRIVATE size_t els_entries_remove(elelem_metadata_entry *entries, size_t count, elelem_str key)
{
    size_t i, kept = 0;

    for (i = 0; i < count; i++)
        if (!elelem_str_equal(entries[i].key, key)) entries[kept++] = entries[i];
    return kept;
}

size_t elelem_patch_apply(const elelem_patch *patches, size_t patch_count, elelem_metadata_entry *entries, size_t *count)
{
    size_t first, i, before = *count;

    for (first = 0; first < patch_count; first += ELS_PATCHES_AT_ONCE) {
        size_t left = patch_count - first;
        size_t some = left < ELS_PATCHES_AT_ONCE ? left : ELS_PATCHES_AT_ONCE;
        uint64_t fit = els_patches_fit(patches + first, some, entries, *count);
        for (i = 0; i < some; i++)
            if (fit >> i & 1) *count = els_entries_remove(entries, *count, patches[first + i].remove_key);
    }
    return before - *count;
}

/* The search for stale values. */

/* What is searched for in a request. */
typedef struct els_search {
    const elelem_recovery_path *paths;
    size_t path_count;
    unsigned rejection;
    elelem_str named;   /* the value that the provider's sentence names, or the beginning of a shortened one */
    elelem_str ending;  /* the end of a shortened value */
    int is_shortened;   /* the sentence has only the beginning and the end of the value */
    int64_t slot;       /* the message and block that the sentence names, -1 if it names none */
    int64_t block;
    int64_t turn;       /* the turn that is rejected begins after this message of the user's own */
} els_search;

ELS_PRIVATE void els_search_open(const els_search *s, els_request *r, elelem_str request)
{
    const char *texts[ELS_REQUEST_PATHS];
    size_t i;

    r->path_count = s->path_count < ELS_REQUEST_PATHS ? s->path_count : ELS_REQUEST_PATHS;
    for (i = 0; i < r->path_count; i++)
        texts[i] = s->paths[i].path;
    if (elelem_patterns_compile(&r->patterns, r->nodes, ELS_REQUEST_NODES, texts, r->path_count, r->which, NULL) != ELELEM_OK)
        request.size = 0;
    els_request_open(r, request, &r->patterns);
}

/* Returns the path that is exactly that of the fragment; null if none is. */
ELS_PRIVATE const elelem_recovery_path *els_search_path(const els_search *s, const els_request *r,
                                                        const elelem_fragment *fragment)
{
    size_t i;

    for (i = 0; i < r->path_count; i++)
        if (r->which[i] == fragment->pattern && els_node_depth(&r->patterns, r->which[i]) == fragment->path->count)
            return &s->paths[i];
    return NULL;
}

/* Returns the decimal number after `words` in the message, -1 if there is none. */
ELS_PRIVATE int64_t els_number_after(elelem_str message, const char *words)
{
    size_t i, size = strlen(words);
    int64_t number = -1;

    for (i = 0; i + size < message.size && i < 4096 && number < 0; i++) {
        size_t at = i + size;
        if (memcmp(message.data + i, words, size) != 0) continue;
        for (; at < message.size && message.data[at] >= '0' && message.data[at] <= '9' && number < 1000000; at++)
            number = (number < 0 ? 0 : number) * 10 + (message.data[at] - '0');
    }
    return number;
}

/* Reads what the message names at this offset, up to the next space or quote: an id, or the first and last letters
   of encrypted content with dots between them. */
ELS_PRIVATE void els_search_name(els_search *s, elelem_str message, size_t at)
{
    size_t end = at, dots;

    while (end < message.size && message.data[end] != ' ' && message.data[end] != '\'' && message.data[end] != '"')
        end++;
    s->named = els_str(message.data + at, end - at);
    s->ending = els_str(NULL, 0);
    s->is_shortened = 0;
    for (dots = at; dots + 3 <= end; dots++) {
        if (memcmp(message.data + dots, "...", 3) != 0) continue;
        s->named.size = dots - at;
        s->ending = els_str(message.data + dots + 3, end - dots - 3);
        s->is_shortened = 1;
        return;
    }
}

/* The position in the messages of a request, which are read in order. */
typedef struct els_slots {
    int64_t slot;    /* the current message, -1 before the first */
    int64_t own;     /* the last message of the user's own */
    int64_t logical; /* its index if round trips to tools are not counted */
    int is_user;
    int is_result;
    int was_assistant;
} els_slots;

/* Ends a message. One of the user's own, which has no result of a tool call, begins a turn. A CHANGE is rejected in the
   latest turn that has a message of the model. */
ELS_PRIVATE void els_slots_close(els_search *s, els_slots *seen)
{
    if (seen->slot < 0 || (seen->is_user && seen->is_result)) return;
    if (seen->is_user) seen->own = seen->slot;
    if (!seen->is_user || s->rejection != ELELEM_REJECTED_CHANGE) s->turn = seen->own;
    if (seen->is_user || !seen->was_assistant) seen->logical++;
    seen->was_assistant = !seen->is_user;
    /* The provider may or may not count round trips to tools. Before the first one both numbers are
       the same; after it the provider's number cannot be trusted. */
    if (seen->slot == s->slot && seen->logical != seen->slot) s->slot = -1;
}

ELS_PRIVATE void els_slots_at(els_search *s, els_slots *seen, int64_t slot)
{
    if (slot == seen->slot) return;
    els_slots_close(s, seen);
    seen->slot = slot;
    seen->is_user = seen->is_result = 0;
}

/* Reads up to the next value that a path names; null at the end. What is in a container is skipped. */
ELS_PRIVATE const elelem_recovery_path *els_search_next(const els_search *s, els_request *r, elelem_fragment *fragment,
                                                        elelem_str *json)
{
    while (els_request_next(r, fragment, json)) {
        const elelem_recovery_path *path = els_search_path(s, r, fragment);
        if (!path || fragment->path->count < 2) continue;
        if (fragment->kind == ELELEM_FRAGMENT_BEGIN) elelem_fragment_parser_skip(&r->parser); /* an error sticks */
        return path;
    }
    return NULL;
}

/* Reads the request for the first time: finds where the rejected turn begins, and whether the place that the
   sentence names can be trusted. */
ELS_PRIVATE void els_search_turns(els_search *s, elelem_str request)
{
    els_request reading;
    els_slots seen = { -1, -1, -1, 0, 0, 0 };
    elelem_fragment fragment;
    elelem_str json = els_str(NULL, 0);
    const elelem_recovery_path *path;

    els_search_open(s, &reading, request);
    while ((path = els_search_next(s, &reading, &fragment, &json)) != NULL) {
        int is_string = fragment.kind == ELELEM_FRAGMENT_DONE;
        els_slots_at(s, &seen, fragment.path->segments[1].index);
        if (path->role == ELELEM_RECOVERY_RESULT) seen.is_result = 1;
        if (path->role == ELELEM_RECOVERY_BLOCK_TYPE && is_string && elelem_str_is(json, "\"tool_result\""))
            seen.is_result = 1;
        if (path->role == ELELEM_RECOVERY_SPEAKER && is_string) seen.is_user = elelem_str_is(json, "\"user\"");
    }
    els_slots_close(s, &seen);
}

/* How sure it is that a value is the rejected one. */
enum { ELS_SURE_NOT, ELS_SURE_SOME, ELS_SURE_TURN, ELS_SURE_EXACT };

ELS_PRIVATE int els_search_names(const els_search *s, elelem_str json)
{
    elelem_str text = els_str(json.data + 1, json.size - 2);

    if (!s->is_shortened) return elelem_str_equal(text, s->named);
    return text.size >= s->named.size + s->ending.size &&
           elelem_str_equal(els_str(text.data, s->named.size), s->named) &&
           elelem_str_equal(els_str(text.data + (text.size - s->ending.size), s->ending.size), s->ending);
}

ELS_PRIVATE int els_search_sure(const els_search *s, const elelem_path *path, elelem_str json)
{
    int64_t slot = path->segments[1].index;
    int64_t block = path->count > 3 ? (int64_t)path->segments[3].index : -1;

    if (s->rejection == ELELEM_REJECTED_SIGNATURE && slot == s->slot && block == s->block) return ELS_SURE_EXACT;
    if (s->rejection & (ELELEM_REJECTED_ITEM | ELELEM_REJECTED_ENCRYPTED) && els_search_names(s, json))
        return ELS_SURE_EXACT;
    if (s->rejection & (ELELEM_REJECTED_CHANGE | ELELEM_REJECTED_THOUGHT) && slot > s->turn) return ELS_SURE_TURN;
    return ELS_SURE_SOME;
}

/* Nonzero for the values that Google accepts instead of a signature; they are never stale. */
ELS_PRIVATE int els_is_dummy_signature(elelem_str json)
{
    return elelem_str_is(json, "\"skip_thought_signature_validator\"") ||
           elelem_str_is(json, "\"context_engineering_is_the_way_to_go\"");
}

ELS_PRIVATE int els_is_candidate(const els_search *s, const elelem_recovery_path *path, elelem_str json)
{
    if (path->role != ELELEM_RECOVERY_VALUE || !(path->rejections & s->rejection) || json.size <= 2) return 0;
    if (s->rejection == ELELEM_REJECTED_ITEM && (json.size < 6 || memcmp(json.data, "\"rs_", 4) != 0))
        return els_search_names(s, json);
    return !els_is_dummy_signature(json);
}

/* Adds a patch if there is room and no equal one. */
ELS_PRIVATE size_t els_search_add(elelem_patch *patches, size_t count, size_t capacity, const char *key, elelem_str json)
{
    size_t i;

    if (count == capacity) return count;
    for (i = 0; i < count; i++)
        if (elelem_str_is(patches[i].match_key, key) && elelem_str_equal(patches[i].match_value, json)) return count;
    patches[count].match_key = patches[count].remove_key = elelem_str_of(key);
    patches[count].match_value = json;
    return count + 1;
}

/* Reads the request for the second time: makes patches for the surest candidates only. */
ELS_PRIVATE size_t els_search_values(const els_search *s, elelem_str request, elelem_patch *patches, size_t capacity)
{
    els_request reading;
    elelem_fragment fragment;
    elelem_str json = els_str(NULL, 0);
    size_t count = 0;
    int best = ELS_SURE_SOME;
    const elelem_recovery_path *path;

    els_search_open(s, &reading, request);
    while ((path = els_search_next(s, &reading, &fragment, &json)) != NULL) {
        int sure;
        if (fragment.kind != ELELEM_FRAGMENT_DONE || !els_is_candidate(s, path, json)) continue;
        sure = els_search_sure(s, fragment.path, json);
        if (sure > best) count = 0;
        if (sure < best) continue;
        best = sure;
        count = els_search_add(patches, count, capacity, path->key, json);
    }
    return count;
}

/* Finds the patches for the rejection that the message reports. */
ELS_PRIVATE size_t els_recovery_search(const elelem_recovery_path *paths, size_t path_count, elelem_str message,
                                       elelem_str request, elelem_patch *patches, size_t capacity)
{
    const els_rejection_words *rejection = els_rejection_in(message);
    els_search search;

    if (!rejection || !request.data) return 0;
    search.paths = paths;
    search.path_count = path_count;
    search.rejection = rejection->rejection;
    els_search_name(&search, message, els_find_end(message, rejection->words));
    search.slot = els_number_after(message, "messages.");
    search.block = els_number_after(message, ".content.");
    search.turn = -1;
    els_search_turns(&search, request);
    return els_search_values(&search, request, patches, capacity);
}

size_t elelem_recovery_find(const elelem_shape *shape, const elelem_failure *error, elelem_str request,
                            elelem_patch *patches, size_t capacity)
{
    elelem_str report;

    if (!shape || !error || error->kind != ELELEM_ERROR_KIND_RECOVERABLE) return 0;
    report = els_rejection_in(error->message) ? error->message : error->code;
    return els_recovery_search(shape->recovery, shape->recovery_count, report, request, patches, capacity);
}

#endif
