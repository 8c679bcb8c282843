#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tap.py DIRECTORY...: judge the *.tap files of each lane's directory.

Counts leaves: a result that sums up subtests is not counted again. Nothing
passes silently: a plan that is missing or not met, a nonzero exit status
without a "not ok", a missing exit status, a lane without tests each count as
one failure. Says what each lane came to, which files took longest ("# seconds N"), and
why something was skipped. Last line: "N passed, N failed, N skipped".
"""
import collections
import os
import re
import sys

RESULT = re.compile(r'(\s*)(ok|not ok)\b\s*(\d*)\s*(.*)')
PLAN = re.compile(r'(\s*)1\.\.(\d+)\s*(?:#\s*SKIP(.*))?$', re.IGNORECASE)
SECONDS = re.compile(r'# seconds ([\d.]+)(?:,|$)')
STATUS = re.compile(r'# exit status (\d+)$')
SKIP = re.compile(r'#\s*SKIP\b(.*)', re.IGNORECASE)
KSFT_SKIP = 4
TIMED_OUT = (124, 137)


class Level:
    """Results of one indentation, until the result that sums them up."""

    def __init__(self):
        self.plan = None
        self.numbers = []
        self.failed = 0

    def problem(self):
        if self.plan is None:
            return 'no plan'
        if len(self.numbers) != self.plan:
            return f'{len(self.numbers)} results of {self.plan} planned'
        if [n for n in self.numbers if n] not in ([], list(range(1, self.plan + 1))):
            return 'results are out of order'
        return None


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.seconds = []
        self.reasons = collections.Counter()

    def total(self):
        return self.passed + self.failed + self.skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.seconds += other.seconds
        self.reasons += other.reasons

    def skip(self, reason):
        self.skipped += 1
        self.reasons[(reason or '').strip(' \t:') or 'no reason is told'] += 1

    def __str__(self):
        return f'{self.passed} passed, {self.failed} failed, {self.skipped} skipped'


def seconds_of(lane):
    """What check.sh has left of how long the lane took."""
    try:
        with open(os.path.join(lane, 'seconds'), encoding='ascii') as file:
            return f', {int(file.read())} s'
    except OSError:
        return ''


def fail(tally, path, text, context=()):
    tally.failed += 1
    print(f'FAILED {path}: {text}')
    for line in context:
        print(f'    {line}')


def judge(path, tally):
    lines = open(path, encoding='utf-8', errors='replace').read().splitlines()
    levels = {}
    context = []
    status = None
    before = tally.failed
    for line in lines:
        plan, result, end = PLAN.match(line), RESULT.match(line), STATUS.match(line)
        if took := SECONDS.match(line):
            tally.seconds.append((float(took[1]), path))
        elif end:
            status = int(end[1])
        elif line.strip().startswith('Bail out!'):
            fail(tally, path, line.strip(), context[-20:])
        elif plan:
            level = levels.setdefault(len(plan[1]), Level())
            level.plan = int(plan[2])
            if level.plan == 0:
                tally.skip(plan[3])
        elif result:
            indent, number, text = len(result[1]), result[3], result[4]
            level = levels.setdefault(indent, Level())
            level.numbers.append(int(number) if number else 0)
            below = [levels.pop(i) for i in sorted(levels) if i > indent]
            for group in below:
                if group.problem():
                    fail(tally, path, f'{text}: {group.problem()}', context[-20:])
                    group.failed += 1
            if result[2] == 'not ok':
                level.failed += 1
                if not any(g.failed for g in below):
                    fail(tally, path, line.strip(), context[-20:])
            elif any(g.numbers for g in below):
                pass
            elif skip := SKIP.search(text):
                tally.skip(skip[1])
            else:
                tally.passed += 1
            context = []
        else:
            context.append(line)
    top = levels.get(0)
    if top is None and tally.failed == before:
        fail(tally, path, 'no TAP in it', lines[-20:])
    elif top and top.problem():
        fail(tally, path, top.problem(), context[-20:])
    if status is None:
        fail(tally, path, 'its exit status was not recorded')
    elif status in TIMED_OUT:
        fail(tally, path, 'timed out', context[-20:])
    elif status == KSFT_SKIP and top and not top.failed:
        pass
    elif status and tally.failed == before:
        fail(tally, path, f'exit status {status} without a failed test', context[-20:])


def main():
    whole = Tally()
    for lane in sys.argv[1:]:
        tally = Tally()
        for name in sorted(os.listdir(lane)):
            if name.endswith('.tap'):
                judge(os.path.join(lane, name), tally)
        if not tally.total():
            fail(tally, lane, 'the lane ran no tests')
        print(f'lane {os.path.basename(lane)}{seconds_of(lane)}: {tally}')
        whole.add(tally)
    for took, path in sorted(whole.seconds, reverse=True)[:10]:
        print(f'{took:7.1f} s  {path}')
    for reason, number in whole.reasons.most_common():
        print(f'{number:7} skipped: {reason}')
    print(whole)
    return 1 if whole.failed or not whole.passed else 0


sys.exit(main())
