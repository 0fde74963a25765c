/* watch.h: a response on a terminal while it is written, for demo and elelem-events --watch.
 *
 * Whole lines of text go out once and scroll away. The lines below them are drawn over in each frame, which is one write, so
 * that nothing flickers: the line that is not whole, the tool calls as cards next to each other, the bytes up to the cut, and
 * the memory. Without a terminal there are no frames, only the text, each call when it is over, and the end.
 *
 * Include elelem_stream.h first. No control character of the response reaches the terminal.
 */
#ifndef WATCH_H
#define WATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/ioctl.h>
#include <unistd.h>
#endif

#define WATCH_CARDS 64
#define WATCH_TAIL 256

typedef enum watch_style {
    WATCH_PLAIN,
    WATCH_DIM,
    WATCH_BOLD,
    WATCH_RED,
    WATCH_GREEN,
    WATCH_YELLOW
} watch_style;

typedef struct watch_card {
    uint32_t index;
    watch_style style; /* of its state */
    const char *state;
    elelem_buffer name;
    elelem_buffer id;
    elelem_buffer text; /* its arguments as lines */
} watch_card;

typedef struct watch {
    int is_terminal;
    int has_colors;
    int columns;
    int rows;
    elelem_buffer frame; /* what goes out in one write */
    elelem_buffer whole; /* lines that are not drawn again */
    elelem_buffer line;  /* of reasoning or text, not whole yet */
    elelem_buffer spare;
    int kind;            /* the elelem_turn_update_kind of that line; -1 for none */
    watch_card cards[WATCH_CARDS];
    unsigned card_count;
    unsigned live;       /* lines that the next frame draws over */
    char tail[WATCH_TAIL];
    size_t tail_size;
    uint64_t bytes;
    size_t taken;        /* memory */
    size_t most;
} watch;

/* Text. */

static void watch_put(elelem_buffer *buffer, const char *text, size_t size)
{
    if (elelem_buffer_append(buffer, text, size) == ELELEM_OK) return;
    fputs("out of memory\n", stderr);
    exit(1);
}

static void watch_say(elelem_buffer *buffer, const char *text)
{
    watch_put(buffer, text, strlen(text));
}

static void watch_number(elelem_buffer *buffer, uint64_t number)
{
    char digits[32];
    int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number), i;

    for (i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0) watch_say(buffer, ",");
        watch_put(buffer, digits + i, 1);
    }
}

static void watch_set(const watch *w, elelem_buffer *buffer, watch_style style)
{
    static const char *const codes[] = {"\033[0m", "\033[2m", "\033[1m", "\033[31m", "\033[32m", "\033[33m"};

    if (w->has_colors) watch_say(buffer, codes[style]);
}

/* Returns the size of the character at `at`, and its code; a byte that begins none is one of its own. */
static size_t watch_char(elelem_str text, size_t at, unsigned *code)
{
    unsigned char first = (unsigned char)text.data[at];
    size_t size = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4, i;

    *code = first;
    if (size < 2 || size > text.size - at) return 1;
    *code = first & (0x7Fu >> size);
    for (i = 1; i < size; i++)
        *code = *code << 6 | ((unsigned char)text.data[at + i] & 0x3Fu);
    return size;
}

/* How many columns a character takes; terminals differ on emoji, which is why cards begin at fixed columns. */
static int watch_width(unsigned code)
{
    static const unsigned ranges[][3] = {{0x300, 0x36F, 0}, {0x200B, 0x200F, 0}, {0x20D0, 0x20FF, 0}, {0xFE00, 0xFE0F, 0},
        {0x1100, 0x115F, 2}, {0x2E80, 0xA4CF, 2}, {0xAC00, 0xD7A3, 2}, {0xF900, 0xFAFF, 2}, {0xFE30, 0xFE6F, 2},
        {0xFF00, 0xFF60, 2}, {0xFFE0, 0xFFE6, 2}, {0x1F300, 0x1F64F, 2}, {0x1F680, 0x1F6FF, 2}, {0x1F900, 0x1F9FF, 2},
        {0x20000, 0x3FFFD, 2}};
    size_t i;

    for (i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) return (int)ranges[i][2];
    return 1;
}

