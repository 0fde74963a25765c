# Every test that docs/threats.md names exists and runs, and is called after its row or has the row in a comment after its name;
# every row names one; and every test that is called after a row, or has it in such a comment, is named there. The errors of the
# threats and of the fuzzers change the rooms into which they are put.
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

# The tests of all rows, "ROW FILE:TEST" a line: "TEST(J1_...)", "TEST(j4_...)", "TEST(...) /* J1 */", "TEST(...) /* P2, P4 */".
(cd tests && grep -HE '^[A-Z]+\([A-Za-z_0-9]+\)' ./*.c) | awk '
    {
        file = $0
        sub(/^\.\//, "", file)
        sub(/:.*/, "", file)
        text = $0
        sub(/^[^:]*:[A-Z]*\(/, "", text)
        name = text
        sub(/\).*/, "", name)
        if (match(name, /^[JSPQACjspqac][0-9]+_/)) print toupper(substr(name, 1, RLENGTH - 1)) " " file ":" name
        if (!match(text, /\) \/\* [JSPQAC][0-9]+(, [JSPQAC][0-9]+)* \*\//)) next
        marks = substr(text, RSTART + 5, RLENGTH - 8)
        for (n = split(marks, row, ", "); n > 0; n--) print row[n] " " file ":" name
    }' | sort -u >"$rows.marked"

# What the rows name, in the same form, but for workloads and scripts.
while IFS='|' read -r _ row _ _ tests _; do
    row=$(printf %s "$row" | tr -d " ")
    printf '%s' "$tests" | grep -oE '`[a-z_0-9]+\.c:[A-Za-z_0-9-]+`' | tr -d '`' | sed "s/^/$row /"
done <"$rows" | sort -u >"$rows.named"

while read -r row test; do
    [ -z "$row" ] || complain "row $row does not name $test"
done <<end
$(comm -23 "$rows.marked" "$rows.named")
end
while read -r row test; do
    [ -z "$row" ] || complain "$test does not say that it is a test of row $row"
done <<end
$(comm -13 "$rows.marked" "$rows.named")
end

for row in J1 J2 J3 J4 J5 J6 J7 J8 J9 J10 S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10; do
    grep -qE "^\| $row \|" "$rows" || complain "row $row is missing"
done
[ $wrong -eq 0 ] && echo 'ok every row of docs/threats.md names tests that exist and run' ||
    echo 'not ok every row of docs/threats.md names tests that exist and run'
tests/threats_broken.sh --names
fuzz/check.sh --changes
