# docs/reference.awk: the declarations of elelem_stream.h with their comments as Doxygen reads them: what precedes a
# declaration, what follows a member on its line, and each room as a group. Private names are left out.

# Words that Doxygen would take for commands or markup; `code`; names of files.
function plain(text,   out, at) {
    gsub(/[\\@<>&#%"]/, "\\\\&", text)
    for (out = ""; match(text, /`[^`]+`/); text = substr(text, RSTART + RLENGTH)) {
        at = substr(text, RSTART + 1, RLENGTH - 2)
        out = out substr(text, 1, RSTART - 1) "<code>" at "</code>"
    }
    return out text
}

# A comment's line: indented lines of a banner are examples.
function line_of(text,   stars) {
    if (match(text, /^ \*     /)) { text = substr(text, 8); if (!example) { example = 1; return " * @verbatim\n" text }; return text }
    if (example && text ~ /^ \*$/) return ""
    if (example) { example = 0; return "@endverbatim\n" plain(text) }
    return plain(text)
}

function close_group() { if (group != "") print "/** @} */"; group = "" }

/^#if(n)?def ELELEM_STREAM_IMPLEMENTATION|^#if defined\(ELELEM_STREAM_IMPLEMENTATION\)/ { close_group(); exit }
NR <= 3 { next }

# The opening comment is the main page.
/^\/\*/ && !opened {
    opened = inside = 1
    print "/** @mainpage elelem_stream.h\n"
    print plain(substr($0, 3))
    next
}

# A room.
/^\/\* >> / {
    close_group()
    group = substr($0, 7)
    sub(/ *\*\/$/, "", group)
    id = group
    gsub(/[^a-z_]/, "_", id)
    print "/** @defgroup " id " " group
    inside = 1
    banner = 1
    if ($0 ~ /\*\/$/) { print " @{ */"; inside = banner = 0 }
    next
}

inside {
    text = $0
    if (text ~ /\*\/[ \\]*$/) {
        sub(/ *\*\/[ \\]*$/, "", text)
        text = line_of(text)
        if (example) { example = 0; text = text "\n@endverbatim" }
        print text (banner ? "\n @{ */" : " */")
        inside = banner = 0
    } else if (!hidden) print line_of(text)
    if (!inside) hidden = 0
    next
}

# Private members and what is said of them.
/^    [a-z_0-9 ]*[ *]els_[a-z_0-9]*(\[[^]]*\])?;/ { if ($0 ~ /\/\*/ && $0 !~ /\*\//) skip = 1; next }
skip { if ($0 ~ /\*\//) skip = 0; next }

/^\/\*/ || /^    \/\*/ {
    sub(/\/\*/, "/**")
    if ($0 !~ /\*\//) { inside = 1; print plain($0); next }
    sub(/ *\*\/.*$/, "")
    print plain($0) " */"
    next
}

# After code, on its line.
/[^ ].*\/\*/ && !/\\$/ && !/^#(if|else|endif)/ {
    at = index($0, "/*")
    code = substr($0, 1, at - 1)
    rest = substr($0, at + 2)
    if (rest !~ /\*\//) { inside = 1; print code "/**<" plain(rest); next }
    sub(/ *\*\/.*$/, "", rest)
    print code "/**<" plain(rest) " */"
    next
}
{ print }
