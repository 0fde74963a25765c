#!/bin/sh
# elelem.hpp by both compilers, with and without exceptions and RTTI, and with the functions in the same file.
set -u
. tests/shell.sh

${CC:-cc} -std=c99 -O0 -I. -c -o "$work/functions.o" elelem_stream.c 2>"$work/log" || { echo 'not ok the functions compile'; exit 1; }
strict='-std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I.'

for cc in g++ clang++; do
    command -v "$cc" >/dev/null || { echo "nothing done with $cc"; continue; }
    for options in '' '-fno-exceptions -fno-rtti'; do
        # shellcheck disable=SC2086 # options are words
        $cc $strict $options -Itests -o "$work/cpp" tests/test_cpp.cpp "$work/functions.o" >"$work/log" 2>&1
        same "$cc $options compiles without a warning" '' "$(cat "$work/log")"
        same "$cc $options runs well" 'cpp: 10 passed, 0 failed' "$("$work/cpp" | tail -n 1)"
    done
    # shellcheck disable=SC2086
    echo '#include "elelem.hpp"' | $cc -x c++ $strict -Wold-style-cast -fsyntax-only - >"$work/log" 2>&1
    same "$cc finds no old cast in it" '' "$(cat "$work/log")"

    # Later standards: the header alone, and what the tests write with it.
    for standard in c++20 c++2b; do
        echo | $cc -x c++ -std=$standard -fsyntax-only - 2>/dev/null || { echo "nothing done as $standard: $cc does not know it"; continue; }
        # shellcheck disable=SC2086
        { echo '#include "elelem.hpp"' | $cc -x c++ $strict -std=$standard -fsyntax-only - &&
            $cc $strict -std=$standard -Itests -fsyntax-only tests/test_cpp.cpp; } >"$work/log" 2>&1
        same "$cc takes it as $standard without a warning" '' "$(cat "$work/log")"
    done

    # The compiler names the kind that a switch forgot.
    # shellcheck disable=SC2086
    sed '/case elelem::update_kind::metadata:/d' tests/test_cpp.cpp | $cc -x c++ $strict -Itests -fsyntax-only - >"$work/log" 2>&1
    check "$cc names a kind that is missing" grep -q 'metadata.*not handled' "$work/log"
done
echo '#include "elelem.hpp"' | ${CXX:-c++} -x c++ -std=c++11 -I. -fsyntax-only - >"$work/log" 2>&1
check before_CXX17_the_first_error_says_so grep -q 'elelem.hpp needs C++17' "$work/log"
printf '#define ELELEM_STREAM_IMPLEMENTATION\n#include "elelem.hpp"\nint main() { return elelem::json("[1]").root().at(0).to_int64() != 1; }\n' |
    ${CXX:-c++} -x c++ -std=c++17 -O0 -I. -o "$work/one" - >"$work/log" 2>&1
exits the_functions_may_be_in_the_same_file 0 "$work/one"
