#!/usr/bin/env python3
"""Mutants of parts/: small errors put into a room one at a time, and the unit tests that should notice.

    tests/mutants/mutate.py [-n COUNT] [--each] [--seed SEED] [--room ROOM,ROOM...] [--build FOLDER] [--jobs JOBS] [--quick-only]
                            [--least PERCENT] [--only TEXT] [--list]

For each mutant a header is assembled, its functions are compiled once, and the tests of the room (tests/mutants/rooms.txt)
are linked with them and run, in the order of that table, until one fails, crashes or takes too long: the mutant is killed.
tcc does that first, if it is installed, because it compiles all functions in less than a tenth of a second; what it does
not compile (128 bits, vectors) CC does, without the sanitizers. What survives is compiled by CC with the sanitizers, which see more,
and the same tests run again. A test that does not compile the changed line (the portable build of a room has another) is not
run; a line that nothing here compiles (another machine's) has no mutants. One that passes them all survives, and is
printed, unless tests/mutants/equivalent.txt says why it changes nothing. Fails if a mutant survives that is not listed there, or more than PERCENT allows.
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
QUICK = "-std=c99 -w".split()
CAREFUL = """-std=c99 -O1 -g0 -w -Werror=uninitialized -Werror=maybe-uninitialized
    -fsanitize=address,undefined -fno-sanitize-recover=all""".split()

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
    says_whether = False
    for number, (line, code) in enumerate(zip(lines, codes)):
        if code.startswith("#"):
            continue
        if re.match(r"(static|ELS_DATA|ELELEM)?.*\] = \{$", code) or re.match(r"^(typedef )?enum|^static const .*= \{", code):
            inside = True
        if re.match(r"^\w.*\(", code):
            says_whether = re.match(r"^(ELS_\w+ )?int ", code) is not None
        if not inside and code.strip() and code.startswith(" "):
            yield from ((room, number + 1, line, changed) for changed in changes(line, code)
                        if not (says_whether and re.match(r" +(if .*)?return 2;", changed)))  # nonzero is all that is promised
        if re.match(r"^\}|.*\};", code):
            inside = False


def changes(line, code):
    for pattern, others in SWAPS:
        for match in re.finditer(pattern, code):
            for other in others:
                yield line[:match.start()] + other + line[match.end():]
    for match in CONSTANT.finditer(re.sub(r"\bsizeof [^ ,;)]*", lambda m: " " * len(m.group(0)), code)):
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
    if STATEMENT.match(code) and code.count("(") == code.count(")") and not re.match(r"\s*\(void\)\w+;$", code):
        yield re.match(r"\s*", line).group(0) + ";"
    match = re.match(r"^(\s*(?:if \(.*\) )?return )(ELELEM_ERROR_\w+)(;)$", code)
    if match:
        yield line[:match.end(1)] + "ELELEM_OK" + line[match.end(2):]


def read_table(name):
    with open(f"{HERE}/{name}") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def run(command, seconds=None, **more):
    """(exit status, output); the output of a program that was stopped is empty. `seconds` are of the processor."""
    def limit():
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    try:
        done = subprocess.run(command, preexec_fn=limit, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, **more)
    except subprocess.TimeoutExpired:
        return 124, b""
    return done.returncode, done.stdout


def own_tests():
    """The tests that compile functions of their own: as the Makefile lists them."""
    with open(f"{ROOT}/Makefile") as file:
        return set(re.findall(r"test_\w+(?=\.c)", re.search(r"^OWN = ((?:.*\\\n)*.*)", file.read(), re.M).group(1)))


class Tests:
    """Tests compiled without functions, by one compiler, once for all mutants."""

    def __init__(self, folder, command):
        self.folder = folder
        self.command = command
        self.own = own_tests()
        self.lock = threading.Lock()
        self.objects = {}
        self.seconds = {}
        self.lines = {}
        self.checked = set()
        os.makedirs(folder, exist_ok=True)

    def object(self, test):
        with self.lock:
            if test not in self.objects:
                path = f"{self.folder}/{test}.o"
                status, out = run([*self.command, f"-I{ROOT}", f"-I{ROOT}/tests", "-DELELEM_STREAM_IMPLEMENTED", "-c", "-o", path,
                                   f"{ROOT}/tests/{test}.c"])
                if status:
                    sys.exit(f"{test} does not compile: {out.decode()}")
                self.objects[test] = path
            return self.objects[test]


class Workshop:
    """Builds headers, functions and tests in a folder, with one compiler."""

    def __init__(self, folder, tests):
        self.folder = folder
        self.tests = tests
        os.makedirs(folder + "/parts", exist_ok=True)
        for name in os.listdir(f"{ROOT}/parts"):
            if name.endswith((".c", ".h", ".in")) and not os.path.lexists(f"{folder}/parts/{name}"):
                os.symlink(f"{ROOT}/parts/{name}", f"{folder}/parts/{name}")

    def assemble(self, room, text):
        """Writes the header with the changed room."""
        part = f"{self.folder}/parts/{room}.c"
        if text is not None:
            os.unlink(part)
            with open(part, "w") as file:
                file.write(text)
        status, out = run(["awk", "-f", f"{ROOT}/parts/amalgamate.awk", "parts/elelem_stream.h.in"], cwd=self.folder)
        if text is not None:
            os.unlink(part)
            os.symlink(f"{ROOT}/parts/{room}.c", part)
        with open(f"{self.folder}/elelem_stream.h", "wb") as file:
            file.write(out)

    def build(self, test, functions):
        """(exit status, program)."""
        program = f"{self.folder}/{test}"
        command = self.tests.command
        if test in self.tests.own:
            include = [f"-I{self.folder}", f"-I{ROOT}", f"-I{ROOT}/tests"]
            return run([*command, *include, "-o", program, f"{ROOT}/tests/{test}.c", "-lm"])[0], program
        return run([*command, "-o", program, self.tests.object(test), functions, "-lm"])[0], program

    def lines(self, room, test):
        """The numbers of the room's lines that the compiler sees with a test: each line is given a word of its own, and the preprocessor run."""
        key = (room, test if test in self.tests.own else "")
        if key not in self.tests.lines:
            with open(f"{ROOT}/parts/{room}.c") as file:
                lines = file.read().split("\n")
            self.assemble(room, "\n".join(line if line[:1] in "#/" else f"els_line_{number} {line}" for number, line in enumerate(lines, 1)))
            source = ["-DELELEM_STREAM_IMPLEMENTATION", "-x", "c", f"{self.folder}/elelem_stream.h"]
            if key[1]:
                source = [f"-I{ROOT}", f"-I{ROOT}/tests", f"{ROOT}/tests/{test}.c"]
            status, out = run([*self.tests.command, "-E", f"-I{self.folder}", *source])
            if status:
                sys.exit(f"{test} with {room} cannot be preprocessed: {out.decode()}")
            self.tests.lines[key] = {int(number) for number in re.findall(rb"\bels_line_(\d+)\b", out)}
        return self.tests.lines[key]

    def seconds(self, test):
        """The time of the processor after which a test hangs: far more than it takes without a mutant."""
        return self.tests.seconds.get(test, 300)

    def kill(self, room, text, tests):
        """Returns the name of the test that notices; '' if none does; None if it does not compile."""
        self.assemble(room, text)
        functions = f"{self.folder}/functions.o"
        status, out = run([*self.tests.command, f"-I{self.folder}", "-DELELEM_STREAM_IMPLEMENTATION", "-x", "c", "-c", "-o",
                           functions, f"{self.folder}/elelem_stream.h"], seconds=300)
        if status:
            return None
        for test in tests:
            status, program = self.build(test, functions)
            if status:
                return None
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            status, out = run([program], seconds=self.seconds(test), cwd=ROOT)
            if status:
                return test
            if text is None:
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.tests.seconds[test] = 3 + 5 * round(after.ru_utime - before.ru_utime)
        return ""


