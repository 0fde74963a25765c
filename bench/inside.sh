#!/bin/sh
# bench/inside.sh
#
# What a stream with chat is made of on a Cortex-M4: bytes of flash by room, as it is and with what can be left out left out ("least", see
# bench/size.sh), and what each option saves there. Built as bench/size.sh builds.
set -u
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
. bench/small_options.sh

cat >"$temp/p.c" <<'END'
#include "elelem_stream.h"
extern char recording[4096]; extern volatile int sink;
volatile int sink; char recording[4096];
static elelem_stream object; static elelem_event result;
int main(void) { elelem_stream_desc d = ELELEM_INIT; d.shape = &elelem_shape_chat; d.without_provider_items = 1; elelem_stream_init(&object, &d);
    elelem_stream_http_status(&object, recording[0]); elelem_stream_push(&object, recording, 9);
    while (elelem_stream_next(&object, &result) == ELELEM_OK) sink = result.kind;
    elelem_stream_finish(&object); elelem_stream_free(&object); return 0; }
END

# build OPTION...: without these.
build() {
    # shellcheck disable=SC2046,SC2086 # options are words
    arm-none-eabi-gcc $options $of_streams $m4 $(without "$@") -o "$temp/p.elf" "$temp/p.c" 2>"$temp/log" || { cat "$temp/log" >&2; exit 1; }
}

flash() { arm-none-eabi-size "$temp/p.elf" | awk 'NR == 2 { print $1 + $2 }'; }

# Bytes of each room: a symbol belongs to the room whose file has its name first. What has no name are texts.
rooms() {
    arm-none-eabi-nm -S "$temp/p.elf" | awk 'NF == 4 && $3 ~ /[tTrRdD]/ { print $4, $2 }' | while read -r name size; do
        plain=${name%%.*}
        room=$(grep -lw -- "$plain" parts/*.c | head -n 1)
        room=$(basename "${room:-library.c}" .c)
        [ "$plain" != main ] || room=library
        echo "$room $((0x$size))"
    done | awk -v flash="$(flash)" '{ bytes[$1] += $2; sum += $2 } END { for (room in bytes) print room, bytes[room]; print "texts", flash - sum }'
}

# shellcheck disable=SC2086 # options are words
{
    build $always
    rooms | sort >"$temp/all"
    build $always $least
    rooms | sort >"$temp/least"
    echo '| room | bytes | least |'
    echo '| --- | ---: | ---: |'
    join -a 1 "$temp/all" "$temp/least" | sort -k 2,2nr | awk '{ if ($2 >= 500) print "| " $1 " | " $2 " | " $3 + 0 " |"; else { all += $2; less += $3 } }
        END { print "| rooms of less than 500 bytes | " all " | " less " |" }'
    build $always
    with=$(flash)
    for option in $least; do
        build $always "$option"
        echo "ELELEM_NO_$option saves $((with - $(flash)))"
    done
    for option in $always; do
        build $(echo "$always" | sed "s/$option//")
        echo "ELELEM_NO_$option saves $(($(flash) - with))"
    done
}
