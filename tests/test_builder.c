/* The event builder: what becomes of parts, flushes and broken ends. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "events.h"
#include "feed.h"
#include "limits.h"

/* What came out, one line an item; fragments of strings with one place are joined. */
static feed_log out;
static elelem_event_builder builder;

static limits_heap memory;

static elelem_event_builder_desc metered(void)
{
    elelem_event_builder_desc desc = ELELEM_INIT;

    memset(&memory, 0, sizeof memory);
    desc.allocator = limits_allocator(&memory);
    return desc;
}

/* Taking what comes out. */

static void log_path(char *label, size_t size, const elelem_tool_call_argument_progress *progress)
{
    const elelem_path *path = progress->fragment.path;
    size_t i;
    size_t used = (size_t)snprintf(label, size, "%u %.*s/%.*s ", (unsigned)progress->index, (int)progress->id.size,
                                   progress->id.data, (int)progress->name.size, progress->name.data);

    for (i = 0; i < path->count && used < size; i++) {
        elelem_str key = path->segments[i].key;
        if (key.data) used += (size_t)snprintf(label + used, size - used, ".%.*s", (int)key.size, key.data);
        else used += (size_t)snprintf(label + used, size - used, "[%u]", (unsigned)path->segments[i].index);
    }
}

static void log_progress(feed_log *log, const elelem_tool_call_argument_progress *progress)
{
    static const char *const kinds[] = { "begin", "text", "scalar", "done" };
    const elelem_fragment *fragment = &progress->fragment;
    char label[400];

    log_path(label, sizeof label, progress);
    if (fragment->kind == ELELEM_FRAGMENT_STRING) {
        feed_text(log, label, fragment->text.data, fragment->text.size);
        return;
    }
    feed_line(log, "%s %s %s", label, kinds[fragment->kind],
              fragment->kind == ELELEM_FRAGMENT_SCALAR ? "" : elelem_type_name(fragment->type));
    if (fragment->kind == ELELEM_FRAGMENT_SCALAR) feed_bytes(log, "  =", fragment->text.data, fragment->text.size);
}

static void log_item(feed_log *log, const elelem_item *item)
{
    elelem_allocator plain = ELELEM_INIT;
    elelem_buffer buffer;
    elelem_writer writer;
    int complete = item->state == ELELEM_ITEM_COMPLETE;

    elelem_buffer_init(&buffer, plain, 0);
    elelem_writer_init(&writer, elelem_buffer_sink(&buffer), 0);
    CHECK_INT(elelem_item_write(&writer, item), ELELEM_OK);
    feed_line(log, "%.*s", (int)elelem_buffer_text(&buffer).size, elelem_buffer_text(&buffer).data);
    if (item->kind == ELELEM_PART_TOOL_CALL) CHECK_INT(elelem_value_is_complete(item->tool_call.arguments), complete);
    elelem_buffer_free(&buffer);
}

static void log_value(feed_log *log, elelem_value value)
{
    char text[512];
    elelem_span_sink span;
    elelem_writer writer;

    memset(&span, 0, sizeof span);
    span.data = text;
    span.capacity = sizeof text;
    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    CHECK_INT(elelem_writer_value(&writer, value), ELELEM_OK);
    feed_line(log, "value %.*s", (int)span.size, text);
}

static void log_built(feed_log *log, const elelem_built *built)
{
    if (built->kind == ELELEM_BUILT_PROGRESS) log_progress(log, &built->progress);
    else log_item(log, &built->item);
}

static elelem_status take_all(void)
{
    elelem_built built;
    elelem_status status;

    while ((status = elelem_event_builder_next(&builder, &built)) == ELELEM_OK)
        log_built(&out, &built);
    return status;
}

static char *lent[8];
static size_t lent_count;

/* Copies just these bytes, so that the sanitizer sees a read next to them or after their time. */
static elelem_str lend(elelem_str text)
{
    elelem_str copy = text;

    if (text.size == 0) return copy;
    lent[lent_count] = (char *)malloc(text.size);
    if (!lent[lent_count]) abort();
    memcpy(lent[lent_count], text.data, text.size);
    copy.data = lent[lent_count++];
    return copy;
}

/* Pushes an event and takes everything; returns what next ended with, or why push refused. */
static elelem_status say(elelem_event event)
{
    elelem_metadata_entry entry = ELELEM_INIT;
    elelem_status status;

    event.part.text = lend(event.part.text);
    event.part.tool_call.id = lend(event.part.tool_call.id);
    event.part.tool_call.name = lend(event.part.tool_call.name);
    event.part.tool_call.text = lend(event.part.tool_call.text);
    if (event.metadata.count > 0) {
        entry.key = lend(event.metadata.entries[0].key);
        entry.json = lend(event.metadata.entries[0].json);
        event.metadata.entries = &entry;
    }
    status = elelem_event_builder_push(&builder, &event);
    if (status == ELELEM_OK) status = take_all();
    while (lent_count > 0)
        free(lent[--lent_count]);
    return status;
}

static void begin_with(const elelem_event_builder_desc *desc)
{
    out.size = 0;
    out.in_text = 0;
    out.full = 0;
    elelem_event_builder_init(&builder, desc);
}

static void begin(void)
{
    elelem_event_builder_desc desc = metered();

    begin_with(&desc);
}

static void drain(void)
{
    elelem_event_builder_drain(&builder);
    CHECK_INT(take_all(), ELELEM_END);
}

static void begin_keeping(unsigned keep)
{
    elelem_event_builder_desc desc = metered();

    desc.keep = keep;
    begin_with(&desc);
}

/* Frees the builder and compares all that came out with a text in which ' stands for ". */
static int came(const char *expected, const char *file, int line)
{
    static char text[4096];
    size_t i, size = strlen(expected);

    if (size > sizeof text) abort();
    for (i = 0; i < size; i++)
        text[i] = expected[i] == '\'' ? '"' : expected[i];
    feed_close(&out);
    elelem_event_builder_free(&builder);
    check_int((long long)memory.live, 0, "bytes not given back", file, line);
    return check_bytes(out.text, out.size, text, size, "what came out", file, line);
}

#define CAME(expected) came(expected, __FILE__, __LINE__)

/* Joining. */

TEST(reasoning_chunks_join)
{
    begin();
    say(reasoning(0, "Let me"));
    say(reasoning(0, " think."));
    say(flush(0));
    CAME("{'type':'reasoning','index':0,'text':'Let me think.'}\n");
}

TEST(message_chunks_join)
{
    begin();
    CHECK_INT(say(message(1, "Hello")), ELELEM_MORE);
    CHECK_INT(say(message(1, "")), ELELEM_MORE);
    CHECK_INT(say(message(1, " world")), ELELEM_MORE);
    CHECK_INT(say(flush(1)), ELELEM_MORE);
    CHECK_INT(say(end_of(ELELEM_EVENT_FINISHED)), ELELEM_END);
    CAME("{'type':'message','index':1,'text':'Hello world'}\n");
}

TEST(tool_call_with_all_its_arguments_in_one_part)
{
    begin_keeping(ELELEM_KEEP_TOOL_CALLS);
    say(start(2, "c1", "get_weather"));
    say(chunk(2, "{\"city\":\"Paris\",\"days\":3}"));
    say(flush(2));
    CAME("2 c1/get_weather  begin object\n"
         "2 c1/get_weather .city 'Paris'\n"
         "2 c1/get_weather .city done string\n"
         "2 c1/get_weather .days scalar \n"
         "  = '3'\n"
         "2 c1/get_weather .days done number\n"
         "2 c1/get_weather  done object\n"
         "{'type':'tool_call','index':2,'id':'c1','name':'get_weather',"
         "'arguments':{'city':'Paris','days':3}}\n");
}

TEST(start_and_several_chunks_make_one_call)
{
    begin();
    say(start(0, "c1", "f"));
    say(chunk(0, "{\"pa"));
    say(chunk(0, "th\":\"a\\"));
    say(chunk(0, "nb\""));
    say(chunk(0, "}"));
    say(flush(0));
    CAME("0 c1/f  begin object\n"
         "0 c1/f .path 'a\\nb'\n"
         "0 c1/f .path done string\n"
         "0 c1/f  done object\n"
         "{'type':'tool_call','index':0,'id':'c1','name':'f','arguments':{'path':'a\\nb'}}\n");
}

TEST(interleaved_indices_keep_apart)
{
    begin();
    say(start(7, "a", "f"));
    say(start(3, "b", "g"));
    say(chunk(7, "[1"));
    say(message(5, "between"));
    say(chunk(3, "[2"));
    say(chunk(7, "]"));
    say(chunk(3, "]"));
    out.size = 0;
    say(flush(7));
    say(flush(5));
    say(flush(3));
    CAME("{'type':'tool_call','index':7,'id':'a','name':'f','arguments':[1]}\n"
         "{'type':'message','index':5,'text':'between'}\n"
         "{'type':'tool_call','index':3,'id':'b','name':'g','arguments':[2]}\n");
}

