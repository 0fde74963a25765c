/* The fast paths through JSON and their slow twin: the same fragments, trees, errors, offsets and calls for memory for any bytes,
 * settings and cuts, within the memory that the descs allow, and in steps in proportion to the bytes. The first bytes of the input
 * choose these. */
#include "counted_own.h"

#include <stdint.h>

#define LARGEST 2048
#define SETTINGS 6 /* bytes */
#define STEPS_ALWAYS 10000u
#define STEPS_PER_BYTE 700u

static void settle(twins_reading *how, const uint8_t *settings)
{
    memset(how, 0, sizeof *how);
    how->patterns = &twins_patterns;
    how->desc.strict_surrogates = settings[0] & 1;
    how->desc.single_document = settings[0] >> 1 & 1;
    how->skips = settings[0] & 4 ? settings[5] * 257u : 0;
    if (settings[0] & 8) {
        how->desc.max_depth = 1u + settings[1] % 8;
        how->desc.max_key_bytes = 1u + settings[1] / 8 % 8;
        how->desc.max_path_bytes = 1u + settings[1] / 16 % 16;
    }
    if (settings[0] & 16) {
        how->desc.max_number_bytes = 1u + settings[2] % 8;
        how->desc.max_string_bytes = 1u + settings[2] / 8 % 16;
    }
    if (settings[0] & 32) how->max_bytes = 16u + settings[5] * 4u;
    if (settings[0] & 64) how->refused = 1 + settings[5] % 8;
    how->first = settings[3];
    how->step = settings[4];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    twins_reading how;
    uint64_t before = counted_steps;
    const char *text = (const char *)data + SETTINGS;

    if (size < SETTINGS || size > LARGEST) return 0;
    settle(&how, data);
    if (!twins_agree(twins_build, &how, text, size - SETTINGS)) abort();
    if (!twins_agree(twins_parse, &how, text, size - SETTINGS)) abort();
    how.patterns = NULL;
    if (!twins_agree(twins_parse, &how, text, size - SETTINGS)) abort();
    if (!work_held(before, STEPS_ALWAYS + (uint64_t)STEPS_PER_BYTE * size)) abort();
    return 0;
}

COUNTED_END
