#!/bin/sh
# tests/check_language.sh [FILE...]
#
# Counts words that plain technical English does without, in comments, Markdown and names of
# tests. tests/language.txt has the words, what to write instead, and how many of each the tree
# may have. Prints the counts and the files, and fails if there are more. With FILE, prints
# each line of these files that has such a word.
set -u
words=tests/language.txt
[ $# -gt 0 ] && lines=1 || lines=0
[ $# -gt 0 ] || set -- README.md CHANGELOG.md docs/*.md parts/README.md parts/*.h parts/*.c parts/*.in parts/*.sh \
    parts/*.awk tests/*.c tests/*.h tests/*.sh tests/*.awk tests/property/*.cpp tests/property/*.h fuzz/*.c fuzz/*.cpp \
    fuzz/*.h fuzz/*.sh bench/*.c bench/*.cpp bench/*.h bench/*.sh examples/*.c Makefile .ci/run
for file; do
    shift
    [ ! -f "$file" ] || set -- "$@" "$file"
done

LC_ALL=C awk -f tests/prose.awk "$@" | LC_ALL=C awk -F '\t' -v lines=$lines '
    # Words in lower case, each with a space before and after it.
    function plain(text) {
        text = tolower(text)
        gsub(/[^a-z,]+/, " ", text)
        gsub(/,/, " , ", text)
        gsub(/ +/, " ", text)
        return " " text " "
    }
    function matches(text, pattern,    n) {
        if (pattern == "") return 0
        for (n = 0; match(text, " " pattern " "); n++)
            text = substr(text, RSTART + RLENGTH - 1)
        return n
    }
    function marked(text, i) {
        return matches(text, pattern[i]) - matches(text, exception[i])
    }
    FNR == NR {
        if ($0 ~ /^#/) next
        n++
        limit[n] = $1
        name[n] = $2
        pattern[n] = $3
        instead[n] = $4
        exception[n] = $5
        next
    }
    {
        before = plain($2)
        text = plain($2 " " $3)
        file = $1
        sub(/:.*/, "", file)
        found = ""
        for (i = 1; i <= n; i++) {
            if ((m = marked(text, i) - marked(before, i)) <= 0) continue
            found = found " [" name[i] "]"
            count[i] += m
            sum[file] += m
            share[file, i] += m
        }
        if (lines && found != "") {
            sub(/^[ \t]*/, "", $3)
            print $1 ":" found " " $3
        }
    }
    END {
        if (lines) exit
        for (file in sum) {
            printf "%5d  %s:", sum[file], file | "sort -k1,1nr -k2"
            for (i = 1; i <= n; i++)
                if (share[file, i]) printf " %s %d,", name[i], share[file, i] | "sort -k1,1nr -k2"
            print "" | "sort -k1,1nr -k2"
        }
        close("sort -k1,1nr -k2")
        for (i = 1; i <= n; i++) {
            printf "%-26s %4d of at most %4d; write: %s\n", name[i], count[i], limit[i], instead[i]
            if (count[i] + 0 > limit[i] + 0) bad = bad " " name[i] ";"
        }
        if (bad != "") print "check-language: too many of:" bad
        exit bad != ""
    }' $words -
