#!/usr/bin/env python3
"""Mutants of parts/: small errors put into a room one at a time, and the unit tests that should notice.

    tests/mutants/mutate.py [-n COUNT] [--seed SEED] [--room ROOM,ROOM...] [--build FOLDER] [--only TEXT] [--list]

For each mutant a header is assembled, its functions are compiled once, and the tests of the room (tests/mutants/rooms.txt)
are linked with them and run, from the cheapest on, until one fails, crashes or takes too long: the mutant is killed. One
that passes them all survives, and is printed, unless tests/mutants/equivalent.txt says why it changes nothing. Fails if a
mutant survives that is not listed there.
"""
import argparse
import os
import random
import re
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SECONDS = 20  # of the processor, for one test; the slowest takes 6
LOW = "base text number path token fragment parser value document repeat json writer passage sse event failure tags".split()
FLAGS = "-std=c99 -O1 -g0 -w -Werror=uninitialized -Werror=maybe-uninitialized".split()

SWAPS = [
    (r"<=", ["<"]), (r">=", [">"]), (r"==", ["!="]), (r"!=", ["=="]),
    (r"(?<![-<])<(?![<=])", ["<="]), (r"(?<![->])>(?![>=])", [">="]),
    (r"&&", ["||"]), (r"\|\|", ["&&"]),
    (r"<<(?!=)", [">>"]), (r">>(?!=)", ["<<"]),
    (r"(?<= )\+(?= )", ["-"]), (r"(?<= )-(?= )", ["+"]), (r"(?<= )\*(?= )", ["+"]),
    (r"\+\+", ["--"]), (r"--", ["++"]), (r"\+=", ["-="]), (r"-=", ["+="]),
    (r"(?<= )&(?= )", ["|"]), (r"(?<= )\|(?= )", ["&"]),
]
CONSTANT = re.compile(r"(?<![\w.\"'])(0x[0-9a-fA-F]+|\d+)(?![\w.])")
STATEMENT = re.compile(r"^\s+(?!return|break|continue|case|default|goto|else|do\b|typedef|static|const|struct|union|enum|unsigned|int |size_t|uint|els_\w+ \*?\w+( =|,|;)|elelem_\w+ \*?\w+( =|,|;))[\w\*\(].*;$")


def blank(text):
    """The text with comments, strings and characters made blank, so that only code is changed."""
    keep = lambda m: re.sub(r"[^\n]", " ", m.group(0))
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", keep, text, flags=re.S)


def mutants_of(room):
    """Yields (room, line number, line, changed line)."""
    with open(f"{ROOT}/parts/{room}.c") as file:
        text = file.read()
    lines = text.split("\n")
    codes = blank(text).split("\n")
    inside = False  # a table of data
    for number, (line, code) in enumerate(zip(lines, codes)):
        if code.startswith("#"):
            continue
        if re.match(r"(static|ELS_DATA|ELELEM)?.*\] = \{$", code) or re.match(r"^(typedef )?enum|^static const .*= \{", code):
            inside = True
        if not inside and code.strip() and code.startswith(" "):
            yield from ((room, number + 1, line, changed) for changed in changes(line, code))
        if re.match(r"^\}|.*\};", code):
            inside = False


def changes(line, code):
    for pattern, others in SWAPS:
        for match in re.finditer(pattern, code):
            for other in others:
                yield line[:match.start()] + other + line[match.end():]
    for match in CONSTANT.finditer(code):
        value = int(match.group(1), 0)
        is_flag = value == 1 and re.search(r" = $", code[:match.start()]) is not None  # nonzero is all that is promised
        for other in sorted({value if is_flag else value + 1, max(value - 1, 0)} - {value}):
            yield line[:match.start()] + str(other) + line[match.end():]
    match = re.match(r"^(\s*(?:\} else )?(?:if|while) \()(.*)(\) (?:return .*;|\{|[\w\*].*;)|\))$", code)
    if match:
        condition = line[match.end(1):match.start(3)]
        yield line[:match.end(1)] + "!(" + condition + ")" + line[match.start(3):]
        if code.lstrip().startswith("if"):
            yield line[:match.end(1)] + "0" + line[match.start(3):]
    if STATEMENT.match(code) and code.count("(") == code.count(")"):
        yield re.match(r"\s*", line).group(0) + ";"
    match = re.match(r"^(\s*(?:if \(.*\) )?return )(ELELEM_ERROR_\w+)(;)$", code)
    if match:
        yield line[:match.end(1)] + "ELELEM_OK" + line[match.end(2):]


def read_table(name):
    with open(f"{HERE}/{name}") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def run(command, seconds=None, **more):
    def limit():
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    try:
        done = subprocess.run(command, preexec_fn=limit, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, **more)
    except subprocess.TimeoutExpired:
        return 124, b""
    return done.returncode, done.stdout