/* Appends text of the response; control characters but the line feed become a dot, as escape sequences would act. */
static void watch_put_clean(elelem_buffer *buffer, elelem_str text)
{
    size_t at, size;
    unsigned code;

    for (at = 0; at < text.size; at += size) {
        size = watch_char(text, at, &code);
        if (code == '\t') watch_say(buffer, "    ");
        else if ((code < 0x20 && code != '\n') || (code >= 0x7F && code < 0xA0)) watch_say(buffer, "\xC2\xB7");
        else watch_put(buffer, text.data + at, size);
    }
}

/* Takes the first line off a text: up to a line feed, or to what fits, if possible between words. */
static elelem_str watch_take_line(elelem_str *rest, int columns, int by_words, int *is_whole)
{
    size_t at = 0, size, end = rest->size, blank = 0;
    int width = 0;
    unsigned code = 0;
    elelem_str line = *rest;

    for (; at < rest->size; at += size) {
        size = watch_char(*rest, at, &code);
        width += watch_width(code);
        if (code == '\n' || width > columns) break;
        if (code == ' ') blank = at;
    }
    *is_whole = at < rest->size;
    end = *is_whole && code != '\n' && by_words && blank > 0 ? blank : at;
    line.size = end;
    if (end < rest->size && (rest->data[end] == '\n' || (end == blank && blank > 0))) end++;
    rest->data += end;
    rest->size -= end;
    return line;
}

/* Lines that are whole. */

static void watch_line(watch *w, watch_style style, const char *start, elelem_str text)
{
    watch_set(w, &w->whole, style);
    watch_say(&w->whole, start);
    watch_put(&w->whole, text.data, text.size);
    watch_set(w, &w->whole, WATCH_PLAIN);
    watch_say(&w->whole, "\n");
}

static int watch_is_reasoning(const watch *w)
{
    return w->kind == ELELEM_TURN_REASONING;
}

static int watch_text_columns(const watch *w)
{
    return (w->columns < 100 ? w->columns : 100) - 4;
}

/* Moves the lines that are whole out of the line. */
static void watch_wrap(watch *w, int to_the_end)
{
    elelem_str text = elelem_buffer_text(&w->line);
    elelem_buffer swap;
    int is_whole = 0;

    while (text.size > 0) {
        elelem_str before = text, line = watch_take_line(&text, watch_text_columns(w), 1, &is_whole);
        if (!is_whole && !to_the_end) {
            text = before;
            break;
        }
        watch_line(w, watch_is_reasoning(w) ? WATCH_DIM : WATCH_PLAIN, watch_is_reasoning(w) ? "  \xE2\x94\x8A " : "  ", line);
    }
    elelem_buffer_clear(&w->spare);
    watch_put(&w->spare, text.data, text.size);
    swap = w->line;
    w->line = w->spare;
    w->spare = swap;
}

/* Begins a passage of this kind; -1 ends the one before. */
static void watch_passage(watch *w, int kind)
{
    if (w->kind == kind) return;
    watch_wrap(w, 1);
    if (w->kind >= 0) watch_line(w, WATCH_PLAIN, "", elelem_str_of(""));
    w->kind = kind;
}

static void watch_text(watch *w, int kind, elelem_str text)
{
    watch_passage(w, kind);
    watch_put_clean(&w->line, text);
    watch_wrap(w, 0);
}

/* Cards: a tool call each. */

static void watch_put_value(elelem_buffer *buffer, elelem_value value)
{
    elelem_writer writer;

    if (elelem_value_type(value) == ELELEM_TYPE_STRING) {
        watch_put_clean(buffer, elelem_value_text(value));
        return;
    }
    elelem_writer_init(&writer, elelem_buffer_sink(buffer), 0);
    elelem_writer_value(&writer, value);
}

static int watch_is_long(elelem_value value)
{
    elelem_str text = elelem_value_text(value);

    return elelem_value_type(value) == ELELEM_TYPE_STRING && text.size > 0 && memchr(text.data, '\n', text.size) != NULL;
}

/* A line or more for each member, and a mark on what is not whole. */
static void watch_put_member(elelem_buffer *buffer, elelem_value member)
{
    int state = (int)elelem_value_state_of(member);

    if (elelem_buffer_text(buffer).size > 0) watch_say(buffer, "\n");
    watch_put_clean(buffer, elelem_value_key(member));
    if (elelem_value_key(member).size > 0) watch_say(buffer, watch_is_long(member) ? ":\n" : ": ");
    watch_put_value(buffer, member);
    if (state == ELELEM_VALUE_OPEN) watch_say(buffer, "\xE2\x96\x8C");
    else if (state != ELELEM_VALUE_COMPLETE) watch_say(buffer, " [cut off]");
}

