/* Frames that are the frame before but for some values: they give what they would give if each were parsed. */
#include "fast_law.h"

#define SPACE "                                                                "

/* The first frame is large, so that there is room for what is kept. */
#define LARGE_CHAT "data: {\"id\":\"chatcmpl-1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"" \
    SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE "\"}}]}\n\n"
#define CHAT_BEGINS "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{"
#define CHAT(text) CHAT_BEGINS "\"content\":\"" text "\"},\"finish_reason\":null}]}"
#define DATA(json) "data: " json "\n\n"
#define CHAT_END DATA(CHAT_BEGINS "},\"finish_reason\":\"stop\"}]}") "data: [DONE]\n\n"

static char body[40000];

static void begin_chat(void)
{
    streams_shape(&elelem_shape_chat);
    streams_now.offsets = streams_now.usage = 1;
}

/* Nonzero if the last frame was not parsed, because it is the one before but for some values. */
static int was_compared(const elelem_stream *s)
{
    const els_body *b = &s->els_response;
    const els_repeat_frame *f;

    if (b->repeat.state != ELS_REPEAT_KEPT) return 0;
    f = els_repeat_frame_at(&b->document, b->repeat.place);
    return f->compared == f->size && f->value > 0;
}

static void push_text(elelem_stream *s, const char *text)
{
    elelem_event event;

    CHECK_INT(elelem_stream_push(s, text, strlen(text)), ELELEM_OK);
    while (elelem_stream_next(s, &event) == ELELEM_OK)
        CHECK(event.kind != ELELEM_EVENT_ERROR);
}

static void start_chat(elelem_stream *s)
{
    elelem_stream_desc desc = ELELEM_INIT;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_chat;
    elelem_stream_init(s, &desc);
}

TEST(a_frame_that_differs_in_a_value_is_not_parsed)
{
    elelem_stream s;

    start_chat(&s);
    push_text(&s, LARGE_CHAT DATA(CHAT("one")) DATA(CHAT("two")));
    push_text(&s, DATA(CHAT("three")));
    CHECK(was_compared(&s));
    push_text(&s, DATA(CHAT("\\\"four\\\"\\n")));
    CHECK(was_compared(&s));
    push_text(&s, DATA(CHAT_BEGINS "\"reasoning\":\"five\"},\"finish_reason\":null}]}"));
    CHECK(s.els_response.repeat.state == ELS_REPEAT_KEPT && !was_compared(&s));
    elelem_stream_free(&s);
}

TEST(a_frame_that_pushes_cut_is_not_parsed_either)
{
    static const char frames[] = LARGE_CHAT DATA(CHAT("one")) DATA(CHAT("two")) DATA(CHAT("three"));
    elelem_stream_desc desc = ELELEM_INIT;
    size_t cut, compared = 0;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_chat;
    for (cut = sizeof frames - sizeof DATA(CHAT("three")); cut < sizeof frames - 1; cut++) {
        char first[sizeof frames];
        elelem_stream s;
        memcpy(first, frames, cut);
        first[cut] = '\0';
        elelem_stream_init(&s, &desc);
        push_text(&s, first);
        push_text(&s, frames + cut);
        compared += (size_t)was_compared(&s);
        elelem_stream_free(&s);
    }
    CHECK(compared > sizeof CHAT("three") - 4); /* not if it is inside a value that differs, and is no string */
}

TEST(a_reset_inside_a_frame_that_repeats_leaves_nothing_of_it)
{
    static const char response[] = "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}";
    elelem_event event;
    elelem_stream s;

    start_chat(&s);
    push_text(&s, LARGE_CHAT DATA(CHAT("one")) DATA(CHAT("two")) "data: " CHAT_BEGINS);
    elelem_stream_reset(&s);
    CHECK_INT(elelem_stream_push(&s, response, sizeof response - 1), ELELEM_OK);
    CHECK_INT(elelem_stream_next(&s, &event), ELELEM_OK);
    CHECK_INT(event.kind, ELELEM_EVENT_PART);
    CHECK_STR(event.part.text.data, event.part.text.size, "a");
    elelem_stream_free(&s);
}

