#!/bin/sh
# The deepest path of each public function in the compiler's call graph is within what docs/sizes.md allows, and nothing calls itself.
set -u
command -v python3 >/dev/null || { echo 'nothing done: no limit of stack is checked: no python3'; exit 0; }
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT

# deepest PATTERN: the bytes of the deepest public function among these.
deepest() { grep -E "^[0-9]+ ($1)\$" "$temp/paths" | sort -rn | head -n 1 | cut -d ' ' -f 1; }

# allowed MACHINE COLUMN
allowed() { awk -F ' *\\| *' -v machine="$1" -v column="$2" '$2 == machine && NF == 6 { print $column }' docs/sizes.md; }

# below MACHINE COLUMN PATTERN WHAT
below() {
    limit=$(allowed "$1" "$2")
    bytes=$(deepest "$3")
    if [ "${bytes:-0}" -gt 0 ] && [ "${limit:-0}" -gt 0 ] && [ "$bytes" -le "$limit" ]; then echo "ok $4 takes at most $limit bytes of stack on $1: $bytes"; else
        echo "not ok $4 takes at most ${limit:-?} bytes of stack on $1: ${bytes:-?}"
    fi
}

# paths MACHINE COMPILER...
paths() {
    machine=$1
    shift
    command -v "$1" >/dev/null || { echo "nothing done: the limits of stack on $machine are not checked: no $1"; return; }
    rm -f "$temp/all.ci"
    "$@" -std=c99 -fcallgraph-info=su -I. -c -o "$temp/all.o" "$temp/all.c" 2>/dev/null
    [ -s "$temp/all.ci" ] || { echo "nothing done: the limits of stack on $machine are not checked: $1 writes no call graph"; return; }
    if ! python3 tests/stack_paths.py elelem_stream.h "$temp/all.ci" >"$temp/paths"; then
        grep '^error' "$temp/paths" | head -n 5
        echo "not ok no function calls itself, and all calls through pointers are known on $machine"
        return
    fi
    echo "ok no function calls itself, and all calls through pointers are known on $machine"
    below "$machine" 3 elelem_request_write 'a request that is written'
    below "$machine" 4 'elelem_(talk|conversation)_patch|elelem_recovery_find|elelem_patch_apply' 'a patch that is found and applied'
    grep -v -E ' (elelem_request_write|elelem_(talk|conversation)_patch|elelem_recovery_find|elelem_patch_apply)$' "$temp/paths" >"$temp/others"
    mv "$temp/others" "$temp/paths"
    below "$machine" 5 'elelem_.*' 'any other function'
}

printf '#define ELELEM_STREAM_IMPLEMENTATION\n#include "elelem_stream.h"\n' >"$temp/all.c"
paths x86-64 "${GCC:-gcc}" -O2
paths Cortex-M4 arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os
