# elelem-resume: stopped after any byte, it continues without losing or repeating an event.
set -u
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

cat >"$here/source" <<'END'
{"eventType":"PartialResponse","index":0,"chunk":"Let me"}
{"eventType":"PartialResponse","index":0,"chunk":" check\n"}
{"eventType":"Flush","index":0}
{"eventType":"ToolCallStart","index":1,"id":"call_1","toolName":"get_weather"}
{"eventType":"ToolCallArguments","index":1,"chunk":"{\"city\":\"Seattle\"}"}
{"eventType":"Flush","index":1}
{"eventType":"ToolExecuted","toolName":"get_weather","output":{"temp":72}}
{"eventType":"ChatCompleted","finishReason":"tool_calls"}
END
size=$(($(wc -c <"$here/source")))

check() {
    if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: is $2, should be $3"; fi
}

same() {
    if cmp -s "$here/source" "$here/copy"; then echo same; else echo different; fi
}

elelem-resume "$here/copy" <"$here/source" 2>"$here/said"
check "a stream that is not stopped exits with" $? 0
check "and is copied" "$(same)" same
check "and says how much" "$(cat "$here/said")" "elelem-resume: 0 lines were there, 8 more"

elelem-resume "$here/copy" <"$here/source" 2>"$here/said"
check "once more adds nothing" "$(same), $(cat "$here/said")" "same, elelem-resume: 8 lines were there, 0 more"

wrong=0
stop=0
while [ $stop -lt "$size" ]; do
    rm -f "$here/copy"
    elelem-resume --stop $stop "$here/copy" <"$here/source" 2>/dev/null
    [ $? -eq 3 ] && [ "$(($(wc -c <"$here/copy")))" -eq $stop ] || wrong=$((wrong + 1))
    elelem-resume "$here/copy" <"$here/source" 2>/dev/null || wrong=$((wrong + 1))
    [ "$(same)" = same ] || wrong=$((wrong + 1))
    stop=$((stop + 5))
done
check "stopped after any number of bytes it goes on; wrong" $wrong 0

rm -f "$here/copy"
runs=0
while [ $runs -lt 100 ]; do
    runs=$((runs + 1))
    elelem-resume --stop 90 "$here/copy" <"$here/source" 2>/dev/null && break
done
check "stopped again and again it comes to the end" "$(same)" same

printf '{"eventType":"Flush","index":0}\nnonsense\n' >"$here/copy"
elelem-resume "$here/copy" <"$here/source" 2>"$here/said"
check "a copy that is no recording is refused" "$?, $(cat "$here/said")" \
    "1, elelem-resume: $here/copy, line 2, byte 32: the text does not follow its grammar"

rm -f "$here/copy"
head -c 100 "$here/source" | elelem-resume "$here/copy" 2>/dev/null
check "a source that breaks off exits with" $? 1
elelem-resume "$here/copy" <"$here/source" 2>/dev/null
check "and what came of it is gone on from" "$(same)" same

elelem-resume 2>/dev/null
check "without a file it explains itself and exits with" $? 2
