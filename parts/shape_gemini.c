#ifndef ELS_SHAPE_GEMINI_C
#define ELS_SHAPE_GEMINI_C
#include "shape_gemini.h"
#include "base.c"
#include "text.h"
#include "recovery.h"

/* >> shape_gemini */

#ifndef ELELEM_NO_GEMINI

/* A chunk: {"candidates":[{"content":{"parts":[...]},"finishReason":...,"index":0}],"usageMetadata":{...}}
   WANT is what is wanted of a part, and MORE of members of the content that no row names. RESPONSE and CANDIDATE_INFO are the
   parents of what is read only if provider items are wanted; else they are one that is never looked into. */
#define ELS_GEMINI_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, WANT, MORE, RESPONSE, CANDIDATE_INFO) \
    MEMBER(P, CANDIDATES, ROOT, "candidates", NOTHING)                     \
    MEMBER(P, FEEDBACK, ROOT, "promptFeedback", WHOLE)                     \
    MEMBER(P, USAGE, ROOT, "usageMetadata", WHOLE)                         \
    MEMBER(P, ERROR, ROOT, "error", WHOLE)                                 \
    MEMBER(P, RESPONSE_ID, RESPONSE, "responseId", SOME)                   \
    MEMBER(P, MODEL_VERSION, RESPONSE, "modelVersion", SOME)               \
    MEMBER(P, CREATE_TIME, RESPONSE, "createTime", SOME)                   \
    MEMBER(P, TURN_TOKEN, RESPONSE, "turnToken", SOME)                     \
    MEMBER(P, MODEL_STATUS, RESPONSE, "modelStatus", SOME)                 \
    REST(P, ROOT_REST, RESPONSE, SOME)                                     \
    ELEMENTS(P, CANDIDATE, CANDIDATES, NOTHING)                            \
    MEMBER(P, INDEX, CANDIDATE, "index", WHOLE)                            \
    MEMBER(P, FINISH_REASON, CANDIDATE, "finishReason", WHOLE)             \
    MEMBER(P, FINISH_MESSAGE, CANDIDATE, "finishMessage", WHOLE)           \
    MEMBER(P, GROUNDING, CANDIDATE, "groundingMetadata", WHOLE)            \
    MEMBER(P, URLS, CANDIDATE, "urlContextMetadata", WHOLE)                \
    MEMBER(P, CITATIONS, CANDIDATE, "citationMetadata", WHOLE)             \
    MEMBER(P, CONTENT, CANDIDATE, "content", NOTHING)                      \
    MEMBER(P, RATINGS, CANDIDATE_INFO, "safetyRatings", WHOLE)             \
    MEMBER(P, AVERAGE, CANDIDATE_INFO, "avgLogprobs", WHOLE)               \
    MEMBER(P, LOGPROBS, CANDIDATE_INFO, "logprobsResult", WHOLE)           \
    MEMBER(P, TOKEN_COUNT, CANDIDATE_INFO, "tokenCount", WHOLE)            \
    MEMBER(P, CONTINUATION, CANDIDATE_INFO, "continuationToken", WHOLE)    \
    REST(P, CANDIDATE_REST, CANDIDATE_INFO, SOME)                          \
    MEMBER(P, PARTS, CONTENT, "parts", NOTHING)                            \
    MEMBER(P, ROLE, CONTENT, "role", SKIP)                                 \
    REST(P, CONTENT_REST, CONTENT, MORE)                                   \
    ELEMENTS(P, PART, PARTS, WANT)                                         \
    MEMBER(P, TEXT, PART, "text", WHOLE)                                   \
    MEMBER(P, THOUGHT, PART, "thought", WHOLE)                             \
    MEMBER(P, SIGNATURE, PART, "thoughtSignature", WHOLE)                  \
    MEMBER(P, FUNCTION_CALL, PART, "functionCall", WHOLE)                  \
    MEMBER(P, FUNCTION_RESPONSE, PART, "functionResponse", NOTHING)        \
    MEMBER(P, FUNCTION_RESPONSE_NAME, FUNCTION_RESPONSE, "name", WHOLE)

#define ELS_GEMINI_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_GEMINI_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, NOTHING, SKIP, USAGE, INDEX)
#define ELS_GEMINI_ITEM_PATHS(P, MEMBER, ELEMENTS, REST) \
    ELS_GEMINI_PATHS_WANTING(P, MEMBER, ELEMENTS, REST, WHOLE, SOME, ROOT, CANDIDATE)

ELELEM_SHAPE_PATHS_WITH_REST(ELS_GEMINI_PATHS, ELS_GEMINI_, els_gemini_paths);
ELELEM_SHAPE_MORE_PATHS_WITH_REST(ELS_GEMINI_ITEM_PATHS, ELS_GEMINI_, els_gemini_item_paths);

/* Keys of the items of a choice: its text, the call that is being written, and a provider item. */
enum { ELS_GEMINI_TEXT_KEY, ELS_GEMINI_CALL_KEY, ELS_GEMINI_ITEM_KEY };

/* State of the stream. A part that passes does so while its chunk arrives, after the parts before it were emitted; the
   rest of the chunk is worked on when it is whole. */
typedef struct els_gemini_stream {
    elelem_value candidate; /* of the chunk at hand: the candidate with the part that passed last; or none */
    elelem_value passed;    /* that part */
    uint32_t choice;        /* of that candidate, as far as it is known */
    uint32_t passing;       /* the item of that part while it is open, + 1; 0: none */
    uint32_t rest;          /* a hash of the members of a chunk that no row names, as they were emitted last; 0: none */
    uint8_t has_token;      /* a token to continue the first choice with came */
    uint8_t has_others;     /* a candidate of another choice than the first came */
    uint8_t is_bad;         /* a part before one that passed was not what the shape sends */
} els_gemini_stream;

/* State of a choice. */
typedef struct els_gemini_choice {
    uint32_t unresolved; /* calls that the provider did not run itself */
    uint32_t rest;       /* the same hash, of the candidate and its content */
    int has_stopped;     /* its reason is STOP */
} els_gemini_choice;

/* State of an item. Of a call with partial arguments the levels that are open are kept, see els_gemini_level. */
typedef struct els_gemini_item {
    uint32_t last_level;  /* where the innermost of them begins */
    uint8_t is_signed;    /* a text: it has what belongs to a whole part, so nothing may be added */
    uint8_t is_whole;     /* a call: its arguments came whole */
    uint8_t is_in_string; /* a call: the string that was written last is open */
    uint8_t had_pieces;   /* a call: some of its arguments came in pieces */
} els_gemini_item;

