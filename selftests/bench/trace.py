# SPDX-License-Identifier: GPL-2.0
"""trace.py ROUNDS JSON: medians and slowdowns of trace.sh; exit status 1 unless
ours is less than a tenth of strace's."""

import json
import statistics
import sys

LIMIT = 0.1


def read(path):
    """Milliseconds and numbers of calls, by subject."""
    rounds = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            subject, milliseconds, calls = line.split()
            rounds.setdefault(subject, []).append((int(milliseconds), int(calls)))
    return rounds


def main():
    rounds = read(sys.argv[1])
    medians = {subject: statistics.median(ms for ms, _ in rounds[subject])
               for subject in ("none", "latewind", "strace")}
    slower = {subject: medians[subject] / medians["none"] for subject in medians}
    ratio = (slower["latewind"] - 1) / (slower["strace"] - 1)
    rows = []
    print(f"{'subject':10} {'ms':>8} {'slower':>7} {'calls':>8}")
    for subject, value in medians.items():
        calls = statistics.median(calls for _, calls in rounds[subject])
        print(f"{subject:10} {value:8.0f} {slower[subject]:6.2f}x {calls:8.0f}")
        rows.append({"bench": "trace", "case": "build", "subject": subject,
                     "value": value, "unit": "ms"})
        rows.append({"bench": "trace", "case": "build, calls printed", "subject": subject,
                     "value": calls, "unit": "calls"})
    rows.append({"bench": "trace", "case": "slowdown, as a part of strace's",
                 "subject": "latewind", "value": round(ratio, 4), "unit": "ratio"})
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump(rows, out, indent=1)
        out.write("\n")
    print(f"our slowdown is {ratio:.3f} of strace's (less than {LIMIT} is wanted)")
    return 0 if ratio < LIMIT else 1


sys.exit(main())
