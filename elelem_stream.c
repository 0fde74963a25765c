/* For builds that want a translation unit: the functions of elelem_stream.h. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"
