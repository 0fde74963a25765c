#ifndef ELS_FAILURE_C
#define ELS_FAILURE_C
#include "failure.h"
#include "base.c"
#include "number.c"
#include "fragment.c"
#include "value.c"
#include "event.c"

/* >> failure */

/* What is known of providers' words can be left out: then an error is of the kind of its status, and waits are those of headers. */
#ifdef ELELEM_NO_ERROR_WORDS
#define ELS_HAS_ERROR_WORDS 0
#else
#define ELS_HAS_ERROR_WORDS 1
#endif

/* Words are searched only in the first bytes of a text. */
#define ELS_SENTENCE 4096

ELS_INLINE char els_lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + ('a' - 'A')) : letter;
}

/* Returns the offset after the words in the text, whose letters may have either case; 0 if they are not there. `words`
   has no capital letters. The first letter is compared first, because it differs from most bytes. */
ELS_PRIVATE size_t els_find_end(elelem_str text, const char *words)
{
    size_t i, k, size = text.size < ELS_SENTENCE ? text.size : ELS_SENTENCE;

    for (i = 0; i < size; i++) {
        if ((text.data[i] | 0x20) != (words[0] | 0x20)) continue;
        for (k = 0; words[k] && i + k < size && els_lower(text.data[i + k]) == words[k];)
            k++;
        if (!words[k]) return i + k;
    }
    return 0;
}

ELS_PRIVATE int els_contains_nocase(elelem_str text, const char *words)
{
    return !words[0] || els_find_end(text, words) > 0;
}

ELS_PRIVATE int els_is_letter(unsigned char byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

/* The same for words of which the last is not only the start of another word. */
ELS_PRIVATE int els_contains_whole(elelem_str text, const char *words)
{
    size_t end;

    if (text.size > ELS_SENTENCE) text.size = ELS_SENTENCE;
    end = els_find_end(text, words);
    while (end > 0 && end < text.size && els_is_letter((unsigned char)text.data[end])) {
        text = els_str(text.data + end, text.size - end);
        end = els_find_end(text, words);
    }
    return end > 0;
}

/* Nonzero if both are the same apart from the case of letters. */
ELS_PRIVATE int els_is_nocase(elelem_str text, const char *word)
{
    return text.size == strlen(word) && els_contains_nocase(text, word);
}

/* Rejections. */

/* The words that identify a rejection; both must be there. What the provider names follows the first. */
typedef struct els_rejection_words {
    const char *words;
    const char *also;
    uint8_t rejection; /* an elelem_rejection */
} els_rejection_words;

static const els_rejection_words els_rejections[] = {
    { "invalid `signature` in `thinking` block", "", ELELEM_REJECTED_SIGNATURE },
    { "`redacted_thinking` blocks in the latest assistant message cannot be modified", "", ELELEM_REJECTED_CHANGE },
    { "corrupted thought signature", "", ELELEM_REJECTED_THOUGHT },
    { "thought signature is not valid", "", ELELEM_REJECTED_THOUGHT },
    { "missing a thought_signature", "", ELELEM_REJECTED_THOUGHT },
    { "the encrypted content ", "could not be verified", ELELEM_REJECTED_ENCRYPTED },
    { "invalid_encrypted_content", "", ELELEM_REJECTED_ENCRYPTED },
    { "item with id '", "items are not persisted when", ELELEM_REJECTED_ITEM },
    { "item '", "was provided without its required following item", ELELEM_REJECTED_ITEM },
};

/* Returns the rejection that a provider's sentence reports; null if it reports none. */
ELS_PRIVATE const els_rejection_words *els_rejection_in(elelem_str message)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_rejections); i++)
        if (els_contains_nocase(message, els_rejections[i].words) && els_contains_nocase(message, els_rejections[i].also))
            return &els_rejections[i];
    return NULL;
}

/* Kinds. */

typedef struct els_error_word {
    const char *word; /* lower case */
    uint8_t kind;     /* an elelem_error_kind */
} els_error_word;

/* Codes that say what happened whatever the sentence is, because its wording may change. A star stands for any ending. Of
   those that refuse the history the caller has to change it: no patch is known that would repair it. */
