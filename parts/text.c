#ifndef ELS_TEXT_C
#define ELS_TEXT_C
#include "text.h"
#include "base.c"

/* >> text */

#if !defined(ELELEM_NO_SIMD) && (defined(__SSE2__) || defined(_M_X64))
#define ELS_SSE2
#include <emmintrin.h>
#elif !defined(ELELEM_NO_SIMD) && defined(__ARM_NEON) && defined(__aarch64__)
#define ELS_NEON
#include <arm_neon.h>
#endif

/* Nonzero for a byte of a JSON string that a parser must look at: a quote, a backslash, a control
   character, or a byte of a character that is not ASCII. */
ELS_INLINE int els_is_special(unsigned char byte)
{
    return (unsigned char)(byte - 0x20) >= 0x60 || byte == '"' || byte == '\\';
}

ELS_INLINE const unsigned char *els_text_span_bytes(const unsigned char *at, const unsigned char *end)
{
    while (at < end && !els_is_special(*at))
        at++;
    return at;
}

#if defined(ELS_SSE2) || defined(ELS_NEON)

/* Returns the position of the lowest bit that is set. A mask has one bit for each byte with SSE2, four with NEON. */
ELS_INLINE unsigned els_first_bit(uint64_t mask)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(mask);
#else
    unsigned bit = 0;
    while (!(mask >> bit & 1))
        bit++;
    return bit;
#endif
}

#endif

#if defined(ELS_SSE2)

/* Loads 1 to 15 bytes and fills up with zeros. The loads overlap, and read none but these bytes. */
ELS_INLINE __m128i els_load_few(const unsigned char *at, size_t size)
{
    uint64_t low, high = 0;

    if (size >= 8) {
        memcpy(&low, at, 8);
        memcpy(&high, at + size - 8, 8);
        high = high >> 1 >> (127 - size * 8);
    } else if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, at, 4);
        memcpy(&last, at + size - 4, 4);
        low = first | (uint64_t)last << (size - 4) * 8;
    } else {
        low = at[0] | (uint64_t)at[size / 2] << size / 2 * 8 | (uint64_t)at[size - 1] << (size - 1) * 8;
    }
    return _mm_set_epi64x((long long)high, (long long)low);
}

/* Loads the next 16 bytes; if fewer are left, those, filled up with zeros. */
ELS_INLINE __m128i els_load(const unsigned char *at, size_t left)
{
    return left >= 16 ? _mm_loadu_si128((const __m128i *)(const void *)at) : els_load_few(at, left);
}

/* Returns the first 8 of 8 to 16 bytes, and after them the last 8. */
ELS_INLINE __m128i els_load_eights(const unsigned char *at, const unsigned char *end)
{
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)at),
                              _mm_loadl_epi64((const __m128i *)(const void *)(end - 8)));
}

/* Returns the first 4 of 4 to 8 bytes, after them the last 4, and 8 zeros. */
ELS_INLINE __m128i els_load_fours(const unsigned char *at, const unsigned char *end)
{
    int first, last;

    memcpy(&first, at, 4);
    memcpy(&last, end - 4, 4);
    return _mm_unpacklo_epi32(_mm_cvtsi32_si128(first), _mm_cvtsi32_si128(last));
}

/* Returns the byte at a place in what these load, of which each half has so many bytes. Which half it is found in first does not
   matter: the bytes that are in both are the same. */
ELS_INLINE const unsigned char *els_place(const unsigned char *at, const unsigned char *end, unsigned place, unsigned half)
{
    return place < half ? at + place : end - (size_t)half * 2 + place;
}

ELS_INLINE unsigned els_mask(__m128i bytes)
{
    return (unsigned)_mm_movemask_epi8(bytes);
}

ELS_INLINE __m128i els_equal(__m128i bytes, unsigned char byte)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)byte));
}

/* Compares as signed bytes, in which 80 to FF are less than all others. */
ELS_INLINE __m128i els_below(__m128i bytes, int limit)
{
    return _mm_cmplt_epi8(bytes, _mm_set1_epi8((char)limit));
}

/* Returns a mask with one bit for each special byte. As signed bytes, control characters and all
   that is not ASCII are less than a space, so that one comparison finds both. */
