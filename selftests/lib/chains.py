#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""chains.py OURS PERF LABEL [EXPECTED]: stacks of the same hits, by two tracers.

OURS is what 'latewind record --text' wrote, PERF what 'perf script' did with
-F tid,time,event,ip,sym of events full (65528 bytes of stack), eight (8 KiB) and
fp (frame pointers) at the same place, of which there need not be the last two. Only
the last process counts. If PERF has as many stacks as $LW_FIRST_HITS says, it was cut
there, and those of its first thread are compared. EXPECTED, if it is there, has the names
of each hit's frames down to main.

Prints a JSON object of numbers: hits; of these how many both have (paired), and have
the whole chain of full in ours, eight and fp; how many go on in ours where full stops,
and end outermost (beyond: perf is no judge of these); ours that end outermost; with
EXPECTED, how many have these names in ours, eight and fp. The first differences, and where
full stops, go to stderr.
"""
import collections
import itertools
import json
import os
import re
import sys

OUR_HEAD = re.compile(r'.* \d+/(\d+) \[\d+\] (\d+\.\d+) \S+: end=(\S+)$')
OUR_FRAME = re.compile(r'\t\s*([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \(.*\) \[([\w-]+)\]$')
PERF_HEAD = re.compile(r'\s*(\d+)\s+(\d+\.\d+):\s+(?:\S+:)?(full|eight|fp):')
PERF_FRAME = re.compile(r'\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)?$')
# perf script prints microseconds.
CLOCK = 1e-6
MAX_SHOWN = 2
# perf of Debian's arm64 unwinds by libunwind, which does not tell of a function that has no caller.
LACKS_START = os.uname().machine == 'aarch64'

Stack = collections.namedtuple('Stack', 'time ips names end hows')


def read_ours(path):
    """Stacks by tid. Callers' addresses are made those of the call, as perf's are."""
    stacks = collections.defaultdict(list)
    stack = None
    for line in open(path, encoding='utf-8', errors='replace'):
        line = line.rstrip('\n')
        frame = OUR_FRAME.match(line)
        if frame and stack:
            ip, how = int(frame[1], 16), frame[3]
            stack.ips.append(ip if not stack.ips or how == 'sigframe' else ip - 1)
            stack.names.append(frame[2])
            stack.hows.append(how)
        elif line:
            head = OUR_HEAD.match(line)
            if not head:
                sys.exit(f'{path}: cannot read {line!r}')
            stack = Stack(float(head[2]), [], [], head[3], [])
            stacks[head[1]].append(stack)
    return stacks


def read_perf(path):
    """Stacks by event and tid."""
    stacks = collections.defaultdict(lambda: collections.defaultdict(list))
    stack = None
    for line in open(path, encoding='utf-8', errors='replace'):
        line = line.rstrip('\n')
        head = PERF_HEAD.match(line)
        if head:
            stack = Stack(float(head[2]), [], [], '', [])
            stacks[head[3]][head[1]].append(stack)
            continue
        frame = PERF_FRAME.match(line)
        if frame and stack:
            stack.ips.append(int(frame[1], 16))
            stack.names.append(frame[2])
        elif line:
            sys.exit(f'{path}: cannot read {line!r}')
    return stacks


def last_process(stacks):
    """The thread that hit last for the first time: there it is known what it maps."""
    return max(stacks, key=lambda tid: stacks[tid][0].time)


def in_order(mine, others, mine_first):
    """
    Pairs of the same hit, of which always the same one of two tells first: the two that
    follow each other in that order. What only one of them saw, or saw twice, is left out.
    """
    # What perf script cut off may be all that lies between the two.
    told = sorted([(stack.time, not mine_first, stack) for stack in mine] +
                  [(stack.time + mine_first * CLOCK, mine_first, stack) for stack in others],
                  key=lambda entry: entry[:2])
    return [(one[2], two[2]) if mine_first else (two[2], one[2])
            for one, two in itertools.pairwise(told) if not one[1] and two[1]]


def paired(mine, others):
    """
    In the order in which more of the stacks agree: the other one takes each hit with its
    neighbour, from the first hit on that one of them missed.
    """
    return max((in_order(mine, others, mine_first) for mine_first in (True, False)),
               key=lambda pairs: (sum(one.ips == other.ips for one, other in pairs),
                                  len(pairs)))


def alone(whose, stacks, known):
    """What the other one did not see: when, how long after the one before, and if that
    one had the same stack. A hit that is told of twice is such a one, too."""
    known = {id(stack) for stack in known}
    return [f'{whose} at {stack.time:.9f}, {(stack.time - before.time) * 1e6:.1f} us after '
            f'{"the same" if stack.ips == before.ips else "another one"}'
            for before, stack in itertools.pairwise(stacks) if id(stack) not in known]


def is_same(one, other):
    """Of ours and perf's."""
    return one.ips == other.ips or (
        LACKS_START and one.end == 'outermost' and one.ips[:-1] == other.ips and
        other.names[-1:] == ['__libc_start_main'])


