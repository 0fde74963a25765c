#!/bin/sh
# The builds for small machines give the events of the whole library with each fixture: ELELEM_NO_FAST all of them, and
# ELELEM_NO_ITEMS those that desc.without_provider_items gives.
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

build fast_left_out -DELELEM_NO_FAST
build items_left_out -DELELEM_NO_ITEMS -DELELEM_NO_FAST
events elelem-events >"$work/all" 2>&1
events elelem-events --without-provider-items >"$work/without" 2>&1
events "$work/fast_left_out" >"$work/all_slow" 2>&1
events "$work/items_left_out" >"$work/left_out" 2>&1

check there_are_provider_items_to_leave_out grep -q PartialProviderItem "$work/all"
check events_do_not_depend_on_the_fast_ways cmp -s "$work/all" "$work/all_slow"
check without_code_for_provider_items_events_are_those_of_a_stream_that_does_not_want_them cmp -s "$work/without" "$work/left_out"