#define KEPT_BEFORE LARGE_CHAT DATA(CHAT("one")) DATA(CHAT_BEGINS "\"refusal\":\"no\"},\"finish_reason\":null}]}")

TEST(a_string_that_a_push_cuts_in_the_frame_that_is_kept_may_vary)
{
    static const char frames[] = KEPT_BEFORE DATA(CHAT("a \\\"word\\\\\\\\\\\" or two\\\\"));
    size_t start = sizeof KEPT_BEFORE "data: " CHAT_BEGINS "\"content\":\"" - 1;
    size_t end = sizeof frames - sizeof "\"},\"finish_reason\":null}]}\n\n";
    elelem_stream_desc desc = ELELEM_INIT;
    size_t cut;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_chat;
    for (cut = start + 2; cut <= end; cut++) {
        char first[sizeof frames];
        elelem_stream s;
        memcpy(first, frames, cut);
        first[cut] = '\0';
        elelem_stream_init(&s, &desc);
        push_text(&s, first);
        push_text(&s, frames + cut);
        CHECK(!was_compared(&s));
        push_text(&s, DATA(CHAT("other \\\"words\\\"")));
        CHECK(was_compared(&s));
        elelem_stream_free(&s);
    }
}

TEST(a_string_that_many_pushes_cut_is_noted_once)
{
    static const char frames[] = KEPT_BEFORE DATA(CHAT_BEGINS "\"content\":\"" SPACE "\",\"reasoning\":\"some text\"},\"finish_reason\":null}]}");
    elelem_stream s;
    size_t i;

    start_chat(&s);
    for (i = 0; frames[i]; i++) {
        char byte[2] = { frames[i], '\0' };
        push_text(&s, byte);
    }
    push_text(&s, DATA(CHAT_BEGINS "\"content\":\"" SPACE "\",\"reasoning\":\"other text\"},\"finish_reason\":null}]}"));
    CHECK(was_compared(&s));
    elelem_stream_free(&s);
}

#define CREATED(seconds, text) "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":" seconds \
    ",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"" text "\"},\"finish_reason\":null}]}"

/* It is learned then, with the values that came before the cut. */
TEST(a_frame_that_differs_after_a_cut_may_vary_before_it)
{
    elelem_stream s;

    start_chat(&s);
    push_text(&s, LARGE_CHAT DATA(CHAT("one")) DATA(CHAT("two")) "data: " CHAT_BEGINS);
    push_text(&s, "\"reasoning\":\"three\"},\"finish_reason\":null}]}\n\n");
    CHECK(!was_compared(&s));
    push_text(&s, DATA(CREATED("18", "four")));
    CHECK(was_compared(&s));
    elelem_stream_free(&s);
}

/* An object that may pass, but for its first member. */
#define GEMINI(part) "{\"candidates\":[{\"content\":{\"parts\":[" part "],\"role\":\"model\"},\"index\":0}],\"responseId\":\"r\"}"

TEST(a_part_that_shows_what_it_is_may_vary)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream s;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_gemini;
    elelem_stream_init(&s, &desc);
    push_text(&s, DATA(GEMINI("{\"text\":\"" SPACE SPACE SPACE SPACE "\"}")) DATA(GEMINI("{\"text\":\"one\"}")) DATA(GEMINI("{\"text\":\"two\"}")));
    CHECK(was_compared(&s));
    push_text(&s, DATA(GEMINI("{\"inlineData\":{\"data\":\"AA==\"}}")) DATA(GEMINI("{\"inlineData\":{\"data\":\"BB==\"}}")));
    CHECK(!was_compared(&s));
    elelem_stream_free(&s);
}

