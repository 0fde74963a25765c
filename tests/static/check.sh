#!/bin/sh
# tests/static/check.sh ROOM...: gcc's -fanalyzer and clang-tidy, with clang's analyzer, on each room alone (alone.awk), cppcheck
# on the header as a whole, all of them on the examples; no recursion, no array of variable size. Which checks are off, and
# why: .clang-tidy. Findings that are wrong, each with its reason: known.txt. A tool that is missing fails each of its checks.
set -u
GCC=${GCC:-gcc}
TIDY=${TIDY:-$(command -v clang-tidy-19 || command -v clang-tidy || echo clang-tidy-19)}
CPPCHECK=${CPPCHECK:-cppcheck}
BUILD=${BUILD:-build}/static
passed=0
failed=0
mkdir -p "$BUILD"
: >"$BUILD/used"

for tool in "$GCC" "$TIDY" "$CPPCHECK"; do
    command -v "$tool" >/dev/null || echo "$tool is missing, and all its checks fail (make deps-static)"
done

pass() {
    passed=$((passed + 1))
}

fail() {
    failed=$((failed + 1))
    echo "not ok $1"
}

# check NAME COMMAND...: passes if the command does and finds nothing but what is known.
check() {
    name=$1
    shift
    if ! "$@" >"$BUILD/log" 2>&1; then
        grep -E 'error:|not found' "$BUILD/log" | head -n 5
        fail "$name"
    elif awk -v used="$BUILD/used" -f tests/static/findings.awk tests/static/known.txt "$BUILD/log"; then
        pass
    else
        fail "$name"
    fi
}

analyze() {
    "$GCC" -std=c99 -O1 -fanalyzer -Wvla -Walloca -I. -c -o /dev/null "$@"
}

tidy() {
    "$TIDY" --quiet "$@"
}

cpp() {
    "$CPPCHECK" --quiet --std=c99 --enable=warning,performance,portability --max-configs=1 \
        --template='{file}:{line}: {severity}: {message} [{id}]' \
        -DFLT_RADIX=2 -DDBL_MANT_DIG=53 -DDBL_MAX_EXP=1024 -D__GNUC__=12 -D__x86_64__=1 -D__SIZEOF_INT128__=16 -I. "$@"
}

for room; do
    alone=$BUILD/$room.c
    awk -v room="$room" -f tests/static/alone.awk elelem_stream.h >"$alone"
    check "gcc -fanalyzer: $room" analyze "$alone"
    check "clang-tidy: $room" tidy "$alone" -- -std=c99
done

# Recursion over several rooms is seen in the whole only.
cp elelem_stream.h "$BUILD/whole.c"
check 'cppcheck: elelem_stream.h' cpp -DELELEM_STREAM_IMPLEMENTATION "$BUILD/whole.c"
check 'clang-tidy: no recursion' tidy --checks='-*,misc-no-recursion' "$BUILD/whole.c" -- -std=c99 -DELELEM_STREAM_IMPLEMENTATION
for example in examples/*.c; do
    check "gcc -fanalyzer: $example" analyze -DELELEM_STREAM_IMPLEMENTED -Wno-analyzer-malloc-leak -Wno-analyzer-file-leak "$example"
    check "clang-tidy: $example" tidy "$example" -- -std=c99 -DELELEM_STREAM_IMPLEMENTED -I.
    check "cppcheck: $example" cpp -DELELEM_STREAM_IMPLEMENTED "$example"
done

# What is listed as known and was not found has to leave the list.
if [ $# -gt 50 ] && grep -v '^#' tests/static/known.txt | cut -d'|' -f1,2 | sort -u | grep -vxFf "$BUILD/used"; then
    fail 'all that is known is found'
else
    pass
fi

echo "static: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
