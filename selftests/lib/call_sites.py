#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""call_sites.py TEXT PERF_DATA SINCE LABEL: do the stacks say what the code does?

TEXT is what 'latewind record --text' wrote, PERF_DATA the recording itself, of which the
mappings are taken. Stacks before SINCE, nanoseconds of the monotonic clock, are left out.

Each address of a caller has to stand behind a call. Where that is direct, its target has to
be the function of the frame below, or lead there: by a PLT, or by jumps from function to
function. What is in no file (code that a process has made, the vDSO) is not judged.

Prints a JSON object of numbers: stacks, and of these whole by tables, by analysis (of code
without call frame information) and with guesses, cut and why; pairs of frames, judged, and
wrong ones, those that a guess has found apart (guesses, wrong_guesses). What is wrong, and
where stacks are cut, goes to stderr, the most frequent first.
"""
import collections
import json
import re
import struct
import sys

from elf_code import open_elf

HEAD = re.compile(r'.* (\d+)/\d+ \[\d+\] (\d+\.\d+) \S+: end=(\S+)')
# Names of Go may have " (" in them.
FRAME = re.compile(r'\t\s*([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))? '
                   r'\(([^()]*(?: \(deleted\))?)\) \[([\w-]+)\]$')
MMAP2, FORK = 10, 7
# Walks that did not end because of what they met, but as the task was gone.
GONE = 'stopped', 'exited', 'exec', 'missing'
NO_USER_PART = 'kthread', 'exiting', 'excluded'
# A goroutine's first function is entered as if it were called from there.
NOT_CALLED = 'runtime.goexit', 'runtime.goexit.abi0'
# Functions that are looked at for a way.
MOST_FAR_JUMPS, MOST_JUMPS = 100, 50
MAX_SHOWN = 6

Frame = collections.namedtuple('Frame', 'ip name offset path how')
# Where an address is: in a file, at an address of its own, and pc, the same or in the call
# before it; the start of its function as its name tells.
Place = collections.namedtuple('Place', 'path vaddr pc start')


def read_stacks(path):
    """(pid, time, end, user frames) of each sample; lines that are the same are read once."""
    known = {}
    head, frames = None, []
    for line in open(path, encoding='utf-8', errors='replace'):
        if line[0] == '\t':
            frame = known.get(line)
            if frame is None:
                match = FRAME.match(line)
                if not match:
                    sys.exit(f'{path}: cannot read {line!r}')
                ip, name, offset, file, how = match.groups()
                frame = known[line] = Frame(int(ip, 16), name, int(offset, 16) if offset else None,
                                            file, how)
            if frame.how != 'kernel':
                frames.append(frame)
        elif line == '\n':
            if head:
                yield head + (frames,)
            head, frames = None, []
        else:
            match = HEAD.match(line)
            if not match:
                sys.exit(f'{path}: cannot read {line!r}')
            head = int(match[1]), float(match[2]), match[3]
    if head:
        yield head + (frames,)


def read_mappings(path):
    """By process: (start, end, offset in the file, path), in the order of the recording."""
    data = open(path, 'rb').read()
    at, size = struct.unpack_from('<QQ', data, 40)
    end = at + size
    mappings = collections.defaultdict(list)
    while at + 8 <= end:
        kind, _, length = struct.unpack_from('<IHH', data, at)
        if length < 8:
            sys.exit(f'{path}: broken at {at}')
        if kind == MMAP2:
            pid, _, start, count, offset = struct.unpack_from('<IIQQQ', data, at + 8)
            name = data[at + 72:data.index(b'\0', at + 72)].decode(errors='replace')
            mappings[pid].append((start, start + count, offset, name))
        elif kind == FORK:
            pid, parent = struct.unpack_from('<II', data, at + 8)
            if pid != parent and pid not in mappings:
                mappings[pid] = list(mappings[parent])
        at += length
    return mappings


class Files:
    """Files by path, and what is at an address of a process."""

    def __init__(self, mappings):
        self.mappings = mappings
        self.elfs = {}
        self.places = {}

    def elf(self, path):
        if path not in self.elfs:
            try:
                self.elfs[path] = open_elf(path)
            except (OSError, ValueError):
                self.elfs[path] = None
        return self.elfs[path]

    def place(self, pid, frame, is_caller):
        key = pid, frame.ip, frame.path, is_caller
        if key not in self.places:
            self.places[key] = self.find(pid, frame, is_caller)
        return self.places[key]

    def find(self, pid, frame, is_caller):
        elf = self.elf(frame.path)
        # A call may be the last instruction of a mapping.
        ip = frame.ip - is_caller
        for start, end, offset, path in reversed(self.mappings[pid]) if elf else ():
            if start <= ip < end and path == frame.path:
                vaddr = elf.to_vaddr(ip - start + offset)
                if vaddr is None:
                    return None
                begins = None if frame.offset is None else vaddr + is_caller - frame.offset
                return Place(path, vaddr + is_caller, vaddr, begins)
        return None


def is_callee(elf, path, vaddr, callee):
    """Is the code there of the callee's function? Its call may be the last instruction."""
    if not callee or callee.path != path:
        return False
    start, end = elf.function(vaddr)
    return start <= callee.pc < end or callee.start in (vaddr - 1, vaddr, vaddr + 1)


