/* turn: stream, thoughts and builder in one loop. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"

#define FRAME(json) "data: " json "\n\n"
#define DELTA(delta) FRAME("{\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}")
#define SAYS(text) DELTA("\"content\":\"" text "\"")
#define THINKS(text) DELTA("\"reasoning\":\"" text "\"")
#define CALL(id, name) \
    DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"" id "\",\"function\":{\"name\":\"" name "\",\"arguments\":\"\"}}]")
#define ARGUMENTS(text) DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"" text "\"}}]")
#define STOP(reason) FRAME("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}")
#define DONE FRAME("[DONE]")

#define RESPONSE                                                                                              \
    THINKS("Let me") THINKS(" see") SAYS("So: ") SAYS("here.") CALL("c1", "write") ARGUMENTS("{\\\"path\\\":\\\"a") \
    ARGUMENTS(".txt\\\",\\\"n\\\":[1,2]}") STOP("tool_calls") DONE

#define RESPONSE_PIECES                                                                            \
    "think 0 \"Let me see\"\n"                                                                   \
    "ITEM {\"type\":\"reasoning\",\"index\":0,\"text\":\"Let me see\"}\n"                        \
    "text 1 \"So: here.\"\n"                                                                     \
    "ITEM {\"type\":\"message\",\"index\":1,\"text\":\"So: here.\"}\n"                           \
    RESPONSE_CALL

#define RESPONSE_CALL                                                                              \
    "call 2 c1 write\n"                                                                          \
    "delta 2 c1 write  begin object\n"                                                        \
    "delta 2 c1 write path \"a.txt\"\n"                                                       \
    "delta 2 c1 write path done string\n"                                                     \
    "delta 2 c1 write n begin array\n"                                                        \
    "delta 2 c1 write n.0 scalar 1\n"                                                         \
    "delta 2 c1 write n.0 done number\n"                                                      \
    "delta 2 c1 write n.1 scalar 2\n"                                                         \
    "delta 2 c1 write n.1 done number\n"                                                      \
    "delta 2 c1 write n done array\n"                                                         \
    "delta 2 c1 write  done object\n"

#define RESPONSE_ITEMS \
    RESPONSE_PIECES "TOOL {\"type\":\"tool_call\",\"index\":2,\"id\":\"c1\",\"name\":\"write\",\"arguments\":{\"path\":\"a.txt\",\"n\":[1,2]}}\n"

typedef struct turn_object {
    elelem_turn turn;
    elelem_turn_desc desc;
    int fail_kind; /* an elelem_error_kind the transport ends with, -1: the body is over */
    int resets;    /* start over by reset, not by init */
} turn_object;

static turn_object turn_now;

static void start(void *object)
{
    turn_object *o = (turn_object *)object;

    if (o->resets) {
        elelem_turn_reset(&o->turn);
        return;
    }
    elelem_turn_free(&o->turn);
    elelem_turn_init(&o->turn, &o->desc);
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    return elelem_turn_push(&((turn_object *)object)->turn, bytes, size);
}

static void finish(void *object)
{
    turn_object *o = (turn_object *)object;

    if (o->fail_kind >= 0) elelem_turn_fail(&o->turn, (elelem_error_kind)o->fail_kind);
    else elelem_turn_finish(&o->turn);
}

static void log_delta(feed_log *log, const elelem_turn_update *update)
{
    static const char *const kinds[] = { "begin", "string", "scalar", "done" };
    const elelem_fragment *f = &update->fragment;
    const elelem_tool_call *call = &update->tool_call;
    char label[400];
    size_t i, at;

    at = (size_t)snprintf(label, sizeof label, "delta %lu %.*s %.*s ", (unsigned long)call->index, (int)call->id.size, call->id.data,
                          (int)call->name.size, call->name.data);
    for (i = 0; i < f->path->count; i++) {
        const elelem_segment *s = &f->path->segments[i];
        if (s->key.data)
            at += (size_t)snprintf(label + at, sizeof label - at, "%s%.*s", i ? "." : "", (int)s->key.size, s->key.data);
        else
            at += (size_t)snprintf(label + at, sizeof label - at, "%s%lu", i ? "." : "", (unsigned long)s->index);
    }
    if (f->kind == ELELEM_FRAGMENT_STRING)
        feed_text(log, label, f->text.data, f->text.size);
    else if (f->kind == ELELEM_FRAGMENT_SCALAR)
        feed_line(log, "%s %s %.*s", label, kinds[f->kind], (int)f->text.size, f->text.data);
    else
        feed_line(log, "%s %s %s", label, kinds[f->kind], elelem_type_name(f->type));
}

static elelem_status log_bytes(void *context, const void *bytes, size_t size)
{
    feed_put((feed_log *)context, (const char *)bytes, size);
    return ELELEM_OK;
}

static void log_item(feed_log *log, const char *label, const elelem_item *item)
{
    elelem_writer writer;
    elelem_sink sink;

    feed_close(log);
    feed_put(log, label, strlen(label));
    sink.write = log_bytes;
    sink.context = log;
    elelem_writer_init(&writer, sink, 0);
    CHECK_INT(elelem_item_write(&writer, item), ELELEM_OK);
    feed_put(log, "\n", 1);
}

