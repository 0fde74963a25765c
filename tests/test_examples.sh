#!/bin/sh
# What the examples print of the recorded response in examples/, and that device reads every
# recorded chat response in its 16 KB. Runs in the project's own directory; the programs are
# found on PATH. Each test is one line, "ok NAME" or "not ok NAME".
set -u
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
corpus=${ELELEM_CORPUS:-../shared/corpus}

# check NAME: the exit of the last command, and what it printed to out against want.
check() {
    code=$?
    if [ $code -eq 0 ] && cmp -s "$temp/out" "$temp/want"; then
        echo "ok $1"
    else
        echo "not ok $1 (exit $code)"
        diff "$temp/want" "$temp/out"
    fi
}

verdict() {
    if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: is $2, should be $3"; fi
}

file='-- guard.lua: stands at the gate and has opinions
local guard = npc.new("Osric", { x = 12, y = 4 })

function guard:on_approach(player)
    if player.gold < 5 then
        return self:say("»No coin, no gate.«")
    end
    self:say("»Pass, friend 🗝️«")
    gate.open()
end

return guard
'

cat >"$temp/want" <<END
A guard, then. Let me give him a few lines – and a cloak, should it rain.
[write_file]
$file
[get_weather]

[get_weather]
[run write_file npcs/guard.lua]
[run get_weather ]
[run get_weather ]
[tool_calls]
END
say <examples/demo.sse >"$temp/out"
check say_prints_text_and_the_file_that_is_being_written

cat >"$temp/want" <<'END'
  ┊ The player asks for a guard at the gate. I write his script into a file
  ┊ first, then look up how the weather is in both towns, so that he can
  ┊ grumble about it.

  A guard, then. Let me give him a few lines – and a cloak, should it rain.

╭ write_file call_write complete
│ path: npcs/guard.lua
│ content:
│ -- guard.lua: stands at the gate and has opinions
│ local guard = npc.new("Osric", { x = 12, y = 4 })
│ 
│ function guard:on_approach(player)
│     if player.gold < 5 then
│         return self:say("»No coin, no gate.«")
│     end
│     self:say("»Pass, friend 🗝️«")
│     gate.open()
│ end
│ 
│ return guard
│ 
│ overwrite: false

╭ get_weather call_north complete
│ town: Nordhaven
│ units: metric
│ days: [1,2,3]

╭ get_weather call_south complete
│ town: Süderbrück
│ units: metric
│ days: [1,2]

finished: tool_calls, 412 tokens in, 231 out
END
demo examples/demo.sse >"$temp/all"
code=$?
grep -v '^30,267 bytes read; memory: at most ' "$temp/all" >"$temp/out"
[ $code -eq 0 ]
check demo_shows_the_response_without_a_terminal

cat >"$temp/want" <<'END'
  ┊ **Planning the quest** Three stages, and a reward that the village can pay.

