#!/bin/sh
# tests/targets/check.sh [MACHINE...]: the unit tests on these machines, or on all. If a tool is missing, the machine is NOT RUN,
# which is said with the name of the tool and counts neither as passed nor as failed. (Folders of a 64-bit machine can only
# be read with large offsets on one of 32 bits. Long inputs are cut at fewer places. Of the 16 MB of the Cortex-M3 a program's
# data take up to 6, so that seven tests do nothing there.)
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
linux='-O1 -g -static -D_FILE_OFFSET_BITS=64 -DFEED_CUTS=128'
windows='-O1 -g -static -DFEED_CUTS=128'
cortex='-mcpu=cortex-m3 -mthumb -O1 -g -ffunction-sections -fdata-sections -Itests/targets/cortex_m3 -DFEED_CUTS=128 -DCHECK_MEMORY=10000000u'
device=tests/targets/cortex_m3
passed=0
failed=0
missing=0

# has MACHINE TOOL...: all these tools are here.
has() {
    machine=$1
    shift
    for tool; do
        command -v "$tool" >/dev/null && continue
        echo "$machine: NOT RUN: no $tool (make deps-targets)"
        missing=$((missing + 1))
        return 1
    done
}

# runs MACHINE COMPILER FLAGS PROGRAM [LIBRARIES]: builds the unit tests, and runs each by the program. Then what comes of the inputs
# of the fuzzers is compared with what comes of them here.
runs() {
    echo "== $1"
    set -- "$1" CC="$2" TEST_CFLAGS="$3" RUN="$4" TEST_LIBS="${5:--lm}" SANITIZE= BUILD="$build/$1" TEST_SECONDS=3600
    name=$1
    shift
    if make --no-print-directory -s -k -j"${JOBS:-2}" test-units "$@" && make --no-print-directory -s "$build/$name/sums" "$@" &&
        cmp "$build/sums" "$build/$name/sums"; then
        echo "$name: all $(wc -l <"$build/sums") inputs give the same as here"
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: FAILED"
    fi
}

on_linux() { has "$1" "$1-gcc" "$2" && runs "$1" "$1-gcc" "$linux $3" "$2"; }

# on_windows MACHINE WINE
on_windows() {
    name=$1-windows
    has "$name" "$1-w64-mingw32-gcc" "$2" || return
    export WINE="$2" WINEPREFIX="$PWD/$build/wine-$1"
    if sh tests/targets/wine.sh --runs "$1"; then
        runs "$name" "$1-w64-mingw32-gcc" "$windows" 'sh tests/targets/wine.sh'
    else
        echo "$name: NOT RUN: $2 does not run its programs"
        missing=$((missing + 1))
    fi
}

on() {
    case $1 in
    i386) has "$1" gcc qemu-i386 && runs "$1" 'gcc -m32' "$linux" qemu-i386 ;;
    arm-linux-gnueabihf) on_linux "$1" qemu-arm -mfpu=neon ;;
    aarch64-linux-gnu) on_linux "$1" qemu-aarch64 '' ;;
    powerpc-linux-gnu) on_linux "$1" qemu-ppc '' ;;
    riscv64-linux-gnu) on_linux "$1" qemu-riscv64 '' ;;
    s390x-linux-gnu) on_linux "$1" qemu-s390x '' ;;
    cortex-m3)
        has "$1" arm-none-eabi-gcc qemu-system-arm && runs "$1" arm-none-eabi-gcc "$cortex" "sh $device/run.sh" \
            "$device/start.s $device/memory.c -nostartfiles --specs=rdimon.specs -Wl,--gc-sections -T $device/memory.ld -lm"
        ;;
    wasm32)
        has "$1" clang wasm-ld node && runs "$1" 'clang --target=wasm32-wasi' '-O1 -DFEED_CUTS=128' \
            'node --no-warnings --single-threaded tests/targets/wasi.js' '-lm -Wl,-z,stack-size=1048576'
        ;;
    x86_64-windows) on_windows x86_64 "${WINE:-wine}" ;;
    i686-windows) on_windows i686 "${WINE32:-${WINE:-wine}}" ;;
    tcc) has "$1" tcc && runs "$1" tcc -O1 '' ;;
    *)
        echo "$1: no machine of that name"
        failed=$((failed + 1))
        ;;
    esac
}

[ $# -gt 0 ] || set -- i386 arm-linux-gnueabihf aarch64-linux-gnu powerpc-linux-gnu riscv64-linux-gnu s390x-linux-gnu cortex-m3 wasm32 \
    x86_64-windows i686-windows tcc
make --no-print-directory -s "BUILD=$build" SANITIZE= "$build/sums" || exit 1
for name; do
    on "$name"
done
echo "machines: $passed passed, $failed failed, $missing not run"
[ $failed -eq 0 ]
