#!/bin/sh
# Two files may each have the whole library inside, in C and in C++; and a shared library
# can export its functions and shapes, and exports nothing else.
set -u
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# file NAME: a source whose function NAME returns 1.
file() {
    printf '#define ELELEM_STATIC\n#define ELELEM_STREAM_IMPLEMENTATION\n#include "elelem_stream.h"\n'
    printf '#ifdef __cplusplus\nextern "C"\n#endif\nint %s(void);\n' "$1"
    printf 'int %s(void) { return elelem_shape_find("chat") == &elelem_shape_chat; }\n' "$1"
}

verdict() {
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1"; cat "$temp/log"; fi
}

# alone NAME COMPILER FLAGS...: two such files, the second the first with its function renamed, and a
# main make a program, without a warning.
alone() {
    name=$1
    shift
    {
        file one | "$@" -O0 -Wall -Wextra -Werror -I. -c -o "$temp/one.o" - &&
            objcopy --redefine-sym one=two "$temp/one.o" "$temp/two.o" &&
            printf 'int one(void); int two(void); int main(void) { return !(one() && two()); }\n' |
            ${CC:-cc} -x c -c -o "$temp/main.o" - &&
            ${CXX:-c++} -o "$temp/both" "$temp/main.o" "$temp/one.o" "$temp/two.o" && "$temp/both"
    } >"$temp/log" 2>&1
    verdict "$name" $?
}

alone two_c_files_may_each_keep_it_inside "${CC:-cc}" -std=c99 -x c
alone two_cpp_files_may_each_keep_it_inside "${CXX:-c++}" -std=c++11 -x c++

# What a shared library exports if ELELEM_API asks for it.
printf '#define ELELEM_STREAM_IMPLEMENTATION\n#include "elelem_stream.h"\n' |
    ${CC:-cc} -std=c99 -O0 -fPIC -shared -fvisibility=hidden -I. \
        "-DELELEM_API=__attribute__((visibility(\"default\"))) extern" -x c -o "$temp/lib.so" - >"$temp/log" 2>&1 &&
    nm -D --defined-only "$temp/lib.so" | awk '
        $NF ~ /^elelem_shape_(chat|responses|messages|gemini|interactions)$/ { shapes++ }
        $NF == "elelem_turn_next" { functions++ }
        $NF ~ /^els_/ { hidden++ }
        END { exit !(shapes == 5 && functions == 1 && !hidden) }' >>"$temp/log" 2>&1
verdict a_shared_library_exports_functions_and_shapes $?
