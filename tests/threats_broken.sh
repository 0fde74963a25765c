#!/bin/sh
# tests/threats_broken.sh [ROW...]
#
# Sees that the tests of docs/threats.md can fail: puts each error of tests/threats_broken.txt into its room, builds the one program, and
# runs in it the one test, which must fail; without the error it must pass. Prints "ok ..." or "not ok ..." for each. With --names it
# only checks that each row of docs/threats.md has an error which changes its room, and that no line names a row or a test that is
# not there.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
list=tests/threats_broken.txt
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
work=$build/threats
seconds=${TEST_SECONDS:-120}
log=$work/log
tab=$(printf '\t')
bad=0
mkdir -p "$work"

fail() {
    echo "not ok $*"
    bad=1
}

# Rows of memory and of what callers do are built with the sanitizers of make test; the others without, which takes a fifth of the time.
kind() {
    case $1 in A* | C*) echo checked ;; *) echo plain ;; esac
}

# build_in BUILD ROW PROGRAM, in the copy of the tree.
build_in() {
    into=$1 program=$3
    if [ "$(kind "$2")" = checked ]; then set --; else set -- SANITIZE=; fi
    make -s -C "$work/tree" header "$into/$program" BUILD="$into" CC="${CC:-cc} -DCHECK_ONLY" TEST_CFLAGS='-O0 -g1 $(SANITIZE)' "$@" >"$log" 2>&1
}

# run PROGRAM TEST, in the tree whose data it reads.
run() {
    (cd "$work/tree" && CHECK_ONLY=$2 timeout "$seconds" "$1") >"$log" 2>&1
}

# The rows of docs/threats.md.
rows() {
    sed -n 's/^| \([A-Z][0-9]*\) |.*/\1/p' docs/threats.md
}

check_names() {
    for row in $(rows); do
        grep -q "^$row$tab" $list || fail "row $row of docs/threats.md has no error in $list"
    done
    while IFS=$tab read -r row room error program name; do
        case $row in '#'* | '') continue ;; esac
        grep "^| $row |" docs/threats.md | grep -q "\`$program\.c:$name\`" ||
            fail "$list: row $row of docs/threats.md does not name $program.c:$name"
        [ -f "parts/$room.c" ] || fail "$list: there is no room $room"
        [ -n "$error" ] || fail "$list: a line of row $row has no error"
        ! sed "$error" "parts/$room.c" | cmp -s - "parts/$room.c" || fail "$list: the error of row $row changes nothing in $room"
    done <$list
    [ $bad -ne 0 ] || echo 'ok every row of docs/threats.md has an error with which a test of it must fail'
}

# A copy of the tree, because the header is assembled from its parts. Only the room with the error differs, and is put back after it.
copy() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree"
    cp -R Makefile parts tests "$work/tree"
}

# try ROW ROOM ERROR PROGRAM TEST
try() {
    what="$1 $4 $5, with an error in $2"
    here=$work/$(kind "$1")
    whole=$here/whole
    mkdir -p "$here"
    if [ ! -x "$whole/$4" ] && ! build_in "$whole" "$1" "$4"; then fail "$what: does not compile without it"; return; fi
    if ! run "$whole/$4" "$5" || ! grep -q ': 1 passed, 0 failed$' "$log"; then fail "$what: does not pass without it"; return; fi
    sed "$3" "parts/$2.c" >"$work/tree/parts/$2.c"
    if cmp -s "parts/$2.c" "$work/tree/parts/$2.c"; then fail "$what: nothing was changed"; return; fi
    rm -f "$here/broken/$4"
    if ! build_in "$here/broken" "$1" "$4"; then fail "$what: does not compile"
    else
        run "$here/broken/$4" "$5"
        status=$?
        if [ $status -eq 124 ]; then fail "$what: took more than $seconds s"
        elif [ $status -eq 0 ]; then fail "$what: passes"
        elif ! grep -qE "^[^ ]+:[0-9]+: $5( |\$)" "$log" && [ $status -lt 128 ] && ! grep -qE 'Sanitizer|runtime error' "$log"; then
            fail "$what: ended with $status, and the test did not fail"
        else echo "ok $what, fails"
        fi
    fi
    cp "parts/$2.c" "$work/tree/parts/$2.c"
}

check_names
[ "${1:-}" != --names ] || exit $bad
copy
while IFS=$tab read -r row room error program name; do
    case $row in '#'* | '') continue ;; esac
    case " $* " in '  ' | *" $row "*) try "$row" "$room" "$error" "$program" "$name" </dev/null ;; esac
done <$list
exit $bad