TEST(each_kind_of_part_is_kept_until_its_flush_and_then_is_an_item)
{
    static const struct {
        unsigned kind, of_call;
        const char *text, *at_once, *item;
    } rows[] = {
        { ELELEM_PART_MESSAGE, 0, "a", "", "{'type':'message','index':0,'text':'a'}\n" },
        { ELELEM_PART_REASONING, 0, "a", "", "{'type':'reasoning','index':0,'text':'a'}\n" },
        { ELELEM_PART_STRUCTURED, 0, "[1]", "", "{'type':'structured','index':0,'value':[1]}\n" },
        { ELELEM_PART_TOOL_CALL, ELELEM_TOOL_CALL_START, "", "",
          "{'type':'tool_call','index':0,'id':'c1','name':'f','arguments':{}}\n" },
        { ELELEM_PART_TOOL_CALL, ELELEM_TOOL_CALL_ARGUMENT_CHUNK, "true", "0 /  scalar \n  = 'true'\n0 /  done bool\n",
          "{'type':'tool_call','index':0,'id':'','name':'','arguments':true}\n" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[200];
        elelem_event event = part(0, (elelem_part_kind)rows[i].kind, rows[i].text);
        if (rows[i].of_call == ELELEM_TOOL_CALL_ARGUMENT_CHUNK) event = chunk(0, rows[i].text);
        else if (rows[i].kind == ELELEM_PART_TOOL_CALL) event = start(0, "c1", "f");
        check_context(rows[i].item);
        begin();
        CHECK_INT(say(event), ELELEM_MORE);
        feed_line(&out, "flush");
        CHECK_INT(say(flush(0)), ELELEM_MORE);
        snprintf(expected, sizeof expected, "%sflush\n%s", rows[i].at_once, rows[i].item);
        CAME(expected);
    }
}

TEST(choice_is_the_items)
{
    elelem_event event = message(4, "second answer");
    elelem_event end = flush(4);

    begin();
    event.choice = end.choice = 1;
    say(event);
    say(end);
    CAME("{'type':'message','index':4,'choice':1,'text':'second answer'}\n");
}

/* Ids and names. */

TEST(second_start_with_another_id_and_name_is_ignored)
{
    begin();
    say(start(0, "first", "f"));
    say(start(0, "second", "g"));
    say(flush(0));
    CAME("{'type':'tool_call','index':0,'id':'first','name':'f','arguments':{}}\n");
}

TEST(first_id_and_first_name_win_separately)
{
    begin();
    say(start(0, "", "f"));
    say(start(0, "an id that makes the block of names move, for it is rather long", "g"));
    say(start(0, "later", ""));
    say(start(1, "c1", ""));
    say(start(1, "", "name after the id, and rather long as well, so that blocks move again"));
    say(flush(0));
    say(flush(1));
    CAME("{'type':'tool_call','index':0,'id':'an id that makes the block of names move, for it is rather long',"
         "'name':'f','arguments':{}}\n"
         "{'type':'tool_call','index':1,'id':'c1',"
         "'name':'name after the id, and rather long as well, so that blocks move again','arguments':{}}\n");
}

TEST(progress_has_id_and_name_as_far_as_they_are_known)
{
    begin();
    say(chunk(0, "["));
    say(start(0, "c1", ""));
    say(chunk(0, "1,"));
    say(start(0, "", "f"));
    say(chunk(0, "2]"));
    say(flush(0));
    CAME("0 /  begin array\n"
         "0 c1/ [0] scalar \n"
         "  = '1'\n"
         "0 c1/ [0] done number\n"
         "0 c1/f [1] scalar \n"
         "  = '2'\n"
         "0 c1/f [1] done number\n"
         "0 c1/f  done array\n"
         "{'type':'tool_call','index':0,'id':'c1','name':'f','arguments':[1,2]}\n");
}

TEST(call_without_any_start_is_drained_without_a_name_and_not_dropped)
{
    begin();
    say(chunk(0, "{\"a\":\"b"));
    out.size = 0;
    out.in_text = 0;
    drain();
    CAME("{'type':'tool_call','index':0,'id':'','name':'',"
         "'partialArguments':{'a':'b'},'state':'cut_off'}\n");
}

/* Metadata. */

TEST(flush_metadata_reaches_the_item)
{
    begin();
    say(message(0, "x"));
    say(with(flush(0), "item_id", "\"msg_1\""));
    CAME("{'type':'message','index':0,'text':'x','metadata':{'item_id':'msg_1'}}\n");
}

TEST(part_metadata_reaches_the_item)
{
    begin();
    say(reasoning(0, "x"));
    say(with(reasoning(0, ""), "signature", "\"EqQB\""));
    say(flush(0));
    CAME("{'type':'reasoning','index':0,'text':'x','metadata':{'signature':'EqQB'}}\n");
}

TEST(part_and_flush_metadata_merge_and_the_later_wins)
{
    begin();
    say(with(message(0, "x"), "a", "1"));
    say(with(message(0, "y"), "b", "\"of the part, and longer than what comes later\""));
    say(with(message(0, "z"), "a", "{\"longer\":true}"));
    say(with(flush(0), "b", " 2 "));
    CAME("{'type':'message','index':0,'text':'xyz','metadata':{'a':{'longer':true},'b':2}}\n");
}

TEST(metadata_arrays_are_added_to)
{
    static const struct {
        const char *first, *second, *third, *expected;
    } rows[] = {
        { "[1]", "[2]", "[3,4]", "[1,2,3,4]" },
        { "[]", "[2]", "[]", "[2]" },
        { " [ ] ", " [ ] ", "[ {\"a\":[]} ]", "[{\"a\":[]}]" },
        { "[ 1 , 2 ]", "[ 3 ]", "[]", "[ 1 , 2,3]" },
        { "[1]", "\"[2]\"", "[3]", "[3]" },
        { "{\"a\":[1]}", "[2]", "[3]", "[2,3]" },
        { "[1]", "null", "[2]", "[2]" },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[200];
        check_context(rows[i].first);
        begin();
        say(with(message(0, "x"), "k", rows[i].first));
        say(with(message(0, ""), "k", rows[i].second));
        say(with(flush(0), "k", rows[i].third));
        snprintf(expected, sizeof expected, "{'type':'message','index':0,'text':'x','metadata':{'k':%s}}\n",
                 rows[i].expected);
        CAME(expected);
    }
}

TEST(metadata_that_is_not_kept_is_left_out)
{
    begin_keeping(ELELEM_KEEP_MESSAGES);
    say(with(message(0, "x"), "k", "1"));
    say(with(message(1, " "), "k", "1"));
    say(with(flush(0), "l", "2"));
    say(flush(1));
    CAME("{'type':'message','index':0,'text':'x'}\n");
}

TEST(metadata_keys_have_a_limit)
{
    elelem_event_builder_desc desc = metered();

    desc.max_metadata = 3;
    begin_with(&desc);
    CHECK_INT(say(with(message(0, "x"), "a", "1")), ELELEM_MORE);
    CHECK_INT(say(with(message(0, "x"), "b", "1")), ELELEM_MORE);
    CHECK_INT(say(with(message(0, "x"), "c", "1")), ELELEM_MORE);
    CHECK_INT(say(with(message(0, "x"), "b", "2")), ELELEM_MORE);
    CHECK_INT(say(with(message(0, "x"), "d", "1")), ELELEM_ERROR_COUNT);
    CHECK_INT(elelem_event_builder_error(&builder).status, ELELEM_ERROR_COUNT);
    CAME("");
}

TEST(replaced_metadata_gives_its_memory_back)
{
    elelem_event_builder_desc desc = metered();
    char *large = (char *)malloc(100001);
    uint32_t i;
    char key[8];

    if (!large) abort();
    memset(large, '7', 100000);
    large[100000] = 0;
    begin_with(&desc);
    for (i = 0; i < 50; i++) {
        snprintf(key, sizeof key, "k%u", (unsigned)i);
        CHECK_INT(say(with(message(0, "x"), key, large)), ELELEM_MORE);
        CHECK_INT(say(with(message(0, ""), key, "1")), ELELEM_MORE);
    }
    CHECK(memory.live < 50 * 1000);
    free(large);
    CAME("");
}

/* What gives no item. */

TEST(whitespace_message_is_dropped_but_not_its_metadata_and_empty_reasoning_is_kept)
{
    begin();
    say(message(0, " \n"));
    say(message(0, "\t\r "));
    say(flush(0));
    say(message(1, ""));
    say(flush(1));
    say(message(2, " "));
    say(with(flush(2), "k", "1"));
    say(reasoning(3, ""));
    say(flush(3));
    say(with(reasoning(4, ""), "encrypted", "\"…\""));
    say(flush(4));
    CAME("{'type':'message','index':2,'text':' ','metadata':{'k':1}}\n"
         "{'type':'reasoning','index':3,'text':''}\n"
         "{'type':'reasoning','index':4,'text':'','metadata':{'encrypted':'…'}}\n");
}

TEST(kinds_that_are_not_kept_pass_and_store_nothing)
{
    begin_keeping(ELELEM_KEEP_TOOL_CALLS | ELELEM_KEEP_METADATA);
    say(message(0, "text"));
    say(with(reasoning(1, "thought"), "signature", "\"s\""));
    say(structured(2, "{\"a\":1}"));
    CHECK_INT(say(reasoning(0, "foreign")), ELELEM_ERROR_MISUSE);
    CHECK_U64(builder.els_texts.els_used + builder.els_values.els_used + builder.els_reading.els_used, 0);
    say(with(flush(0), "k", "1"));
    say(flush(1));
    say(flush(2));
    say(with(start(3, "c", "f"), "k", "1"));
    say(flush(3));
    CAME("{'type':'tool_call','index':3,'id':'c','name':'f','arguments':{},'metadata':{'k':1}}\n");
}

TEST(calls_that_are_not_kept_still_have_progress)
{
    begin_keeping(ELELEM_KEEP_MESSAGES);
    say(start(0, "c", "f"));
    say(chunk(0, "[true]"));
    CHECK_INT(elelem_value_type(elelem_event_builder_arguments(&builder, 0)), ELELEM_TYPE_NONE);
    say(flush(0));
    CAME("0 c/f  begin array\n"
         "0 c/f [0] scalar \n"
         "  = 'true'\n"
         "0 c/f [0] done bool\n"
         "0 c/f  done array\n");
}

/* Mistakes. */

TEST(part_of_another_kind_on_a_busy_index_is_misuse_and_changes_nothing)
{
    elelem_event other = message(0, "!");

    begin();
    say(with(message(0, "x"), "k", "1"));
    CHECK_INT(say(with(reasoning(0, "y"), "k", "2")), ELELEM_ERROR_MISUSE);
    CHECK_INT(say(start(0, "c", "f")), ELELEM_ERROR_MISUSE);
    CHECK_INT(say(chunk(0, "{}")), ELELEM_ERROR_MISUSE);
    CHECK_INT(say(structured(0, "{}")), ELELEM_ERROR_MISUSE);
    other.choice = 1;
    CHECK_INT(say(other), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_event_builder_error(&builder).status, ELELEM_OK);
    say(message(0, "z"));
    say(flush(0));
    CHECK_INT(say(reasoning(0, "the index is free again")), ELELEM_MORE);
    CAME("{'type':'message','index':0,'text':'xz','metadata':{'k':1}}\n");
}

TEST(events_that_make_no_sense_are_misuse)
{
    elelem_event event;

    begin();
    CHECK_INT(say(flush(0)), ELELEM_ERROR_MISUSE);
    CHECK_INT(say(end_of((elelem_event_kind)9)), ELELEM_ERROR_MISUSE);
    CHECK_INT(say(part(0, 5, "x")), ELELEM_ERROR_MISUSE);
    event = start(0, "c", "f");
    event.part.tool_call.kind = 2;
    CHECK_INT(say(event), ELELEM_ERROR_MISUSE);
    say(message(0, "x"));
    event = flush(0);
    event.choice = 1;
    CHECK_INT(say(event), ELELEM_ERROR_MISUSE);
    CHECK_INT(say(flush(0)), ELELEM_MORE);
    CHECK_INT(say(flush(0)), ELELEM_ERROR_MISUSE);
    CAME("{'type':'message','index':0,'text':'x'}\n");
}

TEST(event_before_next_returned_more_is_misuse)
{
    elelem_event first = chunk(0, "[1,2]");
    elelem_event second = message(1, "x");
    elelem_event third = flush(0);
    elelem_built built;

    begin();
    CHECK_INT(elelem_event_builder_push(&builder, &first), ELELEM_OK);
    CHECK_INT(elelem_event_builder_push(&builder, &second), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_OK);
    CHECK_INT(elelem_event_builder_push(&builder, &second), ELELEM_ERROR_MISUSE);
    CHECK_INT(take_all(), ELELEM_MORE);
    CHECK_INT(elelem_event_builder_push(&builder, &second), ELELEM_OK);
    CHECK_INT(elelem_event_builder_push(&builder, &third), ELELEM_OK);
    CHECK_INT(elelem_event_builder_push(&builder, &second), ELELEM_ERROR_MISUSE);
    CHECK_INT(take_all(), ELELEM_MORE);
    CHECK_INT(say(second), ELELEM_MORE);
    elelem_event_builder_free(&builder);
}

TEST(nothing_is_taken_after_the_end)
{
    begin();
    say(message(0, "x"));
    CHECK_INT(say(end_of(ELELEM_EVENT_ERROR)), ELELEM_END);
    CHECK_INT(say(message(0, "y")), ELELEM_ERROR_MISUSE);
    CHECK_INT(say(flush(0)), ELELEM_ERROR_MISUSE);
    CHECK_INT(say(end_of(ELELEM_EVENT_FINISHED)), ELELEM_ERROR_MISUSE);
    CHECK_INT(take_all(), ELELEM_END);
    CAME("");
}

/* The partial view. */

static void log_partial(void)
{
    elelem_item item;
    size_t position = 0;

    while (elelem_event_builder_partial(&builder, &position, &item) == ELELEM_OK)
        log_item(&out, &item);
    CHECK_INT(elelem_event_builder_partial(&builder, &position, &item), ELELEM_END);
}

TEST(partial_view_is_empty_at_first)
{
    begin();
    log_partial();
    CAME("");
}

TEST(partial_view_shows_an_empty_string_before_its_flush)
{
    begin();
    say(chunk(0, "\"\""));
    log_partial();
    CAME("0 /  done string\n"
         "{'type':'tool_call','index':0,'id':'','name':'','partialArguments':'','state':'open'}\n");
}

TEST(partial_view_shows_a_message)
{
    begin();
    say(message(0, "Hel"));
    log_partial();
    say(message(0, "lo"));
    log_partial();
    CAME("{'type':'message','index':0,'text':'Hel','state':'open'}\n"
         "{'type':'message','index':0,'text':'Hello','state':'open'}\n");
}

TEST(partial_view_is_in_order_of_index)
{
    begin();
    say(message(9, "answer"));
    say(reasoning(4, "thought"));
    say(message(6, "between"));
    log_partial();
    CAME("{'type':'reasoning','index':4,'text':'thought','state':'open'}\n"
         "{'type':'message','index':6,'text':'between','state':'open'}\n"
         "{'type':'message','index':9,'text':'answer','state':'open'}\n");
}

TEST(partial_view_shows_only_what_is_not_flushed_yet)
{
    begin();
    say(reasoning(0, "thought"));
    say(message(1, "answer"));
    say(flush(0));
    out.size = 0;
    log_partial();
    CAME("{'type':'message','index':1,'text':'answer','state':'open'}\n");
}

TEST(partial_view_shows_structured_output_and_calls_too_marked_as_open)
{
    begin();
    say(structured(0, "{\"a\":[1,"));
    say(start(1, "c", "f"));
    say(chunk(1, "{\"b\":\"x"));
    out.size = 0;
    out.in_text = 0;
    log_partial();
    CHECK_INT(elelem_value_state_of(elelem_event_builder_arguments(&builder, 0)), ELELEM_VALUE_OPEN);
    CHECK_STR(elelem_value_text(elelem_value_find(elelem_event_builder_arguments(&builder, 1), "b")).data, 1, "x");
    CHECK_INT(elelem_value_type(elelem_event_builder_arguments(&builder, 2)), ELELEM_TYPE_NONE);
    CAME("{'type':'structured','index':0,'text':'{\\'a\\':[1,','state':'open'}\n"
         "{'type':'tool_call','index':1,'id':'c','name':'f','partialArguments':{'b':'x'},'state':'open'}\n");
}

TEST(partial_view_marks_json_that_is_none_before_the_flush)
{
    begin();
    say(structured(0, "[1}"));
    log_partial();
    CAME("{'type':'structured','index':0,'text':'[1}','state':'malformed'}\n");
}

TEST(partial_view_leaves_out_what_is_not_kept)
{
    begin_keeping(ELELEM_KEEP_REASONING);
    say(message(0, "x"));
    say(reasoning(1, "y"));
    say(message(2, "z"));
    log_partial();
    CAME("{'type':'reasoning','index':1,'text':'y','state':'open'}\n");
}

TEST(arguments_are_never_complete_before_the_flush_even_when_their_json_is)
{
    begin();
    say(chunk(0, "{\"a\":{\"b\":1}}"));
    CHECK(!elelem_value_is_complete(elelem_event_builder_arguments(&builder, 0)));
    CHECK(elelem_value_is_complete(elelem_value_get(elelem_event_builder_arguments(&builder, 0), "a")));
    elelem_event_builder_free(&builder);
}

TEST(the_caption_of_a_provider_item_is_no_arguments)
{
    elelem_event search = provider_item(0, "search", "{");

    search.part.caption = elelem_str_of("looking");
    begin();
    say(search);
    say(structured(1, "{"));
    CHECK_INT(elelem_value_type(elelem_event_builder_arguments(&builder, 0)), ELELEM_TYPE_NONE);
    CHECK_INT(elelem_value_type(elelem_event_builder_arguments(&builder, 1)), ELELEM_TYPE_OBJECT);
    CHECK_INT(elelem_value_type(elelem_event_builder_arguments(&builder, 2)), ELELEM_TYPE_NONE);
    elelem_event_builder_free(&builder);
}

/* Structured output. */

TEST(structured_chunks_join_and_are_read)
{
    begin();
    say(structured(0, "{\"na"));
    say(structured(0, "me\":\"Ada\",\"n\":1.50}"));
    say(flush(0));
    CAME("{'type':'structured','index':0,'value':{'name':'Ada','n':1.50}}\n");
}

TEST(structured_output_may_be_an_array)
{
    begin();
    say(structured(0, "[1,{\"a\":null}]"));
    say(flush(0));
    CAME("{'type':'structured','index':0,'value':[1,{'a':null}]}\n");
}

TEST(structured_output_keeps_its_text_as_well_as_the_value)
{
    elelem_event event = structured(0, " { \"a\" : 1 } ");
    elelem_event end = flush(0);
    elelem_built built;

    begin();
    say(event);
    elelem_event_builder_push(&builder, &end);
    CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_OK);
    CHECK_STR(built.item.text.data, built.item.text.size, " { \"a\" : 1 } ");
    CHECK(elelem_value_is_complete(built.item.value));
    elelem_event_builder_free(&builder);
}

