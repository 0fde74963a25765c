/* >> tags
 *
 * Splits text, which is pushed in pieces of any size, into text and tags, in order:
 *
 *     Hm. <think id="a">two and two</think> Four.
 *
 *     TEXT "Hm. "   BEGIN think   TEXT "two and two"   END think   TEXT " Four."
 *
 * Only the names that the caller lists are tags. Everything else passes unchanged, and at
 * once: a < b, generics, HTML, code. Only what may still become a listed tag is held back,
 * and a character until it is whole. It knows nothing of JSON, of events, or of what a name
 * means.
 *
 * A tag is
 *
 *     begin     = "<" name *( 1*blank attribute ) *blank [ "/" ] ">"
 *     end       = "</" name *blank ">"
 *     attribute = key [ *blank "=" *blank ( DQUOTE text DQUOTE / "'" text "'" / bare ) ]
 *
 * A blank is a space, tab, CR or LF. A key has none of  " ' < = / >  and a bare value none of
 * " ' < >  and does not start with =. A quoted value may have any characters, < and > too.
 * Whatever does not follow this grammar is text, up to the next <, which may begin a tag.
 * Entities are not decoded. Code fences are not known: a listed tag inside one is a tag.
 *
 * Nesting. An end tag closes the innermost open tag of its name, and all tags inside it; each
 * of them gets an END. An end tag that closes nothing is an END too (ORPHAN), not text. A tag
 * that is open at the end of the text gets an END (UNCLOSED); its content was returned already
 * and is not returned again as text. A begin tag that the end of the text cuts is text.
 *
 * Limits never lead to an error, but to text: a begin tag that is longer than max_tag_bytes or
 * has more than max_attributes is text (its end tag is then an orphan), and so is a tag inside
 * max_depth others, together with its end tag.
 *
 * Some splitters of this kind differ. In this one nothing depends on how the input is cut, not
 * even whitespace; a lone < neither holds back nor loses the text after it; a tag that is not
 * closed takes no memory for its content, which is never read again; tags of the same name
 * nest; > in quotes does not end a tag; a repeated attribute is two attributes.
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
    ELELEM_TAG_END    /* a tag ends: how, an elelem_tag_end */
} elelem_tag_kind;

typedef enum elelem_tag_end {
    ELELEM_TAG_OPEN,        /* TEXT, BEGIN: no end yet */
    ELELEM_TAG_CLOSED,      /* by its end tag */
    ELELEM_TAG_SELF_CLOSED, /* <name/>: in its BEGIN and in its END, which follows at once */
    ELELEM_TAG_IMPLIED,     /* by the end tag of a tag around it, whose END follows */
    ELELEM_TAG_UNCLOSED,    /* by the end of the text */
    ELELEM_TAG_ORPHAN       /* an end tag that closes nothing; id is empty */
} elelem_tag_end;

/* A bit mask: which whitespace next to a tag is left out. */
typedef enum elelem_tag_trim {
    ELELEM_TAG_TRIM_OUTSIDE = 1, /* before a begin tag, after an end tag, on both sides of an orphan */
    ELELEM_TAG_TRIM_INSIDE = 2   /* after a begin tag, before an end tag */
} elelem_tag_trim;

/* An attribute as in the text, without the quotes around its value. */
typedef struct elelem_tag_attribute {
    elelem_str name;
    elelem_str value;
    uint8_t has_value; /* zero for <cite draft>, nonzero for draft="" */
} elelem_tag_attribute;

#define ELELEM_NO_TAG 0xffffffffu

/* One result of the splitter. Slices and attributes are valid until the next call on the
   splitter; the name is the caller's own. The name, id and name_index of a TEXT are those of the
   innermost tag around it. */
typedef struct elelem_tag_piece {
    elelem_str text;        /* TEXT: a slice of the pushed bytes, unless it was held back */
    elelem_str raw;         /* BEGIN, END: the tag as in the text, in the first piece that it leads to; else empty.
                               Without trimming, all text and raw in order are the input */
    elelem_str name;        /* as listed; empty for TEXT outside of all tags */
    elelem_str id;          /* BEGIN, END, TEXT: the first id="..." of the tag that is not empty, else a generated
                               one: think-1, cite-2; the number counts all that were generated since init or reset */
    const elelem_tag_attribute *attributes; /* BEGIN: in order, id and repeated ones too */
    uint32_t attribute_count;
    uint32_t name_index;    /* position in the list of names; ELELEM_NO_TAG for TEXT outside of all tags */
    uint32_t depth;         /* BEGIN, END: of the tag; the outermost has 1. TEXT, ORPHAN: how many tags are open around it */
    uint8_t kind;           /* an elelem_tag_kind */
    uint8_t how;            /* an elelem_tag_end */
    uint8_t id_generated;   /* nonzero: the id is not from the tag */
} elelem_tag_piece;

/* A splitter holds one block of at most 4 * max_depth * (max_tag_bytes + 33) + 8 * max_tag_bytes +
   80 * max_attributes + 16 * name_count + 32 bytes. Blocks double, so that much is held only by a text whose tags
   meet all limits. */
