#!/bin/sh
# Compiles and runs every piece of C in the comments of elelem_stream.h, and of C and C++ in README.md. What a piece
# needs around it is a program in tests/snippets, which names some text of the piece ("snippet: ..."),
# includes it as snippet.h, and says what it prints.
set -u
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# One file for each piece: indented lines of the header's comments that call a function of the library,
# and blocks of C in README that are not a whole program (test_readme.sh has those).
extract() {
    awk -v to="$temp/header" '
        function close_piece() {
            if (piece ~ /elelem_[a-z_]+\(/) { file = to "." ++count; printf "%s", piece >file; close(file) }
            piece = blank = ""
        }
        /^#if(n)?def ELELEM_STREAM_IMPLEMENTATION|^#if defined\(ELELEM_STREAM_IMPLEMENTATION\)/ { exit }
        /^ \*     / { piece = piece blank substr($0, 8) "\n"; blank = ""; next }
        /^ \*$/ { if (piece != "") blank = blank "\n"; next }
        { close_piece() }
        END { close_piece() }' elelem_stream.h
    awk -v to="$temp/readme" '
        $0 == "```c" { open = 1; piece = ""; next }
        /^```/ && open { open = 0; if (piece !~ /int main\(/) { file = to "." ++count; printf "%s", piece >file; close(file) }; next }
        open { piece = piece $0 "\n" }' README.md
    awk -v to="$temp/readme_cpp" '
        $0 == "```cpp" { open = 1; piece = ""; next }
        /^```/ && open { open = 0; file = to "." ++count; printf "%s", piece >file; close(file); next }
        open { piece = piece $0 "\n" }' README.md
}

# run PROGRAM PIECE: what it prints is what its first comment says.
run() {
    cp "$2" "$temp/snippet.h"
    sed -n '/^ \* prints:$/,/^ \*\/$/{/^ \* prints:$/d;/^ \*\/$/d;s/^ \* //p;}' "$1" >"$temp/want"
    compiler="${CC:-cc} -std=c99"
    case $1 in *.cpp) compiler="${CXX:-c++} -std=c++17" ;; esac
    # shellcheck disable=SC2086 # a command and its option
    $compiler -O0 -g -Wall -Wextra -Werror -DELELEM_STREAM_IMPLEMENTED -I. -I"$temp" \
        -o "$temp/program" "$1" "$temp/functions.o" >"$temp/log" 2>&1 &&
        "$temp/program" >"$temp/out" 2>>"$temp/log" && diff "$temp/want" "$temp/out" >>"$temp/log"
}

# The functions are compiled once for all.
printf '#define ELELEM_STREAM_IMPLEMENTATION\n#include "elelem_stream.h"\n' |
    ${CC:-cc} -std=c99 -O0 -I. -x c -c -o "$temp/functions.o" -
extract
for program in tests/snippets/*.c tests/snippets/*.cpp; do
    name=$(basename "${program%.*}")
    text=$(sed -n 's/^\/\* snippet: //p' "$program")
    piece=$(grep -lF -- "$text" "$temp"/header.* "$temp"/readme.* "$temp"/readme_cpp.* 2>/dev/null)
    if [ -f "$piece" ] && run "$program" "$piece"; then
        echo "ok the_piece_$name""_compiles_and_does_what_it_says"
        mv "$piece" "$temp/done.$name"
    else
        echo "not ok the_piece_$name""_compiles_and_does_what_it_says ($piece)"
        cat "$temp/log"
    fi
done
left=$(cat "$temp"/header.* "$temp"/readme.* "$temp"/readme_cpp.* 2>/dev/null)
if [ -z "$left" ]; then echo 'ok every_piece_of_c_has_a_program'
else printf 'not ok every_piece_of_c_has_a_program\n%s\n' "$left"; fi
