# Prints the prose of the files, a line each: "FILE:LINE<tab>previous word<tab>text".
#
# Prose is comments, everything in Markdown outside code, and the names of tests. Headers of
# parts/ count whole, because their names are public. The previous word is the last one of
# the same comment, so that phrases are found across line ends.

function prose(text) {
    if (text !~ /[A-Za-z]/) return
    print FILENAME ":" FNR "\t" last "\t" text
    last = text
    sub(/[^A-Za-z]*$/, "", last)
    sub(/.*[^A-Za-z]/, "", last)
}

# C and C++: strings and characters are skipped, comments are prose.
function c_line(line,    text, at) {
    text = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            text = text (at ? substr(line, 1, at - 1) : line) " "
            line = at ? substr(line, at + 2) : ""
            in_comment = !at
        } else if (match(line, /^\/\*/)) {
            if (text == "") last = ""
            in_comment = 1
            line = substr(line, 3)
        } else if (match(line, /^\/\//)) {
            text = text substr(line, 3)
            line = ""
        } else if (match(line, /^"([^"\\]|\\.)*"/) || match(line, /^'([^'\\]|\\.)*'/)) {
            line = substr(line, RLENGTH + 1)
        } else {
            match(line, /^.[^"'\/]*/)
            if (public) text = text substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        }
    }
    prose(text)
}

function markdown_line(line) {
    if (line ~ /^ *```/) {
        fenced = !fenced
        return
    }
    if (fenced || line ~ /^    /) return
    if (line ~ /^ *$/) last = ""
    gsub(/`[^`]*`/, "()", line)
    prose(line)
}

FNR == 1 {
    in_comment = fenced = 0
    last = ""
    public = FILENAME ~ /^parts\/.*\.h/
    kind = FILENAME ~ /\.(c|h|cpp|in)$/ ? "c" : FILENAME ~ /\.md$/ ? "markdown" : "script"
}
kind == "markdown" { markdown_line($0); next }
kind == "script" {
    if (match($0, /(^|[ \t])#/)) prose(substr($0, RSTART + RLENGTH))
    else last = ""
    next
}
/^TEST\(/ { last = ""; prose($0); next }
{ c_line($0) }
