# Work is linear in the bytes pushed: four times the bytes in 16-byte pushes take at most
# 4.4 times the instructions, whatever the input. Counted, not timed. LINEAR_BYTES is the
# smaller size, less where a byte costs much; an open string is always taken at 1 MB and 4 MB.
if ! command -v valgrind >/dev/null; then
    echo 'no valgrind here: nothing was counted'
    exit 0
fi

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$(command -v work)" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# Starting the program takes instructions too; they are not the work.
start=$(count open-string 0)

work --list | while read -r workload cost; do
    bytes=$((${LINEAR_BYTES:-65536} / cost))
    if [ "$workload" = open-string ]; then bytes=1048576; fi
    little=$(($(count "$workload" "$bytes") - start))
    much=$(($(count "$workload" $((bytes * 4))) - start))
    if [ "$little" -gt 0 ] && [ $((much * 10)) -le $((little * 44)) ]; then
        echo "ok $workload: $little instructions for $bytes bytes, $much for four times as many"
    else
        echo "not ok $workload: $little instructions for $bytes bytes, $much for four times as many"
    fi
done
