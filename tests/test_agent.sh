#!/bin/sh
# examples/agent.c against a server on this machine that plays responses: the second request has the call and its result.
set -u
. tests/shell.sh

cat >"$work/1" <<'END'
data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":2,\"b\":3}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

END
cat >"$work/2" <<'END'
data: {"choices":[{"index":0,"delta":{"content":"It is 5."},"finish_reason":"stop"}]}

data: [DONE]

END

${CC:-cc} -std=c99 -O0 -Wall -Wextra -o "$work/serve" tests/serve.c || { echo 'not ok the server compiles'; exit 1; }
"$work/serve" "$work/requests" "$work/1" "$work/2" >"$work/port" &
server=$!
for n in 1 2 3 4 5 6 7 8 9 10; do [ -s "$work/port" ] || sleep 0.2; done
out=$(AGENT_KEY=k agent 127.0.0.1 "$(cat "$work/port")" openai-chat m 'What is 2 and 3?')
same the_agent_runs_the_tool_and_says_what_the_model_says '[add: 5]
It is 5.' "$out"
kill $server 2>/dev/null
same the_first_request_has_the_question '{"model":"m","messages":[{"role":"user","content":"What is 2 and 3?"}],"t' "$(sed -n 1p "$work/requests" | cut -c1-73)"
same the_host_has_a_port_that_is_not_the_usual_one "127.0.0.1:$(cat "$work/port")" "$(sed -n '1s/.* //p' "$work/requests")"
same the_second_request_has_the_call_and_its_result \
    ',{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"add","arguments":"{\"a\":2,\"b\":3}"}}]},{"role":"tool","tool_call_id":"c1","content":"5"}],"tools":[{"type":"' \
    "$(sed -n 2p "$work/requests" | cut -c70-278)"
same a_provider_that_is_unknown_is_usage 'usage: agent HOST PORT PROVIDER MODEL QUESTION' "$(agent h 1 none m q 2>&1)"

cat >"$work/3" <<'END'
data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":2,\"b\":3}"}}]},"finish_reason":"tool_calls"}]}

data: {"error":{"message":"Overloaded","code":503}}

END
"$work/serve" "$work/asked" "$work/3" "$work/2" >"$work/port2" &
server=$!
for n in 1 2 3 4 5 6 7 8 9 10; do [ -s "$work/port2" ] || sleep 0.2; done
out=$(agent 127.0.0.1 "$(cat "$work/port2")" openai-chat m 'What is 2 and 3?')
same after_an_error_the_agent_asks_no_more '[add: 5]
error: Overloaded' "$out"
kill $server 2>/dev/null