class Mutation:
    """What is asked for, and the workshops of one thread."""

    def __init__(self, options):
        self.tests_of = {row[0]: row[1].split() for row in read_table("rooms.txt")}
        self.reasons = {(row[0], row[1], row[2]): row[3] for row in read_table("equivalent.txt")}
        self.folder = os.path.abspath(options.build)
        self.steps = [("plain", [options.cc, *QUICK]), ("careful", [options.cc, *CAREFUL])]
        if shutil.which("tcc"):
            self.steps.insert(0, ("quick", ["tcc", *QUICK]))
        self.steps = [(name, Tests(f"{self.folder}/{name}", command)) for name, command in self.steps]
        self.is_quick = options.quick_only
        self.local = threading.local()
        self.numbers = itertools.count(1)

    def shops(self):
        if not hasattr(self.local, "shops"):
            number = next(self.numbers)  # of the thread; one that is counted in two steps may be another thread's too
            self.local.shops = [Workshop(f"{self.folder}/{name}-{number}", tests) for name, tests in self.steps]
        return self.local.shops

    def is_listed(self, mutant):
        room, _, line, changed = mutant
        return (room, line.strip(), changed.strip()) in self.reasons

    def check(self, shop, room):
        """Fails if a test fails without any mutant. A test that passed for another room is not run again."""
        with shop.tests.lock:
            if room in shop.tests.checked:
                return
            shop.tests.checked.add(room)
        killer = shop.kill(room, None, [test for test in self.tests_of[room] if test not in shop.tests.seconds])
        if killer != "":
            sys.exit(f"{room}: without any mutant {killer or 'nothing'} {'fails' if killer else 'compiles'}")

    def tests_for(self, shop, room, number):
        return [test for test in self.tests_of[room] if number in shop.lines(room, test)]

    def steps_for(self, room, number):
        """The first compiler that compiles the line, and the careful one."""
        shops = [shop for shop in self.shops() if self.tests_for(shop, room, number)]
        return shops[:1] if self.is_quick else shops[:1] + shops[1:][-1:]

    def kill(self, mutant):
        """As Workshop.kill: first quickly, then carefully."""
        room, number, line, changed = mutant
        with open(f"{ROOT}/parts/{room}.c") as file:
            lines = file.read().split("\n")
        lines[number - 1] = changed
        killer = ""
        for shop in self.steps_for(room, number):
            self.check(shop, room)
            killer = shop.kill(room, "\n".join(lines), self.tests_for(shop, room, number))
            if killer != "":
                break
        return killer