/* Every update says once and in one place which item it is about. */
static void check_places(const elelem_turn_update *update)
{
    int is_call = update->kind >= ELELEM_TURN_TOOL_CALL_START && update->kind <= ELELEM_TURN_TOOL_CALL_DONE;
    int is_item = update->kind == ELELEM_TURN_TOOL_CALL_DONE || update->kind == ELELEM_TURN_ITEM;

    CHECK_INT(update->tool_call.index, is_call ? update->index : 0);
    CHECK_INT(update->item != NULL, is_item);
    if (is_item) CHECK(update->item->index == update->index && update->item->choice == update->choice);
    if (update->kind == ELELEM_TURN_TOOL_CALL_DONE)
        CHECK(elelem_str_equal(update->tool_call.name, update->item->tool_call.name));
    else
        CHECK_INT(elelem_value_type(update->tool_call.arguments), ELELEM_TYPE_NONE);
    if (update->kind != ELELEM_TURN_TOOL_CALL_DELTA) CHECK(!update->fragment.path);
    if (update->kind > ELELEM_TURN_REASONING) CHECK_INT(update->text.size, 0);
}

static void log_update(feed_log *log, const elelem_turn_update *update)
{
    const elelem_tool_call *call = &update->tool_call;
    char label[60];

    check_places(update);
    switch ((elelem_turn_update_kind)update->kind) {
    case ELELEM_TURN_TEXT:
    case ELELEM_TURN_REASONING:
        snprintf(label, sizeof label, "%s %lu", update->kind == ELELEM_TURN_TEXT ? "text" : "think", (unsigned long)update->index);
        feed_text(log, label, update->text.data, update->text.size);
        break;
    case ELELEM_TURN_TOOL_CALL_START:
        feed_line(log, "call %lu %.*s %.*s", (unsigned long)call->index, (int)call->id.size, call->id.data ? call->id.data : "",
                  (int)call->name.size, call->name.data ? call->name.data : "");
        break;
    case ELELEM_TURN_TOOL_CALL_DELTA: log_delta(log, update); break;
    case ELELEM_TURN_TOOL_CALL_DONE:
        CHECK_INT(elelem_value_is_complete(call->arguments), update->item->state == ELELEM_ITEM_COMPLETE);
        log_item(log, "TOOL ", update->item);
        break;
    case ELELEM_TURN_PROVIDER_ITEM:
        snprintf(label, sizeof label, "provider %lu %.*s", (unsigned long)update->index, ELELEM_STR_ARG(update->part.type));
        feed_text(log, label, update->part.text.data, update->part.text.size);
        break;
    case ELELEM_TURN_METADATA: feed_line(log, "metadata %u", (unsigned)update->metadata.count); break;
    case ELELEM_TURN_ITEM: log_item(log, "ITEM ", update->item); break;
    case ELELEM_TURN_FINISHED:
        feed_line(log, "FINISHED %s %.*s", elelem_finish_reason_name(update->reason),
                  (int)update->raw_reason.size, update->raw_reason.data ? update->raw_reason.data : "");
        break;
    case ELELEM_TURN_ERROR:
        feed_line(log, "ERROR %s%s \"%.*s\"", elelem_error_kind_name(update->error.kind),
                  update->error.retryable ? " retryable" : "", (int)update->error.message.size, update->error.message.data);
        break;
    }
}

static elelem_status next(void *object, feed_log *log)
{
    elelem_turn_update update;
    elelem_status status = elelem_turn_next(&((turn_object *)object)->turn, &update);

    if (status < 0) feed_line(log, "next returned %s", elelem_status_name(status));
    if (status == ELELEM_OK) log_update(log, &update);
    return status;
}

static const feed_object fed = { &turn_now, start, push, next, finish, NULL };

static void plain(void)
{
    elelem_turn_free(&turn_now.turn);
    memset(&turn_now, 0, sizeof turn_now);
    turn_now.desc.shape = &elelem_shape_chat;
    turn_now.fail_kind = -1;
}

#define TURN(body, expected) FEED(&fed, body, strlen(body), expected)

/* Asks every update for the text of a file that a call writes. */
static elelem_status next_written(void *object, feed_log *log)
{
    elelem_turn_update update;
    elelem_status status = elelem_turn_next(&((turn_object *)object)->turn, &update);
    elelem_str text;

    if (status != ELELEM_OK) return status;
    text = elelem_fragment_text(&update.fragment, "content");
    if (text.size > 0) feed_text(log, "wrote", text.data, text.size);
    return status;
}

#define CUT_OFF "ERROR connect retryable \"the response ended before it was complete\"\nEND\n"

TEST(pieces_come_as_they_are_written_items_when_they_are_over_and_the_end_last)
{
    plain();
    TURN(RESPONSE, RESPONSE_ITEMS "FINISHED tool_calls tool_calls\nEND\n");
}

TEST(a_turn_that_is_reset_gives_the_same_again)
{
    plain();
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    turn_now.resets = 1;
    TURN(RESPONSE, RESPONSE_ITEMS "FINISHED tool_calls tool_calls\nEND\n");
    TURN("data: {\"choices\"", CUT_OFF);
    TURN(THINKS("a") CALL("c", "f") ARGUMENTS("{\\\"a\\\":\\\""),
         "think 0 \"a\"\nITEM {\"type\":\"reasoning\",\"index\":0,\"text\":\"a\"}\ncall 1 c f\n"
         "delta 1 c f  begin object\n"
         "TOOL {\"type\":\"tool_call\",\"index\":1,\"id\":\"c\",\"name\":\"f\",\"partialArguments\":{},\"state\":\"cut_off\"}\n" CUT_OFF);
    TURN(RESPONSE, RESPONSE_ITEMS "FINISHED tool_calls tool_calls\nEND\n");
}

