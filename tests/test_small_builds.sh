#!/bin/sh
# The builds for small machines give the events of the whole library with each fixture: ELELEM_NO_FAST all of them,
# ELELEM_NO_ITEMS those that desc.without_provider_items gives, ELELEM_NO_METADATA those that are not about metadata alone,
# ELELEM_NO_WHOLE those of streams, and ELELEM_NO_ERROR_WORDS all but what the words of an error say of its kind.
set -u
. tests/shell.sh

build() {
    name=$1
    shift
    ${CC:-cc} -std=c99 -O0 -Wall -Wextra -Werror -I. "$@" -o "$work/$name" examples/elelem-events.c 2>"$work/errors" || cat "$work/errors"
}

# events PROGRAM OPTION...: of all fixtures, each after its name.
events() {
    for shape in chat responses messages gemini interactions; do
        for body in tests/data/$shape/*; do
            case $body in *.events) continue ;; esac
            echo "$body"
            "$@" --shape $shape "$body"
        done
    done
}

# without_metadata: the events, without metadata, and without those that have nothing else. Items that had nothing else do not count.
without_metadata() {
    sed 's/,"metadata":{.*}$/}/' | awk '
        function index_of(line) { return match(line, /"index":[0-9]+/) ? substr(line, RSTART, RLENGTH) : "" }
        function says_nothing(line) { return line ~ /"chunk":""}$/ || line ~ /"ToolCallStart","index":[0-9]+(,"choice":[0-9]+)?}$/ }
        function end_body(    i, at, count, number) {
            for (i = 1; i <= lines; i++) {
                at = index_of(line[i])
                if (at != "" && !(at in said)) continue
                if (at != "" && !(at in number)) number[at] = "\"index\":" count++
                if (at != "") sub(/"index":[0-9]+/, number[at], line[i])
                print line[i]
            }
            lines = 0
            split("", said)
        }
        /^tests\/data/ { end_body(); print; next }
        /"eventType":"ResponseMetadata"/ || says_nothing($0) { next }
        { line[++lines] = $0; if (index_of($0) != "" && !/"eventType":"Flush"/) said[index_of($0)] = 1 }
        END { end_body() }'
}

# of_streams: without bodies that are one object, each of which is a whole response or an error.
of_streams() {
    awk '/^tests\/data/ {
            first = ""
            while (first ~ /^[ \t\r]*$/ && (getline first <$0) > 0) {}
            close($0)
            is_stream = first !~ /^[ \t]*\{/
        }
        is_stream'
}

# without_kinds: errors without what depends on their words.
without_kinds() { sed '/"eventType":"Error"/s/"kind":"[a-z_]*","retryable":[a-z]*,\("retryAfterMs":[0-9]*,\)*//'; }

build fast_left_out -DELELEM_NO_FAST
build items_left_out -DELELEM_NO_ITEMS -DELELEM_NO_FAST
build metadata_left_out -DELELEM_NO_METADATA
build whole_left_out -DELELEM_NO_WHOLE -DELELEM_NO_ERROR_WORDS
build everything_left_out -DELELEM_NO_FAST -DELELEM_NO_ITEMS -DELELEM_NO_METADATA -DELELEM_NO_WHOLE -DELELEM_NO_ERROR_WORDS -DELELEM_NO_TAGS
events elelem-events >"$work/all" 2>&1
events elelem-events --without-provider-items >"$work/without" 2>&1
events "$work/fast_left_out" >"$work/all_slow" 2>&1
events "$work/items_left_out" >"$work/left_out" 2>&1

check there_are_provider_items_to_leave_out grep -q PartialProviderItem "$work/all"
check events_do_not_depend_on_the_fast_ways cmp -s "$work/all" "$work/all_slow"
check without_code_for_provider_items_events_are_those_of_a_stream_that_does_not_want_them cmp -s "$work/without" "$work/left_out"

events "$work/metadata_left_out" >"$work/no_metadata" 2>&1
events "$work/whole_left_out" >"$work/no_whole" 2>&1
events "$work/everything_left_out" >"$work/least" 2>&1
without_metadata <"$work/all" >"$work/all_without_metadata"
without_metadata <"$work/no_metadata" >"$work/no_metadata_numbered"
of_streams <"$work/all" | without_kinds >"$work/all_of_streams"
of_streams <"$work/no_whole" | without_kinds >"$work/no_whole_of_streams"
without_metadata <"$work/without" | of_streams | without_kinds >"$work/least_wanted"
without_metadata <"$work/least" | of_streams | without_kinds >"$work/least_numbered"

check there_is_metadata_to_leave_out grep -q ',"metadata":{' "$work/all"
check without_code_for_metadata_there_is_none test "$(grep -c ',"metadata":{' "$work/no_metadata")" = 0
check without_code_for_metadata_all_other_events_are_the_same cmp -s "$work/all_without_metadata" "$work/no_metadata_numbered"
check without_code_for_whole_responses_and_words_of_errors_streams_are_the_same cmp -s "$work/all_of_streams" "$work/no_whole_of_streams"
check without_code_for_whole_responses_one_is_no_stream \
    grep -q 'the body is not an event stream' "$work/no_whole"
check without_words_of_errors_their_kinds_are_unknown grep -q '"kind":"other".*overloaded' "$work/no_whole"
check the_least_build_gives_what_is_left_of_streams cmp -s "$work/least_wanted" "$work/least_numbered"
