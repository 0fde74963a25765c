/* What a stream promises whatever the wire. Each test goes through the table of wires (wires.h), so a
   further shape gets all of it by adding a row. What only one wire does is in that shape's tests. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

/* The cuts into two that a body is fed at. Bodies that hold the same over and over take fewer. */
#define MOST_CUTS 2048
#define FEW_CUTS 250
#undef FEED_CUTS /* a build may set it */
#define FEED_CUTS cuts_now

static size_t cuts_now = MOST_CUTS;

#include "wires.h"
#include "limits.h"

/* Makes ready for bodies of the wire, with no options; failures name it, and the row if there is one. */
static void ready(const wire *w, const char *row)
{
    static char context[400];
    char *end;

    snprintf(context, sizeof context, "%s%s%.300s", w->name, row ? ": " : "", row ? row : "");
    while ((end = strchr(context, '\n')) != NULL)
        *end = ' ';
    check_context(context);
    cuts_now = MOST_CUTS;
    streams_shape(w->shape);
}

/* The wire of this number, made ready; null after the last. */
static const wire *wire_ready(size_t number)
{
    if (number == WIRES) return NULL;
    ready(wires[number], NULL);
    return wires[number];
}

static size_t wire_now;

#define EACH_WIRE(w) for (wire_now = 0; (w = wire_ready(wire_now)) != NULL; wire_now++)

/* Bodies made of other bodies. */

#define BODY_MAX (1u << 16)

typedef struct body {
    char text[BODY_MAX];
    size_t size;
} body;

static body made, kept;

static void add(body *b, const char *text, size_t size)
{
    if (size > sizeof b->text - b->size - 1) abort();
    memcpy(b->text + b->size, text, size);
    b->size += size;
    b->text[b->size] = '\0';
}

static void add_text(body *b, const char *text)
{
    add(b, text, strlen(text));
}

/* The size of the frame at the front of the text, with its empty line. */
static size_t frame_size(const char *text)
{
    const char *end = strstr(text, "\n\n");

    return end ? (size_t)(end - text) + 2 : strlen(text);
}

/* Puts `between` before every frame and at the end. */
static void sprinkle(body *b, const char *text, const char *between)
{
    b->size = 0;
    for (; *text; text += frame_size(text)) {
        add_text(b, between);
        add(b, text, frame_size(text));
    }
    add_text(b, between);
}

/* Writes the text with other line ends; the n-th is the n-th of `ends`, around and around. */
static void with_line_ends(body *b, const char *text, const char *const *ends, size_t count)
{
    size_t n = 0;

    b->size = 0;
    for (; *text; text++) {
        if (*text == '\n') add_text(b, ends[n++ % count]);
        else add(b, text, 1);
    }
}

/* The offset after the last line of the first frame with `mark`, before its blank line. */
static size_t frame_end(const char *text, const char *mark)
{
    const char *found = strstr(text, mark);

    if (!found) abort();
    return (size_t)(strstr(found, "\n\n") - text);
}

/* Nonzero if the first `size` bytes end inside a frame whose data is not whole: in a line that has only begun, or in
   its JSON. What a blank line or the line end of whole data would add does not count. */
static int ends_inside_frame(const char *text, size_t size)
{
    size_t at = 0, whole;

    while (text[at] && at + frame_size(text + at) <= size)
        at += frame_size(text + at);
    whole = frame_size(text + at);
    while (whole > 0 && text[at + whole - 1] == '\n')
        whole--;
    return size > at && size < at + whole;
}

/* A body of up to four pieces. */
static void make(const char *first, const char *second, const char *third, const char *fourth)
{
    made.size = 0;
    add_text(&made, first);
    add_text(&made, second);
    add_text(&made, third);
    add_text(&made, fourth);
}

/* Adds the text without its first frame that has this mark. */
static void add_without(body *b, const char *text, const char *mark)
{
    const char *found = strstr(text, mark);

    while (text + frame_size(text) <= found) {
        add(b, text, frame_size(text));
        text += frame_size(text);
    }
    add_text(b, text + frame_size(text));
}

/* Adds the text with each `old` as `put`. */
static void add_replaced(body *b, const char *text, const char *old, const char *put)
{
    while (*text) {
        int is_old = strncmp(text, old, strlen(old)) == 0;
        if (is_old) add_text(b, put);
        else add(b, text, 1);
        text += is_old ? strlen(old) : 1;
    }
}

/* What the events of one body are, to be compared with. */

static feed_log meant;

static void run(feed_log *log, const char *text, size_t size, size_t piece)
{
    feed_once(&streams_fed, log, text, size, piece, piece, 0);
    log->text[log->size] = '\0';
}

static void run_good(const wire *w)
{
    ready(w, NULL);
    run(&meant, w->good, strlen(w->good), 1u << 20);
}

static void gives_the_same(const char *text, size_t size)
{
    feed_check(&streams_fed, text, size, meant.text, __FILE__, __LINE__);
}

static int ends_with(const feed_log *log, const char *end)
{
    size_t size = strlen(end);

    return log->size >= size && strcmp(log->text + log->size - size, end) == 0;
}

/* Takes the end off, which has to be this one. */
static void take_end(feed_log *log, const char *end)
{
    if (!CHECK(ends_with(log, end))) CHECK_STR(log->text, log->size, end);
    else log->size -= strlen(end);
    log->text[log->size] = '\0';
}

/* The log without metadata, the response's too, and the providers' words for the reason. */
static void strip(body *b, const feed_log *log)
{
    const char *line, *next;

    b->size = 0;
    for (line = log->text; *line; line = next) {
        const char *raw = strstr(line, " raw=");
        next = strchr(line, '\n') + 1;
        if (strncmp(line, "response ", 9) == 0) continue;
        if (strstr(line, "meta ") && strstr(line, "meta ") < strpbrk(line, "\"=\n")) continue;
        if (strncmp(line, "FINISHED ", 9) == 0 && raw && raw < next) {
            add(b, line, (size_t)(raw - line));
            line = strpbrk(raw + 1, " \n");
        }
        add(b, line, (size_t)(next - line));
    }
}

static int says(const feed_log *log, const char *words)
{
    return strstr(log->text, words) != NULL;
}

/* What the driver alone says of an end. */
#define OTHER_SHAPE "ERROR connect retryable \"the response ended, and no frame of it was of this shape\"\nEND\n"
#define CUT_SHORT "ERROR connect retryable \"the response ended before it was complete\"\nEND\n"

/* The end. */

TEST(a_good_response_ends_once_with_finished)
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        CHECK(says(&meant, "FINISHED "));
        CHECK(says(&meant, " text \""));
        CHECK(says(&meant, " think \""));
        CHECK(says(&meant, " call id="));
        CHECK(!says(&meant, "ERROR"));
        CHECK(!says(&meant, "BROKEN"));
        STREAM(w->good, meant.text);
    }
}

TEST(an_end_after_any_byte_is_exactly_one_end_and_never_finished_too_early) /* P1 */
{
    const wire *w;
    size_t i;

    EACH_WIRE(w) {
        size_t settled = frame_end(w->good, w->settled);
        run_good(w);
        for (i = 0; i < strlen(w->good); i++) {
            check_cut("ends after", i);
            run(&feed_now, w->good, i, 1u << 20);
            CHECK(!says(&feed_now, "BROKEN"));
            if (i < settled || (w->shape->reason_may_change && ends_inside_frame(w->good, i)))
                CHECK(ends_with(&feed_now, CUT_SHORT));
            else
                CHECK(says(&feed_now, "FINISHED "));
        }
    }
}

TEST(a_broken_transport_before_the_end_is_a_retryable_error) /* P1 */
{
    const wire *w;
    size_t i;

    EACH_WIRE(w) {
        size_t settled = frame_end(w->good, w->settled);
        streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
        for (i = 0; i < settled; i++) {
            check_cut("breaks after", i);
            run(&feed_now, w->good, i, 7);
            CHECK(ends_with(&feed_now, CUT_SHORT));
        }
    }
}

TEST(a_broken_transport_after_every_reason_is_finished_unless_that_may_change)
{
    const wire *w;
    size_t i;

    EACH_WIRE(w) {
        size_t end = w->terminal ? frame_end(w->good, w->terminal) : strlen(w->good);
        streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
        for (i = frame_end(w->good, w->settled); i <= end; i++) {
            check_cut("breaks after", i);
            run(&feed_now, w->good, i, 1u << 20);
            if (w->shape->reason_may_change) CHECK(ends_with(&feed_now, CUT_SHORT));
            else CHECK(says(&feed_now, "FINISHED "));
        }
    }
}

TEST(a_broken_transport_after_the_end_is_dropped)
{
    const wire *w;
    elelem_event event;

    EACH_WIRE(w) {
        run_good(w);
        if (w->terminal) streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
        run(&feed_now, w->good, strlen(w->good), 1u << 20);
        CHECK_STR(feed_now.text, feed_now.size, meant.text);
        elelem_stream_fail(&streams_now.stream, ELELEM_ERROR_KIND_TIMEOUT);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_END);
    }
}

TEST(the_kind_that_the_caller_reports_is_the_kind_of_the_error)
{
    static const struct {
        elelem_error_kind kind;
        const char *end;
    } rows[] = {
        { ELELEM_ERROR_KIND_CANCELLED, "ERROR cancelled \"cancelled by the caller\"\nEND\n" },
        { ELELEM_ERROR_KIND_TIMEOUT, "ERROR timeout retryable \"nothing came for longer than the idle timeout\"\nEND\n" },
        { ELELEM_ERROR_KIND_CONNECT, CUT_SHORT },
        { ELELEM_ERROR_KIND_OTHER, "ERROR other \"the provider reported an error\"\nEND\n" },
    };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        ready(w, rows[i].end);
        streams_now.fail_kind = (int)rows[i].kind;
        run(&feed_now, w->good, frame_size(w->good), 1u << 20);
        CHECK(ends_with(&feed_now, rows[i].end));
        run(&feed_now, "", 0, 1);
        CHECK_STR(feed_now.text, feed_now.size, rows[i].end);
        run(&feed_now, "{\"cut", 5, 1);
        CHECK_STR(feed_now.text, feed_now.size, rows[i].end);
        run(&feed_now, "<html>", 5, 1);
    }
}

TEST(a_body_cut_inside_a_line_is_an_early_end_if_the_reason_may_change)
{
    static const char *const cuts[] = {
        "d", "dat", "data", "data:", "data: ", "data: {", "data: {}\nda", "data:\n", "data: x\n", "data: [DON", "e", "event: ", "event: x",
        "event: x\n", "event: x\r", "id: 1\n", "id: 1\ndata:", "retry", "retry: 5", "event: x\nretry: 5\n", ":", ": ping", "x-field: 1", "{", "{\n", "{\nretry: 5\n", "data: 1\nid",
    };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        size_t settled = frame_end(w->good, w->settled) + 2;
        ready(w, cuts[i]);
        made.size = 0;
        add(&made, w->good, settled);
        run(&meant, made.text, made.size, 1u << 20);
        add_text(&made, cuts[i]);
        streams_give_from(made.text, made.size, i == 0 ? 1 : settled, NULL, __FILE__, __LINE__);
        run(&feed_now, made.text, made.size, 1u << 20);
        CHECK(w->shape->reason_may_change ? ends_with(&feed_now, CUT_SHORT) : says(&feed_now, "FINISHED "));
    }
}

TEST(whole_lines_and_whole_data_end_a_body_well)
{
    static const char *const tails[] = { "\n", "\r", ": ping\n", ": ping\r\n", "retry: 5\n", "retry\r", "x-field: 1\n", "data: {}", "data: {}\n", "id: 1\n\n", "data: {} ", "data: {\ndata: }\nid: 1\n" };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof tails / sizeof *tails; i++) {
        size_t settled = frame_end(w->good, w->settled) + 2;
        ready(w, tails[i]);
        made.size = 0;
        add(&made, w->good, settled);
        run(&meant, made.text, made.size, 1u << 20);
        CHECK(says(&meant, "FINISHED "));
        add_text(&made, tails[i]);
        feed_check_from(&streams_fed, made.text, made.size, i == 0 ? 1 : settled, meant.text, __FILE__, __LINE__);
    }
}

TEST(an_error_flushes_nothing)
{
    const wire *w;

    EACH_WIRE(w) {
        make(w->open, w->text, "", "");
        run(&feed_now, made.text, made.size, 1u << 20);
        CHECK(says(&feed_now, "0 text \"It\"\n"));
        CHECK(!says(&feed_now, "flush"));
        CHECK(ends_with(&feed_now, CUT_SHORT));
        make(w->open, w->call, w->error, w->finish);
        run(&feed_now, made.text, made.size, 1u << 20);
        CHECK(says(&feed_now, " call id=call_1 name=f\n"));
        CHECK(says(&feed_now, " args "));
        CHECK(!says(&feed_now, "flush"));
        CHECK(ends_with(&feed_now, w->error_end));
    }
}

