#ifndef ELS_CONVERSATION_C
#define ELS_CONVERSATION_C
#include "conversation.h"
#include "base.c"
#include "writer.c"
#include "builder.c"
#include "turn.c"
#include "talk.c"

/* >> conversation */

void elelem_conversation_init(elelem_conversation *conversation, elelem_allocator allocator, size_t max_bytes)
{
    memset(conversation, 0, sizeof *conversation);
    elelem_buffer_init(&conversation->els_lines, allocator, max_bytes);
}

/* Removes what was written of a line that did not fit. */
ELS_PRIVATE elelem_status els_conversation_keep(elelem_conversation *c, size_t before, elelem_status status)
{
    if (status != ELELEM_OK) c->els_lines.els_size = before;
    return status;
}

elelem_status elelem_conversation_images(elelem_conversation *conversation, elelem_str text, const elelem_talk_image *images,
                                         size_t count)
{
    elelem_buffer *lines = &conversation->els_lines;
    size_t before = lines->els_size;
    elelem_status status = elelem_talk_user(elelem_buffer_sink(lines), text, images, count);

    if (status == ELELEM_OK) conversation->els_is_open = 0;
    return els_conversation_keep(conversation, before, status);
}

elelem_status elelem_conversation_user(elelem_conversation *conversation, elelem_str text)
{
    return elelem_conversation_images(conversation, text, NULL, 0);
}

