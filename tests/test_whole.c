/* Lists of whole responses, which are worked off while the document still arrives: a response of any length takes the memory of one
   element, and gives what it gives when there is room for all of it. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#define FEED_LOG_SIZE (1u << 20)
#undef FEED_CUTS /* a build may set it */
#define FEED_CUTS 120

#include "streams.h"
#include "faults.h"

/* Documents. */

static struct {
    char text[1u << 20];
    size_t size;
} made;

static void add(const char *text)
{
    size_t size = strlen(text);

    if (size > sizeof made.text - made.size) abort();
    memcpy(made.text + made.size, text, size);
    made.size += size;
}

static void add_many(const char *text, size_t count)
{
    while (count-- > 0)
        add(text);
}

/* One element: what is before and after a number and a long text. */
typedef struct whole_kind {
    const char *before;
    const char *between;
    const char *after;
} whole_kind;

typedef struct whole_wire {
    const char *name;
    const elelem_shape *shape;
    const char *open;        /* up to the list */
    const char *close;       /* after it */
    const char *last_reason; /* of the end */
    whole_kind kinds[4];     /* which come in turn */
} whole_wire;

static const whole_wire wires[] = {
    { "messages", &elelem_shape_messages, "{\"id\":\"m1\",\"model\":\"m\",\"content\":[",
      "],\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4,\"service_tier\":\"standard\"}}", "tool_calls",
      { { "{\"type\":\"text\",\"text\":\"", " ", "\"}" },
        { "{\"type\":\"tool_use\",\"id\":\"c", "\",\"name\":\"get\",\"input\":{\"a\":\"", "\"}}" },
        { "{\"type\":\"thinking\",\"thinking\":\"", "\",\"signature\":\"", "\"}" },
        { "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"", "\",\"content\":\"", "\"}" } } },
    { "responses", &elelem_shape_responses, "{\"id\":\"r1\",\"status\":\"completed\",\"model\":\"m\",\"output\":[",
      "],\"tools\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":4},\"metadata\":{\"a\":\"b\"}}", "tool_calls",
      { { "{\"type\":\"message\",\"id\":\"i", "\",\"content\":[{\"type\":\"output_text\",\"text\":\"", "\"}]}" },
        { "{\"type\":\"function_call\",\"name\":\"get\",\"call_id\":\"c", "\",\"arguments\":\"{}", "\",\"status\":\"completed\"}" },
        { "{\"type\":\"reasoning\",\"id\":\"i", "\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"", "\"}],\"encrypted_content\":\"e\"}" },
        { "{\"type\":\"web_search_call\",\"id\":\"i", "\",\"status\":\"completed\",\"action\":{\"query\":\"", "\"}}" } } },
    { "gemini", &elelem_shape_gemini, "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[",
      "]},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":3},\"modelVersion\":\"m\",\"responseId\":\"r\"}", "tool_calls",
      { { "{\"text\":\"", " ", "\"}" },
        { "{\"functionCall\":{\"id\":\"c", "\",\"name\":\"get\",\"args\":{\"a\":\"", "\"}},\"thoughtSignature\":\"s\"}" },
        { "{\"thought\":true,\"text\":\"", " ", "\"}" },
        { "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"", "", "\"}}" } } },
    { "interactions", &elelem_shape_interactions, "{\"id\":\"v1_1\",\"status\":\"requires_action\",\"model\":\"m\",\"steps\":[",
      "],\"usage\":{\"total_input_tokens\":3,\"total_output_tokens\":4},\"service_tier\":\"standard\"}", "tool_calls",
      { { "{\"type\":\"model_output\",\"content\":[{\"type\":\"text\",\"text\":\"", " ", "\"}]}" },
        { "{\"type\":\"function_call\",\"id\":\"c", "\",\"name\":\"get\",\"arguments\":{\"a\":\"", "\"}}" },
        { "{\"type\":\"thought\",\"signature\":\"s", "\",\"summary\":[{\"type\":\"text\",\"text\":\"", "\"}]}" },
        { "{\"type\":\"google_search_result\",\"call_id\":\"", "\",\"result\":\"", "\"}" } } },
    { "chat", &elelem_shape_chat,
      "{\"id\":\"x\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"hm\",\"tool_calls\":[",
      "]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":3},\"system_fingerprint\":\"f\"}", "tool_calls",
      { { "{\"type\":\"function\",\"id\":\"c", "\",\"function\":{\"name\":\"get\",\"arguments\":\"{}", "\"}}" },
        { "{\"id\":\"d", "\",\"function\":{\"name\":\"set\",\"arguments\":\"[]", "\"},\"type\":\"function\"}" },
        { "{\"type\":\"custom\",\"id\":\"e", "\",\"custom\":{\"name\":\"run\",\"input\":\"", "\"}}" },
        { "{\"type\":\"function\",\"id\":\"f", "\",\"function\":{\"name\":\"get\",\"arguments\":\"{}", "\"},\"extra_content\":{\"a\":1}}" } } },
};

