/* Responses that break off: what was given until then depends on the bytes that came, and not on how they were cut, and the end
   is an error that may be retried unless the response may be over. */
#define _POSIX_C_SOURCE 200809L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include "bodies.h"

/* Breaks the body off after `first` bytes, and after every `step` more. */
static void break_off(const char *body, size_t size, size_t first, size_t step)
{
    size_t end;

    for (end = first; end < size; end += step)
        if (!feed_check_pieces(&streams_fed, body, end, __FILE__, __LINE__)) return;
}

/* Bodies of the tests. */

static void break_off_at_places(const char *body, size_t size)
{
    break_off(body, size, size / 11, size / 11 + 1);
}

TEST(every_body_that_breaks_off_gives_the_same_however_it_is_cut) /* P1 */
{
    static const char *const names[] = { "chat", "responses", "messages", "gemini", "interactions" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        streams_shape(elelem_shape_find(names[i]));
        CHECK(bodies_each(names[i], break_off_at_places) > 0);
    }
}

/* The ends of bodies that break off. Whether a response may be over is read from the wire here, without a shape. */

#define CHOICES 64

typedef struct wire_end {
    const char *shape;
    uint8_t began[CHOICES]; /* the choice has text, a call or a reason */
    uint8_t ended[CHOICES]; /* it has a reason */
} wire_end;

static int is_word(elelem_value value) { return elelem_value_type(value) == ELELEM_TYPE_STRING && elelem_value_text(value).size > 0; }

static int is_text(elelem_value value, const char *text) { return is_word(value) && elelem_str_is(elelem_value_text(value), text); }

/* Interactions are over in these states, whatever the event is called. */
static int is_last_status(elelem_value value)
{
    return is_text(value, "completed") || is_text(value, "requires_action") || is_text(value, "requires_continuation") ||
           is_text(value, "incomplete") || is_text(value, "cancelled");
}

/* Nonzero if all choices that began have a reason, this one of a list among them. */
static int ends_choices(wire_end *end, elelem_value choices, const char *reason, const char *content)
{
    size_t i, count = elelem_value_type(choices) == ELELEM_TYPE_ARRAY ? elelem_value_count(choices) : 0, open = 0, ended = 0;

    for (i = 0; i < count; i++) {
        elelem_value choice = elelem_value_at(choices, i);
        int64_t number = 0;
        size_t index = elelem_value_to_int64(elelem_value_get(choice, "index"), &number) == ELELEM_OK && number >= 0 && number < CHOICES
                           ? (size_t)number : 0;
        end->ended[index] |= (uint8_t)is_word(elelem_value_get(choice, reason));
        end->began[index] |= (uint8_t)(end->ended[index] || is_word(elelem_value_find(choice, content)));
    }
    for (i = 0; i < CHOICES; i++) {
        open += end->began[i] && !end->ended[i];
        ended += end->ended[i];
    }
    return open == 0 && ended > 0;
}

/* Nonzero if the response may be over after a frame with this value. */
static int ends_response(wire_end *end, elelem_value value)
{
    const char *shape = end->shape;

    if (strcmp(shape, "chat") == 0) return ends_choices(end, elelem_value_get(value, "choices"), "finish_reason", "delta.content");
    if (strcmp(shape, "gemini") == 0)
        return ends_choices(end, elelem_value_get(value, "candidates"), "finishReason", "content.parts[0].text") ||
               is_word(elelem_value_find(value, "promptFeedback.blockReason"));
    if (strcmp(shape, "responses") == 0)
        return is_text(elelem_value_get(value, "type"), "response.completed") ||
               is_text(elelem_value_get(value, "type"), "response.incomplete");
    if (strcmp(shape, "messages") == 0)
        return is_text(elelem_value_get(value, "type"), "message_stop") || is_word(elelem_value_find(value, "delta.stop_reason")) ||
               is_word(elelem_value_find(value, "message.stop_reason"));
    return is_last_status(elelem_value_get(value, "status")) || is_last_status(elelem_value_find(value, "interaction.status"));
}

/* The same for the data of a frame. */
static int ends_with_data(wire_end *end, elelem_str data)
{
    elelem_json json;
    int ends;

    if (elelem_str_is(data, "[DONE]")) return 1;
    memset(&json, 0, sizeof json);
    ends = ends_response(end, elelem_json_read(&json, data, NULL));
    elelem_json_free(&json);
    return ends;
}