TEST(the_first_member_of_a_part_decides_at_every_cut)
{
    static const char *const parts[] = {
        "{\"text\":\"one\"}", "{\"text\":null,\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"%s\"}}",
        "{ \"text\" : \"\", \"inlineData\": {\"data\":\"%s\"}}", "{\"te\\u0078t\":\"x\",\"fileData\":{\"uri\":\"%s\"}}",
        "{\"inlineData\":{\"data\":\"%s\"},\"text\":\"late\"}", "{\"text\":nul,\"a\":\"%s\"}", "{}", "{\"text\"}",
        "{\"thought\":true,\"text\":\"%s\"}", "{\"functionCall\":{\"name\":\"f\",\"args\":{\"a\":\"%s\"}}}",
    };
    char data[1200], frame[1600];
    size_t i, cut;

    memset(data, 'A', sizeof data - 1);
    data[sizeof data - 1] = '\0';
    streams_shape(&elelem_shape_gemini);
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        int size = snprintf(frame, sizeof frame, parts[i], data);
        CHECK(size > 0 && size < (int)sizeof frame);
        size = snprintf(body, sizeof body, DATA(GEMINI("{\"text\":\"one\"}")) DATA(GEMINI("%s")) DATA(GEMINI("{\"text\":\"two\"}")), frame);
        for (cut = 1; cut < (size_t)size; cut += cut < 240 ? 1 : 37)
            same_events(body, (size_t)size, cut, (size_t)size);
        same_events(body, (size_t)size, 1, 1);
    }
}

TEST(nothing_is_kept_if_documents_need_the_room)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream s;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_chat;
    desc.max_frame_bytes = 520;
    elelem_stream_init(&s, &desc);
    push_text(&s, DATA(CHAT("one")) DATA(CHAT("two")) DATA(CHAT("three")));
    CHECK_INT(s.els_response.repeat.state, ELS_REPEAT_OFF);
    elelem_stream_free(&s);
}

TEST(a_new_stream_has_room_for_the_frame_before)
{
    static const uint32_t bytes[] = { 0, 1, 3000 };
    elelem_stream_desc desc = ELELEM_INIT;
    size_t i;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_chat;
    for (i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        elelem_stream s;
        desc.repeat_bytes = bytes[i];
        elelem_stream_init(&s, &desc);
        push_text(&s, DATA(CHAT("one")) DATA(CHAT("two")) DATA(CHAT("three")) DATA(CHAT("four")));
        CHECK_INT(was_compared(&s), bytes[i] != 1);
        CHECK(bytes[i] != 1 || s.els_response.document.els_memory.capacity <= 1024);
        CHECK(bytes[i] < 2 || s.els_response.document.els_memory.capacity == bytes[i]);
        elelem_stream_free(&s);
    }
}

static size_t calls_left;

static void *refuse_large(void *context, void *block, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    if (size == 2048 && calls_left-- == 0) return NULL;
    if (size > 0) return realloc(block, size);
    free(block);
    return NULL;
}

TEST(a_stream_does_without_that_room_if_it_is_refused)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream s;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_chat;
    desc.allocator.resize = refuse_large;
    calls_left = 0;
    elelem_stream_init(&s, &desc);
    push_text(&s, DATA(CHAT("one")) DATA(CHAT("two")) DATA(CHAT("three")) CHAT_END);
    CHECK(calls_left > 0 && !was_compared(&s));
    CHECK(s.els_response.document.els_memory.capacity < 2048);
    elelem_stream_free(&s);
}

/* Each frame after the large one, twice, then as given, and the end. */
static size_t body_of_frames(const char *usual, const char *other, size_t other_size)
{
    int size = snprintf(body, sizeof body, LARGE_CHAT "data: %s\n\ndata: %s\n\ndata: %s\n\n", usual, usual, usual);

    size += snprintf(body + size, sizeof body - (size_t)size, "data: %.*s\n\n", (int)other_size, other);
    size += snprintf(body + size, sizeof body - (size_t)size, "data: %s\n\n" CHAT_END, usual);
    return (size_t)size;
}

