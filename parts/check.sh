#!/bin/sh
# parts/check.sh ROOM... in the order of the template.
#
# A room includes only rooms above it, headers only headers, and no shape another
# shape, or functions of other rooms than base. Each compiles alone, with what it
# includes, and each compiles over all the rooms above it, so neither a missing nor a superfluous neighbour goes unseen. The map's
# last column (README.md) has the rooms whose names it uses, and no other is included.
# The sizes of blocks are computed by functions that do not wrap, and no name is a macro
# of other headers.
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

# A shape can have several rooms: shape_responses_item is one of shape_responses.
wire_of() {
    echo "${1%.[hc]}" | cut -d_ -f2
}

check_includes() {
    for name in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$1"); do
        case $1:$name in
        *.h:*.c) complain "$1 includes $name" ;;
        parts/shape_*.c:base.c) ;;
        parts/shape_*:shape_*) [ "$(wire_of "$name")" = "$(wire_of "$2")" ] || complain "$1 includes another shape, $name" ;;
        parts/shape_*.c:*.c) complain "$1 includes $name: a shape is written against headers alone" ;;
        esac
        case " $above $2 " in
        *" ${name%.[hc]} "*) ;;
        *) complain "$1 includes $name, which is not above it" ;;
        esac
    done
}

# What the map says, and what the room uses.
check_uses() {
    mapped=$(sed -n "s/^| \`$1\` |.*|\(.*\)|\$/\1/p" parts/README.md | tr -d ' ,')
    used=$(sed -n "s/^$1: *//p" "$BUILD/uses")
    [ "$mapped" = "$(echo "$used" | tr -d ' ,')" ] || complain "the row of $1 in parts/README.md should end: | $used |"
    for name in $(sed -n 's/^#include "\(.*\)\.[hc]"$/\1/p' "parts/$1.h" "parts/$1.c"); do
        case " $1 $used," in
        *" $name "* | *" $name,"*) ;;
        *) complain "$1 includes $name, and uses nothing of it" ;;
        esac
    done
}

# Sums and products that become the size of a block are made by els_sum and els_product, which do not wrap.
check_sizes() {
    tr '\n' ' ' <"$1" | grep -oE 'els_(block_(reserve|set)|parallel_grow)\([^;{]*' | grep -E ' [+*] ' |
        while read -r call; do echo "check-parts: $1 computes a size that may wrap: $call"; done | grep . && bad=1
}

# Names that are macros in headers which others include before this one: those of Windows, X11, Qt, Arduino, GNU C and
# others. The header may not use them for anything, nor call functions by the names of the second list.
macros='small near far huge pascal cdecl interface hyper NEAR FAR IN OUT OPTIONAL CONST VOID TRUE FALSE BOOL DELETE ERROR
    STRICT IGNORE NO_ERROR ABSOLUTE RELATIVE OPAQUE TRANSPARENT None Bool Status Always Success True False Above Below
    Complex Unsorted KeyPress slots signals emit forever HIGH LOW INPUT OUTPUT DEFAULT EXTERNAL PI SET RESET ENABLE
    DISABLE SUCCESS B0 B1 I ECHO unix linux i386 mips sun vax arm'
calls='min max MIN MAX abs bit word round sq F foreach check verify require major minor makedev likely unlikely TEXT'

# All rooms, which are in prefix.c at the end, compile if these names are taken.
check_names() {
    {
        printf '#include <%s>\n' stddef.h stdint.h stdlib.h string.h
        printf '#ifdef __SSE2__\n#include <emmintrin.h>\n#endif\n'
        printf '#if defined(__ARM_NEON) && defined(__aarch64__)\n#include <arm_neon.h>\n#endif\n'
        for name in $macros; do printf '#undef %s\n#define %s @ a macro @\n' "$name" "$name"; done
        for name in $calls; do printf '#undef %s\n#define %s(x) @ a macro @\n' "$name" "$name"; done
        cat "$BUILD/prefix.c"
    } >"$BUILD/names.c"
    compile "$BUILD/names.c" "a name is a macro elsewhere"
}

mkdir -p "$BUILD"
files=
for room; do files="$files parts/$room.h"; done
for room; do files="$files parts/$room.c"; done
# shellcheck disable=SC2086 # files is words
awk -f parts/uses.awk $files >"$BUILD/uses"

for room; do
    if [ ! -f "parts/$room.h" ] || [ ! -f "parts/$room.c" ]; then
        complain "no parts/$room.h or parts/$room.c"
        continue
    fi
    check_includes "parts/$room.h" "$room"
    check_includes "parts/$room.c" "$room"
    check_uses "$room"
    check_sizes "parts/$room.c"
    above="$above $room"
    compile "parts/$room.c" "$room does not compile alone"
    {
        for name in $above; do echo "@part $name.h"; done
        for name in $above; do echo "@part $name.c"; done
    } >"$BUILD/prefix.in"
    awk -f parts/amalgamate.awk "$BUILD/prefix.in" >"$BUILD/prefix.c"
    compile "$BUILD/prefix.c" "$room does not compile over the rooms above it"
done
check_names
[ $bad -eq 0 ] && echo "check-parts: $# rooms"
exit $bad
