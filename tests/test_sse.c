/* The event stream decoder against the WHATWG HTML standard, section 9.2. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "feed.h"
#include "limits.h"

typedef struct row {
    const char *name;
    const char *bytes;
    size_t size;
    const char *expected;
} row;

#define ROW(name, bytes, expected) { name, bytes, sizeof bytes - 1, expected }
#define ROWS(rows) rows, sizeof rows / sizeof *rows

static elelem_sse_decoder decoder;

/* One frame as one line: `data "x"`, `line "x"` and `LINE END`, or
   `DISPATCH event "x" id "x" retry 5`, without what is empty or not there. */

static void log_text(feed_log *log, const char *label, elelem_str text)
{
    if (text.size == 0) return;
    feed_put(log, label, strlen(label));
    feed_put(log, " \"", 2);
    feed_escaped(log, text.data, text.size);
    feed_put(log, "\"", 1);
}

static void log_end(feed_log *log, const char *label, const elelem_frame *frame)
{
    char retry[40];

    feed_close(log);
    feed_put(log, label, strlen(label));
    log_text(log, " event", frame->event);
    log_text(log, " id", frame->id);
    snprintf(retry, sizeof retry, " retry %lld", (long long)frame->retry_ms);
    if (frame->retry_ms >= 0) feed_put(log, retry, strlen(retry));
    feed_put(log, "\n", 1);
}

static void log_frame(feed_log *log, const elelem_frame *frame)
{
    switch (frame->kind) {
    case ELELEM_FRAME_DATA: feed_bytes(log, "data", frame->text.data, frame->text.size); break;
    case ELELEM_FRAME_DISPATCH: log_end(log, "DISPATCH", frame); break;
    case ELELEM_FRAME_DISCARD: log_end(log, "DISCARD", frame); break;
    default:
        if (frame->text.size > 0 || !frame->line_end) feed_bytes(log, "line", frame->text.data, frame->text.size);
        if (frame->line_end) feed_line(log, "LINE END");
        break;
    }
}

/* The decoder as feed.h wants it. */

static void start(void *object)
{
    elelem_sse_decoder_reset((elelem_sse_decoder *)object);
}

static elelem_status push(void *object, const void *bytes, size_t size)
{
    return elelem_sse_decoder_push((elelem_sse_decoder *)object, bytes, size);
}

static elelem_status take(void *object, feed_log *log)
{
    elelem_frame frame;
    elelem_status status = elelem_sse_decoder_next((elelem_sse_decoder *)object, &frame);

    if (status == ELELEM_OK) log_frame(log, &frame);
    return status;
}

static void finish(void *object)
{
    elelem_sse_decoder_finish((elelem_sse_decoder *)object);
}

static elelem_error error(const void *object)
{
    return elelem_sse_decoder_error((const elelem_sse_decoder *)object);
}

static const feed_object fed = { &decoder, start, push, take, finish, error };

static void check_rows_with(const elelem_sse_decoder_desc *desc, const row *rows, size_t count)
{
    size_t i;

    elelem_sse_decoder_init(&decoder, desc);
    for (i = 0; i < count; i++) {
        check_context(rows[i].name);
        FEED(&fed, rows[i].bytes, rows[i].size, rows[i].expected);
    }
    elelem_sse_decoder_free(&decoder);
}

static void check_rows(const row *rows, size_t count)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    check_rows_with(&desc, rows, count);
}

/* Memory for so many calls; if the number is negative, for any number. */
static elelem_sse_decoder_desc metered(limits_heap *heap, int calls)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    memset(heap, 0, sizeof *heap);
    heap->refuse = calls < 0 ? 0 : calls + 1;
    heap->stays = 1;
    desc.allocator = limits_allocator(heap);
    return desc;
}

static elelem_status push_text(const char *text)
{
    return elelem_sse_decoder_push(&decoder, text, strlen(text));
}

/* Takes all frames into feed_now, and returns what next returns then. */
static elelem_status drain(void)
{
    elelem_status status;

    do
        status = take(&decoder, &feed_now);
    while (status == ELELEM_OK);
    feed_close(&feed_now);
    return status;
}

static void begin_log(void)
{
    feed_now.size = 0;
    feed_now.in_text = 0;
}

#define CHECK_LOG(expected) CHECK_STR(feed_now.text, feed_now.size, expected)

/* Fields. */