static els_gemini_stream *els_gemini_stream_of(const elelem_shape_context *c)
{
    return (els_gemini_stream *)elelem_shape_stream_state(c);
}

static elelem_value els_gemini_call(const elelem_shape_context *c)
{
    return elelem_shape_field(c, ELS_GEMINI_FUNCTION_CALL);
}

static els_gemini_item *els_gemini_state(const elelem_shape_item *item)
{
    return (els_gemini_item *)elelem_shape_item_state(item);
}

static int els_gemini_is_true(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_BOOL && elelem_str_is(elelem_value_text(value), "true");
}

/* Nonzero if a call or a string continues: what is neither missing nor null nor false is taken for true, because what
   has ended cannot continue, but what continues is ended by whatever follows. */
static int els_gemini_continues(elelem_value holder)
{
    elelem_value value = elelem_value_get(holder, "willContinue");

    return elelem_shape_is_value(value) && !(elelem_value_type(value) == ELELEM_TYPE_BOOL && !els_gemini_is_true(value));
}

static int els_gemini_has_members(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_OBJECT &&
           elelem_value_type(elelem_value_first(value)) != ELELEM_TYPE_NONE;
}

/* What a part is. */

static int els_gemini_is_among(elelem_str word, const char *const *words)
{
    for (; *words; words++)
        if (elelem_str_is(word, *words)) return 1;
    return 0;
}

/* Members that do not say what a part is: those that are read here, and what accompanies the one that does. */
static const char *const els_gemini_companions[] = { "text",          "functionCall",    "thought",
                                                     "thoughtSignature", "partMetadata", "speechMetadata",
                                                     "videoMetadata", "mediaResolution", "mediaProcessing",
                                                     "audioTranscription", NULL };

/* Nonzero if the member of the part at hand is null or read here. */
static int els_gemini_is_read(const elelem_shape_context *c, elelem_value member)
{
    return elelem_shape_is_same(member, elelem_shape_field(c, ELS_GEMINI_TEXT)) ||
           elelem_shape_is_same(member, elelem_shape_field(c, ELS_GEMINI_FUNCTION_CALL)) ||
           elelem_shape_is_same(member, elelem_shape_field(c, ELS_GEMINI_SIGNATURE)) ||
           elelem_shape_is_same(member, elelem_shape_field(c, ELS_GEMINI_THOUGHT)) || !elelem_shape_is_value(member);
}

/* This member of the part at hand, or the next one that is not read here; none if there is none. */
static elelem_value els_gemini_unread(const elelem_shape_context *c, elelem_value member)
{
    while (elelem_shape_is_there(member) && els_gemini_is_read(c, member))
        member = elelem_value_next(member);
    return member;
}

/* The member that says what the part at hand is, if it is neither a text nor a call; none if it is nothing but a signature. */
static elelem_value els_gemini_content(const elelem_shape_context *c, elelem_value part)
{
    elelem_value first = els_gemini_unread(c, elelem_value_first(part)), member = first;

    while (elelem_shape_is_there(member) && els_gemini_is_among(elelem_value_key(member), els_gemini_companions))
        member = els_gemini_unread(c, elelem_value_next(member));
    return elelem_shape_is_there(member) ? member : first;
}

/* Nonzero if the part at hand has members that are not read here. */
static int els_gemini_has_others(const elelem_shape_context *c, elelem_value part)
{
    return elelem_shape_wants_items(c) && elelem_shape_is_there(els_gemini_unread(c, elelem_value_first(part)));
}

/* Nonzero if it has more than its text or call. */
static int els_gemini_has_more(const elelem_shape_context *c, elelem_value part)
{
    return elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_SIGNATURE)).size > 0 || els_gemini_has_others(c, part);
}

/* Adds that as metadata: the signature, and other members under the wire's own names. */
static void els_gemini_add_more(elelem_shape_context *c, elelem_value part)
{
    elelem_str signature = elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_SIGNATURE));
    elelem_value member;

    if (signature.size > 0) elelem_shape_metadata_text(c, "thought_signature", signature);
    if (!elelem_shape_wants_items(c)) return;
    member = els_gemini_unread(c, elelem_value_first(part));
    for (; elelem_shape_is_there(member); member = els_gemini_unread(c, elelem_value_next(member))) {
        elelem_writer_value(elelem_shape_write(c), member);
        elelem_shape_metadata_written(c, elelem_value_key(member));
    }
}

/* Text. */

/* The open text item of this kind to which the part may be added, or a new one. */
static uint32_t els_gemini_text_item(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, elelem_value part)
{
    uint32_t index = elelem_shape_item_continue(c, choice, kind, ELS_GEMINI_TEXT_KEY);
    const elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (!item || !item->had_part || !(els_gemini_state(item)->is_signed || els_gemini_has_others(c, part))) return index;
    elelem_shape_flush(c, index);
    return elelem_shape_item_open(c, choice, kind, ELS_GEMINI_TEXT_KEY);
}

/* A text that is empty, or a part that has none, counts only for what else it has. */
static void els_gemini_text(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_str text = elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_TEXT));
    int is_thought = els_gemini_is_true(elelem_shape_field(c, ELS_GEMINI_THOUGHT));
    int has_more = els_gemini_has_more(c, part);
    const elelem_shape_item *item;
    uint32_t index;

    if (text.size == 0 && !has_more) return;
    index = els_gemini_text_item(c, choice, is_thought ? ELELEM_PART_REASONING : elelem_shape_message_kind(c), part);
    if (has_more) els_gemini_add_more(c, part);
    elelem_shape_text(c, index, text);
    item = elelem_shape_item_at(c, index);
    if (has_more && item) els_gemini_state(item)->is_signed = 1;
}

/* Provider items. */

/* Nonzero if the provider ran what a part with this member is about. */
static int els_gemini_is_hosted(elelem_str type)
{
    static const char *const types[] = { "executableCode", "codeExecutionResult", "toolCall", "toolResponse", "functionResponse",
                                         NULL };

    return els_gemini_is_among(type, types);
}

/* What a tool is asked: the first of its arguments, a text or a list of texts. */
static void els_gemini_caption_of_call(elelem_shape_context *c, uint32_t index, elelem_str type, elelem_value argument)
{
    elelem_value text = elelem_value_type(argument) == ELELEM_TYPE_ARRAY ? elelem_value_first(argument) : argument;
    int is_list = !elelem_shape_is_same(text, argument);

    elelem_shape_provider_caption(c, index, type, elelem_shape_string(text));
    if (!is_list) return;
    for (text = elelem_value_next(text); elelem_shape_is_there(text); text = elelem_value_next(text)) {
        elelem_shape_provider_caption(c, index, type, elelem_str_of(", "));
        elelem_shape_provider_caption(c, index, type, elelem_shape_string(text));
    }
}

