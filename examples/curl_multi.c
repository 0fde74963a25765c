/* curl_multi: many responses at a time in one thread, each with a budget of time in every round, so that none of them
 * holds up the others. link: -lcurl
 *
 *     curl_multi PROVIDER MODEL QUESTION URL...     the key, if any, is in CHAT_KEY
 *
 * Prints how much text each of them had and how it ended. Exit 0 if all finished, 1 if not, 2 usage.
 */
#define _POSIX_C_SOURCE 199309L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUDGET_US 200
#define SILENCE_MS 60000

typedef struct exchange {
    CURL *curl;
    elelem_turn turn;
    char words[CURL_ERROR_SIZE];
    char bytes[CURL_MAX_WRITE_SIZE]; /* what was pushed: it stays in place until the turn has read it */
    elelem_status status;            /* of the turn: MORE, and nothing unread, asks for bytes */
    int is_paused;                   /* libcurl waits with the next piece */
    size_t text_bytes;
    int is_finished;
    char end[200];
} exchange;

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int wants_bytes(const exchange *x)
{
    return x->status == ELELEM_MORE && elelem_turn_unread(&x->turn) == 0;
}

static size_t on_header(char *bytes, size_t one, size_t count, void *user)
{
    elelem_turn_http_header_line(&((exchange *)user)->turn, elelem_str_from(bytes, one * count));
    return one * count;
}

/* Takes a piece of the body only if the one before is read. Else libcurl keeps it, and the server waits. */
static size_t on_body(char *bytes, size_t one, size_t count, void *user)
{
    exchange *x = (exchange *)user;
    size_t size = one * count;

    if (x->status == ELELEM_END) return 0;
    x->is_paused = !wants_bytes(x);
    if (x->is_paused) return CURL_WRITEFUNC_PAUSE;
    memcpy(x->bytes, bytes, size); /* never more than CURL_MAX_WRITE_SIZE */
    elelem_turn_push(&x->turn, x->bytes, size);
    x->status = ELELEM_OK;
    return size;
}

static void show(exchange *x, const elelem_turn_update *update)
{
    if (update->kind == ELELEM_TURN_TEXT) x->text_bytes += update->text.size;
    if (update->kind == ELELEM_TURN_FINISHED) {
        x->is_finished = 1;
        snprintf(x->end, sizeof x->end, "%s", elelem_finish_reason_name(update->reason));
    }
    if (update->kind == ELELEM_TURN_ERROR)
        snprintf(x->end, sizeof x->end, "%s: %.*s", elelem_error_kind_name(update->error.kind), ELELEM_STR_ARG(update->error.message));
}

/* Takes updates until there is none, or time is up. */
static void take(exchange *x)
{
    uint64_t stop = now_us() + BUDGET_US;
    elelem_turn_update update;

    elelem_turn_tick(&x->turn, (uint32_t)(now_us() / 1000));
    do {
        x->status = elelem_turn_next(&x->turn, &update);
        if (x->status == ELELEM_OK) show(x, &update);
    } while (x->status != ELELEM_END && !wants_bytes(x) && now_us() < stop);
}

/* The transfers that are over: their turns get their end, which take() returns after what is still unread. */
static void finish(CURLM *all)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(all, &left)) != NULL) {
        CURLcode code = message->data.result;
        char *user;
        exchange *x;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
        x = (exchange *)(void *)user;
        if (code == CURLE_OK) elelem_turn_finish(&x->turn);
        else elelem_turn_fail_with(&x->turn, ELELEM_ERROR_KIND_CONNECT,
                                   elelem_str_of(x->words[0] ? x->words : curl_easy_strerror(code)));
        if (x->status == ELELEM_MORE) x->status = ELELEM_OK;
    }
}

