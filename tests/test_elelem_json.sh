#!/bin/sh
# What elelem-json prints, says and exits with. Each test is one line, "ok NAME" or
# "not ok NAME"; the tool is found on PATH.
set -u
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# The bytes of the test, as printf writes them.
given() { printf "$1" >"$temp/in"; }

run() {
    elelem-json "$@" <"$temp/in" >"$temp/out" 2>"$temp/err"
    code=$?
}

# verdict NAME EXIT OUT ERR: what the last run gave.
verdict() {
    printf "$3" >"$temp/out.want"
    printf "$4" >"$temp/err.want"
    if [ $code -eq "$2" ] && cmp -s "$temp/out" "$temp/out.want" && cmp -s "$temp/err" "$temp/err.want"; then
        echo "ok $1"
    else
        echo "not ok $1 (exit $code, should be $2)"
        diff "$temp/out.want" "$temp/out"
        diff "$temp/err.want" "$temp/err"
    fi
}

protocol='{"path":"a.rs","patterns":[{"old":"x"}],"n":[1.50,true,null,{},""]}'
protocol_lines='{"path":[],"kind":"begin","type":"object"}
{"path":["path"],"kind":"string","text":"a.rs"}
{"path":["path"],"kind":"done","type":"string"}
{"path":["patterns"],"kind":"begin","type":"array"}
{"path":["patterns",0],"kind":"begin","type":"object"}
{"path":["patterns",0,"old"],"kind":"string","text":"x"}
{"path":["patterns",0,"old"],"kind":"done","type":"string"}
{"path":["patterns",0],"kind":"done","type":"object"}
{"path":["patterns"],"kind":"done","type":"array"}
{"path":["n"],"kind":"begin","type":"array"}
{"path":["n",0],"kind":"scalar","value":1.50}
{"path":["n",0],"kind":"done","type":"number"}
{"path":["n",1],"kind":"scalar","value":true}
{"path":["n",1],"kind":"done","type":"bool"}
{"path":["n",2],"kind":"scalar","value":null}
{"path":["n",2],"kind":"done","type":"null"}
{"path":["n",3],"kind":"begin","type":"object"}
{"path":["n",3],"kind":"done","type":"object"}
{"path":["n",4],"kind":"done","type":"string"}
{"path":["n"],"kind":"done","type":"array"}
{"path":[],"kind":"done","type":"object"}
'
given "$protocol"
run
verdict a_document_gives_one_fragment_a_line 0 "$protocol_lines" ''
run -
verdict a_dash_is_standard_input 0 "$protocol_lines" ''
run "$temp/in"
verdict a_file_is_read_by_its_name 0 "$protocol_lines" ''
run --value
verdict value_prints_the_document_compactly 0 "$protocol\n" ''

given '"abc\\u00e9\\n"'
run --chunk 2
verdict a_chunk_says_how_many_bytes_are_pushed 0 '{"path":[],"kind":"string","text":"a"}
{"path":[],"kind":"string","text":"bc"}
{"path":[],"kind":"string","text":"\303\251"}
{"path":[],"kind":"string","text":"\\n"}
{"path":[],"kind":"done","type":"string"}
' ''
run --chunk 2 --join
verdict join_prints_a_string_in_one_piece 0 '{"path":[],"kind":"string","text":"abc\303\251\\n"}
{"path":[],"kind":"done","type":"string"}
' ''

