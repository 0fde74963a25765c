# awk -f bench/chart.awk bench/results.csv >bench/results.svg
#
# Four pictures in one: parsers at 16-byte pushes and at whole documents, streams at 1 KB, and the cost of parsing all that
# came so far again. Scales are logarithmic. Each contestant has a colour and a form.

function log10(x) {
    return log(x) / log(10)
}

function remember(list, name) {
    if (!((list, name) in seen)) {
        seen[list, name] = 1
        names[list, ++count[list]] = name
    }
}

function words(class, x, y, anchor, text) {
    printf "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", class, x, y, anchor, text
}

function line(class, x1, y1, x2, y2) {
    printf "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1, x2, y2
}

# The form of a contestant around a point.
function mark(who, x, y,    k) {
    k = kind[who]
    if (k == "") return
    if (k == "elelem") printf "<circle class=\"fill elelem\" cx=\"%.1f\" cy=\"%.1f\" r=\"5.5\"/>\n", x, y
    else if (k == "boost") printf "<rect class=\"fill boost\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"/>\n", x - 4, y - 4
    else if (k == "lejp") printf "<path class=\"fill lejp\" d=\"M%.1f %.1fh10l-5 8.5z\"/>\n", x - 5, y - 4
    else if (k == "yajl") printf "<path class=\"fill yajl\" d=\"M%.1f %.1fh10l-5 -8.5z\"/>\n", x - 5, y + 4
    else if (k == "jsonc") printf "<path class=\"fill jsonc\" d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\"/>\n", x, y - 5
    else if (k == "rapid") printf "<path class=\"stroke rapid\" d=\"M%.1f %.1fl8 8m0 -8l-8 8\"/>\n", x - 4, y - 4
    else if (k == "simd") printf "<circle class=\"stroke simd\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.2\"/>\n", x, y
    else if (k == "again") printf "<path class=\"stroke elelem\" d=\"M%.1f %.1fh9m-4.5 -4.5v9\"/>\n", x - 4.5, y
}

# Contestants in a row, each with its name or, after a colon, with another text.
function legend(x, y, list,    i, n, who, at, text) {
    n = split(list, who, ";")
    at = x
    for (i = 1; i <= n; i++) {
        text = who[i]
        sub(/:.*/, "", who[i])
        sub(/.*:/, "", text)
        mark(who[i], at, y)
        words("small", at + 10, y + 4, "start", text)
        at += 28 + 7.2 * length(text)
    }
}

# Rows of a text each; on each the contestants at their MB/s.
function rows(title, race, list, piece, x, y, width, low, high,    i, p, w, text, at, left, n) {
    left = x + 128
    words("title", x, y, "start", title)
    y += 16
    n = count[list]
    for (p = low; p <= high; p *= 10) {
        at = left + (width - 128) * (log10(p) - log10(low)) / (log10(high) - log10(low))
        line("grid", at, y, at, y + n * 22 + 4)
        words("small", at, y + n * 22 + 18, "middle", p >= 1000 ? p / 1000 " GB/s" : p " MB/s")
    }
    for (i = 1; i <= n; i++) {
        text = names[list, i]
        words("label", left - 12, y + i * 22 - 6, "end", text)
        line("row", left, y + i * 22 - 10, x + width, y + i * 22 - 10)
        for (w = count["who"]; w >= 1; w--)
            if ((race, text, piece, names["who", w]) in figures) {
                at = figures[race, text, piece, names["who", w]]
                at = left + (width - 128) * (log10(at) - log10(low)) / (log10(high) - log10(low))
                mark(names["who", w], at, y + i * 22 - 10)
            }
    }
}

function curve_x(bytes) { return plot_x + plot_width * (log10(bytes) - 3) / (log10(200000) - 3) }
function curve_y(ms) { return plot_y + plot_height * (4 - log10(ms)) / 6.5 }

# Milliseconds for a whole document, by its size.
function curves(title, x, y, width, height,    i, w, p, bytes, who, path, ms, end) {
    plot_x = x + 62
    plot_y = y + 16
    plot_width = width - 70
    plot_height = height - 16
    words("title", x, y, "start", title)
    for (p = 0.01; p < 20000; p *= 10) {
        line("grid", plot_x, curve_y(p), plot_x + plot_width, curve_y(p))
        words("small", plot_x - 8, curve_y(p) + 4, "end", p >= 1000 ? p / 1000 " s" : p " ms")
    }
    for (p = 1000; p < 200000; p *= 10) {
        line("grid", curve_x(p), plot_y, curve_x(p), plot_y + plot_height)
        words("small", curve_x(p), plot_y + plot_height + 16, "middle", p / 1000 " KB")
    }
    for (w = 1; w <= count["who"]; w++) {
        who = names["who", w]
        path = ""
        for (i = 1; i <= count["sizes"]; i++) {
            bytes = names["sizes", i]
            if (!(("prefix", bytes, 8, who) in figures)) continue
            ms = bytes / figures["prefix", bytes, 8, who] / 1000
            path = path (path == "" ? "M" : "L") sprintf("%.1f %.1f", curve_x(bytes), curve_y(ms))
        }
        if (path == "") continue
        printf "<path class=\"curve %s\" d=\"%s\"/>\n", kind[who] == "again" ? "elelem dashed" : kind[who], path
        for (i = 1; i <= count["sizes"]; i++) {
            bytes = names["sizes", i]
            if (("prefix", bytes, 8, who) in figures) mark(who, curve_x(bytes), curve_y(bytes / figures["prefix", bytes, 8, who] / 1000))
        }
    }
}

