# SPDX-License-Identifier: GPL-2.0
"""trace.py ROUNDS JSON: medians and slowdowns of trace.sh; exit status 1 unless
ours is less than a tenth of strace's.

A traced round is compared with the untraced ones before and after it, as how busy
the machine is changes in minutes."""

import json
import statistics
import sys

LIMIT = 0.1
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


def main():
    rounds = read(sys.argv[1])
    slower = {subject: slowdown(rounds, subject) for subject in SUBJECTS}
    ratio = (slower["latewind"] - 1) / (slower["strace"] - 1)
    rows = []
    print(f"{'subject':10} {'ms':>8} {'slower':>7} {'calls':>8}")
    for subject in SUBJECTS:
        ms = statistics.median(row[1] for row in rounds if row[0] == subject)
        calls = statistics.median(row[2] for row in rounds if row[0] == subject)
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