ELS_INLINE unsigned els_special_mask(__m128i bytes)
{
    __m128i marks = _mm_or_si128(els_equal(bytes, '"'), els_equal(bytes, '\\'));
    __m128i others = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(0x1f));

    return els_mask(_mm_andnot_si128(marks, others)) ^ 0xffff;
}

/* Copies the next 16 bytes to `to`, or those that are left, and returns how many of the 16 come
   before the first special one. `to` has 16 bytes; those after the special one are undefined. */
ELS_INLINE size_t els_text_start(const unsigned char *at, size_t left, unsigned char *to)
{
    __m128i bytes = els_load(at, left);

    _mm_storeu_si128((__m128i *)(void *)to, bytes);
    return els_first_bit(els_special_mask(bytes) | 0x10000);
}

/* Skips whole, valid characters of one to three bytes, and returns the first byte that is none of
   them. It stops at a character of four bytes, one that is cut or invalid, a special ASCII
   character, and at 16 bytes of plain ASCII, because els_text_span is faster there. The first byte
   of a character says which bytes must be continuations; no other byte may be one (RFC 3629, 4).
   `due` has a bit for each of these, in bits 16 and up for the next 16 bytes. */
ELS_PRIVATE const unsigned char *els_text_characters(const unsigned char *at, const unsigned char *end)
{
    unsigned due = 0, after_e0 = 0, after_ed = 0, bad = 0;

    while (at < end) {
        __m128i bytes = els_load(at, (size_t)(end - at));
        unsigned special = els_special_mask(bytes);
        unsigned below_a0 = els_mask(els_below(bytes, 0xa0 - 0x100));
        unsigned tail = els_mask(els_below(bytes, 0xc0 - 0x100));
        unsigned lead = els_mask(els_below(bytes, 0xf0 - 0x100)) & ~els_mask(els_below(bytes, 0xc2 - 0x100));
        unsigned lead_of_3 = lead & ~els_mask(els_below(bytes, 0xe0 - 0x100));
        if (!(special | due >> 16)) return at;
        due = due >> 16 | lead << 1 | lead_of_3 << 2;
        after_e0 = after_e0 >> 16 | els_mask(els_equal(bytes, 0xe0)) << 1;
        after_ed = after_ed >> 16 | els_mask(els_equal(bytes, 0xed)) << 1;
        bad = ((due ^ tail) & 0xffff) | (special & ~(lead | tail)) | (after_e0 & below_a0) |
              (after_ed & tail & ~below_a0);
        if (bad) {
            at += els_first_bit(bad);
            due >>= els_first_bit(bad);
            break;
        }
        at += 16;
        if (at == end) due >>= 16;
    }
    if (due & 1) at -= at[-1] >= 0xc0 ? 1 : 2;
    return at;
}

/* Returns the first special byte, or the end. */
ELS_INLINE const unsigned char *els_text_span(const unsigned char *at, const unsigned char *end)
{
    unsigned special;

    while (end - at >= 16) {
        special = els_special_mask(els_load(at, 16));
        if (special) return at + els_first_bit(special);
        at += 16;
    }
    if (end - at >= 8) return els_place(at, end, els_first_bit(els_special_mask(els_load_eights(at, end)) | 0x10000), 8);
    if (end - at >= 4) return els_place(at, end, els_first_bit(els_special_mask(els_load_fours(at, end))), 4);
    return els_text_span_bytes(at, end);
}

/* Returns a mask with one bit for each digit. */
ELS_INLINE unsigned els_digit_mask(__m128i bytes)
{
    __m128i shifted = _mm_add_epi8(bytes, _mm_set1_epi8(0x7f - '9'));

    return els_mask(_mm_cmpgt_epi8(shifted, _mm_set1_epi8(0x7f - 10)));
}

/* Returns a mask with one bit for each of 16 bytes that is no digit, and one after them. */
ELS_INLINE unsigned els_other_than_digits(const unsigned char *at)
{
    return els_digit_mask(els_load(at, 16)) ^ 0x1ffff;
}