given ' { "a\\u0022\\n" : [ "\\u001b", -0.10e+05 ] }\n\n'
run --value
verdict numbers_stay_as_they_were_written_and_controls_are_escaped 0 '{"a\\"\\n":["\\u001b",-0.10e+05]}\n' ''
run --join
verdict keys_are_escaped_in_a_path 0 '{"path":[],"kind":"begin","type":"object"}
{"path":["a\\"\\n"],"kind":"begin","type":"array"}
{"path":["a\\"\\n",0],"kind":"string","text":"\\u001b"}
{"path":["a\\"\\n",0],"kind":"done","type":"string"}
{"path":["a\\"\\n",1],"kind":"scalar","value":-0.10e+05}
{"path":["a\\"\\n",1],"kind":"done","type":"number"}
{"path":["a\\"\\n"],"kind":"done","type":"array"}
{"path":[],"kind":"done","type":"object"}
' ''

bad='{"list":[1,\n   {"k\303\251y":"caf\303\251", "b" 2}]}\nnext line'
bad_lines='{"path":[],"kind":"begin","type":"object"}
{"path":["list"],"kind":"begin","type":"array"}
{"path":["list",0],"kind":"scalar","value":1}
{"path":["list",0],"kind":"done","type":"number"}
{"path":["list",1],"kind":"begin","type":"object"}
{"path":["list",1,"k\303\251y"],"kind":"string","text":"caf\303\251"}
{"path":["list",1,"k\303\251y"],"kind":"done","type":"string"}
'
bad_words='elelem-json: ELELEM_ERROR_SYNTAX at byte 36: the text does not follow its grammar
  at ["list",1,"b"]
     {"k\303\251y":"caf\303\251", "b" 2}]}
                        ^
'
given "$bad"
run --join
verdict an_error_comes_behind_what_was_delivered_and_shows_its_line 1 "$bad_lines" "$bad_words"
run --value
verdict no_value_is_printed_of_a_bad_document 1 '' "$bad_words"

same=ok
for chunk in 1 2 3 5 7 11 13 17 19 23 29 31 40 41 1000; do
    run --join --chunk $chunk
    printf "$bad_lines" | cmp -s - "$temp/out" || same="not ok"
    printf "$bad_words" | cmp -s - "$temp/err" || same="not ok"
done
echo "$same however_it_is_cut_the_joined_output_and_the_error_are_the_same"

given '["abc'
run --join
verdict a_string_that_breaks_off_is_printed_as_far_as_it_came 1 '{"path":[],"kind":"begin","type":"array"}
{"path":[0],"kind":"string","text":"abc"}
' 'elelem-json: ELELEM_ERROR_TRUNCATED at byte 5: the input ended too early
  at [0]
  ["abc
       ^
'

given '{} {}'
run --value
verdict only_one_document_is_taken 1 '' 'elelem-json: ELELEM_ERROR_SYNTAX at byte 3: the text does not follow its grammar
  at []
  {} {}
     ^
'

given ''
run
verdict no_document_at_all_is_an_error 1 '' 'elelem-json: ELELEM_ERROR_TRUNCATED at byte 0: the input ended too early
  at []
'

given '["\033[31m\302\205\377"]'
run --value
verdict bytes_not_fit_to_be_seen_are_masked 1 '' 'elelem-json: ELELEM_ERROR_SYNTAX at byte 2: the text does not follow its grammar
  at [0]
  ["?[31m???"]
    ^
'

# A long line with an error just before the end of a read of 64 KB.
repeat() { head -c "$2" /dev/zero | tr '\0' "$1"; }
{ printf '["' && repeat x 65500 && printf '", !' && repeat z 100; } >"$temp/in"
run
printf 'elelem-json: ELELEM_ERROR_SYNTAX at byte 65505: the text does not follow its grammar
  at [1]
  %s", !%s\n%62s^\n' "$(repeat x 57)" "$(repeat z 59)" '' | cmp -s - "$temp/err" &&
    echo "ok a_long_line_is_shown_around_the_error_only" || echo "not ok a_long_line_is_shown_around_the_error_only"

given '1'
run --nothing
if [ $code -eq 2 ] && [ ! -s "$temp/out" ] && head -n 1 "$temp/err" | grep -q '^usage: elelem-json '; then
    echo "ok an_unknown_option_is_exit_2_and_usage"
else
    echo "not ok an_unknown_option_is_exit_2_and_usage"
fi
for words in '--chunk' '--chunk x' '--chunk -1' '--chunk 1x' 'a b'; do
    # shellcheck disable=SC2086 # words are words
    run $words
    [ $code -eq 2 ] && echo "ok usage: $words" || echo "not ok usage: $words"
done
run "$temp/nothing"
[ $code -eq 1 ] && [ -s "$temp/err" ] && echo "ok a_file_that_is_not_there_is_exit_1" || echo "not ok a_file_that_is_not_there_is_exit_1"
