#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report.py DIRECTORY: what the bench found.

Reads times.txt and callgrind/out.* in DIRECTORY, prints tables and ratios,
writes sframe.json: an array of {bench, case, subject, value, unit}.
"""
import glob
import json
import re
import sys

CASES = ('hot', 'warm', 'cold')
TITLES = {'frame': 'a frame of a walk', 'lookup': 'a look-up'}
OURS = ('latewind', 'latewind-indexed', 'latewind-cached')

DUMP = re.compile(r'^desc: Trigger: Client Request: (\S+) (\S+) (\S+) (\d+)$', re.M)
TOTAL = re.compile(r'^totals: (\d+)$', re.M)


def read_times(path, values):
    """Lines of bench, case, subject, ns; notes on the program are passed on."""
    for line in open(path, encoding='ascii'):
        if line.startswith('#'):
            print(line[2:], end='')
            continue
        bench, case, subject, ns = line.split()
        values[bench, case, subject, 'ns'] = float(ns)


def read_counts(pattern, values):
    """A dump for each subject. What the dump of nothing has is not its own."""
    totals = {}
    for path in glob.glob(pattern):
        text = open(path, encoding='utf-8').read()
        dump = DUMP.search(text)
        if dump:
            bench, case, subject, steps = dump.groups()
            totals[bench, case, subject] = int(TOTAL.search(text)[1]), int(steps)
    for (bench, case, subject), (total, steps) in totals.items():
        if subject != 'nothing':
            idle = totals[bench, case, 'nothing'][0]
            values[bench, case, subject, 'instructions'] = (total - idle) / steps


def show(values, bench):
    """One table: subjects down, cases across."""
    subjects = [s for b, c, s, u in values if (b, c, u) == (bench, 'warm', 'ns')]
    print(f'\n{TITLES[bench]:22}' + ''.join(f'{c + ", ns":>11}' for c in CASES) +
          f'{"warm, instr.":>15}{"warm, to plain":>16}')
    for subject in subjects:
        warm = values[bench, 'warm', subject, 'ns']
        print(f'{subject:22}' +
              ''.join(f'{values[bench, c, subject, "ns"]:11.1f}' for c in CASES) +
              f'{values[bench, "warm", subject, "instructions"]:15.0f}' +
              f'{warm / values[bench, "warm", "plain", "ns"]:16.2f}')


def show_ratios(values):
    """How many times as long as ours the others take."""
    ns = {s: v for (b, c, s, u), v in values.items() if (b, c, u) == ('frame', 'warm', 'ns')}
    print(f'\n{"times ours, warm":22}' + ''.join(f'{name:>18}' for name in OURS))
    for subject, value in ns.items():
        if not subject.startswith('latewind'):
            print(f'{subject:22}' + ''.join(f'{value / ns[name]:18.2f}' for name in OURS))
    print(f'\nlatewind-cached, if it has to look up and keep each rule: '
          f'{values["frame", "forgotten", "latewind-cached", "ns"]:.1f} ns a frame')


def main():
    directory = sys.argv[1]
    values = {}
    read_times(f'{directory}/times.txt', values)
    read_counts(f'{directory}/callgrind/out.*', values)
    for bench in TITLES:
        show(values, bench)
    show_ratios(values)
    with open(f'{directory}/sframe.json', 'w', encoding='ascii') as file:
        json.dump([{'bench': b, 'case': c, 'subject': s, 'value': round(v, 2), 'unit': u}
                   for (b, c, s, u), v in values.items()], file, indent=1)
        file.write('\n')


main()
