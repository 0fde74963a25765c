#!/bin/sh
# tests/targets/cortex_m3/run.sh PROGRAM: runs it on an emulated Cortex-M3; it reads files and prints by semihosting.
find tests/data -type f >"build/folders.$$" && mv "build/folders.$$" build/folders
exec qemu-system-arm -M mps2-an385 -display none -serial none -monitor none -chardev stdio,id=host \
    -semihosting-config enable=on,target=native,chardev=host -kernel "$1"
