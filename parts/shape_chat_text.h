/* >> shape_chat_text
 *
 * What of the chunks of chat completions is read: texts, reasoning, and what is known of the response. It
 * belongs to shape_chat and has no public functions.
 */
#ifndef ELELEM_SHAPE_CHAT_TEXT_H
#define ELELEM_SHAPE_CHAT_TEXT_H

#include "shape.h"

#endif
