#!/bin/sh
# examples/bare_metal in an emulated Cortex-M3, if the tools for it are there (make deps-bare-metal).
set -u
. tests/shell.sh
command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null || { echo 'nothing done: no compiler or emulator'; exit 0; }

make -s BUILD="$work" "$work/bare_metal.elf" >"$work/log" 2>&1
same it_compiles_without_a_warning '' "$(cat "$work/log")"
make -s BUILD="$work" bare-metal >"$work/all" 2>"$work/log"
same it_reads_the_recording 'He goes his round.
walk: 4 steps' "$(sed -n 1,2p "$work/all")"
peak=$(sed -n 's/^most memory taken: \([0-9]*\) bytes, and .*/\1/p' "$work/all")
check it_takes_no_more_than_it_has [ "${peak:-99999}" -le 16384 ]
same it_has_no_heap 0 "$(arm-none-eabi-nm "$work/bare_metal.elf" | grep -cE ' (malloc|calloc|realloc|free|_sbrk|_malloc_r)$')"