static void same_at_cuts(size_t size, size_t every)
{
    size_t cut;

    same_events(body, size, size, size);
    for (cut = 1; cut < size; cut += every) {
        same_events(body, size, cut, size);
        same_events(body, size, cut, cut);
    }
}

TEST(frames_that_begin_alike_give_the_same_events_at_every_cut)
{
    begin_chat();
    same_at_cuts(body_of_frames(CHAT("one"), CHAT("other \\\"text\\\""), sizeof CHAT("other \\\"text\\\"") - 1), 7);
}

TEST(a_frame_that_differs_in_any_byte_is_read_as_it_is)
{
    static const char others[] = "\"\\}],: 0x\003";
    char frame[] = CHAT("text");
    size_t i, j;

    begin_chat();
    for (i = 0; i + 1 < sizeof frame; i++) {
        char was = frame[i];
        for (j = 0; j + 1 < sizeof others; j++) {
            size_t size;
            frame[i] = others[j];
            size = body_of_frames(CHAT("text"), frame, sizeof frame - 1);
            same_events(body, size, size, size);
            same_events(body, size, 1800, 100);
        }
        frame[i] = was;
    }
}

TEST(a_frame_that_ends_anywhere_is_read_as_it_is)
{
    char frame[] = CHAT("text");
    size_t i;

    begin_chat();
    for (i = 1; i + 1 < sizeof frame; i++) {
        size_t size = body_of_frames(CHAT("text"), frame, i);
        same_events(body, size, size, size);
        same_events(body, size, 1800, 100);
    }
}

/* What comes later in a frame may change values that were closed when it was kept. */
TEST(keys_that_come_again_change_nothing_of_what_is_kept)
{
    static const char *const ends[] = {
        "},\"index\":1}],\"id\":\"chatcmpl-2\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"again\"}}],\"model\":\"n\"}",
        "\"content\":\"a\",\"content\":\"b\"},\"delta\":{\"content\":\"c\"}},{\"index\":0,\"delta\":{\"content\":\"d\"}}]}",
        "\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}",
        "}}],\"choices\":null,\"choices\":[{\"index\":1,\"delta\":{\"content\":\"e\"}}],\"usage\":{\"prompt_tokens\":1}}",
        "\"content\":\"unfinished", "}}]} {", "\"reasoning_content\":\"thought\",\"unknown\":{\"a\":[1,{\"b\":2}]}}}]}",
    };
    size_t i;

    begin_chat();
    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        char frame[1000];
        int size = snprintf(frame, sizeof frame, CHAT_BEGINS "%s", ends[i]);
        same_at_cuts(body_of_frames(CHAT("text"), frame, (size_t)size), 41);
    }
}

TEST(frames_that_are_pushed_whole_repeat_too)
{
    elelem_stream s;
    elelem_event event;
    int i, parts = 0;

    start_chat(&s);
    push_text(&s, "");
    for (i = 0; i < 4; i++) {
        const char *frame = i == 0 ? &LARGE_CHAT[6] : i % 2 ? CHAT("more") : CHAT("less");
        CHECK_INT(elelem_stream_push_data(&s, elelem_str_of(""), elelem_str_of(frame)), ELELEM_OK);
        while (elelem_stream_next(&s, &event) == ELELEM_OK) {
            if (event.kind != ELELEM_EVENT_PART || i == 0) continue;
            CHECK_STR(event.part.text.data, event.part.text.size, i % 2 ? "more" : "less");
            parts++;
        }
    }
    CHECK_INT(parts, 3);
    CHECK(was_compared(&s));
    elelem_stream_free(&s);
}

