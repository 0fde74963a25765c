/* request_results: which result is of which call, in each list of a few calls and results that have an id and a name, or have none. */
#include "elelem_stream.h"

#include "requests.h"

#include <stdio.h>

#ifndef CALLS
#define ROOM "request_results"
#define CALLS 2 /* at most in one history */
#define RESULTS 2
#endif

#define NAMES 3
#define CALL_KINDS (2 * NAMES * 2)
#define RESULT_KINDS (2 * NAMES)

static const char *const names[NAMES] = { "", "now", "then" };

/* A line of a call or a result. All ids are the same. */
typedef struct line {
    int has_id, is_cut;
    const char *name; /* "" if it has none */
} line;

typedef struct lines {
    size_t count;
    line at[CALLS > RESULTS ? CALLS : RESULTS];
} lines;

static lines calls, results;

static line line_of(size_t kind)
{
    line l;

    l.has_id = (int)(kind % 2);
    l.name = names[kind / 2 % NAMES];
    l.is_cut = (int)(kind / 2 / NAMES);
    return l;
}

/* Makes the list of this number; those of more lines have higher ones. Returns zero if it would be too long. */
static int lines_of(lines *list, size_t number, size_t kinds, size_t most)
{
    list->count = 0;
    while (number > 0) {
        if (list->count == most) return 0;
        number--;
        list->at[list->count++] = line_of(number % kinds);
        number /= kinds;
    }
    return 1;
}

static int is_left_out(const line *call)
{
    return call->is_cut || !*call->name;
}

static int are_same(const line *a, const line *b)
{
    return a->has_id == b->has_id && !strcmp(a->name, b->name);
}

static int may_be_of(const line *result, const line *call)
{
    if (result->has_id) return call->has_id;
    return !*result->name || !*call->name || !strcmp(result->name, call->name);
}

/* Nonzero if the result may be of one of the calls, or of one of those that are left out. */
static int has_a_call(const line *result, int left_out_only)
{
    size_t i;

    for (i = 0; i < calls.count; i++)
        if (may_be_of(result, &calls.at[i]) && (!left_out_only || is_left_out(&calls.at[i]))) return 1;
    return 0;
}

static size_t ids_of(const lines *list)
{
    size_t i, count = 0;

    for (i = 0; i < list->count; i++) count += (size_t)list->at[i].has_id;
    return count;
}

static size_t add_members(char *text, size_t room, const line *l)
{
    return (size_t)snprintf(text, room, "%s%s%s%s", l->has_id ? ",\"id\":\"a\"" : "", *l->name ? ",\"name\":\"" : "", l->name, *l->name ? "\"" : "");
}

/* Writes the history. The text of a result is its place in the list. */
static const char *write_history(void)
{
    static char text[2000];
    size_t i, size = (size_t)snprintf(text, sizeof text, USER("Hi"));

    for (i = 0; i < calls.count; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "{\"type\":\"tool_call\"");
        size += add_members(text + size, sizeof text - size, &calls.at[i]);
        size += (size_t)snprintf(text + size, sizeof text - size, "%s}\n", calls.at[i].is_cut ? ",\"state\":\"cut_off\",\"partialArguments\":{}" : ",\"arguments\":{}");
    }
    for (i = 0; i < results.count; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "{\"type\":\"tool_result\"");
        size += add_members(text + size, sizeof text - size, &results.at[i]);
        size += (size_t)snprintf(text + size, sizeof text - size, ",\"text\":\"%u\"}\n", (unsigned)i);
    }
    return text;
}

#define NONE 99

/* The place of the result of each call, or NONE. */
static size_t result_of[CALLS];

static void read_result(size_t which, elelem_value asked, elelem_value message)
{
    elelem_str text = elelem_value_text(elelem_value_member(message, elelem_str_of("content")));
    elelem_str id = elelem_value_text(elelem_value_member(asked, elelem_str_of("id")));
    elelem_str to = elelem_value_text(elelem_value_member(message, elelem_str_of("tool_call_id")));
    elelem_str name = elelem_value_text(elelem_value_find(asked, "function.name"));

    CHECK(id.size > 0);
    CHECK_BYTES(to.data, to.size, id.data, id.size);
    CHECK_STR(name.data, name.size, calls.at[which].name);
    result_of[which] = text.size == 1 ? (size_t)(text.data[0] - '0') : NONE;
}

/* Reads the body: each call that is not left out has one message, in the order of the calls. */
static void read_results(void)
{
    elelem_value messages = member_of_body("messages"), asked = elelem_value_find(messages, "[1].tool_calls");
    size_t i, count = 0;

    for (i = 0; i < calls.count; i++) {
        result_of[i] = NONE;
        if (is_left_out(&calls.at[i])) continue;
        read_result(i, elelem_value_at(asked, count), elelem_value_at(messages, 2 + count));
        count++;
    }
    CHECK_U64(elelem_value_count(asked), count);
    CHECK_U64(elelem_value_count(messages), count > 0 ? 2 + count : 1);
}

