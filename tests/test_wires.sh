# Every fixture and every test that docs/wires.md names exists: a row without one cannot be trusted.
missing=0
rows=${BUILD:-build}/wires.rows
awk '/^## /{shape = ""} /^## Chat/{shape = "chat"} /^## Responses/{shape = "responses"} /^## Messages/{shape = "messages"}
     /^## Gemini/{shape = "gemini"} /^## Interactions/{shape = "interactions"} /^## Requests/{shape = "requests"}
     /^\| [A-Z][0-9]/ && (shape || /^\| [SU]/) {print shape "|" $0}' docs/wires.md >"$rows"

# exists SHAPE NAME: a fixture, or a test of requests.
exists() {
    case $1/$2 in
    requests/*) grep -q "^TEST(${2#*/})" "tests/test_request_${2%%/*}.c" ;;
    # shellcheck disable=SC2086 # a star stands for the shapes
    */*/*) ls tests/data/$2.sse >/dev/null 2>&1 ;;
    *) [ -f "tests/data/$1/$2.sse" ] ;;
    esac
}

while IFS='|' read -r shape _ row _ _ evidence; do
    names=$(printf '%s' "$evidence" | grep -o '`[a-z_0-9*/]*`' | tr -d '`')
    [ "$shape" = requests ] && [ -z "$names" ] && { echo "row$row names no test"; missing=1; }
    for name in $names; do
        exists "$shape" "$name" || { echo "row$row names $name, which does not exist"; missing=1; }
    done
done <"$rows"
grep -q '^requests' "$rows" && grep -q '^chat' "$rows" || { echo 'docs/wires.md has no rows'; missing=1; }
[ "$missing" -eq 0 ] && echo 'ok every fixture and test named in docs/wires.md exists' ||
    echo 'not ok every fixture and test named in docs/wires.md exists'