/* What can be shown: the code, what it printed, or what a tool is asked. */
static void els_gemini_caption(elelem_shape_context *c, uint32_t index, elelem_value content)
{
    elelem_str type = elelem_value_key(content);

    if (elelem_str_is(type, "executableCode"))
        elelem_shape_provider_caption(c, index, type, elelem_shape_string_in(content, "code"));
    else if (elelem_str_is(type, "codeExecutionResult"))
        elelem_shape_provider_caption(c, index, type, elelem_shape_string_in(content, "output"));
    else if (elelem_str_is(type, "toolCall"))
        els_gemini_caption_of_call(c, index, type, elelem_value_first(elelem_value_get(content, "args")));
}

/* Opens an item for a part of this type, which ends the text before it. */
static uint32_t els_gemini_open_item(elelem_shape_context *c, uint32_t choice, elelem_str type)
{
    uint32_t text = elelem_shape_item_text(c, choice);
    uint32_t index;
    elelem_shape_item *item;

    if (text != ELELEM_NO_INDEX) elelem_shape_flush(c, text);
    index = elelem_shape_item_open(c, choice, ELELEM_PART_PROVIDER_ITEM, ELS_GEMINI_ITEM_KEY);
    item = elelem_shape_item_at(c, index);
    if (item) item->hosted = (uint8_t)els_gemini_is_hosted(type);
    return index;
}

/* A part that is neither a text nor a call is an item as it is. */
static void els_gemini_item_part(elelem_shape_context *c, uint32_t choice, elelem_value part, elelem_value content)
{
    elelem_str type = elelem_value_key(content);
    uint32_t index = els_gemini_open_item(c, choice, type);

    elelem_shape_provider_value(c, index, type, part);
    els_gemini_caption(c, index, content);
    elelem_shape_flush(c, index);
}

/* Arguments in pieces, each with the path of its value. Of the
   call that is open is kept how far that text is: a level for each container that is open, from the root on, with the
   member that was written last in it. A path may continue in an open container with a member that it does not have yet, so
   of an object's members a hash each is kept. */

static void els_gemini_put(elelem_shape_context *c, const char *json)
{
    elelem_shape_write_raw(c, elelem_str_of(json));
}

static elelem_str els_gemini_after(elelem_str text, size_t size)
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

static int els_gemini_digit(char byte)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *digit = (const char *)memchr(digits, byte, sizeof digits - 1);

    if (!digit) return -1;
    return (int)(digit - digits) < 16 ? (int)(digit - digits) : (int)(digit - digits) - 6;
}

/* Returns the value of four hexadecimal digits, or -1. */
static int32_t els_gemini_unit(elelem_str text)
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
static uint32_t els_gemini_take_unit(elelem_str *text)
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
static uint32_t els_gemini_take_escape(elelem_str *text)
{
    static const char names[] = "bfnrt", characters[] = "\b\f\n\r\t";
    char escape = text->data[1];
    const char *name = (const char *)memchr(names, escape, 5);

    if (escape == 'u') return els_gemini_take_unit(text);
    *text = els_gemini_after(*text, 2);
    return (unsigned char)(name ? characters[name - names] : escape);
}

/* Returns a hash of the name, however its characters are written. */
static uint64_t els_gemini_hash(const els_gemini_segment *segment)
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
static size_t els_gemini_escape_size(elelem_str text)
{
    if (text.size < 2 || !memchr("\"\\/bfnrtu'", text.data[1], 10)) return 0;
    if (text.data[1] != 'u') return 2;
    return els_gemini_unit(els_gemini_after(text, 2)) < 0 ? 0 : 6;
}

/* Reads a name in quotes, and the bracket after it. Returns 0 if that is none. */
static int els_gemini_read_quoted(elelem_str *path, els_gemini_segment *segment)
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
static int els_gemini_read_index(elelem_str *path, els_gemini_segment *segment)
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

static int els_gemini_read_name(elelem_str *path, els_gemini_segment *segment)
{
    size_t size = 0;

    while (size < path->size && path->data[size] != '.' && path->data[size] != '[')
        size++;
    segment->name = els_str(path->data, size);
    *path = els_gemini_after(*path, size);
    return size > 0;
}

/* Reads the next segment of a path. Returns 0 if there is none. */
static int els_gemini_read_segment(elelem_str *path, els_gemini_segment *segment)
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
static void els_gemini_put_name(elelem_shape_context *c, const els_gemini_segment *segment)
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

static int els_gemini_is_array(const els_gemini_level *level)
{
    return (int)(level->before & 1);
}

/* The level that begins at `at`, of a call that has one there. */
static els_gemini_level *els_gemini_level_at(const elelem_shape_context *c, const elelem_shape_item *item, size_t at)
{
    return (els_gemini_level *)(void *)(elelem_shape_kept(c, item).data + at);
}

static size_t els_gemini_levels_size(const elelem_shape_context *c, const elelem_shape_item *item)
{
    return elelem_shape_kept(c, item).size;
}

static uint64_t *els_gemini_hashes(els_gemini_level *level)
{
    return (uint64_t *)(void *)(level + 1);
}

static size_t els_gemini_level_size(const els_gemini_level *level)
{
    return sizeof *level + level->count * sizeof(uint64_t);
}

/* Hashes are looked up in runs that are sorted: one of 2^n for each bit n that their number has, the longest first. */

static int els_gemini_is_in_run(const uint64_t *run, uint32_t size, uint64_t hash)
{
    uint32_t low = 0;

    for (; size > 1; size -= size / 2)
        if (run[low + size / 2] <= hash) low += size / 2;
    return run[low] == hash;
}

static int els_gemini_has_member(els_gemini_level *level, uint64_t hash)
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
static void els_gemini_sink(uint64_t *heap, uint32_t size, uint32_t at)
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

static void els_gemini_sort(uint64_t *run, uint32_t size)
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
static els_gemini_level *els_gemini_keep_level(elelem_shape_context *c, elelem_shape_item *item, size_t at, size_t size)
{
    char *levels = (char *)elelem_shape_kept_resize(c, item->index, els_sum(at, size));

    return levels ? (els_gemini_level *)(void *)(levels + at) : NULL;
}

/* Writes a new member of the container that is open at this level, which is the last. Returns 0 if it has that, or if an
   array's index is not the next. */
