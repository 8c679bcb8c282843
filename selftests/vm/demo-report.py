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

PROGRAM = '/usr/bin/python3'
# What its _start and main, which have no names, call.
ENTRY = 'Py_BytesMain'
# Code that it makes, which this file names.
PYTHONS_OWN = '/tmp/perf-'
TOP = 5
# What passes: see issue 6.
MIN_OUTERMOST_PERCENT = 99.8
MIN_IN_PROGRAM = 500
# Where Debian builds with what perf -g follows, that gets there, too.
FOLLOWED = {'aarch64': 'frame pointers', 's390x': 'a back chain'}
MAX_PERF_PERCENT = 5

HEAD = re.compile(r'.*: end=([\w-]+)$')
FRAME = re.compile(r'\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*?)\)(?: \[(\w[\w-]*)\])?$')
Frame = collections.namedtuple('Frame', 'symbol dso how')


class Stack(list):
    """Frames, leaf first; end is how the walk ended, where the text says so."""
    end = None


def blocks(path):
    """The stacks of perf script's output or of latewind's text."""
    stack = None
    for line in open(path, encoding='utf-8', errors='replace'):
        line = line.rstrip('\n')
        if not line:
            if stack is not None:
                yield stack
            stack = None
        elif not line[0].isspace() or stack is None:
            stack = Stack()
            head = HEAD.match(line)
            stack.end = head and head[1]
        else:
            match = FRAME.match(line)
            if not match:
                sys.exit(f'{path}: cannot read frame: {line!r}')
            stack.append(Frame(match[2], match[3], match[4]))
    if stack is not None:
        yield stack


def in_program(stack):
    return bool(stack) and stack[0].dso.startswith(PROGRAM)


def reaches_entry(stack):
    return any(frame.symbol == ENTRY for frame in stack)


def is_whole(stack):
    """To the very first frame, and none of it guessed: Python's code for calls of its own
    functions keeps the frame pointer, and that is no guess."""
    return stack.end == 'outermost' and all(
        frame.how != 'fp' or callee.dso.startswith(PYTHONS_OWN)
        for callee, frame in zip(stack, stack[1:]))


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
    perf = [s for s in blocks(path('perf-fp.txt')) if in_program(s)]
    summary = {name: stats[name] for name in (
        'samples', 'user_stacks', 'outermost', 'truncated', 'lost_walks', 'lost_records',
        'frames_sframe', 'frames_table', 'frames_fp', 'bytes_per_sample')}
    # Where stacks end, in all and by program.
    summary.update((name, value) for name, value in stats.items()
                   if name.startswith(('whole_', 'cut')))
    summary.update(
        in_program=len(ours),
        reach_main=sum(1 for s in ours if is_whole(s) and reaches_entry(s)),
        perf_fp_in_program=len(perf),
        perf_fp_reach_main=sum(1 for s in perf if reaches_entry(s)),
        seconds=round(time.time() - began, 1))
    with open(path('summary.json'), 'w', encoding='utf-8') as file:
        json.dump(summary, file, indent=2)
        file.write('\n')

    print(f'The {TOP} hottest stacks ({where}/latewind.txt):\n')
    print_hottest(blocks(path('latewind.txt')))
    outermost = percent(summary['outermost'], summary['user_stacks'])
    ours_percent = percent(summary['reach_main'], summary['in_program'])
    perf_percent = percent(summary['perf_fp_reach_main'], summary['perf_fp_in_program'])
    with open(path('machine'), encoding='ascii') as file:
        framed = FOLLOWED.get(file.read().strip())
    names = ''
    # No python3 does that on s390x.
    if any(frame.symbol.startswith('py::') for stack in ours for frame in stack):
        names = '           Python says how its own functions are called (-X perf): py::NAME:FILE.\n'
    print(f"The program is Debian's {PROGRAM}, as it is: no SFrame, "
          f"{framed or 'no frame pointers'}.\n"
          f"Latewind:  {summary['user_stacks']} user stacks, {outermost:.2f} % of them whole; of "
          f"{summary['in_program']} in the program\n"
          f"           {ours_percent:.2f} % reach {ENTRY}() and _start without a guess.\n"
          f"{names}"
          f"perf -g:   {summary['perf_fp_in_program']} samples in it, {perf_percent:.2f} % "
          f"reach {ENTRY}().\n"
          f"{summary['samples']} samples in all, {summary['lost_records']} records lost, "
          f"{summary['bytes_per_sample']} bytes a sample, {summary['seconds']} s.\n"
          f"Look further: {where}/flame.html in a browser, {where}/report.txt; numbers in\n"
          f"{where}/summary.json. {where}/perf.data brings its names along: latewind reads it\n"
          f"anywhere. perf needs the program's files, which the demo has kept:\n"
          f"  perf --buildid-dir {where}/debug report -i {where}/perf.data "
          f"--kallsyms {where}/kallsyms")

    problems = []
    if summary['in_program'] < MIN_IN_PROGRAM:
        problems.append(f"only {summary['in_program']} samples in the program; "
                        f"at least {MIN_IN_PROGRAM} are expected")
    if outermost < MIN_OUTERMOST_PERCENT:
        problems.append(f'only {outermost:.2f} % of the user stacks are whole')
    if ours_percent < MIN_OUTERMOST_PERCENT:
        problems.append(f'only {ours_percent:.2f} % of those in the program reach its entry')
    if perf_percent >= MAX_PERF_PERCENT and not framed:
        problems.append(f'perf -g reaches {ENTRY}() in {perf_percent:.2f} %: '
                        'the program seems to have frame pointers')
    if summary['lost_records']:
        problems.append(f"{summary['lost_records']} records were lost")
    for problem in problems:
        print(f'demo failed: {problem}', file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
