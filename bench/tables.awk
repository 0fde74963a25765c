# cat bench/results.csv bench/counts.csv | awk -v table=NAME -f bench/tables.awk - bench/goals.csv
#
# Prints one table of the results, as Markdown:
#     rates         MB/s of the library by document and size of the pushes
#     peer:NAME     how many times as fast the library is as that parser
#     whole         MB/s of all parsers, documents in one piece
#     short         what README shows of these three
#     streams       a provider's bytes to events
#     prefix        parsing all that came so far again
#     counts        instructions a byte of all
#     goals         goals, measured ratios, met or not
#     notes         the comments of the file

# Fields of a line of CSV; returns how many. Only texts with a comma are in quotes.
function fields_of(line,    n, field) {
    n = 0
    while (line != "") {
        if (substr(line, 1, 1) == "\"") {
            field = substr(line, 2, index(substr(line, 2), "\"") - 1)
            line = substr(line, length(field) + 4)
        } else {
            field = line
            sub(/,.*/, "", field)
            line = substr(line, length(field) + 2)
        }
        f[++n] = field
    }
    return n
}

function remember(list, name) {
    if (!((list, name) in seen)) {
        seen[list, name] = 1
        names[list, ++count[list]] = name
    }
}

function figure(race, text, piece, who) {
    return (race, text, piece, who) in figures ? figures[race, text, piece, who] : ""
}

# Rates without digits that mean nothing, and ratios.
function rate(x) {
    return x == "" ? "" : sprintf(x < 10 ? "%.1f" : "%.0f", x)
}
function rounded(x) {
    return x == "" ? "" : sprintf("%.1f", x)
}
function ratio(race, text, piece, who) {
    return (race, text, piece, who) in ratios ? sprintf("%.2f", ratios[race, text, piece, who]) : ""
}

function piece_title(piece) {
    if (piece == "whole") return piece
    return piece + 0 >= 1024 ? piece / 1024 " KB" : piece " B"
}

function rule(columns,    i, line) {
    line = "| --- |"
    for (i = 1; i < columns; i++)
        line = line " ---: |"
    print line
}

function by_pieces(title, race, who, is_ratio,    t, p, line, cells, text) {
    line = "| " title " |"
    for (p = 1; p <= count["pieces"]; p++)
        line = line " " piece_title(names["pieces", p]) " |"
    print line
    rule(count["pieces"] + 1)
    for (t = 1; t <= count["texts"]; t++) {
        text = names["texts", t]
        line = cells = ""
        for (p = 1; p <= count["pieces"]; p++) {
            c = is_ratio ? ratio(race, text, names["pieces", p], who) : rate(figure(race, text, names["pieces", p], who))
            cells = cells c
            line = line " " c " |"
        }
        if (cells != "") print "| " text " |" line
    }
}

function all_whole(    t, w, line) {
    line = "| |"
    for (w = 1; w <= count["parsers"]; w++)
        line = line " " names["parsers", w] " |"
    print line
    rule(count["parsers"] + 1)
    for (t = 1; t <= count["texts"]; t++) {
        line = "| " names["texts", t] " |"
        for (w = 1; w <= count["parsers"]; w++)
            line = line " " rate(figure("parse", names["texts", t], "whole", names["parsers", w])) " |"
        print line
    }
}

function short_table(    t, text) {
    print "| | 16-byte pushes: MB/s | × Boost.JSON | × lejp | whole: MB/s | × Boost.JSON | × RapidJSON | × simdjson |"
    rule(8)
    for (t = 1; t <= count["texts"]; t++) {
        text = names["texts", t]
        print "| " text " | " rate(figure("parse", text, "16", "elelem")) " | " ratio("parse", text, "16", "Boost.JSON") " | " \
            ratio("parse", text, "16", "lejp") " | " rate(figure("parse", text, "whole", "elelem")) " | " \
            ratio("parse", text, "whole", "Boost.JSON") " | " ratio("parse", text, "whole", "RapidJSON") " | " \
            ratio("parse", text, "whole", "simdjson") " |"
    }
}

function stream_table(    s, p, shape, piece) {
    print "| | pushes | MB/s | without provider items | × RapidJSON by hand | × simdjson by hand |"
    print "| --- | ---: | ---: | ---: | ---: | ---: |"
    for (s = 1; s <= count["shapes"]; s++)
        for (p = 1; p <= count["stream pieces"]; p++) {
            shape = names["shapes", s]
            piece = names["stream pieces", p]
            print "| " shape " | " piece_title(piece) " | " rate(figure("stream", shape, piece, "elelem")) " | " \
                rate(figure("stream", shape, piece, "elelem without provider items")) " | " \
                ratio("stream", shape, piece, "RapidJSON by hand") " | " ratio("stream", shape, piece, "simdjson by hand") " |"
        }
}

