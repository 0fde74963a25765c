#!/bin/sh
# parts/check.sh ROOM... in the order of the template.
#
# A room includes only rooms above it, headers only headers, and no shape another
# shape. Each compiles alone, with what it includes, and each compiles over all the
# rooms above it, so neither a missing nor a superfluous neighbour goes unseen.
set -u
CC=${CC:-cc}
BUILD=${BUILD:-build}
bad=0
above=

complain() {
    echo "check-parts: $*"
    bad=1
}

compile() {
    $CC -x c -std=c99 ${WARNINGS:-} -Werror -fsyntax-only "$1" || complain "$2"
}

check_includes() {
    for name in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$1"); do
        case $1:$name in
        *.h:*.c) complain "$1 includes $name" ;;
        parts/shape_*:shape_*) [ "${name%.h}" = "$2" ] || complain "$1 includes another shape, $name" ;;
        esac
        case " $above $2 " in
        *" ${name%.[hc]} "*) ;;
        *) complain "$1 includes $name, which is not above it" ;;
        esac
    done
}

mkdir -p "$BUILD"
for room; do
    if [ ! -f "parts/$room.h" ] || [ ! -f "parts/$room.c" ]; then
        complain "no parts/$room.h or parts/$room.c"
        continue
    fi
    check_includes "parts/$room.h" "$room"
    check_includes "parts/$room.c" "$room"
    above="$above $room"
    compile "parts/$room.c" "$room does not compile alone"
    {
        for name in $above; do echo "@part $name.h"; done
        for name in $above; do echo "@part $name.c"; done
    } >"$BUILD/prefix.in"
    awk -f parts/amalgamate.awk "$BUILD/prefix.in" >"$BUILD/prefix.c"
    compile "$BUILD/prefix.c" "$room does not compile over the rooms above it"
done
[ $bad -eq 0 ] && echo "check-parts: $# rooms"
exit $bad
