/* >> tags
 *
 * Text pushed in pieces of any size, text and tags taken out in order:
 *
 *     Hm. <think id="a">two and two</think> Four.
 *
 *     TEXT "Hm. "   BEGIN think   TEXT "two and two"   END think   TEXT " Four."
 *
 * Only the names the caller lists are tags. Everything else passes byte for byte, and
 * at once: a < b, generics, HTML, code. Held back is no more than what may still become
 * a listed tag. It knows nothing of JSON, of events, nor of what a name means.
 *
 * A tag is
 *
 *     begin     = "<" name *( 1*blank attribute ) *blank [ "/" ] ">"
 *     end       = "</" name *blank ">"
 *     attribute = key [ *blank "=" *blank ( DQUOTE text DQUOTE / "'" text "'" / bare ) ]
 *
 * with space, tab, CR and LF as blanks; a key holds none of  " ' < = / >  and a bare value
 * none of  " ' < >  and does not start with =. A quoted value may hold anything, < and >
 * too. What falls short of this is text, up to the next <, where a tag may begin again.
 * Entities are not decoded. Code fences mean nothing: a listed tag inside one is a tag.
 *
 * Nesting. An end tag closes the innermost open tag of its name, and with it all that were
 * opened inside; each gets an END. One that has nothing to close is an END of its own
 * (ORPHAN) and stays out of the text. What is open when the text ends gets an END
 * (UNCLOSED): its content was handed out as it came, so it is not called text again. A head
 * that the end of the text cuts is text.
 *
 * Limits make text, never an error: a head longer than max_tag_bytes or with more than
 * max_attributes is text (its end tag is then an orphan), and so is a tag inside
 * max_depth others, with the end tag that balances it.
 *
 * For those who know other splitters of this kind: nothing here depends on where the input
 * was cut, white space included; a lone < neither holds back nor loses the text behind it;
 * an unclosed tag costs no memory and is never read again; tags of one name nest; > inside
 * quotes does not end a head; a repeated attribute is two attributes.
 */
#ifndef ELELEM_TAGS_H
#define ELELEM_TAGS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum elelem_tag_kind {
    ELELEM_TAG_TEXT,  /* text, never empty; a valid character is never cut */
    ELELEM_TAG_BEGIN, /* a tag opens: name, id, attributes */
    ELELEM_TAG_END    /* it ends; how tells in which way */
} elelem_tag_kind;

typedef enum elelem_tag_end {
    ELELEM_TAG_OPEN,        /* TEXT, BEGIN: no end yet */
    ELELEM_TAG_CLOSED,      /* by its end tag */
    ELELEM_TAG_SELF_CLOSED, /* <name/>; its BEGIN says so too, and its END follows at once */
    ELELEM_TAG_IMPLIED,     /* by the end tag of one around it, whose END follows */
    ELELEM_TAG_UNCLOSED,    /* by the end of the text */
    ELELEM_TAG_ORPHAN       /* an end tag that closes nothing; id is empty */
} elelem_tag_end;

/* Which white space beside a tag is taken out; may be added. None is by default. */
typedef enum elelem_tag_trim {
    ELELEM_TAG_TRIM_OUTSIDE = 1, /* before a begin tag, behind an end tag, both sides of an orphan */
    ELELEM_TAG_TRIM_INSIDE = 2   /* behind a begin tag, before an end tag */
} elelem_tag_trim;

/* As written, quotes taken off. */
typedef struct elelem_tag_attribute {
    elelem_str name;
    elelem_str value;
    uint8_t has_value; /* zero for <cite draft>, nonzero for draft="" */
} elelem_tag_attribute;

#define ELELEM_NO_TAG 0xffffffffu

/* One item. Slices and attributes are valid until the next call on the splitter; the
   name is the caller's own. TEXT tells the innermost tag it stands in. */
typedef struct elelem_tag_piece {
    elelem_str text;        /* TEXT: a slice of the pushed bytes wherever it was not held back */
    elelem_str raw;         /* BEGIN, END: the tag as written, on the first item it gives; else empty. Without
                               trimming, all text and raw in order are the input */
    elelem_str name;        /* as listed; empty for TEXT outside of all tags */
    elelem_str id;          /* BEGIN, END, TEXT: the first id="..." of the head that is not empty, else made up:
                               think-1, cite-2, counting all that were made up since init or reset */
    const elelem_tag_attribute *attributes; /* BEGIN: in order, id and repeated ones too */
    uint32_t attribute_count;
    uint32_t name_index;    /* into the names listed; ELELEM_NO_TAG for TEXT outside */
    uint32_t depth;         /* BEGIN, END: of the tag, 1 for the outermost; TEXT, ORPHAN: tags open around it */
    uint8_t kind;           /* an elelem_tag_kind */
    uint8_t how;            /* an elelem_tag_end */
    uint8_t id_made_up;     /* nonzero: the id was not written there */
} elelem_tag_piece;

