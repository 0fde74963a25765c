#!/bin/sh
# tests/targets/compilers.sh: what compilers for other machines make of the header, one line each; make check-compilers counts them.
# A compiler that is not installed is named, and nothing is said of it (make deps-targets installs all but MSVC, which is no
# compiler of Debian's: clang compiles for its ABI here).
set -u
. tests/shell.sh
clean='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
printf '#define ELELEM_STREAM_IMPLEMENTATION\n#include "elelem_stream.h"\n' >"$work/whole.c"
printf '#include "elelem_stream.h"\n' >"$work/header.cpp"
{ echo '#include <windows.h>' && cat "$work/whole.c"; } >"$work/windows.c"

# does NAME COMPILER...: the command succeeds and says nothing.
does() {
    name=$1
    shift
    if ! command -v "$1" >/dev/null; then echo "$name: NOT RUN: no $1 (make deps-targets)"; return; fi
    "$@" >"$work/said" 2>&1
    code=$?
    if [ $code -eq 0 ] && [ ! -s "$work/said" ]; then echo "ok $name"; else
        echo "not ok $name: $code"
        head -n 10 "$work/said"
    fi
}

# shellcheck disable=SC2086 # options are words
{
    for cpu in cortex-m0 cortex-m0plus cortex-m3 cortex-m4 cortex-m7 cortex-m33; do
        does "arm-none-eabi-gcc for $cpu" arm-none-eabi-gcc -mcpu=$cpu -mthumb -std=c99 -Os $clean -DELELEM_NO_STDLIB -I. -c -o "$work/o" "$work/whole.c"
    done
    does 'riscv64-unknown-elf-gcc for rv32imac' riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 --specs=picolibc.specs -std=c99 -Os $clean -I. -c -o "$work/o" "$work/whole.c"
    for bits in x86_64 i686; do
        does "mingw for $bits" $bits-w64-mingw32-gcc -std=c99 -O2 $clean -I. -c -o "$work/o" "$work/whole.c"
        does "mingw for $bits, after windows.h" $bits-w64-mingw32-gcc -std=c99 -Wall -Wextra -Werror -I. -fsyntax-only "$work/windows.c"
    done
    # Enums are signed there, and have no negative values here.
    for machine in x86_64 i686 aarch64; do
        for language in 'c -std=c99' 'c++ -std=c++17'; do
            does "clang for $machine-pc-windows-msvc as ${language%% *}" clang --target=$machine-pc-windows-msvc -fms-compatibility-version=19.29 \
                -x $language $clean -Wno-sign-conversion -Itests/targets/include -I. -c -o "$work/o" "$work/whole.c"
        done
    done
    does 'the declarations as C++ without old-style casts' g++ -std=c++11 -Wold-style-cast -Werror -I. -fsyntax-only "$work/header.cpp"
    does 'the declarations as C++ with -Weverything' clang++ -std=c++17 -Weverything -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-padded -Werror -I. -fsyntax-only "$work/header.cpp"
    does 'tcc' tcc -I. -c -o "$work/o" "$work/whole.c"

    does 'clang for wasm32 without a C library' clang --target=wasm32 -std=c99 -Os -Wall -Wextra -Werror -nostdlib -fno-builtin -Wl,--no-entry \
        -DELELEM_NO_FAST -Itests/targets/include -I. -o "$work/read.wasm" tests/targets/read.c
    command -v node >/dev/null || echo 'WebAssembly: NOT RUN: no node (make deps-targets)'
    if command -v node >/dev/null && [ -s "$work/read.wasm" ]; then
        same 'WebAssembly reads a response' 'A guard, then. Let me give him a few lines – and a cloak, should it rain.write_fileget_weatherget_weather' \
            "$(node tests/targets/read.js "$work/read.wasm" examples/demo.sse)"
        echo "# the module has $(wc -c <"$work/read.wasm") bytes"
    fi
}

# A program and a DLL for Windows, and the program that uses it, run by wine if that is there.
windows() {
    bits=$1
    cc=$bits-w64-mingw32-gcc
    command -v $cc >/dev/null || { echo "programs for Windows ($bits): NOT RUN: no $cc (make deps-targets)"; return; }
    cat >"$work/user.c" <<'END'
#define ELELEM_DLL
#include "elelem_stream.h"
#include <stdio.h>
int main(void)
{
    printf("%s %d\n", elelem_version(), elelem_shape_find("chat") == &elelem_shape_chat);
    return 0;
}
END
    does "a DLL for Windows ($bits)" $cc -std=c99 -O1 -DELELEM_DLL -shared -static-libgcc -I. -o "$work/elelem_stream.dll" "$work/whole.c" -Wl,--out-implib,"$work/libelelem_stream.a"
    does "a program that uses it ($bits)" $cc -std=c99 -O1 -I. -o "$work/user.exe" "$work/user.c" -L"$work" -lelelem_stream
    does "a program for Windows ($bits)" $cc -std=c99 -O1 -static -I. -o "$work/json.exe" examples/json_only.c
    wine=${WINE:-wine}
    [ $bits = x86_64 ] || wine=${WINE32:-$wine}
    WINE=$wine sh tests/targets/wine.sh --runs $bits || { echo "programs for Windows ($bits): NOT RUN: $wine does not run them"; return; }
    version=$(sed -n 's/^#define ELELEM_VERSION "\(.*\)"$/\1/p' parts/base.h)
    same "wine runs the program with the DLL ($bits)" "$version 1" "$(cd "$work" && WINEDEBUG=-all $wine user.exe 2>/dev/null | tr -d '\r')"
}
windows x86_64
windows i686
