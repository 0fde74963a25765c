/* The law of the fast paths through JSON: they give what their slow twin gives. */
#undef ELELEM_STREAM_IMPLEMENTED /* functions of its own, in which the fast paths can be switched off */
#define ELELEM_STATIC
#include "twins.h"

#include "check.h"
#include "json_model.h"

/* Puts keys that the rows name into the text, in place of some of its strings. */
static std::string with_keys(const std::string &text, json_dice &dice)
{
    static const char *const keys[] = { "\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"e\"", "\"longer_key\"", "\"\"" };
    std::string result;

    for (size_t i = 0; i < text.size(); i++) {
        size_t end = text[i] == '"' ? text.find('"', i + 1) : std::string::npos;
        if (end == std::string::npos || text.find('\\', i) < end || dice.once_in(3)) {
            result += text[i];
            if (text[i] == '\\' && i + 1 < text.size()) result += text[++i];
            continue;
        }
        result += keys[dice.below(7)];
        i = end;
    }
    return result;
}

static twins_reading any_reading(json_dice &dice, size_t size)
{
    twins_reading how;

    memset(&how, 0, sizeof how);
    how.patterns = &twins_patterns;
    how.desc.strict_surrogates = dice.once_in(2);
    how.desc.single_document = dice.once_in(2);
    if (dice.once_in(3)) how.skips = (uint32_t)dice.below(1000);
    if (dice.once_in(4)) how.desc.max_depth = 1 + (uint32_t)dice.below(6);
    if (dice.once_in(4)) how.desc.max_key_bytes = 1 + (uint32_t)dice.below(8);
    if (dice.once_in(4)) how.desc.max_path_bytes = 1 + (uint32_t)dice.below(12);
    if (dice.once_in(4)) how.desc.max_number_bytes = 1 + (uint32_t)dice.below(8);
    if (dice.once_in(4)) how.desc.max_string_bytes = 1 + dice.below(20);
    if (dice.once_in(4)) how.max_bytes = 16 + (uint32_t)dice.below(800);
    if (dice.once_in(4)) how.refused = 1 + (long)dice.below(8);
    how.first = dice.below(size + 1);
    how.step = dice.once_in(2) ? 0 : 1 + dice.below(size + 1);
    return how;
}

TEST(the_fast_paths_give_what_their_slow_twin_gives)
{
    CHECK(rc::check("fragments, trees, errors, offsets and calls for memory are the same without the fast paths", [] {
        json_dice dice = *json_any_dice();
        json_value value = json_any_value(dice, json_shape());
        std::string bytes = with_keys(json_spell(value, *json_any_dice(10)).bytes, dice);
        if (dice.once_in(2)) bytes = json_damaged(bytes, dice);
        twins_reading how = any_reading(dice, bytes.size());

        RC_LOG() << json_shown(bytes) << std::endl;
        RC_ASSERT(twins_agree(twins_build, &how, bytes.data(), bytes.size()));
        RC_ASSERT(twins_agree(twins_parse, &how, bytes.data(), bytes.size()));
        how.patterns = nullptr;
        RC_ASSERT(twins_agree(twins_parse, &how, bytes.data(), bytes.size()));
    }));
}

CHECK_MAIN("prop_fast",
    RUN(the_fast_paths_give_what_their_slow_twin_gives))
