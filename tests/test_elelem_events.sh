#!/bin/sh
# elelem-events as a user runs it: what it prints, its options, its exit codes.
set -u
. tests/shell.sh

# gives NAME EXPECTED COMMAND...: what the command prints, to the byte but for line ends at the end.
gives() {
    name=$1
    expected=$2
    shift 2
    same "$name" "$expected" "$("$@" 2>"$work/stderr")"
}

events() { elelem-events --shape chat "$@"; }

good=tests/data/chat/a_tool_call_streams_its_arguments.sse
lines='{"eventType":"ResponseMetadata","metadata":{"id":"c-1","model":"m-1"}}
{"eventType":"ToolCallStart","index":0,"id":"call_1","toolName":"get_weather"}
{"eventType":"ToolCallArguments","index":0,"chunk":"{\"city\":\"Oslo\"}"}
{"eventType":"Flush","index":0}
{"eventType":"ChatCompleted","finishReason":"tool_calls","rawFinishReason":"tool_calls"}'

gives events_are_record_lines "$lines" events --join "$good"
gives without_join_chunks_stay_as_they_came 6 sh -c "elelem-events --shape chat $good | grep -c ."
for n in 0 1 2 7 4096; do
    gives "joined_output_does_not_depend_on_chunks_of_$n" "$lines" events --join --chunk $n "$good"
done
gives standard_input_is_read_without_a_file "$lines" sh -c "elelem-events --shape chat --join <$good"
gives a_minus_is_standard_input "$lines" sh -c "elelem-events --shape chat --join - <$good"

printf 'data: {"choices":[{"delta":{"content":"{}"}}]}\n\n' >"$work/early.sse"
early='{"eventType":"PartialResponse","index":0,"chunk":"{}"}
{"eventType":"Error","kind":"connect","retryable":true,"message":"the response ended before it was complete","offset":48}'
gives an_early_end_is_an_error_event "$early" events "$work/early.sse"
exits an_error_event_is_no_failure 0 events "$work/early.sse"
gives structured_text_is_partial_structured '{"eventType":"PartialStructured","index":0,"chunk":"{}"}' \
    sh -c "elelem-events --shape chat --structured '$work/early.sse' | head -n 1"

printf '{"error":{"message":"slow down","code":"rate_limit_exceeded"}}' >"$work/refused.json"
gives status_and_headers_make_an_error \
    '{"eventType":"Error","kind":"rate_limit","retryable":true,"retryAfterMs":2000,"httpStatus":429,"code":"rate_limit_exceeded","message":"slow down","offset":62}' \
    events --status 429 --header 'Retry-After: 2' --header 'x-other: 1' "$work/refused.json"

gives broken_behind_the_end_is_nothing "$lines" events --join --broken "$good"
printf 'data: {"choices":[{"delta":{}}]}\n\n' >"$work/nothing.sse"
gives broken_before_the_end_is_connect \
    '{"eventType":"Error","kind":"connect","retryable":true,"message":"the response ended before it was complete","offset":34}' \
    events --broken "$work/nothing.sse"

watched='╭ get_weather call_1 complete
│ city: Oslo

finished: tool_calls'
gives watch_shows_the_response_for_people "$watched" sh -c "elelem-events --shape chat --watch $good | sed '/bytes read; memory/d'"
gives and_does_not_depend_on_chunks "$watched" sh -c "elelem-events --shape chat --watch --chunk 3 $good | sed '/bytes read; memory/d'"
gives watch_says_what_an_error_means 'error: rate_limit
  slow down
  the same request may succeed later, in 2 s
  at byte 62, 429 as HTTP status, code rate_limit_exceeded' \
    sh -c "elelem-events --shape chat --watch --status 429 --header 'Retry-After: 2' '$work/refused.json' | sed '/bytes read; memory/d'"
printf 'data: {"choices":[{"delta":{"content":"a\\u001b[31mb\\u0007\\u009bc"}}]}\n\ndata: [DONE]\n\n' >"$work/escapes.sse"
gives control_characters_do_not_reach_the_terminal '  a·[31mb··c' sh -c "elelem-events --shape chat --watch '$work/escapes.sse' | head -n 1"
exits watch_and_items_is_usage 2 events --watch --items "$good"
exits watch_and_replay_is_usage 2 elelem-events --watch --replay "$good"
# The pipe stays open until the event was printed, at most 20 s.
touch "$work/live"
{
    printf 'data: {"choices":[{"delta":{"content":"now"}}]}\n\n'
    for n in $(seq 200); do
        if grep -q '"chunk":"now"' "$work/live"; then touch "$work/came" && break; fi
        sleep 0.1
    done
} | elelem-events --shape chat >"$work/live"
check events_come_as_soon_as_their_bytes [ -e "$work/came" ]

exits a_missing_file_is_1 1 events "$work/there-is-none"
exits a_folder_is_1 1 events "$work"
exits no_shape_is_usage 2 elelem-events "$good"
exits an_unknown_shape_is_usage 2 elelem-events --shape morse "$good"
exits an_unknown_option_is_usage 2 events --what "$good"
exits an_option_without_its_value_is_usage 2 events "$good" --chunk
exits a_chunk_that_is_no_number_is_usage 2 events --chunk -1 "$good"
exits a_header_without_a_colon_is_usage 2 events --header nonsense "$good"
exits two_files_are_usage 2 events "$good" "$good"
events --what >"$work/stdout" 2>"$work/stderr"
check usage_goes_to_stderr grep -q '^usage: ' "$work/stderr"
check usage_leaves_stdout_empty [ ! -s "$work/stdout" ]
if [ -w /dev/full ]; then
    exits output_that_cannot_be_written_is_1 1 sh -c "elelem-events --shape chat $good >/dev/full"
fi
