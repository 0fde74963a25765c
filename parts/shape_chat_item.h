/* >> shape_chat_item
 *
 * The provider items of chat completions: images, audio, executed tools, members that are not known. It
 * belongs to shape_chat and has no public functions.
 */
#ifndef ELELEM_SHAPE_CHAT_ITEM_H
#define ELELEM_SHAPE_CHAT_ITEM_H

#include "shape.h"

#endif