static const els_error_word els_error_exact[] = {
    { "thread_continue_in_flight", ELELEM_ERROR_KIND_TRANSIENT }, /* Anthropic's error.details.error_code, to the next blank line */
    { "compaction_unavailable", ELELEM_ERROR_KIND_TRANSIENT },
    { "cmek_context_unavailable", ELELEM_ERROR_KIND_TRANSIENT },
    { "cmek_key_unreachable", ELELEM_ERROR_KIND_TRANSIENT },
    { "cmek_key_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "ramp_limit_exceeded", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "contract_spend_limit_reached", ELELEM_ERROR_KIND_QUOTA },
    { "enforced_spend_limit_reached", ELELEM_ERROR_KIND_QUOTA },
    { "linked_organization_spend_limit_reached", ELELEM_ERROR_KIND_QUOTA },
    { "linked_organization_billing_unavailable", ELELEM_ERROR_KIND_QUOTA },
    { "organization_on_hold", ELELEM_ERROR_KIND_QUOTA },
    { "request_body_too_large_after_decoding", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "request_body_encoding_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "compaction_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "thread_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "tool_reference_unresolved", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "tool_name_conflict", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "available_tools_limit_exceeded", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "claude_code_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "user_profile_*", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "sandbox_egress_restricted", ELELEM_ERROR_KIND_INVALID_REQUEST },

    { "data_residency_mismatch", ELELEM_ERROR_KIND_INVALID_REQUEST }, /* OpenAI's codes */
    { "bio_policy", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "cyber_policy", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "misalignment_policy_violation", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "misalignment", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "image_content_policy_violation", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "vector_store_timeout", ELELEM_ERROR_KIND_TRANSIENT },
    { "websocket_connection_limit_reached", ELELEM_ERROR_KIND_TRANSIENT }, /* after an hour; a new connection takes the request */
};

/* Codes, types and statuses that have the same meaning in any member. */
static const els_error_word els_error_codes[] = {
    { "insufficient_quota", ELELEM_ERROR_KIND_QUOTA },
    { "billing_hard_limit_reached", ELELEM_ERROR_KIND_QUOTA },
    { "billing_error", ELELEM_ERROR_KIND_QUOTA },
    { "exceeded_current_quota_error", ELELEM_ERROR_KIND_QUOTA }, /* Moonshot */
    { "1113", ELELEM_ERROR_KIND_QUOTA },                         /* Z.ai */
    { "arrearage", ELELEM_ERROR_KIND_QUOTA },                    /* Alibaba */
    { "account_suspended", ELELEM_ERROR_KIND_QUOTA },            /* Fireworks */
    { "usage_limit_reached", ELELEM_ERROR_KIND_QUOTA },          /* ChatGPT's plans, for hours or days; so are the next four */
    { "usage_not_included", ELELEM_ERROR_KIND_QUOTA },
    { "1308", ELELEM_ERROR_KIND_QUOTA },                         /* Z.ai */
    { "1310", ELELEM_ERROR_KIND_QUOTA },
    { "budget_exceeded", ELELEM_ERROR_KIND_QUOTA },              /* LiteLLM, under 400 or 429 */
    { "rate_limit_exceeded", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "rate_limit_error", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "rate_limit_reached_error", ELELEM_ERROR_KIND_RATE_LIMIT }, /* Moonshot */
    { "token_quota_exceeded", ELELEM_ERROR_KIND_RATE_LIMIT },     /* Cerebras: tokens a minute */
    { "too_many_requests", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "resource_exhausted", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "overloaded_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "overloaded", ELELEM_ERROR_KIND_TRANSIENT }, /* text-generation-inference (TGI), as error_type; so are the next two */
    { "generation", ELELEM_ERROR_KIND_TRANSIENT },
    { "incomplete_generation", ELELEM_ERROR_KIND_TRANSIENT },
    { "engine_overloaded_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "server_is_overloaded", ELELEM_ERROR_KIND_TRANSIENT },
    { "slow_down", ELELEM_ERROR_KIND_TRANSIENT },
    { "capacity_exceeded", ELELEM_ERROR_KIND_TRANSIENT },
    { "service_unavailable_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "service_unavailable", ELELEM_ERROR_KIND_TRANSIENT },
    { "server_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "timeout_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "gateway_timeout", ELELEM_ERROR_KIND_TRANSIENT },
    { "internal_server_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "unavailable", ELELEM_ERROR_KIND_TRANSIENT },
    { "internal", ELELEM_ERROR_KIND_TRANSIENT },
    { "internal_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "deadline_exceeded", ELELEM_ERROR_KIND_TRANSIENT },
    { "cancelled", ELELEM_ERROR_KIND_TRANSIENT }, /* by the provider: the caller reports its own */
    { "invalid_api_key", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "authentication_error", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "permission_error", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "unauthenticated", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "permission_denied", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "context_length_exceeded", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "exceed_context_size_error", ELELEM_ERROR_KIND_CONTENT_TOO_LONG }, /* llama.cpp */
    { "model_max_prompt_tokens_exceeded", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "1261", ELELEM_ERROR_KIND_CONTENT_TOO_LONG }, /* Z.ai */
    { "request_too_large", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "string_above_max_length", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "content_filter", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "content_policy_violation", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "data_inspection_failed", ELELEM_ERROR_KIND_CONTENT_FILTER }, /* Alibaba */
    { "moderation_blocked", ELELEM_ERROR_KIND_CONTENT_FILTER },
};

/* Words of messages, for bodies whose codes are less exact than their sentences. */
static const els_error_word els_error_sentences[] = {
    { "credit balance is too low", ELELEM_ERROR_KIND_QUOTA },
    { "out of extra usage", ELELEM_ERROR_KIND_QUOTA }, /* Anthropic */
    { "used all available credits", ELELEM_ERROR_KIND_QUOTA },
    { "doesn't have any credits", ELELEM_ERROR_KIND_QUOTA },
    { "monthly spending limit", ELELEM_ERROR_KIND_QUOTA },
    { "insufficient balance", ELELEM_ERROR_KIND_QUOTA },
    { "specified api usage limits", ELELEM_ERROR_KIND_QUOTA },
    { "key limit exceeded", ELELEM_ERROR_KIND_QUOTA },
    { "your limit will reset at ", ELELEM_ERROR_KIND_QUOTA }, /* Z.ai's plans */
    { "your session usage limit", ELELEM_ERROR_KIND_QUOTA },  /* Ollama's */
    { "your weekly usage limit", ELELEM_ERROR_KIND_QUOTA },
    { "free-models-per-day", ELELEM_ERROR_KIND_QUOTA },       /* OpenRouter */
    { "too many tokens per day", ELELEM_ERROR_KIND_QUOTA },   /* Bedrock */
    { "insufficient_quota", ELELEM_ERROR_KIND_QUOTA }, /* in what a router quotes */
    { "input was flagged", ELELEM_ERROR_KIND_CONTENT_FILTER },
    { "blocked by content filtering policy", ELELEM_ERROR_KIND_CONTENT_FILTER }, /* Anthropic */
    { "api key", ELELEM_ERROR_KIND_AUTHENTICATION },
    { "prompt is too long", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "prompt too long", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "maximum context length", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "exceeds the context window", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "too many tokens, please wait", ELELEM_ERROR_KIND_RATE_LIMIT }, /* Bedrock, in a stream without a status */
    { "too many tokens", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "input token count", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "input tokens exceed", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "exceed context limit", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "available context size", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "maximum prompt length", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "model token limit", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "input is too long", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "greater than the context length", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "model's context length", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "exceeds max length", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "compute error", ELELEM_ERROR_KIND_TRANSIENT },      /* LM Studio, in a stream; so is the next */
    { "completion aborted", ELELEM_ERROR_KIND_TRANSIENT }, /* TabbyAPI */
    { "context window exceeds", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
};

/* Words of messages that count before the code, because that says something else. OpenAI and Groq refuse a request that is larger
   than the rate allows at any time with the code and status of a rate that is used up, but waiting does not help. Alibaba reports
   too many tokens a minute as insufficient_quota, and MiniMax, Moonshot and Anthropic what a plan does not pay
   for as a rate. */
static const els_error_word els_error_first[] = {
    { "request too large for", ELELEM_ERROR_KIND_CONTENT_TOO_LONG },
    { "allocated quota exceeded, please increase", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "error-code#token-limit", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "usage limit reached for ", ELELEM_ERROR_KIND_QUOTA },
    { "usage limit for this billing cycle", ELELEM_ERROR_KIND_QUOTA },
    { "required for long context requests", ELELEM_ERROR_KIND_QUOTA },
};

/* Codes that are less exact than a sentence or a status. Ollama's cloud reports a wrong key as an api_error. */
static const els_error_word els_error_vague[] = {
    { "api_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "invalid_request_error", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "invalid_request", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "invalid_argument", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "not_found_error", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "not_found", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "failed_precondition", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "invalid_prompt", ELELEM_ERROR_KIND_INVALID_REQUEST },
    { "throttling_error", ELELEM_ERROR_KIND_RATE_LIMIT }, /* LiteLLM */
    { "tokens", ELELEM_ERROR_KIND_RATE_LIMIT }, /* OpenAI's types of rates: too many tokens, or requests, a minute */
    { "requests", ELELEM_ERROR_KIND_RATE_LIMIT },
    { "timeout", ELELEM_ERROR_KIND_TRANSIENT }, /* of gateways, in a stream that they have begun: the next three too */
    { "upstream_timeout", ELELEM_ERROR_KIND_TRANSIENT },
    { "upstream_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "connection_error", ELELEM_ERROR_KIND_TRANSIENT },
    { "validation", ELELEM_ERROR_KIND_INVALID_REQUEST }, /* TGI */
};

/* Each of these five returns an elelem_error_kind, or -1 if it recognizes none. */

ELS_PRIVATE int els_exact_kind(elelem_str code)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_error_exact); i++) {
        const char *word = els_error_exact[i].word;
        size_t size = strlen(word);
        int is_start = word[size - 1] == '*';
        if (is_start) size--;
        if (code.size >= size && memcmp(code.data, word, size) == 0 && (is_start || code.size == size))
            return els_error_exact[i].kind;
    }
    return -1;
}

ELS_PRIVATE int els_word_kind(const els_error_word *words, size_t count, elelem_str text)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (els_is_nocase(text, words[i].word)) return words[i].kind;
    return -1;
}

ELS_PRIVATE int els_first_kind(elelem_str message)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_error_first); i++)
        if (els_contains_nocase(message, els_error_first[i].word)) return els_error_first[i].kind;
    return -1;
}

/* Nonzero if sentences of this kind count under the status. If that is one of a rate limit or of missing money, the sentence may
   mention keys or too many tokens for other reasons; then it counts only if it reports that the account has no money left. A
   provider that failed may mention keys of its own. */
ELS_PRIVATE int els_sentence_counts(unsigned kind, int32_t status)
{
    if (kind == ELELEM_ERROR_KIND_QUOTA) return 1;
    if (status == 402 || status == 429) return 0;
    return kind != ELELEM_ERROR_KIND_AUTHENTICATION || status < 500;
}

ELS_PRIVATE int els_sentence_kind(elelem_str message, int32_t status)
{
    size_t i;

    for (i = 0; i < ELS_COUNT(els_error_sentences); i++) {
        const els_error_word *row = &els_error_sentences[i];
        int is_whole = row->kind == ELELEM_ERROR_KIND_AUTHENTICATION;
        if (!els_sentence_counts(row->kind, status)) continue;
        if (is_whole ? els_contains_whole(message, row->word) : els_contains_nocase(message, row->word)) return row->kind;
    }
    return -1;
}

ELS_PRIVATE int els_status_kind(int32_t status)
{
    switch (status) {
    case 401:
    case 403: return ELELEM_ERROR_KIND_AUTHENTICATION;
    case 402: return ELELEM_ERROR_KIND_QUOTA;
    case 413: return ELELEM_ERROR_KIND_CONTENT_TOO_LONG;
    case 429: return ELELEM_ERROR_KIND_RATE_LIMIT;
    case 408:
    case 409:
    case 425:
    case 498: return ELELEM_ERROR_KIND_TRANSIENT; /* Groq: no capacity */
    default: break;
    }
    if (status >= 500 && status < 600) return ELELEM_ERROR_KIND_TRANSIENT;
    if (status >= 400 && status < 500) return ELELEM_ERROR_KIND_INVALID_REQUEST;
    return -1;
}

/* What is read of an error body, as slices of its document. */
typedef struct els_error_body {
    elelem_str message;
    elelem_str code;    /* the most specific word of the details' error_code, code, status and type */
    elelem_str type;    /* the type, if it is another word; else empty */
    elelem_value details;
    elelem_str reset;   /* the X-RateLimit-Reset header of the provider that a router called */
    int32_t status;     /* of the body or the HTTP response */
    int has_retry_info;
    int is_daily;       /* a quota of the day, or of a plan, is used up */
    int64_t retry_info_ms;
} els_error_body;

/* The kind by all words that are known, and by the status; -1 if neither says it. */
ELS_PRIVATE int els_error_word_kind(const els_error_body *body)
{
    int kind = els_exact_kind(body->code);

    if (kind < 0 && (els_rejection_in(body->message) || els_rejection_in(body->code))) kind = ELELEM_ERROR_KIND_RECOVERABLE;
    if (kind < 0) kind = els_first_kind(body->message);
    if (kind < 0) kind = els_word_kind(els_error_codes, ELS_COUNT(els_error_codes), body->code);
    if (kind < 0) kind = els_word_kind(els_error_codes, ELS_COUNT(els_error_codes), body->type);
    if (kind < 0) kind = els_sentence_kind(body->message, body->status);
    if (kind < 0) kind = els_status_kind(body->status);
    if (kind < 0) kind = els_word_kind(els_error_vague, ELS_COUNT(els_error_vague), body->code);
    if (kind < 0) kind = els_word_kind(els_error_vague, ELS_COUNT(els_error_vague), body->type);
    return kind;
}

ELS_APART elelem_error_kind els_error_body_kind(const els_error_body *body)
{
    int kind = ELS_HAS_ERROR_WORDS ? els_error_word_kind(body) : els_status_kind(body->status);

    if (kind == ELELEM_ERROR_KIND_RATE_LIMIT && body->is_daily) kind = ELELEM_ERROR_KIND_QUOTA;
    return kind < 0 ? ELELEM_ERROR_KIND_OTHER : (elelem_error_kind)kind;
}

/* Waits, in milliseconds; -1 if there is none. */

#define ELS_WAIT_MAX_MS ((int64_t)1000 * 60 * 60 * 24 * 365)
#define ELS_SECONDS_MAX ((int64_t)253402300799) /* the last second of the year 9999, since 1970 */

ELS_PRIVATE int els_is_at_digit(const unsigned char *at, const unsigned char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

ELS_PRIVATE void els_read_digits(els_cursor *in, int64_t *number)
{
    for (; els_is_at_digit(in->at, in->end); in->at++)
        if (*number < ELS_WAIT_MAX_MS) *number = *number * 10 + (*in->at - '0');
}

/* Nonzero if a comma and three digits are next, and not a fourth. */
ELS_PRIVATE int els_is_at_thousands(const els_cursor *in)
{
    const unsigned char *at = in->at;

    if (at == in->end || *at++ != ',') return 0;
    while (els_is_at_digit(at, in->end) && at - in->at <= 4)
        at++;
    return at - in->at == 4;
}

/* Reads digits with an optional fraction, times `unit_ms`. Returns -1 if there is no digit. */
ELS_PRIVATE int64_t els_read_number(els_cursor *in, int64_t unit_ms)
{
    uint64_t part = 0;
    int64_t whole = 0;
    int places = 0;
    const unsigned char *start = in->at;

    els_read_digits(in, &whole);
    if (in->at == start) return -1;
    if (in->at - start <= 3)
        while (els_is_at_thousands(in)) {
            in->at++;
            els_read_digits(in, &whole);
        }
    if (in->at < in->end && *in->at == '.')
        for (in->at++; els_is_at_digit(in->at, in->end); in->at++)
            if (places < 6) {
                part = part * 10 + (uint64_t)(*in->at - '0');
                places++;
            }
    if (whole > ELS_WAIT_MAX_MS / unit_ms) return ELS_WAIT_MAX_MS;
    for (part *= (uint64_t)unit_ms; places > 0; places--)
        els_take_digit(&part);
    return whole * unit_ms + (int64_t)part;
}

typedef struct els_unit {
    const char *word; /* of more than one letter: or with an s after it */
    int64_t ms;
} els_unit;

static const els_unit els_units[] = {
    { "ms", 1 }, { "msec", 1 }, { "millisecond", 1 }, { "s", 1000 }, { "sec", 1000 }, { "second", 1000 },
    { "m", 60000 }, { "min", 60000 }, { "minute", 60000 }, { "h", 3600000 }, { "hr", 3600000 }, { "hour", 3600000 },
    { "d", 86400000 }, { "day", 86400000 }, { "week", (int64_t)86400000 * 7 }, { "month", (int64_t)86400000 * 30 },
};

ELS_PRIVATE int els_is_unit(elelem_str text, const char *word)
{
    if (els_is_nocase(text, word)) return 1;
    if (!word[1] || text.size < 2 || els_lower(text.data[text.size - 1]) != 's') return 0;
    return els_is_nocase(els_str(text.data, text.size - 1), word);
}

ELS_PRIVATE void els_skip_spaces(els_cursor *in)
{
    while (in->at < in->end && *in->at == ' ')
        in->at++;
}

/* Reads a unit and returns its milliseconds; 0 if the next word is none, which stays. */
ELS_PRIVATE int64_t els_read_unit(els_cursor *in)
{
    elelem_str word;
    size_t i;

    els_skip_spaces(in);
    word = els_str(in->at, 0);
    while (in->at + word.size < in->end && els_is_letter(in->at[word.size]))
        word.size++;
    for (i = 0; i < ELS_COUNT(els_units); i++)
        if (els_is_unit(word, els_units[i].word)) {
            in->at += word.size;
            return els_units[i].ms;
        }
    return 0;
}

/* Reads a number and its unit, which is 0 if it has none: then it counts seconds. Returns -1 if there is no number. */
ELS_PRIVATE int64_t els_read_amount(els_cursor *in, int64_t *unit)
{
    els_cursor number = *in;

    *unit = 0;
    if (els_read_number(in, 1) < 0) return -1;
    *unit = els_read_unit(in);
    return els_read_number(&number, *unit > 0 ? *unit : 1000);
}

/* Skips what may be between two amounts of one duration: spaces, a comma, "and". */
ELS_PRIVATE void els_skip_joint(els_cursor *in)
{
    if (in->at < in->end && *in->at == ',') in->at++;
    els_skip_spaces(in);
    if (in->end - in->at >= 4 && memcmp(in->at, "and ", 4) == 0) in->at += 4;
}

/* Reads a time such as 6m0s, 1h 30m, 200ms, 2.398s, 20, 20 seconds, or 2 hours and 5 minutes: no unit is larger than the one before. */
ELS_PRIVATE int64_t els_read_duration(els_cursor *in)
{
    int64_t last, unit;
    int64_t total = els_read_amount(in, &last);

    for (;; last = unit) {
        els_cursor next = *in;
        int64_t more;
        els_skip_joint(&next);
        more = els_read_amount(&next, &unit);
        if (unit == 0 || unit > last) break;
        total = total + more < ELS_WAIT_MAX_MS ? total + more : ELS_WAIT_MAX_MS;
        *in = next;
    }
    return total;
}

/* Returns the duration that a text begins with; -1 if that is a date or a time of the day. */
ELS_PRIVATE int64_t els_duration_in(elelem_str text)
{
    els_cursor in = els_cursor_of(text.data, text.size);
    int64_t wait = els_read_duration(&in);

    return in.at < in.end && (*in.at == '-' || *in.at == ':' || *in.at == '/') ? -1 : wait;
}

/* Returns the duration that is the whole text, so that a date is not taken for one. */
ELS_PRIVATE int64_t els_duration_of(elelem_str text)
{
    els_cursor in = els_cursor_of(text.data, text.size);
    int64_t wait = els_read_duration(&in);

    return in.at == in.end ? wait : -1;
}

/* Returns the caller's time, not positive if it is not known. No date of HTTP is after the year 9999. */
ELS_PRIVATE int64_t els_now(const els_http *http)
{
    return http->unix_seconds < ELS_SECONDS_MAX ? http->unix_seconds : ELS_SECONDS_MAX;
}

/* Returns how long it is until a time in milliseconds since 1970, at most a year. */
ELS_PRIVATE int64_t els_wait_until(const els_http *http, int64_t time_ms)
{
    int64_t now = els_now(http);
    int64_t wait;

    if (now <= 0 || now * 1000 >= time_ms) return -1;
    wait = time_ms - now * 1000;
    return wait < ELS_WAIT_MAX_MS ? wait : ELS_WAIT_MAX_MS;
}

/* Returns the time until a rate limit is reset. OpenRouter sends a time in milliseconds since 1970, others one in
   seconds, or a duration. */
ELS_PRIVATE int64_t els_rate_reset(const els_http *http, elelem_str value)
{
    const char *point = value.size > 0 ? (const char *)memchr(value.data, '.', value.size) : NULL;
    elelem_str whole = point ? els_str(value.data, (size_t)(point - value.data)) : value;
    int64_t number;

    if (elelem_number_to_int64(whole, &number) != ELELEM_OK || number < 1000000000) return els_duration_of(value);
    if (number < (int64_t)100000000000) number *= 1000;
    if (number > (int64_t)100000000000000) return -1;
    return els_wait_until(http, number);
}

/* The words after which a provider's sentence has a duration. */
static const char *const els_wait_words[] = { "try again in ", "try again after ", "retry after ", "retry in ",
                                              "retry-after: ", "wait ",            "reset after " };

/* Returns the first duration that follows the words in a sentence. */
ELS_PRIVATE int64_t els_wait_after(elelem_str message, const char *words)
{
    size_t end;

    if (message.size > ELS_SENTENCE) message.size = ELS_SENTENCE;
    while ((end = els_find_end(message, words)) > 0) {
        int64_t wait;
        message = els_str(message.data + end, message.size - end);
        wait = els_duration_in(message);
        if (wait >= 0) return wait;
    }
    return -1;
}

ELS_PRIVATE int64_t els_wait_in_sentence(elelem_str message)
{
    int64_t wait = -1;
    size_t i;

    for (i = 0; i < ELS_COUNT(els_wait_words) && wait < 0; i++)
        wait = els_wait_after(message, els_wait_words[i]);
    return wait;
}

/* Returns the most exact wait. Every response carries the rate-limit reset; it is used as a wait only for
   RATE_LIMIT. That which a router quotes in the error is of the limit that was met, which may be one of the day. */
ELS_APART int64_t els_wait(const els_http *http, const els_error_body *body, elelem_error_kind kind)
{
    int64_t wait;

    if (http->retry_after_ms > 0) return http->retry_after_ms;
    if (http->retry_after >= 0) return http->retry_after;
    if (http->retry_after_ms >= 0) return http->retry_after_ms;
    /* Not reached: unit tests are built with error words; see tests/test_small_builds.sh */
    if (!ELS_HAS_ERROR_WORDS) return kind == ELELEM_ERROR_KIND_RATE_LIMIT ? http->rate_reset : -1;
    if (body->has_retry_info) return body->retry_info_ms;
    wait = els_wait_in_sentence(body->message);
    if (wait >= 0) return wait;
    if (kind == ELELEM_ERROR_KIND_RATE_LIMIT && http->rate_reset >= 0) return http->rate_reset;
    return kind == ELELEM_ERROR_KIND_RATE_LIMIT || kind == ELELEM_ERROR_KIND_QUOTA ? els_rate_reset(http, body->reset) : -1;
}

/* Error bodies. */

/* Nonzero if one of the quotas that were exceeded is a daily one. */
ELS_PRIVATE int els_is_daily(elelem_value violations)
{
    elelem_value violation;

    for (violation = elelem_value_first(violations); elelem_value_type(violation) != ELELEM_TYPE_NONE;
         violation = elelem_value_next(violation))
        if (els_contains_nocase(els_member_text(violation, "quotaId"), "perday") ||
            els_contains_nocase(els_member_text(violation, "quotaMetric"), "per_day"))
            return 1;
    return 0;
}

/* Nonzero if a detail says so without a list of quotas, as those of Code Assist do. */
ELS_PRIVATE int els_is_of_a_plan(elelem_value detail)
{
    return elelem_str_is(els_member_text(detail, "reason"), "QUOTA_EXHAUSTED") ||
           els_contains_nocase(els_member_text(elelem_value_get(detail, "metadata"), "quota_limit"), "perday");
}

/* A wait that the body has as a duration of its own counts before its sentence. */
ELS_PRIVATE void els_read_retry_info(els_error_body *body, elelem_str delay)
{
    int64_t wait = els_duration_of(delay);

    if (wait < 0) return;
    body->retry_info_ms = wait;
    body->has_retry_info = 1;
}

/* Reads the details of Google's error bodies: how long to wait, and which quotas were exceeded. */
ELS_PRIVATE void els_read_details(els_error_body *body)
{
    elelem_value detail;

    for (detail = elelem_value_first(body->details); elelem_value_type(detail) != ELELEM_TYPE_NONE;
         detail = elelem_value_next(detail)) {
        body->is_daily |= els_is_daily(elelem_value_get(detail, "violations")) || els_is_of_a_plan(detail);
        els_read_retry_info(body, els_member_text(detail, "retryDelay"));
    }
}

/* A code that is a number from 400 on, or is written as one, is a status. */
ELS_APART void els_read_status(els_error_body *body, elelem_value code)
{
    int64_t number;

    if (elelem_value_type(code) != ELELEM_TYPE_NUMBER && elelem_value_type(code) != ELELEM_TYPE_STRING) return;
    if (elelem_number_to_int64(elelem_value_text(code), &number) != ELELEM_OK || number < 400 || number >= 600) return;
    body->status = (int32_t)number;
}

/* Reads the code and the type. A type without a message is that of the frame, and the type "error" says nothing. */
ELS_APART void els_read_code(els_error_body *body, elelem_value root, elelem_value node, int is_error)
{
    body->code = els_member_text(node, "code");
    body->type = els_member_text(node, "type");
    if (body->type.size == 0 || elelem_str_is(body->type, "error")) body->type = els_member_text(root, "error_type");
    if (!is_error && body->message.size == 0) body->type.size = 0;
    if (body->code.size == 0) body->code = els_member_text(node, "status");
    if (body->code.size == 0) {
        body->code = body->type;
        body->type = els_str(NULL, 0);
    }
    if (els_member_text(body->details, "error_code").size == 0) return;
    body->type = body->code;
    body->code = els_member_text(body->details, "error_code");
}

/* Returns the sentence that a member is, or has in it: `detail` may be a list of what is wrong with the request, each with a `msg`. */
ELS_APART elelem_str els_sentence_of(elelem_value member)
{
    elelem_str text;

    if (elelem_value_type(elelem_value_get(member, "detail")) != ELELEM_TYPE_NONE) member = elelem_value_get(member, "detail");
    if (elelem_value_type(member) == ELELEM_TYPE_ARRAY) member = elelem_value_first(member);
    text = els_text_of(member);
    if (text.size == 0) text = els_member_text(member, "message");
    return text.size > 0 ? text : els_member_text(member, "msg");
}

/* Returns the provider's sentence. Of a root that has both, `error` may only be the reason phrase of the status. */
ELS_APART elelem_str els_message_of(elelem_value root, elelem_value node)
{
    elelem_str text = els_sentence_of(elelem_value_get(node, "message"));

    if (text.size == 0) text = els_sentence_of(elelem_value_get(root, "message"));
    if (text.size == 0) text = els_text_of(elelem_value_get(root, "error"));
    if (text.size == 0) text = els_sentence_of(elelem_value_get(root, "errors"));
    return text.size > 0 ? text : els_sentence_of(elelem_value_get(root, "detail"));
}

/* Reads the message, the details, and what a router says of the provider that it called: that counts if the router has no sentence of
   its own. */
ELS_APART void els_read_message(els_error_body *body, elelem_value root, elelem_value node)
{
    elelem_value metadata = elelem_value_get(node, "metadata");
    elelem_str raw = els_member_text(metadata, "raw");

    body->message = els_message_of(root, node);
    if (ELS_HAS_ERROR_WORDS) {
        if (raw.size > 0 && (elelem_str_is(body->message, "Provider returned error") || els_rejection_in(raw))) body->message = raw;
        body->reset = els_member_text(elelem_value_get(metadata, "headers"), "X-RateLimit-Reset");
    }
    body->details = elelem_value_get(node, "details");
}

/* Reads a status that is not the code, if that said nothing: of an error in a stream, there is no other. */
ELS_APART void els_read_other_status(els_error_body *body, elelem_value root, elelem_value node)
{
    static const char *const keys[] = { "status", "status_code", "raw_status_code" };
    size_t i;

    for (i = 0; i < ELS_COUNT(keys) && body->status < 400; i++) {
        els_read_status(body, elelem_value_get(node, keys[i]));
        if (body->status < 400) els_read_status(body, elelem_value_get(root, keys[i]));
    }
}

/* Reads a status that is only in the sentence, as that of the provider in OpenCode's. */
ELS_APART void els_read_quoted_status(els_error_body *body)
{
    size_t end = els_find_end(body->message, "streaming response failed: [");
    els_cursor in;
    int64_t number;

    if (end == 0 || body->status >= 400) return;
    in = els_cursor_of(body->message.data + end, body->message.size - end);
    number = els_read_number(&in, 1);
    if (number >= 400 && number < 600) body->status = (int32_t)number;
}

/* Reads an error body of any known form; returns 0 if it has none. `status` is that of the HTTP response. */
ELS_PRIVATE int els_error_body_read(els_error_body *body, elelem_value root, int32_t status)
{
    elelem_value node;
    int is_object;

    memset(body, 0, sizeof *body);
    body->status = status;
    if (elelem_value_type(root) == ELELEM_TYPE_ARRAY) root = elelem_value_first(root);
    node = elelem_value_get(root, "error");
    is_object = elelem_value_type(node) == ELELEM_TYPE_OBJECT;
    if (!is_object) node = root;
    els_read_message(body, root, node);
    els_read_code(body, root, node, is_object);
    els_read_status(body, elelem_value_get(node, "code"));
    els_read_other_status(body, root, node);
    if (ELS_HAS_ERROR_WORDS) {
        els_read_quoted_status(body);
        els_read_details(body);
        els_read_retry_info(body, elelem_value_text(elelem_value_get(node, "resets_in_seconds"))); /* ChatGPT's plans */
    }
    return body->message.size > 0 || is_object;
}

/* Nonzero if a document of a response that is a refusal is its error body. Other documents can come before it. */
ELS_PRIVATE int els_is_error_body(elelem_value root)
{
    els_error_body body;

    return els_error_body_read(&body, root, 0);
}

/* Nonzero if a document of a stream with status 200 is, or contains, an error; or is an array with one. */
ELS_PRIVATE int els_is_error_document(elelem_value root)
{
    elelem_value error;

    if (elelem_value_type(root) == ELELEM_TYPE_ARRAY) root = elelem_value_first(root);
    error = elelem_value_get(root, "error");
    if (elelem_value_type(error) == ELELEM_TYPE_OBJECT || els_text_of(error).size > 0) return 1;
    return elelem_str_is(els_member_text(root, "object"), "error");
}

/* What is read of an error body, at the root or in an array. */
static const elelem_pattern_node els_error_paths[] = {
    ELELEM_PATTERN_ROOT(0),
    ELELEM_PATTERN_MEMBER(0, "error", 1),
    ELELEM_PATTERN_MEMBER(0, "message", 1),
    ELELEM_PATTERN_MEMBER(0, "code", 1),
    ELELEM_PATTERN_MEMBER(0, "type", 1),
    ELELEM_PATTERN_MEMBER(0, "error_type", 1),
    ELELEM_PATTERN_MEMBER(0, "status", 1),
    ELELEM_PATTERN_MEMBER(0, "detail", 1),
    ELELEM_PATTERN_MEMBER(0, "request_id", 1),
    ELELEM_PATTERN_MEMBER(0, "errors", 1),
    ELELEM_PATTERN_ELEMENTS(0, 0),
    ELELEM_PATTERN_MEMBER(10, "error", 1),
};

static const elelem_patterns els_error_patterns = { els_error_paths, ELS_COUNT(els_error_paths), ELS_PATTERNS_GROUPED, 0, 0, NULL, NULL };

/* Errors. */

ELS_PRIVATE const char *els_kind_sentence(elelem_error_kind kind)
{
    switch (kind) {
    case ELELEM_ERROR_KIND_TIMEOUT: return "nothing came for longer than the idle timeout";
    case ELELEM_ERROR_KIND_CONNECT: return "the response ended before it was complete";
    case ELELEM_ERROR_KIND_CANCELLED: return "cancelled by the caller";
    case ELELEM_ERROR_KIND_RATE_LIMIT: return "the provider's rate limit is reached";
    case ELELEM_ERROR_KIND_QUOTA: return "the account's quota is used up";
    case ELELEM_ERROR_KIND_TRANSIENT: return "the provider failed or is overloaded";
    case ELELEM_ERROR_KIND_AUTHENTICATION: return "the provider refused the credentials";
    case ELELEM_ERROR_KIND_INVALID_REQUEST: return "the provider refused the request";
    case ELELEM_ERROR_KIND_CONTENT_TOO_LONG: return "the request is too long for the model";
    case ELELEM_ERROR_KIND_CONTENT_FILTER: return "the provider's content filter stopped the response";
    case ELELEM_ERROR_KIND_PROTOCOL: return "the response does not follow the provider's protocol";
    case ELELEM_ERROR_KIND_LIMIT: return "the response exceeds a limit of this stream";
    case ELELEM_ERROR_KIND_OUT_OF_MEMORY: return "the allocator gave no more memory";
    case ELELEM_ERROR_KIND_RECOVERABLE: return "the provider rejects metadata of an earlier turn";
    default: return "the provider reported an error";
    }
}

/* Sets an error of this kind, with the sentence of its kind. */
ELS_PRIVATE void els_failure_of_kind(elelem_failure *error, const els_http *http, elelem_error_kind kind)
{
    memset(error, 0, sizeof *error);
    error->kind = (uint8_t)kind;
    error->retryable = (uint8_t)elelem_error_kind_is_retryable(kind);
    error->http_status = http->status;
    error->retry_after_ms = -1;
    error->message = elelem_str_of(ELS_HAS_WORDS ? els_kind_sentence(kind) : elelem_error_kind_name(kind));
}

/* Sets the error that a document reports. An unknown error with a wait is TRANSIENT. */
ELS_PRIVATE void els_failure_of_document(elelem_failure *error, const els_http *http, elelem_value root)
{
    els_error_body body;
    elelem_error_kind kind;
    int64_t wait;

    els_error_body_read(&body, root, http->status);
    kind = els_error_body_kind(&body);
    wait = els_wait(http, &body, kind);
    if (kind == ELELEM_ERROR_KIND_OTHER && wait >= 0) kind = ELELEM_ERROR_KIND_TRANSIENT;
    els_failure_of_kind(error, http, kind);
    error->code = body.code;
    if (body.message.size > 0) error->message = body.message;
    error->retry_after_ms = wait;
    if (http->should_retry >= 0) error->retryable = (uint8_t)http->should_retry;
}

/* Sets what the status and the headers of a refusal say of another attempt, if the error is not in its body. One that is never
   retryable stays so. */
ELS_PRIVATE void els_failure_of_refusal(elelem_failure *error, const els_http *http)
{
    els_error_body body;
    elelem_error_kind kind;

    memset(&body, 0, sizeof body);
    body.status = http->status;
    kind = els_error_body_kind(&body);
    error->retry_after_ms = els_wait(http, &body, kind);
    if (http->should_retry >= 0) error->retryable &= (uint8_t)http->should_retry;
    else if (kind != ELELEM_ERROR_KIND_OTHER) error->retryable &= (uint8_t)elelem_error_kind_is_retryable(kind);
}

/* Dates. */

/* Returns the days from 1970-01-01 to a date of the Gregorian calendar. */
ELS_PRIVATE int64_t els_days(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month > 2 ? year : year - 1;
    int64_t era = y / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* HTTP dates, in the three forms that a recipient has to accept (RFC 9110, 5.6.7). Letters of a form are fields, see
   els_date_field; any other character is itself. */

static const char *const els_date_forms[] = { "W, D n Y h:m:s GMT", "W, D-n-y h:m:s GMT", "W n e h:m:s Y" };

typedef struct els_date {
    int64_t year;
    int64_t month;
    int64_t day;
    int64_t hour;
    int64_t minute;
    int64_t second;
} els_date;

/* Reads `count` digits. Returns -1 if there are fewer. */
ELS_PRIVATE int64_t els_date_digits(els_cursor *in, int count)
{
    int64_t number = 0;

    for (; count > 0; count--) {
        if (in->at == in->end || *in->at < '0' || *in->at > '9') return -1;
        number = number * 10 + (*in->at++ - '0');
    }
    return number;
}

/* Reads a name of three letters. Returns its place in the list, counted from 1; -1 if it is not in it. */
ELS_PRIVATE int64_t els_date_name(els_cursor *in, const char *names)
{
    int64_t i;

    for (i = 0; in->end - in->at >= 3 && names[i * 3]; i++) {
        char name[4];
        memcpy(name, names + i * 3, 3);
        name[3] = 0;
        if (!els_is_nocase(els_str(in->at, 3), name)) continue;
        in->at += 3;
        return i + 1;
    }
    return -1;
}

/* Reads a day of the week, short or in full. Any day is accepted, because the date already determines it. */
ELS_PRIVATE int els_date_weekday(els_cursor *in)
{
    int is_one = els_date_name(in, "sunmontuewedthufrisat") > 0;

    while (in->at < in->end && *in->at >= 'a' && *in->at <= 'z')
        in->at++;
    return is_one;
}

/* Reads the field of this letter; 0 if it is not there. */
ELS_PRIVATE int els_date_field(els_cursor *in, char letter, els_date *date)
{
    switch (letter) {
    case 'W': return els_date_weekday(in);
    case 'n': return (date->month = els_date_name(in, "janfebmaraprmayjunjulaugsepoctnovdec")) > 0;
    case 'Y': return (date->year = els_date_digits(in, 4)) >= 0;
    case 'y': return (date->year = els_date_digits(in, 2)) >= 0;
    case 'h': return (date->hour = els_date_digits(in, 2)) >= 0;
    case 'm': return (date->minute = els_date_digits(in, 2)) >= 0;
    case 's': return (date->second = els_date_digits(in, 2)) >= 0;
    case 'e':
        if (in->at == in->end) return 0; /* Not reached: a header has no blank at its end */
        if (*in->at == ' ') {
            in->at++;
            return (date->day = els_date_digits(in, 1)) >= 0;
        }
        return (date->day = els_date_digits(in, 2)) >= 0;
    case 'D': return (date->day = els_date_digits(in, 2)) >= 0;
    default: return in->at < in->end && *in->at++ == (unsigned char)letter;
    }
}

ELS_PRIVATE int els_date_read(elelem_str text, const char *form, els_date *date)
{
    els_cursor in = els_cursor_of(text.data, text.size);

    for (; *form; form++)
        if (!els_date_field(&in, *form, date)) return 0;
    return in.at == in.end;
}

/* Nonzero if this time exists; a minute may have a leap second. */
ELS_PRIVATE int els_date_is_real(const els_date *date)
{
    int64_t next = date->month == 12 ? els_days(date->year + 1, 1, 1) : els_days(date->year, date->month + 1, 1);

    return date->day >= 1 && date->day <= next - els_days(date->year, date->month, 1) && date->hour < 24 &&
           date->minute < 60 && date->second <= 60;
}

/* Returns the year of two digits that is not more than 50 years in the future (RFC 9110, 5.6.7). */
ELS_PRIVATE int64_t els_date_century(int64_t year, int64_t unix_seconds)
{
    int64_t now = 1970 + unix_seconds / 31556952;

    year += now / 100 * 100;
    return year > now + 50 ? year - 100 : year + 50 <= now ? year + 100 : year;
}

/* Returns an HTTP date in seconds since 1970. It is negative if the text is not a date, if that date does not exist, or
   if it is before 1970. */
ELS_PRIVATE int64_t els_http_date(elelem_str text, int64_t unix_seconds)
{
    els_date date;
    size_t form;

    for (form = 0; form < ELS_COUNT(els_date_forms); form++) {
        memset(&date, 0, sizeof date);
        if (!els_date_read(text, els_date_forms[form], &date)) continue;
        if (form == 1) date.year = els_date_century(date.year, unix_seconds);
        if (!els_date_is_real(&date)) return -1;
        return ((els_days(date.year, date.month, date.day) * 24 + date.hour) * 60 + date.minute) * 60 + date.second;
    }
    return -1;
}

/* HTTP headers. */

/* Takes the first element off a list. */
ELS_PRIVATE elelem_str els_list_take(elelem_str *list)
{
    const char *comma = list->size > 0 ? (const char *)memchr(list->data, ',', list->size) : NULL;
    elelem_str first = els_str(list->data, comma ? (size_t)(comma - list->data) : list->size);

    *list = comma ? els_str(comma + 1, list->size - first.size - 1) : els_str(NULL, 0);
    return first;
}

ELS_PRIVATE void els_wait_max(int64_t *wait, int64_t other)
{
    if (other > *wait) *wait = other;
}

/* Returns the longest of the durations that a list consists of; -1 if an element is none. Proxies join fields of one name. */
ELS_PRIVATE int64_t els_longest_of(elelem_str list)
{
    int64_t longest = -1;

    do {
        int64_t wait = els_duration_of(els_trimmed(els_list_take(&list)));
        if (wait < 0) return -1;
        els_wait_max(&longest, wait);
    } while (list.size > 0);
    return longest;
}

/* Retry-After: a duration in seconds, or a date, which needs the current time. A date in the past is a wait of 0. */
ELS_PRIVATE int64_t els_retry_after(const els_http *http, elelem_str value)
{
    int64_t now = els_now(http);
    int64_t date = now > 0 ? els_http_date(value, now) : -1;

    if (date < 0) return els_longest_of(value);
    return date <= now ? 0 : els_wait_until(http, date * 1000);
}

/* Returns the number of a parameter of a RateLimit policy, in milliseconds; -1 if it has none of this name. */
ELS_PRIVATE int64_t els_rate_parameter(elelem_str policy, char name)
{
    size_t i;

    for (i = 0; i + 2 < policy.size; i++)
        if (policy.data[i] == name && policy.data[i + 1] == '=' &&
            (i == 0 || policy.data[i - 1] == ';' || els_is_blank((unsigned char)policy.data[i - 1])))
            return els_duration_in(els_str(policy.data + i + 2, policy.size - i - 2));
    return -1;
}

/* RateLimit of the IETF draft (RateLimit header fields for HTTP). Returns t, the time until more is allowed: the longest of the policies
   that allow no more (r=0), or that of the first. */
ELS_PRIVATE int64_t els_rate_limit(elelem_str value)
{
    int64_t first = -1, longest = -1;

    while (value.size > 0) {
        elelem_str policy = els_list_take(&value);
        if (first < 0) first = els_rate_parameter(policy, 't');
        if (els_rate_parameter(policy, 'r') == 0) els_wait_max(&longest, els_rate_parameter(policy, 't'));
    }
    return longest >= 0 ? longest : first;
}

/* Prepares for the next response and keeps the time. */
ELS_PRIVATE void els_http_start(els_http *http)
{
    http->retry_after_ms = http->retry_after = http->rate_reset = -1;
    http->status = 0;
    http->should_retry = -1;
}

/* Returns the status in a status line, of three digits (RFC 9112, 4); 0 if there is none. */
ELS_PRIVATE int32_t els_status_in(elelem_str line)
{
    els_cursor in = els_cursor_of(line.data, line.size);
    int64_t status;

    while (in.at < in.end && *in.at != ' ')
        in.at++;
    while (in.at < in.end && *in.at == ' ')
        in.at++;
    status = els_date_digits(&in, 3);
    return status < 0 || (in.at < in.end && !els_is_blank(*in.at)) ? 0 : (int32_t)status;
}

/* Takes a header. Whitespace around a name or value is not part of it (RFC 9110, 5.6.3), nor is the line end that some
   HTTP libraries leave there. */
ELS_PRIVATE void els_http_header(els_http *http, elelem_str name, elelem_str value)
{
    name = els_trimmed(name);
    value = els_trimmed(value);
    if (els_is_nocase(name, "x-should-retry")) {
        http->should_retry = elelem_str_is(value, "true") ? 1 : elelem_str_is(value, "false") ? 0 : -1;
    } else if (els_is_nocase(name, "retry-after-ms")) {
        elelem_str first = els_list_take(&value);
        els_cursor in = els_cursor_of(first.data, first.size);
        http->retry_after_ms = els_read_number(&in, 1);
    } else if (els_is_nocase(name, "retry-after")) {
        http->retry_after = els_retry_after(http, value);
    } else if (els_is_nocase(name, "x-ratelimit-reset-requests") || els_is_nocase(name, "x-ratelimit-reset-tokens")) {
        els_wait_max(&http->rate_reset, els_longest_of(value));
    } else if (els_is_nocase(name, "x-ratelimit-reset")) {
        do
            els_wait_max(&http->rate_reset, els_rate_reset(http, els_trimmed(els_list_take(&value))));
        while (value.size > 0);
    } else if (els_is_nocase(name, "ratelimit")) {
        els_wait_max(&http->rate_reset, els_rate_limit(value));
    }
}

/* Takes a line of the head of a response. A status line begins another response. A line that begins with whitespace
   continues the one before it, which no header that is read does. */
ELS_PRIVATE void els_http_line(els_http *http, elelem_str line)
{
    const char *colon = line.size > 0 ? (const char *)memchr(line.data, ':', line.size) : NULL;
    size_t name = colon ? (size_t)(colon - line.data) : 0;

    if (line.size >= 5 && memcmp(line.data, "HTTP/", 5) == 0) {
        els_http_start(http);
        http->status = els_status_in(line);
    } else if (name > 0 && !els_is_blank((unsigned char)line.data[0])) {
        els_http_header(http, els_str(line.data, name), els_str(colon + 1, line.size - name - 1));
    }
}

#endif
