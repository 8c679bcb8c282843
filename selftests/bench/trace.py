# SPDX-License-Identifier: GPL-2.0
"""trace.py ROUNDS JSON: medians and slowdowns of trace.sh; exit status 1 unless
ours is less than a tenth of strace's, and both printed the same number of calls.

A traced round is compared with the untraced ones before and after it, as how busy
the machine is changes in minutes."""

import json
import statistics
import sys

LIMIT = 0.1
# Builds differ by some calls: who waits for whom is a matter of time.
CALLS_LIMIT = 0.02
SUBJECTS = ("none", "latewind", "strace")


def read(path):
    """(subject, milliseconds, calls) of each round, in order."""
    with open(path, encoding="utf-8") as lines:
        rows = [line.split() for line in lines]
    return [(subject, int(ms), int(calls)) for subject, ms, calls in rows
            if subject in SUBJECTS]


def slowdown(rounds, subject):
    """The median over its rounds."""
    slower = []
    for i, (name, ms, _) in enumerate(rounds):
        if name == subject:
            beside = [row[1] for row in rounds[max(i - 1, 0):i + 2] if row[0] == "none"]
            slower.append(ms / statistics.mean(beside))
    return statistics.median(slower)


def median_calls(rounds, subject):
    """That a round of it printed."""
    return statistics.median(row[2] for row in rounds if row[0] == subject)


def complaint(rounds, slower):
    """Why the rounds can't be compared, or None."""
    ours, theirs = (median_calls(rounds, subject) for subject in ("latewind", "strace"))
    if not theirs or abs(ours - theirs) > CALLS_LIMIT * theirs:
        return f"{ours:.0f} calls of ours, {theirs:.0f} of strace's"
    if slower["strace"] <= 1:
        return "strace costs nothing"
    return None


def main():
    rounds = read(sys.argv[1])
    slower = {subject: slowdown(rounds, subject) for subject in SUBJECTS}
    wrong = complaint(rounds, slower)
    if wrong:
        print(f"not comparable: {wrong}")
        return 1
    ratio = (slower["latewind"] - 1) / (slower["strace"] - 1)
    rows = []
    print(f"{'subject':10} {'ms':>8} {'slower':>7} {'calls':>8}")
    for subject in SUBJECTS:
        ms = statistics.median(row[1] for row in rounds if row[0] == subject)
        calls = median_calls(rounds, subject)
        print(f"{subject:10} {ms:8.0f} {slower[subject]:6.2f}x {calls:8.0f}")
        for case, value, unit in (("build", ms, "ms"), ("build, calls printed", calls, "calls"),
                                  ("build, slower", round(slower[subject], 3), "times")):
            rows.append({"bench": "trace", "case": case, "subject": subject,
                         "value": value, "unit": unit})
    rows.append({"bench": "trace", "case": "slowdown, as a part of strace's",
                 "subject": "latewind", "value": round(ratio, 4), "unit": "ratio"})
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump(rows, out, indent=1)
        out.write("\n")
    print(f"our slowdown is {ratio:.3f} of strace's (less than {LIMIT} is wanted)")
    return 0 if ratio < LIMIT else 1


sys.exit(main())
