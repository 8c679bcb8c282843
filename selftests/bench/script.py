#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""script.py SAMPLES ROUNDS JSON: the guest's part of script.sh.

Records SAMPLES page faults of programs that come and go, and has latewind script and perf
script print them in turn, to nowhere and through a pipe; JSON tells what each took.
"""
import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys

DATA = "/tmp/script.data"
WORK = pathlib.Path(__file__).parent.parent / "proof/work.py"
PERF = (glob.glob("/usr/bin/perf_[0-9]*") + glob.glob("/usr/lib/linux-tools*/perf") +
        ["/usr/bin/perf"])[0]
SUBJECTS = {
    "latewind": ["latewind", "script", "-q", "-i", DATA],
    "perf": [PERF, "script", "-i", DATA],
}


def run(command, piped):
    """(seconds of CPU, MiB, empty lines that came through the pipe) of a command."""
    reader = piped and subprocess.Popen(["grep", "-c", "^$"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
    with subprocess.Popen(command, stdout=reader.stdin if piped else subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as program:
        if piped:
            reader.stdin.close()
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = status
    if status:
        sys.exit(f"{command} ended with {status}")
    lines = 0
    if piped:
        lines = int(reader.stdout.read())
        reader.wait()
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, lines


def compare(case, piped, rounds):
    """Rows with the medians; each sample ends in an empty line."""
    results = {subject: [] for subject in SUBJECTS}
    for _ in range(rounds):
        for subject, command in SUBJECTS.items():
            results[subject].append(run(command, piped))
    lines = {result[2] for rows in results.values() for result in rows}
    if len(lines) != 1:
        sys.exit(f"not the same number of samples: {lines}")
    if piped:
        print(f"{lines.pop()} samples")
    for unit, at in (("s", 0), ("MiB", 1)):
        for subject, rows in results.items():
            yield {"bench": "script", "case": case, "subject": subject, "unit": unit,
                   "value": statistics.median(row[at] for row in rows)}


def main():
    """Records, measures, tells."""
    samples, rounds, path = sys.argv[1:]
    subprocess.run(["latewind", "record", "-q", "-a", "-e", "page-faults", "-c", "1",
                    "--ring-size", "64M", "-o", DATA, "--", sys.executable, str(WORK), samples],
                   check=True)
    rows = [*compare("to /dev/null", False, int(rounds)),
            *compare("through a pipe", True, int(rounds))]
    pathlib.Path(path).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


main()
