#!/bin/sh
# examples/chat_curl.c against a server on this machine that plays a stream in every way in which transports go wrong.
set -u
. tests/shell.sh
command -v chat_curl >/dev/null && command -v python3 >/dev/null || { echo 'nothing done: no libcurl or no python3'; exit 0; }
misbehave examples/demo.sse

# ask PATH [IDLE_MS]
ask() {
    no_proxy='*' chat_curl "$base/$1" openai-chat m 'Who stands at the gate?' "${2:-10000}" >"$work/out" 2>"$work/err"
}

say <examples/demo.sse | grep -v '^\[run ' >"$work/want"
is_whole() { cmp -s "$work/want" "$work/out"; }

failed=
n=1
while [ $n -le 33 ]; do
    ask pieces/$n && is_whole || failed="$failed $n"
    n=$((n + 1))
done
same pieces_of_1_to_33_bytes_give_the_response '' "$failed"
failed=
for n in 1 2 3 4 5 6; do ask random/$n && is_whole || failed="$failed $n"; done
same pieces_of_random_sizes_give_the_response '' "$failed"
for how in drip gzip length old; do
    ask $how
    check "a_body_by_${how}_gives_the_response" is_whole
done
ask open
check a_connection_that_stays_open_after_the_end_does_not_delay_it is_whole

# retried NAME PATH IDLE_MS ERROR: the second try gives the response.
retried() {
    ask "$2" "$3"
    same "$1" "0 $4" "$? $(sed 's/ in [0-9]* ms//' "$work/err" | tr '\n' ';')"
    tail -c 400 "$work/want" >"$work/want_end"
    tail -c 400 "$work/out" >"$work/out_end"
    check "${1}_and_then_whole" cmp -s "$work/want_end" "$work/out_end"
}
retried a_rate_limit_is_waited_for once/rate 10000 'rate_limit, HTTP 429: slow down;trying again;'
retried headers_of_an_earlier_response_do_not_count once/hints 10000 'transient, HTTP 500: no;trying again;'
retried a_page_of_a_proxy_is_in_the_log once/page 10000 \
    'transient, HTTP 503: the provider failed or is overloaded;the body began with "<html> <head><title>503 Service Temporarily Unavailable</title></head> <body>nginx</body> </html>";trying again;'
retried silence_ends_in_a_timeout once/stall 300 'timeout, HTTP 200: nothing came for longer than the idle timeout;trying again;'
ask once/reset
check a_reset_connection_is_tried_again grep -q '^connect, HTTP 200: .*reset' "$work/err"
check and_gives_the_response grep -q '^\[tool_calls\]' "$work/out"

failed=
n=0
while [ $n -le 2000 ]; do
    ask once/cut/$n
    grep -q '^connect, HTTP 200: ' "$work/err" && grep -q '^\[tool_calls\]' "$work/out" || failed="$failed $n"
    n=$((n + 997))
done
same a_body_that_is_cut_is_tried_again '' "$failed"

ask key
same a_key_that_is_refused_is_not_tried_again '1 authentication, HTTP 401: no such key' "$? $(cat "$work/err")"
no_proxy='*' chat_curl http://127.0.0.1:1 openai-chat m q >"$work/out" 2>"$work/err" &
client=$!
sleep 0.3
kill -INT $client
wait $client
same a_transport_that_fails_says_so_in_its_own_words 'connect, HTTP 0: Failed to connect to 127.0.0.1 port 1' \
    "$(sed -n '1s/ after .*//p' "$work/err")"

no_proxy='*' chat_curl "$base/stall" openai-chat m q >"$work/out" 2>"$work/err" &
client=$!
sleep 0.5
kill -INT $client
wait $client
same a_caller_may_cancel '1 cancelled, HTTP 200: cancelled by the caller' "$? $(cat "$work/err")"

ask large/1
same a_large_response_is_whole '0 900012' "$? $(wc -c <"$work/out" | tr -d ' ')"
if [ -r /proc/self/status ]; then
    no_proxy='*' chat_curl "$base/large/100" openai-chat m q >/dev/null 2>"$work/err" &
    client=$!
    peak=0
    while kill -0 $client 2>/dev/null; do
        now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$client/status 2>/dev/null)
        [ "${now:-0}" -gt $peak ] && peak=$now
        sleep 0.1
    done
    wait $client
    same a_stream_of_100_mb_ends_well 0 $?
    echo "100 MB in $peak KB, libcurl's among them"
    check and_takes_no_more_memory_than_a_small_one [ "$peak" -lt 30000 ]
fi
exits usage_is_said 2 chat_curl
