#!/bin/sh
# The C# example reads a response by P/Invoke and leaves no managed memory, if mcs and mono are installed.
set -u
. tests/shell.sh
if ! command -v mcs >/dev/null || ! command -v mono >/dev/null; then
    echo 'the C# example: NOT RUN: no mcs or mono (make deps-targets)'
    exit 0
fi

check the_command_of_the_readme_builds_the_library sh -c "${CC:-cc} -O1 -fPIC -shared -fvisibility=hidden -DELELEM_DLL \
    elelem_stream.c -o '$work/libelelem_stream.so'"
check the_c_sharp_example_compiles mcs -unsafe -langversion:7.2 -out:"$work/Try.exe" examples/unity/ElelemTurn.cs examples/unity/Try.cs
LD_LIBRARY_PATH=$work mono "$work/Try.exe" examples/demo.sse >"$work/said" 2>&1
check text_and_calls_are_those_of_the_response grep -q '^A guard, then\. Let me give him.*write_file{.*}get_weather{"town": "Nordhaven".*"days": \[1, 2\]}$' "$work/said"
same nothing_is_left_to_the_collector 'no garbage' "$(tail -n 1 "$work/said")"
