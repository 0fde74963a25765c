/* The work law by name: what it costs to read a body is bounded by its bytes. The pairs that once broke it are tried
   one by one, and a sample of all others; tests/deep_work.c tries every pair. */
#include "elelem_stream.h"

#include "check.h"
#include "work_law.h"

/* A pair by the paths of its two, in a frame of this name. */
typedef struct known_pair {
    const char *frame;
    const char *one;
    const char *other;
} known_pair;

static const work_frame *frame_named(const char *name)
{
    size_t i;

    for (i = 0; i < WORK_FRAMES; i++)
        if (strcmp(work_frames[i].name, name) == 0) return &work_frames[i];
    return NULL;
}

/* The pair in every form, small enough to be quick and so large that a product of both shows. */
static void holds(const known_pair *known)
{
    static work_tree t;
    static work_text out;
    work_pair p;
    int form;

    check_context(known->one);
    memset(&p, 0, sizeof p);
    p.frame = frame_named(known->frame);
    if (!CHECK(p.frame)) return;
    work_tree_of(&t, p.frame);
    p.tree = &t;
    p.one = work_path(&t, known->one);
    p.other = work_path(&t, known->other);
    for (form = 0; form < 3; form++) {
        p.is_full = form == 1;
        p.is_long = form == 2;
        if (!p.is_long || work_is_leaf(&t, p.one)) CHECK(work_pair_holds(&out, &t, &p, 300));
    }
}

static void each_holds(const known_pair *pairs, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        holds(&pairs[i]);
}

#define EACH_HOLDS(pairs) each_holds(pairs, sizeof pairs / sizeof *pairs)

TEST(citations_are_read_once_a_chunk_not_once_a_choice)
{
    static const known_pair pairs[] = {
        { "chat", "citations[*]", "choices[*]" },
        { "chat", "search_results[*]", "choices[*]" },
        { "chat that ends", "citations[*]", "choices[*]" },
    };

    EACH_HOLDS(pairs);
}

TEST(what_else_there_is_of_a_chunk_is_read_once_not_once_a_choice_or_member)
{
    static const known_pair pairs[] = {
        { "chat", "other", "choices[*]" },
        { "chat", "x_groq.id", "choices[*]" },
        { "chat", "id", "choices[*]" },
        { "chat", "choices[*].other", "choices[*].delta.content" },
        { "chat", "choices[*].other", "choices[*].delta.other" },
        { "chat", "choices[*].delta.other", "choices[*].delta.content[*]" },
        { "chat", "choices[*].delta.audio.transcript", "choices[*].delta.audio.id" },
        { "chat", "choices[*].delta.audio.data", "choices[*].delta.audio.other" },
        { "chat", "choices[*].delta.executed_tools[*].other", "choices[*].delta.executed_tools[*].arguments" },
        { "chat", "choices[*].delta.executed_tools[*]", "choices[*].delta.images[*]" },
        { "chat", "choices[*].delta.executed_tools[*].arguments", "choices[*].delta.executed_tools[*]" },
        { "chat", "choices[*].logprobs.content[*]", "choices[*]" },
        { "chat that ends", "choices[*].delta.audio.transcript", "choices[*]" },
        { "chat that ends", "choices[*].delta.executed_tools[*]", "choices[*]" },
        { "chat that ends", "other", "choices[*].other" },
    };

    EACH_HOLDS(pairs);
}

TEST(a_candidate_is_looked_through_once_not_once_a_part)
{
    static const known_pair pairs[] = {
        { "gemini", "candidates[*].index", "candidates[*].content.parts[*]" },
        { "gemini", "candidates[*].finishMessage", "candidates[*].content.parts[*]" },
        { "gemini", "candidates[*].index", "candidates[*].content.parts[*].functionCall.partialArgs[*]" },
        { "gemini that ends", "candidates[*].index", "candidates[*].content.parts[*]" },
    };

    EACH_HOLDS(pairs);
}

TEST(a_chunk_is_looked_through_once_not_once_a_candidate) /* A1 */
{
    static const known_pair pairs[] = {
        { "gemini", "promptFeedback", "candidates[*]" },
        { "gemini", "usageMetadata", "candidates[*]" },
        { "gemini that ends", "error", "candidates[*]" },
    };

    EACH_HOLDS(pairs);
}

TEST(a_frame_of_responses_is_looked_through_once_not_once_a_part_or_listed_item)
{
    static const known_pair pairs[] = {
        { "responses response.output_item.done", "text", "item.content[*]" },
        { "responses response.output_item.done", "type", "item.content[*]" },
        { "responses response.completed", "text", "response.output[*]" },
        { "responses response.completed", "type", "response.output[*]" },
        { "responses response.completed", "response.status", "response.output[*]" },
    };

    EACH_HOLDS(pairs);
}

