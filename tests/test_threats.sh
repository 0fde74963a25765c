# Every test that docs/threats.md names exists and runs, every row names one, and every test that is called after a row,
# or has the row in a comment at its side, is named there.
rows=${BUILD:-build}/threats.rows
wrong=0

complain() {
    echo "$*"
    wrong=1
}

# has FILE TEST: the test is in the file, and among those that it runs; a script names it.
has() {
    case $1 in
    test_linear.sh) grep -q "^    { \"$2\"," tests/work.c ;;
    *.sh) grep -q -- "$2" "tests/$1" ;;
    *) grep -qE "^[A-Z]+\($2\)" "tests/$1" && grep -qE "RUN\($2\)" "tests/$1" ;;
    esac
}

grep -E '^\| [A-Z][0-9]+ \|' docs/threats.md >"$rows"
while IFS='|' read -r _ row _ _ tests _; do
    row=$(printf %s "$row" | tr -d " ")
    named=$(printf '%s' "$tests" | grep -oE '`[a-z_0-9]+\.(c|sh):[A-Za-z_0-9-]+`' | tr -d '`')
    [ -n "$named" ] || complain "row $row names no test"
    for test in $named; do
        has "${test%%:*}" "${test#*:}" || complain "row $row names $test, which does not exist or does not run"
    done
    rest=$(printf '%s' "$tests" | sed -E 's/`[a-z_0-9]+\.(c|sh):[A-Za-z_0-9-]+`//g' | tr -d ' ')
    [ -z "$rest" ] || complain "row $row has something that is no test: $rest"
done <"$rows"

# The tests of a row: "TEST(J1_...)", "TEST(j4_...)", "TEST(...) /* J1 */".
for name in $(grep -ohE '^TEST\([JSPjsp][0-9]+_[a-z_0-9A-Z]+\)' tests/*.c | sed 's/TEST(\(.*\))/\1/'); do
    row=$(printf '%s' "${name%%_*}" | tr jsp JSP)
    grep -E "^\| $row \|" "$rows" | grep -q ":$name\`" || complain "row $row does not name $name"
done
for pair in $(grep -ohE '^TEST\([a-z_0-9]+\) /\* [JSP][0-9]+ \*/' tests/*.c | sed 's/TEST(\(.*\)) .* \([JSP][0-9]*\) .*/\2:\1/'); do
    grep -E "^\| ${pair%%:*} \|" "$rows" | grep -q ":${pair#*:}\`" || complain "row ${pair%%:*} does not name ${pair#*:}"
done

for row in J1 J2 J3 J4 J5 J6 J7 J8 J9 J10 S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10; do
    grep -qE "^\| $row \|" "$rows" || complain "row $row is missing"
done
[ $wrong -eq 0 ] && echo 'ok every row of docs/threats.md names tests that exist and run' ||
    echo 'not ok every row of docs/threats.md names tests that exist and run'