╭ create_quest call_quest cut off: do not run
│ title: The Miller's Lost Bell
│ giver: Osric
│ stages: [{"goal":"talk","to":"the miller","hint":"He is deaf since the bell f
│ ell."},{"goal":"find","item":"bronze bell","near":[412.5,-88]},{"goal":"carry
│ ","to":"the tower before t"}] [cut off]

error: transient
  Our servers are currently overloaded. Please try again later.
  the same request may succeed later
  at byte 9,373, code server_is_overloaded
END
demo viewer/recordings/overloaded.responses.sse >"$temp/all"
code=$?
grep -v ' bytes read; memory: at most ' "$temp/all" >"$temp/out"
[ $code -eq 0 ]
check demo_shows_what_was_cut_off_and_the_error

# in_a_terminal COLUMNS COMMAND: what a terminal of so many columns gets.
escape=$(printf '\033')
in_a_terminal() { script -qec "stty cols $1 rows 30; $2" /dev/null </dev/null | tr -d '\r'; }

if command -v script >/dev/null; then
    for columns in 80 200; do
        TERM=xterm in_a_terminal $columns 'demo -p 0 examples/demo.sse' >"$temp/out"
        across=$(grep 'write_file.*call_write' "$temp/out" | tail -n 1 | grep -o '╭' | wc -l)
        verdict "cards_are_next_to_each_other_in_$columns""_columns" "$across" $((columns < 100 ? 2 : 3))
        verdict "the_last_line_says_the_memory_in_$columns""_columns" "$(tail -n 2 "$temp/out" | grep -c 'bytes read; memory')" 1
    done
    verdict reasoning_is_dimmed "$(grep -c "${escape}\[2m  ┊ The player" "$temp/out" | sed 's/^[1-9].*/some/')" some
    NO_COLOR=1 TERM=xterm in_a_terminal 80 'demo -p 0 examples/demo.sse' >"$temp/out"
    verdict no_color_leaves_no_colors "$(grep -c "${escape}\[[0-9;]*m" "$temp/out")" 0
    verdict but_cards_are_still_drawn_over "$(grep -c "${escape}\[2K" "$temp/out" | sed 's/^[1-9].*/some/')" some
    TERM=dumb in_a_terminal 80 'demo -p 0 examples/demo.sse' >"$temp/out"
    verdict a_dumb_terminal_gets_plain_text "$(grep -c "$escape" "$temp/out")" 0
else
    echo "no script command, no terminal to draw on"
fi

device examples/demo.sse >"$temp/all"
code=$?
sed '/^most memory/d' "$temp/all" >"$temp/out"
cat >"$temp/want" <<'END'
{"type":"tool_call","index":2,"id":"call_write","name":"write_file","arguments":{"path":"npcs/guard.lua","content":"-- guard.lua: stands at the gate and has opinions\nlocal guard = npc.new(\"Osric\", { x = 12, y = 4 })\n\nfunction guard:on_approach(player)\n    if player.gold < 5 then\n        return self:say(\"»No coin, no gate.«\")\n    end\n    self:say(\"»Pass, friend 🗝️«\")\n    gate.open()\nend\n\nreturn guard\n","overwrite":false}}
{"type":"tool_call","index":3,"id":"call_north","name":"get_weather","arguments":{"town":"Nordhaven","units":"metric","days":[1,2,3]}}
{"type":"tool_call","index":4,"id":"call_south","name":"get_weather","arguments":{"town":"Süderbrück","units":"metric","days":[1,2]}}
finished: tool_calls
END
[ $code -eq 0 ]
check device_prints_each_finished_call

peak=$(sed -n 's/^most memory taken: \([0-9]*\) bytes beside .*/\1/p' "$temp/all")
[ -n "$peak" ] && [ "$peak" -gt 0 ] && [ "$peak" -le 16384 ]
verdict device_tells_the_most_memory_it_took $? 0

device >"$temp/out" 2>&1
verdict device_without_a_file_tells_its_usage $? 2
head -c 3000 examples/demo.sse >"$temp/cut"
device "$temp/cut" >"$temp/out"
verdict device_exits_1_where_the_answer_did_not_finish $? 1
verdict and_says_so "$(sed -n 1p "$temp/out")" 'error: connect'

if command -v nm >/dev/null; then
    found=$(nm -u "$(command -v device)" | grep -cE '[^a-z](malloc|calloc|realloc|free)(@|$)')
    verdict device_needs_no_heap "$found" 0
fi

printf '{"items":[{"name":"one"},{"name":"t\\u0077o","other":"x"},{"name":3}],"name":"no"}' >"$temp/in"
printf 'one\ntwo\n' >"$temp/want"
json_only 'items[*].name' 1 <"$temp/in" >"$temp/out"
check json_only_prints_the_strings_at_a_path
printf '{"a":[}' | json_only a >"$temp/out" 2>&1
verdict json_only_exits_1_for_what_is_no_json $? 1
verdict and_says_which_byte "$(cat "$temp/out")" 'the text does not follow its grammar at byte 6'
printf '{"a":1} 2' | json_only a >"$temp/out" 2>&1
verdict nor_does_json_only_take_anything_after_the_document $? 1

cat >"$temp/want" <<'END'
He goes his round.
[walk]
step 1: (2, 0)
step 2: (2, 3)
step 3: (4.5, -1)
step 4: (0, 0)
There. No one at the gate.
[tool_calls]
END
for bytes in 1 7 100 4096; do
    game_loop examples/walk.sse $bytes >"$temp/out"
    check game_loop_moves_the_character_as_it_is_written_in_pieces_of_$bytes
done
head -c 4000 examples/walk.sse >"$temp/cut"
game_loop "$temp/cut" >"$temp/out"
verdict game_loop_takes_the_end_of_a_stream_that_is_cut "$(tail -n 1 "$temp/out")" '[error: the response ended before it was complete]'

{ cat examples/walk.sse; head -c 20000 /dev/zero | tr '\0' '\n'; } >"$temp/long"
timeout 20 game_loop "$temp/long" >"$temp/out"
verdict game_loop_ends_with_the_response_though_its_body_continues "$? $(tail -n 1 "$temp/out")" '0 [tool_calls]'

make -s -n -W examples/game_loop.cpp CXX=no_such_compiler examples >"$temp/out" 2>&1
verdict without_a_C++_compiler_the_other_examples_are_built \
    "$(grep -c '^no_such_compiler' "$temp/out") $(grep -c 'game_loop: no C++ compiler' "$temp/out")" '0 1'

if [ -d "$corpus/streams/chat" ]; then
    count=0
    failed=0
    peak=0
    find "$corpus/streams/chat" -type f >"$temp/list"
    while read -r body; do
        count=$((count + 1))
        if ! device "$body" >"$temp/out"; then
            failed=$((failed + 1))
            echo "$body: $(grep '^error' "$temp/out")"
        fi
        took=$(sed -n 's/^most memory taken: \([0-9]*\) bytes.*/\1/p' "$temp/out")
        [ "${took:-99999}" -gt $peak ] && peak=$took
    done <"$temp/list"
    echo "$count recorded responses, at most $peak bytes"
    verdict device_takes_every_recorded_answer "$failed of $count fail" "0 of $count fail"
else
    echo "no recordings (set ELELEM_CORPUS)"
fi
