# What README shows is what there is: the program, what it prints, and the commands.
block() { # the n-th block of README between fences of this kind
    awk -v kind="$1" -v n="$2" '$0 == "```" kind && !open { open = 1; if (++k == n) show = 1; next }
        $0 == "```" { open = 0; show = 0; next } /^```/ { open = 1; next } show' README.md
}

if block c 1 | cmp -s - examples/say.c; then echo 'ok the program in README is examples/say.c'
else echo 'not ok the program in README is examples/say.c'; fi

say <examples/demo.sse >build/say.out 2>&1
if block '' 1 | cmp -s - build/say.out; then echo 'ok README shows what it prints'
else echo 'not ok README shows what it prints'; fi

grep -v '^\[run ' build/say.out >"build/played.$$" # which calls are whole is what say adds
command=$(grep -o 'build/chat_curl file://[^`]*' README.md)
if ! command -v chat_curl >/dev/null; then echo 'nothing said of chat_curl: no libcurl'
elif (eval "${command#build/}") 2>&1 | cmp -s - "build/played.$$"; then echo 'ok chat_curl plays a recording as README says'
else echo 'not ok chat_curl plays a recording as README says'; fi
rm -f "build/played.$$"

printf '{"path":"a.rs","patterns":[{"old":"x"' | elelem-json >build/json.out 2>&1
if block '' 3 | sed 1d | cmp -s - build/json.out; then echo 'ok README shows what elelem-json prints'
else echo 'not ok README shows what elelem-json prints'; fi