#define EACH_WIRE(w) for ((w) = wires; (w) < wires + sizeof wires / sizeof *wires; (w)++)

static void add_element(const whole_wire *w, size_t number, size_t size)
{
    const whole_kind *kind = &w->kinds[number % 4];
    char digits[30];

    if (number > 0) add(",");
    snprintf(digits, sizeof digits, "%lu", (unsigned long)number);
    add(kind->before);
    add(digits);
    add(kind->between);
    add_many("0123456789 caf\303\251 \\n", size / 20);
    add(kind->after);
}

static void make(const whole_wire *w, size_t count, size_t size)
{
    size_t i;

    check_context(w->name);
    made.size = 0;
    add(w->open);
    for (i = 0; i < count; i++)
        add_element(w, i, size);
    add(w->close);
}

static void ready(const whole_wire *w, int without, uint32_t frame)
{
    streams_shape(w->shape);
    streams_now.desc.without_provider_items = (uint8_t)without;
    streams_now.desc.max_frame_bytes = frame;
    streams_now.desc.max_open_items = 1000;
    streams_now.usage = 1;
}

static void run(feed_log *log, size_t piece)
{
    feed_once(&streams_fed, log, made.text, made.size, piece, piece, 0);
    log->text[log->size] = '\0';
}

static int says(const feed_log *log, const char *text)
{
    return strstr(log->text, text) != NULL;
}

static int ends_with(const feed_log *log, const char *text)
{
    size_t size = strlen(text);

    return log->size >= size && memcmp(log->text + log->size - size, text, size) == 0;
}

/* Nonzero if the document gives the same however it is cut. What it gives is in feed_whole. */
static int gives_the_same(void)
{
    int good = streams_give(made.text, made.size, NULL, __FILE__, __LINE__);

    run(&feed_whole, made.size);
    return good;
}

/* Memory. */

#define SMALL_FRAME 6000

TEST(a_response_of_any_length_passes_through_the_memory_of_an_element)
{
    const whole_wire *w;
    int without;

    EACH_WIRE(w) for (without = 0; without < 2; without++) {
        make(w, 300, 1000);
        ready(w, without, 0);
        run(&feed_whole, 4096);
        CHECK(says(&feed_whole, "FINISHED "));
        CHECK(says(&feed_whole, w->last_reason));
        CHECK(!says(&feed_whole, "BROKEN"));
        ready(w, without, SMALL_FRAME);
        run(&feed_now, 4096);
        CHECK_BYTES(feed_now.text, feed_now.size, feed_whole.text, feed_whole.size);
        run(&feed_now, 1);
        CHECK_BYTES(feed_now.text, feed_now.size, feed_whole.text, feed_whole.size);
    }
}

TEST(a_response_of_any_length_is_the_same_however_it_is_cut)
{
    const whole_wire *w;
    int without;

    EACH_WIRE(w) for (without = 0; without < 2; without++) {
        make(w, 14, 1000);
        ready(w, without, SMALL_FRAME);
        CHECK(gives_the_same());
        CHECK(says(&feed_whole, "FINISHED "));
    }
}

/* What lives at most while so many elements are read. Calls of chat are open items up to the end of their message. */
static size_t peak_of(const whole_wire *w, size_t count)
{
    limits_heap heap = ELELEM_INIT;

    make(w, count, 1000);
    ready(w, 0, SMALL_FRAME);
    streams_now.desc.allocator = limits_allocator(&heap);
    run(&feed_now, 512);
    CHECK(says(&feed_now, "FINISHED "));
    elelem_stream_free(&streams_now.stream);
    return heap.peak;
}

TEST(more_elements_take_no_more_memory)
{
    const whole_wire *w;

    EACH_WIRE(w) CHECK(peak_of(w, 200) <= peak_of(w, 50) + (w->shape == &elelem_shape_chat ? 150 * (264 + w->shape->item_bytes) : 256));
}

