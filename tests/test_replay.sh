# Recorded provider streams: what elelem-events prints, elelem-events --replay prints again.
corpus=${ELELEM_CORPUS:-../shared/corpus}/streams
if ! [ -d "$corpus" ]; then
    echo 'no recordings (set ELELEM_CORPUS): nothing was replayed'
    exit 0
fi

lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

for shape in chat responses messages gemini interactions; do
    count=0
    bad=
    folder=$corpus/$shape
    [ "$shape" = interactions ] && folder=$corpus/../interactions
    for recording in "$folder"/*; do
        case $recording in *MANIFEST.tsv | *SOURCES.md) continue ;; esac
        for join in '' --join; do
            # shellcheck disable=SC2086 # nothing or one word
            elelem-events --shape "$shape" $join "$recording" >"$lines" &&
                elelem-events --replay --chunk 7 "$lines" | cmp -s - "$lines" || bad="$bad $(basename "$recording")"
        done
        count=$((count + 1))
    done
    if [ -z "$bad" ] && [ "$count" -gt 0 ]; then echo "ok $count recordings of $shape are replayed as they were"
    else echo "not ok recordings of $shape are replayed as they were, but for:$bad"; fi
done