/* Returns the first byte that is not a digit, or the end. */
ELS_INLINE const unsigned char *els_digit_span(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 16) {
        unsigned digits = els_digit_mask(els_load(at, 16));
        if (digits != 0xffff) return at + els_first_bit(~digits);
        at += 16;
    }
    if (end - at >= 8) return els_place(at, end, els_first_bit(els_digit_mask(els_load_eights(at, end)) ^ 0x1ffffu), 8);
    while (at < end && (unsigned char)(*at - '0') < 10)
        at++;
    return at;
}

/* Returns the first byte that is not whitespace, or the end. (els_blank_span is the same, as a call.) */
ELS_INLINE const unsigned char *els_blank_run(const unsigned char *at, const unsigned char *end)
{
    while (at < end) {
        __m128i bytes = els_load(at, (size_t)(end - at));
        __m128i ends = _mm_or_si128(els_equal(bytes, '\n'), els_equal(bytes, '\r'));
        unsigned blank = els_mask(_mm_or_si128(_mm_or_si128(els_equal(bytes, ' '), els_equal(bytes, '\t')), ends));
        if (blank != 0xffff) return at + els_first_bit(~blank);
        at += 16;
    }
    return at;
}

#elif defined(ELS_NEON)

/* Returns a mask with four bits for each special byte. */
ELS_INLINE uint64_t els_special_16(const unsigned char *at)
{
    uint8x16_t bytes = vld1q_u8(at);
    uint8x16_t quotes = vceqq_u8(bytes, vdupq_n_u8('"'));
    uint8x16_t slashes = vceqq_u8(bytes, vdupq_n_u8('\\'));
    uint8x16_t low = vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20));
    uint8x16_t special = vorrq_u8(vorrq_u8(quotes, slashes), low);

    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(special), 4)), 0);
}

ELS_INLINE const unsigned char *els_text_span(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 16) {
        uint64_t mask = els_special_16(at);
        if (mask) return at + els_first_bit(mask) / 4;
        at += 16;
    }
    return els_text_span_bytes(at, end);
}

#else

/* Nonzero if one of eight bytes is special. The subtractions may also mark others, but only if
   one is special. */
ELS_INLINE uint64_t els_special_8(const unsigned char *at)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t word, quotes, slashes;

    memcpy(&word, at, sizeof word);
    quotes = word ^ ones * '"';
    slashes = word ^ ones * '\\';
    return ((word - ones * 0x20) | word | ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes)) & ones * 0x80;
}

ELS_INLINE const unsigned char *els_text_span(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 8 && !els_special_8(at))
        at += 8;
    return els_text_span_bytes(at, end);
}

#endif

/* What may follow the first byte of a character (RFC 3629, 4). */
typedef struct els_lead {
    uint8_t more; /* how many bytes follow; 0: no character of more than one byte starts with it */
    uint8_t low;  /* the second byte is from low to high, the others from 80 to BF */
    uint8_t high;
} els_lead;

ELS_INLINE els_lead els_lead_of(unsigned char byte)
{
    els_lead lead;

    lead.more = (uint8_t)(byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : byte < 0xf5 ? 3 : 0);
    lead.low = (uint8_t)(byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80);
    lead.high = (uint8_t)(byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf);
    return lead;
}

ELS_INLINE int els_is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Returns the size of the valid character of more than one byte that begins here; 0 if none does. Reads four bytes. */
ELS_INLINE size_t els_character_size(const unsigned char *at)
{
    els_lead lead;

    if (at[0] < 0xe0) return at[0] >= 0xc2 && els_is_continuation(at[1]) ? 2 : 0;
    lead = els_lead_of(at[0]);
    if (at[1] < lead.low || at[1] > lead.high || !els_is_continuation(at[2])) return 0;
    if (at[0] < 0xf0) return 3;
    return lead.more == 3 && els_is_continuation(at[3]) ? 4 : 0;
}

/* Skips whole, valid characters of more than one byte. Returns the first byte of ASCII, or of a
   character that is invalid or cut off by the end; or the end. */
ELS_INLINE const unsigned char *els_utf8_run(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 4 && *at >= 0x80) {
        size_t size = els_character_size(at);
        if (size == 0) return at;
        at += size;
    }
    while (at < end && *at >= 0x80) {
        unsigned char padded[4] = { 0, 0, 0, 0 };
        size_t size;
        memcpy(padded, at, (size_t)(end - at) & 3); /* less than 4 are left */
        size = els_character_size(padded);
        if (size == 0) return at;
        at += size;
    }
    return at;
}