/* The data lines of a frame, joined by line feeds. */
static char frame_data[20000];
static size_t frame_size;

static void add_data_line(const char *line, size_t size)
{
    size_t skip = size > 5 && line[5] == ' ' ? 6 : 5;

    if (size < 5 || memcmp(line, "data:", 5) != 0) return;
    if (frame_size > 0) frame_data[frame_size++] = '\n';
    memcpy(frame_data + frame_size, line + skip, size - skip);
    frame_size += size - skip;
}

/* Returns the first byte after which the response may be over: that of the last of the data that says so, or the last of a body that
   is one value. */
static size_t end_signal(const char *shape, const char *body, size_t size)
{
    static wire_end end;
    size_t line = 0, data_end = 0, i;
    elelem_str data;

    memset(&end, 0, sizeof end);
    end.shape = shape;
    frame_size = 0;
    while (size > 0 && strchr(" \t\r\n", body[size - 1]))
        size--;
    if (strchr("{[", body[strspn(body, " \t\r\n")])) return size;
    for (i = 0; i <= size; i++) {
        if (i < size && body[i] != '\n' && body[i] != '\r') continue;
        add_data_line(body + line, i - line);
        if (i > line) data_end = i;
        if (i == line || i == size) {
            data.data = frame_data;
            data.size = frame_size;
            if (frame_size > 0 && ends_with_data(&end, data)) return data_end;
            frame_size = 0;
        }
        if (i + 1 < size && body[i] == '\r' && body[i + 1] == '\n') i++;
        line = i + 1;
    }
    return size;
}

static const char *body_shape;
static int good_bodies;

static int log_has(const feed_log *log, const char *text)
{
    size_t i, size = strlen(text);

    for (i = 0; i + size <= log->size; i++)
        if ((i == 0 || log->text[i - 1] == '\n') && memcmp(log->text + i, text, size) == 0) return 1;
    return 0;
}

static int is_retryable_error(const feed_log *log) { return log_has(log, "ERROR connect retryable "); }

/* Nonzero if the last line is a value of its own between the frames, which may be an error in place of the rest. */
static int ends_with_bare_value(const char *body, size_t size)
{
    size_t line;

    while (size > 0 && body[size - 1] == ' ')
        size--;
    line = size;
    while (line > 0 && body[line - 1] != '\n')
        line--;
    return line > 0 && line < size && body[line] == '{' && body[size - 1] == '}';
}

static int breaks_off_well(const char *body, size_t size, size_t signal)
{
    check_cut("breaks off after", size);
    feed_once(&streams_fed, &feed_now, body, size, size, size, 0);
    if (!CHECK_INT(streams_now.ends, 1) || !CHECK(!log_has(&feed_now, "BROKEN"))) return 0;
    if (ends_with_bare_value(body, size)) return CHECK(size >= signal || !log_has(&feed_now, "FINISHED "));
    return size < signal ? CHECK(is_retryable_error(&feed_now)) : CHECK(is_retryable_error(&feed_now) != log_has(&feed_now, "FINISHED "));
}

/* After each byte; of what large bodies have before their last bytes after one in a few, since all that comes before is read each time. */
static void break_off_before_the_end(const char *body, size_t size)
{
    size_t signal, i, step = size / 400 + 1;

    feed_once(&streams_fed, &feed_whole, body, size, size, size, 0);
    if (!log_has(&feed_whole, "FINISHED ")) return;
    good_bodies++;
    signal = end_signal(body_shape, body, size);
    for (i = 0; i < size && breaks_off_well(body, i, signal);)
        i += i + 60 < signal ? step : 1;
    check_cut(NULL, 0);
}

TEST(every_good_body_that_breaks_off_before_its_end_is_one_error_that_may_be_retried) /* P1 */
{
    static const char *const names[] = { "chat", "responses", "messages", "gemini", "interactions" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        streams_shape(elelem_shape_find(names[i]));
        body_shape = names[i];
        good_bodies = 0;
        CHECK(bodies_each(names[i], break_off_before_the_end) > 0);
        CHECK(good_bodies > 20);
    }
}

/* Values that pass. */

static char passing[4000];

/* Between these texts comes a value with more than is passed on at a time: plain text, escapes, long characters, small members. */
static void break_off_while_it_passes(const elelem_shape *shape, const char *before, const char *after)
{
    char *at = passing + sprintf(passing, "%s", before);
    int i;

    for (i = 0; i < 40; i++)
        at += sprintf(at, "plain text %d \\n\\u00e9 \303\251 \\\" \360\237\230\200", i);
    sprintf(at, "%s", after);
    streams_shape(shape);
    break_off(passing, strlen(passing), strlen(before), 7);
}