TEST(what_an_error_cuts_off_comes_before_it)
{
    plain();
    TURN(SAYS("So") CALL("c1", "write") ARGUMENTS("{\\\"path\\\":\\\"a"),
         "text 0 \"So\"\nITEM {\"type\":\"message\",\"index\":0,\"text\":\"So\"}\ncall 1 c1 write\n"
         "delta 1 c1 write  begin object\ndelta 1 c1 write path \"a\"\n"
         "TOOL {\"type\":\"tool_call\",\"index\":1,\"id\":\"c1\",\"name\":\"write\",\"partialArguments\":{\"path\":\"a\"},\"state\":\"cut_off\"}\n"
         CUT_OFF);
    turn_now.fail_kind = ELELEM_ERROR_KIND_CANCELLED;
    TURN(SAYS("So"), "text 0 \"So\"\nITEM {\"type\":\"message\",\"index\":0,\"text\":\"So\",\"state\":\"cut_off\"}\n"
                     "ERROR cancelled \"cancelled by the caller\"\nEND\n");
}

TEST(whole_arguments_of_a_call_that_was_not_flushed_are_not_run)
{
    plain();
    TURN(CALL("c1", "write") ARGUMENTS("{}"),
         "call 0 c1 write\ndelta 0 c1 write  begin object\ndelta 0 c1 write  done object\n"
         "TOOL {\"type\":\"tool_call\",\"index\":0,\"id\":\"c1\",\"name\":\"write\",\"partialArguments\":{},\"state\":\"cut_off\"}\n" CUT_OFF);
}

/* An event's START has only what is new; the turn adds what it knows. */
TEST(a_name_that_comes_late_starts_the_call_again_with_all_that_is_known)
{
    plain();
    TURN(CALL("c1", "") CALL("", "now") STOP("tool_calls") DONE,
         "call 0 c1 \ncall 0 c1 now\nTOOL {\"type\":\"tool_call\",\"index\":0,\"id\":\"c1\",\"name\":\"now\",\"arguments\":{}}\n"
         "FINISHED tool_calls tool_calls\nEND\n");
    TURN(CALL("", "now") CALL("c1", "") STOP("tool_calls") DONE,
         "call 0  now\ncall 0 c1 now\nTOOL {\"type\":\"tool_call\",\"index\":0,\"id\":\"c1\",\"name\":\"now\",\"arguments\":{}}\n"
         "FINISHED tool_calls tool_calls\nEND\n");
}

TEST(a_call_that_starts_again_has_its_type_again)
{
    static const char *const frames[] = {
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"custom\",\"custom\":{\"name\":\"\"}}]}}]}",
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"custom\":{\"name\":\"run\"}}]}}]}",
    };
    elelem_turn_update update;
    size_t i;

    plain();
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    for (i = 0; i < 2; i++) {
        CHECK_INT(elelem_turn_push_data(&turn_now.turn, elelem_str_of(""), elelem_str_of(frames[i])), ELELEM_OK);
        CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
        CHECK_INT(update.kind, ELELEM_TURN_TOOL_CALL_START);
        CHECK(elelem_str_is(update.tool_call.name, i == 0 ? "" : "run"));
        CHECK(elelem_str_is(update.tool_call.type, "custom"));
        CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_MORE);
    }
}

TEST(a_call_without_arguments_has_an_empty_object)
{
    plain();
    TURN(CALL("c1", "now") STOP("tool_calls") DONE,
         "call 0 c1 now\nTOOL {\"type\":\"tool_call\",\"index\":0,\"id\":\"c1\",\"name\":\"now\",\"arguments\":{}}\n"
         "FINISHED tool_calls tool_calls\nEND\n");
}

TEST(only_the_kinds_that_are_kept_become_items_and_pieces_come_in_any_case)
{
    plain();
    turn_now.desc.keep = ELELEM_KEEP_TOOL_CALLS;
    TURN(THINKS("a") SAYS("b") CALL("c1", "now") STOP("tool_calls") DONE,
         "think 0 \"a\"\ntext 1 \"b\"\ncall 2 c1 now\n"
         "TOOL {\"type\":\"tool_call\",\"index\":2,\"id\":\"c1\",\"name\":\"now\",\"arguments\":{}}\n"
         "FINISHED tool_calls tool_calls\nEND\n");
    turn_now.desc.keep = ELELEM_KEEP_MESSAGES;
    TURN(THINKS("a") SAYS("b") CALL("c1", "now") STOP("tool_calls") DONE,
         "think 0 \"a\"\ntext 1 \"b\"\nITEM {\"type\":\"message\",\"index\":1,\"text\":\"b\"}\ncall 2 c1 now\n"
         "FINISHED tool_calls tool_calls\nEND\n");
}

#define SECOND(more) FRAME("{\"choices\":[{\"index\":1," more "}]}")

TEST(each_update_says_of_which_choice_it_is)
{
    static const unsigned kinds[] = { ELELEM_TURN_REASONING, ELELEM_TURN_ITEM, ELELEM_TURN_TEXT, ELELEM_TURN_ITEM,
                                      ELELEM_TURN_TOOL_CALL_START, ELELEM_TURN_TOOL_CALL_DELTA, ELELEM_TURN_TOOL_CALL_DELTA,
                                      ELELEM_TURN_TOOL_CALL_DONE, ELELEM_TURN_FINISHED };
    static const char body[] = SECOND("\"delta\":{\"reasoning\":\"a\"}") SECOND("\"delta\":{\"content\":\"b\"}")
        SECOND("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}")
        SECOND("\"delta\":{},\"finish_reason\":\"tool_calls\"") DONE;
    elelem_turn_update update;
    size_t i;

    plain();
    turn_now.desc.max_choices = 2;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    CHECK_INT(elelem_turn_push(&turn_now.turn, body, strlen(body)), ELELEM_OK);
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        check_cut("update", i);
        if (i + 1 == sizeof kinds / sizeof *kinds) elelem_turn_finish(&turn_now.turn);
        if (!CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK)) break;
        CHECK_INT(update.kind, kinds[i]);
        CHECK_INT(update.choice, kinds[i] == ELELEM_TURN_FINISHED ? 0 : 1);
    }
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_END);
}