TEST(an_output_item_is_looked_through_and_its_id_is_read_once_not_once_a_part)
{
    static const known_pair pairs[] = {
        { "responses response.output_item.done", "item.id", "item.content[*]" },
        { "responses response.output_item.done", "item.name", "item.content[*]" },
        { "responses response.output_item.done", "item.id", "item.summary[*]" },
        { "responses response.completed", "response.output[*].id", "response.output[*].content[*]" },
    };

    EACH_HOLDS(pairs);
}

TEST(a_frame_of_messages_is_looked_through_for_its_type_once_not_once_a_block)
{
    static const known_pair pairs[] = {
        { "messages content_block_start", "type", "message.content[*]" },
        { "messages message_delta", "type", "message.content[*]" },
        { "messages error", "type", "message.content[*]" },
    };

    EACH_HOLDS(pairs);
}

TEST(a_frame_of_interactions_is_looked_through_once_not_once_a_content_or_listed_step)
{
    static const known_pair pairs[] = {
        { "interactions step.start", "event_type", "step.content[*]" },
        { "interactions step.start", "step.id", "step.content[*]" },
        { "interactions step.start", "step.other", "step.content[*]" },
        { "interactions thought", "step.signature", "step.summary[*]" },
        { "interactions step.delta", "other", "delta.annotations[*]" },
        { "interactions completed", "event_type", "interaction.steps[*]" },
        { "interactions completed", "interaction.id", "interaction.steps[*]" },
        { "interactions completed", "interaction.steps[*].signature", "interaction.steps[*].content[*]" },
        { "interactions call", "delta.other", "delta.arguments.a" },
    };

    EACH_HOLDS(pairs);
}

static uint64_t steps_of_repeated_blocks(size_t count)
{
    static work_text out;
    static const work_reading how = WORK_LIMITS(&elelem_shape_messages, 0);

    out.size = 0;
    work_puts(&out, "data: {\"index\":0");
    for (; count > 0; count--)
        work_puts(&out, ",\"content_block\":{\"type\":\"x\"}");
    work_puts(&out, "}\n\n");
    return work_of(&how, out.bytes, out.size, 4096);
}

TEST(a_block_that_is_repeated_in_a_frame_without_a_type_is_looked_at_once)
{
    uint64_t few = steps_of_repeated_blocks(500);

    CHECK(steps_of_repeated_blocks(2000) * 10 <= few * 44);
}

/* Whole responses, whose lists are worked off while they arrive: what is around a list is not looked through for each element. */
typedef struct whole_list {
    const char *name;
    const elelem_shape *shape;
    const char *open;    /* up to members around the list */
    const char *member;  /* one of those */
    const char *list;    /* what opens it */
    const char *element; /* up to a long text */
    const char *after;   /* what ends an element */
    const char *close;
} whole_list;

#define WHOLE_TEXT "{\"type\":\"text\",\"text\":\""
#define WHOLE_CALL "{\"function\":{\"name\":\"f\",\"arguments\":\""

static const whole_list whole_lists[] = {
    { "members before content", &elelem_shape_messages, "{", "\"x\":1,", "\"content\":[", WHOLE_TEXT, "\"}", "],\"stop_reason\":\"end_turn\"}" },
    { "members before content that passes", &elelem_shape_messages, "{", "\"x\":1,", "\"content\":[", "{\"type\":\"hologram\",\"a\":\"", "\"}",
      "],\"stop_reason\":\"end_turn\"}" },
    { "members before output", &elelem_shape_responses, "{\"status\":\"completed\",", "\"x\":1,", "\"output\":[",
      "{\"type\":\"message\",\"content\":[" WHOLE_TEXT, "\"}]}", "]}" },
    { "members before output that passes", &elelem_shape_responses, "{\"status\":\"completed\",", "\"x\":1,", "\"output\":[",
      "{\"type\":\"hologram\",\"a\":\"", "\"}", "]}" },
    { "custom calls that wait for the tools", &elelem_shape_responses, "{\"status\":\"completed\",", "\"x\":1,", "\"output\":[",
      "{\"type\":\"custom_tool_call\",\"status\":\"completed\",\"input\":\"", "\"}", "]}" },
    { "members before candidates", &elelem_shape_gemini, "{", "\"x\":1,", "\"candidates\":[{\"content\":{\"parts\":[", "{\"text\":\"", "\"}",
      "]}}]}" },
    { "members of a candidate", &elelem_shape_gemini, "{\"candidates\":[{", "\"x\":1,", "\"content\":{\"parts\":[", "{\"text\":\"", "\"}", "]}}]}" },
    { "members of a candidate whose parts pass", &elelem_shape_gemini, "{\"candidates\":[{", "\"x\":1,", "\"content\":{\"parts\":[",
      "{\"inlineData\":\"", "\"}", "]}}]}" },
    { "members of a candidate with parts of no choice yet", &elelem_shape_gemini, "data: {\"candidates\":[{\"index\":1}]}\n\ndata: {\"candidates\":[{",
      "\"x\":1,", "\"content\":{\"parts\":[", "{\"inlineData\":\"", "\"}", "]},\"index\":0}]}\n\n" },
    { "members of contents", &elelem_shape_gemini, "{\"candidates\":[{\"content\":{", "\"x\":1,", "\"parts\":[", "{\"text\":\"", "\"}", "]}}]}" },
    { "members before choices", &elelem_shape_chat, "{", "\"x\":1,", "\"choices\":[{\"message\":{\"tool_calls\":[", WHOLE_CALL, "\"}}", "]}}]}" },
    { "members of a choice", &elelem_shape_chat, "{\"choices\":[{", "\"x\":1,", "\"message\":{\"tool_calls\":[", WHOLE_CALL, "\"}}", "]}}]}" },
    { "members of a message", &elelem_shape_chat, "{\"choices\":[{\"message\":{", "\"x\":null,", "\"tool_calls\":[", WHOLE_CALL, "\"}}", "]}}]}" },
    { "members before steps", &elelem_shape_interactions, "{\"status\":\"completed\",", "\"x\":1,", "\"steps\":[",
      "{\"type\":\"model_output\",\"content\":[" WHOLE_TEXT, "\"}]}", "]}" },
    { "members before steps that pass", &elelem_shape_interactions, "{\"status\":\"completed\",", "\"x\":1,", "\"steps\":[",
      "{\"type\":\"hologram\",\"a\":\"", "\"}", "]}" },
};