/* Finishing. */

TEST(what_is_open_is_flushed_before_finished)
{
    const wire *w;

    EACH_WIRE(w) {
        make(w->open, w->text, w->finish, w->last);
        STREAM(made.text, NULL);
        strip(&made, &feed_whole);
        CHECK_STR(made.text, made.size, "0 text \"It\"\n0 flush\nFINISHED completed\nEND\n");
    }
}

TEST(nothing_is_flushed_if_nothing_was_said)
{
    const wire *w;

    EACH_WIRE(w) {
        make(w->open, w->finish, w->last, "");
        STREAM(made.text, NULL);
        strip(&made, &feed_whole);
        CHECK_STR(made.text, made.size, "FINISHED completed\nEND\n");
    }
}

/* FLUSH says that no more comes, not that what came is whole. */
TEST(a_call_that_meets_the_length_limit_is_flushed_as_far_as_it_came)
{
    const wire *w;

    EACH_WIRE(w) {
        make(w->open, w->call, "", "");
        run(&meant, made.text, made.size, 1u << 20);
        take_end(&meant, CUT_SHORT);
        feed_line(&meant, "%c flush", strstr(meant.text, " call ")[-1]);
        feed_line(&meant, "FINISHED max_tokens");
        feed_line(&meant, "END");
        meant.text[meant.size] = '\0';
        make(w->open, w->call, w->cut, w->last);
        STREAM(made.text, NULL);
        strip(&made, &feed_whole);
        strip(&kept, &meant);
        CHECK_STR(made.text, made.size, kept.text);
    }
}

TEST(text_and_a_call_may_both_meet_the_length_limit)
{
    const wire *w;

    EACH_WIRE(w) {
        make(w->open, w->text, w->call, w->cut);
        add_text(&made, w->last);
        STREAM(made.text, NULL);
        CHECK(says(&feed_whole, "0 flush\n"));
        CHECK(says(&feed_whole, "1 flush\n"));
        CHECK(says(&feed_whole, "FINISHED max_tokens"));
        CHECK(!says(&feed_whole, "BROKEN"));
    }
}

TEST(the_frame_that_ends_the_stream_may_be_missing_after_the_reason)
{
    const wire *w;

    EACH_WIRE(w) {
        if (!w->terminal || frame_end(w->good, w->settled) == frame_end(w->good, w->terminal)) continue;
        run_good(w);
        made.size = 0;
        add_without(&made, w->good, w->terminal);
        gives_the_same(made.text, made.size);
    }
}

TEST(a_reason_that_comes_twice_is_one_end) /* P4 */
{
    const wire *w;

    EACH_WIRE(w) {
        size_t end = frame_end(w->good, w->settled) + 2;
        size_t start = 0;
        while (start + frame_size(w->good + start) < end)
            start += frame_size(w->good + start);
        run_good(w);
        made.size = 0;
        add(&made, w->good, end);
        add_text(&made, w->good + start);
        gives_the_same(made.text, made.size);
    }
}

TEST(the_last_empty_line_or_line_end_may_be_missing)
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        gives_the_same(w->good, strlen(w->good) - 1);
        gives_the_same(w->good, strlen(w->good) - 2);
    }
}

TEST(whatever_comes_after_the_end_is_dropped) /* P4 */
{
    const wire *w;

    EACH_WIRE(w) {
        if (!w->terminal) continue;
        run_good(w);
        made.size = 0;
        add_text(&made, w->good);
        add_text(&made, w->good);
        add_text(&made, w->error);
        add_text(&made, "data: no json\n\n<html>\xff");
        gives_the_same(made.text, made.size);
    }
}

TEST(an_error_frame_is_the_end_with_the_words_of_the_provider) /* P6 */
{
    const wire *w;
    size_t i;

    EACH_WIRE(w) {
        size_t end = w->terminal ? frame_end(w->good, w->terminal) : strlen(w->good);
        STREAM(w->error, w->error_end);
        streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT; /* the transport may break as well, and too late */
        for (i = 0; i + frame_size(w->good + i) < end; i += frame_size(w->good + i)) {
            made.size = 0;
            add(&made, w->good, i);
            add_text(&made, w->error);
            add_text(&made, w->good + i);
            check_cut("before the frame at", i);
            run(&feed_now, made.text, made.size, 1u << 20);
            CHECK(ends_with(&feed_now, w->error_end));
            CHECK(!says(&feed_now, "BROKEN"));
        }
    }
}

TEST(an_error_frame_takes_back_no_event) /* P6 */
{
    const wire *w;
    size_t i;

    EACH_WIRE(w) {
        size_t settled = frame_end(w->good, w->settled);
        for (i = 0; i + frame_size(w->good + i) < settled; i += frame_size(w->good + i)) {
            made.size = 0;
            add(&made, w->good, i);
            check_cut("before the frame at", i);
            run(&meant, made.text, made.size, 1u << 20);
            take_end(&meant, CUT_SHORT);
            add_text(&made, w->error);
            run(&feed_now, made.text, made.size, 1u << 20);
            take_end(&feed_now, w->error_end);
            CHECK_BYTES(feed_now.text, feed_now.size, meant.text, meant.size);
        }
    }
}

/* A frame that cannot be read is not skipped: the response would miss something and look whole. */
TEST(a_frame_that_is_no_json_is_the_end)
{
    static const struct {
        const char *frame, *end;
    } rows[] = {
        { "data: {\"a\":}\n\n", "ERROR protocol \"the text does not follow its grammar\" status=ERROR_SYNTAX\nEND\n" },
        { "data: {\"a\":\n\n", "ERROR protocol \"the input ended too early\" status=ERROR_TRUNCATED\nEND\n" },
        { "data: {} {}\n\n", "ERROR protocol \"the text does not follow its grammar\" status=ERROR_SYNTAX\nEND\n" },
        { "data: Service Unavailable\n\n", "ERROR protocol \"the text does not follow its grammar\" status=ERROR_SYNTAX\nEND\n" },
        { "data: {\"a\":\"\xc3(\"}\n\n", "ERROR protocol \"the bytes are not UTF-8\" status=ERROR_UTF8\nEND\n" },
    };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        ready(w, rows[i].frame);
        make(w->open, w->text, "", "");
        run(&meant, made.text, made.size, 1u << 20);
        take_end(&meant, CUT_SHORT);
        feed_put(&meant, rows[i].end, strlen(rows[i].end) + 1);
        add_text(&made, rows[i].frame);
        add_text(&made, w->finish);
        add_text(&made, w->last);
        STREAM(made.text, meant.text);
    }
}

/* What is said. */

TEST(every_wire_gives_the_same_response_as_the_same_events)
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        strip(&made, &meant);
        CHECK_STR(made.text, made.size,
                  "0 think \"Let me s\xc3\xa9" "e\"\n0 flush\n1 text \"It \xf0\x9f\x8c\x9e is\"\n1 flush\n"
                  "2 call id=call_1 name=f\n2 args \"{\\\"a\\\":[1]}\"\n2 flush\nFINISHED tool_calls in=3 out=4\nEND\n");
    }
}

TEST(message_text_is_structured_if_json_was_asked_for)
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        streams_now.desc.structured = 1;
        made.size = 0;
        add_replaced(&made, meant.text, " text \"", " json \"");
        CHECK(strcmp(made.text, meant.text) != 0);
        STREAM(w->good, made.text);
    }
}

/* What changes nothing. */

TEST(comments_pings_and_unknown_events_change_nothing) /* P3 */
{
    static const char *const nothings[] = {
        ": keep-alive\n\n", ": OPENROUTER PROCESSING\n\n", ":\n", ": \n", "\n\n\n", "event: ping\n\n", "id: 7\n\n", "retry: 10\n",
        "nonsense\n", "data\n\n", "data:\n\n", "data:   \n\n"
    };
    const wire *w;
    size_t i;

    EACH_WIRE(w) {
        run_good(w);
        cuts_now = FEW_CUTS;
        for (i = 0; i < sizeof nothings / sizeof *nothings; i++) {
            sprinkle(&made, w->good, nothings[i]);
            gives_the_same(made.text, made.size);
        }
        sprinkle(&made, w->good, w->unknown);
        gives_the_same(made.text, made.size);
    }
}

TEST(comments_between_the_lines_of_a_frame_change_nothing)
{
    static const char *const ends[] = { "\n: comment: data: x\n" };
    const wire *w;

    EACH_WIRE(w) {
        const char *at;
        run_good(w);
        made.size = 0;
        for (at = w->good; *at; at++) {
            if (at == w->good || (at[-1] == '\n' && at[0] != '\n')) add_text(&made, ends[0] + 1);
            add(&made, at, 1);
        }
        gives_the_same(made.text, made.size);
    }
}

/* With provider items a shape may give what it does not know. */
TEST(unknown_fields_and_the_order_of_fields_change_nothing)
{
    const wire *w;

    EACH_WIRE(w) {
        ready(w, NULL);
        streams_now.desc.without_provider_items = 1;
        run(&meant, w->good, strlen(w->good), 1u << 20);
        gives_the_same(w->reordered, strlen(w->reordered));
    }
}

TEST(the_kind_of_line_end_changes_nothing) /* S4 */
{
    static const char *const crlf[] = { "\r\n" };
    static const char *const cr[] = { "\r" };
    static const char *const mixed[] = { "\r\n", "\r", "\r\n", "\n", "\n", "\r", "\r" }; /* LF never after CR */
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        with_line_ends(&made, w->good, crlf, 1);
        gives_the_same(made.text, made.size);
        with_line_ends(&made, w->good, cr, 1);
        gives_the_same(made.text, made.size);
        with_line_ends(&made, w->good, mixed, 7);
        gives_the_same(made.text, made.size);
    }
}

TEST(a_byte_order_mark_and_blanks_before_the_body_change_nothing)
{
    static const char *const fronts[] = { "\xEF\xBB\xBF", "\n", "\r\n\r\n", "  \n\t ", "\n\n\xEF\xBB\xBF" };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        run_good(w);
        cuts_now = FEW_CUTS;
        made.size = 0;
        add_text(&made, fronts[i]);
        add_text(&made, w->good);
        gives_the_same(made.text, made.size);
    }
}

TEST(the_blank_after_a_colon_changes_nothing)
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        made.size = kept.size = 0;
        add_replaced(&kept, w->good, "data: ", "data:");
        add_replaced(&made, kept.text, "event: ", "event:");
        gives_the_same(made.text, made.size);
    }
}

TEST(json_on_several_data_lines_changes_nothing)
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        made.size = 0;
        add_replaced(&made, w->good, "data: {", "data: {\ndata:\ndata: ");
        gives_the_same(made.text, made.size);
    }
}

/* S10 of docs/threats.md. */
TEST(the_order_of_fields_in_a_frame_changes_nothing) /* S10 */
{
    const wire *w;

    EACH_WIRE(w) {
        const char *at = w->good;
        run_good(w);
        for (made.size = 0; *at; at += frame_size(at)) {
            const char *end = at + frame_size(at) - 1;
            const char *data = at;
            while (strncmp(data, "data:", 5) != 0)
                data = strchr(data, '\n') + 1;
            add_text(&made, "id: 1\n");
            add(&made, data, (size_t)(end - data));
            add(&made, at, (size_t)(data - at));
            add_text(&made, "\n");
        }
        gives_the_same(made.text, made.size);
    }
}

/* Bodies that are none. */

#define NO_EVENTS "ERROR protocol \"the body is not an event stream\" status=ERROR_PROTOCOL\nEND\n"

/* S9 of docs/threats.md. */
TEST(a_200_body_that_is_no_event_stream_is_a_typed_error) /* S9 */
{
    static const struct {
        const char *body;
        size_t size;
        const char *end;
    } rows[] = {
        { "{\"id\":\"x\",\"ok\":true}", 20, NO_EVENTS },
        { " \n{\"id\":\"x\"}\n", 13, NO_EVENTS },
        { "{\"id\" \"x\"}", 10, NO_EVENTS },
        { "{\"a\":\"\xff\"}", 9, NO_EVENTS },
        { "{\"error\":{\"message\":\"no\",\"code\":401}}\n", 38, "ERROR authentication \"no\"\nEND\n" },
        { "{\"error\":{\"message\":\"no\",\"code\":401}} trailing", 46, "ERROR authentication \"no\"\nEND\n" },
        { "<!DOCTYPE html><html></html>", 28, NO_EVENTS },
        { "\r\n <html>", 9, NO_EVENTS },
        { "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56", 12, NO_EVENTS },
        { "\x00\x00\x00\x10", 4, NO_EVENTS },
        { "", 0, CUT_SHORT },
        { " \r\n\t", 4, CUT_SHORT },
    };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        streams_give(rows[i].body, rows[i].size, rows[i].end, __FILE__, __LINE__);
    }
}

