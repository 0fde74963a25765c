/* >> number
 *
 * Converts the text of a JSON number to the machine's numbers, exactly or correctly
 * rounded, without locale, memory or the C library's parsers. Parsers do not convert:
 * a number stays text until the caller reads it.
 */
#ifndef ELELEM_NUMBER_H
#define ELELEM_NUMBER_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Convert a number's text to an integer. `1e2`, `5.0` and `-0` are integers too, because the
   value decides, not the spelling (RFC 8259, 6).
   OK; ERROR_NOT_INTEGER: it has a fraction; ERROR_RANGE: an integer that does not
   fit; ERROR_SYNTAX: no JSON number. `*value` is set only if OK is returned. */
ELELEM_API elelem_status elelem_number_to_int64(elelem_str text, int64_t *value);
ELELEM_API elelem_status elelem_number_to_uint64(elelem_str text, uint64_t *value);

/* Converts a number's text to the nearest double, ties to even, for any number of digits.
   `-0` keeps its sign.
   OK; ERROR_RANGE: it rounds to more than the largest double, `*value` is then an infinity of
   the number's sign; ERROR_SYNTAX: no JSON number, `*value` is not set. A number that is too
   small becomes a zero of its sign, which is OK. */
ELELEM_API elelem_status elelem_number_to_double(elelem_str text, double *value);

#ifdef __cplusplus
}
#endif

#endif