static uint64_t work_of_list(const whole_list *l, size_t members, size_t elements)
{
    static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz";
    static work_text out;
    work_reading how;
    uint64_t steps;
    size_t i, k;

    memset(&how, 0, sizeof how);
    how.shape = l->shape;
    out.size = 0;
    work_puts(&out, l->open);
    for (i = 0; i < members; i++)
        work_puts(&out, l->member);
    work_puts(&out, l->list);
    for (i = 0; i < elements; i++) {
        if (i > 0) work_puts(&out, ",");
        work_puts(&out, l->element);
        for (k = 0; k < 24; k++)
            work_puts(&out, text);
        work_puts(&out, l->after);
    }
    work_puts(&out, l->close);
    steps = work_of(&how, out.bytes, out.size, 4096);
    CHECK(steps <= work_most(&how, out.bytes, out.size));
    return steps;
}

TEST(what_is_around_a_list_that_is_worked_off_is_looked_through_once_not_once_an_element)
{
    size_t i;

    for (i = 0; i < sizeof whole_lists / sizeof *whole_lists; i++) {
        uint64_t both, members, elements;
        check_context(whole_lists[i].name);
        both = work_of_list(&whole_lists[i], 20000, 200);
        members = work_of_list(&whole_lists[i], 20000, 1);
        elements = work_of_list(&whole_lists[i], 1, 200);
        CHECK(both * 10 <= (members + elements) * 12);
    }
}

TEST(a_sample_of_all_pairs_makes_no_work_a_product) /* A1 */
{
    size_t i, tried = 0;

    for (i = 0; i < WORK_FRAMES; i++) {
        check_context(work_frames[i].name);
        CHECK_INT(work_frame_broken(&work_frames[i], 25, 199, &tried), 0);
    }
    CHECK(tried > 100000);
    CHECK_INT(work_memory_broken, 0);
}

/* The pieces of a body cost a little each. */
TEST(each_single_byte_costs_the_same_however_many_there_are)
{
    static work_tree t;
    static work_text out;
    work_pair p;
    uint64_t few, many;

    memset(&p, 0, sizeof p);
    p.frame = frame_named("gemini");
    work_tree_of(&t, p.frame);
    p.tree = &t;
    p.one = work_path(&t, "candidates[*].content.parts[*]");
    p.other = work_path(&t, "candidates[*].content.parts[*].functionCall.partialArgs[*]");
    p.count = 50;
    work_body(&out, &t, &p);
    few = work_of(&p.frame->how, out.bytes, out.size, 1);
    p.count = 200;
    work_body(&out, &t, &p);
    many = work_of(&p.frame->how, out.bytes, out.size, 1);
    CHECK(many * 10 <= few * 44);
}

