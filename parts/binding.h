/* >> binding
 *
 * For callers in other languages, which load a shared library and see no header: how large its structs are, and its
 * version.
 */
#ifndef ELELEM_BINDING_H
#define ELELEM_BINDING_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the bytes of a public struct by its name, such as "elelem_turn": of an object, a desc, or what a call takes or
   gives; not of what a shape is made of. 0 if the name is unknown or null. A caller allocates so many bytes, aligned for any
   object, sets those of a desc to zero, and passes them to X_init. One that mirrors a struct compares its own size with this one when it starts. */
ELELEM_API size_t elelem_size_of(const char *name);

/* Returns ELELEM_VERSION as the functions were compiled with it. */
ELELEM_API const char *elelem_version(void);

#ifdef __cplusplus
}
#endif

#endif