/* els_text_start, byte by byte. */
ELS_INLINE size_t els_text_start_bytes(const unsigned char *at, size_t left, unsigned char *to)
{
    size_t i, size = left < 16 ? left : 16;

    for (i = 0; i < size && !els_is_special(at[i]); i++)
        to[i] = at[i];
    return i;
}

#ifndef ELS_SSE2

ELS_INLINE const unsigned char *els_text_characters(const unsigned char *at, const unsigned char *end)
{
    (void)end;
    return at;
}

ELS_INLINE size_t els_text_start(const unsigned char *at, size_t left, unsigned char *to)
{
    return els_text_start_bytes(at, left, to);
}

ELS_INLINE const unsigned char *els_digit_span(const unsigned char *at, const unsigned char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

ELS_INLINE const unsigned char *els_blank_run(const unsigned char *at, const unsigned char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

#endif

ELS_NOINLINE const unsigned char *els_blank_span(const unsigned char *at, const unsigned char *end)
{
    return els_blank_run(at, end);
}

/* What two texts have in common at their beginning, in bytes. */

#if defined(ELS_SSE2)

ELS_INLINE size_t els_text_common_run(const unsigned char *a, const unsigned char *b, size_t size)
{
    size_t i = 0;

    for (; size - i >= 16; i += 16) {
        unsigned same = els_mask(_mm_cmpeq_epi8(els_load(a + i, 16), els_load(b + i, 16)));
        if (same != 0xffff) return i + els_first_bit(~same);
    }
    return i;
}

#else

ELS_INLINE size_t els_text_common_run(const unsigned char *a, const unsigned char *b, size_t size)
{
    uint64_t x, y;
    size_t i = 0;

    for (; size - i >= 8; i += 8) {
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        if (x != y) return i;
    }
    return i;
}

#endif

ELS_INLINE size_t els_text_common(const unsigned char *a, const unsigned char *b, size_t size)
{
    size_t i = els_text_common_run(a, b, size);
    uint64_t x, y;

    if (size - i >= 8) {
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        if (x == y) i += 8;
    }
    while (i < size && a[i] == b[i])
        i++;
    return i;
}

/* Line ends. */

ELS_INLINE int els_is_line_end(unsigned char byte)
{
    return byte == '\n' || byte == '\r';
}

#if defined(ELS_SSE2)

/* Returns the first CR or LF, or the end. */
ELS_PRIVATE const unsigned char *els_line_end(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 16) {
        __m128i bytes = els_load(at, 16);
        unsigned ends = els_mask(_mm_or_si128(els_equal(bytes, '\n'), els_equal(bytes, '\r')));
        if (ends) return at + els_first_bit(ends);
        at += 16;
    }
    while (at < end && !els_is_line_end(*at))
        at++;
    return at;
}

#else

/* Nonzero if one of eight bytes is below 0x0E. CR and LF are, and few other bytes of a text. */
ELS_INLINE uint64_t els_word_has_low(const unsigned char *at)
{
    const uint64_t ones = ~(uint64_t)0 / 255;
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return (word - ones * 0x0E) & ~word & ones * 0x80;
}

/* Returns the first CR or LF, or the end. */
ELS_PRIVATE const unsigned char *els_line_end(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *stop;

    while (end - at >= 16) {
        if (!(els_word_has_low(at) | els_word_has_low(at + 8))) {
            at += 16;
            continue;
        }
        for (stop = at + 16; at < stop; at++)
            if (els_is_line_end(*at)) return at;
    }
    while (at < end && !els_is_line_end(*at))
        at++;
    return at;
}

#endif

/* Does what els_text_plain does, from a byte that is not ASCII. */
ELS_NOINLINE const unsigned char *els_text_beyond_ascii(const unsigned char *at, const unsigned char *end)
{
    while (at < end && *at >= 0x80) {
        const unsigned char *run;
        if (end - at <= els_lead_of(*at).more) return at;
        run = els_text_characters(at, end);
        if (run == at) run = els_utf8_run(at, end);
        if (run == at) return at;
        at = els_text_span(run, end);
    }
    return at;
}

/* Returns the first byte of a JSON string that is not valid plain text: a quote, a backslash, a
   control character, a character that is invalid or cut off by the end; or the end. */
ELS_INLINE const unsigned char *els_text_plain(const unsigned char *at, const unsigned char *end)
{
    at = els_text_span(at, end);
    return ELS_LIKELY(at == end || *at < 0x80) ? at : els_text_beyond_ascii(at, end);
}

/* Returns `size`, or up to three less, so that the text does not end inside a character. Reads text[size]. */
ELS_PRIVATE size_t els_whole_characters(const unsigned char *text, size_t size)
{
    while (size > 0 && els_is_continuation(text[size]))
        size--;
    return size;
}

size_t elelem_utf8_valid(elelem_str text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    const unsigned char *end = text.size > 0 ? at + text.size : at;

    while (at < end) {
        const unsigned char *run = *at < 0x80 ? at + 1 : els_utf8_run(at, end);
        if (run == at) break;
        at = run;
    }
    return text.size - (size_t)(end - at);
}

/* Returns the offset of the line end or character that has the byte at the offset. */
ELS_PRIVATE size_t els_position_start(const unsigned char *text, size_t offset)
{
    size_t back = 0;

    if (text[offset] == '\n' && offset > 0 && text[offset - 1] == '\r') return offset - 1;
    while (back < 3 && back < offset && els_is_continuation(text[offset - back]))
        back++;
    return els_lead_of(text[offset - back]).more >= back ? offset - back : offset;
}

elelem_text_position elelem_text_position_of(elelem_str text, uint64_t offset)
{
    size_t end = offset < text.size ? (size_t)offset : text.size, at;
    elelem_text_position position;
    int was_return = 0;

    if (end < text.size) end = els_position_start((const unsigned char *)text.data, end);
    position.line = position.column = 1;
    for (at = 0; at < end; at++) {
        unsigned char byte = (unsigned char)text.data[at];
        if (byte == '\n' && was_return) position.line--;
        if (byte == '\n' || byte == '\r') {
            position.line++;
            position.column = 1;
        } else if ((byte & 0xc0) != 0x80) {
            position.column++;
        }
        was_return = byte == '\r';
    }
    return position;
}

size_t elelem_utf8_encode(uint32_t character, char bytes[4])
{
    if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) character = 0xfffd;
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        bytes[0] = (char)(0xc0 | character >> 6);
        bytes[1] = (char)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character < 0x10000) {
        bytes[0] = (char)(0xe0 | character >> 12);
        bytes[1] = (char)(0x80 | (character >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (character & 0x3f));
        return 3;
    }
    bytes[0] = (char)(0xf0 | character >> 18);
    bytes[1] = (char)(0x80 | (character >> 12 & 0x3f));
    bytes[2] = (char)(0x80 | (character >> 6 & 0x3f));
    bytes[3] = (char)(0x80 | (character & 0x3f));
    return 4;
}

