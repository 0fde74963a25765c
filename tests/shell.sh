# For tests of commands: a folder of their own in $work, and what they report.

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# check NAME CONDITION...: one line for run.sh.
check() {
    name=$1
    shift
    if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

# same NAME EXPECTED ACTUAL
same() {
    if [ "$3" = "$2" ]; then echo "ok $1"; else
        echo "not ok $1"
        printf '  is:        %s\n  should be: %s\n' "$3" "$2"
    fi
}

# exits NAME CODE COMMAND...
exits() {
    name=$1
    code=$2
    shift 2
    "$@" >"$work/stdout" 2>"$work/stderr"
    check "$name" [ $? -eq "$code" ]
}

# misbehave FILE: starts the server of misbehave.py, whose address is then $base, in place of one with another file, and ends it with
# the script.
misbehave() {
    [ -z "${server:-}" ] || kill $server
    : >"$work/port"
    python3 tests/misbehave.py "$1" >"$work/port" 2>"$work/server.log" &
    server=$!
    trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
    for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do [ -s "$work/port" ] || sleep 0.2; done
    base=http://127.0.0.1:$(cat "$work/port")
}
