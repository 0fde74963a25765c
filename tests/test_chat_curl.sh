#!/bin/sh
# examples/chat_curl.c against a server on this machine that plays a stream in every way in which transports go wrong.
set -u
. tests/shell.sh
command -v chat_curl >/dev/null && command -v python3 >/dev/null || { echo 'nothing done: no libcurl or no python3'; exit 0; }
# ask PATH [IDLE_MS]
ask() {
    no_proxy='*' chat_curl "$base/$1" openai-chat m 'Who stands at the gate?' "${2:-10000}" >"$work/out" 2>"$work/err"
}

# serve FILE: from here on the server plays this one.
serve() {
    misbehave "$1"
    say <"$1" | grep -v '^\[run ' >"$work/want"
}
is_whole() { cmp -s "$work/want" "$work/out"; }


# pieces TRANSFER: bodies in pieces of every size up to 33 bytes and of random ones, and slow ones.
pieces() {
    failed=
    n=1
    while [ $n -le 33 ]; do
        ask "$1pieces/$n" && is_whole || failed="$failed $n"
        n=$((n + 1))
    done
    same "pieces_of_1_to_33_bytes_give_the_response_${1%/}" '' "$failed"
    failed=
    for n in 1 2 3 4 5 6; do ask "$1random/$n" && is_whole || failed="$failed $n"; done
    same "pieces_of_random_sizes_give_the_response_${1%/}" '' "$failed"
    ask "$1drip"
    check "a_body_that_drips_gives_the_response_${1%/}" is_whole
}
serve examples/demo.sse
pieces gzip/
for n in 1 2 3 4 5 6; do ask random/$n && is_whole || failed="$failed $n"; done
same pieces_of_random_sizes_of_a_long_response_give_it '' "$failed"

# The events of the file, by curl and by a pipe, which cuts the body in its own way. (curl ends a connection on which nothing came for 4 s:
# a limit of the whole would depend on how busy the machine is.)
events() { elelem-events --shape chat --join "$@"; }
serve examples/walk.sse
events examples/walk.sse >"$work/events"
command -v curl >/dev/null && for how in pieces/1 random/7 drip open gzip/random/8 old/random/9 length/pieces/33; do
    curl -sN --compressed --noproxy '*' -y 4 -Y 1 -d '{}' "$base/$how" | events >"$work/out"
    check "events_by_$(echo $how | tr / _)_are_those_of_the_file" cmp -s "$work/events" "$work/out"
done

for transfer in '' old/; do pieces "$transfer"; done
for transfer in '' gzip/ old/; do
    ask ${transfer}open
    check "a_connection_that_stays_open_after_the_end_does_not_delay_it_${transfer%/}" is_whole
done

# retried NAME PATH IDLE_MS ERROR: the second try gives the response.
retried() {
    ask "$2" "$3"
    same "$1" "0 $4" "$? $(sed 's/ in [0-9]* ms//' "$work/err" | tr '\n' ';')"
    tail -c "$(wc -c <"$work/want")" "$work/out" >"$work/out_end"
    check "${1}_and_then_whole" cmp -s "$work/want" "$work/out_end"
}
for transfer in '' gzip/ old/; do
    in=_${transfer%/}
    retried "a_rate_limit_is_waited_for$in" once/${transfer}rate 10000 'rate_limit, HTTP 429: slow down;trying again;'
    retried "headers_of_an_earlier_response_do_not_count$in" once/${transfer}hints 10000 'transient, HTTP 500: no;trying again;'
    retried "a_page_of_a_proxy_is_in_the_log$in" once/${transfer}page 10000 \
        'transient, HTTP 503: the provider failed or is overloaded;the body began with "<html> <head><title>503 Service Temporarily Unavailable</title></head> <body>nginx</body> </html>";trying again;'
    retried "silence_ends_in_a_timeout$in" once/${transfer}stall 300 'timeout, HTTP 200: nothing came for longer than the idle timeout;trying again;'
    ask once/${transfer}reset
    check "a_reset_connection_is_tried_again$in" grep -q '^connect, HTTP 200: .*reset' "$work/err"
    check "and_gives_the_response$in" grep -q '^\[tool_calls\]' "$work/out"

    ask ${transfer}key
    same "a_key_that_is_refused_is_not_tried_again$in" '1 authentication, HTTP 401: no such key' "$? $(cat "$work/err")"
done

for how in cut/997 gzip/cut/200 old/cut/2000 length/cut/2000; do
    ask once/$how
    check "a_body_that_is_cut_is_tried_again_$(echo $how | tr / _)" grep -q '^connect, HTTP 200: ' "$work/err"
    check "and_then_whole_$(echo $how | tr / _)" grep -q '^\[tool_calls\]' "$work/out"
done

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
[ -r /proc/self/status ] && for transfer in '' gzip/ old/; do
    no_proxy='*' chat_curl "$base/${transfer}large/100" openai-chat m q >"$work/out" 2>"$work/err" &
    client=$!
    peak=0
    while kill -0 $client 2>/dev/null; do
        now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$client/status 2>/dev/null)
        [ "${now:-0}" -gt $peak ] && peak=$now
        sleep 0.1
    done
    wait $client
    same "a_stream_of_100_mb_is_whole_${transfer%/}" '0 89950012' "$? $(wc -c <"$work/out" | tr -d ' ')"
    echo "100 MB in $peak KB, libcurl's among them"
    check "and_takes_no_more_memory_than_a_small_one_${transfer%/}" [ "$peak" -lt 30000 ]
done
exits usage_is_said 2 chat_curl
