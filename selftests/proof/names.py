#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""names.py [--all OURS] SCRIPT ROOT: does perf script -F comm,ip,sym,dso name all user frames?

Prints how many of them have a name. Fails if one is of no file, or has none although its
file, which is below ROOT, has a table of all symbols; if not half of them have one, though
Debian's files are stripped; or if there are less than 1000. With --all no file may be
without its symbols but those of the recorder's own threads; OURS is what latewind script
says. Behind a call that does not come back a function may end, so that perf, which looks for
return addresses themselves, finds none there, or another one; of 1000 frames one may be so.
"""
import collections
import functools
import re
import subprocess
import sys

FRAME = re.compile(r'\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$')
KERNEL = 1 << 63
# As --symfs may be in front of what is found there.
SYMFS = ('/kernel', '/latewind/build/proof/files')
# Its own file was not in the root.
RECORDER = '/latewind/'


@functools.cache
def is_stripped(root, path):
    """No .symtab: then only what others link to has a name."""
    sections = subprocess.run(['readelf', '-SW', root + path], text=True,
                              capture_output=True, check=True).stdout
    return ' SYMTAB ' not in sections


def names_of(script):
    """By place in a page and file, what latewind script has names for: perf 6.1 has
    addresses within files."""
    names = {}
    for line in open(script, encoding='utf-8', errors='replace'):
        frame = FRAME.match(line)
        if frame and frame[2] != '[unknown]':
            names[frame[1][-3:], frame[3]] = frame[2]
    return names


def main():
    everything = sys.argv[1] == '--all'
    ours = names_of(sys.argv[2]) if everything else {}
    script, root = sys.argv[-2:]
    frames, recorder, unnamed, wrong = 0, 0, collections.Counter(), collections.Counter()
    in_exec, elsewhere, comm = False, collections.Counter(), ''
    for line in open(script, encoding='utf-8', errors='replace'):
        frame = FRAME.match(line)
        if not frame:
            in_exec = False
            comm = line.strip() or comm
            continue
        if int(frame[1], 16) & KERNEL:
            in_exec |= 'execve' in frame[2]
            continue
        frames += 1
        if frame[2] != '[unknown]':
            continue
        path = frame[3]
        for symfs in SYMFS:
            path = path.removeprefix(symfs)
        if path.startswith(RECORDER) or (everything and comm == 'latewind'):
            recorder += 1
        elif path == '[vdso]':
            elsewhere["of the guest's vDSO, which is no file"] += 1
        elif path == '[unknown]' and in_exec:
            elsewhere['of the entry of a program that was about to be mapped'] += 1
        elif (frame[1][-3:], path) in ours:
            elsewhere[f'behind the last call of {ours[frame[1][-3:], path]}(), for perf'] += 1
        elif not everything and path.startswith('/') and is_stripped(root, path):
            unnamed[path] += 1
        else:
            wrong[frame[3]] += 1
    frames -= recorder
    named = frames - unnamed.total() - elsewhere.total() - wrong.total()
    print(f'# {named} of {frames} user frames have names')
    for path, number in unnamed.most_common(8):
        print(f'# {number} are of functions that {path}, which is stripped, does not name')
    for what, number in elsewhere.most_common():
        print(f'# {number} are {what}')
    for path, number in wrong.most_common(8):
        print(f'# {number} of {path} have none')
    least = 0.999 if everything else 0.5
    sys.exit(frames < 1000 or named < least * frames or bool(wrong))


main()