/* Texts that come byte by byte: words, digits and whitespace, as a value and as a key. */
TEST(a_byte_pushed_alone_takes_few_steps)
{
    static const struct {
        const char *begin;
        const char *more;
        uint64_t steps; /* a byte, at most, compiled with -O1 or more: to push it, to take it and to ask for more */
    } rows[] = { { "[\"", "some text ", 39 }, { "{\"", "a key ", 54 }, { "[", "1234567890", 42 }, { "[", "\n  \t\r", 29 } };
    size_t i, k;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        static work_text out;
        elelem_fragment_parser parser;
        elelem_fragment fragment;
        check_context(rows[i].more);
        out.size = 0;
        work_puts(&out, rows[i].begin);
        while (out.size < 30000)
            work_puts(&out, rows[i].more);
        elelem_fragment_parser_init(&parser, NULL);
        counted_steps = 0;
        for (k = 0; k < out.size; k++) {
            CHECK_INT(elelem_fragment_parser_push(&parser, out.bytes + k, 1), ELELEM_OK);
            while (elelem_fragment_parser_next(&parser, &fragment) == ELELEM_OK)
                continue;
        }
        CHECK_INT(elelem_fragment_parser_error(&parser).status, ELELEM_OK);
        CHECK(counted_steps <= rows[i].steps * out.size);
        elelem_fragment_parser_free(&parser);
    }
}

/* Patterns that all match all but the last step of a path: each has the steps "*" and, at the places of the bits of its number, "a". */
#define MATCHED_VALUES 1000

typedef struct matched_patterns {
    elelem_patterns patterns;
    elelem_pattern_node nodes[2000];
    char texts[256][100];
    const char *list[256];
} matched_patterns;

static void make_patterns(matched_patterns *m, size_t count, size_t depth)
{
    size_t i, k;

    for (i = 0; i < count; i++) {
        m->texts[i][0] = '\0';
        for (k = 0; k + 1 < depth; k++)
            strcat(m->texts[i], (depth - 2 - k) < 8 && (i >> (depth - 2 - k) & 1) ? "a." : "*.");
        strcat(m->texts[i], "x");
        m->list[i] = m->texts[i];
    }
    CHECK_INT(elelem_patterns_compile(&m->patterns, m->nodes, sizeof m->nodes / sizeof *m->nodes, m->list, count, NULL, NULL), ELELEM_OK);
}

/* A document as deep as the patterns, with many values at its bottom, of which none has the last step. */
static void make_document(work_text *out, size_t depth)
{
    size_t i;

    out->size = 0;
    for (i = 0; i + 1 < depth; i++)
        work_puts(out, "{\"a\":");
    work_puts(out, "{");
    for (i = 0; i < MATCHED_VALUES; i++)
        work_puts(out, i > 0 ? ",\"a\":{}" : "\"a\":{}");
    for (i = 0; i < depth; i++)
        work_puts(out, "}");
}

static uint64_t steps_of_matching(size_t count, size_t depth)
{
    static matched_patterns m;
    static work_text out;
    elelem_fragment_parser parser;
    elelem_fragment_parser_desc desc = ELELEM_INIT;
    elelem_fragment fragment;
    uint64_t steps;

    make_patterns(&m, count, depth);
    make_document(&out, depth);
    desc.patterns = &m.patterns;
    elelem_fragment_parser_init(&parser, &desc);
    counted_steps = 0;
    elelem_fragment_parser_push(&parser, out.bytes, out.size);
    CHECK_INT(elelem_fragment_parser_next(&parser, &fragment), ELELEM_END);
    steps = counted_steps;
    elelem_fragment_parser_free(&parser);
    return steps;
}

/* Each value may look at each step of each pattern once, and find the step before it by a binary search among as many as there are
   patterns: so four times the patterns take a little more than four times the steps, and a product of two would take sixteen. */
TEST(a_value_costs_at_most_the_patterns_times_their_steps) /* J10 */
{
    static const size_t depths[] = { 10, 40 };
    size_t i, count;

    for (i = 0; i < 2; i++)
        for (count = 16; count <= 256; count *= 2) {
            uint64_t steps = steps_of_matching(count, depths[i]);
            check_cut("patterns", count);
            CHECK(steps <= (uint64_t)16 * count * depths[i] * MATCHED_VALUES);
            if (count > 64) CHECK(steps <= 6 * steps_of_matching(count / 4, depths[i]));
            if (i > 0) CHECK(steps * 10 <= 44 * steps_of_matching(count, depths[0]));
        }
    check_cut(NULL, 0);
}

/* What a refused frame would be known by is computed only if there is one. */
TEST(a_frame_that_is_taken_is_not_looked_through_before)
{
    static work_text out;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_str data;

    out.size = 0;
    work_puts(&out, "{\"other\":\"");
    while (out.size < 100000)
        work_puts(&out, "text ");
    work_puts(&out, "\"}");
    data.data = out.bytes;
    data.size = out.size;
    desc.shape = &elelem_shape_chat;
    CHECK_INT(elelem_stream_init(&stream, &desc), ELELEM_OK);
    counted_steps = 0;
    CHECK_INT(elelem_stream_push_data(&stream, elelem_str_of(""), data), ELELEM_OK);
    CHECK(counted_steps < 200);
    elelem_stream_free(&stream);
}

