/* The fast paths through JSON give what their slow twin gives: fragments, trees, events, errors, offsets, calls for memory.
   tests/deep_fast.c reads recordings in more pieces. */
#define _POSIX_C_SOURCE 200809L
#include "fast_law.h"

static const char *const texts[] = {
    "{\"a\":1,\"b\":\"two\",\"x\":[1,{\"a\":[]}],\"c\":[{\"a\":\"x\",\"b\":{\"a\":1,\"b\":2},\"d\":[1,null,\"s\",{\"q\":[true]}]},3],\"b\":null}",
    " { \"a\" : { \"a\" : [ 1 , -0.5e+3 , { } , [ ] , \"\" ] , \"z\" : false } , \"longer_key\" : \"plain\" , \"\" : 0 } ",
    "{\"d\":{\"a\":null,\"d\":{\"c\":\"deep\",\"x\":1},\"else\":{\"a\":[{}]},\"d\":{\"c\":2}},\"d\":[1],\"d\":{\"a\":7}}",
    "{\"e\":{\"a\":[[[[\"\\\"\\u00e9\\ud83d\\ude00\"]]]]},\"b\":\"esc\\napes\",\"a\":\"caf\303\251 \346\227\245\360\237\230\200\"}",
    "{\"a\":[1,2,3],\"a\":{\"b\":1},\"a\":\"again\",\"c\":{},\"c\":[],\"c\":[[],{},{\"d\":[[1],[null]]}],\"b\":[null,true]}",
    "{\"x\":{\"y\":[1,2,{\"z\":\"\\ud800 lone\"}]},\"x\":\"\\udc00\",\"a\":\"\\ud800\"}",
    "{\"a\":[\\} ", "{\"a\":x}", "{\"d\":{\"\":\"\":1}}", "{\"x_of_a_long_name_that_takes_memory_of_its_own_if_it_is_put_together\":1,\"a_of_a_long_name_that_takes_memory_of_its_own_if_it_is_put_together_too_and_more_yet\":2}",
    "{\"x\":01}", "{\"x\":[1.]}", "{\"x\":[-]}", "{\"x\":[1e]}", "{\"x\":{\"y\" 1}}", "{\"x\":[1 2]}", "{\"x\":nul}", "{\"x\":tru1}",
    "{\"x\":\"\\q\"}", "{\"x\":\"\\u12g4\"}", "{\"x\":\"\001\"}", "{\"x\":\"\377\"}", "{\"x\":\"\303\"}", "{\"x\":[}", "{\"x\":{]}",
    "{\"x\":[1],}", "{\"x\":[1],\"a\":}", "{\"a\":1,,}", "{\"a\":1}}", "{\"a\":1,\"b\":\"\303(\"}", "{\"x\":{\"y\":1,\"z\"}}", "{\"x\" \"y\"}",
    "[{\"a\":1}]", "\"a\"", "12", "{}", "{\"x\":[[[[[[[[[[1]]]]]]]]],2]}",
    "[\n    {\n        \"a\": [ 1,\r\n\t -2.5 ],\n        \"b\" :\n \"\"\n    },\n    []\n]\n", "[ ] ", "{ } x", "[1,]", "[1 ,\001 2]", "[\n\001]",
    "{\"key_of_15_bytes\":1,\"key_of_16_bytes_\":2,\"key_of_17_bytes__\":3,\"caf\303\251\":4,\"esc\\n\":5,\"open",
    "[\"\\\"run of text\\\\ after\\/a\\b\\f\\n\\r\\t\\\"\",\"\\\"\",\"\\\"\303\251\",\"\\\"\377\",1]", "[\"a\\", "[\"\\x\"]", "[\"text\001\"]",
    "[0,-0,10,-12.25,1e5,1E-7,0.001,-65.613616999999977,12345678901234567890123,0.12345678901234567890123,123456789012345,1234567890123456]",
    "[00]", "[-]", "[1.]", "[.5]", "[1e+]", "[-a]", "[1x]", "[1.5.5]", "[-01]", "[0.]", "[12345678901234567890x]", "[1234567890123456.]", "1.5", "0 ", "-1{", "1[",
    "[\"if (a == \\\"b\\\") {\\n\\treturn \\\\c;\\n}\\n\\nelse {\\n\\tplain text of more than sixteen bytes\\n\\u00e9 and \303\251 and \\/\\b\\f\\r\\n after that\\n\",\"\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\"]",
    "[[[[{\"of\":\"a line\\nand one that is much longer than what is free, so that it is a piece of its own, without a copy of it made\\nend\"}]]]]",
    "[\"one\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\neight\\qnine\"]", "[\"one\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\neight\001nine\"]",
    "{\"\":{\"a\":[1]},\"d\":{\"\":{\"x\":\"y\"},\"b\":\"s\"},\"\":[]}", "{\"esc\\n\":1,\"\\u0061\":[1],\"caf\303\":2}",
    "[true,false,null,[true],[null],[false]]", "[truE]", "[nul]", "[falsy]", "[+1]", "[=]", "{\"a\":true}{\"b\":1} [2]",
};