TEST(malformed_structured_output_is_its_text_and_says_so)
{
    begin();
    say(structured(0, "{\"a\":1} and"));
    say(structured(0, " more"));
    say(flush(0));
    say(structured(1, "not json"));
    say(flush(1));
    say(structured(2, "{\"a\":"));
    say(flush(2));
    CAME("{'type':'structured','index':0,'text':'{\\'a\\':1} and more','state':'malformed'}\n"
         "{'type':'structured','index':1,'text':'not json','state':'malformed'}\n"
         "{'type':'structured','index':2,'text':'{\\'a\\':','state':'cut_off'}\n");
}

TEST(structured_output_keeps_metadata)
{
    begin();
    say(with(structured(0, "{}"), "a", "1"));
    say(with(flush(0), "b", "2"));
    CAME("{'type':'structured','index':0,'value':{},'metadata':{'a':1,'b':2}}\n");
}

TEST(structured_output_without_text_is_about_its_metadata_and_blank_output_is_cut_off)
{
    begin();
    say(structured(0, ""));
    say(flush(0));
    say(with(structured(1, ""), "id", "\"late\""));
    say(flush(1));
    say(structured(2, " \n "));
    say(flush(2));
    CAME("{'type':'structured','index':1,'text':'','metadata':{'id':'late'}}\n"
         "{'type':'structured','index':2,'text':' \\n ','state':'cut_off'}\n");
}

