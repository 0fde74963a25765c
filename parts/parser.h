/* >> parser
 *
 * The parser of fragments: push bytes, take fragments. What is frequent it reads fast; the rest it leaves to the steps of
 * fragment.
 */
#ifndef ELELEM_PARSER_H
#define ELELEM_PARSER_H

#include "fragment.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first container, or before a
   push cuts a number at the root. */
ELELEM_API void elelem_fragment_parser_init(elelem_fragment_parser *parser, const elelem_fragment_parser_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE since
   the last push, even if it returned END (call restart and then next, until it returns MORE); or
   finish was called; or `bytes` is null. A refused push must be repeated, see elelem_error. After
   an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_fragment_parser_push(elelem_fragment_parser *parser, const void *bytes, size_t size);

/* OK: a fragment. MORE: push again, or finish. END: the root value is complete.
   Errors, which stick until reset: ERROR_SYNTAX, ERROR_UTF8, ERROR_SURROGATE,
   ERROR_TRUNCATED (only after finish), ERROR_COUNT (more than 2^32 elements), ERROR_MEMORY,
   those of the limits, and ERROR_MISUSE if a push was refused and not repeated. */
ELELEM_API elelem_status elelem_fragment_parser_next(elelem_fragment_parser *parser, elelem_fragment *fragment);

/* No more bytes will come. A number at the root ends here. */
ELELEM_API void elelem_fragment_parser_finish(elelem_fragment_parser *parser);

/* Returns the error that sticks; status OK if there is none. */
ELELEM_API elelem_error elelem_fragment_parser_error(const elelem_fragment_parser *parser);

/* Returns the path of the current value; after an error that of the value in which it happened. Valid until the next
   call on the parser. */
ELELEM_API const elelem_path *elelem_fragment_parser_path(const elelem_fragment_parser *parser);

/* Returns how many of the pushed bytes are not read yet. After END these follow the value. */
ELELEM_API size_t elelem_fragment_parser_unread(const elelem_fragment_parser *parser);

/* Returns the offset of the next byte to be read, from the start of everything pushed. */
ELELEM_API uint64_t elelem_fragment_parser_offset(const elelem_fragment_parser *parser);

/* After a container's BEGIN or a piece of a string: delivers nothing more of that value, not even
   its DONE. It is still validated. OK; ERROR_MISUSE at any other time; ERROR_MEMORY, which sticks. */
ELELEM_API elelem_status elelem_fragment_parser_skip(elelem_fragment_parser *parser);

/* After END: reads the next value of the same input, for values that follow one another, in lines
   or not. Unread bytes stay lent, and offsets continue. If only whitespace comes before finish,
   next returns END without a fragment. With patterns it does so too if nothing of a value is
   wanted; the input is over if finish was called and unread returns 0. OK; ERROR_MISUSE before
   END, and with single_document. */
ELELEM_API elelem_status elelem_fragment_parser_restart(elelem_fragment_parser *parser);

/* Starts a new input and keeps the memory. */
ELELEM_API void elelem_fragment_parser_reset(elelem_fragment_parser *parser);

/* Frees the memory. A zeroed parser may be freed; one that was freed may be used again after init. */
ELELEM_API void elelem_fragment_parser_free(elelem_fragment_parser *parser);

#ifdef __cplusplus
}
#endif

#endif
