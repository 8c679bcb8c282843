#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""ring_report.py DIRECTORY: what the bench of the rings found.

Reads DIRECTORY/ring/: instructions, speed and native ("case subject value unit"
lines), callgrind's counts.* and lackey's *.trace. Prints tables, writes
DIRECTORY/ring.json: an array of {bench, case, subject, value, unit}. Exits with 1
if a goal is missed.
"""
import collections
import glob
import json
import re
import sys

LINE = 64
# What a call may use of the stack. Each CPU has a stack of its own, ring_native
# has one for both.
STACK = 16384

PAIR = ('latewind', 'bpf', 'bpf-wakeup', 'latewind-overwrite')
WHOLE = ('latewind', 'bpf', 'bpf-wakeup', 'perf', 'copy-alone')
SPEED = ('latewind', 'bpf-shared', 'bpf-each', 'perf')

DUMP = re.compile(r'^desc: Trigger: Client Request: (\S+) (\S+) (\d+)$', re.M)
TOTAL = re.compile(r'^totals: (\d+)$', re.M)


def read_lines(path, values):
    """Case, subject, value, unit."""
    for line in open(path, encoding='ascii'):
        case, subject, value, unit = line.split()
        values[case, subject, unit] = float(value)


def read_counts(pattern, values):
    """A dump for each payload. What the dump of nothing has is not the ring's."""
    totals = {}
    for path in glob.glob(pattern):
        text = open(path, encoding='utf-8').read()
        dump = DUMP.search(text)
        if dump:
            case, subject, records = dump.groups()
            totals[case, subject] = int(TOTAL.search(text)[1]), int(records)
    for (case, subject), (total, records) in totals.items():
        if subject != 'nothing':
            values[case, subject, 'instructions'] = (
                (total - totals[case, 'nothing'][0]) / records)


