# Work is linear in the bytes pushed: four times the bytes in 16-byte pushes take at most
# 4.4 times the instructions, for any input. Counted, not timed. LINEAR_BYTES is the smaller
# size, less if a byte costs much; an open string always has 1 MB and 4 MB.
if ! command -v valgrind >/dev/null; then
    echo 'not ok work is linear: valgrind is not installed, so nothing was counted'
    exit 1
fi

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# One file of counts for each call of work_on, two calls a workload.
valgrind --tool=callgrind --callgrind-out-file="$temp/count" --zero-before=work_on --dump-after=work_on \
    "$(command -v work)" --all "${LINEAR_BYTES:-32768}" >"$temp/names" 2>"$temp/log"
for n in $(seq $((2 * $(wc -l <"$temp/names")))); do
    sed -n 's/^totals: //p' "$temp/count.$n"
done >"$temp/counts"

awk 'NR == FNR { counts[NR] = $1; next }
     {
         little = counts[2 * FNR - 1]
         much = counts[2 * FNR]
         good = little > 0 && much > little && much * 10 <= little * 44
         printf "%s %s: %.0f instructions for %d bytes, %.0f for four times as many\n", good ? "ok" : "not ok", $1, little, $2, much
     }
     END { if (FNR < 1) print "not ok nothing was counted" }' "$temp/counts" "$temp/names"