TEST(an_object_that_is_cut_off_may_have_been_a_response)
{
    const wire *w;

    EACH_WIRE(w) STREAM("{\"id\":", w->shape->takes_whole ? CUT_SHORT : NO_EVENTS);
}

static void each_gives(const char *const *bodies, size_t count, const char *end)
{
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < count; i++) {
        streams_shape(w->shape);
        check_context(bodies[i]);
        STREAM(bodies[i], end);
    }
}

TEST(a_body_in_words_is_no_event_stream) /* S9 */
{
    static const char *const bodies[] = {
        "upstream connect error or disconnect/reset before headers. reset reason: connection failure", "Internal Server Error\n",
        "data is not there", "the word: no field\n\n", "a[b: c", "a{b: c", "a`: c", "a@: c", "a/: c", "a\\: c", "\xc3\xa9: c", "id est\r\n", "one-word\nand more", "x-field: no\nbut words", ": a comment\nsome words",
    };
    const wire *w;

    each_gives(bodies, sizeof bodies / sizeof *bodies, NO_EVENTS);
    EACH_WIRE(w) {
        streams_shape(w->shape);
        streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
        STREAM(bodies[0], CUT_SHORT);
    }
}

TEST(a_body_of_one_word_or_one_value_is_no_event_stream)
{
    static const char *const bodies[] = {
        "Unauthorized", "Forbidden\n", "denied", "error\r\n", "eventually", "databases", "x", "x-field", "OK\n\n", "null", "true\n", "false",
        "404", "-1", "0.5\n", "\"error\"", "\"data: x\"", "\"a:b\"\n", ": comment\nUnauthorized", "\nnull", "404\n: comment\n\n",
    };

    each_gives(bodies, sizeof bodies / sizeof *bodies, NO_EVENTS);
}

TEST(what_is_no_stream_is_so_from_its_first_byte)
{
    static const char *const bodies[] = { "Unauthorized", "words and\nmore", "404", "\"error\"" };
    const wire *w;
    elelem_event event;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        streams_start(&streams_now);
        elelem_stream_push(&streams_now.stream, bodies[i], strlen(bodies[i]));
        elelem_stream_finish(&streams_now.stream);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_PROTOCOL);
        CHECK_U64(event.error.offset, 0);
    }
}

TEST(what_may_yet_become_an_event_is_an_early_end)
{
    static const char *const bodies[] = {
        "d", "dat", "data", "data:", "e", "event", "event: x\n", "event: x\n\n", "i", "id: 1\n\n", "retr", "retry: 1\n\n", ":", ": comment\n\n",
        "x-field: no field of ours\n\n", "AZaz09-_.: x\n", "Zz.9_-AZ: x", "_: x", ".:", "9: x", "A: x", "z: x", ": comment\n{\n  \"err", ": comment\n{\n?{ \n?",
        "\xEF", "\xEF\xBB", "\xEF\xBB\xBF", "\n\xEF\xBB\xBF\n", ("\xEF\xBB\xBF" "da"),
    };

    each_gives(bodies, sizeof bodies / sizeof *bodies, CUT_SHORT);
}

TEST(words_between_events_leave_an_early_end_early)
{
    const wire *w;
    int before;

    EACH_WIRE(w) for (before = 0; before < 2; before++) {
        streams_shape(w->shape);
        check_context(w->name);
        made.size = 0;
        if (before) add_text(&made, "some words\n");
        add(&made, w->good, frame_size(w->good));
        if (!before) add_text(&made, "some words\n");
        run(&feed_now, made.text, made.size, 5);
        CHECK(ends_with(&feed_now, CUT_SHORT));
    }
}

TEST(a_byte_order_mark_hides_no_other_body) /* S6 */
{
    static const char *const bodies[] = {
        "\xEF\xBB\xBF{\"id\":\"x\"}", "\xEF\xBB\xBF\n <html></html>", "\xEF\xBB\xBFsome words", "\xEF\xBB\xBF\x1f\x8b",
        "\xEF\xBB{\"id\":\"x\"}", "\xEF\xBB data: {}\n\n", "\xEF\xEF\xBB\xBF",
    };
    const wire *w;

    each_gives(bodies, sizeof bodies / sizeof *bodies, NO_EVENTS);
    EACH_WIRE(w) {
        streams_shape(w->shape);
        check_context(w->name);
        STREAM("\xEF\xBB\xBF{\"error\":{\"message\":\"no\",\"code\":401}}", "ERROR authentication \"no\"\nEND\n");
        streams_now.http_status = 400;
        STREAM("\xEF\xBB\xBF {\"message\":\"no\"}", "ERROR invalid_request http=400 \"no\"\nEND\n");
        STREAM("\xEF\xBB\xBF[{\"error\":{\"message\":\"no\"}}]", "ERROR invalid_request http=400 \"no\"\nEND\n");
    }
}

TEST(an_array_is_a_body_only_if_the_shape_says_so)
{
    const wire *w;

    EACH_WIRE(w) {
        if (w->shape->array_body) continue;
        STREAM("[{\"a\":1}]", NO_EVENTS);
    }
}

/* HTTP. */

TEST(a_refusal_in_the_form_of_the_provider_is_one_typed_error)
{
    const wire *w;

    EACH_WIRE(w) {
        streams_now.http_status = 429;
        STREAM(w->refusal, w->refusal_end);
        make("\n  ", w->refusal, "\r\n", "");
        STREAM(made.text, w->refusal_end);
        make("data: ", w->refusal, "\n\n", "data: [DONE]\n\n");
        STREAM(made.text, w->refusal_end);
    }
}

TEST(a_refusal_that_meets_a_limit_has_the_offset_of_its_document)
{
    const wire *w;

    EACH_WIRE(w) {
        streams_shape(w->shape);
        streams_now.desc.max_frame_bytes = 200;
        streams_now.http_status = 400;
        streams_now.offsets = 1;
        check_context(w->name);
        STREAM("  {\"error\":{\"message\":\"no\",\"list\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]}}",
               "ERROR invalid_request http=400 \"no\" offset=2\nEND\n");
    }
}

TEST(a_refusal_may_come_after_frames_that_are_none)
{
    const wire *w;

    EACH_WIRE(w) {
        streams_now.http_status = 429;
        make(w->unknown, w->open, "data: ", w->refusal);
        add_text(&made, "\n\n");
        STREAM(made.text, w->refusal_end);
    }
}

TEST(a_whole_response_under_a_status_of_refusal_is_an_error)
{
    const wire *w;

    EACH_WIRE(w) {
        streams_now.http_status = 500;
        STREAM(w->good, "ERROR transient retryable http=500 \"the provider failed or is overloaded\"\nEND\n");
    }
}

TEST(any_status_from_200_to_299_is_good)
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        streams_now.http_status = 200;
        STREAM(w->good, meant.text);
        streams_now.http_status = 199;
        run(&feed_now, w->good, strlen(w->good), 1000);
        CHECK(says(&feed_now, "ERROR ") && says(&feed_now, " http=199 "));
        streams_now.http_status = 300;
        run(&feed_now, w->good, strlen(w->good), 1000);
        CHECK(says(&feed_now, "ERROR ") && says(&feed_now, " http=300 "));
        streams_now.http_status = 299;
        run(&feed_now, w->good, strlen(w->good), 1);
        CHECK_STR(feed_now.text, feed_now.size, meant.text);
    }
}

/* Gateways label event streams wrongly, and other things as event streams; only the body decides what it is. */
TEST(a_content_type_is_not_believed)
{
    static const char *const types[] = { "text/event-stream", "application/json", "text/html; charset=latin1", "" };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof types / sizeof *types; i++) {
        const char *headers[3] = { "Content-Type", types[i], NULL };
        run_good(w);
        streams_now.headers = headers;
        run(&feed_now, w->good, strlen(w->good), 100);
        CHECK_STR(feed_now.text, feed_now.size, meant.text);
        run(&feed_now, "<html>", 6, 1);
        CHECK_STR(feed_now.text, feed_now.size, NO_EVENTS);
    }
}

/* The idle timeout. */

/* A stream that has read its first frame, and whose first tick was `now`. */
static elelem_stream *ticking(const wire *w, uint32_t timeout, uint32_t now)
{
    elelem_event event;

    ready(w, NULL);
    streams_now.desc.idle_timeout_ms = timeout;
    streams_start(&streams_now);
    elelem_stream_push(&streams_now.stream, w->good, frame_size(w->good));
    while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
        ;
    elelem_stream_tick(&streams_now.stream, now);
    return &streams_now.stream;
}

/* Nonzero if a tick ends the stream. */
static int timed_out(elelem_stream *stream, uint32_t now)
{
    elelem_event event;

    elelem_stream_tick(stream, now);
    if (elelem_stream_next(stream, &event) == ELELEM_MORE) return 0;
    CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
    CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_TIMEOUT);
    CHECK_INT(event.error.retryable, 1);
    CHECK_INT(elelem_stream_next(stream, &event), ELELEM_END);
    return 1;
}

TEST(a_stream_that_gets_nothing_for_the_timeout_ends)
{
    const wire *w;

    EACH_WIRE(w) {
        elelem_stream *stream = ticking(w, 1000, 5);
        CHECK(!timed_out(stream, 900));
        CHECK(!timed_out(stream, 1004));
        CHECK(timed_out(stream, 1005));
    }
}

TEST(the_clock_may_wrap) /* P10 */
{
    const wire *w;

    EACH_WIRE(w) {
        elelem_stream *stream = ticking(w, 1000, UINT32_MAX - 10);
        CHECK(!timed_out(stream, 900));
        CHECK(timed_out(stream, 989));
    }
}

TEST(a_clock_that_steps_back_starts_the_wait_again) /* P10 */
{
    const wire *w;

    EACH_WIRE(w) {
        elelem_stream *stream = ticking(w, 1000, 50000);
        CHECK(!timed_out(stream, 40000));
        CHECK(!timed_out(stream, 40999));
        CHECK(timed_out(stream, 41000));
    }
}

TEST(a_reset_starts_the_wait_again) /* P10 */
{
    elelem_event event;

    streams_shape(&elelem_shape_chat);
    streams_now.desc.idle_timeout_ms = 100;
    streams_start(&streams_now);
    elelem_stream_tick(&streams_now.stream, 1000);
    elelem_stream_tick(&streams_now.stream, 1060);
    elelem_stream_reset(&streams_now.stream);
    elelem_stream_tick(&streams_now.stream, 9000); /* between two responses */
    CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_MORE);
    elelem_stream_tick(&streams_now.stream, 9099);
    CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_MORE);
    elelem_stream_tick(&streams_now.stream, 9100);
    CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
    CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_TIMEOUT);
}

TEST(the_first_tick_only_sets_the_time)
{
    const wire *w;

    EACH_WIRE(w) {
        streams_now.desc.idle_timeout_ms = 1000;
        streams_start(&streams_now);
        CHECK(!timed_out(&streams_now.stream, 50000));
        CHECK(!timed_out(&streams_now.stream, 50999));
        CHECK(timed_out(&streams_now.stream, 51000));
    }
}

TEST(a_timeout_may_be_as_long_as_its_type_allows)
{
    static const uint32_t timeouts[] = { 0x7fffffff, 0x80000000, 3000000000u, UINT32_MAX };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof timeouts / sizeof *timeouts; i++) {
        elelem_stream *stream = ticking(w, timeouts[i], 77);
        CHECK(!timed_out(stream, 77 + timeouts[i] / 3));
        CHECK(!timed_out(stream, 77 + timeouts[i] / 3 * 2));
        CHECK(!timed_out(stream, 76 + timeouts[i]));
        CHECK(timed_out(stream, 77 + timeouts[i]));
        stream = ticking(w, timeouts[i], 77);
        CHECK(!timed_out(stream, 77 + timeouts[i] / 3));
        CHECK(!timed_out(stream, 77 + timeouts[i] / 3 * 2));
        CHECK(timed_out(stream, 100 + timeouts[i]));
    }
}

TEST(zero_turns_the_timeout_off) /* P10 */
{
    const wire *w;

    EACH_WIRE(w) {
        elelem_stream *stream = ticking(w, 0, 0);
        CHECK(!timed_out(stream, 1));
        CHECK(!timed_out(stream, 0x7fffffff));
        CHECK(!timed_out(stream, UINT32_MAX));
    }
}