typedef struct elelem_tag_splitter_desc {
    elelem_allocator allocator; /* for one block: ids of the open tags, attributes, a tag cut by a chunk's end */
    const elelem_str *names;    /* must outlive the splitter; null: think, thinking, reasoning. A name that is empty, or
                                   has a blank or one of < > /, is never found */
    uint32_t name_count;
    uint32_t max_tag_bytes;     /* from < to >; 0: 4096, at most 16777216. Whitespace that may be trimmed before a tag
                                   is held back too: a run of this many bytes or more is not trimmed */
    uint32_t max_attributes;    /* of one tag; 0: 64, at most 16777216 */
    uint32_t max_depth;         /* tags inside each other; 0: 64, at most 65536 */
    uint8_t trim;               /* bits of elelem_tag_trim; 0: no whitespace is left out */
    uint8_t ignore_case;        /* nonzero: A to Z are equal to a to z in names and in the key id */
} elelem_tag_splitter_desc;

typedef struct elelem_tag_splitter {
    els_input els_lent;
    els_block els_memory;      /* counts of open tags by name, frames of the open tags; held bytes; attributes */
    const elelem_str *els_names;
    uint64_t els_offset;       /* bytes read so far */
    uint64_t els_generated;    /* how many ids were generated */
    size_t els_stack_size;     /* bytes of counts and frames */
    size_t els_stack_room;     /* offset of the held bytes */
    size_t els_held_at;        /* how many of the held bytes were returned */
    size_t els_held_size;
    size_t els_known;          /* how many of the next bytes are known to be text */
    uint32_t els_name_count;
    uint32_t els_max_tag;
    uint32_t els_max_attributes;
    uint32_t els_max_depth;
    uint32_t els_max_ids;      /* open tags whose ids are kept; those inside them have none */
    uint32_t els_depth;        /* tags open */
    uint32_t els_ends;         /* how many ENDs are still to be returned */
    uint64_t els_beyond;       /* begin tags that are text because of their depth, and have no end tag yet */
    uint32_t els_blanks;       /* of the current tag: whitespace before it that may be trimmed */
    uint32_t els_tag_size;     /* of the current tag: bytes from its < */
    uint32_t els_attributes;
    uint32_t els_name;         /* the first listed name that begins with what was read */
    uint32_t els_name_size;    /* how many bytes of it were read */
    int32_t els_status;        /* an elelem_status: the error that sticks */
    uint8_t els_state;
    uint8_t els_is_end;
    uint8_t els_self_closing;
    uint8_t els_replay;        /* the held bytes do not begin with a tag: read them as text */
    uint8_t els_how;           /* of the last of els_ends */
    uint8_t els_after;         /* the next whitespace is trimmed */
    uint8_t els_long_run;      /* the next whitespace is not trimmed */
    uint8_t els_trim;
    uint8_t els_ignore_case;
    uint8_t els_carry_size;    /* bytes of a character cut by a chunk's end */
    unsigned char els_carry[4];
} elelem_tag_splitter;

/* Zeroes mean the defaults above; `desc` may be null. Takes no memory before the first tag, or
   the first piece of text that may become one and is cut by the end of a push. */
ELELEM_API void elelem_tag_splitter_init(elelem_tag_splitter *splitter, const elelem_tag_splitter_desc *desc);

/* Lends `size` bytes until next returns MORE. OK; ERROR_MISUSE: next has not returned MORE
   since the last push, or finish was called, or `bytes` is null. A refused push must be repeated,
   see elelem_error. After an error it does nothing and returns that error. */
ELELEM_API elelem_status elelem_tag_splitter_push(elelem_tag_splitter *splitter, const void *bytes, size_t size);

/* OK: a piece. MORE: push again, or finish. END: finish was called and no piece is left.
   ERROR_MEMORY sticks until reset, and so does ERROR_MISUSE if a push was refused and not
   repeated; no input is an error. Bytes that are not UTF-8 pass like all others. */
ELELEM_API elelem_status elelem_tag_splitter_next(elelem_tag_splitter *splitter, elelem_tag_piece *piece);

/* No more bytes will come. Next then returns what was held back as text, and an END for each tag
   that is open. */
ELELEM_API void elelem_tag_splitter_finish(elelem_tag_splitter *splitter);

/* Returns the error that sticks; status OK if there is none. The offset is that of the first byte
   not read. */
ELELEM_API elelem_error elelem_tag_splitter_error(const elelem_tag_splitter *splitter);

/* Starts a new text and keeps the memory. Generated ids count from 1 again. */
ELELEM_API void elelem_tag_splitter_reset(elelem_tag_splitter *splitter);

/* Frees the memory. A zeroed splitter may be freed; one that was freed may be used again after
   init. */
ELELEM_API void elelem_tag_splitter_free(elelem_tag_splitter *splitter);

#ifdef __cplusplus
}
#endif

#endif