/* Arguments, fed as one call however they are cut. */

static elelem_event_builder_desc fed_desc;
static int fed_stage; /* of the end: nothing, flush, finished */
static int fed_structured;
static int fed_without_text; /* text is not logged */

static void fed_start(void *object)
{
    elelem_event event = start(0, "c", "f");

    elelem_event_builder_free((elelem_event_builder *)object);
    elelem_event_builder_init((elelem_event_builder *)object, &fed_desc);
    fed_stage = 0;
    if (!fed_structured) elelem_event_builder_push((elelem_event_builder *)object, &event);
}

static elelem_status fed_push(void *object, const void *bytes, size_t size)
{
    elelem_event event = chunk_of(0, (const char *)bytes, size);

    if (fed_structured) {
        event.part.kind = ELELEM_PART_STRUCTURED;
        event.part.text = event.part.tool_call.text;
    }
    return elelem_event_builder_push((elelem_event_builder *)object, &event);
}

static void fed_finish(void *object)
{
    (void)object;
    if (fed_stage == 0) fed_stage = 1;
}

/* Returns what next does, with the end of the events pushed when it is time, and errors drained. */
static elelem_status fed_next(void *object, feed_log *log)
{
    elelem_event_builder *b = (elelem_event_builder *)object;
    elelem_event ends[2];
    elelem_built built;
    elelem_status status = elelem_event_builder_next(b, &built);

    ends[0] = flush(0);
    ends[1] = end_of(ELELEM_EVENT_FINISHED);
    while (status == ELELEM_MORE && fed_stage > 0 && fed_stage < 3) {
        elelem_event_builder_push(b, &ends[fed_stage - 1]);
        fed_stage++;
        status = elelem_event_builder_next(b, &built);
    }
    if (status < 0) {
        elelem_event_builder_drain(b);
        status = elelem_event_builder_next(b, &built);
    }
    if (status != ELELEM_OK) return status;
    if (fed_without_text && built.kind == ELELEM_BUILT_ITEM) {
        log_value(log, built.item.kind == ELELEM_PART_TOOL_CALL ? built.item.tool_call.arguments : built.item.value);
        built.item.text.size = built.item.tool_call.text.size = 0;
    }
    log_built(log, &built);
    return status;
}

static elelem_error fed_error(const void *object)
{
    return elelem_event_builder_error((const elelem_event_builder *)object);
}

static const feed_object fed = { &builder, fed_start, fed_push, fed_next, fed_finish, fed_error };

TEST(blank_or_no_arguments_are_an_empty_object)
{
    static const char expected[] =
        "{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"arguments\":{}}\nEND\n";

    fed_desc = metered();
    FEED(&fed, "", 0, expected);
    FEED(&fed, " \t\r\n ", 5, expected);
    elelem_event_builder_free(&builder);
}

typedef struct arguments_row {
    const char *text;
    const char *expected; /* the item, after the name */
} arguments_row;

static const arguments_row arguments_rows[] = {
    { "{}", "\"arguments\":{}}" },
    { " {\"a\" : [1, -2.50e1, \"\\u00e9\\ud83d\\ude00\", null, {}, []] } ",
      "\"arguments\":{\"a\":[1,-2.50e1,\"é😀\",null,{},[]]}}" },
    { "[1]", "\"arguments\":[1]}" },
    { "\"text\"", "\"arguments\":\"text\"}" },
    { "\"\"", "\"arguments\":\"\"}" },
    { "42", "\"arguments\":42}" },
    { "null", "\"arguments\":null}" },
    { "{\"a\":1} x", "\"argumentsText\":\"{\\\"a\\\":1} x\",\"state\":\"malformed\"}" },
    { "{}{}", "\"argumentsText\":\"{}{}\",\"state\":\"malformed\"}" },
    { "42 43", "\"argumentsText\":\"42 43\",\"state\":\"malformed\"}" },
    { "{\"a\":tru}", "\"argumentsText\":\"{\\\"a\\\":tru}\",\"state\":\"malformed\"}" },
    { "{'a':1}", "\"argumentsText\":\"{'a':1}\",\"state\":\"malformed\"}" },
    { "get_weather(x)", "\"argumentsText\":\"get_weather(x)\",\"state\":\"malformed\"}" },
    { "{\"a\":\"b", "\"argumentsText\":\"{\\\"a\\\":\\\"b\",\"state\":\"cut_off\"}" },
    { "{\"a\":[{\"b\":1}", "\"argumentsText\":\"{\\\"a\\\":[{\\\"b\\\":1}\",\"state\":\"cut_off\"}" },
    { "{\"a\":\"\\ud83d", "\"argumentsText\":\"{\\\"a\\\":\\\"\\\\ud83d\",\"state\":\"cut_off\"}" },
    { "-", "\"argumentsText\":\"-\",\"state\":\"cut_off\"}" },
    { "tru", "\"argumentsText\":\"tru\",\"state\":\"cut_off\"}" },
};

/* The last two lines of the log: the item and the end. */
static elelem_str last_item(const feed_log *log)
{
    elelem_str last = ELELEM_INIT;
    size_t i = log->size;
    int ends = 0;

    while (i > 0 && ends < 3)
        if (log->text[--i] == '\n') ends++;
    if (ends == 3) i++;
    last.data = log->text + i;
    last.size = log->size - i;
    return last;
}

TEST(arguments_say_whether_they_are_whole_however_they_are_cut)
{
    size_t i;

    fed_desc = metered();
    fed_desc.keep_argument_text = 1;
    for (i = 0; i < sizeof arguments_rows / sizeof *arguments_rows; i++) {
        char expected[400];
        check_context(arguments_rows[i].text);
        FEED(&fed, arguments_rows[i].text, strlen(arguments_rows[i].text), NULL);
        snprintf(expected, sizeof expected, "{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",%s\nEND\n",
                 arguments_rows[i].expected);
        CHECK_STR(last_item(&feed_now).data, last_item(&feed_now).size, expected);
    }
    elelem_event_builder_free(&builder);
    CHECK_U64(memory.live, 0);
}

TEST(arguments_without_their_text_keep_what_came_before_the_mistake)
{
    static const char text[] = "{\"a\":{\"b\":\"xy\\q\"},\"c\":1}";

    fed_desc = metered();
    FEED(&fed, text, sizeof text - 1,
         "0 c/f  begin object\n"
         "0 c/f .a begin object\n"
         "0 c/f .a.b \"xy\"\n"
         "{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":{\"a\":{\"b\":\"xy\"}},"
         "\"state\":\"malformed\"}\nEND\n");
    elelem_event_builder_free(&builder);
}

TEST(arguments_nested_too_deeply_are_cut_off_and_the_builder_continues)
{
    char deep[600];
    elelem_event event, end = flush(0);
    elelem_built built;

    begin();
    memset(deep, '[', sizeof deep);
    event = chunk_of(0, deep, sizeof deep);
    CHECK_INT(elelem_event_builder_push(&builder, &event), ELELEM_OK);
    while (elelem_event_builder_next(&builder, &built) == ELELEM_OK)
        CHECK_INT(built.progress.fragment.kind, ELELEM_FRAGMENT_BEGIN);
    CHECK_INT(elelem_event_builder_push(&builder, &end), ELELEM_OK);
    CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_OK);
    CHECK_INT(built.item.state, ELELEM_ITEM_CUT_OFF);
    CHECK_INT(elelem_value_state_of(built.item.tool_call.arguments), ELELEM_VALUE_CUT_LIMIT);
    CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_MORE);
    elelem_event_builder_free(&builder);
}