TEST(pings_comments_and_parts_of_frames_reset_the_idle_timer)
{
    static const char *const lives[] = { NULL, ": ping\n", "\n", "data: {", "x" };
    const wire *w;
    size_t i;
    elelem_event event;

    EACH_WIRE(w) {
        elelem_stream *stream = ticking(w, 1000, 0);
        for (i = 0; i < 5; i++) {
            const char *life = lives[i] ? lives[i] : w->unknown;
            CHECK(!timed_out(stream, (uint32_t)i * 900 + 900));
            elelem_stream_push(stream, life, strlen(life));
            CHECK_INT(elelem_stream_next(stream, &event), ELELEM_MORE);
        }
        CHECK(!timed_out(stream, 5400));
        CHECK(timed_out(stream, 6400));
    }
}

TEST(a_frame_from_a_client_of_the_callers_own_resets_the_idle_timer)
{
    elelem_event event;

    ready(wires[0], NULL);
    streams_now.desc.idle_timeout_ms = 1000;
    streams_start(&streams_now);
    elelem_stream_tick(&streams_now.stream, 0);
    CHECK(!timed_out(&streams_now.stream, 900));
    CHECK_INT(elelem_stream_push_data(&streams_now.stream, elelem_str_of(""), elelem_str_of("{\"choices\":[]}")), ELELEM_OK);
    while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
        ;
    CHECK(!timed_out(&streams_now.stream, 1800));
    CHECK(timed_out(&streams_now.stream, 2900));
}

TEST(a_caller_who_has_not_taken_all_events_is_not_timed_out)
{
    const wire *w;

    EACH_WIRE(w) {
        elelem_stream *stream = ticking(w, 1000, 0);
        elelem_event event;
        elelem_stream_push(stream, w->good, frame_size(w->good));
        elelem_stream_tick(stream, 100);
        elelem_stream_tick(stream, 5000);
        elelem_stream_tick(stream, 9000);
        while (elelem_stream_next(stream, &event) == ELELEM_OK)
            CHECK(event.kind != ELELEM_EVENT_ERROR);
    }
}

TEST(a_tick_after_the_end_is_ignored) /* P10 */
{
    const wire *w;
    elelem_event event;

    EACH_WIRE(w) {
        run_good(w);
        streams_now.desc.idle_timeout_ms = 10;
        run(&feed_now, w->good, strlen(w->good), 1u << 20);
        CHECK_STR(feed_now.text, feed_now.size, meant.text);
        elelem_stream_tick(&streams_now.stream, 0);
        elelem_stream_tick(&streams_now.stream, 100000);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_END);
    }
}

TEST(a_timeout_after_the_last_reason_is_finished)
{
    const wire *w;

    EACH_WIRE(w) {
        elelem_event event;
        size_t size = frame_end(w->good, w->settled) + 2;
        if (w->shape->reason_may_change || size == strlen(w->good)) continue;
        streams_now.desc.idle_timeout_ms = 10;
        streams_start(&streams_now);
        elelem_stream_push(&streams_now.stream, w->good, size);
        while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
            ;
        elelem_stream_tick(&streams_now.stream, 0);
        elelem_stream_tick(&streams_now.stream, 10);
        while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
            CHECK(event.kind != ELELEM_EVENT_ERROR);
        CHECK_INT(event.kind, ELELEM_EVENT_FINISHED);
    }
}

/* Frames from a client of the caller's own. */

/* Pushes the first frame of the text through push_data; its lines are `event: N` and `data: D`. */
static void push_frame(const char *text, feed_log *log)
{
    const char *data = text;
    elelem_str name, value;
    char *lent;
    size_t size;

    name.data = NULL;
    name.size = 0;
    while (strncmp(data, "data: ", 6) != 0) {
        name.data = data + 7;
        name.size = (size_t)(strchr(data, '\n') - name.data);
        data = strchr(data, '\n') + 1;
    }
    data += 6;
    size = (size_t)(strchr(data, '\n') - data);
    lent = (char *)malloc(size + 1);
    if (!lent) abort();
    memcpy(lent, data, size);
    value.data = lent;
    value.size = size;
    CHECK_INT(elelem_stream_push_data(&streams_now.stream, name, value), ELELEM_OK);
    feed_drain(&streams_fed, log, lent);
}

static void push_frames(const char *text)
{
    feed_now.size = 0;
    feed_now.in_text = 0;
    streams_start(&streams_now);
    for (; *text; text += frame_size(text))
        push_frame(text, &feed_now);
    streams_finish(&streams_now);
    feed_end(&streams_fed, &feed_now, feed_drain(&streams_fed, &feed_now, NULL));
    feed_now.text[feed_now.size] = '\0';
}

TEST(frames_of_the_callers_own_client_give_the_same)
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        push_frames(w->good);
        CHECK_STR(feed_now.text, feed_now.size, meant.text);
        made.size = 0;
        add(&made, w->good, frame_size(w->good));
        add_text(&made, w->unknown);
        add_text(&made, w->error);
        push_frames(made.text);
        CHECK(ends_with(&feed_now, w->error_end));
    }
}

TEST(an_early_end_of_pushed_frames_is_early)
{
    const wire *w;

    EACH_WIRE(w) {
        made.size = 0;
        add(&made, w->good, frame_size(w->good));
        push_frames(made.text);
        CHECK(ends_with(&feed_now, CUT_SHORT));
        push_frames("");
        CHECK(ends_with(&feed_now, CUT_SHORT));
    }
}

/* The caller's own shape ignores no frame. */
static int knows_its_frames(const wire *w)
{
    return strcmp(w->name, "own") != 0;
}

TEST(pushed_frames_with_broken_data_end_the_stream)
{
    const wire *w;

    EACH_WIRE(w) {
        push_frames("data: {\"a\":}\n\n");
        CHECK_STR(feed_now.text, feed_now.size, "ERROR protocol \"the text does not follow its grammar\" status=ERROR_SYNTAX\nEND\n");
        push_frames("data: {\"a\":\n\n");
        CHECK_STR(feed_now.text, feed_now.size, "ERROR protocol \"the input ended too early\" status=ERROR_TRUNCATED\nEND\n");
        push_frames("data: \n\ndata: 7\n\n");
        CHECK(ends_with(&feed_now, knows_its_frames(w) ? OTHER_SHAPE : CUT_SHORT));
    }
}

TEST(an_early_end_says_if_no_frame_was_of_the_shape)
{
    const wire *w;

    EACH_WIRE(w) {
        size_t i;
        if (!knows_its_frames(w)) continue;
        for (i = 0; i < WIRES; i++) {
            if (wires[i] == w || !knows_its_frames(wires[i])) continue;
            made.size = 0;
            add(&made, wires[i]->good, frame_size(wires[i]->good));
            STREAM(made.text, OTHER_SHAPE);
        }
        made.size = 0;
        add_text(&made, "data: {}\n\n");
        add(&made, w->good, frame_size(w->good));
        run(&meant, made.text, made.size, 1u << 20);
        CHECK(ends_with(&meant, CUT_SHORT));
        STREAM("data: {}\n\n", OTHER_SHAPE);
        STREAM("data: {\n", CUT_SHORT);
        STREAM(": ping\n\n", CUT_SHORT);
    }
}

/* A frame that is nested too deeply. */
static const char *deep_frame(void)
{
    static char frame[10000];
    size_t size = (size_t)snprintf(frame, sizeof frame, "data: ");

    memset(frame + size, '[', 5000);
    memset(frame + size + 5000, ']', 4000);
    strcpy(frame + size + 9000, "\n\n");
    return frame;
}

TEST(bytes_and_frames_are_not_mixed)
{
    const wire *w;
    elelem_event event;

    EACH_WIRE(w) {
        elelem_str data = elelem_str_of("{}");
        elelem_str name = elelem_str_of("");
        streams_start(&streams_now);
        elelem_stream_push(&streams_now.stream, "data: {}\n\n", 10);
        CHECK_INT(elelem_stream_push_data(&streams_now.stream, name, data), ELELEM_ERROR_MISUSE);
        while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
            ;
        CHECK_INT(elelem_stream_push_data(&streams_now.stream, name, data), ELELEM_ERROR_MISUSE);
        elelem_stream_reset(&streams_now.stream);
        CHECK_INT(elelem_stream_push_data(&streams_now.stream, name, data), ELELEM_OK);
        CHECK_INT(elelem_stream_push_data(&streams_now.stream, name, data), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_MORE);
        CHECK_INT(elelem_stream_push(&streams_now.stream, "x", 1), ELELEM_ERROR_MISUSE);
    }
}

TEST(frames_after_bytes_that_say_nothing_are_refused)
{
    static const char *const silent[] = { " ", "\n", "\r\n\t ", "\xEF\xBB\xBF", "\xEF" };
    const wire *w;
    elelem_event event;
    size_t i;

    EACH_WIRE(w) {
        for (i = 0; i < sizeof silent / sizeof *silent; i++) {
            elelem_str data = elelem_str_of("{}"), none = elelem_str_of("");
            elelem_stream *s = &streams_now.stream;

            streams_start(&streams_now);
            CHECK_INT(elelem_stream_push(s, "", 0), ELELEM_OK);
            CHECK_INT(elelem_stream_push(s, silent[i], strlen(silent[i])), ELELEM_OK);
            CHECK_INT(elelem_stream_next(s, &event), ELELEM_MORE);
            CHECK_INT(elelem_stream_push_data(s, none, data), ELELEM_ERROR_MISUSE);
            elelem_stream_reset(s);
            CHECK_INT(elelem_stream_push(s, "", 0), ELELEM_OK);
            CHECK_INT(elelem_stream_push_data(s, none, data), ELELEM_OK);
        }
    }
}

TEST(a_push_of_nothing_after_frames_is_taken_and_after_the_end_of_them_all_is_refused)
{
    elelem_str data = elelem_str_of("{}"), none = elelem_str_of(NULL), null = elelem_str_of(NULL);
    const wire *w;
    elelem_event event;

    null.size = 1;
    EACH_WIRE(w) {
        elelem_stream *s = &streams_now.stream;
        streams_start(&streams_now);
        CHECK_INT(elelem_stream_push_data(s, none, null), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_stream_push_data(s, null, data), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_stream_push_data(s, none, none), ELELEM_OK);
        CHECK_INT(elelem_stream_next(s, &event), ELELEM_MORE);
        CHECK_INT(elelem_stream_push_data(s, none, data), ELELEM_OK);
        CHECK_INT(elelem_stream_next(s, &event), ELELEM_MORE);
        CHECK_INT(elelem_stream_push(s, NULL, 0), ELELEM_OK);
        CHECK_INT(elelem_stream_push(s, "x", 0), ELELEM_OK);
        CHECK_INT(elelem_stream_push(s, NULL, 1), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_stream_next(s, &event), ELELEM_MORE);
        elelem_stream_finish(s);
        CHECK_INT(elelem_stream_push(s, "x", 1), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_stream_push_data(s, none, data), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_stream_next(s, &event), ELELEM_OK);
        CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_CONNECT);
        CHECK_INT(elelem_stream_next(s, &event), ELELEM_END);
        elelem_stream_free(s);
        memset(s, 0, sizeof *s);
        CHECK_INT(elelem_stream_push_data(s, none, data), ELELEM_ERROR_MISUSE);
    }
}

TEST(a_pushed_frame_that_meets_a_limit_is_the_end)
{
    const wire *w;

    EACH_WIRE(w) {
        push_frames(deep_frame());
        CHECK(says(&feed_now, "ERROR limit ") && ends_with(&feed_now, "status=ERROR_DEPTH\nEND\n"));
    }
}

/* A shape of the caller's own, from wires.h, which has all the tests here like the library's. */

TEST(a_shape_written_outside_the_library_works)
{
    streams_shape(&own_shape);
    STREAM("data: {\"say\":\"a\",\"think\":\"hm\"}\n\n"
           "data: {\"say\":\"b\",\"note\":[1]}\n\n"
           "data: {\"call\":{\"id\":\"x\",\"name\":\"f\",\"args\":{\"n\":[1.50]}}}\n\n"
           "data: {\"stop\":\"enough\"}\n\ndata: {\"end\":1}\n\ndata: {\"say\":\"late\"}\n\n",
           "0 think \"hm\"\n0 flush\n1 text \"a\"\n1 meta note=[1]\n1 text \"b\"\n1 flush\n"
           "2 call id=x name=f\n2 args \"{\\\"n\\\":[1.50]}\"\n2 flush\nFINISHED completed raw=enough\nEND\n");
    STREAM("data: {\"say\":\"a\"}\n\ndata: {\"fail\":\"broke\"}\n\n", "0 text \"a\"\nERROR quota code=broke \"own sentence\"\nEND\n");
    STREAM("data: {\"say\":\"a\"}\n\n", "0 text \"a\"\n" CUT_SHORT);
    STREAM("data: [DONE]\n\n",
           "ERROR protocol \"the input does not follow the provider's protocol\" status=ERROR_PROTOCOL\nEND\n");
    streams_now.desc.structured = 1;
    STREAM("data: {\"say\":\"{}\",\"stop\":\"bored\"}\n\n", "0 json \"{}\"\n0 flush\nFINISHED other raw=bored\nEND\n");
}