static int els_gemini_add_member(elelem_shape_context *c, elelem_shape_item *item, size_t at, const els_gemini_segment *segment)
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
static int els_gemini_open_container(elelem_shape_context *c, elelem_shape_item *item, size_t at,
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
static void els_gemini_close_levels(elelem_shape_context *c, elelem_shape_item *item, size_t at)
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

static void els_gemini_end_string(elelem_shape_context *c, elelem_shape_item *item)
{
    if (els_gemini_state(item)->is_in_string) els_gemini_put(c, "\"");
    els_gemini_state(item)->is_in_string = 0;
}

/* Goes from the value written last to a new member of the container at this level. Returns 0 if that cannot be. */
static int els_gemini_leave(elelem_shape_context *c, elelem_shape_item *item, size_t at, const els_gemini_segment *segment)
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
static int els_gemini_go(elelem_shape_context *c, elelem_shape_item *item, els_gemini_way *way, const els_gemini_segment *segment)
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

/* The value of a piece; none if it has none of these. A nullValue is null of whatever type it is. */
static elelem_value els_gemini_piece_value(elelem_value piece)
{
    elelem_value value = elelem_value_get(piece, "stringValue");

    if (elelem_value_type(value) == ELELEM_TYPE_STRING) return value;
    value = elelem_value_get(piece, "numberValue");
    if (elelem_value_type(value) == ELELEM_TYPE_NUMBER) return value;
    value = elelem_value_get(piece, "boolValue");
    if (elelem_value_type(value) == ELELEM_TYPE_BOOL) return value;
    return elelem_value_get(piece, "nullValue");
}

/* A string continues if `is_same`, else it begins. */
static void els_gemini_put_string(elelem_shape_context *c, elelem_shape_item *item, elelem_value value, int is_same)
{
    elelem_writer *writer = elelem_shape_write_on(c);

    if (!is_same) elelem_writer_string_begin(writer);
    elelem_writer_string_piece(writer, elelem_value_text(value));
    els_gemini_state(item)->is_in_string = 1;
    if (!els_gemini_continues(elelem_value_parent(value))) els_gemini_end_string(c, item);
}

/* Goes to the place that the piece names. Returns 0 if it does not fit after those before it. */
static int els_gemini_find_way(elelem_shape_context *c, elelem_shape_item *item, elelem_str path, els_gemini_way *way)
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
static int els_gemini_piece(elelem_shape_context *c, elelem_shape_item *item, elelem_value piece)
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
    else elelem_shape_write_raw(c, elelem_value_text(value));
    return 1;
}

static const elelem_shape_word els_gemini_reasons[] = {
    { "STOP", ELELEM_FINISH_COMPLETED },
    { "MAX_TOKENS", ELELEM_FINISH_MAX_TOKENS },
    { "CONTINUATION", ELELEM_FINISH_CONTINUE },
    { "SAFETY", ELELEM_FINISH_CONTENT_FILTER },
    { "RECITATION", ELELEM_FINISH_CONTENT_FILTER },
    { "BLOCKLIST", ELELEM_FINISH_CONTENT_FILTER },
    { "PROHIBITED_CONTENT", ELELEM_FINISH_CONTENT_FILTER },
    { "SPII", ELELEM_FINISH_CONTENT_FILTER },
    { "LANGUAGE", ELELEM_FINISH_CONTENT_FILTER },
    { "IMAGE_SAFETY", ELELEM_FINISH_CONTENT_FILTER },
    { "IMAGE_PROHIBITED_CONTENT", ELELEM_FINISH_CONTENT_FILTER },
    { "IMAGE_RECITATION", ELELEM_FINISH_CONTENT_FILTER },
};

static elelem_str els_gemini_raw_reason(const elelem_shape_context *c)
{
    elelem_str raw = elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_FINISH_REASON));

    return elelem_str_is(raw, "FINISH_REASON_UNSPECIFIED") ? els_str(NULL, 0) : raw;
}

static elelem_finish_reason els_gemini_reason(const elelem_shape_context *c)
{
    return elelem_shape_reason_of(els_gemini_reasons, ELS_COUNT(els_gemini_reasons), els_gemini_raw_reason(c));
}

/* Nonzero if the candidate says that the model has ended its response. */
static int els_gemini_is_ended(const elelem_shape_context *c)
{
    return elelem_shape_ending_of(els_gemini_reason(c)) == ELELEM_SHAPE_ENDED;
}

/* Calls. */

/* The call of the choice that is being written; null if there is none. */
static elelem_shape_item *els_gemini_open_call(const elelem_shape_context *c, uint32_t choice)
{
    return elelem_shape_item_at(c, elelem_shape_item_find(c, choice, ELELEM_PART_TOOL_CALL, ELS_GEMINI_CALL_KEY));
}

/* Closes what is open in a call's arguments. */
static void els_gemini_close_arguments(elelem_shape_context *c, elelem_shape_item *item)
{
    if (!els_gemini_state(item)->had_pieces) return;
    elelem_shape_write(c);
    els_gemini_end_string(c, item);
    els_gemini_close_levels(c, item, 0);
    elelem_shape_tool_arguments_written(c, item->index);
}

/* Nonzero if the call has a name that is no text, or an empty one: the pieces next to it still belong to a call. */
static int els_gemini_has_odd_name(elelem_value call)
{
    return elelem_shape_is_value(elelem_value_get(call, "name")) && elelem_shape_is_there(elelem_value_first(elelem_value_get(call, "partialArgs")));
}

/* A name begins a call, unless the call that is open repeats it with its id; so do arguments if
   none is open. */
static int els_gemini_begins_call(const elelem_shape_context *c, const elelem_shape_item *open)
{
    elelem_value call = els_gemini_call(c);
    elelem_str id = elelem_shape_string_in(call, "id");
    elelem_str name = elelem_shape_string_in(call, "name");

    if (!open) return name.size > 0 || els_gemini_has_members(elelem_value_get(call, "args")) || els_gemini_has_odd_name(call);
    if (name.size == 0) return 0;
    return id.size == 0 || !elelem_shape_item_may_be(c, open->index, id);
}

/* What STOP means, also if it came before: that calls wait for the caller, or that all is done. */
static void els_gemini_read_stop(elelem_shape_context *c, uint32_t choice)
{
    const els_gemini_choice *state = (const els_gemini_choice *)elelem_shape_choice_state(c, choice);

    if (!state || !state->has_stopped) return;
    elelem_shape_reason(c, choice, state->unresolved > 0 ? ELELEM_FINISH_TOOL_CALLS : ELELEM_FINISH_COMPLETED,
                        els_str(NULL, 0), 1);
}

/* The provider has run one of its calls, and sends what came of it. */
static void els_gemini_response(elelem_shape_context *c, uint32_t choice)
{
    els_gemini_choice *state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);

    if (elelem_value_type(elelem_shape_field(c, ELS_GEMINI_FUNCTION_RESPONSE)) != ELELEM_TYPE_OBJECT) return;
    if (!state || state->unresolved == 0) return;
    state->unresolved--;
    els_gemini_read_stop(c, choice);
}

