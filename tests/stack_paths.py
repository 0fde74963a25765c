#!/usr/bin/env python3
"""tests/stack_paths.py HEADER CALLS.ci [--path FUNCTION]

The deepest stack of each public function, from the call graph of the compiler (gcc -fcallgraph-info=su, of a file that has only
the implementation): "BYTES FUNCTION", the deepest first; with --path each function of that path and its own bytes. The C library's
functions, the caller's allocator, sinks and shapes are not in it.

What a call through a pointer may reach is said in SITES, by the text of its line; a line that is not there is an error, and so are
a function that calls itself in any way, through pointers too, and a stack whose size is not known when it is compiled.

Which sinks a writer may have is followed along each path: those of the caller (a buffer, a span, or a function of his own), and those
that a function of the path makes. A sink never writes to one of its own kind.
"""
import re
import sys

SHAPES = "(chat|responses|messages|gemini|interactions)"
SITES = [  # the text of a line, and what is called there: names, @TABLE for all functions named in one, SINK
    ("->frame(c)", f"els_{SHAPES}_frame"),
    ("->passes(c", f"els_{SHAPES}_passes"),
    ("->lists->work(c", f"els_{SHAPES}_work"),
    ("event->handle(c)", "@els_messages_events"),
    ("event->work(c, event->which", "@els_responses_events"),
    ("event->work(c);", "@els_interactions_events"),
    ("els_interactions_deltas[i].work(c", "@els_interactions_deltas"),
    ("asking->write(ask)", "@els_asking_of"),
    ("put(ask, &ask->request->tools[i])", r"els_ask_\w+_put_tool"),
    ("name(i)", "els_part_name|elelem_item_state_name|elelem_finish_reason_name|elelem_error_kind_name"),
    ("allocator->resize(", "els_arena_resize"),
    ("sink->write(", "SINK"),
    ("els_sink.write(", "SINK"),
]
CALLERS = {"els_buffer_write", "els_span_write"}  # sinks that a caller may give
MAKERS = [(r"\bels_line_sink\(", "els_line_write"), (r"\bels_collector_writer\(", "els_collector_write"),
          (r"\.write = (els_\w+);", None)]


def base(title):
    return re.sub(r"\.(constprop|isra|part|cold|lto_priv).*", "", re.sub(r".*:", "", title))


def read_source(path):
    """(lines, function of each line, function or table -> its text)"""
    lines = open(path).read().split("\n")
    owner, text, name = [""] * (len(lines) + 1), {}, ""
    for number, line in enumerate(lines, 1):
        if line and not line[0].isspace() and line[0] not in "#/*{}":
            found = re.match(r"^[\w *]*?(\w+)(\(|(\[\w*\])* = \{)", line)
            name = found.group(1) if found else ""
        owner[number] = name
        if name:
            text[name] = text.get(name, "") + line + "\n"
        if line.startswith("}"):
            name = ""
    return lines, owner, text


class Graph:
    def __init__(self, header, calls):
        self.lines, self.owner, self.text = read_source(header)
        self.own, self.calls, self.errors, self.memo, self.after = {}, {}, [], {}, {}
        edges = []
        for line in open(calls):
            if line.startswith("node:"):
                self.read_node(line)
            elif line.startswith("edge:"):
                found = re.match(r'edge: \{ sourcename: "(.*?)" targetname: "(.*?)"(?: label: ".*?:(\d+):\d+")?', line).groups()
                edges.append((found[0], found[1], found[2] or 0))
        for source, target, number in edges:
            self.calls.setdefault(source, []).append((target, int(number)))
        self.titles = {}
        for title in self.own:
            self.titles.setdefault(base(title), []).append(title)
        self.makes = {title: self.sinks_made(title) for title in self.own}

    def read_node(self, line):
        title = re.search(r'title: "(.*?)"', line).group(1)
        size = re.search(r"(\d+) bytes \((.*?)\)", line)
        if not size:
            return
        self.own[title] = int(size.group(1))
        if size.group(2) == "dynamic":
            self.errors.append(f"the stack of {base(title)} has no size that is known")

    def sinks_made(self, title):
        """The sinks that a function makes, or one that was put into it."""
        made = set()
        for name in {base(title)} | {self.owner[number] for _, number in self.calls.get(title, [])}:
            for pattern, sink in MAKERS:
                for found in re.finditer(pattern, self.text.get(name, "")):
                    made.add(sink or found.group(1))
        return frozenset(made)

    def targets(self, number, sinks):
        line = self.lines[number - 1]
        for text, what in SITES:
            if text not in line:
                continue
            if what == "SINK":
                names = sinks
            elif what.startswith("@"):
                names = set(re.findall(r"\bels_\w+", self.text.get(what[1:], ""))) - {what[1:]}
            else:
                names = {name for name in self.titles if re.fullmatch(what, name)}
            found = [title for name in names for title in self.titles.get(name, [])]
            if not found and what != "SINK" and what != "els_arena_resize":
                self.errors.append(f"nothing is known that is called here: {line.strip()}")
            return found
        self.errors.append(f"a call through a pointer that SITES does not have: {line.strip()}")
        return []

    def walk(self, title, sinks, path):
        sinks = (sinks | self.makes[title]) - {base(title)}
        key = (title, sinks)
        if key in path:
            names = [base(t) for t, _ in path[path.index(key):]]
            self.errors.append("calls itself: " + " > ".join(names + [base(title)]))
            return 0
        if key in self.memo:
            return self.memo[key]
        best, after = 0, None
        for target, number in self.calls.get(title, []):
            for to in self.targets(number, sinks) if target == "__indirect_call" else [target]:
                if to not in self.own:
                    continue
                deep = self.walk(to, sinks, path + [key])
                if deep > best:
                    best, after = deep, to
        self.memo[key], self.after[key] = self.own[title] + best, after
        return self.memo[key]

    def show(self, title):
        sinks = frozenset(CALLERS)
        while title:
            sinks = (sinks | self.makes[title]) - {base(title)}
            print(f"{self.memo[title, sinks]:6} {self.own[title]:5} {base(title)}")
            title = self.after[title, sinks]


def main(header, calls, *options):
    graph = Graph(header, calls)
    public = sorted(t for t in graph.own if re.fullmatch(r"elelem_\w+", t))
    deepest = sorted(((graph.walk(t, frozenset(CALLERS), []), t) for t in public), reverse=True)
    if options:
        graph.show(options[1])
    else:
        for size, title in deepest:
            print(size, title)
    for error in sorted(set(graph.errors)):
        print("error:", error)
    return 1 if graph.errors or not public else 0


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    sys.exit(main(*sys.argv[1:]))
