#!/bin/sh
# viewer/assemble.sh MODULE: the page, with the module, the recordings, the style and the script inside, to standard output.
set -eu
packed() { gzip -9n <"$1" | base64 | tr -d '\n'; }

recordings() {
    grep -v '^#' viewer/recordings.txt | while read -r file shape status at name; do
        printf "  { name: '%s', shape: '%s', status: %s, at: %s, data: '%s' },\n" "$name" "$shape" "$status" "$at" "$(packed "$file")"
    done
}

while IFS= read -r line; do
    case $line in
    @page.css) cat viewer/page.css ;;
    @page.js) cat viewer/page.js ;;
    @recordings) recordings ;;
    *"'@module'"*) printf '%s%s%s\n' "${line%%@module*}" "$(packed "$1")" "${line##*@module}" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <viewer/page.html