static void watch_put_arguments(elelem_buffer *buffer, elelem_value arguments)
{
    elelem_value member = elelem_value_first(arguments);

    elelem_buffer_clear(buffer);
    if (elelem_value_type(arguments) != ELELEM_TYPE_OBJECT && elelem_value_type(arguments) != ELELEM_TYPE_NONE)
        watch_put_member(buffer, arguments);
    if (elelem_value_type(arguments) != ELELEM_TYPE_OBJECT) return;
    for (; elelem_value_type(member) != ELELEM_TYPE_NONE; member = elelem_value_next(member))
        watch_put_member(buffer, member);
}

/* Returns the card of a call; calls after the 64th share the last one. */
static watch_card *watch_card_of(watch *w, const elelem_tool_call *call)
{
    unsigned i = 0;
    watch_card *card;

    while (i < w->card_count && w->cards[i].index != call->index)
        i++;
    if (i == WATCH_CARDS) i--;
    card = &w->cards[i];
    if (i == w->card_count) {
        w->card_count++;
        elelem_buffer_clear(&card->text);
        card->style = WATCH_YELLOW;
        card->state = "being written";
    }
    card->index = call->index;
    elelem_buffer_clear(&card->name);
    elelem_buffer_clear(&card->id);
    watch_put_clean(&card->name, call->name);
    watch_put_clean(&card->id, call->id);
    return card;
}

/* The lines that a card needs at this width. */
static unsigned watch_height(const watch_card *card, int columns)
{
    elelem_str rest = elelem_buffer_text(&card->text);
    unsigned height = 0;
    int is_whole;

    for (; rest.size > 0; height++)
        watch_take_line(&rest, columns, 0, &is_whole);
    return height;
}

static void watch_to_column(const watch *w, elelem_buffer *out, int column)
{
    char code[32];

    if (column == 0) return;
    if (w->is_terminal) snprintf(code, sizeof code, "\033[%dG", column + 1);
    else snprintf(code, sizeof code, "  ");
    watch_say(out, code);
}

static void watch_edge(const watch *w, elelem_buffer *out, const watch_card *card, const char *edge)
{
    watch_set(w, out, card->style);
    watch_say(out, edge);
    watch_set(w, out, WATCH_PLAIN);
}

/* Writes as much of a word as fits, and a blank. Returns the bytes. */
static int watch_put_cut(const watch *w, elelem_buffer *out, watch_style style, elelem_str text, int columns)
{
    int is_whole;
    elelem_str line = watch_take_line(&text, columns > 4 ? columns : 4, 0, &is_whole);

    watch_set(w, out, style);
    watch_put(out, line.data, line.size);
    watch_say(out, " ");
    watch_set(w, out, WATCH_PLAIN);
    return (int)line.size + 1;
}

static void watch_head(const watch *w, elelem_buffer *out, const watch_card *card, int columns)
{
    int left = columns - 4 - (int)strlen(card->state);

    watch_edge(w, out, card, "\xE2\x95\xAD ");
    left -= watch_put_cut(w, out, WATCH_BOLD, elelem_buffer_text(&card->name), left);
    watch_put_cut(w, out, WATCH_DIM, elelem_buffer_text(&card->id), left);
    watch_edge(w, out, card, card->state);
}

/* Draws cards next to each other, each at most `height` lines high, of which the last ones are shown, and an empty line. Returns
   how many lines that is. */
static unsigned watch_row(const watch *w, elelem_buffer *out, watch_card *cards, unsigned count, unsigned height)
{
    elelem_str rest[8];
    int wide = (w->columns + 2) / (int)count, is_whole;
    unsigned most = 0, i, line;

    for (i = 0; i < count; i++) {
        unsigned need = watch_height(&cards[i], wide - 5);
        rest[i] = elelem_buffer_text(&cards[i].text);
        for (; need > height; need--)
            watch_take_line(&rest[i], wide - 5, 0, &is_whole);
        if (need > most) most = need;
        watch_to_column(w, out, (int)i * wide);
        watch_head(w, out, &cards[i], wide - 2);
    }
    watch_say(out, "\n");
    for (line = 0; line < most; line++) {
        for (i = 0; i < count; i++) {
            elelem_str text = watch_take_line(&rest[i], wide - 5, 0, &is_whole);
            watch_to_column(w, out, (int)i * wide);
            watch_edge(w, out, &cards[i], "\xE2\x94\x82 ");
            watch_put(out, text.data, text.size);
        }
        watch_say(out, "\n");
    }
    watch_say(out, "\n");
    return most + 2;
}

