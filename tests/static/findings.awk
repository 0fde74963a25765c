# awk -v used=FILE -f findings.awk known.txt LOG: prints what a tool found and is not known, each with its line; the exit status
# is 1 if there is any. What is known and was found is added to FILE.
function line_of(file, number,    text, n) {
    while (n < number && (getline text < file) > 0) n++
    close(file)
    return text
}
FNR == NR {
    if (!/^#/ && split($0, field, "|") >= 3) { id[++count] = field[1]; text[count] = field[2] }
    next
}
/^[^ ]+:[0-9]+:.*(warning|error|style|performance|portability): .*\[[A-Za-z0-9.,=-]+\]$/ {
    split($0, place, ":")
    source = line_of(place[1], place[2])
    for (i = 1; i <= count; i++)
        if (index($0, "[" id[i] "]") && index(source, text[i])) { print id[i] "|" text[i] >>used; next }
    print
    print "    " source
    bad = 1
}
END { exit bad }