/* As many calls as may be open, and then a frame with pieces of one of them: each is looked up among all. */
TEST(each_event_looks_at_each_open_item_once)
{
    static work_text out;
    work_reading how = WORK_LIMITS(&elelem_shape_chat, 0);
    char call[200];
    size_t i;

    how.max_open_items = 256;
    out.size = 0;
    for (i = 0; i < 255; i++) {
        sprintf(call, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%u,\"id\":\"%u\",\"function\":{\"name\":\"f\",\"arguments\":\"[\"}}]}}]}\n\n",
                (unsigned)i, (unsigned)i);
        work_puts(&out, call);
    }
    work_puts(&out, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{}");
    for (i = 0; i < 20000; i++) {
        sprintf(call, ",{\"index\":%u,\"function\":{\"arguments\":\"1\"}}", (unsigned)(i * 7 % 255));
        work_puts(&out, call);
    }
    work_puts(&out, "]}}]}\n\n");
    CHECK(work_of(&how, out.bytes, out.size, 4096) <= work_most(&how, out.bytes, out.size));
}

/* Near its limit a value takes what fits of a string: the path of that is long, and compared once. */
TEST(a_string_that_meets_the_limit_of_items_is_added_once)
{
    static work_text out;
    uint64_t steps[2];
    size_t i, k;

    for (i = 0; i < 2; i++) {
        elelem_event_builder builder;
        elelem_event_builder_desc desc = ELELEM_INIT;
        elelem_event event = ELELEM_INIT;
        elelem_built built;
        out.size = 0;
        for (k = 0; k < 4; k++) {
            work_puts(&out, "{\"");
            while (out.size % 10000 != 0)
                work_puts(&out, "k");
            work_puts(&out, "\":");
        }
        work_puts(&out, "\"");
        for (k = 0; k < (i == 0 ? 50000u : 200000u); k++)
            work_puts(&out, "s");
        desc.max_bytes = out.size - 10000;
        elelem_event_builder_init(&builder, &desc);
        event.part.kind = ELELEM_PART_TOOL_CALL;
        event.part.tool_call.kind = ELELEM_TOOL_CALL_ARGUMENT_CHUNK;
        event.part.tool_call.text.data = out.bytes;
        event.part.tool_call.text.size = out.size;
        counted_steps = 0;
        elelem_event_builder_push(&builder, &event);
        while (elelem_event_builder_next(&builder, &built) == ELELEM_OK)
            continue;
        steps[i] = counted_steps;
        elelem_event_builder_free(&builder);
    }
    CHECK(steps[1] <= WORK_ALWAYS + (uint64_t)WORK_PER_BYTE * out.size);
    CHECK(steps[1] * 10 <= steps[0] * 44);
}

/* Growth: four times as many of the unit, and the law. */
static void unit_holds(const work_reading *how, const char *before, const char *unit)
{
    static work_text out;
    uint64_t steps[2];
    size_t i;

    check_context(unit);
    for (i = 0; i < 2; i++) {
        out.size = 0;
        work_puts(&out, before);
        while (out.size < (i == 0 ? 10000u : 40000u))
            work_puts(&out, unit);
        steps[i] = work_of(how, out.bytes, out.size, 4096);
    }
    CHECK(steps[1] <= work_most(how, out.bytes, out.size));
    CHECK(steps[1] * 10 <= steps[0] * 44);
}

TEST(an_array_of_the_smallest_elements_takes_no_more_steps_than_the_law_allows)
{
    static const char *const elements[] = { ",0", ",{}", ",[]", ",\"\"", ",{\"a\":0}", ",\"[,\\\",]\"", ",{\"candidates\":[]}" };
    const work_reading how = WORK_LIMITS(&elelem_shape_gemini, 0);
    size_t i;

    for (i = 0; i < sizeof elements / sizeof *elements; i++)
        unit_holds(&how, "[0", elements[i]);
}

TEST(the_smallest_frames_and_lines_take_no_more_steps_than_the_law_allows)
{
    static const char *const units[] = {
        "data:0\n\n", "data:{}\r\r", "data\n\n", "{}\n", "[]\r", "{\n", "{\"error\":0}\n", "{\"error\":{\n", "{}{}\n", "data:[0\n\n", "d\n"
    };
    static const elelem_shape *const shapes[] = { &elelem_shape_chat, &elelem_shape_responses, &elelem_shape_messages,
                                                  &elelem_shape_gemini, &elelem_shape_interactions };
    size_t i, k;
    int is_refused;

    for (is_refused = 0; is_refused < 2; is_refused++)
        for (i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (k = 0; k < sizeof units / sizeof *units; k++) {
                work_reading how = WORK_LIMITS(shapes[i], is_refused ? 429 : 0);
                unit_holds(&how, "e\n", units[k]);
            }
}

/* Bodies that give no event: a call of next reads as much of them as it may, and does no more work than that takes. */
TEST(a_call_that_finds_nothing_takes_no_more_steps_than_its_bytes_allow)
{
    static const char *const units[] = { ": comment\n\n", ":\n", "event: ping\ndata: {}\n\n", "data: {\"other\":[1,2,{\"a\":\"b\"}]}\n\n", "\n" };
    static work_text out;
    elelem_turn turn;
    elelem_turn_update update;
    elelem_turn_desc desc = ELELEM_INIT;
    size_t i;

    if (!check_has_memory((size_t)16 << 20)) return;
    desc.shape = &elelem_shape_chat;
    desc.max_next_bytes = 4096;
    for (i = 0; i < sizeof units / sizeof *units; i++) {
        uint64_t most = 0, calls = 0;
        elelem_status status;
        check_context(units[i]);
        out.size = 0;
        while (out.size < 4000000)
            work_puts(&out, units[i]);
        elelem_turn_init(&turn, &desc);
        elelem_turn_push(&turn, out.bytes, out.size);
        do {
            counted_steps = 0;
            status = elelem_turn_next(&turn, &update);
            if (counted_steps > most) most = counted_steps;
            calls++;
        } while (status == ELELEM_MORE && elelem_turn_unread(&turn) > 0);
        CHECK_INT(status, ELELEM_MORE);
        CHECK_U64(calls, (out.size + 4095) / 4096);
        CHECK(most <= 4096 * WORK_PER_BYTE);
        elelem_turn_free(&turn);
    }
}

/* The steps that it takes to find the tags of a text, which is pushed in pieces. */
static uint64_t steps_of_tags(const char *bytes, size_t size, size_t piece_size)
{
    static const elelem_str names[] = { { "think", 5 }, { "cite", 4 }, { "br", 2 } };
    elelem_tag_splitter_desc desc = ELELEM_INIT;
    elelem_tag_splitter splitter;
    elelem_tag_piece piece;
    size_t at = 0;

    desc.names = names;
    desc.name_count = sizeof names / sizeof *names;
    desc.max_depth = 65536;
    desc.trim = ELELEM_TAG_TRIM_INSIDE | ELELEM_TAG_TRIM_OUTSIDE;
    elelem_tag_splitter_init(&splitter, &desc);
    counted_steps = 0;
    while (at < size) {
        size_t part = piece_size < size - at ? piece_size : size - at;
        elelem_tag_splitter_push(&splitter, bytes + at, part);
        while (elelem_tag_splitter_next(&splitter, &piece) == ELELEM_OK)
            continue;
        at += part;
    }
    elelem_tag_splitter_finish(&splitter);
    while (elelem_tag_splitter_next(&splitter, &piece) == ELELEM_OK)
        continue;
    elelem_tag_splitter_free(&splitter);
    return counted_steps;
}

/* Quadratic work would be sixteen times as much for four times the bytes. */
TEST(P7_tags_are_found_in_linear_work_in_any_text)
{
    static const struct { const char *prefix, *unit; } rows[] = {
        { "", "<" }, { "", "<thi" }, { "", "<br>" }, { "", "</br>" }, { "", "<br/>" }, { "", "<think a=\"" },
        { "", "<think a='<think b=\"" }, { "<br>", "<cite></br><br>" }, { "", "<think " }, { "", " <" }, { "", " " },
        { "<think a=\"", "<br/>" }, { "", "<think a=\"<br/><br/><br/><br/><br/><br/><br/>" }, { "", "\xf0\x9f\x98\x80" }
    };
    static const size_t pieces[] = { 16, (size_t)-1 };
    static work_text text;
    size_t i, k;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].unit);
        text.size = 0;
        work_puts(&text, rows[i].prefix);
        while (text.size < (size_t)1 << 18)
            work_puts(&text, rows[i].unit);
        for (k = 0; k < 2; k++) {
            uint64_t one = steps_of_tags(text.bytes, text.size / 4, pieces[k]);
            uint64_t four = steps_of_tags(text.bytes, text.size, pieces[k]);
            CHECK(four <= WORK_ALWAYS + (uint64_t)(WORK_PER_BYTE + WORK_PER_PUSH / 16) * text.size);
            if (!CHECK(four * 10 <= one * 44)) CHECK_PRINTF("    %.0f steps for a quarter, %.0f for all\n", (double)one, (double)four);
        }
    }
}

