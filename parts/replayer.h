/* >> replayer
 *
 * Reads JSON lines and returns the events, from pieces of a recording cut anywhere.
 */
#ifndef ELELEM_REPLAYER_H
#define ELELEM_REPLAYER_H

#include "fragment.h"
#include "writer.h"
#include "line.h"
#include "recorder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How far a replayer has come: what was returned or passed over. */
typedef struct elelem_replay_position {
    uint64_t items;
    uint64_t lines;
    uint64_t offset; /* of the byte after the last of these lines */
} elelem_replay_position;

/* A replayer holds at most 2 * max_line_bytes + 16384 bytes. It reads whatever a recorder writes, if the lines are
   not longer than it allows. */
typedef struct elelem_replayer_desc {
    elelem_allocator allocator;    /* for lines cut by the end of a push, escapes, metadata and extra members */
    elelem_replay_position start;  /* the position of the first byte pushed, if the caller seeks in a file */
    uint64_t first;                /* items up to this number are checked and passed over; TEXT: bytes, which are not checked */
    uint64_t max_line_bytes;       /* of one object; 0: 16 MiB. ERROR_LINE_SIZE */
    uint8_t format;                /* LINES or TEXT. To read SSE, push the data that a decoder returns */
    uint8_t lines;                 /* nonzero: every item is a LINE */
} elelem_replayer_desc;

typedef struct elelem_replayer {
    els_input els_lent;
    elelem_fragment_parser els_check;
    els_line_reader els_reader;
    elelem_buffer els_kept;     /* the object so far, if it was cut */
    elelem_str els_raw;         /* the part of the object that is in the bytes lent now */
    elelem_replay_position els_start;
    elelem_replay_position els_at;
    uint64_t els_first;
    uint64_t els_max_line;
    uint64_t els_object;        /* offset of the object's brace */
    uint64_t els_error_offset;
    int32_t els_status;         /* an elelem_status: the error that sticks */
    uint8_t els_state;
    uint8_t els_format;
    uint8_t els_lines;
    uint8_t els_carry_size;
    unsigned char els_carry[4];
} elelem_replayer;

/* Zeroes mean the defaults above; `desc` may be null. */
ELELEM_API void elelem_replayer_init(elelem_replayer *replayer, const elelem_replayer_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE
   since the last push, or finish was called, or `bytes` is null. A refused push must be repeated,
   see elelem_error. After an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_replayer_push(elelem_replayer *replayer, const void *bytes, size_t size);

/* OK: an item, as soon as its line ends. MORE: push again, or finish. END: finish was
   called and no item is left. Lines end with LF or CRLF; empty lines and whitespace around an
   object are ignored. Errors, which stick until reset: those of the fragment parser,
   as strict; ERROR_SYNTAX also at the first byte of what is not an object, and at a line
   end inside one; ERROR_TRUNCATED: finish inside one; ERROR_LINE_SIZE; ERROR_MEMORY;
   ERROR_MISUSE: a push was refused and not repeated.
   In the format TEXT the items are message parts of index 0 holding whole characters. */
ELELEM_API elelem_status elelem_replayer_next(elelem_replayer *replayer, elelem_record_item *item);

/* No more bytes will come: the last line needs no line feed. */
ELELEM_API void elelem_replayer_finish(elelem_replayer *replayer);

/* Returns how far it has come: all before `offset` is whole, even if the recording was cut off or
   is bad after it. */
ELELEM_API elelem_replay_position elelem_replayer_position(const elelem_replayer *replayer);

/* Returns the number of the line being read, from 1: that of an error. */
ELELEM_API uint64_t elelem_replayer_line_number(const elelem_replayer *replayer);

ELELEM_API elelem_error elelem_replayer_error(const elelem_replayer *replayer);
ELELEM_API void elelem_replayer_reset(elelem_replayer *replayer); /* keeps the memory; back to desc.start */
ELELEM_API void elelem_replayer_free(elelem_replayer *replayer);

#ifdef __cplusplus
}
#endif

#endif