TEST(an_element_that_is_larger_than_the_frame_is_a_limit)
{
    const whole_wire *w;

    EACH_WIRE(w) {
        size_t i;
        made.size = 0;
        add(w->open);
        for (i = 0; i < 8; i++)
            add_element(w, i * 4, 1000);
        add_element(w, 32, SMALL_FRAME + 100);
        add(w->close);
        ready(w, 0, SMALL_FRAME);
        check_context(w->name);
        CHECK(gives_the_same());
        CHECK(says(&feed_whole, "ERROR limit "));
        CHECK(says(&feed_whole, "0 "));
    }
}

/* Memory that is refused. */

TEST(a_list_survives_any_refused_memory_or_reports_it)
{
    const whole_wire *w;

    EACH_WIRE(w) {
        make(w, 8, 1000);
        objects_shape = w->shape;
        objects_split = 0;
        objects_feed(made.text, made.size, 700);
        FAULTS(&objects[OBJECTS_STREAM]);
    }
}

/* Ends. */

TEST(a_response_that_is_cut_gives_what_came_before_and_one_end)
{
    const whole_wire *w;
    int without;

    EACH_WIRE(w) for (without = 0; without < 2; without++) {
        size_t size;
        make(w, 8, 1000);
        ready(w, without, 0);
        run(&feed_whole, made.size);
        for (size = made.size - 1; size > 100; size -= size < 300 || made.size - size < 300 ? 1 : 37) {
            size_t whole = made.size, before;
            check_cut("stopped after", size);
            made.size = size;
            run(&feed_now, size);
            made.size = whole;
            CHECK(ends_with(&feed_now, "ERROR connect retryable \"the response ended before it was complete\"\nEND\n"));
            CHECK(!says(&feed_now, "BROKEN"));
            before = streams_before_error(&feed_now);
            CHECK(before <= feed_whole.size && memcmp(feed_now.text, feed_whole.text, before) == 0);
        }
    }
}

/* Choice 0 has its reason, and no other one came, but the document is not over. */
TEST(a_response_that_is_cut_after_a_reason_is_not_complete)
{
    ready(&wires[4], 0, 0);
    STREAM_LARGE("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"~\"},\"finish_reason\":\"stop\"},{\"index\":1,",
                 "0 text \"~\"\n0 flush\nERROR connect retryable \"the response ended before it was complete\"\nEND\n");
}

/* All that a frame may hold is met by one document or another, at an element's beginning too. */
TEST(a_document_of_any_size_meets_a_limit_once_or_none)
{
    const whole_wire *w;
    uint32_t most;

    EACH_WIRE(w) {
        int met = 0;
        make(w, 8, 300);
        for (most = 600; most < 6000; most += most < 3000 ? 8 : 64) {
            ready(w, 0, 0);
            streams_now.desc.max_frame_bytes = most;
            feed_once(&streams_fed, &feed_now, made.text, made.size, 1000, 1000, 0);
            feed_now.text[feed_now.size] = '\0';
            CHECK(!says(&feed_now, "BROKEN"));
            met += says(&feed_now, "status=ERROR_VALUE_SIZE");
            CHECK(says(&feed_now, "status=ERROR_VALUE_SIZE") || says(&feed_now, "FINISHED"));
        }
        CHECK(met > 0);
    }
}

/* Elements that wait for what comes after the list are stored; one of them meets the limit when it begins. */
TEST(a_list_that_waits_meets_a_limit_when_another_element_begins_too)
{
    char document[8000];
    size_t size = (size_t)snprintf(document, sizeof document, "{\"output\":["), i;
    uint32_t most;
    int met = 0;

    for (i = 0; i < 60; i++)
        size += (size_t)snprintf(document + size, sizeof document - size, "%s{\"type\":\"custom_tool_call\",\"call_id\":\"c%lu\",\"input\":\"x\"}",
                                 i > 0 ? "," : "", (unsigned long)i);
    snprintf(document + size, sizeof document - size, "],\"tools\":[]}");
    streams_shape(&elelem_shape_responses);
    for (most = 2000; most < 3600; most += 4) {
        streams_now.desc.max_frame_bytes = most;
        feed_once(&streams_fed, &feed_now, document, strlen(document), 500, 500, 0);
        feed_now.text[feed_now.size] = '\0';
        CHECK(!says(&feed_now, "BROKEN"));
        met += says(&feed_now, "status=ERROR_VALUE_SIZE");
        CHECK(says(&feed_now, "status=ERROR_VALUE_SIZE") || says(&feed_now, "FINISHED"));
    }
    CHECK(met > 0);
}