/* The steps of a hundred stored lines, each of which ends what is open, after a response with so many calls. */
static uint64_t steps_of_lines_after_calls(unsigned calls)
{
    static work_text out;
    elelem_item_reader reader;
    elelem_read_item read;
    char call[100];
    uint64_t steps;
    unsigned i, items = 0;

    out.size = 0;
    for (i = 0; i < calls; i++) {
        sprintf(call, "{\"eventType\":\"ToolCallStart\",\"index\":%u,\"toolCallId\":\"%u\",\"toolName\":\"f\"}\n", i, i);
        work_puts(&out, call);
    }
    work_puts(&out, "{}\n");
    elelem_item_reader_init(&reader, NULL);
    CHECK_INT(elelem_item_reader_push(&reader, out.bytes, out.size), ELELEM_OK);
    while (elelem_item_reader_next(&reader, &read) == ELELEM_OK)
        items++;
    CHECK_INT(items, calls + 1);
    out.size = 0;
    for (i = 0; i < 100; i++)
        work_puts(&out, "{}\n");
    counted_steps = 0;
    CHECK_INT(elelem_item_reader_push(&reader, out.bytes, out.size), ELELEM_OK);
    while (elelem_item_reader_next(&reader, &read) == ELELEM_OK)
        items++;
    steps = counted_steps;
    CHECK_INT(items, calls + 101);
    elelem_item_reader_free(&reader);
    return steps;
}

