#!/bin/sh
# tests/static/check.sh ROOM...: gcc's -fanalyzer and clang-tidy, with clang's analyzer, on each room alone (alone.awk), cppcheck
# on the header as a whole, all of them on the examples; no recursion, no array of variable size. JOBS of them at once. Which
# checks are off, and why: .clang-tidy. Findings that are wrong, each with its reason: known.txt. A tool that is missing fails
# each of its checks.
# tests/static/check.sh --one TOOL FILE: one of these.
set -u
GCC=${GCC:-gcc}
TIDY=${TIDY:-$(command -v clang-tidy-19 || command -v clang-tidy || echo clang-tidy-19)}
CPPCHECK=${CPPCHECK:-cppcheck}
BUILD=${BUILD:-build}
work=$BUILD/static

analyze() {
    "$GCC" -std=c99 -O1 -fanalyzer -Wvla -Walloca -I. -c -o /dev/null "$@"
}

tidy() {
    file=$1
    shift
    "$TIDY" --quiet "$file" -- -std=c99 -I. "$@"
}

cpp() {
    "$CPPCHECK" --quiet --std=c99 --enable=warning,performance,portability --max-configs=1 \
        --template='{file}:{line}: {severity}: {message} [{id}]' \
        -DFLT_RADIX=2 -DDBL_MANT_DIG=53 -DDBL_MAX_EXP=1024 -D__GNUC__=12 -D__x86_64__=1 -D__SIZEOF_INT128__=16 -I. "$@"
}

# run TOOL FILE: the header's functions are in an example's other file, and in the whole themselves.
run() {
    case $1:$2 in
        analyze:examples/*) analyze -DELELEM_STREAM_IMPLEMENTED -Wno-analyzer-malloc-leak -Wno-analyzer-file-leak "$2" ;;
        *:examples/*) "$1" "$2" -DELELEM_STREAM_IMPLEMENTED ;;
        recursion:*) "$TIDY" --quiet --checks='-*,misc-no-recursion' "$2" -- -std=c99 -DELELEM_STREAM_IMPLEMENTATION ;;
        *:"$work"/whole.c) "$1" "$2" -DELELEM_STREAM_IMPLEMENTATION ;;
        *) "$1" "$2" ;;
    esac
}

# one TOOL FILE: passes if the tool does and finds nothing but what is known. Its log and what it found of that have names of their own.
one() {
    log=$work/$1.$(basename "$2").log
    : >"$log.used"
    if ! run "$1" "$2" >"$log" 2>&1; then
        grep -E 'error:|not found' "$log" | head -n 5
    elif awk -v used="$log.used" -f tests/static/findings.awk tests/static/known.txt "$log"; then
        return 0
    fi
    echo "not ok $1: $2"
    return 1
}

# plan [ROOM...]: each check, as the words TOOL FILE, those that take longest first.
plan() {
    echo "recursion $work/whole.c"
    echo "cpp $work/whole.c"
    for room; do echo "analyze $work/$room.c tidy $work/$room.c"; done
    for example in examples/*.c; do echo "analyze $example tidy $example cpp $example"; done
}

if [ "$1" = --one ]; then
    one "$2" "$3" && echo ok
    exit 0
fi

for tool in "$GCC" "$TIDY" "$CPPCHECK"; do
    command -v "$tool" >/dev/null || echo "$tool is missing, and all its checks fail (make deps-static)"
done

rm -rf "$work"
mkdir -p "$work"
cp elelem_stream.h "$work/whole.c"
for room; do awk -v room="$room" -f tests/static/alone.awk elelem_stream.h >"$work/$room.c"; done

planned=$(plan "$@" | wc -w)
planned=$((planned / 2))
export GCC TIDY CPPCHECK BUILD
plan "$@" | xargs -n 2 -P "${JOBS:-2}" sh "$0" --one >"$work/results"
grep -vx ok "$work/results"
passed=$(grep -cx ok "$work/results")

# What is listed as known and was not found has to leave the list.
planned=$((planned + 1))
cat "$work"/*.used | sort -u >"$work/used"
if [ $# -gt 50 ] && grep -v '^#' tests/static/known.txt | cut -d'|' -f1,2 | sort -u | grep -vxFf "$work/used"; then
    echo 'not ok all that is known is found'
else
    passed=$((passed + 1))
fi

echo "static: $passed passed, $((planned - passed)) failed"
[ "$passed" -eq "$planned" ]