/* The document of a wire, with something before and after its list. */
static void make_with(const whole_wire *w, const char *before, const char *after)
{
    size_t i, end;

    check_context(w->name);
    made.size = 0;
    add("{");
    add(before);
    add(w->open + 1);
    for (i = 0; i < 8; i++)
        add_element(w, i, 1000);
    add(w->close);
    for (end = made.size; made.text[end - 1] != '}'; end--)
        ;
    made.size = end - 1;
    add(after);
    add("}");
    made.text[made.size] = '\0';
}

TEST(an_error_before_a_list_or_after_it_is_the_end)
{
    const whole_wire *w;

    EACH_WIRE(w) {
        ready(w, 0, 0);
        make_with(w, "\"error\":{\"message\":\"gone\"},", "");
        CHECK(gives_the_same());
        CHECK(ends_with(&feed_whole, "\"gone\"\nEND\n"));
        make_with(w, "", ",\"error\":{\"message\":\"gone\"}");
        CHECK(gives_the_same());
        CHECK(ends_with(&feed_whole, "\"gone\"\nEND\n"));
        CHECK(says(&feed_whole, "0 "));
    }
}

TEST(an_error_that_is_null_is_none)
{
    const whole_wire *w;

    EACH_WIRE(w) {
        ready(w, 0, SMALL_FRAME);
        make_with(w, "\"error\":null,", "");
        run(&feed_now, 100);
        CHECK(says(&feed_now, "FINISHED "));
        make_with(w, "", ",\"error\":null");
        run(&feed_now, 100);
        CHECK(says(&feed_now, "FINISHED "));
    }
}

/* Order. */

TEST(what_is_known_of_the_response_comes_before_its_first_item_if_it_is_before_the_list)
{
    const whole_wire *w;

    EACH_WIRE(w) {
        make(w, 8, 1000);
        ready(w, 0, 0);
        run(&feed_now, 100);
        CHECK(says(&feed_now, w->shape == &elelem_shape_gemini ? "\nresponse id=" : "response id="));
        if (w->shape != &elelem_shape_gemini) CHECK(strncmp(feed_now.text, "response id=", 12) == 0);
    }
}

TEST(nothing_that_is_known_of_the_response_comes_twice)
{
    const whole_wire *w;

    EACH_WIRE(w) {
        static const char *const keys[] = { "response id=", "response model=", "response created=", "response system_fingerprint=",
                                            "response service_tier=", "response metadata=", "response status=" };
        size_t i;
        make(w, 8, 1000);
        ready(w, 0, 0);
        run(&feed_now, 100);
        for (i = 0; i < sizeof keys / sizeof *keys; i++) {
            const char *found = strstr(feed_now.text, keys[i]);
            if (found) CHECK(!strstr(found + 1, keys[i]));
        }
    }
}

/* Chat: texts that a server writes after its calls. */

static void make_chat(size_t count, size_t size, const char *before, const char *after)
{
    size_t i;

    made.size = 0;
    add("{\"id\":\"x\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",");
    add(before);
    add("\"tool_calls\":[");
    for (i = 0; i < count; i++)
        add_element(&wires[4], i * 4, size);
    add("]");
    add(after);
    add("},\"finish_reason\":\"tool_calls\"}]}");
    ready(&wires[4], 0, 0);
}

TEST(a_text_after_few_calls_comes_before_them)
{
    make_chat(3, 100, "", ",\"reasoning_content\":\"why\"");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 think \"why\"\n0 flush\n1 call id=c0"));
}

TEST(a_text_after_many_calls_comes_after_those_that_were_worked_off)
{
    make_chat(5, 1000, "\"content\":\"so\",", ",\"reasoning_content\":\"why\"");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 text \"so\"\n1 call id=c0"));
    CHECK(says(&feed_whole, " think \"why\"\n"));
    CHECK(!says(&feed_whole, "0 think"));
    CHECK(!strstr(strstr(feed_whole.text, "\"so\"") + 1, "\"so\""));
}

TEST(a_thinking_part_after_many_calls_is_the_text_of_the_reasoning_before_them)
{
    make_chat(5, 1000, "\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}],",
              ",\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"be\"},{\"type\":\"text\",\"text\":\"cause\"}]}]");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 think \"because\"\n"));
}

