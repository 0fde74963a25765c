"""tests/coverage.py FOLDER THRESHOLDS [--keep]: of what llvm-cov exported to FOLDER, the lines, branches and conditions (MC/DC)
of each room of the header that were covered, as a table that is written to FOLDER too, with a list of what is missing.
Less than the thresholds is an error. --keep writes the thresholds anew.

A line with the comment "Not reached: reason", or one that follows a line with only that comment, is left out, and counted.
What a build has (ELS_HAS_...) is a constant: it is no condition that could be shown to matter.
"""
import json
import re
import sys

HEADER = "elelem_stream.h"


def rooms_of(lines):
    """The room of each line."""
    room, rooms = "", []
    for line in lines:
        mark = re.match(r"/\* >> (\w+)", line)
        room = mark.group(1) if mark else room
        rooms.append(room)
    return rooms


def left_out(lines):
    """Numbers of the lines that are not counted."""
    out = set()
    for number, line in enumerate(lines, 1):
        if "/* Not reached: " in line:
            out.add(number + 1 if line.strip().startswith("/*") else number)
    return out


def is_constant(lines, l1, c1, l2, c2, number):
    """Whether the condition with this number of the decision there is what the build has."""
    text = lines[l1 - 1][c1 - 1 : c2 - 1] if l1 == l2 else "\n".join([lines[l1 - 1][c1 - 1 :], *lines[l1 : l2 - 1], lines[l2 - 1][: c2 - 1]])
    parts = re.split(r"&&|\|\|", text) + [""] * number  # those of a macro are not in the line
    return re.fullmatch(r"!?ELS_HAS_\w+", parts[number].strip()) is not None


def read_branches(data):
    """(place, outcome) -> times, and (place, condition) -> covered, of all builds together."""
    branches, conditions = {}, {}
    for function in data["functions"]:
        for l1, c1, l2, c2, yes, no, file, _, _ in function["branches"]:
            if not function["filenames"][file].endswith(HEADER):
                continue
            for outcome, times in (("true", yes), ("false", no)):
                key = (l1, c1, l2, c2, outcome)
                branches[key] = branches.get(key, 0) + times
        for l1, c1, l2, c2, file, _, covered in function["mcdc_records"]:
            if not function["filenames"][file].endswith(HEADER):
                continue
            for number, is_covered in enumerate(covered):
                key = (l1, c1, l2, c2, number)
                conditions[key] = conditions.get(key, 0) or int(is_covered)
    return branches, conditions


def read_lines(path):
    """(line,) -> times."""
    counts, wanted = {}, False
    for line in open(path):
        if line.startswith("SF:"):
            wanted = line.strip().endswith(HEADER)
        elif line.startswith("DA:") and wanted:
            number, times = line[3:].split(",")[:2]
            key = (int(number),)
            counts[key] = counts.get(key, 0) + int(times)
    return counts


def percent(part, whole):
    return 100.0 if whole == 0 else int(1000 * part / whole) / 10


def main(folder, thresholds, keep):
    lines = open(f"{folder}/{HEADER}").read().split("\n")
    rooms, out = rooms_of(lines), left_out(lines)
    data = json.load(open(f"{folder}/all.json"))["data"][0]
    branches, conditions = read_branches(data)
    tables = (("line", read_lines(f"{folder}/all.lcov")), ("branch", branches), ("condition", conditions))
    counts, missing, excluded = {}, [], {}
    for column, (what, table) in enumerate(tables):
        for key, times in table.items():
            room = rooms[key[0] - 1]
            if what == "condition" and is_constant(lines, *key):
                continue
            if key[0] in out:
                excluded.setdefault(room, set()).add(key[0])
                continue
            row = counts.setdefault(room, [[0, 0], [0, 0], [0, 0]])
            row[column][1] += 1
            if times > 0:
                row[column][0] += 1
            elif what != "line":
                text = lines[key[0] - 1]
                part = text[key[1] - 1 : key[3] - 1] if key[0] == key[2] else text[key[1] - 1 :]
                case = key[4] if what == "branch" else f"condition {key[4] + 1}"
                missing.append((room, key[0], f"{room}: {HEADER}:{key[0]}: {what} {case}: {part.strip()}"))
    order = list(dict.fromkeys(room for room in rooms if room in counts))
    table = [f"{'room':<24}{'lines':>8}{'branches':>10}{'MC/DC':>8}{'missing':>16}{'left out':>10}"]
    kept, bad = [], 0
    old = {line.split()[0]: [float(x) for x in line.split()[1:]] for line in open(thresholds) if line.strip() and line[0] != "#"}
    for room in order + ["all"]:
        row = counts[room] if room != "all" else [[sum(counts[r][i][j] for r in order) for j in (0, 1)] for i in (0, 1, 2)]
        shares = [percent(*pair) for pair in row]
        gaps = " + ".join(str(pair[1] - pair[0]) for pair in row[1:])
        gone = len(excluded.get(room, ())) if room != "all" else sum(map(len, excluded.values()))
        table.append(f"{room:<24}{shares[0]:>8}{shares[1]:>10}{shares[2]:>8}{gaps:>16}{gone:>10}")
        kept.append(f"{room} " + " ".join(map(str, shares)))
        least = old.get(room, [0, 0, 0] if keep else [100, 100, 100])
        for name, share, bound in zip(("lines", "branches", "MC/DC"), shares, least):
            if share < bound and not keep:
                print(f"not ok {room}: {share}% of {name}, and it was {bound}%")
                bad += 1
    print("\n".join(table))
    open(f"{folder}/table.txt", "w").write("\n".join(table) + "\n")
    open(f"{folder}/missing.txt", "w").write("\n".join(text for _, _, text in sorted(missing)) + "\n")
    if keep:
        head = "# The least coverage of each room: lines, branches and MC/DC, in percent (make coverage COVERAGE_OPTIONS=--keep)."
        open(thresholds, "w").write("\n".join([head] + kept) + "\n")
    print(f"coverage: {len(order)} rooms, {bad} figures fell; what is missing: {folder}/missing.txt")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], "--keep" in sys.argv))