function count_table(    i, w, line, key) {
    line = "| | pushes |"
    for (w = 1; w <= count["counted"]; w++)
        line = line " " names["counted", w] " |"
    print line
    rule(count["counted"] + 2)
    for (i = 1; i <= count["counts"]; i++) {
        split(names["counts", i], key, SUBSEP)
        line = "| " key[1] " | " piece_title(key[2]) " |"
        for (w = 1; w <= count["counted"]; w++)
            line = line " " rounded(figure("count", key[1], key[2], names["counted", w])) " |"
        print line
    }
}

function milliseconds(bytes, mb) {
    if (mb == "") return ""
    return sprintf(bytes / mb / 1000 < 1 ? "%.2f" : bytes / mb / 1000 < 10 ? "%.1f" : "%.0f", bytes / mb / 1000)
}

function prefix_table(    b, w, bytes, line) {
    line = "| arguments |"
    for (w = 1; w <= count["prefixes"]; w++)
        line = line " " names["prefixes", w] " |"
    print line
    rule(count["prefixes"] + 1)
    for (b = 1; b <= count["sizes"]; b++) {
        bytes = names["sizes", b]
        line = sprintf("| %.1f KB |", bytes / 1000)
        for (w = 1; w <= count["prefixes"]; w++)
            line = line " " milliseconds(bytes, figure("prefix", bytes, "8", names["prefixes", w])) " |"
        print line
    }
}

# One goal: what was measured for it, from the smallest to the largest, and how many of the rows meet the bound.
function goal(    n, m, t, p, texts, pieces, x, sign, bound, met, all, low, high, form) {
    sign = substr(f[6], 1, 2)
    bound = substr(f[6], 4) + 0
    n = split(f[3], texts, ";")
    m = split(f[4], pieces, ";")
    if (m == 0) pieces[m = 1] = ""
    met = all = 0
    for (t = 1; t <= n; t++)
        for (p = 1; p <= m; p++) {
            x = f[2] ~ /instructions|memory|allocations/ ? figure(f[2], texts[t], pieces[p], f[5]) \
                : f[2] == "size" ? size_ratio : ratio(f[2], texts[t], pieces[p], f[5])
            if (x == "") continue
            x += 0
            if (all++ == 0) low = high = x
            if (x < low) low = x
            if (x > high) high = x
            if (sign == ">=" ? x >= bound : x <= bound) met++
        }
    form = f[2] == "instructions" ? "%.1f" : f[2] ~ /memory|allocations/ ? "%d" : "%.2f"
    x = all == 0 ? "" : low == high ? sprintf(form, low) : sprintf(form " to " form, low, high)
    print "| " f[1] " | " (f[2] ~ /parse|stream/ ? "× " f[5] : "") " | " (sign == ">=" ? "at least " : "at most ") bound " | " x " | " \
        (all == 0 ? "not measured" : met == all ? "met" : met == 0 ? "**not met**" : "**not met**: " met " of " all) " |"
}

/^#/ {
    if (NR == FNR && table == "notes") print "- " substr($0, 3)
    next
}
NR == FNR {
    n = fields_of($0)
    if (f[1] == "race") next
    key = f[1] == "prefix" || f[1] == "size" ? f[3] : f[2]
    figures[f[1], key, f[4], f[5]] = f[1] ~ /memory|allocations/ ? f[3] : f[6]
    ratios[f[1], key, f[4], f[5]] = f[7]
    if (f[1] == "parse") {
        remember("texts", f[2])
        remember("pieces", f[4])
        if (f[4] == "whole") remember("parsers", f[5])
    } else if (f[1] == "stream") {
        remember("shapes", f[2])
        remember("stream pieces", f[4])
    } else if (f[1] == "prefix") {
        remember("sizes", f[3])
        remember("prefixes", f[5])
    } else if (f[1] == "count") {
        remember("counts", f[2] SUBSEP f[4])
        sub(/ by hand$/, "", f[5])
        figures["count", f[2], f[4], f[5]] = f[6]
        remember("counted", f[5])
    } else if (f[1] == "size") {
        size_ratio = f[7] # of the largest, which is last
    }
    next
}
table == "goals" {
    fields_of($0)
    if (f[1] == "goal") {
        print "| | compared with | goal | measured | |"
        print "| --- | --- | --- | --- | --- |"
    } else {
        goal()
    }
}
END {
    if (table == "rates") by_pieces("MB/s", "parse", "elelem", 0)
    else if (table ~ /^peer:/) by_pieces("× " substr(table, 6), "parse", substr(table, 6), 1)
    else if (table == "whole") all_whole()
    else if (table == "short") short_table()
    else if (table == "streams") stream_table()
    else if (table == "prefix") prefix_table()
    else if (table == "counts") count_table()
}
