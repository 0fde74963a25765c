/* chat_curl: asks a model over HTTPS with libcurl, prints the response as it is written, and tries again if the error says
 * that this may help. link: -lcurl
 *
 *     chat_curl URL PROVIDER MODEL QUESTION [IDLE_MS]     the key, if any, is in CHAT_KEY
 *
 *     chat_curl https://api.openai.com/v1/chat/completions openai-chat gpt-4.1 'Why is the sky blue?'
 *
 *     chat_curl file://$PWD/examples/demo.sse openai-chat any 'A guard?'     plays a recording: no server, no key
 *
 * Interrupt it to cancel. Exit 0 if the response finished, 1 if it did not, 2 usage.
 */
#define _POSIX_C_SOURCE 199309L
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <curl/curl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TRIES 3
#define LONGEST_WAIT_MS 60000

static elelem_turn turn;
static volatile sig_atomic_t is_cancelled;

/* How the last try ended. */
static int is_finished, is_retryable;
static int64_t wait_ms;

static void cancel(int number)
{
    (void)number;
    is_cancelled = 1;
}

static void put(elelem_str text)
{
    fwrite(text.data, 1, text.size, stdout);
    fflush(stdout);
}

static void show_error(const elelem_turn_update *update)
{
    elelem_str page = elelem_metadata_get(&update->metadata, "body_excerpt");

    is_retryable = update->error.retryable;
    wait_ms = update->error.retry_after_ms;
    fprintf(stderr, "%s, HTTP %d: %.*s\n", elelem_error_kind_name(update->error.kind), (int)update->error.http_status,
            ELELEM_STR_ARG(update->error.message));
    if (page.size > 0) fprintf(stderr, "the body began with %.*s\n", ELELEM_STR_ARG(page));
}

/* Takes all updates there are now. Nonzero while more may come. */
static int take(void)
{
    elelem_turn_update update;
    elelem_status status;

    while ((status = elelem_turn_next(&turn, &update)) == ELELEM_OK)
        switch (update.kind) {
        case ELELEM_TURN_TEXT: put(update.text); break;
        case ELELEM_TURN_TOOL_CALL_START: printf("\n[%.*s]\n", ELELEM_STR_ARG(update.tool_call.name)); break;
        case ELELEM_TURN_TOOL_CALL_DELTA: put(elelem_fragment_text(&update.fragment, "content")); break;
        case ELELEM_TURN_FINISHED:
            printf("[%s]\n", elelem_finish_reason_name(update.reason));
            is_finished = 1;
            break;
        case ELELEM_TURN_ERROR: show_error(&update); break;
        default: break;
        }
    return status != ELELEM_END;
}

/* What libcurl calls. */

/* A line of a head: of the response, or of one before it. */
static size_t on_header(char *bytes, size_t one, size_t count, void *user)
{
    (void)user;
    elelem_turn_http_header_line(&turn, elelem_str_from(bytes, one * count));
    return one * count;
}

/* A piece of the body. Once the response is over, which may be before the body is, the transfer ends. */
static size_t on_body(char *bytes, size_t one, size_t count, void *user)
{
    (void)user;
    elelem_turn_push(&turn, bytes, one * count);
    return take() ? one * count : 0;
}

static uint32_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
}

/* Comes at least every second. Nonzero ends the transfer: the turn has ended with a timeout, or as cancelled. */
static int on_progress(void *user, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
    (void)user, (void)down_total, (void)down, (void)up_total, (void)up;
    elelem_turn_tick(&turn, now_ms());
    if (is_cancelled) elelem_turn_fail(&turn, ELELEM_ERROR_KIND_CANCELLED);
    return !take();
}

static void transfer(CURL *curl)
{
    char words[CURL_ERROR_SIZE] = "";
    CURLcode code;

    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words);
    elelem_turn_set_unix_time(&turn, (int64_t)time(NULL));
    code = curl_easy_perform(curl);
    if (code == CURLE_OK) elelem_turn_finish(&turn);
    else elelem_turn_fail_with(&turn, code == CURLE_OPERATION_TIMEDOUT ? ELELEM_ERROR_KIND_TIMEOUT : ELELEM_ERROR_KIND_CONNECT,
                               elelem_str_of(words[0] ? words : curl_easy_strerror(code)));
    take(); /* the end comes here at the latest, and `words` is needed up to it */
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
}

/* Waits as long as the server asked for, or twice as long each time. Zero if that is too long. */
static int wait_for_try(int number)
{
    int64_t wait = wait_ms >= 0 ? wait_ms : (int64_t)500 << number;
    struct timespec time;

    if (wait > LONGEST_WAIT_MS) return 0;
    fprintf(stderr, "trying again in %d ms\n", (int)wait);
    time.tv_sec = (time_t)(wait / 1000);
    time.tv_nsec = (long)(wait % 1000) * 1000000;
    return nanosleep(&time, NULL) == 0; /* not if it was interrupted */
}

/* The header of this name; libcurl copies it. */
static struct curl_slist *header(struct curl_slist *list, const char *name, const char *prefix, const char *value)
{
    char line[600];

    if (!name[0] || !value) return list;
    snprintf(line, sizeof line, "%s: %s%s", name, prefix, value);
    return curl_slist_append(list, line);
}

int main(int count, char **words)
{
    const elelem_provider *provider = count >= 5 ? elelem_provider_find(words[2]) : NULL;
    elelem_turn_desc desc = ELELEM_INIT;
    elelem_request request = ELELEM_INIT;
    elelem_error refused;
    elelem_conversation talk;
    elelem_buffer body;
    struct curl_slist *headers = NULL;
    CURL *curl = curl_easy_init();
    int number;

    if (!provider || !curl) return fputs("usage: chat_curl URL PROVIDER MODEL QUESTION [IDLE_MS]\n", stderr), 2;
    signal(SIGINT, cancel);
    elelem_conversation_init(&talk, desc.allocator, 0);
    elelem_buffer_init(&body, desc.allocator, 0);
    if (elelem_conversation_user(&talk, elelem_str_of(words[4])) != ELELEM_OK) return 1;
    request.provider = provider;
    request.model = elelem_str_of(words[3]);
    request.history = elelem_conversation_text(&talk);
    refused = elelem_request_write(&request, elelem_buffer_sink(&body));
    if (refused.status != ELELEM_OK) return fprintf(stderr, "%s\n", refused.message), 1;

    headers = header(headers, "Content-Type", "", "application/json");
    headers = header(headers, provider->key_header, provider->key_prefix, getenv("CHAT_KEY"));
    headers = header(headers, provider->other_header, "", provider->other_value);
    curl_easy_setopt(curl, CURLOPT_URL, words[1]);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, elelem_buffer_text(&body).data);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)elelem_buffer_text(&body).size);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, ""); /* libcurl decompresses */
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);

    desc.shape = provider->shape;
    desc.keep = ELELEM_KEEP_NONE; /* all is shown at once; a call that is to be run needs ELELEM_KEEP_TOOL_CALLS */
    desc.idle_timeout_ms = count > 5 ? (uint32_t)strtoul(words[5], NULL, 10) : 60000;
    elelem_turn_init(&turn, &desc);
    for (number = 0; number == 0 || (number < TRIES && is_retryable && wait_for_try(number)); number++) {
        is_finished = is_retryable = 0;
        elelem_turn_reset(&turn);
        transfer(curl);
    }
    elelem_turn_free(&turn);
    elelem_conversation_free(&talk);
    elelem_buffer_free(&body);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return !is_finished;
}