/* Digits, and whitespace as in JSON, tags and headers. */

/* Returns the value of a hexadecimal digit, -1 for any other byte. */

ELS_INLINE int els_hex_digit(unsigned char byte)
{
    if (byte >= '0' && byte <= '9') return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

ELS_INLINE int els_is_blank(unsigned char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Returns a text without the whitespace around it. */
ELS_PRIVATE elelem_str els_trimmed(elelem_str text)
{
    while (text.size > 0 && els_is_blank((unsigned char)text.data[text.size - 1]))
        text.size--;
    while (text.size > 0 && els_is_blank((unsigned char)text.data[0]))
        text = els_str(text.data + 1, text.size - 1);
    return text;
}

/* Copies up to 16 bytes, by loads and stores that overlap. */
ELS_INLINE void els_copy_few(unsigned char *to, const unsigned char *from, size_t size)
{
    if (size >= 8) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + size - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + size - 8, &last, 8);
    } else {
        while (size-- > 0)
            to[size] = from[size];
    }
}

/* Skips whitespace; zero if nothing else is left. */
ELS_INLINE int els_skip_blanks(els_cursor *in)
{
    const unsigned char *at = in->at;

    if (at < in->end && els_is_blank(*at)) {
        at++;
        if (at < in->end && els_is_blank(*at)) at = els_blank_span(at, in->end);
        in->at = at;
    }
    return at < in->end;
}

#endif
