# SPDX-License-Identifier: GPL-2.0
"""walk.py JSON DIRECTORY KERNEL...: what the passes of walk_bench come to, of each kernel:
instructions of a sample beyond the same work without samples, and bytes of a ring that it
takes, medians of all rounds, and goals; exit status 1 if one of these is missed.

DIRECTORY/KERNEL/passes is what walk_bench has printed, profile/ what count.c has counted."""

import bisect
import json
import pathlib
import statistics
import sys

# What each subject's code is built as, and so what its work costs if nobody samples.
BUILDS = {"perf": "plain", "perf-g": "fp", "perf-dwarf-8k": "plain", "perf-dwarf-64k": "plain",
          "table": "plain", "section": "sframe", "registered": "plain", "fp": "fp"}
SOURCES = ("table", "section", "registered", "fp")
# Stacks whose difference is the price of a frame.
FEW, MANY = 25, 75
GOALS = {FEW: 6000, MANY: 10000}
FRAME_GOAL, FIXED_GOAL = 85, 3800
# How much dearer than tables other sources may be, and deep stacks or many files a frame.
MARGIN = 1.1
# Functions of the kernel that are printed.
TOP = 30


def read_passes(path):
    """{(case, frames, subject): [(instructions, samples, bytes of the ring) of each round]}"""
    passes = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            case, frames, subject, _, *counts = line.split()
            passes.setdefault((case, int(frames), subject), []).append(
                tuple(int(count) for count in counts))
    return passes


def cost(passes, case, frames, subject):
    """Median of a sample.  What else the kernel has to do only adds to a pass."""
    idle = min(row[0] for row in passes[case, frames, "idle-" + BUILDS[subject]])
    return statistics.median((instructions - idle) / samples
                             for instructions, samples, _ in passes[case, frames, subject])


def read_costs(path):
    """{(case, frames, subject): instructions of a sample}, in the order of passes"""
    passes = read_passes(path)
    return {key: round(cost(passes, *key)) for key in passes if key[2] in BUILDS}


def read_bytes(path):
    """{(case, frames, subject): bytes of the ring that a sample takes}, likewise"""
    return {key: round(statistics.median(size / samples for _, samples, size in rows))
            for key, rows in read_passes(path).items() if key[2] in BUILDS}


def per_frame(costs, case, subject, few=FEW, many=MANY):
    """Instructions, or bytes, of a frame, or None."""
    if (case, few, subject) not in costs or (case, many, subject) not in costs:
        return None
    return (costs[case, many, subject] - costs[case, few, subject]) / (many - few)


def fixed(costs, case, subject):
    """Instructions, or bytes, of a stack of no frames, or None."""
    frame = per_frame(costs, case, subject)
    return None if frame is None else costs[case, FEW, subject] - FEW * frame


def print_table(costs, case, what=""):
    """Of one case: subjects, and how deep."""
    depths = list(dict.fromkeys(key[1] for key in costs if key[0] == case))
    print(f"\n{case + what + ', frames:':22}" + "".join(f"{depth:>11,}" for depth in depths) +
          f"{'a frame':>11}{'fixed':>11}")
    for subject in BUILDS:
        values = [costs.get((case, depth, subject)) for depth in depths]
        if not any(values):
            continue
        values += [per_frame(costs, case, subject), fixed(costs, case, subject)]
        print(f"{subject:22}" + "".join(" " * 11 if value is None else f"{value:11,.0f}"
                                        for value in values))


class Verdicts:
    """Goals that were looked at, and how many were missed."""

    def __init__(self):
        self.missed = 0

    def judge(self, what, value, limit):
        """Prints one; a value that was not measured is none."""
        if value is None or limit is None:
            return
        self.missed += value > limit
        print(f"{'reached' if value <= limit else 'MISSED ':8} {what}: {value:,.0f}, "
              f"goal {limit:,.0f}")


def times(value, factor):
    """A product, or None."""
    return None if value is None else value * factor


