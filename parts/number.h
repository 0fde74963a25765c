/* >> number
 *
 * The text of a JSON number to the machine's numbers: exact or correctly rounded,
 * without locale, memory or the C library's parsers. Nothing on the streaming
 * path calls it: a number stays its text until somebody asks.
 */
#ifndef ELELEM_NUMBER_H
#define ELELEM_NUMBER_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The value of a number's text as an integer. `1e2`, `5.0` and `-0` count as
   integers (RFC 8259, 6: numbers that are equal are the same number).
   OK; ERROR_NOT_INTEGER: it has a fraction; ERROR_RANGE: an integer that does not
   fit; ERROR_SYNTAX: no JSON number. `*value` changes only where the answer is OK. */
ELELEM_API elelem_status elelem_number_to_int64(elelem_str text, int64_t *value);
ELELEM_API elelem_status elelem_number_to_uint64(elelem_str text, uint64_t *value);

/* The nearest double, ties to even, for any count of digits. `-0` keeps its sign.
   OK; ERROR_RANGE: beyond the largest double, `*value` is then an infinity of the
   number's sign; ERROR_SYNTAX: no JSON number, `*value` is untouched. What is too
   small becomes a zero of its sign, which is OK. */
ELELEM_API elelem_status elelem_number_to_double(elelem_str text, double *value);

#ifdef __cplusplus
}
#endif

#endif
