# awk -f uses.awk FILE...: parts in the order of the template, headers before functions, as
# "parts/room.h" and "parts/room.c". Prints for each room the other rooms that own a name it
# uses: "room: base, text".
#
# A name belongs to the room that defines it first: on a line that is not indented, as a macro,
# or as a constant of an enum. Names of members are no uses, and neither are comments and strings.

function room_of(file) {
    sub(/^.*\//, "", file)
    sub(/\.[hc]$/, "", file)
    return file
}

# The line without comments, strings and characters.
function code_of(line,    code, at) {
    code = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            in_comment = !at
            line = at ? substr(line, at + 2) : ""
        } else if (line ~ /^\/\*/) {
            in_comment = 1
            line = substr(line, 3)
        } else if (match(line, /^"([^"\\]|\\.)*"/) || match(line, /^'([^'\\]|\\.)*'/)) {
            line = substr(line, RLENGTH + 1)
        } else {
            match(line, /^.[^"'\/]*/)
            code = code substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        }
    }
    return code
}

FNR == 1 {
    in_comment = 0
    room = room_of(FILENAME)
    if (!(room in place)) {
        place[room] = ++rooms
        name_of[rooms] = room
    }
}
/^#include/ { next }
{
    line = code = code_of($0)
    if (code ~ /^(typedef )?(struct|union)[^;]*\{/) body = "struct"
    if (code ~ /^(typedef )?enum[^;]*\{/) body = "enum"
    if (code ~ /^}/) body = ""
    gsub(/(->|\.) *(els|elelem)_[a-z0-9_]*/, "", code)
    if (body == "struct") gsub(/(els|elelem)_[a-z0-9_]* *([;,:[]|\)\()/, "", code)
    defines = code !~ /^[ \t}]/ || code ~ /^} *(els|elelem)_/
    while (match(code, /(els|elelem|ELS|ELELEM)_[A-Za-z0-9_]+/)) {
        word = substr(code, RSTART, RLENGTH)
        start = substr(code, 1, RSTART - 1)
        code = substr(code, RSTART + RLENGTH)
        if (start ~ /[A-Za-z0-9_]$/) continue
        if (word ~ /^EL/ ? body == "enum" || start ~ /^#define $/ : defines && start !~ /^#/)
            if (!(word in owner)) owner[word] = room
        used[room, word] = 1
    }
    if (line ~ /}/ && body == "enum") body = ""
}
END {
    for (pair in used) {
        split(pair, part, SUBSEP)
        if ((part[2] in owner) && owner[part[2]] != part[1]) {
            uses[part[1], owner[part[2]]] = 1
            example[part[1], owner[part[2]]] = part[2]
        }
    }
    for (i = 1; i <= rooms; i++) {
        list = ""
        for (j = 1; j <= rooms; j++)
            if ((name_of[i], name_of[j]) in uses)
                list = list (list == "" ? "" : ", ") (show ? name_of[j] " (" example[name_of[i], name_of[j]] ")" : name_of[j])
        print name_of[i] ":" (list == "" ? "" : " " list)
    }
}
