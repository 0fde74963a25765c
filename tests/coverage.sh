#!/bin/sh
# tests/coverage.sh FOLDER TEST...: runs the tests, built for it, and prints what they cover of each room.
# COVERAGE_OPTIONS=--keep makes the figures the new thresholds.
set -u
folder=$1
shift
LLVM=${LLVM--19}
for tool in llvm-profdata$LLVM llvm-cov$LLVM python3; do
    command -v "$tool" >/dev/null || { echo "coverage: $tool is missing (make deps-coverage)"; exit 1; }
done
rm -rf "$folder/raw"
mkdir -p "$folder/raw"
export LLVM_PROFILE_FILE="$folder/raw/%m.profraw"
printf '%s\n' "$@" | env -u ELELEM_CORPUS xargs -P "${JOBS:-2}" -I '{}' sh -c 'timeout "${TEST_SECONDS:-120}" "$0" >"$0.log" 2>&1 ||
    { tail -n 5 "$0.log"; echo "coverage: $0 failed"; exit 1; }' '{}'
bad=$?
objects=$(printf ' -object %s' "$@")
llvm-profdata$LLVM merge -o "$folder/all.profdata" "$folder"/raw/*.profraw || exit 1
# shellcheck disable=SC2086 # objects are words
llvm-cov$LLVM export -instr-profile "$folder/all.profdata" ${objects#* -object } >"$folder/all.json" 2>"$folder/export.log" &&
    llvm-cov$LLVM export -format=lcov -skip-branches -instr-profile "$folder/all.profdata" ${objects#* -object } >"$folder/all.lcov" 2>>"$folder/export.log" ||
    { cat "$folder/export.log"; exit 1; }
python3 tests/coverage.py "$folder" tests/coverage.txt ${COVERAGE_OPTIONS:-} && [ $bad -eq 0 ]