/* A frame like the usual one, but for what may be otherwise in one that is like it, and for what may not. */
TEST(values_of_every_kind_are_those_of_the_frame_at_hand)
{
    static const char *const frames[] = {
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\",\"odd\":7},\"logprobs\":null}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"\",\"created\":170000,\"model\":\"a longer one\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\",\"odd\":-1.5e3},\"logprobs\":null}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\\\\c\\\"d\\/e\\n\",\"odd\":7},\"logprobs\":null}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\u00e9\\ud83d\\ude00\",\"odd\":7},\"logprobs\":null}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"caf\303\251 \346\227\245\",\"odd\":7},\"logprobs\":{\"b\":[{}]}}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":null,\"odd\":7},\"logprobs\":0}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\",\"odd\":\"7\"},\"logprobs\":null}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":null,\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"y\"}],\"odd\":\"7\"},\"logprobs\":null}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\" ,\"odd\":7  } , \"logprobs\":null}\n],\"rest\":{\"a\":[1] }}  ",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\",\"odd\":7},\"logprobs\":null}],\"rest\":{\"a\":[2]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\",\"odd\":7},\"logprobs\":null}],\"rest\":{\"a \":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\",\"odd\":7},\"logprobs\":null}],\"rest\":{\"a\":[1]}}}",
        "{\"id\":\"x\",\"created\":017,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\",\"odd\":7},\"logprobs\":null}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\\q\",\"odd\":7},\"logprobs\":null}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\377\",\"odd\":7},\"logprobs\":null}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\\ud800\",\"odd\":7},\"logprobs\":nul}],\"rest\":{\"a\":[1]}}",
        "{\"id\":\"x\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\",\"odd\":7},\"logprobs\":nulls}],\"rest\":{\"a\":[1]}}",
    };
    size_t i;

    begin_chat();
    for (i = 0; i < sizeof frames / sizeof *frames; i++) {
        size_t size = body_of_frames(frames[0], frames[i], strlen(frames[i]));
        size += (size_t)snprintf(body + size, sizeof body - size, "data: %s\n\n" CHAT_END, frames[(i * 7 + 3) % 9]);
        same_at_cuts(size, 17);
    }
}

#define FIVE(a) "\"" a "1\":1,\"" a "2\":\"2\",\"" a "3\":null,\"" a "4\":true,\"" a "5\":-0.5,"

#define MANY FIVE("a") FIVE("b") FIVE("c") FIVE("d") FIVE("f") FIVE("g") FIVE("h") FIVE("i") FIVE("j") FIVE("k") FIVE("l") FIVE("m") FIVE("n") FIVE("o")

/* Of a frame no more than 24 values are noted. */
TEST(the_values_after_those_that_are_noted_are_those_of_the_frame_at_hand)
{
    static const char usual[] = "{" MANY FIVE("e") "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one\"}}]}";
    static const char *const others[] = {
        "{" MANY FIVE("e") "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"two\"}}]}",
        "{" MANY "\"e1\":22,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"three\"}}]}",
        "{\"a1\":22,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"four\"}}]}",
    };
    size_t i;

    begin_chat();
    for (i = 0; i < sizeof others / sizeof *others; i++)
        same_at_cuts(body_of_frames(usual, others[i], strlen(others[i])), 61);
}

/* What was only compared is parsed if the frame differs at last: no matter how much of a string is open then. */
TEST(a_long_string_that_pushes_cut_may_differ_at_its_end)
{
    static char frame[1600];
    size_t length, cut, size;

    begin_chat();
    for (length = 0; length < 1200; length += 97) {
        size = (size_t)snprintf(frame, sizeof frame, CHAT_BEGINS "\"content\":\"%*s\\u00e9\"},\"finish_reason\":null}]}", (int)length, "x");
        size = body_of_frames(CHAT("text"), frame, size);
        for (cut = size - 2 * sizeof CHAT("text") - 60 - length; cut < size - sizeof CHAT("text"); cut += 7)
            same_events(body, size, cut, size);
        same_events(body, size, 1800, 64);
    }
}