static void start(CURLM *all, exchange *x, const char *url, const elelem_request *request, struct curl_slist *headers, elelem_str body)
{
    elelem_turn_desc desc = ELELEM_INIT;

    desc.shape = request->provider->shape;
    desc.keep = ELELEM_KEEP_NONE;
    desc.idle_timeout_ms = SILENCE_MS;
    desc.max_next_bytes = 4096; /* so that one call is short, whatever came */
    elelem_turn_init(&x->turn, &desc);
    x->status = ELELEM_MORE;
    x->curl = curl_easy_init();
    if (!x->curl) exit(1);
    curl_easy_setopt(x->curl, CURLOPT_URL, url);
    curl_easy_setopt(x->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(x->curl, CURLOPT_POSTFIELDS, body.data);
    curl_easy_setopt(x->curl, CURLOPT_POSTFIELDSIZE, (long)body.size);
    curl_easy_setopt(x->curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(x->curl, CURLOPT_ERRORBUFFER, x->words);
    curl_easy_setopt(x->curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(x->curl, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(x->curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(x->curl, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(x->curl, CURLOPT_PRIVATE, x);
    curl_multi_add_handle(all, x->curl);
}

/* One round: what has arrived, then every turn for its time. Returns how many are not over. */
static int work(CURLM *all, exchange *exchanges, int count)
{
    int running, i, is_busy = 0, open = 0;

    curl_multi_perform(all, &running);
    finish(all);
    for (i = 0; i < count; i++) {
        exchange *x = &exchanges[i];
        if (x->status == ELELEM_END) continue;
        take(x);
        if (x->status == ELELEM_END && x->is_paused) curl_multi_remove_handle(all, x->curl);
        else if (x->is_paused && wants_bytes(x)) curl_easy_pause(x->curl, CURLPAUSE_CONT); /* calls on_body */
        is_busy |= x->status != ELELEM_END && !wants_bytes(x);
        open += x->status != ELELEM_END;
    }
    if (open > 0) curl_multi_poll(all, NULL, 0, is_busy ? 0 : 100, NULL);
    return open;
}

int main(int count, char **words)
{
    elelem_request request = ELELEM_INIT;
    elelem_error refused;
    elelem_conversation talk;
    elelem_buffer body;
    elelem_allocator heap = ELELEM_INIT;
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    CURLM *all = curl_multi_init();
    exchange *exchanges = count > 4 ? (exchange *)calloc((size_t)count - 4, sizeof *exchanges) : NULL;
    char line[600];
    int i, bad = 0;

    if (!exchanges || !all || !(request.provider = elelem_provider_find(words[1])))
        return fputs("usage: curl_multi PROVIDER MODEL QUESTION URL...\n", stderr), 2;
    elelem_conversation_init(&talk, heap, 0);
    elelem_buffer_init(&body, heap, 0);
    if (elelem_conversation_user(&talk, elelem_str_of(words[3])) != ELELEM_OK) return 1;
    request.model = elelem_str_of(words[2]);
    request.history = elelem_conversation_text(&talk);
    refused = elelem_request_write(&request, elelem_buffer_sink(&body));
    if (refused.status != ELELEM_OK) return fprintf(stderr, "%s\n", refused.message), 1;
    snprintf(line, sizeof line, "%s: %s%s", request.provider->key_header, request.provider->key_prefix, getenv("CHAT_KEY") ? getenv("CHAT_KEY") : "");
    if (getenv("CHAT_KEY")) headers = curl_slist_append(headers, line);
    snprintf(line, sizeof line, "%s: %s", request.provider->other_header, request.provider->other_value);
    if (request.provider->other_header[0]) headers = curl_slist_append(headers, line);

    for (i = 0; i < count - 4; i++)
        start(all, &exchanges[i], words[4 + i], &request, headers, elelem_buffer_text(&body));
    while (work(all, exchanges, count - 4) > 0)
        continue;
    for (i = 0; i < count - 4; i++) {
        printf("%s: %lu bytes of text, %s\n", words[4 + i], (unsigned long)exchanges[i].text_bytes, exchanges[i].end);
        bad |= !exchanges[i].is_finished;
        curl_multi_remove_handle(all, exchanges[i].curl);
        curl_easy_cleanup(exchanges[i].curl);
        elelem_turn_free(&exchanges[i].turn);
    }
    curl_multi_cleanup(all);
    curl_slist_free_all(headers);
    elelem_conversation_free(&talk);
    elelem_buffer_free(&body);
    free(exchanges);
    return bad;
}
