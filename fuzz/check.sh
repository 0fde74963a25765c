#!/bin/sh
# fuzz/check.sh [FUZZER...]
#
# Sees that the fuzzers can fail: puts each error of fuzz/broken.txt into its room, and runs the fuzzer, from the inputs in fuzz/seeds,
# until it finds something, for at most FUZZ_SECONDS. Prints "ok ..." or "not ok ..." for each. With --changes it only checks that
# each error changes its room.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
seconds=${FUZZ_SECONDS:-60}
work=$build/broken
bad=0
mkdir -p "$work"

# In a copy of the tree, because the header is assembled from its parts.
broken() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree"
    cp -R Makefile parts fuzz tests "$work/tree"
    sed "$2" "parts/$1.c" >"$work/tree/parts/$1.c"
    ! cmp -s "parts/$1.c" "$work/tree/parts/$1.c"
}

if [ "${1:-}" = --changes ]; then
    while IFS='	' read -r fuzzer room error; do
        case $fuzzer in '#'* | '') continue ;; esac
        ! sed "$error" "parts/$room.c" | cmp -s - "parts/$room.c" && continue
        echo "not ok fuzz_$fuzzer with an error in $room: nothing is changed: $error"
        bad=1
    done <fuzz/broken.txt
    [ $bad -ne 0 ] || echo 'ok each error for a fuzzer changes its room'
    exit $bad
fi

while IFS='	' read -r fuzzer room error; do
    case $fuzzer in '#'* | '') continue ;; esac
    case " $* " in '  ' | *" $fuzzer "*) ;; *) continue ;; esac
    what="fuzz_$fuzzer with an error in $room"
    if ! broken "$room" "$error"; then
        echo "not ok $what: nothing was changed"
        bad=1
    elif ! make -s -C "$work/tree" header "build/fuzz_$fuzzer" BUILD=build >"$work/log" 2>&1; then
        echo "not ok $what: does not compile"
        bad=1
    elif BUILD=build FUZZ_SECONDS=$seconds "$work/tree/fuzz/fuzz.sh" run "$fuzzer" >"$work/log" 2>&1; then
        echo "not ok $what: nothing found in $seconds s"
        bad=1
    elif ! grep -q '^artifact_prefix=.*Test unit written to ' "$work/log"; then
        echo "not ok $what: did not run"
        bad=1
    else
        echo "ok $what is found"
    fi
done <fuzz/broken.txt
exit $bad
