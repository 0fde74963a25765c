#!/bin/sh
# tests/viewer/check.sh PAGE ELELEM-EVENTS: check.mjs, if there is a Chromium and a node to run it. Exits with 77 if not: then
# nothing was checked.
set -u
for program in "${CHROMIUM:-chromium}" node; do
    command -v "$program" >/dev/null && continue
    echo "not checked: there is no $program (make deps-viewer)"
    exit 77
done
exec node tests/viewer/check.mjs "$@"