/* Each text in each way of reading, at every cut. */
static void agree_on(twins_reading *how, const char *text, size_t size)
{
    size_t cut;

    for (cut = 1; cut <= size; cut++) {
        check_cut("cut at", cut);
        how->first = how->step = cut;
        CHECK(twins_agree(twins_parse, how, text, size));
        if (how->patterns) CHECK(twins_agree(twins_build, how, text, size));
        how->step = size;
        CHECK(twins_agree(twins_parse, how, text, size));
        if (how->patterns) CHECK(twins_agree(twins_build, how, text, size));
    }
}

static void agree_on_all(twins_reading *how)
{
    size_t i;

    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_context(texts[i]);
        agree_on(how, texts[i], strlen(texts[i]));
    }
    check_context(NULL);
}

TEST(what_patterns_want_is_the_same_at_every_cut)
{
    twins_reading how = ELELEM_INIT;

    how.patterns = &twins_patterns;
    agree_on_all(&how);
    how.desc.strict_surrogates = 1;
    agree_on_all(&how);
}

/* The root is the row 0. */
TEST(a_root_that_is_wanted_is_the_same_at_every_cut)
{
    static const elelem_pattern_node rows[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_WHOLE) };
    static const elelem_patterns patterns = { rows, 1, ELS_PATTERNS_DISTINCT, 0, 0, NULL, NULL };
    twins_reading how = ELELEM_INIT;

    how.patterns = &patterns;
    agree_on_all(&how);
}

/* The members of members, whole. */
static const elelem_pattern_node inner_rows[] = {
    ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING),
    ELELEM_PATTERN_MEMBERS(0, ELELEM_WANT_NOTHING),
    ELELEM_PATTERN_MEMBERS(1, ELELEM_WANT_WHOLE),
};
static const elelem_patterns inner_members = { inner_rows, 3, ELS_PATTERNS_DISTINCT, 0, 0, NULL, NULL };

/* The number of its row may be what there is no room for. */
TEST(memory_that_is_refused_after_an_empty_key_is_the_same_call)
{
    twins_reading how = ELELEM_INIT;
    char text[200];
    int size;

    how.patterns = &inner_members;
    how.stays = 1;
    for (size = 1; size < 80; size++)
        for (how.refused = 0; how.refused < 6; how.refused++) {
            int length = snprintf(text, sizeof text, "{\"%0*d\":{\"\":{\"x\":1}}}", size, 0);
            check_cut("size", (size_t)size);
            how.first = how.step = (size_t)length;
            CHECK(twins_agree(twins_build, &how, text, (size_t)length));
        }
}

/* There may be room for a value, but not for the containers around it, whose keys are longer. */
TEST(a_container_without_room_ends_the_tree_at_the_same_byte)
{
    twins_reading how = ELELEM_INIT;
    char text[200];
    int size;

    how.patterns = &inner_members;
    for (size = 1; size < 60; size += 7)
        for (how.max_bytes = 16; how.max_bytes < 240; how.max_bytes += 4) {
            int length = snprintf(text, sizeof text, "{\"%0*d\":{\"x\":1,\"y\":2},\"z\":{\"x\":\"s\"}}", size, 0);
            check_cut("size", (size_t)size);
            how.first = how.step = (size_t)length;
            CHECK(twins_agree(twins_build, &how, text, (size_t)length));
            for (how.refused = 1; how.refused < 5; how.refused++)
                CHECK(twins_agree(twins_build, &how, text, (size_t)length));
            how.refused = 0;
        }
}

