#!/bin/sh
# elelem-request as a user runs it: bodies, errors with their line, exit codes, and a conversation in a file.
set -u
. tests/shell.sh

# gives NAME EXPECTED COMMAND...: what the command prints.
gives() {
    name=$1
    expected=$2
    shift 2
    same "$name" "$expected" "$("$@" 2>&1)"
}

# asks DESCRIPTION [ARGUMENT...]: the description on standard input.
asks() {
    description=$1
    shift
    printf '%s' "$description" | elelem-request "$@"
}

hi='{"provider":"openai-chat","model":"m","history":[{"type":"user","text":"Hi"}]}'
hi_body='{"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}'

gives a_description_becomes_a_body "$hi_body" asks "$hi"
gives a_shape_is_enough_without_a_provider '{"model":"m","max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"stream":true}' \
    asks '{"shape":"messages","model":"m","history":[{"type":"user","text":"Hi"}]}'
printf '%s' "$hi" >"$work/hi.json"
gives a_description_may_be_in_a_file "$hi_body" elelem-request "$work/hi.json"

gives settings_and_tools_go_out \
    '{"model":"m","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}],"tool_choice":"required","max_completion_tokens":9,"temperature":0.50,"stop":["END"],"user":"u"}' \
    asks '{"provider":"openai-chat","model":"m","request":{"max_tokens":9,"temperature":0.50,"stop":["END"],"stream":false,"tools":[{"name":"now"}],"tool_choice":"required","extra":{"user":"u"}},"history":[{"type":"user","text":"Hi"}]}'

# A conversation in a file: the user's line, a response with a call, its result.
echo '{"type":"user","text":"Oslo?"}' >"$work/talk.jsonl"
elelem-events --shape chat --items tests/data/chat/a_tool_call_streams_its_arguments.sse >>"$work/talk.jsonl"
gives a_stored_conversation_continues \
    '{"model":"m","messages":[{"role":"user","content":"Oslo?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]},{"role":"tool","tool_call_id":"call_1","content":"5 C"}],"stream":true,"stream_options":{"include_usage":true}}' \
    asks '{"provider":"openai-chat","model":"m","history":[{"type":"tool_result","id":"call_1","name":"get_weather","text":"5 C"}]}' --history "$work/talk.jsonl"

gives a_response_is_read_and_its_calls_get_their_results \
    '{"model":"m","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c9","type":"function","function":{"name":"now","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c9","content":"5"}],"stream":true,"stream_options":{"include_usage":true}}' \
    asks '{"shape":"chat","model":"m","history":[{"type":"user","text":"Hi"}],"response":{"content_type":"text/event-stream","body":"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c9\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"},"results":[{"type":"tool_result","call":0,"name":"now","text":"5"}]}'

asks '{"provider":"openai-chat","model":"gpt-5","request":{"temperature":0.5},"history":[{"type":"user","text":"Hi"}]}' \
    >"$work/stdout" 2>"$work/stderr"
gives a_setting_that_is_left_out_is_said 'elelem-request: temperature and top_p are left out: the model refuses them' cat "$work/stderr"
check the_body_is_written_all_the_same grep -q '"model":"gpt-5"' "$work/stdout"

# Errors.
gives a_bad_line_is_named \
    'elelem-request: ELELEM_ERROR_PROTOCOL: the result is of no tool call in the response before it, line 2 of the history, byte 28' \
    asks '{"shape":"chat","model":"m","history":[{"type":"user","text":"Hi"},{"type":"tool_result","id":"a","text":""}]}'
gives a_bad_description_is_named 'elelem-request: the description: ELELEM_ERROR_SYNTAX at byte 1: the text does not follow its grammar' asks '{x'
gives an_unknown_shape_is_named 'elelem-request: neither "shape" nor "provider" is known' asks '{"shape":"none"}'
gives a_missing_model_is_named 'elelem-request: ELELEM_ERROR_MISUSE: there is no model' asks '{"shape":"chat"}'
exits a_refused_request_is_1 1 asks '{"shape":"chat"}'
check nothing_is_written_then [ ! -s "$work/stdout" ]
exits a_missing_file_is_1 1 elelem-request "$work/none.json"
exits a_missing_history_is_1 1 asks "$hi" --history "$work/none.jsonl"
exits two_files_are_usage 2 elelem-request a b
exits an_unknown_option_is_usage 2 elelem-request --none
exits a_full_disk_is_1 1 sh -c "elelem-request '$work/hi.json' >/dev/full"

# The judge, if there is one and Node to run it: bodies compared by meaning with those of other libraries.
judge=${ELELEM_CORPUS:-../shared/corpus}/../judges/compare_requests.mjs
cases=${ELELEM_CORPUS:-../shared/corpus}/requests/cases.json
if command -v node >/dev/null && [ -f "$judge" ] && [ -f "$cases" ]; then
    node "$judge" "$cases" -- elelem-request >"$work/judge" 2>&1
    code=$?
    check "the judge of bodies finds nothing: $(tail -n 2 "$work/judge" | head -n 1)" [ $code -eq 0 ]
    node "$judge" trips "${cases%/*}/roundtrips" -- elelem-request >"$work/judge" 2>&1
    code=$?
    check "nor of those that follow a response: $(tail -n 2 "$work/judge" | head -n 1)" [ $code -eq 0 ]
else
    echo "the judge of bodies is not run: no Node, or no judge in the corpus"
fi