TEST(a_stored_line_takes_as_many_steps_however_many_calls_were_open_before)
{
    uint64_t after_one = steps_of_lines_after_calls(1);

    CHECK(after_one > 0);
    CHECK(steps_of_lines_after_calls(200) <= after_one + after_one / 10);
}

/* Two things of which there are many: what each of the one costs does not depend on how many of the other there are. */
typedef struct two_lists {
    const char *name;
    const elelem_shape *shape; /* null: stored lines */
    const char *open;
    const char *one; /* %u is its number */
    size_t ones;
    const char *between;
    const char *other;
    size_t others;
} two_lists;

#define LONG_50 "01234567890123456789012345678901234567890123456789"
#define LONG_250 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50
#define LARGE LONG_250 LONG_250 LONG_250 LONG_250 LONG_50 /* passes */
#define LARGE_PART "{\"content\":{\"parts\":[{\"inlineData\":{\"data\":\"" LARGE "\"}}]}}"
#define BLANKS "                                                                                                    "
#define CHAT_CALLS(choice) \
    "data: {\"choices\":[{\"index\":" choice ",\"delta\":{\"tool_calls\":[{\"index\":%u,\"id\":\"i%u\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n"
#define SIGNED                                        \
    "data: {\"type\":\"message_start\",\"message\":{}}\n\n" \
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\"}}\n\n"
#define SIGNATURE "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\""
#define STORED_TEXT(metadata) "{\"eventType\":\"PartialResponse\",\"chunk\":\"a\",\"metadata\":{" metadata "}}\n"

static const two_lists lists_of_two[] = {
    { "calls of another choice, and reasons", &elelem_shape_chat, "", CHAT_CALLS("1"), 200,
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"z\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n",
      "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n", 400 },
    { "calls, and calls without a number", &elelem_shape_chat, "", CHAT_CALLS("0"), 200, "",
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"z%u\",\"name\":\"f\"}]}}]}\n\n", 50 },
    { "lists around an item that passes, and its values", &elelem_shape_responses,
      "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"x\",\"a\":", "[", 400, "0", ",1", 8000 },
    { "a long signature, and short ones", &elelem_shape_messages, SIGNED SIGNATURE, LONG_250 LONG_250 LONG_250 LONG_250, 600, "\"}}\n\n",
      SIGNATURE "01234567\"}}\n\n", 400 },
    { "members of a delta, and large data that come again in it", &elelem_shape_interactions,
      "data: {\"event_type\":\"step.delta\",\"index\":0,\"delta\":{\"type\":\"audio\"", ",\"m%u\":1", 2000, "", ",\"data\":\"" LARGE "\"", 100 },
    { "the same of a picture", &elelem_shape_interactions, "data: {\"event_type\":\"step.delta\",\"index\":0,\"delta\":{\"type\":\"image\"", ",\"m%u\":1", 2000,
      "", ",\"data\":\"" LARGE "\"", 100 },
    { "members of a frame, and large data without an index", &elelem_shape_interactions, "data: {\"event_type\":\"step.delta\"", ",\"m%u\":1", 2000,
      ",\"delta\":{\"type\":\"image\"", ",\"data\":\"" LARGE "\"", 100 },
    { "members of a candidate, and lists of candidates that come again", &elelem_shape_gemini,
      "data: {\"candidates\":[{\"index\":0,\"content\":{\"parts\":[{\"text\":\"a\"}]}},{\"index\":1,\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n"
      "data: {\"candidates\":[{\"x\":1", ",\"a\":1", 8000, "},{\"x\":1}]", ",\"candidates\":[" LARGE_PART "," LARGE_PART "]", 100 },
    { "blanks at the end of an array in metadata, and metadata", NULL, "{\"eventType\":\"PartialResponse\",\"chunk\":\"a\",\"metadata\":{\"k\":[1",
      BLANKS, 200, "]}}\n", STORED_TEXT("\"b\":1"), 400 },
    { "blanks at the end of an array in metadata, and more of it", NULL,
      "{\"eventType\":\"PartialResponse\",\"chunk\":\"a\",\"metadata\":{\"k\":[1", BLANKS, 200, "]}}\n", STORED_TEXT("\"k\":[]"), 400 },
};