/* Its end is a blank line, before which it was compared. */
TEST(the_document_of_a_frame_that_is_cut_off_is_there)
{
    elelem_event event;
    elelem_value document;
    elelem_stream s;

    start_chat(&s);
    push_text(&s, LARGE_CHAT DATA(CHAT("one")) DATA(CHAT("two")) "data: " CHAT_BEGINS);
    CHECK_INT(s.els_response.repeat.state, ELS_REPEAT_COMPARES);
    elelem_stream_push(&s, "\n\n", 2);
    CHECK_INT(elelem_stream_next(&s, &event), ELELEM_OK);
    CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
    document = elelem_fragment_aggregator_value(&s.els_response.document);
    CHECK(elelem_str_is(elelem_value_text(elelem_value_find(document, "choices[0].index")), "0"));
    elelem_stream_free(&s);
}

/* Twice the frame before, then one that is like it, but for blanks in the wrong place, or for what is no object. */
TEST(blanks_and_numbers_do_not_make_a_frame_what_it_is_not)
{
    static const char *const frames[][2] = {
        { "{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}", "{\"choices\":[{\"delta\":{\"content\":\"x\"  z\"}}]}" },
        { "{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}", "{\"choices\":[{\"delta\":{\"content\":\"x\"   }}]}" },
        { "{\"obfuscation\":{\"q\":1,\"p\":2},\"p\":2}", "{\"obfuscation\":{\"q\":1,\"p\":2}     }" },
        { "{\"choices\":[ ],\"p\":2 }", "{\"choices\":[],\"p\":23 }" },
        { "5 ", "55" }, { "5 ", "5.5" }, { "5 ", "5e3" }, { "[] ", "[] " }, { "[1]", "[1 ]" }, { "\"a\" ", "\"a\"b" },
        { "{\"choices\":[{\"delta\":{\"content\":null}}]}", "{\"choices\":[{\"delta\":{\"content\":\"a long text\"}}]}" },
        { "{\"choices\":[{\"delta\":{\"odd\":[[[ 1 ] ] ]}}]}", "{\"choices\":[{\"delta\":{\"odd\":[[[1]]  ]}}]}" },
    };
    size_t i, cut;

    begin_chat();
    for (i = 0; i < sizeof frames / sizeof *frames; i++) {
        int size = snprintf(body, sizeof body, DATA(CHAT("one")) DATA(CHAT("two")) "data: %s\n\ndata: %s\n\ndata: %s\n\ndata: %s\n\n" CHAT_END,
                            frames[i][0], frames[i][0], frames[i][1], frames[i][0]);
        for (cut = 1; cut < (size_t)size; cut++)
            same_events(body, (size_t)size, cut, (size_t)size);
        same_events(body, (size_t)size, 1, 1);
    }
}

/* What is open of a string is read again with each push. */
TEST(a_string_that_stays_open_is_parsed_when_it_is_long)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream s;
    size_t i;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_chat;
    desc.repeat_bytes = 100000;
    elelem_stream_init(&s, &desc);
    push_text(&s, DATA(CHAT("one")) DATA(CHAT("two")) DATA(CHAT("three")) "data: " CHAT_BEGINS "\"content\":\"");
    CHECK_INT(s.els_response.repeat.state, ELS_REPEAT_COMPARES);
    for (i = 0; i < 5; i++)
        push_text(&s, SPACE);
    CHECK(s.els_response.repeat.state != ELS_REPEAT_COMPARES);
    elelem_stream_free(&s);
}

TEST(strings_that_may_pass_do_so_in_a_list_too)
{
    size_t i, size = (size_t)snprintf(body, sizeof body, "data: {\"choices\":[{\"delta\":{\"index\":0,\"audio\":{\"data\":[\"");

    for (i = 0; i < 1100; i++)
        body[size++] = 'a';
    size += (size_t)snprintf(body + size, sizeof body - size, "\"]}}}]}\n\n" CHAT_END);
    begin_chat();
    same_events(body, size, size, size);
    for (i = 1; i < size; i += 97)
        same_events(body, size, i, size);
}