TEST(a_reason_that_may_change_counts_only_when_the_body_has_ended)
{
    elelem_shape changing = own_shape;
    static const char response[] = "data: {\"say\":\"a\",\"stop\":\"enough\"}\n\n";

    changing.reason_may_change = 1;
    streams_shape(&changing);
    STREAM(response, "0 text \"a\"\n0 flush\nFINISHED completed raw=enough\nEND\n");
    streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
    STREAM(response, "0 text \"a\"\n" CUT_SHORT);
    streams_shape(&own_shape);
    streams_now.fail_kind = ELELEM_ERROR_KIND_CONNECT;
    STREAM(response, "0 text \"a\"\n0 flush\nFINISHED completed raw=enough\nEND\n");
}

/* One frame of a shape can be many events, and much metadata. Past a limit that its frames set, it is an error. */

static elelem_status many_frame(elelem_shape_context *c)
{
    int64_t count = 0;
    int64_t i;

    elelem_value_to_int64(elelem_value_get(elelem_shape_document(c), "say"), &count);
    for (i = 0; i < count; i++)
        elelem_shape_text(c, elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0), elelem_str_of("x"));
    return ELELEM_OK;
}

static elelem_status wordy_frame(elelem_shape_context *c)
{
    int64_t count = 0;
    int64_t i;

    elelem_value_to_int64(elelem_value_get(elelem_shape_document(c), "say"), &count);
    for (i = 0; i < count; i++)
        elelem_shape_metadata_text(c, "k", elelem_str_of("x"));
    elelem_shape_text(c, elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0), elelem_str_of("y"));
    return ELELEM_OK;
}

static elelem_status over_frame(elelem_shape_context *c)
{
    uint32_t index = elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0);
    elelem_usage usage = { 1, 2, 3, 4, 5 };

    elelem_shape_text(c, index, elelem_str_of("x"));
    CHECK(!elelem_shape_is_over(c));
    elelem_shape_error(c, ELELEM_ERROR_KIND_QUOTA, elelem_str_of("code"), "own sentence");
    CHECK(elelem_shape_is_over(c));
    elelem_shape_text(c, index, elelem_str_of("late"));
    elelem_shape_reason(c, 0, ELELEM_FINISH_COMPLETED, elelem_str_of("late"), 1);
    elelem_shape_usage(c, usage, elelem_shape_document(c));
    elelem_shape_end_metadata(c, "late", elelem_shape_document(c));
    elelem_shape_flush(c, index);
    elelem_shape_finish(c);
    return ELELEM_OK;
}

static const elelem_shape many = { "many", own_paths, own_ROWS, many_frame, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };
static const elelem_shape wordy = { "wordy", own_paths, own_ROWS, wordy_frame, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };
static const elelem_shape over = { "over", own_paths, own_ROWS, over_frame, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };

TEST(a_frame_may_be_many_events_and_much_metadata)
{
    streams_shape(&many);
    STREAM("data: {\"say\":9}\n\ndata: {\"say\":3}\n\n", "0 text \"xxxxxxxxxxxx\"\n" CUT_SHORT);
    streams_shape(&wordy);
    STREAM("data: {\"say\":3}\n\ndata: {\"say\":0}\n\n",
           "0 meta k=\"x\"\n0 meta k=\"x\"\n0 meta k=\"x\"\n0 text \"yy\"\n" CUT_SHORT);
}

/* Takes the events of one frame with a number, by a shape whose frames may have little memory. */
static int many_events(const elelem_shape *shape, const char *bytes)
{
    elelem_event e;
    int count = 0;

    streams_shape(shape);
    streams_now.desc.max_frame_bytes = 1024;
    streams_now.desc.max_open_items = 1;
    streams_start(&streams_now);
    CHECK_INT(elelem_stream_push(&streams_now.stream, bytes, strlen(bytes)), ELELEM_OK);
    while (elelem_stream_next(&streams_now.stream, &e) == ELELEM_OK && e.kind == ELELEM_EVENT_PART)
        count++;
    CHECK_INT(e.kind, ELELEM_EVENT_ERROR);
    CHECK_INT(e.error.kind, ELELEM_ERROR_KIND_LIMIT);
    return count;
}

TEST(the_events_of_a_frame_and_their_metadata_are_limited_as_the_frame_is)
{
    CHECK(many_events(&many, "data: {\"say\":10000}\n\n") >= 2 * 1024 / 64);
    CHECK_INT(many_events(&wordy, "data: {\"say\":10000}\n\n"), 0);
}

static elelem_status status_of_frame;

static elelem_status failing_frame(elelem_shape_context *c)
{
    elelem_shape_text(c, elelem_shape_item_open(c, 0, ELELEM_PART_MESSAGE, 0), elelem_str_of("x"));
    return status_of_frame;
}

/* Another shape than those of the library may return what it comes upon. */
TEST(an_error_that_a_shape_returns_is_of_the_kind_of_its_status)
{
    static const elelem_shape failing = { "failing", own_paths, own_ROWS, failing_frame, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };
    static const struct {
        elelem_status status;
        elelem_error_kind kind;
    } rows[] = {
        { ELELEM_ERROR_MEMORY, ELELEM_ERROR_KIND_OUT_OF_MEMORY }, { ELELEM_ERROR_MISUSE, ELELEM_ERROR_KIND_OTHER },
        { ELELEM_ERROR_DEPTH, ELELEM_ERROR_KIND_LIMIT },          { ELELEM_ERROR_KEY_SIZE, ELELEM_ERROR_KIND_LIMIT },
        { ELELEM_ERROR_PATH_SIZE, ELELEM_ERROR_KIND_LIMIT },      { ELELEM_ERROR_STRING_SIZE, ELELEM_ERROR_KIND_LIMIT },
        { ELELEM_ERROR_NUMBER_SIZE, ELELEM_ERROR_KIND_LIMIT },    { ELELEM_ERROR_TOTAL_SIZE, ELELEM_ERROR_KIND_LIMIT },
        { ELELEM_ERROR_LINE_SIZE, ELELEM_ERROR_KIND_LIMIT },      { ELELEM_ERROR_FRAME_SIZE, ELELEM_ERROR_KIND_LIMIT },
        { ELELEM_ERROR_VALUE_SIZE, ELELEM_ERROR_KIND_LIMIT },     { ELELEM_ERROR_COUNT, ELELEM_ERROR_KIND_LIMIT },
        { ELELEM_ERROR_SYNTAX, ELELEM_ERROR_KIND_PROTOCOL },      { ELELEM_ERROR_PROTOCOL, ELELEM_ERROR_KIND_PROTOCOL },
    };
    elelem_event event;
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        status_of_frame = rows[i].status;
        streams_shape(&failing);
        streams_start(&streams_now);
        elelem_stream_push(&streams_now.stream, "data: {}\n\n", 10);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.kind, ELELEM_EVENT_PART);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
        CHECK_INT(event.error.kind, rows[i].kind);
        CHECK_INT(event.error.status, rows[i].status);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_END);
    }
}

/* A list is worked off when it is long and another element begins. */
static elelem_shape_worked ending_list(elelem_shape_context *c, unsigned row, elelem_value list)
{
    (void)row;
    elelem_shape_text(c, elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0), elelem_shape_string_in(elelem_value_first(list), "say"));
    elelem_shape_error(c, ELELEM_ERROR_KIND_QUOTA, elelem_str_of("code"), "own sentence");
    return ELELEM_SHAPE_WORKED;
}

#define LISTED_PATHS(P, MEMBER, ELEMENTS) \
    MEMBER(P, LIST, ROOT, "list", NOTHING) \
    ELEMENTS(P, ENTRY, LIST, WHOLE)

ELELEM_SHAPE_PATHS(LISTED_PATHS, listed_, listed_paths);

static elelem_status empty_frame(elelem_shape_context *c)
{
    (void)c;
    return ELELEM_OK;
}

TEST(a_shape_may_end_the_stream_in_a_list_that_still_arrives)
{
    static const uint16_t rows[] = { listed_ENTRY, 0 };
    static const elelem_shape_lists lists = { rows, ending_list };
    static const elelem_shape shape = { "listed", listed_paths, listed_ROWS, empty_frame, 0, 0, 0, 0, 0, NULL, 0, NULL, 1, 0, NULL, NULL, &lists };

    streams_shape(&shape);
    STREAM_LARGE("{\"list\":[{\"say\":\"~\"},{\"say\":\"late\"}]}", "0 text \"~\"\nERROR quota code=code \"own sentence\"\nEND\n");
}

TEST(a_frame_that_ended_the_stream_emits_nothing_more)
{
    streams_shape(&over);
    STREAM("data: {}\n\n", "0 text \"x\"\nERROR quota code=code \"own sentence\"\nEND\n");
}

/* A shape that emits to no item is no crash. */

static elelem_status lost_frame(elelem_shape_context *c)
{
    elelem_shape_text(c, ELELEM_NO_INDEX, elelem_str_of("x"));
    elelem_shape_tool_start(c, 7, elelem_str_of("x"), elelem_str_of("x"));
    elelem_shape_tool_arguments(c, 7, elelem_str_of("x"));
    elelem_shape_flush(c, 7);
    return ELELEM_OK;
}

/* The rows of this one take a key for an object and for an array. */
static const elelem_pattern_node mixed_paths[] = {
    ELELEM_PATTERN_ROOT(0),
    ELELEM_PATTERN_MEMBER(0, "a", 0),
    ELELEM_PATTERN_MEMBER(1, "b", 1),
    ELELEM_PATTERN_ELEMENTS(1, 1),
};

static elelem_status mixed_frame(elelem_shape_context *c)
{
    elelem_value last = elelem_value_get(elelem_shape_document(c), "a");
    uint32_t index = elelem_shape_item_continue(c, 0, ELELEM_PART_MESSAGE, 0);

    elelem_shape_text(c, index, elelem_str_of(elelem_type_name(elelem_value_type(last))));
    elelem_shape_text(c, index, elelem_value_text(elelem_value_get(last, "b")));
    elelem_shape_text(c, index, elelem_value_text(elelem_value_at(last, 1)));
    elelem_shape_flush(c, index);
    return ELELEM_OK;
}

static const elelem_shape mixed = { "mixed", mixed_paths, sizeof mixed_paths / sizeof *mixed_paths, mixed_frame, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };

TEST(a_key_that_comes_again_for_a_container_of_another_kind_is_another_value)
{
    streams_shape(&mixed);
    STREAM("data: {\"a\":{\"b\":\"x\"},\"a\":[\"0\",\"1\",\"2\"]}\n\n", "0 text \"array1\"\n0 flush\n" CUT_SHORT);
    STREAM("data: {\"a\":[\"0\",\"1\",\"2\"],\"a\":{\"b\":\"x\"}}\n\n", "0 text \"objectx\"\n0 flush\n" CUT_SHORT);
}

TEST(a_shape_that_emits_to_no_item_does_no_harm)
{
    static const elelem_shape lost = { "lost", own_paths, own_ROWS, lost_frame, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };

    streams_shape(&lost);
    STREAM("data: {}\n\n", CUT_SHORT);
}

/* Misuse. */

TEST(what_is_misuse_does_no_harm)
{
    const wire *w;
    elelem_event event;

    EACH_WIRE(w) {
        elelem_stream *s = &streams_now.stream;
        streams_start(&streams_now);
        CHECK_INT(elelem_stream_push(s, NULL, 0), ELELEM_OK);
        CHECK_INT(elelem_stream_push(s, NULL, 5), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_stream_push(s, "x", 0), ELELEM_OK);
        CHECK_INT(elelem_stream_next(s, &event), ELELEM_MORE);
        CHECK_INT(elelem_stream_push(s, w->good, 10), ELELEM_OK);
        CHECK_INT(elelem_stream_push(s, w->good + 10, 10), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_stream_next(s, &event), ELELEM_MORE);
        CHECK_INT(elelem_stream_push(s, w->good + 10, strlen(w->good) - 10), ELELEM_OK);
        while (elelem_stream_next(s, &event) == ELELEM_OK)
            ;
        elelem_stream_finish(s);
        elelem_stream_finish(s);
        while (elelem_stream_next(s, &event) == ELELEM_OK)
            ;
        CHECK_INT(event.kind, ELELEM_EVENT_FINISHED);
        CHECK_INT(elelem_stream_push(s, "x", 1), ELELEM_OK);
        CHECK_INT(elelem_stream_push_data(s, elelem_str_of(""), elelem_str_of("x")), ELELEM_OK);
        elelem_stream_fail(s, ELELEM_ERROR_KIND_CANCELLED);
        CHECK_INT(elelem_stream_next(s, &event), ELELEM_END);
    }
}

