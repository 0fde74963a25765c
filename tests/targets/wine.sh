#!/bin/sh
# tests/targets/wine.sh PROGRAM: runs the program for Windows of that name, whose file the linker has called PROGRAM.exe, by WINE. Its
# lines end as those of all programs do here. What wine says of its own programs is left out if this one succeeds.
#
# tests/targets/wine.sh --runs x86_64|i686: fails if WINE does not run programs of that machine. (One of 64 bits runs those of 32 only
# if it was built for both; Debian's does not, wine32:i386 does.)
set -u
: "${WINE:=wine}"
export WINEDEBUG=-all
if [ "$1" = --runs ]; then
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
    echo 'int main(void) { return 7; }' | "$2-w64-mingw32-gcc" -static -x c -o "$work/seven.exe" - 2>/dev/null || exit 1
    $WINE "$work/seven.exe" >/dev/null 2>&1
    [ $? -eq 7 ]
    exit
fi
said=$(mktemp) || exit 1
$WINE "$1.exe" >"$said" 2>&1
code=$?
if [ $code -eq 0 ]; then sed '/^wine: /d' "$said"; else cat "$said"; fi | tr -d '\r'
rm -f "$said"
exit $code