typedef struct elelem_tag_splitter_desc {
    elelem_allocator allocator; /* for one block: ids of the open tags, attributes, a tag cut by a chunk's end */
    const elelem_str *names;    /* must outlive the splitter; null: think, thinking, reasoning. A name with a blank or
                                   one of < > / in it, and an empty one, is never found */
    uint32_t name_count;
    uint32_t max_tag_bytes;     /* from < to >; 0: 4096, at most 16777216. White space to be trimmed before a tag is
                                   held back too: a run of this many bytes or more is kept */
    uint32_t max_attributes;    /* of one tag; 0: 64 */
    uint32_t max_depth;         /* tags inside each other; 0: 64, at most 65536 */
    uint8_t trim;               /* of elelem_tag_trim; 0: nothing is */
    uint8_t ignore_case;        /* nonzero: A to Z are a to z in names and in the key id */
} elelem_tag_splitter_desc;

typedef struct elelem_tag_splitter {
    els_input els_lent;
    els_block els_memory;      /* open counts by name, frames of the open tags; held bytes; attributes */
    const elelem_str *els_names;
    uint64_t els_offset;       /* bytes read so far */
    uint64_t els_made;         /* ids made up so far */
    size_t els_stack_size;     /* bytes of counts and frames */
    size_t els_stack_room;     /* where the held bytes start */
    size_t els_held_at;        /* of the held bytes: those already given out */
    size_t els_held_size;
    size_t els_known;          /* bytes ahead that are known to be text */
    uint32_t els_name_count;
    uint32_t els_max_tag;
    uint32_t els_max_attributes;
    uint32_t els_max_depth;
    uint32_t els_depth;        /* tags open */
    uint32_t els_ends;         /* ENDs still to be given out */
    uint64_t els_beyond;       /* begin tags taken as text because of their depth, and not balanced yet */
    uint32_t els_blanks;       /* of the tag being read: white space before it that may go */
    uint32_t els_tag_size;     /* bytes from its < on */
    uint32_t els_attributes;
    uint32_t els_name;         /* first listed name that fits what was read */
    uint32_t els_name_size;    /* bytes of it read */
    int32_t els_status;        /* an elelem_status: the error that sticks */
    uint8_t els_state;
    uint8_t els_is_end;
    uint8_t els_self_closing;
    uint8_t els_replay;        /* the held bytes are no tag from their start: read them as text */
    uint8_t els_how;           /* of the last of els_ends */
    uint8_t els_after;         /* white space that comes now goes */
    uint8_t els_long_run;      /* white space that comes now stays */
    uint8_t els_trim;
    uint8_t els_ignore_case;
    uint8_t els_carry_size;    /* bytes of a character cut by a chunk's end */
    unsigned char els_carry[4];
} elelem_tag_splitter;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first
   tag, or the first part of one that a chunk's end cuts. */
ELELEM_API void elelem_tag_splitter_init(elelem_tag_splitter *splitter, const elelem_tag_splitter_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE
   since the last push, or finish was called, or `bytes` is null. A refused push is a debt, see
   elelem_error. After an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_tag_splitter_push(elelem_tag_splitter *splitter, const void *bytes, size_t size);

/* OK: a piece. MORE: push again, or finish. END: after finish, all is out.
   ERROR_MEMORY sticks until reset, and so does ERROR_MISUSE when a push was refused and not
   repeated; no input is an error. Bytes that are not UTF-8 pass like all others. */
ELELEM_API elelem_status elelem_tag_splitter_next(elelem_tag_splitter *splitter, elelem_tag_piece *piece);

/* No more bytes will come. What was held back comes out as text, then the ENDs of what
   is open. */
ELELEM_API void elelem_tag_splitter_finish(elelem_tag_splitter *splitter);

/* Why next answered an error; status OK while there is none. The offset is that of the
   first byte not read. */
ELELEM_API elelem_error elelem_tag_splitter_error(const elelem_tag_splitter *splitter);

/* Starts over, keeping the memory. Made-up ids count from 1 again. */
ELELEM_API void elelem_tag_splitter_reset(elelem_tag_splitter *splitter);

/* Gives the memory back. A zeroed splitter may be freed; one that was freed may be used
   again after init. */
ELELEM_API void elelem_tag_splitter_free(elelem_tag_splitter *splitter);

#ifdef __cplusplus
}
#endif

#endif