TEST(each_field_sets_what_the_standard_says)
{
    static const row rows[] = {
        ROW("nothing", "", "END\n"),
        ROW("data", "data: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("only the first space goes", "data:  a \n\n", "data \" a \"\nDISPATCH\nEND\n"),
        ROW("no space", "data:a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("a tab is no space", "data:\ta\n\n", "data \"\\ta\"\nDISPATCH\nEND\n"),
        ROW("colons in the value", "data::a: b\n\n", "data \":a: b\"\nDISPATCH\nEND\n"),
        ROW("event", "event: e\ndata: a\n\n", "data \"a\"\nDISPATCH event \"e\"\nEND\n"),
        ROW("last event wins", "event: longer\nevent: e\ndata: a\n\n", "data \"a\"\nDISPATCH event \"e\"\nEND\n"),
        ROW("event with NUL", "event: e\0f\ndata: a\n\n", "data \"a\"\nDISPATCH event \"e\\000f\"\nEND\n"),
        ROW("id", "id: 7\ndata: a\n\n", "data \"a\"\nDISPATCH id \"7\"\nEND\n"),
        ROW("retry", "retry: 1500\ndata: a\n\n", "data \"a\"\nDISPATCH retry 1500\nEND\n"),
        ROW("several lines", "data: a\ndata: b\ndata\ndata: c\n\n", "data \"a\\nb\\n\\nc\"\nDISPATCH\nEND\n"),
        ROW("comments go", ": x\ndata: a\n:\n:data: b\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("field names have one spelling", "Data: a\nDATA: a\n data: a\ndata : a\n\n", "END\n"),
        ROW("unknown fields go", "dat: 1\ndatax: 2\nidx: 3\ni\nfoo\nretr\nevents: 4\ndata: a\n\n",
            "data \"a\"\nDISPATCH\nEND\n"),
        ROW("spans of many words", "data: 0123456789abcdef0123456789abcdef01\tx\ndata: 0123456789abcde\r\n\n",
            "data \"0123456789abcdef0123456789abcdef01\\tx\\n0123456789abcde\"\nDISPATCH\nEND\n"),
        ROW("bytes that are no UTF-8", "data: \xff\xc3\n\n", "data \"\xff\xc3\"\nDISPATCH\nEND\n"),
        ROW("NUL in data", "data: a\0b\n\n", "data \"a\\000b\"\nDISPATCH\nEND\n")
    };
    check_rows(ROWS(rows));
}

TEST(an_event_name_lasts_until_the_blank_line)
{
    static const row rows[] = {
        ROW("not into the next event", "event: e\ndata: a\n\ndata: b\n\n",
            "data \"a\"\nDISPATCH event \"e\"\ndata \"b\"\nDISPATCH\nEND\n"),
        ROW("reset without data too", "event: e\n\ndata: b\n\n", "data \"b\"\nDISPATCH\nEND\n"),
        ROW("an empty name takes it back", "event: e\nevent\ndata: a\n\n", "data \"a\"\nDISPATCH\nEND\n")
    };
    check_rows(ROWS(rows));
}

TEST(an_id_stays_until_another_comes)
{
    static const row rows[] = {
        ROW("over events", "id: 1\ndata: a\n\ndata: b\n\n",
            "data \"a\"\nDISPATCH id \"1\"\ndata \"b\"\nDISPATCH id \"1\"\nEND\n"),
        ROW("set without data", "id: 1\n\ndata: b\n\n", "data \"b\"\nDISPATCH id \"1\"\nEND\n"),
        ROW("the last of two", "id: 12\nid: 3\ndata: b\n\n", "data \"b\"\nDISPATCH id \"3\"\nEND\n"),
        ROW("taken back by an empty one", "id: 1\n\nid\ndata: b\n\n", "data \"b\"\nDISPATCH\nEND\n"),
        ROW("beside names", "id: 1\nevent: e\ndata: a\n\nevent: longer name\nid: 22\nevent: f\ndata: b\n\n",
            "data \"a\"\nDISPATCH event \"e\" id \"1\"\ndata \"b\"\nDISPATCH event \"f\" id \"22\"\nEND\n")
    };
    check_rows(ROWS(rows));
}

TEST(an_id_takes_effect_at_its_blank_line)
{
    static const row rows[] = {
        ROW("cut before it", "id: 1\ndata: a\n\nid: 2\ndata: b\n",
            "data \"a\"\nDISPATCH id \"1\"\ndata \"b\"\nDISCARD id \"1\"\nEND\n"),
        ROW("cut behind two", "id: 1\ndata: a\n\nid: 2\nid: 3\n",
            "data \"a\"\nDISPATCH id \"1\"\nDISCARD id \"1\"\nEND\n"),
        ROW("cut inside the id", "id: 1\ndata: a\n\nid: 2", "data \"a\"\nDISPATCH id \"1\"\nDISCARD id \"1\"\nEND\n")
    };
    check_rows(ROWS(rows));
}

TEST(id_and_retry_can_be_read_without_an_event)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    elelem_sse_decoder_init(&decoder, &desc);
    begin_log();
    CHECK_INT(elelem_sse_decoder_retry_ms(&decoder), -1);
    push_text("retry: 12\nid: abc\n");
    CHECK_INT(drain(), ELELEM_MORE);
    CHECK_INT(elelem_sse_decoder_retry_ms(&decoder), 12);
    CHECK_STR(elelem_sse_decoder_last_id(&decoder).data, elelem_sse_decoder_last_id(&decoder).size, "");
    push_text("\n");
    CHECK_INT(drain(), ELELEM_MORE);
    CHECK_STR(elelem_sse_decoder_last_id(&decoder).data, elelem_sse_decoder_last_id(&decoder).size, "abc");
    CHECK_LOG("");
    elelem_sse_decoder_free(&decoder);
}

TEST(names_and_ids_keep_their_bytes_while_the_memory_for_them_grows)
{
    char bytes[4000];
    char expected[4000];
    char name[700];
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    snprintf(bytes, sizeof bytes,
             "id: 1\n\nid: %.20s\nevent: %.80s\ndata: a\n\nevent: %.300s\nid: 2\nevent: %s\ndata: b\n\n", name, name,
             name, name);
    snprintf(expected, sizeof expected,
             "data \"a\"\nDISPATCH event \"%.80s\" id \"%.20s\"\ndata \"b\"\nDISPATCH event \"%s\" id \"2\"\nEND\n",
             name, name, name);
    elelem_sse_decoder_init(&decoder, &desc);
    FEED(&fed, bytes, strlen(bytes), expected);
    elelem_sse_decoder_free(&decoder);
}