/* How many cards fit next to each other. */
static unsigned watch_across(const watch *w, unsigned count)
{
    unsigned most = w->is_terminal ? (unsigned)(w->columns + 2) / 38 : 1;

    if (most > 5) most = 5;
    if (most < 1) most = 1;
    return count < most ? count : most;
}

static unsigned watch_cards(watch *w, elelem_buffer *out, unsigned rows)
{
    unsigned across, at, lines = 0, bands;

    if (w->card_count == 0) return 0;
    across = watch_across(w, w->card_count);
    bands = (w->card_count + across - 1) / across;
    for (at = 0; at < w->card_count; at += across) {
        unsigned count = w->card_count - at < across ? w->card_count - at : across;
        if (lines + 3 > rows) break;
        lines += watch_row(w, out, &w->cards[at], count, rows / bands > 3 ? rows / bands - 2 : 1);
    }
    return lines;
}

/* The cards are drawn a last time, in full, and scroll away. */
static void watch_put_cards_down(watch *w)
{
    watch_cards(w, &w->whole, ~0u / 2);
    w->card_count = 0;
}

/* The end. */

static void watch_count_of(elelem_buffer *out, int64_t number, const char *word)
{
    if (number < 0) return;
    watch_say(out, ", ");
    watch_number(out, (uint64_t)number);
    watch_say(out, word);
}

static void watch_finished(watch *w, const elelem_turn_update *update)
{
    elelem_buffer *out = &w->whole;

    watch_set(w, out, WATCH_GREEN);
    watch_say(out, "finished: ");
    watch_say(out, elelem_finish_reason_name(update->reason));
    watch_set(w, out, WATCH_PLAIN);
    watch_count_of(out, update->usage.input, " tokens in");
    watch_count_of(out, update->usage.output, " out");
    watch_say(out, "\n");
}

static void watch_say_wait(elelem_buffer *out, int64_t milliseconds)
{
    char text[64];

    if (milliseconds < 0) return;
    snprintf(text, sizeof text, ", in %g s", (double)milliseconds / 1000);
    watch_say(out, text);
}

static void watch_error(watch *w, const elelem_failure *error)
{
    elelem_buffer *out = &w->whole;

    watch_set(w, out, WATCH_RED);
    watch_say(out, "error: ");
    watch_say(out, elelem_error_kind_name(error->kind));
    watch_set(w, out, WATCH_PLAIN);
    watch_say(out, "\n  ");
    watch_put_clean(out, error->message);
    watch_say(out, error->retryable ? "\n  the same request may succeed later" : "\n  the same request would fail again");
    if (error->retryable) watch_say_wait(out, error->retry_after_ms);
    watch_say(out, "\n  at byte ");
    watch_number(out, error->offset);
    if (error->http_status > 0) watch_count_of(out, error->http_status, " as HTTP status");
    if (error->code.size > 0) watch_say(out, ", code ");
    watch_put_clean(out, error->code);
    watch_say(out, "\n");
}

/* What a turn yields. */

static void watch_call_done(watch *w, const elelem_turn_update *update)
{
    watch_card *card = watch_card_of(w, &update->tool_call);
    int is_whole = elelem_value_is_complete(update->tool_call.arguments);

    card->style = is_whole ? WATCH_GREEN : WATCH_RED;
    card->state = is_whole ? "complete" : "cut off: do not run";
    watch_put_arguments(&card->text, update->tool_call.arguments);
    if (!w->is_terminal) watch_put_cards_down(w);
}

