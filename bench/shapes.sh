#!/bin/sh
# bench/shapes.sh
#
# What each shape is: its lines, those of them that are code, those of the room that writes its requests, and the bytes of flash
# that a turn with all shapes on a Cortex-M4 takes less without it, with provider items and without them. Built as bench/size.sh
# builds.
set -u
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
. bench/small_options.sh

cat >"$temp/p.c" <<'END'
#include "elelem_stream.h"
extern char recording[4096]; extern volatile int sink;
volatile int sink; char recording[4096];
static elelem_turn object; static elelem_turn_update result;
int main(void) { elelem_turn_desc d = ELELEM_INIT; d.shape = elelem_shape_find(recording); elelem_turn_init(&object, &d);
    elelem_turn_http_status(&object, recording[0]); elelem_turn_push(&object, recording, 9);
    while (elelem_turn_next(&object, &result) == ELELEM_OK) sink = result.kind;
    elelem_turn_finish(&object); elelem_turn_free(&object); return 0; }
END

flash() {
    # shellcheck disable=SC2046,SC2086 # options are words
    arm-none-eabi-gcc $options $of_streams $m4 $(without $always) "$@" -o "$temp/p.elf" "$temp/p.c" 2>"$temp/log" || { cat "$temp/log" >&2; exit 1; }
    arm-none-eabi-size "$temp/p.elf" | awk 'NR == 2 { print $1 + $2 }'
}

code_lines() {
    sed 's,/\*.*\*/,,' "$@" | awk '/\/\*/ { inside = 1 } !inside && NF && !/^#/ { n++ } /\*\// { inside = 0 } END { print n }'
}

command -v arm-none-eabi-gcc >/dev/null || { echo 'no arm-none-eabi-gcc (make deps-targets)' >&2; exit 1; }
all=$(flash -DALL) && few=$(flash -DELELEM_NO_ITEMS) || exit 1
echo '| shape | lines | of code | request | flash | without items |'
echo '| --- | ---: | ---: | ---: | ---: | ---: |'
for shape in chat responses messages gemini interactions; do
    out=-DELELEM_NO_$(echo $shape | tr '[:lower:]' '[:upper:]')
    printf '| %s | %s | %s | %s | %s | %s |\n' $shape "$(cat parts/shape_$shape*.[ch] | wc -l)" "$(code_lines parts/shape_$shape*.[ch])" \
        "$(cat parts/request_$shape.[ch] | wc -l)" $((all - $(flash "$out"))) $((few - $(flash "$out" -DELELEM_NO_ITEMS)))
done