TEST(push_after_finish_is_misuse_and_changes_nothing)
{
    const wire *w;
    elelem_event event;

    EACH_WIRE(w) {
        streams_start(&streams_now);
        elelem_stream_finish(&streams_now.stream);
        CHECK_INT(elelem_stream_push(&streams_now.stream, "x", 1), ELELEM_ERROR_MISUSE);
        elelem_stream_fail(&streams_now.stream, ELELEM_ERROR_KIND_CANCELLED);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_CONNECT);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_END);
    }
}

TEST(finish_and_fail_may_come_before_all_is_taken) /* C3 */
{
    const wire *w;

    EACH_WIRE(w) {
        elelem_event event;
        elelem_stream *s = &streams_now.stream;
        int count = 0;
        streams_start(&streams_now);
        elelem_stream_push(s, w->good, strlen(w->good));
        elelem_stream_next(s, &event);
        elelem_stream_finish(s);
        while (elelem_stream_next(s, &event) == ELELEM_OK)
            count++;
        CHECK(count > 5);
        CHECK_INT(event.kind, ELELEM_EVENT_FINISHED);
        streams_start(&streams_now);
        elelem_stream_push(s, w->good, frame_size(w->good));
        elelem_stream_fail(s, ELELEM_ERROR_KIND_CANCELLED);
        CHECK_INT(elelem_stream_next(s, &event), ELELEM_OK);
        while (elelem_stream_next(s, &event) == ELELEM_OK)
            ;
        CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
        CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_CANCELLED);
    }
}

/* The one event of a stream that has no shape. */
static void check_no_shape(elelem_stream *stream)
{
    elelem_event event;

    if (!CHECK_INT(elelem_stream_next(stream, &event), ELELEM_OK)) return;
    CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
    CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_OTHER);
    CHECK_INT(event.error.status, ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_stream_next(stream, &event), ELELEM_END);
}

TEST(a_stream_without_a_shape_says_so_in_its_only_event)
{
    elelem_stream stream;
    elelem_stream_desc desc = ELELEM_INIT;

    CHECK_INT(elelem_stream_init(&stream, NULL), ELELEM_ERROR_MISUSE);
    check_no_shape(&stream);
    CHECK_INT(elelem_stream_init(&stream, &desc), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_stream_push(&stream, "[", 1), ELELEM_OK);
    elelem_stream_finish(&stream);
    check_no_shape(&stream);
    elelem_stream_reset(&stream);
    check_no_shape(&stream);
    elelem_stream_free(&stream);
}

/* The caller of a stream that is used for hours sets the time before each response. */
TEST(the_time_may_be_set_again_for_a_date_to_wait_for)
{
    elelem_stream stream;
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_event event;

    desc.shape = &elelem_shape_chat;
    desc.unix_seconds = 784111777 - 7200;
    elelem_stream_init(&stream, &desc);
    elelem_stream_reset(&stream);
    elelem_stream_set_unix_time(&stream, 784111777 - 5); /* five seconds before the date below */
    elelem_stream_http_status(&stream, 429);
    elelem_stream_http_header(&stream, elelem_str_of("Retry-After"), elelem_str_of("Sun, 06 Nov 1994 08:49:37 GMT"));
    elelem_stream_finish(&stream);
    CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_OK);
    CHECK_INT(event.error.retry_after_ms, 5000);
    elelem_stream_free(&stream);
}

TEST(a_zeroed_stream_may_be_freed_and_any_twice)
{
    static elelem_stream stream;
    const wire *w;

    elelem_stream_free(&stream);
    EACH_WIRE(w) {
        elelem_stream_desc desc = ELELEM_INIT;
        elelem_event event;
        desc.shape = w->shape;
        elelem_stream_init(&stream, &desc);
        elelem_stream_push(&stream, w->good, 300);
        elelem_stream_next(&stream, &event);
        elelem_stream_free(&stream);
        elelem_stream_free(&stream);
        CHECK_INT(elelem_stream_push(&stream, "x", 1), ELELEM_ERROR_MISUSE);
        CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_OK);
        CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
        CHECK_INT(elelem_stream_next(&stream, &event), ELELEM_END);
    }
}

TEST(nothing_is_retried)
{
    const wire *w;
    elelem_event event;
    int i;

    EACH_WIRE(w) {
        streams_start(&streams_now);
        elelem_stream_push(&streams_now.stream, w->error, strlen(w->error));
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.error.retryable, 1);
        for (i = 0; i < 3; i++) {
            CHECK_INT(elelem_stream_push(&streams_now.stream, w->good, strlen(w->good)), ELELEM_OK);
            CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_END);
        }
    }
}

/* Reset. */

TEST(reset_starts_over_from_any_state)
{
    const wire *w;
    size_t i;

    EACH_WIRE(w) {
        size_t size = strlen(w->good);
        run_good(w);
        streams_start(&streams_now);
        for (i = 0; i <= size; i += 11) {
            elelem_event event;
            elelem_stream *s = &streams_now.stream;
            check_cut("reset after", i);
            elelem_stream_push(s, w->good, i);
            if (i % 2) elelem_stream_next(s, &event);
            else while (elelem_stream_next(s, &event) == ELELEM_OK) ;
            if (i % 3 == 0) elelem_stream_finish(s);
            if (i % 5 == 0) elelem_stream_fail(s, ELELEM_ERROR_KIND_CANCELLED);
            elelem_stream_http_status(s, 500);
            elelem_stream_reset(s);
            memset(streams_now.state, 0, sizeof streams_now.state);
            streams_now.seen = 0;
            streams_now.ends = 0;
            feed_now.size = 0;
            feed_now.in_text = 0;
            elelem_stream_push(s, w->good, size);
            feed_drain(&streams_fed, &feed_now, NULL);
            elelem_stream_finish(s);
            feed_end(&streams_fed, &feed_now, feed_drain(&streams_fed, &feed_now, NULL));
            CHECK_BYTES(feed_now.text, feed_now.size, meant.text, meant.size);
            elelem_stream_reset(s);
        }
    }
}

/* Pushes to the stream as it is and takes all events. */
static elelem_status push_more(const char *text, size_t size)
{
    elelem_status status;

    elelem_stream_push(&streams_now.stream, text, size);
    do
        status = streams_next(&streams_now, &feed_now);
    while (status == ELELEM_OK);
    return status;
}

/* Resets the stream, and what the rules look at. */
static void reset_and_forget(void)
{
    elelem_stream_reset(&streams_now.stream);
    streams_now.ends = 0;
    streams_now.seen = 0;
    memset(streams_now.state, 0, sizeof streams_now.state);
    feed_now.size = 0;
    feed_now.in_text = 0;
}

/* However it began, and as far as it came. */
static void forgets(const wire *w, const char *before, const char *text)
{
    elelem_status status;

    ready(w, before);
    run(&meant, text, strlen(text), 1u << 20);
    streams_start(&streams_now);
    push_more(before, strlen(before));
    reset_and_forget();
    push_more(text, strlen(text));
    elelem_stream_finish(&streams_now.stream);
    status = push_more(NULL, 0);
    feed_line(&feed_now, "%s", elelem_status_name(status) + 7);
    CHECK_BYTES(feed_now.text, feed_now.size, meant.text, meant.size);
}

TEST(a_reset_forgets_how_the_body_began)
{
    static const char *const before[] = {
        "\xef\xbb\xbf", "\xef", " \n", "some words\n", "so", "<html>", "[", "[{},", "{", "\x1f\x8b", ": x\n{\"error\":", "event: error\ndata: {",
        "data: {\"a\":", "data: [DON", "event: x\n", "data: {}\r"
    };
    static const char *const bodies[] = { "", "\xef\xbb\xbf", ": x\n", "{\"message\":\"m\"}" };
    const wire *w;
    size_t i, k;

    EACH_WIRE(w) for (i = 0; i < sizeof before / sizeof *before; i++) {
        for (k = 0; k < sizeof bodies / sizeof *bodies; k++)
            forgets(w, before[i], bodies[k]);
        make("\xef\xbb\xbf", w->good, "", "");
        forgets(w, before[i], made.text);
        forgets(w, before[i], w->open);
    }
}

TEST(reset_brings_a_refused_stream_back)
{
    const wire *w;

    EACH_WIRE(w) {
        elelem_event event;
        run_good(w);
        streams_start(&streams_now);
        elelem_stream_http_status(&streams_now.stream, 429);
        elelem_stream_http_header(&streams_now.stream, elelem_str_of("retry-after"), elelem_str_of("9"));
        elelem_stream_finish(&streams_now.stream);
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.error.retry_after_ms, 9000);
        elelem_stream_reset(&streams_now.stream);
        elelem_stream_push(&streams_now.stream, w->error, strlen(w->error));
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        CHECK_INT(event.error.retry_after_ms, -1);
        CHECK_INT(event.error.http_status, 0);
    }
}

/* Memory. */

static limits_heap the_pool;

static void use_pool(void)
{
    elelem_stream_free(&streams_now.stream);
    memset(&the_pool, 0, sizeof the_pool);
    streams_now.desc.allocator = limits_allocator(&the_pool);
}

TEST(an_allocator_that_moves_and_spoils_every_block_changes_nothing) /* C6 */
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        use_pool();
        STREAM(w->good, meant.text);
        elelem_stream_free(&streams_now.stream);
        CHECK_INT(the_pool.blocks, 0);
        CHECK_INT(the_pool.live, 0);
    }
}

static int status_refused; /* of these runs; 0: none */

/* A run in which a call for memory is refused. Returns how many there were. */
static size_t run_refused(const wire *w, const char *text, size_t piece, size_t refuse, int from_then)
{
    streams_shape(w->shape);
    streams_now.http_status = status_refused;
    use_pool();
    the_pool.refuse = (int)refuse;
    the_pool.stays = from_then;
    run(&feed_now, text, strlen(text), piece);
    elelem_stream_free(&streams_now.stream);
    CHECK_INT(the_pool.blocks, 0);
    CHECK_INT(the_pool.live, 0);
    CHECK(!says(&feed_now, "BROKEN"));
    return (size_t)the_pool.calls;
}

TEST(memory_refused_at_any_call_is_one_error_or_survived)
{
    static const size_t pieces[] = { 1u << 20, 5 };
    const wire *w;
    size_t i, k, failed;

    EACH_WIRE(w) for (i = 0; i < 4; i++) {
        size_t piece = pieces[i % 2];
        int from_then = i > 1;
        size_t calls;
        run_good(w);
        calls = run_refused(w, w->good, piece, 0, 0);
        CHECK(calls > 0);
        for (failed = 0, k = 1; k <= calls; k++) {
            check_cut("refused call", k);
            run_refused(w, w->good, piece, k, from_then);
            if (ends_with(&feed_now, "ERROR out_of_memory \"the allocator gave no more memory\" status=ERROR_MEMORY\nEND\n")) failed++;
            else CHECK_BYTES(feed_now.text, feed_now.size, meant.text, meant.size);
        }
        check_cut(NULL, 0);
        CHECK(failed > 0);
        if (from_then) CHECK(failed >= calls / 2);
    }
}

static void without_memory_is_one_error(const wire *w, const char *text, int http_status)
{
    size_t calls, k;

    for (k = 0, calls = 1; k <= calls; k++) {
        check_cut("refused from call", k);
        status_refused = http_status;
        calls = k == 0 ? run_refused(w, text, 3, 0, 0) : calls;
        if (k > 0) run_refused(w, text, 3, k, 1);
        CHECK(says(&feed_now, "ERROR "));
        CHECK(!says(&feed_now, "FINISHED"));
    }
    status_refused = 0;
    CHECK(calls > 0);
}

