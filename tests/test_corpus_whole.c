/* Recorded responses that were not streamed, of $ELELEM_CORPUS/requests/whole and of Interactions: each has the end that its manifest says, however
   it is cut, and gives the events of a stream whose frame holds it. */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

/* The cuts into two that a body is fed at. */
#undef FEED_CUTS /* a build may set it */
#define FEED_CUTS 400

#include "streams.h"
#include "recordings.h"

typedef struct whole_shape {
    const elelem_shape *shape;
    const char *folder;
    const char *before; /* the text that makes a body of events of it; null: there is none */
    const char *after;
    const char *corpus; /* the folder of the recordings */
} whole_shape;

static const whole_shape shapes[] = {
    { &elelem_shape_messages, "messages/", "data: {\"type\":\"message_start\",\"message\":", "}\n\ndata: {\"type\":\"message_stop\"}\n\n",
      "requests/whole" },
    { &elelem_shape_responses, "responses/", "data: {\"type\":\"response.completed\",\"response\":", "}\n\n", "requests/whole" },
    { &elelem_shape_chat, "chat/", NULL, NULL, "requests/whole" },
    { &elelem_shape_gemini, "gemini/", "data: ", "\n\n", "requests/whole" },
    { &elelem_shape_interactions, "", "data: {\"event_type\":\"interaction.completed\",\"interaction\":", "}\n\n", "interactions" },
};

static const whole_shape *shape_now;

/* The word after "fin:" and its like in what the manifest says of a good response; null if it says nothing. */
static const char *said_reason(const recording *r)
{
    static const char *const marks[] = { "fin:", "stop:", "status:", " st:" };
    const char *found = NULL;
    size_t i;

    for (i = 0; i < sizeof marks / sizeof *marks && !found; i++) {
        found = strstr(r->rest, marks[i]);
        if (found) found += strlen(marks[i]);
    }
    return found;
}

/* The line of the end. */
static const char *end_of(feed_log *log)
{
    const char *end;

    log->text[log->size] = '\0';
    end = strstr(log->text, "FINISHED ");
    return end ? end : strstr(log->text, "ERROR ");
}

static void has_its_end(const recording *r)
{
    const char *reason = said_reason(r), *end = end_of(&feed_whole);
    char raw[100];

    if (!CHECK(end != NULL)) return;
    CHECK(!strstr(feed_whole.text, "BROKEN"));
    if (r->status >= 400 || !reason) {
        CHECK_STR(end, 6, "ERROR ");
        CHECK(r->status >= 400 || strstr(end, "ERROR protocol") == end);
        return;
    }
    CHECK_STR(end, 9, "FINISHED ");
    snprintf(raw, sizeof raw, " raw=%.*s", (int)strcspn(reason, " \t"), reason);
    if (strchr(" \t", *reason) == NULL) CHECK(strstr(end, raw));
}

/* The log without what is known of the response itself. */
static void leave_out_response(feed_log *log)
{
    const char *line = log->text, *next;
    size_t size = 0;

    log->text[log->size] = '\0';
    for (; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next != '\0';
        if (strncmp(line, "response ", 9) == 0) continue;
        memmove(log->text + size, line, (size_t)(next - line));
        size += (size_t)(next - line);
    }
    log->size = size;
    log->text[size] = '\0';
}

/* A stream of events of which one frame holds the response gives the same. */
static void same_as_events(const recording *r)
{
    size_t before = strlen(shape_now->before), after = strlen(shape_now->after), i;
    char *body = (char *)malloc(before + r->size + after);

    if (!body) abort();
    memcpy(body, shape_now->before, before);
    for (i = 0; i < r->size; i++)
        body[before + i] = r->body[i] == '\n' || r->body[i] == '\r' ? ' ' : r->body[i];
    memcpy(body + before + r->size, shape_now->after, after);
    feed_once(&streams_fed, &feed_now, body, before + r->size + after, before + r->size + after, before + r->size + after, 0);
    leave_out_response(&feed_now);
    leave_out_response(&feed_whole);
    CHECK_STR(feed_now.text, feed_now.size, feed_whole.text);
    free(body);
}

static void check_whole(const recording *r)
{
    check_context(r->name);
    if (strstr(r->name, ".sse")) return;
    streams_now.http_status = r->status;
    streams_now.headers = r->headers;
    feed_check(&streams_fed, r->body, r->size, NULL, __FILE__, __LINE__);
    has_its_end(r);
    if (r->status < 300 && said_reason(r) && shape_now->before) same_as_events(r);
}

TEST(each_recorded_whole_response_has_its_end_however_it_is_cut)
{
    int count = 0;
    size_t i;

    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape_now = &shapes[i];
        recordings_folder = shape_now->corpus;
        streams_shape(shape_now->shape);
        count += recordings_each(shape_now->folder, shape_now->shape->name, check_whole);
    }
    elelem_stream_free(&streams_now.stream);
    if (count == 0) check_nothing("no recordings (set ELELEM_CORPUS)");
}

CHECK_MAIN("corpus_whole",
    RUN(each_recorded_whole_response_has_its_end_however_it_is_cut))
