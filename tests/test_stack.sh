#!/bin/sh
# The stack that requests and patches take is what request_write.h and talk.h promise (64-bit pointers, optimized).
set -u
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT

# promised ROOM: the kilobytes that its header names.
promised() {
    sed -n 's/.*about \([0-9]*\) KB of stack.*/\1/p' "parts/$1.h" | head -n 1
}

# within NAME BYTES ROOM
within() {
    limit=$(promised "$3")
    if [ -n "$limit" ] && [ "${2:-0}" -gt 0 ] && [ "$2" -le $((limit * 1024)) ]; then echo "ok $1 takes at most $limit KB of stack: $2 bytes"; else
        echo "not ok $1 takes at most ${limit:-?} KB of stack: ${2:-?} bytes"
    fi
}

if ! ${CC:-cc} -std=c99 -O2 -I. -o "$temp/stack" tests/stack.c 2>"$temp/errors"; then
    cat "$temp/errors"
    echo 'not ok the stack is measured'
    exit 1
fi
"$temp/stack" >"$temp/bytes"
within 'a request that is written' "$(sed -n 's/^request //p' "$temp/bytes")" request_write
within 'a patch that is found and applied' "$(sed -n 's/^patch //p' "$temp/bytes")" talk
! grep -q not "$temp/bytes" || { cat "$temp/bytes"; echo 'not ok all requests are written'; }
