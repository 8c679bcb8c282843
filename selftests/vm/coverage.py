#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""coverage.py DIRECTORY: lines of the module that ran, by file, of what gcov left there.

Lines that never ran are in DIRECTORY/../missed.txt.
"""
import glob
import os
import re
import sys


def lines_of(path):
    """{number: ran} of a .gcov file, and its source."""
    ran, source = {}, None
    with open(path, encoding='utf-8') as file:
        for line in file:
            # Between copies of a function that several objects have there are other lines.
            if not re.match(r' *\S+: *\d+:', line):
                continue
            count, number, text = line.split(':', 2)
            if text.startswith('Source:'):
                source = text[len('Source:'):].strip()
            count = count.strip().rstrip('*')
            if int(number) and count != '-':
                number = int(number)
                ran[number] = ran.get(number, False) or count.isdigit()
    return source, ran


def main(directory):
    files = {}
    for path in glob.glob(os.path.join(directory, '*.gcov')):
        source, ran = lines_of(path)
        match = re.search(r'module/[\w/]+\.[ch]$', source)
        if not match:
            continue
        known = files.setdefault(match[0], {})
        for number, did in ran.items():
            known[number] = known.get(number, False) or did
    if not files:
        sys.exit(f'{directory} has no lines of the module')
    with open(os.path.join(directory, '..', 'missed.txt'), 'w', encoding='utf-8') as missed:
        for name, ran in sorted(files.items()):
            hit = sum(ran.values())
            print(f'{100 * hit / len(ran):5.1f} % {hit:5} of {len(ran):5}  {name}')
            missed.writelines(f'{name}:{number}\n'
                              for number, did in sorted(ran.items()) if not did)
    hit = sum(sum(ran.values()) for ran in files.values())
    total = sum(len(ran) for ran in files.values())
    print(f'{100 * hit / total:5.1f} % {hit:5} of {total:5}')


main(sys.argv[1])
