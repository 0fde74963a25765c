/* >> text
 *
 * UTF-8 (RFC 3629), and the fast scan to the next byte that matters.
 */
#ifndef ELELEM_TEXT_H
#define ELELEM_TEXT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many bytes from the start are whole, valid characters. Equal to the size
   where all is valid; else the offset of the first character that is not, or not
   whole. Surrogates, overlong forms and what lies beyond U+10FFFF are not valid. */
ELELEM_API size_t elelem_utf8_valid(elelem_str text);

/* Writes the character to `bytes` and answers its size, 1 to 4. A surrogate or
   anything beyond U+10FFFF is written as U+FFFD. */
ELELEM_API size_t elelem_utf8_encode(uint32_t character, char bytes[4]);

#ifdef __cplusplus
}
#endif

#endif
