# awk -v all=0 -f bench/stack.awk elelem_stream.h calls.ci ...
#
# Prints the bytes of stack of the longest path from main through a call graph (gcc's -fcallgraph-info=su), without main's own;
# with all=1, each function of that path and its own bytes.
#
# Calls through pointers are not in such a graph, only the line with the call is. What is called there is known by the name of
# the pointer; the allocator is the caller's. A pointer that is not known is an error. The sink of a writer is a buffer, unless
# a function of the path makes another.

function name(text) { sub(/.*:/, "", text); sub(/\.(constprop|isra|part|cold|lto_priv).*/, "", text); return text }
function quoted(line, key) { match(line, key ": \"[^\"]*\""); return substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 4) }

BEGIN {
    target["->frame("] = "^els_(chat|responses|messages|gemini|interactions)_frame$"
    target["->passes("] = "^els_(chat|responses|messages|gemini|interactions)_passes$"
    target["->lists->work("] = "^els_(chat|responses|messages|gemini|interactions)_work$"
    target["els_sink.write("] = "sink"
    target["event->handle("] = "els_messages_events"
    target["event->work(c, event->which"] = "els_responses_events"
    target["event->work(c);"] = "els_interactions_events"
    target["els_interactions_deltas[i].work("] = "els_interactions_deltas"
    target["allocator->"] = "^$"
}

# The header: tables of functions, and the lines with the calls.
FNR == NR { line[FNR] = $0 }
FNR == NR && /^static const .*_(events|deltas)\[\] = \{/ { table = $4; sub(/\[\]/, "", table) }
FNR == NR && /^};/ { table = "" }
FNR == NR && table && match($0, /, els_[a-z_]+/) { target_in[table] = target_in[table] "|" substr($0, RSTART + 2, RLENGTH - 2) }

/^node:/ {
    title = quoted($0, "title")
    if (match($0, /[0-9]+ bytes/)) own[title] = substr($0, RSTART, RLENGTH) + 0
    known[title] = name(title)
}

/^edge:/ {
    from = quoted($0, "sourcename")
    to = quoted($0, "targetname")
    if (to != "__indirect_call") calls[from, ++degree[from]] = to
    else { place = quoted($0, "label"); sub(/^[^:]*:/, "", place); indirect[++indirects] = from; at[indirects] = place + 0 }
}

function pattern_at(text,    member, pattern) {
    for (member in target)
        if (index(text, member)) {
            pattern = target[member]
            return pattern in target_in ? "^(" substr(target_in[pattern], 2) ")$" : pattern
        }
    return ""
}

function sink_after(t, sink) {
    if (known[t] ~ /^els_chat_(audio|keep)/) return "els_chat_keep_bytes"
    return known[t] == "elelem_shape_hash_member" ? "els_shape_hash_bytes" : sink
}

function follow(i,    pattern, t) {
    pattern = pattern_at(line[at[i]])
    if (pattern == "") { print "a call through a pointer that bench/stack.awk does not know: " line[at[i]]; failed = 1 }
    else if (pattern == "sink") calls[indirect[i], ++degree[indirect[i]]] = "sink"
    else for (t in known) if (known[t] ~ pattern) calls[indirect[i], ++degree[indirect[i]]] = t
}

# Returns the bytes from this function on, below which writers have this sink.
function walk(t, sink,    i, d, best, to) {
    sink = sink_after(t, sink)
    if ((t, sink) in deep) return deep[t, sink]
    best = deep[t, sink] = 0
    for (i = 1; i <= degree[t]; i++) {
        to = calls[t, i] == "sink" ? title_of[sink] : calls[t, i]
        if (to != "" && (d = walk(to, sink)) > best) { best = d; after[t, sink] = to }
    }
    return deep[t, sink] = own[t] + best
}

END {
    for (i = 1; i <= indirects; i++) follow(i)
    for (t in known) title_of[known[t]] = t
    main = title_of["main"]
    print walk(main, "els_buffer_write") - own[main]
    sink = "els_buffer_write"
    for (t = after[main, sink]; all && t; t = after[t, sink]) {
        sink = sink_after(t, sink)
        printf "%6d %5d %s\n", deep[t, sink], own[t], known[t]
    }
    exit failed
}