class Workshop:
    """Builds headers, functions and tests in a folder."""

    def __init__(self, folder, cc):
        self.folder = folder
        self.cc = cc
        self.objects = {}
        os.makedirs(folder + "/parts", exist_ok=True)

    def assemble(self, room, text, path):
        """Writes a header with the changed room. If the room is one of the low ones, with the functions of those only."""
        parts = f"{self.folder}/parts"
        for name in os.listdir(f"{ROOT}/parts"):
            if name.endswith((".c", ".h")) and not os.path.lexists(f"{parts}/{name}"):
                os.symlink(f"{ROOT}/parts/{name}", f"{parts}/{name}")
        with open(f"{ROOT}/parts/elelem_stream.h.in") as file:
            lines = file.read().split("\n")
        if room in LOW:
            lines = [line for line in lines if not re.match(r"@part (?!(%s)\.c)\w+\.c" % "|".join(LOW), line)]
        with open(f"{self.folder}/template", "w") as file:
            file.write("\n".join(lines))
        if text is not None:
            os.unlink(f"{parts}/{room}.c")
            with open(f"{parts}/{room}.c", "w") as file:
                file.write(text)
        status, out = run(["awk", "-f", f"{ROOT}/parts/amalgamate.awk", "template"], cwd=self.folder)
        if text is not None:
            os.unlink(f"{parts}/{room}.c")
        with open(path, "wb") as file:
            file.write(out)

    def own(self, test):
        """Nonzero if a test compiles its own functions: as the Makefile lists them."""
        with open(f"{ROOT}/Makefile") as file:
            return test + ".c" in re.search(r"^OWN = ((?:.*\\\n)*.*)", file.read(), re.M).group(1)

    def test(self, test, functions):
        """Builds a test with these functions. The part of it that does not change is compiled once."""
        program = f"{self.folder}/{test}"
        include = [f"-I{self.folder}", f"-I{ROOT}", f"-I{ROOT}/tests"]
        if self.own(test):
            return run([self.cc, *FLAGS, *include, "-o", program, f"{ROOT}/tests/{test}.c", "-lm"])[0], program
        if test not in self.objects:
            self.objects[test] = f"{self.folder}/{test}.o"
            status, out = run([self.cc, *FLAGS, f"-I{ROOT}", f"-I{ROOT}/tests", "-DELELEM_STREAM_IMPLEMENTED", "-c", "-o",
                               self.objects[test], f"{ROOT}/tests/{test}.c"])
            if status:
                sys.exit(f"{test} does not compile: {out.decode()}")
        return run([self.cc, "-o", program, self.objects[test], functions, "-lm"])[0], program

    def kill(self, room, text, tests):
        """Returns the name of the test that notices; '' if none does; None if it does not compile."""
        self.assemble(room, text, f"{self.folder}/elelem_stream.h")
        functions = f"{self.folder}/functions.o"
        status, out = run([self.cc, *FLAGS, f"-I{self.folder}", "-DELELEM_STREAM_IMPLEMENTATION", "-x", "c", "-c", "-o",
                           functions, f"{self.folder}/elelem_stream.h"], seconds=120)
        if status:
            return None
        for test in tests:
            status, program = self.test(test, functions)
            if status:
                return None
            status, out = run([program], seconds=SECONDS, cwd=ROOT)
            if status:
                return test
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", default="")
    parser.add_argument("--build", default="build/mutants")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--only", default="", help="only mutants whose changed line has this text")
    parser.add_argument("--list", action="store_true", help="count the mutants of each room")
    options = parser.parse_args()

    tests_of = {row[0]: row[1].split() for row in read_table("rooms.txt")}
    reasons = {(row[0], row[1], row[2]): row[3] for row in read_table("equivalent.txt")}
    rooms = [room for room in options.room.replace(",", " ").split()] or list(tests_of)
    mutants = [mutant for room in rooms for mutant in mutants_of(room)]
    if options.list:
        for room in rooms:
            print(f"{room}: {sum(mutant[0] == room for mutant in mutants)} mutants")
        return 0
    if options.only:
        mutants = [mutant for mutant in mutants if options.only in mutant[3]]
    random.Random(options.seed).shuffle(mutants)

    shop = Workshop(os.path.abspath(options.build), options.cc)
    for room in rooms:
        killer = shop.kill(room, None, tests_of[room])
        if killer != "":
            print(f"{room}: without any mutant {killer or 'nothing'} {'fails' if killer else 'compiles'}")
            return 1

    counts = {room: [0, 0, 0] for room in rooms}  # killed, survived, equivalent
    done = 0
    for room, number, line, changed in mutants:
        if done == options.n:
            break
        if (room, line.strip(), changed.strip()) in reasons:
            counts[room][2] += 1
            continue
        with open(f"{ROOT}/parts/{room}.c") as file:
            lines = file.read().split("\n")
        lines[number - 1] = changed
        start = time.time()
        killer = shop.kill(room, "\n".join(lines), tests_of[room])
        if killer is None:
            continue
        done += 1
        counts[room][0 if killer else 1] += 1
        if not killer:
            print(f"survived: parts/{room}.c:{number}\n-{line}\n+{changed}", flush=True)
    survived = 0
    for room in rooms:
        killed, left, equal = counts[room]
        survived += left
        if killed + left:
            print(f"{room}: {killed} of {killed + left} killed ({100 * killed / (killed + left):.1f}%), {equal} listed as equivalent")
    killed = sum(count[0] for count in counts.values())
    print(f"seed {options.seed}: {killed} mutants killed, {survived} survived")
    return survived > 0


if __name__ == "__main__":
    sys.exit(main())
