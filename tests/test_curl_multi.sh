#!/bin/sh
# examples/curl_multi.c: many streams in one thread, good and bad, one of them large, all at once.
set -u
. tests/shell.sh
command -v curl_multi >/dev/null && command -v python3 >/dev/null || { echo 'nothing done: no libcurl or no python3'; exit 0; }

misbehave examples/demo.sse
export no_proxy='*'

# ends NAME PATH END: how the stream of this path ended, among all the others.
ends() { same "$1" "$base/$2: $3" "$(grep "^$base/$2: " "$work/out")"; }

curl_multi openai-chat m q "$base/pieces/1" "$base/pieces/33" "$base/random/5" "$base/drip" "$base/large/20" "$base/page" "$base/reset" \
    "$base/gzip/pieces/33" "$base/key" "$base/open" "$base/cut/2000" "$base/old/pieces/100" >"$work/out" 2>&1
same one_that_fails_is_reported 1 $?
for path in pieces/1 pieces/33 random/5 drip gzip/pieces/33 open old/pieces/100; do
    ends "$(echo "$path" | tr / _)_is_whole" "$path" '75 bytes of text, tool_calls'
done
ends a_large_one_is_whole large/20 '18000000 bytes of text, completed'
ends a_page_is_an_error page '0 bytes of text, transient: the provider failed or is overloaded'
ends a_key_is_an_error key '0 bytes of text, authentication: no such key'
ends a_cut_is_an_error cut/2000 '0 bytes of text, connect: transfer closed with outstanding read data remaining'
check a_reset_is_an_error grep -q "^$base/reset: 75 bytes of text, connect: .*reset" "$work/out"

set --
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    set -- "$@" "$base/pieces/$n" "$base/random/$n" "$base/length/pieces/9" "$base/large/2"
done
curl_multi openai-chat m q "$@" >"$work/out" 2>&1
same eighty_at_a_time_are_whole '0 60 20' "$? $(grep -c '75 bytes of text, tool_calls' "$work/out") $(grep -c '1800000 bytes of text, completed' "$work/out")"
# Cut in each of the first 33 bytes, in each way of sending a body. No sign of that is in HTTP/1.0, but the stream has no end then.
for transfer in '' gzip/ old/ length/; do
    set --
    for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33; do
        set -- "$@" "$base/${transfer}cut/$n"
    done
    curl_multi openai-chat m q "$@" >"$work/out" 2>&1
    same "each_body_that_is_cut_is_an_error_${transfer%/}" '1 34' "$? $(grep -c ': 0 bytes of text, connect: ' "$work/out")"
done
exits usage_is_said 2 curl_multi