TEST(a_caller_who_keeps_nothing_gets_all_but_the_items)
{
    plain();
    turn_now.desc.keep = ELELEM_KEEP_NONE;
    TURN(RESPONSE, "think 0 \"Let me see\"\ntext 1 \"So: here.\"\n" RESPONSE_CALL "FINISHED tool_calls tool_calls\nEND\n");
    TURN(SAYS("So") CALL("c1", "write") ARGUMENTS("{\\\"path\\\":\\\"a"),
         "text 0 \"So\"\ncall 1 c1 write\ndelta 1 c1 write  begin object\ndelta 1 c1 write path \"a\"\n" CUT_OFF);
    turn_now.desc.structured = 1;
    TURN(SAYS("{\\\"a\\\":") SAYS("1}") STOP("stop") DONE, "text 0 \"{\\\"a\\\":1}\"\nFINISHED completed stop\nEND\n");
}

/* Pushes the frame `times` times; returns how many bytes of text came back, or 0 after anything but text. */
static size_t text_of_frames(elelem_turn *turn, const char *frame, size_t size, size_t times)
{
    elelem_turn_update update;
    size_t text = 0, i;

    for (i = 0; i < times; i++) {
        elelem_turn_push(turn, frame, size);
        while (elelem_turn_next(turn, &update) == ELELEM_OK) {
            if (update.kind != ELELEM_TURN_TEXT) return 0;
            text += update.text.size;
        }
    }
    return text;
}

TEST(text_alone_passes_in_bounded_memory)
{
    static unsigned char memory[4096];
    static char frame[2200];
    const size_t size = 2000, times = 52429;
    elelem_arena arena;
    elelem_turn_update update;
    size_t peak;

    snprintf(frame, sizeof frame, DELTA("\"content\":\"%02000d\""), 0);
    plain();
    turn_now.desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    turn_now.desc.keep = ELELEM_KEEP_NONE;
    turn_now.desc.max_item_bytes = 1;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    CHECK_INT(text_of_frames(&turn_now.turn, frame, strlen(frame), 2), 2 * size);
    peak = elelem_arena_peak(&arena);
    CHECK_INT(text_of_frames(&turn_now.turn, frame, strlen(frame), times), times * size);
    CHECK_INT(elelem_arena_peak(&arena), peak);
    elelem_turn_push(&turn_now.turn, STOP("stop"), strlen(STOP("stop")));
    elelem_turn_finish(&turn_now.turn);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_FINISHED);
    plain();
}

TEST(structured_text_is_text_and_becomes_a_value)
{
    plain();
    turn_now.desc.structured = 1;
    TURN(SAYS("{\\\"a\\\":") SAYS("1}") STOP("stop") DONE,
         "text 0 \"{\\\"a\\\":1}\"\nITEM {\"type\":\"structured\",\"index\":0,\"value\":{\"a\":1}}\n"
         "FINISHED completed stop\nEND\n");
}

TEST(reasoning_in_tags_is_split_on_request)
{
    plain();
    turn_now.desc.split_thoughts = 1;
    TURN(SAYS("<think>a</th") SAYS("ink>b") STOP("stop") DONE,
         "think 0 \"a\"\nITEM {\"type\":\"reasoning\",\"index\":0,\"text\":\"a\",\"metadata\":{\"tag\":{\"name\":\"think\","
         "\"id\":\"think-1\"}}}\ntext 1 \"b\"\nITEM {\"type\":\"message\",\"index\":1,\"text\":\"b\"}\n"
         "FINISHED completed stop\nEND\n");
}

TEST(a_provider_that_refuses_is_one_error)
{
    elelem_turn_update update;
    const char *body = "{\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit_error\"}}";

    plain();
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    elelem_turn_http_status(&turn_now.turn, 429);
    elelem_turn_http_header(&turn_now.turn, elelem_str_of("Retry-After"), elelem_str_of("2"));
    CHECK_INT(elelem_turn_push(&turn_now.turn, body, strlen(body)), ELELEM_OK);
    elelem_turn_finish(&turn_now.turn);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_ERROR);
    CHECK_INT(update.error.kind, ELELEM_ERROR_KIND_RATE_LIMIT);
    CHECK_INT(update.error.retry_after_ms, 2000);
    CHECK_INT(update.error.http_status, 429);
    CHECK_STR(update.error.message.data, update.error.message.size, "slow down");
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_END);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_END);
}

/* How long a response asks to wait: until Sun, 06 Nov 1994 08:49:37 GMT. */
static int64_t wait_until_a_date(void)
{
    elelem_turn_update update;

    elelem_turn_http_status(&turn_now.turn, 429);
    elelem_turn_http_header(&turn_now.turn, elelem_str_of("Retry-After"), elelem_str_of("Sun, 06 Nov 1994 08:49:37 GMT"));
    elelem_turn_finish(&turn_now.turn);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_ERROR);
    return update.error.retry_after_ms;
}

TEST(the_time_of_the_desc_counts_until_another_is_set)
{
    plain();
    turn_now.desc.unix_seconds = 784111777 - 7200;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    CHECK_INT(wait_until_a_date(), 7200000);
    elelem_turn_reset(&turn_now.turn);
    CHECK_INT(wait_until_a_date(), 7200000);
    elelem_turn_reset(&turn_now.turn);
    elelem_turn_set_unix_time(&turn_now.turn, 784111777 - 5);
    CHECK_INT(wait_until_a_date(), 5000);
}