def judge(costs, sizes):
    """The goals of one kernel.  Return: how many were missed."""
    verdicts = Verdicts()
    print()
    for frames, goal in GOALS.items():
        verdicts.judge(f"tables, {frames} frames", costs.get(("one", frames, "table")), goal)
    frame = per_frame(costs, "one", "table")
    verdicts.judge("tables, a frame", frame, FRAME_GOAL)
    verdicts.judge("tables, fixed", fixed(costs, "one", "table"), FIXED_GOAL)
    for source in SOURCES[1:]:
        for frames in GOALS:
            verdicts.judge(f"{source}, {frames} frames, as tables",
                           costs.get(("one", frames, source)),
                           times(costs.get(("one", frames, "table")), MARGIN))
    for few, many in ((5, FEW), (MANY, 300), (300, 900)):
        verdicts.judge(f"tables, a frame between {few} and {many}, as between {FEW} and {MANY}",
                       per_frame(costs, "one", "table", few, many), times(frame, MARGIN))
    for source in SOURCES:
        for few, many in ((FEW, MANY), (MANY, 300), (300, 900)):
            verdicts.judge(f"{source}, a frame between {few} and {many}, each in another file",
                           per_frame(costs, "files", source, few, many), times(frame, MARGIN))
    for source in SOURCES:
        verdicts.judge(f"{source}, {FEW} frames, bytes of the ring, as perf -g",
                       sizes.get(("one", FEW, source)), sizes.get(("one", FEW, "perf-g")))
    return verdicts.missed


def read_symbols(path):
    """Addresses in order, and the name of what begins there."""
    with open(path, encoding="utf-8") as lines:
        rows = (line.split() for line in lines)
        symbols = sorted((int(row[0], 16), row[2]) for row in rows if row[1] in "tTwW")
    return [row[0] for row in symbols], [row[1] for row in symbols]


def read_profile(directory):
    """[(function, instructions of a sample)], those of most first."""
    addresses, names = read_symbols(directory / "kallsyms")
    passes = read_passes(directory / "passes")
    samples = max(row[1] for rows in passes.values() for row in rows)
    counts = {}
    with open(directory / "counts", encoding="utf-8") as lines:
        for line in lines:
            address, idle, sampled = line.split()
            at = bisect.bisect_right(addresses, int(address, 16)) - 1
            name = names[at] if at >= 0 else "?"
            counts[name] = counts.get(name, 0) + int(sampled) - int(idle)
    profile = [(name, count / samples) for name, count in counts.items()]
    return sorted(profile, key=lambda row: -row[1])


def print_profile(profile, what):
    """The first functions, what all others come to, and the sum."""
    print(f"\n{what}, instructions of a sample by function:")
    others = sum(row[1] for row in profile[TOP:])
    for name, value in profile[:TOP] + [("all others", others),
                                        ("together", sum(row[1] for row in profile))]:
        print(f"{value:11,.0f}  {name}")


def row(kernel, case, subject, value, unit="instructions"):
    """As a bench file has it."""
    if subject in SOURCES:
        case, subject = f"{case}, {subject}", "latewind"
    return {"bench": "walk", "case": f"{kernel}, {case}", "subject": subject,
            "value": value, "unit": unit}


def rows_of(kernel, costs, sizes):
    """All rows of a kernel but the profile's."""
    rows = [row(kernel, f"{case}, {frames} frames", subject, value)
            for (case, frames, subject), value in costs.items()]
    rows += [row(kernel, f"{case}, {frames} frames, ring", subject, value, "bytes")
             for (case, frames, subject), value in sizes.items()]
    for case, subject in dict.fromkeys((key[0], key[2]) for key in costs):
        if per_frame(costs, case, subject) is not None:
            rows.append(row(kernel, f"{case}, a frame", subject,
                            round(per_frame(costs, case, subject), 1)))
            rows.append(row(kernel, f"{case}, fixed", subject, round(fixed(costs, case, subject))))
    return rows


def main():
    rows, missed = [], 0
    directory = pathlib.Path(sys.argv[2])
    for kernel in sys.argv[3:]:
        costs = read_costs(directory / kernel / "passes")
        sizes = read_bytes(directory / kernel / "passes")
        print(f"\nInstructions of a sample, kernel {kernel}")
        for case in dict.fromkeys(key[0] for key in costs):
            print_table(costs, case)
        if any(key[0] == "one" for key in sizes):
            print_table(sizes, "one", ", bytes")
        missed += judge(costs, sizes)
        rows += rows_of(kernel, costs, sizes)
        at = directory / kernel / "profile"
        if at.exists():
            (case, frames, subject), = read_costs(at / "passes")
            profile = read_profile(at)
            print_profile(profile, f"{subject}, {case}, {frames} frames")
            rows += [row(kernel, f"{case}, {frames} frames, in {name}", subject, round(value, 1))
                     for name, value in profile if round(value, 1)]
    pathlib.Path(sys.argv[1]).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if missed:
        print(f"\n{missed} goals missed")
    return 1 if missed else 0


sys.exit(main())
