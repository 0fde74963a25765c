#!/bin/sh
# bench/report.sh [--check]
#
# Makes of bench/results.csv and bench/counts.csv the chart bench/results.svg, and the tables between "<!-- bench: NAME -->" and "<!-- end -->" in
# README.md and docs/performance.md. With --check nothing is written: it fails if they are not what it would write.
set -u
cd "$(dirname "$0")/.." || exit 1
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# The file with its tables made again.
filled() {
    awk -v tables='cat bench/results.csv bench/counts.csv | awk -v table="%s" -f bench/tables.awk - bench/goals.csv' '
        /^<!-- end -->$/ { inside = 0 }
        !inside { print }
        /^<!-- bench: .* -->$/ {
            name = $0
            gsub(/^<!-- bench: | -->$/, "", name)
            fflush()
            system(sprintf(tables, name))
            inside = 1
        }' "$1"
}

awk -f bench/chart.awk bench/results.csv >"$temp/results.svg" || exit 1
bad=0
for file in README.md docs/performance.md bench/results.svg; do
    made=$temp/$(basename "$file")
    [ "$file" = bench/results.svg ] || filled "$file" >"$made"
    if [ "${1:-}" != --check ]; then
        cp "$made" "$file"
    elif ! cmp -s "$made" "$file"; then
        echo "$file is not what bench/report.sh makes of bench/results.csv"
        bad=1
    fi
done
exit $bad
