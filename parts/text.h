/* >> text
 *
 * UTF-8 (RFC 3629), and the fast scan to the next byte that matters to a JSON parser.
 */
#ifndef ELELEM_TEXT_H
#define ELELEM_TEXT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns how many bytes from the start are whole, valid characters: the size of the text
   if it is valid UTF-8, else the offset of the first character that is invalid or cut off by
   the end. Surrogates, overlong forms and characters above U+10FFFF are invalid. */
ELELEM_API size_t elelem_utf8_valid(elelem_str text);

/* Where a byte is in a text, both from 1, as editors count. */
typedef struct elelem_text_position {
    size_t line;
    size_t column; /* in characters */
} elelem_text_position;

/* Returns the position of the byte at the offset, for messages about errors in a text that is at hand. Lines end in LF,
   CR LF or CR. All bytes of a character, and both of CR LF, have one position. An offset beyond the end counts as the
   end. The text is read up to the offset. */
ELELEM_API elelem_text_position elelem_text_position_of(elelem_str text, uint64_t offset);

/* Writes the character to `bytes` and returns its size, 1 to 4. Instead of a surrogate or a
   character above U+10FFFF, U+FFFD is written. */
ELELEM_API size_t elelem_utf8_encode(uint32_t character, char bytes[4]);

#ifdef __cplusplus
}
#endif

#endif
