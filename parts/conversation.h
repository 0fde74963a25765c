/* >> conversation
 *
 * A conversation for those who just want to talk: the lines of talk in one growing block. What the user says, what a turn
 * yields and the results of tools go in; the history of the next request comes out. It adds no rule of its own.
 */
#ifndef ELELEM_CONVERSATION_H
#define ELELEM_CONVERSATION_H

#include "turn.h"
#include "talk.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct elelem_conversation {
    elelem_buffer els_lines;
    size_t els_results;  /* if a response is being read: the offset of its results; the end of the lines if there are none yet */
    uint8_t els_is_open; /* a response is being read */
} elelem_conversation;

/* Takes no memory yet. `max_bytes`: of the lines, 0: no limit. A zeroed allocator is the C library's. */
ELELEM_API void elelem_conversation_init(elelem_conversation *conversation, elelem_allocator allocator, size_t max_bytes);

/* These add a line or, if they return an error, nothing. OK; ERROR_MEMORY; ERROR_VALUE_SIZE: more than max_bytes;
   ERROR_MISUSE: as elelem_talk_user and elelem_talk_result_write. */

/* What the user says. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_conversation_user(elelem_conversation *conversation, elelem_str text);
ELELEM_API ELELEM_CHECKED elelem_status elelem_conversation_images(elelem_conversation *conversation, elelem_str text,
                                                                   const elelem_talk_image *images, size_t count);

/* Takes an update of a turn: items that are over are kept, all others ignored. Call it with every update, also the last:
   that is how the end of the response is known. An item comes before the results of its response that are there already, which
   are moved: so the time is in proportion to these too. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_conversation_add(elelem_conversation *conversation,
                                                                const elelem_turn_update *update);

/* The result of a call, at once when its update was added or any time before the next request. It comes after all items of
   the response, so that it may be added while the response is still being read. A call that could not
   be added must have none: elelem_request_write refuses a result without its call. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_conversation_result(elelem_conversation *conversation,
                                                                   const elelem_tool_call *call, elelem_str text, int failed);
ELELEM_API ELELEM_CHECKED elelem_status elelem_conversation_add_result(elelem_conversation *conversation,
                                                                       const elelem_talk_result *result);

/* Returns the lines, for elelem_request.history or for storage; valid until the next call that changes them. */
ELELEM_API elelem_str elelem_conversation_text(const elelem_conversation *conversation);

/* Replaces all lines by stored ones, which are checked and copied, and must not be its own; max_bytes counts both. OK; if the lines are refused, the error of
   elelem_request_write for them, and nothing has changed. */
ELELEM_API ELELEM_CHECKED elelem_error elelem_conversation_set_text(elelem_conversation *conversation, elelem_str lines);

/* Takes back the last turn: what the user said last, in one line or in several that follow each other, and everything after it. Returns the number of bytes removed. */
ELELEM_API size_t elelem_conversation_take_back(elelem_conversation *conversation);

/* Removes the oldest turns until at most `max_bytes` are left, but not the last one. A call stays together with its
   result. Returns the number of bytes left, which is more than max_bytes if the last turn alone is. */
ELELEM_API size_t elelem_conversation_cut(elelem_conversation *conversation, size_t max_bytes);

/* The same as elelem_talk_patch. A response that is being added is over then. */
ELELEM_API size_t elelem_conversation_patch(elelem_conversation *conversation, const elelem_patch *patches, size_t count);

ELELEM_API void elelem_conversation_clear(elelem_conversation *conversation); /* keeps the memory */
ELELEM_API void elelem_conversation_free(elelem_conversation *conversation);

#ifdef __cplusplus
}
#endif

#endif
