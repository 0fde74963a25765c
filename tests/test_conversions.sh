#!/bin/sh
# Enums, and members that hold them, go to the functions that look up names without a cast and without a warning.
set -u
. tests/shell.sh

for cc in gcc clang; do
    command -v "$cc" >/dev/null || { echo "nothing done with $cc"; continue; }
    for language in 'c -std=c99' 'c -std=c11' 'c++ -std=c++11' 'c++ -std=c++17'; do
        # shellcheck disable=SC2086 # options are words
        $cc -x $language -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -I. -fsyntax-only tests/consumer/names.c >"$work/log" 2>&1
        same "names_are_looked_up_without_a_cast_in_$(echo "$language" | tr -c 'a-z0-9\n' _)_by_$cc" '' "$(cat "$work/log")"
    done
done
