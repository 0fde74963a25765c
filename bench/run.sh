#!/bin/sh
# bench/run.sh PROGRAM
#
# Runs the race, adds the instructions a byte that the goals name, and makes the chart and the tables. Prints the tables.
set -u
cd "$(dirname "$0")/.." || exit 1
temp=$(mktemp)
trap 'rm -f "$temp"' EXIT

"$1" "$temp" || exit 1
awk -F, '$1 == "tool arguments" && $2 == 8 || $1 ~ /^recorded / && $2 == 1024 {
    printf "instructions,%s,%s,%s,elelem,%s,\n", $1, $3, $2, $4 }' bench/instructions.csv >>"$temp"
cp "$temp" bench/results.csv
bench/report.sh && sed -n '/^## /p; /^|/p' docs/performance.md