TEST(value_says_what_cut_it)
{
    static const struct {
        const char *text;
        int drained;
        elelem_value_state how;
        elelem_item_state state;
    } rows[] = {
        { "{\"a\":1}", 0, ELELEM_VALUE_COMPLETE, ELELEM_ITEM_COMPLETE },
        { "{\"a\":1}", 1, ELELEM_VALUE_CUT_END, ELELEM_ITEM_CUT_OFF },
        { "{\"a\":1", 0, ELELEM_VALUE_CUT_END, ELELEM_ITEM_CUT_OFF },
        { "{\"a\":1", 1, ELELEM_VALUE_CUT_END, ELELEM_ITEM_CUT_OFF },
        { "{\"a\":1}!", 0, ELELEM_VALUE_CUT_ERROR, ELELEM_ITEM_MALFORMED },
        { "{\"a\":1}!", 1, ELELEM_VALUE_CUT_ERROR, ELELEM_ITEM_MALFORMED },
        { "{\"a\":\"\xc3(\"", 0, ELELEM_VALUE_CUT_ERROR, ELELEM_ITEM_MALFORMED },
        { "7", 1, ELELEM_VALUE_OPEN, ELELEM_ITEM_CUT_OFF }, /* a number is none before its end */
        { "null", 1, ELELEM_VALUE_CUT_END, ELELEM_ITEM_CUT_OFF },
        { "", 1, ELELEM_VALUE_OPEN, ELELEM_ITEM_CUT_OFF },
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_event end = flush(0);
        elelem_built built;
        check_context(rows[i].text);
        begin();
        say(start(0, "c", "f"));
        say(chunk(0, rows[i].text));
        if (rows[i].drained) elelem_event_builder_drain(&builder);
        else elelem_event_builder_push(&builder, &end);
        while (elelem_event_builder_next(&builder, &built) == ELELEM_OK && built.kind == ELELEM_BUILT_PROGRESS)
            ;
        CHECK_INT(built.kind, ELELEM_BUILT_ITEM);
        CHECK_INT(built.item.state, rows[i].state);
        CHECK_INT(elelem_value_state_of(built.item.tool_call.arguments), rows[i].how);
        elelem_event_builder_free(&builder);
    }
}

/* Draining. */

TEST(drain_keeps_partial_text_and_hands_out_calls_that_never_look_whole)
{
    begin();
    say(start(3, "c1", "whole"));
    say(chunk(3, "{\"a\":1}"));
    say(start(4, "c2", "none"));
    say(message(2, "It is"));
    say(reasoning(1, "done"));
    say(flush(1));
    out.size = 0;
    CHECK_INT(say(end_of(ELELEM_EVENT_ERROR)), ELELEM_END);
    drain();
    CAME("{'type':'message','index':2,'text':'It is','state':'cut_off'}\n"
         "{'type':'tool_call','index':3,'id':'c1','name':'whole','partialArguments':{'a':1},'state':'cut_off'}\n"
         "{'type':'tool_call','index':4,'id':'c2','name':'none','state':'cut_off'}\n");
}

TEST(drain_drops_what_a_flush_would_drop)
{
    begin();
    say(message(0, " \n"));
    say(reasoning(1, ""));
    say(structured(2, "[1,"));
    drain();
    CAME("{'type':'reasoning','index':1,'text':'','state':'cut_off'}\n"
         "{'type':'structured','index':2,'text':'[1,','state':'cut_off'}\n");
}

TEST(drain_in_the_middle_of_an_event_works_it_off_first)
{
    elelem_event event = chunk(0, "[1,2");
    elelem_built built;

    begin();
    elelem_event_builder_push(&builder, &event);
    CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_OK);
    drain();
    CAME("0 / [0] scalar \n"
         "  = '1'\n"
         "0 / [0] done number\n"
         "{'type':'tool_call','index':0,'id':'','name':'','partialArguments':[1],'state':'cut_off'}\n");
}

TEST(drain_ends_and_may_be_called_again)
{
    begin();
    say(message(0, "x"));
    drain();
    drain();
    CHECK_INT(say(message(0, "x")), ELELEM_ERROR_MISUSE);
    CAME("{'type':'message','index':0,'text':'x','state':'cut_off'}\n");
}

/* Limits. */

TEST(open_items_have_a_limit)
{
    elelem_event_builder_desc desc = metered();

    desc.max_open = 2;
    begin_with(&desc);
    CHECK_INT(say(message(0, "a")), ELELEM_MORE);
    CHECK_INT(say(message(1, "b")), ELELEM_MORE);
    CHECK_INT(say(flush(0)), ELELEM_MORE);
    CHECK_INT(say(message(2, "c")), ELELEM_MORE);
    CHECK_INT(say(message(3, "d")), ELELEM_ERROR_COUNT);
    CHECK_INT(say(message(1, "b")), ELELEM_ERROR_COUNT);
    elelem_event_builder_drain(&builder);
    CHECK_INT(take_all(), ELELEM_ERROR_COUNT);
    CAME("{'type':'message','index':0,'text':'a'}\n"
         "{'type':'message','index':1,'text':'b','state':'cut_off'}\n"
         "{'type':'message','index':2,'text':'c','state':'cut_off'}\n");
}

TEST(default_limit_of_open_items_is_256)
{
    elelem_status status = ELELEM_MORE;
    uint32_t i;

    begin();
    for (i = 0; i < 1000 && status == ELELEM_MORE; i++)
        status = say(message(i * 7919 % 1000, "x"));
    CHECK_INT(status, ELELEM_ERROR_COUNT);
    CHECK_INT(i, 257);
    elelem_event_builder_free(&builder);
}

/* The header's 65535, however many are asked for. */
TEST(no_more_than_65535_items_may_be_open)
{
    elelem_event_builder_desc desc = metered();
    elelem_status status = ELELEM_OK;
    uint32_t i;

    if (!check_has_memory((size_t)32 << 20)) return;
    desc.max_open = UINT32_MAX;
    begin_with(&desc);
    for (i = 0; i < 70000; i++) {
        elelem_event event = message(i, "x");
        elelem_built built;
        status = elelem_event_builder_push(&builder, &event);
        if (status != ELELEM_OK) break;
        CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_MORE);
    }
    CHECK_INT(status, ELELEM_ERROR_COUNT);
    CHECK_INT(i, 65535);
    CAME("");
}

/* So many keys take long to be told apart: the limit itself is looked at. */
TEST(no_more_than_65535_keys_of_an_item_are_allowed)
{
    elelem_event_builder_desc desc = metered();

    desc.max_metadata = UINT32_MAX;
    begin_with(&desc);
    CHECK_INT(builder.els_max_metadata, 65535);
    CAME("");
}

/* Each key counts 128 bytes, which no allocator is asked for if they are too many. */
TEST(a_key_above_the_ceiling_is_an_error_of_the_limit_even_if_there_is_no_memory)
{
    uint64_t most;

    for (most = 127; most <= 128; most++) {
        elelem_event_builder_desc desc = metered();
        desc.max_bytes = most;
        begin_with(&desc);
        CHECK_INT(say(message(0, "")), ELELEM_MORE);
        memory.refuse = memory.calls + 1;
        memory.stays = 1;
        CHECK_INT(say(with(message(0, ""), "", "1")), most < 128 ? ELELEM_ERROR_VALUE_SIZE : ELELEM_ERROR_MEMORY);
        CAME("");
    }
}

TEST(kept_text_is_cut_at_the_byte_ceiling_and_drained_in_whole_characters)
{
    static const char text[] = "abc\xc3\xa9" "def";
    size_t cut, limit;

    for (limit = 1; limit < sizeof text - 1; limit++)
        for (cut = 0; cut < sizeof text; cut++) {
            elelem_event_builder_desc desc = metered();
            size_t fits = limit == 4 ? 3 : limit;
            char first[20], expected[100];
            if (cut == 4) continue; /* parts hold whole characters */
            desc.max_bytes = limit;
            begin_with(&desc);
            snprintf(first, sizeof first, "%.*s", (int)cut, text);
            if (say(message(0, first)) == ELELEM_MORE)
                CHECK_INT(say(message(0, text + cut)), ELELEM_ERROR_VALUE_SIZE);
            elelem_event_builder_drain(&builder);
            CHECK_INT(take_all(), ELELEM_ERROR_VALUE_SIZE);
            snprintf(expected, sizeof expected, "{'type':'message','index':0,'text':'%.*s','state':'cut_off'}\n",
                     (int)fits, text);
            CAME(expected);
        }
}

TEST(arguments_meet_the_ceiling_at_the_same_place_however_they_are_cut)
{
    static const char text[] =
        "{\"a\":\"some text, \xc3\xa9 and \\u00e9\",\"list\":[1,2.5,{\"b\":\"more of it\"}],\"c\":\"x\"}";
    unsigned round;

    fed_without_text = 1; /* it may reach to the end of its part */
    fed_desc = metered();
    for (round = 0; round < 4; round++) {
        fed_desc.keep_argument_text = (uint8_t)(round & 1);
        fed_structured = round > 1;
        for (fed_desc.max_bytes = 3; fed_desc.max_bytes < 600; fed_desc.max_bytes += 1 + round)
            FEED(&fed, text, sizeof text - 1, NULL);
    }
    fed_without_text = 0;
    fed_structured = 0;
    elelem_event_builder_free(&builder);
    CHECK_U64(memory.live, 0);
}