TEST(arguments_can_be_read_at_any_time_and_are_never_whole)
{
    elelem_turn_update update;
    const char *body = CALL("c1", "write") ARGUMENTS("{\\\"path\\\":\\\"a.txt\\\",\\\"n\\\":[1,2]}") STOP("tool_calls");
    size_t i, most = 0;

    plain();
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    CHECK_INT(elelem_value_type(elelem_turn_arguments(&turn_now.turn, 0)), ELELEM_TYPE_NONE);
    for (i = 0; i < strlen(body); i++) {
        CHECK_INT(elelem_turn_push(&turn_now.turn, body + i, 1), ELELEM_OK);
        while (elelem_turn_next(&turn_now.turn, &update) == ELELEM_OK) {
            elelem_value arguments = elelem_turn_arguments(&turn_now.turn, 0);
            CHECK_INT(elelem_value_type(elelem_turn_arguments(&turn_now.turn, 1)), ELELEM_TYPE_NONE);
            CHECK_INT(elelem_value_is_complete(arguments), 0);
            if (update.kind != ELELEM_TURN_TOOL_CALL_DELTA) continue;
            CHECK_INT(elelem_value_type(arguments), ELELEM_TYPE_OBJECT);
            if (elelem_value_count(arguments) > most) most = elelem_value_count(arguments);
            CHECK_STR(update.tool_call.name.data, update.tool_call.name.size, "write");
            CHECK_STR(update.tool_call.id.data, update.tool_call.id.size, "c1");
        }
    }
    CHECK_INT(most, 2);
    CHECK_INT(elelem_value_type(elelem_turn_arguments(&turn_now.turn, 0)), ELELEM_TYPE_NONE);
}

TEST(a_structured_value_can_be_read_while_it_is_written)
{
    elelem_turn_update update;
    const char *body = SAYS("{\\\"a\\\":1");
    elelem_value value;

    plain();
    turn_now.desc.structured = 1;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    elelem_turn_push(&turn_now.turn, body, strlen(body));
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_MORE);
    value = elelem_turn_arguments(&turn_now.turn, 0);
    CHECK_INT(elelem_value_type(value), ELELEM_TYPE_OBJECT);
    CHECK_INT(elelem_value_is_complete(value), 0);
}

/* A turn of this body, fed in pieces of this size, must end in a limit with this offset. */
static void ends_at(const char *body, size_t piece, uint64_t offset)
{
    elelem_turn_update update = ELELEM_INIT;
    elelem_status status = ELELEM_MORE;
    size_t at, size = strlen(body);

    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    for (at = 0; at < size && status == ELELEM_MORE; at += piece) {
        elelem_turn_push(&turn_now.turn, body + at, piece < size - at ? piece : size - at);
        do
            status = elelem_turn_next(&turn_now.turn, &update);
        while (status == ELELEM_OK && update.kind != ELELEM_TURN_ERROR);
    }
    if (CHECK_INT(status, ELELEM_OK)) {
        CHECK_INT(update.error.kind, ELELEM_ERROR_KIND_LIMIT);
        CHECK_U64(update.error.offset, offset);
    }
    elelem_turn_free(&turn_now.turn);
}

#define TEN "0123456789"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN

TEST(a_limit_that_is_met_when_a_frame_is_read_has_the_offset_of_the_frame)
{
    static const char before[] = SAYS("a");
    static const char usage[] = SAYS("a") FRAME("{\"choices\":[],\"usage\":{\"a\":\"" LONG "\"}}") SAYS("b");
    static const char text[] = SAYS("a") SAYS(LONG) SAYS("b");
    size_t piece;

    for (piece = 1; piece < 400; piece = piece * 3) {
        plain();
        turn_now.desc.max_kept_bytes = 64;
        ends_at(usage, piece, strlen(before));
        plain();
        turn_now.desc.max_item_bytes = 40;
        ends_at(text, piece, strlen(before));
        turn_now.desc.split_thoughts = 1;
        ends_at(text, piece, strlen(before));
    }
}

TEST(whole_frames_may_be_pushed_instead_of_bytes)
{
    static const char *const frames[] = {
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}",
        "[DONE]",
    };
    feed_log *log = &feed_now;
    size_t i;

    plain();
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    memset(log, 0, sizeof *log);
    for (i = 0; i < 3; i++) {
        CHECK_INT(elelem_turn_push_data(&turn_now.turn, elelem_str_of(""), elelem_str_of(frames[i])), ELELEM_OK);
        while (next(&turn_now, log) == ELELEM_OK) {}
    }
    CHECK_STR(log->text, log->size,
              "text 0 \"hi\"\nITEM {\"type\":\"message\",\"index\":0,\"text\":\"hi\"}\nFINISHED completed stop\n");
}

TEST(silence_for_longer_than_the_timeout_is_an_error)
{
    elelem_turn_update update;
    const char *body = SAYS("a");
    uint32_t start_ms = 0xffffff00u; /* wraps on the way */

    plain();
    turn_now.desc.idle_timeout_ms = 1000;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    elelem_turn_tick(&turn_now.turn, start_ms);
    elelem_turn_push(&turn_now.turn, body, strlen(body));
    elelem_turn_tick(&turn_now.turn, start_ms + 900);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_TEXT);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_MORE);
    elelem_turn_tick(&turn_now.turn, start_ms + 1800);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_MORE);
    elelem_turn_tick(&turn_now.turn, start_ms + 2000);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_ITEM);
    CHECK_INT(update.item->state, ELELEM_ITEM_CUT_OFF);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_ERROR);
    CHECK_INT(update.error.kind, ELELEM_ERROR_KIND_TIMEOUT);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_END);
    elelem_turn_tick(&turn_now.turn, start_ms + 9000);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_END);
}

