#ifndef ELS_SHAPE_GEMINI_PART_C
#define ELS_SHAPE_GEMINI_PART_C
#include "shape_gemini_part.h"
#include "base.c"

/* >> shape_gemini_part */

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
    MEMBER(P, FUNCTION_RESPONSE, PART, "functionResponse", BEGIN)          \
    REST(P, PART_REST, PART, BEGIN)                                        \
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
    elelem_value candidate; /* of the chunk at hand: the candidate of which parts were worked on last; or none */
    elelem_value looked_at; /* of it: the candidate whose number was looked for last; or none */
    elelem_value passed;    /* of its parts that are there: the last of those, which passed; or none */
    uint32_t choice;        /* of that candidate, as far as it is known */
    uint32_t passing;       /* the item of that part while it is open, + 1; 0: none */
    uint32_t rest;          /* a hash of the members of a chunk that no row names, as they were emitted last; 0: none */
    uint8_t has_token;      /* a token to continue the first choice with came */
    uint8_t has_others;     /* a candidate of another choice than the first came */
    uint8_t is_unnumbered;  /* that candidate had no number */
    uint8_t has_numbers;    /* one came with the number of its choice */
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
    uint8_t has_id;       /* a call: its id is the provider's */
    uint8_t is_in_string; /* a call: the string that was written last is open */
    uint8_t had_pieces;   /* a call: some of its arguments came in pieces */
} els_gemini_item;

ELS_PRIVATE els_gemini_stream *els_gemini_stream_of(const elelem_shape_context *c)
{
    return (els_gemini_stream *)elelem_shape_stream_state(c);
}

ELS_PRIVATE elelem_value els_gemini_call(const elelem_shape_context *c)
{
    return elelem_shape_field(c, ELS_GEMINI_FUNCTION_CALL);
}

ELS_PRIVATE els_gemini_item *els_gemini_state(const elelem_shape_item *item)
{
    return (els_gemini_item *)elelem_shape_item_state(item);
}

ELS_PRIVATE int els_gemini_is_true(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_BOOL && elelem_str_is(elelem_value_text(value), "true");
}

/* Nonzero if a call or a string continues: what is neither missing nor null nor false is taken for true, because what
   has ended cannot continue, but what continues is ended by whatever follows. */
ELS_PRIVATE int els_gemini_continues(elelem_value holder)
{
    elelem_value value = elelem_value_get(holder, "willContinue");

    return elelem_shape_is_value(value) && !(elelem_value_type(value) == ELELEM_TYPE_BOOL && !els_gemini_is_true(value));
}

ELS_APART int els_gemini_has_members(elelem_value value)
{
    return elelem_value_type(value) == ELELEM_TYPE_OBJECT &&
           elelem_value_type(elelem_value_first(value)) != ELELEM_TYPE_NONE;
}

/* What a part is. */

ELS_PRIVATE int els_gemini_is_among(elelem_str word, const char *const *words)
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

/* Members that are large. A part passes only with one of these, which then says what it is; another that is not known may be next to a
   text or a call. */
static const char *const els_gemini_passing[] = { "inlineData", "fileData", "functionResponse", "toolResponse", NULL };

/* Nonzero if the member of the part at hand is null or read here. */
ELS_PRIVATE int els_gemini_is_read(const elelem_shape_context *c, elelem_value member)
{
    return elelem_shape_is_same(member, elelem_shape_field(c, ELS_GEMINI_TEXT)) ||
           elelem_shape_is_same(member, elelem_shape_field(c, ELS_GEMINI_FUNCTION_CALL)) ||
           elelem_shape_is_same(member, elelem_shape_field(c, ELS_GEMINI_SIGNATURE)) ||
           elelem_shape_is_same(member, elelem_shape_field(c, ELS_GEMINI_THOUGHT)) || !elelem_shape_is_value(member);
}

/* This member of the part at hand, or the next one that is not read here; none if there is none. */
ELS_PRIVATE elelem_value els_gemini_unread(const elelem_shape_context *c, elelem_value member)
{
    while (elelem_shape_is_there(member) && els_gemini_is_read(c, member))
        member = elelem_value_next(member);
    return member;
}

