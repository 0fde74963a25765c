#!/bin/sh
# tests/targets/wine.sh PROGRAM: runs the program for Windows of that name, whose file the linker has called PROGRAM.exe. Its
# lines end as those of all programs do here.
said=$(mktemp) || exit 1
WINEDEBUG=-all wine "$1.exe" >"$said" 2>&1
code=$?
tr -d '\r' <"$said"
rm -f "$said"
exit $code