TEST(a_clock_without_a_timeout_does_nothing)
{
    elelem_turn_update update;

    plain();
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    elelem_turn_tick(&turn_now.turn, 0);
    elelem_turn_tick(&turn_now.turn, 0x70000000u);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_MORE);
}

TEST(a_limit_of_the_items_ends_the_turn_with_what_there_was)
{
    plain();
    turn_now.desc.max_item_bytes = 4;
    TURN(SAYS("abcd") SAYS("e") SAYS("f") STOP("stop") DONE,
         "text 0 \"abcde\"\nITEM {\"type\":\"message\",\"index\":0,\"text\":\"abcd\",\"state\":\"cut_off\"}\n"
         "ERROR limit \"a value takes more memory than allowed\"\nEND\n");
}

TEST(what_a_frame_still_held_after_such_an_end_is_dropped)
{
    elelem_turn_update update;
    const char *body = SAYS("abcd<think>efgh</think>ijkl<think>mnop</think>qrst") STOP("stop") DONE;
    int ends = 0, late = 0;

    plain();
    turn_now.desc.split_thoughts = 1;
    turn_now.desc.max_item_bytes = 40; /* one tag's metadata and no more */
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    elelem_turn_push(&turn_now.turn, body, strlen(body));
    elelem_turn_finish(&turn_now.turn);
    memset(&update, 0xff, sizeof update);
    while (elelem_turn_next(&turn_now.turn, &update) == ELELEM_OK) {
        late += ends;
        ends += update.kind == ELELEM_TURN_ERROR || update.kind == ELELEM_TURN_FINISHED;
        memset(&update, 0xff, sizeof update);
    }
    CHECK_INT(ends, 1);
    CHECK_INT(late, 0);
}

TEST(the_metadata_of_an_update_stays_though_its_event_is_too_much_for_the_items)
{
    static const char body[] =
        "data: {\"type\":\"response.output_item.added\",\"sequence_number\":2,\"output_index\":0,"
        "\"item\":{\"type\":\"function_call\",\"id\":\"fc\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"\"}}\n\n";
    elelem_turn_update update;

    plain();
    turn_now.desc.shape = &elelem_shape_responses;
    turn_now.desc.max_item_bytes = 1;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    elelem_turn_push(&turn_now.turn, body, sizeof body - 1);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_TOOL_CALL_START);
    CHECK_INT(update.metadata.count, 1);
    CHECK(elelem_str_is(update.metadata.entries[0].key, "item_id"));
    CHECK(elelem_str_is(update.metadata.entries[0].json, "\"fc\""));
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_TOOL_CALL_DONE);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_ERROR);
    CHECK_INT(update.error.kind, ELELEM_ERROR_KIND_LIMIT);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_END);
}

TEST(too_many_items_at_a_time_are_one_error)
{
    const char *body = FRAME("{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\"},"
                             "{\"index\":1,\"id\":\"b\"},{\"index\":2,\"id\":\"c\"}]}}]}");
    elelem_turn_update update;
    int errors = 0, cut_off = 0;

    plain();
    turn_now.desc.max_open_items = 2;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    elelem_turn_push(&turn_now.turn, body, strlen(body));
    while (elelem_turn_next(&turn_now.turn, &update) == ELELEM_OK) {
        CHECK_INT(errors, 0);
        cut_off += update.kind == ELELEM_TURN_TOOL_CALL_DONE && update.item->state == ELELEM_ITEM_CUT_OFF;
        errors += update.kind == ELELEM_TURN_ERROR && update.error.kind == ELELEM_ERROR_KIND_LIMIT;
    }
    CHECK_INT(errors, 1);
    CHECK_INT(cut_off, 2);
}

