#!/bin/sh
# bench/instructions.sh [--write]
#
# Counts the instructions a byte of every row of bench/instructions.c with callgrind: the same on every run, whatever else
# the machine does. Compares them with bench/instructions.csv and fails if one rose by more than 3%; --write writes that
# file. Another compiler gives other counts: then nothing is compared. Nor is a row that has other bytes than it had, or
# whose recordings are not there.
set -u
figures=$(dirname "$0")/instructions.csv
program=${BUILD:-build}/instructions
compiler="$(${CC:-cc} --version | sed -n '1s/^[^ ]* //p'), $(uname -m), -O3"

if ! command -v valgrind >/dev/null; then
    echo 'valgrind is not installed: nothing was counted (make deps installs it)'
    exit 1
fi

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# The C library has several versions of memcpy and its like, and chooses by the processor: here the same on all.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-FSRM,-BMI2,-AVX2_Usable,-AVX_Fast_Unaligned_Load
valgrind --tool=callgrind --callgrind-out-file="$temp/count" --zero-before=counted_work --dump-after=counted_work \
    "$program" >"$temp/rows" 2>"$temp/log" || { tail -n 20 "$temp/log"; exit 1; }
for n in $(seq "$(wc -l <"$temp/rows")"); do
    sed -n 's/^totals: //p' "$temp/count.$n"
done | paste -d, "$temp/rows" - | awk -F, -v compiler="$compiler" '
    BEGIN { print "# " compiler; print "row,piece,bytes,instructions a byte" }
    { printf "%s,%s,%s,%.2f\n", $1, $2, $3, $4 / $3 }' >"$temp/now"

if [ "${1:-}" = --write ]; then
    cp "$temp/now" "$figures"
    echo "wrote $figures"
    exit 0
fi

awk -F, '
    /^#/ { if (NR == FNR) known = $0; else if (known != $0) other = 1; next }
    $1 == "row" { next }
    NR == FNR { bytes[$1, $2] = $3; figure[$1, $2] = $4; left[$1, $2] = 1; next }
    {
        was = ""
        if (($1, $2) in figure && bytes[$1, $2] == $3) was = figure[$1, $2]
        delete left[$1, $2]
        note = was == "" ? "no figure" : sprintf("%+.1f%%", 100 * ($4 / was - 1))
        if (was != "" && !other && $4 > was * 1.03) { note = note "  TOO MANY"; bad++ }
        printf "%-34s %6s %9.2f %9s  %s\n", $1, $2, $4, was, note
    }
    END {
        for (i in left) absent++
        if (absent) printf "%d rows were not counted: their recordings are not there\n", absent
        if (other) print "The figures are of another compiler, so nothing was compared: " known
        else if (!bad) print "no row rose by more than 3%"
        exit bad > 0
    }' "$figures" "$temp/now"
