/* Frames that begin as the frame before did: they give what they would give if each were read in full. */
#include "fast_law.h"

#define SPACE "                                                                "

/* The first frame is large, so that there is room for what is kept. */
#define LARGE_CHAT "data: {\"id\":\"chatcmpl-1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"" \
    SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE SPACE "\"}}]}\n\n"
#define CHAT_BEGINS "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":17,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{"
#define CHAT(text) CHAT_BEGINS "\"content\":\"" text "\"},\"finish_reason\":null}]}"
#define DATA(json) "data: " json "\n\n"
#define CHAT_END DATA(CHAT_BEGINS "},\"finish_reason\":\"stop\"}]}") "data: [DONE]\n\n"

static char body[20000];

static void begin_chat(void)
{
    streams_shape(&elelem_shape_chat);
    streams_now.offsets = streams_now.usage = 1;
}

static const els_repeat *kept(const elelem_stream *s)
{
    const els_body *b = &s->els_response;

    return els_repeat_is_kept(b->repeat) ? els_repeat_at(&b->document, b->repeat) : NULL;
}

static void push_text(elelem_stream *s, const char *text)
{
    elelem_event event;

    CHECK_INT(elelem_stream_push(s, text, strlen(text)), ELELEM_OK);
    while (elelem_stream_next(s, &event) == ELELEM_OK)
        CHECK(event.kind != ELELEM_EVENT_ERROR);
}

TEST(what_two_frames_begin_with_is_kept_and_the_third_takes_it_back)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream s;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_chat;
    elelem_stream_init(&s, &desc);
    push_text(&s, LARGE_CHAT DATA(CHAT("one")) DATA(CHAT("two")));
    CHECK(kept(&s) && kept(&s)->mark == sizeof CHAT_BEGINS - 1);
    push_text(&s, DATA(CHAT("three")));
    CHECK(kept(&s) && kept(&s)->mark == sizeof CHAT_BEGINS - 1);
    elelem_stream_free(&s);
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
    CHECK(!kept(&s) || kept(&s)->mark == 0);
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
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream s;
    elelem_event event;
    int i, parts = 0;

    twins_are_fast = 1;
    desc.shape = &elelem_shape_chat;
    elelem_stream_init(&s, &desc);
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
    CHECK(kept(&s) && kept(&s)->mark > 0);
    elelem_stream_free(&s);
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
    RUN(what_two_frames_begin_with_is_kept_and_the_third_takes_it_back)
    RUN(nothing_is_kept_if_documents_need_the_room)
    RUN(frames_that_begin_alike_give_the_same_events_at_every_cut)
    RUN(a_frame_that_differs_in_any_byte_is_read_as_it_is)
    RUN(a_frame_that_ends_anywhere_is_read_as_it_is)
    RUN(keys_that_come_again_change_nothing_of_what_is_kept)
    RUN(frames_that_are_pushed_whole_repeat_too)
    RUN(small_limits_are_met_at_the_same_place))
