#!/bin/sh
# fuzz/fuzz.sh run|keep ROOM...
#
# run: runs each fuzzer for FUZZ_SECONDS, beginning with the inputs in fuzz/seeds and in $BUILD/corpus, which gets the new
# ones. Prints how many inputs were executed, how many edges of the code are reached, and by how many inputs. Fails at the first find.
# keep: replaces the inputs in fuzz/seeds by the fewest that reach all edges that those and $BUILD/corpus reach. Inputs with
# names of their own, which people wrote, stay.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
seconds=${FUZZ_SECONDS:-5}

# fuzzer ROOM ARGUMENTS...: its output goes to a log, which is shown if it fails.
fuzzer() {
    room=$1
    shift
    [ ! -f "fuzz/$room.dict" ] || set -- "-dict=fuzz/$room.dict" "$@"
    "$build/fuzz_$room" -timeout=20 -rss_limit_mb=6000 "-artifact_prefix=$build/$room-" "$@" >"$build/fuzz_$room.log" 2>&1 &&
        return
    tail -n 60 "$build/fuzz_$room.log"
    exit 1
}

run() {
    fuzzer "$1" "-max_total_time=$seconds" "$build/corpus/$1" "fuzz/seeds/$1"
    executions=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$build/fuzz_$1.log")
    reached=$(sed -n 's/.*DONE *cov: \([0-9]*\) .* corp: \([0-9]*\).*/\1 edges, \2 inputs/p' "$build/fuzz_$1.log")
    echo "fuzz $1: nothing found, $executions executions in $seconds s, $reached"
}

keep() {
    kept=$build/corpus/$1.kept
    rm -rf "$kept"
    mkdir "$kept"
    find "fuzz/seeds/$1" -type f -name '*[!0-9a-f]*' -exec cp {} "$kept" \;
    fuzzer "$1" -merge=1 -use_counters=0 "$kept" "fuzz/seeds/$1" "$build/corpus/$1"
    rm -rf "fuzz/seeds/$1"
    mv "$kept" "fuzz/seeds/$1"
    echo "fuzz $1: $(find "fuzz/seeds/$1" -type f | wc -l) inputs are kept"
}

what=$1
shift
for name; do
    mkdir -p "$build/corpus/$name" "fuzz/seeds/$name"
    "$what" "$name"
done