/* S1 to S10 of docs/threats.md. */

TEST(S1_a_line_without_end_meets_its_limit_or_costs_no_memory)
{
    static const row limits[] = {
        ROW("data", "data: 12345678901234567890", "data \"1234567890\"\nERROR_FRAME_SIZE at 16\n"),
        ROW("data just fits", "data: 1234567890\n\n", "data \"1234567890\"\nDISPATCH\nEND\n"),
        ROW("event", "event: 123456789", "ERROR_LINE_SIZE at 15\n"),
        ROW("event just fits", "event: 12345678\ndata: a\n\n", "data \"a\"\nDISPATCH event \"12345678\"\nEND\n"),
        ROW("id", "data: a\nid:123456789", "data \"a\"\nERROR_LINE_SIZE at 19\n"),
        ROW("id just fits", "id:12345678\ndata: a\n\n", "data \"a\"\nDISPATCH id \"12345678\"\nEND\n"),
        ROW("NUL comes before the limit", "id:1234567\000" "999\ndata: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("NUL comes behind the limit", "id:12345678\000" "999\n", "ERROR_LINE_SIZE at 11\n"),
        ROW("retry", "retry: 00000000000000000005\ndata: a\n\n", "data \"a\"\nDISPATCH retry 5\nEND\n")
    };
    static const char *const free_of_charge[] = { ": ",        "unknown",  "unknown: ", "dat",
                                                  "databank: ", "retry: 1", "id:" };
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    limits_heap heap;
    size_t i;
    int piece;

    desc.max_name_bytes = 8;
    desc.max_data_bytes = 10;
    check_rows_with(&desc, ROWS(limits));
    for (i = 0; i < sizeof free_of_charge / sizeof *free_of_charge; i++) {
        check_context(free_of_charge[i]);
        desc = metered(&heap, 0);
        elelem_sse_decoder_init(&decoder, &desc);
        begin_log();
        push_text(free_of_charge[i]);
        CHECK_INT(drain(), ELELEM_MORE);
        if (strcmp(free_of_charge[i], "id:") == 0) {
            elelem_sse_decoder_push(&decoder, "", 1);
            CHECK_INT(drain(), ELELEM_MORE);
        }
        for (piece = 0; piece < 1000; piece++) {
            push_text("99999999999999999999999999999999999999999999999999999999999999999999999999999");
            if (!CHECK_INT(drain(), ELELEM_MORE)) return;
        }
        CHECK_INT(heap.peak, 0);
        elelem_sse_decoder_free(&decoder);
    }
}

TEST(S1_the_default_limit_of_a_name_is_4096_bytes)
{
    static char bytes[4200];
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    limits_heap heap;

    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, "event:", 6);
    elelem_sse_decoder_init(&decoder, &desc);
    FEED(&fed, bytes, sizeof bytes, "ERROR_LINE_SIZE at 4102\n");
    elelem_sse_decoder_free(&decoder);
    desc = metered(&heap, -1);
    elelem_sse_decoder_init(&decoder, &desc);
    FEED(&fed, bytes, sizeof bytes, "ERROR_LINE_SIZE at 4102\n");
    CHECK(heap.peak <= 4 * 4096);
    elelem_sse_decoder_free(&decoder);
    CHECK_INT(heap.live, 0);
}

TEST(S2_the_line_ends_between_data_lines_count)
{
    static const row rows[] = {
        ROW("empty lines", "data:\ndata:\ndata:\ndata:\ndata:\n", "data \"\\n\\n\\n\"\nERROR_FRAME_SIZE at 28\n"),
        ROW("names alone", "data\ndata\ndata\ndata\ndata\n", "data \"\\n\\n\\n\"\nERROR_FRAME_SIZE at 24\n"),
        ROW("just fits", "data:\ndata:\ndata:\ndata:\n\n", "data \"\\n\\n\\n\"\nDISPATCH\nEND\n"),
        ROW("the LF is too many", "data: abc\ndata\n\n", "data \"abc\"\nERROR_FRAME_SIZE at 14\n"),
        ROW("the byte behind it is", "data: ab\ndata: c\n\n", "data \"ab\\n\"\nERROR_FRAME_SIZE at 15\n"),
        ROW("each event counts anew", "data: abc\n\ndata:abc\n\n",
            "data \"abc\"\nDISPATCH\ndata \"abc\"\nDISPATCH\nEND\n")
    };
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    desc.max_data_bytes = 3;
    check_rows_with(&desc, ROWS(rows));
}

TEST(S2_a_million_empty_data_lines_end_at_the_limit)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    elelem_frame frame;
    elelem_status status = ELELEM_MORE;
    size_t line;

    desc.max_data_bytes = 500000;
    elelem_sse_decoder_init(&decoder, &desc);
    for (line = 0; line < 1000000 && status == ELELEM_MORE; line++) {
        push_text("data:\n");
        while ((status = elelem_sse_decoder_next(&decoder, &frame)) == ELELEM_OK)
            continue;
    }
    CHECK_INT(status, ELELEM_ERROR_FRAME_SIZE);
    CHECK_U64(elelem_sse_decoder_error(&decoder).offset, 500001 * 6 + 4);
    elelem_sse_decoder_free(&decoder);
}