def read_shared_lines(trace, turns):
    """Cache lines that one CPU stores to and another one uses.

    ring_native says by a store whose turn it is: 0 for nobody's.
    """
    words = turns.split()
    turn_at, stack = int(words[1], 16), int(words[3], 16)
    used, stored = collections.defaultdict(set), collections.defaultdict(set)
    cpu = turns_seen = 0
    for line in open(trace, encoding='ascii', errors='replace'):
        kind = line[1:2]
        if line[:1] != ' ' or kind not in 'LSM':
            continue
        address, size = line[3:].split(',')
        address = int(address, 16)
        if address == turn_at and kind == 'S':
            # CPU 0 and CPU 1 in turn, nobody between them.
            turns_seen += 1
            cpu = (turns_seen // 2 % 2 + 1) if turns_seen % 2 else 0
            continue
        if not cpu or abs(address - stack) < STACK:
            continue
        lines = range(address // LINE, (address + int(size) - 1) // LINE + 1)
        used[cpu].update(lines)
        if kind != 'L':
            stored[cpu].update(lines)
    if turns_seen != 8 or min(len(stored[1]), len(stored[2])) < 100:
        sys.exit(f'{trace}: no trace of two CPUs that write records')
    return stored[1] & used[2] | stored[2] & used[1]


def payloads_of(values, prefix):
    """Sizes, ascending, of the cases with this prefix."""
    return sorted({int(c.rsplit('-', 1)[1]) for c, _, _ in values
                   if c.rsplit('-', 1)[0] == prefix})


def show(values, title, prefix, subjects, unit, scale=1):
    """One table: subjects down, payloads across."""
    sizes = payloads_of(values, prefix)
    print(f'{title:40}' + ''.join(f'{size:>10}' for size in sizes))
    for subject in subjects:
        print(f'  {subject:38}' + ''.join(
            f'{values[f"{prefix}-{size}", subject, unit] / scale:10.1f}' for size in sizes))
    print()


def show_ratios(values, prefix, subjects):
    """How many times ours the others take."""
    sizes = payloads_of(values, prefix)
    print(f'{"times latewind: " + prefix:40}' + ''.join(f'{size:>10}' for size in sizes))
    for subject in subjects:
        print(f'  {subject:38}' + ''.join(
            '{:10.2f}'.format(values[f'{prefix}-{size}', subject, 'instructions'] /
                              values[f'{prefix}-{size}', 'latewind', 'instructions'])
            for size in sizes))
    print()


def show_all(values):
    """All tables."""
    print('Bytes of payload across. bpf: no wake-up is looked at; bpf-wakeup: as by default.\n')
    show(values, 'instructions: reserve and commit', 'reserve', PAIR, 'instructions')
    show(values, 'instructions: with the payload copied', 'record', WHOLE, 'instructions')
    show_ratios(values, 'reserve', PAIR[1:])
    show_ratios(values, 'record', WHOLE[1:-1])
    for cpus in 1, 2:
        show(values, f'VM, {cpus} CPU, 1000 records/s', f'speed-{cpus}cpu', SPEED,
             'records/s', 1000)
        show(values, f'VM, {cpus} CPU, ns a record takes its CPU', f'speed-{cpus}cpu', SPEED,
             'ns')
    for (case, subject, unit), value in values.items():
        if unit == 'dropped' and value:
            print(f'{case}: {subject} dropped {value:.0f} records in all\n')
    ours = ('latewind',)
    show(values, 'natively, instr.: reserve and commit', 'native-reserve', ours,
         'instructions')
    for cpus in 1, 2:
        show(values, f'natively, {cpus} CPU, 1000 records/s', f'native-{cpus}cpu', ours,
             'records/s', 1000)
        show(values, f'natively, {cpus} CPU, ns of CPU time a record', f'native-{cpus}cpu', ours,
             'ns-of-cpu')


def judge_instructions(values):
    """At or below the BPF ring buffer's, for each payload."""
    missed = 0
    for prefix in 'reserve', 'record':
        for size in payloads_of(values, prefix):
            ours, bpf = (values[f'{prefix}-{size}', subject, 'instructions']
                         for subject in ('latewind', 'bpf'))
            if ours > bpf:
                print(f'MISSED: {prefix} of {size} bytes: {ours:.1f} instructions, '
                      f'the BPF ring buffer {bpf:.1f}')
                missed += 1
    if not missed:
        print("reached: no more instructions than the BPF ring buffer's, for each payload")
    return missed


def judge_lines(directory, values):
    """None shared, and the check is able to find some."""
    shared = {}
    for name in 'ring_native', 'ring_unaligned':
        turns = open(f'{directory}/{name}.lines', encoding='ascii').read()
        shared[name] = len(read_shared_lines(f'{directory}/{name}.trace', turns))
    values['shared-lines', 'latewind', 'lines'] = shared['ring_native']
    if not shared['ring_unaligned']:
        print('MISSED: rings that are not aligned share no cache line: the check finds none')
        return 1
    if shared['ring_native']:
        print(f'MISSED: {shared["ring_native"]} cache lines are stored to by one CPU '
              'and used by another')
        return 1
    print('reached: no cache line is shared between CPUs that write '
          f'(not aligned: {shared["ring_unaligned"]})')
    return 0


def main():
    directory = sys.argv[1]
    inputs = f'{directory}/ring'
    values = {}
    for name in 'instructions', 'speed', 'native':
        read_lines(f'{inputs}/{name}', values)
    read_counts(f'{inputs}/counts.*', values)
    show_all(values)
    missed = judge_instructions(values) + judge_lines(inputs, values)
    with open(f'{directory}/ring.json', 'w', encoding='ascii') as file:
        json.dump([{'bench': 'ring', 'case': c, 'subject': s, 'value': round(v, 2), 'unit': u}
                   for (c, s, u), v in values.items()], file, indent=1)
        file.write('\n')
    sys.exit(1 if missed else 0)


main()