#define MEMBERS "\"members\":[{\"a\":1,\"b\":null},{\"c\":\"d\",\"e\":[true,2.5e3]},[[],{}],\"\"],\"text\":\""

#define STEP "data: {\"index\":0,\"step\":{\"type\":\"model_output\"},\"event_type\":\"step.start\"}\n\n"

typedef struct passing_row {
    const char *shape;
    const char *before;
    const char *after;
} passing_row;

static void all_break_off(const passing_row *rows, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        check_context(rows[i].before);
        break_off_while_it_passes(elelem_shape_find(rows[i].shape), rows[i].before, rows[i].after);
        check_context(NULL);
    }
}

TEST(a_value_of_a_frame_that_breaks_off_gives_the_same_however_it_is_cut)
{
    static const passing_row rows[] = {
        { "messages", "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"image\"," MEMBERS, "\"," MEMBERS "\"}}\n\n" },
        { "responses", "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"news\"," MEMBERS,
          "\"," MEMBERS "\"}}\n\n" },
        { "chat", "data: {\"choices\":[{\"index\":0,\"delta\":{\"images\":[{" MEMBERS, "\"," MEMBERS "\"}]}}]}\n\n" },
        { "chat", "data: {\"choices\":[{\"index\":0,\"delta\":{\"audio\":{\"data\":\"", "\"}}}]}\n\n" },
        { "gemini", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{" MEMBERS, "\"," MEMBERS "\"}}]}}]}\n\n" },
        { "gemini", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"hologram\":\"", "\"}]}}]}\n\n" },
        { "interactions", STEP "data: {\"index\":0,\"delta\":{\"mime_type\":\"image/png\",\"data\":\"", "\",\"type\":\"image\"},\"event_type\":\"step.delta\"}\n\n" },
    };

    all_break_off(rows, sizeof rows / sizeof *rows);
}

TEST(a_value_of_a_whole_response_that_breaks_off_gives_the_same_however_it_is_cut)
{
    static const passing_row rows[] = {
        { "messages", "{\"type\":\"message\",\"content\":[{\"type\":\"image\"," MEMBERS, "\"," MEMBERS "\"}]}" },
        { "responses", "{\"object\":\"response\",\"output\":[{\"id\":\"i\",\"type\":\"news\"," MEMBERS, "\"," MEMBERS "\"}]}" },
        { "chat", "{\"choices\":[{\"index\":0,\"message\":{\"images\":[{" MEMBERS, "\"," MEMBERS "\"}]}}]}" },
        { "gemini", "{\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{" MEMBERS, "\"," MEMBERS "\"}}]}}]}" },
        { "gemini", "[{\"candidates\":[{\"content\":{\"parts\":[{\"hologram\":\"", "\"}]}}]}]" },
        { "interactions", "{\"id\":\"i\",\"steps\":[{\"type\":\"news\"," MEMBERS, "\"," MEMBERS "\"}]}" },
    };

    all_break_off(rows, sizeof rows / sizeof *rows);
}

#define TEXT(text) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"

TEST(reasoning_in_tags_that_breaks_off_gives_the_same_however_it_is_cut)
{
    static const char body[] = TEXT("a <thin") TEXT("k>b </t") TEXT("hink c <think>d</think") TEXT("> e \\u003cthink>f <b x=\\\"1\\\">g</b>")
        TEXT("</think>\\n<thinking q='1'") TEXT(">h\303\251 <") TEXT("/thinking>i </think> <think") TEXT(">j");

    streams_shape(&elelem_shape_chat);
    streams_now.desc.split_thoughts = 1;
    break_off(body, sizeof body - 1, 1, 1);
}

CHECK_MAIN("broken_off",
    RUN(every_body_that_breaks_off_gives_the_same_however_it_is_cut)
    RUN(every_good_body_that_breaks_off_before_its_end_is_one_error_that_may_be_retried)
    RUN(a_value_of_a_frame_that_breaks_off_gives_the_same_however_it_is_cut)
    RUN(a_value_of_a_whole_response_that_breaks_off_gives_the_same_however_it_is_cut)
    RUN(reasoning_in_tags_that_breaks_off_gives_the_same_however_it_is_cut))