TEST(number_at_the_root_meets_the_ceiling_at_the_flush)
{
    fed_desc = metered();
    fed_desc.max_bytes = 8;
    FEED(&fed, "12345", 5,
         "{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"state\":\"cut_off\"}\nERROR_VALUE_SIZE at 0\n");
    elelem_event_builder_free(&builder);
}

TEST(empty_string_at_the_root_meets_the_ceiling_when_it_ends)
{
    fed_desc = metered();
    for (fed_desc.max_bytes = 2; fed_desc.max_bytes < 32; fed_desc.max_bytes++)
        FEED(&fed, "\"\"", 2,
             "{\"type\":\"tool_call\",\"index\":0,\"id\":\"c\",\"name\":\"f\",\"state\":\"cut_off\"}\nERROR_VALUE_SIZE at 0\n");
    elelem_event_builder_free(&builder);
}

TEST(complete_call_has_complete_arguments_with_any_ceiling)
{
    static const char *const texts[] = { "\"\"", "{}", "[]", "0", "null", "true", "\"a\"", "{\"a\":\"\"}", "[\"\"]", "" };
    elelem_event_builder_desc desc = metered();
    elelem_built built;
    size_t i;
    int complete = 0;

    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        for (desc.max_bytes = 2; desc.max_bytes < 200; desc.max_bytes++) {
            elelem_event event;
            check_context(texts[i]);
            begin_with(&desc);
            event = chunk(0, texts[i]);
            elelem_event_builder_push(&builder, &event);
            while (elelem_event_builder_next(&builder, &built) == ELELEM_OK)
                continue;
            event = flush(0);
            elelem_event_builder_push(&builder, &event);
            while (elelem_event_builder_next(&builder, &built) == ELELEM_OK) {
                int is_complete = built.kind == ELELEM_BUILT_ITEM && built.item.state == ELELEM_ITEM_COMPLETE;
                if (built.kind == ELELEM_BUILT_ITEM) CHECK_INT(elelem_value_is_complete(built.item.tool_call.arguments), is_complete);
                complete += is_complete;
            }
            elelem_event_builder_free(&builder);
        }
    CHECK(complete > 1000 && complete < 1900);
}

TEST(json_text_meets_the_ceiling_at_the_same_place_however_it_is_cut)
{
    char text[300];

    memset(text, ' ', sizeof text);
    text[0] = '[';
    text[200] = '7';
    text[sizeof text - 1] = ']';
    for (fed_desc = metered(), fed_desc.max_bytes = 100; fed_desc.max_bytes < sizeof text; fed_desc.max_bytes += 37) {
        fed_desc.keep_argument_text = 1;
        FEED(&fed, text, sizeof text, NULL);
        fed_structured = 1;
        FEED(&fed, text, sizeof text, NULL);
        fed_structured = 0;
    }
    elelem_event_builder_free(&builder);
    CHECK_U64(memory.live, 0);
}

TEST(ids_names_and_metadata_count_for_the_ceiling)
{
    elelem_event_builder_desc desc = metered();

    desc.max_bytes = 10 + 128; /* 128: the key of metadata itself */
    begin_with(&desc);
    CHECK_INT(say(with(start(0, "abc", "de"), "k", "123")), ELELEM_MORE);
    CHECK_INT(say(with(start(0, "", ""), "k", "1234")), ELELEM_MORE);
    CHECK_INT(say(with(start(0, "", ""), "k", "12345")), ELELEM_ERROR_VALUE_SIZE);
    elelem_event_builder_reset(&builder);
    CHECK_INT(say(with(start(0, "1234567890", ""), "", "")), ELELEM_MORE);
    CHECK_INT(say(start(0, "", "1")), ELELEM_ERROR_VALUE_SIZE);
    elelem_event_builder_reset(&builder);
    CHECK_INT(say(with(message(0, ""), "k", "[1]")), ELELEM_MORE);
    CHECK_INT(say(with(message(0, ""), "k", "[2,3]")), ELELEM_MORE);
    CHECK_INT(say(with(message(0, ""), "k", "[4]")), ELELEM_MORE);
    CHECK_INT(say(with(message(0, ""), "k", "[5]")), ELELEM_ERROR_VALUE_SIZE);
    CAME("");
}

TEST(what_was_flushed_no_longer_counts)
{
    elelem_event_builder_desc desc = metered();
    uint32_t i;

    desc.max_bytes = 400;
    begin_with(&desc);
    for (i = 0; i < 1000; i++) {
        CHECK_INT(say(with(start(i, "call", "name"), "k", "\"v\"")), ELELEM_MORE);
        CHECK_INT(say(chunk(i, "{\"a\":[1,2,3]}")), ELELEM_MORE);
        CHECK_INT(say(flush(i)), ELELEM_MORE);
        out.size = 0;
    }
    CHECK_INT(say(message(i, "")), ELELEM_MORE);
    CHECK_U64(builder.els_texts.els_used + builder.els_values.els_used + builder.els_reading.els_used, 0);
    CAME("");
}

/* Memory. */

static void play(void)
{
    static const char *const pieces[] = { "{\"path\":\"src/", "main.rs\",\"patterns\":[{\"old\":\"x",
                                          "\",\"new\":\"y\"}]", ",\"dry_run\":false}" };
    size_t i;

    if (say(with(reasoning(0, "Let me think about that for a while, and say so."), "signature", "\"s\"")) < 0) return;
    if (say(with(flush(0), "items", "[1]")) < 0) return;
    if (say(message(1, "I will change it.")) < 0) return;
    for (i = 0; i < 4; i++) {
        if (say(start(2, i == 1 ? "call_1" : "", i == 0 ? "fs_modify_file" : "")) < 0) return;
        if (say(chunk(2, pieces[i])) < 0) return;
        if (say(with(chunk(3 + (uint32_t)i, pieces[i]), "k", "[true]")) < 0) return;
    }
    if (say(flush(1)) < 0) return;
    if (say(flush(2)) < 0) return;
    if (say(start(9, "c", "no_arguments")) < 0) return;
    if (say(flush(9)) < 0) return;
    if (say(structured(10, "[42]")) < 0) return;
    if (say(flush(10)) < 0) return;
    say(end_of(ELELEM_EVENT_ERROR));
}

/* Nothing that is complete may come out that does not also come when there is memory. */
static void check_complete_lines(const feed_log *all)
{
    size_t at, end;

    for (at = 0; at < out.size; at = end + 1) {
        for (end = at; out.text[end] != '\n'; end++)
            ;
        out.text[end] = 0;
        if (out.text[at] == '{' && !strstr(out.text + at, "\"state\":"))
            CHECK(strstr(all->text, out.text + at) != NULL);
        out.text[end] = '\n';
    }
}

TEST(refused_memory_is_an_error_at_every_call_and_nothing_leaks)
{
    size_t at;
    int on, survived = 0;

    begin();
    play();
    drain();
    feed_close(&out);
    feed_whole = out;
    feed_whole.text[feed_whole.size] = 0;
    elelem_event_builder_free(&builder);
    CHECK_U64(memory.live, 0);
    for (on = 0; on < 2; on++)
        for (at = 1; at < 200; at++) {
            elelem_error error;
            begin();
            memory.refuse = (int)at;
            memory.stays = on;
            play();
            error = elelem_event_builder_error(&builder);
            elelem_event_builder_drain(&builder);
            CHECK_INT(take_all(), error.status == ELELEM_OK ? ELELEM_END : ELELEM_ERROR_MEMORY);
            feed_close(&out);
            if (error.status == ELELEM_OK) {
                CHECK_BYTES(out.text, out.size, feed_whole.text, feed_whole.size);
                survived++;
            }
            check_complete_lines(&feed_whole);
            elelem_event_builder_free(&builder);
            CHECK_U64(memory.live, 0);
        }
    CHECK(survived > 0);
}

TEST(a_few_calls_and_no_text_fit_into_16_kb_with_room_to_spare)
{
    static unsigned char bytes[16 * 1024];
    elelem_event_builder_desc desc = ELELEM_INIT;
    elelem_arena arena;
    uint32_t i, turn;
    int n;

    desc.allocator = elelem_arena_init(&arena, bytes, sizeof bytes);
    desc.keep = ELELEM_KEEP_TOOL_CALLS;
    begin_with(&desc);
    for (turn = 0; turn < 20; turn++) {
        for (n = 0; n < 100; n++)
            CHECK_INT(say(message(turn * 10, "text that is passed on, more than 16 KB all told")), ELELEM_MORE);
        CHECK_INT(say(flush(turn * 10)), ELELEM_MORE);
        for (i = 1; i <= 4; i++) {
            CHECK_INT(say(start(turn * 10 + i, "call_0123456789abcdef", "set_temperature")), ELELEM_MORE);
            CHECK_INT(say(chunk(turn * 10 + i, "{\"room\":\"kitchen\",\"celsius\":21.5,")), ELELEM_MORE);
            CHECK_INT(say(chunk(turn * 10 + i, "\"days\":[\"mo\",\"tu\"],\"why\":\"")), ELELEM_MORE);
            for (n = 0; n < 10; n++)
                CHECK_INT(say(chunk(turn * 10 + i, "because it is cold. ")), ELELEM_MORE);
            CHECK_INT(say(chunk(turn * 10 + i, "\"}")), ELELEM_MORE);
        }
        for (i = 1; i <= 4; i++)
            CHECK_INT(say(flush(turn * 10 + i)), ELELEM_MORE);
        out.size = 0;
    }
    CHECK(elelem_arena_peak(&arena) <= 8 * 1024);
    elelem_event_builder_free(&builder);
    CHECK_U64(elelem_arena_used(&arena), 0);
}

