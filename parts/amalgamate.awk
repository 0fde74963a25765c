# awk -f parts/amalgamate.awk parts/elelem_stream.h.in >elelem_stream.h
#
# A line "@part sse.h" of the template becomes that file without its guard and its
# includes of other parts. Blank lines left side by side become one; all else stays.
function put(line) {
    if (line != "" || before != "") print line
    before = line
}
function paste(part,    line, held, lines) {
    while ((getline line < part) > 0) {
        if (line ~ /^#include "/ || line ~ /^#(ifndef|define) (ELELEM|ELS)_[A-Z0-9_]+_[HC]$/) continue
        if (lines++) put(held)
        held = line # the last one closes the guard and is never put
    }
    if (!lines) missing = missing " " part
    close(part)
}
$1 == "@part" { paste("parts/" $2); next }
{ put($0) }
END { if (missing) print "left out, for they are not there:" missing | "cat >&2" }
