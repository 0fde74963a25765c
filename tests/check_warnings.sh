#!/bin/sh
# tests/check_warnings.sh: the header, with and without its functions, compiles without a warning by GCC and CLANG in each
# standard, linked as one, and with each part left out. JOBS at a time. "--one COMMAND..." is one of them.
set -u

implementation() { printf '#define ELELEM_STREAM_IMPLEMENTATION\n#include "elelem_stream.h"\n'; }

if [ "${1:-}" = --one ]; then
    shift
    case $1 in
    declarations) shift; echo '#include "elelem_stream.h"' | "$@" - && exit 0 ;;
    *) implementation | "$@" - && exit 0 ;;
    esac
    echo "check-warnings: $*"
    exit 1
fi

# Optimized when it is linked, all functions are seen at once; then gcc has to be asked for this warning.
linked='-O3 -march=native -flto=2 -fPIC -shared -Wmaybe-uninitialized'
without="NO_STDLIB NO_SENTENCES NO_TAGS NO_ITEMS NO_METADATA NO_WHOLE NO_ERROR_WORDS NO_FAST $(printf 'NO_%s ' $SHAPES)"

# The commands, the longest first.
list() {
    for std in '-x c -std=c99' '-x c++ -std=c++17'; do
        echo "$GCC $std $WARNINGS -Werror -I. -o /dev/null $linked"
        echo "$CLANG $std -Wconditional-uninitialized -Werror -I. -o /dev/null -O2 -c"
    done
    for cc in $GCC $CLANG; do
        for std in $(standards "$cc"); do
            case $std in *++*) language=c++ ;; *) language=c ;; esac
            now="$cc -x $language -std=$std $WARNINGS -Werror -I."
            case " c99 c++17 " in *" $std "*) echo "$now -o /dev/null -O2 -c" ;; *) echo "$now -fsyntax-only" ;; esac
            echo "declarations $now -fsyntax-only"
            echo "$now -fsyntax-only -DELELEM_STATIC"
        done
        for std in 'c -std=c99' 'c++ -std=c++17'; do
            now="$cc -x $std $WARNINGS -Werror -I. -fsyntax-only"
            for off in $without; do echo "$now -DELELEM_$off"; done
            echo "$now $(printf -- '-DELELEM_NO_%s ' $SHAPES)"
        done
    done
}

# Those that the compiler knows; without C++98, all that the header is for.
standards() {
    for std in c99 c11 c17 c2x c++11 c++14 c++17 c++20 c++2b; do
        case $std in *++*) language=c++ ;; *) language=c ;; esac
        echo 'int x;' | $1 -x $language -std=$std -fsyntax-only - 2>/dev/null && echo "$std"
    done
}

for cc in $GCC $CLANG; do echo "$cc: $(standards "$cc" | tr '\n' ' ')"; done
list | tr '\n' '\0' | xargs -0 -P "${JOBS:-2}" -I '{}' sh -c 'sh "$0" --one $1' "$0" '{}'
