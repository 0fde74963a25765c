#!/bin/sh
# bench/size.sh
#
# What parts of the library cost a small machine: bytes of flash, of RAM that the objects themselves take (what they allocate
# is in addition), and of the deepest stack, as the compiler's call graph has it, below the
# caller's own. Each row is a program that uses so much and
# no more. The implementation is in the same file (ELELEM_STATIC), so that compiler and linker drop what is not used; the C
# library's memcpy and its like are counted.
#
# Calls through pointers are not in a call graph: those of the shape are added here, and those of the allocator and of sinks
# are the caller's.
set -u
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
options='-std=c99 -Os -fno-inline-functions-called-once -ffunction-sections -fdata-sections -fcallgraph-info=su -DELELEM_STATIC -DELELEM_STREAM_IMPLEMENTATION
    -DELELEM_NO_STDLIB -DELELEM_NO_FAST -DELELEM_NO_SENTENCES -DELELEM_NO_TAGS -I. -nostartfiles -Wl,--gc-sections,-e,main'

program() {
    echo '#include "elelem_stream.h"'
    echo 'extern char recording[4096]; extern volatile int sink;'
    echo 'volatile int sink; char recording[4096];'
    case $1 in
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
    'stream with chat') cat <<'END' ;;
static elelem_stream object; static elelem_event result;
int main(void) { elelem_stream_desc d = ELELEM_INIT; d.shape = &elelem_shape_chat; d.without_provider_items = 1; elelem_stream_init(&object, &d);
    elelem_stream_http_status(&object, recording[0]); elelem_stream_push(&object, recording, 9);
    while (elelem_stream_next(&object, &result) == ELELEM_OK) sink = result.kind;
    elelem_stream_finish(&object); elelem_stream_free(&object); return 0; }
END
    'turn with chat') cat <<'END' ;;
static elelem_turn object; static elelem_turn_update result;
int main(void) { elelem_turn_desc d = ELELEM_INIT; d.shape = &elelem_shape_chat; d.without_provider_items = 1; elelem_turn_init(&object, &d);
    elelem_turn_http_status(&object, recording[0]); elelem_turn_push(&object, recording, 9);
    while (elelem_turn_next(&object, &result) == ELELEM_OK) sink = result.kind + (int)elelem_value_text(elelem_value_get(result.tool_call.arguments, recording)).size;
    elelem_turn_finish(&object); elelem_turn_free(&object); return 0; }
END
    'turn with all shapes') cat <<'END' ;;
static elelem_turn object; static elelem_turn_update result;
int main(void) { elelem_turn_desc d = ELELEM_INIT; d.shape = elelem_shape_find(recording); elelem_turn_init(&object, &d);
    elelem_turn_http_status(&object, recording[0]); elelem_turn_push(&object, recording, 9);
    while (elelem_turn_next(&object, &result) == ELELEM_OK) sink = result.kind;
    elelem_turn_finish(&object); elelem_turn_free(&object); return 0; }
END
    esac
}

# The longest path from main through a graph in the form of -fcallgraph-info, each function with its bytes of stack.
deepest() {
    awk -v more="$1" '
        BEGIN { n = split(more, pairs, " "); for (i = 1; i <= n; i++) { split(pairs[i], p, ">"); extra[++extras] = p[1] SUBSEP p[2] } }
        function name(text) { sub(/.*:/, "", text); sub(/\.(constprop|isra|part).*/, "", text); return text }
        /^node:/ { match($0, /title: "[^"]*"/); title = substr($0, RSTART + 8, RLENGTH - 9)
                   if (match($0, /[0-9]+ bytes/)) own[title] = substr($0, RSTART, RLENGTH) + 0
                   known[title] = 1; short[title] = name(title) }
        /^edge:/ { match($0, /sourcename: "[^"]*"/); from = substr($0, RSTART + 13, RLENGTH - 14)
                   match($0, /targetname: "[^"]*"/); to = substr($0, RSTART + 13, RLENGTH - 14)
                   calls[from, ++degree[from]] = to }
        END {
            for (i = 1; i <= extras; i++) { split(extra[i], p, SUBSEP)
                for (a in known) if (short[a] == p[1]) for (b in known) if (short[b] == p[2]) calls[a, ++degree[a]] = b }
            for (t in known) if (short[t] == "main") { least = own[t]; print walk(t) - least; exit }
        }
        function walk(t,    i, d, best) {
            if (t in deep) return deep[t]
            deep[t] = own[t]; best = 0
            for (i = 1; i <= degree[t]; i++) { d = walk(calls[t, i]); if (d > best) best = d }
            return deep[t] = own[t] + best
        }' "$2"
}

# The entries of shapes, which stream calls through a pointer; inlined into els_stream_next or not.
pointers=
for from in els_stream_work els_stream_take els_stream_next els_stream_piece els_stream_do_read elelem_stream_next main; do
    for to in els_chat_frame els_responses_frame els_messages_frame els_gemini_frame els_chat_passes els_responses_passes els_messages_passes els_gemini_passes; do
        pointers="$pointers $from>$to"
    done
done

goal() {
    case $1 in
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
    for what in 'SSE alone' 'parser alone' 'parser and value' 'stream with chat' 'turn with chat' 'turn with all shapes'; do
        program "$what" >"$temp/p.c"
        # shellcheck disable=SC2086 # options are words
        "$@" $options -dumpdir "$temp/" -o "$temp/p.elf" "$temp/p.c" 2>"$temp/log" || { cat "$temp/log"; exit 1; }
        # shellcheck disable=SC2046 # two numbers
        set_sizes $(${1%-gcc}-size "$temp/p.elf" | sed -n 2p)
        row "$target" "$what" "$flash" "$(ram "$1")" "$(deepest "$pointers" "$temp"/*.ci)"
        rm -f "$temp"/*.ci
    done
}

echo '| machine | program | flash | goal | RAM of objects | deepest stack | goal |'
echo '| --- | --- | --- | --- | --- | --- | --- |'
measure Cortex-M0+ arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb
measure Cortex-M4 arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb
measure rv32imac riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 --specs=picolibc.specs -Wl,--defsym=__flash_size=0x100000,--defsym=__ram_size=0x100000,--defsym=__stack_size=0
