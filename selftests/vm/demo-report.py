#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""demo-report.py DIRECTORY BEGAN: what the demo found.

Reads what demo-guest.sh left in DIRECTORY, prints the five hottest stacks and
a summary, writes summary.json. Exits with 1 if Latewind did not do its job.
"""
import collections
import json
import os
import re
import sys
import time

PROGRAM = '/build/demo/bzip2'
TOP = 5
# What passes: see issue 2.
MIN_REACH_PERCENT = 99
MIN_IN_PROGRAM = 500
MAX_PERF_PERCENT = 5

FRAME = re.compile(r'\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*?)\)(?: \[(\w[\w-]*)\])?$')
Frame = collections.namedtuple('Frame', 'symbol dso how')


def blocks(path):
    """The stacks of perf script's output or of latewind's text, leaf first."""
    stack = None
    for line in open(path, encoding='utf-8', errors='replace'):
        line = line.rstrip('\n')
        if not line:
            if stack is not None:
                yield stack
            stack = None
        elif not line[0].isspace() or stack is None:
            stack = []
        else:
            match = FRAME.match(line)
            if not match:
                sys.exit(f'{path}: cannot read frame: {line!r}')
            stack.append(Frame(match[2], match[3], match[4]))
    if stack is not None:
        yield stack


def in_program(stack):
    return bool(stack) and stack[0].dso.endswith(PROGRAM)


def to_main(stack):
    """The frames down to main, or None if the chain does not get there."""
    for i, frame in enumerate(stack):
        if frame.symbol == 'main' and frame.dso.endswith(PROGRAM):
            return stack[:i + 1]
    return None


def by_sframe(frames):
    """The first frame is where the registers were; all others must be found."""
    return all(frame.how == 'sframe' for frame in frames[1:])


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


def print_hottest(stacks):
    counts = collections.Counter(tuple(f.symbol for f in s) for s in stacks if s)
    total = sum(counts.values())
    for rank, (symbols, count) in enumerate(counts.most_common(TOP), 1):
        print(f'#{rank}  {count} samples, {percent(count, total):.1f} %')
        for symbol in symbols:
            print(f'        {symbol}')
        print()


def main():
    where, began = sys.argv[1], float(sys.argv[2])

    def path(name):
        return os.path.join(where, name)

    stats = json.load(open(path('stats.json'), encoding='utf-8'))
    ours = [s for s in blocks(path('latewind.txt')) if in_program(s)]
    reached = [s for s in map(to_main, ours) if s]
    perf = [s for s in blocks(path('perf-fp.txt')) if in_program(s)]
    summary = {name: stats[name] for name in (
        'samples', 'user_stacks', 'outermost', 'truncated', 'lost_walks', 'lost_records',
        'frames_sframe', 'frames_fp', 'bytes_per_sample')}
    summary.update(
        in_program=len(ours),
        reach_main=sum(map(by_sframe, reached)),
        perf_fp_in_program=len(perf),
        perf_fp_reach_main=sum(1 for s in perf if to_main(s)),
        seconds=round(time.time() - began, 1))
    with open(path('summary.json'), 'w', encoding='utf-8') as file:
        json.dump(summary, file, indent=2)
        file.write('\n')

    print(f'The {TOP} hottest stacks (perf script, {where}/stacks.txt):\n')
    print_hottest(blocks(path('stacks.txt')))
    ours_percent = percent(summary['reach_main'], summary['in_program'])
    perf_percent = percent(summary['perf_fp_reach_main'], summary['perf_fp_in_program'])
    print(f"bzip2 was built with SFrame and without frame pointers.\n"
          f"Latewind:  {summary['in_program']} samples in it, {ours_percent:.2f} % of them "
          f"with every frame down to main.\n"
          f"perf -g:   {summary['perf_fp_in_program']} samples in it, {perf_percent:.2f} % "
          f"reach main.\n"
          f"{summary['samples']} samples in all, {summary['lost_records']} records lost, "
          f"{summary['bytes_per_sample']} bytes a sample, {summary['seconds']} s.\n"
          f"Look further: perf report -i {where}/perf.data; numbers in {where}/summary.json.")

    problems = []
    if summary['in_program'] < MIN_IN_PROGRAM:
        problems.append(f"only {summary['in_program']} samples in the program; "
                        f"at least {MIN_IN_PROGRAM} are expected")
    if ours_percent < MIN_REACH_PERCENT:
        problems.append(f'only {ours_percent:.2f} % of them reach main')
    if perf_percent >= MAX_PERF_PERCENT:
        problems.append(f'perf -g reaches main in {perf_percent:.2f} %: '
                        'the program was not built without frame pointers')
    if summary['lost_records']:
        problems.append(f"{summary['lost_records']} records were lost")
    for problem in problems:
        print(f'demo failed: {problem}', file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