TEST(values_that_are_skipped_are_checked_the_same_at_every_cut)
{
    twins_reading how = ELELEM_INIT;

    for (how.skips = 0; how.skips < 8; how.skips++)
        agree_on_all(&how);
}

TEST(limits_are_met_at_the_same_place)
{
    twins_reading how = ELELEM_INIT;
    uint32_t most;

    how.patterns = &twins_patterns;
    for (most = 1; most < 12; most += 2) {
        memset(&how.desc, 0, sizeof how.desc);
        how.desc.max_depth = most;
        agree_on_all(&how);
        how.desc.max_depth = 0;
        how.desc.max_key_bytes = most;
        agree_on_all(&how);
        how.desc.max_key_bytes = 0;
        how.desc.max_path_bytes = most;
        how.desc.max_number_bytes = most;
        how.desc.max_string_bytes = most;
        how.max_bytes = most * 40;
        agree_on_all(&how);
    }
}

/* The container of a string has no room: the text is read as far as its first piece goes. */
TEST(a_tree_without_room_stops_at_the_same_byte)
{
    static const char alone[] = "{\"b\":\":\\\"\"}", inside[] = "{\"a\":{\"b\":\"x\\ny\"},\"b\":\"\\\"\"}";
    twins_reading how = ELELEM_INIT;

    how.patterns = &twins_patterns;
    for (how.max_bytes = 16; how.max_bytes < 400; how.max_bytes += 12) {
        agree_on(&how, alone, sizeof alone - 1);
        agree_on(&how, inside, sizeof inside - 1);
    }
}

TEST(memory_that_is_refused_is_the_same_call)
{
    twins_reading how = ELELEM_INIT;

    how.patterns = &twins_patterns;
    for (how.refused = 1; how.refused < 8; how.refused++)
        agree_on_all(&how);
}

/* Recordings and bodies of our own, to events. */

static const size_t pieces_of_items[] = { 13, 1024 };
static const size_t pieces_without[] = { 64, (size_t)1 << 30 };

static void same_of_recording(const recording *r)
{
    recording_is_same(r, 0, pieces_of_items, 2);
    recording_is_same(r, 1, pieces_without, 2);
}

static void recordings_of(size_t shape, const char *folder)
{
    shape_now = shapes[shape];
    if (recordings_each(folder, shape_now->name, same_of_recording) == 0) check_nothing("no recordings (set ELELEM_CORPUS)");
    CHECK(1);
}

TEST(recorded_chat_responses_give_the_same_events) { recordings_of(0, "chat/"); }
TEST(recorded_responses_give_the_same_events) { recordings_of(1, "responses/"); }
TEST(recorded_messages_give_the_same_events) { recordings_of(2, "messages/"); }
TEST(recorded_gemini_responses_give_the_same_events) { recordings_of(3, "gemini/"); }

TEST(recorded_interactions_give_the_same_events)
{
    const char *folder = recordings_folder;

    recordings_folder = "interactions";
    recordings_of(4, "");
    recordings_folder = folder;
}

/* At more cuts in tests/deep_fast.c. */
static void same_of_body(const char *body, size_t size) { body_is_same(body, size, 8); }

TEST(every_body_of_our_own_gives_the_same_events_at_many_cuts) { bodies_are_same(same_of_body); }

CHECK_MAIN("fast",
    RUN(a_container_without_room_ends_the_tree_at_the_same_byte)
    RUN(a_root_that_is_wanted_is_the_same_at_every_cut)
    RUN(memory_that_is_refused_after_an_empty_key_is_the_same_call)
    RUN(what_patterns_want_is_the_same_at_every_cut)
    RUN(values_that_are_skipped_are_checked_the_same_at_every_cut)
    RUN(limits_are_met_at_the_same_place)
    RUN(a_tree_without_room_stops_at_the_same_byte)
    RUN(memory_that_is_refused_is_the_same_call)
    RUN(recorded_chat_responses_give_the_same_events)
    RUN(recorded_responses_give_the_same_events)
    RUN(recorded_messages_give_the_same_events)
    RUN(recorded_gemini_responses_give_the_same_events)
    RUN(recorded_interactions_give_the_same_events)
    RUN(every_body_of_our_own_gives_the_same_events_at_many_cuts))