/* A value between frames is read into the document too. */
TEST(a_frame_after_a_value_that_is_in_no_frame_is_read_as_it_is)
{
    size_t i, size = (size_t)snprintf(body, sizeof body, LARGE_CHAT DATA(CHAT("one")) DATA(CHAT("two"))
                                      "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\n" DATA(CHAT("three")) DATA(CHAT("four")) CHAT_END);

    begin_chat();
    for (i = 1; i < size; i += 11)
        same_events(body, size, i, i);
}

/* The room after the document is used up, and another frame is kept then. */
TEST(values_that_become_longer_and_longer_are_whole)
{
    size_t i, size = (size_t)snprintf(body, sizeof body, LARGE_CHAT);

    begin_chat();
    for (i = 0; i < 60; i++)
        size += (size_t)snprintf(body + size, sizeof body - size, DATA(CHAT_BEGINS "\"content\":\"%.*s\"},\"finish_reason\":null}]}"),
                                 (int)(i * 37 % 61), SPACE);
    size += (size_t)snprintf(body + size, sizeof body - size, CHAT_END);
    same_events(body, size, size, size);
    for (i = 1; i < 700; i += 41)
        same_events(body, size, i, i);
}

/* A number that is longer than any that a parser reads. */
TEST(a_frame_with_a_number_that_is_too_long_is_the_same_error)
{
    enum { DIGITS = 65600 };
    static char frame[DIGITS + 4000];
    size_t size, start = (size_t)snprintf(frame, sizeof frame, LARGE_CHAT DATA(CHAT("one")) DATA(CHAT("two")) "data: {\"id\":\"chatcmpl-1\",\"object\":"
                                          "\"chat.completion.chunk\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":");

    CHECK(start + DIGITS < sizeof frame);
    memset(frame + start, '1', DIGITS);
    size = start + DIGITS;
    size += (size_t)snprintf(frame + size, sizeof frame - size, ",\"delta\":{}}]}\n\n");
    begin_chat();
    same_events(frame, size, size, size);
    same_events(frame, size, start + 3, size);
}

/* A stream that keeps long frames has room for one that is longer than may be held. */
TEST(a_frame_that_pushes_cut_and_that_is_too_long_to_be_held_is_read_as_it_is)
{
#define TEN_PARTS(p) p(0) "," p(1) "," p(2) "," p(3) "," p(4) "," p(5) "," p(6) "," p(7) "," p(8) "," p(9)
#define SHORT_PART(i) "{\"index\":" #i ",\"unknown\":\"short\"}"
#define LONG_PART(i) "{\"index\":" #i ",\"unknown\":\"" SPACE SPACE SPACE "\"}"
    static const char frames[] = DATA("{\"choices\":[" TEN_PARTS(SHORT_PART) "]}") DATA("{\"choices\":[" TEN_PARTS(SHORT_PART) "]}")
                                 DATA("{\"choices\":[" TEN_PARTS(LONG_PART) "]}") DATA("{\"choices\":[" TEN_PARTS(SHORT_PART) "]}") CHAT_END;
    size_t cut;

    begin_chat();
    streams_now.desc.repeat_bytes = 60000;
    streams_now.desc.without_provider_items = 1;
    for (cut = 40; cut < 300; cut += 33)
        same_events(frames, sizeof frames - 1, cut, cut);
}

/* A shape may want other values from one frame to the next. */

static const elelem_pattern_node wants_a[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING), ELELEM_PATTERN_MEMBER(0, "a", ELELEM_WANT_WHOLE) };
static const elelem_pattern_node wants_b[] = { ELELEM_PATTERN_ROOT(ELELEM_WANT_NOTHING), ELELEM_PATTERN_MEMBER(0, "b", ELELEM_WANT_WHOLE) };

static elelem_status changing_frame(elelem_shape_context *c)
{
    uint32_t *frames = (uint32_t *)elelem_shape_stream_state(c);
    elelem_value only = elelem_value_first(elelem_shape_document(c));

    elelem_shape_text(c, elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0), elelem_value_text(only));
    elelem_shape_paths(c, ++*frames / 3 % 2 ? wants_b : wants_a);
    return ELELEM_OK;
}

