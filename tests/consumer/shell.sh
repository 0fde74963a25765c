# For tests that build the consumer with an installed library.

source=$PWD
version=$(sed -n 's/^#define ELELEM_VERSION "\(.*\)"$/\1/p' elelem_stream.h)
expected="hello from $version, chat"

has() {
    command -v "$1" >/dev/null && return
    echo "$1 is not installed: no program was built with it"
    return 1
}

# says NAME PROGRAM: what the consumer prints, and what its build said if there is none.
says() {
    actual=$("$2" 2>&1)
    [ "$actual" = "$expected" ] || cat "$work/log"
    same "$1" "$expected" "$actual"
}

# consume FOLDER: a copy of the consumer's sources.
consume() {
    cp -r tests/consumer "$work/$1"
}