/* Forty items are flushed at the end at once. */
TEST(memory_refused_for_the_last_flushes_is_an_error)
{
    char chunks[6000];
    size_t size = 0, refuse;
    int finished = 0;

    for (refuse = 0; refuse < 40; refuse++)
        size += (size_t)snprintf(chunks + size, sizeof chunks - size, "data: {\"candidates\":[{\"index\":%lu,\"content\":{\"parts\":"
                                 "[{\"text\":\"x\"}]},\"finishReason\":\"STOP\"}]}\n\n", (unsigned long)refuse);
    for (refuse = 1; refuse < 100 && !finished; refuse++) {
        limits_heap heap = ELELEM_INIT;
        heap.refuse = (int)refuse;
        heap.stays = 1;
        streams_shape(&elelem_shape_gemini);
        streams_now.desc.allocator = limits_allocator(&heap);
        run(&feed_now, chunks, strlen(chunks), 100);
        CHECK(!says(&feed_now, "BROKEN"));
        finished = says(&feed_now, "\nFINISHED completed");
        if (!finished) CHECK(ends_with(&feed_now, "status=ERROR_MEMORY\nEND\n"));
        elelem_stream_free(&streams_now.stream);
        CHECK_U64(heap.blocks, 0);
    }
    CHECK(finished && refuse > 5);
}

TEST(memory_refused_while_an_error_is_read_is_still_one_error)
{
    const wire *w;

    EACH_WIRE(w) {
        without_memory_is_one_error(w, w->error, 0);
        without_memory_is_one_error(w, w->refusal, 429);
    }
}

/* Limits. */

#define LIMIT_ERROR(sentence, status) "ERROR limit \"" sentence "\" status=" status "\nEND\n"

TEST(a_frame_that_needs_more_memory_than_allowed_is_an_error)
{
    const wire *w;

    EACH_WIRE(w) {
        size_t least;
        run_good(w);
        for (least = 16; least < 65536; least += 16) {
            use_pool();
            streams_now.desc.max_frame_bytes = (uint32_t)least;
            run(&feed_now, w->good, strlen(w->good), 1u << 20);
            CHECK(!says(&feed_now, "BROKEN"));
            if (says(&feed_now, "FINISHED")) break;
            CHECK(ends_with(&feed_now, LIMIT_ERROR("a value takes more memory than allowed", "ERROR_VALUE_SIZE")));
        }
        CHECK(least > 64 && least < 65536);
        CHECK_BYTES(feed_now.text, feed_now.size, meant.text, meant.size);
        streams_now.desc.max_frame_bytes = (uint32_t)least / 2;
        streams_give(w->good, strlen(w->good), NULL, __FILE__, __LINE__);
    }
}

/* JSON between frames, whole, broken or open, does not move the offset of the next frame. */
TEST(the_offset_of_a_limit_in_a_frame_does_not_depend_on_the_cuts_before_it)
{
    static const char *const before[] = {
        "", "\n", "words\n", "id\n{\"a\":1}}data: x\n\n", "id\n{\"a\":1} \n\n", "id\n{\"a\":1\n\n", "id\n{x\n\n", "id: 1\r\n\r\n",
        "\xEF\xBB\xBF\xEF\xBB\xBF{\"a\":1}}z\n\n", "data: {\"type\":\"q\"}\n\n{x\n\n", "data: {\"type\":\"q\"}\n\n{\"a\":1}}zz\n\n",
        "data: {\"type\":\"q\"}\n\n{\"a\":[1,2}\n\n",
    };
    static const char front[] = "data: {\"error\":{\"message\":\"";
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof before / sizeof *before; i++) {
        ready(w, before[i]);
        streams_now.desc.max_frame_bytes = 300;
        made.size = 0;
        add_text(&made, before[i]);
        add(&made, front, sizeof front - 1);
        while (made.size < 500)
            add_text(&made, "too much ");
        streams_give(made.text, made.size, NULL, __FILE__, __LINE__);
        CHECK(strstr(feed_whole.text, "ERROR limit") != NULL);
    }
}

TEST(an_endless_frame_meets_the_limit_and_not_the_end_of_memory)
{
    const wire *w;
    static const char front[] = "{\"error\":{\"message\":\"";

    EACH_WIRE(w) {
        elelem_event event;
        elelem_status status = ELELEM_MORE;
        size_t i;
        char block[1000];
        use_pool();
        streams_now.desc.max_frame_bytes = 20000;
        streams_start(&streams_now);
        memset(block, 'x', sizeof block);
        elelem_stream_push(&streams_now.stream, "data: ", 6);
        elelem_stream_next(&streams_now.stream, &event);
        elelem_stream_push(&streams_now.stream, front, sizeof front - 1);
        elelem_stream_next(&streams_now.stream, &event);
        for (i = 0; i < 100 && status == ELELEM_MORE; i++) {
            elelem_stream_push(&streams_now.stream, block, sizeof block);
            status = elelem_stream_next(&streams_now.stream, &event);
        }
        CHECK_INT(status, ELELEM_OK);
        CHECK(i <= 21);
        CHECK_INT(event.error.kind, ELELEM_ERROR_KIND_LIMIT);
        CHECK(the_pool.peak < 70000);
    }
}

/* S1, S2 of docs/threats.md. */
TEST(what_no_path_names_takes_no_memory)
{
    static const char *const fronts[] = { ": ", "unknown: ", "data: {\"unknown\":\"", "data: ", "", "{\"unknown\":\"", "<" };
    const wire *w;
    size_t i, k;

    EACH_WIRE(w) for (k = 0; k < sizeof fronts / sizeof *fronts; k++) {
        elelem_event event;
        char block[1000];
        ready(w, fronts[k]);
        streams_now.desc.without_provider_items = 1;
        use_pool();
        streams_start(&streams_now);
        memset(block, k == 3 ? ' ' : k == 4 ? '\n' : 'x', sizeof block);
        elelem_stream_push(&streams_now.stream, fronts[k], strlen(fronts[k]));
        while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
            ;
        for (i = 0; i < 1000; i++) {
            elelem_stream_push(&streams_now.stream, block, sizeof block);
            while (elelem_stream_next(&streams_now.stream, &event) == ELELEM_OK)
                ;
        }
        CHECK(the_pool.peak < 4096);
    }
}

TEST(a_name_of_an_event_that_is_too_long_is_a_limit) /* S1 */
{
    const wire *w;
    size_t i;

    made.size = 0;
    add_text(&made, "event: ");
    for (i = 0; i < 5000; i++)
        add_text(&made, "x");
    add_text(&made, "\ndata: {}\n\n");
    EACH_WIRE(w) {
        STREAM(made.text, LIMIT_ERROR("a line is longer than allowed", "ERROR_LINE_SIZE"));
    }
}

TEST(offsets_count_from_the_first_byte_of_the_body)
{
    static const struct {
        const char *body;
        int offset;
    } rows[] = {
        { "data: {\"a\":}\n\n", 11 },
        { "\r\n \ndata: {\"a\":}\r\n\r\n", 15 },
        { "data: {\"a\":\ndata: }\n\n", 18 },
        { "data: {\"a\":\"\xff\"}\n\n", 12 },
        { "data: {}\n\ndata: {} x\n\n", 19 },
        { "data: {\"a\":\n\n", 13 },
        { "{\"a\" 1}", 0 },
        { ": x\n\n", 5 },
    };
    const wire *w;
    char end[40];
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        ready(w, rows[i].body);
        streams_now.offsets = 1;
        run(&feed_now, rows[i].body, strlen(rows[i].body), 1u << 20);
        snprintf(end, sizeof end, " offset=%d\nEND\n", rows[i].offset);
        CHECK(ends_with(&feed_now, end));
    }
    made.size = 0;
    add_text(&made, "\n \nevent: ");
    for (i = 0; i < 5000; i++)
        add_text(&made, "x");
    EACH_WIRE(w) {
        streams_now.offsets = 1;
        run(&feed_now, made.text, made.size, 1u << 20);
        CHECK(ends_with(&feed_now, " offset=4106\nEND\n")); /* 3 + 7 + 4096 */
    }
}

TEST(json_that_is_too_deep_is_a_limit)
{
    const wire *w;
    size_t i;

    made.size = 0;
    add_text(&made, "data: ");
    for (i = 0; i < 600; i++)
        add_text(&made, "[");
    EACH_WIRE(w) {
        STREAM(made.text, LIMIT_ERROR("the value is nested more deeply than allowed", "ERROR_DEPTH"));
    }
}

/* A comment, so that no body begins with it, and a value between frames that is nested too deeply, in one line or in
   several, whole or broken off, with more after it. */
static const char *deep_value(const char *begin, const char *between, const char *end)
{
    size_t i;

    kept.size = 0;
    add_text(&kept, ": x\n");
    add_text(&kept, begin);
    for (i = 0; i < 520; i++) {
        add_text(&kept, "[");
        if (i % 40 == 0) add_text(&kept, between);
    }
    add_text(&kept, end);
    return kept.text;
}

TEST(a_value_between_frames_that_meets_a_limit_is_ignored) /* S9 */
{
    static const char *const rows[][3] = {
        { "{\"deep\":", "", "\n" },
        { "{\"deep\":", "", "1]]]}}} and more {\"error\":{\"message\":\"no\"}}\n\n" },
        { "{\"deep\":", "\n", "\n  \"error\":{\n}}\n" },
        { "{\"error\":", "\n: comment\n", "\"\xff\n" },
    };
    const wire *w;
    size_t i;

    EACH_WIRE(w) for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        ready(w, rows[i][2]);
        run_good(w);
        cuts_now = FEW_CUTS;
        sprinkle(&made, w->good, deep_value(rows[i][0], rows[i][1], rows[i][2]));
        gives_the_same(made.text, made.size);
    }
}

TEST(a_value_between_frames_that_is_too_large_is_ignored)
{
    const wire *w;
    size_t i;

    kept.size = 0;
    add_text(&kept, ": x\n{\"error\":[\"");
    for (i = 0; i < 700; i++)
        add_text(&kept, "0123456789");
    add_text(&kept, "\"]}\n");
    EACH_WIRE(w) {
        run_good(w);
        streams_now.desc.max_frame_bytes = 6000;
        cuts_now = FEW_CUTS;
        make(w->good, "", "", "");
        gives_the_same(made.text, made.size); /* the limit is large enough for the frames */
        made.size = 0;
        add_text(&made, ":\n");
        add_text(&made, kept.text);
        add_text(&made, w->good);
        gives_the_same(made.text, made.size);
    }
}

TEST(a_value_between_frames_that_meets_a_limit_does_not_cut_the_body)
{
    const wire *w;

    EACH_WIRE(w) {
        run_good(w);
        make(w->good, deep_value("{\"deep\":", "", "\n"), "", "");
        gives_the_same(made.text, made.size);
    }
}

/* As far as it was read it says enough. */
TEST(an_error_between_frames_that_meets_a_limit_is_the_error)
{
    const wire *w;

    EACH_WIRE(w) {
        make(w->open, w->text, deep_value("{\"error\":{\"code\":\"c\",\"message\":\"gone\",\"deep\":", "\n", "\n"), w->finish);
        run(&feed_now, made.text, made.size, 1u << 20);
        CHECK(ends_with(&feed_now, "ERROR other code=c \"gone\"\nEND\n"));
        STREAM(made.text, NULL);
    }
}

/* Of a response that was refused, a value counts that says why, wherever it is. */
TEST(a_refusal_is_read_past_a_value_that_meets_a_limit_and_in_one)
{
    const wire *w;

    EACH_WIRE(w) {
        streams_now.http_status = 503;
        make(deep_value("{\"deep\":", "", "\n"), "{\"message\":\"gone\"}\n", w->good, "");
        run(&feed_now, made.text, made.size, 1u << 20);
        CHECK(ends_with(&feed_now, "ERROR transient retryable http=503 \"gone\"\nEND\n"));
        STREAM(made.text, NULL);
        make(deep_value("{\"message\":\"gone\",\"deep\":", "", "\n"), "{\"message\":\"back\"}\n", w->good, "");
        run(&feed_now, made.text, made.size, 1u << 20);
        CHECK(ends_with(&feed_now, "ERROR transient retryable http=503 \"gone\"\nEND\n"));
        STREAM(made.text, NULL);
    }
}

static elelem_status open_frame(elelem_shape_context *c)
{
    elelem_value say = elelem_value_get(elelem_shape_document(c), "say");
    int64_t number = 0;

    elelem_value_to_int64(say, &number);
    elelem_shape_text(c, elelem_shape_item_open(c, (uint32_t)(number / 100), ELELEM_PART_MESSAGE, (uint32_t)number),
                      elelem_str_of("x"));
    return ELELEM_OK;
}

TEST(more_open_items_or_choices_than_allowed_are_a_limit)
{
    static const elelem_shape opener = { "opener", own_paths, own_ROWS, open_frame, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL };

    streams_shape(&opener);
    streams_now.desc.max_open_items = 2;
    STREAM("data: {\"say\":1}\n\ndata: {\"say\":2}\n\ndata: {\"say\":3}\n\ndata: {\"say\":4}\n\n",
           "0 text \"x\"\n1 text \"x\"\n" LIMIT_ERROR("there are more items than allowed", "ERROR_COUNT"));
    streams_now.desc.max_open_items = 0;
    streams_now.desc.max_choices = 2;
    STREAM("data: {\"say\":1}\n\ndata: {\"say\":100}\n\ndata: {\"say\":200}\n\n",
           "0 text \"x\"\n1@1 text \"x\"\n" LIMIT_ERROR("there are more items than allowed", "ERROR_COUNT"));
}