static void work_puts_each(work_text *out, const char *unit, size_t count)
{
    char text[2500];
    unsigned i;

    for (i = 0; i < count; i++) {
        sprintf(text, unit, i, i);
        work_puts(out, text);
    }
}

static uint64_t steps_of_lines(const char *bytes, size_t size)
{
    elelem_item_reader reader;
    elelem_read_item read;

    elelem_item_reader_init(&reader, NULL);
    counted_steps = 0;
    CHECK_INT(elelem_item_reader_push(&reader, bytes, size), ELELEM_OK);
    elelem_item_reader_finish(&reader);
    while (elelem_item_reader_next(&reader, &read) == ELELEM_OK)
        continue;
    elelem_item_reader_free(&reader);
    return counted_steps;
}

static uint64_t steps_of_two(const two_lists *l, size_t ones, size_t others)
{
    static work_text out;
    work_reading how;

    memset(&how, 0, sizeof how);
    how.shape = l->shape;
    out.size = 0;
    work_puts(&out, l->open);
    work_puts_each(&out, l->one, ones);
    work_puts(&out, l->between);
    work_puts_each(&out, l->other, others);
    return l->shape ? work_of(&how, out.bytes, out.size, 4096) : steps_of_lines(out.bytes, out.size);
}

TEST(what_is_kept_or_open_is_not_looked_through_for_each_thing_that_comes) /* A1 */
{
    size_t i;

    for (i = 0; i < sizeof lists_of_two / sizeof *lists_of_two; i++) {
        const two_lists *l = &lists_of_two[i];
        uint64_t both, one, other;
        check_context(l->name);
        both = steps_of_two(l, l->ones, l->others);
        one = steps_of_two(l, l->ones, 1);
        other = steps_of_two(l, 1, l->others);
        if (!CHECK(both * 10 <= (one + other) * 20)) CHECK_PRINTF("    %.0f steps, %.0f and %.0f\n", (double)both, (double)one, (double)other);
    }
}

static uint64_t steps_of_waiting_items(size_t count)
{
    static const two_lists list = { "", &elelem_shape_responses, "{\"output\":[{\"type\":\"custom_tool_call\",\"id\":\"q\"}",
                                    ",{\"type\":\"x\",\"id\":\"%u\"}", 0, "],\"status\":\"completed\"}", "", 0 };

    return steps_of_two(&list, count, 0);
}

TEST(items_of_a_whole_response_that_wait_for_its_tools_are_looked_at_once) /* A1 */
{
    CHECK(steps_of_waiting_items(2000) * 10 <= steps_of_waiting_items(500) * 44);
}

CHECK_MAIN("work",
    RUN(P7_tags_are_found_in_linear_work_in_any_text)
    RUN(citations_are_read_once_a_chunk_not_once_a_choice)
    RUN(what_else_there_is_of_a_chunk_is_read_once_not_once_a_choice_or_member)
    RUN(a_candidate_is_looked_through_once_not_once_a_part)
    RUN(a_chunk_is_looked_through_once_not_once_a_candidate)
    RUN(a_frame_of_responses_is_looked_through_once_not_once_a_part_or_listed_item)
    RUN(an_output_item_is_looked_through_and_its_id_is_read_once_not_once_a_part)
    RUN(a_frame_of_messages_is_looked_through_for_its_type_once_not_once_a_block)
    RUN(a_frame_of_interactions_is_looked_through_once_not_once_a_content_or_listed_step)
    RUN(a_block_that_is_repeated_in_a_frame_without_a_type_is_looked_at_once)
    RUN(what_is_around_a_list_that_is_worked_off_is_looked_through_once_not_once_an_element)
    RUN(a_sample_of_all_pairs_makes_no_work_a_product)
    RUN(each_single_byte_costs_the_same_however_many_there_are)
    RUN(a_byte_pushed_alone_takes_few_steps)
    RUN(a_value_costs_at_most_the_patterns_times_their_steps)
    RUN(a_frame_that_is_taken_is_not_looked_through_before)
    RUN(each_event_looks_at_each_open_item_once)
    RUN(a_string_that_meets_the_limit_of_items_is_added_once)
    RUN(a_stored_line_takes_as_many_steps_however_many_calls_were_open_before)
    RUN(what_is_kept_or_open_is_not_looked_through_for_each_thing_that_comes)
    RUN(items_of_a_whole_response_that_wait_for_its_tools_are_looked_at_once)
    RUN(an_array_of_the_smallest_elements_takes_no_more_steps_than_the_law_allows)
    RUN(the_smallest_frames_and_lines_take_no_more_steps_than_the_law_allows)
    RUN(a_call_that_finds_nothing_takes_no_more_steps_than_its_bytes_allow))