/* The splitter's own table is bound by the same number. */
TEST(more_open_items_than_by_default_may_be_allowed_even_if_reasoning_is_split)
{
    static char body[40000];
    elelem_turn_update update;
    size_t at, i;
    int calls = 0, errors = 0;

    plain();
    turn_now.desc.split_thoughts = 1;
    turn_now.desc.max_open_items = 400;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    at = (size_t)sprintf(body, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[");
    for (i = 0; i < 400; i++)
        at += (size_t)sprintf(body + at, "%s{\"index\":%d,\"id\":\"i%d\",\"function\":{\"name\":\"f\"}}", i ? "," : "", (int)i, (int)i);
    at += (size_t)sprintf(body + at, "]}}]}\n\n" STOP("stop") DONE);
    elelem_turn_push(&turn_now.turn, body, at);
    while (elelem_turn_next(&turn_now.turn, &update) == ELELEM_OK) {
        calls += update.kind == ELELEM_TURN_TOOL_CALL_DONE;
        errors += update.kind == ELELEM_TURN_ERROR;
    }
    CHECK_INT(calls, 400);
    CHECK_INT(errors, 0);
}

/* Memory. */

#define RICH                                                                                                          \
    DELTA("\"reasoning\":\"a\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"a\",\"index\":0}]")       \
    DELTA("\"reasoning\":\"b\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"signature\":\"0123456789\",\"index\":0}]") \
    SAYS("x<think id='1'>hm</think>y") CALL("c1", "write") ARGUMENTS("{\\\"p\\\":\\\"\\\\u00e9\\\",\\\"n\\\":[1,{\\\"k\\\":2}]}") \
    FRAME("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}") DONE

/* Nonzero if the turn finished well. */
static int run_with(limits_heap *heap, size_t piece)
{
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_turn_update update;
    elelem_turn turn;
    const char *body = RICH;
    size_t at, size = strlen(body);
    int ends = 0, finished = 0;

    desc.shape = &elelem_shape_chat;
    desc.split_thoughts = 1;
    desc.allocator = limits_allocator(heap);
    elelem_turn_init(&turn, &desc);
    for (at = 0; at < size; at += piece) {
        elelem_turn_push(&turn, body + at, piece < size - at ? piece : size - at);
        while (elelem_turn_next(&turn, &update) == ELELEM_OK) {
            CHECK_INT(ends, 0);
            if (update.kind != ELELEM_TURN_FINISHED && update.kind != ELELEM_TURN_ERROR) continue;
            ends++;
            finished = update.kind == ELELEM_TURN_FINISHED;
            if (!finished) CHECK_INT(update.error.kind, ELELEM_ERROR_KIND_OUT_OF_MEMORY);
        }
    }
    CHECK_INT(ends, 1);
    elelem_turn_free(&turn);
    CHECK_U64(heap->blocks, 0);
    return finished;
}

TEST(no_memory_at_any_point_is_one_error_or_is_not_needed_and_no_leak)
{
    static const size_t pieces[] = { 1, 100, 100000 };
    size_t i;
    int ever;

    for (i = 0; i < 3; i++)
        for (ever = 0; ever < 2; ever++) {
            int k, all = 0;
            for (k = 1; k < 500 && !all; k++) {
                limits_heap heap = ELELEM_INIT;
                heap.refuse = k;
                heap.stays = ever;
                check_cut("refusal", (size_t)k);
                if (run_with(&heap, pieces[i]) && heap.calls < k) all = 1;
            }
            CHECK(all && k > 10);
        }
}

TEST(a_turn_fits_into_sixteen_kilobytes)
{
    static unsigned char memory[16 * 1024];
    elelem_arena arena;

    plain();
    turn_now.desc.allocator = elelem_arena_init(&arena, memory, sizeof memory);
    turn_now.desc.keep = ELELEM_KEEP_TOOL_CALLS;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    turn_now.resets = 1;
    TURN(CALL("c1", "now") STOP("tool_calls") DONE,
         "call 0 c1 now\nTOOL {\"type\":\"tool_call\",\"index\":0,\"id\":\"c1\",\"name\":\"now\",\"arguments\":{}}\n"
         "FINISHED tool_calls tool_calls\nEND\n");
    CHECK(elelem_arena_peak(&arena) > 0 && elelem_arena_peak(&arena) <= sizeof memory);
    elelem_turn_free(&turn_now.turn);
}

TEST(an_arena_that_is_too_small_is_an_error)
{
    static unsigned char memory[700];
    elelem_arena arena;
    elelem_turn_update update;
    const char *body = RESPONSE;
    int errors = 0, size;

    for (size = 0; size < 700; size += 7) {
        plain();
        turn_now.desc.allocator = elelem_arena_init(&arena, memory, (size_t)size);
        elelem_turn_init(&turn_now.turn, &turn_now.desc);
        elelem_turn_push(&turn_now.turn, body, strlen(body));
        errors = 0;
        while (elelem_turn_next(&turn_now.turn, &update) == ELELEM_OK) {
            CHECK_INT(errors, 0);
            errors += update.kind == ELELEM_TURN_ERROR && update.error.kind == ELELEM_ERROR_KIND_OUT_OF_MEMORY;
        }
        CHECK_INT(errors, 1);
    }
    plain();
}

/* A caller's mistakes. */

/* The one item of a turn that has no shape. */
static void check_no_shape(elelem_turn *turn)
{
    elelem_turn_update update;

    if (!CHECK_INT(elelem_turn_next(turn, &update), ELELEM_OK)) return;
    CHECK_INT(update.kind, ELELEM_TURN_ERROR);
    CHECK_INT(update.error.kind, ELELEM_ERROR_KIND_OTHER);
    CHECK_INT(update.error.status, ELELEM_ERROR_MISUSE);
    CHECK_INT(update.error.retryable, 0);
    CHECK_STR(update.error.message.data, update.error.message.size, "no wire shape was named");
    CHECK_INT(elelem_turn_next(turn, &update), ELELEM_END);
}

TEST(a_turn_without_a_shape_says_so_in_its_only_item)
{
    elelem_turn turn;
    elelem_turn_desc desc = ELELEM_INIT;

    CHECK_INT(elelem_turn_init(&turn, NULL), ELELEM_ERROR_MISUSE);
    elelem_turn_push(&turn, "x", 1);
    check_no_shape(&turn);
    CHECK_INT(elelem_turn_push(&turn, "x", 1), ELELEM_OK);
    elelem_turn_reset(&turn);
    check_no_shape(&turn);
    elelem_turn_free(&turn);
    CHECK_INT(elelem_turn_init(&turn, &desc), ELELEM_ERROR_MISUSE);
    elelem_turn_finish(&turn);
    check_no_shape(&turn);
    elelem_turn_free(&turn);
}

TEST(mistakes_change_nothing)
{
    elelem_turn_update update;
    const char *body = SAYS("a") STOP("stop");

    plain();
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    CHECK_INT(elelem_turn_push(&turn_now.turn, NULL, 0), ELELEM_OK);
    CHECK_INT(elelem_turn_push(&turn_now.turn, body, strlen(body)), ELELEM_OK);
    CHECK_INT(elelem_turn_push(&turn_now.turn, ": x\n\n", 5), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(elelem_turn_push(&turn_now.turn, ": x\n\n", 5), ELELEM_ERROR_MISUSE);
    CHECK_STR(update.text.data, update.text.size, "a");
    while (elelem_turn_next(&turn_now.turn, &update) == ELELEM_OK) {}
    CHECK_INT(elelem_turn_push(&turn_now.turn, ": x\n\n", 5), ELELEM_OK);
    while (elelem_turn_next(&turn_now.turn, &update) == ELELEM_OK) {}
    elelem_turn_finish(&turn_now.turn);
    elelem_turn_finish(&turn_now.turn);
    elelem_turn_fail(&turn_now.turn, ELELEM_ERROR_KIND_CONNECT);
    CHECK_INT(elelem_turn_push(&turn_now.turn, "x", 1), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_OK);
    CHECK_INT(update.kind, ELELEM_TURN_FINISHED);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_END);
    CHECK_INT(elelem_turn_push(&turn_now.turn, "x", 1), ELELEM_OK);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_END);
    elelem_turn_fail(&turn_now.turn, ELELEM_ERROR_KIND_CONNECT);
    CHECK_INT(elelem_turn_next(&turn_now.turn, &update), ELELEM_END);
}

TEST(a_freed_and_a_zeroed_turn_may_be_freed)
{
    elelem_turn turn;

    memset(&turn, 0, sizeof turn);
    elelem_turn_free(&turn);
    elelem_turn_free(&turn);
    plain();
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    elelem_turn_push(&turn_now.turn, SAYS("a"), strlen(SAYS("a")));
    elelem_turn_free(&turn_now.turn);
    elelem_turn_free(&turn_now.turn);
}

TEST(a_turn_may_be_given_up_at_any_item_and_started_over)
{
    elelem_turn_update update;
    const char *body = RICH;
    int stop, taken;

    plain();
    turn_now.desc.split_thoughts = 1;
    elelem_turn_init(&turn_now.turn, &turn_now.desc);
    for (stop = 0; stop < 40; stop++) {
        elelem_turn_push(&turn_now.turn, body, strlen(body));
        for (taken = 0; taken < stop && elelem_turn_next(&turn_now.turn, &update) == ELELEM_OK;)
            taken++;
        elelem_turn_reset(&turn_now.turn);
    }
    elelem_turn_push(&turn_now.turn, body, strlen(body));
    while (elelem_turn_next(&turn_now.turn, &update) == ELELEM_OK)
        taken = update.kind == ELELEM_TURN_FINISHED;
    CHECK_INT(taken, 1);
    plain();
}

TEST(a_file_can_be_written_while_a_call_writes_it)
{
    static const char whole[] = SAYS("content") CALL("c1", "write") ARGUMENTS("{\\\"path\\\":\\\"a\\\",\\\"content\\\":\\\"one\\\\nt")
        ARGUMENTS("wo\\\"}") DONE;
    static const char null[] = CALL("c1", "write") ARGUMENTS("{\\\"content\\\":null}") DONE;
    feed_object written = fed;

    plain();
    written.next = next_written;
    FEED(&written, RESPONSE, strlen(RESPONSE), "END\n");
    FEED(&written, whole, strlen(whole), "wrote \"one\\ntwo\"\nEND\n");
    FEED(&written, null, strlen(null), "END\n");
}

CHECK_MAIN("turn",
    RUN(a_file_can_be_written_while_a_call_writes_it)
           RUN(pieces_come_as_they_are_written_items_when_they_are_over_and_the_end_last)
           RUN(a_turn_that_is_reset_gives_the_same_again)
           RUN(what_an_error_cuts_off_comes_before_it)
           RUN(whole_arguments_of_a_call_that_was_not_flushed_are_not_run)
           RUN(a_name_that_comes_late_starts_the_call_again_with_all_that_is_known)
    RUN(a_call_that_starts_again_has_its_type_again)
    RUN(a_call_without_arguments_has_an_empty_object)
           RUN(only_the_kinds_that_are_kept_become_items_and_pieces_come_in_any_case)
           RUN(each_update_says_of_which_choice_it_is)
           RUN(a_caller_who_keeps_nothing_gets_all_but_the_items)
           RUN(text_alone_passes_in_bounded_memory)
           RUN(structured_text_is_text_and_becomes_a_value)
           RUN(reasoning_in_tags_is_split_on_request)
           RUN(a_provider_that_refuses_is_one_error)
           RUN(the_time_of_the_desc_counts_until_another_is_set)
           RUN(arguments_can_be_read_at_any_time_and_are_never_whole)
           RUN(a_structured_value_can_be_read_while_it_is_written)
           RUN(a_limit_that_is_met_when_a_frame_is_read_has_the_offset_of_the_frame)
           RUN(whole_frames_may_be_pushed_instead_of_bytes)
           RUN(silence_for_longer_than_the_timeout_is_an_error)
           RUN(a_clock_without_a_timeout_does_nothing)
           RUN(a_limit_of_the_items_ends_the_turn_with_what_there_was)
           RUN(what_a_frame_still_held_after_such_an_end_is_dropped)
           RUN(the_metadata_of_an_update_stays_though_its_event_is_too_much_for_the_items)
    RUN(too_many_items_at_a_time_are_one_error)
           RUN(more_open_items_than_by_default_may_be_allowed_even_if_reasoning_is_split)
           RUN(no_memory_at_any_point_is_one_error_or_is_not_needed_and_no_leak)
           RUN(a_turn_fits_into_sixteen_kilobytes)
           RUN(an_arena_that_is_too_small_is_an_error)
           RUN(a_turn_without_a_shape_says_so_in_its_only_item)
           RUN(mistakes_change_nothing)
           RUN(a_freed_and_a_zeroed_turn_may_be_freed)
           RUN(a_turn_may_be_given_up_at_any_item_and_started_over))