/* Returns the call that has the result. */
static size_t call_of(size_t result)
{
    size_t i;

    for (i = 0; i < calls.count; i++)
        if (result_of[i] == result) return i;
    return NONE;
}

static void check_call(size_t which)
{
    const line *call = &calls.at[which];
    size_t result = result_of[which], i;

    if (result != NONE) {
        CHECK(result < results.count);
        CHECK(may_be_of(&results.at[result], call));
        CHECK_U64(call_of(result), which);
    }
    for (i = 0; i < results.count; i++)
        if (result == NONE && call_of(i) == NONE && may_be_of(&results.at[i], call)) CHECK(has_a_call(&results.at[i], 1));
    if (call->has_id && result != NONE && ids_of(&results) >= ids_of(&calls)) CHECK(results.at[result].has_id);
    for (i = which + 1; i < calls.count && !call->has_id; i++)
        if (are_same(call, &calls.at[i]) && !is_left_out(&calls.at[i])) CHECK(result_of[i] == NONE || result < result_of[i]);
}

/* Writes the lists as a history. Returns nonzero if each result has a call; then they are read from the body. */
static int write_lists(void)
{
    int have_calls = 1;
    size_t i;

    for (i = 0; i < results.count; i++)
        if (!has_a_call(&results.at[i], 0)) have_calls = 0;
    request.history = elelem_str_of(write_history());
    check_context(request.history.data);
    CHECK_INT(write_body().status, have_calls ? ELELEM_OK : ELELEM_ERROR_PROTOCOL);
    if (have_calls) read_results();
    return have_calls;
}

TEST(each_result_is_of_a_call_that_it_fits_and_no_call_that_one_fits_is_without)
{
    size_t c, r, i;

    ask("chat", "m");
    for (c = 0; lines_of(&calls, c, CALL_KINDS, CALLS); c++)
        for (r = 0; lines_of(&results, r, RESULT_KINDS, RESULTS); r++) {
            if (!write_lists()) continue;
            for (i = 0; i < calls.count; i++)
                if (!is_left_out(&calls.at[i])) check_call(i);
        }
}

/* How well a result fits a call: the name counts first, then whether both have no id, then whether the call is whole. */
static int fit_of(const line *result, const line *call)
{
    int are_named = *call->name && !strcmp(result->name, call->name);

    if (!may_be_of(result, call)) return 0;
    return 1 + 4 * are_named + 2 * (!result->has_id && !call->has_id) + !is_left_out(call);
}

TEST(one_result_is_of_the_first_call_that_it_fits_best)
{
    size_t c, r, i, best;

    ask("chat", "m");
    for (c = 1; lines_of(&calls, c, CALL_KINDS, CALLS); c++)
        for (r = 1; lines_of(&results, r, RESULT_KINDS, 1); r++) {
            if (!write_lists()) continue;
            for (i = best = 0; i < calls.count; i++)
                if (fit_of(&results.at[0], &calls.at[i]) > fit_of(&results.at[0], &calls.at[best])) best = i;
            CHECK_U64(call_of(0), is_left_out(&calls.at[best]) ? NONE : best);
        }
}

/* Makes a list of lines without an id, of which each may be of the second kind. */
static int plain_lines_of(lines *list, size_t number, line first, line second, size_t most)
{
    size_t i;

    if (!lines_of(list, number, 2, most)) return 0;
    for (i = 0; i < list->count; i++) list->at[i] = list->at[i].has_id ? second : first;
    return 1;
}

/* The calls that have results are those that are whole, then those that are not. */
static void check_order(void)
{
    size_t i, next = 0, whole = 0, left;

    for (i = 0; i < calls.count; i++) whole += (size_t)!calls.at[i].is_cut;
    left = results.count > whole ? results.count - whole : 0;
    for (i = 0; i < calls.count; i++) {
        if (calls.at[i].is_cut && left == 0) continue;
        if (calls.at[i].is_cut) left--;
        else CHECK_U64(result_of[i], next < results.count ? next : NONE);
        next++;
    }
}

TEST(calls_of_one_name_without_an_id_have_results_in_their_order)
{
    static const line whole = { 0, 0, "now" }, cut = { 0, 1, "now" }, nameless = { 0, 0, "" };
    size_t c, r;

    ask("chat", "m");
    for (c = 1; plain_lines_of(&calls, c, whole, cut, CALLS); c++)
        for (r = 0; plain_lines_of(&results, r, whole, nameless, RESULTS); r++)
            if (write_lists()) check_order();
}

CHECK_MAIN(ROOM,
    RUN(each_result_is_of_a_call_that_it_fits_and_no_call_that_one_fits_is_without)
    RUN(one_result_is_of_the_first_call_that_it_fits_best)
    RUN(calls_of_one_name_without_an_id_have_results_in_their_order))
