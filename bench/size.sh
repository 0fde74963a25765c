#!/bin/sh
# bench/size.sh
#
# What parts of the library cost a small machine: bytes of flash, of RAM that the objects themselves take (what they allocate
# is in addition), and of the deepest stack, as the compiler's call graph has it, below the
# caller's own. Each row is a program that uses so much and
# no more. The implementation is in the same file (ELELEM_STATIC), so that compiler and linker drop what is not used; the C
# library's memcpy and its like are counted. The allocator's stack is the caller's.
set -u
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
. bench/small_options.sh

program() {
    echo '#include "elelem_stream.h"'
    echo 'extern char recording[4096]; extern volatile int sink;'
    echo 'volatile int sink; char recording[4096];'
    shape=${1#* with }
    shape=${shape%%,*}
    case ${1%%,*} in
    'SSE alone') cat <<'END' ;;
static elelem_sse_decoder object; static elelem_frame result;
int main(void) { elelem_sse_decoder_desc d = ELELEM_INIT; elelem_sse_decoder_init(&object, &d); elelem_sse_decoder_push(&object, recording, 9);
    while (elelem_sse_decoder_next(&object, &result) == ELELEM_OK) sink = result.kind;
    elelem_sse_decoder_finish(&object); elelem_sse_decoder_free(&object); return 0; }
END
    'parser alone') cat <<'END' ;;
static elelem_fragment_parser object; static elelem_fragment result;
int main(void) { elelem_fragment_parser_init(&object, NULL); elelem_fragment_parser_push(&object, recording, 9);
    while (elelem_fragment_parser_next(&object, &result) == ELELEM_OK) sink = result.text.data[0] + elelem_path_is(result.path, recording);
    elelem_fragment_parser_finish(&object); elelem_fragment_parser_free(&object); return 0; }
END
    'parser and value') cat <<'END' ;;
static elelem_fragment_parser object; static elelem_fragment_aggregator tree; static elelem_fragment result;
int main(void) { int64_t n; elelem_value v; elelem_fragment_parser_init(&object, NULL); elelem_fragment_aggregator_init(&tree, NULL);
    elelem_fragment_parser_push(&object, recording, 9);
    while (elelem_fragment_parser_next(&object, &result) == ELELEM_OK) sink = elelem_fragment_aggregator_push(&tree, &result);
    v = elelem_value_get(elelem_fragment_aggregator_value(&tree), recording);
    for (v = elelem_value_first(v); elelem_value_type(v); v = elelem_value_next(v)) sink = elelem_value_to_int64(v, &n) + (int)elelem_value_text(v).size;
    elelem_fragment_parser_free(&object); elelem_fragment_aggregator_free(&tree); return 0; }
END
    'turn with all shapes') cat <<'END' ;;
static elelem_turn object; static elelem_turn_update result;
int main(void) { elelem_turn_desc d = ELELEM_INIT; d.shape = elelem_shape_find(recording); elelem_turn_init(&object, &d);
    elelem_turn_http_status(&object, recording[0]); elelem_turn_push(&object, recording, 9);
    while (elelem_turn_next(&object, &result) == ELELEM_OK) sink = result.kind;
    elelem_turn_finish(&object); elelem_turn_free(&object); return 0; }
END
    'stream with '*) cat <<END ;;
static elelem_stream object; static elelem_event result;
int main(void) { elelem_stream_desc d = ELELEM_INIT; d.shape = &elelem_shape_$shape; d.without_provider_items = 1; elelem_stream_init(&object, &d);
    elelem_stream_http_status(&object, recording[0]); elelem_stream_push(&object, recording, 9);
    while (elelem_stream_next(&object, &result) == ELELEM_OK) sink = result.kind;
    elelem_stream_finish(&object); elelem_stream_free(&object); return 0; }
END
    'turn with '*) cat <<END ;;
static elelem_turn object; static elelem_turn_update result;
int main(void) { elelem_turn_desc d = ELELEM_INIT; d.shape = &elelem_shape_$shape; d.without_provider_items = 1; elelem_turn_init(&object, &d);
    elelem_turn_http_status(&object, recording[0]); elelem_turn_push(&object, recording, 9);
    while (elelem_turn_next(&object, &result) == ELELEM_OK) sink = result.kind + (int)elelem_value_text(elelem_value_get(result.tool_call.arguments, recording)).size;
    elelem_turn_finish(&object); elelem_turn_free(&object); return 0; }
END
    esac
}

deepest() { awk -f bench/stack.awk elelem_stream.h "$@" || exit 1; }

goal() {
    case ${1%%,*} in
    'parser alone') echo 8192 ;; 'stream with chat') echo 32768 ;; 'turn with chat') echo 40960 ;; *) echo 0 ;;
    esac
}

row() {
    goal=$(goal "$2")
    said=
    if [ "$goal" -gt 0 ]; then
        said="missed: $goal"
        [ "$3" -gt "$goal" ] || said="met: $goal"
    fi
    stack="met: 1024"
    [ "$5" -le 1024 ] || stack="missed: 1024"
    printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$1" "$2" "$3" "$said" "$4" "$5" "$stack"
}

# What a program is compiled with in addition: among others, what it leaves out.
options_of() {
    case $1 in stream* | turn*) echo $of_streams ;; esac
    # shellcheck disable=SC2086 # options are words
    case $1 in
    *', no items') without $always ITEMS ;;
    *', least') without $always $least ;;
    *) without $always ;;
    esac
}

set_sizes() { flash=$(($1 + $2)); }

# The variables of the program and of the library, which has none.
ram() {
    total=0
    for size in $(${1%-gcc}-nm -S "$temp/p.elf" | awk 'NF == 4 && $3 ~ /^[bBdD]$/ && $4 !~ /^(recording|sink)$/ && $4 !~ /^_/ { print $2 }'); do
        total=$((total + 0x$size))
    done
    echo $total
}

measure() {
    target=$1
    shift
    command -v "$1" >/dev/null || { echo "$target: no $1 (make deps-targets)" >&2; return; }
    for what in 'SSE alone' 'parser alone' 'parser and value' 'stream with chat, least' 'stream with chat, no items' 'stream with chat' \
        'stream with responses' 'stream with messages' 'stream with gemini' 'stream with interactions' \
        'turn with chat, least' 'turn with chat, no items' 'turn with chat' 'turn with all shapes'; do
        program "$what" >"$temp/p.c"
        less=$(options_of "$what")
        # shellcheck disable=SC2086 # options are words
        "$@" $options -fcallgraph-info=su $less -dumpdir "$temp/" -o "$temp/p.elf" "$temp/p.c" 2>"$temp/log" || { cat "$temp/log"; exit 1; }
        # shellcheck disable=SC2046 # two numbers
        set_sizes $(${1%-gcc}-size "$temp/p.elf" | sed -n 2p)
        row "$target" "$what" "$flash" "$(ram "$1")" "$(deepest "$temp"/*.ci)"
        rm -f "$temp"/*.ci
    done
}

echo '| machine | program | flash | goal | RAM of objects | deepest stack | goal |'
echo '| --- | --- | --- | --- | --- | --- | --- |'
measure Cortex-M0+ arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb
measure Cortex-M4 arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb
measure rv32imac riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 -msave-restore --specs=picolibc.specs -Wl,--defsym=__flash_size=0x100000,--defsym=__ram_size=0x100000,--defsym=__stack_size=0
