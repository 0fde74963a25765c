/* tags: the first four bytes choose settings and cuts, the rest is text. Whole, byte by byte
   and in pieces it must give the same pieces, in no more memory than the desc says and in steps
   in proportion to the bytes; if nothing is trimmed, text and raw tags joined must be the text again. */
#include "elelem_stream.h"

#include "must.h"
#include "work_law.h"

#define MOST 8192
#define STEPS_ALWAYS 20000u
#define STEPS_PER_BYTE 200u

static const elelem_str names[] = { { "think", 5 }, { "thinking", 8 }, { "a", 1 }, { "a-b", 3 } };

/* The result. Text is joined; its tag is written at its start. */
typedef struct result {
    unsigned char log[64 * MOST];
    size_t log_size;
    unsigned char joined[MOST];
    size_t joined_size;
    int in_text;
    uint32_t depth;
} result;

static void put(result *r, const void *bytes, size_t size)
{
    if (size > sizeof r->log - r->log_size) size = sizeof r->log - r->log_size;
    if (size > 0) memcpy(r->log + r->log_size, bytes, size);
    r->log_size += size;
}

static void put_str(result *r, elelem_str text)
{
    put(r, &text.size, sizeof text.size);
    put(r, text.data, text.size);
}

static void put_tag(result *r, const elelem_tag_piece *piece)
{
    uint32_t i;

    r->in_text = 0;
    put(r, &piece->kind, 1);
    put(r, &piece->how, 1);
    put(r, &piece->id_generated, 1);
    put(r, &piece->depth, sizeof piece->depth);
    put_str(r, piece->name);
    put_str(r, piece->id);
    put_str(r, piece->raw);
    for (i = 0; i < piece->attribute_count; i++) {
        put_str(r, piece->attributes[i].name);
        put_str(r, piece->attributes[i].value);
        put(r, &piece->attributes[i].has_value, 1);
    }
}

static void put_text(result *r, const elelem_tag_piece *piece)
{
    MUST(piece->text.size > 0);
    MUST(!r->in_text || piece->depth == r->depth);
    if (!r->in_text) {
        put(r, "text", 4);
        put_str(r, piece->name);
        put_str(r, piece->id);
    }
    r->in_text = 1;
    r->depth = piece->depth;
    put(r, piece->text.data, piece->text.size);
}

static void put_joined(result *r, elelem_str bytes)
{
    MUST(bytes.size <= sizeof r->joined - r->joined_size);
    if (bytes.size > 0) memcpy(r->joined + r->joined_size, bytes.data, bytes.size);
    r->joined_size += bytes.size;
}

static elelem_status drain(elelem_tag_splitter *splitter, result *r)
{
    elelem_tag_piece piece;
    elelem_status status;

    while ((status = elelem_tag_splitter_next(splitter, &piece)) == ELELEM_OK) {
        put_joined(r, piece.kind == ELELEM_TAG_TEXT ? piece.text : piece.raw);
        if (piece.kind == ELELEM_TAG_TEXT) put_text(r, &piece);
        else put_tag(r, &piece);
    }
    return status;
}

/* Each push is a block of its own size. */
static void push(elelem_tag_splitter *splitter, result *r, const uint8_t *bytes, size_t size)
{
    void *lent = malloc(size);

    if (!lent) abort();
    memcpy(lent, bytes, size);
    MUST(elelem_tag_splitter_push(splitter, lent, size) == ELELEM_OK);
    MUST(drain(splitter, r) == ELELEM_MORE);
    free(lent);
}

/* Pieces of `step` bytes; with `random`, of 1 to step. */
static void split(elelem_tag_splitter *splitter, result *r, const uint8_t *text, size_t size, size_t step,
                  uint32_t random)
{
    size_t at, piece;

    r->log_size = r->joined_size = 0;
    r->in_text = 0;
    elelem_tag_splitter_reset(splitter);
    for (at = 0; at < size; at += piece) {
        piece = step;
        if (random != 0) {
            random = random * 1664525u + 1013904223u;
            piece = 1 + (random >> 16) % step;
        }
        if (piece > size - at) piece = size - at;
        push(splitter, r, text + at, piece);
    }
    elelem_tag_splitter_finish(splitter);
    MUST(drain(splitter, r) == ELELEM_END);
}

static void compare(const result *a, const result *b)
{
    MUST(a->log_size == b->log_size && memcmp(a->log, b->log, a->log_size) == 0);
    MUST(a->joined_size == b->joined_size && memcmp(a->joined, b->joined, a->joined_size) == 0);
}

static elelem_tag_splitter_desc settings(const uint8_t *data)
{
    static const uint32_t sizes[4] = { 0, 9, 16, 64 };
    static const uint32_t depths[4] = { 0, 1, 2, 3 };
    elelem_tag_splitter_desc desc = ELELEM_INIT;

    desc.names = names;
    desc.name_count = sizeof names / sizeof *names;
    desc.max_tag_bytes = sizes[data[0] & 3];
    desc.max_depth = depths[data[0] >> 2 & 3];
    desc.trim = data[0] >> 4 & 3;
    desc.ignore_case = data[0] >> 6 & 1;
    desc.max_attributes = data[0] >> 7;
    return desc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static result whole, cut;
    elelem_tag_splitter splitter;
    elelem_tag_splitter_desc desc;
    limits_heap heap = ELELEM_INIT;
    uint64_t before = counted_steps;
    uint32_t random;

    if (size < 4 || size - 4 > MOST) return 0;
    desc = settings(data);
    random = (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | 1;
    heap.bound = limits_of_tags(&desc);
    desc.allocator = limits_allocator(&heap);
    elelem_tag_splitter_init(&splitter, &desc);
    split(&splitter, &whole, data + 4, size - 4, size, 0);
    if (desc.trim == 0) MUST(whole.joined_size == size - 4 && memcmp(whole.joined, data + 4, size - 4) == 0);
    split(&splitter, &cut, data + 4, size - 4, 1, 0);
    compare(&whole, &cut);
    split(&splitter, &cut, data + 4, size - 4, (size_t)data[3] + 1, random);
    compare(&whole, &cut);
    elelem_tag_splitter_free(&splitter);
    MUST(limits_held(&heap) && heap.live == 0);
    MUST(work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size));
    return 0;
}
