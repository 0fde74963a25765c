#!/bin/sh
# tests/run.sh PROGRAM|SCRIPT...
#
# Runs each within TEST_SECONDS, JOBS and one of them at a time, and prints the total. A program's last line is its result:
# "sse: 12 passed, 0 failed"; without that line it crashed, which counts as a failure.
# A script prints a line "ok ..." or "not ok ..." for each test and finds the examples
# on its PATH. RUN is put before each program, as in RUN=valgrind. If UNBUILT is not 0,
# something did not build, which is one more failure. A line "nothing done ...", of a program after the name of its test, says
# why a test was not made here, and what was not is counted before the total.
set -u
BUILD=${BUILD:-build}
passed=0
failed=0
idle=0
mkdir -p "$BUILD"
logs=$BUILD/run
export PATH="$PWD/$BUILD:$PATH"
# The same random cases each time, so that what passed passes again; make check-deep takes others, and far more.
export RC_PARAMS="${RC_PARAMS-seed=1 max_success=50}"
# Of an allocation only the caller is kept, and of what is freed 16 MB, which takes a tenth less time: to see more, run the program alone.
export ASAN_OPTIONS="${ASAN_OPTIONS:-malloc_context_size=1:quarantine_size_mb=16}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"

# Runs one and keeps what it says and how it ended.
if [ "${1:-}" = --one ]; then
    log=$logs/$(basename "$2")
    case $2 in
    *.sh) timeout "${TEST_SECONDS:-120}" sh "$2" >"$log" 2>&1 ;;
    # shellcheck disable=SC2086 # RUN is words
    *) timeout "${TEST_SECONDS:-120}" ${RUN:-} "$2" >"$log" 2>&1 ;;
    esac
    echo $? >"$log.status"
    exit 0
fi

rm -rf "$logs"
mkdir -p "$logs"
# Scripts and large programs first: they take longest. One more than JOBS at once: some scripts wait.
programs=$(printf '%s\n' "$@" | grep -v '\.sh$')
# shellcheck disable=SC2086 # names of our own, without blanks
{
    printf '%s\n' "$@" | grep '\.sh$'
    { [ -z "$programs" ] || ls -S $programs 2>/dev/null; echo "$programs"; } | awk '!seen[$0]++' # on Windows the files end with .exe
} | BUILD=$BUILD xargs -P $((${JOBS:-2} + 1)) -I '{}' sh "$0" --one '{}'

for program; do
    name=$(basename "$program")
    log=$logs/$name
    status=$(cat "$log.status" 2>/dev/null || echo 1)
    p=0
    f=0
    case $program in
    *.sh)
        p=$(grep -c '^ok' "$log")
        f=$(grep -c '^not ok' "$log")
        grep -v '^ok' "$log"
        echo "$name: $p passed, $f failed"
        ;;
    *)
        cat "$log"
        line=$(grep -E '^[^ ]+: [0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
        if [ -n "$line" ]; then
            p=$(echo "$line" | sed 's/^[^ ]*: \([0-9]*\) passed.*/\1/')
            f=$(echo "$line" | sed 's/.* \([0-9]*\) failed$/\1/')
        elif [ $status -eq 0 ]; then
            status=none
        fi
        ;;
    esac
    if [ "$f" -eq 0 ] && [ $status != 0 ]; then
        f=1
        case $status in
        none) echo "$name: ended without a result" ;;
        124) echo "$name: took more than ${TEST_SECONDS:-120} s" ;;
        *) echo "$name: failed with exit status $status" ;;
        esac
    fi
    passed=$((passed + p))
    failed=$((failed + f))
    i=$(grep -cE '^([^ ]+: )?nothing done[ :]' "$log" 2>/dev/null)
    idle=$((idle + ${i:-0}))
done

if [ "${UNBUILT:-0}" != 0 ]; then
    echo 'something did not build'
    failed=$((failed + 1))
fi
[ $idle -eq 0 ] || echo "$idle did nothing (their lines say why)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