static void watch_update(watch *w, const elelem_turn_update *update)
{
    int is_text = update->kind == ELELEM_TURN_TEXT || update->kind == ELELEM_TURN_REASONING;
    int is_call = update->kind == ELELEM_TURN_TOOL_CALL_START || update->kind == ELELEM_TURN_TOOL_CALL_DELTA;
    int is_end = update->kind == ELELEM_TURN_FINISHED || update->kind == ELELEM_TURN_ERROR;

    if (is_text && update->text.size == 0) return;
    if ((is_text && w->card_count > 0) || is_end) watch_put_cards_down(w);
    if (is_text) watch_text(w, update->kind, update->text);
    if (is_call || is_end || update->kind == ELELEM_TURN_TOOL_CALL_DONE) watch_passage(w, -1);
    if (is_call && w->is_terminal) watch_card_of(w, &update->tool_call);
    if (update->kind == ELELEM_TURN_TOOL_CALL_DONE) watch_call_done(w, update);
    if (update->kind == ELELEM_TURN_FINISHED) watch_finished(w, update);
    if (update->kind == ELELEM_TURN_ERROR) watch_error(w, &update->error);
}

/* The bytes that were pushed last. */
static void watch_pushed(watch *w, const char *bytes, size_t size)
{
    size_t kept;

    w->bytes += size;
    if (size > WATCH_TAIL) {
        bytes += size - WATCH_TAIL;
        size = WATCH_TAIL;
    }
    kept = w->tail_size < WATCH_TAIL - size ? w->tail_size : WATCH_TAIL - size;
    memmove(w->tail, w->tail + w->tail_size - kept, kept);
    memcpy(w->tail + kept, bytes, size);
    w->tail_size = kept + size;
}

/* The last bytes before the cut, as far as they fit; what is no ASCII is shown byte by byte, since it may be cut too. */
static void watch_bytes(const watch *w, elelem_buffer *out)
{
    size_t at = w->tail_size, i;
    int width = 0;
    char hex[8];

    while (at > 0 && width < w->columns - 14)
        width += (unsigned char)w->tail[--at] < 0x80 ? 1 : 4;
    watch_set(w, out, WATCH_DIM);
    watch_say(out, "bytes \xE2\x80\xA6");
    for (i = at; i < w->tail_size; i++) {
        unsigned char byte = (unsigned char)w->tail[i];
        if (byte < 0x80) watch_put(out, byte < 0x20 || byte == 0x7F ? " " : &w->tail[i], 1);
        else if (snprintf(hex, sizeof hex, "\\x%02X", byte) > 0) watch_say(out, hex);
    }
    watch_set(w, out, WATCH_PLAIN);
    watch_set(w, out, WATCH_RED);
    watch_say(out, "\xE2\x94\x83");
    watch_set(w, out, WATCH_PLAIN);
    watch_say(out, "\n");
}

static void watch_memory(const watch *w, elelem_buffer *out, int is_over)
{
    watch_set(w, out, WATCH_DIM);
    watch_number(out, w->bytes);
    watch_say(out, " bytes read; memory: ");
    if (!is_over) watch_number(out, w->taken);
    watch_say(out, is_over ? "at most " : " bytes, at most ");
    watch_number(out, w->most);
    watch_say(out, is_over ? " bytes, and " : ", and ");
    watch_number(out, sizeof(elelem_turn));
    watch_say(out, " for the turn");
    watch_set(w, out, WATCH_PLAIN);
    watch_say(out, "\n");
}

/* Frames. */

static void watch_measure(watch *w)
{
#if !defined(_WIN32) && defined(TIOCGWINSZ)
    struct winsize size;

    if (w->is_terminal && ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 && size.ws_row >= 8) {
        w->columns = size.ws_col;
        w->rows = size.ws_row;
    }
#else
    (void)w;
#endif
}

/* What is below the lines that are whole. Returns how many lines that is. */
static unsigned watch_live(watch *w, elelem_buffer *out, const elelem_turn *turn)
{
    unsigned lines = 2, i;

    if (elelem_buffer_text(&w->line).size > 0) {
        watch_set(w, out, watch_is_reasoning(w) ? WATCH_DIM : WATCH_PLAIN);
        watch_say(out, watch_is_reasoning(w) ? "  \xE2\x94\x8A " : "  ");
        watch_put(out, elelem_buffer_text(&w->line).data, elelem_buffer_text(&w->line).size);
        watch_set(w, out, WATCH_PLAIN);
        watch_say(out, "\n");
        lines++;
    }
    for (i = 0; i < w->card_count; i++) {
        elelem_value arguments = elelem_turn_arguments(turn, w->cards[i].index);
        if (elelem_value_type(arguments) != ELELEM_TYPE_NONE) watch_put_arguments(&w->cards[i].text, arguments);
    }
    lines += watch_cards(w, out, (unsigned)w->rows - 5);
    watch_bytes(w, out);
    watch_memory(w, out, 0);
    return lines;
}