def leads_to(elf, path, target, callee):
    """By what a call of target comes to the callee, '' if by nothing."""
    if not elf.is_code(target):
        return ''
    if elf.is_plt(target):
        return 'plt'
    if is_callee(elf, path, target, callee):
        return 'call'
    # First the jumps that are cheap to find, then all.
    todo, seen = [target], {target}
    for _ in range(MOST_FAR_JUMPS):
        if not todo:
            break
        for vaddr in elf.far_jumps(todo.pop(0)) - seen:
            if not elf.is_code(vaddr):
                continue
            if elf.is_plt(vaddr) or is_callee(elf, path, vaddr, callee):
                return 'jump'
            if elf.is_start(vaddr):
                seen.add(vaddr)
                todo.append(vaddr)
    todo, seen = [target], {target}
    for _ in range(MOST_JUMPS):
        if not todo:
            break
        targets, indirect = elf.jumps(todo.pop(0))
        if indirect:
            return 'indirect jump'
        for vaddr in targets - seen:
            if not elf.is_code(vaddr):
                continue
            if elf.is_plt(vaddr) or is_callee(elf, path, vaddr, callee):
                return 'jump'
            seen.add(vaddr)
            todo.append(vaddr)
    return ''


class Judge:
    """Pairs of frames, each kind judged once."""

    def __init__(self, files):
        self.files = files
        self.verdicts = {}
        self.counts = collections.Counter()
        self.wrong = collections.Counter()

    def verdict(self, callee, caller):
        elf = self.files.elf(caller.path)
        try:
            target, indirect = elf.call_before(caller.vaddr)
        except ValueError:
            return 'not behind a call'
        if target is None:
            return 'indirect' if indirect else 'not behind a call'
        found = leads_to(elf, caller.path, target, callee)
        if found:
            return found
        return 'indirect' if indirect else f'the call is of {target:x}'

    def pair(self, pid, callee, callee_is_caller, caller, guess):
        place = self.files.place(pid, caller, True)
        if not place:
            self.counts['not_judged'] += 1
            return
        if caller.name in NOT_CALLED:
            return
        below = self.files.place(pid, callee, callee_is_caller)
        key = below, place
        if key not in self.verdicts:
            self.verdicts[key] = self.verdict(below, place)
        verdict = self.verdicts[key]
        self.counts['guesses' if guess else 'judged'] += 1
        if verdict in ('call', 'plt', 'jump', 'indirect', 'indirect jump'):
            self.counts['by_' + verdict.replace(' ', '_')] += not guess
            return
        self.counts['wrong_guesses' if guess else 'wrong'] += 1
        self.wrong[f'[{caller.how}] {tell(callee, below)} below {tell(caller, place)}: '
                   f'{verdict}'] += 1

    def stack(self, pid, frames):
        # What is above a guess rests on it.
        guess = False
        for i in range(1, len(frames)):
            guess |= frames[i].how == 'fp'
            # What a signal has interrupted did not call, and the way back from the handler
            # was not called either.
            if frames[i].how == 'sigframe' or (i + 1 < len(frames) and
                                               frames[i + 1].how == 'sigframe'):
                continue
            self.pair(pid, frames[i - 1], i > 1 and frames[i - 1].how != 'sigframe', frames[i],
                      guess)


def tell(frame, place):
    where = f'{place.vaddr:x}' if place else f'{frame.ip:x}'
    return f'{frame.name} {where} ({frame.path.rsplit("/", 1)[-1]})'


def sort_of(end, frames):
    if end != 'outermost':
        return 'gone' if end in GONE else 'cut'
    hows = {frame.how for frame in frames}
    return 'guesses' if 'fp' in hows else 'analysis' if 'analysis' in hows else 'tables'


def show(label, what, counter):
    for text, count in counter.most_common(MAX_SHOWN):
        print(f'{label}: {count} {what} {text}', file=sys.stderr)


def main():
    text, recording, since, label = sys.argv[1:]
    judge = Judge(Files(read_mappings(recording)))
    result = collections.Counter(stacks=0, tables=0, analysis=0, guesses=0, cut=0, gone=0)
    why, where, guessed = (collections.Counter() for _ in range(3))
    for pid, time, end, frames in read_stacks(text):
        if time * 1e9 < int(since) or end in NO_USER_PART or not frames:
            continue
        sort = sort_of(end, frames)
        result['stacks'] += 1
        result[sort] += 1
        if sort == 'cut':
            why[end] += 1
            last = judge.files.place(pid, frames[-1], len(frames) > 1)
            where[f'{end} at {tell(frames[-1], last)} [{frames[-1].how}]'] += 1
        elif sort == 'guesses':
            i = next(i for i, frame in enumerate(frames) if frame.how == 'fp')
            guessed[tell(frames[i - 1], judge.files.place(pid, frames[i - 1], i > 1))] += 1
        judge.stack(pid, frames)
    show(label, 'wrong:', judge.wrong)
    show(label, 'cut:', where)
    show(label, 'guessed above', guessed)
    result.update({'pairs_' + name: count for name, count in judge.counts.items()})
    result['pairs_wrong'] += 0
    print(json.dumps({**result, 'why': why}))


main()