static void els_gemini_begin_call(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_value call = els_gemini_call(c);
    elelem_value args = elelem_value_get(call, "args");
    elelem_str id = elelem_shape_string_in(call, "id");
    elelem_str name = elelem_shape_string_in(call, "name");
    uint32_t index = elelem_shape_item_open(c, choice, ELELEM_PART_TOOL_CALL, ELS_GEMINI_CALL_KEY);
    els_gemini_choice *state;

    if (index == ELELEM_NO_INDEX) return;
    els_gemini_add_more(c, part);
    if (id.size > 0) elelem_shape_tool_start(c, index, id, name);
    else elelem_shape_tool_start_unnamed(c, index, name);
    state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->unresolved++;
    els_gemini_read_stop(c, choice);
    if (!els_gemini_has_members(args)) return;
    elelem_shape_tool_arguments_value(c, index, args);
    els_gemini_state(elelem_shape_item_at(c, index))->is_whole = 1;
}

/* A call that does not say that it continues is over. One without any `args` may have been stopped before them, unless
   the reason next to it says otherwise; if they are an empty object, that is all. */
static void els_gemini_close_call(elelem_shape_context *c, elelem_shape_item *item)
{
    elelem_value args = elelem_value_get(els_gemini_call(c), "args");

    els_gemini_close_arguments(c, item);
    if (els_gemini_is_ended(c) || elelem_value_type(args) == ELELEM_TYPE_OBJECT)
        elelem_shape_flush(c, item->index);
    else
        elelem_shape_item_close(c, item->index);
}

/* Another call ends one that said it would continue. */
static void els_gemini_leave_call(elelem_shape_context *c, elelem_shape_item *item)
{
    els_gemini_close_arguments(c, item);
    elelem_shape_item_expect(c, item->index, 0);
    elelem_shape_flush(c, item->index);
}

/* Pieces next to or after whole arguments say nothing new. A call that says it continues and does not is cut
   off, whatever the reason, and its arguments stay open; of one that has none, or had them whole, that must be
   said. */
static elelem_status els_gemini_pieces(elelem_shape_context *c, uint32_t choice)
{
    elelem_shape_item *item = els_gemini_open_call(c, choice);
    elelem_value call = els_gemini_call(c);
    elelem_value piece = elelem_value_first(elelem_value_get(call, "partialArgs"));
    int continues = els_gemini_continues(call);

    if (!item) return ELELEM_OK;
    elelem_shape_write(c);
    for (; elelem_shape_is_there(piece) && !els_gemini_state(item)->is_whole; piece = elelem_value_next(piece))
        if (!els_gemini_piece(c, item, piece)) return ELELEM_ERROR_PROTOCOL;
    elelem_shape_tool_arguments_written(c, item->index);
    elelem_shape_item_expect(c, item->index, continues && !els_gemini_state(item)->had_pieces);
    if (!continues) els_gemini_close_call(c, item);
    return ELELEM_OK;
}

/* A part that is a call, or continues one. Pieces for no call would be lost. */
static elelem_status els_gemini_call_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_shape_item *open = els_gemini_open_call(c, choice);
    elelem_value pieces = elelem_value_get(els_gemini_call(c), "partialArgs");
    uint32_t text;

    if (els_gemini_begins_call(c, open)) {
        if (open) els_gemini_leave_call(c, open);
        text = elelem_shape_item_text(c, choice);
        if (text != ELELEM_NO_INDEX) elelem_shape_flush(c, text);
        els_gemini_begin_call(c, choice, part);
    } else if (!open) {
        return elelem_shape_is_there(elelem_value_first(pieces)) ? ELELEM_ERROR_PROTOCOL : ELELEM_OK;
    } else if (els_gemini_has_more(c, part)) {
        els_gemini_add_more(c, part);
        elelem_shape_tool_start(c, open->index, els_str(NULL, 0), els_str(NULL, 0));
    }
    return els_gemini_pieces(c, choice);
}

/* Nonzero if the candidate says that the model has ended a call that came before: by its reason, or by what comes next. */
static int els_gemini_has_moved_on(const elelem_shape_context *c, elelem_value content)
{
    elelem_value call = els_gemini_call(c);

    return els_gemini_is_ended(c) || elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_TEXT)).size > 0 ||
           elelem_shape_is_there(content) || elelem_shape_string_in(call, "name").size > 0 ||
           els_gemini_has_members(elelem_value_get(call, "args"));
}

/* One part; after the last, one that is no value. */
static elelem_status els_gemini_part(elelem_shape_context *c, uint32_t choice, elelem_value part)
{
    elelem_value content = ELELEM_INIT;
    int is_call, is_text;

    elelem_shape_fields_find(c, part, ELS_GEMINI_TEXT, ELS_GEMINI_FUNCTION_RESPONSE, ELS_GEMINI_TEXT);
    is_call = elelem_value_type(els_gemini_call(c)) == ELELEM_TYPE_OBJECT;
    is_text = elelem_value_type(elelem_shape_field(c, ELS_GEMINI_TEXT)) == ELELEM_TYPE_STRING;
    if (!is_call && !is_text) content = els_gemini_content(c, part);
    if (els_gemini_has_moved_on(c, content)) elelem_shape_release(c, choice);
    els_gemini_response(c, choice);
    if (is_call) return els_gemini_call_part(c, choice, part);
    if (is_text) els_gemini_text(c, choice, part);
    if (is_text || !elelem_shape_wants_items(c)) return ELELEM_OK;
    if (elelem_shape_is_there(content)) els_gemini_item_part(c, choice, part, content);
    else els_gemini_text(c, choice, part);
    return ELELEM_OK;
}

/* Metadata of a candidate. */

/* The entries have one name at Google's API and another at Vertex. */
static void els_gemini_citations(elelem_shape_context *c, elelem_value metadata)
{
    elelem_value entries = elelem_value_get(metadata, "citationSources");

    if (elelem_value_type(entries) != ELELEM_TYPE_ARRAY) entries = elelem_value_get(metadata, "citations");
    if (elelem_value_type(entries) == ELELEM_TYPE_ARRAY && elelem_value_type(elelem_value_first(entries)) != ELELEM_TYPE_NONE)
        elelem_shape_metadata_value(c, "citations", entries);
}

static void els_gemini_member_metadata(elelem_shape_context *c, unsigned row, const char *key)
{
    if (els_gemini_has_members(elelem_shape_field(c, row))) elelem_shape_metadata_value(c, key, elelem_shape_field(c, row));
}