TEST(an_arena_too_small_is_an_error_and_one_large_enough_is_enough) /* C7 */
{
    static unsigned char memory[16384];
    const wire *w;
    size_t size;

    EACH_WIRE(w) {
        elelem_arena arena;
        int finished = 0;
        run_good(w);
        for (size = 0; size <= sizeof memory; size += 97) {
            streams_shape(w->shape);
            streams_now.desc.allocator = elelem_arena_init(&arena, memory + size % 16, size > 16 ? size - 16 : 0);
            run(&feed_now, w->good, strlen(w->good), 100);
            CHECK(!says(&feed_now, "BROKEN"));
            if (says(&feed_now, "FINISHED")) {
                finished = 1;
                CHECK_BYTES(feed_now.text, feed_now.size, meant.text, meant.size);
            } else {
                CHECK(ends_with(&feed_now, "status=ERROR_MEMORY\nEND\n"));
            }
            elelem_stream_free(&streams_now.stream);
            CHECK_INT(elelem_arena_used(&arena), 0);
        }
        CHECK(finished);
    }
}

/* What is given out. */

TEST(a_slice_of_an_event_stays_until_the_next_call)
{
    const wire *w;

    EACH_WIRE(w) {
        elelem_event event;
        char *lent = (char *)malloc(strlen(w->error));
        char message[100];
        if (!lent) abort();
        memcpy(lent, w->error, strlen(w->error));
        streams_start(&streams_now);
        elelem_stream_push(&streams_now.stream, lent, strlen(w->error));
        CHECK_INT(elelem_stream_next(&streams_now.stream, &event), ELELEM_OK);
        memcpy(message, event.error.message.data, event.error.message.size);
        CHECK(event.error.message.size > 0);
        free(lent);
    }
}

/* The message of an error is the provider's, bytes that are no text included only as escapes may bring them (P8). */
TEST(control_bytes_in_an_error_are_handed_on_as_they_were_meant) /* P8 */
{
    const wire *w;

    EACH_WIRE(w) {
        STREAM("data: {\"error\":{\"message\":\"a\\nERROR \\u0000\\u001b[31m\\\"\"}}\n\n",
               "ERROR other \"a\\nERROR \\000\\033[31m\\\"\"\nEND\n");
    }
}

static void all_done(void)
{
    elelem_stream_free(&streams_now.stream);
}

/* Pushes the text and takes all events; the id of the last event must be this one. */
static void id_after(elelem_stream *stream, const char *text, const char *id)
{
    elelem_event event;
    elelem_str is;

    CHECK_INT(elelem_stream_push(stream, text, strlen(text)), ELELEM_OK);
    while (elelem_stream_next(stream, &event) == ELELEM_OK)
        continue;
    is = elelem_stream_last_event_id(stream);
    CHECK_STR(is.data, is.size, id);
}

TEST(the_id_of_the_last_whole_event_is_kept_for_a_client_that_connects_again)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;
    elelem_event event;
    elelem_str is;

    desc.shape = &elelem_shape_chat;
    elelem_stream_init(&stream, &desc);
    id_after(&stream, "", "");
    id_after(&stream, "id: 1\ndata: {\"choices\":[]}\n", "");
    id_after(&stream, "\n", "1");
    id_after(&stream, "data: {\"choices\":[]}\n\n", "1");
    id_after(&stream, "id: e-2\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\nid: 3\n", "e-2");
    elelem_stream_fail(&stream, ELELEM_ERROR_KIND_CONNECT);
    while (elelem_stream_next(&stream, &event) == ELELEM_OK)
        CHECK_INT(event.kind, ELELEM_EVENT_ERROR);
    is = elelem_stream_last_event_id(&stream);
    CHECK_STR(is.data, is.size, "e-2");
    elelem_stream_reset(&stream);
    id_after(&stream, "", "");
    elelem_stream_free(&stream);
}

TEST(frames_of_the_callers_own_client_have_no_event_id)
{
    elelem_stream_desc desc = ELELEM_INIT;
    elelem_stream stream;

    desc.shape = &elelem_shape_chat;
    elelem_stream_init(&stream, &desc);
    CHECK_INT(elelem_stream_push_data(&stream, elelem_str_of(""), elelem_str_of("{\"choices\":[]}")), ELELEM_OK);
    CHECK_U64(elelem_stream_last_event_id(&stream).size, 0);
    elelem_stream_free(&stream);
}

TEST(what_is_no_finish_reason_and_no_error_kind_is_other)
{
    CHECK_STR(elelem_finish_reason_name(200), strlen(elelem_finish_reason_name(200)), "other");
    CHECK_STR(elelem_error_kind_name(200), strlen(elelem_error_kind_name(200)), "other");
    CHECK(!elelem_error_kind_is_retryable(200));
}

CHECK_MAIN("stream",
    RUN(the_id_of_the_last_whole_event_is_kept_for_a_client_that_connects_again)
    RUN(frames_of_the_callers_own_client_have_no_event_id)
    RUN(a_good_response_ends_once_with_finished)
    RUN(an_end_after_any_byte_is_exactly_one_end_and_never_finished_too_early)
    RUN(a_broken_transport_before_the_end_is_a_retryable_error)
    RUN(a_broken_transport_after_every_reason_is_finished_unless_that_may_change)
    RUN(a_broken_transport_after_the_end_is_dropped)
    RUN(the_kind_that_the_caller_reports_is_the_kind_of_the_error)
    RUN(a_body_cut_inside_a_line_is_an_early_end_if_the_reason_may_change)
    RUN(whole_lines_and_whole_data_end_a_body_well)
    RUN(an_error_flushes_nothing)
    RUN(what_is_open_is_flushed_before_finished)
    RUN(nothing_is_flushed_if_nothing_was_said)
    RUN(a_call_that_meets_the_length_limit_is_flushed_as_far_as_it_came)
    RUN(text_and_a_call_may_both_meet_the_length_limit)
    RUN(the_frame_that_ends_the_stream_may_be_missing_after_the_reason)
    RUN(a_reason_that_comes_twice_is_one_end)
    RUN(the_last_empty_line_or_line_end_may_be_missing)
    RUN(whatever_comes_after_the_end_is_dropped)
    RUN(an_error_frame_is_the_end_with_the_words_of_the_provider)
    RUN(an_error_frame_takes_back_no_event)
    RUN(a_frame_that_is_no_json_is_the_end)
    RUN(every_wire_gives_the_same_response_as_the_same_events)
    RUN(message_text_is_structured_if_json_was_asked_for)
    RUN(comments_pings_and_unknown_events_change_nothing)
    RUN(comments_between_the_lines_of_a_frame_change_nothing)
    RUN(unknown_fields_and_the_order_of_fields_change_nothing)
    RUN(the_kind_of_line_end_changes_nothing)
    RUN(a_byte_order_mark_and_blanks_before_the_body_change_nothing)
    RUN(the_blank_after_a_colon_changes_nothing)
    RUN(json_on_several_data_lines_changes_nothing)
    RUN(the_order_of_fields_in_a_frame_changes_nothing)
    RUN(a_200_body_that_is_no_event_stream_is_a_typed_error)
    RUN(an_object_that_is_cut_off_may_have_been_a_response)
    RUN(a_body_in_words_is_no_event_stream)
    RUN(a_body_of_one_word_or_one_value_is_no_event_stream)
    RUN(what_is_no_stream_is_so_from_its_first_byte)
    RUN(what_may_yet_become_an_event_is_an_early_end)
    RUN(words_between_events_leave_an_early_end_early)
    RUN(a_byte_order_mark_hides_no_other_body)
    RUN(an_array_is_a_body_only_if_the_shape_says_so)
    RUN(a_refusal_in_the_form_of_the_provider_is_one_typed_error)
    RUN(a_refusal_that_meets_a_limit_has_the_offset_of_its_document)
    RUN(a_refusal_may_come_after_frames_that_are_none)
    RUN(a_whole_response_under_a_status_of_refusal_is_an_error)
    RUN(any_status_from_200_to_299_is_good)
    RUN(a_content_type_is_not_believed)
    RUN(a_stream_that_gets_nothing_for_the_timeout_ends)
    RUN(the_clock_may_wrap)
    RUN(a_clock_that_steps_back_starts_the_wait_again)
    RUN(a_reset_starts_the_wait_again)
    RUN(the_first_tick_only_sets_the_time)
    RUN(a_timeout_may_be_as_long_as_its_type_allows)
    RUN(zero_turns_the_timeout_off)
    RUN(pings_comments_and_parts_of_frames_reset_the_idle_timer)
    RUN(a_frame_from_a_client_of_the_callers_own_resets_the_idle_timer)
    RUN(a_caller_who_has_not_taken_all_events_is_not_timed_out)
    RUN(a_tick_after_the_end_is_ignored)
    RUN(a_timeout_after_the_last_reason_is_finished)
    RUN(frames_of_the_callers_own_client_give_the_same)
    RUN(an_early_end_of_pushed_frames_is_early)
    RUN(pushed_frames_with_broken_data_end_the_stream)
    RUN(an_early_end_says_if_no_frame_was_of_the_shape)
    RUN(bytes_and_frames_are_not_mixed)
    RUN(frames_after_bytes_that_say_nothing_are_refused)
    RUN(an_error_that_a_shape_returns_is_of_the_kind_of_its_status)
    RUN(a_shape_may_end_the_stream_in_a_list_that_still_arrives)
    RUN(a_push_of_nothing_after_frames_is_taken_and_after_the_end_of_them_all_is_refused)
    RUN(a_pushed_frame_that_meets_a_limit_is_the_end)
    RUN(a_shape_written_outside_the_library_works)
    RUN(a_reason_that_may_change_counts_only_when_the_body_has_ended)
    RUN(a_key_that_comes_again_for_a_container_of_another_kind_is_another_value)
    RUN(a_frame_may_be_many_events_and_much_metadata)
    RUN(the_events_of_a_frame_and_their_metadata_are_limited_as_the_frame_is)
    RUN(a_frame_that_ended_the_stream_emits_nothing_more)
    RUN(a_shape_that_emits_to_no_item_does_no_harm)
    RUN(what_is_misuse_does_no_harm)
    RUN(push_after_finish_is_misuse_and_changes_nothing)
    RUN(finish_and_fail_may_come_before_all_is_taken)
    RUN(a_stream_without_a_shape_says_so_in_its_only_event)
    RUN(the_time_may_be_set_again_for_a_date_to_wait_for)
    RUN(a_zeroed_stream_may_be_freed_and_any_twice)
    RUN(nothing_is_retried)
    RUN(reset_starts_over_from_any_state)
    RUN(a_reset_forgets_how_the_body_began)
    RUN(reset_brings_a_refused_stream_back)
    RUN(an_allocator_that_moves_and_spoils_every_block_changes_nothing)
    RUN(memory_refused_at_any_call_is_one_error_or_survived)
    RUN(memory_refused_for_the_last_flushes_is_an_error)
    RUN(memory_refused_while_an_error_is_read_is_still_one_error)
    RUN(a_frame_that_needs_more_memory_than_allowed_is_an_error)
    RUN(the_offset_of_a_limit_in_a_frame_does_not_depend_on_the_cuts_before_it)
    RUN(an_endless_frame_meets_the_limit_and_not_the_end_of_memory)
    RUN(what_no_path_names_takes_no_memory)
    RUN(a_name_of_an_event_that_is_too_long_is_a_limit)
    RUN(offsets_count_from_the_first_byte_of_the_body)
    RUN(json_that_is_too_deep_is_a_limit)
    RUN(a_value_between_frames_that_meets_a_limit_is_ignored)
    RUN(a_value_between_frames_that_is_too_large_is_ignored)
    RUN(a_value_between_frames_that_meets_a_limit_does_not_cut_the_body)
    RUN(an_error_between_frames_that_meets_a_limit_is_the_error)
    RUN(a_refusal_is_read_past_a_value_that_meets_a_limit_and_in_one)
    RUN(more_open_items_or_choices_than_allowed_are_a_limit)
    RUN(an_arena_too_small_is_an_error_and_one_large_enough_is_enough)
    RUN(a_slice_of_an_event_stays_until_the_next_call)
    RUN(control_bytes_in_an_error_are_handed_on_as_they_were_meant)
    all_done();
    RUN(what_is_no_finish_reason_and_no_error_kind_is_other))
