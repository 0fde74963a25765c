#!/bin/sh
# Instructions a byte, counted by callgrind: the same on every run and, unlike times, hardly
# moved by the machine. Builds nothing; make bench first.
#
#     bench/count.sh [DOCUMENT...]     without any: all documents, then recorded streams to events
bench=${BUILD:-build}/bench_json
whole=1000000000

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=counted \
        "$bench" --once "$1" "$2" "$3" 2>&1 |
        awk '/^bytes/ { bytes = $2 } /Collected/ { n = $NF } END { if (bytes) printf "  %s %.1f", peer, n / bytes }' peer="$1"
}

# Recorded streams in pieces of 1 KB: instructions a byte until they are events.
count_stream() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=counted \
        "${BUILD:-build}/bench_stream" --once "$1" events 1024 2>&1 |
        awk '/^bytes/ { bytes = $2 } /Collected/ { n = $NF }
             END { if (bytes) printf "%-16s %6s  %.1f\n", "stream " shape, 1024, n / bytes }' shape="$1"
}

streams=$#
[ $# -gt 0 ] || set -- 'tool arguments' 'Russian' 'small objects' twitter citm_catalog canada
for document; do
    for piece in 1 16 $whole; do
        printf '%-16s %6s' "$document" "$(echo $piece | sed "s/$whole/whole/")"
        for peer in elelem Boost.JSON lejp; do count $peer "$document" $piece; done
        if [ $piece = $whole ]; then count RapidJSON "$document" $piece; fi
        echo
    done
done
[ "$streams" -gt 0 ] || for shape in chat responses messages gemini; do count_stream $shape; done
