/* The same bytes whole and cut: one log of fragments, one end, one offset. What must hold
 * for any input (a DONE for each value, paths as deep as what is open, whole characters)
 * is checked by fragments.h on the way; no more memory is held than the desc says, and the steps are in proportion
 * to the bytes. The first bytes of the input choose the settings. */
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 21) /* a line for each byte, with a path */
#include "fragments.h"
#include "work_law.h"

#define LARGEST 4096
#define SETTINGS 4 /* bytes */
#define STEPS_ALWAYS 10000u
#define STEPS_PER_BYTE 300u

static const char *const texts[] = { "a", "*.b", "a.*[0]", "[*].a", "*.*.*" };

static void settle(fragments *f, const uint8_t *settings, elelem_patterns *patterns)
{
    f->desc.strict_surrogates = settings[0] & 1;
    f->desc.single_document = (settings[0] >> 1) & 1;
    f->several = !f->desc.single_document && (settings[0] & 4);
    if (settings[0] & 8) f->desc.patterns = patterns;
    f->with_pattern = f->desc.patterns != NULL;
    if (settings[0] & 16) {
        f->desc.max_depth = 1u + settings[1] % 8;
        f->desc.max_key_bytes = 1u + settings[1] / 8 % 8;
        f->desc.max_path_bytes = 1u + settings[1] / 16 % 16;
        f->desc.max_number_bytes = 1u + settings[2] % 8;
        f->desc.max_string_bytes = 1u + settings[2] / 8 % 16;
        if (settings[2] & 128) f->desc.max_total_bytes = 1u + settings[3];
    }
}

static void demand(int held)
{
    if (!held) abort();
}

static void give(fragments *f, feed_log *log, limits_heap *heap, const uint8_t *data, size_t size, size_t first,
                 size_t step)
{
    fragments_new();
    fragments_now = *f;
    fragments_now.desc.allocator = limits_allocator(heap);
    heap->bound = limits_of_parser(&fragments_now.desc);
    feed_once(&fragments_object, log, (const char *)data, size, first, step, 0);
    demand(!log->full && !fragments_now.broken);
    fragments_new();
    demand(heap->live == 0 && limits_held(heap));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fragments f;
    elelem_pattern_node nodes[16];
    elelem_patterns patterns;
    limits_heap heap = ELELEM_INIT;
    uint64_t before = counted_steps;
    size_t cut;

    if (size < SETTINGS || size > LARGEST) return 0;
    memset(&f, 0, sizeof f);
    demand(elelem_patterns_compile(&patterns, nodes, 16, texts, 5, NULL, NULL) == ELELEM_OK);
    settle(&f, data, &patterns);
    cut = data[3];
    data += SETTINGS;
    size -= SETTINGS;
    give(&f, &feed_whole, &heap, data, size, size, size);
    give(&f, &feed_now, &heap, data, size, 1, 1);
    demand(feed_now.size == feed_whole.size && memcmp(feed_now.text, feed_whole.text, feed_now.size) == 0);
    give(&f, &feed_now, &heap, data, size, size > 0 ? cut % size : 0, 1 + cut % 16);
    demand(feed_now.size == feed_whole.size && memcmp(feed_now.text, feed_whole.text, feed_now.size) == 0);
    demand(work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size));
    return 0;
}