TEST(S3_data_goes_out_in_slices_of_the_push_without_memory)
{
    static char piece[256];
    elelem_sse_decoder_desc desc;
    elelem_frame frame;
    limits_heap heap;
    int i;

    desc = metered(&heap, 0);
    memset(piece, 'x', sizeof piece);
    elelem_sse_decoder_init(&decoder, &desc);
    begin_log();
    push_text("data: ");
    CHECK_INT(drain(), ELELEM_MORE);
    for (i = 0; i < 8192; i++) {
        elelem_sse_decoder_push(&decoder, piece, sizeof piece);
        if (!CHECK_INT(elelem_sse_decoder_next(&decoder, &frame), ELELEM_OK)) return;
        CHECK_INT(frame.kind, ELELEM_FRAME_DATA);
        CHECK(frame.text.data == piece && frame.text.size == sizeof piece);
        CHECK_INT(elelem_sse_decoder_next(&decoder, &frame), ELELEM_MORE);
    }
    push_text("\n\n");
    CHECK_INT(drain(), ELELEM_MORE);
    CHECK_LOG("DISPATCH\n");
    elelem_sse_decoder_free(&decoder);
}

TEST(S4_cr_lf_and_crlf_each_end_one_line)
{
    static const row rows[] = {
        ROW("lf", "data: a\ndata: b\n\n", "data \"a\\nb\"\nDISPATCH\nEND\n"),
        ROW("cr", "data: a\rdata: b\r\r", "data \"a\\nb\"\nDISPATCH\nEND\n"),
        ROW("crlf", "data: a\r\ndata: b\r\n\r\n", "data \"a\\nb\"\nDISPATCH\nEND\n"),
        ROW("cr cr lf", "data: a\r\r\ndata: b\r\r\n", "data \"a\"\nDISPATCH\ndata \"b\"\nDISPATCH\nEND\n"),
        ROW("lf cr", "data: a\n\rdata: b\n\r", "data \"a\"\nDISPATCH\ndata \"b\"\nDISPATCH\nEND\n"),
        ROW("mixed", "event: e\rid: 1\r\ndata: a\n\rdata\r\n\r",
            "data \"a\"\nDISPATCH event \"e\" id \"1\"\nDISPATCH id \"1\"\nEND\n"),
        ROW("behind retry", "retry: 5\rretry: 6\r\ndata: a\r\r", "data \"a\"\nDISPATCH retry 6\nEND\n"),
        ROW("behind comments and unknown fields", ":\r:\r\nfoo\rfoo\r\ndata: a\r\r", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("behind names alone", "event\revent\r\nid\rretry\rdata\rdata\r\r", "data \"\\n\"\nDISPATCH\nEND\n"),
        ROW("blank lines alone", "\n\r\r\n\n\r", "END\n")
    };
    check_rows(ROWS(rows));
}

TEST(S5_no_other_character_ends_a_line)
{
    static const row rows[] = {
        ROW("U+2028", "data: a\xe2\x80\xa8" "b\n\n", "data \"a\xe2\x80\xa8" "b\"\nDISPATCH\nEND\n"),
        ROW("U+2029", "data: a\xe2\x80\xa9" "b\n\n", "data \"a\xe2\x80\xa9" "b\"\nDISPATCH\nEND\n"),
        ROW("U+0085", "data: a\xc2\x85" "b\n\n", "data \"a\xc2\x85" "b\"\nDISPATCH\nEND\n"),
        ROW("VT", "data: a\vb\n\n", "data \"a\\013b\"\nDISPATCH\nEND\n"),
        ROW("FF", "data: a\fb\n\n", "data \"a\\014b\"\nDISPATCH\nEND\n"),
        ROW("in a name", "event: a\vb\ndata:\n\n", "DISPATCH event \"a\\013b\"\nEND\n")
    };
    check_rows(ROWS(rows));
}

TEST(S6_only_one_byte_order_mark_at_the_start_is_skipped)
{
    static const row rows[] = {
        ROW("at the start", "\xef\xbb\xbf" "data: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("twice", "\xef\xbb\xbf\xef\xbb\xbf" "data: a\ndata: b\n\n", "data \"b\"\nDISPATCH\nEND\n"),
        ROW("on the second line", "\n\xef\xbb\xbf" "data: a\ndata: b\n\n", "data \"b\"\nDISPATCH\nEND\n"),
        ROW("behind a comment", ":\n\xef\xbb\xbf" "data: a\n\n", "END\n"),
        ROW("two of its bytes", "\xef\xbb" "data: a\ndata: b\n\n", "data \"b\"\nDISPATCH\nEND\n"),
        ROW("one of its bytes", "\xef" "data: a\n\n", "END\n"),
        ROW("before a blank line", "\xef\xbb\xbf\ndata: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("alone", "\xef\xbb\xbf", "END\n"),
        ROW("cut off", "\xef\xbb", "END\n")
    };
    check_rows(ROWS(rows));
}

TEST(S7_an_id_with_nul_and_a_retry_with_more_than_digits_are_ignored)
{
    static const row rows[] = {
        ROW("nul in an id", "id: 1\nid: 2\0003\ndata: a\n\n", "data \"a\"\nDISPATCH id \"1\"\nEND\n"),
        ROW("nul first", "id:\0\ndata: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("exponent", "retry: 7\nretry: 1e9\ndata: a\n\n", "data \"a\"\nDISPATCH retry 7\nEND\n"),
        ROW("plus", "retry: +5\ndata: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("minus", "retry: -5\ndata: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("second space", "retry:  5\ndata: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("trailing space", "retry: 5 \ndata: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("no digits", "retry: 7\nretry:\nretry\nretry: \ndata: a\n\n", "data \"a\"\nDISPATCH retry 7\nEND\n"),
        ROW("full width", "retry: \xef\xbc\x91\ndata: a\n\n", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("zero", "retry: 0\ndata: a\n\n", "data \"a\"\nDISPATCH retry 0\nEND\n"),
        ROW("leading zeros", "retry: 0000000000000000000000000000012\ndata: a\n\n",
            "data \"a\"\nDISPATCH retry 12\nEND\n"),
        ROW("the largest", "retry: 9223372036854775807\ndata\n\n", "DISPATCH retry 9223372036854775807\nEND\n"),
        ROW("one more", "retry: 9223372036854775808\ndata\n\n", "DISPATCH retry 9223372036854775807\nEND\n"),
        ROW("thirty digits", "retry: 100000000000000000000000000000\ndata\n\n",
            "DISPATCH retry 9223372036854775807\nEND\n"),
        ROW("stays over events", "retry: 5\n\ndata\n\ndata\n\n", "DISPATCH retry 5\nDISPATCH retry 5\nEND\n")
    };
    check_rows(ROWS(rows));
}

TEST(S8_a_data_line_dispatches_even_when_empty_and_nothing_else_does)
{
    static const row rows[] = {
        ROW("data", "data\n\n", "DISPATCH\nEND\n"),
        ROW("data and colon", "data:\n\n", "DISPATCH\nEND\n"),
        ROW("data, colon, space", "data: \n\n", "DISPATCH\nEND\n"),
        ROW("two of them", "data\ndata\n\n", "data \"\\n\"\nDISPATCH\nEND\n"),
        ROW("event alone", "event:\n\nevent: e\n\n", "END\n"),
        ROW("id alone", "id: 1\n\n", "END\n"),
        ROW("retry alone", "retry: 1\n\n", "END\n")
    };
    check_rows(ROWS(rows));
}

TEST(S8_an_event_without_its_blank_line_is_never_whole)
{
    static const row rows[] = {
        ROW("inside data", "data: a", "data \"a\"\nDISCARD\nEND\n"),
        ROW("behind data", "data: a\n", "data \"a\"\nDISCARD\nEND\n"),
        ROW("behind its cr", "data: a\r", "data \"a\"\nDISCARD\nEND\n"),
        ROW("behind the colon", "data:", "DISCARD\nEND\n"),
        ROW("behind the space", "data: ", "DISCARD\nEND\n"),
        ROW("behind the name", "data", "DISCARD\nEND\n"),
        ROW("inside the name", "dat", "END\n"),
        ROW("in the next event's name", "data: a\n\nev", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("with a name", "event: e\ndata: a\n", "data \"a\"\nDISCARD event \"e\"\nEND\n"),
        ROW("a cut name is no name", "event: e\ndata: a\nevent: fo", "data \"a\"\nDISCARD event \"e\"\nEND\n"),
        ROW("a cut retry is no retry", "data: a\nretry: 10", "data \"a\"\nDISCARD\nEND\n"),
        ROW("no data", "id: 1\n", "DISCARD\nEND\n"),
        ROW("a whole one and a comment", "data: a\n\n: x", "data \"a\"\nDISPATCH\nEND\n"),
        ROW("a comment inside", "data: a\n: x", "data \"a\"\nDISCARD\nEND\n"),
        ROW("a whole one and unknown fields", "data: a\n\nfoo: x\n", "data \"a\"\nDISPATCH\nEND\n")
    };
    check_rows(ROWS(rows));
}

TEST(S9_a_body_that_is_no_event_stream_gives_no_event)
{
    static const row rows[] = {
        ROW("html", "<!DOCTYPE html>\n<html>\n\n</html>\n", "END\n"),
        ROW("json", "{\n  \"error\": {\n    \"code\": 503\n  }\n}", "END\n"),
        ROW("gzip", "\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\r\n\xcd\xc9\0", "END\n")
    };
    check_rows(ROWS(rows));
}

TEST(S10_fields_may_follow_the_data)
{
    static char bytes[(1 << 20) + 100];
    static const char tail[] = "\nid: 7\nretry: 9\nevent: e\n\n";
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    elelem_frame frame;
    size_t i;

    elelem_sse_decoder_init(&decoder, &desc);
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, "data: ", 6);
    memcpy(bytes + sizeof bytes - sizeof tail, tail, sizeof tail);
    for (i = 0; i + 1 < sizeof bytes; i++) {
        elelem_sse_decoder_push(&decoder, bytes + i, 1);
        while (elelem_sse_decoder_next(&decoder, &frame) == ELELEM_OK)
            continue;
    }
    CHECK_INT(frame.kind, ELELEM_FRAME_DISPATCH);
    CHECK_STR(frame.event.data, frame.event.size, "e");
    CHECK_STR(frame.id.data, frame.id.size, "7");
    CHECK_INT(frame.retry_ms, 9);
    FEED(&fed, "data: a\nid: 7\nevent: e\n\n", 24, "data \"a\"\nDISPATCH event \"e\" id \"7\"\nEND\n");
    FEED(&fed, "event: e\nid: 7\ndata: a\n\n", 24, "data \"a\"\nDISPATCH event \"e\" id \"7\"\nEND\n");
    elelem_sse_decoder_free(&decoder);
}

/* Promptness: what is known at a byte is returned before the next byte is pushed. */

TEST(what_is_known_at_a_byte_is_returned_before_the_next) /* S4 */
{
    static const row rows[] = {
        ROW("one byte of data", "data: a", "data \"a\"\n"),
        ROW("data without the space", "data:a", "data \"a\"\n"),
        ROW("the LF between, at the colon", "data: a\ndata:", "data \"a\\n\"\n"),
        ROW("the LF between, at the line end", "data: a\ndata\r", "data \"a\\n\"\n"),
        ROW("a bare CR closes the event", "data: a\r\r", "data \"a\"\nDISPATCH\n"),
        ROW("the CR of a CRLF does too", "data: a\r\n\r", "data \"a\"\nDISPATCH\n"),
        ROW("a line that cannot be data any more", "dax", "line \"dax\"\n"),
        ROW("a line that can", "dat", ""),
        ROW("a line's end", "dax\r", "line \"dax\"\nLINE END\n")
    };
    elelem_sse_decoder_desc desc = ELELEM_INIT;
    size_t i;

    desc.lines = 1;
    elelem_sse_decoder_init(&decoder, &desc);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_context(rows[i].name);
        begin_log();
        push_text(rows[i].bytes);
        CHECK_INT(drain(), ELELEM_MORE);
        CHECK_LOG(rows[i].expected);
        elelem_sse_decoder_reset(&decoder);
    }
    elelem_sse_decoder_free(&decoder);
}

/* Lines that are no field. */

TEST(lines_that_are_no_field_are_returned_on_request)
{
    static const row rows[] = {
        ROW("json", "{\r\n  \"error\": {\n\"code\": 503,\n}\n}",
            "line \"{\"\nLINE END\nline \"  \\\"error\\\": {\"\nLINE END\nline \"\\\"code\\\": 503,\"\nLINE END\n"
            "line \"}\"\nLINE END\nline \"}\"\nLINE END\nEND\n"),
        ROW("html", "<html>\n", "line \"<html>\"\nLINE END\nEND\n"),
        ROW("unknown fields", "foo: x\nbar\n", "line \"foo: x\"\nLINE END\nline \"bar\"\nLINE END\nEND\n"),
        ROW("names that begin like fields", "dat\ndatabank: x\nidea\nevent : x\nretr",
            "line \"dat\"\nLINE END\nline \"databank: x\"\nLINE END\nline \"idea\"\nLINE END\n"
            "line \"event : x\"\nLINE END\nline \"retr\"\nLINE END\nEND\n"),
        ROW("comments never", ": x\n:\n", "END\n"),
        ROW("values that are ignored never", "id: \0x\nretry: x\n\n", "END\n"),
        ROW("fields do their work", "data: a\n{}\nevent: e\n\n",
            "data \"a\"\nline \"{}\"\nLINE END\nDISPATCH event \"e\"\nEND\n"),
        ROW("one byte of a BOM", "\xef" "data: a\n", "line \"\xef" "data: a\"\nLINE END\nEND\n"),
        ROW("two bytes of a BOM", "\xef\xbb{}\n", "line \"\xef\xbb{}\"\nLINE END\nEND\n"),
        ROW("a cut BOM", "\xef\xbb", "line \"\xef\xbb\"\nLINE END\nEND\n"),
        ROW("a second BOM", "\xef\xbb\xbf\xef\xbb\xbf{\n", "line \"\xef\xbb\xbf{\"\nLINE END\nEND\n"),
        ROW("a cut field is a field", "data", "DISCARD\nEND\n"),
        ROW("a cut line inside an event", "data: a\n{", "data \"a\"\nline \"{\"\nLINE END\nDISCARD\nEND\n")
    };
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    desc.lines = 1;
    check_rows_with(&desc, ROWS(rows));
}

/* Callers and memory. */

TEST(a_push_while_bytes_are_pending_changes_nothing)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    elelem_sse_decoder_init(&decoder, &desc);
    begin_log();
    CHECK_INT(push_text("data: a\n"), ELELEM_OK);
    CHECK_INT(push_text("data: b\n"), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_sse_decoder_error(&decoder).status, ELELEM_OK);
    CHECK_INT(drain(), ELELEM_MORE);
    CHECK_INT(elelem_sse_decoder_push(&decoder, NULL, 0), ELELEM_OK);
    CHECK_INT(push_text("data: b\n\n"), ELELEM_OK);
    elelem_sse_decoder_finish(&decoder);
    elelem_sse_decoder_finish(&decoder);
    CHECK_INT(push_text("data: c\n"), ELELEM_ERROR_MISUSE);
    CHECK_INT(drain(), ELELEM_END);
    CHECK_INT(push_text("data: c\n\n"), ELELEM_ERROR_MISUSE);
    CHECK_INT(drain(), ELELEM_END);
    CHECK_LOG("data \"a\"\ndata \"\\nb\"\nDISPATCH\n");
    elelem_sse_decoder_free(&decoder);
}

TEST(reset_starts_over_in_every_state_and_keeps_the_memory)
{
    static const char *const before[] = { "event: e\nid: 1\n\nretry: 5\ndata: a", "data: a\nid: 123456789",
                                          "id: 1\r", "\xef" };
    elelem_sse_decoder_desc desc;
    limits_heap heap;
    size_t i;

    desc = metered(&heap, 2);
    desc.max_name_bytes = 8;
    elelem_sse_decoder_init(&decoder, &desc);
    for (i = 0; i < sizeof before / sizeof *before; i++) {
        check_context(before[i]);
        push_text(before[i]);
        if (i != 2) drain();
        elelem_sse_decoder_finish(&decoder);
        elelem_sse_decoder_reset(&decoder);
        CHECK_INT(elelem_sse_decoder_error(&decoder).status, ELELEM_OK);
        CHECK_INT(elelem_sse_decoder_retry_ms(&decoder), -1);
        CHECK_INT(elelem_sse_decoder_last_id(&decoder).size, 0);
        begin_log();
        push_text("\xef\xbb\xbf" "event: f\ndata: b\n\n");
        CHECK_INT(drain(), ELELEM_MORE);
        CHECK_LOG("data \"b\"\nDISPATCH event \"f\"\n");
    }
    elelem_sse_decoder_free(&decoder);
    CHECK_INT(heap.live, 0);
}

TEST(a_refused_allocation_is_an_error_that_sticks_and_leaks_nothing)
{
    static const char bytes[] = "event: 0123456789012345678901234567890123456789\nid: "
                                "0123456789012345678901234567890123456789012345678901234567890123456789\ndata: a\n\n";
    elelem_sse_decoder_desc desc;
    limits_heap heap;
    int left;
    elelem_status status = ELELEM_ERROR_MEMORY;

    for (left = 0; status != ELELEM_MORE; left++) {
        desc = metered(&heap, left);
        elelem_sse_decoder_init(&decoder, &desc);
        begin_log();
        push_text(bytes);
        status = drain();
        if (status != ELELEM_MORE) {
            CHECK_INT(status, ELELEM_ERROR_MEMORY);
            CHECK_INT(drain(), ELELEM_ERROR_MEMORY);
            CHECK_INT(push_text(bytes), ELELEM_ERROR_MEMORY);
            CHECK_LOG("");
        }
        elelem_sse_decoder_free(&decoder);
        CHECK_INT(heap.live, 0);
    }
    CHECK(left > 2);
}

TEST(a_zeroed_decoder_may_be_freed_and_a_freed_one_used_again)
{
    elelem_sse_decoder_desc desc = ELELEM_INIT;

    memset(&decoder, 0, sizeof decoder);
    elelem_sse_decoder_free(&decoder);
    elelem_sse_decoder_init(&decoder, &desc);
    FEED(&fed, "event: e\ndata: a\n\n", 18, "data \"a\"\nDISPATCH event \"e\"\nEND\n");
    elelem_sse_decoder_free(&decoder);
    elelem_sse_decoder_free(&decoder);
    elelem_sse_decoder_init(&decoder, &desc);
    FEED(&fed, "event: e\ndata: a\n\n", 18, "data \"a\"\nDISPATCH event \"e\"\nEND\n");
    elelem_sse_decoder_free(&decoder);
}

TEST(a_freed_decoder_is_misuse_until_init)
{
    elelem_frame frame;

    memset(&decoder, 0xa5, sizeof decoder);
    elelem_sse_decoder_init(&decoder, NULL);
    CHECK_INT(elelem_sse_decoder_push(&decoder, "data: a\n\n", 9), ELELEM_OK);
    CHECK_INT(elelem_sse_decoder_next(&decoder, &frame), ELELEM_OK);
    elelem_sse_decoder_free(&decoder);
    CHECK_INT(elelem_sse_decoder_push(&decoder, "data: a\n\n", 9), ELELEM_ERROR_MISUSE);
    CHECK_INT(elelem_sse_decoder_next(&decoder, &frame), ELELEM_ERROR_MISUSE);
}

TEST(a_decoder_is_small)
{
    CHECK(sizeof(elelem_sse_decoder) < 200);
}

static elelem_status write_event(elelem_span_sink *span, const char *name, const char *id, const char *data)
{
    return elelem_sse_write_event(elelem_span_sink_of(span), elelem_str_of(name), elelem_str_of(id), elelem_str_of(data));
}

TEST(an_event_of_an_event_stream_is_written_line_by_line)
{
    char text[200];
    elelem_span_sink span = ELELEM_INIT;

    span.data = text;
    span.capacity = sizeof text;
    CHECK_INT(write_event(&span, "delta", "7", "a\nb\r\nc\rd"), ELELEM_OK);
    CHECK_INT(write_event(&span, "", "", ""), ELELEM_OK);
    CHECK_INT(write_event(&span, "", "", "\n"), ELELEM_OK);
    CHECK_STR(text, span.size, "event: delta\nid: 7\ndata: a\ndata: b\ndata: c\ndata: d\n\ndata: \n\ndata: \ndata: \n\n");
    CHECK_INT(write_event(&span, "a\nb", "", ""), ELELEM_ERROR_MISUSE);
    CHECK_INT(write_event(&span, "", "a\rb", ""), ELELEM_ERROR_MISUSE);
    CHECK_INT(write_event(&span, "\n", "", ""), ELELEM_ERROR_MISUSE);
    CHECK_INT(write_event(&span, "", "\r", ""), ELELEM_ERROR_MISUSE);
    CHECK_INT(write_event(&span, "", "", ""), ELELEM_OK);
}

TEST(each_kind_of_line_end_is_one_line_feed_also_as_the_last_of_the_data)
{
    static const char *const ends[] = { "\n", "\r", "\r\n" };
    size_t i;

    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[100], data[10];
        elelem_span_sink span = ELELEM_INIT;
        span.data = text;
        span.capacity = sizeof text;
        snprintf(data, sizeof data, "a%s", ends[i]);
        CHECK_INT(write_event(&span, "", "", data), ELELEM_OK);
        CHECK_STR(text, span.size, "data: a\ndata: \n\n");
    }
}

TEST(a_written_event_ends_at_the_byte_that_the_sink_refuses)
{
    static const char whole[] = "event: n\nid: 7\ndata: a\ndata: b\n\n";
    char text[sizeof whole];
    size_t room;

    for (room = 0; room < sizeof whole - 1; room++) {
        elelem_span_sink span = ELELEM_INIT;
        span.data = text;
        span.capacity = room;
        CHECK_INT(write_event(&span, "n", "7", "a\nb"), ELELEM_ERROR_VALUE_SIZE);
        CHECK_BYTES(text, span.size, whole, span.size);
        CHECK(span.size < sizeof whole - 1);
    }
}

TEST(an_event_with_a_zero_byte_in_its_id_is_not_written)
{
    char text[64];
    elelem_span_sink span = ELELEM_INIT;
    elelem_str id;

    span.data = text;
    span.capacity = sizeof text;
    id.data = "a\0b";
    id.size = 3;
    CHECK_INT(elelem_sse_write_event(elelem_span_sink_of(&span), elelem_str_of(""), id, elelem_str_of("x")), ELELEM_ERROR_MISUSE);
    CHECK_INT(span.size, 0);
}

TEST(data_that_ends_with_a_carriage_return_has_an_empty_last_line)
{
    char text[64];
    elelem_span_sink span = ELELEM_INIT;

    span.data = text;
    span.capacity = sizeof text;
    CHECK_INT(write_event(&span, "", "", "a\r"), ELELEM_OK);
    CHECK_STR(text, span.size, "data: a\ndata: \n\n");
}

CHECK_MAIN("sse",
    RUN(each_field_sets_what_the_standard_says)
    RUN(an_event_name_lasts_until_the_blank_line)
    RUN(an_id_stays_until_another_comes)
    RUN(an_id_takes_effect_at_its_blank_line)
    RUN(id_and_retry_can_be_read_without_an_event)
    RUN(names_and_ids_keep_their_bytes_while_the_memory_for_them_grows)
    RUN(S1_a_line_without_end_meets_its_limit_or_costs_no_memory)
    RUN(S1_the_default_limit_of_a_name_is_4096_bytes)
    RUN(S2_the_line_ends_between_data_lines_count)
    RUN(S2_a_million_empty_data_lines_end_at_the_limit)
    RUN(S3_data_goes_out_in_slices_of_the_push_without_memory)
    RUN(S4_cr_lf_and_crlf_each_end_one_line)
    RUN(S5_no_other_character_ends_a_line)
    RUN(S6_only_one_byte_order_mark_at_the_start_is_skipped)
    RUN(S7_an_id_with_nul_and_a_retry_with_more_than_digits_are_ignored)
    RUN(S8_a_data_line_dispatches_even_when_empty_and_nothing_else_does)
    RUN(S8_an_event_without_its_blank_line_is_never_whole)
    RUN(S9_a_body_that_is_no_event_stream_gives_no_event)
    RUN(S10_fields_may_follow_the_data)
    RUN(what_is_known_at_a_byte_is_returned_before_the_next)
    RUN(lines_that_are_no_field_are_returned_on_request)
    RUN(a_push_while_bytes_are_pending_changes_nothing)
    RUN(reset_starts_over_in_every_state_and_keeps_the_memory)
    RUN(a_refused_allocation_is_an_error_that_sticks_and_leaks_nothing)
    RUN(a_zeroed_decoder_may_be_freed_and_a_freed_one_used_again)
    RUN(a_freed_decoder_is_misuse_until_init)
    RUN(a_decoder_is_small)
    RUN(an_event_of_an_event_stream_is_written_line_by_line)
    RUN(each_kind_of_line_end_is_one_line_feed_also_as_the_last_of_the_data)
    RUN(a_written_event_ends_at_the_byte_that_the_sink_refuses)
    RUN(an_event_with_a_zero_byte_in_its_id_is_not_written)
    RUN(data_that_ends_with_a_carriage_return_has_an_empty_last_line))