/* Copies lines into the frame, each of which first clears what it is drawn over. */
static void watch_put_lines(watch *w, elelem_str lines)
{
    while (lines.size > 0) {
        const char *end = (const char *)memchr(lines.data, '\n', lines.size);
        size_t size = end ? (size_t)(end - lines.data) + 1 : lines.size;
        if (w->is_terminal) watch_say(&w->frame, "\033[2K");
        watch_put(&w->frame, lines.data, size);
        lines.data += size;
        lines.size -= size;
    }
}

/* Draws over the last frame. After the end, with a null turn, only what is whole remains. */
static void watch_draw(watch *w, const elelem_turn *turn)
{
    unsigned live = 0;
    char up[48];

    watch_measure(w);
    elelem_buffer_clear(&w->frame);
    if (w->is_terminal) {
        watch_say(&w->frame, "\033[?2026h\033[?7l\r");
        if (w->live > 0 && snprintf(up, sizeof up, "\033[%uA", w->live) > 0) watch_say(&w->frame, up);
    }
    watch_put_lines(w, elelem_buffer_text(&w->whole));
    elelem_buffer_clear(&w->whole);
    if (w->is_terminal && turn) {
        live = watch_live(w, &w->whole, turn);
        watch_put_lines(w, elelem_buffer_text(&w->whole));
        elelem_buffer_clear(&w->whole);
    }
    if (w->is_terminal) watch_say(&w->frame, "\033[J\033[?7h\033[?2026l");
    w->live = live;
    fwrite(elelem_buffer_text(&w->frame).data, 1, elelem_buffer_text(&w->frame).size, stdout);
    fflush(stdout);
}

/* The last frame. */
static void watch_close(watch *w)
{
    unsigned i;

    watch_memory(w, &w->whole, 1);
    watch_draw(w, NULL);
    for (i = 0; i < WATCH_CARDS; i++) {
        elelem_buffer_free(&w->cards[i].name);
        elelem_buffer_free(&w->cards[i].id);
        elelem_buffer_free(&w->cards[i].text);
    }
    elelem_buffer_free(&w->frame);
    elelem_buffer_free(&w->whole);
    elelem_buffer_free(&w->line);
    elelem_buffer_free(&w->spare);
}

/* An allocator for the turn that counts what it takes. */
static void *watch_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    watch *w = (watch *)context;
    void *moved = NULL;

    if (new_size == 0) free(block);
    else if (!(moved = realloc(block, new_size))) return NULL;
    w->taken += new_size - old_size;
    if (w->taken > w->most) w->most = w->taken;
    return moved;
}

static elelem_allocator watch_allocator(watch *w)
{
    elelem_allocator allocator;

    allocator.resize = watch_resize;
    allocator.context = w;
    return allocator;
}

/* Frames if standard output is a terminal that can move its cursor; colors unless NO_COLOR is set (no-color.org). */
static void watch_open(watch *w)
{
    elelem_allocator memory = ELELEM_INIT;
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    unsigned i;

    memset(w, 0, sizeof *w);
#ifndef _WIN32
    w->is_terminal = isatty(1) && terminal && strcmp(terminal, "dumb") != 0;
#endif
    w->has_colors = w->is_terminal && !(none && *none);
    w->kind = -1;
    w->columns = 80;
    w->rows = 24;
    (void)terminal;
    for (i = 0; i < WATCH_CARDS; i++) {
        elelem_buffer_init(&w->cards[i].name, memory, 0);
        elelem_buffer_init(&w->cards[i].id, memory, 0);
        elelem_buffer_init(&w->cards[i].text, memory, 0);
    }
    elelem_buffer_init(&w->frame, memory, 0);
    elelem_buffer_init(&w->whole, memory, 0);
    elelem_buffer_init(&w->line, memory, 0);
    elelem_buffer_init(&w->spare, memory, 0);
    watch_measure(w);
}

#endif
