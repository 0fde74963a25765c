#ifndef ELS_REQUEST_HEAD_C
#define ELS_REQUEST_HEAD_C
#include "request_head.h"
#include "base.c"
#include "writer.c"

/* >> request_head */

/* Writes to a sink until it refuses. */
typedef struct els_head {
    elelem_sink sink;
    elelem_status status;
} els_head;

ELS_PRIVATE void els_head_put(els_head *head, elelem_str text)
{
    if (head->status == ELELEM_OK) head->status = els_sink_put(&head->sink, text);
}

ELS_PRIVATE void els_head_puts(els_head *head, const char *text)
{
    els_head_put(head, elelem_str_of(text));
}

/* Writes a header; its value is the three texts. */
ELS_PRIVATE void els_head_line(els_head *head, const char *name, const char *prefix, elelem_str value)
{
    els_head_puts(head, name);
    els_head_puts(head, ": ");
    els_head_puts(head, prefix);
    els_head_put(head, value);
    els_head_puts(head, "\r\n");
}

ELS_PRIVATE int els_is_path_byte(unsigned char byte)
{
    unsigned char letter = byte | 0x20;

    if ((letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9')) return 1;
    return byte != 0 && strchr("-._~:/@", byte) != NULL;
}

ELS_PRIVATE void els_head_model(els_head *head, elelem_str model)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t i;

    for (i = 0; i < model.size; i++) {
        unsigned char byte = (unsigned char)model.data[i];
        char escape[3] = { '%', '0', '0' };
        escape[1] = digits[byte >> 4];
        escape[2] = digits[byte & 15];
        els_head_put(head, els_is_path_byte(byte) ? els_str(model.data + i, 1) : els_str(escape, 3));
    }
}

/* Returns the model's place in a path; null if it has none. */
ELS_PRIVATE const char *els_head_model_place(const char *path)
{
    while (*path && strncmp(path, "{model}", 7) != 0)
        path++;
    return *path ? path : NULL;
}

ELS_PRIVATE elelem_status els_head_path(els_head *head, const elelem_request *request)
{
    const char *path, *place;

    if (!request->provider) return ELELEM_ERROR_MISUSE;
    path = request->whole ? request->provider->whole_path : request->provider->path;
    place = els_head_model_place(path);
    if (place && request->model.size == 0) return ELELEM_ERROR_MISUSE;
    els_head_put(head, place ? els_str(path, (size_t)(place - path)) : elelem_str_of(path));
    if (place) els_head_model(head, request->model);
    if (place) els_head_puts(head, place + 7);
    return head->status;
}

elelem_status elelem_request_path_write(const elelem_request *request, elelem_sink sink)
{
    els_head head;

    head.sink = sink;
    head.status = ELELEM_OK;
    return els_head_path(&head, request);
}

/* Nonzero if a text can be part of a line. */
ELS_PRIVATE int els_head_takes(elelem_str text)
{
    size_t i;

    for (i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] <= ' ' || text.data[i] == 0x7f) return 0;
    return 1;
}

/* Nonzero if one of the caller's headers, each of which ends with a line feed, has this name. */
ELS_PRIVATE int els_head_has(elelem_str headers, const char *name)
{
    size_t size = strlen(name), at = 0, i;

    while (at + size < headers.size) {
        for (i = 0; i < size && (headers.data[at + i] | 0x20) == (name[i] | 0x20);)
            i++;
        if (i == size && headers.data[at + i] == ':') return 1;
        while (headers.data[at++] != '\n')
            ;
    }
    return 0;
}

ELS_PRIVATE int els_head_is_good(const elelem_request *request, const elelem_request_head *h)
{
    size_t size = h->headers.size;

    if (!request->provider || h->host.size == 0) return 0;
    if (h->path.size == 0 && els_head_model_place(request->provider->path) && request->model.size == 0) return 0;
    if (size > 0 && (size < 2 || memcmp(h->headers.data + size - 2, "\r\n", 2) != 0)) return 0;
    return els_head_takes(h->host) && els_head_takes(h->key) && els_head_takes(h->path);
}

ELS_PRIVATE void els_head_length(els_head *head, uint64_t length)
{
    elelem_writer writer;

    els_head_puts(head, "Content-Length: ");
    if (head->status != ELELEM_OK) return;
    elelem_writer_init(&writer, head->sink, 0);
    head->status = elelem_writer_uint64(&writer, length);
    els_head_puts(head, "\r\n");
}

elelem_status elelem_request_head_write(const elelem_request *request, const elelem_request_head *head, elelem_sink sink)
{
    const elelem_provider *provider = request->provider;
    els_head out;

    out.sink = sink;
    out.status = ELELEM_OK;
    if (!els_head_is_good(request, head)) return ELELEM_ERROR_MISUSE;
    els_head_puts(&out, "POST ");
    if (head->path.size > 0) els_head_put(&out, head->path);
    else els_head_path(&out, request);
    els_head_puts(&out, " HTTP/1.1\r\n");
    els_head_line(&out, "Host", "", head->host);
    els_head_line(&out, "Content-Type", "", elelem_str_of("application/json"));
    els_head_line(&out, "Accept", "", elelem_str_of(request->whole ? "application/json" : "text/event-stream"));
    els_head_length(&out, head->content_length);
    if (head->key.size > 0) els_head_line(&out, provider->key_header, provider->key_prefix, head->key);
    if (provider->other_header[0] && !els_head_has(head->headers, provider->other_header))
        els_head_line(&out, provider->other_header, "", elelem_str_of(provider->other_value));
    els_head_put(&out, head->headers);
    els_head_puts(&out, "\r\n");
    return out.status;
}

#endif