TEST(a_thinking_part_after_many_calls_is_reasoning_of_its_own_if_that_before_them_has_a_text)
{
    make_chat(5, 1000, "\"reasoning\":\"why\",", ",\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"more\"}]}]");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 think \"why\"\n1 call id=c0"));
    CHECK(says(&feed_whole, " think \"more\"\n"));
    CHECK(!says(&feed_whole, "0 think \"more\""));
}

TEST(what_else_a_thinking_part_after_many_calls_has_is_of_the_reasoning_before_them)
{
    make_chat(5, 1000, "\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}],",
              ",\"content\":[{\"type\":\"text\",\"text\":\"so\"},{\"type\":\"thinking\",\"thinking\":[\"why\"],\"signature\":\"s\"}]");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 think \"why\"\n0 meta signature=[\"s\"]\n"));
}

TEST(images_before_many_calls_come_before_them)
{
    make_chat(5, 1000, "\"images\":[{\"image_url\":{\"url\":\"data:,QQ==\"}}],\"content\":\"so\",", "");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 item image_url"));
    CHECK(says(&feed_whole, "1 text \"so"));
    CHECK(says(&feed_whole, "2 call id=c0"));
}

TEST(details_after_many_calls_belong_to_the_thinking_part_before_them)
{
    make_chat(5, 1000, "\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"why\"}]},{\"type\":\"text\",\"text\":\"so\"},"
              "{\"type\":\"text\",\"text\":\"be it\"}],",
              ",\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}]");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 think \"why\"\n1 text \"so"));
    CHECK(says(&feed_whole, "be it\"\n2 call id=c0"));
    CHECK(says(&feed_whole, "0 meta reasoning_details=[{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}]\n"));
}

TEST(what_is_said_of_reasoning_after_many_calls_belongs_to_that_before_them)
{
    make_chat(5, 1000, "\"reasoning\":\"why\",\"content\":\"so\",",
              ",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"why\",\"signature\":\"s\"}]");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 think \"why\"\n1 text \"so\"\n2 call id=c0"));
    CHECK(says(&feed_whole, "0 meta reasoning_details=[{\"type\":\"reasoning.text\",\"signature\":\"s\"}]\n"));
    CHECK(says(&feed_whole, "0 flush\n1 flush\n2 flush"));
    CHECK(!strstr(strstr(feed_whole.text, "\"why\"") + 1, "\"why\""));
}

TEST(reasoning_after_many_calls_is_the_text_of_that_before_them_if_it_had_none)
{
    make_chat(5, 1000, "\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}],", ",\"reasoning_content\":\"why\"");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 meta reasoning_details=[{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}]\n1 call"));
    CHECK(says(&feed_whole, "\n0 think \"why\"\n"));
    make_chat(5, 1000, "\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}],",
              ",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"be\"},{\"type\":\"reasoning.text\",\"text\":\"cause\"}]");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "\n0 think \"because\"\n"));
    make_chat(5, 1000, "\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"d\"}],",
              ",\"reasoning\":\"why\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"why\"}]");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "\n0 think \"why\"\n"));
}

TEST(reasoning_after_many_calls_is_that_of_its_choice)
{
    static const char *const numbers[] = { "0", "1", "2" };
    size_t i, k;

    made.size = 0;
    add("{\"choices\":[");
    for (i = 0; i < 3; i++) {
        add(i > 0 ? ",{\"index\":" : "{\"index\":");
        add(numbers[i]);
        add(",\"message\":{\"reasoning\":\"why\",\"content\":[{\"type\":\"text\",\"text\":\"so\"}],\"tool_calls\":[");
        for (k = 0; k < 4; k++)
            add_element(&wires[4], k * 4, 1000);
        add("],\"reasoning_details\":[{\"data\":\"d");
        add(numbers[i]);
        add("\"}]}}");
    }
    add("]}");
    ready(&wires[4], 0, 0);
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "\n0 meta reasoning_details=[{\"data\":\"d0\"}]\n"));
    CHECK(says(&feed_whole, "\n6@1 think \"why\"\n7@1 text \"so\"\n8@1 call"));
    CHECK(says(&feed_whole, "\n6@1 meta reasoning_details=[{\"data\":\"d1\"}]\n"));
    CHECK(says(&feed_whole, "\n12@2 meta reasoning_details=[{\"data\":\"d2\"}]\n"));
}