def to_main(names):
    return names[:names.index('main') + 1] if 'main' in names else names


def show(label, mine, other):
    print(f'{label}: at {mine.time}, end={mine.end}', file=sys.stderr)
    length = max(len(mine.ips), len(other.ips))
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1],
                                              zip(mine.ips, other.ips)))
    for i in range(max(same - 2, 0), min(same + 4, length)):
        left = f'{mine.ips[i]:x} {mine.names[i]} [{mine.hows[i]}]' if i < len(mine.ips) else '-'
        right = f'{other.ips[i]:x} {other.names[i]}' if i < len(other.ips) else '-'
        mark = ' ' if left.split()[0] == right.split()[0] else '!'
        print(f'  {mark} {left:60.60} | {right:.60}', file=sys.stderr)


def main():
    ours, theirs, label = read_ours(sys.argv[1]), read_perf(sys.argv[2]), sys.argv[3]
    if not ours:
        sys.exit('no hits')
    most = int(os.environ.get('LW_FIRST_HITS', 0))
    first_only = 0 < most <= sum(len(of) for event in theirs.values() for of in event.values())
    tid = next(iter(theirs['full']), '') if first_only else last_process(ours)
    mine = ours[tid]
    if first_only:
        mine = mine[:len(theirs['full'][tid])]
    full, eight, fp = (theirs[event][tid] if event in theirs else []
                       for event in ('full', 'eight', 'fp'))
    result = collections.Counter(hits=0, ours=0, beyond=0, outermost=0)
    ends = collections.Counter()
    shown = 0
    pairs = paired(mine, full)
    result['hits'] = max(len(mine), len(full))
    result['paired'] = len(pairs)
    for line in (alone('ours', mine, (one for one, _ in pairs)) +
                 alone("perf's", full, (other for _, other in pairs)))[:MAX_SHOWN]:
        print(f'{label}: only {line}', file=sys.stderr)
    for one, other in pairs:
        result['outermost'] += one.end == 'outermost'
        if is_same(one, other):
            result['ours'] += 1
        elif one.end == 'outermost' and one.ips[:len(other.ips)] == other.ips:
            result['beyond'] += 1
            ends[other.names[-1] if other.names else 'nothing'] += 1
        elif shown < MAX_SHOWN:
            shown += 1
            show(label, one, other)
    if LACKS_START and len({one.ips[-1] for one, _ in pairs if one.end == 'outermost'}) > 1:
        sys.exit('stacks of one process end in several places')
    for name, count in ends.most_common(MAX_SHOWN):
        print(f"{label}: perf's end at {name}, {count} times", file=sys.stderr)
    # perf's own against each other: whole is whole by the same judge.
    for event, stacks in ('eight', eight), ('fp', fp):
        if event in theirs:
            result[event] = sum(a.ips == b.ips for a, b in paired(full, stacks))
    if len(sys.argv) > 4:
        expected = [line.split() for line in open(sys.argv[4], encoding='utf-8')]
        for name, stacks in ('ours', mine), ('eight', eight), ('fp', fp):
            if name != 'ours' and name not in theirs:
                continue
            if len(stacks) != len(expected):
                sys.exit(f'{len(stacks)} hits instead of {len(expected)}')
            result['known_' + name] = sum(to_main(stack.names) == names
                                          for stack, names in zip(stacks, expected))
    print(json.dumps(result))


main()
