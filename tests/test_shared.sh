#!/bin/sh
# ELELEM_DLL: a shared library exports all public names and no others, and C, C++ and Python call it. The same for Windows, as
# far as it goes without running it, if there is a compiler for it.
set -u
. tests/shell.sh

lib=$work/libelelem_stream.so
${CC:-cc} -std=c99 -O1 -Wall -Wextra -fPIC -shared -fvisibility=hidden -DELELEM_DLL -I. -o "$lib" elelem_stream.c >"$work/log" 2>&1
same the_library_compiles_without_a_warning '' "$(cat "$work/log")"
public() { sed -n 's/^ELELEM_\(API\|DATA\) .*[ *]\(elelem_[a-z0-9_]*\)[(;].*/\2/p' elelem_stream.h | sort -u; }
public >"$work/public"
nm -D --defined-only "$lib" | awk '{ print $NF }' | grep -v '^_' | sort >"$work/exported"
check it_exports_every_public_name_and_nothing_else cmp -s "$work/public" "$work/exported"
diff "$work/public" "$work/exported"

printf '#include "elelem_stream.h"\n#include <stdio.h>\nint main(void) { elelem_turn t; elelem_turn_desc d = ELELEM_INIT;
    d.shape = &elelem_shape_gemini; puts(elelem_turn_init(&t, &d) ? "no" : elelem_version()); elelem_turn_free(&t); return 0; }\n' >"$work/use.c"
version=$(sed -n 's/^#define ELELEM_VERSION "\(.*\)"/\1/p' elelem_stream.h)
${CC:-cc} -std=c99 -DELELEM_DLL -I. -o "$work/use" "$work/use.c" "$lib" >"$work/log" 2>&1
same c_calls_it "$version" "$(LD_LIBRARY_PATH=$work "$work/use" 2>&1)"
${CXX:-c++} -x c++ -std=c++17 -DELELEM_DLL -I. -o "$work/use" "$work/use.c" -x none "$lib" >"$work/log" 2>&1
same cpp_calls_it "$version" "$(LD_LIBRARY_PATH=$work "$work/use" 2>&1)"
if command -v python3 >/dev/null; then
    same python_reads_a_response_with_it 'A guard, then. Let me give him a few lines – and a cloak, should it rain.
tool_calls' "$(python3 tests/binding.py "$lib" examples/demo.sse 2>&1)"
fi

# Every struct that an X_init takes has its size by name.
sed -n 's/^ELELEM_API .*elelem_[a-z_]*_init(\(.*\)/\1/p' elelem_stream.h | grep -o 'elelem_[a-z_]*' | sort -u |
    grep -v 'elelem_pattern\|elelem_pattern_node' >"$work/taken"
sed -n '/define ELS_BINDING_LIST/,/^$/p' elelem_stream.h | grep -o 'elelem_[a-z_]*' | sort -u >"$work/listed"
same every_struct_that_is_initialised_has_its_size '' "$(comm -23 "$work/taken" "$work/listed" | tr '\n' ' ')"

mingw=x86_64-w64-mingw32-gcc
command -v $mingw >/dev/null || { echo 'nothing done for Windows: no mingw'; exit 0; }
$mingw -std=c99 -O1 -Wall -Wextra -shared -DELELEM_DLL -I. -o "$work/elelem_stream.dll" elelem_stream.c -Wl,--out-implib,"$work/lib.dll.a" >"$work/log" 2>&1
same a_dll_compiles_without_a_warning '' "$(cat "$work/log")"
x86_64-w64-mingw32-objdump -p "$work/elelem_stream.dll" | sed -n 's/.*\[ *[0-9]*\] \(+base\[ *[0-9]*\] *[0-9a-f]* \)\{0,1\}\(elelem_[a-z0-9_]*\)$/\2/p' | sort -u >"$work/exported"
check a_dll_exports_every_public_name cmp -s "$work/public" "$work/exported"
for language in c c++; do
    as=$mingw
    [ $language = c ] || as=${mingw%gcc}g++
    echo 'int main(void) { return 0; }' >"$work/main.c"
    $as -x $language -c -o "$work/use.o" "$work/main.c" 2>/dev/null || { echo "nothing done for $language on Windows: no $as"; continue; }
    rm -f "$work/use.o"
    $as -x $language -Wall -Wextra -DELELEM_DLL -I. -c -o "$work/use.o" "$work/use.c" >"$work/log" 2>&1 &&
        $as -o "$work/use.exe" "$work/use.o" "$work/lib.dll.a" >>"$work/log" 2>&1
    same "a_windows_program_in_${language}_links_with_it" '' "$(cat "$work/log")"
    check "and_${language}_imports_it" grep -q '__imp_elelem_turn_init' "$work/use.o"
done