TEST(memory_of_a_large_item_is_given_back_at_the_call_after_it)
{
    char *large = (char *)malloc(100001);
    elelem_event end = flush(0);
    elelem_built built;

    if (!large) abort();
    memset(large, 'x', 100000);
    large[100000] = 0;
    begin();
    say(message(0, large));
    elelem_event_builder_push(&builder, &end);
    CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_OK);
    CHECK_STR(built.item.text.data, built.item.text.size, large);
    CHECK(memory.live >= 100000);
    CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_MORE);
    CHECK(memory.live < 4000);
    free(large);
    CAME("");
}

TEST(items_one_after_another_take_no_more_memory_once_the_first_is_done)
{
    int calls = 0;
    uint32_t i;

    begin();
    for (i = 0; i < 100; i++) {
        say(message(2 * i, "some text"));
        say(flush(2 * i));
        say(start(2 * i + 1, "c", "f"));
        say(chunk(2 * i + 1, "{\"a\":[1,2,3]}"));
        say(flush(2 * i + 1));
        out.size = 0;
        if (i == 0) calls = memory.calls;
    }
    CHECK_INT(memory.calls, calls);
    CAME("");
}

TEST(hundred_thousand_chunks_of_one_byte_grow_the_blocks_a_few_times_only)
{
    elelem_event event;
    elelem_built built;
    uint32_t i;

    begin();
    say(start(0, "c", "f"));
    say(chunk(0, "{\"content\":\""));
    for (i = 0; i < 100000; i++) {
        event = chunk_of(0, "x", 1);
        elelem_event_builder_push(&builder, &event);
        CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_OK);
        CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_MORE);
    }
    say(chunk(0, "\"}"));
    CHECK(memory.calls < 40);
    event = flush(0);
    elelem_event_builder_push(&builder, &event);
    CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_OK);
    CHECK_INT(built.item.state, ELELEM_ITEM_COMPLETE);
    CHECK_U64(elelem_value_text(elelem_value_get(built.item.tool_call.arguments, "content")).size, 100000);
    elelem_event_builder_free(&builder);
    CHECK_U64(memory.live, 0);
}

TEST(many_open_calls_find_their_chunks)
{
    uint32_t i, round;
    char text[24];

    begin();
    for (round = 0; round < 4; round++)
        for (i = 0; i < 256; i++) {
            uint32_t index = i * 167 % 256;
            snprintf(text, sizeof text, "%s%u", round == 0 ? "[" : ",", (unsigned)(index * 4 + round));
            CHECK_INT(say(chunk(index, text)), ELELEM_MORE);
            out.size = 0;
        }
    for (i = 0; i < 256; i++) {
        char expected[100];
        uint32_t index = i * 91 % 256;
        say(chunk(index, "]"));
        out.size = 0;
        say(flush(index));
        snprintf(expected, sizeof expected,
                 "{\"type\":\"tool_call\",\"index\":%u,\"id\":\"\",\"name\":\"\",\"arguments\":[%u,%u,%u,%u]}\n",
                 (unsigned)index, (unsigned)index * 4, (unsigned)index * 4 + 1, (unsigned)index * 4 + 2,
                 (unsigned)index * 4 + 3);
        CHECK_STR(out.text, out.size, expected);
        out.size = 0;
    }
    CAME("");
}

TEST(returned_item_stays_until_the_next_call_while_the_partial_view_is_read)
{
    elelem_event end = flush(0);
    elelem_built built;

    begin();
    say(with(message(0, "first"), "k", "1"));
    say(message(1, "second"));
    elelem_event_builder_push(&builder, &end);
    CHECK_INT(elelem_event_builder_next(&builder, &built), ELELEM_OK);
    log_partial();
    log_item(&out, &built.item);
    CAME("{'type':'message','index':1,'text':'second','state':'open'}\n"
         "{'type':'message','index':0,'text':'first','metadata':{'k':1}}\n");
}

TEST(reset_starts_over_in_any_state)
{
    elelem_event event = chunk(0, "[1,2]");
    elelem_built built;

    begin();
    elelem_event_builder_push(&builder, &event);
    elelem_event_builder_next(&builder, &built);
    elelem_event_builder_reset(&builder);
    CHECK_INT(take_all(), ELELEM_MORE);
    say(message(0, "x"));
    drain();
    elelem_event_builder_reset(&builder);
    say(message(0, "y"));
    say(flush(0));
    CHECK_INT(say(end_of(ELELEM_EVENT_FINISHED)), ELELEM_END);
    CAME("{'type':'message','index':0,'text':'x','state':'cut_off'}\n"
         "{'type':'message','index':0,'text':'y'}\n");
}

TEST(after_a_reset_a_small_item_takes_no_more_memory)
{
    int calls;

    begin();
    say(start(0, "c", "f"));
    say(chunk(0, "{\"a\":[1,2,3]}"));
    elelem_event_builder_reset(&builder);
    calls = memory.calls;
    out.size = 0;
    say(start(0, "c", "f"));
    say(chunk(0, "{\"a\":[1,2,3]}"));
    out.size = 0;
    say(flush(0));
    CHECK_INT(memory.calls, calls);
    CAME("{'type':'tool_call','index':0,'id':'c','name':'f','arguments':{'a':[1,2,3]}}\n");
}

TEST(zeroed_builder_may_be_freed_and_a_freed_one_used_again)
{
    elelem_event_builder zeroed = ELELEM_INIT;

    elelem_event_builder_free(&zeroed);
    elelem_event_builder_free(&zeroed);
    begin();
    say(message(0, "x"));
    elelem_event_builder_free(&builder);
    begin();
    say(message(0, "y"));
    say(flush(0));
    CAME("{'type':'message','index':0,'text':'y'}\n");
}

/* Writing and names. */

TEST(written_item_escapes_what_came_from_the_model)
{
    begin();
    say(with(message(0, "a\"\\\n\x01"), "k\n", "\"v\""));
    say(flush(0));
    CAME("{'type':'message','index':0,'text':'a\\'\\\\\\n\\u0001','metadata':{'k\\n':'v'}}\n");
}

TEST(writing_returns_why_the_sink_refused)
{
    elelem_item item = ELELEM_INIT;
    elelem_writer writer;
    elelem_sink sink = ELELEM_INIT;

    elelem_writer_init(&writer, sink, 0);
    CHECK_INT(elelem_item_write(&writer, &item), ELELEM_ERROR_SINK);
}

TEST(item_states_have_names)
{
    CHECK_STR(elelem_item_state_name(ELELEM_ITEM_OPEN), 4, "open");
    CHECK_STR(elelem_item_state_name(ELELEM_ITEM_COMPLETE), 8, "complete");
    CHECK_STR(elelem_item_state_name(ELELEM_ITEM_CUT_OFF), 7, "cut_off");
    CHECK_STR(elelem_item_state_name(ELELEM_ITEM_MALFORMED), 9, "malformed");
}

TEST(a_provider_item_that_was_left_out_takes_no_more_pieces)
{
    elelem_event_builder_desc desc = metered();

    desc.max_bytes = 20;
    begin_with(&desc);
    CHECK_INT(say(provider_item(1, "image", "{\"data\":\"")), ELELEM_MORE);
    CHECK_INT(say(provider_item(1, "", "0123456789")), ELELEM_MORE);
    CHECK_U64(builder.els_texts.els_used, strlen("image"));
    CHECK_INT(say(provider_item(1, "", "\"}")), ELELEM_MORE);
    CHECK_INT(say(flush(1)), ELELEM_MORE);
    CHECK_INT(say(message(2, "01234567890123456789")), ELELEM_MORE);
    CHECK_INT(say(flush(2)), ELELEM_MORE);
    CAME("{'type':'provider_item','index':1,'itemType':'image','text':'','state':'left_out'}\n"
         "{'type':'message','index':2,'text':'01234567890123456789'}\n");
}

TEST(the_type_of_a_provider_item_counts_for_the_ceiling)
{
    elelem_event_builder_desc desc = metered();

    desc.max_bytes = 5;
    begin_with(&desc);
    CHECK_INT(say(provider_item(1, "image!", "{}")), ELELEM_ERROR_VALUE_SIZE);
    CAME("");
}

TEST(keys_that_lead_to_a_value_meet_the_ceiling_together)
{
    char json[512];
    unsigned levels;

    for (levels = 1; levels <= 2; levels++) {
        elelem_event_builder_desc desc = metered();
        if (levels > 1) snprintf(json, sizeof json, "{\"%0200u\":{\"%0200u\":1}}", 1u, 2u);
        else snprintf(json, sizeof json, "{\"%0200u\":1}", 1u);
        desc.max_bytes = 600;
        desc.keep = ELELEM_KEEP_MESSAGES;
        begin_with(&desc);
        CHECK_INT(say(chunk(1, json)), levels > 1 ? ELELEM_ERROR_VALUE_SIZE : ELELEM_MORE);
        out.size = 0;
        CAME("");
    }
}