TEST(a_frame_that_is_the_one_before_but_of_which_something_else_is_wanted_is_parsed)
{
    static const char frames[] = DATA("{\"a\":\"1\",\"b\":\"x\"}") DATA("{\"a\":\"2\",\"b\":\"y\"}") DATA("{\"a\":\"3\",\"b\":\"z\"}")
                                 DATA("{\"a\":\"4\",\"b\":\"u\"}") DATA("{\"a\":\"5\",\"b\":\"v\"}") DATA("{\"a\":\"6\",\"b\":\"w\"}");
    elelem_shape shape = { "changing", wants_a, 2, changing_frame, 0, 0, sizeof(uint32_t), 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };

    streams_shape(&shape);
    twins_are_fast = 1;
    STREAM(frames, "0 text \"123uvw\"\nERROR connect retryable \"the response ended before it was complete\"\nEND\n");
    same_events(frames, sizeof frames - 1, sizeof frames - 1, sizeof frames - 1);
}

/* Every cut of the memory that a stream may have is one at which it is refused or limited. */
TEST(small_limits_are_met_at_the_same_place)
{
    size_t size;
    uint32_t most;

    begin_chat();
    size = body_of_frames(CHAT("text"), CHAT(SPACE SPACE SPACE SPACE SPACE), sizeof CHAT(SPACE SPACE SPACE SPACE SPACE) - 1);
    for (most = 100; most < 3000; most += 61) {
        streams_now.desc.max_frame_bytes = most;
        same_events(body, size, size, size);
        same_events(body, size, 1800, 100);
    }
}

CHECK_MAIN("repeat",
    RUN(a_frame_that_is_the_one_before_but_of_which_something_else_is_wanted_is_parsed)
    RUN(a_frame_with_a_number_that_is_too_long_is_the_same_error)
    RUN(a_frame_that_pushes_cut_and_that_is_too_long_to_be_held_is_read_as_it_is)
    RUN(a_frame_that_differs_in_a_value_is_not_parsed)
    RUN(a_frame_that_pushes_cut_is_not_parsed_either)
    RUN(a_reset_inside_a_frame_that_repeats_leaves_nothing_of_it)
    RUN(a_string_that_a_push_cuts_in_the_frame_that_is_kept_may_vary)
    RUN(a_string_that_many_pushes_cut_is_noted_once)
    RUN(a_frame_that_differs_after_a_cut_may_vary_before_it)
    RUN(a_part_that_shows_what_it_is_may_vary)
    RUN(the_first_member_of_a_part_decides_at_every_cut)
    RUN(a_new_stream_has_room_for_the_frame_before)
    RUN(a_stream_does_without_that_room_if_it_is_refused)
    RUN(nothing_is_kept_if_documents_need_the_room)
    RUN(frames_that_begin_alike_give_the_same_events_at_every_cut)
    RUN(a_frame_that_differs_in_any_byte_is_read_as_it_is)
    RUN(a_frame_that_ends_anywhere_is_read_as_it_is)
    RUN(keys_that_come_again_change_nothing_of_what_is_kept)
    RUN(frames_that_are_pushed_whole_repeat_too)
    RUN(values_of_every_kind_are_those_of_the_frame_at_hand)
    RUN(the_values_after_those_that_are_noted_are_those_of_the_frame_at_hand)
    RUN(a_long_string_that_pushes_cut_may_differ_at_its_end)
    RUN(the_document_of_a_frame_that_is_cut_off_is_there)
    RUN(blanks_and_numbers_do_not_make_a_frame_what_it_is_not)
    RUN(a_string_that_stays_open_is_parsed_when_it_is_long)
    RUN(strings_that_may_pass_do_so_in_a_list_too)
    RUN(a_frame_after_a_value_that_is_in_no_frame_is_read_as_it_is)
    RUN(values_that_become_longer_and_longer_are_whole)
    RUN(small_limits_are_met_at_the_same_place))
