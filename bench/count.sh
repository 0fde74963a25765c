#!/bin/sh
# bench/count.sh PROGRAM
#
# Counts with callgrind the instructions a byte of all contestants: parsers at pushes of 16 bytes and at whole documents, streams
# at 1 KB. Writes bench/counts.csv, and makes the tables again. It takes some minutes, and gives the same whatever else the
# machine does. (Valgrind knows no AVX-512, so that simdjson uses AVX2 here.)
set -u
cd "$(dirname "$0")/.." || exit 1
if ! command -v valgrind >/dev/null; then
    echo 'valgrind is not installed: nothing was counted (make deps installs it)'
    exit 1
fi
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

valgrind --tool=callgrind --callgrind-out-file="$temp/count" --zero-before=counted_run --dump-after=counted_run \
    "$1" "$temp/rows" parsers streams --count >"$temp/log" 2>&1 || { tail -n 20 "$temp/log"; exit 1; }
grep '^count,' "$temp/rows" >"$temp/counted"
for n in $(seq "$(wc -l <"$temp/counted")"); do
    sed -n 's/^totals: //p' "$temp/count.$n"
done | paste -d, "$temp/counted" - | awk -F, '{ printf "%s,%s,%s,%s,%s,%.2f,\n", $1, $2, $3, $4, $5, $8 / $3 }' >bench/counts.csv
bench/report.sh