TEST(the_empty_object_of_a_call_without_arguments_counts_for_the_ceiling)
{
    elelem_event_builder_desc desc = metered();

    desc.max_bytes = 1;
    begin_with(&desc);
    CHECK_INT(say(start(1, "", "f")), ELELEM_MORE);
    CHECK_INT(say(flush(1)), ELELEM_ERROR_VALUE_SIZE);
    CHECK_INT(elelem_event_builder_error(&builder).status, ELELEM_ERROR_VALUE_SIZE);
    elelem_event_builder_drain(&builder);
    CHECK_INT(take_all(), ELELEM_ERROR_VALUE_SIZE);
    CAME("{'type':'tool_call','index':1,'id':'','name':'f','state':'cut_off'}\n");
}

TEST(each_thing_that_an_item_keeps_may_be_refused_memory_first)
{
    elelem_event first[4];
    size_t i;

    first[0] = provider_item(1, "image", "{}");
    first[1] = provider_item(1, "", "{}");
    first[2] = part(1, ELELEM_PART_PROVIDER_ITEM, "");
    first[2].part.caption = elelem_str_of("looking");
    first[3] = start(1, "", "");
    for (i = 0; i < 4; i++) {
        elelem_status status;
        int k, calls = 0;
        check_context(i == 0 ? "type" : i == 1 ? "text" : i == 2 ? "caption" : "no arguments");
        for (k = 0; k <= calls; k++) {
            begin();
            memory.refuse = k; /* 0: none */
            memory.stays = 1;
            status = say(first[i]);
            if (status == ELELEM_MORE) status = say(flush(1));
            CHECK_INT(status, k > 0 ? ELELEM_ERROR_MEMORY : ELELEM_MORE);
            if (k == 0) calls = memory.calls;
            elelem_event_builder_free(&builder);
            CHECK_U64(memory.live, 0);
        }
        CHECK(calls > 1);
    }
}

/* The builder does not check metadata; what only begins as an array is no array to be added to. */
TEST(metadata_that_is_no_whole_array_is_replaced)
{
    static const char *const rows[] = { "[", "[1", "[1}", "1]", "]", "" };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        elelem_item item;
        elelem_str json;
        size_t position = 0;
        check_context(rows[i]);
        begin();
        CHECK_INT(say(with(message(1, "a"), "k", rows[i])), ELELEM_MORE);
        CHECK_INT(say(with(message(1, "b"), "k", "[2]")), ELELEM_MORE);
        CHECK_INT(say(with(message(1, "c"), "k", "[3]")), ELELEM_MORE);
        CHECK_INT(elelem_event_builder_partial(&builder, &position, &item), ELELEM_OK);
        json = item.metadata.entries[0].json;
        CHECK_STR(json.data, json.size, "[2,3]");
        CHECK_INT(say(with(message(1, "d"), "k", rows[i])), ELELEM_MORE);
        position = 0;
        CHECK_INT(elelem_event_builder_partial(&builder, &position, &item), ELELEM_OK);
        json = item.metadata.entries[0].json;
        CHECK_STR(json.data, json.size, rows[i]);
        elelem_event_builder_free(&builder);
        CHECK_U64(memory.live, 0);
    }
}

TEST(an_item_of_an_unknown_kind_is_written_without_a_name)
{
    char text[200];
    elelem_span_sink span;
    elelem_writer writer;
    elelem_item item = ELELEM_INIT;

    memset(&span, 0, sizeof span);
    span.data = text;
    span.capacity = sizeof text;
    elelem_writer_init(&writer, elelem_span_sink_of(&span), 0);
    item.kind = 200;
    item.state = ELELEM_ITEM_COMPLETE;
    item.text = elelem_str_of("a");
    CHECK_INT(elelem_item_write(&writer, &item), ELELEM_OK);
    CHECK_STR(text, span.size, "{\"type\":\"\",\"index\":0,\"text\":\"a\"}");
}

CHECK_MAIN("builder",
           RUN(reasoning_chunks_join)
           RUN(message_chunks_join)
           RUN(tool_call_with_all_its_arguments_in_one_part)
           RUN(start_and_several_chunks_make_one_call)
           RUN(interleaved_indices_keep_apart)
           RUN(each_kind_of_part_is_kept_until_its_flush_and_then_is_an_item)
           RUN(choice_is_the_items)
           RUN(second_start_with_another_id_and_name_is_ignored)
           RUN(first_id_and_first_name_win_separately)
           RUN(progress_has_id_and_name_as_far_as_they_are_known)
           RUN(call_without_any_start_is_drained_without_a_name_and_not_dropped)
           RUN(flush_metadata_reaches_the_item)
           RUN(part_metadata_reaches_the_item)
           RUN(part_and_flush_metadata_merge_and_the_later_wins)
           RUN(metadata_arrays_are_added_to)
           RUN(metadata_that_is_not_kept_is_left_out)
           RUN(metadata_keys_have_a_limit)
           RUN(replaced_metadata_gives_its_memory_back)
           RUN(whitespace_message_is_dropped_but_not_its_metadata_and_empty_reasoning_is_kept)
           RUN(kinds_that_are_not_kept_pass_and_store_nothing)
           RUN(calls_that_are_not_kept_still_have_progress)
           RUN(part_of_another_kind_on_a_busy_index_is_misuse_and_changes_nothing)
           RUN(events_that_make_no_sense_are_misuse)
           RUN(event_before_next_returned_more_is_misuse)
           RUN(nothing_is_taken_after_the_end)
           RUN(partial_view_is_empty_at_first)
           RUN(partial_view_shows_an_empty_string_before_its_flush)
    RUN(partial_view_shows_a_message)
           RUN(partial_view_is_in_order_of_index)
           RUN(partial_view_shows_only_what_is_not_flushed_yet)
           RUN(partial_view_shows_structured_output_and_calls_too_marked_as_open)
           RUN(partial_view_marks_json_that_is_none_before_the_flush)
           RUN(partial_view_leaves_out_what_is_not_kept)
           RUN(arguments_are_never_complete_before_the_flush_even_when_their_json_is)
           RUN(the_caption_of_a_provider_item_is_no_arguments)
           RUN(structured_chunks_join_and_are_read)
           RUN(structured_output_may_be_an_array)
           RUN(structured_output_keeps_its_text_as_well_as_the_value)
           RUN(malformed_structured_output_is_its_text_and_says_so)
           RUN(structured_output_keeps_metadata)
           RUN(structured_output_without_text_is_about_its_metadata_and_blank_output_is_cut_off)
           RUN(blank_or_no_arguments_are_an_empty_object)
           RUN(arguments_say_whether_they_are_whole_however_they_are_cut)
           RUN(arguments_without_their_text_keep_what_came_before_the_mistake)
           RUN(arguments_nested_too_deeply_are_cut_off_and_the_builder_continues)
           RUN(value_says_what_cut_it)
           RUN(drain_keeps_partial_text_and_hands_out_calls_that_never_look_whole)
           RUN(drain_drops_what_a_flush_would_drop)
           RUN(drain_in_the_middle_of_an_event_works_it_off_first)
           RUN(drain_ends_and_may_be_called_again)
           RUN(open_items_have_a_limit)
           RUN(default_limit_of_open_items_is_256)
           RUN(no_more_than_65535_items_may_be_open)
           RUN(no_more_than_65535_keys_of_an_item_are_allowed)
           RUN(a_key_above_the_ceiling_is_an_error_of_the_limit_even_if_there_is_no_memory)
           RUN(kept_text_is_cut_at_the_byte_ceiling_and_drained_in_whole_characters)
           RUN(arguments_meet_the_ceiling_at_the_same_place_however_they_are_cut)
           RUN(number_at_the_root_meets_the_ceiling_at_the_flush)
           RUN(empty_string_at_the_root_meets_the_ceiling_when_it_ends)
    RUN(complete_call_has_complete_arguments_with_any_ceiling)
    RUN(json_text_meets_the_ceiling_at_the_same_place_however_it_is_cut)
           RUN(ids_names_and_metadata_count_for_the_ceiling)
           RUN(what_was_flushed_no_longer_counts)
           RUN(refused_memory_is_an_error_at_every_call_and_nothing_leaks)
           RUN(a_few_calls_and_no_text_fit_into_16_kb_with_room_to_spare)
           RUN(memory_of_a_large_item_is_given_back_at_the_call_after_it)
           RUN(items_one_after_another_take_no_more_memory_once_the_first_is_done)
           RUN(hundred_thousand_chunks_of_one_byte_grow_the_blocks_a_few_times_only)
           RUN(many_open_calls_find_their_chunks)
           RUN(returned_item_stays_until_the_next_call_while_the_partial_view_is_read)
           RUN(reset_starts_over_in_any_state)
           RUN(after_a_reset_a_small_item_takes_no_more_memory)
           RUN(zeroed_builder_may_be_freed_and_a_freed_one_used_again)
           RUN(written_item_escapes_what_came_from_the_model)
           RUN(writing_returns_why_the_sink_refused)
           RUN(item_states_have_names)
           RUN(a_provider_item_that_was_left_out_takes_no_more_pieces)
           RUN(the_type_of_a_provider_item_counts_for_the_ceiling)
           RUN(keys_that_lead_to_a_value_meet_the_ceiling_together)
           RUN(the_empty_object_of_a_call_without_arguments_counts_for_the_ceiling)
           RUN(each_thing_that_an_item_keeps_may_be_refused_memory_first)
           RUN(metadata_that_is_no_whole_array_is_replaced)
           RUN(an_item_of_an_unknown_kind_is_written_without_a_name))
