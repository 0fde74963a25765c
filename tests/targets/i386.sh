#!/bin/sh
# tests/targets/i386.sh: how make runs programs for i386 on this machine, as variables for it. Nothing, if the system runs them. Not each
# 64-bit kernel does: then by qemu-i386, without sanitizers, which take hours there, and with fewer cuts of long inputs. Fails if that is
# missing too.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 7; }' | ${GCC:-gcc} -m32 -x c -o "$work/seven" - || exit 1
"$work/seven" 2>/dev/null
[ $? -eq 7 ] && exit
if command -v qemu-i386 >/dev/null; then
    echo 'This system runs no programs for i386: by qemu-i386, without sanitizers.' >&2
    echo RUN=qemu-i386 SANITIZE=-DFEED_CUTS=128 TEST_SECONDS=600
else
    echo 'This system runs no programs for i386, and there is no qemu-i386 (make deps-32bit).' >&2
    exit 1
fi
