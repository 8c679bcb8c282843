#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""names.py SCRIPT ROOT: does perf script -F comm,ip,sym,dso name all user frames?

Prints how many of them have a name. Fails if one is of no file, or has none although its
file, which is below ROOT, has a table of all symbols; if not half of them have one, though
Debian's files are stripped; or if there are less than 1000.
"""
import collections
import functools
import re
import subprocess
import sys

FRAME = re.compile(r'\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$')
KERNEL = 1 << 63
# Its own file was not in the root.
RECORDER = '/latewind/'


@functools.cache
def is_stripped(root, path):
    """No .symtab: then only what others link to has a name."""
    sections = subprocess.run(['readelf', '-SW', root + path], text=True,
                              capture_output=True, check=True).stdout
    return ' SYMTAB ' not in sections


def main():
    root = sys.argv[2]
    frames, recorder, unnamed, wrong = 0, 0, collections.Counter(), collections.Counter()
    in_exec, elsewhere = False, collections.Counter()
    for line in open(sys.argv[1], encoding='utf-8', errors='replace'):
        frame = FRAME.match(line)
        if not frame:
            in_exec = False
            continue
        if int(frame[1], 16) & KERNEL:
            in_exec |= 'execve' in frame[2]
            continue
        frames += 1
        if frame[2] != '[unknown]':
            continue
        path = frame[3].removeprefix('/kernel')
        if path.startswith(RECORDER):
            recorder += 1
        elif path == '[vdso]':
            elsewhere["of the guest's vDSO, which is no file"] += 1
        elif path == '[unknown]' and in_exec:
            elsewhere['of the entry of a program that was about to be mapped'] += 1
        elif path.startswith('/') and is_stripped(root, path):
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
    sys.exit(frames < 1000 or 2 * named < frames or bool(wrong))


main()
