/* >> body
 *
 * Reads the body of an HTTP response as JSON documents: one for each frame of an event stream,
 * or for each element of an array. It reports when a body is neither. It belongs to stream and
 * has no public functions; what a document means, and when a response is over, it does not know.
 */
#ifndef ELELEM_BODY_H
#define ELELEM_BODY_H

#include "fragment.h"
#include "passage.h"
#include "repeat.h"
#include "sse.h"
#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Private. */
typedef struct els_body {
    elelem_sse_decoder decoder;
    elelem_fragment_parser parser;
    elelem_fragment_aggregator document;
    elelem_patterns wanted; /* the patterns of the document at hand */
    els_path_index index;   /* of the patterns used last */
    els_passage passage;    /* of a value that is passed on and not stored in the document */
    elelem_str piece;       /* of it, found last */
    els_cursor rest;        /* of the text that is being read: what comes after that piece, if has_rest */
    const elelem_patterns *patterns; /* what documents keep, looked at when one begins; stream sets it, as the next */
    const elelem_patterns *whole_patterns; /* what a whole response keeps; null: a body that is one object is none */
    const elelem_patterns *array_patterns; /* what an array keeps that is no list of documents */
    elelem_str event_name;  /* of the frame found last, empty if it has none */
    elelem_error error;     /* of what was found last */
    uint64_t begin;         /* offset of the first byte that may belong to the current document */
    uint8_t has_rest;       /* `rest` is to be read first */
    uint8_t kind;           /* an els_body_kind: what the body turned out to be */
    uint8_t json;           /* an els_body_json: how much of a document the current text is */
    uint8_t source;         /* an els_body_source: data or lines */
    uint8_t done;           /* how many bytes of [DONE] it is, ELS_BODY_NOT_DONE for none */
    uint8_t is_found;       /* the document was returned, and the next call forgets it */
    uint8_t mark;           /* bytes of a byte order mark at the start */
    uint8_t array;          /* an els_body_array: what the array waits for */
    uint8_t line;           /* an els_body_line: how far a line is that is no field */
    uint8_t heard;          /* an els_body_heard: what the event stream held so far */
    uint8_t is_cut;         /* the body ended inside an event */
    uint8_t has_frame;      /* the input is a whole frame from the caller's own client */
    uint8_t may_be_array;   /* an array is a list of documents; stream sets it, as the next */
    uint8_t is_refusal;     /* anything may come, and only the first document counts */
    uint8_t is_held;        /* more of the last push follows the input's bytes; stream sets it */
    uint8_t stores_passing; /* stream sets it: the value that began to pass is stored after all */
    uint8_t stores_lists;   /* stream sets it: lists of this document are no longer found */
    uint8_t had_list;       /* one was found before the one that is found */
    uint16_t row;           /* of the element that begins, if `list` */
    els_halves halves;      /* of the document */
    uint32_t list;          /* the list that is to be worked off, found last; 0: none */
    elelem_fragment element; /* if `list`: the BEGIN of the element after those that are in it */
    uint32_t short_list;    /* elements of no more bytes stay in their list */
    els_repeat repeat;      /* the frame before, if frames may be like it */
    const uint16_t *elements; /* rows of elements of lists in bodies that are one object, or an array; null: none */
} els_body;

#ifdef __cplusplus
}
#endif

#endif