/* It goes on the open message, or on a new one, which is over at once if it would come between the
   pieces of another text. */
static void els_gemini_metadata(elelem_shape_context *c, uint32_t choice)
{
    elelem_part_kind kind = elelem_shape_message_kind(c);
    uint32_t index = elelem_shape_item_find(c, choice, kind, ELS_GEMINI_TEXT_KEY);
    uint32_t other = elelem_shape_item_text(c, choice);
    int is_new = index == ELELEM_NO_INDEX;

    els_gemini_citations(c, elelem_shape_field(c, ELS_GEMINI_CITATIONS));
    els_gemini_member_metadata(c, ELS_GEMINI_GROUNDING, "grounding_metadata");
    els_gemini_member_metadata(c, ELS_GEMINI_URLS, "url_context_metadata");
    if (!elelem_shape_has_metadata(c)) return;
    if (is_new) index = elelem_shape_item_open(c, choice, kind, ELS_GEMINI_TEXT_KEY);
    elelem_shape_text(c, index, els_str(NULL, 0));
    if (is_new && other != ELELEM_NO_INDEX) elelem_shape_flush(c, index);
}

static const char *const els_gemini_candidate_keys[] = { "safety_ratings", "avg_logprobs", "logprobs_result", "token_count",
                                                         "continuation_token" };

/* Members that no row names. They may come with every chunk, and are emitted when they are new. */

static elelem_status els_gemini_hash_bytes(void *context, const void *bytes, size_t size)
{
    uint64_t *hash = (uint64_t *)context;

    *hash = elelem_shape_hash_more(*hash, els_str(bytes, size));
    return ELELEM_OK;
}

/* Adds those that the row matches to a hash. Returns the hash. */
static uint64_t els_gemini_hash_rest(const elelem_shape_context *c, uint64_t hash, elelem_value object, unsigned row)
{
    elelem_value member = elelem_shape_row_first(c, object, row);
    elelem_writer writer;
    elelem_sink sink;

    sink.write = els_gemini_hash_bytes;
    sink.context = &hash;
    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row)) {
        hash = elelem_shape_hash_more(hash, elelem_value_key(member));
        elelem_writer_init(&writer, sink, 0);
        elelem_writer_value(&writer, member);
    }
    return hash;
}

/* Nonzero if the hash is another than the one kept, which becomes the hash. */
static int els_gemini_is_new(uint32_t *kept, uint64_t hash)
{
    uint32_t now = hash == ELELEM_SHAPE_HASH_START ? 0 : (uint32_t)(hash ^ hash >> 32) | 1;

    if (now == 0 || now == *kept) return 0;
    *kept = now;
    return 1;
}

static void els_gemini_add_rest(elelem_shape_context *c, elelem_value object, unsigned row)
{
    elelem_value member = elelem_shape_row_first(c, object, row);

    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row)) {
        elelem_writer_value(elelem_shape_write(c), member);
        elelem_shape_metadata_written(c, elelem_value_key(member));
    }
}

/* Writes them as members. */
static void els_gemini_put_rest(const elelem_shape_context *c, elelem_writer *writer, elelem_value object, unsigned row)
{
    elelem_value member = elelem_shape_row_first(c, object, row);

    for (; elelem_shape_is_there(member); member = elelem_shape_row_next(c, member, row)) {
        elelem_writer_key(writer, elelem_value_key(member));
        elelem_writer_value(writer, member);
    }
}

/* Nonzero if the candidate at hand or its content has such members, and they are new. */
static int els_gemini_has_new_rest(elelem_shape_context *c, uint32_t choice, elelem_value candidate)
{
    els_gemini_choice *state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);
    uint64_t hash = els_gemini_hash_rest(c, ELELEM_SHAPE_HASH_START, candidate, ELS_GEMINI_CANDIDATE_REST);
    uint32_t none = 0;

    hash = els_gemini_hash_rest(c, hash, elelem_shape_field(c, ELS_GEMINI_CONTENT), ELS_GEMINI_CONTENT_REST);
    return els_gemini_is_new(state ? &state->rest : &none, hash);
}

/* What is known of the first choice. */
static void els_gemini_describe_first(elelem_shape_context *c, elelem_value candidate)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_gemini_candidate_keys); i++) {
        elelem_value value = elelem_shape_field(c, ELS_GEMINI_RATINGS + (unsigned)i);
        if (elelem_shape_is_value(value)) elelem_shape_metadata_value(c, els_gemini_candidate_keys[i], value);
    }
    if (els_gemini_has_new_rest(c, 0, candidate)) {
        els_gemini_add_rest(c, candidate, ELS_GEMINI_CANDIDATE_REST);
        els_gemini_add_rest(c, elelem_shape_field(c, ELS_GEMINI_CONTENT), ELS_GEMINI_CONTENT_REST);
    }
    elelem_shape_response(c);
}

/* Writes the field as a member, if it is there. Returns nonzero if it is. */
static int els_gemini_put_field(elelem_shape_context *c, elelem_writer *writer, unsigned row, const char *key)
{
    elelem_value value = elelem_shape_field(c, row);

    if (!elelem_shape_is_value(value)) return 0;
    elelem_writer_key(writer, elelem_str_of(key));
    elelem_writer_value(writer, value);
    return 1;
}

/* What is known of another choice: an object with its number. */
static void els_gemini_describe_other(elelem_shape_context *c, uint32_t choice, elelem_value candidate)
{
    elelem_writer *writer = elelem_shape_write(c);
    int any, has_rest = els_gemini_has_new_rest(c, choice, candidate);
    size_t i;

    elelem_writer_begin(writer, ELELEM_TYPE_OBJECT);
    elelem_writer_key(writer, elelem_str_of("index"));
    elelem_writer_uint64(writer, choice);
    any = els_gemini_put_field(c, writer, ELS_GEMINI_FINISH_REASON, "finish_reason");
    any |= els_gemini_put_field(c, writer, ELS_GEMINI_FINISH_MESSAGE, "finish_message");
    for (i = 0; i < ELS_COUNT(els_gemini_candidate_keys); i++)
        any |= els_gemini_put_field(c, writer, ELS_GEMINI_RATINGS + (unsigned)i, els_gemini_candidate_keys[i]);
    if (has_rest) {
        els_gemini_put_rest(c, writer, candidate, ELS_GEMINI_CANDIDATE_REST);
        els_gemini_put_rest(c, writer, elelem_shape_field(c, ELS_GEMINI_CONTENT), ELS_GEMINI_CONTENT_REST);
    }
    elelem_writer_end(writer, ELELEM_TYPE_OBJECT);
    if (any || has_rest) elelem_shape_metadata_written(c, elelem_str_of("candidate"));
    elelem_shape_response(c);
}