/* The first member of the part that is large; none if it has no such member. */
ELS_PRIVATE elelem_value els_gemini_large(elelem_value part)
{
    elelem_value member = elelem_value_first(part);

    while (elelem_shape_is_there(member) &&
           !(elelem_shape_is_value(member) && els_gemini_is_among(elelem_value_key(member), els_gemini_passing)))
        member = elelem_value_next(member);
    return member;
}

/* The member that says what the part at hand is, if it is neither a text nor a call; none if it is nothing but a signature. */
ELS_APART elelem_value els_gemini_content(const elelem_shape_context *c, elelem_value part)
{
    elelem_value first = els_gemini_unread(c, elelem_value_first(part)), member = els_gemini_large(part);

    if (elelem_shape_is_there(member)) return member;
    member = first;
    while (elelem_shape_is_there(member) && els_gemini_is_among(elelem_value_key(member), els_gemini_companions))
        member = els_gemini_unread(c, elelem_value_next(member));
    return elelem_shape_is_there(member) ? member : first;
}

/* Nonzero if the part at hand has members that are not read here. */
ELS_PRIVATE int els_gemini_has_others(const elelem_shape_context *c, elelem_value part)
{
    return elelem_shape_wants_items(c) && elelem_shape_is_there(els_gemini_unread(c, elelem_value_first(part)));
}

/* Nonzero if it has more than its text or call. */
ELS_PRIVATE int els_gemini_has_more(const elelem_shape_context *c, elelem_value part)
{
    return elelem_shape_string(elelem_shape_field(c, ELS_GEMINI_SIGNATURE)).size > 0 || els_gemini_has_others(c, part);
}

/* Adds that as metadata: the signature, and other members under the wire's own names. */
ELS_PRIVATE void els_gemini_add_more(elelem_shape_context *c, elelem_value part)
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
ELS_PRIVATE uint32_t els_gemini_text_item(elelem_shape_context *c, uint32_t choice, elelem_part_kind kind, elelem_value part)
{
    uint32_t index = elelem_shape_item_continue(c, choice, kind, ELS_GEMINI_TEXT_KEY);
    const elelem_shape_item *item = elelem_shape_item_at(c, index);

    if (!item || !item->had_part || !(els_gemini_state(item)->is_signed || els_gemini_has_others(c, part))) return index;
    elelem_shape_flush(c, index);
    return elelem_shape_item_open(c, choice, kind, ELS_GEMINI_TEXT_KEY);
}

/* A text that is empty, or a part that has none, counts only for what else it has. */
ELS_APART void els_gemini_text(elelem_shape_context *c, uint32_t choice, elelem_value part)
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
ELS_PRIVATE int els_gemini_is_hosted(elelem_str type)
{
    static const char *const types[] = { "executableCode", "codeExecutionResult", "toolCall", "toolResponse", "functionResponse",
                                         NULL };

    return els_gemini_is_among(type, types);
}

/* What can be shown: the code, what it printed, or what a tool is asked, the first of its arguments. */
ELS_PRIVATE void els_gemini_caption(elelem_shape_context *c, uint32_t index, elelem_value content)
{
    elelem_str type = elelem_value_key(content);

    if (elelem_str_is(type, "executableCode"))
        elelem_shape_provider_caption(c, index, type, elelem_shape_string_in(content, "code"));
    else if (elelem_str_is(type, "codeExecutionResult"))
        elelem_shape_provider_caption(c, index, type, elelem_shape_string_in(content, "output"));
    else if (elelem_str_is(type, "toolCall"))
        elelem_shape_provider_captions(c, index, type, elelem_value_first(elelem_value_get(content, "args")));
}

/* Opens an item for a part of this type, which ends the text before it. */
ELS_APART uint32_t els_gemini_open_item(elelem_shape_context *c, uint32_t choice, elelem_str type)
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
ELS_APART void els_gemini_item_part(elelem_shape_context *c, uint32_t choice, elelem_value part, elelem_value content)
{
    elelem_str type = elelem_value_key(content);
    uint32_t index = els_gemini_open_item(c, choice, type);

    elelem_shape_provider_value(c, index, type, part);
    els_gemini_caption(c, index, content);
    elelem_shape_flush(c, index);
}

#endif

#endif
