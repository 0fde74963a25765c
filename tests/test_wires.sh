# Every fixture that docs/wires.md names exists: a row without one cannot be trusted.
missing=0
awk '/^## /{shape = ""} /^## Chat/{shape = "chat"} /^## Responses/{shape = "responses"} /^## Messages/{shape = "messages"}
     /^## Gemini/{shape = "gemini"} /^\| [A-Z][0-9]/ && (shape || /^\| [SU]/) {print shape "|" $0}' docs/wires.md >"${BUILD:-build}/wires.rows"
while IFS='|' read -r shape _ row _ _ fixtures; do
    for name in $(printf '%s' "$fixtures" | grep -o '`[a-z_0-9*/]*`' | tr -d '`'); do
        case $name in */*) path=tests/data/$name ;; *) path=tests/data/$shape/$name ;; esac
        # shellcheck disable=SC2086 # a star stands for the shapes
        ls $path.sse >/dev/null 2>&1 || { echo "row$row names $path, which does not exist"; missing=1; }
    done
done <"${BUILD:-build}/wires.rows"
[ -s "${BUILD:-build}/wires.rows" ] || { echo 'docs/wires.md has no rows'; missing=1; }
[ "$missing" -eq 0 ] && echo 'ok every fixture named in docs/wires.md exists' || echo 'not ok every fixture named in docs/wires.md exists'