/* Nonzero if the document has what only a chunk of a response has. */
static int els_gemini_is_chunk(const elelem_shape_context *c)
{
    return elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_CANDIDATES)) ||
           elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_FEEDBACK)) ||
           elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_USAGE));
}

/* What is known of the response. It comes with every chunk, is the same in all, and is no longer read once it came. */
static void els_gemini_describe_response(elelem_shape_context *c)
{
    static const char *const keys[] = { "id", "model", "create_time", "turn_token", "model_status" };
    elelem_value root = elelem_shape_document(c);
    unsigned i;

    for (i = 0; i < ELS_COUNT(keys); i++) {
        elelem_value value = elelem_shape_field(c, ELS_GEMINI_RESPONSE_ID + i);
        if (!elelem_shape_is_value(value)) continue;
        elelem_shape_metadata_value(c, keys[i], value);
        elelem_shape_drop(c, ELS_GEMINI_RESPONSE_ID + i);
    }
    if (els_gemini_is_chunk(c) && elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_ROOT_REST)) &&
        els_gemini_is_new(&els_gemini_stream_of(c)->rest,
                          els_gemini_hash_rest(c, ELELEM_SHAPE_HASH_START, root, ELS_GEMINI_ROOT_REST)))
        els_gemini_add_rest(c, root, ELS_GEMINI_ROOT_REST);
    elelem_shape_response(c);
}

/* The end. */

/* Returns nonzero if a token to continue the choice with came: in this chunk, or of the first choice in one before. */
static int els_gemini_has_token(elelem_shape_context *c, uint32_t choice)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);
    int has_token = elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_CONTINUATION)).size > 0;

    if (choice != 0) return has_token;
    stream->has_token |= has_token != 0;
    return stream->has_token;
}

/* A reason may come with every chunk, so items stay open. FINISH_REASON_UNSPECIFIED is none. CONTINUATION comes with a token
   for the next request; without one the response cannot be continued. */
static void els_gemini_finish(elelem_shape_context *c, uint32_t choice)
{
    elelem_value message = elelem_shape_field(c, ELS_GEMINI_FINISH_MESSAGE);
    elelem_str raw = els_gemini_raw_reason(c);
    elelem_finish_reason reason;
    els_gemini_choice *state;
    int has_token = els_gemini_has_token(c, choice);

    if (raw.size == 0) return;
    reason = els_gemini_reason(c);
    if (reason == ELELEM_FINISH_CONTINUE && !has_token) reason = ELELEM_FINISH_MAX_TOKENS;
    elelem_shape_reason(c, choice, reason, raw, 1);
    state = (els_gemini_choice *)elelem_shape_choice_state(c, choice);
    if (state) state->has_stopped = reason == ELELEM_FINISH_COMPLETED;
    els_gemini_read_stop(c, choice);
    if (choice == 0 && elelem_value_type(message) == ELELEM_TYPE_STRING)
        elelem_shape_end_metadata(c, "finish_message", message);
}

/* A prompt that was blocked has no candidate, and no finish reason will come. Feedback that blocks nothing is only known. */
static void els_gemini_feedback(elelem_shape_context *c)
{
    elelem_value feedback = elelem_shape_field(c, ELS_GEMINI_FEEDBACK);
    elelem_str raw = elelem_shape_string_in(feedback, "blockReason");

    if (raw.size > 0 && !elelem_shape_has_reason(c, 0)) {
        elelem_shape_reason(c, 0, ELELEM_FINISH_CONTENT_FILTER, raw, 1);
        elelem_shape_end_metadata(c, "prompt_feedback", feedback);
    } else if (els_gemini_has_members(feedback) && elelem_shape_wants_items(c)) {
        elelem_shape_metadata_value(c, "prompt_feedback", feedback);
        elelem_shape_response(c);
    }
}

/* On every chunk. One of Vertex may have only some of the counts, or none. */
static void els_gemini_usage(elelem_shape_context *c)
{
    elelem_value raw = elelem_shape_field(c, ELS_GEMINI_USAGE);
    elelem_usage usage = elelem_shape_last_usage(c);

    if (elelem_value_type(raw) != ELELEM_TYPE_OBJECT) return;
    elelem_shape_count_to(&usage.input, raw, "promptTokenCount");
    elelem_shape_count_to(&usage.output, raw, "candidatesTokenCount");
    elelem_shape_count_to(&usage.cached, raw, "cachedContentTokenCount");
    elelem_shape_count_to(&usage.reasoning, raw, "thoughtsTokenCount");
    elelem_shape_usage(c, usage, raw);
}

/* Candidates. */

/* Looks up the members of the candidate. Returns the number of its choice, `otherwise` if it has none. */
static uint32_t els_gemini_look_at(elelem_shape_context *c, elelem_value candidate, uint32_t otherwise)
{
    elelem_shape_fields_find(c, candidate, ELS_GEMINI_INDEX, ELS_GEMINI_CONTINUATION, ELS_GEMINI_INDEX);
    return elelem_shape_number_or(elelem_shape_field(c, ELS_GEMINI_INDEX), otherwise);
}

/* The first part of the candidate that was not worked on. */
static elelem_value els_gemini_next_part(const elelem_shape_context *c, elelem_value candidate)
{
    const els_gemini_stream *stream = els_gemini_stream_of(c);

    if (elelem_shape_is_same(stream->candidate, candidate)) return elelem_value_next(stream->passed);
    return elelem_value_first(elelem_value_get(elelem_shape_field(c, ELS_GEMINI_CONTENT), "parts"));
}

/* Works on the candidate's parts before `end`, which may be none. */
static elelem_status els_gemini_parts(elelem_shape_context *c, uint32_t choice, elelem_value candidate, elelem_value end)
{
    elelem_value part = els_gemini_next_part(c, candidate);
    elelem_status status = ELELEM_OK;

    while (elelem_shape_is_there(part) && !elelem_shape_is_same(part, end) && status == ELELEM_OK && !elelem_shape_is_over(c)) {
        status = els_gemini_part(c, choice, part);
        part = elelem_value_next(part);
    }
    return status;
}

/* A candidate without a number is the first. */
static elelem_status els_gemini_candidate(elelem_shape_context *c, elelem_value candidate)
{
    const elelem_value none = ELELEM_INIT;
    uint32_t choice = els_gemini_look_at(c, candidate, 0);
    elelem_status status = els_gemini_parts(c, choice, candidate, none);

    els_gemini_stream_of(c)->has_others |= choice > 0;
    if (status == ELELEM_OK) status = els_gemini_part(c, choice, none);
    if (status != ELELEM_OK) return status;
    els_gemini_metadata(c, choice);
    if (elelem_shape_wants_items(c) && choice == 0) els_gemini_describe_first(c, candidate);
    else if (elelem_shape_wants_items(c)) els_gemini_describe_other(c, choice, candidate);
    els_gemini_finish(c, choice);
    return ELELEM_OK;
}

