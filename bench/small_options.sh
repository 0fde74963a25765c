# bench/small_options.sh, read by the scripts that measure what small machines need: how their programs are built. The implementation
# is in the same file, so that compiler and linker drop what is not used.
# shellcheck shell=sh disable=SC2034 # used by who reads this
options='-std=c99 -Os -fno-inline-functions-called-once -fno-jump-tables -fno-thread-jumps -fno-move-loop-invariants -ffunction-sections -fdata-sections
    -DELELEM_STATIC -DELELEM_STREAM_IMPLEMENTATION -DELELEM_NO_STDLIB -I. -nostartfiles -Wl,--gc-sections,-e,main'
# Copies of functions for one caller's constants make the parser smaller, but streams and turns larger.
of_streams=-fno-ipa-cp
m4='-mcpu=cortex-m4 -mthumb'
# What small programs leave out always, and what they leave out if they are to be the least.
always='FAST SENTENCES TAGS'
least='ITEMS METADATA WHOLE ERROR_WORDS'

# without OPTION...: as the compiler's options.
without() { printf -- '-DELELEM_NO_%s ' "$@"; }