TEST(what_is_in_a_message_before_its_calls_comes_once)
{
    make_chat(8, 1000, "\"content\":\"so\",\"annotations\":[{\"a\":1}],\"refusal\":null,\"other\":{\"b\":2},\"flag\":7,", "");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 meta annotations=[{\"a\":1}]\n"));
    CHECK(says(&feed_whole, "item other \"{\\\"b\\\":2}\"\n"));
    CHECK(!strstr(strstr(feed_whole.text, "item other") + 1, "item other"));
    CHECK(!strstr(strstr(feed_whole.text, "flag=[7]") + 1, "flag=[7]"));
}

/* Several choices. */

static void add_choice(const char *number, size_t calls)
{
    size_t i;

    add("{");
    add(number);
    add("\"message\":{\"content\":\"one of them\",\"tool_calls\":[");
    for (i = 0; i < calls; i++)
        add_element(&wires[4], i * 4, 1000);
    add("]},\"finish_reason\":\"tool_calls\"}");
}

TEST(choices_are_worked_off_one_after_the_other)
{
    static const char *const numbers[] = { "\"index\":0,", "\"index\":1,", "\"index\":2,", "\"index\":3," };
    size_t i, without;

    for (without = 0; without < 2; without++) {
        made.size = 0;
        add("{\"id\":\"x\",\"choices\":[");
        for (i = 0; i < 4; i++) {
            if (i > 0) add(",");
            add_choice(without ? "" : numbers[i], i == 2 ? 1 : 4);
        }
        add("],\"usage\":{\"prompt_tokens\":3}}");
        ready(&wires[4], 0, 8000);
        CHECK(gives_the_same());
        CHECK(says(&feed_whole, "0 text \"one of them\"\n"));
        CHECK(says(&feed_whole, "@1 text \"one of them\"\n"));
        CHECK(says(&feed_whole, "@3 text \"one of them\"\n"));
        CHECK(says(&feed_whole, "FINISHED tool_calls"));
        CHECK(says(&feed_whole, "finish_reasons={\"1\":\"tool_calls\",\"2\":\"tool_calls\",\"3\":\"tool_calls\"}"));
    }
}

/* What may be said of a text after its calls does not keep that of a choice without calls open. */
TEST(reasoning_of_a_choice_after_one_with_many_calls_ends_before_its_text)
{
    made.size = 0;
    add("{\"choices\":[");
    add_choice("\"index\":0,", 4);
    add(",{\"index\":1,\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"why\"}]},"
        "{\"type\":\"text\",\"text\":\"so\"}]},\"finish_reason\":\"stop\"}]}");
    ready(&wires[4], 0, 0);
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "5@1 think \"why\"\n5@1 flush\n6@1 text \"so\"\n6@1 flush\n"));
}

static void make_candidates(const char *open, const char *close)
{
    static const char *const indexes[] = { "\"index\":0", "\"index\":1", "\"index\":2" };
    size_t i, k;

    made.size = 0;
    add(open);
    add("{\"candidates\":[");
    for (i = 0; i < 3; i++) {
        add(i > 0 ? "," : "");
        add("{\"content\":{\"parts\":[");
        for (k = 0; k < 4; k++)
            add_element(&wires[2], k, 1000);
        add("],\"role\":\"model\"},\"finishReason\":\"STOP\",\"groundingMetadata\":{\"a\":1},");
        add(indexes[i]);
        add("}");
    }
    add("],\"usageMetadata\":{\"promptTokenCount\":3}}");
    add(close);
    ready(&wires[2], 0, 8000);
}

TEST(candidates_are_worked_off_one_after_the_other)
{
    make_candidates("", "");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "0 text \"0 01234"));
    CHECK(says(&feed_whole, "@1 text \"0 01234"));
    CHECK(says(&feed_whole, "@2 text \"0 01234"));
    CHECK(says(&feed_whole, "@2 meta grounding_metadata={\"a\":1}"));
    CHECK(says(&feed_whole, "FINISHED tool_calls"));
    CHECK(says(&feed_whole, "finish_reasons={\"1\":\"tool_calls\",\"2\":\"tool_calls\"}"));
}

