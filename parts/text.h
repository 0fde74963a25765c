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

/* Writes the character to `bytes` and returns its size, 1 to 4. Instead of a surrogate or a
   character above U+10FFFF, U+FFFD is written. */
ELELEM_API size_t elelem_utf8_encode(uint32_t character, char bytes[4]);

#ifdef __cplusplus
}
#endif

#endif
