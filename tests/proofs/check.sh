#!/bin/sh
# tests/proofs/check.sh [HARNESS...]
#
# Proves each prove_ function of the harnesses for sizes and pointers of 64 bits and of 32, then puts each error of broken.txt into a
# copy of its room, and sees the proof fail. Prints "ok ..." or "not ok ..." for each. PROOF_BITS may be one of the two. CBMC is the checker: the one on the PATH, or that of `make deps-proofs`.
set -u
cd "$(dirname "$0")" || exit 1
root=$(cd ../.. && pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
seconds=${PROOF_SECONDS:-300}
work=$build/proofs
mkdir -p "$work"
if [ -x "$build/cbmc/cbmc" ]; then cbmc=$build/cbmc/cbmc; else cbmc=$(command -v cbmc); fi
[ -n "$cbmc" ] || { echo 'check-proofs was NOT RUN: no cbmc (make deps-proofs)'; exit 2; }

# prove HARNESS FUNCTION PARTS BITS
prove() {
    machine=
    [ "$4" -eq 64 ] || machine=--i386-linux
    # shellcheck disable=SC2046,SC2086 # options are words
    timeout "$seconds" "$cbmc" $machine -I"$3" -I. "$1.c" --function "$2" --no-malloc-may-fail --object-bits 10 --slice-formula \
        --drop-unused-functions --unwinding-assertions --verbosity 4 $(sed -n 's/.*options: \(.*\) \*\/$/\1/p' "$1.c") \
        >"$work/log" 2>&1
}

functions() {
    sed -n 's/^void \(prove_[a-z_]*\)(void)$/\1/p' "$1.c"
}

bad=0
[ $# -gt 0 ] || set -- sizes block arena slots keys held learned written
for bits in ${PROOF_BITS:-64 32}; do
    for harness; do
        for function in $(functions "$harness"); do
            if prove "$harness" "$function" "$root/parts" "$bits"; then echo "ok $harness $function, $bits bits"
            else
                echo "not ok $harness $function, $bits bits"
                grep -E 'FAILURE|error' "$work/log" | head -5
                bad=1
            fi
        done
    done
done

# A proof that fails ends with 10; anything else, such as an error of the checker, is not what is asked for.
tab=$(printf '\t')
while IFS=$tab read -r harness function room change bits; do
    case $harness in '#'* | '') continue ;; esac
    case " $* " in *" $harness "*) ;; *) continue ;; esac
    rm -rf "$work/parts"
    cp -r "$root/parts" "$work/parts"
    sed "$change" "$root/parts/$room.c" >"$work/parts/$room.c"
    if cmp -s "$root/parts/$room.c" "$work/parts/$room.c"; then
        echo "not ok $harness $function: the error changes nothing in $room.c: $change"
        bad=1
        continue
    fi
    if [ -n "$bits" ] && ! prove "$harness" "$function" "$work/parts" 64; then
        echo "not ok $harness $function: 64 bits show the error in $room.c: $change"
        bad=1
    fi
    prove "$harness" "$function" "$work/parts" "${bits:-64}"
    if [ $? -eq 10 ]; then echo "ok $harness $function fails with an error in $room.c${bits:+ that only $bits bits show}: $change"
    else
        echo "not ok $harness $function does not see an error in $room.c: $change"
        tail -3 "$work/log"
        bad=1
    fi
done <broken.txt
exit $bad