TEST(a_chunk_in_an_array_is_worked_off_like_a_whole_response)
{
    size_t count;

    for (count = 1; count < 4; count++) {
        size_t i;
        made.size = 0;
        add("[");
        for (i = 0; i < count; i++) {
            size_t k;
            add(i > 0 ? ",\n" : "");
            add("{\"candidates\":[{\"index\":0,\"content\":{\"role\":\"model\",\"parts\":[");
            for (k = 0; k < 10; k++)
                add_element(&wires[2], k, 1000);
            add("]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":3},\"responseId\":\"r\"}");
        }
        add("]");
        ready(&wires[2], 0, SMALL_FRAME);
        CHECK(gives_the_same());
        CHECK(says(&feed_whole, "FINISHED tool_calls"));
    }
}

TEST(the_only_chunk_of_an_array_is_worked_off_before_the_number_of_its_candidate)
{
    size_t k;

    made.size = 0;
    add("[");
    add(wires[2].open);
    for (k = 0; k < 10; k++)
        add_element(&wires[2], k, 1000);
    add(wires[2].close);
    add("]");
    ready(&wires[2], 0, SMALL_FRAME);
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "FINISHED tool_calls"));
}

TEST(parts_of_a_chunk_wait_for_the_number_of_their_choice_if_others_had_one)
{
    made.size = 0;
    add("[{\"candidates\":[{\"index\":0,\"content\":{\"parts\":[{\"text\":\"a\"}]}}]},\n{\"candidates\":[{\"content\":{\"parts\":[");
    add_element(&wires[2], 0, 1000);
    add_element(&wires[2], 1, 1000);
    add_element(&wires[2], 2, 1000);
    add("]},\"index\":1,\"finishReason\":\"STOP\"}]},\n{\"candidates\":[{\"index\":0,\"finishReason\":\"STOP\"}]}]");
    ready(&wires[2], 0, 8000);
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "@1 text \"0 01234"));
    CHECK(!says(&feed_whole, "\n0 text \"0 01234"));
}

/* Responses: the tools of the request, which come after the list, say what a custom tool call is. */

static void make_custom(const char *tools, size_t count)
{
    size_t i;

    made.size = 0;
    add(wires[1].open);
    for (i = 0; i < count; i++)
        add_element(&wires[1], i * 4, 1000);
    add(",{\"type\":\"custom_tool_call\",\"id\":\"k\",\"call_id\":\"k\",\"name\":\"x_keyword_search\",\"input\":\"q\",\"status\":\"completed\"},");
    for (i = 0; i < count; i++) {
        add("{\"type\":\"message\",\"id\":\"z\",\"content\":[{\"type\":\"output_text\",\"text\":\"");
        add_many("abcdefghij", 100);
        add("\"}]},");
    }
    add("{\"type\":\"web_search_call\",\"id\":\"last\"}],\"tools\":");
    add(tools);
    add("}");
    ready(&wires[1], 0, 0);
}

TEST(a_custom_call_waits_for_the_tools_that_say_what_it_is)
{
    make_custom("[{\"type\":\"x_search\"}]", 5);
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "5 item custom_tool_call hosted \"{\\\"type\\\""));
    CHECK(says(&feed_whole, "FINISHED completed"));
    make_custom("[{\"type\":\"custom\",\"name\":\"x_keyword_search\"}]", 5);
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "5 call id=k name=x_keyword_search type=custom_tool_call\n5 args \"\\\"q\\\"\"\n"));
    CHECK(says(&feed_whole, "FINISHED tool_calls"));
}

TEST(a_response_that_failed_gives_no_items_if_that_is_known_before_its_list)
{
    make(&wires[1], 8, 1000);
    made.size = 0;
    add("{\"status\":\"failed\",\"output\":[");
    add_element(&wires[1], 0, 3000);
    add_element(&wires[1], 4, 1000);
    add("]}");
    ready(&wires[1], 0, 0);
    CHECK(gives_the_same());
    CHECK(ends_with(&feed_whole, "ERROR transient retryable code=failed \"the provider stopped the response with an error\"\nEND\n"));
    CHECK(!says(&feed_whole, "0 text"));
}

/* What no provider sends. */

/* A response with two lists of five elements each, and what is before, between and after them. */
static void make_two_lists(const whole_wire *w, const char *before, const char *between, const char *after)
{
    size_t i;

    made.size = 0;
    add(before);
    for (i = 0; i < 5; i++)
        add_element(w, i, 1000);
    add(between);
    for (i = 0; i < 5; i++)
        add_element(w, i, 1000);
    add(after);
    ready(w, 0, 0);
}