ELS_PRIVATE void els_conversation_reverse(unsigned char *bytes, size_t size)
{
    size_t i;

    for (i = 0; i < size / 2; i++) {
        unsigned char byte = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
}

/* Moves the line that begins at `line`, the last one, before the results. */
ELS_PRIVATE void els_conversation_move(elelem_conversation *c, size_t line)
{
    unsigned char *start = c->els_lines.els_memory.data + c->els_results;
    size_t results = line - c->els_results, size = c->els_lines.els_size - line;

    if (results > 0) {
        els_conversation_reverse(start, results);
        els_conversation_reverse(start + results, size);
        els_conversation_reverse(start, results + size);
    }
    c->els_results += size;
}

ELS_PRIVATE elelem_status els_conversation_item(elelem_conversation *c, const elelem_item *item)
{
    elelem_buffer *lines = &c->els_lines;
    size_t before = lines->els_size;
    elelem_writer writer;
    elelem_status status;

    elelem_writer_init(&writer, elelem_buffer_sink(lines), 0);
    status = elelem_item_write(&writer, item);
    if (status == ELELEM_OK) status = elelem_buffer_append(lines, "\n", 1);
    if (status != ELELEM_OK) return els_conversation_keep(c, before, status);
    els_conversation_move(c, before);
    return ELELEM_OK;
}

elelem_status elelem_conversation_add(elelem_conversation *conversation, const elelem_turn_update *update)
{
    elelem_status status = ELELEM_OK;

    if (!conversation->els_is_open) conversation->els_results = conversation->els_lines.els_size;
    conversation->els_is_open = 1;
    if (update->item) status = els_conversation_item(conversation, update->item);
    if (update->kind != ELELEM_TURN_FINISHED && update->kind != ELELEM_TURN_ERROR) return status;
    conversation->els_is_open = 0;
    return status;
}

elelem_status elelem_conversation_add_result(elelem_conversation *conversation, const elelem_talk_result *result)
{
    elelem_buffer *lines = &conversation->els_lines;
    size_t before = lines->els_size;
    elelem_status status = elelem_talk_result_write(elelem_buffer_sink(lines), result);

    return els_conversation_keep(conversation, before, status);
}

elelem_status elelem_conversation_result(elelem_conversation *conversation, const elelem_tool_call *call, elelem_str text,
                                         int failed)
{
    elelem_talk_result result;

    memset(&result, 0, sizeof result);
    result.id = call->id;
    result.name = call->name;
    result.text = text;
    result.failed = failed != 0;
    return elelem_conversation_add_result(conversation, &result);
}

elelem_str elelem_conversation_text(const elelem_conversation *conversation)
{
    return elelem_buffer_text(&conversation->els_lines);
}

elelem_error elelem_conversation_set_text(elelem_conversation *conversation, elelem_str lines)
{
    elelem_buffer *buffer = &conversation->els_lines;
    els_talk_fault fault;
    size_t before = buffer->els_size;
    elelem_error error = els_error(ELELEM_OK, 0);

    if (!els_talk_check(lines, &fault)) {
        error = els_error(fault.status, fault.offset);
        error.message = fault.message;
        return error;
    }
    error.status = elelem_buffer_append(buffer, lines.data, lines.size);
    if (error.status == ELELEM_OK && lines.size > 0 && lines.data[lines.size - 1] != '\n')
        error.status = elelem_buffer_append(buffer, "\n", 1);
    if (error.status != ELELEM_OK) return els_error(els_conversation_keep(conversation, before, error.status), 0);
    buffer->els_size -= before;
    if (before > 0) memmove(buffer->els_memory.data, buffer->els_memory.data + before, buffer->els_size);
    conversation->els_is_open = 0;
    return error;
}

/* Returns the start of the row that an object is in. */
ELS_PRIVATE size_t els_row_start(elelem_str text, size_t at)
{
    while (at > 0 && text.data[at - 1] != '\n')
        at--;
    return at;
}

/* The turns in the lines, one after the other. A turn begins with what the user says, unless results follow that are of
   calls before it; in an entry, with the first item of it. */
ELS_PRIVATE int els_next_turn(els_talk *talk, size_t *start)
{
    els_talk_item item;
    size_t place = 0, end = talk->entry_end; /* of the row of the item before */
    int is_there = 0;

    while (els_talk_next(talk, &item)) {
        int is_first = item.line.first >= end;
        end = talk->entry_end > 0 ? talk->entry_end : talk->at;
        if (item.line.kind >= ELS_TALK_MESSAGE && is_there) break;
        if (item.line.kind == ELS_TALK_RESULT) is_there = 0;
        if (item.line.kind != ELS_TALK_USER || is_there || !is_first) continue;
        place = els_row_start(talk->text, item.line.first);
        is_there = 1;
    }
    if (is_there) *start = place;
    return is_there;
}

size_t elelem_conversation_take_back(elelem_conversation *conversation)
{
    els_talk talk = els_talk_of(elelem_conversation_text(conversation));
    size_t start = talk.text.size;

    while (els_next_turn(&talk, &start))
        ;
    conversation->els_lines.els_size = start;
    conversation->els_is_open = 0;
    return talk.text.size - start;
}

size_t elelem_conversation_cut(elelem_conversation *conversation, size_t max_bytes)
{
    elelem_buffer *lines = &conversation->els_lines;
    els_talk talk = els_talk_of(elelem_buffer_text(lines));
    size_t start = 0;

    while (lines->els_size - start > max_bytes && els_next_turn(&talk, &start))
        ;
    lines->els_size -= start;
    conversation->els_results -= start;
    if (start > 0) memmove(lines->els_memory.data, lines->els_memory.data + start, lines->els_size);
    return lines->els_size;
}

size_t elelem_conversation_patch(elelem_conversation *conversation, const elelem_patch *patches, size_t count)
{
    elelem_buffer *lines = &conversation->els_lines;
    size_t removed;

    if (lines->els_size == 0) return 0;
    removed = elelem_talk_patch(patches, count, (char *)lines->els_memory.data, &lines->els_size);
    conversation->els_is_open = 0;
    return removed;
}

void elelem_conversation_clear(elelem_conversation *conversation)
{
    elelem_buffer_clear(&conversation->els_lines);
    conversation->els_is_open = 0;
}

void elelem_conversation_free(elelem_conversation *conversation)
{
    elelem_buffer_free(&conversation->els_lines);
    memset(conversation, 0, sizeof *conversation);
}

#endif