/* Works on the candidates before `end`, which may be none, from `first` on or from the one that was not finished. */
static elelem_status els_gemini_candidates(elelem_shape_context *c, elelem_value first, elelem_value end)
{
    const els_gemini_stream *stream = els_gemini_stream_of(c);
    elelem_value candidate = elelem_shape_is_there(stream->candidate) ? stream->candidate : first;
    elelem_status status = ELELEM_OK;

    while (elelem_shape_is_there(candidate) && !elelem_shape_is_same(candidate, end) && status == ELELEM_OK) {
        status = els_gemini_candidate(c, candidate);
        candidate = elelem_value_next(candidate);
    }
    return status;
}

/* Parts that pass. */

static void els_gemini_end_passing(elelem_shape_context *c)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);

    if (stream->passing) elelem_shape_flush(c, stream->passing - 1);
    stream->passing = 0;
}

/* Emits what came before the part that begins to pass. A candidate whose number did not come yet is taken for the choice of
   its place. */
static void els_gemini_catch_up(elelem_shape_context *c, elelem_value part)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);
    elelem_value parts = elelem_value_parent(part), candidate = elelem_value_parent(elelem_value_parent(parts));
    elelem_status status = ELELEM_OK;

    if (!elelem_shape_is_same(candidate, stream->candidate)) {
        status = els_gemini_candidates(c, elelem_value_first(elelem_value_parent(candidate)), candidate);
        stream->choice = els_gemini_look_at(c, candidate, (uint32_t)elelem_value_index(candidate));
    }
    if (status == ELELEM_OK) status = els_gemini_parts(c, stream->choice, candidate, part);
    stream->candidate = candidate;
    stream->passed = part;
    stream->is_bad |= status != ELELEM_OK;
}

/* Nonzero if the choice of the part shows only later: the number of its candidate did not come yet, and it need not be the first. */
static int els_gemini_is_early(const elelem_shape_context *c, elelem_value part)
{
    elelem_value candidate = elelem_value_parent(elelem_value_parent(elelem_value_parent(part)));
    uint32_t number;

    return els_gemini_stream_of(c)->has_others && !elelem_shape_number(elelem_value_get(candidate, "index"), &number);
}

static uint32_t els_gemini_passes(elelem_shape_context *c, elelem_value part, elelem_str type)
{
    els_gemini_stream *stream = els_gemini_stream_of(c);
    uint32_t index;

    if (els_gemini_is_early(c, part)) return ELELEM_SHAPE_STORED;
    els_gemini_end_passing(c);
    if (!stream->is_bad) els_gemini_catch_up(c, part);
    if (stream->is_bad) return ELELEM_NO_INDEX;
    elelem_shape_fields_find(c, part, ELS_GEMINI_TEXT, ELS_GEMINI_FUNCTION_RESPONSE, ELS_GEMINI_TEXT);
    elelem_shape_release(c, stream->choice);
    els_gemini_response(c, stream->choice);
    index = els_gemini_open_item(c, stream->choice, type);
    stream->passing = index + 1;
    return index;
}

/* The chunk. */

/* Nonzero if the document has what every response has: candidates, or why there are none. */
static int els_gemini_is_whole(const elelem_shape_context *c)
{
    return elelem_shape_is_there(elelem_value_get(elelem_shape_document(c), "candidates")) ||
           elelem_shape_is_there(elelem_value_get(elelem_shape_document(c), "promptFeedback"));
}

/* [DONE] is not of this wire and says nothing. */
static elelem_status els_gemini_frame(elelem_shape_context *c)
{
    const elelem_value none = ELELEM_INIT;
    els_gemini_stream *stream = els_gemini_stream_of(c);
    elelem_status status;

    if (elelem_shape_frame_kind(c) == ELELEM_SHAPE_DONE) return ELELEM_OK;
    elelem_shape_fields_find(c, elelem_shape_document(c), ELS_GEMINI_CANDIDATES, ELS_GEMINI_ROOT_REST, ELS_GEMINI_CANDIDATES);
    els_gemini_end_passing(c);
    if (stream->is_bad) return ELELEM_ERROR_PROTOCOL;
    if (elelem_shape_wants_items(c)) els_gemini_describe_response(c);
    status = els_gemini_candidates(c, elelem_value_first(elelem_shape_field(c, ELS_GEMINI_CANDIDATES)), none);
    stream->candidate = none;
    if (status != ELELEM_OK) return status;
    els_gemini_feedback(c);
    els_gemini_usage(c);
    if (elelem_shape_is_there(elelem_shape_field(c, ELS_GEMINI_ERROR)) && elelem_shape_document_error(c)) return ELELEM_OK;
    return elelem_shape_frame_kind(c) == ELELEM_SHAPE_DATA || els_gemini_is_whole(c) ? ELELEM_OK : ELELEM_ERROR_PROTOCOL;
}

/* Where a request holds what may be found stale. */
static const elelem_recovery_path els_gemini_recovery[] = {
    { "contents[*].role", NULL, ELELEM_RECOVERY_SPEAKER, 0 },
    { "contents[*].parts[*].functionResponse", NULL, ELELEM_RECOVERY_RESULT, 0 },
    { "contents[*].parts[*].thoughtSignature", "thought_signature", ELELEM_RECOVERY_VALUE, ELELEM_REJECTED_THOUGHT },
};

/* Parts with these members do not pass: they are read here. */
static const char *const els_gemini_kept[] = { "text", "functionCall", "executableCode", "codeExecutionResult", "toolCall", NULL };

/* A small part is stored, so that all of it and of its candidate is known. */
static const elelem_passage_rule els_gemini_rules[] = {
    { ELS_GEMINI_PART, 1024, NULL, els_gemini_kept, els_gemini_companions, NULL, NULL },
};

static const elelem_shape_items els_gemini_items = { els_gemini_item_paths, els_gemini_rules, ELS_COUNT(els_gemini_rules),
                                                     els_gemini_passes };

ELS_DATA const elelem_shape elelem_shape_gemini = {
    "gemini", els_gemini_paths, ELS_GEMINI_ROWS, els_gemini_frame,
    sizeof(els_gemini_item), sizeof(els_gemini_choice), sizeof(els_gemini_stream), 1, 1,
    els_gemini_recovery, ELS_COUNT(els_gemini_recovery), &els_gemini_items, 1, 0, NULL, NULL,
};

#endif

#endif