def chosen(options, rooms, mutation):
    """The mutants to try, room by room, and how many of each room were passed over because they are listed."""
    generator = random.Random(options.seed)
    if options.each:
        lists = [[m for m in mutants_of(room)] for room in rooms]
    else:
        lists = [[m for room in rooms for m in mutants_of(room)]]
    mutants, listed = [], dict.fromkeys(rooms, 0)
    for candidates in lists:
        candidates = [m for m in candidates if options.only in m[3]]
        generator.shuffle(candidates)
        taken = 0
        for mutant in candidates:
            if taken == options.n:
                break
            if not mutation.steps_for(mutant[0], mutant[1]):
                continue
            if mutation.is_listed(mutant):
                listed[mutant[0]] += 1
            else:
                mutants.append(mutant)
                taken += 1
    return mutants, listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--each", action="store_true", help="that many of each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", default="")
    parser.add_argument("--build", default="build/mutants")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=float, default=100, help="fail if fewer percent are killed")
    parser.add_argument("--quick-only", action="store_true", help="do not run what survives there under the sanitizers")
    parser.add_argument("--only", default="", help="only mutants whose changed line has this text")
    parser.add_argument("--list", action="store_true", help="count the mutants of each room")
    options = parser.parse_args()

    mutation = Mutation(options)
    rooms = options.room.replace(",", " ").split() or list(mutation.tests_of)
    if options.list:
        for room in rooms:
            print(f"{room}: {sum(1 for _ in mutants_of(room))} mutants")
        return 0
    mutants, listed = chosen(options, rooms, mutation)

    killed, survived = dict.fromkeys(rooms, 0), dict.fromkeys(rooms, 0)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, killer in zip(mutants, pool.map(mutation.kill, mutants)):
            room, number, line, changed = mutant
            if killer:
                killed[room] += 1
            elif killer == "":
                survived[room] += 1
                print(f"survived: parts/{room}.c:{number}\n-{line}\n+{changed}", flush=True)
    for room in rooms:
        all_of_room = killed[room] + survived[room]
        if all_of_room:
            print(f"{room}: {killed[room]} of {all_of_room} killed ({100 * killed[room] / all_of_room:.1f}%), "
                  f"{listed[room]} listed as equivalent")
    killed, survived = sum(killed.values()), sum(survived.values())
    print(f"seed {options.seed}: {killed} mutants killed, {survived} survived")
    return 100 * killed < options.least * (killed + survived)


if __name__ == "__main__":
    sys.exit(main())
