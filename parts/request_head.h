/* >> request_head
 *
 * The path of a request, and its head for those whose HTTP stack is a socket. Everything but the body, which
 * elelem_request_write writes.
 */
#ifndef ELELEM_REQUEST_HEAD_H
#define ELELEM_REQUEST_HEAD_H

#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a head has in addition to what the request and its provider say. */
typedef struct elelem_request_head {
    elelem_str host;         /* such as "api.openai.com"; with a port if it is not the usual one */
    elelem_str key;          /* goes into the provider's header for it; empty: no such header */
    elelem_str path;         /* empty: that of the provider */
    elelem_str headers;      /* the caller's own, each with CR and LF at its end; one with the name of the provider's other
                                header, such as anthropic-version, replaces that */
    uint64_t content_length; /* bytes of the body */
} elelem_request_head;

/* Writes the provider's path for this request, streamed or whole, with the model in it if it belongs there: characters
   that a path may not have are percent-encoded (RFC 3986). {project} and {location} stay: see elelem_provider. OK or the sink's error; ERROR_MISUSE, and nothing is written:
   no provider, or the path needs a model and there is none. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_request_path_write(const elelem_request *request, elelem_sink sink);

/* Writes an HTTP/1.1 request head (RFC 9112): POST, path, Host, Content-Type, Accept, Content-Length, key, other header
   of the provider, and the empty line. Returns as elelem_request_path_write does. ERROR_MISUSE also: no host; host,
   key or path with a control character or a blank; headers that do not end with CR and LF. */
ELELEM_API ELELEM_CHECKED elelem_status elelem_request_head_write(const elelem_request *request,
                                                                  const elelem_request_head *head, elelem_sink sink);

#ifdef __cplusplus
}
#endif

#endif