function style(    i, n, k, light, dark) {
    n = split("elelem boost lejp yajl jsonc rapid simd", k, " ")
    split("#d1242f #0969da #8250df #9a6700 #1a7f37 #57606a #0d7d8c", light, " ")
    split("#ff6b6b #6cb6ff #c297ff #e0b13f #57c873 #b0b8c1 #4fd0e0", dark, " ")
    print "<style>"
    print "text { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2328 }"
    print ".title { font-size: 14px; font-weight: 600 } .label { font-size: 12.5px } .small { font-size: 11px; fill: #57606a }"
    print ".back { fill: #ffffff } .grid { stroke: #d8dee4; stroke-width: 1 } .row { stroke: #eaeef2; stroke-width: 1 }"
    print ".curve { fill: none; stroke-width: 2 } .stroke { fill: none; stroke-width: 2 } .dashed { stroke-dasharray: 5 4 }"
    for (i = 1; i <= n; i++)
        print ".fill." k[i] " { fill: " light[i] " } .stroke." k[i] ", .curve." k[i] " { stroke: " light[i] " }"
    print "@media (prefers-color-scheme: dark) {"
    print "text { fill: #e6edf3 } .small { fill: #9da7b1 } .back { fill: #0d1117 } .grid { stroke: #30363d } .row { stroke: #21262d }"
    for (i = 1; i <= n; i++)
        print ".fill." k[i] " { fill: " dark[i] " } .stroke." k[i] ", .curve." k[i] " { stroke: " dark[i] " }"
    print "}"
    print "</style>"
}

BEGIN {
    FS = ","
    kind["elelem"] = "elelem"
    kind["Boost.JSON"] = "boost"
    kind["lejp"] = "lejp"
    kind["yajl"] = "yajl"
    kind["json-c"] = "jsonc"
    kind["RapidJSON"] = kind["RapidJSON by hand"] = kind["RapidJSON again"] = "rapid"
    kind["simdjson"] = kind["simdjson by hand"] = kind["simdjson again"] = "simd"
    kind["elelem_json_read again"] = "again"
}
/^#/ || $1 == "race" { next }
$1 == "prefix" {
    figures["prefix", $3, $4, $5] = $6
    remember("sizes", $3)
    remember("who", $5)
}
$1 == "parse" || $1 == "stream" {
    figures[$1, $2, $4, $5] = $6
    remember($1, $2)
    remember("who", $5)
}
END {
    upper = count["parse"] * 22
    lower = 84 + upper + 44
    height = lower + 272
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 %d\" width=\"880\" height=\"%d\" role=\"img\">\n", height, height
    print "<title>elelem_stream.h and other JSON parsers: megabytes a second, and the cost of parsing a prefix again</title>"
    style()
    printf "<rect class=\"back\" width=\"880\" height=\"%d\" rx=\"8\"/>\n", height
    legend(30, 28, "elelem;Boost.JSON;lejp;yajl;json-c;RapidJSON;simdjson")
    rows("JSON pushed in pieces of 16 bytes", "parse", "parse", "16", 20, 64, 410, 10, 10000)
    rows("JSON in one piece", "parse", "parse", "whole", 455, 64, 392, 10, 100000)
    rows("A provider's bytes to text and arguments", "stream", "stream", "1024", 20, lower, 410, 100, 10000)
    note = lower + 16 + count["stream"] * 22 + 40
    words("small", 20, note, "start", "In pieces of 1 KB. RapidJSON, simdjson: by hand for one provider, a frame")
    words("small", 20, note + 15, "start", "at a time, without errors, items, ids and usage.")
    curves("Arguments of one call in 8-byte deltas, time in all", 455, lower, 400, 216)
    words("small", 20, height - 72, "start", "On the right: arguments shown while they are written.")
    legend(28, height - 52, "elelem:each delta pushed once;simdjson again:all so far again by simdjson")
    legend(28, height - 32, "RapidJSON again:again by RapidJSON;elelem_json_read again:again by elelem_json_read")
    print "</svg>"
}