TEST(a_list_whose_key_comes_twice_continues)
{
    make_two_lists(&wires[0], "{\"content\":[", "],\"id\":\"m1\",\"model\":\"m\",\"stop_sequence\":\"END\",\"content\":[",
                   "],\"stop_reason\":\"stop_sequence\"}");
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "response id=\"m1\"\n"));
    CHECK(says(&feed_whole, "FINISHED completed raw=stop_sequence"));
    CHECK(says(&feed_whole, "9 text"));
    CHECK(says(&feed_whole, "meta stop_sequence=\"END\"\n"));
}

TEST(what_is_known_of_a_response_between_its_lists_comes_after_both)
{
    make_two_lists(&wires[3], "{\"id\":\"v1\",\"steps\":[", "],\"model\":\"m\",\"steps\":[", "],\"status\":\"completed\"}");
    CHECK(gives_the_same());
    CHECK(strncmp(feed_whole.text, "response id=\"v1\"\n", 17) == 0);
    CHECK(says(&feed_whole, "response model=\"m\"\nFINISHED"));
}

TEST(a_member_that_is_no_list_before_the_list_of_its_key_is_none)
{
    size_t i;

    made.size = 0;
    add("{\"output\":{\"a\":[{\"type\":\"message\"}]},\"output\":[7,\"x\",null,");
    for (i = 0; i < 5; i++)
        add_element(&wires[1], i * 4, 1000);
    add(",[1,2],[[{}]],true],\"status\":\"completed\"}");
    ready(&wires[1], 0, 0);
    CHECK(gives_the_same());
    CHECK(says(&feed_whole, "FINISHED completed"));
    CHECK(says(&feed_whole, "4 text"));
}

CHECK_MAIN("whole",
    RUN(a_response_of_any_length_passes_through_the_memory_of_an_element)
    RUN(a_response_of_any_length_is_the_same_however_it_is_cut)
    RUN(more_elements_take_no_more_memory)
    RUN(an_element_that_is_larger_than_the_frame_is_a_limit)
    RUN(a_list_survives_any_refused_memory_or_reports_it)
    RUN(a_response_that_is_cut_gives_what_came_before_and_one_end)
    RUN(a_response_that_is_cut_after_a_reason_is_not_complete)
    RUN(a_document_of_any_size_meets_a_limit_once_or_none)
    RUN(a_list_that_waits_meets_a_limit_when_another_element_begins_too)
    RUN(an_error_before_a_list_or_after_it_is_the_end)
    RUN(an_error_that_is_null_is_none)
    RUN(what_is_known_of_the_response_comes_before_its_first_item_if_it_is_before_the_list)
    RUN(nothing_that_is_known_of_the_response_comes_twice)
    RUN(a_text_after_few_calls_comes_before_them)
    RUN(a_text_after_many_calls_comes_after_those_that_were_worked_off)
    RUN(a_thinking_part_after_many_calls_is_the_text_of_the_reasoning_before_them)
    RUN(a_thinking_part_after_many_calls_is_reasoning_of_its_own_if_that_before_them_has_a_text)
    RUN(what_else_a_thinking_part_after_many_calls_has_is_of_the_reasoning_before_them)
    RUN(images_before_many_calls_come_before_them)
    RUN(details_after_many_calls_belong_to_the_thinking_part_before_them)
    RUN(what_is_said_of_reasoning_after_many_calls_belongs_to_that_before_them)
    RUN(reasoning_after_many_calls_is_the_text_of_that_before_them_if_it_had_none)
    RUN(reasoning_after_many_calls_is_that_of_its_choice)
    RUN(what_is_in_a_message_before_its_calls_comes_once)
    RUN(choices_are_worked_off_one_after_the_other)
    RUN(reasoning_of_a_choice_after_one_with_many_calls_ends_before_its_text)
    RUN(candidates_are_worked_off_one_after_the_other)
    RUN(a_chunk_in_an_array_is_worked_off_like_a_whole_response)
    RUN(the_only_chunk_of_an_array_is_worked_off_before_the_number_of_its_candidate)
    RUN(parts_of_a_chunk_wait_for_the_number_of_their_choice_if_others_had_one)
    RUN(a_custom_call_waits_for_the_tools_that_say_what_it_is)
    RUN(a_response_that_failed_gives_no_items_if_that_is_known_before_its_list)
    RUN(a_list_whose_key_comes_twice_continues)
    RUN(what_is_known_of_a_response_between_its_lists_comes_after_both)
    RUN(a_member_that_is_no_list_before_the_list_of_its_key_is_none))
